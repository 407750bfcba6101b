"""What was done and looked at: a tool call as an action or a look, with how it ended.

An action runs, changes or sends something; a look only reads. The same action again is the same item, counted, with
how it ended last, and with what was different before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.record.commands import checks_in, is_looking
from compact_keeper.record.evidence_lines import evidence_lines, made_outside, search_hits
from compact_keeper.record.items import new_item
from compact_keeper.record.lacks import lacking_in
from compact_keeper.record.outcomes import outcome_of, what_it_shows
from compact_keeper.record.reports import agent_to_resume, order_rows, order_title, report_rows
from compact_keeper.record.runs import CHECK_FAMILIES
from compact_keeper.record.telling_rows import ROW_END, telling_rows
from compact_keeper.record.tickets import ticket_shown
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import before_space, behind_space, cut, units, whole_words
from compact_keeper.text.quotation import quote, quote_all
from compact_keeper.types import CallFields, Ending, Entry, Item, OutcomeFields, Unpack

SEARCHES, LOOKING_TOOLS = ("Grep", "Glob"), ("Read", "Grep", "Glob", "LS", "NotebookRead")
READ_ELSEWHERE = (  # tools whose calls give tasks, dialogs and jobs, or say nothing of the work
    "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion", "ExitPlanMode",
    "EnterPlanMode", "BashOutput", "TaskOutput", "AgentOutputTool", "KillShell", "KillBash", "TaskStop", "ToolSearch")
RESULT_MAX_UTF16, LOOK_RESULT_MAX_UTF16, TITLE_MAX_UTF16, REPORT_MAX_UTF16 = 240, 320, 200, 2_400
ORDER_BEGIN_CHARACTERS = 200  # of an order, by which it is the same as another
STATUS_MAX_UTF16 = 800  # of what git said of the working tree
SHOWN_OF_GIT = r"git status|git log\b[^|;&]{0,200} --(?:oneline|format|pretty)"
SCRIPT_KEPT_UTF16 = 800  # of a command with several lines
ARGUMENTS_MAX_UTF16, ANSWER_MAX_UTF16 = 320, 240
HIT_MAX_UTF16, EVIDENCE_MAX_UTF16, MADE_MAX_UTF16 = 160, 260, 400
ENDED_MAX_UTF16 = 400  # of how a command ended: its last rows, and those that say so
ANNOUNCING_CHARACTERS, ANNOUNCED_CHARACTERS, ANNOUNCED_ROWS_MAX = 40, 400, 3  # behind a failure that ends in a colon
MORE_CHARACTERS = 200  # that an output has beyond the result: it is worth a look
END_FIELDS = ("text", "verdict", "result", "family", "limits", "position", "last")  # of an end that is kept
EARLIER_MAX = 3  # other ends of the same action that are kept
HIT_LINE_MAX_CHARACTERS = 600  # looked at of a line of an output
CHATTER = ("Shell cwd was reset to ", "<system-reminder>")  # lines of the client's own below an output
GIT_FIELDS = ("commit", "subject", "branch", "pushed", "begun", "finished", "conflicts", "private")
STOP_HOOK, FEEDBACK_KEY_CHARACTERS = "Stop hook", 200
COMMAND_NAMED = r"(?m)^[ \t]*[>$][ \t]+(\S[^\n]{0,300})$"  # as package managers and `set -x` name what they run
ROWS_LOOKED_AT_CHARACTERS = 4_000
NUMBERED_ROW = r"(?m)^ {0,9}(\d{1,7})[→\t]"  # of a file that is read
OUTPUT_LIMITS = (  # what only shortens its output, of a quoted command for another machine too
    r"(?: 2>&1)?(?: ?\| ?(?:tail|head|cat|tee)\b[^|;&\"']{0,80}){1,3}(?=[\"']?$)")
WAITED_FIRST = r"sleep [\d.]{1,8}[smh]? ?(?:&&|;)\s*"  # the same command, later
BACKGROUND_NOTICE_CHARACTERS = 400  # of an output, in which the client says so
BACKGROUND_NOTICES = ("in background with ID", "running in the background", "Async agent launched")


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


def command_item(call: Entry, root: str) -> Item:
    """A command of a shell: a look where it only looks, else an action with its outcome."""
    command = script_of(call)
    key = command.replace(f"cd {root[:-1]} && ", "")
    key = (re.sub(OUTPUT_LIMITS, "", key) if "|" in key else key).strip().replace(root, "")
    key = re.sub(WAITED_FIRST, "", key) if key.startswith("sleep ") else key
    if is_looking(command):  # while it waits, too: else it would stand there twice
        is_status = bool(re.match(SHOWN_OF_GIT, command))  # which files are changed, whose commits there are
        result = quote(" | ".join(call["output"].split("\n")), STATUS_MAX_UTF16) if is_status else (
            quote(ends_of(call["output"], LOOK_RESULT_MAX_UTF16, is_listing=True), LOOK_RESULT_MAX_UTF16))
        hits = hits_in(call["output"], root) if call["ok"] else []
        look = new_item("look", call, command, "assistant", key=f"$ {key}", tool=call["tool"], path="", result=result)
        return {**look, **({"hits": hits} if hits else {}), **lacking(command, call["output"]),
                **evidence_in(evidence_lines(command, call["output"]), root)}
    if is_put_in_background(call):
        return action(call, command, key, verdict="running", result="in the background")  # its job says more
    if call["ok"] is None:
        return action(call, command, key, verdict="running", result="")
    verdict, result, fields = outcome_fields(call)
    size = len(call["output"])
    more: CallFields = {"more": size} if size > len(result) + MORE_CHARACTERS else {}
    return {**action(call, command, key, verdict=verdict, result=result), **fields, **more,
            **lacking(command, call["output"]), **evidence_in(evidence_lines(command, call["output"]), root)}


def lacking(command: str, output: str) -> CallFields:
    """The command's programs that are not there, where its output says so."""
    programs = lacking_in(command, output)
    return {"lacking": programs} if programs else {}


