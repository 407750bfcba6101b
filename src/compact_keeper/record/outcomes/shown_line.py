"""What a person would want to read of how a command ended: totals, what failed first, why; on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.check_breadth import HOOKS
from compact_keeper.record.runner_output.reading import ENDS_WITHOUT_COUNT, OutputReading
from compact_keeper.record.runner_output.row_lookup import shortened
from compact_keeper.record.runner_output.total_counts import FAILURE_COUNTS, sum_of
from compact_keeper.text.length import units
from compact_keeper.text.powershell import is_powershell_error, without_frames
from compact_keeper.types import ChecksSaid

OUTCOME_MAX_UTF16 = 240
CAUSE_MAX_UTF16 = 200
FAILED_NAME_MAX_UTF16 = 100
NAMES_IN_LINE_MAX, NAMES_KEPT_MAX = 3, 12  # of those that failed
ZERO_COUNTS = r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)"  # "; 0 ignored; 0 measured; 0 filtered out"
KIND_OF_TOTAL_CHARACTERS = 20  # by which totals are of one kind, numbers left out
CARGO_TOTAL = "test result:"
NEXTEST_TOTAL = "Summary ["
SMALL_TOTAL = r"(?:pass|fail|cancelled) \d+$|\d+ (?:pass|fail)$"  # of node and bun, a line for each number
TOTAL_OF_FILES = r"Test (?:Suites|Files)\b"  # of jest and vitest, beside that of their tests
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
FIRST_SAID_CHARACTERS = 4_000  # of an output, in which its first line is looked for


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    if totals:  # unittest says in a line of its own that they passed
        return [*totals, *[line for runner, line in reading.passed if runner == "unittest"][-1:]]
    rows = [row for row in reading.passed if row[0] != "mise"] or reading.passed
    hooks = sum(runner == HOOKS for runner, _ in rows)
    return [f"{hooks} passed"] if hooks > 1 and rows[-1][0] == HOOKS else [line for _, line in rows[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    newest = {kind_of_total(line): line for line in map(total_in_short, totals)}
    short = [*newest.values()]
    if any(line.startswith(NEXTEST_TOTAL) for line in short):  # those of cargo are what its tests print
        short = [line for line in short if not line.startswith(CARGO_TOTAL)]
    else:
        short = with_binaries_added(short, totals)
    if any(line.startswith("Tests") for line in short):  # files only where some failed
        short = [line for line in short if not re.match(TOTAL_OF_FILES, line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(SMALL_TOTAL, line)]
    others = [line for line in short if line not in small]
    return [*others[-3:], ", ".join(small[-2:])] if small else others[-3:]


def rows_without_count(reading: OutputReading) -> list[str]:
    """What the end of an output says of tests of which it is not seen whether any ran: "OK" alone, "0 passed" behind a
    filter that may have kept others back.
    """
    words = [line for runner, line in reading.passed if runner in ENDS_WITHOUT_COUNT]
    return [total_in_short(line) for line in (*words[-1:], *reading.none[-1:])]


def total_in_short(line: str) -> str:
    """A line of totals without its frame and without counts of nothing."""
    text = re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:")
    return re.sub(ZERO_COUNTS, "", text)


def kind_of_total(line: str) -> str:
    """What makes two lines of totals the same: how they begin, without numbers."""
    return re.sub(r"[\d.]+", "", line)[:KIND_OF_TOTAL_CHARACTERS]


def with_binaries_added(short: Sequence[str], totals: Sequence[str]) -> list[str]:
    """The short totals with one sum in place of cargo's, where there are several: each test binary prints its own."""
    results = [line for line in totals if line.startswith(CARGO_TOTAL)]
    if len(results) < 2:
        return [*short]
    text = " ".join(results)
    passed, failed = sum_of(r"(\d+) passed", text), sum_of(r"(\d+) failed", text)
    others = [line for line in short if not line.startswith(CARGO_TOTAL)]
    return [*others, f"{passed} passed; {failed} failed in {len(results)} test binaries"]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in [*dict.fromkeys(names)][:NAMES_KEPT_MAX]]
    return [name for name in short if not any(is_part_of_name(name, other) for other in short)]


def is_part_of_name(name: str, other: str) -> bool:
    """Whether another name ends with this one, or begins with it as its parent."""
    return other.endswith(f" {name}") or other.startswith(f"{name}/")


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    if len(parts) > 2:
        name = f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}"
    return cut_words(name, FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str]) -> str:
    """The first names, and how many more there are; a mark where there are more than are kept, or a total says so.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    line = ", ".join(names[:NAMES_IN_LINE_MAX])
    if names and (failures_counted(totals) > len(names) or len(names) >= NAMES_KEPT_MAX):
        return f"{line}, …"
    return f"{line} +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else line


def failures_counted(totals: Sequence[str]) -> int:
    """How many failures the totals count; 0 where none does."""
    return max((sum_of(FAILURE_COUNTS, total) for total in totals if COUNTS_ALL not in total), default=0)


def names_of_failed(reading: OutputReading) -> ChecksSaid:
    """The names of what failed, and whether there may be more; empty without any."""
    names = unique_names(reading.failed_names)
    if not names:
        return {}
    is_more = failures_counted(reading.tests) > len(names) or len({*reading.failed_names}) > NAMES_KEPT_MAX
    return {"failed_names": names, "has_more_failed": True} if is_more else {"failed_names": names}


def first_said(output: str) -> str:
    """The first line that is not empty."""
    lines = output[:FIRST_SAID_CHARACTERS].split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many.

    Of an error of PowerShell's its message, which stands before or behind the rows on where it came from.
    """
    if any(map(is_powershell_error, text)):
        text = without_frames(text)[:1]
    return shortened(text[0]) if 0 < len(text) <= 3 else last_said(text)


def joined_line(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = dict.fromkeys(shortened(part).strip() for part in parts if part.strip())
    return cut_words(" · ".join(kept), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = " ".join(text.split())
    if units(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    while units(kept) > limit - 2:
        kept = kept.rpartition(" ")[0]
    return f"{kept} …" if kept else "…"
