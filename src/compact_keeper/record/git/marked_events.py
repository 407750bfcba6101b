"""What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.

All of it from what git itself printed, or from a command that ended well; git's own word of now is another module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.endings import NOT_DONE, endings_of
from compact_keeper.record.git.added_files import name_added_files
from compact_keeper.record.git.events import git_events, request_ended
from compact_keeper.record.git.parsed_calls import git_calls, has_call, names_in_call
from compact_keeper.text.paths import are_apart
from compact_keeper.types import Ending, GitEvent, Item

RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
REF_REFUSED = r"rejected\]\s+\S{1,200}\s+-> (\S{1,200})"
OF_A_FORGE = r"\b(?:gh pr|glab mr) (?:create|merge)\b"  # they push no more than the branch where one stands
ALL_BRANCHES = ("--all", "--mirror", "--branches")  # options of a push
MAKING_COMMITS = ("am", "cherry-pick", "commit", "merge", "revert")
WITHOUT_COMMIT = r"\s--(?:abort|quit|dry-run|no-commit)\b"
MADE_NONE = r"nothing (?:added )?to commit|no changes added to commit|Already up to date|Fast-forward"
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either


def marked_events(actions: Sequence[Item], root: str = "") -> list[GitEvent]:
    """The events, the newest first; of commits their files, if they were pushed, if a later one took their place."""
    events = git_events(actions, root)
    mark_replaced(events, [action["position"] for action in actions if action.get("tool") in SUBAGENT_TOOLS])
    mark_rebased(events)
    mark_ended(events)
    mark_pushed(events)
    name_added_files(events, actions)
    mark_ended_requests(events, actions)
    return [event for event in reversed(events) if event["what"] != "moved"]


def commits_made_since(actions: Sequence[Item], position: int) -> tuple[int, bool]:
    """How many commits the commands behind a position in the session made and kept, and whether they made more.

    Those that `marked_events` lists. Of `git commit … | tail -3` the output had no row with the hash: two of three
    commits had been counted as all.
    """
    made = [event for event in marked_events(actions) if event["what"] == "commit" and event["position"] > position]
    seen = {event["position"] for event in made}
    may_be_more = any(
        action["position"] > position and makes_commits(action["text"]) and
        (action["uses"] > 1 + len(action.get("earlier", ()))  # of many runs the last ones are kept
         or any(may_have_committed(ending) for ending in endings_of([action])
                if ending["position"] > position and ending["position"] not in seen)) for action in actions)
    return len({event["hash"] for event in made if not event["replaced"]}), may_be_more


def makes_commits(command: str) -> bool:
    """Whether the command has a call of git that makes commits."""
    return "git" in command and any(
        call["verb"] in MAKING_COMMITS and not re.search(WITHOUT_COMMIT, command) for call in git_calls(command))


def may_have_committed(ending: Ending) -> bool:
    """Whether a command that makes commits may have made one, though its output names none."""
    return ending["verdict"] not in NOT_DONE and not re.search(MADE_NONE, str(ending.get("result") or ""))


def branches_gone_to(actions: Sequence[Item], root: str) -> list[GitEvent]:
    """The calls that went to a branch by its name, the oldest first, each with that branch."""
    moves: list[GitEvent] = []
    for event in git_events(actions, root):
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

    `orders` are the positions of subagents' orders: what these commit is not seen here.
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
    for index, event in enumerate(events):
        if event.get("waits"):
            event["waits"] = not any(ends_waiting(later, event) for later in events[index + 1:])


def ends_waiting(later: GitEvent, event: GitEvent) -> bool:
    """Whether a later event ends the merge or rebase that waits."""
    if later["what"] not in ("commit", "history", "stash"):
        return False
    if later["verb"] == "commit":
        return event["verb"] != "rebase"
    kinds = ("merge", "pull") if event["verb"] in ("merge", "pull") else (event["verb"],)
    return later["verb"] in (*kinds, "reset")


def mark_ended_requests(events: Sequence[GitEvent], actions: Sequence[Item]) -> None:
    """Says of each pull request that was opened how a later command ended it, by its address or its number.

    By its number where no other request that was opened has that: it may be another repository's.
    """
    requests = [event for event in events if event["what"] == "pull request"]
    for ending in endings_of(actions) if requests else ():
        request, how = request_ended(ending)
        named = [event for event in requests if request and f"/{event['text']}".endswith(f"/{request}")
                 and event["position"] < ending["position"]]
        if len(named) == 1:
            named[0]["ended"], named[0]["ended_last"] = how, ending["last"]


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for index, event in enumerate(events):
        if event["what"] != "commit":
            continue
        later = events[index + 1:]
        branch = branch_pushed_with(event, later)
        if branch is not None and not event.get("rebased"):  # then its new hash was pushed, this one not
            event["pushed"] = "yes"
            if branch:
                event["pushed_with"] = branch
        elif any(other["what"] in ("push", "pull request") for other in later):
            event["pushed"] = ""
        else:
            event["pushed"] = "no"


def branch_pushed_with(commit: GitEvent, later: Sequence[GitEvent]) -> str | None:
    """With which branch one of the later events, a push that is certain, pushed the commit; None: none did.

    Empty where it was the commit's own. A commit that main's protection refused went out by a branch made at it, and
    had been told without a word of that.
    """
    own = commit["branch"].partition(" ")[0]
    holding, is_there = [own], True  # branches that hold the commit, and whether HEAD is certainly on one of them
    for event in later:
        if are_apart(event.get("folder", ""), commit["folder"]):
            continue
        if event["what"] == "push" and event["certain"]:
            if {*ALL_BRANCHES} & {*event["text"].split()}:
                return ""
            named = branches_pushed(event)
            if own in named or (not named and is_there):
                return ""
            if with_it := [branch for branch in holding if branch in named]:
                return with_it[0]
        elif event["what"] == "branch":
            is_there = begins_at(event, holding, is_there)
            holding += [event["branch"]] if is_there else []
        elif event["what"] == "moved":
            is_there = branch_moved_to(event) in holding
        elif event["what"] == "history" and event["verb"] in ("reset", "rebase"):
            is_there = False
    return None


def begins_at(event: GitEvent, holding: Sequence[str], is_there: bool) -> bool:
    """Whether a new branch begins at a commit: where HEAD stood, or at one of the branches that hold it."""
    names = names_in_call(event)
    start = names[names.index(event["branch"]) + 1:] if event["branch"] in names else []
    if event["verb"] == "worktree":
        return False  # HEAD of the folder where the session stands does not move
    return start[0] in holding if start and start[0] != "HEAD" else is_there


def branches_pushed(push: GitEvent) -> list[str]:
    """The branches that a push names, or that its output does; none: it names none."""
    named = [name.rpartition(":")[2] for name in names_in_call(push)[1:]]
    return [name for name in named if name not in ("", "HEAD")] or push["refs"]


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it; a refused push has not."""
    endings = [ending for ending in endings_of(actions) if not is_refused_push(ending)]
    return any(re.search(PUSHING, ending["text"]) or has_push(ending["text"]) for ending in endings)


