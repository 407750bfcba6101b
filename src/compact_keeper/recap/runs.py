"""How runs of checks, forms that worked and what git did are worded for the model: facts, each with its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.recap.tagged import tagged
from compact_keeper.recap.thread import Ago
from compact_keeper.recap.wording import folded_line, without_headings
from compact_keeper.record.check_breadth import covers_check
from compact_keeper.record.check_programs import CHECK_FAMILIES
from compact_keeper.record.check_runs import ENDED_IN_BACKGROUND
from compact_keeper.record.git_ledger import branches_gone_to, git_ledger, may_have_pushed
from compact_keeper.record.git_outcome import PRIVATE_NAMED_MAX
from compact_keeper.record.git_state import commits_of_others, missing_in_branch, open_stash
from compact_keeper.record.lacks import SUDO, lacks
from compact_keeper.record.mended import mended
from compact_keeper.record.runs import mended_later
from compact_keeper.record.unchecked_edits import never_run, no_checks
from compact_keeper.record.uncommitted_files import never_added, status_seen, uncommitted
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.types import CheckRun, GitEvent, Item

COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16, RUN_RESULT_MAX_UTF16, SUBJECT_SHOWN_UTF16 = 200, 90, 200, 110
NEWER_COMMAND_MAX_UTF16, NEWER_RESULT_MAX_UTF16, OTHER_SUBJECT_MAX_UTF16 = 120, 90, 60
TAKES_OUT = r"\bgit (?:rm|filter-branch|filter-repo|reset)\b|filter-repo|\bbfg\b"  # of a commit, or of the history
FAILURE_RESULT_MAX_UTF16 = 400  # of an open failure: total, test, and what was expected beside what came
DIFFERENCE_CONTEXT_CHARACTERS = 40
FILES_MAX, COMMITS_SHOWN_MAX, EVENTS_MAX, FORMS_MAX, UNSEEN_MAX, LACKS_MAX = 5, 8, 4, 6, 5, 4
NOTHING_SEEN, EXIT_OF_OTHER = r"exit \d+ of `", r" · exit \d+ of `.*"
PARTLY_SEEN = "what was seen of how it ended"
VERDICTS_OF_NEWER = {"unknown": "its end not shown", "running": "its end not seen", "stopped": "stopped"}
VERDICT_WORDS = {"unknown": "its output does not show how it ended", "running": "started, its end was not seen"}


def check_lines(actions: Sequence[Item], last: Sequence[CheckRun], failures: Sequence[CheckRun], ago: Ago,
                root: str = "") -> list[str]:
    """Open failures, then the last run of each other check, the newest first; then tests that were never run.

    Of a run on another branch than the last one that was gone to, that too.
    """
    moves, by_place = branches_gone_to(actions), {item["position"]: item for item in actions}
    lines = [tagged(failure_line(run, ago, root), by_place.get(run["position"], {})) for run in failures]
    by_position: dict[int, list[CheckRun]] = {}
    shown = {(run["position"], run["name"]) for run in failures}
    for run in last:
        if (run["position"], run["name"]) not in shown and run["verdict"] != "failed":
            by_position.setdefault(run["position"], []).append(run)
    commits = [event for event in git_ledger(actions) if event["what"] == "commit" and not event["replaced"]]
    lines += [tagged(runs_line(runs, ago, root, before_commit(runs, commits, actions)) + branch_since(runs[0], moves),
                     by_place.get(position, {}))
              for position, runs in by_position.items()
              if any(run["family"] != "format" for run in runs)]  # nobody asks when a formatter ran alone
    if no_checks(actions, root):
        return ["- none of this session's own commands is known as a test, build or linter"]
    lines += [f"- no {as_code(name)} in this session's commands; edited: {file_names(files)}"
              for name, files in never_run(actions, root)]
    return lines


def since_failures(ledger: Sequence[GitEvent], runs: Sequence[CheckRun],
                   failures: Sequence[CheckRun]) -> dict[int, str]:
    """By the position of a run that failed what is known since: of an open one nothing, else that it was mended.

    A merge or rebase that stopped is mended when it came to its end, by the ledger of git.
    """
    stopped = {event["position"] for event in ledger if event.get("waits") is False}
    return {**dict.fromkeys(stopped, " then, ended later"), **dict.fromkeys(mended_later(runs), " then, passed later"),
            **{run["position"]: "" for run in failures}}


def branch_since(run: CheckRun, moves: Sequence[GitEvent]) -> str:
    """That the session went to another branch after the run; empty where it did not."""
    before = [move["branch"] for move in moves if move["position"] < run["position"]]
    since = [move["branch"] for move in moves if move["position"] > run["position"]]
    return f"; since then on branch {since[-1]}" if since and since[-1:] != before[-1:] else ""


def failure_line(run: CheckRun, ago: Ago, root: str) -> str:
    """A check whose last run failed, with what was done since."""
    result = f" → {short_result(run['result'], root, FAILURE_RESULT_MAX_UTF16)}" if run["result"] else ""
    parts = [f"- {run['family']} failed: {short_command(run['command'], root)}{result} ({ago(run['last'])})"]
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


def runs_line(runs: Sequence[CheckRun], ago: Ago, root: str, before: str = "") -> str:
    """The checks of a command line that were not run later; `before` says what came since."""
    families = dict.fromkeys(sorted((run["family"] for run in runs), key=CHECK_FAMILIES.index))
    newest = runs[0]
    verdict = VERDICT_WORDS.get(newest["verdict"], newest["verdict"])
    seen = [run["result"] for run in runs if run["result"] and not re.match(NOTHING_SEEN, run["result"])]
    results = dict.fromkeys(seen)
    result = " · ".join(short_result(result, root) for result in results)
    if newest["verdict"] == "unknown" and result:  # of one of several checks
        is_elsewhere = result.startswith(ENDED_IN_BACKGROUND)
        verdict, result = (verdict if is_elsewhere else PARTLY_SEEN), re.sub(EXIT_OF_OTHER, "", result)
    ending = f"{verdict}: {result}" if result not in ("", "exit 0") else verdict
    ending = result if verdict == "stopped" and result else ending  # it says by whom
    if any("(cached)" in run["limits"] for run in runs) and "cached" not in ending:
        ending += " (cached)"
    files = list(dict.fromkeys(path for run in runs for path in run["edited_after"]))
    since = f"; edited since: {file_names(files)}" if files else ""
    command = short_command(newest["command"], root)
    since += newer_run(runs, ago, root)
    return f"- {', '.join(families)}: {command} → {ending} ({ago(newest['last'])}{before}){since}"


def before_commit(runs: Sequence[CheckRun], commits: Sequence[GitEvent], actions: Sequence[Item]) -> str:
    """That the runs came before the newest commit, where a file they cover was edited between; else empty."""
    files = [path for run in runs for path in run["edited_after"]]
    newest = commits[0] if files and commits else None
    is_between = newest is not None and any(
        runs[0]["position"] < action["position"] < newest["position"] and action["path"].endswith(tuple(files))
        for action in actions if action.get("path") and action.get("edits"))
    return f", before commit {newest['hash']}" if newest and is_between else ""


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


def form_lines(actions: Sequence[Item], root: str = "") -> list[str]:
    """Forms of commands that failed beside the one that worked, which stands once."""
    failures: dict[str, list[str]] = {}
    for form in mended(actions)[:FORMS_MAX]:
        failed, worked = (short_command(command, root) for command in (form["failed"], form["worked"]))
        if failed == worked:  # the folder makes the difference, or what lies behind the cut
            failed, worked = from_difference(form["failed"], form["worked"])
        times = f" (such failures: {form['times']})" if form["times"] > 1 else ""
        result = short_result(form["result"], root, OTHER_COMMAND_MAX_UTF16)
        failures.setdefault(worked, []).append(f"{failed} → {result}{times}")
    return [f"- {'; '.join(failed)}; worked: {worked}" for worked, failed in failures.items()]


def lack_lines(items: Sequence[Item], root: str = "") -> Iterator[str]:
    """What the machine refused to the session's commands: programs that it has not, and a password for sudo."""
    refused = {lack["program"]: short_command(lack["command"], root, OTHER_COMMAND_MAX_UTF16) for lack in lacks(items)}
    if command := refused.pop(SUDO, ""):
        yield f"- sudo asked for a password that no command could type: {command}"
    if refused:
        named = [f"{as_code(program)} in {command}" for program, command in [*refused.items()][:LACKS_MAX]]
        yield f"- command not found, and not seen to run in this session: {', '.join(named)}"


