"""Tests, builds and linters that a summary calls passing or failing while their last run says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.summary.claims import claims_in
from compact_keeper.record.summary.statements import codes_in
from compact_keeper.text.quotation import quote
from compact_keeper.types import Check, CheckRun, Item, Statement

RUN_SHOWN_UTF16, RUNS_COMPARED_MAX = 90, 40
CHECK_STATES = {
    "passing": "pass|passes|passed|passing|succeeds|succeeded|compiles|green|clean|ok|✅|✓|exits 0|0 errors|0 failed"
               "|0 failures|no errors|no failures|no complaints|no problems|reported no problems|without errors"
               "|without warnings",
    "failing": "failing|fails|fail|broken|red|❌|not compile|9 errors|9 failures|9 failed|9 failed , 9 passed"
               "|9 passed , 9 failed"}
FAMILY_NOUNS = {"tests": "test", "test suite": "test", "suite": "test", "build": "build", "lint": "lint",  # all of one
                "linter": "lint", "linting": "lint", "type check": "types", "type checking": "types"}
SHORT_NAMES = {"ruff": "ruff check", "clippy": "cargo clippy"}
OF_A_PART = (r" (?:its|this|these|both|tasks?|todo|state|status|reports?|results?|verification)"
             r" (?:tests|test suite|suite|build) |(?<! all)(?<! the) \d+ tests ")
NAME_IN_RESULT = r"[A-Za-z]\w*[_./:][\w./:]+"  # of what failed
ALL_PASSED = r"(?:\b(\d+)(?:/| out of )\1|\ball (\d+)) (?:tests? )?(?:are )?(?:pass(?:es|ed|ing)?|green)\b"


def check_claims(body: str, statements: Sequence[Statement], actions: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's words, and what the record has of the last run of the check that they name.

    Nothing where the summary names what failed in it, or the statement has its number of passed tests.
    """
    checking: list[Item] = [{"uses": 1, **action} for action in actions if action.get("family") in CHECK_FAMILIES]
    runs = check_runs(sorted(checking, key=lambda action: action["position"])[-RUNS_COMPARED_MAX:])
    if not runs:
        return
    named = checks_named(statements, runs)
    keys = {name: " ".join([check["name"], *check["limits"]]) for name, check in named.items()}
    checks = {keys[name]: check for name, check in named.items()}
    for statement, thing, state in claims_in(statements, {**keys, **FAMILY_NOUNS}, CHECK_STATES):
        run = last_run_otherwise(runs, checks.get(thing), thing, state)
        is_of_part = "files" in statement["heading"] or re.search(OF_A_PART, statement["row"])
        if run and (thing in checks or not is_of_part) and not is_failure_told(run, statement["row"], body):
            yield statement["line"], last_run_in_words(run)
    failed = last_run_otherwise(runs, None, "test", "passing")
    for statement in statements:
        totals = ["".join(pair) for pair in re.findall(ALL_PASSED, statement["row"])]
        if failed and any(is_total(int(total), failed["result"]) for total in totals):
            yield statement["line"], last_run_in_words(failed)


def checks_named(statements: Sequence[Statement], runs: Sequence[CheckRun]) -> dict[str, Check]:
    """By their names in rows the checks that ran, and what stands in backticks of their programs."""
    programs = "|".join({re.escape(run["name"].split()[-1]) for run in runs})
    commands = {**SHORT_NAMES, **{run["name"]: run["name"] for run in runs},
                **codes_in(statements, f".*(?:{programs}).*")}
    return {name: checks[0] for name, command in commands.items() if len(checks := checks_in(command)) == 1}


def last_run_otherwise(runs: Sequence[CheckRun], check: Check | None, family: str, state: str) -> CheckRun | None:
    """The last run of the check, or without one of the family, if it and all of its family after it ended otherwise.

    A failed one counts where it is of no more than what is called passing, one that passed where it is of no less than
    what is called failing.
    """
    started = [run for run in runs if run["verdict"] != "not run"]
    meant = [run for run in started if (run["name"] == check["name"] if check else run["family"] == family)]
    if not meant or not meant[-1]["is_certain"]:
        return None
    last = meant[-1]
    if check:
        broad, narrow = (check, last["check"]) if state == "passing" else (last["check"], check)
        options = {word for word in check["command"].split() if word.startswith("--")}
        is_meant = covers_check(broad, narrow) and options <= {*last["command"].split()}
    else:
        is_meant = state == "passing" or not last["check"]["limits"]
    since = {run["verdict"] for run in started[started.index(last):] if run["family"] == last["family"]}
    return last if is_meant and since == {"failed" if state == "passing" else "passed"} else None


def is_failure_told(run: CheckRun, row: str, body: str) -> bool:
    """Whether the row has the run's number of passed tests, or the summary a name of what failed in it."""
    failed = [name for name in re.findall(NAME_IN_RESULT, run["result"]) if name not in run["command"]]
    has_count = any(f" {word} pass" in f" {run['result']}" for word in row.split() if word.isdigit())
    return has_count or any(name in body for name in failed)


def is_total(count: int, result: str) -> bool:
    """Whether a result counts so many, together or in two numbers, and not as those that passed."""
    numbers = {0, *map(int, re.findall(r"\b\d{1,9}\b", result))}
    return f" {count} pass" not in f" {result}" and any(count - number in numbers for number in numbers)


def last_run_in_words(run: CheckRun) -> str:
    """Which run of a check was the last one, and how it ended."""
    command, result = quote(run["command"], RUN_SHOWN_UTF16), f": {run['result']}" if run["result"] else ""
    return f"the last run of `{command}` at {run['last'][11:16]} UTC {run['verdict']}{result}"
