"""A typed message's own lines as sentences, and a sentence as the patterns of the rules see it.

Folded: lower case, apostrophes gone, a comma between spaces for each mark that parts clauses, what stands in quotes
left out. Accents stay, so that a word of one language is none of another.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from compact_keeper.text.marks import QUESTION_MARKS

SENTENCE_MIN_CHARACTERS, SENTENCE_MAX_CHARACTERS = 6, 600  # a longer one is a pasted page, or dictated without marks
SENTENCES_MAX = 200  # of a message
WRAPPED_LINE_MIN_CHARACTERS = 60  # of a line that goes on in the next
SENTENCE_ENDS = (  # not behind "e.g.", nor behind three dots
    r"(?<=[.!?…])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!\.\.\.) +|(?<=[.!?][\")”*]) +(?=[A-Z])"
    r"|(?<=[。！？।])(?![。！？।])")
GOES_ON = ("以及", "并且", "並且")  # "read the plan! And all the others": the second half of a rule was lost
LIST_MARK = r"\A\s*(?:[-*•–+]|\(?\d{1,2}[.)]|[a-zA-Z][.)])\s+"
QUOTED = r"\"[^\"]{0,300}\"|“[^”]{0,300}”|«[^»]{0,300}»|「[^」]{0,300}」|(?<!\w)['‘][^'’]{1,200}['’](?!\w)"
ASKING = (  # how a question begins that has no mark
    r"\A(?:(?:and|but|so|ok|okay|also|hmm|wait|well|hey|q|question|uh|no|yes) (?:, )?){0,3}(?:do (?:you|we|i|they"
    r"|these|those|the|any|all|u)|does|did|is|are|was (?:it|that|this|there|the)|were (?:you|they|there|the|these)|has"
    r"|have|why|what|whats|how|hows|where|wheres|when (?:did|do|does|is)|who|whos|which|should|shall|would (?:it|that"
    r"|you say)|could (?:it|we)|isnt|arent|doesnt|didnt|wouldnt|shouldnt|can(?:t we| we| i)|may i|will (?:it|this)"
    r"|any(?: idea| chance| reason| way| thoughts)?|soll(?:en|te|ten)? (?:ich|wir)|darf ich|muss ich|est ce que|debo"
    r"|debemos|devo|devemos|devo|стоит ли)\b(?! not\b)(?! ever\b)")
START = r"(?:\A|, )"  # of a clause
LEAD = (  # what may stand before a clause's verb
    r"(?:(?:please|pls|plz|and|but|also|so|then|ok|okay|yes|yeah|yep|no(?= ,)|nope|oh|hey|just|again|btw|fyi|important"
    r"|note|reminder|remember(?: to)?|(?:dont|never) forget to|be sure to|make sure(?: to| (?:that )?you)?|try to|well"
    r"|actually|seriously|generally|in general|claude|hint|rule|ps|nb|n|(?:like |as )?i said|i repeat|that said|lets"
    r"|let us|because|since|(?:can|could|would|will) you|i (?:want|need) you to|i(?: woul)?d like you to|you (?:need"
    r"|have) to|you (?:should|must)|its important (?:to|that you)|it is important to|whatever you do|for everything"
    r"|for all of these|in all cases|for the record|one more thing|one thing) (?:, )?){0,4}")


def sentences(lines: Sequence[str]) -> list[str]:
    """The sentences of lines, those of a list one by one, wrapped lines joined, spaces folded."""
    parts: list[str] = []
    for line in lines:
        entry = re.sub(LIST_MARK, "", line)
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
        elif parts and part.startswith(GOES_ON):
            parts[-1] += part
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


def is_question(sentence: str, plain: str) -> bool:
    """Whether the sentence asks: by its mark, or by how it begins."""
    return sentence.rstrip(" \"'”*)").endswith(QUESTION_MARKS) or bool(re.match(ASKING, plain))


def fitting(plain: str, markers: tuple[tuple[str, str], ...]) -> Iterator[re.Match[str]]:
    """Where markers are met in a folded sentence, as it is or without what leads up to its clauses.

    A marker is its cues and its pattern, which is compiled only for a sentence with one of the cues: that takes up to
    a millisecond for each pattern and process, and most sentences have no cue at all.
    """
    patterns = patterns_cued(plain, markers)
    forms = dict.fromkeys((plain, re.sub(rf"(\A|, ){LEAD}", r"\1", plain))) if patterns else ()
    return (match for pattern in patterns for form in forms for match in re.finditer(pattern, form))


def patterns_cued(plain: str, markers: tuple[tuple[str, str], ...]) -> list[str]:
    """The patterns of those of the markers of which the folded sentence holds a cue."""
    if not any(map(plain.__contains__, cues_of(markers))):
        return []  # as in most sentences: a third of a message's time was parting and trying each marker's cues alone
    return [pattern for cues, pattern in markers if any(map(plain.__contains__, cues.split("|")))]


@functools.cache
def cues_of(markers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The cues of all of the markers, each once."""
    return tuple({cue for cues, _ in markers for cue in cues.split("|")})
