"""Tasks: every form in which the client and the agent list them, and what a listing says is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.calls.checklists import Checklists
from compact_keeper.record.calls.numbered_tasks import STATUSES, NumberedTasks
from compact_keeper.record.merge import merge
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item
from entries import call, entry
from slow_texts import check_it_ends


def given(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[Item]:
    """The tasks that these entries give, one after the other."""
    readers = (NumberedTasks(known), Checklists(known))
    return [item for entry in entries for reader in readers for item in reader.items_of(entry)]


def merged(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[Item]:
    """The tasks that are kept after these entries."""
    return merge(known, given(entries, known), default_settings())


def listed(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Text and status of each, in the list's order."""
    return [(item["text"], item["status"]) for item in sorted(items, key=lambda item: item["order"])]


def todo_write(*rows: tuple[str, str], **more: Any) -> Any:
    todos = [{"content": text, "status": status, "activeForm": text} for text, status in rows]
    return call("TodoWrite", input={"todos": todos}, **more)


def create(number: int, subject: str, description: str = "") -> Any:
    return call("TaskCreate", input={"subject": subject, "description": description, "activeForm": "Doing it"},
                output=f"Task #{number} created successfully: {subject}")


def update(number: int, output: str = "", **changes: object) -> Any:
    return call("TaskUpdate", input={"taskId": str(number), **changes},
                output=output or f"Updated task #{number} {', '.join(changes)}")


def shell(command: str, output: str = "https://git.example.org/zones/pull/90") -> Any:
    return call("Bash", command=command, input={"command": command}, output=output)


FED = "cd zones && gh pr create --title a --body \"$(cat <<'EOF'\n- [ ] Read \"all\"\n- [x] Write\nEOF\n)\""
GIVEN = 'gh pr edit 90 --body "Rates\n- [x] Read"'
READ, WRITE = create(1, "Read rates", "From the table, all of them"), create(2, "Write parser (fast)")


@pytest.mark.parametrize(("calls", "expected"), [
    ([todo_write(("Read rates", "in_progress"), ("Drop cache", "pending")),
      todo_write(("Add tests", "pending"), ("Read rates", "completed"))],
     [("Add tests", "pending"), ("Read rates", "completed")]),
    ([todo_write(("Read rates", "in_progress")), todo_write()], []),
    ([todo_write(("Read rates", "in_progress")), todo_write(("Other", "pending"), ok=False)],
     [("Read rates", "in_progress")]),
    ([todo_write(("Read rates", "in_progress")), todo_write(("Other", "pending"), ok=None, rejected=True)],
     [("Read rates", "in_progress")]),
    ([todo_write(("Read rates", "done?"))], [("Read rates", "pending")]),
    ([READ, WRITE, update(1, status="in_progress"), update(2, subject="Write parser")],
     [("Read rates", "in_progress"), ("Write parser", "pending")]),
    ([READ, WRITE, update(2, status="deleted")], [("Read rates", "pending")]),
    ([READ, update(1, "Task not found", status="completed")], [("Read rates", "pending")]),
    ([READ, {**update(1, status="completed"), "ok": False}], [("Read rates", "pending")]),
    ([READ, {**update(1, status="completed"), "ok": None}], [("Read rates", "pending")]),
    ([update(7, status="completed")], []),
    ([READ, create(1, "Another list")], [("Another list", "pending")]),
    ([{**READ, "ok": False}], []),
    ([READ, WRITE, call("TaskList", output="#2 [in_progress] Write parser (fast) (ada) [blocked by #1]")],
     [("Write parser (fast)", "in_progress")]),
    ([call("TaskList", output="#10 [pending] Ten (new)\n#9 [completed] Nine [blocked by #3, #4]")],
     [("Nine", "completed"), ("Ten (new)", "pending")]),
    ([READ, call("TaskList", output="No tasks found")], []),
    ([READ, call("TaskList", output="")], [("Read rates", "pending")]),
    ([READ, call("TaskList", output="#3 [open] It\nsomething else")], [("Read rates", "pending")]),
    ([READ, call("TaskGet", output="Task #1: Read all\nStatus: completed\nDescription: a\nb\nBlocks: #2")],
     [("Read all", "completed")]),
    ([READ, call("TaskGet", output="Task not found")], [("Read rates", "pending")]),
    ([entry(1, "said", "- [x] Read rates\n- [ ] Write parser"), entry(2, "said", "Next.\n1. [~] Write parser")],
     [("Write parser", "in_progress")]),
    ([entry(1, "said", "Put this in:\n```md\n- [ ] An example\n```\nDone.")], []),
    ([call("Write", path="/srv/TODO.md", body="# Todo\n* [ ] Read\n  - [X] Write"),
      call("Write", path="/srv/TODO.md", body="- [x] Write\n- [ ] Test")],
     [("Write", "completed"), ("Test", "pending")]),
    ([call("Write", path="/srv/readme.md", body="- [ ] Read")], []),
    ([shell(FED)], [('Read "all"', "pending"), ("Write", "completed")]),
    ([shell(FED), shell(GIVEN)], [("Read", "completed")]),
    ([shell(FED), shell(GIVEN.replace("90", "91"), "https://git.example.org/zones/pull/91")],
     [('Read "all"', "pending"), ("Read", "completed"), ("Write", "completed")]),
    ([shell(FED, "no pull request")], []),
    ([{**shell(FED), "ok": False}], []),
    ([shell(f"cat > a.txt <<'END'\nof it\nEND\n{FED}")], []),  # which of the texts is it?
    ([shell(f"{GIVEN} && {GIVEN}")], []),
    ([shell(f"echo '{GIVEN}'")], []),
    ([call("mcp__tasks__list", output="#1 [pending] Read rates"), call("Bash", output="#1 [pending] Read")], []),
])
def test_the_tasks_are_as_the_last_call_left_them(calls: list[Any], expected: list[tuple[str, str]]) -> None:
    assert listed(merged(calls)) == expected
    half = len(calls) // 2
    assert listed(merged(calls[half:], merged(calls[:half]))) == expected, "a save between two calls changes nothing"


