"""A command of a shell as an action or a look: what it was, how it ended, what of its output is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from compact_keeper.client.call_output import end_by_client, is_put_in_background
from compact_keeper.record.calls.parts import (
    HIT_MAX_UTF16,
    LOOK_RESULT_MAX_UTF16,
    MORE_CHARACTERS,
    action,
    ends_of,
    evidence_in,
    kept_hits,
    with_announced,
)
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.commands.inline_code import without_inline_code
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.commands.programs import CUTTING
from compact_keeper.record.commands.shell import (
    goes_to_whole_path,
    lines_that_do,
    pieces_of,
    program_in,
    without_joined_outputs,
)
from compact_keeper.record.commands.written_files import files_written
from compact_keeper.record.endings import BUT_PRINTED, GIT_FIELDS, LOST_OUTPUT, NOT_DONE, OUTCOME_FIELDS, said_of_checks
from compact_keeper.record.items import new_item, whole_command
from compact_keeper.record.outcomes.check_ends import ends_of_checks
from compact_keeper.record.outcomes.doubtful_ends import what_it_shows
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.outcomes.outcome import outcome_of
from compact_keeper.record.outcomes.package_audit import AUDIT
from compact_keeper.record.outputs.evidence import evidence_lines
from compact_keeper.record.outputs.search_hits import chosen_hits, hits_met, how_many_hits
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.ends import both_ends_on_a_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units, without_middle
from compact_keeper.text.paths import without_folder
from compact_keeper.text.quotation import quote
from compact_keeper.types import CallFields, Entry, Item, Outcome

RESULT_MAX_UTF16 = 240
STATUS_MAX_UTF16 = 800  # of what git said of the working tree
SHOWN_OF_GIT = r"(?:cd [^;&|]{1,300} && )?git (?:status|log\b[^|;&]{0,200} --(?:oneline|format|pretty))"
HINTS_OF_GIT = ('(use "git ', "(commit or discard ")  # rows of a status on what to type next
SCRIPT_KEPT_UTF16 = 800  # of a command with several lines
ENDED_MAX_UTF16 = 400  # of how a command ended: its last rows, and those that say so
COMMAND_NAMED = r"(?m)^[ \t]*[>$][ \t]+(\S[^\n]{0,300})$"  # as package managers and `set -x` name what they run
OUTPUT_LIMITS = (  # what only shortens a line's output, of a quoted command for another machine too
    r"(?m)(?: ?\| ?(?:tail|head|cat|tee)\b[^|;&\"'\n]{0,80}){1,3}(?=[\"']?$)")
WAITED = r"\bsleep [\d.]{1,8}[smh]? ?(?:&&|;|\n)\s*"
SEARCHES = r"\b(?:[efz]?grep|rg|ag|ack|findstr|sls|Select-String)\b"
WRITTEN_MAX = 20
STOP_HOOK = "Stop hook"
FEEDBACK_KEY_CHARACTERS = 200


def command_item(call: Entry, root: str) -> Item:
    """A command of a shell, with the folder in which it ran where that is another than the session's first."""
    folder = call.get("folder", "")
    item = with_description(item_of_command(call, root), call)
    if not folder or goes_to_whole_path(whole_command(call)):
        return item
    return {**item, "folder": folder, "key": f"{folder} {item['key']}"}  # the same words are another command there


def with_description(item: Item, call: Entry) -> Item:
    """The item; of a command that holds code with what the agent calls it, which says more in less room."""
    description = text_of(call["input"], "description")
    return {**item, "described": description} if description and without_inline_code(item["text"]) else item


def item_of_command(call: Entry, root: str) -> Item:
    """A command of a shell: a look where it only looks, else an action with its outcome.

    One that the client refused is no run: of two tries the one that ran had been told as two runs.
    """
    command = script_of(call)
    key = command_key(command, root)
    if is_looking(command):  # while it waits, too: else it would stand there twice
        return looking_item(call, command, key, root)
    if is_put_in_background(call["output"]):
        return action(call, command, key, verdict="running", result="in the background")  # its job says more
    if call["ok"] is None:
        return action(call, command, key, verdict="running", result="")
    end = end_of_command(call)
    if len(call["output"]) > len(end["result"]) + MORE_CHARACTERS:
        end["more"] = len(call["output"])
    evidence = evidence_in(evidence_lines(command, call["output"]), root)
    item: Item = {**action(call, command, key), **end, **written(call, end["verdict"], root),
                  **lacking(command, call["output"]), **evidence}
    is_not_run = item["verdict"] == "not run"  # of the others none was refused: their outputs are not read again
    is_refused = is_not_run and end_by_client(call["output"], not call["ok"], call["exit"])["is_refused"]
    return {**item, "uses": 0} if is_refused else item


