r"""Meet a prompt: keep its words, answer the plugin's own commands, tell the model what waits.

A hook for UserPromptSubmit, the only one:
    every prompt          its words, secrets replaced, become a line of the session's ledger
    /compact-keeper:…     :pin and :unpin keep and take off pins, :restore brings in what was saved, :status-line puts
                          that into the person's settings, :show, :pins, :stats and :doctor show something. The words
                          come as they were typed, no shell and no model has touched them. What :recall finds is
                          shown beside the skill, which gives it to the model
    after a compaction    where a delivery waits for its receipt, restore_snapshot.py looks for it, and what was lost
                          goes out again; what waits is handed over: a further part, a note on the summary, what these
                          commands changed; at the first prompt recall.py looks up what the archive has on it
Reads   the hook's JSON on stdin; of this session compaction.json, note.json, rest.json, unasked, untold.json,
        pins.jsonl, notes.md; whether it is a fork (forked) and was saved.
Starts  restore_snapshot.py, save_snapshot.py --dry-run or --fork, stats.py, install.py, recall.py ask or
        first-prompt, each only where it is due and lies beside; what a missing one would do costs one line. With
        nothing due it starts no process.
Writes  sessions/<session_id>/ledger.jsonl, pins.jsonl, untold.json; note.json becomes note.json.given; lines in
        events.jsonl.
Prints  JSON: additionalContext for the model, a systemMessage line for the person. An answer is the reason of a
        "block" of the prompt: the full-screen program shows it whole, sends no request, and keeps neither prompt nor
        answer in the context. The skill's few lines, without what was typed, clients up to 2.1.250 put back after each
        compaction, as a skill that was used; 2.1.329 and newer do not. What the command changed the model reads with
        the next prompt. A run with -p shows such a reason from 2.1.197 on only, so there the model gets the answer
        beside the skill. (All measured with 2.1.76 to 2.1.332.)
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/answer_prompt.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off (the commands then say that alone),
COMPACT_KEEPER_DEBUG=1 logs to stderr too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from compact_keeper.client.hand_over import CONTEXT_MAX_UTF16, in_reading_order, note_what_went_out, room_beside
from compact_keeper.client.hook import print_json, run_hook_or_help
from compact_keeper.client.other_scripts import LOOK_UP_SECONDS, REPAIR_SECONDS, script_output
from compact_keeper.own_commands.answering import answer_command, say_that_it_is_off, show_hits
from compact_keeper.own_commands.how_typed import OWN_BEGIN
from compact_keeper.store.compaction import is_waiting, read_compaction
from compact_keeper.store.folder import ARCHIVE_FILE, data_home, session_folder
from compact_keeper.store.json_files import json_object
from compact_keeper.store.ledger import PROMPT_MAX_UTF16, add_to_ledger
from compact_keeper.store.log import log
from compact_keeper.store.note import NOTE_MAX_UTF16, take_note
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.rest import take_rest
from compact_keeper.store.unasked import take_unasked
from compact_keeper.store.untold import take_untold
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import HookInput, JsonObject

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
NAME_MAX_UTF16 = 100
OWN_BEGIN_MAX_CHARACTERS = 200  # of a prompt, in which a command of ours begins: it may stand in the client's wrapper
OF_THE_CLIENT = ("<task-", "<teammate-")  # how prompts begin that no person typed: 2.1.250 tells so of a subagent's end
ANSWER_FIELDS = {"hookSpecificOutput", "systemMessage"}  # that restore_snapshot.py may print at a prompt
HITS_LEAST_ROOM_UTF16 = 300  # that a note has to leave for what the archive has


def meet(data: HookInput) -> None:
    """The hook: the prompt's words are kept; what is ours is answered; the model is told what waits."""
    if data["hook_event_name"] != "UserPromptSubmit":
        return
    prompt = text_of(data, "prompt").lstrip()
    is_own, is_by_client = prompt.startswith(OWN_BEGIN), prompt.startswith(OF_THE_CLIENT)
    if OWN_BEGIN in prompt[:OWN_BEGIN_MAX_CHARACTERS] and answer_command(data):
        return
    folder = session_folder(data["session_id"])
    if not is_by_client:
        folder = keep_words(data)
    if is_own:
        show_hits(data)
    elif not text_of(data, "agent_id") and os.path.isdir(folder):
        tell_the_model(data, folder, is_by_client)


