"""What was put into the background and was not seen to end; the services of managers, started and stopped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import code
from compact_keeper.record.calls.services import Services
from compact_keeper.record.commands.detached import DIED, SILENT_PROGRAMS
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.commands.programs import FILTERS
from compact_keeper.record.commands.shell import pieces_of, program_in
from compact_keeper.record.items import last_edit_positions
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import file_name, same_file
from compact_keeper.text.times import moment
from compact_keeper.types import Ago, Item, Line

RUNNING_JOB_MAX_UTF16, ENVIRONMENT_MAX_UTF16, STARTED_SINCE_UTF16 = 160, 120, 80
NEWS_SHOWN_UTF16 = 120
WAITS_FIRST = r"sleep (?P<count>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[smh]?)(?=\s|;)"
TIMEOUT_FIRST = r"g?timeout (?:-[ks] \S+ |-\S+ ){0,3}(?P<count>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[smh]?) "
SECONDS_OF_UNIT, LOOKS_WITHIN_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600}, 60
RUNNING = "Running"  # how a line on a job begins whose process was seen
SERVICES_SHOWN_MAX = 6  # commands that started some; as many that stopped some
PLAIN_KEY = r"[\w-]{1,40}"  # an id that the client gave a job
REDIRECTED = r"\s*(?:2>&1|&?>>?\s?[^\s&|;]{1,200}|</dev/null)"


def job_lines(items: Sequence[Item], alive: Mapping[str, bool], paths: Paths, ago: Ago) -> Iterator[Line]:
    """The jobs, the newest first; `alive` says by key whether a job's process is there, as far as it was looked for.

    Of a line with `&` that the client put into the background the process is a line, not its shell too. None that only
    waited to look at something, and none under a limit, whose time is over: a `sleep 600` of six hours before had stood
    there.
    """
    newest = max((moment(item["last"]) for item in items), default=0)
    jobs = [item for item in reversed(items) if item["kind"] == "job"]
    open_jobs = [job for job in jobs if job["status"] == "open"]
    detached = {job["source"] for job in open_jobs if job.get("by")}
    edited = last_edit_positions(items)
    for job in open_jobs:
        is_alive = alive.get(text_of(job, "key"))
        is_over = not is_alive and (has_waited(job, newest) or is_past_its_time(job, newest))
        is_shell_alone = not job.get("by") and job["source"] in detached
        if not is_over and not is_shell_alone:
            since = [started_since(job, jobs), "" if is_alive is False else script_edited_since(job, edited)]
            yield job_line(job, is_alive, since, paths, ago)


def service_lines(services: Services, paths: Paths, ago: Ago) -> Iterator[Line]:
    """What was started with a manager and not seen to stop, a line each; on one line what was stopped since its start.

    A reader had taken all containers for running: `docker-compose ps` with each of them up stood there, and the `down`
    behind it did not.
    """
    for step, item in services.started[:SERVICES_SHOWN_MAX]:
        name = code(paths.short(step.command), RUNNING_JOB_MAX_UTF16)
        yield {"items": [item], "text": f"- Started, no end seen: {name} ({ago(item['last'])})"}
    stopped = services.stopped[:SERVICES_SHOWN_MAX]
    if stopped:
        names = [f"{code(paths.short(step.command), STARTED_SINCE_UTF16)} ({ago(item['last'])})"
                 for step, item in stopped]
        yield {"items": [item for _, item in stopped], "text": f"- Stopped, no start seen since: {', '.join(names)}"}


def with_services(lines: Iterable[Line], services: Services, paths: Paths) -> Iterator[Line]:
    """The lines; behind a command that started services which were stopped since, or showed them before, that."""
    for line in lines:
        since = since_of_service(line["items"][0], services, paths) if line["items"] else ""
        forms: Any = {form: f"{text}{since}" for form, text in line.items() if since and form in ("text", "whole")}
        if since:
            forms["fuller"] = [f"{form}{since}" for form in line.get("fuller", [])]
        yield {**line, **forms}


def since_of_service(item: Item, services: Services, paths: Paths) -> str:
    """What is known since of the services that a command started or showed; empty where that is nothing."""
    if item.get("key") in services.over:
        return " (stopped since)"
    stops = [code(paths.short(command), STARTED_SINCE_UTF16) for command in services.stopped_since_shown(item)]
    return f" (since then {', '.join(stops)})" if stops else ""


def has_waited(job: Item, newest: int) -> bool:
    """Whether the job only waits and then looks, and must have done so before that moment, in seconds since 1970."""
    wait = re.match(WAITS_FIRST, job["text"])
    if not wait or not is_looking(job["text"].replace(ROW_END, "\n")):
        return False
    seconds = float(wait["count"]) * SECONDS_OF_UNIT[wait["unit"]]
    return moment(job["first"]) + seconds + LOOKS_WITHIN_SECONDS < newest


def is_past_its_time(job: Item, newest: int) -> bool:
    """Whether the client, or a `timeout` before all that the job runs, must have ended it before that moment."""
    seconds = float(job.get("seconds_most", 0)) or seconds_of_timeout(job["text"].replace(ROW_END, "\n"))
    return bool(seconds) and moment(job["first"]) + seconds + LOOKS_WITHIN_SECONDS < newest


def seconds_of_timeout(command: str) -> float:
    """After how many seconds a line's `timeout` ends all that it runs; 0 where there is none, or more than that."""
    pieces = [piece for piece, _ in pieces_of(command) if program_in(piece) not in (*SILENT_PROGRAMS, *FILTERS)]
    limit = re.match(TIMEOUT_FIRST, pieces[0]) if len(pieces) == 1 else None
    return float(limit["count"]) * SECONDS_OF_UNIT[limit["unit"]] if limit else 0


