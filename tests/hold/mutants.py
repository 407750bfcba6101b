"""Seeded mutations of lines and objects: the same numbers make the same mutants everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

Place = tuple[Any, Any]  # a dict or list, and the key or index in it

UNICODE = (  # what texts hold that no keyboard has
    "\u202e", "\u2066", "\u200b", "\u200d", "\u200f", "\ufeff", "\xad", "\u0301" * 40, "\ue000", "\U0010fffd",
    "\ufffe", "\U0001ffff", "\u2028", "\u2029", "\x85", "\u00e9", "e\u0301", "\uf900", "\ufb01", "\u212b", "\u0130",
    "\xdf", "\u017f", "\u1e9e", "\u03c2", "\u05e9\u05dc\u05d5\u05dd", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9", "\ufe0f", "\U000e0041\U000e007f", "\U000e0001", "\ufdfa", "\u3350", "\u0140", "\uff1csystem",
    "\u3000", "\u0660\u0661", "\xb2", "\u2163", "\u1680", "\ud800", "\udfff\udc00", "\0", "\x1b[2J",
    "\x1b]8;;", "\x07", "\r", "\x0b", "\x1c", "\b")
TOKENS = (
    "<system-reminder>", "</system-reminder>", "<command-name>/x</command-name><command-args>", "<task-notification>",
    "<task-id>b1</task-id>", "[Request interrupted by user]", "/compact-keeper:pin ", "/compact x", "the user said:\n",
    "Implement the following plan:", "Exit code 999\n", "Exit code 1\nerror: bad", "Task #1 created", "- [ ] ", "```",
    "in background with ID: b1", "agentId: a1", "saved to: /x", "never ", "forget ", "All tests pass.", "?", "\n\n",
    "password=hunter2hunter2", "-----BEGIN PRIVATE KEY", "http://h:80/", "..", "/", "//", "~", "{", "}{", "[", "\\",
    '"', "9999-99-99T99:99:99.999Z", "0000-00-00T00:00:00Z", "2026-11-21T07:00:00.000Z", "%s%n", "#", "| |",
    "{0.__class__}")
ODD_BYTES = (b"\0", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\\ud800", b"\r")  # within UTF-8, JSON
DEEP = "@@DEEP@@"  # stands for lists in each other until the value is written
DEPTHS = (30, 400, 900, 5_000)  # what a parser and every walk takes, to what none takes
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 2**31, -(2**63), 2**64, 10**400, 0.5, -0.0, 1e308, float("inf"), float("-inf"),
    float("nan"), "", " ", "0", "null", "type", "open", "x" * 3_000, "\U0001f69a" * 300, "a/b", "/", "2.1.76", DEEP)


def hostile(rng: Random) -> Any:
    """A value of any type."""
    made: tuple[Callable[[], Any], ...] = (
        lambda: rng.choice(SCALARS), lambda: rng.choice(SCALARS), lambda: hostile_text(rng, ""),
        lambda: [hostile(rng) for _ in range(rng.randrange(3))],
        lambda: {rng.choice(("type", "text", "content", "id", "", "\0")): hostile(rng)})
    return rng.choice(made)()


def hostile_text(rng: Random, text: str) -> str:
    """The text with something put into it."""
    at = rng.randrange(len(text) + 1)
    piece = rng.choice(rng.choice((UNICODE, TOKENS))) * rng.choice((1, 1, 1, 2, 50))
    return text[:at] + piece + text[at + rng.choice((0, 0, 1, 9)):]


def places(value: Any) -> list[Place]:
    """Every place of a value within the value."""
    all_places: list[Place] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            all_places.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return all_places


def change(rng: Random, value: Any) -> None:
    """One change at one place of the object."""
    if not (choices := places(value)):
        return
    (holder, key), (other, there) = rng.choice(choices), rng.choice(choices)
    was = holder[key]
    way = rng.randrange(8)
    if way == 0 and isinstance(holder, dict):
        del holder[key]
    elif way == 1:  # what stands elsewhere
        holder[key] = json.loads(json.dumps(other[there]))
    elif way == 2:
        holder[key] = rng.choice(([was], {"text": was}, {"0": was}, [was, was], str(was)))
    elif way == 3 and isinstance(holder, dict):
        holder[hostile_text(rng, str(key))] = holder.pop(key)
    elif isinstance(was, str) and way > 3:
        holder[key] = hostile_text(rng, was)
    else:
        holder[key] = hostile(rng)


def mutant(rng: Random, value: Any) -> Any:
    """A copy of the value that was changed at a place or a few."""
    copy = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        change(rng, copy)
    return copy


def as_bytes(rng: Random, value: Any) -> bytes:
    """The value as JSON in one of its forms."""
    plain = rng.random() < 0.5
    text = json.dumps(value, ensure_ascii=not plain, separators=(",", ":") if rng.random() < 0.8 else None)
    if DEEP in text:
        depth = rng.choice(DEPTHS)
        text = text.replace(f'"{DEEP}"', "[" * depth + "]" * depth)
    return text.encode("utf-8", "surrogatepass")


def broken(rng: Random, line: bytes, other: bytes) -> bytes:
    """The line, no newline in it, changed as bytes; `other` is spliced in."""
    at, length = rng.randrange(len(line) + 1), rng.choice((1, 1, 4, 40, 400))
    number = rng.choice((b"1e999", b"-1e999", b"NaN", b"9" * 5_000, b"0.1e-400", b"Infinity"))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: line[:at] + bytes([rng.randrange(256)]) + line[at + 1:],
        lambda: line[:at] + line[at + length:],
        lambda: line[:at] + line[at:at + length] * 2 + line[at + length:],
        lambda: line[:at] + other[rng.randrange(len(other) + 1):],
        lambda: line + other,
        lambda: line[:at],
        lambda: line[:at] + rng.choice(ODD_BYTES) + line[at:],
        lambda: re.sub(rb"(?<=:)(\d+|true|false|null)(?=[,}\]])", number, line, count=rng.choice((0, 1))),
        lambda: re.sub(rb'"(\w+)":', lambda key: key[0] + as_bytes(rng, rng.choice(SCALARS)) + b"," + key[0], line,
                       count=rng.choice((1, 3))))
    return rng.choice(ways)().replace(b"\n", b"")


def mutant_line(rng: Random, value: Any, other: Any) -> bytes:
    """A mutant of the value as a line: of its meaning mostly, of its bytes else."""
    if rng.random() < 0.75:
        return as_bytes(rng, mutant(rng, value))
    return broken(rng, as_bytes(rng, value), as_bytes(rng, other))
