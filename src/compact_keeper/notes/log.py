"""The log of what happened in a session, which memory.json holds: so what is read once is told once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from compact_keeper.notes.wording import NOTE_NAME_MAX_UTF16, NOTE_WORDS_MAX_UTF16, code_shown, escaped, spoken
from compact_keeper.record.checks import VERIFYING
from compact_keeper.store.json_lines import records_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.text.telling import telling_line
from compact_keeper.types import Entries, Record

EVENTS_MAX = 250  # of a session, the newest
HISTORY_READ = 512 << 10  # bytes of history.jsonl's end: what the last compactions put back
EVENT_WORDS = {  # what an item of this kind and status tells, where it says more than that something was seen
    ("request", "open"): "asked", ("request", "cancelled"): "cancelled", ("task", "completed"): "done",
    ("decision", "open"): "decided", ("rule", "open"): "rule given", ("rule", "superseded"): "rule ended",
    ("answer", "open"): "answered", ("answer", "rejected"): "not allowed", ("plan", "approved"): "plan approved",
    ("plan", "not approved"): "plan not approved"}
DONE = ("done", "committed", "pushed", "passed", "failed")
AGAIN = ("request", "answer", "plan")  # each of these counts, also with the words of an earlier one
STEP = r"(?:^|&& |; |\|\| |\()\s*"  # where a command of a chain begins
COMMITTING = STEP + r"git (?:-C \S+ )?commit\b(?!.*--dry-run)"
COMMITTED = r"(?m)^\[[\w./ ()+-]{1,120} ([0-9a-f]{7,40})\] (.+)"  # what git prints of a commit
SUBJECTS = (  # in the command itself; the line breaks of a here-document are gone
    r"commit\b.*?<<-?\s*['\"]?(\w+)['\"]?\s(?P<subject>.+?)(?:\s\1\b|$)",
    r"commit\b.*?\s(?:-\w*m|--message)[= ]?(?P<quote>['\"])(?P<subject>.+?)(?:(?P=quote)|$)")
PUSHING = STEP + r"((?:git push|gh pr (?:create|merge)|gh release create|(?:npm|cargo) publish|twine upload)\b[^&;|]*)"
HIDING = r"[|;]"  # behind it the exit code is not that of the check
RESULT_HINTS = ("passed", "passing", "PASS", "test", "examples", "specs", "OK", "ok ", "Success")  # one is in each
RESULT = r"(?m)\d (?:passed|passing|tests?|examples|specs)\b|^(?:OK|PASS|ok |test result: ok|Success)"  # of a line
FAILED = r"(?m)\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^(?:FAIL(?:ED)?|--- FAIL|ERROR|error)\b"


def log_after(log: Sequence[Record], entries: Entries, known: Sequence[Record], folder: str) -> list[Record]:
    """The log with what the entries and their items tell: each once, a state when it changes; the newest of it all.

    `known` are the items of before; `folder` is the session's.
    """
    after = [*log]
    seen = {(line["time"], line["what"], line["key"]) for line in log}
    last = {line["key"]: line["what"] for line in log}
    names = task_names(known)
    for entry, items in entries:
        names.update(task_names(items))
        for what, long_key, text in happened(entry, items, names, folder):
            key = cut(long_key, NOTE_WORDS_MAX_UTF16)
            if last.get(key) != what and (entry["time"], what, key) not in seen:
                last[key] = what
                after.append({"time": entry["time"], "what": what, "key": key, "text": text + result(entry, what)})
    return after[-EVENTS_MAX:]


def task_names(items: Sequence[Record]) -> dict[str, str]:
    """The tasks' texts by their keys: an update of a task names its number alone."""
    return {one["key"]: one["text"] for one in items if one["kind"] == "task" and one.get("key") and one["text"]}