def job_line(job: Item, is_alive: bool | None, since: Sequence[str], paths: Paths, ago: Ago) -> Line:
    """A job with its id, port, environment and output file; `since`: what was started in its place, edited since.

    That it runs is said only where its process was seen (`is_alive`; None: nobody looked): a server of two days before
    had stood as running, whose port another one had.
    """
    news, begin = text_of(job, "result"), ago(job["first"])
    when = f"started {begin}" if news or is_alive else begin  # else the time would be that of the news
    if is_alive:
        label, process = RUNNING, "its process is still there"
    elif is_alive is None:
        label, process = "Started" if re.match(DIED, news) else "Started, no end seen", ""
    else:
        label, process = "Started", "its process is not there any more"
    facts = [named_by_key(job),
             f"port {job['port']}" if job.get("port") else "",
             f"with {cut(job['environ'], ENVIRONMENT_MAX_UTF16)}" if job.get("environ") else "",
             f"output in {paths.short(job['path'])}" if job.get("path") else "",
             f"it last showed {in_quotes(cut(news, NEWS_SHOWN_UTF16))}" if news else "",
             process, when, *since]
    name = code(paths.short(job["text"]), RUNNING_JOB_MAX_UTF16)
    line: Line = {"items": [job], "text": f"- {label}: {name} ({', '.join(filter(None, facts))})"}
    if is_alive is not False:
        line["in_few_words"] = f"- {label}: {name} ({', '.join(filter(None, [*facts[:2], when]))})"
    return line


def named_by_key(job: Item) -> str:
    """The job's id as words; empty where it has none that a person could use."""
    key = text_of(job, "key")
    return f"as {key}" if re.fullmatch(PLAIN_KEY, key) else ""


def started_since(job: Item, jobs: Sequence[Item]) -> str:
    """That the same was started again, or something on its port, with that one's id; empty where nothing was.

    The same is one command in one environment, wherever its output goes.
    """
    for other in jobs:
        if other["source"] == job["source"] or other["first"] <= job["first"]:
            continue
        is_same_command = without_outputs(job["text"]) == without_outputs(other["text"])
        if is_same_command and text_of(job, "environ") == text_of(other, "environ"):
            return f"the same was started again since {named_by_key(other)}".rstrip()
        if job.get("port") and other.get("port") == job["port"]:
            return f"{code(other['text'], STARTED_SINCE_UTF16)} was started on its port since"
    return ""


def script_edited_since(job: Item, edited: Mapping[str, int]) -> str:
    """Which file that the job's command names was edited after it began; `edited`: by path the last edit's position.

    What runs is older than the file: a page that stayed empty had been looked for in the code.
    """
    words = [word.strip("\"'") for word in job["text"].split(" > ")[0].split() if "." in word]
    names = {file_name(path) for path, position in edited.items() if position > job["position"]
             and any(same_file(path, word) for word in words)}
    return f"{', '.join(sorted(names))} edited since it began" if names else ""


def without_outputs(text: str) -> str:
    """A command without where its output goes and the `&` behind it."""
    return re.sub(REDIRECTED, "", text).strip("& ")
