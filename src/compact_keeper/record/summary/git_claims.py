"""What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.git.calls import same_commit
from compact_keeper.record.git.marked_events import marked_events, may_have_pushed, standing_refusal
from compact_keeper.record.summary.claims import DENIALS, SUBJECT_MIN_CHARACTERS, claims_in
from compact_keeper.record.summary.statements import OPEN_WORDS, as_names, codes_in, piece_around
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import ends_in
from compact_keeper.types import GitNow, Item, Statement

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "unpushed": "unpushed", "resolved": "resolved",
    "pushed_once": "was pushed|were pushed", "committed_once": "was committed|were committed",  # more may have come
    "over": "complete|completed|done|finished"}
PUSHED = ("pushed", "pushed_once", "shared")
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree", "the commit": "commit",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
NAMES_OF_NOW = {  # what stands before the name of the branch, or of the commit, on which we are
    **{f"{we}{yet} on branch": "branch" for we in ("we are", "we're") for yet in ("", " still", " currently")},
    **dict.fromkeys(("current branch", "current git branch", "checked out on"), "branch"),
    **dict.fromkeys(("latest commit", "last commit", "head commit", "head is at", "head is now at"), "head")}
WORDS_OF_NAMES = frozenset("branch checked commit committed head".split())  # a word of each of these, and of a commit's
MARKS_BEHIND = {"branch": ("", ".", ";", ",", ")"), "head": ("", ".", ";")}  # else more is said of it
HASH = r"[0-9a-f]{7,40}"
TELLING = {  # of a commit, in other words than clauses are read in, by what is told of it
    "made": r" committed (?:as|with (?:the )?message) [\"`]",
    "made here": r" committed (?:on|to) (?:(?:the )?branch )?`?BRANCH`?(?= [.;,)]| branch | $)",
    "pushed_once": r" committed [^:;?!]{0,160} and pushed (?=[.;,)]|to |$)"}
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], items: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    actions = [item for item in items if item["kind"] == "action"]
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {}
    for said, answer in names_told(statements, actions, git):
        yield said, f"git: {answer}"
    places = ("", " to origin", f" to {git.get('upstream')}", f" to `{git.get('upstream')}`")
    states = {state: "|".join(f"{phrase}{place}" for phrase in phrases.split("|") for place in places)
              for state, phrases in GIT_STATES.items()}
    claims = [claim for claim in claims_in(statements, {**paths, **THINGS}, states) if claim[1:] != (
        "changes", "committed") or {*paths}.isdisjoint(claim[0]["row"].split())]  # "the changes of src/a.py"
    branch = re.escape(git.get("branch", "").lower()) or "\0"
    claims += [({**each, "line": piece_around(each["line"], "committed")}, "commit", what) for each in statements
               if " committed " in each["row"] and (OPEN_WORDS | DENIALS).isdisjoint(each["row"].split())
               for what, phrase in TELLING.items() if re.search(phrase.replace("BRANCH", branch), each["row"])]
    for statement, thing, state in claims:
        if answer := answer_of(thing, state, items, git):
            yield statement["line"], f"git: {answer}"


def names_told(statements: Sequence[Statement], actions: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """What the summary calls the branch or commit of now, or a commit's hash, and which it is."""
    made = [action for action in actions if action.get("commit") and action.get("subject")]
    hashes = [str(name) for name in (*(action["commit"] for action in made), git.get("head")) if name]
    subjects = {name: action["commit"] for name, action in zip(as_names([each["subject"] for each in made]), made)
                if len(name) >= SUBJECT_MIN_CHARACTERS}
    naming = [statement for statement in statements if not WORDS_OF_NAMES.isdisjoint(statement["row"].split())]
    codes = {code: "|".join(f"{before}{name}" for before in ("", "commit ", "committed ", "was committed as "))
             for name, code in codes_in(naming, r"[^`\s|]+").items()}
    for statement, what, name in claims_in(naming, {**NAMES_OF_NOW, **subjects}, codes):
        now = {"branch": git.get("branch"), "head": git.get("head")}.get(what, what)
        is_other = name != now if what == "branch" else re.fullmatch(HASH, name) and not any(
            same_commit(each, name) for each in hashes)
        behind = statement["row"].partition(f"`{name.lower()}` ")[2][:1]
        if now and is_other and behind in MARKS_BEHIND.get(what, behind):
            subject = next((in_quotes(each["subject"]) for each in made if each["commit"] == what), "the last commit")
            yield statement["line"], f"{'the branch' if what == 'branch' else subject} is {now}"


