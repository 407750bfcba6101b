"""How things are put into words for the model: moments, code, whose step it is, a person's words in short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import MIDDLE_GONE, behind_space, cut, units
from compact_keeper.text.marks import QUESTION_MARKS, as_code, in_quotes
from compact_keeper.text.rows_again import ROWS_AGAIN_BEGIN
from compact_keeper.text.times import moment
from compact_keeper.types import Item, Line

KNOWN_LINE_MIN_CHARACTERS, KNOWN_ROW_MIN_CHARACTERS, AS_IN_SUMMARY = 20, 120, "[… as in the summary]"
LEFT_OUT_UTF16 = 40  # that the words take which say how much was left out: less is not left out
NEXT_SHOWN_UTF16 = 60  # of what was typed next
NO_LINE: Line = {"items": [], "text": ""}
BEHIND_QUESTION = " \t\n*_`)」"  # what may stand behind a question's mark
SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"


def ago(stamp: str, now: int) -> str:
    """How long before `now` (seconds since 1970) that moment was; "earlier" where one of both is not known."""
    if not stamp or not now:
        return "earlier"
    minutes = (now - moment(stamp)) // 60
    if minutes < 1:
        return "just before"
    return f"{minutes} min before" if minutes < 120 else f"{minutes // 60} h before"


def ends_with_question(text: str) -> bool:
    """Whether a text asks, by its last sign."""
    return text.rstrip(BEHIND_QUESTION).endswith(QUESTION_MARKS)


def folded_line(text: str) -> str:
    """The text with its white space folded."""
    return " ".join(text.split())


def rows_on_a_line(text: str) -> str:
    """The text on one line, with a mark between its rows and without empty ones; else its white space folded."""
    return ROW_END.join(filter(None, (" ".join(row.split()) for row in text.splitlines())))


def shared_beginning(text: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, (left, right) in enumerate(zip(text, other)) if left != right), min(len(text), len(other)))


def middle_out(text: str, limit: int) -> str:
    """The text on one line, at most `limit` UTF-16 units: a long one loses its middle, of a command the rarest part.

    Its end begins with a whole word where half of it is left then.
    """
    line = folded_line(text)
    if units(line) <= limit:
        return line
    start, end = cut(line, limit * 2 // 3).rstrip("…"), line[-max(limit // 3 - 3, 1):]
    whole = behind_space(end)
    return f"{start.rstrip()} … {(whole if len(whole) * 2 >= len(end) else end).lstrip()}"


def shortened_words(text: str, limit: int) -> str:
    """The person's words on one line, about `limit` units: whole sentences from both ends, and how much went."""
    line = rows_on_a_line(text)
    if units(line) <= limit + LEFT_OUT_UTF16:
        return in_quotes(line)
    sentences = re.split(SENTENCE_END, line)
    first, last, room = list[str](), list[str](), limit - LEFT_OUT_UTF16
    while sentences and len(sentences[0]) + 1 <= room * (0.6 if not first else 1):
        room -= len(sentences[0]) + 1
        first.append(sentences.pop(0))
        if sentences and len(sentences[-1]) + 1 <= room:
            room -= len(sentences[-1]) + 1
            last.insert(0, sentences.pop())
    if not first:
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = behind_space(line[-limit // 4:])
        return f"{in_quotes(start)} {what_is_missing(line[len(start):len(line) - len(end)])} {in_quotes(end)}"
    begin, rest, missing = " ".join(first), " ".join(last), what_is_missing(" ".join([*sentences, ""]))
    return f"{in_quotes(begin)} {missing}{' ' + in_quotes(rest) if rest else ''}"


def what_is_missing(words: str) -> str:
    """How much was left out, in words; where more was left out of it before, nobody knows how much."""
    is_whole = MIDDLE_GONE not in words and ROWS_AGAIN_BEGIN not in words
    return f"[{len(words)} characters left out]" if is_whole else "[a long part left out]"


def typed_next(message: Item) -> str:
    """What the person typed behind something, in a bracket: how it begins."""
    return f" (the user typed next: {in_quotes(cut(folded_line(message['text']), NEXT_SHOWN_UTF16))})"


def without_known_lines(lines: Sequence[str], summary: str) -> list[str]:
    """The lines; for longer rows of them that the summary holds word for word a mark.

    A short one stands, as does the last line: code with marks in it reads worse than what they spare.
    """
    kept, row = list[str](), list[str]()
    for line in [*lines, ""]:
        if len(line) > KNOWN_LINE_MIN_CHARACTERS and line.strip("-*# ") in summary and line is not lines[-1]:
            row.append(line)
            continue
        kept += [AS_IN_SUMMARY] if len("".join(row)) > KNOWN_ROW_MIN_CHARACTERS else row
        kept.append(line)
        row = []
    return kept[:-1]


def by_whom(item: Item) -> str:
    """Whose step it is, where it is a subagent's: it may have gone to another branch, and was taken for the agent's."""
    agent = item.get("by_agent", "")
    return f"subagent {agent}" if agent else ""


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


def shared_line(text: str, tells: Iterable[str] = ()) -> Line:
    """A line that several items tell together; `tells`: as stated.py knows the steps that it tells."""
    return {"items": [], "text": text, "tells": {*tells}}
