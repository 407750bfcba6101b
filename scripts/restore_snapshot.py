#!/usr/bin/env python3
r"""Put back what a compaction dropped, once, and see to it that it arrived.

A hook for SessionStart and SessionEnd; answer_prompt.py starts it at a prompt where a delivery waits for its receipt:
    SessionStart, compact          the session as of now, with what is true now; to a compacted subagent rules and task;
                                   of a text in several parts the first; the hook's further commands (--rest, --third)
                                   wait until that is out, at most 3 s, and print the others; what is left then, and
                                   all of it without those commands, the next events carry
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
Writes  delivered-<id>, the exclusive mark with the text (the snapshot stays); rest.json, the further parts until they
        are taken; compaction.json; lines in events.jsonl, one in history.jsonl.
By hand:
    restore_snapshot.py --now [SESSION]                the unfinished compaction's text, else the session's
    restore_snapshot.py --bring-in SESSION [anyway]    the same, and leaves it for that session's model (untold.json);
                                                       where nothing is missing only with `anyway`; with `killed` of
                                                       another session here whose compaction has not ended
                                                       (what is another's becomes its own: memory.json, pins.jsonl)
    restore_snapshot.py --bring-in-anew SESSION        makes the text anew that waits for that session's model
    restore_snapshot.py --show [--why] < SNAPSHOT      what would come back of save_snapshot.py --dry-run; --why:
                                                       the lines under each heading counted, and those left out
To use a copy, put the file into a project's .claude/hooks, save_snapshot.py beside it, and this into
.claude/settings.json, the first entry without the matcher for SessionEnd too, and for UserPromptSubmit where that has
no answer_prompt.py:
    {"hooks": {"SessionStart": [{"matcher": "compact|resume|startup|clear|fork", "hooks": [{
        "type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" || true"}]},
      {"matcher": "compact", "hooks": [{"type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" --rest || true"}, {
        "type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" --third || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; by hand 1 with one line that says why nothing is shown. Python 3.9+, standard
library only.
"""
# Version 0.27.0, made by `make build` from src/restore_snapshot.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import math
import os
import posixpath
import re
import stat
import sys
import time
from collections import Counter, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, dropwhile, islice, takewhile
from operator import add
from sys import maxsize

VERSION = "0.27.0"  # of the plugin that this script came with


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


def run_to_end(command: list[str], given: bytes, patience: float) -> str:
    """Runs the command with that stdin, its output nowhere, for so many seconds; why it did not end, else empty.

    Raises OSError where the system starts no more processes.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return "" if output_by_subprocess(command, given, patience)[1] else f"it took over {patience:.0f} s"
    process = spawn(command, given, is_alone=False)
    until = time.monotonic() + patience
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"it took over {patience:.0f} s"
            time.sleep(PAUSE_SECONDS)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def spawn(command: list[str], given: bytes, is_alone: bool) -> int:
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


def streams(source: int, sink: int, with_errors: bool = False) -> list[tuple[int, ...]]:
    """How a process gets its stdin from one pipe and prints into the other; its errors there too, or nowhere."""
    errors: Any = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    if with_errors:
        errors = (os.POSIX_SPAWN_DUP2, sink, 2)
    return [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1), errors]


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
            process, out = spawn_with_output(command, environment, given)
            processes.append(process)
            outs[out] = number
        outputs = read_all(outs, until, most)
        return [output if output is not None and (len(output) >= most or wait_for(processes, number, until)) else None
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


def spawn_with_output(command: list[str], environment: Mapping[str, str], given: bytes) -> tuple[int, int]:
    """The command's process, in this one's group, and from where its output can be read."""
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    try:
        os.write(into, given[:INPUT_MAX_BYTES])
        os.close(into)
        return os.posix_spawn(command[0], command, environment, file_actions=streams(source, sink),
                              setsigdef=[signal.SIGPIPE]), out
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


def wait_for(processes: list[int], number: int, until: float) -> bool:
    """Waits for the process until then; whether it ended with exit code 0. Of one that ended the number becomes 0."""
    while True:
        process, status = os.waitpid(processes[number], os.WNOHANG)
        if process:
            processes[number] = 0
            return status == 0
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS / 4)


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
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

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
EVENTS_FILE, HOOK_LOG, ARCHIVE_FILE = "events.jsonl", "hook.log", "archive.db"  # in the data folder
# In a session's folder; each other file's name stands in the module that it is named after.
MEMORY_FILE, SNAPSHOT_FILE, STATUS_FILE, NOTES_PAGE = "memory.json", "snapshot.json", "status.json", "notes.md"
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one folder, however the scripts were installed; refused where it is no full path."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    path = os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    if not os.path.isabs(path):  # each folder that a script runs in would have one of its own
        raise Refusal(f"the data folder {path} is no full path; COMPACT_KEEPER_HOME or CLAUDE_CONFIG_DIR names it")
    return path


def session_folder(session: str) -> str:
    """Where what is known of the session lies, if anything is."""
    return os.path.join(data_home(), "sessions", session)


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
    nearest = folder
    while not os.path.lexists(nearest) and os.path.dirname(nearest) != nearest:  # what is missing would be made in this
        nearest = os.path.dirname(nearest)
    draft = os.path.join(nearest, f"compact-keeper.{os.getpid()}.tmp")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600))
        os.unlink(draft)
    except OSError as fault:
        return f"{nearest}: {fault.strerror}"
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
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = f"\n{line}"
        file.write(f"{line}\n".encode("utf-8", "replace"))


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
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def time_of_change(path: str) -> float:
    """When the file itself, and not what a link leads to, was written last; 0 when it is gone."""
    try:
        return os.lstat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


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


def set_aside(path: str, most: int) -> None:
    """Sets a file of more bytes aside, beside it, so that it begins anew; the one that was set aside before goes."""
    if size_of(path) > most:
        try:
            os.replace(path, f"{path}{OLD_ENDING}")
        except FileNotFoundError:  # another hook has just done it
            return


def end_of(path: str, size: int, flags: int = 0) -> bytes:
    """The file's last so many bytes; none where it cannot be read. `flags` are those that open it, beside reading."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | flags), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, ValueError, Refusal):  # a name with a NUL is no file
        return b""


# ==================================================================================================
# store/json_lines.py: Files of JSON lines, ours and the client's: read by offset, so that a later reader goes on where this one stopped.
# ==================================================================================================

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER, NOT_BLANK = json.JSONDecoder(), re.compile(r"\S")


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


def lines_from(path: str, start: int, most_bytes: int = sys.maxsize) -> Iterator[tuple[int, bytes]]:
    """The lines from that byte on, at most the last so many bytes of them, each with the offset behind it.

    All lines where the file is shorter: then it is another one. None where there is no file.
    """
    size = size_of(path)
    if size:
        begin = start if 0 <= start <= size else 0
        yield from read_lines(path, max(begin, size - most_bytes), size)


def parse_line(line: bytes) -> list[JsonObject]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values, offset = line.decode("utf-8", "replace"), list[object](), 0
    try:  # by offset: the rest of a line of 16 MB behind its first object was 16 MB more
        while len(values) < OBJECTS_MAX and (begin := NOT_BLANK.search(text, offset)):
            value, offset = DECODER.raw_decode(text, begin.start())
            values.append(value)
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_at_end(path: str, most_bytes: int = sys.maxsize) -> Iterator[JsonObject]:
    """The records of the lines that begin in the file's last so many bytes; none where there is no file."""
    size = size_of(path)
    return records_of(path, max(size - most_bytes, 0), size) if size else iter(())


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

LEDGER_FILE = "ledger.jsonl"
FOLDED_LEDGER_FILE = "ledger.folded.jsonl"  # as a save renames it once it has read all: see client/ledger_reading.py


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20
OWN_BEGINNING = f'{{"schema": {SCHEMA}, '.encode()  # as replace_store writes it
GIVEN = ".given"  # the ending of a file that was handed over


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


def readable_store(folder: str, name: str) -> JsonObject:
    """The object of a file of a session's; empty, too, where none can be read, or the folder is not known."""
    try:
        return read_store(os.path.join(folder, name)) if folder else {}
    except (OSError, Refusal):
        return {}


def refuse_later_version(path: str) -> None:
    """Raises Refusal where a later version wrote the file: nothing of this one may take its place."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            is_as_ours = file.read(len(OWN_BEGINNING)) == OWN_BEGINNING
    except FileNotFoundError:
        return
    if not is_as_ours:
        read_store(path)


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
        if os.path.isdir(own) == os.path.isdir(f"{path}{GIVEN}"):
            os.replace(own, f"{path}{GIVEN}")


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
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

CLIENT_CUTS_AT_UTF16 = 10_000  # what one hook says to the model (measured)
CUT_MARK = "…"  # where the end of a text is missing
MIDDLE_GONE = "[… lines that the record does not keep]"


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
        return text[:max(limit - 1, 0)].rstrip() + CUT_MARK
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + CUT_MARK


def is_cut_text(text: str) -> bool:
    """Whether the end of the text may be missing, as `cut` marks it."""
    return text.endswith(CUT_MARK)


def last_units(text: str, most: int) -> str:
    """The end of the text, at most so many UTF-16 units of it."""
    if text.isascii():
        return text[-most:]
    raw = text.encode("utf-16", "surrogatepass")
    return (raw[:2] + raw[2:][-2 * most:]).decode("utf-16", "ignore")


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def behind_space(text: str) -> str:
    """The text without its first word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.partition(" ")[2] or text


# ==================================================================================================
# text/named_secrets.py: Secrets that are known again: a value that the session named once stands elsewhere without its name.
# ==================================================================================================

NAMED_RUN_CHARACTERS, NAMED_RUN_CHANGES = 16, 4  # at least: of a run, and between its letters and digits
NAMED_RUN = rf"[A-Za-z0-9]{{{NAMED_RUN_CHARACTERS},}}"
LETTER_DIGIT_CHANGE = r"\d(?=[A-Za-z])|[A-Za-z](?=\d)"
MARKS_IN_ALL = (1 << 24) - 3  # a prime: of other runs one in eight million has the mark of one of the ends
REPLACEMENT = "[redacted]"


@cache
def named_runs() -> set[str]:
    """The runs that this process has replaced behind a name: the only state of the text room.

    `redact` adds to it, which is called 40 times, each for a text of its own: to hand it through all of them would put
    it into every signature. Who reads several sessions begins each with `forget_named_secrets` (quotation.py).
    """
    return set()


def remember(value: str) -> None:
    """Knows the runs of a value that was replaced from now on."""
    runs = re.findall(NAMED_RUN, value)
    named_runs().update(run for run in runs if len(re.findall(LETTER_DIGIT_CHANGE, run)) >= NAMED_RUN_CHANGES)


def marks_of(run: str) -> set[str]:
    """What stands on disk for the run's two ends."""
    ends = run[:NAMED_RUN_CHARACTERS], run[-NAMED_RUN_CHARACTERS:]
    return {f"{int.from_bytes(end.encode(), 'big') % MARKS_IN_ALL:06x}" for end in ends}


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else REPLACEMENT.ljust(len(match[0]), "*")
    return re.sub(NAMED_RUN, hidden, text) if marks else text


# ==================================================================================================
# text/holding.py: Whether a text holds one of several parts, asked before a pattern is tried that needs one of them; or a word.
# ==================================================================================================

LONG_TEXT_CHARACTERS = 600


def holds_any(text: str, parts: Iterable[str]) -> bool:
    """Whether the text holds one of the parts; in long texts `rfind` takes a fifth to all of the time of `in`.

    A loop over all rows of a summary, for each line, asks by itself: the call alone took 2 of a recap's 60 ms there.
    """
    if len(text) < LONG_TEXT_CHARACTERS:
        return any(map(text.__contains__, parts))
    return any(text.rfind(part) >= 0 for part in parts)


def parts_in(text: str, parts: Iterable[str]) -> list[str]:
    """Those of the parts that the text holds."""
    if len(text) < LONG_TEXT_CHARACTERS:
        return [part for part in parts if part in text]
    return [part for part in parts if text.rfind(part) >= 0]


def has_word(text: str, word: str) -> bool:
    """Whether the text holds the word, not only as a part of another."""
    if word not in text:
        return False
    size = len(word)
    return any(not is_word_sign(text[begin - 1:begin]) and not is_word_sign(text[begin + size:begin + size + 1])
               for begin in places_of(word, text))


def begins_with_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether the text begins with one of the words, not with a longer one."""
    return text.startswith(words) and any(
        text.startswith(word) and not is_word_sign(text[len(word):len(word) + 1]) for word in words)


def places_of(part: str, text: str) -> Iterator[int]:
    """Where in the text the part begins, each behind the end of the one before."""
    begin = text.find(part)
    while begin >= 0:
        yield begin
        begin = text.find(part, begin + len(part))


def is_word_sign(sign: str) -> bool:
    """Whether a single character is a letter, a digit or an underscore."""
    return sign.isalnum() or sign == "_"


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
    "AKIA ASIA API- 4b1d EZAK").split()
BUILT = (  # by shape, of which a piece must occur; the rest of the token follows
    (".atlasv1.", r"\w{14}\.atlasv1\."), ("SG.", r"SG\.[\w-]{16,}\."), ("AA", r"\d{8,10}(?::|%3A)AA"),
    ("Q~", r"[\w~.]{3}\dQ~"), ("-us", r"[\da-f]{32}-us(?=\d)"), ("EAAA", r"EAAA(?=\S{50})"),
    ("re_", r"re_\w{8}_(?=\w{20})"), ("tfp_", r"tfp_(?=\S{40})"), ("v1.0-", r"v1\.0-[\da-f]{24}-"),
    ("pat", r"pat\w{14}\.(?=\w{64})"), ("A3-", r"A3-[A-Z\d]{6}-"),
    ("sdk-", r"sdk-(?=[\da-f]{8}-[\da-f-]{27})"), ("access-", r"access-\w+-(?=[\da-f]{8}-[\da-f-]{27})"),
    ("MT", r"MT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("NT", r"NT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("OT", r"OT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("SK", r"SK(?=[\da-f]{32}(?!\w))"),  # words in capitals begin so, too
    ("$2", r"\$2[abxy]\$\d\d\$"), ("$6$", r"\$6\$"),
    ("$argon2", r"\$argon2\w{1,2}\$(?:[\w=,]+\$)+"))
LEAST = {"pat": 82, "MT": 59, "NT": 59, "OT": 59, "-us": 36, "re_": 32, "SK": 34}  # characters: words are full of these
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])(?:sig|key(?==(?=\w{0,60}\d)\w{20})))|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
# A test's verdict, no name of a password: `--- PASS: TestA/b (0.1s)`, `| PASS | mode=3 against the baseline`. Of others
# than Go's tests only where a short plain number stands behind a name, with words behind it in the same row.
TEST_VERDICT = (r"(?-i:(?<!\w)PASS)[*_`]{0,3}(?:: (?-i:Test)[A-Z]\w*(?:/\S*)? \(\d"
           r"|(?::|[^\S\n]?\|)[^\S\n]{1,5}(?!\w{0,9}(?:pin|code|pw|pass|key|token|secret|user|login|admin|root|auth|sig))"
           r"[a-z]\w{1,15}=\d{1,4}(?:\.\d{1,6})?[,;]?[^\S\n]{1,3}[^\s|\d(])")
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
TYPE_NAMES = (  # of a signature; in quotes they are a value
    r"(?:(?:Uint|Int|Float|BigInt|BigUint)\d{1,2}(?:Clamped)?Array|ArrayBuffer|CryptoKey|string|number|boolean|bytes"
    r"|Buffer)(?=[\s;,)\]}|>`]|\Z)")
FROM_ENVIRONMENT = (  # asked for by a name
    r"(?:process\.env\.\w|import\.meta\.env\.\w|os\.(?:environ|getenv)\b|Deno\.env\.|System\.getenv\()")
PLACEHOLDER = (  # of an example, which is to be filled in: your_api_key_here
    r"(?:your(?:[_-][a-z]{1,12}){0,6}?[_-](?:key|token|secret|password|passphrase|here)"
    r"|(?:test|fake|dummy|mock)(?:[_-](?:api|app|access|auth|secret))?[_-](?:key|token)|x{3,})"  # of a test; masked
    r"(?![\w.!@#$%^&*+/=-])")
PLACEHOLDER_IN_URL = (  # as .env.example has it; behind it no second `@`, before which more of a value would stand
    r"(?:<[A-Z_]{0,20}(?:PASS|PASSWORD|SECRET|TOKEN|KEY|USER)>|\$\{[A-Z_]{1,40}\})@(?![^\s/'\"]*@)")
CODE_LOCATION = r"[\w@-][\w@.-]{0,40}(?:/[\w@-]{1,60}){1,9}(?:\.[a-z]{1,5}){1,3}:\d{1,6}(?![\w:/@.-])"  # src/a2.ts:84
# `"next-auth": "^4.24.5"`, `google-auth==2.23.4`: what a package needs.
VERSIONS = r"(?:[\^~]|[<>=!~]=?)\s?\d{1,5}(?:\.\d{1,5}){1,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?=[\s\"'`,;\\]|\Z)"
NEVER = (  # no value, or a location
    rf"(?!\[redacted|[$<*{{(%]|(?:\.\.\.|…)(?=[\s\"'`,;)\]}}<]|\Z)|{PLACEHOLDER}|{CODE_LOCATION}|{VERSIONS}|(?:true|false|null|same-origin)\b|{TYPE_NAMES}|{FROM_ENVIRONMENT}|(?:password|token)[\"'`])")
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
    rf"|[:|][*_]{{0,2}}[\snrt]{{0,9}}(?:[|>][-+]?)?{GAP_BEHIND}(?:```|[\"'`]?[^\s\[]{{0,61}}\d))"
    r"|[^\S\n]`[^\s`]*\d|[\"'`](?:, ?| value=)[\"'`][^\s\[]{0,61}\d|\s+')")
BEHIND_SPOKEN = (
    rf"{NAME_END}(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}[^\S\n]{{1,3}}{IS}"
    r"(?::[*_]{0,2}[\snrt]{0,9}(?:```\w{0,12}[\snrt]{0,9})?|[^\S\n]{1,2})| to "
    r"|[^\S\n]?[是は为：:][^\S\n]?|[^\S\n])(?=[^\s\[]{0,61}\d)")
BEHIND_OPTION, OPTION_BEFORE = rf"{NAME_END} ", r"(?<!\w)-(?:\w[-\w ]*)?\Z"
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
     rf"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted|{PLACEHOLDER_IN_URL})(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{{16,}})(?=@)"),
    ("authorization", ("bearer", "basic", "authorization"),
     r"(?i)(?P<keep>authorization\\*[\"']?\s?[:=]\s?\\*[\"']?(?:[A-Za-z-]{2,16} +)?(?=\S{12})"
     r"|\b(?:bearer|basic) +(?=\S{0,60}\d)(?=\S{12}))(?!\[redacted|[$<*{(%])[^\s\"',;\\]{8,}"),
    ("authorization", ("SSWS 00",), rf"(?P<keep>{ALONE}SSWS )00[\w-]{{18,}}"),  # of Okta
    ("cookie", ("cookie",),
     r"(?i)(?P<keep>cookie\\*[\"']?\s?[:=]\s?\\*[\"']?)(?=[\w.-]+=)(?:[\w.-]+=[^\s;\"']+;?[^\S\n]?)+"),
    ("password", ("curl ", "sshpass ", "mysql", "login", "redis-cli", "mongo", "sqlcmd", "ldap", "htpasswd", "http ",
                  "pass:", "SecureString"),
     r"(?=[-Cchlmrs])(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
     r"|sshpass -p ?|mysql[^\n]{0,99}? -p|(?:\b|(?<=\\[nrt]))(?:login|mongo\w{0,9})\b[^\n]{0,200}? -p "
     r"|(?:\b|(?<=\\[nrt]))(?:redis-cli|sqlcmd|ldap\w{1,9})\b[^\n]{0,200}? -[aPw] |htpasswd -\w*b\w* \S+ \S+ "
     r"|-pass(?:in|out)? [\"']?pass:|ConvertTo-SecureString(?: -String)? )"
     r"(?:\\*[\"'])?(?!\[redacted|\$)[^\s\"'\\]{4,}"),
    ("password", (" login", "-stdin", "chpasswd", "sudo -S"),  # echo … | sudo -S, its end may be cut off
     r"(?P<keep>(?:echo|printf) (?:-n )?[\"']?(?:\w+:)?)(?!\[redacted|\$)[^\s\"':]{4,}"
     r"(?=[^\n|]{0,9}\| *(?:sudo -S|chpasswd|(?:[\w-]+ ){1,3}login(?![\w.])|[^\n|]{0,200}--password-stdin))"),
    ("password", ("` /", "ogin with", "og in with", "redentials"),  # how an agent tells with what to log in
     r"(?P<keep>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:\\*[\"'`*]){0,3}\s?/\s?(?:\\*[\"'`*]){0,3}"
     r"|(?i:log ?in|sign ?in|credentials)[^`\n]{0,30}`[^`\n]{1,80}`\s?/\s?\\*`)"
     r"(?=[^\s`]{0,200}\d)(?=[^\s`]{0,200}[A-Za-z])(?!\[redacted|https?:|[$<*{])[^\s`\"'|\\]{6,}"),
    ("password", (":5432:", ":*:"),  # of .pgpass
     r"(?P<keep>(?<![\w.:-])[\w.*-]+:(?:5432|\*):[^\s:]+:[^\s:]+:)(?!\[redacted)[^\s\"`]{4,}"),
)
WRITTEN_VALUE = (  # patterns of what stands behind one of NAMES: first in quotes: "password": "…", :secret => "…"
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
    r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}",
    # Token:, and below it a fence with the value as its only line; a token `…` without a sign, of letters and digits
    # mixed: an agent had quoted one so
    rf"(?i)(?P<keep>{NAMED}[*_]{{0,3}}:[*_]{{0,2}}{PLAIN_GAP}```\w{{0,12}}{PLAIN_GAP}){UNLIKELY}{LIKELY}"
    rf"(?=\S*[^\W\d_])(?:(?!\\+[nrt])[^\s`]){{6,}}(?={PLAIN_GAP}(?:```|\Z))",
    rf"(?i)(?P<keep>{NAMED}[^\S\n]`){UNLIKELY}(?=(?:[^\s`/]{{0,40}}?(?:\d[a-z]|[a-z]\d)){{4}})[^\s`]{{16,}}(?=`)")
# My password is …, das Passwort für x lautet …, set the token to …, password …
SPOKEN_VALUE = (
    rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
    rf"{IS}(?::[*_]{{0,2}}{PLAIN_GAP}(?:```\w{{0,12}}{PLAIN_GAP})?|[^\S\n:]{{1,2}})[\"'`]?| to [\"'`]?"
    r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
    rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]",)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINT_IN_PARTS = "//0"  # of those of tokens; the others hold neither slash nor colon
SHORTEST = 16  # characters; no token of any family is shorter


@cache
def first_hints(is_ascii: bool) -> list[str]:
    """The hints of all but tokens in lower case, without those that hold another; for a text in ASCII its own alone."""
    hints = {*NAMES, *(hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints)}
    return [hint for hint in hints if (hint.isascii() or not is_ascii)
            and not holds_any(hint, hints - {hint})]


@lru_cache(maxsize=1_024)  # few of them stand in a session's texts
def rows_with(hints: tuple[str, ...]) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows of SECRETS whose words, and those of NAMES, hold one of the first hints; tokens' rows are always there.

    A text that holds these first hints alone holds no other words of them: it is not looked through for those.
    """
    rows = [row for row in SECRETS if row[0] == "token" or any(holds_any(hint.lower(), hints) for hint in row[1])]
    return rows, [name for name in NAMES if holds_any(name, hints)]


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


@lru_cache(maxsize=1 << 14)  # two of three were seen before in the same session
def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word; paths have the same parts again and again."""
    return len(word) >= min(map(least_token, word.replace(":", "/").split("/"))) or HINT_IN_PARTS in word


def name_offsets(lower: str, names: Iterable[str]) -> tuple[list[int] | None, list[int] | None]:
    """Where in a text in lower case those of these names stand that a value follows, written and spoken: few do.

    None: it may follow anywhere.
    """
    if holds_any(lower, ("configure set", "ſ", "ı", "i̇")):  # the letters are s and i to patterns
        return None, None
    if "password" in lower and ("login" in lower or "user" in lower):
        return None, None
    offsets, spoken_offsets, is_plain = list[int](), list[int](), "\\" not in lower
    places = [*names_in_text(lower, names)]
    if not places:
        return [], []
    written, spoken, option = map(re.compile, (BEHIND_NAME, BEHIND_SPOKEN, BEHIND_OPTION))
    for name, offset in places:
        end = offset + len(name)
        rest = lower[end:end + SEEN_BEHIND_CHARACTERS]
        if not is_plain:
            bare = rest.replace("\\", "")
            if len(bare) < len(rest) - SEEN_BEHIND_CHARACTERS // 2:
                return None, None
            rest = bare
        if written.match(rest) or (option.match(rest) and re.search(
                OPTION_BEFORE, lower[max(offset - SEEN_BEFORE_CHARACTERS, 0):offset])):
            offsets.append(offset)
        if spoken.match(rest):
            spoken_offsets.append(offset)
    return offsets, spoken_offsets


def names_in_text(lower: str, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Those of the words that may be names in a lower-case text, with their offsets; not in "author" and "design"."""
    for name in names:
        offset = lower.find(name)
        while offset >= 0:
            before = lower[max(offset - 12, 0):offset]
            if name == "key":
                is_name = before.endswith(("_", "?", "&")) or before.rstrip(" _-").endswith(KEY_OWNERS)
            elif name == "sig":
                is_name = before.endswith(("?", "&", "amz-"))
            elif name in ("pass", "pwd", "pw", "auth") and "a" <= before[-1:] <= "z":
                is_word = name == "pass" and lower.startswith(("passw", "passp", "passc"), offset)
                is_name = is_word or before.endswith(("\\n", "\\r", "\\t", "store", "key"))
            else:
                is_name = True
            if is_name:
                yield name, offset
            offset = lower.find(name, offset + len(name))


def patterns_for(text: str) -> Iterator[tuple[str, str, list[int] | None]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced.

    With each the offsets of names before which it fits while nothing is replaced: `[redacted: token]` names one, too.
    None: it may fit anywhere.
    """
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens, first = " ".join(filter(may_hold_token, words)), parts_in(lower, first_hints(lower.isascii()))
    if not tokens and not first:
        return
    rows, names = rows_with(tuple(first))
    may_be_changed = False  # by what a pattern before replaced
    for kind, hints, *patterns in rows:
        where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
        if where and holds_any(where, hints):
            yield from ((kind, pattern, None) for pattern in patterns)
            may_be_changed = True
    if holds_any(lower, names):
        written, spoken = name_offsets(lower, names) if len(lower) == len(text) else (None, None)
        if written != [] or may_be_changed:
            yield from (("password", pattern, written) for pattern in WRITTEN_VALUE)
            may_be_changed = True
        if spoken != [] or may_be_changed:
            yield from (("password", pattern, spoken) for pattern in SPOKEN_VALUE)


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

# A line's end, and what stands there before blanks where a value goes on below. By the end first: to look for the sign
# itself at each character took five times as long, a fifth of a first save.
LINE_END = r"\n(?<=[:=|>\\+\"'` \t\r-]\n)(?<!\)[:=|>\\]\n)"  # most colons there follow a bracket
GOES_ON_BELOW = r"(?<!\))[:=|>\\][-+]?[\"'`]{0,2}\Z"
KINDS_BY_NAME = ("password", "authorization", "url password")  # what has no form of its own
SIGN_CHARACTERS = 5  # the most that it takes, with the one before it
NEXT_LINE_WITH_WORDS = r"\s*(?:```[^\n]*\n\s*)?[^\n]*\n?"
NAME_BEFORE_CHARACTERS = 60
NAMED_ABOVE = (  # in lower case; one pattern of them took most of the time over lines that go on below
    "pass", "secret", "token", "key", "auth", "sig", "cred", "pw", "kennwort", "contraseña", "senha", "wachtwoord",
    "hasło", "пароль", "密码", "パスワード", "identified by", "cookie", "bearer")


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    whole = text
    for kind, pattern, offsets in patterns_for(text):
        if offsets is None or text is not whole or (offsets and fits_before(pattern, text, offsets)):
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
        if holds_any(text[max(stop - NAME_BEFORE_CHARACTERS, begin):stop].lower(), NAMED_ABOVE):
            following = below.match(text, end.end())
            if spans and begin < spans[-1][1]:
                begin = spans.pop()[0]
            spans.append((begin, following.end() if following else end.end()))
    return spans


def fits_before(pattern: str, text: str, offsets: Iterable[int]) -> bool:
    """Whether the pattern fits where one of the names begins, or just before: to try it everywhere takes long.

    Names that stand close together have the same characters before them: each is tried once.
    """
    fits = re.compile(pattern, re.DOTALL).match
    starts = {start for offset in offsets for start in range(max(offset - SEEN_BEFORE_CHARACTERS, 0), offset + 1)}
    return any(fits(text, start) for start in starts)


# ==================================================================================================
# text/sanitize.py: Text without what a reader does not see, and without what the client or a model could take for a tag of theirs.
# ==================================================================================================

TEXT_MAX_CHARACTERS = 100_000  # what is longer is a pasted log: its beginning is kept
# Control sequences and the carriers of hidden text: a sign first, by which `re` passes over all others at once.
HIDDEN = (
    r"[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff](?:(?<=\x1b)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?"
    r"|(?<![\u200c\u200d])|(?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\ufe0e\ufe10-\uffff].))")
SYMBOLS = "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
LONE_SELECTOR = rf"\ufe0f(?!(?<=[{SYMBOLS}]\ufe0f)|(?<=[\d#*]\ufe0f)\u20e3)"  # shows no symbol as a picture
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
            text = re.sub(LONE_SELECTOR, "", text) if "\ufe0f" in text else text  # first: joiners may stand behind one
            text = re.sub(HIDDEN, "", text).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    if not holds_any(text, TAG_BRACKETS):
        return text
    disarmed = re.sub(TAG, "‹", text)
    return text if disarmed == text else disarmed.rstrip("\n")  # as it is when it is cleaned again: "‹" is not plain


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


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours; one that is the same at every event stands there once.
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
        path = os.path.join(private_folder(), HOOK_LOG)
        set_aside(path, LOG_MAX_BYTES)
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def location_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


# ==================================================================================================
# store/memory.py: memory.json of a session: whether it is as a save leaves it, before anything works with what is in it.
# ==================================================================================================

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
RECORD_FORMAT = 22  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "outputs": dict, "files": dict, "pending": list,
    "seen": list, "roots": list, "ledgers": dict, "named": list, "scheduled": list,
    "typed": list, "queue": list, "dequeued": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    "is_by_ledger": bool, "is_by_editor": bool, "is_silent": bool, "picks_one": bool, "is_stash_kept": bool,
    "is_in_background": bool, "is_output_cut": bool, "is_signalled": bool, "is_cached": bool, "is_behind_calls": bool,
    "has_more_failed": bool, "has_lost_result": bool, "met_no_test": bool,
    "pushed": dict,
    **dict.fromkeys(("options", "hits", "rows_read", "conflicts", "earlier", "evidence", "tokens", "same",
                     "ordered", "stashed", "private", "lacking", "wrote", "ends", "rows", "away",
                     "commits_before", "nothing_to", "failed_names", "typed_before"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "made", "picks", "refused", "sender", "own", "detail", "owner",
                     "port", "environ", "by", "pid", "also", "family", "commit", "subject", "branch", "begun",
                     "remark", "push_refused", "took_in", "boxes_before",
                     "finished", "pattern", "trigger", "tag", "agent", "ticket",
                     "typed_at", "broken_off", "command_error", "by_agent", "folder", "follows", "opened", "attached",
                     "taken_back", "described", "turn_began", "headings", "printed", "ran_later",
                     "subagent_type", "files_searched"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record", "more",
                     "taken_back_at", "exit_code", "seconds_most", "tool_calls", "unticked"), int)}
WORD_LISTS = frozenset((  # of texts
    "options", "hits", "rows_read", "conflicts", "evidence", "same", "ordered", "stashed", "private",
    "lacking", "wrote", "rows", "nothing_to", "failed_names"))
PARTS_FIELDS = {"commits_before": {"hash", "branch", "subject"}, "pushed": {"to", "refs", "commits"},
                "ends": {"verdict"}, "typed_before": {"position", "time"}}  # of their parts
ITEM_FIELD_TYPES = {**FIELD_TYPES, "answers": str}  # of a message: the words that it answers; of a call: by question
# What has to be there: in the memory itself, in an item, in a call that waits for its result, in a line of the log.
MEMORY_FIELDS = frozenset(("items", "place", "began", "time", "position", "cycle", "state", "pending", "seen"))
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # of items
    **dict.fromkeys(("message", "rule", "question", "refusal", "said", "task", "plan"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "action": {"key", "tool", "path", "verdict", "result"}, "look": {"key", "tool", "path", "result"},
        "job": {"key"}, "answer": {"question"}}.items()}}
NEVER_WITHOUT_WORDS = ("message", "rule")
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output",
                         "command", "rejected", "answers", "body", "input", "ok", "exit", "pattern", "change"))
LOG_FIELDS = frozenset(("time", "what", "key", "text"))
QUEUED_FIELDS = frozenset(("time", "text"))
PLACE_FIELDS = frozenset(("inode", "offset"))  # how far a file was read
NO_PLACE = {"inode": 0, "offset": 0}  # of a memory that has read no transcript
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS,
                 "progress": LOG_FIELDS, "queue": QUEUED_FIELDS, "dequeued": QUEUED_FIELDS}


def sound_memory(path: str) -> Memory:
    """The memory at the path where a save could work with it, else empty; the file stays as it is."""
    memory: Any = read_store(path)
    sound: Memory = {}
    if memory and not fault_in(memory):  # an older version's has other items
        sound = memory
    return sound


def begun_anew(memory: Memory) -> Memory:
    """The memory as another session goes on from it: how far files were read, and what waited there, is no part."""
    return {**memory, "place": {}, "ledgers": {}, "pending": [], "queue": [], "dequeued": [], "after": "",
            "typed": ["", ""]}


def fault_in(memory: Mapping[str, Any]) -> str:
    """The first field of the memory that is not as a save leaves it; empty when there is none."""
    if memory.get("record") != RECORD_FORMAT:
        return "record"
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "named", "scheduled")]
    shown = {**memory.get("outputs", {}), **memory.get("files", {})}
    texts += [memory["state"].values(), shown.values(), typed]
    if not all(all_are(str, values) for values in texts) or len(typed) != 2 or not all(
            name.partition(" ")[0].isdecimal() for name in shown):
        return "roots, seen, named, scheduled, state, outputs, files or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ()),
             "queue": memory.get("queue", ()), "dequeued": memory.get("dequeued", ())}
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
        if (name in WORD_LISTS and not all_are(str, value)) or (
                name in PARTS_FIELDS and not has_fields(value, PARTS_FIELDS[name])):
            return name
    if needed is ITEM_FIELDS:
        if record.get("kind") not in FIELDS_OF_KIND:
            return "kind"
        needed = FIELDS_OF_KIND[record["kind"]]
    is_without_words = record.get("kind") in NEVER_WITHOUT_WORDS and not record.get("text")
    if is_without_words or not needed <= record.keys():
        return "a field is missing"
    return "" if numbers_are_usable(record, memory) else "a number is out of range"


def numbers_are_usable(record: JsonObject, memory: Mapping[str, Any]) -> bool:
    """Whether no number in the record is below 0, beyond counting, or newer than the memory itself."""
    now, cycle = memory["position"], memory["cycle"]
    if not (0 <= record.get("position", 0) <= now <= NUMBER_MAX and 0 <= record.get("cycle", 0) <= cycle <= NUMBER_MAX):
        return False
    return all(0 <= record.get(name, 0) <= NUMBER_MAX for name in ("uses", "edits", "offset"))


def has_fields(parts: Any, needed: Set[str]) -> bool:
    """Whether this is an object with the fields that it needs, or each of these is."""
    return all(isinstance(part, dict) and needed <= part.keys() for part in (
        [parts] if isinstance(parts, dict) else parts))


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}


# ==================================================================================================
# store/snapshot.py: snapshot.json of a session: what a save stored, from which what is put back is chosen.
# ==================================================================================================

def own_snapshot(folder: str, session: str) -> Snapshot:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot: Snapshot = read_store(os.path.join(folder, SNAPSHOT_FILE))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


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
    return local_time(seconds, "%H:%M")


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """The moment as a person reads it, here."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def age_in_words(seconds: float, has_days: bool = True) -> str:
    """How long that is, from hours on in the largest unit of which two are over, rounded: `90 min`, `25 h`, `2 days`.

    Without `has_days` it stays with hours: `93 h`.
    """
    seconds = max(seconds, 0)
    for below, unit, size in ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600)):
        if seconds < below or (unit == "h" and not has_days):
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} days"


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"'  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists


def current_snapshot(data: HookInput, folder: str) -> tuple[Snapshot, str, str]:
    """The stored snapshot as of now, why it must not be put back, what its text is to say of its age; mostly empty."""
    transcript, session = data["transcript_path"], data["session_id"]
    snapshot = own_snapshot(folder, session)
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, why_gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, places_read(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = own_snapshot(folder, session)
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
    """Whether another session's file has replaced the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number_or_zero(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    read_from = max(begin, about.st_size - FILE_END_MAX_BYTES)
    new = bytes_from(transcript, read_from)
    if session.encode() in new:
        return False
    lines = new.splitlines()
    if read_from > begin:
        lines = lines[1:]  # it may have begun before
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
    for name in (LEDGER_FILE, FOLDED_LEDGER_FILE):
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


def places_read(snapshot: Snapshot, name: str) -> JsonObject:
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
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def list_in(record: Mapping[str, Any], name: str) -> list[Any]:
    """The field's list; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


# ==================================================================================================
# client/tokens.py: Tokens: how many `usage` tells of, how large a window is, how full, and how far below its end a client compacts.
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
# client/transcript.py: A record of the transcript: what its message holds, and which of its words a person typed.
# ==================================================================================================

PASTED_PLAN = "Implement the following plan:"  # how a plan begins that was approved in another session
HOOK_FEEDBACK = "Stop hook feedback:"  # how the client begins what a Stop hook tells the agent to go on with
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.332)
    "<command-", "<local-command", "<bash-", "<task-", "<agent-", "<teammate-", "<user-prompt-submit", "<wake reason=",
    "<cross-session-message", "[Request interrupted by", "Caveat: The messages", "This session is being continued",
    "Plan being refined via Ultraplan", PASTED_PLAN, HOOK_FEEDBACK,
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"',
    "Tool loaded.", "Unknown slash command: ", "Unknown skill: ")
SILENT_COMMANDS = frozenset((  # the client's: what follows is no word to the agent
    "add-dir agents bashes branch btw bug chrome clear color compact config context copy cost desktop doctor effort "
    "exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login "
    "logout mcp memory migrate-installer mobile model output-style passes permissions plan plugin privacy-settings "
    "quit rate-limit-options release-notes reload-plugins remote-control remote-env rename resume rewind sandbox "
    "skills stats status statusline stickers tag tasks terminal-setup theme todos upgrade usage vim voice").split())
# Alone on its line, before and behind what was pasted into a prompt (2.1.330 and 2.1.332), in the hook's input too.
PASTE_NAME = "pasted_content"
OWN_COMMANDS = ("compact-keeper:", "compact-keeper-")  # how ours begin, of the plugin and of a copy


def content_blocks(record: JsonObject) -> list[JsonObject]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it.

    Behind blanks the client takes none but the plugin's for a command: the agent answered "   /plugin install x".
    """
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    is_clients = bool(name and name.group(1) in SILENT_COMMANDS and (is_woven or text.startswith("/")))
    is_silent = is_clients or bool(name and name.group(1).startswith(OWN_COMMANDS))
    if name and (is_silent or is_woven):
        words = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return "" if is_silent else f"/{name.group(1)} {words}" if words else f"/{name.group(1)}"
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()


# ==================================================================================================
# client/threads.py: The threads of a session: what each waits for, and whose context was compacted where the client does not say.
# ==================================================================================================

LATE_LINES_SECONDS = 0.15  # by which a transcript may be late (0.082 measured): as long it is waited for
NAMING_CLIENTS = (2, 1, 329)  # and newer ones name the subagent in a hook's input
THREAD_TAIL_BYTES = 1 << 20  # of a transcript's end, which tell where its thread stands
SUBAGENTS_MAX = 8  # looked at, those that were written last


def subagents_folder(transcript: str) -> str:
    """Where the client keeps the transcripts of a session's subagents, as agent-<id>.jsonl."""
    return transcript.removesuffix(".jsonl") + "/subagents"


def last_records(path: str) -> list[JsonObject]:
    """The records at the file's end."""
    return list(records_at_end(path, THREAD_TAIL_BYTES))


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
        main, client = thread_state(records), max(map(client_version, records), default=())
        for file in subagents_of(transcript) if client < NAMING_CLIENTS else ():
            agent = thread_state(last_records(file.path))
            if agent["awaits"] == "answer" and (main["awaits"] != "answer" or agent["usage"] > main["usage"]):
                return file.name[len("agent-"):-len(".jsonl")]
        if client >= NAMING_CLIENTS or main["awaits"] == "answer" or time.monotonic() > until:
            return ""
        time.sleep(LATE_LINES_SECONDS / 10)  # one of the threads was compacted: its last lines are still to come


def client_version(record: JsonObject) -> tuple[int, ...]:
    """The client's version that wrote the record; () when it names none."""
    version = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", str(record.get("version", "")))
    return tuple(map(int, version.groups())) if version else ()


def thread_state(records: Iterable[JsonObject]) -> ThreadState:
    """Where a thread stands by its last records."""
    pending: set[str] = set()
    state: ThreadState = {"awaits": "", "usage": 0}
    for record in records:
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        blocks = content_blocks(record)
        pending |= {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
        pending -= {str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"}
        state["awaits"] = "result" if pending else "answer" if record["type"] == "user" else ""
        state["usage"] = usage_tokens(message.get("usage")) or state["usage"]
    return state


def task_of(transcript: str, agent: str) -> tuple[str, int]:
    """The words that the subagent was given (the first record of its transcript), and that transcript's bytes."""
    path = os.path.join(subagents_folder(transcript), f"agent-{agent}.jsonl")
    if not os.path.isfile(path):
        return "", 0
    message = next(records_of(path, 0, 1), {}).get("message")
    task = message.get("content") if isinstance(message, dict) else ""
    return task if isinstance(task, str) else "", os.path.getsize(path)


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

COMPACTION_FILE = "compaction.json"
DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
COMPACTION_ID = r"[0-9a-f]{8,20}\Z"  # it becomes part of a file's name
POSITIONS_MAX = 20  # of compactions, that are kept
NONCE_CHARACTERS = 8  # of a compaction's id, which tell its text from all others of the session
COMPACTION: CompactionState = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}


def read_compaction(folder: str) -> CompactionState:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    usable: Any = {"stage": "", **of_right_types(read_store(os.path.join(folder, COMPACTION_FILE)))}
    compaction: CompactionState = usable
    if "earlier" in usable:
        usable["earlier"] = of_right_types(usable["earlier"])
    return compaction


def of_right_types(compaction: JsonObject) -> JsonObject:
    """Its fields without those that are of another type than they should be."""
    return {name: value for name, value in compaction.items() if type(value) is type(COMPACTION.get(name, value))}


def positions_of(compaction: CompactionState, snapshot: Snapshot) -> list[int]:
    """Where in the session its last compactions came that began by themselves, the one of the snapshot last.

    None for one by hand: that says nothing of how much room is left.
    """
    if compaction.get("trigger") == "manual":
        return []
    before = [position for position in compaction.get("before", []) if type(position) is int]
    return [*before, snapshot["position"]][-POSITIONS_MAX:]


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come."""
    path = os.path.join(folder, COMPACTION_FILE)
    refuse_later_version(path)
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def end_compaction(folder: str, compaction: CompactionState, stage: str, behind: int) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    lock_session(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == compaction["id"]:
        del now["earlier"]
        set_stage(folder, {**now, "offset": max(now.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == compaction["id"]:
        set_stage(folder, {**now, "settled": time.time()} if stage == "repaired" else now, stage)
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

    The proof is the recap's nonce in an attachment record behind the boundary. Measured: 2.1.76 writes no such record
    and loses hook text when another process resumes the session; so does 2.1.105, which writes it, but goes on from
    the last message before it (a manual compaction that nothing followed).
    """
    boundary, kept, followed = boundary_and_recap(transcript, compaction)
    if not boundary:
        return ""
    resumed = bool(compaction.get("resumed"))
    client = client_version(parse_line(boundary)[0])
    if kept and (followed or not resumed or client >= RESUMING_CLIENTS):
        return "kept"
    return "lost" if resumed or client >= KEEPING_CLIENTS else "unknown"


def boundary_and_recap(transcript: str, compaction: CompactionState) -> tuple[bytes, bool, bool]:
    """The boundary's line, whether the recap stands behind it, and whether the conversation went on from there."""
    nonce = compaction["id"][-NONCE_CHARACTERS:].encode("utf-8", "replace")
    boundary, kept = b"", False
    for _, line in lines_since_begun(transcript, compaction):
        if not boundary:
            boundary = line if is_boundary(line) else b""
        elif b'"type":"attachment"' in line:
            kept = kept or nonce in line
        elif kept and (b'"type":"user"' in line or b'"type":"assistant"' in line):
            return boundary, True, True
    return boundary, kept, False


def behind_boundary(transcript: str, compaction: CompactionState) -> int:
    """The byte behind the compaction's boundary; where its begin is, when there is none."""
    for end, line in lines_since_begun(transcript, compaction):
        if is_boundary(line):
            return end
    return int(compaction["offset"])


def lines_since_begun(transcript: str, compaction: CompactionState) -> Iterator[tuple[int, bytes]]:
    """The transcript's lines since the compaction began, as far as it is searched, each with the offset behind it."""
    stop = compaction["offset"] + RECEIPT_BYTES
    for end, line in lines_from(transcript, compaction["offset"]):
        yield end, line
        if end > stop:
            return


# ==================================================================================================
# client/compactions.py: What a session's transcript shows of its compactions: whether another one came, and whether one has failed.
# ==================================================================================================

BOUNDARY_TAIL_BYTES = 1 << 20  # of a transcript's end, in which a fresh boundary lies
FAILURE_MAX_BYTES = 16 << 20  # behind a compaction's begin, the last ones, which tell whether it failed
ANSWER_MARK = b'"type":"assistant"'
SAME_START = 10  # seconds within which two installations start the hook for one compaction
NO_ANSWER = (b'"isSidechain":true', b'"model":"<synthetic>"')  # a subagent's; the client's own words
API_ERROR = b'"isApiErrorMessage":true'  # an answer that is none: the client writes the error in the model's place
# What a manual compaction leaves that failed (2.1.76 to 2.1.330; 2.1.332); one that the person stopped says "canceled".
REFUSED = rb"<local-command-std(?:err|out)>(?:(?:Error: )?Error during compaction|Compaction failed)"
TOO_LONG = r"(?i)too long|compaction"
STAMP = rb'"timestamp":"([\d-]{10}T[\d:]{8}(?:\.\d{3})?)'
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
    has_boundary = False
    for _, line in lines_from(transcript, compaction.get("offset", 0)):
        if has_boundary and is_answer(line):
            return True
        has_boundary = has_boundary or is_boundary(line)
    return False


def boundary_offset(transcript: str) -> int:
    """The byte from which the boundary of the compaction that is being delivered is to be looked for.

    Mostly the file's end: at SessionStart the boundary is not written yet (measured, 2.1.76 to 2.1.330). Where a client
    has written it before, it is the last one, and no answer follows it.
    """
    size = size_of(transcript)
    offset = size
    for end, line in lines_from(transcript, 0, BOUNDARY_TAIL_BYTES):
        if is_boundary(line):
            offset = end - len(line)
        elif offset < size and is_answer(line):
            offset = size
    return offset


def failure(compaction: CompactionState) -> str:
    """What the transcript shows of a compaction that had begun: "failed", "full" (so was the context) or nothing.

    Work that went on is no failure, whatever became of the summary.
    """
    last, transcript = shown_since(compaction), compaction.get("transcript", "")
    if last in ("compacted", "went on"):
        return ""
    if last == "failed":
        return "failed"
    return "full" if size_of(transcript) and is_full(compaction, transcript, last) else ""


def shown_since(compaction: CompactionState) -> str:
    """What the transcript shows last behind a compaction's begin, as far as it tells; empty for nothing.

    "compacted", "failed", "error" (of the API, on another request) or "went on" (an answer).
    """
    begun = stamp(compaction.get("time", 0))
    last = ""
    for _, line in lines_from(compaction.get("transcript", ""), compaction.get("offset", 0), FAILURE_MAX_BYTES):
        if is_boundary(line):
            return "compacted"
        if says_that_it_failed(line):
            last = "failed"
        elif API_ERROR in line:
            last = last or "error"
        elif is_answer(line) and moment_of(line) > begun:  # the one that filled the context may come late into the file
            last = "went on"
    return last


def says_that_it_failed(line: bytes) -> bool:
    """Whether the client says in the line that a compaction failed, or that a request was too long for the API."""
    return bool(re.search(REFUSED, line)) or (API_ERROR in line and bool(re.search(TOO_LONG, message_words(line))))


def is_full(compaction: CompactionState, transcript: str, last: str) -> bool:
    """Whether an automatic compaction was needed for the next request, which did not come or ended in an error."""
    thread = thread_state(last_records(transcript))
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
    """When the line's record was made, as it says; empty when it does not."""
    moment = re.search(STAMP, line)
    return moment.group(1) if moment else b""


def stamp(seconds: float) -> bytes:
    """The moment as a transcript begins it, to the millisecond: UTC, sortable.

    A compaction that failed and the answer with which its turn went on may lie in one second.
    """
    try:
        whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        return f"{whole}.{int(seconds % 1 * 1000):03}".encode()
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return b""


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


def print_answer(event: str, output: JsonObject, **for_the_client: str) -> None:
    """Prints the hook's answer at this event: `additionalContext` in `output` is what the model is to read."""
    print_json({**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}})


def print_json(answer: JsonObject) -> None:
    """Prints the one answer that a hook gives."""
    os.write(1, json.dumps(answer).encode())


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
            log(f"{type(fault).__name__}: {fault} ({location_of(fault)})")
    return 0


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), EVENTS_FILE)
    set_aside(path, EVENTS_MAX_BYTES)
    append_line(path, json.dumps(line))


# ==================================================================================================
# store/removal.py: Files of ours that go because a newer compaction has come; none that stays may stop what comes behind.
# ==================================================================================================

def remove_file(path: str, what: str) -> None:
    """Removes the file where there is one; where that fails, as for a folder, the log says `what` stays."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as fault:
        log(f"{what} stays: {fault}")


# ==================================================================================================
# store/rest.py: rest.json of a session: the further parts of what is put back after a compaction, until events carry them.
# ==================================================================================================

REST_FILE = "rest.json"
REST_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 300


def leave_rest(folder: str, compaction_id: str, texts: Sequence[str]) -> None:
    """Leaves the further parts of the compaction of that id; where it has none, an earlier compaction's go."""
    path = os.path.join(folder, REST_FILE)
    if not texts:
        remove_rest(folder)
        return
    try:
        refuse_later_version(path)
        replace_store(path, {"id": compaction_id, "text": texts[0], "further": [*texts[1:]]})
    except (OSError, Refusal) as fault:  # the first part goes out all the same
        log(f"the further parts of what is put back are not kept: {fault}")


def remove_rest(folder: str) -> None:
    """Removes parts that nobody has taken: they are an earlier compaction's, as their id tells where they stay."""
    remove_file(os.path.join(folder, REST_FILE), "an earlier compaction's further parts")


def take_rest(folder: str) -> str:
    """The next part that waits, for the one process that renames the file; else empty. Those behind it go on waiting.

    Only what was delivered last has any: before the first part has gone out they stay, after another compaction they
    are nobody's.
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
        log(f"the next part of what was put back is not handed over: {fault}")
        return ""
    if not rest or text_of(rest, "id") != compaction.get("id"):
        return ""
    further = [text for text in list_in(rest, "further") if isinstance(text, str)]
    if further:
        leave_rest(folder, compaction["id"], further)
    return cut(clean(text_of(rest, "text")), REST_MAX_UTF16)


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


def session_waiting(folder: str) -> str:
    """The session whose text waits, all of it; empty where none does, or its first part has gone out."""
    untold = readable_store(folder, UNTOLD_FILE)
    return "" if untold.get("goes_on") or not list_in(untold, "parts") else text_of(untold, "brought_in")


def replace_waiting(folder: str, session: str, parts: list[str]) -> None:
    """Puts the parts in the place of that session's text that waits, unless something of it has gone out meanwhile."""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        if session_waiting(folder) == session:
            add_untold(folder, {"parts": parts})
    finally:
        unlock_session()


# ==================================================================================================
# client/hand_over.py: What waits for the main thread's model is handed over to it: a further part, a note, what the person changed.
# ==================================================================================================

def note_what_went_out(data: HookInput, **texts: str) -> None:
    """Adds a line to events.jsonl for each of the texts that is not empty, with the event that carried it."""
    for name, text in texts.items():
        if text:
            note_event(name, data["session_id"], on=data["hook_event_name"], units=units(text))


# ==================================================================================================
# client/unfinished.py: The sessions of a project that stopped at their compaction within the last 30 minutes, or began one and no more.
# ==================================================================================================

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of


def unfinished(project: str) -> Iterator[tuple[str, CompactionState, str]]:
    """The project's sessions that stopped at their compaction, the newest first.

    Of each its folder, its compaction, and what the transcript shows of that: see `failure`.
    """
    for folder, compaction in lately_at(project, ("begun",)):
        shown = as_shown(failure, compaction)
        if shown:
            yield folder, compaction, shown


def not_ended(project: str) -> Iterator[tuple[str, CompactionState]]:
    """The project's sessions of which nothing more was heard since their compaction began, the newest first.

    Such a client was killed or closed, or goes on with it in another window: nothing here tells which. One that was
    brought in stays one of them: it may be asked for again, by another session too.
    """
    for folder, compaction in lately_at(project, ("begun", "brought in")):
        if os.path.isfile(compaction.get("transcript", "")) and as_shown(shown_since, compaction) in ("", "error"):
            yield folder, compaction


def lately_at(project: str, stages: Sequence[str]) -> list[tuple[str, CompactionState]]:
    """The project's sessions whose newest compaction has lately come to one of the stages, the newest first."""
    sessions: list[tuple[str, CompactionState]] = []
    for entry in os.scandir(private_folder("sessions")):
        compaction = {} if entry.is_symlink() else fresh_compaction(entry.path)
        if compaction.get("stage") in stages and compaction.get("project") == project:
            sessions.append((entry.path, compaction))
    return sorted(sessions, key=lambda session: -session[1].get("time", 0.0))


def fresh_compaction(folder: str) -> CompactionState:
    """How far a session's compaction has come, where that was noted lately; else empty.

    Most sessions have none; another session's broken file is no fault of this one's.
    """
    try:
        age = time.time() - os.path.getmtime(os.path.join(folder, COMPACTION_FILE))
        return read_compaction(folder) if abs(age) < UNFINISHED_SECONDS else {}
    except (OSError, Refusal):
        return {}


def as_shown(tell: Callable[[CompactionState], str], compaction: CompactionState) -> str:
    """What the function tells of the compaction by its transcript; nothing where that cannot be read."""
    try:
        return tell(compaction)
    except (OSError, Refusal):
        return ""


# ==================================================================================================
# store/pins.py: Pins: words of the person that stand first, and whole, in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
PINS_SHARE = 0.38  # of the recap's budget: what has no room in it is not pinned


def pins_in(folder: str, projects: Collection[str]) -> list[JsonObject]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times.

    `projects` are the folders whose pins are the project's: the session's own, and the top one of its project.
    """
    home = os.path.dirname(os.path.dirname(folder))
    paths = [path for path in (os.path.join(folder, PINS_FILE), os.path.join(home, PINS_FILE)) if os.path.isfile(path)]
    lines = [line for path in paths for line in records_of(path, 0, PINS_FILE_MAX_BYTES)
             if "project" not in line or line["project"] in projects]
    gone = {str(line["gone"]) for line in lines if "gone" in line}
    pins = [line for line in lines if text_of(line, "text").strip() and pin_name(line) not in gone]
    return sorted(pins, key=lambda pin: (str(pin.get("time")), str(pin.get("id"))))  # the id tells the nanosecond


def pin_name(pin: JsonObject) -> str:
    """The name by which a later line ends the pin: its id; the time of one that was written by hand."""
    return str(pin.get("id") or pin.get("time"))


def pin_items(pins: Iterable[JsonObject]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no position and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


# ==================================================================================================
# store/session_marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
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
# client/fork.py: The memory that a forked session begins with, what its parent knew up to the fork; and one that is taken over.
# ==================================================================================================

ROOTS_BEGIN = b'{"schema": 1, "record": %d, "roots": [' % RECORD_FORMAT  # of a memory.json
ROOTS_MAX_BYTES = 2_048  # of a memory.json, which hold its roots
SESSIONS_MAX = 300  # looked at, the newest first
TRANSCRIPTS_MAX = 20  # of these are looked at, at their end
PARENT_END_BYTES = 1 << 20  # of such a transcript
FIRST_ID_MAX_BYTES = 1 << 20  # of the new transcript, which hold its first id
UUID_PATTERN = rb'"uuid":"([\w-]{8,64})"'
TIME_PATTERN = rb'"timestamp":"([\w.:-]{10,40})"'  # of a transcript's line
OUR_TIME_PATTERN = rb'"time": ?"([\w.:-]{10,40})"'  # of a line of ours
UNCOUNTED = (b'"type":"progress"', b'"isSidechain":true')  # lines that make no root, as a save has it


def is_fork(folder: str, transcript: str) -> bool:
    """Whether another session that is known begins as the transcript does."""
    return os.path.isdir(os.path.dirname(folder)) and any(True for _ in related_sessions(folder, transcript)[1])


def related_sessions(folder: str, transcript: str) -> tuple[bytes, Iterator[str]]:
    """The uuid that the transcript begins with, empty for none, and the folders of other sessions that know it."""
    first = next(roots_in(transcript, FIRST_ID_MAX_BYTES), b"")  # the rest is read for a fork alone
    root = uuid_of(first).encode() if first else b""
    return root, sessions_with(root, *os.path.split(folder), os.path.dirname(transcript)) if root else iter(())


def take_over(folder: str, other: str) -> bool:
    """Has the session in the folder go on from what another knows, pins too, as a fork does; whether it does.

    Not where it began before the other's last entry, as its own transcript is read anew behind that; nor does a fork,
    which has its parent's. Where it does so already, nothing is changed.
    """
    path = os.path.join(folder, MEMORY_FILE)
    try:
        is_alone = lock_session(folder)
        memory, own = sound_memory(os.path.join(other, MEMORY_FILE)), sound_memory(path)
        is_fork = os.path.exists(os.path.join(folder, FORK_MARK))
        if memory and not is_fork and own.get("began") == memory["began"]:
            return True
        is_readable = bool(own) or not os.path.lexists(path)
        is_later = bool(memory) and (own.get("began") or memory["time"]) >= memory["time"]
        is_taken = is_alone and is_readable and is_later and not is_fork
        if is_taken:
            copy_pins(other, folder)
            begun = begun_anew(memory)
            # What is typed here answers no words that were said there: "yes" had.
            replace_store(path, {**begun, "state": {**begun["state"], "last_words": ""}, "roots": own.get("roots", [])})
        return is_taken
    finally:
        unlock_session()


def copy_pins(parent: str, folder: str) -> None:
    """Copies the pins that the parent had when the fork began; all of them where that is not known."""
    own = os.path.join(folder, PINS_FILE)
    events = lines_of(os.path.join(folder, LEDGER_FILE))
    began = time_of(events[0], OUR_TIME_PATTERN) if events else ""
    known = lines_of(own)
    for pin in lines_of(os.path.join(parent, PINS_FILE)):
        is_later = bool(events) and time_of(pin, OUR_TIME_PATTERN) > began
        if pin not in known and not is_later:
            append_line(own, pin.decode("utf-8", "replace"))
            known.append(pin)


def opened_file(path: str) -> BinaryIO:
    """The regular file, open; what another process puts in its place is not waited for."""
    return os.fdopen(open_regular(path, os.O_RDONLY), "rb")


def roots_in(transcript: str, size: int) -> Iterator[bytes]:
    """The lines of so many bytes with which a session may begin: they have an id, and count."""
    return (line for _, line in read_lines(transcript, 0, size)
            if re.search(UUID_PATTERN, line) and not any(map(line.__contains__, UNCOUNTED)))


def sessions_with(root: bytes, sessions: str, own: str, transcripts: str) -> Iterator[str]:
    """The folders of the sessions that know the uuid as one of their roots: the parent, and other forks of it.

    A boundary may have come into the parent's transcript after its last save (measured, 2.1.197 to 2.1.329).
    """
    folders = [entry for entry in os.scandir(sessions) if entry.name != own and entry.is_dir(follow_symlinks=False)]
    newest = sorted(folders, key=lambda entry: -entry.stat().st_mtime)[:SESSIONS_MAX]
    for number, folder in enumerate(newest):
        path = os.path.join(folder.path, MEMORY_FILE)
        if os.path.isfile(path) and not os.path.islink(path):
            with opened_file(path) as file:
                roots = file.read(ROOTS_MAX_BYTES).partition(b"]")[0]
            beside = os.path.join(transcripts, f"{folder.name}.jsonl")
            if roots.startswith(ROOTS_BEGIN) and (
                    b'"%s"' % root in roots or (number < TRANSCRIPTS_MAX and ends_with(beside, root))):
                yield folder.path


def ends_with(path: str, root: bytes) -> bool:
    """Whether the uuid stands at the end of the transcript."""
    return not os.path.islink(path) and b'"uuid":"%s"' % root in end_of(path, PARENT_END_BYTES)


def lines_of(path: str) -> list[bytes]:
    """The lines of a file of ours; none where it is missing or no regular file."""
    if not os.path.isfile(path) or os.path.islink(path):
        return []
    with opened_file(path) as file:
        return file.read().splitlines()


def time_of(line: bytes, pattern: bytes = TIME_PATTERN) -> str:
    """The moment that a line of a transcript (OUR_TIME_PATTERN: of ours) names; empty when it names none."""
    moments: list[bytes] = re.findall(pattern, line)
    return moments[-1].decode() if moments else ""


def uuid_of(line: bytes) -> str:
    """The id of a line that has one."""
    uuids: list[bytes] = re.findall(UUID_PATTERN, line)
    return uuids[-1].decode()


# ==================================================================================================
# client/wordless.py: What stands in the place of a message without words: the transcript does not hold them, or pictures came alone.
# ==================================================================================================

NOT_IN_TRANSCRIPT = "[a message whose words the transcript does not hold]"
WORDLESS = rf"{re.escape(NOT_IN_TRANSCRIPT)}|\[(?:a|\d+) (?:picture|document)[^\[\]]* without words\]"


def is_wordless(text: str) -> bool:
    """Whether a message's text stands in the place of words that are not there."""
    return text[:1] == "[" and re.fullmatch(WORDLESS, text) is not None


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (28_500, (500, 28_500)),
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
SMALL_BUDGET = 6_000  # below it what binds and what fails comes first, and lines are shorter
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def is_small(budget: int) -> bool:
    """Whether a budget is a small one."""
    return budget < SMALL_BUDGET


def is_taken(name: str, value: object, is_own: bool) -> bool:
    """Whether the setting of a file counts: the person's own (`is_own`), or a project's."""
    if name not in SETTINGS or not is_usable(name, value):
        return False
    return is_own or (name in OF_A_PROJECT and (name not in OFF_ONLY or value is False))


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]


# ==================================================================================================
# recap/choice/sections.py: The sections of the text that is put back: their headings, in which order they stand, how much room each may take.
# ==================================================================================================

ERRAND = "This subagent's order, as it was given"
PINS = "Pinned by the user"
RULES = "Standing rules, as the user typed them"
DIFFERS = "Where the summary says otherwise than the record"
END = "Where it ended"
PLANS = "Plans and orders, as they were given (later words may overtake them)"
EARLIER_WORDS = "The user's earlier words, newest first"
TASK_LIST = "Tasks, and what runs"
REPOSITORY = "Working folder and repository now"
CHECKS = "Checks: how each ended last"
WORK = "Earlier steps, newest first; what an old one says may have changed since"
ALSO_ON_RECORD = "Also on record"
FILES_READ = "Short files and parts of files, as they were read"
OLD_BOXES = "Boxes that do not count as open any more"  # no heading: they stand in TASK_LIST, where room is left

SHOWN = (  # in the text, in this order
    ERRAND, PINS, RULES, DIFFERS, END, PLANS, EARLIER_WORDS, TASK_LIST, REPOSITORY, CHECKS, WORK, ALSO_ON_RECORD,
    FILES_READ)

# In the order in which room is given: how much of the budget a section may fill before it is known what others leave.
# Together they are more than the budget: a section late in the order may get less. A subagent's order comes behind pins
# and rules here, since its end may be cut. WORK has no share and takes what is left, FILES_READ what all others leave.
SHARES = {
    PINS: PINS_SHARE,
    RULES: 0.12,
    ERRAND: 0.45,
    DIFFERS: 0.12,
    END: 0.40,
    PLANS: 0.12,
    EARLIER_WORDS: 0.18,
    TASK_LIST: 0.14,
    REPOSITORY: 0.15,
    CHECKS: 0.20,
    ALSO_ON_RECORD: 0.14,
}

# Of a small budget: who chose 3,600 of 17,000 characters with care took most of what stands on commits, branch, runs of
# checks and jobs, and little of where it ended, which the summary tells too (docs/decisions.md, "What careful readers
# choose").
SMALL_SHARES = {
    PINS: PINS_SHARE,
    RULES: 0.12,
    ERRAND: 0.45,
    DIFFERS: 0.12,
    END: 0.20,
    REPOSITORY: 0.20,
    CHECKS: 0.20,
    TASK_LIST: 0.07,
    EARLIER_WORDS: 0.14,
    PLANS: 0.06,
    ALSO_ON_RECORD: 0.12,
}


def shares_of(budget: int) -> Mapping[str, float]:
    """How much of this budget each section may fill, in the order in which room is given."""
    return SMALL_SHARES if is_small(budget) else SHARES


# ==================================================================================================
# client/call_output.py: What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name.
# ==================================================================================================

REFUSED_CALLS = (  # in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "Permission for this action was denied", "This command requires approval", "Claude requested permissions to ")
# What Read, or the client in its place, says of a file that is not shown whole: its size in the group.
TOO_LARGE = r"(?:File content|Output too large) \(([\d.,]+ ?(?:tokens|[KMG]B))\)(?: exceeds maximum allowed |\Z)"
CLIENT_FOLDER = "/.claude/"  # the client's own files: its memory, plans and the like
KEPT_BY_CLIENT = tuple(f"{CLIENT_FOLDER}{name}/" for name in ("plans", "projects", "todos"))  # no work
SAVED_OUTPUTS = "/tool-results/"  # the client's folder of outputs that it did not show whole, beside the transcript
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
BACKGROUND_NOTICE_CHARACTERS = 400  # of an output, in which the client says so
BACKGROUND_NOTICES = ("in background with ID", "running in the background", "Async agent launched")


def is_put_in_background(output: str) -> bool:
    """Whether the client says in a call's output that the command, or the subagent, runs on in the background."""
    begin = output[:BACKGROUND_NOTICE_CHARACTERS]
    return any(notice in begin for notice in BACKGROUND_NOTICES)


# ==================================================================================================
# client/tools.py: The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read.
# ==================================================================================================

SHELL_TOOLS = ("Bash", "PowerShell")
# The tools that change a file, each with the fields of its call: the file's path; the text that goes and the one that
# comes in its place, in each member of a list where the tool makes several edits; the whole of a new file or cell.
CHANGING_FIELDS: dict[str, dict[str, str]] = {
    "Edit": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "MultiEdit": {"path": "file_path", "edits": "edits", "old": "old_string", "new": "new_string"},
    "Write": {"path": "file_path", "content": "content"},
    "NotebookEdit": {"path": "notebook_path", "content": "new_source"}}
CHANGING_TOOLS = tuple(CHANGING_FIELDS)
SEARCH_TOOLS = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", *SEARCH_TOOLS, "LS", "NotebookRead")
SUBAGENT_TOOLS = ("Task", "Agent")
READING_SUBAGENTS = ("Explore", "Plan")  # the client's own types that change no file
GENERAL_SUBAGENTS = ("general-purpose", *READING_SUBAGENTS)
WATCHING_TOOLS = ("Monitor",)  # of what a command prints, while the agent works
OUTLASTING_TOOLS = ("Skill", "TodoWrite", "EnterPlanMode", "ToolSearch")  # the client itself puts back what they did


# ==================================================================================================
# text/fences.py: Markdown's fenced blocks of code.
# ==================================================================================================

FENCES = ("```", "~~~")


# ==================================================================================================
# client/changed_lines.py: Of an edit, the lines that differ; of a new file, how it begins.
# ==================================================================================================

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 2_800, 240
FILE_OF_SECRETS = r"(?:^|[/\\])\.env(?!.*(?:example|sample|template|dist))[\w.-]*$"
OMITTED_ROWS = "…"
# How a line begins that only comments; `*.log` and `*args` do not.
COMMENT_MARKS = ("//", "#", "* ", "*/", "/*", '"""', "<!--")
OPENING_WORDS = (
    "import", "from", "using", "package", "use", "include", "#include", "require", "@import", "mod", "namespace",
    "'use ", '"use ', "const ", "let ", "var ", "#!")
OPENING = (  # how a new file begins, which says nothing of it
    r"(?:import|from|using|package|use|include|#include|require|require_relative|@import|mod|namespace|'use |\"use )\b"
    r"|(?:const|let|var) .{1,200}\brequire\(|from __future__|#!")
DEFINED_ROW = (  # of something that a file is for, in some language; variables only where nothing encloses them
    r"[ \t]{0,4}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|open"
    r"|sealed|partial|declare|unsafe|pub(?:\(\w{1,20}\))?) ){0,5}(?:def|class|func|fn|function\*?|interface|struct"
    r"|enum|trait|impl|type|protocol|module|record|object|extension|describe|resource|message|service"
    r"|CREATE (?:TABLE|VIEW|INDEX|FUNCTION))\b(?!-)(?=.{0,300}[{(:=;])"
    r"|@?[A-Za-z_]\w{0,30}\.(?:get|post|put|patch|delete|all|use|route|handle|HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE)"
    r"\(\s{0,4}[\"'`]/"  # what answers at an address
    r"|(?:export )?(?:const|let|var) [A-Za-z_$].{0,120}=")
VARIABLE = (  # that is no function; lines of an edit have no indentation that would tell what encloses them
    r"(?:const|let|var) [^=]{1,120}="
    r"(?! ?(?:async ?)?(?:\([^()]{0,200}(?:$|\) ?(?:=>|:))|function\b|[\w$]{1,40} ?=>))")
ALTERNATIVES = r"(?:([\"'`])[^\"'`|]{1,60}\1 ?\| ?){2}[\"'`]"  # what a value may be
SETTING = (  # a name with a value: what one looks for later by its name
    r"(?:(?:export|const|let|var|final|static|private|public|pub|readonly|self) |--|[-*] |self\.){0,4}"
    r"[\"'`]?[\w.$-]{2,60}[\"'`]?"
    r"(?:: ?[\w.<>\[\]| ]{1,40})?\s{0,9}(?:[:=]|:=)\s{0,9}"
    r"(?:[rfbLu]?[\"'`]\S|[-+]?\.?\d|#[0-9a-fA-F]{3}|(?:true|false|True|False)\b)")
CONSTANT_ROW = r"[ \t]{0,4}(?:[A-Z][A-Z\d_]{2,40}|--[\w-]{2,40})(?:: ?[\w.\[\]]{1,30})? ?[:=] ?\S"
DEMANDING = (
    "must", "only", "never", "always", "required", "do not", "don't", "cannot", "may not", "at most", "at least",
    "not allowed")
DEMAND = rf"\b(?:{'|'.join(DEMANDING)})\b"  # of a row in lower case; most have none of these
IDLE_ROW = (  # says nothing of what a change does
    r"(?:return|break|continue|pass|else|then|fi|done|end|begin|try|do|if err != nil)\b.{0,12}$|.{0,3}$|[\W_]{0,200}$")
COMMENT_WORDS_MIN = 5  # of a comment with a number, with which it says why something is as it is
BRACKET_CHARACTERS = 4  # a shorter line mostly closes a bracket


def telling(lines: list[str], marks: tuple[str, ...] = COMMENT_MARKS) -> list[str]:
    """The lines in their order; where others say more, none that only comments (by `marks`) or closes a bracket.

    A comment with a number stays: `# the two with three or more` told what a `[:2]` and a `>= 3` below it are.
    """
    code = {line for line in lines if len(line) >= BRACKET_CHARACTERS
            and (not line.startswith(marks) or is_comment_with_number(line))}
    return [line for line in lines if line in code or line == OMITTED_ROWS] if code else lines


@lru_cache(maxsize=1_024)  # a change's rows are weighed for its short form and for its long one
def worth_of_row(row: str) -> int:
    """How much a row of a change tells: 2 defines something, sets a value or demands, 0 is idle, 1 is any other."""
    row = row[:CHANGED_LINE_MAX_UTF16]
    if re.match(SETTING, row) or (re.match(DEFINED_ROW, row) and not re.match(VARIABLE, row)):
        return 2
    if re.match(IDLE_ROW, row) or opens_file(row):
        return 0
    if names_alternatives(row) or is_comment_with_number(row):
        return 2
    lowered = row.lower()
    return 2 if holds_any(lowered, DEMANDING) and re.search(DEMAND, lowered) else 1


def is_comment_with_number(row: str) -> bool:
    """Whether a row is a comment of several words and a number."""
    if not row.startswith(COMMENT_MARKS) or not re.search(r"\d", row):
        return False
    return len(re.findall(r"[^\W\d_]{2,}", row)) >= COMMENT_WORDS_MIN


def names_alternatives(row: str) -> bool:
    """Whether a row names three or more quoted words of which a value may be one."""
    return "|" in row and re.search(ALTERNATIVES, row) is not None


def opens_file(row: str) -> bool:
    """Whether a row is one with which files begin, and says nothing of them."""
    return row.startswith(OPENING_WORDS) and re.match(OPENING, row) is not None


# ==================================================================================================
# recap/lines/shared_rows.py: Rows that the edits of several files share: they say nothing of one, so the file that was changed last shows them.
# ==================================================================================================

FILES_MIN = 3  # whose edits have a row that tells nothing of any
ROW_MIN_CHARACTERS = 6  # a shorter one tells little of any file, and is no reason to take a file's line away
NEW_ROW, ROW_GONE = "+ ", "- "


def rows_shown_elsewhere(edits: Mapping[str, Sequence[Item]]) -> dict[str, set[str]]:
    """By path the new rows that many files' edits share and that another file's line shows.

    Of these files that is the one that was changed last, which comes first in `edits`; for itself it has none.
    """
    rows = {path: new_rows(of_file) for path, of_file in edits.items()}
    counts = Counter(row for of_file in rows.values() for row in of_file)
    shown, elsewhere = set[str](), dict[str, set[str]]()
    for path, of_file in rows.items():
        shared = {row for row in of_file if counts[row] >= FILES_MIN and len(row) >= ROW_MIN_CHARACTERS}
        elsewhere[path] = shared & shown
        shown |= shared
    return elsewhere


def new_rows(edits: Sequence[Item]) -> set[str]:
    """The rows that the edits of a file put there."""
    return {row[len(NEW_ROW):].strip() for item in edits for row in item.get("change", "").splitlines()
            if row.startswith(NEW_ROW)}


def files_by_rows(edits: Mapping[str, Sequence[Item]]) -> dict[frozenset[str], str]:
    """By a set of new rows with words the file that was changed last of those that got just these.

    The line of another file with the same rows may say "as in" it, and no other: what that line shows has to be
    true of it. Three files had stood as changed like a fourth, of which half of the shown rows was its own.
    """
    by_rows = dict[frozenset[str], str]()
    for path, of_file in edits.items():
        rows = rows_with_words(of_file)
        if rows and of_file[0]["verdict"] != "failed":  # without words files have nothing in common
            by_rows.setdefault(rows, path)
    return by_rows


def rows_with_words(edits: Sequence[Item]) -> frozenset[str]:
    """The rows with words that a line on the edits may show: new ones, and those that as many new ones replaced."""
    rows = new_rows(edits)
    for item in edits:
        change = item.get("change", "")
        gone = [row for row in change.splitlines() if row.startswith(ROW_GONE)]
        if len(gone) == change.count(f"\n{NEW_ROW}"):
            rows.update(gone)
    return frozenset(row for row in rows if re.search(r"\w", row))


def files_alike(edits: Mapping[str, Sequence[Item]], elsewhere: Mapping[str, Set[str]],
                by_rows: Mapping[frozenset[str], str]) -> dict[str, list[str]]:
    """By the file whose line shows the rows the other files that got the same rows and none of their own."""
    alike = dict[str, list[str]]()
    for path in files_without_own_rows(edits, elsewhere):
        source = by_rows.get(rows_with_words(edits[path]), path)
        if source != path:
            alike.setdefault(source, []).append(path)
    return alike


def files_without_own_rows(edits: Mapping[str, Sequence[Item]],
                           elsewhere: Mapping[str, Set[str]]) -> Iterator[str]:
    """The files of whose changes nothing is peculiar: each put rows there, and all that tell something are shared."""
    for path, of_file in edits.items():
        telling = {row for row in new_rows(of_file) if len(row) >= ROW_MIN_CHARACTERS}
        if not telling or not telling <= elsewhere[path] or of_file[0]["verdict"] == "failed":
            continue
        if all(new_rows([item]) for item in of_file):
            yield path


# ==================================================================================================
# record/items.py: What an item of a session is: something said, done, asked or seen, with its source and its time.
# ==================================================================================================

NEWEST_CALLS = 3  # whose output is kept whatever its length, and shown
ORDER_MIN_CHARACTERS = 250  # of a message that the short ones behind it are mostly about
COMMAND_SIGN, REFUSED_QUESTION, REFUSED_PLAN = "$ ", "the question: ", "the plan"  # what a refusal's text begins with
PASTED_LINES = " pasted lines"  # behind their number, in a message in place of a long paste


def is_typed(item: Item) -> bool:
    """Whether it is a message that the person typed: no plan that was approved, no words of another agent."""
    return item["kind"] == "message" and item.get("via") not in ("plan", "teammate")


def newest_typed(items: Sequence[Item]) -> Item | None:
    """The message that the person typed last; None without one."""
    return next((item for item in reversed(items) if is_typed(item)), None)


def last_words_position(items: Sequence[Item]) -> int:
    """Where the agent's last words stand in the session; -1 where there are none."""
    return max((item["position"] for item in items if item["kind"] == "said"), default=-1)


def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


def last_edit_positions(items: Sequence[Item]) -> dict[str, int]:
    """By path the position of the last edit: by a tool for that, or by a command that writes the file."""
    positions: dict[str, int] = {}
    for item in items:
        for path in [item["path"]] if is_file_edit(item) else item.get("wrote", ()):
            positions[path] = max(item["position"], positions.get(path, -1))
    return positions


def edits_newest_first(actions: Iterable[Item]) -> list[Item]:
    """The edits of files, of each that came several times its last one."""
    return sorted(filter(is_file_edit, actions), key=lambda edit: -edit["position"])


def new_item(kind: Kind, at: Entry, text: str, who: str, **more: Unpack[ItemFields]) -> Item:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


def name_of_output(call: Entry | Item) -> str:
    """By what the output of a call is known: several calls may stand in one row, which all have its position."""
    return f"{call['position']} {call['source']}"


# ==================================================================================================
# record/outputs/telling_rows.py: Of an output the rows that tell how it ended: its last ones, what it says of success or failure, addresses, sums.
# ==================================================================================================

ROWS_BETWEEN, ROW_END = "…", " ⏎ "  # behind a row; a table has bars in its rows
ROWS_LOOKED_AT_MAX = 400  # of an output both ends
ROW_SHARE = 0.6  # of the room: more of it no single row takes where there are others
ROW_LOOKED_AT_CHARACTERS = 600
ANNOUNCED_MAX = 3  # rows behind an error that ends in a colon: the first, and indented ones
MISFITS_MAX = 20  # rows that have no room, in the order of their worth: behind them only worse ones fit
SAME_FORM_MAX = 2  # rows that differ in nothing but numbers, the last ones; others come behind all that say more
# What ended, failed or was made: addresses, sums and commits too.
TELLING_ROW = (
    r"(?i)\b(?:error|errors|err|fail(?:ed|ure|ures|s)?|fatal|panic|denied|refused|rejected|exception|conflict|timed out"
    r"|not found|no such|cannot|could not|unable|done|success(?:ful|fully)?|succeeded|passed|complete[d]?|finished"
    r"|created|uploaded|installed|deployed|published|started|stopped|merged|saved|total)\b|\b(?:active|status):"
    r"|\brestarting \(\d|\bexited \([1-9]"
    r"|https?://\S{4}|\b[0-9a-f]{32,128}\b|^==> |[✅❌✓✔✗✘]|^\s*warning:|\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b")
ERROR_WORDS = (
    "error", "fatal", "panic", "denied", "refused", "rejected", "conflict", "cannot", "could not", "unable", "fail",
    "failed", "failure", "exception", "unhealthy", "crashloopbackoff")
ERROR_ROW = rf"\b(?:{'|'.join(ERROR_WORDS)})\b|^\s*warning:"  # in lower case
HTTP_STATUS = r"(?:< )?HTTP/\d(?:\.\d)? \d{3}\b"  # as curl prints it with -v or -i
HEAD_SIGNS = ("=", "#", "*", "~", "-", "[")  # with which such a row begins: most begin with a letter
HEAD_ROW = r"\s*(?:[=#*~]{2,} ?[^\s=#*~].{0,100}|-{3,} ?[^\s-].{0,100}|# \S.{0,100}|\[[^\]\n]{1,60}\])\s*$"  # of a part
DULL_BEGINS = (  # printed on the way, by how the row begins
    "adding: ", "inflating: ", "extracting: ", "creating: ", "linking: ", "updating: ", "a - ", "Loaded: loaded ",
    "Process: ", "Main PID: ", "Tasks: ", "Memory: ", "CPU: ", "CGroup: ", "Duration: ", "Docs: ", "Drop-In: ",
    "TriggeredBy: ", "Invocation: ", "├", "└", "│", "--- ", "+++ ", "remote: Counting", "remote: Compressing",
    "remote: Enumerating", "remote: Resolving", "remote: Total", "npm notice ", "npm warn ", "npm warning ",
    "run `npm fund`", "platform linux ", "platform darwin ", "platform win32 ", "cachedir: ", "plugins: ",
    "asyncio: mode=", "collecting ... ", "INFO: pip is looking at ", "ERROR: pip's dependency resolver does not ",
    "[notice] ", "Attempting uninstall: ", "Found existing installation: ", "Uninstalling ",
    "Successfully uninstalled ")
DULL_LETTERS = ("x ", "index ", "Get:", "Hit:", "Ign:", "Total ", "remote:")  # of the next those that begin with one
DULL_ROW = (  # the same, by more than its begin
    r"\s*(?:x \S|[●○×] \S{1,80}\.\w{4,7} - |[\])}>,;{(\[ ]{1,4}$|index [0-9a-f]{7,40}\.\."
    r"|(?:(?:Get|Hit|Ign):\d+|Total \d+ \(delta)\b|remote:\s*$"
    r"|\d{1,3}(?:\.\d)?% |[-=*_#~+ ]{4,}$|[-=*_#~+ ^|/\\(){}.,:;'`]{12,}$"  # the last: of a name drawn with signs
    r"|\d+ packages? are looking for funding)")
RULER_SIGNS, BETWEEN_COLUMNS = frozenset("-=:|+ "), ("|", "+")  # of a table of psql, MySQL or Markdown
BETWEEN_CELLS, TABLE_ROWS_MIN = " | ", 3
FIGURES_OF_NAME = r"\s{0,20}[A-Za-z][^\s:]{0,60}(?:[ \t]{1,20}[^\s:]{0,30}\d[^\s:]{0,30}){2,12}\s*$"
DATED_ROW = r"\s{0,9}\[?(\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2} {1,2}\d{1,2})[T ](\d\d):\d\d"  # with day and hour
HOUR_OF_DAY = r"\d[T ]\d\d:"  # in each of these
DATED_ROWS_MIN, HOURS_AGO = 3, 2
PROGRESS_ROW = (  # eight figures before three times, if any: three rows of it stood beside an answer of one
    r"\s*(?:[\d.]{1,6}[kMGTP]?\s{1,9}){8}(?:(?:[\d:]{7,9}|--:--:--)\s{1,9}){3}"
    r"|\s*(?:100|\d\d?)\s{1,9}(?:[\d.]{1,6}[kMGTP]?\s{1,9}){7}\s{12,40}[\d.]{1,6}[kMGTP]?\s*$"
    r"|.{0,400}\[Omitted long (?:matching|context) line\]$"
    r"|\s*[0-9a-f]{12}:? (?:Pulling fs|Waiting|Verifying Checksum|Already exists|Download|Extracting|Pull complete)"
    r"|\s*[\w.-]{1,60} Pulling\s*$"
    r"|\s*% Total {1,9}% Received|\s*Dload +Upload")
DULL_WORDS = (  # the same, as the row's first words: most rows begin with none, and no pattern is compiled for them
    "Compiling", "Downloading", "Downloaded", "Fetching", "Fetched", "Resolving", "Resolved", "Unpacking", "Preparing",
    "Selecting", "Reading", "Building", "Extracting", "Collecting", "Requirement already", "Using cached",
    "Processing triggers", "Setting up", "Receiving objects", "Writing objects", "Counting objects",
    "Compressing objects", "Enumerating objects", "Delta compression", "Updating files", "Filtering content", "Pulling",
    "Pulled", "Progress: resolved", "Copying",
    "Warning: Permanently added")


def telling_rows(rows: Sequence[str], limit: int, is_listing: bool = False) -> str:
    """The rows on one line, at most `limit` UTF-16 units: of more the last ones and those that tell how it ended.

    Of a listing and of a table the first rows come before those in their middle, of other outputs the later ones.
    Longer where no row fits: what is not redacted yet is cut nowhere else than at a blank.
    """
    is_listing = is_table(rows) or (is_listing and not is_dated_log(rows))
    rows = [row for row in rows if row.strip() and not is_progress(row) and not is_ruler(row)]
    whole = ROW_END.join(" ".join(row.split()) for row in rows)
    if units(whole) <= limit:
        return whole
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 4], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX * 3 // 4:]]
    most = int(limit * ROW_SHARE)
    groups = [shortened_row(row, most) for row in with_what_follows(rows)]
    heads = indexes_of_heads(groups)
    chosen, misfits = set[int](), 0
    for index in by_worth(groups, is_listing):
        with_head = {*chosen, index, heads[index]} - {-1}
        if units(in_a_row(groups, with_head)) <= limit:
            chosen = with_head
        else:
            misfits += 1
            if misfits > MISFITS_MAX:
                break
    return in_a_row(groups, chosen) or whole


def is_table(rows: Sequence[str]) -> bool:
    """Whether most rows are of a table: their order says something, as the newest or the largest comes first."""
    in_cells = sum(BETWEEN_CELLS in row for row in rows)
    names = {re.sub(r"\d", "", row.split(maxsplit=1)[0]) for row in rows if re.match(FIGURES_OF_NAME, row)}
    return any(count >= TABLE_ROWS_MIN and count * 2 > len(rows) for count in (in_cells, len(names)))


def is_dated_log(rows: Sequence[str]) -> bool:
    """Whether most rows begin with a day and an hour, the newest at the end."""
    hours = hours_of_log(rows)
    return len(hours) >= DATED_ROWS_MIN and len(hours) * 2 > len(rows)


def hours_of_log(rows: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Day and hour of the rows that begin with them, by index; none where, by their letters, the newest is not last."""
    if not re.search(HOUR_OF_DAY, "\n".join(rows)):
        return {}  # as of most outputs: to look into each row took a twentieth of a first save
    stamps = {index: re.match(DATED_ROW, row) for index, row in enumerate(rows) if row.partition(":")[2][:1].isdigit()}
    hours = {index: (stamp[1], int(stamp[2])) for index, stamp in stamps.items() if stamp}
    in_order = [*hours.values()]
    return hours if in_order[:1] <= in_order[-1:] else {}


def indexes_of_earlier_hours(rows: Sequence[str]) -> set[int]:
    """The indexes of a log's rows that were written hours before its last one: they tell nothing of how it is now.

    A failure of the night had stood for a service that had been started anew since.
    """
    hours = hours_of_log(rows)
    day, hour = [*hours.values()][-1] if hours else ("", 0)
    return {index for index, (other, at) in hours.items() if other != day or hour - at >= HOURS_AGO}


def is_ruler(row: str) -> bool:
    """Whether the row only parts a table's head from its rows."""
    return "--" in row and RULER_SIGNS.issuperset(row) and holds_any(row, BETWEEN_COLUMNS)


def is_progress(row: str) -> bool:
    """Whether the row is one of curl's meter or of its two headings, of a layer that Docker fetches, or a search's hit
    that was too long to show.
    """
    return re.match(PROGRESS_ROW, row) is not None


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
        is_announcing = row.rstrip().endswith(":") and says_error(row[:ROW_LOOKED_AT_CHARACTERS])
        announced = ANNOUNCED_MAX if is_announcing else 0
    return groups


def by_worth(rows: Sequence[str], is_listing: bool) -> list[int]:
    """The indexes of the rows, those first that say most; no row twice, and dull ones only where there are no others.

    First the last row, then errors and how a server answered, then the first row and those that tell how it ended, then
    others; behind them rows that stood again later with other numbers, or that a log has of hours before. Of rows that
    say as much the later ones come first; errors keep their order. The rows of a listing keep theirs, its last one too,
    behind how a server answered: a search for a file
    had come back without its first hit, which was the file.
    """
    rows = [row[:ROW_LOOKED_AT_CHARACTERS] for row in rows]
    latest_first = indexes_of_different(rows)
    speaking = [index for index in latest_first if not is_dull(rows[index])]
    overtaken = set[int]() if is_listing else indexes_of_earlier_hours(rows) | indexes_of_repeated_forms(rows)
    last = next((index for index in speaking if index not in overtaken), None)

    def rank(index: int) -> tuple[int, int]:
        """Lower for rows that say more, then for those that come first among their like."""
        if index in overtaken:
            return 4, -index
        if index == last and not is_listing:
            return 0, index
        if re.match(HTTP_STATUS, rows[index]):
            return 1, index
        if is_listing:
            return 2, index
        if says_error(rows[index]):
            return 1, index
        is_telling = not index or re.search(TELLING_ROW, rows[index])
        return 2 if is_telling else 3, -index
    return sorted(speaking, key=rank) or latest_first


def indexes_of_different(rows: Sequence[str]) -> list[int]:
    """The indexes of the rows, of equal ones the last one's; from the last row to the first, without marks of a gap."""
    indexes = dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        indexes.setdefault(rows[index], index)
    return [index for row, index in indexes.items() if row != ROWS_BETWEEN]


def indexes_of_repeated_forms(rows: Sequence[str]) -> set[int]:
    """The indexes of rows behind which SAME_FORM_MAX others stand that differ in nothing but numbers."""
    indexes, behind = set[int](), dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        form = re.sub(r"\d+", "0", rows[index])
        if behind.get(form, 0) >= SAME_FORM_MAX:
            indexes.add(index)
        behind[form] = behind.get(form, 0) + 1
    return indexes


def is_dull(row: str) -> bool:
    """Whether the row was printed on the way, by its begin, and says no error."""
    begin = row.lstrip()
    is_word = begin.startswith(DULL_WORDS) and re.match(rf"(?:{'|'.join(DULL_WORDS)})\b", begin)
    may_fit = not begin[:1].isalpha() or begin.startswith(DULL_LETTERS)
    is_on_the_way = is_word or begin.startswith(DULL_BEGINS) or (may_fit and re.match(DULL_ROW, row))
    return bool(is_on_the_way) and not says_error(row)


def says_error(text: str) -> bool:
    """Whether a row says an error, or begins as a warning; most rows have none of these words."""
    lowered = text.lower()
    may_say = holds_any(lowered, (*ERROR_WORDS, "warning:"))
    return may_say and re.search(ERROR_ROW, lowered) is not None


def indexes_of_heads(rows: Sequence[str]) -> list[int]:
    """Of each row the index of the heading that it stands under, -1 without one: under another it would be false.

    In an output of several parts ("=== 788406 ===") the figures of one had stood below the name of another.
    """
    heads, head = list[int](), -1
    for index, row in enumerate(rows):
        head = index if row.lstrip().startswith(HEAD_SIGNS) and re.match(HEAD_ROW, row) else head
        heads.append(head)
    return heads


def in_a_row(rows: Sequence[str], indexes: Collection[int]) -> str:
    """The rows at these indexes in their order on one line, with a mark where others lie between."""
    parts, before = list[str](), -1
    for index in sorted(indexes):
        parts += [ROWS_BETWEEN] * (index > before + 1) + [rows[index]]
        before = index
    return ROW_END.join([*parts, *([ROWS_BETWEEN] if parts and before < len(rows) - 1 else [])])


def rows_in_short(text: str, limit: int, is_listing: bool = False) -> str:
    """The telling ones of rows that stand on one line, within `limit` UTF-16 units."""
    return cut(telling_rows(text.split(ROW_END), limit, is_listing), limit)


def has_all_rows(rows: str) -> bool:
    """Whether rows that stand on one line are there, and none of them is left out."""
    return rows != "" and ROWS_BETWEEN not in rows


def ends_under_heads(rows: Sequence[str], limit: int) -> str:
    """The first and the last rows on one line within `limit` UTF-16 units, two thirds of it for the first ones.

    What stands behind the gap has the heading that it stands under before it. Empty where the first row does not fit.
    """
    rows = [" ".join(row.split()) for row in rows if row.strip()]
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 2], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX // 2:]]
    if units(ROW_END.join(rows)) <= limit:
        return ROW_END.join(rows)
    upto = [0, *accumulate(units(row + ROW_END) for row in rows)]  # units of so many of the first rows
    first, last, heads = 0, len(rows), indexes_of_heads(rows)
    while first < last and upto[first + 1] + units(ROWS_BETWEEN) <= limit * 2 // 3:
        first += 1
    if not first:
        return ""
    kept = [(0, first)]
    while last > first:
        head = heads[last - 1]
        heading = [(head, head + 1)] if first <= head < last - 1 else []
        spans = [(0, first), *heading, (last - 1, len(rows))]
        if units_in_a_row(spans, upto) <= limit:
            last, kept = last - 1, spans
        elif last == len(rows) and first > 1:  # the end says more than the last of the first rows
            first -= 1
        else:
            break
    return in_a_row(rows, [index for span in kept for index in range(*span)])


def units_in_a_row(spans: Sequence[tuple[int, int]], upto: Sequence[int]) -> int:
    """How many units the rows in these spans have on one line; `upto`: so many of the first rows, each with its end."""
    gaps = sum(end < begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    return sum(upto[end] - upto[begin] for begin, end in spans) + gaps * units(ROWS_BETWEEN + ROW_END) - units(ROW_END)


# ==================================================================================================
# text/dense.py: Scripts with few spaces or none: Thai, Lao, Khmer, Chinese, Japanese; Korean, whose words take others on.
# ==================================================================================================

DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # within brackets of a pattern


def is_dense(text: str) -> bool:
    """Whether a text has letters of such a script."""
    return re.search(f"[{DENSE}]", text) is not None


def dense_pairs(text: str) -> set[str]:
    """The pairs of neighbours in each run of such letters: what stands there in the place of words."""
    if text.isascii():
        return set()
    return {run[at:at + 2] for run in re.findall(f"[{DENSE}]{{2,}}", text) for at in range(len(run) - 1)}


# ==================================================================================================
# text/paths.py: Paths, whatever system they come from: in one form, whole or not, below a folder, the same file.
# ==================================================================================================

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
ON_DRIVE = r"(?:([A-Za-z]):|(?:/mnt)?/([A-Za-z]))(?=/|\Z)"  # also as Git's shell and WSL write it
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
# Not within a URL or behind a host: `sqlite:////srv/app/data.db` without the folder is a path that is not whole.
PATH_BEGINS = r"(?<![\w/.:@~-])"
STEM_MIN_CHARACTERS = 8  # of a file's name without its end, to be known by that alone
WITH_FOLDER = 2  # of a path's last parts: the file with its folder
NAMES_IN_BRACES = r"(?<![\w./\\@+-])([\w./\\@+-]{0,200})\{([^{}\n]{1,600})\}([\w./@+-]{0,200})"
NUMBERED_NAMES = r"(?<![\w./\\-])([\w./\\-]{0,200}?)(\d{1,9}(?:/\d{1,9}){1,60})(\.\w{1,8})\b"
NO_SIGN_OF_PATH = r"[^\w@./-]"
FROM_HERE = r"^(?:\.{0,2}/)+"  # how a path begins that is seen from a folder
HOME_FOLDER = r"(?:[A-Za-z]:)?/(?:root|home/[^/]+|[Uu]sers/[^/]+)/"  # of a person, as the paths below it begin


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(PARTED_BY_BACKSLASHES, path) else path


def with_drive(path: str) -> str:
    """The path; of Windows with its drive in one spelling: `C:/Users` of `c:\\Users`, `/c/Users` and `/mnt/c/Users`.

    Tests that passed in the one stood beside a failure of theirs in the other, which was told as open.
    """
    path = with_slashes(path)
    if path[1:2] != ":" and path[2:3] not in ("/", "") and not path.startswith("/mnt/"):
        return path  # most: a pattern on each took a tenth of a restore
    drive = re.match(ON_DRIVE, path)
    return f"{(drive[1] or drive[2]).upper()}:{path[drive.end():] or '/'}" if drive else path


@lru_cache(maxsize=4_096)  # the same paths and folders are compared again and again
def as_compared(path: str) -> str:
    """The path as two are compared: of Windows with its drive in one spelling, in small letters."""
    spelled = with_drive(path)
    return spelled.lower() if spelled[1:2] == ":" and re.match(DRIVE, spelled) else spelled


def forms_of_folder(folder: str) -> list[str]:
    """How a text may begin the paths below a folder: with slashes, of Windows with backslashes, as its shell has it.

    That is Git's, or WSL's where the folder is named so: each shell knows its own form alone, and where the other's had
    failed ("cd: /mnt/c/zones: No such file") the short path had hidden why.
    """
    whole = with_end_slash(with_drive(folder))
    if not re.match(DRIVE, whole):
        return [whole]
    small, rest = whole[0].lower(), whole[1:]
    spelled = [whole, small + rest]
    mount = "/mnt/" if with_slashes(folder).startswith("/mnt/") else "/"
    return [*spelled, *(form.replace("/", "\\") for form in spelled), f"{mount}{small}{rest[1:]}"]


def with_end_slash(folder: str) -> str:
    """The folder with a slash at its end, as the paths below it begin; empty where it is not known."""
    return folder.rstrip("/") + "/" if folder else ""


def is_whole_path(path: str) -> bool:
    """Whether the path begins at the top of its disk, or at a person's own folder."""
    return path.startswith(("/", "~")) or re.match(DRIVE, path) is not None


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, or is it; one that is not whole does, and any where the root is empty."""
    path = with_home(path, root)
    return not is_whole_path(path) or is_at_or_below(path, root)


def with_home(path: str, root: str) -> str:
    """The path, of one that begins with `~` the whole one: in the home in which the root lies, else in this user's.

    A transcript may be of another machine, or of another user's session.
    """
    if path != "~" and not path.startswith("~/"):
        return path
    home = re.match(HOME_FOLDER, with_end_slash(root))
    return f"{home[0]}{path[2:]}".rstrip("/") if home else os.path.expanduser(path)


def is_at_or_below(path: str, folder: str) -> bool:
    """Whether a path, by its letters alone, is the folder or lies below it; any is where the folder is empty."""
    return f"{as_compared(path)}/".startswith(with_end_slash(as_compared(folder)))


def from_root(path: str, root: str) -> str:
    """One path as seen from the root; as it is where it lies elsewhere."""
    if not root or not is_at_or_below(path, root):
        return path
    parts_below = as_compared(path).count("/") - as_compared(root).rstrip("/").count("/")
    return last_parts(path, parts_below) if parts_below else path


def whole_path(path: str, folder: str) -> str:
    """The path as a whole one, seen from the folder; its drive in one spelling."""
    path = with_slashes(path)
    return with_drive(posixpath.normpath(path if is_whole_path(path) else with_end_slash(with_slashes(folder)) + path))


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def is_named_in(name: str, text: str) -> bool:
    """Whether a text has a file's name; of one like GoogleOAuthUtil.kt also where it has that without its end."""
    if name and name in text and not all(is_in_longer_name(name, text, begin) for begin in places_of(name, text)):
        return True
    stem = name.partition(".")[0]
    return len(stem) >= STEM_MIN_CHARACTERS and not stem.islower() and has_word(text, stem)


def names_in_lists(text: str) -> str:
    """The names that a text writes as one, each whole on a line: `src/{a, b}.py` and `page3/4/7.png`."""
    names = list[str]()
    for form, sign, between in ((NAMES_IN_BRACES, "{", ","), (NUMBERED_NAMES, "/", "/")):
        for begin, differing, end in re.findall(form, text) if sign in text else ():
            names += [f"{begin}{part.strip()}{end}" for part in differing.split(between)]
    return "\n".join(names)


def is_in_longer_name(name: str, text: str, begin: int) -> bool:
    """Whether the name that stands there in a text goes on, before it or behind it, as that of another file."""
    end = begin + len(name)
    before, behind, next_but_one = text[begin - 1:begin], text[end:end + 1], text[end + 1:end + 2]
    goes_on = is_joined(name[-1], behind) or behind == "-" or (behind == "." and is_word_sign(next_but_one))
    return goes_on or is_joined(name[0], before) or before in (".", "-")


def is_joined(edge: str, beside: str) -> bool:
    """Whether a name goes on with the sign beside its edge: with no letter of a script without spaces, if it has none.

    "请看notes.md和plan.md" names both files, which had stood as not named.
    """
    return is_word_sign(beside) and (is_dense(edge) or not is_dense(beside))


def is_path_named_in(path: str, text: str) -> bool:
    """Whether a text names the file, by its name alone or with folders in which it lies."""
    name = file_name(path)
    if not is_named_in(name, text):
        return False
    words = [text[:begin].rpartition(" ")[2] for begin in places_of(name, text)]
    mentions = [re.split(NO_SIGN_OF_PATH, word)[-1] + name for word in words]
    return not mentions or any(ends_in(path, re.sub(FROM_HERE, "", mention)) for mention in mentions)


def last_parts(path: str, count: int) -> str:
    """A path by its last parts: it is told from another folder at times."""
    return "/".join(path.split("/")[-count:])


def ends_in(path: str, end: str) -> bool:
    """Whether the path, seen from some folder, is the one at its end."""
    return f"/{path}".endswith(f"/{end}")


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = as_compared(path.removeprefix("./")), as_compared(other.removeprefix("./"))
    if ":" in path[1:2] + other[1:2]:
        path, other = path.lower(), other.lower()
    return ends_in(path, other) or ends_in(other, path)


def may_name(word: str, path: str) -> bool:
    """Whether a word of a command may name the path, seen from some folder, a folder above it or what is below it.

    In letters of either size: on Windows and macOS these are the same file. A folder's path ends with a slash.
    """
    word, path = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/").lower(), path.lower()
    if not word:
        return False
    is_below_path = path.endswith("/") and f"/{path}" in f"/{word}"
    return same_file(word, path) or file_name(path) == file_name(word) or f"/{word}/" in f"/{path}/" or is_below_path


def are_apart(folder: str, other: str) -> bool:
    """Whether two folders, each empty where it is not known, certainly lie in none of one another."""
    are_known = is_whole_path(folder) and is_whole_path(other)
    return are_known and not is_below(folder, other) and not is_below(other, folder)


# ==================================================================================================
# text/listing.py: Many things in few words: the first of them, and how many more there are.
# ==================================================================================================

FILES_MAX = 5


def first_and_more(words: Sequence[str], most: int) -> str:
    """The first so many of the words, and how many more there are."""
    return ", ".join(words[:most]) + and_more(len(words) - most)


def and_more(number: int, least: str = "") -> str:
    """How many more there are than stand before it; empty for none. `least`: the words for a number that may be low."""
    return f" and {least}{number:,} more" if number > 0 else ""


def file_names(paths: Sequence[str], others: Collection[str] = ()) -> str:
    """The first paths by their names, with the folder where two have the same, and how many more there are.

    `others` are further paths that are known, as seen from the same folder.
    """
    names = [*map(file_name, {*paths, *others})]
    shown = ["/".join(path.split("/")[-2:]) if names.count(file_name(path)) > 1 else file_name(path)
             for path in paths]
    return first_and_more(shown, FILES_MAX)


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

QUESTION_MARKS = ("?", "？", "؟")
OPEN_QUESTION = r"\?(?=[\s\"'”»)*_\]]|\Z)|[？؟]"  # a question's mark, none of an address or of a pattern


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
# text/rows_again.py: Rows that come again and again in what a person pasted, a log or traces: each stands once.
# ==================================================================================================

ROWS_AGAIN_BEGIN = "[… rows as before: "
AGAIN_MIN_ROWS, LONG_ROW_MIN_CHARACTERS = 5, 20
TIME_IN_ROW = r"(?:\d{4}-\d\d-\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
MARKS_ALONE = r"[\^~]{2,}"


def without_rows_again(text: str) -> str:
    """The text; of a pasted log or traceback each row once, with how many more there were, and no rows of marks.

    The same but for its time is the same. A log of one row again and again had taken a fifth of all that comes back;
    a person's own list has a row again here and there, and stays as it is. Where long rows come again short ones do,
    too: of 24 warnings with a trace each, the rows "at div" had stood there, and three of the warnings.
    """
    rows = [(row, (re.sub(TIME_IN_ROW, "", row) if ":" in row else row).strip()) for row in text.splitlines()]
    rows = [(row, form) for row, form in rows if not re.fullmatch(MARKS_ALONE, form)]
    long_forms = [form for _, form in rows if len(form) >= LONG_ROW_MIN_CHARACTERS]
    if len(long_forms) - len({*long_forms}) < AGAIN_MIN_ROWS:
        return text
    kept, seen = list[str](), set[str]()
    again = 0  # rows left out since the last one that is kept
    for row, form in rows:
        if form and form in seen:
            again += 1
            continue
        kept += [f"{ROWS_AGAIN_BEGIN}{again}]"] * bool(again) + [row]
        again = 0
        seen.add(form)
    return "\n".join(kept + [f"{ROWS_AGAIN_BEGIN}{again}]"] * bool(again))


# ==================================================================================================
# recap/wording/phrases.py: How things are put into words for the model: moments, code, whose step it is, a person's words in short.
# ==================================================================================================

KNOWN_LINE_MIN_CHARACTERS, KNOWN_RUN_MIN_CHARACTERS, AS_IN_SUMMARY = 20, 120, "[… as in the summary]"
LEFT_OUT_UTF16 = 40  # that the words take which say how much was left out: less is not left out
NEXT_SHOWN_UTF16 = 60  # of what was typed next
NO_LINE: Line = {"items": [], "text": ""}
BEHIND_QUESTION = " \t\n*_`)」"  # what may stand behind a question's mark
VIA = {  # how a message came, where it was not typed at the prompt
    "rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
    "compact": "behind /compact"}
SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"


def how_long_before(stamp: str, now: int) -> str:
    """How long before `now` (seconds since 1970) that moment was; "earlier" where one of the two is not known."""
    if not stamp or not now:
        return "earlier"
    seconds = now - moment(stamp)
    return f"{age_in_words(seconds, has_days=False)} before" if seconds >= 60 else "just before"


def ends_with_question(text: str) -> bool:
    """Whether a text asks, by its last sign."""
    return text.rstrip(BEHIND_QUESTION).endswith(QUESTION_MARKS)


def last_sentence(words: str) -> str:
    """The last sentence of the words, without marks of emphasis around it."""
    return re.split(SENTENCE_END, folded_line(words).rstrip("*_ "))[-1].lstrip("*_#>- ")


def folded_line(text: str) -> str:
    """The text with its white space folded."""
    return " ".join(text.split())


def rows_on_a_line(text: str) -> str:
    """The text on one line: its rows without the empty ones, a mark between them, white space folded."""
    return ROW_END.join(folded_line(row) for row in text.splitlines() if row.strip())


def shared_beginning(text: str, other: str) -> int:
    """How many characters both begin with."""
    count = 0
    for left, right in zip(text, other):
        if left != right:
            break
        count += 1
    return count


def middle_out(text: str, limit: int) -> str:
    """The text on one line, at most `limit` UTF-16 units: a long one loses its middle, of a command the rarest part.

    Its end begins with a whole word, unless that takes more than half of it away.
    """
    line = folded_line(text)
    if units(line) <= limit:
        return line
    start = cut(line, limit * 2 // 3).rstrip("…").rstrip()
    end = line[-max(limit // 3 - 3, 1):]
    from_whole_word = behind_space(end)
    if len(from_whole_word) * 2 >= len(end):
        end = from_whole_word
    return f"{start} … {end.lstrip()}"


def shortened_words(text: str, limit: int) -> str:
    """The person's words on one line, about `limit` units: whole sentences from both ends, and how much went."""
    line = rows_on_a_line(text)
    if units(line) <= limit + LEFT_OUT_UTF16:
        return in_quotes(line)
    first, last = sentences_shown(re.split(SENTENCE_END, line), limit - LEFT_OUT_UTF16)
    if not first:  # its first sentence is too long: parts of sentences from both ends
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = behind_space(line[-limit // 4:])
        return f"{in_quotes(start)} {what_is_missing(text, start, end)} {in_quotes(end)}"
    begin, end = " ".join(first), " ".join(last)
    shown = f"{in_quotes(begin)} {what_is_missing(text, begin, end)}"
    return f"{shown} {in_quotes(end)}" if end else shown


def sentences_shown(sentences: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """The sentences from the beginning that have room, and those from the end.

    They take room in turns; the very first takes six tenths of it at most, so that something of the end is shown.
    """
    first, between, last = list[str](), [*sentences], list[str]()
    while between and len(between[0]) + 1 <= (room if first else room * 0.6):
        room -= len(between[0]) + 1
        first.append(between.pop(0))
        if between and len(between[-1]) + 1 <= room:
            room -= len(between[-1]) + 1
            last.insert(0, between.pop())
    return first, last


def what_is_missing(text: str, begin: str, end: str) -> str:
    """How much of a text is left out between its beginning and its end, which stand on a line, in words.

    Where more was left out of it before, nobody knows how much.
    """
    words = text.strip()
    words = words[length_of(begin, words):]
    words = words[:len(words) - length_of(end[::-1], words[::-1])]
    is_whole = MIDDLE_GONE not in words and ROWS_AGAIN_BEGIN not in words and PASTED_LINES not in text
    return f"[{len(words)} characters left out]" if is_whole else "[a long part left out]"


def length_of(begin: str, text: str) -> int:
    """How many characters of the text its beginning has that stands on a line, where white space is folded."""
    left = sum(len(word) for word in begin.split() if word != ROW_END.strip())
    for index, sign in enumerate(text):
        if not left:
            return index
        left -= not sign.isspace()
    return len(text)


def typed_next(message: Item, verb: str = "typed next") -> str:
    """What the person typed behind something, in a bracket: how it begins."""
    return f" (the user {verb}: {in_quotes(cut(folded_line(message['text']), NEXT_SHOWN_UTF16))})"


def without_known_lines(lines: Sequence[str], summary: str) -> list[str]:
    """The lines, with a mark in the place of longer runs of lines that the summary holds word for word.

    Short lines stay, as does the last: code with marks in it reads worse than what they spare.
    """
    kept, known = list[str](), list[str]()
    for line in [*lines, ""]:  # the empty one ends the last run
        if len(line) > KNOWN_LINE_MIN_CHARACTERS and line.strip("-*# ") in summary and line is not lines[-1]:
            known.append(line)
            continue
        is_long_run = len("".join(known)) > KNOWN_RUN_MIN_CHARACTERS
        kept += [AS_IN_SUMMARY] if is_long_run else known
        kept.append(line)
        known = []
    return kept[:-1]


def by_whom(item: Item) -> str:
    """Whose step it is, where it is a subagent's: it may have gone to another branch, and was taken for the agent's."""
    agent = item.get("by_agent", "")
    return f"subagent {agent}" if agent else ""


def edited_since(paths: Iterable[str]) -> str:
    """That these files were edited later, behind what is told of them; empty for none."""
    files = [*paths]
    return f" (edited since: {file_names(files)})" if files else ""


def named_files_edited_since(words: str, paths: Iterable[str]) -> str:
    """Which of these files, that were edited later, the words of an agent name: what it found there may be mended."""
    return edited_since(path for path in paths if is_path_named_in(path, words))


def lacking_result(call: Item) -> str:
    """What is said of a call that had no result when it was read."""
    return "no result on record" if call.get("has_lost_result") else "no result yet"


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


def shared_line(text: str, tells: Iterable[str] = ()) -> Line:
    """A line that several items tell together; `tells`: as stated.py knows the steps that it tells."""
    return {"items": [], "text": text, "tells": {*tells}}


# ==================================================================================================
# recap/lines/turns.py: Under which message a step stands: what the person typed, the plan approved or another agent's words, and when.
# ==================================================================================================

TYPED_SHOWN_UTF16 = 50  # of a message above its steps: it stands among the earlier words
WHOSE_WORDS = {"plan": "the approved plan ", "teammate": "another agent's "}  # by how a message came


class Turns:
    """The turns of a session: each begins with a message.

    Without a head for an approved plan the steps that it began had stood under what was typed twenty minutes later.
    """

    def __init__(self, items: Sequence[Item], ago: Ago) -> None:
        """Those of the session's items, which come in their order."""
        begins = [begin for item in items if item["kind"] == "message" for begin in begins_of_turns(item, ago)]
        self.begins = sorted(begins, reverse=True)

    def head_of(self, position: int) -> str:
        """What stands above the steps of the turn that a position of the session is in; empty before the first."""
        return next((head for begin, _, head in self.begins if begin <= position), "")

    def with_begins(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items in their order, actions with when their turn began, as the transcript writes it."""
        began, coming = "", [*self.begins]
        for item in items:
            while coming and coming[-1][0] <= item["position"]:
                began = coming.pop()[1]
            yield {**item, "turn_began": began} if began and item["kind"] == "action" else item


def is_of_several_turns(newest: Item, first: str) -> bool:
    """Whether what was done several times, last in the step `newest`, was done `first` before that step's turn.

    Eight edits of three turns had stood below the last one's head as if they were all made there.
    """
    return first < newest.get("turn_began", "")


def in_all(newest: Item, first: str) -> str:
    """What stands behind a count of what was done several times, where that is of several turns; else empty."""
    return " in all" if is_of_several_turns(newest, first) else ""


def begins_of_turns(message: Item, ago: Ago) -> Iterator[tuple[int, str, str]]:
    """Each time that a message came: its position, when, and the head: how it begins, whose if not typed, how long ago.

    Without those before the last time what was done for the first had stood under an order of an hour before it.
    """
    whose = WHOSE_WORDS.get(message.get("via", ""), "")
    words = in_quotes(cut(folded_line(message.get("own", message["text"])), TYPED_SHOWN_UTF16))
    for before in message.get("typed_before", []):
        yield before["position"], before["time"], f"After {whose}{words} ({ago(before['time'])}):"
    typed = message.get("typed_at") or message["last"]
    yield message["position"], message["last"], f"After {whose}{words} ({ago(typed)}):"


# ==================================================================================================
# recap/wording/paths.py: Paths as they are shown: as seen from the folder that the session works in now.
# ==================================================================================================

FOLDER_NAME_MIN_CHARACTERS = 4  # of a folder that is named alone
NO_VALUE = r"(?<![=:] [\"'])"  # `$base = 'C:\\work'` of a script: without its folder it had looked like the fault
HOME = r"/(?:Users|home)/[\w.-]+(?=/|\Z)"


class Paths:
    """Paths in short, as seen from the working folder."""

    def __init__(self, root: str, folder: str, top: str = "") -> None:
        """`root`: the session's first folder, `folder`: the one that it works in now, `top`: its repository's."""
        self.root, self.folder, self.top = (with_slashes(path).rstrip("/") for path in (root, folder, top))
        ways = {self.root: "", **ways_up(self.folder, (self.root, self.top))}
        self.left_out: list[tuple[str, str]] = []  # how a path may begin and what stands for that, the longest first
        for path in sorted(filter(None, ways), key=len, reverse=True):
            self.left_out += [(form, ways[path]) for form in forms_of_folder(path)]
        home = re.match(HOME, self.root or self.folder)  # another person's stays as it is, as after `sudo -u deploy`
        self.home = f"{home[0]}/" if home else ""
        self.first_from_top = ""  # of the way from the repository's top to the folder the first part
        if self.top and self.folder.startswith(f"{self.top}/"):
            self.first_from_top = self.folder[len(self.top) + 1:].partition("/")[0] + "/"
        self.folders_named: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the folder that the session works in now."""
        for folder, above in self.left_out:
            if folder in text:
                name, end = f"{re.escape(folder)}?", r"[\s;|&)]|$"
                # Where nothing would be left of it; not `a/'b c'`, whose quote is of what follows.
                alone = rf"(?<=\s){name}(?={end})|(?<=\"){name}(?=\"(?:{end}))|(?<='){name}(?='(?:{end}))"
                text = re.sub(f"{NO_VALUE}(?:{alone})", above or ".", text)
                text = re.sub(f"{NO_VALUE}{PATH_BEGINS}{re.escape(folder)}", above, text)
        return self.with_short_home(text)

    def with_short_home(self, text: str) -> str:
        """A text that names paths, those of the person's home from `~/` on."""
        if not self.home or self.home not in text:
            return text
        return re.sub(rf"(?<![\w.:/]){re.escape(self.home)}", "~/", text)

    def from_top(self, text: str, files: Set[str]) -> str:
        """A text that a command printed, with the files that it names from the repository's top, as git does.

        They are named as seen from the folder. `files`: whole paths of those that are known; a name that may be meant
        from either folder stays.
        """
        if not self.first_from_top or self.first_from_top not in text:
            return text
        names = rf"{PATH_BEGINS}{re.escape(self.first_from_top)}[\w./@+-]{{0,400}}\w"
        return re.sub(names, lambda name: self.name_from_top(name[0], files), text)

    def name_from_top(self, name: str, files: Set[str]) -> str:
        """The name of a file that is seen from the repository's top, as seen from the folder where it is certain."""
        is_certain = f"{self.top}/{name}" in files and f"{self.folder}/{name}" not in files
        return self.short(f"{self.top}/{name}") if is_certain else name


def ways_up(folder: str, above: Sequence[str]) -> dict[str, str]:
    """By path the way from the folder to itself, which is empty, and to each folder above it: `../`, `../../`.

    Up to the outermost of those `above` it.
    """
    outermost = min((path for path in above if path and folder.startswith(f"{path}/")), key=len, default=folder)
    ways = {folder: ""}
    while folder != outermost:
        folder = folder.rpartition("/")[0]
        ways[folder] = "../" * len(ways)
    return ways


def folder_named(folder: str, paths: Paths) -> str:
    """The folder: first whole, then by its name behind `…/`: the name alone would be a folder in this one."""
    short = paths.short(folder)
    if short in paths.folders_named:
        return f"…/{file_name(short)}"
    if len(file_name(short)) >= FOLDER_NAME_MIN_CHARACTERS:
        paths.folders_named.add(short)
    return short


# ==================================================================================================
# record/commands/programs.py: Which program is of which kind, by its name: here a new one is taught first.
# ==================================================================================================

CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber cucumber-js karma jasmine prove busted newman testcafe uvu ginkgo robot elm-test wtr "
            "web-test-runner",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit prek lint-staged knip cspell markdownlint xo tslint revive solhint slither "
            "py_compile compileall",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder solc latexmk pdflatex xelatex lualatex",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand, or two of them; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test dune:runtest dune:build:@runtest stack:test "
            "cabal:test lein:test bb:test gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test "
            "zig:build:test pio:test platformio:test crystal:spec rebar3:eunit rebar3:ct R:CMD:check truffle:test "
            "anchor:test scarb:test wasm-pack:test dbt:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny "
            "sqlfluff:lint",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "dune:build gleam:build forge:build wails:build meson:compile hardhat:compile truffle:compile "
             "anchor:build scarb:build wasm-pack:build sam:build eas:build trunk:build zola:build jekyll:build "
             "gatsby:build vitepress:build docusaurus:build typst:compile dbt:build dbt:compile docker-compose:build",
}
# Of an interpreter, as its first option: it reads the file and runs nothing of it.
SYNTAX_CHECKS = ("node -c", "node --check", "bash -n", "sh -n", "zsh -n", "php -l", "ruby -c")
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc",
    "py_compile", *SYNTAX_CHECKS))
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "prek": "pre-commit", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
PACKAGE_RUNNERS = ("npm", "bun")  # of these names, those whose tasks are a package's own scripts
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
SHELLS = ("bash", "sh", "zsh")
INTERPRETERS = r"python[\d.]*|node|ruby|perl|php|tsx|ts-node"  # of a script that their first word names
PROGRAMS_OF_CODE = ("Rscript", "R", "julia")
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
LOOKING_SUBCOMMANDS = {  # the first word behind the program, or the first two; none that BEFORE_PROGRAM takes away
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search", "kubectl": "get describe logs", "go": "list version env doc",
    "cargo": "tree metadata", "brew": "list info", **dict.fromkeys(("pip", "pip3"), "list show freeze"),
    **dict.fromkeys(NODE_MANAGERS, "ls list view outdated why"),
    **dict.fromkeys(("docker", "podman"), "ps logs images inspect"),
    **dict.fromkeys(("terraform", "tofu"), "show output state-list state-show")}
# What stands behind a pipe, by what it lets through: a part of the rows, those with a word, all.
CUTTING = ("head", "tail")
SEARCHING = ("grep", "egrep", "fgrep", "rg", "ag")
PASSING_ON = (*CUTTING, "cat", "tee", "sort", "uniq", "less")  # rows as they are; those that cut not all of them
FILTERS = (*PASSING_ON, *SEARCHING, "wc")
# Small work. Without effect: they check, change and mend nothing.
WITHOUT_EFFECT = ("cd", "Set-Location", "echo", "export", "printf", "set", "true", ":")
WAITING = ("sleep", "wait")
FILE_HANDLERS = ("mkdir", "touch", "cp", "mv", "rm", "chmod")
SELDOM_FAILING = (*WITHOUT_EFFECT, *WAITING, *CUTTING, "cat", "tee", "mkdir")
# What does the same in each folder: without a file, with the files that it names whole, with those behind a first word.
WITHOUT_FILES = frozenset("echo printf true : sleep kill killall pkill pgrep ps lsof date tr whoami".split())
WITH_FILES = frozenset("ls cat head tail wc stat file find du sort uniq rm cp mv mkdir rmdir touch tee".split())
WITH_FILES_BEHIND = frozenset("grep egrep fgrep sed awk".split())
REMOVING_PROGRAMS, MOVING_PROGRAMS = ("rm", "rmdir", "unlink", "trash"), ("mv",)
PACKAGE_MANAGERS = ("brew", "apt", "apt-get", "dnf", "yum", "zypper", "apk", "winget", "choco", "scoop")  # of a machine
OTHER_VERSION_CONTROL = ("jj", "hg", "svn", "sl", "fossil", "pijul", "darcs", "bzr", "p4")
WRAPPERS = ("time", "command", "exec", "env", "nice", "nohup", "setsid", "uvx", "cross-env", "rtk")
# A container's options and name; of a detached run its program is `-d`: exit 0 says there that it began.
ATTACHED = r"(?: -(?!\w*d\b|-detach)\S+)*(?: \w[\w.-]*|(?= -))"
SUDO_OPTIONS = r"(?: -[CDghpRrTtUu] \S+| --(?:user|group|chdir|host)[ =]\S+| -[\w-]+)*"  # `sudo -u deploy make`
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(WRAPPERS, ""), "nice": r"(?: -n ?-?\d+| -\d+)?",
    "sudo": SUDO_OPTIONS, "caffeinate": r"(?: -\w+)?",
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": rf" (?:exec|run){ATTACHED}",
    **dict.fromkeys(("docker", "podman"), rf" (?:compose (?:exec|run)|exec){ATTACHED}"),
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}


# ==================================================================================================
# record/commands/shell.py: A command line in the shell's language: its commands, their words, the program that each starts.
# ==================================================================================================

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX = 200  # of a line the first commands
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}(?P<quote>[\"']?)(?P<word>\w{1,40})(?P=quote)"
END_OF_DOCUMENT = r"(?m)\n[ \t]*%s(?=[ \t]*(?:$|[)\"'`;|&]))"
USUAL_END = r"[A-Z][A-Z0-9_]{1,39}"  # of a document, as people write it: `1 << n` has none
QUOTED_TEXT = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
SHELL_SIGNS = (
    rf"\\.|{QUOTED_TEXT}|\$\([^()\n]{{0,300}}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])(?<!= )&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})"
ASSIGNED_IN_POWERSHELL = r"\$\w{1,60}\s{0,3}=\s{0,3}(?:& ?)?(?=[A-Za-z.])"  # what a program printed
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
PIPES = ("|", "|&")
NEGATION = "! "  # before a command: the exit code says the opposite
JOINED_OUTPUTS = r" 2>(?:/dev/null|&1)(?=[\s;)]|$)(?!\s*>)"  # says nothing of what was done; `2>&1 > log` does
EACH_ENDED_WELL = frozenset(("&&", ""))  # signs behind the commands of a line that ended well: so did each of them
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
ENDING_WELL = ("true", ":")
SIGNS_OF_NEXT_LIST = (";", "\n", "&")  # before a list of commands that does not wait for what stands before it
CHANGING_FOLDER, FOLDER_OPTIONS = ("cd", "Set-Location"), ("-Path", "-LiteralPath")
FOLDER_BEFORE = "-"  # of `cd -`
HOME_SIGN = "~"
FILLED_IN = r"[$`*?{}]"  # in a name: the shell makes another of it
UNNAMED_FOLDER = rf"{FILLED_IN}|~|^-"  # nobody knows what `..` behind it is


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    pieces = [(text.strip(AROUND_PIECE), sign) for text, sign in split_at_signs(command) if is_command_text(text)]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):  # only nothing or a comment stands behind it
        pieces[-1] = (pieces[-1][0], "")
    return pieces


def split_at_signs(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, as they stand there, each with the sign behind it.

    Of what is given to a shell as a text, those of that text, as if it stood in brackets.
    """
    split = split_as_given(command)
    if not holds_any(command, SIGNS_OF_TEXT_FOR_SHELL):
        return split
    return [inner for text, sign in split for inner in split_within(text, sign)]


def split_within(text: str, sign: str) -> list[tuple[str, str]]:
    """The texts between the signs of a text that is given to a shell, the last with this sign; else the text alone."""
    piece = text.strip(AROUND_PIECE)
    given = re.match(TEXT_FOR_SHELL, program_part(piece)) if holds_any(piece, SIGNS_OF_TEXT_FOR_SHELL) else None
    if not given:
        return [(text, sign)]
    before, _, behind = text.partition(piece)
    inner = given["text"][1:-1]
    inner = re.sub(r"\\([\"$`\\])", r"\1", inner) if given["text"].startswith('"') else inner
    split = split_as_given(f"{before}({inner}){behind}")
    return [*split[:-1], (split[-1][0], sign)]


def split_as_given(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, whatever is given to a shell in them."""
    text = parted_from_texts(command[:COMMAND_MAX_CHARACTERS])[0].replace("\\\n", " ")
    split, begin = list[tuple[str, str]](), 0
    if any(sign in text for sign in "&|;\n"):
        for match in re.finditer(SHELL_SIGNS, text):
            if match["sign"]:
                split.append((text[begin:match.start()], match["sign"]))
                begin = match.end()
    return [*split, (text[begin:], "")]


def is_command_text(text: str) -> bool:
    """Whether a text between two signs is a command: no comment, and not only what groups commands."""
    text = text.strip(AROUND_PIECE)
    return bool(text) and not text.startswith("#")


def parted_from_texts(command: str) -> tuple[str, list[str]]:
    """The command without the texts that it feeds to programs, and these texts.

    One whose end went with the middle of a long command takes all that is left. A report on work had stood as a test,
    as one row of it was `python test_rates.py`.
    """
    texts, offset = list[str](), command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if offset < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, offset)
        line_end = command.find("\n", begin.end()) if begin else -1
        if begin and line_end >= 0:
            end = re.compile(END_OF_DOCUMENT % begin["word"]).search(command, line_end)
            is_cut = MIDDLE_GONE in command[line_end:] or is_cut_text(command)
            is_open = not end and is_cut and re.fullmatch(USUAL_END, begin["word"])
            if end or is_open:
                texts.append(command[line_end + 1:end.start() if end else None])
                rest = command[end.end():] if end else ""
                command = command[:offset] + command[begin.end():line_end] + rest
        offset = command.find("<<", offset + 1)
    return command, texts


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
            continue
        before = before_program(piece)
        if not before:
            return piece
        piece = piece[before.end():]


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    assignment = re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece) if "=" in word else None
    assignment = re.match(ASSIGNED_IN_POWERSHELL, piece) if word[:1] == "$" else assignment
    if assignment:
        return assignment
    folder, slash, name = word.rpartition("/")
    if name.startswith("python"):  # a virtual environment's has its folder before it
        word = name.rstrip("0123456789.")
    if word not in BEFORE_PROGRAM:
        return None
    return re.match(rf"{re.escape(folder + slash)}{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece)


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def program_in(piece: str) -> str:
    """The program that one command of a line starts, without its folder."""
    return program_of(shell_words(piece))


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, is_file = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            is_file = word.endswith(">")  # the next word
        elif is_file:
            is_file = False
        else:
            kept.append(word)
    return kept


def without_joined_outputs(command: str) -> str:
    """The command without where its errors go (`2>&1`, `2>/dev/null`)."""
    return re.sub(JOINED_OUTPUTS, "", command) if " 2>" in command else command


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_in(pieces[-1][0]) if pieces else ""


def is_try(command: str) -> bool:
    """Whether the line asks how it ends (`; echo $?`), or lets all fail that it does: `|| true` ends each of its lists.

    What only prints or goes to a folder needs none.
    """
    if "$?" in command:
        return True
    lists, rest = list[list[tuple[str, str]]](), list[tuple[str, str]]()
    for piece, sign in pieces_of(command):
        rest.append((piece, sign))
        if sign in (*SIGNS_OF_NEXT_LIST, ""):
            lists.append(rest)
            rest = []
    acting = [pieces for pieces in lists if not {program_in(piece) for piece, _ in pieces} <= {*WITHOUT_EFFECT}]
    return bool(acting) and all(
        pieces[-1][0] in ENDING_WELL and pieces[-2:-1] and pieces[-2][1] == "||" for pieces in acting)


def commands_in_folders(command: str, folder: str = "") -> list[tuple[str, str]]:
    """The commands of a line, as `pieces_of` has them, each with the folder that it runs in; `folder`: of the first.

    A folder is as seen from there, or whole; "-" where nobody knows what `cd -` goes back to. A `cd` counts for what
    stands behind it in the same shell: not outside of its `( … )`, not behind its pipe, and not behind the `&` that
    puts it into the background. `cd a || cd b`: the second goes from where the first did not come away.
    """
    if not holds_any(command, CHANGING_FOLDER):
        return [(piece, folder) for piece, _ in pieces_of(command)]
    commands: list[tuple[str, str]] = []
    before, at_begin = FOLDER_BEFORE, (folder, FOLDER_BEFORE)  # where `cd -` goes; where the list of commands began
    shells: list[tuple[str, str, tuple[str, str]]] = []  # around this one
    is_behind_failed_cd = False
    for text, sign in split_at_signs(command):
        opened, closed = subshells_in(text)
        shells += [(folder, before, at_begin)] * opened
        at_begin = (folder, before) if opened else at_begin
        goal = ""
        if is_command_text(text):
            piece = text.strip(AROUND_PIECE)
            commands.append((piece, folder))
            goal = folder_of_cd(without_redirections(shell_words(piece)))
        if goal and sign not in PIPES:
            start = before if is_behind_failed_cd else folder
            folder, before = (before if goal == FOLDER_BEFORE else folder_from(start, goal)), start
        is_behind_failed_cd = bool(goal) and sign == "||"
        for _ in range(min(closed, len(shells))):
            folder, before, at_begin = shells.pop()
        if sign == "&":
            folder, before = at_begin
        if sign in SIGNS_OF_NEXT_LIST:
            at_begin = (folder, before)
    return commands[:PIECES_MAX]


def subshells_in(text: str) -> tuple[int, int]:
    """How many subshells begin with a text between two signs, and how many end with it."""
    if "(" not in text and ")" not in text:
        return 0, 0
    rest = text.lstrip("( \t\n")
    opened = text[:len(text) - len(rest)].count("(")
    rest = re.sub(QUOTED_TEXT, "", rest)
    return opened, max(0, rest.count(")") - rest.count("("))


def folder_of_cd(words: Sequence[str]) -> str:
    """The folder that a `cd` with these words goes to; empty where they are another command, or not one folder.

    Of PowerShell's too: what had run in `Set-Location api` stood for the same check in the folder above.
    """
    if words[:1] == ["Set-Location"]:
        words = ["cd", *(word.replace("\\", "/") for word in words[1:] if word not in FOLDER_OPTIONS)]
    if words[:1] != ["cd"] or len(words) > 2:
        return ""
    return with_slashes(words[1].strip("\"'")) if len(words) == 2 else HOME_SIGN


def folder_from(folder: str, goal: str) -> str:
    """The folder that a `cd` to this goal comes to from a folder; empty for the folder that the line began in."""
    path = goal if is_whole_path(goal) or goal.startswith(("$", "`")) else posixpath.join(folder, goal)
    path = path if re.search(UNNAMED_FOLDER, path) else posixpath.normpath(path)
    return "" if path == "." else path


def goes_to_whole_path(command: str) -> bool:
    """Whether the line begins with a change into a folder that it names whole, wherever it is run."""
    return command.startswith("cd ") and is_whole_path(command[len("cd "):].lstrip("\"'"))


# ==================================================================================================
# recap/wording/commands.py: Commands as they are shown: without the way to the working folder, and without what says nothing of what was done.
# ==================================================================================================

COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16 = 200, 90  # of a line's own command, of others beside it
# A change of the folder, before what is run there.
MOVED = r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300})(?P<sign> && | ?; | ?\n)\s*"
# Of a command in the background; of one that runs the whole path stands with what runs.
FOLDER_OF_OUTPUTS = r"(?:/private)?/tmp/claude-\d+/[^\s\"']{1,200}/tasks/(?=\w+\.output\b)"
HEADING_PRINTED = (  # between a line's commands: it took the room of what was run
    r"(?:(?<=&& )|(?<=; )|(?<=;)|(?<=\n)|^)\s*(?:echo|printf)(?: -e)? (?:\"[^\"$`\\]{0,120}\"|'[^']{0,120}')\s*"
    r"(?:&& |;(?!;)\s*|\n+)")
LONE_CONTINUATION = r"(?m)^\s*\\\n"


def command_in_short(command: str, paths: Paths, has_whole_folder: bool = False) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes.

    Or always, where it `has_whole_folder`. What is run in another one keeps its whole paths: as seen from here they
    would name other files. Without the headings that it prints between its parts, as their output shows them, and
    without where errors went.
    """
    folder, sign, rest = change_of_folder(without_joined_outputs(without_headings(command)))
    below, _, behind = change_of_folder(rest)
    if below and f"{folder}/{below}" == paths.folder:
        folder, rest = paths.folder, behind
    rest = rows_joined(rest)
    if folder in ("", ".") or as_compared(folder) == as_compared(paths.folder):
        return without_folder_of_outputs(paths.short(rest))
    name = paths.short(folder) if has_whole_folder else folder_named(folder, paths)
    return without_folder_of_outputs(f"cd {name}{sign}{paths.with_short_home(rest)}")


def short_command(command: str, paths: Paths, limit: int = COMMAND_MAX_UTF16) -> str:
    """The command in short as code, at most so many UTF-16 units of it from its beginning; it may stand alone."""
    return as_code(cut(command_in_short(command, paths, has_whole_folder=True), limit))


def rows_of_command(command: str) -> str:
    """The command's rows on one line, without the headings that it prints and without where its errors went."""
    return rows_joined(without_joined_outputs(without_headings(command)))


def rows_joined(command: str) -> str:
    """The command's rows on one line, but for empty ones."""
    return ROW_END.join(row.strip() for row in command.splitlines() if row.strip())


def change_of_folder(command: str) -> tuple[str, str, str]:
    """The folder into which the command changes first, with slashes and none at its end, a sign, what it runs there.

    The sign is `;` unless it is typed as `&&`, which PowerShell 5 does not know. Without a change the whole command is
    what is run, in an empty folder.
    """
    moved = re.match(MOVED, command) if command.startswith("cd ") else None
    if not moved:
        return "", "", command
    sign = " && " if "&&" in moved["sign"] else "; "
    return with_slashes(moved["folder"].strip("\"'")).rstrip("/"), sign, command[moved.end():]


def without_headings(command: str) -> str:
    """The command without the headings that it prints between its parts, and the signs that the line goes on there."""
    if "echo" not in command and "printf" not in command:
        return command
    return re.sub(LONE_CONTINUATION, "", re.sub(HEADING_PRINTED, "", command))


def without_folder_of_outputs(text: str) -> str:
    """The text with the files in which the client keeps outputs by their names: their folder took half of a line."""
    return re.sub(FOLDER_OF_OUTPUTS, "…/tasks/", text) if "/tasks/" in text else text


# ==================================================================================================
# recap/wording/joined_rows.py: Rows of an output that begin alike, written together: names of a folder in braces, hits of a file with its path once.
# ==================================================================================================

NAME_MIN_CHARACTERS, OF_NO_NAME = 4, frozenset(" {},;:`'\"")  # what would be read otherwise within braces
BEGIN_MIN_CHARACTERS, NAMES_MIN = 6, 3
BEGIN_SHARE = 0.6  # of the beginning that the first two names have: with less a name begins another row
SPARED_SHARE = 0.3  # of the names: with less they read worse than what it spares
ENDS_OF_PARTS = "/_.-"  # where a beginning ends, so that what is left is a word
HIT_WITH_NUMBER = r"(?P<path>[^\s:]{0,300}[A-Za-z_][^\s:]{0,100}\.\w{1,8}):(?=\d{1,7}:)"


def joined_rows(rows: Sequence[str]) -> list[str]:
    """The rows, names that begin alike as `a_{1,2,…,9}.py`, a hit in the file of the one before as `:12: code`."""
    joined: list[str] = []
    index = 0
    while index < len(rows):
        count = names_alike(rows[index:])
        joined.append(in_braces(rows[index:index + count]) if count else rows[index])
        index += count or 1
    return without_paths_again(joined)


def rows_shown(text: str, limit: int, is_listing: bool = False) -> str:
    """Of rows that stand on one line those that tell most, within `limit` UTF-16 units, joined."""
    return rows_shown_within(text, (limit,), is_listing)[0]


def rows_shown_within(text: str, limits: Sequence[int], is_listing: bool = False) -> list[str]:
    """The rows that tell most, joined: once within each of these limits, in UTF-16 units."""
    text = without_folder_of_outputs(text)
    joined = joined_in_text(text)
    return [joined if units(joined) <= limit else joined_in_text(rows_in_short(text, limit, is_listing))
            for limit in limits]


def joined_in_text(text: str) -> str:
    """The rows that stand on one line, those together that begin alike."""
    return ROW_END.join(joined_rows([" ".join(row.split()) for row in text.split(ROW_END)]))


def names_alike(rows: Sequence[str]) -> int:
    """How many of the first rows are names that begin alike, with the marks of a gap between them; 0: too few."""
    names, end, begin_min = list[str](), 0, float(BEGIN_MIN_CHARACTERS)
    for index, row in enumerate(rows):
        if row == ROWS_BETWEEN and names:
            continue
        if len(row) < NAME_MIN_CHARACTERS or not OF_NO_NAME.isdisjoint(row):
            break
        if names:
            if row[:BEGIN_MIN_CHARACTERS] != names[0][:BEGIN_MIN_CHARACTERS]:  # as most: no more is compared
                break
            begin = common_begin([*names, row])
            if len(begin) < begin_min:
                break
            if len(names) == 1:
                begin_min = max(begin_min, BEGIN_SHARE * len(begin))
        names.append(row)
        end = index + 1
    if len(names) < NAMES_MIN:
        return 0
    begin = common_begin(names)
    spared = len(begin) + len(common_end([name[len(begin):] for name in names]))
    return end if spared * len(names) >= SPARED_SHARE * sum(map(len, names)) else 0


def common_begin(names: Sequence[str]) -> str:
    """How all the names begin, up to the end of a part of them."""
    least, most = min(names), max(names)  # what these two share all share
    length = shared_beginning(least, most)
    while length and least[length - 1] not in ENDS_OF_PARTS:
        length -= 1
    return least[:length]


def common_end(names: Sequence[str]) -> str:
    """How all the names end, from where a part of them begins."""
    return common_begin([name[::-1] for name in names])[::-1]


def in_braces(rows: Sequence[str]) -> str:
    """Names that begin alike as one, what differs in braces, as a shell takes it."""
    names = [row for row in rows if row != ROWS_BETWEEN]
    begin = common_begin(names)
    end = common_end([name[len(begin):] for name in names])
    differing = [row if row == ROWS_BETWEEN else row[len(begin):len(row) - len(end)] for row in rows]
    return f"{begin}{{{','.join(differing)}}}{end}"


def names_in_braces(text: str) -> set[str]:
    """The names that stand as one in a text, as `in_braces` has put them, each whole."""
    names = set[str]()
    for word in text.split() if "{" in text else ():
        begin, _, rest = word.partition("{")
        differing, _, end = rest.partition("}")
        if len(begin) >= BEGIN_MIN_CHARACTERS:
            names.update(f"{begin}{part}{end.rstrip(';')}" for part in differing.split(","))
    return names


def without_paths_again(rows: Sequence[str]) -> list[str]:
    """The rows; of hits with a path that follow one of the same file the path is left out."""
    shown, path_before = list[str](), ""
    for row in rows:
        if row == ROWS_BETWEEN:  # the path holds on behind it
            shown.append(row)
            continue
        hit = re.match(HIT_WITH_NUMBER, row) if ":" in row else None
        path = hit["path"] if hit else ""
        shown.append(row.removeprefix(path) if path == path_before else row)
        path_before = path
    return shown


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
        number, index = divmod(number, len(letters))
        tag += letters[index]
    return TAG_LETTERS[number % len(TAG_LETTERS)] + tag


# ==================================================================================================
# recap/wording/tagged.py: Lines of the recap that show less of a step than there is end with its tag, by which recall prints the step.
# ==================================================================================================

# How the words of a line say that some are missing, or by "…".
LEFT_OUT = rf"(?:\d characters|\[a long part) left out\]|\d{PASTED_LINES}"
PARTS_OF_SHORTENED = ("…", " left out]", PASTED_LINES)  # of which each has one: few lines have
FORMS: tuple[Literal["text", "whole", "in_few_words"], ...] = ("text", "whole", "in_few_words")  # of a line
OTHERS_BEGIN = "before the user typed "
OTHERS_WORDS = OTHERS_BEGIN + r".{0,100}?…\W{1,2}: "  # shortened in a line that is not about them


def with_tags(items: Sequence[Item]) -> list[Item]:
    """The items, each with the tag of its step."""
    return [{**item, "tag": tag_of(item["source"])} for item in items]


def tagged(text: str, item: Item) -> str:
    """The text; where it is shortened, with the item's tag at the end of its first line."""
    tag = text_of(item, "tag")
    is_shortened = bool(item.get("more")) or says_shortened(text)
    if not tag or not is_shortened or f" #{tag}" in text:
        return text
    first, line_break, rest = text.partition("\n")
    return f"{first} #{tag}{line_break}{rest}"


def says_shortened(text: str) -> bool:
    """Whether the text says that some of its own words are missing."""
    if not holds_any(text, PARTS_OF_SHORTENED):
        return False
    own = re.sub(OTHERS_WORDS, "", text) if OTHERS_BEGIN in text else text
    return "…" in own or bool(re.search(LEFT_OUT, own))


def tagged_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines; those of a single step end with its tag where they are shortened."""
    return [tagged_line(line) if len(line["items"]) == 1 else line for line in lines]


def tagged_line(line: Line) -> Line:
    """The line of a single step; each of its forms that is shortened has the tag."""
    item = line["items"][0]
    forms: Any = {name: tagged(line[name], item) for name in FORMS if name in line}
    if "fuller" in line:
        forms["fuller"] = [tagged(form, item) for form in line["fuller"]]
    return {**line, **forms}


def has_tag(line: Line) -> bool:
    """Whether the line as it stands has the tag of one of its steps."""
    tags = [line.get("tag"), *(item.get("tag") for item in line["items"])]
    return any(tag and f" #{tag}" in line["text"] for tag in tags)


def before_tag(text: str) -> tuple[str, str]:
    """The text without the tag at its end, and that tag with its blank; an empty tag where there is none."""
    tag = re.search(rf" #{TAG_PATTERN}$", text) if " #" in text else None
    return (text[:tag.start()], tag[0]) if tag else (text, "")


def without_tags(text: str) -> str:
    """The text without tags."""
    return re.sub(rf" #{TAG_PATTERN}\b", "", text) if " #" in text else text


# ==================================================================================================
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

STATE_OF_GIT = "git's state"  # told besides the things of the record
FAILING = {  # by the check's family, what is told of it while it fails
    "test": "failing test", "build": "failing build", "types": "failing type check", "lint": "failing linter",
    "format": "failing formatter"}
FAILING_OTHERWISE = "failing check"
PASSED = "passed check"
KIND_WORDS = {  # one, several; what binds and what fails comes first
    "pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages"),
    **{name: (name, f"{name}s") for name in (*FAILING.values(), FAILING_OTHERWISE)},
    "task": ("task", "tasks"), "action": ("edit or command", "edits and commands"),
    "said": ("remark of Claude's", "remarks of Claude's"),
    "job": ("running command", "running commands"), PASSED: ("check that passed", "checks that passed"),
    "look": ("read or search", "reads and searches"),
    "answer": ("answer", "answers"), "plan": ("plan", "plans"), "question": ("question", "questions"),
    "refusal": ("refused call", "refused calls"), "errand": ("order", "orders"), "git": ("git fact", "git facts"),
    "fact": ("line on what is true now", "lines on what is true now")}
KIND_MAX_CHARACTERS = 40


def kind_shown(count: int, kind: str) -> str:
    """How many things of that kind."""
    names = KIND_WORDS.get(kind)
    return f"{count:,} {names[count != 1]}" if names else count_shown(count, clean(kind)[:KIND_MAX_CHARACTERS])


def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


def kind_order(kind: str) -> int:
    """Where in the order of KIND_WORDS the kind stands; all others behind."""
    return [*KIND_WORDS].index(kind) if kind in KIND_WORDS else len(KIND_WORDS)


# ==================================================================================================
# recap/lines/edits.py: What was changed in a file, in short: of altered lines where they differ, of new ones the lines themselves.
# ==================================================================================================

CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16 = 120, 300  # of an edit, of all edits of a file
FULLER_ROOMS = ((1_300, 1_500), (2_800, 6_000))  # the same where room is left at last
SHORT_FILE_SHOWN_UTF16 = 280  # of a file of settings that was written whole, and whose name tells nothing of it
FILE_OF_SETTINGS = r"\.[\w.-]+|[\w-]+|.+\.(?:toml|ini|cfg|conf|json|ya?ml|properties)"
BEFORE_THAT, BEFORE_MESSAGE, ALSO_CHANGED = "; before that: ", "; before this message came: ", "; also: "
AS_SUMMARISED, AS_IN = "as in the summary", "as in "
COUNT_OF_OTHERS = rf"{OMITTED_ROWS} \d+ more lines"
GONE, COUNT_OF_ROWS = "gone: ", rf"(?:{OMITTED_ROWS} )?\d+ (?:more )?lines?|{OMITTED_ROWS}"
NAMED_BLOCK = r"[\"'`@.#]?[\w.$-]{1,40}[\"'`]?(?: ?[:=] ?[{\[(]| \{|:)"
NAMES_SHOWN_UTF16 = 300
PECULIAR_MIN_CHARACTERS = 30  # of what an edit put there, to be the same thing as elsewhere
IMPORT = (r"|…|(?:\w+ )?[\"'][^\"']+[\"'],?|import\b.*|from \S+ import\b.*|(?:const|let|var) .*\brequire\(.*"
          r"|use [\w:]+.*;|#include .*")
PROSE = (".md", ".mdx", ".rst", ".adoc")  # no ".txt", which lists of packages have
NAME_MAX_CHARACTERS = 60
DISCARD_SHOWN_UTF16 = 60
GONE_SHOWN_UTF16, CONTEXT_CHARACTERS, GONE_EDITS_MAX = 60, 30, 4


def edits_line(edits: Sequence[Item], paths: Paths, known_rows: Set[str],
               elsewhere: RowsElsewhere, since: str) -> Line:
    """All changes of a file, the newest first; `known_rows` are not shown again.

    Nor rows that stand `elsewhere`, in lines of other files: a mark stands for them. `since`: what came of the file.
    """
    newest, *older = edits
    if newest["verdict"] == "failed" and older:
        worked = edits_line(older, paths, known_rows, elsewhere, since)
        why = f"a later edit was not made: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"
        return {"items": [*older], "label": worked["label"], "text": f"{worked['text']}; {why}"}
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.short(newest["path"])
    if by_whom(newest):
        name += f" (by {by_whom(newest)})"
    if newest["verdict"] == "failed":
        # The reason may be the words with which the person or a hook refused it: "FAILED" would make an error of it.
        label = f"- {name} was not {'written' if verb == 'Wrote' else 'edited'}"
        return {"items": [newest], "label": label, "text": f"{label}: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"}
    if newest.get("taken_back"):
        name += f", taken back by {as_code(cut(newest['taken_back'], DISCARD_SHOWN_UTF16))}"
    of_each = changes_of(edits, known_rows, elsewhere, paths)
    edit_of: dict[str, Item] = {}
    for change, edit in zip(of_each, edits):
        edit_of.setdefault(change, edit)  # of several that did the same the newest
    changes = telling_changes(of_each)
    forms = [changes_in_short(changes, edit_of, *room) for room in rooms_of(edits)]
    rows = [row for change, edit in zip(of_each, edits) if not is_of_several_turns(newest, edit["last"])
            for row in rows_put_there(change)]
    labels, texts = list[str](), list[str]()
    for shown in forms:
        count = uses_of(edit for change, edit in zip(of_each, edits) if change in shown)
        labels.append(f"- {verb} {name}{number_of_edits(edits, count, is_newest_shown=bool(changes[0]))}{since}")
        texts.append(f"{labels[-1]}: {joined_changes(shown, edit_of, newest)}" if shown else labels[-1])
    line: Line = {"items": [*edits], "label": labels[0], "text": texts[0], "fuller": texts[1:],
                  "rows": [*dict.fromkeys(rows)], "before_rows": ALSO_CHANGED, "changes": of_each}
    return {**line, "what": AS_SUMMARISED} if [*forms[0]] == [AS_SUMMARISED] else line


def rooms_of(edits: Sequence[Item]) -> list[tuple[int, int]]:
    """How much of each change of a file stands in its line, and of all of them; then the same in its fuller forms.

    Of a file that is there for secrets there is no fuller form.
    """
    path, change = edits[0]["path"], edits[0].get("change", "")
    is_whole = len(edits) == 1 and edits[0]["tool"] == "Write" and units(change) <= SHORT_FILE_SHOWN_UTF16
    is_shown_whole = is_whole and re.fullmatch(FILE_OF_SETTINGS, file_name(path))
    short = (SHORT_FILE_SHOWN_UTF16 if is_shown_whole else CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16)
    return [short] if re.search(FILE_OF_SECRETS, path.lower()) else [short, *FULLER_ROOMS]


def joined_changes(shown: Mapping[str, str], edit_of: Mapping[str, Item], newest: Item) -> str:
    """The changes in short, the newest first, with where those begin that were made before the newest one's turn.

    A row of three days before had stood as what was done in the last minute, below that minute's message.
    """
    text, is_of_turn = "", True
    for change, words in shown.items():
        is_before = is_of_several_turns(newest, edit_of[change]["last"])
        text += (BEFORE_MESSAGE if is_before and is_of_turn else BEFORE_THAT) if text else ""
        text, is_of_turn = text + words, not is_before
    return text


def uses_of(edits: Iterable[Item]) -> int:
    """How many edits these are, each as often as it was made."""
    return sum(edit["uses"] for edit in edits)


def rows_put_there(change: str) -> list[str]:
    """The rows that a change put there, without idle ones and counts of rows."""
    rows = [] if change.startswith((GONE, AS_IN)) else change.split(ROW_END)
    return [row for row in rows if worth_of_row(row.lstrip()) and not re.fullmatch(COUNT_OF_ROWS, row)]


def rows_of_changes(rows: Sequence[str], changes: Sequence[str]) -> str:
    """Rows of a file's changes on one line: with a mark where others lie between, those of different changes apart.

    Rows of two methods had read as one that calls itself.
    """
    text, before = "", ""
    for row in rows:
        text += between_rows(before, row, changes) + row if text else row
        before = row
    return text


def between_rows(before: str, row: str, changes: Sequence[str]) -> str:
    """What stands between two rows of a file's changes."""
    between = ALSO_CHANGED
    for change in changes:
        rows = change.split(ROW_END)
        if before in rows and row in rows[rows.index(before) + 1:]:
            if f"{ROW_END}{before}{ROW_END}{row}{ROW_END}" in f"{ROW_END}{change}{ROW_END}":
                return ROW_END
            between = f"{ROW_END}{OMITTED_ROWS}{ROW_END}"
    return between


def alike_line(edits: Sequence[Item], paths: Paths, shown_by: str) -> Line:
    """Files that were changed in the same way on one line, which names the file whose line shows the change."""
    names = [*dict.fromkeys(paths.short(item["path"]) for item in edits)]
    verb = "Wrote" if all(item["tool"] == "Write" for item in edits) else "Edited"
    shown = cut(", ".join(joined_rows(names)), NAMES_SHOWN_UTF16)
    return {"items": [*edits], "text": f"- {verb} {shown}: {AS_IN}{paths.short(shown_by)}"}


def new_files_line(written: Sequence[Item], paths: Paths) -> Line:
    """New files of one folder on one line, by their names; the line stands below the turn of the newest."""
    folder = paths.short(written[0]["path"]).rpartition("/")[0] or "."
    names = ", ".join(file_name(item["path"]) for item in written)
    since = " (some in earlier turns)" if is_of_several_turns(written[0], written[-1]["first"]) else ""
    text = f"- Wrote {len(written)} more files in {folder}{since}: "
    return {"items": [*written], "text": text + cut(names, CHANGES_SHOWN_UTF16)}


def number_of_edits(edits: Sequence[Item], shown: int, is_newest_shown: bool) -> str:
    """How many edits there were, from which step on where not all are shown, and that the newest has no result.

    How often the file was written whole stands apart: that it was made here a count of edits hid. Not how many are
    shown: where four were counted so the line had room for three, and for a row of the fourth.
    """
    count, tag = uses_of(edits), edits[-1].get("tag")
    written = uses_of(item for item in edits if item["tool"] == "Write")
    counts = [count_shown(count - written, "edit")] if count > written else []
    if written:
        counts.append("once written whole" if written == 1 else f"{written} times written whole")
    facts = list[str]()
    if count > 1:
        begin = "in all " if is_of_several_turns(edits[0], edits[-1]["first"]) else ""
        facts.append(begin + " and ".join(counts))
    if 0 < shown < count and not is_newest_shown:
        facts.append("the newest not shown")
    if shown < count and tag:
        facts.append(f"from #{tag} on" if count > 1 else f"#{tag}")
    if edits[0]["verdict"] == "running":
        lacks = lacking_result(edits[0])
        facts.append(f"the newest has {lacks}" if count > 1 else lacks)
    return f" ({', '.join(facts)})" if facts else ""


def telling_changes(changes: Sequence[str]) -> list[str]:
    """The newest change and the older ones that do more than import: an import would pass for what was done.

    All of them where the newest has no words and the older ones only import.
    """
    newest, *older = changes
    telling = [change for change in older if not only_imports(change)]
    return [newest, *telling] if newest or telling else [*changes]


def only_imports(change: str) -> bool:
    """Whether each row of a change imports something."""
    return all(re.fullmatch(IMPORT, row.strip()) for row in change.split(ROW_END))


def changes_of(edits: Sequence[Item], known_rows: Set[str], elsewhere: RowsElsewhere,
               paths: Paths) -> list[str]:
    """What each edit did since the file was written whole, the newest first; empty where its rows are not shown again.

    Those are `known_rows`, rows that stand `elsewhere`, and of older edits what a later one took away again. Of a
    newest edit whose rows all stand somewhere else it is said where.
    """
    changes, gone = list[str](), set[str]()
    for item in edits:
        change, is_newest = item.get("change", ""), not changes
        text = change_in_words(change, known_rows, gone | elsewhere["rows"])
        if change and not text and is_newest:
            text = where_it_stands(item, known_rows, elsewhere, paths)
        changes.append(text)
        if item["tool"] == "Write":
            break
        gone.update(row[2:].strip() for row in change.splitlines() if row.startswith("- "))
    return changes


def where_it_stands(edit: Item, known_rows: Set[str], elsewhere: RowsElsewhere, paths: Paths) -> str:
    """Where the rows of an edit stand, which are not shown again: in the summary, or in the line of another file.

    They are shown all the same where no other file's line has just these, or where they take no more room than that. A
    few characters, too (`font-size: 13px;`): they stand in many lines, and mean another thing in each. Beside rows that
    the summary does not have, which they replaced, too: it tells of the one call, and not that it was another before.
    """
    rows = new_rows([edit])
    if elsewhere["rows"].isdisjoint(rows):
        return rows_replaced(edit["change"], known_rows) or AS_SUMMARISED
    where = f"{AS_IN}{paths.short(elsewhere['just_these'])}"
    is_short = sum(map(len, rows)) < max(PECULIAR_MIN_CHARACTERS, len(where))
    if is_short or not elsewhere["just_these"]:
        return change_in_words(edit["change"], set(), set())
    return where


def rows_replaced(change: str, known_rows: Set[str]) -> str:
    """The rows that an edit replaced one by one, old and new, where they are not known; empty where there are none."""
    gone, added = sides_of(change)
    new = [row for row in added if row != OMITTED_ROWS]
    if len(gone) != len(new):
        return ""
    return ROW_END.join(altered_part(old, row) or f"⟦{cut(old, GONE_SHOWN_UTF16)} → {row}⟧"
                        for old, row in zip(gone, new) if old not in known_rows and old.split() != row.split())


def changes_in_short(changes: Sequence[str], edit_of: Mapping[str, Item], most: int, room: int) -> dict[str, str]:
    """By change how it stands in short, each once, as many as have `room`, with at most so many units each.

    `edit_of`: the edit whose tag is behind it.
    """
    shown = dict[str, str]()
    for change in changes:
        text = tagged(rows_within(change, most), edit_of[change])
        room -= len(text) + len(BEFORE_THAT)
        if text and text not in shown.values() and room > 0:
            shown[change] = text
    return shown


def rows_within(change: str, limit: int) -> str:
    """The change within `limit` UTF-16 units: of a longer one the rows that tell most, in their order.

    Of rows that went the first ones: what stood in the middle of a block that was deleted had read as new, or as all
    that went of it. Before the first row of a block that has a name this stands: `50: "#eff6ff"` had come without
    `brand: {`. How many rows were not kept is not said where more are left out: of 62 two had stood there with "24
    more".
    """
    rows = change.split(ROW_END)
    if units(change) <= limit or len(rows) == 1:
        return cut(change, limit)
    if change.startswith(GONE):
        return next((text for count in range(len(rows) - 1, 0, -1)
                     if units(text := in_a_row(rows, range(count))) <= limit), cut(change, limit))
    rows = [OMITTED_ROWS if re.fullmatch(COUNT_OF_OTHERS, row) else row for row in rows]
    chosen = set[int]()
    for index in sorted(range(len(rows)), key=lambda index: -worth_of_row(rows[index].lstrip())):
        above = {index - 1} if index and opens_block(rows[index - 1]) and not opens_block(rows[index]) else set[int]()
        for more in ({*above, index}, {index}):
            if rows[index] != OMITTED_ROWS and units(in_a_row(rows, chosen | more)) <= limit:
                chosen |= more
                break
    return in_a_row(rows, chosen) or cut(change, limit)


def opens_block(row: str) -> bool:
    """Whether a row is nothing but a name and what opens its block; behind a constant of a new file lies another."""
    row = row.strip()
    is_named = re.fullmatch(NAMED_BLOCK, row) is not None and worth_of_row(row) == 1
    return is_named and not re.match(CONSTANT_ROW, row)


def change_in_words(change: str, known_rows: Set[str], gone_later: Set[str]) -> str:
    """What an edit did: where lines were altered, the part that differs; else the new lines; else those that went.

    In the place of new lines that a later edit took away stands a mark. Empty where all new lines are known or gone.
    """
    gone, added = sides_of(change)
    new = [row for row in added if re.search(r"\w", row)]
    if new and all(row in known_rows or row in gone_later for row in new):
        return ""  # shown whole or not at all: what is left of it would read as if it were the deed
    lines = [row for row in added if row != OMITTED_ROWS]
    if gone and not lines:
        return GONE + ROW_END.join(gone)
    if len(gone) == len(lines) == len(new):
        pairs = [(old, row) for old, row in zip(gone, new) if old.split() != row.split()]
        return ROW_END.join(dict.fromkeys(OMITTED_ROWS if re.fullmatch(COUNT_OF_ROWS, row) else
                                          altered_part(old, row) or row for old, row in pairs))
    marked = [OMITTED_ROWS if row in gone_later else row for row in added if row in new or row == OMITTED_ROWS]
    shown = list[str]()
    for row in marked:
        if row != OMITTED_ROWS or shown[-1:] != [OMITTED_ROWS]:  # of several marks in a row one
            shown.append(row)
    return ROW_END.join(shown)


def sides_of(change: str) -> tuple[list[str], list[str]]:
    """The rows of a change that went, and the others."""
    rows = change.splitlines()
    gone = [row[2:].strip() for row in rows if row.startswith("- ")]
    return gone, [row[2:].strip() if row.startswith("+ ") else row.strip() for row in rows if not row.startswith("- ")]


def from_whole_name(text: str, begin: int) -> str:
    """The text from `begin` on, or from where the name begins that is cut there, unless that is far before.

    Half of NON_EXPIRING was EXPIRING, another name of the same file.
    """
    name_begin = begin
    while name_begin and begin - name_begin < NAME_MAX_CHARACTERS and re.match(r"\w\w", text[name_begin - 1:]):
        name_begin -= 1
    is_far = begin - name_begin >= NAME_MAX_CHARACTERS
    return text[begin:] if is_far else text[name_begin:]


def altered_part(old: str, new: str) -> str:
    """Where a line differs from what it was, as `before⟦old → new⟧after`; empty where most of it is new.

    Brackets that no language has: `sum([p → round(p)] * n)` had read as a list.
    """
    start = shared_beginning(old, new)
    end = shared_beginning(old[start:][::-1], new[start:][::-1])
    if 2 * (start + end) < max(len(old), len(new)):
        return ""
    while start and old[start - 1].isalnum():  # whole words
        start -= 1
    while end and old[-end].isalnum():
        end -= 1
    before, after = new[:start], new[len(new) - end:]
    if len(before) > CONTEXT_CHARACTERS:
        before = f"…{from_whole_name(before, len(before) - CONTEXT_CHARACTERS)}"
    if len(after) > CONTEXT_CHARACTERS:
        after = f"{from_whole_name(after[::-1], len(after) - CONTEXT_CHARACTERS)[::-1]}…"
    gone = cut(old[start:len(old) - end], GONE_SHOWN_UTF16)
    return f"{before}⟦{gone} → {new[start:len(new) - end]}⟧{after}"


# ==================================================================================================
# record/endings.py: Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

# The form of what is kept; who reads it needs nothing of what made it, and a restore does not load that.
# A verdict is passed or failed, as its output shows it; ended, where nothing says that it failed; not run; unknown;
# running and stopped, which came to no end that was seen.
KNOWN_VERDICTS = ("passed", "failed")
ENDED_WELL = ("ended", "passed")  # not seen to have failed
NOT_DONE = ("failed", "not run")  # what it was for was not done
END_NOT_KNOWN = ("running", "stopped", "unknown")
FROM_CACHE = "(cached)"  # behind how a check ended of which the runner showed an earlier run's result
LOST_OUTPUT = "it went to `"  # as it is told of an output whose filter is not there
BUT_PRINTED = "ended, but printed: "  # an error with its stack, whatever else says that all is well
HAD_PRINTED = " (it had printed: "  # behind what stopped a command
NO_MATCHES = "no matches"  # as it is told of a search
PRIVATE_NAMED_MAX = 20  # files of a commit that look private

SAID_OF_CHECKS = ("failed_names", "has_more_failed", "met_no_test", "is_cached")


def has_ended_well(ending: Ending | Item) -> bool:
    """Whether the line came to its end and none of its commands is seen to have failed."""
    return ending["verdict"] in ENDED_WELL


def said_of_checks(end: Mapping[str, Any]) -> ChecksSaid:
    """What an outcome, or an ending, says of its checks besides that they passed or failed."""
    said: Any = {name: end[name] for name in SAID_OF_CHECKS if name in end}
    kept: ChecksSaid = said
    return kept


def words_of_not_run(ending: ChecksSaid, result: str) -> str:
    """How it is told that a command was not run, or that its tests met none, with its result in short."""
    return result if "met_no_test" in ending else f"not run: {result or 'refused'}"


def where_pushed(push: Push) -> str:
    """Where a push went to, in words: address, branches and tags, commits."""
    return f"{push['to']} {', '.join(push['refs'])} {push['commits']}".rstrip()


def endings_of(actions: Iterable[Item]) -> list[Ending]:
    """How the commands ended, the oldest first, each in an action's form; an earlier end counts as no use."""
    endings: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "uses": 0,
                              "folder": action.get("folder", "")}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            endings += [*before, action]
    return sorted(endings, key=lambda ending: int(ending["position"]))


# ==================================================================================================
# record/commands/check_programs.py: Whether a command is a check, by its words: a test, a build, a linter, a type check, a formatter.
# ==================================================================================================

ANY_CHECK = "check"  # of a task like `check` or `verify`: it may test, or look at types or style alone
MAY_TEST = ("test", ANY_CHECK)
CHECK_FAMILIES = ("test", ANY_CHECK, "build", "types", "lint", "format")  # those that tell most first
TASK_WORDS = {
    "test": "test tests spec specs e2e integration unit coverage unittest unittests runtests vitest jest pytest "
            "playwright cypress gtest doctest catch2 testthat",
    ANY_CHECK: "check checks ci verify preflight qa",
    "types": "types typecheck type tsc mypy pyright",
    "lint": "lint lints vet analyze analyse eslint clippy ruff",
    "format": "format fmt prettier spotless",
    "build": "build compile assemble package bundle",
}
# Of a script that an interpreter runs. `make_word_with_playwright.py` and `check_missing.py` had "passed": one makes
# pages, the other counts, and had counted wrongly.
WORDS_OF_TEST_SCRIPTS = frozenset("test tests spec specs e2e unittest runtests testthat".split())
TEST_FILE = r"\.(?:test|spec)\."  # in a script's name: `start.test.js` is a test of what starts
# `fetch_failing_ci_tests`, which gets what ran elsewhere, had "passed" while four tests failed there; so had
# `start-test.sh`, which starts what is tested. No task's: `npm run start:test` starts it and tests.
WORDS_OF_OTHER_SCRIPTS = frozenset(  # that such a name begins with
    "start stop restart kill up down serve launch deploy "
    "fetch get list show find count collect download parse print report summarize summarise generate gen make create "
    "write update add copy open watch compare diff convert extract split merge seed setup install debug "
    "analyze analyse".split())  # `analyze_projects.sh`, which counted files, had been a linter that passed
# The code of a test run behind `-e`: of R's devtools, testthat and tinytest, of Julia's packages.
CODE_OF_TESTS = r"(?:devtools::(?:test|check)|testthat::test_\w{2,20}|tinytest::\w{3,20}|Pkg\.test)(?=\()"
CODE_OPTIONS = ("-e", "-E", "--eval")
ALIAS_OF_TESTS = r"-[MXTA][\w:.-]{0,60}:test\b"  # of Clojure's command line
TASKS_OF_SBT = {"test": "test", "testOnly": "test", "testQuick": "test", "compile": "build"}
GTEST_OPTION = "--gtest_"
# A file right in /tmp: `node -c /tmp/heredoc.js` had stood as the project's linter, `rustc /tmp/a.rs` as its build.
OF_TRIAL = r"[\"']?/tmp/[^/\s]+\.(?:rs|c|cc|cpp|py|[cm]?[jt]s|java|go|rb|php|sh)[\"']?$"
OF_CLIENT = r"~/\.claude/|/\.claude/(?:skills|plugins)/"  # a skill's own programs check nothing of the work
EXECUTABLE_PATH = r"[\w./~+-]{1,200}$"  # what else has a slash may be a piece of a script in quotes
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
MAKE_PROGRAMS = ("make", "gmake")
FLAGS_OF_RUNNERS = {  # of OPTIONS_WITH_VALUE, those that have none for a runner of tasks
    **dict.fromkeys(MAKE_PROGRAMS, "-s -B -n -w -S -c"), **dict.fromkeys(("mvn", "mvnw"), "-B -o -C -c"),
    **dict.fromkeys(("gradle", "gradlew"), "-s -S -w -o -n"), **dict.fromkeys(("npm", "bun"), "-s"),
    **dict.fromkeys(("pnpm", "yarn"), "-s -w"), "composer": "-n"}
DRY_RUNS = {  # options with which a runner only says what it would run
    **dict.fromkeys(MAKE_PROGRAMS, "-n --dry-run --just-print --recon"), "just": "-n --dry-run",
    **dict.fromkeys(("gradle", "gradlew"), "-m --dry-run")}
JOBS = "-j"  # its number may be left out
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
ASKING_OPTIONS = frozenset((  # of calls that check nothing
    "--version", "--help", "-V", "-version", "-print-targets", "-dumpversion", "--gtest_list_tests", "--list-tests",
    "--list-test-cases", "-ltc"))
COMPILER_OF_MACHINE = r"(?:[\w.]+-)*(gcc|g\+\+|clang|clang\+\+)(?:-\d+)?$"  # `riscv64-elf-gcc`, `clang-18`
HOOK_PROGRAMS = ("pre-commit", "prek", "lint-staged")
WITHOUT_HOOKS = frozenset((  # subcommands of these that run none
    "install uninstall install-hooks prepare-hooks init-templatedir init-template-dir autoupdate auto-update update "
    "clean gc cache list sample-config migrate-config validate-config validate-manifest self util hook-impl "
    "help").split())
SHOWING_HOOKS = frozenset(("--list", "--dry-run"))  # of a run
PREFIXED_SUBCOMMANDS = ("docker", "node", "php")  # other words may stand before their subcommand
WORDS_BEFORE_SUBCOMMAND_MAX = 8
TESTING_TASKS = ("gradle check", "mvn verify")  # of which tests are a part by default
FAMILIES_OF_TARGETS = {"test": "test", "check": ANY_CHECK}
TARGET_OPTIONS_OF_CMAKE = ("--target", "-t")
SCRIPTS_WITH_TASKS = ("manage.py", "artisan", "rails")
NAMED_TASKS_MAX = 6  # that a call names and that are looked at
TASK_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+"  # of `lintFix`, `test:unit`


def runs_no_hook(rest: Sequence[str]) -> bool:
    """Whether a call of a program of hooks with these words runs none: behind `run` words are names of hooks."""
    return not SHOWING_HOOKS.isdisjoint(rest) if "run" in rest else not WITHOUT_HOOKS.isdisjoint(rest)


def check_name(words: Sequence[str]) -> CheckName | None:
    """What the command with these words checks; None: nothing, as far as its words say."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    is_of_client = any(re.search(OF_CLIENT, word) for word in words[:2])
    is_trial = any(re.match(OF_TRIAL, word) for word in rest)
    if not program or is_of_client or is_trial or ASKING_OPTIONS & {*rest}:
        return None
    compiler = re.match(COMPILER_OF_MACHINE, program) if "-" in program else None
    program = compiler[1] if compiler else program
    family = families_by_program().get(program, "")
    if family and not (program in HOOK_PROGRAMS and runs_no_hook(rest)):
        return named_check(family, program)
    if program in CHECKS_OF_OWN_FORM:
        return CHECKS_OF_OWN_FORM[program](rest)
    syntax = " ".join((program, *rest[:1]))
    if syntax in SYNTAX_CHECKS:
        return named_check("lint", syntax)
    by_subcommand = subcommand_check(program, rest)
    if by_subcommand:
        return by_subcommand
    return task_check(program, rest) if program in TASK_RUNNERS else script_check(program, words, rest)


def named_check(family: str, name: str) -> CheckName:
    """A check whose program is known by name, so that its output is."""
    return {"family": family, "name": name, "runner": RUNNER_OF_NAME.get(name, name)}


def subcommand_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a program's subcommand is, or an option that makes it one."""
    for index, word in enumerate(words[:WORDS_BEFORE_SUBCOMMAND_MAX]):
        following = next((later for later in words[index + 1:] if not later.startswith("-")), "")
        family = families_by_program().get(f"{program}:{word}:{following}", "")
        if family:
            return named_check(family, f"{program} {word} {following}")
        family = families_by_program().get(f"{program}:{word}", "")
        if family:
            return named_check(family, f"{program} {word}" if word[:1].isalpha() else program)
        if not word.startswith(("-", "+", "@")) and program not in PREFIXED_SUBCOMMANDS:
            break
    return None


def xcodebuild_check(words: Sequence[str]) -> CheckName | None:
    """Of Xcode's builder by its actions, which may stand anywhere; it builds where a scheme is named and no action."""
    if any(re.match(ASKING_XCODEBUILD, word) for word in words):
        return None
    if {"test", "test-without-building"} & {*words}:
        return named_check("test", "xcodebuild test")
    if "archive" in words:
        return named_check("build", "xcodebuild archive")
    is_build = bool({"build", "build-for-testing"} & {*words}) or ("-scheme" in words and "clean" not in words)
    return named_check("build", "xcodebuild build") if is_build else None


def sbt_check(words: Sequence[str]) -> CheckName | None:
    """Of Scala's builder by its tasks: `core/test`, `"testOnly CentsSpec"`, `";clean;test"`."""
    commands = [command.split() for word in words for command in word.strip("\"'").split(";")]
    tasks = [command[0].rpartition("/")[2] for command in commands if command]
    families = {TASKS_OF_SBT[task] for task in tasks if task in TASKS_OF_SBT}
    if "test" in families:
        return named_check("test", "sbt test")
    return named_check("build", "sbt compile") if families else None


def clojure_check(words: Sequence[str]) -> CheckName | None:
    """Of Clojure's command line by the alias that it runs: `-M:test`, `-X:dev:test`."""
    alias = next((word for word in words if re.match(ALIAS_OF_TESTS, word)), "")
    return named_check("test", f"clojure {alias}") if alias else None


def ninja_check(words: Sequence[str]) -> CheckName | None:
    """Of ninja by the targets that it makes."""
    is_asking = bool({"-n", "-t"} & {*words})
    return None if is_asking else check_of_targets("ninja", tasks_in("ninja", words))


def cmake_check(words: Sequence[str]) -> CheckName | None:
    """Of CMake's builder by the targets behind `--target`."""
    if "--build" not in words:
        return None
    behind = [*dropwhile(lambda word: word not in TARGET_OPTIONS_OF_CMAKE, words)][1:]
    return check_of_targets("cmake", [*takewhile(lambda word: not word.startswith("-"), behind)])


def check_of_targets(program: str, targets: Sequence[str]) -> CheckName:
    """The check that building these targets is: `test` and `check` run what was built, `test_rates` is only built."""
    target = next((target for target in targets if target in FAMILIES_OF_TARGETS), "")
    if not target:
        return named_check("build", program)
    return {"family": FAMILIES_OF_TARGETS[target], "name": f"{program} {target}", "runner": ""}


CHECKS_OF_OWN_FORM = {
    "xcodebuild": xcodebuild_check, "sbt": sbt_check, "clj": clojure_check, "clojure": clojure_check,
    "ninja": ninja_check, "cmake": cmake_check}


@cache
def families_by_program() -> dict[str, str]:
    """Families by program and by program:subcommand."""
    return {word: family for table in (CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS)
            for family, words in table.items() for word in words.split()}


@cache
def families_by_task_word() -> dict[str, str]:
    """Families by the words of a task's or script's name."""
    return {word: family for family, words in TASK_WORDS.items() for word in words.split()}


def task_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a task is by its name; what it runs is not known."""
    if {*DRY_RUNS.get(program, "").split()} & {*words}:
        return None
    tasks = tasks_in(program, words)
    if tasks[:1] == ["clean"]:  # before others, as in `mvn clean test`
        tasks = tasks[1:] or tasks
    if not tasks:
        return {"family": "build", "name": program, "runner": ""} if program in MAKE_PROGRAMS else None
    if tasks[0] in NOT_TASKS or (program in NODE_MANAGERS and tasks[0] == "ci"):
        return None
    runner = SAME_RUNNERS.get(program, program)
    for task in tasks[:NAMED_TASKS_MAX]:
        parts = re.findall(TASK_WORD, task.replace("type-check", "typecheck"))
        family = family_by_words([part.lower() for part in parts])
        if family == ANY_CHECK and any(f"{runner} {part}" in TESTING_TASKS for part in parts):
            family = "test"
        if family:
            return {"family": family, "name": f"{runner} {task}", "runner": ""}
    makes_all = program in MAKE_PROGRAMS and tasks[0] == "all"
    return {"family": "build", "name": f"{program} all", "runner": ""} if makes_all else None


def family_by_words(words: Sequence[str]) -> str:
    """The family that the words of a name say: of `check-types` what is checked; empty: no check."""
    families = [family for family in map(families_by_task_word().get, words) if family]
    return next((family for family in families if family != ANY_CHECK), ANY_CHECK if families else "")


def tasks_in(program: str, words: Sequence[str]) -> list[str]:
    """The words that name tasks: no options, none of their values, nothing behind `--`."""
    flags = FLAGS_OF_RUNNERS.get(program, "").split()
    tasks, option = list[str](), ""
    for word in words:
        if word == "--":
            break
        if word.startswith("-") or "=" in word:
            has_value = (word in OPTIONS_WITH_VALUE and word not in flags) or (word == "-F" and program == "pnpm")
            option = word if has_value else ""
        elif option and (option != JOBS or word.isdigit()):
            option = ""
        elif re.match(r"[\w.:/@-]{1,80}$", word):
            tasks.append(word)
    return [task for task in tasks if task not in ("run", "run-script", "workspace")] or tasks[:1]


def is_test_executable(name: str, words: Sequence[str]) -> bool:
    """Whether a program of the project's own runs tests, by an option of GoogleTest's or by its name: `RatesTests`."""
    parts = [part.lower() for part in re.findall(TASK_WORD, name)]
    is_called_so = not WORDS_OF_TEST_SCRIPTS.isdisjoint(parts) and parts[0] not in WORDS_OF_OTHER_SCRIPTS
    return is_called_so or any(word.startswith(GTEST_OPTION) for word in words)


def code_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that code is which is given on the command line: `Rscript -e 'devtools::test()'`."""
    call = next((match for match in (re.search(CODE_OF_TESTS, word) for word in words) if match), None)
    return {"family": "test", "name": f"{program} {call[0]}", "runner": ""} if call else None


def script_check(program: str, words: Sequence[str], rest: Sequence[str]) -> CheckName | None:
    """The check that a script of the project's own is by its name; an interpreter's only where it is called a test."""
    is_interpreter = program in (*SHELLS, *PROGRAMS_OF_CODE) or re.fullmatch(INTERPRETERS, program) is not None
    if is_interpreter:
        script = next((word for word in rest if not word.startswith("-")), "")
    else:
        script = words[0] if "/" in words[0] else ""
    if program in PROGRAMS_OF_CODE and {*CODE_OPTIONS} & {*rest}:
        return code_check(program, rest)
    if not script or rest[:1] in (["-c"], ["-e"], ["-"]):
        return None
    name = program_of([script])
    if name in SCRIPTS_WITH_TASKS and "test" in rest:
        return {"family": "test", "name": f"{name} test", "runner": ""}
    if not is_interpreter and re.match(EXECUTABLE_PATH, script) and is_test_executable(name, rest):
        return {"family": "test", "name": script, "runner": ""}
    is_shell = not is_interpreter or program in SHELLS
    parts = re.split(r"[._-]", name.lower())
    if parts[0] in WORDS_OF_OTHER_SCRIPTS and not re.search(TEST_FILE, name):
        return None
    family = family_by_words([part for part in parts if is_shell or part in WORDS_OF_TEST_SCRIPTS])
    return {"family": family, "name": script, "runner": ""} if family else None


# ==================================================================================================
# record/commands/check_breadth.py: How much a check looks at: what its options and targets leave out, and whether it is as broad as another one.
# ==================================================================================================

WORDS_MAX = 400  # of a command the first words
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "--gtest_filter -tc -tce -ts -tse -sc -sce -sf -sfe --test-case --test-case-exclude --test-suite "
    "--test-suite-exclude --subcase --source-file --run_test --test-filter --match --folder --filter-tags "
    "-skip-testing").split())
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WORDS_ARE_TARGETS_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest", "lein test", "bats", "ava")
# Words that leave something out, of programs that take no other targets: code with something in its brackets;
# `core/test`, `"testOnly A"`.
NARROWING_WORDS = {
    **dict.fromkeys(PROGRAMS_OF_CODE, rf".*{CODE_OF_TESTS}\((?!\))"),
    "sbt": r"[\"']?(?:\S+/test\b|(?:\S+/)?test(?:Only|Quick)\b|project )"}
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_WITH_TARGETS = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_TARGETS = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
OWN_OPTIONS = {  # options that leave something out, and mean something else to other programs
    "bats": "-f", "clojure": "-n -v -i", "pio": "-f -i", "platformio": "-f -i", "prove": "--state"}
FOREIGN_OPTIONS = {  # options of LIMITING that mean something else to a program
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
    "Rscript": "-e",
    "R": "-e",
    "julia": "-e --project",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
HOOKS, ALL_FILES = "pre-commit", "--all-files"  # without that hooks look at what is staged
OF_OTHER_HOOKS = ("--hook-stage", "--stage", "-c", "--config")
SKIPPED_HOOKS = "SKIP="  # before a run: hooks that it leaves out
DULL_WORDS_OF_HOOKS = ("run", "-v", "--verbose", "--show-diff-on-failure")
LIMITS_MAX = 20
PART_FILTER = r"\w{3,200}$"  # a part of names, with nothing in it that a runner reads as a pattern
PARTS_FILTER = r"[\w/|]{1,900}$"  # several of them


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the targets that it names."""
    program, task = name.partition(" ")[0], name.rpartition(" ")[2]
    foreign, own = FOREIGN_OPTIONS.get(program, "").split(), OWN_OPTIONS.get(program, "").split()
    rest = without_redirections(words[:WORDS_MAX])[1:]
    limits, is_value, is_behind_dashes = list[str](), False, False
    for word, following in zip(rest, [*rest[1:], ""]):
        if word == "--":
            is_behind_dashes = True
        if is_value:
            is_value = False
        elif word == task:
            continue
        elif word.startswith("-") and word != "--":
            option = word.partition(":" if program == "xcodebuild" else "=")[0]
            if option in own or (option in LIMITING and option not in foreign):
                is_value = option == word and option not in WITHOUT_VALUE and following != ""
                limits.append(f"{word} {following}" if is_value else word)
            else:
                is_value = word in OPTIONS_WITH_VALUE and not following.startswith("-")
        elif name in SYNTAX_CHECKS or (word not in NO_TARGETS and is_target(word, name, is_behind_dashes)):
            limits.append(word)
    return limits[:LIMITS_MAX]


def is_target(word: str, name: str, is_behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if program in NARROWING_WORDS:
        return re.match(NARROWING_WORDS[program], word) is not None
    if is_behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_WITH_TARGETS:
        return re.match(FILE_FOR_TASK, word) is not None
    is_executable = "/" in program and "." not in program.rpartition("/")[2]  # `./build/rates_tests "[slow]"`
    takes_words = is_executable or program in WORDS_ARE_TARGETS_FOR or name in WORDS_ARE_TARGETS_FOR
    return "/" in word or takes_words or re.search(r"\.\w{1,8}$", word) is not None


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    return is_same_name(later, earlier) and not are_elsewhere(later, earlier) and covers_all_of(later, earlier)


def may_cover_check(later: Check, earlier: Check) -> bool:
    """Whether one check may be of the breadth of another: it ran in a folder above, or where nobody knows."""
    is_above = is_at_or_below(earlier["folder"], later["folder"])
    are_known = is_whole_path(earlier["folder"]) and is_whole_path(later["folder"])
    return is_same_name(later, earlier) and (is_above or not are_known) and covers_all_of(later, earlier)


def covers_all_of(later: Check, earlier: Check) -> bool:
    """Whether one check leaves out nothing that another of its name did not, by their targets and options."""
    if not covers_targets(later, earlier):
        return False
    if build_targets_of(later) != build_targets_of(earlier) or not covers_hooks(later, earlier):
        return False
    options, earlier_options = options_in(later), options_in(earlier)
    modes = {option for option in options if option.startswith(MODES)}
    earlier_modes = {option for option in earlier_options if option.startswith(MODES)}
    if modes != earlier_modes:
        return False
    return all(option in earlier_options or chooses_within(option, earlier_options) for option in options)


def are_elsewhere(check: Check, other: Check) -> bool:
    """Whether the two ran in folders that are known, and are two."""
    folder, other_folder = check["folder"], other["folder"]
    is_apart = folder and other_folder and folder != other_folder  # mostly both are one: asked before they are spelled
    return bool(is_apart) and as_compared(folder) != as_compared(other_folder)


def is_same_name(check: Check, other: Check) -> bool:
    """Whether both are of one name; a script may be called by its whole path once, and from the project's folder."""
    name, other_name = check["name"], other["name"]
    if name == other_name or "/" not in name or "/" not in other_name:
        return name == other_name
    if is_whole_path(name) == is_whole_path(other_name):
        return name.removeprefix("./") == other_name.removeprefix("./")
    whole, seen = (check, other) if is_whole_path(name) else (other, check)
    from_folder = f"{seen['folder'].rstrip('/')}/{seen['name'].removeprefix('./')}"
    return same_file(whole["name"], from_folder.lstrip("/"))


def options_in(check: Check) -> set[str]:
    """The options among the check's limits, each with its value."""
    return {limit for limit in check["limits"] if limit.startswith("-")}


def targets_in(check: Check) -> list[str]:
    """The targets among the check's limits: the files, folders and tests that it names."""
    return [limit for limit in check["limits"] if not limit.startswith("-")]


def covers_targets(later: Check, earlier: Check) -> bool:
    """Whether the targets of one check hold all those of the other; a check that names none looks everywhere."""
    targets, earlier_targets = targets_in(later), targets_in(earlier)
    if not targets:
        return True
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return bool(earlier_targets) and all(
        any(is_within(target, whole, has_folders) for whole in targets) for target in earlier_targets)


def covers_hooks(later: Check, earlier: Check) -> bool:
    """Whether a run of git's hooks is of all those of another, and of its files; also where they are other checks."""
    if later["runner"] != HOOKS:
        return True
    words, others = words_of_hooks(later), words_of_hooks(earlier)
    options = {word for word in others if word.startswith("-")}
    is_of_all = options.isdisjoint(OF_OTHER_HOOKS) if words == {ALL_FILES} else not (words or options)
    return (words == others or is_of_all) and SKIPPED_HOOKS not in later["typed"]


def words_of_hooks(check: Check) -> set[str]:
    """The words of a run of hooks that choose some of them, or their files."""
    words = {ALL_FILES if word == "-a" else word for word in check["command"].split()[1:]}
    return words - {*DULL_WORDS_OF_HOOKS}


def build_targets_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    targets = tuple(name.strip("\"'") for name in named)
    return (*targets, "Simulator") if "imulator" in check["command"] else targets


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, part = option_and_value(limit)
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(PART_FILTER, part):
        return False
    for other in earlier:
        name, value = option_and_value(other)
        value = value.strip("\"'^$()")
        if name == option and re.match(PARTS_FILTER, value) and all(part in word for word in value.split("|")):
            return True
    return False


def option_and_value(limit: str) -> tuple[str, str]:
    """An option and its value, of `-run TestA` or `--grep=TestA`."""
    option, _, value = limit.replace("=", " ", 1).partition(" ")
    return option, value


def is_within(target: str, whole: str, has_folders: bool) -> bool:
    """Whether the target of a check is the other, or a part of it."""
    target = target.strip("\"'").removeprefix("./")
    whole = whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{target.removesuffix('/...')}/".startswith(whole[:-3])
    if target.rstrip("/") == whole:
        return True
    return has_folders and target.startswith((f"{whole}/", f"{whole}::", f"{whole}["))


# ==================================================================================================
# record/commands/written_files.py: The files of the project that a shell command wrote: by `> file`, by `tee file`, by `sed -i`.
# ==================================================================================================

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
UNNAMED = rf"{FILLED_IN}|[\[\]…]|^-|^/dev/|^\d+$"
TEE_OPTION = "-"
IN_PLACE = {"sed": r"-(?:[nrEsuz]*i|-in-place)", "gsed": r"-(?:[nrEsuz]*i|-in-place)", "perl": r"-[pnlw0]*i"}


def names_filled(piece: str, words: list[str]) -> Iterator[str]:
    """The names behind `>` outside of quoted text, and those that `tee` is given."""
    if ">" in piece:
        blanked = re.sub(QUOTED_TEXT, lambda match: match[0] if ">" not in match[0] else "x" * len(match[0]), piece)
        yield from (name.strip("\"'") for name in re.findall(REDIRECTION, blanked))
    if program_of(words) == "tee":
        yield from (word.strip("\"'") for word in words[1:] if not word.startswith(TEE_OPTION) and ">" not in word)


def edits_in_place(words: Sequence[str]) -> bool:
    """Whether the words are those of a stream editor that changes the files which it is given."""
    form = IN_PLACE.get(program_of(words))
    return form is not None and any(re.match(form, word) for word in words[1:])


def path_below(root: str, folder: str, name: str) -> str:
    """The file as seen from the root; empty where it lies elsewhere, or its name is not known."""
    if re.search(UNNAMED, name) or re.search(UNNAMED, folder):
        return ""
    path = whole_path(with_home(name, root), whole_path(with_home(folder, root), root))
    short = from_root(path, root)
    return short if root.rstrip("/") and short != path else ""


# ==================================================================================================
# record/commands/looking.py: Whether a command only looks: at files, at processes, at what git knows. What it does not know, changes something.
# ==================================================================================================

CURL_SENDS = r"-\w*[XdFTOo]|--(?:request|data|form|upload-file|output|remote-name|json)"  # more than a look
FIND_CHANGES = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
FIND_STARTS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
CHANGING_OPTIONS_OF_GIT = frozenset(("-D", "-d", "--delete"))
SENDING_OPTIONS_OF_GH = frozenset(("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input"))
GIT_NAMES = ("branch", "tag", "remote", "config")  # without a word behind them they list, with one they may change
# `> file` outside of quotes, which may stand in quotes itself, where it is not /dev/null or another stream:
WRITES_FILE = r"(?<![\d&])>{1,2}\s{0,9}(?!/dev/null|&)\S"


@lru_cache(maxsize=COMMANDS_KEPT)
def is_looking(command: str) -> bool:
    """Whether the command only looks: at files, at processes, at what git knows."""
    pieces = pieces_of(command)
    return bool(pieces) and all(is_looking_piece(piece) for piece, _ in pieces)


def is_looking_piece(piece: str) -> bool:
    """Whether this one of the line's commands only looks."""
    if piece.startswith("for "):
        return True
    if ">" in piece and re.search(WRITES_FILE, re.sub(QUOTED_TEXT, "x", piece)):
        return False
    return are_looking_words(without_redirections(shell_words(piece)))


def are_looking_words(words: Sequence[str]) -> bool:
    """Whether the program that the words start, with these options, only looks."""
    program = program_of(words)
    options = {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    if edits_in_place(words) or (program == "git" and options & CHANGING_OPTIONS_OF_GIT):
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
    if program == "git" and words[1:2] == ["-C"]:
        rest = rest[1:]  # its folder
    return has_looking_subcommand(program, rest)


def only_asks(program: str, options: Set[str], rest: Sequence[str]) -> bool:
    """Whether a request over the network changes nothing, there or here."""
    if program == "nc":
        return any("z" in option for option in options)  # only whether a port is open
    if program == "gh":
        return not options & SENDING_OPTIONS_OF_GH
    nowhere = {"-o"} if "/dev/null" in rest else set[str]()
    return not any(re.match(CURL_SENDS, option) for option in options - nowhere)


def has_looking_subcommand(program: str, rest: Sequence[str]) -> bool:
    """Whether the program's subcommand only looks: its first word, or its first two (`git stash list`)."""
    first, second = "".join(rest[:1]), "".join(rest[1:2])
    if program == "git" and first in GIT_NAMES and len(rest) > 1:
        return False
    looking = LOOKING_SUBCOMMANDS.get(program, "").split()
    if program == "gh" and second in looking:  # `gh pr view`
        return True
    return first in looking or f"{first}-{second}" in looking


# ==================================================================================================
# record/commands/checks_in_line.py: What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or another kind.
# ==================================================================================================

LOOP_WORDS = ("for", "while", "until", "if")


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order.

    A script that the line itself writes is none, whatever it is called: `/tmp/test-x.sh`, which set something up, had
    stood as a test that passed.
    """
    pieces = pieces_of(command)
    in_loop = has_loop(pieces)
    checks: list[Check] = []
    written = set[str]()
    for index, (piece, folder) in enumerate(commands_in_folders(command)):
        words = shell_words(piece)
        written |= {folder_from(folder, name) for name in names_filled(piece, words)}
        named = check_name(words)
        if not named or folder_from(folder, named["name"]) in written:
            continue
        filters = filters_behind(pieces, index)
        signs_behind = [sign for _, sign in pieces[index + len(filters):]]
        is_exit_hidden = in_loop or piece.startswith(NEGATION) or (filters and "pipefail" not in command)
        runs_on = signs_behind[0] == "&" or (piece.startswith("nohup ") and "&" in signs_behind)
        checks.append({
            **named,
            "command": " ".join(without_redirections(words)),
            "typed": piece,
            "index": index,
            "folder": folder,
            "limits": limits_of(named["name"], words),
            "filters": filters,
            "shows_exit": not is_exit_hidden and passes_exit_on(signs_behind),
            "in_background": runs_on})
    return checks


def has_loop(pieces: Sequence[tuple[str, str]]) -> bool:
    """Whether one of the line's commands begins a loop or a condition: how often what stands in it ran nobody knows."""
    return any(piece.split(" ", 1)[0] in LOOP_WORDS for piece, _ in pieces)


def passes_exit_on(signs_behind: Sequence[str]) -> bool:
    """Whether a line can only end with exit code 0 where the command before these signs did.

    That is so at the line's end, and where every later command waits by && for the one before it; pipes of later
    commands do not matter.
    """
    if signs_behind[0] not in ("", "&&"):
        return False
    return all(sign in ("", "&&", *PIPES) for sign in signs_behind)


def filters_behind(pieces: Sequence[tuple[str, str]], index: int) -> list[str]:
    """The commands that the output of the one at this index goes through."""
    filters = list[str]()
    for number in range(index + 1, len(pieces)):
        if pieces[number - 1][1] not in PIPES:
            break
        filters.append(pieces[number][0])
    return filters


def has_more_than_checks(command: str) -> bool:
    """Whether a line ran something else beside its checks: that a check passed later says nothing of that."""
    return bool(checks_in(command)) and not {*map(program_in, others_than_checks(command))} <= {*WITHOUT_EFFECT}


def others_than_checks(command: str) -> list[str]:
    """The commands of a line that are none of its checks, and through which the output of none goes."""
    own = {check["index"] + number for check in checks_in(command) for number in range(len(check["filters"]) + 1)}
    return [piece for index, (piece, _) in enumerate(pieces_of(command)) if index not in own]


# ==================================================================================================
# record/outcomes/doubtful_ends.py: Commands that ended well and whose output says less than it seems to.
# ==================================================================================================

OWN_TEXT = "(only its own text)"


def is_shown_whole(text: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether the rows shown are a text's; of one kept without its middle they begin and end as it does."""
    gap = text.index(MIDDLE_GONE) if MIDDLE_GONE in text else len(text)
    begin, end = text[:gap], text[gap + 1:]
    if gap == len(text) or len(shown) < len(text):
        return text == shown
    return shown[:gap] == begin and shown[len(shown) - len(end):] == end


# ==================================================================================================
# record/outputs/code_hits.py: A hit of a search: path, line and code; how it is shown, and whether it defines something or stands aside.
# ==================================================================================================

CODE_MAX_CHARACTERS = 110  # of a hit's line
HIT = r"((?:[A-Za-z]:)?[^:]{1,300}?):(?:(\d{1,7}):)? ?(.*)"
TEST_PATH = r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata|fixtures?|mocks?|e2e)(?:[/_.-]|$)"
DOCUMENT_PATH = r"(?i)\.(?:md|mdx|txt|rst|adoc|log|lock|json|jsonl|snap|svg|csv)$|(?:^|/)docs?/"
COMMENTS = ("//", "#", "/*", "* ", "--", ";;", "<!--", '"""')
NO_COMMENTS = ("#[", "#include", "#define", "#if")
DEFINITION = (
    r"(?:(?:export|default|pub(?:\([\w ]{1,20}\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|override|open|sealed|data|inline|virtual|declare|readonly|extern|local) ){0,5}"
    r"(?:func|fn|fun|def|defp|function\*?|class|const|type|interface|struct|enum|trait|protocol|module|namespace|object"
    r"|record|mixin|extension|macro_rules!|message|service|rpc|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|INDEX)"
    r"(?: IF NOT EXISTS)?|let|var|val) (?:\([^)]{1,80}\) )?(?:self\.)?[\"`]?(\w{3,80})")
Hit = tuple[str, str, str]  # path, line, code


def split_hit(hit: str) -> Hit:
    """Path, line and code of a hit; of a bare path the path alone."""
    match = re.match(HIT, hit)
    return (match[1], match[2] or "", match[3].strip()) if match else (hit.strip(), "", "")


def shown_hit(path: str, line: str, code: str) -> str:
    """A hit as it is shown: `folder/file:line `code``."""
    path = last_parts(path, WITH_FOLDER)
    location = f"{path}:{line}" if line else path
    code = " ".join(code.replace("`", "'").split())
    return f"{location} `{code[:CODE_MAX_CHARACTERS]}`" if code else location


def shown_hits(hits: Sequence[Hit]) -> list[str]:
    """Hits as they are shown; those with the same code as one, behind all their locations."""
    locations: dict[str, list[str]] = {}
    for path, line, code in hits:
        locations.setdefault(code, []).append(shown_hit(path, line, ""))
    return [f"{', '.join(of_code)}{shown_hit('', '', code)}" for code, of_code in locations.items()]


def is_comment(code: str) -> bool:
    """Whether a line of code is a comment."""
    return code.startswith(COMMENTS) and not code.startswith(NO_COMMENTS)


def is_definition(code: str) -> bool:
    """Whether a line of code defines something."""
    return re.match(DEFINITION, code) is not None


def is_definition_of(code: str, name: str) -> bool:
    """Whether a line of code defines the name."""
    match = re.match(DEFINITION, code) if name in code else None
    return bool(match and match[1] == name)


def is_side_line(path: str, code: str) -> bool:
    """Whether a hit stands in a test, a document or a comment: shown where there are no others."""
    return bool(re.search(TEST_PATH, path) or re.search(DOCUMENT_PATH, path) or is_comment(code))


def searches(items: Sequence[Item]) -> list[Item]:
    """The searches with hits, the newest first."""
    return [item for item in reversed(items) if item["kind"] == "look" and item.get("hits")]


# ==================================================================================================
# recap/lines/looks.py: What was looked at: files that were read, searches, commands that only look, each with what it showed.
# ==================================================================================================

LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, OUTPUT_SHOWN_UTF16 = 120, 240, 600
LOOK_WHOLE_UTF16 = 600  # where room is left
SIBLING_FAILED = "‹tool_use_error>"  # another call of the same row failed
ONLY_WAITS = r"sleep [\d.]{1,8}[smh]?"
OTHERS_PACKAGES = "node_modules/"
GIT_STATUS = r"(?:cd \S+ && )?git status\b[^|&;]*$"
MANY_HITS = r"(?:at least )?(\d+) (?:hit|file)s?"
FAILED_READ_SHOWN_UTF16 = 60
SHOWS_ROWS, QUOTES = r"\b(?:cat|sed|head|tail|e?grep|rg|awk|nl|bat|diff)\b", "\"'"
ERRORS_HIDDEN = "2>/dev/null"
ASKS_FOR_OUTPUT = (  # none tells something: no tag, nothing changed
    r"\||\b(?:grep|rg|diff|find|ls|cat|test|check|lint|show|list|status|log)\b"
    r"|\bgit (?:tag|branch)(?: -\w+)? *(?:$|[;&])")
LARGE_FILES_MAX = 4
FILES_READ_SHOWN_UTF16 = 600
SHOWN_AGAIN_BY_CLIENT = 5  # files, those that were read or edited last
OUTPUT_OF_JOB = r"/tasks/\w+\.output$"
ROUTE_ASKED = r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:/\w[\w.-]{0,80}){2,20})"
END_OF_ROUTE = r"(?:/(?:index|route|page|\+server|\+page))?\.\w{1,6}$"  # of a file that is found by its path
NAME_LOOKED_FOR, NAMES_LOOKED_FOR_MAX, ITEMS_LOOKED_AT_MAX = r"\w{5,80}", 4, 400
# Why a look is not told, in words for the person.
SHOWS_EDITED = "looks at files that Claude edited, before or since"
LISTS_NAMES = "lists of files by name, which can be made again"
NOT_RUN = "looks that did not run, since another call beside them failed"
NOT_SHOWN = "files that were too large to be read whole"
NOTHING_OF_WORK = "waits, and looks at compact-keeper's own text"
BEFORE_COMMIT = "git's state of before a commit"
NAMED_ALREADY = "files that were only read, and that the summary or an edit names"
IS_UNCLEAR = "looks that printed nothing and hid their errors: they may have failed"
COUNT_ALONE = "searches of which only the number of hits is known"
MET_LATER = "searches that met nothing, for what was written or met later"


def is_telling_look(look: Item, items: Sequence[Item], edited: Mapping[str, int], summary: str) -> bool:
    """Whether a look shows something that still holds."""
    return not why_untold(look, items, edited, summary)


def why_untold(look: Item, items: Sequence[Item], edited: Mapping[str, int], summary: str) -> str:
    """Why a look shows nothing that still holds, in words for the person; empty where it does.

    `edited`: by the files' names and paths the position of the last edit.
    """
    why = why_nothing_is_shown(look)
    if why:
        return why
    if look["tool"] in SHELL_TOOLS and re.match(GIT_STATUS, look["text"]) and any(
            item.get("commit") and item["position"] > look["position"] for item in items):
        return BEFORE_COMMIT  # which took in what it lists
    if look.get("output"):
        return SHOWS_EDITED if are_hits_gone(look, items) else ""
    if look["tool"] == "Read":  # else nothing but the name is told
        return NAMED_ALREADY if not look["result"] and is_known_file(look["path"], edited, summary) else ""
    return why_result_is_over(look, items, edited)


def why_nothing_is_shown(look: Item) -> str:
    """Why a look shows nothing that is ever told; empty where it may.

    Which files a search by names met is not: they can be listed again, and no answer needed one.
    """
    result = look["result"]
    if look["tool"] == "Glob" and result != NO_MATCHES:
        return LISTS_NAMES
    if result.startswith(SIBLING_FAILED):
        return NOT_RUN
    if re.match(TOO_LARGE, result):  # see too_large_lines
        return NOT_SHOWN
    return NOTHING_OF_WORK if result == OWN_TEXT or re.fullmatch(ONLY_WAITS, look["text"]) else ""


def why_result_is_over(look: Item, items: Sequence[Item], edited: Mapping[str, int]) -> str:
    """Why what a search or an older command showed does not hold any more, or says nothing; empty where it does."""
    result = look["result"]
    is_of_before = look["tool"] in SHELL_TOOLS and shows_rows_of_before(look, edited)
    if is_of_before or any(name in result for name in edited if name):
        return SHOWS_EDITED  # its lines have moved, or it is a `git diff` of what the edits tell
    # Whether there was nothing or it failed nobody knows: nine such had stood in one text.
    if not result and errors_unseen(look["text"]) and look is not items[-1]:
        return IS_UNCLEAR
    if re.fullmatch(MANY_HITS, result) and not current_hits(look, edited):
        return COUNT_ALONE
    return MET_LATER if is_overtaken_search(look, items) else ""


def is_known_file(path: str, edited: Mapping[str, int], summary: str) -> bool:
    """Whether a file was edited, or is named in the summary; with its folder where another of its name was edited.

    Four of six `page.tsx` that were read had stood nowhere, since a fifth one was edited.
    """
    name = file_name(path)
    if name not in edited:
        return is_named_in(name, summary)
    is_edited = path in edited or any("/" in other and same_file(path, other) for other in edited)
    return is_edited or is_named_in(last_parts(path, 2), summary)


def shows_rows_of_before(look: Item, edited: Mapping[str, int]) -> bool:
    """Whether a command showed rows of a file that was edited after it."""
    names = {file_name(word.strip(QUOTES)) for word in look["text"].split()}
    return re.search(SHOWS_ROWS, look["text"]) is not None and any(
        edited.get(name, -1) > look["position"] for name in names if name)


def is_bare_read(look: Item) -> bool:
    """Whether nothing can be told of a look but that the main agent read the file."""
    return look["tool"] == "Read" and not (look["result"] or by_whom(look))


def files_read_lines(items: Sequence[Item], summary: str, paths: Paths) -> Iterator[Line]:
    """The files that were read and neither edited nor named in the summary, on one line; none where there are none.

    Readers lost a question on where a file lies and one on a plan of the project, which had been read and nothing more.
    """
    edited, named = last_edits(items), f"{summary}\n{names_in_lists(summary)}".replace("\\", "/")
    looks = [item for item in reversed(items) if item["kind"] == "look" and is_bare_read(item)]
    reads = [look for look in looks if is_of_project(look["path"]) and is_telling_look(look, items, edited, named)]
    if reads:
        names = [*dict.fromkeys(file_looked_at(look, paths) for look in reads)]
        unnamed = " and not named in the summary" if summary else ""
        text = f"- read{unnamed}, newest first: {cut(', '.join(joined_rows(names)), FILES_READ_SHOWN_UTF16)}"
        yield {"items": reads, "text": text}


def file_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The short files that were read and that the session did not edit since, with their rows, the newest first.

    None of those that the client itself shows again behind a compaction.
    """
    edits = last_edit_positions(items)
    again = {item["path"]: None for item in reversed(items)
             if item.get("tool") in (*CHANGING_TOOLS, "Read") and not by_whom(item)}
    shown_again = [*again][:SHOWN_AGAIN_BY_CLIENT]
    for look in reversed(items):
        if not look.get("printed") or not is_bare_read(look):
            continue
        if is_of_project(look["path"]) and look["path"] not in shown_again and not any(
                position >= look["position"] and same_file(path, look["path"]) for path, position in edits.items()):
            yield {"items": [look], "text": f"- {file_looked_at(look, paths)}: {look['printed']}"}


def is_of_project(path: str) -> bool:
    """Whether a file belongs to the project: to no package of others and not to the client."""
    if OTHERS_PACKAGES in path or CLIENT_FOLDER in path or SAVED_OUTPUTS in path:
        return False
    return not re.search(OUTPUT_OF_JOB, path)


def last_edits(items: Sequence[Item]) -> dict[str, int]:
    """By file name, and by whole path, the position of the last edit."""
    edits = [(item["path"], item["position"]) for item in items if is_file_edit(item)]
    return {name: position for path, position in edits for name in (file_name(path), path)}


def current_hits(look: Item, edited: Mapping[str, int]) -> list[str]:
    """The hits of a search without those in packages of others and in files edited since."""
    hits = [hit for hit in look.get("hits", []) if OTHERS_PACKAGES not in hit]
    return [hit for hit in hits if edited.get(file_name(hit.partition(":")[0]), -1) < look["position"]]


def are_hits_gone(look: Item, items: Sequence[Item]) -> bool:
    """Whether each row that a search met was taken away by a later edit of its file."""
    hits = [split_hit(hit) for hit in look.get("hits", [])]
    later = edits_behind(look, items) if hits else []
    return bool(later) and all(code and any(
        same_file(edit["path"], path) and code in sides_of(edit.get("change", ""))[0]
        for edit in later) for path, _, code in hits)


def hits_edited_since(look: Item, items: Sequence[Item]) -> str:
    """Which files with hits that are shown, or may be where room is left, were edited after the search."""
    is_shown = look.get("output") or look.get("printed")
    met = {split_hit(hit)[0] for hit in look.get("hits", [])} if is_shown else ()
    files = {edit["path"]: None for edit in (edits_behind(look, items) if met else ())
             if any(same_file(edit["path"], path) for path in met)}
    return edited_since(files)


def edits_behind(look: Item, items: Sequence[Item]) -> list[Item]:
    """The edits after a look, those behind it in its own row too, where the agent sent several calls at once."""
    index = next(number for number, item in enumerate(items) if item is look)
    return [edit for edit in items[index + 1:] if is_file_edit(edit)]


def too_large_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The files that Read did not show as they were too large, on one line: whoever goes on tries them whole again."""
    sizes: dict[str, str] = {}
    for look in reversed(items):
        if look["kind"] != "look" or look["tool"] != "Read" or SAVED_OUTPUTS in look["path"]:
            continue
        size = re.match(TOO_LARGE, look["result"])
        if size:
            sizes.setdefault(paths.short(look["path"]), size[1])
    shown = [f"{path} ({size})" for path, size in sizes.items()][:LARGE_FILES_MAX]
    if shown:
        yield shared_line(f"- too large for Read as a whole, when it was tried: {', '.join(shown)}")


def is_overtaken_search(search: Item, items: Sequence[Item]) -> bool:
    """Whether a search met nothing, and a name that it looked for stands in what was changed or met after it."""
    if search["result"] != NO_MATCHES:
        return False
    if search["tool"] == "Glob" and any(
            other.get("edits") and other["position"] > search["position"] and is_met_by(other["path"], search)
            for other in items):
        return True
    names = re.findall(NAME_LOOKED_FOR, search["text"])[:NAMES_LOOKED_FOR_MAX]
    later = [other for other in items[-ITEMS_LOOKED_AT_MAX:] if other["position"] > search["position"]]
    texts = [text for other in later for text in (other.get("change", ""), *other.get("hits", []))]
    return any(name in text for text in texts for name in names)


def is_met_by(path: str, search: Item) -> bool:
    """Whether a search by names meets this path, or a folder above it: that was made after a search that met none."""
    from fnmatch import fnmatchcase
    parts = [part for part in (search["path"], search["text"]) if part]
    form = "/".join(parts).removeprefix("**/")
    forms = (form, f"*/{form}", f"{form}/*", f"*/{form}/*")
    return any(fnmatchcase(path, form) for form in forms)


def route_edited_since(command: Item, edits: Mapping[str, int]) -> str:
    """Which files were edited after a command that asked a server here, and have the path that it asked for as theirs.

    `edits`: by whole paths the position of the last edit. `pages/api/rates.js` answers `/api/rates`: an answer without
    a login had stood, from before the edit that asks for one.
    """
    routes = re.findall(ROUTE_ASKED, command["text"]) if "://" in command["text"] else []
    files = [path for path, position in edits.items() if routes and position > command["position"]
             and re.sub(END_OF_ROUTE, "", path).endswith(tuple(routes))]
    return edited_since(files)


def rows_edited_since(command: Item, edits: Mapping[str, int]) -> str:
    """Which of the files whose rows a command showed were edited after it; `edits`: as `route_edited_since` has it."""
    if command["tool"] not in SHELL_TOOLS or not re.search(SHOWS_ROWS, command["text"]):
        return ""
    later = [path for path, position in edits.items()
             if position > command["position"] and file_name(path) in command["text"]]
    pieces = [shell_words(piece) for piece, _ in pieces_of(command["text"])] if later else []
    showing = [words for words in pieces if re.fullmatch(SHOWS_ROWS, program_of(words))]
    names = {word.strip(QUOTES) for words in showing for word in words[1:]}
    return edited_since(path for path in later if any(same_file(path, name) for name in names if name))


def look_line(look: Item, edited: Mapping[str, int], paths: Paths, since: str) -> Line:
    """The line of a look; its rows are the hits that still hold, behind a bare count as what was counted."""
    by = f"by {by_whom(look)}: " if by_whom(look) else ""
    shown = shown_in_short(look, paths)
    line: Line = {"items": [look], "text": f"- {by}{look_in_short(look, paths, shown)}{since}",
                  "rows": [paths.short(hit) for hit in current_hits(look, edited)]}
    if look.get("printed") or units(look["text"]) > LOOK_SHOWN_UTF16:
        printed = joined_in_text(paths.short(look["printed"])) if look.get("printed") else shown
        line["fuller"] = [f"- {by}{look_in_short(look, paths, printed, LOOK_WHOLE_UTF16)}{since}"]
    count = None if look.get("output") else re.fullmatch(MANY_HITS, look["result"])
    return {**line, "before_rows": ": ", "hits": int(count[1])} if count else line


def look_in_short(item: Item, paths: Paths, shown: str, most: int = LOOK_SHOWN_UTF16) -> str:
    """What was looked at, `most` UTF-16 units of a command, and what it showed, which is `shown`."""
    if item["tool"] in ("Read", "LS"):
        return f"Read {file_looked_at(item, paths)}"
    call = code(command_in_short(item["text"], paths), most)
    if item["tool"] not in SHELL_TOOLS:
        where = f" in {paths.short(item['path'])}" if item["path"] else ""
        files = f" ({item['files_searched']})" if "files_searched" in item else ""
        call = f"{item['tool']} {call}{where}{files}"
    is_running = text_of(item, "verdict") == "running"
    shown = shown or (f"({lacking_result(item)})" if is_running else errors_unseen(item["text"]))
    if not shown and item.get("is_silent") and re.search(ASKS_FOR_OUTPUT, item["text"]):
        shown = "(no output)"
    return f"{call} → {shown}" if shown else call


def errors_unseen(command: str) -> str:
    """What has to be said of a command without an output whose errors went nowhere: it may have failed."""
    return "(no output; errors were hidden)" if ERRORS_HIDDEN in command else ""


def file_looked_at(item: Item, paths: Paths) -> str:
    """The file or folder that was read, with why that failed or which lines it was."""
    path = paths.short(item["path"])
    if item["result"]:
        return f"{path} ({cut(item['result'], FAILED_READ_SHOWN_UTF16)})"
    return f"{path} (lines {', '.join(item['rows_read'])})" if item.get("rows_read") else path


def shown_in_short(item: Item, paths: Paths) -> str:
    """The beginning of what a search or a command showed, of the newest calls more of it."""
    output = paths.short(text_of(item, "output"))
    limit = OUTPUT_SHOWN_UTF16 if output else LOOK_RESULT_SHOWN_UTF16
    return rows_shown(output or paths.short(item["result"]), limit, is_listing=True)


# ==================================================================================================
# recap/lines/dialog_answers.py: What was chosen in the client's dialogs as lines, and what was passed over.
# ==================================================================================================

OPTION_SHOWN_UTF16, QUESTION_SHOWN_UTF16, OLD_QUESTION_SHOWN_UTF16 = 90, 220, 130


def answer_line(item: Item, ago: Ago, is_old: bool) -> Line:
    """What was chosen in a dialog, with the options passed over; what the chosen one means where room is left.

    An option is its label and what it means; the answer names several options, or has notes behind them. An old one
    stays short: a row of dialogs had filled the section, most of them overtaken by the last.
    """
    question = in_quotes(cut(item["question"], OLD_QUESTION_SHOWN_UTF16 if is_old else QUESTION_SHOWN_UTF16))
    chosen, options = folded_line(item["text"]), item.get("options", [])
    others = [option for option in options if not is_chosen(option, chosen, item.get("picks_one", False))]
    is_typed = bool(options) and len(others) == len(options)
    verb = "typed" if is_typed else "chose"
    meaning = chosen if is_old else next((option for option in options if option.startswith(f"{chosen}: ")), chosen)
    head, tail = f"- ({ago(item['last'])}) In a dialog: {question} → {verb} ", passed_over(others, is_typed)
    return {"items": [item], "text": f"{head}{in_quotes(chosen)}{tail}", "whole": f"{head}{in_quotes(meaning)}{tail}"}


def is_chosen(option: str, answer: str, picks_one: bool) -> bool:
    """Whether an answer is the option, or names it among others; "ImageGeneratorPro" is not "ImageGenerator".

    Where one alone may be picked, "Whole year, but never on holidays" is an answer of one's own, not "Whole year".
    """
    label = re.escape(option.partition(": ")[0])
    form = rf"{label}(?=$|: | \()" if picks_one else rf"(?:^|.*, ){label}(?=$|, |: | \()"
    return option.startswith(answer) or re.match(form, answer) is not None


def passed_over(options: Sequence[str], is_typed: bool = False) -> str:
    """The options that were not taken, each its label or beginning; empty when there are none.

    Of an answer in words of one's own only that they were offered: it may take one of them on a condition.
    """
    labels = [in_quotes(cut(option.partition(": ")[0], OPTION_SHOWN_UTF16)) for option in options]
    return f"; {'offered' if is_typed else 'not'} {', '.join(labels)}" if labels else ""


# ==================================================================================================
# recap/lines/rejections.py: Calls that the person rejected as lines, with what was typed beside it and whether they were made later.
# ==================================================================================================

REJECTED_SHOWN_UTF16 = 200  # of a call
REJECTED_WITH_WORDS_SECONDS, TYPED_BEFORE_SECONDS = 300, 60  # within which words came behind a rejection, or before
DONE_LATER = " (done later)"
RAN_LATER_SHOWN_UTF16 = 110  # of the command that ran
TO_FOLDER = r"^cd [^&|;]{1,300} && "


def rejected_line(refusal: Item, later: Sequence[Item], items: Sequence[Item], ago: Ago) -> Line:
    """A call that the person rejected, with the message that was typed beside it: it says what was wanted.

    `later`: the messages behind it, the next one first; what waited in the queue was typed before, and may be of
    something else.
    """
    call = cut(refusal["text"], REJECTED_SHOWN_UTF16) + ran_later(refusal["text"], refusal, items)
    text = f"Rejected without words: {call}"
    typed = ((moment(item.get("typed_at") or item["last"]) - moment(refusal["last"]), item) for item in later)
    seconds, beside = next(((at, item) for at, item in typed if at >= -TYPED_BEFORE_SECONDS), (0, None))
    if beside and seconds <= REJECTED_WITH_WORDS_SECONDS:
        text = f"Rejected: {call}{typed_next(beside, 'typed next' if seconds >= 0 else 'had just typed')}"
    return {"items": [refusal], "text": f"- ({ago(refusal['last'])}) {text}"}


def rejected_in_short(call: str, most: int) -> str:
    """A call that was rejected, in at most so many UTF-16 units; a command as code."""
    if call.startswith(COMMAND_SIGN):
        return code(call.removeprefix(COMMAND_SIGN), most)
    return middle_out(call, most)


def ran_later(call: str, refusal: Item, items: Sequence[Item]) -> str:
    """How a call that was rejected ran later without failing, in words behind it; empty where that is not certain.

    Certain it is of a command whose later text begins with it, and of an address. "Do not clone it" had stood behind a
    clone that was ordered the next day. `refusal`: the item that tells of the rejection.
    """
    if not call:
        return ""
    tool, _, given = call.partition(": ")
    command = call.removeprefix(COMMAND_SIGN)
    later = [item for item in items if item["kind"] == "action" and item["position"] > refusal["position"]
             and has_ended_well(item)]
    if not call.startswith(COMMAND_SIGN):
        is_done = any(item["tool"] == tool == "WebFetch" and f"{item['text']}, ".startswith(f"url: {given}, ")
                      for item in later)
        return DONE_LATER if is_done else ""
    texts = [folded_line(item["text"]) for item in later if item["tool"] in SHELL_TOOLS]
    if any(f"{text} && ".startswith(f"{command} && ") for text in texts):
        return DONE_LATER
    longer = next((text for text in reversed(texts)
                   if f"{re.sub(TO_FOLDER, '', text)} ".startswith(f"{command} ")), "")
    return f" (later ran: {code(longer, RAN_LATER_SHOWN_UTF16)})" if longer else ""


# ==================================================================================================
# text/ends.py: The ends of a long text: its last part, from where it may begin; its beginning and its end.
# ==================================================================================================

BEGINS_BEHIND = r"\n|[.!?] |[。！？]"  # what a line or a sentence begins behind; a list hangs on its colon


def from_beginning(end: str) -> str:
    """The end of a text from where a line or a sentence begins in its first third, else from a word on.

    Without its beginning a sentence may say the reverse: "run it on all of them" was the end of "Do not run it …".
    """
    start = re.search(BEGINS_BEHIND, end[:len(end) // 3])
    return end[start.end():] if start else behind_space(end)


def end_on_a_line(text: str, most_units: int) -> str:
    """The text on one line; of a long one its end, as UTF-16 units: there stands what it asks."""
    line = " ".join(text.split())
    return line if units(line) <= most_units else "…" + from_beginning(last_units(line, most_units - 1)).lstrip()


# ==================================================================================================
# recap/lines/answered_words.py: What stands behind a message that is not understood alone: what it picks, rejects or answers.
# ==================================================================================================

ERROR_SHOWN_UTF16 = 80  # of the API, with which a turn broke off; of a slash command
LINE_ANSWERED_UTF16 = 120  # of a question that a message answers by its number
PICKED_SHOWN_UTF16 = 220  # of a line of the agent's
FEW_WORDS = 3
COMMON_WORDS = frozenset((  # that a question and an order may share by chance
    "about also before could does done first from have here into just like look make more need next only over please "
    "same should some such take test tests than that their them then there they this those want well were what when "
    "where which will with work would write your").split())
ANSWER_MAX_CHARACTERS, QUESTION_BEFORE_UTF16 = 80, 130  # of an answer to a question, and of the question
POINTS_BACK = (r"(?i)\b(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|it|its|this|that|these|those|them|they|there"
               r"|one|ones|both|all|none|same|first|second|last|other|option|former|latter|\d{1,2}|[b-h])\b")
ENGLISH = r"(?i)\b(?:the|we|you|need|please|is|are|my|and|to)\b"  # of others it is not known which words point back
NO_SENTENCES = r"(?m)^\s*(?:[-*•+](?=\s)|[|>`~#]|\d{1,3}[.)](?=\s))"  # of a paragraph
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
REPLY = (  # a sentence that is nothing but an answer; "ok" and "thanks" may only take note of what was said
    r"(?i)(?:yes|yeah|yep|yup|sure|no|nope|rather not|not yet|not now|go ahead|do it|do so|please (?:do|don['’]?t)"
    r"|of course(?: not)?|both|neither|none|either|no preference|i (?:don['’]?t|do not) (?:know|care)|you decide"
    r"|ja|nein|lieber nicht|noch nicht|beides?|oui|non|plutôt pas|pas encore|sí|mejor no|todavía no|sim|não|ainda não"
    r"|да|нет|пока нет|лучше не надо|はい|いいえ|네|아니요|好的?|是的?|不|不要|不用)"
    r"(?:,? (?:please|thanks|thank you|bitte|danke|merci|gracias|obrigad[oa]|пожалуйста|спасибо))?[.!;。！]?")


def what_it_answers(item: Item, is_newest: bool, most: int) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Of these at most so many UTF-16 units, none of 0. Behind the newest one also where it is longer: the next step hangs
    on it. Words that ask nothing stand behind older ones of few words alone, with their closing paragraph, and no words
    that calls came behind: "yes" had stood after "All tests pass", to which it was no answer.
    """
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    certain = what_it_picks_or_follows(item, is_newest)
    if certain or not (answers and most) or is_aside:
        return certain
    if not is_newest and not is_understood_with_more(item["text"]):
        question = question_answered(item["text"], answers)
        return f" (to the agent's {in_quotes(question)})" if question else ""
    is_in_few_words = is_reply_in_few_words(item["text"])
    is_short = is_in_few_words and len(item["text"]) <= UNDERSTOOD_ALONE_CHARACTERS  # of scripts without spaces, too
    under = item.get("headings", "") if is_short and units(answers) > most else ""
    end = in_quotes(under + end_on_a_line(answers, most))
    if text_of(item, "broken_off"):
        error = in_quotes(cut(item["broken_off"], ERROR_SHOWN_UTF16))
        return f" (the turn had broken off with {error}, after the agent's {end})"
    if any(mark in end for mark in QUESTION_MARKS) or (is_newest and not item.get("is_behind_calls")):
        return f" (after the agent's {end})"
    is_reply = is_in_few_words and not item.get("is_behind_calls")
    closing = closing_paragraph(answers) if is_reply else ""
    return f" (after the agent's {in_quotes(end_on_a_line(closing, most))})" if closing else ""


def what_it_picks_or_follows(item: Item, is_newest: bool) -> str:
    """The agent's lines that a message picks or answers by their signs, or the call that was rejected before it."""
    if item.get("picks"):
        others = passed_over([option for option in item.get("options", []) if option != item["picks"]])
        return f" (picks the agent's line {in_quotes(cut(item['picks'], PICKED_SHOWN_UTF16))}{others})"
    if item.get("options"):
        return f" (to the agent's {', '.join(in_quotes(cut(line, LINE_ANSWERED_UTF16)) for line in item['options'])})"
    rejected = rejection_shown(item, is_newest)
    call = rejected_in_short(rejected, REJECTED_SHOWN_UTF16)
    return f" (after rejecting {call}{text_of(item, 'ran_later')})" if rejected else ""


def rejection_shown(item: Item, is_newest: bool) -> str:
    """The call that was rejected before a message, where that stands behind it; else empty."""
    if item.get("picks") or item.get("options"):
        return ""
    return text_of(item, "follows") if is_newest or is_understood_with_more(item["text"]) else ""


def is_understood_with_more(words: str) -> bool:
    """Whether short words may hang on what they answer: a few of them, ones that point back, or in other languages."""
    if len(words) > UNDERSTOOD_ALONE_CHARACTERS:
        return False
    if len(words.split()) <= FEW_WORDS or re.search(POINTS_BACK, words):
        return True
    return not re.search(ENGLISH, words)


def question_answered(words: str, before: str) -> str:
    """The question at the end of the words before, of a long one its end, where a message answers it; else empty.

    It does where its first sentence is an answer and no more ("Rather not. Commit it on …" says less than nothing
    without the question), and where short words, of a longer message the first sentence, take up a word of the
    question: "in metres. You may use a subagent" reads as an order of its own. Most orders behind a question answer
    nothing: of 195 longer ones three did, with its words.
    """
    question, first = last_sentence(before), re.split(SENTENCE_END, folded_line(words))[0]
    if not question.endswith(QUESTION_MARKS):
        return ""
    if not re.fullmatch(REPLY, first):
        answer = words if len(words) <= ANSWER_MAX_CHARACTERS else first
        if len(answer) > ANSWER_MAX_CHARACTERS or answer.rstrip().endswith(QUESTION_MARKS):
            return ""
        taken_up, asked_for = ({*re.findall(r"\w{4,}", text.casefold())} - COMMON_WORDS for text in (answer, question))
        if not (taken_up & asked_for or repeats_part_of(first, question)):
            return ""
    return end_on_a_line(question, QUESTION_BEFORE_UTF16)


def repeats_part_of(sentence: str, question: str) -> bool:
    """Whether the sentence, of two words or more, stands in the question: "a test first. …" to "… a test first?"."""
    answer, whole = (" ".join(re.findall(r"\w+", text.casefold())) for text in (sentence, question))
    return " " in answer and f" {answer} " in f" {whole} "


def is_reply_in_few_words(words: str) -> bool:
    """Whether a message is a few words that ask nothing: alone they say nothing."""
    return len(words.split()) <= FEW_WORDS and not ends_with_question(words)


def closing_paragraph(words: str) -> str:
    """The last paragraph of the words; empty where that is a list, a table, or code."""
    paragraph = re.split(r"\n\s*\n", words.strip())[-1]
    return "" if re.search(NO_SENTENCES, paragraph) else paragraph


# ==================================================================================================
# recap/lines/said_sentences.py: The agent's words as sentences, each with what it stands under: a heading, what leads to its list, its table's head.
# ==================================================================================================

WHOLE_SENTENCE_UTF16 = 400  # one that goes on from the one before stands with it, up to so much
HEAD_SHOWN_UTF16 = 80
TITLES_MAX = 6  # of a numbered series: of a longer one those stand alone under which something is shown
WIDE_STOPS = ("。", "！", "？", "；")  # what stands behind one keeps its blank, if it has one
WORDS_REFERRING_BACK = (
    "In that case", "In this case", "In such case", "Por isso", "Por eso", "Das ist", *(
        "Otherwise Then So Therefore Hence This That These Those It They And Or Nor Plus Both Neither Same Which "
        "Isso Isto Ela Ele Portanto Eso Esto Ello Il Elle Ils Elles Ça Cela Ceci Donc Ou Dies Dadurch Deshalb Daher "
        "Sonst Oder Questo Ciò Quindi Oppure Это Поэтому Или").split())  # "Plus the hooks.": to what?
BEGINS_REFERRING_BACK = tuple("这 那 它 此 因此 所以 否则 這 否則 これ それ この その 이것 이는 그것 그래서".split())
SECTION, BOLD_HEADING = r"#{1,6} ", r"\*\*[^*]{2,80}\*\*[^.!?]{0,40}:?$"
ANY_HEADING = rf"{SECTION}|{BOLD_HEADING}"
LIST_MEMBER = r"(?:[-•+*] |[✅❌✓✗☐☑→] ?|(?:\*\*)?\d{1,2}[.)] |\[[ x]\] )+"
SIGN_BEFORE = r"(?:[^\w\s*`|#>\"'(\[-]{1,4} ?)?"  # a picture: of two speakers the first had stood with both their words
BOLD_LEAD = rf"(?:{LIST_MEMBER})?{SIGN_BEFORE}\*\*[^*]{{2,80}}\*\*"  # of a paragraph, or a member of a list
NUMBERED_TITLE = r"(?:#{1,6} |\*\*|(?=\d{1,2}[.)] \*\*))[^\w*]*(?:\*\*)?(?P<name>[^\W\d_]{0,12}) ?(?P<number>\d{1,2})\b"
DRAWN, RULE_OF_TABLE = ("|", "├", "└", "│", "┌"), r"[|\s:-]+$"
TICK = "`"
REMARK_UTF16 = 400  # of a sentence that is shown
PARTS_LEFT_OUT, END_OF_PART = "…", r"(?:-{3,}|\*{3,})$"
TWO_GAPS = f"{PARTS_LEFT_OUT} {PARTS_LEFT_OUT}"


class Outline:
    """What the next row of the agent's words stands under: the indexes of sentences before it, -1 for none."""

    def __init__(self) -> None:
        """Under nothing."""
        self.section = self.heading = self.lead = self.table = self.lead_of_table = -1
        self.ruled = -1  # the first row of the table, once the rule below that stood there
        self.members: list[tuple[int, int]] = []  # of the list that goes on: how far each is indented, and its index
        self.list = -1  # its first member

    def above(self) -> list[int]:
        """What stands above the next row, the outermost first."""
        return [self.section, self.heading, self.lead, *(index for _, index in self.members)]

    def end_list(self) -> None:
        """Ends the list, and the bold heading that was the list's."""
        self.heading, self.lead, self.list, self.members = -1, -1, -1, []

    def begin_section(self, index: int) -> list[int]:
        """Takes in a heading of a section; it stands under none."""
        self.end_list()
        self.section = index
        return []

    def begin_part(self, index: int) -> list[int]:
        """Takes in a bold heading; returns what it stands under."""
        self.end_list()
        self.heading = index
        return [self.section]

    def take_member(self, index: int, indent: int, leads: int) -> list[int]:
        """Takes in a member of a list; `leads`: the sentence before it that ends with a colon."""
        if not self.members:
            self.lead, self.list = leads, index
        self.members = [(depth, member) for depth, member in self.members if depth < indent]
        heads = self.above()
        self.members.append((indent, index))
        return heads

    def take_drawn(self, index: int, leads: int) -> list[int]:
        """Takes in a row of a table or a tree, whose first row is its head."""
        if self.table < 0:
            self.table, self.lead_of_table = index, leads
            return [*self.above(), leads]
        return [*self.above(), self.lead_of_table, self.table]

    def take_rule(self, index: int) -> None:
        """Takes in the rule of a table, before this index: where the row above it is the table's head it is one."""
        if self.table == index - 1:
            self.ruled = self.table

    def take_row(self, row: str, index: int, leads: int, is_behind_gap: bool) -> list[int]:
        """Takes in any row; returns the indexes of what it stands under."""
        text, indent = row.strip(), len(row) - len(row.lstrip())
        is_member = mark_of(text, LIST_MEMBER) is not None
        if is_behind_gap and self.members and not is_member and not indent:
            self.end_list()
        if text.startswith(DRAWN):
            return self.take_drawn(index, leads)
        self.table = self.ruled = -1
        if mark_of(text, SECTION):
            return self.begin_section(index)
        if mark_of(text, BOLD_HEADING):
            return self.begin_part(index)
        return self.take_member(index, indent, leads) if is_member else self.above()


@lru_cache(maxsize=1_024)  # each words are looked at for each of their sentences that is chosen
def sentences_of(words: str) -> list[Sentence]:
    """The sentences of words whose rows are kept, in their order, which nobody may change."""
    sentences: list[Sentence] = []
    outline, is_code, is_behind_gap = Outline(), False, False
    rows = words.split("\n")
    fences_left = sum(map(is_fence, rows))
    for row in rows:
        text, index = row.strip(), len(sentences)
        if text == PARTS_LEFT_OUT:  # kept words are cut here: a fence may be gone, what stands around is not neighbours
            outline, is_code = Outline(), fences_left % 2 == 1
            sentences.append({"text": text, "heads": [], "is_drawn": True, "list": -1, "table": -1, "is_joined": False})
        elif text.startswith(FENCES):
            is_code, fences_left = is_code != is_fence(row), fences_left - is_fence(row)
        elif is_code:
            sentences.append({"text": text, "heads": real_heads(outline.above()), "is_drawn": True, "list": -1,
                              "table": -1, "is_joined": False})
        elif not text:
            is_behind_gap = True
        elif mark_of(text, END_OF_PART):
            outline = Outline()
        elif mark_of(text, RULE_OF_TABLE):
            outline.take_rule(index)
        else:
            leads = index - 1 if sentences and sentences[-1]["text"].rstrip("*_").endswith((":", "：")) else -1
            heads = real_heads(outline.take_row(row, index, leads, is_behind_gap))
            is_drawn = text.startswith(DRAWN)
            lead = [*heads, index] if mark_of(text, BOLD_LEAD) else heads
            parts = [text] if is_drawn else sentences_in_row(text)
            sentences += [{"text": part, "heads": lead if number else heads, "is_drawn": is_drawn,
                           "list": outline.list, "table": outline.ruled,
                           "is_joined": number > 0 and parts[number - 1].endswith(WIDE_STOPS)}
                          for number, part in enumerate(parts)]
            is_behind_gap = False
    return sentences


def is_fence(row: str) -> bool:
    """Whether code begins or ends with this row; of a row that does both neither."""
    return any(row.lstrip().startswith(fence) and row.count(fence) == 1 for fence in FENCES)


def titles_of_series(sentences: Sequence[Sentence], shown: Collection[int]) -> set[int]:
    """The titles of each short numbered series ("Step 1", "Step 2") of which one is among the sentences to be shown.

    Of three steps the second and third had come back, and of three ways the third, which was not taken.
    """
    series: dict[str, list[list[int]]] = {}
    for index, sentence in enumerate(sentences):
        title = mark_of(sentence["text"], NUMBERED_TITLE)
        if title:
            rows = series.setdefault(title["name"].casefold(), [])
            if title["number"] == "1":
                rows.append([])
            if rows and int(title["number"]) == len(rows[-1]) + 1:
                rows[-1].append(index)
    short = [titles for rows in series.values() for titles in rows if len(titles) <= TITLES_MAX]
    return {title for titles in short if not set(shown).isdisjoint(titles) for title in titles}


def mark_of(row: str, form: str) -> re.Match[str] | None:
    """The mark at the begin of a row of this form. None of the forms begins with a letter, as most rows do."""
    return None if row[:1].isalpha() else re.match(form, row)


def real_heads(heads: Sequence[int]) -> list[int]:
    """The heads without -1, each once: a bold heading may also be what leads to a list."""
    return [*dict.fromkeys(head for head in heads if head >= 0)]


def sentences_in_row(row: str) -> list[str]:
    """The sentences of a row; what goes on from the sentence before stands with it. A heading is one sentence."""
    if mark_of(row, SECTION):
        return [row]
    mark = mark_of(row, LIST_MEMBER)
    begin = mark[0] if mark else ""
    first, *others = re.split(SENTENCE_END, row[len(begin):])
    parts = [begin + first]
    for part in others:
        refers_back = part.startswith(BEGINS_REFERRING_BACK) or begins_with_word(part, WORDS_REFERRING_BACK)
        goes_on = refers_back or part[:1].islower() or parts[-1].endswith((":", ";"))
        if goes_on and units(parts[-1]) + units(part) < WHOLE_SENTENCE_UTF16:
            parts[-1] += part if parts[-1].endswith(WIDE_STOPS) else f" {part}"
        elif part:
            parts.append(part)
    return [part for part in parts if part.strip()]


def with_gaps(sentences: Sequence[Sentence], chosen: Collection[int]) -> str:
    """The chosen sentences and their heads in their order, with a mark wherever some are left out."""
    words, shown = "", set[int]()
    titles = titles_of_series(sentences, {*chosen, *(head for index in chosen for head in sentences[index]["heads"])})
    for index in sorted({*chosen, *titles}):
        text = sentences[index]["text"]
        words += f" {heads_before(sentences, index, shown)}"
        shown |= {index, *sentences[index]["heads"]}
        if sentences[index]["is_joined"] and index - 1 in shown:
            words = words.rstrip()
        words += cut_outside_code(text, REMARK_UTF16) if index in chosen else head_in_short(text)
    if shown and max(shown) < len(sentences) - 1:
        words += f" {PARTS_LEFT_OUT}"
    return words[1:].replace(TWO_GAPS, PARTS_LEFT_OUT)


def heads_before(sentences: Sequence[Sentence], index: int, shown: Collection[int]) -> str:
    """The heads of a sentence that are not `shown` yet, with a mark wherever something is left out before one."""
    text, follows = "", max(shown, default=-1) + 1
    for head in [head for head in sentences[index]["heads"] if head not in shown]:
        text += gap(follows, head) + head_in_short(sentences[head]["text"]) + " "
        follows = head + 1
    return text + gap(follows, index)


def head_in_short(text: str) -> str:
    """What stands above others, in short: of a long one the bold words with which it begins, else as much as fits."""
    lead = mark_of(text, BOLD_LEAD) if units(text) > HEAD_SHOWN_UTF16 else None
    return f"{lead[0]} {PARTS_LEFT_OUT}" if lead else cut_outside_code(text, HEAD_SHOWN_UTF16)


def cut_outside_code(text: str, most: int) -> str:
    """The text, at most so many UTF-16 units of it; a name between ticks that begins there is whole, if not too long.

    "use `Deale…" had stood where `Dealer.findOne()` was what it told.
    """
    shown = cut(text, most)
    end = text.find(TICK, len(shown) - len(PARTS_LEFT_OUT)) + len(TICK)
    if shown == text or shown.count(TICK) % 2 == 0 or not 0 < end <= 2 * most:
        return shown
    return text[:end] + (PARTS_LEFT_OUT if end < len(text) else "")


def gap(follows: int, index: int) -> str:
    """The mark for sentences that are left out before this index; empty where the sentence follows at once."""
    return f"{PARTS_LEFT_OUT} " if index > follows else ""


def words_of_sentence(sentence: str) -> list[str]:
    """The words in lower case, without signs; "that's" is two."""
    apart = sentence.lower().replace("’", "'").replace("'s ", " is ").replace("'re ", " are ")
    return [word.strip(".,;:!?()*—–-") for word in apart.split()]


# ==================================================================================================
# recap/lines/offered_ways.py: Which ways the agent offered in answer to a question, beside that question: their titles.
# ==================================================================================================

WAYS_MAX, TITLE_SHOWN_UTF16 = 6, 80
WAYS = ("option", "approach", "alternative", "opción", "opção", "opzione", "optie", "opsi", "вариант", "方案", "选项",
        "選項", "方式")
NAMED_WAY = rf"(?i)\W{{0,8}}(?:{'|'.join(WAYS)}) ?([a-h]|\d{{1,2}}|[一二三四五六])(?![^\W_])"
NUMBERED_WAY = r"\W{0,8}([A-Ha-h]|\d{1,2})[.):、]"
SIGNS_IN_ORDER = "abcdefgh", "一二三四五六"  # others are numbers
RECOMMENDED = (  # in brackets, in a heading: of headings with mere numbers it makes ways
    r"(?i)[(（]\W{0,3}(?:\w{1,12} )?(?:recommended|recomendad|empfohlen|recommandé|рекоменд|direkomendasi"
    r"|推荐|推薦|おすすめ|추천)")
NOT_MERE_WORDS = ("action", "look", "refusal", "question", "answer", "plan", "task")  # items that are no talk


def ways_offered(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message that only words answered: which ways these offered, in a bracket.

    Not where the next message picks some: it stands with these itself.
    """
    offered: dict[int, str] = {}
    message, answer = -1, ""  # the position of the last message, and the last words since; no words: none count
    for item in items:
        if is_typed(item):
            titles = [] if item.get("picks") or item.get("options") else titles_of_ways(answer)
            if message >= 0 and titles:
                ways = ", ".join(title if title == PARTS_LEFT_OUT else in_quotes(cut(title, TITLE_SHOWN_UTF16))
                                 for title in titles[:WAYS_MAX])
                offered[message] = f" (in answer the agent offered {ways})"
            message, answer = item["position"], ""
        elif item["kind"] == "said":
            answer = item["text"]
        elif item["kind"] in NOT_MERE_WORDS:
            message = -1
    return offered


def titles_of_ways(words: str) -> list[str]:
    """The titles of the ways between which an answer leaves the choice, in their order; none where it has no two.

    They are headings with "option" and a letter or number, or numbered ones of which one says that it is recommended. A
    mark stands for those between two that are not kept.
    """
    headings = [sentence["text"] for sentence in sentences_of(words)
                if not sentence["is_drawn"] and mark_of(sentence["text"], ANY_HEADING)]
    for form in (NAMED_WAY, NUMBERED_WAY):
        signed = [(place_of(match[1].lower()), heading) for heading in headings if (match := re.match(form, heading))]
        places = [place for place, _ in signed]
        is_list = len(places) > 1 and places[0] == 1 and len({*places}) == len(places)
        if is_list and (form == NAMED_WAY or any(re.search(RECOMMENDED, heading) for heading in headings)):
            titles = list[str]()
            for before, (place, heading) in zip([0, *places], signed):
                titles += [PARTS_LEFT_OUT] * (not {*range(before + 1, place)} <= {*places})
                titles.append(heading.replace("**", "").removesuffix(PARTS_LEFT_OUT).strip("#*: "))
            return titles
    return []


def place_of(sign: str) -> int:
    """Which of the ways a letter or number is the sign of, from 1 on."""
    return next((signs.index(sign) + 1 for signs in SIGNS_IN_ORDER if sign in signs), 0) or int(sign)


# ==================================================================================================
# recap/wording/quoted.py: Whether a person's words stand in the summary: in their order, or with their spelling mended.
# ==================================================================================================

WORDS_IN_A_ROW, QUOTED_SHARE = 4, 0.9  # so many of a text's rows the summary has where it quotes it
PAIR = 2  # words: such rows stay where the summary mends a message's spelling
RESPELLED_WORDS_MAX, RESPELLED_MIN_CHARACTERS, REWORDED_SHARE = 2, 4, 0.15  # the last: of pairs of words


def rows_in(text: str) -> WordRows:
    """All rows of words of a summary, by their length."""
    words = words_in(text)
    return {"rows": in_rows(words, WORDS_IN_A_ROW), "pairs": in_rows(words, PAIR), "words": frozenset(words)}


def is_quoted(text: str, summary: WordRows, share: float = QUOTED_SHARE) -> bool:
    """Whether nearly all of the words stand in the summary, in their order; of an empty text they do."""
    if not text:
        return True
    own = in_rows(words_in(text), WORDS_IN_A_ROW)
    return len(own & summary["rows"]) >= share * len(own)


def is_quoted_respelled(text: str, summary: WordRows) -> bool:
    """Whether the words stand in the summary but for what it mended there.

    A misspelled word takes two pairs of words with it, so that many may lack.
    """
    own_words = words_in(text)
    if not own_words:
        return False
    lacking = {*own_words} - summary["words"]
    if len(lacking) > RESPELLED_WORDS_MAX or not all(is_respelled(word, summary["words"]) for word in lacking):
        return False
    own = in_rows(own_words, PAIR)
    return len(own - summary["pairs"]) <= 2 * len(lacking) + REWORDED_SHARE * len(own)


def is_respelled(word: str, words: Set[str]) -> bool:
    """Whether one of the words differs from it by a few letters next to each other; never a number."""
    if len(word) < RESPELLED_MIN_CHARACTERS or not word.isalpha():
        return False
    for other in words:
        if other[0] == word[0] and abs(len(other) - len(word)) < 2:
            shared_at_both_ends = shared_beginning(other, word) + shared_beginning(other[::-1], word[::-1])
            if shared_at_both_ends >= len(word) - 2:
                return True
    return False


def pairs_of(text: str) -> Set[tuple[str, ...]]:
    """The text's pairs of words; of a single word that alone."""
    return in_rows(words_in(text), PAIR)


@lru_cache(maxsize=64)  # a message's are asked for several times, and nobody changes them
def words_in(text: str) -> list[str]:
    """The text's words in lower case."""
    return re.findall(r"\w+", text.casefold())


def in_rows(words: Sequence[str], count: int) -> Set[tuple[str, ...]]:
    """All rows of so many of the words that follow each other; of fewer words one row."""
    if len(words) < count:
        return {tuple(words)}
    return {*zip(*(words[begin:] for begin in range(count)))}  # each word with those that follow it


# ==================================================================================================
# record/words/assent.py: Words that say nothing but yes, no, or that it goes on, in the languages in which sessions were seen.
# ==================================================================================================

ASSENT_WORDS_MAX, GOING_ON_WORDS_MAX = 4, 6
ASSENT_WORDS = frozenset((
    "yes yeah yep yup y ok okay k sure please pls thanks thx go on ahead continue proceed do it that so great good "
    "cool perfect fine right correct next ja jo gerne weiter mach bitte danke genau oui d'accord vas-y continue si sí "
    "vale claro dale sigue adelante sim pode continua certo да давай хорошо продолжай はい お願いします 네 예 응 계속 "
    "好 好的 是 是的 对 對 可以 继续 繼續 行 嗯").split())
COMMIT_WORDS = frozenset("commit committe commitee コミット コミットして 提交 커밋 커밋해줘 коммит".split())
WORDS_AT_COMMIT = COMMIT_WORDS | frozenset(
    "all and changes everything it now ok okay please pls so that the then this yes alles bitte das es".split())
MARKS_AT_WORDS = ".,!?~:; "


def only_agrees(text: str) -> bool:
    """Whether the words say yes, or that it goes on, and nothing else."""
    return holds_only(text, ASSENT_WORDS, ASSENT_WORDS_MAX)


def only_orders_commit(text: str) -> bool:
    """Whether the words say to commit, and nothing of what or how."""
    return holds_any(text.casefold(), COMMIT_WORDS) and holds_only(text, WORDS_AT_COMMIT, ASSENT_WORDS_MAX)


def holds_only(text: str, known: Set[str], most: int) -> bool:
    """Whether the text has at most so many words, and all of them are known."""
    words = [word.strip(MARKS_AT_WORDS) for word in re.split(r"[\s,.，。!！]+", text.casefold()) if word]
    return 0 < len(words) <= most and {*words} <= known


# ==================================================================================================
# record/words/pasted.py: Which lines of a typed message are the person's own words, and which were pasted: output, logs, code, quotes.
# ==================================================================================================

PASTED_MAX_CHARACTERS = 40_000  # of a message, what lies behind is not looked at
LINE_LOOKED_AT_CHARACTERS = 400  # of a line: its form shows in these
DOCUMENT_MIN_LINES, DOCUMENT_MACHINE_SHARE, DOCUMENT_DISTINCT_SHARE = 8, 0.25, 0.7
LOG_MARK_EVERY_CHARACTERS, LOG_SHARE = 160, 0.5  # of a log's rows; of a text that is mostly log, by its characters
# Of the person's words behind a log's row: fewer may be the server's.
BEHIND_LOG_MIN_CHARACTERS, BEHIND_LOG_MIN_WORDS, BEHIND_LOG_LETTERS_SHARE = 100, 16, 0.7
DOCUMENT_MIN_HEADINGS = 3  # different ones, with which a text with code in it is a document
# Before each line that a runner of several programs hands on: `web:dev:`, `app-1  |`; a deployment's log: `Line 12: `.
RUNNER_NAME = r"\S{3,40}(?:[:\]>]|\s{0,12}\|)(?=\s|\Z)|Line(?= \d{1,6}: )"
BARE_PROMPT = (  # a shell's, with nothing typed behind it
    r"(?:(?:\([\w.-]{1,30}\) ){0,3}\S{1,60}@\S{1,60}[:\s].{0,200}[$#%]"
    r"|PS [A-Za-z]:\\.{0,200}>)\s*\Z")
MARK_OF_CLIENT = "⏺"  # before the agent's words on the screen
FENCE = r"\s{0,8}(?:```|~~~)"
BLOCK_BEGINS = r"\s*<([a-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>\s*\Z"  # a tag alone on its line
PROCESS_NAME = r"\([\w.:-]{1,60} pid=\d{1,9}[^()]{0,60}\)"  # before each line of one of several
MACHINE_LINE = (  # how a line begins that a program wrote
    r"\s*(?:[❯⏺⎿●✓✔✗✘×│├└┌╭╰┃━─═▶►»←↑⚠⏵✻✽∗·]"
    r"|\[?\d{4}-\d\d-\d\d[T \]]|\[?\d{1,2}:\d\d(?::\d\d|\s)|\d{1,2}/\d{1,2}/\d{2,4}[ ,]"  # moments
    r"|(?i:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},? +\d{1,2}[ ,:]"
    r"|[$%#]\s+\S|>>> |PS [A-Z]:|(?:\([\w.-]{1,30}\) ){0,3}[\w.-]{1,40}@[\w.-]{1,60}[:~ ]"
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
    rf"|{PROCESS_NAME}"
    r"|(?:#\d{1,9} )?(?:typed|ran|decided): \S|\d{1,4}\. 20\d\d-\d\d-\d\d \d"  # what recall shows
    r"|https?://\S+\s*\Z|\d{1,4}\s*[|→│+-](?:\s|\Z)|\d{2,5} {2,}\S)")
MACHINE_WITHIN = (
    r".*(?:\t|=>|&&\s*\Z|[{;]\s*\Z|\\\s*\Z|\x1b|\b\w{1,40}=[\w./:-]{1,200} \w{1,40}="
    r"|\(\d+(?:\.\d+)?m?s\)|…\s*\Z|\|[^|]{1,300}\|\s*\Z"  # the last: a table's row, words before it
    r"|[^|]{1,200} \| (?:[\da-f]{8}-[\da-f]{4}-|\S{1,64}@)[^|]{1,200} \| \S)")  # one without a frame, of a database
HTTP_ROW = r"\"[A-Z]{3,7} \S{1,300} HTTP/\d(?:\.\d)?\" \d{3}\b"
HTTP_REASON = (  # behind a status
    r" (?:OK|Created|Accepted|No Content|Found|See Other|Not Modified|Bad Request|Unauthorized|Forbidden|Not Found"
    r"|Conflict|Gone|Bad Gateway|(?:Temporary|Permanent) Redirect|Moved Permanently|Method Not Allowed"
    r"|Unprocessable (?:Entity|Content)|Too Many Requests|Internal Server Error|Service Unavailable|Gateway Timeout)\b")
LEVEL, CLOCK = "INFO|DEBUG|TRACE|WARN|WARNING|ERROR|FATAL", r"\d\d:\d\d:\d\d\b"
LOG_MARK = (  # anywhere in a row: of several that were joined to a long one, too
    rf"{PROCESS_NAME}|{HTTP_ROW}"
    r"|Traceback \(most recent|File \"[^\"]{1,300}\", line \d|\bat [\w$.<>]{1,200} ?\(\S{1,300}:\d"
    rf"|\b(?:{LEVEL}):? {{2}}")
MARK_OF_TIME = (  # where a row begins, behind a date or a level: "- at 00:00:00 run the backup" is an order
    rf"(?:^[\s\[(]*|\d{{4}}-\d\d-\d\d[T ]|\d[./][A-Z\d][a-z]{{0,2}}\d?[./]\d{{2,4}}[ :]|\b[A-Z][a-z]{{2}} [ \d]\d "
    rf"|\b(?:{LEVEL})\W{{1,4}}){CLOCK}")
BULLET = r"\s{0,12}(?:[-*•–+]|\d{1,2}[.)]|\(?[a-zA-Z\d][.)])\s+\S"
HEADING, SUBHEADING = r"\s{0,3}#{1,6}\s+\S", r"#{2,6} \S"  # one sign alone begins a comment, too


@lru_cache(maxsize=64)  # the same long messages are asked for by the task, by what came since, by the thread
def is_document(text: str) -> bool:
    """Whether most lines of a long message are headings, members of lists, sentences: an order written elsewhere.

    What a program wrote is none, nor what was copied from a terminal up to its next prompt, nor a copied page, whose
    buttons stand in each of its rows. A document's lines may be pasted too, but they say what is to be done.
    """
    if re.match(BARE_PROMPT, text.rstrip().rpartition("\n")[2]):
        return False
    text = text[:PASTED_MAX_CHARACTERS]
    if text.lstrip().startswith(MARK_OF_CLIENT):  # the answer of another session, copied from its screen
        return False
    if sum(len(line) for line in text.splitlines() if is_log(line)) > LOG_SHARE * len(text):
        return False
    lines = lines_besides_code(text)
    if len(lines) < DOCUMENT_MIN_LINES or len({*lines}) < DOCUMENT_DISTINCT_SHARE * len(lines):
        return False
    by_program = sum(map(is_programs_line, lines))
    names = [name[0] for line in lines if (name := re.match(RUNNER_NAME, line))]
    by_runner = max(map(names.count, {*names}), default=0)
    return by_program <= DOCUMENT_MACHINE_SHARE * len(lines) and by_runner <= len(lines) // 2


def lines_besides_code(text: str) -> list[str]:
    """The heads of a text's lines, without empty ones; of one with its own headings without code either.

    That stands in a fence, or indented. A ticket had been taken for output from its first block of code on, and what it
    forbids stood below.
    """
    lines = text.splitlines()
    walls = walled(lines, text)
    headings = {line for line, is_walled in zip(lines, walls) if not is_walled and re.match(SUBHEADING, line)}
    if len(headings) >= DOCUMENT_MIN_HEADINGS:
        lines = [line for line, is_walled in zip(lines, walls) if not (is_walled or line.startswith(("  ", "\t")))]
    return [head_of(line) for line in lines if line.strip()]


def head_of(line: str) -> str:
    """The part of a line that tells its form, long gaps shortened."""
    return re.sub(r"\s{12,}", " " * 12, line[:LINE_LOOKED_AT_CHARACTERS])


def walled(lines: list[str], text: str) -> list[bool]:
    """Of each line whether it stands in a fence or between a tag alone on its line and the end of that tag."""
    walls, fence, tag = [], "", ""
    ends = set(re.findall(r"</([a-z][\w:-]{0,40})>", text)) if "</" in text else set[str]()
    ends.add(PASTE_NAME)  # the ledger's words may be cut before its end
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


def is_machine_line(line: str) -> bool:
    """Whether nobody types a line of this form: a program wrote it, or it is a document's heading."""
    return is_programs_line(line) or re.match(HEADING, line) is not None


def is_programs_line(line: str) -> bool:
    """Whether a program wrote the line, by its form; a document's heading is none of its lines."""
    return bool(re.match(MACHINE_LINE, line) or re.match(MACHINE_WITHIN, line))


def is_log(line: str) -> bool:
    """Whether the line is of a log or a traceback, or several of their rows on one."""
    mark = LOG_MARK if re.match(BULLET, line) else f"{LOG_MARK}|{MARK_OF_TIME}"
    marks = sum(1 for _ in re.finditer(mark, line))
    return marks > 0 and marks * LOG_MARK_EVERY_CHARACTERS >= len(line)


def words_behind_log(line: str) -> str:
    """What the person typed behind a pasted row of a server's log, on the same line; mostly empty.

    `"GET /zones HTTP/1.1" 403 Forbidden you must check that …`: a whole order had gone with the log.
    """
    row = next(reversed([*re.finditer(rf"{HTTP_ROW}(?:{HTTP_REASON})?", line)]), None) if " HTTP/" in line else None
    words = line[row.end():].strip() if row else ""
    letters = sum(sign.isalpha() or sign == " " for sign in words)
    is_typed = (len(words) >= BEHIND_LOG_MIN_CHARACTERS and words[0].isalpha()
                and len(words.split()) >= BEHIND_LOG_MIN_WORDS
                and letters >= BEHIND_LOG_LETTERS_SHARE * len(words))
    is_log_too = is_typed and (re.search(f"{LOG_MARK}|{CLOCK}", words) or is_machine_line(head_of(words)))
    return words if is_typed and not is_log_too else ""


# ==================================================================================================
# recap/lines/typed_words.py: What the person typed as lines: messages, the newest first.
# ==================================================================================================

RECENT_MESSAGES, OLD_WORDS_MAX_UTF16 = 6, 200  # the first: of those that are understood alone
ANSWERED_UTF16, ANSWERED_BY_NEWEST_UTF16 = 220, 400  # of what a message answers
PASTE_IN_SHORT = rf"(?m)^(\[\d{{1,6}}{PASTED_LINES}): .{{1,200}}\]$"
RECENT_ANSWERS = 4  # of dialogs
SEVERAL_GAPS = r"\n(?:[^\S\n]*\n){2,}"  # empty rows: one parts as well
LAID_OUT = r"\S {3,}\S|^(?: {2,}|\t)\S|[│┌└├─╭╰|]"  # of a row
PIECE_MAX_CHARACTERS, PIECE_SECONDS = 120, 60  # of what was typed in pieces; between two of them
BEHIND_INTERRUPT_SECONDS = 120  # until the words that say why
TYPED_AGAIN_MIN_CHARACTERS, MENDED_MIN_CHARACTERS = 30, 100
ASSENTS_KEPT = 3  # lines, the newest, among which a mere assent stands
ANSWERED_HEADING, HEADINGS_SHOWN, HEADING_SHOWN_UTF16 = r"#{1,6} ", 2, 60


def message_lines(items: Sequence[Item], ago: Ago, room: MessageRoom) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers."""
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    # The newest long message is mostly the order that the short ones behind it are about.
    orders = [item for item in items if is_typed(item) and len(item["text"]) >= ORDER_MIN_CHARACTERS]
    order = orders[-1] if orders else None
    (behind_calls, behind_answers), offered = messages_behind_steps(items), ways_offered(items)
    headings = headings_before(items)
    rejected_at = {item["text"]: moment(item["last"]) for item in items if item["kind"] == "refusal"}
    is_settled = False  # whether something was typed or chosen later
    later: list[Item] = []  # the messages that came after the present item, the next one first
    refused = ""  # the call whose rejection that one names
    understood_alone = answered = 0  # how many of such messages, and of answers, came later
    for item in reversed(items):
        if is_typed(item):
            is_settled = True
            is_newest = not later
            is_left_out = bool(later) and says_nothing_beside(item, later[0], rules)
            typed_at = moment(item.get("typed_at") or item["last"])
            is_late = typed_at - rejected_at.get(text_of(item, "follows"), typed_at) > REJECTED_WITH_WORDS_SECONDS
            whole: Item = {**item, "follows": "" if is_late else text_of(item, "follows"),
                           "is_behind_calls": item["position"] in behind_calls,
                           "headings": headings.get(item["position"], "")}
            whole["ran_later"] = ran_later(item.get("refused") or text_of(whole, "follows"), item, items)
            later, refused = [item, *later], "" if is_left_out else rejection_shown(whole, is_newest)
            if is_left_out:
                continue
            is_old = understood_alone >= RECENT_MESSAGES
            words_max, answered_max = room_of_message(item, room, is_newest, item is order, is_old)
            if item["position"] in behind_answers:
                whole["answers"] = ""
            ways = offered.get(item["position"], "")
            line: Line = {**message_line(whole, ago, (words_max, answered_max), is_newest, ways), "items": [item]}
            if is_old:  # with what it answers, where room is left at last
                fuller = message_line(whole, ago, (words_max, ANSWERED_UTF16), False, ways)
                line["fuller"] = [tagged(fuller.get("whole", ""), item)]
            yield line
            if len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS:
                understood_alone += 1
        elif item["kind"] == "answer":
            is_settled = True
            answered += 1
            yield answer_line(item, ago, answered > RECENT_ANSWERS)
        elif item["kind"] == "refusal" and item["text"] != refused:
            is_question_settled = is_settled and item["text"].startswith(REFUSED_QUESTION)
            if not is_question_settled:
                yield rejected_line(item, later, items, ago)


def headings_before(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message the last headings of the agent's words before it, for a reply in few words.

    "lets try it!" had stood behind the closing question alone, which named nothing of what was to be tried.
    """
    headings, words = dict[int, str](), ""
    for item in items:
        if item["kind"] == "said":
            words = item["text"]
        elif is_typed(item):
            rows = [row.strip() for row in words.splitlines() if re.match(ANSWERED_HEADING, row)]
            headings[item["position"]] = "".join(f"{cut(row, HEADING_SHOWN_UTF16)} " for row in rows[-HEADINGS_SHOWN:])
            words = ""
    return headings


def messages_behind_steps(items: Sequence[Item]) -> tuple[set[int], set[int]]:
    """The positions of the messages before which the agent made calls behind its words; of those behind an answer.

    Another message came before these, on which the agent went to work without a word: "I misclicked" had stood as the
    answer to a question that had its answer. None before the oldest words that are kept: older calls are kept.
    """
    behind_calls, behind_answers = set[int](), set[int]()
    has_said = has_called = has_answer = is_settled = False
    for item in items:
        if item["kind"] == "said":
            has_said, has_called, has_answer, is_settled = True, False, False, False
        elif item["kind"] in ("action", "look", "refusal") and not item.get("by_agent"):
            has_called = has_called or (has_said and item["kind"] != "refusal")
            is_settled = has_answer
        elif is_typed(item):
            behind_calls |= {item["position"]} if has_called else set()
            behind_answers |= {item["position"]} if is_settled else set()
            has_answer = has_answer or (has_said and item.get("via") in ("prompt", "interrupt"))
    return behind_calls, behind_answers


def says_nothing_beside(item: Item, later: Item, rules: Collection[str]) -> bool:
    """Whether a message has no words, is a rule alone that was no choice, or was typed anew as the next one."""
    is_choice = item.get("refused") or item.get("picks")
    is_rule_alone = not is_choice and folded_line(item["text"]) in rules
    return is_wordless(item["text"]) or is_rule_alone or is_typed_again(item, later["text"])


def room_of_message(item: Item, room: MessageRoom, is_newest: bool, is_order: bool, is_old: bool) -> tuple[int, int]:
    """How many UTF-16 units of a message's words are shown, and how many of what it answers.

    The newest order has two thirds of the newest message's room. Of old messages only an assent keeps what it answers.
    """
    if is_newest:
        return room["newest"], room["answered_by_newest"]
    if is_order:
        return max(room["newest"] * 2 // 3, OLD_WORDS_MAX_UTF16), room["answered"]
    if not is_old:
        return room["earlier"], room["answered"]
    return OLD_WORDS_MAX_UTF16, room["answered"] if is_mere_assent(item) else 0


def with_pieces_joined(lines: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The lines, the newest first; messages that the person typed in pieces while the agent worked are one line.

    "changelog", "which has to incorporate any improvements", "that affect our rates" had come back in reverse order.
    """
    steps = [item for item in items if item["kind"] in ("said", "action", "look")]
    joined: list[Line] = []
    for line in lines:
        later = joined[-1]["items"] if joined else []
        if later and is_piece_before(line["items"][0], later[-1], steps):
            words = [in_quotes(rows_on_a_line(item["text"])) for item in reversed(later)]
            joined[-1] = {"items": [*later, *line["items"]], "text": ", then ".join([line["text"], *words])}
        else:
            joined.append(line)
    return joined


def without_old_assents(lines: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The lines, the newest first, without mere assents behind the newest lines: what they allowed was done since.

    One to a question stays: "yes" to "May I push the tag?" is why that was tried. A mere "commit" that was obeyed does
    not: the commit stands among the others.
    """
    kept, obeyed = [*lines[:ASSENTS_KEPT]], obeyed_orders_to_commit(items)
    for line in lines[ASSENTS_KEPT:]:
        if obeyed.issuperset(item["position"] for item in line["items"]):
            continue
        answers_question = any(last_sentence(text_of(item, "answers")).endswith(QUESTION_MARKS)
                               for item in line["items"])
        if answers_question or not all(map(is_mere_assent, line["items"])):
            kept.append(line)
    return kept


def obeyed_orders_to_commit(items: Sequence[Item]) -> set[int]:
    """The positions of messages that say to commit and no more, before whose next one a commit was made."""
    steps = [item for item in items if item["kind"] == "message" or item.get("commit")]
    return {order["position"] for order, step in zip(steps, steps[1:])
            if order["kind"] == "message" and step.get("commit") and only_orders_commit(order["text"])}


def is_mere_assent(item: Item) -> bool:
    """Whether a message says yes, or that it goes on, and nothing else; it refuses nothing and picks no line."""
    if item["kind"] != "message" or item.get("refused") or item.get("picks") or item.get("options"):
        return False
    return only_agrees(item["text"])


def is_piece_before(item: Item, later: Item, steps: Sequence[Item]) -> bool:
    """Whether both were typed while the agent worked, which said nothing between them, or say why it was interrupted.

    Behind an interruption "Stopped. What is it?" may stand between; a step may not.
    """
    pieces = (item, later)
    is_interruption = item.get("via") == "interrupt" and is_typed(later)
    is_in_pieces = is_interruption or all(piece.get("via") == "queue" for piece in pieces)
    is_short = is_in_pieces and all(len(piece["text"]) <= PIECE_MAX_CHARACTERS for piece in pieces)
    typed_at, later_at = (moment(piece.get("typed_at") or piece["last"]) for piece in pieces)
    most = BEHIND_INTERRUPT_SECONDS if is_interruption else PIECE_SECONDS
    return (is_short and 0 <= later_at - typed_at <= most
            and not any(item["position"] < step["position"] < later["position"] for step in steps
                        if (step["kind"] == "said") != is_interruption))


def is_typed_again(item: Item, later: str) -> bool:
    """Whether the next message begins with the same words, or has nearly all of a longer one's: it was typed anew.

    An order whose turn was interrupted twice stood there three times, with a few words more each time.
    """
    words = item["text"]
    if len(words) >= TYPED_AGAIN_MIN_CHARACTERS and later.startswith(words):
        return True
    return len(words) >= MENDED_MIN_CHARACTERS and is_quoted(words, rows_in(later))


def message_line(item: Item, ago: Ago, most: tuple[int, int], is_newest: bool, behind: str = "") -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words and of what it answers; and whole.

    `behind`: what stands at its end.
    """
    words_max, answered_max = most
    when = ago(item.get("typed_at") or item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" Rejected: {item['refused']}{text_of(item, 'ran_later')}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    beside = f" (with {item['attached']}, not kept here)" if item.get("attached") else ""
    head = f"- ({when}{how}{count}) "
    beside += how_command_failed(item) + refused
    tail = f"{beside}{what_it_answers(item, is_newest, answered_max)}{behind}"
    line: Line = {"items": [item], "label": head, "tail": tail}
    words = item["text"] if is_newest else text_of(item, "own") or item["text"]
    if is_newest and is_laid_out(words):
        laid_out = re.sub(SEVERAL_GAPS, "\n\n", words.strip("\n"))
        if units(laid_out) <= words_max:
            rows = "\n  ".join(laid_out.splitlines())
            return {**line, "text": f"{head.rstrip()} as it was typed:{tail}\n  {rows}"}
    shown = words_between_logs(item, words_max) or shortened_words(without_rows_again(words), words_max)
    whole = in_quotes(rows_on_a_line(without_rows_again(item["text"])))
    return {**line, "text": f"{head}{shown}{tail}", "whole": f"{head}{whole}{tail}"}


def how_command_failed(item: Item) -> str:
    """That a slash command failed, and why; empty of other messages."""
    error = text_of(item, "command_error")
    return f" (the command failed: {in_quotes(cut(folded_line(error), ERROR_SHOWN_UTF16))})" if error else ""


def words_between_logs(item: Item, most: int) -> str:
    """The person's words around rows of a pasted log, where they are too long to stand whole: both their ends.

    With what was pasted as a count alone; empty of other messages. By both ends of all of it the log had stood there,
    and the wish in the middle had not; of the words' beginning alone what was typed behind the log was lost.
    """
    own = text_of(item, "own")
    if units(own) <= most or not any(map(words_behind_log, item["text"].splitlines())):
        return ""
    return in_quotes(middle_out(rows_on_a_line(re.sub(PASTE_IN_SHORT, r"\1]", own)), most))


def with_fewer_words(line: Line, most: int, known: str) -> Line:
    """A message's line with at most so many units of its words; `known` says where they stand besides."""
    words = shortened_words(without_rows_again(line["items"][0]["text"]), most)
    return {"items": line["items"], "text": f"{line['label']}{words}{known}{line['tail']}"}


def is_laid_out(words: str) -> bool:
    """Whether the words are laid out in rows and columns, as a drawing or code is: on one line nobody can read them."""
    rows = words.splitlines()
    return len(rows) > 2 and sum(re.search(LAID_OUT, row) is not None for row in rows) > 1


# ==================================================================================================
# recap/wording/stated.py: What lines state of the session's steps, so that no other line says it again: commands, their results, commits.
# ==================================================================================================

BEGINNING_CHARACTERS = 60  # of a command or a result, by which it is known again
RESULT_SIGN = "→ "  # before a result, which is no command


def naming(*commands: str, result: str = "") -> set[str]:
    """What a line tells that names these commands, and a result where it says that."""
    tells = {in_its_folder(command) for command in commands}
    if result:
        tells.add(RESULT_SIGN + result[:BEGINNING_CHARACTERS])
    return tells


def in_its_folder(command: str, most: int | None = None) -> str:
    """The command, its first so many characters, behind the folder into which it changes first.

    Of `cd /srv/a/long/way/to/the/folder && make` the way would be all by which it is known.
    """
    folder, _, rest = change_of_folder(rows_of_command(command))
    return f"{folder}: {rest[:most]}"


def stated_by(lines: Iterable[Line]) -> set[str]:
    """All that the lines tell of steps."""
    return {step for line in lines for step in line.get("tells", ())}


def is_named(step: Item, stated: Set[str]) -> bool:
    """Whether the step's command is among what is stated, or the commit that it made."""
    begins = [in_its_folder(step["text"], BEGINNING_CHARACTERS)]
    if step.get("commit"):
        begins.append(step["commit"])
    return any(name.startswith(tuple(begins)) for name in stated)


def is_stated(step: Item, stated: Set[str]) -> bool:
    """Whether the step is named among what is stated, or its result stands there."""
    return is_named(step, stated) or RESULT_SIGN + step["result"][:BEGINNING_CHARACTERS] in stated


# ==================================================================================================
# record/commands/seen_from_folder.py: What was done in another folder than the session works in now, with that folder.
# ==================================================================================================

NOT_IN_A_WORD = r"[\s\"'$&;|()<>*?\\]"
NAMES_ELSEWHERE = ("cd ", "$(", "`", "PWD")  # a line that may go somewhere itself, or names files in another command
INTO_FILE = r">\s*([^\s<>&]+)"
TAKES_NUMBER, BELOW_TOO = "-[ncABCm]", r"-\w*[rR]"  # options: with a number behind it; that looks into folders
FIND_BY = frozenset("-name -iname -type -maxdepth -mindepth -size -mtime -mmin -o -print -delete".split())
SEEN_FROM_ELSEWHERE = ("$", "../")  # how a path begins that is neither whole nor below the session's first folder


def seen_from_folder(items: Iterable[Item], root: str, folder: str) -> list[Item]:
    """The items; what was done in another folder than the session works in now with that folder.

    A `find app` had come back with "no such folder" though it was there: the shell had been in a folder below.
    """
    root, folder = root.rstrip("/"), folder.rstrip("/")
    items = [with_change_of_folder(item, root, folder) for item in items]
    return items if as_compared(root) == as_compared(folder) else [with_whole_path(item, root) for item in items]


def with_change_of_folder(item: Item, root: str, folder: str) -> Item:
    """The item; a command that ran in another folder than this one behind the change into it, where that counts."""
    ran_in = item.get("folder", root).rstrip("/")
    is_command = item["kind"] in ("action", "look") and item.get("tool") in SHELL_TOOLS
    if not is_command or not ran_in or as_compared(ran_in) == as_compared(folder) or goes_to_whole_path(item["text"]):
        return item
    if not counts_where_it_runs(item["text"]):
        return item
    word = f'"{ran_in}"' if re.search(NOT_IN_A_WORD, ran_in) else ran_in
    return {**item, "text": f"cd {word} && {item['text']}"}


def counts_where_it_runs(command: str) -> bool:
    """Whether a line may do another thing in another folder; not where it names whole paths alone.

    `cd web && ls /srv/rates/fees` had stood for a command that nobody typed so.
    """
    pieces = [] if holds_any(command, NAMES_ELSEWHERE) else pieces_of(command)
    return not pieces or not all(may_run_anywhere(piece) for piece, _ in pieces)


def may_run_anywhere(piece: str) -> bool:
    """Whether one command of a line certainly does the same wherever it runs."""
    words = shell_words(piece)
    program, rest = program_of(words), without_redirections(words)[1:]
    names = re.findall(INTO_FILE, piece)
    if program == "find":
        searched = [*takewhile(lambda word: not word.startswith("-"), rest)]
        if not searched or not FIND_BY.issuperset(word for word in rest if word.startswith("-")):
            return False
        names += searched
    elif program in WITH_FILES or program in WITH_FILES_BEHIND:
        behind = [word for before, word in zip([program, *rest], rest)
                  if not word.startswith("-") and not (word.isdigit() and re.fullmatch(TAKES_NUMBER, before))]
        if program in WITH_FILES_BEHIND:
            behind = behind[1:]
            if "-f" in rest:
                return False
        if not behind and (program in ("ls", "du") or any(re.match(BELOW_TOO, word) for word in rest)):
            return False
        names += behind
    elif program in WITHOUT_FILES:
        names += [word for word in rest if "*" in word and not word.startswith(("'", '"'))]
    else:
        return False
    if "/" in words[0]:
        names.append(words[0])
    return all(is_whole_path(name.strip("\"'")) for name in names)


def with_whole_path(item: Item, root: str) -> Item:
    """The item; a look at a file that is named as seen from the root with the file's whole path."""
    path = item.get("path", "")
    if item["kind"] != "look" or not path or is_whole_path(path) or path.startswith(SEEN_FROM_ELSEWHERE):
        return item
    whole = f"{root}/{path}"
    return {**item, "path": whole, "text": whole if item["text"] == path else item["text"]}


# ==================================================================================================
# record/git/parsed_calls.py: The calls of git in a command line: verb, arguments, and the folder that each is for.
# ==================================================================================================

OPTIONS_WITH_VALUE_OF_GIT = ("-C", "-c", "--git-dir", "--work-tree")  # before the verb


def git_calls(command: str, ran_in: str = "") -> list[GitCall]:
    """The calls of git in the line; their folder is that of the `cd` and `git -C` before the verb, else `ran_in`."""
    calls: list[GitCall] = []
    for piece, folder in commands_in_folders(command, ran_in):
        words = without_redirections(shell_words(piece))
        if program_of(words) != "git":
            continue
        words, own_folder = words[1:], folder
        while words and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1:
                own_folder = folder_from(own_folder, words[1].strip("\"'"))
            words = words[2:] if words[0] in OPTIONS_WITH_VALUE_OF_GIT else words[1:]
        if words:
            calls.append({"verb": words[0], "arguments": words[1:], "folder": own_folder})
    return calls


def has_call(command: str, verb: str) -> bool:
    """Whether the command has a call of git with this verb."""
    return verb in command and any(call["verb"] == verb for call in git_calls(command))


def without_options(arguments: Sequence[str]) -> list[str]:
    """The arguments that are no options."""
    return [word for word in arguments if not word.startswith("-")]


def names_in_call(event: GitEvent) -> list[str]:
    """The arguments, no options, of the call that an event's text is: `main` of `git switch main`."""
    return without_options(event["text"].split()[2:])


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


# ==================================================================================================
# record/git/taken_in.py: Which files a command line may put into git's index or into a commit.
# ==================================================================================================

ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
ADDING_VERBS = ("add", "mv", "rm", "commit", "checkout", "restore", "apply")
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"
REMOVED = r"\brm (?:-\w+ )?(\S+)"


def may_take_in_others(command: str, calls: Sequence[GitCall]) -> bool:
    """Whether a command with these calls of git may take in files that it does not name, or names behind its cut."""
    is_cut = is_cut_text(command) and any(call["verb"] == "add" for call in calls)
    return is_cut or any(map(takes_all, calls))


def takes_all(call: GitCall) -> bool:
    """Whether a call adds or commits files that it does not name."""
    pattern = {"add": ADDS_WHAT_IT_LIKES, "commit": COMMITS_ALL}.get(call["verb"], "")
    return bool(pattern) and any(re.search(pattern, word) for word in call["arguments"])


def words_naming(command: str) -> list[str]:
    """The words of a command that may name files that git takes in, or that are removed."""
    words = [word.strip("\"'") for call in git_calls(command) if call["verb"] in ADDING_VERBS
             for word in without_options(call["arguments"])]
    return [*words, *re.findall(REMOVED, command)]


# ==================================================================================================
# record/git/added_files.py: Which files a commit took in, where the calls of `git add` before it name all of them.
# ==================================================================================================

A_FILE = r".*[^/]\.\w{1,12}"  # by its name: in a folder lies any number
LEAVING_INDEX = frozenset(("blame", "branch", "cat-file", "check-ignore", "config", "describe", "diff", "fetch", "grep",
                           "log", "ls-files", "ls-remote", "ls-tree", "push", "remote", "rev-list", "rev-parse",
                           "shortlog", "show", "status", "tag"))
WITH_VALUE = r"-[a-z]*[mF]|--(?:message|file|author|date|trailer)"  # options of a commit


def name_added_files(events: Iterable[GitEvent], actions: Sequence[Item]) -> None:
    """Adds to commits the files that calls of `git add` named for them, where these are as many as git counted.

    The index may hold what was put there before: `git add notes.md` had gone before a commit of three files.
    """
    commits = {event["hash"]: event for event in events if event["what"] == "commit" and event["took_in"]}
    edited = {item["path"] for item in filter(is_file_edit, actions)} if commits else set[str]()
    added: list[str] | None = []  # since the last commit; None: not each by its name
    for ending in endings_of(actions) if commits else ():
        calls = git_calls(ending["text"]) if "git" in ending["text"] else []
        for call in calls:
            if call["verb"] == "add":
                is_whole = added is not None and not may_take_in_others(ending["text"], [call])
                added = with_files_of(call, added or [], edited) if is_whole else None
            elif call["verb"] == "commit":
                commit = commits.get(ending.get("commit", ""))
                if commit and added and takes_index(call) and not ending.get("commits_before"):
                    commit["took_in"] = with_names(commit["took_in"], added)
                added = added if ending["verdict"] in NOT_DONE and not commit else []
            elif call["verb"] not in LEAVING_INDEX:
                added = None


def files_named(commit: GitEvent) -> str:
    """What is known of a commit's files, where some are named; else empty: a count alone tells nothing."""
    took_in = commit.get("took_in", "")
    return took_in if ":" in took_in else ""


def with_files_of(call: GitCall, added: Sequence[str], edited: Set[str]) -> list[str] | None:
    """The added files with those of a further call; None where a word may be no single file."""
    files = [*added]
    for word in [word.strip("\"'") for word in call["arguments"] if not word.startswith("-")]:
        if not re.fullmatch(A_FILE, word) and not any(ends_in(path, word) for path in edited):
            return None
        if not any(same_file(word, other) for other in files):
            files.append(word)
    return files


def takes_index(call: GitCall) -> bool:
    """Whether a call of `git commit` takes in what the index holds and nothing else."""
    words, has_value = call["arguments"], False
    for word in words:
        if not has_value and (not word.startswith("-") or word in ("--", "--amend")):
            return False
        has_value = not has_value and re.fullmatch(WITH_VALUE, word) is not None
    return not may_take_in_others("", [call])


def with_names(took_in: str, files: Sequence[str]) -> str:
    """What git said of a commit's files with the names of the others, where just these are missing."""
    count = int(took_in.split(maxsplit=1)[0])
    known = [re.sub("^(?:new|no more in git): ", "", name) for name in re.split(", |; ", took_in)[1:]]
    others = [name for name in (last_parts(path, WITH_FOLDER) for path in files)
              if not any(same_file(name, other) for other in known)]
    is_all = len(files) == count == len(known) + len(others)
    if not others or not is_all or count > FILES_MAX or is_cut_text(took_in):
        return took_in
    return f"{took_in}{'; changed' if known else ''}: {', '.join(others)}"


# ==================================================================================================
# record/git/events.py: What a command line was seen to do with git or a forge: each commit, push, branch, merge, pull request.
# ==================================================================================================

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
WARNING = r"(?:^|⏎ )[Ww]arning: ([^⏎]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work
OTHER_MACHINE = r"https?://|ssh://|git@|[\w.-]+@[\w.-]+:"  # as the address of a push begins
BRANCHING_OPTIONS = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create"), "worktree": ("-b", "-B")}
PUSHING_NOTHING = frozenset(("-n", "--dry-run", "-d", "--delete"))
TAGGING_NOTHING = frozenset(
    ("-l", "--list", "-d", "--delete", "-v", "--verify", "--contains", "--points-at", "--merged"))
OPENING_REQUEST = r"\b(?:gh pr|glab mr) create\b"
FORGES_ABOUT_REQUESTS = ("gh pr", "glab mr")
ENDING_REQUEST = (r"(?:gh pr|glab mr) (?P<verb>merge|close|reopen) (?:-\S+ )*"
                  r"(?P<request>\d{1,9}|[\"']?https://\S{1,300})(?=\s|$)")
ENDS_OF_REQUEST = {"merge": "merged", "close": "closed", "reopen": ""}
OF_ANOTHER_MOMENT_OR_REPOSITORY = r"\s(?:--auto|--disable-auto|--when-pipeline-succeeds|--auto-merge|--repo|-R)\b"
ASKING_FOR_REQUEST = r"\b(?:gh pr|glab mr) (?:view|list|status|checks)\b"
REQUESTS_SEEN_MAX = 2
OPTIONS_OF_INIT = r"(?<!\S)(?:-q|--quiet|(?:-b|--initial-branch)[ =][\w./-]{1,100})(?!\S)"
OTHER_COMMIT = r"HEAD[~^@]|[0-9a-f]{7,40}$|\w+/"  # as a reset names it


def git_events(actions: Sequence[Item], root: str = "") -> list[GitEvent]:
    """All that was seen, the oldest first, nothing marked yet; `root`: the session's, where it is known."""
    endings = [ending for ending in endings_of(actions) if re.search(GIT_OR_FORGE, ending["text"])]
    published = published_outside(endings)
    return [event for ending in endings for event in git_events_of(ending, published, root)]


def published_outside(endings: Iterable[Ending]) -> Set[str]:
    """The folders outside of people's own whose commits went to another machine: work, and nothing made to try."""
    return {call["folder"] for ending in endings
            if "pushed" in ending and re.match(OTHER_MACHINE, ending["pushed"]["to"])
            for call in git_calls(ending["text"]) if call["folder"].startswith(OUTSIDE)}


def git_events_of(ending: Ending, published: Set[str], root: str) -> list[GitEvent]:
    """What a command line did, in the order of its parts; `published` are the folders outside that count."""
    ran_in = ending.get("folder", "")
    calls = git_calls(ending["text"], ran_in)
    gone_to = {call["folder"] for call in git_calls(ending["text"])} - published
    is_trial = not root.startswith(OUTSIDE) and any(folder.startswith(OUTSIDE) for folder in gone_to)
    if is_trial or any(makes_repository_elsewhere(call, ran_in, root) for call in calls):
        return []  # another repository, made to try something
    events: list[GitEvent] = []
    commits = commits_of(ending)
    for call in calls:
        at: GitEvent = {"text": " ".join(["git", call["verb"], *call["arguments"]]), "last": ending["last"],
                        "position": ending["position"], "verb": call["verb"], "folder": call["folder"]}
        if call["verb"] in COMMITTING:  # all that the line made: which of its calls made which is not told
            amends = "--amend" in call["arguments"]
            events += [{**at, **commit, "what": "commit", "pushed": "", "replaced": False, "amends": amends}
                       for commit in commits]
            commits = []
        event = event_of_call(call, at, ending)
        if event:
            events.append(event)
    request = pull_request_made(ending)
    return [*events, request] if request else events


def event_of_call(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """What the call did besides committing; None: nothing that is told."""
    if call["verb"] == "push":
        return push_event(call, at, ending)
    if call["verb"] in (*HISTORY, "stash"):
        return history_event(call, at, ending)
    if call["verb"] == "tag" and has_ended_well(ending) and makes_tag(call):
        return {**at, "what": "tag"}
    if call["verb"] in MOVING and has_ended_well(ending):
        branch = branch_made(call)
        if branch or moves_head(call):
            return {**at, "what": "branch" if branch else "moved", "branch": branch}
    return None


def push_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The push that a call was; None where nothing went out."""
    if ending["verdict"] == "not run" or PUSHING_NOTHING & {*call["arguments"]}:
        return None
    nothing: Push = {"to": "", "refs": [], "commits": ""}
    pushed = ending.get("pushed", nothing)
    is_seen = bool(pushed["to"]) or "push" in ending.get("nothing_to", ())
    if not is_seen and ending["verdict"] == "failed":
        return None
    return {**at, "what": "push", "to": where_pushed(pushed), "refs": pushed["refs"],
            "certain": is_seen or has_ended_well(ending), "remark": ending.get("remark", "")}


def history_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The merge, rebase, reset, stash or the like that a call was; None where it changed nothing."""
    waits = bool(ending.get("begun"))
    is_done = has_ended_well(ending) or waits
    if not is_done or not changes_history(call) or "pull" in ending.get("nothing_to", ()):
        return None
    what = "stash" if call["verb"] == "stash" else "history"
    return {**at, "what": what, "waits": waits, "files": ending.get("conflicts", [])}


def pull_request_made(ending: Ending) -> GitEvent | None:
    """The pull request that the line opened; None: none."""
    if not has_ended_well(ending) or not re.search(OPENING_REQUEST, ending["text"]):
        return None
    result = str(ending.get("result") or "")
    address = re.search(PULL_REQUEST, result)
    if not address:
        return None
    warned = re.search(WARNING, result)
    return {"what": "pull request", "text": address[0], "last": ending["last"], "position": ending["position"],
            "remark": warned[1].strip() if warned else ""}


def request_ended(ending: Ending) -> tuple[str, str]:
    """The pull request, by number or address, that the line merged, closed or opened again, and what it did to it.

    Empty where none is certain: with `;` or a pipe behind it the line may have ended well though this did not.
    """
    if not has_ended_well(ending) or not holds_any(ending["text"], FORGES_ABOUT_REQUESTS):
        return "", ""
    pieces = pieces_of(ending["text"])
    for index, (piece, before) in enumerate(zip(pieces, [("", ""), *pieces])):
        match = re.match(ENDING_REQUEST, piece[0])
        is_certain = before[1] != "||" and all(sign in ("&&", "") for _, sign in pieces[index:])
        if match and is_certain and not re.search(OF_ANOTHER_MOMENT_OR_REPOSITORY, piece[0]):
            return match["request"].strip("\"'"), ENDS_OF_REQUEST[match["verb"]]
    return "", ""


def pull_requests_seen(looks: Sequence[Item], events: Sequence[GitEvent]) -> dict[str, Item]:
    """The addresses of pull requests that a command asked for and showed alone, the newest first, each with its look.

    None that the session opened. An agent that goes on has the branch from git, its request's number from nowhere.
    """
    opened = {event["text"] for event in events if event["what"] == "pull request"}
    seen: dict[str, Item] = {}
    for look in reversed(looks):
        may_ask = holds_any(look["text"], FORGES_ABOUT_REQUESTS)
        asks = may_ask and re.search(ASKING_FOR_REQUEST, look["text"])
        addresses = {*re.findall(PULL_REQUEST, look["result"])} if asks else set[str]()
        if len(addresses) == 1 and not addresses & opened:
            seen.setdefault(addresses.pop(), look)
    return dict([*seen.items()][:REQUESTS_SEEN_MAX])


def commits_of(ending: Ending) -> list[GitEvent]:
    """Branch, hash, subject and files of the commits that the command made, the oldest first."""
    commits = [*ending.get("commits_before", ())]
    if ending.get("commit"):
        commits.append({"branch": ending.get("branch", ""), "hash": ending["commit"],
                        "subject": ending.get("subject", ""), "took_in": ending.get("took_in", "")})
    return [{"branch": commit["branch"], "hash": commit["hash"], "text": commit["subject"],
             "took_in": commit.get("took_in", "")} for commit in commits]


def changes_history(call: GitCall) -> bool:
    """Whether the call changes what HEAD names; a reset of files does not."""
    if call["verb"] != "reset" or "--hard" in call["arguments"]:
        return True
    return any("." not in word and re.match(OTHER_COMMIT, word) for word in call["arguments"])


def branch_made(call: GitCall) -> str:
    """The branch that a checkout, switch or new worktree makes; empty: none."""
    options = BRANCHING_OPTIONS[call["verb"]]
    for word, following in zip(call["arguments"], call["arguments"][1:]):
        if word in options:
            return following
    return ""


def makes_repository_elsewhere(call: GitCall, ran_in: str, root: str) -> bool:
    """Whether the call makes a repository in another folder than the one where the line ran, and than the root.

    The first commit of a project had stood beside "no commit in this session's commands".
    """
    if call["verb"] != "init":
        return False
    names = re.sub(OPTIONS_OF_INIT, "", " ".join(call["arguments"])).split()
    goal, *own = [whole_path(with_home(folder, root), root) for folder in (
        folder_from(call["folder"], "".join(names).strip("\"'")), ran_in, root)]
    return len(names) > 1 or goal not in own


def makes_tag(call: GitCall) -> bool:
    """Whether the call makes a tag; without a name, or with an option that lists or deletes, it does not."""
    return bool(without_options(call["arguments"])) and not TAGGING_NOTHING & {*call["arguments"]}


def moves_head(call: GitCall) -> bool:
    """Whether the call may go to another commit; a checkout of files, and a new worktree, does not."""
    return call["verb"] in ("checkout", "switch") and "--" not in call["arguments"]


# ==================================================================================================
# record/git/marked_events.py: What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.
# ==================================================================================================

RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
REF_REFUSED = r"rejected\]\s+\S{1,200}\s+-> (\S{1,200})"
OF_A_FORGE = r"\b(?:gh pr|glab mr) (?:create|merge)\b"  # they push no more than the branch where one stands
ALL_BRANCHES = ("--all", "--mirror", "--branches")  # options of a push
MAKING_COMMITS = ("am", "cherry-pick", "commit", "merge", "revert")
WITHOUT_COMMIT = r"\s--(?:abort|quit|dry-run|no-commit)\b"
MADE_NONE = r"nothing (?:added )?to commit|no changes added to commit|Already up to date|Fast-forward"
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either


def marked_events(actions: Sequence[Item], root: str = "") -> list[GitEvent]:
    """The events, the newest first; of commits their files, if they were pushed, if a later one took their place."""
    events = git_events(actions, root)
    mark_replaced(events, [action["position"] for action in actions if action.get("tool") in SUBAGENT_TOOLS])
    mark_rebased(events)
    mark_ended(events)
    mark_pushed(events)
    name_added_files(events, actions)
    mark_ended_requests(events, actions)
    return [event for event in reversed(events) if event["what"] != "moved"]


def commits_made_since(actions: Sequence[Item], position: int) -> tuple[int, bool]:
    """How many commits the commands behind a position in the session made and kept, and whether they made more.

    Those that `marked_events` lists. Of `git commit … | tail -3` the output had no row with the hash: two of three
    commits had been counted as all.
    """
    made = [event for event in marked_events(actions) if event["what"] == "commit" and event["position"] > position]
    seen = {event["position"] for event in made}
    may_be_more = any(
        action["position"] > position and makes_commits(action["text"]) and
        (action["uses"] > 1 + len(action.get("earlier", ()))  # of many runs the last ones are kept
         or any(may_have_committed(ending) for ending in endings_of([action])
                if ending["position"] > position and ending["position"] not in seen)) for action in actions)
    return len({event["hash"] for event in made if not event["replaced"]}), may_be_more


def makes_commits(command: str) -> bool:
    """Whether the command has a call of git that makes commits."""
    return "git" in command and any(
        call["verb"] in MAKING_COMMITS and not re.search(WITHOUT_COMMIT, command) for call in git_calls(command))


def may_have_committed(ending: Ending) -> bool:
    """Whether a command that makes commits may have made one, though its output names none."""
    return ending["verdict"] not in NOT_DONE and not re.search(MADE_NONE, str(ending.get("result") or ""))


def branches_gone_to(actions: Sequence[Item], root: str) -> list[GitEvent]:
    """The calls that went to a branch by its name, the oldest first, each with that branch."""
    moves: list[GitEvent] = []
    for event in git_events(actions, root):
        if event["what"] == "branch":
            moves.append(event)
        elif event["what"] == "moved":
            branch = branch_moved_to(event)
            if branch:
                moves.append({**event, "branch": branch})
    return moves


def branch_moved_to(event: GitEvent) -> str:
    """The branch that a checkout or switch names, and nothing else; empty: it may name something else."""
    names = names_in_call(event)
    return names[0] if len(names) == 1 and re.fullmatch(BRANCH_NAME, names[0]) else ""


def mark_replaced(events: Sequence[GitEvent], orders: Sequence[int]) -> None:
    """Marks commits that an amend or a reset right behind them took away: nothing between them moved HEAD.

    `orders` are the positions of subagents' orders: what these commit is not seen here.
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
            continue
        reset = re.match(RESET_OF_COMMITS, event["text"]) if event["what"] == "history" else None
        if reset:
            for _ in range(min(int(reset[1] or 1), len(line))):
                line.pop()["replaced"] = True
        elif event["what"] in ("commit", "history", "moved"):
            line.clear()


def mark_rebased(events: Sequence[GitEvent]) -> None:
    """Marks commits that were not pushed when a rebase came: it gives others hashes where there was something new."""
    unpushed: list[GitEvent] = []  # commits behind the last push that is certain
    for event in events:
        if event["what"] == "commit":
            unpushed.append(event)
        elif event["what"] == "push" and event["certain"]:
            unpushed = []
        elif is_rebase(event):
            for commit in unpushed:
                if commit["position"] < event["position"]:
                    commit["rebased"] = True


def is_rebase(event: GitEvent) -> bool:
    """Whether a rebase came to its end."""
    is_named = event["what"] == "history" and (event["verb"] == "rebase" or "--rebase" in event["text"])
    return is_named and not event.get("waits")


def mark_ended(events: Sequence[GitEvent]) -> None:
    """Takes the mark from merges and rebases that came to their end: continued, given up, or committed."""
    for index, event in enumerate(events):
        if event.get("waits"):
            event["waits"] = not any(ends_waiting(later, event) for later in events[index + 1:])


def ends_waiting(later: GitEvent, event: GitEvent) -> bool:
    """Whether a later event ends the merge or rebase that waits."""
    if later["what"] not in ("commit", "history", "stash"):
        return False
    if later["verb"] == "commit":
        return event["verb"] != "rebase"
    kinds = ("merge", "pull") if event["verb"] in ("merge", "pull") else (event["verb"],)
    return later["verb"] in (*kinds, "reset")


def mark_ended_requests(events: Sequence[GitEvent], actions: Sequence[Item]) -> None:
    """Says of each pull request that was opened how a later command ended it, by its address or its number.

    By its number where no other request that was opened has that: it may be another repository's.
    """
    requests = [event for event in events if event["what"] == "pull request"]
    for ending in endings_of(actions) if requests else ():
        request, how = request_ended(ending)
        named = [event for event in requests if request and f"/{event['text']}".endswith(f"/{request}")
                 and event["position"] < ending["position"]]
        if len(named) == 1:
            named[0]["ended"], named[0]["ended_last"] = how, ending["last"]


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for index, event in enumerate(events):
        if event["what"] != "commit":
            continue
        later = events[index + 1:]
        branch = branch_pushed_with(event, later)
        if branch is not None and not event.get("rebased"):  # then its new hash was pushed, this one not
            event["pushed"] = "yes"
            if branch:
                event["pushed_with"] = branch
        elif any(other["what"] in ("push", "pull request") for other in later):
            event["pushed"] = ""
        else:
            event["pushed"] = "no"


def branch_pushed_with(commit: GitEvent, later: Sequence[GitEvent]) -> str | None:
    """With which branch one of the later events, a push that is certain, pushed the commit; None: none did.

    Empty where it was the commit's own. A commit that main's protection refused went out by a branch made at it, and
    had been told without a word of that.
    """
    own = commit["branch"].partition(" ")[0]
    holding, is_there = [own], True  # branches that hold the commit, and whether HEAD is certainly on one of them
    for event in later:
        if are_apart(event.get("folder", ""), commit["folder"]):
            continue
        if event["what"] == "push" and event["certain"]:
            if {*ALL_BRANCHES} & {*event["text"].split()}:
                return ""
            named = branches_pushed(event)
            if own in named or (not named and is_there):
                return ""
            if with_it := [branch for branch in holding if branch in named]:
                return with_it[0]
        elif event["what"] == "branch":
            is_there = begins_at(event, holding, is_there)
            holding += [event["branch"]] if is_there else []
        elif event["what"] == "moved":
            is_there = branch_moved_to(event) in holding
        elif event["what"] == "history" and event["verb"] in ("reset", "rebase"):
            is_there = False
    return None


def begins_at(event: GitEvent, holding: Sequence[str], is_there: bool) -> bool:
    """Whether a new branch begins at a commit: where HEAD stood, or at one of the branches that hold it."""
    names = names_in_call(event)
    start = names[names.index(event["branch"]) + 1:] if event["branch"] in names else []
    if event["verb"] == "worktree":
        return False  # HEAD of the folder where the session stands does not move
    return start[0] in holding if start and start[0] != "HEAD" else is_there


def branches_pushed(push: GitEvent) -> list[str]:
    """The branches that a push names, or that its output does; none: it names none."""
    named = [name.rpartition(":")[2] for name in names_in_call(push)[1:]]
    return [name for name in named if name not in ("", "HEAD")] or push["refs"]


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it; a refused push has not."""
    endings = [ending for ending in endings_of(actions) if not is_refused_push(ending)]
    return any(re.search(PUSHING, ending["text"]) or has_push(ending["text"]) for ending in endings)


def refused_push(actions: Iterable[Item]) -> Ending | None:
    """The last push that git says was refused; None: none was."""
    return next((ending for ending in reversed(endings_of(actions)) if is_refused_push(ending)), None)


def standing_refusal(actions: Sequence[Item], events: Sequence[GitEvent]) -> GitEvent | None:
    """The last push that was refused, where no later one may have taken those commits to that branch; None: none.

    As a push, with the branch that the other side refused as `branch`, and as `remark` what was said of it. A failure
    of one's own side ("src refspec master does not match any") is of no branch: any later push overtakes it.
    """
    refused = refused_push(actions)
    if refused is None:
        return None
    said = refused["push_refused"]
    call = next(call for call in git_calls(refused["text"], refused.get("folder", "")) if call["verb"] == "push")
    ref = re.search(REF_REFUSED, said)
    refusal: GitEvent = {
        "what": "push", "text": " ".join(["git", "push", *call["arguments"]]), "last": refused["last"], "to": "",
        "position": refused["position"], "folder": call["folder"], "branch": ref[1] if ref else "", "remark": said}
    later = [event for event in events if event["what"] == "push" and event["position"] > refused["position"]]
    commands = [ending["text"] for ending in endings_of(actions) if ending["position"] > refused["position"]]
    is_overtaken = any(may_be_of(push, refusal) for push in later) or any(
        re.search(PUSHING, text) and not re.search(OF_A_FORGE, text) for text in commands)
    return None if is_overtaken else refusal


def may_be_of(push: GitEvent, refusal: GitEvent) -> bool:
    """Whether a push may be of the branch whose push was refused."""
    branches = branches_pushed(push)
    is_of_all = bool({*ALL_BRANCHES} & {*push["text"].split()})
    return is_of_all or not (branches and refusal["branch"]) or refusal["branch"] in branches


def is_refused_push(ending: Ending) -> bool:
    """Whether git says of the command's one push that it was refused, by the other side or before."""
    is_single = sum(call["verb"] == "push" for call in git_calls(ending["text"])) == 1
    return is_single and says_push_refused(ending) and not ending.get("pushed")


def says_push_refused(ending: Ending) -> bool:
    """Whether the command failed and git says of a push that it was refused; another push of the line may have gone."""
    return ending["verdict"] == "failed" and "push_refused" in ending


def has_push(command: str) -> bool:
    """Whether the command has a `git push` among its calls."""
    return has_call(command, "push")


# ==================================================================================================
# record/git/stashes.py: Stashes of git as the session's commands made them and took them back: the one module that knows these commands.
# ==================================================================================================

MAKING_STASH = ("push", "save")
TAKING_STASH = ("pop", "apply", "drop", "clear", "branch")
PUTTING_BACK_STASH = ("pop", "apply", "branch")
LEAVING_CHANGES = r"-(?:[a-oq-z]*[pS]|-patch$|-staged$|-pathspec-from-file)"  # in the working tree
MESSAGE_OPTIONS = ("-m", "--message")
QUIET_OPTIONS = ("-q", "--quiet")
NAMED_STASH = r"(?:stash@\{)?(\d{1,3})\}?$"  # its number from the top, which is 0
NOT_BACK = -1  # the position of what was never put back


def stashes_of(items: Iterable[Item]) -> list[Stash]:
    """The stashes that the session's commands made, the oldest first; `items` are actions and looks."""
    stashes: list[Stash] = []
    taken_unseen = 0  # calls that took a stash when none was seen to be made
    for ending in endings_with_stash(items):
        messages = iter(ending.get("stashed", ()))
        for call in stash_calls(ending["text"]):
            action = stash_action(call)
            if action in MAKING_STASH and makes_stash(ending):
                newest = new_stash(ending, call, messages)
                repeats = max(repeats_of(ending) - taken_unseen, 0)
                stashes += [{**newest, "is_whole": False} for _ in range(repeats)]  # made before, nobody knows where
                stashes.append(newest)
            elif action in TAKING_STASH and not was_kept(ending):
                pile = [stash for stash in stashes if stash["is_in_pile"]]
                taken_unseen += not pile
                take_from_pile(taken_by(call, pile, repeats_of(ending)), action, ending["position"])
        if ending["text"].strip() == "git stash list" and not ending.get("result"):
            for stash in stashes:
                stash["is_in_pile"] = False
    return stashes


def newest_left(stashes: Sequence[Stash]) -> Stash | None:
    """The newest stash that was certainly made here, and that no command took back; None: there is none."""
    left = [stash for stash in stashes if stash["message"] and stash["is_in_pile"] and stash["put_back"] == NOT_BACK]
    return left[-1] if left else None


def spans_away(position: int, stashes: Sequence[Stash], borders: Sequence[int]) -> list[tuple[int, int]]:
    """From where to where in the session a stash had what was edited at this position; the last may end in NOT_BACK.

    `borders`: where changes were committed or discarded, so that no later stash has them.
    """
    spans: list[tuple[int, int]] = []
    for stash in stashes:
        if not stash["is_whole"] or stash["position"] <= position:
            continue
        if position == NOT_BACK or any(position < border < stash["position"] for border in borders):
            break
        position = stash["put_back"]
        spans.append((stash["position"], position))
    return spans


def is_away(spans: Iterable[tuple[int, int]], position: int) -> bool:
    """Whether one of these stashes had the edit when the session was at that position, and gave it back."""
    return any(begin < position <= end for begin, end in spans)


def calls_on_changes(command: str) -> list[GitCall]:
    """The line's calls of git, without those that ran while a stash of the line itself had all changes."""
    calls: list[GitCall] = []
    has_stashed = False
    for call in git_calls(command):
        action = stash_action(call) if call["verb"] == "stash" else ""
        if not has_stashed or action:
            calls.append(call)
        if action in MAKING_STASH:
            has_stashed = takes_all_changes(call)
        elif action in PUTTING_BACK_STASH:
            has_stashed = False
    return calls


def stashes_all(command: str) -> bool:
    """Whether a call of the line takes all changes out of the working tree."""
    return any(stash_action(call) in MAKING_STASH and takes_all_changes(call) for call in stash_calls(command))


def runs_without_changes(command: str) -> bool:
    """Whether the line stashes all changes and runs something before it takes them back."""
    is_away = False
    for piece, _ in pieces_of(command) if "stash" in command else ():
        actions = [stash_action(call) for call in stash_calls(piece)]
        if not actions and is_away and not git_calls(piece):
            return True
        for action in actions:
            is_away = stashes_all(piece) if action in MAKING_STASH else is_away and action not in PUTTING_BACK_STASH
    return False


def stash_calls(command: str) -> list[GitCall]:
    """The line's calls of `git stash`."""
    return [call for call in git_calls(command) if call["verb"] == "stash"] if "stash" in command else []


def stash_action(call: GitCall) -> str:
    """What a call of `git stash` does: its first word, or `push`, as git takes it."""
    first = "".join(call["arguments"][:1])
    return first if first and not first.startswith("-") else "push"


def takes_all_changes(call: GitCall) -> bool:
    """Whether a call that makes a stash names no files and leaves none of the changes by an option."""
    words = call["arguments"]
    if any(re.match(LEAVING_CHANGES, word) for word in words):
        return False
    before = ["", *words]
    names = [word for word, option in zip(words, before) if not word.startswith("-") and option not in MESSAGE_OPTIONS]
    return "save" in names[:1] or names in ([], ["push"])  # what follows `save` is its message


def endings_with_stash(items: Iterable[Item]) -> list[Ending]:
    """The runs of commands with `git stash` in them, the oldest first."""
    commands = [item for item in items if "stash" in item["text"] and not item.get("path")]
    endings: list[Ending] = endings_of(item for item in commands if item["kind"] == "action")
    looks: list[Ending] = [item for item in commands if item["kind"] == "look"]
    ran = [ending for ending in (*endings, *looks) if ending.get("verdict") != "not run"]
    return sorted(ran, key=lambda ending: int(ending["position"]))


def makes_stash(ending: Ending) -> bool:
    """Whether the output says that a stash was made, or the run ended well and does not say that there was nothing."""
    has_ended = ending.get("verdict") in ENDED_WELL
    return "stashed" in ending or (has_ended and "stash" not in ending.get("nothing_to", ()))


def was_kept(ending: Ending) -> bool:
    """Whether a run that was to take a stash failed and left it in the pile."""
    return ending.get("verdict") == "failed" and ("conflicts" in ending or "is_stash_kept" in ending)


def repeats_of(ending: Ending) -> int:
    """How often the same line ran before and ended the same, nobody knows where; where ends differed, not counted."""
    return 0 if ending.get("earlier") else max(ending.get("uses", 1) - 1, 0)


def new_stash(ending: Ending, call: GitCall, messages: Iterator[str]) -> Stash:
    """The stash that a call made; its message is what git said, nothing where it said none or stood elsewhere."""
    message = "" if {*QUIET_OPTIONS} & {*call["arguments"]} else next(messages, "").strip()
    return {"command": ending["text"], "message": "" if call["folder"] else message, "folder": call["folder"],
            "last": ending["last"], "position": ending["position"], "is_whole": takes_all_changes(call),
            "is_in_pile": True, "put_back": NOT_BACK}


def taken_by(call: GitCall, pile: Sequence[Stash], repeats: int) -> Sequence[Stash]:
    """The stashes of the pile that the call took, or may have taken; `repeats` are runs of it at unknown positions."""
    numbers = [re.match(NAMED_STASH, word.strip("\"'")) for word in call["arguments"][1:] if not word.startswith("-")]
    if repeats or stash_action(call) == "clear":
        return pile
    certain = [index for index, stash in enumerate(pile) if stash["message"]]
    named = next((int(number[1]) for number in numbers if number), 0)
    if named:
        are_all_certain = len(certain) == len(pile) > named
        return [pile[-1 - named]] if are_all_certain else pile
    return pile[certain[-1]:] if certain else pile[-1:]  # on top may lie some of which it is not certain


def take_from_pile(taken: Iterable[Stash], action: str, position: int) -> None:
    """Marks the stashes as what the action at this position of the session made of them."""
    for stash in taken:
        stash["is_in_pile"] = action == "apply"
        if action in PUTTING_BACK_STASH and stash["put_back"] == NOT_BACK:
            stash["put_back"] = position


# ==================================================================================================
# record/commands/removed_paths.py: The paths of the project that a shell command took away: removed, or moved elsewhere.
# ==================================================================================================

KEPT_ON_DISK = "--cached"  # the file stays where it is
TAKES_AWAY = rf"\b(?:{'|'.join((*REMOVING_PROGRAMS, *MOVING_PROGRAMS))}) "  # most lines are not taken apart


def paths_taken_away(command: str, root: str, folder: str) -> tuple[list[str], list[str]]:
    """The paths below `root` that the command removes, then those that it moves, as seen from it.

    `folder`: where it ran, if not in the root.
    """
    removed, moved = list[str](), list[str]()
    if not re.search(TAKES_AWAY, command):
        return removed, moved
    for piece, ran_in in commands_in_folders(command, folder):
        program, names = program_and_names(without_redirections(shell_words(piece)))
        if program in REMOVING_PROGRAMS:
            removed += [path_below(root, ran_in, name) for name in names]
        elif program in MOVING_PROGRAMS:
            moved += [path_below(root, ran_in, name) for name in names[:-1]]
    return [*filter(None, removed)], [*filter(None, moved)]


def program_and_names(words: Sequence[str]) -> tuple[str, list[str]]:
    """The program, of git its subcommand, and the names that it is given; none of what git only leaves to itself."""
    program, rest = program_of(words), words[1:]
    if program == "git" and rest:
        program, rest = rest[0], rest[1:] if KEPT_ON_DISK not in rest else []
    return program, [word.strip("\"'") for word in rest if not word.startswith("-")]


# ==================================================================================================
# record/outcomes/git_output.py: What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end.
# ==================================================================================================

REFS_NAMED_MAX, REFS_KEPT_MAX = 3, 12  # of one push
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json(?:\.backup)?")
COMMIT_RANGE = r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}"


def is_key_file(path: str) -> bool:
    """Whether a file holds keys, by its name."""
    return re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is not None


# ==================================================================================================
# record/git/uncommitted.py: Edited files that are in no commit, as far as the session's commands make that certain.
# ==================================================================================================

RESETS_ALL = r"\bgit (?:reset --hard|(?:checkout|restore) \.)"  # to what is committed
NAMES_FILES = r"\bgit |\brm |\bmv "
WHOLE_STATUS = r"git status(?: (?:--short|-sb?|-b|--branch|--porcelain|-u\w*|2>&1))*$"
UNDOING = r"\brm |\bgit (?:checkout|restore) "  # of the files that the command names
DRY_RUN = "--dry-run"
COMMITS_QUIETLY = r"-[a-z]*q|--quiet$"
NOWHERE = "/dev/null"
SELDOM_FAILING_VERBS = frozenset(("add", "status", "log", "diff", "show", "rev-parse"))
HEADS_OF_STATUS = ("On branch ", "Your branch ")  # rows that name no path


def uncommitted(actions: Sequence[Item], events: Sequence[GitEvent], root: str, status: SeenStatus | None) -> list[str]:
    """The files below `root` that were edited after the last commit and not taken back, the newest first.

    `events` are the marked ones of these actions. `status` is git's, where it was seen whole: what was edited before
    and is not named there is in a commit, whoever made that.
    """
    commands = [action for action in actions if not action.get("path") and has_ended_well(action)]
    resets = [command["position"] for command in commands if resets_all(command["text"])]
    stashes = [stash for stash in stashes_of(actions) if is_below(stash["folder"], root)]
    borders = [*resets, *commit_positions(actions, events, root)]
    since = max([-1, *borders])
    undoing = [(command["position"], command["text"].split()) for command in commands
               if re.search(UNDOING, command["text"])]
    removed = removals(commands, root)
    paths = list[str]()
    for edit in edits_newest_first(actions):
        path, spans = from_root(edit["path"], root), spans_away(edit["position"], stashes, borders)
        position = spans[-1][1] if spans else edit["position"]  # where it came into the working tree last
        is_gone = position == NOT_BACK or position <= since or any(
            later > position and path in words for later, words in undoing) or is_removed(path, position, removed)
        is_here = is_below(edit["path"], root) and not path.startswith(OUTSIDE)
        if is_here and not is_gone and not is_clean(path, position, status):
            paths.append(path)
    return [*dict.fromkeys(paths)]


def are_committed_otherwise(actions: Sequence[Item]) -> bool:
    """Whether another program than git keeps the repository's versions: which files are in a commit only it says.

    With jj ten files stood as edited and in no commit that were committed, pushed and released.
    """
    return any(program_in(piece) in OTHER_VERSION_CONTROL for action in actions
               if not action.get("path") for piece, _ in pieces_of(action["text"]))


def commit_positions(actions: Sequence[Item], events: Sequence[GitEvent], root: str = "") -> list[int]:
    """Where in the session commits were made below the root, as git said or as far as nothing speaks against it."""
    seen = [event["position"] for event in events
            if event["what"] == "commit" and not event["replaced"] and is_below(event["folder"], root)]
    return [*seen, *(ending["position"] for ending in endings_of(actions) if may_commit_unseen(ending, root))]


def may_commit_unseen(ending: Ending, root: str) -> bool:
    """Whether a command may have committed below the root, and says of no commit: `git commit -q`."""
    if "commit" not in ending["text"] or ending.get("commit"):
        return False
    return (has_ended_well(ending) or may_fail_beside_commit(ending)) and commits_below(ending["text"], root)


def commits_below(command: str, root: str) -> bool:
    """Whether the command has a call of git that commits below the root."""
    commits = [call for call in git_calls(command) if call["verb"] == "commit"] if "commit" in command else []
    return any(DRY_RUN not in call["arguments"] and is_below(call["folder"], root) for call in commits)


def has_commit_without_end(actions: Sequence[Item], events: Sequence[GitEvent], root: str) -> bool:
    """Whether behind the last commit below the root a command commits of which nobody knows how it ended."""
    since = max([-1, *commit_positions(actions, events, root)])
    return any(ending["position"] > since and ending["verdict"] in END_NOT_KNOWN and not ending.get("commit")
               and commits_below(ending["text"], root) for ending in endings_of(actions))


def may_fail_beside_commit(ending: Ending) -> bool:
    """Whether what failed in a line may be another of its commands than its commit, which printed nothing of itself.

    `git commit -qm x && git push` fails with the push: an edit that stands in that commit had been told as taken back.
    """
    if ending["verdict"] == "not run":
        return False
    pieces = pieces_of(ending["text"])
    for index, (piece, sign) in enumerate(pieces):
        if not is_hidden_commit(piece, sign):
            continue
        begin, behind = first_of_chain(pieces, index), [other for other, _ in pieces[index + 1:]]
        beside = [*(other for other, _ in pieces[:begin]), *behind]
        if any(map(may_fail, beside)) and not any(may_fail(other) for other, _ in pieces[begin:index]):
            return True
        if says_push_refused(ending) and any(map(has_push, behind)):
            return True
    return False


def is_hidden_commit(piece: str, sign: str) -> bool:
    """Whether the command, with this sign behind it, commits and shows nothing of that, or may show nothing."""
    commits = [call for call in git_calls(piece) if call["verb"] == "commit"] if "commit" in piece else []
    is_away = sign in PIPES or NOWHERE in piece
    return any(is_away or any(re.match(COMMITS_QUIETLY, word) for word in call["arguments"]) for call in commits)


def may_fail(piece: str) -> bool:
    """Whether a command of a line is one that fails more than seldom."""
    program, calls = program_in(piece), git_calls(piece)
    return program not in SELDOM_FAILING and not (calls and all(call["verb"] in SELDOM_FAILING_VERBS for call in calls))


def first_of_chain(pieces: Sequence[tuple[str, str]], index: int) -> int:
    """The index of the first of the commands that must all succeed for the one at `index` to run."""
    while index and pieces[index - 1][1] == "&&":
        index -= 1
    return index


def resets_all(command: str) -> bool:
    """Whether the command makes all files what is committed, and no stash of its own has their changes meanwhile."""
    if "git " not in command or not re.search(RESETS_ALL, command):
        return False
    return any(re.match(RESETS_ALL, " ".join(["git", call["verb"], *call["arguments"]]))
               for call in calls_on_changes(command))


def is_clean(path: str, position: int, status: SeenStatus | None) -> bool:
    """Whether a status that was seen after the edit at this position does not name its file."""
    if status is None or position >= status["position"]:
        return False
    return not any(may_name(name, path) for name in status["paths"])


def status_seen(looks: Sequence[Item]) -> SeenStatus | None:
    """The newest `git status` that was seen whole; None: none was."""
    for look in reversed(looks):
        result = look.get("result", "")
        has_quoted_path = ' "' in result  # with other letters, written as numbers
        is_cut = not result or is_cut_text(result) or has_quoted_path
        if not is_cut and look["text"].startswith("git status") and re.match(WHOLE_STATUS, look["text"]):
            rows = [row.strip() for row in result.split(ROW_END)]
            paths = [row.split()[-1] for row in rows if row and not row.startswith(HEADS_OF_STATUS)]
            return {"position": look["position"], "paths": paths}
    return None


def never_added(actions: Sequence[Item], events: Sequence[GitEvent], root: str) -> list[str]:
    """The edited files that no `git add` named since though commits followed, the newest first.

    Of edits behind the last command that may have put files into a commit without their names: of everything, of a
    pattern, of a choice by hand. No file of keys: git is mostly told to ignore it. `events` has the newest first.
    """
    commands = [action for action in actions if not action.get("path") and re.search(NAMES_FILES, action["text"])]
    since = last_without_names(commands, events)
    commits = [event for event in events
               if event["what"] == "commit" and not event["replaced"] and event["position"] > since]
    if not commits or may_hold_others(commits, commands, since):
        return []
    words = [(command["position"], word) for command in commands for word in words_naming(command["text"])]
    removed, paths = removals(commands, root), list[str]()
    for path, position in first_edits([action for action in actions if action["position"] > since]):
        short = from_root(path, root)
        has_commit_behind = position < commits[0]["position"]
        is_named_behind = any(later > position and may_name(word, short) for later, word in words)
        is_gone = is_removed(short, position, removed)
        is_left_out = is_named_behind or is_gone or is_key_file(short)
        if has_commit_behind and not is_left_out and is_in_tree(path, root):
            paths.append(short)
    return paths


def removals(commands: Sequence[Item], root: str) -> list[tuple[int, str]]:
    """Where commands removed or moved a path below the root, and that path as seen from it."""
    return [(command["position"], path) for command in commands
            for paths in paths_taken_away(command["text"], root, command.get("folder", "")) for path in paths]


def is_removed(path: str, position: int, removed: Sequence[tuple[int, str]]) -> bool:
    """Whether the file, or a folder above it, was removed or moved after that position.

    Nine files of a folder that was removed whole had stood as edited and not added.
    """
    return any(later > position and is_at_or_below(path, gone) for later, gone in removed)


def first_edits(actions: Sequence[Item]) -> list[tuple[str, int]]:
    """Each edited path with the position of its first edit, that which was edited first last."""
    first = {edit["path"]: edit["position"] for edit in edits_newest_first(actions)}  # the first comes last, and stays
    return sorted(first.items(), key=lambda edit: -edit[1])


def edited_elsewhere(actions: Sequence[Item], root: str) -> list[str]:
    """The edited files outside of the root, each once, without temporary ones and plans and notes of the client's."""
    return [path for path, _ in first_edits(actions)
            if not is_below(path, root) and not path.startswith(OUTSIDE) and not holds_any(path, KEPT_BY_CLIENT)]


def is_in_tree(path: str, root: str) -> bool:
    """Whether the file lies below the root, and its name is whole, nothing hidden in it."""
    short = from_root(path, root)
    return not (is_whole_path(short) or path.startswith(OUTSIDE) or "redacted" in short.lower())


def last_without_names(commands: Sequence[Item], events: Sequence[GitEvent]) -> int:
    """Where in the session the last command stands behind which files may be committed or gone without their names.

    Of everything, a merge or rebase, a stash that was left, a reset. -1 where there is none.
    """
    left = {stash["position"] for stash in stashes_of(commands) if stash["put_back"] == NOT_BACK}
    positions = [event["position"] for event in events if event["what"] == "history"]
    positions += [command["position"] for command in commands
                  if may_take_in_others(command["text"], git_calls(command["text"])) or resets_all(command["text"])
                  or (command["position"] in left and stashes_all(command["text"]))]
    return max(positions, default=-1)


def may_hold_others(commits: Sequence[GitEvent], commands: Sequence[Item], since: int) -> bool:
    """Whether one of the commits behind that position may hold files that no command named: without an `add` before."""
    added = [command["position"] for command in commands
             if has_call(command["text"], "add")]
    before = since - 1
    for commit in reversed(commits):
        if not commit["amends"] and not any(before < position <= commit["position"] for position in added):
            return True  # somebody else put into the index what it holds
        before = commit["position"]
    return False


# ==================================================================================================
# record/git/taken_back.py: Edits that a later command of git took back: a checkout or restore of their file, a hard reset, a stash.
# ==================================================================================================

DISCARDING_VERBS = ("checkout", "restore", "reset")
NOT_DISCARDING = frozenset((  # a new branch, a choice by hand, a side of a conflict, the index alone
    "-b", "-B", "--orphan", "-t", "--track", "-p", "--patch", "--ours", "--theirs", "-m", "--merge", "-S", "--staged"))
COPYING, COPIES = ("cp", "mv"), r"\b(?:cp|mv) "
OTHER_SOURCE = ("-s", "--source")  # of a restore: than the index


def taken_back(actions: Sequence[Item], events: Sequence[GitEvent], root: str,
               folder: str) -> dict[EditKey, Discard]:
    """By the key of each edit that was taken back the command that did so.

    `events` are the marked ones of these actions; `folder` is where commands without a folder of their own ran.
    """
    commits = commit_positions(actions, events, root)
    added = [ending["position"] for ending in endings_of(actions)
             if has_call(ending["text"], "add")]
    edits = [*filter(is_file_edit, actions)]
    written = [edit for edit in edits if edit["tool"] == "Write"]
    stashes = stashes_of(actions)
    spans = {edit_key(edit): spans_away(edit["position"], stashes, commits) for edit in edits}
    back: dict[EditKey, Discard] = {}
    copied = [*files_copied(actions, folder or root)]
    for discard in [*discards_of(actions, folder or root), *stashes_left(stashes, folder or root)]:
        copied_since = {path for position, path in copied if position >= discard["position"]}
        since = max([-1, *(position for position in commits if position < discard["position"])])
        since_added = max([since, *(position for position in added if position < discard["position"])])
        new = {edit["path"] for edit in written if since < edit["position"] < discard["position"]}
        for edit in edits:
            begin = since_added if discard["is_of_index"] else since
            position = position_in_tree(edit, discard["position"], spans[edit_key(edit)], stashes)
            is_copied = bool(copied_since) and whole_path(edit["path"], root) in copied_since
            if begin < position < discard["position"] and takes(discard, edit, new, root) and not is_copied:
                back.setdefault(edit_key(edit), discard)
    return back


def files_copied(actions: Sequence[Item], base: str) -> Iterator[tuple[int, str]]:
    """Where in the session `cp` or `mv` may have made a file, and its whole path.

    A file that was put back for one build, and then its copy with the edits, had stood as taken back.
    """
    for ending in endings_of(actions):
        if not has_ended_well(ending) or not re.search(COPIES, ending["text"]):
            continue
        for piece, folder in commands_in_folders(ending["text"], ending.get("folder", "")):
            words = without_redirections(shell_words(piece))
            names = [word.strip("\"'") for word in words[1:] if not word.startswith("-")]
            if program_of(words) in COPYING and len(names) > 1:
                target = whole_path(names[-1], whole_path(folder, base))
                yield ending["position"], target
                yield from ((ending["position"], f"{target}/{file_name(name)}") for name in names[:-1])


def position_in_tree(edit: Item, position: int, spans: Sequence[tuple[int, int]], stashes: Sequence[Stash]) -> int:
    """Where the edit had come into the working tree last when the session was at that position.

    NOT_BACK where a stash had it then that was put back later, or may have had it as one of some files.
    """
    if any(edit["position"] < stash["position"] < position <= stash["put_back"] for stash in stashes):
        return NOT_BACK
    return max([edit["position"], *(end for _, end in spans if end < position)])


def takes(discard: Discard, edit: Item, new: Set[str], root: str) -> bool:
    """Whether the command is for the edit's file; a `new` one no command takes that does not name it."""
    path = whole_path(edit["path"], root)
    return path in discard["paths"] or (
        edit["path"] not in new and any(path.startswith(folder) for folder in discard["folders"]))


def discards_of(actions: Sequence[Item], base: str) -> list[Discard]:
    """The calls of git that made files what is committed or in the index, the oldest first."""
    discards: list[Discard] = []
    for ending in endings_of(actions):
        if not has_ended_well(ending) or not any(verb in ending["text"] for verb in DISCARDING_VERBS):
            continue
        for call in calls_before_commit(calls_on_changes(ending["text"])):
            folder = whole_path(call["folder"], base)
            if call["verb"] == "reset" and "--hard" in call["arguments"]:
                discards.append(new_discard(ending, call, [with_end_slash(folder)]))
            elif call["verb"] in ("checkout", "restore") and not NOT_DISCARDING & {*call["arguments"]}:
                named = [(name, whole_path(name, folder)) for name in names_of_files(call)]
                folders = [with_end_slash(path) for name, path in named if may_be_folder(name, call)]
                discards.append(new_discard(ending, call, folders, [path for _, path in named]))
    return discards


def new_discard(ending: Ending, call: GitCall, folders: list[str], paths: Sequence[str] = ()) -> Discard:
    """What a call took back: all below the folders, and the files at the paths."""
    words = call["arguments"]
    names_commit = "HEAD" in words or bool("--" in words and without_options(words[:words.index("--")]))
    has_source = any(word.startswith(OTHER_SOURCE) for word in words) and call["verb"] == "restore"
    is_of_index = call["verb"] in ("checkout", "restore") and not (names_commit or has_source)
    return {"command": " ".join(["git", call["verb"], *words]), "last": ending["last"],
            "position": ending["position"], "folders": folders, "paths": [*paths], "is_of_index": is_of_index,
            "is_stash": False}


def stashes_left(stashes: Sequence[Stash], base: str) -> list[Discard]:
    """The stashes of all changes that no command put back."""
    return [{"command": "git stash", "last": stash["last"], "position": stash["position"],
             "folders": [with_end_slash(whole_path(stash["folder"], base))], "paths": [], "is_of_index": False,
             "is_stash": True}
            for stash in stashes if stash["is_whole"] and stash["put_back"] == NOT_BACK
            and any(call["verb"] == "stash" for call in calls_before_commit(git_calls(stash["command"])))]


def calls_before_commit(calls: Iterable[GitCall]) -> list[GitCall]:
    """The calls of git in a line up to a commit: what was edited before the line no later call takes back."""
    return [*takewhile(lambda call: call["verb"] != "commit", calls)]


def names_of_files(call: GitCall) -> list[str]:
    """The arguments that may be files or folders: those behind `--` where it has that."""
    words = call["arguments"]
    return [word.strip("\"'") for word in (words[words.index("--") + 1:] if "--" in words else without_options(words))]


def may_be_folder(name: str, call: GitCall) -> bool:
    """Whether the argument may name a folder; of a checkout without `--` a word is a branch's name sooner."""
    return name.endswith(("/", ".")) or "--" in call["arguments"] or call["verb"] == "restore"


def edit_key(edit: Item) -> EditKey:
    """The position of the edit, and its file: two of one message share their position."""
    return edit["position"], edit["path"]


def with_taken_back(items: Sequence[Item], back: Mapping[EditKey, Discard]) -> list[Item]:
    """The items, of edits that were taken back with the command that did so, and where it stands."""
    discards = [back.get(edit_key(item)) if is_file_edit(item) else None for item in items]
    return [{**item, "taken_back": discard["command"], "taken_back_at": discard["position"]} if discard else item
            for item, discard in zip(items, discards)]


def with_spans_away(items: Sequence[Item], events: Sequence[GitEvent], root: str) -> list[Item]:
    """The items, of edits that a stash had for a while with from where to where that was; `items` are actions."""
    stashes = stashes_of(items)
    commits = commit_positions(items, events, root) if stashes else []
    spans = [spans_away(item["position"], stashes, commits) if is_file_edit(item) else [] for item in items]
    return [{**item, "away": of_item} if of_item else item for item, of_item in zip(items, spans)]


def with_known_discards(items: Sequence[Item], actions: Sequence[Item], state: Mapping[str, str]) -> list[Item]:
    """The items, of edits that were taken back with the command that did so, by what the session's actions tell.

    `actions` are its actions, as seen from the folder that it works in now.
    """
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    return with_taken_back(items, taken_back(actions, marked_events(actions, root), root, folder))


def files_taken_back(actions: Sequence[Item], back: Mapping[EditKey, Discard]) -> dict[str, Discard]:
    """By its path each file of which no edit stands, with the command that took back the last of them."""
    files: dict[str, Discard] = {}
    for edit in actions:
        if is_file_edit(edit) and edit_key(edit) in back:
            files[edit["path"]] = back[edit_key(edit)]
    standing = {edit["path"] for edit in actions if is_file_edit(edit) and edit_key(edit) not in back}
    return {path: discard for path, discard in files.items() if path not in standing}


def edits_between(actions: Sequence[Item], files: Mapping[str, Discard]) -> list[tuple[str, int, int]]:
    """The path of each of these files, the positions of its first edit and of the command that took back the last."""
    first: dict[str, int] = {}
    for edit in filter(is_file_edit, actions):
        first[edit["path"]] = min(edit["position"], first.get(edit["path"], edit["position"]))
    return [(path, first[path], discard["position"]) for path, discard in files.items()]


# ==================================================================================================
# recap/unshown_steps.py: The steps on record that no line is about: what was read, run or changed, and stands nowhere in the text.
# ==================================================================================================

KINDS_OF_STEPS = ("action", "look")


def steps_without_line(lines: Sequence[Line], items: Iterable[Item]) -> list[Item]:
    """The steps that none of the lines is about or names, the newest first."""
    with_line = [item for line in lines for item in line["items"]]
    calls = {item["source"] for item in with_line}
    runs = {text for item in with_line for text in item.get("same", ())}  # of several alike the line has the newest
    stated = stated_by(lines)
    steps = [item for item in items if item["kind"] in KINDS_OF_STEPS and item["source"] not in calls]
    return [step for step in reversed(steps)
            if step["text"] not in runs and not (is_command(step) and is_named(step, stated))]


def items_with_discards(snapshot: Snapshot) -> list[Item]:
    """The snapshot's items, edits that git took back with the command that did so."""
    items, state = snapshot["items"], snapshot["state"]
    seen = seen_from_folder(items, text_of(state, "root"), text_of(state, "cwd"))
    return with_known_discards(items, [item for item in seen if item["kind"] == "action"], state)


def is_command(step: Item) -> bool:
    """Whether the step is a command of a shell."""
    return step["tool"] in SHELL_TOOLS


# ==================================================================================================
# record/outcomes/mended.py: A form of a command that failed beside the form that worked: what was learned of how things are called here.
# ==================================================================================================

CALLS_BETWEEN_MAX = 7  # to the form that worked
ENDINGS_NEAR_MAX = 30  # looked at, however many earlier results stand there
RESULTS_MAX_CHARACTERS = 600
FORM_ERRORS = (  # what says that the command was not the right one, and what makes two the same; with words of each
    ("no test", r"no tests? (?:were )?found|no tests? (?:files )?(?:to run|ran|matched)|no test files found"),
    ("not found", "command not found|directory not found"),
    ("no such", "no such file or directory|no such (?:command|option|subcommand)"),
    ("no packages", "no packages to test"), ("no task", r"no task \S{1,80} found"),
    ("missing script", "missing script"), ("can't open", "can't open file"),
    ("cannot find", r"cannot find module ['\"](?:/|\w:)"),  # a script's whole path; a package's name is a dependency
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
WRONG_FOLDER = r"(?i)no such file or directory|directory not found|tasks? defined|not a git repository"
WRONG_VALUE = ("unknown", "invalid", "unrecognized", "unexpected", "illegal")  # of an option: another one is a form
NO_SUCH_PATH = "does not exist"
LACKING_WORD = ("required", "requires an", "missing arg", "missing opt", "missing flag", "must specify")
PATH_SIGN = "/"
AMOUNT = r"\d{1,4}[a-zA-Z]{0,2}$"  # `-count=1`, `--timeout 30m`
OPTION_WITH_VALUE = r"(?s)(--?\w[\w-]{0,60})=(.*)"
ALL_BELOW = "..."  # of Go's patterns
MISSING_TASK = r"\S{1,80}(?= found)"  # a task's name in what a runner says of it
WHAT_OUTPUT_GOES_THROUGH = rf"\s*(?:2>&1|\|\| true$|\| (?:{'|'.join(FILTERS)})\b[^|&;]*)"
# A compiler's, with its row and column or number; TypeScript's from 5000 on are about how it was called.
ROW_OF_ERROR = r"[(:]\d{1,6}[,:]\d{1,5}\)?:? "
COMPILE_ERROR = ROW_OF_ERROR + r"|error(?: TS(?!5\d{3}\b)\d|\[E\d)"


def mended(actions: Sequence[Item]) -> list[MendedForm]:
    """Each form that failed with the one that worked, the newest first; of failures of one kind the last."""
    endings = endings_of(actions)
    numbers = numbers_of_calls(endings, actions)
    forms: dict[tuple[str, str], MendedForm] = {}
    for index, failed in enumerate(endings):
        kind = form_error(failed)
        if kind is None or is_looking(failed["text"]):
            continue
        last_number = numbers[failed["position"]] + CALLS_BETWEEN_MAX
        near = [ending for ending in endings[index + 1:index + 1 + ENDINGS_NEAR_MAX]
                if numbers[ending["position"]] <= last_number]
        worked = next((ending for ending in near if works_instead(ending, failed, kind[0])), None)
        if worked:
            forms[kind] = {"failed": failed["text"], "result": failed["result"], "worked": worked["text"],
                           "position": failed["position"]}
    return sorted(forms.values(), key=lambda form: -form["position"])


def numbers_of_calls(endings: Sequence[Ending], actions: Sequence[Item]) -> dict[int, int]:
    """The number of each call, counted from the session's begin, by its position in the session."""
    positions = {*(ending["position"] for ending in endings), *(action["position"] for action in actions)}
    return {position: number for number, position in enumerate(sorted(positions))}


def form_error(ending: Ending) -> tuple[str, str] | None:
    """What kind of failure of its form ended the command, and of what program; None: it did not fail so."""
    result = str(ending.get("result") or "")[:RESULTS_MAX_CHARACTERS]
    if ending["verdict"] not in NOT_DONE or result.startswith(REFUSED_CALLS):
        return None
    if re.search(COMPILE_ERROR, result):  # "property does not exist": an edit mends it
        return None
    lower = result.lower()
    matches = [re.search(rf"(?i)\b(?:{pattern})", result) for words, pattern in FORM_ERRORS if words in lower]
    first = min((match for match in matches if match), key=lambda match: match.start(), default=None)
    if not first:
        return None
    if re.search(WRONG_FOLDER, first[0]):  # whatever program was started there
        return "folder", ""
    error = re.sub(MISSING_TASK, "…", first[0].lower())
    return error, next((call[0] for call in calls_of(ending["text"])), "")


def works_instead(later: Ending, failed: Ending, error: str) -> bool:
    """Whether the later command ran, is another one, and does the same to the same things as the one that failed so."""
    is_other = folded_command(later["text"]) != folded_command(failed["text"])
    if not has_run(later) or form_error(later) is not None or not is_other:
        return False
    calls, others = calls_of(failed["text"]), calls_of(later["text"])
    return bool(calls) and all(any(does_the_same(other, call, failed, error) for other in others) for call in calls)


def does_the_same(other: Sequence[str], call: Sequence[str], failed: Ending, error: str) -> bool:
    """Whether a call is the failed line's one in another form: the same program on the same things.

    None of its words may be gone but options, an option's number, and the value that the error is about; none may be
    new but options with their values, and what the error misses. Where a single word stands behind the program and
    options were replaced, these may say what is to be done: `tool.py --sum`, `tool.py --reset`.
    """
    words, other_words = words_with_options(call), words_with_options(other)
    if program_in_short(other) != program_in_short(call) or not words:
        return False
    gone = [(word, option) for word, option in words if not any(is_same_word(word, each) for each, _ in other_words)]
    gone = [(word, option) for word, option in gone if not (option and re.match(AMOUNT, word))]
    # A check whose configuration is not there runs without it; `-n web` elsewhere names another target, and is no form.
    may_be_left_out = error == NO_SUCH_PATH and failed["family"] in CHECK_FAMILIES
    left_out = options_given(call) - options_given(other) if may_be_left_out else set()
    if not all(option and names_part(failed, word) and (error.startswith(WRONG_VALUE) or option in left_out)
               for word, option in gone):
        return False
    new = [word for word, option in other_words
           if not option and not any(is_same_word(word, each) for each, _ in words)]
    if new and not error.startswith(LACKING_WORD):
        return False
    options, other_options = options_given(call), options_given(other)
    is_replaced = bool(options - other_options and other_options - options)
    return len(words) > 1 or not is_replaced or failed["family"] in CHECK_FAMILIES


def program_in_short(call: Sequence[str]) -> str:
    """The program of a call without its version: `python` and `python3.11` are one."""
    return call[0].rstrip("0123456789.")


def words_with_options(call: Sequence[str]) -> list[tuple[str, str]]:
    """The words behind the program that are no options, each with the option right before it; empty: none is."""
    return [(word, before if before.startswith("-") and before != "--" else "")
            for before, word in zip(["", *call[1:]], call[1:]) if not word.startswith("-")]


def options_given(call: Sequence[str]) -> set[str]:
    """The options of a call."""
    return {word for word in call[1:] if word.startswith("-") and word != "--"}


def is_same_word(word: str, other: str) -> bool:
    """Whether both name the same: in other quotes or letters, from another folder, one within the other's pattern."""
    short, other_short = folded_word(word), folded_word(other)
    if short == other_short:
        return True
    pairs = ((short, other_short), (other_short, short))
    return all(map(is_path, (word, other))) and any(is_path_below(*pair) or is_in_pattern(*pair) for pair in pairs)


def folded_word(word: str) -> str:
    """The word without quotes, a pattern's ends and the folder where one stands; in small letters."""
    return word.strip("\"'").strip("^$").removeprefix("./").rstrip(PATH_SIGN).lower()


def is_path(word: str) -> bool:
    """Whether the word looks like a file's or a folder's path."""
    return PATH_SIGN in word or "." in word


def is_path_below(path: str, end: str) -> bool:
    """Whether the path ends in the other one: seen from a folder above, they are the same."""
    return path.endswith(f"/{end.lstrip(PATH_SIGN)}")


def is_in_pattern(path: str, pattern: str) -> bool:
    """Whether the pattern is one of Go's, for all below a folder, and the path lies there."""
    return pattern.endswith(ALL_BELOW) and f"{path}/".startswith(pattern.removesuffix(ALL_BELOW))


def names_part(failed: Ending, word: str) -> bool:
    """Whether the result names the word, or a part of it between commas."""
    return any(part and part in failed["result"] for part in word.strip("\"'").split(","))


def has_run(ending: Ending) -> bool:
    """Whether the command ran as it was meant; tests and type checks that ran and failed show as well how they are run.

    Not one that printed an error and ended behind `head`, whose exit code says nothing.
    """
    result = str(ending.get("result") or "")
    if ending["verdict"] == "failed":
        has_found_errors = ending["family"] == "types" and re.search(ROW_OF_ERROR, result) is not None
        return has_found_errors or (ending["family"] in MAY_TEST and not result.startswith("exit "))
    return ending["verdict"] == "passed" or (ending["verdict"] == "ended" and not says_error(result))


def folded_command(command: str) -> str:
    """The command without what its output goes through."""
    if "|" in command or "2>&1" in command:
        command = re.sub(WHAT_OUTPUT_GOES_THROUGH, "", command)
    return command.strip()


def parts_of_word(word: str) -> Sequence[str]:
    """The two that `--option=value` is; any other word alone."""
    match = re.match(OPTION_WITH_VALUE, word)
    return match.groups() if match else (word,)


@lru_cache(maxsize=COMMANDS_KEPT)
def calls_of(command: str) -> list[list[str]]:
    """The calls of a line, each as its program and the words behind it, without programs that only look."""
    calls: list[list[str]] = []
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        program = program_of(words)
        if program and program not in LOOKING_PROGRAMS:
            calls.append([program, *(part for word in words[1:] for part in parts_of_word(word))])
    return calls


# ==================================================================================================
# record/outcomes/worked_later.py: Commands that failed and worked later on the same line behind something else: `pip install click && …`.
# ==================================================================================================

NOT_COMPARED = ("<<", MIDDLE_GONE, CUT_MARK)  # in a command: it has more than its words here tell
LATER_MAX = 60  # commands behind one that failed that are compared with it, the first


def worked_later(actions: Sequence[Item]) -> dict[int, str]:
    """By the position of a command that failed what stood before it where it worked later; its last such run counts.

    Empty where of a line of several commands the last one worked alone: `chmod +x a.py && ./a.py`, then `./a.py`.
    """
    commands = [item for item in actions if item["tool"] in SHELL_TOOLS and not item["path"]]
    known = dict[int, str]()
    for index, failed in enumerate(commands):
        if failed["verdict"] != "failed" or not (parts := parts_of_failed(failed["text"])):
            continue
        later = [(item, before) for item in commands[index + 1:index + 1 + LATER_MAX]
                 if item.get("folder", "") == failed.get("folder", "")
                 and ((before := what_stands_before(item["text"], parts)) or is_last_alone(item["text"], parts))]
        if later and has_worked(later[-1][0]):
            known[failed["position"]] = later[-1][1]
    return known


def has_worked(item: Item) -> bool:
    """Whether each command of the line ended well: it waited for those before it, and printed no error."""
    return has_ended_well(item) and each_waits(item["text"]) and not says_error(item["result"])


def each_waits(command: str) -> bool:
    """Whether each command of the line waits for those before it to end well."""
    return all(sign in EACH_ENDED_WELL for _, sign in pieces_of(command))


def is_known_whole(command: str) -> bool:
    """Whether nothing of the command is left out here, and no text is fed to it."""
    return not any(sign in command for sign in NOT_COMPARED)


def parts_of_failed(command: str) -> list[tuple[str, ...]]:
    """The commands of a line that failed, as they are compared; none where it is not known whole, or some do not wait.

    Taken apart once for all lines behind it.
    """
    line = folded_command(command) if is_known_whole(command) else ""
    return [*map(words_in_folder, commands_in_folders(line))] if line and each_waits(line) else []


def what_stands_before(later: str, parts: Sequence[tuple[str, ...]]) -> str:
    """What the later line has beside all these commands, in their order and with their last one at its end.

    Empty: it is another command, or runs in another folder, or is not known whole.
    """
    if not is_known_whole(later):
        return ""
    others = commands_in_folders(later)
    if len(others) <= len(parts) or words_in_folder(others[-1]) != parts[-1] or not each_waits(later):
        return ""
    added, position = list[str](), 0
    for other in others[:-1]:
        if position < len(parts) - 1 and words_in_folder(other) == parts[position]:
            position += 1
        else:
            added.append(other[0])
    return " && ".join(added) if position == len(parts) - 1 else ""


def is_last_alone(later: str, parts: Sequence[tuple[str, ...]]) -> bool:
    """Whether the later line is the last of these commands and no other, where they are several."""
    if len(parts) < 2 or not is_known_whole(later):
        return False
    return [*map(words_in_folder, commands_in_folders(later))] == [parts[-1]]


def words_in_folder(command: tuple[str, str]) -> tuple[str, ...]:
    """What makes two commands the same: the folder, what stands before the program, and the words."""
    piece, folder = command
    part = without_redirections(shell_words(piece))
    before = piece.partition(part[0])[0] if part else piece
    return folder, before, *part


# ==================================================================================================
# record/outcomes/asked_again.py: Commands whose output tells nothing but what a later line asked again beside something else: it was so then.
# ==================================================================================================

PRINTING_NOTHING = (*WITHOUT_EFFECT, *WAITING, *FILE_HANDLERS, "kill", "pkill", "killall", "source", ".")
ENDS_OF_PIPE = (*CUTTING, "cat", "tee")  # with them the question is the same
Question = tuple[str, str]  # the folder, and what is asked there


def asked_again(items: Sequence[Item]) -> set[int]:
    """The positions of commands that only ask, or print nothing else, of which a later line asks all again."""
    again, later = set[int](), set[Question]()
    for item in reversed(items):
        is_command = item["kind"] in ("action", "look") and item["tool"] in SHELL_TOOLS
        if not is_command or not is_known_whole(item["text"]):
            continue
        pipes = [*pipes_of(item)]
        questions = [question_of(folder, pipe) for folder, pipe, _ in pipes]
        is_asked = bool(questions) and later.issuperset(questions)
        if is_asked and all(is_looking_piece(piece) for _, pipe, _ in pipes for piece in pipe):
            again.add(item["position"])
        if item.get("verdict", "ended") in ENDED_WELL:
            later |= {question for question, (_, _, sign) in zip(questions, pipes) if sign != "||"}
    return again


def pipes_of(item: Item) -> Iterator[tuple[str, list[str], str]]:
    """The folder, the commands and the sign before each pipe of a command line that prints something."""
    text, pipe, before = item["text"], list[str](), ""
    for (piece, sign), (_, folder) in zip(pieces_of(text), commands_in_folders(text, item.get("folder", ""))):
        pipe.append(piece)
        if sign in PIPES:
            continue
        if program_in(pipe[0]) not in PRINTING_NOTHING:
            yield folder, pipe, before
        pipe, before = [], sign


def question_of(folder: str, pipe: Sequence[str]) -> Question:
    """What a pipe asks, with however many rows; without the folder where it names whole paths and no others."""
    asking = [*pipe]
    while len(asking) > 1 and program_in(asking[-1]) in ENDS_OF_PIPE:
        asking.pop()
    words = [without_redirections(shell_words(piece)) for piece in asking]
    paths = [word for word in words[0][1:] if "/" in word]
    is_elsewhere = bool(paths) and all(is_whole_path(path.strip("\"'")) for path in paths)
    return "" if is_elsewhere else folder, " | ".join(map(" ".join, words))


# ==================================================================================================
# record/outputs/gone_files.py: What an `ls` of just one folder has not: files written before it, which someone took away, and written after it.
# ==================================================================================================

BARE_LS = (  # of one folder, with no option that lists others or sorts some out; nothing behind it
    r"(?:cd (?P<moved>\"[^\"$]{1,300}\"|'[^']{1,300}'|[^\s;&|$*]{1,300}) && )?"
    r"ls(?P<options>(?: -[aAhlrStF1]{1,8}){0,4})"
    r"(?: (?P<folder>\"[^\"$*]{1,300}\"|'[^'*]{1,300}'|[^\s;&|$*<>\"'-][^\s;&|$*<>\"']{0,300}))?(?: 2>&1)?$")
SUM_ROW, ITSELF_OR_ABOVE = r"\S{1,12} [\d.,]{1,12}[KMG]?$", r"d[rwx-]{9}.{1,200} \.{1,2}/?$"
ROW_OF_MODES, SIZE_BEHIND = "[dl-][rwxst-]{9}", r" \([\d.,]{1,15}[KMGT]?\)$"
MOVES = r"\b(?:mv|move|ren|rename|Move-Item|Rename-Item) "  # a file that such a command names is there by another name
LIST_MARKS = "*/@"  # behind a name


def gone_when_listed(items: Sequence[Item], root: str) -> list[tuple[Item, list[str]]]:
    """Each listing of a folder with the written files that it lacks, by name, the newest first; none written since."""
    written = {whole_path(item["path"], root): item["position"] for item in items if is_file_edit(item)}
    listings: dict[str, Item] = {}
    for look in items:
        folder = folder_listed(look, root) if written else ""
        if folder:
            listings[folder] = look
    moves = [item["text"] for item in items if item["kind"] == "action" and re.search(MOVES, item["text"])]
    gone: list[tuple[Item, list[str]]] = []
    for folder, look in listings.items():
        names = names_listed(look)
        lacking = [posixpath.basename(path) for path, position in written.items()
                   if posixpath.dirname(path) == folder and position < look["position"]]
        lacking = [name for name in lacking if names is not None and name not in names
                   and (shows_hidden(look) or not name.startswith(".")) and not any(name in move for move in moves)]
        if lacking:
            gone.append((look, lacking))
    return sorted(gone, key=lambda listed: -listed[0]["position"])


def listed_before_more_came(items: Sequence[Item], root: str) -> set[int]:
    """The positions of listings of a folder in which the session wrote, after that, what the listing has not."""
    written = [(whole_path(item["path"], root), item["position"]) for item in items if is_file_edit(item)]
    positions = set[int]()
    for look in items:
        folder = folder_listed(look, root) if written else ""
        names = names_listed(look) if folder else None
        below = f"{folder}/"
        if names is not None and any(
                path.startswith(below) and path[len(below):].partition("/")[0] not in names
                for path, position in written if position > look["position"]):
            positions.add(look["position"])
    return positions


def folder_listed(look: Item, root: str) -> str:
    """The whole path of the folder that a command lists and nothing else; empty: it is another command."""
    is_command = look["kind"] == "look" and look["tool"] in SHELL_TOOLS and "ls" in look["text"]
    match = re.match(BARE_LS, look["text"]) if is_command else None
    if not match:
        return ""
    moved, folder = (with_slashes((word or "").strip("\"'")) for word in (match["moved"], match["folder"]))
    if moved.startswith("~") or folder.startswith("~"):
        return ""
    at = whole_path(moved, look.get("folder", "") or root) if moved else look.get("folder", "") or root
    return whole_path(folder or at, at)


def shows_hidden(look: Item) -> bool:
    """Whether the listing has files that begin with a dot."""
    match = re.match(BARE_LS, look["text"])
    return match is not None and re.search("[aA]", match["options"]) is not None


def names_listed(look: Item) -> set[str] | None:
    """The names in a listing; None where it is not known whole, or is none of a folder."""
    rows = look["result"].split(ROW_END) if look["result"] else []
    if not rows:
        return set() if look.get("is_silent") else None
    names = set[str]()
    for index, row in enumerate(rows):
        if (index == 0 and re.match(SUM_ROW, row)) or re.match(ITSELF_OR_ABOVE, row):
            continue
        name = re.sub(SIZE_BEHIND, "", row).rstrip(LIST_MARKS)
        if ROWS_BETWEEN in row or "/" in name or not name or re.match(ROW_OF_MODES, row) or ": " in row:
            return None
        names.add(name)
    return names


# ==================================================================================================
# recap/for_person.py: What the person is told of the text that is put back: how much of which kind, and of each line why.
# ==================================================================================================

REASON_WORDS_UTF16 = 100
# The kinds of items whose number the person is told by name; others are counted together.
NAMED_KINDS = {"pin", "rule", "message", *FAILING.values(), FAILING_OTHERWISE, "task", "action", "said", "job", PASSED}
KINDS_NAMED_ALONE = {"look", "answer", "plan", "question", "refusal"}  # of several the names would take too much room
# Why a step or message of the record has no line: all that tell something have one, put back or not.
ONLY_THAT_IT_RAN = "steps with no more to tell than that they ran, or that another line tells"
TAKEN_BACK = "edits that a later command of git's took back"
LOOKED_AGAIN = "looks that were made again later, or whose folder got other files since"
FILES_OF_OTHERS = "files of packages, and of Claude Code's own"
NO_WORDS_IN_IT = "messages without words"
AMONG_RULES = "messages that stand among the rules"
ONLY_AGREES = "messages that only agreed, or asked for a commit that was made"
TYPED_ANEW = "messages that were typed anew"
NAMED_MAX = 30  # below such a reason


def counted(shown: Sequence[Line]) -> dict[str, int]:
    """How many items of which kind are shown, and how checks ended, in the order in which a person is told of them.

    Git's state counts as 1 where it is shown.
    """
    items = {id(item): item for line in shown for item in line["items"]}  # several lines may name a message
    counts: Counter[str] = Counter(item["kind"] for item in items.values())
    counts.update(FAILING.get(line["fails"], FAILING_OTHERWISE) for line in shown if "fails" in line)
    counts.update(PASSED for line in shown if "passes" in line)
    if any(line.get("what") == STATE_OF_GIT for line in shown):
        counts[STATE_OF_GIT] = 1
    return {kind: counts[kind] for kind in sorted(counts, key=kind_order)}


def said_to_person(shown: Sequence[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, how checks ended, and how long the text is.

    And how many things in it the summary says otherwise, where it was known in time.
    """
    counts = counted(shown)
    is_git_shown = counts.pop(STATE_OF_GIT, 0) > 0
    others = {kind: count for kind, count in counts.items() if kind not in NAMED_KINDS}
    parts = [kind_shown(count, kind) for kind, count in counts.items() if kind in NAMED_KINDS]
    if is_git_shown:
        parts.append(STATE_OF_GIT)
    if len(others) == 1 and {*others} <= KINDS_NAMED_ALONE:
        parts += [kind_shown(count, kind) for kind, count in others.items()]
    elif others:
        total, other = sum(others.values()), "other " if parts else ""
        parts.append(f"{total} {other}thing" if total == 1 else f"{total} {other}things")
    errors = sum(line.get("section") == DIFFERS for line in shown)
    differs = f", and told Claude of {count_shown(errors, 'error')} in the summary" if errors else ""
    return f"put back {', '.join(parts) or 'what is known'} ({size:,} characters){differs}"


def reasons(lines: Sequence[ChosenLine], items: Sequence[Item], summary: str = "", root: str = "") -> str:
    """How many lines are put back under each heading; then what is not, below the reason.

    That are lines, and steps and messages of the record that no line tells. `root`: the session's first folder.
    """
    with_line = {item["position"] for line in lines for item in line["items"]}
    messages = [item for item in reversed(items) if is_typed(item) and item["position"] not in with_line]
    put_back: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for line in lines:
        if line["is_put_back"]:
            put_back[line["section"]] = put_back.get(line["section"], 0) + 1
        else:
            left_out.setdefault(line["why"], []).append(line["text"].removeprefix("- "))
    of_lines, edited = {*left_out}, last_edits(items)
    again = {*asked_again(items), *listed_before_more_came(items, root)}
    for step in steps_without_line(lines, items):
        left_out.setdefault(why_without_line(step, items, edited, again, summary), []).append(in_few_words(step))
    for message in messages:
        left_out.setdefault(why_message_is_untold(message, items), []).append(in_few_words(message))
    rows = ["Put back, lines under each heading:", *(f"{count:6,}  {section}" for section, count in put_back.items())]
    for why, texts in left_out.items():
        shown = texts if why in of_lines else texts[:NAMED_MAX]
        rows += ["", f"Not put back ({why}):", *(f"- {cut(folded_line(text), REASON_WORDS_UTF16)}" for text in shown)]
        if len(texts) > len(shown):
            rows.append(f"- and {len(texts) - len(shown):,} before")
    if not left_out:
        rows += ["", "Nothing is left out."]
    return "\n".join(rows)


def why_without_line(
        step: Item, items: Sequence[Item], edited: Mapping[str, int], again: Set[int], summary: str) -> str:
    """Why a step of these items has no line.

    `edited`: by the files' names and paths the position of the last edit; `again`: the positions of looks that a later
    one overtook.
    """
    if step.get("taken_back"):
        return TAKEN_BACK
    if step["kind"] == "action":
        return ONLY_THAT_IT_RAN
    if step.get("path") in edited:
        return SHOWS_EDITED
    if step["tool"] == "Read" and not is_of_project(step["path"]):
        return FILES_OF_OTHERS
    if step["position"] in again:
        return LOOKED_AGAIN
    return why_untold(step, items, edited, summary) or ONLY_THAT_IT_RAN  # as one that ended in the background


def why_message_is_untold(message: Item, items: Sequence[Item]) -> str:
    """Why a message that was typed has no line: see `says_nothing_beside` and `without_old_assents`."""
    if is_wordless(message["text"]):
        return NO_WORDS_IN_IT
    if any(item["kind"] == "rule" and folded_line(item["text"]) == folded_line(message["text"]) for item in items):
        return AMONG_RULES
    is_obeyed = message["position"] in obeyed_orders_to_commit(items)
    return ONLY_AGREES if is_obeyed or is_mere_assent(message) else TYPED_ANEW


def in_few_words(item: Item) -> str:
    """A step or message as the person knows it: of a tool that is no shell its name and what it was about.

    Of an edit that git took back also the command that did so.
    """
    words = item["text"] if is_typed(item) or is_command(item) else f"{item['tool']} {item['text']}".rstrip()
    return f"{words}, taken back by {as_code(item['taken_back'])}" if item.get("taken_back") else words


# ==================================================================================================
# machine/git_answers.py: What git's answers mean: changes, conflicts, commits and how far the branch is from its upstream.
# ==================================================================================================

ANSWER_MAX_BYTES, FILTERS_MAX_BYTES = 64 << 10, 1 << 20  # of what git prints for one question
COMMITS_MAX, PATHS_MAX = 20, 60  # in a list
OTHER_BRANCHES = "elsewhere"  # the question for commits of other branches: without its answer nothing is said of them
CHANGED_PATH_MAX_UTF16, SUBJECT_MAX_UTF16 = 240, 160
STAGED_HOW = {"A": "new", "D": "deleted"}
IN_CONFLICT = "U"
NO_FILTER = (b"unspecified", b"unset")


def what_answers_tell(answers: Mapping[str, bytes | None], inner: str, branches: Mapping[str, str]) -> GitNow:
    """What the answers tell, by the name of their question; of those that are missing nothing.

    `inner`: the folder from which paths are seen, as seen from the top one; empty: that itself. `branches`: the names
    of the other branches that git was asked for, by their commits.
    """
    now: GitNow = {"totals": {}}
    known = {name: answer for name, answer in answers.items() if answer is not None}
    parts = entries(known.get("staged", b""))
    staged = dict(zip(parts[1::2], map(bytes.decode, parts[::2])))  # git's letter for each path
    conflicts = {path for path, how in staged.items() if how == IN_CONFLICT}
    if "staged" in known:
        add_staged(now, staged, conflicts, inner)
    if "modified" in known and ("filters" in known or not known["modified"]):
        add_modified(now, known["modified"], conflicts, unjudged(answers), inner)
    if "untracked" in known:
        untracked = entries(known["untracked"])
        now["untracked"] = names(untracked, inner)
        now["totals"]["untracked"] = len(untracked)
    if "commits" in known:
        add_commits(now, known["commits"])
    if OTHER_BRANCHES in known:
        rows = [line.decode("utf-8", "replace").split("\t", 2) for line in entries(known[OTHER_BRANCHES])]
        now["elsewhere"] = [(branches[row[1]], row[0], quote(row[2], SUBJECT_MAX_UTF16)) for row in rows[:COMMITS_MAX]
                            if len(row) > 2 and row[1] in branches]
    counts = re.match(rb"(\d{1,9})\t(\d{1,9})\s", known.get("counts", b""))
    if counts:
        now["ahead"], now["behind"] = int(counts[1]), int(counts[2])
    return now


def add_staged(now: GitNow, staged: Mapping[bytes, str], conflicts: set[bytes], inner: str) -> None:
    """Adds what is staged, and what is in conflict."""
    paths = [path for path in staged if path not in conflicts][:PATHS_MAX]
    now["conflicts"] = names(conflicts, inner)
    now["staged"] = [(shown(path, inner), STAGED_HOW.get(staged[path], "")) for path in paths]
    now["totals"].update(conflicts=len(conflicts), staged=len(staged) - len(conflicts))


def add_modified(now: GitNow, answer: bytes, conflicts: set[bytes], unknown: set[bytes], inner: str) -> None:
    """Adds the files that are otherwise than the index has them, without those of which git cannot say it."""
    deleted = {entry[2:] for entry in entries(answer) if entry.startswith(b"R")}
    left_out = conflicts | (unknown - deleted)
    modified = [path for path in paths_of(answer) if path not in left_out]
    now["modified"] = [(shown(path, inner), "deleted" if path in deleted else "") for path in modified[:PATHS_MAX]]
    now["totals"]["modified"] = len(modified)


def add_commits(now: GitNow, answer: bytes) -> None:
    """Adds the commits, each its hash and subject."""
    lines = [line.decode("utf-8", "replace").partition("\t") for line in entries(answer)]
    now["commits"] = [(commit, quote(subject, SUBJECT_MAX_UTF16)) for commit, _, subject in lines[:COMMITS_MAX]
                      if re.fullmatch("[0-9a-f]{4,64}", commit)]
    now["totals"]["commits"] = len(lines)


def is_whole(answers: Mapping[str, bytes | None]) -> bool:
    """Whether each answer that must not be missing came in time and was not cut."""
    return all(answer is not None and len(answer) < (FILTERS_MAX_BYTES if name == "filters" else ANSWER_MAX_BYTES)
               for name, answer in answers.items() if name != OTHER_BRANCHES)


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


def names(paths: Iterable[bytes], inner: str) -> list[str]:
    """The first of the paths, in order, as they can be told."""
    return [shown(path, inner) for path in sorted(paths)[:PATHS_MAX]]


def shown(path: bytes, inner: str) -> str:
    """The path as seen from the folder `inner` of the top one, on one line, clean and redacted.

    A file had two names: git's `packages/api/src/a.ts`, and `src/a.ts`, as it was edited from a folder below.
    """
    name = path.decode("utf-8", "replace")
    if inner:
        name = posixpath.relpath(f"/{name}", f"/{inner}") + "/" * name.endswith("/")
    return quote(name, CHANGED_PATH_MAX_UTF16)


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
    paths = (os.path.abspath(program), os.path.join(os.path.realpath(os.path.dirname(program)), "git"),
             os.path.realpath(program))
    return any(path.startswith(tops) for path in paths)


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


def names_no_remote(settings: str) -> bool:
    """Whether the repository's settings, which can be read, surely name no remote, nor other files that might."""
    words = settings.lower()
    return bool(words) and "[remote" not in words and "[include" not in words


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
BRANCHES_LOOKED_AT_MAX, BRANCHES_MAX = 2_000, 12  # files below refs/heads; those that are read
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
    return {"branch": branch, "head": commit, "worktree": top}


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


def project_top(folder: str) -> str:
    """The top folder of the project that the folder is in: of a repository's worktrees the first one's, or itself.

    A worktree counts as one where its repository names it, too. A repository of the person's whole home is no project.
    """
    top, git = git_folder(folder)
    if not git or os.path.realpath(top) == os.path.realpath(os.path.expanduser("~")):
        return folder
    common = os.path.normpath(os.path.join(git, first_line(os.path.join(git, "commondir"))))
    worktree = os.path.join(git, first_line(os.path.join(git, "gitdir")))  # as a linked one's folder names it
    if common == os.path.normpath(git) or os.path.realpath(worktree) != os.path.realpath(os.path.join(top, ".git")):
        return os.path.realpath(top)
    is_beside_files = os.path.basename(common) == ".git"  # else the repository has worktrees alone
    return os.path.realpath(os.path.dirname(common) if is_beside_files else common)


def project_folders(folder: str) -> tuple[str, str]:
    """The folders whose pins hold in a session of this one: itself, as older pins name it, and its project's top."""
    return folder, project_top(folder)


def branches_since(git: str, start: float) -> dict[str, str]:
    """The commit of each branch whose ref was written since the start, by the branch's name, the newest first.

    Of a branch whose ref git has packed since nothing is known. `git` is the folder that the worktrees share.
    """
    if "\0" in git:
        return {}
    top = os.path.join(git, "refs", "heads")
    paths = (os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files)
    written = [(time_of_change(path), path) for path in islice(paths, BRANCHES_LOOKED_AT_MAX)]
    branches = [os.path.relpath(path, top).replace(os.sep, "/")
                for changed, path in sorted(written, reverse=True) if changed >= start]
    commits = {branch: ref_and_commit(git, f"ref: refs/heads/{branch}")[1] for branch in branches[:BRANCHES_MAX]}
    return {branch: commit for branch, commit in commits.items() if commit}


def packed_commit(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when the ref is not there."""
    text = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES)
    before, name, _ = text.partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if name else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


# ==================================================================================================
# machine/git_now.py: The repository as it is now: what stands in .git, and what git says within the time that the caller gives it.
# ==================================================================================================

FILTER_SECONDS = 0.05  # of the budget, kept for the second look at what is modified
REF_NAME_MAX_UTF16, ROOT_MAX_UTF16 = 120, 400
HASH_DIGITS = 7
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the name of a tree without files; git knows it anywhere
STASHES_MAX_BYTES = 64 << 10  # of the list of stashes, a line each
BEGUN = (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"))


def git_now(folder: str, since: str, budget_seconds: float) -> GitNow:
    """The folder's repository as it is now; empty outside of one.

    `since` is an ISO time: commits made after its second, of which git knows no parts, are listed. What stands in .git
    is told always; git itself is asked within the budget, where there is a git outside of the repository and hashes are
    SHA-1's. On Windows it is not. Paths are as seen from the folder.
    """
    until = time.monotonic() + budget_seconds
    state = repository(folder)
    if not state:
        return {}
    top, git = git_folder(folder)
    common = os.path.join(git, first_line(os.path.join(git, "commondir")))
    settings = git_settings_text(os.path.join(common, "config"))
    now = state_in_folder(state, top, git, common, settings)
    now["since"], now["folder"] = since, quote(folder, ROOT_MAX_UTF16)
    head = EMPTY_TREE if now.get("is_without_commit") else state["head"]
    program = git_program(top) if len(head) == len(EMPTY_TREE) else ""
    environment = git_environment(top, git, common) if program else {}
    others = {} if not moment(since) else {
        commit: quote(branch, REF_NAME_MAX_UTF16) for branch, commit in branches_since(common, moment(since)).items()
        if len(commit) == len(EMPTY_TREE) and branch != state["branch"]}
    answers: dict[str, bytes | None] = {}
    if environment:
        person = person_settings()
        _, ref = upstream_of(state["branch"], settings)
        command = [program, "--no-pager", "-C", top, *how_to_compare(f"{person}\n{settings}")]
        queries = questions(head, ref_and_commit(common, f"ref: {ref}")[1], since, ignore_files(person, common))
        if others and "commits" in queries:
            queries[OTHER_BRANCHES] = [*commits_since(since, "%h%x09%S%x09%s"), *others, f"^{head}"]
        answers = answers_of_git(command, environment, queries, until)
    now.update(what_answers_tell(answers, "" if folder == top else os.path.relpath(folder, top), others))
    if None in answers.values() and time.monotonic() > until - FILTER_SECONDS:
        now["is_late"] = True
    now["is_complete"] = bool(answers) and is_whole(answers) and not unjudged(answers)
    return now


# --- what stands in .git ---


def state_in_folder(state: RepositoryState, top: str, git: str, common: str, settings: str) -> GitNow:
    """What is told of the repository without git: its root, branch and commit, what was begun in it, its stashes."""
    stashes = beginning(os.path.join(common, "logs", "refs", "stash"), STASHES_MAX_BYTES).count(b"\n")
    now: GitNow = {"root": quote(top, ROOT_MAX_UTF16), "in_progress": in_progress(git), "stashes": stashes}
    if state["branch"] or state["head"]:  # else git keeps its refs in a form that is not read
        now["branch"], now["head"] = quote(state["branch"], REF_NAME_MAX_UTF16), state["head"][:HASH_DIGITS]
    if state["branch"]:
        now["upstream"] = quote(upstream_of(state["branch"], settings)[0], REF_NAME_MAX_UTF16)
    if names_no_remote(settings):
        now["is_without_remote"] = True
    if not state["head"] and has_no_commit(state, common):
        now["is_without_commit"] = True
    return now


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


def answers_of_git(command: list[str], environment: Mapping[str, str], queries: Mapping[str, Sequence[str]],
                   until: float) -> dict[str, bytes | None]:
    """What git prints for each question, None where it did not in time.

    `command` are git's path and options. The answer "filters" says which of the modified paths have a filter.
    """
    outputs = outputs_of([[*command, *words] for words in queries.values()], environment, b"",
                         until - FILTER_SECONDS, ANSWER_MAX_BYTES)
    answers = dict(zip(queries, outputs))
    if modified := answers.get("modified"):
        paths = b"".join(path + b"\0" for path in paths_of(modified))
        check = [*command, "check-attr", "-z", "--stdin", "filter"]
        filters = outputs_of([check], environment, paths, until, FILTERS_MAX_BYTES)
        answers["filters"] = filters[0] if len(paths) <= INPUT_MAX_BYTES else None
    return answers


def questions(head: str, upstream: str, since: str, ignored: Sequence[str]) -> dict[str, list[str]]:
    """Git's words for each question, by the name of what they tell. None of these commands writes anything."""
    listed = ["ls-files", "-z"]
    queries = {
        "staged": ["diff-index", "-z", "--cached", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv",
                   "--ignore-submodules=dirty", head],  # of a submodule the commit alone
        "modified": [*listed, "-t", "--modified", "--deleted"],
        "untracked": [*listed, "--others", "--directory", "--no-empty-directory", "--exclude-per-directory=.gitignore",
                      *(f"--exclude-from={path}" for path in ignored)]}
    if moment(since) and head != EMPTY_TREE:
        queries["commits"] = [*commits_since(since, "%h%x09%s"), head]
    if upstream and head != EMPTY_TREE:
        queries["counts"] = ["rev-list", "--left-right", "--count", f"{head}...{upstream}"]
    return queries


def commits_since(since: str, form: str) -> list[str]:
    """Git's words that ask for commits since the session began, in that form; those to begin at stand behind."""
    return ["log", "-z", f"--format={form}", "--no-show-signature", "--no-patch", f"--max-age={moment(since) + 1}",
            f"--max-count={COMMITS_MAX + 1}"]


# ==================================================================================================
# machine/running_processes.py: Whether the commands that a session left running still run, told by the command lines in /proc.
# ==================================================================================================

STAT_MAX_BYTES, COMMAND_LINE_MAX_BYTES = 4_096, 16 << 10  # of stat and cmdline in /proc
COMMAND_MIN_BYTES = 6  # a shorter command stands in many command lines ("make", "ls")
# What stands in an item's text for what was taken out, and between its rows; a last `&`.
LOST = r"\[redacted: [a-z ]+\]|[…‹⏎]|&\s*\Z"
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
# machine/present.py: What is true now of a snapshot: the repository, and which of its jobs still run; within a bounded time.
# ==================================================================================================

JOBS_MAX, JOBS_MAX_SECONDS = 40, 0.030
FRESH_SECONDS = 3_600  # since the session's last entry: a compaction comes within a minute of it
GIT_MAX_SECONDS = 0.3  # of the restore's time, at most


def compared_now(snapshot: Snapshot) -> Present:
    """The repository as git tells it, empty outside of one; for the id of a shell whether a process runs its command.

    Of jobs that were not reached in time nothing is said. Nor that a process is gone, where the session's last entry is
    old: the transcript may have come from another machine, or the machine was started anew.
    """
    folder = snapshot["state"].get("cwd", "")
    now = git_now(folder, snapshot["began"], GIT_MAX_SECONDS) if folder else {}
    is_here = bool(folder) and os.path.isdir(folder)  # else the session ran on another machine
    commands = shells(snapshot["items"], JOBS_MAX) if is_here else {}
    jobs = running(commands, time.monotonic() + JOBS_MAX_SECONDS)
    if time.time() - moment(snapshot.get("time", "")) > FRESH_SECONDS:
        jobs = {key: is_there for key, is_there in jobs.items() if is_there}
    return {"repository": now, "jobs": jobs}


# ==================================================================================================
# recap/choice/ranking.py: Which pieces of the work come first where not all have room: a weighing of what each is and of what is new in it.
# ==================================================================================================

NEWS_WORD = r"[\w./#@:-]{3,}|\d+"  # paths, options, numbers and addresses whole
WORD_ENDS = ".:-#@"
WORDS_WITHOUT_NEWS = frozenset(
    "the and not with from that this was were are for but has had its into then they only also".split())
RARE_MAX = 2  # in so many pieces a rare word stands
WEIGHTS = {
    "new": 1.67,
    "share of new": -0.68,
    "rare": -0.19,
    "length": -1.26,
    "age": -0.3,  # the regression has -0.17: see there
    "to the end": -0.13,
    "command": 0.32,
    "longer": -0.49,
    "printed": -0.53,
    "look": 0.06,
    "read": -0.83,
    "edited": 0.07,
    "written": -0.08,
    "order": -0.62,
    "call": -0.54,
    "job": 0.7,
    "said": 0.5,
}


def words_of(text: str) -> set[str]:
    """The words of a text that may tell something, in lower case; of a script without spaces a run of letters."""
    return {word.strip(WORD_ENDS) for word in re.findall(NEWS_WORD, text.lower())} - WORDS_WITHOUT_NEWS


def ranked(pieces: Sequence[Piece], known: Set[str]) -> list[Piece]:
    """The pieces of which some words are not known, those first that say most; with their `new` words and `worth`."""
    counts = Counter(chain.from_iterable(piece["words"] for piece in pieces))
    rare = {word for word, count in counts.items() if count <= RARE_MAX}
    ages = {step: age for age, step in enumerate(sorted({piece["step"] for piece in pieces}, reverse=True))}
    for piece in pieces:
        piece["new"] = piece["words"] - known
    telling = [piece for piece in pieces if piece["new"]]
    for piece in telling:
        piece["worth"] = weight_of(piece, rare, ages[piece["step"]])
    return sorted(telling, key=lambda piece: (-piece["worth"], -piece["step"]))


def features_of(piece: Piece, rare: Set[str], age: int) -> dict[str, float]:
    """What is known of a piece, by the names of WEIGHTS; `rare` words; `age`: how many steps came after it."""
    new = piece["new"]
    return {
        piece["kind"]: 1.0,
        "new": math.log1p(len(new)),
        "share of new": len(new) / max(len(piece["words"]), 1),
        "rare": math.log1p(len(new & rare)),
        "age": math.log1p(age),
        "to the end": math.log1p(piece["count"] - 1 - piece["index"]),
        "length": math.log1p(len(piece["text"])),
    }


def weight_of(piece: Piece, rare: Set[str], age: int) -> float:
    """The piece's rank in the order, higher for those that come first: what a character of its line tells."""
    of_its_text = sum([WEIGHTS.get(name, 0.0) * value for name, value in features_of(piece, rare, age).items()])
    length = len(piece["text"]) + 1
    return of_its_text + math.log(length / (length + piece["around"]))


def says_new(piece: Piece, said: Set[str], share: float) -> bool:
    """Whether at least this share of what was new in the piece is still new beside what was `said` since."""
    return len(piece["new"] - said) >= share * len(piece["new"])


# ==================================================================================================
# recap/lines/announcements.py: Sentences in which the agent only says what it does next, that it sees something and not what, or that it is sorry.
# ==================================================================================================

# Of each of the patterns below what all that they fit has: most sentences have none of it, and no pattern is tried.
ANNOUNCING = ("let me", "let's", "i'll", "ill", "i will", "i need to", "i want to", "i'm going to", "im going to")
SEEING = ("see ", "understand ", "have ", "found ")
BEING_SORRY = ("i should", "sorry", "apolog", "my mistake", "my bad")
COMES_NEXT = (
    r"(?i)(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|excellent|alright|sure|right|well|yes|also|finally"
    r"|for now|next up)\b\W{1,3})*(?:before i\b[^.;,]{0,80}, )?"
    rf"(?:{'|'.join(ANNOUNCING)})\b")
GIVES_REASON = (r"(?i)\b(?:because|since|so that|due to|needs|must|instead|otherwise|but|without|from now on"
                r"|going forward|in (?:the )?future)\b")
WHAT_IS_LOOKED_FOR = (  # behind the verb it is no reason
    r"(?i)(\b(?:check|see|find|look|understand|verify|read|search|investigate)\b[^,;:]{0,60}?)"
    r"\b(?:if|whether|what|which|how|where|why)\b[^.,;:]{0,60}?\b(?:needs|must)\b")
HAS_ALL = r"(?i)\W*(?:now |good,? )?i (?:now )?have (?:a|all|everything|enough|the)\b.{0,50}$"
SEES_IT = (  # "Now I see the real issue." and not what it is
    r"(?i)\W*(?:(?:now|ok(?:ay)?|good|great)\b\W{1,3})?(?:i (?:can |now )*(?:see|understand|have|found)|found)"
    r"(?: (?:the|a|an|all|both|another|full|whole|real|actual|root|other)\b)+"
    r" (?:issues?|problems?|bugs?|errors?|causes?|pictures?|context|patterns?|structures?|flows?)"
    r"(?: clearly| now)?\W*$")
TAKES_UP = r"(?:now|next),? (\w+)"  # one of DEEDS
LEFT_OPEN, LEFT_OPEN_MAX_CHARACTERS = ("...", "…"), 163  # "Starting the server..."
MENDS_IT = (
    r"(?i)(?:so |now )?(?:let me|let's|i'?ll|i will|i'?m going to) .{0,40}?"
    r"\b(?:fix|mend|correct|repair|update|remove|add|save|write|create|replace)")
IS_SORRY = (
    r"(?i)(?:you(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)\W{1,3})?"
    r"(?:i should(?:n't)? (?:not )?have\b|(?:i(?:'m| am) )?(?:so |very )?sorry\b|(?:my |i )?apolog"
    r"|my (?:mistake|bad)\b)[^;:]{0,120}$")
BOLD_BEGIN = r"\*\*[^*\n]{2,60}(?<![.!?])\*\*:?\s{0,3}(?:[-–—:]\s{1,3})?"  # "**Phase 5** - Writing the guide"
# Sets of words, as a pattern of so many would take a millisecond to be compiled at each compaction.
OBJECT_WORDS = frozenset("the a an all both each it them this that these those my our your up out on now".split())
FINITE_VERBS = frozenset(
    "is are was were has have had does did do fail fails failed work works worked need needs take takes show shows "
    "gives means".split())
DEEDS = frozenset(
    "add build check commit create deploy do extend fix implement install integrate modify move push refactor remove "
    "replace restart rewrite run set simplify start switch test try update use verify wire write".split())
GOES_ON_WITH = frozenset("beginning continuing moving proceeding resuming starting".split())
DOES_NOW = frozenset(  # how an announcement without an article begins: "Writing updated notes"
    "adding building checking committing copying creating deploying editing fetching fixing generating implementing "
    "installing integrating launching modifying moving pushing reading rebuilding refactoring removing replacing "
    "restarting reviewing rewriting searching simplifying updating verifying writing".split())
DOES_NOW_MAX_WORDS = 8
NOW_WORDS = frozenset(("now", "next"))
NO_DEED_WORDS = (  # behind "now" they begin a clause, or name who or what is spoken of
    OBJECT_WORDS | FINITE_VERBS | frozenset(
        "i you we they he she when where if as since because with for in at from only just also not no there here "
        "what which who every most some".split()))
FILLING_WORDS = frozenset(  # stand before what comes next
    "also alors agora ahora bien bon bene certo claro d'abord dann danach daraufhin ensuite entonces então enfin erst "
    "eerst goed gut hallo jetzt klar luego maintenant maar nun nu nog ok okay ora ótimo parfait perfecto perfeito "
    "perfekt perfetto poi primeiro primero prima puis sehr super ten terwijl verstanden zuerst zunächst als nächstes "
    "baik kemudian lalu oke pertama sekarang selanjutnya sip "
    "теперь сейчас сначала хорошо отлично итак затем понял".split())
FILLING_WORDS_MAX = 3
LATIN_BEGINS = frozenset((  # the first word, or the first two
    "ich werde", "werde ich", "ich schaue", "schaue ich", "ich prüfe", "prüfe ich", "ich erstelle", "erstelle ich",
    "ich lese", "lese ich", "ich starte", "starte ich", "ich mache", "mache ich", "ich füge", "füge ich", "lass mich",
    "lassen sie", "lass uns", "schauen wir", "je vais", "laisse-moi", "laissez-moi", "voyons", "vérifions",
    "regardons", "commençons", "testons", "corrigeons", "mettons", "ajoutons", "lançons", "continuons",
    "voy a", "vamos", "déjame", "déjeme", "permíteme", "vou", "deixe-me", "deixa-me",
    "deixa eu", "deixe eu", "ora procedo", "procedo", "vediamo", "fammi", "lasciami", "verifichiamo", "ik ga",
    "laat me", "laten we", "saya akan", "biar saya", "izinkan saya", "mari", "perlu lihat", "perlu baca", "perlu cek",
    "baca", "buat", "cek", "coba", "eksplorasi", "ganti", "hapus", "jalankan", "lihat", "mulai dari", "perbaiki",
    "perbarui", "periksa", "tambah", "tambahkan", "verifikasi",
    "давай", "давайте", "проверим", "посмотрим", "я проверю", "я посмотрю", "я создам",
    "я сделаю", "я исправлю", "я добавлю"))
FIRST_LETTERS_MAX = 6
CHINESE_FILLING = (
    "好的", "好问题", "好問題", "好", "明白了", "明白", "很好", "完美", "太好了", "收到", "是的", "嗯", "对", "對",
    "了解")
CHINESE_NEXT = ("现在", "現在", "接下来", "接下來", "然后", "然後", "首先", "下一步", "先")
CHINESE_BEGINS = ("让我", "讓我", "我来", "我來", "我先", "我将", "我將", "我会", "我會", "我要", "我去", "我再",
                  "我需要", "我现在", "我現在", "我继续", "我繼續")
CHINESE_DEEDS = (  # behind a word of CHINESE_NEXT
    "开始", "開始", "继续", "繼續", "重新", "运行", "運行", "检查", "檢查", "更新", "创建", "創建", "修改", "修复",
    "修復", "重写", "重寫", "添加", "新增", "删除", "刪除", "测试", "測試", "验证", "驗證", "提交", "执行", "執行",
    "编译", "編譯", "构建", "構建", "查看", "读取", "讀取", "阅读", "閱讀", "启动", "啟動", "处理", "處理", "来", "來",
    "去", "写", "寫", "改", "看", "跑", "做")
JAPANESE_BEGINS = ("まず", "次に", "それでは", "では", "続いて")
WIDE_ENDS = ("겠습니다", "겠어요", "게요", "ましょう")  # Korean and Japanese end with what is willed
JAPANESE_END = "ます"
# What the agent says of itself, who is not named, is its next deed; where somebody or something is named, or when it
# happens, the same words describe what a program does.
JAPANESE_DEEDS = tuple(f"{deed}ます" for deed in (
    *(f"{deed}{does}" for does in ("し", "を行い", "を開始し", "させ") for deed in (
        "確認", "調査", "検証", "作成", "修正", "追加", "削除", "除去", "復元", "実装", "更新", "実行", "対応", "処理",
        "変更", "統一", "整理", "開始", "着手", "準備")),
    "置き換え", "読み込み", "進め", "取り組み", "始め", "調べ", "ていき"))
JAPANESE_OF_OTHERS = ("は", "が", "と、", "場合", "たら", "れば", "時に", "毎", "自動")
CHECKS_WHETHER, CHECKED = ("か確認します", "かを確認します"), "が"
KOREAN_DEEDS = (*(f"{deed}합니다" for deed in (
    "확인", "조사", "검증", "작성", "수정", "추가", "삭제", "구현", "업데이트", "실행", "처리", "변경", "정리", "시작",
    "진행", "조회", "파악", "분석", "테스트", "검토", "검색", "요청")), "봅니다", "읽습니다")
KOREAN_OF_OTHERS = r"\w[`*)\"]{0,3}(?:은|는|이|가) |[면때] |경우|자동|매"
WIDE_ASSENTS = frozenset(
    "了解しました 了解いたしました 承知しました 承知いたしました ありがとうございます 알겠습니다 감사합니다".split())
BETWEEN_SENTENCES = ("。", "다. ", "요. ")  # before a word in small letters: what stands there is no announcement
WIDE_MARKS = " ,，、。.!！~：:"
REASONS_ELSEWHERE = frozenset(
    "weil damit aber sonst denn statt künftig parce car mais sinon désormais porque pero mas pois senão perché però "
    "omdat want maar karena tapi tetapi agar supaya harus чтобы потому но".split())
WIDE_REASONS = ("因为", "因為", "由于", "由於", "否则", "否則", "但", "所以", "避免", "必须", "必須", "以后", "以後",
                "ので", "ため", "から、", "때문", "위해", "지만", "앞으로")
MENDING_ELSEWHERE = ("修复", "修復", "修正", "beheb", "reparier", "korrigier", "corrig", "arregl", "sistem",
                     "исправ", "수정", "고치")


def is_announcement(sentence: str) -> bool:
    """Whether a sentence only says what is done next, that all for it is there or seen, or that the agent is sorry."""
    bare = re.sub(BOLD_BEGIN, "", sentence, count=1) if sentence.startswith("**") else sentence
    lowered = bare.lower()
    if says_ready(bare, lowered) or (holds_any(lowered, BEING_SORRY) and re.match(IS_SORRY, bare)):
        return True
    if holds_any(lowered, ANNOUNCING) and re.match(COMES_NEXT, bare):
        return not re.search(GIVES_REASON, re.sub(WHAT_IS_LOOKED_FOR, r"\1", bare))
    words = words_of_sentence(bare)
    return is_deed_in_progress(bare, words) or is_next_deed(bare, words) or is_announced_elsewhere(bare, words)


def says_ready(sentence: str, lowered: str) -> bool:
    """Whether it says that all is there for what comes next, that something is seen and not what, or that it begins.

    `lowered`: the sentence in lower case.
    """
    if sentence.endswith(LEFT_OPEN) and len(sentence) <= LEFT_OPEN_MAX_CHARACTERS:
        return True
    if holds_any(lowered, SEEING) and (re.match(HAS_ALL, sentence) or re.match(SEES_IT, sentence)):
        return True
    deed = re.match(TAKES_UP, lowered) if lowered.startswith(("now", "next")) else None
    return deed is not None and deed[1] in DEEDS


def is_deed_in_progress(sentence: str, words: Sequence[str]) -> bool:
    """Whether it is like "Writing the final plan.", and not "Training continues" or "Running the tests fails"."""
    if len(words) < 2 or not words[0].endswith("ing") or not sentence[:1].isupper() or FINITE_VERBS & {*words}:
        return False
    if words[0] in GOES_ON_WITH and words[1] in ("with", "to"):
        return True
    is_deed = words[0] in DOES_NOW and words[1] not in NO_DEED_WORDS  # "Updating every 330 ms" is none
    return words[1] in OBJECT_WORDS or (is_deed and len(words) <= DOES_NOW_MAX_WORDS)


def is_next_deed(sentence: str, words: Sequence[str]) -> bool:
    """Whether it is like "Now patch the parser."; not "Now all tests pass", nor one that gives a reason."""
    if len(words) < 3 or words[0] not in NOW_WORDS or words[1] in NO_DEED_WORDS or words[2] not in OBJECT_WORDS:
        return False
    return not FINITE_VERBS & {*words} and not re.search(GIVES_REASON, sentence)


def is_announced_elsewhere(sentence: str, words: Sequence[str]) -> bool:
    """Whether it says in another language than English what is done next, without a reason."""
    may_be_wide = not (sentence[:FIRST_LETTERS_MAX].isascii() and sentence[-FIRST_LETTERS_MAX:].isascii())
    return (may_be_wide and is_announced_in_wide_script(sentence)) or is_announced_in_latin(sentence, words)


def is_announced_in_latin(sentence: str, words: Sequence[str]) -> bool:
    """Whether it says, in a language that writes with spaces, what is done next, without a reason."""
    begin = 0
    while begin < len(words) and words[begin] in FILLING_WORDS:
        begin += 1
    first_two = " ".join(words[begin:begin + 2])
    first = first_two.partition(" ")[0]
    if begin > FILLING_WORDS_MAX or (first not in LATIN_BEGINS and first_two not in LATIN_BEGINS):
        return False
    return REASONS_ELSEWHERE.isdisjoint(words) and not re.search(GIVES_REASON, sentence)


def is_announced_in_wide_script(sentence: str) -> bool:
    """Whether it says in Chinese, Japanese or Korean what is done next, without a reason."""
    text = sentence.strip(WIDE_MARKS)
    if holds_any(sentence, WIDE_REASONS) or holds_any(text, BETWEEN_SENTENCES):
        return False
    if text.endswith(WIDE_ENDS) or (text.startswith(JAPANESE_BEGINS) and text.endswith(JAPANESE_END)):
        return True
    if text in WIDE_ASSENTS or is_own_deed(text):
        return True
    text = without_begin(text, CHINESE_FILLING)
    behind_next = without_begin(text, CHINESE_NEXT)
    is_next = behind_next != text and behind_next.startswith(CHINESE_DEEDS)
    return is_next or behind_next.startswith(CHINESE_BEGINS)


def is_own_deed(text: str) -> bool:
    """Whether it is a Japanese or Korean sentence, no member of a list, that tells a deed of nobody who is named."""
    if text.endswith(KOREAN_DEEDS):
        return not mark_of(text, LIST_MEMBER) and not re.search(KOREAN_OF_OTHERS, text)
    if not text.endswith(JAPANESE_DEEDS) or mark_of(text, LIST_MEMBER):
        return False
    return not holds_any(text.replace(CHECKED, "") if text.endswith(CHECKS_WHETHER) else text, JAPANESE_OF_OTHERS)


def without_begin(text: str, begins: tuple[str, ...]) -> str:
    """The text without the first of these words that it begins with, and without the marks behind that."""
    begin = next((begin for begin in begins if text.startswith(begin)), "")
    return text[len(begin):].lstrip(WIDE_MARKS)


def says_that_it_is_mended(sentence: str) -> bool:
    """Whether it announces that what the sentence before says is mended now: without it that would stand as a fault."""
    lowered = sentence.lower()
    if holds_any(lowered, ANNOUNCING) and re.match(MENDS_IT, sentence):
        return True
    is_of_mending = holds_any(lowered, MENDING_ELSEWHERE)
    return is_of_mending and is_announced_elsewhere(sentence, words_of_sentence(sentence))


# ==================================================================================================
# recap/lines/statements.py: Which sentences of the agent's words say how something is or was, or why, and what must stand beside each.
# ==================================================================================================

SENTENCE_MAX_UTF16 = 600  # longer ones are lists and code, which the edits show
SENTENCE_MIN_BYTES = 20  # "Good catch!", "All green."; a wide script says more in as many
# Begin what takes back the sentence before: words, and what needs no end of a word behind it.
TURNING_WORDS = tuple(
    "But However Wait Actually Hmm Aber Allerdings Mais Cependant Pero Mas Porém Ma Но Однако".split())
TURNS = ("No, ", "No. ", *"但 不過 不过 其實 其实 然而 しかし ただし でも 하지만 그런데 그러나".split())
STOPS_SHORT = (  # begins what takes back the thoughts before it, however many
    r"(?i)(?:But |Oh,? )?(?:wait\b|hold on\b|hmm\b|actually, wait|no,? wait)|等等|等一下|不对|不對|待って|잠깐"
    r"|(?:Pero |Mas |Mais |Aber |Ma )?(?:espera|attends|moment mal|warte|aspetta)\b|(?:Но )?(?:подожди|стоп)")
GUESSING_WORDS = frozenset(
    "maybe perhaps probably might likely possibly seem seems hmm wait appears apparently presumably talvez "
    "provavelmente parece quizás quizá probablemente probablement semble vielleicht vermutlich wahrscheinlich scheint "
    "anscheinend forse probabilmente sembra misschien waarschijnlijk возможно вероятно похоже наверное belki "
    "muhtemelen".split())
GUESSING_PHRASES = (
    "i think", "could be", "must have", "i bet", "i suspect", "looks like", "tal vez", "puede que", "peut-être",
    "sans doute")
# Of scripts without spaces between words. Of 13 lines that misled a reader of a Chinese session five were guesses.
GUESSING_ANYWHERE = (
    "可能", "也许", "也許", "或许", "或許", "大概", "估计", "估計", "应该是", "應該是", "似乎", "说不定",
    "一定是", "一定有", "一定也", "かもしれ", "おそらく", "たぶん", "ようです", "것 같", "아마", "수도 있")
# Sets of words, as a pattern of so many would take a millisecond to be compiled at each compaction.
APPROVING_WORDS = frozenset(  # alone they are said at every step, and overtaken by the next
    "good great perfect excellent fine clean clear correct fixed work works working pass passes passing done complete "
    "completed ready successful successfully verified".split())
FAULT_WORDS = frozenset(  # "The issue is duplicates (fixed versions lie beside them)." approves nothing
    "broken bug bugs can't cannot didn't doesn't don't duplicate duplicates error errors fail failed fails isn't issue "
    "issues missing not problem problems wrong".split())
NO_FAULT_WORDS = frozenset(("no", "zero"))  # "All clean, no errors."
APPROVAL_MAX_CHARACTERS = 90
STILL_WAITS = "⏳"
UNTICKED_MEMBER = r"(?:[-*+•] |\d{1,3}[.)] )?\[ \] "  # what is open stands among the tasks; old ones nobody ticks
SPECIFIC_SIGNS = frozenset("`\"“/_#@0123456789")  # of names, numbers, paths, quoted words
# To the sentence before: with a verb behind them, alone, and of scripts without spaces.
POINTING_MAX_CHARACTERS = 40  # in which the words stand that point
POINTING_WORDS = frozenset("it they both neither that this these those il elle ils elles ele ela eles elas".split())
POINTING_ALONE = frozenset("isso isto eso esto ello ça cela ceci ciò это or ou oder oppure или".split())
POINTING_BEGINS = ("这", "那", "它", "此", "這", "これ", "それ", "이것", "이는", "그것")
POINTING_ANYHOW = frozenset("it its they their them ils elles".split())  # whatever stands behind
POINTING_OBJECTS, OBJECT_WITHIN_WORDS = frozenset(("it", "them")), 4  # "Claude reads it, and …"
NAMES_OR_PARTS = "`\"“:,;(—–"  # behind one of these the word may point to what stands before it
OF_WHOM = frozenset(("its", "their"))  # behind such a word: "You don't mend its table"
PERSONS = frozenset(("i", "you", "we"))
VERBS_BEHIND_POINTING = FINITE_VERBS | frozenset(
    "will would can could should explains makes make also only just now est sont a ont ne n'est doit peut é são está "
    "tem era foi".split())
ONCE = (
    "After", "Once", "When", "If", "As soon as", "Wenn", "Sobald", "Nachdem", "Falls", "Nach", "Après", "Une fois",
    "Quand", "Lorsque", "Si", "Cuando", "Una vez", "Después", "Tras", "Quando", "Depois", "Assim que", "Após", "Se",
    "Dopo", "Una volta", "После", "Когда", "Если")
WILL = r"(?i)\b(?:will|won['’]t|should|wird|werden|sollten?|va|vont|sera|seront|será|serán|vai|sarà|будет|будут)\b"
OLD_SIDE = (r"(?i)[\W_]*(?:old|before|previously|alt|vorher|avant|ancien|antes|anterior|prima|vecchio|было|раньше"
            r"|旧|舊|之前|修改前|变更前|修正前|変更前|이전|변경 전)\W{0,3}[:：]")
NEW_SIDE = (r"(?i)[\W_]*(?:new|after|now|neu|nachher|jetzt|après|nouveau|ahora|después|nuevo|agora|depois|novo|dopo"
            r"|nuovo|стало|теперь|新|之后|修改后|变更后|修正後|変更後|이후|변경 후)\W{0,3}[:：]")
GIVES_CAUSE_OF_BEFORE = (  # "Fix: restart it." says nothing without the fault
    r"(?i)(?:\*\*)?(?:the )?(?:root )?(?:cause|fix|reason|solution|ursache|grund|lösung|causa|solución|solução|причина"
    r"|решение)(?:\*\*)? ?:|(?:\*\*)?(?:根本)?(?:原因|修复|修復|解决|解決)(?:\*\*)?[:：]")
YOU_ARE_RIGHT = tuple(f"you{are} {how}{right}" for are in ("'re", " are") for right in ("right", "correct")
                      for how in ("", "absolutely ", "completely ", "totally "))
PRAISING = (
    *YOU_ARE_RIGHT, "perfect", "great", "excellent", "awesome", "good catch", "good point", "good question",
    "good idea", "thank you", "thanks", "makes sense", "glad", "understood", "got it", "excelente", "perfeito",
    "perfeita", "perfecto", "ótimo", "ótima", "entendi", "entendido", "parfait", "excellente", "compris", "perfekt",
    "verstanden", "sehr gut", "perfetto", "ottimo", "отлично", "понял", "прекрасно")
PRAISE_ENDS = r"\b[^.!,:]{0,40}[.!]+$"
LEANS_MAX = 3  # sentences before the one that is chosen
STANDS_WHOLE_UTF16 = 700  # up to so many a list of the agent's does, and a table; of a longer table no row comes back


def indexes_of_statements(sentences: Sequence[Sentence]) -> dict[int, set[int]]:
    """The indexes of the sentences that say how something is or was, each with those that have to stand beside it.

    Of a table that of its head, with all rows. None of ways that were offered, nor of those before which the agent
    stopped short: of five thoughts the first had come back, which was wrong. Nor those, or what leads to them, that
    point to words that are not kept: "This is safe because:" had stood behind the cause of the fault.
    """
    cuts = {index for index, said in enumerate(sentences) if said["text"] == PARTS_LEFT_OUT}
    stopped_at = max((index for index, said in enumerate(sentences) if stops_short(said["text"])), default=-1)
    statements = {head: rows for head, rows in whole_tables(sentences).items() if head > stopped_at}
    for index, sentence in enumerate(sentences):
        if index <= stopped_at:
            continue
        follows = sentences[index + 1]["text"] if index + 1 < len(sentences) else ""
        if is_of_offered_way(sentences, index) or not is_statement(sentence, follows):
            continue
        if any(not cuts.isdisjoint(before_leaning(sentences, number)) for number in (*sentence["heads"], index)):
            continue
        statements[index] = {index, *before_leaning(sentences, index)}
        if are_pair(sentence["text"], follows):
            statements[index].add(index + 1)
        if says_that_it_is_mended(follows):
            statements[index].add(index + 1)
    return statements


def before_leaning(sentences: Sequence[Sentence], index: int) -> set[int]:
    """The indexes of the sentences before, perhaps above code, without which this one cannot be understood.

    That of the mark where what it points to is not kept.
    """
    beside, leaning = set[int](), index
    said = (number for number in reversed(range(index))
            if not sentences[number]["is_drawn"] or sentences[number]["text"] == PARTS_LEFT_OUT)
    for before in islice(said, LEANS_MAX):
        text, said_before = sentences[leaning]["text"], sentences[before]["text"]
        if not (leans_on_before(text) or is_outcome_of(said_before, text) or are_pair(said_before, text)):
            break
        is_cut_behind = before and said_before.endswith(f" {PARTS_LEFT_OUT}")  # a heading that was put behind the mark
        beside.add(before - 1 if is_cut_behind and sentences[before - 1]["text"] == PARTS_LEFT_OUT else before)
        leaning = before
    return beside


def is_of_offered_way(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether a sentence tells of a way that was offered (`Option B: …`), or stands below such a heading.

    Which of the ways was taken stands with the person's words; the others had come back without it.
    """
    texts = (sentences[number]["text"] for number in (index, *sentences[index]["heads"]))
    return any(holds_any(text.lower(), WAYS) and re.match(NAMED_WAY, text) for text in texts)


def may_stand_whole(sentences: Sequence[Sentence], members: Collection[int]) -> bool:
    """Whether a list or table of these sentences is short, with nothing that waits: an old one nobody ticks."""
    is_open = any(says_it_waits(sentences[index]["text"]) for index in members)
    return not is_open and sum(units(sentences[index]["text"]) for index in members) <= STANDS_WHOLE_UTF16


def whole_tables(sentences: Sequence[Sentence]) -> dict[int, set[int]]:
    """The short tables, each by the index of its head with all its rows: one row alone says nothing."""
    tables: dict[int, set[int]] = {}
    for index, sentence in enumerate(sentences):
        if sentence["table"] >= 0:
            tables.setdefault(sentence["table"], {sentence["table"]}).add(index)
    return {head: rows for head, rows in tables.items() if may_stand_whole(sentences, rows)}


def is_statement(said: Sentence, follows: str) -> bool:
    """Whether a sentence says how something is or was, or why.

    None that only says what comes next, that approves, asks or guesses, nor what the sentence that follows takes back.
    """
    sentence = said["text"]
    is_short = len(sentence.encode()) < SENTENCE_MIN_BYTES
    if is_short or units(sentence) > SENTENCE_MAX_UTF16:
        return False
    if sentence.endswith((":", "：")) or ends_with_question(sentence):
        return False
    if said["is_drawn"] or says_it_waits(sentence) or mark_of(sentence, ANY_HEADING):
        return False
    if is_praise(sentence) or is_guess(sentence) or takes_back(follows.lstrip()):
        return False
    return not is_approval(sentence) and not is_announcement(sentence)


def says_it_waits(sentence: str) -> bool:
    """Whether a member of a list says of itself that it is not done yet."""
    return STILL_WAITS in sentence or ("[ ] " in sentence and re.match(UNTICKED_MEMBER, sentence) is not None)


def takes_back(sentence: str) -> bool:
    """Whether it takes back the sentence before."""
    return sentence.startswith(TURNS) or begins_with_word(sentence, TURNING_WORDS)


def stops_short(sentence: str) -> bool:
    """Whether the agent takes back its thoughts so far with it."""
    return re.match(STOPS_SHORT, sentence) is not None


def is_praise(sentence: str) -> bool:
    """Whether a sentence only agrees, praises or thanks."""
    lowered = sentence.lower()
    if not lowered.startswith(PRAISING):
        return False
    begins = [begin for begin in PRAISING if lowered.startswith(begin)]
    return any(re.compile(PRAISE_ENDS).match(lowered, len(begin)) for begin in begins)


def is_guess(sentence: str) -> bool:
    """Whether a sentence says something that is not certain."""
    lowered = sentence.lower()
    if not GUESSING_WORDS.isdisjoint(re.findall(r"\w+", lowered)):
        return True
    if holds_any(lowered, GUESSING_PHRASES) and any(has_word(lowered, phrase) for phrase in GUESSING_PHRASES):
        return True
    return not sentence.isascii() and holds_any(sentence, GUESSING_ANYWHERE)


def is_approval(sentence: str) -> bool:
    """Whether a sentence only says that something is well, and names nothing, a fault least of all."""
    words = words_of_sentence(sentence)
    if len(sentence) > APPROVAL_MAX_CHARACTERS or APPROVING_WORDS.isdisjoint(words):
        return False
    if NO_FAULT_WORDS.isdisjoint(words) and not FAULT_WORDS.isdisjoint(words):
        return False
    return not names_something(sentence) and not re.search(GIVES_REASON, sentence)


def names_something(sentence: str) -> bool:
    """Whether it has a number, a path, quoted words, a name of code."""
    if not SPECIFIC_SIGNS.isdisjoint(sentence):
        return True
    return any((first.islower() and second.isupper()) or (first == "." and second.isalnum())
               for first, second in zip(sentence, sentence[1:]))


def leans_on_before(sentence: str) -> bool:
    """Whether a sentence points to the one before, gives its cause, or is a list's "or …": alone it says nothing."""
    mark = mark_of(sentence, LIST_MEMBER)
    begin = sentence[len(mark[0]) if mark else 0:][:POINTING_MAX_CHARACTERS]
    words = words_of_sentence(begin)
    if holds_any(begin, ":：") and re.match(GIVES_CAUSE_OF_BEFORE, begin):
        return True
    if begin.startswith(POINTING_BEGINS) or takes_back(begin) or not POINTING_ALONE.isdisjoint(words[:1]):
        return True
    if not POINTING_ANYHOW.isdisjoint(words[:1]):
        return True
    for sign in NAMES_OR_PARTS:
        begin = begin.partition(sign)[0]
    first = words_of_sentence(begin)[:OBJECT_WITHIN_WORDS]
    if not POINTING_OBJECTS.isdisjoint(first) or not (PERSONS.isdisjoint(first[:1]) or OF_WHOM.isdisjoint(first)):
        return True
    return len(words) > 1 and words[0] in POINTING_WORDS and words[1] in VERBS_BEHIND_POINTING


def is_outcome_of(before: str, sentence: str) -> bool:
    """Whether a sentence says what will be once that has happened with which the one before begins."""
    return begins_with_word(before, ONCE) and re.search(WILL, sentence) is not None


def are_pair(first: str, second: str) -> bool:
    """Whether two sentences are what was before and what is now: `Old: …`, `New: …`."""
    if not (holds_any(first, ":：") and holds_any(second, ":：")):
        return False
    return re.match(OLD_SIDE, first) is not None and re.match(NEW_SIDE, second) is not None


# ==================================================================================================
# recap/lines/remarks.py: What the agent remarked between its calls: the sentences of its words that neither the summary nor the text has.
# ==================================================================================================

REPLY_MIN_BYTES = 8  # "Not that!", "太简单了"; a name or a number is no more than an order
REPLY_MIN_SECONDS = 2  # between the agent's words and a reply: what comes sooner was typed before they could be read
# Between ticks; the form that code alone has: a plain word stands in the rows of any file.
NAME_IN_WORDS, FORM_OF_CODE, ROWS_GONE = r"`(\w{4,60})(?:\(\))?`", r"[a-z][A-Z]|[^\W_]_[^\W_]", r"(?m)^- .*"
# How the agent begins where it takes back what it had said: not "good catch", which may be of anything.
CONCEDING = (
    *YOU_ARE_RIGHT, "my mistake", "my apologies", "i apologize", "tienes razón", "você tem razão", "du hast recht",
    "sie haben recht", "tu as raison", "vous avez raison", "hai ragione", "ты прав", "вы правы", "你说得", "您说得",
    "你說得", "您說得", "抱歉", "おっしゃる通り", "ご指摘の通り", "申し訳")
CONCESSION_SHOWN_UTF16 = 60
# How a message begins that says that what the agent had just reported does not work: with a program's error, or so.
REPORTED_CHARACTERS, ERROR_REPORTED = 200, (
    r"(?<![`\w])(?:\w*(?:Error|Exception) ?[:(]|Traceback \(|error(?:\[\w+\])?: |fatal: |npm ERR!|Uncaught "
    r"|panicked at )|\"error(?:Message)?\":|\b(?:(?:Runtime|Build) Error|Call Stack) ?\n")
STILL_NOT_RIGHT = (
    r"(?is).{0,30}?\b(?:still (?:not|the same|same|broken|wrong|fail|crash|getting|nothing"
    r"|(?:does|is|can)(?:n['’]t| ?not))|(?:does|did|is)(?:n['’]t| not) work|not working|same (?:error|issue|problem)"
    r"|that(?:['’]?s| is) (?:false|wrong|not (?:true|right|correct))|you(?:['’]re| are) wrong)")
# The same in other languages; of those without spaces the words may stand anywhere in the beginning.
STILL_NOT_RIGHT_ABROAD = (
    r"(?is).{0,30}?(?:\b(?:"
    r"n[ãa]o (?:est[áa] |me |se )?(?:funcion|deu\b|respond|foi\b|aparec|carreg)"
    r"|(?:no|sigue sin|todavía no) funcion|sigue (?:igual|fallando|dando error)"
    r"|(?:marche|fonctionne)(?: toujours)? pas|toujours (?:pas|la même erreur|le même)"
    r"|(?:geht|funktioniert|klappt)(?: immer noch| noch immer| noch)? nicht|immer noch (?:nicht|kein|der|die|das)"
    r"|non (?:funziona|va\b)|ancora (?:non|lo stesso)"
    r"|не работает|(?:всё|все) (?:ещё|еще|равно) не|по-прежнему)"
    r"|还是(?:不|没|一样|报错|空)|還是(?:不|沒|一樣)|不行|没有?(?:反应|用|效果|成功)|沒有?(?:反應|用|效果)|又(?:报错|超时|失败)"
    r"|動か(?:ない|ません)|まだ(?:動|エラー|でき|だめ|ダメ)"
    r"|안 ?(?:돼|되|됩니다|됨|나와)|여전히)")
# The same with "again", in any language; not behind what makes it a condition.
ERROR_AGAIN = (
    r"(?is)(?:(?!\b(?:if|when|wenn|falls|si|quand|quando|cuando|se|если|когда)\b|如果|若|もし|만약).){0,30}?(?:\b(?:"
    r"again (?:an?|the same|this) (?:error|exception)|(?:an?|got|getting) (?:error|exception)s? again"
    r"|wieder (?:ein|der|dieser|derselbe|der gleiche) (?:fehler|error)|(?:encore|à nouveau|de nouveau) (?:une|la même"
    r"|cette) erreur|otra vez (?:un|el|este|el mismo) error|error (?:otra vez|de nuevo)|(?:de novo|outra vez) (?:um|o"
    r"|esse|o mesmo) erro|erro (?:de novo|outra vez)|(?:di nuovo|ancora) (?:un |l['’]|lo stesso )errore"
    r"|(?:снова|опять) (?:та же )?ошибка)\b|又(?:出错|出錯|报错|報錯)|またエラー|また同じエラー|또 (?:에러|오류))")
SAYS_IT_LACKS = (
    r"(?i)\b(?:missing|(?:does|do|did)(?:n['’]t| not) exist|not found|no such|n[ãa]o existe|no existe|n['’]existe pas"
    r"|fehlt|existiert nicht|non esiste|не существует)\b|不存在|没有找到|존재하지 않|存在しない")
# Of older turns the last words alone stand: by the keys' words of 51 compactions the others told nothing that was
# missing, and of their characters strict readers called a third misleading, as what was thought before a look.
TURNS_WITH_ALL_WORDS = 8


def words_of_agent(items: Sequence[Item], mended: Sequence[tuple[int, int]],
                   between: Sequence[tuple[str, int, int]], turns: Turns,
                   taken_away: Collection[str] = ()) -> list[Words]:
    """All that the agent said, the newest first, a line each: as `text` the words, as `tail` what the person did then.

    Paths stay as they were written: "the absolute path is" had stood before a path in short.

    `mended`: from where to where, by positions, tests failed that passed later. `between`: paths of files whose edits
    were taken back, each with the positions of the first edit and of that: what was said of them between the two holds
    no longer. `taken_away`: paths of files that were removed later. What the person's next message reports as not
    working is left out, as are the report on a turn whose files were mostly made anew or removed later, and of older
    turns all but the last words.
    """
    edited, reports = last_edit_positions(items), files_of_reports(items)
    written = last_edit_positions([item for item in items if item.get("tool") == "Write"])
    typed = [-1, *(item["position"] for item in items if item["kind"] == "message")]
    newest, with_all_words = typed[-1], typed[-TURNS_WITH_ALL_WORDS:][0]
    names = {item["position"]: {*re.findall(NAME_IN_WORDS, item["text"])} for item in items if item["kind"] == "said"}
    taken = code_taken_away(items, names.values())
    replies = replies_to_agent(items)
    refuted = refuted_by_reply(items) | {
        at for at, (changed, _) in reports.items()
        if 2 * sum(path in taken_away or written.get(path, -1) > at for path in changed) > len(changed)}
    lines: list[Words] = []
    for item in [item for item in reversed(items) if item["kind"] == "said"]:
        at = item["position"]
        if at in refuted or (at < with_all_words and at not in reports):
            continue
        changed, read = reports.get(at, (set[str](), set[str]()))
        went = {path: [f"`{name}" for name in names[at] if taken.get(name, {}).get(path, -1) > at]
                for path, edit in edited.items() if edit > at}
        lines.append({"items": [item], "label": "- Said: ", "text": item["text"], "turn": turns.head_of(at),
                      **replies.get(at, {}), "may_stand_whole": at in reports or at > newest,
                      "edited_later": went, "reports_on": changed or read,
                      "there_later": files_met_later(item, items) if re.search(SAYS_IT_LACKS, item["text"]) else set(),
                      "tests_passed_since": any(begin <= at < end for begin, end in mended),
                      "gone": {path for path, begin, end in between if begin < at < end}})
    return lines


def files_since(line: Line, words: str) -> str:
    """Which files were edited or removed after the agent's words of this line, of which these stand there.

    Files that these name, or code that went from them; of a report those of its turn, too.
    """
    removed = [path for path in line.get("removed_later", ()) if is_path_named_in(path, words)]
    edited = [path for path, code in line.get("edited_later", {}).items()
              if (path in line["reports_on"] or is_path_named_in(path, words) or holds_any(words, code))
              and not any(same_file(path, other) for other in removed)]
    return edited_since(edited) + (f" (removed since: {file_names(removed)})" if removed else "")


def code_taken_away(items: Sequence[Item], words: Iterable[Collection[str]]) -> dict[str, dict[str, int]]:
    """By name, of those in words, the paths of files that it went from, each with the position of that edit.

    The position is -1 where the name stands in what that edit or a later one put there.
    """
    names = {name for named in words for name in named if re.search(FORM_OF_CODE, name)}
    taken: dict[str, dict[str, int]] = {}
    came: dict[str, str] = {}  # by path, in the edits from the newest on
    edits = [item for item in reversed(items) if is_file_edit(item) and not item["path"].lower().endswith(PROSE)]
    for item in edits if names else ():
        path, change = item["path"], item.get("change", "")
        came[path] = came.get(path, "") + "\n" + re.sub(ROWS_GONE, "", change)
        for name in names.intersection(re.findall(r"\w+", "\n".join(re.findall(ROWS_GONE, change)))):
            files = taken.setdefault(name, {})
            if path not in files:
                files[path] = -1 if has_word(came[path], name) else item["position"]
    return taken


def files_of_reports(items: Sequence[Item]) -> dict[int, tuple[set[str], set[str]]]:
    """By the position of a turn's last words the paths of the files that the turn changed, and that it read."""
    reports: dict[int, tuple[set[str], set[str]]] = {}
    changed, read, last_words = set[str](), set[str](), -1
    for item in items:
        if item["kind"] == "message":
            if last_words >= 0:
                reports[last_words] = (changed, read)
            changed, read, last_words = set[str](), set[str](), -1
        elif item["kind"] == "said":
            last_words = item["position"]
        elif item["kind"] in ("action", "look"):
            last_words = -1
            if is_file_edit(item):
                changed.add(item["path"])
            elif item.get("tool") == "Read" and item.get("path"):
                read.add(item["path"])
    return reports


def files_met_later(said: Item, items: Sequence[Item]) -> set[str]:
    """The paths of files that were read or changed after these words, and that they name."""
    met = [item for item in items if item["position"] > said["position"] and item.get("path")
           and item.get("tool") in (*CHANGING_TOOLS, "Read") and item.get("verdict") != "failed" and not (
               item["kind"] == "look" and item["result"])]  # a read with a result is one that failed
    return {item["path"] for item in met if is_path_named_in(item["path"], said["text"])}


def replies_to_agent(items: Sequence[Item]) -> dict[int, Words]:
    """By the position of words what the person did behind them: the call rejected, the next message.

    "Size optimised" had come back without the "no change to be seen" that was typed next, "I remove the flag" without
    that they refused it. The newest message stands above, with what it answers; an assent or a number tells nothing.
    """
    conceded, newest = concessions(items), newest_typed(items)
    replies: dict[int, Words] = {}
    replied_to = set[int]()
    for before, item in words_and_what_followed(items):
        if id(item) in replied_to:
            continue  # it was the last of these words that it came behind
        replied_to.add(id(item))
        call = item["text"] if item["kind"] == "refusal" else text_of(item, "refused")
        is_question = call.startswith(REFUSED_QUESTION)
        may_change = bool(call) and not is_question and not is_looking(call.removeprefix(COMMAND_SIGN))
        rejected = f" (the user rejected next: {rejected_in_short(call, NEXT_SHOWN_UTF16)})" if may_change else ""
        # What was typed while the agent wrote these words is no reply to them; nor what came as they ended.
        seconds = moment(item.get("typed_at") or item["last"]) - moment(before["last"])
        is_behind = is_typed(item) and seconds >= REPLY_MIN_SECONDS
        says_something = len(item["text"].encode()) >= REPLY_MIN_BYTES and not is_mere_assent(item)
        if is_behind and item is not newest and says_something:
            how = conceded.get(item["position"], "")
            agent = f" (the agent then: {in_quotes(how)})" if how else ""
            replies[before["position"]] = {"tail": f"{rejected}{typed_next(item)}{agent}"}
        elif rejected:
            replies[before["position"]] = {"tail": rejected}
    return replies


def concessions(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message the sentence with which the agent, right behind it, took back what it had said."""
    conceded: dict[int, str] = {}
    words = ""
    for item in reversed(items):
        if item["kind"] == "said":
            words = item["text"]
        elif item["kind"] == "message":
            begin = words.lstrip("*# ").replace("’", "'").lower()
            if begin.startswith(CONCEDING):
                conceded[item["position"]] = cut(sentences_of(words)[0]["text"].strip("*# "), CONCESSION_SHOWN_UTF16)
            words = ""
    return conceded


def refuted_by_reply(items: Sequence[Item]) -> set[int]:
    """The positions of the last words of turns behind which the person typed that it does not work, or an error.

    And of those in front of a dialog that was answered: its question and answer tell what was offered and taken. The
    way that was not taken had stood there as the recommended one.
    """
    steps = [item for item in items if item["kind"] in ("said", "action", "look", "message", "answer")]
    before_dialogs = {before["position"] for before, item in zip(steps, steps[1:])
                      if before["kind"] == "said" and item["kind"] == "answer"}
    return before_dialogs | {before["position"] for before, item in words_and_what_followed(items)
                             if item.get("via") == "prompt" and reports_failure(item["text"])}


def words_and_what_followed(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """The agent's words, the newest first, each with the call, the answer or the message that came next.

    Words that the agent said again in between are looked past: a hook or another of the client's rows had it go on. So
    is a look that was refused: "X is the vault" had stood without the "no, it is not" typed behind the refusal.
    """
    follows: Item | None = None
    for item in reversed(items):
        if item["kind"] == "said" and follows:
            yield item, follows
        elif item["kind"] in ("action", "look", "refusal", "answer", "message") and not is_refused_look(item):
            follows = item


def is_refused_look(item: Item) -> bool:
    """Whether the item is a call that would only have looked, and was refused."""
    return item["kind"] == "refusal" and is_looking(item["text"].removeprefix(COMMAND_SIGN))


def reports_failure(message: str) -> bool:
    """Whether a message begins with a program's error, or with that something still does not work."""
    begin = message[:REPORTED_CHARACTERS]
    return re.search(ERROR_REPORTED, begin) is not None or any(
        re.match(form, begin) for form in (STILL_NOT_RIGHT, STILL_NOT_RIGHT_ABROAD, ERROR_AGAIN))


# ==================================================================================================
# recap/choice/pieces.py: The pieces of what was done and said, each of which may come back or not: lines, rows of outputs, sentences.
# ==================================================================================================

TESTS_FAIL = r"(?i)\btests?\b.{0,300}\bfail(?:s|ed|ing)?\b|\bfail(?:s|ed|ing)?\b.{0,300}\btests?\b"
GIVES_CAUSE = r"(?i)\b(?:because|since|due to)\b"
NAME_OF_CODE = r"`([^`\s]{4,60})`"
NAME_OF_FILE = r"/|\w\.[a-z]\w{0,5}(?::\d{1,6})?$"
REPORT_MIN_CHARACTERS, REPORT_MIN_WORDS = 300, 15  # of the agent's words, above which they may report on a state
SAME_STATE_SHARE = 0.45  # of such words, which a later report has too: it tells the same of a later state
AROUND_WORDS = "… … #k3fq\n"  # what is left out before and behind a sentence, the tag, the end


def pieces_of_step(line: Line) -> Iterator[Piece]:
    """The pieces of a step's line: its short form, what its longer form says beyond that, rows that it printed."""
    item, whole = line["items"][0], line.get("whole", "")
    short = piece_of(line, kind_of_step(item), line["text"])
    yield short
    if short["kind"] not in ("edited", "written") and whole not in ("", line["text"]):
        longer = piece_of(line, "longer", whole)
        longer["words"] -= short["words"]
        yield longer
    printed = rows_not_in(f"{line['text']} {whole}", line.get("rows") or item.get("rows", []))
    for index, row in enumerate(printed):
        yield piece_of(line, "printed", row, index, len(printed))


def rows_not_in(text: str, rows: Sequence[str]) -> list[str]:
    """Those of the rows that a line does not show."""
    shown, names = without_spaces(text), names_in_braces(text)
    return [row for row in rows if row not in names and not is_shown_in(row, shown)]


def is_shown_in(row: str, shown: str) -> bool:
    """Whether a row stands in what is shown (without spaces).

    A hit may stand behind the path of the hit before, or, of a search in one file, without a path. Of a row that was
    cut its beginning is enough.
    """
    row = row.removesuffix("…")
    hit = re.match(HIT_WITH_NUMBER, row) if ":" in row else None
    if hit:
        code = without_spaces(row[hit.end():])
        if f"⏎{code}" in shown or f"→{code}" in shown:
            return True
        if hit["path"] in shown:
            row = row[hit.end("path"):]
    return without_spaces(row) in shown


def without_spaces(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def piece_of(line: Line, kind: str, text: str, index: int = 0, count: int = 1) -> Piece:
    """A piece of a line: the one at this index of `count`."""
    return {"kind": kind, "text": text, "around": characters_around(line), "words": words_of(without_tags(text)),
            "step": newest_step(line), "index": index, "count": count, "line": line, "sentences": frozenset()}


def characters_around(line: Line) -> int:
    """How many characters a line has beside a piece of it: its end, what stands before and behind the agent's words."""
    if "label" not in line:
        return len("- ⏎ ")
    return len(line["label"]) + len(line.get("tail", "")) + len(AROUND_WORDS)


def pieces_of_words(line: Words) -> Iterator[Piece]:
    """The sentences of the agent's words that say how something is or was; a fault with that it is mended now."""
    sentences = sentences_of(line["text"])
    for index, indexes in standing_statements(sentences, line).items():
        together = " ".join(sentences[number]["text"] for number in sorted(indexes))
        piece = piece_of(line, "said", together, index, len(sentences))
        piece["sentences"] = indexes
        yield piece


def without_old_reports(said: Sequence[Words]) -> list[Words]:
    """The agent's words, the newest first, without the long ones that later ones report on again: the newest counts.

    Of three lists of what was done the oldest had said "75 %, no PDF yet" below a PDF.
    """
    kept: list[Words] = []
    later: list[Set[str]] = []
    for line in said:
        is_long = len(line["text"]) > REPORT_MIN_CHARACTERS
        words = words_of(line["text"]) | dense_pairs(line["text"]) if is_long else set[str]()
        least = SAME_STATE_SHARE * len(words)
        if len(words) <= REPORT_MIN_WORDS or not any(len(words & report) >= least for report in later):
            kept.append(line)
        if words:
            later.append(words)
    return kept


def standing_statements(sentences: Sequence[Sentence], line: Words) -> dict[int, set[int]]:
    """The indexes of the agent's statements that nothing overtook later, each with those that have to stand beside it.

    Where it is shown what the person typed next, with each the question that ended the turn, which is one itself:
    without it that would pass for the answer to what stands there, and a question that nobody answered would be lost.
    """
    statements = indexes_of_statements(sentences)
    overtaken = {index for index, beside in statements.items()
                 if any(is_of_mended_tests(sentences[number], line) or is_of_taken_back(sentences, number, line)
                        or is_of_met_file(sentences[number], line)
                        for number in (beside if sentences[index]["is_drawn"] else (index,)))}
    together = with_lists_whole(sentences, statements, overtaken)
    last = len(sentences) - 1
    if line.get("tail") and sentences and ends_with_question(sentences[last]["text"]):
        together = {index: indexes | {last} for index, indexes in together.items()}
        together[last] = {last}
    return together


def with_lists_whole(sentences: Sequence[Sentence], statements: Mapping[int, set[int]],
                     overtaken: Set[int]) -> dict[int, set[int]]:
    """The statements that are not overtaken, those of a short list as one that has all its members.

    Of three causes in a list the third alone had come back, which a look had refuted just before.
    """
    whole = {index: beside for index, beside in statements.items() if index not in overtaken}
    lists: dict[int, list[int]] = {}
    for index, sentence in enumerate(sentences):
        lists.setdefault(sentence["list"], []).append(index)
    lists.pop(-1, None)
    for members in lists.values():
        stated = [index for index in members if index in whole]
        if stated and may_stand_whole(sentences, members) and overtaken.isdisjoint(members):
            whole[stated[0]] = {*members}.union(*(whole.pop(index) for index in stated))
    return whole


def is_of_mended_tests(sentence: Sentence, line: Words) -> bool:
    """Whether a sentence of the agent's says only that tests fail, not why, and they passed later."""
    if not line.get("tests_passed_since") or not re.search(TESTS_FAIL, sentence["text"]):
        return False
    return not re.search(GIVES_CAUSE, sentence["text"])


def is_of_met_file(sentence: Sentence, line: Words) -> bool:
    """Whether a sentence of the agent's says that a file is not there that was read or changed after it."""
    met, text = line.get("there_later"), sentence["text"]
    if not met or not re.search(SAYS_IT_LACKS, text):
        return False
    return names_only(text, met)


def is_of_taken_back(sentences: Sequence[Sentence], index: int, line: Words) -> bool:
    """Whether all files that a sentence of the agent's names, or the one that it points to, were taken back later."""
    gone, text = line.get("gone"), sentences[index]["text"]
    if not gone:
        return False
    points_back = "".join(words_of_sentence(text)[:1]) in POINTING_WORDS
    if index and points_back and names_only(sentences[index - 1]["text"], gone):
        return True
    return names_only(text, gone)


def names_only(sentence: str, paths: Set[str]) -> bool:
    """Whether the sentence names files, and none but these."""
    files = [name for name in re.findall(NAME_OF_CODE, sentence) if re.search(NAME_OF_FILE, name)]
    others = [name for name in files if not any(same_file(path, name) for path in paths)]
    return bool(files) and not others


def kind_of_step(item: Item) -> str:
    """Of what kind the line of an item is, as WEIGHTS name it."""
    tool = item.get("tool")
    if item["kind"] == "job":
        return "job"
    if item["kind"] == "look":
        return "read" if tool in ("Read", "LS", "Glob") else "look"
    if tool in SHELL_TOOLS:
        return "command"
    if tool in CHANGING_TOOLS:
        return "written" if tool == "Write" else "edited"
    return "order" if tool in SUBAGENT_TOOLS else "call"


def newest_step(line: Line) -> int:
    """The position of the newest step that a line is about."""
    return max([item["position"] for item in line["items"]], default=0)


# ==================================================================================================
# recap/choice/steps.py: Which of what was done and said comes back: the pieces that say most, while there is room.
# ==================================================================================================

LEFT_OUT_MIN_UTF16 = 100  # of words: for less nobody looks up the step, and its tag would take as much as a word
SAID_SHARE = 0.4  # of the room, for what the agent said
# The share of a piece's new words that has to be new still when its turn comes: else it says the same again.
NEWS_MIN, ANY_NEWS = 0.5, 0.01
PIECES_WITHOUT_ROOM_MAX = 200  # pieces that have no room, in their order: behind them only worse ones fit
ALSO_PRINTED = "; also printed: "
# Rows behind a step's line: of one search 22 hits had stood there, and by the keys' words of 72 compactions three
# tell as much as all.
ROWS_BEHIND_MAX = 3
BEGINNING_MIN_CHARACTERS = 20  # of a row, by which it is known
BEFORE_ROW = (ROW_END, RESULT_SIGN, BEFORE_THAT, "): ")  # in a line; the last behind the name of a changed file
NO_STEPS = ("longer", "printed", "said")


class ChosenSteps:
    """The lines that are chosen so far, and how much room is left (UTF-16 units)."""

    def __init__(self, known: Set[str], room: int) -> None:
        """None yet; `known` are the words of the summary and of the text before."""
        self.known, self.room = {*known}, room
        self.forms: dict[int, tuple[Line, str]] = {}  # by the line's identity: the line, and how it stands there
        self.pieces: dict[int, list[Piece]] = {}  # that were taken, by the line's identity
        self.turns: set[str] = set()  # whose head stands above some of them
        self.misfits: dict[int, int] = {}  # by a piece's identity, beside how many of its line it had no room

    def take(self, piece: Piece) -> bool:
        """Takes the piece where it has room; whether it stands in its line then."""
        line, key = piece["line"], id(piece["line"])
        pieces = self.pieces.get(key, [])
        if any(taken is piece for taken in pieces):
            return True
        pieces = [*pieces, piece]
        if self.misfits.get(id(piece)) == len(pieces):
            return False  # beside the same pieces, and there is no more room now than then
        text, turn = text_with(line, pieces), line.get("turn", "")
        cost = units(text) + 1
        if key in self.forms:
            cost -= units(self.forms[key][1]) + 1
        is_below_new_head = turn != "" and turn not in self.turns
        if is_below_new_head:
            cost += units(turn) + 1
        if cost > self.room:
            self.misfits[id(piece)] = len(pieces)
            return False
        self.room -= cost
        self.forms[key], self.pieces[key] = (line, text), pieces
        if is_below_new_head:
            self.turns.add(turn)
        self.known |= piece["words"]
        return True

    def fill(self, most: float, pieces: Iterable[Piece], news: float) -> None:
        """Takes pieces in their order up to `most` units; `news`: the share of their new words that is still new."""
        least, misfits = self.room - most, 0
        for piece in pieces:
            if self.room <= least or misfits > PIECES_WITHOUT_ROOM_MAX:
                return
            if not says_new(piece, self.known, news) or self.has_enough_rows_for(piece):
                continue
            if not self.take(piece):
                misfits += 1

    def has_enough_rows_for(self, piece: Piece) -> bool:
        """Whether the piece is a printed row, and its line has as many of these already as it may have."""
        if piece["kind"] != "printed":
            return False
        behind = [taken for taken in self.pieces.get(id(piece["line"]), []) if taken["kind"] == "printed"]
        return len(behind) >= ROWS_BEHIND_MAX


def all_pieces(work: Sequence[Line], said: Sequence[Words]) -> list[Piece]:
    """The pieces of what was done and said."""
    edits = [item for line in work for item in line["items"] if item.get("change")]
    of_work = [piece for line in work for piece in pieces_of_step(line)]
    of_words = [piece for line in said for piece in pieces_of_words(line) if not is_of_before_edits(piece, edits)]
    return [*of_work, *of_words]


def chosen_steps(pieces: Sequence[Piece], known: Set[str], room: int) -> list[Line]:
    """Copies of the lines of these pieces that have room, the newest first, each as it stands there."""
    in_order = ranked(pieces, known)
    steps = ChosenSteps(known, room)
    steps.fill(room, newest_action(pieces), 0)
    steps.fill(SAID_SHARE * room, (piece for piece in in_order if piece["kind"] == "said"), NEWS_MIN)
    steps.fill(room, in_order, NEWS_MIN)
    steps.fill(room, in_order, ANY_NEWS)
    steps.fill(room, (piece for piece in pieces if piece["kind"] not in NO_STEPS), 0)
    lines: list[Line] = []
    for key, (line, text) in steps.forms.items():
        taken = steps.pieces[key]
        if "hits" in line and len(taken) == 1:
            continue  # how often a name was met, and not where
        lines.append({**line, "text": text, "fuller": fuller_forms(line, taken, text)})
    return sorted(lines, key=newest_step, reverse=True)


def newest_action(pieces: Sequence[Piece]) -> list[Piece]:
    """The short form of what the session's own agent did last, if it has a line: whoever goes on begins behind that.

    A last `make part-672` that printed "done" tells nothing new, and would have had no room.
    """
    actions = [piece for piece in pieces if piece["kind"] not in NO_STEPS and is_own_action(piece["line"])]
    return [max(actions, key=lambda piece: piece["step"])] if actions else []


def is_own_action(line: Line) -> bool:
    """Whether a line is about what the session's own agent did, no subagent."""
    return any(item["kind"] == "action" and not item.get("by_agent") for item in line["items"])


def is_of_before_edits(piece: Piece, edits: Sequence[Item]) -> bool:
    """Whether a sentence of the agent's names code, and all of it was edited later: it tells what was there before.

    By the answers' words of 72 compactions these sentences are worth nothing, and they misled whoever went on. Prose
    that names the code changes none: why a test failed had gone, since a page named the test later.
    """
    if piece["kind"] != "said":
        return False
    text = piece["text"]
    names = [name.strip("().") for name in re.findall(NAME_OF_CODE, text)]
    later = [f"{edit['path']}\n{edit['change']}" for edit in edits if edit["position"] > piece["step"] and (
        not edit["path"].lower().endswith(PROSE) or is_path_named_in(edit["path"], text))] if names else []
    unedited = [name for name in names if not any(name in change for change in later)]
    return bool(names) and not unedited


def text_with(line: Line, pieces: Sequence[Piece]) -> str:
    """How a line stands with these pieces of it."""
    if pieces[0]["kind"] == "said":
        return sentences_with(line, pieces)
    is_longer = any(piece["kind"] == "longer" for piece in pieces)
    return with_printed(line["whole"] if is_longer else line["text"], pieces)


def with_printed(text: str, pieces: Sequence[Piece]) -> str:
    """The form of a step's line with those of the pieces behind it that are rows which it printed."""
    rows = [piece for piece in pieces if piece["kind"] == "printed"]
    return with_rows(text, sorted(rows, key=lambda row: row["index"])) if rows else text


def fuller_forms(line: Line, pieces: Sequence[Piece], shown: str) -> list[str]:
    """How a line that is `shown` with these pieces stands where room is left, the shortest form first.

    A step with its whole command: 10,000 units had stayed empty while the names of the files that it joined were cut.
    """
    if pieces[0]["kind"] == "said":
        return words_whole(line, shown)
    forms = [*([line["whole"]] if "whole" in line else []), *line.get("fuller", [])]
    printed = [piece for piece in pieces if piece["kind"] == "printed"]
    return [with_rows_missing(form, printed) for form in forms] if printed and "changes" not in line else forms


def with_rows_missing(form: str, printed: Sequence[Piece]) -> str:
    """The form of a step's line with those of these printed rows that it does not show."""
    missing = rows_not_in(form, [row["text"] for row in printed])
    return with_printed(form, [row for row in printed if row["text"] in missing])


def sentences_with(line: Line, pieces: Sequence[Piece]) -> str:
    """How a line of words stands with these of its sentences, and with its tag where much is left out."""
    indexes = {index for piece in pieces for index in piece["sentences"]}
    words = with_gaps(sentences_of(line["text"]), indexes)
    text = in_line_of_words(line, words)
    is_much_left_out = units(line["text"]) - units(words) > LEFT_OUT_MIN_UTF16
    return tagged(text, line["items"][0]) if is_much_left_out else text


def words_whole(line: Line, shown: str) -> list[str]:
    """How a line of words stands with all of them, for where room is left; nothing where all of them are `shown`.

    Of reports and of the newest turn: what was thought in older ones before a step was mostly overtaken by it. Not
    where what is kept is cut: a plan's first way had gone on in the code of its third.
    """
    if not line.get("may_stand_whole") or f"\n{PARTS_LEFT_OUT}\n" in line["text"]:
        return []
    form = in_line_of_words(line, rows_on_a_line(line["text"]))
    return [] if form.replace(ROW_END, " ") == shown else [form]


def in_line_of_words(line: Line, words: str) -> str:
    """These words in their line: behind its label, before the files edited since and what was typed next."""
    return f"{line['label']}{words}{files_since(line, words)}{line.get('tail', '')}"


def with_rows(text: str, rows: Sequence[Piece]) -> str:
    """A line with more rows of its step behind it; its tag stays last.

    A row of which the line shows the beginning stands whole in its place. Of a file's edits the rows are the newest
    one's turn's: they stand before what was changed in earlier ones.
    """
    (bare, tag), line = before_tag(text), rows[0]["line"]
    behind = list[str]()
    for row in (piece["text"] for piece in rows):
        begin = beginning_shown(row, bare)
        if begin:
            bare = bare.replace(begin, row, 1)
        else:
            behind.append(row)
    if not behind:
        return bare + tag
    if line.get("hits", 0) > len(behind):  # of 6 files three had stood there like all
        behind.append(ROWS_BETWEEN)
        tag = tag or tagged(ROWS_BETWEEN, line["items"][0]).removeprefix(ROWS_BETWEEN)
    of_turn, before_turn, earlier = bare.partition(BEFORE_MESSAGE)
    also = (rows_of_changes(behind, line["changes"]) if "changes" in line else ROW_END.join(joined_rows(behind)))
    return (of_turn + line.get("before_rows", ALSO_PRINTED) + also + before_turn + earlier + tag)


def beginning_shown(row: str, text: str) -> str:
    """How the row stands in a text that shows its beginning alone, with the mark of what is missing; else empty."""
    for begin in places_of(row[:BEGINNING_MIN_CHARACTERS], text):
        if text[:begin].endswith(BEFORE_ROW):
            end = begin + shared_beginning(row, text[begin:])
            mark = re.match(" ?…(?=[ ;]|$)", text[end:])
            if mark:
                return text[begin:end] + mark[0]
    return ""


# ==================================================================================================
# recap/lines/header.py: How the text that is put back begins: what it is, of which moment, how to see more, and its age.
# ==================================================================================================

OF_COMPACTION = " before the compaction"
HEADER = (f"compact-keeper: the record of this session{OF_COMPACTION}, from its transcript. Where the summary "
          "says otherwise, this is what was recorded. Times count back from ")
# With its moment and the block's number, and without how to open a step.
HEADER_UTF16 = units(HEADER) + len("2026-02-23 14:05 UTC (block ).") + NONCE_CHARACTERS


def header_of(snapshot: Snapshot) -> str:
    """The first line of the text; a second one on its age where there is something to be said of it."""
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    stamp = text_of(snapshot, "time")
    when = f"{stamp[:10]} {stamp[11:16]} UTC" if moment(stamp) else "the compaction"
    block = f" (block {number})" if number else ""
    header = HEADER.replace(OF_COMPACTION, "") if snapshot.get("is_by_hand") else HEADER
    line = f"{header}{when}{block}. {text_of(snapshot, 'how_to_open')}".rstrip()
    return "\n".join(filter(None, [line, text_of(snapshot, "as_of")]))


# ==================================================================================================
# recap/choice/chosen_lines.py: Which lines are put back within the budget, and in their short or their longer form.
# ==================================================================================================

# Why a line is put back, or is not.
PUT_BACK, IN_SUMMARY, NO_ROOM = "put back", "stands in the summary", "no room left in its section"
SAYS_LESS = "says less that is new than the lines that are put back"
RULES_MIN_UTF16 = 200  # for rules where their share is less: room for the newest one, unless pins have taken it
# Of a small budget, in their order: the share of what is left that each may take first, and how many units at least.
NEEDED_SHARES = {RULES: (0.5, RULES_MIN_UTF16), CHECKS: (0.5, 120), END: (0.6, 0), TASK_LIST: (0.5, 0)}
WORK_SHARE = 0.30  # of the budget, which step 1 keeps for WORK
WORK_PARTS = 3  # but no more than a third of what the header leaves: of a small budget it may take half
# What may stay empty at the ends of parts: where fuller forms take it all is chosen anew with less room for the steps.
LOST_IN_PARTS_UTF16 = 400
FILE_SHARE = 0.5  # of what is left at last: the most that a file which was read may take
LINE_MIN_UTF16 = 60  # a line cut to less says nothing
NEWEST_MESSAGES = 3  # of those before the last one, which stand first whatever the summary has of them
LENGTHENED_IN_SHARE = (PLANS, TASK_LIST, EARLIER_WORDS)  # what is to be done and the person's words, not older work
LENGTHENED_LATER = (END, PLANS, TASK_LIST, EARLIER_WORDS, REPOSITORY)
FILLED_LAST = (RULES, EARLIER_WORDS, TASK_LIST, REPOSITORY, CHECKS, ALSO_ON_RECORD)


def chosen_lines(sections: Mapping[str, Sequence[Line]], pieces: Sequence[Piece], budget: int, lost_room: int,
                 summary: str) -> list[ChosenLine]:
    """All lines in the order of the text, as they are chosen; of what was said those that are put back.

    `pieces` are those of WORK's lines and of what was said.
    `lost_room` are units of the budget that no line can have; the sections' shares of it stay as they are.
    """
    lines = {section: [*(to_be_chosen(line, section) for line in sections.get(section, ()))] for section in SHOWN}
    left = budget - lost_room - HEADER_UTF16
    if is_small(budget):
        left -= fill_needed(lines, budget, left)
    left -= fill_shares(lines, budget, left)
    left -= fill_work(lines, pieces, summary, left)
    for section in LENGTHENED_LATER:
        left -= lengthen(lines[section], left)
    for section in FILLED_LAST:
        left -= take(lines[section], section, left)
    lines[TASK_LIST] += [to_be_chosen(line, TASK_LIST) for line in sections.get(OLD_BOXES, ())]
    left -= take(lines[TASK_LIST], TASK_LIST, left)
    left -= take([line for line in lines[FILES_READ] if units(line["text"]) < left * FILE_SHARE], FILES_READ, left)
    fill_up([*lines[PLANS], *lines[CHECKS], *lines[EARLIER_WORDS], *lines[WORK]], left - LOST_IN_PARTS_UTF16)
    return [line for section in SHOWN for line in lines[section]]


def to_be_chosen(line: Line, section: str) -> ChosenLine:
    """A copy of a line that may be put back in this section."""
    why = IN_SUMMARY if line.get("is_in_summary") else NO_ROOM
    return {**line, "section": section, "is_put_back": False, "why": why}


def fill_needed(lines: Mapping[str, Sequence[ChosenLine]], budget: int, room: int) -> int:
    """Takes what a small budget must not lose; returns what that takes.

    Each kind has a part of what is left first, so that many rules leave room for a failure; then the rules and the
    failures that had none yet. With shares alone 1,500 had room for a done task, and none for a rule and a failure.
    """
    left = room - take(lines[PINS], PINS, min(int(shares_of(budget)[PINS] * budget), room))
    failing = [line for line in lines[CHECKS] if "fails" in line]
    jobs = [line for line in lines[TASK_LIST] if "in_few_words" in line]
    for line in [*failing, *jobs]:
        line["text"], line["whole"] = line["in_few_words"], line["text"]
    still_open = [line for line in lines[TASK_LIST] if any(is_open_task(item) for item in line["items"])]
    needed = {PINS: lines[PINS], RULES: lines[RULES], CHECKS: failing, END: lines[END][:1],
              TASK_LIST: [*jobs, *still_open]}
    for section, (share, least) in NEEDED_SHARES.items():
        left -= take(needed[section], section, min(max(int(share * left), least), left))
    for section in (PINS, RULES, CHECKS):
        left -= take(needed[section], section, left)
    left -= lengthen(failing, min(left, int(shares_of(budget)[CHECKS] * budget)))
    return room - left


def is_open_task(item: Item) -> bool:
    """Whether the item is a task that is not done."""
    return item["kind"] == "task" and item["status"] != "completed"


def fill_shares(lines: Mapping[str, Sequence[ChosenLine]], budget: int, room: int) -> int:
    """Fills each section up to its share of the budget, all of them up to `room`; returns what they take."""
    left = room
    kept_for_work = min(int(WORK_SHARE * budget), max(room, 0) // WORK_PARTS) if lines[WORK] else 0
    newest = 0 if is_small(budget) else NEWEST_MESSAGES
    lengthened = LENGTHENED_IN_SHARE if is_small(budget) else (*LENGTHENED_IN_SHARE, REPOSITORY)
    for section, share in shares_of(budget).items():
        most = int(share * budget)
        if section == RULES:
            most = max(most, RULES_MIN_UTF16)
        most = min(most - room_taken(lines[section]), left - kept_for_work)
        in_order = most_needed_first(lines[section], newest) if section == EARLIER_WORDS else lines[section]
        taken = take(in_order, section, most)
        if section in lengthened:
            taken += lengthen(lines[section], most - taken)
        left -= taken
    return room - left


def fill_work(lines: dict[str, list[ChosenLine]], pieces: Sequence[Piece], summary: str, room: int) -> int:
    """Fills the section of what was done, with what was said among it; returns what it takes."""
    above = "\n".join(line["text"] for section in SHOWN for line in lines[section] if line["is_put_back"])
    heading = heading_units(WORK)
    steps = chosen_steps(pieces, words_of(f"{summary}\n{above}"), room - heading)
    chosen: list[ChosenLine] = [{**line, "section": WORK, "is_put_back": True, "why": PUT_BACK} for line in steps]
    shown = {id(line["items"][0]) for line in chosen}
    left_out = [line for line in lines[WORK] if id(line["items"][0]) not in shown]
    for line in left_out:
        line["why"] = SAYS_LESS
    lines[WORK] = [*chosen, *left_out]
    return room_taken(chosen) + heading if chosen else 0


def room_taken(lines: Iterable[ChosenLine]) -> int:
    """What a section's lines that are put back take, without its heading."""
    return sum(units(text) + 1 for text in below_turns(line for line in lines if line["is_put_back"]))


def below_turns(lines: Iterable[Line]) -> Iterator[str]:
    """How each of the lines stands behind the one before: with the head of its turn above it where that is another."""
    turn_before = ""
    for line in lines:
        turn = line.get("turn", "")
        yield f"{turn}\n{line['text']}" if turn and turn != turn_before else line["text"]
        turn_before = turn


def heading_units(section: str) -> int:
    """What a section's heading takes."""
    return units(section) + len("\n\n## ")


def most_needed_first(lines: Sequence[ChosenLine], newest: int) -> list[ChosenLine]:
    """So many of the newest lines of EARLIER_WORDS, then the others, the most needed first.

    A session of many short replies had filled the section with them, and an order that no summary told had no room.
    """
    return [*lines[:newest], *sorted(lines[newest:], key=lambda line: line.get("need", 0))]


def take(lines: Sequence[ChosenLine], section: str, room: int) -> int:
    """Takes lines in their order into a section while there is room; returns what they take, with its heading.

    Where some of them were taken before the section has its heading already. Else of a first line that is too long the
    beginning is taken rather than nothing: it says most. Behind any other one that is too long a shorter one may fit.
    """
    is_begun = any(line["is_put_back"] for line in lines)
    heading = 0 if is_begun else heading_units(section)
    left = room - heading
    due = [line for line in lines if not line["is_put_back"] and line["why"] != IN_SUMMARY]
    if due and not is_begun and units(due[0]["text"]) >= left > LINE_MIN_UTF16:
        due[0]["text"] = cut(due[0]["text"], left - 1)
    for line in due:
        size = units(line["text"]) + 1
        if size <= left:
            line["is_put_back"], line["why"] = True, PUT_BACK
            left -= size
    taken = room - heading - left
    return taken + heading if taken else 0


def lengthen(lines: Iterable[ChosenLine], room: int) -> int:
    """Gives lines that are put back their longer form, `whole`, while there is room; returns how much that took."""
    left = room
    for line in lines:
        longer = units(line.get("whole", "")) - units(line["text"])
        if line["is_put_back"] and 0 < longer <= left:
            line["text"] = line["whole"]
            left -= longer
    return room - left


def fill_up(lines: Iterable[ChosenLine], room: int) -> None:
    """Gives lines that are put back the longest of their fuller forms that has room.

    In 4 of 74 real texts a plan had lost most of its lines while 2,000 to 5,600 units of the text stayed empty. Files
    come last, those that were changed last first: over 4,000 were empty in 17 of 51 texts, and their rows left out.
    """
    left = room
    for line in lines:
        if not line["is_put_back"]:
            continue
        shown = units(line["text"])
        fitting = [form for form in line.get("fuller", []) if 0 < units(form) - shown <= left]
        if fitting:
            line["text"] = fitting[-1]
            left -= units(fitting[-1]) - shown


# ==================================================================================================
# text/names.py: Names in a text: functions, files, ids, hashes.
# ==================================================================================================

TEXT_WITH_NAMES_MAX_CHARACTERS = 20_000  # looked through for names
NAMES_OF_TEXT_MAX = 60
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


def names_of(text: str) -> list[str]:
    """The names in a text, each once, as they come: functions, types, files, flags, hashes, ids; also a path's end.

    Words of a plain language are none, unless they stand alone between backticks.
    """
    return [*names_within(text)]


def names_within(text: str) -> Iterator[str]:
    """The names in a text as `names_of` has them: who stops at one of them pays for no others."""
    text, names = text[:TEXT_WITH_NAMES_MAX_CHARACTERS], set(NO_NAMES)
    if not text.isascii() and is_dense(text):  # names may stand beside such letters, or have some: "请看notes.md"
        text = f"{text}\n{re.sub(f'[{DENSE}]+', ' ', text)}"
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
    word = re.sub(r"(?::\d+){1,2}$", "", word) if ":" in word else word  # a location in a file
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


def is_plain_word(name: str) -> bool:
    """Whether a name is a word as others are, that only its backticks made a name."""
    return name.isalpha() and not names_in_word(name)


# ==================================================================================================
# recap/wording/in_summary.py: Whether the summary holds what a line says already: its names, its values, and what it says of their state.
# ==================================================================================================

NEXT_PART_MAX_CHARACTERS = 6_000
WORDS_IN_ONE_LINE = 0.85  # of a line without names, that one line of the summary must hold
WORDS_NEAR_NAMES = 0.6  # of the plain words of a line, that the summary's lines with its names must hold
NEXT_HEADING = (  # begins the part of a summary that says what comes next
    r"(?im)^[ \t#*]{0,8}(?:\d{1,2}\.)?[ \t#*]{0,4}(?:pending|open|remaining|outstanding|current|next|optional)"
    r"(?: [\w/-]{1,20}){0,3}[ \t*]{0,4}(?:\([^)\n]{0,60}\))?[ \t*]{0,4}:?[ \t*]{0,4}$"
    r"|(?i:^[ \t#*]{0,8}\d{1,2}\.[ \t#*]{0,4}(?:pending tasks|current work|optional next step)\b)")
VALUE_IN_LINE = r"(?<![\w.])[v~$]?\d[\d.,:]{0,18}\d(?!\w)|(?<![\w.:])\d(?= [a-z])|\"[^\"\n]{2,60}\"|`[^`\n]{2,80}`"
LOCATION_IN_LINE = r"([\w.@+-]{1,80}\.\w{1,8}):(\d{1,6})\b"
STATES = (  # what a line may say of its names, that a summary may say otherwise
    r"(?i)\bfail|\berror|\bbroken|\brejected|✗|✘|\brefused",
    r"(?i)\bpass(?:ed|es|ing)?\b|\bok\b|\bsuccess|✓|✔|\bgreen\b",
    r"(?i)\b(?:not|no|never|none|missing|without|nothing|cannot)\b|n't\b",
    r"(?i)\b(?:pending|uncommitted|unpushed|running|waiting|draft|in progress|open)\b",
    r"(?i)\b(?:done|completed?|committed|pushed|merged|fixed|closed|resolved)\b",
    r"(?i)\b(?:probably|maybe|might|unsure|unclear|suspect|assum\w{1,5}|wrong|incorrect)\b|\bnot sure\b")
CONTENT_WORD = r"[^\W\d_]{4,40}"


def next_part(summary: str) -> str:
    """The part of a summary that says what is pending, what was being done and what comes next; empty without one."""
    begins = [match.start() for match in re.finditer(NEXT_HEADING, summary)] if summary else []
    late = [begin for begin in begins if begin > len(summary) // 3]
    return summary[late[0]:][:NEXT_PART_MAX_CHARACTERS] if late else ""


@lru_cache(maxsize=4)
def lines_of_summary(summary: str) -> tuple[list[tuple[str, str, frozenset[str]]], frozenset[str], str]:
    """The summary's lines that say something: each as it is, in lower case, and the set of its words and numbers.

    Then all words of the summary, and all of it in lower case.
    """
    lines = [(line, line.lower(), frozenset(re.findall(r"\w+", line)))
             for line in summary.splitlines() if line.strip()]
    return lines, frozenset(re.findall(r"[\w.@+-]*\w", summary)), summary.lower()


def in_summary(line: str, summary: str) -> bool:
    """Whether the summary holds the names and the values of a line, and says of them what the line says.

    Of a line without names or values: whether one line of the summary holds nearly all of its words.
    """
    if not summary or not line:
        return False
    if line in summary:
        return True
    _, words, _ = lines_of_summary(summary)
    tokens: dict[str, None] = {}  # each once, in their order
    for token in tokens_in(line):
        if token not in words and token not in summary:  # as of most lines
            return False
        tokens[token] = None
    return lines_hold(line, [*tokens], summary)


def lines_hold(line: str, tokens: list[str], summary: str) -> bool:
    """Whether the summary's lines that have names of this line say what it says; without names any lines may.

    That is: its numbers, most of its words, its locations, and the states that it tells.
    """
    lines, _, lowered = lines_of_summary(summary)
    numbers = [token for token in tokens if token.isdigit()]
    names = [token for token in tokens if not token.isdigit()]
    with_names = [of_line for of_line in lines if any(map(of_line[0].__contains__, names))] if names else []
    near = with_names or lines
    for number in numbers:
        if not any(number in words for _, _, words in near):
            return False
    if len(tokens) < 2:
        has_words = words_in_one_line(line, [in_lower_case for _, in_lower_case, _ in near], lowered)
    else:
        has_words = words_near_names(line, tokens, [text for text, _, _ in near])
    if not has_words:
        return False
    for file, number in re.findall(LOCATION_IN_LINE, line) if ":" in line else ():
        if not any(file in text and number in words for text, _, words in lines):
            return False
    return says_states(line, [text for text, _, _ in with_names])


def says_states(line: str, about: list[str]) -> bool:
    """Whether the summary's lines about its names say each of the STATES that the line says."""
    said = [state for state in STATES if re.search(state, line)]
    return all(any(re.search(state, text) for text in about) for state in said)


def words_near_names(line: str, tokens: list[str], about: list[str]) -> bool:
    """Whether the summary's lines with the names of a line hold most of its plain words."""
    of_names, near = "\n".join(tokens), "\n".join(about)
    plain = {word for word in re.findall(CONTENT_WORD, line) if word not in of_names}
    return sum(map(near.__contains__, plain)) >= WORDS_NEAR_NAMES * len(plain)


def tokens_in(line: str) -> Iterator[str]:
    """What a line tells besides plain words: numbers, what stands in quotes, names, of paths the end alone.

    Some come twice. The values come first, which take less time to find.
    """
    has_digits = any(map(str.isdecimal, line))
    if has_digits or '"' in line or "`" in line:
        bare = re.sub(LOCATION_IN_LINE, " ", line) if ":" in line and has_digits else line
        values = [value.strip("\"`.,:~$") for value in re.findall(VALUE_IN_LINE, bare)]
        yield from filter(None, values)
    yield from (name for name in names_within(line) if "/" not in name)


def words_in_one_line(line: str, lines: list[str], lowered: str) -> bool:
    """Whether one of these lines of a summary holds nearly all words of this one; these and `lowered` in lower case."""
    words = {word.lower() for word in re.findall(CONTENT_WORD, line)}
    may_lack = int(len(words) - WORDS_IN_ONE_LINE * len(words))
    lacking = set[str]()
    for word in words:
        if word not in lowered:
            lacking.add(word)
            if len(lacking) > may_lack:  # so it is with most lines: the other words are not looked for
                return False
    known = sorted(words - lacking, key=len)
    longest = known[-1 - may_lack:]  # few lines have one; a line with none of them lacks too many, and is not counted
    candidates = (row for row in lines if any(map(row.__contains__, longest)))
    return any(sum(map(row.__contains__, known)) >= len(words) - may_lack for row in candidates)


# ==================================================================================================
# recap/choice/beside_summary.py: What need not be put back beside the summary, since it stands there; and how needed the rest is.
# ==================================================================================================

SHORT_REPLY_CHARACTERS = 25  # as "yes, do that" has


def words_beside(lines: Sequence[Line], summary: str) -> list[Line]:
    """The lines of the person's earlier words, each with its `need` and with whether the summary has it.

    No answer stays out behind an older one that is put back: it may have taken that back.
    """
    rows = rows_in(summary)
    marked: list[Line] = []
    is_answer_put_back = False
    for line in reversed(lines):  # the oldest first
        item = line["items"][0]
        if item["kind"] == "answer":
            is_known = is_quoted(item["text"], rows) and not is_answer_put_back
            is_answer_put_back = not is_known
        else:
            is_known = all(is_known_message(piece, rows) for piece in line["items"])
        marked.append({**line, "need": need_of(item, rows), "is_in_summary": is_known})
    return marked[::-1]


def is_known_message(item: Item, summary: WordRows) -> bool:
    """Whether the summary has a message, and with it what it needs to be understood.

    What refused something stays, but for a plan: a later form of that stands in the record.
    """
    if item["kind"] == "refusal":
        return False
    refused = text_of(item, "refused")
    if refused and not refused.startswith(REFUSED_PLAN):
        return False
    if not is_quoted(needed_beside(item), summary):
        return False
    return is_quoted(item["text"], summary) or is_quoted_respelled(item["text"], summary)


def needed_beside(item: Item) -> str:
    """The words that a short message cannot be understood without: what it picks or answers; else empty."""
    if item["kind"] != "message" or len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS:
        return ""
    return text_of(item, "picks") or text_of(item, "answers")


def need_of(item: Item, summary: WordRows) -> int:
    """How needed a message is beside the summary: 0, which lacks half of it; 1, which has more; 2, a short reply.

    A pick is short, too, but a decision: "C" had gone, and a sentence on the option B had come back. An option that was
    chosen in a dialog stands behind what was typed there: nine of them had filled the section, and what a person had
    typed of how all is to work had no room.
    """
    if text_of(item, "picks"):
        return 0
    if item["kind"] == "answer" and any(
            is_chosen(option, item["text"], item.get("picks_one", False)) for option in item.get("options", [])):
        return 1
    if item["kind"] == "message" and len(item["text"]) <= SHORT_REPLY_CHARACTERS:
        return 2
    pairs = pairs_of(item["text"])
    return 1 if len(pairs & summary["pairs"]) > len(pairs) / 2 else 0


def line_beside(line: Line, summary: str) -> Line:
    """The line, with whether the summary has it."""
    return {**line, "is_in_summary": in_summary(line["text"], summary)}


# ==================================================================================================
# recap/common_rows.py: Rows that many outputs of the session have: they tell nothing of the single call, so the newest alone keeps them.
# ==================================================================================================

OUTPUTS_MIN = 4  # that have a row which tells nothing of any
COMMON_ROW_MIN_CHARACTERS = 12
LISTING_OF_GIT = r"(?:cd [^;&|\n]{1,300}(?:&&|;|\n) ?)?git (?:-C \S{1,300} )?(?:log|status|reflog)\b"


def without_common_rows(items: Sequence[Item]) -> list[Item]:
    """The items; a row that several results have stands in the newest of these alone. Results of checks stay whole."""
    printed = [rows_printed(item) for item in items]
    counts: dict[str, int] = {}
    for row in chain.from_iterable(printed):
        counts[row] = counts.get(row, 0) + 1
    common = {row for row, count in counts.items() if count >= OUTPUTS_MIN and len(row) >= COMMON_ROW_MIN_CHARACTERS}
    if not common:
        return [*items]
    kept: list[Item] = []
    shown = set[str]()
    for item, rows in zip(reversed(items), reversed(printed)):
        again = rows & shown
        shown |= rows & common
        kept.append(without_these_rows(item, again) if again else item)
    return kept[::-1]


def rows_printed(item: Item) -> set[str]:
    """The rows of an action's or a look's output, where it is none of a check.

    Nor a listing of git's, whose first rows say where it begins.
    """
    if item["kind"] not in ("action", "look") or item.get("family") in CHECK_FAMILIES:
        return set()
    if item["kind"] == "look" and "git " in item["text"] and re.match(LISTING_OF_GIT, item["text"]):
        return set()
    return {*item["result"].split(ROW_END), *item.get("rows", [])} - {""}


def without_these_rows(item: Item, again: Set[str]) -> Item:
    """The item without these rows; in the place of those between others stands one mark, none before the first."""
    left = list[str]()
    for row in item["result"].split(ROW_END):
        if row not in again and row != ROWS_BETWEEN:
            left.append(row)
        elif left and left[-1] != ROWS_BETWEEN:
            left.append(ROWS_BETWEEN)
    bare: Item = {**item, "result": ROW_END.join(left) or item["result"]}
    if "rows" in bare:
        bare["rows"] = [row for row in bare["rows"] if row not in again]
    return bare


# ==================================================================================================
# record/outcomes/lacks.py: What the machine itself refused to a session's commands: programs that are not there, a password for sudo.
# ==================================================================================================

HIDES_ERRORS = r"2> ?/dev/null|\|\|"  # what such a command shows does not tell whether the program was there
SUDO = "sudo"


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_in(piece))
    return programs


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
# record/outcomes/pipe_filters.py: What a pipe behind a check lets through of its output, and whether a failure would be among that.
# ==================================================================================================

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def is_cut(check: Check, count: int, programs: Sequence[str] = CUTTING) -> bool:
    """Whether one of the programs, head or tail, may have let through only a part of the output."""
    return any(program_in(text) in programs and count >= lines_let_through(shell_words(text))
               for text in check["filters"])


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through: `-5`, `-n5`, `-n 5`."""
    numbers = [word.lstrip("-n") for word in words[1:]]
    return next((int(number[:9]) for number in numbers if number.isdigit()), LINES_OF_HEAD_AND_TAIL)


# ==================================================================================================
# record/outcomes/verdicts.py: Whether a command's checks passed: by the exit code where it is theirs, else by what the output says.
# ==================================================================================================

STOP_SIGNALS = (130, 137, 143)  # exit codes of what was interrupted, killed or ended from outside


# ==================================================================================================
# record/outcomes/check_ends.py: How each check of a command line ended, as far as the line's verdict and its output tell.
# ==================================================================================================

def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


def ends_in_background(command: str, exit_code: int | None) -> list[CheckEnd]:
    """How each check of a line ended that had gone into the background, by the exit code that the client tells."""
    checks = checks_in(command)
    return [{"verdict": verdict_in_background(check, len(checks), exit_code)} for check in checks]


def verdict_in_background(check: Check, count: int, exit_code: int | None) -> str:
    """How the check ended, one of so many of its line."""
    if exit_code is None or not check["shows_exit"]:
        return "unknown"
    if exit_code == 0:
        return "passed"
    if exit_code in STOP_SIGNALS:
        return "stopped"
    return "failed" if count == 1 else "unknown"


# ==================================================================================================
# recap/completed_items.py: The items with all that a line on them needs: what other items, the newest outputs and the folders say of each.
# ==================================================================================================

OUTPUT_SHARE = 0.06  # of the budget: what one of the newest calls showed


def completed_items(snapshot: Snapshot, paths: Paths) -> list[Item]:
    """The snapshot's items, completed; with the tag of their step where somebody can ask for it.

    They are seen from the present folder already: see `seen_from_folder`.
    """
    most = int(OUTPUT_SHARE * snapshot["settings"]["budget"])
    items = with_lost_results(with_ends_of_jobs(without_common_rows(snapshot["items"])))
    items = with_outputs(items, snapshot.get("outputs", {}), snapshot.get("files", {}), most)
    if text_of(snapshot, "how_to_open"):
        items = with_tags(items)
    files = files_known(snapshot)
    return [with_short_paths(item, paths, files) for item in items]


def files_known(snapshot: Snapshot) -> set[str]:
    """The whole paths of files that the session's tools or git name."""
    now = snapshot.get("present", {}).get("repository", {})
    changed = [path for path, _ in (*now.get("staged", []), *now.get("modified", []))]
    changed += [*now.get("untracked", []), *now.get("conflicts", [])]
    of_git = {posixpath.normpath(f"{now.get('folder', '')}/{path}") for path in changed}
    return of_git | {item["path"] for item in snapshot["items"] if item.get("path")}


def with_short_paths(item: Item, paths: Paths, files: Set[str]) -> Item:
    """The item with the paths in what it was refused and in what it printed as lines show them.

    `files`: the whole paths of those that are known.
    """
    short: Item = {**item}
    if item.get("refused"):
        short["refused"] = paths.short(item["refused"])
    if item.get("rows"):
        short["rows"] = [paths.from_top(paths.short(row), files) for row in item["rows"]]
    if item.get("private"):
        short["private"] = [paths.from_top(path, files) for path in item["private"]]
    for name in ("result", "output", "printed"):
        if text_of(item, name):
            short[name] = paths.from_top(item[name], files)
    return short


def with_ends_of_jobs(items: Sequence[Item]) -> list[Item]:
    """The items; a command that went into the background and ended there is one that ended, with its job's words.

    The job itself is left out where its command tells how it ended.
    """
    jobs: dict[str, Item] = {item["source"]: {**item, "result": with_owner_of_exit_code(item)}
                             for item in items if is_job_over(item)}
    commands = [item for item in items if item["source"] in jobs and tells_end(item, jobs[item["source"]])]
    said_by_command = {command["source"] for command in commands}
    completed: list[Item] = []
    for item in items:
        job = jobs.get(item["source"])
        if job is None:
            completed.append(item)
        elif not is_job_over(item):
            completed.append(with_end_of_job(item, job))
        elif item["source"] not in said_by_command:
            completed.append(job)
    return completed


def with_lost_results(items: Sequence[Item]) -> list[Item]:
    """The items; a call without a result behind which the agent said something, or the person typed, waits for none.

    A command of six hours before had stood with "no result yet". A subagent may work on beside the talk.
    """
    talked = max((item["position"] for item in items
                  if item["kind"] == "said" or item.get("via") in ("prompt", "interrupt")), default=0)
    completed: list[Item] = []
    for item in items:
        is_lost = is_running(item) and item["position"] < talked and not item.get("by_agent")
        completed.append({**item, "has_lost_result": True} if is_lost and item["tool"] not in SUBAGENT_TOOLS else item)
    return completed


def with_end_of_job(item: Item, job: Item) -> Item:
    """The item; where it is the call that put the job into the background, with how that ended."""
    if not is_running(item):
        return item
    if item.get("tool") in SUBAGENT_TOOLS:
        return {**item, "verdict": "ended", "result": job["result"], "last": job["last"]}
    return {**item, "verdict": "ended", "result": f"in the background: {job['result']}", "is_in_background": True,
            "ends": ends_in_background(item["text"], job.get("exit_code"))}


def is_running(item: Item) -> bool:
    """Whether it is an action or a look that had no result when it was read."""
    return item["kind"] in ("action", "look") and text_of(item, "verdict") == "running"


def tells_end(item: Item, job: Item) -> bool:
    """Whether the item is the call that the job is, so that its line tells how that ended.

    It had no result when it was read, or it is the command itself, with its end by the output that was read.
    """
    is_command = item["kind"] == "action" and item["tool"] in SHELL_TOOLS
    return is_running(item) or (is_command and not job.get("by"))


def is_job_over(item: Item) -> bool:
    """Whether it is a job of which the client said how it ended."""
    return item["kind"] == "job" and item["status"] == "ended"


def with_owner_of_exit_code(job: Item) -> str:
    """What the client said of the job's end; behind an exit code of 0 whose it is, where the output went on to it.

    `npx hardhat test | head -100` with two failing tests had "exit 0" there.
    """
    result = job.get("result", "")
    last = ending_program(job["text"]) if "|" in job["text"] else ""
    if last not in FILTERS:
        return result
    return re.sub(r"(exit (?:code )?0)\b", rf"\1 of `{last}`", result)


def with_outputs(items: Sequence[Item], outputs: Mapping[str, str], files: Mapping[str, str],
                 most: int) -> list[Item]:
    """The items with what their calls showed: those of the newest at most so many UTF-16 units each, as `output`.

    What was kept whole, of `files` that were read, too, stands as `printed`: for where room is left.
    """
    newest = [*outputs][-NEWEST_CALLS:]
    completed: list[Item] = []
    for item in items:
        name = name_of_output(item)
        is_kept = item["kind"] in ("action", "look") and name in outputs
        copy: Item = {**item}
        if is_kept and name in newest:
            copy["output"] = output_within(outputs[name], most)
        if is_kept and has_all_rows(outputs[name]):
            copy["printed"] = outputs[name]
        if item["kind"] == "look" and name in files:
            copy["printed"] = files[name]
        completed.append(copy)
    return completed


def output_within(output: str, most: int) -> str:
    """The rows of an output within so many UTF-16 units: of each part its end under its head, else both ends."""
    return ends_under_heads(output.split(ROW_END), most) or middle_out(output, most)


# ==================================================================================================
# recap/lines/command_forms.py: Forms of commands that failed beside those that worked, and programs that the machine has not.
# ==================================================================================================

FORMS_MAX, LACKS_MAX = 6, 4
DIFFERENCE_CONTEXT_CHARACTERS = 40


def form_lines(actions: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """Forms of commands that failed beside the one that worked, which stands once."""
    failures: dict[str, list[str]] = {}  # by the command that worked, as it is shown
    tells: dict[str, set[str]] = {}
    for form in mended(actions)[:FORMS_MAX]:
        commands = (form["failed"], form["worked"])
        is_of_one = sum(paths.root in command for command in commands) == 1  # the path may be what made the difference
        failed, worked = (short_command(command, Paths("", "") if is_of_one else paths) for command in commands)
        if failed == worked:  # the folder makes the difference, or what lies behind the cut
            failed, worked = from_difference(form["failed"], form["worked"])
        result = cut(paths.short(form["result"]), OTHER_COMMAND_MAX_UTF16)
        failures.setdefault(worked, []).append(f"{failed} → {result}")
        tells.setdefault(worked, set()).update(naming(*commands))
    for worked, of_worked in failures.items():
        yield shared_line(f"- {'; '.join(of_worked)}; ran in this form: {worked}", tells[worked])


def from_difference(failed: str, worked: str) -> tuple[str, str]:
    """Both commands as code, each from a little before where they begin to differ."""
    lines = (folded_line(failed), folded_line(worked))
    begin = max(shared_beginning(*lines) - DIFFERENCE_CONTEXT_CHARACTERS, 0)
    mark = "…" if begin else ""
    shown = [as_code(mark + cut(line[begin:], COMMAND_MAX_UTF16)) for line in lines]
    return shown[0], shown[1]


def lack_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """What the machine refused to the session's commands: programs that it has not, and a password for sudo."""
    refused = {lack["program"]: lack["command"] for lack in lacks(items)}
    command = refused.pop(SUDO, "")
    if command:
        shown = short_command(command, paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- sudo asked for a password that no command could type: {shown}", naming(command))
    missing = dict([*refused.items()][:LACKS_MAX])
    if missing:
        shown = ", ".join(f"{as_code(program)} in {short_command(command, paths, OTHER_COMMAND_MAX_UTF16)}"
                          for program, command in missing.items())
        yield shared_line(f"- command not found, and not seen to run in this session: {shown}",
                          naming(*missing.values()))


# ==================================================================================================
# record/calls/refused_calls.py: Calls of the client's tools that were refused each time: no such tool, an argument that does not fit.
# ==================================================================================================

NO_SUCH_TOOL = "Error: No such tool available"
ALIKE_MIN, ALIKE_CHARACTERS = 2, 60  # so many refusals that begin alike are told
MENDED_OTHERWISE = (*SHELL_TOOLS, *CHANGING_TOOLS, *LOOKING_TOOLS, *SUBAGENT_TOOLS)


def refused_each_time(actions: Sequence[Item]) -> list[list[Item]]:
    """The calls whose tool is not there, and those that were refused alike, where no call of the tool worked.

    Those of one tool together, the tool that was called last first.
    """
    calls = [action for action in actions if action["tool"] not in MENDED_OTHERWISE]
    worked = {call["tool"] for call in calls if call["verdict"] != "failed"}
    by_refusal: dict[tuple[str, str], list[Item]] = {}
    for call in reversed(calls):
        if call["tool"] not in worked and call["result"]:
            by_refusal.setdefault((call["tool"], call["result"][:ALIKE_CHARACTERS]), []).append(call)
    return [alike for alike in by_refusal.values()
            if times_refused(alike) >= ALIKE_MIN or alike[0]["result"].startswith(NO_SUCH_TOOL)]


def times_refused(calls: Sequence[Item]) -> int:
    """How often these calls were refused as they were last, at least."""
    return sum(call["uses"] - len(call.get("earlier", [])) for call in calls)


# ==================================================================================================
# recap/lines/refused_calls.py: Calls of the client's tools that were refused each time, on two lines: tools that are not there, and the others.
# ==================================================================================================

TOOLS_SHOWN_MAX, REFUSALS_SHOWN_MAX = 8, 3
GIVEN_SHOWN_UTF16, WHY_REFUSED_UTF16 = 80, 160


def refused_call_lines(actions: Sequence[Item]) -> Iterator[Line]:
    """The lines; each tool once with how often it was called, of a refusal its reason and what was given last."""
    refused = refused_each_time(actions)
    missing = [calls for calls in refused if calls[0]["result"].startswith(NO_SUCH_TOOL)]
    others = [calls for calls in refused if calls not in missing]
    if missing:
        names = ", ".join(f"{as_code(calls[0]['tool'])}{times(calls)}" for calls in missing[:TOOLS_SHOWN_MAX])
        yield shared_line(f"- no such tool, said the client, and none of them worked: {names}")
    if others:
        yield shared_line(f"- refused each time, and no call of the tool worked: "
                          f"{'; '.join(map(refusal, others[:REFUSALS_SHOWN_MAX]))}")


def refusal(calls: Sequence[Item]) -> str:
    """The tool with what was given last, how often it was called, and why it was refused."""
    given = f" {cut(calls[0]['text'], GIVEN_SHOWN_UTF16)}" if calls[0]["text"] else ""
    count = times_refused(calls)
    which = f" (the last of {count} calls)" if count > 1 else ""
    return f"{as_code(calls[0]['tool'] + given)}{which} → {cut(calls[0]['result'], WHY_REFUSED_UTF16)}"


def times(calls: Sequence[Item]) -> str:
    """How often these calls came, in a bracket; empty of a single one."""
    count = times_refused(calls)
    return f" ({count} times)" if count > 1 else ""


# ==================================================================================================
# record/commands/machine_setup.py: What a session set up on the person's machine, outside of the project: no look at the repository shows it.
# ==================================================================================================

SETUPS_MAX = 5
BY_SUDO = rf"sudo{SUDO_OPTIONS} "
INSTALLS = r"(?:-y )?(?:install|add) (?:-y )?[^\s-]"
SETTING_UP = {  # by program, the words behind it
    "claude": r"(?:mcp (?:add|add-json|remove)|plugin (?:install|marketplace add)) \S",
    **dict.fromkeys(NODE_MANAGERS, r"(?:i|install|add) (?:.{0,80} )?(?:-g|--global)\b"),
    "yarn": r"global add \S", "pipx": INSTALLS, "uv": r"tool install \S", "cargo": r"install (?!--path \.(?:\s|$))\S",
    "gem": INSTALLS, "go": r"install \S+@", "rustup": r"(?:default|(?:target|component) add|toolchain install) \S",
    **dict.fromkeys(PACKAGE_MANAGERS, rf"tap \S|{INSTALLS}"),
    "git": r"config --global (?!--)\S+ \S", "gh": r"auth (?:login|refresh|setup-git)|(?:secret|variable) set \S",
    "ssh-keygen": r".*-f \S", "ssh-add": r"(?!-[lLdD]\b)\S",  # by which a push went through that had failed
    "docker": r"login\b|context use \S", "gcloud": r"auth (?:login|activate-service-account)\b|config set \S",
    "az": r"login\b|account set \S", "aws": r"configure set \S|sso login\b", "kubectl": r"config use-context \S",
    "pyenv": r"(?:install|global) [^\s-]", "nvm": r"(?:install|alias default) [^\s-]",
    "crontab": r"(?!-l)\S", "launchctl": r"(?:load|bootstrap) \S",
    "systemctl": r"(?:--user )?enable \S",
}
SCOPE_OF_USER = r" (?:-s|--scope)[ =]user\b"
OUTPUT_GOES_TO = r"\s*(?:2>&1|\d?>>?\s*\S+)"


def setups(items: Sequence[Item]) -> list[str]:
    """The commands that did it and ended well, the newest first; none twice."""
    commands = [command for item in reversed(items) for command in setups_of(item)]
    return [*dict.fromkeys(commands)][:SETUPS_MAX]


def setups_of(item: Item) -> Iterator[str]:
    """The commands of an action that set something up, without where their output goes."""
    if item["kind"] != "action" or item["tool"] not in SHELL_TOOLS or not has_ended_well(item):
        return
    pieces = pieces_of(item["text"])
    if any(sign not in EACH_ENDED_WELL for _, sign in pieces):
        return
    for piece, _ in pieces:
        program, _, arguments = re.sub(BY_SUDO, "", piece).partition(" ")
        if program in SETTING_UP and re.match(SETTING_UP[program], arguments):
            yield re.sub(OUTPUT_GOES_TO, "", piece)


def is_for_folder(command: str) -> bool:
    """Whether a command adds a server to Claude Code for the folder in which it ran: for all, `user` has to be said."""
    return command.startswith("claude mcp add") and re.search(SCOPE_OF_USER, command) is None


# ==================================================================================================
# record/outputs/made_outside_tree.py: What the session made outside of the tree: issues, pull requests, comments, with their addresses.
# ==================================================================================================

OUTSIDE_MAX = 5
SAME_KIND_MIN = 3  # things made, that then share a line
TITLED = r"((?:gh|glab|hub|tea|jira)(?: \w{1,20}){1,2}) (“.{1,140}”) → http"
OPENED_REQUESTS = ("gh pr create", "glab mr create")


def made_outside_tree(items: Sequence[Item]) -> list[str]:
    """Issues, pull requests and comments that were made, the newest first; many of a kind share a line.

    Without pull requests that a command opened: they stand with the repository.
    """
    lines: dict[str, str] = {}  # by address
    kinds: dict[str, list[tuple[str, str]]] = {}  # of a kind the titles and addresses
    for item in reversed(items):
        for text in made_by(item):
            address = text.rpartition("→ ")[2]
            if address in lines or text.startswith(OPENED_REQUESTS):
                continue
            lines[address] = text
            titled = re.match(TITLED, text)
            if titled:
                kinds.setdefault(titled[1], []).append((titled[2], address))
    for kind, things in kinds.items():
        if len(things) >= SAME_KIND_MIN:
            lines[things[0][1]] = many_made(kind, things)
            for _, address in things[1:]:
                del lines[address]
    return [*lines.values()][:OUTSIDE_MAX]


def made_by(item: Item) -> list[str]:
    """What an action made outside of the tree, each with its address."""
    if item["kind"] != "action" or item.get("verdict") == "failed":
        return []
    return [item["made"]] if item.get("made") else [text for text in item.get("evidence", []) if "→ http" in text]


def many_made(kind: str, things: Sequence[tuple[str, str]]) -> str:
    """Things of a kind with their titles and addresses, on one line; of addresses like the first their end."""
    first = things[0][1]
    base = first.rpartition("/")[0]
    addresses = [first, *(address.replace(f"{base}/", "#") for _, address in things[1:])]
    shown = [f"{title} → {address}" for (title, _), address in zip(things, addresses)]
    return f"{len(things)} times {kind}: {'; '.join(shown)}"


def stands_as_made(item: Item) -> bool:
    """Whether the action made something with a title outside of the tree: its line says all, also of many of a kind."""
    return item.get("verdict") != "failed" and any(re.match(TITLED, text) for text in item.get("evidence", []))


# ==================================================================================================
# record/outputs/named_hits.py: Where the names of the next step stand, as searches showed them.
# ==================================================================================================

HITS_BY_NAME_MAX = 12
HITS_OF_A_NAME_MAX = 3
FILES_OF_A_NAME_MAX = 8  # a name that stands in more points nowhere
STANDARD_MODULES = frozenset(  # of which everyone uses everything
    "os io re fs fmt sys json math path time http sync errors strings strconv context filepath bytes sort log console"
    " process window document Object Array Promise String Math JSON std self this super".split())


def hits_by_name(items: Sequence[Item], names: Sequence[str], summary: str) -> list[str]:
    """The hits with a name of the next step, a file and name once; no tests and documents where there are others, nor
    where the next step names no test.

    Names with few files first, none with many: what stands everywhere points nowhere. Definitions are told apart.
    """
    wanted = members(names)
    names_test = any(re.search(TEST_PATH, name) for name in names)
    by_name, seen, changes = first_hits(items, wanted), set(summary.split()), [*filter(is_file_edit, items)]
    lines = list[str]()
    for _, files in sorted(by_name.items(), key=lambda entry: (len(entry[1]), wanted.index(entry[0]))):
        if len(files) > FILES_OF_A_NAME_MAX:
            continue
        chosen = [(hit, search) for hit, search in files if not is_side_line(hit[0], hit[2])]
        if not chosen and names_test:
            chosen = files
        new = [hit for hit, search in chosen
               if location_in_short(hit) not in seen and not is_edited_since(changes, hit[0], search["position"])]
        seen.update(map(location_in_short, new[:HITS_OF_A_NAME_MAX]))
        lines += shown_hits(new[:HITS_OF_A_NAME_MAX])
    return lines[:HITS_BY_NAME_MAX]


def location_in_short(hit: Hit) -> str:
    """Where a hit stands, as summaries write it: `rates.py:12`."""
    return f"{file_name(hit[0])}:{hit[1]}"


def is_edited_since(changes: Sequence[Item], path: str, position: int) -> bool:
    """Whether the file was changed after that position: a line seen before may not stand there any more."""
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


# ==================================================================================================
# record/outputs/sweeps.py: Sweeps that were begun: a name that was searched and then changed in some of the files that hit.
# ==================================================================================================

UNCOVERED_FILES_MAX = 12  # a name that stands in more is no list of what is left to do
SWEEPING_EDITS_MAX, SWEEPING_SEARCHES_MAX = 100, 60  # the newest
FILES_OF_SWEEP_MIN = 2
CHANGED_ROWS_MAX = 200
SEARCHED_NAMES_MAX = 8  # of one pattern
SEARCHED_NAME = rf"(?<![\w\\])(?:{JOINED_FORM})(?!\w)"
NAMES_OF_UNCOVERED_MAX = 4
HITS_OF_UNCOVERED_MAX = 4  # of a name
FILES_SHOWN_MAX = 3  # in which a name was edited
SEARCH_LOOKED_AT_CHARACTERS = 500  # of a pattern or command
QUOTED_WORD = r"\"([^\"]{3,200})\"|'([^']{3,200})'"
PATTERN_SIGNS = r"\\[bswdntBSWD]|\.[*+]\??"
ROW_TAKEN_AWAY = r"\n- (.*)"


def searched_names(search: Item) -> list[str]:
    """The names that a search looked for, without the words of its pattern's or its command's own language."""
    text = search["text"]
    if search.get("tool") not in SEARCH_TOOLS:  # a command: what it looks for is quoted, or looks like a name
        quoted = re.findall(QUOTED_WORD, text[:SEARCH_LOOKED_AT_CHARACTERS])
        text = " ".join(double or single for double, single in quoted) or text.partition("|")[0]
    text = re.sub(PATTERN_SIGNS, " ", text[:SEARCH_LOOKED_AT_CHARACTERS])
    names = dict.fromkeys(name for name in re.findall(SEARCHED_NAME, text) if f"{name}/" not in text)
    return [name for name in names if not is_plain_word(name)][:SEARCHED_NAMES_MAX]


def uncovered_hits(items: Sequence[Item]) -> list[str]:
    """Of names that were searched and then changed in some of the files that hit: the hits in the others.

    A sweep shows itself by lines with the name that were taken away in two of these files, or by a definition that was
    changed; edits that only use the name say nothing. Tests, documents, comments only where the definition is gone.
    """
    changes = [*filter(is_file_edit, items)]
    sweeps: list[tuple[int, str]] = []  # with the position of the last edit
    seen = set[str]()
    newest = searches(items)[:SWEEPING_SEARCHES_MAX]
    by_word = edits_by_word(changes[-SWEEPING_EDITS_MAX:]) if newest else {}
    for search in newest:
        for name in searched_names(search):
            near = [edit for edit in by_word.get(name, ()) if edit["position"] > search["position"]]
            away = swept_lines(near, search, name) if near and name not in seen else []
            if not away:
                continue
            seen.add(name)
            later = [edit for edit in changes
                     if edit["position"] > search["position"] and has_word(edit.get("change", ""), name)]
            hits = hits_worth_telling(open_hits(items, search, name), is_definition_gone(name, away, later))
            if hits:
                sweeps.append((later[-1]["position"], shown_sweep(name, hits, later)))
    return [text for _, text in sorted(sweeps, reverse=True)[:NAMES_OF_UNCOVERED_MAX]]


def is_definition_gone(name: str, away: Sequence[str], later: Sequence[Item]) -> bool:
    """Whether a line that was taken away defined the name, and no edit put the name in again."""
    if not any(is_definition_of(row, name) for row in away):
        return False
    return not any(has_word(row, name) for edit in later for row in rows_put_in(edit))


def hits_worth_telling(hits: list[Hit], with_side_lines: bool) -> list[Hit]:
    """The hits in code, else those in tests, documents and comments where these are asked for; none in many files."""
    chosen = [hit for hit in hits if not is_side_line(hit[0], hit[2])]
    if not chosen and with_side_lines:
        chosen = hits
    return chosen if len({path for path, _, _ in chosen}) <= UNCOVERED_FILES_MAX else []


def edits_by_word(changes: Sequence[Item]) -> dict[str, list[Item]]:
    """For each word the edits that took lines with it away, of files that are no tests and no documents."""
    by_word: dict[str, list[Item]] = {}
    for edit in changes:
        change = "\n" + edit.get("change", "")
        if "\n- " not in change or is_side_line(edit["path"], ""):
            continue
        rows = re.findall(ROW_TAKEN_AWAY, change)[:CHANGED_ROWS_MAX]
        for word in set(re.findall(r"\w{4,}", "\n".join(rows))):
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
        if is_file_edit(item):
            if is_later or has_word(item.get("change", ""), name):
                paths.append(item["path"])
        elif item["kind"] == "action" and is_later:
            commands.append(item["text"])
    later_commands = "\n".join(commands)
    hits: list[Hit] = []
    for path, line, code in [split_hit(hit) for hit in search["hits"] if has_word(hit, name)]:
        is_covered = any(same_file(other, path) for other in paths) or file_name(path) in later_commands
        if code and not is_covered and not is_definition_of(code, name):
            hits.append((path, line, code))
    return hits


def shown_sweep(name: str, hits: list[Hit], later: list[Item]) -> str:
    """What was edited of a name, and what was not."""
    files = [*dict.fromkeys(last_parts(edit["path"], WITH_FOLDER) for edit in later)]
    edited = ", ".join([*files[:FILES_SHOWN_MAX], *(["…"] if len(files) > FILES_SHOWN_MAX else [])])
    left = "; ".join(shown_hits(hits[:HITS_OF_UNCOVERED_MAX]))
    more = f"; {len(hits) - HITS_OF_UNCOVERED_MAX} more" if len(hits) > HITS_OF_UNCOVERED_MAX else ""
    return f"`{name}`: edited in {edited}; not in {left}{more}"


# ==================================================================================================
# recap/lines/also_on_record.py: Lines from the whole session that tell where to go on, in the words of the recap.
# ==================================================================================================

SETUP_SHOWN_UTF16, RUNNER_COMMAND_SHOWN_UTF16 = 160, 200
RUNNERS_MAX, LISTINGS_MAX = 3, 2
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
FOR_FOLDER = " (for the folder in which it ran alone)"
RUNNER_EVIDENCE = r"\[[^\]]{1,180}\] \$ \S"


def also_on_record_lines(snapshot: Snapshot, paths: Paths, set_up: Sequence[Line]) -> Iterator[Line]:
    """The lines, what helped readers most first.

    Forms that work, what the machine has not, files too large to be read whole, work lists, locations. `set_up`: those
    on what was set up on the machine.
    """
    items, summary = snapshot["items"], text_of(snapshot, "summary")
    actions = [item for item in items if item["kind"] == "action"]
    yield from form_lines(actions, paths)
    yield from lack_lines(items, paths)
    yield from refused_call_lines(actions)
    yield from too_large_lines(items, paths)
    yield from gone_file_lines(items, paths)
    locations = map(shared_line, (*uncovered_hits(items), *made_outside_tree(items)))
    names = names_of_next_step(items, summary, text_of(snapshot["state"], "last_words"))
    names_again = map(shared_line, (*runner_lines(items), *hits_by_name(items, names, summary)))
    for line in (*locations, *set_up, *names_again):
        yield {**line, "text": f"- {paths.short(line['text'])}"}
    yield from files_read_lines(items, summary, paths)


def gone_file_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The files that the session wrote and that a later listing of their folder lacks."""
    for look, names in gone_when_listed(items, paths.root)[:LISTINGS_MAX]:
        command = short_command(look["text"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- written in this session, and gone when {command} listed their folder: "
                          f"{file_names(names)}", naming(look["text"]))


def names_of_next_step(items: Sequence[Item], summary: str, last_words: str) -> list[str]:
    """The names in the newest message, in what the summary says comes next, and in the agent's last words."""
    typed = [item["text"] for item in items if item["kind"] == "message" and item.get("via") != "teammate"]
    texts = ("\n".join(typed[-1:]), next_part(summary), last_words)
    return list(dict.fromkeys(name for text in texts for name in names_of(text)))


def runner_lines(items: Sequence[Item]) -> Iterator[str]:
    """What a task runner's tasks run, as it printed that: `[test] $ pytest` alone passed for a check that had run."""
    for text in runner_commands(items):
        task, _, command = text.partition(" $ ")
        name, _, package = task.strip("[]").partition(" of ")
        yield f"task `{name}` of {package or 'the task runner'} runs {code(command, RUNNER_COMMAND_SHOWN_UTF16)}"


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first: `[test] $ pytest -q`, as it said when it ran them."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        for text in item.get("evidence", []):
            if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]


def setup_lines(actions: Sequence[Item]) -> list[Line]:
    """What was set up on the machine, on one line; none where nothing was."""
    commands = setups(actions)
    if not commands:
        return []
    shown = ", ".join(code(command, SETUP_SHOWN_UTF16) + (FOR_FOLDER if is_for_folder(command) else "")
                      for command in commands)
    return [shared_line(f"set up on this machine, outside of the project: {shown}", naming(*commands))]


# ==================================================================================================
# recap/lines/changed_files.py: The lines of changed files: one a file, made of all its changes; one for many of which nothing else can be told.
# ==================================================================================================

SAME_CHANGE_MIN_CHARACTERS = 60  # shorter ones are shown again
BATCH_MIN, BATCH_SHOWN = 6, 2  # new files of a kind in a folder: with so many the rest share a line

FILE_REMOVED, FILE_GONE, FILE_MOVED = "removed", "gone", " (moved since)"  # gone: moved, and told of at its new path
BRINGS_FILES = (  # back, or from elsewhere, at times without their names
    r"\bgit\b.{0,300}\b(?:(?:checkout|switch)\b(?! -[bc] [\w./-]{1,200} *(?:$|[&;|]|2>))"  # no new branch
    r"|(?:restore|stash|reset|merge|pull|revert|rebase|cherry-pick|am|apply|clone)\b)"
    r"|\b(?:cp|mv|rsync|tar|unzip|patch) ")


class ChangedFiles:
    """The changes of each file, the newest first, and which of them stand on the line of another."""

    def __init__(self, items: Sequence[Item], summary: str, paths: Paths) -> None:
        """Of all items of the session."""
        self.paths, self.summary = paths, summary
        self.known_rows = {line.strip() for line in summary.splitlines()}
        edits = edits_by_file(items)
        taken_away = paths_taken_away_later(items, edits, paths.root)
        self.moved = {path for path, (how, _) in taken_away.items() if how == FILE_MOVED}
        self.edits = {path: of_file for path, of_file in edits.items() if path not in taken_away or path in self.moved}
        self.batches = batches_of_new_files(self.edits)
        singly = {path: edits for path, edits in self.edits.items() if path not in self.batches}
        elsewhere, self.by_rows = rows_shown_elsewhere(singly), files_by_rows(singly)
        self.alike = files_alike(singly, elsewhere, self.by_rows)
        whole = {*files_without_own_rows(singly, elsewhere)}  # their lines show all, or say in which others do
        self.elsewhere = {path: set[str]() if path in whole else rows for path, rows in elsewhere.items()}
        self.shown_by = {path: source for source, files in self.alike.items() for path in files}
        self.changed: dict[str, str] = {}  # by what was changed the file that was shown

    def line_of(self, edit: Item) -> Line:
        """The line of the file, where this is its newest edit; none of others, or where another line tells of it."""
        path = edit["path"]
        edits, batch = self.edits.get(path, []), self.batches.get(path, [])
        if batch:
            return new_files_line(batch, self.paths) if batch[0] is edit else NO_LINE
        if not edits or edits[0] is not edit:
            return NO_LINE
        if path in self.shown_by:
            return self.line_of_alike(path)
        since = FILE_MOVED if path in self.moved else ""
        source = self.by_rows.get(rows_with_words(edits[:1]), path)
        elsewhere: RowsElsewhere = {"rows": self.elsewhere[path], "just_these": source if source != path else ""}
        line = edits_line(edits, self.paths, self.known_rows, elsewhere, since)
        if line.get("what") == AS_SUMMARISED and file_name(path) in self.summary:
            return NO_LINE
        return self.as_in_other(line, self.paths.short(path))

    def line_of_alike(self, path: str) -> Line:
        """The line that several files share whose changes are the same, at the one of them that was changed last."""
        source = self.shown_by[path]
        files = self.alike[source]
        if path != files[0]:
            return NO_LINE
        return alike_line([edit for file in files for edit in self.edits[file]], self.paths, source)

    def as_in_other(self, line: Line, path: str) -> Line:
        """The line of a changed file; where just the same was changed in another file, that is named instead."""
        change = "\n".join(item.get("change", "") for item in line["items"])
        if OMITTED_ROWS in change.replace("+ ", "").splitlines():
            return line  # what was left out of it may differ
        if len(change) < SAME_CHANGE_MIN_CHARACTERS or self.changed.setdefault(change, path) == path:
            return line
        return {"items": line["items"], "text": f"{line['label']}: the same change as in {self.changed[change]}"}


def edits_by_file(items: Sequence[Item]) -> dict[str, list[Item]]:
    """The changes of each file, the newest first; one that failed only where none worked later.

    Those that a later command took back are left out, unless it took back all of them.
    """
    edits: dict[str, list[Item]] = {}
    for item in reversed(items):
        is_edit = item["kind"] == "action" and item["tool"] in CHANGING_TOOLS
        if is_edit and (item["verdict"] != "failed" or item["path"] not in edits):
            edits.setdefault(item["path"], []).append(item)
    for path, of_file in edits.items():
        edits[path] = [edit for edit in of_file if not edit.get("taken_back")] or of_file
    return edits


def paths_taken_away_later(items: Sequence[Item], edits: Mapping[str, Sequence[Item]],
                           root: str) -> dict[str, tuple[str, int]]:
    """By path of a changed file that a command took away after its last change how, and when by its position."""
    newest = {path: of_file[0]["position"] for path, of_file in edits.items()}
    later: dict[str, tuple[str, int]] = {}
    for item in items:
        if item["kind"] != "action" or item["tool"] not in SHELL_TOOLS or not has_ended_well(item):
            continue
        removed, moved = paths_taken_away(item["text"], root, item.get("folder", ""))
        if not removed and not moved:
            continue
        for path in [path for path, position in newest.items() if position <= item["position"]]:
            seen_from_root = from_root(path, root)
            if any(is_at_or_below(seen_from_root, taken) for taken in removed):
                later[path] = FILE_REMOVED, item["position"]
            elif any(is_at_or_below(seen_from_root, taken) for taken in moved):
                is_gone = is_changed_elsewhere(path, item["position"], newest)
                later[path] = FILE_GONE if is_gone else FILE_MOVED, item["position"]
    return later


def removed_files(items: Sequence[Item], taken_away: Mapping[str, tuple[str, int]]) -> dict[str, int]:
    """By path of a changed file that was removed later when that was, by positions; none that may be there again.

    `taken_away`: as `paths_taken_away_later` has it. A file that was removed and made anew had stood as removed.
    """
    removed = {path: at for path, (how, at) in taken_away.items() if how == FILE_REMOVED}
    commands = [item for item in items if item["kind"] == "action" and item["tool"] in SHELL_TOOLS] if removed else []
    return {path: at for path, at in removed.items()
            if not any(may_bring_back(item["text"], path) for item in commands if item["position"] >= at)}


def may_bring_back(command: str, path: str) -> bool:
    """Whether a command line may make a file that was removed: it names it, copies, or takes files from git."""
    return re.search(BRINGS_FILES, command) is not None or any(
        file_name(path) in piece and program_in(piece) not in (*REMOVING_PROGRAMS, "git")
        for piece, _ in pieces_of(command))


def removed_after(said: Item, removed: Mapping[str, int], known: Collection[str]) -> list[str]:
    """The files removed after the agent's words that these name, if at all, as none other of the known paths."""
    return [path for path, at in removed.items() if at > said["position"] and not any(
        file_name(other) == file_name(path) and not same_file(other, path) and is_path_named_in(other, said["text"])
        for other in known)]


def is_changed_elsewhere(path: str, position: int, newest: Mapping[str, int]) -> bool:
    """Whether a file that was moved at this position was changed later at its new path, whose line tells of it then.

    `newest`: by path the position of the last change.
    """
    end = last_parts(path, WITH_FOLDER)
    return any(other != path and changed > position and last_parts(other, WITH_FOLDER) == end
               for other, changed in newest.items())


def batches_of_new_files(edits: Mapping[str, Sequence[Item]]) -> dict[str, list[Item]]:
    """By path of a file that was written once, as many of its kind in its folder: the files that share its line.

    The newest of a kind keep lines of their own: they show what the others are like.
    """
    kinds: dict[tuple[str, str], list[Item]] = {}
    for path, (newest, *older) in edits.items():
        if newest["tool"] == "Write" and newest["verdict"] == "ended" and not older and newest["uses"] == 1:
            folder, _, name = path.rpartition("/")
            kinds.setdefault((folder, name.rpartition(".")[2]), []).append(newest)
    batches: dict[str, list[Item]] = {}
    for of_kind in kinds.values():
        if len(of_kind) >= BATCH_MIN:
            batch = of_kind[BATCH_SHOWN:]
            batches.update(dict.fromkeys((item["path"] for item in batch), batch))
    return batches


# ==================================================================================================
# record/commands/program_languages.py: Which language a program belongs to: the sources that it reads, the language's own tests.
# ==================================================================================================

SOURCE_LANGUAGES = {  # endings of sources that belong to one of them
    "apple": ".swift .m .mm .storyboard .xib .pbxproj .xcconfig .entitlements",
    "go": ".go", "rust": ".rs", "python": ".py .pyi", "jvm": ".kt .java",
    "dotnet": ".cs .fs .vb", "ruby": ".rb", "php": ".php", "dart": ".dart", "elixir": ".ex .exs",
    "web": ".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .html .css .scss"}
SOURCE_ENDINGS = tuple(" ".join(SOURCE_LANGUAGES.values()).split())
SOURCES_OF_PROGRAM = {  # endings of the files that a program reads; another one may read all
    "go": ".go .mod .s .c .h", "gofmt": ".go", "goimports": ".go", "gofumpt": ".go", "golangci-lint": ".go .mod",
    "staticcheck": ".go", "gotestsum": ".go .mod", "cargo": ".rs .toml", "rustfmt": ".rs", "rustc": ".rs",
    "mypy": ".py .pyi .toml .ini .cfg", "pyright": ".py .pyi .toml .json", "ruff": ".py .pyi .ipynb .toml",
    "flake8": ".py .cfg .ini", "pylint": ".py .toml", "black": ".py .pyi .toml", "isort": ".py .toml",
    "tsc": ".ts .tsx .mts .cts .js .jsx .json .vue", "vue-tsc": ".ts .tsx .vue .json", "shellcheck": ".sh .bash",
    "actionlint": ".yml .yaml", "yamllint": ".yml .yaml", "terraform": ".tf .tfvars", "rubocop": ".rb .yml",
    "eslint": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json"}
LANGUAGES_OF_PROGRAM = {  # programs that read many kinds of files, but no sources of other languages than these
    "xcodebuild": "apple", "swift": "apple", "dotnet": "dotnet web", "flutter": "dart", "dart": "dart",
    "mix": "elixir web", "rspec": "ruby web",
    **dict.fromkeys(("npm", "bun", "vitest", "jest", "vite", "next", "webpack", "tsup"), "web")}
TESTS_OF_LANGUAGE = {  # endings of sources; the tests that programs of the language's own run
    ".go": ("go test", "gotestsum"), ".rs": ("cargo test", "cargo nextest"),
    ".swift": ("swift test", "xcodebuild test"),
    ".py": ("pytest", "unittest", "nose2", "tox", "nox", "manage.py test", "behave"),
    ".rb": ("rspec", "minitest", "rails test", "cucumber"), ".ex": ("mix test",),
    ".dart": ("flutter test", "dart test")}
NO_NPM_PROGRAMS = ("go ", "cargo", "pytest", "unittest", "swift", "dotnet", "rspec", "mix ", "phpunit", "mvn", "gradle",
                   "ruff", "mypy", "golangci-lint")  # what a package's own scripts are not known to run


# ==================================================================================================
# record/checks/checked_files.py: Which files a check looks at, and which of those were edited after it.
# ==================================================================================================

# What a check does not look at, of the paths below its folder: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors", ".gitignore")  # how they begin
OTHER_THAN_WEB = "(?i)ios|android|native|mobile|tauri|electron|swift|rust|go\\b|python|wasm|ci\\b|all|check|verify|e2e"
CHECKED_TEXTS = ("requirements", "cmakelists")  # texts by their endings that are checked all the same


def with_changes_since(run: CheckRun, edits: Sequence[Item], root: str) -> CheckRun:
    """The run with the files that it covers and that changed after it, as seen from the root; `edits`: newest first.

    An edit that git took back changed nothing that stands; one that the run saw is no longer there. One that a stash
    had during the run came back after it.
    """
    since = [edit for edit in edits if "taken_back_at" not in edit and (
        edit["position"] > run["position"] or is_away(edit.get("away", ()), run["position"]))]
    gone = [edit for edit in edits if edit["position"] < run["position"] < edit.get("taken_back_at", -1)]
    return {**run, "edited_after": covered_files(run["check"], since, root),
            "taken_back_after": covered_files(run["check"], gone, root)}


def changes_since(edited: Sequence[str], taken_back: Sequence[str],
                  in_short: Callable[[Sequence[str]], str]) -> list[str]:
    """What changed after a run, in words: which files were edited, and which git took back; each with its names."""
    files = {"edited": edited, "taken back": taken_back}
    return [f"{how} since: {in_short([*dict.fromkeys(paths)])}" for how, paths in files.items() if paths]


def covered_files(check: Check, edits: Iterable[Item], root: str) -> list[str]:
    """The files of the edits that the check looks at, as seen from the root."""
    covered = [edit["path"] for edit in edits if covers_file(check, edit["path"], root)]
    return [*dict.fromkeys(from_root(path, root or "/") for path in covered)]


def are_targets_gone(run: CheckRun, removed: Sequence[tuple[int, str]], edits: Sequence[Item], root: str) -> bool:
    """Whether all files and folders that the check names were taken away after it, and not written again.

    A file that had compiled, with its package long gone, had stood as the only linter's run. `removed`: where, and the
    path as seen from the root.
    """
    targets = [from_root(path, root or "/") for path in paths_of_targets(run["check"], root)]
    gone = [(position, path) for position, path in removed if position > run["position"]]
    return bool(targets and gone) and all(any(
        is_at_or_below(target, path) and not any(
            edit["position"] > position and is_at_or_below(from_root(edit["path"], root or "/"), target)
            for edit in edits) for position, path in gone) for target in targets)


def paths_of_targets(check: Check, root: str) -> list[str]:
    """The whole paths of the files and folders that the check names."""
    targets = [target.strip("\"'").replace("\\", "/") for target in targets_in(check)]
    return [whole_path(target.removesuffix("/..."), folder_of(check, root)) for target in targets]


def folder_of(check: Check, root: str) -> str:
    """The whole path of the folder in which the check ran."""
    return whole_path(with_home(check["folder"], root), root or "/")


def covers_file(check: Check, path: str, root: str) -> bool:
    """Whether the check looks at the file: it lies below the folder in which it runs, and is of its language.

    Tests run against all there is, whatever test is named; a check of files looks at no more than those it names.
    """
    root = root or "/"
    path = whole_path(path, root)
    endings = tuple(SOURCES_OF_PROGRAM.get(check["name"].partition(" ")[0], "").split())
    if (endings and not path.endswith(endings)) or is_foreign(check, path):
        return False
    targets = paths_of_targets(check, root)
    if check["family"] in ("test", "build") or not targets:
        targets = [folder_of(check, root)]
    return any(holds_checked(target, path) for target in targets)


def holds_checked(target: str, path: str) -> bool:
    """Whether the target is the file, or a folder above it below which a check looks at such files."""
    return path == target or (is_at_or_below(path, target) and not is_unchecked(from_root(path, target)))


def is_foreign(check: Check, path: str) -> bool:
    """Whether the file is a source of a language that the check's program does not read.

    Of a package's own script only where its name says of nothing else: `npm run ios` may build what it likes.
    """
    program, _, task = check["name"].partition(" ")
    languages = LANGUAGES_OF_PROGRAM.get(program, "").split()
    if not languages or ("web" in languages and re.search(OTHER_THAN_WEB, task)):
        return False
    foreign = " ".join(endings for language, endings in SOURCE_LANGUAGES.items() if language not in languages)
    return path.endswith(tuple(foreign.split()))


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    if name.endswith(UNCHECKED_ENDINGS) and not any(text in name for text in CHECKED_TEXTS):
        return True
    if name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES):
        return True
    return any(folder.startswith(".") or folder in UNCHECKED_FOLDERS for folder in folders)


# ==================================================================================================
# record/checks/standing_for.py: Whether a run of a check stands for another one: it is the same check or a whole task, and at least as broad.
# ==================================================================================================

WHOLE_TASK_WORDS = frozenset(
    "test tests spec specs run all full check checks ci verify preflight qa lint build fmt format types".split())
NAME_WORD = r"[a-z0-9]+"
NARROWING_OPTIONS = ("--filter", "--workspace")  # that choose a package, where the files of both are compared
SPECIAL_TESTS = r"\b(?:e2e|integration|playwright|cypress|smoke|browser)\b"
OUTPUT_OF_BUILD = r"\s-o ?([^\s-]\S*)"
FORMS_OF_PASSED_TESTS = {"go": r"\bpackages ok\b|\bok \S", "cargo": r"test result: ok|\d passed; 0 failed"}


def is_same_check(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one check, however broad: of one name and target, and in no two folders."""
    check, other_check = run["check"], other["check"]
    if not is_same_name(check, other_check) or build_targets_of(check) != build_targets_of(other_check):
        return False
    return not are_elsewhere(check, other_check)


def stands_for(later: CheckRun, earlier: CheckRun) -> bool:
    """Whether the later run is of at least the earlier one's breadth, as far as that is certain."""
    if is_beside(later, earlier):
        return False
    if covers_check(later["check"], earlier["check"]):
        return True
    if later["family"] != earlier["family"] or later["family"] == ANY_CHECK:
        return False
    above, folder = later["check"]["folder"], earlier["check"]["folder"]
    return (not folder or is_at_or_below(folder, above)) and runs_all(later, earlier)


def is_beside(run: CheckRun, other: CheckRun) -> bool:
    """Whether they are two commands of one line, on the same files: what one passed does not mend what the other found.

    `python3 -m unittest tests.test_new; python3 -m unittest`: the whole suite does not load the module that is missing.
    """
    return (run["position"], run["line"]) == (other["position"], other["line"]) and run["command"] != other["command"]


def runs_all(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a task of the whole project's stands for the check of its family: `make test` for `pytest tests/a.py`.

    One of e2e or integration tests only where its name says that it runs them, or everything.
    """
    program, _, task = later["name"].partition(" ")
    if program not in TASK_RUNNERS or later["check"]["runner"]:
        return False
    if later["check"]["limits"]:
        return runs_same_targets(later["check"], failed["check"])
    if program in PACKAGE_RUNNERS and failed["name"].startswith(NO_NPM_PROGRAMS):
        return False
    special = special_words(failed, program)
    words = {*re.findall(NAME_WORD, task.lower())}
    narrowing = words - WHOLE_TASK_WORDS - special - {failed["family"]}
    return not narrowing and (special <= words or "all" in words)


def special_words(failed: CheckRun, program: str) -> set[str]:
    """The words that say that the check is of a special kind, which a task of the program has to name."""
    special = {*re.findall(SPECIAL_TESTS, failed["check"]["command"])}
    if failed["name"].startswith(f"{program} "):  # `test:live` may be no part of `test`
        plain = {*re.findall(NAME_WORD, program), "unit", failed["family"]} | WHOLE_TASK_WORDS
        special |= {*re.findall(NAME_WORD, failed["name"].lower())} - plain
    return special


def runs_same_targets(later: Check, failed: Check) -> bool:
    """Whether the task was given the same files, perhaps as seen from another folder, and nothing else."""
    if not all(option.startswith(NARROWING_OPTIONS) for option in options_in(later)):
        return False
    targets = targets_in(later)
    earlier = [target.removeprefix("./") for target in targets_in(failed)]
    return bool(earlier) and all(
        "." in target and any(f"/{other}".endswith(f"/{target}") for other in targets) for target in earlier)


def output_built(check: Check) -> str:
    """The file that a compiler was told to make; empty: none, or one that nobody keeps."""
    named = re.search(OUTPUT_OF_BUILD, check["command"])
    return "" if named is None or named[1] == "/dev/null" else named[1]


def shows_built(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a build of the same output, or tests that passed, show that what did not compile compiles now."""
    if later["family"] == failed["family"] == "build" and later["verdict"] == "passed":
        output = output_built(failed["check"])
        return bool(output) and output == output_built(later["check"]) and not are_elsewhere(later["check"],
                                                                                             failed["check"])
    form = FORMS_OF_PASSED_TESTS.get(failed["name"].partition(" ")[0], "")
    if failed["family"] != "build" or not form or later["check"]["limits"]:
        return False
    return later["family"] == "test" and later["verdict"] == "passed" and re.search(form, later["result"]) is not None


# ==================================================================================================
# record/checks/last_runs.py: When which check was last run, how that ended, what was edited after it, and which failures stay open.
# ==================================================================================================

SINCE_MAX = 2  # checks that passed since a failure and are named beside it
SOME_LINES = rf"\|\s*(?:{'|'.join(SEARCHING)})\b"  # of whose output only some lines were asked for
TOTAL_FAILED = r"\b\d+ (?:failed|failing|failures?|errors?)\b"  # beside which each failed test is named, or more failed


def last_runs(actions: Sequence[Item], root: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """Of each check its last broad run that is known to have ended, the check that ran last first.

    With it, as `later_runs`, its last run where that was limited, or did not show how it ended; where one of
    them failed each stands by itself.

    `root` is the folder in which commands run that name none; empty: not known, then each path counts. `runs` are the
    actions' check_runs; they stay as they are.
    """
    edits = edits_newest_first(actions)
    last = [run for of_check in runs_worth_telling(runs) for run in with_later_runs(of_check)]
    return [with_changes_since(run, edits, root) for run in last]


def with_those_behind(runs: Sequence[CheckRun]) -> Iterator[tuple[CheckRun, Sequence[CheckRun]]]:
    """Each run with those behind it, the newest first; `runs`, and those behind it, are the oldest first."""
    for index in range(len(runs) - 1, -1, -1):
        yield runs[index], runs[index + 1:]


def runs_worth_telling(runs: Sequence[CheckRun]) -> list[list[CheckRun]]:
    """Of each check, the one that ran last first, the runs of which none says what a later one says, newest first."""
    by_check: list[list[CheckRun]] = []
    for run, later in with_those_behind(runs):
        if run["verdict"] == "not run" or is_overtaken(run, later):
            continue
        of_check = next((others for others in by_check if is_same_check(others[0], run)), None)
        if of_check is None:
            by_check.append([run])
        elif tells_more(run, of_check):
            of_check.append(run)
    return by_check


def with_later_runs(of_check: Sequence[CheckRun]) -> list[CheckRun]:
    """The broadest of a check's runs, the newest first, whose end is known, with a later one as `later_runs`.

    Where one failed, all of them: the failure is told by itself, and so is what came after it.
    """
    if any(run["verdict"] == "failed" for run in of_check):
        return [*of_check]
    known = [run for run in of_check if run["verdict"] in KNOWN_VERDICTS]
    if not known:
        return [of_check[0]]
    whole = known[-1]
    later = known[:-1] or [run for run in of_check if run is not whole]
    return [{**whole, "later_runs": later[:1]}]


def is_overtaken(run: CheckRun, later: Sequence[CheckRun]) -> bool:
    """Whether a later run of another check, or of the same in another folder, stands for the run."""
    others = [other for other in later if other["verdict"] in KNOWN_VERDICTS and not is_same_check(other, run)]
    return any(stands_for(other, run) or shows_built(other, run) for other in others)


def tells_more(run: CheckRun, chosen: Sequence[CheckRun]) -> bool:
    """Whether an earlier run says what those later ones do not: how the check ended, or how a broader run of it did."""
    if run["verdict"] not in KNOWN_VERDICTS:
        return False
    if all(other["verdict"] not in KNOWN_VERDICTS for other in chosen):
        return True
    return all(covers_check(run["check"], other["check"]) and not covers_check(other["check"], run["check"])
               for other in chosen)


def open_failures(actions: Sequence[Item], root: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """The checks whose last run failed, where no later one of the same breadth passed or ended unseen; newest first.

    `root` and `runs` are those of last_runs.
    """
    edits = edits_newest_first(actions)
    forms = mended(actions)
    still_open: list[CheckRun] = []
    for run, later in with_those_behind(runs):
        is_ended = run["verdict"] != "failed" or any(ends_failure(other, run) for other in later)
        if is_ended or may_be_of_another_check(run, runs) or had_wrong_form(run, forms):
            continue
        names = failing_names(run)
        if not run["is_certain"] and any(is_same_line(run, newer) for newer in still_open):
            continue
        same = next((newer for newer in still_open if names and names <= failing_names(newer)), None)
        if same:
            same["same_failure_in"].append(run["command"])
            continue
        is_partly_seen = re.search(SOME_LINES, run["command"]) and not re.search(TOTAL_FAILED, run["result"])
        unseen = names_before(run, runs[:-len(later) - 1]) if is_partly_seen else []
        still_open.append({**with_changes_since(run, edits, root), "passed_since": passed_since(run, later),
                           "same_failure_in": [], "unseen": unseen})
    return still_open


def is_same_line(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one family in one line."""
    return (run["position"], run["command"], run["family"]) == (other["position"], other["command"], other["family"])


def may_be_of_another_check(run: CheckRun, runs: Sequence[CheckRun]) -> bool:
    """Whether the failure may be that of another check of its line, of which a later run passed.

    `pytest tests/a.py; pytest tests/b.py` with one failure in all, and `pytest tests/a.py` passed later: whether
    tests/b.py failed is not known.
    """
    if run["is_certain"]:
        return False
    beside = [other for other in runs if other["verdict"] == "failed" and other["family"] == run["family"]
              and (other["position"], other["line"]) == (run["position"], run["line"])]
    later = [other for other in runs if other["position"] > run["position"] and other["verdict"] == "passed"]
    return any(ends_failure(passed, failed) for passed in later for failed in beside)


def had_wrong_form(run: CheckRun, forms: Sequence[MendedForm]) -> bool:
    """Whether the command was not called as it should be, and another form of it worked."""
    return any(run["position"] <= form["position"] and run["line"] == form["failed"] for form in forms)


def passed_since(run: CheckRun, later: Sequence[CheckRun]) -> list[str]:
    """The newest commands of the same kind that passed after a run."""
    commands = [other["command"] for other in reversed(later)
                if other["verdict"] == "passed" and other["family"] == run["family"]]
    return [*dict.fromkeys(commands)][:SINCE_MAX]


def names_before(run: CheckRun, earlier: Sequence[CheckRun]) -> list[str]:
    """The tests that failed in the last run of the same breadth before this one, and that this one does not name."""
    for other in reversed(earlier):
        if stands_for(run, other) and other["verdict"] in KNOWN_VERDICTS:
            names = other.get("failed_names", ()) if other["verdict"] == "failed" else ()
            return [] if run.get("has_more_failed") else sorted({*names} - {*run.get("failed_names", ())})
    return []


def passed_later(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth passed."""
    return {run["position"] for run, later in with_those_behind(runs) if run["verdict"] == "failed" and any(
        other["verdict"] == "passed" and stands_for(other, run) for other in later)}


def spans_of_tests_passed_later(runs: Sequence[CheckRun]) -> list[tuple[int, int]]:
    """From where to where, by positions, tests failed that passed later.

    From the run of tests before, as of several that failed the same the last alone is kept, up to the run behind.
    """
    tests = [run for run in runs if run["family"] == "test" and run["verdict"] in KNOWN_VERDICTS]
    passing_later, begins = passed_later(tests), [0, *(run["position"] for run in tests)]
    return [(begin, following["position"]) for begin, run, following in zip(begins, tests, tests[1:])
            if run["verdict"] == "failed" and run["position"] in passing_later]


def failed_again(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth failed, too."""
    return {run["position"] for run, later in with_those_behind(runs) if run["verdict"] == "failed" and any(
        other["verdict"] == "failed" and other["position"] > run["position"] and stands_for(other, run)
        for other in later)}


def failing_names(run: CheckRun) -> set[str]:
    """The names of what failed in a run; empty where more may have failed than has a name."""
    return set() if run.get("has_more_failed") else {*run.get("failed_names", ())}


def ends_failure(later: CheckRun, failed: CheckRun) -> bool:
    """Whether the failure is no more the last word: the check passed, failed again, or ended in an unknown way.

    Not where nobody saw the output: that run is told beside the failure.
    """
    if later["verdict"] not in (*KNOWN_VERDICTS, "unknown") or later["result"].startswith(LOST_OUTPUT):
        return False
    if not is_beside(later, failed) and may_cover_check(later["check"], failed["check"]):
        return True
    return later["verdict"] != "unknown" and (stands_for(later, failed) or shows_built(later, failed))


# ==================================================================================================
# record/checks/unchecked_edits.py: Sources that were edited though no command of the session could have checked them.
# ==================================================================================================

ASKS_FOR_VERSION = frozenset(("--version", "-V", "-v", "version"))
HOST_OF_REPOSITORIES = r"git@[\w.-]+"
SOURCES_ELSEWHERE_MIN = 5  # edited outside of the working folder: fewer may be probes


def no_checks(actions: Sequence[Item], root: str) -> list[str]:
    """The sources that were edited, the newest first, where no command of the session was a check, whatever its end."""
    if any(checks_in(ending["text"]) for ending in endings_of(actions)):
        return []
    return [path for path in edited_in_project(actions, root) if path.endswith(SOURCE_ENDINGS)]


def may_have_tested(actions: Sequence[Item]) -> bool:
    """Whether a command of the session ran a script or code of its own, which may have tested: nobody knows."""
    return any(may_test(shell_words(piece)) for command in {ending["text"] for ending in endings_of(actions)}
               for piece in others_than_checks(command))


def may_test(words: Sequence[str]) -> bool:
    """Whether a command that is no known check runs a script or code, or something on another machine."""
    program = program_of(words)
    if program == "ssh":
        return not is_greeting(words)
    if ASKS_FOR_VERSION & {*words[1:]} and len(words) == 2:
        return False
    is_code = program in (*SHELLS, *PROGRAMS_OF_CODE) or re.fullmatch(INTERPRETERS, program) is not None
    return is_code or "/" in "".join(words[:1]) or not {"run", "exec"}.isdisjoint(words[1:3])


def is_greeting(words: Sequence[str]) -> bool:
    """Whether an `ssh` asks for its own version, or whether a host of repositories knows the key: neither runs a thing.

    Beside `ssh -T git@github.com` nothing had said that the session tested nothing.
    """
    return "-V" in words or re.fullmatch(HOST_OF_REPOSITORIES, "".join(without_redirections(words)[-1:])) is not None


def never_run(actions: Sequence[Item], root: str) -> list[tuple[str, list[str]]]:
    """Languages' own tests that no command ran though sources of the language were edited: name and those files.

    Only where no task and no script could have run them: `make test` may run anything, a package's script its own. "No
    `pytest`" had stood beside `python3 check_rates.py`, which tested.
    """
    names = names_of_tests_run(actions)
    if any(may_run_anything(name) for name in names) or may_have_tested(actions):
        return []
    paths = edited_in_project(actions, root)
    has_xcodebuild = any("xcodebuild" in action["text"] for action in actions if not action.get("path"))
    absent: list[tuple[str, list[str]]] = []
    for ending, programs in TESTS_OF_LANGUAGE.items():
        files = [path for path in paths if path.endswith(ending)]
        if files and not names & {*programs}:
            absent.append((programs[-1] if has_xcodebuild and ending == ".swift" else programs[0], files))
    return absent


def edited_in_project(actions: Sequence[Item], root: str) -> list[str]:
    """The files of the project that were edited and that checks look at, as seen from its folder, the newest first.

    That is the working folder; where no source lies in it, what all the edited sources share: the session stood there.
    """
    paths = dict.fromkeys(edit["path"] for edit in edits_newest_first(actions))
    sources = [path for path in paths if path.endswith(SOURCE_ENDINGS)]
    root = root or "/"
    is_elsewhere = all(is_whole_path(path) and not is_at_or_below(path, root) for path in sources)
    if is_elsewhere and len(sources) >= SOURCES_ELSEWHERE_MIN:
        root = posixpath.commonpath(sources)
    short = [from_root(path, root) for path in paths]
    return [path for path in short if not is_whole_path(path) and not is_unchecked(path)]


def names_of_tests_run(actions: Sequence[Item]) -> set[str]:
    """The names of the tests that commands of the session ran."""
    ran = [ending for ending in endings_of(actions) if ending["verdict"] != "not run"]
    return {check["name"] for ending in ran for check in checks_in(ending["text"]) if check["family"] in MAY_TEST}


def may_run_anything(name: str) -> bool:
    """Whether the check of this name is a task or a script, which may run tests of any language."""
    program = name.partition(" ")[0]
    return "/" in name or (program in TASK_RUNNERS and program not in PACKAGE_RUNNERS)


# ==================================================================================================
# recap/lines/checks.py: Checks: those that fail, how each other one ended last, and tests that were never run.
# ==================================================================================================

FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
LATER_COMMAND_MAX_UTF16, LATER_RESULT_MAX_UTF16, RUN_RESULT_MAX_UTF16 = 120, 90, 200
UNSEEN_MAX, WORKED_BEHIND_MAX_UTF16 = 5, 90
PASSED_LATER, FAILED_AGAIN = " then, passed later", " then, as did a later run"
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"  # in a result: of another command of the line
NOTHING_SHOWN = f"{NOTHING_SEEN}|exit 0$"
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_LATER = {"unknown": "how it ended is not certain", "running": "its end not seen", "stopped": "stopped"}
TARGETS_GONE = "; what it looked at was deleted or moved since"
WITHOUT_RESULT = "started, its result is not in the transcript"
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(words: RunsInWords, last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[Line]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too. The lines of failures have the check's
    family as `fails`, a shorter form, and the tag of their step.
    """
    if no_checks(words.actions, words.root):
        if not any(action["tool"] in SHELL_TOOLS for action in words.actions):
            return [shared_line("- no shell command of this session did more than look: nothing was tested or built")]
        if may_have_tested(words.actions):
            return []
        return [shared_line("- no command of this session is known as a test, build or linter")]
    lines = [*map(words.failure_line, failures), *map(words.runs_line, runs_by_command(last, failures))]
    for name, files in never_run(words.actions, words.root):
        lines.append(shared_line(f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}"))
    return lines


def runs_by_command(last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[list[CheckRun]]:
    """The runs without open failures, those of one command together; not those that only formatted: nobody asks."""
    failed = {(run["position"], run["name"], run["command"]) for run in failures}
    by_command: dict[tuple[int, str], list[CheckRun]] = {}
    for run in last:
        if (run["position"], run["name"], run["command"]) not in failed and run["verdict"] != "failed":
            by_command.setdefault((run["position"], run["command"]), []).append(run)
    return [runs for runs in by_command.values() if any(run["family"] != "format" for run in runs)]


class RunsInWords:
    """Runs of checks in words, beside what the session did before and after them."""

    def __init__(self, actions: Sequence[Item], events: Sequence[GitEvent], ago: Ago, paths: Paths) -> None:
        """`events` are the marked ones of git, of these actions."""
        self.actions, self.ago, self.paths, self.root = actions, ago, paths, paths.root
        self.action_at = {item["position"]: item for item in actions}
        self.edits = [*filter(is_file_edit, actions)]
        self.removed = removals([item for item in actions if item["tool"] in SHELL_TOOLS
                                 and has_ended_well(item)], paths.root)
        self.moves = branches_gone_to(actions, paths.root)
        self.commits = [event for event in events if event["what"] == "commit" and not event["replaced"]]

    def failure_line(self, run: CheckRun) -> Line:
        """The line of an open failure."""
        action = self.action_at.get(run["position"], {})
        text = tagged(self.failure(run) + run_by(action), action)
        return {**shared_line(text, steps_of_run(run)), "fails": run["family"],
                "in_few_words": self.failure_in_few_words(run), "tag": tag_of(text_of(action, "source"))}

    def failure(self, run: CheckRun) -> str:
        """A check whose last run failed, with what was done since."""
        result = self.behind_arrow(run["result"], FAILURE_RESULT_MAX_UTF16)
        which = "" if run["is_certain"] else f", which of the line's {run['family']} runs its output does not show"
        parts = [f"- {run['family']} failed{which}: {self.check(run)}{result} ({self.ago(run['last'])})"]
        if run["same_failure_in"]:
            parts.append(f"the same in {self.command(run['same_failure_in'][0])}")
        if run["unseen"]:
            parts.append(f"failed before, its end not looked at since: {', '.join(run['unseen'][:UNSEEN_MAX])}")
        parts += changes_since(run["edited_after"], run["taken_back_after"], file_names) or self.subagents_since(run)
        if run["passed_since"]:
            parts.append(f"others passed since: {', '.join(map(self.command, run['passed_since']))}")
        return "; ".join(parts)

    def check(self, run: CheckRun) -> str:
        """The line in which a check failed, as code; where the check itself would be cut off, the check alone.

        The line where it is not certain which of its checks it was.
        """
        line, check = (short_command(command, self.paths) for command in (run["command"], run["check"]["typed"]))
        is_cut_off = "…" in line and check.strip("`") not in line
        return check if is_cut_off and run["is_certain"] else line

    def failure_in_few_words(self, run: CheckRun) -> str:
        """A check that failed by its own command, without the rest of its line, and what its output says first."""
        result = self.behind_arrow(run["result"], LATER_RESULT_MAX_UTF16)
        return f"- {run['family']} failed: {self.command(run['check']['typed'])}{result} ({self.ago(run['last'])})"

    def runs_line(self, runs: Sequence[CheckRun]) -> Line:
        """The line of a command's checks, of which none failed and none was run later."""
        newest = runs[0]
        action = self.action_at.get(newest["position"], {})
        families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
        files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
        files_back = [path for run in runs for path in run["taken_back_after"]]
        changes = changes_since(files, files_back, file_names) or self.subagents_since(newest)
        changed = "".join(f"; {change}" for change in changes)
        # Of a line in which something else failed, these alone: `make && make test` had stood there as passed, and of
        # `make && ls dist`, with what ls said as the result. What is seen of an end that is not known is of the line.
        are_all = len(checks_in(newest["command"])) <= len(runs)
        is_others_end = are_all and action.get("verdict") == "failed" and newest["command"] == newest["line"]
        is_seen_of_line = newest["verdict"] == "unknown" and newest["result"]
        is_whole = (are_all or is_seen_of_line) and not is_others_end
        done = newest["command"] if is_whole else " && ".join(run["check"]["typed"] for run in runs)
        command = short_command(done, self.paths)
        when = f"{self.ago(newest['last'])}{self.before_commit(newest, files)}"
        since = f"{changed}{self.later_run(runs)}{self.branch_since(newest)}"
        end = VERDICT_WORDS.get(newest["verdict"], newest["verdict"]) if is_others_end else self.ending(runs)
        gone = TARGETS_GONE if all(are_targets_gone(run, self.removed, self.edits, self.root) for run in runs) else ""
        text = f"- {', '.join(families)}: {command} → {end} ({when}){since}{gone}{run_by(action)}"
        tells = {step for run in runs for step in steps_of_run(run)}
        line: Line = {**shared_line(tagged(text, action), tells), "tag": text_of(action, "tag"),
                      "fuller": [tagged(f"{text}{self.failed_before(action)}", action)]}
        if newest["verdict"] == "passed":
            line["passes"] = True
        return line

    def failed_before(self, action: Item) -> str:
        """How the same command had failed, the last time: what was mended since; empty where it had not."""
        failures = [end for end in action.get("earlier", []) if end["verdict"] == "failed" and end["result"]]
        if not failures:
            return ""
        result = cut(self.paths.short(failures[-1]["result"]), FAILURE_RESULT_MAX_UTF16)
        return f"; had failed {self.ago(failures[-1]['last'])}: {result}"

    def ending(self, runs: Sequence[CheckRun]) -> str:
        """How the checks of a command line ended: the verdict, and what was seen of it."""
        verdict = runs[0]["verdict"]
        seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
        result = " · ".join(cut(self.paths.short(text), RUN_RESULT_MAX_UTF16) for text in dict.fromkeys(seen))
        words = VERDICT_WORDS.get(verdict, verdict)
        if verdict == "running" and not result:
            words = WITHOUT_RESULT
        if verdict == "unknown" and result:  # of one of several checks
            result = re.sub(EXIT_OF_OTHER, "", result)
            if not runs[0]["is_in_background"] and not result.startswith(LOST_OUTPUT):
                words = PARTLY_SEEN
        if (verdict == "stopped" and result) or result.startswith(BUT_PRINTED):
            ending = result  # it says by whom, or that it ended
        else:
            ending = words if result in ("", "exit 0") else f"{words}: {result}"
        is_cached = any("is_cached" in run for run in runs)
        return f"{ending} {FROM_CACHE}" if is_cached and "cached" not in ending else ending

    def later_run(self, runs: Sequence[CheckRun]) -> str:
        """The last run of the checks, where it came later and was limited, or did not show how it ended; else empty."""
        rerun = [run for run in runs if run["later_runs"]]
        if not rerun:
            return ""
        later = rerun[0]["later_runs"][0]
        ending = VERDICTS_OF_LATER.get(later["verdict"], "passed")
        if later["result"] and later["verdict"] != "running" and not re.match(NOTHING_SHOWN, later["result"]):
            sign = ": " if later["verdict"] == "passed" else ", seen of it: "
            ending += sign + cut(self.paths.short(later["result"]), LATER_RESULT_MAX_UTF16)
        what = "run again"
        if not all(covers_check(later["check"], run["check"]) for run in rerun):
            what = f"since then in part: {self.command(later['command'], LATER_COMMAND_MAX_UTF16)}"
        return f"; {what} ({self.ago(later['last'])}): {ending}"

    def before_commit(self, run: CheckRun, files: Sequence[str]) -> str:
        """That the run came before the newest commit, with an edit of one of the files between; else empty."""
        commits = self.of_its_folder(run, self.commits)
        if not commits or not files:
            return ""
        between = [edit["path"] for edit in self.edits
                   if run["position"] < edit["position"] < commits[0]["position"]]
        return f", before commit {commits[0]['hash']}" if any(path.endswith(tuple(files)) for path in between) else ""

    def subagents_since(self, run: CheckRun) -> list[str]:
        """How many subagents that may edit ended after the run, where their edits are not known; none else."""
        if any(item.get("by_agent") for item in self.actions):
            return []
        count = sum(item["tool"] in SUBAGENT_TOOLS and item["verdict"] == "ended" and item["last"] > run["last"]
                    and item.get("subagent_type") not in READING_SUBAGENTS and item.get("tool_calls") != 0
                    for item in self.actions)
        return [f"since then {count} subagent{'s' if count > 1 else ''} ended"] if count else []

    def branch_since(self, run: CheckRun) -> str:
        """That the session went to another branch after the run; empty where it did not."""
        moves = self.of_its_folder(run, self.moves)
        before = [move["branch"] for move in moves if move["position"] < run["position"]]
        since = [move["branch"] for move in moves if move["position"] > run["position"]]
        return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""

    def of_its_folder(self, run: CheckRun, events: Sequence[GitEvent]) -> list[GitEvent]:
        """The events without those that certainly happened in another folder than the run."""
        folder = run["check"]["folder"] or self.root
        return [event for event in events if not are_apart(event["folder"] or self.root, folder)]

    def command(self, command: str, limit: int = OTHER_COMMAND_MAX_UTF16) -> str:
        """A command beside the line's own."""
        return short_command(command, self.paths, limit)

    def behind_arrow(self, result: str, limit: int) -> str:
        """What an output says, behind an arrow; empty where it says nothing."""
        return f" → {cut(self.paths.short(result), limit)}" if result else ""


def steps_of_run(run: CheckRun) -> set[str]:
    """What the line of a run tells of steps: the run with its result, and others that it names."""
    is_bare = run["verdict"] != "failed" and re.match(NOTHING_SHOWN, run["result"])
    own = naming(run["command"], *run["same_failure_in"], *run["passed_since"], result="" if is_bare else run["result"])
    return own.union(*map(steps_of_run, run["later_runs"]))


def run_by(action: Item) -> str:
    """That a subagent ran the check; empty where the agent did."""
    whom = by_whom(action)
    return f"; run by {whom}" if whom else ""


def known_since_failures(actions: Sequence[Item], events: Sequence[GitEvent], runs: Sequence[CheckRun],
                         failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what became of it: of an open failure nothing, else how it went on.

    Of another command that worked behind something else, that. A merge or rebase that stopped is mended when it came
    to its end, by the events of git. Of several such things what is said last here counts.
    """
    known = {position: f" then, worked later behind {as_code(cut(before, WORKED_BEHIND_MAX_UTF16))}" if before
             else " then, its last command worked later"
             for position, before in worked_later(actions).items()}
    known.update(dict.fromkeys(failed_again(runs), FAILED_AGAIN))
    stopped = [event["position"] for event in events if event.get("waits") is False]
    known.update(dict.fromkeys(stopped, " then, ended later"))
    known.update(dict.fromkeys(passed_later(runs), PASSED_LATER))
    known.update(dict.fromkeys((run["position"] for run in failures), ""))
    return known


# ==================================================================================================
# record/commands/service_commands.py: What a command line hands to a manager of services, and what it has that stop, by its words alone.
# ==================================================================================================

NAMES_MANAGER = r"\b(?:docker|podman|systemctl|service|pm2|brew services|supervisorctl)\b"
START, STOP, RESTART, UNCLEAR = "start", "stop", "restart", "unclear"
DEED_OF_SUBCOMMAND = {  # of a manager's subcommands, what they do
    "compose": {"up": START, "start": START, "restart": RESTART, "down": STOP, "stop": STOP, "kill": STOP,
                "unpause": UNCLEAR},
    "docker": {"run": START, "start": START, "restart": RESTART, "stop": STOP, "kill": STOP, "rm": STOP,
               "unpause": UNCLEAR},
    "systemctl": {"start": START, "enable": START, "restart": RESTART, "reload-or-restart": RESTART,
                  "try-restart": RESTART, "stop": STOP, "disable": STOP, "kill": UNCLEAR, "isolate": UNCLEAR},
    "pm2": {"start": START, "restart": RESTART, "reload": RESTART, "stop": STOP, "delete": STOP, "del": STOP,
            "kill": STOP, "resurrect": UNCLEAR, "startOrRestart": UNCLEAR, "startOrReload": UNCLEAR},
    "brew": {"start": START, "run": START, "restart": RESTART, "stop": STOP, "kill": STOP},
    "supervisorctl": {"start": START, "restart": RESTART, "stop": STOP, "shutdown": STOP, "reload": UNCLEAR,
                      "update": UNCLEAR},
}
EVERYTHING = {"pm2": ("all",), "brew": ("--all",), "supervisorctl": ("all",)}  # as a manager's words have it
# Options that the next word belongs to, before the subcommand and behind it; of `docker run` all but these.
COMPOSE_VALUES = frozenset(
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel -c --context "
    "-H --host".split())
OTHER_VALUES = frozenset(
    "-t --time --timeout --scale --pull --attach --no-attach --wait-timeout --rmi -s --signal -n --name -i --instances "
    "--interpreter --namespace -c --configuration".split())
FLAGS_OF_RUN = frozenset(
    "--rm --detach --init --privileged --interactive --tty --read-only --publish-all --no-healthcheck --quiet".split())
FLAGS_IN_SHORT = r"-[ditPq]+"
DETACHED, SIGNALLED, BY_FORCE = ("-d", "--detach", "--wait"), ("-s", "--signal"), r"-\w*f\w*|--force"
BEFORE_MANAGER = rf"(?:sudo{SUDO_OPTIONS} |env(?: -\w+)* |[A-Za-z_]\w{{0,60}}=\S* )+"
ALL_CONTAINERS = (  # a bracket at a command's end is not part of it
    r"(?:\$\(|`)(?:docker|podman) (?:container )?(?:ps|ls) -(?:q|aq|qa|a -q|q -a)(?:[)`]|$)")


class ServiceStep(namedtuple("ServiceStep", ("deed", "manager", "project", "names", "command"))):
    """What a command does with services.

    deed: start, stop, restart, or unclear: of what, or whether, its words do not say; manager: as DEED_OF_SUBCOMMAND
    has it; project: by what it tells its services apart, then the files that name them; names: of the services, empty:
    all of the project's; command: as written.
    """

    __slots__ = ()


def service_steps(script: str, folder: str) -> list[ServiceStep]:
    """What a command line does with services, in its order; `folder`: where it ran."""
    if not re.search(NAMES_MANAGER, script):
        return []
    steps: list[ServiceStep] = []
    before = ""
    for (piece, sign), (_, ran_in) in zip(pieces_of(script), commands_in_folders(script, folder)):
        words = re.findall(SHELL_WORD, re.sub(rf"^{BEFORE_MANAGER}", "", piece))
        is_certain = before != "||"
        while words and (words[0] in SHELL_KEYWORDS or words[0] == "xargs"):
            words, is_certain = words[1:], False
        step = step_of([word.strip("\"'") for word in without_redirections(words)], piece, ran_in)
        if step:
            steps.append(step if is_certain else step._replace(deed=UNCLEAR))
        before = sign
    return steps


def step_of(words: Sequence[str], piece: str, folder: str) -> ServiceStep | None:
    """What one command does with services; None where it starts and stops none."""
    program, rest = words[:1], words[1:]
    if program == ["docker-compose"] or (program in (["docker"], ["podman"]) and rest[:1] == ["compose"]):
        return compose_step(rest if program == ["docker-compose"] else rest[1:], piece, folder)
    if program in (["docker"], ["podman"]):
        return docker_step(rest[1:] if rest[:1] == ["container"] else rest, piece)
    if program == ["service"] and len(rest) > 1:
        return named_step("systemctl", [rest[1], rest[0]], piece)
    if program == ["brew"] and rest[:1] == ["services"]:
        return named_step("brew", rest[1:], piece)
    return named_step(program[0], rest, piece) if program in (["systemctl"], ["pm2"], ["supervisorctl"]) else None


def compose_step(words: Sequence[str], piece: str, folder: str) -> ServiceStep | None:
    """What a command of compose does; its project is where its first file lies, if it has no name."""
    options, rest = options_before(words, COMPOSE_VALUES)
    deed = DEED_OF_SUBCOMMAND["compose"].get(rest[0] if rest else "")
    behind, names = parted(rest[1:], OTHER_VALUES)
    flags = {option for option, _ in behind}
    if deed is None or "--dry-run" in flags or (rest[0] == "up" and ("--no-start" in flags or not flags & {*DETACHED})):
        return None
    files = [folder_from(folder, value) for option, value in options if option in ("-f", "--file")]
    name = next((value for option, value in options if option in ("-p", "--project-name")), "")
    project = name or (posixpath.dirname(files[0]) if files else folder)
    return ServiceStep(clear_deed(deed, piece, flags), "compose", (project, *files), tuple(names), piece)


def docker_step(words: Sequence[str], piece: str) -> ServiceStep | None:
    """What a command of docker does with containers; one that is started without a name cannot be followed."""
    deed = DEED_OF_SUBCOMMAND["docker"].get(words[0] if words else "")
    if deed is None:
        return None
    if words[0] == "run":
        name = name_of_detached_run(words[1:])
        return ServiceStep(clear_deed(deed, name, ()), "docker", (), (name,), piece) if name else None
    options, names = parted(words[1:], OTHER_VALUES)
    flags = {option for option, _ in options}
    if words[0] == "rm" and not any(re.fullmatch(BY_FORCE, flag) for flag in flags):
        return None  # it refuses what runs
    if deed == STOP and re.search(ALL_CONTAINERS, piece):
        return ServiceStep(deed, "docker", (), (), piece)
    return ServiceStep(clear_deed(deed, piece, flags), "docker", (), tuple(names), piece) if names else None


def name_of_detached_run(words: Sequence[str]) -> str:
    """The name that `docker run` with these words gives to what it starts in the background; empty: it does neither."""
    name, is_detached, is_value = "", False, ""
    for word in words:
        if is_value:
            name, is_value = word if is_value == "--name" else name, ""
        elif not word.startswith("-"):
            break  # the image, and what is given to it
        elif word.startswith("--name="):
            name = word.partition("=")[2]
        elif word in FLAGS_OF_RUN or re.fullmatch(FLAGS_IN_SHORT, word):
            is_detached = is_detached or word == "--detach" or (word[1] != "-" and "d" in word)
        else:
            is_value = "" if "=" in word and word.startswith("--") else word
    return name if is_detached else ""


def named_step(manager: str, words: Sequence[str], piece: str) -> ServiceStep | None:
    """What a command of another manager does with what it names."""
    options, rest = parted(words[:words.index("--")] if "--" in words else words, OTHER_VALUES)
    deed, flags = DEED_OF_SUBCOMMAND[manager].get(rest[0] if rest else ""), {option for option, _ in options}
    is_for_later = manager == "systemctl" and rest[:1] in (["enable"], ["disable"]) and "--now" not in flags
    if deed is None or is_for_later or flags & {"-H", "--host", "-M", "--machine"}:
        return None
    given = [value for option, value in options if option in ("--name", "-n")] if manager == "pm2" else []
    names = given or [service_name(name, manager) for name in rest[1:]]
    is_all = rest[0] in ("kill", "shutdown") or {*names, *flags} & {*EVERYTHING.get(manager, ())}
    if not (names or is_all) or (manager == "pm2" and any(name.isdecimal() or "." in name for name in names)):
        deed = UNCLEAR  # of numbers and files of settings nobody knows what they are
    project = ("--user",) if "--user" in flags else ()
    return ServiceStep(clear_deed(deed, piece, ()), manager, project, () if is_all else tuple(names), piece)


def service_name(name: str, manager: str) -> str:
    """A service as its manager calls it: pm2 what it is started from without its suffix."""
    if manager == "pm2":
        return re.sub(r"(?<!config)\.(?:[cm]?js|ts|py|sh)$", "", file_name(name))
    return name.removesuffix(".service")


def clear_deed(deed: str, words: str, flags: Collection[str]) -> str:
    """The deed; unclear where a name stands in a variable, or what is sent is a signal of its own."""
    return UNCLEAR if re.search(FILLED_IN, words) or {*flags} & {*SIGNALLED} else deed


def options_before(words: Sequence[str], with_value: Collection[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options before the first bare word, each with its value, and the words from that on."""
    options: list[tuple[str, str]] = []
    rest = [*words]
    while rest and rest[0].startswith("-"):
        option, has_value, value = rest.pop(0).partition("=")
        if not has_value and option in with_value and rest:
            value = rest.pop(0)
        options.append((option, value))
    return options, rest


def parted(words: Sequence[str], with_value: Collection[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options among the words, each with its value, and the bare words."""
    options: list[tuple[str, str]] = []
    names, rest = list[str](), [*words]
    while rest:
        before, rest = options_before(rest, with_value)
        options += before
        names += rest[:1]
        rest = rest[1:]
    return options, names


# ==================================================================================================
# record/calls/services.py: Which services a session's commands left with their managers, running or stopped, as far as that is certain.
# ==================================================================================================

SAYS_IT_FAILED = r"(?i)\berror|\bfailed\b|\bcannot\b|\bno such\b|\bnot found\b|\bdenied\b|\bunable\b|\bnot running\b"
MAY_START = r"(?i)(?:\b|_)(?:re)?start|\bup\b|deploy|launch|\bserve\b|\bboot|\brun[-_.]"
MAY_STOP = r"(?i)(?:\b|_)(?:re)?(?:stop|start)|\bdown\b|teardown|kill|\brun[-_.]"
DOCKER_LISTS = (
    r"\b(?:docker|podman)(?:-compose| compose)?(?: --?[\w-]+(?:[= ][^\s|;&-]\S*)?){0,6} (?:container )?(?:ps|ls)\b")
SHOWS_SERVICES = {  # by manager: a command that shows what runs
    "compose": DOCKER_LISTS, "docker": DOCKER_LISTS,
    "systemctl": r"\bsystemctl\b[^|;&\n]*\b(?:status|is-active|list-units)\b|\bservice \S+ status\b",
    "pm2": r"\bpm2 (?:ls|list|status|jlist|show|describe)\b", "brew": r"\bbrew services (?:list|info)\b",
    "supervisorctl": r"\bsupervisorctl\b[^|;&\n]*\bstatus\b"}
SHOWN_RUNNING = r"\bUp\b|\brunning\b|\bonline\b|\bstarted\b|\bRUNNING\b"
OF_CONTAINERS = ("docker", "compose")
WHOLE_PROJECT = ""  # in place of a service's name


class Services:
    """The services as the commands left them: `started` and not stopped, `stopped` and not started, both the last time.

    over: the keys of commands that started services, all of which were stopped since.
    """

    def __init__(self, items: Sequence[Item], root: str) -> None:
        """Those of the session's items, which come in their order; `root`: its first folder."""
        self.projects: dict[tuple[str, ...], tuple[dict[str, StepOfItem], dict[str, StepOfItem]]] = {}
        self.over = set[str]()
        for item in items:
            if item["kind"] not in ("action", "look") or item.get("tool") not in SHELL_TOOLS:
                continue
            if item["kind"] == "action" and item["verdict"] != "not run":
                self.take(item, item.get("folder") or root)
            self.note_shown(item)

    def take(self, item: Item, folder: str) -> None:
        """Takes in what a command did that ran in this folder."""
        steps, text = service_steps(item["text"], folder), item["text"]
        is_certain = has_ended_well(item) and not re.search(SAYS_IT_FAILED, item["result"])
        for step in steps:
            self.apply(step if is_certain else step._replace(deed=UNCLEAR), item)
        for started, stopped in self.projects.values() if MIDDLE_GONE in text or not steps else ():
            if re.search(MAY_START, text):
                stopped.clear()
            if re.search(MAY_STOP, text):
                started.clear()

    def note_shown(self, item: Item) -> None:
        """What a command shows to run was started since by somebody, whatever stopped it."""
        if not re.search(SHOWN_RUNNING, item["result"]):
            return
        for (manager, *_), (_, stopped) in self.projects.items():
            if stopped and re.search(SHOWS_SERVICES[manager], item["text"]):
                for name in [name for name in stopped if name in item["result"]]:
                    del stopped[name]

    def apply(self, step: ServiceStep, item: Item) -> None:
        """Takes in one step of a command."""
        started, stopped = self.projects.setdefault((step.manager, *step.project[:1]), ({}, {}))
        names = step.names or (WHOLE_PROJECT,)
        if step.deed == STOP:
            self.stop(started, stopped, step, item)
        elif step.deed == UNCLEAR:
            started.clear()
            stopped.clear()
        else:
            for name in (*names, WHOLE_PROJECT) if step.names else [*stopped]:
                stopped.pop(name, None)
        if step.deed == START:
            started.update(dict.fromkeys(names, (step, item)))
        others = [both for key, both in self.projects.items() if {key[0], step.manager} <= {*OF_CONTAINERS}
                  and both[0] is not started]
        for started_there, stopped_there in others:  # a project's containers may have the names that others stopped
            if step.deed != STOP:
                stopped_there.clear()
            elif step.manager == "docker" and not step.names:
                self.stop(started_there, stopped_there, step, item)

    def stop(self, started: dict[str, StepOfItem], stopped: dict[str, StepOfItem], step: ServiceStep,
             item: Item) -> None:
        """Takes in a stop of some services of a project, or of all."""
        gone = [started.pop(name) for name in step.names or [*started] if name in started]
        if not step.names:
            stopped.clear()
        if WHOLE_PROJECT not in stopped:
            stopped.update(dict.fromkeys(step.names or (WHOLE_PROJECT,), (step, item)))
        left = {other["key"] for _, other in self.started}
        self.over |= {other["key"] for begun, other in gone
                      if begun.project == step.project or step.names or step.manager == "docker"} - left

    @property
    def started(self) -> list[StepOfItem]:
        """What started services that nothing was seen to stop, the newest first."""
        return newest_first(step for started, _ in self.projects.values() for step in started.values())

    @property
    def stopped(self) -> list[StepOfItem]:
        """What stopped services that nothing was seen to start, the newest first."""
        return newest_first(step for _, stopped in self.projects.values() for step in stopped.values())

    def stopped_since_shown(self, item: Item) -> list[str]:
        """The commands that stopped services behind a command that shows what runs; none behind another."""
        if item["kind"] not in ("action", "look") or item.get("tool") not in SHELL_TOOLS:
            return []
        return [step.command for step, other in self.stopped if other["position"] > item["position"]
                and re.search(SHOWS_SERVICES[step.manager], item["text"])]


def newest_first(steps: Iterable[StepOfItem]) -> list[StepOfItem]:
    """The steps, each command once."""
    by_command = {step.command: (step, item) for step, item in steps}
    return sorted(by_command.values(), key=lambda both: -both[1]["position"])


# ==================================================================================================
# record/commands/detached.py: What a command line leaves running behind it, and what it stops: servers with `&`, sessions of tmux.
# ==================================================================================================

DIED = (  # a row with which a program says that it ended there, or never began
    r"\[?(?:FATAL|fatal)\b|panic: |Segmentation fault|.{1,200}: (?:command not found|No such file or directory)$")
SILENT_PROGRAMS = ("cd", "sleep", "export", "set", "true", ":")


# ==================================================================================================
# recap/lines/jobs.py: What was put into the background and was not seen to end; the services of managers, started and stopped.
# ==================================================================================================

RUNNING_JOB_MAX_UTF16, ENVIRONMENT_MAX_UTF16, STARTED_SINCE_UTF16 = 160, 120, 80
NEWS_SHOWN_UTF16 = 120
WAITS_FIRST = r"sleep (?P<count>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[smh]?)(?=\s|;)"
TIMEOUT_FIRST = r"g?timeout (?:-[ks] \S+ |-\S+ ){0,3}(?P<count>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[smh]?) "
SECONDS_OF_UNIT, LOOKS_WITHIN_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600}, 60
RUNNING = "Running"  # how a line on a job begins whose process was seen
SERVICES_SHOWN_MAX = 6  # commands that started some; as many that stopped some
PLAIN_KEY = r"[\w-]{1,40}"  # an id that the client gave a job
REDIRECTED = r"\s*(?:2>&1|&?>>?\s?[^\s&|;]{1,200}|</dev/null)"


def job_lines(items: Sequence[Item], alive: Mapping[str, bool], paths: Paths, ago: Ago) -> Iterator[Line]:
    """The jobs, the newest first; `alive` says by key whether a job's process is there, as far as it was looked for.

    Of a line with `&` that the client put into the background the process is a line, not its shell too. None that only
    waited to look at something, and none under a limit, whose time is over: a `sleep 600` of six hours before had stood
    there.
    """
    newest = max((moment(item["last"]) for item in items), default=0)
    jobs = [item for item in reversed(items) if item["kind"] == "job"]
    open_jobs = [job for job in jobs if job["status"] == "open"]
    detached = {job["source"] for job in open_jobs if job.get("by")}
    edited = last_edit_positions(items)
    for job in open_jobs:
        is_alive = alive.get(text_of(job, "key"))
        is_over = not is_alive and (has_waited(job, newest) or is_past_its_time(job, newest))
        is_shell_alone = not job.get("by") and job["source"] in detached
        if not is_over and not is_shell_alone:
            since = [started_since(job, jobs), "" if is_alive is False else script_edited_since(job, edited)]
            yield job_line(job, is_alive, since, paths, ago)


def service_lines(services: Services, paths: Paths, ago: Ago) -> Iterator[Line]:
    """What was started with a manager and not seen to stop, a line each; on one line what was stopped since its start.

    A reader had taken all containers for running: `docker-compose ps` with each of them up stood there, and the `down`
    behind it did not.
    """
    for step, item in services.started[:SERVICES_SHOWN_MAX]:
        name = code(paths.short(step.command), RUNNING_JOB_MAX_UTF16)
        yield {"items": [item], "text": f"- Started, no end seen: {name} ({ago(item['last'])})"}
    stopped = services.stopped[:SERVICES_SHOWN_MAX]
    if stopped:
        names = [f"{code(paths.short(step.command), STARTED_SINCE_UTF16)} ({ago(item['last'])})"
                 for step, item in stopped]
        yield {"items": [item for _, item in stopped], "text": f"- Stopped, no start seen since: {', '.join(names)}"}


def with_services(lines: Iterable[Line], services: Services, paths: Paths) -> Iterator[Line]:
    """The lines; behind a command that started services which were stopped since, or showed them before, that."""
    for line in lines:
        since = since_of_service(line["items"][0], services, paths) if line["items"] else ""
        forms: Any = {form: f"{text}{since}" for form, text in line.items() if since and form in ("text", "whole")}
        if since:
            forms["fuller"] = [f"{form}{since}" for form in line.get("fuller", [])]
        yield {**line, **forms}


def since_of_service(item: Item, services: Services, paths: Paths) -> str:
    """What is known since of the services that a command started or showed; empty where that is nothing."""
    if item.get("key") in services.over:
        return " (stopped since)"
    stops = [code(paths.short(command), STARTED_SINCE_UTF16) for command in services.stopped_since_shown(item)]
    return f" (since then {', '.join(stops)})" if stops else ""


def has_waited(job: Item, newest: int) -> bool:
    """Whether the job only waits and then looks, and must have done so before that moment, in seconds since 1970."""
    wait = re.match(WAITS_FIRST, job["text"])
    if not wait or not is_looking(job["text"].replace(ROW_END, "\n")):
        return False
    seconds = float(wait["count"]) * SECONDS_OF_UNIT[wait["unit"]]
    return moment(job["first"]) + seconds + LOOKS_WITHIN_SECONDS < newest


def is_past_its_time(job: Item, newest: int) -> bool:
    """Whether the client, or a `timeout` before all that the job runs, must have ended it before that moment."""
    seconds = float(job.get("seconds_most", 0)) or seconds_of_timeout(job["text"].replace(ROW_END, "\n"))
    return bool(seconds) and moment(job["first"]) + seconds + LOOKS_WITHIN_SECONDS < newest


def seconds_of_timeout(command: str) -> float:
    """After how many seconds a line's `timeout` ends all that it runs; 0 where there is none, or more than that."""
    pieces = [piece for piece, _ in pieces_of(command) if program_in(piece) not in (*SILENT_PROGRAMS, *FILTERS)]
    limit = re.match(TIMEOUT_FIRST, pieces[0]) if len(pieces) == 1 else None
    return float(limit["count"]) * SECONDS_OF_UNIT[limit["unit"]] if limit else 0


def job_line(job: Item, is_alive: bool | None, since: Sequence[str], paths: Paths, ago: Ago) -> Line:
    """A job with its id, port, environment and output file; `since`: what was started in its place, edited since.

    That it runs is said only where its process was seen (`is_alive`; None: nobody looked): a server of two days before
    had stood as running, whose port another one had.
    """
    news, begin = text_of(job, "result"), ago(job["first"])
    when = f"started {begin}" if news or is_alive else begin  # else the time would be that of the news
    if is_alive:
        label, process = RUNNING, "its process is still there"
    elif is_alive is None:
        label, process = "Started" if re.match(DIED, news) else "Started, no end seen", ""
    else:
        label, process = "Started", "its process is not there any more"
    facts = [named_by_key(job),
             f"port {job['port']}" if job.get("port") else "",
             f"with {cut(job['environ'], ENVIRONMENT_MAX_UTF16)}" if job.get("environ") else "",
             f"output in {paths.short(job['path'])}" if job.get("path") else "",
             f"it last showed {in_quotes(cut(news, NEWS_SHOWN_UTF16))}" if news else "",
             process, when, *since]
    name = code(paths.short(job["text"]), RUNNING_JOB_MAX_UTF16)
    line: Line = {"items": [job], "text": f"- {label}: {name} ({', '.join(filter(None, facts))})"}
    if is_alive is not False:
        line["in_few_words"] = f"- {label}: {name} ({', '.join(filter(None, [*facts[:2], when]))})"
    return line


def named_by_key(job: Item) -> str:
    """The job's id as words; empty where it has none that a person could use."""
    key = text_of(job, "key")
    return f"as {key}" if re.fullmatch(PLAIN_KEY, key) else ""


def started_since(job: Item, jobs: Sequence[Item]) -> str:
    """That the same was started again, or something on its port, with that one's id; empty where nothing was.

    The same is one command in one environment, wherever its output goes.
    """
    for other in jobs:
        if other["source"] == job["source"] or other["first"] <= job["first"]:
            continue
        is_same_command = without_outputs(job["text"]) == without_outputs(other["text"])
        if is_same_command and text_of(job, "environ") == text_of(other, "environ"):
            return f"the same was started again since {named_by_key(other)}".rstrip()
        if job.get("port") and other.get("port") == job["port"]:
            return f"{code(other['text'], STARTED_SINCE_UTF16)} was started on its port since"
    return ""


def script_edited_since(job: Item, edited: Mapping[str, int]) -> str:
    """Which file that the job's command names was edited after it began; `edited`: by path the last edit's position.

    What runs is older than the file: a page that stayed empty had been looked for in the code.
    """
    words = [word.strip("\"'") for word in job["text"].split(" > ")[0].split() if "." in word]
    names = {file_name(path) for path, position in edited.items() if position > job["position"]
             and any(same_file(path, word) for word in words)}
    return f"{', '.join(sorted(names))} edited since it began" if names else ""


def without_outputs(text: str) -> str:
    """A command without where its output goes and the `&` behind it."""
    return re.sub(REDIRECTED, "", text).strip("& ")


# ==================================================================================================
# record/summary/statements.py: What a compaction's summary states of now, below its headings, without its analysis and code; English alone.
# ==================================================================================================

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
CODE_BLOCK = r"(?m)^[ \t]*```.*\n(?:.*\n)*?(?:[ \t]*```.*$|.*\Z)"
HEADING_LINE = (r"(?=#|.*:$|(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$)"
                r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?$")
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
END_IN_LINE = r"(?:(?<=[.!?])|(?<=[.!?][)\]\"”]))\s+(?=\S)"
PART_END = r";\s+(?:only )?|:\s+(?=it )| and (?=marked )"  # "only #4 is left", "wrote it and marked #4 as done"
IN_BRACKETS = r"\(([^()]+)\)"
SET_APART = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes
ROW_MARKS = ":;,!?()[]|–—→…\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"),
             *zip("“”„«»", "\"\"\"\"\""), *zip("§=<", "………"))  # these are signs of claims.py
OF_NOW = r"(?:before|when) (?:this|the) summary(?: request| was requested)?\b(?: ,)?"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset("still now currently again remain remains".split())
OPEN_WORDS = frozenset((  # plans, conditions, questions, the past, other people's words and runs
    "be if once when whenever until unless should would will could may might must need needs expected want wants "
    "before earlier previously initially originally said reported subagent ci except only goal plan planned then "
    "reopened reverted undone fixed later proposal unclear probably maybe ?").split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    return text.partition("\nSummary:")[2] if "Analysis:" in text[:600] and "\nSummary:" in text else text


def statements_of(summary: str) -> list[Statement]:
    """What the summary says of now: neither code, quotes, headings nor a sentence of others, of the past or a plan."""
    sentences = [*sentences_of_now(body_of(summary))]
    parts = [(index, part) for index, (_, sentence) in enumerate(sentences) for part in statement_parts(sentence)]
    rows = as_rows([part for _, part in parts])
    are_open = {index for (index, _), row in zip(parts, rows) if not OPEN_WORDS.isdisjoint(row.split())}
    return [{"line": part, "row": f" {row} ", "heading": sentences[index][0]}
            for (index, part), row in zip(parts, rows) if index not in are_open]


def sentences_of_now(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of the text that may be of now, each behind the heading above it in lower case."""
    heading, first_row = "", ""
    for full in re.sub(CODE_BLOCK, "", text).split("\n")[:LINES_MAX]:
        line = full.strip()[:STATEMENT_MAX_CHARACTERS]
        may_be_title = full[:1] != " " and (line[:1] == "#" or line[-1:] in (":", "*"))
        title = re.match(HEADING_LINE, line) if may_be_title else None
        heading = title[1].lower() if title else heading
        first_row = (first_row or line.lower()) if line[:1] == "|" else ""  # of a table
        is_of_now = may_be_of_now(line, heading) and OPEN_WORDS.isdisjoint(first_row.split())
        if is_of_now and not title and line[:1] != ">":
            for sentence in cut_at(END_IN_LINE, re.sub(LIST_MARK, "", line).replace("**", "")):
                yield heading, sentence


def may_be_of_now(line: str, heading: str) -> bool:
    """Whether the line may tell how things are now; below a heading of the past one with a word for now may."""
    about = {*heading.replace("/", " ").split()}
    is_of_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about
    return OF_OTHERS.isdisjoint(about) and not (
        is_of_past and PRESENT.isdisjoint(re.findall(r"\w+", line.lower())))


def statement_parts(sentence: str) -> list[str]:
    """The sentence's parts between semicolons, and what stands in its brackets."""
    brackets = re.finditer(IN_BRACKETS, masked(sentence)) if "(" in sentence else ()
    return [*cut_at(PART_END, sentence), *(sentence[match.start(1):match.end(1)] for match in brackets)]


def cut_at(end: str, text: str) -> list[str]:
    """The text's pieces between the places where this pattern matches outside of code and quotes."""
    if not re.search(end, text):  # of most
        return [text]
    ends = [match.span() for match in re.finditer(end, masked(text))]
    return [text[begin:stop] for (_, begin), (stop, _) in zip([(0, 0), *ends], [*ends, (len(text), 0)])]


def masked(text: str) -> str:
    """The text with dots in place of code and quotes."""
    return re.sub(SET_APART, lambda match: "…" * len(match[0]), text)


def as_rows(texts: Sequence[str]) -> list[str]:
    """Each text as a row: in lower case, its marks as words of their own, without emphasis."""
    text = "\n".join(texts).lower()  # at once: one alone costs 4 µs
    for mark, instead in (*REWRITTEN, *((mark, f" {mark} ") for mark in ROW_MARKS)):
        text = text.replace(mark, instead)
    text = re.sub(r"\.(?=\s|\Z)", " .", re.sub(OF_NOW, "", text))
    return [" ".join(row.split()) for row in text.split("\n")]


def as_names(texts: Sequence[str]) -> list[str]:
    """Each text as it stands in a row as a name: without the mark at its end."""
    return [row.rstrip(" .?") for row in as_rows([" ".join(text.split()) for text in texts])]


def codes_in(statements: Sequence[Statement], pattern: str) -> dict[str, str]:
    """By name what stands between backticks in the statements and is of the pattern."""
    texts = re.findall(r"`([^`\n]{1,300})`", "\n".join(statement["line"] for statement in statements))
    codes = [code for code in dict.fromkeys(texts) if re.fullmatch(pattern, code)]
    return dict(zip(as_names([f"`{code}`" for code in codes]), codes))


# ==================================================================================================
# recap/lines/pins_and_rules.py: Pins and standing rules as lines, word for word.
# ==================================================================================================

RULE_POINTS_BACK, BEFORE_RULE_UTF16 = r"(?i)\b(?:(?<!is )there(?! (?:is|are|was|were)\b)|in (?:it|them|those))\b", 120
RULE_MEMBER_MAX_UTF16 = 300  # of a list's member that stands whole for the rule in it


def pin_lines(items: Sequence[Item]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first, each with what it is about where that stands before it."""
    messages = [item for item in items if item["kind"] == "message"]
    lines: dict[str, Line] = {}  # of two rules in a list's member it is one
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            rule = folded_line(item["text"])
            nothing: Any = {}
            message = next((message for message in messages if message["source"] == item["source"]
                            and rule in folded_line(message["text"])), nothing)  # several that waited have one source
            rule, before = rule_and_before(rule, text_of(message, "text"))
            behind = f", behind {in_quotes(cut(before, BEFORE_RULE_UTF16))}" if before else ""
            is_typed_once = item["first"] == item["last"]  # the message, the newest with it, may have waited
            when = ago((is_typed_once and text_of(message, "typed_at")) or item["first"])
            lines.setdefault(rule, {"items": [], "text": f"- {in_quotes(rule)} ({how} {when}{behind})"})
            lines[rule]["items"].append(item)
    yield from lines.values()


def rule_and_before(rule: str, message: str) -> tuple[str, str]:
    """A rule of a message, and the sentence before it where it may be about that; else an empty one.

    It may where it points back: "Never mention prices there." Behind other sentences in a member of a list the rule is
    the whole member, or stands with the sentence before where that is long: "Always zip them." was of the data alone.
    """
    for row in map(folded_line, message.splitlines()):
        member = re.sub(LIST_MARK, "", row)
        before, mark, _ = member.partition(rule)
        if mark and before and member != row:
            return (member, "") if units(member) <= RULE_MEMBER_MAX_UTF16 else (rule, last_sentence(before))
    before, mark, _ = folded_line(message).partition(rule)
    return rule, last_sentence(before) if mark and re.search(RULE_POINTS_BACK, rule) else ""


# ==================================================================================================
# record/calls/open_tasks.py: Which tasks count as open: the same ones for the status line, notes.md and the text that is put back.
# ==================================================================================================

LISTS_OF_THE_CLIENT = ("task", "todo")  # tasks of other lists are check marks in files and in the agent's words
LIST_SAID = "said"  # the name of the list of boxes that the agent drew in its words
LATER_MESSAGES = 3  # typed after a task; with so many it is mostly done
LATER_SHORT_MESSAGES = 6  # of whatever length: "1", "continue"
SAME_ORDER_MAX_CHARACTERS = 60  # typed: "go on", "phase 2": the plan goes on


def open_tasks(items: Sequence[Item]) -> list[Item]:
    """The tasks that are not done, without the boxes that are likely to be, as nobody ticks them.

    These are boxes in the agent's words, and those of a file of which none was changed later: of four such lists that
    stood as open behind many messages all was done long before.
    """
    boxes: dict[str, list[Item]] = {}  # by the list, ticked ones too
    for item in items:
        if item["kind"] == "task" and text_of(item, "list") not in LISTS_OF_THE_CLIENT:
            boxes.setdefault(text_of(item, "list"), []).append(item)
    left_behind = {name for name, of_list in boxes.items() if is_left_behind(name, of_list, items)}
    return [item for item in items if item["kind"] == "task" and item["status"] != "completed"
            and text_of(item, "list") not in left_behind]


def boxes_left_behind(items: Sequence[Item]) -> list[Item]:
    """The boxes that nobody ticked and that do not count as open any more, in their order."""
    still_open = open_tasks(items)
    boxes = [item for item in items if item["kind"] == "task" and item["status"] != "completed"
             and item not in still_open]
    return sorted(boxes, key=lambda box: (text_of(box, "list"), box.get("order", 0)))


def is_left_behind(name: str, boxes: Sequence[Item], items: Sequence[Item]) -> bool:
    """Whether a list's boxes are likely to be done: nobody ticks what was said, nor a file that was written once."""
    newest = max(box["position"] for box in boxes)
    since = [other for other in items if other["position"] > newest]
    is_asked_more = messages_in(since) >= LATER_MESSAGES or sum(map(is_typed, since)) >= LATER_SHORT_MESSAGES
    if name != LIST_SAID:
        is_written_once = len({box["position"] for box in boxes}) == 1
        return is_written_once and is_asked_more
    is_committed = any(other.get("commit") for other in since) and any(other["kind"] == "message" for other in since)
    return is_committed or is_asked_more


def tasks_of_client(items: Sequence[Item]) -> list[Item]:
    """The tasks of the client's own lists."""
    return [item for item in items if item["kind"] == "task" and text_of(item, "list") in LISTS_OF_THE_CLIENT]


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed that are longer than "go on", with which a task goes on."""
    return sum(is_typed(item) and len(item["text"]) > SAME_ORDER_MAX_CHARACTERS for item in items)


# ==================================================================================================
# recap/lines/wanted_parts.py: Which parts of a task are asked for now: by the label of a step ("phase 2"), by the words of a heading.
# ==================================================================================================

ASKING_MAX_CHARACTERS = 400  # of words that ask for a part; longer ones share words with many
# Of a line of the agent's words, which says what comes next, or asks.
NEXT_WORD, NEXT_BEGINS = r"\bnext\b", (
    "nächst", "prochain", "suivant", "siguiente", "próxim", "proxim", "seguinte", "далее", "следующ")
NEXT_WIDE = ("下一", "接下来", "次の", "次に", "다음")
LABEL_VALUE, WORDS_VALUE = 10.0, 2.0  # more, of a row in the part that is asked for; what binds has 4 to 7
STANDS_OVER_ROWS = r"#{1,6} |\*\*[^*]{2,120}\*\*[:：]?$"
LABEL = (  # with which a heading or a member of a list begins: "Phase 2:", "2.1 Tables", "**Step 3**", "Part B"
    r"\W{0,9}(?:(?P<word>[^\W\d_]{1,12})[ #]{0,2}"
    r"(?P<number>\d{1,3}(?:\.\d{1,2}){0,2}|(?<=[ #])(?:[A-Z]|[IVX]{1,4}))"  # "FIX" is a word, no part X
    r"|(?P<alone>\d{1,3}(?:\.\d{1,2}){0,2}))(?![a-zA-Z0-9_])")
NUMBERED_THINGS = (  # words before the number of what has no other word before its own
    r"(?:phase|step|part|stage|point|item|task|section|number|no\.?|nr\.?|n°|schritt|punkt|teil|aufgabe|étape|partie"
    r"|tâche|etapa|paso|punto|tarea|passo|tarefa|ponto|fase|шаг|пункт|этап|步骤|阶段|第|ステップ|단계)")
OTHER_NUMBERS = r"(?:(?:\d[\d.]{0,6}|[a-z])(?:\s?[,&+/–-]\s?|\s(?:and|to|und|bis|et|à|y|e|и)\s)){0,4}"
TELLING_WORD = r"[^\W\d_]{4,40}|\b[A-Z][A-Z0-9]{1,9}\b"
WORDS_OF_PLANS = COMMON_WORDS | frozenset(
    "phase step steps part plan section task tasks create update implement implementation change changes add file "
    "files feature features order start continue proceed please would like".split())
SHARED_WORDS = 2  # of a heading and what is asked
HEADINGS_WITH_WORD = 2  # a word in more of them tells none from the others


def asking_words(items: Sequence[Item], last_words: str) -> list[str]:
    """The words that ask for the next step, the surest first: the newest message, what the agent proposed, open tasks.

    What the agent proposed is left out behind a longer message that nothing was said to yet: that asks for something
    else.
    """
    message = newest_typed(items)
    said = last_words_position(items)
    asking = [message["text"]] if message else []
    if not message or message["position"] < said or len(message["text"]) <= SAME_ORDER_MAX_CHARACTERS:
        asking += [line for line in last_words.splitlines() if asks_or_says_next(line)]
    tasks = [task for task in tasks_of_client(items) if task["status"] != "completed"]
    tasks.sort(key=lambda task: (task["status"] != "in_progress", task.get("order", 0)))
    asking += [task["text"] for task in tasks[:1]]
    return [words for words in asking if len(words) <= ASKING_MAX_CHARACTERS]


def asks_or_says_next(line: str) -> bool:
    """Whether a line of the agent's says what comes next, or ends with a question."""
    lowered = line.lower()
    if ends_with_question(line) or holds_any(lowered, NEXT_WIDE):
        return True
    if "next" in lowered and re.search(NEXT_WORD, lowered):
        return True
    has_begin = holds_any(lowered, NEXT_BEGINS)
    return has_begin and re.search(rf"\b(?:{'|'.join(NEXT_BEGINS)})", lowered) is not None


def wanted_indexes(rows: Sequence[TaskRow], asking: Sequence[str]) -> dict[int, float]:
    """The indexes of the headings that are asked for, else of another row, by the first of these words that names any.

    Each with what its part is worth: most where its label is named.
    """
    headings = [index for index, row in enumerate(rows) if index and stands_over_rows(row)]
    members = [index for index, row in enumerate(rows) if index and not (stands_over_rows(row) or row["is_code"])]
    for words in asking:
        named = labelled(rows, headings, words.casefold())
        if named:
            return dict.fromkeys(named, LABEL_VALUE)
        sharing = sharing_words(rows, headings, words)
        if sharing:
            return dict.fromkeys(sharing, WORDS_VALUE)
        named = labelled(rows, members, words.casefold())
        if len(named) == 1:  # "step 2" names none of two lists' second members
            return dict.fromkeys(named, LABEL_VALUE)
    return {}


def ask_for_part(rows: Sequence[TaskRow], messages: Sequence[str]) -> bool:
    """Whether one of the messages names a part of the task by the label of its heading."""
    headings = [index for index, row in enumerate(rows) if index and stands_over_rows(row)]
    return any(labelled(rows, headings, message.casefold()) for message in messages)


def stands_over_rows(row: TaskRow) -> bool:
    """Whether a row has the form of a heading, under which others stand."""
    return not row["is_code"] and re.match(STANDS_OVER_ROWS, row["text"]) is not None


def labelled(rows: Sequence[TaskRow], indexes: Sequence[int], text: str) -> set[int]:
    """The indexes of those of these rows whose label the text, in lower case, has."""
    named = set[int]()
    for index in indexes:
        label = re.match(LABEL, rows[index]["text"])
        if label:
            word, number = label["word"] or "", label["number"] or label["alone"]
            if has_label(text, word.casefold(), number.casefold()):
                named.add(index)
    return named


def has_label(text: str, word: str, number: str) -> bool:
    """Whether the text has this label; a number without a word must stand behind "#" or what steps are called by."""
    if number not in text:  # most are not, and each would be a pattern to compile
        return False
    exactly = rf"{re.escape(number)}(?![a-z0-9_]|\.\d)"
    if not word and "." in number:
        return re.search(rf"(?<![\w.]){exactly}", text) is not None
    called = rf"(?<![a-z]){word}s?" if word else rf"(?:#|(?<![a-z]){NUMBERED_THINGS}s?)"
    return re.search(rf"{called}[\s#.:-]{{0,3}}{OTHER_NUMBERS}{exactly}", text) is not None


def sharing_words(rows: Sequence[TaskRow], indexes: Sequence[int], words: str) -> set[int]:
    """The indexes of the headings that share most words with what is asked: several words, or all of a heading's."""
    words_of_heading = {index: naming_words(rows[index]["text"]) for index in indexes}
    uses = Counter(word for of_heading in words_of_heading.values() for word in of_heading)
    telling = {word for word in naming_words(words) if 0 < uses[word] <= HEADINGS_WITH_WORD}
    counts = {index: len(of_heading & telling) for index, of_heading in words_of_heading.items()}
    most = max(counts.values(), default=0)
    best = {index for index, count in counts.items() if count == most > 0}
    return {index for index in best if most >= SHARED_WORDS or most == len(words_of_heading[index])}


def naming_words(text: str) -> Set[str]:
    """The longer words and the abbreviations of a text, in lower case, without those that any plan has."""
    return {word.casefold() for word in re.findall(TELLING_WORD, text)} - WORDS_OF_PLANS


# ==================================================================================================
# recap/lines/plan_rows.py: The rows of a task that are of use, where it is too long to stand whole.
# ==================================================================================================

TASK_ROW_MAX_UTF16 = 300
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
IN_LIST_OR_TABLE, MEMBERS_LEFT_OUT = r"\s*(?:[-*+•] |\d{1,3}[.)] |\|)", "…"
IN_LIST, NUMBERED, UNTICKED = r"\s*(?:[-*+•] |\d{1,3}[.)] )", r"\s*\d{1,3}[.)] ", r"\s*[-*+] \[ \] "
CALLS_PROGRAM = (  # a shell's row, not one of a program's code
    r"\s*(?:\$ |(?:sudo |uv run |poetry run |npx |bunx )?(?:pytest|python3?|node|npm|pnpm|yarn|bun|go|cargo|make|docker"
    r"|docker-compose|kubectl|terraform|curl|gh|git|uvicorn|swift|xcodebuild|dotnet|mvn|gradle|\./[\w./-]+)(?= |$))")
ROW_HEADING, CODE_IN_HEADING = r"(#{1,6}) ", r"`[^`]{1,120}`"
STEP_LABEL = r"(?i)\W{0,6}((?:[^\W\d]{1,12} ?)?#?\d{1,3}(?:\.\d{1,2})?)\s*(?:[:.)—–-]|$)"
IN_CODE = -2  # in place of the row that a list stands under
CODE_MIN_LINES, END_OF_BLOCK = 4, "."  # of an indented block
CODE_ENDS, MORE_CODE_ENDS, PROSE_ENDS = (";", "{", "}"), ("[", "]", "("), (")", ",")  # of its rows
ENDS_IN_COLON, BOLD_LEVEL = r"[:：]\**$", 7  # of a row that leads to others; of one in bold letters alone
WRAPPED_MIN_CHARACTERS = 45  # of a line that may go on in the next one
KNOWN_FACTOR, DONE_FACTOR, WHY_FACTOR, PRAISE_FACTOR = 0.3, 0.4, 0.4, 0.1
ASKED_CODE_FACTOR = 0.4  # of what is more worth, as it is asked for
RULER = r"[\s|:=*_-]*"  # a line that only parts others; a brace closes something


def task_in_short(text: str, limits: Sequence[int], known: TaskKnown) -> list[list[str]]:
    """The rows of a task's text within each limit; of a long one those that are of use, in their order.

    They stand under their headings. The part that is asked for comes first.
    """
    summary = known.get("summary", "")
    is_whole = MIDDLE_GONE not in text and not text.endswith("…")
    lines = [line.rstrip() for line in text.splitlines() if not re.fullmatch(RULER, line) and line != MIDDLE_GONE]
    lines = without_known_lines(lines, summary)
    size = units("\n".join(lines))
    rows = rows_of(text) if size > min(limits) else []
    parts = wanted_indexes(rows, known.get("asking", ()))
    if rows and known.get("is_typed"):  # with what a message ends, it mostly asks
        parts = {**parts, len(rows) - 1: LABEL_VALUE}
    values = [value_of(rows, index, known, parts) for index in range(len(rows))]
    beyond = "" if is_whole else ", and what lies beyond the record"
    return [lines if size <= limit else most_useful(rows, values, limit, beyond, parts) for limit in limits]


def most_useful(rows: Sequence[TaskRow], values: Sequence[float], limit: int, beyond: str,
                wanted: Collection[int]) -> list[str]:
    """The rows of most value within `limit`, in their order; behind the first what is left out, and `beyond` that.

    None of a text without a word. `wanted`: the indexes of what is asked for now.
    """
    if not rows:
        return []
    gone_max = min(TASK_ROW_MAX_UTF16, limit // 5)  # of the line that says what is left out
    chosen, shown = rows_within_room(rows, values, limit - gone_max)
    missing = len(rows) - len(chosen)
    what = f"{missing} of {len(rows)} parts left out" if missing else "long parts are cut"
    headings = headings_left_out(rows, chosen, wanted)
    under = f"; nothing stands here of: {'; '.join(headings)}" if headings else ""
    return [shown[0], cut(f"[…] {what}{beyond}{under}", gone_max), *shown[1:]]


def rows_within_room(rows: Sequence[TaskRow], values: Sequence[float], room: int) -> tuple[set[int], list[str]]:
    """The first row and those of most value that have room, each with what it stands under: their indexes; as shown."""
    first_at: dict[tuple[object, ...], int] = {}
    for index, row in enumerate(rows):
        first_at.setdefault((row["text"], *row["headings"]), index)
    anew = {*first_at.values()}  # the same words again say nothing
    chosen, left = {0}, room - units(shown_row(rows[0]["text"])) - 6
    picked: list[set[int]] = []
    for index in sorted(range(1, len(rows)), key=lambda index: -values[index]):
        if values[index] <= 0:
            break
        if index not in anew:
            continue
        around = {index, *rows[index]["headings"][-2:], rows[index]["head"]} - {-1} - chosen
        size = shown_units([shown_row(rows[at]["text"]) for at in around])
        if size <= left:
            chosen |= around
            picked.append(around)
            left -= size
    shown = with_marks(rows, chosen)
    while picked and shown_units(shown) > room:  # the marks take room, too
        chosen -= picked.pop()
        shown = with_marks(rows, chosen)
    return chosen, shown


def shown_units(lines: Sequence[str]) -> int:
    """How many units the lines take, each with its sign of a quotation and its end."""
    return sum(units(line) + 3 for line in lines)


def with_marks(rows: Sequence[TaskRow], chosen: Set[int]) -> list[str]:
    """The chosen rows in their order, as they are shown; a mark wherever members of their lists are left out.

    Of eight objectives the first five had come back as if there were no others.
    """
    lists = {list_of(rows[index]) for index in chosen} - {None}
    shown, before = list[str](), -1
    for index in [*sorted(chosen), len(rows)]:
        if any(list_of(rows[at]) in lists for at in range(before + 1, index)):
            shown.append(MEMBERS_LEFT_OUT)
        if index < len(rows):
            shown.append(shown_row(rows[index]["text"]))
        before = index
    return shown


def list_of(row: TaskRow) -> tuple[int, ...] | None:
    """By what a row is known to be of the same list, table or block of code as another; None of any other row."""
    if row["is_code"]:
        return (*row["headings"], IN_CODE)
    return (*row["headings"], row["head"]) if is_member(row["text"]) else None


@lru_cache(maxsize=2_048)  # each row is looked at for each length that the task may have
def is_member(text: str) -> bool:
    """Whether a row is a member of a list, or a row of a table."""
    return re.match(IN_LIST_OR_TABLE, text) is not None


def headings_left_out(rows: Sequence[TaskRow], chosen: Set[int], wanted: Collection[int]) -> list[str]:
    """The headings of which nothing is shown, first those that are asked for; of nested ones the outermost.

    None whose words stand among what is shown: of another heading, or of a comment in a shell's rows.
    """
    shown_parts = chosen | {heading for index in chosen for heading in rows[index]["headings"]}
    shown_words = {rows[index]["text"].strip("# ") for index in shown_parts}
    left_out = [index for index, row in enumerate(rows) if index and row["text"].startswith("#")
                and not row["is_code"] and row["text"].strip("# ") not in shown_words]
    outermost = [index for index in left_out if index in wanted or {*left_out}.isdisjoint(rows[index]["headings"])]
    asked_for_first = sorted(outermost, key=lambda index: index not in wanted)
    return [rows[index]["text"].lstrip("# ") for index in asked_for_first]


def rows_of(text: str) -> list[TaskRow]:
    """The rows of a task's text; wrapped lines are joined, and lines without words left out.

    Behind a gap it is not known under which heading a row stands, nor whether it is code: up to the next heading, where
    there is one, none is taken.
    """
    rows: list[TaskRow] = []
    first, *behind_gaps = text.split(MIDDLE_GONE)
    add_rows(rows, first)
    for part in behind_gaps:
        heading = re.search(f"(?m)^{ROW_HEADING}", part)
        add_rows(rows, part[heading.start():] if heading else part)
    return rows


def add_rows(rows: list[TaskRow], text: str) -> None:
    """Adds the rows of a part of a task's text that has no gap."""
    headings = list[tuple[int, int]]()  # that the next row may stand under: level and index
    leads = list[tuple[int, int]]()  # rows ending in ":" that it may belong to: depth and index
    is_fenced = is_wrapped = False
    lines = text.splitlines()
    for line, is_set_off in zip(lines, set_off_as_code(lines)):
        if line.lstrip().startswith(FENCES):
            is_fenced, is_wrapped = not is_fenced, False
            continue
        is_code = is_fenced or is_set_off
        if not re.search(r"\w", line):
            is_wrapped = False
            continue
        if is_wrapped and not is_code and not re.match(STARTS_ROW, line):
            rows[-1]["text"] += f" {line.strip()}"
        else:
            level, depth = 0 if is_code else level_of(line), row_depth(line)
            if level:
                headings = [(above, index) for above, index in headings if above < level]
            leads = [] if level else [(outer, index) for outer, index in leads if outer < depth]
            head = leads[-1][1] if leads and depth and not is_code else -1
            rows.append({"text": line.rstrip(), "headings": [index for _, index in headings], "is_code": is_code,
                         "head": head})
            if level:
                headings.append((level, len(rows) - 1))
            elif not is_code and re.search(ENDS_IN_COLON, line.rstrip()):
                leads.append((depth, len(rows) - 1))
        is_wrapped = (not is_code and len(line) >= WRAPPED_MIN_CHARACTERS and not line.startswith(("#", "|"))
                      and line[-1] not in ":：")


def set_off_as_code(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it stands in a block of code that is indented, without a fence.

    In such a block half of the lines or more end as code does. It had stood in a ticket's place for what that forbids:
    "No query" binds by its words. What goes on from a member of a list, or from a row ending in ":", is none, and a
    comma or a bracket that closes ends prose as well.
    """
    marks = [False] * len(lines)
    block, goes_on = list[int](), False  # the indexes of its lines; whether an indented line is of the row above
    for index, line in enumerate([*lines, END_OF_BLOCK]):
        if not line.strip():
            goes_on = False
        elif not line.startswith(("  ", "\t")) or is_member(line):
            for at in block if is_code_block([lines[at].rstrip() for at in block]) else ():
                marks[at] = True
            block, goes_on = [], is_member(line) or re.search(ENDS_IN_COLON, line.rstrip()) is not None
        elif not goes_on:
            block.append(index)
    return marks


def is_code_block(rows: Sequence[str]) -> bool:
    """Whether so many rows that half of them or more end as code does."""
    is_sure = any(row.endswith(CODE_ENDS) for row in rows)
    code_ends = CODE_ENDS + MORE_CODE_ENDS + (PROSE_ENDS if is_sure else ())
    return len(rows) >= CODE_MIN_LINES and 2 * sum(row.endswith(code_ends) for row in rows) >= len(rows)


def row_depth(line: str) -> int:
    """How far a row is indented; a member of a list counts one more: a row ending in ":" as far out leads to it."""
    indent = len(line) - len(line.lstrip())
    return indent + 1 if re.match(IN_LIST, line) else indent


def level_of(line: str) -> int:
    """A heading's level, BOLD_LEVEL of a row in bold letters alone; 0 of any other row."""
    mark = re.match(ROW_HEADING, line)
    if mark:
        return len(mark[1])
    return BOLD_LEVEL if re.fullmatch(r"\*\*[^*]{2,120}\*\*[:：]?", line) else 0


def value_of(rows: Sequence[TaskRow], index: int, known: TaskKnown, wanted: Mapping[int, float]) -> float:
    """Of what use a row is for whoever carries the task out; 0 of a heading and the like, which says nothing alone.

    `wanted`: the indexes of what is asked for now, with what their parts are worth.
    """
    row = rows[index]
    above = [rows[at]["text"] for at in row["headings"] if at]  # without the title: under that all stands
    if not row["is_code"] and (level_of(row["text"]) or re.search(ENDS_IN_COLON, row["text"])):
        return 0
    parts = {part for heading in above for part in parts_named(heading)}
    value = value_by_form(rows, index, parts, known.get("edited", frozenset()))
    done, summary = known.get("done"), known.get("summary", "")
    if WHY in parts:
        value *= WHY_FACTOR
    if PRAISE in parts or re.search(PRAISE, row["text"]):
        value *= PRAISE_FACTOR
    if done and labels_of_steps({heading.lstrip("# ") for heading in above}) & done:
        value *= DONE_FACTOR
    asked_for = max(wanted.get(at, 0) for at in (index, row["head"], *row["headings"]))
    value += asked_for * ASKED_CODE_FACTOR if row["is_code"] else asked_for
    return value * KNOWN_FACTOR if in_summary(row["text"].strip(), summary) else value


def value_by_form(rows: Sequence[TaskRow], index: int, parts: Set[str], edited: Set[str]) -> float:
    """Of what use a row is by its form, its words, and by which parts of the task it stands in."""
    row, text = rows[index], rows[index]["text"]
    lead = rows[row["head"]]["text"] if row["head"] >= 0 else ""
    binds = re.search(BINDING, text) is not None or re.search(BINDING, lead) is not None
    is_in_binding_part = CHECKED_BY in parts or ENDS_WITH in parts
    more = 1.0 if CHECKED_BY in parts else 0.0
    if is_in_binding_part and binds:
        more += 0.5
    if row["is_code"]:
        return more + (4.0 if is_command_at_the_end(rows, index) else 0.5)
    if text.lstrip().startswith("|"):
        names = {file_name(name) for name in names_of(text)}
        return more + (2.0 if names and not edited & names else 0.7)
    if is_in_binding_part:
        return more + 5.0
    if binds or re.match(UNTICKED, text):
        return more + 4.0
    if re.match(NUMBERED, text):
        return more + 3.0
    return more + (2.0 if names_of(text) else 1.0)


def is_command_at_the_end(rows: Sequence[TaskRow], index: int) -> bool:
    """Whether a row of code calls a program, in the last part of the task: that is how it is checked."""
    if not re.match(CALLS_PROGRAM, rows[index]["text"]):
        return False
    tops = [at for at, row in enumerate(rows) if not row["is_code"] and 0 < level_of(row["text"]) < 3]
    return len(tops) > 1 and tops[-1] in rows[index]["headings"]


def labels_of_steps(texts: Set[str]) -> Set[str]:
    """What steps are called by: "phase 2", "r5", as plans and tasks begin with it."""
    labels = [re.match(STEP_LABEL, text) for text in texts]
    return {label[1].lower() for label in labels if label}


@lru_cache(maxsize=256)  # a heading stands over many rows
def parts_named(heading: str) -> list[str]:
    """What kinds of parts of a task a heading names, each by its pattern; a path in it names none."""
    plain = re.sub(CODE_IN_HEADING, "", heading)
    return [kind for kind in (CHECKED_BY, ENDS_WITH, WHY, PRAISE) if re.search(kind, plain)]


@lru_cache(maxsize=512)  # a row is measured for each length that the task may have
def shown_row(text: str) -> str:
    """A row as it is shown: of a long one the sentences that bind, else its beginning."""
    if units(text) <= TASK_ROW_MAX_UTF16:
        return text
    first, *others = re.split(r"(?<=[^\d][.!?;])\s+|(?<=[。；])", text)
    binding = [sentence for sentence in others if re.search(BINDING, sentence)]
    if binding:
        text = f"{cut(first, TASK_ROW_MAX_UTF16 // 2)} … {' '.join(binding)}"
    return cut(text, TASK_ROW_MAX_UTF16)


# ==================================================================================================
# recap/lines/plans.py: The task as it was given: a plan, a team lead's words, a long order, a ticket; how old it is, what is done of it.
# ==================================================================================================

GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16 = 2_800, 900  # the second: where all is done
FULLER_TASK_UTF16 = (2_800, 4_000, 5_500, 7_000, 9_000)  # where room is left when all other lines have theirs
WHOLE_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16, TASK_TITLE_MAX_UTF16 = 4_000, 1_800, 240
STEP_OF_PLAN = r"(?i)\b(?:plan|phase|step|fase|schritt|étape|etapa|paso|passo|task|continue|weiter|resume)\b"
LABEL_OF_STEP = r"\b[A-Za-z]{1,12}[-.]?\d{1,3}[a-z]?\b"  # "dev2", "M3", "stage-1b"
TICKS, TICKED_WHEN_GIVEN = ("✅", "☑", "✔", "[x]"), " (the ticks in it were there when it was given)"
STEPS = ("said", "action", "look", "refusal", "answer", "message")  # kinds of items that are what was said and done
BROKEN_OFF, ENDED_WITH_MAX_UTF16 = ("interrupt", "rejection", "queue"), 120
COMMITS_NAMED, TICKETS_SHOWN, ORDERS_SHOWN = 3, 4, 2
TYPED_ORDER_MIN_CHARACTERS, TYPED_ORDER_MIN_LINES = 1_500, 8  # of a typed message that is shown as a task is
TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16 = 700, 1_500
UNTICKED_BOX = "- [ ] "
ROOM_FOR_TAG_UTF16 = 7  # behind a title, and for the line's end
TICKET_NUMBER = r"(?:issue view |issues/|#)(\d{1,6})\b|\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b"


def plan_lines(items: Sequence[Item], ago: Ago, summary: str, most: int, last_words: str) -> Iterator[Line]:
    """The tasks: a plan handed over or approved, a team lead's words, long orders that were typed, tickets looked up.

    A plan that was gone on from is told by its title and its commits; an order that was, not at all: it stands among
    the person's words. `most`: UTF-16 units of a short form; `last_words`: the agent's.
    """
    known: TaskKnown = {"summary": summary, "asking": asking_words(items, last_words)}
    messages = [item for item in items if item["kind"] == "message"]
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in messages if item.get("via") == "teammate" and "lead" in text_of(item, "sender")]
    # The newest message stands where it ended, whatever it is.
    orders = [item for item in [*filter(is_typed, messages)][:-1] if is_long_order(item)]
    tickets = {item["ticket"].partition("\n")[0]: item for item in items if item.get("ticket")}
    for plan in plans[-1:]:
        how = "handed over" if plan["kind"] == "message" else "approved"
        where = f" (in {plan['path']})" if plan.get("path") else ""
        stopped = ", then interrupted before any step" if is_stopped_at_once(plan, items) else ""
        title = f"A plan, {how} {ago(plan['last'])}{stopped}{where}"
        commits = commits_before_another_order(plan, items)
        is_past = commits or is_gone_on_from(plan, items)
        yield past_plan(title, plan, commits) if is_past else given_task(title, plan, items, known, most)
    for lead in leads[-2:][::-1]:
        yield given_task(f"From {lead['sender']} ({ago(lead['last'])})", lead, items, known, most)
    for order in orders[-ORDERS_SHOWN:][::-1]:
        if is_gone_on_from(order, items) or is_ticked_off(order, items):
            break  # and so are those before it
        title = f"An order, typed {ago(order.get('typed_at') or order['last'])}{how_command_failed(order)}"
        yield given_task(title, order, items, known, most)
    for ticket in [*tickets.values()][-TICKETS_SHOWN:][::-1]:
        yield ticket_line(ticket, items, ago, summary)


def is_stopped_at_once(plan: Item, items: Sequence[Item]) -> bool:
    """Whether the person interrupted right after a plan was approved, before any call.

    Of older calls than the plan's at least a look must be kept: then none behind it had to go. What came three times or
    more may have come between, too.
    """
    since = items_since(plan, items)
    words = next(filter(is_typed, since), None)
    if plan["kind"] != "plan" or not words or words.get("via") != "interrupt":
        return False
    calls = [item for item in since if item["kind"] in ("action", "look", "task", "refusal", "answer")]
    are_all_kept = any(item["kind"] == "look" and item["position"] < plan["position"] for item in items)
    return are_all_kept and not any(
        item["position"] < words["position"]
        or (item["first"] < words["last"] and (item["uses"] > 2 or item["first"] > plan["last"])) for item in calls)


def items_since(item: Item, items: Sequence[Item]) -> list[Item]:
    """The items that came after this one in the session."""
    return [other for other in items if other["position"] > item["position"]]


def task_title(text: str) -> str:
    """The first line of a task's text, without the marks of a heading."""
    return cut(text.strip().partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)


def past_plan(title: str, plan: Item, commits: Sequence[Item]) -> Line:
    """A plan that was gone on from: its first line, and its commits where there are any."""
    done = first_and_more([*map(commit_in_words, commits)], COMMITS_NAMED)
    committed = f". Committed since: {done}" if commits else ""
    first = in_quotes(task_title(plan["text"]))
    return {"items": [plan], "text": f"{title}: {first}{committed}; the user gave other orders since"}


def is_gone_on_from(task: Item, items: Sequence[Item]) -> bool:
    """Whether the person gave another order after a task whose turn had ended: it is carried out, or overtaken.

    It had ended where the agent's words before that order ask nothing and nothing was done behind them. No task is gone
    on from while tasks of its time are open, or where a part of it is asked for by its label since. Such orders had
    stood as if they were open: two thirds of what was shown of orders misled, said readers of whole sessions.
    """
    since = items_since(task, items)
    steps = [item for item in since if item["kind"] in STEPS]
    others = [item for before, item in zip(steps, steps[1:])
              if closing_words(before) and not ends_with_question(before["text"]) and is_another_order(item)]
    if not others:
        return False
    newest = others[-1]
    asked_then = [item["text"] for item in since if is_typed(item) and item["position"] >= newest["position"]]
    is_left_open = any(other["status"] != "completed" and other["first"] < newest["first"]
                       for other in tasks_of_client(items))
    return not is_left_open and not ask_for_part(rows_of(task["text"]), asked_then)


def is_ticked_off(order: Item, items: Sequence[Item]) -> bool:
    """Whether all of the client's list is done that was begun in an order's turn, and several messages came behind it.

    None of these asks for a part of it. What had been carried out, committed and pushed hours before stood as the task.
    """
    tasks = tasks_of_client(items)
    later = [item for item in items_since(order, items) if is_typed(item) and item.get("via") == "prompt"]
    if not tasks or not later or any(task["status"] != "completed" for task in tasks):
        return False
    since = items_since(max(tasks, key=lambda task: task["position"]), items)
    is_of_its_turn = order["last"] <= min(task["first"] for task in tasks) <= later[0]["last"]
    is_past = is_of_its_turn and messages_in(since) >= LATER_MESSAGES
    return is_past and not ask_for_part(rows_of(order["text"]), [item["text"] for item in later])


def is_another_order(item: Item) -> bool:
    """Whether a message is long, began a turn, answers nothing by its signs, and begins with no step of a task."""
    if not is_typed(item) or item.get("via") != "prompt" or item.get("options") or item.get("picks"):
        return False
    words = text_of(item, "own") or item["text"]
    is_long = len(words) >= ORDER_MIN_CHARACTERS
    return is_long and re.search(STEP_OF_PLAN, words[:SAME_ORDER_MAX_CHARACTERS]) is None


def is_long_order(item: Item) -> bool:
    """Whether it is a message of many lines that was typed or pasted as an order, without a program's output in it."""
    return (is_typed(item) and not item.get("own")
            and len(item["text"]) >= TYPED_ORDER_MIN_CHARACTERS and item["text"].count("\n") >= TYPED_ORDER_MIN_LINES
            and is_document(item["text"]))


def since_then(item: Item, items: Sequence[Item]) -> str:
    """How many messages were typed after the task, and how many commits were seen to be made; empty for none."""
    actions = [other for other in items if other["kind"] == "action"]
    counted = {"message": typed_since(item["last"], items_since(item, items)),
               "commit": commits_made_since(actions, item["position"])}
    counts = [f"{'at least ' if may_be_more else ''}{count_shown(count, noun)}"
              for noun, (count, may_be_more) in counted.items() if count]
    return f" (since then {', '.join(counts)})" if counts else ""


def typed_since(moment_before: str, since: Sequence[Item]) -> tuple[int, bool]:
    """How many messages were typed since that moment, and whether there may be more.

    What was typed again is one item, which does not say how often where its end was another: three pasted errors that
    began alike had counted as one.
    """
    messages = [item for item in since if is_typed(item)]
    count = sum(item["uses"] if item["first"] > moment_before else 1 for item in messages)
    return count, any(item["first"] != item["last"] for item in messages)


def end_of_turn(since: Sequence[Item]) -> str:
    """How the agent ended the turn of a task: the end of its last words before the next message that was typed.

    `since`: what came after the task. Empty where the turn was broken off, or goes on. Two orders had stood as if they
    were open that had been answered in full, point by point.
    """
    steps = [item for item in since if item["kind"] in STEPS]
    index = next((index for index, item in enumerate(steps) if is_typed(item)), 0)
    if not index:  # nothing was typed since, or at once
        return ""
    last, message = steps[index - 1], steps[index]
    closing = "" if message.get("via") in BROKEN_OFF else closing_words(last)
    return f" (its turn ended with {in_quotes(end_on_a_line(closing, ENDED_WITH_MAX_UTF16))})" if closing else ""


def closing_words(last: Item) -> str:
    """The words of a turn's last step, without marks; empty where it is none of words, or they only announce something.

    The turn was broken off behind these.
    """
    sentences = sentences_of(last["text"]) if last["kind"] == "said" else []
    texts = [sentence["text"].replace("**", "").strip("#*- ") for sentence in sentences]
    worded = [text for text in texts if re.search(r"\w", text)]
    return "" if not worded or is_announcement(worded[-1]) else " ".join(worded)


def ticket_line(item: Item, items: Sequence[Item], ago: Ago, summary: str) -> Line:
    """A ticket that was shown, by the rows that bind; of one that a later commit names its title alone."""
    what = f"A ticket, shown {ago(item['last'])} ({cut(folded_line(item['text']), 80)})"
    since = items_since(item, items)
    number = re.search(TICKET_NUMBER, item["text"])  # "#12", or a tracker's "ABC-12"
    commits: list[Item] = []
    if number:
        called = f"#{number[1]}" if number[1] else number[2]
        commits = [later for later in since if later.get("commit")
                   and re.search(rf"(?<!\w){re.escape(called)}(?!\w)", text_of(later, "subject"))]
    if commits or messages_in(since) >= LATER_MESSAGES:
        done = f". Committed since: {commit_in_words(commits[-1])}" if commits else ""
        return {"items": [item], "text": f"{what}: {in_quotes(task_title(item['ticket']))}{done}"}
    forms = task_in_short(item["ticket"], (TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16), {"summary": summary})
    return task_line(f"{what}:", item, forms)


def commits_before_another_order(plan: Item, items: Sequence[Item]) -> list[Item]:
    """What was committed after a plan, where the person then gave another order; else none.

    No other order is a few words, or what names a step, unless all tasks are done and several followed. Nor is a plan
    done while tasks that are older than the order are open, or where the person asked since for a step by its label:
    "ok now do dev2" came after talk about how the commit before it was to look.
    """
    since = items_since(plan, items)
    commits = [item for item in since if item.get("commit")]
    later = [item for item in items_since(commits[0], since) if is_typed(item)] if commits else []
    labels = {*re.findall(LABEL_OF_STEP, plan["text"])}
    if any(labels.intersection(re.findall(LABEL_OF_STEP, item["text"])) for item in later):
        return []
    orders = [item for item in later if len(item["text"]) > SAME_ORDER_MAX_CHARACTERS
              and not re.search(STEP_OF_PLAN, item["text"])]
    tasks = tasks_of_client(items)
    open_since = [task["first"] for task in tasks if task["status"] != "completed"]
    if not orders and tasks and not open_since:
        orders = later[LATER_MESSAGES - 1:]
    if not orders or any(begun < orders[0]["first"] for begun in open_since):
        return []
    return [item for item in commits if item["position"] < orders[0]["position"]]


def commit_in_words(commit: Item) -> str:
    """A commit's hash and subject."""
    subject = text_of(commit, "subject")
    return f"{commit['commit']} {in_quotes(cut(subject, 90))}" if subject else commit["commit"]


def given_task(title: str, item: Item, items: Sequence[Item], known: TaskKnown, most: int) -> Line:
    """A task in short, and longer where room is left; less of one that is done or old.

    Its title says how much came since: an order of before may be done, and only the reader can tell.
    """
    ticked = TICKED_WHEN_GIVEN if any(mark in item["text"] for mark in TICKS) else ""
    since = items_since(item, items)
    title = f"{title}{since_then(item, items)}{end_of_turn(since)}{ticked}:"
    listed = tasks_of_client(items)
    done = {task["text"] for task in listed if task["status"] == "completed"}
    is_done = bool(listed) and len(done) == len(listed)
    labels = set[str]() if is_done else labels_of_steps(done)  # of what is done whole each part is as good
    edited = {file_name(text_of(other, "path")) for other in since if other.get("edits")}
    short, whole = GIVEN_TASK_MAX_UTF16, WHOLE_TASK_MAX_UTF16
    if is_done or messages_in(since) >= LATER_MESSAGES or any(map(is_long_order, since)):
        short, whole = OLD_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16
    most = max(most - units(title) - ROOM_FOR_TAG_UTF16, TASK_ROW_MAX_UTF16)
    limits = [min(short, most), whole, *FULLER_TASK_UTF16]
    if is_stopped_at_once(item, items) and not edited:  # it may be given up
        limits = [min(OLD_TASK_MAX_UTF16, most)] * 2
    of_task: TaskKnown = {**known, "done": labels, "edited": edited, "is_typed": is_typed(item)}
    forms = task_in_short(item["text"], limits, of_task)
    return task_line(title, item, forms)


def task_line(title: str, item: Item, forms: Sequence[Sequence[str]]) -> Line:
    """A task's line of its rows in each form, the shortest first, with the boxes that are unticked in that."""
    shortest = [row.strip() for row in forms[0]]
    boxes = {row.removeprefix(UNTICKED_BOX) for row in shortest if row.startswith(UNTICKED_BOX)}
    shown, longer, *fuller = ("\n".join([title, *(f"> {row}" for row in rows)]) for rows in forms)
    return {"items": [item], "text": shown, "whole": longer, "fuller": fuller, "boxes": boxes}


# ==================================================================================================
# recap/lines/same_forms.py: Commands of one form, that differ in the words of an option alone: many of them are one line with these words.
# ==================================================================================================

SAME_FORM_MIN = 3
FORM_SHOWN_UTF16, WORDS_SHOWN_UTF16, WORDS_WHOLE_UTF16, RUNS_SHOWN_MAX = 120, 70, 200, 15
TEXT_OF_A_FORM_CHARACTERS = 1_000
OPTION_WORDS = (  # what stands in quotation marks behind an option or a field's name, cut off perhaps
    r"(?:(?<=[=\s])--?[\w-]{1,30}[= ]|\b\w{1,30}=)(?P<words>\"(?:[^\"\\]|\\.){4,}(?:\"|\Z)|'[^']{4,}(?:'|\Z))")
TAKES_CODE = (r"\b(?:ssh|python[\d.]*|node|deno|bun|tsx|bash|sh|zsh|psql|sqlite3|mysql|mongosh|redis-cli|sed|awk|jq"
              r"|perl|ruby|php|osascript|docker|kubectl|curl|wget|xargs|find)\b|(?<=\s)-[ce]\b")
FORM_NUMBER, VALUE = r"\d+", "\0"
NEWEST_CALL_UTF16, CALL_BEFORE_UTF16, ANSWER_OF_CALLS_UTF16 = 180, 100, 120
PATH_OR_ID = r"\S{0,200}/\S{1,200}|\b(?=[A-Za-z_-]{0,40}\d)(?=[\d_-]{0,40}[A-Za-z])[\w-]{6,80}\b"  # of an answer
CHANGES_SOMETHING = (  # by its name: each such call is a deed of its own
    r"(?i)write|edit|creat|updat|delet|remov|insert|add|move|renam|patch|apply|send|post|set|upload|execut|run|submit"
    r"|merge|commit|push|deploy|publish|reply|comment")
HEREDOC = r"^\"\$\(cat <<-?\s?['\"]?\w+['\"]?\s*"


def with_same_forms_joined(items: Sequence[Item]) -> list[Item]:
    """The items; of many commands or calls of one form the newest stands for all, with their words, newest last."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        form = form_of(item)
        if form:
            groups.setdefault(form, []).append(item)
    same: dict[int, list[Item]] = {}  # by the identity of the newest item of a form all of it
    gone = set[int]()
    for group in groups.values():
        if len(group) >= SAME_FORM_MIN:
            same[id(group[-1])] = group
            gone.update(id(item) for item in group[:-1])
    return [newest_of(same[id(item)]) if id(item) in same else item for item in items if id(item) not in gone]


def newest_of(group: Sequence[Item]) -> Item:
    """The newest item of a form, with the words of all, the newest last, and when the first came."""
    return {**group[-1], "same": [item["text"] for item in group], "first": group[0]["first"]}


def form_of(item: Item) -> str:
    """What is the same of a command or a call and of others of its form; empty where it has none."""
    if is_plain_deed(item):
        return form_without_words(item["text"])
    return form_of_answer(item) if is_plain_call(item) else ""


def is_plain_deed(item: Item) -> bool:
    """Whether it is a command that ended, checks nothing and made no commit."""
    return (item["kind"] == "action" and item["tool"] in SHELL_TOOLS and item["verdict"] == "ended"
            and item.get("family") not in CHECK_FAMILIES and not item.get("commit"))


def is_plain_call(item: Item) -> bool:
    """Whether it is a call, done once, of a tool that only answers, and not one of the client's own.

    Those are the tools for files, commands and subagents.
    """
    if item["kind"] != "action" or item["verdict"] != "ended" or item.get("uses", 1) != 1 or item["text"] == "":
        return False
    if item.get("made") or item.get("ticket") or item["tool"] in (*SHELL_TOOLS, *CHANGING_TOOLS, *SUBAGENT_TOOLS):
        return False
    return not re.search(CHANGES_SOMETHING, item["tool"].rpartition("__")[2])


def form_of_answer(item: Item) -> str:
    """The tool and its answer without the paths and ids in it; numbers may be what was asked for, and stay."""
    answer = re.sub(PATH_OR_ID, VALUE, item["result"])
    return f"{item['tool']}{VALUE}{answer}" if item["result"] and answer != item["result"] else ""


def form_without_words(command: str) -> str:
    """The command without the words of its options and without numbers; empty where no option has words."""
    text = command[:TEXT_OF_A_FORM_CHARACTERS]
    if VALUE in text or not ('"' in text or "'" in text):
        return ""
    form = re.sub(OPTION_WORDS, lambda match: match[0].replace(match["words"], VALUE), text)
    if VALUE not in form or re.search(TAKES_CODE, re.sub(OPTION_WORDS, "", text)):
        return ""
    return re.sub(FORM_NUMBER, "0", form)


def same_calls_line(item: Item, paths: Paths) -> Line:
    """The calls of a form on one line: how many, the newest with its answer, and what the one before it was given."""
    *_, before, newest = (paths.short(text) for text in item["same"])
    given = f"{middle_out(newest, NEWEST_CALL_UTF16)}; before: {middle_out(before, CALL_BEFORE_UTF16)}"
    answer = cut(paths.short(item["result"]), ANSWER_OF_CALLS_UTF16)
    text = f"- {len(item['same'])} calls{in_all(item, item['first'])} of {item['tool']}, the newest: {given} → {answer}"
    return {"items": [item], "text": text}


def same_form_line(item: Item, paths: Paths) -> Line:
    """The commands of a form on one line: the form, then what differs, the newest first; calls by `same_calls_line`."""
    if item["tool"] not in SHELL_TOOLS:
        return same_calls_line(item, paths)
    runs = [words_of_options(text) for text in reversed(item["same"])]
    differing = [words for words in zip(*runs) if len({*words}) > 1]  # an option's words in each of the runs
    form = command_in_short(item["text"], paths)
    for newest, *_ in differing:
        form = form.replace(paths.short(ROW_END.join(newest.splitlines())), "…")
    begin = f"- {len(runs)} runs{in_all(item, item['first'])} like {as_code(cut(form, FORM_SHOWN_UTF16))}"
    if not differing:
        return {"items": [item], "text": begin, "whole": begin}
    of_each_run = [*zip(*differing)][:RUNS_SHOWN_MAX]
    more = f"; {len(runs) - RUNS_SHOWN_MAX} more" if len(runs) > RUNS_SHOWN_MAX else ""
    short = "; ".join(in_words(words, WORDS_SHOWN_UTF16) for words in of_each_run)
    whole = "; ".join(in_words(words, WORDS_WHOLE_UTF16) for words in of_each_run)
    return {"items": [item], "text": f"{begin}: {short}{more}", "whole": f"{begin}: {whole}{more}"}


def words_of_options(command: str) -> list[str]:
    """The words behind the command's options, with their quotation marks."""
    return [match["words"] for match in re.finditer(OPTION_WORDS, command[:TEXT_OF_A_FORM_CHARACTERS])]


def in_words(values: Sequence[str], limit: int) -> str:
    """What a run's options had, each within so many UTF-16 units, without its marks and on one line."""
    bare = [folded_line(re.sub(HEREDOC, "", value).strip("\"'")) for value in values]
    return " ".join(f"“{cut(words, limit)}”" for words in bare)


# ==================================================================================================
# recap/lines/task_list.py: The list of tasks: the client's own tasks, and boxes to be ticked in files and in the agent's words.
# ==================================================================================================

LISTED_TASK_MAX_UTF16, TASK_DETAIL_MAX_UTF16 = 160, 600
TICKED_BOX = "[x"  # in a command that may tick boxes of any file
MARKS = {"completed": "[x]", "in_progress": "[~] in progress:"}  # others are "[ ]"
DONE_TASK_MAX_UTF16, DONE_LINE_MAX_UTF16 = 80, 500
UNTICKED_MAX_UTF16, UNTICKED_LINE_MAX_UTF16 = 90, 700
DONE_TASKS = "done tasks"  # what a line tells
NAMED_WORDS_SHARE = 0.7  # of a done task's words, that the summary has
CHANGING_VERBS = (
    "(?:create|update|delete|remove|add|activate|deactivate|execute|send|publish|deploy|insert|upload|move|rename|merge"
    "|close|write|edit|apply|push)")
# Of an MCP tool: in its name; the kind of an operation, in what it was given.
LOOKING_VERBS = "(?:get|list|search|find|read|fetch|describe)"
NAMED_CHANGE = (
    rf"mcp__.{{1,100}}__(?!(?:\w{{1,20}}_)?{LOOKING_VERBS}(?![a-z]))(?:\w{{0,60}}_)?{CHANGING_VERBS}(?![a-z])")
GIVEN_CHANGE = rf"(?:^|[{{,] ?)\"?(?:action|operation|method|type)\"?: \"?{CHANGING_VERBS}(?![a-z])"


def task_list_lines(items: Sequence[Item], summary: str, ago: Ago, shown: Set[str]) -> Iterator[Line]:
    """How the list stands, then the tasks that are not done in their order, unticked boxes, and those done in short.

    A box that is `shown` above, in a plan, is not shown again. Of a list whose unticked boxes were left behind the
    ticked ones go, too: one had stood there as if it were all (see `old_box_lines`).
    """
    listed = tasks_of_client(items)
    if listed:
        yield from state_lines(listed, items, ago)
    tasks = sorted((item for item in items if item["kind"] == "task"),
                   key=lambda item: (text_of(item, "list"), item.get("order", 0), item["position"]))
    still_open = open_tasks(items)
    not_done = [item for item in tasks if item in still_open]
    made = files_made_since(listed, items) if not_done else {}
    yield from (open_task_line(task, made) for task in not_done if text_of(task, "list") in LISTS_OF_THE_CLIENT)
    boxes = [box for box in not_done if text_of(box, "list") not in LISTS_OF_THE_CLIENT]
    yield from box_lines(boxes, items, shown, ago)
    left_behind = {text_of(box, "list") for box in boxes_left_behind(items)}
    done = [item for item in tasks if item["status"] == "completed" and text_of(item, "list") not in left_behind]
    # Beside a summary it is enough that all is done: under names that it has not, readers called the rest of it noise.
    if summary and listed and all(task in done for task in listed):
        done = [] if len(done) == len(tasks) else [task for task in done if task not in listed]
    yield from done_lines(done, summary)


def old_box_lines(items: Sequence[Item], shown: Set[str], ago: Ago) -> Iterator[Line]:
    """The unticked boxes that do not count as open any more, for where room is left at last.

    They are likely to be done; but six short prompts had hidden a whole plan, in a text of 832 units.
    """
    yield from (shared_line(line["text"]) for line in box_lines(boxes_left_behind(items), items, shown, ago))


def box_lines(boxes: Sequence[Item], items: Sequence[Item], shown: Set[str], ago: Ago) -> Iterator[Line]:
    """The boxes that are not ticked, a line for each file that they stand in; without those that are `shown` above.

    Which they are stands before where they do, as a small budget may cut what stands last. Of a file in which nobody
    ticks them it is only told how many there are: of the first eight of 75 six were done.
    """
    by_file: dict[str, list[Item]] = {}
    for box in boxes:
        by_file.setdefault(text_of(box, "list"), []).append(box)
    for name, of_file in by_file.items():
        others = [box for box in of_file if not any(above.startswith(box["text"]) for above in shown)]
        newest = max(of_file, key=lambda box: box["position"])
        since = since_then(newest, items)
        if others and is_never_ticked(newest, items):
            boxes_of_file = f"{newest['unticked']} boxes" if newest["unticked"] > 1 else "1 box"
            none = f"none ticked on record since it was written {ago(newest['last'])}"
            yield {"items": others, "text": f"- [ ] {boxes_of_file} in {name}, {none}{since}"}
        elif others:
            beside = " beside those above" if len(others) < len(of_file) else ""
            names = [cut(folded_line(box["text"]), UNTICKED_MAX_UTF16) for box in others]
            rooms = accumulate(units(name) + 2 for name in names)
            count = sum(room <= UNTICKED_LINE_MAX_UTF16 for room in rooms)
            words = "; ".join(names[:count]) + and_more(len(names) - count)
            where = "a list that the agent wrote" if name == LIST_SAID else name
            yield {"items": others, "text": f"- [ ] boxes not ticked{beside}: {words} (in {where}){since}"}


def is_never_ticked(box: Item, items: Sequence[Item]) -> bool:
    """Whether a box's file was written whole, and since then neither a message nor a step had to do with it."""
    path = text_of(box, "list")
    since = [item for item in items if item["position"] > box["position"] and (
        item["kind"] == "action" or is_typed(item))]
    return box.get("unticked", 0) > 0 and not any(
        text_of(item, "path") == path or is_path_named_in(path, item["text"]) or TICKED_BOX in item["text"]
        for item in since)


def state_lines(listed: Sequence[Item], items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """That all of the client's list is done, which summaries told otherwise; else, where work came after it, its age.

    A list with open tasks may not be kept up. A command that came several times is one item, and what only looks is no
    command here: of six calls "4 commands" had stood there as if they were all.
    """
    newest = max(listed, key=lambda item: item["position"])
    if all(item["status"] == "completed" for item in listed):
        count = f"all {len(listed)} tasks" if len(listed) > 1 else "the one task"
        later_words = since_then(newest, items)  # what was asked later is in none of them
        last_change = f"(last change {ago(newest['last'])}){later_words}"
        text = f"- [x] {count} of the client's list ticked off by the agent {last_change}"
        yield {"items": [], "text": text, "what": DONE_TASKS}
        return
    actions = [item for item in items if item["kind"] == "action"]
    edits = sum(item.get("edits", 0) for item in items_since(newest, items))
    commands = sum(action["verdict"] != "not run" and (action["tool"] in SHELL_TOOLS or is_change_by_mcp(action))
                   for action in items_since(newest, actions))
    reports = sum(action["tool"] in SUBAGENT_TOOLS and action["verdict"] == "ended" and action["last"] > newest["last"]
                  for action in actions)
    messages, may_be_more = typed_since(newest["last"], items_since(newest, items))
    counts = (("message", "messages", messages), ("edit", "edits", edits),
              ("command besides looks", "commands besides looks and repeats", commands),
              ("subagent's report", "reports of subagents", reports))
    later = [f"{count} {name if count == 1 else names}" for name, names, count in counts if count]
    if messages and may_be_more:
        later[0] = f"at least {later[0]}"
    if later:
        yield shared_line(f"- (the list's last change {ago(newest['last'])}; since then {', '.join(later)})")


def is_change_by_mcp(item: Item) -> bool:
    """Whether it is a call of an MCP tool that changes something, by its name or by the kind of an operation in it."""
    if item["kind"] != "action" or not item["tool"].startswith("mcp__"):
        return False
    return any(re.search(pattern, text) for pattern, text in
               ((NAMED_CHANGE, item["tool"]), (GIVEN_CHANGE, item["text"])))


def files_made_since(listed: Sequence[Item], items: Sequence[Item]) -> dict[str, str]:
    """By path which files were "written" or "edited" since the client's list was last changed.

    Without files of whose name the session knows others: a task that names `index.ts` may be of one of these.
    """
    newest = max((item["position"] for item in listed), default=0)
    edits = [item for item in items if is_file_edit(item) and item["position"] > newest]
    written = {item["path"] for item in edits if item["tool"] == "Write"}
    known = {text_of(item, "path") for item in items} if edits else set[str]()
    return {path: "written" if path in written else "edited" for path in dict.fromkeys(edit["path"] for edit in edits)
            if all(same_file(path, other) for other in known if file_name(other) == file_name(path))}


def open_task_line(task: Item, made: Mapping[str, str]) -> Line:
    """A task that is not done; where room is left with its details.

    `made`: as `files_made_since` has it. A component had stood as in progress that was written whole.
    """
    mark = MARKS.get(task["status"], "[ ]")
    subject = cut(folded_line(task["text"]), LISTED_TASK_MAX_UTF16)
    owner = f" (owner: {task['owner']})" if task.get("owner") else ""  # in a team another agent's stood as our own
    after = f" (after {task['after']})" if task.get("after") else ""
    named = [path for path in made if file_name(path) in task["text"] and is_path_named_in(path, task["text"])]
    since = "".join(f" ({file_name(path)} was {made[path]} since)" for path in named)
    short = f"- {mark} {number_of_task(task)}{subject}{owner}{after}{since}"
    detail = text_of(task, "detail")
    more = f": {middle_out(detail, TASK_DETAIL_MAX_UTF16)}" if detail and detail != task["text"] else ""
    return {"items": [task], "text": short, "whole": f"{short}{more}"}


def done_lines(done: Sequence[Item], summary: str) -> Iterator[Line]:
    """The done tasks that the summary does not name, on one line, the last ones first; none where it names all."""
    by_words = {folded_line(item["text"]): item for item in done}  # a task of two lists once
    tasks = sorted(by_words.values(), key=lambda item: item["position"])[::-1]
    news = [item for item in tasks if not names_task(item["text"], summary)]
    if news:
        names = [number_of_task(item) + cut(folded_line(item["text"]), DONE_TASK_MAX_UTF16) for item in news]
        which = "" if len(news) == len(tasks) else "; not by these names in the summary"
        text = f"- [x] ticked off as done{which}: {cut('; '.join(names), DONE_LINE_MAX_UTF16)}"
        yield {"items": tasks, "text": text, "what": DONE_TASKS}


def names_task(subject: str, summary: str) -> bool:
    """Whether the summary has the names of a done task, and most of its words, in whatever row.

    By `in_summary`, which wants them in the same rows, a fifth of texts named tasks again that the summary has.
    """
    if not all(token in summary for token in tokens_in(subject)):
        return False
    words = re.findall(r"[^\W\d_]{4,}", subject.casefold())
    text = summary.casefold()
    return bool(summary) and sum(word in text for word in words) >= NAMED_WORDS_SHARE * len(words)


def number_of_task(item: Item) -> str:
    """The number that the client gave the task, with a space; empty without one."""
    return f"{item['key']} " if text_of(item, "key").startswith("#") else ""


# ==================================================================================================
# recap/lines/where_it_ended.py: Where the session ended: the newest message, then the agent's last words, whichever of them came later.
# ==================================================================================================

LAST_WORDS_SHARE, LAST_WORDS_SMALL_SHARE = 0.17, 0.08  # of the budget, of a small one
ANSWERED_WORDS_SHARE, SHORT_ANSWER_CHARACTERS = 0.30, 60  # what "yes, do that" answers is needed whole
# Of a longer message, in a small text of so many characters, that the summary quotes whole half as many stand.
QUOTED_MIN_CHARACTERS, QUOTED_MIN_SMALL_CHARACTERS, WHOLLY_QUOTED_SHARE = 400, 120, 0.98
QUOTED_WHOLE = " (the summary quotes it whole)"
CALL_SHOWN_UTF16 = 120
NEXT_WORDS_UTF16 = 220  # of the agent's, behind a message that was typed while it worked
QUESTION_MAX_UTF16, OPTION_MAX_UTF16 = 400, 160
WAITING_PLAN_MAX_UTF16, OLD_PLAN_MAX_UTF16 = 700, 120
MAY_ANSWER = ("message", "answer", "refusal", "question", "plan")  # items, the last two as they ask anew
WEB_TOOLS = ("WebSearch", "WebFetch")
TICKED_MEMBER = rf"(?m)^\s*(?:[-*+•]|\d{{1,3}}[.)])\s*(?:{'|'.join(map(re.escape, TICKS))})"
TICKED_BEFORE_EDITS = " (ticked before any edit of its turn)"  # what was to be built had stood as done
WITHIN_TURN = ("queue", "rejection", "compact")  # how words came that begin no turn


def end_lines(snapshot: Snapshot, newest: Sequence[Line], worked_on: Sequence[Line], paths: Paths,
              ago: Ago) -> list[Line]:
    """All lines of the section, of a snapshot with completed items.

    `newest`: the newest message's line and what was refused after it, `worked_on`: the line of the order that the agent
    worked on then; each may be none.
    """
    items, summary, budget = snapshot["items"], text_of(snapshot, "summary"), snapshot["settings"]["budget"]
    share, quoted_min = LAST_WORDS_SHARE, QUOTED_MIN_CHARACTERS
    if is_small(budget):
        share, quoted_min = LAST_WORDS_SMALL_SHARE, QUOTED_MIN_SMALL_CHARACTERS
    is_unanswered = follows_last_words(items)
    if is_unanswered and any(len(line["items"][0]["text"]) < SHORT_ANSWER_CHARACTERS for line in newest):
        share = ANSWERED_WORDS_SHARE
    last_words = [*last_words_line(snapshot, int(share * budget), last_call(items, paths))]
    messages = [quoted_in_short(line, summary, quoted_min) for line in newest if not is_refusal(line)]
    unanswered = ", no words of the agent follow it" if is_unanswered else ""
    labelled = with_label(f"The user's newest message{unanswered}: ", messages, next_words(newest, items))
    order = with_label("The agent's turn had begun with: ",
                       [quoted_in_short(line, summary, quoted_min) for line in worked_on])
    return [
        *([] if is_unanswered else order),  # before a question that had its answer in passing
        *(labelled or plan_line(items, ago)),
        *last_words,
        *(line for line in newest if is_refusal(line)),
        *broken_off_lines(snapshot["state"]),
        *(order if is_unanswered else []),
        *question_lines(items)]


def next_words(newest: Sequence[Line], items: Sequence[Item]) -> str:
    """What the agent said next, behind a newest message that was typed while it worked; else empty.

    Its last words are left out: they stand below.
    """
    message = newest[0]["items"][0] if newest else None
    if not message or message.get("via") != "queue":
        return ""
    said = [item for item in items if item["kind"] == "said" and item["position"] > message["position"]]
    words = cut(folded_line(said[0]["text"]), NEXT_WORDS_UTF16) if len(said) > 1 else ""
    return f" (the agent said next: {in_quotes(words)})" if words else ""


def follows_last_words(items: Sequence[Item]) -> bool:
    """Whether the person typed something after the agent's last words: no answer to it follows."""
    said = last_words_position(items)
    return any(item["kind"] == "message" and item["position"] > said for item in items)


def newest_message_and_refusal(messages: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The newest of the person's messages and choices, and what they last refused without words after it.

    No message where that is a plan, which stands among the tasks.
    """
    refused = [line for line in messages[:1] if is_refusal(line)]
    words = [line for line in messages if not is_refusal(line)][:1]
    return refused if are_before_plan(words, items) else [*words, *refused]


def is_refusal(line: Line) -> bool:
    """Whether the line is of a call that the person rejected without words."""
    return line["items"][0]["kind"] == "refusal"


def newest_plan_given(items: Sequence[Item]) -> Item | None:
    """The plan that the person handed over last; None without one."""
    return next((item for item in reversed(items) if item["kind"] == "message" and item.get("via") == "plan"), None)


def are_before_plan(messages: Sequence[Line], items: Sequence[Item]) -> bool:
    """Whether the first of the messages came before the plan that was handed over last."""
    plan = newest_plan_given(items)
    return bool(plan and messages and messages[0]["items"][0]["position"] < plan["position"])


def plan_line(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """That the newest message is a plan, which stands among the tasks."""
    plan = newest_plan_given(items)
    if plan:
        text = f"- The user's newest message: ({ago(plan['last'])}) to carry out the plan below"
        yield {"items": [plan], "text": text}


def order_worked_on(newest: Sequence[Line], messages: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The message that the agent's turn began with, where the newest one does not tell its order; else none.

    It does not where it was typed while the agent worked, or chosen in a dialog. What began with a plan has its line.
    """
    first_items = [line["items"][0] for line in newest]
    if not any(item.get("via") == "queue" or item["kind"] == "answer" for item in first_items):
        return []
    orders = [line for line in messages if line not in newest
              and line["items"][0]["kind"] == "message" and line["items"][0].get("via") != "queue"][:1]
    return [] if are_before_plan(orders, items) else orders


def with_label(label: str, lines: Sequence[Line], behind: str = "") -> list[Line]:
    """The lines, which begin with a dash, with the label before what they say, and with what stands `behind` that.

    Behind few words the file that the IDE had open, too: "Run it" had been typed with the order's document before it.
    """
    labelled: list[Line] = []
    for line in lines:
        opened = text_of(line["items"][0], "opened")
        more = f" (the IDE had {opened} open){behind}" if opened else behind
        new: Line = {**line, "text": f"- {label}{line['text'][2:]}{more}"}
        if "whole" in line:
            new["whole"] = f"- {label}{line['whole'][2:]}{more}"
        labelled.append(new)
    return labelled


def quoted_in_short(line: Line, summary: str, least: int) -> Line:
    """A message's line; of one longer than `least` characters that the summary quotes whole its beginning and end."""
    item = line["items"][0]
    is_long = item["kind"] == "message" and len(item["text"]) > least
    if not summary or not is_long or not is_quoted(item["text"], rows_in(summary), WHOLLY_QUOTED_SHARE):
        return line
    return with_fewer_words(line, least // 2, QUOTED_WHOLE)


def last_words_line(snapshot: Snapshot, limit: int, call: str) -> Iterator[Line]:
    """The agent's last words with their lines; of longer ones the last lines within `limit` UTF-16 units.

    `call`: what was done after them, last; empty: nothing.
    """
    words = text_of(snapshot["state"], "last_words").strip()
    last = next((item for item in reversed(snapshot["items"]) if item["kind"] == "said"), None)
    if not words or not last:
        return
    lines = without_known_lines([line.rstrip() for line in words.splitlines() if line.strip()],
                                text_of(snapshot, "summary"))
    whole = "\n".join(f"  {line}" for line in lines)
    short = whole if units(whole) <= limit else "  […]" + end_of_lines(lines, limit)
    is_new_turn = call and any(is_typed(item) and item.get("via") not in WITHIN_TURN
                               and item["position"] > last["position"] for item in snapshot["items"])
    facts = f"{', of the turn before' if is_new_turn else ''} (then {call})" if call else ""
    is_answered = any(item["kind"] in MAY_ANSWER and item["position"] > last["position"] for item in snapshot["items"])
    if not call and not is_answered and any(map(ends_with_question, lines)):
        facts = ", with a question that no message answers"  # summaries called such questions answered
    has_ticks = holds_any(short, TICKS) and re.search(TICKED_MEMBER, short)
    asks_with_ticks = has_ticks and re.search(OPEN_QUESTION, lines[-1])
    if asks_with_ticks and is_of_no_change(last, snapshot["items"]):
        facts = TICKED_BEFORE_EDITS + facts
    title = f"- The agent's last words{facts}:"
    yield {"items": [last], "text": f"{title}\n{short}", "whole": f"{title}\n{whole}"}


def is_of_no_change(said: Item, items: Sequence[Item]) -> bool:
    """Whether nothing but looks, also on the web, came between the message that began the turn of words and these.

    A call that came before that turn and again behind it may have come in it, too.
    """
    begins = [item for item in items if is_typed(item) and item.get("via") not in WITHIN_TURN
              and item["position"] < said["position"]]
    return bool(begins) and not any(
        item["kind"] == "action" and item["tool"] not in WEB_TOOLS
        and item["last"] >= begins[-1]["last"] and item["first"] <= said["last"] for item in items)


def end_of_lines(lines: Sequence[str], limit: int) -> str:
    """The last lines within so many units; of a last line that is longer, its end."""
    kept, room = list[str](), limit
    for line in reversed(lines):
        room -= units(line) + 3
        if room < 0:
            break
        kept.insert(0, f"\n  {line}")
    return "".join(kept) or f"\n  …{behind_space(lines[-1][-limit:])}"


def last_call(items: Sequence[Item], paths: Paths) -> str:
    """The newest call in few words, where it came after the agent's last words, in their row too; else empty."""
    said = last_words_position(items)
    calls = [item for item in items if item["kind"] in ("action", "look") and item["position"] >= said
             and not item.get("by_agent")]
    if not calls:
        return ""
    newest = max(reversed(calls), key=lambda item: item["position"])  # of several in one row the last
    if newest["tool"] in SHELL_TOOLS:
        call = code(command_in_short(newest["text"], paths), CALL_SHOWN_UTF16)
    else:
        call = f"{newest['tool']} {code(paths.short(newest['text']), CALL_SHOWN_UTF16)}"
    has_changed_tasks = any(task["position"] >= said for task in tasks_of_client(items))
    # The same again is the same item, so calls are not counted.
    if len(calls) == 1 and newest["uses"] == 1 and not has_changed_tasks:
        return f"one call{how_it_ended(newest)}: {call}"
    edited = dict.fromkeys(item["path"] for item in calls if is_made_edit(item) and item is not newest)
    edits = f", edits of {file_names([*edited])} among them" if edited else ""
    return f"calls{edits}, last{how_it_ended(newest)}: {call}"


def is_made_edit(call: Item) -> bool:
    """Whether it is an edit of a file that was made."""
    return is_file_edit(call) and text_of(call, "verdict") == "ended"


def how_it_ended(call: Item) -> str:
    """Of an action that failed, of one without a result, and of an edit that was made, this in words; else empty.

    A summary called an edit pending that was made just before the compaction. A result may be lost, not to come: by
    "without a result yet" a summary's figures looked made up.
    """
    if is_made_edit(call):
        return ", which was made"
    verdict = text_of(call, "verdict")  # a look with a result has none
    return {"failed": ", which failed", "running": ", its result is not in the transcript"}.get(verdict, "")


def broken_off_lines(state: Mapping[str, str]) -> list[Line]:
    """That the newest turn broke off with an error of the API, where the client says so."""
    error = text_of(state, "broken_off")
    return [shared_line(f"- The turn broke off with an error of the API: {in_quotes(error)}")] if error else []


def question_lines(items: Sequence[Item]) -> Iterator[Line]:
    """Questions to the person that have no answer, with their options; a plan that waits for approval."""
    for item in items:
        if item["kind"] == "question":
            options = "; ".join(cut(str(option), OPTION_MAX_UTF16) for option in item.get("options", []))
            more = f" Options: {options}" if options else ""
            question = in_quotes(cut(item["text"], QUESTION_MAX_UTF16))
            yield {"items": [item], "text": f"- Asked in a dialog, no answer yet: {question}{more}"}
        elif item["kind"] == "plan" and item["status"] != "approved" and not is_passed_over(item, items):
            yield waiting_plan_line(item, items)


def is_passed_over(plan: Item, items: Sequence[Item]) -> bool:
    """Whether more than one prompt came behind a plan, besides words that rejected it: it waits no longer.

    A plan of the day before had stood there, of which one change was ordered and committed since.
    """
    prompts = [item for item in items if is_typed(item) and item.get("via") == "prompt"]
    return sum(item["position"] > plan["position"] for item in prompts) > 1


def waiting_plan_line(plan: Item, items: Sequence[Item]) -> Line:
    """A plan that was not approved; little of one whose file was written anew since."""
    path, where, limit = text_of(plan, "path"), "", WAITING_PLAN_MAX_UTF16
    if path:
        where = f" (in {path})"
        if any(item["position"] > plan["position"] and item.get("edits") and item.get("path") == path
               for item in items):
            where, limit = f" (in {path}, which was written anew since)", OLD_PLAN_MAX_UTF16
    words = in_quotes(cut(folded_line(plan["text"]), limit))
    return {"items": [plan], "text": f"- Plan, {plan['status']}{where}: {words}"}


# ==================================================================================================
# record/calls/reports.py: What subagents were ordered and reported, by rows: of an order those that bind, of a report those that tell.
# ==================================================================================================

BINDS = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must(?: not)?|never|always|exactly|at most|avoid|without|with no)\b")
VERDICT = (
    r"(?i)\b(?:verdict|conclusion|approved?|rejected|recommend\w*|root cause|critical|important|major|high|blocker"
    r"|bugs?|issues?|fail\w*|pass(?:ed|es|ing)?|missing|wrong|incorrect|broken|unused"
    r"|not (?:implemented|found|used|covered|tested)|no (?:issues?|tests?|problems?))\b|[✅❌⚠✗✓]")
CONCLUDES = r"(?i)\b(?:note|bottom line|overall|in short|however|but|not|no|never|cannot|should)\b"
CONCLUSION_WORTH = 4  # of a report's last row, more than that of most: what it had found stood without what it means
LISTED = r"[-*•+|] ?(?!\*)|\d{1,3}[.)] "  # how an entry of a list begins, or a row of a table
TITLE_BEHIND_SIGN = r"[^\w\s*#|>(\[`\"'-]{1,4} \*\*[^*]{1,120}\*\*:?$"
NAMES_COUNTED_MAX = 4  # of a row
COMMIT_HASH = rf"\b{HASH_FORM}\b"
OPENS_REPORT = (  # what a report begins with before it says something
    r"(?i)(?:(?:perfect|excellent|great|good|done)[!.,]? ?)*(?:now )?(?:i (?:now )?have|here(?:'s| is)|let me|based on"
    r"|i've|all done)\b")


def indexes_within(rows: Sequence[str], values: Sequence[float], most: int, uncut: Sequence[str] = ()) -> list[int]:
    """The indexes of the rows of most value that fit, each with the heading above it, in their order.

    Where that is an entry of a list, with its section's too: a weakness of the settings ("1. No check of the form:")
    had stood below "Strengths". What leads to the next row has that behind it: the title of a fault had stood alone
    that was none. `uncut`: the same rows, where some of these are cut or empty.
    """
    with_heads, heading, section = list[set[int]](), -1, -1
    for index, row in enumerate(rows):
        section = index if row.startswith("#") else section
        heading = index if is_heading(row) else heading
        is_entry = heading >= 0 and re.match(LISTED, rows[heading])
        needed = {index, heading, section if is_entry else index} - {-1}
        with_heads.append(needed | {at + 1 for at in needed if leads_to_next(uncut or rows, at)})
    chosen = set[int]()
    for index in sorted(range(len(rows)), key=lambda index: (-values[index], index)):
        if values[index] <= 0:
            break
        if any(rows[at] in ("", ROWS_BETWEEN) for at in with_heads[index]):
            continue
        size = sum(units(rows[at]) + 3 for at in with_heads[index] - chosen)
        if size <= most:
            chosen |= with_heads[index]
            most -= size
    return sorted(chosen)


def leads_to_next(rows: Sequence[str], index: int) -> bool:
    """Whether a row says nothing without the next: it ends with a colon, is bold behind a sign, or a table's head."""
    row, follows = rows[index], rows[index + 1] if index + 1 < len(rows) else ""
    if row.startswith("|"):
        return follows.startswith("|") and (index == 0 or not rows[index - 1].startswith("|"))
    return bool(follows) and (row.rstrip("*").endswith(":") or re.match(TITLE_BEHIND_SIGN, row) is not None)


def worth_of(rows: Sequence[str], index: int) -> float:
    """How much a report's row tells: a verdict, a commit, names, numbers; the first below a heading more.

    The last one most where it concludes: it is no entry of a list and says what is wrong, or what is to be done.
    """
    row, is_last = rows[index], index == len(rows) - 1
    if row in ("", ROWS_BETWEEN):
        return 0
    if (is_heading(row) and not (is_last and row.startswith("**"))) or (index == 0 and re.match(OPENS_REPORT, row)):
        return 0
    value = 1 + 0.5 * min(len(names_of(row)), NAMES_COUNTED_MAX)
    is_verdict = re.search(VERDICT, row) is not None
    if is_verdict:
        value += 1
    if re.search(r"\d", row):
        value += 2.5 if re.search(COMMIT_HASH, row) else 0.5
    if index > 0 and is_heading(rows[index - 1]):
        value += 0.75
    if is_last:
        concludes = is_verdict or re.search(CONCLUDES, row)
        value += CONCLUSION_WORTH if concludes and not re.match(LISTED, row) else 0.5
    return value


def is_heading(row: str) -> bool:
    """Whether a row only names what stands below it."""
    is_marked = row.startswith(("#", "**")) and re.match(r"#{1,6} |\*\*[^*]{1,120}\*\*:?$", row)
    return bool(is_marked) or row.endswith(":")


# ==================================================================================================
# recap/lines/orders.py: What subagents were ordered and reported: an order's title, what binds in it, the telling rows of the report.
# ==================================================================================================

END_OF_SENTENCE = r"(?<!\b[A-Za-z])(?<!\bvs)(?<!^\d)(?<!^\d\d)[.!?][*\")]{0,3}(?=\s)|[。！？]"
ORDER_SHOWN_UTF16, REPORT_SHOWN_UTF16 = 220, 360  # the first of one that has not reported
ORDER_WHOLE_UTF16, REPORT_WHOLE_UTF16 = 400, 1_000  # where room is left
RUNNING_ORDER_WHOLE_UTF16 = 1_200  # the same of an order that is still worked on: its report is judged by it
SHARED_BY_ORDERS, SHARED_ROW_MIN_UTF16, SHARED_ROWS_MAX_UTF16 = 3, 25, 600  # rows in so many orders are told once
RUNS_OR_WRITES = (  # a row of an order that is a command to run, or says where to write
    r"(?:^|[`:] ?)(?:npx|npm|yarn|pnpm|python3?|pytest|cargo|go (?:test|build|vet)|make|docker|bun|ruff|tsc|cmake|ninja"
    r"|composer|gradle|mvn|dotnet)\b [^,;]{2,80}|\b[Ww](?:rite|RITE)\b.{0,30} (?:to|in|into):? \S{1,200}\.\w{1,5}\b")
KNOWN_ROW_FACTOR = 0.3  # of the worth of a row that the summary has
SAME_ORDER_SHARE = 0.75  # of an order's rows, which one that gives it anew has too


class Orders:
    """The orders to subagents, by key; each is put into words when its line is wanted: most have no room."""

    def __init__(self, items: Sequence[Item], summary: str, paths: Paths) -> None:
        """Those among the items."""
        self.summary, self.paths = summary, paths
        self.orders = [item for item in items if item["kind"] == "action" and item["tool"] in SUBAGENT_TOOLS]
        self.by_key = {item["key"]: item for item in self.orders}
        self.shared, self.sharing = shared_rows(self.orders)
        self.given_anew = orders_given_anew(self.orders)
        self.edited = {item["path"]: item["last"] for item in items if is_file_edit(item)}

    def line_of(self, key: str) -> Line | None:
        """The line of the order with this key, None without one; that of the newest has what several orders share."""
        if key not in self.by_key:
            return None
        line = order_line(self.by_key[key], self.shared, self.summary, self.paths, self.edited)
        if key != self.orders[-1]["key"]:
            return line
        rows = [row for row in self.shared if not in_summary(row, self.summary)]
        if not rows:
            return line
        words = cut(ROW_END.join(rows).replace("**", ""), SHARED_ROWS_MAX_UTF16)
        given = f"\n- In {self.sharing} subagents' orders alike: {words}"
        return {**line, "text": line["text"] + given, "whole": line["whole"] + given}


def orders_given_anew(orders: Sequence[Item]) -> set[int]:
    """The identities of orders that were reported on, then given anew by title and most rows, and reported on again.

    Two that had asked for a permission stood with each their plea below the report of the third. Reviews of one title
    with other rows are of other changes, and one order given to several at once is to be answered by each.
    """
    anew = set[int]()
    newest: dict[str, Item] = {}  # by title the newest that was reported on
    for order in reversed(orders):
        rows, again = {*order.get("ordered", [])}, newest.get(order["text"])
        same = rows & {*again.get("ordered", [])} if again and again["first"] > order["last"] else set[str]()
        if rows and len(same) >= SAME_ORDER_SHARE * len(rows):
            anew.add(id(order))
        elif order["result"] and order["verdict"] == "ended":
            newest.setdefault(order["text"], order)
    return anew


def shared_rows(orders: Sequence[Item]) -> tuple[list[str], int]:
    """The rows that the newest order shares with others, and with how many orders these are; all in the same ones.

    Rows of two kinds of orders had stood as one, and "do not write any files" was told of a developer's.
    """
    sharers: dict[str, list[int]] = {}
    for index, order in enumerate(orders):
        for row in dict.fromkeys(order.get("ordered", [])):
            if units(row) >= SHARED_ROW_MIN_UTF16:
                sharers.setdefault(row, []).append(index)
    groups: dict[tuple[int, ...], list[str]] = {}
    for row, indexes in sharers.items():
        if len(indexes) >= SHARED_BY_ORDERS and indexes[-1] == len(orders) - 1:
            groups.setdefault(tuple(indexes), []).append(row)
    most = max(groups, key=lambda indexes: len(groups[indexes]), default=())
    return groups.get(most, []), len(most)


def order_line(item: Item, shared: Collection[str], summary: str, paths: Paths, edited: Mapping[str, str]) -> Line:
    """What a subagent was ordered, of that what binds and stands in no other order, and the rows of its report.

    Of an order that is worked on where room is left all its rows; in short it stands only until the report is there.
    `edited`: by path the time of the last edit.
    """
    own = (row for row in item.get("ordered", [])
           if row not in shared and row not in item["text"] and not in_summary(row, summary))
    order = whole_order = ""
    if item["verdict"] == "running":
        rows = [*own]  # 1,400 units at most
        order = order_in_short([row for row in rows if re.search(BINDS, row)], ORDER_SHOWN_UTF16)
        whole_order = order_in_short(rows, RUNNING_ORDER_WHOLE_UTF16)
    elif item["verdict"] != "failed":
        rows = [*own]
        order = order_in_short([row for row in rows if re.search(RUNS_OR_WRITES, row)], ORDER_SHOWN_UTF16)
        binding = [row for row in rows if re.search(rf"{BINDS}|{RUNS_OR_WRITES}", row)]
        whole_order = order_in_short(binding, ORDER_WHOLE_UTF16)
    reported = item["result"].splitlines()
    known = {row for row in reported if in_summary(row, summary)}
    worths = [worth_of(reported, index) for index in range(len(reported))]
    report = report_in_short(item, REPORT_SHOWN_UTF16, worths, known)
    whole_report = report_in_short(item, REPORT_WHOLE_UTF16, worths, known)
    agent = f" {item['agent']}" if item.get("agent") else ""
    kind = item.get("subagent_type", "")
    if kind and kind not in GENERAL_SUBAGENTS:  # the person speaks of "the reviewer"
        agent += f" ({kind})"
    head = f"- Subagent{agent}: {folded_line(item['text'])}"
    later = [path for path, time in edited.items() if time > item["last"]]
    since = named_files_edited_since(item["result"], later)
    return {"items": [item], "text": paths.short(f"{head}{order}{report}{since}"),
            "whole": paths.short(f"{head}{whole_order}{whole_report}{since}")}


def order_in_short(rows: Iterable[str], limit: int) -> str:
    """The first of an order's rows, within so many UTF-16 units; a mark for those behind them, which are not looked at.

    An order for nine files had ended with the second, and read as one for two.
    """
    kept = list[str]()
    for row in rows:
        limit -= units(row + ROW_END)
        if limit < 0:
            kept += [ROWS_BETWEEN] if kept else []
            break
        kept.append(row.replace("**", ""))
    return f"; in its order: {ROW_END.join(kept)}" if kept else ""


def report_in_short(item: Item, limit: int, worths: Sequence[float], known: Set[str]) -> str:
    """The telling rows of a subagent's report behind an arrow, or that there is none, yet or for good.

    `worths`: of its rows uncut; `known`: rows that the summary has.
    """
    rows = item["result"].splitlines()
    if not rows:
        return " → (no report yet)" if item["verdict"] == "running" else ""
    if item["verdict"] == "failed" and rows[0] == INTERRUPTED_LINE:
        return " → interrupted by the user, no report"
    shown, indexes = rows_made_short(rows, whole_sentences, limit, worths, known)
    is_bare = not indexes or (indexes == [0] and not ends_sentence(shown[0]))  # a title, without what stands below it
    if is_bare and "" in shown:
        shown, indexes = rows_made_short(rows, cut, limit, worths, known)
    indexes = indexes or [0]
    parts = list[str]()
    for index in indexes:
        gap = "… " if index and index - 1 not in indexes else ""
        parts.append(gap + shown[index].replace("**", "").strip("#| -"))
    end = " …" if indexes[-1] < len(rows) - 1 else ""
    verb = "FAILED" if item["verdict"] == "failed" else "reported"
    return f" → {verb}{made_calls(item)}: {ROW_END.join(parts)}{end}"


def rows_made_short(rows: Sequence[str], shorten: Callable[[str, int], str], limit: int, worths: Sequence[float],
                    known: Set[str]) -> tuple[list[str], list[int]]:
    """A report's rows, the long ones made shorter so, and the indexes of those that tell most within the limit."""
    shown = [shorten(row, limit * 3 // 5) for row in rows]
    values = list[float]()
    for index, row in enumerate(shown):
        with_head = slice(max(index - 1, 0), index + 1)  # a row and the heading above it
        is_uncut = shown[with_head] == rows[with_head]
        value = worths[index] if is_uncut else worth_of(shown, index)
        values.append(value * KNOWN_ROW_FACTOR if row in known else value)
    return shown, indexes_within(shown, values, limit, rows)


def ends_sentence(row: str) -> bool:
    """Whether a row ends with a sentence, or behind one is cut."""
    return re.search(rf"(?:{END_OF_SENTENCE})\s*{ROWS_BETWEEN}?\s*\Z", f"{row} ") is not None


def whole_sentences(row: str, limit: int) -> str:
    """The row; of a longer one, or one that is kept cut, the sentences that fit, and a mark; empty where none does.

    "It raises `Un…" had stood of an error that is caught, as the same sentence says.
    """
    if units(row) <= limit and not row.endswith(ROWS_BETWEEN):
        return row
    shown = cut(row.removesuffix(ROWS_BETWEEN), limit)
    ends = [match.end() for match in re.finditer(END_OF_SENTENCE, shown)]
    return f"{shown[:ends[-1]]} {ROWS_BETWEEN}" if ends and not row.startswith("|") else ""


def made_calls(item: Item) -> str:
    """That the subagent made no call of a tool, in a bracket: some reported files that they had "created" in words."""
    return " (without one call of a tool: it wrote and ran nothing)" if item.get("tool_calls") == 0 else ""


# ==================================================================================================
# record/commands/inline_code.py: The code that a command line itself holds: what an interpreter is given to run, what `cat > file << EOF` writes.
# ==================================================================================================

CODE_MIN_CHARACTERS = 100  # shorter code says as much as a description
TAKING_CODE = rf"(?:{INTERPRETERS}|bun|deno)"
SCRIPT = (
    rf"(\b{TAKING_CODE}\b(?: [^\n|;&\"'<]{{1,80}})? (?:-[a-zA-Z]{{0,3}}[cepr]|--eval|--print|eval)\s{{1,9}})"
    rf"(?:\"(?:\\.|[^\"\\]){{{CODE_MIN_CHARACTERS},}}\"|'[^']{{{CODE_MIN_CHARACTERS},}}')")
FED_TEXT = (
    rf"(?m)(?P<call>^[^\n]*?){HERE_DOCUMENT}(?P<rest>[^\n]*)\n(?P<text>(?s:.*?))"
    r"\n[ \t]*(?P=word)(?=[ \t]*(?:$|[)\"'`;|&]))")
BETWEEN_COMMANDS = r"&&|\|\||[;|(]"


def without_inline_code(command: str) -> str:
    """The command with a mark in the place of longer code; empty where it holds none.

    What is fed to other programs stays: the words of a commit, a query.
    """
    bare = re.sub(FED_TEXT, without_fed_code, command) if "<<" in command else command
    if len(bare) > CODE_MIN_CHARACTERS and (" -" in bare or " eval " in bare):
        bare = re.sub(SCRIPT, r'\1"…"', bare)
    return bare if bare != command else ""


def without_fed_code(match: re.Match[str]) -> str:
    """A line and the text that it feeds to a program, with a mark in the text's place where it is run or written."""
    call, rest = match["call"], match["rest"]
    piece = re.split(BETWEEN_COMMANDS, call)[-1].strip()
    program = program_in(piece)
    is_written = program == "tee" or (program == "cat" and ">" in f"{piece}{rest}")
    is_code = is_written or re.fullmatch(TAKING_CODE, program) is not None
    return f"{call}<< …{rest}" if is_code and len(match["text"]) >= CODE_MIN_CHARACTERS else match[0]


# ==================================================================================================
# recap/lines/work.py: What was done and looked at, newest first, and how it ended: commands, changed files, orders and their reports.
# ==================================================================================================

COMMAND_SHOWN_UTF16, COMMIT_SHOWN_UTF16, RESULT_SHOWN_UTF16 = 230, 90, 190
FAILED_SHOWN_UTF16 = 100  # of a command that failed, its begin: the reason behind it says more
CODE_CALL_SHOWN_UTF16 = 160  # of a command without the code in it
JOB_SHOWN_UTF16, JOB_END_SHOWN_UTF16, ARGUMENTS_SHOWN_UTF16 = 130, 320, 180
EARLIER_SHOWN_UTF16, EARLIER_STOPPED_UTF16 = 80, 100
COMMAND_COPIED_UTF16 = 500  # whole: cut in its middle, where the deed is, it was typed wrongly again
DEPLOYING = ("scp", "rsync", "deploy", "publish", "systemctl ")
DEPLOYS = r"\b(?:scp|rsync|deploy|publish|systemctl (?:re)?(?:start|load))\b"
COMMAND_WHOLE_UTF16, RESULT_WHOLE_UTF16 = 600, 400  # where room is left
EARLIER = {"passed": "passed", "failed": "failed", "unknown": "ended, result not shown", "ended": "ran"}
SIGNS_OF_ERRORS = (  # of which each such row has one: most results have none
    "ERROR", "FATAL", "Traceback", "fatal: ", "rror: ", "Exception: ", "not found", "No such file",
    "Permission denied", "cannot")
ERROR_PRINTED = (  # a row with which a program says that it met an error, whatever its exit code
    r"(?:psql:\S{1,200}:\d+: )?(?:ERROR|FATAL):\s{1,2}\S|ERROR \d{3,5} \(\w+\)|Traceback \(most recent call last\)"
    r"|(?:fatal|error|Error): (?!(?:null|None|undefined|false|0)\b)\S|[\w.]{1,60}(?:Error|Exception): \S"
    r"|(?:bash|sh|zsh|/bin/\w{1,9}|\(eval\)):.{1,200}(?:not found|No such file|Permission denied)"
    r"|(?:ls|cat|cp|mv|rm|mkdir|sed|cd|find): .{1,200}(?:No such file|Permission denied|cannot)")
EXIT_ALONE = r"exit 0 of `[^`]{1,40}`"  # the output was empty, or tells nothing
TRIVIAL = (  # of which only that it was done could be told
    r"(?:(?:mkdir|cd|chmod|git add|sleep|echo|pwd|which|true|touch|export|source|open|xdg-open)\b"
    r"[^;&|\n]*(?:&&|;|\n|$)\s*)+$")
UNKNOWN_SINCE = " in this run"  # of a check that failed, and is not open: it was run again, or not at all
CHECK_PASSED_LATER = " then, its check passed later"
OWN_ENDS = ("passed", "failed", "ended", "unknown")  # of which a command's output tells, and not the client
ASKED_AGAIN = " (asked again later)"
OF_LAST_RUN = "; the last run also printed: "
SPARED_MIN_UTF16 = 20  # by a shorter form: of less the mark of what is missing and the tag would take half


def work_lines(items: Sequence[Item], paths: Paths, stated: Set[str], summary: str,
               since: Mapping[int, str]) -> Iterator[Line]:
    """The lines, newest first; `stated` is what other sections tell of steps.

    `since`: of checks that failed, by position, what is known since.
    """
    changed_files = ChangedFiles(items, summary, paths)
    orders = Orders(items, summary, paths)
    jobs = {item["source"] for item in items if item["kind"] == "job"}
    refused = {id(call) for calls in refused_each_time([item for item in items if item["kind"] == "action"])
               for call in calls}
    edited, edits = last_edits(items), last_edit_positions(items)
    again = {*asked_again(items), *listed_before_more_came(items, paths.root)}
    for item in reversed(items):
        line = NO_LINE
        if stands_as_job(item, jobs) or id(item) in refused or id(item) in orders.given_anew:
            continue
        if item["kind"] == "look":
            is_current = bool(item.get("output")) or item["position"] not in again
            if is_current and not is_bare_read(item) and is_telling_look(item, items, edited, summary):
                since_then = (route_edited_since(item, edits) or hits_edited_since(item, items)
                              or rows_edited_since(item, edits))
                line = look_line(item, edited, paths, since_then)
        elif is_ended_job(item):
            line = job_ended_line(item, paths)
        elif item["kind"] == "action" and item["tool"] in CHANGING_TOOLS:
            line = changed_files.line_of(item)
        elif item["kind"] == "action" and is_telling(item, stated):
            then = since.get(item["position"], UNKNOWN_SINCE)
            answer = (ASKED_AGAIN if item["position"] in again else "") + (
                route_edited_since(item, edits) or rows_edited_since(item, edits))
            line = orders.line_of(item["key"]) or action_line(item, paths, then, answer)
        if line["text"]:
            yield with_sparing_form(line)


def with_sparing_form(line: Line) -> Line:
    """The line; where its short form spares little, in its longer form alone."""
    if units(line.get("whole", "")) > units(line["text"]) + SPARED_MIN_UTF16:
        return line
    whole: Line = {**line, "text": line.get("whole", line["text"])}
    whole.pop("whole", None)
    return whole


def is_telling(item: Item, stated: Set[str]) -> bool:
    """Whether an action says something that stands nowhere else."""
    is_refused_by_client = item["verdict"] == "not run" and item["result"].startswith(SIBLING_FAILED)
    if item.get("made") or stands_as_made(item) or item["tool"] in OUTLASTING_TOOLS or is_refused_by_client:
        return False
    if item["tool"] not in SHELL_TOOLS:
        return True
    is_silent = item["verdict"] == "ended" and not item["result"]
    return not is_stated(item, stated) and not (is_silent and re.match(TRIVIAL, item["text"]))


def stands_as_job(item: Item, jobs: Set[str]) -> bool:
    """Whether it is a command that went into the background: its job, and nothing else, says whether it still runs."""
    if item["source"] not in jobs or item.get("tool") not in SHELL_TOOLS:
        return item["source"] in jobs and item["kind"] == "action" and item["tool"] in WATCHING_TOOLS
    if item["kind"] == "action":
        return item["verdict"] == "running"
    return item["kind"] == "look" and is_put_in_background(item["result"])


def is_ended_job(item: Item) -> bool:
    """Whether it is a background job that ended with words; a subagent's report stands with its order."""
    if item["kind"] != "job" or item["status"] != "ended" or item.get("tool") in SUBAGENT_TOOLS:
        return False
    return bool(item.get("result")) and " &" not in item["text"]


def job_ended_line(item: Item, paths: Paths) -> Line:
    """What ran in the background and has ended, and how; one that was sent a signal may run on."""
    result = middle_out(paths.short(item["result"]), JOB_END_SHOWN_UTF16)
    name = code(command_in_short(item["text"], paths), JOB_SHOWN_UTF16)
    ended = "" if item.get("is_signalled") else ", ended"
    return {"items": [item], "text": f"- In the background{ended} ({item['key']}): {name} → {result}"}


def output_in_short(item: Item, paths: Paths) -> tuple[str, str]:
    """What the call showed, in short and longer, its last and telling rows first; of the newest calls more of it.

    Of a check the totals and names that were read from its output, where that is not shown whole: rows of code around
    a failure had stood in their place.
    """
    output, result = text_of(item, "output"), text_of(item, "result")
    if item["verdict"] == "stopped":  # by whom, and where it stood, is short and of one piece
        return paths.short(result), paths.short(result)
    if output and result and item.get("family") in CHECK_FAMILIES and item["verdict"] in ("passed", "failed"):
        is_shown_whole = units(output) <= OUTPUT_SHOWN_UTF16 and ROWS_BETWEEN not in output
        output = output if is_shown_whole else ""
    if output:
        shown = rows_shown(paths.short(output), OUTPUT_SHOWN_UTF16)
        return shown, shown
    if re.fullmatch(EXIT_ALONE, result):
        return "", ""
    short, longer = rows_shown_within(paths.short(result), (RESULT_SHOWN_UTF16, RESULT_WHOLE_UTF16))
    return short, longer


def action_line(item: Item, paths: Paths, then: str, since: str) -> Line:
    """An action with how it ended; one that was done several times with how it ended before.

    `then`: of a check that failed, what is known since. `since`: what is known of what it printed.
    """
    if item.get("same"):
        return same_form_line(item, paths)
    call, whole_call = call_in_short(item, paths)
    label = f"- By {by_whom(item)}: " if by_whom(item) else "- "
    result, whole_result = output_in_short(item, paths)
    if item.get("described") and f"{ROW_END}{ROWS_BETWEEN}" not in whole_result:
        result = whole_result
    end, whole_end = ending(item, result, then), ending(item, whole_result, then)
    earlier = earlier_endings(item) + (since if end else "")
    line: Line = {"items": [item], "text": f"{label}{call}{' → ' if end else ''}{end}{earlier}",
                  "whole": f"{label}{whole_call}{' → ' if whole_end else ''}{whole_end}{earlier}"}
    if item.get("printed") and item["verdict"] in OWN_ENDS:
        printed = ending(item, joined_in_text(paths.short(item["printed"])), then)
        line["fuller"] = [f"{label}{whole_call} → {printed}{earlier}"]
    return {**line, "before_rows": OF_LAST_RUN} if item.get("earlier") else line


def call_in_short(item: Item, paths: Paths) -> tuple[str, str]:
    """What was called, in short and longer; of a command that holds code what the agent called it in the code's place.

    By the answers' words of 39 compactions the code was worth nothing, and it had taken the room of what it printed.
    """
    if item["tool"] not in SHELL_TOOLS:
        arguments = middle_out(paths.short(item["text"]), ARGUMENTS_SHOWN_UTF16)
        call = f"{item['tool']}: {arguments}" if item["text"] else item["tool"]
        return call, call
    if item.get("described"):
        command = command_in_short(without_inline_code(item["text"]), paths)
        call = f"{code(command, CODE_CALL_SHOWN_UTF16)} ({item['described']})"
        return call, call
    command = command_in_short(item["text"], paths)
    has_failed = item["verdict"] == "failed" and item["family"] not in CHECK_FAMILIES
    call = as_code(cut(command, FAILED_SHOWN_UTF16)) if has_failed else code(command, limit_of_command(item))
    return call, code(command, COMMAND_WHOLE_UTF16)


def limit_of_command(item: Item) -> int:
    """How many UTF-16 units of a command its line shows in short.

    More of one that worked and that somebody types again: it was done several times, or it deployed something.
    """
    if item.get("commit"):
        return COMMIT_SHOWN_UTF16
    if item["verdict"] != "ended":
        return COMMAND_SHOWN_UTF16
    deploys = holds_any(item["text"], DEPLOYING) and re.search(DEPLOYS, item["text"])
    return COMMAND_COPIED_UTF16 if deploys or item.get("uses", 1) > 1 else COMMAND_SHOWN_UTF16


def ending(item: Item, result: str, then: str) -> str:
    """How an action ended, with the words of its output that say so, which are its `result` in short.

    Empty where it ended without a word, and none was looked for: it was done. `then`: as `action_line` has it.
    """
    limits = f" [{FROM_CACHE}]" if "is_cached" in item else ""
    verdict = item["verdict"]
    if verdict == "running":
        return f"started, its end was not seen: {result}" if result else f"({lacking_result(item)})"
    is_check = item.get("family") in CHECK_FAMILIES
    if verdict == "failed" and (is_check or not is_try(item["text"])):
        known = then if is_check or then != UNKNOWN_SINCE else ""
        if known == PASSED_LATER and has_more_than_checks(item["text"]):
            known = CHECK_PASSED_LATER
        return f"FAILED{known}: {result or 'its output does not say why'}{limits}"
    if verdict == "unknown":
        return f"ended, whether it passed is not certain{': ' if result else ''}{result}{limits}"
    if verdict == "not run":
        return words_of_not_run(item, result)
    if verdict == "passed":
        return f"passed: {result}" if result else "passed"
    if error_printed(item["result"]) and verdict == "ended":
        result = f"printed errors: {result}"
    silent = "(no output)" if re.search(ASKS_FOR_OUTPUT, item["text"]) else ""
    return result or errors_unseen(item["text"]) or silent


def earlier_endings(item: Item) -> str:
    """How often the same was done, and how it ended before where that was different."""
    text = f" ({item['uses']} runs{in_all(item, item['first'])})" if item.get("uses", 1) > 1 else ""
    last_two = item.get("earlier", [])[-2:]
    if last_two:
        text += f"; before: {'; '.join(map(earlier_ending, reversed(last_two)))}"
    return text


def earlier_ending(before: Ending) -> str:
    """How an action ended before; where it printed an error that row, as "ran" alone would mislead."""
    verdict, result = before["verdict"], before["result"]
    if verdict == "stopped":
        how, begin, printed = result.partition(HAD_PRINTED)
        return f"{how}{begin}{rows_in_short(printed[:-1], EARLIER_STOPPED_UTF16)})" if printed else how
    if verdict == "not run":
        return words_of_not_run(before, rows_in_short(result, EARLIER_SHOWN_UTF16))
    error = error_printed(result) if verdict == "ended" else ""
    said = "printed errors" if error else EARLIER.get(verdict, verdict)
    return f"{said}: {rows_in_short(error or result, EARLIER_SHOWN_UTF16)}" if result else said


def error_printed(result: str) -> str:
    """The first row of a result with which a program says that it met an error; empty: none does."""
    if not holds_any(result, SIGNS_OF_ERRORS):
        return ""
    return next((row for row in result.split(ROW_END) if re.match(ERROR_PRINTED, row)), "")


# ==================================================================================================
# record/git/state.py: What the session's commands leave of the repository's state: commits elsewhere, commits of others.
# ==================================================================================================

OTHER_BRANCHERS = (
    r"\b(?:gh pr (?:checkout|merge)|git worktree|gt|jj|git branch -[fmMdD]|git symbolic-ref|git update-ref)\b")
ON_BRANCH = rf"(?:^|{ROW_END})On branch (\S{{1,200}})"
LOG_OF_HEAD = (
    r"git log(?: (?:-\d+|-n ?\d+|--oneline|--no-decorate|--first-parent|--format=%h %s|[\w./-]+\.\.HEAD|HEAD))*$")
ADDRESS_OF_REPOSITORY = r"\w+://\S+|[\w.-]+@[\w.-]+:\S+|[^-\s]\S*\.git/?$"
REMOVES_GIT_FOLDER = r"\b(?:rm|rmdir|rd|Remove-Item)\b.{0,200}\.git(?![\w.-])"
GIT_FOLDER = rf"(?:^|{ROW_END})\.git(?:/| \(|{ROW_END}|$)"  # in a listing
LOG_ROW = r"([0-9a-f]{7,40}) (.{1,110})"


class BranchContents:
    """Which of the session's commits each branch holds, as far as the events tell, and where the session stands.

    A branch holds what was committed there and what its start held; a merge, rebase, pull may have brought all others.
    What was pushed may have come back by any way.
    """

    def __init__(self, unpushed: Set[str]) -> None:
        """`unpushed` are the hashes of the commits that were certainly not pushed."""
        self.unpushed = unpushed
        self.current = ""  # empty: not known
        self.commits: dict[str, set[str]] = {}  # hashes, by branch

    def take(self, event: GitEvent) -> None:
        """What an event does to the branches."""
        made = {name for names in self.commits.values() for name in names}
        pushed = made - self.unpushed
        if event["what"] == "commit":
            if event["branch"] != self.current:  # another way led there: what it held is not known
                self.commits.setdefault(event["branch"], made)
            self.current = "" if event["branch"].startswith("detached") else event["branch"]
            self.commits.setdefault(self.current, set()).add(event["hash"])
        elif event["what"] == "branch":
            self.commits[event["branch"]] = {*self.at_start_of(event, made), *pushed}
            self.current = event["branch"]
        elif event["what"] == "moved":
            self.current = branch_moved_to(event)
        elif event["what"] == "history":
            self.commits.setdefault(self.current, set()).update(pushed if event["verb"] == "pull" else made)

    def at_start_of(self, event: GitEvent, made: Set[str]) -> Set[str]:
        """The commits that a new branch holds: those of where it starts; all of them where that is not known."""
        names = names_in_call(event)
        start = (names[1] if len(names) > 1 else self.current).removeprefix("origin/")
        return self.commits.get(start, set()) if re.fullmatch(BRANCH_NAME, start) else made


def missing_in_branch(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent],
                      root: str) -> LackingBranch | None:
    """The branch where the session stands with the unpushed commits that it lacks; None where none are certain."""
    commands = [action["text"] for action in actions if not action.get("path")]
    if any(re.search(OTHER_BRANCHERS, text) for text in commands):
        return None
    commits = [event for event in events if event["what"] == "commit"]
    contents = BranchContents({event["hash"] for event in commits if event["pushed"] == "no"})
    events = [event for event in git_events(actions, root) if is_below(event.get("folder", ""), root)]
    for event in events:
        contents.take(event)
    branch, last = contents.current, events[-1]["position"] if events else -1
    if not branch or "" in contents.commits or branch_seen(looks, last) not in ("", branch):
        return None
    holds = contents.commits.get(branch, set())
    lacking = [event for event in commits if event["pushed"] == "no" and event["branch"] != branch
               and event["hash"] not in holds and not event["replaced"] and not event.get("rebased")]
    return {"branch": branch, "lacking": lacking} if lacking else None


def repositories_edited(items: Sequence[Item], root: str) -> list[str]:
    """The folders below the root, as seen from it, that are repositories of their own and in which files were edited.

    The session cloned them there, or listed their `.git`. The root's branch had stood as that of a clone within it.
    """
    actions = [item for item in items if item["kind"] == "action"]
    if any(".git" in action["text"] and re.search(REMOVES_GIT_FOLDER, action["text"]) for action in actions):
        return []  # a clone that became part of the repository around it
    folders = [whole_path(name, whole_path(call["folder"], ending.get("folder", "") or root))
               for ending in endings_of(actions) if "clone" in ending["text"] and has_ended_well(ending)
               for call in git_calls(ending["text"]) if (name := folder_cloned(call))]
    folders += [folder_listed(item, root) for item in items
                if item["kind"] == "look" and ".git" in item["result"] and re.search(GIT_FOLDER, item["result"])]
    paths = [whole_path(item["path"], root) for item in filter(is_file_edit, actions)]
    below = [folder for folder in folders if folder and from_root(folder, root) != folder]
    edited = [folder for folder in below if any(is_at_or_below(path, folder) for path in paths)]
    return [*dict.fromkeys(from_root(folder, root) for folder in edited)]


def folder_cloned(call: GitCall) -> str:
    """The folder that a call of `git clone` makes; empty: the call is another, or that is not certain."""
    words = [word.strip("\"'") for word in call["arguments"]] if call["verb"] == "clone" else []
    begin = next((index for index, word in enumerate(words) if re.match(ADDRESS_OF_REPOSITORY, word)), None)
    if begin is None:
        return ""
    behind = words[begin + 1:] or [re.split("[/:]", words[begin].rstrip("/"))[-1].removesuffix(".git")]
    return "" if behind[0].startswith("-") else behind[0]


def own_commits_elsewhere(now: GitNow, actions: Sequence[Item], events: Sequence[GitEvent]) -> list[CommitElsewhere]:
    """Those of git's commits of other branches that the session made, the newest first.

    By the hash that git printed, or by the subject in a command that commits: `git commit -q` prints none. Others may
    work in the same repository, each on a branch of their own.
    """
    hashes = [event["hash"] for event in events if event["what"] == "commit"]
    commands = [action["text"] for action in actions if "git" in action["text"] and "commit" in action["text"]]
    return [(branch, name, subject) for branch, name, subject in now.get("elsewhere", [])
            if any(same_commit(name, other) for other in hashes)
            or any(has_word(command, subject) for command in commands)]


def branch_seen(looks: Sequence[Item], since: int) -> str:
    """The branch that the last `git status` behind that position in the session named; empty: none did."""
    seen = ""
    for look in looks:
        match = re.search(ON_BRANCH, look.get("result", "")) if look["position"] > since else None
        seen = match[1] if match else seen
    return seen


def commits_of_others(items: Sequence[Item], events: Sequence[GitEvent]) -> OthersCommits | None:
    """The commits behind the session's first one that no command of it made, as the newest `git log` showed them.

    None where a merge, pull or rebase may have brought them.
    """
    made = [event for event in events if event["what"] == "commit"]
    hashes = [event["hash"] for event in made]
    if not made or any(event["what"] == "history" and event["position"] > made[-1]["position"] for event in events):
        return None
    for item in sorted(items, key=lambda item: -item["position"]):
        if not shows_log(item):
            continue
        matches = [re.match(LOG_ROW, row) for row in item.get("result", "").split(ROW_END)]
        rows = [(match[1], match[2].strip()) for match in matches if match]
        is_own = [any(same_commit(name, other) for other in hashes) for name, _ in rows]
        own_indexes = [index for index, own in enumerate(is_own) if own]
        if own_indexes:  # the last of them is the session's oldest commit: what stands behind it was there before
            others = [rows[index] for index in range(own_indexes[-1]) if not is_own[index]]
            return {"look": item, "commits": others} if others else None
    return None


def shows_log(item: Item) -> bool:
    """Whether the command shows the log of HEAD as it is, and nothing else."""
    if "git log" not in item["text"]:
        return False
    pieces = [piece for piece, _ in pieces_of(item["text"]) if not piece.startswith(("cd ", "head"))]
    return len(pieces) == 1 and re.match(LOG_OF_HEAD, re.sub(r"[\"']", "", pieces[0])) is not None


# ==================================================================================================
# recap/lines/git.py: What git was seen to do in this session: what waits for its end, pushes, pull requests, commits, what they left.
# ==================================================================================================

SUBJECT_SHOWN_UTF16, OTHER_SUBJECT_MAX_UTF16 = 110, 60
REFUSAL_SHOWN_UTF16, FAILED_BEFORE_UTF16 = 240, 90
COMMITS_SHOWN_MAX, EVENTS_MAX, DISCARDS_MAX, FORCED_MAX = 8, 4, 2, 2
FORCED_RANGE = r" ([0-9a-f]{4,40})\.{3}[0-9a-f]{4,40}$"
TAKES_OUT = r"\bgit (?:rm|filter-branch|filter-repo|reset)\b|filter-repo|\bbfg\b"  # of a commit, or of the history


def git_lines(items: Sequence[Item], ago: Ago, paths: Paths, is_now_known: bool,
              events: Sequence[GitEvent]) -> list[Line]:
    """What git was seen to do: what waits for its end, what was edited since, pushes, then commits, the newest first.

    `events` are the marked ones of the items' actions. Where git itself was asked, it knows better what is committed,
    changed and begun below the root: that is left out.
    """
    actions = [item for item in items if item["kind"] == "action"]
    looks = [item for item in items if item["kind"] == "look"]
    pushes = [event for event in events if event["what"] == "push" and event["certain"]]
    refusal = standing_refusal(actions, events)
    lines_of_forced = forced_push_lines(pushes[1:], ago, paths)
    is_unpushed = any(event["what"] == "commit" for event in events) and not may_have_pushed(actions)
    commits = [event for event in events if event["what"] == "commit"]
    lines: list[Line] = []
    if is_now_known:
        commits = [commit for commit in commits if elsewhere(commit, paths)]
    else:
        lines += [*waiting_lines(events, ago, paths), *left_lines(actions, looks, events, ago, paths)]
    if pushes:
        lines += [push_line(pushes[0], failed_before(pushes, actions), ago, paths), *lines_of_forced]
    if is_unpushed:
        lines.append(shared_line("- no push went through" if refusal else "- no push in this session's commands"))
    if refusal:
        lines.append(refusal_line(refusal, ago, paths))
    return [*lines, *request_lines(events, looks, ago, paths), *private_lines(actions, events),
            *commit_lines(commits, ago, bool(pushes) or is_unpushed, paths), *other_events_line(events, ago, paths)]


def failed_before(pushes: Sequence[GitEvent], actions: Sequence[Item]) -> str:
    """How the newest push had failed before it went through, in short; empty where another went through between."""
    newest = pushes[0]
    earlier = [ending for action in actions if action["position"] == newest["position"]
               for ending in action.get("earlier", [])]
    last = max(earlier, key=lambda ending: ending["position"], default=None)
    if last is None or last["verdict"] != "failed":
        return ""
    if any(last["position"] < push["position"] < newest["position"] for push in pushes):
        return ""
    return rows_in_short(last["result"], FAILED_BEFORE_UTF16)


def push_line(push: GitEvent, failed: str, ago: Ago, paths: Paths) -> Line:
    """The last push, where it went, what a hook of it printed, and how it had `failed` before."""
    text = f"- last push: {short_command(push['text'], paths)} ({ago(push['last'])}){elsewhere(push, paths)}"
    if push["to"]:
        text += f", to {push_target(push['to'], push['refs'])}"
    text += overwritten(push)
    if push.get("remark"):
        text += f"; it printed {in_quotes(push['remark'])}"
    if failed:
        text += f"; failed before: {paths.short(failed)}"
    return shared_line(text, naming(push["text"]))


def forced_push_lines(pushes: Sequence[GitEvent], ago: Ago, paths: Paths) -> Iterator[Line]:
    """Pushes before the last one that were forced, of which git says what they took away."""
    for push in [push for push in pushes if overwritten(push)][:FORCED_MAX]:
        yield shared_line(f"- push before: {short_command(push['text'], paths, OTHER_COMMAND_MAX_UTF16)} "
                          f"({ago(push['last'])}), to {push_target(push['to'], push['refs'])}{overwritten(push)}",
                          naming(push["text"]))


def overwritten(push: GitEvent) -> str:
    """That a push was forced, and which commit it took from the branch there: git parts the two by three dots."""
    commits = re.search(FORCED_RANGE, push["to"])
    return f"; forced, in place of {commits[1]} there" if commits else ""


def push_target(to: str, refs: Sequence[str]) -> str:
    """Where a push went; of a long one the first branches and the commits alone, without the address.

    The range had been cut to its old end, and read as if that had been pushed; twelve of sixty branches as if they were
    all.
    """
    shown = [*refs]
    while len(shown) > 1 and units(", ".join(shown)) > SUBJECT_SHOWN_UTF16:
        shown.pop()
    more = " and more" if len(shown) < len(refs) or len(refs) >= REFS_KEPT_MAX else ""
    if units(to) <= SUBJECT_SHOWN_UTF16:
        return to + more
    commits = re.search(rf" {COMMIT_RANGE}$", to)
    return f"{cut(', '.join(shown), SUBJECT_SHOWN_UTF16)}{more}{commits[0] if commits else ''}"


def refusal_line(refusal: GitEvent, ago: Ago, paths: Paths) -> Line:
    """The last push that was refused and stayed so, with what was said of it.

    A commit that the branch's protection had kept out had stood as one of which no push was seen.
    """
    to = f" to {refusal['branch']}" if refusal["branch"] else ""
    command = short_command(refusal["text"], paths)
    text = (f"- push{to} refused, no later one seen: {command} ({ago(refusal['last'])}){elsewhere(refusal, paths)}: "
            f"{cut(refusal['remark'], REFUSAL_SHOWN_UTF16)}")
    return shared_line(text, naming(refusal["text"]))


def taken_back_lines(files: Mapping[str, Discard], ago: Ago, paths: Paths) -> Iterator[Line]:
    """The newest commands that took edits back, with their files that were not edited since; stashes stand elsewhere.

    What the agent had said of such a file had stood as the file's state.
    """
    by_command: dict[int, list[str]] = {}
    for path, discard in files.items():
        by_command.setdefault(discard["position"], []).append(path)
    discards = {discard["position"]: discard for discard in files.values() if not discard["is_stash"]}
    newest = sorted(discards.values(), key=lambda discard: -discard["position"])[:DISCARDS_MAX]
    for discard in newest:
        command = short_command(discard["command"], paths, OTHER_COMMAND_MAX_UTF16)
        names = file_names(by_command[discard["position"]])
        yield shared_line(f"- taken back by {command} ({ago(discard['last'])}), no edit here since: {names}",
                          naming(discard["command"]))


def request_lines(events: Sequence[GitEvent], looks: Sequence[Item], ago: Ago, paths: Paths) -> Iterator[Line]:
    """The pull requests that were opened, and those that a command showed."""
    for event in events:
        if event["what"] == "pull request":
            warned = f"; it warned: {in_quotes(event['remark'])}" if event.get("remark") else ""
            ended = f", {event['ended']} {ago(event['ended_last'])}" if event.get("ended") else ""
            yield shared_line(f"- pull request opened: {event['text']} ({ago(event['last'])}){ended}{warned}",
                              naming(event["text"]))
    for address, look in pull_requests_seen(looks, events).items():
        command = short_command(look["text"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- pull request that {command} showed ({ago(look['last'])}): {address}",
                          naming(look["text"]))


def other_events_line(events: Sequence[GitEvent], ago: Ago, paths: Paths) -> list[Line]:
    """What else git was seen to do, each call once, on one line; none where there was nothing."""
    done: dict[str, GitEvent] = {}
    for event in events:
        if event["what"] in ("history", "branch", "tag") and not event.get("waits"):
            done.setdefault(event["text"], event)
    shown = [*done.values()][:EVENTS_MAX]
    if not shown:
        return []
    others = [f"{short_command(event['text'], paths, OTHER_COMMAND_MAX_UTF16)} ({ago(event['last'])})"
              f"{elsewhere(event, paths)}" for event in shown]
    order = ", newest first" if len(others) > 1 else ""
    return [shared_line(f"- also{order}: {', '.join(others)}", naming(*(event["text"] for event in shown)))]


def waiting_lines(events: Sequence[GitEvent], ago: Ago, paths: Paths) -> Iterator[Line]:
    """Merges, rebases and the like that were begun and not seen to end, with the files in conflict."""
    for event in events:
        if event.get("waits"):
            conflict = f"; in conflict: {file_names(event['files'])}" if event["files"] else ""
            yield shared_line(f"- waits for its end: {short_command(event['text'], paths)} ({ago(event['last'])})"
                              f"{conflict}", naming(event["text"]))


def left_lines(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent], ago: Ago,
               paths: Paths) -> Iterator[Line]:
    """What the commands left in the repository: a stash, commits elsewhere, commits of others, files in no commit."""
    stash = newest_left(stashes_of([*actions, *looks]))
    if stash:
        command = short_command(stash["command"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- stashed by {command} ({ago(stash['last'])}) and not taken back by this session's "
                          f"commands: {cut(stash['message'], SUBJECT_SHOWN_UTF16)}", naming(stash["command"]))
    current = missing_in_branch(actions, looks, events, paths.root)
    if current:
        branches = ", ".join(dict.fromkeys(event["branch"] for event in current["lacking"]))
        shown = [event["hash"] for event in current["lacking"][:COMMITS_SHOWN_MAX]]
        yield shared_line(f"- not in the current branch {current['branch']}: {', '.join(shown)} of {branches}, no push "
                          "of it seen", shown)
    others = commits_of_others([*actions, *looks], events)
    if others:
        commits, look = others["commits"], others["look"]
        named = "; ".join(f"{name} {cut(subject, OTHER_SUBJECT_MAX_UTF16)}" for name, subject in commits[:EVENTS_MAX])
        yield shared_line(f"- in `git log` {ago(look['last'])}, committed by others than this session's own commands: "
                          f"{named}{and_more(len(commits) - EVENTS_MAX)}", naming(look["text"]))
    if not are_committed_otherwise(actions):
        yield from uncommitted_lines(actions, looks, events, paths)


def uncommitted_lines(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent],
                      paths: Paths) -> Iterator[Line]:
    """The edited files that are in no commit, then others that no `git add` named."""
    files = uncommitted(actions, events, paths.root, status_seen(looks))
    if files:
        others = file_names(edited_elsewhere(actions, paths.root))
        outside = f"; edited too, outside of {paths.root}: {others}" if others else ""
        known = [from_root(item["path"], paths.root) for item in (*actions, *looks) if item.get("path")]
        yield shared_line(f"- {edited_when(actions, events, paths)}: {file_names(files, known)}{outside}")
    never = [path for path in never_added(actions, events, paths.root) if path not in files]
    if never:
        yield shared_line(f"- edited and named by no `git add` since: {file_names(never)}")


def edited_when(actions: Sequence[Item], events: Sequence[GitEvent], paths: Paths) -> str:
    """The words for files that are in none of the commits that were made below the root."""
    if has_commit_without_end(actions, events, paths.root):
        return "edited; whether this session's last `git commit` went through is not known"
    if commit_positions(actions, events, paths.root):
        return "edited after the last commit"
    if commit_positions(actions, events):
        return "edited; this session's commands committed in other folders alone"
    return "edited; no commit in this session's commands"


def private_lines(actions: Sequence[Item], events: Sequence[GitEvent]) -> Iterator[Line]:
    """The commits that took in files which are seldom meant to be in one, unless a later command took files out."""
    gone = {event["hash"] for event in events if event["what"] == "commit" and event["replaced"]}
    for item in [action for action in actions if action.get("private") and action["commit"] not in gone]:
        later = [action["text"] for action in actions if action["position"] > item["position"]]
        if any(re.search(TAKES_OUT, text) for text in later):
            continue
        paths, commit = item["private"], item["commit"]
        more = and_more(len(paths) - FILES_MAX, "at least " if len(paths) == PRIVATE_NAMED_MAX else "")
        yield shared_line(f"- commit {commit} took in files that are mostly private: "
                          f"{', '.join(paths[:FILES_MAX])}{more}", [commit])


def elsewhere(event: GitEvent, paths: Paths) -> str:
    """The folder in which the event happened, as ` in folder`, where that is none below the root."""
    folder = event.get("folder", "").rstrip("/")
    return f" in {folder}" if not is_below(folder, paths.root) else ""


def commit_lines(commits: Sequence[GitEvent], ago: Ago, are_pushes_known: bool, paths: Paths) -> Iterator[Line]:
    """A line for each of the newest commits, with its branch where that is another than the line's before; whole with
    its files.

    Where pushes are not known (one stands within a command for another host), of no commit that is said.
    """
    kept = [commit for commit in commits if not commit["replaced"]]
    branch_before = ""
    for commit in kept[:COMMITS_SHOWN_MAX]:
        branch, where = commit["branch"], ""
        if branch not in ("", branch_before) and not branch.startswith("detached"):
            where = f" on {branch}"
        branch_before = branch
        when = ago(commit["last"])
        if commit["pushed"] == "yes":
            when += f", pushed with {commit['pushed_with']}" if commit.get("pushed_with") else ", pushed"
        elif commit["pushed"] == "no" and are_pushes_known:
            when += ", no push seen"
        if commit.get("rebased"):
            when += ", a rebase came later"
        line = shared_line(f"- commit {commit['hash']}{where}{elsewhere(commit, paths)}: "
                           f"{cut(commit['text'], SUBJECT_SHOWN_UTF16)} ({when})", [commit["hash"]])
        files = files_named(commit)
        yield {**line, "whole": f"{line['text']}; {files}"} if files else line
    if len(kept) > COMMITS_SHOWN_MAX:
        yield shared_line(f"- and {len(kept) - COMMITS_SHOWN_MAX} commits before, from {kept[-1]['hash']} on",
                          [kept[-1]["hash"]])
    gone = [commit["hash"] for commit in commits if commit["replaced"]][:COMMITS_SHOWN_MAX]
    if gone:
        yield shared_line(f"- replaced by a later amend or reset: {', '.join(gone)}", gone)


# ==================================================================================================
# recap/lines/git_status.py: What `git status` said last, for when git cannot be asked now.
# ==================================================================================================

STATUS_SHOWN_UTF16, OVERTAKING_SHOWN_UTF16 = 500, 60
STATUS_LOOK = r"git status\b"
PLAIN_STATUS = r"git status(?: [\w-]+| 2>&1)*(?:$| &&)"  # and nothing behind a pipe
CHANGES_STATUS = (r"\bgit\b[^|;&]* (?:add|am|checkout|cherry-pick|clean|commit|merge|mv|pull|push|rebase|reset|restore"
                  r"|revert|rm|stash|switch)\b")
LONG_FORM_BEGINS, SHORT_ROW = r"On branch \S|HEAD detached |Not currently on any branch", r"[MADRCUT?!]{1,2} \S"
STATUS_HINT = (  # what git says of itself, in its long form
    r"\(use \"git |\(commit or discard|no(?:thing| changes) added to commit|It took [\d.]+ seconds"
    r"|but the results were cached|See 'git help status'|Your stash currently has")
NOT_IN_INDEX = r"(?:[MDU?m]{1,2}|(?:modified|deleted):) \S"  # a row of a file that may be so
# What lies in a person's home alone: a repository that has that is not the project's, which lies in it.
OF_HOME = r"(?:\.\./)+\.(?:bash_history|zsh_history|ssh|cache|config|local|CFUserTextEncoding|gitconfig)/?(?=\s|$)"
IN_INDEX, UNTRACKED = "Changes to be committed:", "Untracked files:"
OTHER_OUTPUT = "---"
CLEAN = r"nothing to commit, working (?:tree|directory) clean"
BRANCH_ROW = r"On branch \S+$|## \S+$"


def last_status(items: Sequence[Item], ago: Ago, folder: str, branch: str) -> list[Line]:
    """What `git status` showed last, and which command of git's overtook that: at most one line.

    Behind a commit what no command can have put into it; nothing where that is not certain of any file, nor of a
    repository that holds a person's whole home. `folder`: the working folder; a status of another repository is named
    with its own; nor one of another branch than `branch`, the client's last, where that is known.
    """
    shown = sorted(filter(None, map(as_status, items)), key=lambda item: item["position"])
    status = shown[-1] if shown else None
    if not status or not status["result"] or re.search(OF_HOME, status["result"]):
        return []
    rows, left_out = status_rows(status), ""
    shown_branch = re.search(ON_BRANCH, status["result"])
    if branch and shown_branch and shown_branch[1] != branch:
        return []
    if is_changed_since(items, status["position"]):
        rows = [row for row in rows if not re.match(CLEAN, row)]
        rows = [] if all(re.match(BRANCH_ROW, row) for row in rows) else rows  # another line names the branch
    commands = [item for item in items if item["kind"] == "action" and re.search(CHANGES_STATUS, item["text"])]
    commits = [item["position"] for item in items if item.get("commit")]
    if any(position > status["position"] for position in commits):
        before = max((position for position in commits if position < status["position"]), default=-1)
        rows = rows_in_no_commit(rows, [item["text"] for item in commands if item["position"] > before])
        left_out = "; what was committed since is left out"
    if not rows:
        return []
    later = [item["text"] for item in commands if item["position"] > status["position"]]
    since = f" (before {code(folded_line(later[0]), OVERTAKING_SHOWN_UTF16)}{left_out})" if later else ""
    text = f"- {named(status['text'], folder)} showed {ago(status['last'])}{since}: {status_in_short(rows)}"
    return [shared_line(text, naming(status["text"]))]


def as_status(item: Item) -> Item | None:
    """The item as the `git status` that it begins with, or with which it ends, with its rows alone; None: neither.

    `git add … && git status` had shown last what is staged, and the status before that had stood as the last.
    """
    if item["kind"] == "look":
        return item if re.match(STATUS_LOOK, change_of_folder(item["text"])[2]) else None
    if item["kind"] != "action" or "git status" not in item["text"] or not has_ended_well(item):
        return None
    piece, folder = commands_in_folders(item["text"])[-1]
    if not re.match(PLAIN_STATUS, piece):
        return None
    rows = item["result"].split(ROW_END)
    begin = next((index for index, row in enumerate(rows) if re.match(LONG_FORM_BEGINS, row)), None)
    rows = [row for row in rows if re.match(SHORT_ROW, row)] if begin is None else rows[begin:]
    return {**item, "text": f"cd {folder} && {piece}" if folder else piece, "result": ROW_END.join(rows)}


def is_changed_since(items: Sequence[Item], position: int) -> bool:
    """Whether a file was changed after that position in the session, or changes came back out of a stash."""
    is_edited = any(item["position"] > position and item.get("tool") in CHANGING_TOOLS for item in items)
    return is_edited or any(stash["put_back"] > position for stash in stashes_of(items))


def named(command: str, folder: str) -> str:
    """How a `git status` is named: without the change into the folder or one above it, a plain one without options."""
    moved_to, _, rest = change_of_folder(command)
    if moved_to and is_at_or_below(folder, moved_to):
        command = rest
    return "`git status`" if re.match(PLAIN_STATUS, command) else code(folded_line(command), OVERTAKING_SHOWN_UTF16)


def status_rows(status: Item) -> list[str]:
    """The rows of a `git status` without its hints; a mark in the place of those that were not kept.

    What another command of the line printed behind a rule is none of it.
    """
    rows = [" ".join(row.split()) for row in status["result"].split(ROW_END)]
    rows = [row for row in rows if row and not re.match(STATUS_HINT, row)]
    if len(rows) > 1 and rows[-1].endswith(ROWS_BETWEEN):
        rows[-1] = ROWS_BETWEEN  # half a path is none
    if OTHER_OUTPUT in rows:
        return rows[:rows.index(OTHER_OUTPUT)]
    gap = rows.index(ROWS_BETWEEN) if ROWS_BETWEEN in rows else len(rows)
    kept_besides = [row for row in status.get("rows", []) if row not in rows and re.match(SHORT_ROW, row)]
    return [*rows[:gap], *kept_besides, *rows[gap:]]


def rows_in_no_commit(rows: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The rows of files that none of git's commands named; none where one may take in files that it does not name.

    What was in the index already is left out too: the commit took it in.
    """
    if any(may_take_in_others(command, git_calls(command)) for command in commands):
        return []
    words = [word for command in commands for word in words_naming(command)]
    left, head = list[str](), ""
    for row in rows:
        if row.endswith(":"):
            head = row
        file = f"?? {row}" if head == UNTRACKED and row not in (UNTRACKED, ROWS_BETWEEN) else row
        is_left = re.match(NOT_IN_INDEX, file) and head != IN_INDEX
        if is_left and not any(may_name(word, file.split()[-1]) for word in words):
            left.append(file)
    return left


def status_in_short(rows: Sequence[str]) -> str:
    """As many rows of a `git status` as have room."""
    shown = [*rows]
    while len(shown) > 1 and units(ROW_END.join(shown)) > STATUS_SHOWN_UTF16:
        whole_rows = shown[:-1] if shown[-1] == ROWS_BETWEEN else shown
        shown = [*whole_rows[:-1], ROWS_BETWEEN]
    return cut(ROW_END.join(shown), STATUS_SHOWN_UTF16)


# ==================================================================================================
# recap/lines/repository.py: The repository as it is now, in a few lines for the model: branch, commits of the session, what is changed.
# ==================================================================================================

PATHS_SHOWN = 12  # of each list
ELSEWHERE_SHOWN = 6  # commits
BRANCH_SHOWN_UTF16 = 120
LABELS = {"conflicts": "In conflict", "staged": "Staged", "modified": "Modified, not staged", "untracked": "Untracked"}


def repository_lines(now: GitNow, then: Mapping[str, str], elsewhere: Sequence[CommitElsewhere],
                     events: Sequence[GitEvent]) -> list[Line]:
    """The lines on the repository; none where there is no repository.

    `then` is the snapshot's state: its branch is named where it was another. `elsewhere` are the session's commits that
    only other branches have: "no commit" and a clean tree had read as if its work were lost. `events` are what its
    commands did: of a commit they may know the files.
    """
    if not now:
        return []
    head = shared_line(head_line(now, then), [now["head"]] if now.get("head") else [])
    lines: list[Line] = [{**head, "what": STATE_OF_GIT} if now.get("branch") else head]
    if now["in_progress"]:
        lines.append(shared_line(f"- Begun and not ended: {as_code(now['in_progress'])}"))
    if "commits" in now:
        line = shared_line(commits_line(now), (name for name, _ in now["commits"]))
        lines.append({**line, "whole": commits_line(now, events)})
    if elsewhere:
        lines.append(shared_line(elsewhere_line(elsewhere), (name for _, name, _ in elsewhere)))
    lists = {"conflicts": [(path, "") for path in now.get("conflicts", [])], "staged": now.get("staged", []),
             "modified": now.get("modified", []), "untracked": [(path, "") for path in now.get("untracked", [])]}
    lines += [shared_line(paths_line(paths, now, name)) for name, paths in lists.items() if paths]
    if not now["is_complete"]:
        why = "be asked everything in time" if now.get("is_late") else "tell everything"
        lines.append(shared_line(f"- Git could not {why}: what is not named here is not known"))
    elif not any(lists.values()):
        lines.append(shared_line("- Working tree clean"))
    if now["stashes"]:
        lines.append(shared_line(f"- Stashed: {now['stashes']}"))
    return lines


def head_line(now: GitNow, then: Mapping[str, str]) -> str:
    """Branch, commit, and how far the branch is from its upstream."""
    no_commit = "no commit yet" if now.get("is_without_commit") else "its commit not known"
    commit = f"HEAD {as_code(now['head'])}" if now.get("head") else no_commit
    if "branch" not in now:
        return f"- Repository {as_code(now['root'])}: branch and commit not known"
    if not now["branch"]:
        return f"- HEAD detached at {as_code(now['head'])}{what_was_before(now, then)}"
    return f"- Branch {as_code(now['branch'])}{what_was_before(now, then)}, {commit}, {distance(now)}"


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


def commits_line(now: GitNow, events: Sequence[GitEvent] = ()) -> str:
    """The commits of HEAD since the session began, with the files that the events know of them."""
    if not now["commits"]:
        return f"- No commit {'on this branch' if now.get('branch') else 'of HEAD'} since the session began"
    more = ", and more" if now["totals"]["commits"] > len(now["commits"]) else ""
    commits = "; ".join(f"{as_code(commit)} {in_quotes(subject)}{files_of(commit, events)}"
                        for commit, subject in now["commits"])
    return f"- Commits since the session began: {commits}{more}"


def files_of(commit: str, events: Sequence[GitEvent]) -> str:
    """What one of the events says of the commit's files, in brackets; empty where none names any."""
    known = (files_named(event) for event in events if files_named(event) and same_commit(event["hash"], commit))
    files = next(known, "")
    return f" ({files})" if files else ""


def elsewhere_line(commits: Sequence[CommitElsewhere]) -> str:
    """The session's commits that only other branches have, by branch, the newest first."""
    by_branch: dict[str, list[str]] = {}
    for branch, name, subject in commits[:ELSEWHERE_SHOWN]:
        by_branch.setdefault(branch, []).append(f"{as_code(name)} {in_quotes(subject)}")
    rows = "; ".join(f"on {as_code(branch)} {', '.join(shown)}" for branch, shown in by_branch.items())
    return f"- Commits of this session that HEAD has not: {rows}{and_more(len(commits) - ELSEWHERE_SHOWN)}"


def paths_line(paths: Sequence[tuple[str, str]], now: GitNow, name: str) -> str:
    """The first paths of the list of this name, below the folder that they share."""
    first = paths[:PATHS_SHOWN]
    shared = shared_folder([path for path, _ in first]) if len(first) > 1 else ""
    where = f" in {as_code(shared)}" if shared else ""
    shown = ", ".join(as_code(path[len(shared):]) + (f" ({how})" if how else "") for path, how in first)
    more = and_more(now["totals"][name] - len(first), "" if now["is_complete"] else "at least ")
    return f"- {LABELS[name]}{where}: {shown}{more}"


def shared_folder(paths: Sequence[str]) -> str:
    """The folder with its slash that all the paths begin with, letter by letter; empty when they share none.

    Nor where that is one above: `../api/a.py` is not `api/a.py` in `../`.
    """
    bare = [path.rstrip("/") for path in paths]
    least, most = min(bare), max(bare)  # what these two share all share
    shared = least[:least.rfind("/", 0, shared_beginning(least, most)) + 1]
    return shared if shared.strip("./") else ""


# ==================================================================================================
# recap/lines/working_folder.py: The section on working folder and repository: what is there now, and what this session's commands did to it.
# ==================================================================================================

def working_folder_lines(snapshot: Snapshot, known: Known, paths: Paths, ago: Ago) -> list[Line]:
    """All lines of the section, of a snapshot with completed items; `known`: what follows from these."""
    state, items = snapshot["state"], snapshot["items"]
    actions, events = known["actions"], known["events"]
    now_in_git = snapshot.get("present", {}).get("repository", {})
    folder = "" if text_of(snapshot, "agent") else text_of(state, "cwd")  # a subagent may work in another
    is_of_branch = folder and not are_apart(folder, paths.root)  # the client notes that of the session's first folder
    branch = text_of(state, "gitBranch") if is_of_branch and not now_in_git else ""
    branch = "" if branch == "HEAD" else branch  # detached, or no repository
    on_branch = f", on branch {quote(branch, BRANCH_SHOWN_UTF16)}" if branch else ""
    within = [name for name in repositories_edited(items, paths.root)
              if not is_at_or_below(folder, f"{paths.root}/{name}")] if folder else []
    each = "each " if len(within) > 1 else ""
    own = f"; edits lie in {', '.join(within)}, {each}a repository of its own with its own branch" if within else ""
    now = [shared_line(f"- working folder {folder}{on_branch}{own}")] if folder else []
    elsewhere = own_commits_elsewhere(now_in_git, actions, events)
    now += repository_lines(now_in_git, state, elsewhere, events)
    lines = git_lines(items, ago, paths, bool(now_in_git), events)
    lines += taken_back_lines(known["files_back"], ago, paths)
    if not now_in_git:
        lines += last_status(items, ago, folder, branch)
    return [*now, *lines]


# ==================================================================================================
# record/checks/runs.py: The runs of checks that the record's actions hold, each with its own verdict where a line ran several.
# ==================================================================================================

NO_WORDS: CheckEnd = {}
RUNS_MAX = 200  # compared, the newest: each with each


def check_runs(actions: Iterable[Item], root: str = "") -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first.

    `root` is the folder in which commands ran that name none; empty: not known.
    """
    endings = [ending for ending in endings_of(actions) if may_run_checks(ending)][-RUNS_MAX:]
    return [run for ending in endings if not runs_without_changes(ending["text"]) for run in runs_of(ending, root)]


def may_run_checks(ending: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    is_open = ending["verdict"] in ("failed", "running") or ending.get("is_in_background", False)
    return is_open or ending["family"] in CHECK_FAMILIES


def runs_of(ending: Ending, root: str) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = with_tests_shown(checks_in(ending["text"]), ending["family"])
    alike: CheckEnd = {"verdict": ending["verdict"]}
    ends = ending.get("ends", [alike] * len(checks))
    owner = family_of_result(ending, checks)
    runs: list[CheckRun] = []
    for check, end in zip(checks, ends):
        is_own = "result" in end
        source = end if is_own else ending if check["family"] == owner else NO_WORDS
        is_alone = sum(other["family"] == check["family"] for other in checks) == 1
        runs.append({
            **said_of_checks(source), "check": in_whole_folder(check, ending, root), "family": check["family"],
            "name": check["name"],
            "command": check["typed"] if is_own else ending["text"], "line": ending["text"],
            "verdict": end["verdict"], "is_certain": is_own or is_alone or end["verdict"] != "failed",
            "result": source.get("result", ""),
            "is_in_background": ending.get("is_in_background", False),
            "last": ending["last"], "position": ending["position"],
            "edited_after": [], "taken_back_after": [], "passed_since": [], "same_failure_in": [], "unseen": [],
            "later_runs": []})
    return runs


def in_whole_folder(check: Check, ending: Ending, root: str) -> Check:
    """The check of a command that ended so, its folder as a whole path where it is known.

    A build that failed in one package had stood as passed later, by a build of the package that the shell was in.
    """
    base, folder = ending.get("folder", "") or root, with_home(check["folder"], root)
    if not base or re.search(UNNAMED_FOLDER, folder):
        return check
    return {**check, "folder": whole_path(folder, base)}


def family_of_result(ending: Ending, checks: Sequence[Check]) -> str:
    """The family of the line's checks of which its result tells: that which failed, else the first that says much."""
    if ending["family"] and (ending["verdict"] == "failed" or len(pieces_of(ending["text"])) == 1):
        return ending["family"]
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    return next((family for family in CHECK_FAMILIES if family in speaking), "")


# ==================================================================================================
# record/summary/claims.py: What a statement claims: that a thing which it names is in a state, with nothing said beside it.
# ==================================================================================================

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
CLAUSE_END = r"((?: [:,()\[\]|–—→-])+) "
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports repository result results run "
    "running shows state status still targets task tasks that the these this todo verification verified we whole "
    "with works yet 9 . ! \""
    ).split())


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each statement with the thing of which it claims a state, and the state.

    `names` gives things by their names, `states` by each state its phrases, with strokes between them. A longer name or
    phrase goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    known, things = sorted(names, key=len, reverse=True), [*dict.fromkeys(names.values())]
    state_of = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    phrases = sorted(state_of, key=len, reverse=True)
    begins, signs = {name.partition(" ")[0] for name in known}, {max(phrase.split(), key=len) for phrase in phrases}
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row, words = statement["row"], statement["row"].split()
        if begins.isdisjoint(words) or signs.isdisjoint(words):  # most: the rest takes ten times as long
            continue
        for name in known:
            if name in row:
                row = row.replace(f" {name} ", f" §{things.index(names[name])} ")
        row = re.sub(COUNT, " 9", row)
        for phrase in phrases:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{state_of[phrase]} ")
        claims += [(statement, things[int(thing)], state) for thing, state in claims_of(re.sub(SET_APART, "…", row))]
    states_of = Counter(thing for thing, _ in {(thing, state) for _, thing, state in claims})
    return [(statement, thing, state) for statement, thing, state in claims if states_of[thing] == 1]


def claims_of(row: str) -> list[tuple[str, str]]:
    """The things of which a row claims a state, each with it. In the row `§` begins a thing, `=` and `<` a state."""
    pieces = re.split(CLAUSE_END, f" ({row}")
    states, with_state, last_named = set[str](), set[str](), set[str]()
    for mark, words in zip(pieces[1::2], map(str.split, pieces[2::2])):
        if mark == " :" and (not words or says_more(words)):
            return []  # "Done: the first half"
        if says_more(words):
            break
        things = {word[1:] for word in words if word[0] == "§"}
        own_states = {word[1:] for word in words if word[0] in "=<"}
        if things and states and not last_named and not re.search(r"[:\]]", mark):
            return []  # "Clean, test"
        states |= {OPPOSITES.get(state, "") for state in own_states} if is_denied(words) else own_states
        with_state |= things if own_states else set()
        last_named = things or last_named
    state = states.pop() if len(states) == 1 else ""
    return [(thing, state) for thing in sorted(with_state or last_named) if state]


def is_denied(words: list[str]) -> bool:
    """Whether a clause denies what it says."""
    return not DENIALS.isdisjoint(words)


def says_more(words: list[str]) -> bool:
    """Whether a clause says more than that a thing is in a state: by other words, or by their order."""
    signs = "".join(word[0] for word in words if word[0] in "§=<")
    others = {word for word in words if word[0] not in "§=<"} - SMALL_WORDS - DENIALS
    is_state_first = signs[:1] == "<" and "§" in signs
    return bool(others) or is_state_first or (is_denied(words) and not signs.strip("§"))


# ==================================================================================================
# record/summary/check_claims.py: Tests, builds and linters that a summary calls passing or failing while their last run says otherwise.
# ==================================================================================================

RUN_SHOWN_UTF16, RUNS_COMPARED_MAX = 90, 40
CHECK_STATES = {
    "passing": "pass|passes|passed|passing|succeeds|succeeded|compiles|green|clean|ok|✅|✓|exits 0|0 errors|0 failed"
               "|0 failures|no errors|no failures|no complaints|no problems|reported no problems|without errors"
               "|without warnings",
    "failing": "failing|fails|fail|broken|red|❌|not compile|9 errors|9 failures|9 failed|9 failed , 9 passed"
               "|9 passed , 9 failed"}
FAMILY_NOUNS = {"tests": "test", "test suite": "test", "suite": "test", "build": "build", "lint": "lint",  # all of one
                "linter": "lint", "linting": "lint", "type check": "types", "type checking": "types"}
SHORT_NAMES = {"ruff": "ruff check", "clippy": "cargo clippy"}
OF_A_PART = (r" (?:its|this|these|both|tasks?|todo|state|status|reports?|results?|verification)"
             r" (?:tests|test suite|suite|build) |(?<! all)(?<! the) \d+ tests ")
NAME_IN_RESULT = r"[A-Za-z]\w*[_./:][\w./:]+"  # of what failed
ALL_PASSED = r"(?:\b(\d+)(?:/| out of )\1|\ball (\d+)) (?:tests? )?(?:are )?(?:pass(?:es|ed|ing)?|green)\b"


def check_claims(body: str, statements: Sequence[Statement], actions: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's words, and what the record has of the last run of the check that they name.

    Nothing where the summary names what failed in it, or the statement has its number of passed tests.
    """
    checking: list[Item] = [{"uses": 1, **action} for action in actions if action.get("family") in CHECK_FAMILIES]
    runs = check_runs(sorted(checking, key=lambda action: action["position"])[-RUNS_COMPARED_MAX:])
    if not runs:
        return
    named = checks_named(statements, runs)
    keys = {name: " ".join([check["name"], *check["limits"]]) for name, check in named.items()}
    checks = {keys[name]: check for name, check in named.items()}
    for statement, thing, state in claims_in(statements, {**keys, **FAMILY_NOUNS}, CHECK_STATES):
        run = last_run_otherwise(runs, checks.get(thing), thing, state)
        is_of_part = "files" in statement["heading"] or re.search(OF_A_PART, statement["row"])
        if run and (thing in checks or not is_of_part) and not is_failure_told(run, statement["row"], body):
            yield statement["line"], last_run_in_words(run)
    failed = last_run_otherwise(runs, None, "test", "passing")
    for statement in statements:
        totals = ["".join(pair) for pair in re.findall(ALL_PASSED, statement["row"])]
        if failed and any(is_total(int(total), failed["result"]) for total in totals):
            yield statement["line"], last_run_in_words(failed)


def checks_named(statements: Sequence[Statement], runs: Sequence[CheckRun]) -> dict[str, Check]:
    """By their names in rows the checks that ran, and what stands in backticks of their programs."""
    programs = "|".join({re.escape(run["name"].split()[-1]) for run in runs})
    commands = {**SHORT_NAMES, **{run["name"]: run["name"] for run in runs},
                **codes_in(statements, f".*(?:{programs}).*")}
    return {name: checks[0] for name, command in commands.items() if len(checks := checks_in(command)) == 1}


def last_run_otherwise(runs: Sequence[CheckRun], check: Check | None, family: str, state: str) -> CheckRun | None:
    """The last run of the check, or without one of the family, if it and all of its family after it ended otherwise.

    A failed one counts where it is of no more than what is called passing, one that passed where it is of no less than
    what is called failing.
    """
    started = [run for run in runs if run["verdict"] != "not run"]
    meant = [run for run in started if (run["name"] == check["name"] if check else run["family"] == family)]
    if not meant or not meant[-1]["is_certain"]:
        return None
    last = meant[-1]
    if check:
        broad, narrow = (check, last["check"]) if state == "passing" else (last["check"], check)
        options = {word for word in check["command"].split() if word.startswith("--")}
        is_meant = covers_check(broad, narrow) and options <= {*last["command"].split()}
    else:
        is_meant = state == "passing" or not last["check"]["limits"]
    since = {run["verdict"] for run in started[started.index(last):] if run["family"] == last["family"]}
    return last if is_meant and since == {"failed" if state == "passing" else "passed"} else None


def is_failure_told(run: CheckRun, row: str, body: str) -> bool:
    """Whether the row has the run's number of passed tests, or the summary a name of what failed in it."""
    failed = [name for name in re.findall(NAME_IN_RESULT, run["result"]) if name not in run["command"]]
    has_count = any(f" {word} pass" in f" {run['result']}" for word in row.split() if word.isdigit())
    return has_count or any(name in body for name in failed)


def is_total(count: int, result: str) -> bool:
    """Whether a result counts so many, together or in two numbers, and not as those that passed."""
    numbers = {0, *map(int, re.findall(r"\b\d{1,9}\b", result))}
    return f" {count} pass" not in f" {result}" and any(count - number in numbers for number in numbers)


def last_run_in_words(run: CheckRun) -> str:
    """Which run of a check was the last one, and how it ended."""
    command, result = quote(run["command"], RUN_SHOWN_UTF16), f": {run['result']}" if run["result"] else ""
    return f"the last run of `{command}` at {run['last'][11:16]} UTC {run['verdict']}{result}"


# ==================================================================================================
# record/summary/file_claims.py: What a summary says of files that the disk has otherwise.
# ==================================================================================================

LOOKED_AT_MAX = 200  # claims: PostCompact is waited for
FILE_STATES = {"created": "created|added|wrote|new file|was created|was added|( new|— new",
               "deleted": "deleted|removed|was deleted|was removed", "missing": "does not exist yet"}
PATH = (
    r"/?(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
WHAT_IT_IS = (  # behind what was done with a file
    r"( with | created (?=for the )|[(—–] (?:new file|created|(?:new|deleted)(?= [-–—,])) )"
    r"(?!.* (?:and|removed|renamed|moved|replaced) ).*")
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
                exists: Callable[[str], bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's words on a file created or deleted, where the disk lacks it or has it.

    Not where a command may have moved it after its last edit, or before; what none names was never there to be moved.
    """
    meant: list[Statement] = [{**each, "row": re.sub(WHAT_IT_IS, r"\1", each["row"].replace(" the obsolete ", " "))}
                              for each in statements if NOT_YET.isdisjoint(each["heading"].split())]
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in claims_in(meant, paths, FILE_STATES)[:LOOKED_AT_MAX]:
        edits = [action["position"] for action in actions
                 if is_file_edit(action) and ends_in(action["path"], path.lstrip("/"))]
        last_edit, is_there = max(edits, default=-1), exists(path)
        if state == "created" and is_there is False:
            name = rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?!\w)"
            is_named = any(re.search(name, action["text"]) for action in actions)
            if not is_named or max(moves, default=-1) <= last_edit:
                yield statement["line"], f"the disk has no {path} now"
        if state != "created" and is_there and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def paths_in(statements: Sequence[Statement]) -> dict[str, str]:
    """The paths in the statements, by their names in rows: in backticks, or with a folder."""
    words = {word.strip(".,;:()") for statement in statements for word in statement["line"].split() if "/" in word}
    bare = {word.lower(): word for word in sorted(words) if re.fullmatch(PATH, word)}
    return {**bare, **codes_in(statements, PATH)}


# ==================================================================================================
# record/summary/git_claims.py: What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now.
# ==================================================================================================

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "resolved": "resolved", "over": "complete|completed|done|finished"}
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
BRANCH_NOW = (  # what the branch is called on which we are
    r" (?:repository state : )?(?:the )?(?:current(?: git)? branch|checked out on|currently on(?: branch)?"
    r"|(?:we are|we're)(?: still| currently)? on branch)(?: is)?(?: :)? "
    r"(?=`|main\b|master\b|develop\b)`?([^\s`]+)`?(?: branch)?(?= ?[.,()] | $)")
COMMIT_NOW = (r" (?:the )?(?:(?:latest|last|head) commit|head is(?: now)? at)(?: is)?(?: :)? "
              r"`([0-9a-f]{7,40})`(?= ?[.] | $)")
HASH = r"(?<![\w/.-])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w/-])"
OTHER_COMMITS = frozenset("amended rebased cherry-picked squashed original".split())  # hashes
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        return
    commits = [action["commit"] for action in actions if action.get("commit")]
    commits += [git["head"]] if git.get("head") else []
    commits += [commit[0] for commit in git.get("commits") or ()]
    yield from other_names_of_now(statements, git, commits)
    yield from other_hashes(statements, actions, commits)
    to_upstream = rf"(?<= pushed) to `?(?:origin|{re.escape(git.get('upstream') or 'origin')})`?(?= )"
    meant: list[Statement] = [{**each, "row": re.sub(to_upstream, "", each["row"])} for each in statements]
    for statement, thing, state in claims_in(meant, {**paths, **THINGS}, GIT_STATES):
        is_of_file = thing == "changes" and not paths.keys().isdisjoint(statement["row"].split())  # "those of `a.py`"
        answer = "" if is_of_file else answer_of(thing, state, actions, git)
        if answer:
            yield statement["line"], f"git: {answer}"


def other_names_of_now(statements: Sequence[Statement], git: GitNow,
                       commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the summary calls the current branch or the last commit, and which it is; nothing where it names two."""
    branches = {match[1]: each["line"] for each in statements if (match := re.match(BRANCH_NOW, each["row"]))}
    if len(branches) == 1 and git.get("branch") and git["branch"].lower() not in branches:
        yield from ((line, f"git: the branch is {git['branch']}") for line in branches.values())
    heads = {match[1]: each["line"] for each in statements if (match := re.match(COMMIT_NOW, each["row"]))}
    if len(heads) == 1 and git.get("head") and not any(same_commit(commit, *heads) for commit in commits):
        yield from ((line, f"git: the last commit is {git['head']}") for line in heads.values())


def other_hashes(statements: Sequence[Statement], actions: Sequence[Item],
                 commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The summary's line with a hash of no commit beside the subject of one of the session, and that one's hash."""
    with_hash = [each for each in statements if re.search(HASH, each["row"])]
    made = [action for action in actions if action.get("commit") and action.get("subject")] if with_hash else []
    for subject, action in zip(as_names([action["subject"] for action in made]), made):
        of_subject = rf" commit(?:ted)?(?: as)? `?{HASH}|{HASH}`? (?:[-–—:(] )?(?:\" )?{re.escape(subject)} "
        for statement in with_hash if len(subject) >= SUBJECT_MIN_CHARACTERS else ():
            row = statement["row"]
            if f" {subject} " not in row or not re.search(of_subject, row):
                continue
            is_known = any(same_commit(commit, name) for commit in commits for name in re.findall(HASH, row))
            if not is_known and OTHER_COMMITS.isdisjoint(row.split()):
                yield statement["line"], f"git: {in_quotes(action['subject'])} is {action['commit']}"


def answer_of(thing: str, state: str, actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of a thing than that it is in a state; empty where nothing is known otherwise."""
    begun, conflicts = git.get("in_progress", ""), git.get("conflicts", [])
    if state == "over":
        return f"in progress: {begun}" if thing == begun.partition(" ")[0] else ""
    if state == "resolved":
        return f"not resolved: {', '.join(conflicts)}" if thing == "conflicts" and conflicts else ""
    if state == "uncommitted":
        return nothing_uncommitted(thing, actions, git)
    is_committed = state in ("committed", "shared") or (thing, state) == ("tree", "clean")
    answer = not_committed(thing, actions, git) if is_committed else ""
    return not_pushed(thing, actions, git) if state in ("pushed", "shared") and not answer else answer


def not_committed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """What the session changed of the thing that git has in no commit."""
    edited = [action["path"] for action in filter(is_file_edit, actions)]
    meant = [path for path in edited if thing in ("changes", "tree") or ends_in(path, thing)]
    tracked = [path for path, _ in [*git.get("staged", []), *git.get("modified", [])]]
    changed = [*git.get("conflicts", []), *tracked, *git.get("untracked", [])]
    wholes = {path: posixpath.normpath(f"{git.get('folder', '')}/{path}") for path in changed}
    own = [path for path, whole in wholes.items() if any(f"{whole}/" in f"{other}/" for other in meant)]
    return f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}" if own else ""


def nothing_uncommitted(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """That nothing is uncommitted; empty where git was not asked for all, or the changes may be elsewhere."""
    lists = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    has_commit = bool(git.get("commits")) or any(action.get("commit") for action in actions)
    top = f"{git.get('root', '')}/"
    are_here = all(action["path"].startswith(top) for action in filter(is_file_edit, actions))
    is_clean = lists == [[]] * 4 and are_here and not git.get("stashes")
    return "nothing is uncommitted" if is_clean and (has_commit or thing == "tree") else ""


def not_pushed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """Why the thing cannot have been pushed; empty where a push of the session may have gone well."""
    ahead, branch, upstream = git.get("ahead"), git.get("branch"), git.get("upstream")
    if any("git push" in action["text"] for action in actions):
        return ""
    if git.get("is_without_remote"):
        return "the repository has no remote"
    is_known = ahead and upstream and thing in ("changes", "commits")
    return f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}" if is_known else ""


# ==================================================================================================
# record/summary/task_claims.py: Tasks of the client's list that a summary gives another status than the list has.
# ==================================================================================================

TASK_STATES = {
    "open": "open|unfinished|incomplete|left|left to do|☐",
    "completed": "completed|complete|done|finished|closed|✅|✓|✔|☑",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|half done|partly done|🔄",
    "pending": "pending|not started|not been started|not yet started|untouched|to do|next up"}
OPEN_STATUSES = ("in_progress", "pending")
DONE_HEADINGS = ("completed", "completed tasks", "done")  # what is listed below one is called so


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    What two tasks share names none.
    """
    subjects = as_names([task["text"] for task in tasks])
    pairs = [(name, str(index)) for index, task in enumerate(tasks) for name in {subjects[index], task.get("key", "")}]
    times = Counter(name for name, _ in pairs)
    names = {name: index for name, index in pairs
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    listed: list[Statement] = [{**each, "row": f" completed :{each['row']}"} for each in statements
                               if each["heading"] in DONE_HEADINGS]
    for statement, index, status in claims_in([*statements, *listed], names, TASK_STATES):
        task, row = tasks[int(index)], statement["row"]
        is_meant = f" {subjects[int(index)]} " in row or re.search(r" (?:tasks?|todo) ", row)  # "#2" may be a PR
        own = (task["status"], "open" if task["status"] in OPEN_STATUSES else "")
        if is_meant and task["status"] in TASK_STATES and status not in own:
            name = f"{task.get('key', '')} {in_quotes(task['text'])}".strip()
            yield statement["line"], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


# ==================================================================================================
# record/summary/comparisons.py: What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.
# ==================================================================================================

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
ANSWERED = frozenset("answered chose picked selected confirmed approved decided answer resolved".split())
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered until once if when after before whether open pending wait waits waiting awaits "
    "still remains will would should could can must may be earlier other another asked i").split())


def compare(summary: str, items: Sequence[Item], git: GitNow,
            exists: Callable[[str], bool | None] | None = None) -> list[SummaryFinding]:
    """The findings {kind, said, record}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule, question, of which the summary may say nothing: `said` is empty.
    `git` is what git says now, without what is not known; `exists` tells of a path whether the disk has it, None where
    that is not certain.
    """
    statements, body = statements_of(summary), body_of(summary)
    actions = [item for item in items if item["kind"] == "action"]
    paths = paths_in(statements)
    claims = {
        "check": check_claims(body, statements, actions),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, actions, paths, git),
        "file": file_claims(statements, actions, paths, exists) if exists else ()}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_person(body, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": quote(record, RECORD_MAX_UTF16)}


def of_person(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Waiting questions, pins and rules that do not stand in the text whole; questions that it tells as answered."""
    whole, lines = compared(text), [plain(line) for line in text.split("\n")]
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for kind in ("question", "pin", "rule"):
        open_items = [item for item in items if item["kind"] == kind and item.get("status", "open") == "open"]
        for item in [item for item in open_items if kind != "question" or item["position"] >= last][:RULES_MAX]:
            words = " ".join(item["text"].split())
            answer = first_answer(lines, compared(words)) if kind == "question" else ""
            if compared(words) not in whole:
                yield {"kind": kind, "said": "", "record": words}
            elif answer:
                yield finding_of(kind, answer, f"it still waits for the user's answer: {words}")


def first_answer(lines: Sequence[str], question: str) -> str:
    """What one of the lines says behind the question, or all of it, where it tells it as answered; else empty."""
    for line in lines:
        before, has_question, behind = line.lower().partition(question)
        if not has_question:
            continue
        words = (re.findall(r"[^\W\d_]+", behind) or re.findall(r"[^\W\d_]+", before))[:3]
        is_answer = "user" in words[:2] and not ANSWERED.isdisjoint(words)
        is_open = not UNANSWERED.isdisjoint(re.findall(r"\w+", f"{before} {behind}"))
        if not is_open and (is_answer or words[:1] in (["answer"], ["resolved"], ["a"])):
            return line[-len(behind):].strip(" ?.") or line
    return ""


def plain(text: str) -> str:
    """The text on one line, without emphasis and quotes."""
    return " ".join(text.translate(str.maketrans("", "", "*`\"'’“”„«»")).split())


def compared(text: str) -> str:
    """The text as it is looked for word for word."""
    return plain(text).lower().rstrip(" .!?")


# ==================================================================================================
# recap/compose.py: What stands in which section: of a snapshot all lines that may, and those that are chosen under their headings.
# ==================================================================================================

NEWEST_MESSAGE_SHARE = 0.22  # of the budget; its line's `whole` is longer, and stands where room is left at the end
ROOM: MessageRoom = {
    "newest": 0, "answered_by_newest": ANSWERED_BY_NEWEST_UTF16, "earlier": 450, "answered": ANSWERED_UTF16}
SMALL_ROOM: MessageRoom = {"newest": 0, "answered_by_newest": 150, "earlier": 200, "answered": 130}
PLAN_SHOWN_UTF16, SHOWN_AS_PLAN = 200, " (more of it stands as the task)"


def sections_of(snapshot: Snapshot) -> tuple[dict[str, list[Line]], list[Words]]:
    """The lines that may be shown, by section, in each the first to be shown first; what was said.

    A path is named whole where it is named first, so the sections are made in the order of the text.
    """
    state, budget, summary = snapshot["state"], snapshot["settings"]["budget"], text_of(snapshot, "summary")
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    present = snapshot.get("present", {})
    now_in_git, jobs = present.get("repository", {}), present.get("jobs", {})
    ago = partial(how_long_before, now=moment(snapshot["time"]))
    paths = Paths(root, folder, text_of(now_in_git, "root"))
    seen: Snapshot = {**snapshot, "items": seen_from_folder(snapshot["items"], root, folder)}
    items = completed_items(seen, paths)
    completed: Snapshot = {**snapshot, "items": items}
    known = known_of(items, root, folder)
    checks = check_lines(RunsInWords(known["actions"], known["events"], ago, paths),
                         last_runs(known["actions"], root, known["runs"]), known["failures"])
    repository = working_folder_lines(completed, known, paths, ago)
    set_up = setup_lines(known["actions"])
    stated = stated_by([*checks, *repository, *set_up])
    most_of_plans = int(shares_of(budget)[PLANS] * budget) - heading_units(PLANS)
    plans = [*plan_lines(items, ago, summary, most_of_plans, text_of(state, "last_words"))]
    if is_small(budget):
        plans = [line for line in plans if "\n" in line["text"]]  # without room for a row of it the head says nothing
    boxes = {box for line in plans for box in line.get("boxes", ())}
    newest, worked_on, earlier = parted_messages(items, ago, budget)
    # In a small text nearly every line would have a head of its own: at 4,000 units they took 300.
    turns = Turns([] if is_small(budget) else items, ago)
    of_work = [*turns.with_begins(with_same_forms_joined(with_taken_back(items, known["back"])))]
    services = Services(items, root)
    since_failures = known_since_failures(known["actions"], known["events"], known["runs"], known["failures"])

    sections: dict[str, list[Line]] = {
        ERRAND: errand_lines(items),
        PINS: [*pin_lines(items)],
        RULES: [*rule_lines(items, ago)],
        DIFFERS: [*difference_lines(summary, items, now_in_git)],
        END: end_lines(completed, newest, worked_on, paths, ago),
        PLANS: plans,
        EARLIER_WORDS: [ordered_in_short(line, plans[:1]) for line in earlier],
        TASK_LIST: [*task_list_lines(items, summary, ago, boxes),
                    *job_lines(items, jobs, paths, ago), *service_lines(services, paths, ago)],
        OLD_BOXES: [*old_box_lines(items, boxes, ago)],
        REPOSITORY: repository,
        CHECKS: checks,
        WORK: [{**line, "turn": turns.head_of(newest_step(line))}
               for line in with_services(work_lines(of_work, paths, stated, summary, since_failures), services, paths)],
        ALSO_ON_RECORD: [*also_on_record_lines(completed, paths, set_up)],
        FILES_READ: [*file_lines(items, paths)],
    }
    if summary:
        sections[EARLIER_WORDS] = words_beside(sections[EARLIER_WORDS], summary)
        sections[TASK_LIST] = [line_beside(line, summary) if line.get("what") == DONE_TASKS else line
                               for line in sections[TASK_LIST]]
        sections[ALSO_ON_RECORD] = [line_beside(line, summary) for line in sections[ALSO_ON_RECORD]]
    # A tag among words would stand within one of their sentences: the choice puts it behind those that it takes.
    between = edits_between(known["actions"], known["files_back"])
    taken_away = paths_taken_away_later(items, edits_by_file(items), root)
    gone = {path for path, (how, _) in taken_away.items() if how != FILE_MOVED}
    said = without_old_reports(words_of_agent(items, spans_of_tests_passed_later(known["runs"]), between, turns, gone))
    removed = removed_files(items, taken_away)
    known_paths = {item["path"] for item in items if item.get("path")} if removed else set[str]()
    for line in said:
        line["removed_later"] = removed_after(line["items"][0], removed, known_paths)
    return {section: tagged_lines(lines) for section, lines in sections.items()}, said


def known_of(items: Sequence[Item], root: str, folder: str) -> Known:
    """What follows from the items of a session with this root, whose working folder is this."""
    actions = [item for item in items if item["kind"] == "action"]
    events, runs = marked_events(actions, root), check_runs(actions, root)
    back = taken_back(actions, events, root, folder)
    files_back = files_taken_back(actions, back)
    actions = with_spans_away(with_taken_back(actions, back), events, root)
    return {"actions": actions, "events": events, "runs": runs, "back": back, "files_back": files_back,
            "failures": open_failures(actions, root, runs)}


def parted_messages(items: Sequence[Item], ago: Ago, budget: int) -> tuple[list[Line], list[Line], list[Line]]:
    """The newest message's line; that of the order that was worked on; earlier words.

    A newest message that came after the agent's last words need not say what it answers: these stand beside it.
    """
    room: MessageRoom = {**(SMALL_ROOM if is_small(budget) else ROOM), "newest": int(NEWEST_MESSAGE_SHARE * budget)}
    if follows_last_words(items):
        room["answered_by_newest"] = 0
    messages = with_pieces_joined([*message_lines(items, ago, room)], items)
    newest = newest_message_and_refusal(messages, items)
    worked_on = order_worked_on(newest, messages, items)
    earlier = without_old_assents([line for line in messages if line not in newest and line not in worked_on], items)
    return newest, worked_on, earlier


def errand_lines(items: Sequence[Item]) -> list[Line]:
    """What a subagent was told to do, as it was given."""
    errands = [item for item in items if item["kind"] == "errand"]
    return [{"items": [errand], "text": "\n".join(f"> {line}" for line in errand["text"].splitlines())}
            for errand in errands]


def difference_lines(summary: str, items: Sequence[Item], git: GitNow) -> Iterator[Line]:
    """What the summary says and the record knows otherwise, side by side; only where both are certain.

    Where one line of the summary says several such things, what the record knows of each stands behind it.
    """
    known: dict[str, list[str]] = {}  # by what the summary says
    for finding in compare(summary, items, git) if summary else ():
        known.setdefault(finding["said"], []).append(finding["record"])
    for said, of_record in known.items():
        if said:
            yield shared_line(f"- The summary: {in_quotes(said)}. The record: {'; '.join(of_record)}")


def ordered_in_short(line: Line, plans: Sequence[Line]) -> Line:
    """A message's line; of an order that stands as one of the plans its beginning and its end."""
    item = line["items"][0]
    stands_as_plan = any(item is plan["items"][0] for plan in plans)
    if item["kind"] != "message" or not stands_as_plan:
        return line
    return with_fewer_words(line, PLAN_SHOWN_UTF16, SHOWN_AS_PLAN)


# ==================================================================================================
# text/hints.py: The paragraphs by which a text that is put back says what does not stand in it; they do not count as its budget.
# ==================================================================================================

ASK_BEGINS = "The original words, commands and errors of earlier turns can be found: "
LACKING_ENDS = " had no room here"
MORE_STEPS = " on record without a line"  # for want of room, or as a later one has overtaken it


# ==================================================================================================
# recap/recall_hints.py: What the text says of recall, which has what does not stand in it: how to search there, how to see a step.
# ==================================================================================================

AS_SKILL = "skill "  # how the words for it begin
SKILLS_OF_RECALL = {  # by its folder, seen from the scripts': of the plugin, of a copy by install.py
    "../skills/recall": "compact-keeper:recall", "../../skills/compact-keeper-recall": "compact-keeper-recall"}
TAG_EXAMPLE = "k3fq"
TAGGED_BUDGET_MIN = 1_500
TAGS_OF_LACKING_MAX = 3
NAMED_STEPS_MAX, NAMED_STEP_UTF16 = 3, 50  # then no longer than how to see them, which prints all steps before them too


def recall_call(home: str) -> str:
    """How the archive in the data folder is asked: by the skill, else "python3" and the script's path.

    Empty where nobody can ask.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    script = os.path.join(here, "recall.py")
    if not os.path.exists(os.path.join(home, ARCHIVE_FILE)) or not os.path.exists(script):
        return ""
    for folder, skill in SKILLS_OF_RECALL.items():
        if os.path.isdir(os.path.join(here, folder)):
            return f"{AS_SKILL}{skill}"
    return f"python3 {script}"


def how_to_ask(call: str) -> str:
    """The paragraph that ends the text: how to find what does not stand there; empty where nobody can ask."""
    if not call:
        return ""
    skill = call.removeprefix(AS_SKILL)
    how = f"{call} (typed: /{skill} WORDS)" if call != skill else f"`{call} search WORDS`"
    return f"\n\n{ASK_BEGINS}{how}."


def is_archived(snapshot: Snapshot, call: str) -> bool:
    """Whether recall can be asked for steps of this session."""
    is_kept = snapshot["settings"]["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    return bool(call) and is_kept


def how_to_open(snapshot: Snapshot, call: str) -> str:
    """The sentence that says how to see the step behind a tag; empty where the archive has not this session's.

    Nor in a small text: there the sentence had taken the room of the rules.
    """
    if not is_archived(snapshot, call) or snapshot["settings"]["budget"] < TAGGED_BUDGET_MIN:
        return ""
    how = how_to_show(TAG_EXAMPLE, call)
    return f"A line that ends in a tag like #{TAG_EXAMPLE} is shortened: {how} prints that step and those around it."


def how_to_show(steps: str, call: str) -> str:
    """How recall is asked to print a step by its tag, or the steps up to it (`1-k3fq`)."""
    if not call.startswith(AS_SKILL):
        return f"`{call} show {steps}`"
    is_range = "-" in steps  # a # before a range would seem to be of all of it
    return f"{call} with `show {steps}`" if is_range else f"{call} with `show #{steps}`"


def what_had_no_room(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraphs that end the text: steps left out, then rules and failed checks that had no room; mostly empty."""
    return what_is_left_out(snapshot, lines, call) + what_is_lacking(snapshot, lines, call)


def what_is_lacking(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """How many pins, rules and failed checks had no room, and how to see them: a small text must not pass for all.

    Recall has no pins.
    """
    without_room = [line for line in lines if line["why"] == NO_ROOM]
    pins = [line for line in without_room if is_of_kind(line, "pin")]
    rules = [line for line in without_room if is_of_kind(line, "rule")]
    failures = [line for line in without_room if "fails" in line]
    counts = [count_shown(len(lacking), name)
              for lacking, name in ((pins, "pin"), (rules, "rule"), (failures, "failed check")) if lacking]
    if not counts:
        return ""
    words = f"{', '.join(counts[:-1])} and {counts[-1]}" if len(counts) > 1 else counts[0]
    tags = [tag_of(item["source"]) for line in rules for item in line["items"]]
    tags += [line["tag"] for line in failures]
    first, *others = [tag for tag in tags if tag][:TAGS_OF_LACKING_MAX] or [""]
    if not first or not is_archived(snapshot, call):
        return f"\n\n{words}{LACKING_ENDS}."
    more = f" (also {', '.join(f'#{tag}' for tag in others)})" if others else ""
    return f"\n\n{words}{LACKING_ENDS}: {how_to_show(first, call)}{more}."


def is_of_kind(line: Line, kind: str) -> bool:
    """Whether the line is about an item of that kind."""
    return any(item["kind"] == kind for item in line["items"])


def what_is_left_out(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraph on steps that have no line: how many, and how to see them; empty without tags or such steps.

    Few are named, where rules or checks take no room there. A small text says how many: how to search stands before it.
    """
    if not (snapshot["how_to_open"] or is_archived(snapshot, call)):
        return ""
    left_out = steps_without_line([line for line in lines if line["is_put_back"]], snapshot["items"])
    tag = next(filter(None, (tag_of(step["source"]) for step in left_out)), "")  # not each step has one
    if not tag:
        return ""
    how = ""
    if snapshot["how_to_open"]:
        if len(left_out) <= NAMED_STEPS_MAX and not what_is_lacking(snapshot, lines, call):
            how = f": {named_steps(left_out, snapshot)}"
        else:
            how = f": {how_to_show(f'1-{tag}', call)} (steps 1 to #{tag})"
    steps = "step" if len(left_out) == 1 else "steps"
    return f"\n\n{len(left_out)} more {steps}{MORE_STEPS}{how}."


def named_steps(steps: Sequence[Item], snapshot: Snapshot) -> str:
    """The steps, each once: its command, of another tool its name and what it was about; and that it FAILED."""
    top = text_of(snapshot.get("present", {}).get("repository", {}), "root")
    paths = Paths(text_of(snapshot["state"], "root"), text_of(snapshot["state"], "cwd"), top)
    names = dict[str, None]()
    for step in steps:
        if is_command(step):
            name = code(command_in_short(step["text"], paths), NAMED_STEP_UTF16)
        else:
            about = middle_out(paths.short(step["path"] or step["text"]), NAMED_STEP_UTF16)
            name = f"{step['tool']} {about}".rstrip()
        names[f"{name} (FAILED)" if text_of(step, "verdict") == "failed" else name] = None
    return ", ".join(names)


# ==================================================================================================
# recap/parts.py: The text that is put back: the stored snapshot with pins and what is true now, in one part or in up to three.
# ==================================================================================================

HARD_STOP = CLIENT_CUTS_AT_UTF16 - 200  # UTF-16 units, printed at most
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
WHOLE_MAX_UTF16 = 1_000  # a line of more may stand in two parts
OVER_LEAST_UTF16 = 60  # that are left out where a text is too long: by single units one was chosen nine times
ONE_PART_BUDGET = HARD_STOP - ASK_ROOM  # what a larger one chooses goes out in several parts
FURTHER_HEADERS = tuple(f"compact-keeper: {number} part of the record" for number in ("second", "third"))
THRASH_RECORDS, THRASH_COMPACTIONS = 100, 3  # so many compactions within so many records: the text is kept short
THRASH_UNITS = 2_000  # that it has at most, with how to ask the archive
CONTINUED = " (continued)"  # behind a section's heading in a further part
KEPT_SHORT = "(Kept short: "  # how the last paragraph of such a text begins


def as_of_now(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins and what is true now; of none only an empty list of items, without pins."""
    if "items" not in snapshot:
        return {"items": []}
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, project_folders(text_of(snapshot, "project")))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def in_one_part(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a budget for one part, where nobody could hand over a second."""
    return with_budget(snapshot, ONE_PART_BUDGET)


def with_budget(snapshot: Snapshot, most: int) -> Snapshot:
    """The snapshot with its own budget, or with so many units where that is more."""
    budget = min(snapshot["settings"]["budget"], most)
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


def recap_parts(snapshot: Snapshot, positions: Sequence[int] = ()) -> tuple[list[str], list[ChosenLine]]:
    """What goes out of the snapshot, part by part, and all lines that might stand in it.

    `positions`: where in the session its last automatic compactions came. A subagent is not told how to ask recall.
    """
    call = "" if text_of(snapshot, "agent") else recall_call(data_home())
    parts, lines = chosen_parts(snapshot, call)
    why = why_short(positions)
    if why and sum(map(units, parts)) > THRASH_UNITS:
        parts, lines = chosen_parts(with_budget(snapshot, THRASH_UNITS - ASK_ROOM), call, why)
    named = snapshot.get("named", ())
    if named:  # what is noted of the lines is what goes out of them
        lines = [{**line, "text": without_marked(line["text"], named)} for line in lines]
    return [without_marked(part, named) for part in parts], lines


def chosen_parts(snapshot: Snapshot, call: str, why: str = "") -> tuple[list[str], list[ChosenLine]]:
    """The recap, in as many parts as its budget needs; all lines that might stand in it.

    `call`: how recall is asked; `why` ends the text. What a part leaves empty, as its next line is too long, may be
    missing in the last, and what ends a small text may be long: then fewer lines are chosen, so that each stands as it
    is counted.
    """
    snapshot = {**snapshot, "how_to_open": how_to_open(snapshot, call)}
    sections, said = sections_of(snapshot)
    pieces = all_pieces(sections.get(WORK, ()), said)
    budget, lost_room = snapshot["settings"]["budget"], units(snapshot["how_to_open"])
    most_further = -(-(budget - ONE_PART_BUDGET) // REST_MAX_UTF16)  # rounded up
    while True:
        lines = chosen_lines(sections, pieces, budget, lost_room, text_of(snapshot, "summary"))
        shown = shown_of(lines)
        last_end = what_had_no_room(snapshot, lines, call) + why
        begin = header_of(snapshot if any(map(has_tag, shown)) else {**snapshot, "how_to_open": ""})
        parts = divided(begin, shown, how_to_ask(call), last_end, text_of(snapshot, "id"))
        over = max(sum(map(units, parts)) - budget - ASK_ROOM,
                   sum(map(units, parts[1:])) - most_further * REST_MAX_UTF16)
        longest = max(map(units, parts[1:]), default=0)
        if (over <= 0 and len(parts) <= 1 + most_further and longest <= REST_MAX_UTF16) or not shown:
            return parts, lines
        lost_room += max(over, OVER_LEAST_UTF16)


def divided(begin: str, lines: Sequence[ChosenLine], end: str, last_end: str, compaction_id: str) -> list[str]:
    """The lines with begin and end in one part; those that have no room there in further ones.

    `end` stands in the first part, `last_end` in the last; `compaction_id` names the text. The last part may be longer
    than it should.
    """
    lines = [*with_rows_apart(lines)]
    count = fitting(lines, HARD_STOP - units(begin) - units(end) - units(last_end))
    parts = [under_headings(begin, lines[:count]) + end]
    block = f" (block {compaction_id[-NONCE_CHARACTERS:]})" if compaction_id else ""
    for header in FURTHER_HEADERS:
        if count == len(lines):
            break
        section = lines[count - 1]["section"] if count else ""
        begin, rest = f"{header}{block}.", lines[count:]
        is_last = header == FURTHER_HEADERS[-1]
        more = len(rest) if is_last else fitting(
            rest, REST_MAX_UTF16 - units(begin) - units(CONTINUED) - units(last_end))
        parts.append(under_headings(begin, rest[:more], continued=section))
        count += more
    return [*parts[:-1], parts[-1] + last_end]


def under_headings(begin: str, lines: Sequence[ChosenLine], continued: str = "") -> str:
    """The lines behind their begin, each section's under its heading; that of the section `continued` says so."""
    blocks: dict[str, list[str]] = {}
    for line, text in zip(lines, below_turns(lines)):
        section = line["section"]
        if section not in blocks:
            blocks[section] = [f"## {section}{CONTINUED}" if section == continued else f"## {section}"]
        blocks[section].append(text)
    return "\n\n".join([begin, *("\n".join(block) for block in blocks.values())])


def with_rows_apart(lines: Iterable[ChosenLine]) -> Iterator[ChosenLine]:
    """The lines, of a long one its rows apart, so that a part may end between them; the first with the one below it.

    A plan of 8,800 units had no room behind a first part's begin: that part had 800, and what told most was left out.
    """
    for line in lines:
        head, line_break, below = line["text"].partition("\n")
        if units(line["text"]) <= WHOLE_MAX_UTF16 or not below:
            yield line
            continue
        first, *others = below.split("\n")
        for text in (f"{head}{line_break}{first}", *others):
            yield {**line, "text": text}


def fitting(lines: Sequence[ChosenLine], room: int) -> int:
    """How many of the lines have room in so many units, with the headings above them."""
    section = ""
    for count, (line, text) in enumerate(zip(lines, below_turns(lines))):
        if line["section"] != section:
            section = line["section"]
            room -= heading_units(section)
        room -= units(text) + 1
        if room < 0:
            return count
    return len(lines)


def shown_of(lines: Iterable[ChosenLine]) -> list[ChosenLine]:
    """Those of the lines that are put back."""
    return [line for line in lines if line["is_put_back"]]


def why_short(positions: Sequence[int]) -> str:
    """The paragraph that ends a text which is kept short, as many automatic compactions came close together.

    Empty where they are few. `positions`: where in the session they came, the last one last.
    """
    near = [position for position in positions if 0 <= positions[-1] - position < THRASH_RECORDS]
    if len(near) < THRASH_COMPACTIONS:
        return ""
    return (f"\n\n{KEPT_SHORT}{len(near)} automatic compactions came within {near[-1] - near[0]} records of the "
            "transcript, this one the last, and a long text here would soon bring the next. Tasks, checks, earlier "
            "words and steps may be missing.)")


# ==================================================================================================
# recap/by_hand.py: What was saved of a session, shown and brought in by hand: restore_snapshot.py with --now, --bring-in and --show.
# ==================================================================================================

SNAPSHOT_MAX_BYTES = 8 << 20  # on stdin
SAVED_OF_OTHER = "compact-keeper: what was saved of {}:"  # above a text that calls that one "this session"
BROUGHT_IN = "compact-keeper: the user has brought in what was saved of {}:"
THIS_SESSION, STOPPED_SESSION = "this session", "session {} of this folder, whose compaction did not finish"
ANYWAY, HOW_ANYWAY = "anyway", "`/compact-keeper:restore anyway` brings in all that is saved all the same"
OF_KILLED = "killed"
IS_READ_NEXT = "Claude reads this with your next message."
IS_TAKEN_OVER = f"{IS_READ_NEXT} The record is this session's now, too: it comes back after a compaction here."
IS_READ_ONCE = f"{IS_READ_NEXT} It is another session's, and told once: a compaction brings back this session's own."


def bring_in(session: str, wish: str) -> int:
    """Prints what is saved and leaves it for the model of the session named, where something may be missing there; 0.

    Of this folder's session whose compaction did not finish, else of the one named. `wish`: ANYWAY, also where nothing
    is missing, or OF_KILLED, of a session of this folder whose compaction has not ended: it may be at work in another
    window, so it is named and taken only then. Where no session is named it is printed alone.
    """
    if not SESSION_ID.match(session):
        return print_saved(session)
    began = time.time()
    killed, hint = killed_here(session)
    stopped, named = (killed, "") if wish == OF_KILLED else (stopped_here(), session)
    waiting = session_waiting(private_folder("sessions", session))
    if waiting and os.path.basename(waiting) == os.path.basename(stopped) != session:
        print(f"compact-keeper: brought in already. {IS_READ_NEXT}")
        return 0
    for folder in folders_of(stopped, named):
        is_others = folder == stopped and os.path.basename(folder) != session
        why = "" if wish == ANYWAY or is_others else why_not_due(folder, folder == stopped)
        if why:
            print(f"compact-keeper: {why}. {HOW_ANYWAY}.{hint}")
            return 0
        parts = parts_saved(folder)
        if parts:
            stopped_at = read_compaction(folder).get("time", 0.0) if folder == stopped else 0.0
            print_and_leave(parts, folder, session, began, stopped_at)
            return 0
    minutes = UNFINISHED_SECONDS // 60
    if wish == OF_KILLED:
        print(f"compact-keeper: no other session of this folder began a compaction in the last {minutes} minutes that "
              "has not ended; nothing to restore.")
    else:
        print("compact-keeper: nothing is saved of this session yet, and no other in this folder is known to have "
              f"failed at a compaction in the last {minutes} minutes; nothing to restore.{hint}")
    return 0


def print_and_leave(parts: list[str], folder: str, session: str, began: float, stopped_at: float) -> None:
    """Prints what is saved in the folder and leaves it for the session, which takes over another session's record.

    `began`: when it was asked for; `stopped_at`: when the compaction began that did not finish, 0 without one.
    """
    saved, own = os.path.basename(folder), private_folder("sessions", session)
    shown, how_it_is_read = [*parts], IS_READ_NEXT
    if saved != session:
        shown.insert(0, SAVED_OF_OTHER.format(STOPPED_SESSION.format(saved)))
        how_it_is_read = IS_TAKEN_OVER if take_over(own, folder) else IS_READ_ONCE
    is_left = leave_untold(own, {"parts": brought_in(parts, folder, session), "brought_in": saved,
                                 "brought_at": began, "goes_on": False, "stopped_at": stopped_at})
    if is_left:
        shown.append(how_it_is_read)
    os.write(1, ("\n\n".join(shown) + "\n\n").encode())


def print_saved(session: str) -> int:
    """Prints the text of this folder's session whose compaction did not finish, else of the one named; 1 for none."""
    stopped = stopped_here()
    for folder in folders_of(stopped, session):
        parts = parts_saved(folder)
        if parts:
            os.write(1, ("\n\n".join(parts) + "\n").encode())
            if folder == stopped:
                set_stage(stopped, read_compaction(stopped), "brought in")
            return 0
    rest = f"nothing is saved of session {session}; another is named by its id" if session else "no session is named"
    print(f"compact-keeper: no compaction in this folder failed in the last {UNFINISHED_SECONDS // 60} minutes, and "
          f"{rest}: restore_snapshot.py --now SESSION")
    return 1


def bring_in_anew(session: str) -> int:
    """Makes the text anew that waits for the session's model, as what is pinned has changed since it was left; 0."""
    folder = private_folder("sessions", session)
    saved = session_waiting(folder)
    if saved:
        its_folder = session_folder(os.path.basename(saved))
        replace_waiting(folder, saved, brought_in(parts_saved(its_folder), its_folder, session))
    return 0


def parts_saved(folder: str) -> list[str]:
    """The text of what is saved in a session's folder, with pins and what is true now; none where nothing is."""
    present = saved_in(folder)
    return recap_parts(present)[0] if present["items"] else []


def brought_in(parts: list[str], folder: str, session: str) -> list[str]:
    """The parts as the session's model is told them, under a line that says of which session they were saved."""
    saved = os.path.basename(folder)
    head = BROUGHT_IN.format(THIS_SESSION if saved == session else STOPPED_SESSION.format(saved))
    return [f"{head}\n\n{first}" for first in parts[:1]] + parts[1:]


def why_not_due(folder: str, has_failed: bool) -> str:
    """Why nothing of the session needs to be brought in; empty where something may be missing, or that is not known.

    A compaction that failed, or could not begin in a full context, has dropped nothing of its own session.
    """
    if has_failed:
        return "this session's compaction did not finish: the conversation is whole; nothing to restore"
    if not os.path.isfile(os.path.join(folder, SNAPSHOT_FILE)):
        return ""
    stage = read_compaction(folder).get("stage")
    if not stage:
        return "this session was not compacted yet; nothing to restore"
    is_there = stage in ("delivered", "verified", "repaired")
    return "the last compaction was put back; nothing to restore" if is_there else ""


def folders_of(stopped: str, session: str) -> list[str]:
    """Where something may be saved: of the session that stopped, then of the one named."""
    named = session_folder(session) if SESSION_ID.match(session) else ""
    return [folder for folder in (stopped, named) if os.path.isdir(folder)]


def stopped_here() -> str:
    """The folder of this project's session whose compaction did not finish; empty where there is none."""
    return next((folder for folder, _, _ in unfinished(project_folder({}))), "")


def killed_here(session: str) -> tuple[str, str]:
    """The folder of this project's other session whose compaction has not ended, and how to take it; both may be empty.

    The session itself has lost nothing: its transcript is whole. Nothing is said of one that was brought in already, or
    of which nothing is saved: the client starts the hook before it finds that there is too little to compact.
    """
    others = [(folder, compaction) for folder, compaction in not_ended(project_folder({}))
              if folder != session_folder(session) and own_snapshot(folder, os.path.basename(folder)).get("items")]
    new = [other for other in others if other[1].get("stage") == "begun"]
    if not new:
        return others[0][0] if others else "", ""
    folder, compaction = new[0]
    return folder, (f" Another session of this folder began a compaction at {clock(compaction.get('time', 0.0))} that "
                    f"has not ended. Where it was killed or closed, `claude --resume {os.path.basename(folder)}` "
                    f"goes on with it, and `/compact-keeper:restore {OF_KILLED}` brings in here what was saved of it.")


def saved_in(folder: str) -> Snapshot:
    """The snapshot in a session's folder with pins and what is true now; without items where there is none.

    It is brought up to the end of the session's transcript first: the save at a turn's end may have come before the
    answer stood in it.
    """
    session, status = os.path.basename(folder), read_store(os.path.join(folder, STATUS_FILE))
    snapshot = own_snapshot(folder, session)
    if not snapshot:
        return as_of_now(snapshot, folder)
    current, _, as_of = current_snapshot({
        "session_id": session, "transcript_path": text_of(status, "transcript"), "cwd": text_of(snapshot, "project"),
        "hook_event_name": ""}, folder)
    return as_of_now({**current, "id": text_of(snapshot, "id"), "as_of": as_of, "is_by_hand": True}, folder)


def show(with_reasons: bool) -> int:
    """Prints what would come back of the snapshot on stdin, or in its place why each line does; nothing is written."""
    snapshot = snapshot_on_stdin()
    folder = session_folder(os.path.basename(text_of(snapshot, "session")))
    current = as_of_now(snapshot, folder)
    if not current["items"]:
        print("compact-keeper: nothing to put back yet")
        return 0
    parts, lines = recap_parts(current, positions_of(read_compaction(folder), current))
    if not with_reasons:
        print("\n\n".join(parts))
        return 0
    summary, root = text_of(current, "summary"), text_of(current["state"], "root")
    print(reasons(lines, items_with_discards(current), summary, root))
    end = parts[-1].rpartition("\n\n")[2]
    if end.startswith(KEPT_SHORT):
        print(f"\n{end}")
    return 0


def snapshot_on_stdin() -> Snapshot:
    """The snapshot that save_snapshot.py --dry-run has printed; refused where stdin holds something else."""
    try:
        snapshot: Any = json.loads(sys.stdin.buffer.read(SNAPSHOT_MAX_BYTES))
    except (ValueError, RecursionError):
        snapshot = None
    is_usable = isinstance(snapshot, dict) and snapshot.get("record") == RECORD_FORMAT
    if not is_usable:
        raise Refusal("no snapshot on stdin; it is what save_snapshot.py --dry-run TRANSCRIPT prints")
    usable: Snapshot = snapshot
    return usable


# ==================================================================================================
# store/attempt.py: What is done behind the thing itself: its fault must neither cost what is done already nor what comes next.
# ==================================================================================================

def attempt_each(when: str, parts: Mapping[str, Callable[[], object]]) -> None:
    """Does each part, whatever became of the others; those that fail are together one line in hook.log, by reason.

    `when`: what they follow; `parts`: by what they write or remove. On a full disk all parts fail for the same reason.
    """
    failed: dict[str, list[str]] = {}  # by reason
    for what, part in parts.items():
        try:
            part()
        except (OSError, ValueError, Refusal) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else ""  # without the path, another one in each
            failed.setdefault(reason or str(fault), []).append(what)
    if failed:
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in failed.items())
        log(f"{when}, {reasons}")


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FAILING_CHECK = "failing check"  # what such a line is about


def restore_line(snapshot: Snapshot, shown: Sequence[ChosenLine], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units.

    A check that fails or passed counts as a thing, as in all that tell of it.
    """
    lines = [{"kind": kind_of(line), "section": line["section"], "line": line["text"]} for line in shown]
    things = len({id(item) for line in shown for item in line["items"]})
    things += sum("fails" in line or "passes" in line for line in shown)
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   things=things, lines=lines)


def kind_of(line: Line) -> str:
    """What a line is about: its item's kind, a check that fails or passed, or what is true now."""
    if line["items"]:
        return line["items"][0]["kind"]
    return FAILING_CHECK if "fails" in line else PASSED if "passes" in line else "fact"


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)


# ==================================================================================================
# store/summary.py: summary.json of a session: what the client's summariser wrote, as SubagentStop brings it before SessionStart.
# ==================================================================================================

SUMMARY_FILE = "summary.json"


def summary_of(folder: str, compaction: CompactionState) -> str:
    """The summary of the session's newest compaction; empty where none was kept since it began, or none can be read."""
    if not compaction.get("time"):
        return ""
    kept = readable_store(folder, SUMMARY_FILE)  # where it cannot be read, the text goes out all the same
    is_new = isinstance(kept.get("time"), float) and kept["time"] >= compaction["time"]
    return text_of(kept, "text") if is_new else ""


# ==================================================================================================
# the script: Put back what a compaction dropped, once, and see to it that it arrived.
# ==================================================================================================

STARTED = time.time()
NOTHING_CAME_BACK = "compact-keeper: nothing was put back after this compaction"
HOW_TO_MEND = "/compact-keeper:doctor says what to do."
TASK_MAX_UTF16 = 4_000
REST_PATIENCE_SECONDS, REST_PAUSE_SECONDS = 3.0, 0.01  # that the first part is waited for; most take 0.1
REST_BEHIND_SECONDS = 0.1  # behind the first: the client orders texts by when their shells end


def restore(data: HookInput) -> None:
    """The hook: what is due at this event for this session."""
    event = (data["hook_event_name"], text_of(data, "source"))
    if event == ("SessionStart", "compact"):
        put_back(data)
    elif event in (("SessionStart", "startup"), ("SessionStart", "clear")):
        tell_of_unfinished(data)
    elif event == ("SessionStart", "fork"):
        # Until its first prompt no transcript tells the parent (2.1.329 and 2.1.330).
        take_mark(private_folder("sessions", data["session_id"]), FORK_MARK, "")
    elif os.path.isdir(session_folder(data["session_id"])):
        folder = private_folder("sessions", data["session_id"])
        if event == ("UserPromptSubmit", ""):
            check_receipt(data, folder, read_compaction(folder))
        elif event == ("SessionStart", "resume"):
            note_resume(folder, read_compaction(folder))
        elif event == ("SessionEnd", "") and (compaction := read_compaction(folder)).get("stage") == "begun":
            set_stage(folder, {**compaction, "ended": time.time()}, "begun")  # if not done now, it will not finish


# --- after a compaction: once, to the thread that was compacted ---


def put_back(data: HookInput) -> None:
    """After a compaction: the state of the main thread as of now, or a subagent's rules and task; each once.

    What goes wrong before something is printed the person is told of; behind that nothing raises (see `print_context`).
    """
    try:
        # What was compacted may never have been saved: it is saved now, where there is a transcript.
        if os.path.isdir(session_folder(data["session_id"])) or os.path.isfile(data["transcript_path"]):
            folder = private_folder("sessions", data["session_id"])
            compaction = readable_compaction(folder)
            agent = agent_of(data, compaction)
            if agent:
                put_back_to_subagent(data, folder, compaction, agent)
            else:
                put_back_to_main_thread(data, folder)
    except (OSError, Refusal) as fault:  # no file could be read or kept
        if not text_of(data, "agent_id"):
            why = "" if isinstance(fault, Refusal) else why_not_writable(data_home())
            print_to_person(f"{NOTHING_CAME_BACK}: {why or fault_words(fault)}. {HOW_TO_MEND}")
        raise


def readable_compaction(folder: str) -> CompactionState:
    """How far the compaction has come; empty where that cannot be read: the text goes out all the same."""
    try:
        return read_compaction(folder)
    except (OSError, Refusal):
        return {}


def agent_of(data: HookInput, compaction: CompactionState) -> str:
    """The id of the subagent whose context was compacted; empty for the main thread."""
    agent = text_of(data, "agent_id")
    is_manual = compaction.get("stage") == "begun" and compaction.get("trigger") == "manual"
    if agent or is_manual:  # nobody types /compact for a subagent
        return agent
    has_subagents = os.path.isdir(data["transcript_path"].removesuffix(".jsonl") + "/subagents")
    return compacted_agent(data["transcript_path"]) if has_subagents else ""


def put_back_to_main_thread(data: HookInput, folder: str) -> None:
    """The state of the session as of now, where this compaction's was not put back yet; else why nothing is."""
    snapshot, refusal, as_of = current_snapshot(data, folder)
    lock_session(folder)  # another installation's process may be delivering the same
    compaction = readable_compaction(folder)
    if not is_due(compaction, data["transcript_path"]):
        return
    compaction_id = id_of_delivery(compaction, data["session_id"])
    if refusal:
        keep_back(data, folder, {**compaction, "id": compaction_id}, refusal)
        return
    current = as_of_now({**snapshot, "id": compaction_id, "as_of": as_of, "summary": summary_of(folder, compaction)},
                        folder)
    if current["items"]:
        # Where compaction.json cannot be read, nobody could tell whose a further part is.
        deliver(data, folder, compaction, current if compaction else in_one_part(current))
    elif compaction.get("stage") == "begun":
        set_stage(folder, compaction, "nothing known")  # so nothing that was put back can have been lost


def id_of_delivery(compaction: CompactionState, session: str) -> str:
    """The id under which a compaction's text goes out, once: PreCompact's, where it came before; else a new one.

    That is made of the compaction before, so that two installations, each with a save of its own, make the same.
    """
    compaction_id = text_of(compaction, "id")
    if compaction.get("stage") == "begun" and re.match(COMPACTION_ID, compaction_id):
        return compaction_id
    from binascii import crc32
    return f"{crc32(json.dumps([session, compaction_id, compaction.get('offset')]).encode()):08x}"


def deliver(data: HookInput, folder: str, compaction: CompactionState, snapshot: Snapshot) -> None:
    """Prints the text for the model, unless another process has made the mark before, and notes where it went out.

    Further parts are left before: whoever hands them over waits until the stage says that the first has gone out.
    """
    positions = positions_of(compaction, snapshot)
    parts, lines = recap_parts(snapshot, positions)
    if not take_mark(folder, "delivered-", snapshot["id"], "\n\n".join(parts)):
        return
    leave_rest(folder, snapshot["id"], parts[1:])
    shown, size = shown_of(lines), sum(map(units, parts))
    print_context(data, parts[0], said_to_person(shown, size))
    took = int((time.time() - STARTED) * 1000)
    before = positions or compaction.get("before", [])
    attempt_each("behind the text", {
        "events.jsonl": lambda: note_event("restore", data["session_id"], id=snapshot["id"], units=size, ms=took,
                                           shown=counted(shown)),
        "compaction.json": lambda: set_stage(
            folder, delivered_state(data["transcript_path"], compaction, snapshot["id"], before), "delivered"),
        "history.jsonl": lambda: append_line(
            os.path.join(folder, HISTORY_FILE), restore_line(snapshot, shown, size)),
        "the receipt before": lambda: note_earlier_receipt(data, compaction.get("earlier", {}))})


def note_earlier_receipt(data: HookInput, earlier: CompactionState) -> None:
    """Notes whether the client kept what was put back after the compaction before, where no prompt came to tell it.

    Claude may work for hours without one. What was lost needs no more: the text that has gone out now is the newer.
    """
    outcome = receipt(data["transcript_path"], earlier) if is_waiting(earlier) else ""
    if outcome in ("kept", "unknown"):
        note_event("receipt", data["session_id"], id=earlier["id"], verified=outcome == "kept")


def delivered_state(transcript: str, compaction: CompactionState, compaction_id: str,
                    before: list[int]) -> CompactionState:
    """What compaction.json is to hold of a text that has gone out now under that id.

    `before`: positions of the last automatic compactions.
    """
    state: CompactionState = {"time": STARTED, "id": compaction_id, "before": before,
                              "offset": boundary_offset(transcript), "settled": time.time()}
    if compaction.get("id") == compaction_id:  # else the snapshot is a Stop's, which had no PreCompact
        about: Any = {name: compaction.get(name) for name in ("time", "trigger", "project") if name in compaction}
        state.update(about)
    return state


def keep_back(data: HookInput, folder: str, compaction: CompactionState, why: str) -> None:
    """Says once, in the log, in events.jsonl and to the person, why nothing was put back after a compaction."""
    if not take_mark(folder, "kept_back-", compaction["id"]):
        return
    log(f"nothing was put back: {why}")
    print_to_person(f"{NOTHING_CAME_BACK}: {why}. {how_to_restore(folder)}")
    attempt_each("behind the answer", {
        "events.jsonl": lambda: note_event(
            "kept back", data["session_id"], id=compaction["id"], why=quote(why, 200)),
        "compaction.json": lambda: set_stage(  # nor at the next prompt
            folder, {**compaction, "settled": time.time()}, "kept back")})


def put_back_to_subagent(data: HookInput, folder: str, compaction: CompactionState, agent: str) -> None:
    """To a compacted subagent: the user's rules and its own task. Nothing of the main thread's is delivered by it."""
    if SESSION_ID.match(agent):
        snapshot, refusal, _ = current_snapshot(data, folder)
        if snapshot:
            tell_subagent(data, folder, agent, snapshot)
        elif refusal:
            log(f"nothing was put back to a subagent: {refusal}")
    if not text_of(data, "agent_id"):  # its PreCompact was taken for the main thread's
        attempt_each("behind the text", {"compaction.json": lambda: set_stage(folder, compaction, "a subagent's")})


def tell_subagent(data: HookInput, folder: str, agent: str, snapshot: Snapshot) -> None:
    """Prints pins, rules and task for the subagent, once for each length that its transcript has."""
    task, size = task_of(data["transcript_path"], agent)
    items = [item for item in snapshot["items"] if item["kind"] == "rule"]
    if task:
        at: Entry = {"source": agent, "time": snapshot["time"], "position": snapshot["position"],
                     "cycle": snapshot["cycle"]}
        items.append(new_item("errand", at, cut(redact(clean(task)), TASK_MAX_UTF16), "assistant"))
    known = with_pins({**snapshot, "items": items}, folder)
    if not known["items"]:
        return
    [text, *_], _ = recap_parts(in_one_part({**known, "id": agent, "agent": agent}))
    if take_mark(folder, f"subagent_{agent}-", str(size)):
        tell(data, text, "", "restore", agent=agent)


def put_back_rest(data: HookInput) -> None:
    """A further command at the same start: prints the next part, when the first command has printed the first.

    Those that wait have the session's lock one behind the other, so each prints its part behind the one before.
    """
    folder = session_folder(data["session_id"])
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
        note_what_went_out(data, rest=rest)


# --- the receipt: kept, lost or unknown ---


def check_receipt(data: HookInput, folder: str, compaction: CompactionState) -> None:
    """At a prompt: whether the client kept what was delivered; what it lost goes out again, once.

    The compaction's before comes first: its boundary stands before this one's in the transcript. One text that goes
    out again is enough for a prompt.
    """
    transcript = data["transcript_path"]
    is_own = text_of(data, "prompt").lstrip().startswith("/compact-keeper")  # may be answered without the model
    if is_own or text_of(data, "agent_id") or not os.path.isfile(transcript):
        return
    earlier = compaction.get("earlier", {})
    if is_waiting(earlier):
        outcome = receipt(transcript, earlier)
        behind = behind_boundary(transcript, earlier) if outcome else 0
        if settle(data, folder, earlier, outcome, behind) or not outcome:
            return
        compaction["offset"] = max(compaction.get("offset", 0), behind)
    if is_waiting(compaction):
        settle(data, folder, compaction, receipt(transcript, compaction), 0)


def settle(data: HookInput, folder: str, delivery: CompactionState, outcome: str, behind: int) -> bool:
    """Notes what the transcript tells of a delivery and repeats one that was lost: whether something was printed.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow; 0 of the present one.
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
    is_last = read_compaction(folder).get("id") == delivery["id"]  # else the next has begun, and no rest waits for long
    summary = summary_of(folder, delivery) if is_last else ""
    current = as_of_now({**snapshot, "id": delivery["id"], "as_of": as_of, "summary": summary}, folder)
    if not current["items"]:
        return False
    parts, _ = recap_parts(current if is_last else in_one_part(current))
    if not take_mark(folder, "repaired-", delivery["id"], "\n\n".join(parts)):
        return False
    if is_last:
        leave_rest(folder, delivery["id"], parts[1:])
    tell(data, parts[0], "what was put back after the compaction had been lost; put back again", "repair",
         id=delivery["id"], units=sum(map(units, parts)))
    end_compaction(folder, delivery, "repaired", behind)
    return True


def note_resume(folder: str, compaction: CompactionState) -> None:
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


# --- a compaction that did not come to its end ---


def tell_of_unfinished(data: HookInput) -> None:
    """At a new start or /clear: one line when the session before stopped at its compaction; nothing of it is shown."""
    is_cleared = data["source"] == "clear"  # the end of the session before, which older clients do not tell
    for stopped, compaction, shown in unfinished(project_folder(data)):
        is_over = compaction.get("ended") or (shown == "failed" and is_cleared)
        if not is_over:  # it may go on in another window
            continue
        if stopped != session_folder(data["session_id"]) and take_mark(stopped, "told_", data["session_id"]):
            when = clock(compaction.get("time", 0.0))
            message = (f"the last session in this folder stopped at {when}: its compaction did not finish. "
                       f"`claude --resume {os.path.basename(stopped)}` goes on with it, "
                       f"or {how_to_restore(stopped)}")
            tell(data, f"compact-keeper: {message}", message, "unfinished")
        return


# --- what is printed ---


def tell(data: HookInput, text: str, message: str, event: str, **fields: Any) -> None:
    """Prints the text for the model and the line for the person, and notes it in events.jsonl."""
    print_context(data, text, message)
    attempt_each("behind the text", {"events.jsonl": lambda: note_event(
        event, data["session_id"], **{"units": units(text), **fields})})


def print_context(data: HookInput, text: str, message: str) -> None:
    """Prints the text for the model, and the line for the person where there is one.

    The hook answers once: a second answer would spoil the first. So whatever is noted behind it is attempted, and its
    fault goes to the log alone.
    """
    person = {"systemMessage": f"compact-keeper: {message}"} if message else {}
    print_answer(data["hook_event_name"], {"additionalContext": text}, **person)


def print_to_person(message: str) -> None:
    """Prints a line for the person alone, as the hook's one answer."""
    print_json({"systemMessage": message})


def how_to_restore(folder: str) -> str:
    """What a person types to see what was saved of the session in the folder: a copy alone meets no commands."""
    script = os.path.abspath(__file__)
    if os.path.isfile(os.path.join(os.path.dirname(script), "answer_prompt.py")):
        return "/compact-keeper:restore brings in what was saved before it."
    import shlex
    return f"{shlex.join(['python3', script, '--now', os.path.basename(folder)])} prints what was saved before it."


# --- by hand ---


def by_hand(arguments: Sequence[str]) -> int:
    """What the command line asks for; the page for anything else."""
    command, *words = arguments
    first, *others = words or [""]
    if command == "--now":
        return print_saved(first)
    if command == "--bring-in":
        return bring_in(first, "".join(others))
    if command == "--bring-in-anew" and SESSION_ID.match("".join(words)):
        return bring_in_anew("".join(words))
    if command == "--show":
        return show("--why" in words)
    print(__doc__)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook, whatever came in on stdin; by hand 0 when it was done, 1 with one line that says why not."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return run_hook(restore)
    if arguments in (["--rest"], ["--third"]):  # which do the same: the client starts equal commands once
        return run_hook(put_back_rest)
    try:
        return by_hand(arguments)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}")
        return 1
    except (LookupError, TypeError, ValueError, AttributeError) as fault:  # its fields are of another shape
        print(f"compact-keeper: the snapshot cannot be used: {type(fault).__name__}: {fault}")
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
