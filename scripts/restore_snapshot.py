#!/usr/bin/env python3
r"""Put back what a compaction dropped, once, and see to it that it arrived.

A hook for SessionStart and SessionEnd; answer_prompt.py starts it at a prompt where a delivery waits for its receipt:
    SessionStart, compact          the session as of now, with what is true now; to a compacted subagent rules and task
    UserPromptSubmit               looks for the text in the transcript; what the client lost goes out again, once
    SessionStart, resume           notes that another process goes on; SessionEnd, that a begun compaction will not end
    SessionStart, startup, clear   one line when a session of this folder that ended in the last 30 minutes stopped at
                                   a compaction that failed, or with a full context
Reads   the hook's JSON on stdin; of this session snapshot.json, compaction.json, pins.jsonl; the end of the transcript,
        for the receipt; .git, files, processes.
Starts  save_snapshot.py, where the session has gone on since it was saved.
Prints  JSON: hookSpecificOutput.additionalContext for the model, at most 9,500 UTF-16 units (the client cuts at
        10,000); a systemMessage line for the person. Mostly nothing.
Writes  delivered-<id>, the exclusive mark with the text (the snapshot stays); compaction.json; lines in events.jsonl,
        one in history.jsonl.
By hand:
    restore_snapshot.py --now [SESSION]                the unfinished compaction's text, else the session's
    restore_snapshot.py --show [--why] < SNAPSHOT      what would come back of save_snapshot.py --dry-run; with --why
                                                       every item with its score
To use a copy, put the file into a project's .claude/hooks, save_snapshot.py beside it, and this into
.claude/settings.json, the same entry without the matcher for SessionEnd, and for UserPromptSubmit where that has no
answer_prompt.py:
    {"hooks": {"SessionStart": [{"matcher": "compact|resume|startup|clear", "hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; by hand 1 with one line that says why nothing is shown. Python 3.9+, standard
library only.

Version 0.6.0, made by `make build` from src/restore_snapshot.py; change it there. Its parts stand in the order of their use.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

VERSION = "0.6.0"  # of the plugin that this script came with


# ==================================================================================================
# client/processes.py: Processes that a script starts: other scripts of ours, whose work it never imports, and a command of the person's.
# ==================================================================================================

INPUT_MAX_BYTES = 60_000  # what a pipe takes before anybody reads it (64 KB)
PAUSE_SECONDS = 0.002  # between two looks whether a process has ended


def script_command(script: str, *arguments: str) -> list[str]:
    """The words that run a script from beside this one; empty where it is not there, or no Python is known.

    Through run_hook.py where that is there too: a script that is started itself is compiled each time (10 ms and more).
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    runner = os.path.join(folder, "run_hook.py")
    path = os.path.join(folder, script)
    if not sys.executable or not os.path.isfile(path):
        return []
    return [sys.executable, "-IS", *([runner, script] if os.path.isfile(runner) else [path]), *arguments]


def start_alone(command: list[str], given: bytes = b"") -> None:
    """Starts the command with that stdin, in a process group of its own, its output nowhere; nobody waits for it.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if command and hasattr(os, "posix_spawn") and len(given) <= INPUT_MAX_BYTES:
        spawned(command, given, is_alone=True)


def run_to_end(command: list[str], given: bytes, patience: float) -> str:
    """Runs the command with that stdin, its output nowhere, for so many seconds; why it did not end, else empty.

    Raises OSError where the system starts no more processes.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return "" if output_by_subprocess(command, given, patience)[1] else f"it took over {patience:.0f} s"
    process = spawned(command, given, is_alone=False)
    until = time.monotonic() + patience
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"it took over {patience:.0f} s"
            time.sleep(PAUSE_SECONDS)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def spawned(command: list[str], given: bytes, is_alone: bool) -> int:
    """The process of the command, with that stdin and its output nowhere."""
    source, into = os.pipe()
    try:
        os.write(into, given)  # first: so no process is ever started whose input does not come
        os.close(into)
        nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        files = [(os.POSIX_SPAWN_DUP2, source, 0), *nowhere]
        if is_alone:
            return os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0)
        return os.posix_spawn(command[0], command, os.environ, file_actions=files)
    finally:
        os.close(source)


def output_of(command: list[str], given: bytes, patience: float, most: int, with_errors: bool = False) -> bytes:
    """What the command prints for this stdin, without the line's end: what came within so many seconds and bytes.

    With `with_errors` what it prints on stderr too.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given, patience, with_errors)[0][:most].rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
             (os.POSIX_SPAWN_DUP2, sink, 2) if with_errors else (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    process = os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0,
                             setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    output = b""
    has_ended = False
    try:
        output, has_ended = exchange(into, given, out, patience, most)
    finally:
        if not has_ended:
            os.killpg(process, signal.SIGKILL)  # not waited for, so there is such a group
    return output.rstrip(b"\r\n")


def exchange(into: int, given: bytes, out: int, patience: float, most: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until = time.monotonic() + patience
    output = b""
    while (left := until - time.monotonic()) > 0 and len(output) < most:
        readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
        if writable:
            given = fed(into, given)
            if not given:
                os.close(into)
                into = -1
        if readable:
            chunk = os.read(out, most)
            if not chunk:
                return output, True
            output += chunk
    return output[:most], False


def fed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: list[str], given: bytes, patience: float,
                         with_errors: bool = False) -> tuple[bytes, bool]:
    """The same where there is no posix_spawn, and whether it came to its end; importing subprocess takes 8 ms."""
    import subprocess
    try:
        ended = subprocess.run(command, input=given, stdout=subprocess.PIPE, timeout=patience, check=False,
                               stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", False
    return ended.stdout, True


# ==================================================================================================
# store/refusal.py: The one exception of ours.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """The path of a folder below the data folder, made where missing, for the owner alone; a link is refused."""
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


def replace_file(path: str, content: bytes) -> None:
    """Replaces the file in one step, for the owner alone; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(content)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


