"""The first prompt after a compaction is looked up in the archive; the model is told what it was not given.

answer_prompt.py as a process, which starts `recall.py first-prompt`, after a save, a compaction and an audit.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.archive.first_prompt import HITS_HEADER
from compact_keeper.store.note import NOTE_MAX_UTF16
from sessions import CWD, SESSION_ID, Home, Session, hook_input, units

PROMPT = "Why did we give up the Redis cache for the carrier tariffs?"
ANSWER = "We give up the Redis cache: its eviction lost carrier tariffs under load, so tariffs live in SQLite now."


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a data folder and the transcript of a session that was compacted."""
    folder = tmp_path_factory.mktemp("ready")
    home = Home(folder / "home")
    home.path.mkdir()
    configure(home)
    compacted(home, folder)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty data folder."""
    home = Home(tmp_path / "home")
    home.path.mkdir()
    configure(home)
    return home


@pytest.fixture
def copied(ready: Path, tmp_path: Path) -> tuple[Home, Path]:
    """A copy of what is ready: the data folder and the transcript."""
    folder = shutil.copytree(ready, tmp_path / "ready")
    return Home(folder / "home"), folder / f"{SESSION_ID}.jsonl"


def configure(home: Home, **settings: Any) -> None:
    text = json.dumps({"archive_days": 36_500, "budget": 9_000, **settings})  # so that it has no second part
    (home.path / "config.json").write_text(text, encoding="utf-8")


def worked() -> Session:
    """A session whose second turn holds what is asked for later; the others speak of other things."""
    session = Session()
    for number in range(120):  # so many that the block has no room for what is asked for later
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
    block = home.restore(transcript).restored
    session.attachment(type="hook_additional_context", content=[block], hookName="SessionStart")  # its receipt
    session.write(transcript)
    done = home.run("audit_summary.py", hook_input("PostCompact", transcript, compact_summary=summary))
    assert (done.code, done.stdout) == (0, "")
    return transcript


def handed(home: Home, transcript: Path, prompt: str = PROMPT) -> str:
    """What the model is given at the prompt."""
    done = home.run("answer_prompt.py", hook_input("UserPromptSubmit", transcript, prompt=prompt))
    assert (done.code, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


# --- what is not told ---


@pytest.mark.rows(1)
@pytest.mark.parametrize("prompt", ["", "go on", "yes", "!!!", "\0", "x" * 100_000, '"', "AND OR NOT", "*"])
def test_prompts_that_speak_of_nothing(copied: tuple[Home, Path], prompt: str) -> None:
    assert HITS_HEADER not in handed(*copied, prompt)


@pytest.mark.parametrize("setting", ["archive", "recall_note"])
def test_switched_off(copied: tuple[Home, Path], setting: str) -> None:
    home, transcript = copied
    configure(home, **{setting: False})
    assert HITS_HEADER not in handed(home, transcript)


def test_what_the_summary_says_is_not_told_again(home: Home, tmp_path: Path) -> None:
    assert HITS_HEADER not in handed(home, compacted(home, tmp_path, f"The user imports tables. {ANSWER}"))


def test_what_the_block_says_is_not_told_again(home: Home, tmp_path: Path) -> None:
    session = worked()
    session.typed(ANSWER)  # the newest request stands in the block, whole
    transcript = compacted(home, tmp_path, session=session)
    [delivered] = home.session.glob("delivered-*")
    assert ANSWER in json.loads(delivered.read_bytes())["text"]
    assert ANSWER not in handed(home, transcript)


def test_other_projects_are_not_told(copied: tuple[Home, Path]) -> None:
    home, transcript = copied
    elsewhere = {**hook_input("UserPromptSubmit", transcript, prompt=PROMPT), "cwd": "/home/ada/other"}
    done = home.run("answer_prompt.py", elsewhere)
    assert (done.code, done.stdout) == (0, "")


def test_a_broken_archive_costs_nothing(copied: tuple[Home, Path]) -> None:
    home, transcript = copied
    for path in home.path.glob("archive.db*"):
        path.unlink()
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    assert handed(home, transcript) == ""
    assert "not a database" in home.log()[-1]
    assert [line["event"] for line in home.ledger()] == ["prompt"]


@pytest.mark.parametrize("prompt", [PROMPT, ""])
def test_a_search_that_fails_holds_no_waiting_note_back(copied: tuple[Home, Path], prompt: str) -> None:
    """With a prompt that cannot be searched for, and with an archive that cannot be read."""
    home, transcript = copied
    for path in home.path.glob("archive.db*"):
        path.unlink()
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    waiting = {"schema": 1, "text": "The summary left out a rule.", "findings": []}
    (home.session / "note.json").write_text(json.dumps(waiting), encoding="utf-8")
    assert handed(home, transcript, prompt) == "The summary left out a rule."
    assert len(home.log()) == 1


@pytest.mark.rows(1)
@pytest.mark.parametrize("summary", ["The user imports tables.", f"The user imports tables. {ANSWER}"])
def test_it_is_the_same_when_the_next_compaction_is_prepared_before_the_prompt(
        home: Home, tmp_path: Path, summary: str) -> None:
    transcript = compacted(home, tmp_path, summary)
    home.save(transcript)
    assert (HITS_HEADER in handed(home, transcript)) == (ANSWER not in summary)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../x", b"x" * 5_000])
def test_an_odd_mark_costs_nothing(copied: tuple[Home, Path], content: bytes) -> None:
    home, transcript = copied
    (home.session / "unasked").write_bytes(content)
    handed(home, transcript)
    assert not (home.session / "unasked").exists()
    assert home.log() == []


# --- what is told ---


def test_the_first_prompt_finds_what_was_said(copied: tuple[Home, Path]) -> None:
    home, transcript = copied
    note = handed(home, transcript)
    assert note.startswith(HITS_HEADER)
    assert all(line.startswith("- ") for line in note.removeprefix(HITS_HEADER).strip().splitlines())  # one for each
    assert "its eviction lost carrier tariffs under load" in note
    assert "Table 5" not in note
    assert CWD.rpartition("/")[2] in note
    assert handed(home, transcript) == ""  # once


def test_it_comes_behind_the_note_on_the_summary(home: Home, tmp_path: Path) -> None:
    session = worked()
    session.typed("Never push to main.")
    session.says("Understood.")
    transcript = compacted(home, tmp_path, "The user said: push to main at any time. All tables are imported.", session)
    waiting = {"schema": 1, "text": "The summary left out a rule.", "findings": []}
    (home.session / "note.json").write_text(json.dumps(waiting), encoding="utf-8")
    note = handed(home, transcript)
    assert note.startswith(f"The summary left out a rule.\n\n{HITS_HEADER}")
    assert units(note) <= NOTE_MAX_UTF16
