"""What is kept of a call's arguments while it waits for its result, and behind it."""

from __future__ import annotations

from typing import Any

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, without_middle
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import JsonObject

UNREAD_INPUT = (*CHANGING_TOOLS, "Glob")
WHICH_LINES = ("offset", "limit")  # of a file that is read: without them all, as far as the client shows it
NUMBERS_OF_COMMAND = ("run_in_background", "timeout")
WHICH_FILES = ("glob", "type")  # of a search's arguments: without them "no matches" says too much
SCRIPT_MAX_UTF16 = 8_000  # of a command with several lines: the longest of real ones had 6,200
ORDER_MAX_UTF16 = 8_000  # to a subagent
DESCRIPTION_MAX_UTF16 = 80  # of a command
INPUT_TEXT_MAX_UTF16, INPUT_NAME_MAX_UTF16, INPUT_LIST_MAX = 600, 60, 100  # of a call that waits for its result
INPUT_DEPTH_MAX = 5  # input, questions, question, options, option
TOO_DEEP = "…"


def kept_input(tool: str, arguments: JsonObject) -> JsonObject:
    """A call's arguments, quoted and short; of those that hold code nothing.

    Of a shell's what its quoted command does not tell: whether it runs in the background, what the agent calls it, and
    its lines where there are several: a comment and a command on one line are a comment alone. Of an order to a
    subagent its lines.
    """
    if tool in ("Grep", "Read"):
        wanted = WHICH_FILES if tool == "Grep" else WHICH_LINES
        arguments = {name: arguments[name] for name in wanted if name in arguments}
    if tool in SUBAGENT_TOOLS:
        return {**tidy(arguments), "prompt": cut(redact(clean(text_of(arguments, "prompt"))), ORDER_MAX_UTF16)}
    if tool not in SHELL_TOOLS:
        return {} if tool in UNREAD_INPUT else tidy(arguments)
    command = text_of(arguments, "command").strip()
    kept: JsonObject = {name: arguments[name] for name in NUMBERS_OF_COMMAND if isinstance(arguments.get(name), int)}
    description = quote(text_of(arguments, "description"), DESCRIPTION_MAX_UTF16)
    if description:
        kept["description"] = description
    return {**kept, "command": without_middle(redact(clean(command)), SCRIPT_MAX_UTF16)} if "\n" in command else kept


def tidy(value: Any, depth: int = INPUT_DEPTH_MAX) -> Any:
    """A call's input with every text in it quoted and short: it may wait on disk for its result.

    A mark stands for what lies too deep: `{}` had read as if a prompt had been emptied.
    """
    if isinstance(value, (dict, list)) and value and not depth:
        return TOO_DEEP
    if isinstance(value, dict):
        return {quote(name, INPUT_NAME_MAX_UTF16): tidy(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [tidy(inner, depth - 1) for inner in value[:INPUT_LIST_MAX]]
    return quote(value, INPUT_TEXT_MAX_UTF16) if isinstance(value, str) else value
