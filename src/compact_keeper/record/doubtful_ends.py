"""Commands that ended well and whose output says less than it seems to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.looking_commands import is_looking
from compact_keeper.record.shell import pieces_of, program_of, shell_words

ECHO = r"(?:echo|printf)(?: -[neE]{1,3})? (?P<text>\"[^\"$`]{1,300}\"|'[^']{1,300}'|[^\s\"'$`]{1,100})$"
OWN_TEXT_MAX_CHARACTERS = 300
CURL_WRITES = r"-(?!-)\w*[oO]$|--(?:output|remote-name)"


def what_it_shows(command: str, output: str) -> str:
    """Why the output of a command that ended well says less than it seems to; empty: nothing is known of that.

    Text of its own `|| echo`, where that is no answer to a question (`ls a || echo none`); a file that curl fetched
    without --fail, which may be a page that says 404.
    """
    pieces = pieces_of(command)
    last = re.match(ECHO, pieces[-1][0]) if len(pieces) > 1 else None
    printed = output.strip() if len(output) <= OWN_TEXT_MAX_CHARACTERS else ""
    if last and printed and printed == last["text"].strip("\"'") and not is_looking(pieces[-2][0]):
        is_choice = len(pieces) > 2 and pieces[-2][0].startswith(("echo ", "printf "))
        if pieces[-2][1] == "||" and not is_choice:
            return "only the text behind its own `||`: what stands before it failed"
        if pieces[-2][1] in (";", "\n"):
            return "only its own echo"
    calls = [shell_words(piece) for piece, _ in pieces]
    fetched = max((place for place, words in enumerate(calls) if fetches_unchecked(words)), default=len(calls))
    is_looked_at = any(program_of(words) not in ("echo", "printf", "wait") for words in calls[fetched + 1:])
    is_doubtful = fetched < len(calls) and not is_looked_at
    return "curl without -f: a page with an error is saved as well" if is_doubtful else ""


def fetches_unchecked(words: Sequence[str]) -> bool:
    """Whether curl writes what it gets into a file, whatever the server answers, and shows no status."""
    short = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    writes = [word for word in words if re.match(CURL_WRITES, word)]
    return (words[:1] == ["curl"] and bool(writes) and "/dev/null" not in words and not {*"fwIi"} & {*short}
            and not any(word.startswith(("--fail", "--write-out", "--include", "--head")) for word in words))