def from_difference(failed: str, worked: str) -> tuple[str, str]:
    """Both commands as code, each from a little before where they begin to differ."""
    lines = [folded_line(command) for command in (failed, worked)]
    differs = next((at for at, pair in enumerate(zip(*lines)) if len({*pair}) > 1), min(map(len, lines)))
    begin = max(differs - DIFFERENCE_CONTEXT_CHARACTERS, 0)
    shown = [as_code(f"{'…' if begin else ''}{cut(line[begin:], COMMAND_MAX_UTF16)}") for line in lines]
    return shown[0], shown[1]


def git_lines(items: Sequence[Item], ago: Ago, root: str = "", is_now_known: bool = False,
              ledger: Sequence[GitEvent] = ()) -> list[str]:
    """What git was seen to do: what waits for its end, what was edited since, pushes, then commits, the newest first.

    Where git itself was asked, it knows better what is committed, changed and begun: that is left out.
    """
    actions = [item for item in items if item["kind"] == "action"]
    events = ledger or git_ledger(actions)
    has_commits = any(event["what"] == "commit" for event in events)
    lines = [] if is_now_known else [*waiting_lines(events, ago, root), *left_lines(items, events, ago, root)]
    pushes = [event for event in events if event["what"] == "push" and event["certain"]]
    if pushes:
        where = f", to {cut(pushes[0]['to'], SUBJECT_SHOWN_UTF16)}" if pushes[0]["to"] else ""
        where += f"; it printed {in_quotes(pushes[0]['remark'])}" if pushes[0].get("remark") else ""
        lines.append(f"- last push: {short_command(pushes[0]['text'], root)} ({ago(pushes[0]['last'])}){where}")
    is_unpushed = has_commits and not may_have_pushed(actions)
    if is_unpushed:
        lines.append("- no push in this session's commands")
    lines += [f"- pull request opened: {event['text']} ({ago(event['last'])})"
              + (f"; it warned: {in_quotes(event['remark'])}" if event.get("remark") else "")
              for event in events if event["what"] == "pull request"]
    lines += private_lines(actions, events)
    lines += [] if is_now_known else commit_lines(events, ago, bool(pushes) or is_unpushed)
    done: dict[str, GitEvent] = {}
    for event in events:
        if event["what"] in ("history", "branch") and not event.get("waits"):
            done.setdefault(event["text"], event)
    if done:
        lines.append("- also, newest first: " + ", ".join(
            f"{short_command(event['text'], root, OTHER_COMMAND_MAX_UTF16)} ({ago(event['last'])})"
            for event in [*done.values()][:EVENTS_MAX]))
    return lines


