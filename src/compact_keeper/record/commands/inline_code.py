"""The code that a command line itself holds: what an interpreter is given to run, what `cat > file << EOF` writes."""

from __future__ import annotations

import re

from compact_keeper.record.commands.programs import INTERPRETERS
from compact_keeper.record.commands.shell import HERE_DOCUMENT, program_in

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
