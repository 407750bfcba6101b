"""How a command ended, by its exit code and by what its output says: the one vocabulary of results.

An exit code counts only where it is the check's own: behind a pipe, `;` or `||` it is another program's. Of 770 runs of
tests, builds and linters in 37 real sessions 82 failed with an exit code that said so; 131 more printed a failure and
exited 0, behind a pipe. So there the verdict is what the output says; where it says nothing, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from compact_keeper.record.commands import (
    AMBIGUOUS_TASKS,
    SILENT_RUNNERS,
    checks_in,
    ending_program,
    is_looking,
    other_family,
    pieces_of,
    program_of,
    shell_words,
)
from compact_keeper.record.outputs import (
    FAILURE_COUNTS,
    OutputReading,
    output_lines,
    read_output,
    shortened,
    sum_of,
)
from compact_keeper.record.telling_rows import telling_rows
from compact_keeper.text.length import units
from compact_keeper.types import Check, Outcome

STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
OUTCOME_MAX_UTF16, CAUSE_MAX_UTF16, FAILED_NAME_MAX_UTF16, FILTER_MAX_UTF16 = 240, 200, 100, 60
COMMITS_NAMED_MAX = 3  # of one output
FAILED_NAMES_MAX, NAMES_IN_LINE_MAX, NAMES_COMPARED_MAX = 5, 3, 12
EXIT_CODE_LINE = r"(?:Error: )?Exit code (\d{1,3})(?:\n|$)"
REFUSED_CALLS = (  # what the client writes in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "This command requires approval", "Claude requested permissions to ")
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\dhms. ]{0,20}[hms])\s{0,9}(?:\n|$)"  # the client's, before output
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
NOT_STARTED, TIMED_OUT = (126, 127), 124  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10} )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|task: Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80}"
    r"|make: \*\*\* No rule to make target (?!.*needed by).{1,80})")
NO_SUCH_MODULE = r"\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named ([\w.]{1,80})$"  # of `python3 -m NAME`
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
ECHO = r"(?:echo|printf)(?: -[neE]{1,3})? (?P<text>\"[^\"$`]{1,300}\"|'[^']{1,300}'|[^\s\"'$`]{1,100})$"
OWN_TEXT_MAX_CHARACTERS = 300
CURL_WRITES = r"-(?!-)\w*[oO]$|--(?:output|remote-name)"
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter"))
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild"))  # say it of tests and of builds alike
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json")
CLIENT_FILE = r"\.claude/(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+"
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
PRIVATE_NAMED_MAX = 20


class Run:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @property
    def only_line(self) -> str:
        """The line that is not empty, where there is just one."""
        first = [*islice(filter(None, map(str.strip, self.lines)), 2)]
        return first[0] if len(first) == 1 else ""

    @property
    def is_error(self) -> bool | None:
        """Whether its exit code says that it failed."""
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def has_failed(self) -> bool:
        """Whether the output says so."""
        return self.reading.failed or self.reading.failures > 0 or self.lists_files()

    def lists_files(self) -> bool:
        """Whether a formatter that was to list what it would change has listed files."""
        return (len(self.checks) == 1 and self.checks[0]["runner"] in LISTING_FORMATTERS and bool(self.text)
                and bool(re.search(r" -\w{0,5}l\w{0,5}\b", self.checks[0]["command"]))
                and all(re.match(r"\S{1,400}\.\w{1,6}$", line) for line in self.text))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": "", "names": [], "limits": [limit for check in checks for limit in check["limits"]]}
    prefix_code = None
    if is_error is not False and (prefix := re.match(EXIT_CODE_LINE, output)):
        prefix_code = int(prefix[1])
        exit_code = prefix_code if exit_code is None else exit_code
        output = output[prefix.end():]
    if exit_code is None and is_error is not None:
        exit_code = int(is_error)
    stopped, output = stopped_by(output, prefix_code) if is_error is not False else ("", output)
    exit_code = None if stopped else exit_code
    if is_error is not False and output.lstrip().startswith(REFUSED_CALLS):
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(output)])}
    if "background" in output[:2_000] and (background := re.search(IN_BACKGROUND, output[:2_000])):
        return {**outcome, "verdict": "running", "line": f"in the background: {background[1] or background[2]}"}
    run = Run(command, checks, output, exit_code)
    outcome["limits"] += limits_seen(run)
    if stopped:
        return stopped_outcome(run, outcome, stopped)
    outcome.update(git_outcome(run))
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    return (f"stopped by the tool's time limit after {limit[1]}", output[limit.end():]) if limit else ("", output)


def stopped_outcome(run: Run, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen.
    """
    of_git = git_outcome(run)
    for name in ("commit", "branch", "subject", "pushed"):
        if name in of_git:
            outcome[name] = of_git[name]
    reading, parts = run.reading, list[str]()
    if run.checks and (reading.tests or run.has_failed):
        names = unique_names(reading.names or reading.also)
        parts = [*short_totals(reading.tests)[-2:], names_in_line(names, reading.tests)]
    seen = joined_line(parts) or cut_words(telling_rows(run.text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    return {**outcome, "verdict": "stopped", "line": f"{stopped} (it had printed: {seen})" if seen else stopped}


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in ("test", "build", "types", "lint", "format") if family in families), "")


