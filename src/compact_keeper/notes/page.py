"""notes.md: the session for people, as Markdown."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from compact_keeper.client.project import project_folder
from compact_keeper.notes.log import DONE, heading
from compact_keeper.notes.wording import NOTE_NAME_MAX_UTF16, code_shown, escaped, spoken
from compact_keeper.store.folder import replace_file
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.times import moment
from compact_keeper.types import HookInput, Record

MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"  # a file with it is ours
LISTED_MAX = 12  # tasks, rules, files that are named one by one


def notes_page(session: str, project: str, memory: Record) -> str:
    """The notes as Markdown."""
    name = escaped(quote(os.path.basename(project) or project, NOTE_NAME_MAX_UTF16))
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
    path = f" in {code_shown(plan['path'])}" if plan.get("path") else ""
    running = [f"{code_shown(one['text'])} as {code_shown(one['key'])}" for one in items if one["kind"] == "job"]
    told = {
        "Asked": [f"{spoken(asked['text'], 700)} ({local(moment(asked['last']))})"] if asked else ["nothing"],
        "Plan": [f"{spoken(heading(plan))}, approved {local(moment(plan['last']))}{path}"] if plan else [],
        "Step": steps(items, tasks, log) or ["nothing was done so far"],
        "Blocking on": blocking(items, log) or ["nothing known"],
        "Next": [*after[:LISTED_MAX], *more(after)] or ["no open task"],
        "Running": running[:LISTED_MAX],
        "Branch": [" at ".join(map(code_shown, filter(None, git)))] if git[0] else [],
        "The agent's last words": [spoken(state["last_words"], 600)] if text_of(state, "last_words") else []}
    return [line for title, lines in told.items() for line in bullets(title, lines)]


def steps(items: Sequence[Record], tasks: Sequence[Record], log: Sequence[Record]) -> list[str]:
    """The tasks in progress, else what was done last; and the file changed last."""
    doing = [f"in progress: {escaped(one['text'])}" for one in tasks if one["status"] == "in_progress"]
    done = [f"last {one['what']}: {one['text']} ({local(moment(one['time']))})" for one in log if one["what"] in DONE]
    return [*doing[:LISTED_MAX], *done[-1:], *(f"last changed: {file[2:]}" for file in changed(items)[:1])]


def bullets(title: str, lines: Sequence[str]) -> list[str]:
    """An entry with its lines below it; one line stands beside it; nothing without lines."""
    if len(lines) < 2:
        return [f"- **{title}**: {line}" for line in lines]
    return [f"- **{title}**:", *(f"    {number}. {line}" for number, line in enumerate(lines, 1))]


def more(lines: Sequence[object]) -> list[str]:
    """What stands for the lines that are not listed."""
    return [f"… and {len(lines) - LISTED_MAX} more"] if len(lines) > LISTED_MAX else []


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
    return [*found[:LISTED_MAX], *(f"- {line}" for line in more(found))]


def changed(items: Sequence[Record]) -> list[str]:
    """The files that were changed, each with the time of the last change, the last one first."""
    files = [one for one in items if one["kind"] == "file" and one.get("edits")]
    files.sort(key=lambda one: -int(one["position"]))
    found = [f"- {code_shown(one['key'])} ({local(moment(one['last']))})" for one in files]
    return [*found[:LISTED_MAX], *(f"- {line}" for line in more(found))]


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


def keep_notes(data: HookInput, folder: str, memory: Record) -> None:
    """Writes the page of this hook input's session into its folder."""
    page = notes_page(data["session_id"], project_folder(data), memory)
    replace_file(os.path.join(folder, "notes.md"), page.encode("utf-8", "replace"))
