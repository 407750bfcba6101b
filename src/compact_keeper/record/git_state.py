"""What the session's commands leave of the repository's state, where git itself cannot be asked.

A stash that was not taken back, commits that the current branch lacks, files that no `git add` named, commits that the
session did not make itself. All of it only as far as the commands and their outputs make it certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.git_calls import git_calls, is_below
from compact_keeper.record.git_events import git_events
from compact_keeper.record.git_ledger import BRANCH_NAME
from compact_keeper.record.place_claims import same_commit
from compact_keeper.record.shell import pieces_of
from compact_keeper.types import GitEvent, Item

STASH_SAVED = r"Saved working directory and index state ([^|·]{1,160})"
STASH_TAKEN = ("pop", "apply", "drop", "clear", "branch")
STASH_KEPT = r"conflict in |stash entry is kept|would be overwritten"  # what a `git stash pop` says that failed
OTHER_BRANCHERS = (
    r"\b(?:gh pr (?:checkout|merge)|git worktree|gt|jj|git branch -[fmMdD]|git symbolic-ref|git update-ref)\b")
ON_BRANCH = r"(?:^|\| )On branch (\S{1,200})"
LOG_OF_HEAD = (
    r"git log(?: (?:-\d+|-n ?\d+|--oneline|--no-decorate|--first-parent|--format=%h %s|[\w./-]+\.\.HEAD|HEAD))*$")
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
