"""(docstring)"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_keeper.client.compactions import failure
from compact_keeper.setup.installed import (
    INSTALL_SCRIPT,
    PLUGIN_FOLDER,
    Copy,
    Hook,
    copies,
    copies_warnings,
    fault_of,
    hooks_in,
    outdated,
    read_bytes,
    read_json,
    settings_files,
    status_line_of,
    status_line_words,
)
from compact_keeper.store.compaction import read_compaction
from compact_keeper.store.folder import SCHEMA, data_home
from compact_keeper.store.json_lines import parse_line
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import settings_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

PLAYS, PLAYS_MAX_SECONDS = 5, 1.0  # times that the session is played to measure; seconds after which no further one begins
HOOK_LIMIT, CLIENT_LIMIT = 20, 5  # seconds
REDRAW = 0.3  # seconds after which the client may draw the status line again
OPEN_TASKS = 4_321  # that the made-up session has for the status line
SLOW_SHARE = 0.25  # of a hook's timeout: from here on it is worth knowing
OLD_LOG = 7 * 86_400  # seconds
SHIM = 0.015  # seconds that a version manager's stand-in for Python may add to each start
UNDER_WAY = 3_600  # seconds; what is older is no longer at work
LITTLE_ROOM = 200 << 20  # bytes free
OLDEST_PYTHON = (3, 9)
INTERPRETER = re.compile(r"(?:^|[\s(;])(python[\w.]*)\s")  # as a word of a command that somebody wrote by hand
INTERPRETERS = ("python3", "python")  # that hooks/run tries
STARTED = re.compile(r"""\brun["']? (\w+)|\b(\w+)\.py\b""")  # what a hook's command starts, by its name
RULE, REQUEST = "Never rename the quay_ledger table.", "Add the zone surcharge to quote.py."
CHECK, FAILED = "pytest tests/test_quote.py", "Exit code 1\nE AssertionError: 4649 != 4650"
UNTRUE = "The user works on quote.py. All tests pass."
TRUST = "Where you trust the project's files: the same with --project ."
SWITCHES = ("COMPACT_KEEPER_OFF", "COMPACT_KEEPER_DEBUG")  # of the person's own environment
NOT_THERE = (49, 126, 127)  # exit codes of the shell, and of Windows' stub, for an interpreter that is not there
PROBE = """
import sys
try:
    import sqlite3
    sqlite3.connect(":memory:").execute("create virtual table t using fts5(x)")
    fts5 = 1
except Exception:
    fts5 = 0
tag = getattr(getattr(sys, "implementation", None), "cache_tag", None)
print("%d %d %d %s %s" % (sys.version_info[0], sys.version_info[1], fts5, tag, sys.executable))
"""
QUIRKS = (  # clients up to this version; the level; what is known; what to do (measured, see README)
    ("2.1.75", "fix", "switches all hooks off that stand beside one for an event it does not know", "claude update"),
    ("2.1.76", "note", "does not heed the gate", "update it where you use the gate"),
    ("2.1.105", "note", "loses what was put back when another process resumes after /compact",
     "nothing: it is put back again at the next prompt"),
    ("2.1.328", "ok", "names no subagent whose context is compacted: told apart by its transcript", ""),
)


class Finding(NamedTuple):
    """What was found: ok, note or fix; what and where; what to do about it."""

    level: str
    what: str
    to_do: str = ""


class Play(NamedTuple):
    """One played session: what was printed last at each event, what went wrong, each hook's seconds, events noted."""

    printed: dict[str, str]
    faults: dict[str, list[str]]  # by what was said: the events at which
    seconds: dict[Hook, float]
    events: list[Record]


