"""Commands whose output tells nothing but what a later line asked again beside something else: it was so then.

`find data | wc -l` had stood with the last count, though `tail -5 make.log; find data | wc -l` had shown more since.
With its words alone the same command is one item, whose newest output is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.looking import is_looking_piece
from compact_keeper.record.commands.programs import CUTTING, FILE_HANDLERS, WAITING, WITHOUT_EFFECT
from compact_keeper.record.commands.shell import (
    PIPES,
    commands_in_folders,
    pieces_of,
    program_in,
    shell_words,
    without_redirections,
)
from compact_keeper.record.endings import ENDED_WELL
from compact_keeper.record.outcomes.worked_later import is_known_whole
from compact_keeper.text.paths import is_whole_path
from compact_keeper.types import Item

PRINTING_NOTHING = (*WITHOUT_EFFECT, *WAITING, *FILE_HANDLERS, "kill", "pkill", "killall", "source", ".")
ENDS_OF_PIPE = (*CUTTING, "cat", "tee")  # with them the question is the same
Question = tuple[str, str]  # the folder, and what is asked there


def asked_again(items: Sequence[Item]) -> set[int]:
    """The positions of commands that only ask, or print nothing else, of which a later line asks all again."""
    again, later = set[int](), set[Question]()
    for item in reversed(items):
        is_command = item["kind"] in ("action", "look") and item["tool"] in SHELL_TOOLS
        if not is_command or not is_known_whole(item["text"]):
            continue
        pipes = [*pipes_of(item)]
        questions = [question_of(folder, pipe) for folder, pipe, _ in pipes]
        is_asked = bool(questions) and later.issuperset(questions)
        if is_asked and all(is_looking_piece(piece) for _, pipe, _ in pipes for piece in pipe):
            again.add(item["position"])
        if item.get("verdict", "ended") in ENDED_WELL:
            later |= {question for question, (_, _, sign) in zip(questions, pipes) if sign != "||"}
    return again


def pipes_of(item: Item) -> Iterator[tuple[str, list[str], str]]:
    """The folder, the commands and the sign before each pipe of a command line that prints something."""
    text, pipe, before = item["text"], list[str](), ""
    for (piece, sign), (_, folder) in zip(pieces_of(text), commands_in_folders(text, item.get("folder", ""))):
        pipe.append(piece)
        if sign in PIPES:
            continue
        if program_in(pipe[0]) not in PRINTING_NOTHING:
            yield folder, pipe, before
        pipe, before = [], sign


def question_of(folder: str, pipe: Sequence[str]) -> Question:
    """What a pipe asks, with however many rows; without the folder where it names whole paths and no others."""
    asking = [*pipe]
    while len(asking) > 1 and program_in(asking[-1]) in ENDS_OF_PIPE:
        asking.pop()
    words = [without_redirections(shell_words(piece)) for piece in asking]
    paths = [word for word in words[0][1:] if "/" in word]
    is_elsewhere = bool(paths) and all(is_whole_path(path.strip("\"'")) for path in paths)
    return "" if is_elsewhere else folder, " | ".join(map(" ".join, words))
