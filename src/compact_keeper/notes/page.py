"""notes.md in the session's folder: the session for people, as Markdown, written as a whole at each save.

No save reads the page again: the person does, or has it shown at the prompt. What stands in it was redacted when it was
read from the session.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from compact_keeper.client.project import project_folder
from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.machine.git_now import git_now
from compact_keeper.machine.repository import project_folders
from compact_keeper.notes.changed_files import files_changed
from compact_keeper.notes.log import PERHAPS, SUCCEEDED
from compact_keeper.notes.requests import newest_messages
from compact_keeper.notes.wording import NOTE_NAME_MAX_UTF16, code_shown, escaped, heading, local, outcome_words, spoken
from compact_keeper.record.calls.open_tasks import boxes_left_behind, open_tasks
from compact_keeper.record.checks.broken_runs import broken_runs
from compact_keeper.record.checks.checked_files import changes_since
from compact_keeper.record.checks.last_runs import could_not_run, open_failures
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.programs import PREPARING
from compact_keeper.record.commands.shell import pieces_of, program_in
from compact_keeper.record.endings import words_of_not_run
from compact_keeper.record.git.taken_back import with_known_discards
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.record.words.dialogs import WAITING_FOR_APPROVAL
from compact_keeper.store.folder import NOTES_PAGE, replace_file
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.text.ends import both_ends_in_rows
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units
from compact_keeper.text.listing import and_more, first_and_more
from compact_keeper.text.marks import as_code
from compact_keeper.text.quotation import quote
from compact_keeper.text.times import moment
from compact_keeper.types import BrokenRun, CheckRun, GitNow, HookInput, Item, LogLine, Memory

MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"
LISTED_MAX = 12  # tasks, rules, files, jobs that are named one by one
FAILING_MAX, EDITED_SHOWN = 3, 3  # failing checks that the work waits for, the newest; files of each
PROJECT_MAX_UTF16 = 110  # of its folder's name, in the title
PATH_MAX_UTF16, LAST_WORDS_MAX_UTF16 = 600, 600
PIN_MAX_UTF16 = 8_000  # more than there is room for: pins stand whole
COMMIT_SHOWN_CHARACTERS = 12  # of a commit's name
GIT_MAX_SECONDS = 0.2
NOT_COMMITTED = {  # lists of what git tells of the working tree, in words
    "conflicts": "in conflict", "staged": "staged", "modified": "changed, not staged",
    "untracked": "new, in no commit yet"}
PATHS_SHOWN = 8  # of each of them


def notes_page(session: str, project: str, memory: Memory, pins: Sequence[Item], repository: GitNow) -> str:
    """The notes as Markdown."""
    name = escaped(quote(os.path.basename(project) or project, PROJECT_MAX_UTF16))
    items, log = memory["items"], sorted(memory.get("progress", []), key=lambda line: str(line["time"]))
    log = [line for line in map(partial(with_hash, now=repository), log) if line["what"] != PERHAPS]
    changed = files_changed(items, memory["state"])
    parts = [
        f"{MARKER}# Notes on {name}",
        f"Session `{session}` in `{quote(project, PATH_MAX_UTF16)}`, saved {local(time.time())}; compacted before "
        f"this save: {times(memory['cycle'])}. To go on with it: `claude --resume {session}`",
        section("Now", [*current(items, log, memory["state"], changed),
                        *bullet("Not committed", not_committed(repository))]),
        section("Pinned", [f"- {spoken(pin['text'], PIN_MAX_UTF16)}" for pin in pins]),
        section("Rules in force", rules(items)),
        section("Changed files, the last ones first", bounded_list(changed)),
        section("Log, the newest first", days(log[::-1]))]
    return "\n\n".join(filter(None, parts)) + "\n"


def with_hash(line: LogLine, now: GitNow) -> LogLine:
    """The line; of a commit of which git printed nothing, with the hash that git tells of its subject now."""
    if not is_without_hash(line):
        return line
    name = next((name for name, subject in now.get("commits", []) if escaped(subject) == line["text"]), "")
    return {**line, "what": "committed", "text": f"{name} {line['text']}"} if name else line


def is_without_hash(line: LogLine) -> bool:
    """Whether the line is a commit's of which git printed nothing: its key has the command in it, else the hash."""
    return line["what"] in ("committed", PERHAPS) and " " in line["key"].removeprefix("commit ")


def times(count: int) -> str:
    """How often."""
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def section(title: str, lines: Sequence[str]) -> str:
    """A part of the page; empty when it has no lines."""
    return "\n".join([f"## {title}", "", *lines]) if lines else ""


