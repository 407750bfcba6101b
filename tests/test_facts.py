"""The planted facts: the generator gives the same everywhere and every shape; the measure tells good from bad."""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import facts
from facts import delivery, put_back, row, seen_part, shown_as_live
from phrases import TONGUES
from planted import LAG, story
from sessions import CWD, Record, as_line, units
from story import BESIDE, SIZES, WAYS, Fact, Moment, Story, Writer

BUDGET = 9_000  # UTF-16 units: the default of the scripts
DIGEST = "e19f0a1711765552"  # of the story number 6 with the seed 1
TOLERANCE = 120  # records that a story may be longer than planned


@cache
def stories() -> tuple[Story, ...]:
    """The stories of a default run but for the longest."""
    return tuple(story(1, number) for number, size in enumerate(SIZES) if size < 5_000)


def planted_facts() -> list[Fact]:
    return [fact for one in stories() for fact in one.facts]


def compactions(one: Story) -> list[Moment]:
    return [moment for moment in one.moments if moment.what == "compact"]


# --- the shapes of the client's transcripts ---


def content(record: Record) -> object:
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def blocks(record: Record) -> list[Record]:
    found = content(record)
    return found if isinstance(found, list) else []


def has_block(kind: str, what: str) -> Callable[[Record], bool]:
    return lambda record: record["type"] == kind and any(block["type"] == what for block in blocks(record))


def has_text(start: str) -> Callable[[Record], bool]:
    return lambda record: record["type"] == "user" and start in json.dumps(content(record))


def has_tool(name: str) -> Callable[[Record], bool]:
    return lambda record: any(block.get("name") == name for block in blocks(record))


def results(record: Record) -> Iterator[Record]:
    return (block for block in blocks(record) if block["type"] == "tool_result")


def inner(what: str) -> Callable[[Record], bool]:
    """Whether a result is a list with such a part."""
    return lambda record: any(isinstance(one["content"], list) and any(part["type"] == what for part in one["content"])
                              for one in results(record))


def copied_as(kind: type[object]) -> Callable[[Record], bool]:
    return lambda record: isinstance(record.get("toolUseResult"), kind)


def in_result(words: str) -> Callable[[Record], bool]:
    return lambda record: any(words in json.dumps(one["content"]) for one in results(record))


def of_type(kind: str, **fields: str) -> Callable[[Record], bool]:
    """Whether the record, or what it carries, has these fields."""
    def matches(record: Record) -> bool:
        carried = {**record, **(record.get("data") or {}), **(record.get("attachment") or {})}
        return record["type"] == kind and all(carried.get(name) == value for name, value in fields.items())
    return matches


def has_key(*names: str) -> Callable[[Record], bool]:
    return lambda record: all(record.get(name) not in (None, False) for name in names)


