"""What a summary says of commits, branches, pushes, merges and files that git or the disk know otherwise now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from compact_keeper.record.claims import claim_of, form_of, in_row, named_in
from compact_keeper.record.statements import SUBJECT_MIN_CHARACTERS, statements_of
from compact_keeper.types import ClaimForm, GitNow, Item, Statement

NAMES_MAX = 5  # of paths told
CHANGE_FIELDS = ("conflicts", "staged", "modified", "untracked")  # of git's state
OPERATIONS = ("merge", "rebase", "cherry-pick", "revert")
COMMITTED = {
    "committed": "committed|checked in|went in|in git|in the last commit|went in with the last commit|committet"
                 "|eingecheckt|commité|commitée|commités|committé|commiteado|commiteados",
    "uncommitted": "uncommitted|uncommitted changes|unstaged|to commit|to be committed|sin confirmar"}
PUSHED = {
    "pushed": "pushed|committed and pushed|on the remote|on origin|on `origin`|on github|in sync|in sync with origin"
              "|up to date with origin|up to date with the remote|gepusht|committet und gepusht|poussé|poussés|subido"
              "|subidos|commité et poussé|pusheado",
    "unpushed": "unpushed|local only|only local|only locally|exist only locally|exists only locally|to push"
                "|to be pushed|sin subir|ahead of origin|ahead of `origin`|ahead of the remote"}
GIT_THINGS = {name: thing for thing, names in {  # of `git status` what is new counts too
    "changes": "changes|work|all|modifications|edits|änderungen|alles|cambios|todo|tout|modifiche",
    "everything": "everything|all changes|the changes|my changes|all work|the work",
    "commits": "commits|commit|branch|zweig|rama|branche|local and remote|it|them|they|both",  # beside a commit
    "uncommitted changes": "uncommitted changes",
    "nothing": "nothing|none of the changes|none of my changes|none of this|none of the work|none of it",
    "tree": "working tree|working directory|working copy|worktree|work tree|tree|repository|repo",
    "index": "index|staging area", "status": "git status|`git status`",
    "conflicts": "all conflicts|all merge conflicts|no conflicts|no merge conflicts|no unresolved conflicts",
    "no operation": "no git operation|no operation|no merge or rebase|no rebase or merge",
    "no commit": "no commit|no commits",
    **{name: name for name in OPERATIONS}, **{f"no {name}": f"no {name}" for name in OPERATIONS},
    }.items() for name in names.split("|")}
PRONOUNS, COMMIT_WORDS = frozenset("it them they both".split()), frozenset("commit commits committed branch".split())
COMMITS_FORM = form_of(
    {**COMMITTED, **PUSHED}, first="committed pushed", fillers="was were 0 commit commits one two three four",
    leads="of two three", ends="to `|on `|as `|to the remote|to origin|with message|in one|in a|in 0|by 0|by one",
    ends_thing="to `|to origin|to the remote|as `|on `|in one|in a")
OPERATION_FORM = form_of({
    "ended": "complete|completed|finished|done|concluded|over|through|went through|successful|abgeschlossen|fertig"
             "|terminé|terminada|terminado",
    "ongoing": "in progress|unfinished|ongoing|under way|underway|still running|stopped|paused|halted"},
    fillers="was", ends="successfully|without conflicts|without trouble|without problems|without any|cleanly")
NO_OPERATION_FORM = form_of({"ended": "in progress|ongoing|under way|underway|pending|running"})
PATH_FORM = form_of({**COMMITTED, **PUSHED}, first="committed pushed", fillers="was were", leads="to script module",
                    ends="on `|as `|in one|in commit")
ALL_FORM: ClaimForm = {**COMMITS_FORM, "parting": frozenset(),  # "docs: all is committed"
                       "ends": COMMITS_FORM["ends"] - {":"}}  # "changes committed: the rounding"
GIT_FORMS: dict[str, ClaimForm] = {
    "commits": COMMITS_FORM, "everything": ALL_FORM,
    "changes": {**ALL_FORM, "first": {"pushed": "pushed"}},  # "committed work" may be some
    "uncommitted changes": form_of({"committed": "no|without any"}, first="committed",
                                   ends_thing="remain|left|remaining|exist|in the|are left"),
    "nothing": form_of({
        "empty": "staged", "uncommitted": "committed", "unpushed": "pushed",
        "committed": "uncommitted|to commit|to be committed", "pushed": "unpushed|to push|to be pushed"},
        fillers="waiting", ends="locally"),
    "tree": form_of({"committed": "clean|has no changes|has no uncommitted changes|without changes"}),
    "status": form_of({"committed": "clean|empty|nothing|no changes|a clean working tree|a clean tree|sauber|propre"
                                    "|limpio|ne montre plus rien"}, fillers="prints"),
    "index": form_of({"empty": "empty|clean"}),
    "conflicts": form_of({"ended": "resolved|settled|solved|gone|remain|remaining|left|gelöst|résolus|resueltos"},
                         ends="successfully", fillers="were"),
    "no operation": NO_OPERATION_FORM, **{f"no {name}": NO_OPERATION_FORM for name in OPERATIONS},
    **dict.fromkeys(OPERATIONS, OPERATION_FORM),
    "no commit": form_of({"no commit": "made|created|done|recorded"}, ends="in this|so far", fillers="were made")}
DONE_FORM = form_of({"merge": "merged", "rebase": "rebased", "cherry-pick": "cherry-picked", "revert": "reverted"},
                    first=" ".join(OPERATIONS), leads="✅ ✓")  # "Merged `a` into `b`"
PLACES = {  # where one is: told before a name between backticks, or a hash
    "branch": "current branch|current git branch|on branch|working on branch|active branch|checked out on"
              "|checked out branch|checked out on branch|checked out",
    "on": "we are on|we're on|i am on|i'm on|currently on|still on",
    "head": "head|last commit|latest commit|current commit|most recent commit"}
PLACE_FORM: ClaimForm = {
    **form_of(PLACES, first="branch on head named", leads="at points to sits"), "parting": frozenset(),
    "ends_thing": frozenset((*". ; , ( ) * | branch with".split(),
                             "feat :", "fix :", "chore :", "docs :", "test :", "refactor :"))}
PLACE_FORM["first"] = {**PLACE_FORM["first"], "branch": "named", "git branch": "named"}
GIT_CUES = frozenset[str]({"branch"}).union(*(form["cues"] for form in (*GIT_FORMS.values(), DONE_FORM, PLACE_FORM)))
HASH = r"`?([0-9a-f]{7,40})`?"
ONLY_BRANCH = r"[\w-]+/[\w/-]+"  # "feature/rates"
MAIN_BRANCHES = ("main", "master", "develop", "trunk")
BEFORE_NAMES = ("of", "onto", "into", "from")  # "the merge of `a` into `b`"
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository
COMMIT_MESSAGE = r"-a?m\s+[\"']([^\"'\n]{12,200})[\"']"
PATH = r"`?((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7})`?"
MADE_FORM = form_of({
    "created": "new )|new file|created|added|wrote|written|erstellt|angelegt|hinzugefügt|creado|creada"
               "|añadido|se creó|créé|créée|ajouté|creato|criado",
    "deleted": "deleted|removed|dropped|got rid of|erased|gelöscht|entfernt|eliminado|eliminada|borrado|borrada"
               "|se eliminó|se borró|supprimé|supprimée|eliminato|removido",
    "there": "exists|exist|in place|still exists|there|still there|still present|still around|on disk|existiert|existe",
    "absent": "there is no|there's no|gone|existiert not|n'existe not|n'existe plus|no existe"},
    first="created deleted absent", leads="✅ ✓ script module obsolete new now-unused dead legacy",
    fillers="was were neu frisch freshly fue sido",
    ends="with|for|to hold|in this|this session|by me|any more|any longer|right away|because|since",
    ends_thing="with|containing|for|along|which|that|mit|con|avec|describing|holding|defining|implementing|exporting"
               "|providing|using|outright|any more|anymore|holds|contains|defines|provides|yet")
MADE = {"created": True, "there": True, "deleted": False, "absent": False}
FILE_LATER, WAS = frozenset("later then temporarily temporary restored again".split()), frozenset(("was", "were"))
COURSES = {"created": FILE_LATER, "deleted": FILE_LATER, "there": WAS, "absent": WAS}  # it went on beside these
PLANS = r"(?i)\b(?:pending|next|todo|to (?:create|add|write|delete|remove)|plan\w*|propos\w*|remaining|optional)\b"
MOVED_FILES = r"\b(?:rm|mv|unlink|trash|git (?:rm|mv))\b"  # by a command that names them, or one of their folders
MOVED_TREE = (r"\bgit (?:stash|reset|clean|restore|merge|rebase|pull|worktree|(?:checkout|switch)(?! -[bBcC]))\b"
              r"|\b(?:find|xargs)\b.{0,300}(?:rm|mv|delete)\b")
BRANCH_STATES = ("branch", "on", "named")
CHANGE_STATES = ("no commit", "empty", "committed", "uncommitted")


# --- git ---


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
            yield from ((statement["line"], answer) for answer in of_commits(statement["line"], commits, known))
            yield from ((statement["text"], f"git: {answer}") for thing, state in states_in(statement["words"])
                        for answer in answers_of(thing, state, statement["words"], actions, git))


def states_in(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The things in git, by GIT_THINGS or a name between backticks, and the states that the words tell of them."""
    if GIT_CUES.isdisjoint(words):
        return
    things = [(begin, end, thing, GIT_FORMS[thing]) for begin, end, thing in named_in(words, GIT_THINGS)
              if words[begin] not in PRONOUNS or not COMMIT_WORDS.isdisjoint(words)]
    things += [(place, place + 1, word.strip("`"), form) for place, word in enumerate(words)
               if word[0] == "`" or (len(word) > 6 and re.fullmatch(HASH, word))
               for form in (PATH_FORM, PLACE_FORM, DONE_FORM)]
    for begin, end, thing, form in things:
        has_names = form in (OPERATION_FORM, DONE_FORM, COMMITS_FORM)
        behind = takewhile(lambda word: word[0] == "`" or word in (*BEFORE_NAMES, *MAIN_BRANCHES), words[end:])
        if claim := claim_of(words, begin, end + len([*behind]) * has_names, form):
            yield thing, claim["state"]
            if claim["state"] == "pushed" and "committed" in words[claim["begin"]:claim["end"]]:
                yield thing, "committed"


