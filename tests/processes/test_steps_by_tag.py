"""Each tag in the text that is put back opens the step that its line is about, the unfinished turn's too.

Saved, taken into the archive, compacted and put back by the scripts as processes; recall.py asked as its skill does.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compact_keeper.text.tags import TAG_PATTERN
from sessions import CWD, SESSION_ID, Home, Session

LONG = "and so on with the rates of every zone, " * 40
FEEDING = {"COMPACT_KEEPER_ARCHIVE": "", "COMPACT_KEEPER_WAIT": "1"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    (home.path / "config.json").write_text(json.dumps({"archive_days": 36_500, "budget": 9_000}), encoding="utf-8")
    return home


@pytest.fixture
def transcript(home: Home) -> Path:
    """Where the client has the running session's transcript."""
    folder = home.path.parent / "no-home" / ".claude" / "projects" / "-srv"
    folder.mkdir(parents=True)
    return folder / f"{SESSION_ID}.jsonl"


def add_work(session: Session, name: str) -> None:
    """A turn whose steps are all long, each with the name in it."""
    session.typed(f"Import {name}. {LONG} That is all of {name}.")
    session.ran("Bash", "\n".join(f"{name} row {number}" for number in range(60)), command=f"export {name}")
    session.failed("Bash", "Exit code 2\n" + f"{name} collecting\n" * 60 + f"ValueError: {name}",
                   command=f"load {name} '{LONG}'")
    session.ran("Edit", file_path=f"{CWD}/{name}.py", old_string="a",
                new_string="\n".join(f"{name}_{number} = {number}" for number in range(90)))
    session.ran("Agent", f"{LONG} {name}", prompt=f"Look at {name}. {LONG}", description="zones")
    session.says(f"About {name}: {LONG} That was {name}.")


def put_back(home: Home, transcript: Path, session: Session) -> str:
    """What is put back after a compaction of the session as it is now."""
    session.write(transcript)
    home.save(transcript, extra=FEEDING)
    home.rests()
    session.compacted("They import rates.")
    session.write(transcript)
    return home.restore(transcript, extra=FEEDING).restored


def names_of_tags(text: str) -> dict[str, str]:
    """The tags of the lines that name a turn's name, each with that."""
    lines = [line for line in text.splitlines() if "compact-keeper" not in line]
    return {tag: match[0] for line in lines for tag in re.findall(rf" #({TAG_PATTERN})\b", line)
            if (match := re.search("zebra|okapi|gnu", re.sub('before the user typed "[^"]*"', "", line)))}


def shown(home: Home, question: str, session: str = SESSION_ID) -> str:
    """What recall answers to the skill's question."""
    extra = {"COMPACT_KEEPER_ARCHIVE": "", "CLAUDE_CODE_SESSION_ID": session}
    return home.run("recall.py", question.encode(), "ask", extra=extra).stdout


def test_every_tag_opens_its_step(home: Home, transcript: Path) -> None:
    talk = Session()
    add_work(talk, "zebra")
    add_work(talk, "okapi")
    names = names_of_tags(put_back(home, transcript, talk))
    assert len(names) > 5
    for tag, name in names.items():
        assert name in shown(home, f"show #{tag}")
    tag, name = names.popitem()
    answer = shown(home, f"show #{tag}")
    assert answer == shown(home, f"#{tag}")
    assert answer.replace("#", "") == shown(home, f"show {tag}").replace("#", "")
    assert name in shown(home, f"show #{tag}", "")  # old clients do not say which session runs


def test_after_a_second_compaction_and_in_a_turn_that_goes_on(home: Home, transcript: Path) -> None:
    talk = Session()
    add_work(talk, "zebra")
    first = names_of_tags(put_back(home, transcript, talk))
    add_work(talk, "okapi")
    text = put_back(home, transcript, talk)
    names = names_of_tags(text)
    assert {*names.values()} == {"zebra", "okapi"}
    assert first.keys() & names.keys()  # a step is called the same in both
    talk.ran("Bash", "a row\n" * 60, command="export gnu")
    talk.write(transcript)  # nothing is saved of it yet
    for tag, name in {**first, **names}.items():
        assert name in shown(home, f"show #{tag}")
    last = [line for line in text.splitlines() if line.startswith("Older work")]
    assert not last or "zebra" in shown(home, re.findall("`(show .*?)`", last[0])[0])


def test_a_tag_that_no_step_has_is_told_in_a_line(home: Home, transcript: Path) -> None:
    talk = Session()
    add_work(talk, "zebra")
    put_back(home, transcript, talk)
    assert shown(home, "show #zzzz") == ("compact-keeper: no step here has the tag #zzzz: it is not taken in yet, or "
                                         "gone; search its words\n")
    assert shown(home, "html").splitlines()[1] == "(no step holds `html`)"  # it is a word as well


def test_with_the_archive_off_nothing_has_a_tag(home: Home, transcript: Path) -> None:
    talk = Session()
    add_work(talk, "zebra")
    talk.write(transcript)
    home.save(transcript)
    (home.path / "archive.db").touch()
    talk.compacted("They import rates.")
    talk.write(transcript)
    text = home.restore(transcript).restored
    assert "Import zebra" in text
    assert not re.search(rf"#{TAG_PATTERN}\b", text)
