#!/usr/bin/env python3
"""Notes on a session for people: where it stands, and what happened, in a page that reads as it is.

save_snapshot.py has `followed` go on with the log, which memory.json holds: so what is read once is told once, whatever
the saves. after_save.py has `keep` write the page, as a whole at each save:

    sessions/<session_id>/notes.md    for the owner alone
    a file of the project             where the person's config.json has `notes_file`: inside the project's folder,
                                      reached through no link, and new or notes of ours, never another's file

What stands there was redacted when it was read. Nothing reads the page again.

By hand: write_notes.py [SESSION]    (the page of that session, else of the one saved last)

Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # for `python3 -I`; last: hides nothing of Python's own
from present_state import VERIFYING
from save_snapshot import (
    NO_LINK,
    NO_WAIT,
    Refusal,
    cut,
    data_home,
    project_folder,
    quote,
    read_store,
    records_of,
    telling_line,
    text_of,
)

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"  # a file with it is ours
MOST_EVENTS = 250  # of a session, the newest
SHOWN, NAME_SHOWN = 220, 110  # UTF-16 units: of words, of a command
LISTED = 12  # tasks, rules, files that are named one by one
HISTORY_READ = 512 << 10  # bytes of history.jsonl's end: what the last compactions put back
EVENTS = {  # what an item of this kind and status tells, where it says more than that something was seen
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

# --- shared: moment ---
def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)", stamp)
    if not found:
        return 0
    year, month, day, hour, minute, second = map(int, found.groups())
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second
# --- end of shared: moment ---


# --- shared: marks ---
def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


def as_code(text: str) -> str:
    """The text as inline code that no ticks in it close."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"
# --- end of shared: marks ---


# --- the log: what of an entry and its items happened, in the order of time ---


def followed(
        told: Iterable[tuple[Record, list[Record]]], log: list[Record], known: Sequence[Record],
        folder: str) -> Iterator[tuple[Record, list[Record]]]:
    """Hands on the entries with their items, and adds to the log what they tell: each once, a state when it changes."""
    seen = {(one["time"], one["what"], one["key"]) for one in log}
    last = {one["key"]: one["what"] for one in log}
    names = named(known)
    for entry, items in told:
        names.update(named(items))
        for what, long_key, text in happened(entry, items, names, folder):
            key = cut(long_key, SHOWN)
            if last.get(key) != what and (entry["time"], what, key) not in seen:
                last[key] = what
                log.append({"time": entry["time"], "what": what, "key": key, "text": text + result(entry, what)})
        yield entry, items
    del log[:-MOST_EVENTS]


def named(items: Sequence[Record]) -> dict[str, str]:
    """The tasks' texts by their keys: an update of a task names its number alone."""
    return {one["key"]: one["text"] for one in items if one["kind"] == "task" and one.get("key") and one["text"]}


def happened(
        entry: Record, items: Sequence[Record], names: dict[str, str], folder: str) -> Iterator[tuple[str, str, str]]:
    """What an entry tells for the log: what happened, to what (a key), and the words for it."""
    if entry.get("what") == "compacted":
        yield "compacted", f"cycle {entry['cycle']}", put_back(folder, entry["cycle"] - 1)
    if entry.get("what") == "call" and entry["command"]:
        yield from published(entry)
    asked = [one["text"] for one in items if one["kind"] == "request"]
    for one in items if entry else ():
        what, is_new = EVENTS.get((one["kind"], one["status"]), ""), one["last"] == entry["time"]
        if one["kind"] == "command" and re.match(VERIFYING, one["text"]):
            yield outcome(entry, one)
        elif what and (is_new or one["status"] != "open") and not repeats(one, asked):
            when = entry["time"][:16] if one["kind"] in AGAIN else ""  # to the minute: a transcript may tell it twice
            yield what, f"{one['kind']} {when} {one.get('key') or one['text']}", words_of(one, names)


def repeats(one: Record, asked: Sequence[str]) -> bool:
    """Whether the log can do without the item: an answer that is a request too, a decision's mere heading."""
    text = one["text"]
    is_heading = text.startswith("#") or text.endswith(":") or len(text.split()) < 5
    return (one["kind"] == "answer" and bool(asked)) or (one["kind"] == "decision" and text.isascii() and is_heading)


