"""The log of what happened in a session, for the notes: a line for each request, decision, commit, check that turned.

memory.json holds it, and each save goes on with it: what is read once is told once, however often a session is saved.
What stands in it was redacted when it was read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from compact_keeper.notes.wording import NOTE_NAME_MAX_UTF16, NOTE_WORDS_MAX_UTF16, code_shown, escaped, spoken
from compact_keeper.record.commands import checks_in
from compact_keeper.store.json_lines import records_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import Entries, LogLine, Record

EVENTS_MAX = 250  # of a session, the newest
HISTORY_MAX_BYTES = 512 << 10  # of history.jsonl, its end: what the last compactions put back
HEADING_MIN_WORDS = 5  # a decision in fewer is a heading
EVENT_OF = {  # what has happened when an item has this kind and status
    ("request", "open"): "asked", ("request", "cancelled"): "cancelled", ("task", "completed"): "done",
    ("decision", "open"): "decided", ("rule", "open"): "rule given", ("rule", "superseded"): "rule ended",
    ("answer", "open"): "answered", ("answer", "rejected"): "not allowed", ("plan", "approved"): "plan approved",
    ("plan", "not approved"): "plan not approved"}
DONE = ("done", "committed", "pushed", "passed", "failed")  # events that are steps of the work
EACH_COUNTS = ("request", "answer", "plan")  # kinds of which a later item with the same words is an event too
STEP = r"(?:^|&& |; |\|\| |\()\s*"  # where a command of a chain begins
COMMITTING = STEP + r"git (?:-C \S+ )?commit\b(?!.*--dry-run)"
COMMITTED = r"(?m)^\[[\w./ ()+-]{1,120} ([0-9a-f]{7,40})\] (.+)"  # what git prints of a commit
SUBJECTS = (  # in the command itself; the line breaks of a here-document are gone
    r"commit\b.*?<<-?\s*['\"]?(\w+)['\"]?\s(?P<subject>.+?)(?:\s\1\b|$)",
    r"commit\b.*?\s(?:-\w*m|--message)[= ]?(?P<quote>['\"])(?P<subject>.+?)(?:(?P=quote)|$)")
PUSHING = STEP + r"((?:git push|gh pr (?:create|merge)|gh release create|(?:npm|cargo) publish|twine upload)\b[^&;|]*)"


def log_after(
        log: Sequence[LogLine], entries: Entries, known: Sequence[Record], folder: str) -> list[LogLine]:
    """The log with what the entries and their items tell: each once, a state when it changes; the newest of it all.

    `known` are the items of before; `folder` is the session's.
    """
    after = [*log]
    seen = {(line["time"], line["what"], line["key"]) for line in log}
    last = {line["key"]: line["what"] for line in log}
    texts = task_texts(known)
    for entry, items in entries:
        texts.update(task_texts(items))
        for what, whole_key, text in events_of(entry, items, texts, folder):
            key = cut(whole_key, NOTE_WORDS_MAX_UTF16)
            if last.get(key) != what and (entry["time"], what, key) not in seen:
                last[key] = what
                after.append({"time": entry["time"], "what": what, "key": key, "text": text})
    return after[-EVENTS_MAX:]


def task_texts(items: Sequence[Record]) -> dict[str, str]:
    """The tasks' texts by their keys: an update of a task names its number alone."""
    return {item["key"]: item["text"]
            for item in items if item["kind"] == "task" and item.get("key") and item["text"]}


def events_of(
        entry: Record, items: Sequence[Record], texts: dict[str, str], folder: str) -> Iterator[tuple[str, str, str]]:
    """What an entry tells for the log: what happened, to what (a key), and the words for it.

    An entry without fields stands for what is true at the end of all; nothing happened there.
    """
    if not entry:
        return
    if entry["what"] == "compacted":
        yield "compacted", f"cycle {entry['cycle']}", delivery_of(folder, entry["cycle"] - 1)
    if entry["what"] == "call" and entry["command"]:
        yield from published(entry)
    has_request = any(item["kind"] == "request" for item in items)
    for item in items:
        if item["kind"] == "command" and checks_in(item["text"]):
            yield check_outcome(item)
            continue
        what = EVENT_OF.get((item["kind"], item["status"]), "")
        is_news = item["last"] == entry["time"] or item["status"] != "open"
        if what and is_news and not is_needless(item, has_request):
            yield what, key_of(item, entry["time"]), words_for(item, texts)


