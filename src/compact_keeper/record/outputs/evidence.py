"""The few lines of what one call printed that someone may need much later: chosen when they come by, by their form.

    a task runner               what the name of a task stands for: `[test] $ pytest -q`
    gh, an issue tracker        address and title of what was made (made_things.py)

Nobody knows then what the next step will ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.programs import TASK_RUNNERS, TRACKERS
from compact_keeper.record.outputs.made_things import made_by_command
from compact_keeper.text.length import at_blank

EVIDENCE_LINES_MAX = 6  # of one call
EVIDENCE_MAX_CHARACTERS = 200  # of a line, cut at a blank
EVIDENCE_OUTPUT_LINES_MAX = 1_500  # looked at, of both ends
COMMAND_LOOKED_AT_CHARACTERS = 4_000
RUNNER_LINES_MAX = 2
RUNNER_LINE = r"\[([\w:./@-]{1,60})\] \$ (\S.{0,300})|task: \[([\w:./@-]{1,60})\] (\S.{0,300})"
NAMELESS_LINE, NAMED_IN_COMMAND = r"\$ (\S.{0,300})$", r"\b(?:bun|yarn)(?: run)? ([a-z][\w:.-]{0,60})"
WORDS_FOR_TASK = r" -- ([^|&;<>]{1,300})"
NPM_HEAD = r"> (?:(@?[\w./-]{1,100})@\S{0,60} )?([\w:.-]{1,60})(?: /\S{1,300}| [A-Z]:\S{1,300})?$"
MAKING_COMMAND = rf"\b(?:{'|'.join(TRACKERS)})\b[^|;&\n]{{0,40}}\b(?:create|new|comment|review|close|edit|merge)\b"
RUNNER_ROWS_LOOKED_AT = 60
ROW_MAX_CHARACTERS = 1_000


def evidence_lines(command: str, output: str) -> list[str]:
    """At most EVIDENCE_LINES_MAX short lines of a command's output that may be needed later; not redacted."""
    command = command[:COMMAND_LOOKED_AT_CHARACTERS]
    words = {*re.findall(r"\w+", command)}
    is_runner = not words.isdisjoint(TASK_RUNNERS)
    making = re.search(MAKING_COMMAND, command) if not words.isdisjoint(TRACKERS) else None
    if not is_runner and not making:
        return []
    rows = output.splitlines()
    if len(rows) > EVIDENCE_OUTPUT_LINES_MAX:
        rows = [*rows[:EVIDENCE_OUTPUT_LINES_MAX // 3], *rows[-EVIDENCE_OUTPUT_LINES_MAX * 2 // 3:]]
    rows = [row[:ROW_MAX_CHARACTERS] for row in rows]
    lines = made_by_command(making[0], command, rows) if making else []
    if is_runner:
        lines += runner_lines(command, rows)
    return [at_blank(line, EVIDENCE_MAX_CHARACTERS) for line in dict.fromkeys(lines)][:EVIDENCE_LINES_MAX]


def runner_lines(command: str, rows: Sequence[str]) -> list[str]:
    """What a task runner says that it runs: `[name] $ command`; npm says it in two rows, the name before.

    With its package the task is `[name of package]`: others may have one of that name.
    What bun and yarn run has its name in the command alone. Words behind `--` are the call's, not the task's.
    """
    lines, npm_task = list[str](), ""
    given = re.search(WORDS_FOR_TASK, command)
    rows = rows[:RUNNER_ROWS_LOOKED_AT]
    nameless = [line[1] for row in rows if row.startswith("$ ") and (line := re.match(NAMELESS_LINE, row))]
    names = re.findall(NAMED_IN_COMMAND, command)
    if len(names) == len(nameless):
        lines += [f"[{name}] $ {run}" for name, run in zip(names, nameless)]
    for row in rows:
        if row.startswith("> "):
            head = re.match(NPM_HEAD, row)
            if head and "@" in row:
                npm_task = f"{head[2]} of {head[1]}" if head[1] else head[2]
            elif not head and npm_task:
                lines.append(f"[{npm_task}] $ {row[2:]}")
                npm_task = ""
        elif row.startswith(("[", "task: [")) and (line := re.match(RUNNER_LINE, row)):
            lines.append(f"[{line[1] or line[3]}] $ {line[2] or line[4]}")
    if given:
        words = f" {given[1].strip()}"
        lines = [line.removesuffix(words) for line in lines if line.endswith(words)]
    return lines[:RUNNER_LINES_MAX]
