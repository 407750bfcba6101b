"""What was done and looked at, newest first, and how it ended: commands, changed files, orders and their reports.

What another section says is not said again: the last run of a check, a commit. Which of these lines come back:
choice/steps.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from compact_keeper.client.call_output import is_put_in_background
from compact_keeper.client.tools import CHANGING_TOOLS, OUTLASTING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS, WATCHING_TOOLS
from compact_keeper.recap.lines.changed_files import ChangedFiles
from compact_keeper.recap.lines.checks import PASSED_LATER
from compact_keeper.recap.lines.looks import (
    ASKS_FOR_OUTPUT,
    OUTPUT_SHOWN_UTF16,
    SIBLING_FAILED,
    errors_unseen,
    hits_edited_since,
    is_bare_read,
    is_telling_look,
    last_edits,
    look_line,
    route_edited_since,
    rows_edited_since,
)
from compact_keeper.recap.lines.orders import Orders
from compact_keeper.recap.lines.same_forms import same_form_line
from compact_keeper.recap.lines.turns import in_all
from compact_keeper.recap.wording.commands import command_in_short
from compact_keeper.recap.wording.joined_rows import joined_in_text, rows_shown, rows_shown_within
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import NO_LINE, by_whom, code, lacking_result, middle_out
from compact_keeper.recap.wording.stated import is_stated
from compact_keeper.record.calls.refused_calls import refused_each_time
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import has_more_than_checks
from compact_keeper.record.commands.inline_code import without_inline_code
from compact_keeper.record.commands.shell import is_try
from compact_keeper.record.endings import FROM_CACHE, HAD_PRINTED, words_of_not_run
from compact_keeper.record.items import last_edit_positions
from compact_keeper.record.outcomes.asked_again import asked_again
from compact_keeper.record.outputs.gone_files import listed_before_more_came
from compact_keeper.record.outputs.made_outside_tree import stands_as_made
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN, rows_in_short
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import as_code
from compact_keeper.types import Ending, Item, Line

COMMAND_SHOWN_UTF16, COMMIT_SHOWN_UTF16, RESULT_SHOWN_UTF16 = 230, 90, 190
FAILED_SHOWN_UTF16 = 100  # of a command that failed, its begin: the reason behind it says more
CODE_CALL_SHOWN_UTF16 = 160  # of a command without the code in it
JOB_SHOWN_UTF16, JOB_END_SHOWN_UTF16, ARGUMENTS_SHOWN_UTF16 = 130, 320, 180
EARLIER_SHOWN_UTF16, EARLIER_STOPPED_UTF16 = 80, 100
COMMAND_COPIED_UTF16 = 500  # whole: cut in its middle, where the deed is, it was typed wrongly again
DEPLOYING = ("scp", "rsync", "deploy", "publish", "systemctl ")
DEPLOYS = r"\b(?:scp|rsync|deploy|publish|systemctl (?:re)?(?:start|load))\b"
COMMAND_WHOLE_UTF16, RESULT_WHOLE_UTF16 = 600, 400  # where room is left
EARLIER = {"passed": "passed", "failed": "failed", "unknown": "ended, result not shown", "ended": "ran"}
SIGNS_OF_ERRORS = (  # of which each such row has one: most results have none
    "ERROR", "FATAL", "Traceback", "fatal: ", "rror: ", "Exception: ", "not found", "No such file",
    "Permission denied", "cannot")
ERROR_PRINTED = (  # a row with which a program says that it met an error, whatever its exit code
    r"(?:psql:\S{1,200}:\d+: )?(?:ERROR|FATAL):\s{1,2}\S|ERROR \d{3,5} \(\w+\)|Traceback \(most recent call last\)"
    r"|(?:fatal|error|Error): (?!(?:null|None|undefined|false|0)\b)\S|[\w.]{1,60}(?:Error|Exception): \S"
    r"|(?:bash|sh|zsh|/bin/\w{1,9}|\(eval\)):.{1,200}(?:not found|No such file|Permission denied)"
    r"|(?:ls|cat|cp|mv|rm|mkdir|sed|cd|find): .{1,200}(?:No such file|Permission denied|cannot)")
EXIT_ALONE = r"exit 0 of `[^`]{1,40}`"  # the output was empty, or tells nothing
TRIVIAL = (  # of which only that it was done could be told
    r"(?:(?:mkdir|cd|chmod|git add|sleep|echo|pwd|which|true|touch|export|source|open|xdg-open)\b"
    r"[^;&|\n]*(?:&&|;|\n|$)\s*)+$")
UNKNOWN_SINCE = " in this run"  # of a check that failed, and is not open: it was run again, or not at all
CHECK_PASSED_LATER = " then, its check passed later"
OWN_ENDS = ("passed", "failed", "ended", "unknown")  # of which a command's output tells, and not the client
ASKED_AGAIN = " (asked again later)"
OF_LAST_RUN = "; the last run also printed: "
SPARED_MIN_UTF16 = 20  # by a shorter form: of less the mark of what is missing and the tag would take half


def work_lines(items: Sequence[Item], paths: Paths, stated: Set[str], summary: str,
               since: Mapping[int, str]) -> Iterator[Line]:
    """The lines, newest first; `stated` is what other sections tell of steps.

    `since`: of checks that failed, by position, what is known since.
    """
    changed_files = ChangedFiles(items, summary, paths)
    orders = Orders(items, summary, paths)
    jobs = {item["source"] for item in items if item["kind"] == "job"}
    refused = {id(call) for calls in refused_each_time([item for item in items if item["kind"] == "action"])
               for call in calls}
    edited, edits = last_edits(items), last_edit_positions(items)
    again = {*asked_again(items), *listed_before_more_came(items, paths.root)}
    for item in reversed(items):
        line = NO_LINE
        if stands_as_job(item, jobs) or id(item) in refused or id(item) in orders.given_anew:
            continue
        if item["kind"] == "look":
            is_current = bool(item.get("output")) or item["position"] not in again
            if is_current and not is_bare_read(item) and is_telling_look(item, items, edited, summary):
                since_then = (route_edited_since(item, edits) or hits_edited_since(item, items)
                              or rows_edited_since(item, edits))
                line = look_line(item, edited, paths, since_then)
        elif is_ended_job(item):
            line = job_ended_line(item, paths)
        elif item["kind"] == "action" and item["tool"] in CHANGING_TOOLS:
            line = changed_files.line_of(item)
        elif item["kind"] == "action" and is_telling(item, stated):
            then = since.get(item["position"], UNKNOWN_SINCE)
            answer = (ASKED_AGAIN if item["position"] in again else "") + (
                route_edited_since(item, edits) or rows_edited_since(item, edits))
            line = orders.line_of(item["key"]) or action_line(item, paths, then, answer)
        if line["text"]:
            yield with_sparing_form(line)


def with_sparing_form(line: Line) -> Line:
    """The line; where its short form spares little, in its longer form alone."""
    if units(line.get("whole", "")) > units(line["text"]) + SPARED_MIN_UTF16:
        return line
    whole: Line = {**line, "text": line.get("whole", line["text"])}
    whole.pop("whole", None)
    return whole


def is_telling(item: Item, stated: Set[str]) -> bool:
    """Whether an action says something that stands nowhere else."""
    is_refused_by_client = item["verdict"] == "not run" and item["result"].startswith(SIBLING_FAILED)
    if item.get("made") or stands_as_made(item) or item["tool"] in OUTLASTING_TOOLS or is_refused_by_client:
        return False
    if item["tool"] not in SHELL_TOOLS:
        return True
    is_silent = item["verdict"] == "ended" and not item["result"]
    return not is_stated(item, stated) and not (is_silent and re.match(TRIVIAL, item["text"]))


def stands_as_job(item: Item, jobs: Set[str]) -> bool:
    """Whether it is a command that went into the background: its job, and nothing else, says whether it still runs."""
    if item["source"] not in jobs or item.get("tool") not in SHELL_TOOLS:
        return item["source"] in jobs and item["kind"] == "action" and item["tool"] in WATCHING_TOOLS
    if item["kind"] == "action":
        return item["verdict"] == "running"
    return item["kind"] == "look" and is_put_in_background(item["result"])


def is_ended_job(item: Item) -> bool:
    """Whether it is a background job that ended with words; a subagent's report stands with its order."""
    if item["kind"] != "job" or item["status"] != "ended" or item.get("tool") in SUBAGENT_TOOLS:
        return False
    return bool(item.get("result")) and " &" not in item["text"]


