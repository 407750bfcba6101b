"""A form of a command that failed beside the form that worked: what was learned of how things are called here.

Only failures of the form count: no such option, no such task, no test found, the wrong folder. What failed as the code
was wrong was mended by an edit, and its command works in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.client.call_output import REFUSED_CALLS
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES, MAY_TEST
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.commands.programs import FILTERS, LOOKING_PROGRAMS
from compact_keeper.record.commands.shell import COMMANDS_KEPT, pieces_of, program_of, shell_words, without_redirections
from compact_keeper.record.endings import NOT_DONE, endings_of
from compact_keeper.record.outputs.telling_rows import says_error
from compact_keeper.types import Ending, Item, MendedForm

CALLS_BETWEEN_MAX = 7  # to the form that worked
ENDINGS_NEAR_MAX = 30  # looked at, however many earlier results stand there
RESULTS_MAX_CHARACTERS = 600
FORM_ERRORS = (  # what says that the command was not the right one, and what makes two the same; with words of each
    ("no test", r"no tests? (?:were )?found|no tests? (?:files )?(?:to run|ran|matched)|no test files found"),
    ("not found", "command not found|directory not found"),
    ("no such", "no such file or directory|no such (?:command|option|subcommand)"),
    ("no packages", "no packages to test"), ("no task", r"no task \S{1,80} found"),
    ("missing script", "missing script"), ("can't open", "can't open file"),
    ("cannot find", r"cannot find module ['\"](?:/|\w:)"),  # a script's whole path; a package's name is a dependency
    ("unrecognized", "unrecognized (?:arguments?|options?|subcommand|flag)"), ("unexpected", "unexpected argument"),
    ("invalid", "invalid (?:option|flag|argument)"), ("illegal", "illegal option"),
    ("unknown", "unknown (?:option|flag|shorthand flag|command|argument|subcommand|json field|revision)"),
    ("flag provided", "flag provided but not defined"), ("cannot write", "cannot write multiple packages"),
    ("build constraints", "build constraints exclude"), ("no go files", "no go files"),
    ("is not in std", "is not in std"), ("not a ", "not a git repository|not a valid object name"),
    ("pathspec", "pathspec"), ("does not", "does not exist|does not contain recipe"),
    ("no projects", "no projects matched"), ("no rule", "no rule to make target"),
    ("no matches", "no matches found"), ("is not recognized", "is not recognized"),
    ("required", "required (?:arguments?|options?|flags?)"), ("requires an", "requires an argument"),
    ("missing", "missing (?:arguments?|options?|flags?)"), ("must specify", "must specify"),
    ("defined", "tasks? defined"))
WRONG_FOLDER = r"(?i)no such file or directory|directory not found|tasks? defined|not a git repository"
WRONG_VALUE = ("unknown", "invalid", "unrecognized", "unexpected", "illegal")  # of an option: another one is a form
NO_SUCH_PATH = "does not exist"
LACKING_WORD = ("required", "requires an", "missing arg", "missing opt", "missing flag", "must specify")
PATH_SIGN = "/"
AMOUNT = r"\d{1,4}[a-zA-Z]{0,2}$"  # `-count=1`, `--timeout 30m`
OPTION_WITH_VALUE = r"(?s)(--?\w[\w-]{0,60})=(.*)"
ALL_BELOW = "..."  # of Go's patterns
MISSING_TASK = r"\S{1,80}(?= found)"  # a task's name in what a runner says of it
WHAT_OUTPUT_GOES_THROUGH = rf"\s*(?:2>&1|\|\| true$|\| (?:{'|'.join(FILTERS)})\b[^|&;]*)"
# A compiler's, with its row and column or number; TypeScript's from 5000 on are about how it was called.
ROW_OF_ERROR = r"[(:]\d{1,6}[,:]\d{1,5}\)?:? "
COMPILE_ERROR = ROW_OF_ERROR + r"|error(?: TS(?!5\d{3}\b)\d|\[E\d)"


def mended(actions: Sequence[Item]) -> list[MendedForm]:
    """Each form that failed with the one that worked, the newest first; of failures of one kind the last."""
    endings = endings_of(actions)
    numbers = numbers_of_calls(endings, actions)
    forms: dict[tuple[str, str], MendedForm] = {}
    for index, failed in enumerate(endings):
        kind = form_error(failed)
        if kind is None or is_looking(failed["text"]):
            continue
        last_number = numbers[failed["position"]] + CALLS_BETWEEN_MAX
        near = [ending for ending in endings[index + 1:index + 1 + ENDINGS_NEAR_MAX]
                if numbers[ending["position"]] <= last_number]
        worked = next((ending for ending in near if works_instead(ending, failed, kind[0])), None)
        if worked:
            forms[kind] = {"failed": failed["text"], "result": failed["result"], "worked": worked["text"],
                           "position": failed["position"]}
    return sorted(forms.values(), key=lambda form: -form["position"])


def numbers_of_calls(endings: Sequence[Ending], actions: Sequence[Item]) -> dict[int, int]:
    """The number of each call, counted from the session's begin, by its position in the session."""
    positions = {*(ending["position"] for ending in endings), *(action["position"] for action in actions)}
    return {position: number for number, position in enumerate(sorted(positions))}


