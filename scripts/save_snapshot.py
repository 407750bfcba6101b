#!/usr/bin/env python3
"""Save what a compaction would lose: read what is new in the session, keep its items with their source.

A hook for PreCompact and Stop. One pipeline:
    read (transcript, ledger) -> extract items -> merge with memory, pruned -> store
Reads   the hook's JSON on stdin; the transcript from where the last save stopped, at most its last 8 MB, and of
        what lies before that on a first read only the lines with typed words; the session's ledger.
Writes  sessions/<session_id>/memory.json (every item known, and how far was read) and snapshot.json (the items
        that may be put back, and for how long they hold); one line in events.jsonl.
Prints  on PreCompact under 600 characters for the summariser: what to keep verbatim, what comes back separately;
        on Stop nothing. restore_snapshot.py chooses from the snapshot, words it and puts it back.
Keeps   to typed words: no rule comes from a tool's output, a page, a summary or our own text. Secrets are
        replaced before anything is written. A subagent's compaction changes nothing here.
By hand: save_snapshot.py --preview [TRANSCRIPT] [--why]    (needs preview_snapshot.py beside it)
To use a copy of this file alone, put it into a project's .claude/hooks and this into .claude/settings.json:
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

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms that every hook would pay
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

TAIL = 8 << 20  # bytes of a transcript that a first read parses whole
MAX_ITEMS = 500
SEEN_IDS = 2_000  # of rows and of calls: old rows come again, ledger and transcript tell of the same call
IDENTIFIER = re.compile(r"[\w.:-]{1,64}\Z")  # of rows, calls, tools and moments; else not kept
TTL = 600  # seconds; a compaction takes minutes at most, an older snapshot speaks of another time
INSTRUCTIONS = (  # under 600 characters: on a manual /compact the client echoes them into the new context
    "compact-keeper: Keep word for word, in quotes, the user's standing rules, corrections and newest request. Put "
    "back separately: rules, tasks, changed files, commands with outcome, failures. So spend the summary on reasons, "
    "decisions, rejected alternatives, what was learned, what is half done. Call done only what was seen to work, the "
    "rest claimed. Write in the language that the user writes in.\n")
CLOSED = ("cleared", "answered", "gone", "ended", "replaced", "withdrawn", "superseded")  # not kept any more
CHANGING, RUNNING, SUBAGENT = ("Edit", "Write", "MultiEdit", "NotebookEdit"), ("Bash", "PowerShell"), ("Task", "Agent")
UNTOLD_MARKS = (b'"type":"progress"', b'"content":[{"type":"thinking"')  # lines of these have nothing to keep
TYPED_MARKS = (b'"type":"user"', b'"queue-operation"', b'"queued_command"', b'"compact_boundary"', b'"name":"mcp__')
RULE = re.compile(  # how an order begins in English; in other languages, a word anywhere
    r"(?i)^(?:[\W\d]|(?:please|and|but|also|so|then|ok|okay|no|yes|hey|just|again|remember|important|note)\b)*"
    r"(?:never|always|don'?t|do not|must|make sure|avoid|remember|from now on|stop|only|use|keep|prefer|no more"
    r"|we (?:never|always)|you (?:must|should|shall|can'?t|may not))\b|.*(?:\b(?:никогда|всегда|нельзя|не надо"
    r"|обязательно|nunca|siempre|sempre|jamais|toujours|niemals|immer|asla|mutlaka|her zaman)\b|不要|必须|总是|永远"
    r"|一定要|禁止|てください|しないで|必ず|絶対|하지 ?마|항상|반드시|절대|कभी|हमेशा)")
WISH = re.compile(r"(?i)\b(?:never|always|must|should|make sure|instead|avoid|prefer|don'?t|rather than|i want)\b")
ASKING = re.compile(r"(?i)(?!can|could|would|will|please).*[?？]\W*\Z")  # "can you …?" asks for a deed instead
DECISION = re.compile(r"(?i)\b(?:decided|let'?s (?:go with|use|keep)|we'?ll (?:use|go with)|going with|chose|opted)\b")
TOLD = re.compile(r"(?i)decided|let'?s |we'?ll |going with|chose|opted|pass|green|fixed|done")  # a quick look before
CLAIM = re.compile(r"(?i)(?!let |now |i'?ll ).*\b(?:tests? (?:are )?(?:pass|green)|(?:is|are) (?:fixed|done))\b")
VALUE = re.compile(r"https?://[^\s\"'<>)\]]+|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}\b")

# --- shared: hook ---
# Input, log and exit. Shared blocks stand in each script, as each must work when copied alone; a test holds them equal.
STDIN_LIMIT = 4 << 20  # bytes
SESSION_ID = re.compile(r"(?!\.+\Z)[A-Za-z0-9._-]{1,128}\Z")  # it becomes a folder's name


class Refusal(Exception):
    """Says why an input or a file is not used."""


def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


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
TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error")


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


def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read."""
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    line = line if len(line) < enough else line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    lines = [line.strip()[:2_000] for line in redact(clean(re.sub(r"</?tool_use_error>", "", output))).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    found = (line for pattern in TELLING for line in lines if re.search(pattern, line))
    return quote(next(found, lines[-1] if lines else ""), 240)
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


# --- read: what is new in the session ---


class Reading:
    """What is new since the last save: the items that words gave, in order, and the tool calls by their id."""

    def __init__(self, memory: Record) -> None:
        self.items: list[Record] = []
        self.endings: list[Record] = []  # of jobs
        self.calls: dict[str, Record] = {call["id"]: call for call in memory.get("pending", [])}
        self.seen: dict[str, None] = dict.fromkeys(memory.get("seen", []))
        self.state: dict[str, str] = dict(memory.get("state", {}))
        self.position, self.cycle, self.time = memory.get("position", 0), memory.get("cycle", 0), memory.get("time", "")
        self.queue: list[str] = memory.get("queue", [])  # typed while the agent worked, not yet handed to it
        self.after: str = memory.get("after", "")  # what came just before: a boundary, an interrupt
        self.last_said: Record = self.entry("", text="")
        self.last_act = 0  # the position of the last typed words, call or result

    def entry(self, source: str, **fields: Any) -> Record:
        """An entry at the present place of the session."""
        return {"time": self.time, "source": source, "position": self.position, "cycle": self.cycle, **fields}

    def add(self, record: Record) -> None:
        """Takes a record of the transcript; a re-appended row counts once, kinds unknown to us do not count."""
        kind, moment = record.get("type"), text_of(record, "timestamp")
        uuid = text_of(record, "uuid") if IDENTIFIER.match(text_of(record, "uuid")) else ""
        known = kind in ("user", "assistant", "attachment", "system", "queue-operation")
        if not known or uuid[-12:] in self.seen or record.get("isSidechain"):
            return
        self.seen.update({uuid[-12:]: None} if uuid else {})
        self.position += 1
        self.time = moment if IDENTIFIER.match(moment) else self.time
        self.state.update({name: record[name] for name in ("cwd", "gitBranch") if text_of(record, name)})
        if kind == "queue-operation":
            self.add_queued(record.get("operation"), own_words(text_of(record, "content")))
        elif record.get("subtype") == "compact_boundary" or record.get("isCompactSummary"):
            self.cycle += self.after != "boundary"  # a boundary and its summary are one compaction
            self.after = "boundary" if record.get("subtype") == "compact_boundary" else ""
        else:
            self.add_typed("" if kind == "assistant" else typed_text(record), uuid, "prompt")
            for block in content_blocks(record):
                self.add_block(block, record, uuid)

    def add_typed(self, text: str, source: str, via: str) -> None:
        """Words that a person typed, redacted before anything looks at them."""
        if text:
            via = "interrupt" if self.after == "interrupt" else via
            self.items += from_typed(self.entry(source, text=redact(clean(text)), via=via))
            self.after, self.last_act = "", self.position

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
            self.last_said = self.entry(source, text=text)
            self.items += from_said(self.last_said)
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            self.add_call(text_of(block, "id"), text_of(block, "name"), block["input"])
        elif what == "tool_result":
            self.add_result(block, record.get("toolUseResult"))
        elif text.startswith("[Request interrupted"):
            self.after = "interrupt"
        elif text.startswith("<task-notification>"):
            for job in re.findall(r"<task-id>(\w+)</task-id>", text):
                self.endings.append(item("job", self.entry(source), "", "client", key=job, status="ended"))
        elif text.startswith("Implement the following plan:"):  # approved in another session, which ended with it
            call = self.entry(source, tool="ExitPlanMode", input={"plan": quote(text.partition(":")[2], 600)}, ok=True)
            self.items += consent({**call, "rejected": False, "output": "", "answers": {}})

    def add_call(self, call_id: str, tool: str, asked: Record) -> None:
        """A tool call, not ended so far; one that the ledger told of in an earlier save is passed over."""
        new = call_id not in self.seen and call_id not in self.calls
        if new and IDENTIFIER.match(call_id) and IDENTIFIER.match(tool):
            path, self.last_act = text_of(asked, "file_path") or text_of(asked, "notebook_path"), self.position
            self.calls[call_id] = self.entry(
                call_id, id=call_id, tool=tool, path=quote(path, 300), ok=None, exit=None, error="", output="",
                command=quote(text_of(asked, "command"), 600), rejected=False, answers={},
                input={} if tool in (*CHANGING, *RUNNING, "Read", "Grep", "Glob") else tidy(asked))

    def add_result(self, block: Record, extra: Any) -> None:
        """A call's result. A rejection holds words of the person; an MCP tool could imitate one, so not there."""
        call, inner = self.calls.get(text_of(block, "tool_use_id"), {}), block.get("content")
        parts = [part for part in inner if isinstance(part, dict)] if isinstance(inner, list) else []
        text = inner if isinstance(inner, str) else "\n".join(text_of(part, "text") for part in parts)
        given = extra.get("answers") if isinstance(extra, dict) else None
        call.update(output=text[:4_000], time=self.time, answers=given if isinstance(given, dict) else {})
        self.last_act = self.position
        if block.get("is_error") is not True:
            call["ok"] = True
        elif text.startswith("The user doesn't want to proceed with this tool use"):
            call["rejected"] = True
            words = "" if call.get("tool", "").startswith("mcp__") else text.partition("the user said:\n")[2]
            self.add_typed(own_words(words.partition("\n\nNote: The user's next")[0]), call.get("id", ""), "rejection")
        else:
            code = re.match(r"Exit code (\d{1,3})\b", text)
            call.update(ok=False, exit=int(code.group(1)) if code else None, error=telling_line(text))

    def add_event(self, event: Record, told_until: str) -> None:
        """A line of the ledger: a call or prompt of which the transcript, up to that time, has not told."""
        call_id, self.time = text_of(event, "id"), max(text_of(event, "time"), self.time)
        self.position += 1
        if event.get("event") == "prompt" and text_of(event, "time") > told_until:
            self.add_typed(own_words(text_of(event, "text")), "ledger", "prompt")
        elif event.get("event") == "tool":
            asked = {"command": event.get("command"), "file_path": event.get("path"), "prompt": event.get("task")}
            self.add_call(call_id, text_of(event, "tool"), asked)
            call, told = self.calls.get(call_id, {}), {name: text_of(event, name) for name in ("error", "output")}
            if call.get("ok") is None and not event.get("interrupted"):
                call.update(told, ok=event.get("ok") is True, exit=event.get("exit"))
        elif event.get("event") == "subagent" and event.get("ended"):
            self.endings.append(item("job", self.entry("ledger"), "", "client", key=event.get("agent"), status="ended"))


def tidy(value: Any, depth: int = 4) -> Any:
    """A call's input with every text in it quoted, at most 600 UTF-16 units: it may wait on disk for its result."""
    if isinstance(value, dict):
        return {quote(key, 60): tidy(one, depth - 1) for key, one in value.items() if depth}
    if isinstance(value, list):
        return [tidy(one, depth - 1) for one in value[:100] if depth]
    return quote(value, 600) if isinstance(value, str) else value


# --- extract: items, each with its kind, text and source ---


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


def sentences(text: str) -> list[str]:
    """The text's sentences and list entries, wrapped lines joined; fenced code, quoted lines, long runs left out."""
    prose = re.sub(r"(?s)```.*?(?:```|\Z)|(?<=[\w,]) *\n(?=[a-z])", lambda gap: "\n" if "`" in gap[0] else " ", text)
    found = re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", prose)
    parts = (re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", part.strip()) for part in found)
    return [part for part in parts if 4 <= len(part) <= 600 and part[0] not in ">|❯⏺⎿"]


def from_typed(entry: Record) -> Iterator[Record]:
    """From typed words: the request, rules and corrections in their own words, wishes, decisions, addresses."""
    text, corrects = entry["text"], entry["via"] in ("rejection", "interrupt")
    yield item("request", entry, cut(text, 1_500), "user")
    for part in [" ".join(text.split())] if corrects and len(text) <= 600 else sentences(text):
        kind = "rule" if corrects or RULE.match(part) else "decision" if DECISION.search(part) else ""
        kind = kind or ("wish" if WISH.search(part) and len(text) < 3_000 else "")
        if kind and not ASKING.match(part):
            yield item(kind, entry, part, "user", via=entry["via"])
        for value in VALUE.findall(part):
            yield item("value", entry, quote(part, 200), "user", key=value)


def from_said(entry: Record) -> Iterator[Record]:
    """From the assistant's words: `- [ ]` tasks, decisions, claims that something is done."""
    for mark, text in re.findall(r"^\s*[-*] \[([ xX~])\] (.+)", entry["text"], re.MULTILINE):
        status = {" ": "pending", "~": "in_progress"}.get(mark, "completed")
        yield item("task", entry, quote(text, 300), "assistant", status=status)
    for part in sentences(entry["text"][:6_000]) if TOLD.search(entry["text"]) else ():
        kind = "decision" if DECISION.search(part) else "claim" if CLAIM.match(part) else ""
        if kind and not ASKING.match(part):
            yield item(kind, entry, quote(part, 300), "assistant")


def from_call(call: Record, known: list[Record]) -> Iterator[Record]:
    """From a tool call: files, commands and failures, tasks, answers and plans, jobs."""
    tool = call["tool"]
    if call["path"] and call["ok"] and (tool in CHANGING or tool == "Read"):
        yield item("file", call, call["path"], "assistant", edits=int(tool in CHANGING))
    if call["ok"] is not None and (tool in RUNNING or tool in CHANGING or tool.startswith("mcp__")):
        yield from outcome(call)
    if tool in ("TodoWrite", "TaskCreate", "TaskUpdate"):
        yield from task_changes(call, known)
    if tool in ("AskUserQuestion", "ExitPlanMode"):
        yield from consent(call)
    if tool in RUNNING or tool in SUBAGENT or tool in ("KillShell", "TaskStop"):
        yield from job_changes(call)


def outcome(call: Record) -> Iterator[Record]:
    """The command with how it ended; the failure, open until the same thing passes."""
    name = call["command"] or f"{call['tool']} {call['path']}".strip()
    same = re.split(r" \| | 2>&1| > ", re.sub(r"^(?:cd \S+ && )+", "", name))[0].strip()  # wherever it ran
    more = {"key": same, "exit": call["exit"]}
    if call["command"]:
        yield item("command", call, name, "assistant", ok=call["ok"], **more)
    passed = call["ok"] or not call["error"] or "Sibling tool call" in call["error"]
    yield item("failure", call, name, "tool", status="cleared" if passed else "open", error=call["error"], **more)


def task_changes(call: Record, known: list[Record]) -> Iterator[Record]:
    """Tasks as TodoWrite (the whole list each time), TaskCreate and TaskUpdate leave them."""
    asked, created = call["input"], re.match(r"Task #(\w+) created", call["output"])
    if call["tool"] != "TodoWrite" and call["ok"]:
        key = f"#{created.group(1) if created else asked.get('taskId')}"
        status = "pending" if created else {"deleted": "gone"}.get(text_of(asked, "status"), text_of(asked, "status"))
        yield item("task", call, cut(text_of(asked, "subject"), 300), "assistant", key=key, status=status)
    elif isinstance(asked.get("todos"), list):
        yield from [{**old, "status": "gone"} for old in known if old.get("list") == "todo"]
        for todo in [todo for todo in asked["todos"] if isinstance(todo, dict)]:
            more = {"list": "todo", "status": text_of(todo, "status") or "pending"}
            known.append(item("task", call, cut(text_of(todo, "content"), 300), "assistant", **more))
            yield known[-1]


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
    asked = call["input"].get("questions") if waiting else None
    for text in [text_of(one, "question") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else ():
        yield item("question", call, quote(text, 500), "assistant")


def job_changes(call: Record) -> Iterator[Record]:
    """Background shells and subagents, running until a tool or the client tells of their end."""
    task = call["command"] or quote(text_of(call["input"], "prompt"), 300)
    started = re.search(r"(?:in background with ID|launched.*?agentId): (\w+)"
                        r"(?:.*?(?:written to|output_?[fF]ile): (\S+?)\.?(?:\s|\Z))?", call["output"], re.DOTALL)
    if started and call["tool"] in SUBAGENT:
        yield item("job", call, "", "assistant", key=call["id"], status="ended")  # what ran under the call's own id
    if started:
        yield item("job", call, task, "assistant", key=started.group(1), path=quote(started.group(2) or "", 300))
    elif call["tool"] in SUBAGENT:
        running = call["ok"] is None and not call["rejected"]
        yield item("job", call, task, "assistant", key=call["id"], status="open" if running else "ended")
    elif call["tool"] not in RUNNING and call["ok"]:
        stopped = text_of(call["input"], "shell_id") or text_of(call["input"], "task_id")
        yield item("job", call, "", "client", key=stopped, status="ended")


def extract(reading: Reading, known: list[Record]) -> Iterator[Record]:
    """All items that the reading gives, later ones after earlier ones of their kind."""
    if reading.last_act or reading.last_said["text"]:  # the session went on, so an earlier question is answered
        yield from ({**old, "status": "answered"} for old in known if old["kind"] == "question")
    known, stream = [*known], [*reading.items, *reading.calls.values(), *reading.endings]
    for one in sorted(stream, key=lambda one: one["time"] if "tool" in one else one["last"]):
        yield from from_call(one, known) if "tool" in one else (one,)
    if reading.last_said["position"] > reading.last_act:  # the turn ended with these words
        for part in [part for part in sentences(reading.last_said["text"])[-3:] if part.endswith(("?", "？"))][-1:]:
            yield item("question", reading.last_said, quote(part, 500), "assistant")


# --- merge: one entry for the same item; what is closed and what is too much goes ---


def identity(one: Record) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = unicodedata.normalize("NFKC", str(one.get("key") or one["text"])[:400]).casefold()
    return one["kind"], " ".join(key.split())


def merge(known: Iterable[Record], new: Iterable[Record]) -> list[Record]:
    """All open items in order; the same ones are one, as told last, counts added. Rules go last, wishes first."""
    table = {identity(one): one for one in known}
    for one in new:
        old = table.pop(identity(one), {})
        told = {key: value for key, value in one.items() if value not in ("", None)}
        counts = {key: old.get(key, 0) + one.get(key, 0) for key in ("uses", "edits")}
        if one["status"] not in CLOSED and (old or one["text"]):
            table[identity(one)] = {**one, **old, **told, **counts, "first": old.get("first") or one["first"]}
    kept = sorted(table.values(), key=lambda one: (one["kind"] == "rule", one["kind"] != "wish", one["position"]))
    return sorted(kept[-MAX_ITEMS:], key=lambda one: one["position"])


# --- save: on from where the last save stopped, and back to disk ---


def new_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines to parse: before the tail only those that may hold typed words, progress and thinking never."""
    tail = max(start, stop - TAIL)
    for first, last in ((start, tail), (tail, stop)):
        for end, line in read_lines(path, first, last) if first < last else ():
            wanted = first == tail or (any(map(line.__contains__, TYPED_MARKS))
                                       and (b"tool_use_id" not in line or b"user said:" in line))
            if wanted and not any(map(line[:900].__contains__, UNTOLD_MARKS)):
                yield end, line


def read_transcript(reading: Reading, path: str, place: dict[str, int]) -> dict[str, int]:
    """Reads what is new, everything when the file is another one than last time; returns the new place."""
    os.close(open_regular(path, os.O_RDONLY))
    about = os.stat(path)
    offset = place["offset"] if place.get("inode") == about.st_ino and place["offset"] <= about.st_size else 0
    for end, line in new_lines(path, offset, about.st_size):
        offset, (needed, again, _) = end, line.partition(b',"toolUseResult":')  # a result's second copy
        for record in parse_line(needed + b"}" if again and b'"answers":' not in line else line):
            reading.add(record)
    return {"inode": about.st_ino, "offset": offset}


def remember(memory: Record, transcript: str, folder: str) -> Record:
    """The memory after everything new was read; the one that came in stays as it is."""
    reading, known = Reading(memory), memory.get("items", [])
    place = memory.get("place", {})
    place = read_transcript(reading, transcript, place) if os.path.exists(transcript) else place  # it may come late
    told_until, ledgers = reading.time, [os.path.join(folder, name) for name in ("ledger.folded.jsonl", "ledger.jsonl")]
    for _, line in [told for path in ledgers if os.path.exists(path) for told in read_lines(path, 0, TAIL)]:
        for event in parse_line(line):
            reading.add_event(event, told_until)
    reading.state["last_words"] = reading.last_said["text"] or reading.state.get("last_words", "")
    waiting = {name: call for name, call in reading.calls.items() if call["ok"] is None and not call["rejected"]}
    return {"place": place, "position": reading.position, "cycle": reading.cycle, "time": reading.time,
            "state": {name: quote(text, 600) for name, text in reading.state.items()},
            "pending": [*waiting.values()][-50:], "queue": reading.queue[-20:], "after": reading.after,
            "seen": [*reading.seen, *(name for name in reading.calls if name not in waiting)][-SEEN_IDS:],
            "items": merge(known, extract(reading, known))}


def save(data: Record) -> None:
    """The hook: tells the summariser on PreCompact what to keep, reads on, stores memory and snapshot."""
    event, started = text_of(data, "hook_event_name"), time.time()
    if event not in ("PreCompact", "Stop") or text_of(data, "agent_id"):
        return
    if event == "PreCompact":
        os.write(1, INSTRUCTIONS.encode())
    folder = private_folder("sessions", data["session_id"])
    path, snapshot = os.path.join(folder, "memory.json"), os.path.join(folder, "snapshot.json")
    new = remember(read_store(path), data["transcript_path"], folder)
    read_store(snapshot)  # refuses to replace what a later version wrote
    if read_store(path).get("position", 0) > new["position"]:
        return  # a save that ran beside this one has read further
    replace_store(path, new)
    told = {name: new[name] for name in ("position", "cycle", "time", "state", "items")}
    told.update(session=data["session_id"], id=f"{int(started * 1e6):x}", created=started, ttl=TTL)
    replace_store(snapshot, told)
    if os.path.exists(ledger := os.path.join(folder, "ledger.jsonl")):
        os.replace(ledger, os.path.join(folder, "ledger.folded.jsonl"))
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps({
        "schema": SCHEMA, "time": started, "event": "save", "session": data["session_id"], "on": event,
        "items": len(new["items"]), "cycle": new["cycle"], "ms": int((time.time() - started) * 1000)}))


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook; with arguments what preview_snapshot.py returns for them."""
    if not (arguments := list(sys.argv[1:] if argv is None else argv)):
        return run_hook(save)
    from runpy import run_path
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preview_snapshot.py")
    if not os.path.exists(beside):
        raise SystemExit(f"compact-keeper: {beside} is missing; copy it beside this file for --preview")
    return int(run_path(beside)["main"](arguments))


if __name__ == "__main__":
    raise SystemExit(main())
