"""The pieces of what was done and said, each of which may come back or not: lines, rows of outputs, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.edits import BEFORE_THAT
from compact_keeper.recap.ranking import words_of
from compact_keeper.recap.remarks import MENDS_IT, is_statement
from compact_keeper.recap.said_sentences import sentences_of
from compact_keeper.recap.tagged import without_tags
from compact_keeper.record.telling_rows import ROW_END
from compact_keeper.types import Item, Line, Piece


def pieces_of_step(line: Line) -> Iterator[Piece]:
    """The pieces of a step's line: its short form, what its longer form says beyond that, rows that it printed."""
    item = line["items"][0]
    step = newest_step(line)
    short = words_of(without_tags(line["text"]))
    yield {"kind": kind_of_step(item), "text": line["text"], "words": short, "step": step, "place": 0, "count": 1,
           "line": line, "sentences": frozenset()}
    kind = kind_of_step(item)
    whole = line.get("whole", "")
    if kind in ("edited", "written"):
        changed = [part for part in dict.fromkeys(parts_of_changes(whole)) if part not in line["text"]]
        for place, part in enumerate(changed):
            yield {"kind": "changed", "text": part, "words": words_of(part), "step": step, "place": place,
                   "count": len(changed), "line": line, "sentences": frozenset()}
    elif whole and whole != line["text"]:
        longer = words_of(without_tags(whole)) - short
        yield {"kind": "longer", "text": whole, "words": longer, "step": step, "place": 0, "count": 1,
               "line": line, "sentences": frozenset()}
    rows = item.get("rows", [])
    for place, row in enumerate(rows):
        yield {"kind": "printed", "text": row, "words": words_of(row), "step": step, "place": place,
               "count": len(rows), "line": line, "sentences": frozenset()}


def parts_of_changes(line: str) -> list[str]:
    """The rows of a file's changes in their line, without its head and without marks."""
    changes = without_tags(line).partition(": ")[2].split(BEFORE_THAT)
    return [row for change in changes for row in change.split(ROW_END) if len(row) > 8]


def pieces_of_words(line: Line) -> Iterator[Piece]:
    """The sentences of the agent's words that say how something is or was; a fault with that it is mended now.

    Of the person's words all sentences.
    """
    item, sentences = line["items"][0], sentences_of(line["text"])
    kind = "said" if item["kind"] == "said" else "typed"
    every_sentence = {place: {place} for place in range(len(sentences))}
    together = places_of_statements(line["text"]) if kind == "said" else every_sentence
    for place, places in together.items():
        text = sentences[place]["text"]
        yield {"kind": kind, "text": text, "words": words_of(text), "step": item["position"], "place": place,
               "count": len(sentences), "line": line, "sentences": places}


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