def words_of(one: Record, names: dict[str, str]) -> str:
    """The item's words as the log has them."""
    if one["kind"] == "task":
        return escaped(cut(text_of(one, "text") or names.get(one["key"]) or text_of(one, "key"), SHOWN))
    if one["kind"] == "plan":
        return spoken(heading(one))
    if one["status"] == "rejected":
        return code(text_of(one, "question"))
    asked = f"{spoken(one['question'])} " if one["kind"] == "answer" else ""
    who = " (the person)" if (one["kind"], one["who"]) == ("decision", "user") else ""
    return asked + spoken(one["text"]) + who


def heading(plan: Record) -> str:
    """The plan's first line; its line breaks are gone."""
    return cut(plan["text"].partition(" #")[0], NAME_SHOWN)


def published(call: Record) -> Iterator[tuple[str, str, str]]:
    """The commits that a command made, as git printed them or the command named them; what it pushed."""
    command, output = call["command"], call["output"]
    if re.search(COMMITTING, command):
        found = re.findall(COMMITTED, output)
        for number, subject in found:
            yield "committed", f"commit {number}", f"{number[:9]} {escaped(quote(subject, SHOWN))}"
        if call["ok"] and not found and "nothing to commit" not in output:
            told = next(filter(None, (re.search(pattern, command) for pattern in SUBJECTS)), None)
            yield "committed", f"commit {call['id']}", escaped(cut(told["subject"], NAME_SHOWN)) if told else ""
    for pushed in re.findall(PUSHING, command) if call["ok"] else ():
        yield "pushed", f"push {call['id']} {pushed}", code(pushed)


def outcome(call: Record, one: Record) -> tuple[str, str, str]:
    """How a test, build or lint ended; behind a pipe its output says so, not the exit code."""
    hidden = re.search(HIDING, one["text"]) and re.search(FAILED, call["output"])
    return "failed" if hidden or not one["ok"] else "passed", f"run {one['key']}", code(one["key"])


def result(call: Record, what: str) -> str:
    """What is said behind an outcome: the telling line of what a check printed; empty for all else."""
    if what not in ("passed", "failed"):
        return ""
    if what == "passed":
        output = call["output"]
        found = re.search(RESULT, output) if any(map(output.__contains__, RESULT_HINTS)) else None
        line = quote(output[output.rfind("\n", 0, found.start()) + 1:].partition("\n")[0], SHOWN) if found else ""
    else:
        line = call["error"] or telling_line(call["output"])
    return f": {spoken(line)}" if line else ""


def put_back(folder: str, cycle: int) -> str:
    """What the restore put back at the compaction that ended this cycle; empty where nothing tells."""
    path, told = os.path.join(folder, "history.jsonl"), ""
    if os.path.isfile(path):
        size = os.path.getsize(path)
        for line in records_of(path, max(size - HISTORY_READ, 0), size):
            lines = line.get("lines") if line.get("event") == "restore" and line.get("cycle") == cycle else None
            told = f"put back {len(lines)} lines, {line.get('units')} characters" if isinstance(lines, list) else told
    return told


# --- the page ---


def page(session: str, project: str, memory: Record) -> str:
    """The notes as Markdown."""
    name = escaped(quote(os.path.basename(project) or project, NAME_SHOWN))
    state, log = memory["state"], sorted(memory.get("progress", []), key=lambda one: str(one["time"]))
    parts = [
        f"{MARKER}# Notes on {name}",
        f"Session `{session}` in `{quote(project, 600)}`, saved {local(time.time())}; compacted so far: "
        f"{memory['cycle']}. To go on with it: `claude --resume {session}`",
        "\n".join(["## Current State", "", *current(memory["items"], log, state)]),
        section("Rules in force", rules(memory["items"])),
        section("Changed files, the last ones first", changed(memory["items"])),
        section("Progress, the newest first", days(log[::-1]))]
    return "\n\n".join(filter(None, parts)) + "\n"


def section(title: str, lines: Sequence[str]) -> str:
    """A part of the page; empty when it has no lines."""
    return "\n".join([f"## {title}", "", *lines]) if lines else ""


