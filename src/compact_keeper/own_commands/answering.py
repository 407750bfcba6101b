"""Which of the plugin's own commands a prompt is, and how its answer reaches the person and the model."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from compact_keeper.client.hook import is_in_full_screen, print_answer
from compact_keeper.client.other_scripts import ANSWER_SECONDS, LOOK_UP_SECONDS, script_output
from compact_keeper.own_commands.how_typed import command_prefix, refuse_second_command, refuse_unknown_options
from compact_keeper.own_commands.pinning import pin, pins, unpin
from compact_keeper.own_commands.setting_up import doctor, status_line
from compact_keeper.own_commands.showing import bring_in, show, stats
from compact_keeper.store.folder import MEMORY_FILE, data_home, session_folder, why_not_writable
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.store.session_marks import FORK_MARK
from compact_keeper.store.untold import take_untold
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import CLIENT_CUTS_AT_UTF16, cut
from compact_keeper.text.sanitize import clean
from compact_keeper.types import HookInput

# A prompt that was pasted and not typed, as the client gives it (2.1.330). A command that is all of it is meant; behind
# it another may stand, as the client puts a command that it blocked, and that was pasted, back into the line.
PASTED_WHOLE = r"\s*<pasted_content id=\"(\w{1,20})\">(.*)</pasted_content id=\"\1\">\s*(/compact-keeper[:-]\w.*)?"
ANSWER_HEAD = "compact-keeper's answer:\n\n"
WORDS_MAX_CHARACTERS = 2_000  # of what is looked for: more words find no more
HIT_STEP = r"^\d+\. .*? · (show \d+#\d+)(?: · .*)?$"  # how recall names the place of a hit
ANSWER_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 100  # for a model
SWITCHED_OFF = ("compact-keeper is switched off in this session (COMPACT_KEEPER_OFF is set): nothing is kept, put back "
                "or shown. Start Claude Code without COMPACT_KEEPER_OFF to switch it on.")
RECALL_WHILE_OFF = ("compact-keeper is switched off in this session (COMPACT_KEEPER_OFF is set): what recall finds, "
                    "Claude gets, and you do not see.")
FORK_NOT_READ = ("this session is a fork, and Claude Code has not written its transcript yet, so what "
                 "its parent knew and pinned is not here yet. It comes with the next command or prompt: ask once more.")
NEEDING_RECORD = ("show", "pins", "unpin")  # commands about what a fork has from its parent; `pin` works without it
READING_ALONE = ("pins", "stats", "restore")
ANSWERS: dict[str, Callable[[HookInput, str], str]] = {  # by the command's name; given the words behind it
    "pin": pin, "unpin": unpin, "pins": pins, "show": show, "stats": stats, "restore": bring_in, "doctor": doctor,
    "status-line": status_line}


def answer_command(data: HookInput) -> bool:
    """Whether the prompt was a command that is met here; then the client has been told."""
    name, words = own_command(data)
    if not name:
        return False
    try:
        refuse_second_command(words)
        refuse_unknown_options(name, words)
        refuse_file_as_folder(name)
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


def show_hits(data: HookInput) -> None:
    """Shows the person what recall finds for the words behind its command, where that is the prompt.

    Claude has it from the skill and answers from it; nobody else saw what that was. As a message, as Claude goes on;
    without words what is to be named, in place of a request.
    """
    typed = typed_recall(data)
    if not typed:
        return
    words = (typed[1] or "").strip()[:WORDS_MAX_CHARACTERS]
    hits = script_output("recall.py", ["ask", "--", words], {}, LOOK_UP_SECONDS)
    text = clean(hits.decode("utf-8", "replace")).strip()
    if not words:
        block_with(text)  # there is nothing to answer: it costs no request
    elif text:
        step = re.search(HIT_STEP, text, re.MULTILINE)
        more = f"\n`{command_prefix()}recall {step[1]}` shows that step whole." if step else ""
        print_answer("UserPromptSubmit", {}, systemMessage=f"{text}{more}")


def typed_recall(data: HookInput) -> re.Match[str] | None:
    """The match of recall's command, with the words behind it, where a person sees what hooks say of it; else None."""
    begin = command_prefix().replace(":", "[: ]")
    typed = re.match(rf"\s*{begin}recall(?:\s+(\S.*)|\s*\Z)", text_of(data, "prompt"), re.DOTALL)
    return typed if is_in_full_screen() else None


def refuse_file_as_folder(name: str) -> None:
    """Raises Refusal, with what to do, where something else stands in the data folder's place.

    For commands that only read of it: the others say so of a folder that cannot be written in, too.
    """
    if name in READING_ALONE and os.path.lexists(data_home()) and not os.path.isdir(data_home()):
        raise Refusal(f"nothing can be kept, so nothing is known: {why_not_writable(data_home())}. "
                      f"{command_prefix()}doctor says what to do.")


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
    try:
        folder, transcript = session_folder(data["session_id"]), data["transcript_path"]
    except Refusal:  # no data folder can be known: the command says what that means for it
        return
    if os.path.exists(os.path.join(folder, MEMORY_FILE)):
        return
    if os.path.isfile(transcript):
        script_output("save_snapshot.py", ["--fork", transcript, data["session_id"]], {}, ANSWER_SECONDS)
    elif name in NEEDING_RECORD and os.path.exists(os.path.join(folder, FORK_MARK)):
        raise Refusal(FORK_NOT_READ)


def own_command(data: HookInput) -> tuple[str, str]:
    """The command that is met here and the words behind it; empty where the prompt is none.

    Another command may stand right behind it, as where the client swallowed the key that was to send the first. With a
    space for the colon the client takes it for the plugin's command too, and hands over what was typed (2.1.332).
    """
    begin, names = command_prefix(), "|".join(ANSWERS)
    typed_begin = begin.replace(":", "[: ]")
    command = rf"\s*{typed_begin}({names})(?:(?:\s+|(?={begin}(?:{names}|recall)\b))(.*))?\Z"
    pasted = re.fullmatch(PASTED_WHOLE, text_of(data, "prompt"), re.DOTALL)
    typed = re.match(command, pasted[2] if pasted else text_of(data, "prompt"), re.DOTALL)
    behind = pasted[3] if pasted else None
    return (typed[1], behind or typed[2] or "") if typed else ("", "")


def block_with(text: str) -> None:
    """Shows the text to the person in place of a request; suppressOriginalPrompt is known from 2.1.197 on."""
    print_answer("UserPromptSubmit", {"suppressOriginalPrompt": True}, decision="block", reason=text)


def say_that_it_is_off(data: HookInput) -> None:
    """The hook while it is switched off: a command of ours is answered with that, so that it costs no request.

    The client runs recall's skill all the same.
    """
    if data["hook_event_name"] != "UserPromptSubmit":
        return
    if typed_recall(data):
        print_answer("UserPromptSubmit", {}, systemMessage=RECALL_WHILE_OFF)
    elif not own_command(data)[0]:
        return
    elif is_in_full_screen():
        block_with(SWITCHED_OFF)
    else:
        print_answer("UserPromptSubmit", {"additionalContext": f"{ANSWER_HEAD}{SWITCHED_OFF}"})
