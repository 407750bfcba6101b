"""What the text says of recall, which has what does not stand in it: how to search there, how to see a step.

Nothing where nobody can ask: where there is no archive, or recall.py does not lie beside.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from compact_keeper.recap.choice.chosen_lines import NO_ROOM
from compact_keeper.recap.unshown_steps import is_command, steps_without_line
from compact_keeper.recap.wording.commands import command_in_short
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import code, middle_out
from compact_keeper.text.fields import text_of
from compact_keeper.text.hints import ASK_BEGINS, LACKING_ENDS, MORE_STEPS
from compact_keeper.text.tags import tag_of
from compact_keeper.types import ChosenLine, Item, Snapshot

AS_SKILL = "skill "  # how the words for it begin
SKILLS_OF_RECALL = {  # by its folder, seen from the scripts': of the plugin, of a copy by install.py
    "../skills/recall": "compact-keeper:recall", "../../skills/compact-keeper-recall": "compact-keeper-recall"}
TAG_EXAMPLE = "k3fq"
TAGGED_BUDGET_MIN = 1_500
TAGS_OF_LACKING_MAX = 3
NAMED_STEPS_MAX, NAMED_STEP_UTF16 = 3, 50  # then no longer than how to see them, which prints all steps before them too


def recall_call(home: str) -> str:
    """How the archive in the data folder is asked: by the skill, else "python3" and the script's path.

    Empty where nobody can ask.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    script = os.path.join(here, "recall.py")
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    skills = (skill for folder, skill in SKILLS_OF_RECALL.items() if os.path.isdir(os.path.join(here, folder)))
    skill = next(skills, "")
    return f"{AS_SKILL}{skill}" if skill else f"python3 {script}"


def how_to_ask(call: str) -> str:
    """The paragraph that ends the text: how to find what does not stand there; empty where nobody can ask."""
    if not call:
        return ""
    skill = call.removeprefix(AS_SKILL)
    how = f"{call} (typed: /{skill} WORDS)" if call != skill else f"`{call} search WORDS`"
    return f"\n\n{ASK_BEGINS}{how}."


def is_archived(snapshot: Snapshot, call: str) -> bool:
    """Whether recall can be asked for steps of this session."""
    is_kept = snapshot["settings"]["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    return bool(call) and is_kept


def how_to_open(snapshot: Snapshot, call: str) -> str:
    """The sentence that says how to see the step behind a tag; empty where the archive has not this session's.

    Nor in a small text: there the sentence had taken the room of the rules.
    """
    if not is_archived(snapshot, call) or snapshot["settings"]["budget"] < TAGGED_BUDGET_MIN:
        return ""
    how = how_to_show(TAG_EXAMPLE, call)
    return f"A line that ends in a tag like #{TAG_EXAMPLE} is shortened: {how} prints that step and those around it."


def how_to_show(steps: str, call: str) -> str:
    """How recall is asked to print a step by its tag, or the steps up to it (`1-k3fq`)."""
    is_range = "-" in steps
    if call.startswith(AS_SKILL):
        return f"{call} with `show {steps if is_range else f'#{steps}'}`"  # a # before a range seems to be of all of it
    return f"`{call} show {steps}`"


def what_had_no_room(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraphs that end the text: steps left out, then rules and failed checks that had no room; mostly empty."""
    return what_is_left_out(snapshot, lines, call) + what_is_lacking(snapshot, lines, call)


def what_is_lacking(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """How many pins, rules and failed checks had no room, and how to see them: a small text must not pass for all.

    Recall has no pins.
    """
    without_room = [line for line in lines if line["why"] == NO_ROOM]
    pins, rules = ([line for line in without_room if any(item["kind"] == kind for item in line["items"])]
                   for kind in ("pin", "rule"))
    failures = [line for line in without_room if "fails" in line]
    counts = [f"{len(lacking)} {name}{'s' * (len(lacking) > 1)}"
              for lacking, name in ((pins, "pin"), (rules, "rule"), (failures, "failed check")) if lacking]
    if not counts:
        return ""
    sources = [item["source"] for line in rules for item in line["items"]]
    tags = [*filter(None, [*map(tag_of, sources), *(line["tag"] for line in failures)])][:TAGS_OF_LACKING_MAX]
    how = ""
    if tags and is_archived(snapshot, call):
        first, *others = tags
        more = f" (also {', '.join(f'#{tag}' for tag in others)})" if others else ""
        how = f": {how_to_show(first, call)}{more}"
    words = " and ".join(filter(None, [", ".join(counts[:-1]), counts[-1]]))
    return f"\n\n{words}{LACKING_ENDS}{how}."


def what_is_left_out(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraph behind that: how many steps have no line, and how to see them; empty without tags or such steps.

    Few are named, where rules or checks take no room there. A small text says how many: how to search stands before it.
    """
    if not (snapshot["how_to_open"] or is_archived(snapshot, call)):
        return ""
    left_out = steps_without_line([line for line in lines if line["is_put_back"]], snapshot["items"])
    tag = next(filter(None, (tag_of(step["source"]) for step in left_out)), "")  # not each has one
    if not tag:
        return ""
    count, how = len(left_out), ""
    if snapshot["how_to_open"] and count <= NAMED_STEPS_MAX and not what_is_lacking(snapshot, lines, call):
        top = text_of(snapshot.get("present", {}).get("repository", {}), "root")
        paths = Paths(text_of(snapshot["state"], "root"), text_of(snapshot["state"], "cwd"), top)
        how = f": {', '.join(dict.fromkeys(named_step(step, paths) for step in left_out))}"
    elif snapshot["how_to_open"]:
        how = f": {how_to_show(f'1-{tag}', call)} (steps 1 to #{tag})"
    return f"\n\n{count} more step{'s' * (count != 1)}{MORE_STEPS}{how}."


def named_step(step: Item, paths: Paths) -> str:
    """A step's command, of another tool its name and what it was about: enough to tell it from others."""
    if is_command(step):
        return code(command_in_short(step["text"], paths), NAMED_STEP_UTF16)
    about = paths.short(step["path"] or step["text"])
    return f"{step['tool']} {middle_out(about, NAMED_STEP_UTF16)}".rstrip()
