r"""Put back what a compaction dropped, once, and see to it that it arrived.

A hook for SessionStart and SessionEnd; answer_prompt.py starts it at a prompt where a delivery waits for its receipt:
    SessionStart, compact          the session as of now, with what is true now; to a compacted subagent rules and task;
                                   of a text in several parts the first; the hook's further commands (--rest, --third)
                                   wait until that is out, at most 3 s, and print the others; what is left then, and
                                   all of it without those commands, the next events carry
    UserPromptSubmit               looks for the text in the transcript; what the client lost goes out again, once
    SessionStart, fork             notes that the session is a fork, whose transcript the client writes later
    SessionStart, resume           notes that another process goes on; SessionEnd, that a begun compaction will not end
    SessionStart, startup, clear   one line when a session of this folder that ended in the last 30 minutes stopped at
                                   a compaction that failed, or with a full context
Reads   the hook's JSON on stdin; of this session snapshot.json, compaction.json, summary.json, pins.jsonl, rest.json;
        the end of the transcript, for the receipt; .git, processes.
Starts  save_snapshot.py, where the session has gone on since it was saved; git, for 0.3 s at most, without the
        repository's settings.
Prints  JSON: hookSpecificOutput.additionalContext for the model, at most 9,800 UTF-16 units (the client cuts at
        10,000); a systemMessage line for the person. Mostly nothing.
Writes  delivered-<id>, the exclusive mark with the text (the snapshot stays); rest.json, the further parts until they
        are taken; compaction.json; lines in events.jsonl, one in history.jsonl.
By hand:
    restore_snapshot.py --now [SESSION]                the unfinished compaction's text, else the session's
    restore_snapshot.py --bring-in SESSION [anyway]    the same, and leaves it for that session's model (untold.json);
                                                       where nothing is missing only with `anyway`; with `killed` of
                                                       another session here whose compaction has not ended
                                                       (what is another's becomes its own: memory.json, pins.jsonl)
    restore_snapshot.py --bring-in-anew SESSION        makes the text anew that waits for that session's model
    restore_snapshot.py --show [--why] < SNAPSHOT      what would come back of save_snapshot.py --dry-run; --why:
                                                       the lines under each heading counted, and those left out
To use a copy, put the file into a project's .claude/hooks, save_snapshot.py beside it, and this into
.claude/settings.json, the first entry without the matcher for SessionEnd too, and for UserPromptSubmit where that has
no answer_prompt.py:
    {"hooks": {"SessionStart": [{"matcher": "compact|resume|startup|clear|fork", "hooks": [{
        "type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" || true"}]},
      {"matcher": "compact", "hooks": [{"type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" --rest || true"}, {
        "type": "command", "timeout": 10, "command":
        "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py\" --third || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0 as a hook, whatever happens; by hand 1 with one line that says why nothing is shown. Python 3.9+, standard
library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

from compact_keeper.client.catch_up import current_snapshot
from compact_keeper.client.compactions import boundary_offset, is_due
from compact_keeper.client.hand_over import note_what_went_out
from compact_keeper.client.hook import print_answer, print_json, run_hook
from compact_keeper.client.project import project_folder
from compact_keeper.client.receipt import behind_boundary, receipt
from compact_keeper.client.threads import compacted_agent, task_of
from compact_keeper.client.unfinished import unfinished
from compact_keeper.recap.by_hand import bring_in, bring_in_anew, print_saved, show
from compact_keeper.recap.for_person import counted, said_to_person
from compact_keeper.recap.parts import as_of_now, in_one_part, recap_parts, shown_of, with_pins
from compact_keeper.record.items import new_item
from compact_keeper.store.attempt import attempt_each
from compact_keeper.store.compaction import (
    COMPACTION_ID,
    end_compaction,
    is_waiting,
    positions_of,
    read_compaction,
    set_stage,
)
from compact_keeper.store.events import note_event
from compact_keeper.store.folder import (
    SESSION_ID,
    append_line,
    data_home,
    private_folder,
    session_folder,
    why_not_writable,
)
from compact_keeper.store.history import HISTORY_FILE, restore_line
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.store.rest import leave_rest, take_rest
from compact_keeper.store.session_lock import lock_session
from compact_keeper.store.session_marks import FORK_MARK, take_mark
from compact_keeper.store.summary import summary_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import clock
from compact_keeper.types import CompactionState, Entry, HookInput, Snapshot

STARTED = time.time()
NOTHING_CAME_BACK = "compact-keeper: nothing was put back after this compaction"
HOW_TO_MEND = "/compact-keeper:doctor says what to do."
TASK_MAX_UTF16 = 4_000
REST_PATIENCE_SECONDS, REST_PAUSE_SECONDS = 3.0, 0.01  # that the first part is waited for; most take 0.1
REST_BEHIND_SECONDS = 0.1  # behind the first: the client orders texts by when their shells end


def restore(data: HookInput) -> None:
    """The hook: what is due at this event for this session."""
    event = (data["hook_event_name"], text_of(data, "source"))
    if event == ("SessionStart", "compact"):
        put_back(data)
    elif event in (("SessionStart", "startup"), ("SessionStart", "clear")):
        tell_of_unfinished(data)
    elif event == ("SessionStart", "fork"):
        # Until its first prompt no transcript tells the parent (2.1.329 and 2.1.330).
        take_mark(private_folder("sessions", data["session_id"]), FORK_MARK, "")
    elif os.path.isdir(session_folder(data["session_id"])):
        folder = private_folder("sessions", data["session_id"])
        if event == ("UserPromptSubmit", ""):
            check_receipt(data, folder, read_compaction(folder))
        elif event == ("SessionStart", "resume"):
            note_resume(folder, read_compaction(folder))
        elif event == ("SessionEnd", "") and (compaction := read_compaction(folder)).get("stage") == "begun":
            set_stage(folder, {**compaction, "ended": time.time()}, "begun")  # if not done now, it will not finish


# --- after a compaction: once, to the thread that was compacted ---


def put_back(data: HookInput) -> None:
    """After a compaction: the state of the main thread as of now, or a subagent's rules and task; each once.

    What goes wrong before something is printed the person is told of; behind that nothing raises (see `print_context`).
    """
    try:
        # What was compacted may never have been saved: it is saved now, where there is a transcript.
        if os.path.isdir(session_folder(data["session_id"])) or os.path.isfile(data["transcript_path"]):
            folder = private_folder("sessions", data["session_id"])
            compaction = readable_compaction(folder)
            agent = agent_of(data, compaction)
            if agent:
                put_back_to_subagent(data, folder, compaction, agent)
            else:
                put_back_to_main_thread(data, folder)
    except (OSError, Refusal) as fault:  # no file could be read or kept
        if not text_of(data, "agent_id"):
            why = "" if isinstance(fault, Refusal) else why_not_writable(data_home())
            print_to_person(f"{NOTHING_CAME_BACK}: {why or fault_words(fault)}. {HOW_TO_MEND}")
        raise


def readable_compaction(folder: str) -> CompactionState:
    """How far the compaction has come; empty where that cannot be read: the text goes out all the same."""
    try:
        return read_compaction(folder)
    except (OSError, Refusal):
        return {}


def agent_of(data: HookInput, compaction: CompactionState) -> str:
    """The id of the subagent whose context was compacted; empty for the main thread."""
    agent = text_of(data, "agent_id")
    is_manual = compaction.get("stage") == "begun" and compaction.get("trigger") == "manual"
    if agent or is_manual:  # nobody types /compact for a subagent
        return agent
    has_subagents = os.path.isdir(data["transcript_path"].removesuffix(".jsonl") + "/subagents")
    return compacted_agent(data["transcript_path"]) if has_subagents else ""


def put_back_to_main_thread(data: HookInput, folder: str) -> None:
    """The state of the session as of now, where this compaction's was not put back yet; else why nothing is."""
    snapshot, refusal, as_of = current_snapshot(data, folder)
    lock_session(folder)  # another installation's process may be delivering the same
    compaction = readable_compaction(folder)
    if not is_due(compaction, data["transcript_path"]):
        return
    compaction_id = id_of_delivery(compaction, data["session_id"])
    if refusal:
        keep_back(data, folder, {**compaction, "id": compaction_id}, refusal)
        return
    current = as_of_now({**snapshot, "id": compaction_id, "as_of": as_of, "summary": summary_of(folder, compaction)},
                        folder)
    if current["items"]:
        # Where compaction.json cannot be read, nobody could tell whose a further part is.
        deliver(data, folder, compaction, current if compaction else in_one_part(current))
    elif compaction.get("stage") == "begun":
        set_stage(folder, compaction, "nothing known")  # so nothing that was put back can have been lost


