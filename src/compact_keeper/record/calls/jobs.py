"""Jobs: what runs on while the agent works, until a tool, a notice or a command tells of its end.

    background shells, by the client's id   -> their order, output file, newest line; ended by notices and tools
    commands that Monitor watches, the same -> their order; ended by notices, tools, or when their time is over
    subagents, by id or by their call       -> their order; ended by their result
    servers that a command leaves behind    -> open until a command stops them: nobody else tells of their end

A teammate is no job: its end is not told in a certain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.blocks import JOB_END_STATES
from compact_keeper.client.call_output import without_row_numbers
from compact_keeper.client.tools import OUTPUT_TOOLS, SHELL_TOOLS, STOP_TOOLS, SUBAGENT_TOOLS, WATCHING_TOOLS
from compact_keeper.record.calls.reports import report_rows
from compact_keeper.record.commands.detached import (
    DIED,
    PORT_TAKEN,
    Detached,
    Stop,
    environ_of,
    is_stopped,
    port_of,
    port_seen,
    prints_alone,
    steps_of,
)
from compact_keeper.record.commands.programs import WAITING
from compact_keeper.record.commands.shell import lines_that_do, pieces_of, shell_words
from compact_keeper.record.items import new_item, whole_command
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.record.runner_output.failure_lines import error_with_stack
from compact_keeper.text.fields import first_text, text_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import Entry, Item, JobFields, Unpack

JOB_ORDER_MAX_UTF16, OUTPUT_FILE_MAX_UTF16, JOB_RESULT_MAX_UTF16, ALSO_MAX_UTF16 = 500, 300, 400, 100
JOB_REPORT_MAX_UTF16 = 2_000  # of a subagent: what it found is told nowhere else
ID_ARGUMENTS = ("task_id", "bash_id", "shell_id", "agentId", "agent_id")
JOB_EXIT_CODE = r"exit (?:code:? )?(-?\d{1,5})\b"  # in the client's words on the end of a job
JOB_HEAD_CHARACTERS = 4_000  # of a result, in which the client says what it is
STARTED_IN_BACKGROUND = r"[^\n:]{0,200}\bbackground(?:ed)?\b[^\n:]{0,60} with ID: (?P<job>[\w-]{1,64})"
LAUNCHED = (  # as the client says it; as the ledger has it, before the transcript tells
    r"(?:[^\n]{0,200}\blaunched\b.{0,400}?agentId:|in background with ID:) (?P<job>[\w-]{1,64})")
WATCH_STARTED = r"Monitor started \(task (?P<job>[\w-]{1,64})(?:, timeout (?P<ms>\d{1,10})ms)?"
OUTPUT_FILE = r"(?:written to|output_?[fF]ile): (\S{1,500}?)\.?(?:\s|\Z)"
LINES_LEFT_OUT = r"\W{0,8}\d{1,9} (?:lines|characters|chars) (?:truncated|omitted)\b"
GONE = r"(?i)\bno (?:task|shell|background \w{1,20}) found|\bnot (?:running|found)\b|\balready (?:completed|ended)"
SAID_TO_RUN_MAX = 3
SAID_TO_RUN = r"^> ([^\n]{3,200})$"  # how package managers say what a script runs
PIDS_STARTED = r"^\[\d{1,3}\] (\d{2,7})$|\bPID:? {0,2}=?(\d{2,7})\b"
PORT_LISTED = r"\blsof [^\n|;&]{0,60}?:(\d{2,5})\b"
LISTS_PROCESSES = r"\b(?:ps|pgrep)\b"
PID_LISTED = r"(?:[\w.+-]{1,40}\s{1,20})?(\d{2,7})(?:\s|$)"  # behind the program's name, as lsof and ps have it
PIDS_MAX = 8  # of a job, the newest: its own, its children's, who else is at its port
STAMP = r"<timestamp>[^<]{0,60}</timestamp>"  # below what a job printed, the client's own
SHOWING_PROGRAMS = ("cat", "tail")  # of a file all, or its end
STOPPED_BY_SIGNAL = ("name", "pid", "started")
JOB_TIMED_OUT = r"(?:Exit code \d{1,3}\n)?\s{0,9}Command timed out"


class Jobs:
    """The jobs that run, as far as the session tells."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        jobs = [item for item in known if item["kind"] == "job" and item["status"] == "open"]
        self.open: dict[str, Item] = {job["key"]: {"tool": "", "path": "", "port": "", **job} for job in jobs}
        self.ended: dict[str, tuple[Entry, str, int | None]] = {}  # a notice may stand before the result of its start

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The jobs that an entry starts, tells of, or ends."""
        if entry["what"] == "ended":
            words = text_of(entry, "text") or text_of(entry, "status")
            codes = re.findall(JOB_EXIT_CODE, words)
            yield from self.end(entry, entry["key"], words, int(codes[-1]) if codes else None)
        elif entry["what"] == "typed" and entry["via"] != "queue" and entry["source"] != "ledger":
            for key in [key for key, job in self.open.items() if job["source"] == key]:  # the agent did not wait on
                yield from self.end(entry, key, "interrupted")
        elif entry["what"] == "call":
            yield from self.call_items(entry)

    def call_items(self, call: Entry) -> Iterator[Item]:
        """What a call starts, tells of or stops."""
        tool = call["tool"]
        if tool in SUBAGENT_TOOLS:
            yield from self.subagent(call)
        elif call["ok"] is None or call["rejected"]:
            return
        elif tool in SHELL_TOOLS:
            yield from self.shell(call)
        elif tool in WATCHING_TOOLS and call["ok"]:
            yield from self.watched(call)
        elif tool in OUTPUT_TOOLS:
            yield from self.output(call)
        elif tool in STOP_TOOLS and (call["ok"] or re.search(GONE, call["error"])):
            yield from self.stopped_by_tool(call)
        elif tool == "Read" and call["ok"] and self.writing_to(call["path"]):
            yield from self.looked_at(call, call["path"], without_row_numbers(call["body"][-2_000:]))

    def stopped_by_tool(self, call: Entry) -> Iterator[Item]:
        """The end of the job that a tool stopped, and of what its line had put behind it with `&`: one process tree."""
        key = id_of(call)
        source = self.open.get(key, {}).get("source")
        yield from self.end(call, key, "stopped" if call["ok"] else "it was not running any more")
        for other in [*self.open.values()] if call["ok"] and source else ():
            if other["source"] == source and other.get("by") == "&":
                yield from self.end(call, other["key"], "stopped")

    def start(self, job: Item) -> Iterator[Item]:
        """A job that runs now; one whose end was told already, and that end."""
        self.open[job["key"]] = job
        yield job
        if job["key"] in self.ended:
            at, result, exit_code = self.ended[job["key"]]
            yield from self.end(at, job["key"], result, exit_code)

    def end(self, entry: Entry, key: str, result: str, exit_code: int | None = None,
            is_signalled: bool = False) -> Iterator[Item]:
        """The end of a job, however often it is told."""
        self.ended[key] = (entry, result, exit_code)
        if job := self.open.pop(key, {}):
            is_report = job["tool"] in SUBAGENT_TOOLS
            words = "\n".join(report_rows(result, JOB_REPORT_MAX_UTF16)) if is_report else (
                quote(result, JOB_RESULT_MAX_UTF16))
            fields: JobFields = {}
            if exit_code is not None:
                fields["exit_code"] = exit_code
            if is_signalled:
                fields["is_signalled"] = True
            yield {**job, "status": "ended", "last": entry["time"], "result": words, **fields}

    def job(self, call: Entry, key: str, text: str, **fields: Unpack[JobFields]) -> Item:
        """A job that the call started."""
        words = quote(text, JOB_ORDER_MAX_UTF16)
        return {**new_item("job", call, words, "assistant", key=key, tool=call["tool"], path="", port="", environ="",
                           result=""), **fields}

    # --- the client's own jobs ---

    def subagent(self, call: Entry) -> Iterator[Item]:
        """A subagent: it runs until its call has a result, or its notice comes where it was launched apart."""
        names = filter(None, (text_of(call["input"], "description"), text_of(call["input"], "prompt")))
        job = self.job(call, call["id"], ": ".join(names))
        launched = re.match(LAUNCHED, call["output"][:JOB_HEAD_CHARACTERS], re.DOTALL) if call["ok"] else None
        if launched:
            if waiting := self.open.pop(call["id"], {}):  # it has an id of its own now
                yield {**waiting, "status": "gone"}
            yield from self.start({**job, "key": launched["job"], "path": output_file(call["output"])})
        elif call["ok"] is None and not call["rejected"]:
            self.ended.pop(call["id"], None)
            yield from self.start(job)
        else:
            self.open.setdefault(call["id"], job)
            result = call["output"] if call["ok"] else "rejected" if call["rejected"] else call["error"]
            yield from self.end(call, call["id"], result)

    def shell(self, call: Entry) -> Iterator[Item]:
        """A shell that runs in the background, what its line leaves behind and what it stops."""
        script = whole_command(call)
        head = call["output"][:JOB_HEAD_CHARACTERS]
        if "background" in head and (started := re.match(STARTED_IN_BACKGROUND, head)):
            text = ROW_END.join(map(str.strip, lines_that_do(script)))
            yield from self.start(self.job(call, started["job"], text, environ=environ_of(script),
                                           port=port_of(script), path=output_file(head)))
        else:
            shown = file_shown(script) if self.open and call["ok"] else ""
            yield from self.looked_at(call, shown, call["output"][-2_000:])
        yield from self.steps(call, script)
        yield from self.with_pids(call)

    def watched(self, call: Entry) -> Iterator[Item]:
        """A command whose rows the client hands to the agent as they come, for so long at most."""
        started = re.match(WATCH_STARTED, call["output"])
        if started:
            text = ROW_END.join(map(str.strip, lines_that_do(text_of(call["input"], "command"))))
            most: JobFields = {"seconds_most": int(started["ms"]) // 1_000} if started["ms"] else {}
            yield from self.start(self.job(call, started["job"], text, **most))

    def output(self, call: Entry) -> Iterator[Item]:
        """What a tool tells of a job's output: its end, or its newest line."""
        key, head = id_of(call), call["output"][:JOB_HEAD_CHARACTERS]
        status, code = re.search(r"<status>(\w{1,20})</status>", head), re.search(r"<exit_code>(-?\d{1,5})<", head)
        if not call["ok"]:
            if re.search(GONE, call["error"]):
                yield from self.end(call, key, "the client knows it no more")
            return
        printed = printed_by_job(call["output"])
        line = newest_line([printed])
        words = f"exit {code[1]}" if code else status[1] if status else ""
        if status and status[1] in JOB_END_STATES:
            if code and int(code[1]):  # behind the error that ended it Node says its version
                line = quote(error_with_stack(printed.splitlines()), JOB_RESULT_MAX_UTF16) or line
            yield from self.end(call, key, f"{words}: {line}" if line else words,
                                int(code[1]) if code else None)
        elif key in self.open and line:
            yield self.with_news(call, self.open[key], line)

    def looked_at(self, call: Entry, path: str, text: str) -> Iterator[Item]:
        """The newest line of the jobs that write to this file."""
        jobs = self.writing_to(path)
        line = newest_line([text]) if jobs else ""
        for job in jobs if line else ():
            yield self.with_news(call, job, line)

    def writing_to(self, path: str) -> list[Item]:
        """The jobs that write to this file; on Windows the client says it with other slashes than the agent."""
        return [job for job in self.open.values() if path and slashed(job["path"]) == slashed(path)]

    def with_news(self, call: Entry, job: Item, line: str) -> Item:
        """The job with the newest that is known of it."""
        self.open[job["key"]] = {**job, "result": quote(line, JOB_RESULT_MAX_UTF16), "last": call["time"], "uses": 0,
                                 "position": call["position"], "port": port_seen("", line) or job["port"]}
        return self.open[job["key"]]

    # --- what commands leave behind and stop ---

    def steps(self, call: Entry, script: str) -> Iterator[Item]:
        """What the line leaves behind, and the jobs that it stops, in its order."""
        steps = steps_of(script)
        if not steps:
            return
        of_line: list[str] = []  # keys of what this line started
        is_alone = sum(isinstance(step, Detached) for step in steps) == 1
        failed = bool(re.search(PORT_TAKEN, call["output"])) or bool(re.match(JOB_TIMED_OUT, call["output"]))
        failed = failed or (is_alone and prints_alone(script) and bool(re.match(DIED, newest_line([call["output"]]))))
        for step in steps:
            if isinstance(step, Stop):
                yield from self.stopped(call, step, of_line)
            elif not failed and (call["ok"] or step.by == "&"):
                job = self.left_behind(call, step, script if is_alone else "")
                yield from self.end_of_others_on_port(call, job)
                of_line.append(step.key)
                self.ended.pop(step.key, None)
                yield from self.start(job)

    def left_behind(self, call: Entry, step: Detached, script: str) -> Item:
        """The job that a line left behind; `script` is the line where it left nothing else: its output is the job's."""
        said = re.findall(SAID_TO_RUN, call["output"][:JOB_HEAD_CHARACTERS], re.MULTILINE) if script else []
        port = port_of(step.text)
        if script and not port:
            port = port_seen(script, call["output"])
        return self.job(call, step.key, step.text, environ=environ_of(step.text), port=port,
                        path=quote(step.log, OUTPUT_FILE_MAX_UTF16), by=step.by, pid="",
                        also="\n".join(quote(line, ALSO_MAX_UTF16) for line in said[:SAID_TO_RUN_MAX]))

    def end_of_others_on_port(self, call: Entry, job: Item) -> Iterator[Item]:
        """The ends of what a command had left behind on the port that the job takes now."""
        for other in [*self.open.values()]:
            is_on_port = bool(job["port"]) and other["port"] == job["port"]
            if is_on_port and other.get("by") and other["key"] != job["key"]:
                yield from self.end(call, other["key"], "another one took its port")

    def stopped(self, call: Entry, stop: Stop, of_line: Sequence[str]) -> Iterator[Item]:
        """The jobs that a command stops; a process id that was never seen may be anyone's."""
        if stop.by == "started":
            keys = list(of_line)
        elif stop.by == "port":
            keys = [key for key, job in self.open.items() if job["port"] == stop.what]
        elif stop.by == "pid":
            keys = [key for key, job in self.open.items() if stop.what in job.get("pid", "").split()]
        else:
            keys = [key for key, job in self.open.items()
                    if job["tool"] in (*SHELL_TOOLS, *WATCHING_TOOLS) and is_stopped(
                        stop, job["text"], job.get("also", ""), job.get("by", ""))]
        for key in keys:
            how = stop.command or f"port {stop.what} was freed"
            if stop.by in STOPPED_BY_SIGNAL:  # three servers that had been killed met one that still had their port
                yield from self.end(call, key, f"kill sent, its end was not seen: {how}", is_signalled=True)
            else:
                yield from self.end(call, key, f"stopped: {how}")

    def with_pids(self, call: Entry) -> Iterator[Item]:
        """The jobs of which a start, a listing of ports or of processes printed process ids, with these.

        They are kept with the job: the command that kills one may come after the next save.
        """
        for key, pids in self.pids_printed(call).items():
            job = self.open[key]
            known = job.get("pid", "").split()
            if not {*pids} <= {*known}:
                self.open[key] = {**job, "uses": 0, "pid": " ".join([*dict.fromkeys([*known, *pids])][-PIDS_MAX:])}
                yield self.open[key]

    def pids_printed(self, call: Entry) -> dict[str, list[str]]:
        """The process ids that the call printed, by the key of the job that each is of."""
        head, command = call["output"][:JOB_HEAD_CHARACTERS], call["command"]
        pids: dict[str, list[str]] = {}
        in_background = [job for job in self.open.values() if job.get("by") == "&"]
        started = [job for job in in_background if job["source"] == call["source"]]
        if started:
            for job, match in zip(started, re.finditer(PIDS_STARTED, head, re.MULTILINE)):
                pids[job["key"]] = [match[1] or match[2]]
        port = re.search(PORT_LISTED, command) if "lsof " in command else None
        if not port and not re.search(LISTS_PROCESSES, command):
            return pids
        on_port = [job for job in self.open.values() if port and job["port"] == port[1]]
        for line in head.splitlines():
            if listed := re.match(PID_LISTED, line):
                jobs = {job["key"] for job in (*on_port, *(job for job in in_background if job["text"] in line))}
                for key in jobs:
                    pids.setdefault(key, []).append(listed[1])
        return pids


