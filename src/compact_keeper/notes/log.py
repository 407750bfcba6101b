"""The log of what happened in a session, for the notes: a line for each message, rule, commit, check that turned.

memory.json holds it, and each save goes on with it: what is read once is told once, however often a session is saved.
What stands in it was redacted when it was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.notes.wording import (
    NOTE_WORDS_MAX_UTF16,
    code_shown,
    escaped,
    heading,
    is_for_summary,
    message_shown,
    outcome_words,
    spoken,
)
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.shell import pieces_of, shell_words, without_redirections
from compact_keeper.record.endings import has_ended_well, where_pushed
from compact_keeper.record.git.marked_events import has_push, is_refused_push
from compact_keeper.store.history import history_end
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.length import cut
from compact_keeper.types import Entries, Entry, Item, LogLine

EVENTS_MAX = 250  # of a session, the newest
HISTORY_MAX_BYTES = 512 << 10  # of history.jsonl, its end: what the last compactions put back
CHECK_ENDS = {"passed": "passed", "failed": "failed", "unknown": "ran, result not seen"}  # by verdict
EVENT_OF = {  # what has happened when an item has this kind and status
    ("message", "open"): "asked", ("task", "completed"): "done", ("rule", "open"): "rule given",
    ("rule", "ended"): "rule ended", ("answer", "open"): "answered", ("refusal", "open"): "not allowed",
    ("plan", "approved"): "plan approved", ("plan", "not approved"): "plan not approved"}
PERHAPS = "perhaps committed"  # told as committed once git names such a commit
SUCCEEDED = ("done", "committed", "pushed", "passed")  # events that are steps of the work done
EACH_COUNTS = ("message", "answer", "plan", "refusal")  # kinds of which a later one with the same words is an event too
STEP = r"(?:^|&& |; |\|\| |\()\s*"  # where a command of a chain begins
QUIET_COMMIT = r"git (?:-C \S+ )?commit\b(?!.*--dry-run)"  # which printed nothing of what it made
QUIET_OPTION = r"(?s).*?\s(?:-[a-z]*q[a-z]*|--quiet)(?:\s|$)"
SUBJECT = r"(?s).*?\s(?:-[a-z]*m|--message)(?:\s+|=)(?P<quote>[\"'])(?!\$\()(?P<words>[^\n]{1,400}?)(?:\n.*)?(?P=quote)"
PUBLISHING_WORDS = ("gh pr", "gh release", "publish", "twine upload")  # of these each such command holds at least one
PUBLISHING = STEP + r"((?:gh pr (?:create|merge)|gh release create|(?:npm|cargo) publish|twine upload)\b[^&;|]*)"


def log_after(
        log: Sequence[LogLine], entries: Entries, known: Sequence[Item], folder: str) -> list[LogLine]:
    """The log with what the entries and their items tell: each once, a state when it changes; the newest of it all.

    `known` are the items of before; `folder` is the session's.
    """
    after = [*log]
    seen = {(line["time"], line["what"], line["key"]) for line in log}
    last = {line["key"]: line["what"] for line in log}
    texts = task_texts(known)
    for entry, items in [row for row in entries if row[1] or row[0].get("what") == "compacted"]:
        texts.update(task_texts(items))
        for what, whole_key, text in events_of(entry, items, texts, folder):
            key = cut(whole_key, NOTE_WORDS_MAX_UTF16)
            if last.get(key) != what and (entry["time"], what, key) not in seen:
                last[key] = what
                after.append({"time": entry["time"], "what": what, "key": key, "text": text})
    return after[-EVENTS_MAX:]


def task_texts(items: Sequence[Item]) -> dict[str, str]:
    """The tasks' texts by their keys: an update of a task names its number alone."""
    return {item["key"]: item["text"]
            for item in items if item["kind"] == "task" and item.get("key") and item["text"]}


def events_of(
        entry: Entry, items: Sequence[Item], texts: dict[str, str], folder: str) -> Iterator[tuple[str, str, str]]:
    """What an entry tells for the log: what happened, to what (a key), and the words for it.

    An entry without fields stands for what is true at the end of all; nothing happened there.
    """
    if not entry:
        return
    if entry["what"] == "compacted":
        yield "compacted", f"cycle {entry['cycle']}", delivery_of(folder, entry["cycle"] - 1)
    for item in items:
        if item["kind"] == "action":
            yield from action_events(item)
        elif what := EVENT_OF.get((item["kind"], item["status"]), ""):
            what = "not allowed" if item.get("refused") else "typed behind /compact" if is_for_summary(item) else what
            yield what, key_of(item, entry["time"]), words_for(item, texts)