def id_of_delivery(compaction: CompactionState, session: str) -> str:
    """The id under which a compaction's text goes out, once: PreCompact's, where it came before; else a new one.

    That is made of the compaction before, so that two installations, each with a save of its own, make the same.
    """
    compaction_id = text_of(compaction, "id")
    if compaction.get("stage") == "begun" and re.match(COMPACTION_ID, compaction_id):
        return compaction_id
    from binascii import crc32
    return f"{crc32(json.dumps([session, compaction_id, compaction.get('offset')]).encode()):08x}"


def deliver(data: HookInput, folder: str, compaction: CompactionState, snapshot: Snapshot) -> None:
    """Prints the text for the model, unless another process has made the mark before, and notes where it went out.

    Further parts are left before: whoever hands them over waits until the stage says that the first has gone out.
    """
    positions = positions_of(compaction, snapshot)
    parts, lines = recap_parts(snapshot, positions)
    if not take_mark(folder, "delivered-", snapshot["id"], "\n\n".join(parts)):
        return
    leave_rest(folder, snapshot["id"], parts[1:])
    shown, size = shown_of(lines), sum(map(units, parts))
    print_context(data, parts[0], said_to_person(shown, size))
    took = int((time.time() - STARTED) * 1000)
    before = positions or compaction.get("before", [])
    attempt_each("behind the text", {
        "events.jsonl": lambda: note_event("restore", data["session_id"], id=snapshot["id"], units=size, ms=took,
                                           shown=counted(shown)),
        "compaction.json": lambda: set_stage(
            folder, delivered_state(data["transcript_path"], compaction, snapshot["id"], before), "delivered"),
        "history.jsonl": lambda: append_line(
            os.path.join(folder, HISTORY_FILE), restore_line(snapshot, shown, size)),
        "the receipt before": lambda: note_earlier_receipt(data, compaction.get("earlier", {}))})


