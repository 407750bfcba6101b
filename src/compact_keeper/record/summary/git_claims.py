"""What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.git.calls import same_commit
from compact_keeper.record.summary.claims import DENIALS, SUBJECT_MIN_CHARACTERS, claims_in
from compact_keeper.record.summary.statements import OPEN_WORDS, as_names, piece_around
from compact_keeper.text.holding import holds_any
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import ends_in
from compact_keeper.types import GitNow, Item, Statement

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "unpushed": "unpushed", "resolved": "resolved",
    "pushed_once": "was pushed|were pushed", "committed_once": "was committed|were committed",  # more may have come
    "pushed_now": "is pushed|are pushed", "over": "complete|completed|done|finished"}
COMMITTED, PUSHED = ("committed", "committed_once", "shared"), ("pushed", "pushed_once", "pushed_now", "shared")
LISTS_OF_CHANGES = ("conflicts", "staged", "modified", "untracked")  # of git's answer
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree", "the commit": "commit",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
CALLED_NOW = (  # what the branch and the commit are called on which we are
    ("branch", r"(?:^|[;(,]|repository state :) (?:the )?(?:current(?: git)? branch|checked out on"
               r"|currently on(?: branch)?|(?:we are|we're)(?: still| currently)? on branch)"),
    ("last commit", r"(?:^|[;(,]) (?:the )?(?:(?:latest|last|head) commit|head is(?: now)? at)"))
NAME_OF_NOW = {"branch": r"(?:`([^\s`]+)`|(main|master|develop))(?: branch)?(?= ?[.;,()] | $)",
               "last commit": r"`([0-9a-f]{7,40})`(?= ?[.;] | $)"}
HASH = r"(?<![\w/.-])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w/-])"
OTHER_COMMITS = frozenset("amended rebased cherry-picked squashed original".split())  # hashes
TELLING = {  # of a commit, in other words than clauses are read in, by what is told of it
    "made": r" committed (?:as|with (?:the )?message) [\"`]",
    "made here": r" committed (?:on|to) (?:(?:the )?branch )?`?BRANCH`?(?= [.;,)]| branch | $)",
    "pushed_now": r" commit(?:ted)? [^:;?!]{0,60}`HEAD\w*` [^:;?!]{0,99}and pushed (?:it )?(?=[.;,)]|to `?origin|$)",
    "pushed_once": r" committed [^:;?!]{0,160} and pushed (?=[.;,)]|to |$)"}
TELLING_WORDS = (" committed ", "and pushed ")  # each of them has one
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {}
    for said, answer in names_told(statements, actions, git):
        yield said, f"git: {answer}"
    destinations = ("", " to origin", f" to {git.get('upstream')}", f" to `{git.get('upstream')}`")
    states = {state: "|".join(f"{phrase}{destination}" for phrase in phrases.split("|") for destination in destinations)
              for state, phrases in GIT_STATES.items()}
    claims = [claim for claim in claims_in(statements, {**paths, **THINGS}, states) if claim[1:] != (
        "changes", "committed") or {*paths}.isdisjoint(claim[0]["row"].split())]  # "the changes of src/a.py"
    branch = re.escape(git.get("branch", "").lower()) or "\0"
    claims += [({**each, "line": piece_around(each["line"], "committed")}, "commit", what) for each in statements
               if holds_any(each["row"], TELLING_WORDS) and (OPEN_WORDS | DENIALS).isdisjoint(each["row"].split())
               for what, phrase in TELLING.items() if re.search(
                   phrase.replace("BRANCH", branch).replace("HEAD", git.get("head", "")[:7] or "\0"), each["row"])]
    answers = GitAnswers(actions, git)
    for statement, thing, state in claims:
        if answer := answers.answer(thing, state):
            yield statement["line"], f"git: {answer}"


def names_told(statements: Sequence[Statement], actions: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """What the summary calls the branch or commit of now, or a commit's hash beside its subject, and which it is."""
    made = [action for action in actions if action.get("commit") and action.get("subject")]
    hashes = [str(name) for name in (*(action["commit"] for action in made), git.get("head"), *(
        commit[0] for commit in git.get("commits") or ())) if name]
    subjects = [(name, action) for name, action in zip(as_names([each["subject"] for each in made]), made)
                if len(name) >= SUBJECT_MIN_CHARACTERS]
    stating = [statement for statement in statements if OPEN_WORDS.isdisjoint(statement["row"].split())]
    for what, pattern in CALLED_NOW:
        now = str(git.get("branch" if what == "branch" else "head") or "")
        if not now:
            continue
        named = {match[match.lastindex or 0]: statement["line"] for statement in stating
                 for match in re.finditer(rf"{pattern}(?: is)?(?: :)? {NAME_OF_NOW[what]}", statement["row"])}
        name, line = named.popitem() if len(named) == 1 else ("", "")
        is_so = name == now.lower() if what == "branch" else any(same_commit(each, name) for each in hashes)
        if name and not is_so:
            yield piece_around(line, name), f"the {what} is {now}"
    for statement in stating if subjects else ():
        row, named_here = statement["row"], re.findall(HASH, statement["row"])
        if not named_here or not OTHER_COMMITS.isdisjoint(row.split()) or any(
                same_commit(each, name) for each in hashes for name in named_here):
            continue
        for subject, action in subjects:
            name, so_called = named_here[0], rf"(?:[-–—:(] )?(?:\" )?{re.escape(subject)} "
            if f" {subject} " in row and re.search(rf" commit(?:ted)?(?: as)? `?{name}|{name}`? {so_called}", row):
                yield (piece_around(statement["line"], name),
                       f"{in_quotes(action['subject'])} is {action['commit']}")


