#!/usr/bin/env python3
r"""A status line for Claude Code: how full the context is, the last save, open tasks, what is wrong in a summary.

    ██████████████│··│·│ ctx 72% · saved 12:41 · 3 open tasks

Usage: status_line.py [--wrap COMMAND | --wrap-own]     the client starts it, its JSON on stdin; in the person's
settings.json:
    {"statusLine": {"type": "command", "command": "python3 -IS \"FOLDER/run_hook.py\" status_line.py"}}
Around the status line command that is there already, whose output stays, before this line:
    {"statusLine": {"type": "command",
        "command": "python3 -IS \"FOLDER/run_hook.py\" status_line.py --wrap 'COMMAND'"}}
In a project's settings.json --wrap-own: COMMAND is then that of the person's own settings.json, looked up as the line
is drawn, since the client draws the project's in place of it. What of that is compact-keeper's draws nothing.

ctx     is the part used of what fits before the client compacts by itself, as in its own "% until auto-compact": 100 %
        is 33,000 tokens below the window's end (measured with 2.1.76 to 2.1.329). The window is the model's, or the
        smaller one named by CLAUDE_CODE_AUTO_COMPACT_WINDOW or by autoCompactWindow in the person's settings.json. The
        marks stand at 70, 85 and 95 % used. After a compaction the client knows no figure until the next answer.
Saves   at each mark, once until the context is below it again: save_snapshot.py in a process of its own.
Note    on what a compaction's summary says otherwise than the record: that it waits; for ten minutes that it was given,
        or went out with what was put back.
Reads   stdin, sessions/<session_id>/status.json, note.json and note.json.given, the person's settings.json. Of these
        only numbers are shown, in words of ours; what is missing, broken or of another schema is left out.
Writes  sessions/<session_id>/saved-at-30, -15 and -5, by the percent that remain, empty: these saves were started.
Gone    is the plugin by `claude plugin uninstall`, which leaves its copy and the person's settings as they are: then
        install.py is had to take the line out of the person's settings.json, which is said once; no more is drawn.
Moved   or removed the clone that it was installed from: no client loads the plugin then, and the line says that alone.
Off     is it with `claude plugin disable`, too: then only COMMAND's output is drawn, and nothing saved.
COMMAND is run by sh with the same stdin, for at most 5 seconds; what it has printed by then is kept.
Needs   save_snapshot.py beside it to save, install.py to be taken out. Windows: no saves.

NO_COLOR=1 prints no colours, COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 leaves only COMMAND's
output, COMPACT_KEEPER_DEBUG=1 tells faults on stderr; they are not logged, a line is drawn several times a second.
Exits 0, whatever happens. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/status_line.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

VERSION = "0.27.0"  # of the plugin that this script came with


# ==================================================================================================
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

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


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20


def json_object(text: bytes | str) -> JsonObject:
    """The object that the text is, as JSON; empty when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_json(path: str) -> JsonObject:
    """The object of a file of the client's or the person's; empty when there is none, or it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return json_object(file.read(FILE_MAX_BYTES))
    except (OSError, Refusal):
        return {}


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


# ==================================================================================================
# client/plugin_list.py: What the client says of the plugin, as far as a script asks whether the one that it came with is there and is on.
# ==================================================================================================

PLUGIN = "compact-keeper"


def is_uninstalled(script: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the client lists the plugin no more.

    The client leaves its copy behind and says so by a file in it, which an update leaves in the version before, too: so
    the list is asked. What cannot be read as one says nothing.
    """
    folder, _ = folder_and_market(script)
    if not folder:
        return False
    return listed_plugins(folder) == {}


def listed_plugins(folder: str) -> JsonObject | None:
    """Compact-keeper in the list in the client's folder of plugins, by PLUGIN@MARKETPLACE; None without such a list."""
    plugins = read_json(os.path.join(folder, "installed_plugins.json")).get("plugins")
    if not isinstance(plugins, dict):
        return None
    return {name: entry for name, entry in plugins.items() if name.partition("@")[0] == PLUGIN}


