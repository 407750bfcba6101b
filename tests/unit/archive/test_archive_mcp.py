"""The Model Context Protocol: a client that sends nonsense gets an error and goes on; the tools find and show."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from archived import FOREVER, store, turn
from compact_keeper.archive import indexing, mcp
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.mcp import INTERNAL, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, UNKNOWN_METHOD
from compact_keeper.archive.search import ANSWER_MAX_CHARACTERS
from compact_keeper.archive.shown_turns import PAGE_CHARACTERS
from hostile import DEEP
from sessions import CWD, SCRIPTS, SESSION_ID, Home, JsonObject, Session

DECIDED = "We'll round half up on whole cents, because the ledger does."
LONG = "\n".join(f"Line {number} of the otter's diary" for number in range(600))
PING = {"jsonrpc": "2.0", "id": "last", "method": "ping"}


def request(method: str, params: Any = None, number: Any = 1) -> JsonObject:
    """A request as clients send it."""
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def call(tool: str, number: Any = 1, **arguments: Any) -> JsonObject:
    """The request that calls a tool."""
    return request("tools/call", {"name": tool, "arguments": arguments}, number)


def hello(protocol: Any) -> JsonObject:
    """A client's first request."""
    return request("initialize", {"protocolVersion": protocol, "capabilities": {}, "clientInfo": {"name": "t"}}, 0)


def said(*messages: bytes | JsonObject | list[Any]) -> list[Any]:
    """What the server says to these lines, each answer a line in ASCII."""
    given = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in messages]
    stdout = io.BytesIO()
    mcp.converse(io.BytesIO(b"\n".join([*given, b""])), stdout)
    assert stdout.getvalue().isascii()
    return [json.loads(line) for line in stdout.getvalue().splitlines()]


def result_of(tool: str, **arguments: Any) -> tuple[str, bool]:
    """The text of a tool's result, and whether it is an error."""
    [answer] = said(call(tool, **arguments))
    [block] = answer["result"]["content"]
    assert block["type"] == "text"
    assert block["text"].encode()  # a client may refuse an answer with half a surrogate pair
    return block["text"], answer["result"]["isError"]


def finds(query: str, **filters: Any) -> str:
    """The hits for a query that is in order."""
    text, is_error = result_of("search_history", query=query, **filters)
    assert not is_error
    return text


@pytest.fixture(scope="module")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a decision, a failing command, a long answer and thirty turns that are alike."""
    session = Session()
    session.typed("How do we round the surcharge?")
    session.says(DECIDED)
    session.failed("Bash", "Exit code 1\nE   AssertionError: 4649 != 4650", command="make test-rates")
    session.typed("Tell me of the otter")
    session.says(LONG)
    for number in range(30):
        session.typed(f"Pier {number} of the harbour: {'move the crates ' * 12}")
        session.says("Moved.")
    folder = tmp_path_factory.mktemp("filled")
    (folder / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(folder))
        archive = Archive()
        indexing.take_in(archive, str(session.write(folder / f"{SESSION_ID}.jsonl")), lambda *_: None, float("inf"))
        archive.db.close()
    return folder


@pytest.fixture
def filled(filled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data folder with that archive."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(filled_folder))


# --- hostile lines ---


def hostile_lines() -> list[ParameterSet]:
    """Lines that are no good request, each with the error's code."""
    ping = json.dumps(PING).encode()
    broken = {
        "blank": b"", "words": b"Hello there", "torn": ping[:-5], "two-in-one": ping * 2,
        "byte-order-mark": b"\xef\xbb\xbf" + ping,
        "utf-16": json.dumps(PING).encode("utf-16-le"), "nul": b"\0" * 64,
        "raw-nul-in-a-text": b'{"jsonrpc": "2.0\0"}',
        "binary": bytes(set(range(256)) - {10}), "not-utf-8": b'{"jsonrpc": "2.0", "method": "caf\xe9"}',
        "raw-surrogate": b'"\xed\xa0\x80"', "http": b"Content-Length: 20\r", "python": b"{'jsonrpc': '2.0'}",
        "deep-list": b"[" * DEEP + b"]" * DEEP, "deep-and-torn": b'{"a":' * DEEP,
        "deep-in-a-field": ping[:-1] + b', "params": ' + b"[" * DEEP + b"]" * DEEP + b"}"}
    odd: dict[str, Any] = {
        "list": [PING], "empty-list": [], "nested-list": [[[]]], "number": 7, "text": "ping", "null": None,
        "true": True, "empty": {}, "no-version": {"id": 1, "method": "ping"}, "version-1": {**PING, "jsonrpc": "1.0"},
        "version-number": {**PING, "jsonrpc": 2.0}, "no-method": {"jsonrpc": "2.0", "id": 1},
        **{f"method-{name}": {**PING, "method": value} for name, value in ODD.items()},
        **{f"id-{name}": {**PING, "id": value} for name, value in ODD.items() if name != "number"},
        "half-id": {**PING, "id": 1.5}, "infinite-id": {**PING, "id": float("inf")}}
    params = {f"params-{name}": {**PING, "params": value} for name, value in {**ODD, "text": "x"}.items()
              if name != "object"}
    longest = b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * mcp.MESSAGE_MAX_BYTES + b'"}'
    return [*(pytest.param(line, PARSE_ERROR, id=name) for name, line in broken.items()),
            *(pytest.param(json.dumps(line).encode(), INVALID_REQUEST, id=name) for name, line in odd.items()),
            *(pytest.param(json.dumps(line).encode(), INVALID_PARAMS, id=name) for name, line in params.items()),
            pytest.param(longest, INVALID_REQUEST, id="too-long"),
            pytest.param(longest * 20, INVALID_REQUEST, id="20-megabytes"),
            pytest.param(json.dumps(request("x" * (mcp.MESSAGE_MAX_BYTES - 100))).encode(), UNKNOWN_METHOD, id="long"),
            pytest.param(json.dumps(request("\ud800\u2028\0")).encode(), UNKNOWN_METHOD, id="odd-method")]


