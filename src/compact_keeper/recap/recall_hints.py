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
from compact_keeper.store.folder import ARCHIVE_FILE
from compact_keeper.text.fields import text_of
from compact_keeper.text.hints import ASK_BEGINS, LACKING_ENDS, MORE_STEPS
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.tags import tag_of
from compact_keeper.types import ChosenLine, Item, Line, Snapshot

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
    if not os.path.exists(os.path.join(home, ARCHIVE_FILE)) or not os.path.exists(script):
        return ""
    for folder, skill in SKILLS_OF_RECALL.items():
        if os.path.isdir(os.path.join(here, folder)):
            return f"{AS_SKILL}{skill}"
    return f"python3 {script}"


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
    if not call.startswith(AS_SKILL):
        return f"`{call} show {steps}`"
    is_range = "-" in steps  # a # before a range would seem to be of all of it
    return f"{call} with `show {steps}`" if is_range else f"{call} with `show #{steps}`"


def what_had_no_room(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraphs that end the text: steps left out, then rules and failed checks that had no room; mostly empty."""
    return what_is_left_out(snapshot, lines, call) + what_is_lacking(snapshot, lines, call)


def what_is_lacking(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """How many pins, rules and failed checks had no room, and how to see them: a small text must not pass for all.

    Recall has no pins.
    """
    without_room = [line for line in lines if line["why"] == NO_ROOM]
    pins = [line for line in without_room if is_of_kind(line, "pin")]
    rules = [line for line in without_room if is_of_kind(line, "rule")]
    failures = [line for line in without_room if "fails" in line]
    counts = [count_shown(len(lacking), name)
              for lacking, name in ((pins, "pin"), (rules, "rule"), (failures, "failed check")) if lacking]
    if not counts:
        return ""
    words = f"{', '.join(counts[:-1])} and {counts[-1]}" if len(counts) > 1 else counts[0]
    tags = [tag_of(item["source"]) for line in rules for item in line["items"]]
    tags += [line["tag"] for line in failures]
    first, *others = [tag for tag in tags if tag][:TAGS_OF_LACKING_MAX] or [""]
    if not first or not is_archived(snapshot, call):
        return f"\n\n{words}{LACKING_ENDS}."
    more = f" (also {', '.join(f'#{tag}' for tag in others)})" if others else ""
    return f"\n\n{words}{LACKING_ENDS}: {how_to_show(first, call)}{more}."


def is_of_kind(line: Line, kind: str) -> bool:
    """Whether the line is about an item of that kind."""
    return any(item["kind"] == kind for item in line["items"])


def what_is_left_out(snapshot: Snapshot, lines: Sequence[ChosenLine], call: str) -> str:
    """The paragraph on steps that have no line: how many, and how to see them; empty without tags or such steps.

    Few are named, where rules or checks take no room there. A small text says how many: how to search stands before it.
    """
    if not (snapshot["how_to_open"] or is_archived(snapshot, call)):
        return ""
    left_out = steps_without_line([line for line in lines if line["is_put_back"]], snapshot["items"])
    tag = next(filter(None, (tag_of(step["source"]) for step in left_out)), "")  # not each step has one
    if not tag:
        return ""
    how = ""
    if snapshot["how_to_open"]:
        if len(left_out) <= NAMED_STEPS_MAX and not what_is_lacking(snapshot, lines, call):
            how = f": {named_steps(left_out, snapshot)}"
        else:
            how = f": {how_to_show(f'1-{tag}', call)} (steps 1 to #{tag})"
    steps = "step" if len(left_out) == 1 else "steps"
    return f"\n\n{len(left_out)} more {steps}{MORE_STEPS}{how}."


def named_steps(steps: Sequence[Item], snapshot: Snapshot) -> str:
    """The steps, each once: its command, of another tool its name and what it was about; and that it FAILED."""
    top = text_of(snapshot.get("present", {}).get("repository", {}), "root")
    paths = Paths(text_of(snapshot["state"], "root"), text_of(snapshot["state"], "cwd"), top)
    names = dict[str, None]()
    for step in steps:
        if is_command(step):
            name = code(command_in_short(step["text"], paths), NAMED_STEP_UTF16)
        else:
            about = middle_out(paths.short(step["path"] or step["text"]), NAMED_STEP_UTF16)
            name = f"{step['tool']} {about}".rstrip()
        names[f"{name} (FAILED)" if text_of(step, "verdict") == "failed" else name] = None
    return ", ".join(names)
