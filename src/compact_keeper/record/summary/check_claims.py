"""Tests, builds and linters that a summary calls passed or failing while their last run says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from compact_keeper.record.checks.run_breadth import is_beside
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES, families_by_program
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.outcomes.divided_output import stand_side_by_side
from compact_keeper.record.summary.claims import (
    LETTERS,
    around,
    claims_of,
    form_of,
    is_of_part,
    named_in,
    sentence_words,
)
from compact_keeper.types import Check, CheckRun, Claim, ClaimForm, Item, Statement

COMMAND_SHOWN_CHARACTERS, RUNS_COMPARED_MAX = 90, 40
NONE = r"(?:0|no|zero|without|ohne|keine|sans|aucune?|sin)"
TROUBLE = (r"(?:(?:tests?|any|a|single|remaining|open|more) )*(?:errors?|complaints?|issues?|failures?|problems?"
           r"|findings?|offenses?|failed|fehler|erreurs?|échecs?|errores|fallos)\b")
SIGNED = (  # what is read instead: a tick for "no errors", a cross for "2 errors"
    (r"\bexit(?:s|ed)?(?: with)?(?: code| status)? 0\b", "✅"), (rf"\b{NONE} {TROUBLE}(?: or {TROUBLE})*", "✅"),
    (r"\bexit(?:s|ed)?(?: with)?(?: code| status)? 1\b", "✗"), (rf"\b(\d+) {TROUBLE}", r"\1 ✗"),
    (r"\b\d+ pass(?:ed|ing)?(?: [,/·|;]| and| but)* (?=\d+ ✗)", ""))  # beside it: together they tell of a failure
SIGN_CUES = frozenset((
    "exit exits exited error errors complaint complaints issue issues failure failures problem problems finding "
    "findings offense offenses failed fehler erreur erreurs échec échecs errores fallos").split())
COMMAND_FORM = form_of({
    "passing": "pass|passes|passed|passing|succeeds|succeed|succeeded|successful|green|clean|ok|fine|goes through"
               "|went through|✅|✓|✔|grün|läuft durch|laufen durch|passe|passent|pasa|pasan",
    "failing": "failing|fails|fail|broken|red|complains|not compile|not build|not work|❌|✗|rot|schlägt fehl|échouent"
               "|fallan"},
    first="passing", silent="9 with unit integration suite latest newest recent of de última ejecución continue to or",
    ends="including|with 9|in 9|on two|on three|across all|on all|in all|for all|any more|out of|at the end|right now"
         "|as before|without any|without warnings|no warnings|left")
FAMILY_FORM: ClaimForm = {  # "unit tests" are some, and so may "passing tests" be
    **COMMAND_FORM, "letters": {**LETTERS, "9": "."}, "first": frozenset("✅✓✔❌✗")}
WELL_WRITTEN = frozenset("clean fine".split())  # as tests may be
RAN = frozenset("ran reran re-ran rerunning running last latest final newest".split())  # a little before it
RAN_WORDS = frozenset("; it they which that was → time again".split())  # between a run and its end
FAMILY_NOUNS = {name: family for family, names in {  # that mean all of a family, as "new tests" do not
    "test": "tests|test suite|suite|testsuite|pruebas|test results|test result|test status|test run",
    "build": "build|builds", "lint": "lint|linter|linting|lint check|lint checks",
    "types": "type check|type checks|type checking|type checker|type-check|type-checking|typecheck",
    }.items() for name in names.split("|")}
ENGLISH_PROGRAMS = frozenset((  # also words of a sentence
    "black task just make gmake ty cc tap prove ava invoke rush moon mise xo revive behave pest go node bun rake poe "
    "nx parcel hugo").split())
SHORT_NAMES = {"ruff": "ruff check", "ruff lint": "ruff check", "clippy": "cargo clippy", "nextest": "cargo nextest",
               "credo": "mix credo", "dialyzer": "mix dialyzer"}
PAIRED_RUNNERS = ("npm", "pnpm", "yarn", "gradle", "mvn")  # "npm test" in plain words
QUALIFIED = r"(?:--[a-z][\w-]+|\b[A-Z_]{2,30}=\w+)"  # another run than one without it
MENDED = frozenset("fixed resolved solved fix fixes →".split())
CALLED_GOOD = frozenset("pass passes passing succeeds green clean ✅ ✓".split())
CALLED_BAD = frozenset("fail fails failed failing failure failures broken red ❌ ✗".split())
COUNTED_TESTS = r"(\d{1,6}) (?:passed|skipped|xfailed|todo)"


def check_claims(statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what the record has of the check that it names."""
    runs: list[CheckRun] | None = None
    for statement in statements:
        words = with_signs(statement["words"])
        is_of_file = "files" in statement["heading"].lower()  # whose tests?
        for family, check, claim in claims_in(words) if not statement["is_past"] else ():
            counts = [word for word in words[claim["begin"]:claim["end"]] if word[0].isdigit() and word != "0"]
            is_part = any(len({*count.split("/")}) > 1 for count in counts)  # "8/9"
            if (is_of_file and not check) or is_part or tells_of_mended(words, claim, statement["line"]):
                continue
            runs = runs_in(items) if runs is None else runs
            run = run_against((claim["state"], family, check), "".join(counts[:1]), runs)
            if run is None or not has_options(run, statement["text"]):
                continue
            if claim["state"] == "failing" or not tells_failure(statements, run):
                yield statement["text"], run_in_words(run)


