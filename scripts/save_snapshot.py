#!/usr/bin/env python3
"""Save what a compaction would lose: read what is new in the session, keep its items with their source.

A hook for PreCompact and Stop: read (transcript, ledger) -> items -> merge with memory, pruned -> store. catch_up.py
starts it at SessionStart, where the session has gone on since the last save.
Reads   the hook's JSON on stdin; the transcript from where the last save stopped, at most its last 8 MB, and of
        what lies before that on a first read only the lines with typed words; the session's ledger; the settings.
Writes  sessions/<session_id>/memory.json (every item known, how far was read), snapshot.json (what restore_snapshot.py
        chooses from).
Prints  on PreCompact under 600 characters for the summariser: what to keep verbatim, what comes back separately.
Keeps   to typed words: no rule comes from a tool's output, a page, a summary or our own text. Secrets are replaced
        before anything is written. A subagent's compaction changes nothing here.
Alone   it keeps requests; with the two interpret_*.py beside it all; what a missing file would do is left out.
By hand: save_snapshot.py --preview [TRANSCRIPT] [--why]    (needs preview_snapshot.py beside it)
To use copies, put the files into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \\"$CLAUDE_PROJECT_DIR/.claude/hooks/save_snapshot.py\\" || true"}]}]}}
COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens; a fault leaves the files as they were. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import exp

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms that every hook would pay
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

sys.modules.setdefault("save_snapshot", sys.modules[__name__])  # for what imports from it when it was started directly
SEEN_IDS, MOST_ROOTS, SAID_READ = 2_000, 20, 16_000  # what may come again, begin a fork; characters looked through
SHOWN = 500  # UTF-16 units of a command, a path, an item's words: one number, so that no text is quoted twice
IDENTIFIER = re.compile(r"[\w.:-]{1,128}\Z")  # of rows, calls, tools and moments; else not kept
INSTRUCTIONS = (  # under 600 characters: on a manual /compact the client echoes them into the new context
    "compact-keeper: Keep word for word, in quotes, the user's standing rules, corrections and newest request. Put "
    "back separately: rules, tasks, changed files, commands with outcome, failures. So spend the summary on reasons, "
    "decisions, rejected alternatives, what was learned, what is half done. Call done only what was seen to work, the "
    "rest claimed. Write in the language that the user writes in.\n")
CLOSED = ("cleared", "answered", "gone", "ended", "replaced", "superseded")  # not kept any more
KEPT_LONGER = {  # worth when there are too many items, 1 where none is named; all but a rule's fades with cycles
    "rule": 5, "task": 4, "answer": 4, "plan": 4, "question": 4, "request": 3, "wish": 3, "failure": 2, "found": 0.3}
UNREAD_INPUT = ("Edit", "Write", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "Read", "Grep", "Glob")
UNTOLD_MARKS = (b'"type":"progress"', b'"content":[{"type":"thinking"')  # lines of these have nothing to keep
REJECTION, SHORTEST = 2_000, 40  # bytes: within which a result's line says so; least of a line that tells anything
TYPED_MARKS = (b'"type":"user"', b'"queue-operation"', b'"queued_command"', b'"compact_boundary"')

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
SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


class Refusal(Exception):
    """Says why an input or a file is not used."""


def read_input() -> Record:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    data = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_LIMIT else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: text_of(data, name) for name in ("transcript_path", "cwd")}
    usable = {name: os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
              for name, path in paths.items()}
    return {**data, **{name: path * usable[name] for name, path in paths.items()}}


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


def place_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


def run_hook(body: Callable[[Record], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0
# --- end of shared: hook ---


# --- shared: files ---
# The data folder: folders 0700, files 0600, nothing written through a link, JSON files replaced as a whole.
SCHEMA = 1  # of every file and line we write; a file with another number is left alone
NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def data_home() -> str:
    """The data folder: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """A folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
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
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        torn = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" * bool(torn) + line + "\n").encode("utf-8", "replace"))


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


# --- shared: replace ---
def replace_store(path: str, data: Record) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False).encode("utf-8", "replace"))
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
# --- end of shared: replace ---


# --- shared: project ---
def project_folder(data: Record) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())
# --- end of shared: project ---


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


# --- shared: errors ---
TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error")


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= 16_000:  # no half of a word at the cut: half a token would not be seen as one
        output = re.sub(r"\S{1,999}\Z", "", output[:12_000]) + "\n" + re.sub(r"\A\S{1,999}", "", output[-4_000:])
    lines = [line.strip()[:2_000] for line in redact(clean(re.sub(r"</?tool_use_error>", "", output))).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    found = (line for pattern in TELLING for line in lines if re.search(pattern, line))
    return quote(next(found, lines[-1] if lines else ""), 240)
# --- end of shared: errors ---


# --- shared: beside ---
sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own


def beside(name: str) -> Any:
    """The module of that name from beside this file; None, with a line in the log, where it was not copied too."""
    try:
        return __import__(name)
    except ImportError as fault:
        log(f"{fault}; what it does is left out")
        return None
# --- end of shared: beside ---


# --- shared: transcript ---
# A transcript's lines, and which words in them a person typed.
LINE_LIMIT, GLUED = 16 << 20, 20  # bytes: a pasted picture has a few MB, a longer line is passed over; objects on it
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.329)
    "<command-", "<local-command", "<bash-", "<task-", "<teammate-", "<user-prompt-submit", "[Request interrupted by",
    "Caveat: The messages", "This session is being continued", "Implement the following plan:", "Stop hook feedback",
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"')
DECODER = json.JSONDecoder()
MACHINE_FLAGS = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent")
SILENT_COMMANDS = frozenset((  # what follows these is no word to the agent: the client's, the plugin's, those of a copy
    *"add-dir agents clear compact config context cost doctor effort exit export fast help hooks ide login logout mcp "
    "memory model output-style permissions plugin quit rename resume rewind status theme usage vim".split(),
    *(f"compact-keeper{mark}{name}" for mark in ":-" for name in "pin pins restore show stats unpin".split())))


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=1 << 17) as file:  # 1 << 20: 400 page faults
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
    text, found = line.decode("utf-8", "replace").strip(), list[object]()
    try:
        while text and len(found) < GLUED:
            record, end = DECODER.raw_decode(text)
            found.append(record)
            text = text[end:].lstrip()
    except (ValueError, RecursionError):
        pass
    return [record for record in found if isinstance(record, dict)]


def records_of(path: str, start: int, stop: int) -> Iterator[Record]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


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
    prompted = record.get("type") == "attachment" and queued.get("commandMode") == "prompt"
    blocks = content_blocks({"message": {"content": queued.get("prompt")}} if prompted else record)
    texts = [text for block in blocks if (text := text_of(block, "text"))]  # in tools' results there is none
    told, origin = {**record, **queued} if texts else {}, queued.get("origin", record.get("origin"))
    by_program = (isinstance(origin, dict) and origin.get("kind") != "human") or record.get("promptSource") == "system"
    if by_program or any(told.get(flag) for flag in MACHINE_FLAGS) or not (prompted or record.get("type") == "user"):
        return ""
    return "\n".join(filter(None, map(own_words, texts)))


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it."""
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    no_words = name and name.group(1) in SILENT_COMMANDS
    if name and (no_words or is_woven):
        told = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return f"/{name.group(1)}:\n{told}" if told and not no_words else ""
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()
# --- end of shared: transcript ---


