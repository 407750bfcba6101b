"""The lines of a transcript that are parsed: each once, none too long, whatever stands on them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from compact_keeper.client.new_records import new_lines
from compact_keeper.store import json_lines
from sessions import JsonObject, as_line


@pytest.mark.parametrize("tail", [1, 50, 199, 200, 201, 399, 400, 1_000])
def test_no_line_is_lost_or_read_twice_where_the_tail_begins(tmp_path: Path, tail: int) -> None:
    line = as_line({"type": "user", "n": "x" * 177})
    assert len(line) == 200
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(line * 5)
    assert list(new_lines(str(path), 0, 1_000, tail)) == [
        *((200 * number, line) for number in range(1, 6)), (1_000, b"")]


def test_what_is_not_parsed_counts_as_read(tmp_path: Path) -> None:
    progress = as_line({"type": "progress", "n": "x" * 200})
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(progress * 3 + b"{}\n" + progress[:-1])  # the last line is torn, and may go on
    size = len(progress) * 3 + 3
    assert list(new_lines(str(path), 0, 10_000, 10_000)) == [(size, b"")]


def test_a_long_line_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LINE_MAX_BYTES", 64)
    path = tmp_path / "transcript.jsonl"
    for size in (62, 63, 64, 65, 127, 128, 129, 1_000):
        path.write_bytes(b"a\n" + b"x" * size + b"\nb\n")
        lines = list(json_lines.read_lines(str(path), 0, 10_000))
        assert [line.strip() for _, line in lines] == [b"a", b"x" * size if size < 64 else b"", b"b"]
        assert lines[-1][0] == path.stat().st_size


@pytest.mark.parametrize(("line", "records"), [
    (b'{"a":1}\n', [{"a": 1}]),
    (b'{"a":1}{"b":2}\n', [{"a": 1}, {"b": 2}]),
    (b'{"a":1} \t {"b":2}', [{"a": 1}, {"b": 2}]),
    (b'{"a":1}{"b":', [{"a": 1}]),
    (b'{"a":', []), (b"", []), (b"\n", []), (b"null", []), (b"[1]", []), (b"// x", []), (b'"a"', []),
    (b'[1]{"a":1}', [{"a": 1}]),
    (b'\xef\xbb\xbf{"a":1}', []),
    (b"[" * 100_000, []),
])
def test_parse_line(line: bytes, records: list[JsonObject]) -> None:
    assert json_lines.parse_line(line) == records


def test_the_rest_of_a_line_is_not_copied_behind_each_object() -> None:
    line = b'{"type":"user"}' * 100_000
    tracemalloc.start()
    try:
        assert len(json_lines.parse_line(line)) == json_lines.OBJECTS_MAX
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * len(line)  # its text alone
