"""Tests, builds and linters that a summary calls passed or failing while their last run says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.record.commands import checks_in, covers_check, known_programs
from compact_keeper.record.runs import CHECK_FAMILIES
from compact_keeper.record.statements import has_any, is_open_ended
from compact_keeper.types import Check, Item, ItemRun, Statement

COMMAND_SHOWN_CHARACTERS, RUNS_COMPARED_MAX = 90, 40
TROUBLES = (r"(?:errors?|warnings?|complaints?|issues?|failures?|problems?|findings?|offen[sc]es?|failed|failing"
            r"|fehler|fehlgeschlagen|erreurs?|échecs?|errores|fallos)")
COUNTED_TROUBLE = (rf"(?<![\w.,/-])(?:([1-9]\d{{0,5}})(?: tests?)?|0|no|zero|without(?: any)?|ohne|keine|sans"
                   rf"|aucune?|sin|ningún) {TROUBLES}\b")
SOME_TROUBLE = r"(\d+) §"  # in the text that `with_counts` gives
WHOLE_TROUBLE = rf"{SOME_TROUBLE}(?=\W*$|\W*[,;(]| (?:in|and|out of) \d)"  # "2 errors in a.py" are not all
CLAIM_END = (  # what may follow: "passes under load" and "clean up" claim something else
    r"(?=[^\w`]*(?:$|[.,;:!()✅✓—–-]|durch\b|and\b|but\b|now\b|again\b|including\b|on `|with \d|in \d|(?:across|on|for"
    r"|in) all\b"
    r"|with(?:out)? (?:no |any |zero )?(?:errors?|warnings?|complaints?|issues?|failures?|problems?)))")
CLAIMED_PASSING = (r"\b(?:pass(?:es|ing|ed)?|succeeds?|succeeded|green|clean(?:ly)?|exits? (?:with )?0|grün"
                   r"|fehlerfrei|passent|pasan|verdes?)\b"
                   rf"{CLAIM_END}|✅|✓|\bok\b")
FAILING = (r"(?:\b(?:(?:is|are|still|currently|now) (?:still |currently |now )?(?:failing|broken|red)"
           r"|fails?|reports? errors?|schlägt (?:noch )?fehl|échoue|falla)\b|❌|✗)"
           r"(?! (?:for|when|as|under|at|if|(?:on|in) [^\d`])\b)")
FAILED_ONCE = r"\bfailed\W*$"  # of the past, unless no run failed
STILL = r"\b(?:still|currently|remain(?:s|ing)?)\b"
TROUBLE = r"\b(?:fail(?:s|ed|ing|ures?)?|broken?|not (?:yet )?(?:pass\w*|ok)|red|schlägt|fehlgeschlagen)\b|❌|✗"
TROUBLE_WORDS = ("fail", "broken", "not ", "red", "❌", "✗", "schlägt", "fehlg")
CLAIM_WORDS = ("pass", "succe", "green", "clean", "exit", "✅", "✓", "ok", "grün", "fehler", "pasan", "verde", "falla",
               "échoue", "report",
               "error", "offen", "problem", "issue", "finding", "warning", *TROUBLE_WORDS)
MENDED = r"\b(?:fixed|resolved|solved|no longer|fix(?:es)?)\b|(?:fail|error|problem|✅)[^→]*→"
OTHER_PASSES = (  # "some pass", and "clean-up"
    r"\b(?:not|no|never|\w+n['’]t|without|zero|some|most|many|half|nicht|pas|no)\s+(?:\w+\s+){0,2}"
    r"(?:pass|succe|green|clean|ok\b|grün)|\bclean-|^pass |\bpass \w+ to\b")
FAMILY_SUBJECTS = {  # "all tests" is everything; "the new tests" and "crypto tests" nobody can look up
    "test": r"(?:all |the |every |all the |alle |les |tous les |todos los )?(?:of the )?(?:\d{1,6}(?:/\d{1,6})? )?"
            r"(?:full |whole |entire )?(?:tests?|test suite|suite)",
    "build": r"(?:the )?(?:full |whole |entire )?(?:project )?builds?",
    "lint": r"(?:the )?(?:lint|linter|linting)(?: checks?)?",
    "types": r"(?:the )?type[ -]?check(?:s|ing|er)?"}
FAMILY_WORDS = {"test": ("test", "suite"), "build": ("build",), "lint": ("lint",), "types": ("type",)}
PREDICATE = (r"(?:\s*[:–—-])?\s+(?:all |now |currently |still |is |are |✅ |❌ |\d{1,6}(?:/\d{1,6})? )*"
             r"(?:(?:pass(?:es|ing|ed)?|green|clean|succeeds?|failing|fails?|broken|red|passent|pasan|grün)\b|✅|❌)")
CLAUSE_END = r",\s+(?:and\s+)?|\s+(?:and|but)\s+|\s+[–—]\s+"
COUNT_IN_CLAUSE = r"\b(\d{1,6})(?:/\d{1,6})? (?:tests? |examples? |tests )?(?:all )?(?:now )?(?:are )?pass"
COUNT_PASSED = r"(\d{1,6}) (?:passed|passing|pass\b|succeeded)|\bpass(?:ed)?:? (\d{1,6})"
ENGLISH_PROGRAMS = frozenset((  # also words of a sentence
    "black task just make gmake ty cc tap prove ava invoke rush moon mise xo revive behave pest go node bun rake poe "
    "nx parcel hugo").split())
PAIRED_RUNNERS = ("npm", "pnpm", "yarn", "gradle", "mvn")  # "npm test" in plain words
SHORT_NAMES = {"ruff": "ruff check", "clippy": "cargo clippy", "nextest": "cargo nextest", "credo": "mix credo",
               "dialyzer": "mix dialyzer"}
PARTIAL = r"\b(\d{1,6})(?: of (?:the )?| von | sur | de |/)(?!\1\b)\d{1,6}\b"
QUALIFIED = r"(?:--[a-z][\w-]+|\b[A-Z_]{2,30}=\w+)"  # another run than one without it
FILLING = frozenset((  # between a check's name and its verdict
    "is are now all test tests examples everything still currently again run runs suite both the for on in of with "
    "report reports find finds found has shows end ends exit exits check checks builds completes compiles finishes "
    "läuft ist sind les no").split())
VERDICTS = ("pass", "succe", "clean", "grün", "fehl", "pasan", "fail", "schlägt", "échoue", "falla", "error",
            "warning", "complaint", "issue", "problem", "finding", "offen", "erreur", "échec", "fallo")
SHORT_VERDICTS = frozenset("ok 0 green broken red without ohne sans sin zero keine aucune ✅ ✓ ❌ ✗".split())
OF_OUTPUT = ("output", "log", "message", "case", "mode")  # "failure output" is no verdict
DIRECT_CALL = r"\b(?:pnpm|yarn)(?: exec)? (?=([\w-]{1,40}))"  # of a program, or of a script of its name
WHOLE_PLACES = (".", "./", "./...")
PLACE_LIKE = r"\w[._/]\w"  # in a label: "test_a.py: 5 passed"
CODE, PLACE = r"`([^`\n]{2,300})`", r"(?i)\b(?:for|on|in|of|against|auf|für|sur|pour|en) `([\w@.+/-]{1,120})`"


def check_claims(statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what the record has of the check that it names."""
    runs: list[ItemRun] | None = None
    for statement in statements:
        if not has_any(statement["text"], *CLAIM_WORDS) or is_open_ended(statement["text"]):
            continue
        for text in re.split(r";\s", statement["text"]):
            claim = claim_in(text, statement)
            if not claim or (statement["is_past"] and not (claim == "failing" and re.search(STILL, text.lower()))):
                continue
            runs = runs_in(items) if runs is None else runs
            for clause, family, check in checks_named(text):
                run = (untrue_pass(clause, family, check, runs, statements) if claim == "passing"
                       else untrue_failure(text, family, check, runs, claim))
                if run:
                    yield statement["text"], run_in_words(run)


