"""The summary, where the client brings it between PreCompact and SessionStart: what it says whole is not repeated.

Clients from 2.1.90 on send a SubagentStop without a type of agent, whose last message is the summary.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.summary import SUMMARY_MIN_CHARACTERS
from deliveries import grow, prompt, stage, start
from secrets_table import TOKENS
from sessions import Home, Run, Session, hook_input

RULE = "Never rename the columns of the tariff table."
IN_SUMMARY = "Add a column for islands to the zones."
BESIDE = "Please keep the old importer until March."
FILLER = "The session was about the zones of a carrier and the tables in which they are kept. " * 4
SUMMARY = f'{FILLER}\n\nAll user messages:\n- "{IN_SUMMARY}"\n'


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return worked().write(tmp_path / "transcript.jsonl")


def worked() -> Session:
    """Messages of which the summary will hold one, a failing check, and a newest message behind them."""
    session = Session()
    session.typed(f"Clean up the rates. {RULE}")
    session.typed(IN_SUMMARY)
    session.typed(BESIDE)
    session.says("I begin with the importer, then the zones.")
    session.failed("Bash", "Exit code 1\nE   AssertionError: 3 != 4", command="pytest -q tests/test_zones.py")
    session.typed("Go on with the importer first.")
    return session


def summarised(home: Home, text: object = SUMMARY, **fields: Any) -> Run:
    """The client's own summariser has ended."""
    done = home.record(hook_input("SubagentStop", **{
        "agent_id": "a9", "agent_type": "", "last_assistant_message": text, **fields}))
    assert done[:3] == (0, "", "")
    return done


def thinking(text: str) -> str:
    """A summary as the summariser writes it, behind what it thought."""
    return f"<analysis>\nThe person said: {BESIDE}\n</analysis>\n\n<summary>\n{text}\n</summary>"


# --- what keeps nothing ---


@pytest.mark.parametrize("fields", [
    {"agent_type": "general-purpose"}, {"agent_type": "Explore", "agent_id": ""}, {"last_assistant_message": None},
    {"last_assistant_message": [SUMMARY]}, {"last_assistant_message": ""},
    {"last_assistant_message": "x" * (SUMMARY_MIN_CHARACTERS - 1)},
    {"last_assistant_message": f"<summary>{IN_SUMMARY}</summary>"}, {"hook_event_name": "SubagentStart"}],
    ids=lambda fields: json.dumps(fields)[:50])
def test_what_is_no_summary_is_not_taken_for_the_summary(home: Home, transcript: Path, fields: Any) -> None:
    home.save(transcript)
    summarised(home, **fields)
    assert not (home.session / "summary.json").exists()
    assert IN_SUMMARY in home.restore(transcript).restored


@pytest.mark.parametrize("event", ["", "Stop"])
def test_without_a_begun_compaction_nothing_is_kept(home: Home, transcript: Path, event: str) -> None:
    if event:
        home.save(transcript, event)
    summarised(home)
    assert not (home.session / "summary.json").exists()
    home.save(transcript)
    assert IN_SUMMARY in home.restore(transcript).restored
    summarised(home)  # the compaction is over
    assert not (home.session / "summary.json").exists()


@pytest.mark.rows(1)
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": 2}', b'{"schema": 1, "text": 7, "time": 1e12}',
                                     b'{"schema": 1, "text": "x", "time": "now"}', b"\xff\xfe"], ids=repr)
def test_a_broken_summary_costs_nothing(home: Home, transcript: Path, content: bytes) -> None:
    home.save(transcript)
    (home.session / "summary.json").write_bytes(content)
    text = home.restore(transcript).restored
    assert RULE in text
    assert IN_SUMMARY in text


def test_no_secret_of_a_summary_is_kept(home: Home, transcript: Path) -> None:
    secret = TOKENS["github-personal"]
    home.save(transcript)
    summarised(home, f"{SUMMARY}\nPush with {secret}.")
    assert home.stored("summary.json")["text"].startswith("The session was about")
    assert [name for name, raw in home.files().items() if secret.encode() in raw] == []


# --- what it is for ---


@pytest.mark.rows(1)  # its forms: tests/unit/store/test_summary.py
@pytest.mark.parametrize("answer", [SUMMARY, thinking(SUMMARY), f"  <summary>{SUMMARY}"], ids=["plain", "tags", "open"])
def test_what_stands_in_the_summary_is_not_repeated(home: Home, transcript: Path, answer: str) -> None:
    home.save(transcript)
    summarised(home, answer)
    text = home.restore(transcript).restored
    assert f'"{IN_SUMMARY}"' not in text.partition("## What was done")[0]
    for words in (RULE, BESIDE, "Go on with the importer first.", "pytest -q tests/test_zones.py", "3 != 4"):
        assert words in text
    assert home.log() == []


