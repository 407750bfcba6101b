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

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from compact_keeper.client.plugin_list import is_disabled, is_marketplace_gone, is_uninstalled
from compact_keeper.client.processes import output_of, run_to_end, script_command, start_alone
from compact_keeper.client.tokens import filled_percent, named_window
from compact_keeper.client.users_settings import users_status_line
from compact_keeper.figures.status_words import NOTHING, joined, line_of, marks_reached
from compact_keeper.store.folder import STATUS_FILE, session_folder
from compact_keeper.store.json_files import readable_store
from compact_keeper.store.session_marks import note_save_marks
from compact_keeper.text.fields import text_of
from compact_keeper.types import JsonObject

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