def claim_in(text: str, statement: Statement) -> str:
    """What the text claims of a check: passing, failing, failed (which may be past), or nothing that is clear."""
    plain = with_counts(text.lower())
    passes = re.search(CLAIMED_PASSING, plain)
    if passes and not re.search(TROUBLE, plain) and not re.search(SOME_TROUBLE, plain):
        return "" if re.search(OTHER_PASSES, plain) or re.search(PARTIAL, plain) else "passing"
    if re.search(MENDED, statement["line"].lower()) or re.search(CLAIMED_PASSING, re.sub(COUNT_PASSED, "", plain)):
        return ""
    if re.search(FAILING, plain) or re.search(SOME_TROUBLE, plain):
        return "failing"
    return "failed" if re.search(FAILED_ONCE, plain) else ""


def with_counts(text: str) -> str:
    """The text with a tick for "no errors" and "3 §" for three of whatever trouble."""
    return re.sub(COUNTED_TROUBLE, lambda match: f"{match[1]} §" if match[1] else "✅", text)


def runs_in(items: Iterable[Item]) -> list[ItemRun]:
    """The newest runs of checks, the last one last: {item, check, verdict}; "unknown" is one whose own end is not."""
    newest = sorted((item for item in items if item["kind"] == "action" and item.get("family") in CHECK_FAMILIES),
                    key=lambda item: item["position"])[-RUNS_COMPARED_MAX:]
    runs: list[ItemRun] = []
    for item in newest:
        checks = plain_checks(item["text"])
        families = [check["family"] for check in checks]
        for check in checks if item.get("verdict") != "not run" else ():
            is_own = item["verdict"] == "passed" or (
                item["verdict"] == "failed" and len(checks) == 1) or (
                item["verdict"] == "failed" and check["family"] == item["family"] != "test"
                and families.count(check["family"]) == 1)
            runs.append({"item": item, "check": check, "verdict": item["verdict"] if is_own else "unknown"})
    return runs


