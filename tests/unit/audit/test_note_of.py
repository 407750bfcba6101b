"""The note: whole lines within its length."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.audit.note import counts_of, note_of
from compact_keeper.store.note import NOTE_MAX_UTF16
from compact_keeper.types import SummaryFinding
from sessions import units

CHECK: SummaryFinding = {"kind": "check", "said": "All pass.", "record": "the last run of `make` failed"}
RULE: SummaryFinding = {"kind": "rule", "said": "", "record": "Never push."}


def test_nothing_to_say_is_no_note() -> None:
    assert note_of([]) == ("", [])


def test_a_line_for_each_finding() -> None:
    text, lines = note_of([CHECK, RULE])
    assert text.splitlines()[1:] == ['- The summary: "All pass." The record: the last run of `make` failed',
                                     '- A standing rule of the user\'s, not in the summary: "Never push."']
    assert all(line["line"] in text for line in lines)


@pytest.mark.parametrize("letter", ["x", "🚚"])
def test_a_rule_that_does_not_fit_is_left_out_whole(letter: str) -> None:
    findings: list[Any] = [{**RULE, "record": letter * size} for size in (900, 400, 60)]
    text, lines = note_of(findings)
    assert units(text) <= NOTE_MAX_UTF16
    assert lines
    assert all(line["record"] in text for line in lines)
    assert text.count("\n") == len(lines) < 3


def test_counts() -> None:
    assert counts_of([CHECK, RULE, RULE]) == {"contradicted": 1, "left_out": 2, "kinds": {"check": 1, "rule": 2}}
    assert counts_of([]) == {"contradicted": 0, "left_out": 0, "kinds": {}}
