"""How the plugin's own commands are typed: how they begin in this installation, and the options behind them."""

from __future__ import annotations

import os
import re

from compact_keeper.store.refusal import Refusal
from compact_keeper.text.quotation import quote

OWN_BEGIN = "/compact-keeper"  # how prompts begin that are for us; recall's words are for the model too
OPTION_SHOWN_UTF16 = 100
NOTHING_DONE = "nothing was done"  # how it is said of a command, before the reason
OPTIONS = {  # that a command knows, with what each is for
    "show": {"why": "what would not be put back, and the reason", "notes": "the session's notes"},
    "stats": {"global": "the figures of all sessions", "report": "writes a page of this session for the browser"},
    "doctor": {"project": "tries the hooks that this project brings"},
    "restore": {"anyway": "brings in what was saved where nothing is missing, too",
                "killed": "of another session of this folder whose compaction has not ended"},
    "status-line": {"remove": "takes the line out again"},
    "pins": {},
}


# A command of ours behind another on its line, and others before it: one that is sent without words is only completed
# by the client, and the next is typed behind it.
SECOND_COMMAND = r"(?:--?\w+\s+|/compact-keeper[:-]\w[\w-]{0,20}\s*(?=/compact-keeper))*(/compact-keeper[:-]\w.*)"
SECOND_SHOWN_UTF16 = 300


def command_prefix() -> str:
    """How the commands of this installation begin: where plugin and copies are both installed, each meets its own."""
    skills = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "skills")
    return f"{OWN_BEGIN}{':' if os.path.isdir(skills) else '-'}"


def options_in(words: str) -> list[str]:
    """The words behind a command that takes options, in small letters and without dashes."""
    return [word.lstrip("-").lower() for word in words.split()]


def refuse_second_command(words: str) -> None:
    """Raises Refusal, with what to type, where another command of ours is all that stands behind a command."""
    second = re.fullmatch(SECOND_COMMAND, words.strip(), re.DOTALL)
    if second and second[1].count(OWN_BEGIN) > 1:
        raise Refusal(f"{NOTHING_DONE}: the line held several commands. Empty it and type the one that you want.")
    if second:
        raise Refusal(f"{NOTHING_DONE}: the line held two commands. Empty it and type "
                      f"`{quote(second[1], SECOND_SHOWN_UTF16)}` once more.")


def refuse_unknown_options(name: str, words: str) -> None:
    """Raises Refusal, with what the command knows, for the first word behind it that is none of its options."""
    if name not in OPTIONS:  # words of the person's own, or a number
        return
    known = OPTIONS[name]
    unknown = [word for word in words.split() if word.lstrip("-").lower() not in (*known, ".")]  # as in "--project ."
    if not unknown:
        return
    options = " and ".join(f'"{option}" ({use})' for option, use in known.items())
    word = quote(unknown[0], OPTION_SHOWN_UTF16)
    raise Refusal(f"{NOTHING_DONE}: {command_prefix()}{name} does not know \"{word}\". "
                  + (f"It knows {options}." if options else f"It stands alone ({command_prefix()}pin TEXT pins)."))
