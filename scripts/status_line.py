#!/usr/bin/env python3
"""A status line for Claude Code: how full the context is, the last save, open tasks, whether a note waits.

    ██████████████│··│·│ ctx 72% · saved 2 min ago · 3 open tasks · summary dropped 2: note waiting

Usage: status_line.py [--wrap COMMAND]     the client starts it, its JSON on stdin; in the person's settings.json:
    {"statusLine": {"type": "command", "command": "python3 -IS \\"FOLDER/run_hook.py\\" status_line.py"}}
Around the status line command that is there already, whose output stays, before this line:
    {"statusLine": {"type": "command",
        "command": "python3 -IS \\"FOLDER/run_hook.py\\" status_line.py --wrap 'COMMAND'"}}

ctx     is the part used of what fits before the client compacts by itself, as in its own "% until auto-compact": 100 %
        is 33,000 tokens below the window's end (measured with 2.1.76 to 2.1.329). The window is the model's, or the
        smaller one named by CLAUDE_CODE_AUTO_COMPACT_WINDOW or by autoCompactWindow in the person's settings.json. The
        marks stand where 30, 15 and 5 % remain. After a compaction the client knows no figure until the next answer.
Saves   at each mark, once until the context is below it again: save_snapshot.py in a process of its own.
Reads   stdin, sessions/<session_id>/status.json and note.json, the person's settings.json. Of these only numbers are
        shown, in words of ours; what is missing, broken or of another schema is left out.
Writes  sessions/<session_id>/saved-at-30, -15 and -5, empty: these saves were started.
COMMAND is run by sh with the same stdin, for at most 5 seconds; what it has printed by then is kept.
Needs   compacted_context.py beside it; run_hook.py and save_snapshot.py to save. Windows: no saves.

NO_COLOR=1 prints no colours, COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 leaves only COMMAND's
output, COMPACT_KEEPER_DEBUG=1 tells faults on stderr; they are not logged, a line is drawn several times a second.
Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Sequence

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own

from compacted_context import tokens

TYPE_CHECKING = False  # typing itself is not imported: it costs 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

COLOURS = {30: "33", 15: "31", 5: "1;31"}  # by the percent remaining from which they hold: yellow, red, bold red
NOTHING = "compact-keeper: nothing saved yet"
CELLS = 20  # of the bar: 5 % each, so that every mark stands at the beginning of a cell
NARROW = 70  # columns of a terminal below which the bar is left out; only newer clients tell them
ROOM = 33_000  # tokens below the window's end where a client compacts
STDIN_LIMIT, SETTINGS_LIMIT = 4 << 20, 1 << 20  # bytes; the client sends some KB
PATIENCE = 5.0  # seconds for a wrapped command: npx takes 3; the client itself sets no limit, but ends a run to redraw
OUTPUT_LIMIT = 64 << 10  # bytes of a wrapped command


class Refusal(Exception):
    """Says why a file is not used."""


# --- shared: fields ---
def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}
# --- end of shared: fields ---


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


# --- read ---


def read_stdin() -> bytes:
    """What is on stdin; the parts after it go on where it is closed."""
    return sys.stdin.buffer.read(STDIN_LIMIT)


def read_session(given: bytes) -> tuple[Record, str]:
    """The client's object, empty when it is none, and the session's folder, empty when it has none."""
    read = json.loads(given.decode("utf-8", "replace"))
    data = read if isinstance(read, dict) else {}
    session = text_of(data, "session_id")
    path = os.path.join(data_home(), "sessions", session)
    is_name = session == os.path.basename(session) and session.strip(".") != ""
    known = is_name and os.path.isdir(path) and not os.path.islink(path)
    return data, path if known else ""


def stored(folder: str, name: str) -> Record:
    """What a file of the session's holds; empty when it cannot be used."""
    try:
        return read_store(os.path.join(folder, name)) if folder else {}
    except (OSError, Refusal):
        return {}