# ==================================================================================================
# store/json_lines.py: Files of JSON lines, ours and the client's: read by place, so that a later reader goes on where this one stopped.
# ==================================================================================================

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER = json.JSONDecoder()


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=BUFFER_BYTES) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_MAX_BYTES)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_MAX_BYTES and (more := file.readline(LINE_MAX_BYTES)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def parse_line(line: bytes) -> list[Record]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values = line.decode("utf-8", "replace").strip(), list[object]()
    try:
        while text and len(values) < OBJECTS_MAX:
            value, end = DECODER.raw_decode(text)
            values.append(value)
            text = text[end:].lstrip()
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_of(path: str, start: int, stop: int) -> Iterator[Record]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# text/times.py: Moments: from the words that name them, and as a clock shows them.
# ==================================================================================================

def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)", stamp)
    if not match:
        return 0
    year, month, day, hour, minute, second = map(int, match.groups())
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def clock(seconds: float) -> str:
    """The moment as a clock shows it here."""
    try:
        return time.strftime("%H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def moment_named(words: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", words):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = re.compile(rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"')  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists
LEDGERS = ("ledger.jsonl", "ledger.folded.jsonl")


def brought_up(snapshot: Record, data: HookInput, folder: str, stored: Callable[[], Record]) -> tuple[Record, str, str]:
    """The snapshot as of now, why it must not be put back, and what its text is to say of its age; both mostly empty.

    `stored` reads the snapshot again when a save has been made.
    """
    transcript, session = data["transcript_path"], data["session_id"]
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, why_gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, places_read(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = stored()
    if later.get("id") != snapshot.get("id"):
        return later, "", ""
    if not is_kept:
        return later, f"nothing could be saved of the session: {fault or 'the save failed'}", ""
    return later, "", f"(As of {saved_clock(later)}: what came after could not be read.)"


def why_gone(snapshot: Record, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {saved_clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number_or_zero(snapshot.get("created")))
    if age > number_or_zero(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Record, session: str) -> bool:
    """Whether another session's file has taken the place of the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number_or_zero(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    new = bytes_from(transcript, max(begin, about.st_size - FILE_END_MAX_BYTES))
    if session.encode() in new:
        return False
    lines = new.splitlines()[begin < about.st_size - FILE_END_MAX_BYTES:]  # the first may have begun before
    named = {str(record["sessionId"]) for line in lines for record in parse_line(line) if "sessionId" in record}
    return bool(named) and session not in named


def is_behind(snapshot: Record, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = places_read(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number_or_zero(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > NEW_LINES_MAX_BYTES:
        return True
    return bool(COUNTING_LINE.search(bytes_from(transcript, start))) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Record, folder: str) -> bool:
    """Whether the ledger has lines that the snapshot's save had not read; a save renames the file when it was read."""
    places = [place for place in places_read(snapshot, "ledgers").values() if isinstance(place, dict)]
    known = {place.get("inode"): number_or_zero(place.get("offset")) for place in places}
    for name in LEDGERS:
        try:
            about = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if about.st_size > known.get(about.st_ino, 0):
            return True
    return False


def save_now(data: HookInput) -> str:
    """Has save_snapshot.py save the session; why it did not, empty when it came to its end."""
    command = script_command("save_snapshot.py")
    if not command:
        return "save_snapshot.py cannot be started"
    given = {"hook_event_name": "SessionStart", "source": "compact", "session_id": data["session_id"],
             "transcript_path": data["transcript_path"], "cwd": data["cwd"][:PATH_MAX_CHARACTERS]}
    try:
        why = run_to_end(command, json.dumps(given).encode(), SAVE_PATIENCE_SECONDS)
    except OSError as fault:  # as many processes or files as the system allows
        return f"the save could not be started: {fault}"
    return f"the save did not end: {why}" if why else ""


def bytes_from(transcript: str, start: int) -> bytes:
    """The file from that byte on; what another process puts in its place is not waited for."""
    with os.fdopen(os.open(transcript, os.O_RDONLY | NO_WAIT), "rb") as file:
        file.seek(start)
        return file.read(FILE_END_MAX_BYTES)


def places_read(snapshot: Record, name: str) -> Record:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read = snapshot.get("read")
    place = read.get(name) if isinstance(read, dict) else None
    return place if isinstance(place, dict) else {}


def number_or_zero(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def saved_clock(snapshot: Record) -> str:
    """When the snapshot was saved, as a clock shows it here."""
    return clock(number_or_zero(snapshot.get("created")))


# ==================================================================================================
# client/tokens.py: Tokens: how many `usage` tells of, how large a window is, and how many below its end a client compacts.
# ==================================================================================================

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
USAGE_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def usage_tokens(usage: object) -> int:
    """Tokens in the context after an answer, as its `usage` tells; 0 where it does not tell those of the request."""
    counts = [usage.get(name) for name in USAGE_FIELDS] if isinstance(usage, dict) else [None]
    numbers = [count for count in counts if type(count) is int and count > 0]  # True is no number
    return sum(numbers) if type(counts[0]) is int else 0


def window_in_environment() -> int:
    """The tokens of the window that the client's own variable names; 0 where it names none."""
    name = os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    return int(name) if re.fullmatch(r"\d{4,8}", name) else 0


# ==================================================================================================
# client/context.py: The threads of a session: what each waits for, and whose context was compacted where the client does not say.
# ==================================================================================================

LATE_LINES_SECONDS = 0.15  # by which a transcript may be late (0.082 measured): as long it is waited for
NAMING_CLIENTS = (2, 1, 329)  # and newer ones name the subagent in a hook's input
THREAD_TAIL_BYTES = 1 << 20  # of a transcript's end, which tell where its thread stands
SUBAGENTS_MAX = 8  # looked at, those that were written last


def subagents_folder(transcript: str) -> str:
    """Where the client keeps the transcripts of a session's subagents, as agent-<id>.jsonl."""
    return transcript.removesuffix(".jsonl") + "/subagents"


def last_records(path: str) -> list[Record]:
    """The records at the file's end."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    return list(records_of(path, max(size - THREAD_TAIL_BYTES, 0), size)) if size else []


def subagents_of(transcript: str) -> list[os.DirEntry[str]]:
    """The transcripts of the session's subagents that were written last, the newest first."""
    folder = subagents_folder(transcript)
    files = os.scandir(folder) if os.path.isdir(folder) else ()
    transcripts = [file for file in files if re.fullmatch(r"agent-.+\.jsonl", file.name) and os.path.isfile(file)]
    return sorted(transcripts, key=lambda file: -file.stat().st_mtime)[:SUBAGENTS_MAX]


def compacted_agent(transcript: str) -> str:
    """The id of the subagent whose context an automatic compaction was about; empty for the main thread.

    Right for 71 of 71 compactions measured, 21 of them of subagents, in tiny sessions.
    """
    until = time.monotonic() + LATE_LINES_SECONDS
    while True:
        records = last_records(transcript)
        main, client = standing(records), max(map(client_version, records), default=())
        for file in subagents_of(transcript) if client < NAMING_CLIENTS else ():
            agent = standing(last_records(file.path))
            if agent["awaits"] == "answer" and (main["awaits"] != "answer" or agent["usage"] > main["usage"]):
                return file.name[len("agent-"):-len(".jsonl")]
        if client >= NAMING_CLIENTS or main["awaits"] == "answer" or time.monotonic() > until:
            return ""
        time.sleep(LATE_LINES_SECONDS / 10)  # one of the threads was compacted: its last lines are still to come


def client_version(record: Record) -> tuple[int, ...]:
    """The client's version that wrote the record; () when it names none."""
    version = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", str(record.get("version", "")))
    return tuple(map(int, version.groups())) if version else ()


def standing(records: Iterable[Record]) -> Record:
    """What a thread waits for by its last records (a call's result, the model's answer, nothing), and its tokens."""
    pending: set[str] = set()
    awaits, usage = "", 0
    for record in records:
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        pending |= {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
        pending -= {str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"}
        awaits = "result" if pending else "answer" if record["type"] == "user" else ""
        usage = usage_tokens(message.get("usage")) or usage
    return {"awaits": awaits, "usage": usage}


def task_of(transcript: str, agent: str) -> tuple[str, int]:
    """The words that the subagent was given (the first record of its transcript), and that transcript's bytes."""
    path = os.path.join(subagents_folder(transcript), f"agent-{agent}.jsonl")
    if not os.path.isfile(path):
        return "", 0
    message = next(records_of(path, 0, 1), {}).get("message")
    task = message.get("content") if isinstance(message, dict) else ""
    return task if isinstance(task, str) else "", os.path.getsize(path)


# ==================================================================================================
# store/json_files.py: JSON files of ours.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


def replace_store(path: str, data: Record) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before."""
    replace_file(path, json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False).encode("utf-8", "replace"))


# ==================================================================================================
# store/session_lock.py: One process at a time in a session's folder: what saves and what puts back take turns.
# ==================================================================================================

LOCK_PATIENCE_SECONDS = 2.0  # that another process is waited for; most take 0.03
LOCK_PAUSE_SECONDS = 0.005  # between two tries
FOLDERS_LOCKED: list[int] = []  # the folder that this process holds, open


def lock_session(folder: str, patience: float = LOCK_PATIENCE_SECONDS) -> bool:
    """Whether this process holds the folder now: until it ends, or lets go of it, or holds another.

    A process that holds it already is waited for at most so many seconds.
    """
    unlock_session()
    try:
        import fcntl
    except ImportError:
        return True
    FOLDERS_LOCKED.append(os.open(folder, os.O_RDONLY))
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(FOLDERS_LOCKED[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(LOCK_PAUSE_SECONDS)
        except OSError:  # no locks on this disk
            return True
        else:
            return True


def unlock_session() -> None:
    """Lets go of what this process holds."""
    while FOLDERS_LOCKED:
        os.close(FOLDERS_LOCKED.pop())


# ==================================================================================================
# store/compaction.py: compaction.json of a session: how far its newest compaction has come, its `stage`.
# ==================================================================================================

NONCE_CHARACTERS = 8  # of a compaction's id, which tell its text from all others of the session
COMPACTION: Record = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}


def read_compaction(folder: str) -> Record:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    usable = {"stage": "", **of_right_types(read_store(os.path.join(folder, "compaction.json")))}
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


def is_waiting(compaction: Record) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def end_compaction(folder: str, compaction: Record, stage: str, behind: int = 0) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    lock_session(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == compaction["id"]:
        present = {name: value for name, value in now.items() if name != "earlier"}
        set_stage(folder, {**present, "offset": max(present.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == compaction["id"]:
        set_stage(folder, now, stage)
    unlock_session()  # a save that this process starts later would wait for it


# ==================================================================================================
# client/receipt.py: Whether a transcript shows that the client kept what was put back after a compaction.
# ==================================================================================================

KEEPING_CLIENTS = (2, 1, 105)  # and newer ones write a hook's text to the transcript
RESUMING_CLIENTS = (2, 1, 150)  # and newer ones go on from it when another process resumes the session
RECEIPT_BYTES = 4 << 20  # of the transcript behind the compaction's begin that are searched for the nonce
BOUNDARY = re.compile(rb'"subtype": ?"compact_boundary"')


def is_boundary(line: bytes) -> bool:
    """Whether the line is a compaction's boundary; a call whose input reads like one is none."""
    if not BOUNDARY.search(line):
        return False
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (record.get("type"), record.get("subtype")) == ("system", "compact_boundary")


def receipt(transcript: str, compaction: Record) -> str:
    """What the transcript tells of the delivery: kept, lost or unknown; empty when it shows no compaction.

    The proof is the block's nonce in an attachment record behind the boundary. Measured: 2.1.76 writes no such record
    and loses hook text when another process resumes the session; so does 2.1.105, which writes it, but goes on from
    the last message before it (a manual compaction that nothing followed).
    """
    boundary, kept, followed = boundary_and_block(transcript, compaction)
    version, resumed = re.search(rb'"version":"(\d+)\.(\d+)\.(\d+)', boundary), bool(compaction.get("resumed"))
    client = tuple(map(int, version.groups())) if version else ()
    if kept and (followed or not resumed or client >= RESUMING_CLIENTS):
        return "kept"
    if not boundary:
        return ""
    return "lost" if resumed or client >= KEEPING_CLIENTS else "unknown"


def boundary_and_block(transcript: str, compaction: Record) -> tuple[bytes, bool, bool]:
    """The boundary's line, whether the block stands behind it, and whether the conversation went on from there."""
    nonce, boundary, kept = compaction["id"][-NONCE_CHARACTERS:].encode("utf-8", "replace"), b"", False
    start, size = compaction["offset"], os.path.getsize(transcript)
    for end, line in read_lines(transcript, start if 0 <= start <= size else 0, size):
        if not boundary:
            boundary = line if is_boundary(line) else b""
        elif b'"type":"attachment"' in line:
            kept = kept or nonce in line
        elif kept and (b'"type":"user"' in line or b'"type":"assistant"' in line):
            return boundary, True, True
        if end > start + RECEIPT_BYTES:
            break
    return boundary, kept, False


def behind_boundary(transcript: str, compaction: Record) -> int:
    """The byte behind the compaction's boundary; where its begin is, when there is none."""
    start, size = compaction["offset"], os.path.getsize(transcript)
    for end, line in read_lines(transcript, start if 0 <= start <= size else 0, size):
        if is_boundary(line):
            return end
        if end > start + RECEIPT_BYTES:
            break
    return int(start)


# ==================================================================================================
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def beginning(path: str, size: int) -> bytes:
    """At most so many bytes of a regular file; none of anything else, and nothing is waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return b""


def end_of(path: str, size: int) -> bytes:
    """The file's last so many bytes; none where it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, Refusal):
        return b""


# ==================================================================================================
# client/compactions.py: What a session's transcript shows of its compactions: whether another one came, and whether one has failed.
# ==================================================================================================

DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
BOUNDARY_TAIL_BYTES = 1 << 20  # of a transcript's end, in which a fresh boundary lies
FAILURE_MAX_BYTES = 16 << 20  # behind a compaction's begin, the last ones, which tell whether it failed
ANSWER_MARK = b'"type":"assistant"'
SAME_START = 10  # seconds within which two installations start the hook for one compaction
NO_ANSWER = (b'"isSidechain":true', b'"model":"<synthetic>"')  # a subagent's; the client's own words
API_ERROR = b'"isApiErrorMessage":true'  # an answer that is none: the client writes the error in the model's place
# What a manual compaction leaves that failed (2.1.76 to 2.1.330); one that the person stopped says "canceled".
REFUSED = re.compile(rb"<local-command-std(?:err|out)>(?:Error: )?Error during compaction")
TOO_LONG = re.compile(r"(?i)too long|compaction")
STAMP = re.compile(rb'"timestamp":"([\d-]{10}T[\d:]{8})')
WINDOWS_TOKENS = (200_000, 1_000_000)  # that models have


def is_answer(line: bytes) -> bool:
    """Whether the line is an answer of the model's on the main thread."""
    return ANSWER_MARK in line and not any(mark in line for mark in NO_ANSWER)


def is_due(compaction: Record, transcript: str) -> bool:
    """Whether a SessionStart(compact) that comes now belongs to a compaction for which nothing was delivered yet.

    Two installations start the same hook twice, so a delivery counts for every such start until another compaction
    shows: a PreCompact since (stage begun), or a boundary behind the delivery that the model has answered after. Where
    there is no transcript, or nothing was put back, only the time can tell.
    """
    is_delivered = compaction.get("stage") in DELIVERED_STAGES
    if compaction.get("stage") == "kept back" or (is_delivered and not size_of(transcript)):
        return bool(abs(time.time() - compaction.get("settled", 0.0)) > SAME_START)
    if not is_delivered:
        return True
    size, start, boundary = size_of(transcript), compaction.get("offset", 0), False
    for _, line in read_lines(transcript, start if 0 <= start <= size else 0, size) if size else ():
        if boundary and is_answer(line):
            return True
        boundary = boundary or is_boundary(line)
    return False


def boundary_offset(transcript: str) -> int:
    """The byte from which the boundary of the compaction that is being delivered is to be looked for.

    Mostly the file's end: at SessionStart the boundary is not written yet (measured, 2.1.76 to 2.1.330). Where a client
    has written it before, it is the last one, and no answer follows it.
    """
    size = size_of(transcript)
    offset = size
    for end, line in read_lines(transcript, max(size - BOUNDARY_TAIL_BYTES, 0), size) if size else ():
        if is_boundary(line):
            offset = end - len(line)
        elif is_answer(line):
            offset = size
    return offset


def failure(compaction: Record) -> str:
    """What the transcript shows of a compaction that had begun: "failed", "full" (so was the context) or nothing.

    Work that went on is no failure, whatever became of the summary.
    """
    transcript = compaction.get("transcript", "")
    size, start = size_of(transcript), compaction.get("offset", 0)
    start = max(start if 0 <= start <= size else 0, size - FAILURE_MAX_BYTES)
    begun, last = stamp(compaction.get("time", 0)), ""
    for _, line in read_lines(transcript, start, size) if size else ():
        if is_boundary(line):
            return ""
        if REFUSED.search(line) or (API_ERROR in line and TOO_LONG.search(message_words(line))):
            last = "failed"
        elif API_ERROR in line:
            last = last or "error"
        elif is_answer(line) and moment_of(line) > begun:  # the one that filled the context may come late into the file
            last = "went on"
    if last in ("failed", "went on"):
        return last.removeprefix("went on")
    return "full" if size and is_full(compaction, transcript, last) else ""


def is_full(compaction: Record, transcript: str, last: str) -> bool:
    """Whether an automatic compaction was needed for the next request, which did not come or ended in an error."""
    thread = standing(last_records(transcript))
    windows = [tokens for tokens in (window_in_environment(), *WINDOWS_TOKENS) if tokens]
    window = next((tokens for tokens in windows if thread["usage"] <= tokens), windows[0])
    is_last = thread["awaits"] == "answer" or last == "error"
    return compaction.get("trigger") == "auto" and is_last and thread["usage"] >= window - ROOM_TOKENS


def message_words(line: bytes) -> str:
    """The words of the message on the line."""
    try:
        content = json.loads(line.decode("utf-8", "replace"))["message"]["content"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return content if isinstance(content, str) else json.dumps(content)


def moment_of(line: bytes) -> bytes:
    """When the line's record was made, to the second; empty when it does not say."""
    moment = STAMP.search(line)
    return moment.group(1) if moment else b""


def stamp(seconds: float) -> bytes:
    """The moment as a transcript begins it, to the second: UTC, sortable."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)).encode()
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return b""


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"


def both_ends(text: str, head: int, end: int) -> str:
    """The text; of one with more than `head` and `end` characters the whole lines of its first and its last so many."""
    if len(text) <= head + end:
        return text
    first, _, _ = text[:head].rpartition("\n")
    _, _, last = text[-end:].partition("\n")
    return f"{first}\n{last}"


# ==================================================================================================
# text/secret_patterns.py: What secrets look like: tokens by how they begin or are built, passwords by the words before them.
# ==================================================================================================

PREFIXES = (  # what begins so is a token
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- "
    "glffct- GR1348941 ATBB ATATT3 ATCTT3 xoxa- xoxb- xoxe- xoxe. xoxp- xoxr- xoxs- xapp- sk-ant- sk-proj- "
    "sk-svcacct- sk-admin- sk-or-v1- sk-lf- rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- 1//0 1%2F%2F0 pypi-AgE dop_v1_ "
    "doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ lin_api_ hvs. hvb. AGE-SECRET-KEY-1 eyJ dp.pt. dp.st. figd_ xai- "
    "pplx- ntn_ PMAK- dckr_pat_ dckr_oat_ sb_secret_ glsa_ nvapi- tvly- pcsk_ lsv2_ tgp_v1_ ABSK fo1_ fm2_ HRKU- "
    "pscale_tkn_ pscale_pw_ pscale_oauth_ tskey- CCIPAT_ sgp_ AQVN y0_Ag sq0csp- sq0atp- rzp_live_ xkeysib- NRAK- "
    "NRII- dt0c01. sntryu_ sha256~").split()
UNBROKEN = (  # what begins so may be a name too (`npm_config_x`); a token's body has no joints, but digits or capitals
    "sk- sk_ sk_live_ sk_test_ pk_live_ npm_ hf_ api_org_ gsk_ r8_ fw_ csk- jina_ fc- sbp_ napi_ rnd_ nfp_ cfut_ cfat_ "
    "vcp_ sqp_ squ_ sqa_ bkua_ pul- rubygems_ CLOJARS_ phx_ rdme_ pnu_ sntrys_ key- dapi oy2 cio AKCp cmVmd LTAI AKID "
    "AKIA ASIA API- SK 4b1d EZAK").split()
BUILT = (  # by shape, of which a piece must occur; the rest of the token follows
    (".atlasv1.", r"\w{14}\.atlasv1\."), ("SG.", r"SG\.[\w-]{16,}\."), ("AA", r"\d{8,10}(?::|%3A)AA"),
    ("Q~", r"[\w~.]{3}\dQ~"), ("-us", r"[\da-f]{32}-us(?=\d)"), ("EAAA", r"EAAA(?=\S{50})"),
    ("re_", r"re_\w{8}_(?=\w{20})"), ("tfp_", r"tfp_(?=\S{40})"), ("v1.0-", r"v1\.0-[\da-f]{24}-"),
    ("pat", r"pat\w{14}\.(?=\w{64})"), ("A3-", r"A3-[A-Z\d]{6}-"),
    ("sdk-", r"sdk-(?=[\da-f]{8}-[\da-f-]{27})"), ("access-", r"access-\w+-(?=[\da-f]{8}-[\da-f-]{27})"),
    ("MT", r"MT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("NT", r"NT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("OT", r"OT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("$2", r"\$2[abxy]\$\d\d\$"), ("$6$", r"\$6\$"),
    ("$argon2", r"\$argon2\w{1,2}\$(?:[\w=,]+\$)+"))
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])sig)|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
NEVER = r"(?!\[redacted|[$<*{(%]|(?:true|false|null|same-origin)\b|(?:password|token)[\"'`])"  # no value, or a place
QUOTE = r"\\*[\"'`]"  # in JSON in JSON too
GAP = r"(?:\s|\\+[nrt]){0,9}"
LIKELY = r"(?=[^\s\[]{0,60}\d)(?=[^\s\[]{6})"  # what stands behind a colon may be a sentence
UNLIKELY = (r"(?!\[redacted|[$<*{(%]|\w+\(|\S+\.[a-z]{1,5}\b|v?\d+\.\d|\S*://"  # a call, file, version, address
            r"|(?:sha|md|base|utf|argon|hmac|aes|rsa|[rhe]s|oauth|http|bcrypt|pbkdf)-?\d{1,4}\b)")


def first_of(words: Iterable[str]) -> str:
    """A look at the first letter of these words, ten times as fast as a look for each of them."""
    return f"(?=[{''.join(sorted({word[0] for word in words}))}])"


SECRETS = (  # kind, words of which one must occur before they are tried (in any case with (?i)), patterns
    ("private key", ("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines"),  # whole or torn; as base64; of PuTTY
     r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|\Z)"
     r"|(?:LS0tLS1CRUdJTi|Private-Lines: \d)[\w+/=]*(?:(?:\s|\\n)+[\w+/]{16,}=*)*"),
    ("private key", ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),  # its end alone
     r"(?<![\w+/=])(?:[\w+/]{32,}=*(?:\s|\\n)+){1,60}(?:[\w+/]+=*(?:\s|\\n)+){0,2}"
     r"-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----"),
    ("webhook", ("webhook", "slack"),
     r"(?P<keep>(?:slack\.com(?:/|%2F)\w+?|webhooks|webhookb2)(?:/|%2F))[\w@%-]+(?:/|%2F)(?:\w+(?:/|%2F))?"
     r"[\w-]{16,}(?:(?:/|%2F)[\w-]{16,})*"),
    ("token", PREFIXES,
     rf"{first_of(PREFIXES)}{ALONE}(?:{'|'.join(PREFIXES).replace('.', '[.]')})(?:[\w.=+/-]|%[23][\dA-F]){{15,}}[\w=]"),
    ("token", UNBROKEN,
     rf"{first_of(UNBROKEN)}{ALONE}(?:{'|'.join(UNBROKEN)})"
     r"(?=\w{0,40}(?:\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]{16,}[\w=-]*"),
    ("token", tuple(piece for piece, _ in BUILT),
     rf"{ALONE}(?:{'|'.join(shape for _, shape in BUILT)})[\w.~=+/$-]*[\w=~]"),
    ("url password", ("://",),
     r"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted)(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{16,})(?=@)"),
    ("authorization", ("bearer", "basic", "authorization"),
     r"(?i)(?P<keep>authorization\\*[\"']?\s?[:=]\s?\\*[\"']?(?:[A-Za-z-]{2,16} +)?(?=\S{12})"
     r"|\b(?:bearer|basic) +(?=\S{0,60}\d)(?=\S{12}))(?!\[redacted|[$<*{(%])[^\s\"',;\\]{8,}"),
    ("authorization", ("SSWS 00",), rf"(?P<keep>{ALONE}SSWS )00[\w-]{{18,}}"),  # of Okta
    ("cookie", ("cookie",),
     r"(?i)(?P<keep>cookie\\*[\"']?\s?[:=]\s?\\*[\"']?)(?=[\w.-]+=)(?:[\w.-]+=[^\s;\"']+;?[^\S\n]?)+"),
    ("password", ("curl ", "sshpass ", "mysql", "login", "redis-cli", "mongo", "sqlcmd", "ldap", "htpasswd", "http ",
                  "pass:", "SecureString"),
     r"(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
     r"|sshpass -p ?|mysql[^\n]{0,99}? -p|(?:\b|(?<=\\[nrt]))(?:login|mongo\w{0,9})\b[^\n]{0,200}? -p "
     r"|(?:\b|(?<=\\[nrt]))(?:redis-cli|sqlcmd|ldap\w{1,9})\b[^\n]{0,200}? -[aPw] |htpasswd -\w*b\w* \S+ \S+ "
     r"|-pass(?:in|out)? [\"']?pass:|ConvertTo-SecureString(?: -String)? )"
     r"(?:\\*[\"'])?(?!\[redacted|\$)[^\s\"'\\]{4,}"),
    ("password", (" login", "-stdin", "chpasswd", "sudo -S"),  # echo … | sudo -S, its end may be cut off
     r"(?P<keep>(?:echo|printf) (?:-n )?[\"']?(?:\w+:)?)(?!\[redacted|\$)[^\s\"':]{4,}"
     r"(?=[^\n|]{0,9}\| *(?:sudo -S|chpasswd|(?:[\w-]+ ){1,3}login(?![\w.])|[^\n|]{0,200}--password-stdin))"),
    ("password", (":5432:", ":*:"),  # of .pgpass
     r"(?P<keep>(?<![\w.:-])[\w.*-]+:(?:5432|\*):[^\s:]+:[^\s:]+:)(?!\[redacted)[^\s\"`]{4,}"),
    ("password", NAMES,  # in quotes: "password": "…", token = '…', :secret => "…"
     rf"(?i)(?P<keep>{NAMED}(?:{QUOTE})?[\])]?{GAP}(?::?=>?|:|->){GAP}(?P<quote>{QUOTE})){NEVER}"
     r"(?:(?!(?P=quote))\S){4,}(?=(?P=quote)|\s*\Z)",
     # PASSWORD=…, password: …, | password | …, --token …, <password>…<, "password", "…"
     rf"(?i)(?P<keep>{NAMED}(?:[\"']?(?::?=|%3D)[\"']?"
     rf"|[\"'*_`]{{0,3}}(?::|\s?\|)[*_]{{0,2}}{GAP}(?:[|>][-+]?{GAP})?[`\"']?{LIKELY}"
     rf"|\s=\s(?=[^\s(){{}}\[\],;'\"`\\]{{8,}}(?:,?[\s\"`\\]|\Z)){LIKELY}|>(?=[^<>\s]{{4,}}</)"
     rf"|{QUOTE}(?:, ?| value=){QUOTE}{LIKELY})"
     rf"|(?<!\w)--?(?:\w{{1,20}}[-_]){{0,2}}{NAMED}[ =](?:\\{{1,9}}\s{{0,9}}(?:\\{{0,9}}n\s{{1,9}})?)?(?:{QUOTE})?"
     rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|configure set \S{{0,40}}{NAMED} +"
     rf"|\b(?:login|user)\s+\S+\s+password\s+|\b(?:identified by|password)\s+'){NEVER}"
     r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}",
     # my password is …, das Passwort für x lautet …, set the token to …, password …
     rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
     rf"(?:is|ist|lautet|est|es|é|è|jest)[^\S\n:]{{1,2}}[\"'`]?| to [\"'`]?"
     r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
     rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]"),
)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINTS = {hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints}
FIRST_LOOK = [hint for hint in HINTS if not any(other in hint for other in HINTS if other != hint)]
SHORTEST = 16  # characters; no token of any family is shorter


@lru_cache(maxsize=4_096)  # most words of a session were seen before
def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word."""
    return any(map(word.__contains__, TOKEN_HINTS))


def patterns_for(text: str) -> Iterator[tuple[str, str]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced."""
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens = " ".join(filter(may_hold_token, words))
    if tokens or any(map(lower.__contains__, FIRST_LOOK)):
        for kind, hints, *patterns in SECRETS:
            where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
            if any(map(where.__contains__, hints)):
                yield from ((kind, pattern) for pattern in patterns)


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    for kind, pattern in patterns_for(text):
        text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


# ==================================================================================================
# text/sanitize.py: Text without what a reader does not see, and without what the client or a model could take for a tag of theirs.
# ==================================================================================================

TEXT_MAX_CHARACTERS = 100_000  # what is longer is a pasted log: its beginning is kept
# Control sequences and the carriers of hidden text.
HIDDEN = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\uffff].)")
# Opening brackets, look-alikes among them, before the names that the client gives its tags, or letters that pass for
# Latin ones.
TAG = (
    r"(?i)[<\ufe64\uff1c](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
    r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
    r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")


def clean(text: str) -> str:
    """The text, of a long one its beginning, without hidden characters and lone surrogates; tags are disarmed."""
    if len(text) > TEXT_MAX_CHARACTERS:
        text = "".join(text[:TEXT_MAX_CHARACTERS].rsplit(None, 1)[:1])  # no half of a word
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = re.sub(HIDDEN, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAG, "‹", text) if "<" in text or not text.isascii() else text


# ==================================================================================================
# text/quotation.py: Words of others on one line, so that they can stand in a store or a text of ours.
# ==================================================================================================

@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    text = quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + text
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > LOG_MAX_BYTES:
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


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


# ==================================================================================================
# client/hook.py: What a hook is given on stdin, and how it ends.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


def read_input() -> HookInput:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_MAX_BYTES + 1)
    data: Any = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_MAX_BYTES else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: usable_path(text_of(data, name)) for name in ("transcript_path", "cwd")}
    checked: Any = {**data, **paths, "hook_event_name": text_of(data, "hook_event_name")}
    given: HookInput = checked
    return given


def usable_path(path: str) -> str:
    """The path when a file can be opened by it; else empty."""
    is_usable = os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
    return path if is_usable else ""


def print_answer(event: str, output: Record, **for_the_client: str) -> None:
    """Prints the hook's answer at this event: `additionalContext` in `output` is what the model is to read."""
    answer = {**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}}
    os.write(1, json.dumps(answer).encode())


def run_hook(body: Callable[[HookInput], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def newest_transcript() -> str:
    """The transcript that was written last in the client's projects folder."""
    projects = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"), "projects")
    folders = [entry.path for entry in os.scandir(projects) if entry.is_dir()] if os.path.isdir(projects) else []
    transcripts = [file.path for folder in folders for file in os.scandir(folder) if file.name.endswith(".jsonl")]
    if not transcripts:
        raise Refusal(f"no transcript in {projects}; name one: save_snapshot.py --dry-run TRANSCRIPT")
    return max(transcripts, key=os.path.getmtime)


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes.
# ==================================================================================================

def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


def as_code(text: str) -> str:
    """The text as inline code that no ticks in it close."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"


# ==================================================================================================
# recap/wording.py: How things are put into words for the model: moments, code, quoted words, paths.
# ==================================================================================================

SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"


def ago(stamp: str, now: int) -> str:
    """How long before `now` (seconds since 1970) that moment was; "earlier" where one of both is not known."""
    minutes = (now - moment(stamp)) // 60
    if not stamp or not now:
        return "earlier"
    return "just before" if minutes < 1 else f"{minutes} min before" if minutes < 120 else f"{minutes // 60} h before"


def folded_line(text: str) -> str:
    """The text with its white space folded."""
    return " ".join(text.split())


def middle_out(text: str, limit: int) -> str:
    """The text on one line, at most `limit` UTF-16 units: a long one loses its middle, of a command the rarest part."""
    line = folded_line(text)
    if units(line) <= limit:
        return line
    start, end = cut(line, limit * 2 // 3).rstrip("…"), line[-max(limit // 3 - 3, 1):]
    return f"{start.rstrip()} … {end.lstrip()}"


def shortened_words(text: str, limit: int) -> str:
    """The person's words on one line, at most about `limit` units: whole sentences from both ends, and how much went."""
    line = folded_line(text)
    if units(line) <= limit:
        return in_quotes(line)
    sentences = re.split(SENTENCE_END, line)
    first, last, room = list[str](), list[str](), limit - 40
    while sentences and len(sentences[0]) + 1 <= room * (0.6 if not first else 1):
        room -= len(sentences[0]) + 1
        first.append(sentences.pop(0))
        if sentences and len(sentences[-1]) + 1 <= room:
            room -= len(sentences[-1]) + 1
            last.insert(0, sentences.pop())
    if not first:
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = line[-limit // 4:].partition(" ")[2]
        return f"{in_quotes(start)} [{len(line) - len(start) - len(end)} characters left out] {in_quotes(end)}"
    missing = sum(map(len, sentences)) + len(sentences)
    begin, rest = " ".join(first), " ".join(last)
    return f"{in_quotes(begin)} [{missing} characters left out]{' ' + in_quotes(rest) if rest else ''}"


class Paths:
    """Paths in short: as seen from the working folder, and by their name alone once the whole was shown."""

    def __init__(self, items: Iterable[Record], root: str, folder: str) -> None:
        """`items` are all that may be shown: a name that several paths have is no path's."""
        self.root, self.folder = root.rstrip("/"), folder.rstrip("/")
        by_name: dict[str, set[str]] = {}
        for item in items:
            path = str(item.get("path") or "")
            by_name.setdefault(path.rpartition("/")[2], set()).add(self.short(path))
        self.taken = {name for name, paths in by_name.items() if len(paths) > 1}
        self.shown: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the session's first folder or the one it works in now."""
        for folder in sorted({self.root, self.folder}, key=len, reverse=True):
            if folder:
                text = text.replace(folder + "/", "")
        return text

    def named(self, path: str) -> str:
        """The path: whole when it is shown for the first time, then its name where no other has it."""
        short = self.short(path)
        name = short.rpartition("/")[2]
        if short in self.shown and name not in self.taken and len(name) > 3:
            return name
        self.shown.add(short)
        return short


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


# ==================================================================================================
# recap/thread.py: The person's words as lines of the recap: pins, standing rules, the task as it was given, the thread.
# ==================================================================================================

QUOTED_WORDS_MAX_UTF16, ANSWERED_SHOWN_UTF16, ANSWERED_BY_NEWEST_UTF16 = 450, 260, 500
GIVEN_TASK_MAX_UTF16 = 1_500
GIVEN_TASK_BEGINNING_UTF16 = 700  # of a long task, its first lines; then those that say what must be or must not
BINDING = r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always)\b"
UNDERSTOOD_ALONE_CHARACTERS = 90  # a longer message is mostly understood without what it answers
VIA = {"rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
       "compact": "behind /compact"}
Ago = Callable[[str], str]


def pin_lines(items: Sequence[Record]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Record], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first."""
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            yield {"items": [item], "text": f"- {in_quotes(folded_line(item['text']))} ({how} {ago(item['first'])})"}


def task_lines(items: Sequence[Record], ago: Ago) -> Iterator[Line]:
    """The task where it came in another form than typing: the newest plan handed over, and a team lead's words."""
    plans = [item for item in items if item["kind"] == "message" and item.get("via") == "plan"]
    leads = [item for item in items if item["kind"] == "message" and item.get("via") == "teammate"
             and "lead" in text_of(item, "sender")]
    for item in plans[-1:]:
        yield {"items": [item], "text": f"A plan, pasted as the task ({ago(item['last'])}):\n{task_in_short(item['text'])}"}
    for item in leads[-2:][::-1]:
        yield {"items": [item], "text": f"From {item['sender']} ({ago(item['last'])}):\n{task_in_short(item['text'])}"}


def task_in_short(text: str) -> str:
    """A task's text; of a long one its first lines, then its headings and the lines that bind."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if units("\n".join(lines)) <= GIVEN_TASK_MAX_UTF16:
        return "\n".join(f"> {line}" for line in lines)
    shown, room = list[str](), GIVEN_TASK_MAX_UTF16
    is_left_out = False
    for line in lines:
        is_wanted = room > GIVEN_TASK_MAX_UTF16 - GIVEN_TASK_BEGINNING_UTF16 or line.startswith("#") or re.search(BINDING, line)
        short = cut(line, 240)
        if is_wanted and units(short) < room:
            shown += ["> […]"] if is_left_out else []
            shown.append(f"> {short}")
            room -= units(short) + 3
        is_left_out = not is_wanted
    return "\n".join(shown)


def message_lines(items: Sequence[Record], ago: Ago, newest_max: int) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers.

    The newest message is shortened to `newest_max` UTF-16 units, others more. A message that is a rule and nothing
    else stands among the rules.
    """
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    newest = True
    for item in reversed(items):
        if item["kind"] == "message" and item.get("via") not in ("plan", "teammate"):
            if newest or folded_line(item["text"]) not in rules:
                yield message_line(item, ago, newest_max if newest else QUOTED_WORDS_MAX_UTF16, newest)
            newest = False
        elif item["kind"] == "answer":
            yield {"items": [item], "text": f"- ({ago(item['last'])}) In a dialog: {in_quotes(cut(item['question'], 220))} "
                                         f"→ chose {in_quotes(folded_line(item['text']))}"}
        elif item["kind"] == "refusal":
            yield {"items": [item], "text": f"- ({ago(item['last'])}) Rejected without words, so it was not done: "
                                         f"{cut(item['text'], 200)}"}


def message_line(item: Record, ago: Ago, words_max: int, is_newest: bool) -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words, and whole."""
    when = ago(item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" It was not done: {item['refused']}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    head, tail = f"- ({when}{how}{count}) ", f"{refused}{what_it_answers(item, is_newest)}"
    short = shortened_words(item["text"], words_max)
    return {"items": [item], "text": f"{head}{short}{tail}", "whole": f"{head}{in_quotes(folded_line(item['text']))}{tail}"}


def what_it_answers(item: Record, is_newest: bool) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Behind the newest one more of these words, also where it is longer: the next step hangs on it.
    """
    if item.get("picks"):
        return f" (picks the agent's line {in_quotes(cut(item['picks'], ANSWERED_SHOWN_UTF16))})"
    answers = text_of(item, "answers")
    if not answers or (len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS and not is_newest):
        return ""
    limit = ANSWERED_BY_NEWEST_UTF16 if is_newest else ANSWERED_SHOWN_UTF16
    end = folded_line(answers)
    if units(end) > limit:
        end = "…" + end[-limit:].partition(" ")[2]
    return f" (answers the agent's {in_quotes(end)})"


# ==================================================================================================
# recap/standing.py: Where the work stands: the agent's last words, what waits for the person, tasks, what runs, the repository.
# ==================================================================================================

EARLIER_WORDS_MAX_UTF16, EARLIER_MAX = 350, 12
LISTED_TASK_MAX_UTF16, TASK_DETAIL_MAX_UTF16, RUNNING_JOB_MAX_UTF16 = 160, 320, 160
MARKS = {"completed": "[x]", "in_progress": "[~] in progress:"}
ALIVE = {True: "its process is still there", False: "its process is not there any more"}


def last_words_line(snapshot: Record, limit: int) -> Iterator[Line]:
    """The agent's last words, lines kept; of longer ones their last lines within `limit` UTF-16 units."""
    words = text_of(snapshot["state"], "last_words").strip()
    last = next((item for item in reversed(snapshot["items"]) if item["kind"] == "said"), None)
    if not words or not last:
        return
    lines = [line.rstrip() for line in words.splitlines() if line.strip()]
    whole = "\n".join(f"  {line}" for line in lines)
    short = whole if units(whole) <= limit else "  […]" + end_of_lines(lines, limit)
    yield {"items": [last], "text": f"- The agent's last words:\n{short}", "whole": f"- The agent's last words:\n{whole}"}


def end_of_lines(lines: Sequence[str], limit: int) -> str:
    """The last lines within so many units; of a last line that is longer, its end."""
    kept, room = list[str](), limit
    for line in reversed(lines):
        room -= units(line) + 3
        if room < 0:
            break
        kept.insert(0, f"\n  {line}")
    return "".join(kept) or f"\n  …{lines[-1][-limit:].partition(' ')[2]}"


def earlier_words_lines(items: Sequence[Record], ago: Ago) -> Iterator[Line]:
    """What the agent said before its last words, the newest first."""
    said = [item for item in items if item["kind"] == "said"]
    for item in reversed(said[-EARLIER_MAX - 1:-1]):
        text = middle_out(item["text"], EARLIER_WORDS_MAX_UTF16)
        yield {"items": [item], "text": f"- ({ago(item['last'])}) {text}"}


def question_lines(items: Sequence[Record]) -> Iterator[Line]:
    """Questions to the person that have no answer, with their options; a plan that waits for approval."""
    for item in items:
        if item["kind"] == "question":
            options = "; ".join(cut(str(option), 160) for option in item.get("options", []))
            yield {"items": [item], "text": f"- Asked in a dialog, no answer yet: {in_quotes(cut(item['text'], 400))}"
                                         + (f" Options: {options}" if options else "")}
        elif item["kind"] == "plan":
            where = f" (in {item['path']})" if item.get("path") else ""
            text = cut(folded_line(item["text"]), 300 if item["status"] == "approved" else 700)
            yield {"items": [item], "text": f"- Plan, {item['status']}{where}: {in_quotes(text)}"}


def task_list_lines(items: Sequence[Record]) -> Iterator[Line]:
    """The tasks in their order: those not done with their full text, those done in short."""
    tasks = [item for item in items if item["kind"] == "task"]
    tasks.sort(key=lambda item: (text_of(item, "list"), item.get("order", 0), item["position"]))
    for item in [item for item in tasks if item["status"] != "completed"]:
        number = f"{item['key']} " if str(item.get("key", "")).startswith("#") else ""
        after = f" (after {item['after']})" if item.get("after") else ""
        detail = text_of(item, "detail")
        more = f": {middle_out(detail, TASK_DETAIL_MAX_UTF16)}" if detail and detail != item["text"] else ""
        mark = MARKS.get(item["status"], "[ ]")
        yield {"items": [item], "text": f"- {mark} {number}{cut(folded_line(item['text']), LISTED_TASK_MAX_UTF16)}{after}{more}"}
    for item in reversed([item for item in tasks if item["status"] == "completed"]):
        number = f"{item['key']} " if str(item.get("key", "")).startswith("#") else ""
        yield {"items": [item], "text": f"- [x] {number}{cut(folded_line(item['text']), 100)}"}


def job_lines(items: Sequence[Record], alive: Record, paths: Paths, ago: Ago) -> Iterator[Line]:
    """What runs in the background, with environment, port and output file."""
    for item in reversed(items):
        if item["kind"] != "job" or item["status"] != "open":
            continue
        facts = [f"as {item['key']}" if re.fullmatch(r"[\w-]{1,40}", text_of(item, "key")) else "",
                 f"port {item['port']}" if item.get("port") else "",
                 f"with {cut(item['environ'], 120)}" if item.get("environ") else "",
                 f"output in {paths.short(item['path'])}" if item.get("path") else "",
                 ALIVE.get(alive.get(item.get("key")), ""), f"started {ago(item['first'])}, no end seen"]
        name = code(paths.short(item["text"]), RUNNING_JOB_MAX_UTF16)
        yield {"items": [item], "text": f"- Running: {name} ({', '.join(filter(None, facts))})"}


# ==================================================================================================
# recap/work.py: What was done, newest first, and how it ended: actions, looks on shared lines, and where the person spoke between.
# ==================================================================================================

COMMAND_SHOWN_UTF16, COMMIT_SHOWN_UTF16, RESULT_SHOWN_UTF16, CHANGE_SHOWN_UTF16 = 230, 90, 190, 150
ORDER_SHOWN_UTF16, REPORT_SHOWN_UTF16, ARGUMENTS_SHOWN_UTF16 = 220, 320, 180
LOOKS_ON_A_LINE, LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, LOOK_ALONE_SHOWN_UTF16 = 6, 90, 70, 260
EDITS_ON_A_LINE = 3
MARKER_SHOWN_UTF16 = 60  # of a typed message, which stands between the actions to show when they were done
EDITING_TOOLS, ORDERING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit"), ("Task", "Agent")
EARLIER = {"passed": "passed", "failed": "failed", "unknown": "ended, result not seen", "ended": "ran"}


def work_lines(items: Sequence[Record], paths: Paths, ago: Ago) -> Iterator[Line]:
    """The lines, newest first; looks that follow each other share one, and so do edits of one file.

    That a file was read before it was edited goes without saying.
    """
    looks: list[Record] = []
    edits: list[Record] = []
    newest_message = max((item["position"] for item in items if item["kind"] == "message"), default=0)
    edited = {paths.short(item["path"]) for item in items if item["kind"] == "action" and item.get("edits")}
    for item in reversed(items):
        kind = item["kind"]
        if looks and (kind in ("action", "message") or len(looks) == LOOKS_ON_A_LINE):
            yield looks_line(looks, paths)
            looks = []
        is_edit = kind == "action" and item["tool"] in EDITING_TOOLS
        if edits and (kind == "message" or (kind == "action" and not (is_edit and item["path"] == edits[0]["path"]))
                      or len(edits) == EDITS_ON_A_LINE):
            yield edits_line(edits, paths)
            edits = []
        if kind == "look":
            is_told = item["tool"] == "Read" and paths.short(item["path"]) in edited and not item["result"]
            if item["position"] > newest_message and item["result"] and item["tool"] in ("Bash", "PowerShell"):
                yield {"items": [item], "text": f"- {look_in_short(item, paths, True)}"}
            else:
                looks += [] if is_told else [item]
        elif kind == "message" and item.get("via") != "teammate":
            yield {"items": [item], "text": f"  [{ago(item['last'])} the person typed: "
                                         f"{in_quotes(cut(folded_line(item['text']), MARKER_SHOWN_UTF16))}]"}
        elif is_edit:
            if item["verdict"] != "failed" or paths.short(item["path"]) not in edited:  # else it worked later
                edits.append(item)
        elif kind == "action":
            yield action_line(item, paths)
    if edits:
        yield edits_line(edits, paths)
    if looks:
        yield looks_line(looks, paths)


def looks_line(looks: Sequence[Record], paths: Paths) -> Line:
    """Looks that follow each other, on one line."""
    return {"items": [*looks], "text": "- Looked: " + "; ".join(look_in_short(item, paths) for item in looks)}


def look_in_short(item: Record, paths: Paths, is_alone: bool = False) -> str:
    """What was looked at, and what a search or a short command showed; more of what stands on a line of its own."""
    result_max = LOOK_ALONE_SHOWN_UTF16 if is_alone else LOOK_RESULT_SHOWN_UTF16
    if item["tool"] == "Read" or item["tool"] == "LS":
        failed = f" ({cut(item['result'], 60)})" if item["result"] else ""
        return f"{paths.named(item['path'])}{failed}"
    result = f" → {cut(paths.short(item['result']), result_max)}" if item["result"] else ""
    if item["tool"] in ("Grep", "Glob"):
        where = f" in {paths.named(item['path'])}" if item["path"] else ""
        return f"{item['tool']} {code(item['text'], LOOK_SHOWN_UTF16)}{where}{result}"
    return f"{code(command_in_short(item['text'], paths), LOOK_SHOWN_UTF16)}{result}"


def edits_line(edits: Sequence[Record], paths: Paths) -> Line:
    """Changes of one file that follow each other, the newest first."""
    newest = edits[0]
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.named(newest["path"])
    if newest["verdict"] == "running":
        verb = f"{verb} (no result yet)"
    if newest["verdict"] == "failed":
        return {"items": [newest], "text": f"- {verb} {name} FAILED: {cut(newest['result'], 120)}"}
    changes = [cut(item["change"], CHANGE_SHOWN_UTF16) for item in edits if item.get("change")]
    return {"items": [*edits], "text": f"- {verb} {name}" + (f": {' ⏎⏎ '.join(changes)}" if changes else "")}


def action_line(item: Record, paths: Paths) -> Line:
    """An action with how it ended; one that was done several times with how it ended before."""
    tool = item["tool"]
    if tool in ORDERING_TOOLS:
        report = f" → reported: {middle_out(item['result'], REPORT_SHOWN_UTF16)}" if item["result"] else (
            " → (no report yet)" if item["verdict"] == "running" else "")
        return {"items": [item], "text": f"- Subagent ordered: {middle_out(item['text'], ORDER_SHOWN_UTF16)}{report}"}
    if tool in ("Bash", "PowerShell"):
        limit = COMMIT_SHOWN_UTF16 if item.get("commit") else COMMAND_SHOWN_UTF16
        text = f"- {code(command_in_short(item['text'], paths), limit)}"
    else:
        text = f"- {tool}{': ' if item['text'] else ''}{middle_out(paths.short(item['text']), ARGUMENTS_SHOWN_UTF16)}"
    return {"items": [item], "text": f"{text} → {ending(item, paths)}{earlier_endings(item)}"}


def ending(item: Record, paths: Paths) -> str:
    """How an action ended, with the words of its output that say so: "passed" only where they do."""
    result = cut(paths.short(text_of(item, "result")), RESULT_SHOWN_UTF16)
    limits = f" [only {', '.join(item['limits'])}]" if item.get("limits") else ""
    verdict = item["verdict"]
    if verdict == "running":
        return "(no result yet)" if not result else f"running: {result}"
    if verdict == "failed":
        return f"FAILED: {result or 'its output does not say why'}{limits}"
    if verdict == "passed":
        return f"passed{': ' + result if result else ''}{limits}"
    if verdict == "unknown":
        return f"ended, its result was not seen{': ' + result if result else ''}{limits}"
    if verdict == "not run":
        return f"not run: {result or 'refused'}"
    return result or "(no output)"


def earlier_endings(item: Record) -> str:
    """How often the same was done, and how it ended before where that was different."""
    earlier = [f"{EARLIER.get(run['verdict'], run['verdict'])}{': ' + cut(run['result'], 80) if run['result'] else ''}"
               for run in item.get("earlier", [])[::-1][:2]]
    count = f" ({item['uses']} runs)" if item.get("uses", 1) > 1 else ""
    return f"{count}{'; before: ' + '; '.join(earlier) if earlier else ''}"


def command_in_short(command: str, paths: Paths) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes."""
    moved = re.match(r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300}) (?:&& |\n)", command)
    if moved:
        folder = moved["folder"].strip("\"'").rstrip("/")
        rest = command[moved.end():]
        command = rest if folder in (paths.root, paths.folder) else f"cd {paths.named(folder)} && {rest}"
    return paths.short(" ⏎ ".join(command.splitlines()))


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

def add_to_ledger(session: str, event: LedgerEvent, started: float) -> str:
    """Adds the event, without fields that say nothing; the session's folder.

    `started` is the value of perf_counter when the script was loaded: the line says how long the hook took.
    """
    folder = private_folder("sessions", session)
    line = {"schema": SCHEMA, "time": timestamp(time.time()), **event}
    fields = {name: value for name, value in line.items() if value not in ("", None)}
    fields["hook_ms"] = round((time.perf_counter() - started) * 1000, 1)
    append_line(os.path.join(folder, "ledger.jsonl"), json.dumps(fields, ensure_ascii=False))
    return folder


def timestamp(seconds: float) -> str:
    """The moment as the transcript writes it: UTC, milliseconds, sortable as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
NAMES_LOGGED_MAX = 20
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (9_000, (500, 9_500)),
    "max_items": (800, (20, 2_000)),
    "ttl_minutes": (10, (1, 1_440)),
    "retention_days": (30, (1, 3_650)),
    "tail_bytes": (8 << 20, (64 << 10, 64 << 20)),
    "instructions": (True, ()),
    "gate": ("off", ("off", "hold")),
    "gate_holds": (2, (0, 20)),
    "gate_max": (0.90, (0.0, 0.95)),
    "archive": (True, ()),
    "archive_days": (180, (1, 36_500)),
    "archive_mb": (1_024, (1, 1 << 20)),
    "recall_note": (True, ()),
    "notes": (True, ()),
    "transcript_backup": ("off", ("off", "gzip")),
}
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def default_settings() -> Record:
    """The settings where no file sets any."""
    return {name: default for name, (default, _) in SETTINGS.items()}


def settings_for(project: str) -> Record:
    """The settings in force in the project; what a file sets and cannot is named in the log."""
    return settings_of(project, log)


def settings_of(project: str, complain: Callable[[str], None]) -> Record:
    """The settings of the two files over the defaults; what is not taken is said to `complain`."""
    settings = default_settings()
    own = os.path.join(data_home(), "config.json")
    of_project = os.path.join(project, ".claude", "compact-keeper.json")
    for path, allowed in ((own, tuple(SETTINGS)), (of_project, OF_A_PROJECT)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        usable = {name: value for name, value in values.items() if name in allowed and is_usable(name, value)
                  and (path == own or name not in OFF_ONLY or value is False)}
        settings.update(usable)
        rest = [name for name in values if name not in usable and name != "schema"]
        if rest:
            names = ", ".join(rest[:NAMES_LOGGED_MAX])
            complain(f"{path}: not used, no setting here or not of a usable value: {names}")
    return settings


def read_settings(path: str, complain: Callable[[str], None]) -> Record:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(f"{path} is not used: {fault}")
        return {}


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]


# ==================================================================================================
# store/pins.py: Pins: words of the person that come first and whole in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
PINS_SHARE = 0.38  # of the recap's budget
LINE_AROUND_UTF16 = 60  # of a pin's line in the recap, beside its words


def pins_in(folder: str, project: str) -> list[Record]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times."""
    home = os.path.dirname(os.path.dirname(folder))
    paths = [path for path in (os.path.join(folder, PINS_FILE), os.path.join(home, PINS_FILE)) if os.path.isfile(path)]
    lines = [line for path in paths for line in records_of(path, 0, PINS_FILE_MAX_BYTES)
             if line.get("project", project) == project]
    gone = {str(line["gone"]) for line in lines if "gone" in line}
    pins = [line for line in lines if text_of(line, "text").strip() and pin_name(line) not in gone]
    return sorted(pins, key=lambda pin: (str(pin.get("time")), str(pin.get("id"))))  # the id tells the nanosecond


def pin_name(pin: Record) -> str:
    """The name by which a later line ends the pin: its id; the time of one that was written by hand."""
    return str(pin.get("id") or pin.get("time"))


def pin_items(pins: Iterable[Record]) -> list[Record]:
    """The pins as items of a snapshot, their words made safe to show; they have no place in the session and no age."""
    at = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


class Pinning:
    """The pins of one session."""

    def __init__(self, session: str, project: str) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, "snapshot.json")), "project") or project

    def in_force(self) -> list[Record]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, self.project)

    def note(self, is_project: bool, **fields: str) -> None:
        """A line in the session's file, or in that of all sessions."""
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **fields,
                **({"project": self.project} if is_project else {})}
        append_line(os.path.join(data_home() if is_project else self.folder, PINS_FILE),
                    json.dumps(line, ensure_ascii=False))

    def check_room(self, text: str) -> None:
        """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
        most = int(PINS_SHARE * settings_for(self.project)["budget"])
        taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in self.in_force())
        if taken + units(text) + LINE_AROUND_UTF16 > most:
            raise Refusal(
                f"no room for a pin of {units(text):,} characters: {most:,} come back whole, and {taken:,} of them are "
                "taken; take a pin off first (unpin NUMBER), or pin fewer words")

    def add(self, typed: str) -> str:
        """Pins the words; returns what to tell of it. Raises Refusal where there are none, or no room for them."""
        wide = re.match(r"--project(?:\s+|\Z)", typed)
        text = redact(clean(typed[wide.end():] if wide else typed)).strip()
        if not text:
            raise Refusal("nothing to pin: type the words behind the command")
        if any(pin["text"] == text for pin in self.in_force()):
            return "That is pinned already."
        self.check_room(text)
        self.note(bool(wide), id=f"{time.time_ns():x}", text=text)
        return "Pinned; it comes first in what is put back after each compaction."

    def remove(self, typed: str) -> str:
        """Takes off the pin of that number; returns what to tell of it. Raises Refusal for a number that no pin has."""
        pins, number = self.in_force(), re.fullmatch(r"#?(\d{1,4})", typed)
        if not number or not 0 < int(number[1]) <= len(pins):
            raise Refusal(f"{typed[:40]!r} is no pin's number")
        pin = pins[int(number[1]) - 1]
        self.note("project" in pin, gone=pin_name(pin))
        return f"Not pinned any more: {in_quotes(pin['text'])}"

    def listed(self) -> str:
        """The pins that hold, numbered, each with where it holds."""
        everywhere = " (in every session of this folder)"
        rows = [f"{number}. {in_quotes(pin['text'])}{everywhere if 'project' in pin else ''}"
                for number, pin in enumerate(self.in_force(), 1)]
        return "\n".join(["Pins of this session:", *rows] if rows else ["Nothing is pinned."])


# ==================================================================================================
# recap/compose.py: The text that is put back: the record's lines in sections, within a budget.
# ==================================================================================================

HEADER = ("compact-keeper: the record of this session before the compaction, from its transcript. Where the summary says "
          "otherwise, this is what was recorded. Times count back from the compaction")
ORDER, PINS, RULES, END, TASK, THREAD, TASKS, REPOSITORY, RUNS, WORK, EVIDENCE, EARLIER_WORDS = (
    "This subagent's order, as it was given", "Pinned by the user", "Standing rules, as the user typed them",
    "Where it ended", "The task, as it was given", "What the user typed before, newest first, word for word",
    "Tasks", "The repository now", "Checks: how each ended last", "What was done, newest first, and how it ended",
    "Seen and not acted on", "What the agent said before its last words, newest first")
SHARES = {  # of the budget that a section may fill before what was done has its own
    ORDER: 0.45, PINS: PINS_SHARE, RULES: 0.12, END: 0.40, TASK: 0.17, THREAD: 0.27, TASKS: 0.14, REPOSITORY: 0.08,
    RUNS: 0.10, EVIDENCE: 0.14, EARLIER_WORDS: 0.06}
SERVED = (ORDER, PINS, RULES, END, TASK, THREAD, TASKS, REPOSITORY, RUNS, EVIDENCE, EARLIER_WORDS)  # in this order
SHOWN = (ORDER, PINS, RULES, END, TASK, THREAD, TASKS, REPOSITORY, RUNS, WORK, EVIDENCE, EARLIER_WORDS)
WORK_SHARE = 0.30  # of the budget, which no other section may take
NEWEST_SHARE, LAST_WORDS_SHARE = 0.22, 0.17  # of the budget: the newest message, the agent's last words
LINE_MIN_UTF16 = 60  # a line cut to less says nothing


def sections_of(snapshot: Record) -> dict[str, list[Line]]:
    """The lines that may be shown, by section, in each the first to be shown first."""
    items, state = snapshot["items"], snapshot["state"]
    budget, now = snapshot["settings"]["budget"], moment(snapshot["time"])
    present = snapshot.get("present", {})
    paths = Paths(items, text_of(state, "root"), text_of(state, "cwd"))

    def before(stamp: str) -> str:
        """How long before the compaction that was."""
        return ago(stamp, now)

    messages = list(message_lines(items, before, int(NEWEST_SHARE * budget)))
    newest = [line for line in messages[:1] if line["items"][0]["kind"] == "message"]
    last_words = list(last_words_line(snapshot, int(LAST_WORDS_SHARE * budget)))
    return {
        ORDER: [{"items": [item], "text": item["text"]} for item in items if item["kind"] == "errand"],
        PINS: list(pin_lines(items)),
        RULES: list(rule_lines(items, before)),
        END: [*in_order_of_time(newest, last_words), *question_lines(items)],
        TASK: list(task_lines(items, before)),
        THREAD: messages[len(newest):],
        TASKS: [*task_list_lines(items), *job_lines(items, present.get("jobs", {}), paths, before)],
        WORK: list(work_lines(items, paths, before)),
        EARLIER_WORDS: list(earlier_words_lines(items, before)),
    }


def in_order_of_time(newest: Sequence[Line], last_words: Sequence[Line]) -> list[Line]:
    """The newest message and the agent's last words; which came later is said."""
    if not newest or not last_words:
        return [*label(newest, "The user's newest message: "), *last_words]
    answered = last_words[0]["items"][0]["position"] > newest[0]["items"][0]["position"]
    about = "The user's newest message: " if answered else "The user's newest message, which no words of the agent follow: "
    return [*label(newest, about), *last_words]


def label(lines: Sequence[Line], words: str) -> list[Line]:
    """The lines with words before what they say."""
    return [{**line, "text": f"- {words}{line['text'][2:]}",
             **({"whole": f"- {words}{line['whole'][2:]}"} if "whole" in line else {})} for line in lines]


def choose(sections: dict[str, list[Line]], budget: int) -> None:
    """Marks each line with its section where it is put back, and with why, or why not; lengthens what has room."""
    left = budget - units(HEADER) - NONCE_CHARACTERS - len(" (block ).")
    reserve = int(WORK_SHARE * budget) if sections.get(WORK) else 0
    for section in SERVED:
        lines = sections.get(section, [])
        room = min(int(SHARES[section] * budget), left - reserve)
        left -= take(lines, section, room)
    left -= take(sections.get(WORK, []), WORK, left)
    for section in (END, THREAD):
        for line in sections.get(section, []):
            longer = units(line.get("whole", "")) - units(line["text"])
            if "section" in line and 0 < longer <= left:
                line["text"] = line["whole"]
                left -= longer
    for section in (THREAD, TASKS, RUNS, EVIDENCE, EARLIER_WORDS):
        left -= take([line for line in sections.get(section, []) if "section" not in line], section, left)


def take(lines: Iterable[Line], section: str, room: int) -> int:
    """Takes lines in their order into a section while there is room, in UTF-16 units; returns how much they take."""
    taken = 0
    title = units(section) + 5
    for line in lines:
        size = units(line["text"]) + 1 + (0 if taken else title)
        if size > room - taken and not taken and room - title > LINE_MIN_UTF16:
            line["text"] = cut(line["text"], room - title - 1)  # the first says most: some of it rather than nothing
            size = units(line["text"]) + 1 + title
        if size <= room - taken:
            line["section"] = section
            line["why"] = "put back"
            taken += size
        else:
            line["why"] = "no room left in its section"
    return taken


def recap_of(snapshot: Record) -> tuple[str, list[Line]]:
    """The text within the snapshot's budget, and all lines that might stand in it, each with why it does or not."""
    sections = sections_of(snapshot)
    choose(sections, snapshot["settings"]["budget"])
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    parts = [f"{HEADER} (block {number})." if number else f"{HEADER}."]
    for section in SHOWN:
        texts = [line["text"] for line in sections.get(section, []) if "section" in line]
        parts += ["\n".join([f"## {section}", *texts])] if texts else []
    return "\n\n".join(parts), [line for section in SHOWN for line in sections.get(section, [])]


# ==================================================================================================
# machine/repository.py: The repository that a folder is in: its branch, commit and working tree, read from .git; git itself is not started.
# ==================================================================================================

GIT_LINE_MAX_BYTES = 4_096  # of HEAD, a ref, commondir, a .git that is a file
PACKED_REFS_MAX_BYTES = 16 << 20
SYMREFS_MAX = 5  # refs that name another ref, one after the other; git stops there too
REF_OF_REFTABLE = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable


def repository(folder: str) -> RepositoryState:
    """Branch, commit and working tree of the folder's repository; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is handed on as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))  # only a linked worktree has it: its refs are elsewhere
    ref, commit = ref_and_commit(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == REF_OF_REFTABLE else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top, "linked": bool(common)}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        above = os.path.dirname(top)
        if above == top:
            return "", ""
        top = above
    git = os.path.join(top, ".git")
    elsewhere = first_line(git).partition("gitdir: ")[2]  # in a linked worktree or a submodule .git is a file
    return top, os.path.join(top, elsewhere or git)


def ref_and_commit(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS_MAX):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed_commit(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def packed_commit(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when the ref is not there."""
    text = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES)
    before, name, _ = text.partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if name else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


# ==================================================================================================
# machine/running_processes.py: Whether the commands that a session left running still run, told by the command lines in /proc.
# ==================================================================================================

STAT_MAX_BYTES, COMMAND_LINE_MAX_BYTES = 4_096, 16 << 10  # of stat and cmdline in /proc
COMMAND_MIN_BYTES = 6  # a shorter command stands in many command lines ("make", "ls")
LOST = r"\[redacted: [a-z ]+\]|[…‹]|&\s*\Z"  # what stands in an item's text for what was taken out; a last `&`
QUOTING = b" \t\r\n\0\"'\\"  # the client runs a command as bash -c "… eval 'COMMAND' …", quoted in several ways


def shells(items: Sequence[Record], limit: int) -> dict[str, list[bytes]]:
    """The newest background shells that have not ended: of each, by its key, the parts of its command to look for."""
    jobs = [item for item in items
            if item["kind"] == "job" and item["status"] == "open" and item.get("tool") == "Bash"]
    commands = {job["key"]: [bare_command(part.encode()) for part in re.split(LOST, job["text"])]
                for job in jobs[-limit:]}
    return {key: parts for key, parts in commands.items() if max(map(len, parts)) >= COMMAND_MIN_BYTES}


def bare_command(command: bytes) -> bytes:
    """The command without what quoting adds, and without the empty input that the client gives it."""
    return command.translate(None, QUOTING).replace(b"</dev/null", b"")


def running(commands: dict[str, list[bytes]], end: float) -> dict[str, bool]:
    """Whether a process of this user has the command in its command line; what was not seen by `end` is not told.

    This process and those above it do not count: their command lines may hold a prompt that speaks of the command.
    """
    own = own_line() if commands else set()
    if not own:
        return {}
    alive: dict[str, bool] = {}
    for process in reversed([*os.scandir("/proc")]):  # the newest are listed last
        if time.monotonic() >= end or len(alive) == len(commands):
            return alive
        if process.name.isdecimal() and process.name not in own and is_own_process(process):
            line = bare_command(beginning(f"{process.path}/cmdline", COMMAND_LINE_MAX_BYTES))
            alive.update({key: True for key, parts in commands.items() if all(part in line for part in parts)})
    return {**dict.fromkeys(commands, False), **alive}


def own_line() -> set[str]:
    """The ids of this process and of those above it; empty where /proc is missing or of another form."""
    ids, pid = set[str](), str(os.getpid())
    while pid not in ids:
        fields = beginning(f"/proc/{pid}/stat", STAT_MAX_BYTES).rpartition(b") ")[2].split()
        if not fields:
            break
        ids.add(pid)
        pid = fields[1].decode()
    return ids


def is_own_process(process: os.DirEntry[str]) -> bool:
    """Whether the process is one of this user; not when it has ended meanwhile."""
    try:
        return process.stat().st_uid == os.geteuid()
    except OSError:
        return False


# ==================================================================================================
# record/present.py: What is true now of a snapshot: the repository, and which of its jobs still run; within a bounded time.
# ==================================================================================================

JOBS_MAX, LOOKS_MAX_SECONDS = 40, 0.030
NAME_MAX_UTF16 = 300  # of a branch, which may be called anything


def compared_now(snapshot: Record, limit: int = JOBS_MAX, seconds: float = LOOKS_MAX_SECONDS) -> Record:
    """{"repository": branch, head and working tree now, "jobs": id of a shell -> whether a process runs its command}.

    Of jobs that were not reached within `seconds` nothing is said.
    """
    end = time.monotonic() + seconds
    now = repository(snapshot["state"].get("cwd", ""))
    names = {name: quote(value, NAME_MAX_UTF16) if isinstance(value, str) else value for name, value in now.items()}
    return {"repository": names, "jobs": running(shells(snapshot["items"], limit), end)}


# ==================================================================================================
# recap/block.py: The text that is put back: the stored snapshot with pins and what is true now, within its budget.
# ==================================================================================================

HARD_STOP = 9_500  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much
REASON_WORDS_CHARACTERS = 100
COUNTED = {  # what the person is told of, by kind of item
    "pin": "pin", "rule": "rule", "message": "message", "task": "task", "action": "action"}


def as_of_now(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def text_for(snapshot: Record, positions: list[int]) -> tuple[str, list[Line]]:
    """The text to put back after a compaction of the main thread, and the lines in it."""
    text, shown = block_of(snapshot)
    as_of = text_of(snapshot, "as_of")
    if as_of:
        head, line_break, rest = text.partition("\n")
        text = f"{head}\n{as_of}{line_break}{rest}"
    ask = how_to_ask(data_home())
    most = min(snapshot["settings"]["budget"] + ASK_ROOM, HARD_STOP) - units(ask)
    return shortened(cut(text, most) + ask, positions), shown


def block_of(snapshot: Record) -> tuple[str, list[Line]]:
    """The snapshot's lines within its budget as a text, and which they are."""
    text, lines = recap_of(snapshot)
    return text, [line for line in lines if "section" in line]


def shortened(text: str, positions: list[int]) -> str:
    """The text; after three compactions within few records only its beginning, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third compaction within {apart} records of the transcript, so little "
           "room is left beside what the client itself puts back.)")
    return cut(text, THRASH_UNITS - units(why)).rpartition("\n")[0] + why


def reasons(snapshot: Record) -> str:
    """A row for every line that might be put back: whether it is, in which section, and why not."""
    rows = ["put back?  line"]
    for line in recap_of(snapshot)[1]:
        words = in_quotes(" ".join(line["text"].split())[:REASON_WORDS_CHARACTERS])
        kind = line["items"][0]["kind"] if line["items"] else "fact"
        where = f"yes, under “{line['section']}”" if "section" in line else f"no: {line['why']}"
        rows.append(f"{kind}: {words}\n    {where}")
    return "\n".join(rows)


def how_to_ask(home: str) -> str:
    """The last line where there is an archive in the data folder: how to find in it what does not stand here."""
    here = os.path.dirname(os.path.abspath(__file__))
    script, has_skill = os.path.join(here, "recall.py"), os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    how = "skill compact-keeper:recall (typed: /compact-keeper:recall WORDS)" if has_skill else (
        f"`python3 {script} search WORDS`")
    return f"\n\nThe original words, commands and errors of all earlier turns can be found: {how}."


def counted(shown: list[Line]) -> dict[str, int]:
    """How many items of which kind are shown."""
    kinds = [str(item["kind"]) for line in shown for item in line["items"]]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def said_to_person(shown: list[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, and how long the text is."""
    counts = counted(shown)
    parts = ", ".join(f"{counts[kind]} {name}{'s' if counts[kind] > 1 else ''}"
                      for kind, name in COUNTED.items() if counts.get(kind))
    return f"put back {parts or 'what is known'} ({size:,} characters)"


# ==================================================================================================
# record/items.py: What an item of a session is: something said, done, asked or seen, with its source and its place in time.
# ==================================================================================================

def new_item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
OLD_ENDING = ".1"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), "events.jsonl")
    if size_of(path) > EVENTS_MAX_BYTES:
        rotate(path)
    append_line(path, json.dumps(line))


def rotate(path: str) -> None:
    """Sets the file aside; the one that was set aside before goes."""
    try:
        os.replace(path, f"{path}{OLD_ENDING}")
    except FileNotFoundError:  # another hook has just done it
        return


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def restore_line(snapshot: Record, shown: Sequence[Line], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units."""
    lines = [{"kind": line["items"][0]["kind"] if line["items"] else "fact", "section": line["section"],
              "line": line["text"]} for line in shown]
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   lines=lines)


def audit_line(number: str, findings: Iterable[Record]) -> str:
    """The line for an audited summary: what it dropped, changed, invented or claimed."""
    worth_keeping = [finding for finding in findings if finding["what"] != "kept"][:FINDINGS_MAX]
    return as_line("audit", id=number, found=[
        {"what": finding["what"], "kind": finding["kind"], "text": words_of_finding(finding)}
        for finding in worth_keeping])


def words_of_finding(finding: Record) -> str:
    """The finding's words on one line; an item's are safe from the start, the summary's are not."""
    if "who" in finding:
        return " ".join(finding["text"].split())[:FINDING_MAX_CHARACTERS]
    return quote(finding["text"], FINDING_MAX_CHARACTERS)


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)


# ==================================================================================================
# store/marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

def take_mark(folder: str, series: str, name: str, text: str = "") -> bool:
    """Whether this process was the first to make the mark `<series><name>`, which keeps the text.

    Where the series ends with a dash, its earlier marks go.
    """
    mark = f"{series}{name}"
    try:
        handle = os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            if text:
                file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    except OSError:  # a full disk costs the audit this text, not the model its recap
        pass
    if series.endswith("-"):
        for other in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
            if other.startswith(series) and other != mark:
                os.unlink(os.path.join(folder, other))
    return True


# ==================================================================================================
# store/memory.py: memory.json of a session: whether it is as a save leaves it, before anything works with what is in it.
# ==================================================================================================

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
RECORD_FORMAT = 2  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "pending": list, "seen": list, "roots": list, "ledgers": dict,
    "typed": list, "queue": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    **dict.fromkeys(("options", "hits", "limits", "conflicts", "earlier", "evidence"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "picks", "refused", "sender", "detail", "family",
                     "commit", "subject", "branch", "pushed", "begun", "finished", "pattern"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record"), int)}
# What has to be there: in the memory itself, in an item, in a call that waits for its result, in a line of the log.
MEMORY_FIELDS = frozenset(("items", "place", "began", "time", "position", "cycle", "state", "pending", "seen"))
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # of items
    **dict.fromkeys(("message", "rule", "question", "refusal", "said", "task", "plan"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "action": {"key", "tool", "path", "verdict", "result"}, "look": {"key", "tool", "path", "result"},
        "job": {"key"}, "answer": {"question"}}.items()}}
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output",
                         "command", "rejected", "answers", "body", "input", "ok", "pattern", "change"))
LOG_FIELDS = frozenset(("time", "what", "key", "text"))
PLACE_FIELDS = frozenset(("inode", "offset"))  # how far a file was read
NO_PLACE = {"inode": 0, "offset": 0}  # of a memory that has read no transcript
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS,
                 "progress": LOG_FIELDS}


def usable_memory(path: str) -> Record:
    """The session's memory; empty, and the file kept beside, where a save could not work with it."""
    memory = read_store(path)
    if memory and memory.get("record") != RECORD_FORMAT and "items" in memory:
        return {}
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    return {} if why else memory


def fault_in(memory: Record) -> str:
    """The first place in the memory that is not as a save leaves it; empty when there is none."""
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "queue")]
    if not all(all_are(str, values) for values in (*texts, memory["state"].values(), typed)) or len(typed) != 2:
        return "roots, seen, queue, state or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ())}
    for name, records in lists.items():
        for number, record in enumerate(records):
            if why := odd_field(record, NEEDED_FIELDS[name], memory):
                return f"{name}[{number}]: {why}"
    return ""


def odd_field(record: Any, needed: Set[str], memory: Record) -> str:
    """The first field that is of another type, or what else is wrong; empty when the record is as it should be."""
    if not isinstance(record, dict):
        return "no object"
    name: str
    for name, value in record.items():
        if name in FIELD_TYPES and type(value) is not FIELD_TYPES[name]:
            return name
    if needed is ITEM_FIELDS:
        if record.get("kind") not in FIELDS_OF_KIND:
            return "kind"
        needed = FIELDS_OF_KIND[record["kind"]]
    if not needed <= record.keys():
        return "a field is missing"
    return "" if numbers_are_usable(record, memory) else "a number is out of range"


def numbers_are_usable(record: Record, memory: Record) -> bool:
    """Whether no number in the record is below 0, beyond counting, or newer than the memory itself."""
    now, cycle = memory["position"], memory["cycle"]
    if not (0 <= record.get("position", 0) <= now <= NUMBER_MAX and 0 <= record.get("cycle", 0) <= cycle <= NUMBER_MAX):
        return False
    return all(0 <= record.get(name, 0) <= NUMBER_MAX for name in ("uses", "edits"))


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}