def key_of(item: Record, moment: str) -> str:
    """What tells the item from others in the log; of some kinds with the minute, as a transcript may tell it twice."""
    when = moment[:16] if item["kind"] in EACH_COUNTS else ""
    return f"{item['kind']} {when} {item.get('key') or item['text']}"


def is_needless(item: Record, has_request: bool) -> bool:
    """Whether the log can do without the item: an answer that is a request too, a decision's mere heading."""
    if item["kind"] == "answer":
        return has_request
    text = item["text"]
    is_heading = text.startswith("#") or text.endswith(":") or len(text.split()) < HEADING_MIN_WORDS
    return item["kind"] == "decision" and text.isascii() and is_heading  # other scripts have no spaces to count


def words_for(item: Record, texts: dict[str, str]) -> str:
    """The item's words as the log has them; `texts` are the tasks'."""
    if item["kind"] == "task":
        text = text_of(item, "text") or texts.get(item["key"]) or text_of(item, "key")
        return escaped(cut(text, NOTE_WORDS_MAX_UTF16))
    if item["kind"] == "plan":
        return spoken(heading(item))
    if item["status"] == "rejected":
        return code_shown(text_of(item, "question"))
    if item["kind"] == "answer":
        return f"{spoken(item['question'])} {spoken(item['text'])}"
    who = " (the person)" if (item["kind"], item["who"]) == ("decision", "user") else ""
    return spoken(item["text"]) + who


def heading(plan: Record) -> str:
    """The plan's first line; its line breaks are gone."""
    return cut(plan["text"].partition(" #")[0], NOTE_NAME_MAX_UTF16)


def published(call: Record) -> Iterator[tuple[str, str, str]]:
    """The commits that a command made, as git printed them or the command named them; what it pushed."""
    command, output = call["command"], call["output"]
    if re.search(COMMITTING, command):
        commits = re.findall(COMMITTED, output)
        for number, subject in commits:
            yield "committed", f"commit {number}", f"{number[:9]} {escaped(quote(subject, NOTE_WORDS_MAX_UTF16))}"
        if call["ok"] and not commits and "nothing to commit" not in output:
            yield "committed", f"commit {call['id']}", escaped(cut(subject_in(command), NOTE_NAME_MAX_UTF16))
    for push in re.findall(PUSHING, command) if call["ok"] else ():
        yield "pushed", f"push {call['id']} {push}", code_shown(push)


def subject_in(command: str) -> str:
    """The commit's subject as the command names it; empty where it names none."""
    for pattern in SUBJECTS:
        match = re.search(pattern, command)
        if match:
            return match["subject"]
    return ""


def check_outcome(item: Record) -> tuple[str, str, str]:
    """How a test, build or lint ended, with what it printed of that."""
    what = item["verdict"] if item["verdict"] in ("passed", "failed") else "ran, result not seen"
    words = f": {spoken(item['result'])}" if item["result"] else ""
    return what, f"run {item['key']}", code_shown(item["key"]) + words


def delivery_of(folder: str, cycle: int) -> str:
    """What the restore put back at the compaction that ended this cycle; empty where nothing tells."""
    path = os.path.join(folder, "history.jsonl")
    if not os.path.isfile(path):
        return ""
    words, size = "", os.path.getsize(path)
    for record in records_of(path, max(size - HISTORY_MAX_BYTES, 0), size):
        lines = record.get("lines")
        if record.get("event") == "restore" and record.get("cycle") == cycle and isinstance(lines, list):
            words = f"put back {len(lines)} lines, {record.get('units')} characters"
    return words
