#!/usr/bin/env python3
"""Take transcripts into the archive: turns with what was typed, said, run, changed, what failed, what was decided.

recall.py calls it, for its command `index` and for what a save starts after a turn.
A turn goes from what a person typed to before the next; a long one is told in parts of about 12,000 characters.
Summaries of the client's and subagents' work are turns of their own kind.
Reads   the transcripts, each from where the last turn that was stored begins; the settings `archive` (a project may
        say false), `archive_days`, `archive_mb`.
Writes  through the archive that it is given. Secrets are replaced and marks of the client's own kind disarmed before.
        Of tools' output only the last line of a command that passed, the telling line of one that failed are kept.
Needs   turn_archive.py beside it, check_settings.py where there are settings; interpret_words.py tells decisions.
Python 3.9+, standard library only.
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

from turn_archive import KINDS, NAMING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

PART = 12_000  # characters: a longer turn goes on in another row, else its length hides what stands in it
QUESTION_SHOWN = 150  # UTF-16 units: a hit shows a line of less than 200 whole, and so that it is a question
BATCH = 200  # turns that are stored in one go: so long other writers wait at most
QUIET = 60  # seconds that a run beside a session takes at most
SETTINGS: Record = {"archive": True, "archive_days": 180, "archive_mb": 1_024, "recall_note": True}
KNOWN = ("user", "assistant", "attachment", "queue-operation", "system")  # records that may tell something
UNREAD = (b'"type":"progress"', b'"content":[{"type":"thinking"', b'"type":"file-history-snapshot"')
MORE = b',{"type":"t'  # a text or a call behind the thought
LAST = 4_000  # characters of an output in which its last line is looked for; a private key is shorter

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


# --- shared: moment ---
def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)", stamp)
    if not found:
        return 0
    year, month, day, hour, minute, second = map(int, found.groups())
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second
# --- end of shared: moment ---


# --- turns ---
PATHS, SHELLS = ("file_path", "notebook_path", "path"), ("Bash", "PowerShell")
ASKED = ("description", "prompt", "query", "url", "subject", "skill", "args")  # of other tools' input


class Reader:
    """Makes turns of a transcript's records, from the first of a turn on; `told` is how the session stood there."""

    def __init__(self, told: Record, session: str, is_subagent: bool) -> None:
        self.told: Record = {"session": session, "project": "", "branch": "", "cycle": 0, "turn": 0, "until": "",
                             "queue": [], **told}  # of what waits in the queue the bytes where it was told
        self.is_subagent, self.until, self.folder = is_subagent, self.told["until"], ""
        self.at = (0, "", self.told["queue"])  # byte and time of the record in hand, the queue before it
        self.turn: Record = {}
        self.is_first = bool(told)  # the record in hand began a turn when it was read before
        self.calls: dict[str, list[str]] = {}  # the steps whose results are awaited
        self.waiting: dict[int, str] = {}  # typed while the agent worked, by byte
        self.seen: set[str] = set()  # a second /compact appends old records again

    def add(self, record: Record, start: int) -> Iterator[Record]:
        """Takes the record that begins at this byte; gives the turn that ended before it."""
        stamp, uuid, kind = text_of(record, "timestamp"), text_of(record, "uuid"), record.get("type")
        stamp = stamp if moment(stamp) else ""
        told_before = uuid in self.seen or (stamp and stamp < self.until)
        if told_before or kind not in KNOWN or (record.get("isSidechain") and not self.is_subagent):
            return
        self.seen.update([uuid] if uuid else [])
        blocks, queue = content_blocks(record), self.told["queue"]
        typed = typed_text(record) or self.unqueued(record, start) or "\n".join(map(self.refused_with, blocks)).strip()
        self.is_first = False
        is_summary = bool(record.get("isCompactSummary")) or (
            kind == "user" and text_of((blocks or [{}])[0], "text").startswith("This session is being continued"))
        for block in blocks:
            if step := self.calls.pop(text_of(block, "tool_use_id"), None):
                self.add_result(step, block, record.get("toolUseResult"))
        is_again = ["prompt", redact(clean(typed)).strip()] in self.turn.get("steps", [])[-1:]  # as it left the queue
        begins = (bool(typed) and not is_again) or is_summary or self.turn.get("who") == "summary"
        is_full = self.turn.get("size", 0) > PART and not self.calls
        if (begins or is_full) and self.turn.get("start", start) != start:  # what stands on one line is one turn
            yield self.close()
        self.stand(record, (start, stamp or self.told["until"], queue))
        self.told["turn"] = start if begins else self.told["turn"]
        if is_summary:
            self.step("answer", "\n".join(text_of(block, "text") for block in blocks), "summary")
        elif typed:
            self.step("prompt", typed)
        for block in () if is_summary or typed else blocks:
            self.add_block(block, record)

    def stand(self, record: Record, at: tuple[int, str, list[int]]) -> None:
        """Notes where the session stands at this record."""
        told, self.at = self.told, at
        if SESSION_ID.match(text_of(record, "sessionId")):
            told["session"] = record["sessionId"]
        self.folder = self.folder or text_of(record, "cwd") or told["project"]  # as it is called, for its settings
        told["project"] = told["project"] or redact(clean(text_of(record, "cwd")))[:1_000]
        told["branch"] = quote(text_of(record, "gitBranch"), 200) or told["branch"]
        told["cycle"] += record.get("subtype") == "compact_boundary"
        told["until"] = max(at[1], told["until"])

    def unqueued(self, record: Record, start: int) -> str:
        """Words typed while the agent worked that reached it in the middle of its turn: told nowhere else."""
        queue, operation = self.told["queue"], record.get("operation")  # replaced, not changed: turns keep theirs
        if record.get("type") != "queue-operation":
            return ""
        if operation == "enqueue":
            self.waiting[start] = own_words(text_of(record, "content"))
            self.told["queue"] = [*queue, start]
        elif operation == "popAll":
            self.told["queue"] = []
        elif queue:
            first, *self.told["queue"] = queue
            return self.waiting.get(first, "") if operation == "remove" else ""
        return ""

    def refused_with(self, block: Record) -> str:
        """The person's words in a rejected call's result; an MCP tool could imitate one, so not there."""
        text = block.get("content") if block.get("is_error") is True else None
        unknown = ["", "" if self.is_first else "mcp__"]
        by_mcp = self.calls.get(text_of(block, "tool_use_id"), unknown)[1].startswith("mcp__")
        if by_mcp or not isinstance(text, str) or not text.startswith("The user doesn't want to proceed"):
            return ""
        return own_words(text.partition("the user said:\n")[2].partition("\n\nNote: The user's next")[0])

    def step(self, kind: str, text: str, who: str = "", is_clean: bool = False) -> list[str]:
        """A new step of the open turn, which it begins when there is none; the same one again is left out."""
        one = [kind, (text if is_clean else redact(clean(text))).strip()]
        if not self.turn and one[1]:
            who = who or ("subagent" if self.is_subagent else "person")
            self.until = min(self.until, self.at[1])  # a prompt may be older than the last words before it
            self.turn = {"who": who, "start": self.at[0], "stamp": self.at[1], "steps": [], "size": 0,
                         "told": {**self.told, "until": self.until, "queue": self.at[2]}}
        if one[1] and one not in self.turn["steps"]:
            self.turn["steps"].append(one)
            self.turn["size"] += len(one[1])
        return one

    def add_block(self, block: Record, record: Record) -> None:
        """A block of a message: the assistant's words, a call, a subagent's task."""
        by_model = record["type"] == "assistant" and record["message"].get("model") != "<synthetic>"
        what = block.get("type")
        if what == "text" and (by_model or (self.is_subagent and not self.turn)):
            self.step("answer", text_of(block, "text"))
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            self.calls[text_of(block, "id")] = self.call(text_of(block, "name"), block["input"])

    def call(self, tool: str, asked: Record) -> list[str]:
        """The step of a tool call: the command line, the file, or the tool with what it was asked."""
        if tool in SHELLS:
            return self.step("command", redact(clean(text_of(asked, "command")))[:4_000], is_clean=True)
        if tool == "ExitPlanMode":
            return self.step("answer", text_of(asked, "plan"))
        path = next(filter(None, (text_of(asked, name) for name in PATHS)), "")
        if path or tool in ("Grep", "Glob"):
            return self.step("file", quote(f"{tool} {path} {text_of(asked, 'pattern')}", 500), is_clean=True)
        words = " ".join([tool, *(text_of(asked, name) for name in ASKED)])
        return self.step("command", quote(words, 1_000), is_clean=True)

    def add_result(self, step: list[str], block: Record, extra: Any) -> None:
        """How the call ended; what the person chose of the answers offered counts as typed."""
        inner = block.get("content")
        parts = [text_of(part, "text") for part in inner if isinstance(part, dict)] if isinstance(inner, list) else []
        text = inner if isinstance(inner, str) else "\n".join(parts)
        is_asked = isinstance(extra, dict) and step[1].startswith("AskUserQuestion")
        answers = extra.get("answers") if is_asked else None
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            asked = quote(question, QUESTION_SHOWN)
            self.step("prompt", f"{answer}\n  (to the question: {asked})" if isinstance(answer, str) else "")
        if block.get("is_error") is True:
            code = re.match(r"Exit code (\d{1,3})\b", text)
            step[1] += f"\n  → failed{f' (exit {code.group(1)})' if code else ''}"
            self.step("error", telling_line(text), is_clean=True)
        elif step[0] == "command":
            last = quote(last_line(text), 160)
            step[1] += f"\n  → ok{': ' if last else ''}{last}"

    def close(self) -> Record:
        """The open turn as a row of the archive; there is none then."""
        turn, self.turn, self.calls, self.until = self.turn, {}, {}, self.told["until"]
        texts = {kind: "\n".join(text for one, text in turn["steps"] if one == kind) for kind in KINDS}
        told, lengths = turn["told"], json.dumps([[kind, len(text)] for kind, text in turn["steps"]])
        return {**turn, **told, **texts, "decision": "\n".join(decisions(texts)), "steps": lengths, "told": told,
                "folder": self.folder, "project": told["project"] or self.told["project"],
                "time": moment(turn["stamp"])}


