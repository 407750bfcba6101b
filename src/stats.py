"""See what compact-keeper does: figures in the terminal, a live view, a page.

Usage: stats.py [stats] [SESSION | --global] [--json]
       stats.py watch [SESSION] [--interval SECONDS]               a live view; q ends it
       stats.py report [SESSION] [--open] [-o FILE]                an HTML page that needs no network
       stats.py reset [--yes]               empties events.jsonl, events.jsonl.1 and history.jsonl

SESSION  an id; else $CLAUDE_CODE_SESSION_ID, else the newest session of the present project, else the newest of all.
Reads    events.jsonl with its older part, events.jsonl.1, and the sessions' folders; of a session its transcript
         too, of which numbers alone are taken.
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

from compact_keeper.client.asking import is_agreed_to
from compact_keeper.figures.counting import read_events
from compact_keeper.figures.course import with_tokens
from compact_keeper.figures.report import report_address, write_report
from compact_keeper.figures.reset import reset_events, reset_histories
from compact_keeper.figures.sessions import chosen_session, gathered, is_from_elsewhere, transcript_of
from compact_keeper.figures.terminal import report_lines
from compact_keeper.figures.watch import run_watch
from compact_keeper.store.folder import SCHEMA
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.sizes import size_shown

ALL = "global"
WHICH_SESSION = "default: the running one, else the newest here"
NARROW_COLUMNS = 60  # the text takes as many columns as the terminal has, at least these
WIDE_COLUMNS = 110  # and at most these, as where there is no terminal


def show(options: argparse.Namespace) -> int:
    """Prints the figures of a session; of all with --global, or with the word "global"."""
    session = "" if options.all or options.session == ALL else chosen_session(options.session)
    figures = gathered(session, read_events())
    if session:
        figures = with_tokens(figures, transcript_of(session))
    if options.json:
        print(json.dumps({"schema": SCHEMA, **figures}))
        return 0
    if session and is_from_elsewhere(options.session, session):
        print("No session of this folder is known; this is the newest of all:")
    is_screen = sys.stdout.isatty()
    width = min(max(get_terminal_size().columns, NARROW_COLUMNS), WIDE_COLUMNS) if is_screen else WIDE_COLUMNS
    is_bright = is_screen and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print("\n".join(report_lines(figures, width, is_bright)))
    return 0


def reset(options: argparse.Namespace) -> int:
    """Empties the events and the histories of all sessions; asks before."""
    if not options.yes:
        if not sys.stdin.isatty():
            raise Refusal("reset takes away the events and the history of all sessions; say --yes to do so")
        if not is_agreed_to("Take away the events and the history of all sessions? [y/N] "):
            print("nothing was changed")
            return 0
    histories = reset_histories()
    removed = reset_events()
    print(f"removed {size_shown(removed)} of events and {count_shown(sum(map(bool, histories)), 'history')} "
          f"({size_shown(sum(histories))}) of all sessions; memory, pins and archive are as they were")
    return 0


def watch(options: argparse.Namespace) -> int:
    """Shows the session until it is ended."""
    return run_watch(chosen_session(options.session), options.interval)


def report(options: argparse.Namespace) -> int:
    """Writes the page, prints its path, and opens it where that is wanted."""
    path = write_report(chosen_session(options.session), options.output)
    print(path)
    if options.open:
        import webbrowser
        if not webbrowser.open(report_address(path)):
            raise Refusal("no browser could be started; open the page named above in one")
    return 0


def seconds(words: str) -> float:
    """The interval of the live view."""
    try:
        value = float(words)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3_600:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of seconds from 0.1 to 3600")
    return value


COMMANDS = {"stats": show, "watch": watch, "report": report, "reset": reset}


def parser() -> argparse.ArgumentParser:
    """The command line's parser."""
    whole = argparse.ArgumentParser(prog="stats.py", description=__doc__.partition("\n")[0], epilog="stats.py COMMAND "
                                    "--help tells more; without a command it is stats.")
    commands = whole.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name, help=(command.__doc__ or "").rstrip(".")) for name, command in
            COMMANDS.items()}
    whose = made["stats"].add_mutually_exclusive_group()
    whose.add_argument("--global", dest="all", action="store_true", help="all sessions")
    for group in (whose, made["watch"], made["report"]):
        group.add_argument("session", nargs="?", default="", metavar="SESSION", help=WHICH_SESSION)
    made["stats"].add_argument("--json", action="store_true")
    made["watch"].add_argument("--interval", type=seconds, default=2.0, metavar="SECONDS", help="default: 2")
    made["report"].add_argument("--open", action="store_true", help="show it in the browser")
    made["report"].add_argument("-o", dest="output", default="", metavar="FILE", help="where to write it")
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
        options = parser().parse_args(given)
        code = COMMANDS[options.command](options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    raise SystemExit(main())