def written(call: Entry, verdict: str, root: str) -> CallFields:
    """The files that the command wrote; none of one that failed, was stopped or not run: nobody knows."""
    if verdict in (*NOT_DONE, "stopped"):
        return {}
    files = files_written(whole_command(call), root, call.get("folder", ""))
    return {"wrote": [root + path for path in files[:WRITTEN_MAX]]} if files else {}


def lacking(command: str, output: str) -> CallFields:
    """The command's programs that are not there, where its output says so."""
    programs = lacking_in(command, output)
    return {"lacking": programs} if programs else {}


def command_key(command: str, root: str) -> str:
    """What makes two commands the same: without the root, waits, where errors went, what only shortens the output.

    A test that failed had stood beside its own later run, which passed and had `2>&1` behind it.
    """
    key = without_joined_outputs(command.replace(f"cd {root[:-1]} && ", ""))
    part = ""
    if "|" in key:
        part = part_shown("".join(re.findall(OUTPUT_LIMITS, key)))
        key = re.sub(OUTPUT_LIMITS, "", key)
    if "sleep " in key:
        key = re.sub(WAITED, "", key)
    is_other_part = part and not checks_in(command)
    return f"{part} of {without_folder(key.strip(), root)}" if is_other_part else without_folder(key.strip(), root)


def part_shown(filters: str) -> str:
    """Which part of an output is shown by what shortens it, where that is neither all of it nor its end.

    The first rows of a long listing had stood as what its last rows had been before.
    """
    if " +" in filters or ("head" in filters and "tail" in filters):
        return filters.strip()
    return "head" if "head" in filters else ""


def looking_item(call: Entry, command: str, key: str, root: str) -> Item:
    """A command that only looks, with what it showed; of git's status and log the rows from the first on."""
    met = hits_met(call["output"], "") if call["ok"] else []
    hits = kept_hits(chosen_hits(met), root)
    if re.match(SHOWN_OF_GIT, command):  # which files are changed, whose commits there are
        result = first_rows_of_git(call["output"])
    else:
        result = quote(ends_of(call["output"], LOOK_RESULT_MAX_UTF16, is_listing=True), LOOK_RESULT_MAX_UTF16)
    if ROWS_BETWEEN in result and re.search(SEARCHES, command) and are_all_located(call["output"], met):
        result = how_many_hits(call["output"], met, bool(call.get("is_output_cut")) or cuts(command))
    look = new_item("look", call, command, "assistant", key=f"$ {key}", tool=call["tool"], path="", result=result)
    if hits:
        look["hits"] = hits
    if call["ok"] and not call.get("is_by_ledger") and not call["output"].strip():
        look["is_silent"] = True
    return {**look, **lacking(command, call["output"]), **evidence_in(evidence_lines(command, call["output"]), root)}


def are_all_located(output: str, met: Sequence[tuple[str, str]]) -> bool:
    """Whether each row of an output is a line of a file, with its path before it, and no count (`grep -c`).

    Of four such hits the harmless one had stood as if there were no others.
    """
    rows = [row for row in output.splitlines() if row.strip()]
    return bool(met) and len(met) == len(rows) and not any(hit[len(path) + 1:].strip().isdecimal() or path == hit
                                                           for path, hit in met)


def cuts(command: str) -> bool:
    """Whether a program of the command lets no more than some rows through."""
    return any(program_in(piece) in CUTTING for piece, _ in pieces_of(command))


def first_rows_of_git(output: str) -> str:
    """The first rows of what git listed on one line, without its hints; a mark behind those that have room."""
    rows = [row for row in map(str.strip, output.split("\n")) if row and not row.startswith(HINTS_OF_GIT)]
    shown = quote(ROW_END.join(rows), STATUS_MAX_UTF16)
    is_cut = shown.endswith(ROWS_BETWEEN) and units(shown) > STATUS_MAX_UTF16 - len(ROW_END)
    return f"{shown.rpartition(ROW_END)[0]}{ROW_END}{ROWS_BETWEEN}" if is_cut and ROW_END in shown else shown