# --- settings: config.json in the data folder; a project's .claude/compact-keeper.json adds to it ---
SETTINGS: Record = {  # with their defaults; check_settings.py says which values are taken
    "budget": 9_000, "max_items": 500, "ttl_minutes": 10, "half_life": 10, "retention_days": 30, "tail_bytes": 8 << 20,
    "weights": {}, "markers": ["IMPORTANT:", "REMEMBER:", "NOTE:", "CRITICAL:", "TODO:", "FIXME:"],
    "language_line": True, "instructions": True, "gate": "off", "gate_holds": 2, "gate_max": 0.90,
    "archive": True, "notes": True, "notes_file": "", "transcript_backup": "off"}


# --- shared: settings ---
def settings(project: str) -> Record:
    """The settings in force: the defaults, where there is no file that check_settings.py could look through."""
    paths = os.path.join(data_home(), "config.json"), os.path.join(project, ".claude", "compact-keeper.json")
    checking = beside("check_settings") if any(map(os.path.lexists, paths)) else None
    used: Record = checking.in_force(SETTINGS, *paths, log) if checking else SETTINGS
    return used
# --- end of shared: settings ---


# --- read: what is new in the session ---


class Reading:
    """What is new since the last save, as a stream of entries: words typed and said, calls, ends of jobs."""

    def __init__(self, memory: Record) -> None:
        self.calls: dict[str, Record] = {call["id"]: call for call in memory.get("pending", [])}
        self.stream: list[Record] = [*self.calls.values()]
        self.seen: dict[str, None] = dict.fromkeys(memory.get("seen", []))
        self.state: dict[str, str] = dict(memory.get("state", {}))
        self.position, self.cycle, self.time = memory.get("position", 0), memory.get("cycle", 0), memory.get("time", "")
        self.queue: list[str] = memory.get("queue", [])  # typed while the agent worked, not yet handed to it
        self.after: str = memory.get("after", "")  # what came just before: a boundary, an interrupt
        self.typed: list[str] = memory.get("typed", ["", ""])  # the newest words of transcript and ledger
        self.roots: list[str] = memory.get("roots", [])  # uuids by which a fork's transcript may begin

    def entry(self, what: str, source: str, **fields: Any) -> Record:
        """An entry at the present place of the session; what: typed, said, call, ended, plan or compacted."""
        return {"what": what, "time": self.time, "source": source, "position": self.position, "cycle": self.cycle,
                **fields}

    def add(self, record: Record) -> None:
        """Takes a record of the transcript; a re-appended row counts once, kinds unknown to us do not count."""
        kind, moment = record.get("type"), text_of(record, "timestamp")
        uuid = uuid if IDENTIFIER.match(uuid := text_of(record, "uuid")) else ""
        known = kind in ("user", "assistant", "attachment", "system", "queue-operation")
        if not known or uuid[-12:] in self.seen or record.get("isSidechain"):
            return
        self.seen.update({uuid[-12:]: None} if uuid else {})
        if uuid and (not self.roots or record.get("subtype") == "compact_boundary"):
            self.roots = [*self.roots[:1], *self.roots[1:][-MOST_ROOTS:], uuid]
        self.position += 1
        self.time = moment if IDENTIFIER.match(moment) else self.time
        for name in ("cwd", "gitBranch"):
            self.state[name] = text_of(record, name) or self.state.get(name, "")
        self.state["root"] = self.state.get("root") or self.state["cwd"]
        if kind == "queue-operation":
            self.add_queued(record.get("operation"), own_words(text_of(record, "content")))
        elif record.get("subtype") == "compact_boundary" or record.get("isCompactSummary"):
            if self.after != "boundary":  # a boundary and its summary are one compaction
                self.cycle += 1
                self.stream.append(self.entry("compacted", uuid))
            self.after = "boundary" if record.get("subtype") == "compact_boundary" else ""
        else:
            self.add_typed("" if kind == "assistant" else typed_text(record), uuid, "prompt")
            for block in content_blocks(record):
                self.add_block(block, record, uuid)

    def add_typed(self, text: str, source: str, via: str) -> None:
        """Words that a person typed, redacted before anything looks at them, once: the ledger may tell them too."""
        by_ledger, text = source == "ledger", redact(clean(text)) if text else ""
        if text and self.typed[not by_ledger] != text[:600]:
            via, self.after = "interrupt" if self.after == "interrupt" else via, ""
            self.stream.append(self.entry("typed", source, text=text, via=via))
        if text:
            self.typed[by_ledger], self.typed[not by_ledger] = text[:600], ""

    def add_queued(self, operation: object, text: str) -> None:
        """A prompt sent while the agent worked: counts when it leaves the queue, not when it is pulled back."""
        if operation == "enqueue":
            self.queue.append(cut(redact(clean(text)), 2_000))
        elif operation == "popAll":
            self.queue.clear()
        elif self.queue:
            self.add_typed(self.queue.pop(0), "queue", "queue")

    def add_block(self, block: Record, record: Record, source: str) -> None:
        """A block of a message: the assistant's words, a call, a result, or what the client tells in a user's place."""
        what, text = block.get("type"), text_of(block, "text").strip()
        by_model = record["type"] == "assistant" and record["message"].get("model") != "<synthetic>"
        if by_model and what == "text" and text:
            self.stream.append(self.entry("said", source, text=text))
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            self.add_call(text_of(block, "id"), text_of(block, "name"), block["input"])
        elif what == "tool_result":
            self.add_result(block, record.get("toolUseResult"))
        elif text.startswith("[Request interrupted"):
            self.after = "interrupt"
        elif text.startswith("<task-notification>"):
            self.stream += [self.entry("ended", source, key=job)
                            for job in re.findall(r"<task-id>(\w+)</task-id>", text)]
        elif text.startswith("Implement the following plan:"):  # approved in another session, which ended with it
            self.stream.append(self.entry("plan", source, text=quote(text.partition(":")[2], 600)))

    def add_call(self, call_id: str, tool: str, asked: Record) -> None:
        """A tool call, not ended so far; one that the ledger told of in an earlier save is passed over."""
        new = call_id not in self.seen and call_id not in self.calls
        if new and IDENTIFIER.match(call_id) and IDENTIFIER.match(tool):
            path = text_of(asked, "file_path") or text_of(asked, "notebook_path") or text_of(asked, "path")
            self.calls[call_id] = self.entry(
                "call", call_id, id=call_id, tool=tool, path=quote(path, SHOWN), ok=None, exit=None, error="",
                output="", command=quote(text_of(asked, "command"), SHOWN), rejected=False, answers={},
                body="\n".join(text_of(asked, name) for name in ("pattern", "old_string", "new_string", "content")),
                input={} if tool in UNREAD_INPUT else tidy(asked))
            self.stream.append(self.calls[call_id])

    def add_result(self, block: Record, extra: Any) -> None:
        """A call's result. A rejection holds words of the person; an MCP tool could imitate one: so not there."""
        call, inner = self.calls.get(text_of(block, "tool_use_id"), {}), block.get("content")
        parts = [part for part in inner if isinstance(part, dict)] if isinstance(inner, list) else []
        text = inner if isinstance(inner, str) else "\n".join(text_of(part, "text") for part in parts)
        given = extra.get("answers") if isinstance(extra, dict) else None
        call.update(output=text[:4_000], time=self.time, answers=given if isinstance(given, dict) else {})
        if block.get("is_error") is not True:
            call.update(ok=True, body=text if call.get("tool") in ("Read", "Grep", "Glob") else call.get("body", ""))
        elif text.startswith("The user doesn't want to proceed") and not call.get("tool", "").startswith("mcp__"):
            call["rejected"], words = True, text.partition("the user said:\n")[2]
            self.add_typed(own_words(words.partition("\n\nNote: The user's next")[0]), call.get("id", ""), "rejection")
        else:
            code = re.match(r"Exit code (\d{1,3})\b", text)
            text = re.sub(r"(?s)\AThe user doesn't want to proceed.*", "It says that the user rejected it", text)
            call.update(ok=False, exit=int(code.group(1)) if code else None, error=telling_line(text))


