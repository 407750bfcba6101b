#!/usr/bin/env python3
"""What is typed behind /compact-keeper: at the prompt: pins are kept, and :show, :pins and :stats answered at once.

record_event.py asks when a prompt begins with "/compact-keeper"; where plugin and copies are both installed, each meets
its own commands. The hook gets the words as they were typed, which no shell and no model has touched. The skills of
these names run nothing: in a skill's command three backticks would cut a pin, a model could run the same command, and
clients up to 2.1.250 run it before the hook and bring its output back after a compaction.
An answer is the reason of a "block" of that prompt: the full-screen program shows it whole, sends no request, and keeps
neither prompt nor answer in the context. A run with -p shows such a reason from 2.1.197 on only, so there the model
gets the answer beside the skill. (All measured with 2.1.76 to 2.1.329.)
Python 3.9+, standard library only.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Callable, Sequence

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = f"/compact-keeper{':' if os.path.isdir(os.path.join(HERE, '..', 'skills')) else '-'}"  # of plugin, of copies
TYPED = re.compile(rf"\s*{COMMAND}(show|pins?|stats|unpin)(?:\s+(.*))?\Z", re.DOTALL)
IN_FULL_SCREEN = "cli"  # CLAUDE_CODE_ENTRYPOINT of hooks there; sdk-cli with -p (2.1.76 to 2.1.329)
LONGEST = 9_900  # characters for a model: the client cuts at 10,000
CHARACTERS_PER_TOKEN = 4


def printed(main: Callable[[Sequence[str]], int], *arguments: str) -> str:
    """What the command prints, faults too."""
    with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.redirect_stderr(told):
        main(arguments)
    return told.getvalue().strip()


def show(data: Record, words: list[str]) -> str:
    """What would be put back now; with "why" every item's score, with "notes" the session's notes."""
    import preview_snapshot
    wanted = [f"--{word}" for word in ("why", "notes") if word in words]
    text = printed(preview_snapshot.main, "--preview", data["transcript_path"], *wanted)
    return text if wanted else (
        f"{text}\n\nThis would be put back if the session were compacted now: {len(text):,} characters, about "
        f"{len(text) // CHARACTERS_PER_TOKEN:,} tokens. `{COMMAND}show why` tells what each item weighs, also of what "
        f"is left out; `{COMMAND}show notes` shows the session's notes.")


def pins(data: Record, _words: list[str]) -> str:
    """The session's pins."""
    import edit_pins
    return printed(edit_pins.main, "list", data["session_id"])


def stats(data: Record, words: list[str]) -> str:
    """The session's figures, with "global" those of all."""
    import stats as figures
    return printed(figures.main, "stats", "--global" if "global" in words else data["session_id"])


ANSWERS: dict[str, Callable[[Record, list[str]], str]] = {"show": show, "pins": pins, "stats": stats}


def pinned(data: Record, name: str, words: str) -> str:
    """Keeps or takes off a pin; returns what is told of it."""
    from edit_pins import Pinning
    from save_snapshot import Refusal
    pinning = Pinning(data["session_id"])
    try:
        return pinning.add(words) if name == "pin" else pinning.remove(words)
    except Refusal as fault:
        return f"Not done: {fault}."


def answer(data: Record) -> bool:
    """Whether the prompt was a command that is met here; then the client has been told."""
    typed = TYPED.match(data["prompt"])
    name, words = typed.groups("") if typed else ("", "")
    if name in ("pin", "unpin"):
        text = f"compact-keeper: {pinned(data, name, words.strip())}"
        tell({"additionalContext": text}, systemMessage=text)
    elif name:
        text = ANSWERS[name](data, [word.lstrip("-") for word in words.split()])
        if os.environ.get("CLAUDE_CODE_ENTRYPOINT") == IN_FULL_SCREEN:
            tell({"suppressOriginalPrompt": True}, decision="block", reason=text)  # the first is known from 2.1.197 on
        else:
            tell({"additionalContext": f"compact-keeper's answer:\n\n{text[:LONGEST]}"})
    return bool(name)


def tell(output: Record, **for_the_client: str) -> None:
    """Prints the hook's answer."""
    context = {"hookEventName": "UserPromptSubmit", **output}
    os.write(1, json.dumps({**for_the_client, "hookSpecificOutput": context}).encode())
