"""What was done and looked at: a tool call as an action or a look, with how it ended.

An action runs, changes or sends something; a look only reads. The same action again is the same item, counted, with
how it ended last, and with what was different before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.call_output import TOO_LARGE, is_put_in_background
from compact_keeper.client.tools import (
    CHANGING_TOOLS,
    DIALOG_TOOLS,
    LOOKING_TOOLS,
    OUTPUT_TOOLS,
    SEARCH_TOOLS,
    SHELL_TOOLS,
    STOP_TOOLS,
    SUBAGENT_TOOLS,
    TASK_TOOLS,
)
from compact_keeper.record.calls.command_actions import RESULT_MAX_UTF16, command_item
from compact_keeper.record.calls.parts import (
    HIT_MAX_UTF16,
    LOOK_RESULT_MAX_UTF16,
    MORE_CHARACTERS,
    VERDICT_BY_OK,
    action,
    ends_of,
    kept_hits,
)
from compact_keeper.record.calls.refused_calls import why_misfit
from compact_keeper.record.calls.reports import agent_to_resume, order_rows, order_title, report_rows, tool_calls_of
from compact_keeper.record.calls.tickets import ticket_shown
from compact_keeper.record.commands.looking import prints_own_words
from compact_keeper.record.endings import NO_MATCHES
from compact_keeper.record.items import new_item, whole_command
from compact_keeper.record.outputs.made_things import made_outside
from compact_keeper.record.outputs.printed_rows import with_printed_rows
from compact_keeper.record.outputs.search_hits import chosen_hits, hits_met, how_many_hits, without_rows_around
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units
from compact_keeper.text.paths import from_root
from compact_keeper.text.quotation import quote
from compact_keeper.types import CallFields, Entry, Item, JsonObject

# Tools whose calls give tasks, dialogs and jobs, or say nothing of the work.
READ_ELSEWHERE = (*TASK_TOOLS, *DIALOG_TOOLS, *OUTPUT_TOOLS, *STOP_TOOLS, "ToolSearch")
TITLE_MAX_UTF16 = 200
SUBAGENT_TYPE_MAX_UTF16 = 60
REPORT_MAX_UTF16 = 2_400
ARGUMENTS_MAX_UTF16 = 320
ANSWER_MAX_UTF16 = 240
MADE_MAX_UTF16 = 400
ROWS_LOOKED_AT_CHARACTERS = 4_000
NUMBERED_ROW = r"(?m)^ {0,9}(\d{1,7})[→\t]"  # of a file that is read
EDIT_KEY_CHARACTERS = 120  # of a change
ORDER_KEY_CHARACTERS = 200
ARGUMENTS_KEY_CHARACTERS = 200
ARGUMENTS_SHARED_MAX = 8  # of more than these each would have a word
NOTHING_MET = r"\s*No (?:matches|files) found"


def items_of_call(call: Entry, root: str) -> Iterator[Item]:
    """The action or look that a call is, with whose it is; none where its tool is read by another module.

    None where it was rejected: it was not done; none where it only printed the agent's own words. `root` is the
    session's first folder, with a slash: one file named in two ways is one.
    """
    for item in items_by_tool(call, root):
        if item["kind"] == "look" and call["ok"] is None:
            item["verdict"] = "running"
        yield {**item, "by_agent": call["by_agent"]} if call.get("by_agent") else item


def items_by_tool(call: Entry, root: str) -> Iterator[Item]:
    """The action or look that a call is, by its tool; not yet whose it is."""
    tool = call["tool"]
    if call["rejected"]:
        return
    if tool in READ_ELSEWHERE:
        yield from refusal_items(call)
        return
    if tool in SHELL_TOOLS:
        if not prints_own_words(whole_command(call)):
            yield with_ticket(with_printed_rows(command_item(call, root), call), call)
    elif tool in CHANGING_TOOLS:
        yield edit_item(call, root)
    elif tool in LOOKING_TOOLS:
        yield look_item(call, root)
    elif tool in SUBAGENT_TOOLS:
        yield order_item(call)
    else:
        yield with_ticket(with_printed_rows(other_item(call), call) if call["ok"] else other_item(call), call)


def refusal_items(call: Entry) -> Iterator[Item]:
    """The refusal of a call whose arguments did not fit, of a tool that is read elsewhere; gone once one worked."""
    why = "" if call["ok"] else why_misfit(call["output"])
    if why or call["ok"]:
        text = arguments_in_short(call["input"])
        item = action(call, text, "refused", verdict=VERDICT_BY_OK[call["ok"]], result=quote(why, RESULT_MAX_UTF16))
        yield {**item, "status": "gone"} if call["ok"] else item


def with_ticket(item: Item, call: Entry) -> Item:
    """The item; of a call that showed a ticket with the ticket's words, its title in place of the output's begin."""
    ticket = ticket_shown(call["command"], call["tool"], call["output"]) if call["ok"] else ""
    if not ticket:
        return item
    title = ticket.partition("\n")[0].lstrip("# ")
    return {**item, "ticket": ticket, "result": quote(title, RESULT_MAX_UTF16), "evidence": [], "rows": []}


def edit_item(call: Entry, root: str) -> Item:
    """A change of a file, with the lines that differ; each other change of a file is an item of its own."""
    path = from_root(call["path"], root)
    change = text_of(call, "change")
    verdict = VERDICT_BY_OK[call["ok"]]
    key = f"{path}: failed" if verdict == "failed" else f"{path}: {change[:EDIT_KEY_CHARACTERS]}"
    return action(call, path, key, verdict=verdict, result=call["error"], change=change, edits=int(bool(call["ok"])))


def look_item(call: Entry, root: str) -> Item:
    """A file or folder that was read, or a search with what it found."""
    path = from_root(call["path"], root)
    if call["tool"] in SEARCH_TOOLS:
        return search_item(call, "" if f"{path}/" == root else path, root)
    return read_item(call, path)


def read_item(call: Entry, path: str) -> Item:
    """A file or folder that was read, as `rows_read` with its rows where the call chose some.

    A file that was too large to be shown stays an item of its own: its parts are read next.
    """
    key = f"{call['tool']} {path}{': too large' if call['error'] and re.match(TOO_LARGE, call['error']) else ''}"
    look = new_item("look", call, path, "assistant", key=key, tool=call["tool"], path=path, result=call["error"])
    rows = rows_read(call)
    if rows:
        look["rows_read"] = [rows]
    return look


def search_item(call: Entry, path: str, root: str) -> Item:
    """A search in a path, with its hits, and as `files_searched` with the files that it was for."""
    pattern = quote(text_of(call, "pattern") if call["ok"] else call["body"], HIT_MAX_UTF16)
    files = quote(text_of(call["input"], "glob") or text_of(call["input"], "type"), HIT_MAX_UTF16)
    met = hits_met(call["output"], path) if call["ok"] else []
    hits = kept_hits(chosen_hits(met), root)
    result = "" if call["ok"] is None else call["error"] or search_result(call, met, hits[:1])
    look = new_item("look", call, pattern, "assistant", key=f"{call['tool']} {pattern} {path} {files}".rstrip(),
                    tool=call["tool"], path=path, result=quote(result, LOOK_RESULT_MAX_UTF16))
    if hits:
        look["hits"] = hits
    if files:
        look["files_searched"] = files
    return look


def rows_read(call: Entry) -> str:
    """Which lines of a file were read (`1–300`), by the numbers before them, where the call chose some; else empty."""
    if not call["input"] or not call["ok"]:
        return ""
    first = re.search(NUMBERED_ROW, call["output"][:ROWS_LOOKED_AT_CHARACTERS])
    last = re.findall(NUMBERED_ROW, call["output"][-ROWS_LOOKED_AT_CHARACTERS:])[-1:]  # the client may add words below
    return f"{first[1]}–{last[0]}" if first and last else ""


def search_result(call: Entry, met: Sequence[tuple[str, str]], first: Sequence[str]) -> str:
    """What a search met, in a few words; that there was nothing only where the tool says so. `first`: its first hit."""
    output = call["output"]
    if re.match(NOTHING_MET, output) or not output.strip():
        return NO_MATCHES
    if first:
        number = how_many_hits(output, met, call.get("is_output_cut", False))
        return first[0] if number.startswith("1 ") else number
    if not without_rows_around(output.splitlines()):
        return "at least 1 hit"
    return ends_of(output, LOOK_RESULT_MAX_UTF16, is_listing=True)


def order_item(call: Entry) -> Item:
    """What a subagent was ordered, by the call's description and the order's rows, and the rows of its report."""
    order = text_of(call["input"], "prompt")
    title = quote(order_title(text_of(call["input"], "description"), order), TITLE_MAX_UTF16)
    fields: CallFields = {"ordered": order_rows(order), "agent": agent_to_resume(call["output"])}
    key = " ".join(f"{title} {order[:ORDER_KEY_CHARACTERS]}".split())  # orders of one pattern begin alike
    if subagent_type := quote(text_of(call["input"], "subagent_type"), SUBAGENT_TYPE_MAX_UTF16):
        fields["subagent_type"] = subagent_type
    if call["ok"] is None or is_put_in_background(call["output"]):
        return {**action(call, title, key, verdict="running", result=""), **fields}
    tool_calls = tool_calls_of(call)
    if tool_calls is not None:
        fields["tool_calls"] = tool_calls
    result = call["error"] or "\n".join(report_rows(call["output"], REPORT_MAX_UTF16))
    if len(call["output"]) > len(result) + MORE_CHARACTERS:
        fields["more"] = len(call["output"])
    return {**action(call, title, key, verdict=VERDICT_BY_OK[call["ok"]], result=result), **fields}


def other_item(call: Entry) -> Item:
    """A call of any other tool, with its arguments in short."""
    text = arguments_in_short(call["input"])
    why = "" if call["ok"] else quote(why_misfit(call["output"]), RESULT_MAX_UTF16)
    result = why or call["error"] or quote(ends_of(call["output"], ANSWER_MAX_UTF16), ANSWER_MAX_UTF16)
    item = action(call, text, text[:ARGUMENTS_KEY_CHARACTERS], verdict=VERDICT_BY_OK[call["ok"]], result=result)
    made = made_outside(call["tool"], call["input"], call["output"]) if call["ok"] else ""
    if made:
        item["made"] = quote(made, MADE_MAX_UTF16)
    return item


def arguments_in_short(arguments: JsonObject) -> str:
    """A call's arguments as `name: value`, without those that are empty; of long ones each has its share of the room.

    Of "logs" and "rule" the first alone had stood there, and what the logs were tested against had not.
    """
    named = [f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
             for name, value in arguments.items() if value not in ("", None, [], {})]
    if len(named) > ARGUMENTS_SHARED_MAX:
        return quote(", ".join(named), ARGUMENTS_MAX_UTF16)
    room, most = ARGUMENTS_MAX_UTF16 - len(", ") * len(named), 0
    for count, size in enumerate(sorted(map(units, named))):  # what the shorter ones leave the longer ones have
        most = max(most, room // (len(named) - count))
        room -= min(size, most)
    return ", ".join(quote(argument, most) for argument in named)
