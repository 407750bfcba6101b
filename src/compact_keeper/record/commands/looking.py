"""Whether a command only looks: at files, at processes, at what git knows. What it does not know, changes something."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from compact_keeper.record.commands.programs import LOOKING_PROGRAMS, LOOKING_SUBCOMMANDS
from compact_keeper.record.commands.shell import (
    COMMANDS_KEPT,
    QUOTED_TEXT,
    lines_that_do,
    pieces_of,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.record.commands.written_files import edits_in_place

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