def current(items: Sequence[Record], log: Sequence[Record], state: Record) -> list[str]:
    """What is asked, where the work stands, what it waits for, what comes next."""
    asked, plan = newest(items, "request", "open"), newest(items, "plan", "approved")
    tasks = sorted((one for one in items if one["kind"] == "task" and one["status"] != "completed"),
                   key=lambda one: (str(one.get("list", "")), one.get("order", 0)))
    after = [escaped(one["text"]) for one in tasks if one["status"] != "in_progress"]
    git = [text_of(state, "branch") or text_of(state, "gitBranch"), text_of(state, "head")[:12]]
    path = f" in {code(plan['path'])}" if plan.get("path") else ""
    running = [f"{code(one['text'])} as {code(one['key'])}" for one in items if one["kind"] == "job"]
    told = {
        "Asked": [f"{spoken(asked['text'], 700)} ({local(moment(asked['last']))})"] if asked else ["nothing"],
        "Plan": [f"{spoken(heading(plan))}, approved {local(moment(plan['last']))}{path}"] if plan else [],
        "Step": steps(items, tasks, log) or ["nothing was done so far"],
        "Blocking on": blocking(items, log) or ["nothing known"],
        "Next": [*after[:LISTED], *more(after)] or ["no open task"],
        "Running": running[:LISTED],
        "Branch": [" at ".join(map(code, filter(None, git)))] if git[0] else [],
        "The agent's last words": [spoken(state["last_words"], 600)] if text_of(state, "last_words") else []}
    return [line for title, lines in told.items() for line in bullets(title, lines)]


def steps(items: Sequence[Record], tasks: Sequence[Record], log: Sequence[Record]) -> list[str]:
    """The tasks in progress, else what was done last; and the file changed last."""
    doing = [f"in progress: {escaped(one['text'])}" for one in tasks if one["status"] == "in_progress"]
    done = [f"last {one['what']}: {one['text']} ({local(moment(one['time']))})" for one in log if one["what"] in DONE]
    return [*doing[:LISTED], *done[-1:], *(f"last changed: {file[2:]}" for file in changed(items)[:1])]


def bullets(title: str, lines: Sequence[str]) -> list[str]:
    """An entry with its lines below it; one line stands beside it; nothing without lines."""
    if len(lines) < 2:
        return [f"- **{title}**: {line}" for line in lines]
    return [f"- **{title}**:", *(f"    {number}. {line}" for number, line in enumerate(lines, 1))]


def more(lines: Sequence[object]) -> list[str]:
    """What stands for the lines that are not listed."""
    return [f"… and {len(lines) - LISTED} more"] if len(lines) > LISTED else []


def newest(items: Sequence[Record], kind: str, status: str) -> Record:
    """The last item of the kind with the status; empty when there is none."""
    found = [one for one in items if (one["kind"], one["status"]) == (kind, status)]
    return max(found, key=lambda one: int(one["position"]), default={})


def blocking(items: Sequence[Record], log: Sequence[Record]) -> list[str]:
    """What the work waits for: the person's answer or approval; checks that fail since something was asked last."""
    question, plan = newest(items, "question", "open"), newest(items, "plan", "waiting for approval")
    since = max((place for place, one in enumerate(log) if one["what"] == "asked"), default=0)
    runs = {one["key"]: one for one in log[since:] if one["what"] in ("passed", "failed")}
    failing = [one for one in runs.values() if one["what"] == "failed"]
    return [*([f"your answer: {spoken(question['text'])}"] if question else []),
            *([f"your approval of the plan: {spoken(plan['text'])}"] if plan else []),
            *(f"failing since {local(moment(one['time']))}: {one['text']}" for one in failing[-3:])]


def rules(items: Sequence[Record]) -> list[str]:
    """The person's rules that hold, as they were given."""
    found = [f"- {spoken(one['text'])}" for one in items if one["kind"] == "rule"][::-1]
    return [*found[:LISTED], *(f"- {line}" for line in more(found))]


def changed(items: Sequence[Record]) -> list[str]:
    """The files that were changed, each with the time of the last change, the last one first."""
    files = [one for one in items if one["kind"] == "file" and one.get("edits")]
    files.sort(key=lambda one: -int(one["position"]))
    found = [f"- {code(one['key'])} ({local(moment(one['last']))})" for one in files]
    return [*found[:LISTED], *(f"- {line}" for line in more(found))]


