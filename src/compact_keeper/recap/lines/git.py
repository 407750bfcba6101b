"""What git was seen to do in this session: what waits for its end, pushes, pull requests, commits, what they left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.recap.wording.commands import OTHER_COMMAND_MAX_UTF16, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.record.endings import PRIVATE_NAMED_MAX
from compact_keeper.record.git.added_files import files_named
from compact_keeper.record.git.events import pull_requests_seen
from compact_keeper.record.git.marked_events import may_have_pushed, standing_refusal
from compact_keeper.record.git.stashes import newest_left, stashes_of
from compact_keeper.record.git.state import commits_of_others, missing_in_branch
from compact_keeper.record.git.uncommitted import (
    are_committed_otherwise,
    commit_positions,
    edited_elsewhere,
    has_commit_without_end,
    never_added,
    status_seen,
    uncommitted,
)
from compact_keeper.record.outcomes.git_output import COMMIT_RANGE, REFS_KEPT_MAX
from compact_keeper.record.outputs.telling_rows import rows_in_short
from compact_keeper.text.length import cut, units
from compact_keeper.text.listing import FILES_MAX, and_more, file_names
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import from_root, is_below
from compact_keeper.types import Ago, Discard, GitEvent, Item, Line

SUBJECT_SHOWN_UTF16, OTHER_SUBJECT_MAX_UTF16 = 110, 60
REFUSAL_SHOWN_UTF16, FAILED_BEFORE_UTF16 = 240, 90
COMMITS_SHOWN_MAX, EVENTS_MAX, DISCARDS_MAX, FORCED_MAX = 8, 4, 2, 2
FORCED_RANGE = r" ([0-9a-f]{4,40})\.{3}[0-9a-f]{4,40}$"
TAKES_OUT = r"\bgit (?:rm|filter-branch|filter-repo|reset)\b|filter-repo|\bbfg\b"  # of a commit, or of the history


def git_lines(items: Sequence[Item], ago: Ago, paths: Paths, is_now_known: bool,
              events: Sequence[GitEvent]) -> list[Line]:
    """What git was seen to do: what waits for its end, what was edited since, pushes, then commits, the newest first.

    `events` are the marked ones of the items' actions. Where git itself was asked, it knows better what is committed,
    changed and begun below the root: that is left out.
    """
    actions = [item for item in items if item["kind"] == "action"]
    looks = [item for item in items if item["kind"] == "look"]
    pushes = [event for event in events if event["what"] == "push" and event["certain"]]
    refusal = standing_refusal(actions, events)
    lines_of_forced = forced_push_lines(pushes[1:], ago, paths)
    is_unpushed = any(event["what"] == "commit" for event in events) and not may_have_pushed(actions)
    commits = [event for event in events if event["what"] == "commit"]
    lines: list[Line] = []
    if is_now_known:
        commits = [commit for commit in commits if elsewhere(commit, paths)]
    else:
        lines += [*waiting_lines(events, ago, paths), *left_lines(actions, looks, events, ago, paths)]
    if pushes:
        lines += [push_line(pushes[0], failed_before(pushes, actions), ago, paths), *lines_of_forced]
    if is_unpushed:
        lines.append(shared_line("- no push went through" if refusal else "- no push in this session's commands"))
    if refusal:
        lines.append(refusal_line(refusal, ago, paths))
    return [*lines, *request_lines(events, looks, ago, paths), *private_lines(actions, events),
            *commit_lines(commits, ago, bool(pushes) or is_unpushed, paths), *other_events_line(events, ago, paths)]


def failed_before(pushes: Sequence[GitEvent], actions: Sequence[Item]) -> str:
    """How the newest push had failed before it went through, in short; empty where another went through between."""
    newest = pushes[0]
    earlier = [ending for action in actions if action["position"] == newest["position"]
               for ending in action.get("earlier", [])]
    last = max(earlier, key=lambda ending: ending["position"], default=None)
    if last is None or last["verdict"] != "failed":
        return ""
    if any(last["position"] < push["position"] < newest["position"] for push in pushes):
        return ""
    return rows_in_short(last["result"], FAILED_BEFORE_UTF16)


def push_line(push: GitEvent, failed: str, ago: Ago, paths: Paths) -> Line:
    """The last push, where it went, what a hook of it printed, and how it had `failed` before."""
    text = f"- last push: {short_command(push['text'], paths)} ({ago(push['last'])}){elsewhere(push, paths)}"
    if push["to"]:
        text += f", to {push_target(push['to'], push['refs'])}"
    text += overwritten(push)
    if push.get("remark"):
        text += f"; it printed {in_quotes(push['remark'])}"
    if failed:
        text += f"; failed before: {paths.short(failed)}"
    return shared_line(text, naming(push["text"]))


def forced_push_lines(pushes: Sequence[GitEvent], ago: Ago, paths: Paths) -> Iterator[Line]:
    """Pushes before the last one that were forced, of which git says what they took away."""
    for push in [push for push in pushes if overwritten(push)][:FORCED_MAX]:
        yield shared_line(f"- push before: {short_command(push['text'], paths, OTHER_COMMAND_MAX_UTF16)} "
                          f"({ago(push['last'])}), to {push_target(push['to'], push['refs'])}{overwritten(push)}",
                          naming(push["text"]))


def overwritten(push: GitEvent) -> str:
    """That a push was forced, and which commit it took from the branch there: git parts the two by three dots."""
    commits = re.search(FORCED_RANGE, push["to"])
    return f"; forced, in place of {commits[1]} there" if commits else ""


def push_target(to: str, refs: Sequence[str]) -> str:
    """Where a push went; of a long one the first branches and the commits alone, without the address.

    The range had been cut to its old end, and read as if that had been pushed; twelve of sixty branches as if they were
    all.
    """
    shown = [*refs]
    while len(shown) > 1 and units(", ".join(shown)) > SUBJECT_SHOWN_UTF16:
        shown.pop()
    more = " and more" if len(shown) < len(refs) or len(refs) >= REFS_KEPT_MAX else ""
    if units(to) <= SUBJECT_SHOWN_UTF16:
        return to + more
    commits = re.search(rf" {COMMIT_RANGE}$", to)
    return f"{cut(', '.join(shown), SUBJECT_SHOWN_UTF16)}{more}{commits[0] if commits else ''}"


def refusal_line(refusal: GitEvent, ago: Ago, paths: Paths) -> Line:
    """The last push that was refused and stayed so, with what was said of it.

    A commit that the branch's protection had kept out had stood as one of which no push was seen.
    """
    to = f" to {refusal['branch']}" if refusal["branch"] else ""
    command = short_command(refusal["text"], paths)
    text = (f"- push{to} refused, no later one seen: {command} ({ago(refusal['last'])}){elsewhere(refusal, paths)}: "
            f"{cut(refusal['remark'], REFUSAL_SHOWN_UTF16)}")
    return shared_line(text, naming(refusal["text"]))


def taken_back_lines(files: Mapping[str, Discard], ago: Ago, paths: Paths) -> Iterator[Line]:
    """The newest commands that took edits back, with their files that were not edited since; stashes stand elsewhere.

    What the agent had said of such a file had stood as the file's state.
    """
    by_command: dict[int, list[str]] = {}
    for path, discard in files.items():
        by_command.setdefault(discard["position"], []).append(path)
    discards = {discard["position"]: discard for discard in files.values() if not discard["is_stash"]}
    newest = sorted(discards.values(), key=lambda discard: -discard["position"])[:DISCARDS_MAX]
    for discard in newest:
        command = short_command(discard["command"], paths, OTHER_COMMAND_MAX_UTF16)
        names = file_names(by_command[discard["position"]])
        yield shared_line(f"- taken back by {command} ({ago(discard['last'])}), no edit here since: {names}",
                          naming(discard["command"]))


def request_lines(events: Sequence[GitEvent], looks: Sequence[Item], ago: Ago, paths: Paths) -> Iterator[Line]:
    """The pull requests that were opened, and those that a command showed."""
    for event in events:
        if event["what"] == "pull request":
            warned = f"; it warned: {in_quotes(event['remark'])}" if event.get("remark") else ""
            ended = f", {event['ended']} {ago(event['ended_last'])}" if event.get("ended") else ""
            yield shared_line(f"- pull request opened: {event['text']} ({ago(event['last'])}){ended}{warned}",
                              naming(event["text"]))
    for address, look in pull_requests_seen(looks, events).items():
        command = short_command(look["text"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- pull request that {command} showed ({ago(look['last'])}): {address}",
                          naming(look["text"]))


def other_events_line(events: Sequence[GitEvent], ago: Ago, paths: Paths) -> list[Line]:
    """What else git was seen to do, each call once, on one line; none where there was nothing."""
    done: dict[str, GitEvent] = {}
    for event in events:
        if event["what"] in ("history", "branch", "tag") and not event.get("waits"):
            done.setdefault(event["text"], event)
    shown = [*done.values()][:EVENTS_MAX]
    if not shown:
        return []
    others = [f"{short_command(event['text'], paths, OTHER_COMMAND_MAX_UTF16)} ({ago(event['last'])})"
              f"{elsewhere(event, paths)}" for event in shown]
    order = ", newest first" if len(others) > 1 else ""
    return [shared_line(f"- also{order}: {', '.join(others)}", naming(*(event["text"] for event in shown)))]


def waiting_lines(events: Sequence[GitEvent], ago: Ago, paths: Paths) -> Iterator[Line]:
    """Merges, rebases and the like that were begun and not seen to end, with the files in conflict."""
    for event in events:
        if event.get("waits"):
            conflict = f"; in conflict: {file_names(event['files'])}" if event["files"] else ""
            yield shared_line(f"- waits for its end: {short_command(event['text'], paths)} ({ago(event['last'])})"
                              f"{conflict}", naming(event["text"]))


def left_lines(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent], ago: Ago,
               paths: Paths) -> Iterator[Line]:
    """What the commands left in the repository: a stash, commits elsewhere, commits of others, files in no commit."""
    stash = newest_left(stashes_of([*actions, *looks]))
    if stash:
        command = short_command(stash["command"], paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- stashed by {command} ({ago(stash['last'])}) and not taken back by this session's "
                          f"commands: {cut(stash['message'], SUBJECT_SHOWN_UTF16)}", naming(stash["command"]))
    current = missing_in_branch(actions, looks, events, paths.root)
    if current:
        branches = ", ".join(dict.fromkeys(event["branch"] for event in current["lacking"]))
        shown = [event["hash"] for event in current["lacking"][:COMMITS_SHOWN_MAX]]
        yield shared_line(f"- not in the current branch {current['branch']}: {', '.join(shown)} of {branches}, no push "
                          "of it seen", shown)
    others = commits_of_others([*actions, *looks], events)
    if others:
        commits, look = others["commits"], others["look"]
        named = "; ".join(f"{name} {cut(subject, OTHER_SUBJECT_MAX_UTF16)}" for name, subject in commits[:EVENTS_MAX])
        yield shared_line(f"- in `git log` {ago(look['last'])}, committed by others than this session's own commands: "
                          f"{named}{and_more(len(commits) - EVENTS_MAX)}", naming(look["text"]))
    if not are_committed_otherwise(actions):
        yield from uncommitted_lines(actions, looks, events, paths)


def uncommitted_lines(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent],
                      paths: Paths) -> Iterator[Line]:
    """The edited files that are in no commit, then others that no `git add` named."""
    files = uncommitted(actions, events, paths.root, status_seen(looks))
    if files:
        others = file_names(edited_elsewhere(actions, paths.root))
        outside = f"; edited too, outside of {paths.root}: {others}" if others else ""
        known = [from_root(item["path"], paths.root) for item in (*actions, *looks) if item.get("path")]
        yield shared_line(f"- {edited_when(actions, events, paths)}: {file_names(files, known)}{outside}")
    never = [path for path in never_added(actions, events, paths.root) if path not in files]
    if never:
        yield shared_line(f"- edited and named by no `git add` since: {file_names(never)}")


def edited_when(actions: Sequence[Item], events: Sequence[GitEvent], paths: Paths) -> str:
    """The words for files that are in none of the commits that were made below the root."""
    if has_commit_without_end(actions, events, paths.root):
        return "edited; whether this session's last `git commit` went through is not known"
    if commit_positions(actions, events, paths.root):
        return "edited after the last commit"
    if commit_positions(actions, events):
        return "edited; this session's commands committed in other folders alone"
    return "edited; no commit in this session's commands"


def private_lines(actions: Sequence[Item], events: Sequence[GitEvent]) -> Iterator[Line]:
    """The commits that took in files which are seldom meant to be in one, unless a later command took files out."""
    gone = {event["hash"] for event in events if event["what"] == "commit" and event["replaced"]}
    for item in [action for action in actions if action.get("private") and action["commit"] not in gone]:
        later = [action["text"] for action in actions if action["position"] > item["position"]]
        if any(re.search(TAKES_OUT, text) for text in later):
            continue
        paths, commit = item["private"], item["commit"]
        more = and_more(len(paths) - FILES_MAX, "at least " if len(paths) == PRIVATE_NAMED_MAX else "")
        yield shared_line(f"- commit {commit} took in files that are mostly private: "
                          f"{', '.join(paths[:FILES_MAX])}{more}", [commit])


def elsewhere(event: GitEvent, paths: Paths) -> str:
    """The folder in which the event happened, as ` in folder`, where that is none below the root."""
    folder = event.get("folder", "").rstrip("/")
    return f" in {folder}" if not is_below(folder, paths.root) else ""


def commit_lines(commits: Sequence[GitEvent], ago: Ago, are_pushes_known: bool, paths: Paths) -> Iterator[Line]:
    """A line for each of the newest commits, with its branch where that is another than the line's before; whole with
    its files.

    Where pushes are not known (one stands within a command for another host), of no commit that is said.
    """
    kept = [commit for commit in commits if not commit["replaced"]]
    branch_before = ""
    for commit in kept[:COMMITS_SHOWN_MAX]:
        branch, where = commit["branch"], ""
        if branch not in ("", branch_before) and not branch.startswith("detached"):
            where = f" on {branch}"
        branch_before = branch
        when = ago(commit["last"])
        if commit["pushed"] == "yes":
            when += f", pushed with {commit['pushed_with']}" if commit.get("pushed_with") else ", pushed"
        elif commit["pushed"] == "no" and are_pushes_known:
            when += ", no push seen"
        if commit.get("rebased"):
            when += ", a rebase came later"
        line = shared_line(f"- commit {commit['hash']}{where}{elsewhere(commit, paths)}: "
                           f"{cut(commit['text'], SUBJECT_SHOWN_UTF16)} ({when})", [commit["hash"]])
        files = files_named(commit)
        yield {**line, "whole": f"{line['text']}; {files}"} if files else line
    if len(kept) > COMMITS_SHOWN_MAX:
        yield shared_line(f"- and {len(kept) - COMMITS_SHOWN_MAX} commits before, from {kept[-1]['hash']} on",
                          [kept[-1]["hash"]])
    gone = [commit["hash"] for commit in commits if commit["replaced"]][:COMMITS_SHOWN_MAX]
    if gone:
        yield shared_line(f"- replaced by a later amend or reset: {', '.join(gone)}", gone)
