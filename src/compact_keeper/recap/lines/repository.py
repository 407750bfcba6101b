"""The repository as it is now, in a few lines for the model: branch, commits of the session, what is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compact_keeper.recap.wording.phrases import shared_beginning, shared_line
from compact_keeper.record.git.added_files import files_named
from compact_keeper.record.git.parsed_calls import same_commit
from compact_keeper.text.fields import text_of
from compact_keeper.text.kind_words import STATE_OF_GIT
from compact_keeper.text.listing import and_more
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.types import CommitElsewhere, GitEvent, GitNow, Line

PATHS_SHOWN = 12  # of each list
ELSEWHERE_SHOWN = 6  # commits
BRANCH_SHOWN_UTF16 = 120
LABELS = {"conflicts": "In conflict", "staged": "Staged", "modified": "Modified, not staged", "untracked": "Untracked"}


def repository_lines(now: GitNow, then: Mapping[str, str], elsewhere: Sequence[CommitElsewhere],
                     events: Sequence[GitEvent]) -> list[Line]:
    """The lines on the repository; none where there is no repository.

    `then` is the snapshot's state: its branch is named where it was another. `elsewhere` are the session's commits that
    only other branches have: "no commit" and a clean tree had read as if its work were lost. `events` are what its
    commands did: of a commit they may know the files.
    """
    if not now:
        return []
    head = shared_line(head_line(now, then), [now["head"]] if now.get("head") else [])
    lines: list[Line] = [{**head, "what": STATE_OF_GIT} if now.get("branch") else head]
    if now["in_progress"]:
        lines.append(shared_line(f"- Begun and not ended: {as_code(now['in_progress'])}"))
    if "commits" in now:
        line = shared_line(commits_line(now), (name for name, _ in now["commits"]))
        lines.append({**line, "whole": commits_line(now, events)})
    if elsewhere:
        lines.append(shared_line(elsewhere_line(elsewhere), (name for _, name, _ in elsewhere)))
    lists = {"conflicts": [(path, "") for path in now.get("conflicts", [])], "staged": now.get("staged", []),
             "modified": now.get("modified", []), "untracked": [(path, "") for path in now.get("untracked", [])]}
    lines += [shared_line(paths_line(paths, now, name)) for name, paths in lists.items() if paths]
    if not now["is_complete"]:
        why = "be asked everything in time" if now.get("is_late") else "tell everything"
        lines.append(shared_line(f"- Git could not {why}: what is not named here is not known"))
    elif not any(lists.values()):
        lines.append(shared_line("- Working tree clean"))
    if now["stashes"]:
        lines.append(shared_line(f"- Stashed: {now['stashes']}"))
    return lines


def head_line(now: GitNow, then: Mapping[str, str]) -> str:
    """Branch, commit, and how far the branch is from its upstream."""
    no_commit = "no commit yet" if now.get("is_without_commit") else "its commit not known"
    commit = f"HEAD {as_code(now['head'])}" if now.get("head") else no_commit
    if "branch" not in now:
        return f"- Repository {as_code(now['root'])}: branch and commit not known"
    if not now["branch"]:
        return f"- HEAD detached at {as_code(now['head'])}{what_was_before(now, then)}"
    return f"- Branch {as_code(now['branch'])}{what_was_before(now, then)}, {commit}, {distance(now)}"


def what_was_before(now: GitNow, then: Mapping[str, str]) -> str:
    """The branch when the snapshot was saved, where it was another."""
    branch = quote(text_of(then, "branch") or text_of(then, "gitBranch"), BRANCH_SHOWN_UTF16)
    return f" (when saved {as_code(branch)})" if branch not in ("", "HEAD", now["branch"]) else ""


def distance(now: GitNow) -> str:
    """How many commits lie between the branch and its upstream, as last fetched."""
    if not now.get("upstream"):
        return "no upstream"
    upstream = f"upstream {as_code(now['upstream'])}"
    if "ahead" not in now:
        return f"{upstream} (distance not known)"
    parts = [f"{count} {word}" for count, word in ((now["ahead"], "ahead"), (now["behind"], "behind")) if count]
    return f"{' and '.join(parts)} of {upstream}" if parts else f"level with {upstream}"


def commits_line(now: GitNow, events: Sequence[GitEvent] = ()) -> str:
    """The commits of HEAD since the session began, with the files that the events know of them."""
    if not now["commits"]:
        return f"- No commit {'on this branch' if now.get('branch') else 'of HEAD'} since the session began"
    more = ", and more" if now["totals"]["commits"] > len(now["commits"]) else ""
    commits = "; ".join(f"{as_code(commit)} {in_quotes(subject)}{files_of(commit, events)}"
                        for commit, subject in now["commits"])
    return f"- Commits since the session began: {commits}{more}"


def files_of(commit: str, events: Sequence[GitEvent]) -> str:
    """What one of the events says of the commit's files, in brackets; empty where none names any."""
    known = (files_named(event) for event in events if files_named(event) and same_commit(event["hash"], commit))
    files = next(known, "")
    return f" ({files})" if files else ""


def elsewhere_line(commits: Sequence[CommitElsewhere]) -> str:
    """The session's commits that only other branches have, by branch, the newest first."""
    by_branch: dict[str, list[str]] = {}
    for branch, name, subject in commits[:ELSEWHERE_SHOWN]:
        by_branch.setdefault(branch, []).append(f"{as_code(name)} {in_quotes(subject)}")
    rows = "; ".join(f"on {as_code(branch)} {', '.join(shown)}" for branch, shown in by_branch.items())
    return f"- Commits of this session that HEAD has not: {rows}{and_more(len(commits) - ELSEWHERE_SHOWN)}"


def paths_line(paths: Sequence[tuple[str, str]], now: GitNow, name: str) -> str:
    """The first paths of the list of this name, below the folder that they share."""
    first = paths[:PATHS_SHOWN]
    shared = shared_folder([path for path, _ in first]) if len(first) > 1 else ""
    where = f" in {as_code(shared)}" if shared else ""
    shown = ", ".join(as_code(path[len(shared):]) + (f" ({how})" if how else "") for path, how in first)
    more = and_more(now["totals"][name] - len(first), "" if now["is_complete"] else "at least ")
    return f"- {LABELS[name]}{where}: {shown}{more}"


def shared_folder(paths: Sequence[str]) -> str:
    """The folder with its slash that all the paths begin with, letter by letter; empty when they share none.

    Nor where that is one above: `../api/a.py` is not `api/a.py` in `../`.
    """
    bare = [path.rstrip("/") for path in paths]
    least, most = min(bare), max(bare)  # what these two share all share
    shared = least[:least.rfind("/", 0, shared_beginning(least, most)) + 1]
    return shared if shared.strip("./") else ""
