"""What a person would want to read of how a command ended: totals, what failed first, why; on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.output_row_lookup import shortened
from compact_keeper.record.outputs import OutputReading
from compact_keeper.record.total_counts import FAILURE_COUNTS, sum_of
from compact_keeper.text.length import units

OUTCOME_MAX_UTF16, CAUSE_MAX_UTF16, FAILED_NAME_MAX_UTF16 = 240, 200, 100
FAILED_NAMES_MAX, NAMES_IN_LINE_MAX, NAMES_COMPARED_MAX = 5, 3, 12
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    lines = [line for runner, line in reading.passed if runner == "unittest" or (not totals and runner != "mise")]
    return [*totals, *(lines or [line for _, line in reading.passed if not totals])[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    short = [re.sub(r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)", "", re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:"))
             for line in totals]
    short = list({re.sub(r"[\d.]+", "", line)[:20]: line for line in short}.values())
    if any(line.startswith("Summary [") for line in short):  # nextest's own; the others are what its tests print
        short = [line for line in short if not line.startswith("test result:")]
    results = [line for line in totals if line.startswith("test result:")]
    if len(results) > 1 and any(line.startswith("test result:") for line in short):
        passed, failed = (sum_of(rf"(\d+) {word}", " ".join(results)) for word in ("passed", "failed"))
        short = [*(line for line in short if not line.startswith("test result:")),
                 f"{passed} passed; {failed} failed in {len(results)} test binaries"]
    if any(line.startswith("Tests") for line in short):  # jest's and vitest's files only where they failed
        short = [line for line in short
                 if not re.match(r"Test (?:Suites|Files)\b", line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(r"(?:pass|fail|tests|cancelled) \d+$|\d+ (?:pass|fail)$", line)]
    others = [line for line in short if line not in small]
    small = [line for line in small if not line.startswith(("tests", "cancelled 0"))]
    return [*others[-3:], *([", ".join(small[-2:])] if small else [])]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in dict.fromkeys(names[:NAMES_COMPARED_MAX])]
    return [name for name in short
            if not any(other.endswith(f" {name}") or other.startswith(f"{name}/") for other in short)
            ][:FAILED_NAMES_MAX]


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    return cut_words(f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}" if len(parts) > 2 else name,
                     FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str] = ()) -> str:
    """The first names, and how many more there are of those that are kept; a mark where a total counts more than those.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    count = max((sum_of(FAILURE_COUNTS, line) for line in totals if COUNTS_ALL not in line), default=0)
    more = f" +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else ""
    return ", ".join(names[:NAMES_IN_LINE_MAX]) + (", …" if names and count > len(names) else more)


def first_said(output: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in output[:4_000].split("\n") if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many."""
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
