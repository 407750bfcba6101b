"""The entries of a transcript: what of a call's input is kept."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from compact_keeper.client import entries as reader
from compact_keeper.client.call_arguments import SCRIPT_MAX_UTF16, tidy
from compact_keeper.client.entries import Reading
from compact_keeper.client.wordless import NOT_IN_TRANSCRIPT
from compact_keeper.text import times
from compact_keeper.text.length import PLAN_MAX_UTF16
from compact_keeper.types import Entry
from sessions import JsonObject, Session, stamp


def entries_of(session: Session) -> list[Entry]:
    """What the session's records give, in their order."""
    return reading_of(session).stream


def reading_of(session: Session) -> Reading:
    """The session's records, read."""
    reading = Reading({})
    for record in session.records:
        reading.add(record)
    return reading


@pytest.mark.parametrize(("arguments", "kept"), [
    ({"command": "npm run dev"}, {}),
    ({"command": "npm run dev", "run_in_background": True, "timeout": 9000, "description": "Start it"},
     {"run_in_background": True, "timeout": 9000, "description": "Start it"}),
    ({"command": "make", "description": "Log in with API_TOKEN=Tr0ub4dor+3horse9"},
     {"description": "Log in with API_TOKEN=[redacted: password]"}),
    ({"command": "make", "description": ["Start it"]}, {}),
    ({"command": "npm run dev", "run_in_background": "yes", "timeout": [9]}, {}),
    ({"command": "# Start it\nnpm run dev &\n"}, {"command": "# Start it\nnpm run dev &"}),
    ({"command": "a\nexport API_TOKEN=Tr0ub4dor+3horse9\n"}, {"command": "a\nexport API_TOKEN=[redacted: password]"}),
    ({"command": ["a\nb"]}, {}),
])
def test_of_a_shell_command_stays_what_its_quoted_line_does_not_tell(
        arguments: dict[str, Any], kept: dict[str, Any]) -> None:
    session = Session()
    session.ran("Bash", **arguments)
    assert entries_of(session)[0]["input"] == kept


@pytest.mark.parametrize(("copy", "boxes"), [
    ({"originalFile": "# Plan\n- [ ] Read\n- [x] Ship\ntext"}, "- [ ] Read\n- [x] Ship"),
    ({"originalFile": None, "structuredPatch": [{"lines": [" - [ ] Read", "-- [ ] Ship", "+- [x] Ship", 7]}, 7]},
     "- [ ] Read\n- [ ] Ship"),
    ({"structuredPatch": [{"lines": "- [ ] Read"}]}, ""), ({"structuredPatch": {}, "originalFile": ["- [ ] a"]}, ""),
    ("[ ] ", ""), (None, "")])
@pytest.mark.parametrize("path", ["/srv/plan.md", "/srv/plan.py"])
def test_of_an_edit_the_boxes_are_known_that_the_file_had_before(copy: object, boxes: str, path: str) -> None:
    session = Session()
    session.ran("Edit", extra=copy, file_path=path, old_string="- [ ] Ship", new_string="- [x] Ship")
    assert entries_of(session)[0].get("boxes_before", "") == (boxes if path.endswith(".md") else "")


def test_a_long_script_is_cut() -> None:
    session = Session()
    session.ran("Bash", command="echo a\n" * 5_000)
    assert len(entries_of(session)[0]["input"]["command"]) <= SCRIPT_MAX_UTF16


def test_what_the_client_adds_to_a_pasted_plan_is_none_of_it() -> None:
    session = Session()
    session.user("Implement the following plan:\n\n# Rates\n- read\n\n\nIf you need specific details from before "
                 "exiting plan mode (like code), read the full transcript at: /srv/x.jsonl", planContent="# Rates")
    assert [entry["text"] for entry in entries_of(session) if entry["what"] == "plan"] == ["# Rates\n- read"]


NOTICE = ("<task-notification>\n<task-id>b1</task-id>\n<output-file>/tmp/b1.output</output-file>\n"
          "<status>completed</status>\n<summary>Background command \"Run it\" completed (exit code 0)</summary>\n"
          "</task-notification>")


