"""(docstring)"""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from compact_keeper.archive.database import Archive
from compact_keeper.archive.first_prompt import hits_for_prompt
from compact_keeper.archive.indexing import index_transcripts
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.mcp import serve
from compact_keeper.archive.postgres import Busy, push_turns
from compact_keeper.archive.search import (
    AGENT_MAX_CHARACTERS,
    HITS_BY_DEFAULT,
    NOTHING,
    hits_for,
    open_archive,
    page_for_agent,
    server_named,
    turn_text,
    turns_around,
)
from compact_keeper.archive.wording import fitting, local_time, steps_of, told_hits, within
from compact_keeper.client.hook import read_input
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.times import moment_named

FOR_AN_AGENT = "From compact-keeper's archive of earlier turns:"
QUESTION_MAX_BYTES = 64 << 10  # of an agent's question on stdin
SERVER_PATIENCE_SECONDS = 600  # seconds for which a server that is away is tried again


def index_command(asked: SimpleNamespace) -> int:
    """Takes in the transcripts named, else all of the client's; beside a session, sends them to the server too."""
    if asked.quiet:
        beside_a_session(lambda: feed(asked.words))
    else:
        index_transcripts(Archive(), asked.words, is_quiet=False)
    return 0


def feed(paths: list[str]) -> None:
    """Takes in what a session at work has added, and sends it to the server where one is named."""
    archive = Archive()
    index_transcripts(archive, paths, is_quiet=True)
    if server_named():
        with suppress(Busy):  # that process sends these turns too
            push_turns(archive, SERVER_PATIENCE_SECONDS)


def search_command(asked: SimpleNamespace) -> int:
    """Prints the best turns for the question."""
    hits = hits_for(" ".join(asked.words), vars(asked))
    told = told_hits(hits) or [NOTHING]
    print(json.dumps({"hits": hits}, ensure_ascii=False) if asked.json else within(told, asked.chars))
    return 0


def ask_command(_asked: SimpleNamespace) -> int:
    """Prints for an agent what the question on stdin finds; a fault too, since a skill fails with its command."""
    text = sys.stdin.buffer.read(QUESTION_MAX_BYTES).decode("utf-8", "replace").strip() if sys.stdin else ""
    try:
        # Not a bare number: that may be a port or a status.
        if turn := re.fullmatch(r"(?:(?:show|turn) *#?|#)(\d{1,18})(?: +(\d{1,6}))?", text):
            told = page_for_agent(int(turn.group(1)), int(turn.group(2) or 1))
        else:
            hits = told_hits(hits_for(text, {}))
            told = f"{fitting(hits, AGENT_MAX_CHARACTERS)}\n`show` and a number: that turn, whole." if hits else NOTHING
        print(f"{FOR_AN_AGENT}\n{told}")
    except (Refusal, OSError, sqlite3.Error) as fault:
        print(f"compact-keeper: {fault}")
    return 0


def show_command(asked: SimpleNamespace) -> int:
    """Prints a turn with all its parts, and those of its session around it."""
    if asked.json:
        rows = turns_around(asked.number, asked.context)
        print(json.dumps([{**row, "steps": list(steps_of(row))} for row in rows], ensure_ascii=False))
    else:
        print(within(turn_text(asked.number, asked.context), asked.chars))
    return 0


def forget_command(asked: SimpleNamespace) -> int:
    """Removes the turns that the filters name, after a question."""
    archive, filters = open_archive(), {name: getattr(asked, name) for name in ("project", "session", "match")}
    if not any(filters.values()):
        raise Refusal("say what to forget: --project, --session or --match")
    count = archive.count(filters)
    if asked.dry_run or not count:
        print(f"{count:,} turns {'would be removed' if count else 'are like that: nothing to remove'}")
    elif asked.yes or agreed(f"Remove {count:,} turns for good? [y/N] "):
        print(f"{archive.forget(filters):,} turns removed")
    else:
        print("nothing removed")
    return 0


def agreed(question: str) -> bool:
    """Whether the person answers y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() == "y"


def stats_command(asked: SimpleNamespace) -> int:
    """Prints what the archive holds."""
    told = open_archive().figures()
    if asked.json:
        print(json.dumps(told))
    else:
        told = {**told, **{name: local_time(told[name]) for name in ("first", "last") if told[name]}}
        print("\n".join(f"{name:<12}{value}" for name, value in told.items()))
    return 0


def push_command(_asked: SimpleNamespace) -> int:
    """Sends to the server what it does not have yet."""
    print(f"{push_turns(Archive()):,} turns sent")
    return 0


def first_prompt_command(_asked: SimpleNamespace) -> int:
    """Prints what the archive has on the prompt in the hook's JSON on stdin, the first after its `compaction`."""
    print(hits_for_prompt(read_input()), end="")
    return 0