def feedback_item(feedback: Entry) -> Item:
    """What a Stop hook told the agent to go on with: where it names the check that it ran, that check and its end."""
    words = feedback["text"]
    command = next((line for line in re.findall(COMMAND_NAMED, words) if checks_in(line)), "")
    if not command:
        return new_item("action", feedback, "", "assistant", key=f"{STOP_HOOK} {words[:FEEDBACK_KEY_CHARACTERS]}",
                        tool=STOP_HOOK, path="", family="", verdict="ended",
                        result=quote(both_ends_on_a_line(words, RESULT_MAX_UTF16), RESULT_MAX_UTF16))
    text = quote(f"{command}  # by a Stop hook", HIT_MAX_UTF16)
    outcome = outcome_of(command, words, None, None)
    item = new_item("action", feedback, text, "assistant", key=f"{STOP_HOOK} {text}", tool="Bash", path="",
                    family=outcome["family"], verdict=outcome["verdict"],
                    result=quote(outcome["line"], RESULT_MAX_UTF16))
    call: Entry = {"command": text, "input": {}, "output": words}
    said: CallFields = quoted(said_of_checks(outcome), RESULT_MAX_UTF16)
    return {**item, **said, **ends_kept(call, outcome["verdict"], outcome["family"])}


def script_of(call: Entry) -> str:
    """The command; of one with several lines those that do something, of a long one its beginning and its end.

    Four green checks had stood without the `&& rm -f data/app.db` behind them, which was the running server's.
    """
    return without_middle("\n".join(lines_that_do(whole_command(call))), SCRIPT_KEPT_UTF16) or call["command"]


def end_of_command(call: Entry) -> CallFields:
    """How a command ended: the verdict, what its output says of it, and what is certain of check and repository."""
    outcome = outcome_of(whole_command(call), call["output"], not call["ok"], call["exit"])
    certain = certain_fields(outcome)
    verdict, result = outcome["verdict"], call["error"] or (f"exit {call['exit']}" if call["exit"] else "")
    if not call["ok"] and not shows_what_failed(outcome, call["output"]):
        verdict = "failed"
    else:
        result = quote(result_line(call, outcome), ENDED_MAX_UTF16) or result
    ends = ends_kept(call, verdict, outcome["family"])
    is_check = outcome["family"] in CHECK_FAMILIES
    return {**certain, **ends, "verdict": "ended" if verdict == "unknown" and not is_check else verdict,
            "result": result}


def ends_kept(call: Entry, verdict: str, family: str) -> CallFields:
    """How each check of the command ended, where that is to be kept."""
    ends = ends_of_checks(script_of(call), call["output"], verdict, family)
    return {"ends": quoted(ends, ENDED_MAX_UTF16)} if ends else {}


def shows_what_failed(outcome: Outcome, output: str) -> bool:
    """Whether the output of a command that the client says has failed shows in what part; the ledger has no outputs."""
    if outcome["verdict"] == "failed":
        return bool(outcome["family"] and output)
    return outcome["verdict"] != "unknown" or is_output_lost(outcome)


def is_output_lost(outcome: Outcome) -> bool:
    """Whether a check's output went to a program that is not there."""
    return outcome["cause"].startswith(LOST_OUTPUT)


def certain_fields(outcome: Outcome) -> CallFields:
    """What is certain of the command's check, and of what it did to the repository, without what is empty."""
    certain = {name: outcome.get(name) for name in OUTCOME_FIELDS if outcome.get(name)}
    kept: CallFields = quoted(certain, RESULT_MAX_UTF16)
    return kept


def quoted(value: Any, limit: int) -> Any:
    """The value with each text in it quoted, at most so many UTF-16 units of it."""
    if isinstance(value, str):
        return quote(value, limit)
    if isinstance(value, dict):
        return {name: quoted(part, limit) for name, part in value.items()}
    return [quoted(part, limit) for part in value] if isinstance(value, list) else value


def result_line(call: Entry, outcome: Outcome) -> str:
    """What is kept of how the command ended: the outcome's line, or what it printed where that says too little."""
    verdict, line = outcome["verdict"], outcome["line"]
    is_check = outcome["family"] in CHECK_FAMILIES
    is_told = any(outcome.get(name) for name in GIT_FIELDS) or outcome["family"] == AUDIT or is_output_lost(outcome)
    is_told = is_told or line.startswith(BUT_PRINTED)
    if is_told or verdict in ("failed", "stopped") or (is_check and verdict != "unknown"):
        is_announcing = verdict == "failed" and line.rstrip().endswith(":")
        return with_announced(line, call["output"]) if is_announcing else line
    printed = ends_of(call["output"], ENDED_MAX_UTF16) or line
    doubt = what_it_shows(whole_command(call), call["output"]) if call["ok"] else ""
    return f"({doubt}) {printed}".rstrip() if doubt else printed
