"""Waiting for the turn's last answer in the transcript."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from compact_keeper.client.last_answer import encoded_begin, wait_for_answer
from slow_texts import check_it_ends

LOOKS_MAX = 5


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between the looks at the file, of which the fifth is the last."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(time, "monotonic", lambda: 9.0 if len(pauses) >= LOOKS_MAX else 0.0)
    return pauses


def test_hostile_answers_end() -> None:
    check_it_ends(encoded_begin)


@pytest.mark.parametrize(("answer", "written", "waits"), [
    ("", "", 0), ("  ", "", 0),  # none is named
    ("Done.", "Done.", 0), ("\nDone: \"zones\"\n\n- 区域 7\n", "Done: \"zones\"\n\n- 区域 7", 0),
    ("Done.", "The answer before.", LOOKS_MAX), ("Done.", "", LOOKS_MAX), ("\ud800 half", "", LOOKS_MAX),
    ("x" * 500, "x" * 500, 0)])
def test_it_waits_while_the_answer_is_not_written(
        tmp_path: Path, looks: list[float], answer: str, written: str, waits: int) -> None:
    transcript = tmp_path / "transcript.jsonl"
    row = {"type": "assistant", "message": {"content": [{"type": "text", "text": written}]}}
    transcript.write_text("x" * 70_000 + json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    wait_for_answer(str(transcript), answer)
    assert len(looks) == waits


def test_without_a_transcript_it_does_not_wait(tmp_path: Path, looks: list[float]) -> None:
    wait_for_answer(str(tmp_path / "none.jsonl"), "Done.")
    wait_for_answer(str(tmp_path), "Done.")
    assert looks == []


def test_it_ends_with_the_row_that_the_client_writes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes(b"")
    pauses: list[float] = []

    def written_meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        transcript.write_text('{"text": "Done."}', encoding="utf-8")

    monkeypatch.setattr(time, "sleep", written_meanwhile)
    wait_for_answer(str(transcript), "Done.")
    assert len(pauses) == 1