def days(log: Sequence[Record]) -> list[str]:
    """The log's lines, under their days."""
    lines: list[str] = []
    today = ""
    for one in log:
        day, _, clock = local(moment(one["time"])).partition(" ")
        lines += [] if day == today else ["", f"### {day}", ""][not lines:]
        lines.append(f"- {clock} **{one['what']}**{' ' * bool(one['text'])}{one['text']}")
        today = day
    return lines


def local(seconds: float) -> str:
    """The moment in the machine's own time zone."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds else "earlier"


def spoken(text: str, limit: int = SHOWN) -> str:
    """Words on one line in quotation marks."""
    return in_quotes(escaped(cut(" ".join(text.split()), limit)))


def escaped(text: str) -> str:
    """The text so that Markdown shows what looks like HTML or a link as it stands: no picture is fetched."""
    return re.sub(r"\\?(<(?=[\w/!?])|\](?=[(\[:]))", r"\\\1", text)


def code(text: str) -> str:
    """The beginning of the text as inline code."""
    return as_code(cut(text, NAME_SHOWN))


# --- to disk ---


def keep(data: Record, folder: str, memory: Record, in_project: str) -> None:
    """Writes the page of this hook input's session, and to that file of the project where the person named one."""
    project = project_folder(data)
    text = page(data["session_id"], project, memory)
    replace_text(os.path.join(folder, "notes.md"), text, 0o600)
    if in_project:
        try:
            mirror(project, in_project, text)
        except OSError as fault:
            raise Refusal(f"notes_file {in_project} is not written: {fault.strerror}; make its folder in {project}, "
                          "without links, or name another file in config.json") from fault


def mirror(project: str, name: str, text: str) -> None:
    """Replaces the project's file, reached from the project's folder step by step, so that no link leads elsewhere."""
    if os.open not in os.supports_dir_fd:
        raise Refusal("notes_file is not written: this system cannot keep links out of its path")
    *folders, file = name.split("/")
    here = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for inner in folders:
            above, here = here, os.open(inner, os.O_RDONLY | os.O_DIRECTORY | NO_LINK, dir_fd=here)
            os.close(above)
        if not replaceable(file, here):
            raise Refusal(f"notes_file {name} is not written: in {project} there is such a file, and no notes of ours; "
                          "move it away or name another one in config.json")
        from after_save import remove_drafts  # which calls this
        remove_drafts(here, file)
        replace_text(file, text, 0o666, here)  # the umask decides
    finally:
        os.close(here)


def replaceable(name: str, folder: int) -> bool:
    """Whether there is no such file in the open folder, or it begins as our notes do."""
    try:
        handle = os.open(name, os.O_RDONLY | NO_LINK | NO_WAIT, dir_fd=folder)
    except FileNotFoundError:
        return True
    try:
        return stat.S_ISREG(os.fstat(handle).st_mode) and os.read(handle, len(MARKER)) == MARKER.encode()
    finally:
        os.close(handle)


def replace_text(path: str, text: str, mode: int, folder: int | None = None) -> None:
    """Replaces the file, in the open folder where one is given, in one step; the old one stays when that fails."""
    draft = f"{path}.{os.getpid()}.tmp"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, mode, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        os.replace(draft, path, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(draft, dir_fd=folder)
        raise


def main(argv: Sequence[str] | None = None) -> int:
    """By hand: 0 when the page was printed, 1 when there is no such session."""
    sessions = os.path.join(data_home(), "sessions")
    given = list(sys.argv[1:] if argv is None else argv)
    saved = [one for one in os.listdir(sessions) if os.path.isfile(os.path.join(sessions, one, "status.json"))
             and given in ([], [one])] if os.path.isdir(sessions) else []
    if not saved:
        print(f"write_notes.py: no saved session {' '.join(given)} in {sessions}", file=sys.stderr)
        return 1
    folder = max((os.path.join(sessions, one) for one in saved), key=os.path.getmtime)
    told, memory = (read_store(os.path.join(folder, name)) for name in ("status.json", "memory.json"))
    print(page(os.path.basename(folder), text_of(told, "project"), memory))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
