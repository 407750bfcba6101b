#!/usr/bin/env python3
"""Put back what a compaction dropped, once, and see to it that it arrived.

A hook for SessionStart, UserPromptSubmit and SessionEnd:
    SessionStart, compact          the session as of now, with what is true now; to a compacted subagent rules and task
    UserPromptSubmit               looks for the block in the transcript; what the client lost goes out again, once
    SessionStart, resume           notes that another process goes on; SessionEnd, that a begun compaction will not end
    SessionStart, startup, clear   one line when a session of this folder that ended in the last 30 minutes stopped at
                                   a compaction that failed, or with a full context
Reads   the hook's JSON on stdin; of this session snapshot.json, compaction.json, pins.jsonl; the end of the transcript,
        for the receipt. Through present_state.py: .git, files, processes.
Prints  JSON: hookSpecificOutput.additionalContext for the model, at most 9,500 UTF-16 units (the client cuts at
        10,000), worded by render_snapshot.py; a systemMessage line for the person. Mostly nothing.
Writes  delivered-<id>, the exclusive mark with the text (the snapshot stays); compaction.json; lines in events.jsonl,
        one in history.jsonl.
Alone   it puts back rules, requests, open tasks as a plain list; with these two, catch_up.py, session_lock.py,
        follow_compaction.py, compacted_context.py, find_receipt.py, pins.py and keep_history.py beside it all.
By hand: restore_snapshot.py --now [SESSION]    (the unfinished compaction's block, else the session's)
To use copies, put the files into a project's .claude/hooks and this into .claude/settings.json, the same entry
for UserPromptSubmit and SessionEnd without the matcher:
    {"hooks": {"SessionStart": [{"matcher": "compact|resume|startup|clear", "hooks": [{"type": "command", "timeout": 10,
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

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms that every hook would pay
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

HARD_STOP, ASK_ROOM = 9_500, 500  # UTF-16 units: printed at most; above the budget for its age and for how to ask
NONCE = 8  # characters of a snapshot's id that tell its block from all others of the session
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the block is cut to so much
UNFINISHED = 30 * 60  # seconds after the session's end for which a compaction that did not finish is told of
COMPACTION: Record = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}
STARTED = time.time()
NUMBER = re.compile(r"[0-9a-f]{8,20}\Z")  # of a compaction: it becomes part of a file's name
HOW_TO_RESTORE = "/compact-keeper:restore brings in what was saved before it."

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


# --- the block: the snapshot with what is true now ---


def read_snapshot(folder: str) -> Record:
    """The folder's snapshot with pins and what is true now; without items when there is none for its session."""
    return of_session(read_store(os.path.join(folder, "snapshot.json")), folder)


def of_session(snapshot: Record, folder: str) -> Record:
    """The stored snapshot with pins and what is true now; without items when it is not of the folder's session."""
    is_own = snapshot.get("session") == os.path.basename(folder)
    return as_of_now(snapshot, folder) if is_own else {"items": []}


