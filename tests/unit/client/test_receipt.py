"""The receipt: what a transcript tells of a text that was put back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client import receipt as module
from compact_keeper.client.receipt import RECEIPT_BYTES, behind_boundary, receipt
from compact_keeper.store.json_lines import lines_from
from deliveries import grown
from hostile import LINES

TEXT = "compact-keeper: facts (block 9a7b6c5d)"


@pytest.mark.parametrize(("version", "parts", "resumed", "expected"), [
    ("2.1.76", "boundary", False, "unknown"),  # writes no attachments
    ("2.1.76", "boundary answer prompt", False, "unknown"),
    ("2.1.76", "boundary answer", True, "lost"),
    ("2.1.105", "boundary kept", False, "kept"),
    ("2.1.105", "boundary kept", True, "lost"),  # manual, then resume: goes on from before the attachment
    ("2.1.105", "boundary kept answer", True, "kept"),
    ("2.1.105", "boundary answer", False, "lost"),
    ("2.1.149", "boundary kept", True, "lost"),
    ("2.1.150", "boundary kept", False, "kept"),
    ("2.1.150", "boundary kept", True, "kept"),
    ("2.1.150", "boundary success", True, "kept"),
    ("2.1.150", "boundary context", True, "kept"),
    ("2.1.329", "boundary kept blob answer blob", True, "kept"),
    ("2.1.329", "boundary blob answer", False, "lost"),
    ("2.1.329", "boundary printed answer", False, "lost"),
    ("2.1.329", "boundary another's answer", False, "lost"),
    ("2.1.329", "kept answer boundary", False, "lost"),  # a fork's copied part
    ("2.1.329", "context boundary context", False, "kept"),
    ("2.1.329", "", False, ""),
    ("2.1.329", "", True, ""),
    ("2.1.329", "kept answer prompt blob printed", True, ""),  # a boundary that is printed only
    ("2.1.330", "named answer", False, ""),  # or searched for
    ("no version", "boundary", False, "unknown"),
    ("no version", "boundary", True, "lost"),
    ("2.2.0", "boundary answer", False, "lost"),
    ("10.0.0", "boundary kept", True, "kept"),
])
def test_what_the_transcript_tells(tmp_path: Path, version: str, parts: str, resumed: bool, expected: str) -> None:
    path = tmp_path / "transcript.jsonl"
    for before in (b"", grown(version, "prompt boundary kept answer", TEXT)):
        path.write_bytes(before + grown(version, parts, TEXT))
        assert receipt(str(path), {"id": "644f89a7b6c5d", "offset": len(before), "resumed": resumed}) == expected


@pytest.mark.parametrize(("cut_off", "expected"), [(1, "kept"), (60, "lost")])
def test_a_torn_last_line(tmp_path: Path, cut_off: int, expected: str) -> None:
    raw = grown("2.1.329", "boundary context", "(block 9a7b6c5d)")
    mark = raw.rindex(b'"type":"attachment"') + len(b'"type":"attachment"')
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(raw[:mark + 1 - cut_off])
    assert receipt(str(path), {"id": "9a7b6c5d", "offset": 0}) == expected


@pytest.mark.parametrize("name", [name for name in LINES if name not in ("50-megabytes", "200000-lines")])
def test_a_hostile_line_behind_the_boundary_decides_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / "transcript.jsonl"
    end = b"" if name == "no-line-breaks" else b"\n"
    path.write_bytes(grown("2.1.105", "boundary", TEXT) + LINES[name]() + end + grown("2.1.105", "kept", TEXT))
    assert receipt(str(path), {"id": "9a7b6c5d", "offset": 0}) == "kept"


def test_an_offset_inside_a_line(tmp_path: Path) -> None:
    raw = grown("2.1.329", "prompt boundary kept", "(block 9a7b6c5d)")
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(raw)
    assert receipt(str(path), {"id": "9a7b6c5d", "offset": raw.index(b"\n") - 9}) == "kept"
    assert receipt(str(path), {"id": "9a7b6c5d", "offset": raw.index(b'"compact_boundary"')}) == ""


def test_a_transcript_shorter_than_it_was_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    for raw, expected in ((grown("2.1.329", "prompt boundary kept", TEXT), "kept"),
                          (grown("2.1.329", "prompt answer", ""), ""), (b"", "")):
        path.write_bytes(raw)
        assert receipt(str(path), {"id": "9a7b6c5d", "offset": 10 << 20}) == expected


@pytest.mark.parametrize(("where", "expected"), [("behind", "kept"), ("between", "lost")])
def test_only_so_much_behind_the_boundary_is_read(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, expected: str) -> None:
    much = LINES["200000-lines"]() * 2
    assert len(much) > 10 << 20 > 2 * RECEIPT_BYTES
    boundary, kept = (grown("2.1.105", parts, "(block 9a7b6c5d)") for parts in ("boundary", "kept"))
    path, sizes = tmp_path / "transcript.jsonl", list[int]()
    path.write_bytes(boundary + kept + much if where == "behind" else boundary + much + kept)

    def counted(*arguments: Any) -> Any:
        for end, line in lines_from(*arguments):
            sizes.append(len(line))
            yield end, line
    monkeypatch.setattr(module, "lines_from", counted)
    assert receipt(str(path), {"id": "9a7b6c5d", "offset": 0}) == expected
    assert sum(sizes) < RECEIPT_BYTES + 1_000


def test_the_byte_behind_the_boundary(tmp_path: Path) -> None:
    path, before = tmp_path / "transcript.jsonl", grown("2.1.330", "prompt answer", "")
    boundary = grown("2.1.330", "boundary", "").splitlines(keepends=True)[0]
    path.write_bytes(before + boundary + grown("2.1.330", "kept answer", TEXT))
    for offset in (0, len(before)):
        assert behind_boundary(str(path), {"offset": offset}) == len(before + boundary)
    path.write_bytes(before)
    assert behind_boundary(str(path), {"offset": 7}) == 7