def last_line(output: str) -> str:
    """The last line, without secrets; empty when it is very long: half a secret is not seen as one."""
    end = output if len(output) < LAST else output[-LAST:].partition("\n")[2]
    return redact(clean(end)).rstrip().rpartition("\n")[2]


def decisions(texts: Record) -> list[str]:
    """The sentences of a turn that settle something, as interpret_words.py understands them; none without it."""
    if not (words := beside("interpret_words")):
        return []
    typed, said = (words.sentences(texts[kind]) for kind in ("prompt", "answer"))
    return [*(one for one in typed if words.kind_of_words(one, False) == "decision"),
            *(one for one in said if words.kind_of_statement(one) == "decision")]


def turns_of(path: str, start: int, stop: int, told: Record) -> Iterator[tuple[Record, int]]:
    """The turns of the transcript from a byte where one begins, each with the byte up to which that was read.

    The last one may still be open: reading on begins at its `start`, with its `told`.
    """
    name = os.path.basename(path).removesuffix(".jsonl")
    reader = Reader(told, name if SESSION_ID.match(name) else "unknown", "/subagents/" in path)
    reader.waiting = {at: own_words(text_of(record, "content"))
                      for at in reader.told["queue"] for record in records_of(path, at, at + 1)}
    before = end = start
    for end, line in read_lines(path, start, stop):
        if not any(mark in line[:900] for mark in UNREAD) or MORE in line:
            needed, again, more = line.partition(b',"toolUseResult":')  # a result's second copy
            is_copy = again and b'"answers":' not in more and b'}{"' not in more
            for record in (parse_line(needed + b"}") if is_copy else []) or parse_line(line):
                for turn in reader.add(record, before):
                    yield turn, end
        before = end
    if reader.turn:
        yield reader.close(), end