def is_put_in_background(call: Entry) -> bool:
    """Whether the client says in the call's output that it runs on in the background."""
    return any(map(call["output"][:BACKGROUND_NOTICE_CHARACTERS].__contains__, BACKGROUND_NOTICES))


def feedback_item(feedback: Entry) -> Item:
    """What a Stop hook told the agent to go on with: where it names the check that it ran, that check and its end."""
    words = feedback["text"]
    command = next((line for line in re.findall(COMMAND_NAMED, words) if checks_in(line)), "")
    if not command:
        return new_item("action", feedback, "", "assistant", key=f"{STOP_HOOK} {words[:FEEDBACK_KEY_CHARACTERS]}",
                        tool=STOP_HOOK, path="", family="", limits=[], verdict="ended",
                        result=quote(both_parts(words, RESULT_MAX_UTF16), RESULT_MAX_UTF16))
    text = quote(f"{command}  # by a Stop hook", HIT_MAX_UTF16)
    outcome = outcome_of(command, words, None, None)
    return new_item("action", feedback, text, "assistant", key=f"{STOP_HOOK} {text}", tool="Bash", path="",
                    family=outcome["family"], limits=outcome["limits"], verdict=outcome["verdict"],
                    result=quote(outcome["line"], RESULT_MAX_UTF16))


