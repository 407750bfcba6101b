"""Commands typed at the prompt: pins are kept from there; show, pins and stats answered at once in the full screen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sessions import CWD, SCRIPTS, SESSION_ID, Home, Record, Run, Session, hook_input, units

ORDER = "Never touch the legacy table."
IN_FULL_SCREEN = {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_PROJECT_DIR": CWD}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    session = Session()
    session.typed(f"Fix the rates. {ORDER}")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    return session.write(tmp_path / f"{SESSION_ID}.jsonl")


def typed(home: Home, transcript: object, prompt: str, **variables: str) -> Run:
    done = home.record(hook_input("UserPromptSubmit", transcript, prompt=prompt), extra={**IN_FULL_SCREEN, **variables})
    assert (done.code, done.stderr) == (0, "")
    return done


def reason(done: Run) -> str:
    """The answer that the person sees."""
    told: Record = json.loads(done.stdout)
    assert told["decision"] == "block"
    assert told["hookSpecificOutput"] == {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
    return str(told["reason"])


# --- what is no command of ours goes on to the model ---


@pytest.mark.parametrize("prompt", [
    "/compact-keeper", "/compact-keeper:", "/compact-keeper:showing", "/compact-keeper:show-all", "compact-keeper:show",
    "Type /compact-keeper:show", "/compact-keeper:recall show", "/compact-keeper:pinned x",
    "/compact-keeper:restore", "/compact-keeper_show", "/other:show",
    "/compact-keeper-show", "/compact-keeper-pin x", "/compact-keeper-unpin 1"])  # those of copies
def test_other_prompts_are_not_answered(home: Home, transcript: Path, prompt: str) -> None:
    assert typed(home, transcript, prompt).stdout == ""
    assert [one["text"] for one in home.ledger()] == [prompt]


@pytest.mark.parametrize("entry", ["sdk-cli", "sdk-ts", "", "mcp"])
@pytest.mark.parametrize("words", ["", " why"])
def test_where_a_reason_may_not_be_shown_the_model_gets_the_answer(
        home: Home, transcript: Path, entry: str, words: str) -> None:
    done = typed(home, transcript, f"/compact-keeper:show{words}", CLAUDE_CODE_ENTRYPOINT=entry)
    assert json.loads(done.stdout).keys() == {"hookSpecificOutput"}
    assert done.restored.startswith("compact-keeper's answer:\n\n")
    assert ORDER in done.restored
    assert units(done.restored) < 10_000


def test_a_fault_leaves_it_to_the_skill_to_say_so(home: Home, transcript: Path) -> None:
    home.session.mkdir(parents=True)
    (home.session / "memory.json").write_text('{"schema": 1, "items": 7}', encoding="utf-8")
    assert typed(home, transcript, "/compact-keeper:show").stdout == ""
    assert len(home.log()) == 1


@pytest.mark.parametrize("event", ["PostToolUse", "SubagentStop", "Stop"])
def test_at_another_event_nothing_is_answered(home: Home, transcript: Path, event: str) -> None:
    done = home.record(hook_input(event, transcript, prompt="/compact-keeper:pins"), extra=IN_FULL_SCREEN)
    assert (done.code, done.stdout) == (0, "")


# --- the answers ---


@pytest.mark.parametrize("prompt", ["/compact-keeper:show", " /compact-keeper:show \n"])
def test_show_is_what_a_compaction_would_put_back(home: Home, transcript: Path, prompt: str) -> None:
    shown = reason(typed(home, transcript, prompt))
    assert ORDER in shown
    assert "characters, about" in shown.splitlines()[-1]
    assert home.ledger() == []  # no prompt to the model
    home.save(transcript)
    header, _, body = shown.rpartition("\n\n")[0].partition("\n")
    assert home.restore(transcript).restored.partition("\n")[2] == body
    assert header.startswith("compact-keeper: facts from before")


def test_show_why_tells_the_scores(home: Home, transcript: Path) -> None:
    for words in ("why", "--why", " why "):
        assert "recency²" in reason(typed(home, transcript, f"/compact-keeper:show {words}"))


def test_show_notes_tells_the_notes_or_where_they_come_from(home: Home, transcript: Path) -> None:
    assert "no notes of this session yet" in reason(typed(home, transcript, "/compact-keeper:show notes"))
    home.session.mkdir(parents=True)
    (home.session / "notes.md").write_text("# Notes\n貨物\n", encoding="utf-8")
    assert reason(typed(home, transcript, "/compact-keeper:show --notes")) == "# Notes\n貨物"


def test_before_the_first_turn_it_says_what_is_missing(home: Home, tmp_path: Path) -> None:
    missing = tmp_path / f"{SESSION_ID}.jsonl"
    assert str(missing) in reason(typed(home, missing, "/compact-keeper:show"))


def test_pins_are_listed(home: Home, transcript: Path) -> None:
    assert reason(typed(home, transcript, "/compact-keeper:pins")) == "Nothing is pinned."
    home.run("edit_pins.py", b"Demo on Thursday.", "add", SESSION_ID)
    assert reason(typed(home, transcript, "/compact-keeper:pins")).endswith('1. "Demo on Thursday."')


@pytest.mark.parametrize("words", ["", " global"])
def test_stats_are_told(home: Home, transcript: Path, words: str) -> None:
    home.save(transcript)
    home.restore(transcript)
    assert "Compactions         1" in reason(typed(home, transcript, f"/compact-keeper:stats{words}"))


# --- pins ---

WORDS = "It's \"quoted\"; $(touch x) `y` $HOME !`id`\n```sh\nmake  test\n```\nend-of-the-pin\n貨物"


@pytest.mark.parametrize("entry", ["cli", "sdk-cli", ""])
def test_a_pin_is_kept_as_typed_and_goes_on_to_the_model(home: Home, transcript: Path, entry: str) -> None:
    done = typed(home, transcript, f"/compact-keeper:pin {WORDS}", CLAUDE_CODE_ENTRYPOINT=entry)
    told = json.loads(done.stdout)
    assert told.keys() == {"systemMessage", "hookSpecificOutput"}  # no block: the model is to know the words
    assert told["systemMessage"] == done.restored == (
        "compact-keeper: Pinned; it comes first in what is put back after each compaction.")
    [pin] = [json.loads(line) for line in (home.session / "pins.jsonl").read_bytes().splitlines()]
    assert pin["text"] == WORDS


@pytest.mark.parametrize(("prompt", "told"), [
    ("/compact-keeper:pin", "Not done: nothing to pin"), ("/compact-keeper:pin \n ", "Not done: nothing to pin"),
    ("/compact-keeper:unpin", "Not done: '' is no pin's number"), ("/compact-keeper:unpin 1; id", "is no pin's number"),
    ("/compact-keeper:pin " + "x" * 5_000, "Not done: no room for a pin of 5,000 characters")])
def test_what_cannot_be_done_is_told_to_both(home: Home, transcript: Path, prompt: str, told: str) -> None:
    done = typed(home, transcript, prompt)
    assert told in json.loads(done.stdout)["systemMessage"]
    assert told in done.restored


def test_a_pin_is_taken_off(home: Home, transcript: Path) -> None:
    typed(home, transcript, "/compact-keeper:pin --project Demo on Thursday.")
    assert 'Not pinned any more: "Demo on Thursday."' in typed(home, transcript, "/compact-keeper:unpin #1").restored
    assert reason(typed(home, transcript, "/compact-keeper:pins")) == "Nothing is pinned."


def test_copies_meet_their_own_commands(home: Home, transcript: Path, tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, copies := tmp_path / "hooks" / "compact-keeper", ignore=shutil.ignore_patterns("__py*"))
    for prompt in ("/compact-keeper-pin One.", "/compact-keeper-pin Two.", "/compact-keeper:unpin 1",
                   "/compact-keeper-unpin 1", "/compact-keeper-pins"):
        done = home.run(str(copies / "record_event.py"), hook_input("UserPromptSubmit", transcript, prompt=prompt),
                        extra=IN_FULL_SCREEN)
    assert reason(done) == 'Pins of this session:\n1. "Two."'


# --- what waits for the model does not go out with an answer that it does not see ---


@pytest.mark.parametrize("prompt", ["/compact-keeper:show", "/compact-keeper:pin x", "/compact-keeper:stats"])
def test_a_note_waits_for_the_next_prompt(home: Home, transcript: Path, prompt: str) -> None:
    home.save(transcript)
    (home.session / "note.json").write_text('{"schema": 1, "text": "The summary dropped a rule."}', encoding="utf-8")
    (home.session / "unasked").touch()
    assert "dropped" not in typed(home, transcript, prompt).stdout
    assert (home.session / "note.json").exists()
    assert (home.session / "unasked").exists()
    assert "dropped a rule" in typed(home, transcript, "Go on.").restored


def test_what_was_lost_is_put_back_at_the_next_prompt(home: Home, transcript: Path) -> None:
    home.save(transcript)
    home.restore(transcript)
    with open(transcript, "a", encoding="utf-8") as file:
        file.write('{"type":"system","subtype":"compact_boundary","version":"2.1.150"}\n{"type":"user"}\n')
    for prompt, repaired in (("/compact-keeper:show", False), ("Go on.", True)):
        done = home.run("restore_snapshot.py", hook_input("UserPromptSubmit", transcript, prompt=prompt))
        assert (ORDER in done.stdout) is repaired
