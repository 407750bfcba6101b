"""What `git status` said last, for when git cannot be asked now."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.recap.wording.commands import change_of_folder
from compact_keeper.recap.wording.phrases import code, folded_line, shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.record.commands.shell import commands_in_folders
from compact_keeper.record.endings import has_ended_well
from compact_keeper.record.git.parsed_calls import git_calls
from compact_keeper.record.git.stashes import stashes_of
from compact_keeper.record.git.state import ON_BRANCH
from compact_keeper.record.git.taken_in import may_take_in_others, words_naming
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.length import cut, units
from compact_keeper.text.paths import is_at_or_below, may_name
from compact_keeper.types import Ago, Item, Line

STATUS_SHOWN_UTF16, OVERTAKING_SHOWN_UTF16 = 500, 60
STATUS_LOOK = r"git status\b"
PLAIN_STATUS = r"git status(?: [\w-]+| 2>&1)*(?:$| &&)"  # and nothing behind a pipe
CHANGES_STATUS = (r"\bgit\b[^|;&]* (?:add|am|checkout|cherry-pick|clean|commit|merge|mv|pull|push|rebase|reset|restore"
                  r"|revert|rm|stash|switch)\b")
LONG_FORM_BEGINS, SHORT_ROW = r"On branch \S|HEAD detached |Not currently on any branch", r"[MADRCUT?!]{1,2} \S"
STATUS_HINT = (  # what git says of itself, in its long form
    r"\(use \"git |\(commit or discard|no(?:thing| changes) added to commit|It took [\d.]+ seconds"
    r"|but the results were cached|See 'git help status'|Your stash currently has")
NOT_IN_INDEX = r"(?:[MDU?m]{1,2}|(?:modified|deleted):) \S"  # a row of a file that may be so
# What lies in a person's home alone: a repository that has that is not the project's, which lies in it.
OF_HOME = r"(?:\.\./)+\.(?:bash_history|zsh_history|ssh|cache|config|local|CFUserTextEncoding|gitconfig)/?(?=\s|$)"
IN_INDEX, UNTRACKED = "Changes to be committed:", "Untracked files:"
OTHER_OUTPUT = "---"
CLEAN = r"nothing to commit, working (?:tree|directory) clean"
BRANCH_ROW = r"On branch \S+$|## \S+$"


def last_status(items: Sequence[Item], ago: Ago, folder: str, branch: str) -> list[Line]:
    """What `git status` showed last, and which command of git's overtook that: at most one line.

    Behind a commit what no command can have put into it; nothing where that is not certain of any file, nor of a
    repository that holds a person's whole home. `folder`: the working folder; a status of another repository is named
    with its own; nor one of another branch than `branch`, the client's last, where that is known.
    """
    shown = sorted(filter(None, map(as_status, items)), key=lambda item: item["position"])
    status = shown[-1] if shown else None
    if not status or not status["result"] or re.search(OF_HOME, status["result"]):
        return []
    rows, left_out = status_rows(status), ""
    shown_branch = re.search(ON_BRANCH, status["result"])
    if branch and shown_branch and shown_branch[1] != branch:
        return []
    if is_changed_since(items, status["position"]):
        rows = [row for row in rows if not re.match(CLEAN, row)]
        rows = [] if all(re.match(BRANCH_ROW, row) for row in rows) else rows  # another line names the branch
    commands = [item for item in items if item["kind"] == "action" and re.search(CHANGES_STATUS, item["text"])]
    commits = [item["position"] for item in items if item.get("commit")]
    if any(position > status["position"] for position in commits):
        before = max((position for position in commits if position < status["position"]), default=-1)
        rows = rows_in_no_commit(rows, [item["text"] for item in commands if item["position"] > before])
        left_out = "; what was committed since is left out"
    if not rows:
        return []
    later = [item["text"] for item in commands if item["position"] > status["position"]]
    since = f" (before {code(folded_line(later[0]), OVERTAKING_SHOWN_UTF16)}{left_out})" if later else ""
    text = f"- {named(status['text'], folder)} showed {ago(status['last'])}{since}: {status_in_short(rows)}"
    return [shared_line(text, naming(status["text"]))]


def as_status(item: Item) -> Item | None:
    """The item as the `git status` that it begins with, or with which it ends, with its rows alone; None: neither.

    `git add … && git status` had shown last what is staged, and the status before that had stood as the last.
    """
    if item["kind"] == "look":
        return item if re.match(STATUS_LOOK, change_of_folder(item["text"])[2]) else None
    if item["kind"] != "action" or "git status" not in item["text"] or not has_ended_well(item):
        return None
    piece, folder = commands_in_folders(item["text"])[-1]
    if not re.match(PLAIN_STATUS, piece):
        return None
    rows = item["result"].split(ROW_END)
    begin = next((index for index, row in enumerate(rows) if re.match(LONG_FORM_BEGINS, row)), None)
    rows = [row for row in rows if re.match(SHORT_ROW, row)] if begin is None else rows[begin:]
    return {**item, "text": f"cd {folder} && {piece}" if folder else piece, "result": ROW_END.join(rows)}


def is_changed_since(items: Sequence[Item], position: int) -> bool:
    """Whether a file was changed after that position in the session, or changes came back out of a stash."""
    is_edited = any(item["position"] > position and item.get("tool") in CHANGING_TOOLS for item in items)
    return is_edited or any(stash["put_back"] > position for stash in stashes_of(items))


def named(command: str, folder: str) -> str:
    """How a `git status` is named: without the change into the folder or one above it, a plain one without options."""
    moved_to, _, rest = change_of_folder(command)
    if moved_to and is_at_or_below(folder, moved_to):
        command = rest
    return "`git status`" if re.match(PLAIN_STATUS, command) else code(folded_line(command), OVERTAKING_SHOWN_UTF16)


def status_rows(status: Item) -> list[str]:
    """The rows of a `git status` without its hints; a mark in the place of those that were not kept.

    What another command of the line printed behind a rule is none of it.
    """
    rows = [" ".join(row.split()) for row in status["result"].split(ROW_END)]
    rows = [row for row in rows if row and not re.match(STATUS_HINT, row)]
    if len(rows) > 1 and rows[-1].endswith(ROWS_BETWEEN):
        rows[-1] = ROWS_BETWEEN  # half a path is none
    if OTHER_OUTPUT in rows:
        return rows[:rows.index(OTHER_OUTPUT)]
    gap = rows.index(ROWS_BETWEEN) if ROWS_BETWEEN in rows else len(rows)
    kept_besides = [row for row in status.get("rows", []) if row not in rows and re.match(SHORT_ROW, row)]
    return [*rows[:gap], *kept_besides, *rows[gap:]]


def rows_in_no_commit(rows: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The rows of files that none of git's commands named; none where one may take in files that it does not name.

    What was in the index already is left out too: the commit took it in.
    """
    if any(may_take_in_others(command, git_calls(command)) for command in commands):
        return []
    words = [word for command in commands for word in words_naming(command)]
    left, head = list[str](), ""
    for row in rows:
        if row.endswith(":"):
            head = row
        file = f"?? {row}" if head == UNTRACKED and row not in (UNTRACKED, ROWS_BETWEEN) else row
        is_left = re.match(NOT_IN_INDEX, file) and head != IN_INDEX
        if is_left and not any(may_name(word, file.split()[-1]) for word in words):
            left.append(file)
    return left


def status_in_short(rows: Sequence[str]) -> str:
    """As many rows of a `git status` as have room."""
    shown = [*rows]
    while len(shown) > 1 and units(ROW_END.join(shown)) > STATUS_SHOWN_UTF16:
        whole_rows = shown[:-1] if shown[-1] == ROWS_BETWEEN else shown
        shown = [*whole_rows[:-1], ROWS_BETWEEN]
    return cut(ROW_END.join(shown), STATUS_SHOWN_UTF16)