def named_window() -> int:
    """The tokens of the window that the person has named for compactions; 0 when there is none."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    try:
        if named := os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW"):
            return number(int(named))
        with os.fdopen(open_regular(os.path.join(config, "settings.json"), os.O_RDONLY), "rb") as file:
            settings = json.loads(file.read(SETTINGS_LIMIT))
    except (OSError, ValueError, RecursionError, Refusal):
        return 0
    return number(settings.get("autoCompactWindow")) if isinstance(settings, dict) else 0


# --- word ---


def number(value: object, most: int = 100_000_000) -> int:
    """The value where it is a whole number above 0, at most `most`; else 0, which means that it is not known."""
    return value if type(value) is int and 0 < value <= most else 0


def percent_used(context: object, named: int) -> int | None:
    """How full the context is, in percent of what fits before a compaction; None when the client does not tell."""
    if not isinstance(context, dict):
        return None
    size, used = number(context.get("context_window_size")), number(tokens(context.get("current_usage")))
    room = min(size, named or size) - ROOM
    return min(round(100 * used / room), 100) if used and room > 0 else None


def crossed(used: int | None) -> list[int]:
    """The marks (percent remaining) that so full a context has reached."""
    return [mark for mark in COLOURS if used is not None and 100 - used <= mark]


def context_words(used: int | None) -> str:
    """The bar, where there is room for it, and the figure, coloured from the first mark on; empty when not known."""
    if used is None:
        return ""
    columns, full = os.environ.get("COLUMNS", ""), used * CELLS // 100
    marks = [(100 - mark) * CELLS // 100 for mark in COLOURS]
    bar = "█" * full + "".join("│" if cell in marks else "·" for cell in range(full, CELLS)) + " "
    words = f"{'' if columns.isdecimal() and int(columns) < NARROW else bar}ctx {used}%"
    reached = [] if os.environ.get("NO_COLOR") else crossed(used)
    return f"\x1b[{COLOURS[reached[-1]]}m{words}\x1b[0m" if reached else words


def age_words(saved: object, now: float) -> str:
    """How long ago the last save was; empty when that is not known or in the future."""
    age = int(now - saved) if type(saved) in (int, float) and 0 < saved <= now else -1  # type: ignore[operator]
    for seconds, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if age >= seconds:
            return f"saved {age // seconds} {unit} ago"
    return "saved just now" if age >= 0 else ""


def note_words(note: Record) -> str:
    """That a note waits for the model, and how much the summary had dropped; empty when none waits."""
    findings = note.get("findings")
    told = findings if isinstance(findings, list) else []
    dropped = sum(isinstance(one, dict) and one.get("what") == "dropped" for one in told)
    return f"summary dropped {dropped}: note waiting" if dropped else "note waiting" if note else ""


def line_of(used: int | None, status: Record, note: Record, now: float) -> str:
    """The line; empty when nothing is known."""
    tasks = number(status.get("tasks"), 9_999)
    tasks_words = f"{tasks} open task{'s' * (tasks > 1)}" if tasks else ""
    return " · ".join(filter(None, (context_words(used), age_words(status.get("time"), now), tasks_words,
                                    note_words(note))))


# --- the wrapped command ---


def output_of(command: str, given: bytes) -> bytes:
    """What the shell prints for the command and this stdin, without the line's end; cut where it takes too long."""
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given).rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
             (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    shell = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ, file_actions=files, setpgroup=0,
                           setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    taken, ended = b"", False
    try:
        taken, ended = exchange(into, given, out)
    finally:
        if not ended:
            os.killpg(shell, signal.SIGKILL)  # not waited for, so there is such a group
    return taken.rstrip(b"\r\n")


def exchange(into: int, given: bytes, out: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until, taken = time.monotonic() + PATIENCE, b""
    while (left := until - time.monotonic()) > 0 and len(taken) < OUTPUT_LIMIT:
        readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
        if writable:
            given = fed(into, given)
            if not given:
                os.close(into)
                into = -1
        if readable:
            chunk = os.read(out, OUTPUT_LIMIT)
            if not chunk:
                return taken, True
            taken += chunk
    return taken[:OUTPUT_LIMIT], False


def fed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: str, given: bytes) -> bytes:
    """The same where there is no posix_spawn; importing subprocess takes 8 ms."""
    import subprocess
    try:
        return subprocess.run(command, shell=True, input=given, stdout=subprocess.PIPE,  # noqa: S602 - the person's own
                              stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False).stdout
    except subprocess.TimeoutExpired as late:
        return late.stdout or b""


def joined(theirs: bytes, line: str) -> bytes:
    """Both outputs: on one line where theirs is one, else ours as the last line."""
    if not theirs or line in ("", NOTHING):
        return theirs or line.encode()
    reset = b"\x1b[0m" if b"\x1b" in theirs else b""  # a colour that they left on
    return theirs + reset + (b"\n" if b"\n" in theirs else " │ ".encode()) + line.encode()


# --- save ---


def is_due(folder: str, used: int) -> bool:
    """Whether a mark was reached for the first time in this filling of the context; the marks above are taken back."""
    reached, due = crossed(used), False
    for mark in COLOURS:
        path = os.path.join(folder, f"saved-at-{mark}")
        try:
            if mark not in reached:
                os.unlink(path)
                continue
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            due = True
        except OSError:  # made or gone already; or nothing can be written, and a save could not either
            continue
    return due


def begin_save(data: Record) -> None:
    """Starts a save of the session that nobody waits for, in a group of its own: the next redraw does not end it."""
    if not sys.executable or not hasattr(os, "posix_spawn"):
        return
    told = {name: text_of(data, name) for name in ("session_id", "transcript_path", "cwd")}
    run_hook = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_hook.py")
    source, into = os.pipe()
    nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    os.posix_spawn(sys.executable, [sys.executable, "-IS", run_hook, "save_snapshot.py"], os.environ,
                   file_actions=[(os.POSIX_SPAWN_DUP2, source, 0), *nothing], setpgroup=0)
    os.write(into, json.dumps({"hook_event_name": "Stop", **told}).encode())


# --- the status line ---


def drawn(given: bytes) -> tuple[str, Record]:
    """The line, empty when nothing is known, and the input of the save that is due, empty when none is."""
    if os.environ.get("COMPACT_KEEPER_OFF"):
        return "", {}
    data, folder = read_session(given)
    used = percent_used(data.get("context_window"), named_window())
    line = line_of(used, stored(folder, "status.json"), stored(folder, "note.json"), time.time())
    return line or NOTHING, data if folder and used is not None and is_due(folder, used) else {}


def guarded(part: Callable[..., Any], *arguments: Any) -> Any:
    """What the part returns; None where it fails: its fault takes nothing from the others."""
    try:
        return part(*arguments)
    except Exception as fault:  # noqa: BLE001 - the one broad except, around each part that main calls
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(f"status_line.py: {type(fault).__name__}: {fault}\n")
        return None


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--help"]:
        print(__doc__)
        return 0
    given = guarded(read_stdin) or b""
    theirs = guarded(output_of, " ".join(arguments[1:]), given) if arguments[:1] == ["--wrap"] else None
    line, to_save = guarded(drawn, given) or (NOTHING, {})
    guarded(os.write, 1, joined(theirs or b"", line) + b"\n")
    if to_save:  # last: nothing that the client does to this run ends the save with it
        guarded(begin_save, to_save)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
