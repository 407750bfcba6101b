"""The commands of recall.py: index, search, ask, show, forget, stats, push, mcp, first-prompt."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from types import SimpleNamespace
from typing import Any

from compact_keeper.archive.first_prompt import hits_for_prompt
from compact_keeper.archive.indexing import index_transcripts
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.mcp import serve
from compact_keeper.archive.passages import steps_of_row
from compact_keeper.archive.pushing import Busy, push_turns
from compact_keeper.archive.question import words_and_pattern
from compact_keeper.archive.search import (
    ANSWER_MAX_CHARACTERS,
    PASSAGES_BY_DEFAULT,
    answer_text,
    open_archive,
    passages_for,
    server_named,
)
from compact_keeper.archive.shown_turns import (
    PAGE_CHARACTERS,
    NoSuchTag,
    page_of,
    rows_shown,
    shown_lines,
)
from compact_keeper.archive.wording import hits_within
from compact_keeper.client.asking import is_agreed_to
from compact_keeper.client.hook import run_hook
from compact_keeper.store.folder import NO_LINK, data_home, open_regular
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.listing import and_more
from compact_keeper.text.sizes import size_shown
from compact_keeper.text.tags import TAG_PATTERN
from compact_keeper.text.times import local_time, moment_named

FOR_AN_AGENT = "From compact-keeper's archive of earlier turns:"
NUMBERS_MAX = 10  # of turns that are named before they are removed
LOOKED_THROUGH_MAX_BYTES = 64 << 20  # of a file of ours, for words that were forgotten
ONLY_THE_ARCHIVE = ("Only the archive forgets: Claude Code's own transcripts have all of it still, and so have the "
                    "sessions' folders beside the archive.")
QUESTION_MAX_BYTES = 64 << 10  # of an agent's question on stdin
# 2.1.76 puts "< /dev/null" behind the mark that ends the skill's question, so that it ends nothing.
QUESTION_END = r"\s*end-of-the-question ?< ?/dev/null\Z"
REFERENCE_IN_QUESTION = rf"(?:#?\d[\d#-]*|\d*#?{TAG_PATTERN}\b)(?:-#?(?:\d+|{TAG_PATTERN}\b))?"
SHOW_QUESTION = (  # a word may be a tag
    rf"(?:show|turn) *({REFERENCE_IN_QUESTION})( .*)?|((?=#|{TAG_PATTERN}\b){REFERENCE_IN_QUESTION})")
SERVER_PATIENCE_SECONDS = 600  # for which a server that is away is tried again


def index_command(given: SimpleNamespace) -> int:
    """Takes in the transcripts named, else all of the client's; quiet, as beside a session, a fault goes to the log."""
    try:
        index(given.words, given.quiet)
    except Exception as fault:
        if not given.quiet:
            raise
        if os.path.isdir(data_home()):
            log(f"{type(fault).__name__}: {fault}")
    return 0


def index(paths: list[str], is_quiet: bool) -> None:
    """Takes in transcripts; beside a session what it has added, which goes to the server where one is named.

    There, with the session's `paths`, it makes no data folder anew: it was removed while the last save ended.
    Closed, SQLite writes back what it keeps beside the file: half a MB had stood there, and "4.1 KB of the archive".
    """
    if is_quiet and paths and not os.path.isdir(data_home()):
        return
    archive = Archive()
    with closing(archive.db):
        index_transcripts(archive, paths, is_quiet)
        if is_quiet and server_named() and os.path.isdir(data_home()):
            with suppress(Busy):  # that process sends these turns too
                push_turns(archive, SERVER_PATIENCE_SECONDS)


def search_command(given: SimpleNamespace) -> int:
    """Prints the best passages for the question; the step itself where that is a tag."""
    if given.json:
        passages, notes = passages_for(" ".join(given.words), vars(given))
        print(json.dumps({"hits": hits_within(passages, given.chars), "notes": notes}, ensure_ascii=False))
    else:
        question = " ".join(given.words)
        is_tag = re.fullmatch(f"#{TAG_PATTERN}", question)
        print(answer_for_agent(question) if is_tag else answer_text(question, vars(given), given.chars))
    return 0