def is_marketplace_gone(script: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the folder that it came from is there no more.

    Then no client loads the plugin (2.1.76 to 2.1.330); a status line, which runs from the copy, goes on.
    """
    folder, market = folder_and_market(script)
    clone = marketplace_folder(folder, market) if folder else ""
    return bool(clone) and not os.path.isdir(clone)


def marketplace_folder(plugins: str, market: str) -> str:
    """The folder that was added as this marketplace; empty where it is none, or is not known.

    `plugins` is the client's folder of plugins.
    """
    entry = read_json(os.path.join(plugins, "known_marketplaces.json")).get(market)
    source = entry.get("source") if isinstance(entry, dict) else None
    path = source.get("path") if isinstance(source, dict) and source.get("source") == "directory" else None
    return path if isinstance(path, str) else ""


def is_disabled(script: str, project: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the settings of a session in `project` say no.

    The user's settings, then the project's, then those kept out of git: the last that names the plugin counts. A file
    that cannot be read says nothing.
    """
    folder, market = folder_and_market(script)
    if not folder:
        return False
    paths = [os.path.join(os.path.dirname(folder), "settings.json")]
    if project:
        paths += [os.path.join(project, ".claude", name) for name in ("settings.json", "settings.local.json")]
    return enabled_plugins(paths).get(f"{PLUGIN}@{market}") is False


def enabled_plugins(paths: Iterable[str]) -> dict[str, bool]:
    """What these settings files say of plugins, by PLUGIN@MARKETPLACE: the last that names one counts."""
    words: dict[str, bool] = {}
    for path in paths:
        enabled = read_json(path).get("enabledPlugins")
        for name, word in enabled.items() if isinstance(enabled, dict) else ():
            words.update({name: word} if isinstance(word, bool) else {})
    return words


def folder_and_market(script: str) -> tuple[str, str]:
    """The client's folder of plugins, and the marketplace, where the script lies in the client's copy of the plugin.

    That is FOLDER/cache/MARKETPLACE/PLUGIN/VERSION/scripts/NAME; else both are empty.
    """
    of_plugin = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(script))))
    of_market, name = os.path.split(of_plugin)
    cache, market = os.path.split(of_market)
    folder, last = os.path.split(cache)
    return (folder, market) if (last, name) == ("cache", PLUGIN) else ("", "")


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


def output_of(command: list[str], given: bytes, patience: float, most: int, with_errors: bool = False) -> bytes:
    """What the command prints for this stdin, without the line's end: what came within so many seconds and bytes.

    With `with_errors` what it prints on stderr too.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given, patience, with_errors)[0][:most].rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = streams(source, sink, with_errors)
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


def streams(source: int, sink: int, with_errors: bool = False) -> list[tuple[int, ...]]:
    """How a process gets its stdin from one pipe and prints into the other; its errors there too, or nowhere."""
    errors: Any = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    if with_errors:
        errors = (os.POSIX_SPAWN_DUP2, sink, 2)
    return [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1), errors]


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
                given = feed(into, given)
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


def feed(into: int, given: bytes) -> bytes:
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
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


# ==================================================================================================
# client/users_settings.py: The settings.json of the person who runs the client, whatever project the session is in.
# ==================================================================================================

def users_settings() -> JsonObject:
    """The object in it; empty where there is none, or it cannot be read."""
    return read_json(os.path.join(config_folder(), "settings.json"))


def users_status_line() -> str:
    """The command of the person's own status line; empty where there is none."""
    line = users_settings().get("statusLine")
    return text_of(line, "command") if isinstance(line, dict) and line.get("type") == "command" else ""


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


def filled_percent(context: object, named_tokens: int) -> int | None:
    """How full the context is, in percent of what fits before a compaction; None when the client does not tell.

    `context` is the status line's `context_window`; `named_tokens` the window that the person named, 0 for none.
    """
    if not isinstance(context, dict):
        return None
    size = whole_number(context.get("context_window_size"))
    tokens = whole_number(usage_tokens(context.get("current_usage")))
    room = min(size, named_tokens or size) - ROOM_TOKENS
    return min(round(100 * tokens / room), 100) if tokens and room > 0 else None


def named_window() -> int:
    """The tokens of the window that the person has named, in a variable or in settings.json; 0 for none."""
    return window_in_environment() or whole_number(users_settings().get("autoCompactWindow"))


# ==================================================================================================
# store/session_marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

SAVES_AT = (30, 15, 5)  # percents of the context that remain: there a save is started, and saved-at-30 made and so on


def note_save_marks(folder: str, reached: Collection[int]) -> bool:
    """Notes which marks of SAVES_AT are reached, and takes back the others; whether a save is due.

    It is where one was reached for the first time in this filling of the context. The lowest that is reached decides
    alone: of several redraws at once each could be the first at another mark.
    """
    is_first = False
    for mark in SAVES_AT:
        path = os.path.join(folder, f"saved-at-{mark}")
        try:
            if mark not in reached:
                os.unlink(path)
                continue
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            is_first = is_first or mark == min(reached)
        except OSError:  # made or gone already; or nothing can be written, and a save could not either
            continue
    return is_first


