"""Tickets that were shown: their words are a task's, whether a tracker's tool, `gh` or `bd` printed them."""

from __future__ import annotations

import json
import re

from compact_keeper.text.length import without_middle
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean

TICKET_KEPT_UTF16, TICKET_MIN_CHARACTERS = 4_000, 120
SHOWS_TICKET = (
    r"\b(?:gh|glab) issue view\b|\bgh api \S{0,200}/issues/\d+[\"']?(?:\s|$)|\bbd show\b|\bjira issue view\b"
    r"|\blinear issue view\b")
TOOL_OF_TRACKER = (
    r"(?i)mcp__[\w-]{1,100}_(?:get_?issue|issue_?read|get_?ticket|fetch_?issue|get_?jira_?issue|get_?work_?item)$")
JSON_TEXT = r"\"(?:%s)\"\s{0,9}:\s{0,9}\"((?:[^\"\\]|\\.){1,30000})(?:\"|\Z)"
HEADER_LINE = r"(?m)^title:\s{0,9}(\S.{0,300})$"  # of gh's own form, whose text stands behind `--`
SHOWN_CHARACTERS = 40_000


def ticket_shown(command: str, tool: str, output: str) -> str:
    """Title and text of a ticket that the call showed, safe to keep; empty where it showed none, or little of it."""
    command = command[:2_000]
    may_show = "issue" in command or "bd show" in command  # as each form of SHOWS_TICKET has it
    is_shown = (may_show and re.search(SHOWS_TICKET, command)) or (
        tool[:5].lower() == "mcp__" and re.match(TOOL_OF_TRACKER, tool))
    if not is_shown:
        return ""
    shown = output[:SHOWN_CHARACTERS]
    title, body = json_text("title", shown), json_text("body|description", shown)
    if not body:
        header = re.search(HEADER_LINE, shown)
        title, body = header[1] if header else title, shown.partition("\n--\n")[2] if header else ""
    body = body or (shown if not shown.lstrip().startswith(("{", "[")) else "")
    if len(body) < TICKET_MIN_CHARACTERS:
        return ""
    lines = [line.rstrip() for line in clean(body).splitlines()]
    text = "\n".join([f"# {clean(title).strip()}" if title else "", *lines]).strip()
    return without_middle(redact(text), TICKET_KEPT_UTF16)


def json_text(name: str, text: str) -> str:
    """The text of the first field of this name in JSON, which may be cut; empty where there is none."""
    match = re.search(JSON_TEXT % name, text)
    try:
        return str(json.loads(f'"{match[1]}"', strict=False)) if match else ""
    except ValueError:  # cut within an escape, or no JSON
        return ""
