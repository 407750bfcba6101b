"""What a summary says of commits, branches, pushes and merges that git knows otherwise now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.record.git.calls import same_commit
from compact_keeper.record.summary.claims import OPPOSITES, claims_of, form_of, in_row, is_of_part, named_in
from compact_keeper.record.summary.statements import SUBJECT_MIN_CHARACTERS
from compact_keeper.types import GitNow, Item, Named, Statement

NAMES_MAX = 5  # of paths told
CHANGE_FIELDS = ("conflicts", "staged", "modified", "untracked")  # of git's state
OPERATIONS = ("merge", "rebase", "cherry-pick", "revert")
THINGS = {name: thing for thing, names in {
    "changes": "changes|work|all|modifications|edits|everything|tout|todo|alles",
    "nothing": "nothing|none of it|none of this",
    "tree": "working tree|working directory|working copy|worktree|tree|repository|repo|git status|`git status`",
    "index": "index|staging area",
    "commits": "commits|commit|branch|local and remote",
    "them": "it|them|they|both",  # the commits, beside such a word
    "conflicts": "conflicts|merge conflicts", "operation": "git operation|operation",
    **{name: name for name in OPERATIONS},
    }.items() for name in names.split("|")}
GIT_FORM = form_of({
    "committed": "committed|checked in|went in|in git|in the last commit|went in with the last commit|commité",
    "uncommitted": "uncommitted|has uncommitted changes|unstaged|to commit",
    "clean": "clean|a clean tree|a clean working tree|empty|nothing",
    "made": "made|created|recorded",
    "pushed": "pushed|on the remote|on origin|on `|in sync|in sync with origin|up to date with origin"
              "|up to date with the remote|poussé|gepusht",
    "unpushed": "unpushed|local only|only local|only locally|exist only locally|to push|ahead of origin|ahead of `"
                "|ahead of the remote",
    "ended": "complete|completed|finished|done|concluded|over|through|went through|successful|resolved|settled|gone",
    "ongoing": "in progress|unfinished|ongoing|underway|under way|still running|paused|halted|remain|left"},
    first="committed pushed uncommitted", silent="9 was two three to as on so far successfully cleanly",
    ends="to `|on `|as `|to the remote|to origin|with message|in one|in a|in 9|in commit|by 9|by one|in this|without")
PLACE_FORM = form_of({  # where one is: told before a name between backticks, or a hash
    "branch": "current branch|current git branch|on branch|active branch|checked out|checked out on|checked out branch"
              "|checked out on branch",
    "named": "branch|git branch", "on": "on",
    "head": "head|last commit|latest commit|current commit|most recent commit"},
    first="branch named on head", silent="at points to sits working", ends="branch|with")
HASH = r"`?([0-9a-f]{7,40})`?"
BRANCH = r"main|master|develop|trunk|[\w-]+/[\w/-]+"  # what surely is one: "feature/rates"
WHERE_WE_ARE = frozenset("we we're i i'm still currently".split())
OF_NAMES = frozenset("of onto into from main master".split())  # "the merge of `a` into main"
COMMIT_WORDS = frozenset("commit commits committed branch".split())
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository
COMMIT_MESSAGE = r"-a?m\s+[\"']([^\"'\n]{12,200})[\"']"


def git_claims(statements: Sequence[Statement], items: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what git says otherwise now; what git was not asked, it does not say."""
    actions = [item for item in items if item["kind"] == "action"]
    made = [action for action in actions if "git commit" in action["text"]]
    commits: dict[str, Item] = {}
    for action in reversed(made):
        commits.setdefault(in_row(subject_of(action)), action)
    commits.pop("", None)
    top = git.get("root") or "\0"
    commands = [action["text"].replace(top, ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {"untracked": changed_paths(git)}  # only of its files is it certain that they are meant
    known = [str(name) for name in (*(action.get("commit") for action in made), git.get("head")) if name]
    for statement in statements if git or made else ():
        if not statement["is_past"]:
            answers = [of_commit(statement["line"], commits, known), *(
                answer_of(thing, state, statement["words"], actions, git)
                for thing, state in states_in(statement["words"]))]
            yield from ((statement["text"], f"git: {answer}") for answer in answers if answer)


def states_in(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The things in git, by THINGS or a name between backticks, and the states that the words tell of them."""
    if GIT_FORM["cues"].isdisjoint(words) and PLACE_FORM["cues"].isdisjoint(words):
        return
    code = [(place, place + 1, word.strip("`")) for place, word in enumerate(words)
            if word[0] == "`" or (len(word) > 6 and re.fullmatch(HASH, word))]
    things: list[Named] = []
    operations: list[Named] = []
    for each in named_in(words, THINGS):
        is_said = each[2] != "them" or not COMMIT_WORDS.isdisjoint(words)
        (operations if each[2] in OPERATIONS else things if is_said else []).append(each)
    names = OF_NAMES.union(words[place] for place, _, _ in code)
    for claim in (*claims_of(words, [*things, *code], GIT_FORM), *claims_of(words, operations, GIT_FORM, names),
                  *claims_of(words, code, PLACE_FORM)):
        is_all = claim["thing"] == "changes" or claim["state"] == "head"
        if is_all and (is_of_part(words, claim) or words[claim["begin"]] == "committed"):  # "committed work": some
            continue
        is_none = claim["thing"] == "nothing" and claim["state"] in OPPOSITES
        yield ("changes", OPPOSITES[claim["state"]]) if is_none else (claim["thing"], claim["state"])


def answer_of(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of a thing that is told to be in that state; else empty."""
    if state in ("ended", "ongoing"):
        return of_operation(thing, state, git)
    if state in ("pushed", "unpushed"):
        return of_push(thing, state, words, actions, git)
    if state in PLACE_FORM["states"].values():
        return of_place(thing, state, words, actions, git)
    return of_changes(thing, state, words, actions, git)


def of_changes(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> str:
    """What is committed, or not, otherwise than it is told; changes are this session's."""
    last = last_commit(actions)
    if state == "unmade":
        return f"this session made {last}" if thing == "commits" and last and "session" in words else ""
    is_all = thing in THINGS.values()
    changed = paths_in_rows(git.get("staged")) if thing == "index" else changed_paths(git)
    if state == "uncommitted":
        is_clean = all(name in git for name in CHANGE_FIELDS) and not changed and not git.get("in_progress")
        is_known = last and is_clean and (is_all or is_edited(thing, actions))
        return f"nothing is uncommitted; the last commit here: {last}" if is_known else ""
    is_called_clean = state == "clean" and thing in ("tree", "index") and "was" not in words
    if state != "committed" and not is_called_clean:
        return ""
    meant = changed if is_all else [path for path in changed if f"/{path}".endswith(f"/{thing}")]
    edited = [path for path in meant if is_edited(path, actions)]
    name = "staged" if thing == "index" else "not committed"
    return f"{name}: {', '.join(edited[:NAMES_MAX])}" if edited else ""


def last_commit(actions: Sequence[Item]) -> str:
    """Hash and subject of the last commit that the session made; empty where it made none."""
    commits = [action for action in actions if action.get("commit")]
    return f"{commits[-1]['commit']} {commits[-1].get('subject', '')}" if commits else ""


def of_push(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> str:
    """Commits that are called pushed and are not, or not pushed and are."""
    branch, upstream, ahead = str(git.get("branch") or ""), git.get("upstream"), git.get("ahead")
    is_other = any(word[0] == "`" and branch not in word and not re.fullmatch(HASH, word) for word in words)
    is_commits = thing in THINGS.values() or thing in (branch, upstream)
    if is_other or not is_commits or not upstream or not isinstance(ahead, int):
        return ""
    was_pushed = {"is", "are"}.isdisjoint(words) and any(
        "git push" in action["text"] and action.get("verdict") not in ("failed", "not run") for action in actions)
    if state == "pushed" and ahead > 0 and not was_pushed:
        return f"{ahead} commit{'s' * (ahead > 1)} of {branch} not pushed to {upstream}"
    is_pushed = state == "unpushed" and ahead == 0 and "modified" in git and not changed_paths(git)
    return f"{branch} has no commit that {upstream} lacks" if is_pushed else ""


def of_place(name: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> str:
    """The branch or commit where git is, if another one is named.

    A row "Branch: `x`" may be of a branch that the work was about: only a name that no command has is another.
    "We are on `x`" may be told of other things than branches.
    """
    branch, head = str(git.get("branch") or ""), str(git.get("head") or "")
    if state == "head":
        is_other = bool(head and re.fullmatch(HASH, name)) and not same_commit(head, name)
        return f"HEAD is {head[:10]}" if is_other else ""
    is_branch = {"branch": True, "on": bool(re.fullmatch(BRANCH, name)) and not WHERE_WE_ARE.isdisjoint(words),
                 "named": not any(name in action["text"] for action in actions)}[state]
    return f"the branch is {branch}" if branch and name != branch and is_branch else ""


def of_operation(thing: str, state: str, git: GitNow) -> str:
    """A merge, rebase or the like that is told to go on and does not, or to have ended and has not."""
    kind = str(git.get("in_progress") or "").partition(" ")[0]
    conflicts = paths_in_rows(git.get("conflicts"))
    if state == "ongoing" and thing in OPERATIONS:
        return f"no {thing} is in progress" if "in_progress" in git and not kind else ""
    if state == "ended" and kind and thing in (kind, "operation", *(["conflicts"] if conflicts else [])):
        in_conflict = f", conflicts in {', '.join(conflicts[:NAMES_MAX])}" if conflicts else ""
        return f"the {kind} is not finished{in_conflict}"
    return ""


def of_commit(line: str, commits: Mapping[str, Item], known: Sequence[str]) -> str:
    """Of the newest commit with its subject in the line its hash, if the line has another; or that it was not made.

    `commits`: by subject, the newest first; `known`: all hashes that the session and git tell.
    """
    row = in_row(line) if commits else ""
    subject = next(filter(row.__contains__, commits), "")
    if not subject:
        return ""
    action = commits[subject]
    hashes = re.findall(rf"(?<![\w/.#-]){HASH}(?![\w/.-])", line)
    if action.get("commit") and hashes and not any(same_commit(name, word) for word in hashes for name in known):
        return f"“{subject_of(action)}” is {action['commit']}"
    says_so = action.get("verdict") in ("failed", "not run") and re.match(r"\W*committed\b", row)
    result = f": {action['result']}" if action.get("result") else ""
    return f"“{subject_of(action)}” was not committed: its command {action['verdict']}{result}" if says_so else ""


def subject_of(action: Item) -> str:
    """The subject of the commit that a command made, or was to make; empty: too short to be named by it."""
    message = re.search(COMMIT_MESSAGE, action["text"])
    subject = str(action.get("subject") or (message and message[1]) or "")
    return subject if len(subject) >= SUBJECT_MIN_CHARACTERS else ""


def changed_paths(git: GitNow) -> list[str]:
    """What is not committed, in conflict or not, new or not."""
    return list(dict.fromkeys(path for name in CHANGE_FIELDS for path in paths_in_rows(git.get(name))))


def paths_in_rows(value: object) -> list[str]:
    """The paths in a field of git's state: each alone, or first of what is told of it."""
    rows = value if isinstance(value, (list, tuple)) else []
    paths = [row[0] if isinstance(row, (list, tuple)) and row else row for row in rows]
    return [path for path in paths if isinstance(path, str)]


def is_edited(path: str, actions: Sequence[Item]) -> bool:
    """Whether this session has edited the file of that path."""
    return any(action.get("edits") and f"/{action.get('path', '')}".endswith(f"/{path}") for action in actions)
