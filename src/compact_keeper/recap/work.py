"""What was done, newest first, and how it ended: actions, looks on shared lines, and where the person spoke between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.thread import Ago
from compact_keeper.recap.wording import Paths, code, folded_line, middle_out
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Line, Record

COMMAND_SHOWN_UTF16, COMMIT_SHOWN_UTF16, RESULT_SHOWN_UTF16, CHANGE_SHOWN_UTF16 = 230, 90, 190, 170
GONE_SHOWN_UTF16 = 70
JOB_SHOWN_UTF16, ORDER_SHOWN_UTF16, REPORT_SHOWN_UTF16, ARGUMENTS_SHOWN_UTF16 = 130, 220, 320, 180
LOOKS_ON_A_LINE, LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, LOOK_ALONE_SHOWN_UTF16 = 6, 90, 70, 260
MANY_HITS = r"\d+ hits"
EDITS_ON_A_LINE = 3
MARKER_SHOWN_UTF16 = 60  # of a typed message, which stands between the actions to show when they were done
EARLIER = {"passed": "passed", "failed": "failed", "unknown": "ended, result not seen", "ended": "ran"}


def work_lines(items: Sequence[Record], paths: Paths, ago: Ago, last_runs: Set[int]) -> Iterator[Line]:
    """The lines, newest first; looks that follow each other share one, and so do edits of one file.

    Of a check at one of the positions `last_runs` the verdict is enough: its result stands among the checks.
    """
    newest_message = max((item["position"] for item in items if item["kind"] == "message"), default=0)
    edited = {paths.short(item["path"]) for item in items if item["kind"] == "action" and item.get("edits")}
    row: list[Record] = []  # looks, or edits of one file, that follow each other
    has_lines = False  # since the last marker of a message: one without anything done behind it says nothing
    for item in [item for item in reversed(items) if is_telling(item, edited, newest_message, paths)]:
        if row and not goes_on(row, item):
            yield row_line(row, paths)
            row, has_lines = [], True
        if item["kind"] == "message":
            if has_lines:
                yield marker_line(item, ago)
            has_lines = False
        elif is_in_row(item, edited, paths) and not is_answer_sought(item, newest_message):
            row.append(item)
        else:
            yield lone_line(item, paths, last_runs)
            has_lines = True
    if row:
        yield row_line(row, paths)


def is_telling(item: Record, edited: set[str], newest_message: int, paths: Paths) -> bool:
    """Whether the item stands among what was done; what was made outside of the tree stands in a part of its own."""
    kind = item["kind"]
    if kind == "message":
        return item.get("via") != "teammate"
    if kind == "job":
        return item["status"] == "ended" and bool(item.get("result"))
    if kind == "look":
        return is_answer_sought(item, newest_message) or is_in_row(item, edited, paths)
    if kind == "action" and item["tool"] in CHANGING_TOOLS:
        return is_in_row(item, edited, paths)
    return kind == "action" and not item.get("made")


def marker_line(item: Record, ago: Ago) -> Line:
    """Where a message was typed, between what was done before and after it."""
    words = in_quotes(cut(folded_line(item["text"]), MARKER_SHOWN_UTF16))
    return {"items": [item], "text": f"  [the user typed, {ago(item['last'])}: {words}]"}


def lone_line(item: Record, paths: Paths, last_runs: Set[int]) -> Line:
    """A line for one item: how a job ended, what a command showed that answers a message, an action."""
    if item["kind"] == "job":
        return job_ended_line(item, paths)
    if item["kind"] == "look":
        return {"items": [item], "text": f"- {look_in_short(item, paths, True)}"}
    return action_line(item, paths, item["position"] in last_runs)


def is_answer_sought(item: Record, newest_message: int) -> bool:
    """Whether a look is a command behind the newest message: what it showed may be what was asked for."""
    return bool(item["position"] > newest_message and item["result"] and item["tool"] in SHELL_TOOLS)


def is_in_row(item: Record, edited: set[str], paths: Paths) -> bool:
    """Whether it is a look or an edit that says something: no file read that was edited, no edit that worked later."""
    path = paths.short(str(item.get("path") or ""))
    if item["kind"] == "look" and item["tool"] == "Read":
        return path not in edited or bool(item["result"])
    if item["kind"] == "look":
        return not re.fullmatch(MANY_HITS, item["result"])  # what of them counts stands among the places
    is_edit = item["kind"] == "action" and item["tool"] in CHANGING_TOOLS
    return is_edit and (item["verdict"] != "failed" or path not in edited)


def goes_on(row: Sequence[Record], item: Record) -> bool:
    """Whether the item, older than the row, may stand on its line, or does not end it."""
    if item["kind"] not in ("action", "look", "message", "job"):
        return True
    if row[0]["kind"] == "look":
        return item["kind"] == "look" and len(row) < LOOKS_ON_A_LINE
    return item["kind"] == "action" and item["path"] == row[0]["path"] and len(row) < EDITS_ON_A_LINE


def row_line(row: Sequence[Record], paths: Paths) -> Line:
    """Looks, or edits of one file, on one line."""
    return looks_line(row, paths) if row[0]["kind"] == "look" else edits_line(row, paths)


def job_ended_line(item: Record, paths: Paths) -> Line:
    """What ran in the background and has ended, and how."""
    result = middle_out(paths.short(item["result"]), REPORT_SHOWN_UTF16)
    name = code(command_in_short(item["text"], paths), JOB_SHOWN_UTF16)
    return {"items": [item], "text": f"- In the background, ended ({item['key']}): {name} → {result}"}


def looks_line(looks: Sequence[Record], paths: Paths) -> Line:
    """Looks that follow each other, on one line."""
    return {"items": [*looks], "text": "- Looked: " + "; ".join(look_in_short(item, paths) for item in looks)}


def look_in_short(item: Record, paths: Paths, is_alone: bool = False) -> str:
    """What was looked at, and what a search or a short command showed; more of what stands on a line of its own."""
    is_long = is_alone or item["text"].startswith("git status")  # what is not committed, as far as it was seen
    result_max = LOOK_ALONE_SHOWN_UTF16 if is_long else LOOK_RESULT_SHOWN_UTF16
    if item["tool"] == "Read" or item["tool"] == "LS":
        failed = f" ({cut(item['result'], 60)})" if item["result"] else ""
        return f"{paths.named(item['path'])}{failed}"
    result = f" → {cut(paths.short(item['result']), result_max)}" if item["result"] else ""
    if item["tool"] in ("Grep", "Glob"):
        where = f" in {paths.named(item['path'])}" if item["path"] else ""
        return f"{item['tool']} {code(item['text'], LOOK_SHOWN_UTF16)}{where}{result}"
    return f"{code(command_in_short(item['text'], paths), LOOK_SHOWN_UTF16)}{result}"


def edits_line(edits: Sequence[Record], paths: Paths) -> Line:
    """Changes of one file that follow each other, the newest first."""
    newest = edits[0]
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.named(newest["path"])
    if newest["verdict"] == "running":
        verb = f"{verb} (no result yet)"
    if newest["verdict"] == "failed":
        return {"items": [newest], "text": f"- {verb} {name} FAILED: {cut(newest['result'], 120)}"}
    changes = [change_in_short(item["change"]) for item in edits if item.get("change")]
    return {"items": [*edits], "text": f"- {verb} {name}" + (f": {' ⏎⏎ '.join(changes)}" if changes else "")}


def change_in_short(change: str) -> str:
    """The new lines of a change; before them the one that went, where it was only one; else those that went."""
    rows = change.splitlines()
    gone = [f"− {row[2:]}" for row in rows if row.startswith("- ")]
    added = [row[2:] if row.startswith("+ ") else row for row in rows if not row.startswith("- ")]
    if not added:
        return cut("gone: " + " ⏎ ".join(row[2:] for row in gone), CHANGE_SHOWN_UTF16)
    before = [cut(gone[0], GONE_SHOWN_UTF16)] if len(gone) == 1 else []
    return cut(" ⏎ ".join([*before, *added]), CHANGE_SHOWN_UTF16)


def action_line(item: Record, paths: Paths, is_known_check: bool) -> Line:
    """An action with how it ended; one that was done several times with how it ended before."""
    tool = item["tool"]
    if tool in SUBAGENT_TOOLS:
        report = f" → reported: {middle_out(item['result'], REPORT_SHOWN_UTF16)}" if item["result"] else (
            " → (no report yet)" if item["verdict"] == "running" else "")
        return {"items": [item], "text": f"- Subagent ordered: {middle_out(item['text'], ORDER_SHOWN_UTF16)}{report}"}
    if tool in SHELL_TOOLS:
        limit = COMMIT_SHOWN_UTF16 if item.get("commit") else COMMAND_SHOWN_UTF16
        text = f"- {code(command_in_short(item['text'], paths), limit)}"
    else:
        text = f"- {tool}{': ' if item['text'] else ''}{middle_out(paths.short(item['text']), ARGUMENTS_SHOWN_UTF16)}"
    end = f"{item['verdict']}, as above" if is_known_check else ending(item, paths)
    return {"items": [item], "text": f"{text} → {end}{earlier_endings(item)}"}


def ending(item: Record, paths: Paths) -> str:
    """How an action ended, with the words of its output that say so: "passed" only where they do."""
    result = cut(paths.short(text_of(item, "result")), RESULT_SHOWN_UTF16)
    unsaid = [limit for limit in item.get("limits", []) if limit.strip("| ") not in item["text"]]
    limits = f" [{', '.join(unsaid)}]" if unsaid else ""  # others stand in the command
    verdict = item["verdict"]
    if verdict == "running":
        return "(no result yet)" if not result else f"running: {result}"
    if verdict == "failed":
        return f"FAILED: {result or 'its output does not say why'}{limits}"
    if verdict == "passed":
        return f"passed{': ' + result if result else ''}{limits}"
    if verdict == "unknown":
        return f"ended, whether it passed was not seen{': ' + result if result else ''}{limits}"
    if verdict == "not run":
        return f"not run: {result or 'refused'}"
    return result or "(no output)"


def earlier_endings(item: Record) -> str:
    """How often the same was done, and how it ended before where that was different."""
    earlier = [f"{EARLIER.get(run['verdict'], run['verdict'])}{': ' + cut(run['result'], 80) if run['result'] else ''}"
               for run in item.get("earlier", [])[::-1][:2]]
    count = f" ({item['uses']} runs)" if item.get("uses", 1) > 1 else ""
    return f"{count}{'; before: ' + '; '.join(earlier) if earlier else ''}"


def command_in_short(command: str, paths: Paths) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes."""
    moved = re.match(r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300}) (?:&& |\n)", command)
    if moved:
        folder = moved["folder"].strip("\"'").rstrip("/")
        rest = command[moved.end():]
        command = rest if folder in (paths.root, paths.folder) else f"cd {paths.named(folder)} && {rest}"
    return paths.short(" ⏎ ".join(command.splitlines()))
