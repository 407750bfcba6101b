"""What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any

from compact_keeper.client.tools import SUBAGENT_TOOLS
from compact_keeper.record.git.calls import same_commit
from compact_keeper.record.git.ledger import git_ledger, may_have_pushed, standing_refusal
from compact_keeper.record.summary.claims import SUBJECT_MIN_CHARACTERS, claims_in, rows_of_names
from compact_keeper.record.summary.file_claims import is_at
from compact_keeper.record.summary.sentences import piece_around, written_sentences
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import GitNow, Item, Statement

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "committed and pushed": "shared",
    "uncommitted": "uncommitted", "unpushed": "unpushed", "resolved": "resolved",
    **dict.fromkeys(("was pushed", "were pushed"), "pushed_once"),  # and more may have come since
    **dict.fromkeys(("was committed", "were committed"), "committed_once"),
    **dict.fromkeys("complete completed done finished".split(), "over")}
PUSHED = ("pushed", "pushed_once", "shared")
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree", "the commit": "commit",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
THERE_ARE = r" there are uncommitted changes(?: in (\S+))? "
BRANCH_NOW = (r"(?:^|[.;:,]) (?:- )?(?:current (?:git )?branch :|(?:we're|we are)(?: currently| still)? on branch"
              r"|checked out on) `([^` ]+)` (?=$|[.;,)—–])")
HEAD_NOW = r"(?:^|[.;]) (?:- )?(?:(?:latest|last|head) commit :|head is(?: now)? at) `([0-9a-f]{7,40})` (?=$|[.;])"
HASH = r" `?([0-9a-f]{7,40})`?(?= )"
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


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
        named = re.search(BRANCH_NOW, row) if git and ("branch" in row or "checked out" in row) else None
        last = re.search(HEAD_NOW, row) if git and ("head" in row or "commit" in row) else None
        if branch and named and named[1] != branch.lower():
            yield sentence_with(statement["line"], named[0], named[1]), f"git: the branch is {branch}"
        if last and git.get("head") and not any(same_commit(name, last[1]) for name in hashes):
            yield sentence_with(statement["line"], last[0], last[1]), f"git: the last commit is {git['head']}"
        for subject in [name for name in commits if name in row and len(name) >= SUBJECT_MIN_CHARACTERS]:
            others = re.findall(HASH, row)
            if others and not any(same_commit(name, other) for name in hashes for other in others):
                commit = commits[subject]
                said = sentence_with(statement["line"], subject, others[0])
                yield said, f"git: {in_quotes(commit['subject'])} is {commit['commit']}"
    places = ("origin", git.get("upstream"), f"`{git.get('upstream')}`")
    pushed = {f"{phrase} to {place}": state for phrase, state in GIT_STATES.items() for place in places}
    words = {word for statement in statements if "commit" in statement["row"] for word in statement["row"].split()}
    edited = {action["path"].lower().rpartition("/")[2] for action in actions if action.get("edits")}
    paths = {word: word.strip("`") for word in words if word.strip("`").rpartition("/")[2] in edited}
    plain = [with_plain_state(each) if "there are uncommitted" in each["row"] else each for each in statements]
    for statement, thing, state in claims_in(plain, {**paths, **THINGS}, {**GIT_STATES, **pushed}):
        is_of_path = (thing, state) == ("changes", "committed") and {*paths} & {*statement["row"].split()}
        answer = "" if is_of_path else answer_of(thing, state, actions, git)  # "the changes of src/a.py"
        if answer:
            yield statement["line"], f"git: {answer}"


def sentence_with(line: str, words: str, name: str) -> str:
    """The sentence that has these words of the line's row, and the name; else the line. Of a long one a piece."""
    sentences = written_sentences(line)
    rows = zip(sentences, rows_of_names(sentences))
    sentence = next((text for text, row in rows if words.strip(" .;:,-") in row and name in row), line)
    return piece_around(sentence, [name])


