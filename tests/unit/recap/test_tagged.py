"""Lines that show less than there is end with their step's tag; none does where nobody can ask for the step."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.parts import ASK_ROOM, recap_parts, shown_of
from compact_keeper.recap.recall_hints import TAG_EXAMPLE, what_is_left_out
from compact_keeper.recap.wording.tagged import tagged, without_tags
from compact_keeper.text.tags import TAG_PATTERN, tag_of
from compact_keeper.types import Snapshot
from sessions import CWD, Session, snapshot_of, units

TAG = rf" #({TAG_PATTERN})\b"
LONG = "and so on with the rates of every zone, " * 40


@pytest.fixture(autouse=True)
def _archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is an archive, of which the text tells, whatever the developer has set."""
    monkeypatch.setattr("compact_keeper.recap.parts.recall_call", lambda _: "skill compact-keeper:recall")
    monkeypatch.delenv("COMPACT_KEEPER_ARCHIVE", raising=False)


def text_of(snapshot: Snapshot) -> str:
    """What is put back of it."""
    return "\n".join(recap_parts({**snapshot, "id": "0123456789abcdef"}, [1])[0])


def text_of_session(session: Session, folder: Path, **settings: Any) -> str:
    """What is put back of the session."""
    return text_of(snapshot_of(session, folder, **settings))


def line_with(text: str, words: str) -> str:
    """The line that holds these words."""
    return next(line for line in text.splitlines() if words in line)


def tags_in(text: str) -> list[str]:
    """The tags of the lines; not those of the sentences that say how to open one."""
    return re.findall(TAG, "\n".join(line for line in text.splitlines() if "compact-keeper" not in line))


def ended_with(line: str, call: str) -> bool:
    """Whether the line ends with this call's tag."""
    return line.endswith(f" #{tag_of(call)}")


def worked() -> tuple[Session, dict[str, str]]:
    """A session with short and long steps of each kind, and the ids of its calls by name."""
    session, ids = Session(), dict[str, str]()
    session.typed(f"Import the tariffs. {LONG} That is all.")
    ids["long command"] = session.ran("Bash", "done", command=f"import --zones '{LONG}'")
    ids["short command"] = session.ran("Bash", "12 rows", command="import --count")
    ids["long output"] = session.ran("Bash", "\n".join(f"row {n} of the table" for n in range(120)), command="export")
    ids["long failure"] = session.failed("Bash", "Exit code 2\n" + "collecting\n" * 60 + "ValueError: zone 7",
                                         command="import --all")
    ids["report"] = session.ran("Agent", LONG, prompt=f"Look at the zones. {LONG}", description="zones")
    ids["first edit"] = session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="a = 1",
                                    new_string="\n".join(f"rate_{n} = {n}" for n in range(90)))
    ids["second edit"] = session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="b = 1", new_string="b = 2")
    ids["short edit"] = session.ran("Edit", file_path=f"{CWD}/zones.py", old_string="c = 1", new_string="c = 2")
    session.says("Done so far.")
    session.typed("Go on.")
    session.says("I go on.")
    return session, ids


def test_what_is_shortened_ends_with_its_tag_and_nothing_else(tmp_path: Path) -> None:
    session, ids = worked()
    text = text_of_session(session, tmp_path, budget=9_000)
    for name, words in {"long command": "`import --zones", "long output": "`export`", "long failure": "--all`",
                        "report": "Subagent: zones"}.items():
        assert ended_with(line_with(text, words), ids[name]), name
    assert f" #{tag_of(ids['first edit'])}" in line_with(text, "- Edited rates.py")
    for words in ("--count`", "- Edited zones.py", "Go on."):
        assert not re.search(TAG, line_with(text, words)), words
    prompt = line_with(text_of_session(session, tmp_path, budget=2_500), "Import the tariffs")
    assert ended_with(prompt, session.records[0]["uuid"])


def test_the_head_says_once_how_to_open_one(tmp_path: Path) -> None:
    text = text_of_session(worked()[0], tmp_path, budget=9_000)
    head = text.splitlines()[0]
    assert f"skill compact-keeper:recall with `show #{TAG_EXAMPLE}`" in head
    assert text.count(f"#{TAG_EXAMPLE}`") == 1


def test_the_head_names_the_script_where_there_is_no_skill(
        crowd_in: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compact_keeper.recap.parts.recall_call", lambda _: "python3 /srv/my hooks/recall.py")
    text = text_of(crowd_in("word ", budget=2_000))
    assert f"`python3 /srv/my hooks/recall.py show {TAG_EXAMPLE}`" in text.splitlines()[0]  # a shell would drop # on
    assert re.search(rf"`python3 /srv/my hooks/recall\.py show 1-{TAG_PATTERN}` \(steps 1 to #", text)
    assert re.search(rf"no room here: `python3 /srv/my hooks/recall\.py show {TAG_PATTERN}`", text.splitlines()[-1])


@pytest.mark.parametrize("off", ["no archive", "variable", "setting"])
def test_where_nobody_can_ask_nothing_has_a_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, off: str) -> None:
    if off == "no archive":
        monkeypatch.setattr("compact_keeper.recap.parts.recall_call", lambda _: "")
    if off == "variable":
        monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "off")
    text = text_of_session(worked()[0], tmp_path, archive=off != "setting")
    assert "Import the tariffs" in text
    assert not re.search(rf"#{TAG_PATTERN}\b", text)
    assert "on record without a line" not in text


