"""notes.md in the session's folder: the session for people, as Markdown, written as a whole at each save.

No save reads the page again: the person does, or has it shown at the prompt. What stands in it was redacted when it was
read from the session.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from compact_keeper.client.project import project_folder
from compact_keeper.machine.git_now import git_now
from compact_keeper.notes.log import SUCCEEDED
from compact_keeper.notes.wording import (
    NOTE_WORDS_MAX_UTF16,
    code_shown,
    escaped,
    heading,
    message_shown,
    outcome_words,
    spoken,
)
from compact_keeper.record.check_programs import CHECK_FAMILIES
from compact_keeper.record.runs import open_failures
from compact_keeper.record.uncommitted_files import STASH_PUT_BACK
from compact_keeper.store.folder import replace_file
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.text.fields import text_of
from compact_keeper.text.marks import as_code
from compact_keeper.text.quotation import quote
from compact_keeper.text.times import moment
from compact_keeper.types import CheckRun, GitNow, HookInput, Item, LogLine, Memory, NotesBeside

MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"
REQUESTS_SHOWN = 5  # messages, the newest
LISTED_MAX = 12  # tasks, rules, files, jobs that are named one by one
FAILING_MAX = 3  # failing checks that the work waits for, the newest
PROJECT_MAX_UTF16 = 110  # of its folder's name, in the title
PATH_MAX_UTF16, REQUEST_MAX_UTF16, LAST_WORDS_MAX_UTF16 = 600, 700, 600
PIN_MAX_UTF16 = 8_000  # more than there is room for: pins stand whole
COMMIT_SHOWN_CHARACTERS = 12  # of a commit's name
TAKES_BACK = (  # a command that makes the file NAME what is committed
    r"\bgit (?:-C \S+ )?(?:(?:checkout|restore)\b(?![^;&|]* (?:--staged|-S)\b)[^;&|]* (?:\S*/)?(?:NAME|\.)(?=[\s;&|]|$)"
    r"|reset --hard|stash(?: push| -|$))")
GIT_MAX_SECONDS = 0.2
GIT_ASKED_AT = ("Stop", "PreCompact")  # events: where a save follows a compaction, the restore has asked already
NOT_COMMITTED = {  # lists of what git tells of the working tree, in words
    "conflicts": "in conflict", "staged": "staged", "modified": "changed, not staged",
    "untracked": "new, in no commit yet"}
PATHS_SHOWN = 8  # of each of them


def notes_page(session: str, project: str, memory: Memory, beside: NotesBeside | None = None) -> str:
    """The notes as Markdown."""
    pins, repository = (beside or {}).get("pins", []), (beside or {}).get("repository", {})
    name = escaped(quote(os.path.basename(project) or project, PROJECT_MAX_UTF16))
    items, log = memory["items"], sorted(memory.get("progress", []), key=lambda line: str(line["time"]))
    parts = [
        f"{MARKER}# Notes on {name}",
        f"Session `{session}` in `{quote(project, PATH_MAX_UTF16)}`, saved {local(time.time())}; compacted before "
        f"this save: {times(memory['cycle'])}. To go on with it: `claude --resume {session}`",
        section("Now", [*current(items, log, memory["state"]), *bullet("Not committed", not_committed(repository))]),
        section("Pinned", [f"- {spoken(pin['text'], PIN_MAX_UTF16)}" for pin in pins]),
        section("Rules in force", rules(items)),
        section("Changed files, the last ones first", bounded_list(files_changed(items))),
        section("Log, the newest first", days(log[::-1]))]
    return "\n\n".join(filter(None, parts)) + "\n"


def times(count: int) -> str:
    """How often."""
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def section(title: str, lines: Sequence[str]) -> str:
    """A part of the page; empty when it has no lines."""
    return "\n".join([f"## {title}", "", *lines]) if lines else ""


def current(items: Sequence[Item], log: Sequence[LogLine], state: Mapping[str, str]) -> list[str]:
    """What is asked, where the work stands, what it waits for, what fails, what runs, what comes next."""
    tasks = [item for item in items if item["kind"] == "task" and item["status"] != "completed"]
    tasks.sort(key=lambda task: (str(task.get("list", "")), task.get("order", 0)))
    doing = [escaped(task["text"]) for task in tasks if task["status"] == "in_progress"]
    next_tasks = [escaped(task["text"]) for task in tasks if task["status"] != "in_progress"]
    jobs = [running_job(item) for item in items if (item["kind"], item["status"]) == ("job", "open")]
    return [
        *bullet("Asked", newest_messages(items) or ["nothing"]),
        *bullet("Plan", approved_plan(items)),
        *bullet("Waits for you", waiting(items)),
        *bullet("Where it stands", where_it_stands(items, doing, log, state) or ["nothing was done so far"]),
        *bullet("Fails", failing(items, state)),
        *bullet("Runs", [*jobs[:LISTED_MAX], *rest_of(jobs)] or ["nothing, as far as the session tells"]),
        *bullet("Next", [*next_tasks[:LISTED_MAX], *rest_of(next_tasks)] or ["no open task is on a list"]),
        *bullet("Branch", branch_and_commit(state)),
    ]


def bullet(title: str, lines: Sequence[str]) -> list[str]:
    """A bullet with its lines below it; one line stands beside it; nothing without lines."""
    if len(lines) < 2:
        return [f"- **{title}**: {line}" for line in lines]
    return [f"- **{title}**:", *(f"    {number}. {line}" for number, line in enumerate(lines, 1))]


def running_job(job: Item) -> str:
    """The job's command or order, with its id where it has one (others have their command for a key), start, output."""
    name = f" as {code_shown(job['key'])}" if re.fullmatch(r"[\w-]{1,40}", job["key"]) else ""
    output = f", its output in {as_code(job['path'])}" if job.get("path") else ""
    return f"{code_shown(job['text'])}{name}, started {local(moment(job['first']))}, no end seen{output}"