# ==================================================================================================
# store/summary.py: summary.json of a session: what the client's summariser wrote, as SubagentStop brings it before SessionStart.
# ==================================================================================================

SUMMARY_FILE = "summary.json"
SUMMARY_MAX_CHARACTERS, SUMMARY_MIN_CHARACTERS = 60_000, 200  # a shorter answer is another of the client's own agents


def keep_summary(folder: str, answer: str) -> None:
    """Keeps a summariser's answer, redacted, where a compaction of the session has begun; other answers are not."""
    summary = summary_in(answer)
    if len(summary) >= SUMMARY_MIN_CHARACTERS and read_compaction(folder).get("stage") == "begun":
        text = redact(clean(summary[:SUMMARY_MAX_CHARACTERS]))
        replace_store(os.path.join(folder, SUMMARY_FILE), {"time": time.time(), "text": text})


def summary_in(answer: str) -> str:
    """The summary in the summariser's answer, without what it thought before."""
    begin = answer.find("<summary>")
    inner = answer[begin + len("<summary>"):] if begin >= 0 else answer
    return inner.partition("</summary>")[0].strip()


def summary_of(folder: str, compaction: Record) -> str:
    """The summary of the compaction that has begun; empty where none was kept since."""
    if compaction.get("stage") != "begun":
        return ""
    kept = read_store(os.path.join(folder, SUMMARY_FILE))
    is_new = isinstance(kept.get("time"), float) and kept["time"] >= compaction.get("time", 0)
    return text_of(kept, "text") if is_new else ""