def has_options(run: CheckRun, text: str) -> bool:
    """Whether the run is of the very command that the text means: with each option and variable that it names."""
    return all(option in run["command"] for option in re.findall(QUALIFIED, text))


def with_signs(words: Sequence[str]) -> Sequence[str]:
    """The words with a tick for "no errors", and a cross for "errors" behind their number."""
    if SIGN_CUES.isdisjoint(words):
        return words
    row = " ".join(words)
    for pattern, sign in SIGNED:
        row = re.sub(pattern, sign, row)
    return sentence_words(row)


def claims_in(words: Sequence[str]) -> Iterator[tuple[str, Check | None, Claim]]:
    """What is claimed of the checks that a sentence names: by a command, by a runner, or as all of a family."""
    if COMMAND_FORM["cues"].isdisjoint(words):
        return
    named = [*named_in(words, runners())]
    named += [(place, place + 1, word.strip("`")) for place, word in enumerate(words) if word[0] == "`"]
    checks = [(begin, end, check) for begin, end, command in named for check in checks_in(command)]
    for claim in claims_of(words, [(begin, end, str(at)) for at, (begin, end, _) in enumerate(checks)], COMMAND_FORM,
                           ran_words(words, [begin for begin, _, _ in checks])):
        check = checks[int(claim["thing"])][2]
        yield check["family"], check, claim
    for claim in claims_of(words, [*named_in(words, FAMILY_NOUNS)], FAMILY_FORM) if not checks else ():
        is_of_code = claim["thing"] == "test" and not WELL_WRITTEN.isdisjoint(words[claim["begin"]:claim["end"]])
        if not is_of_part(words, claim) and not is_of_code:
            yield claim["thing"], None, claim


def ran_words(words: Sequence[str], checks: Sequence[int]) -> frozenset[str]:
    """The words that say nothing between a run and its end, where the words tell of one run of one check."""
    is_run = len(checks) == 1 and not RAN.isdisjoint(words[max(0, checks[0] - 4):checks[0]])
    return RAN_WORDS if is_run else frozenset()


@lru_cache(maxsize=1)
def runners() -> dict[str, str]:
    """The command that a runner's name means in a sentence: "pytest", "go test"."""
    names = [word.replace(":", " ") for word in families_by_program() if word not in ENGLISH_PROGRAMS]
    names += [f"{runner} {task}" for runner in PAIRED_RUNNERS for task in ("test", "build", "lint")]
    return {**{name: name for name in names}, **SHORT_NAMES}


def tells_of_mended(words: Sequence[str], claim: Claim, line: str) -> bool:
    """Whether something is called failing and something else good, or the line tells of what was mended."""
    rest = set[str]().union(*around(words, claim["begin"], claim["end"]))
    return claim["state"] == "failing" and not (
        CALLED_GOOD.isdisjoint(rest) and MENDED.isdisjoint(sentence_words(line)) and {"0", "none"}.isdisjoint(words))


# --- what the record has ---


def runs_in(items: Sequence[Item]) -> list[CheckRun]:
    """The newest runs of checks, the last one last; "unknown" is one that may have been mended within its line."""
    uses: Item = {"uses": 1}
    actions = sorted((item for item in items if item["kind"] == "action" and item.get("family") in CHECK_FAMILIES),
                     key=lambda action: action["position"])[-RUNS_COMPARED_MAX:]
    runs = [run for run in check_runs([{**uses, **action} for action in actions]) if run["verdict"] != "not run"]
    for run in runs:
        if not run["is_certain"] and not stand_side_by_side(run["line"]):
            run["verdict"] = "unknown"
    return runs


