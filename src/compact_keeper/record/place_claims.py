"""What a summary says of commits, branches, pushes, merges and files that git or the disk know otherwise now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.record.statements import flat, has_any, is_of_now, is_open_ended, statements_of
from compact_keeper.types import GitNow, Item, Statement

COMMIT_SUBJECT_MIN_CHARACTERS, NAMES_MAX = 12, 5  # by which a sentence is about a commit; of paths told
CHANGE_FIELDS = ("conflicts", "staged", "modified", "untracked")  # of git's state
OPERATIONS = ("merge", "rebase", "cherry-pick", "revert")
HASH = r"(?<![\w/.#-])`?([0-9a-f]{7,40})`?(?![\w/.-])"
CHANGES = (r"(?:^|[.;:,(—–]|\b(?:and|und|et|y))\W{0,5}"
           r"(?:(?:all|both|the|these|those|my|alle|die|toutes|tous|les|todos|los|todas|las) )*"
           r"(?:changes|work|edits|fixes|code|everything|files|änderungen|alles|modifications|tout|cambios|todo)")
TO_BE = (r"(?: (?:is|are|has been|have been|has|have|been|now|already|all|fully|ist|sind|wurden|sont|a été|ont été|está"
      r"|están|ya))")
GIT_WORDS = ("commit", "clean", "push", "up to date", "up-to-date", "branch", "head", "conflict", "subid", "pouss",
             *OPERATIONS)
GIT_CLEAN = r"\bgit(?: status)?`?:? (?:is |shows )?(?:now )?clean(?=\W*$|[.,;:()—–])"
CLEAN = rf"\b(?:working )?(?:tree|directory|copy) (?:is )?(?:now )?clean\b|{GIT_CLEAN}"
COMMITTED = (rf"(?:§|^\W*all){TO_BE}* (?:committed|committet|commités|commitées|commiteados)\b"
             rf"(?=\W*$|\W*[.,;:()✅—–]| (?:and|und|et|y)\b| (?:on|to) (?:the )?`)|{CLEAN}"
             r"|\bnothing (?:is )?(?:left )?(?:to commit|uncommitted)\b"
             r"|^\W*(?:there are )?no uncommitted (?:changes|files)\b(?! (?:in|to)\b)")
NO_UNTRACKED = rf"{GIT_CLEAN}|\bno untracked\b"
UNCOMMITTED = (r"§(?: (?:is|are|has|have|been|remains?|still|currently|all))+"
               r" (?:uncommitted|not (?:yet )?(?:been )?committed)\b"
               r"|\bnothing (?:has been|is) committed\b|^\W*(?:still )?not (?:yet )?committed\b")
PUSHES = r"(?:pushed|gepusht|poussée?s?|subid[ao]s?)"
PUSHED = (rf"\bcommitted and pushed\b|\bcommittet und gepusht\b"
          rf"|(?:§|\b(?:commits?|branch|zweig))(?: `[^`]{{1,90}}`)?{TO_BE}+ {PUSHES}\b"
          r"|\bup[ -]to[ -]date with `?origin\b")
PUSHED_ONCE = (rf"^\W*{PUSHES} (?:(?:all|both|the|my|two|three|branch|new|local) )*(?:commits?|branch|changes"
               rf"|work|everything|it)\b"
               rf"|^\W*{PUSHES} to `?origin\b[^ ]*\W*$")
UNPUSHED = r"\b(?:unpushed|not (?:yet )?(?:been )?pushed|nothing (?:has been|is|was) pushed)\b(?! to)"
OPERATION = rf"(?<!\bno )\b({'|'.join(OPERATIONS)})(?: (?:of|onto|into|with|from) `[^`]{{1,90}}`)* "
OPERATION_ONGOING = (rf"{OPERATION}(?:is )?(?:still |currently )?"
                     r"(?:in progress|unfinished|not (?:yet )?finished|ongoing)\b")
OPERATION_ENDED = (rf"{OPERATION}(?:is |has been |was )?(?:now |successfully )?(?:complete|completed|finished|done)\b"
                   r"|(?:^\W*(merge|rebase|cherry-pick|revert)d?(?<=ed) `[^`]{1,90}`(?: (?:into"
                   r"|onto) `[^`]{1,90}`)?\W*(?:$|[.;:,(]))")
NO_CONFLICTS = r"\ball (?:the |merge )?conflicts (?:are|have been|were) (?:now )?resolved\b"
BRANCH = r"\s+\*{0,2}`([\w./@+-]{1,120})`"
ON_BRANCH = (r"(?i)\b(?:current(?:ly)?(?: git)?(?: (?:on|checked out))?(?: the)?"
             r"|now on(?: the)?) branch(?: is)?:?\*{0,2}"
             rf"{BRANCH}|^\W*(?:we|i)(?: are|'re| am)(?: still| now)? on (?:the )?branch{BRANCH}"
             rf"|^\W*on (?:the )?branch{BRANCH}\W*$")
AT_HEAD = (r"(?i)\b(?:HEAD:? (?:is )?(?:now )?(?:at )?"
           rf"|(?:last|latest|current|most recent|newest|tip) commit(?: is|:)? ){HASH}")
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository
FILE = r"\*{0,2}`((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[a-z]\w{0,7})`\*{0,2}"
MADE = r"(?:new(?: file)?|created|added|wrote|written|erstellt|angelegt|creado|añadido|créée?|ajoutée?)"
ADDED = r"(?i)\W*(?:also |i |we |and )?(?:new|added|añadid|ajout)"
GONE = r"(?:deleted|removed|gelöscht|entfernt|eliminad[oa]|borrad[oa]|supprimée?)"
SAID_FIRST = (r"(?i)^\W*(?:also |i |we |and )?{verb}\*{{0,2}}:?(?: (?:an?|the|new|file|test|script|module|old"
              r"|obsolete|unused"
              rf"|empty))* {FILE.replace('{', '{{').replace('}', '}}')}"
              r"(?=\s*(?:$|[.,;:(–—-]|(?:with|containing|for|as|along|and|which|entirely|completely|mit|con|avec)\b))")
SAID_BEHIND = (rf"(?i)^\W*(?:the |new |old |file |module |script )*{FILE.replace('{', '{{').replace('}', '}}')}"
               r"(?: (?:has been|is|was|wurde)(?: now)? |\s*[(:–—-]+\s*){verb}(?=\W*$|[.,;:)(]| (?:and|with|as|for)\b)")
FILE_CLAIMS = tuple((is_made, form.format(verb=verb)) for is_made, verb in ((True, MADE), (False, GONE))
                    for form in (SAID_FIRST, SAID_BEHIND))
FILE_WORDS = ("new", "created", "added", "wrote", "written", "erstellt", "angelegt", "creado", "añadid", "cré", "ajout",
              "deleted", "removed", "gelöscht", "entfernt", "eliminad", "borrad", "supprim")
FILES = rf"{FILE}(?:(?:,|,? (?:and|und|et|y)) {FILE})*"
FILE_COMMITTED = rf"{FILES}{TO_BE}+ committed\b(?! (?:in|as|with|before)\b)"
FILE_UNCOMMITTED = rf"{FILE} (?:still )?(?:has|is|remains) (?:still )?(?:uncommitted|not (?:yet )?committed|unstaged)\b"
FILE_LATER = (r"(?i)\b(?:if|when|once|will|should|would|could|needs?|later|then|before|temporar\w*|restored|again|not"
              r"|to be|was to)\b")
PLANS = r"(?i)\b(?:pending|next|todo|to (?:create|add|write|delete|remove)|plan\w*|propos\w*|remaining|optional)\b"
MOVED_WORDS = (r"\b(?:rm|mv|unlink|trash"
          r"|git (?:checkout|switch|stash|reset|clean|restore|merge|rebase|pull|worktree|rm|mv))\b")


# --- git ---


def git_claims(statements: Sequence[Statement], items: Sequence[Item],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's sentence, and what git says otherwise now; what git was not asked, it does not say."""
    actions = [item for item in items if item["kind"] == "action"]
    commits = [item for item in actions if item.get("commit")]
    is_here = not any("git" in item["text"] and re.search(OTHER_FOLDERS, item["text"]) for item in actions)
    for statement in statements:
        text, line = statement["text"], statement["line"]
        if statement["is_past"] or not has_any(text, *GIT_WORDS):
            continue
        yield from ((line, f"git: {words}") for words in commit_with_other_hash(line, commits, git))
        yield from ((line, words) for words in commit_that_failed(line, actions))
        if is_of_now(statement):
            claims = [*of_changes(text, actions, commits if is_here else [], git)]
            if is_here:
                claims += [*of_operation(text, git), *of_branch(text, git), *of_push(text, actions, git)]
            yield from ((text, f"git: {words}") for words in claims)


