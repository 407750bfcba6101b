"""The rows of an output without what says nothing of the work: a listing's columns, hints, frames, a diff's context.

In 48 real texts one step in nine showed the rights and owners of files, where the room was for their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.outputs.diff_rows import changed_rows, has_diff
from compact_keeper.text.holding import holds_any
from compact_keeper.text.powershell import is_powershell_error, without_frames

LONG_LISTING = (  # a row of `ls -l`: rights, links, owner, group, size, time, name
    r"(?P<kind>[-bcdlps])[-rwxsStT]{9}[@+.]? +\d+ +\S+ +(?:\S+ +)?(?P<size>[\d.,]+[KMGT]?) +"
    r"(?:[A-Z]\w{2} +\d{1,2}|\d{1,2} +[A-Z]\w{2}|\d{4}-\d\d-\d\d) +[\d:.]{4,18}(?: [+-]\d{4})? (?P<name>.+)$")
PROCESS = (  # a row of `ps aux`: user, number, shares, sizes, terminal, state, begin, time, command
    r"\S+ +(?P<number>\d+) +[\d.]+ +[\d.]+ +\d+ +\d+ +\S+ +\S+ +\S+ +\d+:[\d.:]+ (?P<command>.+)$")
# Of each kind of row one that all have: in most outputs there is none, and their rows are not looked at.
SIGNS_OF_OUTPUTS = (
    "(use", "total ", "remote:", "hint:", "stash entry", "create mode", "be replaced by", "-rw", "drw", "lrw", "srw",
    "-r-", "dr-", "d--", "remote repository.", "──", "━━", "══", " ? ", " ?? ", "pts/", "tty",
    " s0")  # where a process runs
# What most rows have not: no pattern is tried on these.
KINDS_LISTED, SPACES_OF_PROCESS = ("-", "b", "c", "d", "l", "p", "s"), 9
LISTED_FOLDERS = (".", "..")  # the listed one and that above, in each listing
WITHOUT_NEWS = (
    r"\s*\(use \"git .{1,120}\)$|total [\d.,]+[KMG]?$|remote: *$|\s*create mode \d{6} "
    r"|warning: (?:in the working copy of .{1,300}, )?(?:CRLF|LF) will be replaced by (?:CRLF|LF)\b"
    r"|hint:(?: |$)|The stash entry is kept in case you need it again\.$"  # the stashes themselves have their line
    r"|fatal: Could not read from remote repository\.$"  # behind the row that says why
    r"|Please make sure you have the correct access rights$|and the repository exists\.$"
    r"|\s*[─━═╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝]{4,}$")  # a box's frame without a title
MAY_BE_WITHOUT_NEWS = (
    "(use", "total", "remote:", "hint:", "The stash", "create mode", "warning:", "fatal: Could", "Please make",
    "and the", "─", "━", "═", "╭", "╰", "┌", "└", "├", "╔", "╚")
REPOSITORY, BRANCH_MOVED = r"(?:From|To) [\w./:@~-]{1,300}$", r" [ +*!=t-] {1,3}\S.{0,200} -> \S"
CURL_CONNECTED = ("* Connected to ", "* Established connection to ")
CURL_TRIES = r"\* +(?:Host \S+ was resolved\.|IPv[46]: |Trying |connect to .* failed: )"
# "which: no jq in (/usr/local/bin:/usr/bin:…)", which had shown 40 folders of a PATH.
WHICH_MISSED, FOLDERS_LOOKED_IN = "which: no ", r"(?m)(?<=^which: no )(\S{1,100}) in \(.*\)$"
SIGNS_OF_WEB_SEARCH, PAGES_MET_MIN, PAGES_SHOWN_MAX = ('"link": "http', '"snippet": "'), 3, 5
TITLE_OF_PAGE = r"\s*\"title\": \"(.{1,300})\",?\s*$"


def plain_rows(rows: Iterable[str]) -> list[str]:
    """The rows, each as short as what it says allows; those that say nothing of the work are left out.

    Of the pages that a search of the web met the first titles stay: a third of one text was addresses and first words.
    Where nothing would be left they stand as they are: an empty folder was listed.
    """
    rows = [*rows]
    text = "\n".join(rows)
    if has_diff(text):
        rows = changed_rows(rows) or rows
    elif "-> " in text:
        rows = with_repositories(rows)
    if WHICH_MISSED in text:
        rows = [re.sub(FOLDERS_LOOKED_IN, r"\1", row) for row in rows]
    if holds_any(text, CURL_CONNECTED):
        rows = without_tries(rows)
    if is_powershell_error(text):
        rows = without_frames(rows)
    if min(text.count(sign) for sign in SIGNS_OF_WEB_SEARCH) >= PAGES_MET_MIN:
        return [title[1] for row in rows if (title := re.match(TITLE_OF_PAGE, row))][:PAGES_SHOWN_MAX] or rows
    if not holds_any(text, SIGNS_OF_OUTPUTS):
        return rows
    return [plain for row in rows if (plain := plain_row(row)) is not None] or rows


def with_repositories(rows: Sequence[str]) -> list[str]:
    """The rows; the first branch that git fetched or pushed behind the repository of which it is, on one row.

    `main -> origin/main (forced update)` alone had stood there, of a repository that was another than the one meant.
    """
    joined = list[str]()
    for row in rows:
        if joined and re.match(REPOSITORY, joined[-1]) and re.match(BRANCH_MOVED, row):
            joined[-1] = f"{joined[-1]}: {row.strip()}"
        else:
            joined.append(row)
    return joined


def without_tries(rows: Sequence[str]) -> list[str]:
    """The rows without curl's tries of addresses above the one that it reached.

    Of a server that listened on one of two addresses "failed: Connection refused" alone had stood there.
    """
    kept, tries = list[str](), list[str]()
    for row in rows:
        if re.match(CURL_TRIES, row):
            tries.append(row)
            continue
        kept += [row] if row.startswith(CURL_CONNECTED) else [*tries, row]
        tries = []
    return kept + tries


def plain_row(row: str) -> str | None:
    """A row of a listing as the name with its size, of processes as number and command; None: it says nothing."""
    if row.lstrip().startswith(MAY_BE_WITHOUT_NEWS) and re.match(WITHOUT_NEWS, row):
        return None
    may_be_listed = row[:1] in KINDS_LISTED and row[1:2] in ("r", "-")
    listed = re.match(LONG_LISTING, row) if may_be_listed else None
    if listed:
        return None if listed["name"].rstrip("/") in LISTED_FOLDERS else entry_of(listed)
    may_be_process = row.count(" ") > SPACES_OF_PROCESS and ":" in row and "." in row and row[:1].isalnum()
    process = re.match(PROCESS, row) if may_be_process else None
    return f"{process['number']} {process['command']}" if process else row


def entry_of(listed: re.Match[str]) -> str:
    """What a row of a long listing lists: a folder with a slash, a file with its size."""
    if listed["kind"] == "d":
        return f"{listed['name'].rstrip('/')}/"  # `ls -F` has it, as Git's shell on Windows does
    return listed["name"] if listed["kind"] == "l" else f"{listed['name']} ({listed['size']})"