def plain_checks(command: str) -> list[Check]:
    """The checks of a command, `pnpm jest` as jest."""
    return checks_in(re.sub(DIRECT_CALL, lambda match: "" if match[1] in known_programs() else match[0], command))


def checks_named(text: str) -> Iterator[tuple[str, str, Check | None]]:
    """The checks that a sentence names: by a command in ticks, by a runner, or as all of a family; with the clause."""
    places = [name for name in re.findall(PLACE, text) if not any(check["runner"] for check in checks_in(name))][:1]
    place = "".join(f" {name}" for name in places)
    words = [(match[0], match) for match in re.finditer(r"`[^`\n]{0,300}`|[^\s`]+", text)]
    in_code: list[tuple[Check, re.Match[str]]] = []
    in_words: list[tuple[Check, re.Match[str]]] = []
    for (word, match), (following, _) in zip(words, [*words[1:], ("", None)]):
        if word.startswith("`"):
            code = word.strip("`")
            is_check = bool(plain_checks(code)) and code not in places
            in_code += [(check, match) for check in (plain_checks(f"{code}{place}") if is_check else ())]
        elif command := command_of(word.strip("*_,.;:()[]"), following.strip("*_,.;:()[]")):
            in_words += [(check, match) for check in checks_in(f"{command}{place}")]
    named = [*in_code, *((check, match) for check, match in in_words
                         if check["name"] not in [other["name"] for other, _ in in_code])]
    if named:
        for check, match in named:
            is_there = {*places} <= {*check["limits"], *WHOLE_PLACES}
            if check["family"] in CHECK_FAMILIES and is_there and has_verdict(text[:match.start()], text[match.end():]):
                yield text, check["family"], check
        return
    clauses = re.split(CLAUSE_END, re.sub(r"[*_`]|\([^)\n]{0,200}\)", "", text.lower()))
    labelled = [part for clause in clauses if not re.search(PLACE_LIKE, clause.partition(": ")[0])
                for part in clause.split(": ")[1:]]
    for clause in (*clauses, *labelled):
        for family, subject in FAMILY_SUBJECTS.items():
            may_be_named = has_any(clause, *FAMILY_WORDS[family])
            is_named = may_be_named and re.match(rf"\W*(?:now )?{subject}{PREDICATE}", clause)
            if is_named or (family == "test" and re.match(
                    r"\s*(?:all )?\d{1,6}(?:/\d{1,6})? (?:tests? )?passed\b", clause)):
                yield clause, family, None