SHAPES: dict[str, Callable[[Record], bool]] = {
    "typed, a string": lambda record: record["type"] == "user" and isinstance(content(record), str),
    **{f"user block {what}": has_block("user", what) for what in ("text", "image", "document", "tool_result")},
    **{f"assistant block {what}": has_block("assistant", what) for what in (
        "text", "thinking", "tool_use", "server_tool_use", "advisor_tool_result")},
    "empty thinking": lambda record: any(block.get("thinking") == "" for block in blocks(record)),
    "several blocks": lambda record: record["type"] == "assistant" and len(blocks(record)) > 1,
    "synthetic": lambda record: record["type"] == "assistant" and record["message"]["model"] == "<synthetic>",
    **{f"key {name}": has_key(name) for name in (
        "isMeta", "isSidechain", "agentId", "isCompactSummary", "logicalParentUuid", "planContent", "todos", "teamName",
        "sourceToolUseID", "isApiErrorMessage", "promptSource", "origin", "sessionKind", "toolUseResult")},
    **{f"result with {what}": inner(what) for what in ("text", "image", "tool_reference")},
    "result as text": lambda record: any(isinstance(one["content"], str) for one in results(record)),
    "failed result": lambda record: any(one["is_error"] for one in results(record)),
    **{f"result: {words}": in_result(words) for words in (
        "<tool_use_error>", "<persisted-output>", "<system-reminder>", "the user said:", "STOP what you are doing",
        "Async agent launched", "running in background with ID", "User has approved your plan", "User has answered")},
    **{f"copy as {kind.__name__}": copied_as(kind) for kind in (dict, list, str)},
    **{f"tool {name}": has_tool(name) for name in (
        "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion",
        "Agent",
        "Task", "KillShell", "TaskStop", "ToolSearch", "Skill", "WebFetch", "Edit", "Write", "Read", "Grep", "Glob",
        "LS")},
    **{f"text {words}": has_text(words) for words in (
        "<command-name>", "<command-args>", "<local-command-stdout>", "<local-command-caveat>", "Caveat: The messages",
        "<bash-input>", "<bash-stdout>", "<ide_opened_file>", "Base directory for this skill", "Stop hook feedback",
        "[Request interrupted by user]", "Continue from where you left off", "<teammate-message", "<task-notification>",
        "Implement the following plan:", "This session is being continued", "Operation stopped by hook")},
    **{f"queue {name}": of_type("queue-operation", operation=name) for name in ("enqueue", "dequeue", "remove",
                                                                                "popAll")},
    **{f"line {name}": of_type(name) for name in (
        "summary", "file-history-snapshot", "file-history-delta", "last-prompt", "ai-title", "custom-title",
        "agent-name",
        "permission-mode", "mode", "pr-link", "atis-latch", "bridge-session", "agent-setting", "api-request-blob")},
    **{f"system {name}": of_type("system", subtype=name) for name in (
        "stop_hook_summary", "turn_duration", "api_error", "local_command", "away_summary", "informational",
        "scheduled_task_fire", "microcompact_boundary", "compact_boundary")}}
CARRIED = {  # kinds of what a progress or attachment line carries
    "progress": "hook_progress bash_progress mcp_progress agent_progress waiting_for_task query_update".split(),
    "attachment": (
        "hook_success hook_additional_context hook_blocking_error hook_system_message queued_command edited_text_file "
        "plan_mode task_reminder todo_reminder nested_memory skill_listing deferred_tools_delta agent_listing_delta "
        "file selected_lines_in_ide compact_file_reference invoked_skills date_change total_tokens_reminder").split()}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_record_is_there(shape: str) -> None:
    assert any(SHAPES[shape](record) for one in stories() for record in one.records)


@pytest.mark.parametrize(("line", "place"), [("progress", "data"), ("attachment", "attachment")])
def test_every_kind_of_progress_and_attachment_is_there(line: str, place: str) -> None:
    found = {record[place]["type"] for one in stories() for record in one.records if record["type"] == line}
    assert found == set(CARRIED[line])


def test_lines_are_glued_torn_and_late_and_rows_come_again() -> None:
    assert any(one.glued for one in stories())
    assert {moment.torn for one in stories() for moment in compactions(one)} == {True, False}
    assert {moment.lag for one in stories() for moment in compactions(one)} == set(range(LAG + 1))
    again = [Counter(record.get("uuid") for record in one.records if record.get("uuid")) for one in stories()]
    assert any(count > 1 for counts in again for count in counts.values())
    assert any(len({record.get("sessionId") for record in one.records} - {None}) > 1 for one in stories())


def test_a_message_stands_on_several_lines_and_a_call_may_have_no_result() -> None:
    said = [record for one in stories()[:8] for record in one.records if record["type"] == "assistant"]
    calls = {block["id"] for record in said for block in blocks(record) if block["type"] == "tool_use"}
    ended = {block["tool_use_id"] for one in stories()[:8] for record in one.records for block in results(record)}
    assert max(Counter(record["message"]["id"] for record in said).values()) > 1
    assert calls - ended


def test_a_rewind_leaves_two_rows_with_one_parent() -> None:
    commands = [record for one in stories() for record in one.records if has_text("<command-")(record)]
    rewinds = [record for record in commands if has_text("/rewind")(record)]
    assert rewinds
    assert Counter(record.get("parentUuid") for record in commands)[rewinds[0]["parentUuid"]] > 1


# --- the generator ---


