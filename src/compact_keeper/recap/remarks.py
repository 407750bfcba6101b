"""What the agent remarked between its calls: the sentences of its words that neither the summary nor the text has.

They say why something was tried, what an output meant, what was left alone. A third of what stood behind the answers to
592 questions on 82 compactions was such words, and more than half of these stood nowhere in the text; per character
they held five times as much of the answers as further commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from compact_keeper.recap.statement_lines import COMES_NEXT, REFERS_BACK, TURNS, sentences_of
from compact_keeper.recap.tagged import tagged
from compact_keeper.recap.wording import Paths, folded_line
from compact_keeper.text.length import cut, units
from compact_keeper.types import Item, Line

WORD_OR_NUMBER = r"[^\W_]{3,}|\d+"
SAID_MARK, MARKS_OF_REMARK_UTF16 = "- Said: ", 24  # with gaps before and behind the words, and a tag
REMARK_UTF16, SENTENCE_MAX_UTF16 = 400, 600  # longer ones are lists and code, which the edits show
SENTENCE_MIN_BYTES = 20  # "Good catch!", "All green."; a wide script says more in as many
COST_OF_SENTENCE = 30  # characters, beside its own: of several short ones with little news one longer
GIVES_REASON = r"(?i)\b(?:because|since|so that|due to|needs|must|instead|otherwise|but|without)\b"
GUESSES = r"(?i)\b(?:maybe|perhaps|probably|might|likely|possibly|seems?|i think|hmm|wait|could be|appears)\b"
SAYS_READY = (
    r"(?i)\W*(?:now |good,? )?i (?:now )?have (?:a|all|everything|enough|the)\b.{0,50}$"
    r"|(?:now|next) (?:add|build|check|create|fix|modify|rewrite|run|test|update|verify|write)\b")
LIST_NUMBER, WIDE_END = r"(?:^|: )\d{1,2}[.)]$", r"(?<=[。！？；])"
LIST_MEMBER = r"(?:[-*•+✅❌✓✗☐☑→] ?|\d{1,2}[.)] |\[[ x]\] )(?!\*)"
DRAWN = r"\|.*\||```|[├└│┌]|---"  # tables, code, trees: folded into one line parts of several rows are joined
MENDS_IT = (
    r"(?i)(?:so |now )?(?:let me|let's|i'?ll|i will|i'?m going to) .{0,40}?"
    r"\b(?:fix|mend|correct|repair|update|remove|add)")
PARTS_LEFT_OUT = " … "


def words_of_agent(items: Sequence[Item], paths: Paths) -> list[Line]:
    """All that the agent said, the newest first: a line each, whose text are the words."""
    return [{"items": [item], "text": paths.short(folded_line(item["text"]))}
            for item in reversed(items) if item["kind"] == "said"]


def remark_lines(said: Iterable[Line], known: Set[str], room: int) -> list[Line]:
    """Of the agent's words what is new beside `known`, as lines among the steps, while there is room (UTF-16 units)."""
    taken: list[Line] = []
    for line in said:
        remark = remark_of(line["text"], known)
        text = tagged(SAID_MARK + remark, line["items"][0])
        if remark and units(text) < room:
            taken.append({"items": line["items"], "text": text})
            room -= units(text) + 1
    return taken


def remark_of(words: str, known: Set[str]) -> str:
    """The sentences of the agent's words with most that is not known, within REMARK_UTF16; empty: there is none.

    A member of a list stands with the sentence before its list alone, a fault with the words that it is mended now.
    """
    sentences = whole_sentences(words)
    news = {place: len(words_and_numbers(sentence) - known) for place, sentence in enumerate(sentences)}
    densest_first = sorted(news, key=lambda place: -news[place] / (COST_OF_SENTENCE + len(sentences[place])))
    chosen, left = set[int](), REMARK_UTF16
    for place in densest_first:
        follows = sentences[place + 1] if place + 1 < len(sentences) else ""
        if not news[place] or not is_statement(sentences[place], follows):
            continue
        needed = {place, head_of_list(sentences, place)} | ({place + 1} if re.match(MENDS_IT, follows) else set())
        size = sum(units(sentences[each]) for each in needed - chosen)
        if size <= left or not chosen:
            chosen |= needed
            left -= size
    return with_gaps([cut(sentence, REMARK_UTF16) for sentence in sentences], chosen)


def head_of_list(sentences: Sequence[str], place: int) -> int:
    """The place of the sentence before the list that a sentence is a member of; its own place where it is none."""
    while place > 0 and re.match(LIST_MEMBER, sentences[place]):
        place -= 1
    return place


def words_and_numbers(text: str) -> Set[str]:
    """The words of a text, in lower case, and its numbers."""
    return {*re.findall(WORD_OR_NUMBER, text.lower())}


def with_gaps(sentences: Sequence[str], chosen: set[int]) -> str:
    """The chosen sentences in their order, with a mark wherever some are left out; empty: none is chosen."""
    text, last = "", -1
    for place in sorted(chosen):
        text += (PARTS_LEFT_OUT if place > last + 1 else " ") + sentences[place]
        last = place
    return (text + (PARTS_LEFT_OUT if chosen and last < len(sentences) - 1 else "")).strip()


def whole_sentences(words: str) -> list[str]:
    """The words' sentences, one that goes on from the one before together with it, a list's number with its member."""
    whole: list[str] = []
    for sentence in (part for row in sentences_of(words) for part in re.split(WIDE_END, row) if part):
        before = whole[-1] if whole else ""
        goes_on = (sentence[0].islower() or before.endswith((":", ";")) or re.search(LIST_NUMBER, before)
                   or re.match(REFERS_BACK, sentence))
        if before and goes_on and units(before) + units(sentence) < REMARK_UTF16:
            whole[-1] += f" {sentence}"
        else:
            whole.append(sentence)
    return whole


def is_statement(sentence: str, follows: str) -> bool:
    """Whether a sentence says how something is or was, or why.

    None that only says what comes next, that asks or guesses, nor what the sentence that follows takes back.
    """
    is_short = len(sentence.encode()) < SENTENCE_MIN_BYTES
    if is_short or units(sentence) > SENTENCE_MAX_UTF16 or sentence.endswith(("?", ":")):
        return False
    if re.search(DRAWN, sentence):
        return False
    if re.match(SAYS_READY, sentence) or re.match(TURNS, follows) or re.search(GUESSES, sentence):
        return False
    return not re.match(COMES_NEXT, sentence) or bool(re.search(GIVES_REASON, sentence))