@pytest.mark.parametrize(("text", "ends"), [
    (NOTICE, [("b1", "completed", 'Background command "Run it" completed (exit code 0)')]),
    (NOTICE + "\n" + NOTICE.replace("b1<", "b2<").replace(">completed", ">failed"),
     [("b1", "completed", 'Background command "Run it" completed (exit code 0)'),
      ("b2", "failed", 'Background command "Run it" completed (exit code 0)')]),
    (NOTICE.replace("</task-n", "<result>Well.\n<task-id>b9</task-id></result></task-n").replace(
        "<task-id>b1", "<task-id>a-3f"),
     [("a-3f", "completed", 'Background command "Run it" completed (exit code 0): Well.\n‹task-id>b9‹/task-id>')]),
    (NOTICE.replace("<status>completed</status>", ""), []),  # news of one that goes on
    (NOTICE.replace("completed</status>", "running</status>"), []),
    (NOTICE.replace("<task-id>b1</task-id>", ""), []),
    ("It printed:\n" + NOTICE, []),
    (NOTICE.replace("task-notification", "bash-notification").replace("task-id", "shell-id"),
     [("b1", "completed", 'Background command "Run it" completed (exit code 0)')]),
    (NOTICE.replace("task-notification", "agent-notification").replace("task-id", "agent-id"),
     [("b1", "completed", 'Background command "Run it" completed (exit code 0)')]),
    (NOTICE.replace("task-id", "shell-id").replace("<status>completed</status>", ""), []),
    ("<task-notification>" * 5_000, []),
    (NOTICE.replace("Run it", "token=Tr0ub4dor+3horse9"), [
        ("b1", "completed", 'Background command "token=[redacted: password]" completed (exit code 0)')]),
    ("<system-reminder>\nBackground Bash 8f (command: npm run dev) (status: failed) (exit code: 2) Has new output "
     "available.\n</system-reminder>", [("8f", "failed", "failed (exit code: 2)")]),
    ("<system-reminder>\nBackground Bash 8f (command: npm run dev) (status: running) Has new output", []),
])
def test_a_notice_tells_of_a_job_that_has_ended(text: str, ends: list[tuple[str, str, str]]) -> None:
    session = Session()
    session.user(text)
    session.attachment(type="queued_command", prompt=text, commandMode="task-notification")
    session.queued(text, left=None)
    entries = [entry for entry in entries_of(session) if entry["what"] == "ended"]
    assert [(entry["key"], entry["status"], entry["text"]) for entry in entries] == 3 * ends


def test_a_tool_tells_of_no_end() -> None:
    session = Session()
    session.ran("Bash", NOTICE, command="cat notes")
    session.says(NOTICE)
    assert [entry["what"] for entry in entries_of(session)] == ["call", "said"]


def test_an_approved_plan_keeps_its_lines() -> None:
    session = Session()
    session.user("Implement the following plan:\n\n# Rates\n\n- read\n- write " + 40_000 * "x", planContent="# Rates")
    [plan] = entries_of(session)
    assert plan["text"].startswith("# Rates\n\n- read\n- write xx")
    assert len(plan["text"]) == PLAN_MAX_UTF16


OPENED = "<ide_opened_file>The user opened the file {} in the IDE. This may or may not be related.</ide_opened_file>"
SELECTED = "<ide_selection>The user selected the lines {} to {} from {}:\n{}\n\nThis may or may not be.</ide_selection>"


@pytest.mark.parametrize(("note", "opened"), [
    (OPENED.format("/srv/a b.md"), "/srv/a b.md"),
    (OPENED.format("d:\\rates\\a.md"), "d:/rates/a.md"),
    (OPENED.format("/temp/readonly/Bash tool output (b1)"), ""),
    (OPENED.format("\\temp\\readonly\\Glob tool output"), ""),
    (OPENED.format(""), ""),
    (SELECTED.format(4, 4, "/srv/a.py", "  zone_of(toll)"), '/srv/a.py:4 "zone_of(toll)"'),
    (SELECTED.format(4, 4, "/srv/a.py", "x" * 90), "/srv/a.py:4"),
    (SELECTED.format(4, 9, "/srv/a.py", "def zone_of():\n    pass"), "/srv/a.py:4–9"),
    (SELECTED.format("a", "b", "/srv/a.py", "x"), ""),
    ("The user opened the file /srv/a.md in the IDE.", ""),
    ({"type": "opened_file_in_ide", "filename": "/srv/a.md"}, "/srv/a.md"),
    ({"type": "selected_lines_in_ide", "filename": "/srv/a.py", "lineStart": 7, "lineEnd": 7, "content": "x = 1\n"},
     '/srv/a.py:7 "x = 1"'),
    ({"type": "opened_file_in_ide", "filename": 7}, ""),
    ({"type": "file", "filename": "/srv/a.md"}, ""),
])
def test_what_the_ide_had_open_stands_beside_the_words_and_is_none_of_them(note: Any, opened: str) -> None:
    session = Session()
    if isinstance(note, str):
        session.user([{"type": "text", "text": note}, {"type": "text", "text": "Run it"}])
    else:
        session.user("Run it")
        session.attachment(**note)
    [entry] = entries_of(session)
    assert entry.get("opened", "") == opened
    assert entry["text"].splitlines()[-1] == "Run it"
    assert "ide_" not in entry["text"]


