"""The standing rules among a person's typed words, and which of them a later message revokes.

A rule holds on after the step at hand is done. A strong marker tells it ("always", "from now on", "we only …", "don't
touch vendor/"), said to the agent and not of a program ("it always returns 0"), of no single step ("for now", "yet",
"before you start"), and no question. Where that is not certain the sentence is no rule: it stands in its message.

A sentence is looked at as folded words: lower case, apostrophes gone, a comma between spaces for each mark that parts
clauses, what stands in quotes left out. Accents stay, so that a word of one language is none of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.pasted import own_lines
from compact_keeper.record.rule_markers import (
    ALWAYS,
    ELSEWHERE,
    EXCEPTING,
    FORBIDDING,
    FORGETTING,
    LEAD,
    ONCE,
    ONCE_ALWAYS,
    ONCE_ELSEWHERE,
    PERMITTING,
    QUESTION,
    RELIEVING,
    SENTENCE_ENDS,
    STANDING,
    UNNAMING,
    UNNAMING_LETTERS,
)
from compact_keeper.types import Record

SENTENCE_MIN_CHARACTERS, SENTENCE_MAX_CHARACTERS = 6, 600  # a longer one is a pasted page, or dictated without marks
SENTENCES_MAX = 200  # of a message
RULES_OF_A_MESSAGE_MAX = 12  # of more the rest stands in the message
PAGE_MIN_CHARACTERS = 6_000  # own words of a message that is a page: a plan, a specification
WRAPPED_LINE_MIN_CHARACTERS = 60  # of a line that goes on in the next
NAMED_SHARE_MIN = 0.5  # of what a rule is about, for a permission that ends it
NAME_STEM_LETTERS = 5  # by which two forms of a word are one
KNOWN_RULES_MAX = 200  # newest, that a message may revoke

QUOTED = r"\"[^\"]{0,300}\"|“[^”]{0,300}”|«[^»]{0,300}»|「[^」]{0,300}」|(?<!\w)['‘][^'’]{1,200}['’](?!\w)"
ASKING_MARKS = ("?", "？", "؟")


def standing_sentences(text: str, said: Sequence[str] = ()) -> list[str]:
    """The sentences of a typed message that are standing rules by a strong marker, whole, as typed, spaces folded.

    said: the agent's words so far; what is given back to the agent of them is no rule of the person.
    """
    lines = own_lines(text, said)
    is_page = sum(map(len, lines)) > PAGE_MIN_CHARACTERS
    rules = dict.fromkeys(sentence for sentence in sentences(lines) if is_standing(sentence, is_page))
    return list(rules)[:RULES_OF_A_MESSAGE_MAX]


def is_standing(sentence: str, is_page: bool = False) -> bool:
    """Whether a sentence is a standing rule by a strong marker; on a page only the strongest count."""
    plain = folded(sentence)
    if is_question(sentence, plain):
        return False
    if is_meant(plain, ELSEWHERE):
        return not re.search(ONCE_ELSEWHERE, plain)
    if is_meant(plain, ALWAYS):
        return not re.search(ONCE_ALWAYS, plain)
    return not is_page and is_meant(plain, STANDING) and not re.search(ONCE, plain)


def is_meant(plain: str, markers: Sequence[tuple[str, str]]) -> bool:
    """Whether one of the markers is found in the folded sentence, as it is or without what leads up to its clauses.

    A marker is its cues and its pattern, which is compiled only for a sentence with one of the cues: that takes a
    millisecond for each pattern and process, and most sentences have no cue at all.
    """
    patterns = [pattern for cues, pattern in markers if any(map(plain.__contains__, cues.split("|")))]
    forms = {plain, re.sub(rf"(\A|, ){LEAD}", r"\1", plain)} if patterns else ()
    return any(re.search(pattern, form) for pattern in patterns for form in forms)


def rules_after(
        known: Sequence[Record], text: str, said: Sequence[str] = ()) -> tuple[list[str], list[Record]]:
    """What a typed message changes: its standing sentences, and those of the known rules that it revokes by name.

    known: items with a `text`, oldest first. An exception or an addition ends nothing; a sentence that revokes is no
    rule itself. Where a name is_meant several rules and not one of them whole, none ends.
    """
    lines, live = own_lines(text, said), list(known[-KNOWN_RULES_MAX:])
    revoked: list[Record] = []
    revoking: set[str] = set()
    for sentence in sentences(lines):
        ended = revoked_by(sentence, live)
        live = [rule for rule in live if rule not in ended]
        revoked += ended
        revoking.update([sentence] if ended else [])
    return [sentence for sentence in standing_sentences(text, said) if sentence not in revoking], revoked


def revoked_by(sentence: str, known: Sequence[Record]) -> list[Record]:
    """The known rules that the sentence revokes: by a form that does, and by naming them."""
    plain = folded(sentence)
    forgets, permits, relieves = (is_meant(plain, markers) for markers in (FORGETTING, PERMITTING, RELIEVING))
    if not known or not (forgets or permits or relieves):
        return []
    forms = (*FORGETTING, *PERMITTING, *RELIEVING)
    clause = next((part for part in plain.split(" , ") if is_meant(part, forms)), plain)
    names = named_in_rule(clause)
    if not names or is_question(sentence, plain) or re.search(EXCEPTING, plain):
        return []
    shares: list[tuple[float, Record]] = []
    for rule in known:
        wanted = folded(rule["text"])
        about = named_in_rule(wanted)
        forbids = not wanted.isascii() or bool(re.search(FORBIDDING, wanted))
        is_fit = forgets or (permits and forbids) or (relieves and not re.match(FORBIDDING, wanted))
        if is_fit and about and all(is_named(name, wanted, about) for name in names):
            shares.append((min(len(names) / len(about), 1.0), rule))
    best = max((share for share, _ in shares), default=0.0)
    fitting = [rule for share, rule in shares if share == best and (forgets or share >= NAMED_SHARE_MIN)]
    return fitting if best == 1 or len(fitting) == 1 else []


def named_in_rule(plain: str) -> list[str]:
    """The words of a folded sentence that name what it is about, each once."""
    spaced = re.sub(UNNAMING_LETTERS, " ", plain) if not plain.isascii() else plain
    words = (word.strip(".-_/") for word in spaced.split())
    return list(dict.fromkeys(word for word in words if word and word != "," and word not in UNNAMING))


def is_named(name: str, rule: str, about: Sequence[str]) -> bool:
    """Whether a name stands in a folded rule: one of its words begins alike; of languages without spaces, as it is."""
    if name[0] > "\u2e80":
        return name in rule
    stem = name[:NAME_STEM_LETTERS].rstrip("s") or name
    return any(word.startswith(stem) and name.startswith(word[:NAME_STEM_LETTERS].rstrip("s")) for word in about)


def is_question(sentence: str, plain: str) -> bool:
    """Whether the sentence asks: by its mark, or by how it begins."""
    return sentence.rstrip(" \"'”*)").endswith(ASKING_MARKS) or bool(re.match(QUESTION, plain))


def sentences(lines: Sequence[str]) -> list[str]:
    """The sentences of lines, those of a list one by one, wrapped lines joined, spaces folded."""
    parts: list[str] = []
    for line in lines:
        entry = re.sub(r"\A\s*(?:[-*•–+]|\(?\d{1,2}[.)]|[a-zA-Z][.)])\s+", "", line)
        goes_on = (parts and entry == line and len(parts[-1]) >= WRAPPED_LINE_MIN_CHARACTERS
                   and line.strip()[:1].islower() and parts[-1][-1] not in ".!?:;。！？")
        folded_line = " ".join(entry.split())
        if goes_on:
            parts[-1] = f"{parts[-1]} {folded_line}"
        else:
            parts.append(folded_line)
    whole = [sentence for part in parts for sentence in split_sentences(part)]
    return [part for part in whole if SENTENCE_MIN_CHARACTERS <= len(part) <= SENTENCE_MAX_CHARACTERS][:SENTENCES_MAX]


def split_sentences(line: str) -> list[str]:
    """A line's sentences; one with a full stop within quotes goes on behind them."""
    parts: list[str] = []
    is_open = False
    for part in re.split(SENTENCE_ENDS, line):
        if is_open:
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
        is_open = parts[-1].count('"') % 2 == 1 and len(parts[-1]) < SENTENCE_MAX_CHARACTERS
    return [part.strip() for part in parts]


def folded(sentence: str) -> str:
    """The sentence as patterns see it: lower case, apostrophes and what is quoted left out, clause marks as commas."""
    text = re.sub(QUOTED, " quote ", sentence[:SENTENCE_MAX_CHARACTERS])
    text = re.sub(r"[‘’'`*]|(?<!\w)_+|_+(?!\w)", "", text.lower())
    text = re.sub(r"[,;:()\[\]—–、，：；（）…]|\s-+\s|-{2,}|->|=>|→|\.\.+", " , ", text)
    text = re.sub(r"[.!?]+(?=\s|\Z)|[!?\"“”«»„。！？।「」¡¿~|<>{}]|[^\w\s,./@*+#\u0900-\u097f\-]", " ", text)
    return re.sub(r"(?:, )+", ", ", " ".join(text.split())).strip(" ,")
