"""What a statement claims: that a thing which it names is in a state, with nothing said beside it.

A statement is cut at its marks into clauses. A clause counts where it holds nothing but names of things, phrases of
states, denials and SMALL_WORDS; any other word makes it say more: "half of the task is done", "passes under load". The
state stands in the thing's clause ("Task #2 is done"), behind it ("#2 (done)") or right before ("[done] #2"). Where
several things are named, those are meant that have a state in their clause, else the last. Nothing is claimed by two
states, behind other words, or before a colon with other words behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from compact_keeper.record.summary.statements import SET_APART
from compact_keeper.types import Statement

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
CLAUSE_END = r"((?: [:,()\[\]|–—→-])+) "
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports repository result results run "
    "running shows state status still targets task tasks that the these this todo verification verified we whole "
    "with works yet 9 . ! \""
    ).split())


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each statement with the thing of which it claims a state, and the state.

    `names` gives things by their names, `states` by each state its phrases, with strokes between them. A longer name or
    phrase goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    known, things = sorted(names, key=len, reverse=True), [*dict.fromkeys(names.values())]
    state_of = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    phrases = sorted(state_of, key=len, reverse=True)
    begins, signs = {name.partition(" ")[0] for name in known}, {max(phrase.split(), key=len) for phrase in phrases}
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row, words = statement["row"], statement["row"].split()
        if begins.isdisjoint(words) or signs.isdisjoint(words):  # most: the rest takes ten times as long
            continue
        for name in known:
            if name in row:
                row = row.replace(f" {name} ", f" §{things.index(names[name])} ")
        row = re.sub(COUNT, " 9", row)
        for phrase in phrases:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{state_of[phrase]} ")
        claims += [(statement, things[int(thing)], state) for thing, state in claims_of(re.sub(SET_APART, "…", row))]
    states_of = Counter(thing for thing, _ in {(thing, state) for _, thing, state in claims})
    return [(statement, thing, state) for statement, thing, state in claims if states_of[thing] == 1]


def claims_of(row: str) -> list[tuple[str, str]]:
    """The things of which a row claims a state, each with it. In the row `§` begins a thing, `=` and `<` a state."""
    pieces = re.split(CLAUSE_END, f" ({row}")
    states, with_state, last_named = set[str](), set[str](), set[str]()
    for mark, words in zip(pieces[1::2], map(str.split, pieces[2::2])):
        if mark == " :" and (not words or says_more(words)):
            return []  # "Done: the first half"
        if says_more(words):
            break
        things = {word[1:] for word in words if word[0] == "§"}
        own_states = {word[1:] for word in words if word[0] in "=<"}
        if things and states and not last_named and not re.search(r"[:\]]", mark):
            return []  # "Clean, test"
        states |= {OPPOSITES.get(state, "") for state in own_states} if is_denied(words) else own_states
        with_state |= things if own_states else set()
        last_named = things or last_named
    state = states.pop() if len(states) == 1 else ""
    return [(thing, state) for thing in sorted(with_state or last_named) if state]


def is_denied(words: list[str]) -> bool:
    """Whether a clause denies what it says."""
    return not DENIALS.isdisjoint(words)


def says_more(words: list[str]) -> bool:
    """Whether a clause says more than that a thing is in a state: by other words, or by their order."""
    signs = "".join(word[0] for word in words if word[0] in "§=<")
    others = {word for word in words if word[0] not in "§=<"} - SMALL_WORDS - DENIALS
    is_state_first = signs[:1] == "<" and "§" in signs
    return bool(others) or is_state_first or (is_denied(words) and not signs.strip("§"))
