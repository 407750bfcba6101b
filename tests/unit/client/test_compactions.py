"""What a transcript shows of its compactions: which delivery is due, where a boundary lies, whether one has failed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from compact_keeper.client.compactions import SAME_START, boundary_offset, failure, is_due
from compact_keeper.types import CompactionState
from deliveries import Chat, full, grown, written

# What the client wrote behind the compaction's begin (2.1.76 to 2.1.330), and what that shows.
ENDS = {
    "too long": "failed", "too long, why": "failed", "refused": "failed", "refused, 2.1.76": "failed", "full": "full",
    "refused, 2.1.197": "failed", "refused, 2.1.332": "failed", "too long + synthetic": "failed", "synthetic": "",
    "full + overloaded": "full", "answer + too long": "failed",
    "blob": "", "canceled": "", "answer": "", "refused + answer": "", "answer + overloaded": "",
    "full + answer": "", "done": "", "too long + done": "", "words": "", "overloaded": "", "limit": ""}


@pytest.mark.parametrize("way", ENDS)
def test_what_a_begun_compaction_came_to(tmp_path: Path, way: str) -> None:
    path, before = tmp_path / "transcript.jsonl", grown("2.1.329", "prompt answer", "")
    path.write_bytes(before + written(way))
    compaction: CompactionState = {"transcript": str(path), "offset": len(before), "time": time.time(),
                                   "trigger": "auto"}
    assert failure(compaction) == ENDS[way]
    by_hand = "" if ENDS[way] == "full" else ENDS[way]  # a person's /compact needs no full context
    assert failure({**compaction, "trigger": "manual"}) == by_hand


@pytest.mark.parametrize("content", [b"", b"\0" * 99, b"{" * 9_999, b'"isApiErrorMessage":true', None], ids=repr)
def test_a_transcript_that_is_none_shows_no_failure(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "transcript.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert failure({"transcript": str(path), "offset": 0, "time": 1.0, "trigger": "auto"}) == ""
    assert failure({}) == ""


@pytest.mark.parametrize("moment", [1e300, -1e300, float("inf"), float("nan")])
def test_a_begin_that_is_no_moment_costs_nothing(tmp_path: Path, moment: float) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(written("too long"))
    assert failure({"transcript": str(path), "offset": 0, "time": moment}) == "failed"


@pytest.mark.parametrize(("tokens", "window", "is_full"), [
    (166_999, "", False), (167_000, "", True), (300_000, "", False), (967_000, "", True), (66_999, "100000", False),
    (67_000, "100000", True), (190_000, "100000", True), (190_000, "no number", True)])
def test_how_full_a_context_is_full(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokens: int, window: str, is_full: bool) -> None:
    monkeypatch.setenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW", window)
    chat = Chat("2.1.329", 800)
    full(chat, tokens)
    path = chat.write(tmp_path / "transcript.jsonl")
    compaction: CompactionState = {"transcript": str(path), "offset": 0, "time": time.time(), "trigger": "auto"}
    assert failure(compaction) == ("full" if is_full else "")


@pytest.mark.parametrize(("stage", "behind", "expected"), [
    ("", "", True), ("begun", "", True), ("begun", "boundary answer", True), ("a subagent's", "", True),
    ("delivered", "", False), ("verified", "prompt answer", False), ("repaired", "boundary", False),
    ("unseen", "boundary kept", False),  # its own boundary may be written behind the delivery
    ("delivered", "boundary answer", True), ("verified", "prompt boundary kept answer", True)])
def test_a_delivery_is_due_once_for_a_compaction(tmp_path: Path, stage: str, behind: str, expected: bool) -> None:
    path, before = tmp_path / "transcript.jsonl", grown("2.1.330", "prompt answer", "")
    path.write_bytes(before + grown("2.1.330", behind, "text"))
    assert is_due({"stage": stage, "offset": len(before)}, str(path)) is expected


@pytest.mark.parametrize("stage", ["kept back", "delivered"])
def test_without_a_transcript_the_time_alone_tells(tmp_path: Path, stage: str) -> None:
    missing = str(tmp_path / "none.jsonl")
    assert not is_due({"stage": stage, "settled": time.time()}, missing)
    assert is_due({"stage": stage, "settled": time.time() - SAME_START - 1}, missing)
    assert is_due({"stage": stage}, missing)


@pytest.mark.parametrize(("parts", "is_written"), [
    ("prompt answer", False), ("boundary answer", False), ("prompt answer boundary", True),
    ("boundary answer boundary", True)])
def test_where_the_boundary_is_looked_for(tmp_path: Path, parts: str, is_written: bool) -> None:
    raw = grown("2.1.330", parts, "")
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(raw)
    last = raw.rfind(b"\n", 0, raw.rindex(b'"subtype":"compact_boundary"')) + 1 if is_written else len(raw)
    assert boundary_offset(str(path)) == last
    assert boundary_offset(str(tmp_path / "none.jsonl")) == 0
