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
from functools import lru_cache
from itertools import takewhile

from compact_keeper.record.summary.sentences import piece_around, written_sentences
from compact_keeper.types import Clause, Statement

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
ROW_MARKS = ":;,!?()[]|–—→…=<§\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"), *zip("“”„«»", "\"\"\"\"\""),
             ("; only ", "; "), (" and marked ", "; marked "))
SET_APART = r"`[^`\n]{0,300}`\S*|\" [^\"]{12,400} \""  # code of which nothing is known, words in quotes
CLAUSE_END, IN_BRACKETS = r"((?: [:;,()\[\]|–—→-])+) ", r"\( ([^()]+) \)"
VERBS, REASON_BEGINS = frozenset("is are has have does do".split()), frozenset("the it i we".split())  # "is open: it"
STEM = 5  # letters by which a word is one of its thing's name: "upgrading", "upgrade"
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
NUMBER_OF_LINE = "9 ."  # as COUNT writes it; the line itself is without it
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports result results run running shows "
    "state status still targets task tasks that the these this todo verification verified we whole with works yet 9 \""
    ).split())
OPEN_WORDS = frozenset((  # plans, conditions, questions, the past, other people's words and runs
    "be if once when whenever until unless should would will could may might must need needs expected want wants "
    "before earlier previously initially originally said reported subagent ci except only goal plan planned then "
    "reopened reverted undone fixed later proposal unclear probably maybe ?").split())


@lru_cache(maxsize=64)  # of the whole summary whoever reads statements asks, and who looks for rules
def row_of(text: str) -> str:
    """The text in lower case, its marks as words of their own, without emphasis; its lines stay lines."""
    for mark, instead in (*REWRITTEN, *((mark, f" {mark} ") for mark in ROW_MARKS)):
        text = text.replace(mark, instead)
    return re.sub(r"\.(?=\s|$)", " .", text.lower())


def rows_of_names(texts: Sequence[str]) -> list[str]:
    """Each text as its words stand in a row, without the mark at its end."""
    rows = row_of("\n".join(" ".join(text.split()) for text in texts)).split("\n")  # at once: one alone costs 4 µs
    return [" ".join(row.split()).rstrip(" .?") for row in rows]


def codes_in(statements: Sequence[Statement], pattern: str) -> dict[str, str]:
    """By name what stands between backticks in the statements and is of the pattern."""
    texts = re.findall(r"`([^`\n]{1,300})`", "\n".join(statement["line"] for statement in statements))
    codes = [code for code in dict.fromkeys(texts) if re.fullmatch(pattern, code)]
    return dict(zip(rows_of_names([f"`{code}`" for code in codes]), codes))


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each line with the thing of which it claims a state, and the state; `names` and `states` give them by phrases.

    A longer phrase goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    text = "\n".join(statement["row"] for statement in statements)
    known = [name for name in sorted(names, key=len, reverse=True) if name in text]
    phrases = sorted(states, key=len, reverse=True)
    signs = [sign for sign in {max(phrase.split(), key=len) for phrase in phrases} if sign in text]
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row = statement["row"]
        names_here = [name for name in known if name in row]
        if not names_here or not any(sign in row for sign in signs):  # most lines: the rest takes ten times as long
            continue
        for name in names_here:
            row = row.replace(f" {name} ", f" §{names[name]} ")
        things = {word[1:] for word in row.split() if word[0] == "§"}
        own = {word[:STEM] for name, thing in names.items() if thing in things for word in re.findall(r"\w+", name)}
        row = re.sub(COUNT, " 9", row)
        for phrase in [phrase for phrase in phrases if phrase in row and phrase[:STEM] not in own]:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{states[phrase]} ")
        sentences = re.split(r"(?<= [.!?]) ", re.sub(SET_APART, "…", row).strip())
        sentences = sentences[sentences[0] == NUMBER_OF_LINE:]
        for place, sentence in enumerate(sentences):
            if not OPEN_WORDS.isdisjoint(sentence.split()):
                continue
            for part in [*sentence.split(" ; "), *re.findall(IN_BRACKETS, sentence)]:
                for thing, state in claims_of(part, own) if "§" in part else ():
                    written = written_sentences(statement["line"])
                    are_same = len(written) == len(sentences)
                    before = " ".join([*([] if are_same else sentences[:place]), sentence.partition(part)[0]])
                    spellings = [name for name in names_here if names[name] == thing]
                    said = piece_around(written[place] if are_same else statement["line"], spellings,
                                        before.split().count(f"§{thing}"))
                    claims.append(({**statement, "line": said}, thing, state))
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
