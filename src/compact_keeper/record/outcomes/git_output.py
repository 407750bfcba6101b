"""What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.shell import PIPES, pieces_of, program_in
from compact_keeper.record.endings import PRIVATE_NAMED_MAX
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.shown_line import CAUSE_MAX_UTF16, cut_words, joined_line, last_said
from compact_keeper.record.runner_output.row_lookup import shortened
from compact_keeper.text.holding import holds_any
from compact_keeper.text.paths import WITH_FOLDER, last_parts
from compact_keeper.types import Commit, GitSaid, Outcome

COMMITS_NAMED_MAX, COMMITS_KEPT_MAX = 3, 12  # of one output
REFS_NAMED_MAX, REFS_KEPT_MAX = 3, 12  # of one push
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
FILES_OF_COMMIT = (  # the rows right below that of a commit
    r"(?:\n (?:Author|Committer|Date): .{0,200}){0,3}"
    r"\n (\d{1,6}) files? changed.{0,60}((?:\n (?:create|delete|mode|rename|copy|rewrite) .{1,400})*)")
NEW_FILE, DELETED_FILE = r"\n create mode \d{6} ([^\n\"]+)", r"\n delete mode \d{6} ([^\n\"]+)"
FILES_OF_COMMIT_MAX = 3  # that are named of a kind
CALL_MAKING_COMMITS = r"\b(?:commit|merge|revert|cherry-pick|rebase|am|pull)\b"
SHOWING_ENDS = ("tail", "tee", "cat")  # behind a commit: all rows below its own
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
UP_TO_DATE = "Everything up-to-date"
NOTHING_TO = {UP_TO_DATE: "push", "Already up to date.": "pull"}
NOTHING_STASHED = "No local changes to save"
STASH_KEPT = ("stash entry is kept", "would be overwritten", "could not restore untracked files")
PUSH_REFUSED = (  # what git says of the push itself: another command of the line may have failed before it
    r"rejected\]|Updates were rejected|does not appear to be a git repository|Could not read from remote|src refspec"
    r"|unable to access|Authentication failed|has no upstream branch|No configured push destination"
    r"|[Rr]epository (?:\S{1,200} )?not found|could not read (?:Username|Password)")
GIT_PUSH_FAILED = r"(?m)^error: failed to push\b.{0,200}"  # its last row; a hook's own words before it are not read
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json(?:\.backup)?")
CLIENT_FILE = (
    r"\.claude/(?:(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+|history\.jsonl)")
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
GIT_SAID_BY_REMOTE = r"(?m)^remote: +(?:- |(?:GitLab|ERROR|error): )(.{3,160}?) *$"  # the rule behind a refusal
REMOTE_WORDS_MAX = 2
RULE_FOUND = r"GH\d{3}: "  # that a rule was broken; which one stands below it
GIT_REMOTE = r"(?m)^To (\S{1,400})"
COMMIT_RANGE = r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}"
USER_IN_ADDRESS = r"//[^/@]{1,300}@"
CONFLICT_DETAIL = r" (?:deleted|renamed|added|left) "  # behind the file's name
CONFLICTS_NAMED_MAX = 5
TAKES_STASH = r"\bgit (?:-\S{1,90} \S{1,90} )?(stash (?:pop|apply))\b"
GIT_STASHED = r"(?m)^Saved working directory and index state (.{1,160}?) *$"
GIT_FAILURE_WORDS = ("fatal: ", "error: ", "rejected]", "hint: ")


def git_outcome(run: EndedCommand) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    if "git" not in run.command:
        return {}
    text = "\n".join(map(shortened, run.lines))
    ends = stop_said(run, text) or end_said(run, text)
    said = [commits_said(run.command, text), push_said(text), stashes_said(text), ends, failure_said(run, text)]
    outcome: Outcome = {}
    for part in said:
        outcome.update(part["fields"])
    if "pushed" in outcome and UP_TO_DATE in ends["words"]:  # of another push of the line
        ends["words"].remove(UP_TO_DATE)
    causes = [part["cause"] for part in said if part["cause"]]
    if causes:
        outcome["cause"] = cut_words(causes[0], CAUSE_MAX_UTF16)
    if refusal := push_refusal_said(run, text, causes):
        outcome["push_refused"] = refusal
    words = [words for part in said for words in part["words"]]
    if words:
        outcome["line"] = joined_line(words)
    return outcome


def push_refusal_said(run: EndedCommand, text: str, causes: Sequence[str]) -> str:
    """The cause which says that a push was refused, by the other side or before, else that it failed; empty: none."""
    if "push" not in run.command:
        return ""
    said = [cause for cause in causes if re.search(PUSH_REFUSED, cause)] or re.findall(GIT_PUSH_FAILED, text)
    return said[0] if said else ""


def commits_said(command: str, text: str) -> GitSaid:
    """The commits that were made, with their files; the last one is what HEAD names now."""
    commits = [*re.finditer(GIT_COMMIT, text)] if "] " in text else []
    if not commits:
        return {"fields": {}, "cause": "", "words": []}
    are_rows_whole = shows_rows_of_commit(command)
    made: list[Commit] = [{"branch": row[1], "hash": row[2], "subject": row[3].strip(),
                           "took_in": files_said(text[row.end():], are_rows_whole)}
                          for row in commits[-COMMITS_KEPT_MAX:]]
    last = made[-1]
    fields: Outcome = {"branch": last["branch"], "commit": last["hash"], "subject": last["subject"],
                       "took_in": last["took_in"]}
    before = [commit for commit in made if commit["hash"] != last["hash"]]
    if before:
        fields["commits_before"] = before
    private = private_files(text)
    if private:
        fields["private"] = private
    words = [f"[{row[1]} {row[2]}] {row[3]}" for row in commits[-COMMITS_NAMED_MAX:]]
    return {"fields": fields, "cause": "", "words": words}


def shows_rows_of_commit(command: str) -> bool:
    """Whether no pipe behind a call of git's may have kept back rows that stand below a commit's own."""
    is_of_commit: object = False
    for piece, sign in pieces_of(command):
        program = program_in(piece)
        if is_of_commit and program not in SHOWING_ENDS:
            return False
        is_of_commit = sign in PIPES and (is_of_commit or (program == "git" and re.search(CALL_MAKING_COMMITS, piece)))
    return True


def files_said(below: str, are_rows_whole: bool) -> str:
    """How many files a commit took in by the text below its row, the first new ones and those that went; else empty.

    Git names the others nowhere. A path in quotes is written in numbers.
    """
    rows = re.match(FILES_OF_COMMIT, below)
    if not rows:
        return ""
    words = [rows[1], "file" if rows[1] == "1" else "files"]
    kinds = {"new": re.findall(NEW_FILE, rows[2]), "no more in git": re.findall(DELETED_FILE, rows[2])}
    named = [f"{kind}: {first_ends(paths)}" for kind, paths in kinds.items() if paths and are_rows_whole]
    return ", ".join([" ".join(words), *named[:1]]) + "".join(f"; {more}" for more in named[1:])


def first_ends(paths: Sequence[str]) -> str:
    """The first paths, each by its end."""
    shown = ", ".join(last_parts(path, WITH_FOLDER) for path in paths[:FILES_OF_COMMIT_MAX])
    return f"{shown} and more" if len(paths) > FILES_OF_COMMIT_MAX else shown


def private_files(text: str) -> list[str]:
    """The new files of a commit that are private by their names, keys first."""
    paths = re.findall(PRIVATE_FILE, text) if "create mode" in text else []
    by_worth = sorted(paths, key=lambda path: not is_key_file(path))
    return by_worth[:PRIVATE_NAMED_MAX]


def is_key_file(path: str) -> bool:
    """Whether a file holds keys, by its name."""
    return re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is not None


def stashes_said(text: str) -> GitSaid:
    """The stashes that were made: also where a command behind them failed, whose cause is all that is kept else."""
    fields: Outcome = {}
    if "index state" in text and (stashed := re.findall(GIT_STASHED, text)):
        fields["stashed"] = stashed
    if holds_any(text, STASH_KEPT):
        fields["is_stash_kept"] = True
    return {"fields": fields, "cause": "", "words": []}


def push_said(text: str) -> GitSaid:
    """Where to commits were pushed, which ones, and what a hook printed then."""
    rows = [*re.finditer(GIT_PUSHED, text)] if "-> " in text else []
    remote = re.search(GIT_REMOTE, text) if rows else None
    if not rows or not remote:
        return {"fields": {}, "cause": "", "words": []}
    refs = [*dict.fromkeys(row[1] for row in rows)]
    commits = re.search(COMMIT_RANGE, rows[0][0]) if len(refs) == 1 else None
    fields: Outcome = {"pushed": {"to": re.sub(USER_IN_ADDRESS, "//", remote[1]), "refs": refs[:REFS_KEPT_MAX],
                                  "commits": commits[0] if commits else ""}}
    remark = re.search(HOOK_REMARK, text)
    if remark:
        fields["remark"] = remark[1]
    words = [f"pushed to {refs_in_words(refs)}", fields.get("remark", "")]
    return {"fields": fields, "cause": "", "words": words}


def refs_in_words(refs: Sequence[str]) -> str:
    """The branches and tags of a push by their names; of many their number, and the first.

    Of six branches that `--all` had pushed one had stood there, as if it had been the only one.
    """
    if len(refs) <= REFS_NAMED_MAX:
        return ", ".join(refs)
    return f"{len(refs)} branches or tags: {', '.join(refs[:REFS_NAMED_MAX])}, …"


def stop_said(run: EndedCommand, text: str) -> GitSaid | None:
    """What stopped and waits for its end, a merge or rebase, with the files in conflict; None: nothing did.

    Of a stash too, whose conflict git tells as it does a merge's: by the command.
    """
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if not conflicts and not waiting:
        return None
    stash = re.search(TAKES_STASH, run.command)
    is_of_stash = stash and (STASH_KEPT[0] in text or not re.search(CALL_MAKING_COMMITS, run.command))
    begun = waiting[1] if waiting else stash[1] if stash and is_of_stash else "merge"
    files = [re.split(CONFLICT_DETAIL, path, maxsplit=1)[0] for path in dict.fromkeys(conflicts)]
    cause = f"{begun} stopped"
    if files:
        cause += f": conflict in {', '.join(files[:CONFLICTS_NAMED_MAX])}"
    return {"fields": {"conflicts": files, "begun": begun}, "cause": cause, "words": [cause]}


def end_said(run: EndedCommand, text: str) -> GitSaid:
    """What came to its end, or that there was nothing to do."""
    words = re.findall(GIT_NOTHING, text) if holds_any(text, GIT_NOTHING_WORDS) else []
    cause = words[0] if words and words[0].startswith(("nothing", "no changes")) else ""
    nothing_to = [verb for row, verb in NOTHING_TO.items() if row in words]
    nothing_to += ["stash"] if NOTHING_STASHED in text else []
    fields: Outcome = {"nothing_to": nothing_to} if nothing_to else {}
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        fields["finished"] = ended[1]
        words.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        fields["finished"] = "rebase"
    return {"fields": fields, "cause": cause, "words": words}


def failure_said(run: EndedCommand, text: str) -> GitSaid:
    """Why git refused or failed."""
    may_have_failed = holds_any(text, GIT_FAILURE_WORDS)
    failure = re.search(GIT_FAILURE, text) if may_have_failed and not is_made_good(run) else None
    cause = str(failure[1] or failure[2]) if failure else ""
    rules = [words for words in re.findall(GIT_SAID_BY_REMOTE, text) if not re.match(RULE_FOUND, words)]
    if "remote rejected]" in cause and rules:
        cause += f": {' '.join(rules[:REMOTE_WORDS_MAX])}"
    return {"fields": {}, "cause": cause, "words": [cause] if cause else []}


def is_made_good(run: EndedCommand) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))
