"""The first prompt after a compaction is looked up in the archive; what the model was not given goes into the note.

record_event.py as a process, after a save, a compaction and an audit; the parts that weigh are asked in-process.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.archive import first_prompt
from compact_keeper.audit import claims
from sessions import CWD, SESSION_ID, Home, Record, Session, hook_input, units

PROMPT = "Why did we give up the Redis cache for the carrier tariffs?"
ANSWER = "We give up the Redis cache: its eviction lost carrier tariffs under load, so tariffs live in SQLite now."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.path.mkdir()
    configure(made)
    return made


def configure(home: Home, **used: Any) -> None:
    (home.path / "config.json").write_text(json.dumps({"archive_days": 36_500, **used}), encoding="utf-8")


def worked() -> Session:
    """A session whose second turn holds what is asked for later; the others speak of other things."""
    session = Session()
    for number in range(12):
        session.typed(f"Write the import of the table number {number}.")
        session.says(f"Table {number} is imported with the columns weight, zone and price.")
        if number == 2:
            session.typed("The cache loses entries under load. What now?")
            session.says(ANSWER)
    return session


def compacted(home: Home, tmp_path: Path, summary: str = "The user imports tables.", session: Session | None = None,
              ) -> Path:
    """The transcript of a session that was saved, archived and compacted, and whose summary was audited."""
    session = session or worked()
    transcript = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    home.run("recall.py", b"", "index", str(transcript))
    home.save(transcript)
    session.compacted(summary)
    session.write(transcript)
    home.restore(transcript)
    done = home.run("audit_summary.py", hook_input("PostCompact", transcript, compact_summary=summary))
    assert (done.code, done.stdout) == (0, "")
    return transcript


def handed(home: Home, transcript: Path, prompt: str = PROMPT) -> str:
    """What the model is given at the prompt."""
    done = home.record(hook_input("UserPromptSubmit", transcript, prompt=prompt))
    assert (done.code, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


# --- what is not told ---


@pytest.mark.parametrize("prompt", ["", "go on", "yes", "!!!", "\0", "x" * 100_000, '"', "AND OR NOT", "*"])
def test_prompts_that_speak_of_nothing(home: Home, tmp_path: Path, prompt: str) -> None:
    assert first_prompt.HITS_HEADER not in handed(home, compacted(home, tmp_path), prompt)


@pytest.mark.parametrize("setting", ["archive", "recall_note"])
def test_switched_off(home: Home, tmp_path: Path, setting: str) -> None:
    transcript = compacted(home, tmp_path)
    configure(home, **{setting: False})
    assert first_prompt.HITS_HEADER not in handed(home, transcript)


def test_what_the_summary_says_is_not_told_again(home: Home, tmp_path: Path) -> None:
    assert first_prompt.HITS_HEADER not in handed(home, compacted(home, tmp_path, f"The user imports tables. {ANSWER}"))


def test_what_the_block_says_is_not_told_again(home: Home, tmp_path: Path) -> None:
    session = worked()
    session.typed(ANSWER)  # the newest request stands in the block, whole
    transcript = compacted(home, tmp_path, session=session)
    assert f'"{ANSWER}' in handed(home, transcript) or first_prompt.HITS_HEADER not in handed(home, transcript)


def test_other_projects_are_not_told(home: Home, tmp_path: Path) -> None:
    transcript = compacted(home, tmp_path)
    done = home.record({**hook_input("UserPromptSubmit", transcript, prompt=PROMPT), "cwd": "/home/ada/other"})
    assert first_prompt.HITS_HEADER not in done.stdout


def test_a_broken_archive_costs_nothing(home: Home, tmp_path: Path) -> None:
    transcript = compacted(home, tmp_path)
    for path in home.path.glob("archive.db*"):
        path.unlink()
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    assert handed(home, transcript) == ""
    assert "not a database" in home.log()[-1]
    assert [line["event"] for line in home.ledger()] == ["prompt"]


@pytest.mark.parametrize("prompt", [PROMPT, ""])
def test_a_search_that_fails_holds_no_waiting_note_back(home: Home, tmp_path: Path, prompt: str) -> None:
    """With a prompt that cannot be searched for, and with an archive that cannot be read."""
    transcript = compacted(home, tmp_path)
    for path in home.path.glob("archive.db*"):
        path.unlink()
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    waiting = {"schema": 1, "text": "The summary left out a rule.", "findings": []}
    (home.session / "note.json").write_text(json.dumps(waiting), encoding="utf-8")
    assert handed(home, transcript, prompt) == "The summary left out a rule."
    assert len(home.log()) == 1


@pytest.mark.parametrize("summary", ["The user imports tables.", f"The user imports tables. {ANSWER}"])
def test_it_is_the_same_when_the_next_compaction_is_prepared_before_the_prompt(
        home: Home, tmp_path: Path, summary: str) -> None:
    transcript = compacted(home, tmp_path, summary)
    home.save(transcript)
    assert (first_prompt.HITS_HEADER in handed(home, transcript)) == (ANSWER not in summary)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../x", b"x" * 5_000])
def test_an_odd_mark_costs_nothing(home: Home, tmp_path: Path, content: bytes) -> None:
    transcript = compacted(home, tmp_path)
    (home.session / "unasked").write_bytes(content)
    handed(home, transcript)
    assert not (home.session / "unasked").exists()
    assert home.log() == []


# --- what is told ---


def test_the_first_prompt_finds_what_was_said(home: Home, tmp_path: Path) -> None:
    transcript = compacted(home, tmp_path)
    told = handed(home, transcript)
    assert told.startswith(first_prompt.HITS_HEADER)
    assert "its eviction lost carrier tariffs under load" in told
    assert "Table 5" not in told
    assert CWD.rpartition("/")[2] in told
    assert handed(home, transcript) == ""  # once


def test_it_comes_behind_the_note_on_the_summary(home: Home, tmp_path: Path) -> None:
    session = worked()
    session.typed("Never push to main.")
    session.says("Understood.")
    transcript = compacted(home, tmp_path, "The user said: push to main at any time. All tables are imported.", session)
    waiting = {"schema": 1, "text": "The summary left out a rule.", "findings": []}
    (home.session / "note.json").write_text(json.dumps(waiting), encoding="utf-8")
    told = handed(home, transcript)
    assert told.startswith(f"The summary left out a rule.\n\n{first_prompt.HITS_HEADER}")
    assert units(told) <= claims.NOTE_LIMIT


# --- how it weighs ---


def row(score: float, who: str = "person", share: float = 1.0) -> Record:
    return {"score": score, "who": who, "closest": {"share": share}}


@pytest.mark.parametrize(("scores", "expected"), [
    ([], []), ([5.0], [5.0]), ([9.0, 8.0, 7.0], [9.0, 8.0, 7.0]), ([9.0, 2.0, 2.0, 2.0, 2.0], [9.0]),
    ([9.0, 9.0, 9.0, 9.0], []), ([9.0, 8.0, 7.0, 1.0], [9.0, 8.0, 7.0]), ([20.0, 9.9, 5.0, 1.0], [20.0])])
def test_only_what_stands_out(scores: list[float], expected: list[float]) -> None:
    assert [one["score"] for one in first_prompt.outstanding([row(score) for score in scores])] == expected


@pytest.mark.parametrize(("score", "share", "is_told"), [
    (15.0, 0.0, True), (14.9, 0.29, False), (1.0, 0.3, True), (0.0, 0.0, False)])
def test_a_hit_scores_much_or_holds_much_of_the_prompt(score: float, share: float, is_told: bool) -> None:
    assert bool(first_prompt.outstanding([row(score, share=share)])) == is_told


def test_summaries_are_not_told() -> None:
    assert first_prompt.outstanding([row(9, "summary"), row(8), row(1), row(1)]) == [row(8)]
