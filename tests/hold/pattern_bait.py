"""Texts on which a regular expression takes longest: what it repeats, repeated, with no end that it could match.

`watched` notes every pattern that is used from then on; `baits` makes texts for one of them out of its parsed form.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
FUNCTIONS = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
MANY = 9  # repetitions from which on a pattern counts as repeating
ENDS = ("", "\0", "\n", "!")  # behind what is repeated; mostly none of it can match


def watched() -> set[tuple[str, int]]:
    """The patterns of text, with their flags, that are used from now on, by what calls `re.NAME`."""
    patterns: set[tuple[str, int]] = set()

    def watching(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def watch(pattern: Any, *given: Any, **named: Any) -> Any:
            if isinstance(pattern, str):
                patterns.add((pattern, int(named.get("flags", 0))))
            return function(pattern, *given, **named)
        return watch

    for name in FUNCTIONS:
        setattr(re, name, watching(getattr(re, name)))
    return patterns


def baits(pattern: str, flags: int, length: int) -> Iterator[str]:
    """Texts of about that many characters for each part that the pattern repeats."""
    parsed = PARSER.parse(pattern, flags)
    for before, body in repeats(list(parsed), ""):
        pieces = {piece for piece in (sample(body, 0), sample(body, 1), sample(body, 2)) if piece}
        for piece in sorted(pieces):
            yield before + piece * (length // len(piece))
        if before and pieces:
            whole = before + min(pieces)  # its beginning again and again: from each it could look to the end
            yield whole * (length // len(whole))


def repeats(parsed: list[Any], before: str) -> Iterator[tuple[str, Any]]:
    """What stands before each repetition in the pattern, and what it repeats."""
    for code, given in parsed:
        name = str(code)
        if "REPEAT" in name:
            _, most, body = given
            if most > MANY:
                yield before, list(body)
            yield from repeats(list(body), before)
        for inner in inner_parts(name, given):
            yield from repeats(inner, before)
        before += sample([(code, given)], 0)


def inner_parts(name: str, given: Any) -> list[list[Any]]:
    """The patterns within a group, a choice or a look around."""
    if name == "SUBPATTERN":
        return [list(given[3])]
    if name == "BRANCH":
        return [list(branch) for branch in given[1]]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [list(given[1])]
    return [list(given)] if name == "ATOMIC_GROUP" else []


def sample(parsed: list[Any], way: int) -> str:
    """A text that the pattern matches, without what looks around; another `way` draws other letters and choices."""
    return "".join(sample_of(str(code), given, way) for code, given in parsed)


def sample_of(name: str, given: Any, way: int) -> str:
    """The same for one part."""
    if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return chr(int(given)) if name == "LITERAL" else letter_in(given, way) if name == "IN" else "ab "[way]
    if "REPEAT" in name:
        return sample(list(given[2]), way) * max(int(given[0]), 1 if given[1] else 0)
    parts = inner_parts(name, given) if not name.startswith("ASSERT") else []
    return sample(parts[way % len(parts)], way) if parts else ""


def letter_in(given: list[Any], way: int) -> str:
    """A letter of a set."""
    tried = [chr(value) for code, value in given if str(code) == "LITERAL"]
    tried += [chr(value[way % 2]) for code, value in given if str(code) == "RANGE"]
    kinds = {"CATEGORY_SPACE": " \n\t", "CATEGORY_DIGIT": "019", "CATEGORY_WORD": "a_Z"}
    for code, value in given:
        if str(code) == "CATEGORY":
            tried.append(kinds.get(str(value), "a.-")[way])
        if str(code) == "NEGATE":
            refused = {chr(value) for code, value in given if str(code) == "LITERAL"}
            return next(letter for letter in "ab .<"[way:] + "xyz" if letter not in refused)
    return str(tried[way % len(tried)])