def scene(folder: str) -> list[tuple[str, Record]]:
    """The events of a session that is compacted, in their order, each with what the client tells of it."""
    path = os.path.join(folder, "quote.py")
    edit = {"tool_name": "Edit", "tool_use_id": "toolu_1", "tool_input": {"file_path": path}, "tool_response": {}}
    run = {"tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": {"command": CHECK}, "error": FAILED}
    return [
        ("UserPromptSubmit", {"prompt": f"{RULE} {REQUEST}"}), ("PostToolUse", edit),
        ("PostToolUseFailure", run), ("SubagentStart", {"agent_id": "a1"}), ("SubagentStop", {"agent_id": "a1"}),
        ("Stop", {}), ("PreCompact", {"trigger": "manual", "custom_instructions": None}),
        ("SessionStart", {"source": "compact"}), ("PostCompact", {"trigger": "manual", "compact_summary": UNTRUE}),
        ("UserPromptSubmit", {"prompt": "Go on."}), ("SessionEnd", {"reason": "other"})]


def transcript() -> str:
    """The session's transcript: what was typed, and the call that failed; the edit stands in no transcript."""
    call = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": CHECK}}
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True, "content": FAILED}
    told = [("user", f"{RULE} {REQUEST}"), ("assistant", [call]), ("user", [result])]
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return "".join(json.dumps({"type": who, "message": {"role": who, "content": content}, "timestamp": moment,
                               "uuid": f"c0ffee00-0000-4000-8000-{number:012}"}, separators=(",", ":")) + "\n"
                   for number, (who, content) in enumerate(told))


