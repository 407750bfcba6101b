"""The Model Context Protocol: lets an agent search the archive, over stdin and stdout, for one client.

JSON-RPC 2.0, one message a line; answers are in ASCII. The archive is opened for each call (1 ms), so that what another
process has written, removed or put in its place since is seen. What a tool cannot do is a result that says why, with
`isError`; what is no good message is an error of the protocol.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import IO, Any

from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.question import NO_TEXT
from compact_keeper.archive.search import ANSWER_MAX_CHARACTERS, PASSAGES_BY_DEFAULT, answer_text
from compact_keeper.archive.shown_turns import PAGE_CHARACTERS, page_of, shown_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.times import moment_named
from compact_keeper.text.version import VERSION
from compact_keeper.types import JsonObject

PROTOCOLS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first; later ones know no initialize
WITH_BATCHES = "2025-03-26"  # the only one of them
MESSAGE_MAX_BYTES = 1 << 20  # of a line; a question has 10,000 characters at most
QUOTED_MAX_CHARACTERS = 60  # of what a client wrote that are said back
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
TEXT = {"type": "string"}
MOMENT = {**TEXT, "description": "2026-11-21, 2026-11-21T14:00; 7d, 12h: so long ago"}
TOOLS: tuple[JsonObject, ...] = ({
    "name": "search_history",
    "description": "Searches the original record of all sessions, of what is under way too: what the user typed, what "
                   "was answered, commands and what they printed, edits, reports. The best passages, each with its "
                   "place.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "required": ["query"], "additionalProperties": False, "properties": {
        "query": {**TEXT, "description": 'telling words or identifiers; "a phrase" has to occur, auth* begins so'},
        "project": {**TEXT, "description": "a folder or the end of its path; . is where the session runs"},
        "session": {**TEXT, "description": "a session's id or its beginning"},
        "since": MOMENT, "until": MOMENT,
        "kind": {**TEXT, "enum": KINDS},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": PASSAGES_BY_DEFAULT}}},
}, {
    "name": "show_turn",
    "description": "Shows a turn or steps of it, whole: the place is what stands behind `show` in a hit of "
                   "search_history.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "required": ["id"], "additionalProperties": False, "properties": {
        "id": {**TEXT, "description": "2#57: step 57 in turn 2's session; 2#40-60: these steps; 2: the whole turn; "
                                     "#k3fq: the step with the tag that ends a line of what compact-keeper put back"},
        "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "so many on either side too"},
        "match": {**TEXT, "description": "only lines with one of these words"},
        "page": {"type": "integer", "minimum": 1, "maximum": 10_000, "default": 1,
                 "description": f"of about {PAGE_CHARACTERS:,} characters"}}},
})


class Fault(Exception):
    """An error of the protocol: its code, and what is wrong."""

    def __init__(self, code: int, text: str) -> None:
        """`code`: one of JSON-RPC's numbers; `text`: what the client is told."""
        super().__init__(text)
        self.code = code


def search_history(given: JsonObject) -> str:
    """The best passages for the query, as much of them as fits."""
    times = {name: time_of(name, given[name]) for name in ("since", "until") if given.get(name)}
    return answer_text(given["query"], {**given, **times}, ANSWER_MAX_CHARACTERS)


def time_of(name: str, words: str) -> float:
    """Seconds since 1970 of what a filter says; refused when that is no time."""
    try:
        return moment_named(words)
    except (ValueError, OverflowError):
        raise Refusal(f"{name} is a time ({MOMENT['description']}), not {json_text(words)}") from None


def show_turn(given: JsonObject) -> str:
    """A page of the turn or the steps."""
    lines = shown_lines(given["id"], given.get("context"), given.get("match", ""), None)
    return page_of(lines, given["page"], PAGE_CHARACTERS, "page {}")


CALLS: dict[str, Callable[[JsonObject], str]] = {"search_history": search_history, "show_turn": show_turn}


def json_text(text: str) -> str:
    """What a client wrote, as it is said back: its beginning."""
    return f'"{re.sub(NO_TEXT, " ", text[:QUOTED_MAX_CHARACTERS])}"'


def checked(schema: JsonObject, given: JsonObject) -> JsonObject:
    """The arguments that the schema names, defaults filled in, null as if not given; refused when they break it."""
    known, given = schema["properties"], {name: value for name, value in given.items() if value is not None}
    if unknown := [name for name in given if name not in known]:
        raise Refusal(f"there is no argument {json_text(unknown[0])}; there are {', '.join(known)}")
    if missing := [name for name in schema["required"] if name not in given]:
        raise Refusal(f"{missing[0]} is missing")
    defaults = {name: about["default"] for name, about in known.items() if "default" in about}
    return {**defaults, **{name: fit(name, value, known[name]) for name, value in given.items()}}


def fit(name: str, value: Any, about: JsonObject) -> Any:
    """The argument as its schema has it; refused when it is something else."""
    if about["type"] == "integer":
        low, high = about["minimum"], about["maximum"]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Refusal(f"{name} is a whole number from {low} to {high}")
        return value
    value = str(value) if name == "id" and type(value) is int else value  # a turn's number, as models write it
    if not isinstance(value, str):
        raise Refusal(f"{name} is a text")
    if value not in about.get("enum", (value,)):
        raise Refusal(f"{name} is one of {', '.join(about['enum'])}, not {json_text(value)}")
    return re.sub(NO_TEXT, " ", value)