# ==================================================================================================
# the script: Put back what a compaction dropped, once, and see to it that it arrived.
# ==================================================================================================

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of
SNAPSHOT_MAX_BYTES = 8 << 20  # on stdin
STARTED = time.time()
NUMBER = re.compile(r"[0-9a-f]{8,20}\Z")  # of a compaction: it becomes part of a file's name
HOW_TO_RESTORE = "/compact-keeper:restore brings in what was saved before it."
TASK_MAX_UTF16 = 4_000


# --- deliver: once, to the thread that was compacted ---


def put_back(data: HookInput, folder: str, compaction: Record) -> None:
    """After a compaction: the state of the main thread as of now, or a subagent's rules and task; each once."""
    agent = agent_of(data, compaction)
    if agent:
        put_back_to_subagent(data, folder, agent)
        if not text_of(data, "agent_id"):  # its PreCompact was taken for the main thread's
            set_stage(folder, compaction, "a subagent's")
        return
    snapshot, refusal, as_of = current_snapshot(data, folder)
    lock_session(folder)  # another installation's process may be delivering the same
    compaction = readable_compaction(folder)
    if not is_due(compaction, data["transcript_path"]):
        return
    number = number_of(compaction, data["session_id"])
    if refusal:
        keep_back(data, folder, {**compaction, "id": number}, refusal)
        return
    present = with_present(snapshot, folder)
    if present["items"]:
        summary = summary_of(folder, compaction)
        deliver(data, folder, compaction, {**present, "id": number, "as_of": as_of, "summary": summary})
    elif compaction.get("stage") == "begun":
        set_stage(folder, compaction, "nothing known")  # so nothing that was put back can have been lost


