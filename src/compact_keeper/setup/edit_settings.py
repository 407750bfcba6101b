"""(docstring)"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Hooks, Record

OUR_FOLDER = "hooks/compact-keeper"  # in the folder that the settings lie in
SPACE = re.compile(r"[ \t\r\n]*")  # what JSON takes for space
STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
FIRST_INDENTATION = re.compile(r'\ufeff?[ \t\r\n]*\{[ \t]*\r?\n([ \t]+)"')
SHOWN = 60  # characters of a wrong line on either side of the fault
# A status line's command. The shell replaces itself with Python (exec), which so gets the signal by which the client
# ends a run. Where the plugin is gone, the person's own command runs; `python3 ""` would run the project's __main__.py.
RUN = 'f={run_hook}; [ -f "$f" ] && exec python3 -IS "$f" status_line.py'
WRAPPED = "set -- {theirs}; {run} --wrap \"$1\"; exec sh -c \"$1\""
# The same as it stands between JSON's quotes, and as README has it for those who write it by hand.
SHELL_QUOTE = r"(?:'|\\u0027)"
SHELL_WORD = rf"{SHELL_QUOTE}((?:[^'\\]|\\(?!u0027).|{SHELL_QUOTE}\\\\{SHELL_QUOTE}{SHELL_QUOTE})*){SHELL_QUOTE}"  # a word of the shell: 'it'\''s'
OUR_LINE = re.compile(rf"(?:set -- {SHELL_WORD}; )?f=.*run_hook\.py\b.* status_line\.py(?(1) --wrap .*)\Z|"
                      rf"python3? -IS .*run_hook\.py\S* status_line\.py(?: --wrap {SHELL_WORD})?\Z")
LIKE_OURS = re.compile(r"run_hook\.py\S* status_line\.py|compact-keeper/\S*status_line\.py")


class Part(NamedTuple):
    """A member of an object, or, without a key, an element of a list: where it begins, and its value, and ends."""

    key: str
    start: int
    value: int
    end: int


class Place(NamedTuple):
    """A part, and the position of the bracket that opens the object or list that it stands in."""

    opening: int
    part: Part


def with_hooks(text: str, hooks: Hooks) -> str:
    """The text with these hooks and no others of ours; the same text when they are there as they should be."""
    check_text(text)
    found, wanted = hook_entries(ours_in(text)), hook_entries(hooks)
    if found == wanted:
        return text
    text = without_hooks(text)
    for event, groups in hooks.items():
        for group in groups:
            text = with_group(text, event, group)
    return text


def add_status_line(text: str, run_hook: str) -> str:
    """The text whose status line starts this run_hook.py (a word of the shell), behind the command that was there."""
    check_text(text)
    top, run = text.index("{"), RUN.format(run_hook=run_hook)
    if not (line := member(text, top, "statusLine")):
        part = as_text(text, 1, {"type": "command", "command": run})
        return inserted(text, top, 1, f'"statusLine": {part}')
    command = command_of(text, line)
    raw = text[command.value + 1:command.end - 1]
    ours, escaped = OUR_LINE.match(raw), json.dumps(run, ensure_ascii=False)[1:-1]
    if not ours and LIKE_OURS.search(raw):
        refuse("the status line runs compact-keeper's in a way of its own; take that out", text, command.value)
    if not ours or ours.lastindex:
        theirs = f"'{ours[ours.lastindex]}'" if ours and ours.lastindex else shell_word(raw)
        before, behind = json.dumps(WRAPPED)[1:-1].split("{theirs}; {run}")
        escaped = f"{before}{theirs}; {escaped}{behind}"
    return text[:command.value + 1] + escaped + text[command.end - 1:]


def without_ours(text: str) -> str:
    """The text without anything of ours."""
    return remove_status_line(without_hooks(text))


def without_hooks(text: str) -> str:
    """The text without our hooks, and without the lists and the object that were made for them."""
    check_text(text)
    while place := next(our_places(text), None):
        text = without(text, place)
    return text


def remove_status_line(text: str) -> str:
    """The text with the status line's command that was there before ours, or without a status line."""
    check_text(text)
    while ours := next(our_lines(text), None):
        place, command, theirs = ours
        text = without_part(text, place) if theirs is None else (
            text[:command.value + 1] + shell_text(theirs) + text[command.end - 1:])
    return text


