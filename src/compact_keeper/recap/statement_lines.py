"""The agent's words in short: the sentences that say what the summary does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from compact_keeper.recap.wording import Paths, folded_line
from compact_keeper.record.names import tokens_of
from compact_keeper.text.ends import last_part
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Line

SAID_SHOWN_UTF16, SAID_WHOLE_UTF16 = 240, 1_000  # the second where room is left
SAID_END_SHOWN_UTF16, TURN_SHOWN_UTF16 = 450, 200
REPORT_MIN_CHARACTERS = 150  # shorter words before a call announce it, and the call stands there
REPORTS_MAX = 5  # of those that do not stand before a message; with all, readers were misled by old guesses
REPLY_SHOWN_UTF16 = 80
TURNS = r"(?:But|However|Wait|Actually|No[,.]|Hmm|Aber|Mais|Pero)\b"  # begin what takes back the sentence before
SENTENCE_BREAK = r"(?<=[.!?:;])\s+|\s(?=(?:[-*] |\d+\. |#+ |\*\*))"
REFERS_BACK = r"(?:In (?:that|this|such) case|Otherwise|Then|So|Therefore|Hence|This|That|These|Those|It|They)\b"
COMES_NEXT = (r"(?i)(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|excellent)\b\W{1,3})*"
              r"(?:let me|let's|i'?ll|i will|i need to|i want to|i'?m going to)\b")
ANNOUNCES = r":$|^#{1,6} [^.]{1,60}$"
COST_OF_CHARACTER = 0.004  # so a sentence of 100 without news is not taken between two that have some
RECOMMENDS = (r"(?i)\b(?:i(?:'d| would)? (?:recommend|suggest|go with|pick|lean|drop|keep)|recommend(?:ation)?\b"
              r"|my (?:pick|vote|choice))")
LEAD_MAX_CHARACTERS = 25
ADVICE_SHOWN_UTF16, ADVICE_COMPARED = 200, 40
LETTER, LONGER_WORD = r"[^\W\d_]", r"[^\W\d_]{5,}"
PLAIN_WORD_WEIGHT = 0.15  # of a word that the summary lacks, beside 1 of a name or value


def reports_in(items: Sequence[Item]) -> dict[int, str]:
    """The positions of words that report something, with where they stand: before which message, if before one.

    Those are the last before a message, and of the longer ones the newest, of several in a row the last: older guesses
    were mostly overtaken. Not the session's last words, which are shown elsewhere.
    """
    row = [item for item in items if item["kind"] in ("said", "message", "action")]
    said = [(item, after) for item, after in zip(row, row[1:]) if item["kind"] == "said"]
    if row and row[-1]["kind"] != "said":
        said = said[:-1]  # else the session's last words have nothing behind them
    longer = (item["position"] for item, after in reversed(said)
              if after["kind"] == "action" and len(without_plans(item["text"])) >= REPORT_MIN_CHARACTERS)
    newest_longer = {*islice(longer, REPORTS_MAX)}
    reports: dict[int, str] = {}
    for item, after in said:
        if after["kind"] == "message":
            is_aside = after.get("via") == "queue"  # typed before these words came
            typed = in_quotes(cut(folded_line(after["text"]), REPLY_SHOWN_UTF16))
            reports[item["position"]] = "" if is_aside else f", before the user typed {typed}"
        elif item["position"] in newest_longer:
            reports[item["position"]] = ""
    return reports


def without_plans(words: str) -> str:
    """The words without the sentences that only say what comes next: the calls behind them show it."""
    return " ".join(sentence for sentence in sentences_of(folded_line(words)) if not re.match(COMES_NEXT, sentence))


def statement_line(item: Item, where: str, paths: Paths, summary: str) -> Line:
    """The telling part of the agent's words, and more of them where room is left; empty: nothing that is new."""
    words = paths.short(folded_line(item["text"]))
    part = telling_part(words, summary, SAID_SHOWN_UTF16, bool(where))
    title = f"- Said{where}: "
    longer = part_with_end(words, summary) if where else telling_part(words, summary, SAID_WHOLE_UTF16)
    if where and part:
        part, longer = (with_recommendation(text, words) for text in (part, longer))
    return {"items": [item], "text": part and title + part, "whole": part and title + longer}


def with_recommendation(part: str, words: str) -> str:
    """The part of the agent's words, and behind it what they recommend where it is not in it."""
    sentences = sentences_of(words)
    places = [place for place, sentence in enumerate(sentences) if re.search(RECOMMENDS, sentence)] if (
        re.search(RECOMMENDS, words)) else []
    if not places:
        return part
    is_heading = len(sentences[places[0]]) < ADVICE_COMPARED
    advice = " ".join(sentences[places[0]:places[0] + 1 + is_heading])
    return f"{part} … {cut(advice, ADVICE_SHOWN_UTF16)}" if advice[:ADVICE_COMPARED] not in part else part


