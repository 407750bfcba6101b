"""What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.

All of it from what git itself printed, or from a command that ended well; git's own word of now is another module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.git_calls import git_calls
from compact_keeper.record.git_events import git_events
from compact_keeper.types import GitEvent, Item

RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
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
        words = [word for word in event.get("text", "").split()[2:] if not word.startswith("-")]
        if event["what"] == "moved" and len(words) == 1 and re.fullmatch(BRANCH_NAME, words[0]):
            moves.append({**event, "branch": words[0]})
        elif event["what"] == "branch":
            moves.append(event)
    return moves


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
        elif event["what"] == "history" and (match := re.match(RESET_OF_COMMITS, event["text"])):
            for _ in range(min(int(match[1] or 1), len(line))):
                line.pop()["replaced"] = True
        elif event["what"] in ("commit", "history", "moved") and event["verb"] != "stash":
            line.clear()


def mark_rebased(events: Sequence[GitEvent]) -> None:
    """Marks commits that were not pushed when a rebase came: it gives others hashes where there was something new."""
    for place, event in enumerate(events):
        if event["what"] == "history" and not event.get("waits") and (
                event["verb"] == "rebase" or "--rebase" in event["text"]):
            pushed = max((number for number, push in enumerate(events[:place])
                          if push["what"] == "push" and push["certain"]), default=-1)
            for commit in events[pushed + 1:place]:
                if commit["what"] == "commit" and commit["position"] < event["position"]:
                    commit["rebased"] = True


def mark_ended(events: Sequence[GitEvent]) -> None:
    """Takes the mark from merges and rebases that came to their end: continued, given up, or committed."""
    for place, event in enumerate(events):
        if event.get("waits"):
            kinds = ("merge", "pull", "reset") if event["verb"] in ("merge", "pull") else (event["verb"], "reset")
            event["waits"] = not any(
                later["what"] in ("commit", "history") and (later["verb"] in kinds or (
                    later["verb"] == "commit" and event["verb"] != "rebase"))
                for later in events[place + 1:])


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for place, event in enumerate(events):
        if event["what"] == "commit":
            later, branch = events[place + 1:], event["branch"].partition(" ")[0]
            is_seen = any(names_branch(push, branch, later[:number])
                          for number, push in enumerate(later) if push["what"] == "push" and push["certain"])
            if event.get("rebased"):  # its new hash may have been pushed, this one was not since
                is_seen = False
            may_be = any(push["what"] in ("push", "pull request") for push in later)
            event["pushed"] = "yes" if is_seen else "" if may_be else "no"


def names_branch(push: GitEvent, branch: str, between: Sequence[GitEvent]) -> bool:
    """Whether the push is of this branch: it says so, or names none and nothing `between` went to another one."""
    words = [word for word in push["text"].split()[2:] if not word.startswith("-")]
    named = [words[1].rpartition(":")[2]] if len(words) > 1 else []
    named = named if named not in ([], ["HEAD"]) else push["to"].split()[1:2]
    return named == [branch] if named else not any(event["what"] in ("moved", "branch") for event in between)


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it."""
    for action in actions:
        if action.get("path"):
            continue
        if any(words[0] == "push" for words, _ in git_calls(action["text"])) or re.search(PUSHING, action["text"]):
            return True
    return False
