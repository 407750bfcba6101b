"""What an output says of how a run ended: totals, what failed, why; line by line.

The lines are found by `row_lookup.py`, in the table of `known_rows.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compact_keeper.record.runner_output.failure_lines import (
    GO_FAILURE,
    LINES_NEAR_MAX,
    end_of_traceback,
    file_of_finding,
    go_message,
    lines_below,
    paragraph_below,
    with_expected,
)
from compact_keeper.record.runner_output.row_lookup import (
    OutputRow,
    compiled,
    rows_by_word,
    rows_for,
    shortened,
    telling_lines,
)
from compact_keeper.record.runner_output.total_counts import failures_in, is_read, passes_in
from compact_keeper.text.length import ends_of_output

TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
TRACEBACK_LINES = 30  # that one may have beside
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:; 总计：
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+|\w{1,30}：\s{0,3}")
ENDS_OF_PREFIX = "]:│┃║"
ENDS_OF_SUITES = (  # say at their end that all passed, and not how many
    "unittest", "phpunit", "cypress", "gradle", "boost", "prove", "zig", "julia", "nx", "sbt", "clojure")
# Their last word without a number is said of no test, too: "OK" by unittest before Python 3.12.
ENDS_WITHOUT_COUNT = ("unittest", "node", "bun")
NO_FAILURE = r"[#ℹ] fail 0$|0 fail$"  # of node and bun
DULL_TOTAL = r"[#ℹ] (?:tests [1-9]\d*|cancelled 0)$"  # of node, beside how many passed
# Those that failed stand in a line of their own.
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun", "gtest", "ava", "newman")
FRAMES = {"ava": r"^\s*─$", "prove": r"Files=\d+, Tests=\d+,"}  # stands above these runners' words, which are anybody's
FRAME_LINES = 7  # above a line, in which its frame stands
# A script's own total behind a title (no tick of a test, no log's level), as its last row or beside a ruler: what
# stands elsewhere may be a row of a test's log.
TITLED_TOTAL = (
    r"(?!\W{0,9}[✓✔✅✗✘✖×❌])\W{0,9}(?=[^\W\d])[^:：\[\]\n]{1,100}[:：]\s{0,9}(?P<counts>"
    r"(?:\d+ passed[,|;/ ]{1,3}\d+ failed|\d+ failed[,|;/ ]{1,3}\d+ passed)(?:[,|;/ (]{1,3}\d+ \w+\)?){0,3})\W{0,9}$")
BESIDE_TITLED = r"\s*[-=─━═*#~]{6,}\s*$"
NO_TESTS_NAME = "Test suite failed to run"  # jest's, in place of a test's name
# Of what lines say (known_rows.py):
TOTALS = ("tests", "problems", "go ok", "ran")
FAILURES = ("failed", "bad", "go fail", "next", "below", "why", "wrapper")
ERRORS = ("error", "traceback", "then")
CAUSE_BELOW = ("next", "below", "announced", "then", "why")
COMPARED_VALUES = r"\S.{0,100} !==? \S.{0,100}$"  # of node's assertions: `12.4 !== 12.41`
LOOKING_AT_OTHER_LINES = (*CAUSE_BELOW, "paragraph", "go fail", "traceback", "located", "finding")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_CAUSE = {  # that a line gives; what is not here gives one of its own kind
    "next": "near", "below": "near", "announced": "near", "paragraph": "near",
    "go fail": "near", "finding": "cause", "why": "wrapper", "then": "error"}

FittingRow = tuple[str, str, re.Match[str]]  # whose line it is, what it says, how it fits


class OutputReading:
    """What an output says, line by line."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.failing_behind: list[tuple[str, str]] = []  # who says behind these totals that something failed, and how
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.is_titled = False  # the totals are a script's own
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.listed: list[str] = []  # as each failed, in the rows of a run that is under way
        self.traced: list[str] = []  # in traces before the first name: `tail` has cut off theirs
        self.causes: dict[str, str] = {}

    @property
    def failed_names(self) -> list[str]:
        """The names of what failed, before them those that a trace alone still tells; else what stands beside it.

        Behind them those that were listed on the way, where no totals are seen: of a run that `head` cut one of ten
        that failed had stood there. A run that ends names all anew, without those that passed when tried again.
        """
        unnamed = [name for name in self.traced if not any(re.search(rf"\b{re.escape(name)}\b", each)
                                                           for each in self.names)]
        named = unnamed + self.names or self.also
        return named if self.tests else [*named, *(name for name in self.listed if name not in named)]

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """What one telling line says, which stands at this index of the lines."""
        runner, says, match = row
        if runner in FRAMES and not is_framed(runner, lines, index):
            return
        if says in TOTALS:
            self.take_total(runner, says, match)
        elif says == "none":
            self.none.append(match.groupdict().get("cause") or match.string)
        elif says == "passed":
            self.take_passed(runner, match.string)
        elif says == "seen":
            self.seen_passing = True
        elif says == "plan":
            self.take_plan(match["count"], lines, index)
        elif says == "log":
            self.last_log = match["cause"]
        elif says == "traced":
            self.traced += [match["also"]] if not self.names else []
        elif says == "located":
            self.take_location(match["location"], lines, index)
        else:
            self.take_failure(row, lines, index)

    def take_total(self, runner: str, says: str, match: re.Match[str]) -> None:
        """A line of totals, of whatever kind."""
        text = match.string
        if says == "problems":
            self.take_problems(runner, text)
            return
        self.error_behind, self.failing_behind = False, []
        if says == "tests":
            self.take_tests(runner, text)
        elif says == "go ok":
            self.take_package(text, has_no_tests=bool(match["none"]), is_cached=bool(match["cached"]))
        else:
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)

    def take_tests(self, runner: str, text: str) -> None:
        """A line of totals of tests: how many failed, how many passed; nothing where its numbers are not known."""
        if not is_read(runner, text):
            return
        failures, passes = failures_in(runner, text), passes_in(runner, text)
        self.failures += failures
        self.passes += passes
        if runner not in TOTALS_IN_PARTS:
            self.has_whole_total = True
        if re.match(NO_FAILURE, text):  # says nothing of how many passed
            if not self.passes:
                self.passed.append((runner, text))
            elif runner == "node":
                self.tests.append(text)
        elif not re.match(DULL_TOTAL, text):
            (self.tests if passes or failures or "flaky" in text else self.none).append(text)

    def take_titled(self, lines: Sequence[str]) -> None:
        """The totals that a script prints behind titles of its own, where no runner says anything."""
        if self.tests or self.problems or self.passed or self.none or self.seen_passing:
            return
        last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
        for index, line in enumerate(lines):
            total = compiled(TITLED_TOTAL).match(line) if " passed" in line and " failed" in line else None
            beside = lines[max(index - 1, 0):index + 2]
            is_set_off = index == last or any(re.match(BESIDE_TITLED, other) for other in beside)
            if total and is_set_off and failures_in("", line) == failures_in("", total["counts"]):
                self.is_titled = True
                self.take_tests("", line.strip())

    def take_problems(self, runner: str, text: str) -> None:
        """A line of totals of a linter or compiler: with none it has passed. A bare `0 errors` is anybody's."""
        failures = failures_in(runner, text)
        self.failures += failures
        self.problems.append(text)
        if failures:
            self.failing_behind.append((runner, text))
        if not failures and runner != "cc":
            self.passed.append((runner, text))

    def take_package(self, text: str, *, has_no_tests: bool, is_cached: bool) -> None:
        """Go's line for a package that is well."""
        self.packages += 1
        self.cached += is_cached
        self.passes += not has_no_tests
        (self.none if has_no_tests else self.tests).append(text)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_plan(self, count: str, lines: Sequence[str], index: int) -> None:
        """TAP's `1..12` before its tests: they passed where as many are seen below it, and none that failed."""
        below = [line for line in lines[index + 1:] if line.startswith(("ok ", "not ok "))]
        begins_here = bool(below) and below[0].startswith("ok 1 ")
        if begins_here and len(below) == int(count) and not any(line.startswith("not ") for line in below):
            self.passes += len(below)
            self.take_passed("tap", f"{lines[index]} … {below[-1]}")

    def take_location(self, at: str, lines: Sequence[str], index: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(lines[max(index - 2, 0):index]) if line.strip()), "")
        if above.strip("│ ") and not above.lower().startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """A line that says that something failed, what, or why."""
        runner, says, match = row
        groups = match.groupdict()
        if says in (*FAILURES, *ERRORS):
            self.failing_behind.append((runner, match.string))
        name, cause = self.name_and_cause(says, groups, lines, index)
        also = groups.get("also") or ""
        if name and name != NO_TESTS_NAME:
            self.names.append(name)
        self.listed += filter(None, [groups.get("listed")])
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(KIND_OF_CAUSE.get(says, says), cause)
        if says == "bad":
            self.problems.append(lines[index].strip())
        if says in FAILURES:
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(lines[index]).strip()
        elif says in ERRORS:
            self.error_behind = True
            last_lines = LAST_LINES + TRACEBACK_LINES if says == "traceback" else LAST_LINES
            self.error_at_end |= index >= len(lines) - last_lines

    def name_and_cause(self, says: str, groups: Mapping[str, str | None], lines: Sequence[str],
                       index: int) -> tuple[str, str]:
        """What failed and why, by the line and by those near it; empty where they do not say it.

        Other lines are looked at for the first cause of a kind alone; for a name each time.
        """
        name = (groups.get("name") or "").strip(" ─")
        cause = groups.get("cause") or groups.get("cause2") or ""
        if KIND_OF_CAUSE.get(says, says) in self.causes and says not in ("next", "below"):
            return name, cause
        if says == "finding":
            cause = f"{file_of_finding(lines, index)}{cause}"
        if says == "traceback":
            return name, end_of_traceback(lines, index)
        if says == "paragraph":
            return name, paragraph_below(lines, index)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(lines, index)
        if says in CAUSE_BELOW and len(self.names) < NAMES_WITH_CAUSES_MAX:
            return with_lines_below(says, name, cause, lines_below(lines, index, says == "next"))
        return name, cause

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        self.tests += last.tests
        self.problems += last.problems
        self.passed += last.passed
        self.none += last.none
        self.names += last.names
        self.also += last.also
        self.listed += last.listed
        self.traced += last.traced if not self.names else []
        self.causes = {**last.causes, **self.causes}
        self.failures += last.failures
        self.passes += last.passes
        self.packages += last.packages
        self.cached += last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.failing_behind = last.failing_behind if last.tests else [*self.failing_behind, *last.failing_behind]
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def is_framed(runner: str, lines: Sequence[str], index: int) -> bool:
    """Whether the line is its runner's: what the runner prints above it stands there."""
    frame = compiled(FRAMES[runner])
    return any(frame.search(line) for line in lines[max(index - FRAME_LINES, 0):index])


