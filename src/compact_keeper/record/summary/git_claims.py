"""What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.record.git.parsed_calls import same_commit
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.summary.claims import SUBJECT_MIN_CHARACTERS, claims_in
from compact_keeper.record.summary.statements import as_names
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import ends_in
from compact_keeper.types import GitNow, Item, Statement

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "resolved": "resolved", "over": "complete|completed|done|finished"}
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
BRANCH_NOW = (  # what the branch is called on which we are
    r" (?:repository state : )?(?:the )?(?:current(?: git)? branch|checked out on|currently on(?: branch)?"
    r"|(?:we are|we're)(?: still| currently)? on branch)(?: is)?(?: :)? "
    r"(?=`|main\b|master\b|develop\b)`?([^\s`]+)`?(?: branch)?(?= ?[.,()] | $)")
COMMIT_NOW = (r" (?:the )?(?:(?:latest|last|head) commit|head is(?: now)? at)(?: is)?(?: :)? "
              r"`([0-9a-f]{7,40})`(?= ?[.] | $)")
HASH = r"(?<![\w/.-])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w/-])"
OTHER_COMMITS = frozenset("amended rebased cherry-picked squashed original".split())  # hashes
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        return
    commits = [action["commit"] for action in actions if action.get("commit")]
    commits += [git["head"]] if git.get("head") else []
    commits += [commit[0] for commit in git.get("commits") or ()]
    yield from other_names_of_now(statements, git, commits)
    yield from other_hashes(statements, actions, commits)
    to_upstream = rf"(?<= pushed) to `?(?:origin|{re.escape(git.get('upstream') or 'origin')})`?(?= )"
    meant: list[Statement] = [{**each, "row": re.sub(to_upstream, "", each["row"])} for each in statements]
    for statement, thing, state in claims_in(meant, {**paths, **THINGS}, GIT_STATES):
        is_of_file = thing == "changes" and not paths.keys().isdisjoint(statement["row"].split())  # "those of `a.py`"
        answer = "" if is_of_file else answer_of(thing, state, actions, git)
        if answer:
            yield statement["line"], f"git: {answer}"


def other_names_of_now(statements: Sequence[Statement], git: GitNow,
                       commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the summary calls the current branch or the last commit, and which it is; nothing where it names two."""
    branches = {match[1]: each["line"] for each in statements if (match := re.match(BRANCH_NOW, each["row"]))}
    if len(branches) == 1 and git.get("branch") and git["branch"].lower() not in branches:
        yield from ((line, f"git: the branch is {git['branch']}") for line in branches.values())
    heads = {match[1]: each["line"] for each in statements if (match := re.match(COMMIT_NOW, each["row"]))}
    if len(heads) == 1 and git.get("head") and not any(same_commit(commit, *heads) for commit in commits):
        yield from ((line, f"git: the last commit is {git['head']}") for line in heads.values())


def other_hashes(statements: Sequence[Statement], actions: Sequence[Item],
                 commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The summary's line with a hash of no commit beside the subject of one of the session, and that one's hash."""
    with_hash = [each for each in statements if re.search(HASH, each["row"])]
    made = [action for action in actions if action.get("commit") and action.get("subject")] if with_hash else []
    for subject, action in zip(as_names([action["subject"] for action in made]), made):
        of_subject = rf" commit(?:ted)?(?: as)? `?{HASH}|{HASH}`? (?:[-–—:(] )?(?:\" )?{re.escape(subject)} "
        for statement in with_hash if len(subject) >= SUBJECT_MIN_CHARACTERS else ():
            row = statement["row"]
            if f" {subject} " not in row or not re.search(of_subject, row):
                continue
            is_known = any(same_commit(commit, name) for commit in commits for name in re.findall(HASH, row))
            if not is_known and OTHER_COMMITS.isdisjoint(row.split()):
                yield statement["line"], f"git: {in_quotes(action['subject'])} is {action['commit']}"


def answer_of(thing: str, state: str, actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of a thing than that it is in a state; empty where nothing is known otherwise."""
    begun, conflicts = git.get("in_progress", ""), git.get("conflicts", [])
    if state == "over":
        return f"in progress: {begun}" if thing == begun.partition(" ")[0] else ""
    if state == "resolved":
        return f"not resolved: {', '.join(conflicts)}" if thing == "conflicts" and conflicts else ""
    if state == "uncommitted":
        return nothing_uncommitted(thing, actions, git)
    is_committed = state in ("committed", "shared") or (thing, state) == ("tree", "clean")
    answer = not_committed(thing, actions, git) if is_committed else ""
    return not_pushed(thing, actions, git) if state in ("pushed", "shared") and not answer else answer


def not_committed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """What the session changed of the thing that git has in no commit."""
    edited = [action["path"] for action in filter(is_file_edit, actions)]
    meant = [path for path in edited if thing in ("changes", "tree") or ends_in(path, thing)]
    tracked = [path for path, _ in [*git.get("staged", []), *git.get("modified", [])]]
    changed = [*git.get("conflicts", []), *tracked, *git.get("untracked", [])]
    wholes = {path: posixpath.normpath(f"{git.get('folder', '')}/{path}") for path in changed}
    own = [path for path, whole in wholes.items() if any(f"{whole}/" in f"{other}/" for other in meant)]
    return f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}" if own else ""


def nothing_uncommitted(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """That nothing is uncommitted; empty where git was not asked for all, or the changes may be elsewhere."""
    lists = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    has_commit = bool(git.get("commits")) or any(action.get("commit") for action in actions)
    top = f"{git.get('root', '')}/"
    are_here = all(action["path"].startswith(top) for action in filter(is_file_edit, actions))
    is_clean = lists == [[]] * 4 and are_here and not git.get("stashes")
    return "nothing is uncommitted" if is_clean and (has_commit or thing == "tree") else ""


def not_pushed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """Why the thing cannot have been pushed; empty where a push of the session may have gone well."""
    ahead, branch, upstream = git.get("ahead"), git.get("branch"), git.get("upstream")
    if any("git push" in action["text"] for action in actions):
        return ""
    if git.get("is_without_remote"):
        return "the repository has no remote"
    is_known = ahead and upstream and thing in ("changes", "commits")
    return f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}" if is_known else ""
