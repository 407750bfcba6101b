#!/usr/bin/env python3
"""Put back what a compaction dropped: score the saved items, select within the budget, word them, once.

A hook for SessionStart with the matcher `compact`. One pipeline:
    read the snapshot -> score -> word -> select within the budget -> claim it -> print
Reads   the hook's JSON on stdin; sessions/<session_id>/snapshot.json and pins.jsonl of this session alone; the
        last lines of the transcript, for a prompt that was not in the file when the snapshot was saved; .git of
        the working folder (no process is started).
Prints  JSON: hookSpecificOutput.additionalContext for the model, at most 9,500 UTF-16 units (the client cuts at
        10,000), what matters most in the first 2,000; a systemMessage line for the person. Nothing for another
        event, a subagent, an old snapshot, or one that was put back already.
Writes  a mark that this snapshot was put back (it is not deleted), and one line in events.jsonl.
Words   are facts with their source: what the user typed is quoted as typed; what a tool printed is short, on one
        line and named as its output. Nothing in it is an order of ours.
To use a copy of this file alone, put it into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \\"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import exp, prod

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms that every hook would pay
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

HARD_STOP, LATE_ROOM = 9_500, 500  # UTF-16 units: printed at most; above the budget for a prompt that came late
LATE_TAIL = 64 << 10  # bytes of the transcript's end that are read for it
SHOWN = {"request": 360, "earlier": 220, "question": 200}  # UTF-16 units of the words in these lines
COMMAND_SHOWN, SHORT_COMMAND = 160, 50  # UTF-16 units: of a command; of one that only looks, to be told at all

# --- the ranking's numbers; tests/bench/fit.py says how they were found, `--preview --why` shows them at work ---
WEIGHTS = {
    "pin": 10.0, "rule": 3.0, "request": 2.0, "question": 2.0, "task": 2.0, "failure": 1.8, "answer": 1.6, "plan": 1.6,
    "dead end": 1.4, "decision": 1.2, "job": 1.2, "wish": 1.0, "command": 1.0, "file": 1.0, "claim": 0.8, "value": 0.6}
DURABLE = ("pin", "rule")  # these fade neither with their place in the session nor with cycles
SAID_ONCE = (  # these fade with cycles alone
    "wish", "answer", "plan", "decision", "dead end", "job", "value", "task", "failure")
SHORT_SESSION = 400  # records; in a shorter session nothing is old yet
CHECKING = re.compile(  # commands that build, test or run this project: the ones to know again
    r"\b(?:tests?|build|lint|check|vet|fmt|format|pytest|jest|vitest|tox|mypy|ruff|tsc|make|migrate|deploy|cargo"
    r"|gradlew?|mvn|run)\b")
WRAPPING = r"^(?:cd \S+ && )+|(?: 2>&1)?(?: \| (?:tail|head)[^|]*)?$"  # what says nothing of a command itself
VERIFYING = r"(?!git )(?i:.{0,60}\b(?:(?:py)?tests?|build|lint|check|clippy|vet|jest|tox|mypy|ruff|tsc|spec)\b)"
LOOKING = re.compile(  # commands that only look: they seldom matter later
    r"(?:cat|ls|grep|rg|find|head|tail|sed -n|echo|pwd|cd|which|wc|tree|stat|sleep|git (?:status|diff|log|show))\b")
BOOSTS = {"marker": 1.5, "checking": 1.6, "looking": 0.3}
LONG = 80  # UTF-16 units of a command that halve its score: a long one is seldom run again
LEAST = 0.1  # score; of these kinds, what has less is left out even where there is room
FADING = ("file", "claim", "value", "decision", "dead end")
SECTIONS: tuple[tuple[str, tuple[str, ...], float, float], ...] = (  # kinds, shares; "Tasks" begins within 2,000 units
    ("Pinned by the user", ("pin",), 0.38, 0.38),
    ("The user's rules, in their own words", ("rule",), 0.07, 0.07),
    ("Asked now", ("request", "question"), 0.08, 0.08),
    ("Where the work stood", ("state",), 0.05, 0.05),
    ("Tasks", ("plan", "task"), 0.10, 0.16),
    ("Failing when the compaction came", ("failure", "dead end"), 0.08, 0.18),
    ("More of what the user said", ("rule", "answer", "wish"), 0.26, 0.45),
    ("Decided", ("decision",), 0.05, 0.10),
    ("Commands and how they ended", ("command", "looked"), 0.12, 0.20),
    ("Files, with names looked at or changed there", ("file", "read", "found"), 0.45, 0.55),
    ("Running", ("job",), 0.03, 0.06),
    ("Claimed by the assistant", ("claim",), 0.03, 0.04),
    ("Addresses and ports, in the sentence that named them", ("value",), 0.03, 0.07),
    ("Earlier requests", ("earlier",), 0.05, 0.12),
)
SCARCE, AMPLE = ("wish", "earlier", "claim", "decision"), 9_000  # kinds; UTF-16 units of a budget with room for them
UNOPENED = {"kind": "file", "who": "tool", "last": "", "position": 0, "cycle": 0, "uses": 0, "status": "open"}
NAMES_SHARE, FOUND_SHARE = 0.30, 0.07  # of the budget: names beside their files, files that a search found
HEADER = ("compact-keeper: facts from before this compaction, from the transcript and tool events. Quotes are as typed "
          "or printed; times count back from it.")
TYPED, SAID = '- "{text}" ({how} {when}{ends})', '- "{text}" ({who}, {when})'
WORDING = {  # of a line, by kind
    "pin": TYPED, "rule": TYPED, "wish": TYPED, "decision": SAID, "dead end": "- Tried: " + SAID[2:], "value": SAID,
    "state": "- {text}", "claim": '- "{text}" ({who}, {when}; {evidence})',
    "request": "- The user's newest request ({when}): {words}", "earlier": "- {words} ({when}{became})",
    "question": "- Asked the user and not answered yet ({when}): {words}", "task": "- {mark} {text}{after}",
    "answer": '- Asked "{question}", the user answered: "{text}" ({when})',
    "rejected": "- The user did not allow {name} ({when})",
    "plan": '- Plan "{text}": {status} ({when}){place}', "job": "- {name} was running as {key} ({when}){place}",
    "failure": "- {name} {ended}{times} ({when}): {error}", "command": "- {name} {ended}{runs}, {when}",
    "file": "- {name} {done}, {when}{names}", "looked": "{name}", "read": "{name}", "found": "{name}"}
IN_A_ROW = {  # these items stand on one line
    "looked": "- Looked with {}", "read": "- Read: {}", "found": "- Named by searches and listings: {}"}
HOW = {"pin": "pinned", "rejection": "said when rejecting a tool call", "interrupt": "said after interrupting"}
MARKS = {"completed": "[x]", "in_progress": "[ ] in progress:"}

# --- shared: fields ---
def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}
# --- end of shared: fields ---


# --- shared: hook ---
# Input, log and exit. Shared blocks stand in each script, as each must work when copied alone; a test holds them equal.
STDIN_LIMIT = 4 << 20  # bytes
SESSION_ID = re.compile(r"(?!\.+\Z)[A-Za-z0-9._-]{1,128}\Z")  # it becomes a folder's name


class Refusal(Exception):
    """Says why an input or a file is not used."""


def read_input() -> Record:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    data = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_LIMIT else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: text_of(data, name) for name in ("transcript_path", "cwd")}
    return {**data, **{name: path if os.path.isabs(path) and "\0" not in path else "" for name, path in paths.items()}}


def log(message: str) -> None:
    """One line in hook.log, and on stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + quote(f"{os.path.basename(__file__)}: {message}", 500)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > 256 << 10:  # a long log starts anew, the old one stays
            os.replace(path, path + ".1")
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def run_hook(body: Callable[[Record], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault}")
    return 0
# --- end of shared: hook ---


# --- shared: files ---
# The data folder: folders 0700, files 0600, nothing written through a link, JSON files replaced as a whole.
SCHEMA = 1  # of every file and line we write; a file with another number is left alone
NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def data_home() -> str:
    """The data folder: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper")


def private_folder(*names: str) -> str:
    """A folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing."""
    handle = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "ab", buffering=0) as file:
        file.write((line + "\n").encode("utf-8", "replace"))


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(8 << 20))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}
# --- end of shared: files ---


# --- shared: words ---
# Text on its way to disk or to the model: disarmed, secrets out, cut. Cut last: half a token is not seen as one.
TEXT_LIMIT = 100_000  # characters looked at; what is longer is a pasted log
NAMED = (r"(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|account|private|auth)[_-]?key|credentials?"
         r"|(?<![A-Za-z])(?:pass|pwd|auth))(?:_(?:key|base|value))?")
PREFIXES = ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glsa_ xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- "
            "sk- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_ AIza ya29. GOCSPX- npm_ pypi- hf_ SG. dop_v1_ "
            "doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ lin_api_ hvs. hvb. ATATT3 AGE-SECRET-KEY-1 AKIA ASIA eyJ dapi "
            "dp.pt. dp.st. figd_ gsk_ xai- pplx- ntn_ dckr_pat_ PMAK- sbp_ sntrys_").split()  # how tokens begin
SECRETS = (  # kind, words of which one must occur before the pattern is tried, pattern; `keep` stays
    ("private key", ("private key",), r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|\Z)"),
    ("webhook", ("webhooks/", "slack"), r"(?P<keep>slack\.com/services/|/webhooks/)[\w-]+/(?:\w+/)?[\w-]{16,}"),
    ("token", (*map(str.lower, PREFIXES), "atlasv1", ":aa"),
     rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, PREFIXES))}|\w{{14}}\.atlasv1\.|\d{{8,10}}:AA)"
     r"(?=[\w.=-]{0,60}\d)[\w.=-]{16,}"),
    ("url password", ("://",),
     r"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted)(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{16,})(?=@)"),
    ("authorization", ("bearer", "basic"), r"(?i)(?P<keep>\b(?:bearer|basic) +)(?=\S{0,60}\d)[\w+/=.~-]{12,}"),
    ("password", ("pass", "pwd", "secret", "token", "key", "credential", "auth"),
     rf"(?i)(?P<keep>{NAMED}[\"']?:?=[\"']?|{NAMED}\\?[\"']?\s{{0,9}}(?::?=>?|:)\s{{0,9}}\\?[\"']|--?{NAMED}[ =][\"']?"
     rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|{NAMED}:\s{{0,9}}(?=[^\s\[]{{0,60}}\d)(?=\S{{6}}))"
     r"(?!\[redacted|[$<*{(]|(?:true|false|null|same-origin)\b)[^\s\"'&;,\\]{4,}"),
    ("password", ("curl ", "sshpass ", "mysql"),
     r"(?P<keep>\bcurl\b[^\n]{0,300}? (?:-u|--user)[ =]?[\"']?[^\s:\"']+:|\bsshpass -p ?|\bmysql[^\n]{0,99}? -p)"
     r"(?!\[redacted)[^\s\"']{4,}"),
)
CONTROLS = (r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
            r"|[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
TAGS = (r"(?i)[<\ufe64\uff1c](?=[\s\u200c\u200d/]{0,9}(?:system|user|human|assistant|command|local-|bash-|task-|team"
        r"|tool|function|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper))")


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end when something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"


def clean(text: str) -> str:
    """The text, if long its beginning, without controls and lone surrogates, tags of the client's own kind disarmed."""
    text = text[:TEXT_LIMIT]
    if not text.replace("\n", "").isprintable():
        text = "\n".join(re.sub(CONTROLS, "", text).splitlines()).rstrip("\n").encode("utf-8", "replace").decode()
    return re.sub(TAGS, "‹", text)


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; doing it twice changes nothing."""
    lower = text.lower()
    for kind, hints, pattern in SECRETS:
        if any(map(lower.__contains__, hints)):
            text = re.sub(pattern, rf"\g<keep>[redacted: {kind}]" if "<keep>" in pattern else f"[redacted: {kind}]",
                          text, flags=re.DOTALL)
    return text


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read."""
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    line = line if len(line) < enough else line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""
# --- end of shared: words ---


# --- shared: transcript ---
# A transcript's lines, and which words in them a person typed.
LINE_LIMIT = 16 << 20  # bytes; a pasted picture has a few MB, a longer line is passed over
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.329)
    "<command-", "<local-command", "<bash-", "<task-", "<teammate-", "<user-prompt-submit", "[Request interrupted by",
    "Caveat: The messages", "This session is being continued", "Implement the following plan:", "Stop hook feedback",
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"')
DECODER = json.JSONDecoder()
MACHINE_FLAGS = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent")
CLIENT_COMMANDS = frozenset(  # what follows these is no word to the agent
    "add-dir agents clear compact config context cost doctor effort exit export fast help hooks ide login logout mcp "
    "memory model output-style permissions plugin quit rename resume rewind status theme usage vim".split())


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=1 << 20) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_LIMIT)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_LIMIT and (more := file.readline(LINE_LIMIT)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def parse_line(line: bytes) -> list[Record]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, found = line.decode("utf-8", "replace").strip(), []
    try:
        while text:
            record, end = DECODER.raw_decode(text)
            found.append(record)
            text = text[end:].lstrip()
    except (ValueError, RecursionError):
        pass
    return [record for record in found if isinstance(record, dict)]


def content_blocks(record: Record) -> list[Record]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def typed_text(record: Record) -> str:
    """The words that a person typed in this record; empty when a program made it."""
    queued = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    told, origin = {**record, **queued}, queued.get("origin", record.get("origin"))
    by_program = (isinstance(origin, dict) and origin.get("kind") != "human") or record.get("promptSource") == "system"
    prompted = record.get("type") == "attachment" and queued.get("commandMode") == "prompt"
    if by_program or any(told.get(flag) for flag in MACHINE_FLAGS) or not (prompted or record.get("type") == "user"):
        return ""
    blocks = content_blocks({"message": {"content": queued.get("prompt")}} if prompted else record)
    return "\n".join(filter(None, (own_words(text_of(block, "text")) for block in blocks)))


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it."""
    name = re.match(r"\s*/([\w:-]+)(?:\s|\Z)", text) or re.search(r"<command-name>/?([\w:.-]+)", text)
    if name and (name.group(1) in CLIENT_COMMANDS or text.lstrip().startswith("<command-")):
        told = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return f"/{name.group(1)}:\n{told}" if told and name.group(1) not in CLIENT_COMMANDS else ""
    text = re.sub(r"<(system-reminder|ide_\w+)>.*?(?:</\1>|\Z)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()
# --- end of shared: transcript ---


# --- score ---


def score_terms(one: Record, snapshot: Record) -> dict[str, float]:
    """The factors of an item's score: recency², weight of its kind, marker, use, age in cycles."""
    used, durable, text = snapshot["used"], one["kind"] in DURABLE, one["text"]
    behind = 0 if durable or one["kind"] in SAID_ONCE or one.get("wished") else snapshot["position"] - one["position"]
    use = 1.0 + 0.1 * min(max(one["uses"] - 1, 0), 10)
    if one["kind"] in ("command", "failure"):
        use *= BOOSTS["looking"] if LOOKING.match(one["key"]) else BOOSTS["checking"] if CHECKING.search(text) else 1.0
    return {
        "recency²": max(1 - behind / max(snapshot["position"], SHORT_SESSION), 0.05) ** 2,
        "weight": used["weights"].get(one["kind"], WEIGHTS.get(one["kind"], 1.0)),
        "marker": BOOSTS["marker"] if one["who"] == "user" and any(map(text.__contains__, used["markers"])) else 1.0,
        "use": use,
        "short": 1 / (1 + len(text) / LONG) if one["kind"] == "command" else 1.0,
        "age": 1.0 if durable else exp(-max(snapshot["cycle"] - one["cycle"], 0) / used["half_life"]),
    }


def best_names(snapshot: Record, room: float) -> dict[str, list[str]]:
    """For each file the names that matter most, best first, within so many UTF-16 units."""
    chosen: dict[str, list[str]] = {}
    for name, path in snapshot["names"]:
        room -= len(name) + 4
        if room > 0:
            chosen.setdefault(path, []).append(name)
    return chosen


# --- word: one line an item, with its source and time ---


def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)", stamp)
    if not found:
        return 0
    year, month, day, hour, minute, second = map(int, found.groups())
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def ago(stamp: str, now: int) -> str:
    """How long before the compaction that was."""
    minutes = (now - moment(stamp)) // 60
    if not stamp or not now:
        return "earlier"
    return "just before" if minutes < 1 else f"{minutes} min before" if minutes < 120 else f"{minutes // 60} h before"


