"""The repository as it is now: what stands in .git, and what git says within the time that the caller gives it.

Git runs nothing that a repository names (git_program.py), fetches nothing and writes nothing. Each question is a
process of its own, all at once, so that a slow answer costs only itself.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence

from compact_keeper.client.processes import INPUT_MAX_BYTES, outputs_of
from compact_keeper.machine.git_answers import (
    ANSWER_MAX_BYTES,
    COMMITS_MAX,
    FILTERS_MAX_BYTES,
    OTHER_BRANCHES,
    is_whole,
    paths_of,
    unjudged,
    what_answers_tell,
)
from compact_keeper.machine.git_program import git_environment, git_program
from compact_keeper.machine.git_settings import (
    git_settings_text,
    how_to_compare,
    ignore_files,
    names_no_remote,
    person_settings,
    upstream_of,
)
from compact_keeper.machine.repository import (
    PACKED_REFS_MAX_BYTES,
    branches_since,
    first_line,
    git_folder,
    ref_and_commit,
    repository,
)
from compact_keeper.store.disk import beginning, size_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.times import moment
from compact_keeper.types import GitNow, RepositoryState

FILTER_SECONDS = 0.05  # of the budget, kept for the second look at what is modified
REF_NAME_MAX_UTF16, ROOT_MAX_UTF16 = 120, 400
HASH_DIGITS = 7
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the name of a tree without files; git knows it anywhere
STASHES_MAX_BYTES = 64 << 10  # of the list of stashes, a line each
BEGUN = (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"))


def git_now(folder: str, since: str, budget_seconds: float) -> GitNow:
    """The folder's repository as it is now; empty outside of one.

    `since` is an ISO time: commits made after its second, of which git knows no parts, are listed. What stands in .git
    is told always; git itself is asked within the budget, where there is a git outside of the repository and hashes are
    SHA-1's. On Windows it is not. Paths are as seen from the folder.
    """
    until = time.monotonic() + budget_seconds
    state = repository(folder)
    if not state:
        return {}
    top, git = git_folder(folder)
    common = os.path.join(git, first_line(os.path.join(git, "commondir")))
    settings = git_settings_text(os.path.join(common, "config"))
    now = state_in_folder(state, top, git, common, settings)
    now["since"], now["folder"] = since, quote(folder, ROOT_MAX_UTF16)
    head = EMPTY_TREE if now.get("is_without_commit") else state["head"]
    program = git_program(top) if len(head) == len(EMPTY_TREE) else ""
    environment = git_environment(top, git, common) if program else {}
    others = {} if not moment(since) else {
        commit: quote(branch, REF_NAME_MAX_UTF16) for branch, commit in branches_since(common, moment(since)).items()
        if len(commit) == len(EMPTY_TREE) and branch != state["branch"]}
    answers: dict[str, bytes | None] = {}
    if environment:
        person = person_settings()
        _, ref = upstream_of(state["branch"], settings)
        command = [program, "--no-pager", "-C", top, *how_to_compare(f"{person}\n{settings}")]
        queries = questions(head, ref_and_commit(common, f"ref: {ref}")[1], since, ignore_files(person, common))
        if others and "commits" in queries:
            queries[OTHER_BRANCHES] = [*commits_since(since, "%h%x09%S%x09%s"), *others, f"^{head}"]
        answers = answers_of_git(command, environment, queries, until)
    now.update(what_answers_tell(answers, "" if folder == top else os.path.relpath(folder, top), others))
    if None in answers.values() and time.monotonic() > until - FILTER_SECONDS:
        now["is_late"] = True
    now["is_complete"] = bool(answers) and is_whole(answers) and not unjudged(answers)
    return now


# --- what stands in .git ---


def state_in_folder(state: RepositoryState, top: str, git: str, common: str, settings: str) -> GitNow:
    """What is told of the repository without git: its root, branch and commit, what was begun in it, its stashes."""
    stashes = beginning(os.path.join(common, "logs", "refs", "stash"), STASHES_MAX_BYTES).count(b"\n")
    now: GitNow = {"root": quote(top, ROOT_MAX_UTF16), "in_progress": in_progress(git), "stashes": stashes}
    if state["branch"] or state["head"]:  # else git keeps its refs in a form that is not read
        now["branch"], now["head"] = quote(state["branch"], REF_NAME_MAX_UTF16), state["head"][:HASH_DIGITS]
    if state["branch"]:
        now["upstream"] = quote(upstream_of(state["branch"], settings)[0], REF_NAME_MAX_UTF16)
    if names_no_remote(settings):
        now["is_without_remote"] = True
    if not state["head"] and has_no_commit(state, common):
        now["is_without_commit"] = True
    return now


def has_no_commit(state: RepositoryState, common: str) -> bool:
    """Whether the branch is surely without a commit: nothing stands where its ref would, readable or not."""
    ref = os.path.join(common, "refs", "heads", state["branch"])
    is_packed_read = size_of(os.path.join(common, "packed-refs")) <= PACKED_REFS_MAX_BYTES
    return bool(state["branch"]) and not os.path.lexists(ref) and is_packed_read


def in_progress(git: str) -> str:
    """The merge, rebase or the like that was begun and has not ended: "rebase of topic, step 2 of 5"; else empty."""
    for folder, now, last in (("rebase-merge", "msgnum", "end"), ("rebase-apply", "next", "last")):
        path = os.path.join(git, folder)
        if os.path.isdir(path):
            name = first_line(os.path.join(path, "head-name")).partition("refs/heads/")[2]
            step, steps = (first_line(os.path.join(path, file)) for file in (now, last))
            what = "am" if os.path.lexists(os.path.join(path, "applying")) else "rebase"
            of_branch = f" of {quote(name, REF_NAME_MAX_UTF16)}" if name else ""
            return what + of_branch + (f", step {step} of {steps}" if (step + steps).isdecimal() else "")
    for file, what in BEGUN:
        commit = first_line(os.path.join(git, file))
        if re.fullmatch("[0-9a-f]{40,64}", commit):
            return f"{what} of {commit[:HASH_DIGITS]}"
    begun_on = first_line(os.path.join(git, "BISECT_START"))
    return f"bisect begun on {quote(begun_on, REF_NAME_MAX_UTF16)}" if begun_on else ""


# --- what git says ---


def answers_of_git(command: list[str], environment: Mapping[str, str], queries: Mapping[str, Sequence[str]],
                   until: float) -> dict[str, bytes | None]:
    """What git prints for each question, None where it did not in time.

    `command` are git's path and options. The answer "filters" says which of the modified paths have a filter.
    """
    outputs = outputs_of([[*command, *words] for words in queries.values()], environment, b"",
                         until - FILTER_SECONDS, ANSWER_MAX_BYTES)
    answers = dict(zip(queries, outputs))
    if modified := answers.get("modified"):
        paths = b"".join(path + b"\0" for path in paths_of(modified))
        check = [*command, "check-attr", "-z", "--stdin", "filter"]
        filters = outputs_of([check], environment, paths, until, FILTERS_MAX_BYTES)
        answers["filters"] = filters[0] if len(paths) <= INPUT_MAX_BYTES else None
    return answers


def questions(head: str, upstream: str, since: str, ignored: Sequence[str]) -> dict[str, list[str]]:
    """Git's words for each question, by the name of what they tell. None of these commands writes anything."""
    listed = ["ls-files", "-z"]
    queries = {
        "staged": ["diff-index", "-z", "--cached", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv",
                   "--ignore-submodules=dirty", head],  # of a submodule the commit alone
        "modified": [*listed, "-t", "--modified", "--deleted"],
        "untracked": [*listed, "--others", "--directory", "--no-empty-directory", "--exclude-per-directory=.gitignore",
                      *(f"--exclude-from={path}" for path in ignored)]}
    if moment(since) and head != EMPTY_TREE:
        queries["commits"] = [*commits_since(since, "%h%x09%s"), head]
    if upstream and head != EMPTY_TREE:
        queries["counts"] = ["rev-list", "--left-right", "--count", f"{head}...{upstream}"]
    return queries


def commits_since(since: str, form: str) -> list[str]:
    """Git's words that ask for commits since the session began, in that form; those to begin at stand behind."""
    return ["log", "-z", f"--format={form}", "--no-show-signature", "--no-patch", f"--max-age={moment(since) + 1}",
            f"--max-count={COMMITS_MAX + 1}"]
