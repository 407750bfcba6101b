"""What another script of ours answers that is started here and waited for."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compact_keeper.client.processes import output_of, script_command
from compact_keeper.store.log import log, log_once
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.quotation import quote
from compact_keeper.types import JsonObject

# That a script is waited for: with an answer for the person; with a text that was lost; with what the archive has.
ANSWER_SECONDS, REPAIR_SECONDS, LOOK_UP_SECONDS = 6.0, 8.0, 3.0
SCRIPT_OUTPUT_MAX_BYTES = 8 << 20
FAULT_MAX_UTF16 = 300


def script_output(script: str, arguments: Sequence[str], given: JsonObject, patience: float,
                  with_errors: bool = False) -> bytes:
    """What another script of ours prints, in UTF-8; nothing, with a line in the log, where it cannot be started."""
    command = script_command(script, *arguments)
    if not command:
        log_once(f"{script} is not beside this script; what it does is left out")
        return b""
    python, *words = command
    stdin = json.dumps(given).encode() if given else b""
    try:  # in UTF-8 whatever the person's locale: on Windows a pipe has another encoding
        return output_of([python, "-X", "utf8", *words], stdin, patience, SCRIPT_OUTPUT_MAX_BYTES, with_errors)
    except OSError as fault:
        log(f"{script} could not be started: {fault}")
        return b""


def script_text(script: str, arguments: Sequence[str], given: JsonObject, patience: float = ANSWER_SECONDS) -> str:
    """What another script of ours answers, what it says is wrong too; refused where it gave no answer."""
    text = script_output(script, arguments, given, patience, with_errors=True).decode("utf-8", "replace").strip()
    if text.startswith("Traceback "):
        fault = quote(text.splitlines()[-1], FAULT_MAX_UTF16)
        log(f"{script} failed: {fault}")
        raise Refusal(f"{script} failed: {fault}")
    if not text:
        raise Refusal(f"{script} gave no answer; is it beside answer_prompt.py?")
    return text