def code(text: str, folder: str) -> str:
    """The text as inline code, paths as seen from the working folder, whatever ticks are in it."""
    text = cut(text.replace(folder + "/", "") if folder else text, COMMAND_SHOWN)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def spoken(text: str, limit: int) -> str:
    """Words on one line in quotation marks, at most `limit` units; a long text loses its middle, and says so."""
    line = " ".join(text.split())
    if units(line) <= limit:
        return f'"{line}"'
    start, end = cut(line, limit * 2 // 3), line[-limit // 6:]
    return f'"{start}" [{len(line) - len(start) - len(end)} characters left out] "…{end}"'


def line_of(one: Record, kind: str, when: str, folder: str) -> str:
    """The line that tells the item: the wording of its kind, filled in."""
    uses, edits, exit_code, path = one.get("uses", 1), one.get("edits", 0), one.get("exit"), one.get("path")
    names, named = one.get("shown_names"), one["question"] if kind == "answer" else one["text"]
    return WORDING["rejected" if one["status"] == "rejected" else kind].format_map({
        **one, "text": " ".join(one["text"].split()), "when": when, "name": code(re.sub(WRAPPING, "", named), folder),
        "words": spoken(one["text"], SHOWN.get(kind, HARD_STOP)),
        "became": f", {one['status']}" if one["status"] != "open" else "",
        "how": HOW.get(one.get("via") or kind, "typed"), "ends": ", ending an earlier rule" * bool(one.get("ends")),
        "mark": MARKS.get(text_of(one, "status"), "[ ]"),
        "after": f" (after {one['after']})" if one.get("after") else "",
        "ended": "passed" if one.get("ok") else f"failed with exit code {exit_code}" if exit_code else "failed",
        "times": f", {uses} times" if uses > 1 else "", "runs": f", {uses} runs" if uses > 1 else "",
        "done": f"changed {edits} times" if edits > 1 else "changed" if edits else "read" if uses else "searched",
        "names": ": " + ", ".join(f"`{name}`" for name in names) if names else "",
        "place": f", {'output ' if kind == 'job' else ''}in {code(path, folder)}" if path else ""})


def evidence(claim: Record, items: Sequence[Record], now: int) -> str:
    """What the session's commands say of a claim: the last check that ran, and whether files changed after it."""
    word = re.search(r"(?i)\b(push|commit|merge|deploy|publish)", claim["text"])
    pattern = rf".{{0,60}}\b{word.group(1).lower()}" if word else VERIFYING
    runs = [one for one in items if one["kind"] == "command" and re.match(pattern, one["key"])
            and not LOOKING.match(one["key"])]
    if not runs:
        return "no command seen that shows it"
    newest = max(runs, key=lambda one: text_of(one, "last"))
    changed = any(one.get("edits") and one["last"] > newest["last"] for one in items)
    ended = f"`{cut(newest['text'], 60)}` {'passed' if newest.get('ok') else 'failed'} {ago(newest['last'], now)}"
    return ended + (", files changed after it" if changed and newest.get("ok") and not word else "")


# --- where the work stood ---


def state_items(snapshot: Record) -> list[Record]:
    """Mode and language, the assistant's last words, folder and git, as items."""
    state, items = snapshot["state"], snapshot["items"]
    cwd, spoken_in = text_of(state, "cwd"), text_of(state, "language") if snapshot["used"]["language_line"] else ""
    told = [mode(items) + (f"; the user writes in {spoken_in}" if spoken_in else "")]
    if text_of(state, "last_words"):
        told.append(f"The assistant's last words: {spoken(state['last_words'], 240)}")
    if cwd:
        told.append(f"Working folder {cwd}{git_state(cwd, text_of(state, 'gitBranch'))}")
    as_item = {"kind": "state", "last": "", "position": 0, "status": "open"}
    return [{**as_item, "text": text, "score": 9.0 - number} for number, text in enumerate(told)]


def mode(items: list[Record]) -> str:
    """Whether the work waits for the user, changes files or is talked over."""
    if any(one["kind"] == "question" or one["status"] == "waiting for approval" for one in items):
        return "Waiting for the user's answer"
    asked = max((one["position"] for one in items if one["kind"] == "request"), default=0)
    changed = any(one.get("edits") and one["position"] >= asked for one in items)
    return f"{'Implementing: files were' if changed else 'Discussing: no file was'} changed since the newest request"


def git_state(folder: str, branch_then: str) -> str:
    """Branch and HEAD of the folder's repository now, read from .git; outside of one the branch told last."""
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return f", branch {branch_then} then" if branch_then else ""
    git = os.path.join(folder, ".git")
    if os.path.isfile(git):  # of a worktree or submodule: the file names the folder
        git = os.path.join(folder, first_line(git).partition("gitdir: ")[2])
    head = first_line(os.path.join(git, "HEAD"))
    ref = head.partition("ref: ")[2]
    common = os.path.join(git, first_line(os.path.join(git, "commondir")))
    commit = first_line(os.path.join(common, ref)) or packed_ref(common, ref) if ref else head
    branch = ref.partition("refs/heads/")[2] or "none (detached)"
    then = f" (was {branch_then} at the last message)" if branch_then not in ("", "HEAD", branch) else ""
    return f", branch {quote(branch, 200)}{then}, HEAD {quote(commit[:12], 12) or 'without a commit'}"


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.readline(4_096).decode("utf-8", "replace").strip()
    except (OSError, ValueError, Refusal):
        return ""


def packed_ref(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when it is not there."""
    path, end = os.path.join(git, "packed-refs"), f" {ref}\n".encode("utf-8", "replace")
    lines = read_lines(path, 0, 4 << 20) if os.path.isfile(path) else ()
    return next((line[:40].decode() for _, line in lines if line.endswith(end)), "")


# --- select: the lines that the budget allows ---


def shown_as(one: Record, newest: Record | None, failing: set[str]) -> str:
    """The kind under which an item is shown; empty when it is not."""
    kind, text = one["kind"], one["text"]
    if kind == "request":
        return "request" if one is newest else "wish" if one.get("wished") else "earlier"
    if kind == "command" and LOOKING.match(one["key"]):
        return "looked" if one.get("ok") and len(text) <= SHORT_COMMAND else ""
    if kind == "command":
        return "" if not one.get("ok") and one["key"] in failing else "command"
    if kind == "file" and not one.get("edits") and not one.get("shown_names"):
        return "read"
    return str(kind)


def with_names(items: Iterable[Record], named: dict[str, list[str]]) -> list[Record]:
    """The items, each file with its names; a file that has names but was neither read nor changed becomes one."""
    files = {path: {**UNOPENED, "text": path} for path in named}
    files.update({one["text"]: one for one in items if one["kind"] == "file"})
    others = [one for one in items if one["kind"] != "file"]
    return others + [{**one, "shown_names": named.get(path)} for path, one in files.items()]


def best_found(snapshot: Record, room: float) -> Iterator[Record]:
    """The files that searches and listings named, by their last two parts, within so many units."""
    for path in snapshot["found"]:
        short = "/".join(path.split("/")[-2:])
        room -= len(short) + 4
        if room > 0:
            yield {**UNOPENED, "kind": "found", "text": short, "score": 1.0}


def candidates(snapshot: Record) -> list[Record]:
    """The items that may be shown, each with its score and line, the best first."""
    now, folder = moment(snapshot["time"]), text_of(snapshot["state"], "cwd")
    budget = snapshot["used"]["budget"]
    items = with_names(snapshot["items"], best_names(snapshot, NAMES_SHARE * budget))
    items += best_found(snapshot, FOUND_SHARE * budget)
    live = [one for one in items if one["kind"] == "request" and one["status"] == "open"]
    newest = max(live, key=lambda one: int(one["position"]), default=None)
    failing, shown = {one["key"] for one in items if one["kind"] == "failure"}, []
    for one in [*items, *state_items(snapshot)]:
        kind = shown_as(one, newest, failing)
        terms = {} if "score" in one else score_terms(one, snapshot)
        points = one.get("score") or prod(terms.values())
        if kind and not (kind in FADING and points < LEAST and not one.get("shown_names")):
            told = {**one, "evidence": evidence(one, items, now)} if kind == "claim" else one
            line = line_of(told, kind, ago(one["last"], now), folder)
            shown.append({**one, "kind": kind, "terms": terms, "score": points, "line": line, "units": units(line) + 2})
    return sorted(shown, key=lambda one: (-one["score"], -one["position"]))


def select(ranked: list[Record], budget: int) -> list[list[Record]]:
    """For each section its items: up to its floor first, then up to its cap while the budget lasts.

    A section that stands earlier is served earlier. An item is shown whole or not at all, and its words once.
    """
    chosen: list[list[Record]] = [[] for _ in SECTIONS]
    left, told = budget - units(HEADER), ""
    for is_full in (False, True):
        for (heading, kinds, floor, cap), mine in zip(SECTIONS, chosen):
            scarce = min(budget / AMPLE, 1.0) if kinds[-1] in SCARCE else 1.0
            for one in [one for one in ranked if one["kind"] in kinds and "taken" not in one]:
                size = one["units"] + (0 if mine else units(heading) + 5)
                room = (cap if is_full else floor) * scarce * budget - sum(other["units"] for other in mine)
                if size <= left and one["units"] <= room and repeated(one) not in told:
                    one["taken"], left, told = True, left - size, told + one["line"]
                    mine.append(one)
    return chosen


def repeated(one: Record) -> str:
    """What needs no second line when it stands in another: some kinds' words, of the others the line itself."""
    return str(one["text"][:120] if one["kind"] in ("wish", "value", "earlier") else one["line"])


def render(snapshot: Record) -> str:
    """The text that is put back; empty when there is nothing to tell."""
    return worded(select(candidates(snapshot), snapshot["used"]["budget"])) if snapshot["items"] else ""


def worded(chosen: list[list[Record]]) -> str:
    """The header and the sections with their lines."""
    parts = [HEADER]
    for section, mine in zip(SECTIONS, chosen):
        lines: list[str] = []
        for kind in section[1]:
            of_kind = [one for one in mine if one["kind"] == kind]
            if kind == "task":  # as they were listed, not by score
                of_kind.sort(key=lambda one: (one.get("list", ""), one.get("order", 0), one["position"]))
            told = [one["line"] for one in of_kind]
            lines += [IN_A_ROW[kind].format(", ".join(told))] if kind in IN_A_ROW and told else told
        parts += ["\n".join([f"## {section[0]}", *lines])] if lines else []
    return "\n\n".join(parts)


# --- deliver: once, with what came late ---


def with_pins(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins of this session, word for word."""
    path, pins, at = os.path.join(folder, "pins.jsonl"), [], {"source": "pins", "position": 0, "cycle": 0}
    for _, line in read_lines(path, 0, 1 << 20) if os.path.isfile(path) else ():
        pins += [item("pin", {**at, "time": text_of(pin, "time")}, quote(pin["text"], 2_000), "user")
                 for pin in parse_line(line) if text_of(pin, "text")]
    return {**snapshot, "items": pins + snapshot["items"]}


def late_prompt(transcript: str, since: str, text: str) -> str:
    """A prompt that came into the transcript after the snapshot, as a section; empty when there is none."""
    size = os.path.getsize(transcript) if os.path.isfile(transcript) else 0
    newest = ""
    for _, line in read_lines(transcript, max(size - LATE_TAIL, 0), size) if size else ():
        for record in parse_line(line):
            newest = (typed_text(record) if text_of(record, "timestamp") > since else "") or newest
    shown = quote(newest, LATE_ROOM - 60)
    return f'\n\n## Typed while it compacted\n- "{shown}"' if shown and f'"{shown[:100]}' not in text else ""


def claim(folder: str, snapshot_id: str) -> bool:
    """Whether this process may put the snapshot back: the first to make its mark, of two that were installed."""
    for name in os.listdir(folder):
        if name.startswith("delivered-") and name != f"delivered-{snapshot_id}":
            os.unlink(os.path.join(folder, name))
    try:
        os.close(os.open(os.path.join(folder, f"delivered-{snapshot_id}"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def told_to_person(shown: list[Record], size: int) -> str:
    """What the person is told: how much of which kind was put back, and how long the text is."""
    counts = {"rule": sum(one["kind"] in DURABLE for one in shown),
              "open task": sum(one["kind"] == "task" and one["status"] != "completed" for one in shown),
              "file": sum(one["kind"] == "file" and one.get("edits", 0) > 0 for one in shown),
              "failing command": sum(one["kind"] == "failure" for one in shown)}
    told = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count)
    return f"compact-keeper: put back {told or 'what was asked'} ({size:,} characters)"


def restore(data: Record) -> None:
    """The hook: prints the session's snapshot after a compaction, once and only while it holds."""
    compacted = text_of(data, "hook_event_name") == "SessionStart" and data.get("source") == "compact"
    if not compacted or text_of(data, "agent_id"):
        return
    if not os.path.isdir(os.path.join(data_home(), "sessions", data["session_id"])):
        return
    started, folder = time.time(), private_folder("sessions", data["session_id"])
    snapshot = read_store(os.path.join(folder, "snapshot.json"))
    holds = 0 <= started - snapshot.get("created", 0) <= snapshot.get("ttl", 0)
    if snapshot.get("session") != data["session_id"] or not holds:
        return
    snapshot = with_pins(snapshot, folder)
    if not snapshot["items"]:
        return
    budget = snapshot["used"]["budget"]
    chosen = select(candidates(snapshot), budget)
    text = worded(chosen)
    late = late_prompt(data["transcript_path"], snapshot["time"], text)
    text = cut(text + late, min(budget + LATE_ROOM, HARD_STOP))
    if not claim(folder, snapshot["id"]):
        return
    size, context = units(text), {"hookEventName": "SessionStart", "additionalContext": text}
    message = told_to_person([one for section in chosen for one in section], size)
    os.write(1, json.dumps({"hookSpecificOutput": context, "systemMessage": message}).encode())
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps({
        "schema": SCHEMA, "time": started, "event": "restore", "session": data["session_id"],
        "units": size, "ms": int((time.time() - started) * 1000)}))


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    if "--help" in (sys.argv if argv is None else argv):
        print(__doc__)
        return 0
    return run_hook(restore)


if __name__ == "__main__":
    raise SystemExit(main())
