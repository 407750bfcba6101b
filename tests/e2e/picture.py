#!/usr/bin/env python3
"""Draw README's picture: the real client on a terminal after a compaction, with what compact-keeper shows there.

Usage: picture.py [FILE]      (`make picture`; the file is docs/after-a-compaction.svg)

Plays a short session in the full-screen client against a scripted API on loopback and turns its screen, colours and
all, into an SVG. Exits 0 when the file was written, 1 when something is not installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn, summary
from terminal import Terminal, configure
from workspace import REPOSITORY, Workspace, from_plugin_dir, new

COLUMNS, LINES = 104, 44
STATUS_LINE = f'python3 -IS "{REPOSITORY}/scripts/run_hook.py" status_line.py'
PROMPT = f"Take over the 2027 prices into src/rates.js and get the tests green. {scenario.RULE}"
SUMMARY = "The user works on a parcel price calculator. Prices were changed and all tests pass."


def turns(project: Path) -> list[Turn]:
    """What the model does: prices edited, a list of tasks, a test that fails."""
    rates = str(project / scenario.EDITED_FILE)
    return [
        Turn("", "Read", {"file_path": rates}),
        Turn("", "Edit", {"file_path": rates, "old_string": scenario.OLD_BASE, "new_string": scenario.NEW_BASE}),
        Turn(scenario.CHECKLIST, "Bash", {"command": scenario.FAILING_COMMAND, "description": "Run the tests"}),
        Turn("The prices are in. One test fails: zone 7 is a cent short.", input_tokens=51_000),
        Turn("Zone 7 is a cent short since price() rounds down; the record says that the test failed so before the\n"
             "compaction. I round half up, then run the tests again.", input_tokens=9_000)]


def screen_of(workspace: Workspace) -> str:
    """The screen, with its colours, after the compaction."""
    options = [*new(), "--permission-mode", "default", "--allowedTools", "Bash,Edit"]
    with ScriptedApi(Script(turns(workspace.project), [summary(SUMMARY)])) as api, Terminal(
            workspace, api, *options, columns=COLUMNS, lines=LINES) as terminal:
        terminal.comes("ctx –")
        terminal.types(PROMPT)
        terminal.comes(r"a cent short\.")
        terminal.comes("saved just now")
        terminal.types("/compact")
        terminal.comes("SessionStart:compact says: compact-keeper")
        terminal.types("Go on.")
        terminal.comes("I round half up")
        terminal.comes("ctx 13%")
        return terminal.screen("-e")


def as_svg(screen: str) -> str:
    """The screen as a picture, without the empty lines at its ends."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    for line in screen.strip("\n").splitlines():
        console.print(Text.from_ansi(line), overflow="crop", no_wrap=True)
    svg = console.export_svg(title="Claude Code with compact-keeper", theme=MONOKAI, unique_id="compact-keeper")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # they name a host
    svg = svg.replace("⎿", "└")  # few fonts have it
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the picture was drawn, 1 when something is not installed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    target = Path(arguments[0]) if arguments else REPOSITORY / "docs" / "after-a-compaction.svg"
    try:
        client.require_tools("tmux")
        program = client.ensure(client.versions_under_test()[0])
    except client.Refusal as missing:
        print(f"picture: {missing}", file=sys.stderr)
        return 1
    with Workspace(program, scenario.FILES) as workspace:
        from_plugin_dir(workspace)
        configure(workspace, statusLine={"type": "command", "command": STATUS_LINE})
        screen = screen_of(workspace).replace(str(workspace.root), "~")
    target.write_text(as_svg(screen), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
