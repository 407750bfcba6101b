"""Where the work stands: the agent's last words, what waits for the person, tasks, what runs, the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.recap.plans import LISTS_OF_THE_CLIENT, since_then, tasks_of_client
from compact_keeper.recap.thread import Ago
from compact_keeper.recap.wording import Paths, code, folded_line, middle_out, without_known_lines
from compact_keeper.record.names import tokens_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import behind_space, cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Line, Snapshot

LISTED_TASK_MAX_UTF16, TASK_DETAIL_MAX_UTF16, WAITING_PLAN_MAX_UTF16, RUNNING_JOB_MAX_UTF16 = 160, 600, 700, 160
LIST_SAID = "said"  # the name of the list of boxes that the agent drew in its words
MARKS = {"completed": "[x]", "in_progress": "[~] in progress:"}
OLD_PLAN_MAX_UTF16 = 120
DONE_TASK_MAX_UTF16, UNTICKED_MAX_UTF16, UNTICKED_LINE_MAX_UTF16, DONE_LINE_MAX_UTF16 = 80, 90, 700, 500
STARTED_SINCE_UTF16 = 80
RUNNING = "Running"  # how a line on a job begins whose process was seen
REDIRECTED = r"\s*(?:2>&1|&?>>?\s?[^\s&|;]{1,200}|</dev/null)"
NAMED_WORDS_SHARE = 0.7  # of a done task's words, that the summary has
ALIVE: dict[object, str] = {True: "its process is still there", False: "its process is not there any more"}


def last_words_line(snapshot: Snapshot, limit: int, last_call: str = "") -> Iterator[Line]:
    """The agent's last words, lines kept; of longer ones their last lines within `limit` UTF-16 units.

    last_call: what was done after them, last; empty: nothing.
    """
    words = text_of(snapshot["state"], "last_words").strip()
    last = next((item for item in reversed(snapshot["items"]) if item["kind"] == "said"), None)
    if not words or not last:
        return
    lines = without_known_lines([line.rstrip() for line in words.splitlines() if line.strip()],
                                text_of(snapshot, "summary"))
    whole = "\n".join(f"  {line}" for line in lines)
    short = whole if units(whole) <= limit else "  […]" + end_of_lines(lines, limit)
    calls = f" (then {last_call})" if last_call else ""
    title = f"- The agent's last words{calls}:"
    yield {"items": [last], "text": f"{title}\n{short}", "whole": f"{title}\n{whole}"}


def end_of_lines(lines: Sequence[str], limit: int) -> str:
    """The last lines within so many units; of a last line that is longer, its end."""
    kept, room = list[str](), limit
    for line in reversed(lines):
        room -= units(line) + 3
        if room < 0:
            break
        kept.insert(0, f"\n  {line}")
    return "".join(kept) or f"\n  …{behind_space(lines[-1][-limit:])}"


def question_lines(items: Sequence[Item]) -> Iterator[Line]:
    """Questions to the person that have no answer, with their options; a plan that waits for approval."""
    for item in items:
        if item["kind"] == "question":
            options = "; ".join(cut(str(option), 160) for option in item.get("options", []))
            yield {"items": [item], "text": f"- Asked in a dialog, no answer yet: {in_quotes(cut(item['text'], 400))}"
                                         + (f" Options: {options}" if options else "")}
        elif item["kind"] == "plan" and item["status"] != "approved":
            where = f" (in {item['path']})" if item.get("path") else ""
            text = cut(folded_line(item["text"]), WAITING_PLAN_MAX_UTF16)
            if item.get("path") and any(other.get("path") == item["path"] and other.get("edits")
                                        and other["position"] > item["position"] for other in items):
                where, text = f"{where[:-1]}, which was written anew since)", cut(text, OLD_PLAN_MAX_UTF16)
            yield {"items": [item], "text": f"- Plan, {item['status']}{where}: {in_quotes(text)}"}


def task_list_lines(items: Sequence[Item], summary: str, ago: Ago) -> Iterator[Line]:
    """The tasks in their order: those not done with their full text, what is unticked in files, those done in short.

    Before them how old the client's list is where files were changed after it: it may not have been kept up.
    """
    tasks = [item for item in items if item["kind"] == "task"]
    listed = tasks_of_client(tasks)
    if any(item["status"] != "completed" for item in listed):
        newest = max(listed, key=lambda item: item["position"])
        since = sum(item.get("edits", 0) for item in items if item["position"] > newest["position"])
        if since:
            when = ago(newest["last"])
            yield {"items": [], "text": f"- (the list was last changed {when}; edits after that: {since})"}
    tasks.sort(key=lambda item: (text_of(item, "list"), item.get("order", 0), item["position"]))
    unticked: dict[str, list[Item]] = {}
    for item in [item for item in tasks if item["status"] != "completed"]:
        if text_of(item, "list") not in LISTS_OF_THE_CLIENT:
            unticked.setdefault(text_of(item, "list"), []).append(item)
            continue
        after = f" (after {item['after']})" if item.get("after") else ""
        detail = text_of(item, "detail")
        more = f": {middle_out(detail, TASK_DETAIL_MAX_UTF16)}" if detail and detail != item["text"] else ""
        subject = cut(folded_line(item["text"]), LISTED_TASK_MAX_UTF16)
        mark = MARKS.get(item["status"], "[ ]")
        short = f"- {mark} {number_of_task(item)}{subject}{after}"
        yield {"items": [item], "text": short, "whole": f"{short}{more}"}
    for name, open_items in unticked.items():
        if name == LIST_SAID and is_committed_since(open_items, items):
            continue
        came = since_then(max(open_items, key=lambda item: item["position"]), items)
        named = unticked_in_words(name, open_items, tasks, listed)
        yield {"items": open_items, "text": f"- [ ] unticked{came} {named}"}
    by_words = {folded_line(item["text"]): item for item in tasks if item["status"] == "completed"}
    done = [*by_words.values()][::-1]  # a task of two lists once
    news = [item for item in done if not names_task(item["text"], summary)]
    if news:
        names = [number_of_task(item) + cut(folded_line(item["text"]), DONE_TASK_MAX_UTF16) for item in news]
        which = "" if len(news) == len(done) else f" {len(done)}, those whose words the summary lacks"
        yield {"items": done, "text": f"- [x] done{which}: {cut('; '.join(names), DONE_LINE_MAX_UTF16)}"}


def is_committed_since(boxes: Sequence[Item], items: Sequence[Item]) -> bool:
    """Whether something was typed and committed after them: in what was said nobody ticks a box, they may be done."""
    newest = max(box["position"] for box in boxes)
    since = [other for other in items if other["position"] > newest]
    return any(other.get("commit") for other in since) and any(other["kind"] == "message" for other in since)


def unticked_in_words(name: str, open_items: Sequence[Item], tasks: Sequence[Item], listed: Sequence[Item]) -> str:
    """Where boxes are unticked, and which; how many where none was ever ticked, and the client's newer list is done."""
    where = "in the agent's words" if name == LIST_SAID else f"in {name}"
    is_ticked = any(text_of(item, "list") == name and item["status"] == "completed" for item in tasks)
    is_older = bool(listed) and max(item["position"] for item in open_items) < max(
        item["position"] for item in listed)
    if is_older and not is_ticked and all(item["status"] == "completed" for item in listed):
        return f"{where}: all of {len(open_items)} boxes; none was ever ticked, and the task list of later is done"
    subjects = "; ".join(cut(folded_line(item["text"]), UNTICKED_MAX_UTF16) for item in open_items)
    return f"{where}: {cut(subjects, UNTICKED_LINE_MAX_UTF16)}"