def happened(
        entry: Record, items: Sequence[Record], names: dict[str, str], folder: str) -> Iterator[tuple[str, str, str]]:
    """What an entry tells for the log: what happened, to what (a key), and the words for it."""
    if entry.get("what") == "compacted":
        yield "compacted", f"cycle {entry['cycle']}", deliveries_of(folder, entry["cycle"] - 1)
    if entry.get("what") == "call" and entry["command"]:
        yield from published(entry)
    asked = [one["text"] for one in items if one["kind"] == "request"]
    for one in items if entry else ():
        what, is_new = EVENT_WORDS.get((one["kind"], one["status"]), ""), one["last"] == entry["time"]
        if one["kind"] == "command" and re.match(VERIFYING, one["text"]):
            yield check_outcome(entry, one)
        elif what and (is_new or one["status"] != "open") and not repeats(one, asked):
            when = entry["time"][:16] if one["kind"] in AGAIN else ""  # to the minute: a transcript may tell it twice
            yield what, f"{one['kind']} {when} {one.get('key') or one['text']}", event_words(one, names)


def repeats(one: Record, asked: Sequence[str]) -> bool:
    """Whether the log can do without the item: an answer that is a request too, a decision's mere heading."""
    text = one["text"]
    is_heading = text.startswith("#") or text.endswith(":") or len(text.split()) < 5
    return (one["kind"] == "answer" and bool(asked)) or (one["kind"] == "decision" and text.isascii() and is_heading)


def event_words(one: Record, names: dict[str, str]) -> str:
    """The item's words as the log has them."""
    if one["kind"] == "task":
        return escaped(cut(text_of(one, "text") or names.get(one["key"]) or text_of(one, "key"), NOTE_WORDS_MAX_UTF16))
    if one["kind"] == "plan":
        return spoken(heading(one))
    if one["status"] == "rejected":
        return code_shown(text_of(one, "question"))
    asked = f"{spoken(one['question'])} " if one["kind"] == "answer" else ""
    who = " (the person)" if (one["kind"], one["who"]) == ("decision", "user") else ""
    return asked + spoken(one["text"]) + who


def heading(plan: Record) -> str:
    """The plan's first line; its line breaks are gone."""
    return cut(plan["text"].partition(" #")[0], NOTE_NAME_MAX_UTF16)


def published(call: Record) -> Iterator[tuple[str, str, str]]:
    """The commits that a command made, as git printed them or the command named them; what it pushed."""
    command, output = call["command"], call["output"]
    if re.search(COMMITTING, command):
        found = re.findall(COMMITTED, output)
        for number, subject in found:
            yield "committed", f"commit {number}", f"{number[:9]} {escaped(quote(subject, NOTE_WORDS_MAX_UTF16))}"
        if call["ok"] and not found and "nothing to commit" not in output:
            told = next(filter(None, (re.search(pattern, command) for pattern in SUBJECTS)), None)
            yield "committed", f"commit {call['id']}", escaped(cut(told["subject"], NOTE_NAME_MAX_UTF16)) if told else ""
    for pushed in re.findall(PUSHING, command) if call["ok"] else ():
        yield "pushed", f"push {call['id']} {pushed}", code_shown(pushed)


def check_outcome(call: Record, one: Record) -> tuple[str, str, str]:
    """How a test, build or lint ended; behind a pipe its output says so, not the exit code."""
    hidden = re.search(HIDING, one["text"]) and re.search(FAILED, call["output"])
    return "failed" if hidden or not one["ok"] else "passed", f"run {one['key']}", code_shown(one["key"])


def result(call: Record, what: str) -> str:
    """What is said behind an outcome: the telling line of what a check printed; empty for all else."""
    if what not in ("passed", "failed"):
        return ""
    if what == "passed":
        output = call["output"]
        found = re.search(RESULT, output) if any(map(output.__contains__, RESULT_HINTS)) else None
        line = quote(output[output.rfind("\n", 0, found.start()) + 1:].partition("\n")[0], NOTE_WORDS_MAX_UTF16) if found else ""
    else:
        line = call["error"] or telling_line(call["output"])
    return f": {spoken(line)}" if line else ""


def deliveries_of(folder: str, cycle: int) -> str:
    """What the restore put back at the compaction that ended this cycle; empty where nothing tells."""
    path, told = os.path.join(folder, "history.jsonl"), ""
    if os.path.isfile(path):
        size = os.path.getsize(path)
        for line in records_of(path, max(size - HISTORY_READ, 0), size):
            lines = line.get("lines") if line.get("event") == "restore" and line.get("cycle") == cycle else None
            told = f"put back {len(lines)} lines, {line.get('units')} characters" if isinstance(lines, list) else told
    return told
