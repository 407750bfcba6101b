r"""Meet a prompt: keep its words, answer the plugin's own commands, tell the model what waits.

A hook for UserPromptSubmit, the only one:
    every prompt          its words, secrets replaced, become a line of the session's ledger
    /compact-keeper:…     :pin and :unpin keep and take off pins, :restore brings in what was saved, :status-line puts
                          that into the person's settings, :show, :pins, :stats and :doctor show something. The words
                          come as they were typed, no shell and no model has touched them
    after a compaction    where a delivery waits for its receipt, restore_snapshot.py looks for it, and what was lost
                          goes out again; what waits is handed over: a second part, a note on the summary, what these
                          commands changed; at the first prompt recall.py looks up what the archive has on it
Reads   the hook's JSON on stdin; of this session compaction.json, note.json, rest.json, unasked, untold.json,
        pins.jsonl, notes.md; whether it is a fork (forked) and was saved.
Starts  restore_snapshot.py, save_snapshot.py --dry-run or --fork, stats.py, install.py, recall.py first-prompt, each
        only where it is due and lies beside; what a missing one would do costs one line. With nothing due it starts no
        process.
Writes  sessions/<session_id>/ledger.jsonl, pins.jsonl, untold.json; note.json becomes note.json.given; lines in
        events.jsonl.
Prints  JSON: additionalContext for the model, a systemMessage line for the person. An answer is the reason of a
        "block" of the prompt: the full-screen program shows it whole, sends no request, and keeps neither prompt nor
        answer in the context, nor the skill, which it would put back after each later compaction. What the command
        changed the model reads with the next prompt. A run with -p shows such a reason from 2.1.197 on only, so there
        the model gets the answer beside the skill. (All measured with 2.1.76 to 2.1.330.)
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/answer_prompt.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off (the commands then say that alone),
COMPACT_KEEPER_DEBUG=1 logs to stderr too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence

from compact_keeper.client.hand_over import CONTEXT_MAX_UTF16, in_reading_order, note_what_went_out, room_beside
from compact_keeper.client.hook import print_answer, run_hook_or_help
from compact_keeper.client.other_scripts import (
    ANSWER_SECONDS,
    LOOK_UP_SECONDS,
    REPAIR_SECONDS,
    SCRIPT_OUTPUT_MAX_BYTES,
    json_object,
    script_output,
    script_text,
)
from compact_keeper.client.project import config_folder, project_folder
from compact_keeper.store.compaction import is_waiting, read_compaction
from compact_keeper.store.folder import NO_LINK, data_home, open_regular, session_folder, why_not_writable
from compact_keeper.store.ledger import add_to_ledger
from compact_keeper.store.log import log
from compact_keeper.store.marks import FORK_MARK
from compact_keeper.store.note import NOTE_MAX_UTF16, take_note
from compact_keeper.store.pins import Pinning
from compact_keeper.store.refusal import NOTHING_KNOWN, Refusal, fault_words
from compact_keeper.store.rest import take_rest
from compact_keeper.store.settings import settings_for
from compact_keeper.store.unasked import take_unasked
from compact_keeper.store.untold import leave_untold, session_waiting, take_untold
from compact_keeper.text.fields import text_of
from compact_keeper.text.hints import without_hints
from compact_keeper.text.length import cut, units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import HookInput, Record

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
PROMPT_MAX_UTF16 = 2_000  # longer ones are mostly pasted text
NAME_MAX_UTF16 = 100
OWN_BEGIN_MAX_CHARACTERS = 200  # of a prompt, in which a command of ours begins: it may stand in the client's wrapper
OWN_COMMANDS = "/compact-keeper"  # how prompts begin that are for us; recall's words are for the model too
# A long prompt that was pasted and not typed, as the client gives it (2.1.330); a command that is all of it is meant.
PASTED_WHOLE = r"\s*<pasted_content id=\"(\w{1,20})\">(.*)</pasted_content id=\"\1\">\s*"
OPTIONS = {  # that a command knows, with what each is for
    "show": {"why": "what would not be put back, too, and the reason", "notes": "the session's notes"},
    "stats": {"global": "the figures of all sessions"},
    "doctor": {"project": "tries the hooks that this project brings"},
    "restore": {"anyway": "brings in what was saved where nothing is missing, too"},
    "status-line": {"remove": "takes the line out again"},
    "pins": {},
}
OF_THE_CLIENT = ("<task-", "<teammate-")  # how prompts begin that no person typed: 2.1.250 tells so of a subagent's end
IN_FULL_SCREEN = "cli"  # CLAUDE_CODE_ENTRYPOINT of hooks there; sdk-cli with -p (2.1.76 to 2.1.329)
ANSWER_HEAD = "compact-keeper's answer:\n\n"
ANSWER_MAX_UTF16 = 9_900  # for a model: the client cuts at 10,000
CHARACTERS_PER_TOKEN = 4
DOCTOR_SECONDS = 12.0  # that it is waited for: it starts every hook several times
ANSWER_FIELDS = {"hookSpecificOutput", "systemMessage"}  # that restore_snapshot.py may print at a prompt
READ_NEXT = " Claude is told with your next prompt."
SWITCHED_OFF = ("compact-keeper is switched off in this session (COMPACT_KEEPER_OFF is set): nothing is kept, put back "
                "or shown. Start Claude Code without COMPACT_KEEPER_OFF to switch it on.")
BEGINS_WITH = "It begins with what you type and what Claude does."
NOTHING_YET = f"compact-keeper: nothing to put back yet. {BEGINS_WITH}"
NOTHING_COUNTED = f"compact-keeper: nothing is kept of this session yet. {BEGINS_WITH}"
FORK_NOT_READ = ("this session is a fork, and Claude Code has not written its transcript yet, so what "
                 "its parent knew and pinned is not here yet. It comes with the next command or prompt: ask once more.")
NEEDING_RECORD = ("show", "pins", "unpin")  # commands about what a fork has from its parent; `pin` works without it
NOTES_ARE_OF_LAST_SAVE = "As of the last save: what was typed or pinned since comes in when the next turn ends."
NOTES_ARE_OFF = "The setting `notes` is off: this is what was kept before."
NUMBERED_ANEW = "Pins of this session, numbered anew:"
PINS_CHANGED = "compact-keeper: the user has changed what is pinned."
HITS_LEAST_ROOM_UTF16 = 300  # that a note has to leave for what the archive has


def meet(data: HookInput) -> None:
    """The hook: the prompt's words are kept; what is ours is answered; the model is told what waits."""
    if data["hook_event_name"] != "UserPromptSubmit":
        return
    prompt = text_of(data, "prompt").lstrip()
    is_own, is_by_client = prompt.startswith(OWN_COMMANDS), prompt.startswith(OF_THE_CLIENT)
    if OWN_COMMANDS in prompt[:OWN_BEGIN_MAX_CHARACTERS] and answer_command(data):
        return
    folder = session_folder(data["session_id"])
    if not is_by_client:
        folder = keep_words(data)
    if not is_own and not text_of(data, "agent_id") and os.path.isdir(folder):
        tell_the_model(data, folder, is_by_client)


