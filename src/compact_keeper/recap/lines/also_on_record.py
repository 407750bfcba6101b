"""Lines from the whole session that tell where to go on, in the words of the recap.

These are the forms that readers gained from (docs/decisions.md); definitions, import aliases, searches without a hit,
expected and actual values, offers and sentences of certain forms brought them nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.recap.lines.command_forms import form_lines, lack_lines
from compact_keeper.recap.lines.looks import files_read_lines, too_large_lines
from compact_keeper.recap.lines.refused_calls import refused_call_lines
from compact_keeper.recap.wording.commands import OTHER_COMMAND_MAX_UTF16, short_command
from compact_keeper.recap.wording.in_summary import next_part
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import code, shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.record.commands.machine_setup import is_for_folder, setups
from compact_keeper.record.outputs.gone_files import gone_when_listed
from compact_keeper.record.outputs.made_outside_tree import made_outside_tree
from compact_keeper.record.outputs.named_hits import hits_by_name
from compact_keeper.record.outputs.sweeps import uncovered_hits
from compact_keeper.text.fields import text_of
from compact_keeper.text.listing import file_names
from compact_keeper.text.names import names_of
from compact_keeper.types import Item, Line, Snapshot

SETUP_SHOWN_UTF16, RUNNER_COMMAND_SHOWN_UTF16 = 160, 200
RUNNERS_MAX, LISTINGS_MAX = 3, 2
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
FOR_FOLDER = " (for the folder in which it ran alone)"
RUNNER_EVIDENCE = r"\[[^\]]{1,180}\] \$ \S"


def also_on_record_lines(snapshot: Snapshot, paths: Paths, set_up: Sequence[Line]) -> Iterator[Line]:
    """The lines, what helped readers most first.

    Forms that work, what the machine has not, files too large to be read whole, work lists, locations. `set_up`: those
    on what was set up on the machine.
    """
    items, summary = snapshot["items"], text_of(snapshot, "summary")
    actions = [item for item in items if item["kind"] == "action"]
    yield from form_lines(actions, paths)
    yield from lack_lines(items, paths)
    yield from refused_call_lines(actions)
    yield from too_large_lines(items, paths)
    yield from gone_file_lines(items, paths)
    locations = map(shared_line, (*uncovered_hits(items), *made_outside_tree(items)))
    names = names_of_next_step(items, summary, text_of(snapshot["state"], "last_words"))
    names_again = map(shared_line, (*runner_lines(items), *hits_by_name(items, names, summary)))
    for line in (*locations, *set_up, *names_again):
        yield {**line, "text": f"- {paths.short(line['text'])}"}
    yield from files_read_lines(items, summary, paths)


def gone_file_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The files that the session wrote and that a later listing of their folder lacks."""
    for look, names in gone_when_listed(items, paths.root)[:LISTINGS_MAX]:
        command = short_command(look["text"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- written in this session, and gone when {command} listed their folder: "
                          f"{file_names(names)}", naming(look["text"]))


def names_of_next_step(items: Sequence[Item], summary: str, last_words: str) -> list[str]:
    """The names in the newest message, in what the summary says comes next, and in the agent's last words."""
    typed = [item["text"] for item in items if item["kind"] == "message" and item.get("via") != "teammate"]
    texts = ("\n".join(typed[-1:]), next_part(summary), last_words)
    return list(dict.fromkeys(name for text in texts for name in names_of(text)))


def runner_lines(items: Sequence[Item]) -> Iterator[str]:
    """What a task runner's tasks run, as it printed that: `[test] $ pytest` alone passed for a check that had run."""
    for text in runner_commands(items):
        task, _, command = text.partition(" $ ")
        name, _, package = task.strip("[]").partition(" of ")
        yield f"task `{name}` of {package or 'the task runner'} runs {code(command, RUNNER_COMMAND_SHOWN_UTF16)}"


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first: `[test] $ pytest -q`, as it said when it ran them."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        for text in item.get("evidence", []):
            if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]


def setup_lines(actions: Sequence[Item]) -> list[Line]:
    """What was set up on the machine, on one line; none where nothing was."""
    commands = setups(actions)
    if not commands:
        return []
    shown = ", ".join(code(command, SETUP_SHOWN_UTF16) + (FOR_FOLDER if is_for_folder(command) else "")
                      for command in commands)
    return [shared_line(f"set up on this machine, outside of the project: {shown}", naming(*commands))]
