"""What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.

All of it from what git itself printed, or from a command that ended well; git's own word of now is another module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.git.calls import git_calls, names_in_call
from compact_keeper.record.git.events import git_events
from compact_keeper.record.results import results_of
from compact_keeper.text.paths import are_apart
from compact_keeper.types import Ending, GitEvent, Item

RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
PUSH_REFUSED = (  # what git says of the push itself: another command of the line may have failed before it
    r"rejected\]|Updates were rejected|does not appear to be a git repository|Could not read from remote|src refspec"
    r"|unable to access|Authentication failed|has no upstream branch|No configured push destination"
    r"|[Rr]epository (?:\S{1,200} )?not found|pre-push hook|failed to push|could not read (?:Username|Password)")
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either


def git_ledger(actions: Sequence[Item]) -> list[GitEvent]:
    """The events, the newest first; of each commit whether it was pushed and whether a later one took its place."""
    events = git_events(actions)
    mark_replaced(events, [action["position"] for action in actions if action.get("tool") in SUBAGENT_TOOLS])
    mark_rebased(events)
    mark_ended(events)
    mark_pushed(events)
    return [event for event in reversed(events) if event["what"] != "moved"]


def branches_gone_to(actions: Sequence[Item]) -> list[GitEvent]:
    """The calls that went to a branch by its name, the oldest first, each with that branch."""
    moves: list[GitEvent] = []
    for event in git_events(actions):
        if event["what"] == "branch":
            moves.append(event)
        elif event["what"] == "moved":
            branch = branch_moved_to(event)
            if branch:
                moves.append({**event, "branch": branch})
    return moves


def branch_moved_to(event: GitEvent) -> str:
    """The branch that a checkout or switch names, and nothing else; empty: it may name something else."""
    names = names_in_call(event)
    return names[0] if len(names) == 1 and re.fullmatch(BRANCH_NAME, names[0]) else ""


def mark_replaced(events: Sequence[GitEvent], orders: Sequence[int]) -> None:
    """Marks commits that an amend or a reset right behind them took away: nothing between them moved HEAD.

    `orders` are the places of subagents' orders: what these commit is not seen here.
    """
    line: list[GitEvent] = []  # commits on top of each other, as far as that is certain
    for event in events:
        if line and any(line[-1]["position"] < order < event["position"] for order in orders):
            line.clear()
        is_plain = event["what"] == "commit" and event["verb"] == "commit"
        if is_plain and not any(other["position"] == event["position"] for other in line):
            if event["amends"] and line and line[-1]["branch"] == event["branch"]:
                line.pop()["replaced"] = True
            line = [other for other in line if other["branch"] == event["branch"]] + [event]
            continue
        reset = re.match(RESET_OF_COMMITS, event["text"]) if event["what"] == "history" else None
        if reset:
            for _ in range(min(int(reset[1] or 1), len(line))):
                line.pop()["replaced"] = True
        elif event["what"] in ("commit", "history", "moved"):
            line.clear()


def mark_rebased(events: Sequence[GitEvent]) -> None:
    """Marks commits that were not pushed when a rebase came: it gives others hashes where there was something new."""
    unpushed: list[GitEvent] = []  # commits behind the last push that is certain
    for event in events:
        if event["what"] == "commit":
            unpushed.append(event)
        elif event["what"] == "push" and event["certain"]:
            unpushed = []
        elif is_rebase(event):
            for commit in unpushed:
                if commit["position"] < event["position"]:
                    commit["rebased"] = True


def is_rebase(event: GitEvent) -> bool:
    """Whether a rebase came to its end."""
    is_named = event["what"] == "history" and (event["verb"] == "rebase" or "--rebase" in event["text"])
    return is_named and not event.get("waits")


def mark_ended(events: Sequence[GitEvent]) -> None:
    """Takes the mark from merges and rebases that came to their end: continued, given up, or committed."""
    for place, event in enumerate(events):
        if event.get("waits"):
            event["waits"] = not any(ends_waiting(later, event) for later in events[place + 1:])


def ends_waiting(later: GitEvent, event: GitEvent) -> bool:
    """Whether a later event ends the merge or rebase that waits."""
    if later["what"] not in ("commit", "history", "stash"):
        return False
    if later["verb"] == "commit":
        return event["verb"] != "rebase"
    kinds = ("merge", "pull") if event["verb"] in ("merge", "pull") else (event["verb"],)
    return later["verb"] in (*kinds, "reset")


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for place, event in enumerate(events):
        if event["what"] != "commit":
            continue
        later = events[place + 1:]
        if is_seen_pushed(event, later) and not event.get("rebased"):  # then its new hash was pushed, this one not
            event["pushed"] = "yes"
        elif any(other["what"] in ("push", "pull request") for other in later):
            event["pushed"] = ""
        else:
            event["pushed"] = "no"


def is_seen_pushed(commit: GitEvent, later: Sequence[GitEvent]) -> bool:
    """Whether one of the later events is a push, certain, of the commit's branch."""
    branch = commit["branch"].partition(" ")[0]
    return any(push["what"] == "push" and push["certain"] and names_branch(push, branch, later[:number])
               and not are_apart(push["folder"], commit["folder"]) for number, push in enumerate(later))


def names_branch(push: GitEvent, branch: str, between: Sequence[GitEvent]) -> bool:
    """Whether the push is of this branch: it says so, or names none and nothing `between` went to another one."""
    named = branch_pushed(push)
    return named == branch if named else not any(event["what"] in ("moved", "branch") for event in between)


def branch_pushed(push: GitEvent) -> str:
    """The branch that a push names, or that its output does; empty: none."""
    names = names_in_call(push)
    named = names[1].rpartition(":")[2] if len(names) > 1 else ""
    return named if named not in ("", "HEAD") else "".join(push["to"].split()[1:2])


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it; a refused push has not."""
    results = [result for result in results_of(actions) if not is_refused_push(result)]
    return any(re.search(PUSHING, result["text"]) or has_push(result["text"]) for result in results)


def refused_push(actions: Iterable[Item]) -> Ending | None:
    """The last push that git says was refused; None: none was."""
    return next((result for result in reversed(results_of(actions)) if is_refused_push(result)), None)


def is_refused_push(result: Ending) -> bool:
    """Whether git says of the command's one push that it was refused, by the other side or before."""
    is_single = sum(call["verb"] == "push" for call in git_calls(result["text"])) == 1
    return is_single and says_push_refused(result) and not result.get("pushed")


def says_push_refused(result: Ending) -> bool:
    """Whether the command failed and git says of a push that it was refused; another push of the line may have gone."""
    return result["verdict"] == "failed" and re.search(PUSH_REFUSED, result["result"]) is not None


def has_push(command: str) -> bool:
    """Whether the command has a `git push` among its calls."""
    return "push" in command and any(call["verb"] == "push" for call in git_calls(command))