def keep_words(data: HookInput) -> str:
    """Adds the prompt's words to the session's ledger, secrets replaced; returns the session's folder."""
    words = cut(redact(clean(text_of(data, "prompt"))), PROMPT_MAX_UTF16)
    agent = quote(text_of(data, "agent_id"), NAME_MAX_UTF16)
    return add_to_ledger(data["session_id"], {"event": "prompt", "text": words, "agent": agent}, STARTED)


def tell_the_model(data: HookInput, folder: str, is_by_client: bool) -> None:
    """Prints what was lost, or the second part that waits; the note, with what the archive has on a first prompt.

    Where a lost text leaves no room for the others in what one event carries, they wait for the next; a second part
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
        os.write(1, json.dumps(answer).encode())
    note_what_went_out(data, rest=rest, note=note, untold=untold)


def note_with_hits(data: HookInput, folder: str) -> str:
    """The note that waits, and what the archive has on this prompt where it is the first after a compaction."""
    hits = looked_up(data, folder)
    note = take_note(folder)
    if hits and units(note) < NOTE_MAX_UTF16 - HITS_LEAST_ROOM_UTF16:
        return cut("\n\n".join(filter(None, [note, hits])), NOTE_MAX_UTF16)
    return note


def repaired(data: HookInput, folder: str) -> Record:
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
    if not compaction_id or not os.path.exists(os.path.join(data_home(), "archive.db")):
        return ""
    fields = ("session_id", "transcript_path", "cwd", "hook_event_name", "prompt")
    given = {**{name: text_of(data, name) for name in fields}, "compaction": compaction_id}
    return clean(script_output("recall.py", ["first-prompt"], given, LOOK_UP_SECONDS).decode("utf-8", "replace"))


# --- the plugin's own commands ---


def answer_command(data: HookInput) -> bool:
    """Whether the prompt was a command that is met here; then the client has been told."""
    name, words = own_command(data)
    if not name:
        return False
    try:
        refuse_unknown_options(name, words)
        begin_fork(data, name)
        text = ANSWERS[name](data, words)
    except (OSError, Refusal) as fault:
        text = f"compact-keeper: {fault_words(fault)}"
    if is_in_full_screen():
        block_with(text)
    else:
        context = untold_changes(data["session_id"]) or f"{ANSWER_HEAD}{cut(text, ANSWER_MAX_UTF16)}"
        to_person = {"systemMessage": text} if name in ("pin", "unpin") else {}
        print_answer("UserPromptSubmit", {"additionalContext": context}, **to_person)
    return True


def untold_changes(session: str) -> str:
    """What the command has changed, as the model is told it; empty where no data folder is known."""
    try:
        return take_untold(session_folder(session), ANSWER_MAX_UTF16)
    except Refusal:
        return ""


def begin_fork(data: HookInput, name: str) -> None:
    """Before the first answer in a fork: has its parent's record and pins taken over; refused where that cannot be yet.

    A fork has its parent's lines, and so its record, from its first prompt or command on; its first save comes later.
    """
    if name not in (*NEEDING_RECORD, "pin"):
        return
    folder, transcript = session_folder(data["session_id"]), data["transcript_path"]
    if os.path.exists(os.path.join(folder, "memory.json")):
        return
    if os.path.isfile(transcript):
        script_output("save_snapshot.py", ["--fork", transcript, data["session_id"]], {}, ANSWER_SECONDS)
    elif name in NEEDING_RECORD and os.path.exists(os.path.join(folder, FORK_MARK)):
        raise Refusal(FORK_NOT_READ)


def own_command(data: HookInput) -> tuple[str, str]:
    """The command that is met here and the words behind it; empty where the prompt is none."""
    command = rf"\s*{command_prefix()}({'|'.join(ANSWERS)})(?:\s+(.*))?\Z"
    pasted = re.fullmatch(PASTED_WHOLE, text_of(data, "prompt"), re.DOTALL)
    typed = re.match(command, pasted[2] if pasted else text_of(data, "prompt"), re.DOTALL)
    return (typed[1], typed[2] or "") if typed else ("", "")


def block_with(text: str) -> None:
    """Shows the text to the person in place of a request; suppressOriginalPrompt is known from 2.1.197 on."""
    print_answer("UserPromptSubmit", {"suppressOriginalPrompt": True}, decision="block", reason=text)


def say_that_it_is_off(data: HookInput) -> None:
    """The hook while it is switched off: a command of ours is answered with that, so that it costs no request."""
    if data["hook_event_name"] != "UserPromptSubmit" or not own_command(data)[0]:
        return
    if is_in_full_screen():
        block_with(SWITCHED_OFF)
    else:
        print_answer("UserPromptSubmit", {"additionalContext": f"{ANSWER_HEAD}{SWITCHED_OFF}"})


def is_in_full_screen() -> bool:
    """Whether a person sits before the full-screen program, which shows the reason of a block."""
    return os.environ.get("CLAUDE_CODE_ENTRYPOINT") == IN_FULL_SCREEN


def options_in(words: str) -> list[str]:
    """The words behind a command that takes options, in small letters and without dashes."""
    return [word.lstrip("-").lower() for word in words.split()]


def refuse_unknown_options(name: str, words: str) -> None:
    """Raises Refusal, with what the command knows, for the first word behind it that is none of its options."""
    if name not in OPTIONS:  # words of the person's own, or a number
        return
    known = OPTIONS[name]
    unknown = [word for word in words.split() if word.lstrip("-").lower() not in (*known, ".")]  # as in "--project ."
    if not unknown:
        return
    options = " and ".join(f'"{option}" ({use})' for option, use in known.items())
    raise Refusal(f"{command_prefix()}{name} knows nothing of \"{quote(unknown[0], NAME_MAX_UTF16)}\". "
                  + (f"It knows {options}." if options else f"It stands alone ({command_prefix()}pin TEXT pins)."))


def command_prefix() -> str:
    """How the commands of this installation begin: where plugin and copies are both installed, each meets its own."""
    skills = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "skills")
    return f"{OWN_COMMANDS}{':' if os.path.isdir(skills) else '-'}"


def pin(data: HookInput, words: str) -> str:
    """Keeps a pin."""
    return changed_pins(data, lambda pinning: pinning.add(words.strip()))


def unpin(data: HookInput, words: str) -> str:
    """Takes off a pin; the answer lists the others, which have other numbers now, and says so."""
    text = changed_pins(data, lambda pinning: pinning.remove(words.strip()))
    return f"{text}\n{Pinning(data['session_id'], project_folder(data)).listed(NUMBERED_ANEW)}"


def changed_pins(data: HookInput, change: Callable[[Pinning], str]) -> str:
    """Changes the pins, and leaves for the model what is pinned then; returns what the person is told.

    A text that was brought in and waits has pins in it: it is made anew.
    """
    try:
        pinning = Pinning(data["session_id"], project_folder(data))
        before = pinning.in_force()
        text = change(pinning)
        after = pinning.in_force()
    except Refusal as fault:
        raise Refusal(f"Not done: {fault}") from None
    except OSError as fault:
        raise Refusal(f"Not done, as nothing can be kept: {why_not_writable(data_home()) or fault_words(fault)}. "
                      f"{command_prefix()}doctor says what to do.") from None
    if after == before:
        return f"compact-keeper: {text}"
    is_left = leave_untold(pinning.folder, {"pins": f"{PINS_CHANGED} {pinning.listed()}"})
    if session_waiting(pinning.folder):
        script_output("restore_snapshot.py", ["--bring-in-anew", data["session_id"]], {}, ANSWER_SECONDS)
    return f"compact-keeper: {text}{READ_NEXT if is_left and is_in_full_screen() else ''}"


def bring_in(data: HookInput, words: str) -> str:
    """What restore_snapshot.py brings in: it leaves the text for the model, and prints it for the person.

    With "anyway" where nothing is missing, too.
    """
    more = ["anyway"] if "anyway" in options_in(words) else []
    return script_text("restore_snapshot.py", ["--bring-in", data["session_id"], *more], {})


def show(data: HookInput, words: str) -> str:
    """What would be put back now, under how much that is; with "why" each line's reason, with "notes" the notes."""
    options = options_in(words)
    if "notes" in options:
        return notes_of(data["session_id"])
    folder = session_folder(data["session_id"])
    if not os.path.isfile(data["transcript_path"]) and not os.path.exists(os.path.join(folder, "snapshot.json")):
        return NOTHING_YET
    return what_would_come_back(data, "why" in options)


