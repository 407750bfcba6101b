r"""See what compact-keeper does: figures in the terminal, a live view, a page.

Usage: stats.py [stats] [SESSION | --global] [--since WHEN] [--json]
       stats.py watch [SESSION] [--interval SECONDS]               a live view; q ends it
       stats.py report [SESSION | --global] [--since WHEN] [--open] [-o FILE]    an HTML page that needs no network
       stats.py reset [--session SESSION] [--yes]                  empties events.jsonl and history.jsonl

SESSION  an id; else $CLAUDE_CODE_SESSION_ID, else the newest session of the present project, else the newest of all.
WHEN     2026-11-21, 2026-11-21T14:00, 7d, 12h.
Reads    events.jsonl and the sessions' folders; report and watch the session's transcript too, of which they take
         numbers alone.
Writes   report: reports/<session>.html in the data folder, for the owner alone, or FILE. reset: see there; memory,
         pins and archive stay. Else nothing.
Figures  A token is estimated as 4 characters. What is not known is left out, or called so; it is never 0.
Exits    0 when done, 1 on a refusal that says why, 2 on wrong usage. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from shutil import get_terminal_size

from compact_keeper.figures.report import report_address, write_report
from compact_keeper.figures.sessions import all_events, chosen_session, gathered, session_folders
from compact_keeper.figures.terminal import count_shown, report_lines, size_shown
from compact_keeper.figures.watch import run_watch
from compact_keeper.store.events import OLD_ENDING
from compact_keeper.store.folder import NO_LINK, SCHEMA, SESSION_ID, data_home, open_regular
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import moment_named

NARROW, WIDE = 60, 110  # columns between which the text adapts to the terminal


def show(asked: argparse.Namespace) -> int:
    """Prints the figures of a session, or of all."""
    session = "" if asked.all else chosen_session(asked.session)
    found = gathered(session, all_events(asked.since), asked.since)
    if asked.json:
        print(json.dumps({"schema": SCHEMA, **found}))
        return 0
    is_screen = sys.stdout.isatty()
    width = min(max(get_terminal_size().columns, NARROW), WIDE) if is_screen else WIDE
    is_bright = is_screen and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print("\n".join(report_lines(found, width, is_bright)))
    return 0


def emptied(path: str) -> int:
    """Empties the file; how many bytes it had, 0 where there is none."""
    try:
        handle = open_regular(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return 0
    with os.fdopen(handle, "r+b") as file:
        length = os.fstat(file.fileno()).st_size
        file.truncate(0)
    return length


def without_session(path: str, session: str) -> int:
    """Takes the session's lines out of the events; how many bytes that were. What hooks append meanwhile stays."""
    mark, draft = json.dumps({"session": session})[1:-1].encode(), f"{path}.{os.getpid()}.tmp"
    try:
        handle = open_regular(path, os.O_RDONLY | NO_LINK)
    except FileNotFoundError:
        return 0
    with os.fdopen(handle, "rb") as file:
        lines = file.readlines()
        kept = [line for line in lines if mark not in line]
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK), "wb") as target:
            target.writelines(kept)
        os.replace(draft, path)
        with os.fdopen(open_regular(path, os.O_WRONLY | os.O_APPEND | NO_LINK), "ab", buffering=0) as target:
            target.write(file.read())  # came between the reading and the renaming
    return sum(map(len, lines)) - sum(map(len, kept))


def reset(asked: argparse.Namespace) -> int:
    """Empties the events and the histories, of one session or of all; asks before."""
    if asked.session and not SESSION_ID.match(asked.session):
        raise Refusal(f"{clean(asked.session)[:80]!r} is no session's id")
    whose = f"session {asked.session}" if asked.session else "all sessions"
    if not asked.yes:
        if not sys.stdin.isatty():
            raise Refusal(f"reset takes away the events and the history of {whose}; say --yes to do so")
        if input(f"Take away the events and the history of {whose}? [y/N] ").strip().lower() not in ("y", "yes"):
            print("nothing was changed")
            return 0
    events, folders = os.path.join(data_home(), "events.jsonl"), session_folders()
    of_these = [folders[one] for one in folders if asked.session in ("", one)]
    lengths = [emptied(os.path.join(folder, "history.jsonl")) for folder in of_these]
    removed = sum(without_session(path, asked.session) if asked.session else emptied(path)
                  for path in (events, f"{events}{OLD_ENDING}"))
    histories = count_shown(sum(length > 0 for length in lengths), "history")
    print(f"removed {size_shown(removed)} of events and {histories} ({size_shown(sum(lengths))}) of {whose}; memory, pins and "
          "archive are as they were")
    return 0


def watch(asked: argparse.Namespace) -> int:
    """Shows the session until it is ended."""
    return run_watch(chosen_session(asked.session), asked.interval)


def report(asked: argparse.Namespace) -> int:
    """Writes the page, prints its path, and opens it if asked."""
    session = "" if asked.all else chosen_session(asked.session)
    path = write_report(session, asked.since, asked.output)
    print(path)
    if asked.open:
        import webbrowser
        webbrowser.open(report_address(path))
    return 0


def when(told: str) -> float:
    """Seconds since 1970 of what --since names."""
    try:
        return max(moment_named(told), 0.0)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(f"{told!r} is no day, moment, or time like 7d or 12h") from None


def seconds(told: str) -> float:
    """The interval of the live view."""
    try:
        value = float(told)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3_600:
        raise argparse.ArgumentTypeError(f"{told!r} is no number of seconds from 0.1 to 3600")
    return value


COMMANDS = {"stats": show, "watch": watch, "report": report, "reset": reset}


def parser() -> argparse.ArgumentParser:
    """The command line's parser."""
    whole = argparse.ArgumentParser(prog="stats.py", description=__doc__.partition("\n")[0], epilog="stats.py --help "
                                    "COMMAND tells more; without a command it is stats.")
    commands = whole.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name, help=(command.__doc__ or "").rstrip(".")) for name, command in
            COMMANDS.items()}
    for name in ("stats", "report"):
        whose = made[name].add_mutually_exclusive_group()
        whose.add_argument("session", nargs="?", default="", metavar="SESSION", help="default: the present one")
        whose.add_argument("--global", dest="all", action="store_true", help="all sessions")
        made[name].add_argument("--since", type=when, default=0.0, metavar="WHEN", help="2026-11-21, 7d, 12h")
    made["stats"].add_argument("--json", action="store_true")
    made["watch"].add_argument("session", nargs="?", default="", metavar="SESSION", help="default: the present one")
    made["watch"].add_argument("--interval", type=seconds, default=2.0, metavar="SECONDS", help="default: 2")
    made["report"].add_argument("--open", action="store_true", help="show it in the browser")
    made["report"].add_argument("-o", dest="output", default="", metavar="FILE", help="where to write it")
    made["reset"].add_argument("--session", default="", metavar="SESSION", help="default: all")
    made["reset"].add_argument("--yes", action="store_true", help="do not ask")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command named."""
    given = list(sys.argv[1:] if argv is None else argv)
    if not given or given[0] not in (*COMMANDS, "-h", "--help"):
        given.insert(0, "stats")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names of any script, on a terminal of any encoding
    try:
        asked = parser().parse_args(given)
        code = COMMANDS[asked.command](asked)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (OSError, Refusal, ImportError) as fault:
        print(f"compact-keeper: {fault}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    raise SystemExit(main())