# --- the archive is filled ---


class Progress:
    """Tells how far the index has come: a bar that redraws itself on a terminal, else a line every few seconds."""

    def __init__(self, paths: Sequence[str], is_quiet: bool) -> None:
        self.files, self.total = len(paths), sum(map(size_of, paths))
        self.done, self.read, self.turns, self.began, self.told = 0, 0, 0, time.time(), 0.0
        self.is_quiet, self.is_terminal = is_quiet, sys.stderr.isatty()

    def tell(self, read: int, turns: int, is_end: bool = False) -> None:
        """Counts bytes read and turns stored; says so when it is time."""
        self.read, self.turns, now = self.read + read, self.turns + turns, time.time()
        if self.is_quiet or (not is_end and now - self.told < (0.1 if self.is_terminal else 5)):
            return
        part, self.told = min(self.read / max(self.total, 1), 1), now
        left = int((now - self.began) / part * (1 - part)) if part > 0 else 0
        line = (f"{self.done:,} of {self.files:,} files, {self.read / 1e6:,.1f} of {self.total / 1e6:,.1f} MB, "
                f"{self.turns:,} turns new" + ("" if is_end else f", {left // 60}:{left % 60:02} left"))
        bar = "█" * round(20 * part) + "░" * (20 - round(20 * part))
        sys.stderr.write(f"\r{bar} {line}\x1b[K{chr(10) if is_end else ''}" if self.is_terminal else f"{line}\n")
        sys.stderr.flush()


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def transcripts(paths: Sequence[str]) -> list[str]:
    """The files named and the transcripts in the folders named; with none, those in the client's projects folder."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    found = []
    for path in map(os.path.realpath, paths or [os.path.join(config, "projects")]):  # one name for each: see `source`
        below = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        found += [one for one in below if one.endswith(".jsonl")] if os.path.isdir(path) else [path]
    return found


# --- shared: settings ---
def settings(project: str) -> Record:
    """The settings in force: the defaults, where there is no file that check_settings.py could look through."""
    paths = os.path.join(data_home(), "config.json"), os.path.join(project, ".claude", "compact-keeper.json")
    checking = beside("check_settings") if any(map(os.path.lexists, paths)) else None
    used: Record = checking.in_force(SETTINGS, *paths, log) if checking else SETTINGS
    return used
# --- end of shared: settings ---


def is_kept_out(folder: str) -> bool:
    """Whether the folder, or one that it lies in, says that it stays out of the archive."""
    parts = folder.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts), 1, -1)]
    told = [one for one in folders if os.path.lexists(os.path.join(one, ".claude", "compact-keeper.json"))]
    return any(not settings(one)["archive"] for one in told or [folder])


def take_in(archive: Any, path: str, tell: Callable[[int, int], None], until: float) -> None:
    """Stores what is new in a transcript, some turns at a time; stops at `until` (seconds since 1970), to go on later.

    Reading goes on where the last turn stored begins: it may have grown. Bytes and new rows are told to `tell`.
    """
    about, kept_out = os.stat(path), lru_cache(maxsize=None)(is_kept_out)
    source = archive.source(path, about)
    if source["size"] == about.st_size:
        return tell(about.st_size, 0)
    batch: list[Record] = []
    oldest = time.time() - 86_400 * settings("")["archive_days"]
    turn, read = {"start": source["offset"], "told": source["told"]}, 0
    for turn, end in turns_of(path, source["offset"], about.st_size, source["told"]):
        if kept_out(turn["folder"]):
            turn["told"] = {name: one for name, one in turn["told"].items() if name not in NAMING}
        elif turn["time"] > oldest:
            batch.append(turn)
        if len(batch) >= BATCH:
            tell(end - read, archive.store(source["id"], batch, -1, turn["start"], turn["told"]))
            batch, read = [], end
            if time.time() > until:
                return None
    new = archive.store(source["id"], batch, about.st_size, turn["start"], turn["told"])
    return tell(about.st_size - read, new)


def complain(told: str) -> None:
    """A line on stderr."""
    sys.stderr.write(f"compact-keeper: {told}\n")


def index(archive: Any, paths: list[str], is_quiet: bool) -> None:
    """Takes in the transcripts and folders named, else all; then removes what is too old or too much."""
    paths, until = transcripts(paths), float("inf")
    if is_quiet:  # beside a session at work, which it outlives
        until = time.time() + QUIET
        if hasattr(os, "nice"):
            os.nice(10)
        if hasattr(os, "setsid") and os.getpid() != os.getpgrp():  # the first of a group may not
            os.setsid()
    progress = Progress(paths, is_quiet)
    for path in paths:
        if time.time() > until:
            break
        try:
            take_in(archive, path, progress.tell, until)
        except (OSError, Refusal) as fault:
            (log if is_quiet else complain)(f"{path} is left out: {fault}")
        progress.done += 1
    used = settings("")
    archive.retain(used["archive_days"], used["archive_mb"])
    progress.tell(0, 0, is_end=True)


def main() -> int:
    """Prints this page: the file is imported, not run."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
