"""Checks: those that fail, how each other one ended last, and tests that were never run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.wording.commands import OTHER_COMMAND_MAX_UTF16, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import by_whom, shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.checks.checked_files import changes_since
from compact_keeper.record.checks.last_runs import exited_with_0_later, failed_again, mended_later
from compact_keeper.record.checks.unchecked_edits import never_run, no_checks
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.endings import FROM_CACHE
from compact_keeper.record.git.marked_events import branches_gone_to
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outcomes.worked_later import near_equals_worked, worked_later
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.listing import file_names
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import are_apart
from compact_keeper.text.tags import tag_of
from compact_keeper.types import Ago, CheckRun, GitEvent, Item, Line

FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
NEWER_COMMAND_MAX_UTF16, NEWER_RESULT_MAX_UTF16, RUN_RESULT_MAX_UTF16 = 120, 90, 200
UNSEEN_MAX, WORKED_BEHIND_MAX_UTF16 = 5, 90
PASSED_LATER = " then, passed later"
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"  # in a result: of another command of the line
NOTHING_SHOWN = f"{NOTHING_SEEN}|exit 0$"
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_NEWER = {"unknown": "how it ended is not certain", "running": "its end not seen", "stopped": "stopped"}
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(words: RunsInWords, last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[Line]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too. The lines of failures have the check's
    family as `fails`, a shorter form, and the tag of their step.
    """
    if no_checks(words.actions, words.root):
        has_commands = any(action["tool"] in SHELL_TOOLS for action in words.actions)
        return [shared_line("- no command of this session is known as a test, build or linter; "
                            "scripts of its own may have checked something" if has_commands else
                            "- no shell command of this session did more than look: nothing was tested or built")]
    return [*map(words.failure_line, failures), *map(words.runs_line, runs_by_command(last, failures)),
            *(shared_line(f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}")
              for name, files in never_run(words.actions, words.root))]


