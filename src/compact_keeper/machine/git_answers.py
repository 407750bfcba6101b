"""What git's answers mean: changes, conflicts, commits and how far the branch is from its upstream."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping

from compact_keeper.text.quotation import quote
from compact_keeper.types import GitNow

ANSWER_MAX_BYTES, FILTERS_MAX_BYTES = 64 << 10, 1 << 20  # of what git prints for one question
COMMITS_MAX, PATHS_MAX = 20, 60  # in a list
OTHER_BRANCHES = "elsewhere"  # the question for commits of other branches: without its answer nothing is said of them
CHANGED_PATH_MAX_UTF16, SUBJECT_MAX_UTF16 = 240, 160
STAGED_HOW = {"A": "new", "D": "deleted"}
IN_CONFLICT = "U"
NO_FILTER = (b"unspecified", b"unset")


def what_answers_tell(answers: Mapping[str, bytes | None], inner: str, branches: Mapping[str, str]) -> GitNow:
    """What the answers tell, by the name of their question; of those that are missing nothing.

    `inner`: the folder from which paths are seen, as seen from the top one; empty: that itself. `branches`: the names
    of the other branches that git was asked for, by their commits.
    """
    now: GitNow = {"totals": {}}
    known = {name: answer for name, answer in answers.items() if answer is not None}
    parts = entries(known.get("staged", b""))
    staged = dict(zip(parts[1::2], map(bytes.decode, parts[::2])))  # git's letter for each path
    conflicts = {path for path, how in staged.items() if how == IN_CONFLICT}
    if "staged" in known:
        add_staged(now, staged, conflicts, inner)
    if "modified" in known and ("filters" in known or not known["modified"]):
        add_modified(now, known["modified"], conflicts, unjudged(answers), inner)
    if "untracked" in known:
        untracked = entries(known["untracked"])
        now["untracked"] = names(untracked, inner)
        now["totals"]["untracked"] = len(untracked)
    if "commits" in known:
        add_commits(now, known["commits"])
    if OTHER_BRANCHES in known:
        rows = [line.decode("utf-8", "replace").split("\t", 2) for line in entries(known[OTHER_BRANCHES])]
        now["elsewhere"] = [(branches[row[1]], row[0], quote(row[2], SUBJECT_MAX_UTF16)) for row in rows[:COMMITS_MAX]
                            if len(row) > 2 and row[1] in branches]
    counts = re.match(rb"(\d{1,9})\t(\d{1,9})\s", known.get("counts", b""))
    if counts:
        now["ahead"], now["behind"] = int(counts[1]), int(counts[2])
    return now


def add_staged(now: GitNow, staged: Mapping[bytes, str], conflicts: set[bytes], inner: str) -> None:
    """Adds what is staged, and what is in conflict."""
    paths = [path for path in staged if path not in conflicts][:PATHS_MAX]
    now["conflicts"] = names(conflicts, inner)
    now["staged"] = [(shown(path, inner), STAGED_HOW.get(staged[path], "")) for path in paths]
    now["totals"].update(conflicts=len(conflicts), staged=len(staged) - len(conflicts))


def add_modified(now: GitNow, answer: bytes, conflicts: set[bytes], unknown: set[bytes], inner: str) -> None:
    """Adds the files that are otherwise than the index has them, without those of which git cannot say it."""
    deleted = {entry[2:] for entry in entries(answer) if entry.startswith(b"R")}
    left_out = conflicts | (unknown - deleted)
    modified = [path for path in paths_of(answer) if path not in left_out]
    now["modified"] = [(shown(path, inner), "deleted" if path in deleted else "") for path in modified[:PATHS_MAX]]
    now["totals"]["modified"] = len(modified)


def add_commits(now: GitNow, answer: bytes) -> None:
    """Adds the commits, each its hash and subject."""
    lines = [line.decode("utf-8", "replace").partition("\t") for line in entries(answer)]
    now["commits"] = [(commit, quote(subject, SUBJECT_MAX_UTF16)) for commit, _, subject in lines[:COMMITS_MAX]
                      if re.fullmatch("[0-9a-f]{4,64}", commit)]
    now["totals"]["commits"] = len(lines)


def is_whole(answers: Mapping[str, bytes | None]) -> bool:
    """Whether each answer that must not be missing came in time and was not cut."""
    return all(answer is not None and len(answer) < (FILTERS_MAX_BYTES if name == "filters" else ANSWER_MAX_BYTES)
               for name, answer in answers.items() if name != OTHER_BRANCHES)


def unjudged(answers: Mapping[str, bytes | None]) -> set[bytes]:
    """The paths of which git cannot say whether they are modified: a filter that it does not run makes their content.

    So it is with files of git-lfs and git-crypt; those that look untouched git does not open.
    """
    triples = entries(answers.get("filters") or b"")
    return {path for path, value in zip(triples[::3], triples[2::3]) if value not in NO_FILTER}


def entries(answer: bytes) -> list[bytes]:
    """The parts of an answer, each of which ends with a NUL byte; a last one that was cut is left out."""
    return answer.split(b"\0")[:-1]


def paths_of(modified: bytes) -> list[bytes]:
    """The paths in the answer on what is modified, each once."""
    return list(dict.fromkeys(entry[2:] for entry in entries(modified)))


def names(paths: Iterable[bytes], inner: str) -> list[str]:
    """The first of the paths, in order, as they can be told."""
    return [shown(path, inner) for path in sorted(paths)[:PATHS_MAX]]


def shown(path: bytes, inner: str) -> str:
    """The path as seen from the folder `inner` of the top one, on one line, clean and redacted.

    A file had two names: git's `packages/api/src/a.ts`, and `src/a.ts`, as it was edited from a folder below.
    """
    name = path.decode("utf-8", "replace")
    if inner:
        name = posixpath.relpath(f"/{name}", f"/{inner}") + "/" * name.endswith("/")
    return quote(name, CHANGED_PATH_MAX_UTF16)
