"""The lines of the recap: the person's words, where the work stands, what was done and how it ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client.wordless import NOT_IN_TRANSCRIPT
from compact_keeper.recap.completed_items import with_ends_of_jobs, with_lost_results, with_owner_of_exit_code
from compact_keeper.recap.compose import ROOM
from compact_keeper.recap.lines.edits import change_in_words, rows_within
from compact_keeper.recap.lines.jobs import job_lines, service_lines, with_services
from compact_keeper.recap.lines.looks import files_read_lines
from compact_keeper.recap.lines.pins_and_rules import rule_lines
from compact_keeper.recap.lines.plans import task_line
from compact_keeper.recap.lines.task_list import task_list_lines
from compact_keeper.recap.lines.typed_words import message_lines
from compact_keeper.recap.lines.where_it_ended import last_call, last_words_line, question_lines
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import AS_IN_SUMMARY, without_known_lines
from compact_keeper.recap.wording.stated import naming
from compact_keeper.record.calls.services import Services
from compact_keeper.record.items import new_item
from compact_keeper.types import Item, MessageRoom
from entries import entry
from sessions import Session, items_of, snapshot_of, stamp, units

ROOT = "/srv/rates"

WIDE: MessageRoom = {**ROOM, "newest": 500}
ASKED = "Shall the tariffs be read by zones or by names?"
ANSWERED = f'(after the agent\'s "{ASKED}")'


def item(kind: Any, text: str, number: int = 1, **more: Any) -> Any:
    extra: dict[str, Any] = {"action": {"tool": "Bash", "path": "", "verdict": "ended", "result": "", "key": text,
                                        "family": ""},
             "look": {"tool": "Read", "path": text, "result": "", "key": text},
             "task": {"order": number, "list": "task"}}
    return new_item(kind, entry(number, "x"), text, "user", **{**extra.get(kind, {}), **more})


def ago(_: str) -> str:
    return "2 min before"


def work(*items: Item) -> list[str]:
    return [line["text"] for line in work_lines(items, Paths(ROOT, ROOT), set(), "", {})]


# --- the person's words ---


@pytest.mark.parametrize(("fields", "parts", "absent"), [
    ({}, ['"Use zones."', "2 min before"], "answers"),
    ({"via": "rejection", "refused": "$ rm -rf a"}, ["rejecting", "Rejected: $ rm -rf a"], "answers"),
    ({"via": "queue"}, ["while the agent worked"], "answers"),
    ({"uses": 3}, ["typed 3 times"], "answers"),
    ({"command_error": "Error: no such\nscript"}, ['"Use zones." (the command failed: "Error: no such script")'],
     "answers"),
    ({"attached": "a picture"}, ['"Use zones." (with a picture, not kept here)'], "answers"),
    ({"attached": "2 pictures", "answers": "Shall I?"},
     ['"Use zones." (with 2 pictures, not kept here) (after the agent\'s "Shall I?")'], "typed"),
    ({"answers": "Shall I?"}, ['(after the agent\'s "Shall I?")'], "broken off"),
    ({"answers": "I go on.", "broken_off": "API Error: 500 Internal server error"},
     ['(the turn had broken off with "API Error: 500 Internal server error", after the agent\'s "I go on.")'], "picks"),
    ({"broken_off": "API Error: 500"}, ['"Use zones."'], "broken off"),  # what it answers is not shown
    ({"answers": "A) x", "picks": "A) x"}, ['picks the agent\'s line "A) x")'], "answers"),
    ({"picks": "B) y", "options": ["A) x", "B) y", "C) z"]}, ['line "B) y"; not "A) x", "C) z")'], "answers"),
])
def test_a_message(fields: Any, parts: list[str], absent: str) -> None:
    older, newest = item("message", "Use zones.", 1, **fields), item("message", "Go.", 2)
    lines = [line["text"] for line in message_lines([older, newest], ago, WIDE)]
    assert '"Go."' in lines[0]
    assert all(part in lines[1] for part in parts)
    assert absent not in lines[1]


@pytest.mark.parametrize(("said", "calls", "end"), [
    ("All pass.", [item("look", "ls", 3)], '"yes by mail"'),
    ("All pass.", [item("action", "make", 2)], '"yes by mail"'),  # in the row of the words
    ("All pass. Shall I push?", [item("look", "ls", 3)], 'Shall I push?")'), ("All pass.", [], '"All pass.")'),
    ("All pass.", [item("action", "make", 3, by_agent="a1")], '"All pass.")'),
    ("All pass.", [item("action", "make", 1)], '"All pass.")'),
])
def test_a_reply_stands_with_no_words_that_calls_came_behind(said: str, calls: list[Item], end: str) -> None:
    before = [item("said", said, 2), item("message", "yes by mail", 4, answers=said), item("message", "Go.", 5)]
    items = sorted([*before, *calls], key=lambda other: other["position"])
    assert [*message_lines(items, ago, WIDE)][1]["text"].endswith(end)
    assert next(message_lines(items[:-1], ago, WIDE))["text"].endswith(end), "as the newest, too"


def test_before_the_oldest_words_that_are_kept_no_calls_are_known() -> None:
    messages = [item("message", "yes by mail", 2, answers="All pass."), item("message", "Go.", 3)]
    items = [item("look", "ls", 1), *messages]
    assert [*message_lines(items, ago, WIDE)][1]["text"].endswith('"All pass.")')


@pytest.mark.parametrize(("words", "said", "shown"), [
    ("done", "Zones:\n- north\n- south", ""), ("done", "See:\n```\nmake\n```", ""), ("done", "It is:\n\n| a | b |", ""),
    ("done", "First:\n\n1. read\n2. write", ""), ("do it again there?", "All pass.", ""), ("why?", "All pass.", ""),
    ("now sort it by size", "All pass.", ""),
    ("done", "Please add the zone:\n- north\n\nTell me when it is there.", "Tell me when it is there."),
    ("done", "**Zones** are in.\nTell me when you see them.", "**Zones** are in. Tell me when you see them."),
    ("do it there", "1. read\n2. write\n\nShall I push, or what else?", "1. read 2. write Shall I push, or what else?"),
])
def test_of_words_that_ask_nothing_the_closing_paragraph_stands_behind_a_few(words: str, said: str, shown: str) -> None:
    older, newest = item("message", words, 1, answers=said), item("message", "Go.", 2)
    line = [line["text"] for line in message_lines([older, newest], ago, WIDE)][1]
    assert line.partition(f'"{words}"')[2] == (f' (after the agent\'s "{shown}")' if shown else "")


@pytest.mark.parametrize(("text", "is_without"), [
    (NOT_IN_TRANSCRIPT, True), ("[a picture without words]", True), ("[2 pictures and a document without words]", True),
    ("Draw [a picture without words]", False), ("[a picture] [2 pictures without words]", False)])
def test_a_message_without_words_stands_only_as_the_newest(text: str, is_without: bool) -> None:
    lost = item("message", text, 1, via="queue")
    newest = item("message", "Go.", 2)
    assert len([*message_lines([lost, newest], ago, WIDE)]) == (1 if is_without else 2)
    [line] = message_lines([lost], ago, WIDE)
    assert text in line["text"]


@pytest.mark.parametrize(("most", "shown"), [
    (0, ""), (20, '(after the agent\'s "…zones or by names?")'), (90, ANSWERED)])
def test_what_the_newest_message_answers_has_its_room(most: int, shown: str) -> None:
    [line] = message_lines([item("message", "yes", 1, answers=ASKED)], ago, {**WIDE, "answered_by_newest": most})
    assert line["text"].endswith(shown or '"yes"')


def test_words_that_waited_have_the_time_at_which_they_were_typed() -> None:
    waited = item("message", "Use zones.", 1, via="queue", typed_at="2026-11-21T06:48:00.000Z")
    messages = [waited, item("message", "Go.", 2)]
    lines = [line["text"] for line in message_lines(messages, lambda stamp: stamp[11:16], WIDE)]
    assert lines[1].startswith("- (06:48, while the agent worked)")


def test_answers_by_number_stand_beside_the_lines_that_they_answer() -> None:
    answers = item("message", "1) cents 2)half up", 1, options=["1. Euro?", "2. Rounding?"])
    lines = [line["text"] for line in message_lines([answers, item("message", "Go.", 2)], ago, WIDE)]
    assert lines[1].endswith('(to the agent\'s "1. Euro?", "2. Rounding?")')


@pytest.mark.parametrize(("words", "is_shown"), [
    ("yes", True), ("b", True), ("do it", True), ("use that for the zones", True), ("please take the second", True),
    ("pode seguir por favor agora", True), ("", True), ("please write a test for the parser", False),
    ("we need to build new zones", False),
])
def test_only_words_that_hang_on_others_stand_with_them(words: str, is_shown: bool) -> None:
    older = item("message", words, 1, answers="Shall I?")
    lines = [line["text"] for line in message_lines([older, item("message", "Go.", 2)], ago, WIDE)]
    assert ("Shall I?" in lines[1]) is is_shown


@pytest.mark.parametrize(("chosen", "shown", "whole"), [
    ("Euro", '"Euro"; not "Dollar", "Ask"', '"Euro: as now"; not "Dollar", "Ask"'),
    ("Euro, Dollar", '"Euro, Dollar"; not "Ask"', ""),
    ("Ask: each time", '"Ask: each time"; not "Euro", "Dollar"', ""),
    ("Euro (from May on)", '"Euro (from May on)"; not "Dollar", "Ask"', ""),
    ("Eurodollar", '"Eurodollar"; offered "Euro", "Dollar", "Ask"', ""),  # is none of them
    ("neither, use pounds", '"neither, use pounds"; offered "Euro", "Dollar", "Ask"', ""),
])
def test_what_was_chosen_and_what_was_passed_over(chosen: str, shown: str, whole: str) -> None:
    verb = "typed" if "; offered" in shown else "chose"
    answer = item("answer", chosen, question="Which?", options=["Euro: as now", "Dollar", "Ask: each time"])
    [line] = message_lines([answer], ago, WIDE)
    assert line["text"].endswith(f"→ {verb} {shown}")
    assert line["whole"].endswith(f"→ {verb} {whole or shown}")


@pytest.mark.parametrize(("answer", "picks_one", "shown"), [
    ("Whole year, not at Easter", True, 'typed "Whole year, not at Easter"; offered "Summer", "Whole year"'),
    ("Whole year, Summer", False, 'chose "Whole year, Summer"'),
    ("Whole year", True, 'chose "Whole year"; not "Summer"'),
    ("Whole year (from May on)", True, 'chose "Whole year (from May on)"; not "Summer"'),
    ("Not in Summer, Whole year", True, 'typed "Not in Summer, Whole year"; offered "Summer", "Whole year"'),
])
def test_an_answer_of_ones_own_names_no_option(answer: str, picks_one: bool, shown: str) -> None:
    given = item("answer", answer, question="When?", options=["Summer", "Whole year: as now"])
    if picks_one:
        given["picks_one"] = True
    [line] = message_lines([given], ago, WIDE)
    assert line["text"].endswith(f"→ {shown}")


def test_a_message_that_is_a_rule_stands_among_the_rules_alone() -> None:
    items = [item("message", "Never push."), item("rule", "Never push."), item("message", "Go.", 2)]
    assert [line["text"] for line in message_lines(items, ago, WIDE)] == ['- (2 min before) "Go."']
    assert [line["text"] for line in rule_lines(items, ago)] == ['- "Never push." (typed 2 min before)']


@pytest.mark.parametrize(("first", "typed_at", "shown"), [
    ("2026-11-21T07:00:00Z", "2026-11-21T06:48:00Z", "06:48"), ("2026-11-21T07:00:00Z", "", "07:00"),
    ("2026-11-21T05:00:00Z", "2026-11-21T06:48:00Z", "05:00")])  # the last: it was typed before, too
def test_a_rule_that_waited_has_the_time_at_which_it_was_typed(first: str, typed_at: str, shown: str) -> None:
    handed_over: dict[str, Any] = {"last": "2026-11-21T07:00:00Z", "via": "queue"}
    items = [item("message", "Never push.", **handed_over, typed_at=typed_at),
             item("message", "Go on.", **handed_over, typed_at="2026-11-21T06:59:00Z"),
             item("rule", "Never push.", **handed_over, first=first)]
    [line] = rule_lines(items, lambda stamp: stamp[11:16])
    assert line["text"] == f'- "Never push." (typed while the agent worked {shown})'


def test_a_long_message_is_there_whole_too() -> None:
    text = "Mind the zones of each carrier. " * 60
    [_, line] = message_lines([item("message", text), item("message", "Go.", 2)], ago, WIDE)
    assert text.strip() in line["whole"]
    assert units(line["text"]) < units(line["whole"])


# --- where it stands ---


@pytest.mark.parametrize("words", ["", "  ", "One line.", "A)\nB)\n" * 300, "x" * 5_000, "🚚 " * 3_000])
def test_the_last_words(words: str) -> None:
    lines = [*last_words_line({"state": {"last_words": words}, "items": [item("said", words[:99])]}, 300, "")]
    assert bool(lines) == bool(words.strip())
    for line in lines:
        assert units(line["text"]) < 300 * 2 + 60
        assert line["text"].endswith(words.strip()[-2:])


def test_what_waits_for_the_person() -> None:
    items = [item("question", "Which?", options=["Euro: as now", "Dollar"]),
             item("plan", "# P", status="waiting for approval", path="/p.md")]
    question, plan = [line["text"] for line in question_lines(items)]
    assert all(part in question for part in ("no answer yet", '"Which?"', "Euro: as now; Dollar"))
    assert all(part in plan for part in ("waiting for approval", "/p.md", '"# P"'))


def test_a_plan_waits_until_more_than_its_answer_was_typed() -> None:
    plan = item("plan", "# Plan: the rates", 3, status="not approved")
    before, answer, later = (item("message", "The third step alone", position, via="prompt") for position in (1, 5, 7))
    rejecting = item("message", "Not yet", 4, via="rejection")
    assert [line["items"] for line in question_lines([before, plan, rejecting, answer])] == [[plan]]
    assert [*question_lines([before, plan, rejecting, answer, later])] == []


def test_a_plan_that_was_written_anew_since_is_told_by_its_beginning() -> None:
    plan = item("plan", "# Plan: the rates " + "of all zones " * 40, status="not approved", path="/p.md")
    later: Any = {**item("action", "p.md", position=9), "path": "/p.md", "edits": 1, "tool": "Write"}
    [before] = [line["text"] for line in question_lines([plan])]
    [after] = [line["text"] for line in question_lines([plan, later])]
    assert "written anew" not in before
    assert "(in /p.md, which was written anew since)" in after
    assert units(after) < 250 < units(before)


@pytest.mark.parametrize(("name", "later", "is_shown"), [
    ("said", ["message"] * 3, False), ("said", ["message", "commit"], False), ("said", ["message"], True),
    ("said", ["commit"], True),
    ("a.md", ["message", "commit"], True), ("a.md", ["message"] * 3, False), ("a.md", ["short"] * 6, False),
    ("kept.md", ["message", "commit"], True), ("kept.md", ["message"] * 6, True),  # a box of it was changed later
])
def test_boxes_that_nobody_ticks_go_when_something_was_asked_and_committed_since(name: str, later: list[str],
                                                                                 is_shown: bool) -> None:
    words = "Go on with the zones of the northern part, and then show me the table that comes of it, please."
    after: list[Any] = [item("message", words, position=5)] * later.count("message")
    after += [item("message", "continue", position=5)] * later.count("short")
    after += [{**item("action", "git commit -m Zones", position=6), "commit": "aaaaaaa"}] if "commit" in later else []
    boxes = [item("task", "Round the rates", 1, list=name, status="pending", position=1)]
    boxes += [item("task", "Read them", 2, list=name, status="completed", position=3)] if name == "kept.md" else []
    lines = task_list_lines([*boxes, *after], "", ago, set())
    assert any("boxes not ticked" in line["text"] for line in lines) == is_shown


def test_of_a_list_that_was_left_behind_no_ticked_box_stays_alone() -> None:
    boxes = [item("task", "Round the rates", 1, list="said", status="completed", position=1),
             item("task", "Read the zones", 2, list="said", status="pending", position=1)]
    later: list[Any] = [item("message", "continue", position=5)] * 6
    marks = [[line["text"][:5] for line in task_list_lines([*boxes, *since], "", ago, set())]
             for since in (later[:5], later)]
    assert marks == [["- [ ]", "- [x]"], []]


def test_of_many_boxes_it_is_said_how_many_more_there_are() -> None:
    boxes = [item("task", f"{number:02d} {'x' * 85}", number, list="plan.md", status="pending") for number in range(9)]
    [line] = task_list_lines(boxes, "", ago, set())
    assert line["text"].endswith(f"; 06 {'x' * 85} and 2 more (in plan.md)")


@pytest.mark.parametrize(("later", "count", "shown"), [
    ([], 75, "75 boxes in /srv/plan.md, none ticked on record since it was written 2 min before"),
    ([item("action", "make", position=5)], 1, "1 box in /srv/plan.md, none ticked on record since it was written "),
    ([item("message", "Do plan.md", position=0), item("look", "plan.md", position=5)], 75, "75 boxes in /srv/plan.md"),
    ([item("action", "a.md", position=6, path="/srv/plan.md")], 75, "boxes not ticked: Read"),
    ([item("action", "$ sed -i 's/\\[ /[x/' plan.md", position=5)], 75, "boxes not ticked: Read"),
    ([item("action", "$ sed -i 's/\\[ \\] a/[x] a/' *.md", position=5)], 75, "boxes not ticked: Read"),
    ([item("message", "Go on with plan.md", position=6)], 75, "boxes not ticked: Read"),
    ([], 0, "boxes not ticked: Read"),  # others were ticked, or it was never written
])
def test_of_a_file_whose_boxes_nobody_ticks_only_the_count_is_told(later: list[Any], count: int, shown: str) -> None:
    boxes = [item("task", text, list="/srv/plan.md", status="pending", position=1, unticked=count)
             for text in ("Read", "Write")]
    [line] = task_list_lines([*boxes, *later], "", ago, set())
    assert line["text"].startswith(f"- [ ] {shown}")


@pytest.mark.parametrize(("plan", "shown"), [
    ("Rates", "- [ ] boxes not ticked: Round the rates; Read the zones (in plan.md)"),
    ("- [ ] Round the rates", "- [ ] boxes not ticked beside those above: Read the zones (in plan.md)"),
    ("- [x] Round the rates", "- [ ] boxes not ticked: Round the rates; Read the zones (in plan.md)"),
    ("Not yet: - [ ] Round the rates", "- [ ] boxes not ticked: Round the rates; Read the zones (in plan.md)"),
    ("- [ ] Round the rates\n  - [ ] Read the zones of the north", "")])
def test_boxes_that_stand_above_are_not_shown_again(plan: str, shown: str) -> None:
    boxes = [item("task", text, number, list="plan.md", status="pending")
             for number, text in enumerate(("Round the rates", "Read the zones"))]
    above = task_line("A plan:", item("plan", plan, 0), [plan.splitlines()] * 2)["boxes"]
    assert "".join(line["text"] for line in task_list_lines(boxes, "", ago, above)) == shown


@pytest.mark.parametrize(("summary", "shown"), [
    ("", ["- [x] ticked off as done: #2 Write `b.py` with zones; #1 Read the tables"]),
    ("The tables were read.",
     ["- [x] ticked off as done; not by these names in the summary: #2 Write `b.py` with zones"]),
    ("Read tables, then zones with b.py: write.", []),
    ("The tables were read.\n\n`b.py` is there, the zones too.\n\nIt will write rows with care.", []),  # in any rows
    ("Zones were written.", ["- [x] ticked off as done: #2 Write `b.py` with zones; #1 Read the tables"]),
])
def test_done_tasks_that_the_summary_has_are_a_count(summary: str, shown: list[str]) -> None:
    items = [item("task", "Read the tables", 1, status="completed", key="#1", detail="Read all of them."),
             item("task", "Write `b.py` with zones", 2, status="completed", key="#2", detail="With zones")]
    still_open = item("task", "Ship it", 3, status="pending", key="#3", owner="ada")
    assert [line["text"] for line in task_list_lines([*items, still_open], summary, ago, set())] == [
        "- [ ] #3 Ship it (owner: ada)", *shown]
    state, *lines = [line["text"] for line in task_list_lines(items, summary, ago, set())]
    assert state == "- [x] all 2 tasks of the client's list ticked off by the agent (last change 2 min before)"
    assert lines == ([] if summary else shown)
    box = item("task", "Tag it", 4, list="the body of pull/90", status="pending")
    beside = [line["text"] for line in task_list_lines([*items, box], summary, ago, set())]
    assert beside == [state, "- [ ] boxes not ticked: Tag it (in the body of pull/90)", *([] if summary else shown)]
    later = item("message", "What can we learn of it?", position=9)
    assert next(task_list_lines([*items, later], summary, ago, set()))["text"] == f"{state} (since then 1 message)"


def test_tasks_in_their_order_those_not_done_first() -> None:
    items = [item("task", "Ship", 3, status="pending", key="#3", after="#2"),
             item("task", "Read", 1, status="completed", key=""),
             item("task", "Write", 2, status="in_progress", key="#2", detail="Write all of it")]
    assert next(task_list_lines([*items, item("action", "a.py", 9, tool="Edit", edits=1)], "", ago, set()))["text"] == (
        "- (the list's last change 2 min before; since then 1 edit)")
    at = "2026-11-21T23:00:00Z"
    typed = item("message", "Wait, not that", 9, via="prompt", first=at, last=at)
    assert next(task_list_lines([*items, typed], "", ago, set()))["text"] == (
        "- (the list's last change 2 min before; since then 1 message)")
    moved = item("action", "mv a.py b.py", 9, tool="Bash")
    assert next(task_list_lines([*items, moved], "", ago, set()))["text"] == (
        "- (the list's last change 2 min before; since then 1 command besides looks)")
    cancelled = item("action", "cp b.py c.py", 10, tool="Bash", verdict="not run")
    assert "since then 1 command besides" in next(task_list_lines([*items, moved, cancelled], "", ago, set()))["text"]
    copied = item("action", "cp b.py c.py", 10, tool="Bash")
    assert next(task_list_lines([*items, moved, copied, item("look", "ls", 11)], "", ago, set()))["text"] == (
        "- (the list's last change 2 min before; since then 2 commands besides looks and repeats)")
    reports = [item("action", f"Agent {number}", number, tool="Task", verdict=verdict)
               for number, verdict in ((2, "ended"), (9, "ended"), (10, "running"), (11, "ended"))]
    assert next(task_list_lines([*items, *reports], "", ago, set()))["text"] == (
        "- (the list's last change 2 min before; since then 2 reports of subagents)")
    lines = [line["text"] for line in task_list_lines(items, "", ago, set())]
    assert lines == ["- [~] in progress: #2 Write", "- [ ] #3 Ship (after #2)", "- [x] ticked off as done: Read"]


@pytest.mark.parametrize(("words", "steps", "behind"), [
    ("Build Zones.vue", [("Write", "/srv/web/Zones.vue", 5)], " (Zones.vue was written since)"),
    ("Build Zones.vue", [("Write", "/srv/web/Zones.vue", 5), ("Edit", "/srv/web/Zones.vue", 6)],
     " (Zones.vue was written since)"),
    ("Build web/Zones.vue and a.py", [("Edit", "/srv/web/Zones.vue", 5), ("Write", "/srv/a.py", 6)],
     " (Zones.vue was edited since) (a.py was written since)"),
    ("Build Zones.vue", [("Read", "web/Zones.vue", 2), ("Edit", "/srv/web/Zones.vue", 5)],
     " (Zones.vue was edited since)"),
    ("Build Zones.vue", [("Read", "old/Zones.vue", 2), ("Edit", "/srv/web/Zones.vue", 5)], ""),  # of either
    ("Build old/Zones.vue", [("Edit", "/srv/web/Zones.vue", 5)], ""),
    ("Build Zones.vue", [("Edit", "/srv/web/Zones.vue", 3)], ""),  # the list was changed in the same row
    ("Build Zones.vue", [("Read", "/srv/web/Zones.vue", 5)], ""),
    ("Build Zones.vue", [("Edit failed", "/srv/web/Zones.vue", 5)], ""),
    ("Build Zones.vue.bak", [("Edit", "/srv/web/Zones.vue", 5)], ""),
    ("Build ZonesTable", [("Edit", "/srv/web/ZonesTable.vue", 5)], ""),  # it names no file
])
@pytest.mark.parametrize("status", ["pending", "in_progress"])
def test_that_a_file_of_an_open_task_was_made_since_stands_behind_it(
        words: str, steps: list[Any], behind: str, status: str) -> None:
    items = [item("task", "Read", 3, status="completed", list="todo", key=""),
             item("task", words, 1, status=status, list="todo", key="", detail="All of it"),
             *(item("look" if tool == "Read" else "action", path, position, tool=tool.split()[0], path=path,
                    edits=int(tool in ("Edit", "Write"))) for tool, path, position in steps)]
    [line] = [line for line in task_list_lines(items, "", ago, set()) if words in line["text"]]
    mark = "[~] in progress:" if status == "in_progress" else "[ ]"
    assert line["text"] == f"- {mark} {words}{behind}"
    assert line["whole"] == f"{line['text']}: All of it"


@pytest.mark.parametrize(("tool", "given", "is_counted"), [
    ("mcp__rates__get_zone", "id: 4", False), ("mcp__rates__rates_list_updates", "limit: 3", False),
    ("mcp__rates__zone_executions", "action: list, id: 4", False), ("mcp__rates__updates", "id: 4", False),
    ("mcp__update-zones__browse", "id: 4", False), ("mcp__rates__browse", "query: how to update a zone", False),
    ("mcp__rates__get_zone", "type: addon", False), ("mcp__rates__zone_address", "id: 4", False),
    ("mcp__rates__createZone", "name: East", True), ("mcp__rates__rates_update_zone", "id: 4", True),
    ("mcp__rates__zones", "action: delete, id: 4", True),
    ("mcp__rates__zones", 'id: 4, operations: [{"type": "activateZone"}]', True),
    ("WebFetch", "action: delete", False)])
def test_calls_that_change_something_elsewhere_count_behind_the_list(tool: str, given: str, is_counted: bool) -> None:
    items = [item("task", "Write", 2, status="in_progress", key="#2"), item("action", given, 9, tool=tool)]
    first = next(task_list_lines(items, "", ago, set()))["text"]
    assert ("since then 1 command besides looks" in first) is is_counted


def test_what_runs() -> None:
    job = item("job", "npm run dev", key="b1", path=f"{ROOT}/dev.log", port="3000", environ="A=1")
    ended = item("job", "make", key="b2", status="ended")
    [line] = job_lines([job, ended], {"b1": False}, Paths(ROOT, ROOT), ago)
    for part in ("`npm run dev`", "as b1", "port 3000", "with A=1", "output in dev.log", "not there any more"):
        assert part in line["text"]


def test_a_subagent_s_report_is_of_when_it_came() -> None:
    order = item("action", "Read the zones", 2, tool="Agent", verdict="running", source="a")
    job = item("job", "Read the zones", 2, tool="Agent", key="b1", source="a", status="ended", result="All is well.")
    job["last"] = "2026-03-05T10:09:00Z"
    [reported] = with_ends_of_jobs([order, job])
    assert (reported["kind"], reported["result"], reported["last"]) == ("action", "All is well.", job["last"])


@pytest.mark.parametrize(("call", "later", "is_lost"), [
    ({}, [], False), ({}, [item("said", "Building.", 1)], False), ({}, [item("said", "Built.", 3)], True),
    ({"verdict": "ended"}, [item("said", "Built.", 3)], False),
    ({"by_agent": "a1"}, [item("said", "It reads.", 3)], False),
    ({"tool": "Task"}, [item("said", "It reads.", 3)], False),
    ({}, [item("message", "And the zones?", 3, via="prompt")], True),
    ({}, [item("message", "And the zones?", 3, via="queue")], False),
    ({}, [item("action", "ls", 3, tool="Bash", verdict="ended")], False)])
def test_a_call_before_later_words_waits_for_no_result(call: Any, later: list[Any], is_lost: bool) -> None:
    first = item("action", "make", 2, **{"tool": "Bash", "verdict": "running", **call})
    [completed, *_] = with_lost_results([first, *later])
    assert completed.get("has_lost_result", False) is is_lost
    edit = item("action", "a.py", 9, tool="Edit", verdict="running", edits=1, path="a.py", has_lost_result=is_lost)
    [line] = work_lines([edit], Paths(ROOT, ROOT), set(), "", {})
    assert ("(no result on record)" if is_lost else "(no result yet)") in line["text"]


@pytest.mark.parametrize(("alive", "begin"), [
    (True, "- Running: `npm run dev` (as b1, its process is still there, started 2 min before)"),
    (False, "- Started: `npm run dev` (as b1, its process is not there any more, 2 min before)"),
    (None, "- Started, no end seen: `npm run dev` (as b1, 2 min before)")])
def test_that_a_job_runs_is_said_only_where_its_process_was_seen(alive: bool | None, begin: str) -> None:
    job = item("job", "npm run dev", key="b1")
    [line] = job_lines([job], {} if alive is None else {"b1": alive}, Paths(ROOT, ROOT), ago)
    assert line["text"] == begin


@pytest.mark.parametrize(("command", "path", "position", "words"), [
    ("python3 web/zones.py", "web/zones.py", 9, "zones.py edited since it began"),
    ("nohup python3 ./zones.py > zones.log 2>&1", "web/zones.py", 9, "zones.py edited since it began"),
    ("python3 /srv/web/zones.py", "web/zones.py", 9, "zones.py edited since it began"),
    ("python3 web/zones.py", "web/zones.py", 1, ""), ("python3 web/zones.py", "web/other_zones.py", 9, ""),
    ("python3 web/zones.py", "tests/zones.py", 9, ""), ("npm run dev", "web/zones.py", 9, ""),
    ("make > zones.log", "zones.log", 9, "")])
def test_a_file_that_a_job_runs_was_edited_since(command: str, path: str, position: int, words: str) -> None:
    job = item("job", command, key="b1", position=5)
    edit = item("action", path, 1, tool="Edit", path=path, edits=1, position=position)
    [line] = job_lines([job, edit], {}, Paths(ROOT, ROOT), ago)
    assert line["text"].endswith(f", {words})" if words else "before)")
    [gone] = job_lines([job, edit], {"b1": False}, Paths(ROOT, ROOT), ago)
    assert "edited since" not in gone["text"]


@pytest.mark.parametrize(("command", "is_stated"), [
    ("sleep 600 && tail -3 run.log", False), ("sleep 10m; grep -c done run.log", False), ("sleep 3h; ls", True),
    ("sleep 600 ⏎ make rates", True), ("sleep 600 ⏎ ls rates", False),
    ("sleep 600 && make rates", True), ("tail -f run.log", True), ("sleep infinity", True),
    ("timeout 600 ./serve", False), ("cd web && timeout -k 5 10m ./serve | tee log", False),
    ("cd web && timeout --foreground 10m ./serve | tee log", False), ("timeout 2h ./serve", True),
    ("timeout 600 make && ./serve", True), ("timeout infinity ./serve", True)])
def test_a_job_that_only_waited_to_look_is_not_told_when_its_time_is_over(command: str, is_stated: bool) -> None:
    started: Any = {**item("job", command, key="b1"), **dict.fromkeys(("first", "last"), "2026-01-01T09:00:00.000Z")}
    later: Any = {**item("action", "make", 9, tool="Bash"), "last": "2026-01-01T10:00:00.000Z"}
    assert len([*job_lines([started, later], {}, Paths(ROOT, ROOT), ago)]) == is_stated
    assert [*job_lines([started, later], {"b1": True}, Paths(ROOT, ROOT), ago)]


@pytest.mark.parametrize(("result", "part"), [
    ("Backup completed in 272 s", 'as b1, it last showed "Backup completed in 272 s", started 2 min'),
    ("", "as b1, 2 min"),
    ("x" * 200, "xxx…\", started 2 min")])
def test_what_a_job_was_last_seen_to_print(result: str, part: str) -> None:
    [line] = job_lines([item("job", "npm run dev", key="b1", result=result)], {}, Paths(ROOT, ROOT), ago)
    assert part in line["text"]


@pytest.mark.parametrize(("fields", "end"), [
    ({"text": "npm run dev"}, ", the same was started again since as b2)"),
    ({"text": "npm run dev > dev.log 2>&1 &"}, ", the same was started again since as b2)"),
    ({"text": "npm run dev", "status": "ended"}, ", the same was started again since as b2)"),
    ({"text": "npm run dev", "environ": "PORT=3001"}, "before)"),
    ({"text": "npm run dev:api"}, "before)"), ({"text": "cd web && npm run dev"}, "before)"),
    ({"text": "./serve", "port": "3000"}, ", `./serve` was started on its port since)"),
    ({"text": "./serve", "port": "3001"}, "before)"), ({"text": "./serve"}, "before)"),
])
def test_an_older_job_says_what_was_started_since(fields: Any, end: str) -> None:
    job = item("job", "npm run dev", 1, key="b1", port="3000")
    later: Any = {**item("job", "x", 2, key="b2", port=""), **fields}
    line = [*job_lines([job, later], {}, Paths(ROOT, ROOT), ago)][-1]
    assert line["text"].endswith(end)
    assert "since" not in "".join(line["text"] for line in job_lines([job], {}, Paths(ROOT, ROOT), ago))


def test_a_line_that_went_on_in_the_background_is_one_job() -> None:
    shell: Any = {**item("job", "./serve &", 1, key="b1"), "source": "toolu_1"}
    process: Any = {**item("job", "./serve", 1, key="& ./serve", by="&"), "source": "toolu_1"}
    for jobs, shown_text in (([shell, process], "./serve"), ([shell], "./serve &"),
                             ([shell, {**process, "status": "ended"}], "./serve &")):
        lines = [line["text"] for line in job_lines(jobs, {}, Paths(ROOT, ROOT), ago)]
        assert [line.split("`")[1] for line in lines] == [shown_text]


# --- what was done ---


@pytest.mark.parametrize(("command", "words", "expected"), [
    ("npm test | head -100", "completed (exit code 0)", "completed (exit code 0 of `head`)"),
    ("npm test | head -100", "exit 0", "exit 0 of `head`"), ("npm test", "exit 0", "exit 0"),
    ("npm test | rg -c passed", "exit 0", "exit 0 of `rg`"),
    ("npm test | head -100", "failed with exit code 2", "failed with exit code 2"),
    ("make | node sum.js", "exit 0", "exit 0"),
])
def test_a_job_s_exit_code_is_told_as_that_of_the_pipe_s_end(command: str, words: str, expected: str) -> None:
    assert with_owner_of_exit_code(item("job", command, key="b1", status="ended", result=words)) == expected


METRES = "in metres. You may use a subagent to look at the ports."
TEST_FIRST = "a test first. Actually forget the README, I will write that myself"


@pytest.mark.parametrize(("words", "answers", "behind"), [
    (METRES, "Found it. Should the README give heights in metres or in feet?",
     ' (to the agent\'s "Should the README give heights in metres or in feet?")'),
    ("Round down, the ledger does so too. Fix it, run the tests and the lint, and serve the folder in the background.",
     "Should it be rounded up, or down?", ' (to the agent\'s "Should it be rounded up, or down?")'),
    (TEST_FIRST, "I see. Shall I wire it, or do you want a test first?",
     ' (to the agent\'s "Shall I wire it, or do you want a test first?")'),
    (TEST_FIRST, "Do you want a test of it first?", '"'), ("first. " + TEST_FIRST, "Do you want a test first?", '"'),
    ("Fix the lint and the tests first, all of them. Round down, the ledger of the harbour does so too.",
     "Should it be rounded up, or down?", '"'),
    (METRES, f"**{'Long words of ' * 30}it, in metres?**", '?")'), (METRES, "I wrote it. Anything else? No.", '"'),
    (METRES, "Shall we? I go on.", '"'), (METRES, "", '"'), ("You may look at the metres " * 4, "In metres?", '"'),
    (METRES, "Shall I go on with the README?", '"'), (METRES, "Do you want to use it?", '"'),
    ("Should the board be drawn in metres?", "In metres?", '"')])
def test_a_short_statement_has_the_question_that_it_answers(words: str, answers: str, behind: str) -> None:
    items = [item("message", words, answers=answers), item("message", "Go.", 2)]
    [_, line] = message_lines(items, ago, WIDE)
    assert line["text"].endswith(behind)
    assert units(line["text"]) < 300
    assert ("(to the agent" in line["text"]) is (behind != '"')


@pytest.mark.parametrize("kind", ["action", "look"])
@pytest.mark.parametrize(("job", "is_shown"), [("s", False), ("t", True)])
def test_what_runs_in_the_background_is_told_by_its_job_alone(job: str, is_shown: bool, kind: str) -> None:
    result = "Command running in background with ID: b1. Output is being written to: /tmp/b1.output"
    started = item(kind, "gh pr checks --watch", source="s", tool="Bash", verdict="running", result=result)
    lines = work(started, item("job", "make serve", 2, key="b1", source=job, status="open"))
    assert bool(lines) == is_shown


@pytest.mark.parametrize(("fields", "end"), [
    ({"verdict": "failed", "result": "1 failed"}, "→ FAILED: 1 failed"),
    ({"result": "exit 0 of `head`"}, "→ (no output)"),
    ({"verdict": "failed", "result": "1 failed", "family": "test"}, "→ FAILED in this run: 1 failed"),
    ({"verdict": "failed"}, "→ FAILED: its output does not say why"),
    ({"verdict": "unknown"}, "→ ended, whether it passed is not certain"),
    ({"family": "test", "verdict": "passed", "result": "3 passed"}, "→ passed: 3 passed"),
    ({"verdict": "running"}, "→ (no result yet)"),
    ({"verdict": "running", "has_lost_result": True}, "→ (no result on record)"),
    ({"verdict": "running", "has_lost_result": True, "result": "in the background: b1"},
     "→ started, its end was not seen: in the background: b1"),
    ({"verdict": "not run", "result": "no test"}, "→ not run: no test"),
    ({"verdict": "not run", "result": "no test ran: Ran 0 tests in 0.1s", "met_no_test": True},
     "→ no test ran: Ran 0 tests in 0.1s"),
    ({"result": "ok"}, "→ ok"), ({}, "→ (no output)"),
    ({"verdict": "stopped", "result": "interrupted by the user"}, "→ interrupted by the user"),
    ({"result": "CREATE TABLE ⏎ psql:a.sql:9: ERROR:  no such table"},
     "→ printed errors: CREATE TABLE ⏎ psql:a.sql:9: ERROR: no such table"),
    ({"result": "error: null ⏎ data: 3 zones"}, "→ error: null ⏎ data: 3 zones"),
    ({"result": "fatal: not a git repository"}, "→ printed errors: fatal: not a git repository"),
    ({"result": "Traceback (most recent call last): ⏎ ValueError: no"},
     "→ printed errors: Traceback (most recent call last): ⏎ ValueError: no"),
    ({"result": "0 errors"}, "→ 0 errors"), ({"result": "no fatal: x"}, "→ no fatal: x"),
    ({"result": "Errors: 0"}, "→ Errors: 0"), ({"result": "error.log ⏎ ls: 3 files"}, "→ error.log ⏎ ls: 3 files"),
    ({"result": "ok", "uses": 2, "earlier": [{"verdict": "ended", "result": "CREATE ⏎ ERROR:  no such table"}]},
     "→ ok (2 runs); before: printed errors: ERROR: no such table"),
    ({"result": "ok", "uses": 2, "earlier": [{"verdict": "stopped", "result": "stopped by the tool's time limit"}]},
     "→ ok (2 runs); before: stopped by the tool's time limit"),
    ({"result": "ok", "uses": 2, "earlier": [{"verdict": "ended", "result": "made"}]},
     "→ ok (2 runs); before: ran: made"),
    ({"result": "ok", "uses": 2, "earlier": [{"verdict": "failed", "result": "1 failed"}]},
     "→ ok (2 runs); before: failed: 1 failed"),
    ({"result": "ok", "uses": 2, "earlier": [
        {"verdict": "not run", "result": "no test ran: 2 deselected in 0.1s", "met_no_test": True}]},
     "→ ok (2 runs); before: no test ran: 2 deselected in 0.1s"),
    ({"result": "ok", "uses": 1, "earlier": [{"verdict": "not run", "result": ""}]}, "→ ok; before: not run: refused"),
])
def test_how_a_command_ended(fields: Any, end: str) -> None:
    assert work(item("action", "make test", **fields)) == [f"- `make test` {end}"]


def test_how_a_check_stands_since_it_failed_and_a_try_that_was_to_fail() -> None:
    failed = item("action", "make test", 4, verdict="failed", result="1 failed", family="test")
    for since in ("", " then, passed later"):
        [line] = work_lines([failed], Paths(ROOT, ROOT), set(), "", {4: since})
        assert line["text"] == f"- `make test` → FAILED{since}: 1 failed"
    for tried in ("git branch -D x; echo $?", "cd a && git rm -r x || true", "git add -A || true; git rm -r x || :"):
        assert work(item("action", tried, verdict="failed", result="error: no x", family="git")) == [
            f"- `{tried}` → error: no x"]
    for failed_line in ("git push; git rm -r x || true", "git rm -r x || true; git push", "git push || echo true",
                        "git push && true", "git push || make all", "true"):
        assert "FAILED" in work(item("action", failed_line, verdict="failed", result="error: no x", family="git"))[0]


def test_the_newest_stands_first() -> None:
    lines = work(item("action", "make a", 1), item("message", "Now b.", 2), item("action", "make b", 3))
    assert ["make b" in lines[0], "make a" in lines[1], len(lines)] == [True, True, 2]


def test_edits_of_one_file_share_a_line_and_show_the_new_lines() -> None:
    edits = [item("action", "a.py", number, tool="Edit", path=f"{ROOT}/a.py", edits=1,
                  change=f"- a = {number}\n+ a = {number + 1}")
             for number in (1, 2)]
    edits.append(item("action", "a.py", 3, tool="Edit", path=f"{ROOT}/a.py", edits=1, change="+ b = 7"))
    assert work(*edits) == ["- Edited a.py (3 edits): b = 7; before that: a = ⟦2 → 3⟧"], "not what went again"
    edits[2]["turn_began"] = edits[2]["last"] = "2099-03-05T11:00:00Z"
    assert work(*edits) == ["- Edited a.py (in all 3 edits): b = 7; before this message came: a = ⟦2 → 3⟧"]


def test_more_rows_of_an_edit_are_none_that_went_nor_idle_ones() -> None:
    changes = [
        "+ rate = 7\n+ zone = 3\n+ }\n+ … 34 more lines", "- zone = 3\n+ zone = 4", "212 lines\ndef price(zone):"]
    edits = [item("action", "a.py", number, tool="Edit", path=f"{ROOT}/a.py", edits=1, change=change)
             for number, change in enumerate(changes[:2])]
    edits.append(item("action", "b.py", 5, tool="Write", path=f"{ROOT}/b.py", edits=1, change=changes[2]))
    lines = work_lines(edits, Paths(ROOT, ROOT), set(), "", {})
    assert [line.get("rows") for line in lines] == [["def price(zone):"], ["zone = ⟦3 → 4⟧", "rate = 7"]]


@pytest.mark.parametrize(("path", "gap", "end"), [
    ("src/b.py", "", ": the same change as in src/a.py"), ("other/a.py", "", ": the same change as in src/a.py"),
    ("src/b.py", "\n+ …", None)])
def test_the_same_change_is_told_by_a_name_that_is_no_other_file_s(path: str, gap: str, end: str | None) -> None:
    rows = "+ total = sum(zone_rates.values()) + surcharge_of(parcel, zone_rates)" + gap
    edits = [item("action", name, number, tool="Edit", path=f"{ROOT}/{name}", edits=1, change=rows)
             for number, name in ((1, path), (2, "src/a.py"))]
    older = work(*edits)[1]
    assert older.startswith("- Edited ")
    assert older.endswith(end) if end else "the same change" not in older


def test_a_job_that_was_sent_a_signal_is_not_told_as_ended() -> None:
    job = item("job", "npm run dev", key="& npm run dev", status="ended", tool="Bash",
               result="kill sent, its end was not seen: pkill -f dev", is_signalled=True)
    assert work(job) == [
        "- In the background (& npm run dev): `npm run dev` → kill sent, its end was not seen: pkill -f dev"]


def test_of_edits_that_were_taken_back_those_alone_that_stand_are_told() -> None:
    edits = [item("action", "a.py", number, tool="Edit", path=f"{ROOT}/a.py", edits=1, change=f"+ a = {number}")
             for number in (1, 2)]
    edits[1]["taken_back"] = "git checkout a.py"
    assert work(*edits) == ["- Edited a.py: a = 1"]
    edits[0]["taken_back"] = "git checkout a.py"
    assert work(*edits) == [
        "- Edited a.py, taken back by `git checkout a.py` (2 edits): a = 2; before that: a = 1"]


@pytest.mark.parametrize(("changes", "end"), [
    (['+ "os"', "+ total = 7"], " (2 edits): \"os\"; before that: total = 7"),
    (["+ total = 7", '+ "os"'], " (2 edits): total = 7"),  # not as if it only imported
    (["+ import os", ""], " (2 edits): import os"), (["", ""], " (2 edits)"),
    (["+ a = 1\n+ …\n+ b = 2"], ": a = 1 ⏎ … ⏎ b = 2"),  # a was put in at another place than b
    (["+ a += 1\n+ b = 2\n+ a += 1"], ": a += 1 ⏎ b = 2 ⏎ a += 1"),
    (["- a = 1\n+ b = 1", "+ x = 1\n+ a = 1\n+ c = 1"], " (2 edits): ⟦a → b⟧ = 1; before that: x = 1 ⏎ … ⏎ c = 1"),
    (["", "+ a = 1"], " (2 edits, the newest not shown): a = 1"),
    (["- a = 1\n- … 7 more lines\n+ a = 2\n+ … 37 more lines"], ": a = ⟦1 → 2⟧ ⏎ …"),
    (["- a = 1\n- b = 1\n+ a = 2\n+ …\n+ b = 2"], ": a = ⟦1 → 2⟧ ⏎ b = ⟦1 → 2⟧"),
])
def test_what_edits_of_a_file_did(changes: list[str], end: str) -> None:
    edits = [item("action", "a.py", number, tool="Edit", path=f"{ROOT}/a.py", edits=1, change=change)
             for number, change in enumerate(reversed(changes))]
    assert work(*edits) == [f"- Edited a.py{end}"]


@pytest.mark.parametrize(("tools", "count"), [
    (["Write"], ""), (["Edit", "Write"], " (1 edit and once written whole"),
    (["Write", "Write"], " (2 times written whole"),
    (["Edit", "Edit", "Write"], " (2 edits and once written whole"), (["Edit", "Edit"], " (2 edits")])
def test_a_file_written_whole_is_no_edit(tools: list[str], count: str) -> None:
    edits = [item("action", "a.py", number, tool=tool, path=f"{ROOT}/a.py", edits=1, change="")
             for number, tool in enumerate(reversed(tools))]
    [line] = work(*edits)
    assert line.startswith(f"- {'Wrote' if tools[0] == 'Write' else 'Edited'} a.py{count}")
    assert ("edit" in line.partition("a.py")[2]) == (" edit" in count)


def test_what_was_there_before_a_file_was_written_whole_is_not_told() -> None:
    edits = [item("action", "a.py", number, tool=tool, path=f"{ROOT}/a.py", edits=1, change=f"+ {name} = 1")
             for number, (tool, name) in enumerate([("Edit", "a"), ("Write", "b"), ("Write", "c"), ("Edit", "d")])]
    assert work(*edits) == ["- Edited a.py (2 edits and 2 times written whole): d = 1; before that: c = 1"]


@pytest.mark.parametrize(("verdict", "later", "parts"), [
    ("failed", False, ["a.py was not edited: not found"]), ("running", False, ["(no result yet)"]),
    ("failed", True, ["Edited a.py"])])
def test_an_edit_that_did_not_work(verdict: str, later: bool, parts: list[str]) -> None:
    edit = item("action", "a.py", 1, tool="Edit", path=f"{ROOT}/a.py", edits=0, verdict=verdict, result="not found")
    worked = [item("action", "a.py", 2, tool="Edit", path=f"{ROOT}/a.py", edits=1)] * later
    text = "\n".join(work(edit, *worked))
    assert all(part in text for part in parts)
    assert ("was not edited" in text) == (verdict == "failed" and not later)


def test_an_edit_that_worked_stays_beside_a_later_one_that_was_refused() -> None:
    worked = [item("action", "a.py", number, tool="Edit", path=f"{ROOT}/a.py", edits=1, change=f"+ {name} = 1")
              for number, name in enumerate("cd")]
    refused = item("action", "a.py", 2, tool="Edit", path=f"{ROOT}/a.py", edits=0, verdict="failed",
                   change="+ e = 1", result="Claude requested permissions")
    assert work(*worked, refused) == [
        "- Edited a.py (2 edits): d = 1; before that: c = 1; a later edit was not made: Claude requested permissions"]


def test_what_was_looked_at_stands_among_the_steps() -> None:
    items = [item("look", "a.py", 1), item("look", f"{ROOT}/b.py", 2), item("look", "zones", 3, tool="Grep",
             result="9 hits"), item("look", "old", 4, tool="Grep", result="no matches"), item("look", "gone.py", 5,
             result="File does not exist."), item("look", "cat c", 6, tool="Bash", result="the zones"),
             item("look", "git status", 7, tool="Bash", result="M a.py"),
             item("action", "a.py", 8, tool="Edit", path="a.py", edits=1)]
    assert work(*items)[1:] == [
        "- `cat c` → the zones", "- Read gone.py (File does not exist.)", "- Grep `old` in old → no matches"]


def test_of_the_newest_calls_more_is_shown() -> None:
    old, new = (item("look", f"cat {name}", number, tool="Bash", result=name) for number, name in ((1, "a"), (3, "b")))
    search = item("look", "zones", 4, tool="Grep", path="", result="2 hits", output="a.py:1: zones ⏎ b.py:2: zones")
    assert work(old, item("message", "Look.", 2), new, search) == [
        "- Grep `zones` → a.py:1: zones ⏎ b.py:2: zones", "- `cat b` → b", "- `cat a` → a"]


@pytest.mark.parametrize("fields", [
    {"text": "mkdir -p a && cd a"}, {"text": "git add a.py"}, {"tool": "Skill"}, {"made": "create_issue → ABC-1"},
    {"text": "make lint", "family": "lint", "verdict": "passed"}, {"text": "make lint 2>&1", "result": "2 warnings"},
    {"text": "git commit -m x", "commit": "4be2a91", "result": "[main 4be2a91] x"},
    {"tool": "Read", "verdict": "not run", "result": "‹tool_use_error>Sibling tool call errored"}])
def test_what_stands_elsewhere_or_says_nothing_is_left_out(fields: Any) -> None:
    action = item("action", fields.get("text", "make all"), **{k: v for k, v in fields.items() if k != "text"})
    stated = {*naming("make lint", result="2 warnings"), "4be2a91"}
    assert [*work_lines([action], Paths(ROOT, ROOT), stated, "", {})] == []


@pytest.mark.parametrize(("command", "result"), [
    ("make links", "12 links"), ("make docs", "2 warnings and an error"), ("git push", "4be2"), ("echo", "2")])
def test_what_is_a_part_of_a_thing_stated_elsewhere_stands(command: str, result: str) -> None:
    stated = {*naming("make all", result="2 warnings"), "4be2a91"}
    action = item("action", command, result=result)
    [line] = work_lines([action], Paths(ROOT, ROOT), stated, "", {})
    assert line["items"] == [action]


@pytest.mark.parametrize(("command", "then"), [
    ("cargo build | tail", "FAILED then, passed later"),
    ("cargo build && ./rates zones.csv", "FAILED then, its check passed later")])
def test_of_a_line_that_ran_more_its_check_alone_passed_later(command: str, then: str) -> None:
    failed = item("action", command, family="build", verdict="failed", result="error")
    [line] = work_lines([failed], Paths(ROOT, ROOT), set(), "", {failed["position"]: " then, passed later"})
    assert line["text"] == f"- `{command}` → {then}: error"


@pytest.mark.parametrize(("command", "is_silent", "end"), [
    ("git tag -l", True, " → (no output)"), ("git tag -l", False, ""), ("git status --short", True, " → (no output)"),
    ("cd rates", True, ""), ("git branch && cd a", True, " → (no output)")])
def test_a_look_that_printed_nothing_says_so_where_it_was_asked_for(command: str, is_silent: bool, end: str) -> None:
    assert work(item("look", command, tool="Bash", path="", is_silent=is_silent)) == [f"- `{command}`{end}"]


@pytest.mark.parametrize("kind", ["look", "action"])
def test_a_command_without_output_whose_errors_went_nowhere_may_have_failed(kind: Any) -> None:
    assert work(item(kind, "ls -la apps 2>/dev/null | head", tool="Bash", path="")) == [
        "- `ls -la apps | head` → (no output; errors were hidden)"]


@pytest.mark.parametrize("result", [
    "‹tool_use_error>Sibling tool call errored", "(only its own text)"])
def test_a_look_that_did_not_take_place_or_shows_its_own_text_is_none(result: str) -> None:
    assert work(item("look", "ls rates", tool="Bash", path="", result=result)) == []


# --- what was changed ---


@pytest.mark.parametrize(("change", "known", "shown"), [
    ("", (), ""), ("- a", (), "gone: a"), ("- a\n…\n- b", (), "gone: a ⏎ b"),
    ("+ a", (), "a"), ("+ a\n+ b", ("a",), "a ⏎ b"),
    ("+ a\n+ b", ("a", "b"), ""), ("+ }\n+ x", (), "x"),
    ("- load(day, 1)\n+ load(day, 2)", (), "load(day, ⟦1 → 2⟧)"),
    ("- load(day)\n+ load(day, zone)", (), "load(⟦day → day, zone⟧)"),
    ("-  a = 1\n+   a = 1", (), ""),
    ("- alpha\n+ something else", (), "something else"),
    ("- " + "x" * 90 + "(1)" + "y" * 90 + "\n+ " + "x" * 90 + "(2)" + "y" * 90, (),
     "…" + "x" * 29 + "(⟦1 → 2⟧)" + "y" * 29 + "…"),
])
def test_a_change_in_short(change: str, known: tuple[str, ...], shown: str) -> None:
    assert change_in_words(change, {*known}, set()) == shown


def test_of_many_rows_that_went_those_shown_are_said_to_have_gone() -> None:
    rows = [f"<Section title='zone {number}' price={{{number}}}>" for number in range(9)]
    change = change_in_words("\n".join(f"- {row}" for row in ["</div>", *rows]), set(), set())
    shown = rows_within(change, 120)
    assert shown == f"gone: </div> ⏎ {rows[0]} ⏎ {rows[1]} ⏎ …"  # from the first on
    assert units(shown) <= 120


@pytest.mark.parametrize(("words", "then", "call", "title"), [
    ("Done.\nShall I push?", [], "", ", with a question that no message answers"),
    ("Which of both?\n1. cents\n2. euros", [], "", ", with a question that no message answers"),
    ("先导出还是先测试？", [], "", ", with a question that no message answers"),
    ("**Shall I push?**", [], "one call: `ls`", " (then one call: `ls`)"),
    ("Done.", [item("message", "Go on.", position=9, via="prompt")], "one call: `ls`",
     ", of the turn before (then one call: `ls`)"),
    ("Done.", [item("message", "Go on.", position=9, via="queue")], "one call: `ls`", " (then one call: `ls`)"),
    ("Shall I push?", [item("message", "Yes.", position=9)], "", ""),
    ("`rates?zone=7` is done.", [], "", ""),
])
def test_that_a_question_of_the_last_words_has_no_answer_is_said(
        words: str, then: list[Item], call: str, title: str) -> None:
    items = [item("said", words, position=3), *then]
    [line] = last_words_line({"state": {"last_words": words}, "items": items}, 300, call)
    assert line["text"].split("\n")[0] == f"- The agent's last words{title}:"


TICKED = "To do:\n1. ✅ Draw the zones\n- [x] Ship\n**Shall I?** I can begin at once. 🚀"


@pytest.mark.parametrize(("words", "steps", "is_said"), [
    (TICKED, [], True),
    (TICKED, [item("look", "a.py", 4), item("action", "query: zones", 4, tool="WebSearch")], True),
    (TICKED, [item("action", "a.py", 2, tool="Edit", path="a.py", edits=1)], True),  # before the turn
    (TICKED, [item("action", "a.py", 8, tool="Edit", path="a.py", edits=1)], True),  # behind the words
    (TICKED, [item("action", "a.py", 4, tool="Edit", path="a.py", edits=1)], False),
    (TICKED, [item("action", "sed -i s/a/b/ a.py", 4)], False),
    (TICKED, [item("action", "Agent", 4, tool="Task")], False),
    (TICKED, [item("action", "make zones", 8, first=stamp(2), uses=3)], False),  # in the turn, too, it may be
    (TICKED.replace("1. ", "").replace("[x] ", ""), [], False),
    ("1. ✅ Zones are drawn\nAll is done.", [], False),
])
def test_that_ticks_came_before_any_edit_of_their_turn_is_said(words: str, steps: list[Item], is_said: bool) -> None:
    items = [item("message", "Plan the zones", 3, via="prompt"), item("said", words, 6), *steps]
    [line] = last_words_line({"state": {"last_words": words}, "items": items}, 300, "one call: `ls`")
    more = " (ticked before any edit of its turn)" if is_said else ""
    assert line["text"].partition("\n")[0] == f"- The agent's last words{more} (then one call: `ls`):"
    [line] = last_words_line({"state": {"last_words": words}, "items": items[1:]}, 300, "one call: `ls`")
    assert "(ticked" not in line["text"], "where the turn began is not known"


@pytest.mark.parametrize(("calls", "shown"), [
    ([item("look", "ls", tool="Bash")], "one call: `ls`"),
    ([item("action", "a.py", tool="Edit", path="a.py", edits=1, verdict="ended")],
     "one call, which was made: Edit `a.py`"),
    ([item("action", "a.py", tool="Edit", edits=1, verdict="failed")], "one call, which failed: Edit `a.py`"),
    ([item("action", "make", tool="Bash", verdict="ended")], "one call: `make`"),  # whether it did so is not known
    ([item("action", "make", tool="Bash", verdict="running")], "one call, its result is not in the transcript: `make`"),
    ([item("look", "ls", tool="Bash"), item("action", "make", tool="Bash", verdict="failed", position=2)],
     "calls, last, which failed: `make`"),
    ([item("action", name, tool="Edit", path=name, edits=1, verdict=verdict, position=position)
      for position, (name, verdict) in enumerate([("a.py", "ended"), ("b.py", "failed"), ("c.py", "ended")])]
     + [item("look", "a.py", tool="Read", position=9)], "calls, edits of a.py, c.py among them, last: Read `a.py`"),
    ([item("look", "ls", tool="Bash"), item("said", "Let me write it:", position=3),
      item("action", "a.py", tool="Write", path="a.py", edits=1, verdict="ended", position=3)],
     "one call, which was made: Write `a.py`"),
    ([item("look", "ls", tool="Bash", position=2), item("said", "It is written.", position=3)], ""),
    ([item("said", "I plan it:", position=3), item("task", "Read", position=4, list="todo", status="pending"),
      item("look", "ls", tool="Bash", position=5)], "calls, last: `ls`"),
    ([item("task", "Read", position=1, list="todo", status="pending"), item("said", "Boxes:\n- [ ] a", position=3),
      item("task", "a", position=3, list="said", status="pending"), item("look", "ls", tool="Bash", position=5)],
     "one call: `ls`"),
])
def test_how_the_last_call_ended_is_said(calls: list[Any], shown: str) -> None:
    assert last_call(calls, Paths("/srv", "/srv")) == shown


def test_of_last_words_a_long_row_that_the_summary_holds_is_marked_and_a_short_one_stands() -> None:
    rows = [f"row {number} of the table of zones and of what they cost" for number in range(3)]
    summary = "\n".join([*rows, "func priceOf(zone string) int {"])
    assert without_known_lines(["First.", *rows, "Last."], summary) == ["First.", AS_IN_SUMMARY, "Last."]
    assert without_known_lines(["First.", rows[0], "Last."], summary) == ["First.", rows[0], "Last."]
    assert without_known_lines(["First.", *rows], summary) == ["First.", *rows], "the last line stands, and its row"


def test_of_a_long_line_no_half_name_is_shown() -> None:
    name = "NON_EXPIRING_ZONES_OF_ALL_TYPES"
    change = f'- {name} = {{"GC", "Citizen"}}\n+ {name} = {{"GC", "CITIZEN"}}'
    edit: Any = item("action", "a.py", 1, tool="Edit", path="a.py", change=change, edits=1)
    assert work(edit) == [f'- Edited a.py: …{name} = {{"GC", "⟦Citizen → CITIZEN⟧"}}']


def new_file(name: str, number: int, verdict: str = "ended") -> Any:
    return item("action", f"in/{name}", number, tool="Write", path=f"in/{name}", change=f"+ # {name}", edits=1,
                verdict=verdict)


def test_many_new_files_of_a_kind_share_a_line() -> None:
    many = [new_file(f"{letter}.txt", number) for number, letter in enumerate("abcdefgh")]
    lines = work(*many, new_file("only.md", 20))
    assert [line.partition(":")[0] for line in lines] == [
        "- Wrote in/only.md", "- Wrote in/h.txt", "- Wrote in/g.txt", "- Wrote 6 more files in in"]
    assert lines[-1].endswith("f.txt, e.txt, d.txt, c.txt, b.txt, a.txt")
    of_turns = [*many[:5], {**many[5], "turn_began": many[5]["last"]}, *many[6:]]
    assert "- Wrote 6 more files in in (some in earlier turns): f.txt, e.txt" in work(*of_turns)[-1]
    assert len(work(*many[:5])) == 5  # few enough for a line each
    failed: Any = new_file("a.txt", 30, verdict="failed")
    edited: Any = {**new_file("b.txt", 31), "tool": "Edit"}
    assert "- Wrote 4 more files in in: f.txt, e.txt, d.txt, c.txt" in work(*many, failed, edited)


@pytest.mark.parametrize(("fields", "is_shown"), [({}, False), ({"picks": "B) round half up"}, True),
                                                  ({"refused": "$ make"}, True)])
def test_a_message_that_is_a_rule_stands_where_it_picks_or_refuses_something(fields: Any, is_shown: bool) -> None:
    words = "B, and never touch the tests"
    items = [item("rule", words, 1), item("message", words, 1, **fields), item("message", "Go.", 2)]
    assert any(words in line["text"] for line in message_lines(items, ago, WIDE)) == is_shown


@pytest.mark.parametrize(("command", "end"), [
    ("mv a b && rm c", ""), ("npm run lint", " → (no output)"), ("make a | head -3", " → (no output)"),
    ("git diff --quiet && rm c", " → (no output)")])
def test_that_nothing_was_printed_is_said_where_something_was_looked_for(command: str, end: str) -> None:
    assert work(item("action", command)) == [f"- `{command}`{end}"]


@pytest.mark.parametrize(("family", "verdict", "output", "shown"), [
    ("test", "failed", "FAIL zones ⏎ 12 failed", "FAIL zones ⏎ 12 failed"),
    ("test", "failed", "195| }); ⏎ … ⏎ 12 failed", "12 failed · zones"),
    ("test", "passed", "ok a.go ⏎ " * 80, "12 failed · zones"),
    ("test", "unknown", "195| }); ⏎ … ⏎ 12 failed", "195| }); ⏎ … ⏎ 12 failed"),  # its end was not read from it
    ("", "failed", "195| }); ⏎ … ⏎ 12 failed", "195| }); ⏎ … ⏎ 12 failed")])
def test_of_a_check_that_was_read_the_output_stands_only_where_it_is_whole(
        family: str, verdict: str, output: str, shown: str) -> None:
    [line] = work(item("action", "make all", family=family, verdict=verdict, output=output, result="12 failed · zones"))
    assert line.endswith(f": {shown}")


@pytest.mark.parametrize(("rows", "is_whole"), [(12, True), (40, False)])
def test_of_a_command_that_holds_code_stands_what_the_agent_called_it(rows: int, is_whole: bool) -> None:
    code = "\n".join(f"print('zone {number}')" for number in range(9))
    result = " ⏎ ".join(f"zone {number} costs 7 cents" for number in range(rows))
    script = item("action", f'cd api && python3 -c "{code}"', described="Compare the zones", result=result)
    [text] = work(script)
    assert text.startswith('- `cd api && python3 -c "…"` (Compare the zones) → ')
    assert ("…" not in text.partition(" → ")[2]) is is_whole


def test_the_longer_form_has_more_of_the_result() -> None:
    result = " ⏎ ".join([*(f"row {number} of the zones" for number in range(20)), "==> Done. Zones uploaded"])
    line = next(work_lines([item("action", "make send", result=result)], Paths(ROOT, ROOT), set(), "", {}))
    assert line["text"].endswith("⏎ ==> Done. Zones uploaded")
    assert len(line["text"]) + 100 < len(line["whole"])


@pytest.mark.parametrize(("pattern", "folder", "is_overtaken"), [
    ("src/zones/*.py", "", True), ("**/*.py", "", True), ("src/zones", "", True), ("**/zones", "", True),
    ("*.py", "src/zones", True), ("*.py", "src", True), ("src/rates/*.py", "", False), ("*.md", "src", False),
    ("ones", "", False)])
def test_a_search_by_names_that_met_nothing_before_the_file_was_made(
        pattern: str, folder: str, is_overtaken: bool) -> None:
    search: Any = item("look", pattern, 1, tool="Glob", path=folder, result="no matches")
    made: Any = item("action", "sorted.py", 2, tool="Write", path="src/zones/sorted.py", change="+ a = 1", edits=1)
    before: Any = {**made, "position": 0}
    assert any(line.startswith("- Glob") for line in work(search, made)) != is_overtaken
    assert any(line.startswith("- Glob") for line in work(before, search))



def test_a_search_that_met_nothing_is_left_out_where_its_words_came_up_later() -> None:
    search: Any = item("look", "zone_rates", 1, tool="Grep", path="", result="no matches")
    edit: Any = item("action", "a.py", 2, tool="Edit", path="a.py", change="+ other = 1")
    later: Any = {**edit, "change": "+ zone_rates = load()"}
    assert "- Grep `zone_rates` → no matches" in work(search, edit)
    assert "- Grep `zone_rates` → no matches" not in work(search, later)
    behind: Any = {**search, "position": 3}
    assert "- Grep `zone_rates` → no matches" in work(later, behind)


@pytest.mark.parametrize(("edited_at", "is_shown"), [(0, False), (9, False), (None, True)])
def test_that_a_file_was_read_is_shown_where_it_was_not_edited(edited_at: int | None, is_shown: bool) -> None:
    read: Any = item("look", "zones.py", 5, tool="Read", path="zones.py", result="")
    edits: Any = [] if edited_at is None else [
        item("action", "zones.py", edited_at, tool="Edit", path=f"{ROOT}/zones.py", change="+ a = 1", edits=1)]
    items = sorted([read, *edits], key=lambda done: done["position"])
    assert [line["text"] for line in files_read_lines(items, "", Paths(ROOT, ROOT))] == (
        ["- read, newest first: zones.py"] if is_shown else [])


def test_a_file_has_one_name_in_all_its_lines() -> None:
    read: Any = item("look", "src/zones.py", 5, tool="Read", path=f"{ROOT}/src/zones.py", result="No such file.")
    edit: Any = item("action", "zones", 2, tool="Edit", path=f"{ROOT}/src/zones.py", change="+ a = 1", edits=1)
    assert [line.partition(":")[0] for line in work(edit, read)] == [
        "- Read src/zones.py (No such file.)", "- Edited src/zones.py"]


def test_of_a_search_the_hits_in_files_that_were_edited_since_are_left_out() -> None:
    hits = ["a.py:1: zones", "b.py:2: zones", "node_modules/zones/index.js:3: zones"]
    search: Any = item("look", "zones", 3, tool="Grep", path="", result="2 hits", hits=hits)
    edit: Any = item("action", "a.py", 9, tool="Edit", path=f"{ROOT}/a.py", change="+ a = 1", edits=1)
    lines = work_lines([search, edit], Paths(ROOT, ROOT), set(), "", {})
    [of_search] = [line for line in lines if "Grep" in line["text"]]
    assert of_search["rows"] == ["b.py:2: zones"]


@pytest.mark.parametrize(("path", "position", "change", "shown"), [
    ("a.py", 9, "+ a = 1", "- Grep `zones` → 1: zones (edited since: a.py)"),
    ("a.py", 9, "- zones\n+ regions", ""), ("a.py", 3, "- zones", ""),
    ("b.py", 9, "- zones", "- Grep `zones` → 1: zones"),
    ("a.py", 2, "- zones", "- Grep `zones` → 1: zones"),
])
def test_of_a_newest_search_it_is_said_whether_its_hits_were_edited_since(path: str, position: int, change: str,
                                                                          shown: str) -> None:
    search: Any = item("look", "zones", 3, tool="Grep", path="", result="a.py:1: zones", hits=["a.py:1: zones"],
                       output="1: zones")
    edit: Any = item("action", path, position, tool="Edit", path=f"{ROOT}/{path}", change=change, edits=1)
    items = sorted([search, edit], key=lambda done: done["position"])
    assert "".join(line for line in work(*items) if "Grep" in line) == shown


def test_a_file_that_was_read_is_left_out_where_the_summary_names_it() -> None:
    read: Any = item("look", "src/zones.py", 1, tool="Read", path="src/zones.py", result="")
    failed: Any = {**read, "result": "File does not exist."}
    paths = Paths(ROOT, ROOT)
    assert [line["text"] for line in work_lines([failed], paths, set(), "zones.py", {})] == [
        "- Read src/zones.py (File does not exist.)"]
    assert [*files_read_lines([read], "It is in zones.py.", paths)] == []
    assert len([*files_read_lines([read], "It is in rates.py.", paths)]) == 1


@pytest.mark.parametrize(("change", "limit", "shown"), [
    ("call(a) ⏎ call(b) ⏎ LIMIT = 30 ⏎ call(c)", 30, "call(a) ⏎ … ⏎ LIMIT = 30 ⏎ …"),
    ("call(a) ⏎ zones: { ⏎ near: 3 ⏎ far: 9 ⏎ call(b) ⏎ call(c)", 40, "… ⏎ zones: { ⏎ near: 3 ⏎ far: 9 ⏎ …"),
    ("call(a) ⏎ zones: { ⏎ near: 'a long value' ⏎ call(b)", 30, "… ⏎ near: 'a long value' ⏎ …"),
    ("call(a) ⏎ ZONES = [ ⏎ def near(day): ⏎ call(b) ⏎ call(c)", 34, "call(a) ⏎ … ⏎ def near(day): ⏎ …"),
    ("call(a) ⏎ LIMIT = 30 ⏎ … 9 more lines", 25, "call(a) ⏎ LIMIT = 30 ⏎ …"),
    ("call(a) ⏎ … 9 more lines", 30, "call(a) ⏎ … 9 more lines"),
    ("call(a) ⏎ call(b)", 30, "call(a) ⏎ call(b)"), ("one long row of it", 9, "one long…"),
    ("a row too long ⏎ another too long", 9, "a row to…"), ("", 9, "")])
def test_of_a_long_change_the_rows_that_tell_most(change: str, limit: int, shown: str) -> None:
    assert rows_within(change, limit) == shown


@pytest.mark.parametrize(("command", "fields", "is_whole"), [
    ("scp zones a.org: && ", {}, True), ("make zones && ", {"uses": 2}, True), ("make zones && ", {}, False),
    ("scp zones a.org: && ", {"verdict": "failed", "result": "no route"}, False)])
def test_a_command_that_one_types_again_is_whole(command: str, fields: Any, is_whole: bool) -> None:
    long = f"{command}mv zones.new zones && " + " && ".join(f"touch zone{number}" for number in range(15))
    [line] = work(item("action", long, **fields))
    assert (long in line) is is_whole


def test_a_look_without_a_result_says_so(tmp_path: Path) -> None:
    session = Session()
    session.ran("Bash", "all green", command="gh pr checks 7")
    session.says("I wait for the checks of the pull request.")
    session.call("Bash", command="gh pr checks 7 --watch 2>/dev/null")
    looks = items_of(snapshot_of(session, tmp_path), "look")
    assert work(*looks) == ["- `gh pr checks 7 --watch` → (no result yet)",
                            "- `gh pr checks 7` → all green"]
    assert last_call(looks, Paths(ROOT, ROOT)).startswith(
        "calls, last, its result is not in the transcript: `gh pr checks 7 --watch")
    looks[1]["has_lost_result"] = True
    assert work(looks[1]) == [
        "- `gh pr checks 7 --watch` → (no result on record)"]


def test_services_that_were_stopped_are_said_to_be_so() -> None:
    up, looked, down = (item("action", text, result=result, key=text) for text, result in (
        ("docker compose up -d", "Container web Started"), ("docker compose ps", "web Up 2 minutes"),
        ("docker compose down", "Container web Removed")))
    items: list[Any] = [{**step, "position": position} for position, step in enumerate((up, looked, down), 1)]
    paths = Paths(ROOT, ROOT)
    services = Services(items, ROOT)
    assert [line["text"] for line in service_lines(services, paths, lambda _: "1 h before")] == [
        "- Stopped, no start seen since: `docker compose down` (1 h before)"]
    shown = [line["text"] for line in with_services(work_lines(items, paths, set(), "", {}), services, paths)]
    assert shown == ["- `docker compose down` → Container web Removed",
                     "- `docker compose ps` → web Up 2 minutes (since then `docker compose down`)",
                     "- `docker compose up -d` → Container web Started (stopped since)"]
    assert [line["text"] for line in service_lines(Services(items[:2], ROOT), paths, lambda _: "1 h before")] == [
        "- Started, no end seen: `docker compose up -d` (1 h before)"]
