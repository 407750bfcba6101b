"""Everything that compact-keeper does, tried on a made-up session, and what to do about each thing found.

A compaction is played in a temporary data folder, each hook started by the shell through the very command that the
client would run for a session in the folder, with the interpreter that PATH gives: what was typed and done is recorded,
saved, put back and compared with a summary that is not true; so the status line is drawn. Hooks that the project itself
brings may be anything: they run only where the project is named. The person's own data are only read.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence

from compact_keeper.setup.copy_faults import (
    copies_warnings,
    differing_copies,
    missing_marketplaces,
    outdated,
    shown_version,
)
from compact_keeper.setup.data_findings import home_findings, settings_findings
from compact_keeper.setup.finding import Finding
from compact_keeper.setup.installed import UNKNOWN_VERSION, Copy, Hook, copies, hooks_in, scripts_in
from compact_keeper.setup.interpreter import python_findings, python_of, start_seconds
from compact_keeper.setup.played_session import Play, environment_with, loop_findings, play, play_hook, time_findings
from compact_keeper.setup.plugin_folder import client_on_path
from compact_keeper.setup.status_line_setting import is_of_uninstalled_plugin, status_line_of, status_line_words
from compact_keeper.setup.target import INSTALL_SCRIPT, PLUGIN_FOLDER, Target, typed_command
from compact_keeper.store.folder import SCHEMA, STATUS_FILE
from compact_keeper.store.settings import settings_of
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.quotation import quote

PLAYS = 5  # times that the session is played to measure
PLAYS_MAX_SECONDS = 1.0  # after which no further one begins
REDRAW_SECONDS = 0.3  # after which the client may draw the status line again
STATUS_LINE_MAX_SECONDS = 20
OPEN_TASKS = 321  # that the made-up session has for the status line
NOT_INSTALLED = "Not installed for this folder, so nothing is kept here; the scripts that were tried work"
TRIED = "Tried on a made-up session:"
WITHOUT_GATE = "does not heed the gate"
QUIRKS = (  # clients up to this version; the level; what is known; what to do (measured, see docs/decisions.md)
    ("2.1.75", "fix", "switches all hooks off that stand beside one for an event it does not know", "claude update"),
    ("2.1.76", "note", WITHOUT_GATE, "claude update, or set gate to \"off\""),
    ("2.1.105", "note", "loses what was put back when another process resumes after /compact",
     "nothing: it is put back again at the next prompt"),
    ("2.1.328", "ok", "does not say which subagent was compacted; its transcript tells", ""),
)


def run_doctor(project: str | None, as_json: bool) -> int:
    """Prints the findings, of a project's own hooks too where one is named: 0 when there is nothing to fix, else 1."""
    findings: list[Finding] = []
    for finding in examine(os.path.abspath(project or "."), project is not None):
        if not as_json:
            is_first_tried = finding.on_made_up_session and not (findings and findings[-1].on_made_up_session)
            print(f"{TRIED}\n" * is_first_tried + in_rows(finding), flush=True)
        findings.append(finding)
    wrong, notes = (sum(finding.level == level for finding in findings) for level in ("fix", "note"))
    if as_json:
        print(json.dumps({"schema": SCHEMA, "findings": [finding._asdict() for finding in findings]}))
    else:
        is_there = any(copy.active and copy.hooks for copy in copies(os.path.abspath(project or ".")))
        sound = "Nothing to fix" + (f"; {count_shown(notes, 'note')} above" if notes else "")
        print(f"\n{wrong} to fix" if wrong else f"\n{sound}" if is_there else f"\n{NOT_INSTALLED}")
    return int(wrong > 0)


def in_rows(finding: Finding) -> str:
    """The finding, and below it what to do; a step further in where it stands below the head of what was tried."""
    step = "  " * finding.on_made_up_session
    return f"\n      {step}".join([f"{step}{finding.level:<5} {finding.what}", *finding.to_do.splitlines()])


def examine(project: str, is_trusted: bool) -> Iterator[Finding]:
    """All findings of a session in this folder; what the project's own files start is tried where it is trusted."""
    installed = copies(project)
    yield from copy_findings(installed)
    serving = [copy for copy in installed if copy.active and copy.hooks]
    strange = [] if is_trusted else [copy for copy in serving if copy.project]
    if strange:
        yield Finding("note", f"{strange[0].how}: not tried, its hooks are the project's own",
                      how_to_try(strange[0].project))
    if is_trusted and not any(copy.project for copy in serving):
        yield Finding("ok", f"the project {project} brings no hooks of its own")
    trusted = next((copy for copy in serving if copy not in strange), None)
    # A project's copy of this script has none beside it, the plugin and a clone have.
    if trusted or not strange or hooks_in(os.path.join(PLUGIN_FOLDER, "hooks", "hooks.json")):
        yield from tried(trusted, project)
    if all(copy.active for copy in installed if copy.cached):  # while the plugin is switched off, its line is empty
        yield from status_line_findings(project, is_trusted)
    yield from home_findings()
    yield from settings_findings(project)
    yield from client_findings(project)


def how_to_try(project: str) -> str:
    """What a person types to have the project's own files tried."""
    target = Target(os.path.join(project, ".claude"), project)
    return (f"Where you trust the project's files: {target.to_run('doctor')}\n"
            f"or typed in a session there: {typed_command('doctor')} project")