ODD: dict[str, Any] = {"null": None, "number": 7, "true": True, "list": ["a"], "object": {"a": 1}}


@pytest.mark.parametrize(("line", "code"), hostile_lines())
def test_a_hostile_line_gets_an_error_and_the_next_its_answer(home: Home, line: bytes, code: int) -> None:
    error, last = said(line, PING)
    assert error["error"]["code"] == code
    assert len(error["error"]["message"].encode()) < 200
    assert last == {"jsonrpc": "2.0", "id": "last", "result": {}}
    assert home.files().keys() == {"config.json"}  # nothing was written, not even an archive


@pytest.mark.parametrize("line", [
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    {"jsonrpc": "2.0", "method": "tools/call", "params": []},
    {"jsonrpc": "2.0", "method": "no such thing"},
    {"method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
])
def test_a_notification_and_an_answer_get_none(line: JsonObject) -> None:
    assert [answer["id"] for answer in said(line, PING)] == ["last"]


@pytest.mark.parametrize("number", [0, -1, 1 << 70, "", "x", "1", "\u2028", "a\nb\0", "\ud800", "ä" * 10_000])
def test_an_answer_has_the_id_of_its_request(number: Any) -> None:
    answers = said(request("ping", number=number), request("x", number=number))
    assert [answer["id"] for answer in answers] == [number, number]


# --- hostile calls ---


@pytest.mark.parametrize(("arguments", "words"), [
    ({}, "query is missing"),
    ({"query": None}, "query is missing"),
    ({"query": ["auth"]}, "query is a text"),
    ({"query": 7}, "query is a text"),
    ({"query": ""}, "nothing to look for"),
    ({"query": ' " " * '}, "nothing to look for"),
    ({"query": "\ud800\0"}, "nothing to look for"),
    ({"query": "x" * 900_000}, "a question of 900,000 characters"),
    ({"query": "a", "kind": "prompts"}, "kind is one of prompt, answer, command, file, error, decision, not"),
    ({"query": "a", "kind": "\ud800" * 1_000}, "kind is one of"),
    ({"query": "a", "kind": 7}, "kind is a text"),
    ({"query": "a", "limit": 0}, "limit is a whole number from 1 to 50"),
    ({"query": "a", "limit": 1 << 70}, "limit is a whole number"),
    ({"query": "a", "limit": "5"}, "limit is a whole number"),
    ({"query": "a", "limit": True}, "limit is a whole number"),
    ({"query": "a", "limit": float("nan")}, "limit is a whole number"),
    ({"query": "a", "since": "yesterday"}, "since is a time (2026-11-21, 2026-11-21T14:00; 7d, 12h: so long ago), not"),
    ({"query": "a", "until": "0001-01-01"}, "until is a time"),
    ({"query": "a", "until": "9999-12-31T23:59:59+00:00\0"}, "until is a time"),
    ({"query": "a", "since": "2026-13-45"}, "since is a time"),
    ({"query": "a", "since": 7}, "since is a text"),
    ({"query": "a", "chars": 7}, 'there is no argument "chars"; there are query, project, session, since, until, kind'),
    ({"query": "a", "\ud800" * 10_000: 7}, "there is no argument"),
])
def test_a_bad_search_is_a_result_that_says_why(arguments: JsonObject, words: str) -> None:
    text, is_error = result_of("search_history", **arguments)
    assert is_error
    assert text.startswith(f"compact-keeper: {words}")
    assert len(text.splitlines()) == 1
    assert len(text) < 250


@pytest.mark.parametrize(("arguments", "words"), [
    ({}, "id is missing"),
    ({"id": "x"}, "'x' names no turn (2), step (2#57, "),
    ({"id": 0}, "there is no turn 0"),
    ({"id": 1.5}, "id is a text"),
    ({"id": 1 << 63}, "'9223372036854775808' names no turn"),
    ({"id": [1]}, "id is a text"),
    ({"id": "1#99"}, "there is no step 1#99"),
    ({"id": 1, "context": -1}, "context is a whole number from 0 to 20"),
    ({"id": 1, "page": 0}, "page is a whole number"),
    ({"id": 9_999}, "there is no turn 9999"),
    ({"id": 1, "page": 2}, "there is no page 2; the last is 1"),
])
@pytest.mark.usefixtures("filled")
def test_a_bad_show_is_a_result_that_says_why(arguments: JsonObject, words: str) -> None:
    text, is_error = result_of("show_turn", **arguments)
    assert is_error
    assert text.startswith(f"compact-keeper: {words}")


@pytest.mark.parametrize("query", [
    "AND", "a OR", 'NEAR("a" "b")', "prompt: {x} ^y", "'; DROP TABLE turns; --", '"unbalanced', "*", "rates*", "(((",
    "-rates", "\\ % _ rates", "费率", "rates\u2028rates", "rates\0rates", "\ud83d rates", "x" * 9_999,
])
@pytest.mark.usefixtures("filled")
def test_any_query_is_answered(query: str) -> None:
    [answer] = said(call("search_history", query=query, project="a\0\ud800", session="%'\""))
    assert "error" not in answer


@pytest.mark.parametrize(("params", "words"), [
    ({}, "there is no such tool; there are search_history, show_turn"),
    ({"name": "forget"}, "there is no such tool"),
    ({"name": ["search_history"]}, "there is no such tool"),
    ({"name": None}, "there is no such tool"),
    ({"name": "show_turn", "arguments": [1]}, "arguments is no object"),
    ({"name": "show_turn", "arguments": "id=1"}, "arguments is no object"),
])
def test_a_call_of_no_tool_is_an_error_of_the_protocol(params: JsonObject, words: str) -> None:
    [answer] = said(request("tools/call", params))
    assert answer["error"]["code"] == INVALID_PARAMS
    assert answer["error"]["message"].startswith(words)


def test_an_archive_that_cannot_be_read_is_a_result_too(home: Home) -> None:
    (home.path / "archive.db").write_bytes(b"no database" * 1_000)
    text, is_error = result_of("search_history", query="rates")
    assert is_error
    assert text.startswith("compact-keeper: ")
    assert "not a database" in text


def test_an_archive_in_which_something_is_missing_is_a_result_too(archive: Archive) -> None:
    archive.db.execute("DROP TABLE turns")
    assert result_of("search_history", query="rates") == ("compact-keeper: no such table: turns", True)


def test_a_time_that_this_machine_cannot_tell_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflows(_: str) -> float:
        raise OverflowError
    monkeypatch.setattr(mcp, "moment_named", overflows)
    answer = mcp.McpConversation().answer(call("search_history", query="rates", since="9999-12-31"))
    assert answer
    assert answer["result"]["isError"]


def test_a_fault_of_ours_is_an_error_without_the_users_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: JsonObject) -> str:
        raise ZeroDivisionError("the user's words")
    monkeypatch.setitem(mcp.CALLS, "show_turn", fails)
    answer = mcp.McpConversation().answer(call("show_turn", id=1))
    assert answer
    assert answer["error"] == {"code": INTERNAL, "message": "internal error: ZeroDivisionError"}


