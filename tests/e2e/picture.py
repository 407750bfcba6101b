#!/usr/bin/env python3
"""Draw README's picture: the real client after an automatic compaction, and what /compact-keeper:show answers there.

Usage: picture.py [FILE]      (`make picture`; the file is docs/after-a-compaction.svg)

Plays the session of demo_session.py in the full-screen client against a scripted API on loopback and turns what is on
its screen, colours and all, into an SVG of two windows: from the request on in which the client compacted, down to the
status line; and the answer of show from its first line on, below the client's own heading. Exits 0 when the file was
written, 1 when something is not installed.
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
from demo_session import FILES, SUMMARY, second_turns
from scripted_api import Script, ScriptedApi, Turn, summary
from terminal import Terminal, configure
from workspace import REPOSITORY, TOOLS, Workspace, from_plugin_dir, new

COLUMNS, LINES = 104, 120
ANSWER_END = "## Working folder"  # the section of show's answer at which the picture ends
GAP = 18  # SVG units between the two windows
STATUS_LINE = f'python3 -IS "{REPOSITORY}/scripts/run_hook.py" status_line.py'
FIRST_PROMPT = f"Take over the 2027 prices into src/rates.js and get the tests green. {scenario.RULE}"
SECOND_PROMPT = f"Yes. We {scenario.DECISION}. Run the whole test suite."
LAST_WORDS = "Zone 7 is a cent short, as price() rounds down. I round half up, as you decided, then run npm test again."


def screens_of(workspace: Workspace, version: str) -> tuple[str, str]:
    """The screen, with its colours, after the automatic compaction; the same after show was typed."""
    options = [*new(), "--permission-mode", "default", "--allowedTools", TOOLS]
    turns = [*scenario.first_turns(workspace.project, version), *second_turns(), Turn(LAST_WORDS, input_tokens=28_000)]
    with ScriptedApi(Script(turns, [summary(SUMMARY)])) as api, Terminal(
            workspace, api, *options, columns=COLUMNS, lines=LINES) as terminal:
        terminal.comes("ctx –")
        terminal.types(FIRST_PROMPT)
        terminal.comes(r"Shall I go on")
        terminal.comes(r"saved \d\d:\d\d")
        terminal.types(SECOND_PROMPT)
        terminal.comes("SessionStart:compact says: compact-keeper")
        terminal.comes("as you decided")
        terminal.comes("ctx 42%")
        compacted = terminal.screen("-e")
        terminal.types("/compact-keeper:show")
        terminal.comes("compact-keeper:recall WORDS")
        return compacted, terminal.screen("-e")


def from_line(screen: str, words: str) -> list[str]:
    """The screen's lines from the last one on that has these words; of empty ones below each other a single one."""
    lines = screen.rstrip("\n").splitlines()
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    begin = max(number for number, line in enumerate(plain) if words in line)
    wanted = (number for number in range(begin, len(lines)) if plain[number].strip() or plain[number - 1].strip())
    return [lines[number] for number in wanted]


def window(lines: Sequence[str], title: str, name: str) -> str:
    """The lines as a picture of a terminal."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines:
        console.print(Text.from_ansi(line), overflow="crop", no_wrap=True)
    svg = console.export_svg(title=title, theme=MONOKAI, unique_id=name)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # they name a host
    svg = svg.replace("⎿", "└").replace("⏸", "‖")  # few fonts have them
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def stacked(windows: Sequence[str]) -> str:
    """The windows below each other as one picture."""
    parts, top, width = list[str](), 0.0, 0.0
    for svg in windows:
        size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        assert size, "the drawing has no size"
        parts.append(svg.replace("<svg ", f'<svg y="{top:.1f}" width="{size[1]}" height="{size[2]}" ', 1))
        top, width = top + float(size[2]) + GAP, max(width, float(size[1]))
    return (f'<svg viewBox="0 0 {width:.1f} {top - GAP:.1f}" xmlns="http://www.w3.org/2000/svg">\n'
            f"{chr(10).join(parts)}\n</svg>\n")


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the picture was drawn, 1 when something is not installed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    target = Path(arguments[0]) if arguments else REPOSITORY / "docs" / "after-a-compaction.svg"
    try:
        client.require_tools("tmux")
        version = client.versions_under_test()[0]
        program = client.ensure(version)
    except client.Refusal as missing:
        print(f"picture: {missing}", file=sys.stderr)
        return 1
    with Workspace(program, FILES) as workspace:
        from_plugin_dir(workspace)
        configure(workspace, statusLine={"type": "command", "command": STATUS_LINE})
        compacted, answered = (screen.replace(str(workspace.root), "~") for screen in screens_of(workspace, version))
    answer = from_line(answered, "characters, about")
    end = next(number for number, line in enumerate(answer) if ANSWER_END in line)
    target.write_text(stacked([
        window(from_line(compacted, SECOND_PROMPT[:40]), "after an automatic compaction", "compacted"),
        window([*answer[:end], "  …"], "what /compact-keeper:show answers", "shown")]), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