def note_earlier_receipt(data: HookInput, earlier: CompactionState) -> None:
    """Notes whether the client kept what was put back after the compaction before, where no prompt came to tell it.

    Claude may work for hours without one. What was lost needs no more: the text that has gone out now is the newer.
    """
    outcome = receipt(data["transcript_path"], earlier) if is_waiting(earlier) else ""
    if outcome in ("kept", "unknown"):
        note_event("receipt", data["session_id"], id=earlier["id"], verified=outcome == "kept")


def delivered_state(transcript: str, compaction: CompactionState, compaction_id: str,
                    before: list[int]) -> CompactionState:
    """What compaction.json is to hold of a text that has gone out now under that id.

    `before`: positions of the last automatic compactions.
    """
    state: CompactionState = {"time": STARTED, "id": compaction_id, "before": before,
                              "offset": boundary_offset(transcript), "settled": time.time()}
    if compaction.get("id") == compaction_id:  # else the snapshot is a Stop's, which had no PreCompact
        about: Any = {name: compaction.get(name) for name in ("time", "trigger", "project") if name in compaction}
        state.update(about)
    return state


def keep_back(data: HookInput, folder: str, compaction: CompactionState, why: str) -> None:
    """Says once, in the log, in events.jsonl and to the person, why nothing was put back after a compaction."""
    if not take_mark(folder, "kept_back-", compaction["id"]):
        return
    log(f"nothing was put back: {why}")
    print_to_person(f"{NOTHING_CAME_BACK}: {why}. {how_to_restore(folder)}")
    attempt_each("behind the answer", {
        "events.jsonl": lambda: note_event(
            "kept back", data["session_id"], id=compaction["id"], why=quote(why, 200)),
        "compaction.json": lambda: set_stage(  # nor at the next prompt
            folder, {**compaction, "settled": time.time()}, "kept back")})


def put_back_to_subagent(data: HookInput, folder: str, compaction: CompactionState, agent: str) -> None:
    """To a compacted subagent: the user's rules and its own task. Nothing of the main thread's is delivered by it."""
    if SESSION_ID.match(agent):
        snapshot, refusal, _ = current_snapshot(data, folder)
        if snapshot:
            tell_subagent(data, folder, agent, snapshot)
        elif refusal:
            log(f"nothing was put back to a subagent: {refusal}")
    if not text_of(data, "agent_id"):  # its PreCompact was taken for the main thread's
        attempt_each("behind the text", {"compaction.json": lambda: set_stage(folder, compaction, "a subagent's")})