def command_of(word: str, following: str) -> str:
    """The command that a word of a sentence means, with the one behind it; empty: none."""
    lower = word.lower()
    if f"{word}:{following}" in known_programs() or (word in PAIRED_RUNNERS and following):
        return f"{word} {following}"
    return SHORT_NAMES.get(lower, lower if lower in known_programs() and lower not in ENGLISH_PROGRAMS else "")


def has_verdict(before: str, behind: str) -> bool:
    """Whether a verdict stands right behind a check's name, or it stands in brackets or alone behind the verdict."""
    rest = re.sub(r"`[^`\n]{0,300}`", " ", behind)
    words = re.findall(r"[^\W_]+|[✅✓❌✗]", rest.lower())
    place = next((place for place, word in enumerate(words) if word not in FILLING and not (
        word.isdigit() and word != "0")), len(words))
    first, following = "".join(words[place:place + 1]), "".join(words[place + 1:place + 2])
    is_verdict = first in SHORT_VERDICTS or first.startswith(VERDICTS)
    if first and is_verdict and not following.startswith(OF_OUTPUT):
        return not (re.match(r"\W*[✅✓❌✗]", rest) and re.search(r"\w\s*$", before))
    is_alone = bool(re.match(r"\W*(?:$|[,;.)])", rest))
    return is_alone and bool(re.search(r"[✅✓❌✗]\W*$|\((?:with |via |using )?`?$", before))


def untrue_pass(clause: str, family: str, check: Check | None, runs: Sequence[ItemRun],
                statements: Sequence[Statement]) -> ItemRun | None:
    """The run that speaks against a check's passing: the last one failed, or passed another number of tests.

    A run of less that passed says nothing of the whole.
    """
    last = next((run for run in reversed(runs) if (
        covers_check(check, run["check"]) if check else run["check"]["family"] == family)
        and (run["verdict"] != "passed" or is_as_broad(run["check"], check))), None)
    if not last or last["verdict"] == "unknown" or any(
            option not in last["item"]["text"] for option in re.findall(QUALIFIED, clause)):
        return None
    count = re.search(COUNT_IN_CLAUSE, clause.lower())
    of_tests = [run for run in runs if run["check"]["family"] == "test"]
    later = [run["item"]["result"] for run in runs[runs.index(last) + 1:]]
    if last["verdict"] == "failed":
        own = {number for number in re.findall(r"\b\d{2,6}\b", clause) if number in last["item"]["result"]
               and not any(number in result for result in later)}  # a count that only the whole run has
        is_of_more = count and scope_of(last["check"]) and any(
            run["verdict"] == "passed" and count[1] in re.findall(r"\d+", run["item"]["result"]) for run in of_tests)
        is_covered = is_of_more or (not own and any(may_cover(run, last) for run in runs[runs.index(last) + 1:]))
        return None if is_covered or tells_failure(statements, family, last["item"]) else last
    is_sure = check or (len({run["check"]["name"] for run in of_tests}) == 1 and not scope_of(last["check"]))
    result = last["item"]["result"].lower()
    if not count or family != "test" or not is_sure or len(re.findall(COUNT_PASSED, result)) != 1:
        return None
    numbers = {int(number) for run in of_tests if not check or run["verdict"] != "failed"
               for number in re.findall(r"\d{1,6}", run["item"]["result"])}
    total = sum(map(int, re.findall(r"(\d{1,6}) (?:passed|skipped|xfailed|todo)", result)))
    return None if int(count[1]) in {*numbers, total} else last