def called(params: JsonObject) -> JsonObject:
    """The result of a tool; what it refuses is one too, so that the model reads why."""
    given = params.get("arguments") or {}
    tool = next((tool for tool in TOOLS if tool["name"] == params.get("name")), None)
    if not tool:
        raise Fault(INVALID_PARAMS, f"there is no such tool; there are {', '.join(CALLS)}")
    if not isinstance(given, dict):
        raise Fault(INVALID_PARAMS, "arguments is no object")
    try:
        text, is_error = CALLS[tool["name"]](checked(tool["inputSchema"], given)), False
    except (Refusal, OSError, sqlite3.Error) as fault:
        text, is_error = f"compact-keeper: {fault}", True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def id_of(message: Any) -> str | int | None:
    """The id under which a request waits for its answer; None without a good one."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, (str, int)) and not isinstance(number, bool) else None


def needs_no_answer(message: Any) -> bool:
    """Whether a message is a notification, or itself an answer, though nothing is asked here."""
    if not isinstance(message, dict):
        return False
    is_notification = isinstance(message.get("method"), str) and "id" not in message
    return is_notification or ("method" not in message and ("result" in message or "error" in message))


def request_of(message: Any) -> tuple[str, JsonObject]:
    """The method and the parameters of a request."""
    method = message.get("method") if isinstance(message, dict) else None
    if id_of(message) is None or message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "a request is an object with jsonrpc 2.0, an id (text or whole number), a method")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "params is no object")
    return method, params


def error(number: str | int | None, code: int, text: str) -> JsonObject:
    """The answer to what is no good request."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


class McpConversation:
    """What one client and this server say to each other."""

    def __init__(self) -> None:
        """Nothing is agreed on before the client's first request."""
        self.protocol = ""  # that `initialize` agrees on

    def initialize(self, params: JsonObject) -> JsonObject:
        """Who answers, by which protocol: the client's where it is known here, else the newest that is."""
        protocol = params.get("protocolVersion")
        if not isinstance(protocol, str):
            raise Fault(INVALID_PARAMS, "protocolVersion is missing")
        self.protocol = protocol if protocol in PROTOCOLS else PROTOCOLS[0]
        return {"protocolVersion": self.protocol, "capabilities": {"tools": {}},
                "serverInfo": {"name": "compact-keeper", "version": VERSION}}

    def result(self, method: str, params: JsonObject) -> JsonObject:
        """The result of a request."""
        methods: dict[str, Callable[[JsonObject], JsonObject]] = {
            "initialize": self.initialize, "tools/call": called, "tools/list": lambda _: {"tools": TOOLS},
            "ping": lambda _: {}}
        if method not in methods:
            raise Fault(UNKNOWN_METHOD, f"there is no method {json_text(method)}")
        return methods[method](params)

    def answer(self, message: Any) -> JsonObject | None:
        """The answer to one message, None where it gets none."""
        if needs_no_answer(message):
            return None
        try:
            return {"jsonrpc": "2.0", "id": id_of(message), "result": self.result(*request_of(message))}
        except Fault as fault:
            return error(id_of(message), fault.code, str(fault))
        except Exception as fault:  # noqa: BLE001 - a client that waits gets an answer, whatever happens
            return error(id_of(message), INTERNAL, f"internal error: {type(fault).__name__}")

    def answers(self, line: bytes) -> JsonObject | list[JsonObject] | None:
        """The answer to a line, or those to a batch."""
        if not line:
            return error(None, INVALID_REQUEST, f"a line of {MESSAGE_MAX_BYTES:,} bytes or more is not read")
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return error(None, PARSE_ERROR, "this line is no JSON in UTF-8")
        if isinstance(message, list) and message and self.protocol == WITH_BATCHES:
            return [answer for part in message if (answer := self.answer(part))]
        return self.answer(message)


def lines(stdin: IO[bytes]) -> Iterator[bytes]:
    """The lines of stdin; an empty one for each that is too long, of which never more than that is held."""
    while line := stdin.readline(MESSAGE_MAX_BYTES):
        if len(line) < MESSAGE_MAX_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stdin.readline(MESSAGE_MAX_BYTES)
        yield b""


def converse(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Answers each message of one client."""
    conversation = McpConversation()
    for line in lines(stdin):
        if answer := conversation.answers(line):
            stdout.write(json.dumps(answer).encode("ascii") + b"\n")
            stdout.flush()


def leave(*_: object) -> None:
    """Ends the process at a signal as at the end of stdin."""
    raise SystemExit(0)


def serve() -> int:
    """Answers until stdin ends or the client is gone."""
    import signal
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    try:
        with open(0, "rb", closefd=False) as stdin, open(1, "wb", closefd=False) as stdout:
            converse(stdin, stdout)
    except ConnectionError:  # nobody reads any more
        pass
    return 0