def subject_of(action: Item) -> str:
    """The subject of the commit that a command made, or was to make; empty: too short to be named by it."""
    message = re.search(COMMIT_MESSAGE, action["text"])
    subject = str(action.get("subject") or (message and message[1]) or "")
    return subject if len(subject) >= SUBJECT_MIN_CHARACTERS else ""


def of_commits(line: str, commits: Mapping[str, Item], known: Sequence[str]) -> Iterator[str]:
    """The newest commit with its subject in the line, where that has a hash that nothing knows, or it was not made.

    `commits`: by subject, the newest first; `known`: all hashes that the session and git tell.
    """
    row = in_row(line) if commits else ""
    subject = next(filter(row.__contains__, commits), "")
    if not subject:
        return
    action = commits[subject]
    hashes = re.findall(rf"(?<![\w/.#-]){HASH}(?![\w/.-])", line)
    if action.get("commit") and hashes and not any(same_commit(name, word) for word in hashes for name in known):
        yield f"git: “{subject_of(action)}” is {action['commit']}"
    elif action.get("verdict") in ("failed", "not run") and re.match(r"\W*committed\b", row):
        result = f": {action['result']}" if action.get("result") else ""
        yield f"the commit “{subject_of(action)}” was not made: its command {action['verdict']}{result}"


