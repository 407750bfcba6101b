"""What a session's tool calls mean: outcomes, tasks, answers, plans, questions, jobs, names and paths shown.

    any call                                                     -> the file it touched, the command and how it ended
    TodoWrite, TaskCreate, TaskUpdate, `- [ ]` lines, plan files -> tasks, in their order
    AskUserQuestion, ExitPlanMode, a rejected call               -> answers, plans, questions that wait
    background shells, subagents                                 -> jobs, until something tells of their end
    files read and changed, searches, listings                   -> the names that stand there, the files they named

A name beside what announces a secret, and one that looks like a token, is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import exp, log1p

from compact_keeper.record.items import new_item
from compact_keeper.record.outcomes import outcome_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.secret_patterns import PREFIXES, UNBROKEN
from compact_keeper.types import Record

RESULT_MAX_UTF16 = 240  # of the words that say how a command ended
CHANGING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
RUNNING_TOOLS, SUBAGENT_TOOLS = ("Bash", "PowerShell"), ("Task", "Agent")
NAMES_OF_A_FILE_MAX, NAMES_MAX, FOUND_MAX = 120, 300, 60  # names kept of a file; handed on, more than is shown
FILES_LISTED_MAX = 60  # files looked at of one listing
FADE = 60  # records after which a name or path in what a tool showed counts a third of what it did
LEAST_FADED = 0.2  # what it counts however long ago
CAPITAL = 0.2  # of a name that begins with a capital: types are seldom searched for or edited
SHOWN_TEXT_MAX_CHARACTERS = 200_000  # looked at of what tools showed, of files and of listings, the newest first
SOURCE = (r"\.(?:py|pyi|js|jsx|mjs|ts|tsx|vue|svelte|go|rs|java|kt|kts|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|sh|sql"
          r"|ex|exs|clj|hs|ml|dart|zig|r|jl|css|scss|html|md|proto|graphql)")  # not settings: they hold secrets
LISTING = r"(?:cd \S+ && )?(?:git (?:status|diff|log|show)|ls|find|grep|rg|fd|tree)\b"
LISTED_FILE = (r"^[ \t]{0,8}(?:modified: {1,9}|new file: {1,9}|[MADR?]{1,2} {1,3})?"
               r"([\w./@+-]*/[\w.@+-]+\.\w{1,6})(?=[:\s|-]|$)")
FOUND_LINE = rf"^\S+{SOURCE}[:-]\d+[:-](.*)"
NAME_IN_SOURCE = r"\b(?<![\"'`=:/@~-])(?<!\w\+)[A-Za-z_]\w{7,47}\b(?![-+~$]\w|\.(?:\w{24}|atlasv1))"
REMOVAL = r"(?:git )?rm (?:-\w+ )*([\w./@+ -]{1,300})$"
PLAN_FILE = r"(?i)(?:/plans?/[^/]*|(?:plan|todos?|tasks?|checklist|roadmap|progress)[^/]*)\.(?:md|txt)$"
TOKEN_BEGINS, OR_NAMES_DO = tuple(PREFIXES), tuple(UNBROKEN)
ANNOUNCED = r"\w{0,20}[\"']?\s{0,9}(?:[:= ]|-p)[:=>\s\"']{0,9}\w+"
ANNOUNCING = (
    "passw", "passphrase", "secret", "token", "credential", "_key", "-key", "apikey", "pwd", "bearer", "sshpass")


class Work:
    """What later calls may change or end: the list of TodoWrite; and what was shown, until it is looked through."""

    def __init__(self, known: Sequence[Record], state: Record) -> None:
        """Goes on from the items of earlier saves; `state` is the reading's."""
        self.todos = [one for one in known if one.get("list") == "todo"]
        self.shown: list[Record] = []  # calls that showed or changed text
        self.files = {one["key"]: None for one in known if one["kind"] == "file"}
        self.names = {one["text"]: one["names"] for one in known if one["kind"] == "names"}
        self.state = state

    def items_of(self, entry: Record) -> Iterator[Record]:
        """The items that an entry gives."""
        if entry["what"] == "call":
            self.shown += [entry] if entry["ok"] else []
            root = (text_of(self.state, "root") or "/") + "/"  # one file, told in two ways, is one
            yield from call_outcomes(entry, root)
            yield from call_items(entry, self.todos)
            yield from self.removed(entry)
        elif entry["what"] == "said" and "[" in entry["text"]:
            yield from checklist(entry, entry["text"][:20_000], "said")
        elif entry["what"] == "plan":  # approved in another session, which ended with it
            yield new_item("plan", entry, entry["text"][:300].strip("# "), "assistant", key="plan", status="approved")
        elif entry["what"] == "ended":
            yield new_item("job", entry, "", "client", key=entry["key"], status="ended")

    def removed(self, call: Record) -> Iterator[Record]:
        """Files that a command removed: they are none of the work's any more."""
        root = text_of(self.state, "root") + "/"
        if call["path"]:
            self.files[call["path"].replace(root, "")] = None
        told = re.match(REMOVAL, call["command"]) if call["ok"] and "rm " in call["command"] else None
        for path in told[1].replace(root, "").split() if told and "--cached" not in call["command"] else ():
            for file in [file for file in self.files if f"{file}/".startswith(f"{path.rstrip('/')}/")]:
                yield new_item("file", call, "", "tool", key=file, status="gone")

    def items_at_rest(self) -> Iterator[Record]:
        """Names and paths in what was shown, the newest first, as much as there is time for."""
        room, chosen = {"file": SHOWN_TEXT_MAX_CHARACTERS, "listing": SHOWN_TEXT_MAX_CHARACTERS}, []
        for call in reversed(self.shown):
            kind = "file" if call["tool"] in (*CHANGING_TOOLS, "Read") else "listing"
            if room[kind] > 0 and (text := shown_text(call)[:SHOWN_TEXT_MAX_CHARACTERS // 4]):
                room[kind] -= len(text)
                chosen.append((call, text))
        for call, text in reversed(chosen):  # the newest last: its place in the session counts
            yield from self.mentions(call, text)

    def mentions(self, call: Record, text: str) -> Iterator[Record]:
        """The names in a file's text or in lines of source that a search found; the files that a listing named."""
        path = call["path"] or "search results"
        if call["tool"] not in (*CHANGING_TOOLS, "Read"):
            for found in dict.fromkeys(re.findall(LISTED_FILE, text, re.MULTILINE)[:FILES_LISTED_MAX]):
                short = found.replace(text_of(self.state, "root") + "/", "")
                yield new_item("found", call, short[2:] if short.startswith("./") else short, "tool")
            text = "\n".join(re.findall(FOUND_LINE, text, re.MULTILINE))
        if found := names_in(text, call["position"]):
            self.names[path] = joined(self.names.get(path, {}), found)
            yield new_item("names", call, path, "tool", names=self.names[path])


def call_outcomes(call: Record, root: str) -> Iterator[Record]:
    """From a tool call: the file it read or changed, the command with how it ended, the failure until it passes."""
    tool, name = call["tool"], call["command"] or f"{call['tool']} {call['path']}".strip()
    if call["path"] and call["ok"] and (tool in CHANGING_TOOLS or tool == "Read"):
        more = {"key": call["path"].replace(root, ""), "edits": int(tool in CHANGING_TOOLS)}
        yield new_item("file", call, call["path"], "assistant", **more)
    told = call["ok"] is not None and "in background with ID" not in call["output"]
    if not told or not (tool in RUNNING_TOOLS or tool in CHANGING_TOOLS or tool.startswith("mcp__")):
        return
    if not call["command"]:
        status = "cleared" if call["ok"] or not call["error"] or "Sibling tool call" in call["error"] else "open"
        yield new_item("failure", call, name, "tool", status=status, error=call["error"], key=name.replace(root, ""),
                       exit=call["exit"])
        return
    verdict, result = command_outcome(call)
    same = re.split(r" \| | 2>&1| > ", re.sub(r"^(?:cd \S+ && )+", "", name))[0].strip()  # wherever it ran
    more = {"key": same.replace(root, ""), "exit": call["exit"]}
    if verdict != "not run":
        is_ok = verdict != "failed"
        yield new_item("command", call, name, "assistant", ok=is_ok, verdict=verdict, result=result, **more)
    if verdict == "failed":
        yield new_item("failure", call, name, "tool", status="open" if result else "cleared", error=result, **more)
    elif verdict in ("passed", "ended"):  # what is not seen to pass clears nothing
        yield new_item("failure", call, name, "tool", status="cleared", error="", **more)


def command_outcome(call: Record) -> tuple[str, str]:
    """How a call's command ended, in a word of Outcome's verdicts, and what its output says of that, safe to show."""
    outcome = outcome_of(call["command"], call["output"], not call["ok"], call["exit"])
    if outcome["verdict"] == "unknown" and not call["ok"]:
        return "failed", call["error"]  # in what part, the output does not show
    if outcome["verdict"] == "failed" and (not outcome["family"] or not call["output"]):
        return "failed", call["error"]  # that of the ledger, which has no outputs
    return outcome["verdict"], quote(outcome["line"], RESULT_MAX_UTF16) or call["error"]


def call_items(call: Record, todos: list[Record]) -> Iterator[Record]:
    """From a tool call: tasks, answers, plans and questions, jobs, names."""
    tool = call["tool"]
    if tool in ("TodoWrite", "TaskCreate", "TaskUpdate"):
        yield from task_changes(call, todos)
    elif tool in CHANGING_TOOLS and call["ok"] and re.search(PLAN_FILE, call["path"]):
        yield from checklist(call, call["body"], call["path"])
    if tool in ("AskUserQuestion", "ExitPlanMode"):
        yield from consent(call)
    elif call["rejected"]:
        done = call["command"] or f"{tool} {call['path']}".strip()
        yield new_item("answer", call, "no", "user", key=done, question=done, status="rejected")
    if tool in RUNNING_TOOLS or tool in SUBAGENT_TOOLS or tool in ("KillShell", "TaskStop"):
        yield from job_changes(call)


def checklist(entry: Record, text: str, name: str) -> Iterator[Record]:
    """The tasks of a `- [ ]` list, in their order."""
    for number, (mark, task) in enumerate(re.findall(r"^[ \t]*(?:[-*]|\d+\.) \[([ xX~])\] (.+)", text, re.MULTILINE)):
        status = {" ": "pending", "~": "in_progress"}.get(mark, "completed")
        yield new_item("task", entry, quote(task, 300), "assistant", status=status, list=name, order=number)


def task_changes(call: Record, todos: list[Record]) -> Iterator[Record]:
    """Tasks as TodoWrite (the whole list each time), TaskCreate and TaskUpdate leave them."""
    asked, created = call["input"], re.match(r"Task #(\w+) created", call["output"])
    if call["tool"] != "TodoWrite" and call["ok"]:
        number = created.group(1) if created else str(asked.get("taskId"))
        status = "pending" if created else {"deleted": "gone"}.get(text_of(asked, "status"), text_of(asked, "status"))
        blocked = asked.get("addBlockedBy")
        before = [f"#{one}" for one in blocked if str(one).isdecimal()] if isinstance(blocked, list) else []
        yield new_item("task", call, cut(text_of(asked, "subject"), 300), "assistant", key=f"#{number}", status=status,
                   list="task", order=int(number) if number.isdecimal() else 0,
                   after=" ".join(before))
    elif isinstance(asked.get("todos"), list):
        yield from ({**old, "status": "gone"} for old in todos)
        todos.clear()
        for number, todo in enumerate(todo for todo in asked["todos"] if isinstance(todo, dict)):
            more = {"list": "todo", "order": number, "status": text_of(todo, "status") or "pending"}
            todos.append(new_item("task", call, cut(text_of(todo, "content"), 300), "assistant", **more))
            yield todos[-1]


def consent(call: Record) -> Iterator[Record]:
    """What the person chose when asked, or the question that waits; the last plan, and whether it was approved."""
    waiting = call["ok"] is None and not call["rejected"]
    if call["tool"] == "ExitPlanMode":
        plan, path = text_of(call["input"], "plan"), re.search(r"saved to: (\S+)", call["output"])
        status = "waiting for approval" if waiting else "approved" if call["ok"] else "not approved"
        yield new_item("plan", call, quote(plan, 300).strip("# ") or "the plan", "assistant", key="plan", status=status,
                   path=quote(path.group(1) if path else text_of(call["input"], "planFilePath"), 300))
    for asked, answer in call["answers"].items():
        question = quote(asked, 300)
        yield new_item("answer", call, quote(str(answer), 400), "user", key=question, question=question)
    asked, status = call["input"].get("questions"), "open" if waiting else "answered"
    for text in [text_of(one, "question") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else ():
        yield new_item("question", call, quote(text, 500), "assistant", status=status)


def job_changes(call: Record) -> Iterator[Record]:
    """Background shells and subagents, running until a tool or the client tells of their end."""
    task = call["command"] or quote(text_of(call["input"], "prompt"), 300)
    told = call["output"] if "background" in call["output"] or "agentId" in call["output"] else ""
    started = re.search(r"(?:in background with ID|launched.*?agentId): (\w+)"
                        r"(?:.*?(?:written to|output_?[fF]ile): (\S+?)\.?(?:\s|\Z))?", told, re.DOTALL)
    if started and call["tool"] in SUBAGENT_TOOLS:
        yield new_item("job", call, "", "assistant", key=call["id"], status="ended")  # what ran under the call's own id
    if started:
        more = {"key": started.group(1), "path": quote(started.group(2) or "", 300), "tool": call["tool"]}
        yield new_item("job", call, task, "assistant", **more)
    elif call["tool"] in SUBAGENT_TOOLS:
        running = call["ok"] is None and not call["rejected"]
        yield new_item("job", call, task, "assistant", key=call["id"], status="open" if running else "ended")
    elif call["tool"] not in RUNNING_TOOLS and call["ok"]:
        stopped = text_of(call["input"], "shell_id") or text_of(call["input"], "task_id")
        yield new_item("job", call, "", "client", key=stopped, status="ended")


def shown_text(call: Record) -> str:
    """The text in which a call showed or changed files; empty when it did neither."""
    if call["tool"] in (*CHANGING_TOOLS, "Read"):
        return text_of(call, "body") if re.search(f"{SOURCE}$", call["path"]) else ""
    if call["tool"] in ("Grep", "Glob"):
        return text_of(call, "body")
    return text_of(call, "output") if re.match(LISTING, call["command"]) else ""


def names_in(text: str, position: int) -> dict[str, list[int]]:
    """Names of a source text that look like words joined, each with how often it stands there and where in the session.

    A name right behind a quote, `=` or `:` may be a value, a password among them; it does not count.
    """
    counts, text = dict[str, list[int]](), redact(text) if "PRIVATE KEY" in text else text
    names = re.compile(NAME_IN_SOURCE).findall
    for part, times in Counter(text.split()).items():  # many come again and again, most have nothing joined
        for name in names(part) if len(part) > 7 and ("_" in part or not part.islower()) else ():
            counts.setdefault(name, [0, position])[0] += times
    secret = near_secrets(text)
    found = {name: told for name, told in counts.items() if name not in secret and is_joined(name)}
    return dict(sorted(found.items(), key=lambda one: -one[1][0])[:80])


def near_secrets(text: str) -> set[str]:
    """The words right behind one that announces a secret ("client_secret: …", "--token …")."""
    lower, found = text.lower(), set[str]()
    for hint in ANNOUNCING:
        at = lower.find(hint)
        while at >= 0:
            told = re.match(ANNOUNCED, text[at + len(hint):at + len(hint) + 120])
            found.update(re.findall(r"\w{8,}", told[0]) if told else ())
            at = lower.find(hint, at + len(hint))
    return found


def is_joined(name: str) -> bool:
    """Whether it looks like words joined (`parse_rate`, `parseRate`); a secret's token has more capitals and digits."""
    inner = "_" in name.strip("_") or not (name[1:].islower() or name.isupper())
    capitals = 0 if name.isupper() else sum(map(str.isupper, name))
    digits = 0 if name.isalpha() else sum(map(str.isdigit, name))
    begins_so = name.startswith(TOKEN_BEGINS) or (digits > 0 and name.startswith(OR_NAMES_DO))
    random = (digits > 3 or 4 * capitals > len(name) + 3 or (digits > 1 and capitals > 2)
              or (name[-1].isupper() and name[-2].islower()))
    return inner and name.isascii() and not begins_so and not random


def joined(old: dict[str, list[int]], new: dict[str, list[int]]) -> dict[str, list[int]]:
    """A file's names, each with how often and where last it was seen; the ones seen last are kept."""
    both = {name: [old.get(name, [0])[0] + count, place] for name, (count, place) in new.items()}
    return dict(sorted({**old, **both}.items(), key=lambda one: one[1][1])[-NAMES_OF_A_FILE_MAX:])


def lately(position: int, now: int) -> float:
    """How much of what a tool showed still counts at the position `now`."""
    return LEAST_FADED + exp((position - now) / FADE)


def ranked_names(items: Iterable[Record], now: int) -> list[list[str]]:
    """Names with the file where each counts most, the best first: seen often, lately, and short."""
    found: dict[str, tuple[float, str]] = {}
    for one in items:
        for name, (count, position) in one.get("names", {}).items():
            points = log1p(count) * lately(position, now) * (CAPITAL if name[0].isupper() else 1) / len(name)
            found[name] = max(found.get(name, (0.0, "")), (points, one["text"]))
    best = sorted(found.items(), key=lambda one: one[1], reverse=True)
    return [[name, path] for name, (_, path) in best[:NAMES_MAX]]


def ranked_found(items: Sequence[Record], now: int) -> list[str]:
    """The files that searches and listings named, and that were not opened, the best first."""
    opened = {one["key"] for one in items if one["kind"] == "file"}
    found = [one for one in items if one["kind"] == "found" and one["text"] not in opened]
    found.sort(key=lambda one: -log1p(one["uses"]) * lately(one["position"], now))
    return [one["text"] for one in found[:FOUND_MAX]]