def test_a_list_that_the_agent_says_again_stands_as_of_then() -> None:
    said = [entry(number, "said", f"{words}\n- [ ] Map zone 7\n- [ ] Test it") for number, words in
            ((1, "The plan:"), (5, "Still open:"))]
    assert [item["position"] for item in merged(said)] == [5, 5]
    assert [item["position"] for item in merged(said[1:], merged(said[:1]))] == [5, 5]


def test_an_edit_changes_the_lines_of_its_new_side() -> None:
    old, new = "- [ ] Read\n- [ ] Write\n- [ ] Test", "- [x] Read\n- [ ] Test\n- [ ] Ship"
    written = call("Write", path="/srv/plan.md", body=f"# Plan\n{old}\n- [ ] Far below")
    edited = call("Edit", path="/srv/plan.md", body=f"{old}\n{new}", change="- [x] Read\n- [ ] Ship")
    expected = [("Read", "completed"), ("Test", "pending"), ("Ship", "pending"), ("Far below", "pending")]
    assert listed(merged([written, edited])) == expected
    marked = {**edited, "change": "-- [ ] Read\n-- [ ] Write\n+- [x] Read\n+- [ ] Ship"}
    assert listed(merged([written, marked])) == expected
    assert listed(merged([written, call("Edit", path="/srv/plan.md", body=f"{old}\n{new}")])) == [
        ("Read", "pending"), ("Write", "pending"), ("Test", "pending"), ("Far below", "pending")]


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("- [ ] b", "- [ ] x\n- [ ] b", "axbc"), ("- [ ] b", "- [ ] b\n- [ ] x\n- [ ] y", "abxyc"),
    ("- [ ] a\n- [ ] b", "- [ ] x\n- [ ] b", "xbc"), ("- [ ] b\n- [ ] c", "- [ ] x\n- [ ] y", "axy"),
    ("# Zones", "# Zones\n- [ ] x", "abcx")])  # it may stand anywhere
def test_a_box_that_an_edit_adds_stands_where_the_file_has_it(old: str, new: str, expected: str) -> None:
    written = call("Write", path="/srv/plan.md", body="- [ ] a\n- [ ] b\n- [ ] c", source="first")
    added = "\n".join(f"+ {row}" for row in new.splitlines() if row not in old)
    items = merged([written, call("Edit", path="/srv/plan.md", body=f"{old}\n{new}", change=added)])
    assert "".join(text for text, _ in listed(items)) == expected
    assert [item["source"] for item in items if item["text"] in "abc"] == ["first"] * len(set(expected) - {*"xy"})


