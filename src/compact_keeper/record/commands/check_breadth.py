"""How much a check looks at: what its options and targets leave out, and whether it is as broad as another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.check_programs import CODE_OF_TESTS, OPTIONS_WITH_VALUE
from compact_keeper.record.commands.programs import PROGRAMS_OF_CODE, SYNTAX_CHECKS, TASK_RUNNERS
from compact_keeper.record.commands.shell import without_redirections
from compact_keeper.text.paths import as_compared, is_at_or_below, is_whole_path, same_file
from compact_keeper.types import Check

WORDS_MAX = 400  # of a command the first words
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "--gtest_filter -tc -tce -ts -tse -sc -sce -sf -sfe --test-case --test-case-exclude --test-suite "
    "--test-suite-exclude --subcase --source-file --run_test --test-filter --match --folder --filter-tags "
    "-skip-testing").split())
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WORDS_ARE_TARGETS_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest", "lein test", "bats", "ava")
# Words that leave something out, of programs that take no other targets: code with something in its brackets;
# `core/test`, `"testOnly A"`.
NARROWING_WORDS = {
    **dict.fromkeys(PROGRAMS_OF_CODE, rf".*{CODE_OF_TESTS}\((?!\))"),
    "sbt": r"[\"']?(?:\S+/test\b|(?:\S+/)?test(?:Only|Quick)\b|project )"}
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_WITH_TARGETS = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_TARGETS = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
OWN_OPTIONS = {  # options that leave something out, and mean something else to other programs
    "bats": "-f", "clojure": "-n -v -i", "pio": "-f -i", "platformio": "-f -i", "prove": "--state"}
FOREIGN_OPTIONS = {  # options of LIMITING that mean something else to a program
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
    "Rscript": "-e",
    "R": "-e",
    "julia": "-e --project",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
HOOKS, ALL_FILES = "pre-commit", "--all-files"  # without that hooks look at what is staged
OF_OTHER_HOOKS = ("--hook-stage", "--stage", "-c", "--config")
SKIPPED_HOOKS = "SKIP="  # before a run: hooks that it leaves out
DULL_WORDS_OF_HOOKS = ("run", "-v", "--verbose", "--show-diff-on-failure")
LIMITS_MAX = 20
PART_FILTER = r"\w{3,200}$"  # a part of names, with nothing in it that a runner reads as a pattern
PARTS_FILTER = r"[\w/|]{1,900}$"  # several of them


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the targets that it names."""
    program, task = name.partition(" ")[0], name.rpartition(" ")[2]
    foreign, own = FOREIGN_OPTIONS.get(program, "").split(), OWN_OPTIONS.get(program, "").split()
    rest = without_redirections(words[:WORDS_MAX])[1:]
    limits, is_value, is_behind_dashes = list[str](), False, False
    for word, following in zip(rest, [*rest[1:], ""]):
        if word == "--":
            is_behind_dashes = True
        if is_value:
            is_value = False
        elif word == task:
            continue
        elif word.startswith("-") and word != "--":
            option = word.partition(":" if program == "xcodebuild" else "=")[0]
            if option in own or (option in LIMITING and option not in foreign):
                is_value = option == word and option not in WITHOUT_VALUE and following != ""
                limits.append(f"{word} {following}" if is_value else word)
            else:
                is_value = word in OPTIONS_WITH_VALUE and not following.startswith("-")
        elif name in SYNTAX_CHECKS or (word not in NO_TARGETS and is_target(word, name, is_behind_dashes)):
            limits.append(word)
    return limits[:LIMITS_MAX]


