"""What of compact-keeper's is in a request: the one place that knows how the client wraps it.

What a hook of compact-keeper's says comes behind the client's own words and up to the end of
its reminder; the newest models get it in a longer system message, where the client's next line
ends it, or what another hook says.  The restored block is what holds its number, a note what is
about a summary.  The instructions for the summariser stand at the end of the summary request,
behind those of the person who typed /compact.
"""

from __future__ import annotations

import re

from scripted_api import Request

OUR_FIRST_WORD = "compact-keeper:"
NOTE = "compact-keeper compared the compaction's summary"
SAID = re.compile(
    rf"hook additional context: ((?:{OUR_FIRST_WORD}|{NOTE}).*?)\s*"
    r"(?=</system-reminder>|\n\n(?:Today's date is |# Environment|<total_tokens>|\w+ hook additional context: )|\Z)",
    re.DOTALL)
FURTHER_PART = f"{OUR_FIRST_WORD} (?:second|third) part of the record"
NOTE_BEHIND = re.compile(rf"\s*^{NOTE}.*\Z", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\(block [0-9a-z]{8}\)")
INSTRUCTIONS = re.compile(rf"Additional Instructions:\n.*?({OUR_FIRST_WORD}.*?)\s*\n\n(?:REMINDER|IMPORTANT): ",
                          re.DOTALL)


def said(request: Request) -> list[str]:
    """What compact-keeper's hooks say in a request, each without the client's wrapping."""
    return [words for text in request.texts() for words in SAID.findall(text)]


def restored_blocks(request: Request) -> list[str]:
    """Every restored block in a request."""
    return [words for words in said(request) if NUMBER.search(words)]


def notes(request: Request) -> list[str]:
    """Every note on a summary in a request, also one that stands behind a text that was put back again."""
    return [NOTE + words.partition(NOTE)[2] for words in said(request) if f"\n\n{NOTE}" in f"\n\n{words}"]


def parts_given(request: Request) -> list[str]:
    """The parts of what was put back, as each hook said it; the client puts those of one start together."""
    texts = [part for words in said(request) for part in re.split(rf"\n(?={FURTHER_PART})", words)]
    return [NOTE_BEHIND.sub("", words) for words in texts if NUMBER.search(words)]


def restored_block(request: Request) -> str:
    """The one restored block of a request, empty when there is none or more than one."""
    blocks = restored_blocks(request)
    return blocks[0] if len(blocks) == 1 else ""


def summary_instructions(request: Request) -> str:
    """What compact-keeper asks of the summariser in a summary request, empty when it asks nothing."""
    match = INSTRUCTIONS.search(request.last_text())
    return match.group(1) if match else ""


def sections(block: str) -> dict[str, list[str]]:
    """The lines of a block by their `## ` heading; those before the first heading under ""."""
    lines_by_heading: dict[str, list[str]] = {"": []}
    heading = ""
    for line in block.splitlines():
        if line.startswith("## "):
            heading = line[3:]
            lines_by_heading.setdefault(heading, [])
        else:
            lines_by_heading[heading].append(line)
    return lines_by_heading


def task_marks(block: str, task: str) -> set[str]:
    """The marks of a task wherever a line names it behind one: [ ], [~] or [x]."""
    before = [line.partition(task)[0] for line in block.splitlines() if task in line]
    return {marks[-1] for marks in (re.findall(r"\[[ x~]\]", words) for words in before) if marks}


def utf16_units(text: str) -> int:
    """The length of a text as the client counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