# ==================================================================================================
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


# ==================================================================================================
# figures/status_words.py: The words of the status line. What is not known is left out.
# ==================================================================================================

MARK_COLOURS = dict(zip(SAVES_AT, ("33", "31", "1;31")))  # yellow, red, bold red
NOTHING = "ctx –"  # before the client tells how full the context is, and before the first save
BAR_CELLS = 20  # 5 % each, so that every mark stands at the beginning of one
NARROW_COLUMNS = 70  # of a terminal, below which the bar is left out; only newer clients tell them
TASKS_MAX, FINDINGS_MAX = 9_999, 999
GIVEN_SHOWN_SECONDS = 10 * 60  # after a compaction: about as long as a person asks what came of it


def marks_reached(percent: int | None) -> list[int]:
    """The marks (percent remaining) that so full a context has reached."""
    return [mark for mark in SAVES_AT if percent is not None and 100 - percent <= mark]


def context_words(percent: int | None) -> str:
    """The bar, where there is room for it, and the figure, coloured from the first mark on.

    After a compaction the client tells no figure until the next answer: the bar stays, without one.
    """
    columns = os.environ.get("COLUMNS", "")
    is_narrow = columns.isdecimal() and int(columns) < NARROW_COLUMNS
    words = f"{'' if is_narrow else bar_of(percent or 0)}{NOTHING if percent is None else f'ctx {percent}%'}"
    reached = [] if os.environ.get("NO_COLOR") else marks_reached(percent)
    return f"\x1b[{MARK_COLOURS[reached[-1]]}m{words}\x1b[0m" if reached else words