def is_target(word: str, name: str, is_behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if program in NARROWING_WORDS:
        return re.match(NARROWING_WORDS[program], word) is not None
    if is_behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_WITH_TARGETS:
        return re.match(FILE_FOR_TASK, word) is not None
    is_executable = "/" in program and "." not in program.rpartition("/")[2]  # `./build/rates_tests "[slow]"`
    takes_words = is_executable or program in WORDS_ARE_TARGETS_FOR or name in WORDS_ARE_TARGETS_FOR
    return "/" in word or takes_words or re.search(r"\.\w{1,8}$", word) is not None


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    return is_same_name(later, earlier) and not are_elsewhere(later, earlier) and covers_all_of(later, earlier)


def may_cover_check(later: Check, earlier: Check) -> bool:
    """Whether one check may be of the breadth of another: it ran in a folder above, or where nobody knows."""
    is_above = is_at_or_below(earlier["folder"], later["folder"])
    are_known = is_whole_path(earlier["folder"]) and is_whole_path(later["folder"])
    return is_same_name(later, earlier) and (is_above or not are_known) and covers_all_of(later, earlier)


def covers_all_of(later: Check, earlier: Check) -> bool:
    """Whether one check leaves out nothing that another of its name did not, by their targets and options."""
    if not covers_targets(later, earlier):
        return False
    if build_targets_of(later) != build_targets_of(earlier) or not covers_hooks(later, earlier):
        return False
    options, earlier_options = options_in(later), options_in(earlier)
    modes = {option for option in options if option.startswith(MODES)}
    earlier_modes = {option for option in earlier_options if option.startswith(MODES)}
    if modes != earlier_modes:
        return False
    return all(option in earlier_options or chooses_within(option, earlier_options) for option in options)


def are_elsewhere(check: Check, other: Check) -> bool:
    """Whether the two ran in folders that are known, and are two."""
    folder, other_folder = check["folder"], other["folder"]
    is_apart = folder and other_folder and folder != other_folder  # mostly both are one: asked before they are spelled
    return bool(is_apart) and as_compared(folder) != as_compared(other_folder)


def is_same_name(check: Check, other: Check) -> bool:
    """Whether both are of one name; a script may be called by its whole path once, and from the project's folder."""
    name, other_name = check["name"], other["name"]
    if name == other_name or "/" not in name or "/" not in other_name:
        return name == other_name
    if is_whole_path(name) == is_whole_path(other_name):
        return name.removeprefix("./") == other_name.removeprefix("./")
    whole, seen = (check, other) if is_whole_path(name) else (other, check)
    from_folder = f"{seen['folder'].rstrip('/')}/{seen['name'].removeprefix('./')}"
    return same_file(whole["name"], from_folder.lstrip("/"))


def options_in(check: Check) -> set[str]:
    """The options among the check's limits, each with its value."""
    return {limit for limit in check["limits"] if limit.startswith("-")}


def targets_in(check: Check) -> list[str]:
    """The targets among the check's limits: the files, folders and tests that it names."""
    return [limit for limit in check["limits"] if not limit.startswith("-")]


def covers_targets(later: Check, earlier: Check) -> bool:
    """Whether the targets of one check hold all those of the other; a check that names none looks everywhere."""
    targets, earlier_targets = targets_in(later), targets_in(earlier)
    if not targets:
        return True
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return bool(earlier_targets) and all(
        any(is_within(target, whole, has_folders) for whole in targets) for target in earlier_targets)


def covers_hooks(later: Check, earlier: Check) -> bool:
    """Whether a run of git's hooks is of all those of another, and of its files; also where they are other checks."""
    if later["runner"] != HOOKS:
        return True
    words, others = words_of_hooks(later), words_of_hooks(earlier)
    options = {word for word in others if word.startswith("-")}
    is_of_all = options.isdisjoint(OF_OTHER_HOOKS) if words == {ALL_FILES} else not (words or options)
    return (words == others or is_of_all) and SKIPPED_HOOKS not in later["typed"]


def words_of_hooks(check: Check) -> set[str]:
    """The words of a run of hooks that choose some of them, or their files."""
    words = {ALL_FILES if word == "-a" else word for word in check["command"].split()[1:]}
    return words - {*DULL_WORDS_OF_HOOKS}


def build_targets_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    targets = tuple(name.strip("\"'") for name in named)
    return (*targets, "Simulator") if "imulator" in check["command"] else targets


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, part = option_and_value(limit)
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(PART_FILTER, part):
        return False
    for other in earlier:
        name, value = option_and_value(other)
        value = value.strip("\"'^$()")
        if name == option and re.match(PARTS_FILTER, value) and all(part in word for word in value.split("|")):
            return True
    return False


def option_and_value(limit: str) -> tuple[str, str]:
    """An option and its value, of `-run TestA` or `--grep=TestA`."""
    option, _, value = limit.replace("=", " ", 1).partition(" ")
    return option, value


def is_within(target: str, whole: str, has_folders: bool) -> bool:
    """Whether the target of a check is the other, or a part of it."""
    target = target.strip("\"'").removeprefix("./")
    whole = whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{target.removesuffix('/...')}/".startswith(whole[:-3])
    if target.rstrip("/") == whole:
        return True
    return has_folders and target.startswith((f"{whole}/", f"{whole}::", f"{whole}["))
