"""The pieces of what was done and said, each of which may come back or not: lines, rows of outputs, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.choice.ranking import words_of
from compact_keeper.recap.lines.edits import BEFORE_THAT
from compact_keeper.recap.lines.remarks import MENDS_IT, is_statement
from compact_keeper.recap.lines.said_sentences import sentences_of
from compact_keeper.recap.wording.tagged import without_tags
from compact_keeper.record.outputs.printed_rows import ROW_MIN_CHARACTERS
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.types import Item, Line, Piece


def pieces_of_step(line: Line) -> Iterator[Piece]:
    """The pieces of a step's line: its short form, what its longer form says beyond that, rows that it printed."""
    item, whole = line["items"][0], line.get("whole", "")
    short = piece_of(line, kind_of_step(item), line["text"])
    yield short
    if short["kind"] in ("edited", "written"):
        changed = [row for row in rows_of_changes(whole) if row not in line["text"]]
        yield from pieces_of_rows(line, "changed", changed)
    elif whole not in ("", line["text"]):
        longer = piece_of(line, "longer", whole)
        longer["words"] -= short["words"]
        yield longer
    shown = f"{line['text']} {whole}"
    yield from pieces_of_rows(line, "printed", [row for row in item.get("rows", []) if row not in shown])


def piece_of(line: Line, kind: str, text: str, place: int = 0, count: int = 1) -> Piece:
    """A piece of a line: the one at this place of `count`."""
    return {"kind": kind, "text": text, "words": words_of(without_tags(text)), "step": newest_step(line),
            "place": place, "count": count, "line": line, "sentences": frozenset()}


def pieces_of_rows(line: Line, kind: str, rows: Sequence[str]) -> Iterator[Piece]:
    """The rows of a line's step, each a piece."""
    for place, row in enumerate(rows):
        yield piece_of(line, kind, row, place, len(rows))


def rows_of_changes(line: str) -> list[str]:
    """The rows of a file's changes in their line, each once, without the line's head."""
    changes = without_tags(line).partition(": ")[2].split(BEFORE_THAT)
    rows = [row for change in changes for row in change.split(ROW_END)]
    return [row for row in dict.fromkeys(rows) if len(row) >= ROW_MIN_CHARACTERS]


def pieces_of_words(line: Line) -> Iterator[Piece]:
    """The sentences of the agent's words that say how something is or was; a fault with that it is mended now.

    Of the person's words all sentences.
    """
    sentences = sentences_of(line["text"])
    kind = "said" if line["items"][0]["kind"] == "said" else "typed"
    every_sentence = {place: {place} for place in range(len(sentences))}
    together = places_of_statements(line["text"]) if kind == "said" else every_sentence
    for place, places in together.items():
        piece = piece_of(line, kind, sentences[place]["text"], place, len(sentences))
        piece["sentences"] = places
        yield piece


@lru_cache(maxsize=1_024)  # a text in two parts is chosen several times
def places_of_statements(words: str) -> dict[int, set[int]]:
    """The places of the sentences that say how something is or was, each with those that have to stand beside it."""
    sentences, statements = sentences_of(words), dict[int, set[int]]()
    for place, sentence in enumerate(sentences):
        follows = sentences[place + 1]["text"] if place + 1 < len(sentences) else ""
        if is_statement(sentence, follows):
            statements[place] = {place, place + 1} if re.match(MENDS_IT, follows) else {place}
    return statements


def kind_of_step(item: Item) -> str:
    """Of what kind the line of an item is, as WEIGHTS name it."""
    if item["kind"] == "look":
        return "read" if item["tool"] in ("Read", "LS", "Glob") else "look"
    if item["kind"] == "job":
        return "job"
    if item["tool"] in SHELL_TOOLS:
        return "command"
    if item["tool"] in CHANGING_TOOLS:
        return "written" if item["tool"] == "Write" else "edited"
    return "order" if item["tool"] in SUBAGENT_TOOLS else "call"


def newest_step(line: Line) -> int:
    """The position of the newest step that a line is about."""
    return max((item["position"] for item in line["items"]), default=0)