def commit_with_other_hash(text: str, commits: Sequence[Item], git: GitNow) -> Iterator[str]:
    """The commit whose subject the sentence names with a hash that the record does not know."""
    hashes = re.findall(HASH, text) if commits else []
    known = [str(name) for name in (*(commit["commit"] for commit in commits), git.get("head") or "") if name]
    if not hashes or any(same_commit(name, word) for word in hashes for name in known):
        return
    words = flat(text)
    for commit in reversed(commits):
        subject = flat(commit.get("subject", ""))
        if len(subject) >= COMMIT_SUBJECT_MIN_CHARACTERS and subject in words:
            yield f"“{commit['subject']}” is {commit['commit']}"
            return


def commit_that_failed(line: str, actions: Sequence[Item]) -> Iterator[str]:
    """The newest commit of the record, which failed, where the line begins with its being made and has its subject."""
    tried = [action for action in actions if "git commit" in action["text"]][-1:] if re.match(
        r"(?i)\W*committed\b", line) and not is_open_ended(line) else []
    for action in tried:
        subject = re.search(r"-a?m\s+[\"']([^\"'\n]{12,200})[\"']", action["text"])
        if subject and action.get("verdict") in ("failed", "not run") and flat(subject[1]) in flat(line):
            result = f": {action['result']}" if action.get("result") else ""
            yield f"the commit “{subject[1]}” was not made: its command {action.get('verdict')}{result}"


