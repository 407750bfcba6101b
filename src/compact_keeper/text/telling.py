"""What the output of a call says of how it ended."""

from __future__ import annotations

import re

from compact_keeper.text.powershell import is_powershell_error, without_frames
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean

TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error"
    r"|unknown|unrecogni[sz]ed|invalid")
OUTPUT_MAX_CHARACTERS, HEAD_CHARACTERS, TAIL_CHARACTERS = 16_000, 12_000, 4_000  # of a long output both ends are read
# In an answer in JSON below an error that says only its number, why.
CAUSE_IN_JSON = r'"(?:message|detail|error_description)" ?: ?"([^"\\]{3,160})"'
LINE_MAX_CHARACTERS, QUOTED_MAX_UTF16 = 2_000, 240


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= OUTPUT_MAX_CHARACTERS:  # no half of a word at the cut: half a token is not recognised
        head = re.sub(r"\S{1,999}\Z", "", output[:HEAD_CHARACTERS])
        tail = re.sub(r"\A\S{1,999}", "", output[-TAIL_CHARACTERS:])
        output = f"{head}\n{tail}"
    whole = redact(clean(re.sub(r"</?tool_use_error>", "", output)))
    lines = [line.strip()[:LINE_MAX_CHARACTERS] for line in whole.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    if is_powershell_error(whole):
        lines = without_frames(lines)
    matches = (index for pattern in TELLING for index, line in enumerate(lines) if re.search(pattern, line))
    at = next(matches, len(lines) - 1)
    below = lines[at + 1] if at + 1 < len(lines) else ""
    cause = re.search(CAUSE_IN_JSON, below) if below.startswith("{") else None
    return quote(": ".join([*lines[at:at + 1], *([cause[1]] if cause else [])]), QUOTED_MAX_UTF16)