def agent_of(data: HookInput, compaction: Record) -> str:
    """The id of the subagent whose context was compacted; empty for the main thread."""
    is_manual = compaction.get("stage") == "begun" and compaction.get("trigger") == "manual"
    if text_of(data, "agent_id") or is_manual:
        return text_of(data, "agent_id")
    has_subagents = os.path.isdir(data["transcript_path"].removesuffix(".jsonl") + "/subagents")
    return compacted_agent(data["transcript_path"]) if has_subagents else ""


def current_snapshot(data: HookInput, folder: str) -> tuple[Record, str, str]:
    """The stored snapshot, as of now; why it must not be put back; what is to be said of its age."""
    def stored() -> Record:
        """The snapshot as it is on disk now."""
        return own_snapshot(folder, data["session_id"])

    return brought_up(stored(), data, folder, stored)


def own_snapshot(folder: str, session: str) -> Record:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot = read_store(os.path.join(folder, "snapshot.json"))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


def with_present(snapshot: Record, folder: str) -> Record:
    """The snapshot with pins and what is true now; without items where there is no snapshot, whatever is pinned."""
    return as_of_now(snapshot, folder) if snapshot else {"items": []}


def readable_compaction(folder: str) -> Record:
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


def deliver(data: HookInput, folder: str, compaction: Record, snapshot: Record) -> None:
    """Prints the text for the model, unless another process has made the mark before, and notes where it went out."""
    positions, transcript = positions_of(compaction, snapshot), data["transcript_path"]
    text, shown = text_for(snapshot, positions)
    if not take_mark(folder, "delivered-", snapshot["id"], text):
        return
    tell(data, text, said_to_person(shown, units(text)), "restore", ms=int((time.time() - STARTED) * 1000),
         kept=len(snapshot["items"]), shown=counted(shown))
    begun = compaction if compaction.get("id") == snapshot["id"] else {}  # a Stop's snapshot had no PreCompact
    about = {name: begun[name] for name in ("time", "trigger", "project") if name in begun}
    set_stage(folder, {"time": STARTED, **about, "id": snapshot["id"], "before": positions, "transcript": transcript,
                       "offset": boundary_offset(transcript), "settled": time.time()}, "delivered")
    append_line(os.path.join(folder, HISTORY_FILE), restore_line(snapshot, shown, units(text)))