def newest_messages(items: Sequence[Item]) -> list[str]:
    """What was asked last, and what before that, a line each; none without a message.

    The last one alone may be a question in between, or "go on".
    """
    asked_for = [item for item in items if (item["kind"], item["status"]) == ("message", "open")]
    newest_first = sorted(asked_for, key=lambda item: -int(item["position"]))[:REQUESTS_SHOWN]
    limits = [REQUEST_MAX_UTF16, *[NOTE_WORDS_MAX_UTF16] * REQUESTS_SHOWN]
    return [f"{'before that: ' * bool(before)}{'when refusing ' * bool(item.get('refused'))}"
            f"{message_shown(item, limits[before])} ({local(moment(item['last']))})"
            for before, item in enumerate(newest_first)]


def approved_plan(items: Sequence[Item]) -> list[str]:
    """The plan that was approved last, as a line; none without one."""
    plan = newest(items, "plan", "approved")
    path = f" in {code_shown(plan['path'])}" if plan.get("path") else ""
    return [f"{spoken(heading(plan['text']))}, approved {local(moment(plan['last']))}{path}"] if plan else []


def branch_and_commit(state: Mapping[str, str]) -> list[str]:
    """Branch and commit at the save, as a line; none without a branch."""
    branch, commit = text_of(state, "branch"), text_of(state, "head")[:COMMIT_SHOWN_CHARACTERS]
    if branch:
        return [f"{code_shown(branch)} {f'at {code_shown(commit)}' if commit else 'without a commit so far'}"]
    return [code_shown(text_of(state, "gitBranch"))] if text_of(state, "gitBranch") else []


def not_committed(now: GitNow) -> list[str]:
    """What of the working tree no commit holds, a line for each kind; that all is committed, where git has said so."""
    known: Any = now
    lines = []
    for name, words in NOT_COMMITTED.items():
        paths = [path if isinstance(path, str) else path[0] for path in known.get(name, [])]
        more = now.get("totals", {}).get(name, 0) - len(paths[:PATHS_SHOWN])
        if paths:
            lines.append(f"{words}: {', '.join(map(code_shown, paths[:PATHS_SHOWN]))}"
                         f"{f' and {more:,} more' if more > 0 else ''}")
    return lines or (["nothing: the working tree is clean"] if now.get("is_complete") else [])


def where_it_stands(items: Sequence[Item], doing: Sequence[str], log: Sequence[LogLine],
                    state: Mapping[str, str]) -> list[str]:
    """The tasks in progress, what succeeded last, the file changed last, and the agent's last words.

    What failed last stands among what fails, unless it has passed since.
    """
    done = [f"last {line['what']}: {line['text']} ({local(moment(line['time']))})"
            for line in log if line["what"] in SUCCEEDED]
    last_words = text_of(state, "last_words")
    return [*(f"in progress: {task}" for task in doing[:LISTED_MAX]), *done[-1:],
            *(f"last changed: {file}" for file in files_changed(items)[:1]),
            *([f"the agent's last words: {spoken(last_words, LAST_WORDS_MAX_UTF16)}"] if last_words else [])]


def newest(items: Sequence[Item], kind: str, status: str) -> Item:
    """The last item of the kind with the status; empty when there is none."""
    same = [item for item in items if (item["kind"], item["status"]) == (kind, status)]
    return max(same, key=lambda item: int(item["position"])) if same else {}


