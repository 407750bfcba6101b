"""Checks: those that fail, how each other one ended last, and tests that were never run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compact_keeper.recap.lines.thread import Ago
from compact_keeper.recap.wording.from_root import (
    OTHER_COMMAND_MAX_UTF16,
    file_names,
    short_check,
    short_command,
    short_result,
)
from compact_keeper.recap.wording.phrases import by_whom, shared_line
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.checks.last_runs import failed_again, mended_later
from compact_keeper.record.checks.runs import ENDED_IN_BACKGROUND
from compact_keeper.record.checks.unchecked_edits import never_run, no_checks
from compact_keeper.record.commands.check_breadth import covers_check
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.git.ledger import branches_gone_to, git_ledger
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import are_apart
from compact_keeper.text.tags import tag_of
from compact_keeper.types import CheckRun, GitEvent, Item, Line

FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
NEWER_COMMAND_MAX_UTF16, NEWER_RESULT_MAX_UTF16 = 120, 90
UNSEEN_MAX = 5
PASSED_LATER = " then, passed later"
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"  # in a result: of another command of the line
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_NEWER = {"unknown": "its end not shown", "running": "its end not seen", "stopped": "stopped"}
GOES_TO_FOLDER = r"cd [\"']?([^\s\"';&]+)"
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(actions: Sequence[Item], last: Sequence[CheckRun], failures: Sequence[CheckRun], ago: Ago,
                root: str = "") -> list[str]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too.
    """
    if no_checks(actions, root):
        return ["- none of this session's own commands is known as a test, build or linter"]
    action_at = {item["position"]: item for item in actions}
    lines = [tagged(failure_line(run, ago, root) + run_by(run, action_at), action_at.get(run["position"], {}))
             for run in failures]
    runs_at: dict[tuple[int, str], list[CheckRun]] = {}  # by the command that ran them
    shown = {(run["position"], run["name"], run["command"]) for run in failures}
    for run in last:
        if (run["position"], run["name"], run["command"]) not in shown and run["verdict"] != "failed":
            runs_at.setdefault((run["position"], run["command"]), []).append(run)
    moves = branches_gone_to(actions)
    commits = [event for event in git_ledger(actions) if event["what"] == "commit" and not event["replaced"]]
    for (position, _), runs in runs_at.items():
        if all(run["family"] == "format" for run in runs):
            continue  # nobody asks when a formatter ran alone
        folder = folder_of(runs[0], root)
        moves_here, commits_here = ([event for event in events if not are_apart(event["folder"] or root, folder)]
                                    for events in (moves, commits))
        line = runs_line(runs, ago, root, before_commit(runs, commits_here, actions))
        line += branch_since(runs[0], moves_here) + run_by(runs[0], action_at)
        lines.append(tagged(line, action_at.get(position, {})))
    lines += [f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}"
              for name, files in never_run(actions, root)]
    return lines


def failure_line(run: CheckRun, ago: Ago, root: str) -> str:
    """A check whose last run failed, with what was done since."""
    result = f" → {short_result(run['result'], root, FAILURE_RESULT_MAX_UTF16)}" if run["result"] else ""
    which = "" if run["is_certain"] else f", which of the line's {run['family']} runs its output does not show"
    parts = [f"- {run['family']} failed{which}: {short_check(run, root)}{result} ({ago(run['last'])})"]
    if run["also"]:
        parts.append(f"the same in {short_command(run['also'][0], root, OTHER_COMMAND_MAX_UTF16)}")
    if run["unseen"]:
        parts.append(f"failed before, its end not looked at since: {', '.join(run['unseen'][:UNSEEN_MAX])}")
    if run["edited_after"]:
        parts.append(f"edited since: {file_names(run['edited_after'])}")
    if run["since"]:
        parts.append("others passed since: " + ", ".join(
            short_command(command, root, OTHER_COMMAND_MAX_UTF16) for command in run["since"]))
    return "; ".join(parts)


def run_by(run: CheckRun, action_at: Mapping[int, Item]) -> str:
    """That a subagent ran the check; empty where the agent did."""
    whom = by_whom(action_at.get(run["position"], {}))
    return f"; run by {whom}" if whom else ""


def failing_checks(lines: Sequence[str], failures: Sequence[CheckRun], actions: Sequence[Item], ago: Ago,
                   root: str) -> list[Line]:
    """The lines of checks as lines of the recap, those of open failures, which come first, marked as such."""
    sources = {item["position"]: item["source"] for item in actions}
    marked: list[Line] = []
    for text, run in zip(lines, failures):
        tag, words = tag_of(sources.get(run["position"], "")), failure_in_few_words(run, ago, root)
        marked.append({**shared_line(text), "fails": run["family"], "in_few_words": words, "tag": tag})
    return [*marked, *map(shared_line, lines[len(marked):])]