def of_changes(text: str, actions: Sequence[Item], commits: Sequence[Item], git: GitNow) -> Iterator[str]:
    """Changes of this session that are called committed and are not; changes called uncommitted where none are left."""
    if not has_any(text, "commit", "clean", "untracked"):
        return
    changes = re.sub(CHANGES, " §", text.lower())
    changed, is_all, files = changed_paths(git), re.search(COMMITTED, changes), re.search(FILE_COMMITTED, text)
    file = re.search(FILE_UNCOMMITTED, text)
    if re.search(UNCOMMITTED, changes) or (file and is_edited(file[1], actions)):
        is_clean = all(name in git for name in CHANGE_FIELDS) and not changed and not git.get("in_progress")
        if commits and is_clean:
            last = commits[-1]
            yield f"nothing is uncommitted; the last commit here: {last['commit']} {last.get('subject', '')}"
    elif is_all or files or re.search(NO_UNTRACKED, changes):
        names = [f"/{name}" for name in re.findall(FILE, files[0] if files and not is_all else "")]
        named = [path for path in changed if not names or f"/{path}".endswith(tuple(names))]
        edited = [path for path in named if is_edited(path, actions) or re.search(NO_UNTRACKED, changes)]
        if edited:
            yield f"not committed: {', '.join(edited[:NAMES_MAX])}"


def of_operation(text: str, git: GitNow) -> Iterator[str]:
    """A merge or the like that is called finished and is not, or going on and is none."""
    if "in_progress" not in git or not has_any(text, "conflict", *OPERATIONS):
        return
    ongoing, lower = git["in_progress"], text.lower()
    ended, begun = re.search(OPERATION_ENDED, lower), re.search(OPERATION_ONGOING, lower)
    conflicts = ", ".join(paths_in_rows(git.get("conflicts"))[:NAMES_MAX])
    kind = str(ongoing or "").partition(" ")[0]
    if kind and ((ended and (ended[1] or ended[2]).lower() == kind
                  and (ended[1] or f"`{git.get('branch')}`" in text))
                 or (conflicts and re.search(NO_CONFLICTS, lower))):
        yield f"the {kind} is not finished{f', conflicts in {conflicts}' if conflicts else ''}"
    if begun and not ongoing:
        yield f"no {begun[1].lower()} is in progress"


