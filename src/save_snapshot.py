r"""Save what a compaction would lose: read what is new in the session, keep its items with their source.

A hook for PreCompact and Stop: read (transcript, ledger) -> entries -> items -> merged with memory, pruned -> stored.
restore_snapshot.py starts it at SessionStart, where the session has gone on since the last save. At the plugin's Stop
nobody waits for it; it waits itself, for 2 s at most, until the turn's answer stands in the transcript.
Reads   the hook's JSON on stdin; the transcript from where the last save stopped, at most its last 8 MB, and of
        what lies before that on a first read only the lines with typed words; the session's ledger; the settings.
Writes  sessions/<session_id>/memory.json (every item known, how far was read), snapshot.json (what restore_snapshot.py
        chooses from), compaction.json (that a compaction begins), status.json (figures for the status line), notes.md
        (the session for people, with what git says is in no commit), a line in events.jsonl. Drafts of killed processes
        go, and at a compaction the folders of old sessions.
Starts  git at a Stop and before a compaction, for the notes, 0.2 s at most, without the repository's settings;
        recall.py, which takes the new turns into the archive, where it lies beside (COMPACT_KEEPER_ARCHIVE=off: not);
        with "transcript_backup": "gzip" itself with --backup.
Prints  on PreCompact at most 300 characters for the summariser: what comes back separately, what to spend it on.
        Nothing where nothing can come back, as nothing could be saved; nor at a subagent's: the session is saved, and
        no compaction of its begins.
Keeps   to typed words: no rule comes from a tool's output, a page, a summary or our own text. Secrets are replaced
        before anything is written.
By hand:
    save_snapshot.py --dry-run [TRANSCRIPT]    prints the snapshot that a save would store now (default: the newest
                                               transcript); restore_snapshot.py --show tells what would come back of it
    save_snapshot.py --backup TRANSCRIPT [SESSION]    keeps a compressed copy of the transcript, the newest 5
    save_snapshot.py --backups SESSION                names the copies; gzip -dc reads one back
    save_snapshot.py --fork TRANSCRIPT SESSION        saves a session that is a fork and was never saved, so that it
                                                      has its parent's record and pins; of any other it does nothing
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json, the same entry for Stop:
    {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/save_snapshot.py\" || true"}]}]}}
COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; a fault leaves the files as they were. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from compact_keeper.client.catch_up import is_of_another
from compact_keeper.client.entries import TRIGGER_MAX_UTF16
from compact_keeper.client.fork import inherited_memory, is_fork
from compact_keeper.client.hook import print_json, run_hook
from compact_keeper.client.last_answer import wait_for_answer
from compact_keeper.client.ledger_reading import fold_ledger, hook_times
from compact_keeper.client.processes import script_command, start_alone
from compact_keeper.client.project import newest_transcript, project_folder
from compact_keeper.notes.log import log_after
from compact_keeper.notes.page import keep_notes
from compact_keeper.record.gate import hold_for
from compact_keeper.record.memory_figures import cleared_failures, figures_of_memory
from compact_keeper.record.session import read_on, snapshot_of, without_named_secrets
from compact_keeper.store.attempt import attempt_each
from compact_keeper.store.backup import backups_listed, copy_transcript
from compact_keeper.store.compaction import begin_compaction, read_compaction, set_stage
from compact_keeper.store.disk import size_of, state_of_file
from compact_keeper.store.events import note_event
from compact_keeper.store.folder import (
    MEMORY_FILE,
    NOTES_PAGE,
    SCHEMA,
    SESSION_ID,
    SNAPSHOT_FILE,
    STATUS_FILE,
    data_home,
    private_folder,
    session_folder,
)
from compact_keeper.store.json_files import encoded_json, read_store, refuse_later_version, replace_store
from compact_keeper.store.log import log
from compact_keeper.store.memory import fault_in, usable_memory
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.store.rest import remove_rest
from compact_keeper.store.retention import forget_old_sessions, remove_drafts
from compact_keeper.store.session_lock import lock_session
from compact_keeper.store.settings import settings_for
from compact_keeper.store.snapshot import can_come_back
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.times import moment
from compact_keeper.types import CompactionState, Entry, HookInput, JsonObject, Memory, Saved, Settings, Snapshot

INSTRUCTIONS = (  # at most 300 characters: on a manual /compact the client shows them and keeps them in the new context
    "compact-keeper: messages, tasks, edits, commands and how they ended are put back separately. Spend the summary on "
    "the rest: why; decisions with the rejected alternative; what was learned; half-done steps; what is only claimed. "
    "Quote rules and corrections word for word. Use the user's language.\n")
EVENTS = ("PreCompact", "Stop", "SessionStart")
BESIDE = "COMPACT_KEEPER_BESIDE"  # hooks/run starts a turn's save with it, when nobody waits for that
TYPED_BEHIND_MAX_UTF16 = 300  # of what was typed behind /compact, in events.jsonl


def save(data: HookInput) -> None:
    """The hook: saves the session; before a compaction it tells the summariser what to keep in any case."""
    event = data["hook_event_name"]
    is_of_subagent = bool(text_of(data, "agent_id"))  # its compaction begins none of the main thread's
    if event not in EVENTS or (is_of_subagent and event != "PreCompact"):
        return
    settings = settings_for(project_folder(data))
    folder = private_folder("sessions", data["session_id"])
    if event == "PreCompact" and not is_of_subagent:
        save_before_compaction(data, folder, settings)
    else:
        if event == "Stop" and os.environ.get(BESIDE):
            wait_for_answer(data["transcript_path"], text_of(data, "last_assistant_message"))
        saved = save_session(data, folder, settings)
        finish(data, folder, settings, "Stop" if is_of_subagent else event, saved)


def save_before_compaction(data: HookInput, folder: str, settings: Settings) -> None:
    """Saves, and prints the answer to the client: that the compaction is held, else what the summary is to hold.

    Only what can come back may be left out of the summary: what was saved now, or else before.
    """
    saved: Saved | None = None
    hold: JsonObject = {}
    try:
        saved = save_session(data, folder, settings)
        hold = answer_holding_back(data, folder, settings)
        if not hold:
            transcript = data["transcript_path"]
            begin_compaction(folder, {
                "id": saved["id"], "time": time.time(), "trigger": text_of(data, "trigger"),
                "project": project_folder(data), "transcript": transcript, "offset": size_of(transcript)})
            remove_rest(folder)
        finish(data, folder, settings, "PreCompact", saved)
    finally:
        is_safe = saved is not None and bool(saved["after"]["items"])
        if hold:
            print_json(hold)
        elif settings["instructions"] and (is_safe or can_come_back(folder, data["session_id"])):
            os.write(1, INSTRUCTIONS.encode())


def save_session(data: HookInput, folder: str, settings: Settings) -> Saved:
    """Reads on, and stores memory and snapshot."""
    started = time.time()
    compaction_id = f"{int(started * 1e6):x}"
    lock_session(folder)
    state = state_of_file(os.path.join(folder, MEMORY_FILE))
    before = known_memory(data, folder)
    after, compacted = memory_now(data, folder, before, settings)
    is_stored = store(folder, state, after, {
        **snapshot_of(after, settings), "session": data["session_id"], "id": compaction_id, "created": started,
        "ttl": 60 * settings["ttl_minutes"], "project": project_folder(data)})
    return {"id": compaction_id, "before": before, "after": after, "started": started, "compacted": compacted,
            "is_stored": is_stored}


def known_memory(data: HookInput, folder: str) -> Memory:
    """What the session's last save knew; of a fork's first save, what its parent knew up to there."""
    memory = usable_memory(os.path.join(folder, MEMORY_FILE))
    transcript = data["transcript_path"]
    has_read_nothing = not memory or memory.get("roots") == []  # no uuid yet: no transcript was there to be read
    if has_read_nothing and os.path.isfile(transcript):
        return inherited_memory(folder, transcript) or memory
    return memory


def memory_now(data: HookInput, folder: str, memory: Memory, settings: Settings) -> tuple[Memory, list[Entry]]:
    """The memory after everything new was read, its log of what happened too; and the compactions that were new."""
    after, entries = read_on(memory, own_transcript(data, memory), folder, settings)
    if settings["notes"] and entries:
        after["progress"] = log_after(after["progress"], entries, memory.get("items", []), folder)
    return without_named_secrets(after), [entry for entry, _ in entries if entry.get("what") == "compacted"]


def own_transcript(data: HookInput, memory: Memory) -> str:
    """The session's transcript; no path where another session's file has taken its place."""
    path = data["transcript_path"]
    place = memory.get("place", {})
    if place and os.path.isfile(path) and is_of_another(path, place, data["session_id"]):
        log(f"{path} holds another session now and is not read")
        return ""
    return path


def store(folder: str, state: tuple[int, ...], memory: Memory, snapshot: Snapshot) -> bool:
    """Whether memory and snapshot were stored; not where a save beside this one has read further.

    `state`: of the stored memory as this save read it.
    """
    memory_path = os.path.join(folder, MEMORY_FILE)
    snapshot_path = os.path.join(folder, SNAPSHOT_FILE)
    refuse_later_version(snapshot_path)
    if state_of_file(memory_path) != state and read_store(memory_path).get("position", 0) > memory["position"]:
        return False
    items = encoded_json(memory["items"])  # to write them takes half of the time
    replace_store(memory_path, memory, items=items)
    replace_store(snapshot_path, snapshot, items=items)
    return True


def answer_holding_back(data: HookInput, folder: str, settings: Settings) -> JsonObject:
    """The answer that holds the compaction, where the gate does; empty where the compaction may begin."""
    if settings["gate"] != "hold" or text_of(data, "trigger") != "auto":
        return {}
    known = read_compaction(folder)
    hold = hold_for(known, read_store(os.path.join(folder, MEMORY_FILE)), data["transcript_path"], settings)
    if not hold:
        return {}
    set_stage(folder, {**known, **hold}, known["stage"])
    return {"decision": "block", "reason": f"compact-keeper: {hold['why']}"}


# --- what is left to do when the snapshot is safe ---


def finish(data: HookInput, folder: str, settings: Settings, reason: str, saved: Saved) -> None:
    """Does what is left, each part whatever became of the others; one that fails is a line in hook.log.

    `reason`: the event that events.jsonl tells it was for. Nothing where a save beside this one does it.
    """
    if not saved["is_stored"]:
        return
    before, after, started = saved["before"], saved["after"], saved["started"]
    home = data_home()
    recorded: dict[str, int] = {}  # by the first part, for the line in events.jsonl
    parts: dict[str, Callable[[], object]] = {
        "ledger.jsonl": lambda: recorded.update(hook_times(folder) if fold_ledger(folder) else {}),
        "events.jsonl of compactions": lambda: note_compactions(data["session_id"], saved["compacted"]),
        "events.jsonl": lambda: note_save(data, folder, reason, saved, recorded),
        "drafts": lambda: remove_drafts(folder),
        "drafts of all sessions": lambda: remove_drafts(home),
        "status.json": lambda: store_status(data, folder, after, started)}
    if settings["notes"] and after["position"] > before.get("position", 0):
        parts[NOTES_PAGE] = lambda: keep_notes(data, folder, after)
    if reason == "PreCompact":
        parts["old sessions"] = lambda: forget_old_sessions(folder, settings["retention_days"])
    if settings["transcript_backup"] == "gzip":
        parts["transcript_backup"] = lambda: start_backup(data, folder, started)
    if settings["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off":
        parts["archive"] = lambda: start_indexing(data["transcript_path"])
    attempt_each("after the save", parts)


def store_status(data: HookInput, folder: str, memory: Memory, started: float) -> None:
    """Replaces the figures that the status line shows."""
    path = os.path.join(folder, STATUS_FILE)
    refuse_later_version(path)
    replace_store(path, {**figures_of_memory(memory), "time": started, "project": project_folder(data),
                         "transcript": data["transcript_path"]})


def note_compactions(session: str, compacted: Iterable[Entry]) -> None:
    """Adds a line to events.jsonl for each compaction of which the client has told its own counts of tokens."""
    for entry in compacted:
        when, tokens = moment(entry["time"]), entry.get("tokens", [])
        if when and tokens:
            note_event("boundary", session, time=when, trigger=entry["trigger"],
                       **dict(zip(("tokens_before", "tokens_after"), tokens)))


def note_save(data: HookInput, folder: str, reason: str, saved: Saved, recorded: dict[str, int]) -> None:
    """Adds the save's line to events.jsonl, with the times that hooks took since the last one.

    Where a compaction begins, with its id, its trigger and what was typed behind /compact.
    """
    before, after, started = saved["before"], saved["after"], saved["started"]
    fields: JsonObject = {"recorded": recorded} if recorded else {}
    begun = read_compaction(folder) if reason == "PreCompact" else {}
    if has_begun(begun, started):
        about = {"id": begun["id"],
                 "trigger": quote(text_of(data, "trigger"), TRIGGER_MAX_UTF16),
                 "typed": quote(text_of(data, "custom_instructions"), TYPED_BEHIND_MAX_UTF16)}
        fields.update({name: value for name, value in about.items() if value})
    note_event("save", data["session_id"], time=started, on=reason, items=len(after["items"]), cycle=after["cycle"],
               cleared=cleared_failures(before, after), **fields, ms=int((time.time() - started) * 1000))


def has_begun(compaction: CompactionState, since: float) -> bool:
    """Whether a compaction has begun since then: none did that the gate held."""
    return compaction.get("time", 0) >= since


def start_indexing(transcript: str) -> None:
    """Starts the process that takes the transcript, and those of the session's subagents, into the archive."""
    subagents = transcript.removesuffix(".jsonl")
    if os.path.isfile(transcript):
        folders = [subagents] if os.path.isdir(subagents) else []
        start_alone(script_command("recall.py", "index", "--quiet", transcript, *folders))


