"""What a hook may meet: hostile words on stdin, hostile lines and hostile places of a transcript."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from sessions import JsonObject, Session

DEEP = 100_000  # brackets; a parser that recurses per bracket dies of it
BEFORE, AFTER = "Never touch the alpha table.", "Always keep the omega flag."


def stdin_table(event: JsonObject) -> list[ParameterSet]:
    """Hostile stdin for a hook that takes this event, and whether it is a fault that the log has to name."""
    good = json.dumps(event)
    rows = [pytest.param(raw, True, id=name) for name, raw in _broken(good).items()]
    rows += [pytest.param(json.dumps({**event, "session_id": value}).encode(), True, id=f"session-{name}")
             for name, value in _SESSION_IDS.items()]
    rows += [pytest.param(json.dumps(data).encode(), False, id=name) for name, data in odd_inputs(event)]
    return rows


def _broken(good: str) -> dict[str, bytes]:
    return {
        "empty": b"",
        "blank": b" \n",
        "no-json": b"Stop hook feedback: nothing",
        "list": b"[]",
        "null": b"null",
        "number": b"7",
        "string": b'"session_id"',
        "empty-object": b"{}",
        "torn": good[: len(good) // 2].encode(),
        "two-objects": (good + good).encode(),
        "byte-order-mark": b"\xef\xbb\xbf" + good.encode(),
        "utf-16": good.encode("utf-16"),
        "nul-bytes": b"\0" * 64,
        "binary": bytes(range(256)),
        "deep-list": b"[" * DEEP,
        "deep-in-a-field": (good[:-1] + ', "deep": ' + "[" * DEEP + "]" * DEEP + "}").encode(),
        "huge-number": (good[:-1] + ', "much": ' + "9" * 10_000 + "}").encode(),
        "5-megabytes": (good[:-1] + ', "long": "' + "x" * (5 << 20) + '"}').encode(),
    }


_SESSION_IDS: dict[str, Any] = {
    "slash": "a/b", "parent": "..", "folder": ".", "dots": "....", "climbing": "../../etc", "empty": "",
    "129-characters": "a" * 129, "nul": "a\0b", "space": "a b", "newline-at-the-end": "abc\n", "umlaut": "ä",
    "dot-at-the-end": "a.", "backslash": "a\\b", "surrogate": "\ud800", "null": None, "number": 5, "true": True,
    "list": ["a"], "object": {}}

_ODD_VALUES: dict[str, Any] = {
    "null": None, "number": 7, "float": 1e308, "negative": -1, "true": True, "list": [], "nested": [[{}]], "object": {},
    "empty": "", "nul": "\0", "surrogates": "\ud800\udfff\udc00", "long": "ä" * 30_000}


def odd_inputs(event: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Objects with a good session id whose other fields are not what they should be: no fault, but no crash."""
    yield "only-a-session-id", {"session_id": event["session_id"]}
    for name, value in _ODD_VALUES.items():
        kept = ("session_id", "hook_event_name", "source")
        yield f"all-{name}", {key: kept_value if key in kept else value for key, kept_value in event.items()}
    for key in event:
        if key != "session_id":
            yield f"without-{key}", {name: value for name, value in event.items() if name != key}
            yield f"odd-{key}", {**event, key: [{"odd": None}]}
    for name, path in {"relative": "transcript.jsonl", "climbing": "../transcript.jsonl", "nul": "/tmp/a\0b",
                       "surrogate": "/tmp/\ud800"}.items():
        yield f"path-{name}", {**event, "transcript_path": path, "cwd": path}


def typed(text: str, first: int) -> bytes:
    """The line of a typed prompt."""
    session = Session(first)
    session.typed(text)
    return session.as_bytes()


def between(line: bytes, before: str = BEFORE, after: str = AFTER) -> bytes:
    """A transcript in which the line stands between two typed rules."""
    return typed(before, 0) + line + typed(after, 2)


def _with_text(text: bytes) -> bytes:
    """A typed prompt's line with these bytes as its text, as they are."""
    return typed("@@", 1).replace(b'"@@"', b'"' + text + b'"')


LINES: dict[str, Callable[[], bytes]] = {  # made when they are needed: some are big
    "empty-lines": lambda: b"\n\n \n\r\n",
    "no-json": lambda: b"// a comment\n",
    "list": lambda: b'[{"type":"user"}]\n',
    "scalars": lambda: b'null\n7\n"user"\ntrue\n',
    "torn": lambda: _with_text(b"half of it")[:90] + b"\n",
    "not-utf-8": lambda: _with_text(b"caf\xe9 \xff\xfe \xc3"),
    "lone-surrogates": lambda: _with_text(rb"\ud800 and \udfff\udc00"),
    "raw-surrogate": lambda: _with_text(b"\xed\xa0\x80"),
    "nul-bytes": lambda: b"\0" * 1_000 + b"\n" + _with_text(rb"a\u0000b"),
    "deep": lambda: b'{"type":"user","message":' + b"[" * DEEP + b"]" * DEEP + b"}\n",
    "deep-and-torn": lambda: b'{"a":' * DEEP + b"\n",
    "infinity": lambda: b'{"type":"user","message":{"content":1e999},"timestamp":-1e999,"uuid":NaN}\n',
    "huge-number": lambda: b'{"type":"user","position":' + b"9" * 10_000 + b"}\n",
    "other-types": lambda: b'{"type":["user"],"message":7,"uuid":{},"attachment":[],"origin":5,"cwd":[]}\n',
    "odd-blocks": lambda: b'{"type":"assistant","message":{"content":[null,7,[],{"type":"tool_use","id":[],"input":[]},'
                          b'{"type":"tool_use","id":"t","name":7,"input":{"command":[],"file_path":{},"todos":[7],'
                          b'"questions":7}},{"type":"text","text":9}]},"uuid":"odd"}\n',
    "odd-results": lambda: b'{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":{},"content":7,'
                           b'"is_error":"yes"}]},"toolUseResult":{"answers":[7]},"uuid":"odder"}\n',
    "50-megabytes": lambda: _with_text(b"x" * (50 << 20)),
    "200000-lines": lambda: b'{"type":"mode","mode":"normal"}\n' * 200_000,
    "no-line-breaks": lambda: typed("One more.", 1).rstrip(b"\n") + b" ",
    "glued": lambda: typed("One more.", 1).rstrip(b"\n"),
}


def _folder(path: Path) -> None:
    path.mkdir()


def socket_at(path: Path) -> None:
    """Leaves a socket at the path."""
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path may have 108 bytes only
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def _unreadable(path: Path) -> None:
    path.write_bytes(between(b""))
    path.chmod(0)


PLACES: dict[str, tuple[Callable[[Path], object], bool]] = {  # how the path is made, and whether it is a fault
    "missing": (lambda _: None, False),
    "empty": (Path.touch, False),
    "link-to-itself": (lambda path: path.symlink_to(path), False),
    "folder": (_folder, True),
    "fifo": (os.mkfifo, True),
    "socket": (socket_at, True),
    "device": (lambda path: path.symlink_to("/dev/zero"), True),
    **({"unreadable": (_unreadable, True)} if os.geteuid() else {}),  # root reads everything
}