def test_what_the_ide_had_open_is_of_no_words_long_before() -> None:
    session = Session()
    session.user("Run it")
    session.says("Ran.")
    session.attachment(type="opened_file_in_ide", filename="/srv/a.md")
    assert [entry.get("opened") for entry in entries_of(session)] == [None, None]


def typed_in(session: Session) -> list[tuple[str, str]]:
    return [(entry["via"], entry["text"]) for entry in entries_of(session) if entry["what"] == "typed"]


@pytest.mark.parametrize(("waiting", "operation", "expected"), [
    (["One.", "Two."], "remove", ["One."]),
    (["One.", "Two."], "dequeue", []),  # a row of its own comes next
    ([NOTICE, "One.", "Two."], "remove", ["One."]),
    ([NOTICE, "One."], "dequeue", []),  # the notice leaves
    ([NOTICE], "remove", []),
    ([], "remove", [NOT_IN_TRANSCRIPT]),  # of an editor, whose prompts have no row when they come
    ([], "dequeue", []),  # that one gets a row of its own
    ([800 * "One. " + "Two."], "remove", [800 * "One. " + "Two."]),
    (["One."], "popAll", []),
    (["One."], None, []),
    (["/clear", "One."], "remove", ["One."]),
    (["One.", "One."], "remove", ["One."]),
])
def test_what_leaves_the_queue_is_the_oldest_that_was_typed(
        waiting: list[str], operation: str | None, expected: list[str]) -> None:
    session = Session()
    for text in waiting:
        session.queued(text, left=None)
    if operation:
        session.add({"type": "queue-operation", "operation": operation, "timestamp": "2026-11-21T07:00:00.000Z"})
    assert typed_in(session) == [("queue", text) for text in expected]


@pytest.mark.parametrize(("rows", "row", "expected"), [
    (["enqueue 07:00:20", "dequeue 07:00:20"], "07:00:21", ("prompt", "07:00:21")),  # nothing was done then
    (["enqueue 06:00:00", "enqueue 07:00:20", "dequeue 07:00:20"], "07:00:20", ("prompt", "07:00:20")),
    (["enqueue 07:00:00", "enqueue 07:00:09", "dequeue 07:00:20", "dequeue 07:00:20"], "07:00:20",
     ("waited", "07:00:00")),
    (["enqueue 07:00:00", "popAll 07:00:05", "enqueue 07:00:09", "dequeue 07:00:20"], "07:00:20",
     ("waited", "07:00:09")),
    (["enqueue 07:00:00", "dequeue 07:00:20"], "07:00:21", ("waited", "07:00:00")),
])
def test_a_prompt_that_an_editor_queued_without_its_words_was_typed_when_it_began_to_wait(
        rows: list[str], row: str, expected: tuple[str, str]) -> None:
    session = Session()
    session.interrupt()
    for operation, moment in map(str.split, rows):
        session.add({"type": "queue-operation", "operation": operation, "timestamp": f"2026-11-21T{moment}.000Z"})
    session.user([{"type": "text", "text": "And zone 5."}])["timestamp"] = f"2026-11-21T{row}.000Z"
    session.user("Go on.")
    via, typed_at = expected
    typed = [entry for entry in entries_of(session) if entry["what"] == "typed"]
    assert [(entry["via"], entry["text"]) for entry in typed] == [
        ("interrupt" if via == "prompt" else via, "And zone 5."), ("prompt", "Go on.")]
    assert typed[0]["typed_at"][11:19] == typed_at
    assert typed[1]["typed_at"] == typed[1]["time"]


def test_a_prompt_without_words_that_goes_into_the_turn_is_a_message_whose_words_nobody_knows() -> None:
    session = Session()
    for operation, moment in (("enqueue", "07:00:00"), ("remove", "07:00:20")):
        session.add({"type": "queue-operation", "operation": operation, "timestamp": f"2026-11-21T{moment}.000Z"})
    assert typed_in(session) == [("queue", NOT_IN_TRANSCRIPT)]
    session.attachment(type="queued_command", prompt=[{"type": "text", "text": "And zone 5."}], commandMode="prompt")
    session.records[-1]["timestamp"] = "2026-11-21T07:00:21.000Z"
    assert typed_in(session) == [("queue", "And zone 5.")], "its row has them"


