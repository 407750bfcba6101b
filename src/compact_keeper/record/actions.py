"""What was done and looked at: a tool call as an action or a look, with how it ended.

An action runs, changes or sends something; a look only reads. The same action again is the same item, counted, with
how it ended last, and with what was different before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.call_output import is_put_in_background
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.record.call_parts import (
    HIT_MAX_UTF16,
    LOOK_RESULT_MAX_UTF16,
    MORE_CHARACTERS,
    action,
    ends_of,
    hits_in,
)
from compact_keeper.record.command_actions import RESULT_MAX_UTF16, command_item
from compact_keeper.record.evidence_lines import made_outside
from compact_keeper.record.items import new_item
from compact_keeper.record.reports import agent_to_resume, order_rows, order_title, report_rows
from compact_keeper.record.tickets import ticket_shown
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import CallFields, Entry, Item

SEARCHES = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", "Grep", "Glob", "LS", "NotebookRead")
READ_ELSEWHERE = (  # tools whose calls give tasks, dialogs and jobs, or say nothing of the work
    "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion", "ExitPlanMode",
    "EnterPlanMode", "BashOutput", "TaskOutput", "AgentOutputTool", "KillShell", "KillBash", "TaskStop", "ToolSearch")
TITLE_MAX_UTF16 = 200
REPORT_MAX_UTF16 = 2_400
ARGUMENTS_MAX_UTF16 = 320
ANSWER_MAX_UTF16 = 240
MADE_MAX_UTF16 = 400
ROWS_LOOKED_AT_CHARACTERS = 4_000
NUMBERED_ROW = r"(?m)^ {0,9}(\d{1,7})[→\t]"  # of a file that is read


def items_of_call(call: Entry, root: str) -> Iterator[Item]:
    """The action or look that a call is; none where its tool is read by another module.

    None where it was rejected: it was not done. `root` is the session's first folder, with a slash: one file named in
    two ways is one.
    """
    tool = call["tool"]
    if call["rejected"] or tool in READ_ELSEWHERE:
        return
    if tool in SHELL_TOOLS:
        yield with_ticket(command_item(call, root), call)
    elif tool in CHANGING_TOOLS:
        yield edit_item(call, root)
    elif tool in LOOKING_TOOLS:
        yield look_item(call, root)
    elif tool in SUBAGENT_TOOLS:
        yield order_item(call)
    else:
        yield with_ticket(other_item(call), call)


def with_ticket(item: Item, call: Entry) -> Item:
    """The item; of a call that showed a ticket with the ticket's words, its title in place of the output's begin."""
    ticket = ticket_shown(call["command"], call["tool"], call["output"]) if call["ok"] else ""
    if not ticket:
        return item
    title = ticket.partition("\n")[0].lstrip("# ")
    return {**item, "ticket": ticket, "result": quote(title, RESULT_MAX_UTF16), "evidence": []}


def edit_item(call: Entry, root: str) -> Item:
    """A change of a file, with the lines that differ; each other change of a file is an item of its own."""
    path = call["path"].replace(root, "")
    change = text_of(call, "change")
    verdict = {None: "running", True: "ended", False: "failed"}[call["ok"]]
    key = f"{path}: {change[:120]}" if verdict != "failed" else f"{path}: failed"
    item = action(call, path, key, verdict=verdict, result=call["error"], change=change, edits=int(bool(call["ok"])))
    if call["ok"] and call.get("sides"):
        item["sides"] = call["sides"]
    return item


def look_item(call: Entry, root: str) -> Item:
    """A file that was read, or a search with what it found."""
    tool, path = call["tool"], call["path"].replace(root, "")
    if tool not in SEARCHES:
        look = new_item("look", call, path, "assistant", key=f"{tool} {path}", tool=tool, path=path,
                        result=call["error"])
        return {**look, "limits": [rows]} if (rows := rows_read(call)) else look
    pattern = quote(call["body"] if call["ok"] is not True else text_of(call, "pattern"), HIT_MAX_UTF16)
    hits = hits_in(call["output"], root, path) if call["ok"] else []
    result = call["error"] or search_result(call["output"], hits) if call["ok"] is not None else ""
    kept = quote(text_of(call["input"], "glob") or text_of(call["input"], "type"), HIT_MAX_UTF16)  # which files
    look = new_item("look", call, pattern, "assistant", key=f"{tool} {pattern} {path} {kept}".rstrip(), tool=tool,
                    path=path, result=quote(result, LOOK_RESULT_MAX_UTF16))
    return {**look, **({"hits": hits} if hits else {}), **({"limits": [kept]} if kept else {})}


def rows_read(call: Entry) -> str:
    """Which lines of a file were read (`1–300`), by the numbers before them, where the call chose some; else empty."""
    if not call["input"] or not call["ok"]:
        return ""
    first = re.search(NUMBERED_ROW, call["output"][:ROWS_LOOKED_AT_CHARACTERS])
    last = re.findall(NUMBERED_ROW, call["output"][-ROWS_LOOKED_AT_CHARACTERS:])[-1:]  # the client may add words below
    return f"{first[1]}–{last[0]}" if first and last else ""


def search_result(output: str, hits: Sequence[str]) -> str:
    """What a search found, in a few words; that there was nothing only where the tool says so."""
    if re.match(r"\s*No (?:matches|files) found", output) or not output.strip():
        return "no matches"
    if hits:
        return f"{len(hits)} hits" if len(hits) > 1 else hits[0]
    return ends_of(output, LOOK_RESULT_MAX_UTF16, is_listing=True)


def order_item(call: Entry) -> Item:
    """What a subagent was ordered, by the call's description and the order's rows, and the rows of its report."""
    order = text_of(call["input"], "prompt")
    title = quote(order_title(text_of(call["input"], "description"), order), TITLE_MAX_UTF16)
    fields: CallFields = {"ordered": order_rows(order), "agent": agent_to_resume(call["output"])}
    key = " ".join(order[:200].split()) or title
    if call["ok"] is None or is_put_in_background(call["output"]):
        return {**action(call, title, key, verdict="running", result=""), **fields}
    result = call["error"] or "\n".join(report_rows(call["output"], REPORT_MAX_UTF16))
    if len(call["output"]) > len(result) + MORE_CHARACTERS:
        fields["more"] = len(call["output"])
    return {**action(call, title, key, verdict="ended" if call["ok"] else "failed", result=result), **fields}


def other_item(call: Entry) -> Item:
    """A call of any other tool, with its arguments in short."""
    arguments = ", ".join(f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
                          for name, value in call["input"].items() if value not in ("", None, [], {}))
    text = quote(arguments, ARGUMENTS_MAX_UTF16)
    verdict = {None: "running", True: "ended", False: "failed"}[call["ok"]]
    result = call["error"] or quote(ends_of(call["output"], ANSWER_MAX_UTF16), ANSWER_MAX_UTF16)
    made = made_outside(call["tool"], call["input"], call["output"]) if call["ok"] else ""
    item = action(call, text, text[:200], verdict=verdict, result=result)
    if made:
        item["made"] = quote(made, MADE_MAX_UTF16)
    return item