def tell_subagent(data: HookInput, folder: str, agent: str, snapshot: Snapshot) -> None:
    """Prints pins, rules and task for the subagent, once for each length that its transcript has."""
    task, size = task_of(data["transcript_path"], agent)
    items = [item for item in snapshot["items"] if item["kind"] == "rule"]
    if task:
        at: Entry = {"source": agent, "time": snapshot["time"], "position": snapshot["position"],
                     "cycle": snapshot["cycle"]}
        items.append(new_item("errand", at, cut(redact(clean(task)), TASK_MAX_UTF16), "assistant"))
    known = with_pins({**snapshot, "items": items}, folder)
    if not known["items"]:
        return
    [text, *_], _ = recap_parts(in_one_part({**known, "id": agent, "agent": agent}))
    if take_mark(folder, f"subagent_{agent}-", str(size)):
        tell(data, text, "", "restore", agent=agent)


def put_back_rest(data: HookInput) -> None:
    """A further command at the same start: prints the next part, when the first command has printed the first.

    Those that wait have the session's lock one behind the other, so each prints its part behind the one before.
    """
    folder = session_folder(data["session_id"])
    is_compaction = (data["hook_event_name"], text_of(data, "source")) == ("SessionStart", "compact")
    if not is_compaction or text_of(data, "agent_id") or not os.path.isdir(folder):
        return
    until = time.monotonic() + REST_PATIENCE_SECONDS
    while read_compaction(folder)["stage"] == "begun":
        if time.monotonic() > until:
            return
        time.sleep(REST_PAUSE_SECONDS)
    lock_session(folder)  # until the first command, which holds it, has ended
    rest = take_rest(folder)
    if rest:
        time.sleep(REST_BEHIND_SECONDS)
        print_answer(data["hook_event_name"], {"additionalContext": rest})
        note_what_went_out(data, rest=rest)


# --- the receipt: kept, lost or unknown ---


def check_receipt(data: HookInput, folder: str, compaction: CompactionState) -> None:
    """At a prompt: whether the client kept what was delivered; what it lost goes out again, once.

    The compaction's before comes first: its boundary stands before this one's in the transcript. One text that goes
    out again is enough for a prompt.
    """
    transcript = data["transcript_path"]
    is_own = text_of(data, "prompt").lstrip().startswith("/compact-keeper")  # may be answered without the model
    if is_own or text_of(data, "agent_id") or not os.path.isfile(transcript):
        return
    earlier = compaction.get("earlier", {})
    if is_waiting(earlier):
        outcome = receipt(transcript, earlier)
        behind = behind_boundary(transcript, earlier) if outcome else 0
        if settle(data, folder, earlier, outcome, behind) or not outcome:
            return
        compaction["offset"] = max(compaction.get("offset", 0), behind)
    if is_waiting(compaction):
        settle(data, folder, compaction, receipt(transcript, compaction), 0)


def settle(data: HookInput, folder: str, delivery: CompactionState, outcome: str, behind: int) -> bool:
    """Notes what the transcript tells of a delivery and repeats one that was lost: whether something was printed.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow; 0 of the present one.
    """
    if outcome == "lost" or (outcome == "unknown" and delivery["stage"] != "delivered"):
        return deliver_again(data, folder, delivery, behind)
    if outcome:
        end_compaction(folder, delivery, "verified" if outcome == "kept" else "unseen", behind)
        note_event("receipt", data["session_id"], id=delivery["id"], verified=outcome == "kept")
    return False


def deliver_again(data: HookInput, folder: str, delivery: CompactionState, behind: int) -> bool:
    """Puts the session's state back at a prompt, because it was lost or the client never asked; whether it went out."""
    snapshot, refusal, as_of = current_snapshot(data, folder)
    if refusal and delivery["stage"] == "begun":
        keep_back(data, folder, delivery, refusal)
        return True
    if refusal:  # it had gone out: nothing that the person would miss
        end_compaction(folder, delivery, "unseen", behind)
        return False
    is_last = read_compaction(folder).get("id") == delivery["id"]  # else the next has begun, and no rest waits for long
    summary = summary_of(folder, delivery) if is_last else ""
    current = as_of_now({**snapshot, "id": delivery["id"], "as_of": as_of, "summary": summary}, folder)
    if not current["items"]:
        return False
    parts, _ = recap_parts(current if is_last else in_one_part(current))
    if not take_mark(folder, "repaired-", delivery["id"], "\n\n".join(parts)):
        return False
    if is_last:
        leave_rest(folder, delivery["id"], parts[1:])
    tell(data, parts[0], "what was put back after the compaction had been lost; put back again", "repair",
         id=delivery["id"], units=sum(map(units, parts)))
    end_compaction(folder, delivery, "repaired", behind)
    return True