def play(hooks: Sequence[Hook], root: str, project: str) -> Play:
    """Plays the session in folders of its own; the project's copied scripts are linked to."""
    played = Play({}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(os.path.realpath(scratch), "parcel-rates")
        os.makedirs(os.path.join(folder, ".claude"))
        os.symlink(os.path.join(project, ".claude", "hooks"), os.path.join(folder, ".claude", "hooks"))
        data, path = os.path.join(scratch, "data"), os.path.join(scratch, "transcript.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(transcript())
        environment = {**environment_with(data, folder), "CLAUDE_PLUGIN_ROOT": root}
        for event, told in scene(folder):
            given = {"session_id": "doctor", "transcript_path": path, "cwd": folder, "hook_event_name": event, **told}
            played.printed[event] = ""
            for hook in (hook for hook in hooks if hook.event == event):
                play_hook(hook, json.dumps(given), environment, played)
        played.events.extend(file_records(os.path.join(data, "events.jsonl")))
        for line in file_text(os.path.join(data, "hook.log")).splitlines():
            played.faults.setdefault(line.partition(" ")[2], []).append("hook.log")
    return played


def environment_with(data: str, project: str) -> dict[str, str]:
    """What the client gives to what it runs in a project, with a data folder of its own."""
    return {**{name: value for name, value in os.environ.items() if name not in SWITCHES},
            "COMPACT_KEEPER_HOME": data, "COMPACT_KEEPER_ARCHIVE": "off", "CLAUDE_PROJECT_DIR": project}


def play_hook(hook: Hook, given: str, environment: dict[str, str], played: Play) -> None:
    """Runs a hook as the client does, and takes down what came of it."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(["sh", "-c", hook.command], input=given.encode(), env=environment, capture_output=True,
                              cwd=environment["CLAUDE_PROJECT_DIR"], timeout=HOOK_LIMIT)
    except subprocess.TimeoutExpired:
        played.faults.setdefault(f"no end within {HOOK_LIMIT} seconds", []).append(hook.event)
        return
    played.seconds[hook] = time.perf_counter() - begun
    played.printed[hook.event] += done.stdout.decode("utf-8", "replace")
    if done.returncode or done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        played.faults.setdefault(said.splitlines()[-1], []).append(hook.event)


def loop_findings(played: Play) -> Iterator[Finding]:
    """Whether each part did on the made-up session what it is for; what went wrong on the way."""
    block, note = played.printed["SessionStart"], played.printed["UserPromptSubmit"]
    saved = [one for one in played.events if one.get("event") == "save" and one.get("on") == "PreCompact"]
    audits = [one.get("dropped") for one in played.events if one.get("event") == "audit"]
    steps = {
        "recorded: an edit that no transcript tells of came back": "quote.py` changed" in block,
        "saved before the compaction": bool(saved),
        "put back: the typed rule stands in what the model is given": RULE in block,
        "compared: it is told that the summary dropped the rule": bool(audits and audits[0]),
        "noted: the model is told that the tests did not pass": CHECK in note}
    faults = "; ".join(f"{quote(said, 200)} (at {', '.join(dict.fromkeys(events))})"
                       for said, events in played.faults.items())
    to_do = f"Why: {faults}" if faults else "No hook complained; report it with the lines above."
    for what, worked in steps.items():
        yield Finding("ok", what) if worked else Finding("fix", f"not {what}", to_do)
        to_do = to_do if worked else "See above."
    if faults and all(steps.values()):
        yield Finding("note", f"complaints on the way: {faults}", "It works all the same.")


def time_findings(hooks: Sequence[Hook], plays: Sequence[Play], start: float) -> Iterator[Finding]:
    """Each hook's time, the median of all plays, beside the time that Python needs to start."""
    for hook in hooks:
        measured = [one.seconds[hook] for one in plays if hook in one.seconds]
        names = [by_run or alone for by_run, alone in STARTED.findall(hook.command) if alone != "run_hook"]
        if measured and names:
            middle = statistics.median(measured)
            slow = middle > SLOW_SHARE * hook.timeout
            yield Finding("note" if slow else "ok", f"{hook.event}, {names[-1]}: {middle * 1000:.0f} ms (Python's own "
                          f"start {start * 1000:.0f} ms)", "Look for what slows new processes down." if slow else "")


def status_line_findings(project: str, is_trusted: bool) -> Iterator[Finding]:
    """Whether the status line is compact-keeper's; then what comes of it to run it once as the client does."""
    what, to_do = status_line_words(project)
    line = status_line_of(project)
    if not line.is_ours:
        yield Finding("ok", f"status line: {what}; {to_do}")
        return
    if line.target.project and not is_trusted:
        yield Finding("note", f"status line: {what}; not tried, it is the project's own", TRUST)
        return
    if to_do:
        yield Finding("note", f"status line: {what}, but not as it would be set now", to_do)
    hook, played = Hook("StatusLine", line.command, HOOK_LIMIT), Play({"StatusLine": ""}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(scratch, "sessions", "doctor")
        os.makedirs(folder)
        with open(os.path.join(folder, "status.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": SCHEMA, "time": time.time(), "tasks": OPEN_TASKS}, file)
        given = {"session_id": "doctor", "cwd": project, "workspace": {"current_dir": project, "project_dir": project}}
        play_hook(hook, json.dumps(given), environment_with(scratch, project), played)
    drawn = played.printed["StatusLine"]
    if f"{OPEN_TASKS} open tasks" not in drawn:
        why = next(iter(played.faults), f"it printed {quote(drawn, 200) or 'nothing'}")
        yield Finding("fix", f"status line: {what}, but it does not draw compact-keeper's: {quote(why, 200)}",
                      f"{line.target.to_run('status-line')}\nor, to be without it, the same with --remove")
        return
    seconds = played.seconds[hook]
    yield Finding("note" if seconds > REDRAW else "ok", f"status line: {what}, {seconds * 1000:.0f} ms",
                  "What it wraps, or the start of a process, takes its time; the client ends a run to begin the next."
                  if seconds > REDRAW else "")


class Python(NamedTuple):
    """What an interpreter tells of itself."""

    name: str
    place: str
    version: tuple[int, int]
    fts5: bool
    cached: str

    def told(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))


def python_of(hooks: Sequence[Hook]) -> tuple[Python | None, list[Finding]]:
    """The interpreter that the commands get, None when there is none that serves; what is to be said of each asked."""
    told: list[Finding] = []
    commands = "\n".join(hook.command for hook in hooks)
    for name in dict.fromkeys([*INTERPRETER.findall(commands), *INTERPRETERS]):
        done = subprocess.run(["sh", "-c", f"exec {name} -IS -c {shlex.quote(PROBE)}"], capture_output=True, text=True,
                              errors="replace", timeout=HOOK_LIMIT)
        python = answered(name, done.stdout) if done.returncode == 0 else None
        if python and python.version >= OLDEST_PYTHON:
            passed = [one._replace(level="note", to_do=f"Nothing: the hooks take {name}.") for one in told]
            return python, [*passed, Finding("ok", f"{name} is Python {python.told()}, {python.place}")]
        why = f"is Python {python.told()}" if python else (
            quote(done.stderr, 200) or f"ended with exit code {done.returncode}")
        told.append(Finding("fix", f"{name} ({shutil.which(name) or 'not in PATH'}): {why}",
                            "Put Python 3.9 or newer first in the PATH of the shell that starts the client."))
        if done.returncode not in NOT_THERE:  # the commands try no other then
            break
    return None, told or [Finding("note", "the commands of the hooks name no Python that could be asked",
                                  "So it is not told which one they get.")]


def answered(name: str, answer: str) -> Python | None:
    """What the interpreter told; None when that is something else."""
    found = re.match(r"(\d+) (\d+) (\d) (\S+) (.+)", answer)
    return Python(name, found[5], (int(found[1]), int(found[2])), found[3] == "1", found[4]) if found else None


def start_time(name: str) -> float:
    """The seconds that the interpreter of this name or path takes to start."""
    begun = time.perf_counter()
    subprocess.run(["sh", "-c", f"{shlex.quote(name)} -IS -c pass"], timeout=HOOK_LIMIT, check=False)
    return time.perf_counter() - begun


def python_findings(python: Python, folder: str) -> Iterator[Finding]:
    """What the interpreter lacks; whether it can keep the bytecode of the scripts in this folder; what starts it."""
    yield Finding("ok", "SQLite has FTS5") if python.fts5 else Finding(
        "note", f"the SQLite of {python.place} has no FTS5", "The archive is searched without an index, which is slow.")
    cache = os.path.join(folder, "__pycache__")
    kept = os.path.exists(os.path.join(cache, f"save_snapshot.{python.cached}.pyc"))
    yield Finding("ok", "bytecode of the scripts is kept") if kept else Finding(
        "note", f"Python keeps no bytecode in {cache}: each start compiles anew, 2 to 10 ms",
        f"Make the folder writable: chmod u+w {shlex.quote(folder)}")
    if (first := shutil.which(python.name)) not in (None, python.place):
        whole, itself = (min(start_time(name) for _ in range(3)) for name in (python.name, python.place))
        if whole - itself > SHIM:
            yield Finding("note", f"{first} takes {(whole - itself) * 1000:.0f} ms each time to find {python.place}",
                          f"Put {os.path.dirname(python.place)} before it in PATH.")


def data_findings(home: str) -> Iterator[Finding]:
    """What is wrong with the data folder's owner and permissions; what was left in it; how large it is."""
    if not os.path.isdir(home):
        yield Finding("ok", f"no data yet in {home}")
        return
    paths = [home, *(os.path.join(at, name) for at, folders, names in os.walk(home) for name in (*folders, *names))]
    states = {path: os.lstat(path) for path in paths if os.path.lexists(path)}
    loose = [path for path, state in states.items() if state.st_mode & 0o077 and not stat.S_ISLNK(state.st_mode)
             and os.path.basename(path) != "config.json"]
    foreign = [path for path, state in states.items() if state.st_uid != os.geteuid()]
    old = time.time() - UNDER_WAY
    drafts = [path for path, state in states.items() if path.endswith(".tmp") and state.st_mtime < old]
    begun = [path for path, state in states.items() if os.path.basename(path) == "compaction.json"
             and state.st_mtime < old and has_failed(os.path.dirname(path))]
    if loose:
        yield Finding("fix", f"{listed(loose)}: others may read it", f"chmod -R go= {shlex.quote(home)}")
    else:
        yield Finding("ok", f"{home} is private")
    if foreign:
        yield Finding("fix", f"{listed(foreign)}: belongs to another user",
                      f"sudo chown -R {os.geteuid()} {shlex.quote(home)}")
    if drafts:
        yield Finding("note", f"{listed(drafts)}: left by a process that was killed", f"rm {shlex.join(drafts)}")
    if begun:
        yield Finding("note", f"{listed(begun)}: a compaction began and did not finish",
                      "/compact-keeper:restore in that session brings in what was saved before it.")
    yield from size_findings(home, {path: state.st_size for path, state in states.items()})


def has_failed(folder: str) -> bool:
    """Whether the session in the folder stopped at its compaction, as its transcript shows."""
    try:
        compaction = read_compaction(folder)
        return compaction.get("stage") == "begun" and bool(failure(compaction))
    except (OSError, Refusal):
        return False


def size_findings(home: str, sizes: dict[str, int]) -> Iterator[Finding]:
    """How much of the disk the data take, by part, and what is free."""
    parts: dict[str, int] = {}
    for path, size in sizes.items():
        name = os.path.relpath(path, home).split(os.sep)[0]
        part = "sessions" if name == "sessions" else "archive" if name.startswith("archive.db") else "events and log"
        parts[part] = parts.get(part, 0) + size
    limit = settings_of("", lambda _: None)["archive_mb"]
    told = ", ".join(f"{part} {size / 1e6:.1f} MB" for part, size in sorted(parts.items()))
    yield Finding("ok", f"{told} (the archive may have {limit:,} MB)")
    if (free := shutil.disk_usage(home).free) < LITTLE_ROOM:
        yield Finding("fix", f"only {free / 1e6:.0f} MB are free where {home} lies", "Make room.")


def listed(paths: Sequence[str]) -> str:
    """The first of the paths, and how many more there are."""
    return paths[0] + (f" and {len(paths) - 1} more" if paths[1:] else "")


def settings_findings(project: str) -> Iterator[Finding]:
    """What is wrong with compact-keeper's own settings and with the client's."""
    complaints: list[str] = []
    settings_of(project, complaints.append)
    for why in complaints:
        yield Finding("fix", quote(why, 400), "Mend the file; README, under Settings, says what each one takes.")
    for path in settings_files(project):
        if why := fault_of(path):
            yield Finding("fix", why, "Mend that line: the client does not read the file as it is.")
        if read_json(path).get("disableAllHooks") is True:
            yield Finding("fix", f"{path}: disableAllHooks switches every hook off", "Take disableAllHooks out.")
    if os.environ.get("COMPACT_KEEPER_OFF"):
        yield Finding("fix", "COMPACT_KEEPER_OFF is set: no hook does anything", "unset COMPACT_KEEPER_OFF")


def log_findings(home: str) -> Iterator[Finding]:
    """The newest lines of hook.log."""
    path, since = os.path.join(home, "hook.log"), time.time() - OLD_LOG
    oldest = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    new = [line for line in file_text(path).splitlines() if line[:20] >= oldest]
    if not new:
        yield Finding("ok", "nothing in the log of the last 7 days")
        return
    yield Finding("note", f"{path}: {len(new)} lines in the last 7 days, the last: {quote(new[-1], 300)}",
                  "A single one may be an odd input; the same again and again is worth a report.")


def copy_findings(found: Sequence[Copy]) -> Iterator[Finding]:
    """What is installed for the project, and what of it stands in the way."""
    for one in found:
        told = f"{one.how}, {one.version}: {one.place}"
        yield Finding("ok", told) if one.active else Finding(
            "fix", f"{told}: it is switched off", one.to_remove.replace(" uninstall ", " enable "))
        if one.active and not one.hooks:
            yield Finding("fix", f"{one.place}: it has no hooks", "Install it again.")
    if not found:
        yield Finding("note", "not installed for this folder; tried are the scripts beside this one",
                      f"python3 {shlex.quote(INSTALL_SCRIPT)} install, or the plugin (README, Install)")
    if lines := copies_warnings(found):
        yield Finding("fix", lines[0], "\n".join(lines[1:]))
    for what, to_do in outdated(found):
        yield Finding("note", what, to_do)


def client_findings() -> Iterator[Finding]:
    """The client's version, and what is known of it."""
    try:
        done = subprocess.run(["claude", "--version"], capture_output=True, text=True, errors="replace",
                              timeout=CLIENT_LIMIT, stdin=subprocess.DEVNULL)
        found = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    except (OSError, subprocess.TimeoutExpired):
        found = None
    if not found:
        yield Finding("note", "the client's version is not known: `claude --version` did not tell it",
                      "So what is known of that version cannot be told.")
        return
    yield Finding("ok", f"client {found[0]}")
    for last, level, what, to_do in QUIRKS:
        if tuple(map(int, found.groups())) <= tuple(map(int, last.split("."))):
            yield Finding(level, f"client {found[0]} {what}", to_do)


def examine(project: str, is_trusted: bool) -> Iterator[Finding]:
    """All findings of a session in this folder; what the project's own files start is tried where it is trusted."""
    found = copies(project)
    yield from copy_findings(found)
    serving = [one for one in found if one.active and one.hooks]
    strange = [] if is_trusted else [one for one in serving if one.project]
    if strange:
        yield Finding("note", f"{strange[0].how}: not tried, its hooks are the project's own", TRUST)
    yield from tried(next((one for one in serving if one not in strange), None), project)
    yield from status_line_findings(project, is_trusted)
    yield from data_findings(data_home())
    yield from settings_findings(project)
    yield from log_findings(data_home())
    yield from client_findings()


def tried(copy: Copy | None, project: str) -> Iterator[Finding]:
    """What came of it to run the hooks of an installation; without one those of the plugin around this file."""
    root = copy.place if copy else PLUGIN_FOLDER
    hooks = copy.hooks if copy else hooks_in(os.path.join(root, "hooks", "hooks.json"))
    if not hooks:
        yield Finding("fix", "there are no hooks that could be tried", "Install it: README, Install.")
        return
    python, told = python_of(hooks)
    yield from told
    plays, begun = [play(hooks, root, project)], time.monotonic()
    yield from loop_findings(plays[0])
    if python:
        starts = [start_time(python.name)]
        while len(plays) < PLAYS and time.monotonic() - begun < PLAYS_MAX_SECONDS:  # in turns: both meet the same load
            plays.append(play(hooks, root, project))
            starts.append(start_time(python.name))
        yield from time_findings(hooks, plays, statistics.median(starts))
        beside = os.path.join(root, "scripts")
        yield from python_findings(python, beside if os.path.isdir(beside) else root)


def file_text(path: str) -> str:
    """The file's text, empty when it cannot be read."""
    try:
        return (read_bytes(path) or b"").decode("utf-8", "replace")
    except (OSError, Refusal):
        return ""


def file_records(path: str) -> list[Record]:
    """The objects on the lines of a file."""
    return [record for line in file_text(path).splitlines() for record in parse_line(line.encode())]


def run_doctor(project: str | None, as_json: bool) -> int:
    """Prints the findings, of a project's own hooks too where one is named: 0 when there is nothing to fix, else 1."""
    findings = []
    for finding in examine(os.path.abspath(project or "."), project is not None):
        findings.append(finding)
        if not as_json:
            print("\n      ".join([f"{finding.level:<5} {finding.what}", *finding.to_do.splitlines()]), flush=True)
    wrong = sum(finding.level == "fix" for finding in findings)
    if as_json:
        print(json.dumps({"schema": SCHEMA, "findings": [finding._asdict() for finding in findings]}))
    else:
        print(f"\n{wrong} to fix" if wrong else "\nNothing to fix")
    return int(wrong > 0)