def as_of_now(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    pinned = with_pins(snapshot, folder)
    if not (present := beside("present_state")):
        return pinned
    found = present.compared(snapshot)
    found["repository"] = {name: quote(told, 300) if isinstance(told, str) else told  # a branch may be called anything
                           for name, told in found["repository"].items()}
    return {**pinned, "present": found}


def with_pins(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins for this session, word for word."""
    if not (pinning := beside("pins")):
        return snapshot
    pins = pinning.pins_in(folder, text_of(snapshot, "project"), lambda path: records_of(path, 0, 1 << 20))
    return {**snapshot, "items": pinning.as_items(pins, lambda text: redact(clean(text))) + snapshot["items"]}


def text_for(snapshot: Record, positions: list[int]) -> tuple[str, list[Record]]:
    """The text to put back after a compaction of the main thread, and the items in it."""
    text, shown = block(snapshot)
    if as_of := text_of(snapshot, "as_of"):
        head, mark, rest = text.partition("\n")
        text = f"{head}\n{as_of}{mark}{rest}"
    ask = how_to_ask()
    most = min(snapshot["used"]["budget"] + ASK_ROOM, HARD_STOP) - units(ask)
    return shortened(cut(text, most) + ask, positions), shown


def how_to_ask() -> str:
    """The block's last line, on the archive; empty where there is none."""
    rendering = sys.modules.get("render_snapshot")  # as `block` found it
    return str(rendering.how_to_ask(data_home())) if rendering else ""


def block(snapshot: Record) -> tuple[str, list[Record]]:
    """The snapshot's items within its budget as a text, and which they are."""
    if rendering := beside("render_snapshot"):
        chosen = rendering.select(rendering.candidates(snapshot), snapshot["used"]["budget"])
        return rendering.worded(chosen, snapshot), [one for section in chosen for one in section]
    return plain(snapshot)


def plain(snapshot: Record) -> tuple[str, list[Record]]:
    """The text of a copy of this file alone."""
    kept = [one for kind in ("rule", "request", "task") for one in reversed(snapshot["items"])
            if one["kind"] == kind and one["status"] in ("open", "pending", "in_progress")]
    lines = [f"- {one['kind']} ({one['who']}): {json.dumps(quote(one['text'], 500), ensure_ascii=False)}"
             for one in kept]
    header = f"compact-keeper: facts from before this compaction, the newest first. (block {snapshot['id'][-NONCE:]})"
    return cut("\n".join([header, *lines]), snapshot["used"]["budget"]), kept


def shortened(text: str, positions: list[int]) -> str:
    """The text; after three compactions within few records only its beginning, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third compaction within {apart} records of the transcript, so little "
           "room is left beside what the client itself puts back.)")
    return cut(text, THRASH_UNITS - units(why)).rpartition("\n")[0] + why


# --- deliver: once, to the thread that was compacted ---


def claim(folder: str, mark: str, text: str) -> bool:
    """Whether this process may deliver: the first, of two that were installed, to make the mark, which keeps the text.

    Earlier marks of its series (the part before the last "-") go.
    """
    try:
        handle = os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    except OSError:  # a full disk costs the audit this text, not the model its block
        pass
    for name in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
        if name.startswith(mark.rpartition("-")[0] + "-") and name != mark:
            os.unlink(os.path.join(folder, name))
    return True


def tell(data: Record, text: str, message: str, **told: Any) -> None:
    """Prints the text for the model and the line for the person, and notes it in events.jsonl."""
    context = {"hookEventName": data["hook_event_name"], "additionalContext": text}
    person = {"systemMessage": f"compact-keeper: {message}"} if message else {}
    os.write(1, json.dumps({"hookSpecificOutput": context, **person}).encode())
    note_event(data["session_id"], units=units(text), **told)


def note_event(session: str, **told: Any) -> None:
    """A line in events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "session": session, **told}
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps(line))


def put_back(data: Record, folder: str, compaction: Record) -> None:
    """After a compaction: the state of the main thread as of now, or a subagent's rules and task; each once."""
    if agent := compacted_agent(data, compaction):
        put_back_to_subagent(data, folder, agent)
        if not text_of(data, "agent_id"):  # its PreCompact was taken for the main thread's
            set_stage(folder, compaction, "a subagent's")
        return
    stored, refusal, as_of = brought_up(data, folder)
    if locking := beside("session_lock"):  # another installation's process may be delivering the same
        locking.hold(folder)
        compaction = compaction_for_delivery(folder)
    following = beside("follow_compaction")
    if following and not following.is_due(compaction, data["transcript_path"], read_lines):
        return
    number = number_of(compaction, data["session_id"])
    if refusal:
        keep_back(data, folder, {**compaction, "id": number}, refusal)
    elif (snapshot := of_session(stored, folder))["items"]:
        deliver(data, folder, compaction, {**snapshot, "id": number, "as_of": as_of})
    elif compaction.get("stage") == "begun":
        set_stage(folder, compaction, "nothing known")  # so nothing that was put back can have been lost


def brought_up(data: Record, folder: str) -> tuple[Record, str, str]:
    """The stored snapshot, as of now; why it must not be put back; what is to be said of its age."""
    def stored() -> Record:
        snapshot = read_store(os.path.join(folder, "snapshot.json"))
        return snapshot if snapshot.get("session") == data["session_id"] else {}

    catching = beside("catch_up")
    return catching.brought_up(stored(), data, folder, stored) if catching else (stored(), "", "")


def compaction_for_delivery(folder: str) -> Record:
    """How far the compaction has come; empty where that cannot be read: the text goes out all the same."""
    try:
        return read_compaction(folder)
    except (OSError, Refusal):
        return {}


def number_of(compaction: Record, session: str) -> str:
    """The id under which a compaction's text goes out, once: PreCompact's, where it came before; else a new one.

    That is made of the compaction before, so that two installations, each with a save of its own, make the same.
    """
    number = text_of(compaction, "id")
    if compaction.get("stage") == "begun" and NUMBER.match(number):
        return number
    from binascii import crc32
    return f"{crc32(json.dumps([session, number, compaction.get('offset')]).encode()):08x}"


