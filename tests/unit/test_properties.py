"""What holds for any input: nothing raises, nothing is over its size, twice is as once, bit by bit is as at once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from any_records import CONTROLS, any_of, any_text, anything, events, records, texts, transcripts
from compact_keeper.notes.page import MARKER, notes_page
from compact_keeper.recap.choice.sections import SHOWN
from compact_keeper.record.merge import identity, merge
from compact_keeper.record.session import read_on, snapshot_of
from compact_keeper.store.json_lines import parse_line, read_lines
from compact_keeper.store.memory import fault_in
from compact_keeper.store.settings import default_settings
from compact_keeper.text.length import cut
from compact_keeper.text.length import units as units_of_ours
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.telling import telling_line
from compact_keeper.types import Item, Memory
from recaps import recap_of
from record_event import event_of
from secrets_table import HARMLESS, NAMED_BODIES, NAMED_CARRIERS, TOKENS, URL_BODIES, URLS, blocks
from sessions import CWD, Session, as_line, hook_input, memory_of, units


def remembered(lines: list[Any], ledger: list[Any], memory: Memory | None = None) -> Any:
    """What a save makes of these records and ledger lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "transcript.jsonl")
        path.write_bytes(b"".join(map(as_line, lines)))
        Path(folder, "ledger.jsonl").write_bytes(b"".join(map(as_line, ledger)))
        return read_on(memory or {}, str(path), folder, default_settings())[0]


def shown(memory: Any) -> str:
    """What would be put back of the memory."""
    return recap_of(snapshot_of(memory, default_settings()))[0]


# --- nothing raises, nothing is too long ---


def check_page(page: str) -> None:
    """Notes are text that can be stored: no control, no secret, nothing that a reader of Markdown hides."""
    page.encode()
    assert page.startswith(MARKER)
    assert not set(page) & CONTROLS
    assert "hunter2" not in page
    assert "<!--" not in page.removeprefix(MARKER)
    assert all(line[:2] in ("", "# ", "##", "- ", "  ", "Se", "<!") for line in page.split("\n"))


def check_text(text: str) -> None:
    """What is put back is within its budget, with no control, tag, secret or line of another form."""
    text.encode()  # no lone surrogate is left
    assert units(text) <= default_settings()["budget"]
    assert not set(text) & CONTROLS
    assert "<system" not in text.lower()
    assert "hunter2" not in text
    assert [line for line in text.split("\n") if line.startswith("#") and line[3:] not in SHOWN] == []


@given(transcripts, st.lists(events, max_size=4))
@example([{"type": "queue-operation", "operation": "enqueue", "content": "Go on."}], [])
@example([], [{"event": "prompt", "time": "2026-11-21T07:00:00.000Z", "text": "Go on."}])
def test_any_records_make_a_memory_a_text_and_notes(lines: list[Any], ledger: list[Any]) -> None:
    memory = remembered(lines, ledger)
    whole = json.dumps({"schema": 1, **memory}, ensure_ascii=False)
    stored = json.loads(whole.encode("utf-8", "replace"))
    assert len(memory["items"]) <= default_settings()["max_items"]
    assert fault_in(memory) == "", "the next save works with it"
    check_page(notes_page("s", "/srv/rates", stored, [], {}))
    text = shown(memory)
    check_text(text)
    assert text == shown(memory)
    # What was stored can be gone on from, and be rendered; what came in stays as it was.
    unread: Any = {**stored, "place": {}, "ledgers": {}}  # else by chance the same inode
    later = remembered(lines[::-1], ledger, unread)
    assert later["position"] >= memory["position"]
    check_text(shown(later))
    assert stored == json.loads(whole.encode("utf-8", "replace"))


@given(st.binary(max_size=200), st.lists(records, max_size=2))
@example(b'{"a":1', [])
@example(b'{"a":' * 5_000, [])
def test_any_line_is_parsed_or_passed_over(noise: bytes, whole: list[Any]) -> None:
    assert all(isinstance(record, dict) for record in parse_line(noise))
    glued = b" ".join(as_line(record).rstrip(b"\n") for record in whole)
    objects = [record for record in whole if isinstance(record, dict)]
    assert len(parse_line(glued + noise)) >= len(objects)
    assert len(parse_line(glued)) == len(objects)


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=12), st.integers(0, 400),
       st.booleans())