def bar_of(percent: int) -> str:
    """The bar, with the marks that are not reached yet."""
    full = percent * BAR_CELLS // 100
    marks = [(100 - mark) * BAR_CELLS // 100 for mark in SAVES_AT]
    return "█" * full + "".join("│" if cell in marks else "·" for cell in range(full, BAR_CELLS)) + " "


def save_words(saved: object, now: float) -> str:
    """When the last save was, by the clock here; empty when that is not known or in the future. Both since 1970.

    No age: nothing draws the line anew while the session is idle, and "just now" had stood there for minutes.
    """
    if type(saved) not in (int, float) or not 0 < saved <= now:  # type: ignore[operator]
        return ""
    at, today = time.localtime(saved), time.localtime(now)  # type: ignore[arg-type]
    day = "" if at[:3] == today[:3] else f"{at.tm_mday} {time.strftime('%b', at)} "
    return f"saved {day}{time.strftime('%H:%M', at)}"


def note_words(note: JsonObject, given: JsonObject, now: float) -> str:
    """What the summary said otherwise, and that a note on it waits for the model, or has lately been given to it.

    Of a compaction whose text told a part, and whose note tells the rest, all is counted.
    """
    age = now - given["time"] if type(given.get("time")) in (int, float) else -1
    shown = note or (given if 0 <= age < GIVEN_SHOWN_SECONDS else {})
    findings = shown.get("findings")
    listed = findings if isinstance(findings, list) else []
    waiting = sum(isinstance(finding, dict) and bool(finding.get("said")) for finding in listed)
    contradicted = max(waiting, whole_number(shown.get("contradicted"), FINDINGS_MAX))
    things = contradicted or len(listed) or 1
    errors = f"{count_shown(things, 'error')} found in the summary"
    if contradicted:
        return f"{errors}, {'the model will be told' if waiting and note else 'told to the model'}"
    return f"the model will be told {count_shown(things, 'thing')} about the summary" if note else ""


def line_of(percent: int | None, status: JsonObject, note: JsonObject, given: JsonObject, now: float) -> str:
    """The line; empty when nothing is known. `note` waits for the model, `given` was the last one it was given.

    What one looks for stands before the long words on the summary: the client cuts the line at the terminal's width.
    """
    tasks = whole_number(status.get("tasks"), TASKS_MAX)
    tasks_words = count_shown(tasks, "open task") if tasks else ""
    known = [*filter(None, (save_words(status.get("time"), now), tasks_words, note_words(note, given, now)))]
    return " · ".join([context_words(percent), *known]) if known or percent is not None else ""


def joined(theirs: bytes, line: str) -> bytes:
    """Both outputs: on one line where theirs is one, else ours as the last line."""
    if not theirs or line in ("", NOTHING):
        return theirs or line.encode()
    reset = b"\x1b[0m" if b"\x1b" in theirs else b""  # a colour that they left on
    return theirs + reset + (b"\n" if b"\n" in theirs else " │ ".encode()) + line.encode()


# ==================================================================================================
# the script: A status line for Claude Code: how full the context is, the last save, open tasks, what is wrong in a summary.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20  # the client sends some KB
WRAPPED_SECONDS = 5.0  # npx takes 3; the client itself sets no limit, but ends a run to redraw
WRAPPED_MAX_BYTES = 64 << 10
REMOVAL_SECONDS = 5.0
CLONE_IS_GONE = ("compact-keeper is not loaded: the clone that it was installed from is gone. Where it is now: "
                 "claude plugin marketplace add FOLDER")
WITHIN = "COMPACT_KEEPER_WITHIN"  # set in what a project's line runs: there it is not run once more


def read_session(given: bytes) -> tuple[JsonObject, str]:
    """The client's object, empty when it is none, and the session's folder, empty when it has none."""
    data = json.loads(given.decode("utf-8", "replace"))
    if not isinstance(data, dict):
        return {}, ""
    session = text_of(data, "session_id")
    path = session_folder(session)
    is_name = session == os.path.basename(session) and session.strip(".") != ""
    is_session = is_name and os.path.isdir(path) and not os.path.islink(path)
    return data, path if is_session else ""


def line_and_save(given: bytes) -> tuple[str, JsonObject]:
    """The line, empty when it or the plugin is switched off, and the input of the save that is due, empty for none."""
    if os.environ.get("COMPACT_KEEPER_OFF"):
        return "", {}
    data, folder = read_session(given)
    if is_disabled(__file__, project_of(data)):
        return "", {}
    if is_marketplace_gone(__file__):
        return CLONE_IS_GONE, {}
    percent = filled_percent(data.get("context_window"), named_window())
    line = line_of(percent, readable_store(folder, STATUS_FILE), readable_store(folder, "note.json"),
                   readable_store(folder, "note.json.given"), time.time())
    to_save: JsonObject = {}
    if folder and percent is not None and note_save_marks(folder, marks_reached(percent)):
        to_save = data
    return line or NOTHING, to_save


def project_of(data: JsonObject) -> str:
    """The folder whose settings the session has; empty where the client names none."""
    workspace = data.get("workspace")
    named = text_of(workspace, "project_dir") if isinstance(workspace, dict) else ""
    return named or text_of(data, "cwd")


def remove_status_line() -> str:
    """Takes the status line out of the person's settings; what to draw: that it was, else nothing."""
    before = users_status_line()
    run_to_end(script_command("install.py", "status-line", "--remove"), b"", REMOVAL_SECONDS)
    is_out = users_status_line() != before
    return "compact-keeper is uninstalled, and its status line is taken out of your settings" if is_out else ""


def wrapped(command: str, given: bytes) -> bytes:
    """What the person's own status line command prints for the same input."""
    shell = "sh" if os.name == "nt" else "/bin/sh"  # on Windows the client brings one, on PATH
    return output_of([shell, "-c", command], given, WRAPPED_SECONDS, WRAPPED_MAX_BYTES)


def before_ours(arguments: Sequence[str], given: bytes) -> bytes:
    """What is drawn before our line: by the command in the arguments, or by the person's own, without ours in it."""
    if arguments[:1] == ["--wrap"]:
        return wrapped(" ".join(arguments[1:]), given)
    is_due = arguments[:1] == ["--wrap-own"] and not os.environ.get(WITHIN)
    command = users_status_line() if is_due else ""
    return wrapped(f"export COMPACT_KEEPER_OFF=1 {WITHIN}=1\n{command}", given) if command else b""


def begin_save(data: JsonObject) -> None:
    """Starts a save of the session that nobody waits for: the next redraw does not end it."""
    given = {name: text_of(data, name) for name in ("session_id", "transcript_path", "cwd")}
    start_alone(script_command("save_snapshot.py"), json.dumps({"hook_event_name": "Stop", **given}).encode())


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
    given = guarded(lambda: sys.stdin.buffer.read(STDIN_MAX_BYTES)) or b""  # empty where stdin is closed
    theirs = guarded(before_ours, arguments, given)
    if guarded(is_uninstalled, __file__):
        line, to_save = guarded(remove_status_line) or "", {}
    else:
        line, to_save = guarded(line_and_save, given) or (NOTHING, {})
    guarded(os.write, 1, joined(theirs or b"", line) + b"\n")
    if to_save:  # last: nothing that the client does to this run ends the save with it
        guarded(begin_save, to_save)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
