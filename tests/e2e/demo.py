#!/usr/bin/env python3
"""Shows what a compaction takes from a session, and what compact-keeper puts back.

Plays one session of scenario.py in the real client twice, without the plugin and with it,
through a real automatic compaction in the middle of the work, against a scripted API on
loopback.  Prints what the model was given to go on with, and which of the planted facts
are in it.  Everything happens in temporary folders; no account is needed and none is used.

Usage: demo.py      (`make demo`)

Exits 0 when every planted fact came back with compact-keeper, 1 when one is missing or
something is not installed.  Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import textwrap
import time
from typing import NamedTuple

import client
import scenario
from delivered import OUR_FIRST_WORD, restored_block, utf16_units
from scripted_api import Request
from workspace import REPOSITORY, Workspace, from_plugin_dir

FACTS = (*scenario.FACTS, scenario.DECISION_FACT)
# Lines of one text that are enough to see what it is.
SHOWN_LINES = 3
ROUNDS = 5
TIMED_HOOKS = (
    ("record_event.py", {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_demo",
                         "tool_input": {"command": "ls"}, "tool_response": {"stdout": ""}}),
    ("save_snapshot.py", {"hook_event_name": "PreCompact", "trigger": "auto"}),
    ("restore_snapshot.py", {"hook_event_name": "SessionStart", "source": "compact"}),
)


class Result(NamedTuple):
    """What the model was given after the compaction, and how long each hook takes as a process."""

    given: Request
    milliseconds: dict[str, float]


# Playing -----------------------------------------------------------------------------------------


def play(version: str, with_plugin: bool) -> Result:
    """One run of the session in a workspace of its own."""
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        if with_plugin:
            from_plugin_dir(workspace)
        played = scenario.play_automatic(workspace, version)
        if not played.after:
            raise client.Refusal(f"the client did not compact: {played.output()[-500:]}")
        return Result(played.after[0], hook_times(workspace, played.session) if with_plugin else {})


def hook_times(workspace: Workspace, session: str) -> dict[str, float]:
    """The median time of each hook on this session, as a process, in milliseconds."""
    transcript = next((workspace.home / ".claude" / "projects").glob(f"*/{session}.jsonl"))
    common = {"session_id": session, "transcript_path": str(transcript), "cwd": str(workspace.project)}
    taken: dict[str, list[float]] = {script: [] for script, _ in TIMED_HOOKS}
    for _ in range(ROUNDS):
        for script, event in TIMED_HOOKS:
            command = ["python3", "-IS", str(REPOSITORY / "scripts" / script)]
            begin = time.perf_counter()
            subprocess.run(command, input=json.dumps({**common, **event}), text=True, capture_output=True,
                           env=workspace.environment())
            taken[script].append((time.perf_counter() - begin) * 1_000)
    return {script: statistics.median(times) for script, times in taken.items()}


# Printing ----------------------------------------------------------------------------------------


class Page:
    """Lines for the terminal at hand: its width, and colours only where they are wanted."""

    def __init__(self) -> None:
        self.width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 110))
        self.colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        encoding = sys.stdout.encoding or "ascii"
        self.yes, self.no = ("✓", "✗") if can_encode("✓✗", encoding) else ("yes", "no")

    def line(self, text: str = "", colour: str = "") -> None:
        """Prints one line as it is."""
        print(f"\x1b[{colour}m{text}\x1b[0m" if colour and self.colours else text, flush=True)

    def title(self, text: str) -> None:
        """Prints a heading with a rule below it."""
        self.line()
        self.line(text, "1")
        self.line("-" * min(self.width, len(text)))

    def body(self, text: str, first: str = "  ", limit: int | None = None) -> None:
        """Prints a text as one wrapped paragraph behind `first`; at most `limit` lines of it."""
        lines = textwrap.wrap(text, self.width, initial_indent=first, subsequent_indent=" " * len(first))
        for line in lines[:limit]:
            self.line(line)
        if limit and len(lines) > limit:
            self.line(f"{' ' * len(first)}[… {len(text):,} characters]", "2")

    def mark(self, there: bool) -> str:
        """A mark, coloured, nine columns wide."""
        text = f"{self.yes if there else self.no:^9}"
        return f"\x1b[{'32' if there else '31'}m{text}\x1b[0m" if self.colours else text


def can_encode(text: str, encoding: str) -> bool:
    """Whether the encoding has these characters."""
    try:
        text.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def show_session(page: Page, version: str) -> None:
    """Prints what happens in the session before the compaction."""
    page.title("The session")
    page.body(f"Client {version}, a small project, two requests. Until the context is full:")
    for text in (
        f"the user says, within a longer request: {scenario.RULE}",
        f"the assistant edits {scenario.EDITED_FILE}; open on its checklist: {scenario.OPEN_TASK}",
        f"the user decides: {scenario.DECISION}",
        f"`{scenario.FAILING_COMMAND}` fails: {scenario.ERROR_LINE}",
    ):
        page.body(text, "  - ")
    page.body("Then the client compacts by itself, in the middle of the work. The summary, from the script "
              f'as every answer here, holds none of this: "{scenario.SUMMARY}"')


def show_without(page: Page, given: Request) -> None:
    """Prints what the client alone gave the model, the beginning of each text."""
    page.title("What the model is given to go on with, without compact-keeper")
    for text in given.texts():
        page.body(" ".join(re.sub(r"</?system-reminder>", "", text).split()), "  - ", SHOWN_LINES)


def show_with(page: Page, given: Request) -> None:
    """Prints what compact-keeper added to that."""
    block = restored_block(given)
    page.title(f"With compact-keeper: the same, and this ({utf16_units(block):,} characters)")
    for line in block.splitlines():
        is_item = line.startswith("- ")
        page.body(line[2:] if is_item else line, "  - " if is_item else "  ")
        if not line:
            page.line()


def show_table(page: Page, without: Result, with_plugin: Result) -> list[str]:
    """Prints which fact the model was given in which run; returns those missing with the plugin."""
    page.title("Is it in what the model was given?")
    width = max(len(fact.name) for fact in FACTS)
    page.line(f"  {'':{width}}  without   with")
    for fact in FACTS:
        marks = [page.mark(fact.is_in(result.given.text())) for result in (without, with_plugin)]
        page.line(f"  {fact.name:{width}} {''.join(marks)}")
    return [fact.name for fact in FACTS if not fact.is_in(with_plugin.given.text())]


def show_times(page: Page, milliseconds: dict[str, float]) -> None:
    """Prints what each hook costs."""
    page.line()
    times = ", ".join(f"{script} {taken:.0f} ms" for script, taken in milliseconds.items())
    page.body(f"Time of each hook as a process: {times}.")


# The command -------------------------------------------------------------------------------------


def show(page: Page) -> int:
    """Plays both runs and prints them; 1 when a fact is missing with the plugin."""
    version = client.pinned_versions()[0]
    client.require_tools("git", "node", "npm")
    if not client.installed(version):
        page.line(f"Installing the client {version} into {client.cache_folder()} ({client.SIZE_HINT}) …")
        client.ensure(version)
    show_session(page, version)
    without, with_plugin = play(version, with_plugin=False), play(version, with_plugin=True)
    show_without(page, without.given)
    show_with(page, with_plugin.given)
    missing = show_table(page, without, with_plugin)
    show_times(page, with_plugin.milliseconds)
    if missing:
        page.line(f"{OUR_FIRST_WORD} missing after the compaction: {', '.join(missing)}", "31")
    return 1 if missing else 0


def main() -> int:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        return show(Page())
    except (client.Refusal, OSError, subprocess.SubprocessError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
