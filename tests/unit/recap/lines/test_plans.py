"""The task as it was given: which rows of a long plan stand there, and when a plan is told by its title alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from compact_keeper.recap.compose import ROOM
from compact_keeper.recap.lines.plan_rows import rows_of, task_in_short, value_of, with_marks
from compact_keeper.recap.lines.plans import (
    GIVEN_TASK_MAX_UTF16,
    WHOLE_TASK_MAX_UTF16,
    commits_before_another_order,
    end_of_turn,
    plan_lines,
    since_then,
)
from compact_keeper.recap.lines.typed_words import message_lines
from compact_keeper.recap.wording.phrases import AS_IN_SUMMARY
from compact_keeper.record.items import new_item
from compact_keeper.text.length import MIDDLE_GONE
from compact_keeper.types import Item, Line, MessageRoom
from entries import entry
from sessions import stamp, units

FILLING = [f"- read part {number} of the many parts" for number in range(200)]
PLAN = "\n".join(["# Zones", "## Tables", *FILLING, "## Constraints", "- as few tables as now", "### In SQL", "- plain",
                  "## Later", "nothing", "## Verification", "1. `make test` passes", "2. two zones differ"])
WIDE: MessageRoom = {**ROOM, "newest": 500}


def item(kind: Any, text: str, number: int = 1, **more: Any) -> Any:
    extra: dict[str, Any] = {"action": {"tool": "Bash", "path": "", "verdict": "ended", "result": "", "key": text,
                                        "family": ""},
                             "task": {"list": "task"}}
    return {**new_item(kind, entry(number, "x"), text, "user", **{**extra.get(kind, {}), **more}),
            "position": number}


def ago(_: str) -> str:
    return "2 min before"


def tasks_of(items: Sequence[Item], most: int = GIVEN_TASK_MAX_UTF16) -> Iterator[Line]:
    """The lines of the tasks that these items give, beside no summary."""
    return plan_lines(items, ago, "", most, "")


def shown(text: str, limit: int = 900, **known: Any) -> list[str]:
    weighed_by: Any = known
    return task_in_short(text, [limit], weighed_by)[0]


@pytest.mark.parametrize("text", [
    pytest.param(text, id=name) for name, text in {
        "short": "# Plan\n\n- read\n", "nothing": "\n\n", "no spaces": "🚚" * 5_000, "one word": "x" * 9_000,
        "one row 300 times": "# Plan\n" + "- read each file of it\n" * 300 + "- never push\n",
        "a fence without end": "# A\n```\n" + "x\n" * 3_000,
        "colons": "a:\n" * 4_000, "headings": "# A\n" * 4_000, "deep": "".join(" " * n + "- a:\n" for n in range(300)),
        "bold": "**a**\n" * 3_000}.items()])
def test_any_text_fits_its_room(text: str) -> None:
    [line] = tasks_of([item("message", "# Old", via="plan"), item("message", text, 2, via="plan")])
    assert units(line["text"]) < 2_900
    assert units(line["whole"]) < WHOLE_TASK_MAX_UTF16 * 3 // 2
    assert "# Old" not in line["text"]
    assert ("never push" in text) == ("> - never push" in line["text"])


def test_a_long_plan_keeps_what_binds_and_how_it_is_checked() -> None:
    rows = shown(PLAN)
    assert rows[0] == "# Zones"
    assert rows[1].startswith("[…] 1")
    assert "nothing stands here of: Later" in rows[1]
    for row in ("## Constraints", "- as few tables as now", "- plain", "## Verification", "1. `make test` passes"):
        assert row in rows
    assert rows.index("## Constraints") < rows.index("## Verification")
    assert "what lies beyond the record" in shown(PLAN.replace("## Later", MIDDLE_GONE))[1]


def test_a_short_one_stands_whole_but_for_what_the_summary_has() -> None:
    assert shown("a\n---\n|---|\nb") == ["a", "b"], "rows without a word say nothing"
    known = "\n".join(f"step {number} of the many of them" for number in range(30))
    assert shown(f"# Zones\n{known}\nend", 9_000, summary=known) == ["# Zones", AS_IN_SUMMARY, "end"]


KNOWN: Any = {"summary": "Read `known.py` of 7.", "done": {"step 1"}, "edited": {"a.py"}}


@pytest.mark.parametrize(("row", "other"), [
    ("- Do not touch `core.py`", "- All of it is specified"),
    ("1. Add `zone` to the table", "The tables are many and of several kinds"),
    ("| `c.py` | add it |", "| `a.py` | add it |"),
    ("- a row of a list", "## Scope: Complete\n- a row of praise"),
    ("- read `zones.py`", "## Context\n- read `tables.py`"),
    ("- plain words", "```\nlet code = 1\n```"),
    ("## Step 2: more\n- write b", "## Step 1: first\n- write a"),
    ("- それ以外は変更しない", "- これは文です"),
    ("- read `new.py` of 7", "- read `known.py` of 7"),
    ("## Verification\n- it holds", "## Risks\n- it may not hold"),
    ("## Verification\n- it holds", "## `src/test/zones.c`\n- it holds"),
    ("a", "a:"),
    ("a", "**all of it**"),
])
def test_which_of_two_rows_goes_first(row: str, other: str) -> None:
    values = list[float]()
    for text in (row, other):
        rows = rows_of(f"# P\n{text}")
        values.append(value_of(rows, len(rows) - 1, KNOWN, {}))
    assert values[0] > values[1]


def test_a_title_names_no_part_of_its_task() -> None:
    rows = rows_of("# Test suite\n## Files\n- a\n## Verification\n- b")
    assert value_of(rows, 4, {}, {}) > 2 * value_of(rows, 2, {}, {})


@pytest.mark.parametrize(("behind", "expected"), [
    (["for (;;) { }", "```", "- wrong", "## Later", "- last"], ["# P", "## Files", "- a.c", "## Later", "- last"]),
    (["- goes on", "- last"], ["# P", "## Files", "- a.c", "- goes on", "- last"]),  # there is no other heading
])
def test_what_stands_behind_a_gap_stands_under_no_heading_of_before(behind: list[str], expected: list[str]) -> None:
    rows = rows_of("\n".join(["# P", "## Files", "- a.c", "```", MIDDLE_GONE, *behind]))
    assert [row["text"] for row in rows] == expected
    assert not any(row["is_code"] for row in rows)
    assert rows[-1]["headings"] == ([3] if "## Later" in behind else [])



@pytest.mark.parametrize(("block", "is_code"), [
    ("  if (!rate) {\n    return null;\n\n  }\n  const a = never", True), ("\tfor x in xs\n\t  [\n\t  a,\n\t  ]", True),
    ("  if (!rate) {\n  return;\n  }", False),  # too few rows
    ("  It is never rounded.\n  Keep it;\n  as it is\n  now.", False), ("  - a;\n  - b;\n  - c;\n  - d;", False),
    ("  a\n  b\n  c\n  d;", False), ("a;\nb;\nc;\nd;", False),
    ("  keep it (as it is),\n  test it,\n  round it (half up),\n  no zones", False),
    ("  set(\n  a,\n  b,\n  c);", True),
])
def test_a_block_that_is_set_off_and_ends_its_rows_as_code_does_is_code(block: str, is_code: bool) -> None:
    rows = rows_of(f"# P\nPut this there:\n\n{block}\n\n- words, never code")[1:]
    assert [row["is_code"] for row in rows] == [False, *[is_code] * (len(rows) - 2), False]
    assert [row["is_code"] for row in rows_of(f"# P\n{block}")[1:]] == [is_code] * (len(rows) - 2)


@pytest.mark.parametrize(("head", "is_code"), [
    ("- Constraints, as agreed", False), ("  1. Constraints", False), ("Constraints:", False),
    ("**Constraints:**", False), ("- Constraints\n  as agreed", False), ("- Constraints\n  as agreed\n", True),
    ("Put this there", True), ("Constraints:\nput this there", True),
])
def test_what_goes_on_from_a_member_or_its_head_is_no_code(head: str, is_code: bool) -> None:
    block = "  never touch the zones (they are frozen),\n  never round;\n  keep the tolls,\n  test it;"
    rows = rows_of(f"# P\n{head}\n{block}")
    assert any(row["is_code"] for row in rows) is is_code


def test_words_behind_a_block_of_code_are_no_part_of_it() -> None:
    words = rows_of("# P\n\n  a();\n  b();\n  c();\n  set_rates(as_they_stand_in_the_table_of_zones);\nNever round it.")
    assert (words[-1]["text"], words[-1]["is_code"]) == ("Never round it.", False)


def test_the_members_of_a_list_bring_its_head_and_stand_as_it_does() -> None:
    plan = "# P\nWords.\nThese must not change:\n- `a`\n- `b`\n\nThen:\n\n- c\n" + "Filling text.\nMore.\n" * 60
    rows = shown(plan, 150)
    assert rows[3:6] == ["These must not change:", "- `a`", "- `b`"]
    assert ("Then:" in rows) == ("- c" in rows)
    assert rows_of("a:\n\n- b\n  c:\n  - d\ne")[2]["head"] == 0, "a head within a member begins its own list"


@pytest.mark.parametrize(("text", "chosen", "expected"), [
    ("1. a\n2. b\n3. c", {1, 2}, ["1. a", "2. b", "…"]),
    ("1. a\n2. b\n3. c", {2}, ["…", "2. b", "…"]),
    ("1. a\n2. b\n3. c\n4. d", {1, 4}, ["1. a", "…", "4. d"]),
    ("1. a\n2. b\nwords", {1, 2}, ["1. a", "2. b"]),
    ("- a\n  - b\n- c", {1, 3}, ["- a", "…", "- c"]),
    ("| a | b |\n| 1 | 2 |\n| 3 | 4 |", {1, 3}, ["| a | b |", "…", "| 3 | 4 |"]),
    ("- a\n## B\n- b", {1}, ["- a"]),  # of another list nothing stands here
    ("- a\n- b\n## B\n- b", {1, 3, 4}, ["- a", "…", "## B", "- b"]),
    ("All:\n- a\n- b\n\nNone:\n- c\n- d", {1, 2, 4, 5, 6}, ["All:", "- a", "…", "None:", "- c", "- d"]),
    ("words\nmore words\nlast words", {1, 3}, ["words", "last words"]),
    ("```\n- a\n- b\n- c\n```", {1, 3}, ["- a", "…", "- c"]),
])
def test_a_mark_stands_where_members_of_a_list_are_left_out(text: str, chosen: set[int], expected: list[str]) -> None:
    assert with_marks(rows_of(f"# P\n{text}"), {0, *chosen}) == ["# P", *expected]


def test_the_marks_have_room_too() -> None:
    plan = "\n".join(["# P", *(f"## Part {part}\n- do not\n- may\n- must\n- can" for part in range(40))])
    for limit in (300, 500, 900):
        [rows] = task_in_short(plan, [limit], {})
        assert limit / 2 < sum(units(row) + 3 for row in rows) <= limit + 1
        assert "- do not\n…\n- must" in "\n".join(rows)


def test_wrapped_lines_are_one_row_and_code_is_none() -> None:
    text = ("1. **Build** once the parts of it are all of them real and in\n   their place, not before.\n"
            "```\n# no heading\n```")
    first, second = rows_of(text)
    assert first["text"].endswith("and in their place, not before.")
    assert (second["text"], second["is_code"]) == ("# no heading", True)


ORDER = "Please look at all the open issues of this repository and fix them."


@pytest.mark.parametrize(("rest", "done"), [
    ([("commit", "a1")], False),
    ([("commit", "a1"), ("message", ORDER)], True),
    ([("message", ORDER), ("commit", "a1")], False),
    ([("commit", "a1"), ("message", "go on")], False),
    ([("commit", "a1"), ("message", f"{ORDER} Then go to phase 2.")], False),
    ([("pending", "x"), ("commit", "a1"), ("message", ORDER)], False),
    ([("commit", "a1"), ("message", ORDER), ("pending", "x")], True),
    ([("completed", "x"), ("commit", "a1"), *[("message", "go on")] * 3], True),
    ([("commit", "a1"), *[("message", "go on")] * 3], False),
    ([("message", ORDER)] * 3, False),
    ([("commit", "a1"), ("teammate", ORDER)], False),
    ([("commit", "a1"), ("message", ORDER), ("message", "ok now do dev2")], False),
    ([("commit", "a1"), ("message", ORDER), ("message", "ok now do dev3")], True),
    ([("message", "do dev2"), ("commit", "a1"), ("message", ORDER)], True),
])
def test_when_a_plan_is_told_by_its_title(rest: list[tuple[str, str]], done: bool) -> None:
    items = [item("plan", "# Zones\nall of it, then dev2", status="approved", path="/p.md")]
    for number, (kind, text) in enumerate(rest, 2):
        if kind == "commit":
            items.append(item("action", "git commit", number, commit=text, subject="Add zones"))
        elif kind in ("message", "teammate"):
            items.append(item("message", text, number, via=kind.replace("message", "")))
        else:
            items.append(item("task", text, number, status=kind))
    assert bool(commits_before_another_order(items[0], items)) == done
    [line] = tasks_of(items)
    assert ("all of it" in line["text"]) != done
    if done:
        assert line["text"] == ('A plan, approved 2 min before (in /p.md): "Zones". Committed since: a1 "Add zones"; '
                                "the user gave other orders since")


STOP = item("message", "test it first", 5, via="interrupt")


@pytest.mark.parametrize(("since", "is_stopped", "is_whole"), [
    ([STOP], True, False),
    ([STOP, item("action", "a.py", 6, tool="Edit", path="a.py", edits=1)], True, True),  # carried out in part
    ([item("action", "make", 3), STOP], False, True),
    ([item("task", "Draw", 3, status="pending"), STOP], False, True),
    ([item("said", "I begin.", 3), STOP], True, False),
    ([item("message", "test it first", 4), STOP], False, True),
    ([item("message", "and the docs", 4, via="queue"), STOP], False, True),
    ([STOP, item("look", "a.py", 6, first=stamp(1), uses=2)], True, False),  # before the plan, and since the words
    ([STOP, item("look", "a.py", 6, first=stamp(1), uses=3)], False, True),
    ([STOP, item("look", "a.py", 6, first=stamp(3), uses=2)], False, True),
    ([], False, True),
])
def test_a_plan_whose_first_step_was_interrupted_stands_in_short(
        since: list[Any], is_stopped: bool, is_whole: bool) -> None:
    plan = item("plan", PLAN, 2, status="approved", path="/p.md")
    [line] = tasks_of([item("look", "b.py", 1), plan, *since])
    head = "A plan, approved 2 min before, then interrupted before any step (in /p.md)"
    assert line["text"].startswith(head) == is_stopped
    assert any(units(form) > 1_100 for form in (line["whole"], *line["fuller"])) == is_whole
    [line] = tasks_of([plan, *since])
    assert "interrupted" not in line["text"], "what came before the oldest call that is kept is not known"


def test_an_order_whose_first_step_was_interrupted_stands_as_before() -> None:
    [line] = tasks_of([item("look", "b.py", 1), item("message", SPEC, 2, via="prompt"), STOP])
    assert units(line["text"]) > 1_100, "what was typed next mostly adds to it"


def test_in_small_room_the_short_form_is_small() -> None:
    [line] = tasks_of([item("plan", PLAN, status="approved")], 700)
    assert units(line["text"]) <= 700
    assert "`make test` passes" in line["text"]


def test_a_lead_is_named_and_a_teammate_is_no_lead() -> None:
    items = [item("message", "Read.", via="teammate", sender="team-lead"),
             item("message", "Hi.", via="teammate", sender="bob")]
    assert [line["text"] for line in tasks_of(items)] == ["From team-lead (2 min before):\n> Read."]
    assert [*message_lines(items, ago, WIDE)] == []


SPEC = "\n".join(["BUILD SPEC", *FILLING, "Rules:", "- Only an OWNER may assign OWNER.", "- Nobody removes himself."])


@pytest.mark.parametrize(("since", "words"), [
    ([], ""), ([item("message", "x", 1)], ""), ([item("message", "go on", 3)], " (since then 1 message)"),
    ([item("message", "a", 3), item("message", "b", 4), item("action", "git commit", 5, commit="1a2b3c4")],
     " (since then 2 messages, 1 commit)"),
    ([item("message", "a", 3), item("action", "git commit -m a | tail -1", 4),
      item("action", "git commit", 5, commit="1a2b3c4")], " (since then 1 message, at least 1 commit)"),
    ([item("action", "git commit -m a | tail -1", 4)], ""),
    ([item("action", "git commit", 5, commit="1a2b3c4"), item("action", "git push", 6, commit="1a2b3c4")],
     " (since then 1 commit)"),
    ([item("message", "x", 3, via="teammate"), item("message", "y", 4, via="plan")], ""),
    ([item("message", "x", 3, via="queue"), item("message", "y", 4, via="waited")], " (since then 2 messages)"),
    ([item("message", "x", 5, first=stamp(3), uses=3), item("message", "y", 6)], " (since then at least 4 messages)"),
    ([item("message", "x", 5, first=stamp(1), uses=3)], " (since then at least 1 message)"),
    ([item("message", "a trace, then others", 5, first=stamp(3))], " (since then at least 1 message)"),
])
def test_what_came_since_an_order_stands_in_its_title(since: list[Any], words: str) -> None:
    assert since_then(item("message", SPEC, 2), since) == words


@pytest.mark.parametrize(("since", "words"), [
    ([item("said", "---\n**All four zones are done.** Each has its tests.\nNow let me commit.", 3),
      item("message", "good", 4)], ""),  # it went on, or was broken off
    ([item("said", "---\n**All four zones are done.** Each has its tests.", 3), item("rule", "Never push.", 4),
      item("message", "good", 4)], ' (its turn ended with "All four zones are done. Each has its tests.")'),
    ([item("said", f"I know the zones now. {'Each has its rate. ' * 9}\n## Questions\n- **Which is first?**", 3),
      item("message", "the north", 4)], ' (its turn ended with "…Each has its rate. Each has its rate. Each has its '
     'rate. Each has its rate. Questions Which is first?")'),
    ([item("said", "Zone 1 is done.", 3), item("action", "make zone2", 4), item("message", "go on", 5)], ""),
    ([item("said", "Zone 1 is done.", 3), item("message", "stop", 4, via="interrupt")], ""),
    ([item("said", "Zone 1 is done.", 3)], ""), ([item("message", "go on", 3)], ""), ([], ""),
    ([item("said", "Let me look at zone 1.", 3), item("message", "go on", 4)], ""),
])
def test_how_the_turn_of_an_order_ended_stands_in_its_title(since: list[Any], words: str) -> None:
    assert end_of_turn(since) == words
    title = next(tasks_of([item("message", SPEC, 2), *since]), {"text": ""})["text"].partition("\n")[0]
    assert words in title


def test_an_order_before_another_long_one_is_told_in_short() -> None:
    [alone] = tasks_of([item("message", SPEC, 1), item("message", "go on", 2)], 9_000)
    [before] = tasks_of([item("message", SPEC, 1), item("message", f"Now this. {SPEC}", 2)], 9_000)
    assert units(before["text"]) < 1_100 < units(alone["text"])


@pytest.mark.parametrize(("items", "shown_texts"), [
    ([item("message", SPEC), item("message", "go on", 2)], ["An order, typed 2 min before (since then 1 message):"]),
    ([item("message", f"{SPEC}\n✅ Zones"), item("message", "go on", 2)],
     ["An order, typed 2 min before (since then 1 message) (the ticks in it were there when it was given):"]),
    ([item("message", SPEC)], []),  # the newest message stands where it ended
    ([item("message", SPEC, own="Fix this: [200 pasted lines: …]"), item("message", "go on", 2)], []),
    ([item("message", "x " * 2_000), item("message", "go on", 2)], []),  # of one line
    ([item("message", SPEC, via="teammate", sender="scout"), item("message", "go on", 2)], []),
    ([item("message", f"{number} {SPEC}", number) for number in range(1, 5)], ["An order", "An order"]),
])
def test_a_long_order_that_was_typed_is_a_task(items: list[Any], shown_texts: list[str]) -> None:
    lines = [line["text"] for line in tasks_of(items)]
    assert [line.startswith(begin) for line, begin in zip(lines, shown_texts)] == [True] * len(lines)
    assert len(lines) == len(shown_texts)
    assert all("> - Only an OWNER may assign OWNER." in line for line in lines)


def test_with_what_a_typed_order_ends_it_stands_and_a_plan_s_end_has_no_more_worth() -> None:
    text = "\n".join([*SPEC.splitlines(), *(f"- The toll of zone {number} is not rounded." for number in range(60)),
                      "## At last", "Show me the table of tolls."])
    order, plan = item("message", text, via="prompt"), item("plan", text, status="approved")
    shown_texts = [next(tasks_of([task, item("message", "go on", 2)]))["text"] for task in (order, plan)]
    assert ["> ## At last\n> Show me the table of tolls." in shown_text for shown_text in shown_texts] == [True, False]


def test_go_on_does_not_make_an_order_old() -> None:
    replies = [item("message", "go on", number) for number in range(2, 9)]
    orders = [item("message", f"Now build part {number} of it, with tests for each of its zones and a page.", number)
              for number in range(2, 9)]
    kept, old = (units(next(tasks_of([item("message", SPEC), *later]))["whole"]) for later in (replies, orders))
    assert kept > 3_000 > old


DONE = ("said", "All zones are built.")
OTHER = ("prompt", f"Now look at why the harbour is closed. {'The pier is open then, and the ferry goes. ' * 6}")


@pytest.mark.parametrize(("rest", "is_gone_on_from"), [
    ([OTHER], False),  # nothing was said between: its turn may go on
    ([("said", "All zones are built. Shall I push?"), OTHER], False),
    ([("said", "All of it is built."), ("action", "make"), OTHER], False),
    ([("said", "Let me test them."), OTHER], False),
    ([DONE, ("prompt", "Now look at why the harbour is closed.")], False),
    ([DONE, ("queue", OTHER[1])], False), ([DONE, ("interrupt", OTHER[1])], False),
    ([DONE, ("answers", OTHER[1])], False), ([DONE, ("pasted", OTHER[1])], False),
    ([DONE, ("prompt", f"Continue with it. {OTHER[1]}")], False), ([DONE, ("prompt", f"Phase 2: {OTHER[1]}")], False),
    ([DONE, OTHER, ("prompt", "now phase 2")], False), ([DONE, ("prompt", f"{OTHER[1]} Then do phase 2.")], False),
    ([("open task", "Build zone 3"), DONE, OTHER], False),
    ([DONE, ("prompt", "now phase 2"), DONE, OTHER], True),
    ([DONE, OTHER, ("open task", "Open the harbour")], True),
    ([("done task", "Build zone 3"), DONE, OTHER], True),
    ([DONE, OTHER], True), ([DONE, ("rule", "Never push."), OTHER, ("prompt", "go on")], True),
])
@pytest.mark.parametrize("kind", ["order", "plan"])
def test_when_a_task_is_gone_on_from(rest: list[tuple[str, str]], kind: str, is_gone_on_from: bool) -> None:
    text = f"# Build the zones\n{SPEC}\n## Phase 1\n- tolls\n## Phase 2\n- rates"
    items = [item("message", text) if kind == "order" else item("plan", text, status="approved")]
    items[0].update({"via": "prompt"} if kind == "order" else {})
    for number, (what, words) in enumerate(rest, 2):
        of_message: dict[str, Any] = {"answers": {"via": "prompt", "options": ["1. a?", "2. b?"]},
                                      "pasted": {"via": "prompt", "own": "See: [9 pasted lines]"}}
        if what.endswith(" task"):
            items.append(item("task", words, number, status="completed" if what == "done task" else "pending"))
        elif what in ("said", "action", "rule"):
            items.append(item(what, words, number))
        else:
            items.append(item("message", words, number, **of_message.get(what, {"via": what})))
    lines = [line["text"] for line in tasks_of([*items, item("message", "go on", 20, via="queue")])]
    if is_gone_on_from and kind == "order":
        assert lines == []
    elif is_gone_on_from:
        assert lines == ['A plan, approved 2 min before: "Build the zones"; the user gave other orders since']
    else:
        assert "> - Only an OWNER may assign OWNER." in lines[0]


def test_an_order_before_one_that_was_gone_on_from_stands_no_more() -> None:
    orders = [item("message", f"{SPEC}\n## Phase 7", 1), item("message", SPEC, 2)]
    since = [item(*DONE, 3), item("message", f"{OTHER[1]} It is no phase 7.", 4, via="prompt"), item(*DONE, 5)]
    assert [*tasks_of([*orders, *since, item("message", "go on", 6)])] == []


LATER = ("prompt", "Now tell me why the harbour is closed on Mondays, as it was open in May.")


@pytest.mark.parametrize(("rest", "is_ticked_off"), [
    ([LATER, LATER, LATER], False),  # no list of it
    ([("open task", "Zone 3"), LATER, LATER, LATER], False),
    ([("done task", "Zone 3"), ("open task", "Zone 4"), LATER, LATER, LATER], False),
    ([("done task", "Zone 3"), LATER, ("prompt", "go on"), ("prompt", "and?")], False),
    ([("done task", "Zone 3"), LATER, LATER], False),
    ([LATER, ("done task", "Close the harbour"), LATER, LATER, LATER], False),  # of a later message
    ([("done task", "Zone 3"), LATER, LATER, ("prompt", "And now do phase 2, please, with tests for its zones.")],
     False),
    ([("done task", "Zone 3"), LATER, LATER, LATER], True),
    ([("done task", "Zone 3"), ("prompt", "Yes, and zone 4"), ("done task", "Zone 4"), LATER, LATER, LATER], True),
    ([("done task", "Zone 3"), ("queue", "And the pier"), ("done task", "Pier"), LATER, LATER, LATER], True),
])
def test_an_order_whose_list_is_done_is_no_task_any_more(rest: list[tuple[str, str]], is_ticked_off: bool) -> None:
    items = [item("message", f"# Build the zones\n{SPEC}\n## Phase 1\n- tolls\n## Phase 2\n- rates", via="prompt")]
    for number, (what, words) in enumerate(rest, 2):
        if what.endswith(" task"):
            items.append(item("task", words, number, status="completed" if what == "done task" else "pending"))
        else:
            items.append(item("message", f"{words} {number}", number, via=what))
    assert bool([*tasks_of([*items, item("message", "yes", 20, via="prompt")])]) is not is_ticked_off


STEPS = "\n".join(f"- `step_{number}()` 를 다시 작성한다, 아주 길게 설명한다 {number}" for number in range(120))
MIDDLE = "npm install " + " ".join(f"left-pad-{number}" for number in range(12))
KOREAN_PLAN = f"""# 전체 로드맵

## 구현 순서

{STEPS}

```bash
{MIDDLE}
```

## 확인

```bash
python src/main.py --dry-run "봇"
curl -X POST http://localhost:8000/pulse -d '{{"dry_run": true}}'
pytest tests/ -v --cov=src
```
"""


def test_commands_at_a_plans_end_stand_in_whatever_language() -> None:
    """So it is checked; a command among the steps has no more value than other code."""
    shown, _ = task_in_short(KOREAN_PLAN, (1_500, 3_000), {})
    commands = ("python src/main.py --dry-run", "curl -X POST", "pytest tests/ -v", MIDDLE)
    assert [any(row.startswith(command) for row in shown) for command in commands] == [True, True, True, False]


def test_what_closes_something_stands_in_a_plan_that_has_room() -> None:
    plan = "# Zones\n```ts\nfunction zone() {\n  return 7;\n}\n```\n---\n| a | b |\n|---|---|\n| 1 | 2 |"
    [shown] = task_in_short(plan, [900], {})
    assert "}\n```\n" in "\n".join(shown)
    assert "---" not in shown