def test_a_seed_gives_the_same_story_and_another_seed_another_one() -> None:
    assert story(5, 3) == story(5, 3)
    assert story(5, 3) != story(6, 3)


def test_a_story_is_the_same_on_every_machine() -> None:
    """A new digest means that results can not be compared with older ones; expected when texts are changed."""
    told = story(1, 6)
    text = b"".join(map(as_line, told.records)) + repr(told.facts).encode()
    assert hashlib.sha256(text).hexdigest()[:16] == DIGEST
    assert {record["cwd"] for record in told.records if "cwd" in record} == {CWD}


def test_a_run_has_many_facts_of_every_kind_in_many_languages() -> None:
    true = [fact for fact in planted_facts() if fact.fate != "imitated"]
    assert len(true) >= 300
    assert {fact.kind for fact in true} == set(facts.KINDS)
    assert {one.language for one in stories()} == set(TONGUES)
    assert len(TONGUES) >= 11
    assert min(Counter(fact.kind for fact in true).values()) >= 10


def test_facts_lose_their_truth_in_every_way() -> None:
    fates = Counter(fact.fate for fact in planted_facts())
    expected = {"superseded", "withdrawn", "imitated", "one-off", "finished", "cancelled", "answered", "replaced",
                "reversed",
                "done", "struck", "cleared", "ended", "deleted", "past", ""}
    assert set(fates) == expected
    assert min(fates.values()) >= 5


def test_rules_come_by_every_way() -> None:
    ways = {fact.way for fact in planted_facts() if fact.kind == "rule"}
    assert ways >= {*WAYS, "in a request", "replacing", "one-off", "correction, typed", "correction, rejection"}


def test_sizes_and_compactions_are_as_planned() -> None:
    lengths = [len(one.records) for one in stories()]
    planned = [size for size in SIZES if size < 5_000]
    assert all(size - 20 <= length <= size + TOLERANCE for size, length in zip(planned, lengths))
    assert {len(compactions(one)) for one in stories()} == set(range(1, 7))
    assert (min(SIZES), max(SIZES)) >= (200, 20_000)
    assert {moment.what for one in stories() for moment in one.moments} == {"compact", "stop", "event"}


def test_what_holds_fits_into_the_budget() -> None:
    """A person who wrote down every fact of a session, a line each, would need less than a full block."""
    for one in stories():
        for told in facts.controlled(one, "oracle"):
            assert units(told.text) < BUDGET * 0.6, (one.name, told.number)


def test_every_fact_stands_in_the_transcript_before_it_counts() -> None:
    for one in stories()[:12]:
        for moment in compactions(one):
            written = json.dumps(one.records[:moment.at], ensure_ascii=False)
            said = facts.fold(written.replace("\\n", " ").replace('\\"', '"'))
            held = [fact for fact in one.facts if fact.since <= moment.at < fact.until and fact.kind not in ("pin",
                                                                                                             "state")]
            missing = [piece for fact in held for piece in fact.pieces if facts.fold(piece) not in said]
            assert missing == []


def test_a_draw_repeats_nothing_before_all_were_used() -> None:
    writer = Writer(1, 0)
    drawn = [writer.draw("a {n} | b {n} | c", "deck") for _ in range(5)]
    assert sorted(drawn[:3]) == ["a {n}", "b {n}", "c"]
    assert sorted(drawn[3:]) == ["a {n}", "b {n}"]


# --- the measure ---

RULE = Fact("rule", ("Never edit src/a.py by hand",), 0)
DEAD = RULE._replace(until=5, fate="superseded")


def lines(text: str) -> list[str]:
    return [facts.fold(line) for line in text.splitlines()]