def deliver(data: Record, folder: str, compaction: Record, snapshot: Record) -> None:
    """Prints the text for the model, unless another process has made the mark before, and notes where it went out."""
    positions, transcript = positions_of(compaction, snapshot), data["transcript_path"]
    text, shown = text_for(snapshot, positions)
    if not claim(folder, f"delivered-{snapshot['id']}", text):
        return
    rendering, following = (sys.modules.get(name) for name in ("render_snapshot", "follow_compaction"))  # found before
    message = rendering.told_to_person(shown, units(text)) if rendering else "put back what was asked"
    tell(data, text, message, event="restore", ms=int((time.time() - STARTED) * 1000),
         kept=len(snapshot["items"]), shown=rendering.counted(shown) if rendering else {})
    begun = compaction if compaction.get("id") == snapshot["id"] else {}  # a Stop's snapshot had no PreCompact
    offset = following.boundary_offset(transcript, read_lines) if following else begun.get("offset", 0)
    about = {name: begun[name] for name in ("time", "trigger", "project") if name in begun}
    set_stage(folder, {"time": STARTED, **about, "id": snapshot["id"], "before": positions, "transcript": transcript,
                       "offset": offset, "settled": time.time()}, "delivered")
    if history := beside("keep_history"):
        append_line(os.path.join(folder, history.NAME), history.restored(snapshot, shown, units(text)))


def keep_back(data: Record, folder: str, compaction: Record, why: str) -> None:
    """Says once, in the log, in events.jsonl and to the person, why nothing was put back after a compaction."""
    if not claim(folder, f"kept_back-{compaction['id']}", ""):
        return
    log(f"nothing was put back: {why}")
    told = f"compact-keeper: nothing was put back after this compaction: {why}. {HOW_TO_RESTORE}"
    os.write(1, json.dumps({"systemMessage": told}).encode())
    note_event(data["session_id"], event="kept back", why=quote(why, 200))
    set_stage(folder, {**compaction, "settled": time.time()}, "kept back")  # nor at the next prompt


def compacted_agent(data: Record, compaction: Record) -> str:
    """The id of the subagent whose context was compacted; empty for the main thread."""
    by_hand = compaction.get("stage") == "begun" and compaction.get("trigger") == "manual"
    if text_of(data, "agent_id") or by_hand:
        return text_of(data, "agent_id")
    subagents = os.path.isdir(data["transcript_path"].removesuffix(".jsonl") + "/subagents")
    context = beside("compacted_context") if subagents else None
    return str(context.compacted_agent(data["transcript_path"], records_of)) if context else ""


def put_back_to_subagent(data: Record, folder: str, agent: str) -> None:
    """To a compacted subagent: the user's rules and its own task. Nothing of the main thread's is changed or used."""
    saving, context, transcript = beside("save_snapshot"), beside("compacted_context"), data["transcript_path"]
    if not saving or not context or not SESSION_ID.match(agent):
        return
    project = project_folder(data)
    used = saving.settings(project)
    memory = saving.remember(read_store(os.path.join(folder, "memory.json")), transcript, folder, used)
    task, size = context.task_of(transcript, agent, records_of)
    rules = [one for one in memory["items"] if one["kind"] == "rule"]
    errand = item("errand", {**memory, "source": agent}, cut(redact(clean(task)), 4_000), "assistant")
    known = with_pins({**memory, "project": project, "items": [*rules, *([errand] if task else [])]}, folder)
    text = block({**saving.snapshot_of(known, used), "id": agent, "agent": agent})[0] if known["items"] else ""
    if text and claim(folder, f"subagent_{agent}-{size}", ""):
        tell(data, text, "", event="restore", agent=agent)


# --- the course of a compaction: begun -> delivered -> verified, repaired or unseen ---


def read_compaction(folder: str) -> Record:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    found = read_store(os.path.join(folder, "compaction.json"))
    usable = {"stage": "", **of_right_types(found)}
    return {**usable, "earlier": of_right_types(usable["earlier"])} if "earlier" in usable else usable


def of_right_types(compaction: Record) -> Record:
    """Its fields without those that are of another type than they should be."""
    return {name: value for name, value in compaction.items() if type(value) is type(COMPACTION.get(name, value))}


