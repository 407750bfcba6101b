#!/usr/bin/env python3
"""What a session's tool calls mean: outcomes, tasks, answers, plans, questions, jobs, names and paths shown.

save_snapshot.py hands over what it read, entry by entry; from here it gets items. Nothing is read or written.

    any call                                                     -> the file it touched, the command and how it ended
    TodoWrite, TaskCreate, TaskUpdate, `- [ ]` lines, plan files -> tasks, in their order
    AskUserQuestion, ExitPlanMode, a rejected call               -> answers, plans, questions that wait
    background shells, subagents                                 -> jobs, until something tells of their end
    files read and changed, searches, listings                   -> the names that stand there, the files they named

By hand: interpret_calls.py < FILE    (the names of a source text, the most frequent first)

Exits 0. Python 3.9+, standard library only.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import exp, log1p

from secret_forms import PREFIXES, UNBROKEN

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

CHANGING, RUNNING, SUBAGENT = ("Edit", "Write", "MultiEdit", "NotebookEdit"), ("Bash", "PowerShell"), ("Task", "Agent")
MOST_OF_A_FILE, MOST_NAMES, MOST_FOUND = 120, 300, 60  # names kept of a file; handed on, more than is shown
LISTED = 60  # files looked at of one listing
FADE = 60  # records after which a name or path in what a tool showed counts a third of what it did
LEAST = 0.2  # what it counts however long ago
CAPITAL = 0.2  # of a name that begins with a capital: types are seldom searched for or edited
TEXT_READ = 200_000  # characters of what tools showed that are looked at, of files and of listings, the newest first
SOURCE = (r"\.(?:py|pyi|js|jsx|mjs|ts|tsx|vue|svelte|go|rs|java|kt|kts|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|sh|sql"
          r"|ex|exs|clj|hs|ml|dart|zig|r|jl|css|scss|html|md|proto|graphql)")  # not settings: they hold secrets
LISTING = r"(?:cd \S+ && )?(?:git (?:status|diff|log|show)|ls|find|grep|rg|fd|tree)\b"
LISTED_FILE = (r"^[ \t]{0,8}(?:modified: {1,9}|new file: {1,9}|[MADR?]{1,2} {1,3})?"
               r"([\w./@+-]*/[\w.@+-]+\.\w{1,6})(?=[:\s|-]|$)")
FOUND_LINE = rf"^\S+{SOURCE}[:-]\d+[:-](.*)"
NAME = r"\b(?<![\"'`=:/@~-])(?<!\w\+)[A-Za-z_]\w{7,47}\b(?![-+~$]\w|\.(?:\w{24}|atlasv1))"
REMOVAL = r"(?:git )?rm (?:-\w+ )*([\w./@+ -]{1,300})$"
PLAN_FILE = r"(?i)(?:/plans?/[^/]*|(?:plan|todos?|tasks?|checklist|roadmap|progress)[^/]*)\.(?:md|txt)$"

# --- shared: fields ---
def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}
# --- end of shared: fields ---


# --- shared: size ---
def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end when something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"
# --- end of shared: size ---


# --- shared: words ---
# Text on its way to disk or to the model: disarmed, secrets out, cut. Cut last: half a token is not seen as one.
TEXT_LIMIT = 100_000  # characters looked at; what is longer is a pasted log
FEW_FORMS = (  # where secret_forms.py was not copied too: rather too much than too little
    ("secret", r"-----BEGIN [A-Z ]*PRIVATE KEY.*|(?<![\w.=+-])(?=[\w.=+-]*(?:\d|[a-z][A-Z]{2}))[\w.=+-]{20,}"),
    ("secret", r"(?i)(?P<keep>(?:pass\w*|pwd|secret|token|key|auth)[\"']?\s*[:=]>?[\s\"']*|://|-\w+ "
     r"|basic |bearer )(?!\[redacted)(?=\S*[\d@])[^\s\"']{4,}"))
CONTROLS = (r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."  # and carriers of hidden text
            r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
            r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
            r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\uffff].)")
TAGS = (r"(?i)[<\ufe64\uff1c](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
        r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
        r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")  # letters that pass for Latin ones


def clean(text: str) -> str:
    """The text, if long its beginning, without what does not show and lone surrogates, the client's tags disarmed."""
    text = text if len(text) <= TEXT_LIMIT else "".join(text[:TEXT_LIMIT].rsplit(None, 1)[:1])  # no half of a word
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = re.sub(CONTROLS, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAGS, "‹", text) if "<" in text or not text.isascii() else text