def key_of(item: Item, moment: str) -> str:
    """What tells the item from others in the log; of some kinds with the minute, as a transcript may tell it twice."""
    when = moment[:16] if item["kind"] in EACH_COUNTS else ""
    return f"{item['kind']} {when} {item.get('key') or item['text']}"


def words_for(item: Item, texts: dict[str, str]) -> str:
    """The item's words as the log has them; `texts` are the tasks'."""
    if item["kind"] == "task":
        text = text_of(item, "text") or texts.get(item["key"]) or text_of(item, "key")
        return escaped(cut(text, NOTE_WORDS_MAX_UTF16))
    if item["kind"] == "plan":
        return spoken(heading(item["text"]))
    if item["kind"] == "refusal":
        return code_shown(item["text"])
    if item["kind"] == "answer":
        return f"{spoken(item['question'])} {spoken(item['text'])}"
    return message_shown(item)


def action_events(item: Item) -> Iterator[tuple[str, str, str]]:
    """How a check ended; the commit that a command made, what it pushed or published."""
    if item.get("family") in CHECK_FAMILIES and item["verdict"] in CHECK_ENDS:
        command = item["key"].removeprefix(f"{item['tool']} ")  # without the folder and the pipe around it
        yield CHECK_ENDS[item["verdict"]], f"run {item['key']}", outcome_words(command, item["result"])
    has_ended = has_ended_well(item)
    if item.get("commit"):
        words = f"{item['commit'][:9]} {escaped(cut(text_of(item, 'subject'), NOTE_WORDS_MAX_UTF16))}"
        yield "committed", f"commit {item['commit']}", words
    elif item["verdict"] not in ("not run", "running") and "commit" in item["text"]:
        for command, is_sure in quiet_commits(item, has_ended):
            subject = re.match(SUBJECT, command)
            words = escaped(cut(subject["words"], NOTE_WORDS_MAX_UTF16)) if subject else code_shown(command)
            yield "committed" if is_sure else PERHAPS, f"commit {item['source']} {command}", words
    if item.get("pushed"):
        yield "pushed", f"push {item['source']}", code_shown(where_pushed(item["pushed"]))
    if is_refused_push(item):
        push = next(piece for piece, _ in pieces_of(item["text"]) if has_push(piece))
        command = " ".join(without_redirections(shell_words(push)))
        yield "not pushed", f"push {item['source']} {command}", code_shown(command)
    may_publish = has_ended and holds_any(item["text"], PUBLISHING_WORDS)
    for command in re.findall(PUBLISHING, item["text"]) if may_publish else ():
        yield "pushed", f"push {item['source']} {command}", code_shown(command.strip())


def quiet_commits(item: Item, has_ended: bool) -> Iterator[tuple[str, bool]]:
    """The calls of git in a command that made a commit and printed nothing of it, and whether that is sure.

    It is where the command ended well and nothing was printed, or where all behind a commit with -q hung on it.
    """
    pieces = pieces_of(item["text"])
    for index, (piece, sign) in enumerate(pieces):
        if not re.match(QUIET_COMMIT, piece):
            continue
        is_quiet = bool(re.match(QUIET_OPTION, piece))
        hangs_on_it = sign != "|" and {behind for _, behind in pieces[index:]} <= {"&&", "|", ""}
        is_sure = has_ended and (not item["result"] or (
            is_quiet and hangs_on_it and "||" not in {before for _, before in pieces[:index]}))
        if is_sure or is_quiet:
            yield piece, is_sure


def delivery_of(folder: str, cycle: int) -> str:
    """What the restore put back at the compaction that ended this cycle; empty where nothing tells."""
    words = ""
    for record in history_end(folder, HISTORY_MAX_BYTES):
        things, size = record.get("things"), record.get("units")
        is_restore = record.get("event") == "restore" and record.get("cycle") == cycle
        if is_restore and isinstance(things, int) and isinstance(size, int):
            words = f"put back {count_shown(things, 'thing')}, {size:,} characters"
    return words
