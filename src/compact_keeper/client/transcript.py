"""A record of the transcript: what its message holds, and which of its words a person typed.

The client writes much in the user's place: what hooks print, summaries, notifications, commands of its own.
"""

from __future__ import annotations

import re

from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.329)
    "<command-", "<local-command", "<bash-", "<task-", "<teammate-", "<user-prompt-submit", "[Request interrupted by",
    "Caveat: The messages", "This session is being continued", "Implement the following plan:", "Stop hook feedback",
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"')
MACHINE_FLAGS = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent")
SILENT_COMMANDS = frozenset((  # what follows these is no word to the agent: the client's, the plugin's, those of a copy
    *"add-dir agents clear compact config context cost doctor effort exit export fast help hooks ide login logout mcp "
    "memory model output-style permissions plugin quit rename resume rewind status theme usage vim".split(),
    *(f"compact-keeper{mark}{name}" for mark in ":-" for name in "pin pins restore show stats unpin".split())))


def content_blocks(record: Record) -> list[Record]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def typed_text(record: Record) -> str:
    """The words that a person typed in this record; empty when a program made it."""
    queued = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    is_prompt = record.get("type") == "attachment" and queued.get("commandMode") == "prompt"
    blocks = content_blocks({"message": {"content": queued.get("prompt")}} if is_prompt else record)
    texts = [text for block in blocks if (text := text_of(block, "text"))]  # in tools' results there is none
    if not texts or not (is_prompt or record.get("type") == "user"):
        return ""
    origin = queued.get("origin", record.get("origin"))
    by_program = (isinstance(origin, dict) and origin.get("kind") != "human") or record.get("promptSource") == "system"
    if by_program or any(queued.get(flag, record.get(flag)) for flag in MACHINE_FLAGS):
        return ""
    return "\n".join(filter(None, map(own_words, texts)))


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it."""
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    is_silent = bool(name and name.group(1) in SILENT_COMMANDS)
    if name and (is_silent or is_woven):
        words = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return f"/{name.group(1)}:\n{words}" if words and not is_silent else ""
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()