def answers_of(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """What git says otherwise of a thing that is told to be in that state.

    A row "Branch: `x`" may be of a branch that the work was about: only a name that no command has is another.
    """
    branch, head = str(git.get("branch") or ""), str(git.get("head") or "")
    if state in PUSHED:
        yield from of_push(state, words, actions, git)
    elif state in CHANGE_STATES:
        yield from of_changes(thing, state, words, actions, git)
    elif state in BRANCH_STATES:
        if is_elsewhere(thing, state, branch, actions):
            yield f"the branch is {branch}"
    elif state == "head":
        if head and re.fullmatch(HASH, thing) and not same_commit(head, thing):
            yield f"HEAD is {head[:10]}"
    else:
        yield from of_operation(thing, state, words, git)


def of_changes(thing: str, state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """What is committed, or not, otherwise than it is told; changes are this session's."""
    commits = [action for action in actions if action.get("commit")]
    last = f"{commits[-1]['commit']} {commits[-1].get('subject', '')}" if commits else ""
    changed, is_file = changed_paths(git), thing not in GIT_THINGS.values()
    if state == "no commit" and last and "session" in words:
        yield f"this session made {last}"
    elif state == "empty":
        staged = [path for path in paths_in_rows(git.get("staged")) if is_edited(path, actions)]
        if staged:
            yield f"staged: {', '.join(staged[:NAMES_MAX])}"
    elif state == "committed":
        named = [path for path in changed if not is_file or f"/{path}".endswith(f"/{thing}")]
        edited = [path for path in named if thing == "status" or is_edited(path, actions)]
        if edited:
            yield f"not committed: {', '.join(edited[:NAMES_MAX])}"
    elif state == "uncommitted":
        is_clean = all(name in git for name in CHANGE_FIELDS) and not changed and not git.get("in_progress")
        if last and is_clean and (not is_file or is_edited(thing, actions)):
            yield f"nothing is uncommitted; the last commit here: {last}"


def of_operation(thing: str, state: str, words: Sequence[str], git: GitNow) -> Iterator[str]:
    """A merge, rebase or the like that is told to go on and does not, or to have ended and has not."""
    kind = str(git.get("in_progress") or "").partition(" ")[0]
    if state == "ongoing":
        if "in_progress" in git and not kind:
            yield f"no {thing} is in progress"
        return
    conflicts = paths_in_rows(git.get("conflicts"))
    ended = (kind, f"no {kind}", "no operation", *(("conflicts",) if conflicts else ()))
    says_ended = state == "ended" and thing in ended
    says_branch = state == kind and f"`{git.get('branch') or ''}`" in words
    if kind and (says_ended or says_branch):
        files = f", conflicts in {', '.join(conflicts[:NAMES_MAX])}" if conflicts else ""
        yield f"the {kind} is not finished{files}"


def is_elsewhere(name: str, state: str, branch: str, actions: Sequence[Item]) -> bool:
    """Whether another branch is named than the one that is checked out; "we are on" may be told of other things."""
    is_sure = {"branch": True, "on": name in MAIN_BRANCHES or bool(re.fullmatch(ONLY_BRANCH, name)),
               "named": not any(name in action["text"] for action in actions)}
    return bool(branch) and name != branch and is_sure.get(state, False)


def of_push(state: str, words: Sequence[str], actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """Commits that are called pushed and are not, or not pushed and are."""
    branch, upstream, ahead = str(git.get("branch") or ""), git.get("upstream"), git.get("ahead")
    is_other = "branch" in words and any(word[0] == "`" and branch not in word for word in words)
    if is_other or not upstream or not isinstance(ahead, int):
        return
    was_pushed = {"is", "are", "sind"}.isdisjoint(words) and any(
        "git push" in action["text"] and action.get("verdict") not in ("failed", "not run") for action in actions)
    if state == "pushed" and ahead > 0 and not was_pushed:
        yield f"{ahead} commit{'s' * (ahead > 1)} of {branch} not pushed to {upstream}"
    elif state == "unpushed" and ahead == 0 and "modified" in git and not changed_paths(git):
        yield f"{branch} has no commit that {upstream} lacks"


def changed_paths(git: GitNow) -> list[str]:
    """What is not committed, in conflict or not, new or not."""
    return list(dict.fromkeys(path for name in CHANGE_FIELDS for path in paths_in_rows(git.get(name))))


def paths_in_rows(value: object) -> list[str]:
    """The paths in a field of git's state: each alone, or first of what is told of it."""
    rows = value if isinstance(value, (list, tuple)) else []
    return [path for path in (row[0] if isinstance(row, (list, tuple)) and row else row for row in rows)
            if isinstance(path, str)]


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


def is_edited(path: str, actions: Sequence[Item]) -> bool:
    """Whether this session has edited the file of that path."""
    return any(action.get("edits") and f"/{action.get('path', '')}".endswith(f"/{path}") for action in actions)


# --- files ---


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in files_named(statements_of(summary))))


def files_named(statements: Sequence[Statement]) -> Iterator[tuple[str, str, str]]:
    """What is told of it, one of MADE, the path, the sentence."""
    for statement in statements:
        words = statement["words"] if not MADE_FORM["cues"].isdisjoint(statement["words"]) else ()
        for place, word in enumerate(words):
            is_whole = word[0] == "`" or ("/" in word and not {*words[max(0, place - 1):place]} & {".", "/", "~"})
            path = re.fullmatch(PATH, word) if is_whole else None
            claim = claim_of(words, place, place + 1, MADE_FORM) if path else None
            if path and claim and COURSES[claim["state"]].isdisjoint(words) and not re.search(
                    PLANS, statement["heading"]):
                yield claim["state"], path[1], statement["text"]


def file_claims(statements: Sequence[Statement], items: Sequence[Item],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's sentence on a file created or deleted, where the disk lacks it or has it."""
    actions = [item for item in items if item["kind"] == "action"]
    named = list(files_named(statements)) if files else []
    for state, path, text in named:
        is_there, is_made = files.get(path), MADE[state]
        if not isinstance(is_there, bool) or is_there == is_made or any(
                other == path and MADE[kind] != is_made for kind, other, _ in named):
            continue  # where it tells both, it tells the course of things
        last = max((action["position"] for action in actions if is_edited(path, [action])), default=-1)
        moves = [action["position"] for action in actions if re.search(MOVED_TREE, action["text"]) or (
            re.search(MOVED_FILES, action["text"]) and any(
                part in action["text"] for part in (*path.split("/"), "*", "$", " .")))]
        if is_made and not any(position > last for position in moves):
            yield text, f"the disk has no {path} now"
        elif not is_made and not any(position < last for position in moves):
            yield text, f"{path} still exists" if state == "deleted" else f"the disk has {path} now"
