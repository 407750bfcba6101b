"""What stands in the lines near a failure: its cause below, a test's own log, the end of a traceback."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.output_row_lookup import OUTPUT_LINE_MAX_CHARACTERS, compiled, shortened

LINES_NEAR_MAX = 60  # looked at around a failure for its cause
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"


def lines_below(lines: Sequence[str], place: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    near, depth, blank = list[str](), len(lines[place]) - len(lines[place].lstrip()), False
    for line in lines[place + 1:place + 8]:
        text = line.strip(" \t│=")
        if not text:
            blank = True
        elif indented and blank and not near and len(line) - len(line.lstrip()) <= depth:
            break
        elif not re.match(r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: ", text):
            near.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(near) == 4:
            break
    return near


def go_message(lines: Sequence[str], place: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[place + 1:place + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(place - LINES_NEAR_MAX, 0):place]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    pattern = compiled(GO_LOG)
    for part in (below, above):
        logs = [match[1] for line in part if (match := pattern.match(shortened(line)))]
        if logs:
            return next((log for log in reversed(logs) if compiled(GO_FAILURE).search(log)), logs[-1])
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(r"(?:Expected|Received|Actual|expected|got|left|right)\b", near[end]):
        end += 1
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]] if near and end > 1 else list(near)


def end_of_traceback(lines: Sequence[str], place: int) -> str:
    """The last line of a Python traceback: the error; of a chain of them the last one's."""
    begin, cause = place, ""
    for number in range(place + 1, min(len(lines), place + 400)):
        line = lines[number]
        if line.startswith("Traceback ("):
            begin = number
        elif line and not line[0].isspace() and begin >= 0 and re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line):
            cause, begin = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], -1
        elif begin < 0 and line and not line.startswith(("During handling of", "The above exception")):
            break
    return cause
