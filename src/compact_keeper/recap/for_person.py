"""What the person is told of the text that is put back: how much of which kind, and of each line why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from compact_keeper.recap.choice import is_put_back
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Line

REASON_WORDS_UTF16 = 100
# What the person is told of by its name, by kind of item; one, several. Behind the first come the checks that fail.
COUNTED_FIRST = {"pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages")}
COUNTED_LATER = {
    "task": ("task", "tasks"), "action": ("action", "actions"), "said": ("reply", "replies"),
    "job": ("running command", "running commands")}
FAILING = {  # by the check's family
    "test": ("failing test", "failing tests"), "build": ("failing build", "failing builds"),
    "types": ("failing type check", "failing type checks"), "lint": ("failing linter", "failing linters"),
    "format": ("failing formatter", "failing formatters")}
STATE_OF_GIT, BRANCH_LINE = "git's state", "- Branch "
NAMED_ALONE = {  # those of one kind alone: of several the names would take more room than they tell
    "look": ("thing read", "things read"), "answer": ("answer", "answers"), "plan": ("plan", "plans"),
    "question": ("question", "questions"), "refusal": ("refused call", "refused calls")}


def counted(shown: Sequence[Line]) -> dict[str, int]:
    """How many items of which kind are shown."""
    items = {id(item): item for line in shown for item in line["items"]}  # several lines may name a message
    counts: dict[str, int] = {}
    for item in items.values():
        counts[item["kind"]] = counts.get(item["kind"], 0) + 1
    return counts


def counts_in_words(counts: Mapping[str, int], names: Mapping[str, tuple[str, str]]) -> list[str]:
    """How many of each that has a name here, in the names' order."""
    return [f"{counts[kind]} {forms[counts[kind] > 1]}" for kind, forms in names.items() if counts.get(kind)]


def said_to_person(shown: Sequence[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, which checks fail, and how long the text is."""
    counts = counted(shown)
    failing = Counter(line["fails"] for line in shown if "fails" in line)
    parts = [*counts_in_words(counts, COUNTED_FIRST), *counts_in_words(failing, FAILING),
             *counts_in_words(counts, COUNTED_LATER)]
    if any(line["text"].startswith(BRANCH_LINE) for line in shown):
        parts.append(STATE_OF_GIT)
    others = {kind: count for kind, count in counts.items() if kind not in {*COUNTED_FIRST, *COUNTED_LATER}}
    total = sum(others.values())
    if len(others) == 1 and {*others} <= {*NAMED_ALONE}:
        parts += [f"{total} {NAMED_ALONE[kind][total > 1]}" for kind in others]
    elif others:
        parts.append(f"{total} more" if parts else f"{total} thing{'s' * (total > 1)}")
    return f"put back {', '.join(parts) or 'what is known'} ({size:,} characters)"


def reasons(lines: Iterable[Line]) -> str:
    """How many lines are put back under each heading; then those that are not, below the reason."""
    put_back: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for line in lines:
        if is_put_back(line):
            put_back[line["section"]] = put_back.get(line["section"], 0) + 1
        else:
            words = in_quotes(cut(" ".join(line["text"].split()), REASON_WORDS_UTF16))
            left_out.setdefault(line["why"], []).append(words)
    rows = ["Put back, lines under each heading:", *(f"{count:6,}  {section}" for section, count in put_back.items())]
    for why, words_of_lines in left_out.items():
        rows += ["", f"Not put back ({why}):", *(f"- {words}" for words in words_of_lines)]
    if not left_out:
        rows += ["", "Nothing is left out."]
    return "\n".join(rows)
