"""The data model: shapes of what comes in, is stored and goes out. For annotations alone; no script holds this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

Record = dict[str, Any]  # a JSON object of others, of which nothing is known
Entries = list[tuple[Record, list[Record]]]  # what is new in a session: each entry with the items that it gives
Hooks = Mapping[str, Sequence[Record]]  # by event, as hooks.json and settings.json have them
Term = tuple[str, float, tuple[str, ...]]  # a word as compared, its weight, the words that it is joined from


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


class FileState(TypedDict, total=False):
    """What the disk says of a path now; empty where it cannot say."""

    size: int  # in bytes; below zero where no regular file stands
    mtime: int  # in milliseconds since 1970


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