class GitAnswers:
    """What git and the session's commands say otherwise of a thing than that it is in a state."""

    def __init__(self, actions: Sequence[Item], git: GitNow) -> None:
        """Of all actions of the session; `git` is what git says now."""
        self.git, self.actions = git, actions
        self.edited = [action["path"] for action in self.actions if action.get("edits")]
        self.has_subagents = any(action.get("tool") in SUBAGENT_TOOLS for action in self.actions)  # that may do more
        own = [f"{action['commit']} {action.get('subject', '')}" for action in self.actions if action.get("commit")]
        self.commits = own or [" ".join(commit) for commit in reversed(git.get("commits") or [])]

    def answer(self, thing: str, state: str) -> str:
        """The answer; empty where nothing is known otherwise."""
        if state == "over":
            begun = self.git.get("in_progress") or ""
            return f"in progress: {begun}" if thing == begun.partition(" ")[0] else ""
        if state == "resolved":
            conflicts = self.git.get("conflicts") if thing == "conflicts" else []
            return f"not resolved: {', '.join(conflicts)}" if conflicts else ""
        if state in ("made", "made here"):
            return self.no_commit(state)
        if state == "uncommitted":
            return self.nothing_uncommitted(thing)
        if state == "unpushed":
            return f"{self.git.get('branch')} has no commit that {self.git.get('upstream')} lacks" if (
                self.ahead(thing) == 0) else ""
        is_committed = state in COMMITTED or (thing, state) == ("tree", "clean")
        answer = self.not_committed(thing, state) if is_committed else ""
        return self.not_pushed(thing, state) if state in PUSHED and not answer else answer

    def not_committed(self, thing: str, state: str) -> str:
        """The session's changes of the thing that git has in no commit.

        What was committed once may have been changed since, unless git does not know the file.
        """
        if state == "committed_once" and thing in THINGS.values():
            return ""
        lists = ("untracked",) if state == "committed_once" else LISTS_OF_CHANGES
        own = own_changes(thing, self.changed(lists), self.edited, self.git.get("folder", ""))
        return f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}" if own else ""

    def changed(self, lists: Sequence[str]) -> list[str]:
        """The paths that stand in these lists of git's."""
        known: Any = self.git
        return [row if isinstance(row, str) else row[0] for name in lists for row in known.get(name) or ()]

    def nothing_uncommitted(self, thing: str) -> str:
        """That nothing is uncommitted, with the last commit; empty where git was not asked for all, or has stashes."""
        are_known = all(self.git.get(name) is not None for name in LISTS_OF_CHANGES)
        is_clean, top = are_known and not self.changed(LISTS_OF_CHANGES), f"{self.git.get('root', '')}/"
        if not is_clean or not all(path.startswith(top) for path in self.edited):
            return ""
        may_be_stashed = thing == "changes" and bool(self.git.get("stashes"))
        if thing != "tree" and (may_be_stashed or not self.commits):
            return ""
        return "; the last commit here: ".join(["nothing is uncommitted", *self.commits[-1:]])

    def no_commit(self, state: str) -> str:
        """That the branch has no commit since the session began, where no command that commits may have gone well."""
        branch, is_known = self.git.get("branch"), self.git.get("commits") == [] and not self.has_subagents
        may_be_elsewhere = any("commit" in action["text"] and action["verdict"] != "failed" for action in self.actions)
        is_meant = state == ("made here" if may_be_elsewhere else "made")
        return f"{branch} has no commit since the session began" if (
            branch and is_known and is_meant and not self.commits) else ""

    def ahead(self, thing: str) -> int | None:
        """How many commits the branch has that are not pushed; None: not known, or of another thing."""
        return self.git.get("ahead") if self.git.get("upstream") and thing in ("changes", "commits", "commit") else None

    def not_pushed(self, thing: str, state: str) -> str:
        """Why the thing cannot have been pushed; empty where a push of the session may have gone well."""
        if state != "pushed_now" and any("git push" in action["text"] for action in self.actions):
            return ""
        if self.git.get("is_without_remote"):
            return "the repository has no remote"
        ahead, branch, upstream = self.ahead(thing), self.git.get("branch"), self.git.get("upstream")
        is_ahead = ahead and state != "pushed_once"
        return f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}" if is_ahead else ""


def own_changes(thing: str, changed: Sequence[str], edits: Sequence[str], folder: str) -> list[str]:
    """Those of git's changed paths, seen from the folder, in which the session edited what the thing names."""
    edited = [path for path in edits if thing in ("changes", "tree") or ends_in(path, thing)]
    wholes = {row: posixpath.normpath(f"{folder}/{row}") + "/" * row.endswith("/") for row in changed}
    return [row for row, whole in wholes.items()
            if any(whole in path if row.endswith("/") else path.endswith(whole) for path in edited)]