def test_words_that_waited_were_typed_before_the_interrupt_that_sent_them() -> None:
    session = Session()
    session.queued("And zone 5.", left=None)
    session.interrupt()
    session.add({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-11-21T07:00:00.000Z"})
    session.queued(NOTICE, left=None)
    session.user("And zone 5.")
    assert typed_in(session) == [("waited", "And zone 5.")]


def test_what_is_pulled_back_into_the_prompt_leaves_notices_in_the_queue() -> None:
    session = Session()
    for text in (NOTICE, "One.", "Two."):
        session.queued(text, left=None)
    session.add({"type": "queue-operation", "operation": "popAll", "timestamp": "2026-11-21T07:00:00.000Z",
                 "content": "One.\nTwo."})
    session.add({"type": "queue-operation", "operation": "remove", "timestamp": "2026-11-21T07:00:00.000Z"})
    assert typed_in(session) == [], "what was removed is the notice, no message without words"


@pytest.mark.parametrize("is_row_first", [True, False])
def test_what_left_an_editors_queue_and_has_a_row_is_told_by_that(is_row_first: bool) -> None:
    session = Session()
    session.typed("Add zone 4.")
    row = session.attachment(type="queued_command", prompt="And zone 5.", commandMode="prompt")
    session.add({"type": "queue-operation", "operation": "remove", "timestamp": row["timestamp"]})
    if not is_row_first:
        session.records[-2:] = session.records[:-3:-1]
    assert [text for _, text in typed_in(session)] == ["Add zone 4.", "And zone 5."]


def test_words_with_a_row_of_their_own_do_not_wait_in_the_queue_any_more() -> None:
    session = Session()
    for text in (NOTICE, "One."):
        session.queued(text, left=None)
    session.add({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-11-21T07:00:00.000Z"})
    session.user("One.")
    session.says("Done.")
    session.add({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-11-21T07:00:09.000Z"})
    assert typed_in(session) == [("prompt", "One.")]


WAKE = "Look whether the export of the zones has ended."


@pytest.mark.parametrize("tool", ["ScheduleWakeup", "CronCreate", None])  # None: of another session
@pytest.mark.parametrize(("text", "row", "flags"), [
    (WAKE, WAKE, {}),
    (f"  {WAKE}\n", WAKE, {}),
    (900 * WAKE, 900 * WAKE, {}),
    ("token=Tr0ub4dor+3horse9 works?", "token=Tr0ub4dor+3horse9 works?", {}),
    (WAKE, WAKE, {"isMeta": True, "parentUuid": "7d1f0c3e-0000-4000-8000-000000000000"}),  # without that row
    (f"/loop {WAKE}", "", {}),
], ids=["plain", "spaces", "long", "secret", "no row of the client's", "loop"])
def test_a_prompt_that_the_client_fires_at_its_time_is_typed_by_nobody(
        tool: str | None, text: str, row: str, flags: dict[str, object]) -> None:
    session = Session()
    session.typed("Export the zones.")
    if tool:
        session.ran(tool, "Next wakeup scheduled for 07:04:00 (in 273s).", delaySeconds=270, prompt=text)
    session.fired(text, row, **flags)
    session.says("It has ended.")
    assert typed_in(session) == [("prompt", "Export the zones.")]


def test_what_a_person_types_right_behind_a_firing_is_typed() -> None:
    session = Session()
    fire = session.system("scheduled_task_fire", content="Running scheduled task (Nov 21 7:00am)")
    session.user("Stop the export.", parentUuid=fire["uuid"], promptSource="typed", origin={"kind": "human"})
    assert typed_in(session) == [("prompt", "Stop the export.")]


@pytest.mark.parametrize("is_known", [True, False])  # that the agent scheduled it
@pytest.mark.parametrize("text", [WAKE, f"/loop {WAKE}"])
def test_a_save_between_a_fired_prompt_and_its_row_has_no_word_of_it(text: str, is_known: bool) -> None:
    session = Session()
    session.ran("ScheduleWakeup", delaySeconds=270, prompt=text if is_known else "Go on.")
    reading = reading_of(session)
    session.fired(text)
    for record in session.records[-4:]:
        reading = Reading({"state": reading.state, "queue": reading.queue.waiting, "typed": reading.typed,
                           "scheduled": reading.queue.scheduled})
        reading.add(record)
        assert [entry for entry in reading.stream if entry["what"] == "typed"] == []
    reading.add_typed(text, "ledger", "prompt")  # its hook ran as at any prompt
    assert reading.stream == []


def test_a_save_between_a_prompt_that_leaves_the_queue_and_its_row_tells_it_once() -> None:
    session, seen = Session(), list[tuple[str, str]]()
    session.queued(f"/loop 5m {WAKE}", left=None)
    session.add({"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-11-21T07:09:00.000Z"})
    session.user(f"<command-message>loop</command-message>\n<command-name>/loop</command-name>\n"
                 f"<command-args>5m {WAKE}</command-args>")
    reading = Reading({})
    for record in session.records:
        reading = Reading({"state": reading.state, "queue": reading.queue.waiting, "typed": reading.typed,
                           "dequeued": reading.queue.dequeued})
        reading.add(record)
        seen += [(entry["via"], entry["text"]) for entry in reading.stream if entry["what"] == "typed"]
    assert seen == [("waited", f"/loop 5m {WAKE}")]


@pytest.mark.parametrize("known_by", ["calls", "rows"])  # of the first firings: the calls were not read
def test_of_several_prompts_that_were_scheduled_each_is_known(known_by: str) -> None:
    session = Session()
    prompts = [WAKE, "Look whether the tests are green.", "/loop Look for new orders."]
    for prompt in prompts:
        if known_by == "calls":
            session.ran("CronCreate", cron="*/5 * * * *", prompt=prompt)
        else:
            session.fired(prompt)
    reading = reading_of(session)
    for prompt in prompts:
        reading.add_typed(prompt, "ledger", "prompt")
    reading.add_typed("Stop the export.", "ledger", "prompt")
    assert [entry["text"] for entry in reading.stream if entry["what"] == "typed"] == ["Stop the export."]


@pytest.mark.parametrize("flags", [{}, {"origin": {"kind": "human"}}, {"promptSource": "queued"}])
def test_what_a_person_types_in_the_words_of_a_scheduled_prompt_is_typed(flags: dict[str, object]) -> None:
    session = Session()
    session.ran("ScheduleWakeup", delaySeconds=270, prompt="go on")
    session.queued("go on", left="remove")  # went into the turn: clients before 2.1.165 write no row of it
    session.says("I go on.")
    session.queued("go on", left="dequeue")
    session.user("go on", **{"timestamp": stamp(session.number() + 60), **flags})
    assert [text for _, text in typed_in(session)] == ["go on", "go on"]


def test_a_long_session_is_not_gone_through_for_each_row_that_nobody_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = Mock(wraps=times.moment)
    monkeypatch.setattr(reader, "moment", looked_at)
    session = Session()
    for number in range(300):
        session.queued(f"Add zone {number}.", left="remove")  # clients before 2.1.165 write no row of it
        session.user("Base directory for this skill: /srv/skills/rates", isMeta=True)
        session.says("Added.")
    assert len(typed_in(session)) == 300
    assert looked_at.call_count < 50 * 300


def test_what_is_typed_in_place_of_a_fired_prompt_is_typed() -> None:
    session = Session()
    session.ran("ScheduleWakeup", delaySeconds=270, prompt=WAKE)
    session.fired(WAKE)
    session.user("Stop the export.", parentUuid=session.records[-2]["uuid"])  # it was taken back
    assert [text for _, text in typed_in(session)] == ["Stop the export."]


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
DOCUMENT = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjM="}}
WORDS = {"type": "text", "text": "Do as it shows."}


@pytest.mark.parametrize(("blocks", "attached"), [
    ([PICTURE, WORDS], "a picture"),
    ([WORDS, PICTURE], "a picture"),
    ([PICTURE, PICTURE, WORDS], "2 pictures"),
    ([WORDS, DOCUMENT], "a document"),
    ([WORDS, DOCUMENT, PICTURE, PICTURE], "2 pictures and a document"),
    ([WORDS], ""),
    ([WORDS, {"type": "image"}], "a picture"),
    ([WORDS, {"type": ["image"]}, "image", {"type": "tool_result", "tool_use_id": "t", "content": [PICTURE]}], ""),
])
@pytest.mark.parametrize("way", ["row", "queue and row", "attachment"])
def test_what_came_with_typed_words_is_noted(blocks: list[Any], attached: str, way: str) -> None:
    session = Session()
    if way == "queue and row":
        session.queued(WORDS["text"], left="dequeue")
    if way == "attachment":
        session.attachment(type="queued_command", prompt=blocks, commandMode="prompt")
    else:
        session.user(blocks)
    [entry] = [entry for entry in entries_of(session) if entry["what"] == "typed"]
    assert (entry["text"], entry.get("attached", "")) == (WORDS["text"], attached)


def test_words_that_have_a_pictures_mark_are_enough() -> None:
    session = Session()
    session.user([{"type": "text", "text": "[Image #3] Move this."}, PICTURE], imagePasteIds=[3])
    [entry] = entries_of(session)
    assert not entry["attached"]


@pytest.mark.parametrize(("blocks", "more", "texts"), [
    ([PICTURE, PICTURE], {}, ["[2 pictures without words]"]),
    ([DOCUMENT], {}, ["[a document without words]"]),
    ([DOCUMENT], {"isMeta": True}, []),  # a file that the agent read
    ([PICTURE], {"isCompactSummary": True}, []),
    ([{"type": "tool_result", "tool_use_id": "t", "content": "drawn"}, PICTURE], {}, []),
    ([PICTURE, {"type": "text", "text": "<system-reminder>Mind the rates.</system-reminder>"}], {},
     ["[a picture without words]"]),
    ([PICTURE, {"type": "text", "text": "[Request interrupted by user]"}], {}, []),
])
def test_a_picture_alone_is_a_message_where_a_person_sent_it(
        blocks: list[Any], more: dict[str, object], texts: list[str]) -> None:
    session = Session()
    session.user(blocks, **more)
    typed = [entry for entry in entries_of(session) if entry["what"] == "typed"]
    assert [(entry["text"], entry.get("attached", "")) for entry in typed] == [(text, "") for text in texts]


def test_words_behind_an_error_of_the_api_say_so() -> None:
    session = Session()
    session.typed("Read the rates.")
    session.says("I read them.")["isApiErrorMessage"] = True
    session.typed("go on")
    session.says("I read them all.")
    session.typed("Thanks.")
    assert [entry["broken_off"] for entry in entries_of(session) if entry["what"] == "typed"] == [
        "", "I read them.", ""]


COMMAND = "<command-message>a</command-message>\n<command-name>/a:zones</command-name>\n<command-args>9</command-args>"


@pytest.mark.parametrize(("typed", "then", "error"), [
    (COMMAND, "<local-command-stdout>drawn</local-command-stdout>", ""),
    (COMMAND, "Why <local-command-stderr>x</local-command-stderr>?", ""), (COMMAND, "<local-command-stderr>", ""),
    ("Draw the zones.", "<local-command-stderr>Error: no script</local-command-stderr>", ""),
    (COMMAND, "<local-command-stderr>Error: no script</local-command-stderr>", "Error: no script"),
    (COMMAND, "<local-command-stderr>Error: password=hunter2hunter2</local-command-stderr>",
     "Error: password=[redacted: password]")])
def test_a_slash_command_that_failed_says_why(typed: str, then: str, error: str) -> None:
    session = Session()
    session.user(typed)
    session.user(then)
    first, *_ = [entry for entry in entries_of(session) if entry["what"] == "typed"]
    assert first.get("command_error", "") == error


@pytest.mark.parametrize("how", ["remove", "row", "dequeue and row"])
@pytest.mark.parametrize("is_saved_between", [False, True])
def test_words_that_waited_were_typed_when_they_began_to_wait(how: str, is_saved_between: bool) -> None:
    began = {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-11-21T07:00:00.000Z"}
    left = {"type": "queue-operation", "timestamp": "2026-11-21T07:12:00.000Z"}
    session = Session()
    rows = [{**left, "operation": name} for name in ("remove", "dequeue") if name in how]
    rows += [{**session.user("Go on."), "timestamp": "2026-11-21T07:12:00.000Z"}] if "row" in how else []
    reading = Reading({})
    reading.add({**began, "content": "And the docs."})
    reading.add({**began, "content": "Go on.", "timestamp": "2026-11-21T07:01:00.000Z"})
    reading.add({**began, "operation": "remove"})
    if is_saved_between:
        reading = Reading({"queue": reading.queue.waiting})
    for row in rows:
        reading.add(row)
    newest = [entry for entry in reading.stream if entry["what"] == "typed"][-1]
    assert (newest["text"], newest["time"][11:16], newest["typed_at"][11:16]) == ("Go on.", "07:12", "07:01")
    for text in ("Wait.", "Go on."):  # typed again, it waited for nothing
        reading.add({**session.user(text), "timestamp": "2026-11-21T07:30:00.000Z"})
    assert reading.stream[-1]["typed_at"][11:16] == "07:30"


@pytest.mark.parametrize("text", ["Go on.", "Go on. " * 900], ids=["short", "long"])
@pytest.mark.parametrize("seconds", [0, 9, 90])
@pytest.mark.parametrize(("enqueued", "via"), [("06:59:10", "waited"), ("07:00:00", "prompt"), ("06:59:59", "prompt")])
def test_words_that_were_dequeued_are_told_by_their_row(text: str, seconds: int, enqueued: str, via: str) -> None:
    session = Session()
    for moment, more in ((enqueued, {"operation": "enqueue", "content": text}), ("07:00:00", {"operation": "dequeue"})):
        session.add({"type": "queue-operation", "timestamp": f"2026-11-21T{moment}.000Z", **more})
    session.says("What stands here was said before the session was resumed.")
    row = session.user(text)
    row["timestamp"] = f"2026-11-21T07:{seconds // 60:02}:{seconds % 60:02}.000Z"
    assert typed_in(session) == [(via, text.strip())]


@pytest.mark.parametrize("text", [
    "<command-name>/compact-keeper:recall</command-name>\n<command-args>zone rates</command-args>",
    "/compact-keeper:recall zone rates", "/compact-keeper:doctor", "/compact-keeper-status-line",
    "<command-name>/compact-keeper-recall</command-name>\n<command-args>zone rates</command-args>",
])
def test_our_own_commands_are_no_words_to_the_agent(text: str) -> None:
    session = Session()
    session.user(text)
    assert typed_in(session) == []


def test_a_skill_that_the_agent_started_was_typed_by_nobody() -> None:
    session = Session()
    row = session.user("<command-message>The \"rates\" skill is running</command-message>\n"
                       "<command-name>rates</command-name>")
    row["sourceToolUseID"] = "toolu_01rates"
    assert typed_in(session) == []
    session.user("<command-name>/rates</command-name>\n<command-args>of zone 4</command-args>")
    assert [text for _, text in typed_in(session)] != []


@pytest.mark.parametrize("text", ["Unknown slash command: rate", "Unknown skill: rates"])
def test_what_the_client_says_of_a_command_that_it_does_not_know_is_not_typed(text: str) -> None:
    session = Session()
    session.user(text)
    session.user(f"It said: {text}")
    assert typed_in(session) == [("prompt", f"It said: {text}")]


def test_what_the_client_says_beside_a_result_is_not_typed() -> None:
    session = Session()
    call = session.call("ToolSearch", query="select:Edit")
    for words in ("Tool loaded.", "And read the rates."):
        session.user([{"type": "tool_result", "tool_use_id": call, "content": [{"type": "tool_reference"}]},
                      {"type": "text", "text": words}])
    assert typed_in(session) == [("prompt", "And read the rates.")]


@pytest.mark.parametrize(("text", "more", "later", "expected"), [
    ("API Error: 500 overloaded", {"isApiErrorMessage": True}, False, "API Error: 500 overloaded"),
    ("API Error: 500 overloaded", {"isApiErrorMessage": True}, True, ""),
    ("API Error: 500 overloaded", {}, False, ""),  # words of the model
    ("Prompt is too long", {"isApiErrorMessage": True}, False, ""),
    ("token=Tr0ub4dor+3horse9", {"isApiErrorMessage": True}, False, "token=[redacted: password]"),
])
def test_the_error_with_which_the_newest_turn_broke_off(text: str, more: JsonObject, later: bool,
                                                        expected: str) -> None:
    session = Session()
    session.says("I begin.")
    session.add({**session.says(text), **more, "uuid": "d0000000-0000-4000-8000-000000000009"})
    session.user("Go on.")
    if later:
        session.says("I go on.")
    assert reading_of(session).state["broken_off"] == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("<command-name>/compact</command-name>\n<command-args>keep the list</command-args>",
     [("compact", "keep the list")]),
    ("<command-name>/compact</command-name>\n<command-args></command-args>", []),
    ("<command-name>/compact</command-name>", []),
    ("<command-name>/clear</command-name><command-args>keep the list</command-args>", []),
    ("x" * 500 + "<command-name>/compact</command-name><command-args>no</command-args>", [
        ("prompt", "x" * 500 + "‹command-name>/compact‹/command-name>‹command-args>no‹/command-args>")]),
    ("<command-name>/compact</command-name><command-args>token=Tr0ub4dor+3horse9</command-args>",
     [("compact", "token=[redacted: password]")]),
    ("/clear", []), ("/compact", []), ("/model opus", []),
    ("/deploy to staging", [("prompt", "/deploy to staging")]),
    ("/deploy", [("prompt", "/deploy")]),
    ("<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args></command-args>",
     [("prompt", "/deploy")]),
    ("/home/ada/rates.py fails", [("prompt", "/home/ada/rates.py fails")]),
])
def test_words_of_commands(text: str, expected: list[tuple[str, str]]) -> None:
    session = Session()
    session.user(text)
    assert typed_in(session) == expected


LEAD = '<teammate-message teammate_id="team-lead" color="blue">\nRead the rates.\n</teammate-message>'


@pytest.mark.parametrize(("text", "expected"), [
    (LEAD, [("team-lead", "Read the rates.")]),
    (LEAD.replace("Read the rates.", "token=Tr0ub4dor+3horse9"), [("team-lead", "token=[redacted: password]")]),
    (LEAD.replace("Read the rates.", '{"type":"idle_notification"}'), []),
    (LEAD.replace("Read the rates.", ""), []),
    (LEAD.replace("team-lead", "a b"), []),
    (LEAD.replace("team-lead", "x" * 90), []),
    ("It says:\n" + LEAD, []),
    ("<teammate-message" * 5_000, []),
])
def test_words_of_a_teammate_are_not_typed(text: str, expected: list[tuple[str, str]]) -> None:
    session = Session()
    session.user(text)
    session.ran("Bash", LEAD, command="cat x")
    session.says(LEAD)
    assert [(entry["sender"],
             entry["text"]) for entry in entries_of(session) if entry["what"] == "teammate"] == expected
    assert [words for words in typed_in(session) if "It says" not in words[1]] == []


@pytest.mark.parametrize(("text", "more", "expected"), [
    ("Stop hook feedback:\n2 tests fail", {"isMeta": True}, ["2 tests fail"]),
    ("Stop hook feedback:\n2 tests fail", {"isMeta": True, "rowSource": "hook", "hookText": True}, ["2 tests fail"]),
    ("Stop hook feedback:\npassword=Tr0ub4dor+3horse9", {"isMeta": True}, ["password=[redacted: password]"]),
    ("Stop hook feedback:\n" + "x " * 40_000, {"isMeta": True}, None),
    ("Stop hook feedback:\n2 tests fail", {}, []),  # no row of the client's own
    ("It says:\nStop hook feedback:\n2 tests fail", {"isMeta": True}, []),
    ("", {"isMeta": True}, []),
])
def test_what_a_stop_hook_says_is_feedback_and_no_typed_word(text: str, more: JsonObject,
                                                             expected: list[str] | None) -> None:
    session = Session()
    session.user(text, **more)
    words = [entry["text"] for entry in entries_of(session) if entry["what"] == "feedback"]
    assert words == expected if expected is not None else len(words[0]) < 25_000
    assert typed_in(session) == []


@pytest.mark.parametrize(("version", "typed"), [
    ("2.0.2", ["Add zone 4.", "Add zone 4.", "Go on.", "Now zone 5."]),
    ("2.1.76", ["Add zone 4.", "Go on.", "Add zone 4.", "Go on.", "Now zone 5."])])
def test_what_an_old_client_wrote_again_when_it_resumed_counts_once(version: str, typed: list[str]) -> None:
    """The chain's first record counts twice: that it is one shows when the next has its moment, too."""
    session = Session()
    first = session.typed("Add zone 4.")
    session.says("Zone 4 is there.")
    session.typed("Go on.")
    again = [{**record, "uuid": f"again-{number}", "timestamp": "2026-01-02T09:00:00.000Z"}
             for number, record in enumerate([*session.records])]
    for number, record in enumerate(again):
        session.add({**record, "parentUuid": f"again-{number - 1}" if number else first["parentUuid"]})
    session.typed("Now zone 5.")["parentUuid"] = again[-1]["uuid"]
    for record in session.records:
        record["version"] = version
    entries = [entry["text"] for entry in entries_of(session) if entry["what"] == "typed"]
    assert sorted(entries) == sorted(typed)


def test_of_an_input_a_mark_stands_for_what_lies_too_deep() -> None:
    deep = {"a": {"b": {"c": {"d": {"e": {"prompt": "You are the harbour's clerk."}, "f": [], "g": 7}}}}}
    assert tidy(deep) == {"a": {"b": {"c": {"d": {"e": "…", "f": [], "g": 7}}}}}


def test_what_the_client_asks_below_a_search_is_none_of_its_results() -> None:
    session = Session()
    session.ran("WebSearch", "Zones are drawn by `mapkit`.\n\nREMINDER: You MUST include the sources above in your "
                "response to the user using markdown hyperlinks.", query="zones")
    [call] = [entry for entry in entries_of(session) if entry["what"] == "call"]
    assert call["output"] == "Zones are drawn by `mapkit`."


NOT_NOTED = "zsh:3: permission denied: /tmp/claude-4f2a-cwd"


@pytest.mark.parametrize(("tool", "printed", "output"), [
    ("Bash", f"no zone 7\n{NOT_NOTED}", "no zone 7\n"), ("Grep", f"a.log:3:{NOT_NOTED}", f"a.log:3:{NOT_NOTED}"),
    ("Read", NOT_NOTED, NOT_NOTED)])
def test_what_the_client_s_own_shell_says_is_no_output_of_a_command(tool: str, printed: str, output: str) -> None:
    session = Session()
    session.ran(tool, printed)
    [call] = [entry for entry in entries_of(session) if entry["what"] == "call"]
    assert call["output"] == output


@pytest.mark.parametrize(("printed", "is_cut"), [
    ("a.py:3:x\n" * 3, False), ("a.py:3:x\n" * 3_000, True),
    ("<persisted-output>\nOutput too large (90KB). Full output saved to: /a/b.txt\n\na.py:3:x\n", True)])
def test_an_output_of_which_not_all_is_there(printed: str, is_cut: bool) -> None:
    session = Session()
    session.ran("Grep", printed)
    [call] = [entry for entry in entries_of(session) if entry["what"] == "call"]
    assert call.get("is_output_cut", False) is is_cut