def current(items: Sequence[Item], log: Sequence[LogLine], state: Mapping[str, str],
            changed: Sequence[str]) -> list[str]:
    """What is asked, where the work stands, what it waits for, what fails, what runs, what comes next.

    `changed`: the files that were changed, the last one first.
    """
    tasks = sorted(open_tasks(items), key=lambda task: (str(task.get("list", "")), task.get("order", 0)))
    doing = [escaped(task["text"]) for task in tasks if task["status"] == "in_progress"]
    next_tasks = [escaped(task["text"]) for task in tasks if task["status"] != "in_progress"]
    old_boxes = [f"{escaped(box['text'])} (a box of an older list that nobody ticked since: it may be done)"
                 for box in boxes_left_behind(items)]
    jobs = [running_job(item) for item in items if (item["kind"], item["status"]) == ("job", "open")]
    return [
        *bullet("Asked", newest_messages(items) or ["nothing"]),
        *bullet("Plan", approved_plan(items)),
        *bullet("Waits for you", waiting(items)),
        *bullet("Where it stands", where_it_stands(items, doing, log, state, changed) or ["nothing was done so far"]),
        *bullet("Fails", failing(items, state)),
        *bullet("Runs", bounded(jobs) or ["nothing, as far as the session tells"]),
        *bullet("Next", bounded(next_tasks) or bounded(old_boxes) or ["no open task is on a list"]),
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
    return f"{code_shown(what_runs(job))}{name}, started {local(moment(job['first']))}, no end seen{output}"


def what_runs(job: Item) -> str:
    """The job's command or order; of a command line too long to show the part that goes on running.

    That is the one behind which `&` stands, else the last that does not only prepare it.
    """
    is_long_line = text_of(job, "tool") in SHELL_TOOLS and units(job["text"]) > NOTE_NAME_MAX_UTF16
    pieces = pieces_of(job["text"].replace(ROW_END, "\n")) if is_long_line else []
    running = [piece for piece, _ in pieces if program_in(piece) not in PREPARING]
    detached = [piece for piece, sign in pieces if sign == "&"]
    return next(iter([*detached[-1:], *running[-1:]]), job["text"])


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
    noted = text_of(state, "gitBranch")  # by the client: HEAD where there is no branch, or no repository
    return [code_shown(noted)] if noted not in ("", "HEAD") else []


def not_committed(now: GitNow) -> list[str]:
    """What of the working tree no commit holds, a line for each kind; that all is committed, where git has said so.

    Where it has not, that this is not known; nothing where there is no repository.
    """
    known: Any = now
    lines = []
    for name, words in NOT_COMMITTED.items():
        paths = [path if isinstance(path, str) else path[0] for path in known.get(name, [])]
        more = now.get("totals", {}).get(name, 0) - len(paths[:PATHS_SHOWN])
        if paths:
            lines.append(f"{words}: {', '.join(map(code_shown, paths[:PATHS_SHOWN]))}{and_more(more)}")
    if now and not now.get("is_complete"):
        why = "git did not answer in time" if now.get("is_late") else "git could not tell everything"
        lines.append(f"{'whether that is all is ' if lines else ''}not known: {why}")
    return lines or (["nothing: the working tree is clean"] if now else [])


def where_it_stands(items: Sequence[Item], doing: Sequence[str], log: Sequence[LogLine],
                    state: Mapping[str, str], changed: Sequence[str]) -> list[str]:
    """The tasks in progress, what succeeded last, the file changed last, and the agent's last words.

    What failed last stands among what fails, unless it has passed since.
    """
    lines = [f"in progress: {task}" for task in doing[:LISTED_MAX]]
    lines += last_success(items, log)
    lines += [f"last changed: {file}" for file in changed[:1]]
    last_words = " ".join(both_ends_in_rows(text_of(state, "last_words"), LAST_WORDS_MAX_UTF16).split())
    if last_words:
        lines.append(f"the agent's last words: {spoken(last_words, LAST_WORDS_MAX_UTF16 + 9)}")
    return lines


def last_success(items: Sequence[Item], log: Sequence[LogLine]) -> list[str]:
    """What succeeded last, by the log or by a check's last run, as a line; none where nothing did.

    The log has a check's end only where it turned.
    """
    steps = [line for line in log if line["what"] in SUCCEEDED]
    passed = last_of(item for item in items if item["kind"] == "action" and item["verdict"] == "passed"
                     and item.get("family") in CHECK_FAMILIES)
    if passed and passed["last"] > max((line["time"] for line in steps), default=""):
        return [f"last passed: {outcome_words(passed['text'], passed['result'])} ({local(moment(passed['last']))})"]
    return [f"last {line['what']}: {line['text']} ({local(moment(line['time']))})" for line in steps[-1:]]


def last_of(items: Iterable[Item]) -> Item | None:
    """The item that came last in the session; None where there is none."""
    return max(items, key=lambda item: int(item["position"]), default=None)


def newest(items: Sequence[Item], kind: str, status: str) -> Item:
    """The last item of the kind with the status; empty when there is none."""
    nothing: Item = {}
    return last_of(item for item in items if (item["kind"], item["status"]) == (kind, status)) or nothing


def waiting(items: Sequence[Item]) -> list[str]:
    """What the work waits for: the person's answer or approval; none without."""
    question, plan = newest(items, "question", "open"), newest(items, "plan", WAITING_FOR_APPROVAL)
    return [*([f"your answer: {spoken(question['text'])}"] if question else []),
            *([f"your approval of the plan: {spoken(heading(plan['text']))}"] if plan else [])]


def failing(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The checks that fail, the newest first, then what else broke, and the last command where that failed.

    Where nothing fails, whether any check was run. Then the checks that could not run.
    """
    actions = [item for item in items if item["kind"] == "action"]
    checks, broken = failing_checks(actions, state), broken_runs(actions)
    lines = [failure_words(run, run["check"]["typed"], run["taken_back_after"])  # not all of the check's line
             for run in checks[:FAILING_MAX]]
    if len(checks) > FAILING_MAX:
        lines.append(f"… and {len(checks) - FAILING_MAX} more")
    lines += [failure_words(run, run["command"]) for run in broken[:FAILING_MAX]]
    last = last_of(action for action in actions if action["verdict"] not in ("", "unknown"))
    if last and last["verdict"] == "failed" and last.get("family") not in CHECK_FAMILIES and (
            last["position"] not in [run["position"] for run in broken]):
        lines.append(f"the last command: {outcome_words(last['text'], last['result'])} ({local(moment(last['last']))})")
    was_run = any(action.get("family") in CHECK_FAMILIES for action in actions)
    if not lines:
        lines = ["no check failed in its last run, as far as its output tells" if was_run else "no check was run"]
    return lines + [f"{outcome_words(run['check']['typed'], words_of_not_run(run, run['result']))} "
                    f"(last tried {local(moment(run['last']))})" for run in checks_not_run(actions)[:FAILING_MAX]]


def checks_not_run(actions: Sequence[Item]) -> list[CheckRun]:
    """The checks that could not run, the newest first; runs are compared only where there was such a one."""
    is_any = any(item["verdict"] == "not run" and item.get("family") in CHECK_FAMILIES for item in actions)
    return could_not_run(actions, check_runs(actions)) if is_any else []


def failure_words(run: CheckRun | BrokenRun, command: str, taken_back: Sequence[str] = ()) -> str:
    """The command with what its output says of its end, when it was last run, and what of its sources changed since."""
    since = "".join(f"; {change}" for change in changes_since(run["edited_after"], taken_back, files_in_short))
    return f"{outcome_words(command, run['result'])} (last run {local(moment(run['last']))}{since})"


def files_in_short(paths: Sequence[str]) -> str:
    """The first files, and how many more there are."""
    return first_and_more([*map(code_shown, paths)], EDITED_SHOWN)


def failing_checks(actions: Sequence[Item], state: Mapping[str, str]) -> list[CheckRun]:
    """The checks that fail, the newest first; runs are compared only from a failed one on, it takes milliseconds."""
    failed = (item["verdict"] == "failed" and item.get("family") in CHECK_FAMILIES for item in actions)
    first = next((index for index, has_failed in enumerate(failed) if has_failed), len(actions))
    if first == len(actions):
        return []
    known = with_known_discards(actions, actions, state)
    later, root = known[first:], text_of(state, "root")
    return open_failures([*filter(is_file_edit, known[:first]), *later], root, check_runs(later, root))


def rules(items: Sequence[Item]) -> list[str]:
    """The person's rules that hold, as they were given, the newest first."""
    return bounded_list([spoken(item["text"]) for item in reversed(items) if item["kind"] == "rule"])


def bounded_list(lines: Sequence[str]) -> list[str]:
    """The lines as a list, no longer than is read."""
    return [f"- {line}" for line in bounded(lines)]


def bounded(lines: Sequence[str]) -> list[str]:
    """As many of the lines as are read, and how many others there are."""
    rest = [f"… and {len(lines) - LISTED_MAX} more"] if len(lines) > LISTED_MAX else []
    return [*lines[:LISTED_MAX], *rest]


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


def keep_notes(data: HookInput, folder: str, memory: Memory) -> None:
    """Writes the page of this hook input's session into its folder."""
    project, state = project_folder(data), memory["state"]
    since = memory["began"] if any(map(is_without_hash, memory.get("progress", []))) else ""
    repository = git_now(text_of(state, "cwd") or project, since, GIT_MAX_SECONDS)
    pins = pin_items(pins_in(folder, project_folders(project)))
    page = notes_page(data["session_id"], project, memory, pins, repository)
    replace_file(os.path.join(folder, NOTES_PAGE), page.encode("utf-8", "replace"))
