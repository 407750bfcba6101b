"""Tests, builds and linters that a summary calls passing or failing while their last run says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.items import EARLIER_MAX
from compact_keeper.record.summary.claims import claims_in
from compact_keeper.record.summary.statements import OPEN_WORDS, codes_in
from compact_keeper.text.holding import holds_any
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
IS_GREEN = r"(?:tests? )?(?:are )?(?:pass(?:es|ed|ing)?|green)\b"
ALL_PASSED = rf"(?:\b(\d+)(?:/| out of )\1|\ball (\d+)) {IS_GREEN}"
COUNT_TOLD = (  # "step 4 passed" tells of a step
    rf"(?:^|[:,;(–—-]|` |[✅✓]) ?([1-9]\d*)(?:/\d+)? {IS_GREEN}"
    r"|(?<![\w./#])(?<! of )(?<! of the )([1-9]\d*)(?:/\d+)? tests? (?:are )?(?:pass(?:es|ed|ing)?|green)\b"
    r"|` (?:reports|finds|found) ([1-9]\d*) (?:errors|failures|problems) (?![a-z])")
COUNT_WORDS = ("pass", "green", " reports ", " finds ", " found ")  # each of these patterns has one
COUNT_IN_RESULT = r"(?i)\d (?:tests? )?(?:pass|fail|examples|errors?\b)|: \d"
RESULT_NUMBER = r"(?<![\d.])\d{1,9}(?![\d.s]| warn)"


def check_claims(statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's words, and what the record has of the last run of the check that they name.

    Nothing where the summary names what failed in it, or the sentence has its number of passed tests.
    """
    uses: Item = {"uses": 1}
    actions = [item for item in items if item["kind"] == "action"]
    checking: list[Item] = [{**uses, **action} for action in actions if action.get("family") in CHECK_FAMILIES]
    runs = check_runs(sorted(checking, key=lambda action: action["position"])[-RUNS_COMPARED_MAX:])
    if not runs:
        return
    programs = "|".join({re.escape(run["name"].split()[-1]) for run in runs})
    commands = {**SHORT_NAMES, **{run["name"]: run["name"] for run in runs},
                **codes_in(statements, f".*(?:{programs}).*")}
    named = {name: checks[0] for name, command in commands.items() if len(checks := checks_in(command)) == 1}
    things = {name: "_".join([check["name"], *check["limits"]]).replace(" ", "_") for name, check in named.items()}
    check_of = {thing: named[name] for name, thing in things.items()}
    text = "\n".join(statement["line"] for statement in statements)
    counting = [each for each in statements if holds_any(each["row"], COUNT_WORDS)]
    for statement in [each for each in counting if re.search(f"{ALL_PASSED}|{COUNT_TOLD}", each["row"])]:
        named_here = [check for name, check in named.items() if f" {name} " in statement["row"]]
        if run := run_counted_otherwise(statement["row"], named_here, runs, items):
            yield statement["line"], last_run_in_words(run)
    for statement, thing, state in claims_in(statements, {**things, **FAMILY_NOUNS}, CHECK_STATES):
        run, row = run_against(state, check_of.get(thing), thing, runs), statement["row"]
        is_of_all = thing in check_of or not ("files" in statement["heading"] or re.search(OF_A_PART, row))
        if run is None or not is_of_all:
            continue
        has_count = any(f" {word} pass" in f" {run['result']}" for word in row.split() if word.isdigit())
        failed = [name for name in re.findall(NAME_IN_RESULT, run["result"]) if name not in thing]
        if not has_count and not any(name in text for name in failed):
            yield statement["line"], last_run_in_words(run)


def last_run_in_words(run: CheckRun) -> str:
    """Which run of a check was the last one, and how it ended."""
    ended = "" if "met_no_test" in run else " did not start" if run["verdict"] == "not run" else f" {run['verdict']}"
    result = f": {run['result']}" if run["result"] else ""
    return f"the last run of `{quote(run['command'], RUN_SHOWN_UTF16)}` at {run['last'][11:16]} UTC{ended}{result}"


def run_against(state: str, check: Check | None, family: str, runs: Sequence[CheckRun]) -> CheckRun | None:
    """The last run of the check, or without one of the family, if it and all of the family after it ended otherwise.

    A failed one counts where it is of no more than what is called passing; of those that passed the last that is of no
    less than what is called failing; one that did not start where nothing of its family ever did.
    """
    started = [run for run in runs if run["verdict"] != "not run"]
    if check and state == "passing" and not any(run["family"] == check["family"] for run in started):
        return next((run for run in reversed(runs) if run["name"] == check["name"]), None)
    meant = [run for run in started if (run["name"] == check["name"] if check else run["family"] == family)
             and (state == "passing" or (covers_check(run["check"], check) if check else not run["check"]["limits"]))]
    if not meant or (state == "passing" and check and not covers_check(check, meant[-1]["check"])):
        return None
    last, families = meant[-1], {run["family"] for run in meant}
    options = {word for word in check["command"].split() if word.startswith("--")} if check else set()
    later = {run["verdict"] for run in started[started.index(last):] if run["family"] in families}
    is_certain = last["is_certain"] and options <= {*last["command"].split()}
    return last if is_certain and later == {"failed" if state == "passing" else "passed"} else None


def run_counted_otherwise(row: str, checks: Sequence[Check], runs: Sequence[CheckRun],
                          items: Sequence[Item]) -> CheckRun | None:
    """The last run of the check named, or of the only one, where the row counts as passed what did not pass.

    That is all tests of one that failed, or a number that is nowhere in the record and no sum of two of its results'.
    """
    whole, counts = ({int(count) for pair in re.findall(pattern, row) for count in pair if count}
                     for pattern in (ALL_PASSED, COUNT_TOLD))
    is_of_part = not checks and re.search(NAME_IN_RESULT, row)
    if is_of_part or not OPEN_WORDS.isdisjoint(row.split()):
        return None
    names = {check["name"] for check in checks or [run["check"] for run in runs if run["family"] == "test"]}
    meant = [run for run in runs if run["name"] in names and run["verdict"] != "not run"]
    if len(names) != 1 or not meant or not meant[-1]["is_certain"]:
        return None
    last, counted = meant[-1], [run["result"] for run in meant if re.search(COUNT_IN_RESULT, run["result"])]
    passed = {int(count) for count in re.findall(r"(\d+) (?:tests? )?pass", last["result"])}
    if last["verdict"] == "failed" and (whole - passed) & sums_in([last["result"]]):
        return last
    may_lack_some = any(len(item.get("earlier", ())) >= EARLIER_MAX for item in items) or any(
        item.get("tool") in SUBAGENT_TOOLS for item in items)
    if not counts or may_lack_some or last["result"] not in counted:
        return None
    texts = [f"{item['text']} {item.get('result')} {item.get('rows')} {item.get('earlier')}" for item in items]
    return last if counts.isdisjoint({*map(int, re.findall(r"\d{1,9}", " ".join(texts)))} | sums_in(counted)) else None


def sums_in(results: Sequence[str]) -> set[int]:
    """The numbers in the results and what two of them come to."""
    numbers = {0, *map(int, re.findall(RESULT_NUMBER, " ".join(results)))}
    return {first + second for first in numbers for second in numbers}