def form_error(ending: Ending) -> tuple[str, str] | None:
    """What kind of failure of its form ended the command, and of what program; None: it did not fail so."""
    result = str(ending.get("result") or "")[:RESULTS_MAX_CHARACTERS]
    if ending["verdict"] not in NOT_DONE or result.startswith(REFUSED_CALLS):
        return None
    if re.search(COMPILE_ERROR, result):  # "property does not exist": an edit mends it
        return None
    lower = result.lower()
    matches = [re.search(rf"(?i)\b(?:{pattern})", result) for words, pattern in FORM_ERRORS if words in lower]
    first = min((match for match in matches if match), key=lambda match: match.start(), default=None)
    if not first:
        return None
    if re.search(WRONG_FOLDER, first[0]):  # whatever program was started there
        return "folder", ""
    error = re.sub(MISSING_TASK, "…", first[0].lower())
    return error, next((call[0] for call in calls_of(ending["text"])), "")


def works_instead(later: Ending, failed: Ending, error: str) -> bool:
    """Whether the later command ran, is another one, and does the same to the same things as the one that failed so."""
    is_other = folded_command(later["text"]) != folded_command(failed["text"])
    if not has_run(later) or form_error(later) is not None or not is_other:
        return False
    calls, others = calls_of(failed["text"]), calls_of(later["text"])
    return bool(calls) and all(any(does_the_same(other, call, failed, error) for other in others) for call in calls)


def does_the_same(other: Sequence[str], call: Sequence[str], failed: Ending, error: str) -> bool:
    """Whether a call is the failed line's one in another form: the same program on the same things.

    None of its words may be gone but options, an option's number, and the value that the error is about; none may be
    new but options with their values, and what the error misses. Where a single word stands behind the program and
    options were replaced, these may say what is to be done: `tool.py --sum`, `tool.py --reset`.
    """
    words, other_words = words_with_options(call), words_with_options(other)
    if program_in_short(other) != program_in_short(call) or not words:
        return False
    gone = [(word, option) for word, option in words if not any(is_same_word(word, each) for each, _ in other_words)]
    gone = [(word, option) for word, option in gone if not (option and re.match(AMOUNT, word))]
    # A check whose configuration is not there runs without it; `-n web` elsewhere names another target, and is no form.
    may_be_left_out = error == NO_SUCH_PATH and failed["family"] in CHECK_FAMILIES
    left_out = options_given(call) - options_given(other) if may_be_left_out else set()
    if not all(option and names_part(failed, word) and (error.startswith(WRONG_VALUE) or option in left_out)
               for word, option in gone):
        return False
    new = [word for word, option in other_words
           if not option and not any(is_same_word(word, each) for each, _ in words)]
    if new and not error.startswith(LACKING_WORD):
        return False
    options, other_options = options_given(call), options_given(other)
    is_replaced = bool(options - other_options and other_options - options)
    return len(words) > 1 or not is_replaced or failed["family"] in CHECK_FAMILIES


