"""A form of a command that failed beside the form that worked: what was learned of how things are called here.

Only failures of the form count: no such option, no such task, no test found, the wrong folder. What failed as the code
was wrong was mended by an edit, and its command works in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.client.call_output import REFUSED_CALLS
from compact_keeper.record.commands.check_programs import MAY_TEST
from compact_keeper.record.commands.looking import LOOKING_PROGRAMS, is_looking
from compact_keeper.record.commands.shell import COMMANDS_KEPT, pieces_of, program_of, shell_words, without_redirections
from compact_keeper.record.outputs.telling_rows import says_error
from compact_keeper.record.results import results_of
from compact_keeper.types import Ending, Item, MendedForm

CALLS_BETWEEN_MAX = 7  # to the form that worked
SHARED_WORDS_MIN = 2
OUTCOMES_NEAR_MAX = 30  # looked at, however many earlier results stand there
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
WRONG_PLACE = r"(?i)no such file or directory|directory not found|tasks? defined|not a git repository"
MISSING_TASK = r"\S{1,80}(?= found)"  # a task's name in what a runner says of it
FILTERS = r"\s*(?:2>&1|\|\| true$|\| (?:tail|head|cat|grep)\b[^|&;]*)"
COMPILE_ERROR = r"[(:]\d{1,6}[,:]\d{1,5}\)?:? |error(?: TS\d|\[E\d)"  # a compiler's, with its row and column or number


def mended(actions: Sequence[Item]) -> list[MendedForm]:
    """Each form that failed with the one that worked, the newest first; of failures of one kind the last."""
    outcomes = results_of(actions)
    numbers = numbers_of_calls(outcomes, actions)
    forms: dict[tuple[str, str], MendedForm] = {}
    for place, failed in enumerate(outcomes):
        kind = form_error(failed)
        if kind is None or is_looking(failed["text"]):
            continue
        last_number = numbers[failed["position"]] + CALLS_BETWEEN_MAX
        near = [outcome for outcome in outcomes[place + 1:place + 1 + OUTCOMES_NEAR_MAX]
                if numbers[outcome["position"]] <= last_number]
        worked = next((outcome for outcome in near if works_in_its_place(outcome, failed)), None)
        if worked:
            forms[kind] = {"failed": failed["text"], "result": failed["result"], "worked": worked["text"],
                           "position": failed["position"]}
    return sorted(forms.values(), key=lambda form: -form["position"])


def numbers_of_calls(outcomes: Sequence[Ending], actions: Sequence[Item]) -> dict[int, int]:
    """The number of each call, counted from the session's begin, by its place in the session."""
    positions = {*(outcome["position"] for outcome in outcomes), *(action["position"] for action in actions)}
    return {position: number for number, position in enumerate(sorted(positions))}


def form_error(outcome: Ending) -> tuple[str, str] | None:
    """What kind of failure of its form ended the command, and of what program; None: it did not fail so."""
    result = str(outcome.get("result") or "")[:RESULTS_MAX_CHARACTERS]
    if outcome["verdict"] not in ("failed", "not run") or result.startswith(REFUSED_CALLS):
        return None
    if re.search(COMPILE_ERROR, result):  # "property does not exist": an edit mends it
        return None
    lower = result.lower()
    matches = [re.search(rf"(?i)\b(?:{pattern})", result) for words, pattern in FORM_ERRORS if words in lower]
    first = min((match for match in matches if match), key=lambda match: match.start(), default=None)
    if not first:
        return None
    if re.search(WRONG_PLACE, first[0]):  # whatever program was started there
        return "place", ""
    error = re.sub(MISSING_TASK, "…", first[0].lower())
    return error, next(iter(words_by_program(outcome["text"])), "")


def works_in_its_place(later: Ending, failed: Ending) -> bool:
    """Whether the later command ran, is another one, and much like the one that failed."""
    is_other = folded_command(later["text"]) != folded_command(failed["text"])
    if not has_run(later) or form_error(later) is not None or not is_other:
        return False
    shared = shared_words(later["text"], failed["text"])
    if len(shared) < SHARED_WORDS_MIN:
        return False
    program = shared[0]
    words = [word for word in words_by_program(failed["text"])[program] if not word.startswith("-")]
    order, targets = "".join(words[:1]), words[1:]
    if targets and not {*targets} & {*shared}:  # what it was to be done with is another
        return False
    is_path = re.search(r"[/.]", order) is not None
    return is_path or order in words_by_program(later["text"])[program][:3]


def has_run(outcome: Ending) -> bool:
    """Whether the command ran as it was meant; tests that ran and failed show as well how they are run.

    Not one that printed an error and ended behind `head`, whose exit code says nothing.
    """
    if outcome["verdict"] == "failed":
        return outcome["family"] in MAY_TEST and not str(outcome["result"]).startswith("exit ")
    is_error = says_error(str(outcome.get("result") or ""))
    return outcome["verdict"] == "passed" or (outcome["verdict"] == "ended" and not is_error)


def folded_command(command: str) -> str:
    """The command without what its output goes through."""
    return re.sub(FILTERS, "", command).strip()


def shared_words(command: str, other: str) -> list[str]:
    """The words that both give to the same program, that first; empty where they run different ones."""
    words, others = words_by_program(command), words_by_program(other)
    shared = [[program, *(word for word in words[program] if word in others[program])]
              for program in words if program in others]
    return max(shared, key=len, default=[])


@lru_cache(maxsize=COMMANDS_KEPT)
def words_by_program(command: str) -> dict[str, list[str]]:
    """The words of a line by the program that gets them, without programs that only look."""
    table = dict[str, list[str]]()
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        program = program_of(words)
        if program and program not in LOOKING_PROGRAMS:
            table.setdefault(program, []).extend(dict.fromkeys(words[1:]))
    return table