def limits_seen(run: Run) -> list[str]:
    """What makes the look at the output less than whole: pipes, results of an earlier run."""
    limits = [f"| {cut_words(' '.join(shell_words(text)[:3]), FILTER_MAX_UTF16)}"
              for check in run.checks for text in check["filters"]]
    is_cached = 0 < run.reading.packages == run.reading.cached
    return [*dict.fromkeys(limits), *(["(cached)"] if is_cached else [])]


# --- checks ---


def outcome_of_checks(run: Run, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        cause = cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16)
        return {**outcome, "verdict": "not run", "cause": cause, "line": cause}
    if run.is_error and len(pieces_of(run.command)) > len(checks) and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    is_not_run = verdict in ("failed", "unknown") and not reading.tests
    line = no_such_module(run) if is_not_run and not run.has_failed else ""
    if line or (is_not_run and verdict == "failed" and len(checks) == 1 and (line := no_such_task(run))):
        return {**outcome, "verdict": "not run", "cause": line, "line": line}
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    return outcome_with_line(run, outcome, verdict)


def verdict_of_checks(run: Run) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output."""
    printed = exit_printed(run) if len(run.checks) == 1 else None
    if printed is not None or (run.is_error is not None and all(check["shows_exit"] for check in run.checks)):
        if strongest(run.checks) == "test" and ran_nothing(run):
            return "not run"
        if printed or (printed is None and run.is_error):
            return "failed"
        says_nothing = any(not check["runner"] for check in run.checks) or any(
            option in run.command for option in NEVER_FAILING)
        has_failing_total = run.reading.failures > 0 and (run.reading.tests or run.reading.problems)
        return "failed" if run.lists_files() or (says_nothing and has_failing_total) else "passed"
    return "failed" if run.has_failed else verdict_seen(run)


def verdict_seen(run: Run) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] == "test" for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        if any(line.startswith("Doc-tests") for line in run.text):  # of cargo, run when all before them have passed
            return "passed"
        return "unknown" if any(is_cut(check, len(run.text)) for check in run.checks) else "not run"
    if (reading.error_at_end or (reading.none and reading.causes)) and not reading.passes:
        return "not run" if "command not found" in reading.cause else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = [check for check in run.checks if not check["shows_exit"] or run.is_error is not False]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: Run) -> bool:
    """Whether the output shows that this check passed."""
    reading, count = run.reading, len(run.text)
    is_task = not check["runner"]
    only_tails = all(shell_words(text)[:1] == ["tail"] for text in check["filters"])
    runners = {runner for runner, _ in reading.passed if runner != "mise" or (is_task and only_tails)}
    is_ambiguous = check["name"].rpartition(" ")[2] in AMBIGUOUS_TASKS
    if check["family"] == "test" or is_ambiguous:
        sees_all = sees_failures(check, count)
        has_passed = (reading.tests or reading.seen_passing) and sees_all
        if check["runner"] == "cargo test" and is_cut(check, count, ("head",)):
            return False  # each test binary has a total of its own, and those behind the first were cut off
        if has_passed or reading.has_whole_total or runners & (OF_TESTS | OF_ALL):
            return True
        if not is_ambiguous:
            return False
    if runners or reading.problems:
        return True
    if run.text:
        return names_silent_one(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def names_silent_one(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    named = [re.match(COMMAND_STARTED, line) for line in lines[:STARTED_MAX + 1]]
    if len(named) > STARTED_MAX or not all(named) or not named[-1]:
        return False
    started = checks_in(named[-1][1])
    return bool(started) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in started)


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines."""
    for text in check["filters"]:
        words = shell_words(text)
        program = words[0].rpartition("/")[2] if words else ""
        if program == "head" and count >= lines_let_through(words):
            return False
        if program in ("grep", "egrep", "rg") and "-v" not in words and (
                check["runner"] in SILENT_RUNNERS or not re.search(r"(?i)fail|error", text)):
            return False
        if program not in ("head", "tail", "cat", "tee", "sort", "uniq", "less", "grep", "egrep", "rg"):
            return False
    return True