def job_ended_line(item: Item, paths: Paths) -> Line:
    """What ran in the background and has ended, and how; one that was sent a signal may run on."""
    result = middle_out(paths.short(item["result"]), JOB_END_SHOWN_UTF16)
    name = code(command_in_short(item["text"], paths), JOB_SHOWN_UTF16)
    ended = "" if item.get("is_signalled") else ", ended"
    return {"items": [item], "text": f"- In the background{ended} ({item['key']}): {name} → {result}"}


def output_in_short(item: Item, paths: Paths) -> tuple[str, str]:
    """What the call showed, in short and longer, its last and telling rows first; of the newest calls more of it.

    Of a check the totals and names that were read from its output, where that is not shown whole: rows of code around
    a failure had stood in their place.
    """
    output, result = text_of(item, "output"), text_of(item, "result")
    if item["verdict"] == "stopped":  # by whom, and where it stood, is short and of one piece
        return paths.short(result), paths.short(result)
    if output and result and item.get("family") in CHECK_FAMILIES and item["verdict"] in ("passed", "failed"):
        is_shown_whole = units(output) <= OUTPUT_SHOWN_UTF16 and ROWS_BETWEEN not in output
        output = output if is_shown_whole else ""
    if output:
        shown = rows_shown(paths.short(output), OUTPUT_SHOWN_UTF16)
        return shown, shown
    if re.fullmatch(EXIT_ALONE, result):
        return "", ""
    short, longer = rows_shown_within(paths.short(result), (RESULT_SHOWN_UTF16, RESULT_WHOLE_UTF16))
    return short, longer


