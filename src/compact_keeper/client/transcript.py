"""A record of the transcript: what its message holds, and which of its words a person typed.

The client writes much in the user's place: what hooks print, summaries, notifications, commands of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from compact_keeper.text.fields import objects_in, text_of
from compact_keeper.types import JsonObject

BLOCK_BEHIND = b',{"type":"t'  # in a line: words or a call behind a thought (2.0.28 to 2.1.177)
PASTED_PLAN = "Implement the following plan:"  # how a plan begins that was approved in another session
PLAN_WOVEN = "\n\nIf you need specific details from before exiting plan mode"  # what the client adds to it
HOOK_FEEDBACK = "Stop hook feedback:"  # how the client begins what a Stop hook tells the agent to go on with
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.332)
    "<command-", "<local-command", "<bash-", "<task-", "<agent-", "<teammate-", "<user-prompt-submit", "<wake reason=",
    "<cross-session-message", "[Request interrupted by", "Caveat: The messages", "This session is being continued",
    "Plan being refined via Ultraplan", PASTED_PLAN, HOOK_FEEDBACK,
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"',
    "Tool loaded.", "Unknown slash command: ", "Unknown skill: ")
OPENED_IN_IDE = r"<ide_opened_file>The user opened the file (?P<path>[^\n]{1,400}?) in the IDE\."
SELECTED_IN_IDE = (  # "the lines 4 to 9 from /srv/zones.py:", and below them what they hold
    r"<ide_selection>The user selected the lines (?P<first>\d{1,7}) to (?P<last>\d{1,7}) from "
    r"(?P<path>[^\n]{1,400}?):\n(?P<words>[^\n]{0,400})")
OUTPUTS_IN_IDE = "/temp/readonly/"  # folder of the outputs that the IDE shows: no files
WORDS_SELECTED_MAX_CHARACTERS = 80
LINE_OF_COMMAND = 400  # characters within which a command's record names it
MACHINE_FLAGS = (
    "isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent",
    "sourceToolUseID")  # of a row that a call put there: of a skill that the agent started, as if a person had typed it
OF_NO_PERSON = ("harness", "hook")  # sources of a row (from 2.1.332 on): "local" is typed, "recorded" may be
SILENT_COMMANDS = frozenset((  # the client's: what follows is no word to the agent
    "add-dir agents bashes branch btw bug chrome clear color compact config context copy cost desktop doctor effort "
    "exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login "
    "logout mcp memory migrate-installer mobile model output-style passes permissions plan plugin privacy-settings "
    "quit rate-limit-options release-notes reload-plugins remote-control remote-env rename resume rewind sandbox "
    "skills stats status statusline stickers tag tasks terminal-setup theme todos upgrade usage vim voice").split())
# Alone on its line, before and behind what was pasted into a prompt (2.1.330 and 2.1.332), in the hook's input too.
PASTE_NAME = "pasted_content"
PASTE_TAG = rf'(?m)^[ \t]*<(/?){PASTE_NAME} id="\w{{1,20}}">[ \t]*$'
PICTURE_MARK = "[Image #"  # in the words, where a picture was pasted into them
FIRES = "scheduled_task_fire"  # the client's row right before a prompt that it gives at its time
OWN_COMMANDS = ("compact-keeper:", "compact-keeper-")  # how ours begin, of the plugin and of a copy


def content_blocks(record: JsonObject) -> list[JsonObject]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def typed_text(record: JsonObject, state: JsonObject) -> str:
    """The words that a person typed in this record; empty when a program made it, or the client gave it at its time."""
    words = words_given(record)  # first: most records have none
    return "" if not words or is_machine_made(record) or is_fired(record, state) else words


def is_fired(record: JsonObject, state: Mapping[str, Any]) -> bool:
    """Whether it is a prompt that the agent scheduled, by the row that `note_firing` has noted in the state before it.

    Most have a mark of their own; one that the client runs as a command ("/loop …") looks as if it was typed.
    """
    is_behind_firing = bool(state.get("fires")) and text_of(record, "parentUuid") == state["fires"]
    origin = record.get("origin")
    is_by_person = text_of(record, "promptSource") == "typed" or (
        isinstance(origin, dict) and origin.get("kind") == "human")
    return is_behind_firing and not is_by_person and bool(prompt_blocks(record))


def note_firing(record: JsonObject, state: JsonObject) -> None:
    """Notes in the state of a session the row that tells of a scheduled prompt, until that comes, right behind it."""
    if record.get("subtype") == FIRES:
        state["fires"] = text_of(record, "uuid")
    elif is_fired(record, state):
        state["fires"] = ""


def words_given(record: JsonObject) -> str:
    """The words that stand in a person's place in this record, whoever gave them."""
    texts = (text_of(block, "text") for block in prompt_blocks(record))  # in tools' results there is none
    return "\n".join(filter(None, map(own_words, texts)))


def index_leaving(operation: object, waiting: Sequence[str]) -> int:
    """The index of what leaves the queue now, of the words that wait there; a notice has no words of a person.

    What is "removed" goes into the agent's turn: what was typed before any notice.
    """
    return next((index for index, words in enumerate(waiting) if words), 0) if operation == "remove" else 0