@pytest.mark.parametrize(("fact", "text", "good"), [
    (RULE, '- "Never edit src/a.py by hand." (typed 3 min before)', True),
    (RULE, "- never  EDIT src/a.py\tby hand", True),
    (RULE, "- do not edit src/a.py", False),
    (RULE, "", False),
    (Fact("failure", ("make test", "Error: 3"), 0), "- `make test` failed\n  Error: 3", True),
    (Fact("failure", ("make test", "Error: 3"), 0), "- `make test` failed", False),
    (Fact("value", ("staging", "4010"), 0), "staging is on 4010", True),
    (Fact("value", ("staging", "4010"), 0), "staging\n4010", False),
    (Fact("task", ("Write tests",), 0, beside="open"), "- [ ] Write tests", True),
    (Fact("task", ("Write tests",), 0, beside="open"), "- [x] Write tests", False),
    (Fact("plan", ("Rework",), 0, beside="approved"), "Plan Rework: approved", True),
    (Fact("plan", ("Rework",), 0, beside="approved"), "Plan Rework: not approved", False),
    (Fact("plan", ("Rework",), 0, beside="not approved"), "Plan Rework: not approved", True),
    (Fact("plan", ("Rework",), 0, beside="not approved"), "Plan Rework: approved", False),
    (Fact("command", ("make test",), 0, beside="passed"), "- `make test`: failed", False),
    (Fact("command", ("make test",), 0, beside="passed"), "- `make test`: passed, 3 runs", True),
    (Fact("claim", ("all tests pass",), 0, beside="doubted"), '- "All tests pass" (assistant)', False),
    (Fact("claim", ("all tests pass",), 0, beside="doubted"), '- "All tests pass", but the last run failed', True),
    (Fact("state", (), 0, beside="waiting"), "Waiting for the user's answer", True),
    (Fact("state", (), 0, beside="talking"), "Waiting for the user's answer", False),
])
def test_put_back(fact: Fact, text: str, good: bool) -> None:
    assert put_back(fact, lines(text)) is good


@pytest.mark.parametrize(("fact", "text", "live"), [
    (DEAD, '- "Never edit src/a.py by hand." (typed)', True),
    (DEAD, '- withdrawn: "Never edit src/a.py by hand." (typed)', False),
    (DEAD, "- You may edit src/a.py", False),
    (DEAD, "", False),
    (Fact("task", ("Write tests",), 0, 5, "done"), "- [ ] Write tests", True),
    (Fact("task", ("Write tests",), 0, 5, "done"), "- [x] Write tests", False),
    (Fact("task", ("Write tests",), 0, 5, "done"), "- not done: Write tests", True),
    (Fact("task", ("Call done first",), 0, 5, "done"), "- [ ] Call done first", True),
    (Fact("question", ("Skip rows?",), 0, 5, "answered"), "- Asked and not answered yet: Skip rows?", True),
    (Fact("question", ("Skip rows?",), 0, 5, "answered"), "- Asked: Skip rows? The user answered yes", False),
    (Fact("failure", ("make a", "Error: 3"), 0, 5, "cleared", marks=("Error: 3",)), "- `make a`: passed", False),
    (Fact("failure", ("make a", "Error: 3"), 0, 5, "cleared", marks=("Error: 3",)), "- `make a` failed: Error: 3",
     True),
    (Fact("rule", ("Always trust b",), 0, 0, "imitated"), '- "Always trust b." (typed)', True),
    (Fact("rule", ("Always trust b",), 0, 0, "imitated"),
     "- README says, among much else that is written there: Always trust b", False),
    (Fact("request", ("Add a",), 0, 5, "finished"), "asked now: Add b\nearlier: Add a", False),
    (Fact("request", ("Add a",), 0, 5, "finished"), "asked now: Add a\nearlier: Add b", True),
    (Fact("request", ("Add a",), 0, 5, "finished"), "asked now: Add a", True),
    (Fact("request", ("Add a",), 0, 5, "cancelled"), "earlier: Add a", True),
    (Fact("request", ("Add a",), 0, 5, "cancelled"), "cancelled: Add a", False),
])
def test_shown_as_live(fact: Fact, text: str, live: bool) -> None:
    assert shown_as_live(fact, lines(text), "add b") is live


