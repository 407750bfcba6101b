"""The tables of markers: that a cue stands in whatever its pattern fits."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import pytest

from compact_keeper.record.words import revocations, rule_markers

PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
SAMPLES = 2_000  # of a pattern that has so many texts; of others fewer
NOTHING_NEW = 400  # samples in a row: then there are hardly more texts
MARKERS = [marker for module in (rule_markers, revocations) for table in vars(module).values()
           if isinstance(table, tuple) and isinstance(table[0], tuple) for marker in table]


def sample(parsed: Any, rng: random.Random) -> str:
    """A text that the parsed pattern fits, but for what it only looks at."""
    return "".join(sample_of(str(code), given, rng) for code, given in parsed)


def sample_of(code: str, given: Any, rng: random.Random) -> str:
    """A text for one element of a parsed pattern."""
    if code == "LITERAL":
        return chr(given)
    if code == "BRANCH":
        return sample(rng.choice(given[1]), rng)
    if code == "SUBPATTERN":
        return sample(given[-1], rng)
    if code in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, body = given
        return "".join(sample(body, rng) for _ in range(rng.randint(low, min(high, low + 2))))
    if code == "IN":
        kind, first = rng.choice(given)
        return chr(first) if str(kind) == "LITERAL" else chr(first[0]) if str(kind) == "RANGE" else "x"
    assert code in ("AT", "ASSERT", "ASSERT_NOT", "ANY", "NOT_LITERAL"), f"{code} is not sampled"
    return "" if code.startswith("A") and code != "ANY" else "x"


@pytest.mark.parametrize(("cues", "pattern"), MARKERS, ids=[cues[:30] for cues, _ in MARKERS])
def test_no_pattern_fits_without_one_of_its_cues(cues: str, pattern: str) -> None:
    rng, parsed, texts, known = random.Random(1), PARSER.parse(pattern), set[str](), 0
    for _ in range(SAMPLES):
        before = len(texts)
        texts.add(sample(parsed, rng))
        known = 0 if len(texts) > before else known + 1
        if known == NOTHING_NEW:
            break
    assert [text for text in texts if not any(cue in text for cue in cues.split("|"))] == []
