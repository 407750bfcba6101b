"""What the text says of recall, which has what does not stand in it: how to search there, how to see a step.

Nothing where nobody can ask: where there is no archive, or recall.py does not lie beside.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from compact_keeper.recap.choice import NO_ROOM
from compact_keeper.recap.sections import WORK
from compact_keeper.recap.tagged import older_steps
from compact_keeper.types import Line, Snapshot

RECALL_SKILL = "skill compact-keeper:recall"
TAG_EXAMPLE = "k3fq"
TAGGED_BUDGET_MIN = 1_500


def recall_call(home: str) -> str:
    """How the archive in the data folder is asked: by the plugin's skill, else "python3" and the script's path.

    Empty where nobody can ask.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    script = os.path.join(here, "recall.py")
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    has_skill = os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    return RECALL_SKILL if has_skill else f"python3 {script}"


def how_to_ask(call: str) -> str:
    """The paragraph that ends the text: how to find what does not stand there; empty where nobody can ask."""
    if not call:
        return ""
    how = f"{call} (typed: /compact-keeper:recall WORDS)" if call == RECALL_SKILL else f"`{call} search WORDS`"
    return f"\n\nThe original words, commands and errors of earlier turns can be found: {how}."


def how_to_open(snapshot: Snapshot, call: str) -> str:
    """The sentence that says how to see the step behind a tag; empty where the archive has not this session's.

    Nor in a small text: there the sentence had taken the room of the rules.
    """
    is_kept = snapshot["settings"]["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    if not call or not is_kept or snapshot["settings"]["budget"] < TAGGED_BUDGET_MIN:
        return ""
    # To a shell what begins with # is a comment.
    how = f"{call} with `show #{TAG_EXAMPLE}`" if call == RECALL_SKILL else f"`{call} show {TAG_EXAMPLE}`"
    return f"A line that ends in a tag like #{TAG_EXAMPLE} is shortened: {how} prints that step and those around it."


def what_is_older(snapshot: Snapshot, lines: Sequence[Line], call: str) -> str:
    """The paragraph behind that: which steps had no room, and how to see them; empty without tags, or where all had.

    What the agent said does not count as the oldest line: its remarks reach back further than the steps.
    """
    if not snapshot["how_to_open"] or not any(line.get("why") == NO_ROOM for line in lines):
        return ""
    work = [line for line in lines if line.get("section") == WORK]
    steps = [line for line in work if line["items"][0]["kind"] != "said"]
    remarks = {line["items"][0]["position"] for line in work if line["items"][0]["kind"] == "said"}
    count, tag = older_steps([item for item in snapshot["items"] if item["position"] not in remarks], steps)
    if not tag:
        return ""
    how = f"{call} with `show #1-{tag}`" if call == RECALL_SKILL else f"`{call} show '#1-{tag}'`"
    return f"\n\nOlder work had no room here ({count} step{'s' * (count != 1)} on record): {how} prints it."