def program_in_short(call: Sequence[str]) -> str:
    """The program of a call without its version: `python` and `python3.11` are one."""
    return call[0].rstrip("0123456789.")


def words_with_options(call: Sequence[str]) -> list[tuple[str, str]]:
    """The words behind the program that are no options, each with the option right before it; empty: none is."""
    return [(word, before if before.startswith("-") and before != "--" else "")
            for before, word in zip(["", *call[1:]], call[1:]) if not word.startswith("-")]


def options_given(call: Sequence[str]) -> set[str]:
    """The options of a call."""
    return {word for word in call[1:] if word.startswith("-") and word != "--"}


def is_same_word(word: str, other: str) -> bool:
    """Whether both name the same: in other quotes or letters, from another folder, one within the other's pattern."""
    short, other_short = folded_word(word), folded_word(other)
    if short == other_short:
        return True
    pairs = ((short, other_short), (other_short, short))
    return all(map(is_path, (word, other))) and any(is_path_below(*pair) or is_in_pattern(*pair) for pair in pairs)


def folded_word(word: str) -> str:
    """The word without quotes, a pattern's ends and the folder where one stands; in small letters."""
    return word.strip("\"'").strip("^$").removeprefix("./").rstrip(PATH_SIGN).lower()


def is_path(word: str) -> bool:
    """Whether the word looks like a file's or a folder's path."""
    return PATH_SIGN in word or "." in word


def is_path_below(path: str, end: str) -> bool:
    """Whether the path ends in the other one: seen from a folder above, they are the same."""
    return path.endswith(f"/{end.lstrip(PATH_SIGN)}")


def is_in_pattern(path: str, pattern: str) -> bool:
    """Whether the pattern is one of Go's, for all below a folder, and the path lies there."""
    return pattern.endswith(ALL_BELOW) and f"{path}/".startswith(pattern.removesuffix(ALL_BELOW))


def names_part(failed: Ending, word: str) -> bool:
    """Whether the result names the word, or a part of it between commas."""
    return any(part and part in failed["result"] for part in word.strip("\"'").split(","))


def has_run(ending: Ending) -> bool:
    """Whether the command ran as it was meant; tests and type checks that ran and failed show as well how they are run.

    Not one that printed an error and ended behind `head`, whose exit code says nothing.
    """
    result = str(ending.get("result") or "")
    if ending["verdict"] == "failed":
        has_found_errors = ending["family"] == "types" and re.search(ROW_OF_ERROR, result) is not None
        return has_found_errors or (ending["family"] in MAY_TEST and not result.startswith("exit "))
    return ending["verdict"] == "passed" or (ending["verdict"] == "ended" and not says_error(result))


def folded_command(command: str) -> str:
    """The command without what its output goes through."""
    if "|" in command or "2>&1" in command:
        command = re.sub(WHAT_OUTPUT_GOES_THROUGH, "", command)
    return command.strip()


def parts_of_word(word: str) -> Sequence[str]:
    """The two that `--option=value` is; any other word alone."""
    match = re.match(OPTION_WITH_VALUE, word)
    return match.groups() if match else (word,)


@lru_cache(maxsize=COMMANDS_KEPT)
def calls_of(command: str) -> list[list[str]]:
    """The calls of a line, each as its program and the words behind it, without programs that only look."""
    calls: list[list[str]] = []
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        program = program_of(words)
        if program and program not in LOOKING_PROGRAMS:
            calls.append([program, *(part for word in words[1:] for part in parts_of_word(word))])
    return calls