def test_a_fact_counts_from_when_it_is_known_to_when_it_is_over() -> None:
    held = Fact("rule", ("Keep a",), 3, 7, "superseded")
    late = Fact("rule", ("Keep b",), 9)
    over = Fact("file", ("a.py",), 1, 4, "past")
    played = Story("00", "English", [], frozenset(), [], [held, late, over])
    found = {at: [(check.fact, check.holds, check.good) for check in delivery(
        played, Moment("compact", at), 1, "- Keep a", (0, 0)).checks] for at in (2, 3, 6, 7, 9)}
    assert found == {2: [(over, True, False)], 3: [(held, True, True), (over, True, False)], 6: [(held, True, True)],
                     7: [(held, False, False)], 9: [(late, True, False), (held, False, False)]}


def test_a_one_off_order_is_wrong_among_the_rules_only() -> None:
    order = Fact("rule", ("Push it before lunch",), 1, 4, "one-off", way="one-off")
    played = Story("00", "English", [], frozenset(), [], [Fact("rule", ("Keep a",), 0), order])
    for text, good in (("# Rules\n- Keep a\n- Push it before lunch", False),
                       ("# Rules\n- Keep a\n\n# Earlier\n- Push it before lunch", True)):
        checks = delivery(played, Moment("compact", 9), 1, text, (0, 0)).checks
        assert [check.good for check in checks] == [True, good]
    assert len(delivery(played, Moment("compact", 2), 1, "", (0, 0)).checks) == 1


def test_what_the_client_cuts_is_not_seen() -> None:
    assert units(seen_part("x" * 10_000)) == 10_000
    assert units(seen_part("🚚" * 5_001)) == 2_000


def test_coverage_and_precision_are_shares() -> None:
    played = Story("00", "English", [], frozenset(), [], [RULE, DEAD._replace(pieces=("Use npm",)),
                                                          Fact("rule", ("Use tabs",), 0)])
    told = delivery(played, Moment("compact", 9), 1, "- Never edit src/a.py by hand\n- Use npm", (0, 0))
    assert row("rule", told.checks)[1:4] == (2, 2, 0.5)
    assert row("rule", told.checks)[5:] == (0.5, 1)


def test_words_beside_meet_their_patterns() -> None:
    for name, (_, words) in BESIDE.items():
        assert put_back(Fact("plan", ("Rework",), 0, beside=name), lines(f"Rework – {words}"))


# --- controls, and the real scripts ---


@pytest.mark.parametrize(("control", "code"), [("oracle", 0), ("empty", 1), ("typed", 1)])
def test_controls_are_told_apart(control: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert facts.main(["--sessions", "8", "--control", control, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert (told["kinds"]["all"]["coverage"] == 1) is (control == "oracle")
    assert (told["superseded rules shown"] > 0) is (control == "typed")
    assert (told["imitated rules shown"] > 0) is (control == "typed")


def test_a_run_with_the_scripts_and_its_report(capsys: pytest.CaptureFixture[str]) -> None:
    code = facts.main(["--sessions", "1"])
    printed = capsys.readouterr().out
    assert code == ("all goals hold" not in printed)
    assert "coverage ≥ 0.97" in printed
    rows = {line.split()[0]: line.split() for line in printed.partition("\n\n")[0].splitlines()}
    assert float(rows["pin"][3]) == 1
    assert float(rows["all"][3]) > 0.5


def test_a_session_is_shown_with_its_faults(capsys: pytest.CaptureFixture[str]) -> None:
    facts.main(["--show", "6", "--control", "empty"])
    printed = capsys.readouterr().out
    assert "=== session 06, compaction 1: 0 units" in printed
    assert "MISSED pin" in printed


@pytest.mark.parametrize("argv", [["--sessions", "x"], ["--sessions", "0"], ["--control", "none"], ["--nothing"]])
def test_wrong_arguments_are_refused(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        facts.main(argv)
    assert ended.value.code == 2


@pytest.mark.parametrize("name", ["facts", "phrases", "planted", "story"])
def test_functions_are_short(name: str) -> None:
    tree = ast.parse(Path(facts.__file__).with_name(f"{name}.py").read_text(encoding="utf-8"))
    sizes = sorted((node.end_lineno or 0) - node.lineno + 1 for node in ast.walk(tree) if isinstance(node,
                                                                                                     ast.FunctionDef))
    assert sizes[len(sizes) // 2] <= 12
    assert sizes[-1] <= 50
