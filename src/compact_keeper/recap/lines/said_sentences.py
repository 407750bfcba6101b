"""The agent's words as sentences, each with what it stands under: a heading, what leads to its list, its table's head.

A sentence that is shown without these may say the reverse: "Not part of this change:" stood above two files, and these
alone came back behind "which files go in?".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from compact_keeper.recap.wording.phrases import SENTENCE_END
from compact_keeper.text.fences import FENCES
from compact_keeper.text.holding import begins_with_word
from compact_keeper.text.length import cut, units
from compact_keeper.types import Sentence

WHOLE_SENTENCE_UTF16 = 400  # one that goes on from the one before stands with it, up to so much
HEAD_SHOWN_UTF16 = 80
TITLES_MAX = 6  # of a numbered series: of a longer one those stand alone under which something is shown
WIDE_STOPS = ("。", "！", "？", "；")  # what stands behind one keeps its blank, if it has one
WORDS_REFERRING_BACK = (
    "In that case", "In this case", "In such case", "Por isso", "Por eso", "Das ist", *(
        "Otherwise Then So Therefore Hence This That These Those It They And Or Nor Plus Both Neither Same Which "
        "Isso Isto Ela Ele Portanto Eso Esto Ello Il Elle Ils Elles Ça Cela Ceci Donc Ou Dies Dadurch Deshalb Daher "
        "Sonst Oder Questo Ciò Quindi Oppure Это Поэтому Или").split())  # "Plus the hooks.": to what?
BEGINS_REFERRING_BACK = tuple("这 那 它 此 因此 所以 否则 這 否則 これ それ この その 이것 이는 그것 그래서".split())
SECTION, BOLD_HEADING = r"#{1,6} ", r"\*\*[^*]{2,80}\*\*[^.!?]{0,40}:?$"
ANY_HEADING = rf"{SECTION}|{BOLD_HEADING}"
LIST_MEMBER = r"(?:[-•+*] |[✅❌✓✗☐☑→] ?|(?:\*\*)?\d{1,2}[.)] |\[[ x]\] )+"
SIGN_BEFORE = r"(?:[^\w\s*`|#>\"'(\[-]{1,4} ?)?"  # a picture: of two speakers the first had stood with both their words
BOLD_LEAD = rf"(?:{LIST_MEMBER})?{SIGN_BEFORE}\*\*[^*]{{2,80}}\*\*"  # of a paragraph, or a member of a list
NUMBERED_TITLE = r"(?:#{1,6} |\*\*|(?=\d{1,2}[.)] \*\*))[^\w*]*(?:\*\*)?(?P<name>[^\W\d_]{0,12}) ?(?P<number>\d{1,2})\b"
DRAWN, RULE_OF_TABLE = ("|", "├", "└", "│", "┌"), r"[|\s:-]+$"
TICK = "`"
REMARK_UTF16 = 400  # of a sentence that is shown
PARTS_LEFT_OUT, END_OF_PART = "…", r"(?:-{3,}|\*{3,})$"
TWO_GAPS = f"{PARTS_LEFT_OUT} {PARTS_LEFT_OUT}"


class Outline:
    """What the next row of the agent's words stands under: the indexes of sentences before it, -1 for none."""

    def __init__(self) -> None:
        """Under nothing."""
        self.section = self.heading = self.lead = self.table = self.lead_of_table = -1
        self.ruled = -1  # the first row of the table, once the rule below that stood there
        self.members: list[tuple[int, int]] = []  # of the list that goes on: how far each is indented, and its index
        self.list = -1  # its first member

    def above(self) -> list[int]:
        """What stands above the next row, the outermost first."""
        return [self.section, self.heading, self.lead, *(index for _, index in self.members)]

    def end_list(self) -> None:
        """Ends the list, and the bold heading that was the list's."""
        self.heading, self.lead, self.list, self.members = -1, -1, -1, []

    def begin_section(self, index: int) -> list[int]:
        """Takes in a heading of a section; it stands under none."""
        self.end_list()
        self.section = index
        return []

    def begin_part(self, index: int) -> list[int]:
        """Takes in a bold heading; returns what it stands under."""
        self.end_list()
        self.heading = index
        return [self.section]

    def take_member(self, index: int, indent: int, leads: int) -> list[int]:
        """Takes in a member of a list; `leads`: the sentence before it that ends with a colon."""
        if not self.members:
            self.lead, self.list = leads, index
        self.members = [(depth, member) for depth, member in self.members if depth < indent]
        heads = self.above()
        self.members.append((indent, index))
        return heads

    def take_drawn(self, index: int, leads: int) -> list[int]:
        """Takes in a row of a table or a tree, whose first row is its head."""
        if self.table < 0:
            self.table, self.lead_of_table = index, leads
            return [*self.above(), leads]
        return [*self.above(), self.lead_of_table, self.table]

    def take_rule(self, index: int) -> None:
        """Takes in the rule of a table, before this index: where the row above it is the table's head it is one."""
        if self.table == index - 1:
            self.ruled = self.table

    def take_row(self, row: str, index: int, leads: int, is_behind_gap: bool) -> list[int]:
        """Takes in any row; returns the indexes of what it stands under."""
        text, indent = row.strip(), len(row) - len(row.lstrip())
        is_member = mark_of(text, LIST_MEMBER) is not None
        if is_behind_gap and self.members and not is_member and not indent:
            self.end_list()
        if text.startswith(DRAWN):
            return self.take_drawn(index, leads)
        self.table = self.ruled = -1
        if mark_of(text, SECTION):
            return self.begin_section(index)
        if mark_of(text, BOLD_HEADING):
            return self.begin_part(index)
        return self.take_member(index, indent, leads) if is_member else self.above()


