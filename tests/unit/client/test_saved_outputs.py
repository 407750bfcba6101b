"""Outputs that the client has saved to files: only files of the session's own folder are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_keeper.client.saved_outputs import END_MAX_BYTES, too_large_of, whole_output
from sessions import Session, snapshot_of

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


@pytest.mark.parametrize(("text", "reason"), [
    (saved("/a/one.txt"), "Output too large (90KB)"), (saved("/a/one.txt").replace(" (90KB)", ""), "Output too large"),
    ("said:\n" + saved("/a/one.txt"), ""), ("Output too large (90KB).", ""), ("<persisted-output>" * 9_000, "")])
def test_that_an_output_was_too_large_to_be_shown(text: str, reason: str) -> None:
    assert too_large_of(text) == reason


def test_a_file_that_read_did_not_show_whole_is_known_as_too_large(tmp_path: Path) -> None:
    session = Session()
    session.ran("Read", saved("/a/one.txt"), file_path="/srv/rates/zones.csv")
    session.ran("Bash", saved("/a/two.txt"), command="cat zones.csv")
    looks = {item["tool"]: item["result"] for item in snapshot_of(session, tmp_path)["items"]
             if item["kind"] in ("look", "action")}
    assert looks["Read"] == "Output too large (90KB)"
    assert looks["Bash"] != "Output too large (90KB)"


def test_of_a_huge_file_only_the_end_is_read(folder: Path) -> None:
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(5 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\xff 9 failed")
    text = whole_output(saved(folder / "huge.txt"), f"{folder}/")
    assert text.endswith("\ufffd 9 failed")
    assert len(text) < END_MAX_BYTES + 100
