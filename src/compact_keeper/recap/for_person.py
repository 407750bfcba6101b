"""What the person is told of the text that is put back: how much of which kind, and of each line why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from compact_keeper.recap.choice import is_put_back
from compact_keeper.text.kind_words import FAILING, FAILING_OTHERWISE, STATE_OF_GIT, kind_order, kind_shown
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Line

REASON_WORDS_UTF16 = 100
# The kinds of items whose number the person is told by name; others are counted together.
NAMED_KINDS = {"pin", "rule", "message", *FAILING.values(), FAILING_OTHERWISE, "task", "action", "said", "job"}
KINDS_NAMED_ALONE = {"look", "answer", "plan", "question", "refusal"}  # of several the names would take too much room
BRANCH_LINE = "- Branch "


def counted(shown: Sequence[Line]) -> dict[str, int]:
    """How many items of which kind are shown, and which checks fail, in the order in which a person is told of them.

    Git's state counts as 1 where it is shown.
    """
    items = {id(item): item for line in shown for item in line["items"]}  # several lines may name a message
    counts: Counter[str] = Counter(item["kind"] for item in items.values())
    counts.update(FAILING.get(line["fails"], FAILING_OTHERWISE) for line in shown if "fails" in line)
    if any(line["text"].startswith(BRANCH_LINE) for line in shown):
        counts[STATE_OF_GIT] = 1
    return {kind: counts[kind] for kind in sorted(counts, key=kind_order)}


def said_to_person(shown: Sequence[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, which checks fail, and how long the text is."""
    counts = counted(shown)
    is_of_git = counts.pop(STATE_OF_GIT, 0)
    others = {kind: count for kind, count in counts.items() if kind not in NAMED_KINDS}
    parts = [kind_shown(count, kind) for kind, count in counts.items() if kind in NAMED_KINDS]
    parts += [STATE_OF_GIT] * is_of_git
    total = sum(others.values())
    if len(others) == 1 and {*others} <= KINDS_NAMED_ALONE:
        parts += [kind_shown(count, kind) for kind, count in others.items()]
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
