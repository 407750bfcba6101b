"""Lines that end themselves: `pkill -f WORD` meets the shell that runs it, as WORD stands in that shell's own command.

In one real session a restart of that form "failed" five times, and the next agent tried it again.
"""

from __future__ import annotations

import re

PKILL = r"\bpkill(?P<options>(?: +-[\w-]+)+) +(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|(?P<bare>[^\s;&|'\"]+))"
WHOLE_COMMAND = r" -(?:\w*f\w*|-full)\b"  # the option by which pkill looks at whole command lines
ENDED_BY_SIGNAL = (143, 144)  # as the client tells of its shell; behind the signal that nothing survives ENDED_BY_KILL
FITS_ITSELF = r"[\w ./:@=,*-]+"  # a pattern of these signs fits its own letters; `[a]pp.py` does not
KILL = r" -(?:9|KILL|SIGKILL)\b"
ENDED_BY_KILL = (137, 1)
KILLED_ITSELF = "its own `pkill -f` met its own shell, and nothing behind that ran"


def kill_of_itself(command: str, output: str, exit_code: int | None) -> str:
    """That the line ended itself, in words; empty where it did not, or where that is not certain.

    Of exit code 1 alone it is certain where nothing was printed: pkill has it, too, where it meets no process.
    """
    if "pkill" not in command or exit_code not in (*ENDED_BY_SIGNAL, *ENDED_BY_KILL):
        return ""
    for call in re.finditer(PKILL, command):
        if exit_code in ENDED_BY_KILL and (output.strip() or not re.search(KILL, call["options"])):
            continue
        goes_on = exit_code != 1 or re.search(r"[;\n]\s*\S", command[call.end():])
        word = call["double"] or call["single"] or call["bare"]
        if goes_on and re.search(WHOLE_COMMAND, call["options"]) and re.fullmatch(FITS_ITSELF, word):
            return KILLED_ITSELF
    return ""
