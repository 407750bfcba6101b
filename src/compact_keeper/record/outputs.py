"""What an output says of how a run ended: totals, what failed, why; line by line.

The lines are found by `output_row_lookup.py`, in the table of `output_rows.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.failure_lines import (
    GO_FAILURE,
    LINES_NEAR_MAX,
    end_of_traceback,
    go_message,
    lines_below,
    with_expected,
)
from compact_keeper.record.output_row_lookup import (
    COMPILED,
    NO_ROWS,
    OutputRow,
    compiled,
    rows_by_word,
    rows_for,
    shortened,
    telling_lines,
)
from compact_keeper.record.total_counts import COUNTS_OF_DOTNET, DOTNET, FAILURE_COUNTS, SUCCESS_COUNTS, sum_of
from compact_keeper.text.length import OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS, both_ends

TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+")
ENDS_OF_SUITES = ("unittest", "phpunit", "cypress", "gradle")  # say at their end that all passed, and not how many
TOTALS_OF_TESTS = ("tests", "go ok", "ran")  # what lines say that total them
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun")  # those that failed stand in a line of their own
# What takes something of other lines:
LOOKING_ON = ("next", "below", "above", "then", "why", "go fail", "traceback", "located")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_WHAT_IS_SAID = {
    "next": "near", "below": "near", "above": "near", "go fail": "near", "why": "wrapper", "then": "error"}


class OutputReading:
    """What an output says, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Nothing yet; `lines` are those to look on where a line tells only with others."""
        self.lines = lines
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.causes: dict[str, str] = {}

    @property
    def failed_names(self) -> list[str]:
        """The names of what failed; for want of better ones those that stand beside it."""
        return self.names or self.also

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the first row that fits says of the line; whether there is one."""
        for runner, says, pattern in rows:
            if match := (COMPILED.get(pattern) or compiled(pattern)).match(text):
                self.take_match(runner, says, match, place)
                return True
        return False

    def take_prefixed(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the line says behind the name of the task that printed it; whether it says something."""
        word = text.partition(" ")[0]
        if not word or (word[-1] not in "]:│┃║" and word[0] != "#" and rows is not NO_ROWS):
            return False
        match = compiled(TASK_PREFIX).match(text)
        inner = text[match.end():] if match else ""
        parts = inner.split(None, 2)
        if not match or not parts:
            return False
        table = rows_by_word()
        word = "[]Finished" if parts[0] == "Finished" and text[0] == "[" else parts[0]
        inner_rows = table.get(word) or rows_for(inner, word, parts, table) or NO_ROWS
        runner, says, fit = next(
            ((runner, says, fits) for runner, says, pattern in inner_rows if (fits := compiled(pattern).match(inner))),
            ("", "", None))
        if not fit:
            return False
        lines = self.lines
        if says in LOOKING_ON:
            begin, prefix = max(place - LINES_NEAR_MAX, 0), text[:match.end()]
            self.lines = [line.strip().replace(prefix, "", 1) for line in lines[begin:place + LINES_NEAR_MAX]]
            place -= begin
        self.take_match(runner, says, fit, place)
        self.lines = lines
        return True

    def take_match(self, runner: str, says: str, match: re.Match[str], place: int) -> None:
        """What one telling line says."""
        groups, text = match.groupdict(), match.string
        self.error_behind &= says not in TOTALS_OF_TESTS
        if says in ("tests", "problems"):
            self.take_total(runner, says, text)
        elif says == "go ok":
            self.packages += 1
            self.cached += bool(groups["cached"])
            (self.none if groups["none"] else self.tests).append(text)
            self.passes += not groups["none"]
        elif says == "passed":
            self.take_passed(runner, text)
        elif says == "none":
            self.none.append(groups.get("cause") or text)
        elif says == "ran":
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)
        elif says == "seen":
            self.seen_passing = True
        elif says == "log":
            self.last_log = groups["cause"]
        elif says == "located":
            self.take_place(groups["place"], place)
        else:
            self.take_failure(says, groups, place)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_total(self, runner: str, says: str, text: str) -> None:
        """A line of totals: how many failed, how many there were."""
        counts = [*map(int, re.findall(COUNTS_OF_DOTNET, text) if runner in DOTNET else [])]
        failures = counts[0] if counts else sum_of(FAILURE_COUNTS, text)
        self.failures += failures
        if says == "problems":
            self.problems.append(text)
            if not failures and runner != "cc":
                self.passed.append((runner, text))
            return
        passes = sum_of(SUCCESS_COUNTS, text) if runner != "ctest" else int(not text.startswith("0%"))
        passes = counts[1] if counts else passes
        self.passes += passes
        self.has_whole_total |= runner not in TOTALS_IN_PARTS
        has_zero_lines = runner == "node" or "flaky" in text  # `# fail 0` says nothing of how many passed
        (self.tests if passes or failures or has_zero_lines else self.none).append(text)

    def take_place(self, at: str, place: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(self.lines[max(place - 2, 0):place]) if line.strip()), "")
        if above.strip("│ ") and not above.startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, says: str, groups: dict[str, str | None], place: int) -> None:
        """A line that says that something failed, what, or why."""
        name, also = (groups.get("name") or "").strip(" ─"), groups.get("also") or ""
        cause = groups.get("cause") or groups.get("cause2") or ""
        kind = KIND_OF_WHAT_IS_SAID.get(says, says)
        if kind not in self.causes or says in ("next", "below"):
            name, cause = self.with_lines_near(says, name, cause, place)
        if name and name != "Test suite failed to run":
            self.names.append(name)
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(kind, cause)
        if says == "bad":
            self.problems.append(self.lines[place].strip())
        if says in ("failed", "bad", "go fail", "next", "below", "why", "wrapper"):
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(self.lines[place]).strip()
        elif says in ("error", "traceback", "then"):
            self.error_behind = True
            self.error_at_end |= place >= len(self.lines) - LAST_LINES - (30 if says == "traceback" else 0)

    def with_lines_near(self, says: str, name: str, cause: str, place: int) -> tuple[str, str]:
        """Name and cause with what stands in other lines."""
        if says == "traceback":
            return name, end_of_traceback(self.lines, place)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(self.lines, place)
        if says not in ("next", "below", "above", "then", "why") or len(self.names) >= NAMES_WITH_CAUSES_MAX:
            return name, cause
        near = lines_below(self.lines, place, says == "next")
        if says == "below" and near:
            name, near = near[0].partition(" [")[0].rstrip(":"), near[1:]
        if says == "next" and name and near and near[0].endswith(":") and near[0][:1].islower():  # mocha's, in parts
            name, near = f"{name} {near[0].rstrip(':')}", near[1:]
        near = with_expected(near)
        if says == "then":
            is_open = cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
            return name, " ".join([cause, *near[:1]]) if is_open else cause
        if says == "why" and len(near) > 1 and near[1].startswith("> "):
            return name, f"{near[0]} {near[1][2:]}"
        return name, near[0] if near else ""

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        for name in ("tests", "problems", "passed", "none", "names", "also"):
            getattr(self, name).extend(getattr(last, name))
        self.causes = {**last.causes, **self.causes}
        self.failures, self.passes = self.failures + last.failures, self.passes + last.passes
        self.packages, self.cached = self.packages + last.packages, self.cached + last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = both_ends(output, OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(lines), 0
    for place, text, rows in telling_lines(lines):
        if reading.take(rows, text, place) or reading.take_prefixed(rows, text, place):
            count += 1
            if count >= TELLING_LINES_MAX and place < len(lines) - TELLING_LINES_MAX:
                reading.join(read_output(lines[-TELLING_LINES_MAX:]))
                break
    return reading