def tidy(value: Any, depth: int = 4) -> Any:
    """A call's input with every text in it quoted, at most 600 UTF-16 units: it may wait on disk for its result."""
    if isinstance(value, dict):
        return {quote(key, 60): tidy(one, depth - 1) for key, one in value.items() if depth}
    if isinstance(value, list):
        return [tidy(one, depth - 1) for one in value[:100] if depth]
    return quote(value, 600) if isinstance(value, str) else value


# --- items: each with its kind, text and source ---


def interpreters(known: Sequence[Record], state: Record) -> list[Any]:
    """What tells the meaning of words and calls; nothing where these two files were not copied too."""
    words, calls = beside("interpret_words"), beside("interpret_calls")
    return [words.Conversation(known, state), calls.Work(known, state)] if words and calls else []


def extract(reading: Reading, known: Sequence[Record]) -> Iterator[tuple[Record, list[Record]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    meaning, room = interpreters(known, reading.state), SAID_READ
    for one in [one for one in reversed(reading.stream) if one["what"] == "said"]:
        room -= len(one["text"])  # of a long session read at once: the newest words whole, of others the end
        one["text"] = redact(clean(one["text"])) if room >= 0 else one["text"][-200:].partition(" ")[2]
    for one in sorted(reading.stream, key=lambda one: str(one["time"])):
        alone = [] if meaning or one["what"] != "typed" else [  # shown whole
            item("request", one, cut(one["text"], 1_500), "user", via=one["via"], wished=True)]
        yield one, alone + [quoted(found) for interpreter in meaning for found in interpreter.items_of(one)]
    yield {}, [quoted(found) for one in meaning if reading.stream for found in one.items_at_rest()]


def quoted(one: Record) -> Record:
    """The item with the words of others than the person on one line, redacted; typed words are so from the start."""
    others = ("question", "key") if one["who"] == "user" else ("text", "question", "key")
    return {**one, **{name: quote(one[name], SHOWN) for name in others if isinstance(one.get(name), str)}}


# --- merge: one entry for the same item; what is closed and what is too much goes ---


def identity(one: Record) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = str(one.get("key") or one["text"])[:400]
    return one["kind"], " ".join((key if key.isascii() else unicodedata.normalize("NFKC", key)).casefold().split())


def merge(known: Iterable[Record], new: Iterable[Record], cycle: int, used: Record) -> list[Record]:
    """All open items in order; the same ones are one, as told last, counts added; at most `max_items`, by worth."""
    table = {identity(one): one for one in known}
    for one in new:
        old = table.pop(identity(one), {})
        told = {key: value for key, value in one.items() if value not in ("", None)}
        counts = {key: old.get(key, 0) + one.get(key, 0) for key in ("uses", "edits")}
        if one["status"] not in CLOSED and (old or one["text"]):
            table[identity(one)] = {**one, **old, **told, **counts, "first": old.get("first") or one["first"]}
    kept = sorted(table.values(), key=lambda one: (  # by worth, which fades with cycles
        KEPT_LONGER.get(one["kind"], 1) * (one["kind"] == "rule" or exp((one["cycle"] - cycle) / used["half_life"])),
        one["position"]))
    return sorted(kept[-used["max_items"]:], key=lambda one: int(one["position"]))


# --- save: on from where the last save stopped, and back to disk ---


def may_be_typed(line: bytes) -> bool:
    """Whether the line may hold words that a person typed, or the call of another's tool that a person may reject."""
    if b"tool_use_id" in line:
        return b"user said:" in line[:REJECTION]
    if b'"type":"assistant"' in line:
        return b'"name":"mcp__' in line
    return any(map(line.__contains__, TYPED_MARKS))


def new_lines(path: str, start: int, stop: int, tail_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The lines to parse: before the tail only those that may hold typed words, progress and thinking never."""
    tail = max(start, stop - tail_bytes)
    for first, last in ((start, tail), (tail, stop)):
        for end, line in read_lines(path, first, last) if first < last else ():
            wanted = len(line) > SHORTEST and (first == tail or may_be_typed(line))
            if wanted and UNTOLD_MARKS[0] not in line[:900] and UNTOLD_MARKS[1] not in line[:900]:
                yield end, line


def read_transcript(reading: Reading, path: str, place: dict[str, int], tail_bytes: int) -> dict[str, int]:
    """Reads what is new, everything when the file is another one than last time; returns the new place."""
    os.close(open_regular(path, os.O_RDONLY))
    about = os.stat(path)
    offset = place["offset"] if place.get("inode") == about.st_ino and place["offset"] <= about.st_size else 0
    for end, line in new_lines(path, offset, about.st_size, tail_bytes):
        offset, (needed, again, _) = end, line.partition(b',"toolUseResult":')  # a result's second copy
        for record in parse_line(needed + b"}" if again and b'"answers":' not in line else line):
            reading.add(record)
    return {"inode": about.st_ino, "offset": offset}


def remember(memory: Record, transcript: str, folder: str, used: Record) -> Record:
    """The memory after everything new was read; the one that came in stays as it is."""
    reading, known, place = Reading(memory), memory.get("items", []), memory.get("place", {})
    if os.path.exists(transcript):  # it may come late
        place = read_transcript(reading, transcript, place, used["tail_bytes"])
    ledger = beside("session_ledger")
    ledgers = ledger.read_on(folder, memory.get("ledgers", {}), reading) if ledger else {}
    waiting = {name: call for name, call in reading.calls.items() if call["ok"] is None and not call["rejected"]}
    told, progress = extract(reading, known), [*memory.get("progress", [])]
    if used["notes"] and reading.stream and (notes := beside("write_notes")):
        told = notes.followed(told, progress, known, folder)
    items, on_disk = merge(known, (one for _, found in told for one in found), reading.cycle, used), {}
    if present := beside("present_state"):  # as the session left it: restore compares
        items, on_disk = present.seen(items, memory.get("position", 0), reading.state.get("cwd", ""))
    return {"roots": reading.roots, "items": items, "place": place, "ledgers": ledgers, "time": reading.time,
            "position": reading.position, "cycle": reading.cycle, "after": reading.after, "typed": reading.typed,
            "state": {name: quote(text, 600) for name, text in {**reading.state, **on_disk}.items()},
            "pending": [{**call, "body": cut(redact(clean(call["body"])), 2_000)} for call in waiting.values()][-50:],
            "seen": [*reading.seen, *(name for name in reading.calls if name not in waiting)][-SEEN_IDS:],
            "queue": reading.queue[-20:], "progress": progress}


def snapshot_of(memory: Record, used: Record) -> Record:
    """What the restore chooses from: the items; names and files that tools showed, ranked; the settings in force."""
    items, now = memory["items"], memory["position"]
    ranked: Record = {"names": [], "found": []}
    if calls := sys.modules.get("interpret_calls"):  # as `interpreters` found it
        ranked = {"names": calls.ranked_names(items, now), "found": calls.ranked_found(items, now)}
    told = {name: memory[name] for name in ("position", "cycle", "time", "state")}
    told["read"] = {"transcript": memory["place"], "ledgers": memory["ledgers"]}  # so that catch_up.py sees what is new
    return {**told, **ranked, "items": [one for one in items if one["kind"] not in ranked], "used": used}


def begin_compaction(data: Record, folder: str, number: str, used: Record) -> str:
    """Notes in compaction.json that a compaction begins, for restore_snapshot.py to follow; or holds it: the answer.

    `earlier` is the one before, while it is not known whether its text was kept: the next may be prepared at once.
    """
    path, transcript = os.path.join(folder, "compaction.json"), data["transcript_path"]
    known, size = read_store(path), os.path.getsize(transcript) if os.path.isfile(transcript) else 0
    gate = beside("gate_compaction") if used["gate"] == "hold" and data.get("trigger") == "auto" else None
    memory = read_store(os.path.join(folder, "memory.json")) if gate else {}
    held = gate.held(known, memory, transcript, records_of, used) if gate else {}
    last = {name: known[name] for name in ("id", "offset", "resumed", "stage") if name in known}
    earlier = last if last.get("stage") in ("delivered", "unseen") else known.get("earlier")
    replace_store(path, {**known, **held} if held else {
        "id": number, "time": time.time(), "trigger": data.get("trigger"), "project": project_folder(data),
        "transcript": transcript, "offset": size, "before": known.get("before", []), "stage": "begun",
        **({"earlier": earlier} if earlier else {})})
    return json.dumps({"decision": "block", "reason": f"compact-keeper: {held['why']}"}) if held else ""


def own_transcript(data: Record, memory: Record) -> str:
    """The session's transcript; no path where another session's file has taken its place."""
    path, place = text_of(data, "transcript_path"), memory.get("place", {})
    catching = beside("catch_up") if place and os.path.isfile(path) else None
    if catching and catching.is_of_another(path, place, data["session_id"]):
        log(f"{path} holds another session now and is not read")
        return ""
    return path


def save(data: Record) -> None:
    """The hook: reads on, stores memory and snapshot; on PreCompact tells the summariser what to keep in any case."""
    event, started, transcript = text_of(data, "hook_event_name"), time.time(), data["transcript_path"]
    if event not in ("PreCompact", "Stop", "SessionStart") or text_of(data, "agent_id"):
        return
    number, used = f"{int(started * 1e6):x}", settings(project := project_folder(data))
    answer = INSTRUCTIONS if event == "PreCompact" and used["instructions"] else ""
    try:
        folder = private_folder("sessions", data["session_id"])
        path, snapshot = os.path.join(folder, "memory.json"), os.path.join(folder, "snapshot.json")
        if ledger := beside("session_ledger"):
            ledger.hold(folder)
        memory = (checking.usable if (checking := beside("check_memory")) else read_store)(path)
        if not memory.get("roots", memory) and os.path.isfile(transcript) and (forks := beside("inherit_memory")):
            memory = forks.inherited(folder, transcript) or memory
        new = remember(memory, own_transcript(data, memory), folder, used)
        read_store(snapshot)  # refuses to replace what a later version wrote
        saved: Record = {}
        if read_store(path).get("position", 0) <= new["position"]:  # else a save beside this one has read further
            replace_store(path, new)
            replace_store(snapshot, {**snapshot_of(new, used), "session": data["session_id"], "id": number,
                                     "created": started, "ttl": 60 * used["ttl_minutes"], "project": project})
            saved = {"before": memory, "after": new, "started": started}
        if event == "PreCompact":
            answer = begin_compaction(data, folder, number, used) or answer
        if saved and (ending := beside("after_save")):
            ending.finish(data, folder, used, saved)
    finally:
        if answer:
            os.write(1, answer.encode())


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook; with arguments what preview_snapshot.py returns for them."""
    if not (arguments := list(sys.argv[1:] if argv is None else argv)):
        return run_hook(save)
    if not (preview := beside("preview_snapshot")):
        raise SystemExit("compact-keeper: copy preview_snapshot.py beside this file for --preview")
    return int(preview.main(arguments))


if __name__ == "__main__":
    raise SystemExit(main())
