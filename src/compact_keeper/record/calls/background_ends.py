"""How a command ended that ran in the background, by its output as the agent read it behind the end.

The client's notice has the exit code alone, of a pipe that of its last program: a build with seven errors stood there
as "completed (exit code 0)", a suite that had passed as one whose end was not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.call_output import CLIENTS_OWN, without_row_numbers
from compact_keeper.client.tools import OUTPUT_TOOLS, SHELL_TOOLS
from compact_keeper.record.calls.command_actions import end_of_command
from compact_keeper.record.calls.jobs import file_shown, id_of, printed_by_job
from compact_keeper.record.endings import KNOWN_VERDICTS
from compact_keeper.record.outcomes.verdicts import STOP_SIGNALS
from compact_keeper.types import Entry, Item

OUTPUT_ENDING = ".output"  # of the file that the client writes a job's output to


class BackgroundEnds:
    """Commands that the client runs in the background, and the jobs that they are, as far as both are known."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.jobs: dict[str, Item] = {}  # of shells, by the client's id
        self.calls: set[str] = set()  # that started one of them
        self.commands: dict[str, Item] = {}  # by their call
        self.note(known)

    def ended_by(self, entry: Entry, items: Sequence[Item]) -> list[Item]:
        """The commands whose output the entry shows, as they ended; `items` are what the entry gave besides."""
        self.note(items)
        if entry["what"] != "call" or not entry["ok"] or not may_show_output(entry):
            return []
        ended = [with_end(command, job, entry, output) for job, command in self.open_ends()
                 if (output := output_shown(entry, job["key"]))]
        self.note(ended)
        return ended

    def note(self, items: Sequence[Item]) -> None:
        """Takes in new items, as they are now."""
        for item in items:
            if item["kind"] == "job" and item["tool"] in SHELL_TOOLS and not item.get("by"):
                self.jobs[item["key"]] = item
                self.calls.add(item["source"])
        self.commands.update({item["source"]: item for item in items
                              if item["kind"] == "action" and item["source"] in self.calls})

    def open_ends(self) -> Iterator[tuple[Item, Item]]:
        """The jobs that came to an end of their own, each with its command, of which it is not known how it ended."""
        for job in self.jobs.values():
            command = self.commands.get(job["source"]) if job["status"] == "ended" else None
            is_own_end = job.get("exit_code") not in (None, *STOP_SIGNALS)
            if command and command["verdict"] not in KNOWN_VERDICTS and is_own_end:
                yield job, command


def may_show_output(call: Entry) -> bool:
    """Whether the call may show what a job printed: most do not, and each job is looked at for those that may."""
    return call["tool"] in OUTPUT_TOOLS or OUTPUT_ENDING in call["path"] or OUTPUT_ENDING in call["command"]


def output_shown(call: Entry, key: str) -> str:
    """What the call shows of the job's output up to its end; empty where it shows none of it, or other things too."""
    if call["tool"] in OUTPUT_TOOLS:
        return printed_by_job(call["output"]) if id_of(call) == key else ""
    if call["tool"] == "Read":
        is_whole = call["path"].endswith(f"/{key}{OUTPUT_ENDING}") and "limit" not in call["input"]
        return without_row_numbers(call["body"].partition(CLIENTS_OWN)[0]) if is_whole else ""
    return call["output"] if call["tool"] in SHELL_TOOLS and shows_end_of(call["command"], key) else ""


def shows_end_of(command: str, key: str) -> bool:
    """Whether a command prints the end of this job's output and nothing else."""
    name = f"{key}{OUTPUT_ENDING}"
    return name in command and re.split(r"[/\\]", file_shown(command))[-1] == name


def with_end(command: Item, job: Item, shown: Entry, output: str) -> Item:
    """The command with its end by what it printed; an exit code is the client's, as the job's end has it."""
    code = job["exit_code"]
    call: Entry = {**shown, "command": command["text"], "input": {}, "output": output, "ok": code == 0, "exit": code,
                   "error": job["result"] if code else ""}
    return {**command, **end_of_command(call)}