def mcp_command(_asked: SimpleNamespace) -> int:
    """Serves the Model Context Protocol until stdin ends."""
    return serve()


RECALL_COMMANDS: dict[str, Callable[[SimpleNamespace], int]] = {
    "index": index_command, "search": search_command, "ask": ask_command, "show": show_command, "forget": forget_command, "stats": stats_command, "push": push_command,
    "mcp": mcp_command, "first-prompt": first_prompt_command}


def amount(told: str) -> int:
    """The number, from 0 on; ValueError for anything else."""
    if (number := int(told)) < 0:
        raise ValueError("it is no number from 0 on")
    return number


def kind_named(told: str) -> str:
    """The kind of text; ValueError for anything else."""
    if told not in KINDS:
        raise ValueError(f"it is one of {', '.join(KINDS)}")
    return told


RECALL_OPTIONS: dict[str, dict[str, Any]] = {  # of each command, with what makes their value of a text; "" for a switch
    "index": {"quiet": ""}, "stats": {"json": ""}, "forget": {
        "project": str, "session": str, "match": str, "dry-run": "", "yes": ""},
    "search": {"project": str, "session": str, "since": moment_named, "until": moment_named, "kind": kind_named, "limit": amount,
               "chars": amount, "json": ""},
    "show": {"context": amount, "chars": amount, "json": ""}}
OPTION_DEFAULTS = {"limit": HITS_BY_DEFAULT, "chars": 0, "context": 0}  # the value of an option that is not given, if any
WORD_COUNTS = {"index": (0, 1 << 20), "search": (1, 1 << 20), "show": (1, 1)}  # least and most that a command takes


class Wrong(Exception):
    """Says what is wrong with a command line."""


def recall_arguments(argv: Sequence[str]) -> SimpleNamespace:
    """The command line's values; refused as `Wrong`. getopt: argparse takes 5 ms of a search's 45."""
    from getopt import GetoptError, gnu_getopt
    name = argv[0] if argv else ""
    if name not in RECALL_COMMANDS:
        raise Wrong(f"the command is one of {', '.join(RECALL_COMMANDS)}")
    made, (least, most) = RECALL_OPTIONS.get(name, {}), WORD_COUNTS.get(name, (0, 0))
    try:
        given, words = gnu_getopt([*argv[1:]], "", [option + "=" * bool(make) for option, make in made.items()])
    except GetoptError as fault:
        raise Wrong(str(fault)) from None
    if not least <= len(words) <= most:
        raise Wrong(f"{name} takes {'no' if not most else 'one' if most == 1 else 'some'} words")
    if name == "show" and not re.fullmatch(r"\d{1,99}", words[0], re.ASCII):
        raise Wrong("show takes the number of a turn")
    values = {option: OPTION_DEFAULTS.get(option, None if make else False) for option, make in made.items()}
    for flag, text in given:
        try:
            values[flag[2:]] = made[flag[2:]](text) if made[flag[2:]] else True
        except (ValueError, OverflowError) as fault:
            raise Wrong(f"{flag} {text}: {fault}") from None
    named = {option.replace("-", "_"): value for option, value in values.items()}
    return SimpleNamespace(command=name, words=words, number=int(words[0]) if name == "show" else 0, **named)


def run_recall(given: Sequence[str], manual: str) -> int:
    """The exit code of the command line given; `manual` is printed when it asks for help."""
    if {"-h", "--help"} & {*given}:
        print(manual)
        return 0
    try:
        asked = recall_arguments(given)
    except Wrong as fault:
        sys.stderr.write(f"usage: recall.py COMMAND ... (recall.py --help tells more)\ncompact-keeper: {fault}\n")
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # for an agent, whatever the terminal's is
    try:
        code = RECALL_COMMANDS[asked.command](asked)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\ncompact-keeper: stopped; the same command goes on from here\n")
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (Refusal, OSError, OverflowError, UnicodeError, sqlite3.Error) as fault:
        sys.stderr.write(f"compact-keeper: {fault}\n")
        return 1
    return code


def beside_a_session(body: Callable[[], None]) -> None:
    """Does what nobody waits for or looks at: a fault stands in hook.log."""
    try:
        body()
    except Exception as fault:  # noqa: BLE001 - the outermost line of what a hook has started
        log(f"{type(fault).__name__}: {fault}")
