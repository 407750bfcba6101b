#!/usr/bin/env python3
r"""Save what a compaction would lose: read what is new in the session, keep its items with their source.

A hook for PreCompact and Stop: read (transcript, ledger) -> entries -> items -> merged with memory, pruned -> stored.
restore_snapshot.py starts it at SessionStart, where the session has gone on since the last save. At the plugin's Stop
nobody waits for it; it waits itself, for 2 s at most, until the turn's answer stands in the transcript.
Reads   the hook's JSON on stdin; the transcript from where the last save stopped, at most its last 8 MB, and of
        what lies before that on a first read only the lines with typed words; the session's ledger; the settings.
Writes  sessions/<session_id>/memory.json (every item known, how far was read), snapshot.json (what restore_snapshot.py
        chooses from), compaction.json (that a compaction begins), status.json (figures for the status line), notes.md
        (the session for people, with what git says is in no commit), a line in events.jsonl. Drafts of killed processes
        go, and at a compaction the folders of old sessions.
Starts  git at a Stop and before a compaction, for the notes, 0.2 s at most, without the repository's settings;
        recall.py, which takes the new turns into the archive, where it lies beside (COMPACT_KEEPER_ARCHIVE=off: not);
        with "transcript_backup": "gzip" itself with --backup.
Prints  on PreCompact at most 300 characters for the summariser: what comes back separately, what to spend it on.
        Nothing where nothing can come back, as nothing could be saved; nor at a subagent's: the session is saved, and
        no compaction of its begins.
Keeps   to typed words: no rule comes from a tool's output, a page, a summary or our own text. Secrets are replaced
        before anything is written.
By hand:
    save_snapshot.py --dry-run [TRANSCRIPT]    prints the snapshot that a save would store now (default: the newest
                                               transcript); restore_snapshot.py --show tells what would come back of it
    save_snapshot.py --backup TRANSCRIPT [SESSION]    keeps a compressed copy of the transcript, the newest 5
    save_snapshot.py --backups SESSION                names the copies; gzip -dc reads one back
    save_snapshot.py --fork TRANSCRIPT SESSION        saves a session that is a fork and was never saved, so that it
                                                      has its parent's record and pins; of any other it does nothing
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json, the same entry for Stop:
    {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/save_snapshot.py\" || true"}]}]}}
COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; a fault leaves the files as they were. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/save_snapshot.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import functools
import json
import os
import posixpath
import re
import stat
import sys
import time
from collections import Counter, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache, partial
from itertools import accumulate, dropwhile, islice, takewhile, zip_longest
from math import log1p
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


def start_alone(command: list[str], given: bytes = b"") -> None:
    """Starts the command with that stdin, in a process group of its own, its output nowhere; nobody waits for it.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if command and hasattr(os, "posix_spawn") and len(given) <= INPUT_MAX_BYTES:
        spawn(command, given, is_alone=True)


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


def state_of_file(path: str) -> tuple[int, ...]:
    """What is another as soon as the file is: another file, longer or written later; empty when it is gone."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return ()
    return about.st_ino, about.st_size, about.st_mtime_ns


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
PROMPT_MAX_UTF16 = 2_000  # of a prompt: longer ones are mostly pasted text, and stand whole once their row has come


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20
OWN_BEGINNING = f'{{"schema": {SCHEMA}, '.encode()  # as replace_store writes it


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


def refuse_later_version(path: str) -> None:
    """Raises Refusal where a later version wrote the file: nothing of this one may take its place."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            is_as_ours = file.read(len(OWN_BEGINNING)) == OWN_BEGINNING
    except FileNotFoundError:
        return
    if not is_as_ours:
        read_store(path)


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

CUT_MARK = "…"  # where the end of a text is missing
MIDDLE_GONE = "[… lines that the record does not keep]"
PLAN_MAX_UTF16 = 32_000  # of the newest plan: eleven of 42 had over 8,000, the longest 28,700
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
        return text[:max(limit - 1, 0)].rstrip() + CUT_MARK
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + CUT_MARK


def is_cut_text(text: str) -> bool:
    """Whether the end of the text may be missing, as `cut` marks it."""
    return text.endswith(CUT_MARK)


def is_same_when_cut(text: str, whole: str) -> bool:
    """Whether a text, which `cut` may have shortened, is this one."""
    return text == whole or (is_cut_text(text) and whole.startswith(text[:-1].rstrip()))


def last_units(text: str, most: int) -> str:
    """The end of the text, at most so many UTF-16 units of it."""
    if text.isascii():
        return text[-most:]
    raw = text.encode("utf-16", "surrogatepass")
    return (raw[:2] + raw[2:][-2 * most:]).decode("utf-16", "ignore")


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


def ends_of_output(output: str) -> str:
    """The output; of a long one the whole lines of its beginning and its end, a blank one between them.

    Of one long line its beginning up to a space: a secret that is cut in half would not be known as one.
    """
    if len(output) <= OUTPUT_HEAD_CHARACTERS + OUTPUT_TAIL_CHARACTERS:
        return output
    head = output[:OUTPUT_HEAD_CHARACTERS]
    first = head.rpartition("\n")[0] or head.rpartition(" ")[0]
    _, _, last = output[-OUTPUT_TAIL_CHARACTERS:].partition("\n")
    return f"{first}\n\n{last}"


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else whole_words(line, limit) + " …"


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


def marks_with(known: Iterable[str]) -> list[str]:
    """The marks known before, with those of what this process has seen named."""
    return sorted({*known}.union(*map(marks_of, named_runs())))


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else REPLACEMENT.ljust(len(match[0]), "*")
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
        for key, part in [*(here.items() if isinstance(here, dict) else enumerate(here))]:
            if isinstance(part, str):
                here[key] = without_marked(part, marks)
            elif isinstance(part, (dict, list)):
                here[key] = part.copy()
                waiting.append(here[key])
    return whole[0]


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
# store/log.py: hook.log: one line for each fault of ours; one that is the same at every event stands there once.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500
LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


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


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), HOOK_LOG), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]


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


def usable_memory(path: str) -> Memory:
    """The session's memory; empty where it is of another format, or, kept beside, where no save could work with it."""
    memory: Any = read_store(path)
    if memory and memory.get("record") != RECORD_FORMAT and "items" in memory:
        return {}
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    usable: Memory = {} if why else memory
    return usable


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


def can_come_back(folder: str, session: str) -> bool:
    """Whether what an earlier save stored can be put back: it holds something, and its mark can be made beside it."""
    try:
        return bool(own_snapshot(folder, session).get("items")) and not why_not_writable(folder)
    except (OSError, Refusal):
        return False


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


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"'  # as a save has it


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


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text of the first of these fields that has one; empty where none has."""
    return next(filter(None, (text_of(record, name) for name in names)), "")


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# client/transcript.py: A record of the transcript: what its message holds, and which of its words a person typed.
# ==================================================================================================

BLOCK_BEHIND = b',{"type":"t'  # in a line: words or a call behind a thought (2.0.28 to 2.1.177)
PASTED_PLAN = "Implement the following plan:"  # how a plan begins that was approved in another session
PLAN_WOVEN = "\n\nIf you need specific details from before exiting plan mode"  # what the client adds to it
HOOK_FEEDBACK = "Stop hook feedback:"  # how the client begins what a Stop hook tells the agent to go on with
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.332)
    "<command-", "<local-command", "<bash-", "<task-", "<agent-", "<teammate-", "<user-prompt-submit", "<wake reason=",
    "<cross-session-message", "[Request interrupted by", "Caveat: The messages", "This session is being continued",
    "Plan being refined via Ultraplan", PASTED_PLAN, HOOK_FEEDBACK,
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"',
    "Tool loaded.", "Unknown slash command: ", "Unknown skill: ")
OPENED_IN_IDE = r"<ide_opened_file>The user opened the file (?P<path>[^\n]{1,400}?) in the IDE\."
SELECTED_IN_IDE = (  # "the lines 4 to 9 from /srv/zones.py:", and below them what they hold
    r"<ide_selection>The user selected the lines (?P<first>\d{1,7}) to (?P<last>\d{1,7}) from "
    r"(?P<path>[^\n]{1,400}?):\n(?P<words>[^\n]{0,400})")
OUTPUTS_IN_IDE = "/temp/readonly/"  # folder of the outputs that the IDE shows: no files
WORDS_SELECTED_MAX_CHARACTERS = 80
LINE_OF_COMMAND = 400  # characters within which a command's record names it
MACHINE_FLAGS = (
    "isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent",
    "sourceToolUseID")  # of a row that a call put there: of a skill that the agent started, as if a person had typed it
OF_NO_PERSON = ("harness", "hook")  # sources of a row (from 2.1.332 on): "local" is typed, "recorded" may be
SILENT_COMMANDS = frozenset((  # the client's: what follows is no word to the agent
    "add-dir agents bashes branch btw bug chrome clear color compact config context copy cost desktop doctor effort "
    "exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login "
    "logout mcp memory migrate-installer mobile model output-style passes permissions plan plugin privacy-settings "
    "quit rate-limit-options release-notes reload-plugins remote-control remote-env rename resume rewind sandbox "
    "skills stats status statusline stickers tag tasks terminal-setup theme todos upgrade usage vim voice").split())
# Alone on its line, before and behind what was pasted into a prompt (2.1.330 and 2.1.332), in the hook's input too.
PASTE_NAME = "pasted_content"
PASTE_TAG = rf'(?m)^[ \t]*<(/?){PASTE_NAME} id="\w{{1,20}}">[ \t]*$'
PICTURE_MARK = "[Image #"  # in the words, where a picture was pasted into them
FIRES = "scheduled_task_fire"  # the client's row right before a prompt that it gives at its time
OWN_COMMANDS = ("compact-keeper:", "compact-keeper-")  # how ours begin, of the plugin and of a copy


def content_blocks(record: JsonObject) -> list[JsonObject]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def is_fired(record: JsonObject, state: Mapping[str, Any]) -> bool:
    """Whether it is a prompt that the agent scheduled, by the row that `note_firing` has noted in the state before it.

    Most have a mark of their own; one that the client runs as a command ("/loop …") looks as if it was typed.
    """
    is_behind_firing = bool(state.get("fires")) and text_of(record, "parentUuid") == state["fires"]
    origin = record.get("origin")
    is_by_person = text_of(record, "promptSource") == "typed" or (
        isinstance(origin, dict) and origin.get("kind") == "human")
    return is_behind_firing and not is_by_person and bool(prompt_blocks(record))


def note_firing(record: JsonObject, state: JsonObject) -> None:
    """Notes in the state of a session the row that tells of a scheduled prompt, until that comes, right behind it."""
    if record.get("subtype") == FIRES:
        state["fires"] = text_of(record, "uuid")
    elif is_fired(record, state):
        state["fires"] = ""


def words_given(record: JsonObject) -> str:
    """The words that stand in a person's place in this record, whoever gave them."""
    texts = (text_of(block, "text") for block in prompt_blocks(record))  # in tools' results there is none
    return "\n".join(filter(None, map(own_words, texts)))


def index_leaving(operation: object, waiting: Sequence[str]) -> int:
    """The index of what leaves the queue now, of the words that wait there; a notice has no words of a person.

    What is "removed" goes into the agent's turn: what was typed before any notice.
    """
    return next((index for index, words in enumerate(waiting) if words), 0) if operation == "remove" else 0


def prompt_blocks(record: JsonObject) -> list[JsonObject]:
    """The blocks of a prompt, also of one that went into the agent's turn; none of a record of another kind."""
    if record.get("type") == "user":
        return content_blocks(record)
    queued = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(queued, dict) or queued.get("commandMode") != "prompt":
        return []
    return content_blocks({"message": {"content": queued.get("prompt")}})


def attached_to(record: JsonObject) -> str:
    """The pictures and documents that came with a prompt, in words: "2 pictures and a document"; empty without any.

    Of 25 such rows in 71 transcripts one was no person's, and says so; what tools show stands in their results.
    """
    kinds = [block.get("type") for block in prompt_blocks(record)]
    if "tool_result" in kinds:
        return ""
    counts = ((kinds.count(kind), name) for kind, name in (("image", "picture"), ("document", "document")))
    return " and ".join(f"a {name}" if count == 1 else f"{count} {name}s" for count, name in counts if count)


def is_without_text(record: JsonObject) -> bool:
    """Whether a prompt has no text but what the client wove in beside it."""
    texts = (text_of(block, "text") for block in prompt_blocks(record))
    return all(text.startswith(("<system-reminder>", "<ide_")) for text in texts if text)


def is_machine_made(record: JsonObject) -> bool:
    """Whether the client marks the record's words as no person's."""
    queued = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    return is_by_program(record, queued) or any(queued.get(flag, record.get(flag)) for flag in MACHINE_FLAGS)


def without_paste_tags(text: str) -> str:
    """A prompt as its writer saw it: without the tags that the client sets around what was pasted."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(PASTE_TAG, "", text)).strip() if PASTE_NAME in text else text


def is_by_program(record: JsonObject, queued: JsonObject | None = None) -> bool:
    """Whether the client says that a program gave these words in the person's place; `queued` is their attachment."""
    origin, source = ((queued or record).get(name, record.get(name)) for name in ("origin", "rowSource"))
    return (isinstance(origin, dict) and origin.get("kind") != "human") or source in OF_NO_PERSON or (
        record.get("promptSource") == "system")


def open_in_ide(record: JsonObject) -> str:
    """What the client says that the person's IDE had open: a file, with the lines selected; empty: nothing of one.

    Of a line's part that was selected the words, too. No word of it is the person's, and it may be without bearing.
    """
    for text in (text_of(block, "text") for block in content_blocks(record)):
        noted = re.match(OPENED_IN_IDE, text) or re.match(SELECTED_IN_IDE, text) if text.startswith("<ide_") else None
        if noted:
            return file_in_ide({**noted.groupdict()})
    ide = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    if ide.get("type") not in ("opened_file_in_ide", "selected_lines_in_ide"):
        return ""
    return file_in_ide({"path": text_of(ide, "filename"), "first": ide.get("lineStart"),
                        "last": ide.get("lineEnd"), "words": text_of(ide, "content")})


def file_in_ide(shown: JsonObject) -> str:
    """A file's path, with the lines that were selected in it behind a colon."""
    path, first, last = shown["path"], shown.get("first"), shown.get("last")
    if not path or path.replace("\\", "/").startswith(OUTPUTS_IN_IDE):
        return ""
    if first is None:
        return str(path)
    words = text_of(shown, "words").strip()
    is_short = first == last and 0 < len(words) <= WORDS_SELECTED_MAX_CHARACTERS
    return f"{path}:{first}" + (f"–{last}" if first != last else "") + (f' "{words}"' if is_short else "")


def words_behind(record: JsonObject, *commands: str) -> str:
    """What the person typed behind one of these commands; empty where the record is of none of them."""
    texts = [text_of(block, "text") for block in content_blocks(record)] if record.get("type") == "user" else []
    names = [f"<command-name>/{name}</command-name>" for name in commands]
    text = next((text for text in texts if any(name in text[:LINE_OF_COMMAND] for name in names)), "")
    return text.partition("<command-args>")[2].partition("</command-args>")[0].strip()


def is_own_command(record: JsonObject) -> bool:
    """Whether the record is that of a command of ours that the person typed, which the agent then answers."""
    texts = [text_of(block, "text") for block in content_blocks(record)] if record.get("type") == "user" else []
    return any(f"<command-name>/{name}" in text[:LINE_OF_COMMAND] for text in texts for name in OWN_COMMANDS
               if text.startswith("<command-"))


def message_of_teammate(text: str) -> tuple[str, str]:
    """Who of a team wrote a message, and its words; both empty where it is none, or one that a program made."""
    begin = re.match(r"\s*<teammate-message teammate_id=\"([\w.@-]{1,80})\"[^>]{0,2000}>", text)
    words = text[begin.end():].partition("</teammate-message>")[0].strip() if begin else ""
    return (begin.group(1), words) if begin and words and not words.startswith("{") else ("", "")


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
# client/blocks.py: Blocks of a message: whether the model made them, and what a call's result says.
# ==================================================================================================

REJECTION = "The user doesn't want to proceed"  # how the result of a call begins that the person rejected
# What stands before the words with which they did; the second from 2.1.83 to 2.1.133, beside the first.
SAID, REASON = "the user said:\n", "The user provided the following reason for the rejection:"

NOTICES = ("<task-notification>", "<bash-notification>", "<agent-notification>")  # of a background job
NOTICES_MAX = 20  # in one text
JOB_ID = r"<(?:task|shell|agent)-id>([\w-]{1,64})</"  # `bash` and `agent` by clients 2.0.67 to 2.0.76
NOTICE_HEAD_CHARACTERS = 2_000  # of a notice, in which its id, its status and its summary stand
REMINDER = (  # how clients before 2.1.15 tell that a background shell has ended
    r"Background Bash (?P<job>[\w-]{1,64}) \(command: .{0,2000}?\) "
    r"\(status: (?P<status>completed|failed|killed)\)(?P<exit> \(exit code: \d{1,3}\))?")
JOB_END_STATES = ("completed", "failed", "killed")


def is_by_model(record: JsonObject) -> bool:
    """Whether the model wrote the record's message; the client writes some in its place."""
    return bool(record["type"] == "assistant" and record["message"].get("model") != "<synthetic>")


def result_text(block: JsonObject) -> str:
    """The text of a call's result."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(part, "text") for part in objects_in(content))


def rejection_words(text: str) -> str:
    """What the person said to the call that they rejected, in its result's text; empty where they said nothing."""
    return own_words(behind_rejection(text).partition("\n\nNote: The user's next")[0]).strip()


def behind_rejection(text: str) -> str:
    """What the client quotes behind its own words of a rejection; empty where it quotes nothing."""
    return "".join(re.split(f"{SAID}|{REASON}", text, maxsplit=1)[1:])


def report_of(output: str) -> str:
    """A subagent's report without what the client writes below it."""
    return re.split(r"\nagentId: \w|\n<usage>", output, maxsplit=1)[0]


def notices_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Id, status and words of each job that the client says here has ended; a notice of news is no end."""
    for notice in re.split("|".join(NOTICES), text)[1:NOTICES_MAX] if text.startswith(NOTICES) else ():
        head = notice.partition("<result>")[0][:NOTICE_HEAD_CHARACTERS]
        job = re.search(JOB_ID, head)
        status = re.search(r"<status>(\w{1,20})</status>", head)
        if job and status and status[1] in JOB_END_STATES:
            summary = head.partition("<summary>")[2].partition("</summary>")[0].strip()
            result = notice.partition("<result>")[2].partition("</result>")[0].strip()
            yield job[1], status[1], f"{summary}: {result}" if result else summary
    if text.startswith("<system-reminder>"):
        for match in re.finditer(REMINDER, text[:NOTICE_HEAD_CHARACTERS], re.DOTALL):
            yield match["job"], match["status"], f"{match['status']}{match['exit'] or ''}"


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
PATH_FIELDS = (*dict.fromkeys(fields["path"] for fields in CHANGING_FIELDS.values()), "path")  # of any tool's call
SEARCH_TOOLS = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", *SEARCH_TOOLS, "LS", "NotebookRead")
SUBAGENT_TOOLS = ("Task", "Agent")
TASK_TOOLS = ("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
DIALOG_TOOLS = ("AskUserQuestion", "ExitPlanMode", "EnterPlanMode")
OUTPUT_TOOLS = ("BashOutput", "TaskOutput", "AgentOutputTool", "BashOutputTool")  # of what runs in the background
WATCHING_TOOLS = ("Monitor",)  # of what a command prints, while the agent works
STOP_TOOLS = ("KillShell", "KillBash", "TaskStop")
SCHEDULING_TOOLS = ("ScheduleWakeup", "CronCreate")  # with a prompt that the client gives at its time, as if typed


def edits_in(tool: str, arguments: JsonObject) -> list[tuple[str, str]]:
    """Of each edit that a call of a changing tool makes, the text that goes and the text that comes."""
    fields = CHANGING_FIELDS[tool]
    if "old" not in fields:
        return []
    edits = objects_in(arguments.get(fields["edits"])) if "edits" in fields else [arguments]
    return [(text_of(edit, fields["old"]), text_of(edit, fields["new"])) for edit in edits]


def content_in(tool: str, arguments: JsonObject) -> str:
    """The whole of what a call of a changing tool writes; empty where it edits."""
    return text_of(arguments, CHANGING_FIELDS[tool].get("content", ""))


# ==================================================================================================
# client/call_arguments.py: What is kept of a call's arguments while it waits for its result, and behind it.
# ==================================================================================================

UNREAD_INPUT = (*CHANGING_TOOLS, "Glob")
WHICH_LINES = ("offset", "limit")  # of a file that is read: without them all, as far as the client shows it
NUMBERS_OF_COMMAND = ("run_in_background", "timeout")
WHICH_FILES = ("glob", "type")  # of a search's arguments: without them "no matches" says too much
SCRIPT_MAX_UTF16 = 8_000  # of a command with several lines: the longest of real ones had 6,200
ORDER_MAX_UTF16 = 8_000  # to a subagent
DESCRIPTION_MAX_UTF16 = 80  # of a command
INPUT_TEXT_MAX_UTF16, INPUT_NAME_MAX_UTF16, INPUT_LIST_MAX = 600, 60, 100  # of a call that waits for its result
INPUT_DEPTH_MAX = 5  # input, questions, question, options, option
TOO_DEEP = "…"


def kept_input(tool: str, arguments: JsonObject) -> JsonObject:
    """A call's arguments, quoted and short; of those that hold code nothing.

    Of a shell's what its quoted command does not tell: whether it runs in the background, what the agent calls it, and
    its lines where there are several: a comment and a command on one line are a comment alone. Of an order to a
    subagent its lines.
    """
    if tool in ("Grep", "Read"):
        wanted = WHICH_FILES if tool == "Grep" else WHICH_LINES
        arguments = {name: arguments[name] for name in wanted if name in arguments}
    if tool in SUBAGENT_TOOLS:
        return {**tidy(arguments), "prompt": cut(redact(clean(text_of(arguments, "prompt"))), ORDER_MAX_UTF16)}
    if tool not in SHELL_TOOLS:
        return {} if tool in UNREAD_INPUT else tidy(arguments)
    command = text_of(arguments, "command").strip()
    kept: JsonObject = {name: arguments[name] for name in NUMBERS_OF_COMMAND if isinstance(arguments.get(name), int)}
    description = quote(text_of(arguments, "description"), DESCRIPTION_MAX_UTF16)
    if description:
        kept["description"] = description
    return {**kept, "command": without_middle(redact(clean(command)), SCRIPT_MAX_UTF16)} if "\n" in command else kept


def tidy(value: Any, depth: int = INPUT_DEPTH_MAX) -> Any:
    """A call's input with every text in it quoted and short: it may wait on disk for its result.

    A mark stands for what lies too deep: `{}` had read as if a prompt had been emptied.
    """
    if isinstance(value, (dict, list)) and value and not depth:
        return TOO_DEEP
    if isinstance(value, dict):
        return {quote(name, INPUT_NAME_MAX_UTF16): tidy(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [tidy(inner, depth - 1) for inner in value[:INPUT_LIST_MAX]]
    return quote(value, INPUT_TEXT_MAX_UTF16) if isinstance(value, str) else value


# ==================================================================================================
# client/call_output.py: What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name.
# ==================================================================================================

CLIENTS_OWN = "\n<system-reminder>"  # behind what Read shows: it would pass for the file's words, and for an order
FOLDER_RESET = "Shell cwd was reset to "
FILES_MODIFIED = "[This command modified "  # "1 file you've previously read: a.py. Call Read before editing.]"
# Of the client's own shell, where it could not note its folder: "zsh:71: permission denied: /tmp/claude-4f2a-cwd".
FOLDER_NOT_NOTED = (
    r"(?m)^(?:Error: )?(?:[^\s:]{0,100}/)?\w{0,4}sh(?:\.exe)?: ?[^\n]{0,300}[/\\]claude-[0-9a-f]{4}-cwd"
    r"(?:: [^\n]{1,80})?(?:\n|\Z)")
FOLDER_NOTE = "-cwd"
CHATTER = (FOLDER_RESET, FILES_MODIFIED, "<system-reminder>")  # begin lines of the client's own below an output
# Below what WebSearch shows: "… in your response to the user", an order that nobody gave.
REMINDER_OF_SEARCH = "\n\nREMINDER: You MUST include the sources above"
ROW_NUMBER = r"(?m)^ {0,9}\d{1,7}[→\t]"  # before each row of a file that Read shows
EXIT_CODE = r"Exit code (\d{1,3})\b"
EXIT_CODE_LINE = rf"(?:Error: )?{EXIT_CODE}(?:\n|$)"
REFUSED_CALLS = (  # in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "Permission for this action was denied", "This command requires approval", "Claude requested permissions to ")
# Behind the reason: "This Bash command contains multiple operations. The following part requires approval: ruff check".
NOT_PERMITTED = (r"[^\n]{0,300}?(?:\brequires? (?:explicit |manual )?approval\b"
                 r"|was blocked\. For security, Claude Code may only )")
PERMISSION_WORDS = ("approval", "was blocked. For security")
# What Read, or the client in its place, says of a file that is not shown whole: its size in the group.
TOO_LARGE = r"(?:File content|Output too large) \(([\d.,]+ ?(?:tokens|[KMG]B))\)(?: exceeds maximum allowed |\Z)"
SAVED_OUTPUTS = "/tool-results/"  # the client's folder of outputs that it did not show whole, beside the transcript
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
# Before the output; of old clients its first row stands in the same one.
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\d.]{0,9}m?[hms](?: \d[\d.]{0,9}m?[hms]){0,2})(?:\s{1,9}|$)"
LIMIT_REACHED = "stopped by the tool's time limit"
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
BACKGROUND_NAME_CHARACTERS = 2_000  # of an output, in which the client names it
BACKGROUND_NOTICE_CHARACTERS = 400  # of an output, in which the client says so
BACKGROUND_NOTICES = ("in background with ID", "running in the background", "Async agent launched")


def without_row_numbers(shown: str) -> str:
    """The rows of a file as they stand there, of what Read shows of it."""
    return re.sub(ROW_NUMBER, "", shown)


def without_folder_note(output: str) -> str:
    """A shell's output without the rows in which the client's own shell says that it could not note its folder.

    Such a row had stood as why a command failed.
    """
    return re.sub(FOLDER_NOT_NOTED, "", output) if FOLDER_NOTE in output else output


def exit_code_in(output: str) -> int | None:
    """The exit code with which a failed command's output begins; None: it names none."""
    code = re.match(EXIT_CODE, output)
    return int(code[1]) if code else None


def without_repetition(output: str) -> str:
    """A failed command's output; clients up to 2.1.63 wrote of some all that it printed twice, an empty row between."""
    code_line = re.match(EXIT_CODE_LINE, output)
    begin = code_line.end() if code_line else 0
    printed = output[begin:].strip("\n")
    half = printed[:len(printed) // 2 - 1]
    return output[:begin] + half if printed == f"{half}\n\n{half}" else output


def end_by_client(output: str, is_error: bool | None, exit_code: int | None) -> ClientEnd:
    """The output without the client's words, and what they say; `is_error` and `exit_code` are those of its fields.

    From the output of a command that ended well its last rows alone are taken, in which the client says that it went
    back to the session's folder, or what files were changed: there other such words are the command's own.
    """
    output = without_clients_last_rows(output)
    if is_error is False:
        return {"output": output, "exit_code": exit_code or 0, "stopped": "", "is_refused": False}
    code_line = re.match(EXIT_CODE_LINE, output)
    code_in_output = int(code_line[1]) if code_line else None
    if code_line:
        output = output[code_line.end():]
    stopped, output = stopped_by(output, code_in_output)
    if exit_code is None:
        exit_code = code_in_output
    if exit_code is None and is_error:
        exit_code = 1
    is_refused = output.lstrip().startswith(REFUSED_CALLS)
    if is_error and not code_line and not is_refused:  # what a command prints stands behind its exit code
        is_refused = holds_any(output, PERMISSION_WORDS) and re.match(NOT_PERMITTED, output) is not None
    return {"output": output, "exit_code": None if stopped else exit_code, "stopped": stopped, "is_refused": is_refused}


def without_clients_last_rows(output: str) -> str:
    """The output without the last rows in which the client says which files changed, and to which folder it went back.

    "[This command modified 1 file …]" had stood as what a passed test printed.
    """
    for remark in (FILES_MODIFIED, FOLDER_RESET):
        rest, _, last = output.rstrip().rpartition("\n")
        output = rest if last.startswith(remark) else output
    return output


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    if limit:
        return f"{LIMIT_REACHED} after {limit[1]}", output[limit.end():]
    return "", output


def name_in_background(output: str) -> str:
    """The name under which the client lets the command run on in the background; empty: it says nothing of that."""
    begin = output[:BACKGROUND_NAME_CHARACTERS]
    match = re.search(IN_BACKGROUND, begin) if "background" in begin else None
    return str(match[1] or match[2]) if match else ""


def is_put_in_background(output: str) -> bool:
    """Whether the client says in a call's output that the command, or the subagent, runs on in the background."""
    begin = output[:BACKGROUND_NOTICE_CHARACTERS]
    return any(notice in begin for notice in BACKGROUND_NOTICES)


# ==================================================================================================
# text/fences.py: Markdown's fenced blocks of code.
# ==================================================================================================

FENCES = ("```", "~~~")


def lines_outside_fences(text: str) -> list[str]:
    """The text's lines, without those of fenced blocks and their fences; of a block without an end none behind it."""
    lines, is_code = list[str](), False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith(FENCES)
        if not is_code and not is_fence:
            lines.append(line)
        is_code ^= is_fence
    return lines


# ==================================================================================================
# client/changed_lines.py: Of an edit, the lines that differ; of a new file, how it begins.
# ==================================================================================================

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 2_800, 240
CHECKSUM_PRIME, LINE_COMPARED_CHARACTERS = 4_294_967_291, 400  # zlib would be one more module at each start
TEXT_LOOKED_AT_CHARACTERS = 20_000  # of each side of an edit
LINES_OF_A_NEW_FILE, LINES_OF_A_SIDE = 16, 20
SHORT_FILE_CHARACTERS = 1_300  # of a new file, that is kept whole
FILE_OF_SECRETS = r"(?:^|[/\\])\.env(?!.*(?:example|sample|template|dist))[\w.-]*$"
NAME_SET = r"\s*(?:export )?[A-Za-z_]\w{0,80}\s*="  # in such a file
OMITTED_ROWS = "…"
CONFLICT, CONFLICT_END = "<<<<<<<", ">>>>>>>"
AROUND, OURS, BASE, THEIRS = "around", "ours", "base", "theirs"  # of the lines of a file with a conflict
CONFLICT_MARKS = {CONFLICT: OURS, "|||||||": BASE, "=======": THEIRS, CONFLICT_END: AROUND}  # what stands below each
# How a line begins that only comments; `*.log` and `*args` do not.
COMMENT_MARKS = ("//", "#", "* ", "*/", "/*", '"""', "<!--")
MARKDOWN_COMMENT, MARKDOWN = "<!--", (".md", ".mdx", ".markdown")  # where `#` begins a heading, `*` a list's member
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
DEFINED_MIN = 2
ALTERNATIVES = r"(?:([\"'`])[^\"'`|]{1,60}\1 ?\| ?){2}[\"'`]"  # what a value may be
PART_OF_MARKDOWN = r"#{1,6} |(?:[-*+]|\d{1,3}[.)]) "  # a heading, or a list's member
SETTING = (  # a name with a value: what one looks for later by its name
    r"(?:(?:export|const|let|var|final|static|private|public|pub|readonly|self) |--|[-*] |self\.){0,4}"
    r"[\"'`]?[\w.$-]{2,60}[\"'`]?"
    r"(?:: ?[\w.<>\[\]| ]{1,40})?\s{0,9}(?:[:=]|:=)\s{0,9}"
    r"(?:[rfbLu]?[\"'`]\S|[-+]?\.?\d|#[0-9a-fA-F]{3}|(?:true|false|True|False)\b)")
NAMED_VALUE = r"(?:[-*] )?[\"'`]?[\w.$-]{2,60}[\"'`]?\s{0,9}(?::=|[:=])"
CONSTANT_ROW = r"[ \t]{0,4}(?:[A-Z][A-Z\d_]{2,40}|--[\w-]{2,40})(?:: ?[\w.\[\]]{1,30})? ?[:=] ?\S"
CONSTANTS_OF_A_NEW_FILE = 6
DEMANDING = (
    "must", "only", "never", "always", "required", "do not", "don't", "cannot", "may not", "at most", "at least",
    "not allowed")
DEMAND = rf"\b(?:{'|'.join(DEMANDING)})\b"  # of a row in lower case; most have none of these
IDLE_ROW = (  # says nothing of what a change does
    r"(?:return|break|continue|pass|else|then|fi|done|end|begin|try|do|if err != nil)\b.{0,12}$|.{0,3}$|[\W_]{0,200}$")
COMMENT_WORDS_MIN = 5  # of a comment with a number, with which it says why something is as it is
BRACKET_CHARACTERS = 4  # a shorter line mostly closes a bracket


@lru_cache(maxsize=4_096)  # a file is read again and again
def checksum(line: str) -> str:
    """A line's checksum and a point behind it."""
    return f"{int.from_bytes(line.encode('utf-8', 'surrogatepass'), 'big') % CHECKSUM_PRIME:08x}."


def changed_lines(tool: str, arguments: JsonObject) -> str:
    """The lines of a change: "- " before those that went, "+ " before new ones; each no longer than is read.

    Lines that stand on both sides are left out; a whole new file is told by its number of lines and its first ones.
    """
    content = content_in(tool, arguments)
    path = first_text(arguments, PATH_FIELDS).lower()
    if content:
        return new_file_rows(content, path)
    is_markdown = path.endswith(MARKDOWN)
    return safe_rows([row for old, new in edits_in(tool, arguments) for row in difference(old, new, is_markdown)])


def difference(old: str, new: str, is_markdown: bool = False) -> list[str]:
    """The lines that only one side has: of each the first, comments only where nothing else changed.

    Among the new ones a row OMITTED_ROWS stands where lines of both sides lie between them: without it, two lines that
    were put in at different lines read as if one followed the other.
    """
    if CONFLICT in old and CONFLICT not in new:
        return resolution(old, new)
    before, after = bare_lines(old), bare_lines(new)
    marks = (MARKDOWN_COMMENT,) if is_markdown else COMMENT_MARKS
    if are_values_changed(before, after):
        gone = [line for line, new_line in zip(before, after) if line != new_line]
        added = [OMITTED_ROWS if line == new_line else new_line for line, new_line in zip(before, after)]
    else:
        known, kept = set(before), set(after)
        gone = [line for line in before if line and line not in kept]
        if not known.issuperset(after):
            gone = telling(gone, marks)  # else all that the edit did is that these went: from the first of them on
        added = telling([OMITTED_ROWS if line in known else line for line in after if line], marks)
    return [*within_side(gone, "- "), *within_side(without_idle_gaps(added), "+ ")]


def are_values_changed(before: list[str], after: list[str]) -> bool:
    """Whether all that differs are values of the same names, line by line.

    Of four values of which each became the next one two stood on both sides, and the others had made a pair that never
    was: "0.05 → 2.0".
    """
    pairs = [(line, new_line) for line, new_line in zip(before, after) if line != new_line]
    names = [re.match(NAMED_VALUE, line) for line, _ in pairs]
    return len(before) == len(after) and bool(pairs) and all(
        name is not None and new_line.startswith(name[0]) for name, (_, new_line) in zip(names, pairs))


def resolution(old: str, new: str) -> list[str]:
    """Of an edit that ends a conflict: whose side was kept, and its lines; lines that neither side has are new ones."""
    sides, names = sides_of_conflict(bare_lines(old))
    after = bare_lines(new)
    kept = {side: {line for line in sides[side] if line in after and line not in sides[other]}
            for side, other in ((OURS, THEIRS), (THEIRS, OURS))}
    known = {line for lines in sides.values() for line in lines}
    chosen = {*kept[OURS], *kept[THEIRS], *(line for line in after if line not in known)}
    shown = telling([line if line in chosen else OMITTED_ROWS for line in after if line])
    whose = " and ".join(names.get(side, "") for side in (OURS, THEIRS) if kept[side])
    head = f"conflict ended with lines of {whose}" if whose else "conflict ended"
    return [f"+ {head}", *within_side(without_idle_gaps(shown), "+ ")]


def sides_of_conflict(rows: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The lines of each side of the conflicts in the rows, AROUND for those outside of them; and the sides' names."""
    sides: dict[str, list[str]] = {AROUND: [], OURS: [], BASE: [], THEIRS: []}
    names: dict[str, str] = {}
    side = AROUND
    for row in rows:
        mark = row[:len(CONFLICT)]
        if mark not in CONFLICT_MARKS:
            sides[side].append(row)
            continue
        side = CONFLICT_MARKS[mark]
        if mark == CONFLICT:
            names[OURS] = row[len(mark):].strip() or "a side"
        elif mark == CONFLICT_END:
            names[THEIRS] = row[len(mark):].strip() or "a side"
    return sides, names


def bare_lines(text: str) -> list[str]:
    """The text's lines without their indentation, as far as it is looked at, without what only several tell."""
    return [line.strip() for line in redact_across_lines(text[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()]


def telling(lines: list[str], marks: tuple[str, ...] = COMMENT_MARKS) -> list[str]:
    """The lines in their order; where others say more, none that only comments (by `marks`) or closes a bracket.

    A comment with a number stays: `# the two with three or more` told what a `[:2]` and a `>= 3` below it are.
    """
    code = {line for line in lines if len(line) >= BRACKET_CHARACTERS
            and (not line.startswith(marks) or is_comment_with_number(line))}
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
    best = sorted(range(len(lines)), key=lambda index: (-worth_of_row(lines[index]), index))[:LINES_OF_A_SIDE]
    missing = sum(line != OMITTED_ROWS for line in lines) - sum(lines[index] != OMITTED_ROWS for index in best)
    kept = [line if index in best else OMITTED_ROWS for index, line in enumerate(lines)]
    rows = [mark + line for line in without_idle_gaps(kept)]
    return [*rows, f"{mark}{OMITTED_ROWS} {missing} more lines"] if missing else rows


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


def new_file_rows(content: str, path: str) -> str:
    """The number of lines of a new file, and the lines that tell of it; a mark where there are others."""
    lines = lines_of_new_file(content, path)
    count = content.count("\n")
    if not content.endswith("\n"):
        count += 1
    rows = [f"{count} line{'s' * (count != 1)}", *(f"+ {line}" for line in lines)]
    if len(lines) < sum(map(is_more_than_a_bracket, map(str.strip, content.splitlines()))):
        rows.append(f"+ {OMITTED_ROWS}")
    return safe_rows(rows)


def lines_of_new_file(content: str, path: str) -> list[str]:
    """All lines of a short file, of a longer one those that it begins with; of a Markdown text its parts.

    Of a file that is there for secrets the names of what it sets, without a sign: `KEY=` would read as an empty value.
    """
    if path.endswith(MARKDOWN) and (parts := parts_of_markdown(content)):
        return parts
    if re.search(FILE_OF_SECRETS, path):
        names = [row.partition("=")[0].split()[-1]
                 for row in content.splitlines() if re.match(NAME_SET, row)]
        return [f"names only: {', '.join(names)}"] if names else []
    if len(content) <= SHORT_FILE_CHARACTERS:
        begin = [row.strip() for row in redact_across_lines(content).splitlines()]
    else:
        begin = lines_to_begin_with(content)
    lines = [*filter(is_more_than_a_bracket, begin)] or [line for line in begin if any(map(str.isalnum, line))]
    return lines if len(content) <= SHORT_FILE_CHARACTERS else lines[:LINES_OF_A_NEW_FILE]


def is_more_than_a_bracket(line: str) -> bool:
    """Whether the line of a new file is more than a bracket or a rule: `dist` of a .gitignore is, `end` is not."""
    return any(map(str.isalpha, line)) and (len(line) > BRACKET_CHARACTERS or not re.match(IDLE_ROW, line))


def parts_of_markdown(content: str) -> list[str]:
    """The headings and the members of lists of a Markdown text, of many the first and the last; none of a single one.

    Of a specification the functions had stood that its code in fences defines, and no part of what it left out.
    """
    text = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS])
    rows = [row.strip() for row in lines_outside_fences(text) if re.match(PART_OF_MARKDOWN, row.lstrip())]
    if len(rows) > LINES_OF_A_NEW_FILE:
        half = LINES_OF_A_NEW_FILE // 2
        rows = [*rows[:half], OMITTED_ROWS, *rows[-half:]]
    return rows if len(rows) >= DEFINED_MIN else []


def lines_to_begin_with(content: str) -> list[str]:
    """The lines that define something, where there are several; else those that are no opening of a file, else all."""
    rows = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()
    constants = [row for row in rows if re.match(CONSTANT_ROW, row)][:CONSTANTS_OF_A_NEW_FILE]
    defined = [row.strip() for row in rows
               if row in constants or re.match(DEFINED_ROW, row) or names_alternatives(row)]
    if len(defined) >= DEFINED_MIN:
        return defined
    behind_opening = [row.strip() for row in rows if not opens_file(row)]
    return behind_opening or [row.strip() for row in rows]


def safe_rows(rows: list[str]) -> str:
    """The rows, each no longer than is read, secrets out."""
    text = "\n".join(row[:4 * CHANGED_LINE_MAX_UTF16] for row in rows)
    shown = [cut(" ".join(row.split()), CHANGED_LINE_MAX_UTF16) for row in redact(clean(text)).splitlines()]
    return cut("\n".join(shown), CHANGE_MAX_UTF16)


# ==================================================================================================
# client/editor_calls.py: Calls of the client's own tools that go through an editor: names and outputs as the client itself would have them.
# ==================================================================================================

EDITOR_PREFIX = "mcp__acp__"
# Before the output: "Exited with code 1.Signal `Hangup: 1`. Final output:".
END_BY_EDITOR = (
    r"(?P<how>Killed\. |Timed out\. |Interrupted by the user\. )?(?:Exited with code (?P<code>\d{1,3})\.)?"
    r"(?:Signal `[^`\n]{0,60}`\. ?)?Final output:(?:\n\n|\s*\Z)")
CODES_OF_ENDS = {"Killed. ": "137", "Timed out. ": "124", "Interrupted by the user. ": "130"}  # as a shell has them


def tool_of_client(name: str) -> str:
    """The client's name of the tool of that name; of any other tool its own."""
    return name.removeprefix(EDITOR_PREFIX)


def is_through_editor(name: str) -> bool:
    """Whether the tool of that name is one of the client's, offered by the adapter."""
    return name.startswith(EDITOR_PREFIX)


def output_of_client(output: str) -> tuple[str, bool]:
    """A command's output through an editor as the client shows its own, behind "Exit code N" where it failed.

    And whether it failed. An output without the adapter's words stands as it is, and did not.
    """
    end = re.match(END_BY_EDITOR, output)
    if not end:
        return output, False
    code = end["code"] or CODES_OF_ENDS.get(end["how"] or "", "0")
    rest = output[end.end():]
    return (rest, False) if int(code) == 0 else (f"Exit code {code}\n{rest}", True)


# ==================================================================================================
# client/new_records.py: Which lines of a transcript are parsed, and the records on them.
# ==================================================================================================

TYPED_MARKS = (b'"type":"user"', b'"queue-operation"', b'"queued_command"', b'"compact_boundary"', FIRES.encode())
TOLD_IN_COPY_ALONE = (b'"answers":', b'"totalToolUseCount":', b"[ ] ")  # the last: boxes of an edited file
LINE_MIN_BYTES = 40  # of a line that tells anything
LINE_HEAD_BYTES = 900  # of a line, which say of what kind it is
REJECTION_MAX_BYTES = 2_000  # of a result's line, within which it says that the call was rejected
PROGRESS, THINKING = b'"type":"progress"', b'"content":[{"type":"thinking"'  # lines of these mostly tell nothing


def new_records(path: str, start: int, stop: int, tail_bytes: int) -> Iterator[tuple[int, JsonObject]]:
    """The records of the lines that are to be parsed, each with the offset behind its line; last an empty one."""
    for end, line in new_lines(path, start, stop, tail_bytes):
        copy = line.find(b',"toolUseResult":')  # a result's second copy
        is_needless = copy >= 0 and all(line.rfind(field, copy) < 0 for field in TOLD_IN_COPY_ALONE)
        for record in parse_line(line[:copy] + b"}" if is_needless else line or b"{}"):
            yield end, record


def new_lines(path: str, start: int, stop: int, tail_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are to be parsed, each with the offset behind it: before the tail those that may hold typed words.

    Not of progress and thinking, nor what tells nothing; last the offset up to which was read, with an empty line.
    """
    tail, end = max(start, stop - tail_bytes), start
    for first, last in ((start, tail), (tail, stop)):
        for end, line in read_lines(path, first, last) if first < last else ():
            if len(line) > LINE_MIN_BYTES and (first == tail or may_be_typed(line)) and not is_silent(line):
                yield end, line
    yield end, b""


def may_be_typed(line: bytes) -> bool:
    """Whether the line may hold words that a person typed, or the call of another's tool that a person may reject.

    By `rfind`, which takes a third of the time of `in`: a long session has 100,000 lines.
    """
    if b"tool_use_id" in line:  # at the beginning of the longest lines
        return any(line.rfind(begin, 0, REJECTION_MAX_BYTES) >= 0 for begin in (b"user said:", REASON.encode()))
    if line.rfind(b'"type":"assistant"') >= 0:
        return line.rfind(b'"name":"mcp__') >= 0
    return any(map(line.__contains__, TYPED_MARKS))


def is_silent(line: bytes) -> bool:
    """Whether the line has nothing to keep: progress, or a thought with nothing behind it."""
    if line.rfind(THINKING, 0, LINE_HEAD_BYTES) >= 0:
        return BLOCK_BEHIND not in line
    return line.rfind(PROGRESS, 0, LINE_HEAD_BYTES) >= 0


# ==================================================================================================
# client/wordless.py: What stands in the place of a message without words: the transcript does not hold them, or pictures came alone.
# ==================================================================================================

NOT_IN_TRANSCRIPT = "[a message whose words the transcript does not hold]"
SENT_ALONE = "[{} without words]"  # "2 pictures"


# ==================================================================================================
# client/prompt_queue.py: The client's queue of prompts that were sent while the agent worked: what waits in it, and what has just left it.
# ==================================================================================================

QUEUED_MAX_UTF16 = 16_000  # of words that wait: as much as is kept of a message
WAITED_SECONDS = 1  # in the queue, at least, of what was typed while the agent worked
QUEUE_TO_ROW_SECONDS = 20  # from where words leave the queue to their row; 0 to 8 seen
LEFT_MAX = 100  # of what left the queue and has no row of its own yet
SCHEDULED_MAX = 20  # prompts, the newest
SCHEDULED_MAX_UTF16 = 500  # of their words, by which they are known


class PromptQueue:
    """A session's queue, as its rows tell of it."""

    def __init__(self, memory: Memory) -> None:
        self.waiting: list[Queued] = [*memory.get("queue", [])]  # not handed to the agent yet
        self.dequeued: list[Queued] = [*memory.get("dequeued", [])]  # had waited; their rows come next
        self.left: list[Entry] = []  # went into the agent's turn just before, and may have a row of its own
        self.scheduled: list[str] = memory.get("scheduled", [])  # words of prompts that the client gives at their time

    def put(self, text: str, time: str) -> None:
        """Has the words wait from then on."""
        self.dequeued = [] if text else self.dequeued  # a notice may come between
        self.waiting.append({"time": time, "text": cut(redact(clean(text)), QUEUED_MAX_UTF16)})

    def take_next(self, operation: object, time: str) -> Queued:
        """What leaves the queue by this operation, and waits no more; without its words where nothing is known to wait.

        What leaves as soon as it came had nothing before it: a prompt without words that still stands there is lost.
        """
        newest: Queued = self.waiting[-1] if self.waiting else {"time": time, "text": NOT_IN_TRANSCRIPT}
        is_at_once = moment(time) - moment(newest["time"]) <= WAITED_SECONDS
        if operation == "dequeue" and newest["text"] == NOT_IN_TRANSCRIPT and is_at_once:
            self.waiting = [prompt for prompt in self.waiting if prompt["text"] != NOT_IN_TRANSCRIPT]
            return newest
        texts = [prompt["text"] for prompt in self.waiting]
        return self.waiting.pop(index_leaving(operation, texts)) if texts else newest

    def pull_back(self, text: str) -> None:
        """Takes what the person typed, which these words are, back into the prompt: notices, without words, wait on.

        With all of them gone, each notice that left the queue later stood as a message without words.
        """
        words = redact(clean(text))
        self.waiting = [prompt for prompt in self.waiting
                        if not prompt["text"] or (words and prompt["text"] not in words)]

    def note_dequeued(self, prompt: Queued, time: str) -> None:
        """Notes what was dequeued at that time, after a wait; from editors each prompt goes through the queue, without.

        Of 149 prompts that were dequeued 109 had been in the queue for less than 0.1 s: they answer what was said last.
        """
        if prompt["text"] and moment(time) - moment(prompt["time"]) > WAITED_SECONDS:
            self.dequeued.append(prompt)

    def take(self, text: str, time: str) -> Queued | None:
        """What was dequeued and now comes in its row, with these words, at that time; several may be one row's."""
        words = cut(text, QUEUED_MAX_UTF16) if self.dequeued else ""
        index = next((index for index, prompt in enumerate(self.dequeued) if prompt["time"] <= time
                      and (words.startswith(prompt["text"]) or prompt["text"] == NOT_IN_TRANSCRIPT)), None)
        return None if index is None else self.dequeued.pop(index)

    def take_waiting(self, text: str) -> Queued | None:
        """What waits with these words, which then waits no more: the client took a notice off the queue for its row."""
        words = cut(text, QUEUED_MAX_UTF16)
        index = next((index for index, prompt in enumerate(self.waiting) if prompt["text"] == words), None)
        return None if index is None else self.waiting.pop(index)

    def note_left(self, typed: Entry) -> None:
        """Notes the entry of what has left the queue."""
        self.left = [*self.left, typed][-LEFT_MAX:]

    def left_before(self, time: str) -> list[Entry]:
        """What left the queue just before that time, the newest first.

        A session that was resumed has the queue's rows before all that it takes over, their own row at its end.
        """
        now = moment(time)
        self.left = [entry for entry in self.left if entry["what"] == "typed" and entry["source"] == "queue"
                     and moment(entry["time"]) >= now - QUEUE_TO_ROW_SECONDS]
        return [entry for entry in reversed(self.left) if moment(entry["time"]) <= now + QUEUE_TO_ROW_SECONDS]

    def entry_of(self, text: str, time: str) -> Entry | None:
        """The entry of these words that left the queue just before, and now come in their row; None without one."""
        left = self.left_before(time)
        words = (cut(text, QUEUED_MAX_UTF16), NOT_IN_TRANSCRIPT) if left else ()
        return next((entry for entry in left if entry["text"] in words), None)

    def is_scheduled(self, text: str) -> bool:
        """Whether these are the words of a prompt that the agent scheduled."""
        return quote(text, SCHEDULED_MAX_UTF16) in self.scheduled

    def note_scheduled(self, text: str) -> None:
        """Notes the words of a prompt that the agent scheduled."""
        words = quote(text, SCHEDULED_MAX_UTF16)
        self.scheduled = [*(known for known in self.scheduled if known != words), words][-SCHEDULED_MAX:]


# ==================================================================================================
# client/saved_outputs.py: Outputs too long for the transcript, which the client has saved to files of the session.
# ==================================================================================================

SAVED = (
    r"<persisted-output>\s{0,9}(?P<reason>Output too large(?: \([^)\n]{1,20}\))?)[^\n]{0,200}?"
    r"saved to: (?P<path>[^\n]{1,4096})\n")
END_MAX_BYTES = 64 << 10  # read of a saved output: a runner says at its end how it went


def too_large_of(text: str) -> str:
    """That an output was too large to be shown, with its size, as the client says it; empty where it was shown."""
    saved = re.match(SAVED, text) if text.startswith("<persisted-output>") else None
    return saved["reason"] if saved else ""


def whole_output(text: str, folder: str) -> str:
    """A result's text; where the client saved it to a file in this folder, its beginning as shown and the file's end.

    Any program could print such a line: so only files of the session's own folder are read.
    """
    saved = re.match(SAVED, text) if text.startswith("<persisted-output>") else None
    if not saved or not folder:
        return text
    name = os.path.basename(saved["path"].strip())
    if os.path.normpath(saved["path"].strip()) != os.path.normpath(folder + name):
        return text
    shown = re.sub(r"</?persisted-output>|^Preview \(first [^\n]*$", "", text[saved.end():], flags=re.MULTILINE).strip()
    end = end_of(folder + name, END_MAX_BYTES, NO_LINK).decode("utf-8", "replace")
    return f"{shown}\n{end}" if end else shown


# ==================================================================================================
# client/thread_order.py: The rows of a transcript, a prompt before the answer to it, a call before its result.
# ==================================================================================================

ROWS_AHEAD = 6  # within which the row is looked for that an answer goes on from; the 4th seen


def in_order_of_thread(rows: Iterable[tuple[int, JsonObject]]) -> Iterator[tuple[int, JsonObject]]:
    """The rows, each with its offset in the file; what an answer or a result goes on from comes before it.

    With its offset, so that a reader who goes on at the prompt reads the answer, too. Where the row that one goes on
    from does not follow soon, it stands before what is read here, or is of a kind that nobody parses.
    """
    read = {""}  # uuids; an empty one is none
    waiting: list[tuple[int, JsonObject]] = []
    for row in rows:
        record = row[1]
        read.add(text_of(record, "uuid"))
        if waiting:
            waiting.append(row)
            while waiting and (len(waiting) > ROWS_AHEAD or is_behind_parent(waiting[0][1], read)):
                yield from take_first(waiting)
        elif is_behind_parent(record, read):
            yield row
        else:
            waiting.append(row)
    while waiting:
        yield from take_first(waiting)


def is_behind_parent(record: JsonObject, read: set[str]) -> bool:
    """Whether the row is no answer and no result, or what it goes on from is read already."""
    return text_of(record, "parentUuid") in read or not is_answer_or_result(record)


def is_answer_or_result(record: JsonObject) -> bool:
    """Whether the row holds words or calls of the agent's, or a call's result."""
    if record.get("type") == "user":
        return any(block.get("type") == "tool_result" for block in content_blocks(record))
    return record.get("type") == "assistant"


def take_first(waiting: list[tuple[int, JsonObject]]) -> list[tuple[int, JsonObject]]:
    """Takes the first row off those that wait, and those that it goes on from: these before it, with its offset."""
    offset, record = waiting.pop(0)
    before = rows_up_to(waiting, text_of(record, "parentUuid")) if is_answer_or_result(record) else []
    for row in before:
        waiting.remove(row)
    return [*((offset, moved) for _, moved in before), (offset, record)]


def rows_up_to(rows: Sequence[tuple[int, JsonObject]], uuid: str) -> list[tuple[int, JsonObject]]:
    """The row with this uuid and those among the rows that it goes on from, in their order; none without it."""
    thread: list[tuple[int, JsonObject]] = []
    for row in reversed(rows):
        if uuid and row[1].get("uuid") == uuid:
            thread.insert(0, row)
            uuid = text_of(row[1], "parentUuid")
    return thread


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def transcripts_folder() -> str:
    """Where the client keeps the transcripts, in a folder for each project; without links, so each has one name."""
    return os.path.realpath(os.path.join(config_folder(), "projects"))


def transcript_folders() -> list[str]:
    """The folders in it; none where it is not there."""
    folder = transcripts_folder()
    return [entry.path for entry in os.scandir(folder) if entry.is_dir()] if os.path.isdir(folder) else []


def newest_transcript() -> str:
    """The transcript that was written last."""
    files = [file for folder in transcript_folders() for file in os.scandir(folder)]
    transcripts = [file.path for file in files if file.name.endswith(".jsonl")]
    if not transcripts:
        raise Refusal(f"no transcript in {transcripts_folder()}; name one: save_snapshot.py --dry-run TRANSCRIPT")
    return max(transcripts, key=os.path.getmtime)


# ==================================================================================================
# client/tokens.py: Tokens: how many `usage` tells of, how large a window is, how full, and how far below its end a client compacts.
# ==================================================================================================

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
TOKENS_MAX = 100_000_000  # a larger number is none
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


def whole_number(value: object, most: int = TOKENS_MAX) -> int:
    """The value where it is a whole number above 0, at most `most`; else 0, which means that it is not known."""
    return value if type(value) is int and 0 < value <= most else 0


# ==================================================================================================
# text/dense.py: Scripts with few spaces or none: Thai, Lao, Khmer, Chinese, Japanese; Korean, whose words take others on.
# ==================================================================================================

DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # within brackets of a pattern


def is_dense(text: str) -> bool:
    """Whether a text has letters of such a script."""
    return re.search(f"[{DENSE}]", text) is not None


# ==================================================================================================
# text/paths.py: Paths, whatever system they come from: in one form, whole or not, below a folder, the same file.
# ==================================================================================================

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
ON_DRIVE = r"(?:([A-Za-z]):|(?:/mnt)?/([A-Za-z]))(?=/|\Z)"  # also as Git's shell and WSL write it
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
# Not within a URL or behind a host: `sqlite:////srv/app/data.db` without the folder is a path that is not whole.
PATH_BEGINS = r"(?<![\w/.:@~-])"
WITH_FOLDER = 2  # of a path's last parts: the file with its folder
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


def without_folder(text: str, folder: str) -> str:
    """The text with the paths below a folder, which ends with a slash, as seen from there."""
    return re.sub(PATH_BEGINS + re.escape(folder), "", text) if folder and folder in text else text


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


def are_apart(folder: str, other: str) -> bool:
    """Whether two folders, each empty where it is not known, certainly lie in none of one another."""
    are_known = is_whole_path(folder) and is_whole_path(other)
    return are_known and not is_below(folder, other) and not is_below(other, folder)


# ==================================================================================================
# text/powershell.py: Errors as PowerShell prints them: a message, and rows on where it came from and of what kind it is.
# ==================================================================================================

ERROR_SIGN = "+ FullyQualifiedErrorId "
FRAME = r"\s*(?:\+ |At .{1,300}:\d{1,7} char:\d{1,5}\s*$)"


def is_powershell_error(text: str) -> bool:
    """Whether an error of PowerShell's stands in the text."""
    return ERROR_SIGN in text


def without_frames(rows: Sequence[str]) -> list[str]:
    """The rows of an output with such an error but for those on where it came from; all, where there are no others.

    The kind holds the word "Exception", so that it had stood in place of the message.
    """
    return [row for row in rows if not re.match(FRAME, row)] or [*rows]


# ==================================================================================================
# text/telling.py: What the output of a call says of how it ended.
# ==================================================================================================

TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error"
    r"|unknown|unrecogni[sz]ed|invalid")
OUTPUT_MAX_CHARACTERS, HEAD_CHARACTERS, TAIL_CHARACTERS = 16_000, 12_000, 4_000  # of a long output both ends are read
# In an answer in JSON below an error that says only its number, why.
CAUSE_IN_JSON = r'"(?:message|detail|error_description)" ?: ?"([^"\\]{3,160})"'
LINE_MAX_CHARACTERS, QUOTED_MAX_UTF16 = 2_000, 240


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= OUTPUT_MAX_CHARACTERS:  # no half of a word at the cut: half a token is not recognised
        head = re.sub(r"\S{1,999}\Z", "", output[:HEAD_CHARACTERS])
        tail = re.sub(r"\A\S{1,999}", "", output[-TAIL_CHARACTERS:])
        output = f"{head}\n{tail}"
    whole = redact(clean(re.sub(r"</?tool_use_error>", "", output)))
    lines = [line.strip()[:LINE_MAX_CHARACTERS] for line in whole.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    if is_powershell_error(whole):
        lines = without_frames(lines)
    matches = (index for pattern in TELLING for index, line in enumerate(lines) if re.search(pattern, line))
    at = next(matches, len(lines) - 1)
    below = lines[at + 1] if at + 1 < len(lines) else ""
    cause = re.search(CAUSE_IN_JSON, below) if below.startswith("{") else None
    return quote(": ".join([*lines[at:at + 1], *([cause[1]] if cause else [])]), QUOTED_MAX_UTF16)


# ==================================================================================================
# client/entries.py: What is new in a session, as entries: words typed and said, calls with their results, ends of jobs, compactions.
# ==================================================================================================

SEEN_IDS_MAX = 2_000  # rows that may come again
ROOTS_MAX = 20  # uuids by which a fork may begin
FIELD_MAX_UTF16 = 500  # of a command, a path, an item's words: one number, so that no text is quoted twice
NO_OUTPUT = r"\(\w{1,20} completed with no output\)"  # the client's words in place of an output
TYPED_COMPARED_CHARACTERS = 600  # by which words in transcript and ledger are seen to be the same
IN_TRANSCRIPT, IN_LEDGER = 0, 1  # indexes in a memory's `typed`
ERROR_MAX_UTF16 = 200
WRITE_CHAIN_AGAIN = ("1.", "2.0.")  # how versions of clients begin that do so
COMMAND_ERROR = "<local-command-stderr>"
ROWS_TO_NOTE = 3  # behind typed words: within so many the client notes what the IDE had open
IDENTIFIER = re.compile(r"[\w.:-]{1,128}\Z")  # of rows, calls, tools and moments; else not kept
# The ledger has less of these.
BY_TRANSCRIPT = ("tool", "path", "command", "pattern", "input", "body", "change", "folder")
FILES_WITH_BOXES, BOXES_LOOKED_AT_CHARACTERS = (".md", ".txt"), 40_000
BODY_ARGUMENTS = (  # of a call, which hold text
    "pattern", *dict.fromkeys(name for fields in CHANGING_FIELDS.values() for part, name in fields.items()
                              if part in ("old", "new", "content")), "plan")
OUTPUT_NOT_KEPT = (*CHANGING_TOOLS, "Read")  # no words of their outputs are kept; of a file read line numbers are
NOTICE_MAX_UTF16 = 16_000  # of a job's end, with a subagent's report
TRIGGER_MAX_UTF16 = 20  # of what the client tells of a compaction


class Reading:
    """What is new since the last save, as a stream of entries: words typed and said, calls, ends of jobs."""

    def __init__(self, memory: Memory) -> None:
        self.calls: dict[str, Entry] = {call["id"]: {**call} for call in memory.get("pending", [])}
        self.stream: list[Entry] = [*self.calls.values()]
        self.seen: dict[str, None] = dict.fromkeys(memory.get("seen", []))
        self.state: dict[str, str] = dict(memory.get("state", {}))
        self.position, self.cycle, self.time = memory.get("position", 0), memory.get("cycle", 0), memory.get("time", "")
        self.queue = PromptQueue(memory)
        self.after: str = memory.get("after", "")  # what came just before: boundary, interrupt
        self.typed: list[str] = [*memory.get("typed", ["", ""])]  # the newest words IN_TRANSCRIPT and IN_LEDGER
        self.roots: list[str] = memory.get("roots", [])  # uuids by which a fork's transcript may begin
        self.results_folder = ""  # where the client saves outputs that are too long for the transcript

    def entry(self, what: EntryKind, source: str, **fields: Unpack[EntryFields]) -> Entry:
        """An entry at the present position in the session."""
        return {"what": what, "time": self.time, "source": source, "position": self.position, "cycle": self.cycle,
                **fields}

    def add(self, record: JsonObject) -> None:
        """Takes a record of the transcript; a re-appended row counts once, kinds unknown to us do not count."""
        kind, uuid = record.get("type"), identifier_in(record, "uuid")
        known = kind in ("user", "assistant", "attachment", "system", "queue-operation")
        if not known or uuid[-12:] in self.seen or record.get("isSidechain") or self.is_written_again(record):
            return
        self.go_on_to(record, uuid)
        if kind == "queue-operation":
            self.add_notices(text_of(record, "content") if record.get("operation") == "enqueue" else "", "queue")
            self.add_queued(record.get("operation"), words_queued(record))
        elif record.get("subtype") == "compact_boundary" or record.get("isCompactSummary"):
            if self.after != "boundary":  # a boundary and its summary are one compaction
                self.cycle += 1
                self.stream.append(self.entry("compacted", uuid, **fields_of_compaction(record)))
            self.after = "boundary" if record.get("subtype") == "compact_boundary" else ""
        else:
            self.add_message(record, uuid)

    def is_written_again(self, record: JsonObject) -> bool:
        """Whether a resume wrote the record anew: clients before 2.1 write a chain of them again, at one moment.

        Under new ids: 13 messages had stood as typed twice. Such a chain begins elsewhere than at the record before,
        with a record that counts.
        """
        if not text_of(record, "version").startswith(WRITE_CHAIN_AGAIN):
            return False
        moment = identifier_in(record, "timestamp")
        if moment and moment == self.state.get("chain"):
            return True
        goes_on = text_of(record, "parentUuid")[-12:] == next(reversed(self.seen), "")
        self.state["chain"] = "" if goes_on or record.get("type") != "user" else moment
        return False

    def go_on_to(self, record: JsonObject, uuid: str) -> None:
        """Goes on to the record: its position, time, folder and branch are the present ones; its uuid is known then."""
        if uuid:
            self.seen[uuid[-12:]] = None
        if uuid and (not self.roots or record.get("subtype") == "compact_boundary"):
            self.roots = [*self.roots[:1], *self.roots[1:][-ROOTS_MAX:], uuid]
        self.position += 1
        self.time = identifier_in(record, "timestamp") or self.time
        if text_of(record, "cwd"):  # a record that has one names its branch: of a folder without a repository none
            self.state["cwd"], self.state["gitBranch"] = (
                with_slashes(text_of(record, "cwd")), text_of(record, "gitBranch"))
        self.state["root"] = self.state.get("root") or self.state.get("cwd", "")

    def add_message(self, record: JsonObject, uuid: str) -> None:
        """Takes what was typed, said, called and answered in a record of none of the other kinds."""
        kind = record.get("type")
        if isinstance(record.get("attachment"), dict):  # a notice that came while the agent worked
            self.add_notices(text_of(record["attachment"], "prompt"), uuid)
        blocks = content_blocks(record)
        if kind == "assistant":
            self.state["broken_off"] = words_of_error(record, blocks)
            if self.after == "interrupt" and is_by_model(record):
                self.after = ""  # the agent went on: what is typed next comes after no interrupting
        if may_be_prompt(kind, blocks):
            if not self.is_of_no_person(record):
                self.add_prompt(record, uuid)
            self.add_command(record, uuid)
            self.add_file_in_ide(open_in_ide(record))
        note_firing(record, self.state)
        for block in blocks:
            self.add_block(block, record, uuid)

    def add_prompt(self, record: JsonObject, source: str) -> None:
        """A prompt's words, with what came beside them: "go on with this" had pointed to what a picture showed.

        Nothing is noted where the words themselves have the mark of a picture.
        """
        words, attached = words_given(record), attached_to(record)
        if attached and is_without_text(record):
            words, attached = SENT_ALONE.format(attached), ""
        is_queued = record.get("type") == "attachment"
        if words and not is_queued:
            self.bring_before_typed()
        self.add_typed(words, source, "queue" if is_queued else "prompt",
                       attached="" if PICTURE_MARK in words else attached)

    def add_typed(self, text: str, source: str, via: str, typed_at: str = "", attached: str = "") -> None:
        """Words that a person typed, redacted before anything looks at them, once: the ledger may tell them too.

        It has their beginning alone, and not what came with them: where it was first, their row tells these.
        """
        text = redact(clean(text)) if text else ""
        if not text:
            return
        if source == "ledger" and self.queue.is_scheduled(text):
            return  # its row tells whether a person typed it
        if source not in ("ledger", "queue"):
            if left := self.queue.entry_of(text, self.time):
                left.update({"source": source, "via": via, "text": text, "attached": attached})
                return
            if dequeued := self.queue.take(text, self.time):
                via, typed_at = "waited", dequeued["time"]
            elif waiting := self.queue.take_waiting(text):
                typed_at = waiting["time"]
        own, other = (IN_LEDGER, IN_TRANSCRIPT) if source == "ledger" else (IN_TRANSCRIPT, IN_LEDGER)
        begin = text[:TYPED_COMPARED_CHARACTERS]
        if self.typed[other] == begin:  # they are the same words
            if source != "queue":  # its row is still to come, and the same
                self.typed = ["", ""]  # both files have told these: they stand for no later words
                self.stream += [] if source == "ledger" else [self.entry("row", source, text=text, attached=attached)]
            return
        self.typed = ["", ""]  # the other file's stand for no later words
        self.typed[own] = begin
        via = "interrupt" if self.after == "interrupt" and via != "waited" else via  # what waited was typed before it
        self.after = ""
        typed = self.entry("typed", source, text=text, via=via, typed_at=typed_at or self.time,
                           broken_off=self.state.get("broken_off", ""), attached=attached)
        self.stream.append(typed)
        if source == "queue":
            self.queue.note_left(typed)

    def bring_before_typed(self) -> None:
        """What was said and run before words that are typed now came before them, whatever its time says.

        Clients of 1.0 wrote what was not on disk yet at a resume, all with its moment; what was typed between kept its
        own. A refusal had stood with words that were typed eight minutes and two messages later.
        """
        for entry in reversed(self.stream):
            if entry["time"] <= self.time or entry["what"] in ("typed", "compacted"):
                break
            if entry["what"] in ("said", "call"):
                entry["time"] = self.time

    def add_file_in_ide(self, path: str) -> None:
        """What the IDE had open, beside the words that were typed just before: in their row, or in one behind it."""
        newest: Entry = self.stream[-1] if self.stream else {}
        if path and newest.get("what") == "typed" and self.position - newest["position"] <= ROWS_TO_NOTE:
            newest["opened"] = quote(with_slashes(path), FIELD_MAX_UTF16)

    def add_command_error(self, text: str) -> None:
        """Why the slash command failed that was typed just before: the agent got nothing of it."""
        newest: Entry = self.stream[-1] if self.stream else {}
        is_behind = newest.get("what") == "typed" and self.position - newest["position"] <= ROWS_TO_NOTE
        if text.startswith(COMMAND_ERROR) and is_behind and newest["text"].startswith("/"):
            newest["command_error"] = quote(text.removeprefix(COMMAND_ERROR).partition("</")[0], FIELD_MAX_UTF16)

    def add_command(self, record: JsonObject, source: str) -> None:
        """Words that a person typed behind /compact, and that a command of ours was typed."""
        self.add_typed(words_behind(record, "compact"), source, "compact")
        if is_own_command(record):
            self.stream.append(self.entry("looked up", source))

    def is_of_no_person(self, record: JsonObject) -> bool:
        """Whether nobody typed the record's words; what left the queue with the same ones is typed no more.

        A prompt that the agent scheduled comes through the queue as a typed one does, and had stood as the newest
        message: only its row says whose it is. Its words are known then, where its hook runs before its next row comes.
        """
        is_by_client = is_fired(record, self.state)
        if not (is_by_client or is_machine_made(record)):
            return False
        left = self.queue.left_before(self.time)
        text = redact(clean(words_given(record))) if left or is_by_client else ""
        if is_by_client and text:
            self.queue.note_scheduled(text)
        for entry in left:
            if entry["text"] == cut(text, QUEUED_MAX_UTF16):
                entry["what"] = "scheduled"
                break
        return True

    def add_queued(self, operation: object, text: str) -> None:
        """A prompt sent while the agent worked: counts when it leaves the queue, not when it is pulled back.

        It is "removed" into the agent's turn, "dequeued" when that turn or a compaction is over: then its own row, that
        comes next, tells it, and whether a person typed it. Of an editor's prompts only that they leave: twelve that
        were removed in three sessions stand nowhere else, and an order that was carried out had headed the text.
        """
        if operation == "enqueue":
            self.queue.put(text, self.time)
        elif operation == "popAll":
            self.queue.pull_back(text)
        else:
            left = self.queue.take_next(operation, self.time)
            if operation == "dequeue":
                self.queue.note_dequeued(left, self.time)
            elif left["text"] != NOT_IN_TRANSCRIPT or not self.has_row_already():
                self.add_typed(left["text"], "queue", "queue", left["time"])
                self.after = "" if left["text"] else self.after

    def has_row_already(self) -> bool:
        """Whether what leaves the queue now has a row of its own just before."""
        newest = next((entry for entry in reversed(self.stream) if entry["what"] == "typed"), None)
        return (newest is not None and newest["via"] == "queue" and newest["source"] != "queue"
                and moment(self.time) - moment(newest["time"]) <= QUEUE_TO_ROW_SECONDS)

    def add_block(self, block: JsonObject, record: JsonObject, source: str) -> None:
        """A block of a message: the assistant's words, a call, a result, or what the client tells in a user's place."""
        what, text = block.get("type"), text_of(block, "text").strip()
        by_model = is_by_model(record)
        if by_model and what == "text" and text:
            self.stream.append(self.entry("said", source, text=text))
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            name = text_of(block, "name")
            self.add_call(text_of(block, "id"), tool_of_client(name), block["input"], is_through_editor(name))
        elif what == "tool_result":
            self.add_result(block, record.get("toolUseResult"))
        elif text.startswith("[Request interrupted"):
            self.after = "interrupt"
        elif text.startswith(PASTED_PLAN) and not is_by_program(record):
            plan = text.partition(":")[2].partition(PLAN_WOVEN)[0].strip()
            plan = without_middle(redact(clean(plan)), PLAN_MAX_UTF16)
            self.stream.append(self.entry("plan", source, text=plan))
        elif record.get("isMeta") and text.startswith(HOOK_FEEDBACK):
            words = ends_of_output(text.removeprefix(HOOK_FEEDBACK))
            self.stream.append(self.entry("feedback", source, text=redact(clean(words)).strip()))
        elif record["type"] == "user" and text.startswith("<teammate-message"):
            sender, words = message_of_teammate(text)
            if words:
                self.stream.append(self.entry("teammate", source, text=redact(clean(words)), sender=sender))
        elif not by_model and what == "text":
            self.add_notices(text, source)
            self.add_command_error(text)

    def add_notices(self, text: str, source: str) -> None:
        """What the client tells of jobs in a user's place, where it says that they have ended."""
        for job, status, words in notices_in(text):
            kept = cut(redact(clean(words)), NOTICE_MAX_UTF16)
            self.stream.append(self.entry("ended", source, key=job, text=kept, status=status))

    def add_call(self, call_id: str, tool: str, arguments: JsonObject, is_by_editor: bool = False) -> None:
        """A tool call, not ended so far; of one that the ledger has told of, what only the transcript knows.

        `is_by_editor`: whether an editor offers the tool and runs the call.
        """
        known = self.calls.get(call_id)
        is_old = call_id in self.seen if known is None else not known.get("is_by_ledger")
        if is_old or not IDENTIFIER.match(call_id + tool):
            return
        if tool in SCHEDULING_TOOLS and text_of(arguments, "prompt"):  # the ledger has none
            self.queue.note_scheduled(own_words(text_of(arguments, "prompt")))
        path = first_text(arguments, PATH_FIELDS)
        call = self.entry(
            "call", call_id, id=call_id, tool=tool, path=quote(with_slashes(path), FIELD_MAX_UTF16), ok=None,
            exit=None, error="", output="", command=quote(text_of(arguments, "command"), FIELD_MAX_UTF16),
            rejected=False, answers={},
            body="\n".join(text_of(arguments, name) for name in BODY_ARGUMENTS),
            pattern=quote(text_of(arguments, "pattern"), FIELD_MAX_UTF16),
            change=changed_lines(tool, arguments) if tool in CHANGING_TOOLS else "",
            input=kept_input(tool, arguments))
        if is_by_editor:
            call["is_by_editor"] = True
        if self.state.get("cwd", "") != self.state.get("root", ""):
            call["folder"] = quote(self.state["cwd"], FIELD_MAX_UTF16)
        if known is None:
            self.calls[call_id] = call
            self.stream.append(call)
        else:
            read: Any = {name: value for name, value in call.items() if name in BY_TRANSCRIPT}
            known.update(read)

    def add_result(self, block: JsonObject, extra: Any) -> None:
        """A call's result. A rejection holds words of the person; one by an MCP tool or an editor may be imitated."""
        call = self.calls.get(text_of(block, "tool_use_id"), {})
        shown, is_error = result_text(block), block.get("is_error") is True
        text = whole_output(shown, self.results_folder)
        if call.get("is_by_editor") and call.get("tool") in SHELL_TOOLS:
            text, has_failed = output_of_client(text)
            is_error = is_error or has_failed
        text = without_repetition(text) if is_error else text.partition(REMINDER_OF_SEARCH)[0]
        text = without_folder_note(text) if call.get("tool") in (*SHELL_TOOLS, *OUTPUT_TOOLS) else text
        text = "" if text.startswith("(") and re.fullmatch(NO_OUTPUT, text) else text
        copy = extra if isinstance(extra, dict) else {}
        answers, tool_calls = copy.get("answers"), copy.get("totalToolUseCount")
        is_plan = call.get("tool") == "ExitPlanMode"  # an approved one
        output = without_middle(text, PLAN_MAX_UTF16) if is_plan else ends_of_output(text)
        is_cut = len(output) < len(text) or too_large_of(shown) != ""
        if call.get("tool") not in OUTPUT_NOT_KEPT:
            output = redact_across_lines(output)
        call.update({"output": output, "time": self.time, "is_by_ledger": False,
                     "answers": answers if isinstance(answers, dict) else {}})
        if isinstance(tool_calls, int):
            call["tool_calls"] = tool_calls
        if is_cut:
            call["is_output_cut"] = True
        if call.get("change") and call["path"].endswith(FILES_WITH_BOXES):
            call["boxes_before"] = boxes_before(copy)
        if not is_error:
            is_look = call.get("tool") in ("Read", *SEARCH_TOOLS)
            call.update({"ok": True, "body": text if is_look else call.get("body", "")})
            if call.get("tool") == "Read":
                call["error"] = too_large_of(shown)
        elif text.startswith(REJECTION) and not (call.get("is_by_editor") or call.get("tool", "").startswith("mcp__")):
            call["rejected"] = True
            self.add_typed(rejection_words(text), call.get("id", ""), "rejection")
        else:
            text = "It says that the user rejected it" if text.startswith(REJECTION) else text
            call.update({"ok": False, "exit": exit_code_in(text), "error": telling_line(text)})


def boxes_before(copy: JsonObject) -> str:
    """The rows with boxes that a file had before an edit, by the client's copy: of all of it, else around the edit."""
    whole, hunks = text_of(copy, "originalFile"), objects_in(copy.get("structuredPatch"))
    lines = [line for hunk in hunks if isinstance(hunk.get("lines"), list) for line in hunk["lines"]]
    rows = whole[:BOXES_LOOKED_AT_CHARACTERS].splitlines() or [
        line[1:] for line in lines if isinstance(line, str) and not line.startswith("+")]
    return "\n".join(row for row in rows if "] " in row)


def words_of_error(record: JsonObject, blocks: Sequence[JsonObject]) -> str:
    """With which error of the API the client says that the turn broke off; empty where it says nothing of one.

    That the prompt was too long is over with the compaction.
    """
    words = text_of(blocks[0], "text") if blocks and record.get("isApiErrorMessage") else ""
    return "" if words.startswith("Prompt is too long") else quote(words, ERROR_MAX_UTF16)


def may_be_prompt(kind: object, blocks: Sequence[JsonObject]) -> bool:
    """Whether a record of this kind may hold what a person typed or sent: most hold results alone."""
    return kind == "attachment" or (kind == "user" and any(
        "text" in block or block.get("type") in ("image", "document") for block in blocks))


def words_queued(record: JsonObject) -> str:
    """The words that a row of the queue tells; of a prompt with blocks, as editors send it, the client writes none."""
    return own_words(text_of(record, "content")) if "content" in record else NOT_IN_TRANSCRIPT


def identifier_in(record: JsonObject, name: str) -> str:
    """The id or moment in that field of a record; empty where it is no usable one."""
    text = text_of(record, name)
    return text if IDENTIFIER.match(text) else ""


def fields_of_compaction(record: JsonObject) -> EntryFields:
    """What the client's row tells of its compaction: the trigger, the tokens before, and after where it does."""
    about = record.get("compactMetadata")
    about = about if isinstance(about, dict) else {}
    counts = [about.get(name) for name in ("preTokens", "postTokens")]
    tokens = [*filter(None, map(whole_number, counts))]
    return {"trigger": quote(text_of(about, "trigger"), TRIGGER_MAX_UTF16), "tokens": tokens} if (
        tokens and counts[0] == tokens[0]) else {}


def read_transcript(reading: Reading, path: str, place: FilePlace, tail_bytes: int) -> FilePlace:
    """Reads what is new, everything when the file is another one than last time; returns the new place."""
    os.close(open_regular(path, os.O_RDONLY))
    about = os.stat(path)
    reading.results_folder = path.removesuffix(".jsonl") + SAVED_OUTPUTS
    offset = place["offset"] if place.get("inode") == about.st_ino and place["offset"] <= about.st_size else 0
    for end, record in in_order_of_thread(new_records(path, offset, about.st_size, tail_bytes)):
        offset = max(offset, end)
        reading.add(record)
    return {"inode": about.st_ino, "offset": offset}


# ==================================================================================================
# client/threads.py: The threads of a session: what each waits for, and whose context was compacted where the client does not say.
# ==================================================================================================

LATE_LINES_SECONDS = 0.15  # by which a transcript may be late (0.082 measured): as long it is waited for
THREAD_TAIL_BYTES = 1 << 20  # of a transcript's end, which tell where its thread stands


def last_records(path: str) -> list[JsonObject]:
    """The records at the file's end."""
    return list(records_at_end(path, THREAD_TAIL_BYTES))


def client_version(record: JsonObject) -> tuple[int, ...]:
    """The client's version that wrote the record; () when it names none."""
    version = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", str(record.get("version", "")))
    return tuple(map(int, version.groups())) if version else ()


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
UNSETTLED_STAGES = ("delivered", "unseen")  # of a compaction of which it is not known whether its text was kept
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


def begin_compaction(folder: str, begun: CompactionState) -> None:
    """Notes that a compaction begins, with what PreCompact tells of it, for restore_snapshot.py to follow.

    `earlier` is the one before, while it is not known whether its text was kept: the next may be prepared at once.
    """
    path = os.path.join(folder, COMPACTION_FILE)
    known = read_store(path)
    last = {name: known[name] for name in ("id", "offset", "resumed", "stage") if name in known}
    earlier = last if last.get("stage") in UNSETTLED_STAGES else known.get("earlier")
    state = {**begun, "before": known.get("before", []), "stage": "begun"}
    replace_store(path, {**state, "earlier": earlier} if earlier else state)


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come."""
    path = os.path.join(folder, COMPACTION_FILE)
    refuse_later_version(path)
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


# ==================================================================================================
# client/receipt.py: Whether a transcript shows that the client kept what was put back after a compaction.
# ==================================================================================================

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


# ==================================================================================================
# store/pins.py: Pins: words of the person that stand first, and whole, in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20


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
# client/fork.py: The memory that a forked session begins with, what its parent knew up to the fork; and one that is taken over.
# ==================================================================================================

ROOTS_BEGIN = b'{"schema": 1, "record": %d, "roots": [' % RECORD_FORMAT  # of a memory.json
ROOTS_MAX_BYTES = 2_048  # of a memory.json, which hold its roots
SESSIONS_MAX = 300  # looked at, the newest first
TRANSCRIPTS_MAX = 20  # of these are looked at, at their end
PARENT_END_BYTES = 1 << 20  # of such a transcript
FIRST_ID_MAX_BYTES = 1 << 20  # of the new transcript, which hold its first id
COPIED_LINES_MAX_BYTES = 32 << 20  # of the new transcript, which hold the copied lines
READ_AGAIN_BYTES = 8 << 20  # of the new transcript's end, in which a save counts everything
UUID_PATTERN = rb'"uuid":"([\w-]{8,64})"'
TIME_PATTERN = rb'"timestamp":"([\w.:-]{10,40})"'  # of a transcript's line
OUR_TIME_PATTERN = rb'"time": ?"([\w.:-]{10,40})"'  # of a line of ours
NAMED_PATTERN = rb'"session_id":"([\w.-]{1,64})"'  # in a line that a session has written: its id, in copies too
UNCOUNTED = (b'"type":"progress"', b'"isSidechain":true')  # lines that make no root, as a save has it


def is_fork(folder: str, transcript: str) -> bool:
    """Whether another session that is known begins as the transcript does."""
    return os.path.isdir(os.path.dirname(folder)) and any(True for _ in related_sessions(folder, transcript)[1])


def related_sessions(folder: str, transcript: str) -> tuple[bytes, Iterator[str]]:
    """The uuid that the transcript begins with, empty for none, and the folders of other sessions that know it."""
    first = next(roots_in(transcript, FIRST_ID_MAX_BYTES), b"")  # the rest is read for a fork alone
    root = uuid_of(first).encode() if first else b""
    return root, sessions_with(root, *os.path.split(folder), os.path.dirname(transcript)) if root else iter(())


def inherited_memory(folder: str, transcript: str) -> Memory:
    """The memory that the session in the folder begins with, the parent's pins copied; {} for one that is no fork."""
    root, sessions = related_sessions(folder, transcript)
    memories = {session: sound_memory(os.path.join(session, MEMORY_FILE)) for session in sessions}
    related = {session: memory for session, memory in memories.items() if memory}
    if not related:
        return {}
    lines = list(roots_in(transcript, COPIED_LINES_MAX_BYTES))
    parent = parent_of(lines, related, os.path.basename(folder))
    copy_pins(parent, folder)
    return {**up_to_the_fork(related[parent], lines), "roots": [root.decode()]}


def parent_of(lines: list[bytes], related: Mapping[str, Memory], own: str) -> str:
    """The folder of the session that the copied lines come from: the one that the last of them names.

    Else the one that knows most of them; of several that know as much, the one that went on least since.
    """
    writer = last_writer(lines, own)
    named = [folder for folder in related if os.path.basename(folder) == writer]
    last_known = {folder: last_copied(related[folder], lines) for folder in named or related}
    newest = max(last_known.values())
    knowing_most = [folder for folder, moment in last_known.items() if moment == newest]
    return min(knowing_most, key=lambda folder: str(related[folder].get("time")))


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


def last_writer(lines: list[bytes], own: str) -> str:
    """The id of the session that wrote the last of the copied lines; empty where the client does not tell it."""
    named = (match[1].decode() for line in reversed(lines) if (match := re.search(NAMED_PATTERN, line)))
    return next((session for session in named if session != own), "")


def last_copied(memory: Memory, lines: list[bytes]) -> str:
    """The moment of the transcript's last line that the memory knows."""
    seen = set(memory.get("seen", []))
    known = [line for line in lines if uuid_of(line)[-12:] in seen]
    return max(map(time_of, known), default="")


def up_to_the_fork(memory: Memory, lines: list[bytes]) -> Memory:
    """The parent's memory without what came after the last line that the fork has copied; a rule given again stays.

    When the parent went on, the copied lines are read again, so that what changed since is known as it was; what they
    tell of is then counted from them, their boundaries too.
    """
    until = last_copied(memory, lines) or time_of(lines[0])
    progress = memory.get("progress", [])
    items = [item for item in memory["items"]
             if item["last"] <= until or (item["kind"] == "rule" and item["first"] <= until)]
    before: Memory = {**begun_anew(memory), "items": items,
                      "progress": [event for event in progress if event["time"] <= until]}
    if memory["time"] <= until:
        return before
    compacted_later = sum(event["what"] == "compacted" and event["time"] > until for event in progress)
    again = lines_read_again(lines)
    compacted_again = sum(is_boundary(line) and uuid_of(line) in memory.get("roots", []) for line in again)
    since = min([until, *filter(None, map(time_of, again))])
    return {
        **before, "seen": [],
        "cycle": max(memory.get("cycle", 0) - compacted_later - compacted_again, 0),
        "items": [{**item, "uses": 0, "edits": 0} if item["first"] >= since else item for item in items]}


def lines_read_again(lines: list[bytes]) -> list[bytes]:
    """The last of the copied lines, from which a save counts everything."""
    size = 0
    for index in range(len(lines) - 1, -1, -1):
        size += len(lines[index])
        if size >= READ_AGAIN_BYTES:
            return lines[index + 1:]
    return lines


def uuid_of(line: bytes) -> str:
    """The id of a line that has one."""
    uuids: list[bytes] = re.findall(UUID_PATTERN, line)
    return uuids[-1].decode()


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
# client/last_answer.py: Whether the client has written the turn's last answer into the transcript yet.
# ==================================================================================================

ANSWER_MAX_SECONDS, LOOKS_EACH_SECONDS = 2.0, 0.05  # nobody waits for a save beside the work
ANSWER_SHOWN_CHARACTERS = 80  # by which it is known
END_BYTES = 64 << 10  # of the transcript


def wait_for_answer(transcript: str, answer: str) -> None:
    """Waits until the transcript's end has the beginning of the answer; not for an empty one, nor without the file."""
    begin = encoded_begin(answer)
    until = time.monotonic() + ANSWER_MAX_SECONDS
    while begin and os.path.isfile(transcript) and time.monotonic() < until:
        if begin in end_of(transcript, END_BYTES):
            return
        time.sleep(LOOKS_EACH_SECONDS)


def encoded_begin(answer: str) -> bytes:
    """The answer's beginning as it stands in the transcript, a JSON text."""
    text = json.dumps(answer.strip()[:ANSWER_SHOWN_CHARACTERS], ensure_ascii=False)[1:-1]
    return text.encode("utf-8", "replace")


# ==================================================================================================
# client/ledger_reading.py: A session's ledger as a save takes it in: each line once, no line lost.
# ==================================================================================================

READ_MAX_BYTES = 8 << 20  # of each file at one save, the last ones
HOOK_MS = rb'"hook_ms": ?(\d{1,6}(?:\.\d)?)'  # in quoted words the quotation marks have backslashes
RESTED_SECONDS = 10  # after the renaming no hook writes to the file any more: each has it open for one write


def read_ledgers(folder: str, known: dict[str, FilePlace], reading: Reading) -> dict[str, FilePlace]:
    """Adds the lines that are new since the places known to the reading; the new places, by file."""
    transcript_time = reading.time
    places: dict[str, FilePlace] = {}
    for name in (FOLDED_LEDGER_FILE, LEDGER_FILE):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            about = os.stat(path)
            # The folded one was the ledger at the last save, or folded already.
            earlier = known.values() if name == FOLDED_LEDGER_FILE else [known.get(LEDGER_FILE, {})]
            start = max((place["offset"] for place in earlier if place.get("inode") == about.st_ino), default=0)
            offset = start if start <= about.st_size else 0
            for end, line in read_lines(path, max(offset, about.st_size - READ_MAX_BYTES), about.st_size):
                if line.endswith(b"\n"):  # else its hook was killed in its middle
                    offset = end
                    for event in parse_line(line):
                        add_event(reading, event, transcript_time)
            places[name] = {"inode": about.st_ino, "offset": offset}
    return places


def add_event(reading: Reading, event: JsonObject, transcript_time: str) -> None:
    """Adds a call or prompt of which the transcript, which was read up to that time, has not told."""
    call_id, reading.time = text_of(event, "id"), max(text_of(event, "time"), reading.time)
    reading.position += 1
    if event.get("event") == "prompt" and text_of(event, "time") > transcript_time:
        reading.add_typed(own_words(text_of(event, "text")), "ledger", "prompt")
    elif event.get("event") == "tool":
        call_input = {"command": event.get("command"), "file_path": event.get("path"), "prompt": event.get("task")}
        reading.add_call(call_id, text_of(event, "tool"), call_input)
        call = reading.calls.get(call_id, {})
        if call and text_of(event, "agent"):
            call["by_agent"] = text_of(event, "agent")
        if call.get("ok") is None and not event.get("interrupted"):
            call.update({"ok": event.get("ok") is True, "exit": event.get("exit"), "error": text_of(event, "error"),
                         "output": text_of(event, "output"), "is_by_ledger": True})
    elif event.get("event") == "subagent" and event.get("ended"):
        words = quote(text_of(event, "said"), NOTICE_MAX_UTF16)
        reading.stream.append(reading.entry("ended", "ledger", key=text_of(event, "agent"), text=words, status=""))


def fold_ledger(folder: str) -> bool:
    """Renames the ledger that was read, where no hook can hold the one renamed before any more; whether it did."""
    ledger = os.path.join(folder, LEDGER_FILE)
    folded = os.path.join(folder, FOLDED_LEDGER_FILE)
    is_rested = not os.path.exists(folded) or time.time() - os.stat(folded).st_mtime > RESTED_SECONDS
    if not is_rested or not os.path.exists(ledger):
        return False
    os.utime(ledger)  # from now on it rests
    os.replace(ledger, folded)
    return True


def hook_times(folder: str) -> dict[str, int]:
    """How often record_event.py took so many milliseconds, by the ledger that was folded just now: each line once."""
    with os.fdopen(open_regular(os.path.join(folder, FOLDED_LEDGER_FILE), os.O_RDONLY), "rb") as file:
        return Counter(map(bytes.decode, re.findall(HOOK_MS, file.read(READ_MAX_BYTES))))


# ==================================================================================================
# text/ends.py: The ends of a long text: its last part, from where it may begin; its beginning and its end.
# ==================================================================================================

ENDS_LOOKED_AT_CHARACTERS = 40_000  # of a text that is put on one line
SECTION_MARK, NO_HEADING_LEVEL = r"(#{1,6}) ", 7
HEADING_ABOVE_UTF16 = 120
BEGINS_BEHIND = r"\n|[.!?] |[。！？]"  # what a line or a sentence begins behind; a list hangs on its colon


def last_part(text: str, most_units: int) -> str:
    """The end of the text, from the beginning of a line or of a sentence on where there is one."""
    text = text.strip()
    if units(text) <= most_units:
        return text
    return "… " + from_beginning(last_units(text, most_units)).strip()


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


def both_ends_on_a_line(text: str, limit: int) -> str:
    """The text on one line; of a long one its beginning and its end, as UTF-16 units of both together."""
    line = " ".join(text[:ENDS_LOOKED_AT_CHARACTERS].split())
    if units(line) <= limit:
        return line
    return f"{before_space(line[:limit * 3 // 5])} … {behind_space(line[-limit * 2 // 5 + 4:])}"


def both_ends_in_rows(text: str, limit: int) -> str:
    """The text, its rows kept, what is empty folded; of a long one its beginning and its end, a mark between them.

    Whole rows, or whole words of a row alone: two points of a list had stood there as one. Behind the mark the heading
    that the end stands under: words on a second way had stood below the first one's.
    """
    rows = [f"{row[:len(row) - len(row.lstrip())]}{' '.join(row.split())}" for row in text.strip().splitlines()]
    rows = [row for row, before in zip(rows, ["", *rows]) if row or before]
    kept = "\n".join(rows).strip()
    if len(kept) <= limit:
        return kept
    first, last = kept[:limit // 2], kept[-limit // 2 + 3:]
    first = first.rpartition("\n")[0] or before_space(first)
    last = last.partition("\n")[2] or behind_space(last)
    return f"{first}\n…\n{heading_above(kept, len(kept) - len(last), len(first))}{last}"


def heading_above(text: str, end: int, begin: int) -> str:
    """The heading that the text from `end` on stands under, as a row, where it stands behind `begin`; else empty.

    A fence behind it where what follows is code; where a heading follows, only one of a higher level.
    """
    before = text[:end]
    is_code = sum(row.lstrip().startswith(FENCES) for row in before.splitlines()) % 2
    follows = NO_HEADING_LEVEL if is_code else section_level(text[end:])
    heading = next((row for row in reversed(lines_outside_fences(before)) if section_level(row) < follows), "")
    if not heading or before.rfind(f"\n{heading}\n") < begin:
        return ""
    shown = cut(heading, HEADING_ABOVE_UTF16).removesuffix("…").rstrip()
    return f"{shown} …\n{FENCES[0]}\n" if is_code else f"{shown} …\n"


def section_level(row: str) -> int:
    """The level of a heading, from 1 on; more of any other row."""
    match = re.match(SECTION_MARK, row)
    return len(match[1]) if match else NO_HEADING_LEVEL


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
# notes/wording.py: Words of a session as the notes show them: cut, and so that Markdown fetches and hides nothing.
# ==================================================================================================

SHORT_ANSWER_CHARACTERS = 80  # a message so short is not understood without what it answers
NOTE_WORDS_MAX_UTF16, NOTE_NAME_MAX_UTF16 = 220, 110  # of words; of a command, a file, a heading


def spoken(text: str, limit: int = NOTE_WORDS_MAX_UTF16) -> str:
    """Words on one line in quotation marks."""
    return in_quotes(escaped(cut(" ".join(text.split()), limit)))


def escaped(text: str) -> str:
    """The text so that Markdown shows what looks like HTML or a link as it stands: no picture is fetched."""
    return re.sub(r"\\?(<(?=[\w/!?])|\](?=[(\[:]))", r"\\\1", text)


def code_shown(text: str) -> str:
    """The beginning of the text as inline code."""
    return as_code(cut(" ".join(text.split()), NOTE_NAME_MAX_UTF16))


def is_for_summary(item: Item) -> bool:
    """Whether the words stood behind /compact: they are for who writes the summary, no request to the agent."""
    return item.get("via") == "compact"


def heading(text: str) -> str:
    """The text's first line, of a plan that stands on one line what is before its first heading below."""
    return cut(text.strip().partition("\n")[0].partition(" #")[0].lstrip("# "), NOTE_NAME_MAX_UTF16)


def message_shown(item: Item, limit: int = NOTE_WORDS_MAX_UTF16) -> str:
    """The words of a message or rule, with what they pick or refuse.

    Of a plan handed over its first line; of a longer `limit` what stands below it, too.
    """
    words = spoken(item["text"], limit)
    if item.get("via") == "plan":
        below = item["text"].strip().partition("\n")[2] if limit > NOTE_WORDS_MAX_UTF16 else ""
        words = f"the plan {spoken(heading(item['text']))}{f': {spoken(below, limit)}' if below.strip() else ''}"
    refused = f"{code_shown(item['refused'])}: " if item.get("refused") else ""
    answers = text_of(item, "answers")
    picks = f", which picks {spoken(item['picks'])}{question_in(answers, item['picks'])}" if item.get("picks") else ""
    is_aside = item.get("via") in ("compact", "queue")  # it answers nothing that was said
    if not picks and answers and not is_aside and len(item["text"]) <= SHORT_ANSWER_CHARACTERS:
        picks = f", after the agent's {spoken(end_on_a_line(answers, NOTE_WORDS_MAX_UTF16))}"
    sender = f" (from {escaped(text_of(item, 'sender'))})" if item.get("sender") else ""
    return f"{refused}{words}{picks}{sender}"


def question_in(words: str, option: str) -> str:
    """The last question in the agent's words, of which an option was picked; empty where it is in that, or none is."""
    questions = re.findall(r"((?:[^.!?\n]|[.!](?!\s)|\n(?!\n))+\?)(?=[\s\"'”*)]|$)", words)
    question = questions[-1].strip(" *_>#-") if questions else ""
    if not question or question in option:
        return ""
    return f", asked {spoken(end_on_a_line(question, NOTE_WORDS_MAX_UTF16))}"


def outcome_words(command: str, result: str) -> str:
    """A command, and what its output says of its end."""
    return code_shown(command) + (f": {spoken(result)}" if result else "")


def local(seconds: float) -> str:
    """The moment in the machine's own time zone."""
    return local_time(seconds) if seconds else "earlier"


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
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "prek": "pre-commit", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
PACKAGE_RUNNERS = ("npm", "bun")  # of these names, those whose tasks are a package's own scripts
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
NODE_RUNNERS = ("node", "npm", "pnpm", "yarn", "npx", "next", "vite", "nest", "tsx", "ts-node", "nodemon")
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
SHOWING_AND_SILENT = {"cat", "tee", "cd", *FILE_HANDLERS}  # they print files, or nothing
SELDOM_FAILING = (*WITHOUT_EFFECT, *WAITING, *CUTTING, "cat", "tee", "mkdir")
PREPARING = (*WITHOUT_EFFECT, *WAITING, *FILE_HANDLERS, "source", "cat", "kill", "pkill", "git")  # not what runs on
SHORT_LIVED = (*LOOKING_PROGRAMS, *WAITING, *FILE_HANDLERS, "kill", "disown", "timeout", "gtimeout", "open", "xdg-open",
               "curl", "wget", "systemctl", "")
# What does the same in each folder: without a file, with the files that it names whole, with those behind a first word.
WITHOUT_FILES = frozenset("echo printf true : sleep kill killall pkill pgrep ps lsof date tr whoami".split())
WITH_FILES = frozenset("ls cat head tail wc stat file find du sort uniq rm cp mv mkdir rmdir touch tee".split())
WITH_FILES_BEHIND = frozenset("grep egrep fgrep sed awk".split())
PACKAGE_MANAGERS = ("brew", "apt", "apt-get", "dnf", "yum", "zypper", "apk", "winget", "choco", "scoop")  # of a machine
INSTALLING_PROGRAMS = (*NODE_MANAGERS, "uv", "poetry", "bundle", "composer", "cargo", "go")  # by a word behind them
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", **dict.fromkeys((*PACKAGE_MANAGERS, "pip", "pip3", "gem"), "install"),
    **dict.fromkeys("terraform tofu kubectl helm pulumi vercel fly netlify ansible-playbook".split(), "deploy"),
    **dict.fromkeys("alembic prisma flyway knex goose".split(), "migration")}
TRACKERS = ("gh", "glab", "hub", "tea", "jira")  # issues and the like are made with them
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
KEEPERS = ("tmux", "screen")  # of what is to go on when its line has ended
# Windows that were opened for the person, unless at a port: a browser that is driven.
VIEWERS = (
    "firefox google-chrome google-chrome-stable chromium chromium-browser brave-browser epiphany code codium cursor "
    "subl gedit kate xed mousepad evince okular eog gwenview feh vlc mpv nautilus dolphin thunar alacritty kitty "
    "gnome-terminal konsole xterm")


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
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
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


def lines_that_do(command: str) -> list[str]:
    """The command's lines without empty ones and the shell's comments.

    In a text that it feeds to a program, and between quotes, "#" may begin anything: a heading, a declaration.
    """
    lines, quotes, document_end = list[str](), {'"': 0, "'": 0}, ""
    for line in command.splitlines():
        is_quoted = any(count % 2 for count in quotes.values())
        is_comment = line.lstrip().startswith("#") and not document_end and not is_quoted
        if not line.strip() or is_comment:
            continue
        lines.append(line)
        if document_end:
            document_end = "" if line.strip() == document_end else document_end
            continue
        begun = re.search(HERE_DOCUMENT, line)
        document_end = begun["word"] if begun else ""
        quotes = {quote: count + line.count(quote) for quote, count in quotes.items()}
    return lines


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
# record/endings.py: Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

# The form of what is kept; who reads it needs nothing of what made it, and a restore does not load that.
# A verdict is passed or failed, as its output shows it; ended, where nothing says that it failed; not run; unknown;
# running and stopped, which came to no end that was seen.
KNOWN_VERDICTS = ("passed", "failed")
ENDED_WELL = ("ended", "passed")  # not seen to have failed
NOT_DONE = ("failed", "not run")  # what it was for was not done
LOST_OUTPUT = "it went to `"  # as it is told of an output whose filter is not there
BUT_PRINTED = "ended, but printed: "  # an error with its stack, whatever else says that all is well
HAD_PRINTED = " (it had printed: "  # behind what stopped a command
NO_MATCHES = "no matches"  # as it is told of a search
PRIVATE_NAMED_MAX = 20  # files of a commit that look private

SAID_OF_CHECKS = ("failed_names", "has_more_failed", "met_no_test", "is_cached")
GIT_FIELDS = ("commit", "subject", "branch", "pushed", "begun", "finished", "conflicts", "stashed", "private",
              "took_in")
OUTCOME_FIELDS = (  # of an outcome that are kept
    "family", *SAID_OF_CHECKS, *GIT_FIELDS, "commits_before", "remark", "push_refused", "nothing_to",
    "is_stash_kept")


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


# ==================================================================================================
# record/git/taken_in.py: Which files a command line may put into git's index or into a commit.
# ==================================================================================================

ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"


def may_take_in_others(command: str, calls: Sequence[GitCall]) -> bool:
    """Whether a command with these calls of git may take in files that it does not name, or names behind its cut."""
    is_cut = is_cut_text(command) and any(call["verb"] == "add" for call in calls)
    return is_cut or any(map(takes_all, calls))


def takes_all(call: GitCall) -> bool:
    """Whether a call adds or commits files that it does not name."""
    pattern = {"add": ADDS_WHAT_IT_LIKES, "commit": COMMITS_ALL}.get(call["verb"], "")
    return bool(pattern) and any(re.search(pattern, word) for word in call["arguments"])


# ==================================================================================================
# record/items.py: What an item of a session is: something said, done, asked or seen, with its source and its time.
# ==================================================================================================

EARLIER_MAX = 3  # other ends of the same action that are kept, and times at which a message was typed before
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


def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


def edits_newest_first(actions: Iterable[Item]) -> list[Item]:
    """The edits of files, of each that came several times its last one."""
    return sorted(filter(is_file_edit, actions), key=lambda edit: -edit["position"])


def new_item(kind: Kind, at: Entry, text: str, who: str, **more: Unpack[ItemFields]) -> Item:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


def whole_command(call: Entry) -> str:
    """The command as it was given, where the call's arguments hold it."""
    return text_of(call["input"], "command") or call["command"]


def name_of_output(call: Entry | Item) -> str:
    """By what the output of a call is known: several calls may stand in one row, which all have its position."""
    return f"{call['position']} {call['source']}"


def position_in_name(name: str) -> int:
    """The position that the name of an output begins with."""
    return int(name.partition(" ")[0])


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
ALL_BRANCHES = ("--all", "--mirror", "--branches")  # options of a push
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
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"


def history_end(folder: str, most_bytes: int) -> list[JsonObject]:
    """The newest lines of the session's history, of at most so many bytes; none where it cannot be read."""
    path = os.path.join(folder, HISTORY_FILE)
    if os.path.islink(path):
        return []
    try:
        return [line for line in records_at_end(path, most_bytes) if line.get("schema") == SCHEMA]
    except (OSError, Refusal):
        return []


# ==================================================================================================
# notes/log.py: The log of what happened in a session, for the notes: a line for each message, rule, commit, check that turned.
# ==================================================================================================

EVENTS_MAX = 250  # of a session, the newest
HISTORY_MAX_BYTES = 512 << 10  # of history.jsonl, its end: what the last compactions put back
CHECK_ENDS = {"passed": "passed", "failed": "failed", "unknown": "ran, result not seen"}  # by verdict
EVENT_OF = {  # what has happened when an item has this kind and status
    ("message", "open"): "asked", ("task", "completed"): "done", ("rule", "open"): "rule given",
    ("rule", "ended"): "rule ended", ("answer", "open"): "answered", ("refusal", "open"): "not allowed",
    ("plan", "approved"): "plan approved", ("plan", "not approved"): "plan not approved"}
PERHAPS = "perhaps committed"  # told as committed once git names such a commit
SUCCEEDED = ("done", "committed", "pushed", "passed")  # events that are steps of the work done
EACH_COUNTS = ("message", "answer", "plan", "refusal")  # kinds of which a later one with the same words is an event too
STEP = r"(?:^|&& |; |\|\| |\()\s*"  # where a command of a chain begins
QUIET_COMMIT = r"git (?:-C \S+ )?commit\b(?!.*--dry-run)"  # which printed nothing of what it made
QUIET_OPTION = r"(?s).*?\s(?:-[a-z]*q[a-z]*|--quiet)(?:\s|$)"
SUBJECT = r"(?s).*?\s(?:-[a-z]*m|--message)(?:\s+|=)(?P<quote>[\"'])(?!\$\()(?P<words>[^\n]{1,400}?)(?:\n.*)?(?P=quote)"
PUBLISHING_WORDS = ("gh pr", "gh release", "publish", "twine upload")  # of these each such command holds at least one
PUBLISHING = STEP + r"((?:gh pr (?:create|merge)|gh release create|(?:npm|cargo) publish|twine upload)\b[^&;|]*)"


def log_after(
        log: Sequence[LogLine], entries: Entries, known: Sequence[Item], folder: str) -> list[LogLine]:
    """The log with what the entries and their items tell: each once, a state when it changes; the newest of it all.

    `known` are the items of before; `folder` is the session's.
    """
    after = [*log]
    seen = {(line["time"], line["what"], line["key"]) for line in log}
    last = {line["key"]: line["what"] for line in log}
    texts = task_texts(known)
    for entry, items in [row for row in entries if row[1] or row[0].get("what") == "compacted"]:
        texts.update(task_texts(items))
        for what, whole_key, text in events_of(entry, items, texts, folder):
            key = cut(whole_key, NOTE_WORDS_MAX_UTF16)
            if last.get(key) != what and (entry["time"], what, key) not in seen:
                last[key] = what
                after.append({"time": entry["time"], "what": what, "key": key, "text": text})
    return after[-EVENTS_MAX:]


def task_texts(items: Sequence[Item]) -> dict[str, str]:
    """The tasks' texts by their keys: an update of a task names its number alone."""
    return {item["key"]: item["text"]
            for item in items if item["kind"] == "task" and item.get("key") and item["text"]}


def events_of(
        entry: Entry, items: Sequence[Item], texts: dict[str, str], folder: str) -> Iterator[tuple[str, str, str]]:
    """What an entry tells for the log: what happened, to what (a key), and the words for it.

    An entry without fields stands for what is true at the end of all; nothing happened there.
    """
    if not entry:
        return
    if entry["what"] == "compacted":
        yield "compacted", f"cycle {entry['cycle']}", delivery_of(folder, entry["cycle"] - 1)
    for item in items:
        if item["kind"] == "action":
            yield from action_events(item)
        elif what := EVENT_OF.get((item["kind"], item["status"]), ""):
            what = "not allowed" if item.get("refused") else "typed behind /compact" if is_for_summary(item) else what
            yield what, key_of(item, entry["time"]), words_for(item, texts)


def key_of(item: Item, moment: str) -> str:
    """What tells the item from others in the log; of some kinds with the minute, as a transcript may tell it twice."""
    when = moment[:16] if item["kind"] in EACH_COUNTS else ""
    return f"{item['kind']} {when} {item.get('key') or item['text']}"


def words_for(item: Item, texts: dict[str, str]) -> str:
    """The item's words as the log has them; `texts` are the tasks'."""
    if item["kind"] == "task":
        text = text_of(item, "text") or texts.get(item["key"]) or text_of(item, "key")
        return escaped(cut(text, NOTE_WORDS_MAX_UTF16))
    if item["kind"] == "plan":
        return spoken(heading(item["text"]))
    if item["kind"] == "refusal":
        return code_shown(item["text"])
    if item["kind"] == "answer":
        return f"{spoken(item['question'])} {spoken(item['text'])}"
    return message_shown(item)


def action_events(item: Item) -> Iterator[tuple[str, str, str]]:
    """How a check ended; the commit that a command made, what it pushed or published."""
    if item.get("family") in CHECK_FAMILIES and item["verdict"] in CHECK_ENDS:
        command = item["key"].removeprefix(f"{item['tool']} ")  # without the folder and the pipe around it
        yield CHECK_ENDS[item["verdict"]], f"run {item['key']}", outcome_words(command, item["result"])
    has_ended = has_ended_well(item)
    if item.get("commit"):
        words = f"{item['commit'][:9]} {escaped(cut(text_of(item, 'subject'), NOTE_WORDS_MAX_UTF16))}"
        yield "committed", f"commit {item['commit']}", words
    elif item["verdict"] not in ("not run", "running") and "commit" in item["text"]:
        for command, is_sure in quiet_commits(item, has_ended):
            subject = re.match(SUBJECT, command)
            words = escaped(cut(subject["words"], NOTE_WORDS_MAX_UTF16)) if subject else code_shown(command)
            yield "committed" if is_sure else PERHAPS, f"commit {item['source']} {command}", words
    if item.get("pushed"):
        yield "pushed", f"push {item['source']}", code_shown(where_pushed(item["pushed"]))
    if is_refused_push(item):
        push = next(piece for piece, _ in pieces_of(item["text"]) if has_push(piece))
        command = " ".join(without_redirections(shell_words(push)))
        yield "not pushed", f"push {item['source']} {command}", code_shown(command)
    may_publish = has_ended and holds_any(item["text"], PUBLISHING_WORDS)
    for command in re.findall(PUBLISHING, item["text"]) if may_publish else ():
        yield "pushed", f"push {item['source']} {command}", code_shown(command.strip())


def quiet_commits(item: Item, has_ended: bool) -> Iterator[tuple[str, bool]]:
    """The calls of git in a command that made a commit and printed nothing of it, and whether that is sure.

    It is where the command ended well and nothing was printed, or where all behind a commit with -q hung on it.
    """
    pieces = pieces_of(item["text"])
    for index, (piece, sign) in enumerate(pieces):
        if not re.match(QUIET_COMMIT, piece):
            continue
        is_quiet = bool(re.match(QUIET_OPTION, piece))
        hangs_on_it = sign != "|" and {behind for _, behind in pieces[index:]} <= {"&&", "|", ""}
        is_sure = has_ended and (not item["result"] or (
            is_quiet and hangs_on_it and "||" not in {before for _, before in pieces[:index]}))
        if is_sure or is_quiet:
            yield piece, is_sure


def delivery_of(folder: str, cycle: int) -> str:
    """What the restore put back at the compaction that ended this cycle; empty where nothing tells."""
    words = ""
    for record in history_end(folder, HISTORY_MAX_BYTES):
        things, size = record.get("things"), record.get("units")
        is_restore = record.get("event") == "restore" and record.get("cycle") == cycle
        if is_restore and isinstance(things, int) and isinstance(size, int):
            words = f"put back {count_shown(things, 'thing')}, {size:,} characters"
    return words


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
# record/commands/written_files.py: The files of the project that a shell command wrote: by `> file`, by `tee file`, by `sed -i`.
# ==================================================================================================

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
UNNAMED = rf"{FILLED_IN}|[\[\]…]|^-|^/dev/|^\d+$"
OUTPUT_ENDINGS = (".log", ".out", ".err", ".pid", ".tmp")
TEE_OPTION = "-"
WRITES = r">|\b(?:tee|g?sed|perl) "  # most lines are not taken apart
IN_PLACE = {"sed": r"-(?:[nrEsuz]*i|-in-place)", "gsed": r"-(?:[nrEsuz]*i|-in-place)", "perl": r"-[pnlw0]*i"}
SCRIPT_FOLLOWS = {"sed": r"-[nrEsuz]*[ef]|--(?:expression|file)", "gsed": r"-[nrEsuz]*[ef]|--(?:expression|file)",
                  "perl": r"-\w*[eE]"}
SCRIPT_GIVEN = r"--(?:expression|file)="
BARE_IN_PLACE, ENDING_OF_COPY = r"-\w*i", r"[\"']{2}|[\"']?\.\w{1,12}[\"']?"  # two words on macOS


def files_written(command: str, root: str, ran_in: str = "") -> list[str]:
    """The files below `root` that the command writes, as seen from it; a name without a folder is taken as below it.

    A name in a folder that a `cd` of the line went to stands with that folder. `ran_in`: where it ran, if not in the
    root.
    """
    paths = list[str]()
    for piece, folder in commands_in_folders(command, ran_in) if re.search(WRITES, command) else ():
        for name in names_written(piece, shell_words(piece)):
            path = path_below(root, folder, name)
            if path and not path.endswith(OUTPUT_ENDINGS):
                paths.append(path)
    return [*dict.fromkeys(paths)]


def names_written(piece: str, words: list[str]) -> Iterator[str]:
    """The names of the files that it fills, and those that are edited in place."""
    yield from names_filled(piece, words)
    if edits_in_place(words):
        yield from names_edited(without_redirections(words))


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


def names_edited(words: Sequence[str]) -> list[str]:
    """The names of files that a stream editor is given: what is no option, nor its script."""
    form, names, is_script_given, is_script = SCRIPT_FOLLOWS[program_of(words)], list[str](), False, False
    for before, word in zip(words, words[1:]):
        if is_script:
            is_script = False
        elif word.startswith("-"):
            is_script = re.fullmatch(form, word) is not None
            is_script_given = is_script_given or is_script or re.match(SCRIPT_GIVEN, word) is not None
        elif not (re.fullmatch(BARE_IN_PLACE, before) and re.fullmatch(ENDING_OF_COPY, word)):
            names.append(word.strip("\"'"))
    return names if is_script_given else names[1:]


def path_below(root: str, folder: str, name: str) -> str:
    """The file as seen from the root; empty where it lies elsewhere, or its name is not known."""
    if re.search(UNNAMED, name) or re.search(UNNAMED, folder):
        return ""
    path = whole_path(with_home(name, root), whole_path(with_home(folder, root), root))
    short = from_root(path, root)
    return short if root.rstrip("/") and short != path else ""


# ==================================================================================================
# record/runner_output/known_rows.py: How lines of outputs that tell how a run ended look: of tests, builds, linters, type checks and their wrappers.
# ==================================================================================================

# How a script's own total of its tests says it in other languages, of those that are read elsewhere, too.
PASSED_ABROAD = (
    "通过|通過|成功|合格|통과|성공|пройдено|успешно|réussis|réussies|bestanden|erfolgreich|pasadas|pasados|aprobadas"
    "|aprobados|passaram|aprovados|superati|başarılı")
FAILED_ABROAD = (
    "失败|失敗|不合格|실패|провалено|неудачно|échoués|échouées|échecs|fehlgeschlagen|fallidas|fallidos|falladas|fallados"
    "|falharam|reprovados|falliti|başarısız")
WORDS_ABROAD = f"{PASSED_ABROAD}|{FAILED_ABROAD}".split("|")
BETWEEN_COUNTS, COLON_ABROAD = "[,，、|/ ]{1,3}", r"[:：]\s{0,3}"

# Whose line it is, what it says, the words that such lines begin with, the line's pattern. Of a word's rows the
# first that fits counts.
# What it says:
#   tests, problems  totals; a run of no test is none, no problem is a success
#   passed, failed, bad (a total that says so), seen (a test passed), ran, go ok, go fail, log (what a Go test prints)
#   error, traceback, then  it failed, where nothing else is known; then: what it ends with ":" for, in the line below
#   cause, located   only why; named: only what; traced: what, in a trace above which the name may be cut off
#   wrapper, why     it failed, with a cause for want of a better one
#   none             nothing ran
#   next, below      failed; the cause in the line below; below: the name there, the cause in the next
#   announced        the cause in the line below; that it failed is said by another line
#   paragraph        the cause in the lines below up to a blank line; that it failed is said by another line
#   plan             how many lines of tests follow, each with how it ended
# Words: "0passed": a number and "passed". "0)": a number and a bracket. "1..": a plan.
# "@…": a location in a file, `a.py:1:2:`. "::", ":+", "^", "...", "....", "[", "Error": what they look like
# (row_lookup.py: rows_for).
# Groups: name, also (a name where there is no better one), listed (a name, as it failed, before all are named), cause,
# location, cached, none, count (of a plan).
OUTPUT_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("pytest", "tests", "0passed 0failed 0error 0errors 0skipped 0xfailed 0xpassed 0warning 0warnings",
     r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?)\b.{0,200} in [\d.]+ ?s"),
    ("pytest", "none", "0deselected no 0skipped",
     r"(?:\d+ deselected|no tests (?:ran|collected)).{0,60} in [\d.]+ ?s"),
    ("playwright", "tests", "0passed", r"\d+ passed \([\d.]+\w+\)$"),
    ("playwright", "tests", "0failed 0flaky 0interrupted", r"\d+ (?:failed|flaky|interrupted)$"),
    ("", "tests", "0passed", r"\d+ passed, \d+ failed"),
    ("", "tests", "Passed:", r"Passed: \d+,? +Failed: \d+"),
    ("", "tests", " ".join(f"0{word}" for word in WORDS_ABROAD),
     rf"(?:\d+ (?:{PASSED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{FAILED_ABROAD})"
     rf"|\d+ (?:{FAILED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{PASSED_ABROAD}))(?!\w)"),
    ("", "tests", " ".join(f"{word}: {word.capitalize()}:" for word in WORDS_ABROAD),
     rf"(?i)(?:{PASSED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{FAILED_ABROAD}){COLON_ABROAD}\d+"
     rf"|(?:{FAILED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{PASSED_ABROAD}){COLON_ABROAD}\d+"),
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
    ("clojure", "ran", "Ran", r"Ran \d+ tests containing \d+ assertions\."),
    ("clojure", "passed", "0failures", r"0 failures, 0 errors\.$"),
    ("clojure", "tests", "0failures", r"\d+ failures, \d+ errors\.$"),
    ("clojure", "next", "FAIL ERROR", r"(?:FAIL|ERROR) in \((?P<name>[^\s()]+)\) \("),
    ("forge", "tests", "Ran", r"Ran \d+ test suites? in .{1,60}: \d+ tests passed, \d+ failed"),
    ("forge", "tests", "Encountered", r"Encountered a total of \d+ failing tests, \d+ tests succeeded"),
    ("forge", "failed", "[FAIL: [FAIL.", r"\[FAIL[:.] (?P<cause>.+?)\] (?P<name>\w+\(.*?\))"),
    ("forge", "none", "No", r"No tests (?:found in project|match the provided pattern)"),
    ("hardhat", "passed", "Compiled Nothing", r"Compiled \d+ Solidity files? successfully|Nothing to compile$"),
    ("hardhat", "wrapper", "Error HardhatError:", r"(?:Error|HardhatError:) HH\d+: (?P<cause>.+)"),
    ("unittest", "none", "NO", r"NO TESTS RAN"),
    ("unittest", "passed", "OK", r"OK(?: \((?:skipped|expected).{0,60}\))?$"),
    ("unittest", "bad", "FAILED", r"FAILED \((?:failures|errors|unexpected)=?.{0,80}\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+) \(unittest\.loader"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): \w+ \((?P<name>[\w.]+)\)"),
    ("unittest", "traced", "File", r"File \"[^\"]{1,300}\", line \d+, in (?P<also>test(?!PartExecutor)\w+)$"),
    ("julia", "tests", "ERROR:",
     r"ERROR: (?:LoadError: )?Some tests did not pass: \d+ passed, \d+ failed, \d+ errored"),
    ("julia", "failed", "ERROR:", r"ERROR: Package (?P<name>\S+) errored during testing"),
    ("julia", "passed", "Testing", r"Testing \S+ tests passed$"),
    ("pytest", "none", "ERROR:", r"ERROR: (?P<cause>(?:file or directory )?not found: .+|found no collectors for .+)"),
    ("pytest", "failed", "ImportError", r"ImportError while loading conftest '(?P<also>[^']+)'"),
    ("pytest", "failed", "!", r"!+ Interrupted: \d+ errors? during collection !+$"),
    ("pytest", "failed", "collected collecting", r"(?:collecting \.\.\. )?collected \d+ items? / \d+ errors?\b"),
    ("pytest", "failed", "FAILED ERROR",
     r"(?:FAILED|ERROR) (?P<name>\S+\.py(?:::(?:(?! - ).){1,200})?)(?: - (?P<cause>.+))?$"),
    ("pytest", "failed", "::", r"(?P<name>\S+::\S+) (?:FAILED|ERROR)\b"),
    ("pytest", "named", "_", r"_+ (?P<also>\w.*?) _+$"),
    ("pytest", "cause", "E", r"E {2,}(?P<cause>\S.+)"),
    ("gtest", "tests", "[", r"\[  (?:PASSED|FAILED)  \] \d+ test(?:s?(?:[.,]|$)|\(s\))"),
    ("gtest", "failed", "[", r"\[  FAILED  \] (?P<name>[\w/]+(?:\.[\w/]+)?)(?:,| \(\d+ ms\)$|$)"),
    ("gtest", "failed", "0FAILED", r"\d+ FAILED TEST(?:S|\(S\))?$"),
    ("gtest", "cause", "C++", r"(?P<cause>C\+\+ exception with description .+)"),
    ("gtest", "paragraph", "@code", r"(?P<also>\S+:\d+): Failure$"),
    ("testthat", "tests", "[", r"\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \]"),
    ("testthat", "paragraph", "Failure Error ──",
     r"(?:── )?(?:Failure|Error) \('?test[^()]+:\d+'?\): (?P<name>.+?)[ ─]*$"),
    ("doctest", "tests", "[doctest]", r"\[doctest\] test cases: +\d+ \|"),  # SUCCESS! is said of no test too
    ("doctest", "failed", "[doctest]", r"\[doctest\] Status: FAILURE!"),
    ("doctest", "cause", "@code",
     r"(?P<cause>\S+:\d+: (?:FATAL )?ERROR: (?:.+ is NOT correct!|test case THREW exception: .+))"),
    ("catch2", "tests", "test", r"test cases: +\d+ \|"),
    ("catch2", "tests", "All", r"All tests passed \(\d+ assertions? in \d+ test cases?\)"),
    ("catch2", "none", "No", r"No tests ran\.?$|No test cases matched"),  # with a full stop: of flutter and dart
    ("catch2", "paragraph", "@code", r"(?P<also>\S+:\d+): FAILED:$"),  # of one that is to fail too
    ("boost", "tests", "***", r"\*\*\* \d+ failures? (?:is|are) detected"),
    ("boost", "failed", "***", r"\*\*\* Errors were detected in the test module"),
    ("boost", "passed", "***", r"\*\*\* No errors detected$"),
    ("boost", "none", "Test", r"Test setup error: no test cases matching filter"),
    ("boost", "cause", "@error unknown",
     r"(?:\S+|unknown location)\(\d+\): (?:fatal )?error: in \"(?P<also>[^\"]+)\": (?P<cause>.+)"),
    ("unity", "tests", "0Tests", r"\d+ Tests \d+ Failures \d+ Ignored"),
    ("unity", "failed", "FAIL:", r"\S+:\d+:(?P<name>\w+):FAIL: (?P<cause>.+)"),
    ("platformio", "tests", "0test", r"\d+ test cases?: .*\b\d+ (?:succeeded|failed).{0,40} in [\d:.]+"),
    ("prove", "passed", "Result:", r"Result: PASS$"),
    ("prove", "failed", "Result:", r"Result: FAIL$"),
    ("prove", "none", "Result:", r"Result: NOTESTS$"),
    ("tap", "tests", "#", r"# \{ total: \d+.*\}$"),
    ("tap", "named", "#", r"#   Failed test '(?P<name>.+)'$"),
    ("tap", "none", "1..", r"1\.\.0$"),
    ("tap", "plan", "1..", r"1\.\.(?P<count>\d{1,5})$"),
    ("ava", "tests", "0test 0tests", r"\d+ tests? (?:passed|failed)$"),
    ("ava", "failed", "0uncaught 0unhandled 0hook 0hooks",
     r"\d+ (?:uncaught exceptions?|unhandled rejections?|hooks? failed)$"),
    ("", "named", "✘", r"✘ \[fail\]: (?P<name>.+)"),
    ("", "none", "✘", r"✘ Couldn.t find any (?:matching tests|files to test)"),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed (?P<count>\d+) of (?:(?P=count)|\d+ \(skipped \d+\)) SUCCESS \("),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ \(\d+ FAILED\)"),
    ("karma", "failed", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ .*\b(?:DISCONNECTED|ERROR)\b"),
    ("karma", "next", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r"\w+(?: Headless)? [\d.]+ \([^()]{1,60}\) (?P<name>.+) FAILED$"),
    # Undefined and pending steps fail a run by one's settings, and not by another's.
    ("cucumber", "tests", "0scenario 0scenarios",
     r"\d+ scenarios? \((?:\d+ failed\b|(?:\d+ skipped, )?\d+ passed\)$)"),
    ("cucumber", "none", "0scenarios", r"0 scenarios$"),
    ("cucumber", "named", "0)", r"\d+\) Scenario(?: Outline)?: (?P<name>.+?)(?: # .+)?$"),
    ("robot", "tests", "0test 0tests", r"\d+ tests?, \d+ passed, \d+ failed"),
    ("ginkgo", "tests", "SUCCESS! FAIL!", r"(?:SUCCESS|FAIL)! -- \d+ Passed \| \d+ Failed"),
    ("behave", "tests", "0scenario 0scenarios", r"\d+ scenarios? passed, \d+ failed"),
    ("behave", "named", "@code", r"(?P<name>\S+\.feature:\d+ +\S.*)"),
    ("behave", "cause", "ASSERT Assertion", r"(?:ASSERT FAILED|Assertion Failed): (?P<cause>.+)"),
    ("newman", "tests", "│", r"│ +assertions │ +[1-9]\d* │ +\d+ │$"),
    ("newman", "tests", "│", r"│ +(?:iterations|requests|test-scripts|prerequest-scripts) │ +\d+ │ +[1-9]\d* │$"),
    ("", "why", "#", r"# +failure +detail$"),  # newman's
    ("busted", "tests", "0success 0successes", r"\d+ success(?:es)? / \d+ failures? / \d+ errors? / \d+ pending"),
    ("busted", "below", "Failure Error", r"(?:Failure|Error) (?:→|->) \S+ @ \d+$"),
    ("alcotest", "tests", "Test", r"Test Successful in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "tests", "0failure! 0failures! 0error! 0errors!",
     r"\d+ (?:failures?|errors?)! in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "named", "[FAIL]", r"\[FAIL\] +(?P<name>\S+ +\d+ +[^│]+?)\.?(?: *│)?$"),
    ("scalatest", "tests", "Tests:", r"Tests: succeeded \d+, failed \d+"),
    ("scalatest", "failed", "***", r"\*\*\* \d+ (?:TESTS? FAILED|SUITES? ABORTED) \*\*\*"),
    ("scalatest", "failed", "-", r"- (?P<name>.+?) \*\*\* FAILED \*\*\*"),
    ("scalatest", "none", "No", r"No tests were executed\."),
    ("sbt", "tests", "Passed: Failed:", r"(?:Passed|Failed): Total \d+, Failed \d+, Errors \d+, Passed \d+"),
    ("sbt", "failed", "[error]", r"\[error\] \(\S+ / (?:\S+ / )?\S+\) (?P<cause>\S.+)"),
    ("sbt", "passed", "[success]", r"\[success\] Total time: "),
    ("zig", "passed", "All", r"All [1-9]\d* tests passed\.$"),
    ("zig", "none", "All", r"All 0 tests passed\.$"),
    ("zig", "failed", "FAIL", r"(?P<cause>FAIL \(\w+\))$"),
    ("zig", "named", "@code", r"\S+\.zig:\d+:\d+: 0x\w+ in test\.(?P<name>.+?) \("),
    ("zig", "tests", "0passed", r"\d+ passed; \d+ skipped; \d+ failed\.$"),
    ("nx", "passed", "NX", r"NX +Successfully ran targets? "),
    ("nx", "failed", "NX", r"NX +(?:Running|Ran) targets? .+ failed$"),
    ("nx", "why", "Failed", r"Failed tasks:$"),
    ("nx", "failed", "✖", r"✖ +\d+/\d+ targets? failed"),
    ("bun", "none", "Ran", r"Ran 0 tests across \d+ files?"),
    ("bun", "tests", "0pass 0fail", r"\d+ (?:pass|fail)$"),
    ("bun", "failed", "(fail)", r"\(fail\) (?P<name>.+?)(?: \[[\d.]+\w+\])?$"),
    ("mocha", "tests", "0passing 0failing", r"\d+ (?:passing \(\S+\)|failing)$"),
    ("node", "tests", "# ℹ", r"[#ℹ] (?:tests|pass|fail|cancelled) \d+$"),
    ("node", "failed", "not", r"not ok \d+ (?:- )?(?P<name>(?:(?! # (?:SKIP|TODO|time)).)+)(?: # time=\S+)?$"),
    ("node", "failed", "✖", r"✖ (?!failing tests|\d+ problems?|\d+ of )(?P<name>.+?) \([\d.]+ms\)$"),
    ("node", "traced", "TestContext.<anonymous> at",
     r"(?:at )?(?:async )?TestContext\.<anonymous> \((?:\S*[/\\])?(?P<also>[\w.-]+:\d+):\d+\)$"),
    ("node", "announced", "error:", r"error: \|-$"),
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
    ("cargo nextest", "none", "error:", r"error: no tests to run"),
    ("cargo nextest", "failed", "FAIL SIGABRT TIMEOUT",
     r"(?:FAIL|SIGABRT|TIMEOUT) \[.{1,20}\] +(?:\(.{1,20}\) )?(?P<name>.+)"),
    ("cargo", "failed", "error[", r"(?P<cause>error\[E\d+\]: .+)"),
    ("cargo", "wrapper", "error:", r"error: (?P<cause>could not compile.+|test failed, to rerun.+|aborting due to.+)"),
    ("built", "passed", "Finished", r"Finished .{0,80}target\(s\) in .+"),
    ("cargo fmt", "failed", "Diff", r"Diff in (?P<name>\S+?):\d+:?$"),
    ("deno", "none", "error:", r"error: No test modules found"),
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
    # The legend below a build's table of routes, which is printed at its good end alone.
    ("next", "passed", "○ ƒ ● λ",
     r"[○ƒ●λ] +\((?:Static|SSG|ISR|Dynamic|Server)\) +(?:automatically|prerendered|server-).{0,120}"),
    ("jest", "next", "●", r"● (?!Console$|Cannot log after)(?P<name>Test suite failed to run|.+ › .+|.+)"),
    ("biome", "cause", "×", r"× (?P<cause>Formatter would have .*)"),
    ("biome", "failed", "×", r"× Some errors were emitted while running checks"),
    ("rake", "wrapper", "rake", r"rake (?P<cause>aborted!)"),
    ("vitest", "failed", "× ✕", r"[×✕] (?P<also>.+?)(?: \(?\d+ ?ms\)?)?$"),
    ("playwright", "named", "✘",
     r"✘ +\d+ (?!.{0,300}\(retry #)(?P<listed>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?) \([\d.]+(?:ms|s|m)\)$"),
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
    ("mix", "none", "There", r"There are no tests to run"),
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
    ("dotnet", "announced", "Error", r"Error Message:$"),
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
    ("turbo", "passed", "Tasks:", r"Tasks: +([1-9]\d{0,4}) successful, \1 total$"),
    ("turbo", "wrapper", "Failed:", r"Failed: +(?P<cause>\S+#\S+)"),
    ("flutter", "tests", ":+", r"\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed)"),
    ("flutter", "next", ":+", r"\d+:\d+ \+\d+.* -\d+: (?P<name>.+) \[E\]"),
    ("dart", "cause", "error", r"error [-•] (?P<cause>\S.+)"),
    ("gradle", "failed", "e:", r"e: (?P<cause>\S+ .+)"),
    ("next", "failed", "Type", r"(?P<cause>Type error: .+)"),
    ("gh", "tests", "0failing", r"\d+ failing, \d+ successful"),
    ("gh", "failed", "X", r"X\s+(?P<name>[^\t]+)\t"),
    ("eslint", "why", "Oops!", r"Oops! Something went wrong"),
    ("eslint", "finding", "@error", r"(?P<cause>\d+:\d+ +error +.+)"),
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
     r"npm (?:ERR!|error) (?!code |syscall |errno|path |dest |command |A complete|Lifecycle|workspace|location)"
     r"(?:enoent (?=Could not))?(?P<cause>\S.+)"),
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
    ("bun", "none", "The", r"The following filters did not match any test files"),
    ("rspec", "none", "No", r"No examples found"),
    ("dotnet", "none", "No", r"No test (?:is available|matches)"),
    ("node", "failed", "Exception", r"Exception during run: (?P<cause>.+)"),
    ("java", "error", "Exception", r"(?P<cause>Exception in thread .+)"),
    ("python", "traceback", "Traceback + |",
     r"(?:(?:\+ Exception Group|\|) )?Traceback \(most recent call last\)"),
    ("bun", "then", "error:", r"(?P<cause>error: expect\(.+)"),
    ("", "error", "fatal:", r"(?P<cause>fatal: .+)"),
    ("", "error", "error:", r"(?P<cause>error: (?!'test failed').+)"),
    ("", "then", "Error:", r"(?P<cause>Error: .+)"),
    ("", "error", "ERROR:", r"(?P<cause>ERROR: .+)"),
    ("", "then", "Error", r"(?P<cause>AssertionError \[ERR_ASSERTION\]: .+)"),
    ("", "error", "Error ImportError", r"(?P<cause>[\w.]+(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?:: .+|$))"),
    ("", "then", "Error", r"(?P<cause>[\w.:]+(?:Error|Exception):)$"),
    ("cargo", "located", "-->", r"--> (?P<location>\S+:\d+:\d+)"),
    ("shell", "error", "bash: sh: zsh: (eval): /bin/sh: /bin/bash:", r"(?P<cause>.+)"),
)


# ==================================================================================================
# record/runner_output/row_lookup.py: The rows of the table of outputs that may fit a line, found by the line's first word or by its kind.
# ==================================================================================================

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their indexes and the rows that may fit.

    No rows where the line may tell something only behind the name of the task that printed it.
    """
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(ending for ending in ENDINGS if ending in text)
    has_prefixes = ": " in text and holds_any(text, PREFIXED_TASKS)
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    silent = {""}  # lines that tell nothing; most come again
    for index, line in enumerate(lines):
        if line in silent:
            continue
        words = (line.strip(" \t=") if line[:1] == "=" else line).split(None, 2)
        rows = table.get(words[0]) if words else None
        if rows is None and has_others and words:
            rows = rows_by_end(line, endings, table)
        if rows is None and words and words[0] not in dull:
            rows = rows_for(line, words[0], words, table)
            if rows is None and has_prefixes and len(words) > 2 and words[1][-1] == ":":
                rows = []
            if rows is None and is_dull_word(words[0], has_prefixes):
                dull.add(words[0])
        if rows is None:
            silent.add(line)
            continue
        if len(words) > 1 and is_of_passed_test(line, words):
            rows = table["PASS"]
        yield index, shortened(line).strip(" \t="), rows


def is_dull_word(word: str, has_prefixes: bool) -> bool:
    """Whether a word that has no rows has none whatever follows it."""
    return not (has_prefixes or word[0].isdigit() or ":" in word)


def is_of_passed_test(line: str, words: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (words[0] == "---" and words[1] == "PASS:") or (words[0] == "test" and line.endswith("... ok"))


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


def rows_for(line: str, word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none, by its kind; empty as in telling_lines."""
    first, last = word[0], word[-1]
    if last == "!" or first in "[#│┃║":
        return table["!"] if last == "!" else table["["]
    if first.isdigit():
        return rows_for_number(word, words, table)
    if ":" in word or "：" in word or last == ")":
        return rows_for_location(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(words) == 1 or words[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`, `1..3`."""
    if len(words) < 2:
        return table["1.."] if word.startswith("1..") else None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" not in word:
        return table.get(f"0{words[1].partition('，')[0].rstrip('.:,;、')}")
    if words[1][0] == "+":
        return table[":+"]
    return table["@error"] if words[1] == "error" else None


def rows_for_location(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a location in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    rows = rows_for_word_and_colon(word, table)
    if rows is not None:
        return rows
    kind = kind_of_location(line, word)
    if kind:
        return table[kind]
    return table.get(f"{word.partition('：')[0]}:", []) if word[-1] == ":" or "：" in word else None


def kind_of_location(line: str, word: str) -> str:
    """The word of the table for a line that begins with a location in a file; empty: it begins with none."""
    if ".go:" in word:
        return "@go"
    if " error" in line:
        return "@error"
    if " undefined reference to " in line:
        return "@ld"
    if ":in" in word:
        return "@ruby"
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return "@biome" if "━" in line else "@code"
    return ""


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`, `test.c:5:test_cents:FAIL: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.endswith(":FAIL:"):
        return table["FAIL:"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


@cache
def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with."""
    table: RowsByWord = {}
    for runner, says, words, pattern in OUTPUT_ROWS:
        for word in words.split():
            table.setdefault(word, []).append((runner, says, pattern))
    return table


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    return re.compile(pattern)


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    return whole_words(line, OUTPUT_LINE_MAX_CHARACTERS)


# ==================================================================================================
# record/runner_output/failure_lines.py: What stands in the lines near a failure: its cause below, a test's own log, the end of a traceback.
# ==================================================================================================

LINES_NEAR_MAX = 60  # looked at around a failure for its cause
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
LINES_BELOW_MAX = 4  # that say something
LINES_BELOW_LOOKED_AT = 7
TRACEBACK_LINES_MAX = 400
# Below a failure that say nothing of it: a location, a rule, the mark and the name of the tool.
DULL_LINE_BELOW = r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: "
COMPARED_LINE = r"(?:Expected|Received|Actual|expected|actual|got|left|right)\b"
ERROR_LINE = r"[A-Za-z_][\w.]{0,100}(?::|$)"
STACKED_ERROR = r"(?:Uncaught )?(?:[\w.$]{1,80}\.)?\w{0,80}(?:Error|Exception)(?: \[\w{1,60}\])?: \S"
STACK_ROW = r"\s{1,20}at \S.{0,500}?:\d{1,7}\)?\s*$"  # a place in a file, as Node and the JVM have it
FIRST_OF_TRACEBACK = ("Traceback (", "  + Exception Group Traceback (")
STACK_WITHIN_ROWS = 3  # below its error, whose words may have more rows than one
OF_GROUP = r"\s*(?:\| ?|\+(?: |[-+]+(?: \d+ -+)?))"  # before the rows of a group of errors
FINDING, FULL_PATH = r"\s*\d+:\d+\s", r"(?:/|[A-Za-z]:[\\/])\S.*\.\w{1,10}$"
CHAINING_LINES = ("During handling of", "The above exception")  # between tracebacks


def lines_below(lines: Sequence[str], index: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    below, depth, is_behind_blank = list[str](), depth_of(lines[index]), False
    for line in lines[index + 1:index + 1 + LINES_BELOW_LOOKED_AT]:
        text = line.strip(" \t│=")
        if not text:
            is_behind_blank = True
        elif indented and is_behind_blank and not below and depth_of(line) <= depth:
            break
        elif not re.match(DULL_LINE_BELOW, text):
            below.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(below) == LINES_BELOW_MAX:
            break
    return below


def paragraph_below(lines: Sequence[str], index: int) -> str:
    """The next lines up to a blank line, on one line."""
    paragraph = list[str]()
    for line in lines[index + 1:index + 1 + LINES_BELOW_MAX]:
        if not line.strip():
            break
        paragraph.append(line.strip()[:OUTPUT_LINE_MAX_CHARACTERS])
    return " ".join(paragraph)


def depth_of(line: str) -> int:
    """How many blanks the line begins with."""
    return len(line) - len(line.lstrip())


def file_of_finding(lines: Sequence[str], index: int) -> str:
    """The file on a row of its own above its findings, with a colon; empty where that row is not sure to be theirs.

    Where a filter let single rows through the path of one file stands above the findings of others, with no blank row
    around them.
    """
    first, last = index, index
    while first and re.match(FINDING, lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and re.match(FINDING, lines[last + 1]):
        last += 1
    path = lines[first - 1].strip() if first else ""
    is_set_off = not "".join(lines[max(first - 2, 0):first - 1]).strip() and first > 1
    is_set_off = is_set_off or not "".join(lines[last + 1:last + 2] or "-").strip()
    return f"{path}:" if is_set_off and re.match(FULL_PATH, path) else ""


def go_message(lines: Sequence[str], index: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[index + 1:index + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(index - LINES_NEAR_MAX, 0):index]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    for part in (below, above):
        logs = [match[1] for match in (re.match(GO_LOG, shortened(line)) for line in part) if match]
        telling = [log for log in logs if re.search(GO_FAILURE, log)]
        if logs:
            return telling[-1] if telling else logs[-1]
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(COMPARED_LINE, near[end]):
        end += 1
    if not near or end == 1:
        return [*near]
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]]


def error_with_stack(lines: Sequence[str]) -> str:
    """The last error whose stack stands below it, or that a traceback ends with; empty: none. Prose has none."""
    # A pattern on each row took a fifth of a first save, to look into each at all a twentieth.
    if not holds_any("\n".join(lines), ("Error", "Exception", "Traceback (")):
        return ""
    telling = [index for index, line in enumerate(lines)
               if "Error" in line or "Exception" in line or line.startswith("Traceback (")]
    for index in reversed(telling):
        if lines[index].startswith(FIRST_OF_TRACEBACK) and (error := end_of_traceback(lines, index)):
            return error
        below = lines[index + 1:index + 1 + STACK_WITHIN_ROWS] if re.match(STACKED_ERROR, lines[index]) else ()
        if any(re.match(STACK_ROW, line) for line in below):
            return shortened(lines[index]).strip()
    return ""


def end_of_traceback(lines: Sequence[str], index: int) -> str:
    """The last line of a Python traceback: the error; of a chain or a group of them the last one's."""
    cause, is_within, is_of_group = "", True, lines[index].lstrip().startswith(("+", "|"))
    rows = lines[index + 1:index + TRACEBACK_LINES_MAX]
    for line in rows_of_group(rows) if is_of_group else rows:
        if line.startswith(("Traceback (", "Exception Group Traceback (")):
            is_within = True
        elif is_within and line and not line[0].isspace() and re.match(ERROR_LINE, line):
            cause, is_within = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], False
        elif not is_within and line and not is_of_group and not line.startswith(CHAINING_LINES):
            break
    return cause


def rows_of_group(lines: Sequence[str]) -> Iterator[str]:
    """The first of the lines that are a group's of errors, without the signs before them."""
    for line in lines:
        signs = re.match(OF_GROUP, line)
        if not signs:
            return
        yield line[signs.end():]


# ==================================================================================================
# record/runner_output/total_counts.py: The numbers in a line of totals: how many failed, how many passed.
# ==================================================================================================

FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed(?! as expected)|F(?:ailed|AILED)|[Ff]ailures|failure|failing|fail|errors?"
    r"|errored|issues?|offenses?|diagnostics?|interrupted|cancelled)\b(?!: \d)"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some"
    r"|\[ +FAILED +\] (\d+) test|\bFAIL (\d+) \||│ +(\d+) +│$"
    rf"|(\d+) (?:{FAILED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{FAILED_ABROAD}){COLON_ABROAD}(\d+)")
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:[Pp]assed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|[Tt]ests|test|runs|doctests?)\b"
    r"|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b"
    r"|\[ +PASSED +\] (\d+) test|\bPASS (\d+)\b|(\d+) (?:success(?:es)?|scenarios? passed|tests? run)\b"
    r"|in (\d+) test cases?\b|│ +(\d+) +│"
    rf"|(\d+) (?:{PASSED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{PASSED_ABROAD}){COLON_ABROAD}(\d+)")
OTHER_COUNTS = r"\d+ (?:flaky|skipped|todo|pending|total|warnings?)\b|\btests 0$|\bno tests$"
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"


def failures_in(runner: str, total: str) -> int:
    """How many failed by a line of totals of the runner."""
    numbers = numbers_of_dotnet(runner, total)
    return numbers[0] if numbers else sum_of(FAILURE_COUNTS, total)


def passes_in(runner: str, total: str) -> int:
    """How many passed by a line of totals of tests; ctest tells a share: one where it is not none."""
    numbers = numbers_of_dotnet(runner, total)
    if numbers:
        return numbers[1]
    return sum_of(SUCCESS_COUNTS, total) if runner != "ctest" else int(not total.startswith("0%"))


def numbers_of_dotnet(runner: str, total: str) -> list[int]:
    """The numbers in a line of .NET's, in whatever language: those that failed, then those that passed."""
    return [int(number) for number in re.findall(COUNTS_OF_DOTNET, total)] if runner in DOTNET else []


def is_read(runner: str, total: str) -> bool:
    """Whether a line of totals says in words that are known how many failed, passed or else, perhaps none."""
    return bool(numbers_of_dotnet(runner, total) or runner == "ctest" or any(
        re.search(pattern, total) for pattern in (FAILURE_COUNTS, SUCCESS_COUNTS, OTHER_COUNTS)))


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in re.finditer(pattern, text) for number in match.groups() if number)


# ==================================================================================================
# record/runner_output/reading.py: What an output says of how a run ended: totals, what failed, why; line by line.
# ==================================================================================================

TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
TRACEBACK_LINES = 30  # that one may have beside
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:; 总计：
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+|\w{1,30}：\s{0,3}")
ENDS_OF_PREFIX = "]:│┃║"
ENDS_OF_SUITES = (  # say at their end that all passed, and not how many
    "unittest", "phpunit", "cypress", "gradle", "boost", "prove", "zig", "julia", "nx", "sbt", "clojure")
# Their last word without a number is said of no test, too: "OK" by unittest before Python 3.12.
ENDS_WITHOUT_COUNT = ("unittest", "node", "bun")
NO_FAILURE = r"[#ℹ] fail 0$|0 fail$"  # of node and bun
DULL_TOTAL = r"[#ℹ] (?:tests [1-9]\d*|cancelled 0)$"  # of node, beside how many passed
# Those that failed stand in a line of their own.
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun", "gtest", "ava", "newman")
FRAMES = {"ava": r"^\s*─$", "prove": r"Files=\d+, Tests=\d+,"}  # stands above these runners' words, which are anybody's
FRAME_LINES = 7  # above a line, in which its frame stands
# A script's own total behind a title (no tick of a test, no log's level), as its last row or beside a ruler: what
# stands elsewhere may be a row of a test's log.
TITLED_TOTAL = (
    r"(?!\W{0,9}[✓✔✅✗✘✖×❌])\W{0,9}(?=[^\W\d])[^:：\[\]\n]{1,100}[:：]\s{0,9}(?P<counts>"
    r"(?:\d+ passed[,|;/ ]{1,3}\d+ failed|\d+ failed[,|;/ ]{1,3}\d+ passed)(?:[,|;/ (]{1,3}\d+ \w+\)?){0,3})\W{0,9}$")
BESIDE_TITLED = r"\s*[-=─━═*#~]{6,}\s*$"
NO_TESTS_NAME = "Test suite failed to run"  # jest's, in place of a test's name
# Of what lines say (known_rows.py):
TOTALS = ("tests", "problems", "go ok", "ran")
FAILURES = ("failed", "bad", "go fail", "next", "below", "why", "wrapper")
ERRORS = ("error", "traceback", "then")
CAUSE_BELOW = ("next", "below", "announced", "then", "why")
COMPARED_VALUES = r"\S.{0,100} !==? \S.{0,100}$"  # of node's assertions: `12.4 !== 12.41`
LOOKING_AT_OTHER_LINES = (*CAUSE_BELOW, "paragraph", "go fail", "traceback", "located", "finding")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_CAUSE = {  # that a line gives; what is not here gives one of its own kind
    "next": "near", "below": "near", "announced": "near", "paragraph": "near",
    "go fail": "near", "finding": "cause", "why": "wrapper", "then": "error"}

FittingRow = tuple[str, str, re.Match[str]]  # whose line it is, what it says, how it fits


class OutputReading:
    """What an output says, line by line."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.failing_behind: list[tuple[str, str]] = []  # who says behind these totals that something failed, and how
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.is_titled = False  # the totals are a script's own
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.listed: list[str] = []  # as each failed, in the rows of a run that is under way
        self.traced: list[str] = []  # in traces before the first name: `tail` has cut off theirs
        self.causes: dict[str, str] = {}

    @property
    def failed_names(self) -> list[str]:
        """The names of what failed, before them those that a trace alone still tells; else what stands beside it.

        Behind them those that were listed on the way, where no totals are seen: of a run that `head` cut one of ten
        that failed had stood there. A run that ends names all anew, without those that passed when tried again.
        """
        unnamed = [name for name in self.traced if not any(re.search(rf"\b{re.escape(name)}\b", each)
                                                           for each in self.names)]
        named = unnamed + self.names or self.also
        return named if self.tests else [*named, *(name for name in self.listed if name not in named)]

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """What one telling line says, which stands at this index of the lines."""
        runner, says, match = row
        if runner in FRAMES and not is_framed(runner, lines, index):
            return
        if says in TOTALS:
            self.take_total(runner, says, match)
        elif says == "none":
            self.none.append(match.groupdict().get("cause") or match.string)
        elif says == "passed":
            self.take_passed(runner, match.string)
        elif says == "seen":
            self.seen_passing = True
        elif says == "plan":
            self.take_plan(match["count"], lines, index)
        elif says == "log":
            self.last_log = match["cause"]
        elif says == "traced":
            self.traced += [match["also"]] if not self.names else []
        elif says == "located":
            self.take_location(match["location"], lines, index)
        else:
            self.take_failure(row, lines, index)

    def take_total(self, runner: str, says: str, match: re.Match[str]) -> None:
        """A line of totals, of whatever kind."""
        text = match.string
        if says == "problems":
            self.take_problems(runner, text)
            return
        self.error_behind, self.failing_behind = False, []
        if says == "tests":
            self.take_tests(runner, text)
        elif says == "go ok":
            self.take_package(text, has_no_tests=bool(match["none"]), is_cached=bool(match["cached"]))
        else:
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)

    def take_tests(self, runner: str, text: str) -> None:
        """A line of totals of tests: how many failed, how many passed; nothing where its numbers are not known."""
        if not is_read(runner, text):
            return
        failures, passes = failures_in(runner, text), passes_in(runner, text)
        self.failures += failures
        self.passes += passes
        if runner not in TOTALS_IN_PARTS:
            self.has_whole_total = True
        if re.match(NO_FAILURE, text):  # says nothing of how many passed
            if not self.passes:
                self.passed.append((runner, text))
            elif runner == "node":
                self.tests.append(text)
        elif not re.match(DULL_TOTAL, text):
            (self.tests if passes or failures or "flaky" in text else self.none).append(text)

    def take_titled(self, lines: Sequence[str]) -> None:
        """The totals that a script prints behind titles of its own, where no runner says anything."""
        if self.tests or self.problems or self.passed or self.none or self.seen_passing:
            return
        last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
        for index, line in enumerate(lines):
            total = compiled(TITLED_TOTAL).match(line) if " passed" in line and " failed" in line else None
            beside = lines[max(index - 1, 0):index + 2]
            is_set_off = index == last or any(re.match(BESIDE_TITLED, other) for other in beside)
            if total and is_set_off and failures_in("", line) == failures_in("", total["counts"]):
                self.is_titled = True
                self.take_tests("", line.strip())

    def take_problems(self, runner: str, text: str) -> None:
        """A line of totals of a linter or compiler: with none it has passed. A bare `0 errors` is anybody's."""
        failures = failures_in(runner, text)
        self.failures += failures
        self.problems.append(text)
        if failures:
            self.failing_behind.append((runner, text))
        if not failures and runner != "cc":
            self.passed.append((runner, text))

    def take_package(self, text: str, *, has_no_tests: bool, is_cached: bool) -> None:
        """Go's line for a package that is well."""
        self.packages += 1
        self.cached += is_cached
        self.passes += not has_no_tests
        (self.none if has_no_tests else self.tests).append(text)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_plan(self, count: str, lines: Sequence[str], index: int) -> None:
        """TAP's `1..12` before its tests: they passed where as many are seen below it, and none that failed."""
        below = [line for line in lines[index + 1:] if line.startswith(("ok ", "not ok "))]
        begins_here = bool(below) and below[0].startswith("ok 1 ")
        if begins_here and len(below) == int(count) and not any(line.startswith("not ") for line in below):
            self.passes += len(below)
            self.take_passed("tap", f"{lines[index]} … {below[-1]}")

    def take_location(self, at: str, lines: Sequence[str], index: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(lines[max(index - 2, 0):index]) if line.strip()), "")
        if above.strip("│ ") and not above.lower().startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """A line that says that something failed, what, or why."""
        runner, says, match = row
        groups = match.groupdict()
        if says in (*FAILURES, *ERRORS):
            self.failing_behind.append((runner, match.string))
        name, cause = self.name_and_cause(says, groups, lines, index)
        also = groups.get("also") or ""
        if name and name != NO_TESTS_NAME:
            self.names.append(name)
        self.listed += filter(None, [groups.get("listed")])
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(KIND_OF_CAUSE.get(says, says), cause)
        if says == "bad":
            self.problems.append(lines[index].strip())
        if says in FAILURES:
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(lines[index]).strip()
        elif says in ERRORS:
            self.error_behind = True
            last_lines = LAST_LINES + TRACEBACK_LINES if says == "traceback" else LAST_LINES
            self.error_at_end |= index >= len(lines) - last_lines

    def name_and_cause(self, says: str, groups: Mapping[str, str | None], lines: Sequence[str],
                       index: int) -> tuple[str, str]:
        """What failed and why, by the line and by those near it; empty where they do not say it.

        Other lines are looked at for the first cause of a kind alone; for a name each time.
        """
        name = (groups.get("name") or "").strip(" ─")
        cause = groups.get("cause") or groups.get("cause2") or ""
        if KIND_OF_CAUSE.get(says, says) in self.causes and says not in ("next", "below"):
            return name, cause
        if says == "finding":
            cause = f"{file_of_finding(lines, index)}{cause}"
        if says == "traceback":
            return name, end_of_traceback(lines, index)
        if says == "paragraph":
            return name, paragraph_below(lines, index)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(lines, index)
        if says in CAUSE_BELOW and len(self.names) < NAMES_WITH_CAUSES_MAX:
            return with_lines_below(says, name, cause, lines_below(lines, index, says == "next"))
        return name, cause

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        self.tests += last.tests
        self.problems += last.problems
        self.passed += last.passed
        self.none += last.none
        self.names += last.names
        self.also += last.also
        self.listed += last.listed
        self.traced += last.traced if not self.names else []
        self.causes = {**last.causes, **self.causes}
        self.failures += last.failures
        self.passes += last.passes
        self.packages += last.packages
        self.cached += last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.failing_behind = last.failing_behind if last.tests else [*self.failing_behind, *last.failing_behind]
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def is_framed(runner: str, lines: Sequence[str], index: int) -> bool:
    """Whether the line is its runner's: what the runner prints above it stands there."""
    frame = compiled(FRAMES[runner])
    return any(frame.search(line) for line in lines[max(index - FRAME_LINES, 0):index])


def with_lines_below(says: str, name: str, cause: str, below: list[str]) -> tuple[str, str]:
    """Name and cause with what stands in the lines below."""
    if says == "below" and below:
        name, below = below[0].partition(" [")[0].rstrip(":"), below[1:]
    if says == "next" and name and below and below[0].endswith(":") and below[0][:1].islower():
        name, below = f"{name} {below[0].rstrip(':')}", below[1:]  # mocha's, in parts
    below = with_expected(below)
    if says == "then":
        is_open = (cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
                   or any(re.match(COMPARED_VALUES, line) for line in below[:1]))
        return name, " ".join([cause, *below[:1]]) if is_open else cause
    has_values = len(below) > 1 and (below[0].endswith("equal:") or re.match(COMPARED_VALUES, below[1]))
    if says == "announced" and has_values:  # node's
        return name, f"{below[0]} {below[1]}"
    if says == "why" and len(below) > 1 and below[1].startswith("> "):
        return name, f"{below[0]} {below[1][2:]}"
    return name, below[0] if below else ""


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = ends_of_output(output)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(), 0
    for index, text, rows in telling_lines(lines):
        row = fitting_row(rows, text)
        if row:
            reading.take(row, lines, index)
        elif not take_behind_prefix(reading, text, rows, lines, index):
            continue
        count += 1
        if count >= TELLING_LINES_MAX and index < len(lines) - TELLING_LINES_MAX:
            reading.join(read_output(lines[-TELLING_LINES_MAX:]))
            break
    return reading


def fitting_row(rows: Sequence[OutputRow], text: str) -> FittingRow | None:
    """The first of the rows that fits the line."""
    for runner, says, pattern in rows:
        match = compiled(pattern).match(text)
        if match:
            return runner, says, match
    return None


def take_behind_prefix(reading: OutputReading, text: str, rows: Sequence[OutputRow], lines: Sequence[str],
                       index: int) -> bool:
    """Takes what the line says behind the name of the task that printed it; whether it says something."""
    prefix = prefix_of(text, has_rows=bool(rows))
    inner = text[len(prefix):]
    row = fitting_row(rows_behind_prefix(inner, prefix), inner) if prefix and inner.strip() else None
    if not row:
        return False
    if row[1] in LOOKING_AT_OTHER_LINES:  # those near, which have the same prefix
        begin = max(index - LINES_NEAR_MAX, 0)
        near = [line.strip().replace(prefix, "", 1) for line in lines[begin:index + LINES_NEAR_MAX]]
        reading.take(row, near, index - begin)
    else:
        reading.take(row, lines, index)
    return True


def prefix_of(text: str, has_rows: bool) -> str:
    """The name of the task that printed the line, with the blanks behind it; empty: the line has none.

    Of a line that has rows of its own only where the first word looks like such a name.
    """
    word = text.partition(" ")[0]
    looks_like_prefix = word[-1:] in tuple(ENDS_OF_PREFIX) or word[:1] == "#"
    match = compiled(TASK_PREFIX).match(text) if word and (looks_like_prefix or not has_rows) else None
    return match[0] if match else ""


def rows_behind_prefix(inner: str, prefix: str) -> Sequence[OutputRow]:
    """The rows that may fit what stands behind a prefix."""
    table, words = rows_by_word(), inner.split(None, 2)
    if words[0] == "Finished" and prefix[0] == "[":  # mise's own line behind its task's name
        return table["[]Finished"]
    return table.get(words[0]) or rows_for(inner, words[0], words, table) or ()


# ==================================================================================================
# record/outcomes/ended_command.py: A command that ended, as it is judged: its checks, its output, its exit code.
# ==================================================================================================

LISTING_OPTION = r" -\w{0,5}l\w{0,5}\b"
FILE_LISTED = r"\S{1,400}\.\w{1,6}$"


class EndedCommand:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)
        if checks and not any(check["runner"] for check in checks):
            self.reading.take_titled(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @cached_property
    def printed_error(self) -> str:
        """The error that it printed with its stack; empty beside tests that passed: these print such errors on purpose.

        A bundler said "✓ built" and exited 0, and the error below was what the session looked for.
        """
        reading = self.reading
        may_test = any(check["family"] in MAY_TEST for check in self.checks)
        is_of_tests = reading.tests or (may_test and (reading.passed or reading.seen_passing))
        return "" if is_of_tests else error_with_stack(self.lines)

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
        if len(self.checks) != 1 or self.checks[0]["runner"] not in LISTING_FORMATTERS:
            return False
        is_to_list = re.search(LISTING_OPTION, self.checks[0]["command"]) is not None
        return is_to_list and bool(self.text) and all(re.match(FILE_LISTED, line) for line in self.text)


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
# record/outcomes/shown_line.py: What a person would want to read of how a command ended: totals, what failed first, why; on one line.
# ==================================================================================================

OUTCOME_MAX_UTF16 = 240
CAUSE_MAX_UTF16 = 200
FAILED_NAME_MAX_UTF16 = 100
NAMES_IN_LINE_MAX, NAMES_KEPT_MAX = 3, 12  # of those that failed
ZERO_COUNTS = r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)"  # "; 0 ignored; 0 measured; 0 filtered out"
KIND_OF_TOTAL_CHARACTERS = 20  # by which totals are of one kind, numbers left out
CARGO_TOTAL = "test result:"
NEXTEST_TOTAL = "Summary ["
SMALL_TOTAL = r"(?:pass|fail|cancelled) \d+$|\d+ (?:pass|fail)$"  # of node and bun, a line for each number
TOTAL_OF_FILES = r"Test (?:Suites|Files)\b"  # of jest and vitest, beside that of their tests
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
FIRST_SAID_CHARACTERS = 4_000  # of an output, in which its first line is looked for


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    if totals:  # unittest says in a line of its own that they passed
        return [*totals, *[line for runner, line in reading.passed if runner == "unittest"][-1:]]
    rows = [row for row in reading.passed if row[0] != "mise"] or reading.passed
    hooks = sum(runner == HOOKS for runner, _ in rows)
    return [f"{hooks} passed"] if hooks > 1 and rows[-1][0] == HOOKS else [line for _, line in rows[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    newest = {kind_of_total(line): line for line in map(total_in_short, totals)}
    short = [*newest.values()]
    if any(line.startswith(NEXTEST_TOTAL) for line in short):  # those of cargo are what its tests print
        short = [line for line in short if not line.startswith(CARGO_TOTAL)]
    else:
        short = with_binaries_added(short, totals)
    if any(line.startswith("Tests") for line in short):  # files only where some failed
        short = [line for line in short if not re.match(TOTAL_OF_FILES, line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(SMALL_TOTAL, line)]
    others = [line for line in short if line not in small]
    return [*others[-3:], ", ".join(small[-2:])] if small else others[-3:]


def rows_without_count(reading: OutputReading) -> list[str]:
    """What the end of an output says of tests of which it is not seen whether any ran: "OK" alone, "0 passed" behind a
    filter that may have kept others back.
    """
    words = [line for runner, line in reading.passed if runner in ENDS_WITHOUT_COUNT]
    return [total_in_short(line) for line in (*words[-1:], *reading.none[-1:])]


def total_in_short(line: str) -> str:
    """A line of totals without its frame and without counts of nothing."""
    text = re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:")
    return re.sub(ZERO_COUNTS, "", text)


def kind_of_total(line: str) -> str:
    """What makes two lines of totals the same: how they begin, without numbers."""
    return re.sub(r"[\d.]+", "", line)[:KIND_OF_TOTAL_CHARACTERS]


def with_binaries_added(short: Sequence[str], totals: Sequence[str]) -> list[str]:
    """The short totals with one sum in place of cargo's, where there are several: each test binary prints its own."""
    results = [line for line in totals if line.startswith(CARGO_TOTAL)]
    if len(results) < 2:
        return [*short]
    text = " ".join(results)
    passed, failed = sum_of(r"(\d+) passed", text), sum_of(r"(\d+) failed", text)
    others = [line for line in short if not line.startswith(CARGO_TOTAL)]
    return [*others, f"{passed} passed; {failed} failed in {len(results)} test binaries"]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in [*dict.fromkeys(names)][:NAMES_KEPT_MAX]]
    return [name for name in short if not any(is_part_of_name(name, other) for other in short)]


def is_part_of_name(name: str, other: str) -> bool:
    """Whether another name ends with this one, or begins with it as its parent."""
    return other.endswith(f" {name}") or other.startswith(f"{name}/")


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    if len(parts) > 2:
        name = f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}"
    return cut_words(name, FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str]) -> str:
    """The first names, and how many more there are; a mark where there are more than are kept, or a total says so.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    line = ", ".join(names[:NAMES_IN_LINE_MAX])
    if names and (failures_counted(totals) > len(names) or len(names) >= NAMES_KEPT_MAX):
        return f"{line}, …"
    return f"{line} +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else line


def failures_counted(totals: Sequence[str]) -> int:
    """How many failures the totals count; 0 where none does."""
    return max((sum_of(FAILURE_COUNTS, total) for total in totals if COUNTS_ALL not in total), default=0)


def names_of_failed(reading: OutputReading) -> ChecksSaid:
    """The names of what failed, and whether there may be more; empty without any."""
    names = unique_names(reading.failed_names)
    if not names:
        return {}
    is_more = failures_counted(reading.tests) > len(names) or len({*reading.failed_names}) > NAMES_KEPT_MAX
    return {"failed_names": names, "has_more_failed": True} if is_more else {"failed_names": names}


def first_said(output: str) -> str:
    """The first line that is not empty."""
    lines = output[:FIRST_SAID_CHARACTERS].split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many.

    Of an error of PowerShell's its message, which stands before or behind the rows on where it came from.
    """
    if any(map(is_powershell_error, text)):
        text = without_frames(text)[:1]
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


# ==================================================================================================
# record/outcomes/git_output.py: What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end.
# ==================================================================================================

COMMITS_NAMED_MAX, COMMITS_KEPT_MAX = 3, 12  # of one output
REFS_NAMED_MAX, REFS_KEPT_MAX = 3, 12  # of one push
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
FILES_OF_COMMIT = (  # the rows right below that of a commit
    r"(?:\n (?:Author|Committer|Date): .{0,200}){0,3}"
    r"\n (\d{1,6}) files? changed.{0,60}((?:\n (?:create|delete|mode|rename|copy|rewrite) .{1,400})*)")
NEW_FILE, DELETED_FILE = r"\n create mode \d{6} ([^\n\"]+)", r"\n delete mode \d{6} ([^\n\"]+)"
FILES_OF_COMMIT_MAX = 3  # that are named of a kind
CALL_MAKING_COMMITS = r"\b(?:commit|merge|revert|cherry-pick|rebase|am|pull)\b"
SHOWING_ENDS = ("tail", "tee", "cat")  # behind a commit: all rows below its own
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
UP_TO_DATE = "Everything up-to-date"
NOTHING_TO = {UP_TO_DATE: "push", "Already up to date.": "pull"}
NOTHING_STASHED = "No local changes to save"
STASH_KEPT = ("stash entry is kept", "would be overwritten", "could not restore untracked files")
PUSH_REFUSED = (  # what git says of the push itself: another command of the line may have failed before it
    r"rejected\]|Updates were rejected|does not appear to be a git repository|Could not read from remote|src refspec"
    r"|unable to access|Authentication failed|has no upstream branch|No configured push destination"
    r"|[Rr]epository (?:\S{1,200} )?not found|could not read (?:Username|Password)")
GIT_PUSH_FAILED = r"(?m)^error: failed to push\b.{0,200}"  # its last row; a hook's own words before it are not read
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json(?:\.backup)?")
CLIENT_FILE = (
    r"\.claude/(?:(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+|history\.jsonl)")
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
GIT_SAID_BY_REMOTE = r"(?m)^remote: +(?:- |(?:GitLab|ERROR|error): )(.{3,160}?) *$"  # the rule behind a refusal
REMOTE_WORDS_MAX = 2
RULE_FOUND = r"GH\d{3}: "  # that a rule was broken; which one stands below it
GIT_REMOTE = r"(?m)^To (\S{1,400})"
COMMIT_RANGE = r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}"
USER_IN_ADDRESS = r"//[^/@]{1,300}@"
CONFLICT_DETAIL = r" (?:deleted|renamed|added|left) "  # behind the file's name
CONFLICTS_NAMED_MAX = 5
TAKES_STASH = r"\bgit (?:-\S{1,90} \S{1,90} )?(stash (?:pop|apply))\b"
GIT_STASHED = r"(?m)^Saved working directory and index state (.{1,160}?) *$"
GIT_FAILURE_WORDS = ("fatal: ", "error: ", "rejected]", "hint: ")


def git_outcome(run: EndedCommand) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    if "git" not in run.command:
        return {}
    text = "\n".join(map(shortened, run.lines))
    ends = stop_said(run, text) or end_said(run, text)
    said = [commits_said(run.command, text), push_said(text), stashes_said(text), ends, failure_said(run, text)]
    outcome: Outcome = {}
    for part in said:
        outcome.update(part["fields"])
    if "pushed" in outcome and UP_TO_DATE in ends["words"]:  # of another push of the line
        ends["words"].remove(UP_TO_DATE)
    causes = [part["cause"] for part in said if part["cause"]]
    if causes:
        outcome["cause"] = cut_words(causes[0], CAUSE_MAX_UTF16)
    if refusal := push_refusal_said(run, text, causes):
        outcome["push_refused"] = refusal
    words = [words for part in said for words in part["words"]]
    if words:
        outcome["line"] = joined_line(words)
    return outcome


def push_refusal_said(run: EndedCommand, text: str, causes: Sequence[str]) -> str:
    """The cause which says that a push was refused, by the other side or before, else that it failed; empty: none."""
    if "push" not in run.command:
        return ""
    said = [cause for cause in causes if re.search(PUSH_REFUSED, cause)] or re.findall(GIT_PUSH_FAILED, text)
    return said[0] if said else ""


def commits_said(command: str, text: str) -> GitSaid:
    """The commits that were made, with their files; the last one is what HEAD names now."""
    commits = [*re.finditer(GIT_COMMIT, text)] if "] " in text else []
    if not commits:
        return {"fields": {}, "cause": "", "words": []}
    are_rows_whole = shows_rows_of_commit(command)
    made: list[Commit] = [{"branch": row[1], "hash": row[2], "subject": row[3].strip(),
                           "took_in": files_said(text[row.end():], are_rows_whole)}
                          for row in commits[-COMMITS_KEPT_MAX:]]
    last = made[-1]
    fields: Outcome = {"branch": last["branch"], "commit": last["hash"], "subject": last["subject"],
                       "took_in": last["took_in"]}
    before = [commit for commit in made if commit["hash"] != last["hash"]]
    if before:
        fields["commits_before"] = before
    private = private_files(text)
    if private:
        fields["private"] = private
    words = [f"[{row[1]} {row[2]}] {row[3]}" for row in commits[-COMMITS_NAMED_MAX:]]
    return {"fields": fields, "cause": "", "words": words}


def shows_rows_of_commit(command: str) -> bool:
    """Whether no pipe behind a call of git's may have kept back rows that stand below a commit's own."""
    is_of_commit: object = False
    for piece, sign in pieces_of(command):
        program = program_in(piece)
        if is_of_commit and program not in SHOWING_ENDS:
            return False
        is_of_commit = sign in PIPES and (is_of_commit or (program == "git" and re.search(CALL_MAKING_COMMITS, piece)))
    return True


def files_said(below: str, are_rows_whole: bool) -> str:
    """How many files a commit took in by the text below its row, the first new ones and those that went; else empty.

    Git names the others nowhere. A path in quotes is written in numbers.
    """
    rows = re.match(FILES_OF_COMMIT, below)
    if not rows:
        return ""
    words = [rows[1], "file" if rows[1] == "1" else "files"]
    kinds = {"new": re.findall(NEW_FILE, rows[2]), "no more in git": re.findall(DELETED_FILE, rows[2])}
    named = [f"{kind}: {first_ends(paths)}" for kind, paths in kinds.items() if paths and are_rows_whole]
    return ", ".join([" ".join(words), *named[:1]]) + "".join(f"; {more}" for more in named[1:])


def first_ends(paths: Sequence[str]) -> str:
    """The first paths, each by its end."""
    shown = ", ".join(last_parts(path, WITH_FOLDER) for path in paths[:FILES_OF_COMMIT_MAX])
    return f"{shown} and more" if len(paths) > FILES_OF_COMMIT_MAX else shown


def private_files(text: str) -> list[str]:
    """The new files of a commit that are private by their names, keys first."""
    paths = re.findall(PRIVATE_FILE, text) if "create mode" in text else []
    by_worth = sorted(paths, key=lambda path: not is_key_file(path))
    return by_worth[:PRIVATE_NAMED_MAX]


def is_key_file(path: str) -> bool:
    """Whether a file holds keys, by its name."""
    return re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is not None


def stashes_said(text: str) -> GitSaid:
    """The stashes that were made: also where a command behind them failed, whose cause is all that is kept else."""
    fields: Outcome = {}
    if "index state" in text and (stashed := re.findall(GIT_STASHED, text)):
        fields["stashed"] = stashed
    if holds_any(text, STASH_KEPT):
        fields["is_stash_kept"] = True
    return {"fields": fields, "cause": "", "words": []}


def push_said(text: str) -> GitSaid:
    """Where to commits were pushed, which ones, and what a hook printed then."""
    rows = [*re.finditer(GIT_PUSHED, text)] if "-> " in text else []
    remote = re.search(GIT_REMOTE, text) if rows else None
    if not rows or not remote:
        return {"fields": {}, "cause": "", "words": []}
    refs = [*dict.fromkeys(row[1] for row in rows)]
    commits = re.search(COMMIT_RANGE, rows[0][0]) if len(refs) == 1 else None
    fields: Outcome = {"pushed": {"to": re.sub(USER_IN_ADDRESS, "//", remote[1]), "refs": refs[:REFS_KEPT_MAX],
                                  "commits": commits[0] if commits else ""}}
    remark = re.search(HOOK_REMARK, text)
    if remark:
        fields["remark"] = remark[1]
    words = [f"pushed to {refs_in_words(refs)}", fields.get("remark", "")]
    return {"fields": fields, "cause": "", "words": words}


def refs_in_words(refs: Sequence[str]) -> str:
    """The branches and tags of a push by their names; of many their number, and the first.

    Of six branches that `--all` had pushed one had stood there, as if it had been the only one.
    """
    if len(refs) <= REFS_NAMED_MAX:
        return ", ".join(refs)
    return f"{len(refs)} branches or tags: {', '.join(refs[:REFS_NAMED_MAX])}, …"


def stop_said(run: EndedCommand, text: str) -> GitSaid | None:
    """What stopped and waits for its end, a merge or rebase, with the files in conflict; None: nothing did.

    Of a stash too, whose conflict git tells as it does a merge's: by the command.
    """
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if not conflicts and not waiting:
        return None
    stash = re.search(TAKES_STASH, run.command)
    is_of_stash = stash and (STASH_KEPT[0] in text or not re.search(CALL_MAKING_COMMITS, run.command))
    begun = waiting[1] if waiting else stash[1] if stash and is_of_stash else "merge"
    files = [re.split(CONFLICT_DETAIL, path, maxsplit=1)[0] for path in dict.fromkeys(conflicts)]
    cause = f"{begun} stopped"
    if files:
        cause += f": conflict in {', '.join(files[:CONFLICTS_NAMED_MAX])}"
    return {"fields": {"conflicts": files, "begun": begun}, "cause": cause, "words": [cause]}


def end_said(run: EndedCommand, text: str) -> GitSaid:
    """What came to its end, or that there was nothing to do."""
    words = re.findall(GIT_NOTHING, text) if holds_any(text, GIT_NOTHING_WORDS) else []
    cause = words[0] if words and words[0].startswith(("nothing", "no changes")) else ""
    nothing_to = [verb for row, verb in NOTHING_TO.items() if row in words]
    nothing_to += ["stash"] if NOTHING_STASHED in text else []
    fields: Outcome = {"nothing_to": nothing_to} if nothing_to else {}
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        fields["finished"] = ended[1]
        words.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        fields["finished"] = "rebase"
    return {"fields": fields, "cause": cause, "words": words}


def failure_said(run: EndedCommand, text: str) -> GitSaid:
    """Why git refused or failed."""
    may_have_failed = holds_any(text, GIT_FAILURE_WORDS)
    failure = re.search(GIT_FAILURE, text) if may_have_failed and not is_made_good(run) else None
    cause = str(failure[1] or failure[2]) if failure else ""
    rules = [words for words in re.findall(GIT_SAID_BY_REMOTE, text) if not re.match(RULE_FOUND, words)]
    if "remote rejected]" in cause and rules:
        cause += f": {' '.join(rules[:REMOTE_WORDS_MAX])}"
    return {"fields": {}, "cause": cause, "words": [cause] if cause else []}


def is_made_good(run: EndedCommand) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))


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
# record/git/uncommitted.py: Edited files that are in no commit, as far as the session's commands make that certain.
# ==================================================================================================

DRY_RUN = "--dry-run"
COMMITS_QUIETLY = r"-[a-z]*q|--quiet$"
NOWHERE = "/dev/null"
SELDOM_FAILING_VERBS = frozenset(("add", "status", "log", "diff", "show", "rev-parse"))


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


def with_known_discards(items: Sequence[Item], actions: Sequence[Item], state: Mapping[str, str]) -> list[Item]:
    """The items, of edits that were taken back with the command that did so, by what the session's actions tell.

    `actions` are its actions, as seen from the folder that it works in now.
    """
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    return with_taken_back(items, taken_back(actions, marked_events(actions, root), root, folder))


# ==================================================================================================
# notes/changed_files.py: The files that a session changed, for the notes, and which of them git took back to what is committed.
# ==================================================================================================

def files_changed(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The files that were changed, each with the time of its last change that stands, the last one first.

    Those that a shell command wrote, too: the session had committed one that was not listed.
    """
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    actions = [item for item in seen_from_folder(items, root, folder) if item["kind"] == "action"]
    changes = [change for action in actions for change in changes_by(action, root)]
    commands = [action for action in actions if not action.get("edits")]
    back = taken_back([*commands, *changes], marked_events(commands, root), root, folder)
    last: dict[str, Item] = {}
    for change in reversed(changes):
        path = change["text"]
        if path not in last or (edit_key(last[path]) in back and edit_key(change) not in back):
            last[path] = change
    lines = []
    for path, change in last.items():
        discard = back.get(edit_key(change))
        since = f", taken back since by {code_shown(discard['command'])}" if discard else ""
        lines.append(f"{code_shown(path)} ({local(moment(change['last']))}){since}")
    return lines


def changes_by(action: Item, root: str) -> list[Item]:
    """The edits of files that an action made: itself, or of each file that a command wrote its writing."""
    if action.get("edits"):
        return [action]
    return [{**action, "text": from_root(path, root), "path": whole_path(path, root), "tool": "Write", "edits": 1}
            for path in action.get("wrote", ())]


# ==================================================================================================
# record/merge.py: Joins items of the same thing into one, and leaves out what is closed and what is too much.
# ==================================================================================================

KEY_MAX_CHARACTERS = 500  # of a key or text that are compared: as much as is kept of a key
CLOSED = ("gone", "ended", "answered")  # not kept any more; of an ended job how it ended is
LASTING = ("rule", "message", "task", "plan", "question", "answer", "refusal", "job")  # kinds that go last
KIND_MAX = {"said": 100, "look": 200, "message": 200, "rule": 100, "answer": 60, "refusal": 40, "job": 60, "task": 200}
ROWS_READ_MAX = 8  # parts of a file that is read piece by piece
WHOLE_MESSAGES, OLD_MESSAGE_MAX_UTF16 = 30, 1_500  # the newest messages are kept whole, of older ones so much
END_FIELDS = ("text", "verdict", "result", "position", "last", "ends", *OUTCOME_FIELDS)  # of an end that is kept
FIELDS_OF_RUN = ("pid", "result", "exit_code", "is_signalled")  # of a job, which one that is started anew has not


def identity(item: Item) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = str(item.get("key") or item["text"])[:KEY_MAX_CHARACTERS]
    if not key.isascii():
        import unicodedata
        key = unicodedata.normalize("NFKC", key)
    return item["kind"], " ".join(key.casefold().split())


def merge(known: Iterable[Item], new: Iterable[Item], settings: Settings) -> list[Item]:
    """All items in order; the same ones are one, as they were last, counts added; at most `max_items`."""
    table = {identity(item): item for item in known}
    for item in new:
        nothing: Item = {}
        old = table.pop(identity(item), nothing)
        is_call = item["kind"] in ("action", "look")
        if is_call and old and old["source"] != item["source"] and old["position"] > item["position"]:
            table[identity(item)] = old  # a call that still waits comes again at each save; the same was begun since
            continue
        is_awaited = item.get("key") == item["source"]  # a subagent: its action says how it ended
        is_ended_job = bool(old) and item["kind"] == "job" and item["status"] == "ended" and not is_awaited
        if (item["status"] not in CLOSED or is_ended_job) and (old or item["text"]):
            table[identity(item)] = renewed_item(old, item)
    items = sorted(table.values(), key=lambda item: int(item["position"]))
    return shortened_messages(within_bounds(items, settings["max_items"]))


def renewed_item(old: Item, item: Item) -> Item:
    """The item as it is now, with what only the old one says, and the counts of both; `old` may be empty.

    A call without a result comes again at each save until it has one, and counts once.
    """
    if not old:
        return item
    is_same_call = old["source"] == item["source"]
    if item.get("verdict") == "running" and not is_same_call and item["position"] <= old["position"]:
        return old  # it waits since before the newer call, and came at the save before
    first = old["first"] or item["first"]
    if item["kind"] == "message" and not is_same_when_cut(old["text"], item["text"]):
        return {**item, "first": first}  # typed anew with other words at its end
    counts: ItemFields = {"uses": counted(old["uses"], item["uses"], is_same_call)}
    if "edits" in item:
        is_first_result = old.get("verdict") == "running"  # then it counted as a use, and changed nothing yet
        counts["edits"] = counted(old.get("edits", 0), item["edits"], is_same_call and not is_first_result)
    evidence: ItemFields = {"evidence": old["evidence"]} if "evidence" in old else {}  # a `tail` may have cut it off
    renewed: Item = {**evidence, **item, **counts, "first": first}
    if item["kind"] == "look":
        return with_all_rows(old, renewed) if item["tool"] == "Read" else renewed
    if item["kind"] == "action":
        return with_earlier(old, renewed, is_same_call)
    is_started_anew = item["kind"] == "job" and not is_same_call
    if item["kind"] == "message" and not is_same_call:
        item = {**item, "typed_before": times_typed(old)}
    known: Any = {name: value for name, value in old.items() if not (is_started_anew and name in FIELDS_OF_RUN)}
    values: Any = {name: value for name, value in item.items() if value not in ("", None, [])}
    return {**item, **known, **values, **counts, "first": item["first"] if is_started_anew else first}


def times_typed(message: Item) -> list[TypedBefore]:
    """When a message was typed, the last times: what was done then stands under it, and not under an order between."""
    last: TypedBefore = {"position": message["position"], "time": message["last"]}
    return [*message.get("typed_before", []), last][-EARLIER_MAX:]


def with_earlier(old: Item, renewed: Item, is_same_call: bool) -> Item:
    """The action with how it ended before, where that was different."""
    earlier = old.get("earlier", []) if is_same_call else earlier_endings(old, renewed)
    others = [ending for ending in earlier if key_of_ending(ending) != key_of_ending(renewed)]
    return {**renewed, "earlier": others} if others else renewed


def with_all_rows(old: Item, look: Item) -> Item:
    """The file that was read with the rows of both reads; without any where one of them took it whole."""
    if old.get("rows_read") and look.get("rows_read") and not look["result"]:
        return {**look, "rows_read": list(dict.fromkeys([*old["rows_read"], *look["rows_read"]]))[-ROWS_READ_MAX:]}
    whole: Item = {**look}
    whole.pop("rows_read", None)
    return whole


def counted(before: int, now: int, is_known: bool) -> int:
    """The count of both; where the newer one was counted already, the higher."""
    return max(before, now) if is_known else before + now


def without_refused(items: Iterable[Item], refused: Set[str]) -> Iterator[Item]:
    """The items without calls that waited at an earlier save and were then refused: what ran before stays."""
    for item in items:
        if item["kind"] not in ("action", "look") or item["source"] not in refused:
            yield item
        elif item.get("earlier"):
            yield as_before(item)


def as_before(item: Item) -> Item:
    """The action as it ended the last time before this one."""
    *earlier, last = item["earlier"]
    before: Item = {**item, **last, "earlier": earlier, "uses": max(item["uses"] - 1, 1)}
    if not earlier:
        del before["earlier"]
    return before


def without_edits_of(calls: Set[str], items: Iterable[Item]) -> Iterator[Item]:
    """The items without the edits of these calls, which are told again: the ledger knew none of their lines."""
    for item in items:
        if item["kind"] != "action" or item["tool"] not in CHANGING_TOOLS or item["source"] not in calls:
            yield item


def within_bounds(items: list[Item], items_max: int) -> list[Item]:
    """The newest of each kind, and of all; of those that last longer than the work, such as rules, none goes before.

    The first message stays: it mostly says what the session is for.
    """
    count: dict[str, int] = {}
    kept = []
    first = next((item for item in items if item["kind"] == "message"), None)
    for item in reversed(items):
        count[item["kind"]] = count.get(item["kind"], 0) + 1
        if count[item["kind"]] <= KIND_MAX.get(item["kind"], items_max) or item is first or item.get("via") == "plan":
            kept.append(item)
    lasting = [item for item in kept if item["kind"] in LASTING][:items_max]
    others = [item for item in kept if item["kind"] not in LASTING][:items_max - len(lasting)]
    chosen = {id(item) for item in (*lasting, *others)}
    return [item for item in items if id(item) in chosen]


def shortened_messages(items: list[Item]) -> list[Item]:
    """The items, old messages not longer than is ever put back; a plan stays whole, it is what the session is for."""
    messages = [item for item in items if item["kind"] == "message" and item.get("via") != "plan"]
    old = {id(item) for item in messages[1:-WHOLE_MESSAGES]}
    return [{**item, "text": cut(item["text"], OLD_MESSAGE_MAX_UTF16)} if id(item) in old else item for item in items]


def earlier_endings(old: Item, new: Item) -> list[Ending]:
    """How the same action ended before, where it was different: the last three, each other one at its newest."""
    if old.get("verdict") == "running":
        return list(old.get("earlier", []))
    before: Any = {name: old.get(name) for name in END_FIELDS if name in old}
    others = [ending for ending in [*old.get("earlier", []), before] if key_of_ending(ending) != key_of_ending(new)]
    newest = {key_of_ending(ending): ending for ending in others}
    return [*newest.values()][-EARLIER_MAX:]


def key_of_ending(ending: Ending) -> tuple[str, str]:
    """What makes two ends of the same action the same."""
    return ending["verdict"], ending["result"]


# ==================================================================================================
# record/words/assent.py: Words that say nothing but yes, no, or that it goes on, in the languages in which sessions were seen.
# ==================================================================================================

ASSENT_WORDS_MAX, GOING_ON_WORDS_MAX = 4, 6
ASSENT_WORDS = frozenset((
    "yes yeah yep yup y ok okay k sure please pls thanks thx go on ahead continue proceed do it that so great good "
    "cool perfect fine right correct next ja jo gerne weiter mach bitte danke genau oui d'accord vas-y continue si sí "
    "vale claro dale sigue adelante sim pode continua certo да давай хорошо продолжай はい お願いします 네 예 응 계속 "
    "好 好的 是 是的 对 對 可以 继续 繼續 行 嗯").split())
ANSWER_WORDS = ASSENT_WORDS | frozenset("no nope stop done non nein não нет 続けて".split())
# No "yes", which answers something; "keep going" goes on, where "keep it" may choose.
GOING_ON_WORDS = frozenset((
    "again ahead and bitte carry continua continue continúa do fine further go going good great it just keep let lets "
    "mach more next now ok okay on out please pls proceed resume right sigue so sure thanks thx top up us weiter well "
    "with work you 继续 続けて 계속").split())
MARKS_AT_WORDS = ".,!?~:; "


def only_answers(text: str) -> bool:
    """Whether the words say yes, no, or that it goes on, and nothing else."""
    return holds_only(text, ANSWER_WORDS, ASSENT_WORDS_MAX)


def only_goes_on(text: str) -> bool:
    """Whether the words say nothing but to go on."""
    return holds_only(text, GOING_ON_WORDS, GOING_ON_WORDS_MAX)


def holds_only(text: str, known: Set[str], most: int) -> bool:
    """Whether the text has at most so many words, and all of them are known."""
    words = [word.strip(MARKS_AT_WORDS) for word in re.split(r"[\s,.，。!！]+", text.casefold()) if word]
    return 0 < len(words) <= most and {*words} <= known


# ==================================================================================================
# record/words/pasted.py: Which lines of a typed message are the person's own words, and which were pasted: output, logs, code, quotes.
# ==================================================================================================

PASTED_MAX_CHARACTERS = 40_000  # of a message, what lies behind is not looked at
LINE_LOOKED_AT_CHARACTERS = 400  # of a line: its form shows in these
HEARD_MAX_CHARACTERS = 200_000  # of the agent's words that lines are looked up in
HEARD_LINE_MIN_CHARACTERS = 20  # of a line that stands in the agent's words: shorter ones stand in many texts
DOCUMENT_MIN_LINES, DOCUMENT_MACHINE_SHARE, DOCUMENT_DISTINCT_SHARE = 8, 0.25, 0.7
LOG_MARK_EVERY_CHARACTERS, LOG_SHARE = 160, 0.5  # of a log's rows; of a text that is mostly log, by its characters
# Of the person's words behind a log's row: fewer may be the server's.
BEHIND_LOG_MIN_CHARACTERS, BEHIND_LOG_MIN_WORDS, BEHIND_LOG_LETTERS_SHARE = 100, 16, 0.7
DOCUMENT_MIN_HEADINGS = 3  # different ones, with which a text with code in it is a document
# Before each line that a runner of several programs hands on: `web:dev:`, `app-1  |`; a deployment's log: `Line 12: `.
RUNNER_NAME = r"\S{3,40}(?:[:\]>]|\s{0,12}\|)(?=\s|\Z)|Line(?= \d{1,6}: )"
# What a line announces: a paste goes on to the message's end, a paragraph to a blank line.
NOTHING, PASTE, PARAGRAPH = "nothing", "paste", "paragraph"
BARE_PROMPT = (  # a shell's, with nothing typed behind it
    r"(?:(?:\([\w.-]{1,30}\) ){0,3}\S{1,60}@\S{1,60}[:\s].{0,200}[$#%]"
    r"|PS [A-Za-z]:\\.{0,200}>)\s*\Z")
MARK_OF_CLIENT = "⏺"  # before the agent's words on the screen
BEHIND_PROMPT_MIN_WORDS = 6  # of a line behind a bare prompt that the person typed; fewer may be what was run there
GAP_MAX_LINES = 2  # own-looking lines between pasted ones, which are pasted too
FENCE = r"\s{0,8}(?:```|~~~)"
BLOCK_BEGINS = r"\s*<([a-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>\s*\Z"  # a tag alone on its line
BLOCK_QUOTE = r"\s*>\s"
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
DIFF_BEGINS = r"(?m)^\s{0,4}(?:diff --git |@@ -\d|--- a/)"
DIFF_LINE = r"[ +-]|index |new file|deleted file|\\ No newline"
COMMAND = r"/[\w:.-]{1,80}:?\s*\Z"  # a slash command, its arguments below
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
    is_told = PASTE_NAME in text  # what was pasted, by the client
    text = re.sub(PASTE_TAG, rf"<\1{PASTE_NAME}>", text) if is_told else text
    lines, heard = text.splitlines(), heard_words(tuple(said))
    may_be_diff = holds_any(text, ("diff --git ", "@@ -", "--- a/"))
    walls, is_diff = walled(lines, text), may_be_diff and bool(re.search(DIFF_BEGINS, text))
    are_own, are_quoted = [False] * len(lines), [False] * len(lines)
    introduced = NOTHING
    for number, line in enumerate(lines):
        head = head_of(line)
        if walls[number] or is_typed_behind_prompt(lines, number):
            introduced = NOTHING  # what was introduced stands in the fence, or ended with the shell's prompt
        if walls[number]:
            continue
        if not head.strip():
            introduced = NOTHING if introduced == PARAGRAPH else introduced
        elif re.match(BLOCK_QUOTE, head):
            are_quoted[number] = True
            introduced = NOTHING
        elif introduced != NOTHING:
            continue
        elif gives_others_words(head):
            introduced = PASTE if head.rstrip().endswith((":", '"', "“")) else PARAGRAPH
        elif not is_pasted(lines, number, is_diff, heard):
            are_own[number] = True
            introduced = PASTE if introduces(head) and not re.match(COMMAND, head) else NOTHING
    between = [False] * len(lines) if is_told else between_pasted(lines, are_own, are_quoted)
    return [line if is_own and not is_between else "" for line, is_own, is_between in zip(lines, are_own, between)]


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


def gives_others_words(line: str) -> bool:
    """Whether the line begins to give the words of others: `he says: …`."""
    return holds_any(line, ':»"“') and re.match(SPEAKS, line, re.IGNORECASE) is not None


def is_pasted(lines: list[str], number: int, is_diff: bool, heard: str) -> bool:
    """Whether a line by itself was pasted: by its form, where it stood on the screen, or because the agent said it."""
    head = head_of(lines[number])
    if number == 0 and re.match(COMMAND, head):
        return False
    return ((is_diff and bool(re.match(DIFF_LINE, head))) or is_machine_line(head) or is_indented(lines, number)
            or stands_in(head, heard))


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
    """Of each line whether it stands, with at most one more, between lines that a program wrote.

    Not one of several words right behind a shell's prompt: the paste of a terminal ended there, and another followed.
    """
    between = [False] * len(lines)
    full = [number for number, line in enumerate(lines) if line.strip()]
    run: list[int] = []
    is_after_paste = False
    for number in full:
        if are_own[number]:
            run.append(number)
            continue
        if run and is_typed_behind_prompt(lines, run[0]):
            run = []
        if is_after_paste and not quoted[number] and 0 < len(run) <= GAP_MAX_LINES:
            for inner in run:
                between[inner] = True
        run, is_after_paste = [], not quoted[number]
    return between


def is_typed_behind_prompt(lines: list[str], number: int) -> bool:
    """Whether the line has several words, and the one above is a shell's prompt with nothing typed behind it."""
    is_behind = number > 0 and re.match(BARE_PROMPT, head_of(lines[number - 1])) is not None
    return is_behind and len(lines[number].split()) >= BEHIND_PROMPT_MIN_WORDS


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
# record/words/sentences.py: A typed message's own lines as sentences, and a sentence as the patterns of the rules see it.
# ==================================================================================================

SENTENCE_MIN_CHARACTERS, SENTENCE_MAX_CHARACTERS = 6, 600  # a longer one is a pasted page, or dictated without marks
SENTENCES_MAX = 200  # of a message
WRAPPED_LINE_MIN_CHARACTERS = 60  # of a line that goes on in the next
SENTENCE_ENDS = (  # not behind "e.g.", nor behind three dots
    r"(?<=[.!?…])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!\.\.\.) +|(?<=[.!?][\")”*]) +(?=[A-Z])"
    r"|(?<=[。！？।])(?![。！？।])")
GOES_ON = ("以及", "并且", "並且")  # "read the plan! And all the others": the second half of a rule was lost
LIST_MARK = r"\A\s*(?:[-*•–+]|\(?\d{1,2}[.)]|[a-zA-Z][.)])\s+"
QUOTED = r"\"[^\"]{0,300}\"|“[^”]{0,300}”|«[^»]{0,300}»|「[^」]{0,300}」|(?<!\w)['‘][^'’]{1,200}['’](?!\w)"
ASKING = (  # how a question begins that has no mark
    r"\A(?:(?:and|but|so|ok|okay|also|hmm|wait|well|hey|q|question|uh|no|yes) (?:, )?){0,3}(?:do (?:you|we|i|they"
    r"|these|those|the|any|all|u)|does|did|is|are|was (?:it|that|this|there|the)|were (?:you|they|there|the|these)|has"
    r"|have|why|what|whats|how|hows|where|wheres|when (?:did|do|does|is)|who|whos|which|should|shall|would (?:it|that"
    r"|you say)|could (?:it|we)|isnt|arent|doesnt|didnt|wouldnt|shouldnt|can(?:t we| we| i)|may i|will (?:it|this)"
    r"|any(?: idea| chance| reason| way| thoughts)?|soll(?:en|te|ten)? (?:ich|wir)|darf ich|muss ich|est ce que|debo"
    r"|debemos|devo|devemos|devo|стоит ли)\b(?! not\b)(?! ever\b)")
START = r"(?:\A|, )"  # of a clause
LEAD = (  # what may stand before a clause's verb
    r"(?:(?:please|pls|plz|and|but|also|so|then|ok|okay|yes|yeah|yep|no(?= ,)|nope|oh|hey|just|again|btw|fyi|important"
    r"|note|reminder|remember(?: to)?|(?:dont|never) forget to|be sure to|make sure(?: to| (?:that )?you)?|try to|well"
    r"|actually|seriously|generally|in general|claude|hint|rule|ps|nb|n|(?:like |as )?i said|i repeat|that said|lets"
    r"|let us|because|since|(?:can|could|would|will) you|i (?:want|need) you to|i(?: woul)?d like you to|you (?:need"
    r"|have) to|you (?:should|must)|its important (?:to|that you)|it is important to|whatever you do|for everything"
    r"|for all of these|in all cases|for the record|one more thing|one thing) (?:, )?){0,4}")


def sentences(lines: Sequence[str]) -> list[str]:
    """The sentences of lines, those of a list one by one, wrapped lines joined, spaces folded."""
    parts: list[str] = []
    for line in lines:
        entry = re.sub(LIST_MARK, "", line)
        goes_on = (parts and entry == line and len(parts[-1]) >= WRAPPED_LINE_MIN_CHARACTERS
                   and line.strip()[:1].islower() and parts[-1][-1] not in ".!?:;。！？")
        folded_line = " ".join(entry.split())
        if goes_on:
            parts[-1] = f"{parts[-1]} {folded_line}"
        else:
            parts.append(folded_line)
    whole = [sentence for part in parts for sentence in split_sentences(part)]
    return [part for part in whole if SENTENCE_MIN_CHARACTERS <= len(part) <= SENTENCE_MAX_CHARACTERS][:SENTENCES_MAX]


def split_sentences(line: str) -> list[str]:
    """A line's sentences; one with a full stop within quotes goes on behind them."""
    parts: list[str] = []
    is_open = False
    for part in re.split(SENTENCE_ENDS, line):
        if is_open:
            parts[-1] = f"{parts[-1]} {part}"
        elif parts and part.startswith(GOES_ON):
            parts[-1] += part
        else:
            parts.append(part)
        is_open = parts[-1].count('"') % 2 == 1 and len(parts[-1]) < SENTENCE_MAX_CHARACTERS
    return [part.strip() for part in parts]


def folded(sentence: str) -> str:
    """The sentence as patterns see it: lower case, apostrophes and what is quoted left out, clause marks as commas."""
    text = re.sub(QUOTED, " quote ", sentence[:SENTENCE_MAX_CHARACTERS])
    text = re.sub(r"[‘’'`*]|(?<!\w)_+|_+(?!\w)", "", text.lower())
    text = re.sub(r"[,;:()\[\]—–、，：；（）…]|\s-+\s|-{2,}|->|=>|→|\.\.+", " , ", text)
    text = re.sub(r"[.!?]+(?=\s|\Z)|[!?\"“”«»„。！？।「」¡¿~|<>{}]|[^\w\s,./@*+#\u0900-\u097f\-]", " ", text)
    return re.sub(r"(?:, )+", ", ", " ".join(text.split())).strip(" ,")


def is_question(sentence: str, plain: str) -> bool:
    """Whether the sentence asks: by its mark, or by how it begins."""
    return sentence.rstrip(" \"'”*)").endswith(QUESTION_MARKS) or bool(re.match(ASKING, plain))


def fitting(plain: str, markers: tuple[tuple[str, str], ...]) -> Iterator[re.Match[str]]:
    """Where markers are met in a folded sentence, as it is or without what leads up to its clauses.

    A marker is its cues and its pattern, which is compiled only for a sentence with one of the cues: that takes up to
    a millisecond for each pattern and process, and most sentences have no cue at all.
    """
    patterns = patterns_cued(plain, markers)
    forms = dict.fromkeys((plain, re.sub(rf"(\A|, ){LEAD}", r"\1", plain))) if patterns else ()
    return (match for pattern in patterns for form in forms for match in re.finditer(pattern, form))


def patterns_cued(plain: str, markers: tuple[tuple[str, str], ...]) -> list[str]:
    """The patterns of those of the markers of which the folded sentence holds a cue."""
    if not any(map(plain.__contains__, cues_of(markers))):
        return []  # as in most sentences: a third of a message's time was parting and trying each marker's cues alone
    return [pattern for cues, pattern in markers if any(map(plain.__contains__, cues.split("|")))]


@functools.cache
def cues_of(markers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The cues of all of the markers, each once."""
    return tuple({cue for cues, _ in markers for cue in cues.split("|")})


# ==================================================================================================
# record/words/binding.py: A typed message's weight without the rules: whether it forbids or bounds something.
# ==================================================================================================

CLAUSE_BEGINS = r"(?:\A|, |\b(?:and|but|so|please|then|or|we|you|yes|no|ok|okay) )"
BOUNDS = (  # of a folded sentence: apostrophes are gone, clauses parted by " , "
    CLAUSE_BEGINS + r"(?:do not|dont|never|not (?:before|until|unless|without|yet)|only|always|leave|keep|no|must"
    r"|avoid)\b",
    r"\b(?:must not|mustnt|may not|should not|shouldnt|should never|at most|no more than|nothing else|nowhere else"
    r"|hands off|forbidden)\b",
    r"\b(?:nicht|niemals|nie|nur|keine?[nrms]?|immer|jamais|uniquement|toujours|nunca|siempre|sólo|solamente|não|apenas"
    r"|somente)\b",
    "のみ|しない|必ず|禁止|必须|不要|不准|只能|반드시|금지|하지 마")
BARE_NO = r"\A(?:no|nein|nope) , "  # an answer, which the words behind it explain


def binds(text: str) -> bool:
    """Whether a sentence of the person's own words forbids or bounds something; a question does not."""
    for sentence in sentences(own_lines(text)):
        plain = folded(sentence)
        if not is_question(sentence, plain) and any(re.search(form, re.sub(BARE_NO, "", plain)) for form in BOUNDS):
            return True
    return False


# ==================================================================================================
# notes/requests.py: What the person asked, for the notes: the newest messages, and those before them that still say what to do.
# ==================================================================================================

REQUESTS_SHOWN = 5  # messages, the newest; without those that only say to go on
BINDING_SHOWN = 6  # older messages that forbid or bound something, the newest
REQUEST_MAX_UTF16 = 700
FIRST_ORDER_MAX_UTF16 = 1_600  # of the session's first order, and of the last long one


def newest_messages(items: Sequence[Item]) -> list[str]:
    """What was asked last, what before that, and what the session is for, a line each; none without a message.

    The last ones alone may be questions in between, or "go on", of which the newest alone is shown: the last long
    message, those that forbid or bound something ("do not push, Anna reviews first") and the first of all stay. What is
    left out between is counted; a single one has the room that its count would take.
    """
    messages = [item for item in items if (item["kind"], item["status"]) == ("message", "open")
                and not is_for_summary(item)]
    newest_first = sorted(messages, key=lambda item: -int(item["position"]))
    recent = [item for index, item in enumerate(newest_first) if index == 0 or not only_goes_on(item["text"])]
    recent = recent[:REQUESTS_SHOWN]
    long_ones = filter(is_long, newest_first)
    whole = [*islice(long_ones, 1), *newest_first[-1:]]
    rules = {item["text"] for item in items if item["kind"] == "rule"}  # these stand in their own section
    older = [item for item in newest_first if item not in recent and item not in whole and item["text"] not in rules]
    binding = [*islice((item for item in older if binds(item["text"])), BINDING_SHOWN)]
    left_out = [item for item in older if item not in binding and not only_goes_on(item["text"])]
    alone = left_out if len(left_out) == 1 else []
    lines = list[str]()
    for item in newest_first:
        if len(left_out) > 1 and item is newest_first[-1]:
            at_least = "at least " * (len(messages) >= KIND_MAX["message"])  # of more messages the oldest are gone
            lines.append(f"({at_least}{len(left_out)} more in between)")
        if item in whole:
            limit = FIRST_ORDER_MAX_UTF16
        elif item is newest_first[0] or item in binding:
            limit = REQUEST_MAX_UTF16
        elif item in recent or item in alone:
            limit = NOTE_WORDS_MAX_UTF16
        else:
            continue
        shown: Item = item if item in recent else {**item, "text": own_words_of(item)}
        refusing = "when refusing " if item.get("refused") else ""
        lines.append(f"{why_shown(item, newest_first, recent, binding)}{refusing}{message_shown(shown, limit)} "
                     f"({local(moment(item['last']))})")
    return lines


def why_shown(
        item: Item, newest_first: Sequence[Item], recent: Sequence[Item], binding: Sequence[Item]) -> str:
    """When a message came, and why it is shown; nothing is said of the newest."""
    if item is newest_first[0]:
        return ""
    if item is newest_first[-1]:
        return "first of all: "
    if item in recent:
        return "before that: "
    if item in binding:
        return "earlier, it sets bounds: "
    return "earlier, the last long one: " if is_long(item) else "earlier: "


def is_long(message: Item) -> bool:
    """Whether the message's own words are as many as an order's."""
    return len(own_words_of(message)) >= ORDER_MIN_CHARACTERS


def own_words_of(message: Item) -> str:
    """The message's words without what was pasted into it."""
    return text_of(message, "own") or message["text"]


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


def count_of_open_tasks(items: Sequence[Item]) -> int:
    """How many of the client's list are open, as it shows them; without such a list those of checklists.

    Boxes that the agent wrote are mostly the parts of a task of the list.
    """
    tasks = open_tasks(items)
    if tasks_of_client(items):
        return len(tasks_of_client(tasks))
    return len(tasks)


def tasks_of_client(items: Sequence[Item]) -> list[Item]:
    """The tasks of the client's own lists."""
    return [item for item in items if item["kind"] == "task" and text_of(item, "list") in LISTS_OF_THE_CLIENT]


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed that are longer than "go on", with which a task goes on."""
    return sum(is_typed(item) and len(item["text"]) > SAME_ORDER_MAX_CHARACTERS for item in items)


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
# A part of a word that the shell prints as it stands: quoted, escaped, or none of the signs that it fills in.
LITERAL = r"'[^']*'|\"(?:\\.|[^\"\\$`])*\"|\\.|[^\s'\"\\$`*?\[\](){}<>|&;~#]"
PRINTS_LITERALS = rf"(?s:(?:\s*(?:echo|printf)(?=\s|\Z)(?:[ \t]|{LITERAL})*(?:&&|\|\||[;\n]|\Z))+\s*)"


def prints_own_words(command: str) -> bool:
    """Whether the command only prints literals: what it printed are the agent's own words then, and show nothing.

    "✓ All zones are in step" had stood behind an arrow, as if something had been looked at.
    """
    may_print = command.lstrip().startswith(("echo", "printf", "#"))
    return may_print and re.fullmatch(PRINTS_LITERALS, "\n".join(lines_that_do(command))) is not None


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
INSTALLING_WORDS = ("install", "i", "add", "ci", "sync", "get", "mod", "remove")


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


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in INSTALLING_PROGRAMS and "".join(words[1:2]) in INSTALLING_WORDS:
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in CHECK_FAMILIES if family in families), "")


# ==================================================================================================
# record/checks/broken_runs.py: Commands that are no checks and whose last run failed for certain: the session's own program that broke, a push.
# ==================================================================================================

CODE_ERROR = (  # in what an output says of its end
    r"\b(?:NameError|UnboundLocalError|AttributeError|SyntaxError|IndentationError|ReferenceError): "
    r"|\bImportError: cannot import name|\bTypeError: (?!fetch failed)|(?:^|\s)panic: |\bpanicked at ")
STARTING_SCRIPTS = rf"(?:{INTERPRETERS}|bun|deno|go)$"
INLINE = rf"<<|(?:{INTERPRETERS}|bun|deno) (?:-\w+ )*-[a-z]*[cepr]\b"  # the error may be that text's
BEFORE_SCRIPT = ("run",)  # of go, bun and deno
OTHER_STATE = r"\bgit (?:checkout|switch|worktree|bisect)\b"  # of the sources is what ran then
PIECES_LOOKED_AT = 12


def broken_runs(actions: Sequence[Item]) -> list[BrokenRun]:
    """The programs whose last run broke, and the push that failed last, the newest first."""
    if not any(action["verdict"] == "failed" for action in actions):
        return []
    changes = [(action["position"], action["text"]) for action in actions  # as seen from the working folder
               if is_file_edit(action) and action["text"].endswith(SOURCE_ENDINGS)]
    endings = endings_of(actions)
    shown: list[BrokenRun] = []
    for ending in last_runs_broken(endings, [path for _, path in changes]):
        since = [path for position, path in sorted(changes, reverse=True) if position > ending["position"]]
        is_checked = any(other["verdict"] == "passed" and other["position"] > ending["position"] for other in endings)
        if not (since and is_checked):
            shown.append({"command": ending["text"], "result": ending["result"], "last": ending["last"],
                          "position": ending["position"], "edited_after": list(dict.fromkeys(since))})
    return sorted([*shown, *failed_push(actions, endings)], key=lambda run: -run["position"])


def last_runs_broken(endings: Sequence[Ending], edited: Sequence[str]) -> list[Ending]:
    """The last run of each program of the edited sources, where that broke; each run once.

    From the first that broke on: to part all commands of a session took 7 ms of each save.
    """
    first = next((index for index, ending in enumerate(endings) if is_broken(ending)), len(endings))
    last: dict[tuple[str, ...], Ending] = {}
    for ending in endings[first:]:
        if ending["verdict"] != "not run":
            for target in own_programs(ending["text"], edited):
                last[target] = ending
    broken = {ending["position"]: ending for ending in last.values() if is_broken(ending)}
    return [*broken.values()]


def is_broken(ending: Ending) -> bool:
    """Whether the run ended with an error of its code, and was one of the sources as they stand."""
    return (ending["verdict"] == "failed" and not checks_in(ending["text"])
            and bool(re.search(CODE_ERROR, str(ending.get("result") or "")))
            and not re.search(OTHER_STATE, ending["text"]) and not runs_without_changes(ending["text"]))


def own_programs(command: str, edited: Sequence[str]) -> list[tuple[str, ...]]:
    """What the command starts of the sources that were edited, each with its first word behind: `cli.py next`."""
    programs = list[tuple[str, ...]]()
    if not edited or re.search(INLINE, command):
        return programs
    for piece, _ in pieces_of(command)[:PIECES_LOOKED_AT]:
        words = without_redirections(piece.split())
        while words and "=" in words[0]:
            words = words[1:]
        script, rest = script_of_words(words)
        if script and any(is_its_source(script, path) for path in edited):
            order = next((word for word in rest if not word.startswith("-")), "")
            programs.append((script, order.strip("\"'")))
    return programs


def script_of_words(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The script or module that the words start, as a path, and the words behind it; empty: none."""
    if not words or not re.match(STARTING_SCRIPTS, program_of(words)):
        is_script = bool(words) and "/" in words[0] and re.search(r"\.\w{1,4}$", words[0])
        return (os.path.normpath(words[0]), words[1:]) if is_script else ("", [])
    rest = [word for word in words[1:] if word not in BEFORE_SCRIPT]
    if rest[:1] == ["-m"] and len(rest) > 1:
        return rest[1].replace(".", "/"), rest[2:]
    index = next((index for index, word in enumerate(rest) if not word.startswith("-")), None)
    if index is None:
        return "", []
    return os.path.normpath(rest[index].strip("\"'")), rest[index + 1:]


def is_its_source(script: str, path: str) -> bool:
    """Whether the edited file is the script, or lies in the package or folder that is started."""
    if script.startswith((*OUTSIDE, "..", "-")) or is_unchecked(path):
        return False
    stem = os.path.splitext(path)[0]
    top = script.partition("/")[0] if "." not in file_name(script) else script
    pairs = ((path, script), (script, path), (stem, script))
    is_script = any(f"/{longer}".endswith(f"/{shorter}") for longer, shorter in pairs)
    return is_script or (top not in ("", ".") and f"/{top}/" in f"/{path}")


def failed_push(actions: Sequence[Item], endings: Sequence[Ending]) -> list[BrokenRun]:
    """The last push where git says why it failed, and nothing later may have pushed; none else."""
    last = next((ending for ending in reversed(endings) if has_push(ending["text"])), None)
    if not last or not says_push_refused(last):
        return []
    later = [action for action in actions if action["position"] > last["position"]]
    return [] if may_have_pushed(later) else [{
        "command": last["text"], "result": last["result"], "last": last["last"], "position": last["position"],
        "edited_after": []}]


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
# record/checks/last_runs.py: When which check was last run, how that ended, what was edited after it, and which failures stay open.
# ==================================================================================================

SINCE_MAX = 2  # checks that passed since a failure and are named beside it
SOME_LINES = rf"\|\s*(?:{'|'.join(SEARCHING)})\b"  # of whose output only some lines were asked for
TOTAL_FAILED = r"\b\d+ (?:failed|failing|failures?|errors?)\b"  # beside which each failed test is named, or more failed


def with_those_behind(runs: Sequence[CheckRun]) -> Iterator[tuple[CheckRun, Sequence[CheckRun]]]:
    """Each run with those behind it, the newest first; `runs`, and those behind it, are the oldest first."""
    for index in range(len(runs) - 1, -1, -1):
        yield runs[index], runs[index + 1:]


def is_overtaken(run: CheckRun, later: Sequence[CheckRun]) -> bool:
    """Whether a later run of another check, or of the same in another folder, stands for the run."""
    others = [other for other in later if other["verdict"] in KNOWN_VERDICTS and not is_same_check(other, run)]
    return any(stands_for(other, run) or shows_built(other, run) for other in others)


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


def could_not_run(actions: Sequence[Item], runs: Sequence[CheckRun]) -> list[CheckRun]:
    """The last run of each check that could not run and says why, where nothing stands for it since; the newest first.

    What the person refused says nothing. `runs` are the actions' check_runs.
    """
    forms = mended(actions)
    shown: list[CheckRun] = []
    for run, later in with_those_behind(runs):
        is_tried_since = any(other["name"] == run["name"] for other in later) or is_overtaken(run, later)
        if run["verdict"] == "not run" and run["result"] and not is_tried_since and not had_wrong_form(run, forms):
            shown.append(run)
    return shown


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
# record/outcomes/not_started.py: What says that a command or its check was never started: programs, tasks, modules and folders that are not there.
# ==================================================================================================

NOT_STARTED = (126, 127)  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10}:? )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|(?:enoent )?Could not read package\.json: .{1,200}"
    r"|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}|unrecognized subcommand .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80})"
    r"|error TS5058: .{1,200}|tsc: The TypeScript Compiler - Version .{1,20}")  # of tsc: its project is not there
NO_SUCH_MODULE = r"\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named ([\w.]{1,80})$"  # of `python3 -m NAME`
CANNOT_START = (  # what shells, env and timeout say of a program that they cannot start
    r"(?:\S{0,40}sh|env|timeout|nice|\(eval\)|\S{1,200}(?=: line \d))(?:: line)?(?:[ :]{1,2}\d{1,6})?: "
    r"(?:command not found: (?P<zsh>\S{1,80})|(?:no such file or directory|permission denied): (?P<path>\S{1,200})"
    r"|(?:failed to run command )?[‘']?(?P<named>[^\s:’']{1,200})[’']?: "
    r"(?:(?:command )?not found|No such file or directory|Permission denied))$"
    r"|'(?P<windows>[^\s']{1,80})' is not recognized as an internal or external command"
    r"|fish: Unknown command: (?P<fish>\S{1,80})|(?:uv : )?error: Failed to spawn: `(?P<uv>[^`]{1,80})`")
LINES_READ_MAX = 20  # of an output, in which a task runner says so
CD_FAILED_LINES_MAX = 3  # of an output with nothing else in it


def never_started(run: EndedCommand, verdict: str) -> str:
    """The line that says that a check's program, task or module is not there, so that nothing was checked; empty: none.

    Behind a pipe the exit code is the filter's, and zsh's sentence ends in the program's name: a suite whose `pnpm` was
    not there stood as one whose output does not show whether it passed.
    """
    if verdict not in ("failed", "unknown"):
        return ""
    if len(run.checks) == 1 and (missing := no_such_program(run) or no_such_task(run)):
        return missing
    return "" if run.has_failed else no_such_module(run)


def first_line_where(run: EndedCommand, says_so: Callable[[str], bool]) -> str:
    """The first of an output's first lines that says so, short enough to be a cause; empty: none does."""
    return next((cut_words(line, CAUSE_MAX_UTF16) for line in run.text[:LINES_READ_MAX] if says_so(line)), "")


def no_such_program(run: EndedCommand) -> str:
    """The line in which a shell says that it cannot start the only check's program; empty: it does not."""
    own = run.checks[0]["command"].split()
    return first_line_where(run, lambda line: program_not_started(line) in own)


def program_not_started(line: str) -> str:
    """The program of which a shell, env or the like says in the line that it cannot start it; empty: of none."""
    match = re.match(CANNOT_START, line)
    return match[match.lastgroup or 0] if match else ""


def lost_output(run: EndedCommand) -> str:
    """That the output of checks went to a program that a shell says it cannot start; empty where it did not.

    The checks ran: a build whose `grep` was not there had stood as not run.
    """
    filters = {program_in(text) for check in run.checks for text in check["filters"]}
    row = first_line_where(run, lambda line: program_not_started(line) in filters) if filters else ""
    return f"{LOST_OUTPUT}{program_not_started(row)}`, which is not there" if row else ""


def no_such_task(run: EndedCommand) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    return first_line_where(run, lambda line: re.match(NO_SUCH_TASK, line) is not None)


def no_such_module(run: EndedCommand) -> str:
    """The line in which Python says that it has no such module as its check was to run; empty: it does not."""
    def lacks_module(line: str) -> bool:
        """Whether Python says in the line that it has no such module as the command was to run."""
        match = re.match(NO_SUCH_MODULE, line) if "No module named" in line else None
        return match is not None and re.search(rf"-m {re.escape(match[1])}(?![\w.])", run.command) is not None
    return first_line_where(run, lacks_module)


def cd_failed(run: EndedCommand) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    if "cd " not in run.command or len(run.text) > CD_FAILED_LINES_MAX:
        return False
    return any(re.search(r"\bcd:", line) for line in run.text)


# ==================================================================================================
# record/outcomes/lacks.py: What the machine itself refused to a session's commands: programs that are not there, a password for sudo.
# ==================================================================================================

SAID_OF_LACKS = ("not found", "o such file", "not recognized", "Unknown command", "sudo: a ")  # most rows have none
REFUSAL_MAX_CHARACTERS, REFUSALS_MAX = 300, 50
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
SUDO = "sudo"
ON_EVERY_MACHINE = {"cat", "grep", "head", "ls", "sed", "sort", "tail", "wc"}  # else the PATH is broken


def lacking_in(command: str, output: str) -> list[str]:
    """The programs of a command that the output says are not there; sudo where it wants a password."""
    if not holds_any(output, SAID_OF_LACKS):
        return []
    rows = [row.strip()[:REFUSAL_MAX_CHARACTERS] for row in output.splitlines() if holds_any(row, SAID_OF_LACKS)]
    refused = [SUDO if re.search(SUDO_REFUSES, row) else program_not_started(row) for row in rows[:REFUSALS_MAX]]
    if ON_EVERY_MACHINE & {*refused}:
        return []
    own = programs_of(command)  # what a script of its own starts is the script's matter
    return [program for program in dict.fromkeys(refused) if program in own and "/" not in program]


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_in(piece))
    return programs


# ==================================================================================================
# record/outcomes/pipe_filters.py: What a pipe behind a check lets through of its output, and whether a failure would be among that.
# ==================================================================================================

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines.

    What goes into a variable of PowerShell's is not seen; of a check that is to fail silence says nothing.
    """
    if re.match(rf"{NEGATION}|{ASSIGNED_IN_POWERSHELL}", check["typed"]):
        return False
    return all(lets_failures_through(text, check, count) for text in check["filters"])


def lets_failures_through(text: str, check: Check, count: int) -> bool:
    """Whether one program of the pipe lets a failure through; of one that is not known here it is not certain."""
    words, program = shell_words(text), program_in(text)
    if program == "head":
        return count < lines_let_through(words)
    if program in SEARCHING:
        names_failures = re.search(r"(?i)fail|error", text) is not None
        return "-v" in words or (names_failures and check["runner"] not in SILENT_RUNNERS)
    return program in PASSING_ON


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
STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter", "boost", "prove", "tap", "julia", "zig"))
# Whose last rows count all that the call ran, broken files too: where these say that no test ran, none is hidden.
COUNTING_ALL_AT_END = ("pytest", "unittest", "mocha", "node", "rspec", "phpunit", "bun test", "ctest")
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild", "nx", "sbt"))  # say it of tests and of builds alike
# `All 3 tests passed.`, `0 failures, 0 errors.`: they count where that program was called.
WORDS_OF_ANYBODY = frozenset(("zig", "clojure"))
GO_ENDED = "PASS"  # Go says it of no test, too
SCRIPT_NAME = r"\.(?:py|js|mjs|ts|rb|php|pl|lua|R)\Z"  # of what an interpreter runs
# What a script that counts no tests prints of a failure: in words, and by signs that may mean something else.
SAYS_FAILED = (
    r"[\W_]{0,12}(?:FAIL(?:ED|URE)?(?!\w)(?![:=\s]{1,3}0\b)|not ok\b)"
    r"|\W{0,12}(?P<passed>\d{1,6}) ?(?:/|of|out of) ?(?P<all>\d{1,6}) tests? passed")
LOOKS_FAILED = (
    r"\W{0,12}[❌✗✘✖×](?! ?(?:\w{1,10}[: ]{1,3})?0\b)"
    r"|(?!\W{0,3}[✅✓✔]).{0,200}(?:\| ?❌|\bFAIL(?:ED)?\W{0,4}$"
    r"|\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?)\b|\b(?i:failed|failures?)[:=] ?[1-9])")
# Each test binary has a total of its own: the programs that may have cut off those of others.
SEVERAL_BINARIES = {"cargo test": ("head",), "dune test": CUTTING, "dune runtest": CUTTING, "ginkgo": CUTTING}
# `echo "exit $?"`, with what stands before the code:
ECHOED_EXIT = r"echo\s{1,9}[\"']?(?P<before>[^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\}|LASTEXITCODE)"
EXIT_NAMES = ("$?", "PIPESTATUS", "LASTEXITCODE")
# `if [ $? -eq 0 ]; then echo PASS; else echo FAIL; fi`, `if make; then …`, and as PowerShell writes the first.
PRINTS_WORDS = r"(?:echo|Write-Output|Write-Host)\s{1,9}[\"']?(?P<%s>[^\"';{}$\n]{1,60}?)[\"']?\s{0,9}[;}\n]"
WORDS_BY_EXIT = (
    r"\bif (?:\(\$(?:LASTEXITCODE -eq 0|\?)\)|\[{1,2} \$\? (?:-eq|==?) 0 \]{1,2};?|[^;\n!\[(]{3,300};)"
    rf"\s{{0,9}}(?:then|\{{)\s{{1,9}}{PRINTS_WORDS % 'passed'}"
    rf"\s{{0,9}}else\s{{1,9}}\{{?\s{{0,9}}{PRINTS_WORDS % 'failed'}")


def verdict_of_checks(run: EndedCommand) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output.

    Unknown where they seem to have passed, and printed an error with its stack.
    """
    verdict = verdict_by_exit_or_output(run)
    return "unknown" if verdict == "passed" and run.printed_error else verdict


def verdict_by_exit_or_output(run: EndedCommand) -> str:
    """The verdict by the exit code where it is the checks' own, else by the output."""
    printed = exit_of_only_check(run) if len(run.checks) == 1 else None
    has_own_exit = run.exit_code is not None and all(check["shows_exit"] for check in run.checks)
    says_failed = bool(own_words_of_failure(run, SAYS_FAILED))
    if printed is None and not has_own_exit:
        return "failed" if run.has_failed or says_failed else verdict_seen(run)
    if strongest(run.checks) in MAY_TEST and ran_nothing(run):
        return "not run"
    exit_code = run.exit_code if printed is None else printed
    if exit_code or fails_with_exit_0(run) or says_failed:
        return "failed"
    is_unclear = is_script_without_totals(run) or own_words_of_failure(run, LOOKS_FAILED)
    return "unknown" if is_unclear else "passed"


def own_words_of_failure(run: EndedCommand, pattern: str) -> str:
    """The first row that says so of a failure, of tests of which no known runner says anything; empty: none does.

    `bash test.sh` exits 0 by its last echo, whatever its rows with ❌ say. Beside a runner's words it is a log's.
    """
    reading = run.reading
    is_of_runner = not reading.is_titled and (reading.tests or reading.passed or reading.seen_passing)
    if is_of_runner or not all(check["family"] == "test" and not check["runner"] for check in run.checks):
        return ""
    return next((row for row in run.text if is_of_failure(re.match(pattern, row))), "")


def is_of_failure(match: re.Match[str] | None) -> bool:
    """Whether the row was matched, and does not count all of its tests as passed."""
    if not match:
        return False
    groups = match.groupdict()
    return groups.get("passed") is None or int(groups["passed"]) < int(groups["all"])


def is_script_without_totals(run: EndedCommand) -> bool:
    """Whether the check is a script that is only called a test, and printed what no runner prints.

    A script that measures exits 0 whatever it measured: of two of these the figures that the session was about stood
    behind "passed". One that prints nothing only asserts.
    """
    is_called_test = all(check["family"] == "test" and not check["runner"] and re.search(SCRIPT_NAME, check["name"])
                         for check in run.checks)
    reading = run.reading
    return is_called_test and bool(run.text) and not (reading.tests or reading.passes or reading.seen_passing
                                                      or reading.passed)


def fails_with_exit_0(run: EndedCommand) -> bool:
    """Whether checks that exited 0 failed all the same: where that says nothing, and a total counts failures."""
    if run.lists_files():
        return True
    may_be_anything = any(not check["runner"] for check in run.checks)
    never_fails = any(option in run.command for option in NEVER_FAILING)
    has_failing_total = run.reading.failures > 0 and bool(run.reading.tests or run.reading.problems)
    return (may_be_anything or never_fails) and has_failing_total


def verdict_seen(run: EndedCommand) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] in MAY_TEST for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        return "unknown" if any(may_hide_runs(check, run) for check in run.checks) else "not run"
    ends_in_error = reading.error_at_end or (reading.none and reading.causes)
    if ends_in_error and not reading.passes:
        return "not run" if "not found" in reading.cause and program_not_started(reading.cause) else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in run.checks if not check["shows_exit"]]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that this check passed."""
    if check["family"] in MAY_TEST and are_tests_seen_to_pass(check, run):
        return True
    if check["family"] == "test" or (check["runner"] == HOOKS and is_cut(check, len(run.lines) + 1)):
        return False
    if runners_that_passed(check, run) or run.reading.problems:
        return True
    count = len(run.text)
    if count:
        return names_silent_program(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def are_tests_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that tests passed, in lines that would have told of a failure as well."""
    reading, count = run.reading, len(run.text)
    # The client leaves out the blank lines at an output's ends.
    if is_cut(check, len(run.lines) + 1, SEVERAL_BINARIES.get(check["runner"], ())):
        return False
    runners = runners_that_passed(check, run) & (OF_TESTS | OF_ALL)
    if reading.has_whole_total or runners - {*ENDS_WITHOUT_COUNT} or (runners and reading.tests):
        return True
    has_seen_some = reading.seen_passing and {*run.text} != {GO_ENDED}
    return bool(reading.tests or has_seen_some) and sees_failures(check, count)


def may_hide_runs(check: Check, run: EndedCommand) -> bool:
    """Whether tests may have run of which a filter kept the rows back.

    Of seven that ran, `cargo test zones | tail` had left other binaries' "0 passed" alone. The client leaves out the
    blank lines at an output's ends.
    """
    if check["runner"] in COUNTING_ALL_AT_END and len(run.checks) == 1:
        return False
    has_several = check["runner"] in SEVERAL_BINARIES
    return is_cut(check, len(run.lines) + 1 if has_several else len(run.text))


def runners_that_passed(check: Check, run: EndedCommand) -> set[str]:
    """The runners whose lines say that something passed; mise's, which end each task, where the last ones were seen."""
    program = check["runner"].partition(" ")[0]
    runners = {runner for runner, _ in run.reading.passed if runner not in WORDS_OF_ANYBODY or runner == program}
    only_tails = all(program_in(text) == "tail" for text in check["filters"])
    is_task = not check["runner"]
    return runners if is_task and only_tails else runners - {"mise"}


def names_silent_program(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    if len(lines) > STARTED_MAX:
        return False
    started = [re.match(COMMAND_STARTED, line) for line in lines]
    last = started[-1] if all(started) else None
    checks = checks_in(last[1]) if last else []
    return bool(checks) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in checks)


def is_passed_before_other_failed(run: EndedCommand) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: EndedCommand) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def exit_of_only_check(run: EndedCommand) -> int | None:
    """The exit code of a line's only check, which it printed, or of which its own is the opposite; else None."""
    typed = run.checks[0]["typed"]
    if not typed.startswith(NEGATION):
        return exit_printed(run)
    is_last = pieces_of(run.command)[-1][0] == typed
    return int(run.exit_code == 0) if is_last and run.exit_code is not None else None


def exit_printed(run: EndedCommand) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    by_words = exit_by_words(run)
    if by_words is not None or not any(name in run.command for name in EXIT_NAMES):
        return by_words
    pieces = pieces_of(run.command)
    for index in range(1, len(pieces)):
        piece = pieces[index][0]
        echo = re.match(ECHOED_EXIT, piece)
        if not echo:
            continue
        is_behind_pipe = index > 1 and pieces[index - 2][1] in PIPES
        if is_behind_pipe and "pipefail" not in run.command and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(echo["before"].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        codes = [match[1] for match in (re.match(pattern, line) for line in run.text) if match]
        if codes:
            return int(codes[-1])
    return None


def exit_by_words(run: EndedCommand) -> int | None:
    """0 or 1 by which of the two words the output has that the command prints by its check's exit code; else None."""
    branches = re.search(WORDS_BY_EXIT, run.command) if "else" in run.command else None
    if not branches or run.checks[0]["filters"]:
        return None
    printed = [name for name in ("passed", "failed") if branches[name].strip() in run.text]
    return int(printed == ["failed"]) if len(printed) == 1 else None


# ==================================================================================================
# record/outcomes/check_ends.py: How each check of a command line ended, as far as the line's verdict and its output tell.
# ==================================================================================================

def ends_of_checks(command: str, output: str, verdict: str, family: str) -> list[CheckEnd]:
    """Of each check of the line how it ended, in their order; none where each ended as the line did, by its verdict.

    `family` is that of which its verdict tells.
    """
    checks = with_tests_shown(checks_in(command), family)
    lacking = lacking_in(command, output) if len(checks) > 1 else []
    verdicts = ["not run" if check["command"].split()[0] in lacking else
                verdict_of_check(index, checks, output, verdict, family) for index, check in enumerate(checks)]
    if not {*verdicts} - {verdict}:
        return []
    return [end_of_check(check, own, checks, output, verdict) for check, own in zip(checks, verdicts)]


def end_of_check(check: Check, own: str, checks: Sequence[Check], output: str, verdict: str) -> CheckEnd:
    """The check's verdict; where the line's only tests are seen to have passed, with their totals as the result.

    What else the line printed, of a build before them, had stood as what the tests said.
    """
    is_only_test = [other for other in checks if other["family"] == "test"] == [check]
    if verdict != "unknown" or own != "passed" or not is_only_test:
        return {"verdict": own}
    return {"verdict": own, "result": joined_line(passed_parts(run_of(check, output).reading))}


def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


def verdict_of_check(index: int, checks: Sequence[Check], output: str, verdict: str, family: str) -> str:
    """How the check at this index of the line's checks ended, as far as the line's own verdict tells."""
    if verdict == "failed":
        return verdict_in_failed_line(index, checks, family)
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(checks[index], output):
        return "passed"
    return verdict


def verdict_in_failed_line(index: int, checks: Sequence[Check], failed_family: str) -> str:
    """How the check ended, which stands at this index of a line's checks, where one of the family failed."""
    check = checks[index]
    if failed_family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == failed_family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == failed_family), 0)
    if index < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def shows_tests_passed(check: Check, output: str) -> bool:
    """Whether the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test":
        return False
    run = run_of(check, output)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)


def run_of(check: Check, output: str) -> EndedCommand:
    """The check as if it had printed all that its line did."""
    return EndedCommand(check["command"], [check], end_by_client(output, None, None)["output"], None)


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
# record/words/dialogs.py: What the client asked the person in dialogs: questions and answers, plans and their approval, refused calls.
# ==================================================================================================

QUESTION_KEPT_UTF16, OPTION_MAX_UTF16, CHOSEN_MAX_UTF16 = 500, 200, 1_500
REFUSED_CALL_MAX_UTF16, PLAN_PATH_MAX_UTF16 = 200, 300
QUESTIONS_MAX, OPTIONS_MAX = 8, 8  # of one dialog, of one question
ANSWERS_MAX_CHARACTERS = 20_000
ANSWER_END = r"\"(?=, \"|\. You can now|\.?\s{0,9}$| user notes: | selected preview:)"  # what stands behind an answer
NOTES = r" user notes: (.{1,2000}?)(?=, \"|\. You can now|$)"
PART_ANSWERED = r"(?:^|\n)- \"(?P<question>[^\n]{1,600})\"\n {1,9}Answer: (?P<answer>[^\n]{1,2000})"
CLARIFYING = "The user wants to clarify"  # the client's own words in a rejection of questions
PLAN_PATH = r"/\.claude/plans/[^/]{1,200}\.md$"
# The dialog's own choices: some copy one into the words of a rejection, with what is to be done first behind it.
APPROVAL = (r"Yes, (?:clear context(?: \(\d{1,3}% used\))? and |and )?"
            r"(?:auto-accept edits|manually approve edits|bypass permissions)\b")
WAITING_FOR_APPROVAL = "waiting for approval"
PLANNING = "in plan mode: no plan shown yet"


class Dialogs:
    """Questions, plans and refusals as they stand; a later entry may answer, approve or overtake them."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.questions = {item["key"]: item for item in known if item["kind"] == "question"}
        self.refusals = {item["text"]: item for item in known if item["kind"] == "refusal"}
        plans = [item for item in known if item["kind"] == "plan"]
        self.plan: Item = plans[-1] if plans else {}
        self.draft = ("", "")  # path and text of the plan file that was written last

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The dialogs' items that an entry gives, changes, or ends."""
        if entry["what"] == "typed":
            yield from self.overtaken(entry)
        elif entry["what"] == "plan":
            yield from self.shown_plan(entry, entry["text"], "", "approved")
        elif entry["what"] == "call":
            if entry["tool"] == "AskUserQuestion":
                yield from self.question_items(entry)
            elif entry["tool"] in ("EnterPlanMode", "ExitPlanMode"):
                yield from self.planned(entry)
            elif entry["tool"] in CHANGING_TOOLS:
                yield from self.changed(entry)
            yield from self.refused(entry)

    def overtaken(self, typed: Entry) -> Iterator[Item]:
        """What waited and waits no longer, as the person typed something after it.

        A prompt that lay in the queue may be older than the question, and the ledger tells of such ones too.
        """
        if typed["via"] != "queue" and typed["source"] != "ledger":
            for question in self.questions.values():
                yield {**question, "status": "gone"}
            self.questions.clear()
            if self.plan.get("status") == WAITING_FOR_APPROVAL and typed["source"] != self.plan["source"]:
                yield self.keep_plan({**self.plan, "status": "not approved"})

    def question_items(self, call: Entry) -> Iterator[Item]:
        """A dialog's questions while they wait, and the answers that came."""
        questions = questions_in(call["input"])
        options = {text_of(row, "question"): options_of(row) for row in questions if text_of(row, "question")}
        of_one = {text_of(row, "question") for row in questions if row.get("multiSelect") is False}
        is_waiting = call["ok"] is None and not call["rejected"]
        for number, (question, choices) in enumerate(options.items()):
            item = new_item("question", call, quote(question, QUESTION_KEPT_UTF16), "assistant", options=choices,
                            key=f"{call['id']} {number}", status="open" if is_waiting else "answered")
            if is_waiting:
                self.questions[item["key"]] = item
            if is_waiting or self.questions.pop(item["key"], {}):
                yield item
        for question, answer in answers_of(call, [*options]).items():
            short = quote(question, QUESTION_KEPT_UTF16)
            choices = options.get(question) or options.get(quote(question, QUESTION_KEPT_UTF16 + 100)) or []
            fields: ItemFields = {"key": short, "question": short, "options": choices}
            if question in of_one:
                fields["picks_one"] = True
            yield new_item("answer", call, answer, "user", **fields)

    def planned(self, call: Entry) -> Iterator[Item]:
        """A plan that waits, was approved or was not; that the agent plans and has not shown one yet."""
        if call["tool"] == "EnterPlanMode":
            if call["ok"]:
                yield self.keep_plan(new_item("plan", call, PLANNING, "assistant", key="plan", path="",
                                              status="being made"))
            return
        saved = re.search(r"Your plan has been saved to: (\S{1,500})", call["output"][:2_000])
        path = saved[1] if saved else text_of(call["input"], "planFilePath") or self.draft[0]
        approved = call["output"].partition("## Approved Plan:\n")[2] if call["ok"] else ""
        text = approved or text_of(call, "body") or text_of(call["input"], "plan") or self.draft[1]
        if self.plan.get("source") == call["source"] and not approved and self.plan["text"] != PLANNING:
            text = self.plan["text"]  # whole, while the call that waited on disk is cut
        if call["ok"] is False and not call["rejected"]:  # the tool refused, not the person: there was no plan mode
            return
        is_waiting = call["ok"] is None and not call["rejected"]
        is_approved = call["ok"] or re.match(APPROVAL, rejection_words(call["output"]))
        status = WAITING_FOR_APPROVAL if is_waiting else "approved" if is_approved else "not approved"
        yield from self.shown_plan(call, text or "the plan", path, status)

    def shown_plan(self, entry: Entry, text: str, path: str, status: str) -> Iterator[Item]:
        """The plan in the place of the one before."""
        text = without_middle(redact(clean(text.strip())), PLAN_MAX_UTF16)
        if self.plan and self.plan["source"] != entry["source"]:
            yield {**self.plan, "status": "gone"}
        if text:
            yield self.keep_plan(new_item("plan", entry, text, "assistant", key="plan", status=status,
                                          path=quote(path, PLAN_PATH_MAX_UTF16)))

    def keep_plan(self, plan: Item) -> Item:
        """Remembers the plan as it stands."""
        self.plan = plan
        return plan

    def changed(self, call: Entry) -> Iterator[Item]:
        """A plan file that was written; another file that was changed says that plan mode is over."""
        if not call["ok"]:
            return
        if re.search(PLAN_PATH, call["path"]):
            self.draft = (call["path"], text_of(call, "body") if call["tool"] == "Write" else "")
        elif self.plan.get("text") == PLANNING:
            yield {**self.plan, "status": "gone"}
            self.plan = {}

    def refused(self, call: Entry) -> Iterator[Item]:
        """A call that was refused without words; it is past once the same one ran."""
        if call["rejected"] and call["tool"] != "ExitPlanMode" and not rejection_words(call["output"]):
            text = call_in_words(call)
            self.refusals[text] = new_item("refusal", call, text, "user", key=text)
            yield self.refusals[text]
        elif self.refusals and call["ok"] and call["command"] and (text := call_in_words(call)) in self.refusals:
            yield {**self.refusals.pop(text), "status": "gone"}


def call_in_words(call: Entry) -> str:
    """What a call was to do, short: "$ command", "Edit path", a question's words, else tool and arguments."""
    tool, given = text_of(call, "tool"), call.get("input") or {}
    if text_of(call, "command"):
        return quote(f"{COMMAND_SIGN}{call['command']}", REFUSED_CALL_MAX_UTF16)
    if text_of(call, "path"):
        return quote(f"{tool} {call['path']}", REFUSED_CALL_MAX_UTF16)
    if tool == "AskUserQuestion":
        first = next(iter(questions_in(given)), {})
        return quote(f"{REFUSED_QUESTION}{text_of(first, 'question')}", REFUSED_CALL_MAX_UTF16)
    if tool == "ExitPlanMode":
        plan = (text_of(call, "body") or text_of(given, "plan")).strip()
        heading = plan.partition("\n")[0].strip("# ")
        return quote(f"{REFUSED_PLAN}: {heading}" if plan else REFUSED_PLAN, REFUSED_CALL_MAX_UTF16)
    names = ("description", "url", "query", "skill", "subject", "pattern", "prompt", "title", "name")
    words = first_text(given, names)
    return quote(f"{tool}: {words}" if words else tool, REFUSED_CALL_MAX_UTF16)


def questions_in(arguments: Mapping[str, object]) -> list[JsonObject]:
    """The questions of a dialog, of its call's arguments."""
    return objects_in(arguments.get("questions"))[:QUESTIONS_MAX]


def options_of(question: Mapping[str, object]) -> list[str]:
    """A question's options, each its label and what it means."""
    rows = objects_in(question.get("options"))[:OPTIONS_MAX]
    texts = [": ".join(filter(None, (text_of(row, "label"), text_of(row, "description")))) for row in rows]
    return [quote(text, OPTION_MAX_UTF16) for text in texts if text]


def answers_of(call: Entry, questions: Sequence[str]) -> dict[str, str]:
    """What the person answered, by question, with their notes."""
    return {question: whole_answer(answer, notes) for question, answer, notes in given_answers(call, questions)
            if answer.strip()}


def typed_answers(call: Entry) -> list[str]:
    """What the person typed in a dialog: notes, and answers that are none of the options; those are the agent's words.

    Where the options are not known, none counts as typed.
    """
    questions = questions_in(call["input"])
    labels = {text_of(option, "label") for question in questions for option in objects_in(question.get("options"))}
    answers = given_answers(call, [text_of(question, "question") for question in questions]) if labels else ()
    words = [text for _, answer, notes in answers for text in (without_labels(answer, labels), notes)]
    return [redact(clean(text)) for text in dict.fromkeys(words) if text.strip()]


def given_answers(call: Entry, questions: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Question, answer, notes: as the client keeps them, else as it tells the agent."""
    output = call["output"][:ANSWERS_MAX_CHARACTERS]
    if call["rejected"]:  # to say more, with some of the questions answered
        words = behind_rejection(output)
        if words.startswith(CLARIFYING):
            yield from ((row["question"], row["answer"], "") for row in re.finditer(PART_ANSWERED, words))
    elif call["ok"]:
        kept = {str(question): ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
                for question, answer in call["answers"].items()}
        answers = kept or {question: answer_in(output, question) for question in questions}
        yield from ((question, answer, notes_in(output, question, answer)) for question, answer in answers.items())


def without_labels(answer: str, labels: Set[str]) -> str:
    """The answer without the options picked, which stand first."""
    while picked := next((label for label in labels if label and f"{answer}, ".startswith(f"{label}, ")), ""):
        answer = answer[len(picked) + 2:]
    return answer


def answer_in(output: str, question: str) -> str:
    """The question's answer in the client's sentence about all of them; a long or many-lined question is not found."""
    _, begin, rest = output.partition(f'"{question}"="')
    end = re.search(ANSWER_END, rest) if begin else None
    return rest[:end.start()] if end else ""


def notes_in(output: str, question: str, answer: str) -> str:
    """What the person wrote beside their choice."""
    _, begin, rest = output.partition(f'"{question}"="{answer}"')
    notes = re.match(NOTES, rest, re.DOTALL) if begin else None
    return notes[1] if notes else ""


def whole_answer(answer: str, notes: str) -> str:
    """Answer and notes, the notes where they say something else."""
    text = f"{answer} ({notes})" if notes and notes.strip() != answer.strip() else answer
    return quote(text, CHOSEN_MAX_UTF16)


# ==================================================================================================
# notes/page.py: notes.md in the session's folder: the session for people, as Markdown, written as a whole at each save.
# ==================================================================================================

MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"
LISTED_MAX = 12  # tasks, rules, files, jobs that are named one by one
FAILING_MAX, EDITED_SHOWN = 3, 3  # failing checks that the work waits for, the newest; files of each
PROJECT_MAX_UTF16 = 110  # of its folder's name, in the title
PATH_MAX_UTF16, LAST_WORDS_MAX_UTF16 = 600, 600
PIN_MAX_UTF16 = 8_000  # more than there is room for: pins stand whole
COMMIT_SHOWN_CHARACTERS = 12  # of a commit's name
GIT_MAX_SECONDS = 0.2
NOT_COMMITTED = {  # lists of what git tells of the working tree, in words
    "conflicts": "in conflict", "staged": "staged", "modified": "changed, not staged",
    "untracked": "new, in no commit yet"}
PATHS_SHOWN = 8  # of each of them


def notes_page(session: str, project: str, memory: Memory, pins: Sequence[Item], repository: GitNow) -> str:
    """The notes as Markdown."""
    name = escaped(quote(os.path.basename(project) or project, PROJECT_MAX_UTF16))
    items, log = memory["items"], sorted(memory.get("progress", []), key=lambda line: str(line["time"]))
    log = [line for line in map(partial(with_hash, now=repository), log) if line["what"] != PERHAPS]
    changed = files_changed(items, memory["state"])
    parts = [
        f"{MARKER}# Notes on {name}",
        f"Session `{session}` in `{quote(project, PATH_MAX_UTF16)}`, saved {local(time.time())}; compacted before "
        f"this save: {times(memory['cycle'])}. To go on with it: `claude --resume {session}`",
        section("Now", [*current(items, log, memory["state"], changed),
                        *bullet("Not committed", not_committed(repository))]),
        section("Pinned", [f"- {spoken(pin['text'], PIN_MAX_UTF16)}" for pin in pins]),
        section("Rules in force", rules(items)),
        section("Changed files, the last ones first", bounded_list(changed)),
        section("Log, the newest first", days(log[::-1]))]
    return "\n\n".join(filter(None, parts)) + "\n"


def with_hash(line: LogLine, now: GitNow) -> LogLine:
    """The line; of a commit of which git printed nothing, with the hash that git tells of its subject now."""
    if not is_without_hash(line):
        return line
    name = next((name for name, subject in now.get("commits", []) if escaped(subject) == line["text"]), "")
    return {**line, "what": "committed", "text": f"{name} {line['text']}"} if name else line


def is_without_hash(line: LogLine) -> bool:
    """Whether the line is a commit's of which git printed nothing: its key has the command in it, else the hash."""
    return line["what"] in ("committed", PERHAPS) and " " in line["key"].removeprefix("commit ")


def times(count: int) -> str:
    """How often."""
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def section(title: str, lines: Sequence[str]) -> str:
    """A part of the page; empty when it has no lines."""
    return "\n".join([f"## {title}", "", *lines]) if lines else ""


def current(items: Sequence[Item], log: Sequence[LogLine], state: Mapping[str, str],
            changed: Sequence[str]) -> list[str]:
    """What is asked, where the work stands, what it waits for, what fails, what runs, what comes next.

    `changed`: the files that were changed, the last one first.
    """
    tasks = sorted(open_tasks(items), key=lambda task: (str(task.get("list", "")), task.get("order", 0)))
    doing = [escaped(task["text"]) for task in tasks if task["status"] == "in_progress"]
    next_tasks = [escaped(task["text"]) for task in tasks if task["status"] != "in_progress"]
    old_boxes = [f"{escaped(box['text'])} (a box of an older list that nobody ticked since: it may be done)"
                 for box in boxes_left_behind(items)]
    jobs = [running_job(item) for item in items if (item["kind"], item["status"]) == ("job", "open")]
    return [
        *bullet("Asked", newest_messages(items) or ["nothing"]),
        *bullet("Plan", approved_plan(items)),
        *bullet("Waits for you", waiting(items)),
        *bullet("Where it stands", where_it_stands(items, doing, log, state, changed) or ["nothing was done so far"]),
        *bullet("Fails", failing(items, state)),
        *bullet("Runs", bounded(jobs) or ["nothing, as far as the session tells"]),
        *bullet("Next", bounded(next_tasks) or bounded(old_boxes) or ["no open task is on a list"]),
        *bullet("Branch", branch_and_commit(state)),
    ]


def bullet(title: str, lines: Sequence[str]) -> list[str]:
    """A bullet with its lines below it; one line stands beside it; nothing without lines."""
    if len(lines) < 2:
        return [f"- **{title}**: {line}" for line in lines]
    return [f"- **{title}**:", *(f"    {number}. {line}" for number, line in enumerate(lines, 1))]


def running_job(job: Item) -> str:
    """The job's command or order, with its id where it has one (others have their command for a key), start, output."""
    name = f" as {code_shown(job['key'])}" if re.fullmatch(r"[\w-]{1,40}", job["key"]) else ""
    output = f", its output in {as_code(job['path'])}" if job.get("path") else ""
    return f"{code_shown(what_runs(job))}{name}, started {local(moment(job['first']))}, no end seen{output}"


def what_runs(job: Item) -> str:
    """The job's command or order; of a command line too long to show the part that goes on running.

    That is the one behind which `&` stands, else the last that does not only prepare it.
    """
    is_long_line = text_of(job, "tool") in SHELL_TOOLS and units(job["text"]) > NOTE_NAME_MAX_UTF16
    pieces = pieces_of(job["text"].replace(ROW_END, "\n")) if is_long_line else []
    running = [piece for piece, _ in pieces if program_in(piece) not in PREPARING]
    detached = [piece for piece, sign in pieces if sign == "&"]
    return next(iter([*detached[-1:], *running[-1:]]), job["text"])


def approved_plan(items: Sequence[Item]) -> list[str]:
    """The plan that was approved last, as a line; none without one."""
    plan = newest(items, "plan", "approved")
    path = f" in {code_shown(plan['path'])}" if plan.get("path") else ""
    return [f"{spoken(heading(plan['text']))}, approved {local(moment(plan['last']))}{path}"] if plan else []


def branch_and_commit(state: Mapping[str, str]) -> list[str]:
    """Branch and commit at the save, as a line; none without a branch."""
    branch, commit = text_of(state, "branch"), text_of(state, "head")[:COMMIT_SHOWN_CHARACTERS]
    if branch:
        return [f"{code_shown(branch)} {f'at {code_shown(commit)}' if commit else 'without a commit so far'}"]
    noted = text_of(state, "gitBranch")  # by the client: HEAD where there is no branch, or no repository
    return [code_shown(noted)] if noted not in ("", "HEAD") else []


def not_committed(now: GitNow) -> list[str]:
    """What of the working tree no commit holds, a line for each kind; that all is committed, where git has said so.

    Where it has not, that this is not known; nothing where there is no repository.
    """
    known: Any = now
    lines = []
    for name, words in NOT_COMMITTED.items():
        paths = [path if isinstance(path, str) else path[0] for path in known.get(name, [])]
        more = now.get("totals", {}).get(name, 0) - len(paths[:PATHS_SHOWN])
        if paths:
            lines.append(f"{words}: {', '.join(map(code_shown, paths[:PATHS_SHOWN]))}{and_more(more)}")
    if now and not now.get("is_complete"):
        why = "git did not answer in time" if now.get("is_late") else "git could not tell everything"
        lines.append(f"{'whether that is all is ' if lines else ''}not known: {why}")
    return lines or (["nothing: the working tree is clean"] if now else [])


def where_it_stands(items: Sequence[Item], doing: Sequence[str], log: Sequence[LogLine],
                    state: Mapping[str, str], changed: Sequence[str]) -> list[str]:
    """The tasks in progress, what succeeded last, the file changed last, and the agent's last words.

    What failed last stands among what fails, unless it has passed since.
    """
    lines = [f"in progress: {task}" for task in doing[:LISTED_MAX]]
    lines += last_success(items, log)
    lines += [f"last changed: {file}" for file in changed[:1]]
    last_words = " ".join(both_ends_in_rows(text_of(state, "last_words"), LAST_WORDS_MAX_UTF16).split())
    if last_words:
        lines.append(f"the agent's last words: {spoken(last_words, LAST_WORDS_MAX_UTF16 + 9)}")
    return lines


def last_success(items: Sequence[Item], log: Sequence[LogLine]) -> list[str]:
    """What succeeded last, by the log or by a check's last run, as a line; none where nothing did.

    The log has a check's end only where it turned.
    """
    steps = [line for line in log if line["what"] in SUCCEEDED]
    passed = last_of(item for item in items if item["kind"] == "action" and item["verdict"] == "passed"
                     and item.get("family") in CHECK_FAMILIES)
    if passed and passed["last"] > max((line["time"] for line in steps), default=""):
        return [f"last passed: {outcome_words(passed['text'], passed['result'])} ({local(moment(passed['last']))})"]
    return [f"last {line['what']}: {line['text']} ({local(moment(line['time']))})" for line in steps[-1:]]


def last_of(items: Iterable[Item]) -> Item | None:
    """The item that came last in the session; None where there is none."""
    return max(items, key=lambda item: int(item["position"]), default=None)


def newest(items: Sequence[Item], kind: str, status: str) -> Item:
    """The last item of the kind with the status; empty when there is none."""
    nothing: Item = {}
    return last_of(item for item in items if (item["kind"], item["status"]) == (kind, status)) or nothing


def waiting(items: Sequence[Item]) -> list[str]:
    """What the work waits for: the person's answer or approval; none without."""
    question, plan = newest(items, "question", "open"), newest(items, "plan", WAITING_FOR_APPROVAL)
    return [*([f"your answer: {spoken(question['text'])}"] if question else []),
            *([f"your approval of the plan: {spoken(heading(plan['text']))}"] if plan else [])]


def failing(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The checks that fail, the newest first, then what else broke, and the last command where that failed.

    Where nothing fails, whether any check was run. Then the checks that could not run.
    """
    actions = [item for item in items if item["kind"] == "action"]
    checks, broken = failing_checks(actions, state), broken_runs(actions)
    lines = [failure_words(run, run["check"]["typed"], run["taken_back_after"])  # not all of the check's line
             for run in checks[:FAILING_MAX]]
    if len(checks) > FAILING_MAX:
        lines.append(f"… and {len(checks) - FAILING_MAX} more")
    lines += [failure_words(run, run["command"]) for run in broken[:FAILING_MAX]]
    last = last_of(action for action in actions if action["verdict"] not in ("", "unknown"))
    if last and last["verdict"] == "failed" and last.get("family") not in CHECK_FAMILIES and (
            last["position"] not in [run["position"] for run in broken]):
        lines.append(f"the last command: {outcome_words(last['text'], last['result'])} ({local(moment(last['last']))})")
    was_run = any(action.get("family") in CHECK_FAMILIES for action in actions)
    if not lines:
        lines = ["no check failed in its last run, as far as its output tells" if was_run else "no check was run"]
    return lines + [f"{outcome_words(run['check']['typed'], words_of_not_run(run, run['result']))} "
                    f"(last tried {local(moment(run['last']))})" for run in checks_not_run(actions)[:FAILING_MAX]]


def checks_not_run(actions: Sequence[Item]) -> list[CheckRun]:
    """The checks that could not run, the newest first; runs are compared only where there was such a one."""
    is_any = any(item["verdict"] == "not run" and item.get("family") in CHECK_FAMILIES for item in actions)
    return could_not_run(actions, check_runs(actions)) if is_any else []


def failure_words(run: CheckRun | BrokenRun, command: str, taken_back: Sequence[str] = ()) -> str:
    """The command with what its output says of its end, when it was last run, and what of its sources changed since."""
    since = "".join(f"; {change}" for change in changes_since(run["edited_after"], taken_back, files_in_short))
    return f"{outcome_words(command, run['result'])} (last run {local(moment(run['last']))}{since})"


def files_in_short(paths: Sequence[str]) -> str:
    """The first files, and how many more there are."""
    return first_and_more([*map(code_shown, paths)], EDITED_SHOWN)


def failing_checks(actions: Sequence[Item], state: Mapping[str, str]) -> list[CheckRun]:
    """The checks that fail, the newest first; runs are compared only from a failed one on, it takes milliseconds."""
    failed = (item["verdict"] == "failed" and item.get("family") in CHECK_FAMILIES for item in actions)
    first = next((index for index, has_failed in enumerate(failed) if has_failed), len(actions))
    if first == len(actions):
        return []
    known = with_known_discards(actions, actions, state)
    later, root = known[first:], text_of(state, "root")
    return open_failures([*filter(is_file_edit, known[:first]), *later], root, check_runs(later, root))


def rules(items: Sequence[Item]) -> list[str]:
    """The person's rules that hold, as they were given, the newest first."""
    return bounded_list([spoken(item["text"]) for item in reversed(items) if item["kind"] == "rule"])


def bounded_list(lines: Sequence[str]) -> list[str]:
    """The lines as a list, no longer than is read."""
    return [f"- {line}" for line in bounded(lines)]


def bounded(lines: Sequence[str]) -> list[str]:
    """As many of the lines as are read, and how many others there are."""
    rest = [f"… and {len(lines) - LISTED_MAX} more"] if len(lines) > LISTED_MAX else []
    return [*lines[:LISTED_MAX], *rest]


def days(log: Sequence[LogLine]) -> list[str]:
    """The log's lines, under their days."""
    lines: list[str] = []
    last_day = ""
    for line in log:
        day, _, clock = local(moment(line["time"])).partition(" ")
        if day != last_day:
            lines += ["", f"### {day}", ""] if lines else [f"### {day}", ""]
            last_day = day
        lines.append(f"- {clock} **{line['what']}** {line['text']}".rstrip())
    return lines


def keep_notes(data: HookInput, folder: str, memory: Memory) -> None:
    """Writes the page of this hook input's session into its folder."""
    project, state = project_folder(data), memory["state"]
    since = memory["began"] if any(map(is_without_hash, memory.get("progress", []))) else ""
    repository = git_now(text_of(state, "cwd") or project, since, GIT_MAX_SECONDS)
    pins = pin_items(pins_in(folder, project_folders(project)))
    page = notes_page(data["session_id"], project, memory, pins, repository)
    replace_file(os.path.join(folder, NOTES_PAGE), page.encode("utf-8", "replace"))


# ==================================================================================================
# record/gate.py: Whether an automatic compaction is held for a moment; asked only where the setting `gate` is "hold".
# ==================================================================================================

BLOCKABLE_CLIENTS = (2, 1, 105)  # and newer ones take a "block"
MODEL_WINDOW_CLIENTS = (2, 1, 150)  # and newer ones send requests up to the model's window, others up to the named one
UNSENT_TOKENS = 25_000  # below the end of that window; 23,000 below it the client sends no request any more
SMALLEST_WINDOW_TOKENS = 200_000  # that a model has
CHARACTERS_IN_TOKEN_MIN = 3  # of a transcript's line


def hold_for(
        compaction: CompactionState, memory: Memory, transcript: str, settings: Settings) -> CompactionState:
    """What is noted of a hold in compaction.json: why, and its number in this context fill; empty for none.

    A compaction that was let go and is not known to have ended has failed: it is not held again.
    """
    fill = memory.get("cycle", 0)
    before = compaction.get("holds", 0) if compaction.get("held_in") == fill else 0
    most = settings["gate_holds"]
    if type(before) is not int or not 0 <= before < most or compaction.get("stage") == "begun":
        return {}
    why = reason_to_hold(memory.get("items", []), whole_records(transcript), settings)
    if not why:
        return {}
    number = before + 1
    return {"why": f"{why}; compaction held, {number} of at most {most} times", "holds": number, "held_in": fill}


def reason_to_hold(items: Sequence[Item], records: Sequence[JsonObject], settings: Settings) -> str:
    """Why the compaction is held, by the session's items and the transcript's last records; empty when it is not."""
    if not fits(records, settings):
        return ""
    if any(item["kind"] == "question" or item["status"] == WAITING_FOR_APPROVAL for item in items):
        return "a question to the user is open"
    changed = being_changed(records)
    return f"changes to {len(changed)} files are under way" if len(changed) > 1 else ""


def whole_records(transcript: str) -> list[JsonObject]:
    """The transcript's last records; none where they still tell of a context that no client compacts yet: some lack."""
    window, until = window_in_environment(), time.monotonic() + LATE_LINES_SECONDS
    if not window:
        return []
    while context_of(records := last_records(transcript)) < window - ROOM_TOKENS:
        if time.monotonic() > until:
            return []
        time.sleep(LATE_LINES_SECONDS / 10)
    return records


def context_of(records: Sequence[JsonObject]) -> int:
    """Tokens in the context by the last answer that told them and what came after it; 0 where none told."""
    context = 0
    for record in records:
        message = record.get("message")
        known = usage_tokens(message.get("usage")) if isinstance(message, dict) else 0
        context = known or (context and context + len(str(message or "")) // CHARACTERS_IN_TOKEN_MIN)
    return context


def fits(records: Sequence[JsonObject], settings: Settings) -> bool:
    """Whether the context leaves room for another request."""
    client = next(filter(None, map(client_version, reversed(records))), ())
    if client < BLOCKABLE_CLIENTS:
        return False
    named = window_in_environment()
    window = max(named, SMALLEST_WINDOW_TOKENS) if client >= MODEL_WINDOW_CLIENTS else named
    most: float = min(settings["gate_max"] * named, window - UNSENT_TOKENS)
    return 0 < context_of(records) <= most


def being_changed(records: Sequence[JsonObject]) -> set[str]:
    """The files of the series of edits that the last calls are; reading between them does not end it."""
    changed: set[str] = set()
    for record in reversed(records):
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in reversed(content if isinstance(content, list) else []):
            tool = block.get("name") if isinstance(block, dict) and block.get("type") == "tool_use" else None
            arguments = block["input"] if tool and isinstance(block.get("input"), dict) else {}
            if tool in CHANGING_TOOLS:
                changed.add(first_text(arguments, PATH_FIELDS))
            elif tool and tool not in LOOKING_TOOLS:
                return changed
        if isinstance(content, str) and record.get("type") == "user":
            return changed  # a prompt
    return changed


# ==================================================================================================
# record/memory_figures.py: Figures of a session's memory, for the status line and the events.
# ==================================================================================================

def figures_of_memory(memory: Memory) -> JsonObject:
    """How many items, open tasks and rules the session has, and how often it was compacted."""
    items = memory["items"]
    return {
        "cycle": memory["cycle"],
        "items": len(items),
        "tasks": count_of_open_tasks(items),
        "rules": sum(item["kind"] == "rule" for item in items),
    }


def cleared_failures(before: Memory, after: Memory) -> int:
    """How many commands failed before and have passed now, or did both since; one only pruned does not count."""
    known = {item["key"]: item for item in before.get("items", []) if "verdict" in item}
    passed = [item for item in after["items"] if item.get("verdict") == "passed"]
    return sum(has_recovered(known.get(item["key"], {}), item) for item in passed)


def has_recovered(before: Item, item: Item) -> bool:
    """Whether the run before the one that passed had failed: in an earlier save, or since that."""
    if before.get("verdict") == "failed":
        return True
    known = before.get("position", -1)  # what failed up to there was counted when it passed first
    return any(run.get("verdict") == "failed" and run.get("position", -1) > known
               for run in item.get("earlier", [])[-1:])


# ==================================================================================================
# record/outputs/code_hits.py: A hit of a search: path, line and code; how it is shown, and whether it defines something or stands aside.
# ==================================================================================================

HIT = r"((?:[A-Za-z]:)?[^:]{1,300}?):(?:(\d{1,7}):)? ?(.*)"
COMMENTS = ("//", "#", "/*", "* ", "--", ";;", "<!--", '"""')
NO_COMMENTS = ("#[", "#include", "#define", "#if")
Hit = tuple[str, str, str]  # path, line, code


def split_hit(hit: str) -> Hit:
    """Path, line and code of a hit; of a bare path the path alone."""
    match = re.match(HIT, hit)
    return (match[1], match[2] or "", match[3].strip()) if match else (hit.strip(), "", "")


def is_comment(code: str) -> bool:
    """Whether a line of code is a comment."""
    return code.startswith(COMMENTS) and not code.startswith(NO_COMMENTS)


# ==================================================================================================
# record/outputs/diff_rows.py: Of a diff that a command printed the changed rows below the file's name: the rows around them say nothing of it.
# ==================================================================================================

HUNK_HEAD = r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@"  # how many rows of either side follow
FILE_HEAD = r"diff --git \"?a/.{1,300} \"?b/(?P<name>.{1,300}?)\"?$"
NEW_SIDE = r"\+\+\+ \"?(?:b/)?(?P<name>[^\t\"]{1,300})"  # of a diff without git; a tab and the time may follow
BELOW_FILE_HEAD = ("index ", "--- ", "+++ ", "similarity index ", "dissimilarity index ", "rename from ", "old mode ")
FILE_MODES = ("new file mode ", "deleted file mode ", "new mode ")  # between a head's rows, and worth their room


def has_diff(output: str) -> bool:
    """Whether a row of the output is the head of a diff's hunk."""
    return "@@ -" in output and re.search(rf"^{HUNK_HEAD}", output, re.MULTILINE) is not None


def changed_rows(rows: Sequence[str]) -> list[str]:
    """The rows; of each diff in them "=== name" of the file, then the rows that were added or taken out.

    A hunk's end is known by its head's counts, so what another command printed behind it stays as it is.
    """
    kept, old, new, is_below_head = list[str](), 0, 0, False
    for row, before, behind in zip(rows, ["", *rows], [*rows[1:], ""]):
        sign = row[:1]
        if (old or new) and sign in ("", " ", "+", "-", "\\"):
            old -= sign not in ("+", "\\") and old > 0
            new -= sign not in ("-", "\\") and new > 0
            kept += [row] if sign in ("+", "-") and row[1:].strip() else []
            continue
        old = new = 0
        is_old_side = row.startswith("--- ") and behind.startswith("+++ ")
        if head := re.match(FILE_HEAD, row):
            is_below_head = True
            kept.append(f"=== {head['name']}")
        elif hunk := re.match(HUNK_HEAD, row):
            old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
        elif is_old_side or (is_below_head and row.startswith(BELOW_FILE_HEAD)):
            pass
        elif before.startswith("--- ") and (side := re.match(NEW_SIDE, row)):
            kept.append(f"=== {side['name']}")
        else:
            is_below_head = is_below_head and row.startswith(FILE_MODES)
            kept.append(row)
    return kept


# ==================================================================================================
# record/outputs/plain_rows.py: The rows of an output without what says nothing of the work: a listing's columns, hints, frames, a diff's context.
# ==================================================================================================

LONG_LISTING = (  # a row of `ls -l`: rights, links, owner, group, size, time, name
    r"(?P<kind>[-bcdlps])[-rwxsStT]{9}[@+.]? +\d+ +\S+ +(?:\S+ +)?(?P<size>[\d.,]+[KMGT]?) +"
    r"(?:[A-Z]\w{2} +\d{1,2}|\d{1,2} +[A-Z]\w{2}|\d{4}-\d\d-\d\d) +[\d:.]{4,18}(?: [+-]\d{4})? (?P<name>.+)$")
PROCESS = (  # a row of `ps aux`: user, number, shares, sizes, terminal, state, begin, time, command
    r"\S+ +(?P<number>\d+) +[\d.]+ +[\d.]+ +\d+ +\d+ +\S+ +\S+ +\S+ +\d+:[\d.:]+ (?P<command>.+)$")
# Of each kind of row one that all have: in most outputs there is none, and their rows are not looked at.
SIGNS_OF_OUTPUTS = (
    "(use", "total ", "remote:", "hint:", "stash entry", "create mode", "be replaced by", "-rw", "drw", "lrw", "srw",
    "-r-", "dr-", "d--", "remote repository.", "──", "━━", "══", " ? ", " ?? ", "pts/", "tty",
    " s0")  # where a process runs
# What most rows have not: no pattern is tried on these.
KINDS_LISTED, SPACES_OF_PROCESS = ("-", "b", "c", "d", "l", "p", "s"), 9
LISTED_FOLDERS = (".", "..")  # the listed one and that above, in each listing
WITHOUT_NEWS = (
    r"\s*\(use \"git .{1,120}\)$|total [\d.,]+[KMG]?$|remote: *$|\s*create mode \d{6} "
    r"|warning: (?:in the working copy of .{1,300}, )?(?:CRLF|LF) will be replaced by (?:CRLF|LF)\b"
    r"|hint:(?: |$)|The stash entry is kept in case you need it again\.$"  # the stashes themselves have their line
    r"|fatal: Could not read from remote repository\.$"  # behind the row that says why
    r"|Please make sure you have the correct access rights$|and the repository exists\.$"
    r"|\s*[─━═╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝]{4,}$")  # a box's frame without a title
MAY_BE_WITHOUT_NEWS = (
    "(use", "total", "remote:", "hint:", "The stash", "create mode", "warning:", "fatal: Could", "Please make",
    "and the", "─", "━", "═", "╭", "╰", "┌", "└", "├", "╔", "╚")
REPOSITORY, BRANCH_MOVED = r"(?:From|To) [\w./:@~-]{1,300}$", r" [ +*!=t-] {1,3}\S.{0,200} -> \S"
CURL_CONNECTED = ("* Connected to ", "* Established connection to ")
CURL_TRIES = r"\* +(?:Host \S+ was resolved\.|IPv[46]: |Trying |connect to .* failed: )"
# "which: no jq in (/usr/local/bin:/usr/bin:…)", which had shown 40 folders of a PATH.
WHICH_MISSED, FOLDERS_LOOKED_IN = "which: no ", r"(?m)(?<=^which: no )(\S{1,100}) in \(.*\)$"
SIGNS_OF_WEB_SEARCH, PAGES_MET_MIN, PAGES_SHOWN_MAX = ('"link": "http', '"snippet": "'), 3, 5
TITLE_OF_PAGE = r"\s*\"title\": \"(.{1,300})\",?\s*$"


def plain_rows(rows: Iterable[str]) -> list[str]:
    """The rows, each as short as what it says allows; those that say nothing of the work are left out.

    Of the pages that a search of the web met the first titles stay: a third of one text was addresses and first words.
    Where nothing would be left they stand as they are: an empty folder was listed.
    """
    rows = [*rows]
    text = "\n".join(rows)
    if has_diff(text):
        rows = changed_rows(rows) or rows
    elif "-> " in text:
        rows = with_repositories(rows)
    if WHICH_MISSED in text:
        rows = [re.sub(FOLDERS_LOOKED_IN, r"\1", row) for row in rows]
    if holds_any(text, CURL_CONNECTED):
        rows = without_tries(rows)
    if is_powershell_error(text):
        rows = without_frames(rows)
    if min(text.count(sign) for sign in SIGNS_OF_WEB_SEARCH) >= PAGES_MET_MIN:
        return [title[1] for row in rows if (title := re.match(TITLE_OF_PAGE, row))][:PAGES_SHOWN_MAX] or rows
    if not holds_any(text, SIGNS_OF_OUTPUTS):
        return rows
    return [plain for row in rows if (plain := plain_row(row)) is not None] or rows


def with_repositories(rows: Sequence[str]) -> list[str]:
    """The rows; the first branch that git fetched or pushed behind the repository of which it is, on one row.

    `main -> origin/main (forced update)` alone had stood there, of a repository that was another than the one meant.
    """
    joined = list[str]()
    for row in rows:
        if joined and re.match(REPOSITORY, joined[-1]) and re.match(BRANCH_MOVED, row):
            joined[-1] = f"{joined[-1]}: {row.strip()}"
        else:
            joined.append(row)
    return joined


def without_tries(rows: Sequence[str]) -> list[str]:
    """The rows without curl's tries of addresses above the one that it reached.

    Of a server that listened on one of two addresses "failed: Connection refused" alone had stood there.
    """
    kept, tries = list[str](), list[str]()
    for row in rows:
        if re.match(CURL_TRIES, row):
            tries.append(row)
            continue
        kept += [row] if row.startswith(CURL_CONNECTED) else [*tries, row]
        tries = []
    return kept + tries


def plain_row(row: str) -> str | None:
    """A row of a listing as the name with its size, of processes as number and command; None: it says nothing."""
    if row.lstrip().startswith(MAY_BE_WITHOUT_NEWS) and re.match(WITHOUT_NEWS, row):
        return None
    may_be_listed = row[:1] in KINDS_LISTED and row[1:2] in ("r", "-")
    listed = re.match(LONG_LISTING, row) if may_be_listed else None
    if listed:
        return None if listed["name"].rstrip("/") in LISTED_FOLDERS else entry_of(listed)
    may_be_process = row.count(" ") > SPACES_OF_PROCESS and ":" in row and "." in row and row[:1].isalnum()
    process = re.match(PROCESS, row) if may_be_process else None
    return f"{process['number']} {process['command']}" if process else row


def entry_of(listed: re.Match[str]) -> str:
    """What a row of a long listing lists: a folder with a slash, a file with its size."""
    if listed["kind"] == "d":
        return f"{listed['name'].rstrip('/')}/"  # `ls -F` has it, as Git's shell on Windows does
    return listed["name"] if listed["kind"] == "l" else f"{listed['name']} ({listed['size']})"


# ==================================================================================================
# record/calls/parts.py: What the kinds of calls share: the action that a call is, and what is kept of its output.
# ==================================================================================================

LOOK_RESULT_MAX_UTF16 = 320
HIT_MAX_UTF16, HIT_CODE_MAX_UTF16 = 160, 80  # the second behind a path, however long that is
EVIDENCE_MAX_UTF16 = 260
MORE_CHARACTERS = 200  # that an output has beyond the result: it is worth a look
JSON_BEGINS, JSON_SHOWN_CHARACTERS = ("{", "["), 240  # of an output on one line: half a value is no value
HIT_LINE_MAX_CHARACTERS = 600  # looked at of a line of an output
ANNOUNCING_CHARACTERS, ANNOUNCED_CHARACTERS, ANNOUNCED_ROWS_MAX = 40, 400, 3  # behind a failure that ends in a colon
VERDICT_BY_OK = {None: "running", True: "ended", False: "failed"}  # of calls of other tools than shells


def action(call: Entry, text: str, name: str, **fields: Unpack[CallFields]) -> Item:
    """An action of this call; another one of the same tool and name is the same."""
    item = new_item("action", call, text, "assistant", key=f"{call['tool']} {name}", tool=call["tool"],
                    path=call["path"], family="")
    return {**item, **fields}


def ends_of(output: str, limit: int, is_listing: bool = False) -> str:
    """The rows of the output that tell how it ended, about `limit` UTF-16 units of them; of a listing its first ones.

    Of an output on one long line so much as can be redacted whole.
    """
    lines = [line for line in plain_rows(output.splitlines()) if line.strip() and not line.startswith(CHATTER)]
    rows = [begin_of_line(line) or f"(a line of {len(line):,} characters)" for line in lines]
    return telling_rows(rows, limit, is_listing)


def begin_of_line(line: str) -> str:
    """The line, of a long one its whole words; of JSON without blanks its whole first values, as much as is shown."""
    words = whole_words(line, HIT_LINE_MAX_CHARACTERS)
    if words or not line.startswith(JSON_BEGINS):
        return words
    values = line[:JSON_SHOWN_CHARACTERS].rpartition(",")[0]
    return f"{values}, {ROWS_BETWEEN}" if values else ""


def with_announced(line: str, output: str) -> str:
    """A failure's line that ends in a colon, with the rows that it announces in the output: the names of the files."""
    begin = line.rstrip()[-ANNOUNCING_CHARACTERS:]
    rest = output.partition(begin)[2][:ANNOUNCED_CHARACTERS]
    rows = [row for row in rest.splitlines() if row.strip()][:ANNOUNCED_ROWS_MAX]
    if not rows:
        announced = []
    elif rows[0][:1].isspace():
        announced = [row for row in rows if row[:1].isspace()]
    else:
        announced = [] if rows[0][:1] in "-=" else rows[:1]
    return f"{line.rstrip()} {ROW_END.join(row.strip() for row in announced)}".rstrip()


def kept_hits(hits: Iterable[str], root: str) -> list[str]:
    """The hits of a search as seen from the root, safe to keep, each with its whole path and some of its code.

    Of long paths nothing but "…" had been left.
    """
    whole = quote_all([without_folder(hit, root) for hit in hits], HIT_LINE_MAX_CHARACTERS)
    return [cut(hit, max(HIT_MAX_UTF16, units(split_hit(hit)[0]) + HIT_CODE_MAX_UTF16)) for hit in whole]


def evidence_in(lines: Iterable[str], root: str) -> CallFields:
    """Lines that were chosen of an output, safe to keep."""
    kept = quote_all([without_folder(line, root) for line in lines if line], EVIDENCE_MAX_UTF16)
    return {"evidence": kept} if kept else {}


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
# record/outcomes/doubtful_ends.py: Commands that ended well and whose output says less than it seems to.
# ==================================================================================================

ECHO = r"(?:echo|printf)(?: -[neE]{1,3})? (?P<text>\"[^\"$`]{1,300}\"|'[^']{1,300}'|[^\s\"'$`]{1,100})$"
OWN_TEXT_MAX_CHARACTERS = 300
OWN_TEXT = "(only its own text)"
LIMITED = r"(?:\w+=\S* )*g?timeout "  # how a command begins that is ended when its time is up
CURL_WRITES = r"-(?!-)\w*[oO]$|--(?:output|remote-name)"
CURL_CHECKS = ("--fail", "--write-out", "--include", "--head")  # options that fail, or show the status
CURL_CHECKS_SHORT = frozenset("fwIi")


def what_it_shows(command: str, output: str) -> str:
    """Why the output of a command that ended well says less than it seems to; empty: nothing is known of that.

    Text of its own `|| echo`, where that is no answer to a question (`ls a || echo none`); a file that curl fetched
    without --fail, which may be a page that says 404.
    """
    pieces = pieces_of(command)
    printed = output.strip() if len(output) <= OWN_TEXT_MAX_CHARACTERS else ""
    own_text = own_text_printed(pieces, printed)
    if own_text:
        return own_text
    fetches = [index for index, (piece, _) in enumerate(pieces) if fetches_unchecked(shell_words(piece))]
    is_looked_at = bool(fetches) and any(
        program_in(piece) not in ("echo", "printf", "wait") for piece, _ in pieces[fetches[-1] + 1:])
    return "curl without -f: a page with an error is saved as well" if fetches and not is_looked_at else ""


def shows_own_text(command: str, output: str) -> bool:
    """Whether the output is text that the command itself holds, whatever its programs did.

    A report's rows ("✓ all checked", "[3/3] done") had stood as what the command printed, and of two searches that
    met nothing the `echo ---` between them.
    """
    shown = rows_without_blanks(output) if "<<" in command or "echo" in command else []
    return bool(shown) and (
        any(is_shown_whole(text, shown) for text in texts_shown(command)) or shown == rows_echoed(command))


def is_shown_whole(text: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether the rows shown are a text's; of one kept without its middle they begin and end as it does."""
    gap = text.index(MIDDLE_GONE) if MIDDLE_GONE in text else len(text)
    begin, end = text[:gap], text[gap + 1:]
    if gap == len(text) or len(shown) < len(text):
        return text == shown
    return shown[:gap] == begin and shown[len(shown) - len(end):] == end


def texts_shown(command: str) -> list[list[str]]:
    """The rows of each text that the command writes and shows, as in `cat > a.md << EOF …; cat a.md`."""
    if "<<" not in command or ("cat" not in command and "tee" not in command):
        return []
    pieces = pieces_of(command)
    programs = {program_in(piece) for piece, _ in pieces}
    if not programs <= SHOWING_AND_SILENT or any(sign in PIPES for _, sign in pieces):
        return []
    return [*map(rows_without_blanks, parted_from_texts(command)[1])]


def rows_echoed(command: str) -> list[str]:
    """The rows that the command's own `echo` prints, however its other programs end; none where that is not certain."""
    pieces, echoed = pieces_of(command), list[str]()
    if has_loop(pieces):
        return []
    for index, (piece, sign) in enumerate(pieces):
        echo = re.match(ECHO, piece)
        if echo and sign not in PIPES and waits_for_nothing(pieces[:index]):
            echoed += rows_without_blanks(echo["text"].strip("\"'"))
    return echoed


def waits_for_nothing(before: Sequence[tuple[str, str]]) -> bool:
    """Whether a command behind these runs however they end: what it is joined to by `&&` only waits or prints."""
    for piece, sign in reversed(before):
        if sign not in ("&&", "||"):
            break
        if sign == "||" or program_in(piece) not in (*WITHOUT_EFFECT, *WAITING):
            return False
    return True


def rows_without_blanks(text: str) -> list[str]:
    """The rows that are not empty, without the blanks around them."""
    return [*filter(None, map(str.strip, text.splitlines()))]


def own_text_printed(pieces: Sequence[tuple[str, str]], printed: str) -> str:
    """That the output is nothing but the text of the line's last echo, and what that means; empty: it is not."""
    echo = re.match(ECHO, pieces[-1][0]) if len(pieces) > 1 and printed else None
    if not echo or printed != echo["text"].strip("\"'") or is_looking(pieces[-2][0]):
        return ""
    before, sign = pieces[-2]
    is_choice = len(pieces) > 2 and before.startswith(("echo ", "printf "))  # `a && echo yes || echo no`
    is_behind = sign == "||" and not is_choice
    is_limited = any(re.match(LIMITED, piece) for piece, _ in pieces)
    failed = "failed, or its time was up" if is_limited else "failed"
    return f"only the text behind its own `||`: what stands before it {failed}" if is_behind else ""


def fetches_unchecked(words: Sequence[str]) -> bool:
    """Whether curl writes what it gets into a file, whatever the server answers, and shows no status."""
    if words[:1] != ["curl"] or "/dev/null" in words or not any(re.match(CURL_WRITES, word) for word in words):
        return False
    letters = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    return not CURL_CHECKS_SHORT & {*letters} and not any(word.startswith(CURL_CHECKS) for word in words)


# ==================================================================================================
# record/commands/detached.py: What a command line leaves running behind it, and what it stops: servers with `&`, sessions of tmux.
# ==================================================================================================

PARTS_MAX, PART_WORDS_MAX = 60, 200  # of a line; of a command
DETACHES_OR_STOPS = rf"&|kill|\b(?:{'|'.join(KEEPERS)}|fuser|wait)\b"
ASSIGNMENTS = rf"(?:(?:export|sudo|{'|'.join(WRAPPERS)})\s+)*((?:{ASSIGNED}(?:\s+|$))+)"
LOG_FILE = r"(?:&>>?|(?<![\d&])1?>>?)\s{0,3}([^\s&|;<>()]{1,300})|\|\s{0,3}tee (?:-a )?([^\s&|;<>()]{1,300})"
PORTS_IN_COMMAND = (
    r"(?:^|\s)--(?:\w{1,20}-){0,2}port[= ](\d{2,5})\b", r"\b(?:\w{1,20}_)?PORT=[\"']?(\d{2,5})\b",
    r"(?:^|\s)-p[= ]?(?:[\d.]{7,15}:)?(\d{2,5})(?=[\s:]|$)", r"\brunserver (?:[\w.]{1,60}:)?(\d{2,5})\b",
    r"\bhttp\.server (\d{2,5})\b", r"(?:^|\s|=)(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b")
HOST = r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1?\]|\*)"
PORT_IN_OUTPUT = (
    rf"(?i)\b(?:listening|running|serving|ready|started|server|local|available)\b[^\n]{{0,80}}?(?:{HOST}:|\bport:? "
    r"|(?<=on ):)(\d{2,5})\b")
PORT_OF_REQUEST = r"\bcurl\b[^\n;|&]{0,200}?(?:localhost|127\.0\.0\.1):(\d{2,5})\b"
PORT_TAKEN = r"(?i)EADDRINUSE|address already in use|port \d{2,5} is (?:already )?(?:in use|taken)"
DIED = (  # a row with which a program says that it ended there, or never began
    r"\[?(?:FATAL|fatal)\b|panic: |Segmentation fault|.{1,200}: (?:command not found|No such file or directory)$")
SILENT_PROGRAMS = ("cd", "sleep", "export", "set", "true", ":")
PORT_STOPPED = (
    r"\blsof [^\n|;&]{0,60}?:(\d{2,5})\b[^\n;]{0,80}?\|\s{0,3}xargs [^\n|;&]{0,40}?kill"
    r"|\bkill [^\n;]{0,30}?(?:\$\(|`)\s{0,3}lsof [^\n);]{0,60}?:(\d{2,5})\b"
    r"|\bfuser (?:-\w+ )*(\d{2,5})/tcp|\bkill-port (?:--port )?(\d{2,5})\b")
WINDOWS_SHELLS = ("taskkill", "taskkill.exe", "cmd", "cmd.exe")
STOPPED_ON_WINDOWS = (
    r"(?i)\btaskkill\b[^|;&\n]{0,80}?/(?:IM \"?(?P<name>[\w.+-]{1,60}?)(?:\.exe)?|PID (?P<pid>\d{1,7}))(?![\w.])")
QUOTED_OR_OPEN = (  # a text that is closed, or the mark that opens one without an end
    rf"\\.|{QUOTED_TEXT}|{HERE_DOCUMENT}[^\n]*\n(?:.*?\n)?(?P=word)(?!\w)"
    r"|(?P<open>[\"']|<<-?\s{0,9}[\"']?\w)")


class Detached(namedtuple("Detached", ("text", "key", "log", "by"))):
    """A command that goes on when its line has ended. `typing`'s form of this costs a hook's start a millisecond.

    text: as written, with the variables before it; key: the same for the same command, wherever its output goes; log:
    the file that its output goes to, empty: not known; by: what left it behind: &, tmux, screen.
    """

    __slots__ = ()


class Stop(namedtuple("Stop", ("by", "what", "is_whole_line", "command"), defaults=(False, ""))):
    """What a command stops.

    by: name, port, pid, started (by the same line), or what left it behind: tmux, screen; what: empty: all of
    them; is_whole_line: a name is looked for in the whole command, not in the program alone; command: the part of the
    line that does it, empty where a port is freed, by whatever stands there.
    """

    __slots__ = ()


def steps_of(script: str) -> list[Detached | Stop]:
    """What a command line leaves running and what it stops, in its order."""
    if not re.search(DETACHES_OR_STOPS, script):
        return []
    pieces = pieces_of(before_open_text(script) if is_cut_text(script) else script)[:PARTS_MAX]
    steps: list[Detached | Stop] = []
    for index, (piece, sign) in enumerate(pieces):
        words = shell_words(piece)[:PART_WORDS_MAX]
        steps += [stop._replace(command=piece) for stop in stops_of(piece, words)]
        begin = index
        while sign == "&" and begin > 0 and pieces[begin - 1][1] in PIPES:  # all of a pipe goes on
            begin -= 1
        first = pieces[begin][0]
        program = program_in(first)
        is_done_soon = program in SHORT_LIVED or re.match(r"g?timeout\b|trap\b", first)
        if sign == "&" and not is_done_soon and not (program in VIEWERS.split() and not port_of(first)):
            steps.append(detached_piece(first, " | ".join(text for text, _ in pieces[begin:index + 1]), "&"))
        elif by := session_of(words):
            steps.append(detached_piece(piece, piece, by))
    may_stop_port = "kill" in script or "fuser" in script
    ports = [next(filter(None, match.groups()))
             for match in (re.finditer(PORT_STOPPED, script) if may_stop_port else ())]
    return [*(Stop("port", port) for port in ports), *steps]  # a port is freed before it is taken again


def before_open_text(script: str) -> str:
    """A script that was cut, up to the text that the cut left open: a sign behind its mark is none of the shell's.

    Of a long `python -c "…"` the `&` between two conditions had been told as a command that runs on.
    """
    matches = re.finditer(QUOTED_OR_OPEN, script, re.DOTALL)
    return script[:next((match.start() for match in matches if match["open"]), len(script))]


def detached_piece(command: str, pipe: str, by: str) -> Detached:
    """The command that goes on, and where the pipe that it begins writes to."""
    logs = [match[1] or match[2] for match in re.finditer(LOG_FILE, pipe)]
    log = next((name for name in logs if not name.startswith("/dev/")), "")
    return Detached(command, f"{by} {' '.join(without_redirections(shell_words(command)))}"[:300], log, by)


def session_of(words: Sequence[str]) -> str:
    """Which program keeps the session that these words start; empty where they start none that goes on."""
    program, rest = program_of(words), list(words[1:])
    is_apart = any(re.match(r"-[a-zA-Z]{0,4}d[a-zA-Z]{0,4}$", word) for word in rest)
    if program == "tmux" and rest[:1] in (["new"], ["new-session"]) and is_apart:
        return "tmux"
    return "screen" if program == "screen" and any(re.match(r"-d?mS?$|-dmS?$", word) for word in rest) else ""


def stops_of(piece: str, words: Sequence[str]) -> list[Stop]:
    """What a single command stops."""
    program = program_of(words)
    rest = [word.strip("\"'") for word in words[1:]]
    names = [word for word in rest if word and not word.startswith("-") and ">" not in word]
    if program in ("pkill", "killall"):
        is_whole = any(re.match(r"-\w{0,4}f|--full", word) for word in rest)
        return [Stop("name", name, is_whole) for name in (names if program == "killall" else names[-1:])]
    if program == "kill":
        pids = [Stop("pid", word) for word in names if word.isdecimal()]
        by_variable = re.search(r"%\d|\$!|\$\{?\w{0,20}(?:PID|pid)\w{0,20}|jobs -p", piece)
        return pids or ([Stop("started", "")] if by_variable else [])
    if program == "wait":
        return [Stop("started", "")]
    if program in WINDOWS_SHELLS:
        matches = re.finditer(STOPPED_ON_WINDOWS, piece)
        return [Stop("name", match["name"]) if match["name"] else Stop("pid", match["pid"]) for match in matches]
    return session_stops(program, names)


def session_stops(program: str, names: Sequence[str]) -> list[Stop]:
    """The session that tmux or screen is told to stop."""
    if program == "tmux" and names[:1] in (["kill-session"], ["kill-server"]):
        return [Stop("tmux", names[1] if len(names) > 1 else "")]
    if program == "screen" and "quit" in names:
        return [Stop("screen", "" if names[0] == "quit" else names[0])]
    return []


def is_stopped(stop: Stop, text: str, also: str, by: str) -> bool:
    """Whether a stop by name, or of a session, ends the command; `also` is what it said that it runs."""
    if stop.by != "name":
        return stop.by == by and stop.what in text
    if stop.is_whole_line:
        return has_parts(f"{text}\n{also}", stop.what)
    programs = {program_in(line).removesuffix(".exe") for line in (text, *also.splitlines())}
    return stop.what in programs or (stop.what == "node" and bool(programs & {*NODE_RUNNERS}))


def has_parts(text: str, pattern: str) -> bool:
    """Whether the parts of a pattern of pgrep stand in the text in their order; other signs of patterns count not."""
    offset = 0
    for part in re.split(r"\.\*|[\[\]^$\\]", pattern):
        offset = text.find(part, offset)
        if offset < 0:
            return False
        offset += len(part)
    return bool(pattern)


def environ_of(script: str) -> str:
    """The variables that a line sets before its programs, in their order."""
    matches = [re.match(ASSIGNMENTS, piece) for piece, _ in pieces_of(script)[:PARTS_MAX]] if "=" in script else []
    return " ".join(match[1].strip() for match in matches if match)


def prints_alone(script: str) -> bool:
    """Whether of a line nothing prints but what it leaves behind."""
    return all(sign == "&" or program_in(piece) in SILENT_PROGRAMS for piece, sign in pieces_of(script))


def port_of(command: str) -> str:
    """The port that the command names; empty where it names none."""
    matches = (re.search(pattern, command[:4_000]) for pattern in PORTS_IN_COMMAND)
    return next((match[1] for match in matches if match), "")


def port_seen(script: str, output: str) -> str:
    """The port that a server says it listens on, or that its line asks after it was started."""
    match = re.search(PORT_IN_OUTPUT, output[:20_000]) or re.search(PORT_OF_REQUEST, script[:4_000])
    return match[1] if match else ""


# ==================================================================================================
# record/outcomes/own_kill.py: Lines that end themselves: `pkill -f WORD` meets the shell that runs it, as WORD stands in that shell's own command.
# ==================================================================================================

PKILL = r"\bpkill(?P<options>(?: +-[\w-]+)+) +(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|(?P<bare>[^\s;&|'\"]+))"
WHOLE_COMMAND = r" -(?:\w*f\w*|-full)\b"  # the option by which pkill looks at whole command lines
ENDED_BY_SIGNAL = (143, 144)  # as the client tells of its shell; behind the signal that nothing survives ENDED_BY_KILL
FITS_ITSELF = r"[\w ./:@=,*-]+"  # a pattern of these signs fits its own letters; `[a]pp.py` does not
KILL = r" -(?:9|KILL|SIGKILL)\b"
ENDED_BY_KILL = (137, 1)
KILLED_ITSELF = "its own `pkill -f` met its own shell, and nothing behind that ran"


def kill_of_itself(command: str, output: str, exit_code: int | None) -> str:
    """That the line ended itself, in words; empty where it did not, or where that is not certain.

    Of exit code 1 alone it is certain where nothing was printed: pkill has it, too, where it meets no process.
    """
    if "pkill" not in command or exit_code not in (*ENDED_BY_SIGNAL, *ENDED_BY_KILL):
        return ""
    for call in re.finditer(PKILL, command):
        if exit_code in ENDED_BY_KILL and (output.strip() or not re.search(KILL, call["options"])):
            continue
        goes_on = exit_code != 1 or re.search(r"[;\n]\s*\S", command[call.end():])
        word = call["double"] or call["single"] or call["bare"]
        if goes_on and re.search(WHOLE_COMMAND, call["options"]) and re.fullmatch(FITS_ITSELF, word):
            return KILLED_ITSELF
    return ""


# ==================================================================================================
# record/outcomes/package_audit.py: What an audit of packages counted (`npm audit`): it exits 1 where there are any, which is no failure of the command.
# ==================================================================================================

AUDIT = "audit"  # subcommand of managers of packages
NAMED_SCRIPT = ("run", "run-script", "exec", "x", "dlx")  # subcommands that name another command
AUDIT_ROW = (  # with the number of what was found; of pnpm and yarn in the next row by how severe it is
    r"(?:found |fixed \d{1,6} of )?\d{1,6} (?:\w{3,10} severity )?vulnerabilit(?:y|ies)\b(?! (?:of|to)\b).{0,150}"
    r"|No (?:known )?vulnerabilities found\b.{0,60}|Severity: \d.{0,100}")
AUDIT_TOTAL = r'"vulnerabilities": ?\{\s*"info": ?\d+,[^{}]{0,300}"total": ?(\d{1,6})'  # of --json
COUNTS_SOME = r"(?:found |fixed \d{1,6} of )?[1-9]"  # how such a row begins
ROWS_MAX = 2


def vulnerabilities_counted(run: EndedCommand) -> str:
    """The last row in which an audit of the line says how many it found; empty: none did, or something else failed."""
    if AUDIT not in run.command or run.has_failed or not any(is_audit(piece) for piece, _ in pieces_of(run.command)):
        return ""
    totals = re.findall(AUDIT_TOTAL, "\n".join(run.lines))
    if totals:
        return f"{totals[-1]} vulnerabilities"
    rows = [row for row in run.text if re.match(AUDIT_ROW, row)][-ROWS_MAX:]
    return " · ".join(rows if rows[-1:] and rows[-1].startswith("Severity") else rows[-1:])


def ends_in_audit(command: str) -> bool:
    """Whether the line's last command, whatever its output goes through, and but for an echo, is an audit."""
    pieces = pieces_of(command)
    while pieces[1:] and (pieces[-2][1] in PIPES or program_in(pieces[-1][0]) in WITHOUT_EFFECT):
        pieces = pieces[:-1]
    return is_audit(pieces[-1][0]) if pieces else False


def is_audit(piece: str) -> bool:
    """Whether a command of a line is an audit of packages, perhaps one that mends what it found."""
    words = shell_words(piece) if AUDIT in piece else []
    named = [word for word in words[1:] if not word.startswith("-")]
    return program_of(words) in NODE_MANAGERS and AUDIT in named[:2] and named[0] not in NAMED_SCRIPT


# ==================================================================================================
# record/outcomes/outcome.py: How a command ended, by its exit code and by what its output says: the one vocabulary of results.
# ==================================================================================================

PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
EXITS_OF_CUT_PIPES = (141, 255)  # of a shell; of PowerShell
TAKES_FIRST_ROWS = r"(?i)\|\s{0,3}(?:head|select(?:-object)? -first)\b"
OWN_BEHIND_TOTAL = (  # what a runner of tests fails for behind a total without failures
    r"(?i)coverage|threshold|unhandled|uncaught|tests? failed|script [`\"']?test|teardown|worker|leak|open handle|hook")
TIMED_OUT = 124  # a shell's exit code
LASTING_FIELDS = ("commit", "branch", "subject", "took_in", "commits_before", "pushed", "remark")
COUNTED_WARNINGS = r"(?i)(?:^|[\s(:,])[1-9]\d{0,5} (?:\w{1,20} )?warnings?\b"
# Signs behind a command that let the line go on whether or not it failed.
GOING_ON = frozenset((";", "||", "\n", "&"))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": ""}
    end = end_by_client(output, is_error, exit_code)
    if end["is_refused"]:
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(end["output"])])}
    background = name_in_background(end["output"])
    if background:
        return {**outcome, "verdict": "running", "line": f"in the background: {background}"}
    run = EndedCommand(command, checks, end["output"], end["exit_code"])
    if 0 < run.reading.packages == run.reading.cached:
        outcome["is_cached"] = True
    of_git = git_outcome(run)
    if stopped := end["stopped"] or kill_of_itself(command, end["output"], end["exit_code"]):
        return stopped_outcome(run, {**outcome, **commit_and_push_of(of_git)}, stopped)
    outcome.update(of_git)
    counted = vulnerabilities_counted(run)
    if counted:
        return outcome_with_audit(run, outcome, counted)
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def outcome_with_audit(run: EndedCommand, outcome: Outcome, counted: str) -> Outcome:
    """How a command ended in which an audit counted vulnerabilities: that it exits 1 as there are some is no failure.

    Of checks beside one that is not the line's last command nobody knows whether they were run.
    """
    has_some = bool(run.is_error) and re.match(COUNTS_SOME, counted) is not None
    if has_some and ends_in_audit(run.command):
        run = EndedCommand(run.command, run.checks, "\n".join(run.lines), 0)
    elif has_some and run.checks:
        return {**outcome, "line": counted}
    if run.checks:
        of_checks = outcome_of_checks(run, outcome)
        return {**of_checks, "line": joined_line([of_checks["line"], counted])}
    outcome = {**outcome, "line": joined_line([outcome["line"], counted])}
    if ends_in_audit(run.command) and outcome["family"] != "git":
        outcome["family"] = AUDIT
    return outcome_of_other(run, outcome)


def commit_and_push_of(of_git: Outcome) -> Outcome:
    """Of what git said that which stays true when the command was stopped later."""
    lasting: Any = {name: value for name, value in of_git.items() if name in LASTING_FIELDS}
    kept: Outcome = lasting
    return kept


def stopped_outcome(run: EndedCommand, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen, and as stopped, though it still had its
    port: the tool's limit need not end what listens.
    """
    reading, printed = run.reading, ""
    if run.checks and (reading.tests or run.has_failed):
        names = names_in_line(unique_names(reading.failed_names), reading.tests)
        printed = joined_line([*short_totals(reading.tests)[-2:], names])
    printed = printed or rows_until_stopped(run.text)
    if stopped.startswith(LIMIT_REACHED) and port_seen("", "\n".join(run.text)):
        stopped = f"the tool stopped waiting{stopped.removeprefix(LIMIT_REACHED)}; whether it still runs is not known"
    return {**outcome, "verdict": "stopped", "line": f"{stopped}{HAD_PRINTED}{printed})" if printed else stopped}


def rows_until_stopped(text: Sequence[str]) -> str:
    """Telling rows of what a command had printed, and its last one always: there it stood when it was stopped."""
    shown = cut_words(telling_rows(text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    last = cut_words("".join(text[-1:]), PRINTED_BEFORE_UTF16 // 2)
    if last in shown:
        return shown
    room = PRINTED_BEFORE_UTF16 - units(last)
    return f"{cut_words(telling_rows(text[:-1], room), room)}{ROW_END}{last}"


def outcome_of_checks(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    lost = "" if reading.tests or run.has_failed else lost_output(run)
    if lost and not never_started(run, "unknown"):
        return {**outcome, "cause": lost, "line": lost}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        return outcome_not_run(outcome, cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16))
    has_others = len(pieces_of(run.command)) > len(checks)
    if run.is_error and has_others and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    unknown = "" if reading.tests else never_started(run, verdict)
    if unknown:
        return outcome_not_run(outcome, unknown)
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    if outcome["family"] == ANY_CHECK and shows_own_tests(run, verdict):
        outcome = {**outcome, "family": "test"}
    return outcome_with_line(run, outcome, verdict)


def shows_own_tests(run: EndedCommand, verdict: str) -> bool:
    """Whether the output has tests to which the verdict belongs: not where they passed, and what came behind failed."""
    tests = run.reading.tests
    return any(sum_of(FAILURE_COUNTS, line) for line in tests) if verdict == "failed" else bool(tests)


def outcome_not_run(outcome: Outcome, cause: str) -> Outcome:
    """The outcome of checks that were never started, for this cause."""
    return {**outcome, "verdict": "not run", "cause": cause, "line": cause}


def failing_family(run: EndedCommand) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in failing if not check["shows_exit"]]
        failing = hidden or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.failed_names or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing_behind_tests(run, failing) or failing)


def failing_behind_tests(run: EndedCommand, failing: Sequence[Check]) -> list[Check]:
    """The checks that failed behind tests whose total says that all passed; none where that is not certain.

    Of `cargo test && cargo clippy && cargo fmt --check` the tests stood as failed, whose total said "0 failed", as a
    file was not formatted. A runner fails behind a clean total too, for its coverage or an error outside of its tests.
    """
    reading = run.reading
    behind = [*failing[1:]]
    if not behind or failing[0]["family"] not in MAY_TEST:
        return []
    if not all(check["shows_exit"] and check["family"] not in MAY_TEST for check in behind):
        return []
    has_clean_total = bool(reading.tests) and not any(sum_of(FAILURE_COUNTS, row) for row in reading.tests)
    runners = {runner for runner, _ in reading.failing_behind}
    if not has_clean_total or not runners or not runners.isdisjoint(OF_TESTS):
        return []
    if any(re.search(OWN_BEHIND_TOTAL, row) for _, row in reading.failing_behind):
        return []
    return [check for check in behind if check["runner"] in runners] or behind


def outcome_of_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error and not is_cut_off(run):
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {*PIPES}) and "pipefail" not in run.command
    passed = run.reading.passed
    success = passed[-1][1] if passed and outcome["family"] else ""
    may_hide_failure = has_pipe or bool(signs & GOING_ON)
    if may_hide_failure and not success and not is_made_good(run) and shows_failure(run, outcome):
        return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def is_cut_off(run: EndedCommand) -> bool:
    """Whether the command ended as what stood behind its pipe had read enough, which is no failure."""
    return run.exit_code in EXITS_OF_CUT_PIPES and re.search(TAKES_FIRST_ROWS, run.command) is not None


def shows_failure(run: EndedCommand, outcome: Outcome) -> bool:
    """Whether the output says that a command failed that is no check; of an unknown one a traceback alone does."""
    reading = run.reading
    is_known = bool(outcome["family"]) or "traceback" in reading.causes
    return (bool(outcome["cause"]) or (is_known and reading.error_at_end)
            or (outcome["family"] == "git" and reading.failed))


def failed_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    said, parts = names_of_failed(reading), list[str]()
    names = said.get("failed_names", ())
    if names:
        parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)]
    else:
        cause = cause or said_best(run.text)
    line = outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"
    verdict = "not run" if run.exit_code in NOT_STARTED else "failed"
    return {**outcome, **said, "line": line, "verdict": verdict, "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def outcome_with_line(run: EndedCommand, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    cause = ""
    if verdict == "failed":
        outcome = {**outcome, **names_of_failed(reading)}
        cause = reading.cause
        if len(run.checks) > 1 and lacking_in(run.command, cause):  # of the one that is not there; another has failed
            cause = ""
        cause = cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        parts = failed_parts(run, outcome.get("failed_names", []), cause)
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, row_of_warnings(run.lines), "" if run.is_error else "exit 0"]
        if reading.error_at_end and not reading.tests:  # a bundler's "✓ built" had hidden it
            parts.append(f"it also printed: {reading.cause}")
    elif verdict == "not run":
        cause = reading.cause
        row = total_in_short(reading.none[-1]) if reading.none else last_said(run.text)
        if reading.none and outcome["family"] == "test" and not cause:
            outcome, row = {**outcome, "met_no_test": True}, f"no test ran: {row}"
        parts = [cause or row]
    elif run.printed_error:
        parts = [f"{BUT_PRINTED}{run.printed_error}"]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts = parts or rows_without_count(reading)
        parts.append(own_words_of_failure(run, LOOKS_FAILED))
        if run.exit_code is not None:
            parts.append(f"exit {run.exit_code} of `{ending_program(run.command)}`")
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def row_of_warnings(lines: Sequence[str]) -> str:
    """The first row that counts warnings of what passed; empty for none: "passed" alone had hidden two."""
    if "arning" not in "\n".join(lines):  # as in most: then no row is looked at
        return ""
    return next((row.strip() for row in lines if "arning" in row and re.search(COUNTED_WARNINGS, row)), "")


def failed_parts(run: EndedCommand, names: Sequence[str], cause: str) -> list[str]:
    """What is said of checks that failed: totals, names, the cause; else the line that tells most."""
    reading = run.reading
    tests = reading.tests
    if sum(check["family"] in MAY_TEST for check in run.checks) > 1:  # a total without failures is another run's
        tests = [line for line in tests if sum_of(FAILURE_COUNTS, line)]
    clean = [line for _, line in reading.passed] if names else ()  # of another than what failed
    problems = [line for line in reading.problems if line not in clean]
    totals = [line for line in [*tests, *problems] if not line.startswith("ok ")]  # Go's, of packages
    parts = [*short_totals(totals)[-2:], names_in_line(names, reading.tests), cause]
    own_words = own_words_of_failure(run, SAYS_FAILED) or own_words_of_failure(run, LOOKS_FAILED)
    if any(parts):
        return [*parts, own_words] if reading.is_titled else parts
    return [reading.failing_line or own_words or said_best(run.text) or f"exit {run.exit_code or 1}"]


# ==================================================================================================
# record/outputs/made_things.py: What a call made outside of the tree, in a tracker or forge: its fields or title, id and address, on one line.
# ==================================================================================================

MADE_MAX = 2
FIELD_OF_MADE_MAX_CHARACTERS = 90
FIELDS_OF_MADE_MAX = 8
MADE_ADDRESS = r"https?://[\w.-]{1,100}/\S{1,150}/(?:pull|pulls|issues|merge_requests|releases|discussions|browse)/\S{1,120}"
TITLE_OPTION = r"(?:--title|-t)[ =](?:\"([^\"\n]{1,120})|'([^'\n]{1,120}))"
MAKING_TOOL = r"(?i)(?:^|_)(?:create|add|post|submit|open|publish|send|save|update)_?"
MADE_THING = r"(?i)issue|pull|merge_?request|ticket|comment|discussion|release|review|task|card|story|epic|page|_pr\b"
ADDRESS_FIELDS = ("owner", "repo", "cloudId")  # stand in the address
NAMES_OF_IDS = ("identifier", "key", "number", "iid", "html_url", "url", "webUrl", "web_url", "permalink", "id")
ANSWER_LOOKED_AT_CHARACTERS = 20_000
ARGUMENTS_LOOKED_AT_MAX = 30
MADE_LINE_MAX_CHARACTERS = 400
ID_FIELD = r"\"(\w{2,20})\": ?(?:\"([^\"\n]{1,200})\"|(\d{1,12}))"  # of a JSON answer


def made_by_command(making: str, command: str, rows: list[str]) -> list[str]:
    """Address and title of what `gh`, `glab` and the like made or changed; `making` is their part of the command."""
    title = re.search(TITLE_OPTION, command)
    name = f" “{title[1] or title[2]}”" if title else ""
    in_rows = [re.search(MADE_ADDRESS, row) for row in rows if "://" in row]
    addresses = [*dict.fromkeys(match[0] for match in in_rows if match)]
    return [f"{' '.join(making.split()[:3])}{name} → {address}" for address in addresses[:MADE_MAX]]


def made_outside(tool: str, arguments: Mapping[str, Any], output: str) -> str:
    """What an MCP tool made in a tracker, on one line: its short fields, id and address; empty for other tools."""
    name = tool.rpartition("__")[2]
    if not tool.startswith("mcp__") or not (re.search(MAKING_TOOL, name) and re.search(MADE_THING, name)):
        return ""
    shown = [(key, shown_field(value)) for key, value in [*arguments.items()][:ARGUMENTS_LOOKED_AT_MAX]
            if key not in ADDRESS_FIELDS]
    fields = [f"{key} {text}" for key, text in shown if text][:FIELDS_OF_MADE_MAX]
    line = f"{name}: {', '.join(fields)}"
    ids = ids_of_result(output)
    return at_blank(f"{line} → {' '.join(ids)}" if ids else line, MADE_LINE_MAX_CHARACTERS)


def shown_field(value: object) -> str:
    """A short field of a call, as it is told; of a text of several lines or a long one nothing."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "/".join(filter(None, map(shown_field, value[:5])))
    if not isinstance(value, str) or len(value) > FIELD_OF_MADE_MAX_CHARACTERS or "\n" in value:
        return ""
    return f"“{value}”" if " " in value else value


def ids_of_result(output: str) -> list[str]:
    """Id and address that a tracker's JSON answer gives, at most two; of another answer its first address."""
    begin = output[:ANSWER_LOOKED_AT_CHARACTERS]
    ids = dict[str, str]()
    for key, text, number in re.findall(ID_FIELD, begin):
        if key in NAMES_OF_IDS:
            ids.setdefault(key, text or number)
    if not ids:
        return [match[0] for match in [re.search(MADE_ADDRESS, begin)] if match]
    in_order = [ids[key] for key in NAMES_OF_IDS if key in ids]
    addresses = [value for value in in_order if value.startswith("http")]
    numbers = [value for value in in_order if not value.startswith("http")]
    return [value for value in (*numbers[:1], *addresses[:1]) if value]


# ==================================================================================================
# record/outputs/evidence.py: The few lines of what one call printed that someone may need much later: chosen when they come by, by their form.
# ==================================================================================================

EVIDENCE_LINES_MAX = 6  # of one call
EVIDENCE_MAX_CHARACTERS = 200  # of a line, cut at a blank
EVIDENCE_OUTPUT_LINES_MAX = 1_500  # looked at, of both ends
COMMAND_LOOKED_AT_CHARACTERS = 4_000
RUNNER_LINES_MAX = 2
RUNNER_LINE = r"\[([\w:./@-]{1,60})\] \$ (\S.{0,300})|task: \[([\w:./@-]{1,60})\] (\S.{0,300})"
NAMELESS_LINE, NAMED_IN_COMMAND = r"\$ (\S.{0,300})$", r"\b(?:bun|yarn)(?: run)? ([a-z][\w:.-]{0,60})"
WORDS_FOR_TASK = r" -- ([^|&;<>]{1,300})"
NPM_HEAD = r"> (?:(@?[\w./-]{1,100})@\S{0,60} )?([\w:.-]{1,60})(?: /\S{1,300}| [A-Z]:\S{1,300})?$"
MAKING_COMMAND = rf"\b(?:{'|'.join(TRACKERS)})\b[^|;&\n]{{0,40}}\b(?:create|new|comment|review|close|edit|merge)\b"
RUNNER_ROWS_LOOKED_AT = 60
ROW_MAX_CHARACTERS = 1_000


def evidence_lines(command: str, output: str) -> list[str]:
    """At most EVIDENCE_LINES_MAX short lines of a command's output that may be needed later; not redacted."""
    command = command[:COMMAND_LOOKED_AT_CHARACTERS]
    words = {*re.findall(r"\w+", command)}
    is_runner = not words.isdisjoint(TASK_RUNNERS)
    making = re.search(MAKING_COMMAND, command) if not words.isdisjoint(TRACKERS) else None
    if not is_runner and not making:
        return []
    rows = output.splitlines()
    if len(rows) > EVIDENCE_OUTPUT_LINES_MAX:
        rows = [*rows[:EVIDENCE_OUTPUT_LINES_MAX // 3], *rows[-EVIDENCE_OUTPUT_LINES_MAX * 2 // 3:]]
    rows = [row[:ROW_MAX_CHARACTERS] for row in rows]
    lines = made_by_command(making[0], command, rows) if making else []
    if is_runner:
        lines += runner_lines(command, rows)
    return [at_blank(line, EVIDENCE_MAX_CHARACTERS) for line in dict.fromkeys(lines)][:EVIDENCE_LINES_MAX]


def runner_lines(command: str, rows: Sequence[str]) -> list[str]:
    """What a task runner says that it runs: `[name] $ command`; npm says it in two rows, the name before.

    With its package the task is `[name of package]`: others may have one of that name.
    What bun and yarn run has its name in the command alone. Words behind `--` are the call's, not the task's.
    """
    lines, npm_task = list[str](), ""
    given = re.search(WORDS_FOR_TASK, command)
    rows = rows[:RUNNER_ROWS_LOOKED_AT]
    nameless = [line[1] for row in rows if row.startswith("$ ") and (line := re.match(NAMELESS_LINE, row))]
    names = re.findall(NAMED_IN_COMMAND, command)
    if len(names) == len(nameless):
        lines += [f"[{name}] $ {run}" for name, run in zip(names, nameless)]
    for row in rows:
        if row.startswith("> "):
            head = re.match(NPM_HEAD, row)
            if head and "@" in row:
                npm_task = f"{head[2]} of {head[1]}" if head[1] else head[2]
            elif not head and npm_task:
                lines.append(f"[{npm_task}] $ {row[2:]}")
                npm_task = ""
        elif row.startswith(("[", "task: [")) and (line := re.match(RUNNER_LINE, row)):
            lines.append(f"[{line[1] or line[3]}] $ {line[2] or line[4]}")
    if given:
        words = f" {given[1].strip()}"
        lines = [line.removesuffix(words) for line in lines if line.endswith(words)]
    return lines[:RUNNER_LINES_MAX]


# ==================================================================================================
# record/outputs/search_hits.py: What a search printed: its hits, as `path:line: code`, `path: code` or paths.
# ==================================================================================================

SEARCH_HITS_MAX = 40  # of one search
HITS_LOOKED_AT_MAX = 2_000
NO_HITS = r"\s{0,9}(?:No (?:matches|files|results)\b|0 (?:matches|results)\b)"
HIT_WITH_LOCATION = r"((?:[A-Za-z]:)?[^:\n\t]{1,300}?):(\d{1,7}):(.*)"
# With an ending, or a folder and no blank: a log's `10.0.0.1 - - [23/Mar/2026 17:37:59]` is no hit in a file.
LOOKS_LIKE_PATH = r".{0,300}\.[A-Za-z]\w{0,19}$|[^\s/]{0,300}/\S{0,300}$"
HIT_IN_FILE = r"(\d{1,7}):(.*)"
HIT_WITH_PATH = r"((?:[\w.@+~-]{1,80}/){0,30}[\w.@+-]{1,80}\.[A-Za-z]\w{0,7}):(.*)"
HIT_PATH = r"(?:[\w.@+~()\[\] -]{0,80}/){0,30}[\w.@+()\[\]-]{1,120}$"
HIT_LOOKED_AT_CHARACTERS = 620  # of a line: its path, and twice what is kept
NO_HIT_LINES = ("Found ", "(", "[Showing ")  # what the client's search says of its hits
SAID_TO_BE_MET = r"(?m)^Found (\d{1,7}) (files?\b|total occurrences)"
FILES_MET = r"Found \d{1,7} files?\b"
LIMIT_SAID = (
    r"(?m)^(?:Found \d{1,7} files? |\[Showing results with pagination = )limit: (\d{1,7})(?:, offset: (\d{1,7}))?")
RESULTS_CUT = "(Results are truncated"
ROW_MET = r"(?:[^:]{1,300}:)?\d+:"  # of a search with numbered lines
ROW_AROUND = r"(?:[^:]{1,300}-)?(\d{1,7})-|--$"  # those around have a hyphen


def how_many_hits(output: str, met: Sequence[tuple[str, str]], is_cut: bool) -> str:
    """How many hits or files a search has met, as the client says or by its rows; "at least" where it printed only the
    first, and where by the rows of an output of which not all is there (`is_cut`).

    Names that no form tells are hits, too, where those that were met are names alone.
    """
    said, are_located = re.search(SAID_TO_BE_MET, output), any(path != hit for path, hit in met)
    rows = [row for row in output.splitlines() if row.strip() and not row.startswith(NO_HIT_LINES)]
    count = int(said[1]) if said else len(met if are_located else rows)
    kind = "file" if said and said[2].startswith("file") else "hit"
    begin = "at least " if (is_cut and not said) or is_cut_short(output, len(rows)) else ""
    return f"{begin}{count} {kind}{'s' * (count != 1)}"


def is_cut_short(output: str, rows: int) -> bool:
    """Whether a search that printed so many rows may have met more: it names its limit below all of them, too."""
    limit = re.search(LIMIT_SAID, output)
    said = limit and re.match(SAID_TO_BE_MET, limit[0])
    is_at_limit = limit is not None and (int(said[1]) if said else rows) + int(limit[2] or 0) >= int(limit[1])
    return is_at_limit or f"\n{RESULTS_CUT}" in output


def without_rows_around(rows: Sequence[str]) -> list[str]:
    """Of a search's numbered rows those that it met, without the ones around them; all rows of another."""
    rows = [*filter(str.strip, rows)]
    met = [row for row in rows if re.match(ROW_MET, row)]
    if met:
        return met
    around = [re.match(ROW_AROUND, row) for row in rows if not row.startswith(NO_HIT_LINES)]
    numbers = [int(row[1]) for row in around if row and row[1]]
    is_numbered = len(numbers) > 1 and numbers[1] == numbers[0] + 1  # no names or dates
    return [] if is_numbered and all(around) else rows


def hits_met(output: str, path: str) -> list[tuple[str, str]]:
    """The path of each hit that is known by its form, and the hit as it is told; beside located ones no other lines."""
    if re.match(NO_HITS, output) or has_diff(output):  # the heads of a diff's files were taken for hits
        return []
    file = path if "." in file_name(path) else ""
    if re.match(FILES_MET, output):
        output = output.replace("\\", "/")
    hits = [(path, hit if len(line) <= HIT_LOOKED_AT_CHARACTERS else at_blank(hit, len(hit) - 1))
            for line in output.splitlines()[:HITS_LOOKED_AT_MAX]
            for path, hit in hits_of_line(line[:HIT_LOOKED_AT_CHARACTERS], file)]
    located = [(path, hit) for path, hit in hits if path != hit]  # beside these the others are lines of context
    return located or hits


def hits_of_line(text: str, file: str) -> list[tuple[str, str]]:
    """The path of the hit that a line is, and the hit as it is told, at most one; `file` is that which was searched."""
    if ":" in text:
        in_file = re.match(HIT_IN_FILE, text) if file else None
        if in_file:
            return [(file, f"{file}:{in_file[1]}: {in_file[2].strip()}")]
        with_location = re.match(HIT_WITH_LOCATION, text)
        if with_location and "." in with_location[1] and re.match(LOOKS_LIKE_PATH, with_location[1]):
            path, line, code = with_location.groups()
            return [(path, f"{path}:{line}: {code.strip()}")]
        with_path = re.match(HIT_WITH_PATH, text)
        if with_path:
            return [(with_path[1], f"{with_path[1]}: {with_path[2].strip()}")]
    may_be_path = "/" in text or "." in text
    if may_be_path and re.match(HIT_PATH, text) and not text.startswith(NO_HIT_LINES):
        return [(text.strip(), text.strip())]
    return []


def chosen_hits(hits: Sequence[tuple[str, str]]) -> list[str]:
    """At most SEARCH_HITS_MAX of the hits, in their order: the first of each file before the second of any."""
    if len(hits) <= SEARCH_HITS_MAX:
        return [hit for _, hit in hits]
    seen, ranks = dict[str, int](), list[tuple[int, int]]()  # ranks: which hit of its file, and its index
    for index, (path, _) in enumerate(hits):
        seen[path] = seen.get(path, 0) + 1
        ranks.append((seen[path], index))
    chosen = sorted(index for _, index in sorted(ranks)[:SEARCH_HITS_MAX])
    return [hits[index][1] for index in chosen]


# ==================================================================================================
# record/calls/command_actions.py: A command of a shell as an action or a look: what it was, how it ended, what of its output is kept.
# ==================================================================================================

RESULT_MAX_UTF16 = 240
STATUS_MAX_UTF16 = 800  # of what git said of the working tree
SHOWN_OF_GIT = r"(?:cd [^;&|]{1,300} && )?git (?:status|log\b[^|;&]{0,200} --(?:oneline|format|pretty))"
HINTS_OF_GIT = ('(use "git ', "(commit or discard ")  # rows of a status on what to type next
SCRIPT_KEPT_UTF16 = 800  # of a command with several lines
ENDED_MAX_UTF16 = 400  # of how a command ended: its last rows, and those that say so
COMMAND_NAMED = r"(?m)^[ \t]*[>$][ \t]+(\S[^\n]{0,300})$"  # as package managers and `set -x` name what they run
OUTPUT_LIMITS = (  # what only shortens a line's output, of a quoted command for another machine too
    r"(?m)(?: ?\| ?(?:tail|head|cat|tee)\b[^|;&\"'\n]{0,80}){1,3}(?=[\"']?$)")
WAITED = r"\bsleep [\d.]{1,8}[smh]? ?(?:&&|;|\n)\s*"
SEARCHES = r"\b(?:[efz]?grep|rg|ag|ack|findstr|sls|Select-String)\b"
WRITTEN_MAX = 20
STOP_HOOK = "Stop hook"
FEEDBACK_KEY_CHARACTERS = 200


def command_item(call: Entry, root: str) -> Item:
    """A command of a shell, with the folder in which it ran where that is another than the session's first."""
    folder = call.get("folder", "")
    item = with_description(item_of_command(call, root), call)
    if not folder or goes_to_whole_path(whole_command(call)):
        return item
    return {**item, "folder": folder, "key": f"{folder} {item['key']}"}  # the same words are another command there


def with_description(item: Item, call: Entry) -> Item:
    """The item; of a command that holds code with what the agent calls it, which says more in less room."""
    description = text_of(call["input"], "description")
    return {**item, "described": description} if description and without_inline_code(item["text"]) else item


def item_of_command(call: Entry, root: str) -> Item:
    """A command of a shell: a look where it only looks, else an action with its outcome.

    One that the client refused is no run: of two tries the one that ran had been told as two runs.
    """
    command = script_of(call)
    key = command_key(command, root)
    if is_looking(command):  # while it waits, too: else it would stand there twice
        return looking_item(call, command, key, root)
    if is_put_in_background(call["output"]):
        return action(call, command, key, verdict="running", result="in the background")  # its job says more
    if call["ok"] is None:
        return action(call, command, key, verdict="running", result="")
    end = end_of_command(call)
    if len(call["output"]) > len(end["result"]) + MORE_CHARACTERS:
        end["more"] = len(call["output"])
    evidence = evidence_in(evidence_lines(command, call["output"]), root)
    item: Item = {**action(call, command, key), **end, **written(call, end["verdict"], root),
                  **lacking(command, call["output"]), **evidence}
    is_not_run = item["verdict"] == "not run"  # of the others none was refused: their outputs are not read again
    is_refused = is_not_run and end_by_client(call["output"], not call["ok"], call["exit"])["is_refused"]
    return {**item, "uses": 0} if is_refused else item


def written(call: Entry, verdict: str, root: str) -> CallFields:
    """The files that the command wrote; none of one that failed, was stopped or not run: nobody knows."""
    if verdict in (*NOT_DONE, "stopped"):
        return {}
    files = files_written(whole_command(call), root, call.get("folder", ""))
    return {"wrote": [root + path for path in files[:WRITTEN_MAX]]} if files else {}


def lacking(command: str, output: str) -> CallFields:
    """The command's programs that are not there, where its output says so."""
    programs = lacking_in(command, output)
    return {"lacking": programs} if programs else {}


def command_key(command: str, root: str) -> str:
    """What makes two commands the same: without the root, waits, where errors went, what only shortens the output.

    A test that failed had stood beside its own later run, which passed and had `2>&1` behind it.
    """
    key = without_joined_outputs(command.replace(f"cd {root[:-1]} && ", ""))
    part = ""
    if "|" in key:
        part = part_shown("".join(re.findall(OUTPUT_LIMITS, key)))
        key = re.sub(OUTPUT_LIMITS, "", key)
    if "sleep " in key:
        key = re.sub(WAITED, "", key)
    is_other_part = part and not checks_in(command)
    return f"{part} of {without_folder(key.strip(), root)}" if is_other_part else without_folder(key.strip(), root)


def part_shown(filters: str) -> str:
    """Which part of an output is shown by what shortens it, where that is neither all of it nor its end.

    The first rows of a long listing had stood as what its last rows had been before.
    """
    if " +" in filters or ("head" in filters and "tail" in filters):
        return filters.strip()
    return "head" if "head" in filters else ""


def looking_item(call: Entry, command: str, key: str, root: str) -> Item:
    """A command that only looks, with what it showed; of git's status and log the rows from the first on."""
    met = hits_met(call["output"], "") if call["ok"] else []
    hits = kept_hits(chosen_hits(met), root)
    if re.match(SHOWN_OF_GIT, command):  # which files are changed, whose commits there are
        result = first_rows_of_git(call["output"])
    else:
        result = quote(ends_of(call["output"], LOOK_RESULT_MAX_UTF16, is_listing=True), LOOK_RESULT_MAX_UTF16)
    if ROWS_BETWEEN in result and re.search(SEARCHES, command) and are_all_located(call["output"], met):
        result = how_many_hits(call["output"], met, bool(call.get("is_output_cut")) or cuts(command))
    look = new_item("look", call, command, "assistant", key=f"$ {key}", tool=call["tool"], path="", result=result)
    if hits:
        look["hits"] = hits
    if call["ok"] and not call.get("is_by_ledger") and not call["output"].strip():
        look["is_silent"] = True
    return {**look, **lacking(command, call["output"]), **evidence_in(evidence_lines(command, call["output"]), root)}


def are_all_located(output: str, met: Sequence[tuple[str, str]]) -> bool:
    """Whether each row of an output is a line of a file, with its path before it, and no count (`grep -c`).

    Of four such hits the harmless one had stood as if there were no others.
    """
    rows = [row for row in output.splitlines() if row.strip()]
    return bool(met) and len(met) == len(rows) and not any(hit[len(path) + 1:].strip().isdecimal() or path == hit
                                                           for path, hit in met)


def cuts(command: str) -> bool:
    """Whether a program of the command lets no more than some rows through."""
    return any(program_in(piece) in CUTTING for piece, _ in pieces_of(command))


def first_rows_of_git(output: str) -> str:
    """The first rows of what git listed on one line, without its hints; a mark behind those that have room."""
    rows = [row for row in map(str.strip, output.split("\n")) if row and not row.startswith(HINTS_OF_GIT)]
    shown = quote(ROW_END.join(rows), STATUS_MAX_UTF16)
    is_cut = shown.endswith(ROWS_BETWEEN) and units(shown) > STATUS_MAX_UTF16 - len(ROW_END)
    return f"{shown.rpartition(ROW_END)[0]}{ROW_END}{ROWS_BETWEEN}" if is_cut and ROW_END in shown else shown


def feedback_item(feedback: Entry) -> Item:
    """What a Stop hook told the agent to go on with: where it names the check that it ran, that check and its end."""
    words = feedback["text"]
    command = next((line for line in re.findall(COMMAND_NAMED, words) if checks_in(line)), "")
    if not command:
        return new_item("action", feedback, "", "assistant", key=f"{STOP_HOOK} {words[:FEEDBACK_KEY_CHARACTERS]}",
                        tool=STOP_HOOK, path="", family="", verdict="ended",
                        result=quote(both_ends_on_a_line(words, RESULT_MAX_UTF16), RESULT_MAX_UTF16))
    text = quote(f"{command}  # by a Stop hook", HIT_MAX_UTF16)
    outcome = outcome_of(command, words, None, None)
    item = new_item("action", feedback, text, "assistant", key=f"{STOP_HOOK} {text}", tool="Bash", path="",
                    family=outcome["family"], verdict=outcome["verdict"],
                    result=quote(outcome["line"], RESULT_MAX_UTF16))
    call: Entry = {"command": text, "input": {}, "output": words}
    said: CallFields = quoted(said_of_checks(outcome), RESULT_MAX_UTF16)
    return {**item, **said, **ends_kept(call, outcome["verdict"], outcome["family"])}


def script_of(call: Entry) -> str:
    """The command; of one with several lines those that do something, of a long one its beginning and its end.

    Four green checks had stood without the `&& rm -f data/app.db` behind them, which was the running server's.
    """
    return without_middle("\n".join(lines_that_do(whole_command(call))), SCRIPT_KEPT_UTF16) or call["command"]


def end_of_command(call: Entry) -> CallFields:
    """How a command ended: the verdict, what its output says of it, and what is certain of check and repository."""
    outcome = outcome_of(whole_command(call), call["output"], not call["ok"], call["exit"])
    certain = certain_fields(outcome)
    verdict, result = outcome["verdict"], call["error"] or (f"exit {call['exit']}" if call["exit"] else "")
    if not call["ok"] and not shows_what_failed(outcome, call["output"]):
        verdict = "failed"
    else:
        result = quote(result_line(call, outcome), ENDED_MAX_UTF16) or result
    ends = ends_kept(call, verdict, outcome["family"])
    is_check = outcome["family"] in CHECK_FAMILIES
    return {**certain, **ends, "verdict": "ended" if verdict == "unknown" and not is_check else verdict,
            "result": result}


def ends_kept(call: Entry, verdict: str, family: str) -> CallFields:
    """How each check of the command ended, where that is to be kept."""
    ends = ends_of_checks(script_of(call), call["output"], verdict, family)
    return {"ends": quoted(ends, ENDED_MAX_UTF16)} if ends else {}


def shows_what_failed(outcome: Outcome, output: str) -> bool:
    """Whether the output of a command that the client says has failed shows in what part; the ledger has no outputs."""
    if outcome["verdict"] == "failed":
        return bool(outcome["family"] and output)
    return outcome["verdict"] != "unknown" or is_output_lost(outcome)


def is_output_lost(outcome: Outcome) -> bool:
    """Whether a check's output went to a program that is not there."""
    return outcome["cause"].startswith(LOST_OUTPUT)


def certain_fields(outcome: Outcome) -> CallFields:
    """What is certain of the command's check, and of what it did to the repository, without what is empty."""
    certain = {name: outcome.get(name) for name in OUTCOME_FIELDS if outcome.get(name)}
    kept: CallFields = quoted(certain, RESULT_MAX_UTF16)
    return kept


def quoted(value: Any, limit: int) -> Any:
    """The value with each text in it quoted, at most so many UTF-16 units of it."""
    if isinstance(value, str):
        return quote(value, limit)
    if isinstance(value, dict):
        return {name: quoted(part, limit) for name, part in value.items()}
    return [quoted(part, limit) for part in value] if isinstance(value, list) else value


def result_line(call: Entry, outcome: Outcome) -> str:
    """What is kept of how the command ended: the outcome's line, or what it printed where that says too little."""
    verdict, line = outcome["verdict"], outcome["line"]
    is_check = outcome["family"] in CHECK_FAMILIES
    is_told = any(outcome.get(name) for name in GIT_FIELDS) or outcome["family"] == AUDIT or is_output_lost(outcome)
    is_told = is_told or line.startswith(BUT_PRINTED)
    if is_told or verdict in ("failed", "stopped") or (is_check and verdict != "unknown"):
        is_announcing = verdict == "failed" and line.rstrip().endswith(":")
        return with_announced(line, call["output"]) if is_announcing else line
    printed = ends_of(call["output"], ENDED_MAX_UTF16) or line
    doubt = what_it_shows(whole_command(call), call["output"]) if call["ok"] else ""
    return f"({doubt}) {printed}".rstrip() if doubt else printed


# ==================================================================================================
# record/calls/refused_calls.py: Calls of the client's tools that were refused each time: no such tool, an argument that does not fit.
# ==================================================================================================

MISFIT = "InputValidationError"
MISFIT_ARGUMENT, MISFIT_MESSAGE = r'"path": \[\s*"(\w{1,60})"', r'"message": "((?:[^"\\]|\\.){1,400})"'


def why_misfit(output: str) -> str:
    """Which argument did not fit and what was expected, of the client's refusal; empty: it is none of that kind."""
    if MISFIT not in output[:60]:
        return ""
    arguments = re.findall(MISFIT_ARGUMENT, output)
    message = re.search(MISFIT_MESSAGE, output)
    if arguments and message:
        words = message[1].replace('\\"', '"')
        return f"{MISFIT}: {arguments[-1]}: {words}"
    rows = [row.strip() for row in re.sub(r"</?tool_use_error>", "", output).splitlines() if row.strip()]
    return f"{MISFIT}: {' '.join(rows[1:])}" if len(rows) > 1 else ""


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


# ==================================================================================================
# record/calls/reports.py: What subagents were ordered and reported, by rows: of an order those that bind, of a report those that tell.
# ==================================================================================================

LOOKED_AT_CHARACTERS, TITLE_MAX_CHARACTERS = 24_000, 200
END_OF_OUTPUT_CHARACTERS = 2_000  # in which the client says more of the subagent
REPORT_ROW_MAX_UTF16, ORDER_ROW_MAX_UTF16, ORDER_ROWS_MAX_UTF16 = 320, 200, 1_400
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
OFFERS = r"(?i)\W{0,9}(?:would you like|do you want|want me to|shall i|should i|let me know)\b"
NAMES_COUNTED_MAX = 4  # of a row
COMMIT_HASH = rf"\b{HASH_FORM}\b"
OPENS_REPORT = (  # what a report begins with before it says something
    r"(?i)(?:(?:perfect|excellent|great|good|done)[!.,]? ?)*(?:now )?(?:i (?:now )?have|here(?:'s| is)|let me|based on"
    r"|i've|all done)\b")
TOOL_CALLS = r"\n<usage>[^<]{0,80}?\btool_uses: (\d{1,6})\b"
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
    for line in lines_outside_fences(redact_across_lines(clean(text))):
        if re.search(r"\w", line):
            yield line.strip()


def report_rows(report: str, most: int) -> list[str]:
    """The rows of a report that tell most, in its order and within so many UTF-16 units, safe to keep.

    A mark, beside these units, where others lie between.
    """
    rows, worths = weighed_rows(report[:LOOKED_AT_CHARACTERS])
    kept, before = list[str](), -1
    for index in indexes_within(rows, worths, most):
        kept += [ROWS_BETWEEN] * (bool(kept) and index > before + 1) + [rows[index]]
        before = index
    return kept or rows[:1]


@lru_cache(maxsize=1)  # a report ends its job and its call, one behind the other
def weighed_rows(report: str) -> tuple[list[str], list[float]]:
    """The rows of a report outside of its code, safe to keep, and how much each tells; nobody may change them.

    Without what it offers to do at its end.
    """
    rows = quote_all([*rows_outside_code(report_of(report))], REPORT_ROW_MAX_UTF16)
    while len(rows) > 1 and re.match(OFFERS, rows[-1]):
        rows.pop()
    return rows, [worth_of(rows, index) for index in range(len(rows))]


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


def agent_to_resume(output: str) -> str:
    """The id of a subagent that the client says can be gone on with; else empty."""
    end = output[-END_OF_OUTPUT_CHARACTERS:]
    match = re.search(AGENT_RESUMED, end) if "agentId: " in end else None
    return match[1] if match else ""


def tool_calls_of(call: Entry) -> int | None:
    """How many calls a subagent made, as the client says it beside the report or at its end; None where it does not."""
    at_end = re.search(TOOL_CALLS, call["output"][-END_OF_OUTPUT_CHARACTERS:])
    return int(at_end[1]) if at_end else call.get("tool_calls")


def order_title(description: str, order: str) -> str:
    """What an order is called: the call's description, else its first words."""
    words = " ".join(order[:TITLE_MAX_CHARACTERS + 1].split())
    return " ".join(description.split()) or (words if len(order) <= TITLE_MAX_CHARACTERS else before_space(words))


# ==================================================================================================
# record/calls/tickets.py: Tickets that were shown: their words are a task's, whether a tracker's tool, `gh` or `bd` printed them.
# ==================================================================================================

TICKET_KEPT_UTF16, TICKET_MIN_CHARACTERS = 4_000, 120
SHOWS_TICKET = (
    r"\b(?:gh|glab) issue view\b|\bgh api \S{0,200}/issues/\d+[\"']?(?:\s|$)|\bbd show\b|\bjira issue view\b"
    r"|\blinear issue view\b")
TOOL_OF_TRACKER = (
    r"(?i)mcp__[\w-]{1,100}_(?:get_?issue|issue_?read|get_?ticket|fetch_?issue|get_?jira_?issue|get_?work_?item)$")
JSON_TEXT = r"\"(?:%s)\"\s{0,9}:\s{0,9}\"((?:[^\"\\]|\\.){1,30000})(?:\"|\Z)"
HEADER_LINE = r"(?m)^title:\s{0,9}(\S.{0,300})$"  # of gh's own form, whose text stands behind `--`
SHOWN_CHARACTERS = 40_000


def ticket_shown(command: str, tool: str, output: str) -> str:
    """Title and text of a ticket that the call showed, safe to keep; empty where it showed none, or little of it."""
    command = command[:2_000]
    may_show = "issue" in command or "bd show" in command  # as each form of SHOWS_TICKET has it
    is_shown = (may_show and re.search(SHOWS_TICKET, command)) or (
        tool[:5].lower() == "mcp__" and re.match(TOOL_OF_TRACKER, tool))
    if not is_shown:
        return ""
    shown = output[:SHOWN_CHARACTERS]
    title, body = json_text("title", shown), json_text("body|description", shown)
    if not body:
        header = re.search(HEADER_LINE, shown)
        title, body = header[1] if header else title, shown.partition("\n--\n")[2] if header else ""
    body = body or (shown if not shown.lstrip().startswith(("{", "[")) else "")
    if len(body) < TICKET_MIN_CHARACTERS:
        return ""
    lines = [line.rstrip() for line in clean(body).splitlines()]
    text = "\n".join([f"# {clean(title).strip()}" if title else "", *lines]).strip()
    return without_middle(redact(text), TICKET_KEPT_UTF16)


def json_text(name: str, text: str) -> str:
    """The text of the first field of this name in JSON, which may be cut; empty where there is none."""
    match = re.search(JSON_TEXT % name, text)
    try:
        return str(json.loads(f'"{match[1]}"', strict=False)) if match else ""
    except ValueError:  # cut within an escape, or no JSON
        return ""


# ==================================================================================================
# record/outputs/printed_rows.py: Of what a call printed some rows that its result does not have: what is needed later is known later alone.
# ==================================================================================================

ROWS_KEPT, ROW_MAX_UTF16 = 6, 200
TABLE_ROWS_KEPT = 3  # the first of a table: three of its middle had looked as if nothing came before them
OTHERS_FRAMES = (  # and the first row of a trace
    r"Traceback \(most recent call last\)|File \".{0,300}/(?:lib/python3?[\d.]*|site-packages|dist-packages)/"
    r"|File \"<frozen "
    r"|at .{0,300}(?:node_modules/|\(?node:internal/)")
SOURCE_FRAME = "File "  # behind such a row stands the line of code
FRAME_BEGINS = ("Traceback ", SOURCE_FRAME, "at ")
SECTION_ROW = r"={2,} ?[^\s=].*={2,}$|==> .+ <==$|-{3,} ?[^\s-].*-{3,}$"
FIRST_ROWS, LAST_ROWS = 100, 200  # of an output, that are looked at
ROW_MIN_CHARACTERS, LETTERS_SHARE = 8, 0.4
# Of the logarithms of a row's words, its length, the rows before it and behind it.
WORDS_WEIGHT, LENGTH_WEIGHT, BEFORE_WEIGHT, BEHIND_WEIGHT = 1.5, -0.5, -0.3, -0.27


def with_printed_rows(item: Item, call: Entry) -> Item:
    """The item with rows that its call printed beside its result, where there are such."""
    if call["ok"] is None:
        return item
    rows = rows_beside(call["output"], item.get("result", ""))
    kept = [row for row in quote_all(rows, ROW_MAX_UTF16) if row]  # of control characters alone nothing is left
    return {**item, "rows": kept} if kept else item


def rows_beside(output: str, result: str) -> list[str]:
    """ROWS_KEPT rows of an output that the result does not have, in their order; not redacted yet.

    None of an output in sections of which the result has some: they would read as if of the section that it shows last.
    """
    printed = plain_rows(ends_of_rows(output.splitlines()))
    most = ROW_LOOKED_AT_CHARACTERS
    rows = [" ".join((row if len(row) <= most else whole_words(row, most)).split()) for row in printed]
    sections = [row for row in rows if row.startswith(("==", "---")) and re.match(SECTION_ROW, row)]
    if len(sections) > 1 and any(row in result for row in sections):
        return []
    indexes = {row: index for index, row in enumerate(rows) if len(row) >= ROW_MIN_CHARACTERS}  # each once
    overtaken = (later_in_tables(rows) if "--" in output else set[int]()) | indexes_of_earlier_hours(rows)
    telling = [index for row, index in indexes.items() if index not in overtaken and row not in result
               and says_something(row)
               and not (index and is_frame_of_others(rows[index - 1], SOURCE_FRAME))]
    chosen = sorted(telling, key=lambda index: -worth_of_printed(rows, index))[:ROWS_KEPT]
    return [whole_words(rows[index], ROW_MAX_UTF16) for index in sorted(chosen)]


def later_in_tables(rows: Sequence[str]) -> set[int]:
    """The indexes of the rows of tables but for the first TABLE_ROWS_KEPT of each."""
    later, in_table = set[int](), 0  # which row of a table comes next; 0: none
    for index, row in enumerate(rows):
        if "--" in row and is_ruler(row):  # by far the most rows are none
            in_table = 1
        elif in_table and BETWEEN_CELLS in row:
            later |= {index} if in_table > TABLE_ROWS_KEPT else set()
            in_table += 1
        else:
            in_table = 0
    return later


def ends_of_rows(rows: Sequence[str]) -> Sequence[str]:
    """The rows; of very many the first and the last ones."""
    return rows if len(rows) <= FIRST_ROWS + LAST_ROWS else [*rows[:FIRST_ROWS], *rows[-LAST_ROWS:]]


def says_something(row: str) -> bool:
    """Whether a row is none that was printed on the way, and has words: none of a drawing, nor of a file of bytes."""
    letters = sum(map(str.isalnum, row))
    has_words = letters >= LETTERS_SHARE * len(row.replace(" ", "")) and "\ufffd" not in row
    is_clients = row.startswith((*CHATTER, "Exit code ", "Command timed out after ")) or name_in_background(row) != ""
    is_on_the_way = is_clients or is_dull(row) or is_progress(row)
    return has_words and not is_on_the_way and not is_frame_of_others(row)


def is_frame_of_others(row: str, begins: str | tuple[str, ...] = FRAME_BEGINS) -> bool:
    """Whether a row is of a failure's trace, and in code that is not the project's; it begins with one of `begins`."""
    return row.startswith(begins) and re.match(OTHERS_FRAMES, row) is not None


def worth_of_printed(rows: Sequence[str], index: int) -> float:
    """How much the row at this index may tell, by its form."""
    row = rows[index]
    return (WORDS_WEIGHT * log1p(len({*row.split()})) + LENGTH_WEIGHT * log1p(len(row))
            + BEFORE_WEIGHT * log1p(index) + BEHIND_WEIGHT * log1p(len(rows) - 1 - index))


# ==================================================================================================
# record/calls/actions.py: What was done and looked at: a tool call as an action or a look, with how it ended.
# ==================================================================================================

# Tools whose calls give tasks, dialogs and jobs, or say nothing of the work.
READ_ELSEWHERE = (*TASK_TOOLS, *DIALOG_TOOLS, *OUTPUT_TOOLS, *STOP_TOOLS, "ToolSearch")
TITLE_MAX_UTF16 = 200
SUBAGENT_TYPE_MAX_UTF16 = 60
REPORT_MAX_UTF16 = 2_400
ARGUMENTS_MAX_UTF16 = 320
ANSWER_MAX_UTF16 = 240
MADE_MAX_UTF16 = 400
ROWS_LOOKED_AT_CHARACTERS = 4_000
NUMBERED_ROW = r"(?m)^ {0,9}(\d{1,7})[→\t]"  # of a file that is read
EDIT_KEY_CHARACTERS = 120  # of a change
ORDER_KEY_CHARACTERS = 200
ARGUMENTS_KEY_CHARACTERS = 200
ARGUMENTS_SHARED_MAX = 8  # of more than these each would have a word
NOTHING_MET = r"\s*No (?:matches|files) found"


def items_of_call(call: Entry, root: str) -> Iterator[Item]:
    """The action or look that a call is, with whose it is; none where its tool is read by another module.

    None where it was rejected: it was not done; none where it only printed the agent's own words. `root` is the
    session's first folder, with a slash: one file named in two ways is one.
    """
    for item in items_by_tool(call, root):
        if item["kind"] == "look" and call["ok"] is None:
            item["verdict"] = "running"
        yield {**item, "by_agent": call["by_agent"]} if call.get("by_agent") else item


def items_by_tool(call: Entry, root: str) -> Iterator[Item]:
    """The action or look that a call is, by its tool; not yet whose it is."""
    tool = call["tool"]
    if call["rejected"]:
        return
    if tool in READ_ELSEWHERE:
        yield from refusal_items(call)
        return
    if tool in SHELL_TOOLS:
        if not prints_own_words(whole_command(call)):
            yield with_ticket(with_printed_rows(command_item(call, root), call), call)
    elif tool in CHANGING_TOOLS:
        yield edit_item(call, root)
    elif tool in LOOKING_TOOLS:
        yield look_item(call, root)
    elif tool in SUBAGENT_TOOLS:
        yield order_item(call)
    else:
        yield with_ticket(with_printed_rows(other_item(call), call) if call["ok"] else other_item(call), call)


def refusal_items(call: Entry) -> Iterator[Item]:
    """The refusal of a call whose arguments did not fit, of a tool that is read elsewhere; gone once one worked."""
    why = "" if call["ok"] else why_misfit(call["output"])
    if why or call["ok"]:
        text = arguments_in_short(call["input"])
        item = action(call, text, "refused", verdict=VERDICT_BY_OK[call["ok"]], result=quote(why, RESULT_MAX_UTF16))
        yield {**item, "status": "gone"} if call["ok"] else item


def with_ticket(item: Item, call: Entry) -> Item:
    """The item; of a call that showed a ticket with the ticket's words, its title in place of the output's begin."""
    ticket = ticket_shown(call["command"], call["tool"], call["output"]) if call["ok"] else ""
    if not ticket:
        return item
    title = ticket.partition("\n")[0].lstrip("# ")
    return {**item, "ticket": ticket, "result": quote(title, RESULT_MAX_UTF16), "evidence": [], "rows": []}


def edit_item(call: Entry, root: str) -> Item:
    """A change of a file, with the lines that differ; each other change of a file is an item of its own."""
    path = from_root(call["path"], root)
    change = text_of(call, "change")
    verdict = VERDICT_BY_OK[call["ok"]]
    key = f"{path}: failed" if verdict == "failed" else f"{path}: {change[:EDIT_KEY_CHARACTERS]}"
    return action(call, path, key, verdict=verdict, result=call["error"], change=change, edits=int(bool(call["ok"])))


def look_item(call: Entry, root: str) -> Item:
    """A file or folder that was read, or a search with what it found."""
    path = from_root(call["path"], root)
    if call["tool"] in SEARCH_TOOLS:
        return search_item(call, "" if f"{path}/" == root else path, root)
    return read_item(call, path)


def read_item(call: Entry, path: str) -> Item:
    """A file or folder that was read, as `rows_read` with its rows where the call chose some.

    A file that was too large to be shown stays an item of its own: its parts are read next.
    """
    key = f"{call['tool']} {path}{': too large' if call['error'] and re.match(TOO_LARGE, call['error']) else ''}"
    look = new_item("look", call, path, "assistant", key=key, tool=call["tool"], path=path, result=call["error"])
    rows = rows_read(call)
    if rows:
        look["rows_read"] = [rows]
    return look


def search_item(call: Entry, path: str, root: str) -> Item:
    """A search in a path, with its hits, and as `files_searched` with the files that it was for."""
    pattern = quote(text_of(call, "pattern") if call["ok"] else call["body"], HIT_MAX_UTF16)
    files = quote(text_of(call["input"], "glob") or text_of(call["input"], "type"), HIT_MAX_UTF16)
    met = hits_met(call["output"], path) if call["ok"] else []
    hits = kept_hits(chosen_hits(met), root)
    result = "" if call["ok"] is None else call["error"] or search_result(call, met, hits[:1])
    look = new_item("look", call, pattern, "assistant", key=f"{call['tool']} {pattern} {path} {files}".rstrip(),
                    tool=call["tool"], path=path, result=quote(result, LOOK_RESULT_MAX_UTF16))
    if hits:
        look["hits"] = hits
    if files:
        look["files_searched"] = files
    return look


def rows_read(call: Entry) -> str:
    """Which lines of a file were read (`1–300`), by the numbers before them, where the call chose some; else empty."""
    if not call["input"] or not call["ok"]:
        return ""
    first = re.search(NUMBERED_ROW, call["output"][:ROWS_LOOKED_AT_CHARACTERS])
    last = re.findall(NUMBERED_ROW, call["output"][-ROWS_LOOKED_AT_CHARACTERS:])[-1:]  # the client may add words below
    return f"{first[1]}–{last[0]}" if first and last else ""


def search_result(call: Entry, met: Sequence[tuple[str, str]], first: Sequence[str]) -> str:
    """What a search met, in a few words; that there was nothing only where the tool says so. `first`: its first hit."""
    output = call["output"]
    if re.match(NOTHING_MET, output) or not output.strip():
        return NO_MATCHES
    if first:
        number = how_many_hits(output, met, call.get("is_output_cut", False))
        return first[0] if number.startswith("1 ") else number
    if not without_rows_around(output.splitlines()):
        return "at least 1 hit"
    return ends_of(output, LOOK_RESULT_MAX_UTF16, is_listing=True)


def order_item(call: Entry) -> Item:
    """What a subagent was ordered, by the call's description and the order's rows, and the rows of its report."""
    order = text_of(call["input"], "prompt")
    title = quote(order_title(text_of(call["input"], "description"), order), TITLE_MAX_UTF16)
    fields: CallFields = {"ordered": order_rows(order), "agent": agent_to_resume(call["output"])}
    key = " ".join(f"{title} {order[:ORDER_KEY_CHARACTERS]}".split())  # orders of one pattern begin alike
    if subagent_type := quote(text_of(call["input"], "subagent_type"), SUBAGENT_TYPE_MAX_UTF16):
        fields["subagent_type"] = subagent_type
    if call["ok"] is None or is_put_in_background(call["output"]):
        return {**action(call, title, key, verdict="running", result=""), **fields}
    tool_calls = tool_calls_of(call)
    if tool_calls is not None:
        fields["tool_calls"] = tool_calls
    result = call["error"] or "\n".join(report_rows(call["output"], REPORT_MAX_UTF16))
    if len(call["output"]) > len(result) + MORE_CHARACTERS:
        fields["more"] = len(call["output"])
    return {**action(call, title, key, verdict=VERDICT_BY_OK[call["ok"]], result=result), **fields}


def other_item(call: Entry) -> Item:
    """A call of any other tool, with its arguments in short."""
    text = arguments_in_short(call["input"])
    why = "" if call["ok"] else quote(why_misfit(call["output"]), RESULT_MAX_UTF16)
    result = why or call["error"] or quote(ends_of(call["output"], ANSWER_MAX_UTF16), ANSWER_MAX_UTF16)
    item = action(call, text, text[:ARGUMENTS_KEY_CHARACTERS], verdict=VERDICT_BY_OK[call["ok"]], result=result)
    made = made_outside(call["tool"], call["input"], call["output"]) if call["ok"] else ""
    if made:
        item["made"] = quote(made, MADE_MAX_UTF16)
    return item


def arguments_in_short(arguments: JsonObject) -> str:
    """A call's arguments as `name: value`, without those that are empty; of long ones each has its share of the room.

    Of "logs" and "rule" the first alone had stood there, and what the logs were tested against had not.
    """
    named = [f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
             for name, value in arguments.items() if value not in ("", None, [], {})]
    if len(named) > ARGUMENTS_SHARED_MAX:
        return quote(", ".join(named), ARGUMENTS_MAX_UTF16)
    room, most = ARGUMENTS_MAX_UTF16 - len(", ") * len(named), 0
    for count, size in enumerate(sorted(map(units, named))):  # what the shorter ones leave the longer ones have
        most = max(most, room // (len(named) - count))
        room -= min(size, most)
    return ", ".join(quote(argument, most) for argument in named)


# ==================================================================================================
# record/calls/jobs.py: Jobs: what runs on while the agent works, until a tool, a notice or a command tells of its end.
# ==================================================================================================

JOB_ORDER_MAX_UTF16, OUTPUT_FILE_MAX_UTF16, JOB_RESULT_MAX_UTF16, ALSO_MAX_UTF16 = 500, 300, 400, 100
JOB_REPORT_MAX_UTF16 = 2_000  # of a subagent: what it found is told nowhere else
ID_ARGUMENTS = ("task_id", "bash_id", "shell_id", "agentId", "agent_id")
JOB_EXIT_CODE = r"exit (?:code:? )?(-?\d{1,5})\b"  # in the client's words on the end of a job
JOB_HEAD_CHARACTERS = 4_000  # of a result, in which the client says what it is
STARTED_IN_BACKGROUND = r"[^\n:]{0,200}\bbackground(?:ed)?\b[^\n:]{0,60} with ID: (?P<job>[\w-]{1,64})"
LAUNCHED = (  # as the client says it; as the ledger has it, before the transcript tells
    r"(?:[^\n]{0,200}\blaunched\b.{0,400}?agentId:|in background with ID:) (?P<job>[\w-]{1,64})")
WATCH_STARTED = r"Monitor started \(task (?P<job>[\w-]{1,64})(?:, timeout (?P<ms>\d{1,10})ms)?"
OUTPUT_FILE = r"(?:written to|output_?[fF]ile): (\S{1,500}?)\.?(?:\s|\Z)"
LINES_LEFT_OUT = r"\W{0,8}\d{1,9} (?:lines|characters|chars) (?:truncated|omitted)\b"
GONE = r"(?i)\bno (?:task|shell|background \w{1,20}) found|\bnot (?:running|found)\b|\balready (?:completed|ended)"
SAID_TO_RUN_MAX = 3
SAID_TO_RUN = r"^> ([^\n]{3,200})$"  # how package managers say what a script runs
PIDS_STARTED = r"^\[\d{1,3}\] (\d{2,7})$|\bPID:? {0,2}=?(\d{2,7})\b"
PORT_LISTED = r"\blsof [^\n|;&]{0,60}?:(\d{2,5})\b"
LISTS_PROCESSES = r"\b(?:ps|pgrep)\b"
PID_LISTED = r"(?:[\w.+-]{1,40}\s{1,20})?(\d{2,7})(?:\s|$)"  # behind the program's name, as lsof and ps have it
PIDS_MAX = 8  # of a job, the newest: its own, its children's, who else is at its port
STAMP = r"<timestamp>[^<]{0,60}</timestamp>"  # below what a job printed, the client's own
SHOWING_PROGRAMS = ("cat", "tail")  # of a file all, or its end
STOPPED_BY_SIGNAL = ("name", "pid", "started")
JOB_TIMED_OUT = r"(?:Exit code \d{1,3}\n)?\s{0,9}Command timed out"


class Jobs:
    """The jobs that run, as far as the session tells."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        jobs = [item for item in known if item["kind"] == "job" and item["status"] == "open"]
        self.open: dict[str, Item] = {job["key"]: {"tool": "", "path": "", "port": "", **job} for job in jobs}
        self.ended: dict[str, tuple[Entry, str, int | None]] = {}  # a notice may stand before the result of its start

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The jobs that an entry starts, tells of, or ends."""
        if entry["what"] == "ended":
            words = text_of(entry, "text") or text_of(entry, "status")
            codes = re.findall(JOB_EXIT_CODE, words)
            yield from self.end(entry, entry["key"], words, int(codes[-1]) if codes else None)
        elif entry["what"] == "typed" and entry["via"] != "queue" and entry["source"] != "ledger":
            for key in [key for key, job in self.open.items() if job["source"] == key]:  # the agent did not wait on
                yield from self.end(entry, key, "interrupted")
        elif entry["what"] == "call":
            yield from self.call_items(entry)

    def call_items(self, call: Entry) -> Iterator[Item]:
        """What a call starts, tells of or stops."""
        tool = call["tool"]
        if tool in SUBAGENT_TOOLS:
            yield from self.subagent(call)
        elif call["ok"] is None or call["rejected"]:
            return
        elif tool in SHELL_TOOLS:
            yield from self.shell(call)
        elif tool in WATCHING_TOOLS and call["ok"]:
            yield from self.watched(call)
        elif tool in OUTPUT_TOOLS:
            yield from self.output(call)
        elif tool in STOP_TOOLS and (call["ok"] or re.search(GONE, call["error"])):
            yield from self.stopped_by_tool(call)
        elif tool == "Read" and call["ok"] and self.writing_to(call["path"]):
            yield from self.looked_at(call, call["path"], without_row_numbers(call["body"][-2_000:]))

    def stopped_by_tool(self, call: Entry) -> Iterator[Item]:
        """The end of the job that a tool stopped, and of what its line had put behind it with `&`: one process tree."""
        key = id_of(call)
        source = self.open.get(key, {}).get("source")
        yield from self.end(call, key, "stopped" if call["ok"] else "it was not running any more")
        for other in [*self.open.values()] if call["ok"] and source else ():
            if other["source"] == source and other.get("by") == "&":
                yield from self.end(call, other["key"], "stopped")

    def start(self, job: Item) -> Iterator[Item]:
        """A job that runs now; one whose end was told already, and that end."""
        self.open[job["key"]] = job
        yield job
        if job["key"] in self.ended:
            at, result, exit_code = self.ended[job["key"]]
            yield from self.end(at, job["key"], result, exit_code)

    def end(self, entry: Entry, key: str, result: str, exit_code: int | None = None,
            is_signalled: bool = False) -> Iterator[Item]:
        """The end of a job, however often it is told."""
        self.ended[key] = (entry, result, exit_code)
        if job := self.open.pop(key, {}):
            is_report = job["tool"] in SUBAGENT_TOOLS
            words = "\n".join(report_rows(result, JOB_REPORT_MAX_UTF16)) if is_report else (
                quote(result, JOB_RESULT_MAX_UTF16))
            fields: JobFields = {}
            if exit_code is not None:
                fields["exit_code"] = exit_code
            if is_signalled:
                fields["is_signalled"] = True
            yield {**job, "status": "ended", "last": entry["time"], "result": words, **fields}

    def job(self, call: Entry, key: str, text: str, **fields: Unpack[JobFields]) -> Item:
        """A job that the call started."""
        words = quote(text, JOB_ORDER_MAX_UTF16)
        return {**new_item("job", call, words, "assistant", key=key, tool=call["tool"], path="", port="", environ="",
                           result=""), **fields}

    # --- the client's own jobs ---

    def subagent(self, call: Entry) -> Iterator[Item]:
        """A subagent: it runs until its call has a result, or its notice comes where it was launched apart."""
        names = filter(None, (text_of(call["input"], "description"), text_of(call["input"], "prompt")))
        job = self.job(call, call["id"], ": ".join(names))
        launched = re.match(LAUNCHED, call["output"][:JOB_HEAD_CHARACTERS], re.DOTALL) if call["ok"] else None
        if launched:
            if waiting := self.open.pop(call["id"], {}):  # it has an id of its own now
                yield {**waiting, "status": "gone"}
            yield from self.start({**job, "key": launched["job"], "path": output_file(call["output"])})
        elif call["ok"] is None and not call["rejected"]:
            self.ended.pop(call["id"], None)
            yield from self.start(job)
        else:
            self.open.setdefault(call["id"], job)
            result = call["output"] if call["ok"] else "rejected" if call["rejected"] else call["error"]
            yield from self.end(call, call["id"], result)

    def shell(self, call: Entry) -> Iterator[Item]:
        """A shell that runs in the background, what its line leaves behind and what it stops."""
        script = whole_command(call)
        head = call["output"][:JOB_HEAD_CHARACTERS]
        if "background" in head and (started := re.match(STARTED_IN_BACKGROUND, head)):
            text = ROW_END.join(map(str.strip, lines_that_do(script)))
            yield from self.start(self.job(call, started["job"], text, environ=environ_of(script),
                                           port=port_of(script), path=output_file(head)))
        else:
            shown = file_shown(script) if self.open and call["ok"] else ""
            yield from self.looked_at(call, shown, call["output"][-2_000:])
        yield from self.steps(call, script)
        yield from self.with_pids(call)

    def watched(self, call: Entry) -> Iterator[Item]:
        """A command whose rows the client hands to the agent as they come, for so long at most."""
        started = re.match(WATCH_STARTED, call["output"])
        if started:
            text = ROW_END.join(map(str.strip, lines_that_do(text_of(call["input"], "command"))))
            most: JobFields = {"seconds_most": int(started["ms"]) // 1_000} if started["ms"] else {}
            yield from self.start(self.job(call, started["job"], text, **most))

    def output(self, call: Entry) -> Iterator[Item]:
        """What a tool tells of a job's output: its end, or its newest line."""
        key, head = id_of(call), call["output"][:JOB_HEAD_CHARACTERS]
        status, code = re.search(r"<status>(\w{1,20})</status>", head), re.search(r"<exit_code>(-?\d{1,5})<", head)
        if not call["ok"]:
            if re.search(GONE, call["error"]):
                yield from self.end(call, key, "the client knows it no more")
            return
        printed = printed_by_job(call["output"])
        line = newest_line([printed])
        words = f"exit {code[1]}" if code else status[1] if status else ""
        if status and status[1] in JOB_END_STATES:
            if code and int(code[1]):  # behind the error that ended it Node says its version
                line = quote(error_with_stack(printed.splitlines()), JOB_RESULT_MAX_UTF16) or line
            yield from self.end(call, key, f"{words}: {line}" if line else words,
                                int(code[1]) if code else None)
        elif key in self.open and line:
            yield self.with_news(call, self.open[key], line)

    def looked_at(self, call: Entry, path: str, text: str) -> Iterator[Item]:
        """The newest line of the jobs that write to this file."""
        jobs = self.writing_to(path)
        line = newest_line([text]) if jobs else ""
        for job in jobs if line else ():
            yield self.with_news(call, job, line)

    def writing_to(self, path: str) -> list[Item]:
        """The jobs that write to this file; on Windows the client says it with other slashes than the agent."""
        return [job for job in self.open.values() if path and slashed(job["path"]) == slashed(path)]

    def with_news(self, call: Entry, job: Item, line: str) -> Item:
        """The job with the newest that is known of it."""
        self.open[job["key"]] = {**job, "result": quote(line, JOB_RESULT_MAX_UTF16), "last": call["time"], "uses": 0,
                                 "position": call["position"], "port": port_seen("", line) or job["port"]}
        return self.open[job["key"]]

    # --- what commands leave behind and stop ---

    def steps(self, call: Entry, script: str) -> Iterator[Item]:
        """What the line leaves behind, and the jobs that it stops, in its order."""
        steps = steps_of(script)
        if not steps:
            return
        of_line: list[str] = []  # keys of what this line started
        is_alone = sum(isinstance(step, Detached) for step in steps) == 1
        failed = bool(re.search(PORT_TAKEN, call["output"])) or bool(re.match(JOB_TIMED_OUT, call["output"]))
        failed = failed or (is_alone and prints_alone(script) and bool(re.match(DIED, newest_line([call["output"]]))))
        for step in steps:
            if isinstance(step, Stop):
                yield from self.stopped(call, step, of_line)
            elif not failed and (call["ok"] or step.by == "&"):
                job = self.left_behind(call, step, script if is_alone else "")
                yield from self.end_of_others_on_port(call, job)
                of_line.append(step.key)
                self.ended.pop(step.key, None)
                yield from self.start(job)

    def left_behind(self, call: Entry, step: Detached, script: str) -> Item:
        """The job that a line left behind; `script` is the line where it left nothing else: its output is the job's."""
        said = re.findall(SAID_TO_RUN, call["output"][:JOB_HEAD_CHARACTERS], re.MULTILINE) if script else []
        port = port_of(step.text)
        if script and not port:
            port = port_seen(script, call["output"])
        return self.job(call, step.key, step.text, environ=environ_of(step.text), port=port,
                        path=quote(step.log, OUTPUT_FILE_MAX_UTF16), by=step.by, pid="",
                        also="\n".join(quote(line, ALSO_MAX_UTF16) for line in said[:SAID_TO_RUN_MAX]))

    def end_of_others_on_port(self, call: Entry, job: Item) -> Iterator[Item]:
        """The ends of what a command had left behind on the port that the job takes now."""
        for other in [*self.open.values()]:
            is_on_port = bool(job["port"]) and other["port"] == job["port"]
            if is_on_port and other.get("by") and other["key"] != job["key"]:
                yield from self.end(call, other["key"], "another one took its port")

    def stopped(self, call: Entry, stop: Stop, of_line: Sequence[str]) -> Iterator[Item]:
        """The jobs that a command stops; a process id that was never seen may be anyone's."""
        if stop.by == "started":
            keys = list(of_line)
        elif stop.by == "port":
            keys = [key for key, job in self.open.items() if job["port"] == stop.what]
        elif stop.by == "pid":
            keys = [key for key, job in self.open.items() if stop.what in job.get("pid", "").split()]
        else:
            keys = [key for key, job in self.open.items()
                    if job["tool"] in (*SHELL_TOOLS, *WATCHING_TOOLS) and is_stopped(
                        stop, job["text"], job.get("also", ""), job.get("by", ""))]
        for key in keys:
            how = stop.command or f"port {stop.what} was freed"
            if stop.by in STOPPED_BY_SIGNAL:  # three servers that had been killed met one that still had their port
                yield from self.end(call, key, f"kill sent, its end was not seen: {how}", is_signalled=True)
            else:
                yield from self.end(call, key, f"stopped: {how}")

    def with_pids(self, call: Entry) -> Iterator[Item]:
        """The jobs of which a start, a listing of ports or of processes printed process ids, with these.

        They are kept with the job: the command that kills one may come after the next save.
        """
        for key, pids in self.pids_printed(call).items():
            job = self.open[key]
            known = job.get("pid", "").split()
            if not {*pids} <= {*known}:
                self.open[key] = {**job, "uses": 0, "pid": " ".join([*dict.fromkeys([*known, *pids])][-PIDS_MAX:])}
                yield self.open[key]

    def pids_printed(self, call: Entry) -> dict[str, list[str]]:
        """The process ids that the call printed, by the key of the job that each is of."""
        head, command = call["output"][:JOB_HEAD_CHARACTERS], call["command"]
        pids: dict[str, list[str]] = {}
        in_background = [job for job in self.open.values() if job.get("by") == "&"]
        started = [job for job in in_background if job["source"] == call["source"]]
        if started:
            for job, match in zip(started, re.finditer(PIDS_STARTED, head, re.MULTILINE)):
                pids[job["key"]] = [match[1] or match[2]]
        port = re.search(PORT_LISTED, command) if "lsof " in command else None
        if not port and not re.search(LISTS_PROCESSES, command):
            return pids
        on_port = [job for job in self.open.values() if port and job["port"] == port[1]]
        for line in head.splitlines():
            if listed := re.match(PID_LISTED, line):
                jobs = {job["key"] for job in (*on_port, *(job for job in in_background if job["text"] in line))}
                for key in jobs:
                    pids.setdefault(key, []).append(listed[1])
        return pids


def file_shown(command: str) -> str:
    """The file of which a command prints the end and nothing else; empty: it prints none, or more.

    The status that a `curl` behind a server's log printed had stood as what the server showed last.
    """
    files = list[str]()
    for piece, sign in pieces_of(command):
        program, *words = shell_words(piece)
        if program in SHOWING_PROGRAMS and sign in ("", "|"):
            files += [word for word in words if re.search(r"[/\\.]", word) and not re.match(r"-|\d?>", word)]
        elif program not in ("cd", *WAITING):
            return ""
    return files[0].strip("\"'") if len(files) == 1 else ""


def slashed(path: str) -> str:
    """A path, or a command with paths, with the slashes that Windows takes as well."""
    return path.replace("\\", "/")


def id_of(call: Entry) -> str:
    """The job that a tool was asked about."""
    return first_text(call["input"], ID_ARGUMENTS)


def output_file(output: str) -> str:
    """The file that the client says it writes a job's output to."""
    match = re.search(OUTPUT_FILE, output[:JOB_HEAD_CHARACTERS])
    return quote(match[1], OUTPUT_FILE_MAX_UTF16) if match else ""


def printed_by_job(output: str) -> str:
    """What the job printed last, in an output of the tools for jobs; empty where it printed nothing."""
    return "\n".join(re.split(r"</?(?:output|stdout|stderr)>", re.sub(STAMP, "", output))[1:]).strip()


def newest_line(texts: Sequence[str]) -> str:
    """The last line of these that says anything: a word or a number, and not how much the client left out."""
    lines = [line.strip() for text in texts for line in text.splitlines()
             if re.search(r"\w", line) and not re.match(LINES_LEFT_OUT, line)]
    return quote(lines[-1], JOB_RESULT_MAX_UTF16) if lines else ""


# ==================================================================================================
# record/calls/background_ends.py: How a command ended that ran in the background, by its output as the agent read it behind the end.
# ==================================================================================================

OUTPUT_ENDING = ".output"  # of the file that the client writes a job's output to


class BackgroundEnds:
    """Commands that the client runs in the background, and the jobs that they are, as far as both are known."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.jobs: dict[str, Item] = {}  # of shells, by the client's id
        self.calls: set[str] = set()  # that started one of them
        self.commands: dict[str, Item] = {}  # by their call
        self.note(known)

    def ended_by(self, entry: Entry, items: Sequence[Item]) -> list[Item]:
        """The commands whose output the entry shows, as they ended; `items` are what the entry gave besides."""
        self.note(items)
        if entry["what"] != "call" or not entry["ok"] or not may_show_output(entry):
            return []
        ended = [with_end(command, job, entry, output) for job, command in self.open_ends()
                 if (output := output_shown(entry, job["key"]))]
        self.note(ended)
        return ended

    def note(self, items: Sequence[Item]) -> None:
        """Takes in new items, as they are now."""
        for item in items:
            if item["kind"] == "job" and item["tool"] in SHELL_TOOLS and not item.get("by"):
                self.jobs[item["key"]] = item
                self.calls.add(item["source"])
        self.commands.update({item["source"]: item for item in items
                              if item["kind"] == "action" and item["source"] in self.calls})

    def open_ends(self) -> Iterator[tuple[Item, Item]]:
        """The jobs that came to an end of their own, each with its command, of which it is not known how it ended."""
        for job in self.jobs.values():
            command = self.commands.get(job["source"]) if job["status"] == "ended" else None
            is_own_end = job.get("exit_code") not in (None, *STOP_SIGNALS)
            if command and command["verdict"] not in KNOWN_VERDICTS and is_own_end:
                yield job, command


def may_show_output(call: Entry) -> bool:
    """Whether the call may show what a job printed: most do not, and each job is looked at for those that may."""
    return call["tool"] in OUTPUT_TOOLS or OUTPUT_ENDING in call["path"] or OUTPUT_ENDING in call["command"]


def output_shown(call: Entry, key: str) -> str:
    """What the call shows of the job's output up to its end; empty where it shows none of it, or other things too."""
    if call["tool"] in OUTPUT_TOOLS:
        return printed_by_job(call["output"]) if id_of(call) == key else ""
    if call["tool"] == "Read":
        is_whole = call["path"].endswith(f"/{key}{OUTPUT_ENDING}") and "limit" not in call["input"]
        return without_row_numbers(call["body"].partition(CLIENTS_OWN)[0]) if is_whole else ""
    return call["output"] if call["tool"] in SHELL_TOOLS and shows_end_of(call["command"], key) else ""


def shows_end_of(command: str, key: str) -> bool:
    """Whether a command prints the end of this job's output and nothing else."""
    name = f"{key}{OUTPUT_ENDING}"
    return name in command and re.split(r"[/\\]", file_shown(command))[-1] == name


def with_end(command: Item, job: Item, shown: Entry, output: str) -> Item:
    """The command with its end by what it printed; an exit code is the client's, as the job's end has it."""
    code = job["exit_code"]
    call: Entry = {**shown, "command": command["text"], "input": {}, "output": output, "ok": code == 0, "exit": code,
                   "error": job["result"] if code else ""}
    return {**command, **end_of_command(call)}


# ==================================================================================================
# record/calls/numbered_tasks.py: Tasks with numbers, of the client's own list.
# ==================================================================================================

TASK_SUBJECT_MAX_UTF16, DETAIL_MAX_UTF16, OWNER_MAX_UTF16 = 300, 600, 60
TASKS_MAX = 200  # of a listing
STATUSES = ("pending", "in_progress", "completed")
LISTED_TASK = (
    r"^#(?P<number>\d{1,6}) \[(?P<status>\w{1,20})\] (?P<subject>\S.{0,1000}?)"
    r"(?: \[blocked by (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50})\])?$")
SHOWN_TASK = (
    r"Task #(?P<number>\d{1,6}): (?P<subject>\S.{0,1000})\nStatus: (?P<status>\w{1,20})\n"
    r"Description: (?P<detail>.{0,5000}?)(?:\nBlocked by: (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50}))?"
    r"(?:\nBlocks: #[#\d, ]{1,500})?\s{0,9}$")


class NumberedTasks:
    """The tasks as they stand; each call gives those that it adds or changes, whole."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.numbered = {item["key"]: item for item in known if item["kind"] == "task" and item.get("list") == "task"}

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The tasks that a call adds, changes, or ends with the status `gone`.

        One that failed, was rejected or waits for its result changes nothing.
        """
        if entry["what"] != "call" or not entry["ok"]:
            return
        if entry["tool"] == "TaskCreate":
            yield from self.created(entry)
        elif entry["tool"] == "TaskUpdate" and entry["output"].startswith("Updated task #"):
            yield from self.updated(entry)
        elif entry["tool"] == "TaskList":
            yield from self.listed(entry)
        elif entry["tool"] == "TaskGet":
            yield from self.shown(entry)

    def created(self, call: Entry) -> Iterator[Item]:
        """A new task; one of the same number is of a list that is no more."""
        number = re.match(r"Task #(\d{1,6}) created", call["output"])
        subject = text_of(call["input"], "subject") or text_of(call["input"], "activeForm")
        if number and subject:
            detail = quote(text_of(call["input"], "description"), DETAIL_MAX_UTF16)
            if old := self.numbered.pop(f"#{number[1]}", None):
                yield {**old, "status": "gone"}
            yield from self.task(call, number[1], text=quote(subject, TASK_SUBJECT_MAX_UTF16), detail=detail,
                                 status="pending")

    def updated(self, call: Entry) -> Iterator[Item]:
        """A task changed in some of its fields."""
        changes, number = call["input"], str(call["input"].get("taskId", "")).lstrip("#")
        if not re.match(r"\d{1,6}$", number):
            return
        fields = {"text": quote(text_of(changes, "subject"), TASK_SUBJECT_MAX_UTF16),
                  "detail": quote(text_of(changes, "description"), DETAIL_MAX_UTF16),
                  "owner": quote(text_of(changes, "owner"), OWNER_MAX_UTF16)}
        status = text_of(changes, "status")
        if status == "deleted":
            status = "gone"
        if status in (*STATUSES, "gone"):
            fields["status"] = status
        before = self.numbered.get(f"#{number}", {}).get("after", "").split()
        if added := [f"#{task}" for task in as_list(changes.get("addBlockedBy")) if str(task).isdecimal()]:
            fields["after"] = " ".join(dict.fromkeys([*before, *added]))
        yield from self.task(call, number, **{name: value for name, value in fields.items() if value})

    def listed(self, call: Entry) -> Iterator[Item]:
        """All tasks as TaskList prints them; those that it does not print are deleted."""
        lines = call["output"].strip().splitlines()
        matches = [re.match(LISTED_TASK, line.strip()) for line in lines[:TASKS_MAX]]
        rows = [match for match in matches if match]
        if not rows and call["output"].strip() != "No tasks found":
            return
        if len(rows) == len(lines):  # read whole
            for key in [key for key in self.numbered if key not in {f"#{row['number']}" for row in rows}]:
                yield {**self.numbered.pop(key), "status": "gone"}
        elif not rows:
            for key in list(self.numbered):
                yield {**self.numbered.pop(key), "status": "gone"}
        for row in rows:
            subject, owner = subject_and_owner(quote(row["subject"], TASK_SUBJECT_MAX_UTF16), self.numbered.get(
                f"#{row['number']}", {}))
            yield from self.task(call, row["number"], text=subject, status=row["status"], owner=owner,
                                 after=(row["after"] or "").replace(",", ""))

    def shown(self, call: Entry) -> Iterator[Item]:
        """A task as TaskGet prints it."""
        if row := re.match(SHOWN_TASK, call["output"].strip(), re.DOTALL):
            yield from self.task(call, row["number"], text=quote(row["subject"], TASK_SUBJECT_MAX_UTF16),
                                 detail=quote(row["detail"], DETAIL_MAX_UTF16), status=row["status"],
                                 after=(row["after"] or "").replace(",", ""))

    def task(self, call: Entry, number: str, **fields: Unpack[TaskFields]) -> Iterator[Item]:
        """The task with these fields and all that was known of it; first its old form, where a field is emptied."""
        key = f"#{number}"
        old = self.numbered.get(key, {})
        if fields.get("status", "pending") not in (*STATUSES, "gone") or not (old or fields.get("text")):
            return  # of another tool, or of a task that nothing is known of
        whole = new_item("task", call, "", "assistant", key=key, list="task", order=int(number), detail="", after="",
                         owner="")
        names = ("text", "detail", "after", "owner", "status", "first")
        kept: Any = {name: value for name in names if (value := old.get(name))}
        task: Item = {**whole, "status": "pending", **kept, **fields}
        if any(old.get(name) and not task.get(name) for name in ("after", "owner", "detail")):
            yield {**old, "status": "gone"}
        if task["status"] == "gone":
            self.numbered.pop(key, None)
        elif all(task.get(name) == old.get(name, "") for name in ("text", "detail", "after", "owner", "status")):
            return  # as it was
        else:
            self.numbered[key] = task
        yield task


def subject_and_owner(text: str, known: Item) -> tuple[str, str]:
    """A listed line's subject and who it is assigned to: without the known subject, brackets may be its own."""
    subject = known.get("text", "")
    owner = text[len(subject) + 2:-1] if subject and text.startswith(f"{subject} (") and text.endswith(")") else ""
    return (subject, cut(owner, OWNER_MAX_UTF16)) if owner else (text, "")


def as_list(value: object) -> list[object]:
    """The value where it is a list."""
    return value if isinstance(value, list) else []


# ==================================================================================================
# record/calls/checklists.py: Lists of tasks without numbers, each known by its name.
# ==================================================================================================

CHECKLIST_MAX = 100  # of one file or message
LISTS_MAX_CHARACTERS = 40_000  # of a file or message that is looked through
PLAN_FILE = r"(?i)(?:/plans?/[^/]*|(?:plan|todos?|tasks?|checklist|roadmap|progress)[^/]*)\.(?:md|txt)$"
CHECK_LINE = r"^(?:\+ ?)?[ \t]{0,20}(?:[-*+]|\d{1,3}[.)]) \[([ xX~])\] (\S.{0,1000})"
PART_OF_A_LINE = r"- (?P<old>.{1,300})\n\+ (?P<new>.{1,300})"  # an edit within lines
PART_MIN_CHARACTERS, ANY_OPEN_BOX = 4, "[ ]"  # of what is replaced wherever it stands; it may have lost spaces
BOX_BULLET = r"^(?:[-*+]|\d{1,3}[.)]) (?=\[)"
WRITES_REQUEST = r"(?:gh (?:pr|issue) (?:create|new|edit)|glab (?:mr|issue) (?:create|new|update))\b"
BODY_OF_REQUEST = rf"(?s)(?<=\s)(?:--body|-b|--description|-d)[ =](?P<body>{QUOTED_TEXT})"
ADDRESS_OF_REQUEST = r"https?://\S{1,200}/((?:pull|issues|merge_requests)/\d{1,9})\b"
CHECK_STATUS = {" ": "pending", "~": "in_progress"}
CHECK_MARKS = {"pending": " ", "in_progress": "~", "completed": "x"}


class Checklists:
    """The lists as they stand; each entry gives the tasks that it adds or changes, whole."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.lists: dict[str, list[Item]] = {}  # by name
        for item in known:
            if item["kind"] == "task" and item.get("list") != "task":
                self.lists.setdefault(item.get("list", ""), []).append(item)

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The tasks that an entry adds, changes, or ends with the status `gone`.

        A call that failed, was rejected or waits for its result changes nothing.
        """
        if entry["what"] == "said":
            yield from self.checklist_said(entry)
        if entry["what"] != "call" or not entry["ok"]:
            return
        if entry["tool"] == "TodoWrite":
            yield from self.todos(entry)
        elif entry["tool"] in CHANGING_TOOLS and is_plan_file(entry["path"]):
            yield from self.checklist_in_file(entry)
        elif entry["tool"] in SHELL_TOOLS and "] " in text_of(entry["input"], "command"):
            yield from self.checklist_in_body(entry)

    def todos(self, call: Entry) -> Iterator[Item]:
        """TodoWrite's list, which replaces the one before."""
        todos = call["input"].get("todos")
        if isinstance(todos, list):
            rows = [(quote(text_of(todo, "content"), TASK_SUBJECT_MAX_UTF16), text_of(todo, "status"))
                    for todo in todos[:TASKS_MAX] if isinstance(todo, dict)]
            yield from self.replaced("todo", call, rows)

    def checklist_in_file(self, call: Entry) -> Iterator[Item]:
        """The checklist of a plan file that was written, or those of its lines that an edit changed."""
        if call["tool"] == "Write":
            rows = checklist_lines(call["body"])
            is_all = len(rows) < CHECKLIST_MAX and len(call["body"]) <= LISTS_MAX_CHARACTERS
            unticked = len(rows) if is_all and all(status == "pending" for _, status in rows) else 0
            yield from self.replaced(call["path"], call, rows, unticked)
            return
        known, change = self.lists.get(call["path"], []), text_of(call, "change")
        if not known:  # a list that was only read: what is open in it stood nowhere; who did the rest, and when?
            known = [new_item("task", call, text, "assistant", status=status)
                     for text, status in checklist_lines(text_of(call, "boxes_before")) if status != "completed"]
        part = re.fullmatch(PART_OF_A_LINE, change)
        if part and (edited := edited_within(known, part["old"], part["new"])):
            yield from self.replaced(call["path"], call, edited)
        elif rows := checklist_lines(change):
            body = checklist_lines(call["body"])
            changed, texts = rows_put_there(rows, body), [text for text, _ in body]
            statuses = {**{item["text"]: item["status"] for item in known}, **changed}
            gone = {text for text in texts if text not in changed and texts.count(text) == 1}  # else it is there twice
            in_order = with_added([item["text"] for item in known], [*changed], texts)
            yield from self.replaced(call["path"], call, [(text, statuses[text]) for text in in_order
                                                          if text not in gone])

    def checklist_in_body(self, call: Entry) -> Iterator[Item]:
        """The checklist in the body of a pull request or an issue that a command wrote, by the address it printed."""
        address = re.search(ADDRESS_OF_REQUEST, call["output"])
        body = body_of_request(text_of(call["input"], "command")) if address else ""
        if address and body:
            yield from self.replaced(f"the body of {address[1]}", call, checklist_lines(body))

    def checklist_said(self, entry: Entry) -> Iterator[Item]:
        """The checklist in the agent's words, outside of blocks of code; it replaces the one that it said before."""
        text = entry["text"][:LISTS_MAX_CHARACTERS]
        if "] " in text and (rows := checklist_lines("\n".join(lines_outside_fences(text)))):
            yield from self.replaced(LIST_SAID, entry, rows)

    def replaced(self, name: str, entry: Entry, rows: Iterable[tuple[str, str]], unticked: int = 0) -> Iterator[Item]:
        """The list of that name with these rows, text and status; what no longer stands there goes.

        unticked: how many boxes a file has that was written whole, none of them ticked; else 0.
        """
        texts = {text: status if status in STATUSES else "pending" for text, status in rows if text}
        old = {item["text"]: item for item in self.lists.get(name, [])}
        for text in [text for text in old if text not in texts]:
            yield {**old[text], "status": "gone"}
        self.lists[name] = []
        for order, (text, status) in enumerate([*texts.items()][:TASKS_MAX]):
            task = new_item("task", entry, text, "assistant", key="", list=name, order=order, status=status, detail="",
                            after="", owner="", unticked=unticked)
            is_as_before = text in old and old[text]["status"] == status and name != LIST_SAID  # said again is new
            self.lists[name].append({**old[text], "order": order, "unticked": unticked} if is_as_before else
                                    {**task, "first": old.get(text, task)["first"]})
            if not is_as_before or (old[text].get("order"), old[text].get("unticked", 0)) != (order, unticked):
                yield self.lists[name][-1]


def is_plan_file(path: str) -> bool:
    """Whether a text file is called as plans and lists of tasks are."""
    return path.lower().endswith((".md", ".txt")) and bool(re.search(PLAN_FILE, path))


def body_of_request(command: str) -> str:
    """The body that the command writes for a pull request or an issue; empty where it is not certain which that is."""
    _, texts = parted_from_texts(command)
    requests = [piece for piece, _ in pieces_of(command) if re.match(WRITES_REQUEST, piece)]
    given = re.search(BODY_OF_REQUEST, requests[0]) if len(requests) == 1 else None
    if not given:
        return ""
    is_fed = given["body"].startswith('"$(cat')
    if is_fed or texts:
        return texts[0] if is_fed and len(texts) == 1 else ""
    return given["body"][1:-1]


def checklist_lines(text: str) -> list[tuple[str, str]]:
    """Text and status of each `- [ ]` line; of a changed file's lines those that it has now."""
    rows = re.findall(CHECK_LINE, text[:LISTS_MAX_CHARACTERS], re.MULTILINE)
    return [(quote(task, TASK_SUBJECT_MAX_UTF16), CHECK_STATUS.get(mark, "completed"))
            for mark, task in rows[:CHECKLIST_MAX]]


def edited_within(known: Sequence[Item], old: str, new: str) -> list[tuple[str, str]]:
    """Text and status of a file's boxes after an edit within one line of it; none where it was of no box.

    What was replaced is a whole line, or stood there once, or was replaced wherever it stood: "- [ ] Ship" made
    "- [x] Ship" had left "Ship them" open, and put a box "Ship" beside it.
    """
    old, new = (re.sub(BOX_BULLET, "", text) for text in (old, new))
    lines = [f"[{CHECK_MARKS[item['status']]}] {item['text']}" for item in known]
    count = "\n".join(lines).count(old)
    if old in lines:
        edited = [new if line == old else line for line in lines]
    elif count == 1 or len(old) >= PART_MIN_CHARACTERS or old == ANY_OPEN_BOX:
        edited = [line.replace(old, new) for line in lines]
    else:
        return []
    rows = checklist_lines("\n".join(f"- {line}" for line in edited)) if count else []
    return rows if len(rows) == len(known) else []


def rows_put_there(changed: Sequence[tuple[str, str]], body: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Text and status of the boxes that an edit put there: from the first changed one on all in its `body`.

    `changed`: the first of them, a long one cut. By these alone eleven boxes that had been ticked stood as open.
    """
    places = [next((index for index in range(len(body) - 1, -1, -1) if is_same_when_cut(text, body[index][0])), -1)
              for text, _ in changed]
    start = min((place for place in places if place >= 0), default=len(body))
    unseen = [row for row, place in zip(changed, places) if place < 0]
    return dict([*unseen, *body[start:]])


def with_added(known: Sequence[str], added: Sequence[str], body: Sequence[str]) -> list[str]:
    """The texts of a file's boxes in its order; `body`: those that an edit took away, and behind them those put there.

    One that was added stands before its next there, else behind the one before it; where neither is known, last.
    """
    texts, places = [*known], {text: index for index, text in enumerate(body)}
    for step, several in ((1, added[::-1]), (-1, added)):
        for text in several:
            index = places.get(text, len(body)) + step
            if text not in texts and 0 <= index < len(body) and body[index] in texts:
                texts.insert(texts.index(body[index]) + (step < 0), text)
    return [*texts, *(text for text in added if text not in texts)]


# ==================================================================================================
# record/words/picks.py: What an answer picks of what the agent offered: by the letters and numbers of its lines.
# ==================================================================================================

OPTION = r"(?im)^[ \t>*_#-]{0,8}(?:option )?\(?([a-h]|\d{1,2})[).:\]][\s*_]{1,4}\S.{0,300}$"
MENU_OPTION = r"\[([A-Za-z]|\d{1,2})\] (\S[^\[\n]{1,100})"  # of several on one line: [A] Go on [B] Stop
LIST_MAX_OPTIONS, LISTED_OPTION_MAX_UTF16 = 6, 300
PICK = (r"(?i)(?:(?:yes|ok|okay|let'?s|go with|do|take|use|i'?d|prefer|choose|pick|option|number|nr|no\.?|#|and"
        r"|please|,|\.|:|for|with|i|say|think|the|answer)\s{0,3}){0,5}(?P<mark>[a-z]|\d{1,2})[).!,:]?(?=$|[\s).,;:!])")
SEVERAL_PICKED = (
    r"(?i)\W*(?:(?:yes|ok|okay|oke|let'?s|do|both|options?|numbers?|go with|take|use|please),? ){0,4}"
    r"(?P<signs>(?:[a-h]|\d{1,2})"
    r"(?:(?:\s?[+&,]\s?|,? (?:and|then|and then) | (?:und|et|y|e|dan|en|och|и) |\s?[-–]\s?)"
    r"(?:option )?(?:[a-h]|\d{1,2}))+)(?=[\s.!,;:)]|\Z)")
RANGE_PICKED = r"(\d{1,2})\s?[-–]\s?(\d{1,2})"
NO_WORD = r"(?i)[ai](?:\W*$|,? (?:option|works|is (?:fine|good|ok|better)|sounds|looks|please|it is|and [b-h]\b))"
ANSWER_OF_ITS_OWN = r"(?:^|[\s,;；，、。])([^\W_]{1,2})[).:](?=[^\W\d_]|\s)"
NUMBER_BEGINS = r"(?<![\w.,:/-])(\d{1,2})(?![\d.,:/%-]|\s?(?:min|sec|times|h\b|px|cm|kg))"  # no time, no amount
SEVERAL = 2  # answers by number: a single one picks
BEFORE_ANSWERS_MAX_CHARACTERS = 300
NUMBERED_ANSWERS_MAX_CHARACTERS = 2_000  # of a message in which they are looked for
NAMES_OPTION = r"(?i)\W{0,3}(?:option|opción|opção|方案|选项|選項)"
OPTION_NAMED = r"(?im)^\W{{0,12}}(?:option|opción|opção|方案|选项|選項) ?{}\b.{{0,400}}"
PICK_MAX_CHARACTERS = 80  # of a message that picks; in a longer one a sign stands behind the letter


def picked_line(text: str, offered: str) -> tuple[str, list[str]]:
    """The line of the agent's words that a message picks by its letter or number, and the list that it stands in.

    Where it picks several ("1 + 2"), these alone; empty when it picks none.
    """
    several = signs_picked(text) if len(text) <= PICK_MAX_CHARACTERS else []
    if several and (lists := [options for options in offered_lists(offered) if {*several} <= {*options}]):
        return "", [lists[-1][sign] for sign in several][:LIST_MAX_OPTIONS]
    mark = re.match(PICK, text)
    if not mark:
        return "", []
    sign, behind = mark["mark"], text[mark.end("mark"):mark.end("mark") + 1]
    is_word = sign.lower() in ("a", "i") and not re.match(NO_WORD, text[mark.start("mark"):])  # of English
    is_first = mark.start("mark") == 0 and re.match(r", *[^\W\d]", text[mark.end("mark"):])  # "1, as it is …", if long
    is_long = len(text) > PICK_MAX_CHARACTERS and not is_first
    if (is_word or is_long) and behind not in (")", ".", ":"):
        return "", []
    # By its name before any list: "Option 1" was a heading, and the first thing to do stood for it.
    named = re.search(OPTION_NAMED.format(re.escape(sign)), offered) if re.match(NAMES_OPTION, text) else None
    if named:
        return quote(named[0].lstrip(" *_->#").rstrip(" *_"), LISTED_OPTION_MAX_UTF16), []
    lists = [options for options in offered_lists(offered) if sign.lower() in options]
    others = {*re.findall(NUMBER_BEGINS, text)} - {sign}
    if lists and (signs_answered(text, lists[-1]) - {sign.lower()} or others & {*lists[-1]}):
        return "", []  # "1. yes 2. the left one", "1 fix, 3yes": each line is answered, none is picked
    return (lists[-1][sign.lower()], [*lists[-1].values()][:LIST_MAX_OPTIONS]) if lists else ("", [])


def signs_picked(text: str) -> list[str]:
    """The letters or numbers of several lines that a message picks together; empty where it names one or none."""
    match = re.match(SEVERAL_PICKED, text)
    if not match:
        return []
    signs = re.sub(RANGE_PICKED, lambda ends: " ".join(map(str, range(int(ends[1]), int(ends[2]) + 1))), match["signs"])
    return [sign.lower() for sign in re.findall(r"\b(?:[a-hA-H]|\d{1,2})\b", signs)]


def answered_lines(text: str, offered: str) -> list[str]:
    """The agent's questions that a message answers by their letters or numbers, where it answers several; else none.

    A list of what was done is none: the person's own list has numbers, too. Nor is a list far down in the message: a
    new order's steps had passed for answers.
    """
    text = text[:NUMBERED_ANSWERS_MAX_CHARACTERS]
    answers = list(re.finditer(ANSWER_OF_ITS_OWN, text))
    if len(answers) < SEVERAL or answers[0].start() > BEFORE_ANSWERS_MAX_CHARACTERS:  # as in most messages
        return []
    for options in reversed(offered_lists(offered)):
        signs = signs_answered(text, options)
        if len(signs) >= SEVERAL:
            lines = [line for sign, line in options.items() if sign in signs][:LIST_MAX_OPTIONS]
            return lines if any(mark in line for line in lines for mark in QUESTION_MARKS) else []
    return []


def signs_answered(text: str, options: Iterable[str]) -> set[str]:
    """Those of the options' letters and numbers that begin an answer in the text."""
    return {sign.lower() for sign in re.findall(ANSWER_OF_ITS_OWN, text)} & {*options}


def offered_lists(words: str) -> list[dict[str, str]]:
    """The lists in the agent's words whose lines begin with a letter or a number, and menus on one line: by sign."""
    lists: list[dict[str, str]] = []
    for line in re.finditer(OPTION, words):
        sign = line[1].lower()
        options = lists[-1] if lists and not begins_list(sign, lists[-1]) else list_around(sign, lists)
        if not options:
            lists.append(options)
        options[sign] = quote(line[0].lstrip(" *_->#").rstrip(" *_"), LISTED_OPTION_MAX_UTF16)
    for line_of_menu in words.splitlines():
        menu = re.findall(MENU_OPTION, line_of_menu) if line_of_menu.count("[") > 1 else []
        if len(menu) > 1:
            lists.append({sign.lower(): quote(f"[{sign}] {text}".strip(), LISTED_OPTION_MAX_UTF16)
                          for sign, text in menu})
    return lists


def list_around(sign: str, lists: Sequence[dict[str, str]]) -> dict[str, str]:
    """The list that goes on with this letter or number behind another within it; an empty one where none does.

    Of four numbered questions, each with answers A to C, the first had stood alone, and "1. A; 2. B" picked it.
    """
    before = next((options for options in reversed(lists[:-1]) if sign.isdigit() == [*options][-1].isdigit()), None)
    last = [*before][-1] if before else ""
    is_next = last and (int(sign) == int(last) + 1 if sign.isdigit() else ord(sign) == ord(last) + 1)
    return before if before and is_next else {}


def begins_list(sign: str, before: dict[str, str]) -> bool:
    """Whether a line with this letter or number begins a list of its own behind the one before."""
    return sign in ("a", "1") or sign in before or sign.isdigit() != next(iter(before)).isdigit()


# ==================================================================================================
# record/words/rule_markers.py: The markers by which typed sentences are known as standing rules: patterns alone, written for folded sentences.
# ==================================================================================================

FROM_NOW_ON_CUES = (
    "from now on|from today on|from this point on|from here on out|from here on|going forward|moving forward"
    "|henceforth")
FROM_NOW_ON = rf"(?:{FROM_NOW_ON_CUES})\b"
STATEMENT = (  # what follows "from now on" where a state is told, and nothing ordered
    r"(?:(?:the|our|my|this|that|these|those) (?:[\w-]+ ){1,2}|(?:it|they|everything) )"
    r"(?:(?:is|are) (?:(?:all|now|again|much) )?(?:green|red|passing|failing|broken|fine|ok|okay|stable|flaky|fixed"
    r"|done|gone|down|up|available|faster|slower)|pass(?:es)?|fails?|works?)(?: again)?\Z")
FOREVER = r"(?:always|never(?: ever)?|(?:dont|do not|not) ever)"
NO_ORDER = (  # what follows "always" or "never" where nobody is ordered to anything
    r"(?!(?:mind|again(?: ,)?\Z|been|be able|had|did|was|were|is|are|has|have|got|happen\w*|again happened|saw|knew"
    r"|there|this|that|its?|im?|we|they|he|she|the|an?|mine|true|false|null|empty|zero|none|possible|enough|works?"
    r"|gonna|went|came|made|found|ran|gave|took|left|seen|done|gotten|get (?:here|there)|really|actually|quite|sure|on"
    r"|off|visible|available|present|up|down|in sync|fun|nice|good|great|welcome|a pleasure|needs?|(?:show|display"
    r"|render|hide|appear|redirect)(?! (?:me|us)\b))\b)(?!(?!(?:need|embed|proceed|feed|seed|speed|bring"
    r"|ping|string|sing)\b)\w*(?:ed|ing)\b)(?!(?!focus\b)\w*[^\Ws]s\b)")
DEEDS = (  # what an order to an agent begins with
    r"(?:use|run|write|keep|commit|push|ask|add|put|check|test|make|do|follow|update|show|tell|explain|answer|respond"
    r"|reply|speak|talk|name|format|lint|build|deploy|document|log|store|save|read|verify|validate|confirm|wait|stop"
    r"|prefer|avoid|remove|delete|rebase|squash|merge|create|open|leave|stick|include|mention|refer|return|throw|sort"
    r"|pin|wrap|mock|let|give|call|import|review|consult|bump|regenerate|rerun|double check|start|sign|summari[sz]e"
    r"|tag|take|think|plan|work|go|look|assume|treat|handle|fix|search|grep|list|report|notify|ping|dont|do not|never"
    r"|always)\b")
OTHER_DEEDS = (
    r"(?:touch|edit|modify|change|alter|rename|move|overwrite|rewrite|install|publish|release|force|reset|amend|bypass"
    r"|skip|disable|hard ?code|guess|invent|fabricate|expose|print|reformat|ignore|drop|truncate|wipe|kill|restart"
    r"|upgrade|downgrade|introduce|duplicate|copy|paste|trust|share|send|post|suppress|swallow|catch|cast|execute|try"
    r"|attempt|rely)\b")
MAKING = (  # how an order to build begins: its "always" is said of what is built
    r"(?:add|create|write|implement|build|make|fix|rename|change|refactor|update|move|design|introduce|extend|replace"
    r"|show)\b")
SCOPE = (
    r"(?:repo|repository|codebase|code base|project|monorepo|workspace|org|organi[sz]ation|team|house|session|app"
    r"|package)")
ANY_DEED = rf"(?:{DEEDS}|{OTHER_DEEDS})"
OUR_DEEDS = (  # of people alone: what "we never round", the program may do, or fail to do
    r"(?:deploy|release|merge|push|commit|ship|publish|support|target|test|format|tag|branch|squash|review|log|mock"
    r"|rebase|amend|force ?-?push|cherry ?-?pick|hard ?code|vendor|document)\b")
WHENEVER = r"(?:whenever|every ?time|each time|any ?time)"
EACH_TIME = (
    r"(?:(?:after|before) (?:every|each|any) (?:\w+ ){0,2}(?:changes?|edit|step|task|phase|fix|feature|session|file"
    r"|turn|iteration|milestone|chunk|refactor|refactoring|update|test run|endpoint|migration|build|deploy|deployment"
    r"|new \w+)|(?:after|before|on|with|for|in) (?:every|each|any) (?:\w+ )?(?:commit|push|pr|pull request|release"
    r"|merge|change|response|reply|answer|message))\b")
TOOLS = (
    r"(?:pnpm|yarn|npm|bun|uv|poetry|pip|cargo|gradle|maven|make|just|mise|nix|podman|ruff|black|prettier|eslint|biome"
    r"|mypy|pyright|pytest|vitest|jest|mocha|rspec|typescript|javascript|python ?3?[\d.]{0,5}|node ?[\d.]{0,6}"
    r"|tailwind|postgres|sqlite|git worktrees?|subagents?|the makefile|make targets)\b")
STYLES = (
    r"(?:tabs|spaces|(?:two|four|2|4) spaces|semicolons|(?:single|double) quotes|snake[ _]case|camel ?case"
    r"|kebab[ -]case|pascal ?case|(?:british|american|us|uk|plain|simple) (?:english|spelling)|english|german|french"
    r"|spanish|utc|iso ?8601|(?:conventional|semantic|small|atomic) commits?|type hints|docstrings|google style|jsdoc"
    r"|(?:the )?(?:imperative|present tense|past tense|active voice)(?: mood)?|(?:absolute|relative) imports|(?:named"
    r"|default) exports|early returns|f-strings|emojis?|(?:lower|upper) ?case|(?:sentence|title) case|metric units"
    r"|cents|strict mode|strict types|tdd|short answers|em ?dash(?:es)?|markdown)\b")
STYLE_CUES = (  # not the words alone: "commit" and "case" stand in every session
    "tabs|spaces|semicolons|single quotes|double quotes|snake case|snake_case|camelcase|camel case|kebab|pascal|english"
    "|spelling|german|french|spanish|utc|iso 8601|iso8601|conventional commit|semantic commit|small commit"
    "|atomic commit|type hints|docstrings|google style|jsdoc|imperative|tense|active voice|absolute imports"
    "|relative imports|named exports|default exports|early returns|f-strings|emoji|lowercase|lower case|uppercase"
    "|upper case|sentence case|title case|metric units|cents|strict mode|strict types|tdd|short answers|emdash|em dash"
    "|markdown")
WAYS = rf"(?:{TOOLS}|{STYLES})"  # that a project settles on
RATHER = r"(?:not|never|instead of|over|rather than|and not|no)"
ARTEFACTS = (
    r"(?:all |our |the |your |new )*(?:commits|(?:commit|pr) (?:messages?|titles?|descriptions?)|branch(?:es| names?)"
    r"|prs|pull requests|code comments|(?:variable|test) names?|identifiers|docstrings)")
UNWANTED = (
    r"(?:emojis?|mocks?|mocking|stubs?|(?:new|extra|more|third party)? ?(?:dependencies|deps|libraries|packages)"
    r"|force push(?:es|ing)?|semicolons|default exports|any types?|placeholders?|todos|hard ?coded \w+|hard ?coding"
    r"|magic numbers|workarounds|hacks|shortcuts|fallbacks|fluff|(?:fake|mock|dummy|sample) data|attributions?"
    r"|co-authored-by|(?:ai|claude) attribution|signatures|abbreviations|inline \w+|global state|globals"
    r"|print statements?|console[. ]?logs?|trailing \w+|tabs|em ?dash(?:es)?|(?:wildcard|relative) imports"
    r"|(?:code )?comments|(?:markdown|summary) files|summaries|lambdas|one ?liners|secrets|merge commits"
    r"|backwards? compat\w*|apologies|speculation|guessing|assumptions|unsafe|unwraps?)\b")
UNWANTED_AS_NOUN = rf"(?:{UNWANTED}|{STYLES}|(?:decimals|fractions|floats|umlauts|accents|diacritics)\b)"
GIVEN_BY_PROGRAMS = (  # of which "no …, ever" tells that it did not come
    r"(?:(?:\w+ ){0,2}(?:errors|warnings|logs|messages|outputs|answers|replies|responses|results|hits|rows|lines|events"
    r"|requests|crashes|failures|changes|things|problems|issues|tests|builds)\b)")
LASTING_OBJECTS = (  # what an order not to touch something names, where it holds on
    r"(?:(?:any|the|our|my|your|those|existing|all|anything|files|code|stuff|in|inside|under"
    r"|outside) ){0,3}(?:(?:auto-? ?)?generated\b|vendor(?:ed)?\b|third party\b|legacy\b|lock ?files?\b|migrations?\b"
    r"|prod(?:uction)?\b|node_modules|dist\b|\.\w[\w.-]*|[\w.@*-]*/[\w./*-]*|[\w-]+\.(?:[a-z]{1,4}|json|toml|yaml"
    r"|lock)\b|(?:[\w-]+ ){1,2}(?:folders?|director(?:y|ies)|dirs?)\b)")
RISKS = (  # branches, remotes and registries by which a push or a merge reaches others
    r"(?:main|master|prod|production|trunk|develop|dev|staging|origin|upstream|npm|pypi|the (?:main|master|release"
    r"|default) branch)")
LANGUAGES = (
    r"(?:english|german|french|spanish|portuguese|italian|polish|turkish|russian|chinese|japanese|korean|hindi|dutch"
    r"|czech|ukrainian|arabic|swedish)")

ALWAYS = (  # strong enough for a page of text too
    ("always|never|ever ", rf"\A{FOREVER} {NO_ORDER}[\w/]"),
    ("always|never|ever ", rf"\A(?!{MAKING}).{{0,300}}, (?:and |but )?{FOREVER} {NO_ORDER}{ANY_DEED}"),
    ("never", rf"\A(?:{DEEDS}|all|our)\b.{{0,80}} , (?:and |but )?never \w"),
    ("only ever", rf"{START}only ever {ANY_DEED}"),
    ("always", rf"{START}always (?:tests?|docs?|code|design|plan|specs?) first\b"),
    ("always|at all times|exceptions",
     rf"\A(?:{DEEDS}.{{0,200}}[ ,]|(?!(?:it|this|that|they|there|he|she|why|the|tests?|i)\b).{{3,80}} , )"
     r"(?:always|at all times|(?:without|no) exceptions)(?: ,)?\Z"),
    (" always| never| ever",
     r"\b(?:you|(?:sub)?agents?|claude|ai|everyone|everybody|nobody|commits?|prs|pull requests) (?:\w+ )?"
     r"(?:should|must|have to|need to|shall|may|are to) (?:always|never|only ever|not ever)\b"
     r"(?! (?:see|get|have|need|be able|happen|reach|hit|occur)\b)"),
    ("i always want|i never want", r"\bi (?:always|never) want you\b"),
    ("you must|you may|you are|you re|you arent",
     r"\byou (?:must not|mustnt|may not|may only|(?:are|re) (?:not |only )?(?:allowed|permitted) to|arent allowed to"
     r"|are never to|are forbidden)\b"),
    (FROM_NOW_ON_CUES,
     rf"{START}{FROM_NOW_ON}(?! line| in line| the (?:indent|code|file|output|log)| (?:, )?{STATEMENT}) ?,? \w"),
    (FROM_NOW_ON_CUES,
     rf"\A(?:{ANY_DEED}|you|we|i want|no|all|every|each|only)\b(?! (?:know|see|cant|have|about|of|how)\b)"
     rf".{{1,150}} {FROM_NOW_ON} ?,?(?:\Z| , )"),
    ("under no circumstances|as a |strictly",
     rf"\bunder no circumstances\b|(?:{START}|\bthat )as a (?:general |strict |hard )?rule\b(?! of)"
     r"|\bstrictly forbidden\b"),
)
STANDING = (
    # where and when
    ("in this|in our|for this|for our",
     rf"\A(?:in|for) (?:this|our) {SCOPE}\b(?! (?:i|is|are|there)\b)"
     r"(?=.*\b(?:we|always|never|only|must|should|use|dont|do not|no|not|prefer|are|is|stick|follow|keep)\b)"),
    ("this|our",
     rf"{START}(?:dont|do not|never|no|only|we (?:must|use|stick to)|stick to|prefer|avoid)\b.{{0,80}}"
     rf" (?:in|across|throughout) (?:this|our) (?:entire |whole )?{SCOPE}\b(?! (?:yet|right|at the))"),
    ("be one|be only one", rf"\bbe (?:only )?one \w+.{{0,80}} in (?:this|the|our) {SCOPE}\b"),
    ("we ",
     r"\bwe (?:(?:dont|do not|never|always|only) )?(?:use|write|format|lint|name|call|keep|store|put|follow|prefer"
     rf"|commit|test)\b.{{1,80}} (?:here|in (?:this|our) {SCOPE})\Z"),
    ("every|each |any |anytime|whenever",
     rf"{START}(?:{EACH_TIME} ?,? |{WHENEVER} you\b.{{1,120}}(?: , |\b)|{WHENEVER} (?:an?|the|we|i|some)\b.{{1,80}} , )"
     rf"{DEEDS}"),
    ("every|each |any |anytime|whenever",
     rf"{START}{DEEDS}.{{0,120}}\b(?:{EACH_TIME}|{WHENEVER} (?:you|we|i|an?|something|there)\b"
     r"(?! (?:like|want|can|please)\b))"),
    ("doubt|not sure|unsure",
     rf"{START}(?:when|if|whenever) (?:in doubt|unsure|you(?:re| are) (?:not sure|unsure|in doubt))\b.{{0,60}}?(?: ,)?"
     rf" {DEEDS}"),
    ("future|next time", rf"{START}(?:next time|(?:in|for) (?:the )?future) ,? ?{DEEDS}"),
    ("at a time",
     r"\b(?:focus|work|go|do|ask|take|make|fix|tackle|handle|address)\b.{0,40}\b(?:one|1|a single) (?:\w+ )?"
     r"(?:issue|thing|step|question|change|task|topic|fix) at a time\b"),
    # what needs the person's word
    ("without",
     r"\A(?!i\b).{0,200}\b(?:dont|do not|never|nothing|stop|not)\b.{1,100}\bwithout (?:(?:first )?asking|my|confirming"
     r"|checking with me|telling me|(?:an )?explicit|permission|approval|me (?:saying|asking|telling|approving))\b"),
    ("unless|until",
     r"\b(?:dont|do not|never)\b.{1,100}\b(?:unless|until) (?:i|explicitly|told|asked|instructed|specifically)\b"
     r"(?: \w+){0,2} ?(?:say|tell|ask|approve|confirm|request|told|asked|instructed|explicitly|give|want|allow|\Z)"),
    ("only",
     rf"{START}only {DEEDS}.{{0,60}} (?:when|if|after|once) i (?:explicitly |specifically )?(?:ask|say|tell|approve"
     r"|confirm|request)\b"),
    ("before|prior to",
     rf"{START}(?:ask|(?:ask|check with|confirm with|consult|tell|warn) (?:me|us)) (?:first )?(?:before|prior to)"
     r" (?:you )?(?:\w+ing\b(?! (?:it|this|that)\b)|every|each|any|install|add|commit|push|delete|remove|change|run"
     r"|make|touch|edit|merge|deploy|create|an? (?:push|commit|merge|release|deploy(?:ment)?|migration)\b)"),
    ("each time|every time|everytime",
     rf"{START}(?:ask|check with|confirm with|consult) (?:me|us) (?:first )?(?:each time|every ?time)\b"),
    ("myself|on my own",
     r"\b(?:ill|i will|i) (?:always )?(?:run|start|do|handle|test) (?!this|that|it|these|those)(?:[\w-]+ ){0,4}"
     r"(?:myself|on my own)(?: (?:whenever|every time|always|when needed)\b| ?,|\Z)"),
    ("complete|done|finished|fixed",
     rf"{START}{DEEDS}.{{0,120}} before (?:considering|claiming|declaring|calling|marking) (?:\w+ ){{0,3}}"
     r"(?:complete|done|finished|fixed)\b"),
    # what nobody touches or adds
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:touch|edit|modify|change|alter|delete|remove|rename|move|overwrite|rewrite|commit"
     rf"|check in|reformat|format|read|open|(?:write|add) to|write in(?:to)?|import from) {LASTING_OBJECTS}"),
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:force ?-?push\b(?! it\b| this\b)|(?:push|commit|merge|deploy|publish|release|write)\b"
     rf".{{0,30}} (?:to|on|into|against|in) {RISKS}\b)"),
    ("dont|do not|avoid|refrain from",
     rf"{START}(?:(?:dont|do not) (?:add|use|install|introduce|(?:bring|pull|put) in|include|put|write|import|commit"
     r"|create|leave|make)|(?:i want to |i(?: woul)?d like to )?(?:avoid|refrain from)(?: using| adding| writing"
     r"| introducing)?) (?:in |any |more |unnecessary |useless |obvious |a lot of |so many |too many |new |extra )*"
     rf"{UNWANTED}(?! (?:for|to) (?:this|that|it)\b)"),
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:add|introduce|install|(?:bring|pull) in) (?:any|an?)"
     r"(?: new| extra| other| more| external| third party| runtime)* (?:dependency|library|package)"
     r"(?= ,|\Z| (?:unless|without|just|please|here|anywhere)\b)"),
    ("no ",
     rf"\Ano (?:more )?{UNWANTED}(?:,? ?(?:or|and) \w+)?(?: ,| please|\Z| (?:in|for) (?!this\b)| anywhere| ever"
     r"| allowed| at all| unless)"),
    (" , never| , ever",
     rf"\Ano (?!{GIVEN_BY_PROGRAMS}|one\b)(?:\w+ )?\w+(?:s|ing) (?:in|on|at|to|into|for|under|inside|outside|with"
     r"|without|from) .{2,80} , (?:never|ever)(?: ,)?(?: please)?\Z"),
    ("never ",
     rf"{START}never (?:any )?{UNWANTED_AS_NOUN}(?: ,|\Z"
     r"| (?:in|at|for|to|under|inside|outside|anywhere|(?<!comments )on)\b)"),
    ("stop ",
     rf"{START}stop (?:\w+ly )?(?:add|us|creat|writ|putt|ask|committ|push|guess|assum|say|tell|mock|apologi[sz]|delet"
     r"|hard ?cod|invent|mak|duplicat|ignor|skipp|summari[sz]|repeat)ing\b(?! (?:it|this|that)\b)"),
    ("forbidden|prohibited|allowed|banned",
     r"\A(?!.*\b(?:error|says|operation|access|method|it|this|that)\b).{3,80} (?:is|are) (?:strictly |absolutely )?"
     r"(?:forbidden|prohibited|(?:not|never) allowed|banned)\b"),
    ("limits|hands off",
     r"\b(?:is|are) (?:completely |strictly |always )?off[ -]limits\b|\bhands off (?!the keyboard)\w"),
    # ways that a project settled on
    ("use ",
     rf"\A(?:only )?use (?:only )?{WAYS}(?:(?: ,)?(?: (?:everywhere|here|throughout|only|please|as|{RATHER})\b"
     r"[\w -]{0,40}| for (?:all )?(?:\w+ )?\w+(?:s|ing|ment))?| , (?:we|its|it is|because|since)\b.*)"
     r"(?<!\bthis)(?<!\bthat)\Z"),
    (STYLE_CUES, rf"\A(?:only )?use (?:only )?{STYLES}(?: ,)? (?:in|for|and|across|when)\b.{{0,80}}"
                 r"(?<!\bthis)(?<!\bthat)\Z"),
    (STYLE_CUES,
     rf"\A{STYLES} (?:in|for) (?!.*\b(?:is|are|was|were|looks?|fine|ok|okay|wrong|broken|missing|should|this|that)\b)"
     r"(?:[\w/.-]+ ){0,4}[\w/.-]+\Z"),
    (STYLE_CUES, rf"\A{STYLES} ?,? {RATHER} {STYLES}.{{0,40}}\Z"),
    ("we use|we only|we always|we are|re on|re only|we stick",
     rf"\b(?:we(?: only|re only| always)? (?:use|are on|re on|are using|stick with|stick to)|were on) (?:\w+ )?{WAYS}"
     r"(?! (?:to|as|because|when)\b)"),
    ("only|never|always|exclusively|we dont|we do not",
     rf"\bwe (?:(?:only|never|always|exclusively|dont|do not) {OUR_DEEDS}(?! (?:it|this|that)\b)"
     rf"|{OUR_DEEDS} (?:only|exclusively|never|always)\b)"),
    (" must| should| have to| need| has to| always| never| follow| start with| begin with",
     rf"\A{ARTEFACTS} (?:must|should|ha(?:ve|s) to|needs? to|always|never|follow|start with|begin with) "),
    ("source of truth",
     r"\b(?:is|as|be|are|remains?) (?:the |our |my )?(?:single |only |sole |one )?source of truth\b"),
    ("prefer ",
     r"\A(?:always |generally |strongly )?prefer (?!option\b|the (?:first|second|third|last|former|latter|other)\b"
     r"|that\b|this\b|it\b|[a-d\d]\b)\w"),
    ("keep ",
     rf"{START}keep (?:(?:all |the )*your (?:answers?|responses?|repl(?:y|ies)|explanations?|summar(?:y|ies)|messages?"
     r"|output|commits?|changes|code)\b|(?:all )?(?:answers|responses|replies|explanations|commits|commit messages"
     r"|functions|prs|pull requests|diffs|summaries|comments|files|(?:each|every) (?:commit|pr)) (?!in\b|as\b|please\b)"
     r"\w)"),
    ("stick ",
     rf"{START}stick (?:to|with) (?!options?\b|it\b|that\b|this\b|what\b|the (?:first|second|current|original|plan|old"
     r"|new|same|one)\b|[a-d\d]\b)\w"),
    ("answer|respond|reply|speak|talk|write",
     rf"{START}(?:(?:answer|respond|reply|speak|talk|write)(?: to)?(?: me| us)?(?: only)? in|speak) {LANGUAGES}\b"),
)
ONCE = (  # what makes it an order for this step, or a tale
    r"\b(?:yet|(?:for|right|just) now|(?:for|at) the moment|for the time being|this (?:time|once|one|round|case|step"
    r"|task|commit|pr|change|prototype|run|demo|file|function|method|test|line|part|bit)|that (?:one|file|test"
    r"|function|part)|these (?:two|ones|files|changes)|today|tonight|tomorrow|(?:just|only) once|(?:before|until|once"
    r"|after|when) (?:you|we|i|youre|were|im) (?:have |are |re )?(?:start|begin|do|done|finish|finished|go|move"
    r"|continue|proceed|get|fixed|merged?)|before (?:starting|moving|doing|continuing|proceeding)|(?:once"
    r"|when) (?:done|this|that|its|it is|finished)|until (?:then|later|that|this)|as a first step|i (?:thought|think"
    r"|guess|wonder|see|noticed|assume|believe|suspect|doubt)|seems?|looks like|apparently|maybe|perhaps|probably"
    r"|used to|supposed to|it (?:always|never)|(?:this|that) (?:always|never)|why|turns out)\b")
ONCE_ALWAYS = (  # of the strongest, which may tell of time and thought
    r"\b(?:it|this|that|they|he|she|there|which|who) (?:just |also |should |would |will |can |must )?(?:always|never)\b"
    r"|\A[^,]{0,30}(?:\bseems?|looks like|apparently)\b|\b(?:for now|yet|right now|at the moment|this time|just once"
    r"|this once|i thought|why|used to|supposed to|this one|that one)\b")
ELSEWHERE = (  # strong markers of other languages; alphabets share words, so each is bound to its own grammar
    # Chinese, Japanese, Korean: no spaces, so bound by what stands near
    ("今后|以后|从|一律|永远|绝|千万|禁止|严禁|不许|不准|务必|始终|每次|必须|总是|前|不要直接|未经|没有我|我们用|统一|只能|生成",
     r"从现在开始|从今以后|今后|以后(?:都|请|不要|别|不准|不许|只|要|一律|用|必须|提交|每次)|一律|(?:永远|绝对"
     r"|千万)(?:不要|不能|不许|不准|别)|绝不能|绝不要|禁止|严禁|不许|不准|务必|始终(?:用|使用|保持|要)|必须(?:始终|先)"
     r"|每次(?:提交|修改|改|写|完成|推送|合并|运行|回答|回复|做|部署|更新)\w{0,12}(?:都要|必须|都得|后要|前要|之前先|之后都)|总是(?:用|使用|要先)|(?:之前|以前|前)\w{0,4}(?:先问"
     r"|要问|先跟我|问我)|不要直接(?:推|提交|改|合并)|未经(?:我|允许|同意)|没有我的(?:允许|同意)|我们用\w{1,20}(?: ,"
     r" )?不用|(?:统一|只能)(?:用|使用|写)|是生成的(?: , )?(?:不要|别|不许)"),
    ("今後|これから|以後|絶対|勝手|必ず|常に|毎回|禁|一切|前|まえ|ないルール|ない方針|ここでは|うちは|許可|確認|場合も|統一|ないこと",
     r"今後(?:は|も)|これからは|以後は|絶対(?:に)?[^、。]{0,30}(?:ないで|ないこと|するな|禁止|触らない|しない)"
     r"|勝手に[^、。]{0,30}(?:ないで|やめて|禁止)|必ず[^、。]{0,40}(?:てください|ること|して|から始める|お願い)"
     r"|常に[^、。]{0,40}(?:てください|ること|して|使って|使う|使用)|毎回[^、。]{0,40}(?:てください|ること|して)"
     r"|禁止(?:です|する|\Z)|禁じ|一切[^、。]{0,30}ない|(?:前|まえ)に[^、。]{0,10}(?:聞いて|確認して|相談して)"
     r"|ない(?:方針|ルール)|(?:うちは|ここでは)[^。]{1,40}(?:です|使う|使います)|許可なく|(?:確認|許可)なし(?:に|で)"
     r"|(?:どんな|いかなる)場合も|で統一(?: |\Z|して)|(?:触ら|し)ないこと"),
    ("앞으로|절대|항상|반드시|금지|직접|전에|때마다|매번|허락|묻지|규칙|우리는",
     r"앞으로는?(?= )|절대(?:로)? [^.]{1,40}(?:마|말고|말 것|않|금지)|(?:항상|반드시) [^.]{1,60}(?:해|줘|세요|할 것"
     r"|한다|작성|사용|써)(?= |\Z)|금지(?= |\Z|입니다|야|다)|직접 (?:\S{1,20} ){0,2}\S{0,10}지 ?(?:마|말)"
     r"|전에 (?:\S+ ){0,3}(?:물어|확인|먼저)|\S 때마다 [^.]{1,40}(?:돼|해|줘|세요)|매번 [^.]{1,40}(?:해|줘|세요)"
     r"|허락 없이|묻지 않고|게 규칙|규칙(?:이야|입니다|이다)|우리는 [^.]{1,30}(?:써요|써|사용해|사용합니다|쓴다)(?= "
     r"|\Z)"),
    # Russian
    ("никогда|всегда|впредь|отныне|момента|ни |запре|трогай|этом|моего|меня|перед|кажд|а не|ничего|нельзя|хватит",
     r"(?:\A|, )(?:и |а |пожалуйста |ещё |еще )*(?:никогда не|всегда) \w+(?:[йьи]|йте|ьте|ите)\b|\bвпредь\b|\bотныне\b"
     r"|\bс этого момента\b|\bни в коем случае\b|\bни при каких\b|\bзапрещ(?:ено|ается)\b"
     r"|\bне трогай(?:те)?\b(?! (?:его|это|её|пока))|\bв этом (?:репозитории|проекте|репо)\b|\bбез моего (?:ок"
     r"|разрешения|ведома|согласия)\b|\bспрашивай(?:те)? меня\b|\bперед тем как \w+ (?:\w+ )?(?:спрашивай|спроси)"
     r"|\bпосле кажд(?:ого|ой) \w+ (?:\w+ ){0,2}(?:гоняй|запускай|делай|проверяй|прогоняй)|\bкаждый раз (?:когда|после"
     r"|перед)\b|\bу нас \w+ (?:, )?а не\b|\bвсегда (?:на|в|по|с|через) [\w-]+\Z|, всегда\Z|\bничего (?:\w+ )?нельзя\b"
     r"|\bнельзя (?:писать|трогать|менять|коммитить|пушить|удалять|переименовывать)\b|\bхватит \w+ть\b"),
    # Spanish
    ("ahora|adelante|nunca|jamás|siempre|prohibido|toques|cada vez|pregunt|pregúnt|bajo ning|en este |usamos|deja de"
     "|debes|por norma|por regla",
     r"\ba partir de ahora\b|\bde (?:ahora|aquí) en adelante\b|(?:\A|, )(?:y |por favor |pero )*(?:(?:nunca"
     r"|jamás) (?:\w+ )?\w+[ea]s\b|no \w+[ea]s nunca\b|siempre en\b|(?:siempre (?:usa|utiliza|haz|ejecuta|corre"
     r"|escribe|responde|pregunta|pon|revisa)|(?:usa|utiliza|haz|ejecuta|corre|escribe|responde|pregunta|pon"
     r"|revisa) siempre)\b)|, siempre\Z|\bsiempre en \w+(?: por favor)?\Z|\bprohibido\b|\bno toques (?:la|el|los|las"
     r"|nada)\b|\bno debes \w+r\b|\bcada vez que \w+[ea]s\b|\bpreg[uú]ntame (?:siempre )?antes\b|\bsin preguntarme\b"
     r"|\bbajo ning[úu]na? (?:concepto|circunstancia)|\ben este (?:repo|repositorio|proyecto) (?:\w+ )?(?:usamos"
     r"|se usa|no|nunca|siempre)\b|\baqu[íi] usamos\b|\bdeja de (?:añadir|agregar|poner|usar|hacer|escribir)\b"
     r"|\bpor (?:norma|regla) general\b"),
    # Portuguese
    ("agora|daqui|nunca|sempre|jamais|proibido|pergunt|hipótese|hipotese|mexa|mexe|toda vez|neste|gente|para de"
     "|pare de|não deve",
     r"\ba partir de agora\b|\bde agora em diante\b|\bdaqui (?:pra|para a) frente\b|(?:\A|, )(?:e |por favor "
     r"|mas )*(?:(?:nunca|jamais) (?:\w+ )?(?:faça|faz|dê|use|usa|mex[ae]|suba|apague|commit\w{1,2}|coloque|adicione"
     r"|altere|edite|escreva|instale|crie|toque)\b|sempre em\b|sempre (?:me )?(?:use|usa|rod[ea]|faça|escreva|responda"
     r"|pergunte|coloque)\b|(?:use|usa|rod[ea]|faça|escreva|responda|pergunte|coloque) sempre\b)|\bproibido\b"
     r"|, sempre\Z|\bvocê não deve \w+r\b|\b(?:me pergunt[ae]|pergunte-me) (?:sempre )?antes\b|\bsem me perguntar\b"
     r"|\bem hip[óo]tese (?:alguma|nenhuma)\b|\bn[ãa]o mex[ae] (?:n[oa]s?|em)\b|\btoda vez que\b(?=.*\b(?:tem que"
     r"|rod[ea]|faça|use)\b)|\bneste (?:repo|reposit[óo]rio|projeto) (?:\w+ )?(?:usamos|a gente|n[ãa]o|nunca|sempre)\b"
     r"|\baqui a gente usa\b|\bpar[ae] de (?:colocar|adicionar|usar|criar|fazer|botar)\b"),
    # French
    ("partir|désormais|dorénavant|jamais|toujours|interdit|touche|chaque|avant|dans|ici |sous |aucun|sans|arrête|faut",
     r"\bà partir de maintenant\b|\bdésormais\b|\bdorénavant\b|(?:\A|, )(?:et |mais |stp |svp )*(?:ne (?!marche|passe"
     r"|fonctionne|finit|termine|sort|arrive)\w+ jamais\b|(?!ça |ca |cela |il |elle |on )\w+(?:e|ez|s)? jamais (?:de|d"
     r"|sans|sur|le|la|les|dans|directement|à|en)\b|jamais de\b|toujours (?:en|de|d)\b|(?:utilise|lance|écris|réponds"
     r"|demande|vérifie|teste|fais|mets|garde)(?:z|-\w+)? toujours\b"
     r"|toujours (?:utilise|lance|écri|répond|demande|vérifie)\w*)|\btoujours en \w+(?: (?:stp|svp))?\Z|, toujours\Z"
     r"|\binterdit (?:de|d)\w*\b|\b(?:ne )?touchez? (?:pas|jamais) (?:à|aux?)\b|\bil ne faut (?:surtout pas|jamais) \w"
     r"|\bà chaque (?:modif\w*|fois que|commit|changement) .{0,40}(?:il faut|lance|fais|tu dois)"
     r"|\bdemande-moi (?:toujours )?avant\b|\bdans ce (?:repo|projet|dépôt) (?:, )?(?:on|nous|ne|pas|toujours"
     r"|jamais)\b|\bici on utilise\b|\bsous aucun prétexte\b|\ben aucun cas\b|\bsans (?:mon accord|me demander"
     r"|ma permission)\b|\barrête (?:dajouter|de mettre)\b"),
    # German
    ("ab jetzt|ab sofort|nun an|künftig|zukunft|nie|immer|keinen|umständen|grundsätz|verboten|finger|frag|ohne|jede"
     "|diesem|nutzen|wir|hör auf|nichts",
     r"\bab (?:jetzt|sofort) (?!steht|ist|geht|läuft)|\bvon nun an\b|\bkünftig\b|\bin zukunft (?:bitte|immer|nur"
     r"|keine?)\b|(?:\A|, )(?:bitte |und |aber |also )*(?:niemals (?!mehr als)\w+|nie (?:direkt|ohne|auf|in|den|die"
     r"|das|wieder|einfach|selbst|etwas|eine?n?|im|am|mit|mehr)\b|immer (?!noch|wieder|mehr|das gleiche|derselbe"
     r"|dasselbe|dieser|nur ein|wenn)(?:erst|zuerst|auf|mit|in|im|die|den|das|nur|vor|vorher|alle|tests?|\w+en)\b"
     r"|(?:ändere?|verwende|nutze|benutze|nimm|frage?|schreibe?|starte|lösche|pushe?|committe|halte?|lasse?"
     r"|führe?|fasse?|rühre?|bearbeite)(?! ich\b) [^,]{0,60}\b(?:nie|niemals|immer(?! noch| wieder))\b)"
     r"|\bimmer auf (?:englisch|deutsch)\b|, immer\Z|\bbitte (?:nie|niemals|immer|grundsätzlich)\b"
     r"|\bauf keinen fall\b|\bunter keinen umständen\b"
     r"|\bgrundsätzlich (?:nie|nicht|keine|immer|nur)\b|\bverboten\b|\bfinger weg vo[nm]\b"
     r"|\bfrag mich (?:immer )?(?:bevor|vorher|erst|zuerst)\b|\bohne (?:rückfrage|zu fragen|mich zu fragen"
     r"|meine (?:zustimmung|freigabe|erlaubnis))\b|\bjedes mal (?:wenn|bevor|nachdem) du\b|\b(?:nach"
     r"|vor) jede[rmn] \w+ (?:\w+ ){0,3}(?:laufen|ausführen|muss|prüfen|starten|lass|führ)|\bin diesem (?:repo|projekt"
     r"|repository) (?:\w+ )?(?:nutzen|verwenden|benutzen|gilt|nie|immer|nur|keine?)\b|\bwir (?:nutzen|verwenden"
     r"|benutzen) (?:hier|\w+ (?:, )?(?:nicht|kein|statt))\b|\bhier nutzen wir\b|\bhör auf (?:, )?\w+|\b(?:darf"
     r"|dürfen) (?:nie|niemals|nichts)\b"),
    # Turkish
    ("bundan|asla|kesinlikle|her zaman|daima|seferinde|her değ|her com|her adım|yasak|dokunma|bırak|bana sor"
     "|bu repoda|bu projede|hiçbir|burada",
     r"\bbundan (?:sonra|böyle)\b|\b(?:asla|kesinlikle) (?:\S+ ){0,8}?\w*(?:ma|me|mayın|meyin|mayalım|meyelim|masın"
     r"|mesin)(?= ,|\Z)|\b(?:her zaman|daima|her seferinde) (?:\S+ ){0,6}(?:olsun|kullan(?:ın)?|yap|yaz(?:ın)?"
     r"|çalıştır|sor|tut)(?= ,|\Z)|\bher (?:değişiklikten|committen|adımdan) (?:sonra|önce) (?:\S+ ){0,5}(?:çalıştır"
     r"|yap|sor|koş)|\byasak(?:tır)?\Z|\b\w+[ea] dokunma\Z|\b\w+m[ae]y[ıi] bırak\Z|\bönce (?:mutlaka )?bana sor\b"
     r"|\bbana sormadan\b|\bbu (?:repoda|projede) (?:\S+ ){0,4}(?:kullanıyoruz|kullan|kullanma)\b|\bhiçbir (?:koşulda"
     r"|şekilde)\b|\bburada \S+ kullanıyoruz\b"),
    # Hindi, in both scripts
    ("अब से|आगे|कभी|हमेशा|मत |पूछ|मना|के बाद|हम यहाँ|ab se|aage|kabhi|hamesha|mat |mujhse|bina|mana |ke baad",
     r"अब से|आगे से|(?:कभी|कभी भी) .{0,40}(?:मत|नहीं करना|न करना)|हमेशा (?!वाल).{0,60}(?:कर(?:ना|ो)|लिख(?:ना|ो)"
     r"|रख(?:ना|ो)|चला(?:ना|ओ)|देना|पूछो)(?= |\Z)|मत (?:करना|लगाना|छूना|बदलना)(?= |\Z)|पहले मुझसे पूछ|मुझसे पूछे बिना"
     r"|बिना पूछे|मना है|हर .{1,30} के बाद .{1,40}(?:चला(?:ना|ओ)|कर(?:ना|ो))|हम यहाँ .{1,30}(?:इस्तेमाल|यूज़)"
     r"|\bab se (?!line)|\baage se\b|\bkabhi (?:bhi )?.{0,40}\b(?:mat|nahi karna)\b|\bhamesha .{0,60}\b(?:karna|karo"
     r"|likhna|likho|rakhna|rakho|chalana|dena)\b|\bmat (?:karna|lagana|chhuna|badalna)\b|\bpehle mujhse (?:pooch"
     r"|puch)|\bbina pooche\b|\bmana hai\b|\bhar \w+ ke baad\b.{1,40}\b(?:chalana|karna|karo|chalao)\b"),
    # Italian
    ("in poi|mai |non |sempre|vietato|ogni|chiedimi|senza |in questo|qui usiamo|nessun|smett",
     r"\bd ?ora in poi\b|\bda (?:ora|adesso|oggi) in poi\b|(?:\A|, )(?:e |ma |per favore )*(?:mai \w+(?:are|ere|ire)\b"
     r"|non \w+(?:are|ere|ire)? mai\b|sempre (?:usa|usare|esegui|scrivi|rispondi|chiedi|in)\b)|, sempre\Z"
     r"|\bsempre in (?:inglese|italiano)\b|\bvietato\b|\bnon toccare (?!adesso|ancora|per ora)\w|\b(?:ogni volta che"
     r"|ad ogni|dopo ogni|prima di ogni) .{1,60}\b(?:lanciar?e?|esegui|bisogna|fai|devi)\b"
     r"|\bchiedimi (?:sempre )?prima\b|\bsenza (?:chiedermi|chiedere a me|il mio permesso)\b|\bin questo (?:repo"
     r"|progetto) (?:, )?(?:\w+ )?(?:usiamo|si usa|non|mai|sempre)\b|\bqui usiamo\b|\bin nessun caso\b|\bsmett(?:ila"
     r"|i) di (?:aggiungere|usare|mettere|fare)\b"),
    # Polish
    ("od teraz|od dziś|tej pory|nigdy|zawsze|pozorem|zabronione|wolno|ruszaj|każd|mnie|bez |w tym |używamy tu|przestań",
     r"\bod (?:teraz|dziś|tej pory)\b (?!linia)|(?:\A|, )(?:i |a |ale |proszę )*(?:nigdy nie (?!działa|było|jest"
     r"|kończy)\w+|zawsze (?:używaj|uruchamiaj|pisz|pytaj|rób|odpowiadaj|sprawdzaj|po|w|stosuj))\b"
     r"|\bzawsze po (?:angielsku|polsku)\b|, zawsze\Z|\bpod żadnym pozorem\b|\bzabronione\b|\bnie wolno\b"
     r"|\bnie ruszaj (?!tego|jeszcze|na razie)\w|\bza każdym razem (?:, )?(?:gdy|kiedy|jak|przed|po)\b|\b(?:po każdej"
     r"|przed każd(?:ym|ą)|po każdym) .{1,60}\b(?:odpal|uruchom|trzeba|zrób|sprawdź)|\b(?:za)?pytaj mnie (?:zanim"
     r"|przed)\b|\bbez pytania\b|\bbez mojej zgody\b|\bw tym (?:repo|projekcie"
     r"|repozytorium) (?:, )?(?:\w+ )?(?:używamy|nie|nigdy|zawsze)\b|\bużywamy tu\b|\bprzestań (?:dodawać|używać|pisać"
     r"|robić)\b"),
)
ONCE_ELSEWHERE = (
    r"先不要|先别|别急|这次|暂时|为什么|一直|吗\Z|呢\Z|失敗|落ち|今回|とりあえず|まだ|今は|なぜ|返って|アサート|아직"
    r"|이번|잠깐|지금은|왜 |안 끝나|죽는|실패|\b(?:доходит|падает|возвращает|пока|сначала|в этот раз|почему"
    r"|зачем|зависает|falla|devuelve|esta vez|todavía|aún|por ahora|por qué|de momento|termina|quebra|retorna|ainda"
    r"|dessa vez|desta vez|por enquanto|por que|renvoie|quelle soit|quil soit|plante|pas encore|cette fois"
    r"|pour linstant|pourquoi|chez moi|crasht|noch nicht|diesmal|warum|wieso|erst mal|vorerst|fürs erste|bei mir"
    r"|gibt zurück|schlägt fehl|patlıyor|dönüyor|henüz|bu sefer|şimdilik|neden|bende|bitmiyor|abhi|is baar|kyun?"
    r"|hota hai|deta hai|fallisce|stavolta|perché|per ora|questa volta|da me|restituisce|finisce|zwraca|wywala|jeszcze"
    r"|tym razem|na razie|czemu|dlaczego|kończy)\b|अभी|इस बार|क्यों")


# ==================================================================================================
# record/words/revocations.py: Which of the known rules a typed sentence revokes.
# ==================================================================================================

NAMED_SHARE_MIN = 0.5  # of what a rule is about, for words that lift it for good; others have to name the whole of it
CLAUSE = r"([^,]{1,80}?)"
TAIL = r"([^,]{0,80})(?=,|\Z)"
RULE = (
    r"(?:rules?|ban|restriction|requirement|policy|convention|constraint|freeze|instructions?|guidelines?|embargo)")
NOW_ON = (
    rf"\b(?:{FROM_NOW_ON}|any ?time|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|à partir de maintenant|désormais"
    r"|dorénavant|(?:a partir de|desde) ahora|de (?:ahora|aquí) en adelante|a partir de agora|de agora em diante"
    r"|daqui (?:pra|para a) frente|d ?ora in poi|da (?:ora|adesso|oggi) in poi|отныне|впредь|с этого момента|теперь"
    r"|od (?:teraz|dziś|tej pory)|już|artık|bundan (?:sonra|böyle)|ab se|aage se|ab(?=.* sakt[ei] ))\b"
    r"|अब(?: से)?(?= |\Z)|आगे से|从现在(?:开始|起)?|从今以后|今后|以后|今後は?|これから[はも]?|앞으로는?|이제는?")
FOR_GOOD = (  # what says that it is no single time
    rf"{NOW_ON}|\bany ?(?:more|longer)\b|\bno longer\b|nicht mehr|\bplus\b|\bya no\b|não|\bpiù\b|больше не"
    r"|不再|不用再|もう")
NOW_ON_OR_AGAIN = (  # what says so of a permission, or that it is as before
    rf"{NOW_ON}|\b(?:again|wieder|[aà] nouveau|de nouveau|otra vez|de nuevo|de novo|di nuovo|снова|опять|zn[oó]wu?"
    r"|tekrar|yine|phir se)\b|फिर से|又|了\Z|また|再び|다시")
REFORM = r"(?:forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back)"
LET_IT = rf"{START}(?:(?:you|we) (?:can|may|should) (?:now )?|ill |i )?{REFORM} (?:about )?"
MAY = r"(?:(?:you|we|agents) (?:may|can|could|are allowed to|are free to)|youre (?:allowed|free) to) (?:now )?"
FORGETTING = (  # a rule by its name
    ("forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back",
     rf"{LET_IT}([^,]{{0,60}}?)\b{RULE}\b{TAIL}|{LET_IT}(?:everything |all )?(?:what|that) i (?:said|told you|wrote"
     rf"|asked)(?: \w+)? (?:about|on|regarding|concerning) {TAIL}"),
    # The rule that the clause before names.
    ("forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back|vergiss|oublie",
     rf"{START}{MAY}{CLAUSE}(?: now| again)? ?, {REFORM} (?:about )?(?:that|this) {RULE}(?=,|\Z)"
     rf"|{START}du darfst {CLAUSE}(?: jetzt| wieder)?((?: [^,]{{1,40}})?) ?, vergiss (?:die|diese) regel(?=,|\Z)"
     rf"|{START}tu peux {CLAUSE}(?: maintenant)? ?, oublie (?:la|cette) (?:règle|consigne)(?=,|\Z)"),
    ("changed my mind", rf"{START}i(?:ve)? changed my mind (?:about|on) {TAIL}"),
    ("rule|ban|restriction|requirement|polic|convention|constraint|freeze|instruction|guideline|embargo",
     rf"{START}([^,]{{0,60}}?)\b{RULE}\b([^,]{{0,60}}?) (?:(?:no longer|doesnt|does not) (?:appl(?:y|ies)|holds?"
     rf"|counts?)(?: any ?(?:more|longer))?|(?:is|are) (?:now )?(?:lifted|void|over|dropped|cancell?ed|obsolete"
     rf"|history|withdrawn|revoked))\b{TAIL}"),
    ("vergiss|nicht mehr|aufgehoben",
     rf"{START}vergiss (?:bitte )?(?:, )?was ich (?:dir )?(?:zu[mr]?|über|von|wegen) {CLAUSE} gesagt hab\w*"
     rf"|{START}vergiss (?:bitte )?(?!.*\bnicht\b)(?:die (?:regel|sache|vorgabe|anweisung)|das(?: verbot)?) (?:mit"
     rf"|über|zu[mr]?|von|für|auf) {TAIL}|{START}vergiss (?:bitte )?die ([^,]{{1,40}}?)-? ?regel(?=,|\Z)|{START}(?:die"
     rf"|das) (?:regel|sperre|verbot|vorgabe|sache) (?:für|von|mit|zu[mr]?|über|auf) {CLAUSE} (?:gilt"
     r" (?:ab jetzt )?nicht mehr|ist aufgehoben)"),
    ("oublie|ne vaut plus|ne tient plus|ne sapplique plus|est levée",
     rf"{START}oublie (?:ce que jai dit|la (?:règle|consigne)|linterdiction) (?:sur|de|du|des|concernant) {TAIL}"
     rf"|{START}(?:la (?:règle|consigne)|linterdiction) (?:sur|de|des|du|concernant) {CLAUSE} (?:ne (?:vaut|tient"
     r"|sapplique) plus|est levée)"),
    ("olvida|ya no",
     rf"{START}olvida (?:lo que (?:te )?dije|la (?:regla|norma|prohibición)|lo) (?:sobre|del?|con) {TAIL}"
     rf"|{START}la (?:regla|norma|prohibición) (?:sobre|del?|para) {CLAUSE} ya no (?:aplica|vale|rige)"),
    ("esque|não vale mais",
     rf"{START}esque[cç][ae] (?:o que eu (?:te )?disse|a (?:regra|proibição)) (?:sobre|d[aeo]s?) {TAIL}"
     rf"|{START}a (?:regra|proibição) (?:sobre|d[aeo]s?|para) {CLAUSE} não vale mais"),
    ("dimentica|lascia perdere|non vale più",
     rf"{START}(?:dimentica|lascia perdere) (?:quello che ho detto|la regola|il divieto) (?:su\w{{0,3}}"
     rf"|d[aeio]\w{{0,3}}) {TAIL}|{START}(?:la regola|il divieto) (?:su\w{{0,3}}"
     rf"|d[aeio]\w{{0,3}}) {CLAUSE} non vale più"),
    ("забудь|больше не действует",
     rf"{START}забудь(?:те)? (?:, )?(?:что я (?:говорил|сказал)а?|(?:про )?правило) (?:про |об? )?{TAIL}"
     rf"|{START}(?:запрет|правило) (?:на |про |об? )?{CLAUSE} больше не действует"),
    ("zapomnij|nie obowiązuje",
     rf"{START}zapomnij (?:o (?:zasadzie|regule|zakazie)|(?:o tym )?(?:, )?co mówił[ae]m o) {TAIL}|{START}(?:zasada"
     rf"|reguła|zakaz) {CLAUSE} już nie obowiązuje"),
    ("unut|geçerli değil",
     rf"{START}{CLAUSE} (?:hakkında (?:söylediğimi|dediğimi)|kuralını|yasağını) unut\b|{START}{CLAUSE} (?:için yasak"
     rf"|kuralı|yasağı) artık geçerli değil"),
    ("भूल|लागू नहीं|bhool",
     rf"{START}{CLAUSE} (?:के बारे में (?:जो )?मैंने (?:जो )?कहा था|वाली बात|का नियम)(?: उसे| वो)? भूल जाओ"
     rf"|{START}{CLAUSE} (?:पर रोक|का नियम|की पाबंदी) अब लागू नहीं|{START}{CLAUSE} wali baat bhool ja(?:o|na)?\b"),
    ("忘|作废|取消|不再|解除|忽略",
     rf"{START}(?:请)?(?:忘掉|忘了|忽略)我?(?:之前|刚才)?(?:说的)?(?:关于)? ?{CLAUSE} ?的?(?:要求|规则|限制|话)(?=,"
     rf"|\Z)|{START}{CLAUSE} ?的?(?:规则|限制|禁令|要求)(?:已经)?(?:作废|取消|不再|解除)"),
    ("忘れて|解除|なし|不要|無効",
     rf"{START}{CLAUSE} ?(?:について|に関して)(?:言|話)ったことは忘れて(?!は|い)|{START}{CLAUSE} ?の(?:件|ルール|禁止"
     rf"|制限)は(?:もう)?(?:忘れて(?!は|い)|解除|なし|不要|無効)"),
    ("잊어|해제|없어|취소|무효",
     rf"{START}{CLAUSE} ?(?:에 대해|에 관해) ?(?:말한|했던) (?:건|것은|말은) 잊어(?!버리지)|{START}{CLAUSE} ?(?:금지"
     rf"|규칙|제한)[은는]? (?:이제 )?(?:해제|취소|무효|없어|잊어(?!버리지))"),
)
ALLOWING = (  # what a rule forbids
    (f"again| now|{FROM_NOW_ON_CUES}",
     rf"{START}(?!the |that |this |it |all |your |everything ){CLAUSE} (?:is|are) (?:allowed|permitted|ok|okay"
     rf"|fine) (?:again|now|{FROM_NOW_ON})\b{TAIL}|{START}(?:its|it is) (?:ok|okay|fine|allowed) to {CLAUSE} (?:again"
     rf"|now|{FROM_NOW_ON})\b{TAIL}"),
)
PERMITTING = (  # the same: words of permission, in a clause where "…" stands for those of NOW_ON_OR_AGAIN
    ("you|we |agents", rf"\A(?:… )*{MAY}"),
    ("darf|dürf|kannst|könnt",  # "kannst du ab jetzt …" asks for it
     r"\A(?:… )*(?:du (?:darfst|kannst)|ihr (?:dürft|könnt))\b|\b(?:darfst|dürft)\b(?: du| ihr)?"
     r"|(?!\A)\b(?:kannst du|könnt ihr)\b"),
    ("tu peux|vous pouvez", r"\A(?:… )*(?:tu peux|vous pouvez)\b"),
    ("pued", r"\A(?:… )*(?:ya |tú )*puede[sn]?\b"),
    ("pode", r"\A(?:… )*(?:vocês? |já )*pode[sm]?\b"),
    ("puoi|potete", r"\A(?:… )*(?:puoi|potete)\b"),
    ("мож", r"\A(?:… )*(?:ты |вы )?(?:можешь|можете|можно)\b"),
    ("możesz|możecie|wolno", r"\A(?:… )*(?:możesz|możecie|wolno (?:ci|wam))\b"),
    ("bilirsin", r"\B[ae]bilirsin(?:iz)?\Z"),
    ("sakt|सकत", r"\bsakt[ei] (?:ho|hain)\Z|सकत[ेी] (?:हो|हैं)\Z"),
    ("可以", "可以"),
    ("いい|よい|大丈夫", r"(?:ても?|でも)(?:いい|よい|大丈夫)(?:です)?よ?\Z"),
    ("도 ", r"도 (?:돼|됩니다|괜찮|좋)\S*\Z"),
)
RELIEVING = (  # of what a rule wants done
    ("any more|anymore|any longer|anylonger|no longer",
     rf"{START}{CLAUSE} (?:need not|neednt|(?:dont|do not|doesnt|does not) (?:need|have) to) {CLAUSE} any ?(?:more"
     rf"|longer)\b{TAIL}|{START}{CLAUSE} no longer (?:needs?|ha(?:ve|s)) to {TAIL}|{START}{CLAUSE} (?:is"
     rf"|are) no longer (?:needed|necessary|required|mandatory)\b{TAIL}|\b(?:no need to {CLAUSE} any ?(?:more|longer)"
     rf"|no longer any need to {TAIL})"),
    ("nicht mehr", rf"\b(?:musst|brauchst) (?:du )?{CLAUSE} nicht mehr\b{TAIL}"),
    ("plus", rf"\b(?:plus besoin de|tu nas plus (?:besoin de|à)) {TAIL}"),
    ("ya no", rf"\bya no (?:hace falta|tienes que|es necesario) {TAIL}"),
    ("não precisa mais", rf"\bnão precisa mais (?:de )?{TAIL}"),
    ("non ", rf"\bnon (?:serve|devi|occorre) più {TAIL}"),
    ("больше не", rf"\bбольше не (?:нужно|надо) {TAIL}"),
    ("nie musisz już", rf"\bnie musisz już {TAIL}"),
    ("gerek yok", rf"\bartık {CLAUSE} gerek yok\b"),
    ("ज़रूरत नहीं", rf"अब {CLAUSE} की ज़रूरत नहीं"),
    ("不用再|不需要再", rf"不(?:用|需要)再{TAIL}"),
    ("もう", rf"もう {CLAUSE} ?(?:必要はない|なくていい)"),
    ("안 해도", rf"이제 {CLAUSE} 안 해도 돼"),
)
EXCEPTING = (  # an exception or a condition, which ends nothing
    r"\b(?:for now|for the moment|right now|this time|once|only|today|tonight|tomorrow|until|except|unless|if|when"
    r"|while|yet|almost|temporarily|wenn|falls|sobald|diesmal|heute|vorerst|si|quand|cette fois|pour linstant|cuando"
    r"|esta vez|por ahora|quando|desta vez|por enquanto|(?<!ab )se|stavolta|per ora|если|когда|пока|jeśli|gdy|tym razem"
    r"|na razie|eğer|şimdilik|अगर|अभी|agar|abhi)\b|如果|这次|暂时|今回|もし|とりあえず|이번|만약|일단")
CHANGING = (  # verbs with one meaning: a permission may have another of them than the rule
    r"(?<!\S)(?:touch(?:e[sz]?|ed|ing|er)?|[eé]dit(?:s|ed|ing|er?|e[sz]|ar?)?|modif\w+|chang(?:e[dsz]?|ing|er)|alter(?:s|ed"
    r"|ing|ar|a|es?)?|toc(?:c?are?|ca|chi|a)|toques?|cambi\w+|mud(?:ar?|e)|mex(?:er?|as?)|(?:an)?fass(?:e|t|en)?"
    r"|(?:ver)?änder\w*|bearbeit\w+|(?:an|be)?rühr\w*|трог\w+|измен\w+|менять|меняй|редактир\w+|rusza\w+|zmieni\w+"
    r"|edyt[uo]\w+|dotyka\w+|dokun\w*|değiştir\w*|düzenle\w*|chh?(?:u|oo)na|chhu|badal\w*)(?!\S)|(?<!\S)(?:छू|छे|बदल)\S*"
    r"|碰|修?改|编辑|(?:触|いじ|変更|編集)[\u3041-\u309f]*|(?:건드|수정|고[치쳐]|바[꾸꿔]|변경)\S*")
ANY_CHANGE = "change"  # in the place of such a verb
BOUNDING = (  # what makes a rule of a permission
    r"\b(?:never|not|cannot|no|only|niemals|nie|nicht|keine?[nmrs]?|nur|erst|ne|pas|jamais|seulement|uniquement|nunca|jamás"
    r"|solo|sólo|solamente|não|só|somente|apenas|mai|non|soltanto|не|никогда|нельзя|только|nigdy|tylko|asla|sadece|yalnızca"
    r"|nahi|sirf)\b|नहीं|सिर्फ|केवल|不|只|ない|だけ|のみ|않|만(?= )")
FORBIDDING = (
    r"\b(?:never|dont|do not|no|not|avoid|stop|off|forbidden|without|only|hands|mustnt|nobody|niemals|nie|nicht|keine?"
    r"|finger|nunca|jamás|jamais|prohibido|não|mai|non|nigdy|asla|mat|mana)\b")
ENDING = r"(?:[sne]?|es|en|e?d|[tnglpm]?ing)"  # of a word, by which two forms differ
ALIKE = rf"(?:(.{{3,}}?){ENDING} \1{ENDING}|(.{{3,}}?)[aei]re? \2[aeo]s?)\Z"  # the second: an infinitive and its order
EVERYWHERE = ("here", "everywhere", "anywhere")  # of a rule: need not be named
UNNAMING = frozenset((  # words that name no rule: grammar, and what makes a sentence a rule
    "a an the and or of to in on at is are be it its that with for from by as we you i me my our your they do does did "
    "dont didnt not no never always only just also any more again now actually about what ever use used using thing "
    "things ok okay all every each make sure ever please earlier before after old must should shall may can could have "
    "has need so but there anything something stay keep must avoid stop directly straight whatever yes well "
    "der die das den dem des ein eine mit zu zum zur was ich du und auf im immer nie niemals keine kein bitte "
    "ce que le la les l de du des un une et à sur jamais toujours ne pas tu "
    "lo los las el en un una y nunca siempre no te que o os na no do da dos das em um uma e sempre a "
    "il gli i di del della dei delle su sul sulla nel mai non un "
    "и в на не про о об никогда всегда w z i o na do nie nigdy zawsze bir bu ve asla her zaman için "
    "का की के को में पर से कभी मत हमेशा तुम आप ka ki ke ko mein par se kabhi mat hamesha tum aap "
    "aux você ты вы sen siz 你 你们 了 を は に も が 를 을 는 은 에").split())


def revoked_by(sentence: str, known: Sequence[Item]) -> tuple[list[Item], str]:
    """The known rules that a sentence revokes, and what it says besides, folded; a rule of two that fit does not end.

    Where it names several rules, only those end of which it names the whole.
    """
    if not known or sentence[:1] in "\"“«「'‘":
        return [], ""
    plain = folded(re.sub(r"[\"“”«»「」]|(?<!\w)['‘]|['’](?!\w)", "", sentence))  # a name may stand in quotes
    cued = [markers for markers in (FORGETTING, ALLOWING, RELIEVING) if patterns_cued(plain, markers)]
    permitted, besides = permission_in(plain)
    if not (cued or permitted) or is_question(sentence, plain) or re.search(EXCEPTING, plain):
        return [], ""
    for markers in cued:
        for match in fitting(plain, markers):
            ended = rules_named(" ".join(filter(None, match.groups())), markers, plain, known)
            if ended:
                return ended, f"{match.string[:match.start()]} {match.string[match.end():]}".strip(" ,")
    return rules_named(permitted, PERMITTING, plain, known), besides


def permission_in(plain: str) -> tuple[str, str]:
    """What a folded sentence permits from now on or again, and what it says besides; nothing, and all of it, for none.

    "from now on you may only …" is another rule.
    """
    patterns = patterns_cued(plain, PERMITTING)
    if not patterns or not re.search(NOW_ON_OR_AGAIN, plain):
        return "", plain
    clauses = [re.sub(NOW_ON_OR_AGAIN, "…", clause) for clause in re.sub(rf"(\A|, ){LEAD}", r"\1", plain).split(" , ")]
    for index, clause in enumerate(clauses):
        words = next(filter(None, (re.search(pattern, clause) for pattern in patterns)), None)
        is_lasting = "…" in clause or clauses[index - 1:index] == ["…"]
        if words and is_lasting and not re.search(BOUNDING, clause):
            besides = [other for other in [*clauses[:index], *clauses[index + 1:]] if other != "…"]
            return f"{clause[:words.start()]} {clause[words.end():]}".replace("…", " "), " , ".join(besides)
    return "", plain


def rules_named(part: str, markers: Sequence[tuple[str, str]], plain: str, known: Sequence[Item]) -> list[Item]:
    """Those of the rules that have all the names in this part of a sentence, and of which the form tells."""
    is_forgotten, is_permitted = markers is FORGETTING, markers in (ALLOWING, PERMITTING)
    names = names_in(with_verbs_alike(part) if is_permitted else part)
    share_min = 0.0 if is_forgotten else NAMED_SHARE_MIN if re.search(FOR_GOOD, plain) else 1.0
    shares: list[tuple[float, Item]] = []
    for rule in known:
        wanted = folded(rule["text"])
        about = names_in(with_verbs_alike(wanted) if is_permitted else wanted)
        forbids = not wanted.isascii() or bool(re.search(FORBIDDING, wanted))
        is_fit = is_forgotten or (forbids if is_permitted else not re.match(FORBIDDING, wanted))
        if ANY_CHANGE in names and is_permitted and not names_what_to_change(names, wanted):
            continue
        if is_fit and names and about and all(is_named(name, wanted, about) for name in names):
            counted = [word for word in about if word not in EVERYWHERE]
            shares.append((min(len(names) / max(len(counted), 1), 1.0), rule))
    best = max((share for share, _ in shares), default=0.0)
    fit = [rule for share, rule in shares if share == best >= share_min]
    return fit if best == 1 or len(fit) == 1 else []


def names_in(plain: str) -> list[str]:
    """The words of a folded text that name what it is about, each once."""
    words = (word.strip(".-_/") for word in plain.split())
    return list(dict.fromkeys(word for word in words if word and word != "," and word not in UNNAMING))


def with_verbs_alike(plain: str) -> str:
    """The folded text with one word for all verbs of touching and changing something."""
    return re.sub(CHANGING, f" {ANY_CHANGE} ", plain)


def names_what_to_change(names: Sequence[str], rule: str) -> bool:
    """Whether the names are more than a verb, and hold all paths of the folded rule: of several one may be meant."""
    paths = names_in(" ".join(re.findall(r"\S*[/.]\S*", rule)))
    return len(names) > 1 and all(any(is_alike(name, path) for name in names) for path in paths)


def is_named(name: str, rule: str, about: Sequence[str]) -> bool:
    """Whether a name stands in a folded rule, in another form perhaps; of languages without spaces, as it is."""
    return name in rule if name[0] > "\u2e80" else any(is_alike(name, word) for word in about)


def is_alike(name: str, word: str) -> bool:
    """Whether two words are one: the same but for their endings; a path also by its last part."""
    if re.search(r"[\W\d_]", name):
        return name in (word, word.rpartition("/")[2])
    if not name.isascii():
        return name[:4] == word[:4] and abs(len(name) - len(word)) <= 3
    return name == word or bool(re.match(ALIKE, f"{name} {word}") or re.match(ALIKE, f"{word} {name}"))


# ==================================================================================================
# record/words/rules.py: The standing rules among a person's typed words, and which of them a later message revokes.
# ==================================================================================================

RULES_OF_A_MESSAGE_MAX = 12  # of more the rest stands in the message
PAGE_MIN_CHARACTERS = 6_000  # own words of a message that is a page: a plan, a specification
BOOK_MIN_CHARACTERS = 15_000  # of a page, from which on it is a document of others
KNOWN_RULES_MAX = 200  # newest, that a message may revoke
PROMPT_FOR_OTHER = r"(?i)\bsystem(?:[ _-]?prompt|_?message)\b|\bprompt syst[èe]me|系统提示词|系統提示詞"
COMMAND_NAME = r"\A\s*/[\w:.-]{1,80}:?\s+"  # of a slash command, before the words typed behind it


def rules_after(
        known: Sequence[Item], text: str, said: Sequence[str]) -> tuple[list[str], list[Item]]:
    """What a typed message changes: its standing sentences, and those of the known rules that it revokes by name.

    known: items with a `text`, oldest first. said: the agent's words so far; what is given back to the agent of them is
    no rule of the person. A rule stands there whole, as typed, spaces folded. A page with more of them than a message
    may give, or that is as long as no one types, is a book of rules, perhaps another team's, pasted as an example: it
    gives none, and stands as an order. Of 39,000 characters ("some like …") ten had been rules of another project.
    """
    own, live = own_lines(re.sub(COMMAND_NAME, "", text), said), list(known[-KNOWN_RULES_MAX:])
    lines = before_prompt_for_other(own)
    size = sum(map(len, lines))
    is_page, is_book = size > PAGE_MIN_CHARACTERS, size > BOOK_MIN_CHARACTERS
    revoked: list[Item] = []
    standing: dict[str, None] = {}
    for sentence in dict.fromkeys(sentences(lines)):
        ended, besides = revoked_by(sentence, live)
        live = [rule for rule in live if rule not in ended]
        revoked += ended
        if is_standing(besides if ended else sentence, is_page):
            standing[sentence] = None
    if is_book or (is_page and len(standing) > RULES_OF_A_MESSAGE_MAX):
        return [], revoked
    return list(standing)[:RULES_OF_A_MESSAGE_MAX], revoked


def before_prompt_for_other(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to one that speaks of a system prompt: what stands behind it is said to the program that gets it.

    Five of six rules of a session in which a bot's prompt was written had been the bot's.
    """
    index = next((index for index, line in enumerate(lines) if re.search(PROMPT_FOR_OTHER, line)), len(lines))
    return lines[:index + 1]


def is_standing(sentence: str, is_page: bool) -> bool:
    """Whether a sentence is a standing rule by a strong marker; on a page only the strongest count."""
    plain = folded(sentence)
    if is_question(sentence, plain):
        return False
    _, plain = permission_in(plain)
    for markers, single_times in ((ELSEWHERE, ONCE_ELSEWHERE), (ALWAYS, ONCE_ALWAYS), (STANDING, ONCE)):
        if not (is_page and markers is STANDING) and any(fitting(plain, markers)):
            return not re.search(single_times, plain)
    return False


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
# record/words/messages.py: The conversation: what the person typed, each with what it answers, and what the agent said.
# ==================================================================================================

MESSAGE_MAX_UTF16, KEY_CHARACTERS = 16_000, 300
LAST_WORDS_KEPT_UTF16 = 4_000  # of the agent's last words, lines kept: a list or code is what "yes" answers
SAID_MAX_UTF16 = 4_800  # of the agent's earlier words
ANSWERED_MAX_UTF16 = 700  # of the words that a message answers, their end
WITHOUT_OBJECT_BYTES = 40  # of a message that may be about what stands open; in UTF-8, as a wide script says more
SHORT_MESSAGE_CHARACTERS = 400  # a longer one is understood alone
PASTED_MIN_CHARACTERS, PASTED_SHOWN_UTF16 = 500, 100  # of a message; shorter pastes stand whole
WIDE_GAP = r"\n(?:[^\S\n]*\n){4,}"  # rows without words, as between a paste and the order that is typed below it
BEHIND_GAP_MAX_LINES = 12
SAID_COMPARED = 5  # of the agent's last words: what a person gives back of them is no word of theirs
OWN_LOOK = "recall.py"  # of a command that looks into the archive
QUESTION, LOOKED_UP = "question", "looked up"  # what waits: an answer to the agent's; the same, and a look came between
PAGE_SECONDS, PAGE_FIRST_LINES = 60, 3  # between a link and the page that was pasted; of the page
LINKED_MIN_CHARACTERS, LINKED_MIN_LINES = 1_500, 15  # of such a page: a shorter text may be an order
LINK_NAME = r"https?://[^\s/?#]{1,200}/(?:[^\s/?#]{1,200}/){0,20}([^\s/?#]{8,200})(?=[/?#]?(?:\s|\Z))"
SLASH_COMMAND = r"/[\w:-]*(?:\s|\Z)"


class Conversation:
    """The rules that hold and the agent's words, which later messages answer, correct or revoke."""

    def __init__(self, known: Sequence[Item], state: dict[str, str]) -> None:
        """Goes on from the items of earlier saves; `state` is the reading's, in which the last words are noted."""
        self.state = state
        self.rules = [item for item in known if item["kind"] == "rule"]
        self.said = [item["text"] for item in known if item["kind"] == "said"][-SAID_COMPARED:]
        self.by_ledger = [item for item in known if item["kind"] == "message" and item["source"] == "ledger"][-1:]
        self.last_words = text_of(state, "last_words")
        self.refusals: dict[str, str] = {}  # by call: what was refused
        self.typed_before = newest_typed(known)

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The items that an entry gives."""
        yield from self.message_by_row(entry)
        self.note_what_waits(entry)
        self.note_rejection(entry)
        if entry["what"] == "typed":
            yield from self.message_items(entry)
            self.state["rejected"] = ""
        elif entry["what"] == "said" and text_of(self.state, "waits") != LOOKED_UP:
            self.last_words = last_part(entry["text"], LAST_WORDS_KEPT_UTF16)
            self.said = [*self.said, entry["text"]][-SAID_COMPARED:]
            if not entry.get("is_old"):
                yield new_item("said", entry, both_ends_in_rows(entry["text"], SAID_MAX_UTF16), "assistant",
                               key=f"{entry['position']} {entry['text'][:40]}")
        elif entry["what"] == "plan":
            yield new_item("message", entry, entry["text"], "user", via="plan")
        elif entry["what"] == "teammate":
            yield new_item("message", entry, cut(entry["text"], MESSAGE_MAX_UTF16), "assistant", via="teammate",
                           sender=entry["sender"])
        elif entry["what"] == "call":
            if entry["rejected"]:
                self.refusals[entry["id"]] = call_in_words(entry)
            for words in typed_answers(entry) if entry["tool"] == "AskUserQuestion" else ():
                yield from self.rule_items(entry, words, "answer")

    def message_by_row(self, entry: Entry) -> Iterator[Item]:
        """The newest message that the ledger told, with what its row says that came with it.

        Where the ledger has cut its words, those of the row replace them, and so do the rules that they give.
        """
        for item in self.by_ledger if entry["what"] == "row" else ():
            if units(entry["text"]) <= PROMPT_MAX_UTF16:
                yield {**item, "attached": entry["attached"]}
                continue
            by_cut_words = [rule for rule in self.rules if rule["first"] == item["last"]]
            self.rules = [rule for rule in self.rules if rule not in by_cut_words]
            for rule in by_cut_words:
                yield {**rule, "status": "ended"}
            at: Entry = {**entry, "source": item["source"], "time": item["last"], "position": item["position"],
                         "cycle": item["cycle"], "via": item["via"], "typed_at": item["typed_at"]}
            message, *rules = self.message_items(at)
            yield {**message, "key": item["key"], "own": message.get("own", message["text"])}
            yield from rules

    def note_what_waits(self, entry: Entry) -> None:
        """Whether a question of the agent's waits for its answer, and a command that looks something up came behind it.

        What is said in answer to that, unless it asks in its turn, ends nothing: where the work stands is the question.
        """
        what, before = entry["what"], text_of(self.state, "waits")
        if what == "said":
            may_ask = holds_any(entry["text"], QUESTION_MARKS)
            is_open = may_ask and re.search(OPEN_QUESTION, last_part(entry["text"], ANSWERED_MAX_UTF16))
            self.state["waits"] = QUESTION if is_open else before if before == LOOKED_UP else ""
        elif what == "looked up" and before:
            self.state["waits"] = LOOKED_UP
        elif before and (what in ("plan", "teammate") or (what == "typed" and entry["via"] != "compact") or (
                what == "call" and is_work(entry))):
            self.state["waits"] = ""

    def note_rejection(self, entry: Entry) -> None:
        """Which call the person rejected without words, as long as nothing was said, run or typed since."""
        if entry["what"] == "said":
            self.state["rejected"] = ""
        elif entry["what"] == "call" and entry["rejected"]:
            self.state["rejected"] = "" if rejection_words(entry["output"]) else call_in_words(entry)
        elif entry["what"] == "call" and entry["ok"] is not None:
            self.state["rejected"] = ""

    def note_last_words(self) -> None:
        """Notes the agent's last words in the state, whole, as far as they are kept."""
        self.state["last_words"] = self.last_words

    def message_items(self, entry: Entry) -> Iterator[Item]:
        """From typed words: the message with what it answers; the rules that it gives, and those that it ends."""
        typed = entry["text"].strip()
        text = without_paste_tags(typed)
        is_short = len(text) <= SHORT_MESSAGE_CHARACTERS
        attached = text_of(entry, "attached")
        more: MessageFields = {"via": entry["via"], "typed_at": text_of(entry, "typed_at") or entry["time"],
                               "attached": attached, "command_error": text_of(entry, "command_error")}
        if entry["via"] == "prompt" and is_short:
            more["broken_off"] = text_of(entry, "broken_off")
        options: list[str] = []
        if entry["via"] == "rejection":
            more["refused"] = self.refusals.get(entry["source"], "")
        elif is_short and self.last_words and entry["via"] not in ("waited", "compact") and not is_slash_command(text):
            more["answers"] = last_part(self.last_words, ANSWERED_MAX_UTF16)
            more["picks"], options = picked_line(text, self.last_words)
            if entry["via"] in ("prompt", "interrupt"):
                more["follows"] = text_of(self.state, "rejected")
        if len(text.encode("utf-8", "replace")) <= WITHOUT_OBJECT_BYTES and not has_object(text):
            more["opened"] = text_of(entry, "opened").replace(f"{text_of(self.state, 'root') or '/'}/", "", 1)
        if not options and self.last_words and entry["via"] == "prompt":
            options = answered_lines(text, self.last_words)
        if not is_short and not is_document(text) and (own := without_pastes(typed, self.said)) != text:
            more["own"] = own
        is_page = entry["via"] == "queue" and is_page_of_link(text, more["typed_at"], self.typed_before)
        if is_page:
            more["own"] = "\n".join(paste_in_short([line for line in text.splitlines() if line.strip()], 0))
        answered = f" {more['answers'][-60:]}" if is_short and more.get("answers") else ""
        filled: Any = {name: value for name, value in {**more, "options": options}.items() if value}
        kept = text if units(text) <= MESSAGE_MAX_UTF16 else without_middle(without_rows_again(text), MESSAGE_MAX_UTF16)
        self.typed_before = new_item("message", entry, kept, "user",
                                     key=f"{words_in_short(text)}{answered}{attached and f' ({attached})'}", **filled)
        yield self.typed_before
        if not is_page:
            yield from self.rule_items(entry, typed, entry["via"])

    def rule_items(self, entry: Entry, text: str, via: str) -> Iterator[Item]:
        """The rules that typed words give, and those that they end."""
        sentences, revoked = rules_after(self.rules, text, self.said)
        for rule in revoked:
            self.rules = [known for known in self.rules if known["text"] != rule["text"]]
            yield {**rule, "status": "ended"}
        for sentence in sentences:
            rule = new_item("rule", entry, sentence, "user", via=via)
            self.rules = [*(known for known in self.rules if known["text"] != sentence), rule]
            yield rule


def words_in_short(text: str) -> str:
    """The text by which a message is known again: of a long one its beginning, and a checksum of all of it.

    Two pasted logs had passed for one that was typed twice, as they began with the same command.
    """
    begin = text[:KEY_CHARACTERS]
    return begin if begin == text else f"{begin} {checksum(text)}"


def is_slash_command(text: str) -> bool:
    """Whether the text calls a command of the client's; a path of several folders does not."""
    return re.match(SLASH_COMMAND, text) is not None


def has_object(text: str) -> bool:
    """Whether few words name something, or only agree: then no file that stands open tells what they are about."""
    return bool(re.search(r"\d", text) or names_of(text) or only_answers(text))


def is_work(call: Entry) -> bool:
    """Whether the call goes on with the work: it changes, orders or starts something, or asks the person."""
    if call["tool"] in SHELL_TOOLS:
        return not (is_looking(call["command"]) or OWN_LOOK in call["command"])
    return call["tool"] in (*CHANGING_TOOLS, *SUBAGENT_TOOLS, "AskUserQuestion", "ExitPlanMode")


def is_page_of_link(text: str, typed_at: str, before: Item | None) -> bool:
    """Whether a message is the page of a link that was typed just before: one of its first lines is the link's name.

    "Learn about https://example.org/zones-of-the-north", and half a minute later all that stands there: it orders
    nothing, and had stood as an order.
    """
    if not before or not 0 <= moment(typed_at) - moment(before.get("typed_at") or before["last"]) <= PAGE_SECONDS:
        return False
    names = {letters_of(link) for link in re.findall(LINK_NAME, before["text"][:SHORT_MESSAGE_CHARACTERS])}
    lines = text.splitlines()
    is_long = len(text) > max(LINKED_MIN_CHARACTERS, len(before["text"])) and len(lines) > LINKED_MIN_LINES
    return is_long and any(
        letters_of(line) in names and not line.rstrip().endswith(":") for line in lines[:PAGE_FIRST_LINES])


def letters_of(text: str) -> str:
    """The text's letters and digits, in lower case."""
    return re.sub(r"[\W_]", "", text.casefold())


def without_pastes(text: str, said: Sequence[str]) -> str:
    """A message's own lines; for lines that were pasted into it, how many they are and how the first begins."""
    words, pasted, least = list[str](), list[str](), PASTED_MIN_CHARACTERS
    # Of a very long message the middle is not looked at: there nothing counts as the person's own.
    lines, begin, behind_gap = text.splitlines(), own_lines(text, said), lines_behind_gap(text, said)
    count = len(lines) - len(behind_gap)
    of_person = [*begin[:count], *[""] * (count - len(begin)), *behind_gap]
    for line, own, below, own_below in zip_longest(lines, of_person, lines[1:], of_person[1:], fillvalue=""):
        is_end = bool(own_below) or not below.strip() or re.fullmatch(PASTE_TAG, below)  # of the paste
        behind = words_behind_log(line) if is_end and not own else ""
        if line.strip() and not own:
            pasted += [] if re.fullmatch(PASTE_TAG, line) else [line.strip().removesuffix(behind).rstrip()]
        if own or behind:
            least = PASTED_SHOWN_UTF16 if behind else least  # where words stand among rows of a log, they go first
            words += paste_in_short(pasted, least)
            pasted = []
        if own or behind or not line.strip():
            words.append(behind or line)
    return "\n".join([*words, *paste_in_short(pasted, least)]).strip()


def lines_behind_gap(text: str, said: Sequence[str]) -> list[str]:
    """The few lines behind a message's last wide gap, those that look pasted by themselves empty; none without a gap.

    They stand in the message whatever was announced above, and however long it is; for a rule that is too little. An
    order at the end of 87,000 characters, below another program's answer, had gone with that.
    """
    gap = next(reversed([*re.finditer(WIDE_GAP, text)]), None)
    end = text[gap.end():] if gap else ""
    is_in_wall = holds_any(end, ("```", "~~~", "</"))
    count = len(end.splitlines())
    own = own_lines(end, said) if count <= BEHIND_GAP_MAX_LINES and not is_in_wall else []
    return own + [""] * (count - len(own)) if own else []  # of a very long end some are not looked at


def paste_in_short(lines: list[str], least: int) -> list[str]:
    """A line that says how many lines were pasted and how the first begins; they themselves up to `least` signs."""
    if len("".join(lines)) <= least:
        return lines
    begin = next((line for line in lines if re.search(r"\w", line)), "")
    return [f"[{len(lines)}{PASTED_LINES}: {cut(begin, PASTED_SHOWN_UTF16)}]"]


# ==================================================================================================
# record/extract.py: From the entries of a session to the items that they give.
# ==================================================================================================

SAID_MAX_CHARACTERS = 60_000  # of the agent's words, the newest, that are kept
SAID_END_CHARACTERS = 200  # of its earlier words: their end


def items_of_entries(reading: Reading, known: Sequence[Item]) -> Iterator[tuple[Entry, list[Item]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    conversation, background = Conversation(known, reading.state), BackgroundEnds(known)
    others = (NumberedTasks(known), Checklists(known), Dialogs(known), Jobs(known))
    redact_said([entry for entry in reading.stream if entry["what"] == "said"])
    root = (text_of(reading.state, "root") or "/") + "/"
    for entry in sorted(reading.stream, key=lambda entry: str(entry["time"])):
        items = [*conversation.items_of(entry), *(item for other in others for item in other.items_of(entry))]
        if entry["what"] == "call":
            if entry["ok"] and shows_own_text(whole_command(entry), entry["output"]):
                entry["output"] = OWN_TEXT
            items += items_of_call(entry, root)
        elif entry["what"] == "feedback":
            items.append(feedback_item(entry))
        items += background.ended_by(entry, items)
        yield entry, [with_short_key(item) for item in items]
    if reading.stream:
        conversation.note_last_words()


def redact_said(said: Sequence[Entry]) -> None:
    """Takes secrets from the agent's words, in place; of the oldest, beyond SAID_MAX_CHARACTERS, the ends are left."""
    room = SAID_MAX_CHARACTERS
    for age, entry in enumerate(reversed(said)):
        text = entry["text"]
        room -= len(text)
        if room < 0:
            text = last_part(text, SAID_END_CHARACTERS)  # "No prior design" had lost its first word here
        entry["text"] = redact(clean(text))
        entry["is_old"] = age >= KIND_MAX["said"]  # not kept, only what messages answer


def with_short_key(item: Item) -> Item:
    """The item with its key on one line; it is made of words that were redacted when they were read."""
    key = cut(" ".join(item.get("key", "").split()), FIELD_MAX_UTF16)
    return {**item, "key": key} if key != item.get("key", "") else item


# ==================================================================================================
# record/outputs/files_read.py: What short files held when they were read, for where room is left: versions, scripts by name, settings.
# ==================================================================================================

FILE_MAX_UTF16, FILES_MAX_UTF16 = 2_000, 16_000  # of a file, of all of them together


def files_read(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """The rows of the short files that were read last, on one line each, by `name_of_output`, the newest last."""
    new = [entry for entry in reading.stream if is_short_file(entry)]
    shown = {**known, **{name_of_output(entry): rows_of_file(entry) for entry in new}}
    files = dict[str, str]()
    room = FILES_MAX_UTF16
    for name in sorted(shown, key=position_in_name)[::-1]:
        room -= units(shown[name])
        if room < 0:
            break
        files[name] = shown[name]
    return dict(reversed(files.items()))


def is_short_file(entry: Entry) -> bool:
    """Whether it is a call that showed a short file, or a few rows of a file, and none that is there for secrets.

    Its rows have numbers; of a PDF, a picture or an unchanged file the client says something of its own.
    """
    if entry["what"] != "call" or entry["tool"] != "Read" or not entry["ok"]:
        return False
    is_short = len(entry["output"]) <= FILE_MAX_UTF16 and re.match(ROW_NUMBER, entry["output"]) is not None
    return is_short and not re.search(FILE_OF_SECRETS, entry["path"].lower())


def rows_of_file(call: Entry) -> str:
    """The rows that a call showed, without their numbers and what the client says below them."""
    shown = without_row_numbers(redact(clean(call["output"].partition(CLIENTS_OWN)[0])))
    return quote(ROW_END.join(row.strip() for row in shown.splitlines() if row.strip()), FILE_MAX_UTF16)


# ==================================================================================================
# record/outputs/newest.py: What the newest calls showed: the next step goes on from that, and where room is left more of older ones is shown.
# ==================================================================================================

OUTPUT_KEPT_UTF16 = 1_200
# Of the calls before them, what is kept where all of it is short: of longer outputs the rows that tell most are known.
WHOLE_OUTPUT_UTF16, WHOLE_OUTPUTS_UTF16 = 2_000, 24_000  # of a call, of all of them together
OUTPUT_LOOKED_AT_CHARACTERS = 40_000
LIMIT_OF_FILES = r"(?<=^Found )(\d+ files?) limit: \d.*"  # behind how many files a search met
WITHOUT_OUTPUT = (*CHANGING_TOOLS, "Read", "TodoWrite", "Skill")  # the file stands there, or the client restores it


def newest_outputs(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """What the newest calls showed, by `name_of_output`, the newest last: whole or both ends of it.

    Of more than NEWEST_CALLS, back to where there are enough, what is whole.
    """
    ended = [entry for entry in reading.stream if entry["what"] == "call" and has_output_to_keep(entry)]
    outputs = dict[str, str]()
    room = WHOLE_OUTPUTS_UTF16
    for name, output in newest_first(ended, known):
        if len(outputs) >= NEWEST_CALLS:
            if not has_all_rows(output):
                continue
            room -= units(output)
            if room < 0:
                break
        outputs[name] = output
    return dict(reversed(outputs.items()))


def newest_first(ended: Sequence[Entry], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The outputs with their names: those of the calls that are read now, then those that are known.

    Long ones of the newest calls alone: to look at all of a session took a first save 50 ms, and none of them is kept.
    """
    calls = {name_of_output(entry): entry for entry in ended}
    for index, name in enumerate(sorted({**known, **calls}, key=position_in_name)[::-1]):
        if name not in calls:
            yield name, known[name]
        elif index < NEWEST_CALLS or len(calls[name]["output"]) <= WHOLE_OUTPUT_UTF16:
            yield name, output_in_short(calls[name])


def has_output_to_keep(call: Entry) -> bool:
    """Whether the call has ended and its output is its own.

    Not of failed calls of other tools than shells: what failed may imitate the client's own words. Nor of a command
    that only prints words of its own, or was put into the background: there stands what the client says to the agent.
    """
    if call["tool"] in WITHOUT_OUTPUT or call["ok"] is None:
        return False
    if call["tool"] not in SHELL_TOOLS:
        return call["ok"]
    if prints_own_words(whole_command(call)):
        return False
    return (call["ok"] or not call["rejected"]) and not is_put_in_background(call["output"])


def output_in_short(call: Entry) -> str:
    """What the call showed, on one line, of much both ends; redacted before it is cut: no part of a key is left.

    Of a search without the lines around those that it met, which pushed these out of the text.
    """
    output = without_clients_last_rows(call["output"]) if call["tool"] in SHELL_TOOLS else call["output"]
    rows = redact(clean(output[:OUTPUT_LOOKED_AT_CHARACTERS])).splitlines()
    lines = [row for row in plain_rows(rows) if not is_progress(row)]
    if call["tool"] == "Grep":
        lines = [re.sub(LIMIT_OF_FILES, r"\1", line) for line in without_rows_around(lines)]
    shown = ends_under_heads(lines, WHOLE_OUTPUT_UTF16)
    if not has_all_rows(shown):
        shown = ends_under_heads(lines, OUTPUT_KEPT_UTF16)
    if not shown:
        shown = both_ends_on_a_line(ROW_END.join(line.rstrip() for line in lines if line.strip()), OUTPUT_KEPT_UTF16)
    if call.get("is_output_cut") and has_all_rows(shown):
        shown = f"{shown}{ROW_END}{ROWS_BETWEEN}"
    return quote(shown, WHOLE_OUTPUT_UTF16)


# ==================================================================================================
# record/session.py: A session's memory read on to now, and the snapshot that is made of it.
# ==================================================================================================

STATE_MAX_UTF16, BODY_MAX_UTF16 = 600, 2_000
WAITING_MAX, QUEUE_MAX = 50, 20  # calls without a result, prompts not handed over yet: the newest
TRANSCRIPT_LAG_SECONDS = 30  # behind the ledger: some lines at a PreCompact, less than a second (2.1.150 to 2.1.330)
KEPT_WHOLE = "last_words"  # of the state: redacted when it was read, its lines kept


def read_on(memory: Memory, transcript: str, folder: str, settings: Settings) -> tuple[Memory, Entries]:
    """The memory after everything new was read, and what was new; the memory that came in stays as it is."""
    reading = Reading(memory)
    place = memory.get("place", {})
    if os.path.exists(transcript):  # it may come late
        place = read_transcript(reading, transcript, place, settings["tail_bytes"])
    transcript_time = reading.time
    ledgers = read_ledgers(folder, memory.get("ledgers", {}), reading)
    awaited = [call for call in reading.calls.values() if is_awaited(call, transcript_time)]
    entries = list(items_of_entries(reading, memory.get("items", [])))
    after: Memory = {
        "record": RECORD_FORMAT,  # the two first: a fork looks for its parent in the beginnings of these files
        "roots": reading.roots,
        "items": items_after(memory, reading, entries, settings),
        "place": place,
        "ledgers": ledgers,
        "began": memory.get("began") or first_time(entries),
        "time": reading.time,
        "position": reading.position,
        "cycle": reading.cycle,
        "after": reading.after,
        "typed": reading.typed,
        "state": state_after(reading),
        "outputs": newest_outputs(reading, memory.get("outputs", {})),
        "files": files_read(reading, memory.get("files", {})),
        "pending": [waiting_call(call) for call in awaited][-WAITING_MAX:],
        "seen": ids_seen(reading, awaited)[-SEEN_IDS_MAX:],
        "queue": reading.queue.waiting[-QUEUE_MAX:],
        "dequeued": reading.queue.dequeued[-QUEUE_MAX:],
        "scheduled": reading.queue.scheduled,
        "progress": memory.get("progress", []),
        "named": memory.get("named", []),
    }
    return after, entries


def items_after(memory: Memory, reading: Reading, entries: Entries, settings: Settings) -> list[Item]:
    """The memory's items with those that the entries gave; without calls that were refused since, or are told again."""
    refused = {name for name, call in reading.calls.items() if call["rejected"]}
    by_ledger = {call["id"] for call in memory.get("pending", []) if call.get("is_by_ledger")}
    known = without_edits_of(by_ledger, without_refused(memory.get("items", []), refused))
    return merge(known, [item for _, items in entries for item in items], settings)


def state_after(reading: Reading) -> dict[str, str]:
    """Where the session stands and what its repository is, in short texts."""
    state = {**reading.state, **names_of_repository(reading.state.get("cwd", ""))}
    return {name: text if name == KEPT_WHOLE else quote(text, STATE_MAX_UTF16) for name, text in state.items()}


def ids_seen(reading: Reading, awaited: Iterable[Entry]) -> list[str]:
    """The ids of rows and calls that count no more where they come again: a call that is awaited may."""
    may_come = {call["id"] for call in awaited}
    return [*reading.seen, *(name for name in reading.calls if name not in may_come)]


def is_awaited(call: Entry, transcript_time: str) -> bool:
    """Whether the transcript is still to tell how the call ended: it lags behind the ledger, which has no outputs.

    A subagent's call, of which it never tells, is awaited until the transcript has gone on behind it.
    """
    if call["rejected"] or call["ok"] is None:
        return not call["rejected"]
    return call.get("is_by_ledger", False) and moment(transcript_time) < moment(call["time"]) + TRANSCRIPT_LAG_SECONDS


def without_named_secrets(memory: Memory) -> Memory:
    """The memory without the secrets that stand in it alone, where the session names them elsewhere."""
    marks = marks_with(memory["named"])
    hidden: Memory = all_without_marked(memory, marks)
    hidden["named"] = marks
    return hidden


def names_of_repository(folder: str) -> dict[str, str]:
    """Branch, commit and working tree at this save, to be compared with what they are later."""
    now = repository(folder) if folder else {}
    return {"branch": now.get("branch", ""), "head": now.get("head", ""), "worktree": now.get("worktree", "")}


def first_time(entries: Entries) -> str:
    """When the session's first entry was; empty without one."""
    return next((entry["time"] for entry, _ in entries if entry.get("time")), "")


def waiting_call(call: Entry) -> Entry:
    """A call without a result as it waits on disk, secrets out."""
    return {**call, "body": cut(redact(clean(call["body"])), BODY_MAX_UTF16)}


def snapshot_of(memory: Memory, settings: Settings) -> Snapshot:
    """What the restore chooses from: the items, where the session stands, the settings in force."""
    return {
        "record": memory["record"],
        "position": memory["position"],
        "cycle": memory["cycle"],
        "began": memory["began"],
        "time": memory["time"],
        "state": memory["state"],
        "outputs": memory.get("outputs", {}),
        "files": memory.get("files", {}),
        "items": memory["items"],
        "read": {"transcript": memory["place"], "ledgers": memory["ledgers"]},  # so that it is seen what is new since
        "named": memory["named"],
        "settings": settings,
    }


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
# store/backup.py: Compressed copies of a session's transcript, in sessions/<session_id>/backups/, for the owner alone.
# ==================================================================================================

COPIES_MAX = 5  # copies of a session
COPY_NAME = r"\d{8}T\d{6}\.\d{3}Z\.jsonl\.gz\Z"  # sorted by name they are by time
CHUNK_BYTES = 1 << 20  # bytes read at once: a transcript may have hundreds of MB


def copy_transcript(transcript: str, session: str) -> str:
    """The path of the new copy, the oldest ones removed."""
    now = time.time()
    name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z.jsonl.gz"
    folder = private_folder("sessions", session, "backups")
    path = os.path.join(folder, name)
    draft = os.path.join(folder, "draft.tmp")
    if not lock_session(folder, patience=0):
        raise Refusal("another process is copying it")
    if os.path.lexists(draft):  # of a process that was killed
        os.unlink(draft)
    with os.fdopen(open_regular(transcript, os.O_RDONLY), "rb") as file:
        handle = open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK)
        try:
            with os.fdopen(handle, "wb") as target:
                compress(file, target)
            os.replace(draft, path)
        except BaseException:  # stopped too: no draft may keep later copies out
            os.unlink(draft)
            raise
    for old in copies(folder)[:-COPIES_MAX]:
        os.unlink(os.path.join(folder, old))
    return path


def compress(source: BinaryIO, target: BinaryIO) -> None:
    """Writes what the source holds now, compressed; what is appended meanwhile is left out."""
    import gzip
    left = os.fstat(source.fileno()).st_size
    with gzip.GzipFile("", "wb", 6, target) as packed:
        while left > 0 and (part := source.read(min(left, CHUNK_BYTES))):
            packed.write(part)
            left -= len(part)


def copies(folder: str) -> list[str]:
    """The names of the copies in the folder, the oldest first."""
    return sorted(name for name in os.listdir(folder) if re.match(COPY_NAME, name)) if os.path.isdir(folder) else []


def backups_listed(session: str) -> list[str]:
    """A line for each copy of the session: its size in bytes and its path; a refusal where there is none."""
    of_session = session_folder(session)
    folder = os.path.join(of_session, "backups")
    paths = [os.path.join(folder, name) for name in copies(folder)]
    if not os.path.isdir(of_session):
        raise Refusal(f"there is no {of_session}: a session is named by its whole id")
    if not paths:
        raise Refusal(f"no copies of session {session}; `transcript_backup` is the setting")
    return [f"{os.path.getsize(path):>12,}  {path}" for path in paths]


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


def remove_rest(folder: str) -> None:
    """Removes parts that nobody has taken: they are an earlier compaction's, as their id tells where they stay."""
    remove_file(os.path.join(folder, REST_FILE), "an earlier compaction's further parts")


# ==================================================================================================
# store/retention.py: What has grown old in the data folder goes: drafts of killed processes, folders of old sessions.
# ==================================================================================================

DRAFT_NAME = r".+\.\d+\.tmp\Z"  # of a file that is going to be replaced, by the process of that number
DRAFT_ABANDONED_SECONDS = 10 * 60  # seconds after which that process has died: no hook may take 20


def remove_drafts(folder: str) -> None:
    """Removes from the folder the drafts that no process is at work on."""
    for entry in os.scandir(folder):
        try:
            is_draft = entry.name.endswith(".tmp") and re.match(DRAFT_NAME, entry.name)
            if is_draft and not entry.is_dir(follow_symlinks=False):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if age > DRAFT_ABANDONED_SECONDS:
                    os.unlink(entry.path)
        except FileNotFoundError:  # it has become the file
            continue


def forget_old_sessions(own: str, days: int) -> None:
    """Removes the folders of other sessions in which nothing was written for so many days."""
    sessions = [entry for entry in os.scandir(os.path.dirname(own)) if entry.is_dir(follow_symlinks=False)]
    for session in [session for session in sessions if session.path != own]:
        try:
            forget_if_old(session.path, days)
        except FileNotFoundError:  # another process is at work in it
            continue
        except OSError as fault:
            log(f"after the save, old sessions: {fault}")


def forget_if_old(session: str, days: int) -> None:
    """Removes the session's folder, copies of the transcript too; not where it has another folder or a link to one."""
    files = [*os.scandir(session)]
    backups = os.path.join(session, "backups")
    copies = [*os.scandir(backups)] if os.path.isdir(backups) else []
    written = max((entry.stat(follow_symlinks=False).st_mtime for entry in files + copies), default=time.time())
    folders = [entry for entry in files + copies if entry.is_dir()]
    if time.time() - written < days * 86_400 or any(entry.path != backups or entry.is_symlink() for entry in folders):
        return
    for entry in copies + [entry for entry in files if entry not in folders]:
        os.unlink(entry.path)
    for path in [entry.path for entry in folders] + [session]:
        os.rmdir(path)


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
NOT_READ = "it is not used:"  # of a file as a whole
# Why a setting is not used, beside what it takes.
NO_SUCH_SETTING, OWN_ALONE = "there is no such setting", "a project cannot set it, only your config.json"
OFF_ALONE = "a project can only set it to false"
FAULTS_MAX, NAME_SHOWN_UTF16 = 20, 60  # settings that are named as not used
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
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def default_settings() -> Settings:
    """The settings where no file sets any."""
    values: Any = {name: default for name, (default, _) in SETTINGS.items()}
    settings: Settings = values
    return settings


def settings_for(project: str) -> Settings:
    """The settings in force in the project, "" for none; what a file sets and cannot is named in the log, once."""
    return settings_of(project, lambda path, faults: log_once(f"{path}: {'; '.join(faults)}"))


def settings_of(project: str, complain: Callable[[str, list[str]], None]) -> Settings:
    """The settings of the two files over the defaults; `complain` is told of each file what is not taken in it."""
    settings = default_settings()
    of_project = os.path.join(project, ".claude", "compact-keeper.json") if project else ""
    for path, is_own in ((own_settings_path(), True), (of_project, False)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        taken: Any = {name: value for name, value in values.items() if is_taken(name, value, is_own)}
        settings.update(taken)
        others = [name for name in values if name not in taken and name != "schema"]
        if others:
            complain(path, [f"{quote(name, NAME_SHOWN_UTF16)} is not used: {why_not(name, is_own)}"
                            for name in others[:FAULTS_MAX]])
    return settings


def own_settings_path() -> str:
    """The path of the person's config.json; empty where no data folder is known, as whatever writes says too."""
    try:
        return os.path.join(data_home(), "config.json")
    except Refusal:
        return ""


def is_taken(name: str, value: object, is_own: bool) -> bool:
    """Whether the setting of a file counts: the person's own (`is_own`), or a project's."""
    if name not in SETTINGS or not is_usable(name, value):
        return False
    return is_own or (name in OF_A_PROJECT and (name not in OFF_ONLY or value is False))


def why_not(name: str, is_own: bool) -> str:
    """What is wrong with a setting that is not used, and what it takes."""
    if name not in SETTINGS:
        return NO_SUCH_SETTING
    if not is_own and name not in OF_A_PROJECT:
        return OWN_ALONE
    if not is_own and name in OFF_ONLY:
        return OFF_ALONE
    default, values = SETTINGS[name]
    if isinstance(default, bool):
        return "it is true or false"
    if isinstance(default, str):
        return f"it is {' or '.join(json.dumps(value) for value in values)}"
    return f"it is a {'whole ' * isinstance(default, int)}number from {values[0]:,} to {values[1]:,}"


def read_settings(path: str, complain: Callable[[str, list[str]], None]) -> JsonObject:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except json.JSONDecodeError as fault:
        comma = " (a comma too many before it?)" if fault.doc[:fault.pos].rstrip()[-1:] == "," else ""
        location = f"line {fault.lineno}, column {fault.colno}"
        complain(path, [f"{NOT_READ} {location} is not as JSON has it: {fault.msg}{comma}"])
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(path, [f"{NOT_READ} {fault}"])
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
# the script: Save what a compaction would lose: read what is new in the session, keep its items with their source.
# ==================================================================================================

INSTRUCTIONS = (  # at most 300 characters: on a manual /compact the client shows them and keeps them in the new context
    "compact-keeper: messages, tasks, edits, commands and how they ended are put back separately. Spend the summary on "
    "the rest: why; decisions with the rejected alternative; what was learned; half-done steps; what is only claimed. "
    "Quote rules and corrections word for word. Use the user's language.\n")
EVENTS = ("PreCompact", "Stop", "SessionStart")
BESIDE = "COMPACT_KEEPER_BESIDE"  # hooks/run starts a turn's save with it, when nobody waits for that
TYPED_BEHIND_MAX_UTF16 = 300  # of what was typed behind /compact, in events.jsonl


def save(data: HookInput) -> None:
    """The hook: saves the session; before a compaction it tells the summariser what to keep in any case."""
    event = data["hook_event_name"]
    is_of_subagent = bool(text_of(data, "agent_id"))  # its compaction begins none of the main thread's
    if event not in EVENTS or (is_of_subagent and event != "PreCompact"):
        return
    settings = settings_for(project_folder(data))
    folder = private_folder("sessions", data["session_id"])
    if event == "PreCompact" and not is_of_subagent:
        save_before_compaction(data, folder, settings)
    else:
        if event == "Stop" and os.environ.get(BESIDE):
            wait_for_answer(data["transcript_path"], text_of(data, "last_assistant_message"))
        saved = save_session(data, folder, settings)
        finish(data, folder, settings, "Stop" if is_of_subagent else event, saved)


def save_before_compaction(data: HookInput, folder: str, settings: Settings) -> None:
    """Saves, and prints the answer to the client: that the compaction is held, else what the summary is to hold.

    Only what can come back may be left out of the summary: what was saved now, or else before.
    """
    saved: Saved | None = None
    hold: JsonObject = {}
    try:
        saved = save_session(data, folder, settings)
        hold = answer_holding_back(data, folder, settings)
        if not hold:
            transcript = data["transcript_path"]
            begin_compaction(folder, {
                "id": saved["id"], "time": time.time(), "trigger": text_of(data, "trigger"),
                "project": project_folder(data), "transcript": transcript, "offset": size_of(transcript)})
            remove_rest(folder)
        finish(data, folder, settings, "PreCompact", saved)
    finally:
        is_safe = saved is not None and bool(saved["after"]["items"])
        if hold:
            print_json(hold)
        elif settings["instructions"] and (is_safe or can_come_back(folder, data["session_id"])):
            os.write(1, INSTRUCTIONS.encode())


def save_session(data: HookInput, folder: str, settings: Settings) -> Saved:
    """Reads on, and stores memory and snapshot."""
    started = time.time()
    compaction_id = f"{int(started * 1e6):x}"
    lock_session(folder)
    state = state_of_file(os.path.join(folder, MEMORY_FILE))
    before = known_memory(data, folder)
    after, compacted = memory_now(data, folder, before, settings)
    is_stored = store(folder, state, after, {
        **snapshot_of(after, settings), "session": data["session_id"], "id": compaction_id, "created": started,
        "ttl": 60 * settings["ttl_minutes"], "project": project_folder(data)})
    return {"id": compaction_id, "before": before, "after": after, "started": started, "compacted": compacted,
            "is_stored": is_stored}


def known_memory(data: HookInput, folder: str) -> Memory:
    """What the session's last save knew; of a fork's first save, what its parent knew up to there."""
    memory = usable_memory(os.path.join(folder, MEMORY_FILE))
    transcript = data["transcript_path"]
    has_read_nothing = not memory or memory.get("roots") == []  # no uuid yet: no transcript was there to be read
    if has_read_nothing and os.path.isfile(transcript):
        return inherited_memory(folder, transcript) or memory
    return memory


def memory_now(data: HookInput, folder: str, memory: Memory, settings: Settings) -> tuple[Memory, list[Entry]]:
    """The memory after everything new was read, its log of what happened too; and the compactions that were new."""
    after, entries = read_on(memory, own_transcript(data, memory), folder, settings)
    if settings["notes"] and entries:
        after["progress"] = log_after(after["progress"], entries, memory.get("items", []), folder)
    return without_named_secrets(after), [entry for entry, _ in entries if entry.get("what") == "compacted"]


def own_transcript(data: HookInput, memory: Memory) -> str:
    """The session's transcript; no path where another session's file has taken its place."""
    path = data["transcript_path"]
    place = memory.get("place", {})
    if place and os.path.isfile(path) and is_of_another(path, place, data["session_id"]):
        log(f"{path} holds another session now and is not read")
        return ""
    return path


def store(folder: str, state: tuple[int, ...], memory: Memory, snapshot: Snapshot) -> bool:
    """Whether memory and snapshot were stored; not where a save beside this one has read further.

    `state`: of the stored memory as this save read it.
    """
    memory_path = os.path.join(folder, MEMORY_FILE)
    snapshot_path = os.path.join(folder, SNAPSHOT_FILE)
    refuse_later_version(snapshot_path)
    if state_of_file(memory_path) != state and read_store(memory_path).get("position", 0) > memory["position"]:
        return False
    items = encoded_json(memory["items"])  # to write them takes half of the time
    replace_store(memory_path, memory, items=items)
    replace_store(snapshot_path, snapshot, items=items)
    return True


def answer_holding_back(data: HookInput, folder: str, settings: Settings) -> JsonObject:
    """The answer that holds the compaction, where the gate does; empty where the compaction may begin."""
    if settings["gate"] != "hold" or text_of(data, "trigger") != "auto":
        return {}
    known = read_compaction(folder)
    hold = hold_for(known, read_store(os.path.join(folder, MEMORY_FILE)), data["transcript_path"], settings)
    if not hold:
        return {}
    set_stage(folder, {**known, **hold}, known["stage"])
    return {"decision": "block", "reason": f"compact-keeper: {hold['why']}"}


# --- what is left to do when the snapshot is safe ---


def finish(data: HookInput, folder: str, settings: Settings, reason: str, saved: Saved) -> None:
    """Does what is left, each part whatever became of the others; one that fails is a line in hook.log.

    `reason`: the event that events.jsonl tells it was for. Nothing where a save beside this one does it.
    """
    if not saved["is_stored"]:
        return
    before, after, started = saved["before"], saved["after"], saved["started"]
    home = data_home()
    recorded: dict[str, int] = {}  # by the first part, for the line in events.jsonl
    parts: dict[str, Callable[[], object]] = {
        "ledger.jsonl": lambda: recorded.update(hook_times(folder) if fold_ledger(folder) else {}),
        "events.jsonl of compactions": lambda: note_compactions(data["session_id"], saved["compacted"]),
        "events.jsonl": lambda: note_save(data, folder, reason, saved, recorded),
        "drafts": lambda: remove_drafts(folder),
        "drafts of all sessions": lambda: remove_drafts(home),
        "status.json": lambda: store_status(data, folder, after, started)}
    if settings["notes"] and after["position"] > before.get("position", 0):
        parts[NOTES_PAGE] = lambda: keep_notes(data, folder, after)
    if reason == "PreCompact":
        parts["old sessions"] = lambda: forget_old_sessions(folder, settings["retention_days"])
    if settings["transcript_backup"] == "gzip":
        parts["transcript_backup"] = lambda: start_backup(data, folder, started)
    if settings["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off":
        parts["archive"] = lambda: start_indexing(data["transcript_path"])
    attempt_each("after the save", parts)


def store_status(data: HookInput, folder: str, memory: Memory, started: float) -> None:
    """Replaces the figures that the status line shows."""
    path = os.path.join(folder, STATUS_FILE)
    refuse_later_version(path)
    replace_store(path, {**figures_of_memory(memory), "time": started, "project": project_folder(data),
                         "transcript": data["transcript_path"]})


def note_compactions(session: str, compacted: Iterable[Entry]) -> None:
    """Adds a line to events.jsonl for each compaction of which the client has told its own counts of tokens."""
    for entry in compacted:
        when, tokens = moment(entry["time"]), entry.get("tokens", [])
        if when and tokens:
            note_event("boundary", session, time=when, trigger=entry["trigger"],
                       **dict(zip(("tokens_before", "tokens_after"), tokens)))


def note_save(data: HookInput, folder: str, reason: str, saved: Saved, recorded: dict[str, int]) -> None:
    """Adds the save's line to events.jsonl, with the times that hooks took since the last one.

    Where a compaction begins, with its id, its trigger and what was typed behind /compact.
    """
    before, after, started = saved["before"], saved["after"], saved["started"]
    fields: JsonObject = {"recorded": recorded} if recorded else {}
    begun = read_compaction(folder) if reason == "PreCompact" else {}
    if has_begun(begun, started):
        about = {"id": begun["id"],
                 "trigger": quote(text_of(data, "trigger"), TRIGGER_MAX_UTF16),
                 "typed": quote(text_of(data, "custom_instructions"), TYPED_BEHIND_MAX_UTF16)}
        fields.update({name: value for name, value in about.items() if value})
    note_event("save", data["session_id"], time=started, on=reason, items=len(after["items"]), cycle=after["cycle"],
               cleared=cleared_failures(before, after), **fields, ms=int((time.time() - started) * 1000))


def has_begun(compaction: CompactionState, since: float) -> bool:
    """Whether a compaction has begun since then: none did that the gate held."""
    return compaction.get("time", 0) >= since


def start_indexing(transcript: str) -> None:
    """Starts the process that takes the transcript, and those of the session's subagents, into the archive."""
    subagents = transcript.removesuffix(".jsonl")
    if os.path.isfile(transcript):
        folders = [subagents] if os.path.isdir(subagents) else []
        start_alone(script_command("recall.py", "index", "--quiet", transcript, *folders))


def start_backup(data: HookInput, folder: str, since: float) -> None:
    """Starts the process that copies the transcript, where a compaction has begun."""
    if has_begun(read_compaction(folder), since) and os.path.isfile(data["transcript_path"]):
        start_alone(script_command(
            "save_snapshot.py", "--backup", data["transcript_path"], data["session_id"], "--quiet"))


# --- by hand ---


def dry_run(transcript: str) -> int:
    """Prints the snapshot that a save would store for the transcript now; nothing is written.

    The session's own folder decides on settings and pins, from wherever this is started.
    """
    path = os.path.abspath(transcript) if transcript else newest_transcript()
    if not os.path.isfile(path):
        raise Refusal(f"{transcript} is not a file; name a transcript (*.jsonl)")
    session = os.path.basename(path).partition(".jsonl")[0]
    folder = session_folder(session)
    memory = read_store(os.path.join(folder, MEMORY_FILE))
    project = text_of(read_store(os.path.join(folder, SNAPSHOT_FILE)), "project") or project_folder({})
    settings = settings_for(project)
    if memory and fault_in(memory):  # a save would keep it beside, and read the session anew
        memory = {}
    after = without_named_secrets(read_on(memory, path, folder, settings)[0])
    snapshot = {"schema": SCHEMA, **snapshot_of(after, settings), "session": session, "project": project}
    print(json.dumps(snapshot))
    return 0


def back_up(transcript: str, session: str, is_quiet: bool) -> int:
    """Copies the transcript; quietly, with low priority and its fault in hook.log, where a hook has started it."""
    named = session or os.path.basename(transcript).removesuffix(".jsonl")
    if not SESSION_ID.match(named):
        raise Refusal(f"{named!r} is no session's id; name it behind the transcript")
    if is_quiet and hasattr(os, "nice"):
        os.nice(10)
    try:
        path = copy_transcript(transcript, named)
    except (OSError, Refusal) as fault:
        if not is_quiet:
            raise Refusal(f"{transcript} was not copied: {fault_words(fault)}") from fault
        log(f"{transcript} was not copied: {fault}")
        return 1
    if not is_quiet:
        print(path)
    return 0


def begin_fork(transcript: str, session: str) -> int:
    """Saves the session for the first time where it is a fork: answer_prompt.py starts it before it shows anything."""
    folder = session_folder(session)
    if os.path.isfile(transcript) and not os.path.exists(os.path.join(folder, MEMORY_FILE)) and (
            is_fork(folder, transcript)):
        save({"hook_event_name": "Stop", "session_id": session, "transcript_path": transcript, "cwd": os.getcwd()})
    return 0


def by_hand(arguments: list[str]) -> int:
    """What the command line asks for; the page for anything else."""
    command, *words = [word for word in arguments if word != "--quiet"] or [""]
    if command == "--dry-run" and len(words) < 2:
        return dry_run("".join(words))
    if command == "--backup" and 0 < len(words) < 3:
        return back_up(words[0], "".join(words[1:]), "--quiet" in arguments)
    if command == "--fork" and len(words) == 2 and SESSION_ID.match(words[1]):
        return begin_fork(*words)
    if command == "--backups" and len(words) == 1 and SESSION_ID.match(words[0]):
        print("\n".join(backups_listed(words[0])))
        return 0
    print(__doc__)
    return 0 if command == "--help" else 2


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook; with arguments 0 when it was done, 1 with one line that says why not, 2 for wrong usage."""
    arguments: list[Any] = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return run_hook(save)
    try:
        return by_hand(arguments)
    except (OSError, Refusal) as fault:
        sys.stderr.write(f"compact-keeper: {fault_words(fault)}\n")
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