def with_lines_below(says: str, name: str, cause: str, below: list[str]) -> tuple[str, str]:
    """Name and cause with what stands in the lines below."""
    if says == "below" and below:
        name, below = below[0].partition(" [")[0].rstrip(":"), below[1:]
    if says == "next" and name and below and below[0].endswith(":") and below[0][:1].islower():
        name, below = f"{name} {below[0].rstrip(':')}", below[1:]  # mocha's, in parts
    below = with_expected(below)
    if says == "then":
        is_open = (cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
                   or any(re.match(COMPARED_VALUES, line) for line in below[:1]))
        return name, " ".join([cause, *below[:1]]) if is_open else cause
    has_values = len(below) > 1 and (below[0].endswith("equal:") or re.match(COMPARED_VALUES, below[1]))
    if says == "announced" and has_values:  # node's
        return name, f"{below[0]} {below[1]}"
    if says == "why" and len(below) > 1 and below[1].startswith("> "):
        return name, f"{below[0]} {below[1][2:]}"
    return name, below[0] if below else ""


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = ends_of_output(output)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(), 0
    for index, text, rows in telling_lines(lines):
        row = fitting_row(rows, text)
        if row:
            reading.take(row, lines, index)
        elif not take_behind_prefix(reading, text, rows, lines, index):
            continue
        count += 1
        if count >= TELLING_LINES_MAX and index < len(lines) - TELLING_LINES_MAX:
            reading.join(read_output(lines[-TELLING_LINES_MAX:]))
            break
    return reading


