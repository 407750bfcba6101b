"""The items with all that a line on them needs: what other items, the newest outputs and the folders say of each."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence, Set

from compact_keeper.client.tools import SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.common_rows import without_common_rows
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import middle_out
from compact_keeper.recap.wording.tagged import with_tags
from compact_keeper.record.commands.programs import FILTERS
from compact_keeper.record.commands.shell import ending_program
from compact_keeper.record.items import NEWEST_CALLS, name_of_output
from compact_keeper.record.outcomes.check_ends import ends_in_background
from compact_keeper.record.outputs.telling_rows import ROW_END, ends_under_heads, has_all_rows
from compact_keeper.text.fields import text_of
from compact_keeper.types import Item, Snapshot

OUTPUT_SHARE = 0.06  # of the budget: what one of the newest calls showed


def completed_items(snapshot: Snapshot, paths: Paths) -> list[Item]:
    """The snapshot's items, completed; with the tag of their step where somebody can ask for it.

    They are seen from the present folder already: see `seen_from_folder`.
    """
    most = int(OUTPUT_SHARE * snapshot["settings"]["budget"])
    items = with_lost_results(with_ends_of_jobs(without_common_rows(snapshot["items"])))
    items = with_outputs(items, snapshot.get("outputs", {}), snapshot.get("files", {}), most)
    if text_of(snapshot, "how_to_open"):
        items = with_tags(items)
    files = files_known(snapshot)
    return [with_short_paths(item, paths, files) for item in items]


def files_known(snapshot: Snapshot) -> set[str]:
    """The whole paths of files that the session's tools or git name."""
    now = snapshot.get("present", {}).get("repository", {})
    changed = [path for path, _ in (*now.get("staged", []), *now.get("modified", []))]
    changed += [*now.get("untracked", []), *now.get("conflicts", [])]
    of_git = {posixpath.normpath(f"{now.get('folder', '')}/{path}") for path in changed}
    return of_git | {item["path"] for item in snapshot["items"] if item.get("path")}


def with_short_paths(item: Item, paths: Paths, files: Set[str]) -> Item:
    """The item with the paths in what it was refused and in what it printed as lines show them.

    `files`: the whole paths of those that are known.
    """
    short: Item = {**item}
    if item.get("refused"):
        short["refused"] = paths.short(item["refused"])
    if item.get("rows"):
        short["rows"] = [paths.from_top(paths.short(row), files) for row in item["rows"]]
    if item.get("private"):
        short["private"] = [paths.from_top(path, files) for path in item["private"]]
    for name in ("result", "output", "printed"):
        if text_of(item, name):
            short[name] = paths.from_top(item[name], files)
    return short


def with_ends_of_jobs(items: Sequence[Item]) -> list[Item]:
    """The items; a command that went into the background and ended there is one that ended, with its job's words.

    The job itself is left out where its command tells how it ended.
    """
    jobs: dict[str, Item] = {item["source"]: {**item, "result": with_owner_of_exit_code(item)}
                             for item in items if is_job_over(item)}
    commands = [item for item in items if item["source"] in jobs and tells_end(item, jobs[item["source"]])]
    said_by_command = {command["source"] for command in commands}
    completed: list[Item] = []
    for item in items:
        job = jobs.get(item["source"])
        if job is None:
            completed.append(item)
        elif not is_job_over(item):
            completed.append(with_end_of_job(item, job))
        elif item["source"] not in said_by_command:
            completed.append(job)
    return completed


def with_lost_results(items: Sequence[Item]) -> list[Item]:
    """The items; a call without a result behind which the agent said something, or the person typed, waits for none.

    A command of six hours before had stood with "no result yet". A subagent may work on beside the talk.
    """
    talked = max((item["position"] for item in items
                  if item["kind"] == "said" or item.get("via") in ("prompt", "interrupt")), default=0)
    completed: list[Item] = []
    for item in items:
        is_lost = is_running(item) and item["position"] < talked and not item.get("by_agent")
        completed.append({**item, "has_lost_result": True} if is_lost and item["tool"] not in SUBAGENT_TOOLS else item)
    return completed


def with_end_of_job(item: Item, job: Item) -> Item:
    """The item; where it is the call that put the job into the background, with how that ended."""
    if not is_running(item):
        return item
    if item.get("tool") in SUBAGENT_TOOLS:
        return {**item, "verdict": "ended", "result": job["result"], "last": job["last"]}
    return {**item, "verdict": "ended", "result": f"in the background: {job['result']}", "is_in_background": True,
            "ends": ends_in_background(item["text"], job.get("exit_code"))}


def is_running(item: Item) -> bool:
    """Whether it is an action or a look that had no result when it was read."""
    return item["kind"] in ("action", "look") and text_of(item, "verdict") == "running"


def tells_end(item: Item, job: Item) -> bool:
    """Whether the item is the call that the job is, so that its line tells how that ended.

    It had no result when it was read, or it is the command itself, with its end by the output that was read.
    """
    is_command = item["kind"] == "action" and item["tool"] in SHELL_TOOLS
    return is_running(item) or (is_command and not job.get("by"))


def is_job_over(item: Item) -> bool:
    """Whether it is a job of which the client said how it ended."""
    return item["kind"] == "job" and item["status"] == "ended"


def with_owner_of_exit_code(job: Item) -> str:
    """What the client said of the job's end; behind an exit code of 0 whose it is, where the output went on to it.

    `npx hardhat test | head -100` with two failing tests had "exit 0" there.
    """
    result = job.get("result", "")
    last = ending_program(job["text"]) if "|" in job["text"] else ""
    if last not in FILTERS:
        return result
    return re.sub(r"(exit (?:code )?0)\b", rf"\1 of `{last}`", result)


def with_outputs(items: Sequence[Item], outputs: Mapping[str, str], files: Mapping[str, str],
                 most: int) -> list[Item]:
    """The items with what their calls showed: those of the newest at most so many UTF-16 units each, as `output`.

    What was kept whole, of `files` that were read, too, stands as `printed`: for where room is left.
    """
    newest = [*outputs][-NEWEST_CALLS:]
    completed: list[Item] = []
    for item in items:
        name = name_of_output(item)
        is_kept = item["kind"] in ("action", "look") and name in outputs
        copy: Item = {**item}
        if is_kept and name in newest:
            copy["output"] = output_within(outputs[name], most)
        if is_kept and has_all_rows(outputs[name]):
            copy["printed"] = outputs[name]
        if item["kind"] == "look" and name in files:
            copy["printed"] = files[name]
        completed.append(copy)
    return completed


def output_within(output: str, most: int) -> str:
    """The rows of an output within so many UTF-16 units: of each part its end under its head, else both ends."""
    return ends_under_heads(output.split(ROW_END), most) or middle_out(output, most)
