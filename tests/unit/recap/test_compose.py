"""The text that is put back: within its budget, what matters first, not what the summary says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.choice.sections import EARLIER_WORDS, END, ERRAND, PINS, RULES, SHOWN, WORK
from compact_keeper.recap.compose import difference_lines
from compact_keeper.recap.lines.header import header_of
from compact_keeper.recap.parts import ASK_ROOM, shown_of, under_headings
from compact_keeper.recap.wording.quoted import is_quoted_respelled, rows_in
from compact_keeper.record.items import new_item
from compact_keeper.store.settings import SMALL_BUDGET
from compact_keeper.types import Entry, Snapshot
from recaps import recap_of
from sessions import CWD, Session, lines_of, snapshot_of, units

RULE = "Never touch the legacy table."
PREVIEW_UTF16 = 2_000  # that the client still shows of a text it cuts
WORDS = {"ascii": "word ", "cjk": "日本語", "emoji": "🚚", "mixed": "a🚚 ", "quotes": '"`\\ ',
         "tags": "<system-reminder>"}


def headings(text: str) -> list[str]:
    return re.findall(r"(?m)^## (.*)$", text)


def with_budget(snapshot: Any, budget: int, **more: Any) -> Any:
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}, "id": "64c0ffee8334c598", **more}


def place_of(snapshot: Snapshot) -> Entry:
    """Where in its session the snapshot stands."""
    return {"source": "p", "time": snapshot["time"], "position": snapshot["position"], "cycle": snapshot["cycle"]}


@pytest.fixture(params=WORDS)
def crowd(request: pytest.FixtureRequest, crowd_in: Callable[..., Snapshot]) -> Any:
    """A snapshot of a session with far more than fits, in words of this kind, and a pin."""
    snapshot = crowd_in(WORDS[request.param], RULE)
    pin = new_item("pin", place_of(snapshot), "The port is 3334.", "user")
    return {**snapshot, "items": [pin, *snapshot["items"]]}


@pytest.mark.parametrize("budget", [500, 1_000, 2_000, 4_000, 9_000])
def test_never_over_the_budget(crowd: Any, budget: int) -> None:
    snapshot = with_budget(crowd, budget)
    text, lines = recap_of(snapshot)
    assert units(under_headings(header_of(snapshot), shown_of(lines))) <= budget
    assert units(text) <= budget + ASK_ROOM
    text.encode()
    assert "<system" not in text
    assert all(line["is_put_back"] == (line["why"] == "put back") for line in lines)


@pytest.mark.parametrize("budget", [4_000, 9_000])
def test_each_section_stands_once_and_in_its_order(crowd: Any, budget: int) -> None:
    shown = headings(recap_of(with_budget(crowd, budget))[0])
    assert shown == [section for section in SHOWN if section in shown]
    needed = {PINS, RULES, END}  # of a small budget 60 rules take the rest
    assert needed | ({EARLIER_WORDS, WORK} if budget > SMALL_BUDGET else set()) <= {*shown}


def test_the_first_2000_units_hold_what_must_not_be_lost(crowd: Any) -> None:
    text = recap_of(with_budget(crowd, 9_000))[0]
    last = text.index("The agent's last words")
    assert text.index("The port is 3334.") < text.index(f"## {RULES}") < text.index(f"## {END}")
    assert units(text[:text.index("newest message")]) < PREVIEW_UTF16
    assert last < text.index(f"## {EARLIER_WORDS}")


def worked() -> Session:
    session = Session()
    session.typed(f"Fix the parcels table. {RULE}")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="a = 1", new_string="a = 2")
    session.failed("Bash", "Exit code 1\n1 failed, 2 passed in 0.1s", command="pytest -q")
    session.typed("Look at the zones before you go on.")
    session.says("The zones are odd. Shall I mend them?")
    return session


def test_a_small_session_is_shown_whole(tmp_path: Path) -> None:
    text, lines = recap_of(snapshot_of(worked(), tmp_path))
    assert [line for line in lines if not line["is_put_back"]] == []
    for words in (RULE, "Fix the parcels table.", "Look at the zones before you go on.", "a = ⟦1 → 2⟧", "pytest -q",
                  "1 failed",
                  "Shall I mend them?"):
        assert words in text
    assert "left out" not in text


def test_a_commit_stands_with_its_files_and_in_a_small_budget_where_room_is_left(tmp_path: Path) -> None:
    session = worked()
    session.ran("Bash", "[main 51d36b8] Round up\n 2 files changed, 3 insertions(+)\n create mode 100644 zones.py",
                command="git add rates.py zones.py && git commit -m 'Round up'")
    row = "- commit 51d36b8 on main: Round up (just before, no push seen)"
    for budget, files in ((19_000, "; 2 files, new: zones.py; changed: rates.py"), (950, "")):
        text = recap_of(snapshot_of(session, tmp_path, budget=budget))[0]
        assert row + files + "\n" in text


def test_long_words_stand_whole_while_there_is_room(tmp_path: Path) -> None:
    session = Session()
    order = "BEGIN " + "Mind the zones of each carrier. " * 60 + "END"
    session.typed(order)
    session.says("Done so far.")
    session.typed("go on")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert order in text
    short = recap_of(snapshot_of(session, tmp_path, budget=2_000))[0]
    assert order not in short
    assert "characters left out" in short


@pytest.mark.parametrize(("summary", "is_shown"), [
    ("", True), ("They said: fix the parcels table. Never touch the legacy table! And so on.", False),
    ("They said: fix the table of parcels, never touch the legacy table.", True)])
def test_of_messages_goes_what_the_summary_has_word_for_word(tmp_path: Path, summary: str, is_shown: bool) -> None:
    text = recap_of({**snapshot_of(worked(), tmp_path), "summary": summary})[0]
    assert any("Fix the parcels table." in line for line in lines_of(text, EARLIER_WORDS)) is is_shown
    assert RULE in text[text.index(RULES):text.index(END)], "a rule stands though the summary has it"
    assert "Look at the zones before you go on." in text, "so does the newest message"
    assert "1 failed" in text


@pytest.mark.parametrize(("words", "is_known"), [
    ("How to use thsi funtion now?", True), ("How to use this function now?", True), ("...", False), ("", False),
    ("Never use this function now!", False), ("How to use this function in 2027?", False), ("\ud800", False),
    ("Use the other function, not this", False), ("How to sue thsi funtoin won?", False), ("x " * 900, False),
])
def test_a_summary_mends_the_spelling_of_what_it_quotes(words: str, is_known: bool) -> None:
    summary = 'They asked: "How to use this function now?" and said more.'
    assert is_quoted_respelled(words, rows_in(summary)) is is_known


def test_of_older_words_those_that_the_summary_lacks_come_first(tmp_path: Path) -> None:
    session = Session()
    session.typed("Build a dashboard that shows our team how the metrics look, later it moves to another place.")
    for number in range(40):
        session.says(f"Step {number}: shall I go on with the next part of the work, or wait for the review of it?")
        session.typed("c")
    session.says("Shall I go on?")
    session.typed("yes")
    snapshot = with_budget(snapshot_of(session, tmp_path), 1_500)
    snapshot["summary"] = "They build something."
    text = recap_of(snapshot)[0]
    assert "shows our team" in text


def test_a_newest_message_without_an_answer_stands_first(tmp_path: Path) -> None:
    session = worked()
    assert "newest message: " in recap_of(snapshot_of(session, tmp_path))[0]
    session.typed("b")
    end = lines_of(recap_of(snapshot_of(session, tmp_path))[0], END)
    assert end[0].startswith("- The user's newest message, no words of the agent follow it: ")
    assert any("Shall I mend them?" in line for line in end)


def hand_over(session: Session) -> None:
    session.user("Implement the following plan:\n\n# Rates by zone\n- read them\n- sum them")
    session.says("I read them first.")


def refuse(session: Session) -> None:
    session.rejected("Bash", command="rm -rf zones")


def type_words(session: Session) -> None:
    session.typed("Sum the zones.")
    session.says("I sum them.")


PLAN_FIRST = "to carry out the plan below"


@pytest.mark.parametrize(("steps", "expected", "absent"), [
    ([hand_over], PLAN_FIRST, "Rejected"),
    ([type_words, hand_over], PLAN_FIRST, '"Sum the zones."'),  # it is older than the plan
    ([hand_over, type_words], '"Sum the zones."', PLAN_FIRST),
    ([type_words, refuse], '"Sum the zones."', PLAN_FIRST),
    ([hand_over, refuse], PLAN_FIRST, '"Sum the zones."'),
    ([refuse, type_words], '"Sum the zones."', "Rejected"),
])
def test_the_newest_message_is_named_whatever_its_form(
        tmp_path: Path, steps: list[Any], expected: str, absent: str) -> None:
    session = Session()
    for step in steps:
        step(session)
    end = lines_of(recap_of(snapshot_of(session, tmp_path))[0], END)
    text = "\n".join(end)
    assert end[0].startswith("- The user's newest message: (")
    assert expected in end[0]
    assert absent not in text
    assert any("Rejected without words" in line for line in end) is (steps[-1] is refuse)


@pytest.mark.parametrize("budget", [500, 1_000, 9_000])
def test_a_subagent_s_order_stands_first(tmp_path: Path, budget: int) -> None:
    snapshot = with_budget(snapshot_of(worked(), tmp_path), budget)
    order = new_item("errand", place_of(snapshot), "Count the zones. " * 200, "assistant")
    snapshot["items"] = [item for item in snapshot["items"] if item["kind"] == "rule"] + [order]
    text = recap_of(snapshot)[0]
    assert headings(text)[0] == ERRAND
    assert "Count the zones." in text
    assert units(text) <= budget


@pytest.mark.parametrize(("number", "shown"), [({}, ""), ({"id": ""}, ""), ({"id": 7}, ""), (
    {"id": "64c0ffee8334c598"}, " (block 8334c598)"), ({"id": "a1"}, " (block a1)")])
def test_the_first_line_ends_with_the_block_s_number(tmp_path: Path, number: Any, shown: str) -> None:
    text = recap_of({**snapshot_of(worked(), tmp_path), **number})[0]
    assert text.partition("\n")[0].endswith(f"{shown}.")
    assert ("(block" in text) == bool(shown)


@pytest.mark.parametrize("crowd", ["mixed"], indirect=True)
def test_the_same_snapshot_gives_the_same_text(crowd: Any) -> None:
    assert recap_of(with_budget(crowd, 9_000)) == recap_of(with_budget(crowd, 9_000))


LONG_ORDER = " ".join(f"Read table {number} and write what zone {number} costs." for number in range(12))


@pytest.mark.parametrize(("summary", "is_short"), [
    (f"The user said: {LONG_ORDER}", True), (LONG_ORDER.replace("zone", "region"), False), ("", False),
])
def test_a_long_message_that_the_summary_quotes_is_not_said_again(tmp_path: Path, summary: str, is_short: bool) -> None:
    session = Session()
    session.user(LONG_ORDER)
    snapshot = snapshot_of(session, tmp_path)
    snapshot["summary"] = summary
    text, _ = recap_of(snapshot)
    assert (LONG_ORDER in text) == (not is_short)
    assert ("(the summary quotes it whole)" in text) == is_short
    assert "Read table 0" in text


@pytest.mark.parametrize("budget", [4_000, 19_000])
@pytest.mark.parametrize("reply", ["yes, the second", f"The second. {LONG_ORDER[:150]}"])
def test_a_message_that_the_summary_quotes_keeps_what_it_answers(tmp_path: Path, reply: str, budget: int) -> None:
    session = Session()
    session.says("Shall the zones or the tables be read first?")
    session.user(reply)
    session.says("I begin.")
    snapshot = with_budget(snapshot_of(session, tmp_path), budget)
    snapshot["summary"] = f'The user said: "{reply}"'
    assert '(after the agent\'s "Shall the zones or the tables be read first?")' in recap_of(snapshot)[0]


def test_a_turn_that_an_error_broke_off_says_so(tmp_path: Path) -> None:
    session = Session()
    session.user("Go.")
    session.add({**session.says("API Error: 500"), "isApiErrorMessage": True, "uuid": "d0000000"})
    text, _ = recap_of(snapshot_of(session, tmp_path))
    assert '- The turn broke off with an error of the API: "API Error: 500"' in text


def test_an_answer_that_the_summary_quotes_stands_where_an_older_one_does(tmp_path: Path) -> None:
    session = Session()
    for question, answer in (("Which store?", "A file in the folder"), ("And now?", "Take the table of zones")):
        session.answered(session.posed(question, answer, "Neither"), question, answer)
    session.user("Go on.")
    session.says("I go on.")
    snapshot = snapshot_of(session, tmp_path)
    for summary, expected in (("", (True, True)), ("Take the table of zones", (True, True)),
                              ("A file in the folder. Take the table of zones", (False, False)),
                              ("A file in the folder", (False, True))):
        snapshot["summary"] = summary
        text, _ = recap_of(snapshot)
        assert ("A file in the folder" in text, "Take the table of zones" in text) == expected


def test_a_line_of_the_summary_that_is_wrong_twice_is_quoted_once(tmp_path: Path) -> None:
    session = Session()
    session.typed("Sort the zones.")
    for number, subject in ((1, "Read the table"), (2, "Sort the zones")):
        session.created(number, subject)
    items = snapshot_of(session, tmp_path)["items"]
    wrong = "Tasks #1 and #2 are completed."
    [line] = difference_lines(f"<summary>\n{wrong}\n</summary>", items, {})
    assert line["text"].startswith(f'- The summary: "{wrong}". The record: ')
    assert [f"#{number}" in line["text"].partition("The record: ")[2] for number in (1, 2)] == [True, True]