def start_backup(data: HookInput, folder: str, since: float) -> None:
    """Starts the process that copies the transcript, where a compaction has begun."""
    if has_begun(read_compaction(folder), since) and os.path.isfile(data["transcript_path"]):
        start_alone(script_command(
            "save_snapshot.py", "--backup", data["transcript_path"], data["session_id"], "--quiet"))


# --- by hand ---


def dry_run(transcript: str) -> int:
    """Prints the snapshot that a save would store for the transcript now; nothing is written.

    The session's own folder decides on settings and pins, from wherever this is started.
    """
    path = os.path.abspath(transcript) if transcript else newest_transcript()
    if not os.path.isfile(path):
        raise Refusal(f"{transcript} is not a file; name a transcript (*.jsonl)")
    session = os.path.basename(path).partition(".jsonl")[0]
    folder = session_folder(session)
    memory = read_store(os.path.join(folder, MEMORY_FILE))
    project = text_of(read_store(os.path.join(folder, SNAPSHOT_FILE)), "project") or project_folder({})
    settings = settings_for(project)
    if memory and fault_in(memory):  # a save would keep it beside, and read the session anew
        memory = {}
    after = without_named_secrets(read_on(memory, path, folder, settings)[0])
    snapshot = {"schema": SCHEMA, **snapshot_of(after, settings), "session": session, "project": project}
    print(json.dumps(snapshot))
    return 0


