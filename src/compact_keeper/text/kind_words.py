"""Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere."""

from __future__ import annotations

from compact_keeper.text.sanitize import clean

STATE_OF_GIT = "git's state"  # told besides the things of the record
FAILING = {  # by the check's family, what is told of it while it fails
    "test": "failing test", "build": "failing build", "types": "failing type check", "lint": "failing linter",
    "format": "failing formatter"}
FAILING_OTHERWISE = "failing check"
PASSED = "passed check"
KIND_WORDS = {  # one, several; what binds and what fails comes first
    "pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages"),
    **{name: (name, f"{name}s") for name in (*FAILING.values(), FAILING_OTHERWISE)},
    "task": ("task", "tasks"), "action": ("edit or command", "edits and commands"),
    "said": ("remark of Claude's", "remarks of Claude's"),
    "job": ("running command", "running commands"), PASSED: ("check that passed", "checks that passed"),
    "look": ("read or search", "reads and searches"),
    "answer": ("answer", "answers"), "plan": ("plan", "plans"), "question": ("question", "questions"),
    "refusal": ("refused call", "refused calls"), "errand": ("order", "orders"), "git": ("git fact", "git facts"),
    "fact": ("line on what is true now", "lines on what is true now")}
KIND_MAX_CHARACTERS = 40


def kind_shown(count: int, kind: str) -> str:
    """How many things of that kind."""
    names = KIND_WORDS.get(kind)
    return f"{count:,} {names[count != 1]}" if names else count_shown(count, clean(kind)[:KIND_MAX_CHARACTERS])


def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


def kind_order(kind: str) -> int:
    """Where in the order of KIND_WORDS the kind stands; all others behind."""
    return [*KIND_WORDS].index(kind) if kind in KIND_WORDS else len(KIND_WORDS)