def keep_words(data: HookInput) -> str:
    """Adds the prompt's words to the session's ledger, secrets replaced; returns the session's folder."""
    words = cut(redact(clean(text_of(data, "prompt"))), PROMPT_MAX_UTF16)
    agent = quote(text_of(data, "agent_id"), NAME_MAX_UTF16)
    return add_to_ledger(data["session_id"], {"event": "prompt", "text": words, "agent": agent}, STARTED)


def tell_the_model(data: HookInput, folder: str, is_by_client: bool) -> None:
    """Prints what was lost, or the next part that waits; the note, with what the archive has on a first prompt.

    Where a lost text leaves no room for the others in what one event carries, they wait for the next; a further part
    does so beside a note, which may hold what the archive has on this very prompt. The note, and what the person has
    changed, wait for words that a person typed.
    """
    answer = repaired(data, folder)
    lost = text_of(answer.get("hookSpecificOutput", {}), "additionalContext")
    note = rest = untold = ""
    if not is_by_client and units(lost) <= CONTEXT_MAX_UTF16 - NOTE_MAX_UTF16:
        note = note_with_hits(data, folder)
    if not lost and not note:
        rest = take_rest(folder)
    if not is_by_client:
        untold = take_untold(folder, room_beside(lost, rest, note))
    if rest or note or untold:
        text = in_reading_order(lost=lost, rest=rest, untold=untold, note=note)
        answer = {**answer, "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}
    if answer:
        print_json(answer)
    note_what_went_out(data, rest=rest, note=note, untold=untold)


def note_with_hits(data: HookInput, folder: str) -> str:
    """The note that waits, and what the archive has on this prompt where it is the first after a compaction."""
    hits = looked_up(data, folder)
    note = take_note(folder)
    if hits and units(note) < NOTE_MAX_UTF16 - HITS_LEAST_ROOM_UTF16:
        return cut("\n\n".join(filter(None, [note, hits])), NOTE_MAX_UTF16)
    return note


def repaired(data: HookInput, folder: str) -> JsonObject:
    """What restore_snapshot.py answers where a delivery still waits for its receipt: mostly nothing."""
    try:
        compaction = read_compaction(folder)
    except (OSError, Refusal) as fault:  # a note that waits goes out all the same
        log(f"what was put back is not looked for: {fault}")
        return {}
    if not is_waiting(compaction) and not is_waiting(compaction.get("earlier", {})):
        return {}
    given = {name: text_of(data, name) for name in ("session_id", "transcript_path", "cwd", "hook_event_name")}
    printed = script_output("restore_snapshot.py", [], given, REPAIR_SECONDS).strip()
    answer = json_object(printed)
    if printed and not (answer and answer.keys() <= ANSWER_FIELDS):
        log(f"restore_snapshot.py printed {len(printed)} bytes that are no answer at a prompt")
        return {}
    return answer


def looked_up(data: HookInput, folder: str) -> str:
    """What the archive has on this prompt, the first after a compaction; empty at any other."""
    compaction_id = take_unasked(folder)
    if not compaction_id or not os.path.exists(os.path.join(data_home(), ARCHIVE_FILE)):
        return ""
    fields = ("session_id", "transcript_path", "cwd", "hook_event_name", "prompt")
    given = {**{name: text_of(data, name) for name in fields}, "compaction": compaction_id}
    return clean(script_output("recall.py", ["first-prompt"], given, LOOK_UP_SECONDS).decode("utf-8", "replace"))


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    return run_hook_or_help(meet, argv, __doc__, say_that_it_is_off)


if __name__ == "__main__":
    raise SystemExit(main())
