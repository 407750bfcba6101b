"""What a line claims: that a thing which it names is in a state, with nothing said beside it.

A sentence is cut at its marks into clauses. A clause counts where it holds nothing but names of things, phrases of
states, denials and SMALL_WORDS; any other word makes it say more: "half of the task is done", "passes under load".
Words of the thing's name say no more at the beginning and in brackets: "Upgrading the module (#2) is done". The state
stands in the thing's clause ("Task #2 is done"), right behind it ("#2 (done)") or right before ("[done] #2"). Nothing
is claimed by two states, behind other words, before a colon without a verb, in a question, or beside OPEN_WORDS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import takewhile

from compact_keeper.record.summary.statements import OPEN_WORDS, piece_around
from compact_keeper.types import Clause, Statement

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
SET_APART = r"`[^`\n]{0,300}`\S*|\" [^\"]{12,400} \""  # code of which nothing is known, words in quotes
CLAUSE_END, IN_BRACKETS = r"((?: [:;,()\[\]|–—→-])+) ", r"\( ([^()]+) \)"
VERBS, REASON_BEGINS = frozenset("is are has have does do".split()), frozenset("the it i we".split())  # "is open: it"
STEM = 5  # letters by which a word is one of its thing's name: "upgrading", "upgrade"
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports repository result results run "
    "running shows state status still targets task tasks that the these this todo verification verified we whole "
    "with works yet 9 \""
    ).split())


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each statement with the thing of which it claims a state, and the state.

    `names` gives things by their names, `states` by each state its phrases, with strokes between them. A longer phrase
    goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    known = sorted(names, key=len, reverse=True)
    state_of = {phrase: state for state, words in states.items() for phrase in words.split("|")}
    phrases = sorted(state_of, key=len, reverse=True)
    begins, signs = {name.partition(" ")[0] for name in known}, {max(phrase.split(), key=len) for phrase in phrases}
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row, words = statement["row"], statement["row"].split()
        if begins.isdisjoint(words) or signs.isdisjoint(words):  # most: the rest takes ten times as long
            continue
        here = [name for name in known if name in row]
        for name in here:
            row = row.replace(f" {name} ", f" §{names[name]} ")
        things = {word[1:] for word in row.split() if word[0] == "§"}
        own = {word[:STEM] for name, thing in names.items() if thing in things for word in re.findall(r"\w+", name)}
        row = re.sub(COUNT, " 9", row)
        for phrase in [phrase for phrase in phrases if phrase in row and phrase[:STEM] not in own]:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{state_of[phrase]} ")
        row = re.sub(SET_APART, "…", row).strip()
        parts = [*row.split(" ; "), *re.findall(IN_BRACKETS, row)] if OPEN_WORDS.isdisjoint(row.split()) else []
        for part in [part for part in parts if "§" in part]:
            for thing, state in claims_of(part, own):
                spelling = next(name for name in here if names[name] == thing)
                before = row.partition(part)[0].split().count(f"§{thing}")
                claims.append(({**statement, "line": piece_around(statement["line"], spelling, before)}, thing, state))
    states_of = Counter(thing for thing, _ in {(thing, state) for _, thing, state in claims})
    return [(statement, thing, state) for statement, thing, state in claims if states_of[thing] == 1]


def claims_of(sentence: str, own: Set[str]) -> Iterator[tuple[str, str]]:
    """The things of which a sentence or part claims a state, each with it; `own`: how words of their names begin."""
    statement, _, reason = sentence.partition(" : ")
    has_verb = not VERBS.isdisjoint(statement.partition("§")[2].split())
    whole = statement if has_verb and not REASON_BEGINS.isdisjoint(reason.split()[:1]) else sentence
    pieces = re.split(CLAUSE_END, f" ( {whole.strip(' .;!')} ")
    clauses = [clause_of(mark, words.split(), own) for mark, words in zip(pieces[1::2], pieces[2::2])]
    is_heading = any(clause["mark"] == " :" and (clause["says_more"] or not clause["things"] | clause["states"])
                     for clause in clauses[1:])
    if is_heading:  # "Done: the first half"
        return
    joined: list[Clause] = []
    for clause in takewhile(lambda clause: not clause["says_more"], clauses):
        is_of_same = joined and clause["things"] in (set(), joined[-1]["things"])
        if is_of_same and ("," not in clause["mark"] or joined[-1]["states"]):
            joined[-1]["states"] |= clause["states"]  # "#2 (done)"; "9 passed, 1 failed" are two
        else:
            joined.append(clause)
    for before, clause in zip([clauses[0], *joined], joined):
        if not before["things"] and re.search(r"[:\]]", clause["mark"]):
            clause["states"] |= before["states"]  # "[done] #2"
        if len(clause["states"]) == 1:
            yield from ((thing, state) for thing in sorted(clause["things"]) for state in clause["states"] if state)


def clause_of(mark: str, words: list[str], own: Set[str]) -> Clause:
    """What a clause holds, which the mark parts from the one before; `own` words are of a name."""
    things = [word for word in words if word[0] == "§" and len(word) > 1]
    states = [word for word in words if word[0] in "=<" and len(word) > 1]
    is_denied = not DENIALS.isdisjoint(words)
    before = takewhile(lambda word: word not in (*things, *states), words if "(" in mark else ())
    names = {word for word in before if {piece[:STEM] for piece in re.findall(r"\w+", word) or [word]} <= own}
    rest = {*words} - {*things, *states} - SMALL_WORDS - DENIALS - (names if things or len(names) > 1 else set())
    is_before = things and states and states[0][0] == "<" and words.index(states[0]) < words.index(things[0])
    return {"mark": mark, "things": {word[1:] for word in things},
            "states": {OPPOSITES.get(word[1:], "") if is_denied else word[1:] for word in states},
            "says_more": bool(rest or is_before or (is_denied and not states))}