def untrue_failure(text: str, family: str, check: Check | None, runs: Sequence[ItemRun],
                   claim: str) -> ItemRun | None:
    """The run that speaks against a check's failing: the last one, as broad as what is named, passed.

    Or it failed with another number of failures, and no run has the claimed one.
    """
    alike = [run for run in runs if run["check"]["family"] == family
             and (not check or run["check"]["name"] == check["name"])]
    if not alike or (claim == "failed" and any(run["verdict"] != "passed" for run in alike)):
        return None
    last = next((run for run in reversed(alike) if is_as_broad(run["check"], check)), None)
    if not last or any(run["verdict"] != "passed" for run in alike[alike.index(last) + 1:]):
        return None
    if last["verdict"] == "passed":
        return last
    said = re.search(WHOLE_TROUBLE, with_counts(text.lower())) if check and last["verdict"] == "failed" else None
    numbers = {number for run in alike for number in re.findall(r"\d{1,6}", run["item"]["result"])}
    result = with_counts(last["item"]["result"].lower())
    has_count = re.search(SOME_TROUBLE, result) and is_as_broad(last["check"], check)
    return last if said and has_count and said[1] not in numbers else None


def is_as_broad(check: Check, named: Check | None) -> bool:
    """Whether a run is of no less than what is named: a whole one, where only the family is."""
    return covers_check(check, named) if named else not scope_of(check)


def scope_of(check: Check) -> list[str]:
    """What makes the check less than a whole run, without what its output went through."""
    return [limit for limit in check["limits"] if not limit.startswith("|")]


def may_cover(later: ItemRun, failed: ItemRun) -> bool:
    """Whether a later run may have run the failed one's checks, under another name too: a task or a script may.

    One of some places does not where the failed run's result names others.
    """
    check, before, result = later["check"], failed["check"], failed["item"]["result"]
    places = [place.strip("./") for place in scope_of(check) if not place.startswith("-")]
    is_elsewhere = places and "/" in result and not any(place in result for place in places)
    return (later["verdict"] != "failed" and later["item"]["verdict"] != "running" and not is_elsewhere
            and check["family"] == before["family"]
            and (not check["runner"] or not before["runner"] or check["name"] == before["name"]))


def tells_failure(statements: Sequence[Statement], family: str, item: Item) -> bool:
    """Whether the summary tells somewhere that checks of the family fail, or names what failed in this run."""
    names = [name for name in re.findall(r"[A-Za-z_][\w.:/-]{5,120}", item["result"])
             if re.search(r"[_./:]|[a-z][A-Z]", name)]
    word = {"test": r"\b(?:tests?|suite|specs?)\b", "types": r"\btype"}.get(family, rf"\b{family}")
    lines = dict.fromkeys(statement["line"] for statement in statements)
    if any(name in line for name in names for line in lines):
        return True
    troubled = (line.lower() for line in lines if has_any(line, *TROUBLE_WORDS))
    return any(re.search(TROUBLE, line) and re.search(word, line) and not re.search(MENDED, line) for line in troubled)


def run_in_words(run: ItemRun) -> str:
    """What the record has of the run."""
    item = run["item"]
    command = " ".join(item["text"].split())
    command = command if len(command) <= COMMAND_SHOWN_CHARACTERS else f"{command[:COMMAND_SHOWN_CHARACTERS - 1]}…"
    moment = f" at {item['last'][11:16]} UTC" if len(str(item.get("last", ""))) >= 16 else ""
    result = f": {item['result']}" if item.get("result") else ""
    return f"the last run of `{command}`{moment} {run['verdict']}{result}"
