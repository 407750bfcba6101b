"""Tests, builds and linters that a summary calls passed or failing while their last run says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.record.commands import checks_in, covers_check, family_of, known_programs
from compact_keeper.record.statements import has_any, is_of_now
from compact_keeper.types import Check, Item, ItemRun, Statement

COMMAND_SHOWN_CHARACTERS, RUNS_COMPARED_MAX = 90, 40
CLAIM_END = (  # what may follow: "passes under load" and "clean up" claim something else
    r"(?=\W*(?:$|[.,;:!()✅✓—–-]|and\b|but\b|now\b|again\b|including\b|with \d|in \d"
    r"|with(?:out)? (?:no |any |zero )?(?:errors?|warnings?|complaints?|issues?|failures?|problems?)))")
CLAIMED_PASSING = (r"(?i)\b(?:pass(?:es|ing|ed)?|succeeds?|succeeded|green|clean"
                   rf"|0 (?:issues|errors|warnings|problems))\b{CLAIM_END}|✅")
CLAIMED_FAILING = (r"(?i)\b(?:(?:is|are|still|currently|now) (?:still |currently |now )?(?:failing|broken|red)"
                   r"|(?:still |currently )fails?)\b(?! (?:for|when|as|under|at|in|if)\b)")
TROUBLE = r"(?i)\b(?:fail(?:s|ed|ing|ures?)?|broken|not (?:yet )?pass\w*|red)\b"
TROUBLE_WORDS = ("fail", "broken", "not ", "red")
MENDED = r"(?i)\b(?:fixed|resolved|solved|no longer|fix(?:es)?)\b|→"
OTHER_PASSES = (  # "some pass", and "clean-up"
    r"(?i)\b(?:not|no|never|\w+n['’]t|without|zero|some|most|many|half)\s+(?:\w+\s+){0,2}(?:pass|succe|green|clean)"
    r"|\bclean-|^pass ")
FAMILY_SUBJECTS = {  # "all tests" is everything; "the new tests" and "crypto tests" nobody can look up
    "test": r"(?:all |the |every |all the )?(?:of the )?(?:\d{1,6}(?:/\d{1,6})? )?(?:full |whole |entire )?"
            r"(?:tests?|test suite|suite)",
    "build": r"(?:the )?(?:full |whole |entire )?(?:project )?builds?",
    "lint": r"(?:the )?(?:lint|linter|linting)(?: checks?)?",
    "types": r"(?:the )?type[ -]?check(?:s|ing|er)?"}
FAMILY_WORDS = {"test": ("test", "suite"), "build": ("build",), "lint": ("lint",), "types": ("type",)}
PREDICATE = (r"\s+(?:all |now |currently |still |is |are )*"
             r"(?:pass(?:es|ing)?|green|clean|succeeds?|failing|fails?|broken|red)\b")
CLAUSE_END = r",\s+(?:and\s+)?|\s+(?:and|but)\s+|\s+[–—]\s+|: "
COUNT_IN_CLAUSE = r"(?i)\b(\d{1,6})(?:/\d{1,6})? (?:tests? )?(?:all )?(?:now )?(?:are )?pass"
COUNT_PASSED = r"(?i)(\d{1,6}) (?:passed|passing|pass\b|succeeded)|\bpass(?:ed)?:? (\d{1,6})"
ENGLISH_PROGRAMS = frozenset((  # also words of a sentence
    "black task just make gmake ty cc tap prove ava invoke rush moon mise xo revive behave pest go node bun rake poe "
    "nx parcel hugo").split())
PAIRED_RUNNERS = ("npm", "pnpm", "yarn", "gradle", "mvn")  # "npm test" in plain words


def check_claims(statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what the record has of the check that it names."""
    runs: list[ItemRun] | None = None
    for statement in statements:
        text = statement["text"]
        if not has_any(text, "pass", "succe", "green", "clean", "0 ", "✅", "fail", "broken", "red"):
            continue
        is_pass = bool(re.search(CLAIMED_PASSING, text)) and not re.search(TROUBLE, text)
        if not (is_pass or (re.search(CLAIMED_FAILING, text) and not re.search(MENDED, text))):
            continue
        if re.search(OTHER_PASSES, text) or not is_of_now(statement):
            continue
        runs = runs_in(items) if runs is None else runs
        for clause, family, check in checks_named(text):
            run = (untrue_pass(clause, family, check, runs, statements) if is_pass
                   else untrue_failure(family, check, runs))
            if run:
                yield text, run_in_words(run)


def runs_in(items: Iterable[Item]) -> list[ItemRun]:
    """The newest runs of checks, the last one last: {item, check, verdict}; "unknown" is one whose own end is not."""
    newest = sorted((item for item in items if item["kind"] == "action" and item.get("family") in FAMILY_SUBJECTS),
                    key=lambda item: item["position"])[-RUNS_COMPARED_MAX:]
    runs: list[ItemRun] = []
    for item in newest:
        checks = checks_in(item["text"])
        families = [check["family"] for check in checks]
        for check in checks if item.get("verdict") != "not run" else ():
            is_own = item["verdict"] == "passed" or (
                item["verdict"] == "failed" and len(checks) == 1) or (
                item["verdict"] == "failed" and check["family"] == item["family"] != "test"
                and families.count(check["family"]) == 1)
            runs.append({"item": item, "check": check, "verdict": item["verdict"] if is_own else "unknown"})
    return runs


