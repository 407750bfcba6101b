"""What a line claims of a thing: where its state may stand, and what leaves it open."""

from __future__ import annotations

import pytest

from compact_keeper.record.summary.claims import claims_in
from compact_keeper.record.summary.statements import as_names, as_rows, codes_in, statements_of

NAMES = {"the fee": "fee", "fee": "fee", "#2": "two", "upgrade the rounding module to v5": "two", "#3": "three",
         "mark it done": "three"}
STATES = {"completed": "done|finished|✅|☑", "open": "open", "ongoing": "in progress", "passing": "passes|0 errors",
          "failing": "fails|9 errors"}


def claims(text: str) -> str:
    """Things and states that the text claims."""
    return " ".join(f"{thing} {state}" for _, thing, state in claims_in(statements_of(text), NAMES, STATES))


@pytest.mark.parametrize(("text", "expected"), [
    ("The fee is done", "fee completed"), ("- **Fee**: ✅ done", "fee completed"), ("| fee | open |", "fee open"),
    ("fee (finished)", "fee completed"), ("fee — done", "fee completed"), ("Done: the fee", "fee completed"),
    ("[done] task fee", "fee completed"), ("- [x] fee", "fee completed"), ("✅ fee", "fee completed"),
    ("The fee is not yet done", "fee open"), ("fee (not finished)", "fee open"), ("the fee isn’t done", "fee open"),
    ("the fee no longer passes", "fee failing"), ("fee: 0 errors", "fee passing"), ("fee: 12 errors", "fee failing"),
    ("fee: 9/9 passes", "fee passing"), ("fee and #2 are done", "fee completed two completed"),
    ("fee is open when the summary was requested", "fee open"),
    ("fee is done; the tax comes next", "fee completed"), ("fee, done", "fee completed"),
    ("#2: fee is done", "fee completed"), ("#2, fee (done)", "fee completed"),
    ("Rounding (the fee is done)", "fee completed"), ("Rounding (by half; the fee is open)", "fee open"),
    ("the \"fee\" is done", "fee completed"),
    ("fee: in progress", "fee ongoing"), ("fee: done - fee done", "fee completed"),
    ("fee is done; the tax is open", "fee completed"), ("It rounds; #2 is done", "two completed"),
    ("Everything works and the fee passes", "fee passing"), ("#2 is done; only the tax is open", "two completed"),
    ("Rounded it and marked #2 as done", "two completed"),
    ("fee is open: it needed a table", "fee open"), ("fee: done", "fee completed"),
    ("fee passes with 0 errors", "fee passing"), ("fee passes on all targets", "fee passing")])
def test_what_is_claimed(text: str, expected: str) -> None:
    assert claims(text) == expected


@pytest.mark.parametrize("text", [
    "fee fails on two files", "all three fee passes",
    "fee is open when the tax was requested", "fee is done in this session", "Task list: fee done",
    "half of the fee is done", "the fee table is done", "the fee is done under load", "fee 8/9 done", "fee half done",
    "Open fee", "fee open or done", "[open] fee: done", "fee: done, open", "fee: 2 errors, 0 errors",
    "fee done: half",
    "Rounding of the fee: done", "tables, the fee is done", "the script (fee) is done", "done, fee", "not fee: done",
    "#2, the rest: fee done", "Done (fee), open (#2 and all)", "fee was done", "fee is done\nfee is open",
    "if the fee is done, go on", "The fee should be done", "the fee is done? no", "Is the fee done; or half?",
    "fee is done; then reopened",
    "The mail says \"the fee is done and paid\"", "`x: fee done, y`", "the fee", "done", "fee is done and paid",
    "the fee is done and the tax comes next", "the fee is open: locally", "fee done; undone",
    "It rounds and the fee table is done", "Fee is: done, open", "the fee is done:", "The fee has this: done: half",
    "#2: done rounding module", "Module and fee rounding", "#3: mark it done", "#3: mark todo done",
    "#2, rounding module, done", "Upgrading (#2) by half is done", "Rounding module: done",
    "fee passes on two parcels", "fee done in 2024", "fee passes on 3", "fee passes on two files",
    "fee is done and the #2 is open", "fee is open, #2 is done", "the fee is open: the tax has to come first",
    "Upgrading the module to v5 (#2) is open",
    "It is done; later fee is open", "the fee is done because half is"])
def test_what_is_not_claimed(text: str) -> None:
    assert claims(text) == ""


def test_a_row_has_marks_as_words() -> None:
    assert as_rows(["**A**: b.c.", "D’s (e)!"]) == ["a : b.c .", "d's ( e ) !"]


def test_names_and_codes_stand_in_rows_as_in_lines() -> None:
    assert as_names(["Add: the\n**fee**.", ""]) == ["add : the fee", ""]
    assert codes_in(statements_of("Ran `a.py -X` and `b`"), "a.*?|c") == {"`a.py -x`": "a.py -X"}


@pytest.mark.parametrize("text", ["fee, " * 150, "fee (" * 150, "not " * 299 + "fee", "fee " + "done, " * 150,
                                  ": " * 290 + "fee", "§ = < fee done",
    "\"" * 400 + "fee"], ids=lambda text: text[:9])
def test_a_hostile_line_is_read_at_once(text: str) -> None:
    assert len(claims(text).split()) <= 2