def action_line(item: Item, paths: Paths, then: str, since: str) -> Line:
    """An action with how it ended; one that was done several times with how it ended before.

    `then`: of a check that failed, what is known since. `since`: what is known of what it printed.
    """
    if item.get("same"):
        return same_form_line(item, paths)
    call, whole_call = call_in_short(item, paths)
    label = f"- By {by_whom(item)}: " if by_whom(item) else "- "
    result, whole_result = output_in_short(item, paths)
    if item.get("described") and f"{ROW_END}{ROWS_BETWEEN}" not in whole_result:
        result = whole_result
    end, whole_end = ending(item, result, then), ending(item, whole_result, then)
    earlier = earlier_endings(item) + (since if end else "")
    line: Line = {"items": [item], "text": f"{label}{call}{' → ' if end else ''}{end}{earlier}",
                  "whole": f"{label}{whole_call}{' → ' if whole_end else ''}{whole_end}{earlier}"}
    if item.get("printed") and item["verdict"] in OWN_ENDS:
        printed = ending(item, joined_in_text(paths.short(item["printed"])), then)
        line["fuller"] = [f"{label}{whole_call} → {printed}{earlier}"]
    return {**line, "before_rows": OF_LAST_RUN} if item.get("earlier") else line


def call_in_short(item: Item, paths: Paths) -> tuple[str, str]:
    """What was called, in short and longer; of a command that holds code what the agent called it in the code's place.

    By the answers' words of 39 compactions the code was worth nothing, and it had taken the room of what it printed.
    """
    if item["tool"] not in SHELL_TOOLS:
        arguments = middle_out(paths.short(item["text"]), ARGUMENTS_SHOWN_UTF16)
        call = f"{item['tool']}: {arguments}" if item["text"] else item["tool"]
        return call, call
    if item.get("described"):
        command = command_in_short(without_inline_code(item["text"]), paths)
        call = f"{code(command, CODE_CALL_SHOWN_UTF16)} ({item['described']})"
        return call, call
    command = command_in_short(item["text"], paths)
    has_failed = item["verdict"] == "failed" and item["family"] not in CHECK_FAMILIES
    call = as_code(cut(command, FAILED_SHOWN_UTF16)) if has_failed else code(command, limit_of_command(item))
    return call, code(command, COMMAND_WHOLE_UTF16)


