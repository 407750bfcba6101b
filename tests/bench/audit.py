#!/usr/bin/env python3
"""Measure what the audit says of made-up summaries: lines that are false, and lines that are harmless.

Usage: audit.py [--failures]

Each case of audit_cases.json is a line in a summary of the client's form, under its heading, with the items, git's
state and the files of one of its records, and what was put back. A planted line must give findings of its kind, a
harmless one none. Planted lines with `is_read` false are in forms that are not read: they count as not noted. Exits 0
when every case is as it should be, those too.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [name for name in (str(TESTS), str(TESTS.parent / "src")) if name not in sys.path]

from compact_keeper.record.summary.comparisons import compare  # noqa: E402
from sessions import Home, Session, hook_input  # noqa: E402

CASES = Path(__file__).with_name("audit_cases.json")
KINDS = ("task", "check", "git", "file", "rule", "pin", "question")
AROUND = """This session is being continued from a previous conversation that ran out of context.

Summary:
1. Primary Request and Intent:
   - The fees of the service are to be rounded half up, and invoices get a currency.

2. Files and Code Sections:
   - `src/fee.py`
     ```python
     def fee(weight): return rate(weight) * 2  # all tests pass
     ```

{heading}:
   {line}
"""
ITEMS, SUMMARY_CHARACTERS = 500, 20_000  # of the timed session
CLAIM_EACH = 6  # so many lines
FILLERS = (
    "`src/rates/table.py` holds the zones as a table, because the carrier changes them twice a year",
    "The rounding goes half up to whole grams, and `weigh()` returns a `Decimal` for the ledger's export",
    "`class Parcel(NamedTuple)`: weight, zone, island; the island decides on the surcharge of 4.50",
    "Read `docs/zones.md` for the postcodes 25900 to 25999, which belong to zone 7")
ITEM = {"who": "tool", "source": "s", "first": "2026-03-04T10:00:00Z", "last": "2026-03-04T10:00:00Z", "cycle": 0,
        "uses": 1, "status": "open", "text": "", "position": 1}


def findings_of(case: Any) -> list[Any]:
    """The findings on the case's summary, without what was put back."""
    summary = AROUND.format(heading=f"7. {case['head']}", line=case["line"])
    findings = compare(summary, case["items"], case["git"], case["files"].get)
    return [finding for finding in findings if finding["record"] not in case.get("delivered", "")]


def cases_in(path: Path = CASES) -> dict[str, list[Any]]:
    """The cases of the file, planted and harmless, each with its record."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {name: [{**case, **stored["records"][case["record"]]} for case in stored[name]]
            for name in ("planted", "harmless")}


def measure(cases: dict[str, list[Any]], shows_failures: bool) -> int:
    """0 when just the planted cases are noted that are read, and no harmless one; prints the table, or the cases."""
    planted, noted, wrong = Counter[str](), Counter[str](), Counter[str]()
    lines, is_as_expected = [], True
    for case in cases["planted"]:
        kinds = {finding["kind"] for finding in findings_of(case)}
        planted[case["kind"]] += 1
        noted[case["kind"]] += kinds == {case["kind"]}
        is_as_expected &= kinds == ({case["kind"]} if case.get("is_read", True) else set())
        if kinds != {case["kind"]}:
            lines.append(f"planted {case['kind']}, findings {sorted(kinds)}: {case['line']}")
    for case in cases["harmless"]:
        for finding in findings_of(case):
            wrong[finding["kind"]] += 1
            lines.append(f"harmless: {case['line']}\n    {finding['record']}")
    rows = [f"| {kind} | {planted[kind]} | {noted[kind]} | {wrong[kind]} |" for kind in KINDS]
    print("\n".join(lines) if shows_failures else "\n".join(
        [f"| kind | planted | noted | of {len(cases['harmless'])} harmless |", "| --- | --- | --- | --- |", *rows]))
    return int(not is_as_expected or bool(wrong))


# --- the timed run ---


def forget_audits(home: Home) -> None:
    """Lets the next run audit anew: a compaction is audited once."""
    for mark in home.session.glob("audited-*"):
        mark.unlink()


def timed_home(folder: Path, seed: int) -> tuple[Home, Any]:
    """A data folder with a full memory, and what the client gives the hook: a summary of 20 KB of all the cases."""
    folder.mkdir()
    home, rng = Home(folder / "home"), random.Random(seed)
    cases, session = cases_in(), Session()
    session.typed("Never push.")
    home.save(session.write(folder / "transcript.jsonl"))
    every: list[Any] = [*cases["planted"], *cases["harmless"]]
    items: list[Any] = [{**ITEM, **item} for case in every for item in case["items"]]
    rng.shuffle(items)
    for name in ("memory.json", "snapshot.json"):
        path = home.session / name
        stored = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**stored, "items": [*stored["items"], *items[:ITEMS]]}), encoding="utf-8")
    lines = [f"- {FILLERS[number % len(FILLERS)]} ({number})" if number % CLAIM_EACH else rng.choice(every)["line"]
             for number in range(SUMMARY_CHARACTERS)]
    summary = "Summary\n\n7. Current Work:\n" + "\n".join(lines)[:SUMMARY_CHARACTERS]
    return home, {**hook_input("PostCompact", folder / "transcript.jsonl"), "compact_summary": summary}


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the goals hold."""
    parser = argparse.ArgumentParser(description="Measures what the audit says of made-up summaries.")
    parser.add_argument("--failures", action="store_true", help="prints the cases that are not noted, or wrongly")
    given = parser.parse_args(argv)
    return measure(cases_in(), given.failures)


if __name__ == "__main__":
    raise SystemExit(main())