def script_of(call: Entry) -> str:
    """The command; of one with several lines those that do something."""
    script = text_of(call["input"], "command") or call["command"]
    lines = [line for line in script.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return cut("\n".join(lines), SCRIPT_KEPT_UTF16) or call["command"]


def action(call: Entry, text: str, name: str, **fields: Unpack[CallFields]) -> Item:
    """An action of this call; another one of the same tool and name is the same."""
    item = new_item("action", call, text, "assistant", key=f"{call['tool']} {name}", tool=call["tool"],
                    path=call["path"], family="", limits=[])
    return {**item, **fields}


def outcome_fields(call: Entry) -> tuple[str, str, OutcomeFields]:
    """How a command ended: the verdict, what its output says of it, and what is certain of check and repository."""
    script = text_of(call["input"], "command") or call["command"]
    outcome = outcome_of(script, call["output"], not call["ok"], call["exit"])
    fields: Any = {name: value for name in ("family", "limits") if (value := outcome.get(name))}
    for name in GIT_FIELDS:
        value = outcome.get(name)
        if isinstance(value, str) and value:
            fields[name] = quote(value, RESULT_MAX_UTF16)
        elif isinstance(value, list) and value:
            fields[name] = [quote(str(path), RESULT_MAX_UTF16) for path in value]
    verdict = outcome["verdict"]
    failed_elsewhere = verdict == "failed" and (not outcome["family"] or not call["output"])
    if not call["ok"] and (verdict == "unknown" or failed_elsewhere):
        return "failed", call["error"], fields  # in what part, the output does not show; or only the ledger knows it
    is_check = outcome["family"] in CHECK_FAMILIES
    is_known = (is_check and verdict != "unknown") or verdict in ("failed", "stopped") or any(
        name in fields for name in GIT_FIELDS)
    line = outcome["line"]
    if not is_known:  # of what checks nothing, and of a check whose end was not seen, what it printed
        line = ends_of(call["output"], ENDED_MAX_UTF16) or line
        if call["ok"] and (doubt := what_it_shows(script, call["output"])):
            line = f"({doubt}) {line}".rstrip()
    elif verdict == "failed" and line.rstrip().endswith(":"):
        line = with_announced(line, call["output"])
    verdict = "ended" if verdict == "unknown" and not is_check else verdict
    return verdict, quote(line, ENDED_MAX_UTF16) or call["error"], fields


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
    key = " ".join(f"{title} {order[:ORDER_BEGIN_CHARACTERS]}".split())  # orders of one pattern begin alike
    if call["ok"] is None or is_put_in_background(call):
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


def ends_of(output: str, limit: int, is_listing: bool = False) -> str:
    """The rows of the output that tell how it ended, about `limit` UTF-16 units of them; of a listing its first ones.

    Of an output on one long line so much as can be redacted whole.
    """
    lines = [whole_words(line, HIT_LINE_MAX_CHARACTERS) or f"(a line of {len(line):,} characters)"
             for line in output.splitlines() if line.strip() and not line.startswith(CHATTER)]
    return telling_rows(lines, limit, is_listing)


def with_announced(line: str, output: str) -> str:
    """A failure's line that ends in a colon, with the rows that it announces in the output: the names of the files."""
    begin = line.rstrip()[-ANNOUNCING_CHARACTERS:]
    _, _, rest = output.partition(begin)
    rows = [row for row in rest[:ANNOUNCED_CHARACTERS].splitlines() if row.strip()][:ANNOUNCED_ROWS_MAX]
    indented = [row for row in rows if row[:1].isspace()]
    announced = indented if rows and rows[0][:1].isspace() else [row for row in rows[:1] if row[:1] not in "-="]
    return f"{line.rstrip()} {ROW_END.join(row.strip() for row in announced)}".rstrip()


def both_parts(text: str, limit: int) -> str:
    """The text; of a long one its beginning and its end, as UTF-16 units of both together."""
    line = " ".join(text[:40_000].split())
    if units(line) <= limit:
        return line
    return f"{before_space(line[:limit * 3 // 5])} … {behind_space(line[-limit * 2 // 5 + 4:])}"


def hits_in(output: str, root: str, path: str = "") -> list[str]:
    """The lines of a search's output as `path:line: code`, as seen from the root; `path` is what it searched in."""
    return quote_all([hit.replace(root, "") for hit in search_hits(output, path)], HIT_MAX_UTF16)


def evidence_in(lines: Iterable[str], root: str) -> CallFields:
    """Lines that were chosen of an output, safe to keep."""
    kept = quote_all([line.replace(root, "") for line in lines if line], EVIDENCE_MAX_UTF16)
    return {"evidence": kept} if kept else {}


def earlier_results(old: Item, new: Item) -> list[Ending]:
    """How the same action ended before, where it was different: the last three, each other one at its newest."""
    if old.get("verdict") == "running":
        return list(old.get("earlier", []))
    before: Any = {name: old.get(name) for name in END_FIELDS if name in old}
    others = [run for run in [*old.get("earlier", []), before] if how_it_ended(run) != how_it_ended(new)]
    newest = {how_it_ended(run): run for run in others}
    return [*newest.values()][-EARLIER_MAX:]


def how_it_ended(run: Ending) -> tuple[str, str]:
    """What makes two ends of the same action the same."""
    return run["verdict"], run["result"]
