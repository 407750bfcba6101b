"""What stands in the lines near a failure: its cause below, a test's own log, the end of a traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.runner_output.row_lookup import OUTPUT_LINE_MAX_CHARACTERS, shortened
from compact_keeper.text.holding import holds_any

LINES_NEAR_MAX = 60  # looked at around a failure for its cause
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
LINES_BELOW_MAX = 4  # that say something
LINES_BELOW_LOOKED_AT = 7
TRACEBACK_LINES_MAX = 400
# Below a failure that say nothing of it: a location, a rule, the mark and the name of the tool.
DULL_LINE_BELOW = r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: "
COMPARED_LINE = r"(?:Expected|Received|Actual|expected|actual|got|left|right)\b"
ERROR_LINE = r"[A-Za-z_][\w.]{0,100}(?::|$)"
STACKED_ERROR = r"(?:Uncaught )?(?:[\w.$]{1,80}\.)?\w{0,80}(?:Error|Exception)(?: \[\w{1,60}\])?: \S"
STACK_ROW = r"\s{1,20}at \S.{0,500}?:\d{1,7}\)?\s*$"  # a place in a file, as Node and the JVM have it
FIRST_OF_TRACEBACK = ("Traceback (", "  + Exception Group Traceback (")
STACK_WITHIN_ROWS = 3  # below its error, whose words may have more rows than one
OF_GROUP = r"\s*(?:\| ?|\+(?: |[-+]+(?: \d+ -+)?))"  # before the rows of a group of errors
FINDING, FULL_PATH = r"\s*\d+:\d+\s", r"(?:/|[A-Za-z]:[\\/])\S.*\.\w{1,10}$"
CHAINING_LINES = ("During handling of", "The above exception")  # between tracebacks


def lines_below(lines: Sequence[str], index: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    below, depth, is_behind_blank = list[str](), depth_of(lines[index]), False
    for line in lines[index + 1:index + 1 + LINES_BELOW_LOOKED_AT]:
        text = line.strip(" \t│=")
        if not text:
            is_behind_blank = True
        elif indented and is_behind_blank and not below and depth_of(line) <= depth:
            break
        elif not re.match(DULL_LINE_BELOW, text):
            below.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(below) == LINES_BELOW_MAX:
            break
    return below


def paragraph_below(lines: Sequence[str], index: int) -> str:
    """The next lines up to a blank line, on one line."""
    paragraph = list[str]()
    for line in lines[index + 1:index + 1 + LINES_BELOW_MAX]:
        if not line.strip():
            break
        paragraph.append(line.strip()[:OUTPUT_LINE_MAX_CHARACTERS])
    return " ".join(paragraph)


def depth_of(line: str) -> int:
    """How many blanks the line begins with."""
    return len(line) - len(line.lstrip())


def file_of_finding(lines: Sequence[str], index: int) -> str:
    """The file on a row of its own above its findings, with a colon; empty where that row is not sure to be theirs.

    Where a filter let single rows through the path of one file stands above the findings of others, with no blank row
    around them.
    """
    first, last = index, index
    while first and re.match(FINDING, lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and re.match(FINDING, lines[last + 1]):
        last += 1
    path = lines[first - 1].strip() if first else ""
    is_set_off = not "".join(lines[max(first - 2, 0):first - 1]).strip() and first > 1
    is_set_off = is_set_off or not "".join(lines[last + 1:last + 2] or "-").strip()
    return f"{path}:" if is_set_off and re.match(FULL_PATH, path) else ""


def go_message(lines: Sequence[str], index: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[index + 1:index + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(index - LINES_NEAR_MAX, 0):index]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    for part in (below, above):
        logs = [match[1] for match in (re.match(GO_LOG, shortened(line)) for line in part) if match]
        telling = [log for log in logs if re.search(GO_FAILURE, log)]
        if logs:
            return telling[-1] if telling else logs[-1]
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(COMPARED_LINE, near[end]):
        end += 1
    if not near or end == 1:
        return [*near]
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]]


def error_with_stack(lines: Sequence[str]) -> str:
    """The last error whose stack stands below it, or that a traceback ends with; empty: none. Prose has none."""
    # A pattern on each row took a fifth of a first save, to look into each at all a twentieth.
    if not holds_any("\n".join(lines), ("Error", "Exception", "Traceback (")):
        return ""
    telling = [index for index, line in enumerate(lines)
               if "Error" in line or "Exception" in line or line.startswith("Traceback (")]
    for index in reversed(telling):
        if lines[index].startswith(FIRST_OF_TRACEBACK) and (error := end_of_traceback(lines, index)):
            return error
        below = lines[index + 1:index + 1 + STACK_WITHIN_ROWS] if re.match(STACKED_ERROR, lines[index]) else ()
        if any(re.match(STACK_ROW, line) for line in below):
            return shortened(lines[index]).strip()
    return ""


def end_of_traceback(lines: Sequence[str], index: int) -> str:
    """The last line of a Python traceback: the error; of a chain or a group of them the last one's."""
    cause, is_within, is_of_group = "", True, lines[index].lstrip().startswith(("+", "|"))
    rows = lines[index + 1:index + TRACEBACK_LINES_MAX]
    for line in rows_of_group(rows) if is_of_group else rows:
        if line.startswith(("Traceback (", "Exception Group Traceback (")):
            is_within = True
        elif is_within and line and not line[0].isspace() and re.match(ERROR_LINE, line):
            cause, is_within = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], False
        elif not is_within and line and not is_of_group and not line.startswith(CHAINING_LINES):
            break
    return cause


def rows_of_group(lines: Sequence[str]) -> Iterator[str]:
    """The first of the lines that are a group's of errors, without the signs before them."""
    for line in lines:
        signs = re.match(OF_GROUP, line)
        if not signs:
            return
        yield line[signs.end():]