@lru_cache(maxsize=1_024)  # each words are looked at for each of their sentences that is chosen
def sentences_of(words: str) -> list[Sentence]:
    """The sentences of words whose rows are kept, in their order, which nobody may change."""
    sentences: list[Sentence] = []
    outline, is_code, is_behind_gap = Outline(), False, False
    rows = words.split("\n")
    fences_left = sum(map(is_fence, rows))
    for row in rows:
        text, index = row.strip(), len(sentences)
        if text == PARTS_LEFT_OUT:  # kept words are cut here: a fence may be gone, what stands around is not neighbours
            outline, is_code = Outline(), fences_left % 2 == 1
            sentences.append({"text": text, "heads": [], "is_drawn": True, "list": -1, "table": -1, "is_joined": False})
        elif text.startswith(FENCES):
            is_code, fences_left = is_code != is_fence(row), fences_left - is_fence(row)
        elif is_code:
            sentences.append({"text": text, "heads": real_heads(outline.above()), "is_drawn": True, "list": -1,
                              "table": -1, "is_joined": False})
        elif not text:
            is_behind_gap = True
        elif mark_of(text, END_OF_PART):
            outline = Outline()
        elif mark_of(text, RULE_OF_TABLE):
            outline.take_rule(index)
        else:
            leads = index - 1 if sentences and sentences[-1]["text"].rstrip("*_").endswith((":", "：")) else -1
            heads = real_heads(outline.take_row(row, index, leads, is_behind_gap))
            is_drawn = text.startswith(DRAWN)
            lead = [*heads, index] if mark_of(text, BOLD_LEAD) else heads
            parts = [text] if is_drawn else sentences_in_row(text)
            sentences += [{"text": part, "heads": lead if number else heads, "is_drawn": is_drawn,
                           "list": outline.list, "table": outline.ruled,
                           "is_joined": number > 0 and parts[number - 1].endswith(WIDE_STOPS)}
                          for number, part in enumerate(parts)]
            is_behind_gap = False
    return sentences


def is_fence(row: str) -> bool:
    """Whether code begins or ends with this row; of a row that does both neither."""
    return any(row.lstrip().startswith(fence) and row.count(fence) == 1 for fence in FENCES)


def titles_of_series(sentences: Sequence[Sentence], shown: Collection[int]) -> set[int]:
    """The titles of each short numbered series ("Step 1", "Step 2") of which one is among the sentences to be shown.

    Of three steps the second and third had come back, and of three ways the third, which was not taken.
    """
    series: dict[str, list[list[int]]] = {}
    for index, sentence in enumerate(sentences):
        title = mark_of(sentence["text"], NUMBERED_TITLE)
        if title:
            rows = series.setdefault(title["name"].casefold(), [])
            if title["number"] == "1":
                rows.append([])
            if rows and int(title["number"]) == len(rows[-1]) + 1:
                rows[-1].append(index)
    short = [titles for rows in series.values() for titles in rows if len(titles) <= TITLES_MAX]
    return {title for titles in short if not set(shown).isdisjoint(titles) for title in titles}


