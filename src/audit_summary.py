r"""Audit the summary that a compaction wrote: what it says that the record contradicts, and what it leaves out.

A hook for PostCompact. One pipeline: read summary, memory and what came after it -> compare what is certain on both
sides -> leave out what was put back anyway -> note.
Reads   the hook's JSON on stdin, compact_summary in it; sessions/<session_id>/memory.json, snapshot.json, pins.jsonl,
        ledger.jsonl, delivered-<id> (the text that was put back); of the working folder whether at most 200 exist.
Starts  save_snapshot.py, where nothing has been put back yet and the session has gone on since it was saved; git, for
        0.2 s at most, without the repository's settings.
Writes  sessions/<session_id>/note.json: the note for the model, at most 1,200 UTF-16 units, which the next event that
        can carry it hands over, without what was put back by then; none, and an older one removed, when nothing was
        found. note.json.given, which the status line reads: what the summary has wrong and the text told already.
        A mark that this compaction was audited. One line in events.jsonl with the figures, one in history.jsonl with
        what was found.
Prints  nothing: of this event nothing reaches the model.
Words   are facts with their source. The summary is a model's text: quoted, on one line, secrets replaced.
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/audit_summary.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Sequence
from functools import partial

from compact_keeper.audit.disk import exists
from compact_keeper.audit.note import counts_of, note_of
from compact_keeper.client.catch_up import current_snapshot
from compact_keeper.client.hook import run_hook_or_help
from compact_keeper.machine.git_now import git_now
from compact_keeper.machine.repository import project_folders
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.summary.comparisons import compare
from compact_keeper.store.compaction import COMPACTION_ID, read_compaction
from compact_keeper.store.disk import end_of
from compact_keeper.store.events import note_event
from compact_keeper.store.folder import MEMORY_FILE, append_line, private_folder, session_folder
from compact_keeper.store.history import HISTORY_FILE, audit_line
from compact_keeper.store.json_files import refuse_later_version
from compact_keeper.store.json_lines import parse_line
from compact_keeper.store.ledger import LEDGER_FILE
from compact_keeper.store.memory import sound_memory
from compact_keeper.store.note import NOTE_FILE, delivered_text, keep_given, leave_note
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.store.session_marks import take_mark
from compact_keeper.store.snapshot import own_snapshot
from compact_keeper.store.unasked import leave_unasked
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units
from compact_keeper.text.sanitize import TEXT_MAX_CHARACTERS
from compact_keeper.types import CompactionState, HookInput, Item, JsonObject, Memory, Snapshot, SummaryFinding

GIT_MAX_SECONDS = 0.2  # PostCompact is waited for
FILE_END_BYTES = 64 << 10  # what came after the save stands at the end of a file


def audit(data: HookInput) -> None:
    """The hook: compares the summary with the session's memory and leaves the note for the model."""
    summary, started = text_of(data, "compact_summary"), time.time()
    if data["hook_event_name"] != "PostCompact" or text_of(data, "agent_id") or not summary.strip():
        return
    if not os.path.isdir(session_folder(data["session_id"])):
        return
    folder = private_folder("sessions", data["session_id"])
    compaction = read_compaction(folder)
    if compaction.get("stage") == "a subagent's":
        return  # the client named no agent_id; restore_snapshot.py, which runs before, found out
    snapshot = snapshot_of_compaction(data, folder, compaction)
    memory = snapshot or sound_memory(os.path.join(folder, MEMORY_FILE))  # the snapshot holds the same items
    refuse_later_version(os.path.join(folder, NOTE_FILE))
    if not memory:
        return
    # The delivered text's, where it has gone out; without a snapshot a name of the same form.
    compaction_id = text_of(snapshot, "id") or f"{memory['position']:08x}"
    if not take_mark(folder, "audited-", compaction_id):
        return
    leave_unasked(folder, compaction_id)
    findings = findings_of(data, folder, summary, memory, text_of(snapshot, "project"))
    note, in_text = leave_findings(
        folder, findings, {"session": data["session_id"], "id": compaction_id, "time": started})
    note_event("audit", data["session_id"], time=started, id=compaction_id, **counts_of(findings), in_text=in_text,
               trigger=text_of(data, "trigger"), units=units(note), ms=int((time.time() - started) * 1000))
    append_line(os.path.join(folder, HISTORY_FILE), audit_line(compaction_id, findings))