def test_what_a_long_edit_ticks_is_ticked_though_its_lines_are_kept_in_part() -> None:
    names = [f"zone {number} {'x' * 80}" for number in range(12)]
    old, new = ("\n".join(f"- [{mark}] {name}" for name in names) for mark in " x")
    written = call("Write", path="/srv/plan.md", body=f"{old}\n- [ ] Ship")
    edited = call("Edit", path="/srv/plan.md", body=f"\n{old}\n{new}\n", change=f"+ - [x] {names[0]}\n+ - [x] zone 1…")
    assert listed(merged([written, edited])) == [*((name, "completed") for name in names), ("Ship", "pending")]


PLAN = "/srv/plan.md"
UNTICKED = call("Write", path=PLAN, body="- [ ] Read\n- [ ] Draw\n- [ ] Draw")


@pytest.mark.parametrize(("calls", "counts"), [
    ([UNTICKED], [3, 3]), ([UNTICKED, UNTICKED], [3, 3]), ([UNTICKED, {**UNTICKED, "body": "- [ ] Read"}], [1]),
    ([UNTICKED, {**UNTICKED, "body": "- [ ] Read\n- [x] Draw"}], [0, 0]),
    ([UNTICKED, call("Edit", path=PLAN, body="- [ ] Read\n- [x] Read", change="- - [ ] Read\n+ - [x] Read")], [0, 0]),
    ([UNTICKED, call("Edit", path=PLAN, body="a\nb", change="- a\n+ b")], [3, 3]),
    ([{**UNTICKED, "body": "\n".join(f"- [ ] {number}" for number in range(100))}], [0] * 100),  # perhaps more
    ([{**UNTICKED, "body": "- [ ] Read\n" + "x" * 40_000}], [0]), ([entry(1, "said", "- [ ] Read")], [0])])
def test_each_box_of_a_file_written_whole_says_how_many_there_are(calls: Sequence[Any], counts: list[int]) -> None:
    assert [item["unticked"] for item in merged(calls)] == counts
    known: list[Item] = []
    for later in calls:
        known = merged([later], known)
    assert [item["unticked"] for item in known] == counts


def test_an_edit_within_lines_changes_what_they_say() -> None:
    written = call("Write", path="/srv/plan.md", body="- [ ] `opt_out` is read\n- [x] `opt_out` is kept\n- [ ] Ship")
    renamed = call("Edit", path="/srv/plan.md", body="opt_out\nconsent", change="- opt_out\n+ consent")
    assert listed(merged([written, renamed])) == [
        ("`consent` is read", "pending"), ("`consent` is kept", "completed"), ("Ship", "pending")]


@pytest.mark.parametrize(("old", "new"), [
    ("- [ ] Ship", "- [x] Ship"), ("[ ] Ship them", "[x] Ship them"), ("- [ ]", "- [x]"), ("[ ]", "[x]"),
    ("* [ ] Ship", "* [x] Ship"), ("- [ ] Ship them", "- [x] Ship them")])
def test_a_box_is_ticked_by_a_part_of_its_line(old: str, new: str) -> None:
    """The last box stood as next though it was ticked: the edit named the beginning of its line alone."""
    written = call("Write", path="/srv/plan.md", body="# Plan\n- [x] Read\n- [ ] Ship them\n")
    edited = call("Edit", path="/srv/plan.md", body=f"{old}\n{new}", change=f"- {old}\n+ {new}")
    assert listed(merged([written, edited])) == [("Read", "completed"), ("Ship them", "completed")]


@pytest.mark.parametrize("ticked", [
    call("Edit", path="/srv/plan.md", body="] Sh\nx] Sh", change="- ] Sh\n+ x] Sh"),  # it had lost a space
    call("Edit", path="/srv/plan.md", body="e\ni", change="- e\n+ i"),  # which of them?
])
def test_a_box_stays_open_where_it_is_not_certain_that_it_was_ticked(ticked: Any) -> None:
    written = call("Write", path="/srv/plan.md", body="# Plan\n- [x] Read\n- [ ] Ship them\n")
    assert listed(merged([written, ticked])) == [("Read", "completed"), ("Ship them", "pending")]


