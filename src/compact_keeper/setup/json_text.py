"""A settings.json's text, edited at offsets: what stands where, and how a part comes in or goes out.

The text is never loaded and dumped: every byte that was there stays (order, indentation, line ends, byte order mark,
escapes). Refused, with the line: text that is no JSON, or that is, but not of the form that the client reads; keys that
stand twice where something of ours has to go.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple, NoReturn

from compact_keeper.store.refusal import Refusal

SPACE = re.compile(r"[ \t\r\n]*")  # what JSON takes for space
STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
FIRST_INDENTATION = re.compile(r'\ufeff?[ \t\r\n]*\{[ \t]*\r?\n([ \t]+)"')
SHOWN_CHARACTERS = 60  # of a wrong line on either side of the fault


class Part(NamedTuple):
    """A member of an object, or, without a key, an element of a list: where it begins, and its value, and ends."""

    key: str
    start: int
    value: int
    end: int


class NestedPart(NamedTuple):
    """A part, and the offset of the bracket that opens the object or list that it stands in."""

    opening: int
    part: Part


class ConstantError(Exception):
    """NaN or an infinity, which Python's decoder would take."""


def no_constant(name: str) -> NoReturn:
    """Raises: JSON has no such value."""
    raise ConstantError(name)


SETTINGS_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=no_constant)  # no number is too long


def check_text(text: str) -> None:
    """Refuses text that is no JSON object, or where hooks could not be added."""
    try:
        start = past_space(text, len(text) - len(text.lstrip("\ufeff")))
        _, end = SETTINGS_DECODER.raw_decode(text, start)
        rest = past_space(text, end)
        if rest < len(text):
            refuse("nothing may follow the end", text, rest)
    except json.JSONDecodeError as fault:
        refuse(fault.msg, text, fault.pos)
    except RecursionError:
        raise Refusal("it is nested too deep to be read") from None
    except ConstantError as fault:
        constants = (match for match in STRING_OR_CONSTANT.finditer(text) if match[0][0] != '"')
        refuse(f"{fault} is no value in JSON", text, next(constants).start())
    require(text, start, "{", "the whole")
    hooks = member(text, start, "hooks")
    if hooks:
        require(text, hooks.value, "{", '"hooks"')
        for event in parts(text, hooks.value):
            member(text, hooks.value, event.key)
            require(text, event.value, "[", f'"{event.key}"')


def refuse(why: str, text: str, offset: int) -> NoReturn:
    """Raises a refusal with line, column and the line's text around the offset."""
    begin, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line, column = text[begin:end if end >= 0 else None], offset - begin
    shown = line[max(column - SHOWN_CHARACTERS, 0):column + SHOWN_CHARACTERS].strip() or "(an empty line)"
    raise Refusal(f"line {text.count(chr(10), 0, offset) + 1}, column {column + 1}: {why}: {shown}")


def require(text: str, offset: int, bracket: str, what: str) -> None:
    """Refuses when another kind of value begins there."""
    if text[offset] != bracket:
        refuse(f"{what} is not {'an object' if bracket == '{' else 'a list'}", text, offset)


def past_space(text: str, offset: int) -> int:
    """The offset of what comes next that is not space."""
    return SPACE.match(text, offset).end()  # type: ignore[union-attr]  # it always matches


def parts(text: str, opening: int) -> list[Part]:
    """The parts of the object or list that opens at this offset."""
    inner: list[Part] = []
    start = past_space(text, opening + 1)
    while text[start] not in "}]":
        key, value = "", start
        if text[opening] == "{":
            key, end = SETTINGS_DECODER.raw_decode(text, start)
            value = past_space(text, past_space(text, end) + 1)  # behind the colon
        end = SETTINGS_DECODER.raw_decode(text, value)[1]
        inner.append(Part(key, start, value, end))
        start = past_space(text, end)
        if text[start] == ",":
            start = past_space(text, start + 1)
    return inner


def member(text: str, opening: int, name: str) -> Part | None:
    """The object's member of this name; refused when it stands there twice: the client takes the last."""
    members = [part for part in parts(text, opening) if part.key == name]
    if members[1:]:
        refuse(f'"{name}" stands here a second time; join the two', text, members[1].start)
    return members[0] if members else None


def as_text(text: str, depth: int, value: object) -> str:
    """The value as JSON, over several lines, in the text's own indentation and line ends."""
    unit, newline = style(text)
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + depth * unit)


def style(text: str) -> tuple[str, str]:
    """The text's indentation and line end."""
    indented, first = FIRST_INDENTATION.match(text), text.find("\n")
    return indented[1] if indented else "  ", "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def inserted(text: str, opening: int, depth: int, part: str) -> str:
    """The text with one more part at the end of the object or list that opens there."""
    unit, newline = style(text)
    siblings = parts(text, opening)
    if siblings:
        end = siblings[-1].end
        return f"{text[:end]},{newline}{depth * unit}{part}{text[end:]}"
    before, behind = (newline + unit, newline) if depth == 1 else ("", "")
    return f"{text[:opening + 1]}{before}{part}{behind}{text[opening + 1:]}"


def without_part(text: str, nested: NestedPart) -> str:
    """The text without this part, and without the comma and the line break that came with it."""
    siblings = parts(text, nested.opening)
    at = siblings.index(nested.part)
    if at:
        return text[:siblings[at - 1].end] + text[nested.part.end:]
    if len(siblings) > 1:
        return text[:nested.part.start] + text[siblings[1].start:]
    rest = text[nested.part.end:]
    if on_own_line(text, nested):
        rest = re.sub(r"\A\r?\n", "", rest)
    return text[:nested.opening + 1] + rest


def alone(text: str, nested: NestedPart) -> bool:
    """Whether nothing else stands in its object or list."""
    return len(parts(text, nested.opening)) == 1


def on_own_line(text: str, nested: NestedPart) -> bool:
    """Whether a line break follows the opening bracket."""
    return text[nested.opening + 1] in "\r\n"
