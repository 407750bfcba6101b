"""What the agent remarked between its calls: the sentences of its words that neither the summary nor the text has.

They say why something was tried, what an output meant, what was left alone. A third of what stood behind the answers to
592 questions on 82 compactions was such words, and more than half of these stood nowhere in the text; per character
they held five times as much of the answers as further commands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence, Set

from compact_keeper.recap.said_sentences import ANY_HEADING, PARTS_LEFT_OUT, heads_before, sentences_of
from compact_keeper.recap.statement_lines import COMES_NEXT, TURNS
from compact_keeper.recap.tagged import tagged
from compact_keeper.recap.wording import Paths
from compact_keeper.text.length import cut, units
from compact_keeper.types import Item, Line, Sentence

WORD_OR_NUMBER = r"[^\W_]{3,}|\d+"
SAID_MARK, MARKS_OF_REMARK_UTF16 = "- Said: ", 24  # with gaps before and behind the words, and a tag
REMARK_UTF16, SENTENCE_MAX_UTF16 = 400, 600  # longer ones are lists and code, which the edits show
SENTENCE_MIN_BYTES = 20  # "Good catch!", "All green."; a wide script says more in as many
UTF8_BYTES_OF_UNIT_MAX = 3  # of a UTF-16 unit
COST_OF_SENTENCE = 30  # characters, beside its own: of several short ones with little news one longer
GIVES_REASON = r"(?i)\b(?:because|since|so that|due to|needs|must|instead|otherwise|but|without)\b"
GUESSES = r"(?i)\b(?:maybe|perhaps|probably|might|likely|possibly|seems?|i think|hmm|wait|could be|appears)\b"
SAYS_READY = (
    r"(?i)\W*(?:now |good,? )?i (?:now )?have (?:a|all|everything|enough|the)\b.{0,50}$"
    r"|(?:now|next) (?:add|build|check|create|fix|modify|rewrite|run|test|update|verify|write)\b")
MENDS_IT = (
    r"(?i)(?:so |now )?(?:let me|let's|i'?ll|i will|i'?m going to) .{0,40}?"
    r"\b(?:fix|mend|correct|repair|update|remove|add)")


def words_of_agent(items: Sequence[Item], paths: Paths) -> list[Line]:
    """All that the agent said, the newest first: a line each, whose text are the words."""
    return [{"items": [item], "text": paths.short(item["text"])}
            for item in reversed(items) if item["kind"] == "said"]


def remark_lines(said: Iterable[Line], known: Set[str], room: int) -> list[Line]:
    """Of the agent's words what is new beside `known`, as lines among the steps, while there is room (UTF-16 units)."""
    taken: list[Line] = []
    for line in said:
        remark = remark_of(line["text"], known, room - units(SAID_MARK))
        text = tagged(SAID_MARK + remark, line["items"][0])
        if remark and units(text) < room:
            taken.append({"items": line["items"], "text": text})
            room -= units(text) + 1
    return taken


def remark_of(words: str, known: Set[str], room: int) -> str:
    """The sentences of the agent's words with most that is not known, within REMARK_UTF16; empty: there is none.

    Each stands with the heading and the list that it is under, a fault with the words that it is mended now. Where not
    even the first of them has `room` (UTF-16 units) no others are looked for: that took 5 of a restore's 43 ms.
    """
    if room <= (SENTENCE_MIN_BYTES if words.isascii() else SENTENCE_MIN_BYTES // UTF8_BYTES_OF_UNIT_MAX):
        return ""
    sentences = sentences_of(words)
    news = {place: len(words_and_numbers(sentence["text"]) - known) for place, sentence in enumerate(sentences)}
    densest_first = sorted(news, key=lambda place: -news[place] / (COST_OF_SENTENCE + len(sentences[place]["text"])))
    chosen = set[int]()
    for place in densest_first:
        follows = sentences[place + 1]["text"] if place + 1 < len(sentences) else ""
        if not news[place] or not is_statement(sentences[place], follows):
            continue
        if not chosen and units(cut(sentences[place]["text"], REMARK_UTF16)) >= room:
            return ""
        needed = chosen | {place} | ({place + 1} if re.match(MENDS_IT, follows) else set())
        if not chosen or units(with_gaps(sentences, needed)) <= REMARK_UTF16:
            chosen = needed
    return with_gaps(sentences, chosen)


def words_and_numbers(text: str) -> Set[str]:
    """The words of a text, in lower case, and its numbers."""
    return {*re.findall(WORD_OR_NUMBER, text.lower())}


def with_gaps(sentences: Sequence[Sentence], chosen: Collection[int]) -> str:
    """The chosen sentences and their heads in their order, a mark wherever some are left out; empty: none is chosen."""
    parts, shown = list[str](), set[int]()
    for place in sorted(chosen):
        parts.append(heads_before(sentences, place, shown) + cut(sentences[place]["text"], REMARK_UTF16))
        shown |= {place, *sentences[place]["heads"]}
    is_cut = bool(chosen) and max(chosen) < len(sentences) - 1
    return " ".join([*parts, PARTS_LEFT_OUT] if is_cut else parts)


def is_statement(said: Sentence, follows: str) -> bool:
    """Whether a sentence says how something is or was, or why.

    None that only says what comes next, that asks or guesses, nor what the sentence that follows takes back.
    """
    sentence = said["text"]
    is_short = len(sentence.encode()) < SENTENCE_MIN_BYTES
    if is_short or units(sentence) > SENTENCE_MAX_UTF16 or sentence.endswith(("?", ":", "？", "：")):
        return False
    if said["is_drawn"] or re.match(ANY_HEADING, sentence):
        return False
    if re.match(SAYS_READY, sentence) or re.match(TURNS, follows) or re.search(GUESSES, sentence):
        return False
    return not re.match(COMES_NEXT, sentence) or bool(re.search(GIVES_REASON, sentence))
