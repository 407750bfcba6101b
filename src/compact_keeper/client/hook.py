"""What a hook is given on stdin, and how it ends."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from compact_keeper.store.folder import SESSION_ID
from compact_keeper.store.log import location_of, log
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import HookInput, JsonObject

STDIN_MAX_BYTES = 4 << 20
IN_FULL_SCREEN = "cli"  # CLAUDE_CODE_ENTRYPOINT of hooks there; sdk-cli with -p (2.1.76 to 2.1.329)
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


def read_input() -> HookInput:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    if sys.stdin.isatty():
        sys.stderr.write("compact-keeper: this is a hook, which the client gives JSON on stdin; --help says more\n")
        raise Refusal("stdin is a terminal: no client has started this hook")
    raw = sys.stdin.buffer.read(STDIN_MAX_BYTES + 1)
    data: Any = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_MAX_BYTES else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: usable_path(text_of(data, name)) for name in ("transcript_path", "cwd")}
    checked: Any = {**data, **paths, "hook_event_name": text_of(data, "hook_event_name")}
    given: HookInput = checked
    return given


def usable_path(path: str) -> str:
    """The path when a file can be opened by it; else empty."""
    is_usable = os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
    return path if is_usable else ""


def is_in_full_screen() -> bool:
    """Whether a person sits before the full-screen program, which shows the reason of a block."""
    return os.environ.get("CLAUDE_CODE_ENTRYPOINT") == IN_FULL_SCREEN


def print_answer(event: str, output: JsonObject, **for_the_client: str) -> None:
    """Prints the hook's answer at this event: `additionalContext` in `output` is what the model is to read."""
    print_json({**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}})


def print_json(answer: JsonObject) -> None:
    """Prints the one answer that a hook gives."""
    os.write(1, json.dumps(answer).encode())


def run_hook_or_help(body: Callable[[HookInput], object], argv: Sequence[str] | None, page: str | None,
                     when_off: Callable[[HookInput], object] | None = None) -> int:
    """0, whatever came in on stdin; of a script that is a hook alone, which prints its page at --help."""
    if "--help" in (sys.argv if argv is None else argv):
        print(page)
        return 0
    return run_hook(body, when_off)


def run_hook(body: Callable[[HookInput], object], when_off: Callable[[HookInput], object] | None = None) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way.

    While COMPACT_KEEPER_OFF is set, `when_off` is done instead, or nothing; then no file is written, the log neither.
    """
    is_off = bool(os.environ.get("COMPACT_KEEPER_OFF"))
    due = when_off if is_off else body
    try:
        if due:
            due(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        if not is_off:
            log(f"{type(fault).__name__}: {fault} ({location_of(fault)})")
    return 0