def waiting(items: Sequence[Item]) -> list[str]:
    """What the work waits for: the person's answer or approval; none without."""
    question, plan = newest(items, "question", "open"), newest(items, "plan", "waiting for approval")
    return [*([f"your answer: {spoken(question['text'])}"] if question else []),
            *([f"your approval of the plan: {spoken(heading(plan['text']))}"] if plan else [])]


def failing(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The checks that fail, the newest first, and the last command where that failed; what is known where none does."""
    checks = failing_checks(items, state)
    lines = [f"{outcome_words(run['command'], run['result'])} (last run {local(moment(run['last']))})"
             for run in checks[:FAILING_MAX]]
    if len(checks) > FAILING_MAX:
        lines.append(f"… and {len(checks) - FAILING_MAX} more")
    last = max((item for item in items if item["kind"] == "action" and item["verdict"] not in ("", "unknown")),
               key=lambda item: int(item["position"]), default=None)
    if last and last["verdict"] == "failed" and last.get("family") not in CHECK_FAMILIES:
        lines.append(f"the last command: {outcome_words(last['text'], last['result'])} ({local(moment(last['last']))})")
    was_run = any(item["kind"] == "action" and item.get("family") in CHECK_FAMILIES for item in items)
    return lines or ["no check failed in its last run, as far as its output tells" if was_run else "no check was run"]


def failing_checks(items: Sequence[Item], state: Mapping[str, str]) -> list[CheckRun]:
    """The checks that fail, the newest first; runs are compared only from a failed one on, it takes milliseconds."""
    actions = [item for item in items if item["kind"] == "action"]
    failed = (item["verdict"] == "failed" and item.get("family") in CHECK_FAMILIES for item in actions)
    first = next((place for place, has_failed in enumerate(failed) if has_failed), len(actions))
    return open_failures(actions[first:], text_of(state, "root"))


def rules(items: Sequence[Item]) -> list[str]:
    """The person's rules that hold, as they were given, the newest first."""
    return bounded_list([spoken(item["text"]) for item in reversed(items) if item["kind"] == "rule"])


def files_changed(items: Sequence[Item]) -> list[str]:
    """The files that were changed, each with the time of its last change, the last one first."""
    last: dict[str, Item] = {}
    for item in reversed(items):
        if item.get("edits"):
            last.setdefault(item["text"], item)
    return [f"{code_shown(path)} ({local(moment(item['last']))}){taken_back(item, items)}"
            for path, item in last.items()]


def taken_back(edit: Item, items: Sequence[Item]) -> str:
    """That a later command of git's took the file back to what is committed, and which; empty where none did.

    None where that command may have committed the file, or where a stash was put back later.
    """
    takes_back = TAKES_BACK.replace("NAME", re.escape(os.path.basename(edit["text"])))
    later = [item["text"] for item in reversed(items) if item["kind"] == "action"
             and item["verdict"] in ("ended", "passed") and item["position"] > edit["position"]]
    for command in later:
        if re.search(STASH_PUT_BACK, command):
            return ""
        if re.search(takes_back, command) and "git commit" not in command:
            return f", taken back since by {code_shown(command)}"
    return ""


def bounded_list(lines: Sequence[str]) -> list[str]:
    """The lines as a list, no longer than is read."""
    return [f"- {line}" for line in [*lines[:LISTED_MAX], *rest_of(lines)]]


def rest_of(lines: Sequence[str]) -> list[str]:
    """What stands for the lines that are not listed."""
    return [f"… and {len(lines) - LISTED_MAX} more"] if len(lines) > LISTED_MAX else []


def days(log: Sequence[LogLine]) -> list[str]:
    """The log's lines, under their days."""
    lines: list[str] = []
    last_day = ""
    for line in log:
        day, _, clock = local(moment(line["time"])).partition(" ")
        if day != last_day:
            lines += ["", f"### {day}", ""] if lines else [f"### {day}", ""]
            last_day = day
        lines.append(f"- {clock} **{line['what']}** {line['text']}".rstrip())
    return lines


def local(seconds: float) -> str:
    """The moment in the machine's own time zone."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds else "earlier"


def keep_notes(data: HookInput, folder: str, memory: Memory) -> None:
    """Writes the page of this hook input's session into its folder."""
    project, state = project_folder(data), memory["state"]
    is_asked = data["hook_event_name"] in GIT_ASKED_AT
    beside: NotesBeside = {
        "pins": pin_items(pins_in(folder, project)),
        "repository": git_now(text_of(state, "cwd") or project, "", GIT_MAX_SECONDS) if is_asked else {}}
    page = notes_page(data["session_id"], project, memory, beside)
    replace_file(os.path.join(folder, "notes.md"), page.encode("utf-8", "replace"))
