"""What says that a command or its check was never started: programs, tasks, modules and folders that are not there."""

from __future__ import annotations

import re
from collections.abc import Callable

from compact_keeper.record.commands.shell import program_in
from compact_keeper.record.endings import LOST_OUTPUT
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.shown_line import CAUSE_MAX_UTF16, cut_words

NOT_STARTED = (126, 127)  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10}:? )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|(?:enoent )?Could not read package\.json: .{1,200}"
    r"|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}|unrecognized subcommand .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80})"
    r"|error TS5058: .{1,200}|tsc: The TypeScript Compiler - Version .{1,20}")  # of tsc: its project is not there
NO_SUCH_MODULE = r"\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named ([\w.]{1,80})$"  # of `python3 -m NAME`
CANNOT_START = (  # what shells, env and timeout say of a program that they cannot start
    r"(?:\S{0,40}sh|env|timeout|nice|\(eval\)|\S{1,200}(?=: line \d))(?:: line)?(?:[ :]{1,2}\d{1,6})?: "
    r"(?:command not found: (?P<zsh>\S{1,80})|(?:no such file or directory|permission denied): (?P<path>\S{1,200})"
    r"|(?:failed to run command )?[‘']?(?P<named>[^\s:’']{1,200})[’']?: "
    r"(?:(?:command )?not found|No such file or directory|Permission denied))$"
    r"|'(?P<windows>[^\s']{1,80})' is not recognized as an internal or external command"
    r"|fish: Unknown command: (?P<fish>\S{1,80})|(?:uv : )?error: Failed to spawn: `(?P<uv>[^`]{1,80})`")
LINES_READ_MAX = 20  # of an output, in which a task runner says so
CD_FAILED_LINES_MAX = 3  # of an output with nothing else in it


def never_started(run: EndedCommand, verdict: str) -> str:
    """The line that says that a check's program, task or module is not there, so that nothing was checked; empty: none.

    Behind a pipe the exit code is the filter's, and zsh's sentence ends in the program's name: a suite whose `pnpm` was
    not there stood as one whose output does not show whether it passed.
    """
    if verdict not in ("failed", "unknown"):
        return ""
    if len(run.checks) == 1 and (missing := no_such_program(run) or no_such_task(run)):
        return missing
    return "" if run.has_failed else no_such_module(run)


def first_line_where(run: EndedCommand, says_so: Callable[[str], bool]) -> str:
    """The first of an output's first lines that says so, short enough to be a cause; empty: none does."""
    return next((cut_words(line, CAUSE_MAX_UTF16) for line in run.text[:LINES_READ_MAX] if says_so(line)), "")


def no_such_program(run: EndedCommand) -> str:
    """The line in which a shell says that it cannot start the only check's program; empty: it does not."""
    own = run.checks[0]["command"].split()
    return first_line_where(run, lambda line: program_not_started(line) in own)


def program_not_started(line: str) -> str:
    """The program of which a shell, env or the like says in the line that it cannot start it; empty: of none."""
    match = re.match(CANNOT_START, line)
    return match[match.lastgroup or 0] if match else ""


def lost_output(run: EndedCommand) -> str:
    """That the output of checks went to a program that a shell says it cannot start; empty where it did not.

    The checks ran: a build whose `grep` was not there had stood as not run.
    """
    filters = {program_in(text) for check in run.checks for text in check["filters"]}
    row = first_line_where(run, lambda line: program_not_started(line) in filters) if filters else ""
    return f"{LOST_OUTPUT}{program_not_started(row)}`, which is not there" if row else ""


def no_such_task(run: EndedCommand) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    return first_line_where(run, lambda line: re.match(NO_SUCH_TASK, line) is not None)


def no_such_module(run: EndedCommand) -> str:
    """The line in which Python says that it has no such module as its check was to run; empty: it does not."""
    def lacks_module(line: str) -> bool:
        """Whether Python says in the line that it has no such module as the command was to run."""
        match = re.match(NO_SUCH_MODULE, line) if "No module named" in line else None
        return match is not None and re.search(rf"-m {re.escape(match[1])}(?![\w.])", run.command) is not None
    return first_line_where(run, lacks_module)


def cd_failed(run: EndedCommand) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    if "cd " not in run.command or len(run.text) > CD_FAILED_LINES_MAX:
        return False
    return any(re.search(r"\bcd:", line) for line in run.text)