def with_plain_state(statement: Statement) -> Statement:
    """The statement; "there are uncommitted changes in a.py" in its row as what is read: "a.py : uncommitted"."""
    row = re.sub(THERE_ARE, lambda match: f" {match[1] or 'git status'} : uncommitted ", statement["row"])
    return {**statement, "row": row}


def answer_of(thing: str, state: str, actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of the thing in that state, else nothing; changes are the session's."""
    lists: list[Any] = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    changed = [row if isinstance(row, str) else row[0] for rows in lists for row in rows or ()]
    own, conflicts = own_changes(thing, changed, actions, git.get("folder", "")), git.get("conflicts") or []
    commits = ([f"{action['commit']} {action.get('subject', '')}" for action in actions if action.get("commit")]
               or [" ".join(commit) for commit in reversed(git.get("commits") or [])])
    new = own_changes(thing, git.get("untracked") or [], actions, git.get("folder", ""))
    is_here = all(action["path"].startswith(f"{git.get('root', '')}/") for action in actions if action.get("edits"))
    is_clean = state == "uncommitted" and not changed and None not in lists and is_here
    may_be_unpushed = state in PUSHED and commits and git.get("ahead") != 0  # else somebody pushed them
    refusal = refusal_of_all(actions) if may_be_unpushed else ""
    is_pushed_here = not refusal and any("git push" in action["text"] for action in actions)
    branch, upstream, begun = git.get("branch"), git.get("upstream"), git.get("in_progress") or ""
    ahead = git.get("ahead") if upstream and thing in ("changes", "commits") else None
    answers = [
        (state == "over" and thing == begun.partition(" ")[0], f"in progress: {begun}"),
        ((thing, state) == ("conflicts", "resolved") and conflicts,
         f"not resolved: {', '.join(conflicts[:PATHS_SHOWN_MAX])}"),
        (own and (state in ("committed", "shared") or (thing, state) == ("tree", "clean")),
         f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}"),
        (state == "committed_once" and thing not in THINGS.values() and new,
         f"not committed: {', '.join(new[:PATHS_SHOWN_MAX])}"),
        (is_clean and commits and not (thing == "changes" and git.get("stashes")),
         f"nothing is uncommitted; the last commit here: {''.join(commits[-1:])}"),
        (is_clean and thing == "tree", "nothing is uncommitted"),
        (state in PUSHED and git.get("is_without_remote") and not is_pushed_here,
         "the repository has no remote"),
        (state in ("pushed", "shared") and ahead and not is_pushed_here,
         f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}"),
        (refusal and thing in ("commit", "changes"), refusal),  # a branch may have been pushed before
        (state == "unpushed" and ahead == 0, f"{branch} has no commit that {upstream} lacks")]
    return next((answer for is_certain, answer in answers if is_certain), "")


def refusal_of_all(actions: Sequence[Item]) -> str:
    """Which push of the session was refused, where no command or subagent may have pushed anything; else empty."""
    refusal = None if may_have_pushed(actions) else standing_refusal(actions, git_ledger(actions))
    if not refusal or any(action.get("tool") in SUBAGENT_TOOLS for action in actions):
        return ""
    return (f"no push of this session went through; `{refusal['text']}` was refused at {refusal['last'][11:16]} UTC: "
            f"{refusal['remark']}")


def own_changes(thing: str, changed: Sequence[str], actions: Sequence[Item], folder: str) -> list[str]:
    """Those of git's changed paths, seen from the folder, in which the session edited what the thing names."""
    edited = [str(action["path"]) for action in actions if action.get("edits")
              and (thing in ("changes", "tree") or is_at(thing, action["path"].lower()))]
    own = list[str]()
    for row in changed:
        whole = posixpath.normpath(f"{folder}/{row}")
        if any(path.endswith(whole) or (row.endswith("/") and path.startswith(f"{whole}/")) for path in edited):
            own.append(row)
    return own
