"""The section on working folder and repository: what is there now, and what this session's commands did to it.

What git said last, what the commands leave to guess of the state, and the branch that the client noted last, stand only
where git cannot be asked now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.lines.edits import gone_edits
from compact_keeper.recap.lines.git import git_lines
from compact_keeper.recap.lines.repository import BRANCH_SHOWN_UTF16, repository_lines
from compact_keeper.recap.lines.thread import Ago
from compact_keeper.recap.wording.phrases import Paths, code, folded_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.quotation import quote
from compact_keeper.types import GitEvent, Item, Snapshot

STATUS_SHOWN_UTF16, OVERTAKING_SHOWN_UTF16 = 500, 60
CHANGES_STATUS = (r"\bgit\b[^|;&]* (?:add|am|checkout|cherry-pick|clean|commit|merge|mv|pull|push|rebase|reset|restore"
                  r"|revert|rm|stash|switch)\b")
PLAIN_STATUS = r"git status(?: [\w-]+| 2>&1)*(?:$| &&)"  # and nothing behind a pipe
STATUS_ROW_END = r"\s*\|(?=\s|$)"  # rows of a result stand on one line
STATUS_HINT = r"\(use \"git |\(commit or discard|no(?:thing| changes) added to commit"
MORE_ROWS = "…"


def working_folder_lines(snapshot: Snapshot, ledger: Sequence[GitEvent], paths: Paths, ago: Ago) -> list[str]:
    """All lines of the section, of a snapshot with completed items; `ledger` is what its commands did in git."""
    state, items = snapshot["state"], snapshot["items"]
    actions = [item for item in items if item["kind"] == "action"]
    now_in_git = snapshot.get("present", {}).get("repository", {})
    folder = "" if text_of(snapshot, "agent") else text_of(state, "cwd")  # a subagent may work in another
    branch = text_of(state, "gitBranch") if folder and not now_in_git else ""
    on_branch = f", on branch {quote(branch, BRANCH_SHOWN_UTF16)}" if branch not in ("", "HEAD") else ""
    lines = [f"- working folder {folder}{on_branch}"] if folder else []
    lines += [f"- {line}" for line in repository_lines(now_in_git, state)]
    lines += git_lines(items, ago, text_of(state, "root"), bool(now_in_git), ledger)
    if not now_in_git:
        lines += last_status(items, ago)
    lines += gone_edits(actions, paths, ago)
    return [paths.from_root(line) for line in lines]


def last_status(items: Sequence[Item], ago: Ago) -> list[str]:
    """What `git status` said last, and which command of git's overtook that; nothing behind a commit, which took it in.

    At most one line.
    """
    looks = [item for item in items if item["kind"] == "look" and item["text"].startswith("git status")]
    if not looks or not looks[-1]["result"]:
        return []
    status = looks[-1]
    later = [item for item in items if item["position"] > status["position"]]
    if any(item.get("commit") for item in later):
        return []
    is_plain = re.match(PLAIN_STATUS, status["text"])
    command = "`git status`" if is_plain else code(folded_line(status["text"]), OVERTAKING_SHOWN_UTF16)
    changing = [item["text"] for item in later if item["kind"] == "action" and re.search(CHANGES_STATUS, item["text"])]
    since = f" (before {code(folded_line(changing[0]), OVERTAKING_SHOWN_UTF16)})" if changing else ""
    return [f"- {command} showed {ago(status['last'])}{since}: {status_in_short(status['result'])}"]


def status_in_short(result: str) -> str:
    """The rows of `git status` without its hints, as many whole ones as have room."""
    rows = [" ".join(row.split()) for row in re.split(STATUS_ROW_END, result)]
    rows = [row for row in rows if row and not re.match(STATUS_HINT, row)]
    if len(rows) > 1 and rows[-1].endswith("…"):
        rows[-1] = MORE_ROWS  # half a path is none
    while len(rows) > 1 and units(" | ".join(rows)) > STATUS_SHOWN_UTF16:
        whole_rows = rows[:-1] if rows[-1] == MORE_ROWS else rows
        rows = [*whole_rows[:-1], MORE_ROWS]
    return cut(" | ".join(rows), STATUS_SHOWN_UTF16)
