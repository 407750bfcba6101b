#!/usr/bin/env python3
r"""Put back what a compaction dropped, once, and see to it that it arrived.

A hook for SessionStart and SessionEnd; answer_prompt.py starts it at a prompt where a delivery waits for its receipt:
    SessionStart, compact          the session as of now, with what is true now; to a compacted subagent rules and task;
                                   of a text in two parts the first; the hook's second command (--rest) waits until that
                                   is out, at most 3 s, and prints the other; without it the next event carries that
    UserPromptSubmit               looks for the text in the transcript; what the client lost goes out again, once
    SessionStart, fork             notes that the session is a fork, whose transcript the client writes later
    SessionStart, resume           notes that another process goes on; SessionEnd, that a begun compaction will not end
    SessionStart, startup, clear   one line when a session of this folder that ended in the last 30 minutes stopped at
                                   a compaction that failed, or with a full context
Reads   the hook's JSON on stdin; of this session snapshot.json, compaction.json, summary.json, pins.jsonl, rest.json;
        the end of the transcript, for the receipt; .git, processes.
Starts  save_snapshot.py, where the session has gone on since it was saved; git, for 0.3 s at most, without the
        repository's settings.
Prints  JSON: hookSpecificOutput.additionalContext for the model, at most 9,800 UTF-16 units (the client cuts at
        10,000); a systemMessage line for the person. Mostly nothing.
Writes  delivered-<id>, the exclusive mark with the text (the snapshot stays); rest.json, the second part until it is
        taken; compaction.json; lines in events.jsonl, one in history.jsonl.
By hand:
    restore_snapshot.py --now [SESSION]                the unfinished compaction's text, else the session's
    restore_snapshot.py --bring-in SESSION [anyway]    the same, and leaves it for that session's model (untold.json);
                                                       where nothing is missing only with `anyway`
    restore_snapshot.py --show [--why] < SNAPSHOT      what would come back of save_snapshot.py --dry-run; with --why
                                                       the lines under each heading counted, and those left out
To use a copy, put the file into a project's .claude/hooks, save_snapshot.py beside it, and this into
.claude/settings.json, the first entry without the matcher for SessionEnd too, and for UserPromptSubmit where that has
no answer_prompt.py:
    {"hooks": {"SessionStart": [{"matcher": "compact|resume|startup|clear|fork", "hooks": [{
        "type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" || true"}]},
      {"matcher": "compact", "hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" --rest || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; by hand 1 with one line that says why nothing is shown. Python 3.9+, standard
library only.
"""
# Version 0.8.0, made by `make build` from src/restore_snapshot.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache, partial
from itertools import islice, takewhile
from operator import add
from sys import maxsize

VERSION = "0.8.0"  # of the plugin that this script came with


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
        os.close(out)
        if not has_ended:
            os.killpg(process, signal.SIGKILL)  # not waited for, so there is such a group
    return output.rstrip(b"\r\n")


def exchange(into: int, given: bytes, out: int, patience: float, most: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until = time.monotonic() + patience
    output = b""
    try:
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
    finally:
        if into >= 0:
            os.close(into)


def outputs_of(commands: Sequence[list[str]], environment: Mapping[str, str], given: bytes, until: float,
               most: int) -> list[bytes | None]:
    """What each of the commands prints, run at once with this environment and stdin, stderr nowhere.

    At most `most` bytes; of so many there may be more. None where the command failed, or had not ended by `until`
    (of time.monotonic): what runs on then is killed. On Windows none is started.
    """
    if not hasattr(os, "posix_spawn"):
        return [None] * len(commands)
    import signal
    # Ended by a signal, this process is to end them first; and only by default are they left to be waited for.
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: sys.exit()),
              signal.SIGCHLD: signal.signal(signal.SIGCHLD, signal.SIG_DFL)}
    processes: list[int] = []  # by the number of their command; 0 once it has come to its end
    outs: dict[int, int] = {}  # from what to read to the command's number
    try:
        for number, command in enumerate(commands):
            process, out = listened_to(command, environment, given)
            processes.append(process)
            outs[out] = number
        outputs = read_all(outs, until, most)
        return [output if output is not None and (len(output) >= most or succeeded(processes, number, until)) else None
                for number, output in enumerate(outputs)]
    except (OSError, ValueError):  # the system starts no more processes; a NUL byte in a word
        return [None] * len(commands)
    finally:
        for out in outs:
            os.close(out)
        for process in filter(None, processes):
            os.kill(process, signal.SIGKILL)  # not waited for, so there is such a process
            os.waitpid(process, 0)
        for number_of_signal, handler in before.items():
            signal.signal(number_of_signal, handler or signal.SIG_DFL)


def listened_to(command: list[str], environment: Mapping[str, str], given: bytes) -> tuple[int, int]:
    """The command's process, in this one's group, and from where its output can be read."""
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    try:
        os.write(into, given[:INPUT_MAX_BYTES])
        os.close(into)
        files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
                 (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        return os.posix_spawn(command[0], command, environment, file_actions=files, setsigdef=[signal.SIGPIPE]), out
    except (OSError, ValueError):
        os.close(out)
        raise
    finally:
        os.close(source)
        os.close(sink)


def read_all(outs: Mapping[int, int], until: float, most: int) -> list[bytes | None]:
    """What comes out of the pipes until they end, at most so many bytes of each; None of one that did not end."""
    import select
    outputs: list[bytes | None] = [None] * len(outs)
    so_far = dict.fromkeys(outs, b"")
    while so_far and (left := until - time.monotonic()) > 0:
        for out in select.select([*so_far], [], [], left)[0]:
            chunk = os.read(out, most)
            so_far[out] = (so_far[out] + chunk)[:most]
            if not chunk or len(so_far[out]) == most:
                outputs[outs[out]] = so_far.pop(out)
    return outputs


def succeeded(processes: list[int], number: int, until: float) -> bool:
    """Whether the process has ended with exit code 0 by that time; its number is then taken out."""
    while True:
        process, status = os.waitpid(processes[number], os.WNOHANG)
        if process:
            processes[number] = 0
            return status == 0
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS / 4)


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

NOTHING_KNOWN = "nothing is known of session"  # how stats.py begins to say so; answer_prompt.py says it of a new one


class Refusal(Exception):
    """Says why an input or a file is not used."""


def fault_words(fault: Exception) -> str:
    """What went wrong, for a person: of a fault of the system the file and the cause, without its number."""
    if not isinstance(fault, OSError) or not fault.strerror:
        return str(fault)
    return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one place, however the scripts were installed; refused where it is no full path."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    path = os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    if not os.path.isabs(path):  # each folder that a script runs in would have one of its own
        raise Refusal(f"the data folder {path} is no full path; COMPACT_KEEPER_HOME or CLAUDE_CONFIG_DIR names it")
    return path


def private_folder(*names: str) -> str:
    """The path of a folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def why_not_writable(folder: str) -> str:
    """Why no file can be made in the folder, or the folder not be made; empty where both can. Nothing stays of it."""
    place = folder
    while not os.path.lexists(place) and os.path.dirname(place) != place:  # what is missing would be made in this
        place = os.path.dirname(place)
    draft = os.path.join(place, f"compact-keeper.{os.getpid()}.tmp")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600))
        os.unlink(draft)
    except OSError as fault:
        return f"{place}: {fault.strerror}"
    return ""


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
    text, values = line.decode("utf-8", "replace").lstrip(), list[object]()
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
    parts = [stamp[:4], *(stamp[begin:begin + 2] for begin in (5, 8, 11, 14, 17))]
    if stamp[4:17:3] != "--T::" or len(parts[-1]) < 2 or not "".join(parts).isdecimal():
        return 0
    year, month, day, hour, minute, second = map(int, parts)
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
    try:
        return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise ValueError("it takes a day (2026-11-21), a moment, or an age (12h, 7d, 2w)") from None


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"'  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists
LEDGERS = ("ledger.jsonl", "ledger.folded.jsonl")


def brought_up(snapshot: Snapshot, data: HookInput, folder: str,
               stored: Callable[[], Snapshot]) -> tuple[Snapshot, str, str]:
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


def why_gone(snapshot: Snapshot, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {saved_clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number_or_zero(snapshot.get("created")))
    if age > number_or_zero(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Mapping[str, Any], session: str) -> bool:
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


def is_behind(snapshot: Snapshot, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = places_read(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number_or_zero(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > NEW_LINES_MAX_BYTES:
        return True
    new = bytes_from(transcript, start)
    return bool(new and re.search(COUNTING_LINE, new)) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Snapshot, folder: str) -> bool:
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


def places_read(snapshot: Snapshot, name: str) -> Record:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read: Any = snapshot.get("read")
    place = read.get(name) if isinstance(read, dict) else None
    return place if isinstance(place, dict) else {}


def number_or_zero(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def saved_clock(snapshot: Snapshot) -> str:
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


def read_store(path: str) -> Any:
    """The file's object, as it is; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


def take_store(path: str) -> Any:
    """The object of a file that is handed over once, for the one process that renames it; empty for every other.

    It is read under a name of this process's own: under that of all, the next one could have taken its place.
    """
    if not os.path.exists(path):
        return {}
    own = f"{path}.{os.getpid()}.tmp"  # of a killed process it goes as drafts do
    try:
        os.replace(path, own)
    except FileNotFoundError:
        return {}
    try:
        return read_store(own)
    finally:
        if os.path.isdir(own) == os.path.isdir(f"{path}.given"):
            os.replace(own, f"{path}.given")


def replace_store(path: str, data: Mapping[str, Any], **encoded: str) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before.

    `encoded` are fields that are JSON already, as several files hold them; in the file they come last.
    """
    text = encoded_json({"schema": SCHEMA, **{name: value for name, value in data.items() if name not in encoded}})
    fields = [text[:-1], *(f'"{name}": {value}' for name, value in encoded.items())]
    replace_file(path, f"{', '.join(fields)}}}".encode("utf-8", "replace"))


def encoded_json(value: object) -> str:
    """The value as it stands in a file of ours."""
    return json.dumps(value, ensure_ascii=False)


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

DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
NONCE_CHARACTERS = 8  # of a compaction's id, which tell its text from all others of the session
COMPACTION: CompactionState = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}


def read_compaction(folder: str) -> CompactionState:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    usable: Any = {"stage": "", **of_right_types(read_store(os.path.join(folder, "compaction.json")))}
    compaction: CompactionState = usable
    if "earlier" in usable:
        usable["earlier"] = of_right_types(usable["earlier"])
    return compaction


def of_right_types(compaction: Record) -> Record:
    """Its fields without those that are of another type than they should be."""
    return {name: value for name, value in compaction.items() if type(value) is type(COMPACTION.get(name, value))}


def positions_of(compaction: CompactionState, snapshot: Snapshot) -> list[int]:
    """Where in the session its last three compactions came that began by themselves, the one of the snapshot last.

    None for one by hand: that says nothing of how much room is left.
    """
    if compaction.get("trigger") == "manual":
        return []
    before = [position for position in compaction.get("before", []) if type(position) is int]
    return [*before, snapshot["position"]][-3:]


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come, in compaction.json, which save_snapshot.py begins at PreCompact."""
    path = os.path.join(folder, "compaction.json")
    read_store(path)  # refuses to replace what a later version wrote
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def end_compaction(folder: str, compaction: CompactionState, stage: str, behind: int = 0) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    lock_session(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == compaction["id"]:
        del now["earlier"]
        set_stage(folder, {**now, "offset": max(now.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == compaction["id"]:
        set_stage(folder, now, stage)
    unlock_session()  # a save that this process starts later would wait for it


# ==================================================================================================
# client/receipt.py: Whether a transcript shows that the client kept what was put back after a compaction.
# ==================================================================================================

KEEPING_CLIENTS = (2, 1, 105)  # and newer ones write a hook's text to the transcript
RESUMING_CLIENTS = (2, 1, 150)  # and newer ones go on from it when another process resumes the session
RECEIPT_BYTES = 4 << 20  # of the transcript behind the compaction's begin that are searched for the nonce
BOUNDARY = rb'"subtype": ?"compact_boundary"'


def is_boundary(line: bytes) -> bool:
    """Whether the line is a compaction's boundary; a call whose input reads like one is none."""
    if line.rfind(b'"compact_boundary"') < 0 or not re.search(BOUNDARY, line):
        return False
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (record.get("type"), record.get("subtype")) == ("system", "compact_boundary")


def receipt(transcript: str, compaction: CompactionState) -> str:
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


def boundary_and_block(transcript: str, compaction: CompactionState) -> tuple[bytes, bool, bool]:
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


def behind_boundary(transcript: str, compaction: CompactionState) -> int:
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

BOUNDARY_TAIL_BYTES = 1 << 20  # of a transcript's end, in which a fresh boundary lies
FAILURE_MAX_BYTES = 16 << 20  # behind a compaction's begin, the last ones, which tell whether it failed
ANSWER_MARK = b'"type":"assistant"'
SAME_START = 10  # seconds within which two installations start the hook for one compaction
NO_ANSWER = (b'"isSidechain":true', b'"model":"<synthetic>"')  # a subagent's; the client's own words
API_ERROR = b'"isApiErrorMessage":true'  # an answer that is none: the client writes the error in the model's place
# What a manual compaction leaves that failed (2.1.76 to 2.1.330); one that the person stopped says "canceled".
REFUSED = rb"<local-command-std(?:err|out)>(?:Error: )?Error during compaction"
TOO_LONG = r"(?i)too long|compaction"
STAMP = rb'"timestamp":"([\d-]{10}T[\d:]{8})'
WINDOWS_TOKENS = (200_000, 1_000_000)  # that models have


def is_answer(line: bytes) -> bool:
    """Whether the line is an answer of the model's on the main thread."""
    return ANSWER_MARK in line and not any(mark in line for mark in NO_ANSWER)


def is_due(compaction: CompactionState, transcript: str) -> bool:
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
        elif offset < size and is_answer(line):
            offset = size
    return offset


def failure(compaction: CompactionState) -> str:
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
        if re.search(REFUSED, line) or (API_ERROR in line and re.search(TOO_LONG, message_words(line))):
            last = "failed"
        elif API_ERROR in line:
            last = last or "error"
        elif is_answer(line) and moment_of(line) > begun:  # the one that filled the context may come late into the file
            last = "went on"
    if last in ("failed", "went on"):
        return last.removeprefix("went on")
    return "full" if size and is_full(compaction, transcript, last) else ""


def is_full(compaction: CompactionState, transcript: str, last: str) -> bool:
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
    moment = re.search(STAMP, line)
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

MIDDLE_GONE = "[… lines that the record does not keep]"
OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units.

    By "utf-16", with two bytes that tell the order: Python has it built in, and would import a module for "utf-16-le".
    """
    return len(text) if text.isascii() else len(text.encode("utf-16", "surrogatepass")) // 2 - 1


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    if text.isascii():
        return text[:max(limit - 1, 0)].rstrip() + "…"
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + "…"


def before_space(text: str) -> str:
    """The text without its last word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.rpartition(" ")[0] or text


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def behind_space(text: str) -> str:
    """The text without its first word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.partition(" ")[2] or text


def without_middle(text: str, most: int) -> str:
    """The text; of one with more UTF-16 units whole lines of its beginning and its end, with MIDDLE_GONE between.

    A plan says at its end how it is to be checked.
    """
    if units(text) <= most:
        return text
    room = (most - units(MIDDLE_GONE) - 2) * len(text) // units(text)  # as characters
    first, _, _ = text[:room * 3 // 5].rpartition("\n")
    _, _, last = text[-room * 2 // 5:].partition("\n")
    return cut(f"{first}\n{MIDDLE_GONE}\n{last}" if first and last else text, most)


def both_ends(text: str, head: int, end: int) -> str:
    """The text; of one with more than `head` and `end` characters the whole lines of its first and its last so many.

    Of one long line its beginning up to a space: a secret that is cut in half would not be known as one.
    """
    if len(text) <= head + end:
        return text
    first = text[:head].rpartition("\n")[0] or text[:head].rpartition(" ")[0]
    _, _, last = text[-end:].partition("\n")
    return f"{first}\n{last}"


# ==================================================================================================
# text/named_secrets.py: Secrets that are known again: a value that the session named in one place stands in another without its name.
# ==================================================================================================

NAMED_RUN_CHARACTERS, NAMED_RUN_CHANGES = 16, 4  # at least: of a run, and between its letters and digits
NAMED_RUN = rf"[A-Za-z0-9]{{{NAMED_RUN_CHARACTERS},}}"
LETTER_DIGIT_CHANGE = r"\d(?=[A-Za-z])|[A-Za-z](?=\d)"
MARKS_IN_ALL = (1 << 24) - 3  # a prime: of other runs one in eight million has the mark of one of the ends
IN_ITS_PLACE = "[redacted]"


@cache
def named_runs() -> set[str]:
    """The runs that this process has replaced behind a name: the one thing here that grows."""
    return set()


def remember(value: str) -> None:
    """Knows the runs of a value that was replaced from now on."""
    runs = re.findall(NAMED_RUN, value)
    named_runs().update(run for run in runs if len(re.findall(LETTER_DIGIT_CHANGE, run)) >= NAMED_RUN_CHANGES)


def marks_of(run: str) -> set[str]:
    """What stands on disk for the run's two ends."""
    ends = run[:NAMED_RUN_CHARACTERS], run[-NAMED_RUN_CHARACTERS:]
    return {f"{int.from_bytes(end.encode(), 'big') % MARKS_IN_ALL:06x}" for end in ends}


def marks_with(known: Iterable[str]) -> list[str]:
    """The marks known before, with those of what this process has seen named."""
    return sorted({*known}.union(*map(marks_of, named_runs())))


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else IN_ITS_PLACE.ljust(len(match[0]), "*")
    return re.sub(NAMED_RUN, hidden, text) if marks else text


def all_without_marked(value: Any, marks: Collection[str]) -> Any:
    """The JSON value with each of its texts so, in copies; however deep it is, as a call's answers may be.

    Without marks it is the value itself: most sessions name no secret.
    """
    if not marks:
        return value
    whole = [value]
    waiting: list[Any] = [whole]
    while waiting:
        here = waiting.pop()
        for place, part in [*(here.items() if isinstance(here, dict) else enumerate(here))]:
            if isinstance(part, str):
                here[place] = without_marked(part, marks)
            elif isinstance(part, (dict, list)):
                here[place] = part.copy()
                waiting.append(here[place])
    return whole[0]


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
LEAST = {"pat": 82, "MT": 59, "NT": 59, "OT": 59, "-us": 36, "re_": 32}  # characters of these, of which words are full
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])sig)|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
# A test's verdict, no name of a password: `--- PASS: TestA/b (0.1s)`, `| PASS | mode=3 against the baseline`. Of others
# than Go's tests only where a short plain number stands behind a name, with words behind it in the same row.
TEST_VERDICT = (r"(?-i:(?<!\w)PASS)[*_`]{0,3}(?:: (?-i:Test)[A-Z]\w*(?:/\S*)? \(\d"
           r"|(?::|[^\S\n]?\|)[^\S\n]{1,5}(?!\w{0,9}(?:pin|code|pw|pass|key|token|secret|user|login|admin|root|auth|sig))"
           r"[a-z]\w{1,15}=\d{1,4}(?:\.\d{1,6})?[,;]?[^\S\n]{1,3}[^\s|\d(])")
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
SPOKEN_NAMES = (*NAMES,)  # the same, before a value of another form
TYPE_NAMES = r"(?:Uint8Array|string|number|boolean|bytes|Buffer)(?=[\s;,)\]}|>]|\Z)"
NEVER = (  # no value, or a place
    rf"(?!\[redacted|[$<*{{(%]|(?:true|false|null|same-origin)\b|{TYPE_NAMES}|(?:password|token)[\"'`])")
QUOTE = r"\\*[\"'`]"  # in JSON in JSON too
# What a search, a listing, a diff or a quotation puts before a line: `a.yml:4:`, `a.yml-4-`, `4→`, `+`. Behind it the
# value stands that the line above names. In the gap itself it is no value, unless nothing but it stands there.
LINE_HEAD = (r"(?:(?!\\|\[redacted)(?:[A-Za-z]:)?(?=[^\s:]{0,120}[./\\])[^\s:]{1,120}?"
             r"(?::(?:\d{1,7}:)?|-\d{1,7}-|\.\w{1,5}-)(?=[^\S\n])|\d{1,7}(?:[:→-]|\s?[│|]|\t)|[+>-](?!\S))")
PLAIN_GAP = r"(?:\s|\\+[nrt]){0,9}"
GAP = (rf"(?:(?:[^\S\n]|\\+[rt]){{0,9}}|{PLAIN_GAP}(?!{LINE_HEAD}[^\S\n]{{1,40}}\S)"
       rf"|[^\S\n]{{0,9}}(?:\r?\n|\\+n)[^\S\n]{{0,9}}{LINE_HEAD}[^\S\n]{{0,40}})")
IS = r"(?:is|ist|lautet|est|es|é|è|jest)"
# What stands behind one of NAMES wherever a value follows it, of a text in lower case without backslashes: an equals
# sign, another sign and a quotation mark or a number; a verb or nothing, and a number. NAME_END is the name's rest.
NAME_END = r"(?:w(?:or)?[dt]|phrase|code|[eds]|nature)?(?:_(?:key|base|value)){0,2}"
GAP_BEHIND = rf"[\snrt]{{0,9}}(?:{LINE_HEAD}\s{{0,40}})?"
BEHIND_NAME = (
    rf"{NAME_END}(?:[\"'`*_\])]{{0,3}}[\snrt]{{0,9}}(?::?=|%3d|(?::|->){GAP_BEHIND}[\"'`]|>[^<>\s]{{4}}"
    rf"|[:|][*_]{{0,2}}[\snrt]{{0,9}}(?:[|>][-+]?)?{GAP_BEHIND}[\"'`]?[^\s\[]{{0,61}}\d)"
    r"|[\"'`](?:, ?| value=)[\"'`][^\s\[]{0,61}\d|\s+')")
BEHIND_SPOKEN = (
    rf"{NAME_END}(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}[^\S\n]{{1,3}}{IS}[^\S\n]{{1,2}}| to "
    r"|[^\S\n]?[是は为：:][^\S\n]?|[^\S\n])(?=[^\s\[]{0,61}\d)")
BEHIND_OPTION, OPTION_BEFORE = rf"{NAME_END} ", r"(?<!\w)-[-\w ]*\Z"
KEY_OWNERS = ("api", "access", "account", "private", "auth", "signing", "encryption")
SEEN_BEFORE_CHARACTERS, SEEN_BEHIND_CHARACTERS = 70, 600  # of a name: an option's words; backslashes among them
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
     rf"(?i)(?P<keep>{NAMED}(?:{QUOTE})?[\])]?{PLAIN_GAP}(?::?=>?|:|->){GAP}(?P<quote>{QUOTE})){NEVER}"
     r"(?:(?!(?P=quote))\S){4,}(?=(?P=quote)|\s*\Z)",
     # PASSWORD=…, password: …, | password | …, --token …, <password>…<, "password", "…"
     rf"(?i)(?P<keep>(?!{TEST_VERDICT}){NAMED}(?:[\"']?(?::?=|%3D)[\"']?"
     rf"|[\"'*_`]{{0,3}}(?::|\s?\|)[*_]{{0,2}}(?:{PLAIN_GAP}[|>][-+]?)?{GAP}[`\"']?{LIKELY}"
     rf"|\s=\s(?=[^\s(){{}}\[\],;'\"`\\]{{8,}}(?:,?[\s\"`\\]|\Z)){LIKELY}|>(?=[^<>\s]{{4,}}</)"
     rf"|{QUOTE}(?:, ?| value=){QUOTE}{LIKELY})"
     rf"|(?<!\w)--?(?:\w{{1,20}}[-_]){{0,2}}{NAMED}[ =](?:\\{{1,9}}\s{{0,9}}(?:\\{{0,9}}n\s{{1,9}})?"
     rf"(?:{LINE_HEAD}[^\S\n]{{1,40}})?)?(?:{QUOTE})?"
     rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|configure set \S{{0,40}}{NAMED} +"
     rf"|\b(?:login|user)\s+\S+\s+password\s+|\b(?:identified by|password)\s+'){NEVER}"
     r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}"),
    ("password", SPOKEN_NAMES,
     # my password is …, das Passwort für x lautet …, set the token to …, password …
     rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
     rf"{IS}[^\S\n:]{{1,2}}[\"'`]?| to [\"'`]?"
     r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
     rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]"),
)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINT_IN_PARTS = "//0"  # of those of tokens; the others hold neither slash nor colon
LONG_TEXT_CHARACTERS = 600
SHORTEST = 16  # characters; no token of any family is shorter


@cache
def first_hints(is_ascii: bool) -> list[str]:
    """The hints of all but tokens in lower case, without those that hold another; for a text in ASCII its own alone."""
    hints = {hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints}
    return [hint for hint in hints if (hint.isascii() or not is_ascii)
            and not any(map(hint.__contains__, hints - {hint}))]


def holds_any(text: str, parts: Iterable[str]) -> bool:
    """Whether the text holds one of the parts; in long texts `rfind` takes a fifth to all of the time of `in`."""
    if len(text) < LONG_TEXT_CHARACTERS:
        return any(map(text.__contains__, parts))
    return any(text.rfind(part) >= 0 for part in parts)


@cache
def token_hints_by_start() -> dict[str, list[str]]:
    """The hints of tokens by their first two letters."""
    table = dict[str, list[str]]()
    for hint in TOKEN_HINTS:
        table.setdefault(hint[:2], []).append(hint)
    return table


@lru_cache(maxsize=4_096)  # most parts of a session's words were seen before
def least_token(part: str) -> int:
    """How many characters a token has at least that the part of a word hints at; more than any has: it hints at none.

    By the pairs of its letters first: to look for each hint would take four times as long.
    """
    table = token_hints_by_start()
    pairs = table.keys() & {*map(add, part, part[1:])}
    return min((LEAST.get(hint, SHORTEST) for pair in pairs for hint in table[pair] if hint in part), default=maxsize)


def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word; paths have the same parts again and again."""
    return len(word) >= min(map(least_token, word.replace(":", "/").split("/"))) or HINT_IN_PARTS in word


def value_places(lower: str) -> tuple[list[int] | None, list[int] | None]:
    """Where in a text in lower case those of NAMES stand that a value follows, written and spoken: few do.

    None: it may follow anywhere.
    """
    if any(map(lower.__contains__, ("configure set", "ſ", "ı", "i̇"))):  # the letters are s and i to patterns
        return None, None
    if "password" in lower and ("login" in lower or "user" in lower):
        return None, None
    written, spoken, option = map(re.compile, (BEHIND_NAME, BEHIND_SPOKEN, BEHIND_OPTION))
    places, spoken_places, is_plain = list[int](), list[int](), "\\" not in lower
    for name, place in names_in_text(lower):
        end = place + len(name)
        rest = lower[end:end + SEEN_BEHIND_CHARACTERS]
        if not is_plain:
            bare = rest.replace("\\", "")
            if len(bare) < len(rest) - SEEN_BEHIND_CHARACTERS // 2:
                return None, None
            rest = bare
        if written.match(rest) or (option.match(rest) and re.search(
                OPTION_BEFORE, lower[max(place - SEEN_BEFORE_CHARACTERS, 0):place])):
            places.append(place)
        if spoken.match(rest):
            spoken_places.append(place)
    return places, spoken_places


def names_in_text(lower: str) -> Iterator[tuple[str, int]]:
    """Those of NAMES that may be names in a text in lower case, with their places; not in "author" and "design"."""
    for name in NAMES:
        place = lower.find(name)
        while place >= 0:
            before = lower[max(place - 12, 0):place]
            if name == "key":
                is_name = before.endswith("_") or before.rstrip(" _-").endswith(KEY_OWNERS)
            elif name == "sig":
                is_name = before.endswith(("?", "&", "amz-"))
            elif name in ("pass", "pwd", "pw", "auth") and "a" <= before[-1:] <= "z":
                is_word = name == "pass" and lower.startswith(("passw", "passp", "passc"), place)
                is_name = is_word or before.endswith(("\\n", "\\r", "\\t", "store", "key"))
            else:
                is_name = True
            if is_name:
                yield name, place
            place = lower.find(name, place + len(name))


def patterns_for(text: str) -> Iterator[tuple[str, str, list[int] | None]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced.

    With each the places of names before which it fits while nothing is replaced: `[redacted: token]` names one, too.
    None: it may fit anywhere.
    """
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens = " ".join(filter(may_hold_token, words))
    if not tokens and not holds_any(lower, first_hints(lower.isascii())):
        return
    may_be_changed = False
    written: list[int] | None = None
    spoken: list[int] | None = None
    for kind, hints, *patterns in SECRETS:
        where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
        if not where or not any(map(where.__contains__, hints)):
            continue
        if hints is NAMES and len(lower) == len(text):
            written, spoken = value_places(lower)
        places = written if hints is NAMES else spoken if hints is SPOKEN_NAMES else None
        if places != [] or may_be_changed:
            yield from ((kind, pattern, places) for pattern in patterns)
            may_be_changed = True


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

# A line's end, and what stands there before blanks where a value goes on below. By the end first: to look for the sign
# itself at each character took five times as long, a fifth of a first save.
LINE_END = r"\n(?<=[:=|>\\+\"'` \t\r-]\n)(?<!\)[:=|>\\]\n)"  # most colons there follow a bracket
GOES_ON_BELOW = r"(?<!\))[:=|>\\][-+]?[\"'`]{0,2}\Z"
KINDS_BY_NAME = ("password", "authorization", "url password")  # what has no form of its own
SIGN_CHARACTERS = 5  # the most that it takes, with the one before it
NEXT_LINE_WITH_WORDS = r"\s*[^\n]*\n?"
NAME_BEFORE_CHARACTERS = 60
NAMED_ABOVE = (  # in lower case; one pattern of them took most of the time over lines that go on below
    "pass", "secret", "token", "key", "auth", "sig", "cred", "pw", "kennwort", "contraseña", "senha", "wachtwoord",
    "hasło", "пароль", "密码", "パスワード", "identified by", "cookie", "bearer")


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    whole = text
    for kind, pattern, places in patterns_for(text):
        if places is None or text is not whole or (places and fits_before(pattern, text, places)):
            text = re.sub(pattern, partial(replacement, kind), text, flags=re.DOTALL)
    return text


def replacement(kind: str, match: re.Match[str]) -> str:
    """What stands in the secret's place; a value that only its name told is known again without it."""
    kept = match.groupdict().get("keep") or ""
    if kind in KINDS_BY_NAME:
        remember(match[0][len(kept):])
    return f"{kept}[redacted: {kind}]"


def redact_across_lines(text: str) -> str:
    """The text without the secrets that only several lines together tell: its lines may then be taken one by one.

    A private key's rows, and a value below its name: there the line of the name and the next are looked at together,
    with more where that one is a name again.
    """
    if "PRIVATE KEY" in text:
        return redact(text)
    parts, done = list[str](), 0
    for begin, stop in lines_with_the_next(text):
        parts += [text[done:begin], redact(text[begin:stop])]
        done = stop
    return "".join([*parts, text[done:]]) if parts else text


def lines_with_the_next(text: str) -> list[tuple[int, int]]:
    """From where to where the lines go that end with a secret's name, each with the line below; what meets is one."""
    spans = list[tuple[int, int]]()
    below, goes_on = re.compile(NEXT_LINE_WITH_WORDS), re.compile(GOES_ON_BELOW)
    for end in re.finditer(LINE_END, text):
        stop = end.start()
        while stop and text[stop - 1] in " \t\r":
            stop -= 1
        sign = goes_on.search(text[max(stop - SIGN_CHARACTERS, 0):stop])
        if not sign:
            continue
        stop -= len(sign[0])
        begin = text.rfind("\n", 0, stop) + 1
        if any(map(text[max(stop - NAME_BEFORE_CHARACTERS, begin):stop].lower().__contains__, NAMED_ABOVE)):
            following = below.match(text, end.end())
            if spans and begin < spans[-1][1]:
                begin = spans.pop()[0]
            spans.append((begin, following.end() if following else end.end()))
    return spans


def fits_before(pattern: str, text: str, places: Iterable[int]) -> bool:
    """Whether the pattern fits where one of the names begins, or just before: to try it everywhere takes long.

    Names that stand close together have the same characters before them: each is tried once.
    """
    fits = re.compile(pattern, re.DOTALL).match
    starts = {start for place in places for start in range(max(place - SEEN_BEFORE_CHARACTERS, 0), place + 1)}
    return any(fits(text, start) for start in starts)


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
TAG_BRACKETS = "<\ufe64\uff1c"
TAG = (
    rf"(?i)[{TAG_BRACKETS}](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
    r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
    r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")


def clean(text: str) -> str:
    """The text, of a long one its beginning, without hidden characters and lone surrogates; tags are disarmed."""
    if len(text) > TEXT_MAX_CHARACTERS:
        text = "".join(text[:TEXT_MAX_CHARACTERS].rsplit(None, 1)[:1])  # no half of a word
    if not is_plain(text.replace("\n", "")):
        if not is_plain(text.replace("\n", "").replace("\t", "")):
            text = re.sub(HIDDEN, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAG, "‹", text) if any(map(text.__contains__, TAG_BRACKETS)) else text


def is_plain(text: str) -> bool:
    """Whether every character is a sign of ASCII that a reader sees, or a blank."""
    return text.isascii() and text.isprintable()


# ==================================================================================================
# text/quotation.py: Words of others on one line, so that they can stand in a store or a text of ours.
# ==================================================================================================

READ_TIMES_LIMIT, READ_MORE_CHARACTERS = 4, 2_000  # of a text, for its beginning that is shown


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = joined(text), READ_TIMES_LIMIT * limit + READ_MORE_CHARACTERS
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


def quote_all(texts: Sequence[str], limit: int) -> list[str]:
    """Each of these short texts as `quote` has it; that none holds a secret, as nearly always, is seen at once."""
    lines = [*map(joined, texts)]
    whole = "\n".join(lines)
    if len(whole) > READ_MORE_CHARACTERS * READ_TIMES_LIMIT or next(patterns_for(whole), None):
        return [quote(line, limit) for line in lines]
    return [cut(line, limit) for line in lines]


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500


def line_without_time(message: str) -> str:
    """The line as it stands in hook.log, behind its time."""
    return quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line_without_time(message)
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
    if sys.stdin.isatty():
        sys.stderr.write("compact-keeper: this is a hook, which the client gives JSON on stdin; --help says more\n")
        raise Refusal("stdin is a terminal: no client has started this hook")
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


def run_hook_or_help(body: Callable[[HookInput], object], argv: Sequence[str] | None, page: str | None,
                     when_off: Callable[[HookInput], object] | None = None) -> int:
    """0, whatever came in on stdin; of a script that is a hook alone, which prints its page at --help."""
    if "--help" in (sys.argv if argv is None else argv):
        print(page)
        return 0
    return run_hook(body, when_off)


def run_hook(body: Callable[[HookInput], object], when_off: Callable[[HookInput], object] | None = None) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way.

    While COMPACT_KEEPER_OFF is set, `when_off` is done instead, or nothing; then no file is written, the log neither.
    """
    is_off = bool(os.environ.get("COMPACT_KEEPER_OFF"))
    due = when_off if is_off else body
    try:
        if due:
            due(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        if not is_off:
            log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0


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
# store/note.py: note.json of a session: what the model is to be told of a summary, once.
# ==================================================================================================

NOTE_MAX_UTF16 = 1_200


def take_note(folder: str) -> str:
    """The text of the note that waits in the session's folder, for the one process that renames it; else empty.

    Two installations, or two hooks of one event, hand it over once.
    """
    note = take_store(os.path.join(folder, "note.json"))
    if not note:
        return ""
    return cut(clean(without_delivered(note, delivered_text(folder, text_of(note, "id")))), NOTE_MAX_UTF16)


def delivered_text(folder: str, number: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    try:
        text = text_of(read_store(os.path.join(folder, f"delivered-{os.path.basename(number)}")), "text")
    except (OSError, Refusal):
        text = ""
    return " ".join(text.split())


def without_delivered(note: Record, delivered: str) -> str:
    """The note's text without the lines of findings whose words (`unless`) were put back; empty when none is left.

    Only here is it known: PostCompact, which writes the note, may come before or after what is put back.
    """
    findings = [finding for finding in list_in(note, "findings") if isinstance(finding, dict)]
    gone = {text_of(finding, "line") for finding in findings if any_in(delivered, list_in(finding, "unless"))}
    lines = [line for line in text_of(note, "text").split("\n") if line not in gone]
    is_all_gone = bool(gone) and gone == {text_of(finding, "line") for finding in findings}
    return "\n".join(lines[1:] if is_all_gone else lines).strip("\n")  # the first line says what the findings are


def any_in(text: str, any_words: list[Any]) -> bool:
    """Whether any of the words stand in the text."""
    return any(isinstance(words, str) and words and words in text for words in any_words)


def list_in(data: Record, name: str) -> list[Any]:
    """The list in a field of what was read from disk; empty when there is none."""
    value = data.get(name)
    return value if isinstance(value, list) else []


# ==================================================================================================
# store/rest.py: rest.json of a session: the second part of what is put back after a compaction, until an event carries it.
# ==================================================================================================

REST_FILE = "rest.json"
REST_MAX_UTF16 = 9_700  # the client cuts what an event says at 10,000


def leave_rest(folder: str, number: str, text: str) -> None:
    """Leaves the second part of the compaction of that id; without one an earlier compaction's goes."""
    path = os.path.join(folder, REST_FILE)
    if not text:
        remove_rest(folder)
        return
    try:
        read_store(path)  # refuses to replace what a later version wrote
        replace_store(path, {"id": number, "text": text})
    except (OSError, Refusal) as fault:  # the first part goes out all the same
        log(f"the second part of what is put back is not kept: {fault}")


def remove_rest(folder: str) -> None:
    """Removes a second part that nobody has taken: it is an earlier compaction's."""
    try:
        os.unlink(os.path.join(folder, REST_FILE))
    except FileNotFoundError:
        return
    except OSError as fault:  # a folder; its id tells all the same
        log(f"an earlier compaction's second part stays: {fault}")


def take_rest(folder: str) -> str:
    """The second part that waits, for the one process that renames it; else empty.

    Only what was delivered last has one: before the first part has gone out it stays, after another compaction it is
    nobody's.
    """
    path = os.path.join(folder, REST_FILE)
    if not os.path.exists(path):
        return ""
    try:
        compaction = read_compaction(folder)
        if compaction["stage"] not in DELIVERED_STAGES:
            return ""
        rest = take_store(path)
    except (OSError, Refusal) as fault:
        log(f"the second part of what was put back is not handed over: {fault}")
        return ""
    is_newest = text_of(rest, "id") == compaction.get("id")
    return cut(clean(text_of(rest, "text")), REST_MAX_UTF16) if is_newest else ""


# ==================================================================================================
# store/untold.py: untold.json of a session: what the person's own commands have changed or brought in, until an event tells the model.
# ==================================================================================================

UNTOLD_FILE = "untold.json"
UNTOLD_PATIENCE_SECONDS = 0.5  # that another process is waited for, which may be saving


def leave_untold(folder: str, changed: Untold) -> bool:
    """Leaves it for the next event that the model reads, beside what waits already; whether that could be done."""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        add_untold(folder, changed)
    except (OSError, Refusal) as fault:  # the pin is kept, and the person is answered, all the same
        log(f"what the person's command has changed is not left for the model: {fault}")
        return False
    finally:
        unlock_session()
    return True


def add_untold(folder: str, changed: Untold) -> None:
    """Adds it to what waits; whoever takes that meanwhile would have it told twice, so the folder is locked."""
    path = os.path.join(folder, UNTOLD_FILE)
    replace_store(path, {**read_store(path), **changed, "time": time.time()})


def take_untold(folder: str, room: int) -> str:
    """What waits and fits into so many UTF-16 units, for the one process that renames it; the rest waits on.

    Pins are not told where they came back with a compaction's text since.
    """
    path = os.path.join(folder, UNTOLD_FILE)
    if not os.path.exists(path):
        return ""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        untold = take_store(path)
        if not untold:
            return ""
        has_come_back = read_compaction(folder).get("settled", 0.0) > (untold.get("time") or 0.0)
        pins = "" if has_come_back else text_of(untold, "pins")
        waiting = [clean(text) for text in (pins, *list_in(untold, "parts")) if isinstance(text, str) and text]
        fitting: list[str] = []
        while waiting and units("\n\n".join([*fitting, waiting[0]])) <= room:
            fitting.append(waiting.pop(0))
        if waiting:
            add_untold(folder, {"parts": waiting})
    except (OSError, Refusal, TypeError) as fault:
        log(f"what the person's commands have changed is not told: {fault}")
        return ""
    finally:
        unlock_session()
    return "\n\n".join(fitting)


# ==================================================================================================
# client/hand_over.py: What waits for the main thread's model is handed over to it: a second part, a note, what the person changed.
# ==================================================================================================

CONTEXT_MAX_UTF16 = 9_900  # of what one event carries: the client cuts at 10,000
CARRIERS = ("PostToolUse", "PostToolUseFailure")  # what hooks print at these events the model reads at once


def hand_over(data: HookInput, folder: str) -> None:
    """Prints what waits in the session's folder, where the main thread's model reads it."""
    event = data["hook_event_name"]
    if event not in CARRIERS or text_of(data, "agent_id"):
        return
    rest = take_rest(folder)
    note = "" if rest else take_note(folder)  # a long rest leaves it no room: it waits for the next event
    untold = take_untold(folder, CONTEXT_MAX_UTF16 - units(f"{rest}\n\n{note}\n\n"))
    if rest or note or untold:
        print_answer(event, {"additionalContext": "\n\n".join(filter(None, [rest, untold, note]))})
        tell_what_went_out(data, rest=rest, note=note, untold=untold)


def tell_what_went_out(data: HookInput, **texts: str) -> None:
    """Adds a line to events.jsonl for each of the texts that is not empty, with the event that carried it."""
    for name, text in texts.items():
        if text:
            note_event(name, data["session_id"], on=data["hook_event_name"], units=units(text))


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
# client/tools.py: The names of the client's tools, by what they do.
# ==================================================================================================

SHELL_TOOLS = ("Bash", "PowerShell")
CHANGING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")  # of files
SUBAGENT_TOOLS = ("Task", "Agent")


# ==================================================================================================
# client/changes.py: Of an edit, the lines that differ; of a new file, how it begins.
# ==================================================================================================

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 2_800, 240
CHECKSUM_PRIME, LINE_COMPARED_CHARACTERS = 4_294_967_291, 400  # zlib would be one more module at each start
SIDE_MIN_CHARACTERS, SIDE_LINES_MAX = 30, 30  # of an edit's sides, to know them again
TEXT_LOOKED_AT_CHARACTERS = 20_000  # of each side of an edit
LINES_OF_A_NEW_FILE, LINES_OF_A_SIDE = 16, 20
OMITTED_ROWS = "…"
CONFLICT, CONFLICT_END = "<<<<<<<", ">>>>>>>"
CONFLICT_MARKS = {CONFLICT: "ours", "|||||||": "base", "=======": "theirs", CONFLICT_END: ""}
COMMENT_MARKS = ("//", "#", "*", "/*", '"""', "<!--")  # how a line begins that only comments; Markdown's headings too
OPENING = (  # how a new file begins, which says nothing of it
    r"(?:import|from|using|package|use|include|#include|require|require_relative|@import|mod|namespace|'use |\"use )\b"
    r"|(?:const|let|var) .{1,200}\brequire\(|from __future__|#!")
DEFINED_ROW = (  # of something that a file is for, in some language; variables only where nothing encloses them
    r"[ \t]{0,4}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|open"
    r"|sealed|partial|declare|unsafe|pub(?:\(\w{1,20}\))?) ){0,5}(?:def|class|func|fn|function\*?|interface|struct"
    r"|enum|trait|impl|type|protocol|module|record|object|extension|describe|resource|message|service"
    r"|CREATE (?:TABLE|VIEW|INDEX|FUNCTION))\b(?!-)(?=.{0,300}[{(:=;])"
    r"|(?:export )?(?:const|let|var) [A-Za-z_$].{0,120}=")
DEFINED_MIN = 2
SETTING = (  # a name with a value: what one looks for later by its name
    r"(?:(?:export|const|let|var|final|static|private|public|pub|readonly|self) |--|[-*] |self\.){0,4}"
    r"[\"'`]?[\w.$-]{2,60}[\"'`]?"
    r"(?:: ?[\w.<>\[\]| ]{1,40})?\s{0,9}(?:[:=]|:=)\s{0,9}"
    r"(?:[rfbLu]?[\"'`]\S|[-+]?\.?\d|#[0-9a-fA-F]{3}|(?:true|false|True|False)\b)")
CONSTANT_ROW = r"[ \t]{0,4}(?:[A-Z][A-Z\d_]{2,40}|--[\w-]{2,40})(?:: ?[\w.\[\]]{1,30})? ?[:=] ?\S"
CONSTANTS_OF_A_NEW_FILE = 6
DEMAND = r"(?i)\b(?:must|only|never|always|required|do not|don't|cannot|may not|at most|at least|not allowed)\b"
IDLE_ROW = (  # says nothing of what a change does
    r"(?:return|break|continue|pass|else|then|fi|done|end|begin|try|do|if err != nil)\b.{0,12}$|.{0,3}$|[\W_]{0,200}$")
BRACKET_CHARACTERS = 4  # a shorter line mostly closes a bracket


def sides_of_edit(arguments: Record) -> list[str]:
    """The fingerprints of what an edit took away and of what it put there; none where they tell nothing later.

    What it took away stood in the file once, or the client had refused it: seen there again, the edit is gone.
    """
    old, new = text_of(arguments, "old_string"), text_of(arguments, "new_string")
    is_usable = (len(old.strip()) >= SIDE_MIN_CHARACTERS and old.count("\n") < SIDE_LINES_MAX > new.count("\n")
                 and redact(f"{old}\n{new}") == f"{old}\n{new}")  # a checksum of a secret lets guesses be tried
    before, after = (fingerprint(side) if is_usable else "" for side in (old, new))
    return [] if not before or before in after or arguments.get("replace_all") else [before, after]


def fingerprint(text: str) -> str:
    """A checksum of each line without its indentation, in a row; of no use to read the text from."""
    return "".join([checksum(line.strip()[:LINE_COMPARED_CHARACTERS]) for line in text.splitlines()])


@lru_cache(maxsize=4_096)  # a file is read again and again
def checksum(line: str) -> str:
    """A line's checksum and a point behind it."""
    return f"{int.from_bytes(line.encode('utf-8', 'surrogatepass'), 'big') % CHECKSUM_PRIME:08x}."


def changed_lines(tool: str, arguments: Record) -> str:
    """The lines of a change: "- " before those that went, "+ " before new ones; each no longer than is read.

    Lines that stand on both sides are left out; a whole new file is told by its number of lines and its first ones.
    """
    if tool in ("Write", "NotebookEdit"):
        return beginning_of(text_of(arguments, "content") or text_of(arguments, "new_source"))
    edits: Any = arguments.get("edits") if tool == "MultiEdit" else [arguments]
    rows: list[str] = []
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, dict):
            rows += difference(text_of(edit, "old_string"), text_of(edit, "new_string"))
    return safe_rows(rows)


def difference(old: str, new: str) -> list[str]:
    """The lines that only one side has: of each the first, comments only where nothing else changed.

    Among the new ones a row OMITTED_ROWS stands where lines of both sides lie between them: without it, two lines that
    were put in at different places read as if one followed the other.
    """
    if CONFLICT in old and CONFLICT not in new:
        return resolution(old, new)
    before, after = ([line.strip() for line in redact_across_lines(text[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()]
                     for text in (old, new))
    known, kept = set(before), set(after)
    gone = telling([line for line in before if line and line not in kept])
    added = telling([OMITTED_ROWS if line in known else line for line in after if line])
    return [*within_side(gone, "- "), *within_side(without_idle_gaps(added), "+ ")]


def resolution(old: str, new: str) -> list[str]:
    """Of an edit that ends a conflict: whose side was kept, and its lines; lines that neither side has are new ones."""
    sides: dict[str, list[str]] = {"": []}
    names, side = dict[str, str](), ""
    for line in redact_across_lines(old[:TEXT_LOOKED_AT_CHARACTERS]).splitlines():
        mark = line[:len(CONFLICT)]
        if mark in CONFLICT_MARKS:
            side = CONFLICT_MARKS[mark]
            if mark in (CONFLICT, CONFLICT_END):
                names["ours" if side else "theirs"] = line[len(mark):].strip() or "a side"
        else:
            sides.setdefault(side, []).append(line.strip())
    after = [line.strip() for line in redact_across_lines(new[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()]
    ours, theirs = ([line for line in sides.get(side, []) if line in after and line not in sides.get(other, [])]
                    for side, other in (("ours", "theirs"), ("theirs", "ours")))
    whose = " and ".join(names.get(side, "") for side, lines in (("ours", ours), ("theirs", theirs)) if lines)
    known = {line for lines in sides.values() for line in lines}
    chosen = {*ours, *theirs, *(line for line in after if line not in known)}
    shown = telling([line if line in chosen else OMITTED_ROWS for line in after if line])
    head = f"conflict ended with lines of {whose}" if whose else "conflict ended"
    return [f"+ {head}", *within_side(without_idle_gaps(shown), "+ ")]


def telling(lines: list[str]) -> list[str]:
    """The lines in their order; without those that only comment or close a bracket where others say more."""
    code = {line for line in lines if not line.startswith(COMMENT_MARKS) and len(line) >= BRACKET_CHARACTERS}
    return [line for line in lines if line in code or line == OMITTED_ROWS] if code else lines


def without_idle_gaps(lines: list[str]) -> list[str]:
    """The lines with a gap between them at most once in a row, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line != OMITTED_ROWS or kept[-1:] not in ([], [OMITTED_ROWS]):
            kept.append(line)
    return kept[:-1] if kept[-1:] == [OMITTED_ROWS] else kept


def within_side(lines: list[str], mark: str) -> list[str]:
    """The lines as rows; of many those that tell most, and a row that says how many are left out."""
    if len(lines) <= LINES_OF_A_SIDE:
        return [mark + line for line in lines]
    best = sorted(range(len(lines)), key=lambda place: (-worth_of_row(lines[place]), place))[:LINES_OF_A_SIDE]
    missing = sum(line != OMITTED_ROWS for line in lines) - sum(lines[place] != OMITTED_ROWS for place in best)
    rows = [mark + lines[place] for place in sorted(best)]
    return [*rows, f"{mark}{OMITTED_ROWS} {missing} more lines"] if missing else rows


@lru_cache(maxsize=1_024)  # a change's rows are weighed for its short form and for its long one
def worth_of_row(row: str) -> int:
    """How much a row of a change tells: 2 defines something, sets a value or demands, 0 is idle, 1 is any other."""
    row = row[:CHANGED_LINE_MAX_UTF16]
    if re.match(DEFINED_ROW, row) or re.match(SETTING, row):
        return 2
    if re.match(IDLE_ROW, row) or re.match(OPENING, row):
        return 0
    return 2 if re.search(DEMAND, row) else 1


def beginning_of(content: str) -> str:
    """The number of lines of a new file, and what it defines; else its first telling lines."""
    rows = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()
    constants = [row for row in rows if re.match(CONSTANT_ROW, row)][:CONSTANTS_OF_A_NEW_FILE]
    defined = [row.strip() for row in rows if row in constants or re.match(DEFINED_ROW, row)]
    lines = defined if len(defined) >= DEFINED_MIN else (
        [row.strip() for row in rows if not re.match(OPENING, row)] or [row.strip() for row in rows])
    telling = [line for line in lines if len(line) > BRACKET_CHARACTERS and any(map(str.isalpha, line))]
    count = content.count("\n") + bool(content and not content.endswith("\n"))
    rows = [f"{count} lines", *(f"+ {line}" for line in telling[:LINES_OF_A_NEW_FILE])]
    rows += [f"+ {OMITTED_ROWS}"] if len(telling) > LINES_OF_A_NEW_FILE else []
    return safe_rows(rows) if content else ""


def safe_rows(rows: list[str]) -> str:
    """The rows, each no longer than is read, secrets out."""
    text = "\n".join(row[:4 * CHANGED_LINE_MAX_UTF16] for row in rows)
    shown = [cut(" ".join(row.split()), CHANGED_LINE_MAX_UTF16) for row in redact(clean(text)).splitlines()]
    return cut("\n".join(shown), CHANGE_MAX_UTF16)


# ==================================================================================================
# text/tags.py: The tag of a step: four letters and digits by which a line of the recap and the archive name the same step.
# ==================================================================================================

TAG_LETTERS, TAG_DIGITS = "bcdfghjkmnpqrstvwxz", "23456789"
SOURCE_MAX_CHARACTERS = 64  # of an id, its end; the client's have 30 and 36
TAG_PATTERN = f"[{TAG_LETTERS}][{TAG_LETTERS}{TAG_DIGITS}]{{3}}"


def tag_of(source: str) -> str:
    """The tag of what the client gave this id; empty where it is none, as of words that waited (`queue`)."""
    if source.isalpha() or not source:
        return ""
    number = int.from_bytes(source[-SOURCE_MAX_CHARACTERS:].encode("utf-8", "replace"), "big")
    letters, tag = TAG_LETTERS + TAG_DIGITS, ""
    number %= len(letters) ** 3 * len(TAG_LETTERS)  # to divide the long one again and again takes ten times as long
    for _ in range(3):
        number, place = divmod(number, len(letters))
        tag += letters[place]
    return TAG_LETTERS[number % len(TAG_LETTERS)] + tag


# ==================================================================================================
# recap/tagged.py: Lines of the recap that show less of a step than there is end with its tag, by which recall prints the step.
# ==================================================================================================

LEFT_OUT = r"\d characters left out\]|\d pasted lines"  # how the words of a line say that some are missing, or by "…"
PARTS_OF_SHORTENED = ("…", " left out]", " pasted lines")  # of which each has one: few lines have
OTHERS_BEGIN = "before the user typed "
OTHERS_WORDS = OTHERS_BEGIN + r".{0,100}?…\W{1,2}: "  # shortened in a line that is not about them
KINDS_OF_STEPS = ("action", "look", "said")


def with_tags(items: Sequence[Item]) -> list[Item]:
    """The items, each with the tag of its step."""
    return [{**item, "tag": tag_of(item["source"])} for item in items]


def tagged(text: str, item: Item) -> str:
    """The text; where it is shortened with the item's tag behind it, behind the first line of several."""
    tag = text_of(item, "tag")
    is_shortened = bool(item.get("more")) or says_shortened(text)
    if not tag or not is_shortened or f" #{tag}" in text:
        return text
    first, line_break, rest = text.partition("\n")
    return f"{first} #{tag}{line_break}{rest}"


def says_shortened(text: str) -> bool:
    """Whether the text says that some of its own words are missing."""
    if not any(map(text.__contains__, PARTS_OF_SHORTENED)):
        return False
    own = re.sub(OTHERS_WORDS, "", text) if OTHERS_BEGIN in text else text
    return "…" in own or bool(re.search(LEFT_OUT, own))


def tagged_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines; those of a single step end with its tag where they are shortened."""
    return [tagged_line(line) if len(line["items"]) == 1 else line for line in lines]


def tagged_line(line: Line) -> Line:
    """The line of a single step, each of its forms with the tag where it is shortened."""
    text: Line = {**line, "text": tagged(line["text"], line["items"][0])}
    return {**text, "whole": tagged(line["whole"], line["items"][0])} if "whole" in line else text


def without_tags(text: str) -> str:
    """The text as it is without tags."""
    return re.sub(rf" #{TAG_PATTERN}\b", "", text) if " #" in text else text


def older_steps(items: Sequence[Item], shown: Iterable[Line]) -> tuple[int, str]:
    """How many steps on record are older than all lines of what was done, and the tag of the newest of these."""
    positions = [item["position"] for line in shown for item in line["items"][:1]]
    older = [item for item in items if item["kind"] in KINDS_OF_STEPS and item["position"] < min(positions, default=0)]
    tags = [tag for item in reversed(older) if (tag := tag_of(item["source"]))]
    return len(older), tags[0] if tags else ""


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

KNOWN_LINE_MIN_CHARACTERS, KNOWN_ROW_MIN_CHARACTERS, AS_IN_SUMMARY = 20, 120, "[… as in the summary]"
ROWS_AGAIN_MIN, ROW_AGAIN_MIN_CHARACTERS, ROWS_LEFT_OUT = 5, 20, "[… rows as before: {}]"
TIME_IN_ROW = r"(?:\d{4}-\d\d-\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
MARKS_ALONE = r"[\^~]{2,}"
SEEN_FROM_ELSEWHERE = r"[/~$]|\.\./|[A-Za-z]:"  # how a path begins that is not one from the session's first folder
HOME, BACKSLASH = r"/(?:Users|home)/[\w.-]+(?=/|\Z)", "\\"
LEFT_OUT_UTF16 = 40  # that the words take which say how much was left out: less is not left out
SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"
MOVED = r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300})(?: && |; | ?\n)\s*"
HEADING_PRINTED = (  # between a line's commands: it took the room of what was run
    r"(?:(?<=&& )|(?<=; )|(?<=;)|(?<=\n)|^)\s*(?:echo|printf)(?: -e)? (?:\"[^\"$`\\]{0,120}\"|'[^']{0,120}')\s*"
    r"(?:&& |;(?!;)\s*|\n+)")


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
    """The person's words on one line, about `limit` units: whole sentences from both ends, and how much went."""
    line = folded_line(text)
    if units(line) <= limit + LEFT_OUT_UTF16:
        return in_quotes(line)
    sentences = re.split(SENTENCE_END, line)
    first, last, room = list[str](), list[str](), limit - LEFT_OUT_UTF16
    while sentences and len(sentences[0]) + 1 <= room * (0.6 if not first else 1):
        room -= len(sentences[0]) + 1
        first.append(sentences.pop(0))
        if sentences and len(sentences[-1]) + 1 <= room:
            room -= len(sentences[-1]) + 1
            last.insert(0, sentences.pop())
    if not first:
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = behind_space(line[-limit // 4:])
        return f"{in_quotes(start)} [{len(line) - len(start) - len(end)} characters left out] {in_quotes(end)}"
    missing = sum(map(len, sentences)) + len(sentences)
    begin, rest = " ".join(first), " ".join(last)
    return f"{in_quotes(begin)} [{missing} characters left out]{' ' + in_quotes(rest) if rest else ''}"


def without_rows_again(text: str) -> str:
    """The text; of a pasted log or traceback each row once, with how many more there were, and no rows of marks.

    The same but for its time is the same. A log of one row again and again had taken a fifth of all that comes back;
    a person's own list has a row again here and there, and stays as it is.
    """
    kept, seen, again, in_all = list[str](), set[str](), 0, 0
    for row in text.splitlines():
        form = re.sub(TIME_IN_ROW, "", row).strip()
        if re.fullmatch(MARKS_ALONE, form):
            continue
        if len(form) >= ROW_AGAIN_MIN_CHARACTERS and form in seen:
            again += 1
            continue
        kept += [ROWS_LEFT_OUT.format(again)] if again else []
        kept.append(row)
        seen.add(form)
        in_all, again = in_all + again, 0
    kept += [ROWS_LEFT_OUT.format(again)] if again else []
    return "\n".join(kept) if in_all + again >= ROWS_AGAIN_MIN else text


def without_known_lines(lines: Sequence[str], summary: str) -> list[str]:
    """The lines; for longer rows of them that the summary holds word for word a mark.

    A short one stands, as does the last line: code with marks in it reads worse than what they spare.
    """
    kept, row = list[str](), list[str]()
    for line in [*lines, ""]:
        if len(line) > KNOWN_LINE_MIN_CHARACTERS and line.strip("-*# ") in summary and line is not lines[-1]:
            row.append(line)
            continue
        kept += [AS_IN_SUMMARY] if len("".join(row)) > KNOWN_ROW_MIN_CHARACTERS else row
        kept.append(line)
        row = []
    return kept[:-1]


class Paths:
    """Paths in short: as seen from the working folder, and by their name alone once the whole was shown."""

    def __init__(self, items: Iterable[Item], root: str, folder: str) -> None:
        """`items` are all that may be shown: a name that several paths have is no path's."""
        self.root, self.folder = root.rstrip("/"), folder.rstrip("/")
        self.left_out = [f"{path}{BACKSLASH if BACKSLASH in path else '/'}"
                         for path in sorted({self.root, self.folder}, key=len, reverse=True) if path]
        home = re.match(HOME, self.folder) or re.match(HOME, self.root)  # another person's stays as it is
        self.home = f"{home[0]}/" if home else ""
        self.inner = self.folder[len(self.root) + 1:] if self.folder.startswith(f"{self.root}/") else ""
        self.outer = f"{self.root}/" if self.inner else ""  # the first folder, where it lies above the present one
        self.above = "../" * (self.inner.count("/") + 1)
        by_name: dict[str, set[str]] = {}
        for item in items:
            path = str(item.get("path") or "")
            by_name.setdefault(path.rpartition("/")[2], set()).add(self.short(path))
        self.taken = {name for name, paths in by_name.items() if len(paths) > 1}
        self.shown: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the folder that the session works in now."""
        for folder in self.left_out:
            text = text.replace(folder, self.above if folder == self.outer else "")
        if not self.home or self.home not in text:
            return text
        return re.sub(rf"(?<![\w.:/]){re.escape(self.home)}", "~/", text)

    def from_root(self, text: str) -> str:
        """A text that names paths as seen from the session's first folder: as seen from the one below that it works in.

        A path that lies elsewhere below the first folder stays, as it may have been typed so.
        """
        if not self.inner or self.inner not in text:
            return text
        text = re.sub(rf"`cd {re.escape(self.inner)}/? ?(?:&&|;|⏎) ", "`", text)
        return re.sub(rf"(?<![\w./~-]){re.escape(self.inner)}/", "", text)

    def named(self, path: str) -> str:
        """The path: whole when it is shown for the first time, then its name where no other has it."""
        short = self.short(path)
        name = short.rpartition("/")[2]
        if short in self.shown and name not in self.taken and len(name) > 3:
            return name
        self.shown.add(short)
        return short


def with_whole_paths(items: Iterable[Item], root: str, folder: str) -> list[Item]:
    """The items; where the session works in another folder than its first, looks with the whole path of their file."""
    root = root.rstrip("/")
    return [*items] if root == folder.rstrip("/") else [with_whole_path(item, root) for item in items]


def with_whole_path(item: Item, root: str) -> Item:
    """The item; a look at a file that is named as seen from the root with the file's whole path."""
    path = item.get("path", "")
    if item["kind"] != "look" or not path or re.match(SEEN_FROM_ELSEWHERE, path):
        return item
    whole = f"{root}/{path}"
    return {**item, "path": whole, "text": whole if item["text"] == path else item["text"]}


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


def without_headings(command: str) -> str:
    """The command without the headings that it prints between its parts."""
    return re.sub(HEADING_PRINTED, "", command) if "echo" in command or "printf" in command else command


def folder_named(folder: str, paths: Paths) -> str:
    """The folder: whole when first it comes, then by its name, which alone would be a folder in the present one."""
    named = paths.named(folder)
    return named if named == paths.short(folder) else f"…/{named}"


def command_in_short(command: str, paths: Paths) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes.

    Nor with the headings that it prints between its parts: their output shows them.
    """
    command = without_headings(command)
    moved = re.match(MOVED, command) if command.startswith("cd ") else None
    if moved:
        folder = moved["folder"].strip("\"'").rstrip("/")
        rest = command[moved.end():]
        command = rest if folder in (paths.root, paths.folder) else f"cd {folder_named(folder, paths)} && {rest}"
    return paths.short(" ⏎ ".join(command.splitlines()))


# ==================================================================================================
# record/telling_rows.py: Of an output the rows that tell how it ended: its last ones, what it says of success or failure, addresses, sums.
# ==================================================================================================

ROWS_BETWEEN, ROW_END = "…", " ⏎ "  # behind a row; a table has bars in its rows
ROWS_LOOKED_AT_MAX = 400  # of an output both ends
ROW_SHARE = 0.6  # of the room: more of it no single row takes where there are others
ROW_LOOKED_AT_CHARACTERS = 600
ANNOUNCED_MAX = 3  # rows behind an error that ends in a colon: the first, and indented ones
MISFITS_MAX = 20  # rows that have no room, in the order of their worth: behind them only worse ones fit
SAME_FORM_MAX = 2  # rows that differ in nothing but numbers, beside the newest
# What ended, failed or was made: addresses, sums and commits too.
TELLING_ROW = (
    r"(?i)\b(?:error|errors|err|fail(?:ed|ure|ures|s)?|fatal|panic|denied|refused|rejected|exception|conflict|timed out"
    r"|not found|no such|cannot|could not|unable|done|success(?:ful|fully)?|succeeded|passed|complete[d]?|finished"
    r"|created|uploaded|installed|deployed|published|started|stopped|merged|saved|total)\b|\b(?:active|status):"
    r"|https?://\S{4}|\b[0-9a-f]{32,128}\b|^==> |[✅❌✓✔✗✘]|^\s*warning:|\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b")
ERROR_ROW = (
    r"(?i)\b(?:error|fatal|panic|denied|refused|rejected|conflict|cannot|could not|unable|fail(?:ed|ure)?"
    r"|exception)\b|^\s*warning:")
HEAD_ROW = r"\s*(?:[=#*~]{2,} ?[^\s=#*~].{0,100}|-{3,} ?[^\s-].{0,100}|# \S.{0,100}|\[[^\]\n]{1,60}\])\s*$"  # of a part
DULL_ROW = (  # printed on the way
    r"\s*(?:(?:adding|inflating|extracting|creating|linking|updating): |a - |x \S|[●○×] \S{1,80}\.\w{4,7} - "
    r"|Loaded: loaded |(?:Process|Main PID|Tasks|Memory|CPU|CGroup|Duration|Docs|Drop-In|TriggeredBy|Invocation): "
    r"|[├└│]|[\])}>,;{(\[ ]{1,4}$|(?:index [0-9a-f]{7,40}\.\.|--- |\+\+\+ )|% Total|Dload +Upload"
    r"|(?:Get:\d|Hit:\d|Ign:\d|Total \d+ \(delta)\b"
    r"|remote: (?:Counting|Compressing|Enumerating|Resolving|Total)|remote:\s*$|npm (?:notice|warn(?:ing)?) "
    r"|\d{1,3}(?:\.\d)?% |[-=*_#~+ ]{4,}$|\d+ packages? are looking for funding|run `npm fund`)")
DULL_WORDS = (  # the same, as the row's first words: most rows begin with none, and no pattern is compiled for them
    "Compiling", "Downloading", "Downloaded", "Fetching", "Fetched", "Resolving", "Resolved", "Unpacking", "Preparing",
    "Selecting", "Reading", "Building", "Extracting", "Collecting", "Requirement already", "Using cached",
    "Processing triggers", "Setting up", "Receiving objects", "Writing objects", "Counting objects",
    "Compressing objects", "Enumerating objects", "Delta compression", "Pulling", "Pulled", "Copying",
    "Warning: Permanently added")


def telling_rows(rows: Sequence[str], limit: int, is_listing: bool = False) -> str:
    """The rows on one line, at most `limit` UTF-16 units: of more the last ones and those that tell how it ended.

    Of a listing the first rows come before those in its middle, of other outputs the later ones. Longer where no row
    fits: what is not redacted yet is cut at no other place than a blank.
    """
    rows = [row for row in rows if row.strip()]
    whole = ROW_END.join(" ".join(row.split()) for row in rows)
    if units(whole) <= limit:
        return whole
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 4], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX * 3 // 4:]]
    most = int(limit * ROW_SHARE)
    groups = [shortened_row(row, most) for row in with_what_follows(rows)]
    heads = places_of_heads(groups)
    chosen, misfits = set[int](), 0
    for place in by_worth(groups, is_listing):
        with_head = {*chosen, place, heads[place]} - {-1}
        if units(in_a_row(groups, with_head)) <= limit:
            chosen = with_head
        else:
            misfits += 1
            if misfits > MISFITS_MAX:
                break
    return in_a_row(groups, chosen) or whole


def shortened_row(row: str, most: int) -> str:
    """The row; of a longer one the whole words that fit, of a single long word all."""
    words = whole_words(row, most)
    return row if words in ("", row) else f"{words} {ROWS_BETWEEN}"


def with_what_follows(rows: Sequence[str]) -> list[str]:
    """The rows, of which one that says an error and ends in a colon has the rows that it announces behind it."""
    groups, announced = list[str](), 0
    for row in rows:
        if announced and groups and (announced == ANNOUNCED_MAX or row[:1].isspace()):
            groups[-1] += f" {' '.join(row.split())}"
            announced -= 1
            continue
        groups.append(" ".join(row.split()))
        is_announcing = row.rstrip().endswith(":") and re.search(ERROR_ROW, row[:ROW_LOOKED_AT_CHARACTERS])
        announced = ANNOUNCED_MAX if is_announcing else 0
    return groups


def by_worth(rows: Sequence[str], is_listing: bool) -> list[int]:
    """The places of the rows, those first that say most; no row twice, of rows of one form the newest ones."""
    ranks, dull = list[tuple[int, int, int]](), list[int]()
    forms, seen = dict[str, int](), {ROWS_BETWEEN}
    is_last = True
    for place in range(len(rows) - 1, -1, -1):
        row = rows[place][:ROW_LOOKED_AT_CHARACTERS]
        form = re.sub(r"\d+", "0", row)
        forms[form] = forms.get(form, 0) + 1
        if row in seen:
            continue
        seen.add(row)
        if is_dull(row) and not re.search(ERROR_ROW, row):
            dull.append(place)
        elif forms[form] > SAME_FORM_MAX and not is_listing:
            ranks.append((4, -place, place))
        elif is_last:
            is_last = False
            ranks.append((0, -place, place))
        elif is_listing:
            ranks.append((2, place, place))
        elif re.search(ERROR_ROW, row):
            ranks.append((1, place, place))
        else:
            ranks.append((2 if not place or re.search(TELLING_ROW, row) else 3, -place, place))
    return [place for _, _, place in sorted(ranks)] or dull


def is_dull(row: str) -> bool:
    """Whether the row was printed on the way, by its begin."""
    begin = row.lstrip()
    if begin.startswith(DULL_WORDS) and re.match(rf"(?:{'|'.join(DULL_WORDS)})\b", begin):
        return True
    return bool(re.match(DULL_ROW, row))


def places_of_heads(rows: Sequence[str]) -> list[int]:
    """Of each row the place of the heading that it stands under, -1 without one: under another it would be false.

    In an output of several parts ("=== 788406 ===") the figures of one had stood below the name of another.
    """
    heads, head = list[int](), -1
    for place, row in enumerate(rows):
        head = place if re.match(HEAD_ROW, row) else head
        heads.append(head)
    return heads


def in_a_row(rows: Sequence[str], places: Collection[int]) -> str:
    """The rows at these places in their order on one line, with a mark where others lie between."""
    parts, before = list[str](), -1
    for place in sorted(places):
        parts += [ROWS_BETWEEN] * (place > before + 1) + [rows[place]]
        before = place
    return ROW_END.join([*parts, *([ROWS_BETWEEN] if parts and before < len(rows) - 1 else [])])


def rows_in_short(text: str, limit: int, is_listing: bool = False) -> str:
    """The telling ones of rows that stand on one line, within `limit` UTF-16 units."""
    return cut(telling_rows(text.split(ROW_END), limit, is_listing), limit)


def ends_under_heads(rows: Sequence[str], limit: int) -> str:
    """The first and the last rows on one line within `limit` UTF-16 units, two thirds of it for the first ones.

    What stands behind the gap has the heading that it stands under before it. Empty where the first row does not fit.
    """
    rows = [" ".join(row.split()) for row in rows if row.strip()]
    rows = [*rows[:ROWS_LOOKED_AT_MAX // 2], *rows[max(len(rows) - ROWS_LOOKED_AT_MAX // 2, ROWS_LOOKED_AT_MAX // 2):]]
    if units(ROW_END.join(rows)) <= limit:
        return ROW_END.join(rows)
    first, last, heads = 0, len(rows), places_of_heads(rows)
    while first < last and units(in_a_row(rows, range(first + 1))) <= limit * 2 // 3:
        first += 1
    if not first:
        return ""
    places = {*range(first)}
    while last > first:
        more = {*range(first), *range(last - 1, len(rows)), heads[last - 1]} - {-1}
        if units(in_a_row(rows, more)) <= limit:
            last, places = last - 1, more
        elif last == len(rows) and first > 1:  # the end says more than the last of the first rows
            first -= 1
        else:
            break
    return in_a_row(rows, places)


# ==================================================================================================
# recap/edits.py: What was changed in a file, in short: of altered lines where they differ, of new ones the lines themselves.
# ==================================================================================================

CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16 = 120, 300  # of an edit, of all edits of a file
CHANGE_WHOLE_UTF16, CHANGES_WHOLE_UTF16 = 800, 1_800  # the same where room is left
BEFORE_THAT, NEXT_LINE = "; before that: ", " ⏎ "
AS_SUMMARISED = "as in the summary"
IMPORT = (r"|…|(?:\w+ )?[\"'][^\"']+[\"'],?|import\b.*|from \S+ import\b.*|(?:const|let|var) .*\brequire\(.*"
          r"|use [\w:]+.*;|#include .*")
GONE_SHOWN_UTF16, CONTEXT_CHARACTERS, GONE_EDITS_MAX = 60, 30, 4


def edits_line(edits: Sequence[Item], paths: Paths, known_rows: Set[str]) -> Line:
    """All changes of a file, the newest first; `known_rows` are not shown again."""
    newest = edits[0]
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.named(newest["path"])
    if newest["verdict"] == "failed":
        return {"items": [newest], "text": f"- {verb} {name} FAILED: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"}
    of_each = changes_of(edits, known_rows)
    changes, by_change = telling_changes(of_each), dict(zip(reversed(of_each), [*edits[:len(of_each)]][::-1]))
    short, whole = (changes_in_short(changes, by_change, limit, room) for limit, room in (
        (CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16), (CHANGE_WHOLE_UTF16, CHANGES_WHOLE_UTF16)))
    text, longer = (f"- {verb} {name}{number_of_edits(edits, len(shown), bool(changes[0]))}{behind_colon(shown)}"
                    for shown in (short, whole))
    return {"items": [*edits], "text": text, "whole": longer}


def gone_edits(actions: Sequence[Item], paths: Paths, ago: Callable[[str], str]) -> list[str]:
    """Own edits that a later read showed to be gone, where the file was not changed after that: a line a file."""
    lines = dict[str, str]()
    for item in reversed(actions):
        if item.get("seen_old") and not any(other["position"] > item["seen_at"] and other["path"] == item["path"]
                                            for other in actions if other.get("edits")):
            row = as_code(cut(item["seen_old"], CHANGE_SHOWN_UTF16))
            lines.setdefault(item["path"], f"- edited, but seen later ({ago(item['seen_time'])}) with the old text: "
                                           f"{paths.short(item['path'])}: {row}")
    return [*lines.values()][:GONE_EDITS_MAX]


def new_files_line(written: Sequence[Item], paths: Paths) -> Line:
    """New files of one folder on one line, by their names."""
    folder = paths.short(written[0]["path"]).rpartition("/")[0] or "."
    names = ", ".join(item["path"].rpartition("/")[2] for item in written)
    text = f"- Wrote {len(written)} more files in {folder}: "
    return {"items": [*written], "text": text + cut(names, CHANGES_SHOWN_UTF16),
            "whole": text + cut(names, CHANGE_WHOLE_UTF16)}


def behind_colon(changes: Sequence[str]) -> str:
    """The changes in a row behind a colon; empty for none."""
    return f": {BEFORE_THAT.join(changes)}" if changes else ""


def number_of_edits(edits: Sequence[Item], shown: int, is_newest_shown: bool) -> str:
    """How many edits there were, how many of them are shown where not all are, and that the newest has no result."""
    not_newest = "" if is_newest_shown else ", not the newest"
    count = sum(item["uses"] for item in edits)
    is_running = edits[0]["verdict"] == "running"
    oldest = f", the first #{edits[-1]['tag']}" if edits[-1].get("tag") and shown < len(edits) else ""
    written = sum(item["uses"] for item in edits if item["tool"] == "Write")
    facts = [numbers_of_edits(count - written, written) if count > 1 else "",
             f"{shown} shown{not_newest}{oldest}" if 0 < shown < len(edits) else oldest.lstrip(", "),
             f"{'the newest has ' if count > 1 else ''}no result yet" if is_running else ""]
    return f" ({', '.join(filter(None, facts))})" if any(facts) else ""


def numbers_of_edits(edited: int, written: int) -> str:
    """How many edits, and how often the file was written whole: that it was made here a count of edits hid."""
    parts = [f"{edited} edit{'s' * (edited > 1)}" if edited else "",
             f"written whole{f' {written} times' * (written > 1)}" if written else ""]
    return ", ".join(filter(None, parts))


def telling_changes(changes: Sequence[str]) -> list[str]:
    """The newest change, and of the older ones those that do more than import: they would pass for what was done."""
    older = [change for change in changes[1:]
             if not all(re.fullmatch(IMPORT, row.strip()) for row in change.split(NEXT_LINE))]
    return [changes[0], *older] if changes[0] or older else [*changes]


def changes_of(edits: Sequence[Item], known_rows: Set[str]) -> list[str]:
    """What each edit did since the file was written whole; of older ones not what a later one took away again."""
    changes, gone = list[str](), set[str]()
    since = next((place + 1 for place, item in enumerate(edits) if item["tool"] == "Write"), len(edits))
    for item in edits[:since]:
        change = item.get("change", "")
        text = change_in_words(change, known_rows, gone)
        changes.append(text or (AS_SUMMARISED if change and not changes else ""))
        gone.update(row[2:].strip() for row in change.splitlines() if row.startswith("- "))
    return changes


def changes_in_short(changes: Sequence[str], by_change: Mapping[str, Item], limit: int, room: int) -> list[str]:
    """The changes, each once and within `limit` UTF-16 units, as many as have room; by which edit tells its tag."""
    shown = list[str]()
    for change in changes:
        text = tagged(rows_within(change, limit), by_change[change])
        room -= len(text) + len(BEFORE_THAT)
        if text and text not in shown and room > 0:
            shown.append(text)
    return shown


def rows_within(change: str, limit: int) -> str:
    """The change within `limit` UTF-16 units: of a longer one the rows that tell most, in their order."""
    rows = change.split(NEXT_LINE)
    if units(change) <= limit or len(rows) == 1:
        return cut(change, limit)
    chosen = list[int]()
    for place in sorted(range(len(rows)), key=lambda place: (-worth_of_row(rows[place].lstrip()), place)):
        shown = in_a_row(rows, [*chosen, place])
        if units(shown) <= limit and rows[place] != OMITTED_ROWS:
            chosen.append(place)
    return in_a_row(rows, chosen) or cut(change, limit)


def change_in_words(change: str, known_rows: Set[str], gone_later: Set[str]) -> str:
    """What an edit did: where lines were altered, the part that differs; else the new lines; else those that went.

    In the place of new lines that a later edit took away stands a mark.
    """
    rows = change.splitlines()
    gone = [row[2:].strip() for row in rows if row.startswith("- ")]
    added = [row[2:].strip() if row.startswith("+ ") else row.strip() for row in rows if not row.startswith("- ")]
    new = [row for row in added if re.search(r"\w", row)]
    if new and all(row in known_rows or row in gone_later for row in new):
        return ""  # shown whole or not at all: what is left of it would read as if it were the deed
    lines = [row for row in added if row != OMITTED_ROWS]
    if gone and not added:
        return "gone: " + NEXT_LINE.join(gone)
    if len(gone) == len(lines) == len(new):
        pairs = [(old, row) for old, row in zip(gone, new) if old.split() != row.split()]
        return NEXT_LINE.join(dict.fromkeys(altered_part(old, row) or row for old, row in pairs))
    shown = [OMITTED_ROWS if row in gone_later else row for row in added if row in new or row == OMITTED_ROWS]
    return NEXT_LINE.join(row for row, before in zip(shown, ["", *shown]) if {row, before} != {OMITTED_ROWS})


def altered_part(old: str, new: str) -> str:
    """Where a line differs from what it was, as `before[old → new]after`; empty where most of it is new."""
    start = shared_beginning(old, new)
    end = shared_beginning(old[start:][::-1], new[start:][::-1])
    if 2 * (start + end) < max(len(old), len(new)):
        return ""
    while start and old[start - 1].isalnum():  # whole words
        start -= 1
    while end and old[-end].isalnum():
        end -= 1
    before, after = new[:start], new[len(new) - end:]
    before = before if len(before) <= CONTEXT_CHARACTERS else f"…{before[-CONTEXT_CHARACTERS:]}"
    after = after if len(after) <= CONTEXT_CHARACTERS else f"{after[:CONTEXT_CHARACTERS]}…"
    return f"{before}[{cut(old[start:len(old) - end], GONE_SHOWN_UTF16)} → {new[start:len(new) - end]}]{after}"


def shared_beginning(text: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, (left, right) in enumerate(zip(text, other)) if left != right), min(len(text), len(other)))


# ==================================================================================================
# recap/thread.py: The person's words as lines of the recap: pins, standing rules, the thread.
# ==================================================================================================

RECENT_MESSAGES, OLD_WORDS_MAX_UTF16, OPTION_SHOWN_UTF16 = 6, 200, 90  # the first: of those that are understood alone
LINE_ANSWERED_UTF16 = 120  # of a question that a message answers by its number
QUOTED_WORDS_MAX_UTF16, ANSWERED_SHOWN_UTF16, ANSWERED_BY_NEWEST_UTF16 = 450, 220, 400
ORDER_MIN_CHARACTERS = 250
RECENT_ANSWERS, QUESTION_SHOWN_UTF16, OLD_QUESTION_SHOWN_UTF16 = 4, 220, 130  # of dialogs
FEW_WORDS = 3
POINTS_BACK = (r"(?i)\b(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|it|its|this|that|these|those|them|they|there"
               r"|one|ones|both|all|none|same|first|second|last|other|option|former|latter|\d{1,2}|[b-h])\b")
ENGLISH = r"(?i)\b(?:the|we|you|need|please|is|are|my|and|to)\b"  # of others it is not known which words point back
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
VIA = {"rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
       "compact": "behind /compact"}
REFUSED_QUESTION = "the question: "  # of a refusal: the dialog was closed
Ago = Callable[[str], str]


def pin_lines(items: Sequence[Item]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first."""
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            yield {"items": [item], "text": f"- {in_quotes(folded_line(item['text']))} ({how} {ago(item['first'])})"}


def message_lines(items: Sequence[Item], ago: Ago, newest_max: int, with_answered: bool) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers.

    What the newest one answers is left out where the agent's last words, which stand behind it, are that.
    The newest message is shortened to `newest_max` UTF-16 units, the newest long one to two thirds of it: it mostly is
    the order that the short ones behind it are about. A message that is a rule and nothing else, not a choice either,
    stands among the rules.
    """
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    newest, has_order, count, answered = True, False, 0, 0
    is_settled = False  # whether something was typed or chosen later
    for item in reversed(items):
        if item["kind"] == "message" and item.get("via") not in ("plan", "teammate"):
            is_order = not has_order and len(item["text"]) >= ORDER_MIN_CHARACTERS
            is_more = newest or item.get("refused") or item.get("picks")
            if is_more or folded_line(item["text"]) not in rules:
                is_old = count >= RECENT_MESSAGES
                order_max = max(newest_max * 2 // 3, OLD_WORDS_MAX_UTF16)
                words_max = newest_max if newest else order_max if is_order else (
                    OLD_WORDS_MAX_UTF16 if is_old else QUOTED_WORDS_MAX_UTF16)
                shown: Item = {**item, "answers": ""} if is_old or (newest and not with_answered) else item
                yield {**message_line(shown, ago, words_max, newest), "items": [item]}
                count += len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS
            newest, has_order, is_settled = False, has_order or is_order, True
        elif item["kind"] == "answer":
            answered += 1
            yield answer_line(item, ago, answered > RECENT_ANSWERS)
            is_settled = True
        elif item["kind"] == "refusal" and not (is_settled and item["text"].startswith(REFUSED_QUESTION)):
            yield {"items": [item], "text": f"- ({ago(item['last'])}) Rejected without words: {cut(item['text'], 200)}"}


def answer_line(item: Item, ago: Ago, is_old: bool = False) -> Line:
    """What was chosen in a dialog, with the options passed over; what the chosen one means where room is left.

    An option is its label and what it means; the answer names several options, or has notes behind them. An old one
    stays short: a row of dialogs had filled the section, most of them overtaken by the last.
    """
    asked_max = OLD_QUESTION_SHOWN_UTF16 if is_old else QUESTION_SHOWN_UTF16
    question, chosen = in_quotes(cut(item["question"], asked_max)), folded_line(item["text"])
    others = [option for option in item.get("options", [])
              if option.partition(": ")[0] not in chosen and not option.startswith(chosen)]
    head, tail = f"- ({ago(item['last'])}) In a dialog: {question} → chose ", passed_over(others)
    means = (option for option in item.get("options", []) if option.startswith(f"{chosen}: "))
    whole = chosen if is_old else next(means, chosen)
    return {"items": [item], "text": f"{head}{in_quotes(chosen)}{tail}", "whole": f"{head}{in_quotes(whole)}{tail}"}


def passed_over(options: Sequence[str]) -> str:
    """The options that were not taken, each its label or beginning; empty when there are none."""
    labels = [in_quotes(cut(option.partition(": ")[0], OPTION_SHOWN_UTF16)) for option in options]
    return f"; not {', '.join(labels)}" if labels else ""


def message_line(item: Item, ago: Ago, words_max: int, is_newest: bool, known: str = "") -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words, and whole.

    `known` says where its words stand besides: it is not made longer then.
    """
    when = ago(item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" Rejected: {item['refused']}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    head, tail = f"- ({when}{how}{count}) ", f"{known}{refused}{what_it_answers(item, is_newest)}"
    words = item["text"] if is_newest else text_of(item, "own") or item["text"]
    shown = shortened_words(without_rows_again(words), words_max)
    whole = shown if known else in_quotes(folded_line(without_rows_again(item["text"])))
    return {"items": [item], "text": f"{head}{shown}{tail}", "whole": f"{head}{whole}{tail}"}


def is_understood_with_more(words: str) -> bool:
    """Whether short words may hang on what they answer: a few of them, ones that point back, or in other languages."""
    is_short = len(words) <= UNDERSTOOD_ALONE_CHARACTERS
    is_full = len(words.split()) > FEW_WORDS and re.search(ENGLISH, words) and not re.search(POINTS_BACK, words)
    return is_short and not is_full


def what_it_answers(item: Item, is_newest: bool) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Behind the newest one more of these words, also where it is longer: the next step hangs on it.
    """
    if item.get("picks"):
        others = passed_over([option for option in item.get("options", []) if option != item["picks"]])
        return f" (picks the agent's line {in_quotes(cut(item['picks'], ANSWERED_SHOWN_UTF16))}{others})"
    if item.get("options"):
        return f" (to the agent's {', '.join(in_quotes(cut(line, LINE_ANSWERED_UTF16)) for line in item['options'])})"
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    if not answers or is_aside or not (is_newest or is_understood_with_more(item["text"])):
        return ""
    limit = ANSWERED_BY_NEWEST_UTF16 if is_newest else ANSWERED_SHOWN_UTF16
    end = folded_line(answers)
    if units(end) > limit:
        end = "…" + behind_space(end[-limit:])
    return f" (after the agent's {in_quotes(end)})"


# ==================================================================================================
# record/commands.py: What a command line runs: which checks, how broadly, whether its exit code is theirs, and whether it only looks.
# ==================================================================================================

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX, WORDS_MAX = 200, 400  # of a line the first commands, of a command the first words
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}([\"']?)(\w{1,40})\1"
SHELL_SIGNS = (
    r"\\.|\"(?:\\.|[^\"\\])*\"|'[^']*'|\$\([^()\n]{0,300}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
INNER_SHELL = r"(?:/bin/)?(?:ba|z|da)?sh -[lix]{0,3}c (?P<quote>[\"'])(?P<inner>.*)(?P=quote)$"
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})(?=\s)"
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(("time", "command", "exec", "env", "nice", "nohup", "uvx", "cross-env", "rtk"), ""),
    **dict.fromkeys(("sudo", "caffeinate"), r"(?: -\w+)?"),
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": r" (?:exec|run)(?: -\S+)* [\w.-]+",
    "docker": r" compose (?:exec|run)(?: -\S+)* [\w.-]+| exec(?: -\S+)* [\w.-]+",
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}
CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber karma jasmine prove busted newman testcafe",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit lint-staged knip cspell markdownlint xo tslint revive",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup ninja msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test stack:test cabal:test sbt:test lein:test "
            "gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build cmake:--build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "sbt:compile gleam:build forge:build wails:build meson:compile",
}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
TASK_WORDS = {
    "test": "test tests spec specs e2e integration unit check checks ci verify coverage unittest qa preflight vitest "
            "jest pytest playwright cypress",
    "types": "types typecheck type tsc mypy pyright",
    "lint": "lint lints vet analyze analyse eslint clippy ruff",
    "format": "format fmt prettier spotless",
    "build": "build compile assemble package bundle",
}
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
AMBIGUOUS_TASKS = ("check", "checks", "ci", "verify", "preflight", "qa")  # whatever passes there, passes
NOT_TASKS = frozenset((
    "install i add remove rm uninstall publish update upgrade outdated audit view info init create link dlx start "
    "dev serve clean why list ls config trust use watch settings").split())
OPTIONS_WITH_VALUE = frozenset((
    "-C -f -j -o -c -n -w --filter --prefix --cwd --dir --config --workspace --reporter --rootdir --output -timeout "
    "--timeout -count --count -coverprofile --cov -parallel --maxfail --tb -p:v --format --env --ignore --durations "
    "-l --log-level -s --test-dir --build -G -B -S --target --jobs --workers --retries -v:m --outfile --outDir "
    "--logger -bench -benchtime --ext --max-warnings --output-format --config-file --python-version --line-length "
    "--parser --severity --cache-dir --ignore-path --pythonpath --python-executable --stdin-filename -project "
    "-workspace -scheme -testPlan -destination -configuration -sdk -derivedDataPath -resultBundlePath "
    "-archivePath").split())
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "-skip-testing").split())
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NO_VALUE_FOR = {  # options that mean something else there
    "go": "-p -m -k -t -g -E -L -R -e",
    "make": "-k -t -p -e -R -L -m",
    "mypy": "-p",
    "tsc": "-t -m",
    "eslint": "-p",
    "node": "--test",
    "cc": "-g -E -L -m",
    "gcc": "-g -E -L -m",
    "g++": "-g -E -L -m",
    "clang": "-g -E -L -m",
    "pytest": "-p -t -g -R -L -E -e",
    "docker": "-t -m --tag",
    "dotnet": "-m -p -t",
    "esbuild": "-g",
    "gradle": "-p -m -t",
    "mvn": "-e -f -t",
    "cargo": "-k -m -t",
    "swift": "-k",
    "shellcheck": "-e",
    "black": "-t",
    "xcodebuild": "-t",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
WORDS_ARE_PLACES_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest")
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_OF_PLACES = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_PLACES = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc"))
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
CURL_SENDS = r"-\w*[XdFTOo]|--(?:request|data|form|upload-file|output|remote-name|json)"  # more than a look
FIND_CHANGES = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
FIND_STARTS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
LOOKING_SUBCOMMANDS = {
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search api-get",
    "npm": "ls list view outdated why",
    "docker": "ps logs images inspect",
    "kubectl": "get describe logs",
    "go": "list version env doc",
    "cargo": "tree metadata",
    "pip": "list show freeze",
    "brew": "list info",
    "terraform": "show output state",
}
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", "terraform": "deploy", "tofu": "deploy", "kubectl": "deploy",
    "helm": "deploy", "pulumi": "deploy", "vercel": "deploy", "fly": "deploy", "netlify": "deploy",
    "ansible-playbook": "deploy",
    "alembic": "migration", "prisma": "migration", "flyway": "migration", "knex": "migration", "goose": "migration",
    "pip": "install", "pip3": "install", "apt-get": "install", "apt": "install", "brew": "install", "gem": "install"}


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    text = without_here_documents(command[:COMMAND_MAX_CHARACTERS]).replace("\\\n", " ")
    pieces, begin = list[tuple[str, str]](), 0
    for match in re.finditer(SHELL_SIGNS, text) if any(map(text.__contains__, "&|;\n")) else ():
        if match["sign"]:
            pieces.append((text[begin:match.start()].strip("() \t\n}"), match["sign"]))
            begin = match.end()
    pieces.append((text[begin:].strip("() \t\n}"), ""))
    pieces = [(piece, sign) for piece, sign in pieces if piece and not piece.startswith("#")]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):
        pieces[-1] = (pieces[-1][0], "")
    if len(pieces) == 1 and "c " in pieces[0][0] and (inner := re.match(INNER_SHELL, pieces[0][0], re.DOTALL)):
        return pieces_of(inner["inner"])
    return pieces


def without_here_documents(command: str) -> str:
    """The command without the texts that it feeds to programs."""
    place = command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if place < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, place)
        end = command.find(f"\n{begin[2]}", begin.end()) if begin else -1
        if begin and end >= 0:
            line_end = command.find("\n", begin.end())
            command = command[:place] + command[begin.end():line_end] + command[end + 1 + len(begin[2]):]
        place = command.find("<<", place + 1)
    return command


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
        elif match := before_program(piece):
            piece = piece[match.end():]
        else:
            return piece


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    if "=" in word and (match := re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece)):
        return match
    word = word.rstrip("0123456789.") if word.startswith("python") else word
    return re.match(rf"{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece) if word in BEFORE_PROGRAM else None


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def family_of(words: Sequence[str]) -> tuple[str, str, str]:
    """Family, name and runner of the check that these words run; empty strings when they run none."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    if {"--version", "--help", "-V", "-version"} & {*rest} or not program:
        return "", "", ""
    known = known_programs()
    if program in known and not (program in ("pre-commit", "lint-staged") and "install" in rest):
        return known[program], program, runner_name(program)
    if program == "xcodebuild":
        return family_of_xcodebuild(rest)
    for word in rest[:8]:
        family = known.get(f"{program}:{word}", "")
        if family and not (word in ("test", "build") and program == "npm"):
            name = word if word[:1].isalpha() else ""
            return family, f"{program} {name}".strip(), runner_name(f"{program} {name}".strip())
        if not word.startswith(("-", "+", "@")) and program not in ("docker", "node", "php"):
            break
    if program in TASK_RUNNERS:
        return task_family(program, rest)
    return script_family(program, words, rest)


def family_of_xcodebuild(words: Sequence[str]) -> tuple[str, str, str]:
    """Of Xcode's builder by its actions, which may stand anywhere; it builds where a scheme is named and no action."""
    if any(re.match(ASKING_XCODEBUILD, word) for word in words):
        return "", "", ""
    if {"test", "test-without-building"} & {*words}:
        return "test", "xcodebuild test", "xcodebuild test"
    is_build = bool({"build", "archive", "build-for-testing"} & {*words}) or (
        "-scheme" in words and "clean" not in words)
    name = "xcodebuild archive" if "archive" in words else "xcodebuild build"
    return ("build", name, name) if is_build else ("", "", "")


def known_programs() -> dict[str, str]:
    """Families by program and by program:subcommand; made when first asked for."""
    if not FAMILY_OF:
        for table in (CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS):
            FAMILY_OF.update({word: family for family, words in table.items() for word in words.split()})
        TASK_FAMILY.update({word: family for family, words in TASK_WORDS.items() for word in words.split()})
    return FAMILY_OF


FAMILY_OF: dict[str, str] = {}
TASK_FAMILY: dict[str, str] = {}


def runner_name(name: str) -> str:
    """Whose output the program prints."""
    return {"py.test": "pytest", "tox": "", "nox": "", "pre-commit": "", "lint-staged": "", "cargo t": "cargo test",
            "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}.get(name, name)


def task_family(program: str, words: Sequence[str]) -> tuple[str, str, str]:
    """Family and name of what a task runner was told to run."""
    tasks = tasks_in(program, words)
    if not tasks:
        return ("build", program, "") if program in ("make", "gmake", "ninja") else ("", "", "")
    if tasks[0] in NOT_TASKS or (program in ("npm", "pnpm", "yarn") and tasks[0] == "ci"):
        return "", "", ""
    for task in tasks[:6]:
        for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", task.replace("type-check", "typecheck")):
            if family := TASK_FAMILY.get(part.lower(), ""):
                return family, f"{SAME_RUNNERS.get(program, program)} {task}", ""
    return ("build", f"{program} all", "") if program in ("make", "gmake") and tasks[0] == "all" else ("", "", "")


def tasks_in(program: str, words: Sequence[str]) -> list[str]:
    """The words that name tasks: no options, none of their values, nothing behind `--`."""
    tasks, skips = list[str](), False
    for word in words:
        if word == "--":
            break
        if word.startswith("-") or "=" in word:
            skips = word in OPTIONS_WITH_VALUE or (word == "-F" and program == "pnpm")
        elif skips:
            skips = False
        elif re.match(r"[\w.:/@-]{1,80}$", word):
            tasks.append(word)
    return [task for task in tasks if task not in ("run", "run-script", "workspace")] or tasks[:1]


def script_family(program: str, words: Sequence[str], rest: Sequence[str]) -> tuple[str, str, str]:
    """Family and name of a script of the project's own that its name calls a check."""
    is_interpreter = re.match(r"(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node)$", program)
    script = next((word for word in rest if not word.startswith("-")), "") if is_interpreter else words[0]
    if not script or (not is_interpreter and "/" not in script) or any(word in ("-c", "-e", "-") for word in rest[:1]):
        return "", "", ""
    if program_of([script]) in ("manage.py", "artisan", "rails") and "test" in rest:
        return "test", f"{program_of([script])} test", ""
    parts = re.split(r"[._-]", program_of([script]).lower())
    is_shell = not is_interpreter or program in ("bash", "sh", "zsh")
    for part in parts:
        family = TASK_FAMILY.get(part, "")
        if family == "test" or (family and is_shell):
            return family, script, ""
    return "", "", ""


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order."""
    pieces = pieces_of(command)
    is_piped_through = "pipefail" in command
    in_loop = any(piece.split(" ", 1)[0] in ("for", "while", "until", "if") for piece, _ in pieces)
    checks: list[Check] = []
    folder = ""
    for place, (piece, sign) in enumerate(pieces):
        words = shell_words(piece)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        family, name, runner = family_of(words)
        if not family:
            continue
        filters, behind = list[str](), sign
        for later, later_sign in pieces[place + 1:] if sign.startswith("|") and sign != "||" else ():
            filters.append(later)
            behind = later_sign
            if later_sign not in ("|", "|&"):
                break
        later_signs = {other for _, other in pieces[place + len(filters):] if other not in ("|", "|&")} - {""}
        hidden_by_pipe = filters and not is_piped_through
        checks.append({
            "family": family, "name": name, "runner": runner, "command": " ".join(without_redirections(words)),
            "folder": folder, "limits": limits_of(name, words), "filters": filters,
            "shows_exit": not hidden_by_pipe and not in_loop and later_signs <= {"&&"} and behind in ("", "&&"),
            "in_background": behind == "&" or (piece.startswith("nohup ") and "&" in later_signs)})
    return checks


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, skips = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            skips = word.endswith(">")
        elif not skips:
            kept.append(word)
        else:
            skips = False
    return kept


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the places that it names."""
    program = name.partition(" ")[0]
    others = NO_VALUE_FOR.get(program, "").split()
    limits, skips, rest = list[str](), 0, without_redirections(words[:WORDS_MAX])[1:]
    task, behind_dashes = name.rpartition(" ")[2], False
    for place, word in enumerate(rest):
        option = word.partition(":" if program == "xcodebuild" else "=")[0]
        behind_dashes |= word == "--"
        if skips:
            skips -= 1
        elif word.startswith("-") and word != "--":
            if option in LIMITING and option not in others:
                has_value = option == word and option not in WITHOUT_VALUE and place + 1 < len(rest)
                limits.append(f"{word} {rest[place + 1]}" if has_value else word)
                skips = int(has_value)
            elif word in OPTIONS_WITH_VALUE and not "".join(rest[place + 1:place + 2]).startswith("-"):
                skips = 1
        elif word not in (task, *NO_PLACES) and is_place(word, name, behind_dashes):
            limits.append(word)
    return limits[:20]


def is_place(word: str, name: str, behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_OF_PLACES:
        return bool(re.match(FILE_FOR_TASK, word))
    takes_words = program in WORDS_ARE_PLACES_FOR or name in WORDS_ARE_PLACES_FOR
    return "/" in word or takes_words or bool(re.search(r"\.\w{1,8}$", word))


@lru_cache(maxsize=COMMANDS_KEPT)
def is_looking(command: str) -> bool:
    """Whether the command only looks: at files, at processes, at what git knows."""
    pieces = pieces_of(command)
    return bool(pieces) and all(is_looking_piece(piece) for piece, _ in pieces)


def is_looking_piece(piece: str) -> bool:
    """Whether this one of the line's commands only looks."""
    if piece.startswith("for "):
        return True
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", piece)
    if re.search(r"(?<![\d&])>{1,2}\s{0,9}(?!/dev/null|&)\S", unquoted):
        return False
    return are_looking_words(without_redirections(shell_words(piece)))


def are_looking_words(words: Sequence[str]) -> bool:
    """Whether the program that the words start, with these options, only looks."""
    program = program_of(words)
    options = {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    if program in ("sed", "git") and options & {"-i", "-D", "-d", "--delete"}:
        return False
    if program == "find" and options & FIND_CHANGES:
        return False
    if program == "find" and options & FIND_STARTS:
        started = next(number for number, word in enumerate(words) if word in FIND_STARTS)
        return are_looking_words(words[started + 1:])
    if program in LOOKING_PROGRAMS or program in ("", "do", "then", "read"):
        return True
    if program in ("curl", "nc") or (program == "gh" and rest[:1] == ["api"]):
        return only_asks(program, options, rest)
    return has_looking_subcommand(program, rest[1:] if program == "git" and words[1:2] == ["-C"] else rest)


def only_asks(program: str, options: Set[str], rest: Sequence[str]) -> bool:
    """Whether a request over the network changes nothing, there or here."""
    if program == "nc":
        return any("z" in option for option in options)  # only whether a port is open
    if program == "gh":
        return not options & {"-X", "-f", "-F", "--method", "--field", "--raw-field", "--input"}
    nowhere = {"-o"} if "/dev/null" in rest else set[str]()
    return not any(re.match(CURL_SENDS, option) for option in options - nowhere)


def has_looking_subcommand(program: str, rest: Sequence[str]) -> bool:
    """Whether the program's subcommand only looks."""
    if program == "git" and rest[:1] in (["branch"], ["tag"], ["remote"], ["config"]) and len(rest) > 1:
        return False
    subcommands = LOOKING_SUBCOMMANDS.get(program, "").split()
    return (bool({*rest[:1], "-".join(rest[:2])} & {*subcommands})
            or (program == "gh" and bool({*rest[1:2]} & {*subcommands})))


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    if later["name"] != earlier["name"] or len({later["folder"], earlier["folder"]} - {""}) > 1:
        return False
    if target_of(later) != target_of(earlier):
        return False
    options = [{limit for limit in check["limits"] if limit.startswith("-")} for check in (later, earlier)]
    modes = [{limit for limit in chosen if limit.startswith(MODES)} for chosen in options]
    if modes[0] != modes[1] or not all(limit in options[1] or chooses_within(limit, options[1])
                                       for limit in options[0]):
        return False
    places = [limit for limit in later["limits"] if not limit.startswith("-")]
    earlier_places = [limit for limit in earlier["limits"] if not limit.startswith("-")]
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return not places or (bool(earlier_places) and all(
        any(is_within(place, whole, has_folders) for whole in places) for place in earlier_places))


def target_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    return (*(name.strip("\"'") for name in named), "Simulator" * ("imulator" in check["command"]))


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, _, part = limit.replace("=", " ", 1).partition(" ")
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(r"\w{3,200}$", part):
        return False
    chosen = [value.strip("\"'^$()") for name, _, value in (other.replace("=", " ", 1).partition(" ")
                                                          for other in earlier) if name == option]
    return any(re.match(r"[\w/|]{1,900}$", value) and all(part in name for name in value.split("|"))
               for value in chosen)


def is_within(place: str, whole: str, has_folders: bool) -> bool:
    """Whether the place that a check names is the other, or a part of it."""
    place, whole = place.strip("\"'").removeprefix("./"), whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{place.removesuffix('/...')}/".startswith(whole[:-3])
    return place.rstrip("/") == whole or (has_folders and place.startswith((f"{whole}/", f"{whole}::", f"{whole}[")))


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in ("npm", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "composer", "cargo", "go") and (
                {"install", "i", "add", "ci", "sync", "get", "mod", "remove"} & {*words[1:2]}):
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_of(shell_words(pieces[-1][0])) if pieces else ""


# ==================================================================================================
# record/results.py: Every result that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

def results_of(actions: Iterable[Item]) -> list[Ending]:
    """The results of commands, the oldest first, each in an action's form; an earlier one counts as no use."""
    results: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "limits": [], "uses": 0}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            results += [*before, action]
    return sorted(results, key=lambda result: int(result["position"]))


# ==================================================================================================
# record/git_ledger.py: What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.
# ==================================================================================================

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am", "stash")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
COMMIT_IN_RESULT = r"\[(\S{1,200}(?: HEAD)?) ([0-9a-f]{7,40})\] ([^·]{1,400})"
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
REMARK_OF_HOOK = r"· (\[[a-z][\w-]{1,30}\] [^·]{3,100})"  # what a hook of the push printed
WARNING = r"(?:^|\| )[Ww]arning: ([^|]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
TAKEN_BACK = r"\bgit (?:stash(?! (?:pop|apply|list|show|drop))|reset --hard|(?:checkout|restore) \.)"
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either
GIT_OPTIONS = ("-C", "-c", "--git-dir", "--work-tree")


def git_ledger(actions: Sequence[Item]) -> list[GitEvent]:
    """The events, the newest first; of each commit whether it was pushed and whether a later one took its place."""
    events = git_events(actions)
    mark_replaced(events, [action["position"] for action in actions if action.get("tool") in SUBAGENT_TOOLS])
    mark_rebased(events)
    mark_ended(events)
    mark_pushed(events)
    return [event for event in reversed(events) if event["what"] != "moved"]


def branches_gone_to(actions: Sequence[Item]) -> list[GitEvent]:
    """The calls that went to a branch by its name, the oldest first, each with that branch."""
    moves: list[GitEvent] = []
    for event in git_events(actions):
        words = [word for word in event.get("text", "").split()[2:] if not word.startswith("-")]
        if event["what"] == "moved" and len(words) == 1 and re.fullmatch(BRANCH_NAME, words[0]):
            moves.append({**event, "branch": words[0]})
        elif event["what"] == "branch":
            moves.append(event)
    return moves


def git_events(actions: Sequence[Item]) -> list[GitEvent]:
    """All that was seen, the oldest first, nothing marked yet."""
    outcomes = [outcome for outcome in results_of(actions) if re.search(GIT_OR_FORGE, outcome["text"])]
    return [event for outcome in outcomes for event in git_events_of(outcome)]


def git_events_of(outcome: Ending) -> Iterator[GitEvent]:
    """What a command line did, in the order of its parts."""
    result, has_ended = str(outcome.get("result") or ""), outcome["verdict"] in ("passed", "ended")
    commits, calls = commits_of(outcome, result), git_calls(outcome["text"])
    if any(words[0] == "init" or folder.startswith(OUTSIDE) for words, folder in calls):
        return  # another repository, made to try something
    for words, folder in calls:
        verb, rest = words[0], words[1:]
        at: GitEvent = {"text": " ".join(["git", *words]), "last": outcome["last"], "position": outcome["position"],
                        "verb": verb, "folder": folder}
        if verb in COMMITTING:
            for branch, name, subject in commits:
                yield {**at, "what": "commit", "text": subject, "branch": branch, "hash": name,
                       "pushed": "", "replaced": False, "amends": "--amend" in rest}
            commits = []
        if verb == "push" and outcome["verdict"] != "not run" and not {"-n", "--dry-run", "-d", "--delete"} & {*rest}:
            is_seen = bool(outcome.get("pushed")) or "pushed to " in result or "Everything up-to-date" in result
            if is_seen or outcome["verdict"] != "failed":
                remark = re.search(REMARK_OF_HOOK, result)
                yield {**at, "what": "push", "to": outcome.get("pushed", ""),
                       "certain": is_seen or has_ended, "remark": remark[1] if remark else ""}
        elif verb in HISTORY and (has_ended or outcome.get("begun")) and changes_history(verb, rest) and (
                "Already up to date" not in result):
            yield {**at, "what": "history", "waits": bool(outcome.get("begun")),
                       "files": outcome.get("conflicts", [])}
        elif verb in MOVING and has_ended and ((branch := branch_made(words)) or moves_head(words)):
            yield {**at, "what": "branch" if branch else "moved", "branch": branch}
    if has_ended and re.search(r"\b(?:gh pr|glab mr) create\b", outcome["text"]) and (
            match := re.search(PULL_REQUEST, result)):
        warned = re.search(WARNING, result)
        yield {"what": "pull request", "text": match[0], "last": outcome["last"], "position": outcome["position"],
               "remark": warned[1].strip() if warned else ""}


def git_calls(command: str) -> list[tuple[list[str], str]]:
    """The words of each call of git in the line, without `git` and its options before the verb, and its folder."""
    calls, folder = list[tuple[list[str], str]](), ""
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        if program_of(words) != "git":
            continue
        words, where = words[1:], folder
        while words and words[0].startswith("-"):
            where = words[1] if words[0] == "-C" and len(words) > 1 else where
            words = words[2:] if words[0] in GIT_OPTIONS else words[1:]
        if words:
            calls.append((words, where))
    return calls


def commits_of(outcome: Ending, result: str) -> list[tuple[str, str, str]]:
    """Branch, hash and subject of the commits that the command made, the oldest first."""
    in_result = [(branch, name, subject.strip()) for branch, name, subject in re.findall(COMMIT_IN_RESULT, result)]
    if outcome.get("commit"):
        commit = str(outcome.get("branch", "")), str(outcome["commit"]), str(outcome.get("subject", ""))
        return [*(other for other in in_result if other[1] != commit[1]), commit]
    return in_result if result.startswith("[") else []


def changes_history(verb: str, words: Sequence[str]) -> bool:
    """Whether the call changes what HEAD names; a reset of files does not."""
    return verb != "reset" or "--hard" in words or any(re.match(r"HEAD[~^@]|[0-9a-f]{7,40}$|\w+/", word)
                                                       for word in words if "." not in word)


def branch_made(words: Sequence[str]) -> str:
    """The branch that a checkout, switch or new worktree makes; empty: none."""
    options = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create"), "worktree": ("-b", "-B")}[words[0]]
    return next((words[place + 1] for place, word in enumerate(words[:-1]) if word in options), "")


def moves_head(words: Sequence[str]) -> bool:
    """Whether the call may go to another commit; a checkout of files, and a new worktree, does not."""
    return words[0] in ("checkout", "switch") and "--" not in words


def mark_replaced(events: Sequence[GitEvent], orders: Sequence[int]) -> None:
    """Marks commits that an amend or a reset right behind them took away: nothing between them moved HEAD.

    `orders` are the places of subagents' orders: what these commit is not seen here.
    """
    line: list[GitEvent] = []  # commits on top of each other, as far as that is certain
    for event in events:
        if line and any(line[-1]["position"] < order < event["position"] for order in orders):
            line.clear()
        is_plain = event["what"] == "commit" and event["verb"] == "commit"
        if is_plain and not any(other["position"] == event["position"] for other in line):
            if event["amends"] and line and line[-1]["branch"] == event["branch"]:
                line.pop()["replaced"] = True
            line = [other for other in line if other["branch"] == event["branch"]] + [event]
        elif event["what"] == "history" and (match := re.match(RESET_OF_COMMITS, event["text"])):
            for _ in range(min(int(match[1] or 1), len(line))):
                line.pop()["replaced"] = True
        elif event["what"] in ("commit", "history", "moved") and event["verb"] != "stash":
            line.clear()


def mark_rebased(events: Sequence[GitEvent]) -> None:
    """Marks commits that were not pushed when a rebase came: it gives others hashes where there was something new."""
    for place, event in enumerate(events):
        if event["what"] == "history" and not event.get("waits") and (
                event["verb"] == "rebase" or "--rebase" in event["text"]):
            pushed = max((number for number, push in enumerate(events[:place])
                          if push["what"] == "push" and push["certain"]), default=-1)
            for commit in events[pushed + 1:place]:
                if commit["what"] == "commit" and commit["position"] < event["position"]:
                    commit["rebased"] = True


def mark_ended(events: Sequence[GitEvent]) -> None:
    """Takes the mark from merges and rebases that came to their end: continued, given up, or committed."""
    for place, event in enumerate(events):
        if event.get("waits"):
            kinds = ("merge", "pull", "reset") if event["verb"] in ("merge", "pull") else (event["verb"], "reset")
            event["waits"] = not any(
                later["what"] in ("commit", "history") and (later["verb"] in kinds or (
                    later["verb"] == "commit" and event["verb"] != "rebase"))
                for later in events[place + 1:])


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for place, event in enumerate(events):
        if event["what"] == "commit":
            later, branch = events[place + 1:], event["branch"].partition(" ")[0]
            is_seen = any(names_branch(push, branch, later[:number])
                          for number, push in enumerate(later) if push["what"] == "push" and push["certain"])
            if event.get("rebased"):  # its new hash may have been pushed, this one was not since
                is_seen = False
            may_be = any(push["what"] in ("push", "pull request") for push in later)
            event["pushed"] = "yes" if is_seen else "" if may_be else "no"


def names_branch(push: GitEvent, branch: str, between: Sequence[GitEvent]) -> bool:
    """Whether the push is of this branch: it says so, or names none and nothing `between` went to another one."""
    words = [word for word in push["text"].split()[2:] if not word.startswith("-")]
    named = [words[1].rpartition(":")[2]] if len(words) > 1 else []
    named = named if named not in ([], ["HEAD"]) else push["to"].split()[1:2]
    return named == [branch] if named else not any(event["what"] in ("moved", "branch") for event in between)


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it."""
    for action in actions:
        if action.get("path"):
            continue
        if any(words[0] == "push" for words, _ in git_calls(action["text"])) or re.search(PUSHING, action["text"]):
            return True
    return False


def uncommitted(actions: Sequence[Item], events: Sequence[GitEvent], root: str = "",
                status: tuple[int, Sequence[str]] = (-1, ())) -> list[str]:
    """The files below `root` that were edited after the last commit and not taken back, the newest first.

    `events` is the ledger of these actions. `status` is where git's status was seen whole, and the paths that it named:
    what was edited before and is not among them is in a commit, whoever made that.
    """
    root = root.rstrip("/") + "/" if root else ""
    since = max((event["position"] for event in events if event["what"] == "commit" and not event["replaced"]
                 and is_below(event["folder"], root)), default=-1)
    commands = [action for action in actions if not action.get("path") and action["verdict"] in ("passed", "ended")]
    for action in commands:
        if re.search(TAKEN_BACK, action["text"]):
            since = max(since, action["position"])
    undoing = [(command["position"], command["text"].split()) for command in commands
               if re.search(r"\brm |\bgit (?:checkout|restore) ", command["text"])]
    files = [action for action in actions if action.get("path") and action.get("edits") and action["position"] > since]
    paths = list[str]()
    for file in sorted(files, key=lambda file: -int(file["position"])):
        path = file["path"]
        short = path[len(root):] if root and path.startswith(root) else path
        is_gone = any(position > file["position"] and short in words for position, words in undoing)
        is_clean = file["position"] < status[0] and not any(is_same_or_above(name, short) for name in status[1])
        if is_below(path, root) and not is_gone and not is_clean and not short.startswith(OUTSIDE):
            paths.append(short)
    return [*dict.fromkeys(paths)]


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, which ends with a slash; one that begins nowhere does."""
    return not root or not path.startswith(("/", "~")) or f"{path}/".startswith(root)


def is_same_or_above(word: str, path: str) -> bool:
    """Whether a word of a command may name the file, seen from some folder, or a folder above it."""
    word = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/")
    return bool(word) and (f"/{path}".endswith(f"/{word}") or f"{word}".endswith(f"/{path}")
                           or f"/{path}/".find(f"/{word}/") >= 0 or path.rpartition("/")[2] == word.rpartition("/")[2])


# ==================================================================================================
# record/claims.py: What a sentence claims: a thing that it names, and the one state that stands beside it in the same clause.
# ==================================================================================================

WORD = r"`[^`\n]{1,300}`(?:[-'’]\w+)?|\[[ xX]\]|#?\w+(?:[.'’/#@+-]+\w+)*|[^\w\s]"
REWORDED = (  # where one of the cues stands: the pattern, and what is read instead
    ((" summary", " compaction"),  # "when the summary was requested" is now
     r"\b(?:before|when|as|until) (?:the|this) (?:summary|compaction) (?:was \w+(?: for)?|came|began|started)\b"
     r"|\b(?:at the time|as) of (?:the|this) summary\b", ""),
    (("n't", "n’t", "annot"), r"n['’]t\b|(?<=\b[Cc]an)not\b", " not"),
    ((" no longer ", " nicht ", " pas "), r" (?:no longer|(?:noch )?nicht|pas) ", " not "),
    ((" the ",), r" (?:from|in|to|on) the (?:repo(?:sitory)?|project|codebase|tree|disk|checkout|branch)\b", ""),
    ((" with `origin/", " with origin/"), r" with `?origin/[\w./-]+`?", " with origin"),
    ((" of ", " de ", " von ", " sur "),  # "9 out of 9" is "9/9"
     r"\b(\d{1,6}) (?:(?:out )?of (?:the |all )?|von (?:den )?|de (?:las |los )?|sur (?:les )?)(\d{1,6})\b", r"\1/\2"))
STATE_WORDS_MAX = 5  # "up to date with origin"
OPPOSITES = {"passing": "failing", "failing": "passing", "failed": "passing", "completed": "open",
             "committed": "uncommitted", "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed",
             "ended": "ongoing", "ongoing": "ended", "created": "absent", "deleted": "there", "there": "absent",
             "absent": "there"}
PARTING = frozenset(": ( [ | – — → -".split())  # a clause may begin behind these
SIGNS = PARTING | frozenset(") ] * ~ _ \" « » “ ” ‘ ’ ' … `".split())
CLAUSE_BEGINS = frozenset(". ; ! ? , and und et y but".split())
CLAUSE_ENDS = frozenset((
    ": ( [ | – — → - ) ] * _ . ; ! , and und et y but ✅ ✓ now again yet durch too altogether entirely completely "
    "locally already today after afterwards wieder jetzt maintenant ahora").split())
FILLERS = frozenset((  # between a thing and its state
    "% a about ahora all alle already als also any anymore are at aufgabe aufgaben back be been being bereits both "
    "build builds built came cases check checks comes compile compiled compiles complete completed completes "
    "continue continues currently did die do does déjà end ended endet endete ends entries entry est está están "
    "everything example examples exit exited exits file final finally find finds fini finish finished finishes "
    "fully get gives goes got ha had han has hat have is ist item items itself jetzt just la las last left les lief "
    "los läuft maintenant marked more newly noch now number once one ont out outcome pruebas ran remain remains "
    "report reported reports reran rerun result results run running runs schon several show showed shows sigue "
    "siguen sind single sont spec specs status still successfully suite tarea tareas task tasks termina terminaron "
    "termine terminé terminó test tests the there time to-do to-dos todas todo todos tous toutes turned tâche "
    "tâches wieder with wurde wurden ya yet été").split())
LEADS = frozenset((  # from the clause's beginning on
    "a all alle also am an archivo aufgabe aufgaben both by checked completely confirmed current currently das "
    "datei der die edit edits el empty entire entirely entries entry every everything far fichier file files final "
    "finally full git has have having here i i'm i've in is item items its just la las le les lint linting local "
    "los marked marking modification modifications my neu neue now npx bunx number old on our project ran re-ran "
    "remaining repo repository reran rerunning result results run running runs so state status still tarea tareas "
    "task tasks test tests that the there these this those to-do to-dos todas todos tous toutes tâche tâches unused "
    "using verification verified via we we're we've whole with work are change changes").split())
JOINED = frozenset("is are has have remains remain".split())  # behind a comma: the thing before it is meant
ORDERS = ("complete", "open", "pass", "clean", "commit")  # unless a mark stands behind: "complete: the thing"
OPEN_ENDED_WORDS = frozenset(("[ ]", *(  # of plans, conditions, the past, other people's words and runs
    "if once when whenever until unless should would will wo must could may might need needs needed ensure verify "
    "confirm expect expects expected want wants wanted ask asks asked before earlier previous previously "
    "initial initially originally claim claims claimed said reported according subagent "
    "subagents agent agents teammate teammates reviewer reviewers ci workflow workflows pipeline pipelines remotely "
    "baseline preexisting pre-existing unclear unknown maybe probably except only goal goals aim aims "
    "plan plans planned todo step steps always keep hook hooks yesterday criteria criterion require requires required "
    "requirement requirements acceptance other then reopened mistake wrong wrongly wenn sobald bevor quand "
    "lorsque cuando "
    "another someone fork upstream phase proposal proposed draft sketch suggestion suggested").split()))
BEFORE_ALONE = frozenset("after nach après después".split())  # in front: it is not said that it was
LIMITED_BY = frozenset("with at to about has have".split())  # behind a state, unless a number follows
PART_OF = frozenset("on of with so far".split())  # between a state and its thing: "done so far on"
PLACES_BEFORE = frozenset("in on for under per".split())  # "in the demo, it is done"
OPEN_ENDED_PHRASES = (" to be ", "make sure", "so that", "going to", "about to", "at first", "used to", "the user",
                      "github actions", " on main", "not sure", "apart from", "last week", "last year", " target : ",
                      "new one",
                      " target is ", "?")


@lru_cache(maxsize=4_096)  # each kind of claims goes through all sentences
def sentence_words(text: str) -> Sequence[str]:
    """The text's words and marks in lower case; a path, and what stands between backticks, is one word, as it is."""
    for cues, pattern, instead in REWORDED:
        if any(cue in text for cue in cues):
            text = re.sub(pattern, instead, text)
    return [word if word[0] == "`" or "/" in word else word.lower() for word in re.findall(WORD, text)]


def in_row(text: str) -> str:
    """The text's words and marks in one row, as phrases are looked for in it."""
    return " ".join(sentence_words(text))


def form_of(states: Mapping[str, str], **words: str) -> ClaimForm:
    """A form: by state the phrases that tell it, parted by bars, as are `ends`: "in 0" is the word and any number.

    `first` are the states that may stand before the thing, `fillers` and `leads` words beside the usual ones. Behind a
    "not" a phrase tells the opposite state.
    """
    by_phrase = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    denied = {f"not {phrase}": OPPOSITES[state] for phrase, state in by_phrase.items()
              if state in OPPOSITES and phrase[0].isalpha()}
    more = {name: frozenset(text.split("|" if name.startswith("ends") else None)) for name, text in words.items()}
    none = frozenset[str]()
    return {"states": {**denied, **by_phrase},
            "cues": frozenset(max(phrase.split(" "), key=len) for phrase in by_phrase),
            "first": {phrase: state for phrase, state in by_phrase.items() if state in more.get("first", none)},
            "fillers": FILLERS | more.get("fillers", none), "leads": LEADS | more.get("leads", none),
            "ends": CLAUSE_ENDS | more.get("ends", none),
            "ends_thing": (CLAUSE_ENDS - {"but"}) | more.get("ends_thing", none), "parting": PARTING}


def named_in(words: Sequence[str], names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where one of the names, given as its words in a row, stands among the words, and what it is the name of."""
    row = " ".join(words)
    for name in [name for name in names if name in row]:
        size = len(sentence_words(name))
        for begin in range(len(words)):
            if " ".join(words[begin:begin + size]) == name:
                yield begin, begin + size, names[name]


def claim_of(words: Sequence[str], begin: int, end: int, form: ClaimForm,
             own: Collection[str] = ()) -> Claim | None:
    """The one state that is claimed of words[begin:end]; None where none is, or two, or the rest leaves it open.

    `own` are words that name the same thing.
    """
    if form["cues"].isdisjoint(words):
        return None
    lead = start = before_fillers(words, begin, form, own)
    first = ""
    for stop in range(lead, begin + 1):
        for size in range(1, min(STATE_WORDS_MAX, stop) + 1):
            phrase = " ".join(words[stop - size:stop])
            before = before_fillers(words, stop - size, form, own) if phrase in form["first"] else 0
            is_whole = PART_OF.isdisjoint(words[stop:begin]) and begins_clause(words, before, stop, form)
            if phrase in form["first"] and is_whole and (
                    phrase not in ORDERS or not PARTING.isdisjoint(words[stop:begin])):
                first, start = form["first"][phrase], before
    if not first and not begins_clause(words, lead, begin, form):
        return None
    behind, place = state_behind(words, end, form, (form["fillers"], SIGNS, own))
    again, later = state_behind(words, place, form, (form["fillers"],)) if behind else ("", place)  # "✅ 9 passed"
    if not again and not LIMITED_BY.isdisjoint(words[place:later]) and not any(map(str.isdigit, words[place:later])):
        later = place  # "passes with" what?
    after = next((place for place in (later, place) if behind and ends_clause(words, place, form["ends"])), 0)
    if not after:
        behind, again, after = "", "", end if ends_clause(words, end, form["ends_thing"]) else 0
    states = {first, behind, again} - {""}
    claim: Claim = {"state": "".join(states), "begin": start, "end": after}
    return claim if after and len(states) == 1 and not leaves_open(words, claim) else None


def state_behind(words: Sequence[str], place: int, form: ClaimForm,
                 fillers: Sequence[Collection[str]]) -> tuple[str, int]:
    """The state that the words tell right behind the place and fillers, and where that ends; fillers after a "not"."""
    denied: list[str] = []
    while place < len(words):
        for size in range(STATE_WORDS_MAX, 0, -1):
            state = form["states"].get(" ".join([*denied, *words[place:place + size]]), "")
            if state:
                return state, place + size
        is_filler = any(words[place] in some for some in fillers) or is_count(words[place], form) or (
            words[place] == "," and not JOINED.isdisjoint(words[place + 1:place + 2]))
        if words[place] == "not" and not denied:
            denied = ["not"]
        elif not is_filler:
            break
        place += 1
    return "", place


def before_fillers(words: Sequence[str], place: int, form: ClaimForm, own: Collection[str]) -> int:
    """Where the words begin that lead to that place and say nothing."""
    while place and (words[place - 1] in SIGNS or words[place - 1] in form["leads"] or words[place - 1][0] == "#"
                     or is_count(words[place - 1], form) or words[place - 1] in own):
        place -= 1
    return place


def begins_clause(words: Sequence[str], lead: int, place: int, form: ClaimForm) -> bool:
    """Whether a clause begins between what leads to the place and the place."""
    return not lead or words[lead - 1] in CLAUSE_BEGINS or not form["parting"].isdisjoint(words[lead:place])


def ends_clause(words: Sequence[str], place: int, ends: frozenset[str]) -> bool:
    """Whether the clause ends at that place, or goes on in one of the forms that claim nothing else."""
    if place >= len(words) or words[place] in ends:
        return True
    if " ".join(words[place:place + 3]) in ends:
        return True
    following = "".join(words[place + 1:place + 2])
    kind = "0" if following[:1].isdigit() else "`" if following[:1] == "`" else following
    return f"{words[place]} {kind}" in ends


def is_count(word: str, form: ClaimForm) -> bool:
    """Whether it is a number, "9" or "9/9", that says how many of the thing are meant."""
    return "0" in form["fillers"] and word.replace("/", "").isdigit()


def leaves_open(words: Sequence[str], claim: Claim) -> bool:
    """Whether the words round a claim leave it open."""
    before, behind = around(words, claim)
    return (is_open_ended([*before, *behind]) or not PLACES_BEFORE.isdisjoint(before[:1])
            or not BEFORE_ALONE.isdisjoint(before))


def around(words: Sequence[str], claim: Claim) -> tuple[Sequence[str], Sequence[str]]:
    """The words before and behind a claim, up to the next full stop or semicolon."""
    begin = next((place for place in range(claim["begin"], 0, -1) if words[place - 1] in ".;"), 0)
    end = next((place for place in range(claim["end"], len(words)) if words[place] in ".;"), len(words))
    return words[begin:claim["begin"]], words[claim["end"]:end]


def is_open_ended(words: Sequence[str]) -> bool:
    """Whether the words plan, suppose, ask, or tell of the past or of others; code among them says nothing."""
    if not OPEN_ENDED_WORDS.isdisjoint(words):
        return True
    text = f" {' '.join(words)} "
    return any(phrase in text for phrase in OPEN_ENDED_PHRASES)


# ==================================================================================================
# record/statements.py: What a compaction's summary states: its sentences, without its analysis, code and quotes; English alone.
# ==================================================================================================

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 600
SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
HEADING_LINE = r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?\s*$"
HOLDER_ALONE = r"(?:\*\*)?(`[^`]{1,200}`)(?:\*\*)?:?$"  # what stands below it is told of it
TABLE_CELL = " | "
QUOTED = r"\"[^\"\n]{12,400}\"|“[^”\n]{12,400}”"  # words of others
STATEMENT_END = r"(?<=[.!;])\s+(?=[A-Z`*(✅])"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset(
    "still now currently again remain remains anymore actuellement maintenant toujours ahora sigue jetzt noch".split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    if "Analysis:" in text[:600] and "\nSummary:" in text:
        return text.partition("\nSummary:")[2]
    return text


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def statements_of(summary: str) -> list[Statement]:
    """The sentences of what a summary states."""
    return list(statements_in(body_of(summary)))


def statements_in(text: str) -> Iterator[Statement]:
    """Each sentence: {text without quotes of others, its words, the whole line, heading, is_past}."""
    heading, section, is_code, table, above, depth = "", "", False, "", "", 0
    for full in text.split("\n", LINES_MAX)[:LINES_MAX]:
        line = full.strip()[:4 * STATEMENT_MAX_CHARACTERS]
        is_code ^= line.startswith("```")
        if is_code or not line or line.startswith(("```", ">")):
            continue
        if line.startswith("|"):
            table = table or line  # its first row says whether it is of before, of a plan
            row = TABLE_CELL.join(cell.strip() for cell in line.strip("|").split("|"))
            if not is_open_ended(sentence_words(table)):
                yield statement_of(row, row, heading, section)
            continue
        table = ""
        title = re.match(HEADING_LINE, line)
        if title and (line.startswith("#") or line.endswith(":") or is_bold(line)):
            heading = title[1].strip("* ")
            section = section if full.startswith((" ", "\t", "-", "*")) else heading
            continue
        entry = re.sub(r"^(?:[-*•+]|\d{1,2}[.)])\s+", "", line)[:STATEMENT_MAX_CHARACTERS]
        plain = re.sub(QUOTED, "…", entry) if '"' in entry or "“" in entry else entry
        indent = len(full) - len(full.lstrip())
        above = above if indent > depth else ""
        for sentence in re.split(STATEMENT_END, plain):
            yield statement_of(f"{above}: {sentence}" if above else sentence, entry, heading, section)
        name = re.match(HOLDER_ALONE, plain)
        above, depth = (name[1], indent) if name else (above, depth)


def statement_of(text: str, line: str, heading: str, section: str) -> Statement:
    """A sentence of a line below its headings; it is of the past where they say so and it tells of no "now"."""
    words, headings = sentence_words(text), {*f"{section} {heading}".lower().replace("/", " ").split()}
    is_past = not OF_OTHERS.isdisjoint(headings) or (
        not OF_THE_PAST.isdisjoint(headings) and "solving" not in headings and PRESENT.isdisjoint(words))
    return {"text": text, "words": words, "line": line, "heading": heading, "is_past": is_past}


def is_bold(line: str) -> bool:
    """Whether the line is in bold as a whole, without the number before it."""
    return bool(re.match(r"(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$", line))


# ==================================================================================================
# record/place_claims.py: What a summary says of commits, branches, pushes, merges and files that git or the disk know otherwise now.
# ==================================================================================================

NAMES_MAX = 5  # of paths told
CHANGE_FIELDS = ("conflicts", "staged", "modified", "untracked")  # of git's state
OPERATIONS = ("merge", "rebase", "cherry-pick", "revert")
COMMITTED = {
    "committed": "committed|checked in|went in|in git|in the last commit|went in with the last commit|committet"
                 "|eingecheckt|commité|commitée|commités|committé|commiteado|commiteados",
    "uncommitted": "uncommitted|uncommitted changes|unstaged|to commit|to be committed|sin confirmar"}
PUSHED = {
    "pushed": "pushed|committed and pushed|on the remote|on origin|on `origin`|on github|in sync|in sync with origin"
              "|up to date with origin|up to date with the remote|gepusht|committet und gepusht|poussé|poussés|subido"
              "|subidos|commité et poussé|pusheado",
    "unpushed": "unpushed|local only|only local|only locally|exist only locally|exists only locally|to push"
                "|to be pushed|sin subir|ahead of origin|ahead of `origin`|ahead of the remote"}
GIT_THINGS = {name: thing for thing, names in {  # of `git status` what is new counts too
    "changes": "changes|work|all|modifications|edits|änderungen|alles|cambios|todo|tout|modifiche",
    "everything": "everything|all changes|the changes|my changes|all work|the work",
    "commits": "commits|commit|branch|zweig|rama|branche|local and remote|it|them|they|both",  # beside a commit
    "uncommitted changes": "uncommitted changes",
    "nothing": "nothing|none of the changes|none of my changes|none of this|none of the work|none of it",
    "tree": "working tree|working directory|working copy|worktree|work tree|tree|repository|repo",
    "index": "index|staging area", "status": "git status|`git status`",
    "conflicts": "all conflicts|all merge conflicts|no conflicts|no merge conflicts|no unresolved conflicts",
    "no operation": "no git operation|no operation|no merge or rebase|no rebase or merge",
    "no commit": "no commit|no commits",
    **{name: name for name in OPERATIONS}, **{f"no {name}": f"no {name}" for name in OPERATIONS},
    }.items() for name in names.split("|")}
PRONOUNS, COMMIT_WORDS = frozenset("it them they both".split()), frozenset("commit commits committed branch".split())
COMMITS_FORM = form_of(
    {**COMMITTED, **PUSHED}, first="committed pushed", fillers="was were 0 commit commits one two three four",
    leads="of two three", ends="to `|on `|as `|to the remote|to origin|with message|in one|in a|in 0|by 0|by one",
    ends_thing="to `|to origin|to the remote|as `|on `|in one|in a")
OPERATION_FORM = form_of({
    "ended": "complete|completed|finished|done|concluded|over|through|went through|successful|abgeschlossen|fertig"
             "|terminé|terminada|terminado",
    "ongoing": "in progress|unfinished|ongoing|under way|underway|still running|stopped|paused|halted"},
    fillers="was", ends="successfully|without conflicts|without trouble|without problems|without any|cleanly")
NO_OPERATION_FORM = form_of({"ended": "in progress|ongoing|under way|underway|pending|running"})
PATH_FORM = form_of({**COMMITTED, **PUSHED}, first="committed pushed", fillers="was were", leads="to script module",
                    ends="on `|as `|in one|in commit")
ALL_FORM: ClaimForm = {**COMMITS_FORM, "parting": frozenset(),  # "docs: all is committed"
                       "ends": COMMITS_FORM["ends"] - {":"}}  # "changes committed: the rounding"
GIT_FORMS: dict[str, ClaimForm] = {
    "commits": COMMITS_FORM, "everything": ALL_FORM,
    "changes": {**ALL_FORM, "first": {"pushed": "pushed"}},  # "committed work" may be some
    "uncommitted changes": form_of({"committed": "no|without any"}, first="committed",
                                   ends_thing="remain|left|remaining|exist|in the|are left"),
    "nothing": form_of({
        "empty": "staged", "uncommitted": "committed", "unpushed": "pushed",
        "committed": "uncommitted|to commit|to be committed", "pushed": "unpushed|to push|to be pushed"},
        fillers="waiting", ends="locally"),
    "tree": form_of({"committed": "clean|has no changes|has no uncommitted changes|without changes"}),
    "status": form_of({"committed": "clean|empty|nothing|no changes|a clean working tree|a clean tree|sauber|propre"
                                    "|limpio|ne montre plus rien"}, fillers="prints"),
    "index": form_of({"empty": "empty|clean"}),
    "conflicts": form_of({"ended": "resolved|settled|solved|gone|remain|remaining|left|gelöst|résolus|resueltos"},
                         ends="successfully", fillers="were"),
    "no operation": NO_OPERATION_FORM, **{f"no {name}": NO_OPERATION_FORM for name in OPERATIONS},
    **dict.fromkeys(OPERATIONS, OPERATION_FORM),
    "no commit": form_of({"no commit": "made|created|done|recorded"}, ends="in this|so far", fillers="were made")}
DONE_FORM = form_of({"merge": "merged", "rebase": "rebased", "cherry-pick": "cherry-picked", "revert": "reverted"},
                    first=" ".join(OPERATIONS), leads="✅ ✓")  # "Merged `a` into `b`"
PLACES = {  # where one is: told before a name between backticks, or a hash
    "branch": "current branch|current git branch|on branch|working on branch|active branch|checked out on"
              "|checked out branch|checked out on branch|checked out",
    "on": "we are on|we're on|i am on|i'm on|currently on|still on",
    "head": "head|last commit|latest commit|current commit|most recent commit"}
PLACE_FORM: ClaimForm = {
    **form_of(PLACES, first="branch on head named", leads="at points to sits"), "parting": frozenset(),
    "ends_thing": frozenset((*". ; , ( ) * | branch with".split(),
                             "feat :", "fix :", "chore :", "docs :", "test :", "refactor :"))}
PLACE_FORM["first"] = {**PLACE_FORM["first"], "branch": "named", "git branch": "named"}
GIT_CUES = frozenset[str]({"branch"}).union(*(form["cues"] for form in (*GIT_FORMS.values(), DONE_FORM, PLACE_FORM)))
HASH = r"`?([0-9a-f]{7,40})`?"
ONLY_BRANCH = r"[\w-]+/[\w/-]+"  # "feature/rates"
MAIN_BRANCHES = ("main", "master", "develop", "trunk")
BEFORE_NAMES = ("of", "onto", "into", "from")  # "the merge of `a` into `b`"
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository
COMMIT_MESSAGE = r"-a?m\s+[\"']([^\"'\n]{12,200})[\"']"
PATH = r"`?((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7})`?"
MADE_FORM = form_of({
    "created": "new )|new file|created|added|wrote|written|erstellt|angelegt|hinzugefügt|creado|creada"
               "|añadido|se creó|créé|créée|ajouté|creato|criado",
    "deleted": "deleted|removed|dropped|got rid of|erased|gelöscht|entfernt|eliminado|eliminada|borrado|borrada"
               "|se eliminó|se borró|supprimé|supprimée|eliminato|removido",
    "there": "exists|exist|in place|still exists|there|still there|still present|still around|on disk|existiert|existe",
    "absent": "there is no|there's no|gone|existiert not|n'existe not|n'existe plus|no existe"},
    first="created deleted absent", leads="✅ ✓ script module obsolete new now-unused dead legacy",
    fillers="was were neu frisch freshly fue sido",
    ends="with|for|to hold|in this|this session|by me|any more|any longer|right away|because|since",
    ends_thing="with|containing|for|along|which|that|mit|con|avec|describing|holding|defining|implementing|exporting"
               "|providing|using|outright|any more|anymore|holds|contains|defines|provides|yet")
MADE = {"created": True, "there": True, "deleted": False, "absent": False}
FILE_LATER, WAS = frozenset("later then temporarily temporary restored again".split()), frozenset(("was", "were"))
COURSES = {"created": FILE_LATER, "deleted": FILE_LATER, "there": WAS, "absent": WAS}  # it went on beside these
PLANS = r"(?i)\b(?:pending|next|todo|to (?:create|add|write|delete|remove)|plan\w*|propos\w*|remaining|optional)\b"
MOVED_FILES = r"\b(?:rm|mv|unlink|trash|git (?:rm|mv))\b"  # by a command that names them, or one of their folders
MOVED_TREE = (r"\bgit (?:stash|reset|clean|restore|merge|rebase|pull|worktree|(?:checkout|switch)(?! -[bBcC]))\b"
              r"|\b(?:find|xargs)\b.{0,300}(?:rm|mv|delete)\b")


# --- git ---


def git_claims(statements: Sequence[Statement], items: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what git says otherwise now; what git was not asked, it does not say."""
    actions = [item for item in items if item["kind"] == "action"]
    commits = [(in_row(subject_of(action)), action) for action in actions if "git commit" in action["text"]][::-1]
    top = git.get("root") or "\0"
    commands = [action["text"].replace(top, ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {"untracked": changed_paths(git)}  # only of its files is it certain that they are meant
    for statement in statements if git or commits else ():
        if not statement["is_past"]:
            yield from ((statement["line"], answer) for answer in of_commits(statement["line"], commits, git))
            yield from ((statement["text"], f"git: {answer}") for thing, state in states_in(statement["words"])
                        for answer in answers_of(thing, state, statement["words"], actions, git))


def states_in(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The things in git, by GIT_THINGS or a name between backticks, and the states that the words tell of them."""
    if GIT_CUES.isdisjoint(words):
        return
    things = [(begin, end, thing, GIT_FORMS[thing]) for begin, end, thing in named_in(words, GIT_THINGS)
              if words[begin] not in PRONOUNS or not COMMIT_WORDS.isdisjoint(words)]
    things += [(place, place + 1, word.strip("`"), form) for place, word in enumerate(words)
               if word[0] == "`" or (len(word) > 6 and re.fullmatch(HASH, word))
               for form in (PATH_FORM, PLACE_FORM, DONE_FORM)]
    for begin, end, thing, form in things:
        has_names = form in (OPERATION_FORM, DONE_FORM, COMMITS_FORM)
        behind = takewhile(lambda word: word[0] == "`" or word in (*BEFORE_NAMES, *MAIN_BRANCHES), words[end:])
        if claim := claim_of(words, begin, end + len([*behind]) * has_names, form):
            yield thing, claim["state"]
            if claim["state"] == "pushed" and "committed" in words[claim["begin"]:claim["end"]]:
                yield thing, "committed"


def subject_of(action: Item) -> str:
    """The subject of the commit that a command made, or was to make; empty: too short to be named by it."""
    message = re.search(COMMIT_MESSAGE, action["text"])
    subject = str(action.get("subject") or (message and message[1]) or "")
    return subject if len(subject) >= SUBJECT_MIN_CHARACTERS else ""


def of_commits(line: str, commits: Sequence[tuple[str, Item]], git: GitNow) -> Iterator[str]:
    """The newest commit with its subject in the line, where that has a hash that nothing knows, or it was not made."""
    row = in_row(line) if commits else ""
    action = next((action for subject, action in commits if subject and subject in row), None)
    if not action:
        return
    known = [str(name) for name in (*(other.get("commit") for _, other in commits), git.get("head")) if name]
    hashes = re.findall(rf"(?<![\w/.#-]){HASH}(?![\w/.-])", line)
    if action.get("commit") and hashes and not any(same_commit(name, word) for word in hashes for name in known):
        yield f"git: “{subject_of(action)}” is {action['commit']}"
    elif action.get("verdict") in ("failed", "not run") and re.match(r"\W*committed\b", row):
        result = f": {action['result']}" if action.get("result") else ""
        yield f"the commit “{subject_of(action)}” was not made: its command {action['verdict']}{result}"


def answers_of(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """What git says otherwise of a thing that is told to be in that state.

    Changes are this session's. A row "Branch: `x`" may be of a branch that the work was about: only a name that no
    command has is another.
    """
    branch, head = (str(git.get(name) or "") for name in ("branch", "head"))
    kind, unmerged = str(git.get("in_progress") or "").partition(" ")[0], paths_in_rows(git.get("conflicts"))
    conflicts = ", ".join(unmerged[:NAMES_MAX])
    changed, is_file = changed_paths(git), thing not in GIT_THINGS.values()
    edited = [path for path in changed if (not is_file or f"/{path}".endswith(f"/{thing}"))
              and (thing == "status" or is_edited(path, actions))]
    commits = [action for action in actions if action.get("commit")]
    is_clean = all(name in git for name in CHANGE_FIELDS) and not changed and not kind
    last = f"{commits[-1]['commit']} {commits[-1].get('subject', '')}" if commits else ""
    staged = [path for path in paths_in_rows(git.get("staged")) if is_edited(path, actions)]
    answers = {
        "no commit": last and "session" in words and f"this session made {last}",
        "empty": staged and f"staged: {', '.join(staged[:NAMES_MAX])}",
        "committed": edited and f"not committed: {', '.join(edited[:NAMES_MAX])}",
        "uncommitted": last and is_clean and (not is_file or is_edited(thing, actions)) and (
            f"nothing is uncommitted; the last commit here: {last}"),
        "head": head and re.fullmatch(HASH, thing) and not same_commit(head, thing) and f"HEAD is {head[:10]}",
        "ongoing": "in_progress" in git and not kind and f"no {thing} is in progress",
        **dict.fromkeys(("branch", "on", "named"), is_elsewhere(thing, state, branch, actions) and (
            f"the branch is {branch}"))}
    ended = (kind, f"no {kind}", "no operation", *(("conflicts",) if unmerged else ()))
    if answer := answers.get(state):
        yield str(answer)
    elif kind and ((state == "ended" and thing in ended) or (state == kind and f"`{branch}`" in words)):
        yield f"the {kind} is not finished{f', conflicts in {conflicts}' if conflicts else ''}"
    elif state in PUSHED:
        yield from of_push(state, words, actions, git)


def is_elsewhere(name: str, state: str, branch: str, actions: Sequence[Item]) -> bool:
    """Whether another branch is named than the one that is checked out; "we are on" may be told of other things."""
    is_sure = {"branch": True, "on": name in MAIN_BRANCHES or bool(re.fullmatch(ONLY_BRANCH, name)),
               "named": not any(name in action["text"] for action in actions)}
    return bool(branch) and name != branch and is_sure.get(state, False)


def of_push(state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """Commits that are called pushed and are not, or not pushed and are."""
    branch, upstream, ahead = str(git.get("branch") or ""), git.get("upstream"), git.get("ahead")
    is_other = "branch" in words and any(word[0] == "`" and branch not in word for word in words)
    if is_other or not upstream or not isinstance(ahead, int):
        return
    was_pushed = {"is", "are", "sind"}.isdisjoint(words) and any(
        "git push" in action["text"] and action.get("verdict") not in ("failed", "not run") for action in actions)
    if state == "pushed" and ahead > 0 and not was_pushed:
        yield f"{ahead} commit{'s' * (ahead > 1)} of {branch} not pushed to {upstream}"
    elif state == "unpushed" and ahead == 0 and "modified" in git and not changed_paths(git):
        yield f"{branch} has no commit that {upstream} lacks"


def changed_paths(git: GitNow) -> list[str]:
    """What is not committed, in conflict or not, new or not."""
    return list(dict.fromkeys(path for name in CHANGE_FIELDS for path in paths_in_rows(git.get(name))))


def paths_in_rows(value: object) -> list[str]:
    """The paths in a field of git's state: each alone, or first of what is told of it."""
    rows = value if isinstance(value, (list, tuple)) else []
    return [path for path in (row[0] if isinstance(row, (list, tuple)) and row else row for row in rows)
            if isinstance(path, str)]


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


def is_edited(path: str, actions: Sequence[Item]) -> bool:
    """Whether this session has edited the file of that path."""
    return any(action.get("edits") and f"/{action.get('path', '')}".endswith(f"/{path}") for action in actions)


# --- files ---


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in files_named(statements_of(summary))))


def files_named(statements: Sequence[Statement]) -> Iterator[tuple[str, str, str]]:
    """What is told of it, one of MADE, the path, the sentence."""
    for statement in statements:
        words = statement["words"] if not MADE_FORM["cues"].isdisjoint(statement["words"]) else ()
        for place, word in enumerate(words):
            is_whole = word[0] == "`" or ("/" in word and not {*words[max(0, place - 1):place]} & {".", "/", "~"})
            path = re.fullmatch(PATH, word) if is_whole else None
            claim = claim_of(words, place, place + 1, MADE_FORM) if path else None
            if path and claim and COURSES[claim["state"]].isdisjoint(words) and not re.search(
                    PLANS, statement["heading"]):
                yield claim["state"], path[1], statement["text"]


def file_claims(statements: Sequence[Statement], items: Sequence[Item],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's sentence on a file created or deleted, where the disk lacks it or has it."""
    actions = [item for item in items if item["kind"] == "action"]
    named = list(files_named(statements)) if files else []
    for state, path, text in named:
        is_there, is_made = files.get(path), MADE[state]
        if not isinstance(is_there, bool) or is_there == is_made or any(
                other == path and MADE[kind] != is_made for kind, other, _ in named):
            continue  # where it tells both, it tells the course of things
        last = max((action["position"] for action in actions if is_edited(path, [action])), default=-1)
        moves = [action["position"] for action in actions if re.search(MOVED_TREE, action["text"]) or (
            re.search(MOVED_FILES, action["text"]) and any(
                part in action["text"] for part in (*path.split("/"), "*", "$", " .")))]
        if is_made and not any(position > last for position in moves):
            yield text, f"the disk has no {path} now"
        elif not is_made and not any(position < last for position in moves):
            yield text, f"{path} still exists" if state == "deleted" else f"the disk has {path} now"


# ==================================================================================================
# record/git_state.py: What the session's commands leave of the repository's state, where git itself cannot be asked.
# ==================================================================================================

STASH_SAVED = r"Saved working directory and index state ([^|·]{1,160})"
STASH_TAKEN = ("pop", "apply", "drop", "clear", "branch")
STASH_KEPT = r"conflict in |stash entry is kept|would be overwritten"  # what a `git stash pop` says that failed
OTHER_BRANCHERS = (
    r"\b(?:gh pr (?:checkout|merge)|git worktree|gt|jj|git branch -[fmMdD]|git symbolic-ref|git update-ref)\b")
ON_BRANCH = r"(?:^|\| )On branch (\S{1,200})"
ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
ADDING_VERBS, NAMES_FILES = ("add", "mv", "rm", "commit", "checkout", "restore", "apply"), r"\bgit |\brm "
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"
LOG_OF_HEAD = (
    r"git log(?: (?:-\d+|-n ?\d+|--oneline|--no-decorate|--first-parent|--format=%h %s|[\w./-]+\.\.HEAD|HEAD))*$")
WHOLE_STATUS = r"git status(?: (?:--short|-sb?|-b|--branch|--porcelain|-u\w*|2>&1))*$"
LOG_ROW = r"(?:^|\| )([0-9a-f]{7,40}) ([^|]{1,110})"


def open_stash(items: Sequence[Item]) -> tuple[Item, str] | None:
    """The command that stashed last, with what git called it, where nothing took a stash back since."""
    newest: tuple[Item, str] | None = None
    for item in sorted((item for item in items if not item.get("path")), key=lambda item: item["position"]):
        text, result = item["text"], str(item.get("result") or "")
        if "git" not in text or "stash" not in text:
            continue
        for words, folder in git_calls(text):
            verb = next((word for word in words[1:] if not word.startswith("-")), "push") if words[0] == "stash" else ""
            if verb in STASH_TAKEN and not (item.get("verdict") == "failed" and re.search(STASH_KEPT, result)):
                newest = None
            elif verb in ("push", "save") and (saved := re.search(STASH_SAVED, result)) and not folder:
                newest = item, saved[1].strip()
        if text.strip() == "git stash list" and not result:
            newest = None
    return newest


def missing_in_branch(actions: Sequence[Item], looks: Sequence[Item], ledger: Sequence[GitEvent],
                      root: str = "") -> tuple[str, list[GitEvent]]:
    """The branch where the session stands, and those commits that it certainly lacks, none of them pushed; else none.

    A branch holds what was committed there and what its start held; a merge, rebase, pull may have brought all others.
    What was pushed may have come back by any way.
    """
    nothing: tuple[str, list[GitEvent]] = "", []
    if any(re.search(OTHER_BRANCHERS, action["text"]) for action in actions if not action.get("path")):
        return nothing
    known = {event["hash"]: event for event in ledger if event["what"] == "commit"}
    branch, holds = "", dict[str, set[str]]()
    last = -1
    for event in git_events(actions):
        if not is_below(event.get("folder", ""), root.rstrip("/") + "/" if root else ""):
            continue
        last = event["position"]
        made = {name for names in holds.values() for name in names}
        if event["what"] == "commit":
            if event["branch"] != branch:  # another way led there: what it held is not known
                holds.setdefault(event["branch"], {*made})
            branch = "" if event["branch"].startswith("detached") else event["branch"]
            holds.setdefault(branch, set()).add(event["hash"])
        elif event["what"] == "branch":
            pushed = {name for name in made if known.get(name, event).get("pushed") != "no"}
            holds[event["branch"]] = commits_at_start(event, branch, holds, made) | pushed
            branch = event["branch"]
        elif event["what"] == "moved":
            words = [word for word in event["text"].split()[2:] if not word.startswith("-")]
            branch = words[0] if len(words) == 1 and re.fullmatch(BRANCH_NAME, words[0]) else ""
        elif event["what"] == "history" and event["verb"] != "stash":
            is_pull = event["verb"] == "pull"  # brings what was pushed
            holds.setdefault(branch, set()).update(
                name for name in made if not is_pull or known.get(name, event).get("pushed") != "no")
    seen = [match[1] for look in looks if look["position"] > last
            and (match := re.search(ON_BRANCH, look.get("result", "")))]
    if not branch or "" in holds or (seen and seen[-1] != branch):
        return nothing
    lacking = [event for event in ledger if event["what"] == "commit" and not event["replaced"]
               and event["pushed"] == "no" and not event.get("rebased")
               and event["branch"] != branch and event["hash"] not in holds.get(branch, set())]
    return (branch, lacking) if lacking else nothing


def commits_at_start(event: GitEvent, branch: str, holds: dict[str, set[str]], made: set[str]) -> set[str]:
    """The session's commits that a new branch holds: those of where it starts; all of them where that is not known."""
    words = [word for word in event["text"].split()[2:] if not word.startswith("-")]
    start = words[1] if len(words) > 1 else branch
    start = start.removeprefix("origin/")
    if not made:
        return set()
    return {*holds.get(start, set())} if re.fullmatch(BRANCH_NAME, start) else {*made}


def never_added(actions: Sequence[Item], ledger: Sequence[GitEvent], root: str = "") -> list[str]:
    """The edited files that no `git add` named though commits followed, the newest first; none where one may hold all.

    A commit of everything, a folder's, a pattern, a choice by hand: then it is not certain.
    """
    commits = [event for event in ledger if event["what"] == "commit" and not event["replaced"]]
    commands = [action for action in actions if not action.get("path") and re.search(NAMES_FILES, action["text"])]
    if not commits or may_hold_others(commits, commands, ledger):
        return []
    named = [(command["position"], word) for command in commands for word in words_naming(command["text"])]
    edits = [action for action in actions if action.get("path") and action.get("edits")]
    first = {edit["path"]: edit["position"] for edit in sorted(edits, key=lambda edit: -edit["position"])}
    root, paths = root.rstrip("/") + "/" if root else "", list[str]()
    for path in sorted(first, key=lambda path: -first[path]):
        short = path.removeprefix(root)
        is_own = not short.startswith(("/", "~")) and not path.startswith(OUTSIDE) and "redacted" not in short.lower()
        is_before = first[path] < commits[0]["position"]
        later = (word for place, word in named if place > first[path])
        if is_own and is_before and not any(is_same_or_above(word, short) for word in later):
            paths.append(short)
    return paths


def may_hold_others(commits: Sequence[GitEvent], commands: Sequence[Item], ledger: Sequence[GitEvent]) -> bool:
    """Whether a commit may hold files that no command named: one of everything, or one without an `add` before it."""
    if any(event["what"] == "history" and event["verb"] != "stash" for event in ledger):
        return True
    before, added = -1, list[int]()
    for command in commands:
        calls = [words for words, _ in git_calls(command["text"])]
        is_sweep = any(re.search(ADDS_WHAT_IT_LIKES if words[0] == "add" else COMMITS_ALL, word)
                       for words in calls if words[0] in ("add", "commit") for word in words[1:])
        is_cut = command["text"].endswith("…") and any(words[0] == "add" for words in calls)  # names may lie behind it
        if is_sweep or is_cut or re.search(TAKEN_BACK, command["text"]):
            return True
        added += [command["position"] for words in calls if words[0] == "add"]
    for commit in reversed(commits):
        if not commit["amends"] and not any(before < place <= commit["position"] for place in added):
            return True  # somebody else put into the index what it holds
        before = commit["position"]
    return False


def words_naming(command: str) -> list[str]:
    """The words of a command that may name files that git takes in, or that are removed."""
    words = [word.strip("\"'") for call, _ in git_calls(command) if call[0] in ADDING_VERBS
             for word in call[1:] if not word.startswith("-")]
    return [*words, *re.findall(r"\brm (?:-\w+ )?(\S+)", command)]


def commits_of_others(items: Sequence[Item], ledger: Sequence[GitEvent]) -> tuple[Item, list[tuple[str, str]]] | None:
    """The newest `git log` with commits, behind the session's first one, that no command of it made; and these.

    None where a merge, pull or rebase may have brought them.
    """
    made = [event for event in ledger if event["what"] == "commit"]
    own = [event["hash"] for event in made]
    if not own or any(event["what"] == "history" and event["verb"] != "stash"
                      and event["position"] > made[-1]["position"] for event in ledger):
        return None
    for item in sorted(items, key=lambda item: -item["position"]):
        pieces = [piece for piece, _ in pieces_of(item["text"])] if "git log" in item["text"] else []
        pieces = [piece for piece in pieces if not piece.startswith(("cd ", "head"))]
        if len(pieces) != 1 or not re.match(LOG_OF_HEAD, re.sub(r"[\"']", "", pieces[0])):
            continue
        rows = re.findall(LOG_ROW, item.get("result", ""))
        own_rows = [place for place, (name, _) in enumerate(rows) if any(same_commit(name, other) for other in own)]
        others = [(name, words.strip()) for place, (name, words) in enumerate(rows)
                  if own_rows and place < own_rows[-1] and place not in own_rows]
        if own_rows:
            return (item, others) if others else None
    return None


def status_seen(looks: Sequence[Item]) -> tuple[int, list[str]]:
    """The place of the newest `git status` that was seen whole, and the paths that it named; place -1: none."""
    whole = [look for look in looks if re.match(WHOLE_STATUS, look["text"]) and look.get("result")
             and not look["result"].endswith("…") and ' "' not in look["result"].replace('(use "', "")]
    rows = [row.strip() for row in whole[-1]["result"].split("|")] if whole else []
    paths = [row.split()[-1] for row in rows if row and not row.startswith(("(use ", "On branch ", "Your branch "))]
    return (whole[-1]["position"] if whole else -1), paths


# ==================================================================================================
# record/lacks.py: What a session's commands were refused by the machine itself: programs that are not there, a password for sudo.
# ==================================================================================================

SAID_OF_LACKS = ("not found", "sudo: a ")  # looked for first: most rows have none
ROW_MAX_CHARACTERS, ROWS_MAX = 300, 50
NOT_FOUND = (  # by bash and sh; by zsh
    r"(?:^|\s)(?:(?:[\w./-]{0,40}sh: )?line \d{1,6}|[\w./-]{0,40}sh: \d{1,6}|[\w./-]{0,40}sh)"
    r": ([\w.+-]{1,60}): (?:command )?not found"
    r"|(?:\(eval\):\d{1,6}|zsh(?::\d{1,6})?): command not found: ([\w.+-]{1,60})")
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
HIDES_ERRORS = r"2> ?/dev/null|\|\|"  # what such a command shows does not tell whether the program was there
SUDO = "sudo"
ON_EVERY_MACHINE = {"cat", "grep", "head", "ls", "sed", "sort", "tail", "wc"}  # else the PATH is broken


def lacking_in(command: str, output: str) -> list[str]:
    """The programs of a command that the output says are not there; sudo where it wants a password."""
    if not any(map(output.__contains__, SAID_OF_LACKS)):
        return []
    rows = [row[:ROW_MAX_CHARACTERS] for row in output.splitlines() if any(map(row.__contains__, SAID_OF_LACKS))]
    refused = dict[str, None]()
    for row in rows[:ROWS_MAX]:
        refused.update(dict.fromkeys(bash or zsh for bash, zsh in re.findall(NOT_FOUND, row)))
        if re.search(SUDO_REFUSES, row):
            refused[SUDO] = None
    if not refused or ON_EVERY_MACHINE & {*refused}:
        return []
    own = programs_of(command)  # what a script of its own starts is the script's matter
    return [program for program in refused if program in own]


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    pieces = [piece for piece, _ in pieces_of(command)]
    first = {words[0] for piece in pieces if (words := piece.split())}
    return first | {program_of(shell_words(piece)) for piece in pieces}


def lacks(items: Sequence[Item]) -> list[Lack]:
    """The programs that no command of the session got to run, the newest refusal first.

    What worked in another command is left out: there the PATH was broken once, or the program was installed later.
    """
    runs = [item for item in items if item["kind"] in ("action", "look") and item["tool"] in SHELL_TOOLS]
    refused: dict[str, Lack] = {
        program: {"program": program, "command": run["text"], "last": run["last"], "position": run["position"]}
        for run in runs for program in run.get("lacking", [])}
    for run in runs if refused else ():
        if run.get("verdict") != "not run" and not re.search(HIDES_ERRORS, run["text"]):
            for program in programs_of(run["text"]) - {*run.get("lacking", [])}:
                refused.pop(program, None)
    return sorted(refused.values(), key=lambda lack: -lack["position"])


# ==================================================================================================
# record/mended.py: A form of a command that failed beside the form that worked: what was learned of how things are called here.
# ==================================================================================================

CALLS_BETWEEN_MAX = 7  # to the form that worked
SHARED_WORDS_MIN = 2
OUTCOMES_NEAR_MAX = 30  # looked at, however many earlier results stand there
RESULTS_MAX_CHARACTERS = 600
FORM_ERRORS = (  # what says that the command was not the right one, and what makes two the same; with words of each
    ("no test", r"no tests? (?:were )?found|no tests? (?:files )?(?:to run|ran|matched)|no test files found"),
    ("not found", "command not found|directory not found"),
    ("no such", "no such file or directory|no such (?:command|option|subcommand)"),
    ("no packages", "no packages to test"), ("no task", r"no task \S{1,80} found"),
    ("missing script", "missing script"), ("can't open", "can't open file"),
    ("cannot find", "cannot find module"),
    ("unrecognized", "unrecognized (?:arguments?|options?|subcommand|flag)"), ("unexpected", "unexpected argument"),
    ("invalid", "invalid (?:option|flag|argument)"), ("illegal", "illegal option"),
    ("unknown", "unknown (?:option|flag|shorthand flag|command|argument|subcommand|json field|revision)"),
    ("flag provided", "flag provided but not defined"), ("cannot write", "cannot write multiple packages"),
    ("build constraints", "build constraints exclude"), ("no go files", "no go files"),
    ("is not in std", "is not in std"), ("not a ", "not a git repository|not a valid object name"),
    ("pathspec", "pathspec"), ("does not", "does not exist|does not contain recipe"),
    ("no projects", "no projects matched"), ("no rule", "no rule to make target"),
    ("no matches", "no matches found"), ("is not recognized", "is not recognized"),
    ("required", "required (?:arguments?|options?|flags?)"), ("requires an", "requires an argument"),
    ("missing", "missing (?:arguments?|options?|flags?)"), ("must specify", "must specify"),
    ("defined", "tasks? defined"))
WRONG_PLACE = r"(?i)no such file or directory|directory not found|tasks? defined|not a git repository"
REFUSALS = ("The user", "Sibling", "<tool_use_error>", "Permission", "This command requires", "Claude requested",
            "Cancelled")


def mended(actions: Sequence[Item]) -> list[MendedForm]:
    """Each form that failed with the one that worked, the newest first; failures of one kind once, counted."""
    outcomes = results_of(actions)
    calls = sorted({*(outcome["position"] for outcome in outcomes), *(action["position"] for action in actions)})
    number = {position: place for place, position in enumerate(calls)}
    forms: dict[tuple[str, str], MendedForm] = {}
    times = dict[tuple[str, str], int]()
    for place, failed in enumerate(outcomes):
        kind = form_error(failed)
        if not kind[0] or is_looking(failed["text"]):
            continue
        times[kind] = times.get(kind, 0) + 1
        near = [outcome for outcome in outcomes[place + 1:place + 1 + OUTCOMES_NEAR_MAX]
                if number[outcome["position"]] - number[failed["position"]] <= CALLS_BETWEEN_MAX]
        worked = next((outcome for outcome in near if works_in_its_place(outcome, failed)), None)
        if worked:
            forms[kind] = {"failed": failed["text"], "result": failed["result"], "worked": worked["text"],
                           "worked_result": worked["result"], "times": 0, "position": failed["position"],
                           "last": failed["last"]}
    for kind, form in forms.items():
        form["times"] = times[kind]
    return sorted(forms.values(), key=lambda form: -form["position"])


def form_error(outcome: Ending) -> tuple[str, str]:
    """What kind of failure of its form ended the command, and of what program; empty: none."""
    result = str(outcome.get("result") or "")[:RESULTS_MAX_CHARACTERS]
    if outcome["verdict"] not in ("failed", "not run") or result.startswith(REFUSALS):
        return "", ""
    lower = result.lower()
    matches = [re.search(rf"(?i)\b(?:{pattern})", result) for words, pattern in FORM_ERRORS if words in lower]
    match = min(filter(None, matches), key=lambda match: match.start(), default=None)
    if not match:
        return "", ""
    if re.search(WRONG_PLACE, match[0]):  # whatever program was started there
        return "place", ""
    error = re.sub(r"\S{1,80}(?= found)", "…", match[0].lower())
    return error, next(iter(words_by_program(outcome["text"])), "")


def works_in_its_place(later: Ending, failed: Ending) -> bool:
    """Whether the later command ran, is another one, and much like the one that failed.

    Tests that ran and failed show as well how they are run.
    """
    has_run = later["verdict"] in ("passed", "ended") or (later["verdict"] == "failed" and later["family"] == "test"
                                                          and not str(later["result"]).startswith("exit "))
    if not has_run or form_error(later)[0] or folded_command(later["text"]) == folded_command(failed["text"]):
        return False
    shared = shared_words(later["text"], failed["text"])
    if len(shared) < SHARED_WORDS_MIN:
        return False
    words, others = (words_by_program(outcome["text"])[shared[0]] for outcome in (failed, later))
    order, *targets = [word for word in words if not word.startswith("-")] or [""]
    if targets and not {*targets} & {*shared}:  # what it was to be done with is another
        return False
    return re.search(r"[/.]", order) is not None or order in others[:3]


def folded_command(command: str) -> str:
    """The command without what its output goes through."""
    return re.sub(r"\s*(?:2>&1|\| (?:tail|head|cat|grep)\b[^|&;]*)", "", command).strip()


def shared_words(command: str, other: str) -> list[str]:
    """The words that both give to the same program, that first; empty where they run different ones."""
    words, others = words_by_program(command), words_by_program(other)
    shared = [[program, *(word for word in words[program] if word in others[program])]
              for program in words if program in others]
    return max(shared, key=len, default=[])


@lru_cache(maxsize=COMMANDS_KEPT)
def words_by_program(command: str) -> dict[str, list[str]]:
    """The words of a line by the program that gets them, without programs that only look."""
    table = dict[str, list[str]]()
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        program = program_of(words)
        if program and program not in LOOKING_PROGRAMS:
            table.setdefault(program, []).extend(dict.fromkeys(words[1:]))
    return table


# ==================================================================================================
# record/output_rows.py: How lines of outputs that tell how a run ended look: of tests, builds, linters, type checks and their wrappers.
# ==================================================================================================

# Whose line it is, what it says, the words that such lines begin with, the line's pattern. Of a word's rows the
# first that fits counts.
# What it says:
#   tests, problems  totals; a run of no test is none, no problem is a success
#   passed, failed, bad (a total that says so), seen (a test passed), ran, go ok, go fail, log (what a Go test prints)
#   error, traceback, then  it failed, where nothing else is known; then: what it ends with ":" for, in the line below
#   cause, located   only why; named: only what
#   wrapper, why     it failed, with a cause for want of a better one
#   none             nothing ran
#   next, below      failed; the cause in the line below; below: the name there, the cause in the next
# Words: "0passed": a number and "passed". "0)": a number and a bracket. "@…": a place in a file, `a.py:1:2:`. "::",
# ":+", "^", "...", "....", "[", "Error": what they look like (outputs.py: rows_for).
# Groups: name, also (a name where there is no better one), cause, place, cached, none.
OUTPUT_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("pytest", "tests", "0passed 0failed 0error 0errors 0skipped 0xfailed 0xpassed 0warning 0warnings",
     r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?)\b.{0,200} in [\d.]+ ?s"),
    ("pytest", "none", "0deselected no 0skipped",
     r"(?:\d+ deselected|no tests (?:ran|collected)).{0,60} in [\d.]+ ?s"),
    ("playwright", "tests", "0passed", r"\d+ passed \([\d.]+\w+\)$"),
    ("playwright", "tests", "0failed 0flaky 0interrupted", r"\d+ (?:failed|flaky|interrupted)$"),
    ("", "tests", "0passed", r"\d+ passed, \d+ failed"),
    ("", "tests", "Passed:", r"Passed: \d+,? +Failed: \d+"),
    ("jest", "tests", "Tests:", r"Tests: +(?:\d+ \w+, )*\d+ total"),
    ("jest", "tests", "Test", r"Test Suites: +(?:\d+ \w+, )*\d+ total"),
    ("phpunit", "tests", "Tests:", r"Tests: \d+, Assertions: \d+"),
    ("vitest", "tests", "Tests", r"Tests +(?:\d+ \w+(?: \| )?)+ \(\d+\)|Tests +no tests"),
    ("vitest", "tests", "Test", r"Test Files +(?:\d+ \w+(?: \| )?)+ \(\d+\)"),
    ("vitest", "tests", "Errors", r"Errors +\d+ errors?$"),
    ("maven", "tests", "Tests", r"Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("dotnet", "tests", "Passed! Failed! Skipped!", r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+"),
    ("dotnet", "tests", "Test", r"Test summary: total: \d+, failed: \d+"),
    ("dotnet", "failed", "Test", r"Test Run Failed\."),
    ("dotnet", "passed", "Test", r"Test Run Successful\."),
    ("xctest", "failed", "Test", r"Test Case '(?P<name>.+)' failed"),
    ("xctest", "tests", "Executed", r"Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?"),
    ("xctest", "tests", "✘ ✔ Test 􀢄", r"(?:\S+ )?Test run with \d+ tests?.{0,60} (?:passed|failed) after"),
    ("xctest", "failed", "✘", r"✘ Test (?P<name>\S.*?) recorded an issue at \S+: (?P<cause>.+)"),
    ("unittest", "ran", "Ran", r"Ran \d+ tests? in"),
    ("unittest", "none", "NO", r"NO TESTS RAN"),
    ("unittest", "passed", "OK", r"OK(?: \((?:skipped|expected).{0,60}\))?$"),
    ("unittest", "bad", "FAILED", r"FAILED \((?:failures|errors|unexpected)=?.{0,80}\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+) \(unittest\.loader"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): \w+ \((?P<name>[\w.]+)\)"),
    ("pytest", "none", "ERROR:", r"ERROR: (?P<cause>(?:file or directory )?not found: .+|found no collectors for .+)"),
    ("pytest", "failed", "FAILED ERROR",
     r"(?:FAILED|ERROR) (?P<name>\S+\.py(?:::(?:(?! - ).){1,200})?)(?: - (?P<cause>.+))?$"),
    ("pytest", "failed", "::", r"(?P<name>\S+::\S+) (?:FAILED|ERROR)\b"),
    ("pytest", "named", "_", r"_+ (?P<also>\w.*?) _+$"),
    ("pytest", "cause", "E", r"E {2,}(?P<cause>\S.+)"),
    ("bun", "tests", "0pass 0fail", r"\d+ (?:pass|fail)$"),
    ("bun", "failed", "(fail)", r"\(fail\) (?P<name>.+?)(?: \[[\d.]+\w+\])?$"),
    ("mocha", "tests", "0passing 0failing", r"\d+ (?:passing \(\S+\)|failing)$"),
    ("node", "tests", "# ℹ", r"[#ℹ] (?:tests|pass|fail|cancelled) \d+$"),
    ("node", "failed", "not", r"not ok \d+ (?:- )?(?P<name>(?:(?! # (?:SKIP|TODO)).)+)$"),
    ("node", "failed", "✖", r"✖ (?!failing tests|\d+ problems?|\d+ of )(?P<name>.+?) \([\d.]+ms\)$"),
    ("node", "cause", "error:", r"error: ['\"](?!test failed)(?P<cause>.+?)['\"]?$"),
    ("lint-staged", "next", "✖", r"✖ (?!failing tests)(?P<name>\S.{0,200}):$"),
    ("husky", "wrapper", "husky", r"(?P<cause>husky - \S+ .*failed.*)"),
    ("eslint", "problems", "✖", r"✖ \d+ problems? \(\d+ errors?"),
    ("cypress", "tests", "✖", r"✖ +\d+ of \d+ failed"),
    ("cypress", "passed", "✔", r"✔ +All specs passed"),
    ("gotestsum", "tests", "DONE", r"DONE \d+ tests?.{0,90} in [\d.]+s"),
    ("cargo test", "tests", "test", r"test result: (?:ok|FAILED)\. \d+ passed; \d+ failed"),
    ("cargo test", "failed", "test", r"test (?P<name>\S+(?: - \S+)?) \.\.\. FAILED"),
    ("cargo test", "next", "thread", r"thread '(?P<also>[^']+)'(?: \(\d+\))? panicked at \S+:$"),
    ("cargo test", "error", "thread", r"thread '(?P<also>[^']+)' panicked at (?P<cause>'.+)"),
    ("cargo nextest", "tests", "Summary", r"Summary \[.{1,20}\] +\d+(?:/\d+)? tests? run: "),
    ("cargo nextest", "failed", "FAIL SIGABRT TIMEOUT",
     r"(?:FAIL|SIGABRT|TIMEOUT) \[.{1,20}\] +(?:\(.{1,20}\) )?(?P<name>.+)"),
    ("cargo", "failed", "error[", r"(?P<cause>error\[E\d+\]: .+)"),
    ("cargo", "wrapper", "error:", r"error: (?P<cause>could not compile.+|test failed, to rerun.+|aborting due to.+)"),
    ("built", "passed", "Finished", r"Finished .{0,80}target\(s\) in .+"),
    ("cargo fmt", "failed", "Diff", r"Diff in (?P<name>\S+?):\d+:?$"),
    ("deno", "tests", "ok FAILED", r"(?:ok|FAILED) \| \d+ passed.{0,60} \| \d+ failed"),
    ("deno", "failed", "...", r"(?P<name>.+) \.\.\. FAILED \("),
    ("go", "go ok", "ok",
     r"ok\s+\S+\s+(?P<none>\(cached\) \[no tests to run\]|[\d.]+s \[no tests to run\])|ok\s+\S+\s+(?:"
     r"(?P<cached>\(cached\))|[\d.]+s)"),
    ("go", "none", "?", r"\?\s+\S+\s+\[no test files\]"),
    ("go", "go fail", "---", r"--- FAIL: (?P<name>\S+)"),
    ("go", "seen", "PASS", r"PASS$|--- PASS:|test .+ ok$"),
    ("go", "failed", "FAIL", r"FAIL(?:\s+(?P<also>\S+)\s+(?:[\d.]+s|\[\w+ failed\])|$)"),
    ("go", "error", "panic:", r"(?P<cause>panic: .+)"),
    ("go", "cause", "Error:", r"Error: {2,}\t?(?P<cause>\S.+)|Error:\t+(?P<cause2>\S.+)"),
    ("go", "error", "go:",
     r"(?P<cause>go: (?!downloading|finding|extracting|warning|added|upgraded|creating|to add).+)"),
    ("go", "error", "stat", r"(?P<cause>stat \S+: (?:directory not found|no such file).*)"),
    ("go", "error", "imports", r"imports (?P<cause>\S+ .*import cycle not allowed.*)"),
    ("go", "error", "package", r"(?P<cause>package \S+ is not in .+|package \S+: build constraints exclude .+)"),
    ("go", "error", "no", r"(?P<cause>no required module provides package .+|no Go files in .+)"),
    ("vitest", "next", "FAIL", r"FAIL +(?P<name>\S+\.\w+ > .+|\S+\.\w+ \[ \S+ \])"),
    ("jest", "failed", "FAIL", r"FAIL +(?:\S+ )?(?P<also>\S+\.\w+)(?: \([\d.]+ m?s\))?$"),
    ("jest", "next", "●", r"● (?!Console$|Cannot log after)(?P<name>Test suite failed to run|.+ › .+|.+)"),
    ("biome", "cause", "×", r"× (?P<cause>Formatter would have .*)"),
    ("biome", "failed", "×", r"× Some errors were emitted while running checks"),
    ("rake", "wrapper", "rake", r"rake (?P<cause>aborted!)"),
    ("vitest", "failed", "× ✕", r"[×✕] (?P<also>.+?)(?: \(?\d+ ?ms\)?)?$"),
    ("playwright", "next", "0)", r"\d+\) (?P<name>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?)[ ─]*$"),
    ("minitest", "below", "0)", r"\d+\) (?:Failure|Error):$"),
    ("phpunit", "next", "0)", r"\d+\) (?P<name>[\w\\]+::\w+.*)"),
    ("mix", "next", "0)", r"\d+\) test (?P<name>.+)"),
    ("mocha", "next", "0)", r"\d+\) (?P<name>\S.*)"),
    ("rspec", "tests", "0example 0examples", r"\d+ examples?, \d+ failures?"),
    ("rspec", "failed", "rspec", r"rspec (?P<also>\./\S+:\d+ # .+)"),
    ("minitest", "tests", "0runs 0tests", r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
    ("phpunit", "passed", "OK OK,", r"OK(?:,.*| \(\d+ tests?, \d+ assertions?\))$"),
    ("phpunit", "failed", "FAILURES! ERRORS!", r"(?:FAILURES|ERRORS)!$"),
    ("phpunit", "none", "No", r"No tests executed!"),
    ("php", "error", "PHP Fatal Parse", r"(?:PHP )?(?P<cause>(?:Fatal|Parse) error: +.+)"),
    ("mix", "tests", "0test 0tests 0doctest 0doctests 0property 0properties",
     r"(?:\d+ (?:doctests?|property|properties), )*\d+ tests?, \d+ failures?"),
    ("mix", "failed", "**", r"\*\* (?P<cause>\(\w+Error\) .+)"),
    ("xcodebuild", "failed", "**", r"\*\* \w+ FAILED \*\*"),
    ("xcodebuild", "passed", "**", r"\*\* \w+ SUCCEEDED \*\*"),
    ("xcodebuild", "failed", "xcodebuild:", r"xcodebuild: error: (?P<cause>.+)"),
    ("xcodebuild", "failed", "{", r"\{ platform:.{1,300} name:.{1,120}\}$"),  # a list of what it could have been given
    ("docusaurus", "passed", "[SUCCESS]", r"\[SUCCESS\] Generated static files"),
    ("ctest", "tests", "0tests", r"\d+% tests passed, \d+ tests? failed out of \d+"),
    ("ctest", "failed", "0-",
     r"\d+ - (?P<name>\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|Child aborted)"),
    ("ctest", "none", "No", r"No tests were found"),
    ("gradle", "tests", "0test 0tests", r"\d+ tests? completed, \d+ failed"),
    ("gradle", "passed", "BUILD", r"BUILD SUCCESS(?:FUL)?\b"),
    ("gradle", "failed", "BUILD", r"BUILD FAIL(?:ED|URE)\b"),
    ("gradle", "next", ">", r"(?P<name>\S+ > .+) FAILED$"),
    ("gradle", "failed", ">", r"> Task (?P<also>\S+) FAILED"),
    ("gradle", "why", "*", r"\* What went wrong:"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<cause>\S+\.(?:java|kt|scala|groovy):\[?\d.*)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+):\d+(?:->\S+)? +(?P<cause>\S.+)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+) +» +(?P<cause>\S.+)"),
    ("dotnet", "failed", "Failed", r"Failed (?P<name>\S+.*?) \[[<\d].*\]$"),
    ("dotnet", "above", "Error", r"Error Message:$"),
    ("dotnet", "failed", "Build", r"Build FAILED\."),
    ("dotnet", "passed", "Build", r"Build succeeded"),
    ("msbuild", "problems", "0Error(s) 0Erro(s) 0Fehler 0Erreur(s) 0Errores 0Errori 0エラー",
     r"\d+ (?:Error\(s\)|Erro\(s\)|Fehler|Erreur\(s\)|Errores|Errori|エラー)$"),
    ("vstest", "tests", "! Com Con",  # in whatever language
     r"[^!]{1,30}! +[-–] +(?:[^:,]{1,30}: +\d+, ){4}.{1,200}\.dll\b"),
    # How a build ended in the languages that the SDK speaks, by MSBuild's own tables.
    ("dotnet", "passed", "Der La Compilación Compilação Compilazione Sestavení Kompilacja Сборка Oluşturma "
     "ビルドに成功しました。 已成功生成。 빌드했습니다.",
     r"(?:Der Buildvorgang wurde erfolgreich ausgeführt|La génération a réussi|Compilación correcta"
     r"|Compilação com êxito|Compilazione completata|Sestavení proběhlo úspěšně|Kompilacja powiodła się"
     r"|Сборка успешно завершена|Oluşturma başarılı oldu|ビルドに成功しました|已成功生成|빌드했습니다)\.?"),
    ("dotnet", "failed", "Fehler ÉCHEC ERROR FALHA Kompilacja ビルドに失敗しました。 生成失败。",
     r"(?:Fehler beim Buildvorgang|ÉCHEC de la build|ERROR al compilar|FALHA da compilação"
     r"|Kompilacja NIE POWIODŁA SIĘ|ビルドに失敗しました|生成失败)[.。]?$"),
    ("swift build", "passed", "Build", r"Build complete!"),
    ("turbo", "wrapper", "Failed:", r"Failed: +(?P<cause>\S+#\S+)"),
    ("flutter", "tests", ":+", r"\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed)"),
    ("flutter", "next", ":+", r"\d+:\d+ \+\d+.* -\d+: (?P<name>.+) \[E\]"),
    ("dart", "cause", "error", r"error [-•] (?P<cause>\S.+)"),
    ("gradle", "failed", "e:", r"e: (?P<cause>\S+ .+)"),
    ("next", "failed", "Type", r"(?P<cause>Type error: .+)"),
    ("gh", "tests", "0failing", r"\d+ failing, \d+ successful"),
    ("gh", "failed", "X", r"X\s+(?P<name>[^\t]+)\t"),
    ("eslint", "why", "Oops!", r"Oops! Something went wrong"),
    ("eslint", "cause", "@error", r"(?P<cause>\d+:\d+ +error +.+)"),
    ("ruff", "problems", "Found", r"Found \d+ errors?(?: \(|\.|$| in )|Found \d+ diagnostics?"),
    ("oxlint", "problems", "Found", r"Found \d+ warnings? and \d+ errors?"),
    ("phpstan", "problems", "[ERROR]", r"\[ERROR\] Found \d+ errors?"),
    ("phpstan", "passed", "[OK]", r"\[OK\] No errors"),
    ("ruff", "passed", "All", r"All checks passed!"),
    ("pylint", "passed", "Your", r"Your code has been rated at 10(?:\.00)?/10"),
    ("black", "passed", "All", r"All matched files use Prettier|All done!"),
    ("mypy", "passed", "Success:", r"Success: no issues found"),
    ("pyright", "problems", "0error 0errors", r"\d+ errors?, \d+ warnings?"),
    ("cc", "problems", "0error 0errors", r"\d+ errors?(?: generated\.)?$"),
    ("golangci-lint", "problems", "0issue 0issues", r"\d+ issues?(?:[.:]| found)"),
    ("dart", "passed", "No", r"No issues found"),
    ("rubocop", "problems", "0file 0files", r"\d+ files? inspected, (?:no|\d+) offenses?"),
    ("black", "bad", "0file 0files", r"\d+ files? would (?:be reformatted|fail)"),
    ("black", "passed", "0file 0files",
     r"\d+ files? (?:would be left unchanged|left unchanged|already formatted|reformatted)"),
    ("black", "failed", "would Would", r"[wW]ould reformat:? (?P<name>\S+)"),
    ("isort", "failed", "ERROR:", r"ERROR: (?P<name>\S+) Imports are incorrectly"),
    ("prettier", "failed", "[warn]", r"\[warn\] (?:Code style issues|(?P<name>\S+\.\w+)$)"),
    ("prettier", "error", "[error]", r"\[error\] (?P<cause>\S+\.\w+: .+)"),
    ("biome", "passed", "Checked", r"Checked \d+ files? in \S+ No fixes"),
    ("biome", "cause", "@biome", r"(?P<cause>\S+:\d+:\d+ (?:lint|parse|assist)\S*)"),
    ("biome", "cause", "format", r"(?P<cause>\S+\.\w+ format) ━"),
    ("shellcheck", "failed", "In", r"In (?P<name>\S+) line \d+:$"),
    ("shellcheck", "cause", "^", r"\^-*\^? (?P<cause>SC\d+ .+)"),
    ("tsc", "failed", "@error", r"(?P<cause>\S+?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .+)"),
    ("tsc", "failed", "error", r"error (?P<cause>TS\d+: .+)"),
    ("pyright", "failed", "@error", r"(?P<cause>\S+:\d+:\d+ - error: .+)"),
    ("dotnet", "failed", "@error", r"(?P<cause>\S+\(\d+,\d+\): error \w+: .+)"),
    ("golangci-lint", "failed", "@go", r"(?P<cause>\S+\.go:\d+: .+ \(dupl\)$)"),
    ("go build", "failed", "@go", r"(?P<cause>\S+\.go:\d+:\d+: .+)"),
    ("go", "log", "@go", r"(?P<cause>\S+_test\.go:\d+: .+)"),
    ("flake8", "failed", "@code", r"(?P<cause>\S+:\d+:\d+: [A-Z]{1,4}\d{1,4}:? .+|\S+:\d+:\d+: [CWEF]: .+)"),
    ("cc", "failed", "@error", r"(?P<cause>\S+:\d+(?::\d+)?: (?:fatal )?error: .+)"),
    ("cc", "failed", "@ld", r"(?P<cause>\S+: undefined reference to .+)"),
    ("ruby", "error", "@ruby", r"(?P<cause>\S+:in [^:]{1,100}: .+ \([\w:]*(?:Error|Exception)\))"),
    ("node", "cause", "@code", r"(?P<cause>\S+:\d+:\d+: ERROR: .+)"),
    ("make", "none", "make: gmake:", r"g?make: Nothing to be done for"),
    ("cc", "wrapper", "collect2: clang:", r"(?P<cause>(?:collect2|clang): error: .+)"),
    ("make", "wrapper", "make: gmake: ninja:",
     r"(?:g?make|ninja)(?:\[\d+\])?: (?P<cause>\*\*\* (?!.*ignored).+|build stopped.+|error: .+)"),
    ("npm", "wrapper", "npm",
     r"npm (?:ERR!|error) (?!code |errno|path |command |A complete|Lifecycle|workspace|location)(?P<cause>\S.+)"),
    ("pnpm", "wrapper", "[ELIFECYCLE] ELIFECYCLE", r"\[?ELIFECYCLE\]? +(?P<cause>.+)"),
    ("pnpm", "wrapper", "ERR_PNPM", r"(?P<cause>ERR_PNPM_\w+.*)"),
    ("yarn", "wrapper", "error", r"error (?P<cause>Command failed with exit code.+)"),
    ("mise", "wrapper", "mise", r"mise ERROR (?P<cause>.+)"),
    ("mise", "passed", "[]Finished", r"Finished in [\d.]+\w+$"),
    ("pytest", "passed", "..[100%]", r"[.sxX]+ +\[100%\]$"),
    ("go", "none", "no", r"no packages to test"),
    ("mise", "wrapper", "ERROR", r"ERROR (?P<cause>task failed.*)"),
    ("just", "wrapper", "error:", r"error: (?P<cause>[rR]ecipe .+|script \".+\" exited with code .+)"),
    ("task", "wrapper", "task:", r"task: (?P<cause>Failed to run task.+|Task .+ does not exist)"),
    ("pre-commit", "failed", "....", r"(?P<name>.+?)\.{3,}.*Failed$"),
    ("pre-commit", "passed", "....", r".+?\.{3,}.*Passed$"),
    ("tox", "passed", "congratulations", r"congratulations :\)"),
    ("tox", "wrapper", "evaluation", r"(?P<cause>evaluation failed :\(.*)"),
    ("webpack", "problems", "webpack", r"webpack \S+ compiled (?:successfully|with \d+ (?:errors?|warnings?))"),
    ("webpack", "then", "ERROR", r"ERROR in (?P<cause>\S.+)"),
    ("vite", "failed", "✗ error", r"✗ Build failed|error during build"),
    ("vite", "passed", "✓", r"✓ (?:built in|Compiled successfully)"),
    ("esbuild", "failed", "✘", r"✘ \[ERROR\] (?P<cause>.+)"),
    ("vite", "cause", "[", r"\[[A-Z]{2,20}_[A-Z_]{2,30}\] (?P<cause>.+)"),
    ("next", "failed", "Failed", r"Failed to compile"),
    ("tsup", "passed", "CJS ESM DTS", r"(?:CJS|ESM|DTS) .{1,6}Build success"),
    ("esbuild", "passed", "⚡", r"⚡ Done in"),
    ("docker", "failed", "ERROR:", r"ERROR: (?P<cause>failed to (?:solve|build).*)"),
    ("docker", "passed", "Successfully", r"Successfully (?:built|tagged) "),
    ("docker", "passed", "naming", r"naming to \S+ .*done"),
    ("docker", "error", "unable", r"(?P<cause>unable to prepare context: .+)"),
    ("cmake", "passed", "[100%]", r"\[100%\] Built target"),
    ("cmake", "then", "CMake", r"(?P<cause>CMake Error.*)"),
    ("terraform", "passed", "Apply Plan: Success! No",
     r"Apply complete!|Plan: \d+ to add|Success! The configuration|No changes\."),
    ("alembic", "error", "FAILED:", r"FAILED: (?P<cause>.+)"),
    ("jest", "none", "No", r"No (?:test files|tests) found"),
    ("playwright", "none", "Error:", r"Error: No tests found"),
    ("rspec", "none", "No", r"No examples found"),
    ("dotnet", "none", "No", r"No test (?:is available|matches)"),
    ("node", "failed", "Exception", r"Exception during run: (?P<cause>.+)"),
    ("java", "error", "Exception", r"(?P<cause>Exception in thread .+)"),
    ("python", "traceback", "Traceback", r"Traceback \(most recent call last\)"),
    ("bun", "then", "error:", r"(?P<cause>error: expect\(.+)"),
    ("", "error", "fatal:", r"(?P<cause>fatal: .+)"),
    ("", "error", "error:", r"(?P<cause>error: (?!'test failed').+)"),
    ("", "then", "Error:", r"(?P<cause>Error: .+)"),
    ("", "error", "ERROR:", r"(?P<cause>ERROR: .+)"),
    ("", "error", "Error", r"(?P<cause>[\w.]+(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?:: .+|$))"),
    ("", "then", "Error", r"(?P<cause>[\w.:]+(?:Error|Exception):)$"),
    ("cargo", "located", "-->", r"--> (?P<place>\S+:\d+:\d+)"),
    ("shell", "error", "bash: sh: zsh: (eval): /bin/sh: /bin/bash:", r"(?P<cause>.+)"),
)


# ==================================================================================================
# record/outputs.py: What an output says of how a run ended: totals, what failed, why; line by line.
# ==================================================================================================

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LINES_NEAR_MAX = 60  # looked at around a failure for its cause
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+")
ENDS_OF_SUITES = ("unittest", "phpunit", "cypress", "gradle")  # say at their end that all passed, and not how many
TOTALS_OF_TESTS = ("tests", "go ok", "ran")  # what lines say that total them
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun")  # those that failed stand in a line of their own
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
# What takes something of other lines:
LOOKING_ON = ("next", "below", "above", "then", "why", "go fail", "traceback", "located")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_WHAT_IS_SAID = {
    "next": "near", "below": "near", "above": "near", "go fail": "near", "why": "wrapper", "then": "error"}
FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed|failures?|failing|fail|errors?|issues?|offenses?|diagnostics?|interrupted"
    r"|cancelled)\b"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some")
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:passed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|tests?|runs|doctests?)\b|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b")

OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]
ROWS_BY_WORD: RowsByWord = {}
COMPILED: dict[str, re.Pattern[str]] = {}
NO_ROWS: list[OutputRow] = []  # looked at once more without the prefix


class OutputReading:
    """What an output says, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Nothing yet; `lines` are those to look on where a line tells only with others."""
        self.lines = lines
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.causes: dict[str, str] = {}

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the first row that fits says of the line; whether there is one."""
        for runner, says, pattern in rows:
            if match := (COMPILED.get(pattern) or compiled(pattern)).match(text):
                self.take_match(runner, says, match, place)
                return True
        return False

    def take_prefixed(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the line says behind the name of the task that printed it; whether it says something."""
        word = text.partition(" ")[0]
        if not word or (word[-1] not in "]:│┃║" and word[0] != "#" and rows is not NO_ROWS):
            return False
        match = compiled(TASK_PREFIX).match(text)
        inner = text[match.end():] if match else ""
        parts = inner.split(None, 2)
        if not match or not parts:
            return False
        table = rows_by_word()
        word = "[]Finished" if parts[0] == "Finished" and text[0] == "[" else parts[0]
        inner_rows = table.get(word) or rows_for(inner, word, parts, table) or NO_ROWS
        runner, says, fit = next(
            ((runner, says, fits) for runner, says, pattern in inner_rows if (fits := compiled(pattern).match(inner))),
            ("", "", None))
        if not fit:
            return False
        lines = self.lines
        if says in LOOKING_ON:
            begin, prefix = max(place - LINES_NEAR_MAX, 0), text[:match.end()]
            self.lines = [line.strip().replace(prefix, "", 1) for line in lines[begin:place + LINES_NEAR_MAX]]
            place -= begin
        self.take_match(runner, says, fit, place)
        self.lines = lines
        return True

    def take_match(self, runner: str, says: str, match: re.Match[str], place: int) -> None:
        """What one telling line says."""
        groups, text = match.groupdict(), match.string
        self.error_behind &= says not in TOTALS_OF_TESTS
        if says in ("tests", "problems"):
            self.take_total(runner, says, text)
        elif says == "go ok":
            self.packages += 1
            self.cached += bool(groups["cached"])
            (self.none if groups["none"] else self.tests).append(text)
            self.passes += not groups["none"]
        elif says == "passed":
            self.take_passed(runner, text)
        elif says == "none":
            self.none.append(groups.get("cause") or text)
        elif says == "ran":
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)
        elif says == "seen":
            self.seen_passing = True
        elif says == "log":
            self.last_log = groups["cause"]
        elif says == "located":
            self.take_place(groups["place"], place)
        else:
            self.take_failure(says, groups, place)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_total(self, runner: str, says: str, text: str) -> None:
        """A line of totals: how many failed, how many there were."""
        counts = [*map(int, re.findall(COUNTS_OF_DOTNET, text) if runner in DOTNET else [])]
        failures = counts[0] if counts else sum_of(FAILURE_COUNTS, text)
        self.failures += failures
        if says == "problems":
            self.problems.append(text)
            if not failures and runner != "cc":
                self.passed.append((runner, text))
            return
        passes = sum_of(SUCCESS_COUNTS, text) if runner != "ctest" else int(not text.startswith("0%"))
        passes = counts[1] if counts else passes
        self.passes += passes
        self.has_whole_total |= runner not in TOTALS_IN_PARTS
        has_zero_lines = runner == "node" or "flaky" in text  # `# fail 0` says nothing of how many passed
        (self.tests if passes or failures or has_zero_lines else self.none).append(text)

    def take_place(self, at: str, place: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(self.lines[max(place - 2, 0):place]) if line.strip()), "")
        if above.strip("│ ") and not above.startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, says: str, groups: dict[str, str | None], place: int) -> None:
        """A line that says that something failed, what, or why."""
        name, also = (groups.get("name") or "").strip(" ─"), groups.get("also") or ""
        cause = groups.get("cause") or groups.get("cause2") or ""
        kind = KIND_OF_WHAT_IS_SAID.get(says, says)
        if kind not in self.causes or says in ("next", "below"):
            name, cause = self.with_lines_near(says, name, cause, place)
        if name and name != "Test suite failed to run":
            self.names.append(name)
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(kind, cause)
        if says == "bad":
            self.problems.append(self.lines[place].strip())
        if says in ("failed", "bad", "go fail", "next", "below", "why", "wrapper"):
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(self.lines[place]).strip()
        elif says in ("error", "traceback", "then"):
            self.error_behind = True
            self.error_at_end |= place >= len(self.lines) - LAST_LINES - (30 if says == "traceback" else 0)

    def with_lines_near(self, says: str, name: str, cause: str, place: int) -> tuple[str, str]:
        """Name and cause with what stands in other lines."""
        if says == "traceback":
            return name, end_of_traceback(self.lines, place)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(self.lines, place)
        if says not in ("next", "below", "above", "then", "why") or len(self.names) >= NAMES_WITH_CAUSES_MAX:
            return name, cause
        near = lines_below(self.lines, place, says == "next")
        if says == "below" and near:
            name, near = near[0].partition(" [")[0].rstrip(":"), near[1:]
        if says == "next" and name and near and near[0].endswith(":") and near[0][:1].islower():  # mocha's, in parts
            name, near = f"{name} {near[0].rstrip(':')}", near[1:]
        near = with_expected(near)
        if says == "then":
            is_open = cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
            return name, " ".join([cause, *near[:1]]) if is_open else cause
        if says == "why" and len(near) > 1 and near[1].startswith("> "):
            return name, f"{near[0]} {near[1][2:]}"
        return name, near[0] if near else ""

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        for name in ("tests", "problems", "passed", "none", "names", "also"):
            getattr(self, name).extend(getattr(last, name))
        self.causes = {**last.causes, **self.causes}
        self.failures, self.passes = self.failures + last.failures, self.passes + last.passes
        self.packages, self.cached = self.packages + last.packages, self.cached + last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in compiled(pattern).finditer(text) for number in match.groups() if number)


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    known = COMPILED.get(pattern)
    if known is None:
        known = COMPILED[pattern] = re.compile(pattern)
    return known


def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with; made when first asked for."""
    if not ROWS_BY_WORD:
        for runner, says, words, pattern in OUTPUT_ROWS:
            for word in words.split():
                ROWS_BY_WORD.setdefault(word, []).append((runner, says, pattern))
    return ROWS_BY_WORD


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = both_ends(output, OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(lines), 0
    for place, text, rows in telling_lines(lines):
        if reading.take(rows, text, place) or reading.take_prefixed(rows, text, place):
            count += 1
            if count >= TELLING_LINES_MAX and place < len(lines) - TELLING_LINES_MAX:
                reading.join(read_output(lines[-TELLING_LINES_MAX:]))
                break
    return reading


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their places and the rows that may fit."""
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(filter(text.__contains__, ENDINGS))
    has_prefixes = ": " in text and any(map(text.__contains__, PREFIXED_TASKS))
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    untold = {""}  # lines that tell nothing; most come again
    for place, line in enumerate(lines):
        if line in untold:
            continue
        parts = line.split(None, 2) if line[:1] != "=" else line.strip(" \t=").split(None, 2)
        rows = table.get(parts[0]) if parts else None
        if rows is None and has_others and parts:
            rows = rows_by_end(line, endings, table)
        if rows is None and parts and parts[0] not in dull:
            rows = rows_for_kind(line, parts, has_prefixes, dull)
        if rows is None:
            untold.add(line)
            continue
        if len(parts) > 1 and is_of_passed_test(line, parts):
            rows = table["PASS"]
        yield place, shortened(line).strip(" \t="), rows


def rows_for_kind(line: str, parts: Sequence[str], has_prefixes: bool, dull: set[str]) -> list[OutputRow] | None:
    """The rows for a line by its kind, or by its task's name before it; a word of which it has none is dull."""
    word = parts[0]
    rows = rows_for(line, word, parts, rows_by_word())
    if rows is None and has_prefixes and len(parts) > 2 and parts[1][-1] == ":":
        rows = NO_ROWS
    if rows is None and not (has_prefixes or word[0].isdigit() or ":" in word):
        dull.add(word)
    return rows


def is_of_passed_test(line: str, parts: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (parts[0] == "---" and parts[1] == "PASS:") or (parts[0] == "test" and line.endswith("... ok"))


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    if len(line) <= OUTPUT_LINE_MAX_CHARACTERS:
        return line
    return re.sub(r"\S{1,400}\Z", "", line[:OUTPUT_LINE_MAX_CHARACTERS])


def rows_by_end(line: str, endings: tuple[str, ...], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if line.endswith("[100%]"):
            return table["..[100%]"] if not line.split(None, 1)[0].strip(".sxX") else None
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none: by its kind."""
    first, last = word[0], word[-1]
    if first in "[#│┃║" or last == "!":
        return table["!" if last == "!" else "["]
    if first.isdigit():
        return rows_for_number(word, parts, table)
    if ":" in word or last == ")":
        return rows_for_place(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(parts) == 1 or parts[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`."""
    if len(parts) < 2:
        return None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" in word:
        return table[":+"] if parts[1][0] == "+" else table["@error"] if parts[1] == "error" else None
    return table.get(f"0{parts[1].rstrip('.:,;')}")


def rows_for_place(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a place in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    if (rows := rows_for_word_and_colon(word, table)) is not None:
        return rows
    for key, part, text in (("@go", ".go:", word), ("@error", " error", line),
                            ("@ld", " undefined reference to ", line), ("@ruby", ":in", word)):
        if part in text:
            return table[key]
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return table["@biome"] if "━" in line else table["@code"]
    return NO_ROWS if word[-1] == ":" else None


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


def lines_below(lines: Sequence[str], place: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    near, depth, blank = list[str](), len(lines[place]) - len(lines[place].lstrip()), False
    for line in lines[place + 1:place + 8]:
        text = line.strip(" \t│=")
        if not text:
            blank = True
        elif indented and blank and not near and len(line) - len(line.lstrip()) <= depth:
            break
        elif not re.match(r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: ", text):
            near.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(near) == 4:
            break
    return near


def go_message(lines: Sequence[str], place: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[place + 1:place + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(place - LINES_NEAR_MAX, 0):place]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    pattern = compiled(GO_LOG)
    for part in (below, above):
        logs = [match[1] for line in part if (match := pattern.match(shortened(line)))]
        if logs:
            return next((log for log in reversed(logs) if compiled(GO_FAILURE).search(log)), logs[-1])
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(r"(?:Expected|Received|Actual|expected|got|left|right)\b", near[end]):
        end += 1
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]] if near and end > 1 else list(near)


def end_of_traceback(lines: Sequence[str], place: int) -> str:
    """The last line of a Python traceback: the error; of a chain of them the last one's."""
    begin, cause = place, ""
    for number in range(place + 1, min(len(lines), place + 400)):
        line = lines[number]
        if line.startswith("Traceback ("):
            begin = number
        elif line and not line[0].isspace() and begin >= 0 and re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line):
            cause, begin = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], -1
        elif begin < 0 and line and not line.startswith(("During handling of", "The above exception")):
            break
    return cause


# ==================================================================================================
# record/outcomes.py: How a command ended, by its exit code and by what its output says: the one vocabulary of results.
# ==================================================================================================

STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
OUTCOME_MAX_UTF16, CAUSE_MAX_UTF16, FAILED_NAME_MAX_UTF16, FILTER_MAX_UTF16 = 240, 200, 100, 60
COMMITS_NAMED_MAX = 3  # of one output
FAILED_NAMES_MAX, NAMES_IN_LINE_MAX, NAMES_COMPARED_MAX = 5, 3, 12
EXIT_CODE_LINE = r"(?:Error: )?Exit code (\d{1,3})(?:\n|$)"
REFUSED_CALLS = (  # what the client writes in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "This command requires approval", "Claude requested permissions to ")
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\dhms. ]{0,20}[hms])\s{0,9}(?:\n|$)"  # the client's, before output
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
NOT_STARTED, TIMED_OUT = (126, 127), 124  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10} )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|task: Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80}"
    r"|make: \*\*\* No rule to make target (?!.*needed by).{1,80})")
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
ECHO = r"(?:echo|printf)(?: -[neE]{1,3})? (?P<text>\"[^\"$`]{1,300}\"|'[^']{1,300}'|[^\s\"'$`]{1,100})$"
OWN_TEXT_MAX_CHARACTERS = 300
CURL_WRITES = r"-(?!-)\w*[oO]$|--(?:output|remote-name)"
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter"))
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild"))  # say it of tests and of builds alike
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json")
CLIENT_FILE = r"\.claude/(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+"
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
PRIVATE_NAMED_MAX = 20


class Run:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @property
    def only_line(self) -> str:
        """The line that is not empty, where there is just one."""
        first = [*islice(filter(None, map(str.strip, self.lines)), 2)]
        return first[0] if len(first) == 1 else ""

    @property
    def is_error(self) -> bool | None:
        """Whether its exit code says that it failed."""
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def has_failed(self) -> bool:
        """Whether the output says so."""
        return self.reading.failed or self.reading.failures > 0 or self.lists_files()

    def lists_files(self) -> bool:
        """Whether a formatter that was to list what it would change has listed files."""
        return (len(self.checks) == 1 and self.checks[0]["runner"] in LISTING_FORMATTERS and bool(self.text)
                and bool(re.search(r" -\w{0,5}l\w{0,5}\b", self.checks[0]["command"]))
                and all(re.match(r"\S{1,400}\.\w{1,6}$", line) for line in self.text))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": "", "names": [], "limits": [limit for check in checks for limit in check["limits"]]}
    prefix_code = None
    if is_error is not False and (prefix := re.match(EXIT_CODE_LINE, output)):
        prefix_code = int(prefix[1])
        exit_code = prefix_code if exit_code is None else exit_code
        output = output[prefix.end():]
    if exit_code is None and is_error is not None:
        exit_code = int(is_error)
    stopped, output = stopped_by(output, prefix_code) if is_error is not False else ("", output)
    exit_code = None if stopped else exit_code
    if is_error is not False and output.lstrip().startswith(REFUSED_CALLS):
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(output)])}
    if "background" in output[:2_000] and (background := re.search(IN_BACKGROUND, output[:2_000])):
        return {**outcome, "verdict": "running", "line": f"in the background: {background[1] or background[2]}"}
    run = Run(command, checks, output, exit_code)
    outcome["limits"] += limits_seen(run)
    if stopped:
        return stopped_outcome(run, outcome, stopped)
    outcome.update(git_outcome(run))
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    return (f"stopped by the tool's time limit after {limit[1]}", output[limit.end():]) if limit else ("", output)


def stopped_outcome(run: Run, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen.
    """
    of_git = git_outcome(run)
    for name in ("commit", "branch", "subject", "pushed"):
        if name in of_git:
            outcome[name] = of_git[name]
    reading, parts = run.reading, list[str]()
    if run.checks and (reading.tests or run.has_failed):
        names = unique_names(reading.names or reading.also)
        parts = [*short_totals(reading.tests)[-2:], names_in_line(names, reading.tests)]
    seen = joined_line(parts) or cut_words(telling_rows(run.text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    return {**outcome, "verdict": "stopped", "line": f"{stopped} (it had printed: {seen})" if seen else stopped}


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in ("test", "build", "types", "lint", "format") if family in families), "")


def limits_seen(run: Run) -> list[str]:
    """What makes the look at the output less than whole: pipes, results of an earlier run."""
    limits = [f"| {cut_words(' '.join(shell_words(text)[:3]), FILTER_MAX_UTF16)}"
              for check in run.checks for text in check["filters"]]
    is_cached = 0 < run.reading.packages == run.reading.cached
    return [*dict.fromkeys(limits), *(["(cached)"] if is_cached else [])]


# --- checks ---


def outcome_of_checks(run: Run, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        cause = cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16)
        return {**outcome, "verdict": "not run", "cause": cause, "line": cause}
    if run.is_error and len(pieces_of(run.command)) > len(checks) and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    if verdict == "failed" and len(checks) == 1 and not reading.tests and (line := no_such_task(run)):
        return {**outcome, "verdict": "not run", "cause": line, "line": line}
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    return outcome_with_line(run, outcome, verdict)


def verdict_of_checks(run: Run) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output."""
    printed = exit_printed(run) if len(run.checks) == 1 else None
    if printed is not None or (run.is_error is not None and all(check["shows_exit"] for check in run.checks)):
        if strongest(run.checks) == "test" and ran_nothing(run):
            return "not run"
        if printed or (printed is None and run.is_error):
            return "failed"
        says_nothing = any(not check["runner"] for check in run.checks) or any(
            option in run.command for option in NEVER_FAILING)
        has_failing_total = run.reading.failures > 0 and (run.reading.tests or run.reading.problems)
        return "failed" if run.lists_files() or (says_nothing and has_failing_total) else "passed"
    return "failed" if run.has_failed else verdict_seen(run)


def verdict_seen(run: Run) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] == "test" for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        if any(line.startswith("Doc-tests") for line in run.text):  # of cargo, run when all before them have passed
            return "passed"
        return "unknown" if any(is_cut(check, len(run.text)) for check in run.checks) else "not run"
    if (reading.error_at_end or (reading.none and reading.causes)) and not reading.passes:
        return "not run" if "command not found" in reading.cause else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = [check for check in run.checks if not check["shows_exit"] or run.is_error is not False]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: Run) -> bool:
    """Whether the output shows that this check passed."""
    reading, count = run.reading, len(run.text)
    is_task = not check["runner"]
    only_tails = all(shell_words(text)[:1] == ["tail"] for text in check["filters"])
    runners = {runner for runner, _ in reading.passed if runner != "mise" or (is_task and only_tails)}
    is_ambiguous = check["name"].rpartition(" ")[2] in AMBIGUOUS_TASKS
    if check["family"] == "test" or is_ambiguous:
        sees_all = sees_failures(check, count)
        has_passed = (reading.tests or reading.seen_passing) and sees_all
        if check["runner"] == "cargo test" and is_cut(check, count, ("head",)):
            return False  # each test binary has a total of its own, and those behind the first were cut off
        if has_passed or reading.has_whole_total or runners & (OF_TESTS | OF_ALL):
            return True
        if not is_ambiguous:
            return False
    if runners or reading.problems:
        return True
    if run.text:
        return names_silent_one(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def names_silent_one(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    named = [re.match(COMMAND_STARTED, line) for line in lines[:STARTED_MAX + 1]]
    if len(named) > STARTED_MAX or not all(named) or not named[-1]:
        return False
    started = checks_in(named[-1][1])
    return bool(started) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in started)


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines."""
    for text in check["filters"]:
        words = shell_words(text)
        program = words[0].rpartition("/")[2] if words else ""
        if program == "head" and count >= lines_let_through(words):
            return False
        if program in ("grep", "egrep", "rg") and "-v" not in words and (
                check["runner"] in SILENT_RUNNERS or not re.search(r"(?i)fail|error", text)):
            return False
        if program not in ("head", "tail", "cat", "tee", "sort", "uniq", "less", "grep", "egrep", "rg"):
            return False
    return True


def is_cut(check: Check, count: int, programs: Sequence[str] = ("head", "tail")) -> bool:
    """Whether head or tail may have let through only a part of the output."""
    filters = [shell_words(text) for text in check["filters"]]
    return any(words and words[0] in programs and count >= lines_let_through(words) for words in filters)


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through."""
    return next((int(number[:9]) for word in words[1:] if (number := word.lstrip("-n")).isdigit()), 10)


def is_passed_before_other_failed(run: Run) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: Run) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def no_such_task(run: Run) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    line = next((line for line in run.text[:20] if re.match(NO_SUCH_TASK, line)), "")
    return cut_words(line, CAUSE_MAX_UTF16)


def failing_family(run: Run) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        failing = [check for check in failing if not check["shows_exit"]] or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.names or reading.also or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing)


def exit_printed(run: Run) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    if "$?" not in run.command and "PIPESTATUS" not in run.command:
        return None
    pieces = pieces_of(run.command)
    for place, (piece, _) in enumerate(pieces):
        match = re.match(r"echo\s{1,9}[\"']?([^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\})", piece)
        if not match or not place:
            continue
        is_of_pipe = place > 1 and pieces[place - 2][1] in ("|", "|&") and "pipefail" not in run.command
        if is_of_pipe and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(match[1].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        for line in reversed(run.text):
            if shown := re.match(pattern, line):
                return int(shown[1])
    return None


def cd_failed(run: Run) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    return "cd " in run.command and len(run.text) <= 3 and any(re.search(r"\bcd:", line) for line in run.text)


# --- other commands ---


def is_made_good(run: Run) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))


def outcome_of_other(run: Run, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error:
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {"|", "|&"}) and "pipefail" not in run.command
    reading = run.reading
    success = next((line for _, line in reversed(reading.passed)), "") if outcome["family"] else ""
    if (has_pipe or signs & {";", "||", "\n", "&"}) and not success and not is_made_good(run):
        is_known = bool(outcome["family"]) or "traceback" in reading.causes
        if outcome["cause"] or (is_known and reading.error_at_end) or (outcome["family"] == "git" and reading.failed):
            return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def what_it_shows(command: str, output: str) -> str:
    """Why the output of a command that ended well says less than it seems to; empty: nothing is known of that.

    Text of its own `|| echo`, where that is no answer to a question (`ls a || echo none`); a file that curl fetched
    without --fail, which may be a page that says 404.
    """
    pieces = pieces_of(command)
    last = re.match(ECHO, pieces[-1][0]) if len(pieces) > 1 else None
    printed = output.strip() if len(output) <= OWN_TEXT_MAX_CHARACTERS else ""
    if last and printed and printed == last["text"].strip("\"'") and not is_looking(pieces[-2][0]):
        is_choice = len(pieces) > 2 and pieces[-2][0].startswith(("echo ", "printf "))
        if pieces[-2][1] == "||" and not is_choice:
            return "only the text behind its own `||`: what stands before it failed"
        if pieces[-2][1] in (";", "\n"):
            return "only its own echo"
    calls = [shell_words(piece) for piece, _ in pieces]
    fetched = max((place for place, words in enumerate(calls) if fetches_unchecked(words)), default=len(calls))
    is_looked_at = any(program_of(words) not in ("echo", "printf", "wait") for words in calls[fetched + 1:])
    is_doubtful = fetched < len(calls) and not is_looked_at
    return "curl without -f: a page with an error is saved as well" if is_doubtful else ""


def fetches_unchecked(words: Sequence[str]) -> bool:
    """Whether curl writes what it gets into a file, whatever the server answers, and shows no status."""
    short = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    writes = [word for word in words if re.match(CURL_WRITES, word)]
    return (words[:1] == ["curl"] and bool(writes) and "/dev/null" not in words and not {*"fwIi"} & {*short}
            and not any(word.startswith(("--fail", "--write-out", "--include", "--head")) for word in words))


def failed_other(run: Run, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    names = unique_names(reading.names or reading.also)
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)] if names else []
    if not names:
        cause = cause or said_best(run.text)
    return {**outcome, "verdict": "not run" if run.exit_code in NOT_STARTED else "failed", "names": names,
            "cause": cut_words(cause, CAUSE_MAX_UTF16),
            "line": outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"}


# --- what a person would want to read ---


def outcome_with_line(run: Run, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    names, cause = list[str](), ""
    if verdict == "failed":
        names = unique_names(reading.names or reading.also)
        cause = reading.cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        totals = short_totals([line for line in [*reading.tests, *reading.problems] if not line.startswith("ok ")])
        parts = [*totals[-2:], names_in_line(names, reading.tests), cause]
        fallbacks = (reading.failing_line, said_best(run.text), f"exit {run.exit_code or 1}")
        parts = parts if any(parts) else [next(filter(None, fallbacks))]
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, "" if run.is_error else "exit 0"]
    elif verdict == "not run":
        cause = reading.cause
        parts = [cause or (reading.none[-1] if reading.none else last_said(run.text))]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts += [f"exit {run.exit_code} of `{ending_program(run.command)}`"] if run.exit_code is not None else []
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "names": names,
            "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    lines = [line for runner, line in reading.passed if runner == "unittest" or (not totals and runner != "mise")]
    return [*totals, *(lines or [line for _, line in reading.passed if not totals])[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    short = [re.sub(r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)", "", re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:"))
             for line in totals]
    short = list({re.sub(r"[\d.]+", "", line)[:20]: line for line in short}.values())
    if any(line.startswith("Summary [") for line in short):  # nextest's own; the others are what its tests print
        short = [line for line in short if not line.startswith("test result:")]
    results = [line for line in totals if line.startswith("test result:")]
    if len(results) > 1 and any(line.startswith("test result:") for line in short):
        passed, failed = (sum_of(rf"(\d+) {word}", " ".join(results)) for word in ("passed", "failed"))
        short = [*(line for line in short if not line.startswith("test result:")),
                 f"{passed} passed; {failed} failed in {len(results)} test binaries"]
    if any(line.startswith("Tests") for line in short):  # jest's and vitest's files only where they failed
        short = [line for line in short
                 if not re.match(r"Test (?:Suites|Files)\b", line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(r"(?:pass|fail|tests|cancelled) \d+$|\d+ (?:pass|fail)$", line)]
    others = [line for line in short if line not in small]
    small = [line for line in small if not line.startswith(("tests", "cancelled 0"))]
    return [*others[-3:], *([", ".join(small[-2:])] if small else [])]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in dict.fromkeys(names[:NAMES_COMPARED_MAX])]
    return [name for name in short
            if not any(other.endswith(f" {name}") or other.startswith(f"{name}/") for other in short)
            ][:FAILED_NAMES_MAX]


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    return cut_words(f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}" if len(parts) > 2 else name,
                     FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str] = ()) -> str:
    """The first names, and how many more there are of those that are kept; a mark where a total counts more than those.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    count = max((sum_of(FAILURE_COUNTS, line) for line in totals if COUNTS_ALL not in line), default=0)
    more = f" +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else ""
    return ", ".join(names[:NAMES_IN_LINE_MAX]) + (", …" if names and count > len(names) else more)


def first_said(output: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in output[:4_000].split("\n") if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many."""
    return shortened(text[0]) if 0 < len(text) <= 3 else last_said(text)


def joined_line(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = dict.fromkeys(shortened(part).strip() for part in parts if part.strip())
    return cut_words(" · ".join(kept), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = " ".join(text.split())
    if units(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    while units(kept) > limit - 2:
        kept = kept.rpartition(" ")[0]
    return f"{kept} …" if kept else "…"


# --- git ---



def git_outcome(run: Run) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    outcome: Outcome = {}
    if "git" not in run.command:
        return outcome
    text, parts = "\n".join(map(shortened, run.lines)), list[str]()
    if "] " in text and (commits := re.findall(GIT_COMMIT, text)):
        branch, name, subject = commits[-1]  # which HEAD names now
        outcome.update({"branch": branch, "commit": name, "subject": subject.strip()})
        if "create mode" in text and (private := re.findall(PRIVATE_FILE, text)):
            private.sort(key=lambda path: re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is None)  # keys first
            outcome["private"] = private[:PRIVATE_NAMED_MAX]
        parts += [f"[{place} {short}] {words}" for place, short, words in commits[-COMMITS_NAMED_MAX:]]
    if "-> " in text and (match := re.search(GIT_PUSHED, text)) and (remote := re.search(r"(?m)^To (\S{1,400})", text)):
        commits_pushed = re.search(r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}", match[0])
        outcome["pushed"] = f"{re.sub(r'//[^/@]{1,300}@', '//', remote[1])} {match[1]}" + (
            f" {commits_pushed[0]}" if commits_pushed else "")
        parts += [f"pushed to {match[1]}", *re.findall(HOOK_REMARK, text)[:1]]
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if conflicts or waiting:
        outcome["conflicts"] = [re.split(r" (?:deleted|renamed|added|left) ", path, maxsplit=1)[0]
                                for path in dict.fromkeys(conflicts)]
        outcome["begun"] = waiting[1] if waiting else "merge"
        files = f": conflict in {', '.join(outcome['conflicts'][:5])}" if conflicts else ""
        outcome["cause"] = f"{outcome['begun']} stopped{files}"
        parts.append(outcome["cause"])
    else:
        parts += git_ended(run, outcome, text)
    may_have_failed = any(map(text.__contains__, ("fatal: ", "error: ", "rejected]", "hint: ")))
    if may_have_failed and not is_made_good(run) and (match := re.search(GIT_FAILURE, text)):
        outcome.setdefault("cause", match[1] or match[2])
        parts.append(match[1] or match[2])
    if "cause" in outcome:
        outcome["cause"] = cut_words(outcome["cause"], CAUSE_MAX_UTF16)
    return {**outcome, "line": joined_line(parts)} if parts else outcome


def git_ended(run: Run, outcome: Outcome, text: str) -> list[str]:
    """What came to its end, or that there was nothing to do."""
    parts = re.findall(GIT_NOTHING, text) if any(map(text.__contains__, GIT_NOTHING_WORDS)) else []
    if parts and parts[0].startswith(("nothing", "no changes")):
        outcome["cause"] = parts[0]
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        outcome["finished"] = ended[1]
        parts.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        outcome["finished"] = "rebase"
    return parts


# ==================================================================================================
# record/checks.py: Which files no check looks at: documentation, locks, output.
# ==================================================================================================

# Of the paths that a command checks, as seen from its folder, it does not: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors", ".gitignore")  # how they begin


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    is_text = name.endswith(UNCHECKED_ENDINGS) and not any(map(name.__contains__, ("requirements", "cmakelists")))
    return (is_text or name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES)
            or any(folder.startswith(".") or folder in UNCHECKED_FOLDERS for folder in folders))


# ==================================================================================================
# record/runs.py: When which check was last run, how that ended, what was edited after it, and which failures stay open.
# ==================================================================================================

CHECK_FAMILIES = ("test", "build", "types", "lint", "format")  # those that tell most first
KNOWN_VERDICTS = ("passed", "failed")
OUTPUT_LEFT_OUT, ENDED_IN_BACKGROUND = "…", "in the background: "
RUNS_MAX = 200  # compared, the newest: each with each
PUT_AWAY = r"\bgit stash(?: push| -\S{1,20})*\s*(?:&&|;)"  # the run is of the tree before the changes
SINCE_MAX = 2
SOME_LINES = r"\|\s*(?:e?grep|rg|ag)\b"
WHOLE_TASK_WORDS = "test tests spec specs run all full check checks ci verify preflight qa lint build fmt format types"
SPECIAL_TESTS = r"\b(?:e2e|integration|playwright|cypress|smoke|browser)\b"
NO_NPM_PROGRAMS = ("go ", "cargo", "pytest", "unittest", "swift", "dotnet", "rspec", "mix ", "phpunit", "mvn", "gradle",
                   "ruff", "mypy", "golangci-lint")  # what a package's own scripts are not known to run
FORMS_OF_PASSED_TESTS = {"go": r"\bpackages ok\b|\bok \S", "cargo": r"test result: ok|\d passed; 0 failed"}
SOURCES_OF_PROGRAM = {  # endings of the files that a program reads; another one may read all
    "go": ".go .mod .s .c .h", "gofmt": ".go", "goimports": ".go", "gofumpt": ".go", "golangci-lint": ".go .mod",
    "staticcheck": ".go", "gotestsum": ".go .mod", "cargo": ".rs .toml", "rustfmt": ".rs", "rustc": ".rs",
    "mypy": ".py .pyi .toml .ini .cfg", "pyright": ".py .pyi .toml .json", "ruff": ".py .pyi .ipynb .toml",
    "flake8": ".py .cfg .ini", "pylint": ".py .toml", "black": ".py .pyi .toml", "isort": ".py .toml",
    "tsc": ".ts .tsx .mts .cts .js .jsx .json .vue", "vue-tsc": ".ts .tsx .vue .json", "shellcheck": ".sh .bash",
    "actionlint": ".yml .yaml", "yamllint": ".yml .yaml", "terraform": ".tf .tfvars", "rubocop": ".rb .yml",
    "eslint": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json"}
SOURCE_LANGUAGES = {  # endings of sources that belong to one of them
    "apple": ".swift .m .mm .storyboard .xib .pbxproj .xcconfig .entitlements",
    "go": ".go", "rust": ".rs", "python": ".py .pyi", "jvm": ".kt .java",
    "dotnet": ".cs .fs .vb", "ruby": ".rb", "php": ".php", "dart": ".dart", "elixir": ".ex .exs",
    "web": ".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .html .css .scss"}
SOURCE_ENDINGS = tuple(" ".join(SOURCE_LANGUAGES.values()).split())
SOURCES_ELSEWHERE_MIN = 5  # edited outside of the working folder: fewer may be probes
LANGUAGES_OF_PROGRAM = {  # programs that read many kinds of files, but no sources of other languages than these
    "xcodebuild": "apple", "swift": "apple", "dotnet": "dotnet web", "flutter": "dart", "dart": "dart",
    "mix": "elixir web", "rspec": "ruby web",
    **dict.fromkeys(("npm", "bun", "vitest", "jest", "vite", "next", "webpack", "tsup"), "web")}
OTHER_THAN_WEB = "(?i)ios|android|native|mobile|tauri|electron|swift|rust|go\\b|python|wasm|ci\\b|all|check|verify|e2e"
TESTS_OF_LANGUAGE = {  # endings of sources; the tests that programs of the language's own run
    ".go": ("go test", "gotestsum"), ".rs": ("cargo test", "cargo nextest"),
    ".swift": ("swift test", "xcodebuild test"),
    ".py": ("pytest", "unittest", "nose2", "tox", "nox", "manage.py test", "behave"),
    ".rb": ("rspec", "minitest", "rails test", "cucumber"), ".ex": ("mix test",),
    ".dart": ("flutter test", "dart test")}



def last_runs(actions: Sequence[Item], root: str = "", runs: Sequence[CheckRun] = ()) -> list[CheckRun]:
    """Of each check its last broad run that is known to have ended, the check that ran last first.

    With it, as `newer`, its last run where that was limited, or did not show how it ended; where one of them failed
    each stands by itself.

    `root` is the folder in which commands run that name none; empty: not known, then each path counts. `runs` are the
    actions' check_runs, where they are known already; they stay as they are.
    """
    runs = runs or check_runs(actions)
    changes = sorted(changed_files(actions), key=lambda change: -change[0])
    counts = dict[str, int]()
    for run in runs:
        counts[run["name"]] = counts.get(run["name"], 0) + run["number"]
    by_check: list[list[CheckRun]] = []  # of each check, the one that ran last first: its runs worth telling
    for place in range(len(runs) - 1, -1, -1):
        run = runs[place]
        if run["verdict"] == "not run" or is_overtaken(run, runs[place + 1:]):
            continue
        same = next((chosen for chosen in by_check if is_same_check(chosen[0], run)), None)
        if same is None:
            by_check.append([run])
        elif tells_more(run, same):
            same.append(run)
    last: list[CheckRun] = []
    for chosen in by_check:
        whole = next((run for run in reversed(chosen) if run["verdict"] in KNOWN_VERDICTS), chosen[0])
        is_failed = any(run["verdict"] == "failed" for run in chosen)  # told by itself, and so is what came after it
        later = [run for run in chosen if run is not whole and not is_failed]
        newer = ([run for run in later if run["verdict"] in KNOWN_VERDICTS] or later)[:1]
        shown = chosen if is_failed else [whole]
        last += [{**run, "number": counts[run["name"]], "edited_after": edited_after(run, changes, root),
                  "newer": newer} for run in shown]
    return last


def is_overtaken(run: CheckRun, later: Sequence[CheckRun]) -> bool:
    """Whether a later run of another check stands for the run."""
    others = [other for other in later if other["verdict"] in KNOWN_VERDICTS and other["name"] != run["name"]]
    return any(stands_for(other, run) or shows_built(other, run) for other in others)


def is_same_check(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one check, however broad: of one name and target, and in no two folders."""
    return (run["name"] == other["name"] and target_of(run["check"]) == target_of(other["check"])
            and len({run["check"]["folder"], other["check"]["folder"]} - {""}) < 2)


def tells_more(run: CheckRun, chosen: Sequence[CheckRun]) -> bool:
    """Whether an earlier run says what those later ones do not: how the check ended, or how a broader run of it did."""
    if run["verdict"] not in KNOWN_VERDICTS:
        return False
    if all(other["verdict"] not in KNOWN_VERDICTS for other in chosen):
        return True
    return all(covers_check(run["check"], other["check"]) and not covers_check(other["check"], run["check"])
               for other in chosen)


def open_failures(actions: Sequence[Item], root: str = "", runs: Sequence[CheckRun] = ()) -> list[CheckRun]:
    """The checks whose last run failed and that no later run of the same breadth passed, the newest first.

    `root` and `runs` are those of last_runs.
    """
    changes = sorted(changed_files(actions), key=lambda change: -change[0])
    runs, forms = runs or check_runs(actions), mended(actions)
    still_open: list[CheckRun] = []
    for place in range(len(runs) - 1, -1, -1):
        run, later = runs[place], runs[place + 1:]
        if run["verdict"] != "failed" or any(ends_failure(other, run) for other in later):
            continue
        if any(run["position"] <= form["position"] and run["command"] == form["failed"] for form in forms):
            continue  # its form was wrong, and another one worked
        names = failing_names(run)
        same = next((newer for newer in still_open if names and names <= failing_names(newer)), None)
        if same:
            same["also"].append(run["command"])
            continue
        since = list(dict.fromkeys(
            other["command"] for other in reversed(later)
            if other["verdict"] == "passed" and other["family"] == run["family"]))[:SINCE_MAX]
        unseen = names_before(run, runs[:place]) if re.search(SOME_LINES, run["command"]) else []
        still_open.append({**run, "since": since, "also": [], "unseen": unseen,
                           "edited_after": edited_after(run, changes, root)})
    return still_open


def names_before(run: CheckRun, earlier: Sequence[CheckRun]) -> list[str]:
    """The tests that failed in the last run of the same breadth before this one, and that this one does not name."""
    for other in reversed(earlier):
        if stands_for(run, other) and other["verdict"] in ("passed", "failed"):
            names = failing_names(other) if other["verdict"] == "failed" else set[str]()
            return sorted(names - failing_names(run))
    return []


def mended_later(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth passed."""
    return {run["position"] for place, run in enumerate(runs) if run["verdict"] == "failed"
            and any(later["verdict"] == "passed" and stands_for(later, run) for later in runs[place + 1:])}


def failing_names(run: CheckRun) -> set[str]:
    """The names of tests with which the result of a failing run begins; empty where it begins with none."""
    names = run["result"].partition(" · ")[0].split(", ")
    return {*names} if all(re.match(r"[A-Za-z_][\w./:-]{5,200}$", name) for name in names) else set()


def ends_failure(later: CheckRun, failed: CheckRun) -> bool:
    """Whether the failure is no more the last word: the check passed, failed again, or ended in an unknown way."""
    if later["verdict"] == "unknown":
        return covers_check(later["check"], failed["check"])
    return later["verdict"] in ("passed", "failed") and (stands_for(later, failed) or shows_built(later, failed))


def stands_for(later: CheckRun, earlier: CheckRun) -> bool:
    """Whether the later run is of at least the earlier one's breadth, as far as that is certain."""
    if later["family"] != earlier["family"]:
        return False
    if covers_check(later["check"], earlier["check"]):
        return True
    above, folder = (run["check"]["folder"].strip("\"'").rstrip("/") for run in (later, earlier))
    return (not above or not folder or f"{folder}/".startswith(f"{above}/")) and runs_all(later, earlier)


def runs_all(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a task of the whole project's stands for the check: `make test` for `pytest tests/a.py`.

    One of e2e or integration tests only where its name says that it runs them, or everything.
    """
    program, _, task = later["name"].partition(" ")
    is_task = program in TASK_RUNNERS and not later["check"]["runner"]
    if not is_task or later["family"] != failed["family"]:
        return False
    if later["check"]["limits"]:
        return runs_same_places(later["check"], failed["check"])
    if program in ("npm", "bun") and failed["name"].startswith(NO_NPM_PROGRAMS):
        return False
    special = {*re.findall(SPECIAL_TESTS, failed["check"]["command"])}
    words = {*re.findall(r"[a-z0-9]+", task.lower())}
    if failed["name"].startswith(f"{program} "):  # `test:live` may be no part of `test`
        special |= {*re.findall(r"[a-z0-9]+", failed["name"].lower())} - {
            *re.findall(r"[a-z0-9]+", program), *WHOLE_TASK_WORDS.split(), "unit", failed["family"]}
    narrowing = words - {*WHOLE_TASK_WORDS.split(), failed["family"]} - special
    return not narrowing and (special <= words or bool(words & {"all", *AMBIGUOUS_TASKS}))


def runs_same_places(later: Check, failed: Check) -> bool:
    """Whether the task was given the same files, perhaps as seen from another folder, and nothing else."""
    places, options = list[str](), list[str]()
    for limit in later["limits"]:
        (options if limit.startswith("-") else places).append(limit)
    earlier = [limit.removeprefix("./") for limit in failed["limits"] if not limit.startswith("-")]
    return (bool(earlier) and all(option.startswith(("--filter", "--workspace")) for option in options)
            and all("." in place and any(f"/{other}".endswith(f"/{place}") for other in places) for place in earlier))


def shows_built(later: CheckRun, failed: CheckRun) -> bool:
    """Whether tests that passed show that what did not compile compiles now."""
    program, _, _ = failed["name"].partition(" ")
    form = FORMS_OF_PASSED_TESTS.get(program, "")
    if failed["family"] != "build" or not form or (later["family"], later["verdict"]) != ("test", "passed"):
        return False
    return not later["check"]["limits"] and bool(re.search(form, later["result"]))


def check_runs(actions: Iterable[Item]) -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first."""
    outcomes = [outcome for outcome in results_of(actions) if may_run_checks(outcome)][-RUNS_MAX:]
    of_changes = [outcome for outcome in outcomes
                  if "git stash" not in outcome["text"] or not re.search(PUT_AWAY, outcome["text"])]
    return [run for outcome in of_changes for run in runs_of(outcome)]


def may_run_checks(outcome: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    return (outcome["family"] in CHECK_FAMILIES or outcome["verdict"] in ("failed", "running")
            or str(outcome.get("result") or "").startswith(ENDED_IN_BACKGROUND))


def runs_of(outcome: Ending) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = checks_in(outcome["text"])
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    owner = next((family for family in CHECK_FAMILIES if family in speaking), "")
    if outcome["verdict"] == "failed" or len(pieces_of(outcome["text"])) == 1:
        owner = outcome["family"] or owner
    return [{"check": check, "family": check["family"], "name": check["name"], "command": outcome["text"],
             "verdict": verdict_of(check, place, checks, outcome),
             "result": outcome.get("result", "") if check["family"] == owner else "",
             "limits": outcome.get("limits", []) if len(checks) == 1 else check["limits"], "last": outcome["last"],
             "position": outcome["position"], "number": outcome["uses"], "edited_after": [], "since": [], "also": [],
             "unseen": [], "newer": []}
            for place, check in enumerate(checks)]


def verdict_of(check: Check, place: int, checks: Sequence[Check], outcome: Ending) -> str:
    """How this check of the line ended, as far as the line's own verdict tells."""
    verdict, family = str(outcome["verdict"]), outcome["family"]
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(check, str(outcome.get("result") or "")):
        return "passed"
    if verdict != "failed":
        return verdict_in_background(check, checks, outcome) if verdict == "ended" else verdict
    if family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == family), 0)
    if place < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def verdict_in_background(check: Check, checks: Sequence[Check], outcome: Ending) -> str:
    """How a check of a line ended that had gone into the background, by the exit code that the client tells."""
    code = re.search(r"\bexit code (\d{1,3})\b", str(outcome.get("result") or ""))
    if code is None or not check["shows_exit"] or (code[1] != "0" and len(checks) > 1):
        return "unknown"
    return "passed" if code[1] == "0" else "failed"


def shows_tests_passed(check: Check, result: str) -> bool:
    """Whether what is kept of the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test" or OUTPUT_LEFT_OUT in result:
        return False
    run = Run(check["command"], [check], "\n".join(re.split(r" [|·] ", result)), None)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)


# --- files ---


def changed_files(actions: Iterable[Item]) -> list[tuple[int, str]]:
    """The files that were edited, each with the place of its last edit in the session."""
    return [(action["position"], action["path"]) for action in actions if action.get("path") and action.get("edits")]


def edited_after(run: CheckRun, changes: Iterable[tuple[int, str]], root: str) -> list[str]:
    """The files that the run covers and that changed after it, as seen from the root."""
    covered = (path for position, path in changes
               if position > run["position"] and covers_file(run["check"], path, root))
    return [*dict.fromkeys(path.removeprefix(root.rstrip("/") + "/") for path in covered)]


def covers_file(check: Check, path: str, root: str) -> bool:
    """Whether the check looks at the file: it lies below the folder in which it runs, and is of its language.

    Tests run against all there is, whatever test is named; a check of files looks at no more than those it names.
    """
    root = root.rstrip("/")
    folder = os.path.normpath(os.path.join(root or "/", os.path.expanduser(check["folder"].strip("\"'")) or "."))
    path = os.path.normpath(os.path.join(root or "/", path))
    endings = SOURCES_OF_PROGRAM.get(check["name"].partition(" ")[0], "").split()
    if (endings and not path.endswith(tuple(endings))) or is_foreign(check, path):
        return False
    places = [limit.strip("\"'") for limit in check["limits"] if not limit.startswith("-")]
    if check["family"] in ("test", "build") or not places:
        places = ["."]
    for place in places:
        below = os.path.normpath(os.path.join(folder, place.removesuffix("/..."))).rstrip("/") + "/"
        if path == below[:-1] or (path.startswith(below) and not is_unchecked(path[len(below):])):
            return True
    return False


def is_foreign(check: Check, path: str) -> bool:
    """Whether the file is a source of a language that the check's program does not read.

    Of a package's own script only where its name says of nothing else: `npm run ios` may build what it likes.
    """
    program, _, task = check["name"].partition(" ")
    own = LANGUAGES_OF_PROGRAM.get(program, "").split()
    if not own or ("web" in own and re.search(OTHER_THAN_WEB, task)):
        return False
    return any(path.endswith(tuple(endings.split()))
               for language, endings in SOURCE_LANGUAGES.items() if language not in own)


def no_checks(actions: Sequence[Item], root: str = "") -> list[str]:
    """The sources that were edited, the newest first, where no command of the session was a check, whatever its end."""
    if any(checks_in(outcome["text"]) for outcome in results_of(actions)):
        return []
    return [path for path in edited_in_project(actions, root) if path.endswith(SOURCE_ENDINGS)]


def edited_in_project(actions: Sequence[Item], root: str) -> list[str]:
    """The files that were edited and may be checked, as seen from the working folder, the newest first.

    Where no source lies in it, those of the folder that all the edited sources share: the session stood elsewhere.
    """
    paths = dict.fromkeys(path for _, path in sorted(changed_files(actions), reverse=True))
    sources = [path for path in paths if path.endswith(SOURCE_ENDINGS)]
    if len(sources) >= SOURCES_ELSEWHERE_MIN and all(
            path.startswith("/") and not path.startswith(root.rstrip("/") + "/") for path in sources):
        root = os.path.commonpath(sources)
    below = [path.removeprefix(root.rstrip("/") + "/") for path in paths]
    return [path for path in below if not path.startswith(("/", "~")) and not is_unchecked(path)]


def never_run(actions: Sequence[Item], root: str = "") -> list[tuple[str, list[str]]]:
    """Languages' own tests that no command ran though sources of the language were edited: name and those files.

    Only where no task and no script could have run them: `make test` may run anything, a package's script its own.
    """
    names = {check["name"] for outcome in results_of(actions)
             for check in checks_in(outcome["text"]) if check["family"] == "test" and outcome["verdict"] != "not run"}
    if any(name.partition(" ")[0] in {*TASK_RUNNERS} - {"npm", "bun"} or "/" in name for name in names):
        return []
    absent, paths = list[tuple[str, list[str]]](), edited_in_project(actions, root)
    has_xcodebuild = any("xcodebuild" in action["text"] for action in actions if not action.get("path"))
    for ending, programs in TESTS_OF_LANGUAGE.items():
        name = programs[-1] if has_xcodebuild and ending == ".swift" else programs[0]
        files = [path for path in paths if path.endswith(ending)]
        if files and not names & {*programs}:
            absent.append((name, files))
    return absent


# ==================================================================================================
# recap/runs.py: How runs of checks, forms that worked and what git did are worded for the model: facts, each with its source.
# ==================================================================================================

COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16, RUN_RESULT_MAX_UTF16, SUBJECT_SHOWN_UTF16 = 200, 90, 200, 110
NEWER_COMMAND_MAX_UTF16, NEWER_RESULT_MAX_UTF16, OTHER_SUBJECT_MAX_UTF16 = 120, 90, 60
TAKES_OUT = r"\bgit (?:rm|filter-branch|filter-repo|reset)\b|filter-repo|\bbfg\b"  # of a commit, or of the history
FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
DIFFERENCE_CONTEXT_CHARACTERS = 40
FILES_MAX, COMMITS_SHOWN_MAX, EVENTS_MAX, FORMS_MAX, UNSEEN_MAX, LACKS_MAX = 5, 8, 4, 6, 5, 4
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_NEWER = {"unknown": "its end not shown", "running": "its end not seen", "stopped": "stopped"}
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(actions: Sequence[Item], last: Sequence[CheckRun], failures: Sequence[CheckRun], ago: Ago,
                root: str = "") -> list[str]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too.
    """
    moves, by_place = branches_gone_to(actions), {item["position"]: item for item in actions}
    lines = [tagged(failure_line(run, ago, root), by_place.get(run["position"], {})) for run in failures]
    by_position: dict[int, list[CheckRun]] = {}
    shown = {(run["position"], run["name"]) for run in failures}
    for run in last:
        if (run["position"], run["name"]) not in shown and run["verdict"] != "failed":
            by_position.setdefault(run["position"], []).append(run)
    commits = [event for event in git_ledger(actions) if event["what"] == "commit" and not event["replaced"]]
    lines += [tagged(runs_line(runs, ago, root, before_commit(runs, commits, actions)) + branch_since(runs[0], moves),
                     by_place.get(position, {}))
              for position, runs in by_position.items()
              if any(run["family"] != "format" for run in runs)]  # nobody asks when a formatter ran alone
    if no_checks(actions, root):
        return ["- none of this session's own commands is known as a test, build or linter"]
    lines += [f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}"
              for name, files in never_run(actions, root)]
    return lines


def since_failures(ledger: Sequence[GitEvent], runs: Sequence[CheckRun],
                   failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what is known since: of an open one nothing, else that it was mended.

    A merge or rebase that stopped is mended when it came to its end, by the ledger of git.
    """
    stopped = {event["position"] for event in ledger if event.get("waits") is False}
    return {**dict.fromkeys(stopped, " then, ended later"), **dict.fromkeys(mended_later(runs), " then, passed later"),
            **{run["position"]: "" for run in failures}}


def branch_since(run: CheckRun, moves: Sequence[GitEvent]) -> str:
    """That the session went to another branch after the run; empty where it did not."""
    before = [move["branch"] for move in moves if move["position"] < run["position"]]
    since = [move["branch"] for move in moves if move["position"] > run["position"]]
    return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""


def failure_line(run: CheckRun, ago: Ago, root: str) -> str:
    """A check whose last run failed, with what was done since."""
    result = f" → {short_result(run['result'], root, FAILURE_RESULT_MAX_UTF16)}" if run["result"] else ""
    parts = [f"- {run['family']} failed: {short_command(run['command'], root)}{result} ({ago(run['last'])})"]
    if run["also"]:
        parts.append(f"the same in {short_command(run['also'][0], root, OTHER_COMMAND_MAX_UTF16)}")
    if run["unseen"]:
        parts.append(f"failed before, its end not looked at since: {', '.join(run['unseen'][:UNSEEN_MAX])}")
    if run["edited_after"]:
        parts.append(f"edited since: {file_names(run['edited_after'])}")
    if run["since"]:
        parts.append("others passed since: " + ", ".join(
            short_command(command, root, OTHER_COMMAND_MAX_UTF16) for command in run["since"]))
    return "; ".join(parts)


def runs_line(runs: Sequence[CheckRun], ago: Ago, root: str, before: str = "") -> str:
    """The checks of a command line that were not run later; `before` says what came since."""
    families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
    newest = runs[0]
    verdict = VERDICT_WORDS.get(newest["verdict"], newest["verdict"])
    seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
    results = dict.fromkeys(seen)
    result = " · ".join(short_result(result, root) for result in results)
    if newest["verdict"] == "unknown" and result:  # of one of several checks
        is_elsewhere = result.startswith(ENDED_IN_BACKGROUND)
        verdict, result = (verdict if is_elsewhere else PARTLY_SEEN), re.sub(EXIT_OF_OTHER, "", result)
    ending = f"{verdict}: {result}" if result not in ("", "exit 0") else verdict
    ending = result if verdict == "stopped" and result else ending  # it says by whom
    if any("(cached)" in run["limits"] for run in runs) and "cached" not in ending:
        ending += " (cached)"
    files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
    since = f"; edited since: {file_names(files)}" if files else ""
    command = short_command(newest["command"], root)
    since += newer_run(runs, ago, root)
    return f"- {', '.join(families)}: {command} → {ending} ({ago(newest['last'])}{before}){since}"


def before_commit(runs: Sequence[CheckRun], commits: Sequence[GitEvent], actions: Sequence[Item]) -> str:
    """That the runs came before the newest commit, where a file they cover was edited between; else empty."""
    files = [path for run in runs for path in run["edited_after"]]
    newest = commits[0] if files and commits else None
    is_between = newest is not None and any(
        runs[0]["position"] < action["position"] < newest["position"] and action["path"].endswith(tuple(files))
        for action in actions if action.get("path") and action.get("edits"))
    return f", before commit {newest['hash']}" if newest and is_between else ""


def newer_run(runs: Sequence[CheckRun], ago: Ago, root: str) -> str:
    """The last run of the checks, where it came later and was limited, or did not show how it ended; else empty."""
    newer = next((run for of_check in runs for run in of_check["newer"]), None)
    if newer is None:
        return ""
    is_known, result = newer["verdict"] == "passed", newer["result"]
    is_empty = newer["verdict"] == "running" or re.match(f"{NOTHING_SEEN}|exit 0$", result)
    seen = "" if is_empty else short_result(result, root, NEWER_RESULT_MAX_UTF16)
    said = f"{': ' if is_known else ', seen of it: '}{seen}" if seen else ""
    ending = VERDICTS_OF_NEWER.get(newer["verdict"], "passed") + said
    is_less = any(of_check["newer"] and not covers_check(newer["check"], of_check["check"]) for of_check in runs)
    command = short_command(newer["command"], root, NEWER_COMMAND_MAX_UTF16)
    what = f"since then only {command}" if is_less else "run again"
    return f"; {what} ({ago(newer['last'])}): {ending}"


def form_lines(actions: Sequence[Item], root: str = "") -> list[str]:
    """Forms of commands that failed beside the one that worked, which stands once."""
    failures: dict[str, list[str]] = {}
    for form in mended(actions)[:FORMS_MAX]:
        failed, worked = (short_command(command, root) for command in (form["failed"], form["worked"]))
        if failed == worked:  # the folder makes the difference, or what lies behind the cut
            failed, worked = from_difference(form["failed"], form["worked"])
        times = f" (such failures: {form['times']})" if form["times"] > 1 else ""
        result = short_result(form["result"], root, OTHER_COMMAND_MAX_UTF16)
        failures.setdefault(worked, []).append(f"{failed} → {result}{times}")
    return [f"- {'; '.join(failed)}; worked: {worked}" for worked, failed in failures.items()]


def lack_lines(items: Sequence[Item], root: str = "") -> Iterator[str]:
    """What the machine refused to the session's commands: programs that it has not, and a password for sudo."""
    refused = {lack["program"]: short_command(lack["command"], root, OTHER_COMMAND_MAX_UTF16) for lack in lacks(items)}
    if command := refused.pop(SUDO, ""):
        yield f"- sudo asked for a password that no command could type: {command}"
    if refused:
        named = [f"{as_code(program)} in {command}" for program, command in [*refused.items()][:LACKS_MAX]]
        yield f"- command not found, and not seen to run in this session: {', '.join(named)}"


def from_difference(failed: str, worked: str) -> tuple[str, str]:
    """Both commands as code, each from a little before where they begin to differ."""
    lines = [folded_line(command) for command in (failed, worked)]
    differs = next((at for at, pair in enumerate(zip(*lines)) if len({*pair}) > 1), min(map(len, lines)))
    begin = max(differs - DIFFERENCE_CONTEXT_CHARACTERS, 0)
    shown = [as_code(f"{'…' if begin else ''}{cut(line[begin:], COMMAND_MAX_UTF16)}") for line in lines]
    return shown[0], shown[1]


def git_lines(items: Sequence[Item], ago: Ago, root: str = "", is_now_known: bool = False,
              ledger: Sequence[GitEvent] = ()) -> list[str]:
    """What git was seen to do: what waits for its end, what was edited since, pushes, then commits, the newest first.

    Where git itself was asked, it knows better what is committed, changed and begun: that is left out.
    """
    actions = [item for item in items if item["kind"] == "action"]
    events = ledger or git_ledger(actions)
    has_commits = any(event["what"] == "commit" for event in events)
    lines = [] if is_now_known else [*waiting_lines(events, ago, root), *left_lines(items, events, ago, root)]
    pushes = [event for event in events if event["what"] == "push" and event["certain"]]
    if pushes:
        where = f", to {cut(pushes[0]['to'], SUBJECT_SHOWN_UTF16)}" if pushes[0]["to"] else ""
        where += f"; it printed {in_quotes(pushes[0]['remark'])}" if pushes[0].get("remark") else ""
        lines.append(f"- last push: {short_command(pushes[0]['text'], root)} ({ago(pushes[0]['last'])}){where}")
    is_unpushed = has_commits and not may_have_pushed(actions)
    if is_unpushed:
        lines.append("- no push in this session's commands")
    lines += [f"- pull request opened: {event['text']} ({ago(event['last'])})"
              + (f"; it warned: {in_quotes(event['remark'])}" if event.get("remark") else "")
              for event in events if event["what"] == "pull request"]
    lines += private_lines(actions, events)
    lines += [] if is_now_known else commit_lines(events, ago, bool(pushes) or is_unpushed)
    done: dict[str, GitEvent] = {}
    for event in events:
        if event["what"] in ("history", "branch") and not event.get("waits"):
            done.setdefault(event["text"], event)
    if done:
        lines.append("- also, newest first: " + ", ".join(
            f"{short_command(event['text'], root, OTHER_COMMAND_MAX_UTF16)} ({ago(event['last'])})"
            for event in [*done.values()][:EVENTS_MAX]))
    return lines


def private_lines(actions: Sequence[Item], events: Sequence[GitEvent]) -> Iterator[str]:
    """Which commits took in files that are seldom meant to be in one, as far as nothing later took them out again."""
    gone = {event["hash"] for event in events if event["what"] == "commit" and event["replaced"]}
    for item in [action for action in actions if action.get("private") and action["commit"] not in gone]:
        later = [action["text"] for action in actions if action["position"] > item["position"]]
        if not any(re.search(TAKES_OUT, text) for text in later):
            paths, others = item["private"], len(item["private"]) - FILES_MAX
            most = "at least " if len(paths) == PRIVATE_NAMED_MAX else ""
            names = ", ".join(paths[:FILES_MAX]) + (f" and {most}{others} more" if others > 0 else "")
            yield f"- commit {item['commit']} took in files that are mostly private: {names}"


def left_lines(items: Sequence[Item], events: Sequence[GitEvent], ago: Ago, root: str) -> Iterator[str]:
    """What the commands left in the repository: a stash, commits elsewhere, commits of others, files in no commit."""
    actions = [item for item in items if item["kind"] == "action"]
    looks = [item for item in items if item["kind"] == "look"]
    if stash := open_stash([*actions, *looks]):
        command = short_command(stash[0]["text"], root, OTHER_COMMAND_MAX_UTF16)
        yield (f"- stashed by {command} ({ago(stash[0]['last'])}) and not taken back by this session's commands: "
               f"{cut(stash[1], SUBJECT_SHOWN_UTF16)}")
    branch, lacking = missing_in_branch(actions, looks, events, root)
    if lacking:
        where = ", ".join(dict.fromkeys(event["branch"] for event in lacking))
        names = ", ".join(event["hash"] for event in lacking[:COMMITS_SHOWN_MAX])
        yield f"- not in the current branch {branch}: {names} of {where}, no push of it seen"
    if others := commits_of_others([*actions, *looks], events):
        named = "; ".join(f"{name} {cut(words, OTHER_SUBJECT_MAX_UTF16)}" for name, words in others[1][:EVENTS_MAX])
        more = f" and {len(others[1]) - EVENTS_MAX} more" if len(others[1]) > EVENTS_MAX else ""
        yield (f"- in `git log` {ago(others[0]['last'])}, committed by others than this session's own commands: "
               f"{named}{more}")
    has_commits = any(event["what"] == "commit" for event in events)
    if files := uncommitted(actions, events, root, status_seen(looks)):
        what = "edited after the last commit" if has_commits else "edited; no commit in this session's commands"
        yield f"- {what}: {file_names(files)}"
    if never := [path for path in never_added(actions, events, root) if path not in files]:
        yield f"- edited and named by no `git add` of this session: {file_names(never)}"


def waiting_lines(events: Sequence[GitEvent], ago: Ago, root: str) -> list[str]:
    """Merges, rebases and the like that were begun and not seen to end, with the files in conflict."""
    return [f"- waits for its end: {short_command(event['text'], root)} ({ago(event['last'])})"
            + (f"; in conflict: {file_names(event['files'])}" if event["files"] else "")
            for event in events if event.get("waits")]


def commit_lines(events: Sequence[GitEvent], ago: Ago, are_pushes_known: bool) -> Iterator[str]:
    """A line for each of the newest commits, with its branch where that is another than the line's before.

    Where pushes are not known (one stands within a command for another host), of no commit that is said.
    """
    commits, branch = [event for event in events if event["what"] == "commit"], ""
    kept = [commit for commit in commits if not commit["replaced"]]
    for commit in kept[:COMMITS_SHOWN_MAX]:
        is_named = commit["branch"] not in ("", branch) and not commit["branch"].startswith("detached")
        where = f" on {commit['branch']}" if is_named else ""
        branch = commit["branch"]
        when = ago(commit["last"]) + {
            "yes": ", pushed", "no": ", no push seen" if are_pushes_known else ""}.get(commit["pushed"], "")
        later = ", a rebase came later" if commit.get("rebased") else ""
        yield f"- commit {commit['hash']}{where}: {cut(commit['text'], SUBJECT_SHOWN_UTF16)} ({when}{later})"
    if len(kept) > COMMITS_SHOWN_MAX:
        yield f"- and {len(kept) - COMMITS_SHOWN_MAX} commits before, from {kept[-1]['hash']} on"
    if gone := [commit["hash"] for commit in commits if commit["replaced"]]:
        yield f"- replaced by a later amend or reset: {', '.join(gone[:COMMITS_SHOWN_MAX])}"


def short_command(command: str, root: str, limit: int = COMMAND_MAX_UTF16) -> str:
    """The command as code on one line, without the working folder's path and `2>&1`."""
    command = without_headings(command)
    command = without_root(" ⏎ ".join(line.strip() for line in command.splitlines() if line.strip()), root)
    if command.startswith("cd ") or " 2>&1" in command:
        command = re.sub(r"^cd (?:\./?)? ?(?:&&|⏎|;) | 2>&1(?= |$)", "", command)
    return as_code(cut(command, limit))


def short_result(result: str, root: str, limit: int = RUN_RESULT_MAX_UTF16) -> str:
    """What the output said, without the working folder's path."""
    return cut(without_root(result, root), limit)


def without_root(text: str, root: str) -> str:
    """The text with the paths below the working folder as seen from there."""
    root = root.rstrip("/")
    return re.sub(re.escape(root) + r"(?:/|(?=[\s\"';&]|$))", "", text) if root and root in text else text


def file_names(paths: Sequence[str]) -> str:
    """The first paths by their names, with the folder where two have the same, and how many more there are."""
    names = [path.rpartition("/")[2] for path in paths]
    shown = ["/".join(path.split("/")[-2:]) if names.count(name) > 1 else name for path, name in zip(paths, names)]
    more = f" and {len(paths) - FILES_MAX} more" if len(paths) > FILES_MAX else ""
    return ", ".join(shown[:FILES_MAX]) + more


# ==================================================================================================
# record/names.py: Names in a text (functions, files, ids, hashes), and whether a summary holds what a line says already.
# ==================================================================================================

TEXT_WITH_NAMES_MAX_CHARACTERS = 20_000  # looked through for names
NAMES_OF_TEXT_MAX = 60
NEXT_PART_MAX_CHARACTERS = 6_000
WORDS_IN_ONE_LINE = 0.85  # of a line without names, that one line of the summary must hold
WORDS_NEAR_NAMES = 0.6  # of the plain words of a line, that the summary's lines with its names must hold
NEXT_HEADING = (  # begins the part of a summary that says what comes next
    r"(?im)^[ \t#*]{0,8}(?:\d{1,2}\.)?[ \t#*]{0,4}(?:pending|open|remaining|outstanding|current|next|optional)"
    r"(?: [\w/-]{1,20}){0,3}[ \t*]{0,4}(?:\([^)\n]{0,60}\))?[ \t*]{0,4}:?[ \t*]{0,4}$"
    r"|(?i:^[ \t#*]{0,8}\d{1,2}\.[ \t#*]{0,4}(?:pending tasks|current work|optional next step)\b)")
WORD_WITH_NAME = r"(?<![\w/.-])(?:--?|#|@|\./|~/)?[A-Za-z0-9_](?:[\w/@+:.-]{0,118}\w)?"
MARKED_NAME = r"`([^`\s]{3,80})`"
HASH_FORM = r"(?=[0-9a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}"
UUID_FORM = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ID_FORM = r"[A-Z][A-Z0-9]{1,9}-\d{1,7}|#\d{1,7}"
JOINED_FORM = (  # lowerCamel, UpperCamel, with_underscores
    r"[a-z$_][a-z0-9_]{0,40}[A-Z]\w{0,60}|[A-Z]{1,9}[a-z][a-z0-9]{0,40}[A-Z]\w{0,60}|[A-Za-z][A-Za-z0-9]{0,40}_\w{1,60}"
    r"|_[a-z]\w{2,60}")
FILE_FORM = r"[\w.@+-]{2,80}\.[A-Za-z][A-Za-z0-9]{0,7}"
HYPHENATED_FORM = r"\w{1,40}(?:-\w{1,40}){2,9}|(?=\D{0,60}\d)[A-Za-z]\w{0,40}-\w{1,40}|--[a-z][\w-]{1,60}"
NAME_ALONE, NAME_OF_PARTS = f"{UUID_FORM}|{ID_FORM}|{HASH_FORM}|{JOINED_FORM}", f"{HYPHENATED_FORM}|{JOINED_FORM}"
MEMBER_FORM = rf"\w{{2,60}}(?:\.\w{{1,60}}){{0,4}}\.(?:{JOINED_FORM})"  # module.functionName
NO_NAMES = frozenset((  # look like names, and are none of the work's
    "JavaScript", "TypeScript", "GitHub", "GitLab", "OpenAI", "macOS", "iOS", "README.md", "PostgreSQL", "MySQL",
    "SQLite", "MongoDB", "GraphQL", "WebSocket", "WebSockets", "OAuth", "JetBrains", "IntelliJ", "LinkedIn",
    "e.g", "i.e", "VSCode", "DevTools", "YouTube", "LaTeX", "Node.js", "node.js", "Next.js", "Vue.js"))
VALUE_IN_LINE = r"(?<![\w.])[v~$]?\d[\d.,:]{0,18}\d(?!\w)|(?<![\w.:])\d(?= [a-z])|\"[^\"\n]{2,60}\"|`[^`\n]{2,80}`"
PLACE_IN_LINE = r"([\w.@+-]{1,80}\.\w{1,8}):(\d{1,6})\b"
STATES = (  # what a line may say of its names, that a summary may say otherwise
    r"(?i)\bfail|\berror|\bbroken|\brejected|✗|✘|\brefused",
    r"(?i)\bpass(?:ed|es|ing)?\b|\bok\b|\bsuccess|✓|✔|\bgreen\b",
    r"(?i)\b(?:not|no|never|none|missing|without|nothing|cannot)\b|n't\b",
    r"(?i)\b(?:pending|uncommitted|unpushed|running|waiting|draft|in progress|open)\b",
    r"(?i)\b(?:done|completed?|committed|pushed|merged|fixed|closed|resolved)\b",
    r"(?i)\b(?:probably|maybe|might|unsure|unclear|suspect|assum\w{1,5}|wrong|incorrect)\b|\bnot sure\b")
CONTENT_WORD = r"[^\W\d_]{4,40}"


def names_of(text: str) -> list[str]:
    """The names in a text, each once, as they come: functions, types, files, flags, hashes, ids; also a path's end.

    Words of a plain language are none, unless they stand alone between backticks.
    """
    return [*names_within(text)]


def names_within(text: str) -> Iterator[str]:
    """The names in a text as `names_of` has them: who stops at one of them pays for no others."""
    text, names = text[:TEXT_WITH_NAMES_MAX_CHARACTERS], set(NO_NAMES)
    marks = re.findall(MARKED_NAME, text) if "`" in text else ()
    marked = {word.partition("(")[0].rstrip(".,:;") for word in marks}
    for word in re.findall(WORD_WITH_NAME, text):
        inner = names_in_word(word)
        if not inner and word in marked and not word.isdigit():
            inner = [word]
        for name in inner:
            if name not in names:
                names.add(name)
                yield name
            if len(names) - len(NO_NAMES) >= NAMES_OF_TEXT_MAX:
                return


@lru_cache(maxsize=4096)
def names_in_word(word: str) -> list[str]:
    """The names that a word without blanks is or holds; the most telling first."""
    is_plain = word.isdigit() or (word.isalpha() and word[1:].islower())  # as most words are
    if is_plain or re.fullmatch(NAME_ALONE, word):
        return [] if is_plain else [word]
    word = re.sub(r"(?::\d+){1,2}$", "", word) if ":" in word else word  # a place in a file
    if "/" in word:
        end = word.rpartition("/")[2]
        is_path = "." in end or word.count("/") > 1 or bool(re.search(r"[_\d@]|^\./", word))
        return [word, *names_in_word(end)] if is_path and not re.fullmatch(r"[\d/.:-]+", word) else []
    if "." in word and re.fullmatch(MEMBER_FORM, word):
        return [word]  # module.functionName
    if "." in word and re.fullmatch(FILE_FORM, word) and not word[0].isdigit():
        before, _, end = word.rpartition(".")
        return [word] if len(before) > 1 and end[:1].islower() else []
    if "." in word or ":" in word:
        return [part for part in re.split(r"[.:]+", word) if re.fullmatch(JOINED_FORM, part)]
    return [word] if re.fullmatch(NAME_OF_PARTS, word) else []


def next_part(summary: str) -> str:
    """The part of a summary that says what is pending, what was being done and what comes next; empty without one."""
    begins = [match.start() for match in re.finditer(NEXT_HEADING, summary)] if summary else []
    late = [begin for begin in begins if begin > len(summary) // 3]
    return summary[late[0]:][:NEXT_PART_MAX_CHARACTERS] if late else ""


def is_plain_word(name: str) -> bool:
    """Whether a name is a word as others are, that only its backticks made a name."""
    return name.isalpha() and not names_in_word(name)


@lru_cache(maxsize=4)
def lines_of_summary(summary: str) -> tuple[list[tuple[str, str, frozenset[str]]], frozenset[str], str]:
    """The summary's lines that say something, each in lower case too and with its words and numbers; all of its words.

    Last the summary in lower case.
    """
    rows = [(line, line.lower(), frozenset(re.findall(r"\w+", line))) for line in summary.splitlines() if line.strip()]
    return rows, frozenset(re.findall(r"[\w.@+-]*\w", summary)), summary.lower()


def in_summary(line: str, summary: str) -> bool:
    """Whether the summary holds the names and the values of a line, and of these what the line says of their state.

    Without names or values: whether one of its lines holds nearly all of its words.
    """
    if not summary or not line or line in summary:
        return bool(summary and line)
    lines, words, lowered = lines_of_summary(summary)
    tokens = list[str]()
    for token in tokens_in(line):  # most lines have one that the summary lacks
        if token not in words and token not in summary:
            return False
        tokens.append(token)
    tokens = [*dict.fromkeys(tokens)]
    numbers, names = ([token for token in tokens if token.isdigit() is is_number] for is_number in (True, False))
    about = [row for row in lines if any(map(row[0].__contains__, names))] if names else []
    if not all(any(number in inner for _, _, inner in about or lines) for number in numbers):
        return False
    if len(tokens) < 2:
        is_near = words_in_one_line(line, [row for _, row, _ in about or lines], lowered)
    else:
        is_near = words_near_names(line, tokens, [row for row, _, _ in about or lines])
    if not is_near:
        return False
    for file, number in re.findall(PLACE_IN_LINE, line) if ":" in line else ():
        if not any(file in row and number in inner for row, _, inner in lines):
            return False
    return all(any(re.search(state, row) for row, _, _ in about) for state in STATES if re.search(state, line))


def words_near_names(line: str, tokens: list[str], about: list[str]) -> bool:
    """Whether the summary's lines with the names of a line hold most of its plain words."""
    of_names, near = "\n".join(tokens), "\n".join(about)
    plain = {word for word in re.findall(CONTENT_WORD, line) if word not in of_names}
    return sum(map(near.__contains__, plain)) >= WORDS_NEAR_NAMES * len(plain)


def tokens_of(line: str) -> list[str]:
    """What a line tells besides plain words: its names, of paths the end alone, numbers, what stands in quotes."""
    return [*dict.fromkeys(tokens_in(line))]


def tokens_in(line: str) -> Iterator[str]:
    """The same, some of them twice; the values first, which take less time to find."""
    has_digits = any(map(str.isdecimal, line))
    bare = re.sub(PLACE_IN_LINE, " ", line) if ":" in line and has_digits else line
    may_hold_values = has_digits or '"' in line or "`" in line
    values = (value.strip("\"`.,:~$") for value in (re.findall(VALUE_IN_LINE, bare) if may_hold_values else ()))
    yield from filter(None, values)
    yield from (name for name in names_within(line) if "/" not in name)


def words_in_one_line(line: str, lines: list[str], lowered: str) -> bool:
    """Whether one of these lines of a summary holds nearly all words of this one; these and `lowered` in lower case."""
    words = {word.lower() for word in re.findall(CONTENT_WORD, line)}
    enough = WORDS_IN_ONE_LINE * len(words)
    known = [*filter(lowered.__contains__, words)]
    return bool(words) and len(known) >= enough and any(
        sum(map(row.__contains__, known)) >= enough for row in lines)


# ==================================================================================================
# record/evidence.py: Lines from the whole session that tell where to go on: places that searches showed, what was made outside.
# ==================================================================================================

UNCOVERED_MAX, HITS_OF_UNCOVERED_MAX = 4, 4  # names, and hits of each
UNCOVERED_FILES_MAX = 12  # a name that stands in more is no list of what is left to do
HITS_BY_NAME_MAX, HITS_OF_A_NAME_MAX, FILES_OF_A_NAME_MAX = 12, 3, 8
RUNNERS_MAX, OUTSIDE_MAX = 3, 5
SAME_KIND_MIN = 3  # things made, that then share a line
TITLED = r"((?:gh|glab|hub|tea|jira)(?: \w{1,20}){1,2}) (“.{1,140}”) → http"
OPENED_REQUESTS = ("gh pr create", "glab mr create")
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
CODE_MAX_CHARACTERS = 110  # of a hit's line
SWEEPING_EDITS_MAX, SWEEPING_SEARCHES_MAX = 100, 60  # the newest
FILES_OF_SWEEP_MIN, CHANGED_ROWS_MAX = 2, 200
SEARCHED_NAMES_MAX = 8  # of one pattern
SEARCHED_NAME = rf"(?<![\w\\])(?:{JOINED_FORM})(?!\w)"
HIT = r"((?:[A-Za-z]:)?[^:]{1,300}?):(?:(\d{1,7}):)? ?(.*)"
TEST_PATH = r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata|fixtures?|mocks?|e2e)(?:[/_.-]|$)"
DOCUMENT_PATH = r"(?i)\.(?:md|mdx|txt|rst|adoc|log|lock|json|jsonl|snap|svg|csv)$|(?:^|/)docs?/"
COMMENTS, NO_COMMENTS = ("//", "#", "/*", "* ", "--", ";;", "<!--", '"""'), ("#[", "#include", "#define", "#if")
DEFINITION = (
    r"(?:(?:export|default|pub(?:\([\w ]{1,20}\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|override|open|sealed|data|inline|virtual|declare|readonly|extern|local) ){0,5}"
    r"(?:func|fn|fun|def|defp|function\*?|class|const|type|interface|struct|enum|trait|protocol|module|namespace|object"
    r"|record|mixin|extension|macro_rules!|message|service|rpc|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|INDEX)"
    r"(?: IF NOT EXISTS)?|let|var|val) (?:\([^)]{1,80}\) )?(?:self\.)?[\"`]?(\w{3,80})")
DEFINING_WORDS = tuple(  # begin every line that DEFINITION fits
    "export default pub public private protected internal static final abstract async unsafe override open sealed data"
    " inline virtual declare readonly extern local func fn fun def class const type interface struct enum trait"
    " protocol module namespace object record mixin extension macro message service rpc CREATE let var val".split())
STANDARD_MODULES = frozenset(  # of which everyone uses everything
    "os io re fs fmt sys json math path time http sync errors strings strconv context filepath bytes sort log console"
    " process window document Object Array Promise String Math JSON std self this super".split())
RUNNER_EVIDENCE = r"(?:\[[^\]]{1,60}\] )?\$ \S"

Hit = tuple[str, str, str]  # path, line, code


def split_hit(hit: str) -> Hit:
    """Path, line and code of a hit; of a bare path the path alone."""
    match = re.match(HIT, hit)
    return (match[1], match[2] or "", match[3].strip()) if match else (hit.strip(), "", "")


def end_of_path(path: str) -> str:
    """A path's file with its folder."""
    return "/".join(path.split("/")[-2:])


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def shown_hit(path: str, line: str, code: str) -> str:
    """A hit as it is shown: `folder/file:line `code``."""
    path = end_of_path(path)
    place = f"{path}:{line}" if line else path
    code = " ".join(code.replace("`", "'").split())
    return f"{place} `{code[:CODE_MAX_CHARACTERS]}`" if code else place


def shown_hits(hits: Sequence[Hit]) -> list[str]:
    """Hits as they are shown; those with the same code as one, behind all their places."""
    places: dict[str, list[str]] = {}
    for path, line, code in hits:
        places.setdefault(code, []).append(shown_hit(path, line, ""))
    return [f"{', '.join(of_code)}{shown_hit('', '', code)}" for code, of_code in places.items()]


def has_word(text: str, word: str) -> bool:
    """Whether the text holds the word, not only as a part of another."""
    begin = text.find(word)
    while begin >= 0:
        end = begin + len(word)
        before, after = text[begin - 1:begin], text[end:end + 1]
        if not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_"):
            return True
        begin = text.find(word, end)
    return False


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = path.removeprefix("./"), other.removeprefix("./")
    return path == other or path.endswith("/" + other) or other.endswith("/" + path)


def is_comment(code: str) -> bool:
    """Whether a line of code is a comment."""
    return code.startswith(COMMENTS) and not code.startswith(NO_COMMENTS)


def is_definition(code: str) -> bool:
    """Whether a line of code defines something."""
    return code.startswith(DEFINING_WORDS) and bool(re.match(DEFINITION, code))


def is_side_line(path: str, code: str) -> bool:
    """Whether a hit stands in a test, a document or a comment: shown where there are no others."""
    return bool(re.search(TEST_PATH, path) or re.search(DOCUMENT_PATH, path) or is_comment(code))


def searches(items: Sequence[Item]) -> list[Item]:
    """The searches with hits, the newest first."""
    return [item for item in reversed(items) if item["kind"] == "look" and item.get("hits")]


def edits(items: Sequence[Item]) -> list[Item]:
    """The edits, in their order."""
    return [item for item in items if item["kind"] == "action" and item.get("edits")]


def searched_names(search: Item) -> list[str]:
    """The names that a search looked for, without the words of its pattern's or its command's own language."""
    text = search["text"]
    if search.get("tool") not in ("Grep", "Glob"):  # a command: what it looks for is quoted, or looks like a name
        quoted = re.findall(r"\"([^\"]{3,200})\"|'([^']{3,200})'", text[:500])
        text = " ".join(double or single for double, single in quoted) or text.partition("|")[0]
    text = re.sub(r"\\[bswdntBSWD]|\.[*+]\??", " ", text[:500])
    names = dict.fromkeys(name for name in re.findall(SEARCHED_NAME, text) if f"{name}/" not in text)
    return [name for name in names if not is_plain_word(name)][:SEARCHED_NAMES_MAX]


def uncovered_hits(items: Sequence[Item]) -> list[str]:
    """Of names that were searched and then changed in some of the files that hit: the hits in the others.

    A sweep shows itself by lines with the name that were taken away in two of these files, or by a definition that was
    changed; edits that only use the name say nothing. Tests, documents, comments only where the definition is gone.
    """
    changes = edits(items)
    sweeps: list[tuple[int, str]] = []  # with the place of the last edit
    seen = set[str]()
    newest = searches(items)[:SWEEPING_SEARCHES_MAX]
    by_word = edits_by_word(changes[-SWEEPING_EDITS_MAX:]) if newest else {}
    for search in newest:
        for name in searched_names(search):
            near = [edit for edit in by_word.get(name, ()) if edit["position"] > search["position"]]
            if not near or name in seen or not (away := swept_lines(near, search, name)):
                continue
            seen.add(name)
            later = [edit for edit in changes
                     if edit["position"] > search["position"] and has_word(edit.get("change", ""), name)]
            hits = open_hits(items, search, name)
            is_gone = any(is_definition_of(row, name) for row in away) and not any(
                has_word(row, name) for edit in later for row in rows_put_in(edit))
            plain = [hit for hit in hits if not is_side_line(hit[0], hit[2])] or (hits if is_gone else [])
            if plain and len({path for path, _, _ in plain}) <= UNCOVERED_FILES_MAX:
                sweeps.append((later[-1]["position"], shown_sweep(name, plain, later)))
    return [text for _, text in sorted(sweeps, reverse=True)[:UNCOVERED_MAX]]


def edits_by_word(changes: Sequence[Item]) -> dict[str, list[Item]]:
    """For each word the edits that took lines with it away, of files that are no tests and no documents."""
    by_word: dict[str, list[Item]] = {}
    for edit in changes:
        if "\n- " in (change := "\n" + edit.get("change", "")) and not is_side_line(edit["path"], ""):
            for word in set(re.findall(r"\w{4,}", "\n".join(re.findall(r"\n- (.*)", change)[:CHANGED_ROWS_MAX]))):
                by_word.setdefault(word, []).append(edit)
    return by_word


def swept_lines(near: Sequence[Item], search: Item, name: str) -> list[str]:
    """The lines with a name that edits of files which a search hit took away; none where these make no sweep."""
    away, files = list[str](), set[str]()
    for edit in near:
        rows = taken_away(edit, name)
        if any(has_word(hit, name) and same_file(edit["path"], split_hit(hit)[0]) for hit in search["hits"]):
            away += rows
            files.add(edit["path"])
    is_sweep = len(files) >= FILES_OF_SWEEP_MIN or any(is_definition_of(row, name) for row in away)
    return away if is_sweep else []


def taken_away(edit: Item, name: str) -> list[str]:
    """The lines with the name that an edit took away or changed."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row[1:].strip() for row in rows if row[:1] == "-" and has_word(row, name)]


def rows_put_in(edit: Item) -> list[str]:
    """The lines that an edit put in."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row.lstrip("+ \t") for row in rows if row[:1] != "-"]


def open_hits(items: Sequence[Item], search: Item, name: str) -> list[Hit]:
    """The hits with a name in files that nothing changed after the search, and no edit ever did with this name."""
    paths, commands = list[str](), list[str]()
    for item in items:
        is_later = item["position"] > search["position"]
        if item["kind"] == "action" and item.get("edits"):
            paths += [item["path"]] if is_later or has_word(item.get("change", ""), name) else []
        elif item["kind"] == "action" and is_later:
            commands.append(item["text"])
    later_commands = "\n".join(commands)
    hits: list[Hit] = []
    for path, line, code in (split_hit(hit) for hit in search["hits"] if has_word(hit, name)):
        is_covered = any(same_file(other, path) for other in paths) or file_name(path) in later_commands
        if code and not is_covered and not is_definition_of(code, name):
            hits.append((path, line, code))
    return hits


def shown_sweep(name: str, hits: list[Hit], later: list[Item]) -> str:
    """What was edited of a name, and what was not."""
    files = [*dict.fromkeys(end_of_path(edit["path"]) for edit in later)]
    left = "; ".join(shown_hits(hits[:HITS_OF_UNCOVERED_MAX]))
    more = f"; {len(hits) - HITS_OF_UNCOVERED_MAX} more" if len(hits) > HITS_OF_UNCOVERED_MAX else ""
    return f"`{name}`: edited in {', '.join(files[:3])}{', …' * (len(files) > 3)}; not in {left}{more}"


def is_definition_of(code: str, name: str) -> bool:
    """Whether a line of code defines the name."""
    match = re.match(DEFINITION, code) if name in code and code.startswith(DEFINING_WORDS) else None
    return bool(match and match[1] == name)


def hits_by_name(items: Sequence[Item], names: Sequence[str], summary: str = "") -> list[str]:
    """The hits with a name of the next step, a file and name once; no tests and documents where there are others, nor
    where the next step names no test.

    Names with few files first, none with many: what stands everywhere points nowhere. Definitions are told apart.
    """
    wanted = members(names)
    with_tests = any(re.search(TEST_PATH, name) for name in names)
    by_name, seen, changes = first_hits(items, wanted), set(summary.split()), edits(items)
    lines = list[str]()
    for _, files in sorted(by_name.items(), key=lambda entry: (len(entry[1]), wanted.index(entry[0]))):
        chosen = [(hit, search) for hit, search in files if not is_side_line(hit[0], hit[2])]
        chosen = chosen or (files if with_tests else [])
        new = [(hit, search) for hit, search in chosen if f"{file_name(hit[0])}:{hit[1]}" not in seen
               and not is_edited_since(changes, hit[0], search["position"])]
        chosen_hits = [hit for hit, _ in new] if len(files) <= FILES_OF_A_NAME_MAX else []
        seen.update(f"{file_name(path)}:{line}" for path, line, _ in chosen_hits[:HITS_OF_A_NAME_MAX])
        lines += shown_hits(chosen_hits[:HITS_OF_A_NAME_MAX])
    return lines[:HITS_BY_NAME_MAX]


def is_edited_since(changes: Sequence[Item], path: str, position: int) -> bool:
    """Whether the file was changed after that place in the session: a line seen before may not stand there any more."""
    return any(edit["position"] > position and same_file(edit["path"], path) for edit in changes)


def members(names: Sequence[str]) -> list[str]:
    """The names without those of paths and files, and of `module.name` the name; none of what everyone uses."""
    wanted = dict[str, None]()
    for name in names:
        before, _, end = name.rpartition(".")
        is_own = "/" not in name and len(name) > 3 and before.partition(".")[0] not in STANDARD_MODULES
        if is_own and not (before and is_plain_word(end)):
            wanted[end] = None
    return [*wanted]


def first_hits(items: Sequence[Item], wanted: Sequence[str]) -> dict[str, list[tuple[Hit, Item]]]:
    """For each name its newest hit in each file, with the search; no comments, no definitions."""
    by_name: dict[str, list[tuple[Hit, Item]]] = {}
    seen = set[tuple[str, str]]()
    for search in searches(items):
        for hit in search["hits"]:
            for name in [name for name in wanted if name in hit]:
                path, line, code = split_hit(hit)
                is_use = line and has_word(code, name) and not is_comment(code) and not is_definition(code)
                if is_use and (path, name) not in seen and (not is_plain_word(name) or f"{name}(" in code):
                    seen.add((path, name))
                    by_name.setdefault(name, []).append(((path, line, code), search))
    return by_name


def evidence_of(item: Item) -> list[str]:
    """The lines that were kept of an item's output or words."""
    lines: Any = item.get("evidence")  # usable_memory looks at the list, not at what is in it
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        if item["kind"] in ("action", "look"):
            for text in evidence_of(item):
                if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                    lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]


def made_outside_tree(items: Sequence[Item]) -> list[str]:
    """Issues, pull requests and comments that were made, the newest first; many of a kind share a line.

    Without pull requests that a command opened: they stand with the repository.
    """
    lines: dict[str, str] = {}
    kinds: dict[str, list[tuple[str, str]]] = {}
    for item in reversed(items):
        if item["kind"] == "action" and item.get("verdict") != "failed":
            made = [item["made"]] if item.get("made") else [text for text in evidence_of(item) if "→ http" in text]
            for text in made:
                address = text.rpartition("→ ")[2]
                titled = re.match(TITLED, text)
                if address in lines or text.startswith(OPENED_REQUESTS):
                    continue
                lines[address] = text
                if titled:
                    kinds.setdefault(titled[1], []).append((titled[2], address))
    for kind, things in kinds.items():
        if len(things) >= SAME_KIND_MIN:
            lines[things[0][1]] = many_made(kind, things)
            for _, address in things[1:]:
                del lines[address]
    return [*lines.values()][:OUTSIDE_MAX]


def many_made(kind: str, things: Sequence[tuple[str, str]]) -> str:
    """Things of a kind with their titles and addresses, on one line; of addresses like the first their end."""
    place = things[0][1].rpartition("/")[0]
    shown = [f"{title} → {address.replace(f'{place}/', '#') if number else address}"
             for number, (title, address) in enumerate(things)]
    return f"{len(things)} times {kind}: {'; '.join(shown)}"


def stands_as_made(item: Item) -> bool:
    """Whether the action made something with a title outside of the tree: its line says all, also of many of a kind."""
    return item.get("verdict") != "failed" and any(re.match(TITLED, text) for text in evidence_of(item))


# ==================================================================================================
# recap/evidence.py: Lines from the whole session that tell where to go on, in the words of the recap.
# ==================================================================================================

def evidence_lines_of(snapshot: Snapshot, paths: Paths) -> Iterator[Line]:
    """The lines, what helped readers most first: forms that work, what the machine has not, work lists, places."""
    items, summary = snapshot["items"], text_of(snapshot, "summary")
    typed = [item["text"] for item in items if item["kind"] == "message" and item.get("via") != "teammate"]
    of_next_step = ("\n".join(typed[-1:]), next_part(summary), text_of(snapshot["state"], "last_words"))
    names = list(dict.fromkeys(name for text in of_next_step for name in names_of(text)))
    actions = [item for item in items if item["kind"] == "action"]
    root = text_of(snapshot["state"], "root")
    for text in (*form_lines(actions, root), *lack_lines(items, root)):
        yield {"items": [], "text": text}
    for texts in (uncovered_hits(items), made_outside_tree(items), runner_commands(items),
                  hits_by_name(items, names, summary)):
        for text in texts:
            yield {"items": [], "text": f"- {paths.short(text)}"}


# ==================================================================================================
# recap/looks.py: What was looked at, checks that passed, how commits were made: on shared lines, each with what it showed.
# ==================================================================================================

LOOKS_ON_A_LINE, LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, OUTPUT_SHOWN_UTF16 = 6, 120, 240, 600
STATED_CHARACTERS, COMMIT_COMMAND_SHOWN_UTF16 = 60, 500
MANY_HITS = r"\d+ hits"
FAILED_READ_SHOWN_UTF16 = 60
NO_MATCHES = "no matches"
NAMES_LOOKED_FOR_MAX, ITEMS_LOOKED_AT_MAX = 4, 400


def looks_lines(items: Sequence[Item], paths: Paths, shown: str, summary: str = "") -> Iterator[Line]:
    """The looks, newest first, several on a line, and checks that passed; not what is `shown` elsewhere.

    Nor files that were changed, bare counts of hits, files read that the summary names, nor that a search met nothing
    where its words came up later.
    """
    changed = {paths.short(item["path"]) for item in items if item["kind"] == "action" and item.get("path")}
    row: list[Item] = []
    for item in reversed(items):
        is_known = is_read_and_named(item, summary) or (item["kind"] == "look" and item["result"] == NO_MATCHES
                                                        and is_met_later(item, items))
        if not is_known and says_something(item, paths, changed, shown):
            row.append(item)
            if len(row) == LOOKS_ON_A_LINE:
                yield looks_line(row, paths)
                row = []
    if row:
        yield looks_line(row, paths)


def is_read_and_named(item: Item, summary: str) -> bool:
    """Whether it is a file that was read, of which the summary holds the name: nothing else is known of it here."""
    name = item["path"].rpartition("/")[2] if item["kind"] == "look" and item["tool"] == "Read" else ""
    return bool(name) and not item["result"] and name in summary


def is_met_later(search: Item, items: Sequence[Item]) -> bool:
    """Whether a name that a search did not meet stands in what was changed or met after it."""
    names = re.findall(r"\w{5,80}", search["text"])[:NAMES_LOOKED_FOR_MAX]
    later = [item for item in items[-ITEMS_LOOKED_AT_MAX:] if item["position"] > search["position"]]
    return any(name in text for item in later for text in (item.get("change", ""), *item.get("hits", []))
               for name in names)


def looks_line(looks: Sequence[Item], paths: Paths) -> Line:
    """Looks that follow each other, on one line."""
    in_short = [tagged(look_in_short(item, paths), item) for item in looks]
    return {"items": [*looks], "text": f"- {'; '.join(in_short)}"}


def says_something(item: Item, paths: Paths, changed: Set[str], shown: str) -> bool:
    """Whether it is a look or a check that passed, and says more than what is shown elsewhere."""
    if item["kind"] == "action" and item.get("commit"):
        return True  # its hash stands with the repository, how it was made and its message here
    if item["kind"] == "action":
        command = code(command_in_short(item["text"], paths).replace(" 2>&1", ""), LOOK_SHOWN_UTF16)[:STATED_CHARACTERS]
        return item.get("family") in CHECK_FAMILIES and item["verdict"] == "passed" and command not in shown
    if item["kind"] != "look":
        return False
    if item["tool"] == "Read":
        return paths.short(item["path"]) not in changed or bool(item["result"])
    is_stale = any(path.rpartition("/")[2] in item["result"] for path in changed if path)  # lines of a changed file
    return not re.fullmatch(MANY_HITS, item["result"]) and not item.get("output") and not is_stale


def look_in_short(item: Item, paths: Paths) -> str:
    """What was looked at, and the beginning of what a search or a command showed; of the newest calls more of it."""
    if item["tool"] in ("Read", "LS"):
        failed = f" ({cut(item['result'], FAILED_READ_SHOWN_UTF16)})" if item["result"] else ""
        rows = f" (lines {', '.join(item['limits'])})" if item.get("limits") else ""
        return f"{paths.named(item['path'])}{failed or rows}"
    output, result = paths.short(text_of(item, "output")), paths.short(item["result"])
    result = rows_in_short(result, LOOK_RESULT_SHOWN_UTF16, is_listing=True)
    shown = rows_in_short(output, OUTPUT_SHOWN_UTF16, is_listing=True) if output else result
    if item.get("commit"):
        shown = item["commit"]
    elif item["kind"] == "action":  # a check: its totals say all; the output of one took 600 to 1,200 units
        shown = f"passed: {result}" if result else "passed"
    name = "" if item["tool"] in SHELL_TOOLS else f"{item['tool']} "
    where = f" in {paths.named(item['path'])}" if name and item["path"] else ""
    where += f" ({item['limits'][0]})" if name and item.get("limits") else ""
    limit = COMMIT_COMMAND_SHOWN_UTF16 if item.get("commit") else LOOK_SHOWN_UTF16
    look = f"{name}{code(command_in_short(item['text'], paths), limit)}{where}"
    return f"{look} → {shown}" if shown else look


# ==================================================================================================
# record/pasted.py: Which lines of a typed message are the person's own words, and which were pasted: output, logs, code, quotes.
# ==================================================================================================

PASTED_MAX_CHARACTERS = 40_000  # of a message, what lies behind is not looked at
LINE_LOOKED_AT_CHARACTERS = 400  # of a line: its form shows in these
HEARD_MAX_CHARACTERS = 200_000  # of the agent's words that lines are looked up in
HEARD_LINE_MIN_CHARACTERS = 20  # of a line that stands in the agent's words: shorter ones stand in many texts
DOCUMENT_MIN_LINES, DOCUMENT_MACHINE_SHARE = 8, 0.25
# Before each line that a runner of several programs hands on: `web:dev:`, `app-1  |`.
RUNNER_NAME = r"\S{3,40}(?:[:\]>]|\s{0,12}\|)(?=\s|\Z)"
GAP_MAX_LINES = 2  # own-looking lines between pasted ones, which are pasted too
FENCE = r"\s{0,8}(?:```|~~~)"
BLOCK_BEGINS = r"\s*<([a-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>\s*\Z"  # a tag alone on its line
BLOCK_QUOTE = r"\s*>\s"
MACHINE_LINE = (  # how a line begins that a program wrote
    r"\s*(?:[❯⏺⎿●✓✔✗✘×│├└┌╭╰┃━─═▶►»←↑⚠⏵✻✽∗·]"
    r"|\[?\d{4}-\d\d-\d\d[T \]]|\[?\d{1,2}:\d\d(?::\d\d|\s)|\d{1,2}/\d{1,2}/\d{2,4}[ ,]"  # moments
    r"|(?i:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},? +\d{1,2}[ ,:]"
    r"|[$%#]\s+\S|>>> |PS [A-Z]:|(?:\([\w.-]{1,30}\) )?[\w.-]{1,40}@[\w.-]{1,60}[:~ ]"
    r"|\w{0,20}\([\w/.-]{0,40}\)[$#%>] "  # shells
    r"|at [\w$.<>]{1,200} ?\(|File \"|Traceback \(|Caused by:|goroutine \d|panic:|[a-z]+\.[\w.]{3,200}(?:Error"
    r"|Exception)"
    r"|[A-Z]\w{0,80}(?:Error|Exception|Warning)\b ?[:(]|E {2,}\S"
    r"|diff --git |index [\da-f]{6,}|@@ |\+\+\+ |--- |[+-](?:\s*\Z|[<`\"'+/#}]|(?![\s\d-])\S{0,200}[({;=])"
    r"|[+] {2,}\S|- {5,}\S"  # diffs
    r"|\|.{0,300}\|\s*\Z|[-=+|: ]{4,}\s*\Z|[{}\[\]()<>;,]{1,6}\s*\Z|\"[^\"]{1,80}\"\s*:|\{\s*\""
    r"|</?[a-zA-Z!]"  # tables, JSON
    r"|//|/\*|\*/|#!|#include"
    r"|import [\w{*, }]{1,80}from\b|import [\w.]{1,80}\s*\Z|from [\w.]+ import|(?:const|let|var|func|def|class"
    r"|return) \w+ ?[=({:]"
    r"|(?:INFO|DEBUG|TRACE|WARN|FATAL) |(?:\[|\|)?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|DEBU|FAIL|PASS|SKIP"
    r"|FAILED|PASSED)(?:\]|\||:| {2,}"
    r"|\s*\Z|\t)"
    r"|\[[A-Za-z][\w .:/-]{0,40}\]\s|npm (?:ERR|WARN|error)|error(?:\[\w+\])?:|warning:|fatal:|hint:|remote:|note:"
    r"|ok \d|not ok \d"
    r"|[\w./-]{2,200}:\d+(?::\d+)?(?::|\s|\Z)|commit [\da-f]{7,40}|Author: |Date: |[\da-f]{7,40} \S"
    r"|(?:#\d{1,9} )?(?:typed|ran|decided): \S|\d{1,4}\. 20\d\d-\d\d-\d\d \d"  # what recall shows
    r"|https?://\S+\s*\Z|\d{1,4}\s*[|→│+-](?:\s|\Z)|\d{2,5} {2,}\S)")
MACHINE_WITHIN = (
    r".*(?:\t|=>|&&\s*\Z|[{;]\s*\Z|\\\s*\Z|\x1b|\b\w{1,40}=[\w./:-]{1,200} \w{1,40}="
    r"|\(\d+(?:\.\d+)?m?s\)|…\s*\Z)")
DIFF_BEGINS = r"(?m)^\s{0,4}(?:diff --git |@@ -\d|--- a/)"
DIFF_LINE = r"[ +-]|index |new file|deleted file|\\ No newline"
COMMAND = r"/[\w:.-]{1,80}:?\s*\Z"  # a slash command, its arguments below
BULLET = r"\s{0,12}(?:[-*•–+]|\d{1,2}[.)]|\(?[a-zA-Z\d][.)])\s+\S"
HEADING = r"\s{0,3}#{1,6}\s+\S"
INTRODUCTION = (  # words after which, behind a colon, others speak
    r"log|logs|output|outputs|error|errors|warning|stacktrace|trace|traceback|console|terminal|message|messages"
    r"|response"
    r"|result|results|says|said|say|shows|showed|prints|printed|printing|returns|returned|wrote|writes|replied"
    r"|answered|got|gives"
    r"|gave|reads|reported|reports|comment|comments|feedback|review|reviews|findings|finding|issue|ticket|description"
    r"|email|mail|slack|thread|chat|transcript|conversation|summary|diff|code|snippet|file|content|contents|text"
    r"|quote"
    r"|spec|readme|docs|documentation|example|prompt|template|pasted|paste|following|below|seeing|see|this|these|here"
    r"|salida|registro|sortie|journal|ausgabe|fehler|meldung|saída|erro|вывод|лог|ошибка|çıktı|hata|wynik|błąd"
    r"|errore")
OWN_LIST = (  # words after which, behind a colon, the person goes on
    r"\b(?:rules?|guidelines?|conventions?|constraints?|instructions?|requirements?|notes?|remember|always|never"
    r"|from now on"
    r"|reminders?|important|preferences?|in mind|don'?ts?|do not|regeln|reglas|règles|regole|regras|zasady"
    r"|правила)\b")
INTRODUCED = rf"(?:.*\b(?:{INTRODUCTION})\b.{{0,60}}|\W*(?:{INTRODUCTION})\b[^:]{{0,40}}):\s*\Z"
LOOK_AT = (  # an order to work on words of others, which follow
    r"\W*(?:\w+ ){0,3}(?:address|fix|handle|resolve|clarify|explain|investigate|debug|respond|reply|look|check"
    r"|proof ?read"
    r"|translate|summari[sz]e|analy[sz]e|consider|implement|review|evaluate)\b.{0,80}:\s*\Z")
SPEAKS = (  # the beginning of a line that gives the words of others
    r"(?!\W*(?:\w+ )?(?:i|we) (?:said|say|wrote|repeat|mean))"
    r"\W*(?:(?:and|but|then|now|it|he|she|they|the|this|that|my|your|an?|i get|i got|got|getting|also|still)\W+){0,4}"
    r"(?:(?:\w+ ){0,3}(?:says|said|printed|prints|replied|answered|responded|wrote|reports|reported|returned"
    r"|complains|logs?)"
    r"|output|stdout|stderr|error|error message|log|logs|response|result|stack ?trace|traceback|warning|console"
    r"|user|human"
    r"|assistant|agent|claude|codex|gemini|copilot|reviewer|bot|ci)\s*[:»\"“]")


def own_lines(text: str, said: Sequence[str] = ()) -> list[str]:
    """The lines of a typed message, as typed; in the place of each that was pasted, an empty one.

    said: the agent's words so far, newest last. A line that stands in them is given back to the agent and no word of
    the person.
    """
    text = text[:PASTED_MAX_CHARACTERS]
    lines, heard = text.splitlines(), heard_words(tuple(said))
    may_be_diff = any(map(text.__contains__, ("diff --git ", "@@ -", "--- a/")))
    walls, is_diff = walled(lines, text), may_be_diff and bool(re.search(DIFF_BEGINS, text))
    are_own, are_quoted = [False] * len(lines), [False] * len(lines)
    behind = ""  # an introduction: its paste goes on to the message's end, its paragraph to a blank line
    for number, line in enumerate(lines):
        head = head_of(line)
        if walls[number]:
            behind = ""  # what was introduced stands in the fence, and ends with it
        elif not head.strip():
            behind = behind.replace("paragraph", "")
        elif re.match(BLOCK_QUOTE, head):
            are_quoted[number], behind = True, ""
        elif not behind and any(map(head.__contains__, ':»"“')) and re.match(SPEAKS, head, re.IGNORECASE):
            behind = "paste" if head.rstrip().endswith((":", '"', "“")) else "paragraph"
        elif not behind and not is_pasted(lines, number, is_diff, heard):
            are_own[number] = True
            behind = "paste" if introduces(head) and not re.match(COMMAND, head) else ""
    between = between_pasted(lines, are_own, are_quoted)
    return [line if is_own and not is_between else "" for line, is_own, is_between in zip(lines, are_own, between)]


@lru_cache(maxsize=64)  # the same long messages are asked for by the task, by what came since, by the thread
def is_document(text: str) -> bool:
    """Whether most lines of a long message are headings, members of lists, sentences: an order written elsewhere.

    What a program wrote is none; of a document the lines may be pasted too, but they say what is to be done.
    """
    lines = [head_of(line) for line in text[:PASTED_MAX_CHARACTERS].splitlines() if line.strip()]
    by_program = sum(bool(re.match(MACHINE_LINE, line) or re.match(MACHINE_WITHIN, line)) for line in lines)
    names = [name[0] for line in lines if (name := re.match(RUNNER_NAME, line))]
    by_runner = max(map(names.count, {*names}), default=0)
    return (len(lines) >= DOCUMENT_MIN_LINES and by_program <= DOCUMENT_MACHINE_SHARE * len(lines)
            and by_runner <= len(lines) // 2)


def head_of(line: str) -> str:
    """The part of a line that tells its form, long gaps shortened."""
    return re.sub(r"\s{12,}", " " * 12, line[:LINE_LOOKED_AT_CHARACTERS])


def walled(lines: list[str], text: str) -> list[bool]:
    """Of each line whether it stands in a fence or between a tag alone on its line and the end of that tag."""
    walls, fence, tag = [], "", ""
    ends = set(re.findall(r"</([a-z][\w:-]{0,40})>", text)) if "</" in text else set[str]()
    for line in lines:
        head = head_of(line)
        mark, begins = re.match(FENCE, head), re.match(BLOCK_BEGINS, head)
        walls.append(bool(fence or tag or mark))
        if tag:
            tag = "" if f"</{tag}>" in line else tag
        elif mark and fence in ("", mark[0].strip()):
            fence = "" if fence else mark[0].strip()
        elif begins and not fence and begins[1] in ends:
            tag, walls[-1] = begins[1], True
    return walls


def is_pasted(lines: list[str], number: int, is_diff: bool, heard: str) -> bool:
    """Whether a line by itself was pasted: by its form, its place on the screen, or because the agent said it."""
    head = head_of(lines[number])
    if number == 0 and re.match(COMMAND, head):
        return False
    return ((is_diff and bool(re.match(DIFF_LINE, head))) or is_machine_line(head) or is_indented(lines, number)
            or stands_in(head, heard))


def is_machine_line(line: str) -> bool:
    """Whether a program wrote the line, by its form."""
    return bool(re.match(MACHINE_LINE, line) or re.match(MACHINE_WITHIN, line) or re.match(HEADING, line))


def is_indented(lines: list[str], number: int) -> bool:
    """Whether the line is set off as no one types: indented, no list's entry, none above that it may go on."""
    line = lines[number]
    if not line.startswith(("  ", "\t")) or re.match(BULLET, line):
        return False
    above = next((before for before in reversed(lines[max(0, number - 8):number]) if not before.startswith(("  ", "\t"))
                  or re.match(BULLET, before)), "")
    return not re.match(BULLET, above)


def introduces(line: str) -> bool:
    """Whether the line announces words of others: "here is the log:", "please fix the following:"."""
    plain = line.lower().rstrip()
    if not plain.endswith(":") or re.search(OWN_LIST, plain):
        return False
    return bool(re.match(INTRODUCED, plain) or re.match(LOOK_AT, plain))


def between_pasted(lines: list[str], are_own: list[bool], quoted: list[bool]) -> list[bool]:
    """Of each line whether it stands, with at most one more, between lines that a program wrote."""
    between = [False] * len(lines)
    full = [number for number, line in enumerate(lines) if line.strip()]
    run: list[int] = []
    is_after_paste = False
    for number in full:
        if are_own[number]:
            run.append(number)
            continue
        if is_after_paste and not quoted[number] and 0 < len(run) <= GAP_MAX_LINES:
            for inner in run:
                between[inner] = True
        run, is_after_paste = [], not quoted[number]
    return between


def bare_words(text: str) -> str:
    """The text in lower case without the marks that a terminal does not show, spaces folded."""
    return " ".join(re.sub(r"[*`_#\"“”]", "", text).lower().split())


@lru_cache(maxsize=8)  # a message's lines are looked up one by one
def heard_words(said: tuple[str, ...]) -> str:
    """The agent's newest words as lines are looked up in them."""
    return bare_words("\n".join(said)[-HEARD_MAX_CHARACTERS:])


def stands_in(line: str, heard: str) -> bool:
    """Whether the line, without a list's mark, was said by the agent before."""
    words = bare_words(re.sub(r"^\s*(?:[-*•–+>]|\d{1,2}[.)])\s+", "", line)).rstrip(".:;,")
    return len(words) >= HEARD_LINE_MIN_CHARACTERS and words in heard


# ==================================================================================================
# recap/plans.py: The task as it was given: a plan, a team lead's words; of a long one the rows that are of use.
# ==================================================================================================

GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16, TASK_ROW_MAX_UTF16 = 2_800, 900, 300  # the second: where all is done
WHOLE_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16, TASK_TITLE_MAX_UTF16 = 4_000, 1_800, 240
ENDS_WITH = (  # what the headings of those parts of a task name that say when it is done, and what it must not do
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:constraints?|rules|requirements|non-?goals|out of scope|important|notes?|risks?"
    r"|caveats?|gotchas|principl\w+|princip\w+s|guidelines?|conventions?|behaviou?r|comportement|questions?"
    r"|decisions?|remaining|issues|recommend\w*|limits|limitations|guardrails|riscos?"
    r"|riesgos?)\b|注意|対象外|条件|制約|约束|风险|제약|주의|규칙)")
CHECKED_BY = (  # headings over how it is checked, which the summary mostly has not
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:verif\w+|vérif\w+|validation|test(?:s|ing)?|accept\w+|criteri\w+|crit[ée]r\w+"
    r"|aceita\w*|acepta\w*|done|success|überprüfung|провер\w+)\b|検証|验证|검증)")
WHY = (  # headings over why it is wanted and how it is today
    r"(?i)^#{1,6} (?:\d[\d.]* )?(?:context\w*|background|problem\w*|motivation|why|overview|summary|goal|current \w+"
    r"|contexto|kontext|背景|問題|问题)\b")
BINDING = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always|drop|avoid|instead"
    r"|nicht|nur|kein\w*|jamais|uniquement|não|nunca|apenas|somente|manter|solo|sólo|siempre)\b"
    r"|のみ|しない|必ず|禁止|限定|必须|不要|只|반드시|금지|하지 마")
PRAISE = (  # a heading or a cell that says that something is well
    r"(?i)^#{1,6} .*[:—–-] ?\W*(?:all )?(?:complete|completed|ready|done|fixed|resolved|passed|ok)\W*$"
    r"|\| ?\W*(?:fixed|resolved|done|completed?|ok|pass(?:ed)?) ?\W*\|")
STARTS_ROW = r"\s*(?:[-*+•] |\d{1,3}[.)] |\||>|#{1,6} |\*\*)"  # what goes on from the line above starts otherwise
IN_LIST, NUMBERED, UNTICKED = r"\s*(?:[-*+•] |\d{1,3}[.)] )", r"\s*\d{1,3}[.)] ", r"\s*[-*+] \[ \] "
CALLS_PROGRAM = (  # a shell's row, not one of a program's code
    r"\s*(?:\$ |(?:sudo |uv run |poetry run |npx |bunx )?(?:pytest|python3?|node|npm|pnpm|yarn|bun|go|cargo|make|docker"
    r"|docker-compose|kubectl|terraform|curl|gh|git|uvicorn|swift|xcodebuild|dotnet|mvn|gradle|\./[\w./-]+)(?= |$))")
STEP_LABEL = r"(?i)\W{0,6}((?:[^\W\d]{1,12} ?)?#?\d{1,3}(?:\.\d{1,2})?)\s*(?:[:.)—–-]|$)"
WRAPPED_MIN_CHARACTERS = 45  # of a line that may go on in the next one
KNOWN_FACTOR, DONE_FACTOR, WHY_FACTOR, PRAISE_FACTOR = 0.3, 0.4, 0.4, 0.1
SAME_ORDER_MAX_CHARACTERS = 60  # typed: "go on", "phase 2": the plan goes on
STEP_OF_PLAN = r"(?i)\b(?:plan|phase|step|fase|schritt|étape|etapa|paso|passo|task|continue|weiter|resume)\b"
COMMITS_NAMED, TICKETS_SHOWN, ORDERS_SHOWN = 3, 4, 2
TYPED_ORDER_MIN_CHARACTERS, TYPED_ORDER_MIN_LINES = 1_500, 8  # of a typed message that is shown as a task is
TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16 = 700, 1_500
TICKET_NUMBER = r"(?:issue view |issues/|#)(\d{1,6})\b|\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b"
LISTS_OF_THE_CLIENT = ("task", "todo")  # tasks of other lists are check marks in files and in the agent's words
LATER_MESSAGES = 3  # typed after a task; with so many it is mostly done


def task_lines(items: Sequence[Item], ago: Ago, summary: str = "", most: int = GIVEN_TASK_MAX_UTF16) -> Iterator[Line]:
    """The task where it came in another form than typing: a plan handed over or approved, a team lead's words.

    One that was committed and gone on from is told by its title and its commits. `most`: UTF-16 units of a short form.
    """
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in items if item["kind"] == "message" and item.get("via") == "teammate"
             and "lead" in text_of(item, "sender")]
    for item in plans[-1:]:
        how = "handed over" if item["kind"] == "message" else "approved"
        where = f" (in {item['path']})" if item.get("path") else ""
        if commits := commits_before_another_order(item, items):
            title = cut(item["text"].strip().partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)
            more = f" and {len(commits) - COMMITS_NAMED} more" if len(commits) > COMMITS_NAMED else ""
            done = ", ".join(commit_in_words(commit) for commit in commits[:COMMITS_NAMED])
            yield {"items": [item], "text": f"A plan, {how} {ago(item['last'])}{where}: {in_quotes(title)}. Committed "
                                            f"since: {done}{more}; what the user typed goes on from there"}
            continue
        yield given_task(f"A plan, {how} {ago(item['last'])}{where}:", item, items, summary, most)
    for item in leads[-2:][::-1]:
        yield given_task(f"From {item['sender']} ({ago(item['last'])}):", item, items, summary, most)
    for item in typed_orders(items)[-ORDERS_SHOWN:][::-1]:
        yield given_task(f"An order, typed {ago(item['last'])}:", item, items, summary, most)
    tickets = {item["ticket"].partition("\n")[0]: item for item in items if item.get("ticket")}
    for item in [*tickets.values()][-TICKETS_SHOWN:][::-1]:
        yield ticket_line(item, items, ago, summary)


def typed_orders(items: Sequence[Item]) -> list[Item]:
    """The long messages of many lines that were typed or pasted as an order.

    Not the newest message, which stands where it ended, nor words with a program's output among them.
    """
    messages = [item for item in items if item["kind"] == "message" and item.get("via") not in ("plan", "teammate")]
    return [item for item in messages[:-1] if is_long_order(item)]


def is_long_order(item: Item) -> bool:
    """Whether it is a typed message of many lines, without a program's output among them."""
    return (item["kind"] == "message" and item.get("via") not in ("plan", "teammate") and not item.get("own")
            and len(item["text"]) >= TYPED_ORDER_MIN_CHARACTERS and item["text"].count("\n") >= TYPED_ORDER_MIN_LINES
            and is_document(item["text"]))


def since_then(item: Item, items: Sequence[Item]) -> str:
    """How many messages were typed after the task, and how many commits were made; empty for none."""
    since = [other for other in items if other["position"] > item["position"]]
    counts = ((sum(other["kind"] == "message" and other.get("via") not in ("plan", "teammate") for other in since),
               "message"), (len({other["commit"] for other in since if other.get("commit")}), "commit"))
    named = [f"{count} {name}{'s' * (count > 1)}" for count, name in counts if count]
    return f" (since then {', '.join(named)})" if named else ""


def ticket_line(item: Item, items: Sequence[Item], ago: Ago, summary: str) -> Line:
    """A ticket that was shown, by the rows that bind; of one that a later commit names its title alone."""
    how = cut(folded_line(item["text"]), 80)
    what = f"A ticket, shown {ago(item['last'])} ({how})"
    since = [later for later in items if later["position"] > item["position"]]
    number = re.search(TICKET_NUMBER, item["text"])
    called = "" if not number else f"#{number[1]}" if number[1] else number[2]
    commits = [later for later in since if later.get("commit") and called
               and re.search(rf"(?<!\w){re.escape(called)}(?!\w)", text_of(later, "subject"))]
    if commits or messages_in(since) >= LATER_MESSAGES:
        title = cut(item["ticket"].partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)
        done = f". Committed since: {commit_in_words(commits[-1])}" if commits else ""
        return {"items": [item], "text": f"{what}: {in_quotes(title)}{done}"}
    texts = task_in_short(item["ticket"], (TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16), summary)
    return {"items": [item], "text": f"{what}:\n{texts[0]}", "whole": f"{what}:\n{texts[1]}"}


def commits_before_another_order(plan: Item, items: Sequence[Item]) -> list[Item]:
    """What was committed after a plan, where the person then gave another order; else none.

    No other order is a few words, or what names a step, unless all tasks are done and several followed. Nor is a plan
    done while tasks that are older than the order are open.
    """
    since = [item for item in items if item["position"] > plan["position"]]
    commits = [item for item in since if item.get("commit")]
    later = [item for item in since if item["kind"] == "message" and item.get("via") not in ("plan", "teammate")
             and commits and item["position"] > commits[0]["position"]]
    others = [item for item in later if len(item["text"]) > SAME_ORDER_MAX_CHARACTERS
              and not re.search(STEP_OF_PLAN, item["text"])]
    listed = tasks_of_client(items)
    if not others and listed and all(task["status"] == "completed" for task in listed):
        others = later[LATER_MESSAGES - 1:]
    if not others or any(task["status"] != "completed" and task["first"] < others[0]["first"] for task in listed):
        return []
    return [item for item in commits if item["position"] < others[0]["position"]]


def tasks_of_client(items: Sequence[Item]) -> list[Item]:
    """The tasks of the client's own lists."""
    return [item for item in items if item["kind"] == "task" and text_of(item, "list") in LISTS_OF_THE_CLIENT]


def commit_in_words(commit: Item) -> str:
    """A commit's hash and subject."""
    subject = text_of(commit, "subject")
    return f"{commit['commit']} {in_quotes(cut(subject, 90))}" if subject else commit["commit"]


def given_task(title: str, item: Item, items: Sequence[Item], summary: str, most: int) -> Line:
    """A task in short, and longer where room is left; of one whose steps are all done less.

    Its title says how much came since: an order of before may be done, and only the reader can tell.
    """
    title = f"{title[:-1]}{since_then(item, items)}:"
    since = [other for other in items if other["position"] > item["position"]]
    listed = tasks_of_client(items)
    done = {task["text"] for task in listed if task["status"] == "completed"}
    is_done = bool(listed) and len(done) == len(listed)
    labels = set[str]() if is_done else labels_of_steps(done)  # of what is done whole each part is as good
    edited = {text_of(other, "path").rpartition("/")[2] for other in since if other.get("edits")}
    is_old = is_done or messages_in(since) >= LATER_MESSAGES or any(map(is_long_order, since))
    most = max(most - units(title) - 1, TASK_ROW_MAX_UTF16)
    short, whole = (OLD_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16) if is_old else (
        GIVEN_TASK_MAX_UTF16, WHOLE_TASK_MAX_UTF16)
    shown, longer = task_in_short(item["text"], (min(short, most), whole), summary, labels, edited)
    return {"items": [item], "text": f"{title}\n{shown}", "whole": f"{title}\n{longer}"}


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed that are longer than "go on", with which a task goes on."""
    return sum(item["kind"] == "message" and item.get("via") != "teammate"
               and len(item["text"]) > SAME_ORDER_MAX_CHARACTERS for item in items)


def labels_of_steps(texts: Set[str]) -> Set[str]:
    """What steps are called by: "phase 2", "r5", as plans and tasks begin with it."""
    labels = [re.match(STEP_LABEL, text) for text in texts]
    return {label[1].lower() for label in labels if label}


def task_in_short(text: str, limits: Sequence[int], summary: str = "", done: Set[str] = frozenset(),
                  edited: Set[str] = frozenset()) -> list[str]:
    """A task's text within each limit; of a long one the rows that are of use, in their order, under their headings.

    `done`: labels of steps that are done; `edited`: names of files that were changed since.
    """
    is_whole = MIDDLE_GONE not in text and not text.endswith("…")
    lines = [line.rstrip() for line in text.splitlines() if re.search(r"\w", line) and line != MIDDLE_GONE]
    lines = without_known_lines(lines, summary)
    size = units("\n".join(lines))
    rows = rows_of(text) if size > min(limits) else []
    values = [value_of(rows, place, summary, done, edited) for place in range(len(rows))]
    beyond = "" if is_whole else ", and what lies beyond the record"
    return ["\n".join(f"> {line}" for line in (lines if size <= limit else most_useful(rows, values, limit, beyond)))
            for limit in limits]


def most_useful(rows: Sequence[TaskRow], values: Sequence[float], limit: int, beyond: str) -> list[str]:
    """The rows of most value within `limit`, in their order; behind the first what is left out, and `beyond` that."""
    words = [(row["text"], *row["headings"]) for row in rows]
    first_at = {row: place for place, row in reversed([*enumerate(words)])}  # the same words again say nothing
    gone_max = min(TASK_ROW_MAX_UTF16, limit // 5)  # of the line that says what is left out
    chosen, left = {0}, limit - gone_max - units(shown_row(rows[0]["text"])) - 6
    for place in sorted(range(1, len(rows)), key=lambda place: (-values[place], place)):
        if values[place] <= 0:
            break
        if first_at[words[place]] != place:
            continue
        around = {place, *rows[place]["headings"][-2:], rows[place]["head"]} - {-1} - chosen
        size = sum(units(shown_row(rows[at]["text"])) + 3 for at in around)
        if size <= left:
            chosen |= around
            left -= size
    shown_parts = {heading for place in chosen for heading in rows[place]["headings"]} | chosen
    headings = [rows[place]["text"].lstrip("# ") for place in range(1, len(rows))
                if rows[place]["text"].startswith("#") and not rows[place]["is_code"] and place not in shown_parts]
    under = f"; nothing stands here of: {'; '.join(headings)}" if headings else ""
    gone = cut(f"[…] {len(rows) - len(chosen)} of {len(rows)} lines left out{beyond}{under}", gone_max)
    shown = [shown_row(rows[place]["text"]) for place in sorted(chosen)]
    return [shown[0], gone, *shown[1:]]


def rows_of(text: str) -> list[TaskRow]:
    """The rows of a task's text; wrapped lines are joined, what says nothing is none."""
    rows: list[TaskRow] = []
    headings, heads = list[tuple[int, int]](), list[tuple[int, int]]()  # level or indent, and place
    is_code = is_wrapped = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code, is_wrapped = not is_code, False
            continue
        if not re.search(r"\w", line) or line == MIDDLE_GONE:
            is_wrapped = False
            continue
        if is_wrapped and not is_code and not re.match(STARTS_ROW, line):
            rows[-1]["text"] += f" {line.strip()}"
        else:
            level = 0 if is_code else level_of(line)
            while level and headings and headings[-1][0] >= level:
                headings.pop()
            indent = len(line) - len(line.lstrip()) + bool(re.match(IN_LIST, line))
            while heads and (level or heads[-1][0] >= indent):
                heads.pop()
            head = heads[-1][1] if heads and not is_code and indent else -1
            rows.append({"text": line.rstrip(), "headings": [place for _, place in headings], "is_code": is_code,
                         "head": head})
            if level:
                headings.append((level, len(rows) - 1))
            elif not is_code and re.search(r"[:：]\**$", line.rstrip()):
                heads.append((indent, len(rows) - 1))
        is_wrapped = len(line) >= WRAPPED_MIN_CHARACTERS and not line.startswith(("#", "|")) and line[-1] not in ":："
    return rows


def level_of(line: str) -> int:
    """A heading's level, 7 of a row in bold letters alone; 0 of any other row."""
    mark = re.match(r"(#{1,6}) ", line)
    return len(mark[1]) if mark else 7 * bool(re.fullmatch(r"\*\*[^*]{2,120}\*\*[:：]?", line))


def is_command_at_the_end(rows: Sequence[TaskRow], place: int) -> bool:
    """Whether a row of code calls a program, in the last part of the task: so it is checked, in whatever language."""
    if not re.match(CALLS_PROGRAM, rows[place]["text"]):
        return False
    tops = [at for at, row in enumerate(rows) if not row["is_code"] and 0 < level_of(row["text"]) < 3]
    return len(tops) > 1 and tops[-1] in rows[place]["headings"]


def value_of(rows: Sequence[TaskRow], place: int, summary: str, done: Set[str], edited: Set[str]) -> float:
    """Of what use a row is for who carries the task out; 0: alone of none, as headings are."""
    row = rows[place]
    above = [rows[at]["text"] for at in row["headings"]]
    if not row["is_code"] and (level_of(row["text"]) or re.search(r"[:：]\**$", row["text"])):
        return 0
    parts = {part for heading in above for part in parts_named(heading)}
    is_check, is_bound = CHECKED_BY in parts, bool(parts & {CHECKED_BY, ENDS_WITH})
    lead = rows[row["head"]]["text"] if row["head"] >= 0 else ""
    binds = any(re.search(BINDING, text) for text in (row["text"], lead))
    if row["is_code"]:
        value = 4.0 if is_command_at_the_end(rows, place) else 0.5
    elif row["text"].lstrip().startswith("|"):
        names = {name.rpartition("/")[2] for name in names_of(row["text"])}
        value = 2.0 if names and not edited & names else 0.7
    elif is_bound:
        value = 5.0
    elif binds or re.match(UNTICKED, row["text"]):
        value = 4.0
    else:
        value = 3.0 if re.match(NUMBERED, row["text"]) else 1.0 + bool(names_of(row["text"]))
    value += is_check + 0.5 * (is_bound and binds)
    if WHY in parts:
        value *= WHY_FACTOR
    if PRAISE in parts or re.search(PRAISE, row["text"]):
        value *= PRAISE_FACTOR
    if done and labels_of_steps({heading.lstrip("# ") for heading in above}) & done:
        value *= DONE_FACTOR
    return value * KNOWN_FACTOR if in_summary(row["text"].strip(), summary) else value


@lru_cache(maxsize=256)  # a heading stands over many rows
def parts_named(heading: str) -> list[str]:
    """What kinds of parts of a task a heading names, each by its pattern."""
    return [kind for kind in (CHECKED_BY, ENDS_WITH, WHY, PRAISE) if re.search(kind, heading)]


def shown_row(text: str) -> str:
    """A row as it is shown: of a long one the sentences that bind, else its beginning."""
    if units(text) <= TASK_ROW_MAX_UTF16:
        return text
    sentences = re.split(r"(?<=[^\d][.!?;])\s+|(?<=[。；])", text)
    binding = [sentence for sentence in sentences[1:] if re.search(BINDING, sentence)]
    begin = cut(sentences[0], TASK_ROW_MAX_UTF16 // 2)
    return cut(" … ".join([begin, " ".join(binding)]) if binding else text, TASK_ROW_MAX_UTF16)


# ==================================================================================================
# recap/repository.py: The repository as it is now, in a few lines for the model: branch, commits of the session, what is changed.
# ==================================================================================================

PATHS_SHOWN = 12  # of each list
BRANCH_SHOWN_UTF16 = 120


def repository_lines(now: GitNow, then: Mapping[str, str]) -> list[str]:
    """The lines on the repository, without a mark before them; none where there is no repository.

    `then` is the snapshot's state: its branch is named where it was another.
    """
    if not now:
        return []
    lines = [head_line(now, then)]
    if now["in_progress"]:
        lines.append(f"Begun and not ended: {as_code(now['in_progress'])}")
    if "commits" in now:
        lines.append(commits_line(now))
    lines += [line for line in (
        paths_line("In conflict", [(path, "") for path in now.get("conflicts", [])], now, "conflicts"),
        paths_line("Staged", now.get("staged", []), now, "staged"),
        paths_line("Modified, not staged", now.get("modified", []), now, "modified"),
        paths_line("Untracked", [(path, "") for path in now.get("untracked", [])], now, "untracked")) if line]
    lists = (now.get("conflicts"), now.get("staged"), now.get("modified"), now.get("untracked"))
    if now["is_complete"] and not any(lists):
        lines.append("Working tree clean")
    if not now["is_complete"]:
        why = "be asked everything in time" if now.get("is_late") else "tell everything"
        lines.append(f"Git could not {why}: what is not named here is not known")
    if now["stashes"]:
        lines.append(f"Stashed: {now['stashes']}")
    return lines


def head_line(now: GitNow, then: Mapping[str, str]) -> str:
    """Branch, commit, and how far the branch is from its upstream."""
    commit = f"HEAD {as_code(now['head'])}" if now.get("head") else "no commit read"
    if "branch" not in now:
        return f"Repository {as_code(now['root'])}: branch and commit not known"
    if not now["branch"]:
        return f"HEAD detached at {as_code(now['head'])}{what_was_before(now, then)}"
    return f"Branch {as_code(now['branch'])}{what_was_before(now, then)}, {commit}, {distance(now)}"


def what_was_before(now: GitNow, then: Mapping[str, str]) -> str:
    """The branch when the snapshot was saved, where it was another."""
    branch = quote(text_of(then, "branch") or text_of(then, "gitBranch"), BRANCH_SHOWN_UTF16)
    return f" (when saved {as_code(branch)})" if branch not in ("", "HEAD", now["branch"]) else ""


def distance(now: GitNow) -> str:
    """How many commits lie between the branch and its upstream, as last fetched."""
    if not now.get("upstream"):
        return "no upstream"
    upstream = f"upstream {as_code(now['upstream'])}"
    if "ahead" not in now:
        return f"{upstream} (distance not known)"
    parts = [f"{count} {word}" for count, word in ((now["ahead"], "ahead"), (now["behind"], "behind")) if count]
    return f"{' and '.join(parts)} of {upstream}" if parts else f"level with {upstream}"


def commits_line(now: GitNow) -> str:
    """The commits of HEAD since the session began."""
    if not now["commits"]:
        return "No commit since the session began"
    more = ", and more" if now["totals"]["commits"] > len(now["commits"]) else ""
    commits = "; ".join(f"{as_code(commit)} {in_quotes(subject)}" for commit, subject in now["commits"])
    return f"Commits since the session began: {commits}{more}"


def paths_line(label: str, paths: Sequence[tuple[str, str]], now: GitNow, name: str) -> str:
    """The list's first paths, below the folder that they share; empty for none."""
    if not paths:
        return ""
    first, total = paths[:PATHS_SHOWN], now["totals"][name]
    shared = shared_folder([path for path, _ in first]) if len(first) > 1 else ""
    start = len(shared)
    named = ", ".join(as_code(path[start:]) + (f" ({how})" if how else "") for path, how in first)
    least = "" if now["is_complete"] else "at least "
    more = f" and {least}{total - len(first)} more" if total > len(first) else ""
    return f"{label}{f' in {as_code(shared)}' if shared else ''}: {named}{more}"


def shared_folder(paths: Sequence[str]) -> str:
    """The folder with its slash that all the paths begin with, letter by letter; empty when they share none."""
    bare = [path.rstrip("/") for path in paths]
    least, most = min(bare), max(bare)  # what these two share all share
    length = next((at for at, letter in enumerate(least) if most[at:at + 1] != letter), len(least))
    return least[:least.rfind("/", 0, length) + 1]


# ==================================================================================================
# recap/same_forms.py: Commands of one form, that differ in the words of an option alone: many of them are one line with these words.
# ==================================================================================================

SAME_FORM_MIN = 3
FORM_SHOWN_UTF16, WORDS_SHOWN_UTF16, WORDS_WHOLE_UTF16, RUNS_SHOWN_MAX = 120, 70, 200, 15
TEXT_OF_A_FORM_CHARACTERS = 1_000
OPTION_WORDS = (  # what stands in quotation marks behind an option or a field's name, cut off perhaps
    r"(?:(?<=[=\s])--?[\w-]{1,30}[= ]|\b\w{1,30}=)(?P<words>\"(?:[^\"\\]|\\.){4,}(?:\"|\Z)|'[^']{4,}(?:'|\Z))")
TAKES_CODE = (r"\b(?:ssh|python[\d.]*|node|deno|bun|tsx|bash|sh|zsh|psql|sqlite3|mysql|mongosh|redis-cli|sed|awk|jq"
              r"|perl|ruby|php|osascript|docker|kubectl|curl|wget|xargs|find)\b|(?<=\s)-[ce]\b")
FORM_NUMBER, VALUE = r"\d+", "\0"
HEREDOC = r"^\"\$\(cat <<-?\s?['\"]?\w+['\"]?\s*"


def with_same_forms_joined(items: Sequence[Item]) -> list[Item]:
    """The items; of at least SAME_FORM_MIN commands of one form the newest stands for all, with their words."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if is_plain_deed(item) and (form := form_without_words(item["text"])):
            groups.setdefault(form, []).append(item)
    joined = {id(group[-1]): group for group in groups.values() if len(group) >= SAME_FORM_MIN}
    gone = {id(item) for group in joined.values() for item in group[:-1]}
    return [{**item, "same": [other["text"] for other in joined[id(item)]]} if id(item) in joined else item
            for item in items if id(item) not in gone]


def is_plain_deed(item: Item) -> bool:
    """Whether it is a command that ended, checks nothing and made no commit."""
    return (item["kind"] == "action" and item["tool"] in SHELL_TOOLS and item["verdict"] == "ended"
            and item.get("family") not in CHECK_FAMILIES and not item.get("commit"))


def form_without_words(command: str) -> str:
    """The command without the words of its options and without numbers; empty where no option has words."""
    text = command[:TEXT_OF_A_FORM_CHARACTERS]
    if VALUE in text or not ('"' in text or "'" in text):
        return ""
    form = re.sub(OPTION_WORDS, lambda match: match[0].replace(match["words"], VALUE), text)
    if VALUE not in form or re.search(TAKES_CODE, re.sub(OPTION_WORDS, "", text)):
        return ""
    return re.sub(FORM_NUMBER, "0", form)


def same_form_line(item: Item, paths: Paths) -> Line:
    """The commands of a form on one line: the form, then what differs, the newest first."""
    texts = item["same"][::-1]
    words = [[match["words"] for match in re.finditer(OPTION_WORDS, text[:TEXT_OF_A_FORM_CHARACTERS])]
             for text in texts]
    columns = [place for place in range(min(map(len, words))) if len({row[place] for row in words}) > 1]
    form = command_in_short(item["text"], paths)
    for value in dict.fromkeys(row for place in columns for row in words[0][place:place + 1]):
        form = form.replace(paths.short(" ⏎ ".join(value.splitlines())), "…")
    short, whole = ("; ".join(" ".join(in_words(row[place], limit) for place in columns)
                              for row in words[:RUNS_SHOWN_MAX]) for limit in (WORDS_SHOWN_UTF16, WORDS_WHOLE_UTF16))
    more = f"; {len(texts) - RUNS_SHOWN_MAX} more" if len(texts) > RUNS_SHOWN_MAX else ""
    begin = f"- {len(texts)} runs like {as_code(cut(form, FORM_SHOWN_UTF16))}"
    return {"items": [item], "text": f"{begin}: {short}{more}" if columns else begin,
            "whole": f"{begin}: {whole}{more}" if columns else begin}


def in_words(value: str, limit: int) -> str:
    """An option's words in short."""
    words = " ".join(re.sub(HEREDOC, "", value).strip("\"'").split())
    return f"“{cut(words, limit)}”"


# ==================================================================================================
# recap/standing.py: Where the work stands: the agent's last words, what waits for the person, tasks, what runs, the repository.
# ==================================================================================================

LISTED_TASK_MAX_UTF16, TASK_DETAIL_MAX_UTF16, WAITING_PLAN_MAX_UTF16, RUNNING_JOB_MAX_UTF16 = 160, 600, 700, 160
LIST_SAID = "said"  # the name of the list of boxes that the agent drew in its words
MARKS = {"completed": "[x]", "in_progress": "[~] in progress:"}
OLD_PLAN_MAX_UTF16 = 120
DONE_TASK_MAX_UTF16, UNTICKED_MAX_UTF16, UNTICKED_LINE_MAX_UTF16, DONE_LINE_MAX_UTF16 = 80, 90, 700, 500
STARTED_SINCE_UTF16 = 80
RUNNING = "Running"  # how a line on a job begins whose process was seen
REDIRECTED = r"\s*(?:2>&1|&?>>?\s?[^\s&|;]{1,200}|</dev/null)"
NAMED_WORDS_SHARE = 0.7  # of a done task's words, that the summary has
ALIVE: dict[object, str] = {True: "its process is still there", False: "its process is not there any more"}


def last_words_line(snapshot: Snapshot, limit: int, last_call: str = "") -> Iterator[Line]:
    """The agent's last words, lines kept; of longer ones their last lines within `limit` UTF-16 units.

    last_call: what was done after them, last; empty: nothing.
    """
    words = text_of(snapshot["state"], "last_words").strip()
    last = next((item for item in reversed(snapshot["items"]) if item["kind"] == "said"), None)
    if not words or not last:
        return
    lines = without_known_lines([line.rstrip() for line in words.splitlines() if line.strip()],
                                text_of(snapshot, "summary"))
    whole = "\n".join(f"  {line}" for line in lines)
    short = whole if units(whole) <= limit else "  […]" + end_of_lines(lines, limit)
    calls = f" (then {last_call})" if last_call else ""
    title = f"- The agent's last words{calls}:"
    yield {"items": [last], "text": f"{title}\n{short}", "whole": f"{title}\n{whole}"}


def end_of_lines(lines: Sequence[str], limit: int) -> str:
    """The last lines within so many units; of a last line that is longer, its end."""
    kept, room = list[str](), limit
    for line in reversed(lines):
        room -= units(line) + 3
        if room < 0:
            break
        kept.insert(0, f"\n  {line}")
    return "".join(kept) or f"\n  …{behind_space(lines[-1][-limit:])}"


def question_lines(items: Sequence[Item]) -> Iterator[Line]:
    """Questions to the person that have no answer, with their options; a plan that waits for approval."""
    for item in items:
        if item["kind"] == "question":
            options = "; ".join(cut(str(option), 160) for option in item.get("options", []))
            yield {"items": [item], "text": f"- Asked in a dialog, no answer yet: {in_quotes(cut(item['text'], 400))}"
                                         + (f" Options: {options}" if options else "")}
        elif item["kind"] == "plan" and item["status"] != "approved":
            where = f" (in {item['path']})" if item.get("path") else ""
            text = cut(folded_line(item["text"]), WAITING_PLAN_MAX_UTF16)
            if item.get("path") and any(other.get("path") == item["path"] and other.get("edits")
                                        and other["position"] > item["position"] for other in items):
                where, text = f"{where[:-1]}, which was written anew since)", cut(text, OLD_PLAN_MAX_UTF16)
            yield {"items": [item], "text": f"- Plan, {item['status']}{where}: {in_quotes(text)}"}


def task_list_lines(items: Sequence[Item], summary: str, ago: Ago) -> Iterator[Line]:
    """The tasks in their order: those not done with their full text, what is unticked in files, those done in short.

    Before them how old the client's list is where files were changed after it: it may not have been kept up.
    """
    tasks = [item for item in items if item["kind"] == "task"]
    listed = tasks_of_client(tasks)
    if any(item["status"] != "completed" for item in listed):
        newest = max(listed, key=lambda item: item["position"])
        since = sum(item.get("edits", 0) for item in items if item["position"] > newest["position"])
        if since:
            when = ago(newest["last"])
            yield {"items": [], "text": f"- (the list was last changed {when}; edits after that: {since})"}
    tasks.sort(key=lambda item: (text_of(item, "list"), item.get("order", 0), item["position"]))
    unticked: dict[str, list[Item]] = {}
    for item in [item for item in tasks if item["status"] != "completed"]:
        if text_of(item, "list") not in LISTS_OF_THE_CLIENT:
            unticked.setdefault(text_of(item, "list"), []).append(item)
            continue
        after = f" (after {item['after']})" if item.get("after") else ""
        detail = text_of(item, "detail")
        more = f": {middle_out(detail, TASK_DETAIL_MAX_UTF16)}" if detail and detail != item["text"] else ""
        subject = cut(folded_line(item["text"]), LISTED_TASK_MAX_UTF16)
        mark = MARKS.get(item["status"], "[ ]")
        short = f"- {mark} {number_of_task(item)}{subject}{after}"
        yield {"items": [item], "text": short, "whole": f"{short}{more}"}
    for name, open_items in unticked.items():
        if name == LIST_SAID and is_committed_since(open_items, items):
            continue
        came = since_then(max(open_items, key=lambda item: item["position"]), items)
        named = unticked_in_words(name, open_items, tasks, listed)
        yield {"items": open_items, "text": f"- [ ] unticked{came} {named}"}
    by_words = {folded_line(item["text"]): item for item in tasks if item["status"] == "completed"}
    done = [*by_words.values()][::-1]  # a task of two lists once
    news = [item for item in done if not names_task(item["text"], summary)]
    if news:
        names = [number_of_task(item) + cut(folded_line(item["text"]), DONE_TASK_MAX_UTF16) for item in news]
        which = "" if len(news) == len(done) else f" {len(done)}, those whose words the summary lacks"
        yield {"items": done, "text": f"- [x] done{which}: {cut('; '.join(names), DONE_LINE_MAX_UTF16)}"}


def is_committed_since(boxes: Sequence[Item], items: Sequence[Item]) -> bool:
    """Whether something was typed and committed after them: in what was said nobody ticks a box, they may be done."""
    newest = max(box["position"] for box in boxes)
    since = [other for other in items if other["position"] > newest]
    return any(other.get("commit") for other in since) and any(other["kind"] == "message" for other in since)


def unticked_in_words(name: str, open_items: Sequence[Item], tasks: Sequence[Item], listed: Sequence[Item]) -> str:
    """Where boxes are unticked, and which; how many where none was ever ticked, and the client's newer list is done."""
    where = "in the agent's words" if name == LIST_SAID else f"in {name}"
    is_ticked = any(text_of(item, "list") == name and item["status"] == "completed" for item in tasks)
    is_older = bool(listed) and max(item["position"] for item in open_items) < max(
        item["position"] for item in listed)
    if is_older and not is_ticked and all(item["status"] == "completed" for item in listed):
        return f"{where}: all of {len(open_items)} boxes; none was ever ticked, and the task list of later is done"
    subjects = "; ".join(cut(folded_line(item["text"]), UNTICKED_MAX_UTF16) for item in open_items)
    return f"{where}: {cut(subjects, UNTICKED_LINE_MAX_UTF16)}"


def names_task(subject: str, summary: str) -> bool:
    """Whether the summary has the names of a done task, and most of its words, in whatever row."""
    if not all(token in summary for token in tokens_of(subject)):
        return False
    words = re.findall(r"[^\W\d_]{4,}", subject.casefold())
    text = summary.casefold()
    return bool(summary) and sum(word in text for word in words) >= NAMED_WORDS_SHARE * len(words)


def number_of_task(item: Item) -> str:
    """The number that the client gave the task, with a space; empty without one."""
    return f"{item['key']} " if text_of(item, "key").startswith("#") else ""


def job_lines(items: Sequence[Item], alive: Mapping[str, bool], paths: Paths, ago: Ago) -> Iterator[Line]:
    """What was put into the background and was not seen to end, with environment, port and output file.

    That it runs is said only where its process was seen: a server of two days before had stood as running, whose port
    another one had. Of a line with `&` that the client put into the background the process is told, not its shell too.
    """
    jobs = [item for item in reversed(items) if item["kind"] == "job"]
    detached = {item["source"] for item in jobs if item["status"] == "open" and item.get("by")}
    for item in jobs:
        if item["status"] != "open" or (item["source"] in detached and not item.get("by")):
            continue
        seen = alive.get(text_of(item, "key"))
        facts = [f"as {item['key']}" if re.fullmatch(r"[\w-]{1,40}", text_of(item, "key")) else "",
                 f"port {item['port']}" if item.get("port") else "",
                 f"with {cut(item['environ'], 120)}" if item.get("environ") else "",
                 f"output in {paths.short(item['path'])}" if item.get("path") else "",
                 ALIVE.get(seen, ""), f"{'started ' * bool(seen)}{ago(item['first'])}", started_since(item, jobs)]
        name = code(paths.short(item["text"]), RUNNING_JOB_MAX_UTF16)
        label = RUNNING if seen else "Started" if seen is False else "Started, no end seen"
        yield {"items": [item], "text": f"- {label}: {name} ({', '.join(filter(None, facts))})"}


def started_since(job: Item, jobs: Sequence[Item]) -> str:
    """That the same was started again, or something on its port, with that one's id; empty where nothing was."""
    for other in jobs:
        if other["source"] == job["source"] or other["first"] <= job["first"]:
            continue
        is_same = without_outputs(other["text"]) == without_outputs(job["text"]) and (
            text_of(other, "environ") == text_of(job, "environ"))
        if is_same or (job.get("port") and other.get("port") == job["port"]):
            key = text_of(other, "key")
            which = f" as {key}" if re.fullmatch(r"[\w-]{1,40}", key) else ""
            return f"the same was started again since{which}" if is_same else (
                f"{code(other['text'], STARTED_SINCE_UTF16)} was started on its port since")
    return ""


def without_outputs(text: str) -> str:
    """A command without where its output goes and the `&` behind it."""
    return re.sub(REDIRECTED, "", text).strip("& ")


# ==================================================================================================
# client/transcript.py: A record of the transcript: what its message holds, and which of its words a person typed.
# ==================================================================================================

BLOCK_BEHIND = b',{"type":"t'  # in a line: words or a call behind a thought (2.0.28 to 2.1.177)
PASTED_PLAN = "Implement the following plan:"  # how a plan begins that was approved in another session
PLAN_WOVEN = "\n\nIf you need specific details from before exiting plan mode"  # what the client adds to it
HOOK_FEEDBACK = "Stop hook feedback:"  # how the client begins what a Stop hook tells the agent to go on with
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.329)
    "<command-", "<local-command", "<bash-", "<task-", "<teammate-", "<user-prompt-submit", "[Request interrupted by",
    "Caveat: The messages", "This session is being continued", PASTED_PLAN, HOOK_FEEDBACK,
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"',
    "Tool loaded.", "Unknown slash command: ", "Unknown skill: ")
LINE_OF_COMMAND = 400  # characters within which a command's record names it
MACHINE_FLAGS = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent")
SILENT_COMMANDS = frozenset((  # the client's: what follows is no word to the agent
    "add-dir agents bashes branch btw bug chrome clear color compact config context copy cost desktop doctor effort "
    "exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login "
    "logout mcp memory migrate-installer mobile model output-style passes permissions plan plugin privacy-settings "
    "quit rate-limit-options release-notes reload-plugins remote-control remote-env rename resume rewind sandbox "
    "skills stats status statusline stickers tag tasks terminal-setup theme todos upgrade usage vim voice").split())
OWN_COMMANDS = ("compact-keeper:", "compact-keeper-")  # how ours begin, of the plugin and of a copy


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
    is_prompt = record.get("type") == "attachment" and queued.get("commandMode") == "prompt"
    blocks = content_blocks({"message": {"content": queued.get("prompt")}} if is_prompt else record)
    texts = [text for block in blocks if (text := text_of(block, "text"))]  # in tools' results there is none
    if not texts or not (is_prompt or record.get("type") == "user"):
        return ""
    if is_by_program(record, queued) or any(queued.get(flag, record.get(flag)) for flag in MACHINE_FLAGS):
        return ""
    return "\n".join(filter(None, map(own_words, texts)))


def is_by_program(record: Record, queued: Record | None = None) -> bool:
    """Whether the client says that a program gave these words in the person's place; `queued` is their attachment."""
    origin = (queued or record).get("origin", record.get("origin"))
    return (isinstance(origin, dict) and origin.get("kind") != "human") or record.get("promptSource") == "system"


def words_behind_compact(record: Record) -> str:
    """What the person typed behind /compact, in the record that the client writes of it after the compaction."""
    texts = [text_of(block, "text") for block in content_blocks(record)] if record.get("type") == "user" else []
    text = next((text for text in texts if "<command-name>/compact</command-name>" in text[:LINE_OF_COMMAND]), "")
    return text.partition("<command-args>")[2].partition("</command-args>")[0].strip()


def message_of_teammate(text: str) -> tuple[str, str]:
    """Who of a team wrote a message, and its words; both empty where it is none, or one that a program made."""
    begin = re.match(r"\s*<teammate-message teammate_id=\"([\w.@-]{1,80})\"[^>]{0,2000}>", text)
    words = text[begin.end():].partition("</teammate-message>")[0].strip() if begin else ""
    return (begin.group(1), words) if begin and words and not words.startswith("{") else ("", "")


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it."""
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    is_silent = bool(name and (name.group(1) in SILENT_COMMANDS or name.group(1).startswith(OWN_COMMANDS)))
    if name and (is_silent or is_woven):
        words = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return "" if is_silent else f"/{name.group(1)} {words}" if words else f"/{name.group(1)}"
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()


# ==================================================================================================
# client/blocks.py: Blocks of a message: whether the model made them, and what a call's result says.
# ==================================================================================================

REJECTION = "The user doesn't want to proceed"  # how the result of a call begins that the person rejected
# What stands before the words with which they did; the second from 2.1.83 to 2.1.133, beside the first.
SAID, REASON = "the user said:\n", "The user provided the following reason for the rejection:"

NOTICE, NOTICES_MAX = "<task-notification>", 20  # of a background job; looked at in one text
NOTICE_HEAD_CHARACTERS = 2_000  # of a notice, in which its id, its status and its summary stand
REMINDER = (  # how clients before 2.1.15 tell that a background shell has ended
    r"Background Bash (?P<job>[\w-]{1,64}) \(command: .{0,2000}?\) "
    r"\(status: (?P<status>completed|failed|killed)\)(?P<exit> \(exit code: \d{1,3}\))?")
ENDED = ("completed", "failed", "killed")  # states of a job


def is_by_model(record: Record) -> bool:
    """Whether the model wrote the record's message; the client writes some in its place."""
    return bool(record["type"] == "assistant" and record["message"].get("model") != "<synthetic>")


def result_text(block: Record) -> str:
    """The text of a call's result."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(text_of(part, "text") for part in parts if isinstance(part, dict))


def rejection_words(text: str) -> str:
    """What the person said to the call that they rejected, in its result's text; empty where they said nothing."""
    return own_words(behind_rejection(text).partition("\n\nNote: The user's next")[0]).strip()


def behind_rejection(text: str) -> str:
    """What the client quotes behind its own words of a rejection; empty where it quotes nothing."""
    return "".join(re.split(f"{SAID}|{REASON}", text, maxsplit=1)[1:])


def report_of(output: str) -> str:
    """A subagent's report without what the client writes below it."""
    return re.split(r"\nagentId: \w|\n<usage>", output, maxsplit=1)[0]


def exit_code(text: str) -> int | None:
    """The exit code with which a failed command's result begins."""
    code = re.match(r"Exit code (\d{1,3})\b", text)
    return int(code.group(1)) if code else None


def notices_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Id, status and words of each job that the client says here has ended; a notice of news is no end."""
    for notice in text.split(NOTICE)[1:NOTICES_MAX] if text.startswith(NOTICE) else ():
        head = notice.partition("<result>")[0][:NOTICE_HEAD_CHARACTERS]
        job = re.search(r"<task-id>([\w-]{1,64})</task-id>", head)
        status = re.search(r"<status>(\w{1,20})</status>", head)
        if job and status and status[1] in ENDED:
            summary = head.partition("<summary>")[2].partition("</summary>")[0].strip()
            result = notice.partition("<result>")[2].partition("</result>")[0].strip()
            yield job[1], status[1], f"{summary}: {result}" if result else summary
    if text.startswith("<system-reminder>"):
        for match in re.finditer(REMINDER, text[:NOTICE_HEAD_CHARACTERS], re.DOTALL):
            yield match["job"], match["status"], f"{match['status']}{match['exit'] or ''}"


# ==================================================================================================
# record/reports.py: What subagents were ordered and reported, by rows: of an order those that bind, of a report those that tell.
# ==================================================================================================

LOOKED_AT_CHARACTERS, TITLE_MAX_CHARACTERS = 24_000, 200
REPORT_ROW_MAX_UTF16, ORDER_ROW_MAX_UTF16, ORDER_ROWS_MAX_UTF16 = 320, 200, 1_400
BINDS = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must(?: not)?|never|always|exactly|at most|avoid|without|with no)\b")
VERDICT = (
    r"(?i)\b(?:verdict|conclusion|approved?|rejected|recommend\w*|root cause|critical|important|major|high|blocker"
    r"|bugs?|issues?|fail\w*|pass(?:ed|es|ing)?|missing|wrong|incorrect|broken|unused"
    r"|not (?:implemented|found|used|covered|tested)|no (?:issues?|tests?|problems?))\b|[✅❌⚠✗✓]")
COMMIT_HASH = rf"\b{HASH_FORM}\b"
OPENS_REPORT = (  # what a report begins with before it says something
    r"(?i)(?:(?:perfect|excellent|great|good|done)[!.,]? ?)*(?:now )?(?:i (?:now )?have|here(?:'s| is)|let me|based on"
    r"|i've|all done)\b")
AGENT_RESUMED = r"\nagentId: (\w{1,64}) \([^\n]{0,80}?(?:resum|SendMessage)"


def order_rows(order: str) -> list[str]:
    """The rows of an order outside of its code, safe to keep: those that bind first of all, in their order."""
    rows = [*dict.fromkeys(quote_all([*parts_of(order)], ORDER_ROW_MAX_UTF16))]
    chosen, room = set[str](), ORDER_ROWS_MAX_UTF16
    for row in sorted(rows, key=lambda row: not re.search(BINDS, row)):
        room -= units(row)
        if room < 0:
            break
        chosen.add(row)
    return [row for row in rows if row in chosen]


def parts_of(text: str) -> Iterator[str]:
    """The text's rows outside of code without their marks; of those that are paragraphs their sentences."""
    for line in rows_outside_code(text[:LOOKED_AT_CHARACTERS]):
        row = line.lstrip("#-*•> ").strip()
        if not is_heading(row):
            yield from re.split(r"(?<=[^\d][.!?]) +(?=[A-Z])", row)


def rows_outside_code(text: str) -> Iterator[str]:
    """The text's rows with a word, outside of fences, without secrets."""
    is_code = False
    for line in redact_across_lines(clean(text)).splitlines():
        is_fence = line.lstrip().startswith(("```", "~~~"))
        is_code ^= is_fence
        if not is_code and not is_fence and re.search(r"\w", line):
            yield line.strip()


def report_rows(report: str, most: int) -> list[str]:
    """The rows of a report that tell most, in its order and within so many UTF-16 units, safe to keep."""
    rows, worths = weighed_rows(report[:LOOKED_AT_CHARACTERS])
    return [rows[place] for place in places_within(rows, worths, most)] or rows[:1]


@lru_cache(maxsize=1)  # a report ends its job and its call, one behind the other
def weighed_rows(report: str) -> tuple[list[str], list[float]]:
    """The rows of a report outside of its code, safe to keep, and how much each tells; nobody may change them."""
    rows = quote_all([*rows_outside_code(report_of(report))], REPORT_ROW_MAX_UTF16)
    return rows, [worth_of(rows, place) for place in range(len(rows))]


def places_within(rows: Sequence[str], values: Sequence[float], most: int) -> list[int]:
    """The places of the rows of most value that fit, each with the heading above it, in their order."""
    above, heading = list[int](), -1
    for place, row in enumerate(rows):
        heading = place if is_heading(row) else heading
        above.append(heading)
    chosen = set[int]()
    for place in sorted(range(len(rows)), key=lambda place: (-values[place], place)):
        if values[place] <= 0:
            break
        size = sum(units(rows[at]) + 3 for at in {place, above[place]} - {-1} - chosen)
        if size <= most:
            chosen |= {place, above[place]} - {-1}
            most -= size
    return sorted(chosen)


def worth_of(rows: Sequence[str], place: int) -> float:
    """How much a report's row tells: a verdict, a commit, names, numbers; the first below a heading more."""
    row = rows[place]
    if is_heading(row) or (place == 0 and re.match(OPENS_REPORT, row)):
        return 0
    has_number = bool(re.search(r"\d", row))
    value = 1 + min(len(names_of(row)), 4) * 0.5 + has_number * 0.5 + bool(re.search(VERDICT, row))
    value += 2 * bool(has_number and re.search(COMMIT_HASH, row)) + (place > 0 and is_heading(rows[place - 1])) * 0.75
    return value + (place == len(rows) - 1) * 0.5


def is_heading(row: str) -> bool:
    """Whether a row only names what stands below it."""
    is_marked = row.startswith(("#", "**")) and re.match(r"#{1,6} |\*\*[^*]{1,120}\*\*:?$", row)
    return bool(is_marked) or row.endswith(":")


def agent_to_resume(output: str) -> str:
    """The id of a subagent that the client says can be gone on with; else empty."""
    end = output[-2_000:]
    match = re.search(AGENT_RESUMED, end) if "agentId: " in end else None
    return match[1] if match else ""


def order_title(description: str, order: str) -> str:
    """What an order is called: the call's description, else its first words."""
    words = " ".join(order[:TITLE_MAX_CHARACTERS + 1].split())
    return " ".join(description.split()) or (words if len(order) <= TITLE_MAX_CHARACTERS else before_space(words))


# ==================================================================================================
# recap/orders.py: What subagents were ordered and reported: an order's title, what binds in it, the telling rows of the report.
# ==================================================================================================

ORDER_SHOWN_UTF16, REPORT_SHOWN_UTF16 = 220, 360  # the first of one that has not reported
ORDER_WHOLE_UTF16, REPORT_WHOLE_UTF16 = 400, 1_000  # where room is left
SHARED_BY_ORDERS, SHARED_ROW_MIN_UTF16, SHARED_ROWS_MAX_UTF16 = 3, 25, 600  # rows in so many orders are told once
KNOWN_ROW_FACTOR = 0.3  # of the worth of a row that the summary has


class Orders:
    """The orders to subagents, by key; each is put into words when its line is wanted: most have no room."""

    def __init__(self, items: Sequence[Item], summary: str, paths: Paths) -> None:
        """Those among the items."""
        self.summary, self.paths = summary, paths
        self.orders = [item for item in items if item["kind"] == "action" and item["tool"] in SUBAGENT_TOOLS]
        self.by_key = {item["key"]: item for item in self.orders}
        self.shared = rows_of_several(self.orders)

    def line_of(self, key: str) -> Line | None:
        """The order's line, of the newest with the rows that several orders share; none of what is no order."""
        if key not in self.by_key:
            return None
        line = order_line(self.by_key[key], self.shared, self.summary, self.paths)
        rows = [row for row in self.shared if not in_summary(row, self.summary)] if (
            key == self.orders[-1]["key"]) else []
        if not rows:
            return line
        words = cut(" | ".join(rows).replace("**", ""), SHARED_ROWS_MAX_UTF16)
        given = f"\n- In {max(self.shared.values())} subagents' orders alike: {words}"
        return {**line, "text": line["text"] + given, "whole": line["whole"] + given}


def rows_of_several(orders: Sequence[Item]) -> dict[str, int]:
    """The longer rows that stand in the orders of several subagents, with in how many."""
    counts: dict[str, int] = {}
    for row in (row for order in orders for row in order.get("ordered", []) if units(row) >= SHARED_ROW_MIN_UTF16):
        counts[row] = counts.get(row, 0) + 1
    return {row: count for row, count in counts.items() if count >= SHARED_BY_ORDERS}


def order_line(item: Item, shared: Mapping[str, int], summary: str, paths: Paths) -> Line:
    """What a subagent was ordered, what binds in that alone, and the rows of its report."""
    binds = until_full(ORDER_WHOLE_UTF16, (row for row in item.get("ordered", []) if re.search(BINDS, row)
                                           and row not in shared and not in_summary(row, summary)))
    agent = f" {item['agent']}" if item.get("agent") else ""
    head = f"- Subagent{agent}: {folded_line(item['text'])}"
    rows = item["result"].splitlines()
    known = {row for row in rows if in_summary(row, summary)}
    worths = [worth_of(rows, place) for place in range(len(rows))]
    short, whole = (ORDER_SHOWN_UTF16 * (item["verdict"] == "running"), REPORT_SHOWN_UTF16), (
        ORDER_WHOLE_UTF16 * (item["verdict"] != "failed"), REPORT_WHOLE_UTF16)
    texts = [paths.short(f"{head}{order_in_short(binds, order)}{report_in_short(item, report, worths, known)}")
             for order, report in (short, whole)]
    return {"items": [item], "text": texts[0], "whole": texts[1]}


def until_full(room: int, rows: Iterable[str]) -> list[str]:
    """The first rows, up to the one that goes beyond so many UTF-16 units: what comes behind is not looked at."""
    first = list[str]()
    for row in rows:
        first.append(row)
        room -= units(row)
        if room < 0:
            break
    return first


def order_in_short(rows: Sequence[str], limit: int) -> str:
    """The first of the rows of an order that bind, within so many UTF-16 units."""
    kept = list[str]()
    for row in rows:
        limit -= units(row) + 3
        if limit < 0:
            break
        kept.append(row.replace('**', ''))
    return f"; its order: {' | '.join(kept)}" if kept else ""


def report_in_short(item: Item, limit: int, worths: Sequence[float], known: Set[str]) -> str:
    """The telling rows of a subagent's report behind an arrow, or that there is none yet; `worths`: of rows uncut."""
    rows = item["result"].splitlines()
    if not rows:
        return " → (no report yet)" if item["verdict"] == "running" else ""
    shown = [cut(row, limit * 3 // 5) for row in rows]
    around = [slice(max(place - 1, 0), place + 1) for place in range(len(rows))]  # a row and the heading above it
    values = [(worths[place] if shown[around[place]] == rows[around[place]] else worth_of(shown, place))
              * (KNOWN_ROW_FACTOR if row in known else 1) for place, row in enumerate(shown)]
    places = places_within(shown, values, limit) or [0]
    parts = [("… " if place and place - 1 not in places else "") + shown[place].replace("**", "").strip("#| -")
             for place in places]
    return f" → reported: {' | '.join(parts)}{' …' if places[-1] < len(rows) - 1 else ''}"


# ==================================================================================================
# text/ends.py: The end of a text, from a place where it may begin.
# ==================================================================================================

def last_part(text: str, limit: int) -> str:
    """The end of the text, from the beginning of a line or of a sentence on where there is one."""
    text = text.strip()
    if len(text) <= limit:
        return text
    end = text[-limit:]
    start = re.search(r"\n|[.!?:] ", end[:limit // 2])
    return "… " + (end[start.end():] if start else behind_space(end)).strip()


# ==================================================================================================
# recap/statements.py: The agent's words in short: the sentences that say what the summary does not.
# ==================================================================================================

SAID_SHOWN_UTF16, SAID_WHOLE_UTF16 = 240, 1_000  # the second where room is left
SAID_END_SHOWN_UTF16, TURN_SHOWN_UTF16 = 450, 200
REPORT_MIN_CHARACTERS = 150  # shorter words before a call announce it, and the call stands there
REPORTS_MAX = 5  # of those that do not stand before a message; with all, readers were misled by old guesses
REPLY_SHOWN_UTF16 = 80
TURNS = r"(?:But|However|Wait|Actually|No[,.]|Hmm|Aber|Mais|Pero)\b"  # begin what takes back the sentence before
SENTENCE_BREAK = r"(?<=[.!?:;])\s+|\s(?=(?:[-*] |\d+\. |#+ |\*\*))"
REFERS_BACK = r"(?:In (?:that|this|such) case|Otherwise|Then|So|Therefore|Hence|This|That|These|Those|It|They)\b"
COMES_NEXT = (r"(?i)(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|excellent)\b\W{1,3})*"
              r"(?:let me|let's|i'?ll|i will|i need to|i want to|i'?m going to)\b")
ANNOUNCES = r":$|^#{1,6} [^.]{1,60}$"
COST_OF_CHARACTER = 0.004  # so a sentence of 100 without news is not taken between two that have some
RECOMMENDS = (r"(?i)\b(?:i(?:'d| would)? (?:recommend|suggest|go with|pick|lean|drop|keep)|recommend(?:ation)?\b"
              r"|my (?:pick|vote|choice))")
LEAD_MAX_CHARACTERS = 25
ADVICE_SHOWN_UTF16, ADVICE_COMPARED = 200, 40
LETTER, LONGER_WORD = r"[^\W\d_]", r"[^\W\d_]{5,}"
PLAIN_WORD_WEIGHT = 0.15  # of a word that the summary lacks, beside 1 of a name or value


def reports_in(items: Sequence[Item]) -> dict[int, str]:
    """The positions of words that report something, with where they stand: before which message, if before one.

    Those are the last before a message, and of the longer ones the newest, of several in a row the last: older guesses
    were mostly overtaken. Not the session's last words, which are shown elsewhere.
    """
    row = [item for item in items if item["kind"] in ("said", "message", "action")]
    nothing: Item = {}
    said = [(item, after) for item, after in zip(row, [*row[1:], nothing]) if item["kind"] == "said"][:-1]
    longer = [*islice((item["position"] for item, after in reversed(said) if after.get("kind") == "action"
                       and len(without_plans(item["text"])) >= REPORT_MIN_CHARACTERS), REPORTS_MAX)]
    return {item["position"]: f", before the user typed {in_quotes(cut(folded_line(after['text']), REPLY_SHOWN_UTF16))}"
            if after.get("kind") == "message" and after.get("via") != "queue" else ""  # that was typed before they came
            for item, after in said
            if after.get("kind") == "message" or item["position"] in longer}


def without_plans(words: str) -> str:
    """The words without the sentences that only say what comes next: the calls behind them show it."""
    return " ".join(sentence for sentence in sentences_of(folded_line(words)) if not re.match(COMES_NEXT, sentence))


def statement_line(item: Item, where: str, paths: Paths, summary: str) -> Line:
    """The telling part of the agent's words, and more of them where room is left; empty: nothing that is new."""
    words = paths.short(folded_line(item["text"]))
    part = telling_part(words, summary, SAID_SHOWN_UTF16, bool(where))
    title = f"- Said{where}: "
    longer = part_with_end(words, summary) if where else telling_part(words, summary, SAID_WHOLE_UTF16)
    if where and part:
        part, longer = (with_recommendation(text, words) for text in (part, longer))
    return {"items": [item], "text": part and title + part, "whole": part and title + longer}


def with_recommendation(part: str, words: str) -> str:
    """The part of the agent's words, and behind it what they recommend where it is not in it."""
    sentences = sentences_of(words)
    places = [place for place, sentence in enumerate(sentences) if re.search(RECOMMENDS, sentence)] if (
        re.search(RECOMMENDS, words)) else []
    if not places:
        return part
    is_heading = len(sentences[places[0]]) < ADVICE_COMPARED
    advice = " ".join(sentences[places[0]:places[0] + 1 + is_heading])
    return f"{part} … {cut(advice, ADVICE_SHOWN_UTF16)}" if advice[:ADVICE_COMPARED] not in part else part


def part_with_end(words: str, summary: str) -> str:
    """Of words before a message the telling part, and their end, which the message may answer: options, a question."""
    if len(words) <= SAID_WHOLE_UTF16:
        return telling_part(words, summary, SAID_WHOLE_UTF16)
    sentences = sentences_of(words)
    first, last = telling_row(sentences, summary, SAID_WHOLE_UTF16)
    if first == last:
        return ""
    end = len(sentences) - 1
    while end > 0 and len(" ".join(sentences[end - 1:])) <= SAID_END_SHOWN_UTF16:
        end -= 1
    begin = "… " if first else ""
    if end <= last:
        return begin + cut(" ".join(sentences[first:]), SAID_WHOLE_UTF16 + SAID_END_SHOWN_UTF16)
    row = cut(" ".join(sentences[first:last]), SAID_WHOLE_UTF16 + TURN_SHOWN_UTF16)
    return f"{begin}{row} … {last_part(' '.join(sentences[end:]), SAID_END_SHOWN_UTF16).lstrip('… ')}"


def telling_part(words: str, summary: str, limit: int, with_end: bool = False) -> str:
    """Of the words the row of sentences with most names and values that the summary lacks, within `limit`.

    A question at the end is added, `with_end` any last sentence: the next message may answer it. Empty: nothing is new.
    """
    sentences = sentences_of(words)
    if len(words) <= limit:
        return words if any(news_in(sentence, summary) for sentence in sentences) else ""
    is_added = (with_end or sentences[-1].endswith("?")) and len(sentences[-1]) < limit // 2
    question = sentences[-1] if is_added else ""
    room = limit - len(question)
    first, last = telling_row(sentences, summary, room)
    if first == last:
        return ""
    begin, end = "… " if first else "", "" if last == len(sentences) else f" … {question}" if question else " …"
    return begin + cut(" ".join(sentences[first:last]), room + TURN_SHOWN_UTF16) + end


def telling_row(sentences: Sequence[str], summary: str, room: int) -> tuple[int, int]:
    """Where the row of sentences with most that the summary lacks begins, and behind which it ends; empty: nothing new.

    A row, not single sentences: a guess must not stand there without the words that take it back, nor the members of a
    list without its head.
    """
    news = [news_in(sentence, summary) for sentence in sentences]
    best, rows = 0.0, (0, 0)
    for first in range(len(sentences)):
        size, value = 0, 0.0
        for last in range(first, len(sentences)):
            size += len(sentences[last]) + 1
            if size > room and last > first:
                break
            value += news[last] - COST_OF_CHARACTER * len(sentences[last])
            if value > best:
                best, rows = value, (first, last + 1)
    first, last = rows
    while 0 < first < last and (re.match(REFERS_BACK, sentences[first]) or is_lead(sentences[first - 1])):
        first -= 1
    while first < last < len(sentences) and re.match(TURNS, sentences[last]):
        last += 1
    while last > first + 1 and re.search(ANNOUNCES, sentences[last - 1]):  # what does not follow here
        last -= 1
    return first, last


def is_lead(sentence: str) -> bool:
    """Whether it leads to what follows ("But no:", "Removed:") and says nothing alone."""
    return len(sentence) <= LEAD_MAX_CHARACTERS and sentence.endswith((":", ";"))


@lru_cache(maxsize=2)  # words are looked through for a short part and for a long one
def sentences_of(words: str) -> list[str]:
    """The words' sentences, headings and members of lists, which nobody may change."""
    return [part for part in re.split(SENTENCE_BREAK, words) if part.strip()]


@lru_cache(maxsize=1_024)  # as above
def news_in(sentence: str, summary: str) -> float:
    """How many names, values and words, these with less weight, a sentence has that the summary lacks."""
    names = [token for token in tokens_of(sentence) if token not in summary]
    known, each_once = words_of(summary)
    words = {word for word in re.findall(LONGER_WORD, sentence)
             if (lowered := word.lower()) not in known and lowered not in each_once}
    return len(names) + PLAIN_WORD_WEIGHT * len(words)


@lru_cache(maxsize=2)
def words_of(summary: str) -> tuple[frozenset[str], str]:
    """The summary's longer words in lower case, and the same in a row: to look through all of it took much longer."""
    lowered = summary.lower()
    form = rf"(?:{LETTER}|\u0307){{5,}}" if "\u0307" in lowered else LONGER_WORD  # the dot that a lowered İ leaves
    words = frozenset(re.findall(form, lowered))
    return words, " ".join(words)


# ==================================================================================================
# recap/work.py: What was done, newest first, and how it ended: commands, changed files, what the agent said, orders and reports.
# ==================================================================================================

COMMAND_SHOWN_UTF16, COMMIT_SHOWN_UTF16, RESULT_SHOWN_UTF16 = 230, 90, 190
JOB_SHOWN_UTF16, JOB_END_SHOWN_UTF16, ARGUMENTS_SHOWN_UTF16 = 130, 320, 180
EARLIER_SHOWN_UTF16, EARLIER_STOPPED_UTF16 = 80, 120
COMMAND_COPIED_UTF16 = 500  # whole: cut in its middle, where the deed is, it was typed wrongly again
DEPLOYS = r"\b(?:scp|rsync|deploy|publish|systemctl (?:re)?(?:start|load))\b"
COMMAND_WHOLE_UTF16, RESULT_WHOLE_UTF16 = 600, 400  # where room is left
NEWEST_ACTIONS = 5  # shown even if the summary says the same: what was being done
EARLIER = {"passed": "passed", "failed": "failed", "unknown": "ended, result not shown", "ended": "ran"}
ERROR_PRINTED = (  # a row with which a program says that it met an error, whatever its exit code
    r"(?:psql:\S{1,200}:\d+: )?(?:ERROR|FATAL):\s{1,2}\S|ERROR \d{3,5} \(\w+\)|Traceback \(most recent call last\)"
    r"|(?:fatal|error|Error): \S|[\w.]{1,60}(?:Error|Exception): \S"
    r"|(?:bash|sh|zsh|/bin/\w{1,9}|\(eval\)):.{1,200}(?:not found|No such file|Permission denied)"
    r"|(?:ls|cat|cp|mv|rm|mkdir|sed|cd|find): .{1,200}(?:No such file|Permission denied|cannot)")
CLIENT_TOOLS = ("Skill", "TodoWrite", "EnterPlanMode", "ToolSearch")  # the client itself puts back what they did
EXIT_ALONE = r"exit 0 of `[^`]{1,40}`"  # the output was empty, or tells nothing
SIBLING_FAILED = "‹tool_use_error>"  # another call of the same row failed
TRIVIAL = (  # of which only that it was done could be told
    r"(?:(?:mkdir|cd|chmod|git add|sleep|echo|pwd|which|true|touch|export|source|open|xdg-open)\b"
    r"[^;&|\n]*(?:&&|;|\n|$)\s*)+$")
ASKS_FOR_OUTPUT = r"\||\b(?:grep|rg|diff|find|ls|cat|test|check|lint|show|list|status|log)\b"  # none tells something
SAME_CHANGE_MIN_CHARACTERS = 60  # shorter ones are shown again
BATCH_MIN, BATCH_SHOWN = 6, 2  # new files of a kind in a folder: with so many the rest share a line
SOUGHT_MAX = 8  # looks behind the newest message: one may show what was asked; a session of probes filled the text
UNKNOWN_SINCE = " then"  # of a check that failed, and is not open: it was run again, or not at all
NO_LINE: Line = {"items": [], "text": ""}


def work_lines(items: Sequence[Item], paths: Paths, stated: str = "", summary: str = "",
               since: Mapping[int, str] | None = None) -> Iterator[Line]:
    """The lines, newest first; `stated` is what other sections say of checks and of the repository.

    `since`: of checks that failed, by position, what is known since.
    """
    since = since or {}
    edits = edits_by_file(items)
    batches = batches_of_new_files(edits)
    known_rows = {line.strip() for line in summary.splitlines()}
    reports = reports_in(items)
    orders = Orders(items, summary, paths)
    newest_message = max((item["position"] for item in items if item["kind"] == "message"), default=0)
    actions = sought = 0
    changed: dict[str, str] = {}  # by what was changed the file that was shown
    for item in reversed(items):
        line = NO_LINE
        if item["kind"] == "said" and item["position"] in reports:
            line = statement_line(item, reports[item["position"]], paths, summary)
        elif item["kind"] == "job" and is_ended_job(item):
            line = job_ended_line(item, paths)
        elif item["kind"] == "look" and sought < SOUGHT_MAX and is_answer_sought(item, newest_message):
            sought += 1
            line = {"items": [item], "text": f"- {look_in_short(item, paths)}"}
        elif item["kind"] == "action" and item["tool"] in CHANGING_TOOLS:
            is_newest = edits.get(item["path"], [{}])[0] is item
            line = edits_line(edits[item["path"]], paths, known_rows) if is_newest else NO_LINE
            line = as_in_other(line, changed, paths.short(item["path"])) if is_newest else line
            if batch := batches.get(item["path"]):
                line = new_files_line(batch, paths) if batch[0] is item else NO_LINE
        elif item["kind"] == "action" and is_telling(item, stated):
            line = orders.line_of(item["key"]) or action_line(item, paths, since.get(item["position"], UNKNOWN_SINCE))
        if line["text"] and (actions < NEWEST_ACTIONS or not in_summary(without_tags(line["text"]), summary)):
            actions += item["kind"] != "said"
            yield {**line, "is_of_turn": 0 < newest_message < item["position"]}


def as_in_other(line: Line, changed: dict[str, str], path: str) -> Line:
    """The line of a changed file; where the same was changed in another file that is named instead, and kept in mind.

    `changed`: by the words of a change the path of the file that they were shown for; this one is added.
    """
    head, _, change = without_tags(line.get("whole", "")).partition(": ")
    if len(change) < SAME_CHANGE_MIN_CHARACTERS or changed.setdefault(change, path) == path:
        return line
    return {"items": line["items"], "text": f"{head}: the same as in {changed[change].rpartition('/')[2]}"}


def edits_by_file(items: Sequence[Item]) -> dict[str, list[Item]]:
    """The changes of each file, the newest first; one that failed only where none worked later."""
    edits: dict[str, list[Item]] = {}
    for item in reversed(items):
        is_edit = item["kind"] == "action" and item["tool"] in CHANGING_TOOLS
        if is_edit and (item["verdict"] != "failed" or item["path"] not in edits):
            edits.setdefault(item["path"], []).append(item)
    return edits


def batches_of_new_files(edits: Mapping[str, Sequence[Item]]) -> dict[str, list[Item]]:
    """By path the row in which a file stands that was written once, as many of its kind in its folder: newest first.

    The newest of them keep lines of their own: they show what the others are like.
    """
    kinds: dict[tuple[str, str], list[Item]] = {}
    for path, (newest, *older) in edits.items():
        if newest["tool"] == "Write" and newest["verdict"] == "ended" and not older and newest["uses"] == 1:
            folder, _, name = path.rpartition("/")
            kinds.setdefault((folder, name.rpartition(".")[2]), []).append(newest)
    return {item["path"]: batch[BATCH_SHOWN:] for batch in kinds.values() if len(batch) >= BATCH_MIN
            for item in batch[BATCH_SHOWN:]}


def is_telling(item: Item, stated: str) -> bool:
    """Whether an action says something that stands nowhere else."""
    is_refused_by_client = item["verdict"] == "not run" and item["result"].startswith(SIBLING_FAILED)
    if item.get("made") or stands_as_made(item) or item["tool"] in CLIENT_TOOLS or is_refused_by_client:
        return False
    if item["tool"] not in SHELL_TOOLS:
        return True
    if item.get("family") in CHECK_FAMILIES and item["verdict"] == "passed":
        return False  # its last run stands among the checks
    is_silent = item["verdict"] == "ended" and not item["result"]
    return not is_stated(item, stated) and not (is_silent and re.match(TRIVIAL, item["text"]))


def is_stated(item: Item, stated: str) -> bool:
    """Whether another section names the command, its result or the commit that it made."""
    command = re.sub(r" 2>&1(?= |$)", "", folded_line(item["text"]))
    result = item["result"][:STATED_CHARACTERS]
    return (f"`{command[:STATED_CHARACTERS]}" in stated or bool(result and result in stated)
            or bool(item.get("commit") and item["commit"] in stated))


def is_answer_sought(item: Item, newest_message: int) -> bool:
    """Whether a look is one of the newest calls, or a command behind the newest message: it may show what was asked."""
    is_command = item["position"] > newest_message and item["result"] and item["tool"] in SHELL_TOOLS
    return bool(item.get("output") or is_command)


def is_ended_job(item: Item) -> bool:
    """Whether a background job ended with words; a subagent's report stands with its order."""
    return item["status"] == "ended" and bool(item.get("result")) and (
        " &" not in item["text"] and item["tool"] not in SUBAGENT_TOOLS)


def job_ended_line(item: Item, paths: Paths) -> Line:
    """What ran in the background and has ended, and how."""
    result = middle_out(paths.short(item["result"]), JOB_END_SHOWN_UTF16)
    name = code(command_in_short(item["text"], paths), JOB_SHOWN_UTF16)
    return {"items": [item], "text": f"- In the background, ended ({item['key']}): {name} → {result}"}


def output_in_short(item: Item, paths: Paths, limit: int = RESULT_SHOWN_UTF16) -> str:
    """What the call showed, in short, its last and telling rows first; of one of the newest calls more of it."""
    output, result = text_of(item, "output"), text_of(item, "result")
    if not output and re.fullmatch(EXIT_ALONE, result):
        return ""
    return rows_in_short(paths.short(output or result), OUTPUT_SHOWN_UTF16 if output else limit)


def action_line(item: Item, paths: Paths, then: str) -> Line:
    """An action with how it ended; one that was done several times with how it ended before.

    `then`: of a check that failed, what is known since.
    """
    tool = item["tool"]
    if item.get("same"):
        return same_form_line(item, paths)
    if tool in SHELL_TOOLS:
        limit = COMMIT_SHOWN_UTF16 if item.get("commit") else COMMAND_SHOWN_UTF16
        limit = COMMAND_COPIED_UTF16 if is_to_be_copied(item) else limit
        command = command_in_short(item["text"], paths)
        text, whole = f"- {code(command, limit)}", f"- {code(command, COMMAND_WHOLE_UTF16)}"
    else:
        text = f"- {tool}{': ' if item['text'] else ''}{middle_out(paths.short(item['text']), ARGUMENTS_SHOWN_UTF16)}"
        whole = text
    ends = [ending(item, paths, then, limit) for limit in (RESULT_SHOWN_UTF16, RESULT_WHOLE_UTF16)]
    short, longer = (f"{' → ' if end else ''}{end}{earlier_endings(item)}" for end in ends)
    return {"items": [item], "text": text + short, "whole": whole + longer}


def is_to_be_copied(item: Item) -> bool:
    """Whether it is a command that worked, and that one types again: done several times, or it deployed something."""
    return (item["verdict"] in ("ended", "passed") and not item.get("commit")
            and (item.get("uses", 1) > 1 or re.search(DEPLOYS, item["text"]) is not None))


def ending(item: Item, paths: Paths, then: str, limit: int) -> str:
    """How an action ended, with the words of its output that say so: "passed" only where they do.

    Empty where it ended without a word, and none was looked for: it was done.
    """
    result = output_in_short(item, paths, limit)
    unsaid = [limit for limit in item.get("limits", []) if limit.strip("| ") not in item["text"]]
    limits = f" [{', '.join(unsaid)}]" if unsaid else ""  # others stand in the command
    verdict = item["verdict"]
    if verdict == "running":
        return "(no result yet)" if not result else f"running: {result}"
    is_check = item.get("family") in CHECK_FAMILIES
    if verdict == "failed" and (is_check or "$?" not in item["text"]):  # `; echo $?`: a try, whose end was asked for
        known = then if is_check or then != UNKNOWN_SINCE else ""
        return f"FAILED{known}: {result or 'its output does not say why'}{limits}"
    if verdict == "passed":
        return f"passed{': ' + result if result else ''}{limits}"
    if verdict == "unknown":
        return f"ended, its output does not show whether it passed{': ' + result if result else ''}{limits}"
    if verdict == "not run":
        return f"not run: {result or 'refused'}"
    if error_printed(item["result"]) and verdict == "ended":
        result = f"printed errors: {result}"
    return result or ("(no output)" if re.search(ASKS_FOR_OUTPUT, item["text"]) else "")


def earlier_endings(item: Item) -> str:
    """How often the same was done, and how it ended before where that was different."""
    earlier = [earlier_ending(run["verdict"], run["result"]) for run in item.get("earlier", [])[::-1][:2]]
    count = f" ({item['uses']} runs)" if item.get("uses", 1) > 1 else ""
    return f"{count}{'; before: ' + '; '.join(earlier) if earlier else ''}"


def earlier_ending(verdict: str, result: str) -> str:
    """How an action ended before; of one that printed an error that row, and never that it "ran" alone."""
    error = error_printed(result) if verdict == "ended" else ""
    if verdict == "stopped":
        return cut(result, EARLIER_STOPPED_UTF16)
    said = EARLIER.get(verdict, verdict) if not error else "printed errors"
    return f"{said}: {rows_in_short(error or result, EARLIER_SHOWN_UTF16)}" if result else said


def error_printed(result: str) -> str:
    """The first row of a result with which a program says that it met an error; empty: none does."""
    return next((row for row in result.split(ROW_END) if re.match(ERROR_PRINTED, row)), "")


# ==================================================================================================
# record/check_claims.py: Tests, builds and linters that a summary calls passed or failing while their last run says otherwise.
# ==================================================================================================

COMMAND_SHOWN_CHARACTERS, RUNS_COMPARED_MAX = 90, 40
CHECK_STATES = {
    "passing": "pass|passes|passed|passing|succeeds|succeed|succeeded|successful|green|clean|ok|fine"
               "|goes through|went through|back to green|all green|nothing to complain about|✅|✓|✔|grün|sauber"
               "|bestanden|läuft durch|laufen durch|passe|passent|passent toutes|réussi|réussit|pasa|pasan|pasan todas"
               "|verde|passano",
    "failing": "failing|fails|fail|broken|red|complain|complains|not compile|not build|not work|❌|✗|rot|schlägt fehl"
               "|fehlgeschlagen|échoue|échouent|falla|fallan|no pasa|no pasan"}
NONE = r"(?:0|no|zero|without|ohne|keine|sans|aucune?|sin|ningún)"
TROUBLES = ("error errors complaint complaints issue issues failure failures problem problems finding findings offense "
            "offenses offence offences failed failing fehler fehlgeschlagen erreur erreurs échec échecs errores fallos")
TROUBLE = rf"(?:(?:tests?|any|a|single|remaining|open|more) )*(?:{TROUBLES.replace(' ', '|')})\b"
PASSED = r"\d+ pass(?:ed|ing)?\b"
SIGNED = (  # what is read instead: a tick for "no errors", a cross for "2 errors"
    (r"(?:(?:with|and|or) )?\b(?:no|0|zero|without|ohne|keine|sans|sin) warnings?\b(?: or\b)?", ""),
    (rf"\b{NONE} {TROUBLE}(?:(?: or| and) {TROUBLE})*", "✅"), (rf"\b(\d+) {TROUBLE}", r"\1 ✗"),
    (r"\bexit(?:s|ed)?(?: with)?(?: code| status)? 0\b", "✅"),
    (r"\bexit(?:s|ed)?(?: with)?(?: code| status)? (?:1|non-zero)\b", "✗"),
    (rf"{PASSED}(?: [,/·|;]| and| but)* (?=\d+ ✗)|(?<=✗) (?:[,/·|;] |and |but )*{PASSED}", ""))  # together: a failure
SIGN_CUES = frozenset(("warning", "warnings", "exit", "exits", "exited", *TROUBLES.split()))
RUN_LEADS = (  # "the last run of"
    "unit integration suite latest last newest most recent of de del des última último ejecución dernière dernier "
    "exécution letzte letzter lauf")
COMMAND_FORM = form_of(
    CHECK_STATES, first="passing", fillers="0 continue to", leads=RUN_LEADS,
    ends="including|with 0|with ✅|in 0|on two|on three|across all|on all|in all|for all|any more|out of|at the end"
         "|right now|as before|without any|left")  # "in 2.1s"
FAMILY_FORM: ClaimForm = {
    **COMMAND_FORM, "leads": LEADS, "parting": frozenset(),  # "web: tests pass"
    "first": {"✅": "passing", "✓": "passing", "✗": "failing", "❌": "failing"}}  # "passing tests" may be some
WELL_WRITTEN = frozenset("clean fine".split())  # as tests may be
RAN = frozenset("ran reran re-ran rerunning running last latest final newest".split())  # a little before it
RAN_WORDS = frozenset("; , and it they which that was → time a again".split())  # between a run and its end
FAMILY_NOUNS = {name: family for family, names in {  # that mean all of a family, as "new tests" do not
    "test": "tests|test suite|suite|testsuite|pruebas|test results|test result|test status|test run",
    "build": "build|builds", "lint": "lint|linter|linting|lint check|lint checks",
    "types": "type check|type checks|type checking|type checker|type-check|type-checking|typecheck",
    }.items() for name in names.split("|")}
ENGLISH_PROGRAMS = frozenset((  # also words of a sentence
    "black task just make gmake ty cc tap prove ava invoke rush moon mise xo revive behave pest go node bun rake poe "
    "nx parcel hugo").split())
SHORT_NAMES = {"ruff": "ruff check", "ruff lint": "ruff check", "clippy": "cargo clippy", "nextest": "cargo nextest",
               "credo": "mix credo", "dialyzer": "mix dialyzer"}
PAIRED_RUNNERS = ("npm", "pnpm", "yarn", "gradle", "mvn")  # "npm test" in plain words
QUALIFIED = r"(?:--[a-z][\w-]+|\b[A-Z_]{2,30}=\w+)"  # another run than one without it
MENDED = frozenset("fixed resolved solved fix fixes →".split())
CALLED_GOOD = frozenset("pass passes passing succeeds green clean ✅ ✓".split())
CALLED_BAD = frozenset("fail fails failed failing failure failures broken red ❌ ✗".split())
COUNTED_TESTS = r"(\d{1,6}) (?:passed|skipped|xfailed|todo)"


def check_claims(statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what the record has of the check that it names."""
    runs: list[CheckRun] | None = None
    for statement in statements:
        words = with_troubles(statement["words"])
        is_of_file = "files" in statement["heading"].lower()  # whose tests?
        for family, check, claim in claims_in(words) if not statement["is_past"] else ():
            if is_of_file and not check:
                continue
            counts = [word for word in words[claim["begin"]:claim["end"]] if word[0].isdigit()]
            is_part = any(len({*count.split("/")}) > 1 for count in counts)  # "8/9"
            if is_part or tells_of_mended(words, claim, statement["line"]):
                continue
            runs = runs_in(items) if runs is None else runs
            run = run_against((claim["state"], family, check), "".join(counts[:1]), runs)
            if run and all(option in run["command"] for option in re.findall(QUALIFIED, statement["text"])) and not (
                    claim["state"] == "passing" and tells_failure(statements, run)):
                yield statement["text"], run_in_words(run)


def with_troubles(words: Sequence[str]) -> Sequence[str]:
    """The words with a tick for "no errors", and a cross for "errors" behind their number."""
    if SIGN_CUES.isdisjoint(words):
        return words
    row = " ".join(words)
    for pattern, sign in SIGNED:
        row = re.sub(pattern, sign, row)
    return sentence_words(row)


def claims_in(words: Sequence[str]) -> Iterator[tuple[str, Check | None, Claim]]:
    """What is claimed of the checks that a sentence names: by a command, by a runner, or as all of a family."""
    if COMMAND_FORM["cues"].isdisjoint(words):
        return
    named = [*named_in(words, runners())]
    named += [(place, place + 1, word.strip("`")) for place, word in enumerate(words) if word[0] == "`"]
    commands = [(begin, end, check) for begin, end, command in named for check in checks_in(command)]
    for begin, end, check in commands:
        own = () if RAN.isdisjoint(words[max(0, begin - 4):begin]) else RAN_WORDS
        if claim := claim_of(words, begin, end, COMMAND_FORM, own):
            yield check["family"], check, claim
    for begin, end, family in named_in(words, FAMILY_NOUNS) if not commands else ():
        claim = claim_of(words, begin, end, FAMILY_FORM)
        if claim and not (family == "test" and not WELL_WRITTEN.isdisjoint(words[end:claim["end"]])):
            yield family, None, claim


@lru_cache(maxsize=1)
def runners() -> dict[str, str]:
    """The command that a runner's name means in a sentence: "pytest", "go test"."""
    names = [word.replace(":", " ") for word in known_programs() if word not in ENGLISH_PROGRAMS]
    names += [f"{runner} {task}" for runner in PAIRED_RUNNERS for task in ("test", "build", "lint")]
    return {**{name: name for name in names}, **SHORT_NAMES}


def tells_of_mended(words: Sequence[str], claim: Claim, line: str) -> bool:
    """Whether something is called failing and something else good, or the line tells of what was mended."""
    return claim["state"] != "passing" and not (
        all(CALLED_GOOD.isdisjoint(part) for part in around(words, claim)) and MENDED.isdisjoint(sentence_words(line))
        and {"0", "none"}.isdisjoint(words))


# --- what the record has ---


def runs_in(items: Sequence[Item]) -> list[CheckRun]:
    """The newest runs of checks, the last one last; "unknown" is one of several that a line has of a family."""
    uses: Item = {"uses": 1}
    actions = sorted((item for item in items if item["kind"] == "action" and item.get("family") in CHECK_FAMILIES),
                     key=lambda action: action["position"])[-RUNS_COMPARED_MAX:]
    runs = [run for run in check_runs([{**uses, **action} for action in actions]) if run["verdict"] != "not run"]
    times = Counter((run["position"], run["last"], run["family"]) for run in runs if run["verdict"] == "failed")
    for run in runs:
        run["verdict"] = "unknown" if times[run["position"], run["last"], run["family"]] > 1 else run["verdict"]
    return runs


def run_against(claimed: tuple[str, str, Check | None], count: str, runs: Sequence[CheckRun]) -> CheckRun | None:
    """The run that speaks against what is claimed of a check, or of all of a family: its last one, ended otherwise.

    Or with another number than the claimed one, which no run has. A run of less that passed says nothing of the whole,
    nor a failed one behind which another passed that may have run the same.
    """
    state, family, check = claimed
    alike = [run for run in runs if run["family"] == family and (not check or run["check"]["name"] == check["name"])]
    last = next((run for run in reversed(alike) if tells_of(run, check, state)), None)
    if not last:
        return None
    is_whole, later = is_as_broad(last["check"], check), runs[runs.index(last) + 1:]
    if state == "passing" and last["verdict"] == "failed":
        is_of_others = count and f"{count} pass" in last["result"]
        return None if is_of_others or any(may_cover(run, last) for run in later) else last
    if state == "failing" and last["verdict"] == "passed":
        return None if any(run["verdict"] != "passed" for run in later if run in alike) else last
    is_sure = is_whole and (check or len({run["name"] for run in alike}) == 1)
    return last if is_sure and count and has_other_count(state, count, last, alike) else None


def tells_of(run: CheckRun, named: Check | None, state: str) -> bool:
    """Whether the run tells of what is named, which is no more; of what is called passing, one of no more."""
    if state == "passing" and run["verdict"] != "passed":
        return not named or covers_check(named, run["check"])
    return is_as_broad(run["check"], named)


def has_other_count(state: str, count: str, last: CheckRun, alike: Sequence[CheckRun]) -> bool:
    """Whether the last run ended as claimed, with numbers, and no run has the claimed one."""
    total = sum(map(int, re.findall(COUNTED_TESTS, last["result"].lower())))
    numbers = {number for run in alike for number in re.findall(r"\d{1,6}", run["result"])}
    return (last["verdict"] == {"passing": "passed", "failing": "failed"}[state] and bool(numbers)
            and count.partition("/")[0] not in {*numbers, str(total)})


def is_as_broad(check: Check, named: Check | None) -> bool:
    """Whether a run is of no less than what is named: a whole one, where only the family is."""
    return covers_check(check, named) if named else not check["limits"]


def may_cover(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a later run may have run the failed one's checks, under another name too: a task or a script may."""
    check, before = later["check"], failed["check"]
    return (later["verdict"] not in ("failed", "running") and later["family"] == failed["family"]
            and (not check["runner"] or not before["runner"] or check["name"] == before["name"]))


def tells_failure(statements: Sequence[Statement], run: CheckRun) -> bool:
    """Whether the summary tells somewhere that checks of the family fail, or names what failed in this run."""
    names = [name for name in re.findall(r"[A-Za-z_][\w.:/-]{5,120}", run["result"])
             if re.search(r"[_./:]|[a-z][A-Z]", name)]
    about = {"test": {"test", "tests", "suite", "specs"}}.get(run["family"], {run["family"], f"{run['family']}er"})
    return any(any(name in statement["line"] for name in names) or (
        about & {*statement["words"]} and MENDED.isdisjoint(statement["words"])
        and not CALLED_BAD.isdisjoint(statement["words"])) for statement in statements)


def run_in_words(run: CheckRun) -> str:
    """What the record has of the run."""
    command = " ".join(run["command"].split())
    command = command if len(command) <= COMMAND_SHOWN_CHARACTERS else f"{command[:COMMAND_SHOWN_CHARACTERS - 1]}…"
    moment = f" at {run['last'][11:16]} UTC" if len(str(run["last"])) >= 16 else ""
    result = f": {run['result']}" if run["result"] else ""
    return f"the last run of `{command}`{moment} {run['verdict']}{result}"


# ==================================================================================================
# record/comparisons.py: What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.
# ==================================================================================================

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
TASK_STATUSES = {
    "open": "open|unfinished|incomplete|outstanding|left|left to do|still to do|to be done|to be finished|next up"
            "|up next|next in line|unresolved|unaddressed|remaining|⏳|☐|[ ]|offen|steht aus|steht noch aus|à faire"
            "|sin terminar|por hacer|abierto|abierta",
    "completed": "completed|complete|done|finished|closed|resolved|wrapped up|checked off|ticked off|crossed off"
                 "|taken care of|dealt with|out of the way|behind us|off the list|erledigt|abgeschlossen|fertig|beendet"
                 "|fertiggestellt|terminé|terminée|achevé|achevée|fini|finie|fait|faite|completado|completada"
                 "|terminado|terminada|acabado|acabada|hecho|hecha|concluida|concluído|concluída|completato|completata"
                 "|finito|finita|✅|✓|✔|☑|[x]",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|ongoing|working on|in the works|half done"
                   "|being worked on|half finished|halfway through|partly done|partially done|🔄|in arbeit|en cours"
                   "|en curso|en progreso|em andamento|in corso",
    "pending": "pending|not started|not begun|not touched|untouched|unstarted|to start|to be started|todo|to do"
               "|ausstehend|not begonnen|not angefangen|en attente|not commencé|not commencée|pendiente|sin empezar"
               "|pendente"}
OPEN_STATUSES = ("in_progress", "pending")
TASK_FORM: ClaimForm = {
    **form_of(TASK_STATUSES, first=" ".join(TASK_STATUSES), fillers="was were as to set listed", leads="set of"),
    "parting": PARTING - {"("}}  # "the rest (#2)": of what?
TASK_NOUNS = frozenset("task tasks aufgabe aufgaben tâche tâches tarea tareas".split())
NUMBERS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER_LIST = r"#?\d{1,4}(?:-#?\d{1,4})?|,|and|und|et|y|&|to|through|bis|–|-"
NUMBER_RANGE = r"#?(\d{1,4}) ?(?:to|through|bis|–|-) ?#?(\d{1,4})"
STEM_CHARACTERS = 4  # by which a word is one of a subject's: "upgrading" of "Upgrade"
ARTICLES, JOINERS = frozenset("the a an both in on of for to into".split()), frozenset(", and & und et y e".split())
GAPS = ARTICLES | JOINERS | frozenset("( ) ` \" “ ” *".split())  # between tasks that share a state
ASIDES = (["(", ")"], [",", ","])  # "#2, the backfill, is done"
DONE_HEADING = r"(?i)(?:completed|done|finished)\b"
PERSONS = frozenset("user client person they nutzer anwender kunde utilisateur usuario cliente".split())
ANSWERED = frozenset((
    "answered chose chosen picked selected confirmed approved decided opted replied agreed settled resolved "
    "beantwortet geantwortet entschieden gewählt bestätigt répondu choisi décidé respondido respondió eligió decidido "
    "decidió").split())
ANSWER_NOUNS = frozenset("a answer decision antwort réponse respuesta".split())
ANSWER_SKIPPED = frozenset((  # that says nothing, before who answered and that it was
    "* _ \" « » “ ” ‘ ’ ) ] ? ✅ ✓ the by from has have been was is already now vom par por le der el hat ha").split())
ANSWER = (  # Q: the question, P: a person, A: "chose", N: "answer"
    r"Q (?:[(:—–→-] )*(?:P (?:[AN:]|$)|A(?: [:(,.—–-]| by| as| with|$)|N :)|^A (?:: )?Q|^N P on Q"
    r"|P A(?: (?!and |then |; |\. )\S+){0,6} Q")
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not never nobody yet unanswered unresolved undecided unclear unsettled until once if when after before whether "
    "open pending wait waits waiting await awaits awaiting still remain remains will would should could can must "
    "may might be earlier other another tbd noch offen sobald wenn attente encore todavía aún pendiente "
    "cuando si get ask").split())
MARKS_LEFT_OUT = "*`\"“”‘’'"


def compare(summary: str, items: Sequence[Item], facts: Facts) -> list[SummaryFinding]:
    """The findings {kind, said, record, unless}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; rule and question, of which the summary may say nothing: then `said` is empty.
    unless  a finding is superfluous where this stands in the text that is put back.
    Of the facts `git` is what git says now, without what is not known; `files` has for the paths that `paths_in` finds
    in the summary whether they exist, without those of which that is not certain.
    """
    text = body_of(summary)
    statements = statements_of(summary)
    claims = {
        "check": check_claims(statements, items),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, items, facts.get("git") or {}),
        "file": file_claims(statements, items, facts.get("files") or {})}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_questions(text, statements, items), *of_rules(text, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    words = quote(record, RECORD_MAX_UTF16)
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": words, "unless": words}


# --- tasks ---


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    Where some line gives the task its own status, the others tell the course of things. What two share names none.
    """
    named = [(in_row(task["text"]), task.get("key", "")) for task in tasks]
    times = Counter(name for row in named for name in row)
    names = {name: str(place) for place, row in enumerate(named) for name in row
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    stems = {str(place): frozenset(word[:STEM_CHARACTERS] for word in row.split() if len(word) > 1)
             for place, (row, _) in enumerate(named)}
    said: dict[str, list[tuple[str, str]]] = {}
    for line, heading in {each["line"]: each["heading"] for each in statements if not each["is_past"]}.items():
        for place, status in statuses_in(sentence_words(line), heading, names, stems):
            said.setdefault(place, []).append((status, line))
    for place, rows in said.items():
        task = tasks[int(place)]
        own = {task["status"], "open" if task["status"] in OPEN_STATUSES else ""}
        if task["status"] in TASK_STATUSES and own.isdisjoint(status for status, _ in rows):
            name = f"{task.get('key', '')} “{task['text']}”".strip()
            yield rows[-1][1], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def statuses_in(words: Sequence[str], heading: str, names: Mapping[str, str],
                stems: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """The tasks that a line's words name, with the status that it gives each; a row may have it from its heading."""
    is_done = bool(re.match(DONE_HEADING, heading))
    if TASK_FORM["cues"].isdisjoint(words) and not is_done:
        return
    named = [*named_in(words, names), *numbered_in(words, names, stems)]
    own = {task: {word for word in words if word[:STEM_CHARACTERS] in stems[task]} for _, _, task in named}
    for begin, end, group in groups_of(words, named, own):
        claim = claim_of(words, begin, end, TASK_FORM, {word for task in group for word in own[task]})
        if claim and (claim["state"] != "completed" or words[claim["end"]:claim["end"] + 1] != [":"]):
            yield from ((task, claim["state"]) for task in group)  # but not "done: the first half"
        elif is_done and not claim and {*words[:begin], *words[end:]} <= {*SIGNS, "."} and (
                names.get(" ".join(words[begin:end]))):
            yield group[0], "completed"


def groups_of(words: Sequence[str], named: Sequence[tuple[int, int, str]],
              own: Mapping[str, Collection[str]]) -> Iterator[tuple[int, int, list[str]]]:
    """Tasks that "and" or a comma joins, which share a state; asides that name the same are taken to each."""
    groups: list[tuple[int, int, list[str]]] = []
    for begin, stop, task in sorted(named):
        names = {*own[task], *ARTICLES}
        aside = len([*takewhile(names.__contains__, words[stop + 1:])]) + 2
        end = stop + aside * ([*words[stop:stop + 1], *words[stop + aside - 1:stop + aside]] in ASIDES and aside > 2)
        gap = words[groups[-1][1]:begin] if groups else ()
        if not JOINERS.isdisjoint(gap) and all(word in GAPS or word in own[task] for word in gap):
            groups[-1] = (groups[-1][0], end, [*groups[-1][2], task])
        else:
            groups.append((begin, end, [task]))
    yield from groups


def numbered_in(words: Sequence[str], names: Mapping[str, str],
                stems: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, int, str]]:
    """The tasks of "all four tasks", of "tasks #2 to #4", and of "task 2" beside words of its subject."""
    for place in [place for place, word in enumerate(words, 1) if word in TASK_NOUNS]:
        if [*words[max(0, place - 3):place - 1]] in (["all", str(len(stems))], ["all", *NUMBERS[len(stems):][:1]]):
            yield from ((place - 3, place, task) for task in stems)
        listed = [*takewhile(lambda word: re.fullmatch(NUMBER_LIST, word), words[place:])]
        while listed and not listed[-1][-1].isdigit():
            listed.pop()
        for number in sorted(numbers_in(" ".join(listed))):
            task = names.get(f"#{number}", "")
            if task and (listed[0][0] == "#" or len(stems[task] & {word[:STEM_CHARACTERS] for word in words}) > 1):
                yield place, place + len(listed), task


def numbers_in(text: str) -> set[str]:
    """The numbers of a list of them, those of a range too."""
    ranges = [range(int(first), min(int(last), int(first) + 99)) for first, last in re.findall(NUMBER_RANGE, text)]
    return {*re.findall(r"\d{1,4}", text), *(str(number) for each in ranges for number in each)}


# --- the person's words ---


def of_rules(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Pins and standing rules that do not stand in the summary whole, in the person's words."""
    rules = [item for item in items if item["kind"] in ("pin", "rule") and item.get("status", "open") == "open"]
    whole = compared(text) if rules else ""
    for item in sorted(rules, key=lambda item: bool(item["kind"] != "pin"))[:RULES_MAX]:
        words = " ".join(item["text"].split())
        if words and compared(words) not in whole:
            yield {"kind": item["kind"], "said": "", "record": words, "unless": words}


def of_questions(text: str, statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Questions that still wait for the person, told as answered or left out."""
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for item in items:
        if item["kind"] == "question" and item.get("status", "open") == "open" and item["position"] >= last:
            words = " ".join(item["text"].split())
            if compared(words) not in compared(text):
                yield {"kind": "question", "said": "", "record": words, "unless": words}
                continue
            names = {in_row(words).rstrip(" ?."): "question"}
            said = next((statement["line"] for statement in statements
                         if is_told_answered(sentence_words(statement["line"]), names)), "")
            if said:
                yield finding_of("question", said, f"it still waits for the user's answer: {words}")


def is_told_answered(words: Sequence[str], names: Mapping[str, str]) -> bool:
    """Whether the words tell the question in them as answered, and nothing as open."""
    begin, end, _ = next(named_in(words, names), (0, 0, ""))
    rest = [*words[:begin], *words[end:]]
    if not end or not UNANSWERED.isdisjoint(rest):
        return False
    kinds = {**dict.fromkeys(PERSONS, "P"), **dict.fromkeys(ANSWERED, "A"), **dict.fromkeys(ANSWER_NOUNS, "N")}
    row = [*words[:begin], "Q", *words[end:]]
    return bool(re.search(ANSWER, " ".join(kinds.get(word, word) for word in row if word not in ANSWER_SKIPPED)))


@lru_cache(maxsize=256)  # the whole summary once
def compared(text: str) -> str:
    """The text as it is looked for word for word: one line, no marks of emphasis, no quotes, no case."""
    text = text.casefold()
    for mark in MARKS_LEFT_OUT:  # `translate` takes ten times as long
        text = text.replace(mark, "")
    return " ".join(text.split()).strip(" .!?")


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
# store/log_once.py: A fault that is the same at every event, in one line of hook.log.
# ==================================================================================================

LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), "hook.log"), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
FAULTS_MAX, NAME_SHOWN_UTF16 = 20, 60  # settings that are named as not used
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (19_000, (500, 19_000)),
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


def default_settings() -> Settings:
    """The settings where no file sets any."""
    values: Any = {name: default for name, (default, _) in SETTINGS.items()}
    settings: Settings = values
    return settings


def settings_for(project: str) -> Settings:
    """The settings in force in the project; what a file sets and cannot is named in the log, once."""
    return settings_of(project, lambda path, faults: log_once(f"{path}: {'; '.join(faults)}"))


def settings_of(project: str, complain: Callable[[str, list[str]], None]) -> Settings:
    """The settings of the two files over the defaults; `complain` is told of each file what is not taken in it."""
    settings = default_settings()
    try:
        own = os.path.join(data_home(), "config.json")
    except Refusal:  # the same is said by whatever writes
        own = ""
    of_project = os.path.join(project, ".claude", "compact-keeper.json")
    for path, allowed in ((own, tuple(SETTINGS)), (of_project, OF_A_PROJECT)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        usable: Any = {name: value for name, value in values.items() if name in allowed and is_usable(name, value)
                  and (path == own or name not in OFF_ONLY or value is False)}
        settings.update(usable)
        rest = [name for name in values if name not in usable and name != "schema"]
        if rest:
            complain(path, [f"{quote(name, NAME_SHOWN_UTF16)} is not used: {why_not(name, allowed, path == own)}"
                            for name in rest[:FAULTS_MAX]])
    return settings


def why_not(name: str, allowed: Collection[str], is_own: bool) -> str:
    """What is wrong with a setting that is not used, and what it takes."""
    if name not in allowed:
        return "there is no such setting" if name not in SETTINGS else "a project cannot set it, only your config.json"
    default, values = SETTINGS[name]
    if name in OFF_ONLY and not is_own:
        return "a project can only set it to false"
    if isinstance(default, bool):
        return "it is true or false"
    if isinstance(default, str):
        return f"it is {' or '.join(json.dumps(value) for value in values)}"
    return f"it is a {'whole ' * isinstance(default, int)}number from {values[0]:,} to {values[1]:,}"


def read_settings(path: str, complain: Callable[[str, list[str]], None]) -> Record:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        complain(path, [f"it is not used: {place} is not as JSON has it: {fault.msg}"])
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(path, [f"it is not used: {fault}"])
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
SHOWN_UTF16 = 300  # of a pin's words where it is told that they are pinned
FULL_STOPS = (".", "!", "?")
OWN_COMMAND = re.compile(r"/compact-keeper[:-]\w")
NUMBER_SHOWN_UTF16 = 40  # of what was typed in a number's place
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


def pin_items(pins: Iterable[Record]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no place in the session and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
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

    def room(self) -> tuple[int, int]:
        """How many characters of pins come back whole, and how many those that hold have."""
        taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in self.in_force())
        return int(PINS_SHARE * settings_for(self.project)["budget"]), taken

    def check_room(self, text: str) -> None:
        """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
        most, taken = self.room()
        if taken + units(text) + LINE_AROUND_UTF16 > most:
            raise Refusal(
                f"no room for a pin of {units(text):,} characters: {most:,} come back whole, and {taken:,} of them are "
                "taken; take a pin off first (unpin NUMBER), or pin fewer words.")

    def add(self, typed: str) -> str:
        """Pins the words; returns what to tell of it. Raises Refusal where there are none, or no room for them."""
        wide = re.match(r"--project(?:\s+|\Z)", typed)
        text = redact(clean(typed[wide.end():] if wide else typed)).strip()
        if not text:
            raise Refusal("nothing to pin: type the words behind the command.")
        if OWN_COMMAND.match(text):
            raise Refusal(f"{quote(text, SHOWN_UTF16)} is a command of compact-keeper's; type it alone.")
        if any(pin["text"] == text for pin in self.in_force()):
            return "That is pinned already."
        self.check_room(text)
        name = f"{time.time_ns():x}"
        self.note(bool(wide), id=name, text=text)
        names = [pin_name(pin) for pin in self.in_force()]
        number = f" {names.index(name) + 1}" if name in names else ""
        where = "in every session of this folder it" if wide else "it"
        return (f"Pinned{number}: {in_quotes(cut(text, SHOWN_UTF16))} ({where} comes first in what is put back after "
                "each compaction).")

    def remove(self, typed: str) -> str:
        """Takes off the pin of that number; returns what to tell of it. Raises Refusal for a number that no pin has."""
        pins, number = self.in_force(), re.fullmatch(r"#?(\d{1,4})", typed)
        if not number or not 0 < int(number[1]) <= len(pins):
            what = f"{quote(typed, NUMBER_SHOWN_UTF16)!r} is no pin's number." if typed else "name a pin by its number."
            raise Refusal(f"{what} {self.listed()}")
        pin = pins[int(number[1]) - 1]
        self.note("project" in pin, gone=pin_name(pin))
        text = clean(pin["text"])
        return f"Not pinned any more: {in_quotes(text)}{'' if text.endswith(FULL_STOPS) else '.'}"

    def listed(self) -> str:
        """The pins that hold, numbered, each with where it holds."""
        everywhere = " (in every session of this folder)"
        rows = [f"{number}. {in_quotes(clean(pin['text']))}{everywhere if 'project' in pin else ''}"
                for number, pin in enumerate(self.in_force(), 1)]
        if not rows:
            return "Nothing is pinned."
        most, taken = self.room()
        cut_words = [f"They have {taken:,} characters, of which {most:,} come back whole with the budget as it is: "
                     "unpin one, or raise it."] * (taken > most)
        return "\n".join(["Pins of this session:", *rows, *cut_words])


# ==================================================================================================
# recap/compose.py: The text that is put back: the record's lines in sections, within a budget.
# ==================================================================================================

HEADER = ("compact-keeper: the record of this session before the compaction, from its transcript. Where the summary "
          "says otherwise, this is what was recorded. Times count back from ")
ORDER, PINS = "This subagent's order, as it was given", "Pinned by the user"
RULES, DIFFERS = "Standing rules, as the user typed them", "Where the summary says otherwise than the record"
END, TASK = "Where it ended", "Plans and orders, as they were given (later words may overtake them)"
THREAD = "The user's earlier words, newest first; what the summary quotes may be missing"
TASKS = "Tasks, and what runs"
REPOSITORY, RUNS = "Working folder and repository now", "Checks: how each ended last"
WORK = "Earlier steps, newest first: a later one may have overtaken an earlier one"
LOOKS = "Looked at, as it was then; earlier passes; how commits were made: newest first"
EVIDENCE = "Also on record"
CONTINUED = " (continued)"  # behind a section's heading in the second part
SHARES = {  # in the order in which they are served: of the budget, what a section may fill before WORK has its own
    PINS: PINS_SHARE, RULES: 0.12, ORDER: 0.45, DIFFERS: 0.12, END: 0.40, TASK: 0.24, THREAD: 0.18, TASKS: 0.14,
    REPOSITORY: 0.15, RUNS: 0.20, EVIDENCE: 0.14}
SHOWN = (ORDER, PINS, RULES, DIFFERS, END, TASK, THREAD, TASKS, REPOSITORY, RUNS, WORK, LOOKS, EVIDENCE)
RULES_MIN_UTF16 = 200  # of the smallest budgets too: the newest rule stands
WORK_LOOKED_AT = 1.25  # of the budget: to put older work into words took a third of a restore's time
TURN_SHARE = 0.1  # of the budget: longer words of what was done since the newest message, before older work
WORK_SHARE = 0.30  # of the budget, which no other section may take
NEWEST_SHARE, LAST_WORDS_SHARE = 0.22, 0.17  # of the budget: the newest message, the agent's last words
OUTPUT_SHARE = 0.06  # of the budget: what one of the newest calls showed
ANSWERED_WORDS_SHARE, SHORT_ANSWER_CHARACTERS = 0.30, 60  # what "yes, do that" answers is needed whole
IN_SUMMARY, NO_ROOM = "stands in the summary", "no room left in its section"  # why a line is not put back
REFUSED_PLAN = "the plan: "
RESPELLED_WORDS_MAX, RESPELLED_MIN_CHARACTERS, REWORDED_SHARE = 2, 4, 0.15  # the last: of pairs of words
PAIR = 2  # words: such rows stay where the summary mends a message's spelling
WORDS_IN_A_ROW, QUOTED_SHARE, WHOLLY_QUOTED_SHARE = 4, 0.9, 0.98
SHOWN_AS_TASK = " (more of it stands as the task)"
QUOTED_MIN_CHARACTERS, QUOTED_SHOWN_UTF16, QUOTED_WHOLE = 400, 200, " (the summary quotes it whole)"
CHANGES_STATUS = (r"\bgit\b[^|;&]* (?:add|am|checkout|cherry-pick|clean|commit|merge|mv|pull|push|rebase|reset|restore"
                  r"|revert|rm|stash|switch)\b")
PLAIN_STATUS = r"git status(?: [\w-]+| 2>&1)*(?:$| &&)"
STATUS_HINT = r"\(use \"git |\(commit or discard|no(?:thing| changes) added to commit"
NEWEST_MESSAGES, SHORT_REPLY_CHARACTERS = 3, 25  # of those before the newest; as "yes, do that" has
STATUS_SHOWN_UTF16, OVERTAKING_SHOWN_UTF16, CALL_SHOWN_UTF16 = 500, 60, 120
LINE_MIN_UTF16 = 60  # a line cut to less says nothing


def sections_of(snapshot: Snapshot) -> dict[str, list[Line]]:
    """The lines that may be shown, by section, in each the first to be shown first."""
    items, state = snapshot["items"], snapshot["state"]
    budget, now = snapshot["settings"]["budget"], moment(snapshot["time"])
    present = snapshot.get("present", {})
    items = with_whole_paths(items, text_of(state, "root"), text_of(state, "cwd"))
    paths = Paths(items, text_of(state, "root"), text_of(state, "cwd"))

    def before(stamp: str) -> str:
        """How long before the compaction that was."""
        return ago(stamp, now)

    summary = text_of(snapshot, "summary")
    items = with_outputs(with_ends_of_jobs(items), snapshot.get("outputs", {}), int(OUTPUT_SHARE * budget))
    items = with_tags(items) if text_of(snapshot, "how_to_open") else items
    actions = [item for item in items if item["kind"] == "action"]
    root = text_of(state, "root")
    runs = check_runs(actions)
    failures = open_failures(actions, root, runs)
    now_in_git = present.get("repository", {})
    folder = "" if text_of(snapshot, "agent") else text_of(state, "cwd")  # a subagent may work in another
    repository = [f"- working folder {folder}"] if folder else []
    repository += [f"- {line}" for line in repository_lines(now_in_git, state)] if now_in_git else []
    ledger = git_ledger(actions)
    repository += git_lines(items, before, root, bool(now_in_git), ledger)
    repository += [] if now_in_git else last_status(items, before)
    repository += gone_edits(actions, paths, before)
    checks = check_lines(actions, last_runs(actions, root, runs), failures, before, root)
    checks, repository = [*map(paths.from_root, checks)], [*map(paths.from_root, repository)]
    is_unanswered = follows_last_words(items)
    items = [{**item, "refused": paths.short(item["refused"])} if item.get("refused") else item for item in items]
    messages = list(message_lines(items, before, int(NEWEST_SHARE * budget), not is_unanswered))
    newest = [line for line in messages[:1] if line["items"][0]["kind"] != "refusal"]
    # Typed while the agent worked on another one, or chosen in a dialog about it: neither tells the order itself.
    is_aside = any(line["items"][0].get("via") == "queue" or line["items"][0]["kind"] == "answer" for line in newest)
    of_before = first_asked(messages[1:]) if is_aside else []
    asked_before = [item for line in of_before for item in line["items"]]
    is_short = bool(newest) and is_unanswered and len(newest[0]["items"][0]["text"]) < SHORT_ANSWER_CHARACTERS
    rows = word_rows(summary)
    newest, of_before = (quoted_in_short(lines, rows, before) if summary else lines for lines in (newest, of_before))
    share = ANSWERED_WORDS_SHARE if is_short else LAST_WORDS_SHARE
    last_words = list(last_words_line({**snapshot, "items": items}, int(share * budget), last_call(items, paths)))
    tasks = list(task_lines(items, before, summary, int(SHARES[TASK] * budget) - units(TASK) - 6))
    sections: dict[str, list[Line]] = {
        ORDER: [{"items": [item], "text": "\n".join(f"> {line}" for line in item["text"].splitlines())}
                for item in items if item["kind"] == "errand"],
        PINS: list(pin_lines(items)),
        RULES: list(rule_lines(items, before)),
        DIFFERS: list(difference_lines(summary, items, now_in_git)),
        END: [*in_order_of_time(newest, last_words, is_unanswered), *broken_off_lines(state),
              *label(of_before, "What the agent worked on then: "), *question_lines(items)],
        TASK: tasks,
        THREAD: [ordered_in_short(line, tasks[:1], before) for line in messages[len(newest):]
                 if line["items"] != asked_before],
        TASKS: [*task_list_lines(items, summary, before), *job_lines(items, present.get("jobs", {}), paths, before)],
        REPOSITORY: [shared_line(text) for text in repository],
        RUNS: [shared_line(text) for text in checks],
        WORK: list(within(WORK_LOOKED_AT * budget, work_lines(
            with_same_forms_joined(items), paths, "\n".join([*checks, *repository]), summary,
            since_failures(ledger, runs, failures)))),
        LOOKS: list(looks_lines(items, paths, "\n".join(checks), summary)),
        EVIDENCE: list(evidence_lines_of(snapshot, paths)),
    }
    sections = without_known(sections, summary) if summary else sections
    return {section: tagged_lines(lines) for section, lines in sections.items()}


def within(most: float, lines: Iterable[Line]) -> Iterator[Line]:
    """The first lines, so many that they are longer than `most` UTF-16 units: what comes behind has no room."""
    for line in lines:
        yield line
        most -= units(line["text"])
        if most < 0:
            return


def last_status(items: Sequence[Item], ago: Ago) -> list[str]:
    """What `git status` said last, where git itself cannot be asked, and which command of git's overtook that.

    Nothing behind a commit: what was changed then is in it.
    """
    looks = [item for item in items if item["kind"] == "look" and item["text"].startswith("git status")]
    if not looks or not looks[-1]["result"]:
        return []
    if any(item.get("commit") and item["position"] > looks[-1]["position"] for item in items):
        return []
    later = next((item["text"] for item in items if item["kind"] == "action" and re.search(CHANGES_STATUS, item["text"])
                  and item["position"] > looks[-1]["position"]), "")
    since = f" (before {code(folded_line(later), OVERTAKING_SHOWN_UTF16)})" if later else ""
    rows = [" ".join(row.split()) for row in re.split(r"\s*\|(?=\s|$)", looks[-1]["result"])]
    rows = [row for row in rows if row and not re.match(STATUS_HINT, row)]
    if len(rows) > 1 and rows[-1].endswith("…"):
        rows[-1] = "…"  # half a path is none
    while len(rows) > 1 and units(" | ".join(rows)) > STATUS_SHOWN_UTF16:
        rows = [*rows[:-2 if rows[-1] == "…" else -1], "…"]
    is_plain = re.match(PLAIN_STATUS, looks[-1]["text"])
    command = "`git status`" if is_plain else code(folded_line(looks[-1]["text"]), OVERTAKING_SHOWN_UTF16)
    return [f"- {command} showed {ago(looks[-1]['last'])}{since}: {cut(' | '.join(rows), STATUS_SHOWN_UTF16)}"]


def with_ends_of_jobs(items: Sequence[Item]) -> list[Item]:
    """The items; a command that went into the background and ended there is one that ended, with the job's words."""
    jobs = {item["source"]: item for item in items if item["kind"] == "job" and item["status"] == "ended"}
    merged: list[Item] = []
    joined = set[int]()
    for item in items:
        job = jobs.get(item["source"], {})
        if item["kind"] == "action" and item["verdict"] == "running" and job:
            where = "" if item["tool"] in SUBAGENT_TOOLS else "in the background: "
            merged.append({**item, "verdict": "ended", "result": f"{where}{job['result']}"})
            joined.add(id(job))
        else:
            merged.append(item)
    return [item for item in merged if id(item) not in joined]  # the job stands behind its command, or before


def with_outputs(items: Sequence[Item], outputs: Mapping[str, str], most: int) -> list[Item]:
    """The items; those of the newest calls with what these showed, each at most so many UTF-16 units of it."""
    return [{**item, "output": ends_under_heads(outputs[str(item["position"])].split(ROW_END), most)
             or middle_out(outputs[str(item["position"])], most)}
            if item["kind"] in ("action", "look") and str(item["position"]) in outputs else item for item in items]


def difference_lines(summary: str, items: Sequence[Item], now_in_git: GitNow) -> Iterator[Line]:
    """What the summary says and the record knows otherwise, side by side; only where both are certain."""
    for finding in compare(summary, items, {"git": now_in_git, "files": {}}) if summary else ():
        if finding["said"]:
            yield {"items": [], "text": f"- The summary: {in_quotes(finding['said'])}. The record: {finding['record']}"}


def shared_line(text: str) -> Line:
    """A line that several items tell together."""
    return {"items": [], "text": text}


def without_known(sections: dict[str, list[Line]], summary: str) -> dict[str, list[Line]]:
    """The sections; lines that the summary says whole are marked as such, and so not put back.

    Of messages and answers only those that stand there word for word, and no answer behind one that is put back. What
    ended last, rules and checks stay: there the state counts.
    """
    of_summary, is_answer_kept = words_in(summary), False
    rows, pairs, words = (in_rows(of_summary, count) for count in (WORDS_IN_A_ROW, PAIR, 1))
    for line in reversed(sections[THREAD]):  # the oldest first: what was answered later may have taken it back
        item = line["items"][0]
        if item["kind"] == "answer" and (is_answer_kept := is_answer_kept or not is_quoted(item["text"], rows)):
            continue
        is_of_plan = text_of(item, "refused").startswith(REFUSED_PLAN)  # a later form of it stands there
        is_droppable = item["kind"] != "refusal" and (is_of_plan or not item.get("refused"))
        if is_droppable and is_quoted(needed_beside(item), rows) and (
                is_quoted(item["text"], rows) or is_quoted_respelled(item["text"], pairs, words)):
            line["why"] = IN_SUMMARY
    for line in sections[THREAD]:
        line["need"] = need_of(line["items"][0], pairs)
    for section in (TASKS, EVIDENCE):
        for line in sections[section]:
            is_open = section == TASKS and not line["text"].startswith("- [x]")
            if not is_open and in_summary(line["text"], summary):
                line["why"] = IN_SUMMARY
    return sections


def need_of(item: Item, pairs: Set[tuple[str, ...]]) -> int:
    """How needed a message is beside the summary: 0, which lacks half of it; 1; 2, a short reply to something."""
    if item["kind"] == "message" and len(item["text"]) <= SHORT_REPLY_CHARACTERS:
        return 2
    own = word_rows(item["text"], PAIR)
    return int(len(own & pairs) > len(own) / 2)


def needed_beside(item: Item) -> str:
    """The words that a short message cannot be understood without: what it picks or answers; else empty."""
    is_short = item["kind"] == "message" and len(item["text"]) <= UNDERSTOOD_ALONE_CHARACTERS
    return text_of(item, "picks") or text_of(item, "answers") if is_short else ""


def ordered_in_short(line: Line, tasks: Sequence[Line], ago: Ago) -> Line:
    """A message's line; of an order that stands as the task its beginning and its end."""
    item = line["items"][0]
    if item["kind"] != "message" or all(item is not task["items"][0] for task in tasks):
        return line
    return {**message_line(item, ago, QUOTED_SHOWN_UTF16, False, SHOWN_AS_TASK), "items": [item]}


def quoted_in_short(lines: Sequence[Line], rows: Set[tuple[str, ...]], ago: Ago) -> list[Line]:
    """The lines of messages; a long one that the summary quotes whole is told by its beginning and its end."""
    return [{**message_line(item, ago, QUOTED_SHOWN_UTF16, True, QUOTED_WHOLE), "items": [item]}
            if item["kind"] == "message" and len(item["text"]) > QUOTED_MIN_CHARACTERS
            and is_quoted(item["text"], rows, WHOLLY_QUOTED_SHARE) else line
            for line in lines for item in line["items"][:1]]


def is_quoted(text: str, rows: Set[tuple[str, ...]], share: float = QUOTED_SHARE) -> bool:
    """Whether nearly all of the words stand in the summary, in their order; its `rows` are all of its word_rows."""
    own = word_rows(text) if text else set[tuple[str, ...]]()
    return len(own & rows) >= share * len(own)


def is_quoted_respelled(text: str, pairs: Set[tuple[str, ...]], words: Set[tuple[str, ...]]) -> bool:
    """Whether the words stand in the summary but for what it mended: a misspelled word is in two pairs of words.

    `pairs` and `words`: all that the summary has.
    """
    lacking = [row[0] for row in word_rows(text, 1) - words if row]
    if len(lacking) > RESPELLED_WORDS_MAX or not all(is_respelled(word, words) for word in lacking):
        return False
    own = word_rows(text, PAIR)
    return len(own - pairs) <= 2 * len(lacking) + REWORDED_SHARE * len(own)


def is_respelled(word: str, words: Set[tuple[str, ...]]) -> bool:
    """Whether one of the words differs from it by a few letters in one place; never a number."""
    if len(word) < RESPELLED_MIN_CHARACTERS or not word.isalpha():
        return False
    return any(other[0] == word[0] and abs(len(other) - len(word)) < 2 and shared_beginning(other, word)
               + shared_beginning(other[::-1], word[::-1]) >= len(word) - 2 for row in words for other in row)


def word_rows(text: str, count: int = WORDS_IN_A_ROW) -> Set[tuple[str, ...]]:
    """All rows of so many words that follow each other, in lower case; of a shorter text all its words."""
    return in_rows(words_in(text), count)


@lru_cache(maxsize=64)  # the summary's and a message's are asked for several times, and nobody changes them
def words_in(text: str) -> list[str]:
    """The text's words in lower case."""
    return re.findall(r"\w+", text.casefold())


def in_rows(words: Sequence[str], count: int) -> Set[tuple[str, ...]]:
    """All rows of so many of the words that follow each other; of fewer words one row."""
    return {*zip(*(words[at:] for at in range(count)))} or {tuple(words)}


def follows_last_words(items: Sequence[Item]) -> bool:
    """Whether the person typed something after the agent's last words: no answer to it follows."""
    said = max((item["position"] for item in items if item["kind"] == "said"), default=-1)
    return any(item["kind"] == "message" and item["position"] > said for item in items)


def broken_off_lines(state: Mapping[str, str]) -> list[Line]:
    """That the newest turn broke off with an error of the API, where the client says so."""
    error = text_of(state, "broken_off")
    return [shared_line(f"- The turn broke off with an error of the API: {in_quotes(error)}")] if error else []


def first_asked(messages: Sequence[Line]) -> list[Line]:
    """The newest message that was not typed while the agent worked on another one."""
    return [line for line in messages if line["items"][0].get("via") != "queue"
            and line["items"][0]["kind"] == "message"][:1]


def last_call(items: Sequence[Item], paths: Paths) -> str:
    """The newest call in few words, where it came after the agent's last words; empty where none did."""
    said = max((item["position"] for item in items if item["kind"] == "said"), default=-1)
    calls = [item for item in items if item["kind"] in ("action", "look") and item["position"] > said]
    if not calls:
        return ""
    newest = max(calls, key=lambda item: item["position"])
    is_command = newest["tool"] in SHELL_TOOLS
    words = command_in_short(newest["text"], paths) if is_command else paths.short(newest["text"])
    what = code(words, CALL_SHOWN_UTF16)
    is_single = len(calls) == 1 and newest["uses"] == 1  # the same call before is the same item
    count = "one call" if is_single else f"{len(calls)} calls or more, last" if len(calls) > 1 else "calls, last"
    return f"{count}: {'' if is_command else newest['tool'] + ' '}{what}"


def in_order_of_time(newest: Sequence[Line], last_words: Sequence[Line], is_unanswered: bool) -> list[Line]:
    """The newest message and the agent's last words, the newer ones first."""
    if is_unanswered:
        return [*label(newest, "The user's newest message, no words of the agent follow it: "), *last_words]
    return [*label(newest, "The user's newest message: "), *last_words]


def label(lines: Sequence[Line], words: str) -> list[Line]:
    """The lines with words before what they say."""
    return [{**line, "text": f"- {words}{line['text'][2:]}",
             **({"whole": f"- {words}{line['whole'][2:]}"} if "whole" in line else {})} for line in lines]


def choose(sections: dict[str, list[Line]], budget: int, lost_room: int = 0) -> None:
    """Marks each line with its section where it is put back, and with why, or why not; lengthens what has room.

    `lost_room` are units of the budget that no line can have; the sections' shares of it stay as they are.
    """
    left = budget - lost_room - units(HEADER) - NONCE_CHARACTERS - len("2026-02-23 14:05 UTC (block ).")
    reserve = int(WORK_SHARE * budget) if sections.get(WORK) else 0
    for section, share in SHARES.items():
        room = max(int(share * budget), RULES_MIN_UTF16 if section == RULES else 0)
        room = min(room, left - reserve)
        lines = sections.get(section, [])
        taken = take(most_needed_first(lines) if section == THREAD else lines, section, room)
        if section in (TASK, TASKS, THREAD):  # what is to be done and the person's words whole, not older work
            taken += lengthen(sections, (section,), room - taken)
        left -= taken
    work = sections.get(WORK, [])
    of_turn = [line for line in work if line.get("is_of_turn")]
    left -= take(of_turn, WORK, left)
    left -= lengthen({WORK: of_turn}, (WORK,), min(left, int(TURN_SHARE * budget)))
    left -= take([line for line in work if not line.get("is_of_turn")], WORK, left, bool(of_turn))
    left -= lengthen(sections, (END, TASK, TASKS, THREAD), left)
    # A message that is a rule stands among the rules alone; looks have no room of their own.
    for section in (RULES, THREAD, TASKS, RUNS, EVIDENCE, LOOKS):
        left -= take([line for line in sections.get(section, []) if "section" not in line], section, left)
    lengthen(sections, (WORK,), left)


def most_needed_first(lines: Sequence[Line]) -> list[Line]:
    """The thread's lines with the newest first, then the words that the summary lacks, then others, then a "yes".

    A session of many short replies had filled the section with them, and an order that no summary told had no room.
    """
    return [*lines[:NEWEST_MESSAGES], *sorted(lines[NEWEST_MESSAGES:], key=lambda line: line.get("need", 0))]


def lengthen(sections: Mapping[str, Sequence[Line]], names: Iterable[str], room: int) -> int:
    """Takes the longer form of lines that are put back while there is room, in UTF-16 units; returns what it took."""
    left = room
    for line in (line for name in names for line in sections.get(name, []) if "section" in line):
        longer = units(line.get("whole", "")) - units(line["text"])
        if 0 < longer <= left:
            line["text"] = line["whole"]
            left -= longer
    return room - left


def take(lines: Iterable[Line], section: str, room: int, has_title: bool = False) -> int:
    """Takes lines in their order into a section while there is room, in UTF-16 units; returns how much they take.

    `has_title`: lines stand in the section already.
    """
    taken = 0
    title = 0 if has_title else units(section) + 5
    for line in lines:
        if line.get("why") == IN_SUMMARY:
            continue
        size = units(line["text"]) + 1 + (0 if taken else title)
        if size > room - taken and not taken and room - title > LINE_MIN_UTF16:
            line["text"] = cut(line["text"], room - title - 1)  # the first says most: some of it rather than nothing
            size = units(line["text"]) + 1 + title
        if size <= room - taken:
            line["section"] = section
            line["why"] = "put back"
            taken += size
        else:
            line["why"] = NO_ROOM
    return taken


def recap_of(snapshot: Snapshot) -> tuple[str, list[Line]]:
    """The text within the snapshot's budget, and all lines that might stand in it, each with why it does or not."""
    how_to_open = units(text_of(snapshot, "how_to_open"))
    lines = chosen_lines(sections_of(snapshot), snapshot["settings"]["budget"], how_to_open)
    return under_headings(header_of(snapshot), [line for line in lines if "section" in line]), lines


def chosen_lines(sections: dict[str, list[Line]], budget: int, lost_room: int = 0) -> list[Line]:
    """All lines in the order of the text, each with whether it is put back; the sections stay as they are."""
    own: dict[str, list[Line]] = {section: [{**line} for line in lines] for section, lines in sections.items()}
    choose(own, budget, lost_room)
    return [line for section in SHOWN for line in own.get(section, [])]


def header_of(snapshot: Snapshot) -> str:
    """The first line of the text."""
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    stamp = text_of(snapshot, "time")
    when = f"{stamp[:10]} {stamp[11:16]} UTC" if moment(stamp) else "the compaction"
    begin = f"{HEADER}{when} (block {number})." if number else f"{HEADER}{when}."
    return f"{begin} {text_of(snapshot, 'how_to_open')}".rstrip()


def under_headings(begin: str, lines: Iterable[Line], continued: str = "") -> str:
    """The lines behind their begin, each section's under its heading; of the one that is `continued` that says so."""
    rows: dict[str, list[str]] = {}
    for line in lines:
        heading = f"## {line['section']}{CONTINUED if line['section'] == continued else ''}"
        rows.setdefault(heading, [heading]).append(line["text"])
    return "\n\n".join([begin, *map("\n".join, rows.values())])


# ==================================================================================================
# machine/git_program.py: How git is started so that no repository makes it run anything: without a line of the repository's own settings.
# ==================================================================================================

EMPTY_FOLDER = "empty.git"  # in the data folder
EMPTY_HEAD, EMPTY_FOLDERS = "HEAD", ("objects", "refs")  # what git wants to see in a folder of its own
APPLE_SHIM = "/usr/bin/git"  # asks to install the developer tools where they are missing; it starts one of these:
APPLE_PROGRAMS = ("/Library/Developer/CommandLineTools/usr/bin/git",
                  "/Applications/Xcode.app/Contents/Developer/usr/bin/git")


def git_program(top: str) -> str:
    """The path of git; empty where there is none outside of the repository that begins at `top`."""
    for folder in filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        path = os.path.join(folder, "git")
        for program in APPLE_PROGRAMS if path == APPLE_SHIM and sys.platform == "darwin" else (path,):
            if os.path.isfile(program) and os.access(program, os.X_OK) and not leads_through(program, top):
                return program
    return ""


def leads_through(program: str, top: str) -> bool:
    """Whether the program is in the folder `top`: by its name, by its folder, or by where a link leads."""
    tops = tuple(os.path.join(folder, "") for folder in (os.path.abspath(top), os.path.realpath(top)))
    places = (os.path.abspath(program), os.path.join(os.path.realpath(os.path.dirname(program)), "git"),
              os.path.realpath(program))
    return any(place.startswith(tops) for place in places)


def git_environment(top: str, git: str, common: str) -> dict[str, str]:
    """The environment in which git sees the repository without its settings; empty where our empty folder cannot be.

    `top` is the working tree, `git` its .git folder, `common` the .git folder that has the objects.
    """
    empty = empty_folder()
    if not empty:
        return {}
    return {
        "GIT_DIR": empty, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": os.path.join(git, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(common, "objects"), "GIT_SHALLOW_FILE": os.path.join(common, "shallow"),
        "HOME": empty, "XDG_CONFIG_HOME": empty, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "",
        "PATH": "", "LC_ALL": "C"}


def empty_folder() -> str:
    """The path of our folder that git takes for its own; empty where it cannot be made, or something else is in it."""
    try:
        path = os.path.abspath(private_folder(EMPTY_FOLDER))
        for name in EMPTY_FOLDERS:
            private_folder(EMPTY_FOLDER, name)
        if not os.path.isfile(os.path.join(path, EMPTY_HEAD)):
            replace_file(os.path.join(path, EMPTY_HEAD), b"ref: refs/heads/none\n")
        others = {name for name in os.listdir(path) if not name.startswith(EMPTY_HEAD)} - {*EMPTY_FOLDERS}
    except (OSError, Refusal):
        return ""
    return "" if others else path


# ==================================================================================================
# machine/git_settings.py: The few of git's settings that are taken over, read here and not by git: plain words, and the name of an upstream.
# ==================================================================================================

GIT_SETTINGS_MAX_BYTES = 256 << 10  # of a file of git's settings
COMPARING = (  # how files are compared; none of these words names a program
    r"(?im)^[ \t]*(?:(filemode|symlinks|ignorecase|precomposeunicode|autocrlf)[ \t]*=[ \t]*(true|false|input)"
    r"|(eol)[ \t]*=[ \t]*(lf|crlf|native))[ \t]*\r?$")
IGNORED_BY_PERSON = r'(?im)^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\r\n]{1,4000})'


def git_settings_text(path: str) -> str:
    """The file's text; empty where it cannot be read."""
    return beginning(path, GIT_SETTINGS_MAX_BYTES).decode("utf-8", "surrogateescape")


def person_settings() -> str:
    """The person's own settings, what counts more behind."""
    home = os.path.expanduser("~")
    return "\n".join(map(git_settings_text, (os.path.join(config_home(), "config"), os.path.join(home, ".gitconfig"))))


def config_home() -> str:
    """The folder of git's in which XDG keeps the person's settings."""
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")


def how_to_compare(settings: str) -> list[str]:
    """Options for git: how it is to compare files, as these settings say."""
    values = {(name or eol).lower(): value or ending for name, value, eol, ending in re.findall(COMPARING, settings)}
    return [word for name, value in values.items() for word in ("-c", f"core.{name}={value}")]


def ignore_files(settings: str, common: str) -> list[str]:
    """The files beside .gitignore that say which files are ignored, those that are there."""
    named = re.findall(IGNORED_BY_PERSON, settings)[-1:] or [os.path.join(config_home(), "ignore")]
    paths = [os.path.expanduser(named[0].strip()), os.path.join(common, "info", "exclude")]
    return [path for path in paths if os.path.isabs(path) and "\0" not in path and os.path.isfile(path)]


def upstream_of(branch: str, settings: str) -> tuple[str, str]:
    """The upstream's name and ref, by the repository's settings; both empty where the branch has none.

    A remote's branches are looked for where `git clone` and `git remote add` put them.
    """
    section = values_below(f'[branch "{branch}"]', settings)
    remote, merge = section.get("remote", ""), section.get("merge", "").partition("refs/heads/")[2]
    if not (merge and re.fullmatch(r"[\w./-]{1,200}", remote)):  # else it is an address, which has no ref here
        return "", ""
    return (merge, f"refs/heads/{merge}") if remote == "." else (f"{remote}/{merge}", f"refs/remotes/{remote}/{merge}")


def values_below(heading: str, settings: str) -> dict[str, str]:
    """What stands below the heading, wherever it stands, by its name in small letters."""
    values: dict[str, str] = {}
    is_below = False
    for line in map(str.strip, settings.split("\n")):
        name, _, value = line.partition("=")
        if line.startswith("["):
            is_below = line == heading
        elif is_below:
            values[name.strip().lower()] = value.strip().strip('"')
    return values


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
# machine/git_now.py: The repository as it is now: what stands in .git, and what git says, asked once and not waited for.
# ==================================================================================================

ANSWER_MAX_BYTES, FILTERS_MAX_BYTES = 64 << 10, 1 << 20  # of what git prints for one question
FILTER_SECONDS = 0.05  # of the budget, kept for the second look at what is modified
COMMITS_MAX, PATHS_MAX = 20, 60  # in a list
CHANGED_PATH_MAX_UTF16, REF_NAME_MAX_UTF16, SUBJECT_MAX_UTF16, ROOT_MAX_UTF16 = 240, 120, 160, 400
HASH_DIGITS = 7
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the name of a tree without files; git knows it anywhere
STASHES_MAX_BYTES = 64 << 10  # of the list of stashes, a line each
BEGUN = (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"))
STAGED_HOW = {"A": "new", "D": "deleted"}
NO_FILTER = (b"unspecified", b"unset")


def git_now(folder: str, since: str, budget_seconds: float = 0.3) -> GitNow:
    """The folder's repository as it is now; empty outside of one.

    `since` is an ISO time: commits made after it are listed. What stands in .git is told always; git itself is asked
    within the budget, where there is a git outside of the repository and hashes are SHA-1's. On Windows it is not.
    """
    until = time.monotonic() + budget_seconds
    state = repository(folder)
    if not state:
        return {}
    top, git = git_folder(folder)
    common = os.path.join(git, first_line(os.path.join(git, "commondir")))
    settings = git_settings_text(os.path.join(common, "config"))
    upstream, ref = upstream_of(state["branch"], settings)
    now: GitNow = {"root": quote(top, ROOT_MAX_UTF16), "since": since, "in_progress": in_progress(git),
                   "stashes": beginning(os.path.join(common, "logs", "refs", "stash"), STASHES_MAX_BYTES).count(b"\n")}
    if state["branch"] or state["head"]:  # else git keeps its refs in a form that is not read
        now["branch"], now["head"] = quote(state["branch"], REF_NAME_MAX_UTF16), state["head"][:HASH_DIGITS]
    if state["branch"]:
        now["upstream"] = quote(upstream, REF_NAME_MAX_UTF16)
    head = state["head"] or (EMPTY_TREE if has_no_commit(state, common) else "")
    program = git_program(top) if len(head) == len(EMPTY_TREE) else ""
    environment = git_environment(top, git, common) if program else {}
    answers: dict[str, bytes | None] = {}
    if environment:
        person = person_settings()
        command = [program, "--no-pager", "-C", top, *how_to_compare(f"{person}\n{settings}")]
        asked_for = questions(head, ref_and_commit(common, f"ref: {ref}")[1], since, ignore_files(person, common))
        answers = answers_of_git(command, environment, asked_for, until)
    now.update(what_answers_tell(answers))
    if None in answers.values() and time.monotonic() > until - FILTER_SECONDS:
        now["is_late"] = True
    now["is_complete"] = bool(answers) and is_whole(answers) and not unjudged(answers)
    return now


# --- what stands in .git ---


def has_no_commit(state: RepositoryState, common: str) -> bool:
    """Whether the branch is surely without a commit: nothing stands where its ref would, readable or not."""
    ref = os.path.join(common, "refs", "heads", state["branch"])
    is_packed_read = size_of(os.path.join(common, "packed-refs")) <= PACKED_REFS_MAX_BYTES
    return bool(state["branch"]) and not os.path.lexists(ref) and is_packed_read


def in_progress(git: str) -> str:
    """The merge, rebase or the like that was begun and has not ended: "rebase of topic, step 2 of 5"; else empty."""
    for folder, now, last in (("rebase-merge", "msgnum", "end"), ("rebase-apply", "next", "last")):
        path = os.path.join(git, folder)
        if os.path.isdir(path):
            name = first_line(os.path.join(path, "head-name")).partition("refs/heads/")[2]
            step, steps = (first_line(os.path.join(path, file)) for file in (now, last))
            what = "am" if os.path.lexists(os.path.join(path, "applying")) else "rebase"
            of_branch = f" of {quote(name, REF_NAME_MAX_UTF16)}" if name else ""
            return what + of_branch + (f", step {step} of {steps}" if (step + steps).isdecimal() else "")
    for file, what in BEGUN:
        commit = first_line(os.path.join(git, file))
        if re.fullmatch("[0-9a-f]{40,64}", commit):
            return f"{what} of {commit[:HASH_DIGITS]}"
    begun_on = first_line(os.path.join(git, "BISECT_START"))
    return f"bisect begun on {quote(begun_on, REF_NAME_MAX_UTF16)}" if begun_on else ""


# --- what git says ---


def answers_of_git(command: list[str], environment: Mapping[str, str], asked_for: Mapping[str, Sequence[str]],
                   until: float) -> dict[str, bytes | None]:
    """What git prints for each question, None where it did not in time.

    `command` are git's path and options. The answer "filters" says which of the modified paths have a filter.
    """
    outputs = outputs_of([[*command, *words] for words in asked_for.values()], environment, b"",
                         until - FILTER_SECONDS, ANSWER_MAX_BYTES)
    answers = dict(zip(asked_for, outputs))
    if modified := answers.get("modified"):
        paths = b"".join(path + b"\0" for path in paths_of(modified))
        check = [*command, "check-attr", "-z", "--stdin", "filter"]
        filters = outputs_of([check], environment, paths, until, FILTERS_MAX_BYTES)
        answers["filters"] = filters[0] if len(paths) <= INPUT_MAX_BYTES else None
    return answers


def questions(head: str, upstream: str, since: str, ignored: Sequence[str]) -> dict[str, list[str]]:
    """Git's words for each question, by the name of what they tell. None of these commands writes anything."""
    listed = ["ls-files", "-z"]
    asked_for = {
        "staged": ["diff-index", "-z", "--cached", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv",
                   "--ignore-submodules=dirty", head],  # of a submodule the commit alone
        "modified": [*listed, "-t", "--modified", "--deleted"],
        "untracked": [*listed, "--others", "--directory", "--no-empty-directory", "--exclude-per-directory=.gitignore",
                      *(f"--exclude-from={path}" for path in ignored)]}
    if moment(since) and head != EMPTY_TREE:
        asked_for["commits"] = ["log", "-z", "--format=%h%x09%s", "--no-show-signature", "--no-patch",
                                f"--max-age={moment(since)}", f"--max-count={COMMITS_MAX + 1}", head]
    if upstream and head != EMPTY_TREE:
        asked_for["counts"] = ["rev-list", "--left-right", "--count", f"{head}...{upstream}"]
    return asked_for


# --- what its answers mean ---


def what_answers_tell(answers: Mapping[str, bytes | None]) -> GitNow:
    """What the answers tell; of those that are missing nothing."""
    now: GitNow = {"totals": {}}
    known = {name: answer for name, answer in answers.items() if answer is not None}
    conflicts = set[bytes]()
    if "staged" in known:
        parts = entries(known["staged"])
        staged = dict(zip(parts[1::2], map(bytes.decode, parts[::2])))
        conflicts = {path for path, how in staged.items() if how == "U"}
        now["conflicts"] = names(conflicts)
        now["staged"] = [(shown(path), STAGED_HOW.get(how, ""))
                         for path, how in [*staged.items()] if how != "U"][:PATHS_MAX]
        now["totals"].update(conflicts=len(conflicts), staged=len(staged) - len(conflicts))
    if "modified" in known and ("filters" in known or not known["modified"]):
        deleted = {entry[2:] for entry in entries(known["modified"]) if entry.startswith(b"R")}
        unknown = unjudged(answers) - deleted
        modified = [path for path in paths_of(known["modified"]) if path not in conflicts | unknown]
        now["modified"] = [(shown(path), "deleted" if path in deleted else "") for path in modified[:PATHS_MAX]]
        now["totals"]["modified"] = len(modified)
    if "untracked" in known:
        untracked = entries(known["untracked"])
        now["untracked"] = names(untracked)
        now["totals"]["untracked"] = len(untracked)
    if "commits" in known:
        lines = [line.decode("utf-8", "replace").partition("\t") for line in entries(known["commits"])]
        now["commits"] = [(commit, quote(subject, SUBJECT_MAX_UTF16)) for commit, _, subject in lines[:COMMITS_MAX]
                          if re.fullmatch("[0-9a-f]{4,64}", commit)]
        now["totals"]["commits"] = len(lines)
    if counts := re.match(rb"(\d{1,9})\t(\d{1,9})\s", known.get("counts", b"")):
        now["ahead"], now["behind"] = int(counts.group(1)), int(counts.group(2))
    return now


def is_whole(answers: Mapping[str, bytes | None]) -> bool:
    """Whether each answer came in time and was not cut."""
    return all(answer is not None and len(answer) < (FILTERS_MAX_BYTES if name == "filters" else ANSWER_MAX_BYTES)
               for name, answer in answers.items())


def unjudged(answers: Mapping[str, bytes | None]) -> set[bytes]:
    """The paths of which git cannot say whether they are modified: a filter that it does not run makes their content.

    So it is with files of git-lfs and git-crypt; those that look untouched git does not open.
    """
    triples = entries(answers.get("filters") or b"")
    return {path for path, value in zip(triples[::3], triples[2::3]) if value not in NO_FILTER}


def entries(answer: bytes) -> list[bytes]:
    """The parts of an answer, each of which ends with a NUL byte; a last one that was cut is left out."""
    return answer.split(b"\0")[:-1]


def paths_of(modified: bytes) -> list[bytes]:
    """The paths in the answer on what is modified, each once."""
    return list(dict.fromkeys(entry[2:] for entry in entries(modified)))


def names(paths: Iterable[bytes]) -> list[str]:
    """The first of the paths, in order, as they can be told."""
    return [shown(path) for path in sorted(paths)[:PATHS_MAX]]


def shown(path: bytes) -> str:
    """The path on one line, clean and redacted."""
    return quote(path.decode("utf-8", "replace"), CHANGED_PATH_MAX_UTF16)


# ==================================================================================================
# machine/running_processes.py: Whether the commands that a session left running still run, told by the command lines in /proc.
# ==================================================================================================

STAT_MAX_BYTES, COMMAND_LINE_MAX_BYTES = 4_096, 16 << 10  # of stat and cmdline in /proc
COMMAND_MIN_BYTES = 6  # a shorter command stands in many command lines ("make", "ls")
LOST = r"\[redacted: [a-z ]+\]|[…‹]|&\s*\Z"  # what stands in an item's text for what was taken out; a last `&`
QUOTING = b" \t\r\n\0\"'\\"  # the client runs a command as bash -c "… eval 'COMMAND' …", quoted in several ways


def shells(items: Sequence[Item], limit: int) -> dict[str, list[bytes]]:
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

JOBS_MAX, JOBS_MAX_SECONDS = 40, 0.030
GIT_MAX_SECONDS = 0.3  # QUALITY.md: once per compaction, at most so long


def compared_now(snapshot: Snapshot) -> Present:
    """The repository as git tells it, empty outside of one; for the id of a shell whether a process runs its command.

    Of jobs that were not reached in time nothing is said.
    """
    folder = snapshot["state"].get("cwd", "")
    now = git_now(folder, snapshot["began"], GIT_MAX_SECONDS) if folder else {}
    is_here = bool(folder) and os.path.isdir(folder)  # else the session ran on another machine
    commands = shells(snapshot["items"], JOBS_MAX) if is_here else {}
    jobs = running(commands, time.monotonic() + JOBS_MAX_SECONDS)
    return {"repository": now, "jobs": jobs}


# ==================================================================================================
# recap/block.py: The text that is put back: the stored snapshot with pins and what is true now, within its budget.
# ==================================================================================================

HARD_STOP = 9_800  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
ONE_PART_BUDGET = HARD_STOP - ASK_ROOM  # what a larger one chooses goes out in two parts
FIRST_PART_UTF16, SECOND_PART_UTF16 = HARD_STOP, REST_MAX_UTF16
SECOND_HEADER = "compact-keeper: second part of the record"
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much
REASON_WORDS_UTF16 = 100
TAG_EXAMPLE = "k3fq"
OLDER = "Older work had no room here ({count} on record): {how} prints it."
COUNTED = {  # what the person is told of by its name, by kind of item; one, several
    "pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages"), "task": ("task", "tasks"),
    "action": ("action", "actions"), "said": ("reply", "replies"), "job": ("running command", "running commands")}
NAMED_ALONE = {"look": ("thing read", "things read"), "answer": ("answer", "answers"), "plan": ("plan", "plans"),
         "question": ("question", "questions"), "refusal": ("refused call", "refused calls")}  # those of one kind alone


def as_of_now(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def parts_for(snapshot: Snapshot, positions: list[int]) -> tuple[list[str], list[Line]]:
    """What goes out after a compaction of the main thread, in one part or two, and all lines that might stand in it."""
    ask = how_to_ask(data_home())
    snapshot = {**snapshot, "how_to_open": how_to_open(snapshot, ask)}
    if snapshot["settings"]["budget"] > ONE_PART_BUDGET:
        parts, lines = in_two_parts(snapshot, ask)
    else:
        text, lines = recap_of(snapshot)
        end = ask + what_is_older(snapshot, lines)
        most = snapshot["settings"]["budget"] + ASK_ROOM - units(end)
        parts = [cut(with_age(text, snapshot), most) + end]
    is_said = bool(snapshot["how_to_open"])
    if is_said and not any(re.search(rf" #{TAG_PATTERN}$", line["text"]) for line in shown_of(lines)):
        parts[0] = parts[0].replace(f" {snapshot['how_to_open']}", "", 1)  # it explains what does not stand there
    parts = [without_marked(part, snapshot.get("named", ())) for part in parts]
    first = within_thrash(parts[0], positions)
    return parts if first == parts[0] else [first], lines


def in_one_part(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a budget for one part, where nobody could hand over a second."""
    budget = min(snapshot["settings"]["budget"], ONE_PART_BUDGET)
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


def in_two_parts(snapshot: Snapshot, ask: str) -> tuple[list[str], list[Line]]:
    """The recap, in two parts where one is too short for it, and all lines that might stand in it.

    What the first part leaves empty, as its next line is too long, may be missing in the second: then fewer are chosen.
    """
    sections, begin = sections_of(snapshot), with_age(header_of(snapshot), snapshot)
    lost_room = units(text_of(snapshot, "how_to_open"))
    while True:
        lines = chosen_lines(sections, snapshot["settings"]["budget"], lost_room)
        older = what_is_older(snapshot, lines)
        parts = divided(begin, shown_of(lines), (ask, older), text_of(snapshot, "id"))
        over = units(parts[-1]) - SECOND_PART_UTF16
        if not parts[1:] or over <= 0:
            return parts, lines
        lost_room += over


def divided(begin: str, lines: Sequence[Line], ends: tuple[str, str], number: str) -> list[str]:
    """The lines with begin and end in one part; where that is too short, those that have no room in a second one.

    `ends`: what ends the first part, and what ends the last behind that.
    """
    end, last_end = ends
    room, count = FIRST_PART_UTF16 - units(begin) - units(end) - units(last_end), 0
    for before, line in zip([None, *lines], lines):
        is_same = before is not None and before["section"] == line["section"]
        room -= units(line["text"]) + 1 + (0 if is_same else units(line["section"]) + len("\n\n## "))
        if room < 0:
            break
        count += 1
    first, second = lines[:count], lines[count:]
    parts = [under_headings(begin, first) + end + ("" if second else last_end)]
    if second:
        block = f" (block {number[-NONCE_CHARACTERS:]})" if number else ""
        parts.append(under_headings(f"{SECOND_HEADER}{block}.", second, first[-1]["section"] if first else "")
                     + last_end)
    return parts


def with_age(text: str, snapshot: Snapshot) -> str:
    """The text, its age behind the first line where there is something to be said of it."""
    as_of = text_of(snapshot, "as_of")
    head, line_break, rest = text.partition("\n")
    return f"{head}\n{as_of}{line_break}{rest}" if as_of else text


def shown_of(lines: Iterable[Line]) -> list[Line]:
    """Those of the lines that are put back."""
    return [line for line in lines if "section" in line]


def block_of(snapshot: Snapshot) -> tuple[str, list[Line]]:
    """The snapshot's lines within its budget as a text, and which they are."""
    text, lines = recap_of(snapshot)
    return without_marked(text, snapshot.get("named", ())), shown_of(lines)


def within_thrash(text: str, positions: list[int]) -> str:
    """The text; after three automatic compactions within few records its beginning and what runs, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third automatic compaction within {apart} records of the transcript, "
           "and a long text here would soon bring the next.)")
    running = "\n".join(line for line in text.splitlines() if line.startswith(f"- {RUNNING}: "))
    running = cut(running, THRASH_UNITS // 2)
    begin = cut(text, THRASH_UNITS - units(why) - units(running) - 1).rpartition("\n")[0]
    return begin + (f"\n{running}" if running and running not in begin else "") + why


def reasons(lines: Iterable[Line]) -> str:
    """How many lines are put back under each heading; then those that are not, below the reason."""
    put_back: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for line in lines:
        if "section" in line:
            put_back[line["section"]] = put_back.get(line["section"], 0) + 1
        else:
            words = in_quotes(cut(" ".join(line["text"].split()), REASON_WORDS_UTF16))
            left_out.setdefault(str(line["why"]), []).append(words)
    rows = ["Put back, lines under each heading:", *(f"{count:6,}  {section}" for section, count in put_back.items())]
    for why, words_of_lines in left_out.items():
        rows += ["", f"Not put back ({why}):", *(f"- {words}" for words in words_of_lines)]
    return "\n".join([*rows, *(["", "Nothing is left out."] if not left_out else [])])


def how_to_ask(home: str) -> str:
    """The last line where there is an archive in the data folder: how to find in it what does not stand here."""
    here = os.path.dirname(os.path.abspath(__file__))
    script, has_skill = os.path.join(here, "recall.py"), os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    how = "skill compact-keeper:recall (typed: /compact-keeper:recall WORDS)" if has_skill else (
        f"`python3 {script} search WORDS`")
    return f"\n\nThe original words, commands and errors of earlier turns can be found: {how}."


def how_to_open(snapshot: Snapshot, ask: str) -> str:
    """The sentence that says how to see the step behind a tag, where the archive has the session's; else empty.

    `ask`: the last line, which says how to ask the archive; empty where nobody can.
    """
    is_kept = snapshot["settings"]["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    if not ask or not is_kept:
        return ""
    script = re.search(r"`(python3 .*) search WORDS`", ask)
    how = f"`{script[1]} show {TAG_EXAMPLE}`" if script else f"skill compact-keeper:recall with `show #{TAG_EXAMPLE}`"
    return f"A line that ends in a tag like #{TAG_EXAMPLE} is shortened: {how} prints that step and those around it."


def what_is_older(snapshot: Snapshot, lines: Sequence[Line]) -> str:
    """The sentence that ends the text: what had no room, and how to see it; empty without tags, or where all had."""
    if not any(line.get("why") == NO_ROOM for line in lines):
        return ""
    work = [line for line in shown_of(lines) if line["section"] == WORK]
    count, tag = older_steps(snapshot["items"], work) if text_of(snapshot, "how_to_open") else (0, "")
    by_script = re.search(r"`(python3 .*) show", text_of(snapshot, "how_to_open"))
    how = f"`{by_script[1]} show '#1-{tag}'`" if by_script else f"skill compact-keeper:recall with `show #1-{tag}`"
    steps = f"{count} step{'s' * (count != 1)}"
    return f"\n\n{OLDER.format(count=steps, how=how)}" if tag else ""


def counted(shown: list[Line]) -> dict[str, int]:
    """How many items of which kind are shown."""
    items = {id(item): item for line in shown for item in line["items"]}  # the work's lines name messages again
    kinds = [str(item["kind"]) for item in items.values()]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def said_to_person(shown: list[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, and how long the text is."""
    counts = counted(shown)
    parts = [f"{counts[kind]} {names[counts[kind] > 1]}" for kind, names in COUNTED.items() if counts.get(kind)]
    rest = {kind: count for kind, count in counts.items() if kind not in COUNTED}
    if len(rest) == 1 and {*rest} <= {*NAMED_ALONE}:  # of several kinds the names would take more room than they tell
        parts += [f"{count} {NAMED_ALONE[kind][count > 1]}" for kind, count in rest.items()]
    elif others := sum(rest.values()):
        parts.append(f"{others} more" if parts else f"{others} thing{'s' * (others > 1)}")
    return f"put back {', '.join(parts) or 'what is known'} ({size:,} characters)"


# ==================================================================================================
# record/items.py: What an item of a session is: something said, done, asked or seen, with its source and its place in time.
# ==================================================================================================

def new_item(kind: Kind, at: Entry, text: str, who: str, **more: Unpack[ItemFields]) -> Item:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def restore_line(snapshot: Snapshot, shown: Sequence[Line], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units."""
    lines = [{"kind": line["items"][0]["kind"] if line["items"] else "fact", "section": line["section"],
              "line": line["text"]} for line in shown]
    things = len({id(item) for line in shown for item in line["items"]})
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   things=things, lines=lines)


def audit_line(number: str, findings: Sequence[SummaryFinding]) -> str:
    """The line for an audited summary: what the record contradicts in it, and what it leaves out."""
    return as_line("audit", id=number, found=[
        {"what": "contradicted" if finding["said"] else "left out", "kind": finding["kind"],
         "text": finding["said"][:FINDING_MAX_CHARACTERS], "record": finding["record"][:FINDING_MAX_CHARACTERS]}
        for finding in findings[:FINDINGS_MAX]])


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)


# ==================================================================================================
# store/marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

FORK_MARK = "forked"  # of a session that the client has begun as a fork, and calls so (2.1.329 and 2.1.330)


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
RECORD_FORMAT = 4  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "outputs": dict, "pending": list,
    "seen": list, "roots": list, "ledgers": dict, "named": list,
    "typed": list, "queue": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    "is_by_ledger": bool,
    **dict.fromkeys(("options", "hits", "limits", "conflicts", "earlier", "evidence", "tokens", "sides", "same",
                     "ordered", "private", "lacking"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "made", "picks", "refused", "sender", "own", "detail", "owner",
                     "port", "environ", "by", "pid", "also", "family", "commit", "subject", "branch", "pushed", "begun",
                     "finished", "pattern", "trigger", "tag", "seen_old", "seen_time", "agent", "ticket"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record", "more", "seen_at"),
                    int)}
WORD_LISTS = ("options", "hits", "limits", "conflicts", "evidence", "sides", "same", "ordered",
              "private", "lacking")  # of texts
ITEM_FIELD_TYPES = {**FIELD_TYPES, "answers": str}  # of a message: the words that it answers; of a call: by question
# What has to be there: in the memory itself, in an item, in a call that waits for its result, in a line of the log.
MEMORY_FIELDS = frozenset(("items", "place", "began", "time", "position", "cycle", "state", "pending", "seen"))
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # of items
    **dict.fromkeys(("message", "rule", "question", "refusal", "said", "task", "plan"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "action": {"key", "tool", "path", "verdict", "result"}, "look": {"key", "tool", "path", "result"},
        "job": {"key"}, "answer": {"question"}}.items()}}
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output",
                         "command", "rejected", "answers", "body", "input", "ok", "exit", "pattern", "change"))
LOG_FIELDS = frozenset(("time", "what", "key", "text"))
PLACE_FIELDS = frozenset(("inode", "offset"))  # how far a file was read
NO_PLACE = {"inode": 0, "offset": 0}  # of a memory that has read no transcript
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS,
                 "progress": LOG_FIELDS}


def usable_memory(path: str) -> Memory:
    """The session's memory; empty, and the file kept beside, where a save could not work with it."""
    memory: Any = read_store(path)
    if memory and memory.get("record") != RECORD_FORMAT and "items" in memory:
        return {}
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    usable: Memory = {} if why else memory
    return usable


def fault_in(memory: Mapping[str, Any]) -> str:
    """The first place in the memory that is not as a save leaves it; empty when there is none."""
    if memory.get("record") != RECORD_FORMAT:
        return "record"
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "queue", "named")]
    outputs = memory.get("outputs", {})
    texts += [memory["state"].values(), outputs.values(), typed]
    if not all(all_are(str, values) for values in texts) or len(typed) != 2 or not all(map(str.isdecimal, outputs)):
        return "roots, seen, queue, named, state, outputs or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ())}
    for name, records in lists.items():
        for number, record in enumerate(records):
            if why := odd_field(record, NEEDED_FIELDS[name], memory):
                return f"{name}[{number}]: {why}"
    return ""


def odd_field(record: Any, needed: Set[str], memory: Mapping[str, Any]) -> str:
    """The first field that is of another type, or what else is wrong; empty when the record is as it should be."""
    if not isinstance(record, dict):
        return "no object"
    name: str
    types = ITEM_FIELD_TYPES if needed is ITEM_FIELDS else FIELD_TYPES
    for name, value in record.items():
        if name in types and type(value) is not types[name]:
            return name
        if type(value) is list and name in WORD_LISTS and not all_are(str, value):
            return name
    if needed is ITEM_FIELDS:
        if record.get("kind") not in FIELDS_OF_KIND:
            return "kind"
        needed = FIELDS_OF_KIND[record["kind"]]
    if not needed <= record.keys():
        return "a field is missing"
    return "" if numbers_are_usable(record, memory) else "a number is out of range"


def numbers_are_usable(record: Record, memory: Mapping[str, Any]) -> bool:
    """Whether no number in the record is below 0, beyond counting, or newer than the memory itself."""
    now, cycle = memory["position"], memory["cycle"]
    if not (0 <= record.get("position", 0) <= now <= NUMBER_MAX and 0 <= record.get("cycle", 0) <= cycle <= NUMBER_MAX):
        return False
    return all(0 <= record.get(name, 0) <= NUMBER_MAX for name in ("uses", "edits", "offset"))


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}


# ==================================================================================================
# store/snapshot.py: snapshot.json of a session: what a save stored, from which what is put back is chosen.
# ==================================================================================================

def own_snapshot(folder: str, session: str) -> Snapshot:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot: Snapshot = read_store(os.path.join(folder, "snapshot.json"))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


def can_come_back(folder: str, session: str) -> bool:
    """Whether what an earlier save stored can be put back: it holds something, and its mark can be made beside it."""
    try:
        return bool(own_snapshot(folder, session).get("items")) and not why_not_writable(folder)
    except (OSError, Refusal):
        return False


# ==================================================================================================
# store/summary.py: summary.json of a session: what the client's summariser wrote, as SubagentStop brings it before SessionStart.
# ==================================================================================================

SUMMARY_FILE = "summary.json"
SUMMARY_MAX_CHARACTERS, SUMMARY_MIN_CHARACTERS = 60_000, 200  # a shorter answer is another of the client's own agents


def keep_summary(folder: str, answer: str) -> None:
    """Keeps a summariser's answer, redacted, where a compaction of the session has begun; other answers are not."""
    summary = summary_in(answer)
    if len(summary) >= SUMMARY_MIN_CHARACTERS and read_compaction(folder).get("stage") == "begun":
        path = os.path.join(folder, SUMMARY_FILE)
        read_store(path)  # refuses to replace what a later version wrote
        replace_store(path, {"time": time.time(), "text": redact(clean(summary[:SUMMARY_MAX_CHARACTERS]))})


def summary_in(answer: str) -> str:
    """The summary in the summariser's answer, without what it thought before."""
    begin = answer.find("<summary>")
    inner = answer[begin + len("<summary>"):] if begin >= 0 else answer
    return inner.partition("</summary>")[0].strip()


def summary_of(folder: str, compaction: CompactionState) -> str:
    """The summary of the session's newest compaction; empty where none was kept since it began, or none can be read."""
    if not compaction.get("time"):
        return ""
    try:
        kept = read_store(os.path.join(folder, SUMMARY_FILE))
    except (OSError, Refusal):  # the text goes out all the same
        return ""
    is_new = isinstance(kept.get("time"), float) and kept["time"] >= compaction["time"]
    return text_of(kept, "text") if is_new else ""


# ==================================================================================================
# the script: Put back what a compaction dropped, once, and see to it that it arrived.
# ==================================================================================================

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of
SNAPSHOT_MAX_BYTES = 8 << 20  # on stdin
STARTED = time.time()
ANSWERS_PRINTED: list[bool] = []  # whether this hook has printed an answer
NOTHING_CAME_BACK = "compact-keeper: nothing was put back after this compaction"
HOW_TO_MEND = "/compact-keeper:doctor says what to do."
NUMBER = re.compile(r"[0-9a-f]{8,20}\Z")  # of a compaction: it becomes part of a file's name
BROUGHT_IN = ("compact-keeper: the user has brought in what was saved of the session in this folder whose compaction "
              "did not finish, else of this one:")
ANYWAY, HOW_ANYWAY = "anyway", "`/compact-keeper:restore anyway` brings in all that is saved all the same"
IS_READ_NEXT = "Claude reads this with your next prompt."
TASK_MAX_UTF16 = 4_000
REST_PATIENCE_SECONDS, REST_PAUSE_SECONDS = 3.0, 0.01  # that the first part is waited for; most take 0.1
REST_BEHIND_SECONDS = 0.1  # behind the first: the client orders texts by when their shells end


# --- deliver: once, to the thread that was compacted ---


def put_back(data: HookInput, folder: str, compaction: CompactionState) -> None:
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
        current: Snapshot = {**present, "id": number, "as_of": as_of, "summary": summary_of(folder, compaction)}
        # Where compaction.json cannot be read, nobody could tell whose a second part is.
        deliver(data, folder, compaction, current if compaction else in_one_part(current))
    elif compaction.get("stage") == "begun":
        set_stage(folder, compaction, "nothing known")  # so nothing that was put back can have been lost


def agent_of(data: HookInput, compaction: CompactionState) -> str:
    """The id of the subagent whose context was compacted; empty for the main thread."""
    is_manual = compaction.get("stage") == "begun" and compaction.get("trigger") == "manual"
    if text_of(data, "agent_id") or is_manual:
        return text_of(data, "agent_id")
    has_subagents = os.path.isdir(data["transcript_path"].removesuffix(".jsonl") + "/subagents")
    return compacted_agent(data["transcript_path"]) if has_subagents else ""


def current_snapshot(data: HookInput, folder: str) -> tuple[Snapshot, str, str]:
    """The stored snapshot, as of now; why it must not be put back; what is to be said of its age."""
    def stored() -> Snapshot:
        """The snapshot as it is on disk now."""
        return own_snapshot(folder, data["session_id"])

    return brought_up(stored(), data, folder, stored)


def with_present(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with pins and what is true now; without items where there is no snapshot, whatever is pinned."""
    return as_of_now(snapshot, folder) if snapshot else {"items": []}


def readable_compaction(folder: str) -> CompactionState:
    """How far the compaction has come; empty where that cannot be read: the text goes out all the same."""
    try:
        return read_compaction(folder)
    except (OSError, Refusal):
        return {}


def number_of(compaction: CompactionState, session: str) -> str:
    """The id under which a compaction's text goes out, once: PreCompact's, where it came before; else a new one.

    That is made of the compaction before, so that two installations, each with a save of its own, make the same.
    """
    number = text_of(compaction, "id")
    if compaction.get("stage") == "begun" and NUMBER.match(number):
        return number
    from binascii import crc32
    return f"{crc32(json.dumps([session, number, compaction.get('offset')]).encode()):08x}"


def deliver(data: HookInput, folder: str, compaction: CompactionState, snapshot: Snapshot) -> None:
    """Prints the text for the model, unless another process has made the mark before, and notes where it went out.

    A second part is left before: whoever hands it over waits until the stage says that the first has gone out.
    """
    positions, transcript = positions_of(compaction, snapshot), data["transcript_path"]
    parts, lines = parts_for(snapshot, positions)
    shown, size = shown_of(lines), sum(map(units, parts))
    if not take_mark(folder, "delivered-", snapshot["id"], "\n\n".join(parts)):
        return
    leave_rest(folder, snapshot["id"], "".join(parts[1:]))
    tell(data, parts[0], said_to_person(shown, size), "restore", id=snapshot["id"], units=size,
         ms=int((time.time() - STARTED) * 1000), kept=len(snapshot["items"]), shown=counted(shown))
    state: CompactionState = {"time": STARTED, "id": snapshot["id"], "transcript": transcript,
                              "before": positions or compaction.get("before", []),
                              "offset": boundary_offset(transcript), "settled": time.time()}
    if compaction.get("id") == snapshot["id"]:  # else the snapshot is a Stop's, which had no PreCompact
        about: Any = {name: compaction.get(name) for name in ("time", "trigger", "project") if name in compaction}
        state.update(about)
    set_stage(folder, state, "delivered")
    append_line(os.path.join(folder, HISTORY_FILE), restore_line(snapshot, shown, size))


def tell(data: HookInput, text: str, message: str, event: str, **fields: Any) -> None:
    """Prints the text for the model and the line for the person, and notes it in events.jsonl."""
    context = {"hookEventName": data["hook_event_name"], "additionalContext": text}
    person = {"systemMessage": f"compact-keeper: {message}"} if message else {}
    answer({"hookSpecificOutput": context, **person})
    note_event(event, data["session_id"], **{"units": units(text), **fields})


def answer(words: Record) -> None:
    """Prints what the hook answers, for the model and the person."""
    os.write(1, json.dumps(words).encode())
    ANSWERS_PRINTED.append(True)


def tell_of_fault(data: HookInput, fault: Exception) -> None:
    """To the person, after a compaction of the main thread: nothing came back, and why, as no file could be kept.

    Nothing where an answer has gone out: a second one would spoil it.
    """
    if not ANSWERS_PRINTED and not text_of(data, "agent_id"):
        why = "" if isinstance(fault, Refusal) else why_not_writable(data_home())
        answer({"systemMessage": f"{NOTHING_CAME_BACK}: {why or fault_words(fault)}. {HOW_TO_MEND}"})


def keep_back(data: HookInput, folder: str, compaction: CompactionState, why: str) -> None:
    """Says once, in the log, in events.jsonl and to the person, why nothing was put back after a compaction."""
    if not take_mark(folder, "kept_back-", compaction["id"]):
        return
    log(f"nothing was put back: {why}")
    answer({"systemMessage": f"{NOTHING_CAME_BACK}: {why}. {how_to_restore(folder)}"})
    note_event("kept back", data["session_id"], id=compaction["id"], why=quote(why, 200))
    set_stage(folder, {**compaction, "settled": time.time()}, "kept back")  # nor at the next prompt


def how_to_restore(folder: str) -> str:
    """What a person types to see what was saved of the session in the folder: a copy alone meets no commands."""
    script = os.path.abspath(__file__)
    if os.path.isfile(os.path.join(os.path.dirname(script), "answer_prompt.py")):
        return "/compact-keeper:restore brings in what was saved before it."
    import shlex
    return f"{shlex.join(['python3', script, '--now', os.path.basename(folder)])} prints what was saved before it."


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
        at: Entry = {"source": agent, "time": snapshot["time"], "position": snapshot["position"],
                     "cycle": snapshot["cycle"]}
        items.append(new_item("errand", at, cut(redact(clean(task)), TASK_MAX_UTF16), "assistant"))
    known = with_pins({**snapshot, "items": items}, folder)
    text = block_of(in_one_part({**known, "id": agent, "agent": agent}))[0] if known["items"] else ""
    if text and take_mark(folder, f"subagent_{agent}-", str(size)):
        tell(data, text, "", "restore", agent=agent)


def put_back_rest(data: HookInput) -> None:
    """The second command at the same start: prints the second part, when the first command has printed the first."""
    folder = os.path.join(data_home(), "sessions", data["session_id"])
    is_compaction = (data["hook_event_name"], text_of(data, "source")) == ("SessionStart", "compact")
    if not is_compaction or text_of(data, "agent_id") or not os.path.isdir(folder):
        return
    until = time.monotonic() + REST_PATIENCE_SECONDS
    while read_compaction(folder)["stage"] == "begun":
        if time.monotonic() > until:
            return
        time.sleep(REST_PAUSE_SECONDS)
    lock_session(folder)  # until the first command, which holds it, has ended
    rest = take_rest(folder)
    if rest:
        time.sleep(REST_BEHIND_SECONDS)
        print_answer(data["hook_event_name"], {"additionalContext": rest})
        tell_what_went_out(data, rest=rest)


# --- the receipt: kept, lost or unknown ---


def check_receipt(data: HookInput, folder: str, compaction: CompactionState) -> None:
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
        compaction["offset"] = max(compaction.get("offset", 0), behind)


def settle(data: HookInput, folder: str, delivery: CompactionState, outcome: str, behind: int) -> bool:
    """Notes what the transcript tells of a delivery and repeats one that was lost: whether something was printed.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    if outcome == "lost" or (outcome == "unknown" and delivery["stage"] != "delivered"):
        return deliver_again(data, folder, delivery, behind)
    if outcome:
        end_compaction(folder, delivery, "verified" if outcome == "kept" else "unseen", behind)
        note_event("receipt", data["session_id"], id=delivery["id"], verified=outcome == "kept")
    return False


def deliver_again(data: HookInput, folder: str, delivery: CompactionState, behind: int) -> bool:
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
    is_last = read_compaction(folder).get("id") == delivery["id"]  # else the next has begun, and no rest waits for long
    summary = summary_of(folder, delivery) if is_last else ""
    current: Snapshot = {**present, "id": delivery["id"], "as_of": as_of, "summary": summary}
    parts, _ = parts_for(current if is_last else in_one_part(current), [])
    if not take_mark(folder, "repaired-", delivery["id"], "\n\n".join(parts)):
        return False
    if is_last:
        leave_rest(folder, delivery["id"], "".join(parts[1:]))
    tell(data, parts[0], "what was put back after the compaction had been lost; put back again", "repair",
         id=delivery["id"], units=sum(map(units, parts)))
    end_compaction(folder, delivery, "repaired", behind)
    return True


def note_resume(_data: HookInput, folder: str, compaction: CompactionState) -> None:
    """When another process resumes the session: what older clients were given is lost now, and the session goes on.

    Up to 2.1.197 a fork's start looks the same; at worst (up to 2.1.105) the parent is given its block a second time.
    """
    stage, earlier = compaction["stage"], compaction.get("earlier")
    if stage in ("delivered", "unseen"):
        set_stage(folder, {**compaction, "resumed": True}, "delivered")
    elif stage == "begun" and (earlier or "ended" in compaction):
        going_on: CompactionState = {**compaction}
        going_on.pop("ended", None)
        if earlier:
            going_on["earlier"] = {**earlier, "resumed": True, "stage": "delivered"}
        set_stage(folder, going_on, stage)


def note_fork(_data: HookInput, folder: str, _compaction: CompactionState) -> None:
    """Marks the session as a fork: until its first prompt no transcript tells its parent (2.1.329 and 2.1.330)."""
    take_mark(folder, FORK_MARK, "")


# --- a compaction that did not come to its end ---


def note_end(_data: HookInput, folder: str, compaction: CompactionState) -> None:
    """When the session ends: a compaction that has begun and is not done now will not finish."""
    if compaction.get("stage") == "begun":
        set_stage(folder, {**compaction, "ended": time.time()}, "begun")


def unfinished(project: str, is_enough: Callable[[CompactionState, str], bool]) -> tuple[str, float]:
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


def tell_of_unfinished(data: HookInput, folder: str, _compaction: CompactionState) -> None:
    """At a new start or /clear: one line when the session before stopped at its compaction; nothing of it is shown."""
    is_cleared = data["source"] == "clear"  # the end of the session before, which older clients do not tell

    def is_over(compaction: CompactionState, shown: str) -> bool:
        """Whether that session does not go on in another window."""
        return bool(shown and compaction.get("ended")) or (shown == "failed" and is_cleared)

    stopped, began = unfinished(project_folder(data), is_over)
    if stopped and stopped != folder and take_mark(stopped, "told_", data["session_id"]):
        when = clock(began)
        message = (f"the compaction at {when} of the session before in this folder did not finish; "
                   f"{how_to_restore(stopped)}")
        tell(data, f"compact-keeper: {message}", message, "unfinished")


def why_not_due(folder: str) -> str:
    """Why nothing of the session needs to be brought in; empty where something may be missing, or that is not known."""
    if not os.path.isfile(os.path.join(folder, "snapshot.json")):
        return ""
    stage = read_compaction(folder).get("stage")
    if not stage:
        return "this session was not compacted yet; nothing to restore"
    is_there = stage in ("delivered", "verified", "repaired")
    return "the last compaction was put back; nothing to restore" if is_there else ""


def by_hand(session: str, is_brought_in: bool, is_wanted: bool) -> int:
    """Prints the text of this folder's session whose compaction did not finish, else of the one named; 1 for none.

    Brought in, it is left for the model of the one named: where nothing of that is missing only if `is_wanted`.
    """
    stopped, _ = unfinished(project_folder({}), lambda _, shown: bool(shown))
    named = os.path.join(data_home(), "sessions", session) if SESSION_ID.match(session) else ""
    for folder in filter(os.path.isdir, (stopped, named)):
        if is_brought_in and not is_wanted and folder != stopped and (why := why_not_due(folder)):
            print(f"compact-keeper: {why}. {HOW_ANYWAY}")
            return 0
        present = with_present(own_snapshot(folder, os.path.basename(folder)), folder)
        if present["items"]:
            text = f"{block_of(present)[0]}{how_to_ask(data_home())}"
            if is_brought_in and named:
                first, *others = parts_for(present, [])[0]
                untold: Untold = {"parts": [f"{BROUGHT_IN}\n\n{first}", *others]}
                text += f"\n\n{IS_READ_NEXT}" * leave_untold(private_folder("sessions", session), untold)
            os.write(1, f"{text}\n".encode())
            if folder == stopped:
                set_stage(stopped, read_compaction(stopped), "brought in")
            return 0
    minutes = UNFINISHED_SECONDS // 60
    if is_brought_in and named:
        print("compact-keeper: nothing is saved of this session yet, and no other in this folder stopped at a "
              f"compaction in the last {minutes} minutes; nothing to restore")
        return 0
    rest = f"nothing is saved of session {session}; another is named by its id" if session else "no session is named"
    print(f"compact-keeper: no compaction in this folder failed in the last {minutes} minutes, and {rest}: "
          "restore_snapshot.py --now SESSION")
    return 1


def show(arguments: Sequence[str]) -> int:
    """Prints what would come back of the snapshot on stdin, with --why why each line does; nothing is written."""
    try:
        snapshot: Any = json.loads(sys.stdin.buffer.read(SNAPSHOT_MAX_BYTES))
    except (ValueError, RecursionError):
        snapshot = None
    is_usable = isinstance(snapshot, dict) and snapshot.get("record") == RECORD_FORMAT
    if not is_usable:
        raise Refusal("no snapshot on stdin; it is what save_snapshot.py --dry-run TRANSCRIPT prints")
    folder = os.path.join(data_home(), "sessions", os.path.basename(text_of(snapshot, "session")))
    current = as_of_now(snapshot, folder)
    positions = positions_of(read_compaction(folder), current)
    nothing: tuple[list[str], list[Line]] = (["compact-keeper: nothing to put back yet"], [])
    parts, lines = parts_for(current, positions) if current["items"] else nothing
    print("\n\n".join(parts))
    if "--why" in arguments:
        print(f"\n{reasons(lines)}")
    return 0


# --- the hook ---

ACTIONS: dict[tuple[str, str], Callable[[HookInput, str, CompactionState], None]] = {
    ("SessionStart", "compact"): put_back, ("SessionStart", "resume"): note_resume,
    ("SessionStart", "fork"): note_fork,
    ("SessionStart", "startup"): tell_of_unfinished, ("SessionStart", "clear"): tell_of_unfinished,
    ("UserPromptSubmit", ""): check_receipt, ("SessionEnd", ""): note_end}


def restore(data: HookInput) -> None:
    """The hook: what is due at this event for this session."""
    action = ACTIONS.get((data["hook_event_name"], text_of(data, "source")))
    ANSWERS_PRINTED.clear()
    try:
        if action:
            act(data, action)
    except (OSError, Refusal) as fault:
        if action is put_back:
            tell_of_fault(data, fault)
        raise


def act(data: HookInput, action: Callable[[HookInput, str, CompactionState], None]) -> None:
    """Does the action for this session, where something of it is known; a compaction or a fork makes a folder."""
    folder = os.path.join(data_home(), "sessions", data["session_id"])
    # What was compacted may have been saved never: then it is now.
    known = os.path.isdir(folder) or action is note_fork or (
        action is put_back and os.path.isfile(data["transcript_path"]))
    if known or action is tell_of_unfinished:
        folder = private_folder("sessions", data["session_id"]) if known else folder
        # Unreadable, it costs no text after a compaction; set_stage says in the log why no more is noted.
        action(data, folder, readable_compaction(folder) if action is put_back else read_compaction(folder))


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook, whatever came in on stdin; by hand 0 when it was done, 1 with one line that says why not."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments == ["--rest"]:
        return run_hook(put_back_rest if arguments else restore)
    try:
        if arguments[0] in ("--now", "--bring-in"):
            return by_hand("".join(arguments[1:2]), arguments[0] == "--bring-in", arguments[2:] == [ANYWAY])
        if arguments[0] == "--show":
            return show(arguments)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}")
        return 1
    except (LookupError, TypeError, ValueError, AttributeError) as fault:  # its fields are of another shape
        print(f"compact-keeper: the snapshot cannot be used: {type(fault).__name__}: {fault}")
        return 1
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
