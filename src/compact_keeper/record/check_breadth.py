"""How much a check looks at: what its options and places leave out, and whether it is as broad as another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.check_programs import OPTIONS_WITH_VALUE, TASK_RUNNERS
from compact_keeper.record.shell import without_redirections
from compact_keeper.types import Check

WORDS_MAX = 400  # of a command the first words
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "-skip-testing").split())
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NO_VALUE_FOR = {  # options that mean something else there
    "go": "-p -m -k -t -g -E -L -R -e",
    "make": "-k -t -p -e -R -L -m",
    "mypy": "-p",
    "tsc": "-t -m",
    "eslint": "-p",
    "node": "--test",
    "cc": "-g -E -L -m",
    "gcc": "-g -E -L -m",
    "g++": "-g -E -L -m",
    "clang": "-g -E -L -m",
    "pytest": "-p -t -g -R -L -E -e",
    "docker": "-t -m --tag",
    "dotnet": "-m -p -t",
    "esbuild": "-g",
    "gradle": "-p -m -t",
    "mvn": "-e -f -t",
    "cargo": "-k -m -t",
    "swift": "-k",
    "shellcheck": "-e",
    "black": "-t",
    "xcodebuild": "-t",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WORDS_ARE_PLACES_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest")
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_OF_PLACES = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_PLACES = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the places that it names."""
    program = name.partition(" ")[0]
    others = NO_VALUE_FOR.get(program, "").split()
    limits, skips, rest = list[str](), 0, without_redirections(words[:WORDS_MAX])[1:]
    task, behind_dashes = name.rpartition(" ")[2], False
    for place, word in enumerate(rest):
        option = word.partition(":" if program == "xcodebuild" else "=")[0]
        behind_dashes |= word == "--"
        if skips:
            skips -= 1
        elif word.startswith("-") and word != "--":
            if option in LIMITING and option not in others:
                has_value = option == word and option not in WITHOUT_VALUE and place + 1 < len(rest)
                limits.append(f"{word} {rest[place + 1]}" if has_value else word)
                skips = int(has_value)
            elif word in OPTIONS_WITH_VALUE and not "".join(rest[place + 1:place + 2]).startswith("-"):
                skips = 1
        elif word not in (task, *NO_PLACES) and is_place(word, name, behind_dashes):
            limits.append(word)
    return limits[:20]


def is_place(word: str, name: str, behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_OF_PLACES:
        return bool(re.match(FILE_FOR_TASK, word))
    takes_words = program in WORDS_ARE_PLACES_FOR or name in WORDS_ARE_PLACES_FOR
    return "/" in word or takes_words or bool(re.search(r"\.\w{1,8}$", word))


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    if later["name"] != earlier["name"] or len({later["folder"], earlier["folder"]} - {""}) > 1:
        return False
    if target_of(later) != target_of(earlier):
        return False
    options = [{limit for limit in check["limits"] if limit.startswith("-")} for check in (later, earlier)]
    modes = [{limit for limit in chosen if limit.startswith(MODES)} for chosen in options]
    if modes[0] != modes[1] or not all(limit in options[1] or chooses_within(limit, options[1])
                                       for limit in options[0]):
        return False
    places = [limit for limit in later["limits"] if not limit.startswith("-")]
    earlier_places = [limit for limit in earlier["limits"] if not limit.startswith("-")]
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return not places or (bool(earlier_places) and all(
        any(is_within(place, whole, has_folders) for whole in places) for place in earlier_places))


def target_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    return (*(name.strip("\"'") for name in named), "Simulator" * ("imulator" in check["command"]))


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, _, part = limit.replace("=", " ", 1).partition(" ")
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(r"\w{3,200}$", part):
        return False
    chosen = [value.strip("\"'^$()") for name, _, value in (other.replace("=", " ", 1).partition(" ")
                                                          for other in earlier) if name == option]
    return any(re.match(r"[\w/|]{1,900}$", value) and all(part in name for name in value.split("|"))
               for value in chosen)


def is_within(place: str, whole: str, has_folders: bool) -> bool:
    """Whether the place that a check names is the other, or a part of it."""
    place, whole = place.strip("\"'").removeprefix("./"), whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{place.removesuffix('/...')}/".startswith(whole[:-3])
    return place.rstrip("/") == whole or (has_folders and place.startswith((f"{whole}/", f"{whole}::", f"{whole}[")))