def ask_command(given: SimpleNamespace) -> int:
    """Prints for an agent what the question finds; a fault too, since a skill fails with its command.

    The question is given as words, as the prompt's hook has it, else on stdin, where no shell reads it.
    """
    question = " ".join(given.words)
    if not given.words and sys.stdin:
        question = sys.stdin.buffer.read(QUESTION_MAX_BYTES).decode("utf-8", "replace")
    question = re.sub(QUESTION_END, "", question.strip())
    try:
        print(f"{FOR_AN_AGENT}\n{answer_for_agent(question)}")
    except (Refusal, Wrong, OSError, sqlite3.Error) as fault:
        print(f"compact-keeper: {fault_words(fault)}")
    return 0


def answer_for_agent(question: str) -> str:
    """What an agent wants to see, `show` with its options; else the passages for its question, with its filters."""
    room = ANSWER_MAX_CHARACTERS - len(FOR_AN_AGENT) - 2
    if question == "show":
        recall_arguments([question])  # refused, with what it takes
    # Not a bare number: that may be a port or a status.
    if show := re.fullmatch(SHOW_QUESTION, question):
        given = recall_arguments(["show", show[1] or show[3], *(show[2] or "").split()])
        try:
            return text_shown(SimpleNamespace(**{**vars(given), "chars": min(given.chars, room)}))
        except NoSuchTag:
            if "#" in question:
                raise
    given = recall_arguments(["search", *(question.split() or [""])])
    return answer_text(" ".join(given.words), vars(given), min(given.chars or room, room))


def show_command(given: SimpleNamespace) -> int:
    """Prints a turn or steps of it, and those of its session around."""
    if given.json:
        rows = [row for row, _ in rows_shown(given.words[0], given.context)]
        print(json.dumps([{**row, "steps": [*steps_of_row(row)]} for row in rows], ensure_ascii=False))
    else:
        print(text_shown(given))
    return 0


def text_shown(given: SimpleNamespace) -> str:
    """A page of what is to be shown, of the lines that are chosen."""
    lines = shown_lines(given.words[0], given.context, given.match or "", given.lines)
    return page_of(lines, given.page, given.chars, f"`show {given.words[0]} --page {{}}`")


def forget_command(given: SimpleNamespace) -> int:
    """Removes the turns that the filters name, each whole, after a question; says what still holds the words."""
    archive = open_archive()
    filters = {name: getattr(given, name) for name in ("project", "session", "match")}
    if not any(filters.values()):
        raise Wrong("say what to forget: --project, --session or --match")
    count, (numbers, steps) = archive.count(filters), archive.named_by(filters, NUMBERS_MAX)
    named = f"{count_shown(count, 'turn')} ({', '.join(map(str, numbers))}{and_more(count - len(numbers))})"
    whole = f"with all of {'its' if count == 1 else 'their'} {count_shown(steps, 'step')}"
    part = f"*{given.match.strip('*')}*" if given.match else ""
    more = archive.count({**filters, "match": part}) - count if part else 0
    parts = f"; {part}, parts of words too, names {count_shown(count + more, 'turn')}" if more else ""
    if not count:
        print(f"0 turns are like that: nothing to remove{parts}")
    elif given.dry_run:
        print(f"{named} would be removed, {whole}{parts}")
        name_files_with(given.match, "would still stand")
    elif given.yes or is_agreed_to(f"Remove {named}, {whole}, for good? [y/N] "):
        print(f"{count_shown(archive.forget(filters), 'turn')} removed, {whole}{parts}. {ONLY_THE_ARCHIVE}")
        name_files_with(given.match, "still stand")
    else:
        print("nothing removed")
    return 0


