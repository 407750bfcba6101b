"""The course that a transcript tells of, and what is told of one compaction put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_keeper.figures.course import POINTS_MAX, read_course, thinned
from compact_keeper.figures.sessions import transcript_of
from compact_keeper.store.json_files import replace_store
from sessions import SESSION_ID, Session

USAGES: list[Any] = [
    None, [], "x", {"input_tokens": True}, {"input_tokens": -5}, {"input_tokens": 1e999}, {"input_tokens": 10**400},
    {"input_tokens": "7", "output_tokens": []}, {"input_tokens": float("nan")}]


@pytest.mark.parametrize("usage", USAGES, ids=lambda usage: str(usage)[:30])
def test_odd_usage_is_no_point_and_no_sum(tmp_path: Path, usage: Any) -> None:
    session = Session()
    session.assistant({"type": "text", "text": "x"}, usage=usage)
    session.system("compact_boundary", compactMetadata={"trigger": [], "preTokens": usage, "postTokens": -1})
    session.system("compact_boundary", compactMetadata=usage)
    course = read_course(str(session.write(tmp_path / "t.jsonl")))
    assert course.context == []
    assert [(boundary["tokens_before"], boundary["tokens_after"], boundary["trigger"])
            for boundary in course.boundaries] == [(None, None, "")] * 2
    assert not any(course.spent.values())


def test_one_message_on_several_lines_counts_once(tmp_path: Path) -> None:
    session = Session()
    for number in (1, 1, 2):
        session.assistant({"type": "text", "text": "x"}, id=f"msg_{number}", usage={
            "input_tokens": 10, "cache_read_input_tokens": 100 * number, "cache_creation_input_tokens": 5,
            "output_tokens": 7})
    session.system("compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 215})
    session.records += session.records[-2:]  # written again by a second compaction
    session.assistant({"type": "text", "text": "x"}, usage={"input_tokens": 999_999})["isSidechain"] = True
    course = read_course(str(session.write(tmp_path / "t.jsonl")))
    assert [tokens for _, tokens in course.context] == [115, 215]
    assert [boundary["tokens_before"] for boundary in course.boundaries] == [215]
    assert course.spent == {"input_tokens": 20 + 999_999, "cache_read_input_tokens": 300,
                            "cache_creation_input_tokens": 10, "output_tokens": 14}


@given(st.lists(st.integers(1, 10**6), max_size=3_000))
def test_a_long_line_keeps_its_ends_and_its_peak(values: list[int]) -> None:
    points = [(float(number), value) for number, value in enumerate(values)]
    kept = thinned(points)
    assert len(kept) == min(len(points), POINTS_MAX)
    assert kept == sorted(kept)
    assert kept[:1] + kept[-1:] == points[:1] + points[-1:]
    assert max(kept, key=lambda point: point[1], default=None) in (None, *[p for p in points if p[1] == max(values)])


def test_the_transcript_is_found_by_its_name(home: Path, tmp_path: Path) -> None:
    there = tmp_path / "client" / "projects" / "-home-ada" / f"{SESSION_ID}.jsonl"
    there.parent.mkdir(parents=True)
    there.touch()
    assert transcript_of(SESSION_ID) == str(there)
    folder = home / "sessions" / SESSION_ID
    folder.mkdir(parents=True)
    for path in ("/gone.jsonl", str(home)):  # a folder is no transcript
        replace_store(str(folder / "status.json"), {"transcript": path})
        assert transcript_of(SESSION_ID) == str(there)
    path = str(home / "stored.jsonl")
    Path(path).touch()
    replace_store(str(folder / "status.json"), {"transcript": path})
    assert transcript_of(SESSION_ID) == path
    assert transcript_of("*") == ""