@pytest.mark.parametrize("change", [
    "- - [ ] Map\n+ - [x] Map", "- - [ ] Map zone 7\n+ - [x] Map zone 7", "- Map\n+ Mend"])
def test_of_a_list_that_was_only_read_the_others_are_known_once_one_is_ticked(change: str) -> None:
    """"No open task is on a list" had stood beside a file with an open box: the agent had ticked the one before it."""
    body = change.replace("+ ", "").removeprefix("- ")
    edited = call("Edit", path="/srv/plan.md", body=body, change=change,
                  boxes_before="- [x] Read\n- [ ] Map zone 7\n- [ ] Ship")
    text, status = ("Mend zone 7", "pending") if "Mend" in change else ("Map zone 7", "completed")
    assert listed(merged([edited])) == [(text, status), ("Ship", "pending")]  # what was ticked before is not ours
    other = {**edited, "change": "- # Plan\n+ # The plan", "body": "# Plan\n# The plan"}
    assert merged([other]) == [], "nothing of its boxes was changed"


def test_of_two_boxes_that_begin_alike_the_one_that_was_named_is_ticked() -> None:
    written = call("Write", path="/srv/plan.md", body="- [ ] Ship\n- [ ] Ship them\n")
    edited = call("Edit", path="/srv/plan.md", body="- [ ] Ship\n- [x] Ship", change="- - [ ] Ship\n+ - [x] Ship")
    assert listed(merged([written, edited])) == [("Ship", "completed"), ("Ship them", "pending")]


def test_what_a_task_says_is_kept_through_its_changes() -> None:
    changes = [update(2, addBlockedBy=["1", "x"], owner="ada"), update(2, status="completed"),
               update(2, description="In one pass")]
    [item] = [item for item in merged([READ, WRITE, *changes]) if item["key"] == "#2"]
    assert {name: item.get(name) for name in ("key", "list", "order", "after", "owner", "detail", "status")} == {
        "key": "#2", "list": "task", "order": 2, "after": "#1", "owner": "ada", "detail": "In one pass",
        "status": "completed"}
    assert merged([READ])[0]["detail"] == "From the table, all of them"


def test_a_listing_takes_back_what_it_does_not_say() -> None:
    tasks = [READ, WRITE, update(2, addBlockedBy=["1"], owner="ada")]
    listing = call("TaskList", output="#1 [completed] Read rates\n#2 [pending] Write parser (fast)")
    [item] = [item for item in merged([listing], merged(tasks)) if item["key"] == "#2"]
    assert (item["after"], item["owner"]) == ("", "")


@pytest.mark.parametrize("odd", [None, 7, {}, [7], [[]], [{"content": 7}], [{}], [{"content": "a", "status": []}]])
def test_odd_arguments(odd: object) -> None:
    calls = [call("TodoWrite", input={"todos": odd}),
             call("TaskCreate", input={"subject": odd, "description": odd}, output="Task #1 created successfully: a"),
             update(1, status=odd, subject=odd, addBlockedBy=odd, owner=odd), call("TaskUpdate", input={"taskId": odd})]
    assert all(item["text"] and item["status"] in STATUSES for item in merged(calls))


def test_secrets_do_not_stay() -> None:
    secret = "token=Tr0ub4dor+3horse9"
    calls = [create(1, f"Use {secret}", f"With {secret}"), update(1, owner=secret), todo_write((secret, "pending")),
             call("TaskList", output=f"#4 [pending] {secret}"), entry(1, "said", f"- [ ] {secret}"),
             call("TaskGet", output=f"Task #5: {secret}\nStatus: pending\nDescription: {secret}")]
    items = [given([call_entry]) for call_entry in calls
             if call_entry["tool" if "tool" in call_entry else "what"] != "TaskUpdate"]
    assert all(items)
    assert "Tr0ub4dor" not in str(items) + str(merged(calls))


def test_it_ends_with_any_text() -> None:
    def read(text: str) -> None:
        calls = [READ, entry(1, "said", text), call("TaskList", output=text), call("TaskGet", output=text),
                 call("TaskGet", output=f"Task #1: a\nStatus: pending\nDescription: {text}"),
                 call("Write", path="/plan.md", body=text), call("Edit", path=f"/{text}.md", body=text, change=text)]
        merged(calls)
    check_it_ends(read)