def positions_of(compaction: Record, snapshot: Record) -> list[int]:
    """Where in the session its last three compactions came, the one of the snapshot last."""
    before = [position for position in compaction.get("before", []) if type(position) is int]
    return [*before, snapshot["position"]][-3:]


def set_stage(folder: str, compaction: Record, stage: str) -> None:
    """Notes how far the compaction has come, in compaction.json, which save_snapshot.py begins at PreCompact."""
    path = os.path.join(folder, "compaction.json")
    read_store(path)  # refuses to replace what a later version wrote
    replace_store(path, {**compaction, "stage": stage})


def check_receipt(data: Record, folder: str, compaction: Record) -> None:
    """At a prompt: whether the client kept what was delivered; what it lost goes out again, once."""
    own = text_of(data, "prompt").lstrip().startswith("/compact-keeper")  # may be answered without the model
    transcript = data["transcript_path"]
    due = [one for one in (compaction.get("earlier", {}), compaction) if is_waiting(one)]
    if own or text_of(data, "agent_id") or not due or not os.path.isfile(transcript):
        return
    if finding := beside("find_receipt"):
        for one in due:
            found = finding.receipt(transcript, one, read_lines)
            behind = finding.behind_boundary(transcript, one, read_lines) if one is not compaction and found else 0
            if settle(data, folder, one, found, behind) or not found:
                return  # what was put back again is enough for one prompt; the earlier one's boundary comes first
            compaction.update(offset=max(compaction.get("offset", 0), behind))