def tell(data: HookInput, text: str, message: str, event: str, **fields: Any) -> None:
    """Prints the text for the model and the line for the person, and notes it in events.jsonl."""
    context = {"hookEventName": data["hook_event_name"], "additionalContext": text}
    person = {"systemMessage": f"compact-keeper: {message}"} if message else {}
    os.write(1, json.dumps({"hookSpecificOutput": context, **person}).encode())
    note_event(event, data["session_id"], units=units(text), **fields)


def keep_back(data: HookInput, folder: str, compaction: Record, why: str) -> None:
    """Says once, in the log, in events.jsonl and to the person, why nothing was put back after a compaction."""
    if not take_mark(folder, "kept_back-", compaction["id"]):
        return
    log(f"nothing was put back: {why}")
    message = f"compact-keeper: nothing was put back after this compaction: {why}. {HOW_TO_RESTORE}"
    os.write(1, json.dumps({"systemMessage": message}).encode())
    note_event("kept back", data["session_id"], why=quote(why, 200))
    set_stage(folder, {**compaction, "settled": time.time()}, "kept back")  # nor at the next prompt


def put_back_to_subagent(data: HookInput, folder: str, agent: str) -> None:
    """To a compacted subagent: the user's rules and its own task. Nothing of the main thread's is delivered by it."""
    if not SESSION_ID.match(agent):
        return
    snapshot, refusal, _ = current_snapshot(data, folder)
    if not snapshot:
        if refusal:
            log(f"nothing was put back to a subagent: {refusal}")
        return
    task, size = task_of(data["transcript_path"], agent)
    items = [item for item in snapshot["items"] if item["kind"] == "rule"]
    if task:
        at = {**snapshot, "source": agent}
        items.append(new_item("errand", at, cut(redact(clean(task)), TASK_MAX_UTF16), "assistant"))
    known = with_pins({**snapshot, "items": items}, folder)
    text = block_of({**known, "id": agent, "agent": agent})[0] if known["items"] else ""
    if text and take_mark(folder, f"subagent_{agent}-", str(size)):
        tell(data, text, "", "restore", agent=agent)