def limit_of_command(item: Item) -> int:
    """How many UTF-16 units of a command its line shows in short.

    More of one that worked and that somebody types again: it was done several times, or it deployed something.
    """
    if item.get("commit"):
        return COMMIT_SHOWN_UTF16
    if item["verdict"] != "ended":
        return COMMAND_SHOWN_UTF16
    deploys = holds_any(item["text"], DEPLOYING) and re.search(DEPLOYS, item["text"])
    return COMMAND_COPIED_UTF16 if deploys or item.get("uses", 1) > 1 else COMMAND_SHOWN_UTF16


def ending(item: Item, result: str, then: str) -> str:
    """How an action ended, with the words of its output that say so, which are its `result` in short.

    Empty where it ended without a word, and none was looked for: it was done. `then`: as `action_line` has it.
    """
    limits = f" [{FROM_CACHE}]" if "is_cached" in item else ""
    verdict = item["verdict"]
    if verdict == "running":
        return f"started, its end was not seen: {result}" if result else f"({lacking_result(item)})"
    is_check = item.get("family") in CHECK_FAMILIES
    if verdict == "failed" and (is_check or not is_try(item["text"])):
        known = then if is_check or then != UNKNOWN_SINCE else ""
        if known == PASSED_LATER and has_more_than_checks(item["text"]):
            known = CHECK_PASSED_LATER
        return f"FAILED{known}: {result or 'its output does not say why'}{limits}"
    if verdict == "unknown":
        return f"ended, whether it passed is not certain{': ' if result else ''}{result}{limits}"
    if verdict == "not run":
        return words_of_not_run(item, result)
    if verdict == "passed":
        return f"passed: {result}" if result else "passed"
    if error_printed(item["result"]) and verdict == "ended":
        result = f"printed errors: {result}"
    silent = "(no output)" if re.search(ASKS_FOR_OUTPUT, item["text"]) else ""
    return result or errors_unseen(item["text"]) or silent


def earlier_endings(item: Item) -> str:
    """How often the same was done, and how it ended before where that was different."""
    text = f" ({item['uses']} runs{in_all(item, item['first'])})" if item.get("uses", 1) > 1 else ""
    last_two = item.get("earlier", [])[-2:]
    if last_two:
        text += f"; before: {'; '.join(map(earlier_ending, reversed(last_two)))}"
    return text


def earlier_ending(before: Ending) -> str:
    """How an action ended before; where it printed an error that row, as "ran" alone would mislead."""
    verdict, result = before["verdict"], before["result"]
    if verdict == "stopped":
        how, begin, printed = result.partition(HAD_PRINTED)
        return f"{how}{begin}{rows_in_short(printed[:-1], EARLIER_STOPPED_UTF16)})" if printed else how
    if verdict == "not run":
        return words_of_not_run(before, rows_in_short(result, EARLIER_SHOWN_UTF16))
    error = error_printed(result) if verdict == "ended" else ""
    said = "printed errors" if error else EARLIER.get(verdict, verdict)
    return f"{said}: {rows_in_short(error or result, EARLIER_SHOWN_UTF16)}" if result else said


def error_printed(result: str) -> str:
    """The first row of a result with which a program says that it met an error; empty: none does."""
    if not holds_any(result, SIGNS_OF_ERRORS):
        return ""
    return next((row for row in result.split(ROW_END) if re.match(ERROR_PRINTED, row)), "")