def leave_findings(folder: str, findings: Sequence[SummaryFinding], about: JsonObject) -> tuple[str, int]:
    """Leaves the note on the findings for the model, none where there are none; returns its text.

    With it returns how many things that the summary left out stand in the text that has gone out by now.

    What the text that was put back tells already is not in it, and kept for the status line, which counts both. Before
    that has gone out its words are taken out at hand-over. `about`: the compaction that they are about.
    """
    about = {**about, "contradicted": counts_of(findings)["contradicted"]}
    delivered = delivered_text(folder, text_of(about, "id"))
    with_text = [finding for finding in findings if finding["record"] in delivered]
    keep_given(folder, {**about, "findings": [finding for finding in with_text if finding["said"]]})
    text, lines = note_of(finding for finding in findings if finding not in with_text)
    leave_note(folder, {**about, "text": text, "findings": lines})
    return text, sum(not finding["said"] for finding in with_text)


def snapshot_of_compaction(data: HookInput, folder: str, compaction: CompactionState) -> Snapshot:
    """The session's snapshot under the compaction's id; as of now also where nothing has been put back yet."""
    earlier = earlier_without_audit(folder, compaction)
    compaction_id = earlier or text_of(compaction, "id")
    if not earlier and compaction.get("stage") == "begun":  # PostCompact came before SessionStart, or nothing comes
        snapshot, _, _ = current_snapshot(data, folder)
    else:
        snapshot = own_snapshot(folder, data["session_id"])
    if not snapshot:
        return {}
    return {**snapshot, "id": compaction_id} if re.match(COMPACTION_ID, compaction_id) else snapshot


def earlier_without_audit(folder: str, compaction: CompactionState) -> str:
    """The id of the compaction before, where its summary was not audited yet; else empty.

    The next compaction may be prepared already when this one's PostCompact comes.
    """
    compaction_id = text_of(compaction.get("earlier", {}), "id")
    if not re.match(COMPACTION_ID, compaction_id) or os.path.exists(os.path.join(folder, f"audited-{compaction_id}")):
        return ""
    return compaction_id


def findings_of(
        data: HookInput, folder: str, summary: str, memory: Snapshot | Memory, project: str) -> list[SummaryFinding]:
    """What the record contradicts in the summary, and what the summary leaves out."""
    items = memory["items"] + items_since(folder, project, text_of(memory, "time"))
    text = summary[:TEXT_MAX_CHARACTERS]
    folder_now = text_of(memory["state"], "cwd") or data["cwd"]
    git = git_now(folder_now, text_of(memory, "began"), GIT_MAX_SECONDS) if folder_now else {}
    paths = [item["path"] for item in items if item.get("path")]
    return compare(text, items, git, partial(exists, folder_now, paths))


# --- what came after the save ---


def items_since(folder: str, project: str, saved: str) -> list[Item]:
    """What came after the time of the save: commands of the ledger, with how they ended, typed prompts; pins.

    Of a command that the client calls successful the ledger has no output: how its checks ended is not known.
    """
    items = pin_items(pins_in(folder, project_folders(project)))
    for line in end_of(os.path.join(folder, LEDGER_FILE), FILE_END_BYTES).splitlines():
        for event in parse_line(line):
            at: Item = {"last": text_of(event, "time"), "position": sys.maxsize, "status": "open"}
            if at["last"] <= saved:
                continue
            if event.get("command") and not event.get("interrupted"):
                items.append({**at, **action_of(event)})
            elif event.get("event") == "prompt":
                items.append({**at, "kind": "message", "text": text_of(event, "text"), "who": "user"})
    return [item for item in items if item["text"]]


def action_of(event: JsonObject) -> Item:
    """The command of a line of the ledger; it failed or passed only where its exit code is its one check's own."""
    command, error = text_of(event, "command"), text_of(event, "error")
    checks = checks_in(command)
    is_own = len(checks) == 1 and checks[0]["shows_exit"] and not checks[0]["in_background"]
    verdict = ("passed" if event.get("ok") is True else "failed") if is_own else "unknown"
    return {"kind": "action", "tool": "Bash", "text": command, "who": "assistant", "result": error,
            "verdict": "not run" if event.get("exit") in (126, 127) else verdict,
            "family": checks[0]["family"] if checks else ""}


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    return run_hook_or_help(audit, argv, __doc__)


if __name__ == "__main__":
    raise SystemExit(main())
