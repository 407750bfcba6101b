"""What a summary says of commits, pushes, the branch and files that git or the disk know otherwise now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compact_keeper.record.git.calls import same_commit
from compact_keeper.record.summary.claims import SUBJECT_MIN_CHARACTERS, claims_in, codes_in, rows_of_names
from compact_keeper.record.summary.statements import statements_of
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import GitNow, Item, Statement

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "committed and pushed": "shared",
    "uncommitted": "uncommitted", "unpushed": "unpushed", "resolved": "resolved", "made": "made",
    **dict.fromkeys("complete completed done finished".split(), "over")}
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree", "commit": "commit",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
FILE_STATES = {
    **dict.fromkeys(("created", "added", "wrote", "new file", "was created", "was added"), "created"),
    **dict.fromkeys(("deleted", "removed", "was deleted", "was removed"), "deleted"), "does not exist yet": "missing"}
SIGNS_OF_BRANCH, SIGNS_OF_HEAD = ("branch", "checked out on"), ("commit :", "head is")
BRANCH_NOW = (r"(?:^|[.;:,]) (?:- )?(?:current (?:git )?branch :|(?:we're|we are)(?: currently| still)? on branch"
              r"|checked out on) `([^` ]+)` (?=$|[.;,)—–])")
HEAD_NOW = r"(?:^|[.;]) (?:- )?(?:(?:latest|last|head) commit :|head is(?: now)? at) `([0-9a-f]{7,40})` (?=$|[.;])"
HASH = r" `?([0-9a-f]{7,40})`?(?= )"
PATH = r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
NOT_YET = r"\b(?:pending|next|todo|to \w+|plan\w*|propos\w*|remaining|optional)\b"  # in a heading
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def git_claims(statements: Sequence[Statement], actions: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's line, and what git says otherwise now; what git was not asked, it does not say."""
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {}
    made = [action for action in actions if action.get("commit") and action.get("subject")]
    commits, branch = dict(zip(rows_of_names([action["subject"] for action in made]), made)), git.get("branch")
    hashes = [str(name) for name in (*(action["commit"] for action in made), git.get("head")) if name]
    for statement in statements:
        row = statement["row"]
        named = re.search(BRANCH_NOW, row) if branch and any(map(row.__contains__, SIGNS_OF_BRANCH)) else None
        last = re.search(HEAD_NOW, row) if git.get("head") and any(map(row.__contains__, SIGNS_OF_HEAD)) else None
        if branch and named and named[1] != branch.lower():
            yield statement["line"], f"git: the branch is {branch}"
        if last and not any(same_commit(name, last[1]) for name in hashes):
            yield statement["line"], f"git: the last commit is {git['head']}"
        for subject in [name for name in commits if name in row and len(name) >= SUBJECT_MIN_CHARACTERS]:
            others = re.findall(HASH, row)
            if others and not any(same_commit(name, other) for name in hashes for other in others):
                commit = commits[subject]
                yield statement["line"], f"git: {in_quotes(commit['subject'])} is {commit['commit']}"
    places = ("origin", git.get("upstream"), f"`{git.get('upstream')}`")
    pushed = {f"{phrase} to {place}": state for phrase, state in GIT_STATES.items() for place in places}
    names = {**codes_in(statements, PATH), **THINGS}
    for statement, thing, state in claims_in(statements, names, {**GIT_STATES, **pushed}):
        answer = answer_of(thing, state, actions, git)
        if answer:
            yield statement["line"], f"git: {answer}"


def answer_of(thing: str, state: str, actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of changes, commits or a path in that state, else nothing; changes are the session's."""
    lists: list[Any] = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    changed = [row if isinstance(row, str) else row[0] for rows in lists for row in rows or ()]
    meant = [path for path in changed if any(is_edited(path, action) for action in actions)
             and (thing in ("changes", "tree") or f"/{path}".endswith(f"/{thing}"))]
    made = [action for action in actions if action.get("commit")]
    last = f"the last commit here: {made[-1]['commit']} {made[-1].get('subject', '')}" if made else ""
    branch, upstream, begun = git.get("branch"), git.get("upstream"), git.get("in_progress") or ""
    unresolved = ", ".join((git.get("conflicts") or [])[:PATHS_SHOWN_MAX])
    certain = {(begun.split(" ")[0], "over"): f"in progress: {begun}", ("commit", "unmade"): last,
               ("conflicts", "resolved"): unresolved and f"not resolved: {unresolved}"}
    if (thing, state) in certain:
        return certain[thing, state]
    if meant and (state in ("committed", "shared") or (thing, state) == ("tree", "clean")):
        return f"not committed: {', '.join(meant[:PATHS_SHOWN_MAX])}"
    if state == "uncommitted" and thing == "changes" and made and not changed and None not in lists:
        return f"nothing is uncommitted; {last}"
    ahead = git.get("ahead") if upstream and thing in ("changes", "commits") else None
    if state in ("pushed", "shared") and ahead and not any("git push" in action["text"] for action in actions):
        return f"{ahead} commit{'s' * (ahead > 1)} of {branch} not pushed to {upstream}"
    return f"{branch} has no commit that {upstream} lacks" if state == "unpushed" and ahead == 0 else ""


def file_claims(statements: Sequence[Statement], actions: Sequence[Item],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's line on a file created or deleted, where the disk lacks it or has it.

    Not where a command may have moved it after its last edit, or before.
    """
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in files_named(statements) if files else ():
        last_edit = max((action["position"] for action in actions if is_edited(path, action)), default=-1)
        if state == "created" and files.get(path) is False and max(moves, default=-1) <= last_edit:
            yield statement["line"], f"the disk has no {path} now"
        if state in ("deleted", "missing") and files.get(path) and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def is_edited(path: str, action: Item) -> bool:
    """Whether the action edits the file of that path."""
    return bool(action.get("edits")) and f"/{action.get('path', '')}".endswith(f"/{path}")


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in files_named(statements_of(summary))))


def files_named(statements: Sequence[Statement]) -> list[tuple[Statement, str, str]]:
    """The lines that call a file created, deleted or missing, its path, and which; what it is for ends the claim."""
    meant: list[Statement] = []
    for statement in statements:
        if "`" in statement["row"] and not re.search(NOT_YET, statement["heading"]):
            row = re.sub(" (?:old|unused|obsolete)(?= )", "", statement["row"])
            meant.append({**statement, "row": re.sub(" with |(?<=created) for the ", " — … ", row)})
    return [*claims_in(meant, codes_in(statements, PATH), FILE_STATES)]
