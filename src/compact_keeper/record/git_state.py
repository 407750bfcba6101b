"""What the session's commands leave of the repository's state, where git itself cannot be asked.

A stash that was not taken back, commits that the current branch lacks, files that no `git add` named, commits that the
session did not make itself. All of it only as far as the commands and their outputs make it certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands import pieces_of
from compact_keeper.record.git_ledger import (
    BRANCH_NAME,
    OUTSIDE,
    TAKEN_BACK,
    git_calls,
    git_events,
    is_below,
    is_same_or_above,
)
from compact_keeper.record.place_claims import same_commit
from compact_keeper.types import GitEvent, Item

STASH_SAVED = r"Saved working directory and index state ([^|·]{1,160})"
STASH_TAKEN = ("pop", "apply", "drop", "clear", "branch")
STASH_KEPT = r"conflict in |stash entry is kept|would be overwritten"  # what a `git stash pop` says that failed
OTHER_BRANCHERS = (
    r"\b(?:gh pr (?:checkout|merge)|git worktree|gt|jj|git branch -[fmMdD]|git symbolic-ref|git update-ref)\b")
ON_BRANCH = r"(?:^|\| )On branch (\S{1,200})"
ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
ADDING_VERBS, NAMES_FILES = ("add", "mv", "rm", "commit", "checkout", "restore", "apply"), r"\bgit |\brm "
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"
LOG_OF_HEAD = (
    r"git log(?: (?:-\d+|-n ?\d+|--oneline|--no-decorate|--first-parent|--format=%h %s|[\w./-]+\.\.HEAD|HEAD))*$")
WHOLE_STATUS = r"git status(?: (?:--short|-sb?|-b|--branch|--porcelain|-u\w*|2>&1))*$"
LOG_ROW = r"(?:^|\| )([0-9a-f]{7,40}) ([^|]{1,110})"


def open_stash(items: Sequence[Item]) -> tuple[Item, str] | None:
    """The command that stashed last, with what git called it, where nothing took a stash back since."""
    newest: tuple[Item, str] | None = None
    for item in sorted((item for item in items if not item.get("path")), key=lambda item: item["position"]):
        text, result = item["text"], str(item.get("result") or "")
        if "git" not in text or "stash" not in text:
            continue
        for words, folder in git_calls(text):
            verb = next((word for word in words[1:] if not word.startswith("-")), "push") if words[0] == "stash" else ""
            if verb in STASH_TAKEN and not (item.get("verdict") == "failed" and re.search(STASH_KEPT, result)):
                newest = None
            elif verb in ("push", "save") and (saved := re.search(STASH_SAVED, result)) and not folder:
                newest = item, saved[1].strip()
        if text.strip() == "git stash list" and not result:
            newest = None
    return newest


def missing_in_branch(actions: Sequence[Item], looks: Sequence[Item], ledger: Sequence[GitEvent],
                      root: str = "") -> tuple[str, list[GitEvent]]:
    """The branch where the session stands, and those commits that it certainly lacks, none of them pushed; else none.

    A branch holds what was committed there and what its start held; a merge, rebase, pull may have brought all others.
    What was pushed may have come back by any way.
    """
    nothing: tuple[str, list[GitEvent]] = "", []
    if any(re.search(OTHER_BRANCHERS, action["text"]) for action in actions if not action.get("path")):
        return nothing
    known = {event["hash"]: event for event in ledger if event["what"] == "commit"}
    branch, holds = "", dict[str, set[str]]()
    last = -1
    for event in git_events(actions):
        if not is_below(event.get("folder", ""), root.rstrip("/") + "/" if root else ""):
            continue
        last = event["position"]
        made = {name for names in holds.values() for name in names}
        if event["what"] == "commit":
            if event["branch"] != branch:  # another way led there: what it held is not known
                holds.setdefault(event["branch"], {*made})
            branch = "" if event["branch"].startswith("detached") else event["branch"]
            holds.setdefault(branch, set()).add(event["hash"])
        elif event["what"] == "branch":
            pushed = {name for name in made if known.get(name, event).get("pushed") != "no"}
            holds[event["branch"]] = commits_at_start(event, branch, holds, made) | pushed
            branch = event["branch"]
        elif event["what"] == "moved":
            words = [word for word in event["text"].split()[2:] if not word.startswith("-")]
            branch = words[0] if len(words) == 1 and re.fullmatch(BRANCH_NAME, words[0]) else ""
        elif event["what"] == "history" and event["verb"] != "stash":
            is_pull = event["verb"] == "pull"  # brings what was pushed
            holds.setdefault(branch, set()).update(
                name for name in made if not is_pull or known.get(name, event).get("pushed") != "no")
    seen = [match[1] for look in looks if look["position"] > last
            and (match := re.search(ON_BRANCH, look.get("result", "")))]
    if not branch or "" in holds or (seen and seen[-1] != branch):
        return nothing
    lacking = [event for event in ledger if event["what"] == "commit" and not event["replaced"]
               and event["pushed"] == "no" and not event.get("rebased")
               and event["branch"] != branch and event["hash"] not in holds.get(branch, set())]
    return (branch, lacking) if lacking else nothing


def commits_at_start(event: GitEvent, branch: str, holds: dict[str, set[str]], made: set[str]) -> set[str]:
    """The session's commits that a new branch holds: those of where it starts; all of them where that is not known."""
    words = [word for word in event["text"].split()[2:] if not word.startswith("-")]
    start = words[1] if len(words) > 1 else branch
    start = start.removeprefix("origin/")
    if not made:
        return set()
    return {*holds.get(start, set())} if re.fullmatch(BRANCH_NAME, start) else {*made}