def private_lines(actions: Sequence[Item], events: Sequence[GitEvent]) -> Iterator[str]:
    """Which commits took in files that are seldom meant to be in one, as far as nothing later took them out again."""
    gone = {event["hash"] for event in events if event["what"] == "commit" and event["replaced"]}
    for item in [action for action in actions if action.get("private") and action["commit"] not in gone]:
        later = [action["text"] for action in actions if action["position"] > item["position"]]
        if not any(re.search(TAKES_OUT, text) for text in later):
            paths, others = item["private"], len(item["private"]) - FILES_MAX
            most = "at least " if len(paths) == PRIVATE_NAMED_MAX else ""
            names = ", ".join(paths[:FILES_MAX]) + (f" and {most}{others} more" if others > 0 else "")
            yield f"- commit {item['commit']} took in files that are mostly private: {names}"


def left_lines(items: Sequence[Item], events: Sequence[GitEvent], ago: Ago, root: str) -> Iterator[str]:
    """What the commands left in the repository: a stash, commits elsewhere, commits of others, files in no commit."""
    actions = [item for item in items if item["kind"] == "action"]
    looks = [item for item in items if item["kind"] == "look"]
    if stash := open_stash([*actions, *looks]):
        command = short_command(stash[0]["text"], root, OTHER_COMMAND_MAX_UTF16)
        yield (f"- stashed by {command} ({ago(stash[0]['last'])}) and not taken back by this session's commands: "
               f"{cut(stash[1], SUBJECT_SHOWN_UTF16)}")
    branch, lacking = missing_in_branch(actions, looks, events, root)
    if lacking:
        where = ", ".join(dict.fromkeys(event["branch"] for event in lacking))
        names = ", ".join(event["hash"] for event in lacking[:COMMITS_SHOWN_MAX])
        yield f"- not in the current branch {branch}: {names} of {where}, no push of it seen"
    if others := commits_of_others([*actions, *looks], events):
        named = "; ".join(f"{name} {cut(words, OTHER_SUBJECT_MAX_UTF16)}" for name, words in others[1][:EVENTS_MAX])
        more = f" and {len(others[1]) - EVENTS_MAX} more" if len(others[1]) > EVENTS_MAX else ""
        yield (f"- in `git log` {ago(others[0]['last'])}, committed by others than this session's own commands: "
               f"{named}{more}")
    has_commits = any(event["what"] == "commit" for event in events)
    if files := uncommitted(actions, events, root, status_seen(looks)):
        what = "edited after the last commit" if has_commits else "edited; no commit in this session's commands"
        yield f"- {what}: {file_names(files)}"
    if never := [path for path in never_added(actions, events, root) if path not in files]:
        yield f"- edited and named by no `git add` of this session: {file_names(never)}"