def is_waiting(compaction: Record) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def settle(data: Record, folder: str, one: Record, found: str, behind: int) -> bool:
    """Notes what the transcript tells of a delivery and repeats one that was lost: whether something was printed.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    if found == "lost" or (found == "unknown" and one["stage"] != "delivered"):
        return deliver_again(data, folder, one, behind)
    if found:
        end(folder, one, "verified" if found == "kept" else "unseen", behind)
        note_event(data["session_id"], event="receipt", verified=found == "kept")
    return False


def end(folder: str, one: Record, stage: str, behind: int = 0) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then."""
    if locking := beside("session_lock"):
        locking.hold(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == one["id"]:
        present = {name: value for name, value in now.items() if name != "earlier"}
        set_stage(folder, {**present, "offset": max(present.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == one["id"]:
        set_stage(folder, now, stage)
    if locking:
        locking.release()  # a save that this process starts later would wait for it


def deliver_again(data: Record, folder: str, one: Record, behind: int) -> bool:
    """Puts the session's state back at a prompt, because it was lost or the client never asked; whether it went out."""
    stored, refusal, as_of = brought_up(data, folder)
    number = one["id"]
    if refusal and one["stage"] == "begun":
        keep_back(data, folder, one, refusal)
        return True
    if refusal:  # it had gone out: nothing that the person would miss
        end(folder, one, "unseen", behind)
        return False
    snapshot = of_session(stored, folder)
    text = block({**snapshot, "id": number})[0] if snapshot["items"] else ""
    text += "".join([f"\n{as_of}" if as_of else "", how_to_ask()]) if text else ""
    if not text or not claim(folder, f"repaired-{number}", text):
        return False
    tell(data, text, "what was put back after the compaction had been lost; put back again", event="repair")
    end(folder, one, "repaired", behind)
    return True


def note_resume(_data: Record, folder: str, compaction: Record) -> None:
    """When another process resumes the session: what older clients were given is lost now, and the session goes on.

    Up to 2.1.197 a fork's start looks the same; at worst (up to 2.1.105) the parent is given its block a second time.
    """
    stage, earlier = compaction["stage"], compaction.get("earlier")
    if stage in ("delivered", "unseen"):
        set_stage(folder, {**compaction, "resumed": True}, "delivered")
    elif stage == "begun" and (earlier or "ended" in compaction):
        going_on = {name: value for name, value in compaction.items() if name != "ended"}
        if earlier:
            going_on["earlier"] = {**earlier, "resumed": True, "stage": "delivered"}
        set_stage(folder, going_on, stage)


# --- a compaction that did not come to its end ---


def note_end(_data: Record, folder: str, compaction: Record) -> None:
    """When the session ends: a compaction that has begun and is not done now will not finish."""
    if compaction.get("stage") == "begun":
        set_stage(folder, {**compaction, "ended": time.time()}, "begun")


def unfinished(project: str, enough: Callable[[Record, str], bool]) -> tuple[str, float]:
    """The folder of the project's newest session that stopped at its compaction, and when that began.

    `enough` says whether what the transcript shows (see `failure`) is enough to call it so.
    """
    now, found = time.time(), [("", 0.0)]
    following = beside("follow_compaction")
    for session in os.scandir(private_folder("sessions")) if following else ():
        path = os.path.join(session.path, "compaction.json")
        try:
            is_fresh = not session.is_symlink() and abs(now - os.path.getmtime(path)) < UNFINISHED
            compaction = read_compaction(session.path) if is_fresh else {}
            if compaction.get("stage") == "begun" and compaction.get("project") == project and (
                    enough(compaction, following.failure(compaction, records_of, read_lines))):
                found.append((session.path, compaction.get("time", 0.0)))
        except (OSError, Refusal):  # most have none; another session's broken file is no fault of this one's
            continue
    return max(found, key=lambda one: one[1])


def tell_of_unfinished(data: Record, folder: str, _compaction: Record) -> None:
    """At a new start or /clear: one line when the session before stopped at its compaction; nothing of it is shown."""
    is_cleared = data["source"] == "clear"  # the end of the session before, which older clients do not tell
    left, began = unfinished(project_folder(data), lambda compaction, shown: (
        shown == "failed" and is_cleared) or bool(shown and compaction.get("ended")))
    if left and left != folder and is_first_to_tell(left, data["session_id"]):
        when = clock(began)
        told = f"the compaction at {when} of the session before in this folder did not finish; {HOW_TO_RESTORE}"
        tell(data, f"compact-keeper: {told}", told, event="unfinished")


def is_first_to_tell(folder: str, session: str) -> bool:
    """Whether this process is the first to tell the new session of the one in the folder: two may be installed."""
    mark, flags = os.path.join(folder, f"told_{session}"), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK
    try:
        os.close(os.open(mark, flags, 0o600))
    except FileExistsError:  # the other installation's process was
        return False
    return True


def clock(seconds: float) -> str:
    """The moment as a clock shows it here."""
    try:
        return time.strftime("%H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def by_hand(session: str) -> int:
    """Prints the block of this folder's session whose compaction did not finish, else of the one named; 1 for none."""
    left, _ = unfinished(project_folder({}), lambda _, shown: bool(shown))
    named = os.path.join(data_home(), "sessions", session) if SESSION_ID.match(session) else ""
    for folder in filter(os.path.isdir, (left, named)):
        snapshot = read_snapshot(folder)
        if snapshot["items"]:
            os.write(1, f"{block(snapshot)[0]}{how_to_ask()}\n".encode())
            if folder == left:
                set_stage(left, read_compaction(left), "brought in")
            return 0
    print(f"compact-keeper: no compaction in this folder failed in the last {UNFINISHED // 60} minutes, and nothing "
          f"is saved of session {session}; another is named by its id: restore_snapshot.py --now SESSION")
    return 1


# --- the hook ---

ACTIONS: dict[tuple[str, str], Callable[[Record, str, Record], None]] = {
    ("SessionStart", "compact"): put_back, ("SessionStart", "resume"): note_resume,
    ("SessionStart", "startup"): tell_of_unfinished, ("SessionStart", "clear"): tell_of_unfinished,
    ("UserPromptSubmit", ""): check_receipt, ("SessionEnd", ""): note_end}


def restore(data: Record) -> None:
    """The hook: what is due at this event for this session."""
    action = ACTIONS.get((text_of(data, "hook_event_name"), text_of(data, "source")))
    folder = os.path.join(data_home(), "sessions", data["session_id"])
    # What was compacted may have been saved never: then it is now.
    known = os.path.isdir(folder) or (action is put_back and os.path.isfile(data["transcript_path"]))
    if action and (known or action is tell_of_unfinished):
        folder = private_folder("sessions", data["session_id"]) if known else folder
        try:
            compaction = read_compaction(folder)
        except (OSError, Refusal):
            if action is not put_back:
                raise
            compaction = {}  # the block goes out all the same; set_stage says in the log why no more is noted
        action(data, folder, compaction)


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook, whatever came in on stdin; --help prints this file's page, --now [SESSION] a session's block."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--now"]:
        try:
            return by_hand("".join(arguments[1:2]))
        except (OSError, Refusal) as fault:
            print(f"compact-keeper: {fault}")
            return 1
    if arguments:
        print(__doc__)
        return 0
    return run_hook(restore)


if __name__ == "__main__":
    raise SystemExit(main())