def fitting_row(rows: Sequence[OutputRow], text: str) -> FittingRow | None:
    """The first of the rows that fits the line."""
    for runner, says, pattern in rows:
        match = compiled(pattern).match(text)
        if match:
            return runner, says, match
    return None


def take_behind_prefix(reading: OutputReading, text: str, rows: Sequence[OutputRow], lines: Sequence[str],
                       index: int) -> bool:
    """Takes what the line says behind the name of the task that printed it; whether it says something."""
    prefix = prefix_of(text, has_rows=bool(rows))
    inner = text[len(prefix):]
    row = fitting_row(rows_behind_prefix(inner, prefix), inner) if prefix and inner.strip() else None
    if not row:
        return False
    if row[1] in LOOKING_AT_OTHER_LINES:  # those near, which have the same prefix
        begin = max(index - LINES_NEAR_MAX, 0)
        near = [line.strip().replace(prefix, "", 1) for line in lines[begin:index + LINES_NEAR_MAX]]
        reading.take(row, near, index - begin)
    else:
        reading.take(row, lines, index)
    return True


def prefix_of(text: str, has_rows: bool) -> str:
    """The name of the task that printed the line, with the blanks behind it; empty: the line has none.

    Of a line that has rows of its own only where the first word looks like such a name.
    """
    word = text.partition(" ")[0]
    looks_like_prefix = word[-1:] in tuple(ENDS_OF_PREFIX) or word[:1] == "#"
    match = compiled(TASK_PREFIX).match(text) if word and (looks_like_prefix or not has_rows) else None
    return match[0] if match else ""


def rows_behind_prefix(inner: str, prefix: str) -> Sequence[OutputRow]:
    """The rows that may fit what stands behind a prefix."""
    table, words = rows_by_word(), inner.split(None, 2)
    if words[0] == "Finished" and prefix[0] == "[":  # mise's own line behind its task's name
        return table["[]Finished"]
    return table.get(words[0]) or rows_for(inner, words[0], words, table) or ()