def name_files_with(match: str | None, how: str) -> None:
    """Prints in which files beside the archive the words stand; nothing where no words were named."""
    for path in files_with(match) if match else ():
        print(f"The words {how} in {path}")


def files_with(match: str) -> list[str]:
    """The files of sessions and the reports in which the words stand, beside the archive."""
    bare, pattern = words_and_pattern(match)
    pattern = pattern or re.escape(bare)
    in_json = json.dumps(bare)[1:-1]
    patterns = {pattern, pattern.replace(re.escape(bare), re.escape(in_json))}
    holding: list[str] = []
    folders = [os.path.join(data_home(), name) for name in ("sessions", "reports")]
    for folder, names in ((folder, names) for top in folders for folder, _, names in os.walk(top)):
        for path in (os.path.join(folder, name) for name in names):
            with suppress(OSError, Refusal), os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
                text = file.read(LOOKED_THROUGH_MAX_BYTES).decode("utf-8", "replace")
                holding += [path] * any(re.search(words, text, re.ASCII | re.IGNORECASE) for words in patterns)
    return sorted(holding)


def stats_command(given: SimpleNamespace) -> int:
    """Prints what the archive holds."""
    figures = open_archive().figures()
    if given.json:
        print(json.dumps(figures))
    else:
        times = {name: local_time(figures[name]) for name in ("first", "last") if figures[name]}
        shown = {**figures, **times, "on disk": size_shown(figures["bytes"])}
        print("\n".join(f"{name:<12}{'none yet' if value is None else value}"
                        for name, value in shown.items() if name != "bytes"))
    return 0


def push_command(_given: SimpleNamespace) -> int:
    """Sends to the server what it does not have yet."""
    print(f"{count_shown(push_turns(Archive()), 'turn')} sent")
    return 0


def first_prompt_command(_given: SimpleNamespace) -> int:
    """Prints what the archive has on the prompt in the hook's JSON on stdin; a fault stands in hook.log."""
    return run_hook(lambda data: print(hits_for_prompt(data), end=""))


RECALL_COMMANDS: dict[str, Callable[[SimpleNamespace], int]] = {
    "index": index_command, "search": search_command, "ask": ask_command, "show": show_command,
    "forget": forget_command, "stats": stats_command, "push": push_command, "mcp": lambda _: serve(),
    "first-prompt": first_prompt_command}


# --- the command line ---


def amount(words: str) -> int:
    """The number, from 0 on; ValueError for anything else."""
    if not (words.isascii() and words.isdecimal()):
        raise ValueError("it takes a whole number, from 0 on")
    return int(words)


def number_of_hits(words: str) -> int:
    """The number, from 1 on; ValueError for anything else."""
    if not amount(words):
        raise ValueError("it takes a whole number, from 1 on")
    return amount(words)


def span_named(words: str) -> tuple[int, int]:
    """The numbers of the first and the last line, as in `10-25`; ValueError for anything else."""
    first, dash, last = words.partition("-")
    try:
        return amount(first), amount(last if dash else first)
    except ValueError:
        raise ValueError("it takes the number of a line, or of the first and the last, as in 10-25") from None


def kind_named(words: str) -> str:
    """The kind of text; ValueError for anything else."""
    if words not in KINDS:
        raise ValueError(f"it is one of {', '.join(KINDS)}")
    return words


# The options of each command, with what makes a value of the words behind one; None for a switch.
RECALL_OPTIONS: dict[str, dict[str, Callable[[str], Any] | None]] = {
    "index": {"quiet": None},
    "search": {"project": str, "session": str, "since": moment_named, "until": moment_named, "kind": kind_named,
               "limit": number_of_hits, "chars": amount, "json": None},
    "show": {"context": amount, "match": str, "lines": span_named, "page": amount, "chars": amount, "json": None},
    "forget": {"project": str, "session": str, "match": str, "dry-run": None, "yes": None},
    "stats": {"json": None}}