def prompt_blocks(record: JsonObject) -> list[JsonObject]:
    """The blocks of a prompt, also of one that went into the agent's turn; none of a record of another kind."""
    if record.get("type") == "user":
        return content_blocks(record)
    queued = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(queued, dict) or queued.get("commandMode") != "prompt":
        return []
    return content_blocks({"message": {"content": queued.get("prompt")}})


def attached_to(record: JsonObject) -> str:
    """The pictures and documents that came with a prompt, in words: "2 pictures and a document"; empty without any.

    Of 25 such rows in 71 transcripts one was no person's, and says so; what tools show stands in their results.
    """
    kinds = [block.get("type") for block in prompt_blocks(record)]
    if "tool_result" in kinds:
        return ""
    counts = ((kinds.count(kind), name) for kind, name in (("image", "picture"), ("document", "document")))
    return " and ".join(f"a {name}" if count == 1 else f"{count} {name}s" for count, name in counts if count)


def is_without_text(record: JsonObject) -> bool:
    """Whether a prompt has no text but what the client wove in beside it."""
    texts = (text_of(block, "text") for block in prompt_blocks(record))
    return all(text.startswith(("<system-reminder>", "<ide_")) for text in texts if text)


def is_machine_made(record: JsonObject) -> bool:
    """Whether the client marks the record's words as no person's."""
    queued = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    return is_by_program(record, queued) or any(queued.get(flag, record.get(flag)) for flag in MACHINE_FLAGS)


def without_paste_tags(text: str) -> str:
    """A prompt as its writer saw it: without the tags that the client sets around what was pasted."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(PASTE_TAG, "", text)).strip() if PASTE_NAME in text else text


def is_by_program(record: JsonObject, queued: JsonObject | None = None) -> bool:
    """Whether the client says that a program gave these words in the person's place; `queued` is their attachment."""
    origin, source = ((queued or record).get(name, record.get(name)) for name in ("origin", "rowSource"))
    return (isinstance(origin, dict) and origin.get("kind") != "human") or source in OF_NO_PERSON or (
        record.get("promptSource") == "system")


def open_in_ide(record: JsonObject) -> str:
    """What the client says that the person's IDE had open: a file, with the lines selected; empty: nothing of one.

    Of a line's part that was selected the words, too. No word of it is the person's, and it may be without bearing.
    """
    for text in (text_of(block, "text") for block in content_blocks(record)):
        noted = re.match(OPENED_IN_IDE, text) or re.match(SELECTED_IN_IDE, text) if text.startswith("<ide_") else None
        if noted:
            return file_in_ide({**noted.groupdict()})
    ide = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    if ide.get("type") not in ("opened_file_in_ide", "selected_lines_in_ide"):
        return ""
    return file_in_ide({"path": text_of(ide, "filename"), "first": ide.get("lineStart"),
                        "last": ide.get("lineEnd"), "words": text_of(ide, "content")})


def file_in_ide(shown: JsonObject) -> str:
    """A file's path, with the lines that were selected in it behind a colon."""
    path, first, last = shown["path"], shown.get("first"), shown.get("last")
    if not path or path.replace("\\", "/").startswith(OUTPUTS_IN_IDE):
        return ""
    if first is None:
        return str(path)
    words = text_of(shown, "words").strip()
    is_short = first == last and 0 < len(words) <= WORDS_SELECTED_MAX_CHARACTERS
    return f"{path}:{first}" + (f"–{last}" if first != last else "") + (f' "{words}"' if is_short else "")


def words_behind(record: JsonObject, *commands: str) -> str:
    """What the person typed behind one of these commands; empty where the record is of none of them."""
    texts = [text_of(block, "text") for block in content_blocks(record)] if record.get("type") == "user" else []
    names = [f"<command-name>/{name}</command-name>" for name in commands]
    text = next((text for text in texts if any(name in text[:LINE_OF_COMMAND] for name in names)), "")
    return text.partition("<command-args>")[2].partition("</command-args>")[0].strip()


def is_own_command(record: JsonObject) -> bool:
    """Whether the record is that of a command of ours that the person typed, which the agent then answers."""
    texts = [text_of(block, "text") for block in content_blocks(record)] if record.get("type") == "user" else []
    return any(f"<command-name>/{name}" in text[:LINE_OF_COMMAND] for text in texts for name in OWN_COMMANDS
               if text.startswith("<command-"))


def message_of_teammate(text: str) -> tuple[str, str]:
    """Who of a team wrote a message, and its words; both empty where it is none, or one that a program made."""
    begin = re.match(r"\s*<teammate-message teammate_id=\"([\w.@-]{1,80})\"[^>]{0,2000}>", text)
    words = text[begin.end():].partition("</teammate-message>")[0].strip() if begin else ""
    return (begin.group(1), words) if begin and words and not words.startswith("{") else ("", "")


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it.

    Behind blanks the client takes none but the plugin's for a command: the agent answered "   /plugin install x".
    """
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    is_clients = bool(name and name.group(1) in SILENT_COMMANDS and (is_woven or text.startswith("/")))
    is_silent = is_clients or bool(name and name.group(1).startswith(OWN_COMMANDS))
    if name and (is_silent or is_woven):
        words = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return "" if is_silent else f"/{name.group(1)} {words}" if words else f"/{name.group(1)}"
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()