def mark_of(row: str, form: str) -> re.Match[str] | None:
    """The mark at the begin of a row of this form. None of the forms begins with a letter, as most rows do."""
    return None if row[:1].isalpha() else re.match(form, row)


def real_heads(heads: Sequence[int]) -> list[int]:
    """The heads without -1, each once: a bold heading may also be what leads to a list."""
    return [*dict.fromkeys(head for head in heads if head >= 0)]


def sentences_in_row(row: str) -> list[str]:
    """The sentences of a row; what goes on from the sentence before stands with it. A heading is one sentence."""
    if mark_of(row, SECTION):
        return [row]
    mark = mark_of(row, LIST_MEMBER)
    begin = mark[0] if mark else ""
    first, *others = re.split(SENTENCE_END, row[len(begin):])
    parts = [begin + first]
    for part in others:
        refers_back = part.startswith(BEGINS_REFERRING_BACK) or begins_with_word(part, WORDS_REFERRING_BACK)
        goes_on = refers_back or part[:1].islower() or parts[-1].endswith((":", ";"))
        if goes_on and units(parts[-1]) + units(part) < WHOLE_SENTENCE_UTF16:
            parts[-1] += part if parts[-1].endswith(WIDE_STOPS) else f" {part}"
        elif part:
            parts.append(part)
    return [part for part in parts if part.strip()]


def with_gaps(sentences: Sequence[Sentence], chosen: Collection[int]) -> str:
    """The chosen sentences and their heads in their order, with a mark wherever some are left out."""
    words, shown = "", set[int]()
    titles = titles_of_series(sentences, {*chosen, *(head for index in chosen for head in sentences[index]["heads"])})
    for index in sorted({*chosen, *titles}):
        text = sentences[index]["text"]
        words += f" {heads_before(sentences, index, shown)}"
        shown |= {index, *sentences[index]["heads"]}
        if sentences[index]["is_joined"] and index - 1 in shown:
            words = words.rstrip()
        words += cut_outside_code(text, REMARK_UTF16) if index in chosen else head_in_short(text)
    if shown and max(shown) < len(sentences) - 1:
        words += f" {PARTS_LEFT_OUT}"
    return words[1:].replace(TWO_GAPS, PARTS_LEFT_OUT)


def heads_before(sentences: Sequence[Sentence], index: int, shown: Collection[int]) -> str:
    """The heads of a sentence that are not `shown` yet, with a mark wherever something is left out before one."""
    text, follows = "", max(shown, default=-1) + 1
    for head in [head for head in sentences[index]["heads"] if head not in shown]:
        text += gap(follows, head) + head_in_short(sentences[head]["text"]) + " "
        follows = head + 1
    return text + gap(follows, index)


def head_in_short(text: str) -> str:
    """What stands above others, in short: of a long one the bold words with which it begins, else as much as fits."""
    lead = mark_of(text, BOLD_LEAD) if units(text) > HEAD_SHOWN_UTF16 else None
    return f"{lead[0]} {PARTS_LEFT_OUT}" if lead else cut_outside_code(text, HEAD_SHOWN_UTF16)


def cut_outside_code(text: str, most: int) -> str:
    """The text, at most so many UTF-16 units of it; a name between ticks that begins there is whole, if not too long.

    "use `Deale…" had stood where `Dealer.findOne()` was what it told.
    """
    shown = cut(text, most)
    end = text.find(TICK, len(shown) - len(PARTS_LEFT_OUT)) + len(TICK)
    if shown == text or shown.count(TICK) % 2 == 0 or not 0 < end <= 2 * most:
        return shown
    return text[:end] + (PARTS_LEFT_OUT if end < len(text) else "")


def gap(follows: int, index: int) -> str:
    """The mark for sentences that are left out before this index; empty where the sentence follows at once."""
    return f"{PARTS_LEFT_OUT} " if index > follows else ""


def words_of_sentence(sentence: str) -> list[str]:
    """The words in lower case, without signs; "that's" is two."""
    apart = sentence.lower().replace("’", "'").replace("'s ", " is ").replace("'re ", " are ")
    return [word.strip(".,;:!?()*—–-") for word in apart.split()]