def file_shown(command: str) -> str:
    """The file of which a command prints the end and nothing else; empty: it prints none, or more.

    The status that a `curl` behind a server's log printed had stood as what the server showed last.
    """
    files = list[str]()
    for piece, sign in pieces_of(command):
        program, *words = shell_words(piece)
        if program in SHOWING_PROGRAMS and sign in ("", "|"):
            files += [word for word in words if re.search(r"[/\\.]", word) and not re.match(r"-|\d?>", word)]
        elif program not in ("cd", *WAITING):
            return ""
    return files[0].strip("\"'") if len(files) == 1 else ""


def slashed(path: str) -> str:
    """A path, or a command with paths, with the slashes that Windows takes as well."""
    return path.replace("\\", "/")


def id_of(call: Entry) -> str:
    """The job that a tool was asked about."""
    return first_text(call["input"], ID_ARGUMENTS)


def output_file(output: str) -> str:
    """The file that the client says it writes a job's output to."""
    match = re.search(OUTPUT_FILE, output[:JOB_HEAD_CHARACTERS])
    return quote(match[1], OUTPUT_FILE_MAX_UTF16) if match else ""


def printed_by_job(output: str) -> str:
    """What the job printed last, in an output of the tools for jobs; empty where it printed nothing."""
    return "\n".join(re.split(r"</?(?:output|stdout|stderr)>", re.sub(STAMP, "", output))[1:]).strip()


def newest_line(texts: Sequence[str]) -> str:
    """The last line of these that says anything: a word or a number, and not how much the client left out."""
    lines = [line.strip() for text in texts for line in text.splitlines()
             if re.search(r"\w", line) and not re.match(LINES_LEFT_OUT, line)]
    return quote(lines[-1], JOB_RESULT_MAX_UTF16) if lines else ""