@lru_cache(maxsize=1)
def secret_forms() -> Callable[[str], Iterable[tuple[str, str]]]:
    """What tells which secrets a text may hold: their kinds and patterns."""
    try:
        from secret_forms import forms_for
    except ImportError:
        return lambda _: FEW_FORMS
    return forms_for


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`, but for `keep`; twice changes nothing."""
    for kind, pattern in secret_forms()(text):
        text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read."""
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    line = line if len(line) < enough else line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""
# --- end of shared: words ---

TOKEN_BEGINS, OR_NAMES_DO = tuple(PREFIXES), tuple(UNBROKEN)
ANNOUNCED = r"\w{0,20}[\"']?\s{0,9}(?:[:= ]|-p)[:=>\s\"']{0,9}\w+"
ANNOUNCING = (
    "passw", "passphrase", "secret", "token", "credential", "_key", "-key", "apikey", "pwd", "bearer", "sshpass")


# --- the work as it goes ---


class Work:
    """What later calls may change or end: the list of TodoWrite; and what was shown, until it is looked through."""

    def __init__(self, known: Sequence[Record], state: Record) -> None:
        self.todos = [one for one in known if one.get("list") == "todo"]
        self.shown: list[Record] = []  # calls that showed or changed text
        self.files = {one["key"]: None for one in known if one["kind"] == "file"}
        self.names = {one["text"]: one["names"] for one in known if one["kind"] == "names"}
        self.state = state

    def items_of(self, entry: Record) -> Iterator[Record]:
        """The items that an entry gives."""
        if entry["what"] == "call":
            self.shown += [entry] if entry["ok"] else []
            yield from outcome(entry, (text_of(self.state, "root") or "/") + "/")  # one file, told in two ways, is one
            yield from call_items(entry, self.todos)
            yield from self.removed(entry)
        elif entry["what"] == "said" and "[" in entry["text"]:
            yield from checklist(entry, entry["text"][:20_000], "said")
        elif entry["what"] == "plan":  # approved in another session, which ended with it
            yield item("plan", entry, entry["text"][:300].strip("# "), "assistant", key="plan", status="approved")
        elif entry["what"] == "ended":
            yield item("job", entry, "", "client", key=entry["key"], status="ended")

    def removed(self, call: Record) -> Iterator[Record]:
        """Files that a command removed: they are none of the work's any more."""
        root = text_of(self.state, "root") + "/"
        if call["path"]:
            self.files[call["path"].replace(root, "")] = None
        told = re.match(REMOVAL, call["command"]) if call["ok"] and "rm " in call["command"] else None
        for path in told[1].replace(root, "").split() if told and "--cached" not in call["command"] else ():
            for file in [file for file in self.files if f"{file}/".startswith(f"{path.rstrip('/')}/")]:
                yield item("file", call, "", "tool", key=file, status="gone")

    def items_at_rest(self) -> Iterator[Record]:
        """Names and paths in what was shown, the newest first, as much as there is time for."""
        room, chosen = {"file": TEXT_READ, "listing": TEXT_READ}, []
        for call in reversed(self.shown):
            kind = "file" if call["tool"] in (*CHANGING, "Read") else "listing"
            if room[kind] > 0 and (text := shown_text(call)[:TEXT_READ // 4]):
                room[kind] -= len(text)
                chosen.append((call, text))
        for call, text in reversed(chosen):  # the newest last: its place in the session counts
            yield from self.mentions(call, text)

    def mentions(self, call: Record, text: str) -> Iterator[Record]:
        """The names in a file's text or in lines of source that a search found; the files that a listing named."""
        path = call["path"] or "search results"
        if call["tool"] not in (*CHANGING, "Read"):
            for found in dict.fromkeys(re.findall(LISTED_FILE, text, re.MULTILINE)[:LISTED]):
                short = found.replace(text_of(self.state, "root") + "/", "")
                yield item("found", call, short[2:] if short.startswith("./") else short, "tool")
            text = "\n".join(re.findall(FOUND_LINE, text, re.MULTILINE))
        if found := names_in(text, call["position"]):
            self.names[path] = joined(self.names.get(path, {}), found)
            yield item("names", call, path, "tool", names=self.names[path])


def outcome(call: Record, root: str) -> Iterator[Record]:
    """From a tool call: the file it read or changed, the command with how it ended, the failure until it passes."""
    tool, name = call["tool"], call["command"] or f"{call['tool']} {call['path']}".strip()
    if call["path"] and call["ok"] and (tool in CHANGING or tool == "Read"):
        more = {"key": call["path"].replace(root, ""), "edits": int(tool in CHANGING)}
        yield item("file", call, call["path"], "assistant", **more)
    told = call["ok"] is not None and "in background with ID" not in call["output"]
    if not told or not (tool in RUNNING or tool in CHANGING or tool.startswith("mcp__")):
        return
    same = re.split(r" \| | 2>&1| > ", re.sub(r"^(?:cd \S+ && )+", "", name))[0].strip()  # wherever it ran
    more = {"key": same.replace(root, ""), "exit": call["exit"]}
    if call["command"]:
        yield item("command", call, name, "assistant", ok=call["ok"], **more)
    status = "cleared" if call["ok"] or not call["error"] or "Sibling tool call" in call["error"] else "open"
    yield item("failure", call, name, "tool", status=status, error=call["error"], **more)


def call_items(call: Record, todos: list[Record]) -> Iterator[Record]:
    """From a tool call: tasks, answers, plans and questions, jobs, names."""
    tool = call["tool"]
    if tool in ("TodoWrite", "TaskCreate", "TaskUpdate"):
        yield from task_changes(call, todos)
    elif tool in CHANGING and call["ok"] and re.search(PLAN_FILE, call["path"]):
        yield from checklist(call, call["body"], call["path"])
    if tool in ("AskUserQuestion", "ExitPlanMode"):
        yield from consent(call)
    elif call["rejected"]:
        done = call["command"] or f"{tool} {call['path']}".strip()
        yield item("answer", call, "no", "user", key=done, question=done, status="rejected")
    if tool in RUNNING or tool in SUBAGENT or tool in ("KillShell", "TaskStop"):
        yield from job_changes(call)


def checklist(entry: Record, text: str, name: str) -> Iterator[Record]:
    """The tasks of a `- [ ]` list, in their order."""
    for number, (mark, task) in enumerate(re.findall(r"^[ \t]*(?:[-*]|\d+\.) \[([ xX~])\] (.+)", text, re.MULTILINE)):
        status = {" ": "pending", "~": "in_progress"}.get(mark, "completed")
        yield item("task", entry, quote(task, 300), "assistant", status=status, list=name, order=number)


def task_changes(call: Record, todos: list[Record]) -> Iterator[Record]:
    """Tasks as TodoWrite (the whole list each time), TaskCreate and TaskUpdate leave them."""
    asked, created = call["input"], re.match(r"Task #(\w+) created", call["output"])
    if call["tool"] != "TodoWrite" and call["ok"]:
        number = created.group(1) if created else str(asked.get("taskId"))
        status = "pending" if created else {"deleted": "gone"}.get(text_of(asked, "status"), text_of(asked, "status"))
        blocked = asked.get("addBlockedBy")
        before = [f"#{one}" for one in blocked if str(one).isdecimal()] if isinstance(blocked, list) else []
        yield item("task", call, cut(text_of(asked, "subject"), 300), "assistant", key=f"#{number}", status=status,
                   list="task", order=int(number) if number.isdecimal() else 0,
                   after=" ".join(before))
    elif isinstance(asked.get("todos"), list):
        yield from ({**old, "status": "gone"} for old in todos)
        todos.clear()
        for number, todo in enumerate(todo for todo in asked["todos"] if isinstance(todo, dict)):
            more = {"list": "todo", "order": number, "status": text_of(todo, "status") or "pending"}
            todos.append(item("task", call, cut(text_of(todo, "content"), 300), "assistant", **more))
            yield todos[-1]


def consent(call: Record) -> Iterator[Record]:
    """What the person chose when asked, or the question that waits; the last plan, and whether it was approved."""
    waiting = call["ok"] is None and not call["rejected"]
    if call["tool"] == "ExitPlanMode":
        plan, path = text_of(call["input"], "plan"), re.search(r"saved to: (\S+)", call["output"])
        status = "waiting for approval" if waiting else "approved" if call["ok"] else "not approved"
        yield item("plan", call, quote(plan, 300).strip("# ") or "the plan", "assistant", key="plan", status=status,
                   path=quote(path.group(1) if path else text_of(call["input"], "planFilePath"), 300))
    for asked, answer in call["answers"].items():
        yield item("answer", call, quote(str(answer), 400), "user", key=quote(asked, 300), question=quote(asked, 300))
    asked, status = call["input"].get("questions"), "open" if waiting else "answered"
    for text in [text_of(one, "question") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else ():
        yield item("question", call, quote(text, 500), "assistant", status=status)


def job_changes(call: Record) -> Iterator[Record]:
    """Background shells and subagents, running until a tool or the client tells of their end."""
    task = call["command"] or quote(text_of(call["input"], "prompt"), 300)
    told = call["output"] if "background" in call["output"] or "agentId" in call["output"] else ""
    started = re.search(r"(?:in background with ID|launched.*?agentId): (\w+)"
                        r"(?:.*?(?:written to|output_?[fF]ile): (\S+?)\.?(?:\s|\Z))?", told, re.DOTALL)
    if started and call["tool"] in SUBAGENT:
        yield item("job", call, "", "assistant", key=call["id"], status="ended")  # what ran under the call's own id
    if started:
        more = {"key": started.group(1), "path": quote(started.group(2) or "", 300), "tool": call["tool"]}
        yield item("job", call, task, "assistant", **more)
    elif call["tool"] in SUBAGENT:
        running = call["ok"] is None and not call["rejected"]
        yield item("job", call, task, "assistant", key=call["id"], status="open" if running else "ended")
    elif call["tool"] not in RUNNING and call["ok"]:
        stopped = text_of(call["input"], "shell_id") or text_of(call["input"], "task_id")
        yield item("job", call, "", "client", key=stopped, status="ended")


# --- names and paths in what tools showed ---


def shown_text(call: Record) -> str:
    """The text in which a call showed or changed files; empty when it did neither."""
    if call["tool"] in (*CHANGING, "Read"):
        return text_of(call, "body") if re.search(f"{SOURCE}$", call["path"]) else ""
    if call["tool"] in ("Grep", "Glob"):
        return text_of(call, "body")
    return text_of(call, "output") if re.match(LISTING, call["command"]) else ""


def names_in(text: str, position: int) -> dict[str, list[int]]:
    """Names of a source text that look like words joined, each with how often it stands there and where in the session.

    A name right behind a quote, `=` or `:` may be a value, a password among them; it does not count.
    """
    counts, text = dict[str, list[int]](), redact(text) if "PRIVATE KEY" in text else text
    names = re.compile(NAME).findall
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
    return dict(sorted({**old, **both}.items(), key=lambda one: one[1][1])[-MOST_OF_A_FILE:])


# --- which of them matter most ---


def lately(position: int, now: int) -> float:
    """How much of what a tool showed still counts at the position `now`."""
    return LEAST + exp((position - now) / FADE)


def ranked_names(items: Iterable[Record], now: int) -> list[list[str]]:
    """Names with the file where each counts most, the best first: seen often, lately, and short."""
    found: dict[str, tuple[float, str]] = {}
    for one in items:
        for name, (count, position) in one.get("names", {}).items():
            points = log1p(count) * lately(position, now) * (CAPITAL if name[0].isupper() else 1) / len(name)
            found[name] = max(found.get(name, (0.0, "")), (points, one["text"]))
    best = sorted(found.items(), key=lambda one: one[1], reverse=True)
    return [[name, path] for name, (_, path) in best[:MOST_NAMES]]


def ranked_found(items: Sequence[Record], now: int) -> list[str]:
    """The files that searches and listings named, and that were not opened, the best first."""
    opened = {one["key"] for one in items if one["kind"] == "file"}
    found = [one for one in items if one["kind"] == "found" and one["text"] not in opened]
    found.sort(key=lambda one: -log1p(one["uses"]) * lately(one["position"], now))
    return [one["text"] for one in found[:MOST_FOUND]]


def main() -> int:
    """0 when the names in the text on stdin were printed."""
    print("\n".join(names_in(sys.stdin.read(), 0)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
