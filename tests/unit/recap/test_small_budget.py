"""A small budget has room for what binds and for what fails before anything else, and says what had none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.choice.chosen_lines import chosen_lines
from compact_keeper.recap.choice.sections import CHECKS, END, REPOSITORY, RULES
from compact_keeper.recap.parts import recap_parts
from compact_keeper.recap.recall_hints import what_had_no_room
from recaps import recap_of
from sessions import CWD, Session, lines_of, snapshot_of, units

TABS, UNITS = "Always use tabs in new Python files, never spaces.", "Never decimals on the board."
LONG_LINE = "git stash list; git checkout -q readme 2>/dev/null || git checkout -q -b readme; git add README.md; "
CHECK = "python3 -m unittest tests.test_ports"
RECALL = "skill compact-keeper:recall"


def worked() -> Session:
    """Two rules, a check that fails behind a long line, then a dozen short steps, a done task and a new ask."""
    session = Session()
    session.typed(f"We build a tide board. {TABS}")
    session.ran("Bash", "Ran 3 tests in 0.1s\n\nOK", command="python3 -m unittest")
    session.typed(UNITS)
    session.failed("Bash", "Exit code 1\nRan 1 test in 0.1s\n\nFAILED (errors=1)\nModuleNotFoundError: No module named "
                           "'tests.test_ports'", command=LONG_LINE + CHECK)
    session.todos(**{"None for empty lists": "completed"})
    for number in range(12):
        session.ran("Edit", file_path=f"{CWD}/tide/part{number}.py", old_string="a = 1", new_string=f"a = {number}")
        session.ran("Bash", f"* main\n  readme{number}", command=f"git branch --list {number}")
        session.says(f"Part {number} of the board is drawn as the harbour office wants it, with its own label.")
        session.typed(f"go on {number}")
    session.typed("Now round the heights to whole centimetres.")
    return session


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return snapshot_of(worked(), tmp_path_factory.mktemp("small"))


def with_budget(snapshot: Any, budget: int) -> Any:
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


@pytest.mark.parametrize("budget", [500, 600, 800, 1_000, 1_500, 2_000, 3_000, 4_000, 5_900])
def test_what_binds_and_what_fails_comes_before_all_else(snapshot: Any, budget: int) -> None:
    current = with_budget(snapshot, budget)
    text, lines = recap_of(current)
    assert units(text) <= budget
    assert UNITS in text
    assert (TABS in text and CHECK[:30] in text) or "had no room here" in what_had_no_room(current, lines, "")
    if budget >= 1_000:
        assert all(words in text for words in (TABS, UNITS, CHECK, "Now round the heights"))


def test_a_failure_is_named_by_its_check_where_there_is_no_room_for_its_line(snapshot: Any) -> None:
    assert lines_of(recap_of(with_budget(snapshot, 700))[0], CHECKS)[0].startswith(f"- test failed: `{CHECK}` → ")
    assert LONG_LINE.replace(" 2>/dev/null", "") in recap_of(with_budget(snapshot, 9_000))[0]


def test_the_branch_has_what_room_is_left() -> None:
    """A file that is in no commit had its line, and the branch none, which was longer than the section's share."""
    head, untracked = f"- Branch `{'b' * 40}`, HEAD `1a2b3c4`, no upstream", "- Untracked: `order.py`"
    folder = f"- working folder /srv/{'f' * 90}"
    sections: Any = {
        REPOSITORY: [{"items": [], "text": text} for text in (folder, head, untracked)],
        END: [{"items": [], "text": f"- The user's newest message: {'x' * 400}"}]}
    put_back = [line["text"] for line in chosen_lines(sections, [], 1_200, 0, "") if line["is_put_back"]]
    assert [text for text in put_back if text in (folder, head, untracked)] == [folder, head, untracked]


def test_of_boxes_that_have_little_room_the_first_is_named(tmp_path: Path) -> None:
    """They stood behind where they are from, and a budget of 600 had cut them off."""
    session = Session()
    session.says("The list:\n- [x] weekly discount\n- [ ] mention it in README.md\n- [ ] tag v1.1")
    for words in ("Go on with the second, then the rest of them.", "And say what comes next."):
        session.typed(words)
    texts = [recap_of(with_budget(snapshot_of(session, tmp_path), budget))[0] for budget in range(500, 700, 10)]
    boxes = [line for text in texts for line in text.splitlines() if line.startswith("- [ ]")]
    assert any(line.endswith("…") for line in boxes)
    assert all(line.startswith("- [ ] boxes not ticked: mention it") for line in boxes)


def crowd_of_rules() -> Session:
    session = Session()
    for number in range(30):
        session.typed(f"Never write to folder number {number} of the store, and always say which {number} was read.")
    for name in ("ports", "tides"):
        session.failed("Bash", f"Exit code 1\nRan 1 test in 0.1s\n\nFAILED (errors=1)\ntest_{name}",
                       command=f"python3 -m unittest tests.test_{name}")
    session.typed("Now the label.")
    return session


@pytest.mark.parametrize("budget", [500, 1_000, 1_500, 2_500])
def test_what_had_no_room_is_counted_in_the_last_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: int) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    snapshot = with_budget(snapshot_of(crowd_of_rules(), tmp_path), budget)
    [text], _ = recap_parts(snapshot, [])
    rules = [line for line in lines_of(text, RULES) if line.startswith("- ")]
    failures = [line for line in text.splitlines() if line.startswith("- test failed")]
    last = re.fullmatch(r"(\d+) rules?(?: and (\d) failed checks?)? had no room here\.", text.splitlines()[-1])
    assert last, text
    assert int(last[1]) == 30 - len(rules)
    assert int(last[2] or 0) == 2 - len(failures)
    assert failures or budget == 500, "many rules leave room for a failure"


def test_recall_prints_what_had_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPACT_KEEPER_ARCHIVE", raising=False)
    snapshot: Any = {**with_budget(snapshot_of(crowd_of_rules(), tmp_path), 600), "how_to_open": ""}
    lines = recap_of(snapshot)[1]
    snapshot["settings"]["archive"] = True
    assert re.search(rf": {RECALL} with `show #\w{{4}}` \(also #\w{{4}}, #\w{{4}}\)\.$",
                     what_had_no_room(snapshot, lines, RECALL))
    snapshot["settings"]["archive"] = False
    assert what_had_no_room(snapshot, lines, RECALL).endswith(" had no room here.")


def test_where_all_had_room_nothing_is_said(snapshot: Any) -> None:
    current: Any = {**with_budget(snapshot, 19_000), "how_to_open": ""}
    assert what_had_no_room(current, recap_of(current)[1], RECALL) == ""


@pytest.mark.parametrize("budget", [1_000, 1_200, 1_500])
def test_what_runs_and_what_is_open_comes_before_old_steps(tmp_path: Path, budget: int) -> None:
    session = Session()
    session.typed("We count the tides of forty harbours.")
    started = f"Command running in background with ID: b1. Output is being written to: /tmp/{'o' * 300}/b1.out"
    session.ran("Bash", started, command="make serve", run_in_background=True)
    session.created(4, "Ask the harbour office about Sundays")
    for number in range(20):
        session.ran("Bash", f"{number} tides", command=f"python3 tides.py --harbour {number}")
        session.says(f"Harbour {number} has its tides now, in the order that the office gave.")
        session.typed(f"Go on with the next, that is harbour {number + 1} of the list.")
    text = recap_of(with_budget(snapshot_of(session, tmp_path), budget))[0]
    assert "\n- Started, no end seen: `make serve` (as b1, " in text
    assert "\n- [ ] #4 Ask the harbour office about Sundays" in text