def test_any_place_to_stop_reads_every_line_once(lines: list[bytes], place: int, whole: bool) -> None:
    content = b"".join(line + b"\n" for line in lines)[: None if whole else -1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        path.write_bytes(content)
        read = [line for start, stop in ((0, place), (place, len(content))) if start < stop
                for _, line in read_lines(str(path), start, stop)]
    assert b"".join(read) == content


RECORDED = ("PostToolUse", "PostToolUseFailure", "SubagentStart", "SubagentStop")


@given(st.dictionaries(st.sampled_from((
    "tool_name", "tool_input", "tool_response", "tool_use_id", "error",
    "is_interrupt", "agent_id", "agent_type", "last_assistant_message")), anything), any_of(*RECORDED))
def test_any_event_makes_a_line(fields: Any, name: str) -> None:
    given: Any = {**hook_input(name), **fields, "hook_event_name": name}
    line = json.dumps(event_of(given), ensure_ascii=False).encode("utf-8", "replace")
    assert len(line) < 40_000
    assert b"hunter2" not in line


# --- words ---

secret_texts = st.one_of(
    st.builds(str.format, any_of(*NAMED_CARRIERS.values()), any_of(*NAMED_BODIES.values(), *TOKENS.values())),
    st.builds(str.format, any_of(*URLS.values()), any_of(*URL_BODIES.values())),
    any_of(*TOKENS.values(), *HARMLESS, *dict(blocks()).values()))
noisy = st.lists(st.one_of(secret_texts, texts,
                           any_of(" ", "\n", "\t", "=", ":", '"', "'", "password", "token", "[redacted: x]")),
                           max_size=5).map(" ".join)


@given(noisy)
def test_redaction_twice_is_as_once(text: str) -> None:
    once = redact(clean(text))
    assert redact(once) == once


@given(st.text(alphabet="pasword=:\"' @/-[]redct.kyAI_\n1", max_size=80))
def test_redaction_twice_is_as_once_near_its_borders(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(noisy)
def test_cleaning_twice_is_as_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    once.encode()  # no lone surrogate is left


@given(noisy, st.integers(1, 400))
def test_quoting_twice_is_as_once_and_on_one_line(text: str, limit: int) -> None:
    once = quote(text, limit)
    again = quote(once, limit)  # a cut may leave part of a value that whole is no secret, and then looks like one
    assert again == once or (once.endswith("…") and "[re" in again)  # the mark may be cut, too
    assert units(once) <= limit
    assert len(once.splitlines()) <= 1


@given(any_of(*TOKENS.values()), st.text(alphabet="ab \n.,", max_size=80), st.integers(1, 200))
def test_no_cut_leaves_half_a_token(token: str, before: str, limit: int) -> None:
    assume(redact(token) != token)
    text = quote(f"{before} {token} end", limit)
    assert not any(token[at:at + 16] in text for at in range(len(token) // 2, len(token) - 15))


@given(st.text(max_size=300), st.integers(1, 300))
def test_a_cut_is_within_its_limit_and_a_beginning(text: str, limit: int) -> None:
    cut_text = cut(text, limit)
    assert units(cut_text) <= limit
    assert cut_text == text or (cut_text.endswith("…") and text.startswith(cut_text[:-1]))
    cut_text.encode()  # no half of a pair is left


@given(any_text, st.integers(1, 100))
def test_a_cut_of_broken_text_is_within_its_limit(text: str, limit: int) -> None:
    assert units(cut(text, limit)) <= limit
    assert units_of_ours(text) == units(text)


@given(noisy)
def test_a_telling_line_is_one_short_line(text: str) -> None:
    line = telling_line(text)
    assert units(line) <= 240
    assert len(line.splitlines()) <= 1


# --- merging ---

items = st.builds(
    lambda kind, text, status, position, key: {
        "kind": kind, "text": text, "status": status, "position": position, "who": "user", "source": "u", "first": "",
        "last": "",
        "cycle": 0, "uses": 1, **({"key": key} if key else {})},
    any_of("rule", "message", "job", "task"), texts, any_of("open", "answered", "gone"), st.integers(0, 50),
    any_of("", "a", "A", "ａ", "b"))


@given(st.lists(items, max_size=12), st.lists(items, max_size=12))
def test_merging_keeps_one_open_entry_an_item_in_order(known: list[Item], new: list[Item]) -> None:
    merged = merge(merge([], known, default_settings()), new, default_settings())
    names = [identity(item) for item in merged]
    assert len(names) == len(set(names))
    assert all(item["status"] not in ("answered", "gone") for item in merged)
    assert [item["position"] for item in merged] == sorted(item["position"] for item in merged)
    assert merge(merged, [], default_settings()) == merged
    assert set(names) <= {identity(item) for item in [*known, *new]}


@given(st.lists(items, max_size=8))
def test_merging_piece_by_piece_is_as_at_once(new: list[Item]) -> None:
    pieces: list[Any] = []
    for item in new:
        pieces = merge(pieces, [item], default_settings())
    at_once = merge([], new, default_settings())
    by_name: Callable[[Any], tuple[str, str]] = identity
    assert sorted(pieces, key=by_name) == sorted(at_once, key=by_name)


# --- bit by bit is as at once ---

STEPS: dict[str, Callable[[Session], object]] = {
    # words typed
    "rule": lambda s: s.typed("Never push to main."),
    "forget": lambda s: s.typed("Forget what I said about pushing to main."),
    "rules": lambda s: s.typed("Fix the parser in src/rates.py. Never touch the legacy tables here. Always use tabs."),
    "allow": lambda s: s.typed("You can touch the legacy tables again."),
    "order": lambda s: s.typed(f"Do step {s.number()}."),
    "same-order": lambda s: s.typed("Write the changelog of the rates."),
    "pasted": lambda s: s.typed("\n".join(f"2026-01-0{day} ERROR {s.number()}" for day in range(1, 8))),
    "short": lambda s: s.typed(f"the second {s.number()}"),
    "picks": lambda s: s.typed("b"),
    "queued": lambda s: s.queued(f"Always sign {s.number()}."),
    "interrupt": lambda s: (s.interrupt(), s.typed(f"the other {s.number()}")),
    "behind-compact": lambda s: s.user("<command-name>/compact</command-name><command-args>keep it</command-args>"),
    "handed-plan": lambda s: s.user(f"Implement the following plan:\n\n# Plan {s.number()}\n- read", planContent="x"),
    "lead": lambda s: s.user(f'<teammate-message teammate_id="team-lead">\nRead {s.number()}</teammate-message>'),
    # words said
    "says": lambda s: s.says(f"Working on {s.number()}."),
    "offers": lambda s: s.says("Two ways:\n\nA) Half up.\nB) Half even."),
    "boxes": lambda s: s.says("- [ ] Ship\n- [x] Read"),
    # calls
    "pass": lambda s: s.ran("Bash", "3 passed in 0.1s", command="pytest -q"),
    "fail": lambda s: s.failed("Bash", "Exit code 1\n1 failed, 2 passed in 0.1s", command="pytest -q"),
    "piped": lambda s: s.ran("Bash", "2 failed, 1 passed", command="pytest -q | tail"),
    "commit": lambda s: s.ran("Bash", f"[main 5b2340{s.number() % 10}] Add rates\n 1 file", command="git commit"),
    "waits": lambda s: s.call("Bash", command="pytest -q"),
    "edit": lambda s: s.ran("Edit", file_path=f"{CWD}/a.py", old_string="1", new_string="2"),
    "read": lambda s: s.ran("Read", "def load_rates(): pass", file_path=f"{CWD}/a.py"),
    "grep": lambda s: s.ran("Grep", f"{CWD}/a.py:2:def load_rates\n{CWD}/src/c.py:3:half_even()", pattern="x"),
    "status": lambda s: s.ran("Bash", " M src/c.py\n?? src/d.py\n", command="git status --short"),
    "other-tool": lambda s: s.ran("mcp__db__query", "3 rows", sql=f"select {s.number() % 3}"),
    "todo": lambda s: s.todos(Ship="pending", **{f"Step_{s.number()}": "in_progress"}),
    "create": lambda s: s.created(s.number(), f"Task {s.number()}"),
    "update": lambda s: s.updated(2, status="completed"),
    "reject": lambda s: s.rejected("Bash", f"use make {s.number()}", command="x"),
    "reject-silently": lambda s: s.rejected("Bash", command="pytest -q"),
    "plan": lambda s: s.ran("ExitPlanMode", "User has approved your plan.", plan=f"# Plan {s.number()}"),
    "answer": lambda s: s.answered(s.posed("Which?"), "Which?", "This"),
    "dialog": lambda s: s.posed("Which rounding?"),
    "job": lambda s: s.ran("Bash", "running in background with ID: b1", command="make serve"),
    "agent": lambda s: s.ran("Agent", "Found it.", prompt="Look."),
    "job-end": lambda s: (s.ran("Bash", f"running in background with ID: b2{s.number()}", command="make once"),
                          s.notified(f"b2{s.number() - 2}")),
    "compact": lambda s: s.compacted(),
}


def acted(steps: list[str]) -> Session:
    session = Session()
    for step in steps:
        STEPS[step](session)
    return session


def items_by_identity(memory: Any) -> dict[Any, Any]:
    """The items by what they are, without how often and since when a call was looked at that had not ended."""
    left_out = ("source", "uses", "position", "first")
    late = ("last",)  # of a task: a list says it when it is called, and again when it is written
    return {identity(item): {name: value for name, value in item.items()
                             if name not in left_out + (late if item["kind"] == "task" else ())}
            for item in memory["items"]}


def in_order(log: list[Any]) -> list[Any]:
    """The log by time: a call that one save saw begin ends in another."""
    return sorted(log, key=lambda event: (event["time"], event["key"]))


@given(st.lists(any_of(*STEPS), max_size=10), st.lists(st.integers(0, 30), max_size=3))
@example(["edit"], [1])
@example(["pass", "fail", "pass", "pass", "piped", "pass"], [1, 3, 3, 8])
@example(["fail", "pass"], [3])
@example(["fail", "reject-silently"], [3])
@example(["waits", "pass", "waits"], [1, 2, 3])
@example(["waits", "pass"], [3, 3])
@example(["status"], [1])
@example(["commit", "commit"], [2, 3])
@example(["create", "create", "update", "update"], [4, 6])
@example(["rule", "forget", "rule"], [1, 2])
@example(["rules", "allow", "rules"], [1, 2])
@example(["compact", "compact"], [1, 2, 3])
@example(["offers", "picks"], [1])
@example(["offers", "edit", "picks"], [1, 2])
@example(["edit", "read"], [2])
@example(["dialog", "says"], [1])
@example(["todo", "todo", "boxes"], [2])
@example(["plan"], [1])
@example(["agent"], [1])
@example(["job", "job-end"], [4])
@example(["pass", "edit", "edit"], [5])
@example(["queued"], [1])
@example(["interrupt"], [1])
@example(["says", "offers", "says"], [1, 2])
def test_saves_bit_by_bit_are_as_one(steps: list[str], cuts: list[int]) -> None:
    session = acted(steps)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory: Any = {}
        for count in sorted(count for count in cuts if count <= len(session.records)):  # twice: nothing was new
            part = Session()
            part.records = session.records[:count]
            memory = memory_of(part, folder, memory)
        memory = memory_of(session, folder, memory)
        whole = memory_of(session, folder)
    assert items_by_identity(memory) == items_by_identity(whole)
    assert (memory["position"], memory["cycle"], memory["state"]) == (whole["position"], whole["cycle"], whole["state"])
    assert in_order(memory["progress"]) == in_order(whole["progress"])
    assert len({tuple(event.values()) for event in memory["progress"]}) == len(memory["progress"])


@given(st.lists(any_of(*STEPS), max_size=8))
def test_rows_that_come_again_change_nothing(steps: list[str]) -> None:
    session = acted(steps)
    assume(not any(record["type"] == "queue-operation" for record in session.records))  # these have no uuid
    again = session + session
    with tempfile.TemporaryDirectory() as name:
        assert items_by_identity(memory_of(again, Path(name))) == items_by_identity(memory_of(session, Path(name)))
