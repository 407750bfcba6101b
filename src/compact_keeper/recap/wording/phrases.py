"""How things are put into words for the model: moments, code, whose step it is, a person's words in short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.items import PASTED_LINES
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import MIDDLE_GONE, behind_space, cut, units
from compact_keeper.text.listing import file_names
from compact_keeper.text.marks import QUESTION_MARKS, as_code, in_quotes
from compact_keeper.text.paths import is_path_named_in
from compact_keeper.text.rows_again import ROWS_AGAIN_BEGIN
from compact_keeper.text.times import age_in_words, moment
from compact_keeper.types import Item, Line

KNOWN_LINE_MIN_CHARACTERS, KNOWN_RUN_MIN_CHARACTERS, AS_IN_SUMMARY = 20, 120, "[… as in the summary]"
LEFT_OUT_UTF16 = 40  # that the words take which say how much was left out: less is not left out
NEXT_SHOWN_UTF16 = 60  # of what was typed next
NO_LINE: Line = {"items": [], "text": ""}
BEHIND_QUESTION = " \t\n*_`)」"  # what may stand behind a question's mark
VIA = {  # how a message came, where it was not typed at the prompt
    "rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
    "compact": "behind /compact"}
SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"


def how_long_before(stamp: str, now: int) -> str:
    """How long before `now` (seconds since 1970) that moment was; "earlier" where one of the two is not known."""
    if not stamp or not now:
        return "earlier"
    seconds = now - moment(stamp)
    return f"{age_in_words(seconds, has_days=False)} before" if seconds >= 60 else "just before"


def ends_with_question(text: str) -> bool:
    """Whether a text asks, by its last sign."""
    return text.rstrip(BEHIND_QUESTION).endswith(QUESTION_MARKS)


def last_sentence(words: str) -> str:
    """The last sentence of the words, without marks of emphasis around it."""
    return re.split(SENTENCE_END, folded_line(words).rstrip("*_ "))[-1].lstrip("*_#>- ")


def folded_line(text: str) -> str:
    """The text with its white space folded."""
    return " ".join(text.split())


def rows_on_a_line(text: str) -> str:
    """The text on one line: its rows without the empty ones, a mark between them, white space folded."""
    return ROW_END.join(folded_line(row) for row in text.splitlines() if row.strip())


def shared_beginning(text: str, other: str) -> int:
    """How many characters both begin with."""
    count = 0
    for left, right in zip(text, other):
        if left != right:
            break
        count += 1
    return count


def middle_out(text: str, limit: int) -> str:
    """The text on one line, at most `limit` UTF-16 units: a long one loses its middle, of a command the rarest part.

    Its end begins with a whole word, unless that takes more than half of it away.
    """
    line = folded_line(text)
    if units(line) <= limit:
        return line
    start = cut(line, limit * 2 // 3).rstrip("…").rstrip()
    end = line[-max(limit // 3 - 3, 1):]
    from_whole_word = behind_space(end)
    if len(from_whole_word) * 2 >= len(end):
        end = from_whole_word
    return f"{start} … {end.lstrip()}"


def shortened_words(text: str, limit: int) -> str:
    """The person's words on one line, about `limit` units: whole sentences from both ends, and how much went."""
    line = rows_on_a_line(text)
    if units(line) <= limit + LEFT_OUT_UTF16:
        return in_quotes(line)
    first, last = sentences_shown(re.split(SENTENCE_END, line), limit - LEFT_OUT_UTF16)
    if not first:  # its first sentence is too long: parts of sentences from both ends
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = behind_space(line[-limit // 4:])
        return f"{in_quotes(start)} {what_is_missing(text, start, end)} {in_quotes(end)}"
    begin, end = " ".join(first), " ".join(last)
    shown = f"{in_quotes(begin)} {what_is_missing(text, begin, end)}"
    return f"{shown} {in_quotes(end)}" if end else shown


def sentences_shown(sentences: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """The sentences from the beginning that have room, and those from the end.

    They take room in turns; the very first takes six tenths of it at most, so that something of the end is shown.
    """
    first, between, last = list[str](), [*sentences], list[str]()
    while between and len(between[0]) + 1 <= (room if first else room * 0.6):
        room -= len(between[0]) + 1
        first.append(between.pop(0))
        if between and len(between[-1]) + 1 <= room:
            room -= len(between[-1]) + 1
            last.insert(0, between.pop())
    return first, last


def what_is_missing(text: str, begin: str, end: str) -> str:
    """How much of a text is left out between its beginning and its end, which stand on a line, in words.

    Where more was left out of it before, nobody knows how much.
    """
    words = text.strip()
    words = words[length_of(begin, words):]
    words = words[:len(words) - length_of(end[::-1], words[::-1])]
    is_whole = MIDDLE_GONE not in words and ROWS_AGAIN_BEGIN not in words and PASTED_LINES not in text
    return f"[{len(words)} characters left out]" if is_whole else "[a long part left out]"


def length_of(begin: str, text: str) -> int:
    """How many characters of the text its beginning has that stands on a line, where white space is folded."""
    left = sum(len(word) for word in begin.split() if word != ROW_END.strip())
    for index, sign in enumerate(text):
        if not left:
            return index
        left -= not sign.isspace()
    return len(text)


def typed_next(message: Item, verb: str = "typed next") -> str:
    """What the person typed behind something, in a bracket: how it begins."""
    return f" (the user {verb}: {in_quotes(cut(folded_line(message['text']), NEXT_SHOWN_UTF16))})"


def without_known_lines(lines: Sequence[str], summary: str) -> list[str]:
    """The lines, with a mark in the place of longer runs of lines that the summary holds word for word.

    Short lines stay, as does the last: code with marks in it reads worse than what they spare.
    """
    kept, known = list[str](), list[str]()
    for line in [*lines, ""]:  # the empty one ends the last run
        if len(line) > KNOWN_LINE_MIN_CHARACTERS and line.strip("-*# ") in summary and line is not lines[-1]:
            known.append(line)
            continue
        is_long_run = len("".join(known)) > KNOWN_RUN_MIN_CHARACTERS
        kept += [AS_IN_SUMMARY] if is_long_run else known
        kept.append(line)
        known = []
    return kept[:-1]


def by_whom(item: Item) -> str:
    """Whose step it is, where it is a subagent's: it may have gone to another branch, and was taken for the agent's."""
    agent = item.get("by_agent", "")
    return f"subagent {agent}" if agent else ""


def edited_since(paths: Iterable[str]) -> str:
    """That these files were edited later, behind what is told of them; empty for none."""
    files = [*paths]
    return f" (edited since: {file_names(files)})" if files else ""


def named_files_edited_since(words: str, paths: Iterable[str]) -> str:
    """Which of these files, that were edited later, the words of an agent name: what it found there may be mended."""
    return edited_since(path for path in paths if is_path_named_in(path, words))


def lacking_result(call: Item) -> str:
    """What is said of a call that had no result when it was read."""
    return "no result on record" if call.get("has_lost_result") else "no result yet"


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


def shared_line(text: str, tells: Iterable[str] = ()) -> Line:
    """A line that several items tell together; `tells`: as stated.py knows the steps that it tells."""
    return {"items": [], "text": text, "tells": {*tells}}