# --- the receipt: kept, lost or unknown ---


def check_receipt(data: HookInput, folder: str, compaction: Record) -> None:
    """At a prompt: whether the client kept what was delivered; what it lost goes out again, once."""
    transcript = data["transcript_path"]
    is_own = text_of(data, "prompt").lstrip().startswith("/compact-keeper")  # may be answered without the model
    waiting = [delivery for delivery in (compaction.get("earlier", {}), compaction) if is_waiting(delivery)]
    if is_own or text_of(data, "agent_id") or not os.path.isfile(transcript):
        return
    for delivery in waiting:
        outcome = receipt(transcript, delivery)
        behind = behind_boundary(transcript, delivery) if delivery is not compaction and outcome else 0
        if settle(data, folder, delivery, outcome, behind) or not outcome:
            return  # what was put back again is enough for one prompt; the earlier one's boundary comes first
        compaction.update(offset=max(compaction.get("offset", 0), behind))


def settle(data: HookInput, folder: str, delivery: Record, outcome: str, behind: int) -> bool:
    """Notes what the transcript tells of a delivery and repeats one that was lost: whether something was printed.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    if outcome == "lost" or (outcome == "unknown" and delivery["stage"] != "delivered"):
        return deliver_again(data, folder, delivery, behind)
    if outcome:
        end_compaction(folder, delivery, "verified" if outcome == "kept" else "unseen", behind)
        note_event("receipt", data["session_id"], verified=outcome == "kept")
    return False


def deliver_again(data: HookInput, folder: str, delivery: Record, behind: int) -> bool:
    """Puts the session's state back at a prompt, because it was lost or the client never asked; whether it went out."""
    snapshot, refusal, as_of = current_snapshot(data, folder)
    if refusal and delivery["stage"] == "begun":
        keep_back(data, folder, delivery, refusal)
        return True
    if refusal:  # it had gone out: nothing that the person would miss
        end_compaction(folder, delivery, "unseen", behind)
        return False
    present = with_present(snapshot, folder)
    if not present["items"]:
        return False
    text = block_of({**present, "id": delivery["id"]})[0]
    text += "".join([f"\n{as_of}" if as_of else "", how_to_ask(data_home())])
    if not take_mark(folder, "repaired-", delivery["id"], text):
        return False
    tell(data, text, "what was put back after the compaction had been lost; put back again", "repair")
    end_compaction(folder, delivery, "repaired", behind)
    return True


