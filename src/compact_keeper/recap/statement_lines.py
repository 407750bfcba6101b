"""The agent's words in short: the sentences that say what the summary does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from compact_keeper.recap.said_sentences import REFERS_BACK, heads_before, sentences_of
from compact_keeper.recap.wording import Paths, folded_line
from compact_keeper.record.names import tokens_of
from compact_keeper.text.ends import last_part
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Line, Sentence

SAID_SHOWN_UTF16, SAID_WHOLE_UTF16 = 240, 1_000  # the second where room is left
SAID_END_SHOWN_UTF16, TURN_SHOWN_UTF16 = 450, 200
REPORT_MIN_CHARACTERS = 150  # shorter words before a call announce it, and the call stands there
REPORTS_MAX = 5  # of those that do not stand before a message; with all, readers were misled by old guesses
REPLY_SHOWN_UTF16 = 80
TURNS = r"(?:But|However|Wait|Actually|No[,.]|Hmm|Aber|Mais|Pero)\b"  # begin what takes back the sentence before
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
    return on_one_line(sentence for sentence in sentences_of(words) if not re.match(COMES_NEXT, sentence["text"]))


def statement_line(item: Item, where: str, paths: Paths, summary: str) -> Line:
    """The telling part of the agent's words, and more of them where room is left; empty: nothing that is new."""
    words = paths.short(item["text"])
    part = telling_part(words, summary, SAID_SHOWN_UTF16, bool(where))
    title = f"- Said{where}: "
    longer = part_with_end(words, summary) if where else telling_part(words, summary, SAID_WHOLE_UTF16)
    if where and part:
        part, longer = (with_recommendation(text, words) for text in (part, longer))
    return {"items": [item], "text": part and title + part, "whole": part and title + longer}


def with_recommendation(part: str, words: str) -> str:
    """The part of the agent's words, and behind it what they recommend where it is not in it."""
    sentences = sentences_of(words)
    places = [place for place, sentence in enumerate(sentences) if re.search(RECOMMENDS, sentence["text"])] if (
        re.search(RECOMMENDS, words)) else []
    if not places:
        return part
    is_heading = len(sentences[places[0]]["text"]) < ADVICE_COMPARED
    advice = on_one_line(sentences[places[0]:places[0] + 1 + is_heading])
    return f"{part} … {cut(advice, ADVICE_SHOWN_UTF16)}" if advice[:ADVICE_COMPARED] not in part else part


def part_with_end(words: str, summary: str) -> str:
    """Of words before a message the telling part, and their end, which the message may answer: options, a question."""
    sentences = sentences_of(words)
    if len(on_one_line(sentences)) <= SAID_WHOLE_UTF16:
        return telling_part(words, summary, SAID_WHOLE_UTF16)
    first, last = telling_row(sentences, summary, SAID_WHOLE_UTF16)
    if first == last:
        return ""
    end = len(sentences) - 1
    while end > 0 and len(on_one_line(sentences[end - 1:])) <= SAID_END_SHOWN_UTF16:
        end -= 1
    begin = heads_before(sentences, first)
    if end <= last:
        return begin + cut(on_one_line(sentences[first:]), SAID_WHOLE_UTF16 + SAID_END_SHOWN_UTF16)
    row = cut(on_one_line(sentences[first:last]), SAID_WHOLE_UTF16 + TURN_SHOWN_UTF16)
    return f"{begin}{row} … {last_part(on_one_line(sentences[end:]), SAID_END_SHOWN_UTF16).lstrip('… ')}"


def telling_part(words: str, summary: str, limit: int, with_end: bool = False) -> str:
    """Of the words the row of sentences with most names and values that the summary lacks, within `limit`.

    A question at the end is added, `with_end` any last sentence: the next message may answer it. Empty: nothing is new.
    """
    sentences = sentences_of(words)
    if len(on_one_line(sentences)) <= limit:
        return on_one_line(sentences) if any(news_in(sentence["text"], summary) for sentence in sentences) else ""
    last_sentence = sentences[-1]["text"]
    is_added = (with_end or last_sentence.endswith("?")) and len(last_sentence) < limit // 2
    question = last_sentence if is_added else ""
    room = limit - len(question)
    first, last = telling_row(sentences, summary, room)
    if first == last:
        return ""
    end = "" if last == len(sentences) else f" … {question}" if question else " …"
    return heads_before(sentences, first) + cut(on_one_line(sentences[first:last]), room + TURN_SHOWN_UTF16) + end


def telling_row(sentences: Sequence[Sentence], summary: str, room: int) -> tuple[int, int]:
    """Where the row of sentences with most that the summary lacks begins, and behind which it ends; empty: nothing new.

    A row, not single sentences: a guess must not stand there without the words that take it back, nor the members of a
    list without its head.
    """
    texts = [sentence["text"] for sentence in sentences]
    news = [news_in(text, summary) for text in texts]
    best, best_row = 0.0, (0, 0)
    for first in range(len(texts)):
        size, value = 0, 0.0
        for last in range(first, len(texts)):
            size += len(texts[last]) + 1
            if size > room and last > first:
                break
            value += news[last] - COST_OF_CHARACTER * len(texts[last])
            if value > best:
                best, best_row = value, (first, last + 1)
    first, last = best_row
    while 0 < first < last and (re.match(REFERS_BACK, texts[first]) or is_lead(texts[first - 1])):
        first -= 1
    while first < last < len(texts) and re.match(TURNS, texts[last]):
        last += 1
    while last > first + 1 and re.search(ANNOUNCES, texts[last - 1]):  # what does not follow here
        last -= 1
    return first, last


def is_lead(sentence: str) -> bool:
    """Whether it leads to what follows ("But no:", "Removed:") and says nothing alone."""
    return len(sentence) <= LEAD_MAX_CHARACTERS and sentence.endswith((":", ";"))


def on_one_line(sentences: Iterable[Sentence]) -> str:
    """The sentences on one line."""
    return " ".join(sentence["text"] for sentence in sentences)


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
