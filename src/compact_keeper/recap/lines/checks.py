"""Checks: those that fail, how each other one ended last, and tests that were never run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import READING_SUBAGENTS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.wording.commands import OTHER_COMMAND_MAX_UTF16, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import by_whom, shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.checks.checked_files import are_targets_gone, changes_since
from compact_keeper.record.checks.last_runs import failed_again, passed_later
from compact_keeper.record.checks.unchecked_edits import may_have_tested, never_run, no_checks
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.endings import BUT_PRINTED, FROM_CACHE, LOST_OUTPUT, has_ended_well
from compact_keeper.record.git.marked_events import branches_gone_to
from compact_keeper.record.git.uncommitted import removals
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outcomes.worked_later import worked_later
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.listing import file_names
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import are_apart
from compact_keeper.text.tags import tag_of
from compact_keeper.types import Ago, CheckRun, GitEvent, Item, Line

FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
LATER_COMMAND_MAX_UTF16, LATER_RESULT_MAX_UTF16, RUN_RESULT_MAX_UTF16 = 120, 90, 200
UNSEEN_MAX, WORKED_BEHIND_MAX_UTF16 = 5, 90
PASSED_LATER, FAILED_AGAIN = " then, passed later", " then, as did a later run"
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"  # in a result: of another command of the line
NOTHING_SHOWN = f"{NOTHING_SEEN}|exit 0$"
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_LATER = {"unknown": "how it ended is not certain", "running": "its end not seen", "stopped": "stopped"}
TARGETS_GONE = "; what it looked at was deleted or moved since"
WITHOUT_RESULT = "started, its result is not in the transcript"
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(words: RunsInWords, last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[Line]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too. The lines of failures have the check's
    family as `fails`, a shorter form, and the tag of their step.
    """
    if no_checks(words.actions, words.root):
        if not any(action["tool"] in SHELL_TOOLS for action in words.actions):
            return [shared_line("- no shell command of this session did more than look: nothing was tested or built")]
        if may_have_tested(words.actions):
            return []
        return [shared_line("- no command of this session is known as a test, build or linter")]
    lines = [*map(words.failure_line, failures), *map(words.runs_line, runs_by_command(last, failures))]
    for name, files in never_run(words.actions, words.root):
        lines.append(shared_line(f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}"))
    return lines


def runs_by_command(last: Sequence[CheckRun], failures: Sequence[CheckRun]) -> list[list[CheckRun]]:
    """The runs without open failures, those of one command together; not those that only formatted: nobody asks."""
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
        self.removed = removals([item for item in actions if item["tool"] in SHELL_TOOLS
                                 and has_ended_well(item)], paths.root)
        self.moves = branches_gone_to(actions, paths.root)
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
        if run["same_failure_in"]:
            parts.append(f"the same in {self.command(run['same_failure_in'][0])}")
        if run["unseen"]:
            parts.append(f"failed before, its end not looked at since: {', '.join(run['unseen'][:UNSEEN_MAX])}")
        parts += changes_since(run["edited_after"], run["taken_back_after"], file_names) or self.subagents_since(run)
        if run["passed_since"]:
            parts.append(f"others passed since: {', '.join(map(self.command, run['passed_since']))}")
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
        result = self.behind_arrow(run["result"], LATER_RESULT_MAX_UTF16)
        return f"- {run['family']} failed: {self.command(run['check']['typed'])}{result} ({self.ago(run['last'])})"

    def runs_line(self, runs: Sequence[CheckRun]) -> Line:
        """The line of a command's checks, of which none failed and none was run later."""
        newest = runs[0]
        action = self.action_at.get(newest["position"], {})
        families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
        files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
        files_back = [path for run in runs for path in run["taken_back_after"]]
        changes = changes_since(files, files_back, file_names) or self.subagents_since(newest)
        changed = "".join(f"; {change}" for change in changes)
        # Of a line in which something else failed, these alone: `make && make test` had stood there as passed, and of
        # `make && ls dist`, with what ls said as the result. What is seen of an end that is not known is of the line.
        are_all = len(checks_in(newest["command"])) <= len(runs)
        is_others_end = are_all and action.get("verdict") == "failed" and newest["command"] == newest["line"]
        is_seen_of_line = newest["verdict"] == "unknown" and newest["result"]
        is_whole = (are_all or is_seen_of_line) and not is_others_end
        done = newest["command"] if is_whole else " && ".join(run["check"]["typed"] for run in runs)
        command = short_command(done, self.paths)
        when = f"{self.ago(newest['last'])}{self.before_commit(newest, files)}"
        since = f"{changed}{self.later_run(runs)}{self.branch_since(newest)}"
        end = VERDICT_WORDS.get(newest["verdict"], newest["verdict"]) if is_others_end else self.ending(runs)
        gone = TARGETS_GONE if all(are_targets_gone(run, self.removed, self.edits, self.root) for run in runs) else ""
        text = f"- {', '.join(families)}: {command} → {end} ({when}){since}{gone}{run_by(action)}"
        tells = {step for run in runs for step in steps_of_run(run)}
        line: Line = {**shared_line(tagged(text, action), tells), "tag": text_of(action, "tag"),
                      "fuller": [tagged(f"{text}{self.failed_before(action)}", action)]}
        if newest["verdict"] == "passed":
            line["passes"] = True
        return line

    def failed_before(self, action: Item) -> str:
        """How the same command had failed, the last time: what was mended since; empty where it had not."""
        failures = [end for end in action.get("earlier", []) if end["verdict"] == "failed" and end["result"]]
        if not failures:
            return ""
        result = cut(self.paths.short(failures[-1]["result"]), FAILURE_RESULT_MAX_UTF16)
        return f"; had failed {self.ago(failures[-1]['last'])}: {result}"

    def ending(self, runs: Sequence[CheckRun]) -> str:
        """How the checks of a command line ended: the verdict, and what was seen of it."""
        verdict = runs[0]["verdict"]
        seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
        result = " · ".join(cut(self.paths.short(text), RUN_RESULT_MAX_UTF16) for text in dict.fromkeys(seen))
        words = VERDICT_WORDS.get(verdict, verdict)
        if verdict == "running" and not result:
            words = WITHOUT_RESULT
        if verdict == "unknown" and result:  # of one of several checks
            result = re.sub(EXIT_OF_OTHER, "", result)
            if not runs[0]["is_in_background"] and not result.startswith(LOST_OUTPUT):
                words = PARTLY_SEEN
        if (verdict == "stopped" and result) or result.startswith(BUT_PRINTED):
            ending = result  # it says by whom, or that it ended
        else:
            ending = words if result in ("", "exit 0") else f"{words}: {result}"
        is_cached = any("is_cached" in run for run in runs)
        return f"{ending} {FROM_CACHE}" if is_cached and "cached" not in ending else ending

    def later_run(self, runs: Sequence[CheckRun]) -> str:
        """The last run of the checks, where it came later and was limited, or did not show how it ended; else empty."""
        rerun = [run for run in runs if run["later_runs"]]
        if not rerun:
            return ""
        later = rerun[0]["later_runs"][0]
        ending = VERDICTS_OF_LATER.get(later["verdict"], "passed")
        if later["result"] and later["verdict"] != "running" and not re.match(NOTHING_SHOWN, later["result"]):
            sign = ": " if later["verdict"] == "passed" else ", seen of it: "
            ending += sign + cut(self.paths.short(later["result"]), LATER_RESULT_MAX_UTF16)
        what = "run again"
        if not all(covers_check(later["check"], run["check"]) for run in rerun):
            what = f"since then in part: {self.command(later['command'], LATER_COMMAND_MAX_UTF16)}"
        return f"; {what} ({self.ago(later['last'])}): {ending}"

    def before_commit(self, run: CheckRun, files: Sequence[str]) -> str:
        """That the run came before the newest commit, with an edit of one of the files between; else empty."""
        commits = self.of_its_folder(run, self.commits)
        if not commits or not files:
            return ""
        between = [edit["path"] for edit in self.edits
                   if run["position"] < edit["position"] < commits[0]["position"]]
        return f", before commit {commits[0]['hash']}" if any(path.endswith(tuple(files)) for path in between) else ""

    def subagents_since(self, run: CheckRun) -> list[str]:
        """How many subagents that may edit ended after the run, where their edits are not known; none else."""
        if any(item.get("by_agent") for item in self.actions):
            return []
        count = sum(item["tool"] in SUBAGENT_TOOLS and item["verdict"] == "ended" and item["last"] > run["last"]
                    and item.get("subagent_type") not in READING_SUBAGENTS and item.get("tool_calls") != 0
                    for item in self.actions)
        return [f"since then {count} subagent{'s' if count > 1 else ''} ended"] if count else []

    def branch_since(self, run: CheckRun) -> str:
        """That the session went to another branch after the run; empty where it did not."""
        moves = self.of_its_folder(run, self.moves)
        before = [move["branch"] for move in moves if move["position"] < run["position"]]
        since = [move["branch"] for move in moves if move["position"] > run["position"]]
        return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""

    def of_its_folder(self, run: CheckRun, events: Sequence[GitEvent]) -> list[GitEvent]:
        """The events without those that certainly happened in another folder than the run."""
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
    is_bare = run["verdict"] != "failed" and re.match(NOTHING_SHOWN, run["result"])
    own = naming(run["command"], *run["same_failure_in"], *run["passed_since"], result="" if is_bare else run["result"])
    return own.union(*map(steps_of_run, run["later_runs"]))


def run_by(action: Item) -> str:
    """That a subagent ran the check; empty where the agent did."""
    whom = by_whom(action)
    return f"; run by {whom}" if whom else ""


def known_since_failures(actions: Sequence[Item], events: Sequence[GitEvent], runs: Sequence[CheckRun],
                         failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what became of it: of an open failure nothing, else how it went on.

    Of another command that worked behind something else, that. A merge or rebase that stopped is mended when it came
    to its end, by the events of git. Of several such things what is said last here counts.
    """
    known = {position: f" then, worked later behind {as_code(cut(before, WORKED_BEHIND_MAX_UTF16))}" if before
             else " then, its last command worked later"
             for position, before in worked_later(actions).items()}
    known.update(dict.fromkeys(failed_again(runs), FAILED_AGAIN))
    stopped = [event["position"] for event in events if event.get("waits") is False]
    known.update(dict.fromkeys(stopped, " then, ended later"))
    known.update(dict.fromkeys(passed_later(runs), PASSED_LATER))
    known.update(dict.fromkeys((run["position"] for run in failures), ""))
    return known