def failure_in_few_words(run: CheckRun, ago: Ago, root: str) -> str:
    """A check that failed by its own command, without the rest of its line, and what its output says first."""
    command = short_command(run["check"]["typed"], root, OTHER_COMMAND_MAX_UTF16)
    result = f" → {short_result(run['result'], root, NEWER_RESULT_MAX_UTF16)}" if run["result"] else ""
    return f"- {run['family']} failed: {command}{result} ({ago(run['last'])})"


def runs_line(runs: Sequence[CheckRun], ago: Ago, root: str, before: str = "") -> str:
    """The checks of a command line that were not run later; `before` says before what they came."""
    newest = runs[0]
    families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
    command = short_command(newest["command"], root)
    files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
    edited = f"; edited since: {file_names(files)}" if files else ""
    newer = newer_run(runs, ago, root)
    when = f"{ago(newest['last'])}{before}"
    return f"- {', '.join(families)}: {command} → {ending_of_runs(runs, root)} ({when}){edited}{newer}"


def ending_of_runs(runs: Sequence[CheckRun], root: str) -> str:
    """How the checks of a command line ended: the verdict, and what was seen of it."""
    verdict = runs[0]["verdict"]
    seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
    result = " · ".join(short_result(text, root) for text in dict.fromkeys(seen))
    words = VERDICT_WORDS.get(verdict, verdict)
    if verdict == "unknown" and result:  # of one of several checks
        words = words if result.startswith(ENDED_IN_BACKGROUND) else PARTLY_SEEN
        result = re.sub(EXIT_OF_OTHER, "", result)
    ending = words if result in ("", "exit 0") else f"{words}: {result}"
    if verdict == "stopped" and result:
        ending = result  # it says by whom
    is_cached = any("(cached)" in run["limits"] for run in runs)
    return f"{ending} (cached)" if is_cached and "cached" not in ending else ending


def newer_run(runs: Sequence[CheckRun], ago: Ago, root: str) -> str:
    """The last run of the checks, where it came later and was limited, or did not show how it ended; else empty."""
    newer = next((run for of_check in runs for run in of_check["newer"]), None)
    if newer is None:
        return ""
    is_known, result = newer["verdict"] == "passed", newer["result"]
    is_empty = newer["verdict"] == "running" or re.match(f"{NOTHING_SEEN}|exit 0$", result)
    seen = "" if is_empty else short_result(result, root, NEWER_RESULT_MAX_UTF16)
    said = f"{': ' if is_known else ', seen of it: '}{seen}" if seen else ""
    ending = VERDICTS_OF_NEWER.get(newer["verdict"], "passed") + said
    is_less = any(of_check["newer"] and not covers_check(newer["check"], of_check["check"]) for of_check in runs)
    command = short_command(newer["command"], root, NEWER_COMMAND_MAX_UTF16)
    what = f"since then only {command}" if is_less else "run again"
    return f"; {what} ({ago(newer['last'])}): {ending}"


def folder_of(run: CheckRun, root: str) -> str:
    """Where a command line ran: the folder that it goes to first, else the root."""
    gone_to = re.match(GOES_TO_FOLDER, run["command"])
    return gone_to[1] if gone_to else root


def before_commit(runs: Sequence[CheckRun], commits: Sequence[GitEvent], actions: Sequence[Item]) -> str:
    """That the runs came before the newest commit, where a file they cover was edited between; else empty."""
    files = [path for run in runs for path in run["edited_after"]]
    newest = commits[0] if files and commits else None
    is_between = newest is not None and any(
        runs[0]["position"] < action["position"] < newest["position"] and action["path"].endswith(tuple(files))
        for action in actions if action.get("path") and action.get("edits"))
    return f", before commit {newest['hash']}" if newest and is_between else ""


def branch_since(run: CheckRun, moves: Sequence[GitEvent]) -> str:
    """That the session went to another branch after the run; empty where it did not."""
    before = [move["branch"] for move in moves if move["position"] < run["position"]]
    since = [move["branch"] for move in moves if move["position"] > run["position"]]
    return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""


def since_failures(ledger: Sequence[GitEvent], runs: Sequence[CheckRun],
                   failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what is known since: of an open one nothing, else how it went on.

    A merge or rebase that stopped is mended when it came to its end, by the ledger of git.
    """
    stopped = {event["position"] for event in ledger if event.get("waits") is False}
    return {**dict.fromkeys(failed_again(runs), " then, and again later"),
            **dict.fromkeys(stopped, " then, ended later"), **dict.fromkeys(mended_later(runs), PASSED_LATER),
            **{run["position"]: "" for run in failures}}
