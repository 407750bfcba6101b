"""What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.

All of it from what git itself printed, or from a command that ended well; git's own word of now is another module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.commands import pieces_of, program_of, shell_words, without_redirections
from compact_keeper.record.results import results_of
from compact_keeper.types import Ending, GitEvent, Item

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am", "stash")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
COMMIT_IN_RESULT = r"\[(\S{1,200}(?: HEAD)?) ([0-9a-f]{7,40})\] ([^·]{1,400})"
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
REMARK_OF_HOOK = r"· (\[[a-z][\w-]{1,30}\] [^·]{3,100})"  # what a hook of the push printed
WARNING = r"(?:^|\| )[Ww]arning: ([^|]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
STASH_PUT_BACK = r"\bgit stash (?:pop|apply)\b"
TAKEN_BACK = r"\bgit (?:stash(?! (?:pop|apply|list|show|drop))|reset --hard|(?:checkout|restore) \.)"
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either
GIT_OPTIONS = ("-C", "-c", "--git-dir", "--work-tree")


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


def git_calls(command: str) -> list[tuple[list[str], str]]:
    """The words of each call of git in the line, without `git` and its options before the verb, and its folder."""
    calls, folder = list[tuple[list[str], str]](), ""
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        if program_of(words) != "git":
            continue
        words, where = words[1:], folder
        while words and words[0].startswith("-"):
            where = words[1] if words[0] == "-C" and len(words) > 1 else where
            words = words[2:] if words[0] in GIT_OPTIONS else words[1:]
        if words:
            calls.append((words, where))
    return calls


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


def uncommitted(actions: Sequence[Item], events: Sequence[GitEvent], root: str = "",
                status: tuple[int, Sequence[str]] = (-1, ())) -> list[str]:
    """The files below `root` that were edited after the last commit and not taken back, the newest first.

    `events` is the ledger of these actions. `status` is where git's status was seen whole, and the paths that it named:
    what was edited before and is not among them is in a commit, whoever made that.
    """
    root = root.rstrip("/") + "/" if root else ""
    since = max((event["position"] for event in events if event["what"] == "commit" and not event["replaced"]
                 and is_below(event["folder"], root)), default=-1)
    commands = [action for action in actions if not action.get("path") and action["verdict"] in ("passed", "ended")]
    put_back = max((action["position"] for action in commands if re.search(STASH_PUT_BACK, action["text"])), default=-1)
    for action in commands:
        taken = re.search(TAKEN_BACK, action["text"])
        if taken and not ("stash" in taken[0] and action["position"] <= put_back):
            since = max(since, action["position"])
    undoing = [(command["position"], command["text"].split()) for command in commands
               if re.search(r"\brm |\bgit (?:checkout|restore) ", command["text"])]
    files = [action for action in actions if action.get("path") and action.get("edits") and action["position"] > since]
    paths = list[str]()
    for file in sorted(files, key=lambda file: -int(file["position"])):
        path = file["path"]
        short = path[len(root):] if root and path.startswith(root) else path
        is_gone = any(position > file["position"] and short in words for position, words in undoing)
        is_clean = file["position"] < status[0] and not any(is_same_or_above(name, short) for name in status[1])
        if is_below(path, root) and not is_gone and not is_clean and not short.startswith(OUTSIDE):
            paths.append(short)
    return [*dict.fromkeys(paths)]


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, which ends with a slash; one that begins nowhere does."""
    return not root or not path.startswith(("/", "~")) or f"{path}/".startswith(root)


def is_same_or_above(word: str, path: str) -> bool:
    """Whether a word of a command may name the file, seen from some folder, or a folder above it."""
    word = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/")
    return bool(word) and (f"/{path}".endswith(f"/{word}") or f"{word}".endswith(f"/{path}")
                           or f"/{path}/".find(f"/{word}/") >= 0 or path.rpartition("/")[2] == word.rpartition("/")[2])