OPTION_DEFAULTS = {  # of options that are not given
    "search": {"limit": PASSAGES_BY_DEFAULT, "chars": ANSWER_MAX_CHARACTERS},
    "show": {"chars": PAGE_CHARACTERS, "page": 1}}
TAKES = {"show": "one place, as a search prints it (2#57), or a tag (#k3fq)", "search": "the words to look for"}
WORD_COUNTS = {  # least and most that a command takes
    "index": (0, 1 << 20), "search": (1, 1 << 20), "ask": (0, 1 << 20), "show": (1, 1)}


class Wrong(Exception):
    """Says what is wrong with a command line."""


def recall_arguments(argv: Sequence[str]) -> SimpleNamespace:
    """The command line's values; refused as `Wrong`."""
    name = argv[0] if argv else ""
    if name not in RECALL_COMMANDS:
        raise Wrong(f"the command is one of {', '.join(RECALL_COMMANDS)}")
    options, (least, most) = RECALL_OPTIONS.get(name, {}), WORD_COUNTS.get(name, (0, 0))
    values: dict[str, Any] = {option: None if make else False for option, make in options.items()}
    values.update(OPTION_DEFAULTS.get(name, {}))
    words: list[str] = []
    for option, text in options_and_words(argv[1:], options, may_begin_with_dash=name == "search"):
        if option:
            values[option] = option_value(option, options[option], text)
        else:
            words.append(text)
    if not least <= len(words) <= most:
        raise Wrong(f"{name} takes {'no words' if not most else TAKES.get(name, 'some words')}")
    attributes = {option.replace("-", "_"): value for option, value in values.items()}
    return SimpleNamespace(command=name, words=words, **attributes)


def options_and_words(
        arguments: Sequence[str], options: dict[str, Callable[[str], Any] | None],
        may_begin_with_dash: bool) -> Iterator[tuple[str, str]]:
    """Each option with the words behind it, and each word with an empty option; they may stand in any order.

    Where a word may begin with a dash, what is no option of the command is one.

    Not argparse, which takes 5 ms of a search's 45, nor getopt, which takes 1.3: it imports gettext.
    """
    left = iter(arguments)
    for text in left:
        option, has_value, value = text[2:].partition("=")
        if text == "--":
            yield from (("", word) for word in left)
        elif not text.startswith("-") or text == "-" or (may_begin_with_dash and option not in options):
            yield "", text
        elif not text.startswith("--") or option not in options:
            raise Wrong(f"there is no option {text.partition('=')[0]}")
        elif not options[option]:
            if has_value:
                raise Wrong(f"--{option} takes no value")
            yield option, ""
        else:
            following = value if has_value else next(left, None)
            if following is None:
                raise Wrong(f"--{option} takes a value")
            yield option, following


def option_value(option: str, make: Callable[[str], Any] | None, text: str) -> Any:
    """What the option is set to."""
    try:
        return make(text) if make else True
    except (ValueError, OverflowError) as fault:
        raise Wrong(f"--{option} {text}: {fault}") from None


def run_recall(argv: Sequence[str], manual: str) -> int:
    """The exit code of the command line; `manual` is printed when it asks for help."""
    if {"-h", "--help"} & {*argv}:
        print(manual)
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # for an agent, whatever the terminal's is
    try:
        given = recall_arguments(argv)
        code = RECALL_COMMANDS[given.command](given)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\ncompact-keeper: stopped; the same command goes on from here\n")
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Wrong as fault:
        sys.stderr.write(f"usage: recall.py COMMAND ... (recall.py --help tells more)\ncompact-keeper: {fault}\n")
        return 2
    except (Refusal, OSError, OverflowError, UnicodeError, sqlite3.Error) as fault:
        sys.stderr.write(f"compact-keeper: {fault_words(fault)}\n")
        return 1
    return code