def test_what_was_lost_and_goes_out_again_knows_the_summary_too(home: Home, transcript: Path) -> None:
    home.save(transcript)
    summarised(home)
    home.restore(transcript)
    grow(home, transcript, "2.1.105", "boundary kept")
    start(home, transcript, "resume")
    text = prompt(home, transcript).restored
    assert stage(home) == "repaired"
    assert BESIDE in text
    assert f'"{IN_SUMMARY}"' not in text.partition("## What was done")[0]


def test_a_rule_stays_though_the_summary_has_it(home: Home, transcript: Path) -> None:
    home.save(transcript)
    summarised(home, f"{SUMMARY}\n- {RULE}")
    assert RULE in home.restore(transcript).restored


def test_without_a_summary_all_is_put_back(home: Home, transcript: Path) -> None:
    home.save(transcript)
    text = home.restore(transcript).restored
    assert IN_SUMMARY in text
    assert BESIDE in text


def test_of_a_summariser_that_is_retried_the_last_answer_counts(home: Home, transcript: Path) -> None:
    home.save(transcript)
    summarised(home, f'{FILLER}\n- "{BESIDE}"')
    summarised(home)
    text = home.restore(transcript).restored.partition("## What was done")[0]
    assert (BESIDE in text, IN_SUMMARY in text) == (True, False)


def test_the_next_compaction_knows_its_own_summary_alone(home: Home, transcript: Path) -> None:
    session = worked()
    home.save(session.write(transcript))
    summarised(home)
    assert home.restore(transcript).restored
    session.compacted(SUMMARY)
    session.typed("Now the docs.")
    home.save(session.write(transcript))
    text = home.restore(transcript).restored  # its summariser told nothing
    assert IN_SUMMARY in text
    session.compacted("Docs.")
    session.typed("Now the changelog.")
    home.save(session.write(transcript))
    summarised(home, f'{FILLER}\n- "{BESIDE}"')
    text = home.restore(transcript).restored.partition("## What was done")[0]
    assert (BESIDE in text, IN_SUMMARY in text) == (False, True)


@pytest.mark.parametrize("is_next_begun", [True, False])
def test_a_summary_that_comes_late_is_not_the_next_compactions(
        home: Home, transcript: Path, is_next_begun: bool) -> None:
    session = worked()
    home.save(session.write(transcript))
    assert home.restore(transcript).restored
    session.compacted(f'{SUMMARY}- "Maße \\ in \tcm"\n')
    session.typed("Now the docs.")
    session.write(transcript)
    if is_next_begun:
        home.save(transcript)
    summarised(home, thinking(f'{SUMMARY}\n\n- "Maße \\ in \tcm"'), transcript_path=str(transcript))
    assert not (home.session / "summary.json").exists()
    assert [line.partition(": ")[2] for line in home.log()] == [
        "a summary is not kept: it stands in the transcript already, as that of a compaction that is over"]
    if is_next_begun:
        summarised(home, f'{SUMMARY}- "{BESIDE}"', transcript_path=str(transcript))  # its own repeats what was in it
        text = home.restore(transcript).restored.partition("## What was done")[0]
        assert BESIDE not in text


def test_the_status_line_tells_of_what_went_out_with_the_text(home: Home, transcript: Path) -> None:
    """No note waits then, as the text that was put back has told it already."""
    wrong = f"{FILLER}\n\n- All tests pass.\n"
    home.save(transcript)
    summarised(home, wrong)
    assert "The summary: " in home.restore(transcript).restored
    home.run("audit_summary.py", {**hook_input("PostCompact", transcript), "compact_summary": wrong})
    assert not (home.session / "note.json").exists()
    drawn = home.run("status_line.py", {**hook_input("Status"), "context_window": {}}).stdout
    assert "1 error found in the summary, told to the model" in drawn


def test_the_status_line_counts_what_the_text_told_and_what_the_note_tells(home: Home, transcript: Path) -> None:
    """One error goes with the text, the other, which only the audit saw, as a note behind it."""
    session = worked()
    session.created(1, "Round per zone")
    home.save(session.write(transcript))
    summarised(home, f"{FILLER}\n\n- All tests pass.\n")
    assert "The summary: " in home.restore(transcript).restored
    wrong = f"{FILLER}\n\n- All tests pass.\n- Task #1 is done.\n"
    home.run("audit_summary.py", {**hook_input("PostCompact", transcript), "compact_summary": wrong})
    drawn = home.run("status_line.py", {**hook_input("Status"), "context_window": {}}).stdout
    assert "2 errors found in the summary, the model will be told" in drawn
    home.prompt(hook_input("UserPromptSubmit", transcript, prompt="Go on."))
    drawn = home.run("status_line.py", {**hook_input("Status"), "context_window": {}}).stdout
    assert "2 errors found in the summary, told to the model" in drawn