def part_with_end(words: str, summary: str) -> str:
    """Of words before a message the telling part, and their end, which the message may answer: options, a question."""
    if len(words) <= SAID_WHOLE_UTF16:
        return telling_part(words, summary, SAID_WHOLE_UTF16)
    sentences = sentences_of(words)
    first, last = telling_row(sentences, summary, SAID_WHOLE_UTF16)
    if first == last:
        return ""
    end = len(sentences) - 1
    while end > 0 and len(" ".join(sentences[end - 1:])) <= SAID_END_SHOWN_UTF16:
        end -= 1
    begin = "… " if first else ""
    if end <= last:
        return begin + cut(" ".join(sentences[first:]), SAID_WHOLE_UTF16 + SAID_END_SHOWN_UTF16)
    row = cut(" ".join(sentences[first:last]), SAID_WHOLE_UTF16 + TURN_SHOWN_UTF16)
    return f"{begin}{row} … {last_part(' '.join(sentences[end:]), SAID_END_SHOWN_UTF16).lstrip('… ')}"


def telling_part(words: str, summary: str, limit: int, with_end: bool = False) -> str:
    """Of the words the row of sentences with most names and values that the summary lacks, within `limit`.

    A question at the end is added, `with_end` any last sentence: the next message may answer it. Empty: nothing is new.
    """
    sentences = sentences_of(words)
    if len(words) <= limit:
        return words if any(news_in(sentence, summary) for sentence in sentences) else ""
    is_added = (with_end or sentences[-1].endswith("?")) and len(sentences[-1]) < limit // 2
    question = sentences[-1] if is_added else ""
    room = limit - len(question)
    first, last = telling_row(sentences, summary, room)
    if first == last:
        return ""
    begin, end = "… " if first else "", "" if last == len(sentences) else f" … {question}" if question else " …"
    return begin + cut(" ".join(sentences[first:last]), room + TURN_SHOWN_UTF16) + end


def telling_row(sentences: Sequence[str], summary: str, room: int) -> tuple[int, int]:
    """Where the row of sentences with most that the summary lacks begins, and behind which it ends; empty: nothing new.

    A row, not single sentences: a guess must not stand there without the words that take it back, nor the members of a
    list without its head.
    """
    news = [news_in(sentence, summary) for sentence in sentences]
    best, best_row = 0.0, (0, 0)
    for first in range(len(sentences)):
        size, value = 0, 0.0
        for last in range(first, len(sentences)):
            size += len(sentences[last]) + 1
            if size > room and last > first:
                break
            value += news[last] - COST_OF_CHARACTER * len(sentences[last])
            if value > best:
                best, best_row = value, (first, last + 1)
    first, last = best_row
    while 0 < first < last and (re.match(REFERS_BACK, sentences[first]) or is_lead(sentences[first - 1])):
        first -= 1
    while first < last < len(sentences) and re.match(TURNS, sentences[last]):
        last += 1
    while last > first + 1 and re.search(ANNOUNCES, sentences[last - 1]):  # what does not follow here
        last -= 1
    return first, last


def is_lead(sentence: str) -> bool:
    """Whether it leads to what follows ("But no:", "Removed:") and says nothing alone."""
    return len(sentence) <= LEAD_MAX_CHARACTERS and sentence.endswith((":", ";"))


@lru_cache(maxsize=2)  # words are looked through for a short part and for a long one
def sentences_of(words: str) -> list[str]:
    """The words' sentences, headings and members of lists, which nobody may change."""
    return [part for part in re.split(SENTENCE_BREAK, words) if part.strip()]


@lru_cache(maxsize=1_024)  # as above
def news_in(sentence: str, summary: str) -> float:
    """How many names, values and words, these with less weight, a sentence has that the summary lacks."""
    names = [token for token in tokens_of(sentence) if token not in summary]
    known, each_once = words_of(summary)
    words = {*re.findall(LONGER_WORD, sentence)}
    news = [word for word in words if word.lower() not in known and word.lower() not in each_once]
    return len(names) + PLAIN_WORD_WEIGHT * len(news)


@lru_cache(maxsize=2)
def words_of(summary: str) -> tuple[frozenset[str], str]:
    """The summary's longer words in lower case, and the same in a row: to look through all of it took much longer."""
    lowered = summary.lower()
    form = rf"(?:{LETTER}|\u0307){{5,}}" if "\u0307" in lowered else LONGER_WORD  # the dot that a lowered İ leaves
    words = frozenset(re.findall(form, lowered))
    return words, " ".join(words)