def what_would_come_back(data: HookInput, with_reasons: bool) -> str:
    """What restore_snapshot.py would put back of the session as of now."""
    command, fault = command_prefix(), why_not_writable(data_home())
    if fault:
        raise Refusal(f"nothing can be kept, so nothing would be put back: {fault}. {command}doctor says what to do.")
    if not data["transcript_path"]:
        raise Refusal("the client named no transcript of this session")
    printed = script_text("save_snapshot.py", ["--dry-run", data["transcript_path"]], {})
    snapshot = json_object("".join(printed.splitlines()[-1:]))  # behind what COMPACT_KEEPER_DEBUG makes it log
    if not snapshot:
        return printed
    if snapshot.get("items") == []:
        return NOTHING_YET
    if with_reasons:
        return script_text("restore_snapshot.py", ["--show", "--why"], snapshot)
    text = script_text("restore_snapshot.py", ["--show"], snapshot)
    own = len(without_hints(text))
    hints = f", and {len(text) - own:,} on how to ask recall" if len(text) > own else ""
    return (f"{own:,} of {snapshot['settings']['budget']:,} characters, about "
            f"{own // CHARACTERS_PER_TOKEN:,} tokens, would be put back if the session were compacted now{hints}. "
            f"What would not come back: `{command}show why`. Notes for a person: `{command}show notes`. "
            f"Claude would then read:\n\n{text}")


