"""Outputs that the client has saved to files: only files of the session's own folder are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_keeper.client.saved_outputs import END_MAX_BYTES, whole_output

SECRET = "the words of another file"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The session's folder of results, with one, and files beside it that are none of ours."""
    results = tmp_path / "session" / "tool-results"
    results.mkdir(parents=True)
    (results / "one.txt").write_text("first\n" + "between\n" * 20 + "12 passed", encoding="utf-8")
    (tmp_path / "elsewhere.txt").write_text(SECRET, encoding="utf-8")
    (tmp_path / "session" / "one.txt").write_text(SECRET, encoding="utf-8")
    (results / "deeper").mkdir()
    (results / "deeper" / "one.txt").write_text(SECRET, encoding="utf-8")
    (results / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    os.mkfifo(results / "fifo.txt")
    return results


def saved(path: object) -> str:
    return (f"<persisted-output>\nOutput too large (90KB). Full output saved to: {path}\n\nPreview (first 2KB):\n"
            "first\nbetween\n...\n</persisted-output>")


def test_beginning_and_end_of_a_saved_output(folder: Path) -> None:
    text = whole_output(saved(folder / "one.txt"), f"{folder}/")
    assert text.startswith("first\nbetween\n")
    assert text.endswith("12 passed")
    assert "persisted-output" not in text


@pytest.mark.parametrize("path_of", [
    lambda folder: folder.parents[1] / "elsewhere.txt",
    lambda folder: folder.parent / "one.txt",
    lambda folder: f"{folder}/../one.txt",
    lambda folder: f"{folder}/../../elsewhere.txt",
    lambda folder: f"{folder}/deeper/one.txt",
    lambda folder: f"{folder}/link.txt",
    lambda folder: f"{folder}/fifo.txt",
    lambda folder: f"{folder}/deeper",
    lambda folder: f"{folder}/",
    lambda folder: f"{folder}/..",
    lambda folder: f"{folder}/gone.txt",
    lambda folder: f"{folder}/a\0b.txt",
    lambda folder: f"{folder}/{'x' * 4_000}.txt",
    lambda _: "one.txt",
    lambda _: "/etc/hostname",
    lambda _: "/dev/zero",
    lambda folder: os.path.relpath(folder / "one.txt"),
])
def test_no_other_file_is_read(folder: Path, path_of: Callable[[Path], object]) -> None:
    text = whole_output(saved(path_of(folder)), f"{folder}/")
    assert SECRET not in text
    assert "12 passed" not in text
    assert "first\nbetween" in text


@pytest.mark.parametrize("text", ["", "plain", "said:\n" + saved("/a/one.txt"), "<persisted-output>",
                                  "<persisted-output>" * 9_000, "<persisted-output>\nOutput too large saved to: \n"])
def test_other_outputs_stay_as_they_are(folder: Path, text: str) -> None:
    assert whole_output(text, f"{folder}/") == text
    assert whole_output(saved(folder / "one.txt"), "") == saved(folder / "one.txt"), "no transcript, no folder"


def test_of_a_huge_file_only_the_end_is_read(folder: Path) -> None:
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(5 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\xff 9 failed")
    text = whole_output(saved(folder / "huge.txt"), f"{folder}/")
    assert text.endswith("\ufffd 9 failed")
    assert len(text) < END_MAX_BYTES + 100