# --- the beginning and the end ---


@pytest.mark.parametrize(("wanted", "spoken"), [
    *((protocol, protocol) for protocol in mcp.PROTOCOLS),
    ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
])
def test_the_clients_protocol_is_spoken_where_it_is_known(wanted: str, spoken: str) -> None:
    [answer] = said(hello(wanted), {"jsonrpc": "2.0", "method": "notifications/initialized"})
    plugin = json.loads((SCRIPTS.parent / ".claude-plugin/plugin.json").read_text())
    assert answer["result"] == {"protocolVersion": spoken, "capabilities": {"tools": {}},
                                "serverInfo": {"name": plugin["name"], "version": plugin["version"]}}


@pytest.mark.parametrize("protocol", [None, 7, ["2025-11-25"]])
def test_a_first_request_without_a_version_is_refused(protocol: Any) -> None:
    assert said(hello(protocol))[0]["error"]["code"] == INVALID_PARAMS


def test_a_batch_is_answered_in_the_one_version_that_has_them() -> None:
    batch = [request("ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, 7, request("ping", number=2)]
    said_only = [{"jsonrpc": "2.0", "method": "notifications/x"}]
    _, answers, empty, last = said(hello("2025-03-26"), batch, said_only, [], PING)
    assert [answer["id"] for answer in answers] == [1, None, 2]
    assert (empty["error"]["code"], last["id"]) == (INVALID_REQUEST, "last")
    _, refused = said(hello("2025-06-18"), batch)
    assert refused["error"]["code"] == INVALID_REQUEST


# --- what the tools tell ---


def test_the_tools_schemas_hold_what_the_calls_take() -> None:
    [answer] = said(request("tools/list"))
    tools = {tool["name"]: tool["inputSchema"] for tool in answer["result"]["tools"]}
    assert {name: ([*schema["properties"]], schema["required"]) for name, schema in tools.items()} == {
        "search_history": (["query", "project", "session", "since", "until", "kind", "limit"], ["query"]),
        "show_turn": (["id", "context", "match", "page"], ["id"])}
    assert len(json.dumps(answer)) < 2_100  # clients before 2.1.329 send all of it with each request


@pytest.mark.usefixtures("filled")
def test_a_search_tells_the_words_and_where_they_stand() -> None:
    text = finds("why is the surcharge rounded")
    assert "typed: How do we round the surcharge?" in text
    assert "parcel-rates · main · show 1#1\n" in text
    assert "ran: make test-rates" in finds("rates", kind="command", project="parcel-rates", session=SESSION_ID)


@pytest.mark.parametrize("filters", [
    {"project": "invoices"}, {"session": "5e551012"}, {"since": "2026-09-25"}, {"until": "2026-09-20T08:00"},
    {"kind": "file"},
])
@pytest.mark.usefixtures("filled")
def test_filters_leave_out(filters: JsonObject) -> None:
    assert finds("surcharge", **filters).endswith("nothing found with these filters")
    assert "surcharge" in finds("surcharge", **dict.fromkeys(filters))


@pytest.mark.usefixtures("filled")
def test_hits_are_whole_and_few_enough() -> None:
    text = finds("harbour pier crates", limit=30)
    assert ANSWER_MAX_CHARACTERS - 500 < len(text) <= ANSWER_MAX_CHARACTERS
    assert len(text.split("\n")) == 2 * text.count("   typed: Pier ") > 6
    assert finds("harbour pier crates", limit=2).count("typed: ") == 2


@pytest.mark.usefixtures("filled")
def test_a_turn_is_shown_with_its_neighbours() -> None:
    text, is_error = result_of("show_turn", id=1)
    assert not is_error
    assert text.startswith("turn 1 · 2026-09-")
    for words in (f"{CWD} · branch main · session {SESSION_ID}", "typed: How do we round", f"said: {DECIDED}",
                  "ran: make test-rates\n      → failed (exit 1)", "4649 != 4650"):
        assert words in text
    assert "otter" not in text
    assert "typed: Tell me of the otter" in result_of("show_turn", id=1, context=1)[0]


@pytest.mark.usefixtures("filled")
def test_a_step_is_shown_by_its_tag() -> None:
    [row] = Archive().rows("id = 1")
    tag = next(tags[0] for kind, _, *tags in json.loads(row["steps"]) if kind == "command")
    assert "ran: make test-rates" in result_of("show_turn", id=f"#{tag}")[0]
    assert result_of("show_turn", id="#zzzz")[1]


@pytest.mark.usefixtures("filled")
def test_a_long_turn_is_read_page_by_page() -> None:
    first, _ = result_of("show_turn", id=2)
    count = int(first.rpartition(" of ")[2].partition(";")[0])
    pages = [result_of("show_turn", id=2, page=page)[0] for page in range(1, count + 1)]
    read = "\n".join(page.rpartition("\n(page ")[0] or page for page in pages).replace("#5 said", "said")
    assert [line.strip() for line in read.splitlines() if "Line" in line] == [
        f"said: {line}" if line.startswith("Line 0 ") else line for line in LONG.splitlines()]
    assert all(len(page) < PAGE_CHARACTERS for page in pages)
    beyond = f"compact-keeper: there is no page {count + 1}; the last is {count}"
    assert result_of("show_turn", id=2, page=count + 1) == (beyond, True)


def test_no_character_of_an_archive_breaks_a_line(archive: Archive) -> None:
    words = "lama\u2028and\u2029then\x85so\x0b\x0c\x1c🦙\U0010ffff"
    store(archive, turn(1, words))
    assert "lama\u2028and" in result_of("show_turn", id=1)[0].replace("\n    ", "\u2028")
    assert "lama" in finds("lama")