def run_against(claimed: tuple[str, str, Check | None], count: str, runs: Sequence[CheckRun]) -> CheckRun | None:
    """The run that speaks against what is claimed of a check, or of all of a family: its last one, ended otherwise.

    Or with another number than the claimed one, which no run has. A run of less that passed says nothing of the whole,
    nor a failed one behind which another passed that may have run the same.
    """
    state, family, check = claimed
    alike = [run for run in runs if run["family"] == family and (not check or run["check"]["name"] == check["name"])]
    if check:  # of several of a line one has failed, perhaps not this one
        alike = [run if run["is_certain"] else {**run, "verdict": "unknown"} for run in alike]
    telling = [run for run in alike if tells_of(run, check, state)]
    if not telling:
        return None
    last = telling[-1]
    if state == "passing":
        last = next((run for run in telling if run["verdict"] == "failed" and is_beside(run, last)), last)
    later = [run for run in runs if run["position"] > last["position"]]
    if state == "passing" and last["verdict"] == "failed":
        is_of_others = count and f"{count} pass" in last["result"]
        speaks_against = not is_of_others and not any(may_cover(run, last) for run in later)
    elif state == "failing" and last["verdict"] == "passed":
        speaks_against = all(run["verdict"] == "passed" for run in later if run in alike)
    else:
        is_sure = is_as_broad(last["check"], check) and (check or len({run["name"] for run in alike}) == 1)
        speaks_against = bool(is_sure and count) and has_other_count(state, count, last, alike)
    return last if speaks_against else None


def tells_of(run: CheckRun, named: Check | None, state: str) -> bool:
    """Whether the run tells of what is named, which is no more; of what is called passing, one of no more."""
    if state == "passing" and run["verdict"] != "passed":
        return not named or covers_check(named, run["check"])
    return is_as_broad(run["check"], named)


def has_other_count(state: str, count: str, last: CheckRun, alike: Sequence[CheckRun]) -> bool:
    """Whether the last run ended as claimed, with numbers, and no run has the claimed one."""
    total = sum(map(int, re.findall(COUNTED_TESTS, last["result"].lower())))
    numbers = {number for run in alike for number in re.findall(r"\d{1,6}", run["result"])}
    return (last["verdict"] == {"passing": "passed", "failing": "failed"}[state] and bool(numbers)
            and count.partition("/")[0] not in {*numbers, str(total)})


def is_as_broad(check: Check, named: Check | None) -> bool:
    """Whether a run is of no less than what is named: a whole one, where only the family is."""
    return covers_check(check, named) if named else not check["limits"]


def may_cover(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a later run may have run the failed one's checks, under another name too: a task or a script may."""
    check, before = later["check"], failed["check"]
    return (later["verdict"] not in ("failed", "running") and later["family"] == failed["family"]
            and (not check["runner"] or not before["runner"] or check["name"] == before["name"]))


def tells_failure(statements: Sequence[Statement], run: CheckRun) -> bool:
    """Whether the summary tells somewhere that checks of the family fail, or names what failed in this run."""
    names = [name for name in re.findall(r"[A-Za-z_][\w.:/-]{5,120}", run["result"])
             if re.search(r"[_./:]|[a-z][A-Z]", name)]
    about = {"test": {"test", "tests", "suite", "specs"}}.get(run["family"], {run["family"], f"{run['family']}er"})
    return any(any(name in statement["line"] for name in names) or (
        about & {*statement["words"]} and MENDED.isdisjoint(statement["words"])
        and not CALLED_BAD.isdisjoint(statement["words"])) for statement in statements)


def run_in_words(run: CheckRun) -> str:
    """What the record has of the run."""
    command = " ".join(run["command"].split())
    command = command if len(command) <= COMMAND_SHOWN_CHARACTERS else f"{command[:COMMAND_SHOWN_CHARACTERS - 1]}…"
    moment = f" at {run['last'][11:16]} UTC" if len(str(run["last"])) >= 16 else ""
    result = f": {run['result']}" if run["result"] else ""
    return f"the last run of `{command}`{moment} {run['verdict']}{result}"