def has_subagents(actions: Sequence[Item]) -> bool:
    """Whether the session had subagents, whose commands are not all known."""
    return any(action.get("tool") in SUBAGENT_TOOLS for action in actions)


def answer_of(thing: str, state: str, items: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of the thing in that state, else nothing; changes are the session's."""
    actions = [item for item in items if item["kind"] == "action"]
    edits = [action["path"] for action in actions if action.get("edits")]
    lists: list[Any] = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    if state == "committed_once":  # it may have been changed since, unless git does not know it
        lists = [None] if thing in THINGS.values() else lists[3:]
    changed = [row if isinstance(row, str) else row[0] for rows in lists for row in rows or ()]
    commits = ([f"{action['commit']} {action.get('subject', '')}" for action in actions if action.get("commit")]
               or [" ".join(commit) for commit in reversed(git.get("commits") or [])])
    branch, upstream, begun = git.get("branch"), git.get("upstream"), git.get("in_progress") or ""
    ahead = git.get("ahead") if upstream and thing in ("changes", "commits") else None
    does_commit = any("commit" in action["text"] and action["verdict"] != "failed" for action in actions)
    has_none = branch and not commits and git.get("commits") == [] and not has_subagents(actions)
    own, gone = "", ""
    if state in ("committed", "shared", "committed_once") or (thing, state) == ("tree", "clean"):
        own = ", ".join(own_changes(thing, changed, edits, git.get("folder", ""))[:PATHS_SHOWN_MAX])
    if state in PUSHED:
        refusal = refusal_of_all(items, actions) if commits and git.get("ahead") != 0 else ""  # else somebody did
        if refusal or not any("git push" in action["text"] for action in actions):
            gone = ("the repository has no remote" if git.get("is_without_remote") else
                    f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}"
                    if ahead and state != "pushed_once" else
                    refusal if thing in ("commit", "changes") else "")  # a branch may have been pushed before
    is_clean = state == "uncommitted" and not changed and None not in lists and all(
        path.startswith(f"{git.get('root', '')}/") for path in edits)
    answers = [
        (state == "over" and thing == begun.partition(" ")[0], f"in progress: {begun}"),
        (thing == "conflicts" and state == "resolved" and lists[0], f"not resolved: {', '.join(lists[0] or ())}"),
        (own, f"not committed: {own}"),
        (is_clean and (thing == "tree" or (commits and not (thing == "changes" and git.get("stashes")))),
         "; the last commit here: ".join(["nothing is uncommitted", *commits[-1:]])),
        (gone, gone),
        (has_none and state == ("made here" if does_commit else "made"),
         f"{branch} has no commit since the session began"),
        (state == "unpushed" and ahead == 0, f"{branch} has no commit that {upstream} lacks")]
    return next((answer for is_certain, answer in answers if is_certain), "")


def refusal_of_all(items: Sequence[Item], actions: Sequence[Item]) -> str:
    """Which push of the session was refused, where no command or subagent may have pushed anything; else empty."""
    if may_have_pushed(actions) or has_subagents(actions):
        return ""
    if refusal := standing_refusal(actions, marked_events(actions)):
        return (f"no push of this session went through; `{refusal['text']}` was refused at {refusal['last'][11:16]} "
                f"UTC: {refusal['remark']}")
    rejected = [item for item in items if "$ git push" in item.get("refused", "") or (
        item["kind"] == "refusal" and "$ git push" in item["text"])]
    return "no push of this session went through; the user rejected `git push`" if rejected else ""


def own_changes(thing: str, changed: Sequence[str], edits: Sequence[str], folder: str) -> list[str]:
    """Those of git's changed paths, seen from the folder, in which the session edited what the thing names."""
    edited = [path for path in edits if thing in ("changes", "tree") or ends_in(path, thing)]
    wholes = {row: posixpath.normpath(f"{folder}/{row}") + "/" * row.endswith("/") for row in changed}
    return [row for row, whole in wholes.items()
            if any(whole in path if row.endswith("/") else path.endswith(whole) for path in edited)]