def checks_named(text: str) -> Iterator[tuple[str, str, Check | None]]:
    """The checks that a sentence names: by a command in ticks, by a runner, or as all of a family; with the clause."""
    named = [check for code in re.findall(r"`([^`\n]{2,300})`", text) for check in checks_in(code)]
    words = [word.strip("*_,.;:()[]") for word in re.sub(r"`[^`\n]{0,300}`", " ` ", text).split()]
    for place, word in enumerate(words):
        pair = [word, *words[place + 1:place + 2]]
        is_pair = ":".join(pair) in known_programs() or (word in PAIRED_RUNNERS and len(pair) == 2)
        if is_pair or (word in known_programs() and word not in ENGLISH_PROGRAMS):
            family, name, runner = family_of(pair if is_pair else [word])
            if family:
                named.append({"family": family, "name": name, "runner": runner, "command": name, "folder": "",
                              "limits": [], "filters": [], "shows_exit": True, "in_background": False})
    if named:
        yield from ((text, check["family"], check) for check in named if check["family"] in FAMILY_SUBJECTS)
        return
    for clause in re.split(CLAUSE_END, re.sub(r"[*_`]|\([^)\n]{0,200}\)", "", text)):
        for family, subject in FAMILY_SUBJECTS.items():
            may_be_named = has_any(clause, *FAMILY_WORDS[family])
            is_named = may_be_named and re.match(rf"(?i)\s*(?:now )?{subject}{PREDICATE}", clause)
            if is_named or (family == "test" and re.match(
                    r"(?i)\s*(?:all )?\d{1,6}(?:/\d{1,6})? (?:tests? )?passed\b", clause)):
                yield clause, family, None


def untrue_pass(clause: str, family: str, check: Check | None, runs: Sequence[ItemRun],
                statements: Sequence[Statement]) -> ItemRun | None:
    """The run that speaks against a check's passing: the last one failed, or passed another number of tests."""
    last = next((run for run in reversed(runs) if (
        covers_check(check, run["check"]) if check else run["check"]["family"] == family)), None)
    if not last or last["verdict"] == "unknown":
        return None
    if last["verdict"] == "failed":
        is_covered = any(may_cover(run, last) for run in runs[runs.index(last) + 1:])
        return None if is_covered or tells_failure(statements, family, last["item"]) else last
    count = re.search(COUNT_IN_CLAUSE, clause)
    of_tests = [run for run in runs if run["check"]["family"] == "test"]
    is_sure = check or len({run["check"]["name"] for run in of_tests}) == 1
    result = last["item"]["result"]
    if not count or family != "test" or not is_sure or scope_of(last["check"]) or len(
            re.findall(COUNT_PASSED, result)) != 1:
        return None
    numbers = {int(number) for run in of_tests for number in re.findall(r"\d{1,6}", run["item"]["result"])}
    total = sum(map(int, re.findall(r"(\d{1,6}) (?:passed|skipped|xfailed|todo)", result)))
    return None if int(count[1]) in {*numbers, total} else last


def untrue_failure(family: str, check: Check | None, runs: Sequence[ItemRun]) -> ItemRun | None:
    """The run that speaks against a check's failing: the last one, as broad as what is named, passed."""
    last = next((run for run in reversed(runs) if run["check"]["family"] == family
                 and (not check or run["check"]["name"] == check["name"])), None)
    if not last or last["verdict"] != "passed":
        return None
    is_whole = covers_check(last["check"], check) if check else not scope_of(last["check"])
    return last if is_whole else None


def scope_of(check: Check) -> list[str]:
    """What makes the check less than a whole run, without what its output went through."""
    return [limit for limit in check["limits"] if not limit.startswith("|")]


def may_cover(later: ItemRun, failed: ItemRun) -> bool:
    """Whether a later run may have run the failed one's checks, under another name too: a task or a script may."""
    check, before = later["check"], failed["check"]
    return (later["verdict"] != "failed" and check["family"] == before["family"]
            and (not check["runner"] or not before["runner"] or check["name"] == before["name"]))


def tells_failure(statements: Sequence[Statement], family: str, item: Item) -> bool:
    """Whether the summary tells somewhere that checks of the family fail, or names what failed in this run."""
    names = [name for name in re.findall(r"[A-Za-z_][\w.:/-]{5,120}", item["result"])
             if re.search(r"[_./:]|[a-z][A-Z]", name)]
    word = {"test": r"(?i)\b(?:tests?|suite|specs?)\b", "types": r"(?i)\btype"}.get(family, rf"(?i)\b{family}")
    lines = dict.fromkeys(statement["line"] for statement in statements)
    if any(name in line for name in names for line in lines):
        return True
    troubled = (line for line in lines if has_any(line, *TROUBLE_WORDS) and re.search(TROUBLE, line))
    return any(re.search(word, line) and not re.search(MENDED, line) for line in troubled)


def run_in_words(run: ItemRun) -> str:
    """What the record has of the run."""
    item = run["item"]
    command = " ".join(item["text"].split())
    command = command if len(command) <= COMMAND_SHOWN_CHARACTERS else f"{command[:COMMAND_SHOWN_CHARACTERS - 1]}…"
    moment = f" at {item['last'][11:16]} UTC" if len(str(item.get("last", ""))) >= 16 else ""
    result = f": {item['result']}" if item.get("result") else ""
    return f"the last run of `{command}`{moment} {run['verdict']}{result}"