def refused_push(actions: Iterable[Item]) -> Ending | None:
    """The last push that git says was refused; None: none was."""
    return next((ending for ending in reversed(endings_of(actions)) if is_refused_push(ending)), None)


def standing_refusal(actions: Sequence[Item], events: Sequence[GitEvent]) -> GitEvent | None:
    """The last push that was refused, where no later one may have taken those commits to that branch; None: none.

    As a push, with the branch that the other side refused as `branch`, and as `remark` what was said of it. A failure
    of one's own side ("src refspec master does not match any") is of no branch: any later push overtakes it.
    """
    refused = refused_push(actions)
    if refused is None:
        return None
    said = refused["push_refused"]
    call = next(call for call in git_calls(refused["text"], refused.get("folder", "")) if call["verb"] == "push")
    ref = re.search(REF_REFUSED, said)
    refusal: GitEvent = {
        "what": "push", "text": " ".join(["git", "push", *call["arguments"]]), "last": refused["last"], "to": "",
        "position": refused["position"], "folder": call["folder"], "branch": ref[1] if ref else "", "remark": said}
    later = [event for event in events if event["what"] == "push" and event["position"] > refused["position"]]
    commands = [ending["text"] for ending in endings_of(actions) if ending["position"] > refused["position"]]
    is_overtaken = any(may_be_of(push, refusal) for push in later) or any(
        re.search(PUSHING, text) and not re.search(OF_A_FORGE, text) for text in commands)
    return None if is_overtaken else refusal


def may_be_of(push: GitEvent, refusal: GitEvent) -> bool:
    """Whether a push may be of the branch whose push was refused."""
    branches = branches_pushed(push)
    is_of_all = bool({*ALL_BRANCHES} & {*push["text"].split()})
    return is_of_all or not (branches and refusal["branch"]) or refusal["branch"] in branches


def is_refused_push(ending: Ending) -> bool:
    """Whether git says of the command's one push that it was refused, by the other side or before."""
    is_single = sum(call["verb"] == "push" for call in git_calls(ending["text"])) == 1
    return is_single and says_push_refused(ending) and not ending.get("pushed")


def says_push_refused(ending: Ending) -> bool:
    """Whether the command failed and git says of a push that it was refused; another push of the line may have gone."""
    return ending["verdict"] == "failed" and "push_refused" in ending


def has_push(command: str) -> bool:
    """Whether the command has a `git push` among its calls."""
    return has_call(command, "push")
