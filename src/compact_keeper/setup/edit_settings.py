"""compact-keeper's hooks in the text of a settings.json; no other byte changes, and what came goes without a trace.

A hook is ours when its command runs something in hooks/compact-keeper/. What an empty list or object that was there is
given stands on its own line; a list or object of ours begins with a line break, by which it is known as ours and goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from compact_keeper.setup.json_text import (
    NestedPart,
    alone,
    as_text,
    check_text,
    inserted,
    member,
    on_own_line,
    parts,
    without_part,
)
from compact_keeper.setup.status_line_text import remove_status_line
from compact_keeper.setup.target import OUR_FOLDER
from compact_keeper.types import Hooks, JsonObject


def with_hooks(text: str, hooks: Hooks) -> str:
    """The text with these hooks and no others of ours; the same text when they are there as they should be."""
    check_text(text)
    if hook_entries(ours_in(text)) == hook_entries(hooks):
        return text
    text = without_hooks(text)
    for event, groups in hooks.items():
        for group in groups:
            text = with_group(text, event, group)
    return text


def without_ours(text: str) -> str:
    """The text without anything of ours."""
    return remove_status_line(without_hooks(text))


def without_hooks(text: str) -> str:
    """The text without our hooks, and without the lists and the object that were made for them."""
    check_text(text)
    while nested := next(our_parts(text), None):
        text = without_hook(text, nested)
    return text


def ours_in(text: str) -> Hooks:
    """Our hooks in the text, each in a group of its own; for text that was checked."""
    hooks: dict[str, list[JsonObject]] = {}
    for _, event, group, entry in our_parts(text):
        whole_group = json.loads(text[group.part.value:group.part.end])
        hook = json.loads(text[entry.part.value:entry.part.end])
        hooks.setdefault(event.part.key, []).append({**whole_group, "hooks": [hook]})
    return hooks


def hook_entries(hooks: Hooks) -> dict[str, list[JsonObject]]:
    """The same hooks by event, each in a group of its own."""
    return {event: [{**group, "hooks": [entry]} for group in groups for entry in group["hooks"]]
            for event, groups in hooks.items()}


def our_parts(text: str) -> Iterator[tuple[NestedPart, NestedPart, NestedPart, NestedPart]]:
    """Of each hook of ours: the parts of "hooks", of the event, of the group and of the hook itself."""
    top = text.index("{")
    hooks = member(text, top, "hooks")
    for event in parts(text, hooks.value) if hooks else ():
        for group in parts(text, event.value):
            entries = member(text, group.value, "hooks") if text[group.value] == "{" else None
            for entry in parts(text, entries.value) if entries and text[entries.value] == "[" else ():
                if hooks and entries and is_ours(json.loads(text[entry.value:entry.end])):
                    yield (NestedPart(top, hooks), NestedPart(hooks.value, event), NestedPart(event.value, group),
                           NestedPart(entries.value, entry))


def is_ours(entry: object) -> bool:
    """Whether this hook runs something of the folder that install.py makes."""
    return isinstance(entry, dict) and f"{OUR_FOLDER}/" in str(entry.get("command"))


def with_group(text: str, event: str, group: JsonObject) -> str:
    """The text with a group at the end of the event's list; the list, and the object around it, made where missing."""
    top = text.index("{")
    hooks = member(text, top, "hooks")
    if not hooks:
        return inserted(text, top, 1, f'"hooks": {as_text(text, 1, {event: [group]})}')
    groups = member(text, hooks.value, event)
    if not groups:
        return inserted(text, hooks.value, 2, f'"{event}": {as_text(text, 2, [group])}')
    return inserted(text, groups.value, 3, as_text(text, 3, group))


def without_hook(text: str, nested: tuple[NestedPart, NestedPart, NestedPart, NestedPart]) -> str:
    """The text without this hook; without its group, list and object too where nothing else stands in them."""
    hooks, event, group, unneeded = nested
    if alone(text, unneeded):
        unneeded = group
        if alone(text, group) and on_own_line(text, group):
            unneeded = event
            if alone(text, event) and on_own_line(text, event):
                unneeded = hooks
    return without_part(text, unneeded)