def is_cut(check: Check, count: int, programs: Sequence[str] = ("head", "tail")) -> bool:
    """Whether head or tail may have let through only a part of the output."""
    filters = [shell_words(text) for text in check["filters"]]
    return any(words and words[0] in programs and count >= lines_let_through(words) for words in filters)


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through."""
    return next((int(number[:9]) for word in words[1:] if (number := word.lstrip("-n")).isdigit()), 10)


def is_passed_before_other_failed(run: Run) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: Run) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def no_such_task(run: Run) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    line = next((line for line in run.text[:20] if re.match(NO_SUCH_TASK, line)), "")
    return cut_words(line, CAUSE_MAX_UTF16)


def no_such_module(run: Run) -> str:
    """The line in which Python says that it has no such module as its check was to run; empty: it does not."""
    for line in run.text[:20]:
        match = re.match(NO_SUCH_MODULE, line)
        if match and re.search(rf"-m {re.escape(match[1])}(?![\w.])", run.command):
            return cut_words(line, CAUSE_MAX_UTF16)
    return ""


def failing_family(run: Run) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        failing = [check for check in failing if not check["shows_exit"]] or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.names or reading.also or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing)


def exit_printed(run: Run) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    if "$?" not in run.command and "PIPESTATUS" not in run.command:
        return None
    pieces = pieces_of(run.command)
    for place, (piece, _) in enumerate(pieces):
        match = re.match(r"echo\s{1,9}[\"']?([^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\})", piece)
        if not match or not place:
            continue
        is_of_pipe = place > 1 and pieces[place - 2][1] in ("|", "|&") and "pipefail" not in run.command
        if is_of_pipe and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(match[1].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        for line in reversed(run.text):
            if shown := re.match(pattern, line):
                return int(shown[1])
    return None


def cd_failed(run: Run) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    return "cd " in run.command and len(run.text) <= 3 and any(re.search(r"\bcd:", line) for line in run.text)


# --- other commands ---


def is_made_good(run: Run) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))


def outcome_of_other(run: Run, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error:
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {"|", "|&"}) and "pipefail" not in run.command
    reading = run.reading
    success = next((line for _, line in reversed(reading.passed)), "") if outcome["family"] else ""
    if (has_pipe or signs & {";", "||", "\n", "&"}) and not success and not is_made_good(run):
        is_known = bool(outcome["family"]) or "traceback" in reading.causes
        if outcome["cause"] or (is_known and reading.error_at_end) or (outcome["family"] == "git" and reading.failed):
            return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def what_it_shows(command: str, output: str) -> str:
    """Why the output of a command that ended well says less than it seems to; empty: nothing is known of that.

    Text of its own `|| echo`, where that is no answer to a question (`ls a || echo none`); a file that curl fetched
    without --fail, which may be a page that says 404.
    """
    pieces = pieces_of(command)
    last = re.match(ECHO, pieces[-1][0]) if len(pieces) > 1 else None
    printed = output.strip() if len(output) <= OWN_TEXT_MAX_CHARACTERS else ""
    if last and printed and printed == last["text"].strip("\"'") and not is_looking(pieces[-2][0]):
        is_choice = len(pieces) > 2 and pieces[-2][0].startswith(("echo ", "printf "))
        if pieces[-2][1] == "||" and not is_choice:
            return "only the text behind its own `||`: what stands before it failed"
        if pieces[-2][1] in (";", "\n"):
            return "only its own echo"
    calls = [shell_words(piece) for piece, _ in pieces]
    fetched = max((place for place, words in enumerate(calls) if fetches_unchecked(words)), default=len(calls))
    is_looked_at = any(program_of(words) not in ("echo", "printf", "wait") for words in calls[fetched + 1:])
    is_doubtful = fetched < len(calls) and not is_looked_at
    return "curl without -f: a page with an error is saved as well" if is_doubtful else ""


def fetches_unchecked(words: Sequence[str]) -> bool:
    """Whether curl writes what it gets into a file, whatever the server answers, and shows no status."""
    short = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    writes = [word for word in words if re.match(CURL_WRITES, word)]
    return (words[:1] == ["curl"] and bool(writes) and "/dev/null" not in words and not {*"fwIi"} & {*short}
            and not any(word.startswith(("--fail", "--write-out", "--include", "--head")) for word in words))


def failed_other(run: Run, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    names = unique_names(reading.names or reading.also)
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)] if names else []
    if not names:
        cause = cause or said_best(run.text)
    return {**outcome, "verdict": "not run" if run.exit_code in NOT_STARTED else "failed", "names": names,
            "cause": cut_words(cause, CAUSE_MAX_UTF16),
            "line": outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"}


# --- what a person would want to read ---


def outcome_with_line(run: Run, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    names, cause = list[str](), ""
    if verdict == "failed":
        names = unique_names(reading.names or reading.also)
        cause = reading.cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        totals = short_totals([line for line in [*reading.tests, *reading.problems] if not line.startswith("ok ")])
        parts = [*totals[-2:], names_in_line(names, reading.tests), cause]
        fallbacks = (reading.failing_line, said_best(run.text), f"exit {run.exit_code or 1}")
        parts = parts if any(parts) else [next(filter(None, fallbacks))]
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, "" if run.is_error else "exit 0"]
    elif verdict == "not run":
        cause = reading.cause
        parts = [cause or (reading.none[-1] if reading.none else last_said(run.text))]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts += [f"exit {run.exit_code} of `{ending_program(run.command)}`"] if run.exit_code is not None else []
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "names": names,
            "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    lines = [line for runner, line in reading.passed if runner == "unittest" or (not totals and runner != "mise")]
    return [*totals, *(lines or [line for _, line in reading.passed if not totals])[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    short = [re.sub(r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)", "", re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:"))
             for line in totals]
    short = list({re.sub(r"[\d.]+", "", line)[:20]: line for line in short}.values())
    if any(line.startswith("Summary [") for line in short):  # nextest's own; the others are what its tests print
        short = [line for line in short if not line.startswith("test result:")]
    results = [line for line in totals if line.startswith("test result:")]
    if len(results) > 1 and any(line.startswith("test result:") for line in short):
        passed, failed = (sum_of(rf"(\d+) {word}", " ".join(results)) for word in ("passed", "failed"))
        short = [*(line for line in short if not line.startswith("test result:")),
                 f"{passed} passed; {failed} failed in {len(results)} test binaries"]
    if any(line.startswith("Tests") for line in short):  # jest's and vitest's files only where they failed
        short = [line for line in short
                 if not re.match(r"Test (?:Suites|Files)\b", line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(r"(?:pass|fail|tests|cancelled) \d+$|\d+ (?:pass|fail)$", line)]
    others = [line for line in short if line not in small]
    small = [line for line in small if not line.startswith(("tests", "cancelled 0"))]
    return [*others[-3:], *([", ".join(small[-2:])] if small else [])]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in dict.fromkeys(names[:NAMES_COMPARED_MAX])]
    return [name for name in short
            if not any(other.endswith(f" {name}") or other.startswith(f"{name}/") for other in short)
            ][:FAILED_NAMES_MAX]


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    return cut_words(f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}" if len(parts) > 2 else name,
                     FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str] = ()) -> str:
    """The first names, and how many more there are of those that are kept; a mark where a total counts more than those.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    count = max((sum_of(FAILURE_COUNTS, line) for line in totals if COUNTS_ALL not in line), default=0)
    more = f" +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else ""
    return ", ".join(names[:NAMES_IN_LINE_MAX]) + (", …" if names and count > len(names) else more)