def note_resume(_data: HookInput, folder: str, compaction: Record) -> None:
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


def note_end(_data: HookInput, folder: str, compaction: Record) -> None:
    """When the session ends: a compaction that has begun and is not done now will not finish."""
    if compaction.get("stage") == "begun":
        set_stage(folder, {**compaction, "ended": time.time()}, "begun")


def unfinished(project: str, is_enough: Callable[[Record, str], bool]) -> tuple[str, float]:
    """The folder of the project's newest session that stopped at its compaction, and when that began.

    `is_enough` says whether what the transcript shows (see `failure`) is enough to call it so.
    """
    now, newest = time.time(), ("", 0.0)
    for session in os.scandir(private_folder("sessions")):
        path = os.path.join(session.path, "compaction.json")
        try:
            is_fresh = not session.is_symlink() and abs(now - os.path.getmtime(path)) < UNFINISHED_SECONDS
            compaction = read_compaction(session.path) if is_fresh else {}
            if compaction.get("stage") == "begun" and compaction.get("project") == project and (
                    is_enough(compaction, failure(compaction))):
                newest = max(newest, (session.path, compaction.get("time", 0.0)), key=lambda session: session[1])
        except (OSError, Refusal):  # most have none; another session's broken file is no fault of this one's
            continue
    return newest


def tell_of_unfinished(data: HookInput, folder: str, _compaction: Record) -> None:
    """At a new start or /clear: one line when the session before stopped at its compaction; nothing of it is shown."""
    is_cleared = data["source"] == "clear"  # the end of the session before, which older clients do not tell

    def is_over(compaction: Record, shown: str) -> bool:
        """Whether that session does not go on in another window."""
        return bool(shown and compaction.get("ended")) or (shown == "failed" and is_cleared)

    stopped, began = unfinished(project_folder(data), is_over)
    if stopped and stopped != folder and take_mark(stopped, "told_", data["session_id"]):
        when = clock(began)
        message = f"the compaction at {when} of the session before in this folder did not finish; {HOW_TO_RESTORE}"
        tell(data, f"compact-keeper: {message}", message, "unfinished")


def by_hand(session: str) -> int:
    """Prints the block of this folder's session whose compaction did not finish, else of the one named; 1 for none."""
    stopped, _ = unfinished(project_folder({}), lambda _, shown: bool(shown))
    named = os.path.join(data_home(), "sessions", session) if SESSION_ID.match(session) else ""
    for folder in filter(os.path.isdir, (stopped, named)):
        present = with_present(own_snapshot(folder, os.path.basename(folder)), folder)
        if present["items"]:
            os.write(1, f"{block_of(present)[0]}{how_to_ask(data_home())}\n".encode())
            if folder == stopped:
                set_stage(stopped, read_compaction(stopped), "brought in")
            return 0
    minutes = UNFINISHED_SECONDS // 60
    print(f"compact-keeper: no compaction in this folder failed in the last {minutes} minutes, and nothing is saved of "
          f"session {session}; another is named by its id: restore_snapshot.py --now SESSION")
    return 1


def show(arguments: Sequence[str]) -> int:
    """Prints what would come back of the snapshot on stdin, with --why every item's score too; nothing is written."""
    try:
        snapshot = json.loads(sys.stdin.buffer.read(SNAPSHOT_MAX_BYTES))
    except (ValueError, RecursionError):
        snapshot = None
    if not isinstance(snapshot, dict) or snapshot.get("record") != RECORD_FORMAT:
        raise Refusal("no snapshot on stdin; it is what save_snapshot.py --dry-run TRANSCRIPT prints")
    folder = os.path.join(data_home(), "sessions", os.path.basename(text_of(snapshot, "session")))
    current = as_of_now(snapshot, folder)
    positions = positions_of(read_compaction(folder), current)
    text = text_for(current, positions)[0] if current["items"] else ""
    print(text or "compact-keeper: nothing to put back yet")
    if "--why" in arguments:
        print(f"\n{reasons(current)}")
    return 0


# --- the hook ---

ACTIONS: dict[tuple[str, str], Callable[[HookInput, str, Record], None]] = {
    ("SessionStart", "compact"): put_back, ("SessionStart", "resume"): note_resume,
    ("SessionStart", "startup"): tell_of_unfinished, ("SessionStart", "clear"): tell_of_unfinished,
    ("UserPromptSubmit", ""): check_receipt, ("SessionEnd", ""): note_end}


def restore(data: HookInput) -> None:
    """The hook: what is due at this event for this session."""
    action = ACTIONS.get((data["hook_event_name"], text_of(data, "source")))
    folder = os.path.join(data_home(), "sessions", data["session_id"])
    # What was compacted may have been saved never: then it is now.
    known = os.path.isdir(folder) or (action is put_back and os.path.isfile(data["transcript_path"]))
    if action and (known or action is tell_of_unfinished):
        folder = private_folder("sessions", data["session_id"]) if known else folder
        # Unreadable, it costs no text after a compaction; set_stage says in the log why no more is noted.
        action(data, folder, readable_compaction(folder) if action is put_back else read_compaction(folder))


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook, whatever came in on stdin; by hand 0 when it was done, 1 with one line that says why not."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return run_hook(restore)
    try:
        if arguments[0] == "--now":
            return by_hand("".join(arguments[1:2]))
        if arguments[0] == "--show":
            return show(arguments)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault}")
        return 1
    except (LookupError, TypeError, ValueError, AttributeError) as fault:  # its fields are of another shape
        print(f"compact-keeper: the snapshot cannot be used: {type(fault).__name__}: {fault}")
        return 1
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