def copy_findings(installed: Sequence[Copy]) -> Iterator[Finding]:
    """What is installed for the project, and what of it stands in the way."""
    for copy in installed:
        what = f"{copy.how}, {shown_version(copy)}: {copy.path}"
        if copy.active:
            yield Finding("ok", what)
        else:
            yield Finding("fix", f"{what}: it is switched off", copy.to_remove.replace(" uninstall ", " enable "))
        if copy.active and not copy.hooks:
            yield Finding("fix", f"{copy.path}: it has no hooks", "Install it again.")
    if not installed:
        yield Finding("note", "not installed for this folder; tried are the scripts beside this one",
                      f"python3 {shlex.quote(INSTALL_SCRIPT)} install, or the plugin: claude plugin marketplace add "
                      f"{shlex.quote(PLUGIN_FOLDER)} && claude plugin install compact-keeper@compact-keeper\n"
                      "A session that `claude --plugin-dir` has started has it all the same: type "
                      f"{typed_command('doctor')} there.")
    for path in missing_marketplaces():
        yield Finding("fix", f"the client does not load the plugin: {quote(path, 300)}, its marketplace, is gone",
                      "claude plugin marketplace add FOLDER, with the folder where the clone is now")
    lines = copies_warnings(installed)
    if lines:
        yield Finding("fix", lines[0], "\n".join(lines[1:]))
    for what, to_do in (*differing_copies(installed), *outdated(installed)):
        yield Finding("note", what, to_do)


def tried(copy: Copy | None, project: str) -> Iterator[Finding]:
    """What came of it to run the hooks of an installation; without one those of the plugin around this file."""
    root = copy.path if copy else PLUGIN_FOLDER
    hooks = copy.hooks if copy else hooks_in(os.path.join(root, "hooks", "hooks.json"))
    scripts = copy.scripts if copy else scripts_in(os.path.join(root, "scripts"))
    if not hooks:
        yield Finding("fix", "there are no hooks that could be tried", "Install it: README, Install.")
        return
    python, findings = python_of(hooks)
    yield from findings
    plays, begun = [play(hooks, root, project)], time.monotonic()
    has_audit = any(hook.name() == "audit_summary" for hook in hooks)
    for finding in loop_findings(plays[0], has_audit or not copy or copy.version != UNKNOWN_VERSION):
        yield finding._replace(on_made_up_session=True)
    if python:
        starts = [start_seconds(python.name)]
        while len(plays) < PLAYS and time.monotonic() - begun < PLAYS_MAX_SECONDS:  # in turns: both meet the same load
            plays.append(play(hooks, root, project))
            starts.append(start_seconds(python.name))
        yield from time_findings(hooks, plays, statistics.median(starts))
        runners = [os.path.dirname(script) for script in scripts if os.path.basename(script) == "run_hook.py"]
        yield from python_findings(python, "".join(runners[:1]))


def status_line_findings(project: str, is_trusted: bool) -> Iterator[Finding]:
    """Whether the status line is compact-keeper's; then what comes of it to run it once as the client does."""
    what, to_do = status_line_words(project)
    line = status_line_of(project)
    if not line.is_ours:
        yield Finding("ok", f"status line: {what}; {to_do}")
        return
    if line.target.project and not is_trusted:
        yield Finding("note", f"status line: {what}; not tried, it is the project's own",
                      how_to_try(line.target.project))
        return
    if is_of_uninstalled_plugin(line.command):  # drawn, it would take itself out
        yield Finding("note", f"status line: {what}", f"Nothing; {to_do}")
        return
    if to_do:
        yield Finding("note", f"status line: {what}, but not as it would be set now", to_do)
    hook = Hook("StatusLine", line.command, STATUS_LINE_MAX_SECONDS)
    played = status_line_drawn(hook, project)
    drawn = played.printed[hook.event]
    if f"{OPEN_TASKS} open tasks" not in drawn:
        why = next(iter(played.faults), f"it printed {quote(drawn, 200) or 'nothing'}")
        yield Finding("fix", f"status line: {what}, but it does not draw compact-keeper's: {quote(why, 200)}",
                      f"{line.target.to_run('status-line')}\nor, to be without it, the same with --remove")
        return
    drawn_in = f"status line: {what}, {played.seconds[hook] * 1000:.0f} ms"
    if played.seconds[hook] > REDRAW_SECONDS:
        yield Finding("note", drawn_in, "What it wraps, or the start of a process, takes its time; the client ends a "
                      "run to begin the next.")
    else:
        yield Finding("ok", drawn_in)


def status_line_drawn(hook: Hook, project: str) -> Play:
    """What came of it to run the status line's command as the client does, for a session with OPEN_TASKS."""
    played = Play({hook.event: ""}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(scratch, "sessions", "doctor")
        os.makedirs(folder)
        with open(os.path.join(folder, STATUS_FILE), "w", encoding="utf-8") as file:
            json.dump({"schema": SCHEMA, "time": time.time(), "tasks": OPEN_TASKS}, file)
        given = {"session_id": "doctor", "cwd": project, "workspace": {"current_dir": project, "project_dir": project}}
        play_hook(hook, json.dumps(given), environment_with(scratch, project), played)
    return played


def client_findings(project: str) -> Iterator[Finding]:
    """The client's version, and what is known of it that matters with the settings in force."""
    version = client_on_path()
    if not version:
        yield Finding("note", "the client's version is not known: `claude --version` did not tell it",
                      "So what is known of that version cannot be told.")
        return
    shown = ".".join(map(str, version))
    yield Finding("ok", f"client {shown}")
    has_gate = settings_of(project, lambda *_: None)["gate"] == "hold"
    for last, level, what, to_do in QUIRKS:
        if version <= tuple(map(int, last.split("."))) and (has_gate or what != WITHOUT_GATE):
            yield Finding(level, f"client {shown} {what}", to_do)
