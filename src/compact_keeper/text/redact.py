"""Text without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compact_keeper.text.secret_patterns import SEEN_BEFORE_CHARACTERS, patterns_for

GOES_ON_BELOW = r"(?<!\))[:=|>\\][-+]?[\"'`]{0,2}[ \t\r]*\n"
NEXT_LINE_WITH_WORDS = r"\s*[^\n]*\n?"
NAME_BEFORE_CHARACTERS = 60
NAMED_ABOVE = (r"(?i)pass|secret|token|key|auth|sig|cred|pwd|pw|kennwort|contraseña|senha|wachtwoord|hasło|пароль|密码"
               r"|パスワード|identified by|cookie|bearer")


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    whole = text
    for kind, pattern, places in patterns_for(text):
        if places is None or text is not whole or (places and fits_before(pattern, text, places)):
            text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


def redact_across_lines(text: str) -> str:
    """The text without the secrets that only several lines together tell: its lines may then be taken one by one.

    A private key's rows, and a value below its name: there the line of the name and the next are looked at together,
    with more where that one is a name again.
    """
    if "PRIVATE KEY" in text:
        return redact(text)
    parts, done = list[str](), 0
    for begin, stop in lines_with_the_next(text):
        parts += [text[done:begin], redact(text[begin:stop])]
        done = stop
    return "".join([*parts, text[done:]]) if parts else text


def lines_with_the_next(text: str) -> list[tuple[int, int]]:
    """From where to where the lines go that end with a secret's name, each with the line below; what meets is one."""
    spans = list[tuple[int, int]]()
    below = re.compile(NEXT_LINE_WITH_WORDS)
    for end in re.finditer(GOES_ON_BELOW, text):
        begin = text.rfind("\n", 0, end.start()) + 1
        if re.search(NAMED_ABOVE, text[max(end.start() - NAME_BEFORE_CHARACTERS, begin):end.start()]):
            following = below.match(text, end.end())
            if spans and begin < spans[-1][1]:
                begin = spans.pop()[0]
            spans.append((begin, following.end() if following else end.end()))
    return spans


def fits_before(pattern: str, text: str, places: Iterable[int]) -> bool:
    """Whether the pattern fits where one of the names begins, or just before: to try it everywhere takes long."""
    fits = re.compile(pattern, re.DOTALL).match
    return any(fits(text, start) for place in places
               for start in range(max(place - SEEN_BEFORE_CHARACTERS, 0), place + 1))
