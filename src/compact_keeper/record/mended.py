"""A form of a command that failed beside the form that worked: what was learned of how things are called here.

Only failures of the form count: no such option, no such task, no test found, the wrong folder. What failed as the code
was wrong was mended by an edit, and its command works in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands import (
    LOOKING_PROGRAMS,
    is_looking,
    pieces_of,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.record.results import results_of
from compact_keeper.types import MendedForm, Record

CALLS_BETWEEN_MAX = 7  # to the form that worked
SHARED_WORDS_MIN = 2
OUTCOMES_NEAR_MAX = 30  # looked at, however many earlier results stand there
RESULTS_MAX_CHARACTERS = 600
FORM_ERRORS = (  # what says that the command was not the right one; the group is what makes two the same
    r"(?i)\b(no tests? (?:were )?found|no tests? (?:files )?(?:to run|ran|matched)|no packages to test"
    r"|no test files found|no task \S{1,80} found|missing script|command not found|no such file or directory"
    r"|no such (?:command|option|subcommand)|can't open file|cannot find module|directory not found"
    r"|unrecognized (?:arguments?|options?|subcommand|flag)|unexpected argument|invalid (?:option|flag|argument)"
    r"|illegal option|unknown (?:option|flag|shorthand flag|command|argument|subcommand|json field)"
    r"|flag provided but not defined|cannot write multiple packages|build constraints exclude|no go files"
    r"|is not in std|not a git repository|not a valid object name|pathspec|does not exist|no projects matched"
    r"|no rule to make target|does not contain recipe|unknown revision|no matches found|is not recognized"
    r"|(?:required|missing) (?:arguments?|options?|flags?)|must specify|tasks? defined|requires an argument)")
WRONG_PLACE = r"(?i)no such file or directory|directory not found|tasks? defined|not a git repository"
REFUSALS = ("The user", "Sibling", "<tool_use_error>", "Permission", "This command requires", "Claude requested",
            "Cancelled")


def mended(actions: Sequence[Record]) -> list[MendedForm]:
    """Each form that failed with the one that worked, the newest first; failures of one kind once, counted."""
    outcomes = results_of(actions)
    calls = sorted({*(outcome["position"] for outcome in outcomes), *(action["position"] for action in actions)})
    number = {position: place for place, position in enumerate(calls)}
    forms: dict[tuple[str, str], MendedForm] = {}
    times = dict[tuple[str, str], int]()
    for place, failed in enumerate(outcomes):
        kind = form_error(failed)
        if not kind[0] or is_looking(failed["text"]):
            continue
        times[kind] = times.get(kind, 0) + 1
        near = [outcome for outcome in outcomes[place + 1:place + 1 + OUTCOMES_NEAR_MAX]
                if number[outcome["position"]] - number[failed["position"]] <= CALLS_BETWEEN_MAX]
        worked = next((outcome for outcome in near if works_in_its_place(outcome, failed)), None)
        if worked:
            forms[kind] = {"failed": failed["text"], "result": failed["result"], "worked": worked["text"],
                           "worked_result": worked["result"], "times": 0, "position": failed["position"],
                           "last": failed["last"]}
    for kind, form in forms.items():
        form["times"] = times[kind]
    return sorted(forms.values(), key=lambda form: -form["position"])


def form_error(outcome: Record) -> tuple[str, str]:
    """What kind of failure of its form ended the command, and of what program; empty: none."""
    result = str(outcome.get("result") or "")[:RESULTS_MAX_CHARACTERS]
    match = re.search(FORM_ERRORS, result)
    if not match or outcome["verdict"] not in ("failed", "not run") or result.startswith(REFUSALS):
        return "", ""
    if re.search(WRONG_PLACE, match[1]):  # whatever program was started there
        return "place", ""
    error = re.sub(r"\S{1,80}(?= found)", "…", match[1].lower())
    return error, next(iter(words_by_program(outcome["text"])), "")


def works_in_its_place(later: Record, failed: Record) -> bool:
    """Whether the later command ran, is another one, and much like the one that failed.

    Tests that ran and failed show as well how they are run.
    """
    has_run = later["verdict"] in ("passed", "ended") or (later["verdict"] == "failed" and later["family"] == "test"
                                                          and not str(later["result"]).startswith("exit "))
    if not has_run or form_error(later)[0] or folded_command(later["text"]) == folded_command(failed["text"]):
        return False
    shared = shared_words(later["text"], failed["text"])
    if len(shared) < SHARED_WORDS_MIN:
        return False
    words, others = (words_by_program(outcome["text"])[shared[0]] for outcome in (failed, later))
    order, *targets = [word for word in words if not word.startswith("-")] or [""]
    if targets and not {*targets} & {*shared}:  # what it was to be done with is another
        return False
    return re.search(r"[/.]", order) is not None or order in others[:3]


def folded_command(command: str) -> str:
    """The command without what its output goes through."""
    return re.sub(r"\s*(?:2>&1|\| (?:tail|head|cat|grep)\b[^|&;]*)", "", command).strip()


def shared_words(command: str, other: str) -> list[str]:
    """The words that both give to the same program, that first; empty where they run different ones."""
    words, others = words_by_program(command), words_by_program(other)
    shared = [[program, *(word for word in words[program] if word in others[program])]
              for program in words if program in others]
    return max(shared, key=len, default=[])


def words_by_program(command: str) -> dict[str, list[str]]:
    """The words of a line by the program that gets them, without programs that only look."""
    table = dict[str, list[str]]()
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        program = program_of(words)
        if program and program not in LOOKING_PROGRAMS:
            table.setdefault(program, []).extend(dict.fromkeys(words[1:]))
    return table

