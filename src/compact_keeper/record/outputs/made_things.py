"""What a call made outside of the tree, in a tracker or forge: its fields or title, id and address, on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from compact_keeper.text.length import at_blank

MADE_MAX = 2
FIELD_OF_MADE_MAX_CHARACTERS = 90
FIELDS_OF_MADE_MAX = 8
MADE_ADDRESS = r"https?://[\w.-]{1,100}/\S{1,150}/(?:pull|pulls|issues|merge_requests|releases|discussions|browse)/\S{1,120}"
TITLE_OPTION = r"(?:--title|-t)[ =](?:\"([^\"\n]{1,120})|'([^'\n]{1,120}))"
MAKING_TOOL = r"(?i)(?:^|_)(?:create|add|post|submit|open|publish|send|save|update)_?"
MADE_THING = r"(?i)issue|pull|merge_?request|ticket|comment|discussion|release|review|task|card|story|epic|page|_pr\b"
ADDRESS_FIELDS = ("owner", "repo", "cloudId")  # stand in the address
NAMES_OF_IDS = ("identifier", "key", "number", "iid", "html_url", "url", "webUrl", "web_url", "permalink", "id")
ANSWER_LOOKED_AT_CHARACTERS = 20_000
ARGUMENTS_LOOKED_AT_MAX = 30
MADE_LINE_MAX_CHARACTERS = 400
ID_FIELD = r"\"(\w{2,20})\": ?(?:\"([^\"\n]{1,200})\"|(\d{1,12}))"  # of a JSON answer


def made_by_command(making: str, command: str, rows: list[str]) -> list[str]:
    """Address and title of what `gh`, `glab` and the like made or changed; `making` is their part of the command."""
    title = re.search(TITLE_OPTION, command)
    name = f" “{title[1] or title[2]}”" if title else ""
    in_rows = [re.search(MADE_ADDRESS, row) for row in rows if "://" in row]
    addresses = [*dict.fromkeys(match[0] for match in in_rows if match)]
    return [f"{' '.join(making.split()[:3])}{name} → {address}" for address in addresses[:MADE_MAX]]


def made_outside(tool: str, arguments: Mapping[str, Any], output: str) -> str:
    """What an MCP tool made in a tracker, on one line: its short fields, id and address; empty for other tools."""
    name = tool.rpartition("__")[2]
    if not tool.startswith("mcp__") or not (re.search(MAKING_TOOL, name) and re.search(MADE_THING, name)):
        return ""
    shown = [(key, shown_field(value)) for key, value in [*arguments.items()][:ARGUMENTS_LOOKED_AT_MAX]
            if key not in ADDRESS_FIELDS]
    fields = [f"{key} {text}" for key, text in shown if text][:FIELDS_OF_MADE_MAX]
    line = f"{name}: {', '.join(fields)}"
    ids = ids_of_result(output)
    return at_blank(f"{line} → {' '.join(ids)}" if ids else line, MADE_LINE_MAX_CHARACTERS)


def shown_field(value: object) -> str:
    """A short field of a call, as it is told; of a text of several lines or a long one nothing."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "/".join(filter(None, map(shown_field, value[:5])))
    if not isinstance(value, str) or len(value) > FIELD_OF_MADE_MAX_CHARACTERS or "\n" in value:
        return ""
    return f"“{value}”" if " " in value else value


def ids_of_result(output: str) -> list[str]:
    """Id and address that a tracker's JSON answer gives, at most two; of another answer its first address."""
    begin = output[:ANSWER_LOOKED_AT_CHARACTERS]
    ids = dict[str, str]()
    for key, text, number in re.findall(ID_FIELD, begin):
        if key in NAMES_OF_IDS:
            ids.setdefault(key, text or number)
    if not ids:
        return [match[0] for match in [re.search(MADE_ADDRESS, begin)] if match]
    in_order = [ids[key] for key in NAMES_OF_IDS if key in ids]
    addresses = [value for value in in_order if value.startswith("http")]
    numbers = [value for value in in_order if not value.startswith("http")]
    return [value for value in (*numbers[:1], *addresses[:1]) if value]