def runs_by_command(last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[list[CheckRun]]:
    """The runs that are no open failures, those of one command together; none that only formatted: nobody asks."""
    failed = {(run["position"], run["name"], run["command"]) for run in failures}
    by_command: dict[tuple[int, str], list[CheckRun]] = {}
    for run in last:
        if (run["position"], run["name"], run["command"]) not in failed and run["verdict"] != "failed":
            by_command.setdefault((run["position"], run["command"]), []).append(run)
    return [runs for runs in by_command.values() if any(run["family"] != "format" for run in runs)]


class RunsInWords:
    """Runs of checks in words, beside what the session did before and after them."""

    def __init__(self, actions: Sequence[Item], events: Sequence[GitEvent], ago: Ago, paths: Paths) -> None:
        """`events` are the marked ones of git, of these actions."""
        self.actions, self.ago, self.paths, self.root = actions, ago, paths, paths.root
        self.action_at = {item["position"]: item for item in actions}
        self.edits = [*filter(is_file_edit, actions)]
        self.moves = branches_gone_to(actions)
        self.commits = [event for event in events if event["what"] == "commit" and not event["replaced"]]

    def failure_line(self, run: CheckRun) -> Line:
        """The line of an open failure."""
        action = self.action_at.get(run["position"], {})
        text = tagged(self.failure(run) + run_by(action), action)
        return {**shared_line(text, steps_of_run(run)), "fails": run["family"],
                "in_few_words": self.failure_in_few_words(run), "tag": tag_of(text_of(action, "source"))}

    def failure(self, run: CheckRun) -> str:
        """A check whose last run failed, with what was done since."""
        result = self.behind_arrow(run["result"], FAILURE_RESULT_MAX_UTF16)
        which = "" if run["is_certain"] else f", which of the line's {run['family']} runs its output does not show"
        parts = [f"- {run['family']} failed{which}: {self.check(run)}{result} ({self.ago(run['last'])})"]
        if run["also"]:
            parts.append(f"the same in {self.command(run['also'][0])}")
        if run["unseen"]:
            parts.append(f"failed before, its end not looked at since: {', '.join(run['unseen'][:UNSEEN_MAX])}")
        parts += changes_since(run["edited_after"], run["taken_back_after"], file_names)
        if run["since"]:
            parts.append(f"others passed since: {', '.join(map(self.command, run['since']))}")
        return "; ".join(parts)

    def check(self, run: CheckRun) -> str:
        """The line in which a check failed, as code; where the check itself would be cut off, the check alone.

        The line where it is not certain which of its checks it was.
        """
        line, check = (short_command(command, self.paths) for command in (run["command"], run["check"]["typed"]))
        is_cut_off = "…" in line and check.strip("`") not in line
        return check if is_cut_off and run["is_certain"] else line

    def failure_in_few_words(self, run: CheckRun) -> str:
        """A check that failed by its own command, without the rest of its line, and what its output says first."""
        result = self.behind_arrow(run["result"], NEWER_RESULT_MAX_UTF16)
        return f"- {run['family']} failed: {self.command(run['check']['typed'])}{result} ({self.ago(run['last'])})"

    def runs_line(self, runs: Sequence[CheckRun]) -> Line:
        """The line of a command's checks, of which none failed and none was run later."""
        newest = runs[0]
        action = self.action_at.get(newest["position"], {})
        families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
        files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
        files_back = [path for run in runs for path in run["taken_back_after"]]
        changed = "".join(f"; {change}" for change in changes_since(files, files_back, file_names))
        command = short_command(newest["command"], self.paths)
        when = f"{self.ago(newest['last'])}{self.before_commit(newest, files)}"
        since = f"{changed}{self.newer_run(runs)}{self.branch_since(newest)}"
        text = f"- {', '.join(families)}: {command} → {self.ending(runs)} ({when}){since}"
        line = shared_line(tagged(text + run_by(action), action), set[str]().union(*map(steps_of_run, runs)))
        line["tag"] = text_of(action, "tag")
        if newest["verdict"] == "passed":
            line["passes"] = True
        return line

    def ending(self, runs: Sequence[CheckRun]) -> str:
        """How the checks of a command line ended: the verdict, and what was seen of it."""
        verdict = runs[0]["verdict"]
        seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
        result = " · ".join(cut(self.paths.short(text), RUN_RESULT_MAX_UTF16) for text in dict.fromkeys(seen))
        words = VERDICT_WORDS.get(verdict, verdict)
        if verdict == "unknown" and result:  # of one of several checks
            words = words if runs[0]["is_in_background"] else PARTLY_SEEN
            result = re.sub(EXIT_OF_OTHER, "", result)
        ending = words if result in ("", "exit 0") else f"{words}: {result}"
        if verdict == "stopped" and result:
            ending = result  # it says by whom
        is_cached = any("is_cached" in run for run in runs)
        return f"{ending} {FROM_CACHE}" if is_cached and "cached" not in ending else ending

    def newer_run(self, runs: Sequence[CheckRun]) -> str:
        """The last run of the checks, where it came later and was limited, or did not show how it ended; else empty."""
        newer = next((run for of_check in runs for run in of_check["newer"]), None)
        if newer is None:
            return ""
        is_known, result = newer["verdict"] == "passed", newer["result"]
        is_empty = newer["verdict"] == "running" or re.match(NOTHING_SHOWN, result)
        seen = "" if is_empty else cut(self.paths.short(result), NEWER_RESULT_MAX_UTF16)
        said = f"{': ' if is_known else ', seen of it: '}{seen}" if seen else ""
        ending = VERDICTS_OF_NEWER.get(newer["verdict"], "passed") + said
        is_less = any(of_check["newer"] and not covers_check(newer["check"], of_check["check"]) for of_check in runs)
        part = f"since then in part: {self.command(newer['command'], NEWER_COMMAND_MAX_UTF16)}"
        what = part if is_less else "run again"
        return f"; {what} ({self.ago(newer['last'])}): {ending}"

    def before_commit(self, run: CheckRun, files: Sequence[str]) -> str:
        """That the run came before the newest commit, with an edit of one of the files between; else empty."""
        commit = next(iter(self.of_its_folder(run, self.commits)), None)
        if commit is None or not files:
            return ""
        is_between = any(run["position"] < edit["position"] < commit["position"]
                         and edit["path"].endswith(tuple(files)) for edit in self.edits)
        return f", before commit {commit['hash']}" if is_between else ""

    def branch_since(self, run: CheckRun) -> str:
        """That the session went to another branch after the run; empty where it did not."""
        moves = self.of_its_folder(run, self.moves)
        before = [move["branch"] for move in moves if move["position"] < run["position"]]
        since = [move["branch"] for move in moves if move["position"] > run["position"]]
        return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""

    def of_its_folder(self, run: CheckRun, events: Sequence[GitEvent]) -> list[GitEvent]:
        """The events but those that certainly happened in another folder than the run."""
        folder = run["check"]["folder"] or self.root
        return [event for event in events if not are_apart(event["folder"] or self.root, folder)]

    def command(self, command: str, limit: int = OTHER_COMMAND_MAX_UTF16) -> str:
        """A command beside the line's own."""
        return short_command(command, self.paths, limit)

    def behind_arrow(self, result: str, limit: int) -> str:
        """What an output says, behind an arrow; empty where it says nothing."""
        return f" → {cut(self.paths.short(result), limit)}" if result else ""


def steps_of_run(run: CheckRun) -> set[str]:
    """What the line of a run tells of steps: the run with its result, and others that it names."""
    result = "" if run["verdict"] != "failed" and re.match(NOTHING_SHOWN, run["result"]) else run["result"]
    own = naming(run["command"], *run["also"], *run["since"], result=result)
    return own.union(*map(steps_of_run, run["newer"]))


def run_by(action: Item) -> str:
    """That a subagent ran the check; empty where the agent did."""
    whom = by_whom(action)
    return f"; run by {whom}" if whom else ""


def known_since_failures(actions: Sequence[Item], events: Sequence[GitEvent], runs: Sequence[CheckRun],
                         failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what is known since: of an open one nothing, else how it went on.

    Of another command that worked behind something else, or with most of its rows, that. A merge or rebase that stopped
    is mended when it came to its end, by the events of git.
    """
    stopped = {event["position"] for event in events if event.get("waits") is False}
    behind = {position: f" then, worked later behind {as_code(cut(before, WORKED_BEHIND_MAX_UTF16))}"
              for position, before in worked_later(actions).items()}
    again = {position: f" then, and {f'{count} of these {of} ' if count < of else ''}again later"
             for position, (count, of) in failed_again(runs).items()}
    near = dict.fromkeys(near_equals_worked(actions), " then, nearly the same later with exit 0")
    return {**near, **behind, **again, **dict.fromkeys(exited_with_0_later(runs), " then, exit 0 later"),
            **dict.fromkeys(stopped, " then, ended later"), **dict.fromkeys(mended_later(runs), PASSED_LATER),
            **{run["position"]: "" for run in failures}}