def test_a_line_at_the_end_says_which_steps_have_none(
        tmp_path: Path, crowd_in: Callable[..., Snapshot]) -> None:
    text = text_of(crowd_in("word ", budget=9_000))
    count, tag = re.search(  # type: ignore[union-attr]
        rf"\n(\d+) more steps on record without a line: .*`show 1-({TAG_PATTERN})` \(steps 1 to #\2\)\.", text).groups()
    assert int(count) > 50
    assert tag not in tags_in(text)
    short = Session()
    short.typed("Import the tariffs.")
    short.ran("Bash", "12 rows", command="import")
    assert "on record without a line" not in text_of_session(short, tmp_path)


def test_a_few_steps_without_a_line_are_named(tmp_path: Path) -> None:
    session = Session()
    session.typed("Import the tariffs.")
    session.ran("Read", "x", file_path=f"{CWD}/zones/islands.csv")
    session.ran("Bash", "", command=f"cd {CWD} && touch zones/seen && touch zones/known && touch zones/{'n' * 60}.csv")
    session.failed("Edit", "no such text", file_path=f"{CWD}/zones.py", old_string="a", new_string="b")
    snapshot = snapshot_of(session, tmp_path)
    archived: Snapshot = {**snapshot, "how_to_open": "A tag opens a step."}
    assert what_is_left_out(archived, [], "skill compact-keeper:recall") == (
        f"\n\n3 more steps on record without a line: Edit zones.py (FAILED), "
        f"`touch zones/seen && touch zones/ … {'n' * 9}.csv`, "
        "Read zones/islands.csv.")


def test_a_small_text_says_how_many_steps_have_no_line(crowd_in: Callable[..., Snapshot]) -> None:
    text = text_of(crowd_in("word ", budget=1_200))
    assert re.search(r"\n\n\d+ more steps on record without a line\.", text)


def test_what_the_checks_and_the_repository_name_has_a_line(tmp_path: Path) -> None:
    session = Session()
    session.typed("Import the tariffs.")
    session.ran("Bash", "3 passed in 0.1s", command="pytest -q tests")
    session.ran("Bash", "[main 1a2b3c4] Tariffs\n 1 file changed", command="git commit -m Tariffs")
    assert "on record without a line" not in text_of_session(session, tmp_path)
    session.ran("Bash", "", command="touch a.txt")
    assert "1 more step on record without a line" in text_of_session(session, tmp_path)


@pytest.mark.parametrize("budget", [500, 2_000, 9_000, 12_000, 19_000])
@pytest.mark.parametrize("word", ["word ", "日本語", "🚚"])
def test_tags_take_little_and_the_text_stays_within_its_budget(
        crowd_in: Callable[..., Snapshot], budget: int, word: str) -> None:
    snapshot = crowd_in(word, budget=budget)
    parts, lines = recap_parts({**snapshot, "id": "0123456789abcdef", "as_of": "(As of 10:00.)"}, [1])
    assert sum(map(units, parts)) <= budget + ASK_ROOM
    own = sum(len(f" #{tag}") for line in shown_of(lines) for tag in re.findall(TAG, line["text"]))
    assert own <= 0.04 * max(budget, 2_000)  # of real sessions' texts 1.3 %


def test_a_change_that_two_files_share_is_shown_once_all_the_same(tmp_path: Path) -> None:
    session = Session()
    for name in ("a.py", "b.py"):
        session.ran("Edit", file_path=f"{CWD}/{name}", old_string="x",
                    new_string="\n".join(f"rate_{n} = {n}" for n in range(90)))
    session.typed("Go on.")
    assert "the same change as in b.py" in text_of_session(session, tmp_path)


def test_no_change_is_the_same_as_in_a_file_whose_change_is_not_shown(tmp_path: Path) -> None:
    session, rows = Session(), "\n".join(f"rate_{n} = {n}" for n in range(90))
    session.ran("Write", file_path=f"{CWD}/a.py", content=rows)
    for number in range(12):
        session.ran("Write", file_path=f"{CWD}/zones/f{number}.py", content=rows if number < 6 else f"zone = {number}")
    session.typed("Go on.")
    text = text_of_session(session, tmp_path)
    assert "more files in zones: " in text
    assert not re.search(r"the same as in f[0-5]\.py", text)


@pytest.mark.parametrize(("text", "is_tagged"), [
    ("- `make …` → ok", True), ("- Said: all of it.", False), ('- "a" [12 characters left out] "b"', True),
    ('- "look [9 pasted lines: a]"', True), ("- word left out", False),
    ('- Said, before the user typed "why did you…": Because.', False),
    ('- Said, before the user typed "why": Because …', True)])
def test_which_lines_are_shortened(text: str, is_tagged: bool) -> None:
    item: Any = {"tag": "k3fq"}
    assert tagged(text, item) == text + " #k3fq" * is_tagged
    assert tagged(tagged(text, item), item) == tagged(text, item)
    assert without_tags(tagged(text, item)) == text
    assert tagged(text, {}) == text
    lines = tagged(f"{text}\n  more", item)
    assert lines == f"{text}{' #k3fq' * is_tagged}\n  more"