def note_resume(folder: str, compaction: CompactionState) -> None:
    """When another process resumes the session: what older clients were given is lost now, and the session goes on.

    Up to 2.1.197 a fork's start looks the same; at worst (up to 2.1.105) the parent is given its block a second time.
    """
    stage, earlier = compaction["stage"], compaction.get("earlier")
    if stage in ("delivered", "unseen"):
        set_stage(folder, {**compaction, "resumed": True}, "delivered")
    elif stage == "begun" and (earlier or "ended" in compaction):
        going_on: CompactionState = {**compaction}
        going_on.pop("ended", None)
        if earlier:
            going_on["earlier"] = {**earlier, "resumed": True, "stage": "delivered"}
        set_stage(folder, going_on, stage)


# --- a compaction that did not come to its end ---


def tell_of_unfinished(data: HookInput) -> None:
    """At a new start or /clear: one line when the session before stopped at its compaction; nothing of it is shown."""
    is_cleared = data["source"] == "clear"  # the end of the session before, which older clients do not tell
    for stopped, compaction, shown in unfinished(project_folder(data)):
        is_over = compaction.get("ended") or (shown == "failed" and is_cleared)
        if not is_over:  # it may go on in another window
            continue
        if stopped != session_folder(data["session_id"]) and take_mark(stopped, "told_", data["session_id"]):
            when = clock(compaction.get("time", 0.0))
            message = (f"the last session in this folder stopped at {when}: its compaction did not finish. "
                       f"`claude --resume {os.path.basename(stopped)}` goes on with it, "
                       f"or {how_to_restore(stopped)}")
            tell(data, f"compact-keeper: {message}", message, "unfinished")
        return


# --- what is printed ---


def tell(data: HookInput, text: str, message: str, event: str, **fields: Any) -> None:
    """Prints the text for the model and the line for the person, and notes it in events.jsonl."""
    print_context(data, text, message)
    attempt_each("behind the text", {"events.jsonl": lambda: note_event(
        event, data["session_id"], **{"units": units(text), **fields})})


def print_context(data: HookInput, text: str, message: str) -> None:
    """Prints the text for the model, and the line for the person where there is one.

    The hook answers once: a second answer would spoil the first. So whatever is noted behind it is attempted, and its
    fault goes to the log alone.
    """
    person = {"systemMessage": f"compact-keeper: {message}"} if message else {}
    print_answer(data["hook_event_name"], {"additionalContext": text}, **person)


def print_to_person(message: str) -> None:
    """Prints a line for the person alone, as the hook's one answer."""
    print_json({"systemMessage": message})


def how_to_restore(folder: str) -> str:
    """What a person types to see what was saved of the session in the folder: a copy alone meets no commands."""
    script = os.path.abspath(__file__)
    if os.path.isfile(os.path.join(os.path.dirname(script), "answer_prompt.py")):
        return "/compact-keeper:restore brings in what was saved before it."
    import shlex
    return f"{shlex.join(['python3', script, '--now', os.path.basename(folder)])} prints what was saved before it."


# --- by hand ---


def by_hand(arguments: Sequence[str]) -> int:
    """What the command line asks for; the page for anything else."""
    command, *words = arguments
    first, *others = words or [""]
    if command == "--now":
        return print_saved(first)
    if command == "--bring-in":
        return bring_in(first, "".join(others))
    if command == "--bring-in-anew" and SESSION_ID.match("".join(words)):
        return bring_in_anew("".join(words))
    if command == "--show":
        return show("--why" in words)
    print(__doc__)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """0 as a hook, whatever came in on stdin; by hand 0 when it was done, 1 with one line that says why not."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return run_hook(restore)
    if arguments in (["--rest"], ["--third"]):  # which do the same: the client starts equal commands once
        return run_hook(put_back_rest)
    try:
        return by_hand(arguments)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}")
        return 1
    except (LookupError, TypeError, ValueError, AttributeError) as fault:  # its fields are of another shape
        print(f"compact-keeper: the snapshot cannot be used: {type(fault).__name__}: {fault}")
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
