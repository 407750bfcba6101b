"""Commands that ended well and whose output says less than it seems to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.checks_in_line import has_loop
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.commands.programs import SHOWING_AND_SILENT, WAITING, WITHOUT_EFFECT
from compact_keeper.record.commands.shell import PIPES, parted_from_texts, pieces_of, program_in, shell_words
from compact_keeper.text.length import MIDDLE_GONE

ECHO = r"(?:echo|printf)(?: -[neE]{1,3})? (?P<text>\"[^\"$`]{1,300}\"|'[^']{1,300}'|[^\s\"'$`]{1,100})$"
OWN_TEXT_MAX_CHARACTERS = 300
OWN_TEXT = "(only its own text)"
LIMITED = r"(?:\w+=\S* )*g?timeout "  # how a command begins that is ended when its time is up
CURL_WRITES = r"-(?!-)\w*[oO]$|--(?:output|remote-name)"
CURL_CHECKS = ("--fail", "--write-out", "--include", "--head")  # options that fail, or show the status
CURL_CHECKS_SHORT = frozenset("fwIi")


def what_it_shows(command: str, output: str) -> str:
    """Why the output of a command that ended well says less than it seems to; empty: nothing is known of that.

    Text of its own `|| echo`, where that is no answer to a question (`ls a || echo none`); a file that curl fetched
    without --fail, which may be a page that says 404.
    """
    pieces = pieces_of(command)
    printed = output.strip() if len(output) <= OWN_TEXT_MAX_CHARACTERS else ""
    own_text = own_text_printed(pieces, printed)
    if own_text:
        return own_text
    fetches = [index for index, (piece, _) in enumerate(pieces) if fetches_unchecked(shell_words(piece))]
    is_looked_at = bool(fetches) and any(
        program_in(piece) not in ("echo", "printf", "wait") for piece, _ in pieces[fetches[-1] + 1:])
    return "curl without -f: a page with an error is saved as well" if fetches and not is_looked_at else ""


def shows_own_text(command: str, output: str) -> bool:
    """Whether the output is text that the command itself holds, whatever its programs did.

    A report's rows ("✓ all checked", "[3/3] done") had stood as what the command printed, and of two searches that
    met nothing the `echo ---` between them.
    """
    shown = rows_without_blanks(output) if "<<" in command or "echo" in command else []
    return bool(shown) and (
        any(is_shown_whole(text, shown) for text in texts_shown(command)) or shown == rows_echoed(command))


def is_shown_whole(text: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether the rows shown are a text's; of one kept without its middle they begin and end as it does."""
    gap = text.index(MIDDLE_GONE) if MIDDLE_GONE in text else len(text)
    begin, end = text[:gap], text[gap + 1:]
    if gap == len(text) or len(shown) < len(text):
        return text == shown
    return shown[:gap] == begin and shown[len(shown) - len(end):] == end


def texts_shown(command: str) -> list[list[str]]:
    """The rows of each text that the command writes and shows, as in `cat > a.md << EOF …; cat a.md`."""
    if "<<" not in command or ("cat" not in command and "tee" not in command):
        return []
    pieces = pieces_of(command)
    programs = {program_in(piece) for piece, _ in pieces}
    if not programs <= SHOWING_AND_SILENT or any(sign in PIPES for _, sign in pieces):
        return []
    return [*map(rows_without_blanks, parted_from_texts(command)[1])]


def rows_echoed(command: str) -> list[str]:
    """The rows that the command's own `echo` prints, however its other programs end; none where that is not certain."""
    pieces, echoed = pieces_of(command), list[str]()
    if has_loop(pieces):
        return []
    for index, (piece, sign) in enumerate(pieces):
        echo = re.match(ECHO, piece)
        if echo and sign not in PIPES and waits_for_nothing(pieces[:index]):
            echoed += rows_without_blanks(echo["text"].strip("\"'"))
    return echoed


def waits_for_nothing(before: Sequence[tuple[str, str]]) -> bool:
    """Whether a command behind these runs however they end: what it is joined to by `&&` only waits or prints."""
    for piece, sign in reversed(before):
        if sign not in ("&&", "||"):
            break
        if sign == "||" or program_in(piece) not in (*WITHOUT_EFFECT, *WAITING):
            return False
    return True


def rows_without_blanks(text: str) -> list[str]:
    """The rows that are not empty, without the blanks around them."""
    return [*filter(None, map(str.strip, text.splitlines()))]


def own_text_printed(pieces: Sequence[tuple[str, str]], printed: str) -> str:
    """That the output is nothing but the text of the line's last echo, and what that means; empty: it is not."""
    echo = re.match(ECHO, pieces[-1][0]) if len(pieces) > 1 and printed else None
    if not echo or printed != echo["text"].strip("\"'") or is_looking(pieces[-2][0]):
        return ""
    before, sign = pieces[-2]
    is_choice = len(pieces) > 2 and before.startswith(("echo ", "printf "))  # `a && echo yes || echo no`
    is_behind = sign == "||" and not is_choice
    is_limited = any(re.match(LIMITED, piece) for piece, _ in pieces)
    failed = "failed, or its time was up" if is_limited else "failed"
    return f"only the text behind its own `||`: what stands before it {failed}" if is_behind else ""


def fetches_unchecked(words: Sequence[str]) -> bool:
    """Whether curl writes what it gets into a file, whatever the server answers, and shows no status."""
    if words[:1] != ["curl"] or "/dev/null" in words or not any(re.match(CURL_WRITES, word) for word in words):
        return False
    letters = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    return not CURL_CHECKS_SHORT & {*letters} and not any(word.startswith(CURL_CHECKS) for word in words)
