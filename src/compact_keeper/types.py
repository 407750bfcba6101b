"""The data model: shapes of what comes in, is stored and goes out. For annotations alone; no script holds this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

Record = dict[str, Any]  # a JSON object of others, of which nothing is known
Entries = list[tuple[Record, list[Record]]]  # what is new in a session: each entry with the items that it gives
Hooks = Mapping[str, Sequence[Record]]  # by event, as hooks.json and settings.json have them


class HookInput(TypedDict, total=False):
    """What the client gives a hook on stdin, as `read_input` has checked it: the first four are always there."""

    session_id: str  # usable as a folder's name
    transcript_path: str  # absolute or empty
    cwd: str  # absolute or empty
    hook_event_name: str
    source: str  # of SessionStart: startup, resume, clear or compact
    trigger: str  # of compactions: auto or manual
    compact_summary: str
    agent_id: str  # in a subagent, from 2.1.329 on also of its compaction
    agent_type: str
    prompt: str
    tool_name: str
    tool_input: Any
    tool_response: Any
    tool_use_id: str
    error: str
    is_interrupt: bool
    duration_ms: int
    last_assistant_message: str


class Line(TypedDict, total=False):
    """A line of the recap before it is chosen: what it shows, of which items."""

    items: list[Record]
    text: str  # as it stands there; may have lines of its own
    whole: str  # its words unshortened, for where room is left
    section: str
    why: str  # why it is put back, or not


class RepositoryState(TypedDict, total=False):
    """What .git says of a folder now; empty outside of a repository."""

    branch: str  # empty: HEAD is detached, or not known
    head: str  # the commit's full name; empty: there is none yet, or it is not known
    worktree: str  # the working tree's top folder
    linked: bool  # made by `git worktree add`


class GitNow(TypedDict, total=False):
    """What git says of a repository now: names, paths and subjects quoted. What was not known in time is missing."""

    root: str  # the working tree's top folder; there always, as are in_progress, stashes, since and is_complete
    branch: str  # empty: HEAD is detached
    head: str  # the commit's first digits; empty: there is none yet, or it is not known
    upstream: str  # "origin/main"; empty: the branch has none
    ahead: int  # commits that the upstream has not
    behind: int  # commits that only the upstream has, as last fetched
    commits: list[tuple[str, str]]  # hash and subject of HEAD's commits since the session began, newest first
    since: str  # the session's beginning, as it was given
    staged: list[tuple[str, str]]  # path below the root, and "new", "deleted" or empty
    modified: list[tuple[str, str]]  # not staged: path, and "deleted" or empty
    untracked: list[str]  # a folder of which nothing is tracked ends with a slash
    conflicts: list[str]
    totals: dict[str, int]  # by the field's name, of those lists: how many were listed, of which the first are in it
    in_progress: str  # "merge of 1a2b3c4", "rebase of topic, step 2 of 5"
    stashes: int
    is_complete: bool  # git was asked everything, and answered all of it in time


class LogLine(TypedDict):
    """A line of the notes' log: what happened in a session, and to what."""

    time: str  # as the transcript writes it
    what: str  # asked, done, committed, passed, …
    key: str  # lines with the same one are about the same thing
    text: str  # Markdown


class LedgerEvent(TypedDict, total=False):
    """A line of ledger.jsonl; a field without a value is left out."""

    schema: int
    time: str  # UTC with milliseconds, as the transcript writes it
    event: str  # tool, prompt or subagent
    agent: str
    hook_ms: float
    tool: str
    path: str
    command: str
    task: str
    output: str
    ok: bool
    exit: int | None
    error: str
    interrupted: bool | None
    ms: int | None
    id: str
    text: str
    ended: bool
    type: str
    said: str


class Check(TypedDict):
    """A test, build, linter or type check that a command runs."""

    family: str  # test, types, lint, format or build
    name: str  # program and task: "pytest", "go test", "npm test"; equal for the same check in other words
    runner: str  # whose output it prints; empty: a task or a script, which may run anything
    command: str  # as it was written, without what stands before the program and behind a pipe
    folder: str  # where a `cd` of the same command put it; empty: not said
    limits: list[str]  # what makes it less than a whole run: "-run TestA", "tests/a.py"
    filters: list[str]  # what its output goes through: "tail -5"
    shows_exit: bool  # the command's exit code 0 says that this check's was 0
    in_background: bool


class Outcome(TypedDict, total=False):
    """How a command ended, by its exit code and its output: plain text, not yet redacted; six are always there."""

    # passed, failed, unknown; ended: no check, exit 0; not run: refused, not found, no test; running: in background
    verdict: str
    family: str  # test, types, lint, format, build; git, gh, deploy, migration, install; empty: another command
    line: str  # totals, first failing names, the cause: at most 240 UTF-16 units
    cause: str  # the error that made it fail; empty: not seen
    names: list[str]  # what failed first
    limits: list[str]  # what makes the run, or the look at it, less than whole: "-run TestA", "| tail -5", "(cached)"
    commit: str  # of git: the hash as git printed it
    subject: str
    branch: str  # that the commit went to
    pushed: str  # where to: "origin main"
    conflicts: list[str]  # files
    begun: str  # merge, rebase, cherry-pick, revert or am: stopped, waits for its end
    finished: str  # one of these came to its end; a commit ends a merge, too


class CheckRun(TypedDict):
    """A run of a check as the record has it: from an action, or from one of the earlier results that it keeps."""

    check: Check
    family: str
    name: str  # of the check: "go test", "npm lint"
    command: str  # the line as it was run
    verdict: str
    result: str  # of the whole line; empty where another check of the line gave it
    limits: list[str]
    last: str  # when, as the transcript writes it
    position: int
    number: int  # of runs of this check that the record counts; of a line that came several times all of them
    edited_after: list[str]  # files that it covers and that were changed later, the newest first
    since: list[str]  # of a failing run: commands of its family that passed later and check less, or something else
    also: list[str]  # of a failing run: broader commands that failed before for the same tests


class MendedForm(TypedDict):
    """A form of a command that failed, and the form that worked soon after."""

    failed: str
    result: str
    worked: str
    worked_result: str
    times: int  # that a command failed in this way
    position: int  # of the last of them
    last: str


class GitEvent(TypedDict, total=False):
    """What git, or a forge's tool, was seen to do; the first four are always there."""

    what: str  # commit, push, branch, pull request, history (merge, rebase, reset, …)
    text: str  # of a commit its subject, else what was run, or the address
    last: str
    position: int
    hash: str
    branch: str
    to: str  # of a push, as far as its output tells: "origin main"
    pushed: str  # of a commit: yes, no; empty: a push came later, of what is not seen
    folder: str  # named by the line itself, by `cd` or `git -C`; empty: where the session stood
    verb: str  # of git: commit, merge, rebase, …
    amends: bool
    replaced: bool  # of a commit: a later amend or reset took its place
    certain: bool  # of a push: its output, or its exit code, says that it went through
    waits: bool  # of a merge or rebase: stopped, and not seen to end
    files: list[str]  # in conflict
