"""What the person is told of the text that is put back: how much of which kind, and of each line why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from compact_keeper.client.wordless import is_wordless
from compact_keeper.recap.choice.sections import DIFFERS
from compact_keeper.recap.lines.looks import SHOWS_EDITED, is_of_project, last_edits, why_untold
from compact_keeper.recap.lines.typed_words import is_mere_assent, obeyed_orders_to_commit
from compact_keeper.recap.unshown_steps import is_command, steps_without_line
from compact_keeper.recap.wording.phrases import folded_line
from compact_keeper.record.items import is_typed
from compact_keeper.record.outcomes.asked_again import asked_again
from compact_keeper.record.outputs.gone_files import listed_before_more_came
from compact_keeper.text.kind_words import (
    FAILING,
    FAILING_OTHERWISE,
    PASSED,
    STATE_OF_GIT,
    count_shown,
    kind_order,
    kind_shown,
)
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.types import ChosenLine, Item, Line

REASON_WORDS_UTF16 = 100
# The kinds of items whose number the person is told by name; others are counted together.
NAMED_KINDS = {"pin", "rule", "message", *FAILING.values(), FAILING_OTHERWISE, "task", "action", "said", "job", PASSED}
KINDS_NAMED_ALONE = {"look", "answer", "plan", "question", "refusal"}  # of several the names would take too much room
# Why a step or message of the record has no line: all that tell something have one, put back or not.
ONLY_THAT_IT_RAN = "steps with no more to tell than that they ran, or that another line tells"
TAKEN_BACK = "edits that a later command of git's took back"
LOOKED_AGAIN = "looks that were made again later, or whose folder got other files since"
FILES_OF_OTHERS = "files of packages, and of Claude Code's own"
NO_WORDS_IN_IT = "messages without words"
AMONG_RULES = "messages that stand among the rules"
ONLY_AGREES = "messages that only agreed, or asked for a commit that was made"
TYPED_ANEW = "messages that were typed anew"
NAMED_MAX = 30  # below such a reason


def counted(shown: Sequence[Line]) -> dict[str, int]:
    """How many items of which kind are shown, and how checks ended, in the order in which a person is told of them.

    Git's state counts as 1 where it is shown.
    """
    items = {id(item): item for line in shown for item in line["items"]}  # several lines may name a message
    counts: Counter[str] = Counter(item["kind"] for item in items.values())
    counts.update(FAILING.get(line["fails"], FAILING_OTHERWISE) for line in shown if "fails" in line)
    counts.update(PASSED for line in shown if "passes" in line)
    if any(line.get("what") == STATE_OF_GIT for line in shown):
        counts[STATE_OF_GIT] = 1
    return {kind: counts[kind] for kind in sorted(counts, key=kind_order)}


def said_to_person(shown: Sequence[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, how checks ended, and how long the text is.

    And how many things in it the summary says otherwise, where it was known in time.
    """
    counts = counted(shown)
    is_git_shown = counts.pop(STATE_OF_GIT, 0) > 0
    others = {kind: count for kind, count in counts.items() if kind not in NAMED_KINDS}
    parts = [kind_shown(count, kind) for kind, count in counts.items() if kind in NAMED_KINDS]
    if is_git_shown:
        parts.append(STATE_OF_GIT)
    if len(others) == 1 and {*others} <= KINDS_NAMED_ALONE:
        parts += [kind_shown(count, kind) for kind, count in others.items()]
    elif others:
        total, other = sum(others.values()), "other " if parts else ""
        parts.append(f"{total} {other}thing" if total == 1 else f"{total} {other}things")
    errors = sum(line.get("section") == DIFFERS for line in shown)
    differs = f", and told Claude of {count_shown(errors, 'error')} in the summary" if errors else ""
    return f"put back {', '.join(parts) or 'what is known'} ({size:,} characters){differs}"


def reasons(lines: Sequence[ChosenLine], items: Sequence[Item], summary: str = "", root: str = "") -> str:
    """How many lines are put back under each heading; then what is not, below the reason.

    That are lines, and steps and messages of the record that no line tells. `root`: the session's first folder.
    """
    with_line = {item["position"] for line in lines for item in line["items"]}
    messages = [item for item in reversed(items) if is_typed(item) and item["position"] not in with_line]
    put_back: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for line in lines:
        if line["is_put_back"]:
            put_back[line["section"]] = put_back.get(line["section"], 0) + 1
        else:
            left_out.setdefault(line["why"], []).append(line["text"].removeprefix("- "))
    of_lines, edited = {*left_out}, last_edits(items)
    again = {*asked_again(items), *listed_before_more_came(items, root)}
    for step in steps_without_line(lines, items):
        left_out.setdefault(why_without_line(step, items, edited, again, summary), []).append(in_few_words(step))
    for message in messages:
        left_out.setdefault(why_message_is_untold(message, items), []).append(in_few_words(message))
    rows = ["Put back, lines under each heading:", *(f"{count:6,}  {section}" for section, count in put_back.items())]
    for why, texts in left_out.items():
        shown = texts if why in of_lines else texts[:NAMED_MAX]
        rows += ["", f"Not put back ({why}):", *(f"- {cut(folded_line(text), REASON_WORDS_UTF16)}" for text in shown)]
        if len(texts) > len(shown):
            rows.append(f"- and {len(texts) - len(shown):,} before")
    if not left_out:
        rows += ["", "Nothing is left out."]
    return "\n".join(rows)


def why_without_line(
        step: Item, items: Sequence[Item], edited: Mapping[str, int], again: Set[int], summary: str) -> str:
    """Why a step of these items has no line.

    `edited`: by the files' names and paths the position of the last edit; `again`: the positions of looks that a later
    one overtook.
    """
    if step.get("taken_back"):
        return TAKEN_BACK
    if step["kind"] == "action":
        return ONLY_THAT_IT_RAN
    if step.get("path") in edited:
        return SHOWS_EDITED
    if step["tool"] == "Read" and not is_of_project(step["path"]):
        return FILES_OF_OTHERS
    if step["position"] in again:
        return LOOKED_AGAIN
    return why_untold(step, items, edited, summary) or ONLY_THAT_IT_RAN  # as one that ended in the background


def why_message_is_untold(message: Item, items: Sequence[Item]) -> str:
    """Why a message that was typed has no line: see `says_nothing_beside` and `without_old_assents`."""
    if is_wordless(message["text"]):
        return NO_WORDS_IN_IT
    if any(item["kind"] == "rule" and folded_line(item["text"]) == folded_line(message["text"]) for item in items):
        return AMONG_RULES
    is_obeyed = message["position"] in obeyed_orders_to_commit(items)
    return ONLY_AGREES if is_obeyed or is_mere_assent(message) else TYPED_ANEW


def in_few_words(item: Item) -> str:
    """A step or message as the person knows it: of a tool that is no shell its name and what it was about.

    Of an edit that git took back also the command that did so.
    """
    words = item["text"] if is_typed(item) or is_command(item) else f"{item['tool']} {item['text']}".rstrip()
    return f"{words}, taken back by {as_code(item['taken_back'])}" if item.get("taken_back") else words
