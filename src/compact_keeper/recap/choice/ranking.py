"""Which pieces of the work come first where not all have room: a weighing of what each is and of what is new in it.

A piece is a step's line, what its longer form says beyond that, a row that it printed, a sentence of what was said.
Each gets a sum of WEIGHTS: how many of its words neither the summary nor the text before has counts most, then
whether they come up again in the session, how long and how old it is, and what it is. The weights are those of a
Poisson regression: how many of a piece's new words, for its length, stand in the 3,600 characters that careful readers
chose of all these lines beside the summary (docs/decisions.md, "What careful readers choose"), but for two of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain

from compact_keeper.types import Piece

NEWS_WORD = r"[\w./#@:-]{3,}|\d+"  # paths, options, numbers and addresses whole
WORD_ENDS = ".:-#@"
WORDS_WITHOUT_NEWS = frozenset(
    "the and not with from that this was were are for but has had its into then they only also".split())
RARE_MAX = 2  # in so many pieces a rare word stands
WEIGHTS = {
    "new": 1.67,
    "share of new": -0.68,
    "rare": -0.19,
    "length": -1.26,
    "age": -0.3,  # the regression has -0.17: see there
    "to the end": -0.13,
    "command": 0.32,
    "longer": -0.49,
    "printed": -0.53,
    "look": 0.06,
    "read": -0.83,
    "edited": 0.07,
    "written": -0.08,
    "order": -0.62,
    "call": -0.54,
    "job": 0.7,
    "said": 0.5,
}


def words_of(text: str) -> set[str]:
    """The words of a text that may tell something, in lower case; of a script without spaces a run of letters."""
    return {word.strip(WORD_ENDS) for word in re.findall(NEWS_WORD, text.lower())} - WORDS_WITHOUT_NEWS


def ranked(pieces: Sequence[Piece], known: Set[str]) -> list[Piece]:
    """The pieces of which some words are not known, those first that say most; with their `new` words and `worth`."""
    counts = Counter(chain.from_iterable(piece["words"] for piece in pieces))
    rare = {word for word, count in counts.items() if count <= RARE_MAX}
    ages = {step: age for age, step in enumerate(sorted({piece["step"] for piece in pieces}, reverse=True))}
    for piece in pieces:
        piece["new"] = piece["words"] - known
    telling = [piece for piece in pieces if piece["new"]]
    for piece in telling:
        piece["worth"] = weight_of(piece, rare, ages[piece["step"]])
    return sorted(telling, key=lambda piece: (-piece["worth"], -piece["step"]))


def features_of(piece: Piece, rare: Set[str], age: int) -> dict[str, float]:
    """What is known of a piece, by the names of WEIGHTS; `rare` words; `age`: how many steps came after it."""
    new = piece["new"]
    return {
        piece["kind"]: 1.0,
        "new": math.log1p(len(new)),
        "share of new": len(new) / max(len(piece["words"]), 1),
        "rare": math.log1p(len(new & rare)),
        "age": math.log1p(age),
        "to the end": math.log1p(piece["count"] - 1 - piece["index"]),
        "length": math.log1p(len(piece["text"])),
    }


def weight_of(piece: Piece, rare: Set[str], age: int) -> float:
    """The piece's rank in the order, higher for those that come first: what a character of its line tells."""
    of_its_text = sum([WEIGHTS.get(name, 0.0) * value for name, value in features_of(piece, rare, age).items()])
    length = len(piece["text"]) + 1
    return of_its_text + math.log(length / (length + piece["around"]))


def says_new(piece: Piece, said: Set[str], share: float) -> bool:
    """Whether at least this share of what was new in the piece is still new beside what was `said` since."""
    return len(piece["new"] - said) >= share * len(piece["new"])