def waiting_lines(events: Sequence[GitEvent], ago: Ago, root: str) -> list[str]:
    """Merges, rebases and the like that were begun and not seen to end, with the files in conflict."""
    return [f"- waits for its end: {short_command(event['text'], root)} ({ago(event['last'])})"
            + (f"; in conflict: {file_names(event['files'])}" if event["files"] else "")
            for event in events if event.get("waits")]


def commit_lines(events: Sequence[GitEvent], ago: Ago, are_pushes_known: bool) -> Iterator[str]:
    """A line for each of the newest commits, with its branch where that is another than the line's before.

    Where pushes are not known (one stands within a command for another host), of no commit that is said.
    """
    commits, branch = [event for event in events if event["what"] == "commit"], ""
    kept = [commit for commit in commits if not commit["replaced"]]
    for commit in kept[:COMMITS_SHOWN_MAX]:
        is_named = commit["branch"] not in ("", branch) and not commit["branch"].startswith("detached")
        where = f" on {commit['branch']}" if is_named else ""
        branch = commit["branch"]
        when = ago(commit["last"]) + {
            "yes": ", pushed", "no": ", no push seen" if are_pushes_known else ""}.get(commit["pushed"], "")
        later = ", a rebase came later" if commit.get("rebased") else ""
        yield f"- commit {commit['hash']}{where}: {cut(commit['text'], SUBJECT_SHOWN_UTF16)} ({when}{later})"
    if len(kept) > COMMITS_SHOWN_MAX:
        yield f"- and {len(kept) - COMMITS_SHOWN_MAX} commits before, from {kept[-1]['hash']} on"
    if gone := [commit["hash"] for commit in commits if commit["replaced"]]:
        yield f"- replaced by a later amend or reset: {', '.join(gone[:COMMITS_SHOWN_MAX])}"


def short_command(command: str, root: str, limit: int = COMMAND_MAX_UTF16) -> str:
    """The command as code on one line, without the working folder's path and `2>&1`."""
    command = without_headings(command)
    command = without_root(" ⏎ ".join(line.strip() for line in command.splitlines() if line.strip()), root)
    if command.startswith("cd ") or " 2>&1" in command:
        command = re.sub(r"^cd (?:\./?)? ?(?:&&|⏎|;) | 2>&1(?= |$)", "", command)
    return as_code(cut(command, limit))


def short_result(result: str, root: str, limit: int = RUN_RESULT_MAX_UTF16) -> str:
    """What the output said, without the working folder's path."""
    return cut(without_root(result, root), limit)


def without_root(text: str, root: str) -> str:
    """The text with the paths below the working folder as seen from there."""
    root = root.rstrip("/")
    return re.sub(re.escape(root) + r"(?:/|(?=[\s\"';&]|$))", "", text) if root and root in text else text


def file_names(paths: Sequence[str]) -> str:
    """The first paths by their names, with the folder where two have the same, and how many more there are."""
    names = [path.rpartition("/")[2] for path in paths]
    shown = ["/".join(path.split("/")[-2:]) if names.count(name) > 1 else name for path, name in zip(paths, names)]
    more = f" and {len(paths) - FILES_MAX} more" if len(paths) > FILES_MAX else ""
    return ", ".join(shown[:FILES_MAX]) + more