def notes_of(session: str) -> str:
    """The session's notes, as save_snapshot.py keeps them."""
    path = os.path.join(session_folder(session), "notes.md")
    is_kept = settings_for("")["notes"]
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            text = file.read(SCRIPT_OUTPUT_MAX_BYTES).decode("utf-8", "replace").strip()
            return f"{NOTES_ARE_OF_LAST_SAVE if is_kept else NOTES_ARE_OFF}\n\n{text}"
    except (OSError, Refusal):
        why = f" yet; the first turn that ends writes {path}" if is_kept else ": the setting `notes` is off"
        raise Refusal(f"no notes of this session{why}") from None


def pins(data: HookInput, _words: str) -> str:
    """The session's pins."""
    return Pinning(data["session_id"], project_folder(data)).listed()


def stats(data: HookInput, words: str) -> str:
    """The session's figures, with "global" those of all."""
    text = script_text("stats.py", ["stats", "--global" if "global" in options_in(words) else data["session_id"]], {})
    return NOTHING_COUNTED if text.startswith(f"compact-keeper: {NOTHING_KNOWN} {data['session_id']};") else text


def doctor(data: HookInput, words: str) -> str:
    """What install.py's doctor finds where the session's folder is: it tries the whole loop, which takes seconds.

    Hooks that the project brings are tried with "project", and where they have asked for this.
    """
    project = copied_for() or (project_folder(data) if "project" in options_in(words) else "")
    return script_text("install.py", ["doctor", *(["--project", project] if project else [])], {}, DOCTOR_SECONDS)


def status_line(_data: HookInput, words: str) -> str:
    """Puts the status line into the person's settings, of a project's copies into the project's; "remove": out."""
    where = ["--project", copied_for()] if copied_for() else []
    more = ["--remove"] if "remove" in options_in(words) else []
    return script_text("install.py", ["status-line", *where, *more], {})


def copied_for() -> str:
    """The project into whose .claude install.py has copied this script; empty for the user's copies, and the plugin."""
    folder = os.path.dirname(os.path.abspath(__file__))
    config = os.path.dirname(os.path.dirname(folder))
    is_copied = folder.endswith(os.path.join("", ".claude", "hooks", "compact-keeper"))
    is_users = os.path.realpath(config) == os.path.realpath(config_folder())
    return os.path.dirname(config) if is_copied and not is_users else ""


ANSWERS: dict[str, Callable[[HookInput, str], str]] = {  # by the command's name; given the words behind it
    "pin": pin, "unpin": unpin, "pins": pins, "show": show, "stats": stats, "restore": bring_in, "doctor": doctor,
    "status-line": status_line}


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    return run_hook_or_help(meet, argv, __doc__, say_that_it_is_off)


if __name__ == "__main__":
    raise SystemExit(main())