def first_said(output: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in output[:4_000].split("\n") if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many."""
    return shortened(text[0]) if 0 < len(text) <= 3 else last_said(text)


def joined_line(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = dict.fromkeys(shortened(part).strip() for part in parts if part.strip())
    return cut_words(" · ".join(kept), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = " ".join(text.split())
    if units(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    while units(kept) > limit - 2:
        kept = kept.rpartition(" ")[0]
    return f"{kept} …" if kept else "…"


# --- git ---



def git_outcome(run: Run) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    outcome: Outcome = {}
    if "git" not in run.command:
        return outcome
    text, parts = "\n".join(map(shortened, run.lines)), list[str]()
    if "] " in text and (commits := re.findall(GIT_COMMIT, text)):
        branch, name, subject = commits[-1]  # which HEAD names now
        outcome.update({"branch": branch, "commit": name, "subject": subject.strip()})
        if "create mode" in text and (private := re.findall(PRIVATE_FILE, text)):
            private.sort(key=lambda path: re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is None)  # keys first
            outcome["private"] = private[:PRIVATE_NAMED_MAX]
        parts += [f"[{place} {short}] {words}" for place, short, words in commits[-COMMITS_NAMED_MAX:]]
    if "-> " in text and (match := re.search(GIT_PUSHED, text)) and (remote := re.search(r"(?m)^To (\S{1,400})", text)):
        commits_pushed = re.search(r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}", match[0])
        outcome["pushed"] = f"{re.sub(r'//[^/@]{1,300}@', '//', remote[1])} {match[1]}" + (
            f" {commits_pushed[0]}" if commits_pushed else "")
        parts += [f"pushed to {match[1]}", *re.findall(HOOK_REMARK, text)[:1]]
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if conflicts or waiting:
        outcome["conflicts"] = [re.split(r" (?:deleted|renamed|added|left) ", path, maxsplit=1)[0]
                                for path in dict.fromkeys(conflicts)]
        outcome["begun"] = waiting[1] if waiting else "merge"
        files = f": conflict in {', '.join(outcome['conflicts'][:5])}" if conflicts else ""
        outcome["cause"] = f"{outcome['begun']} stopped{files}"
        parts.append(outcome["cause"])
    else:
        parts += git_ended(run, outcome, text)
    may_have_failed = any(map(text.__contains__, ("fatal: ", "error: ", "rejected]", "hint: ")))
    if may_have_failed and not is_made_good(run) and (match := re.search(GIT_FAILURE, text)):
        outcome.setdefault("cause", match[1] or match[2])
        parts.append(match[1] or match[2])
    if "cause" in outcome:
        outcome["cause"] = cut_words(outcome["cause"], CAUSE_MAX_UTF16)
    return {**outcome, "line": joined_line(parts)} if parts else outcome


def git_ended(run: Run, outcome: Outcome, text: str) -> list[str]:
    """What came to its end, or that there was nothing to do."""
    parts = re.findall(GIT_NOTHING, text) if any(map(text.__contains__, GIT_NOTHING_WORDS)) else []
    if parts and parts[0].startswith(("nothing", "no changes")):
        outcome["cause"] = parts[0]
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        outcome["finished"] = ended[1]
        parts.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        outcome["finished"] = "rebase"
    return parts