def of_branch(text: str, git: GitNow) -> Iterator[str]:
    """Another branch than the current one, another commit than its last."""
    branch, head = (str(git.get(name) or "") for name in ("branch", "head"))
    current = re.search(ON_BRANCH, text) if branch and "branch" in text else None
    if current and next(filter(None, current.groups())) != branch:
        yield f"the branch is {branch}"
    last = re.search(AT_HEAD, text) if head and has_any(text, "head", "commit") else None
    if last and not same_commit(head, last[1]) and not is_of_other_branch(text, branch):
        yield f"HEAD is {head[:10]}"


def of_push(text: str, actions: Sequence[Item], git: GitNow) -> Iterator[str]:
    """Commits that are called pushed and are not, or not pushed and are."""
    branch, upstream, ahead = str(git.get("branch") or ""), str(git.get("upstream") or ""), git.get("ahead")
    if not upstream or not isinstance(ahead, int) or is_of_other_branch(text, branch) or not has_any(
            text, "push", "up to date", "up-to-date", "subid", "pouss"):
        return
    lower = text.lower()
    is_unpushed = re.search(UNPUSHED, lower)
    if is_unpushed and ahead == 0 and "modified" in git and not changed_paths(git):
        yield f"{branch} has no commit that {upstream} lacks"
    was_pushed = any("git push" in action["text"] and action.get("verdict") not in ("failed", "not run")
                     for action in actions)
    is_pushed = re.search(PUSHED, re.sub(CHANGES, " §", lower)) or (
        re.search(PUSHED_ONCE, lower) and not was_pushed)
    if ahead > 0 and not is_unpushed and is_pushed:
        yield f"{ahead} commit{'s' * (ahead > 1)} of {branch} not pushed to {upstream}"


def is_of_other_branch(text: str, branch: str) -> bool:
    """Whether the text names a branch in ticks that is not the current one."""
    return "branch" in text.lower() and "`" in text and branch not in text


def changed_paths(git: GitNow) -> list[str]:
    """What is not committed, in conflict or not, new or not."""
    return list(dict.fromkeys(path for name in CHANGE_FIELDS for path in paths_in_rows(git.get(name))))


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


def paths_in_rows(value: object) -> list[str]:
    """The paths in a field of git's state: each alone, or first of what is told of it."""
    firsts = [row[0] if isinstance(row, (list, tuple)) and row else row for row in value] if isinstance(
        value, (list, tuple)) else []
    return [path for path in firsts if isinstance(path, str)]


def is_edited(path: str, actions: Sequence[Item]) -> bool:
    """Whether this session has edited the file of that path."""
    return any(action.get("edits") and f"/{action.get('path', '')}".endswith(f"/{path}") for action in actions)


# --- files ---


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in files_named(statements_of(summary))))


def files_named(statements: Sequence[Statement]) -> Iterator[tuple[bool, str, str]]:
    """Whether it was created, the path, the sentence."""
    for statement in statements:
        text = statement["text"]
        if has_any(text, *FILE_WORDS) and not (re.search(FILE_LATER, text) or re.search(PLANS, statement["heading"])):
            for is_made, pattern in FILE_CLAIMS:
                for match in re.finditer(pattern, text):
                    if "/" in match[1] or not re.match(ADDED, text):  # `config.debug` may be no file
                        yield is_made, match[1], text


def file_claims(statements: Sequence[Statement], items: Sequence[Item],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's sentence on a file created or deleted, where the disk lacks it or has it."""
    actions = [item for item in items if item["kind"] == "action"]
    named = list(files_named(statements)) if files else []
    for is_made, path, text in named:
        is_there = files.get(path)
        if not isinstance(is_there, bool) or is_there == is_made or any(
                other == path and kind != is_made for kind, other, _ in named):
            continue  # where it tells both, it tells the course of things
        last = max((action["position"] for action in actions if is_edited(path, [action])), default=-1)
        moves = [action["position"] for action in actions if re.search(MOVED_WORDS, action["text"])]
        if is_made and not any(position > last for position in moves):
            yield text, f"the disk has no {path} now"
        elif not is_made and not any(position < last for position in moves):
            yield text, f"{path} still exists"