def never_added(actions: Sequence[Item], ledger: Sequence[GitEvent], root: str = "") -> list[str]:
    """The edited files that no `git add` named though commits followed, the newest first; none where one may hold all.

    A commit of everything, a folder's, a pattern, a choice by hand: then it is not certain.
    """
    commits = [event for event in ledger if event["what"] == "commit" and not event["replaced"]]
    commands = [action for action in actions if not action.get("path") and re.search(NAMES_FILES, action["text"])]
    if not commits or may_hold_others(commits, commands, ledger):
        return []
    named = [(command["position"], word) for command in commands for word in words_naming(command["text"])]
    edits = [action for action in actions if action.get("path") and action.get("edits")]
    first = {edit["path"]: edit["position"] for edit in sorted(edits, key=lambda edit: -edit["position"])}
    root, paths = root.rstrip("/") + "/" if root else "", list[str]()
    for path in sorted(first, key=lambda path: -first[path]):
        short = path.removeprefix(root)
        is_own = not short.startswith(("/", "~")) and not path.startswith(OUTSIDE) and "redacted" not in short.lower()
        is_before = first[path] < commits[0]["position"]
        later = (word for place, word in named if place > first[path])
        if is_own and is_before and not any(is_same_or_above(word, short) for word in later):
            paths.append(short)
    return paths


def may_hold_others(commits: Sequence[GitEvent], commands: Sequence[Item], ledger: Sequence[GitEvent]) -> bool:
    """Whether a commit may hold files that no command named: one of everything, or one without an `add` before it."""
    if any(event["what"] == "history" and event["verb"] != "stash" for event in ledger):
        return True
    before, added = -1, list[int]()
    for command in commands:
        calls = [words for words, _ in git_calls(command["text"])]
        is_sweep = any(re.search(ADDS_WHAT_IT_LIKES if words[0] == "add" else COMMITS_ALL, word)
                       for words in calls if words[0] in ("add", "commit") for word in words[1:])
        is_cut = command["text"].endswith("…") and any(words[0] == "add" for words in calls)  # names may lie behind it
        if is_sweep or is_cut or re.search(TAKEN_BACK, command["text"]):
            return True
        added += [command["position"] for words in calls if words[0] == "add"]
    for commit in reversed(commits):
        if not commit["amends"] and not any(before < place <= commit["position"] for place in added):
            return True  # somebody else put into the index what it holds
        before = commit["position"]
    return False


def words_naming(command: str) -> list[str]:
    """The words of a command that may name files that git takes in, or that are removed."""
    words = [word.strip("\"'") for call, _ in git_calls(command) if call[0] in ADDING_VERBS
             for word in call[1:] if not word.startswith("-")]
    return [*words, *re.findall(r"\brm (?:-\w+ )?(\S+)", command)]


def commits_of_others(items: Sequence[Item], ledger: Sequence[GitEvent]) -> tuple[Item, list[tuple[str, str]]] | None:
    """The newest `git log` with commits, behind the session's first one, that no command of it made; and these.

    None where a merge, pull or rebase may have brought them.
    """
    made = [event for event in ledger if event["what"] == "commit"]
    own = [event["hash"] for event in made]
    if not own or any(event["what"] == "history" and event["verb"] != "stash"
                      and event["position"] > made[-1]["position"] for event in ledger):
        return None
    for item in sorted(items, key=lambda item: -item["position"]):
        pieces = [piece for piece, _ in pieces_of(item["text"])] if "git log" in item["text"] else []
        pieces = [piece for piece in pieces if not piece.startswith(("cd ", "head"))]
        if len(pieces) != 1 or not re.match(LOG_OF_HEAD, re.sub(r"[\"']", "", pieces[0])):
            continue
        rows = re.findall(LOG_ROW, item.get("result", ""))
        own_rows = [place for place, (name, _) in enumerate(rows) if any(same_commit(name, other) for other in own)]
        others = [(name, words.strip()) for place, (name, words) in enumerate(rows)
                  if own_rows and place < own_rows[-1] and place not in own_rows]
        if own_rows:
            return (item, others) if others else None
    return None


def status_seen(looks: Sequence[Item]) -> tuple[int, list[str]]:
    """The place of the newest `git status` that was seen whole, and the paths that it named; place -1: none."""
    whole = [look for look in looks if re.match(WHOLE_STATUS, look["text"]) and look.get("result")
             and not look["result"].endswith("…") and ' "' not in look["result"].replace('(use "', "")]
    rows = [row.strip() for row in whole[-1]["result"].split("|")] if whole else []
    paths = [row.split()[-1] for row in rows if row and not row.startswith(("(use ", "On branch ", "Your branch "))]
    return (whole[-1]["position"] if whole else -1), paths