def back_up(transcript: str, session: str, is_quiet: bool) -> int:
    """Copies the transcript; quietly, with low priority and its fault in hook.log, where a hook has started it."""
    named = session or os.path.basename(transcript).removesuffix(".jsonl")
    if not SESSION_ID.match(named):
        raise Refusal(f"{named!r} is no session's id; name it behind the transcript")
    if is_quiet and hasattr(os, "nice"):
        os.nice(10)
    try:
        path = copy_transcript(transcript, named)
    except (OSError, Refusal) as fault:
        if not is_quiet:
            raise Refusal(f"{transcript} was not copied: {fault_words(fault)}") from fault
        log(f"{transcript} was not copied: {fault}")
        return 1
    if not is_quiet:
        print(path)
    return 0


def begin_fork(transcript: str, session: str) -> int:
    """Saves the session for the first time where it is a fork: answer_prompt.py starts it before it shows anything."""
    folder = session_folder(session)
    if os.path.isfile(transcript) and not os.path.exists(os.path.join(folder, MEMORY_FILE)) and (
            is_fork(folder, transcript)):
        save({"hook_event_name": "Stop", "session_id": session, "transcript_path": transcript, "cwd": os.getcwd()})
    return 0


def by_hand(arguments: list[str]) -> int:
    """What the command line asks for; the page for anything else."""
    command, *words = [word for word in arguments if word != "--quiet"] or [""]
    if command == "--dry-run" and len(words) < 2:
        return dry_run("".join(words))
    if command == "--backup" and 0 < len(words) < 3:
        return back_up(words[0], "".join(words[1:]), "--quiet" in arguments)
    if command == "--fork" and len(words) == 2 and SESSION_ID.match(words[1]):
        return begin_fork(*words)
    if command == "--backups" and len(words) == 1 and SESSION_ID.match(words[0]):
        print("\n".join(backups_listed(words[0])))
        return 0
    print(__doc__)
    return 0 if command == "--help" else 2


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook; with arguments 0 when it was done, 1 with one line that says why not, 2 for wrong usage."""
    arguments: list[Any] = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return run_hook(save)
    try:
        return by_hand(arguments)
    except (OSError, Refusal) as fault:
        sys.stderr.write(f"compact-keeper: {fault_words(fault)}\n")
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
