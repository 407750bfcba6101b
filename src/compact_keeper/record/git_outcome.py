"""What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end."""

from __future__ import annotations

import re

from compact_keeper.record.ended_command import EndedCommand
from compact_keeper.record.outcome_lines import CAUSE_MAX_UTF16, cut_words, joined_line, last_said
from compact_keeper.record.output_row_lookup import shortened
from compact_keeper.types import Outcome

COMMITS_NAMED_MAX = 3  # of one output
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json")
CLIENT_FILE = r"\.claude/(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+"
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
PRIVATE_NAMED_MAX = 20


def git_outcome(run: EndedCommand) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    outcome: Outcome = {}
    if "git" not in run.command:
        return outcome
    text, parts = "\n".join(map(shortened, run.lines)), list[str]()
    if "] " in text and (commits := re.findall(GIT_COMMIT, text)):
        branch, name, subject = commits[-1]  # which HEAD names now
        outcome.update({"branch": branch, "commit": name, "subject": subject.strip()})
        if "create mode" in text and (private := re.findall(PRIVATE_FILE, text)):
            private.sort(key=lambda path: re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is None)  # keys first
            outcome["private"] = private[:PRIVATE_NAMED_MAX]
        parts += [f"[{place} {short}] {words}" for place, short, words in commits[-COMMITS_NAMED_MAX:]]
    if "-> " in text and (match := re.search(GIT_PUSHED, text)) and (remote := re.search(r"(?m)^To (\S{1,400})", text)):
        commits_pushed = re.search(r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}", match[0])
        outcome["pushed"] = f"{re.sub(r'//[^/@]{1,300}@', '//', remote[1])} {match[1]}" + (
            f" {commits_pushed[0]}" if commits_pushed else "")
        parts += [f"pushed to {match[1]}", *re.findall(HOOK_REMARK, text)[:1]]
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if conflicts or waiting:
        outcome["conflicts"] = [re.split(r" (?:deleted|renamed|added|left) ", path, maxsplit=1)[0]
                                for path in dict.fromkeys(conflicts)]
        outcome["begun"] = waiting[1] if waiting else "merge"
        files = f": conflict in {', '.join(outcome['conflicts'][:5])}" if conflicts else ""
        outcome["cause"] = f"{outcome['begun']} stopped{files}"
        parts.append(outcome["cause"])
    else:
        parts += git_ended(run, outcome, text)
    may_have_failed = any(map(text.__contains__, ("fatal: ", "error: ", "rejected]", "hint: ")))
    if may_have_failed and not is_made_good(run) and (match := re.search(GIT_FAILURE, text)):
        outcome.setdefault("cause", match[1] or match[2])
        parts.append(match[1] or match[2])
    if "cause" in outcome:
        outcome["cause"] = cut_words(outcome["cause"], CAUSE_MAX_UTF16)
    return {**outcome, "line": joined_line(parts)} if parts else outcome


def git_ended(run: EndedCommand, outcome: Outcome, text: str) -> list[str]:
    """What came to its end, or that there was nothing to do."""
    parts = re.findall(GIT_NOTHING, text) if any(map(text.__contains__, GIT_NOTHING_WORDS)) else []
    if parts and parts[0].startswith(("nothing", "no changes")):
        outcome["cause"] = parts[0]
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        outcome["finished"] = ended[1]
        parts.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        outcome["finished"] = "rebase"
    return parts


def is_made_good(run: EndedCommand) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))