def names_task(subject: str, summary: str) -> bool:
    """Whether the summary has the names of a done task, and most of its words, in whatever row."""
    if not all(token in summary for token in tokens_of(subject)):
        return False
    words = re.findall(r"[^\W\d_]{4,}", subject.casefold())
    text = summary.casefold()
    return bool(summary) and sum(word in text for word in words) >= NAMED_WORDS_SHARE * len(words)


def number_of_task(item: Item) -> str:
    """The number that the client gave the task, with a space; empty without one."""
    return f"{item['key']} " if text_of(item, "key").startswith("#") else ""


def job_lines(items: Sequence[Item], alive: Mapping[str, bool], paths: Paths, ago: Ago) -> Iterator[Line]:
    """What was put into the background and was not seen to end, with environment, port and output file.

    That it runs is said only where its process was seen: a server of two days before had stood as running, whose port
    another one had. Of a line with `&` that the client put into the background the process is told, not its shell too.
    """
    jobs = [item for item in reversed(items) if item["kind"] == "job"]
    detached = {item["source"] for item in jobs if item["status"] == "open" and item.get("by")}
    for item in jobs:
        if item["status"] != "open" or (item["source"] in detached and not item.get("by")):
            continue
        seen = alive.get(text_of(item, "key"))
        facts = [f"as {item['key']}" if re.fullmatch(r"[\w-]{1,40}", text_of(item, "key")) else "",
                 f"port {item['port']}" if item.get("port") else "",
                 f"with {cut(item['environ'], 120)}" if item.get("environ") else "",
                 f"output in {paths.short(item['path'])}" if item.get("path") else "",
                 ALIVE.get(seen, ""), f"{'started ' * bool(seen)}{ago(item['first'])}", started_since(item, jobs)]
        name = code(paths.short(item["text"]), RUNNING_JOB_MAX_UTF16)
        label = RUNNING if seen else "Started" if seen is False else "Started, no end seen"
        yield {"items": [item], "text": f"- {label}: {name} ({', '.join(filter(None, facts))})"}


def started_since(job: Item, jobs: Sequence[Item]) -> str:
    """That the same was started again, or something on its port, with that one's id; empty where nothing was."""
    for other in jobs:
        if other["source"] == job["source"] or other["first"] <= job["first"]:
            continue
        is_same = without_outputs(other["text"]) == without_outputs(job["text"]) and (
            text_of(other, "environ") == text_of(job, "environ"))
        if is_same or (job.get("port") and other.get("port") == job["port"]):
            key = text_of(other, "key")
            which = f" as {key}" if re.fullmatch(r"[\w-]{1,40}", key) else ""
            return f"the same was started again since{which}" if is_same else (
                f"{code(other['text'], STARTED_SINCE_UTF16)} was started on its port since")
    return ""


def without_outputs(text: str) -> str:
    """A command without where its output goes and the `&` behind it."""
    return re.sub(REDIRECTED, "", text).strip("& ")
