"""What a command line was seen to do with git or a forge: each commit, push, branch, merge, pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.git_calls import git_calls
from compact_keeper.record.results import results_of
from compact_keeper.types import Ending, GitEvent, Item

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am", "stash")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
COMMIT_IN_RESULT = r"\[(\S{1,200}(?: HEAD)?) ([0-9a-f]{7,40})\] ([^·]{1,400})"
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
REMARK_OF_HOOK = r"· (\[[a-z][\w-]{1,30}\] [^·]{3,100})"  # what a hook of the push printed
WARNING = r"(?:^|\| )[Ww]arning: ([^|]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work


def git_events(actions: Sequence[Item]) -> list[GitEvent]:
    """All that was seen, the oldest first, nothing marked yet."""
    outcomes = [outcome for outcome in results_of(actions) if re.search(GIT_OR_FORGE, outcome["text"])]
    return [event for outcome in outcomes for event in git_events_of(outcome)]


def git_events_of(outcome: Ending) -> Iterator[GitEvent]:
    """What a command line did, in the order of its parts."""
    result, has_ended = str(outcome.get("result") or ""), outcome["verdict"] in ("passed", "ended")
    commits, calls = commits_of(outcome, result), git_calls(outcome["text"])
    if any(words[0] == "init" or folder.startswith(OUTSIDE) for words, folder in calls):
        return  # another repository, made to try something
    for words, folder in calls:
        verb, rest = words[0], words[1:]
        at: GitEvent = {"text": " ".join(["git", *words]), "last": outcome["last"], "position": outcome["position"],
                        "verb": verb, "folder": folder}
        if verb in COMMITTING:
            for branch, name, subject in commits:
                yield {**at, "what": "commit", "text": subject, "branch": branch, "hash": name,
                       "pushed": "", "replaced": False, "amends": "--amend" in rest}
            commits = []
        if verb == "push" and outcome["verdict"] != "not run" and not {"-n", "--dry-run", "-d", "--delete"} & {*rest}:
            is_seen = bool(outcome.get("pushed")) or "pushed to " in result or "Everything up-to-date" in result
            if is_seen or outcome["verdict"] != "failed":
                remark = re.search(REMARK_OF_HOOK, result)
                yield {**at, "what": "push", "to": outcome.get("pushed", ""),
                       "certain": is_seen or has_ended, "remark": remark[1] if remark else ""}
        elif verb in HISTORY and (has_ended or outcome.get("begun")) and changes_history(verb, rest) and (
                "Already up to date" not in result):
            yield {**at, "what": "history", "waits": bool(outcome.get("begun")),
                       "files": outcome.get("conflicts", [])}
        elif verb in MOVING and has_ended and ((branch := branch_made(words)) or moves_head(words)):
            yield {**at, "what": "branch" if branch else "moved", "branch": branch}
    if has_ended and re.search(r"\b(?:gh pr|glab mr) create\b", outcome["text"]) and (
            match := re.search(PULL_REQUEST, result)):
        warned = re.search(WARNING, result)
        yield {"what": "pull request", "text": match[0], "last": outcome["last"], "position": outcome["position"],
               "remark": warned[1].strip() if warned else ""}


def commits_of(outcome: Ending, result: str) -> list[tuple[str, str, str]]:
    """Branch, hash and subject of the commits that the command made, the oldest first."""
    in_result = [(branch, name, subject.strip()) for branch, name, subject in re.findall(COMMIT_IN_RESULT, result)]
    if outcome.get("commit"):
        commit = str(outcome.get("branch", "")), str(outcome["commit"]), str(outcome.get("subject", ""))
        return [*(other for other in in_result if other[1] != commit[1]), commit]
    return in_result if result.startswith("[") else []


def changes_history(verb: str, words: Sequence[str]) -> bool:
    """Whether the call changes what HEAD names; a reset of files does not."""
    return verb != "reset" or "--hard" in words or any(re.match(r"HEAD[~^@]|[0-9a-f]{7,40}$|\w+/", word)
                                                       for word in words if "." not in word)


def branch_made(words: Sequence[str]) -> str:
    """The branch that a checkout, switch or new worktree makes; empty: none."""
    options = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create"), "worktree": ("-b", "-B")}[words[0]]
    return next((words[place + 1] for place, word in enumerate(words[:-1]) if word in options), "")


def moves_head(words: Sequence[str]) -> bool:
    """Whether the call may go to another commit; a checkout of files, and a new worktree, does not."""
    return words[0] in ("checkout", "switch") and "--" not in words