def runs_ours(command: str) -> bool:
    """Whether a status line's command is one that remove_status_line would take out."""
    return bool(OUR_LINE.match(json.dumps(command)[1:-1]))


def ours_in(text: str) -> Hooks:
    """Our hooks in the text, each in a group of its own; for text that was checked."""
    found: dict[str, list[Record]] = {}
    for _, event, group, entry in our_places(text):
        told = json.loads(text[group.part.value:group.part.end])
        one = json.loads(text[entry.part.value:entry.part.end])
        found.setdefault(event.part.key, []).append({**told, "hooks": [one]})
    return found


def hook_entries(hooks: Hooks) -> dict[str, list[Record]]:
    """The same hooks by event, each in a group of its own."""
    return {event: [{**group, "hooks": [entry]} for group in groups for entry in group["hooks"]]
            for event, groups in hooks.items()}


def check_text(text: str) -> None:
    """Refuses text that is no JSON object, or where hooks could not be added."""
    try:
        start = past_space(text, len(text) - len(text.lstrip("\ufeff")))
        _, end = SETTINGS_DECODER.raw_decode(text, start)
        if (rest := past_space(text, end)) < len(text):
            refuse("nothing may follow the end", text, rest)
    except json.JSONDecodeError as fault:
        refuse(fault.msg, text, fault.pos)
    except RecursionError:
        raise Refusal("it is nested too deep to be read") from None
    except ConstantError as fault:
        found = (match for match in STRING_OR_CONSTANT.finditer(text) if match[0][0] != '"')
        refuse(f"{fault} is no value in JSON", text, next(found).start())
    require(text, start, "{", "the whole")
    if hooks := member(text, start, "hooks"):
        require(text, hooks.value, "{", '"hooks"')
        for event in parts(text, hooks.value):
            member(text, hooks.value, event.key)
            require(text, event.value, "[", f'"{event.key}"')


def refuse(why: str, text: str, position: int) -> NoReturn:
    """Raises a refusal with line, column and the line's text around the position."""
    begin, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
    line, column = text[begin:end if end >= 0 else None], position - begin
    shown = line[max(column - SHOWN, 0):column + SHOWN].strip() or "(an empty line)"
    raise Refusal(f"line {text.count(chr(10), 0, position) + 1}, column {column + 1}: {why}: {shown}")


def require(text: str, position: int, bracket: str, what: str) -> None:
    """Refuses when another kind of value begins there."""
    if text[position] != bracket:
        refuse(f"{what} is not {'an object' if bracket == '{' else 'a list'}", text, position)


class ConstantError(Exception):
    """NaN or an infinity, which Python's decoder would take."""


def no_constant(name: str) -> NoReturn:
    """Raises: JSON has no such value."""
    raise ConstantError(name)


SETTINGS_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=no_constant)  # no number is too long


def past_space(text: str, position: int) -> int:
    """The position of what comes next that is not space."""
    return SPACE.match(text, position).end()  # type: ignore[union-attr]  # it always matches


def parts(text: str, opening: int) -> list[Part]:
    """The parts of the object or list that opens at this position."""
    found, place = [], past_space(text, opening + 1)
    while text[place] not in "}]":
        key, value = "", place
        if text[opening] == "{":
            key, end = SETTINGS_DECODER.raw_decode(text, place)
            value = past_space(text, past_space(text, end) + 1)  # behind the colon
        end = SETTINGS_DECODER.raw_decode(text, value)[1]
        found.append(Part(key, place, value, end))
        place = past_space(text, end)
        place = past_space(text, place + 1) if text[place] == "," else place
    return found


def member(text: str, opening: int, name: str) -> Part | None:
    """The object's member of this name; refused when it stands there twice: the client takes the last."""
    found = [part for part in parts(text, opening) if part.key == name]
    if found[1:]:
        refuse(f'"{name}" stands here a second time; join the two', text, found[1].start)
    return found[0] if found else None


