"""A command of a shell as an action or a look: what it was, how it ended, what of its output is kept."""

from __future__ import annotations

import re
from typing import Any

from compact_keeper.client.call_output import is_put_in_background
from compact_keeper.record.call_parts import (
    HIT_MAX_UTF16,
    LOOK_RESULT_MAX_UTF16,
    MORE_CHARACTERS,
    action,
    both_parts,
    ends_of,
    evidence_in,
    hits_in,
    with_announced,
)
from compact_keeper.record.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands import checks_in
from compact_keeper.record.doubtful_ends import what_it_shows
from compact_keeper.record.evidence_lines import evidence_lines
from compact_keeper.record.items import new_item
from compact_keeper.record.looking_commands import is_looking
from compact_keeper.record.outcomes import outcome_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import CallFields, Entry, Item, OutcomeFields

RESULT_MAX_UTF16 = 240
STATUS_MAX_UTF16 = 800  # of what git said of the working tree
SHOWN_OF_GIT = r"git status|git log\b[^|;&]{0,200} --(?:oneline|format|pretty)"
SCRIPT_KEPT_UTF16 = 800  # of a command with several lines
ENDED_MAX_UTF16 = 400  # of how a command ended: its last rows, and those that say so
GIT_FIELDS = ("commit", "subject", "branch", "pushed", "begun", "finished", "conflicts", "private")
STOP_HOOK, FEEDBACK_KEY_CHARACTERS = "Stop hook", 200
COMMAND_NAMED = r"(?m)^[ \t]*[>$][ \t]+(\S[^\n]{0,300})$"  # as package managers and `set -x` name what they run
OUTPUT_LIMITS = (  # what only shortens its output, of a quoted command for another machine too
    r"(?: 2>&1)?(?: ?\| ?(?:tail|head|cat|tee)\b[^|;&\"']{0,80}){1,3}(?=[\"']?$)")
WAITED_FIRST = r"sleep [\d.]{1,8}[smh]? ?(?:&&|;)\s*"  # the same command, later


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
        return {**look, **({"hits": hits} if hits else {}),
                **evidence_in(evidence_lines(command, call["output"]), root)}
    if is_put_in_background(call["output"]):
        return action(call, command, key, verdict="running", result="in the background")  # its job says more
    if call["ok"] is None:
        return action(call, command, key, verdict="running", result="")
    verdict, result, fields = outcome_fields(call)
    size = len(call["output"])
    more: CallFields = {"more": size} if size > len(result) + MORE_CHARACTERS else {}
    return {**action(call, command, key, verdict=verdict, result=result), **fields, **more,
            **evidence_in(evidence_lines(command, call["output"]), root)}


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
