#!/usr/bin/env python3
"""Shows what a compaction takes from a session, and what compact-keeper puts back.

Plays the session of demo_session.py in the real client twice, without the plugin and with it, up to a real automatic
compaction in the middle of the work, against a scripted API on loopback. Prints which facts the model was given to go
on with in each, and the beginning of what compact-keeper put beside the summary. Everything happens in temporary
folders; no account is needed and none is used.

Usage: demo.py [--details]      (`make demo`, `make demo DETAILS=1`)

--details also prints the summary, all that the client gives beside it, and the whole of what was put back.
Exits 0 when every fact came back with compact-keeper, 1 when one is missing or something is not installed, 2 on wrong
usage. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import textwrap
from typing import NamedTuple

import client
import scenario
from delivered import OUR_FIRST_WORD, restored_block, utf16_units
from demo_session import FACTS, FILES, PREVIEW_COMMAND, SUMMARY, play_demo
from scripted_api import Request
from workspace import Workspace, from_plugin_dir

# Lines that are enough to see what it is: of a text of the client's; of a section's first item, and of those with one
# of the facts; items of a section.
CLIENT_TEXT_LINES, FIRST_ITEM_LINES, SECTION_ITEMS = 3, 2, 4


class Result(NamedTuple):
    """What the model was given after the compaction, and the folder of the workspace, which is gone."""

    given: Request
    root: str


def play(version: str, with_plugin: bool) -> Result:
    """One run of the session in a workspace of its own."""
    with Workspace(client.ensure(version), FILES) as workspace:
        if with_plugin:
            from_plugin_dir(workspace)
        played = play_demo(workspace, version)
        if not played.after:
            raise client.Refusal(f"the client did not compact: {played.output()[-500:]}")
        return Result(played.after[0], str(workspace.root))


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
        if limit and len(lines) > limit:
            lines = [*lines[:limit - 1], f"{lines[limit - 1][:self.width - 2].rstrip()} …"]
        for line in lines:
            self.line(line)

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
    page.body(f"Claude Code {version} works on a parcel calculator. The user gives a rule, makes a decision and asks "
              f"for zone 7. Prices are edited, a server is started (`{PREVIEW_COMMAND}`), and two commands fail: "
              f"`{scenario.LABELS_COMMAND}` and `{scenario.FAILING_COMMAND}`. Then the context is full, and the client "
              "compacts by itself in the middle of the work. The model is played by a script; its summary is true and "
              "has the nine sections that the client asks for.")


def show_table(page: Page, without: Result, with_plugin: Result) -> list[str]:
    """Prints which fact the model was given in which run; returns those missing with the plugin."""
    page.title("What the model knows after the compaction, word for word")
    width = max(len(fact.name) for fact in FACTS)
    page.line(f"  {'':{width}}  without    with compact-keeper")
    for fact in FACTS:
        marks = [page.mark(fact.is_in(result.given.text())) for result in (without, with_plugin)]
        page.line(f"  {fact.name:{width}} {'  '.join(marks)}".rstrip())
    kept = [sum(fact.is_in(result.given.text()) for fact in FACTS) for result in (without, with_plugin)]
    page.line()
    page.body(f"{kept[0]} and {kept[1]} of {len(FACTS)}. How much real summaries keep of real sessions: "
              "docs/comparison.md.")
    return [fact.name for fact in FACTS if not fact.is_in(with_plugin.given.text())]


def show_record(page: Page, result: Result, is_whole: bool) -> None:
    """Prints what compact-keeper put beside the summary: all of it, or the beginning of each section."""
    block = restored_block(result.given)
    page.title(f"What compact-keeper put beside the summary ({utf16_units(block):,} characters"
               f"{'' if is_whole else ', shortened here'})")
    text = block.replace(result.root, "~")
    if is_whole:
        for line in text.splitlines():
            page.body(line)
            if not line:
                page.line()
        return
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    for section in sections:
        heading, *lines = section.strip().splitlines()
        items = [item for item in lines if item and not item.startswith("The original words")]
        page.line(f"  {heading.partition(',')[0]}", "1")
        for number, item in enumerate(items[:SECTION_ITEMS]):
            has_fact = any(fact.is_in(item) for fact in FACTS)
            page.body(item.removeprefix("- "), "    ", FIRST_ITEM_LINES if has_fact or not number else 1)
        if len(items) > SECTION_ITEMS:
            page.line(f"    … and {len(items) - SECTION_ITEMS} more", "2")


def show_details(page: Page, without: Request) -> None:
    """Prints the summary and what else the client alone gave the model, the beginning of each text."""
    page.title("The summary")
    for line in SUMMARY.splitlines():
        page.line(f"  {line}")
    page.title("All that the client alone gives the model to go on with")
    for text in without.texts():
        page.body(" ".join(re.sub(r"</?system-reminder>", "", text).split()), "  - ", CLIENT_TEXT_LINES)


# The command -------------------------------------------------------------------------------------


def show(page: Page, with_details: bool) -> int:
    """Plays both runs and prints them; 1 when a fact is missing with the plugin."""
    version = client.pinned_versions()[0]
    client.require_tools("git", "node", "npm")
    if not client.installed(version):
        page.line(f"Installing the client {version} into {client.cache_folder()} ({client.SIZE_HINT}) …")
        client.ensure(version)
    show_session(page, version)
    without, with_plugin = play(version, with_plugin=False), play(version, with_plugin=True)
    missing = show_table(page, without, with_plugin)
    if with_details:
        show_details(page, without.given)
    show_record(page, with_plugin, with_details)
    page.line()
    more = "" if with_details else "The whole of it, and the summary: make demo DETAILS=1. "
    page.line(f'{more}To install it: "Install" in README.md')
    if missing:
        page.line(f"{OUR_FIRST_WORD} missing after the compaction: {', '.join(missing)}", "31")
    return 1 if missing else 0


def main() -> int:
    reader = argparse.ArgumentParser(description="Shows what a compaction takes and compact-keeper puts back.")
    reader.add_argument("--details", action="store_true", help="the summary and all that was given, too")
    given = reader.parse_args()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        return show(Page(), given.details)
    except (client.Refusal, OSError, subprocess.SubprocessError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