def our_places(text: str) -> Iterator[tuple[Place, Place, Place, Place]]:
    """Of each hook of ours: the places of "hooks", of the event, of the group and of the hook itself."""
    top = text.index("{")
    hooks = member(text, top, "hooks")
    for event in parts(text, hooks.value) if hooks else ():
        for group in parts(text, event.value):
            listed = member(text, group.value, "hooks") if text[group.value] == "{" else None
            for entry in parts(text, listed.value) if listed and text[listed.value] == "[" else ():
                if hooks and listed and is_ours(json.loads(text[entry.value:entry.end])):
                    yield (Place(top, hooks), Place(hooks.value, event), Place(event.value, group),
                           Place(listed.value, entry))


def is_ours(entry: object) -> bool:
    """Whether this hook runs something of the folder that install.py makes."""
    return isinstance(entry, dict) and f"{OUR_FOLDER}/" in str(entry.get("command"))


def our_lines(text: str) -> Iterator[tuple[Place, Part, str | None]]:
    """Of each status line of ours: its place, its command, and the one quoted in that; None where there is none."""
    top = text.index("{")
    for line in (part for part in parts(text, top) if part.key == "statusLine" and text[part.value] == "{"):
        for command in (part for part in parts(text, line.value) if part.key == "command"):
            if found := OUR_LINE.match(text, command.value + 1, command.end - 1):
                yield Place(top, line), command, found[found.lastindex] if found.lastindex else None


def command_of(text: str, line: Part) -> Part:
    """The status line's command; refused when it is of another kind."""
    require(text, line.value, "{", '"statusLine"')
    kind, command = member(text, line.value, "type"), member(text, line.value, "command")
    if not kind or json.loads(text[kind.value:kind.end]) != "command" or not command or text[command.value] != '"':
        refuse('"statusLine" is not of type "command", with the command as a text', text, line.start)
    return command


def shell_word(raw: str) -> str:
    """What stands between JSON's quotes as a word of the shell, itself between JSON's quotes."""
    return "'" + re.compile(rf"({SHELL_QUOTE})|\\.").sub(lambda one: rf"'\\{one[1]}'" if one[1] else one[0], raw) + "'"


def shell_text(raw: str) -> str:
    """What quoted() got, without the outer quotes."""
    return re.compile(rf"{SHELL_QUOTE}\\\\({SHELL_QUOTE}){SHELL_QUOTE}|\\.").sub(lambda one: one[1] or one[0], raw)


def with_group(text: str, event: str, group: Record) -> str:
    """The text with a group at the end of the event's list; the list, and the object around it, made where missing."""
    top = text.index("{")
    if not (hooks := member(text, top, "hooks")):
        return inserted(text, top, 1, f'"hooks": {as_text(text, 1, {event: [group]})}')
    if not (listed := member(text, hooks.value, event)):
        return inserted(text, hooks.value, 2, f'"{event}": {as_text(text, 2, [group])}')
    return inserted(text, listed.value, 3, as_text(text, 3, group))


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
    if siblings := parts(text, opening):
        end = siblings[-1].end
        return f"{text[:end]},{newline}{depth * unit}{part}{text[end:]}"
    before, behind = (newline + unit, newline) if depth == 1 else ("", "")
    return f"{text[:opening + 1]}{before}{part}{behind}{text[opening + 1:]}"


def without(text: str, places: tuple[Place, Place, Place, Place]) -> str:
    """The text without this hook; without its group, list and object too where nothing else stands in them."""
    hooks, event, group, place = places
    if alone(text, place):
        place = group
        if alone(text, group) and on_own_line(text, group):
            place = event
            if alone(text, event) and on_own_line(text, event):
                place = hooks
    return without_part(text, place)


def without_part(text: str, place: Place) -> str:
    """The text without this part, and without the comma and the line break that came with it."""
    siblings = parts(text, place.opening)
    at = siblings.index(place.part)
    if at:
        return text[:siblings[at - 1].end] + text[place.part.end:]
    if len(siblings) > 1:
        return text[:place.part.start] + text[siblings[1].start:]
    rest = text[place.part.end:]
    rest = re.sub(r"\A\r?\n", "", rest) if on_own_line(text, place) else rest
    return text[:place.opening + 1] + rest


def alone(text: str, place: Place) -> bool:
    """Whether nothing else stands in its object or list."""
    return len(parts(text, place.opening)) == 1


def on_own_line(text: str, place: Place) -> bool:
    """Whether a line break follows the opening bracket."""
    return text[place.opening + 1] in "\r\n"
