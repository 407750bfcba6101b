"""Whether the summary holds what a line says already: its names, its values, and what it says of their state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from compact_keeper.text.names import names_within

NEXT_PART_MAX_CHARACTERS = 6_000
WORDS_IN_ONE_LINE = 0.85  # of a line without names, that one line of the summary must hold
WORDS_NEAR_NAMES = 0.6  # of the plain words of a line, that the summary's lines with its names must hold
NEXT_HEADING = (  # begins the part of a summary that says what comes next
    r"(?im)^[ \t#*]{0,8}(?:\d{1,2}\.)?[ \t#*]{0,4}(?:pending|open|remaining|outstanding|current|next|optional)"
    r"(?: [\w/-]{1,20}){0,3}[ \t*]{0,4}(?:\([^)\n]{0,60}\))?[ \t*]{0,4}:?[ \t*]{0,4}$"
    r"|(?i:^[ \t#*]{0,8}\d{1,2}\.[ \t#*]{0,4}(?:pending tasks|current work|optional next step)\b)")
VALUE_IN_LINE = r"(?<![\w.])[v~$]?\d[\d.,:]{0,18}\d(?!\w)|(?<![\w.:])\d(?= [a-z])|\"[^\"\n]{2,60}\"|`[^`\n]{2,80}`"
LOCATION_IN_LINE = r"([\w.@+-]{1,80}\.\w{1,8}):(\d{1,6})\b"
STATES = (  # what a line may say of its names, that a summary may say otherwise
    r"(?i)\bfail|\berror|\bbroken|\brejected|✗|✘|\brefused",
    r"(?i)\bpass(?:ed|es|ing)?\b|\bok\b|\bsuccess|✓|✔|\bgreen\b",
    r"(?i)\b(?:not|no|never|none|missing|without|nothing|cannot)\b|n't\b",
    r"(?i)\b(?:pending|uncommitted|unpushed|running|waiting|draft|in progress|open)\b",
    r"(?i)\b(?:done|completed?|committed|pushed|merged|fixed|closed|resolved)\b",
    r"(?i)\b(?:probably|maybe|might|unsure|unclear|suspect|assum\w{1,5}|wrong|incorrect)\b|\bnot sure\b")
CONTENT_WORD = r"[^\W\d_]{4,40}"


def next_part(summary: str) -> str:
    """The part of a summary that says what is pending, what was being done and what comes next; empty without one."""
    begins = [match.start() for match in re.finditer(NEXT_HEADING, summary)] if summary else []
    late = [begin for begin in begins if begin > len(summary) // 3]
    return summary[late[0]:][:NEXT_PART_MAX_CHARACTERS] if late else ""


@lru_cache(maxsize=4)
def lines_of_summary(summary: str) -> tuple[list[tuple[str, str, frozenset[str]]], frozenset[str], str]:
    """The summary's lines that say something: each as it is, in lower case, and the set of its words and numbers.

    Then all words of the summary, and all of it in lower case.
    """
    lines = [(line, line.lower(), frozenset(re.findall(r"\w+", line)))
             for line in summary.splitlines() if line.strip()]
    return lines, frozenset(re.findall(r"[\w.@+-]*\w", summary)), summary.lower()


def in_summary(line: str, summary: str) -> bool:
    """Whether the summary holds the names and the values of a line, and says of them what the line says.

    Of a line without names or values: whether one line of the summary holds nearly all of its words.
    """
    if not summary or not line:
        return False
    if line in summary:
        return True
    _, words, _ = lines_of_summary(summary)
    tokens: dict[str, None] = {}  # each once, in their order
    for token in tokens_in(line):
        if token not in words and token not in summary:  # as of most lines
            return False
        tokens[token] = None
    return lines_hold(line, [*tokens], summary)


def lines_hold(line: str, tokens: list[str], summary: str) -> bool:
    """Whether the summary's lines that have names of this line say what it says; without names any lines may.

    That is: its numbers, most of its words, its locations, and the states that it tells.
    """
    lines, _, lowered = lines_of_summary(summary)
    numbers = [token for token in tokens if token.isdigit()]
    names = [token for token in tokens if not token.isdigit()]
    with_names = [of_line for of_line in lines if any(map(of_line[0].__contains__, names))] if names else []
    near = with_names or lines
    for number in numbers:
        if not any(number in words for _, _, words in near):
            return False
    if len(tokens) < 2:
        has_words = words_in_one_line(line, [in_lower_case for _, in_lower_case, _ in near], lowered)
    else:
        has_words = words_near_names(line, tokens, [text for text, _, _ in near])
    if not has_words:
        return False
    for file, number in re.findall(LOCATION_IN_LINE, line) if ":" in line else ():
        if not any(file in text and number in words for text, _, words in lines):
            return False
    return says_states(line, [text for text, _, _ in with_names])


def says_states(line: str, about: list[str]) -> bool:
    """Whether the summary's lines about its names say each of the STATES that the line says."""
    said = [state for state in STATES if re.search(state, line)]
    return all(any(re.search(state, text) for text in about) for state in said)


def words_near_names(line: str, tokens: list[str], about: list[str]) -> bool:
    """Whether the summary's lines with the names of a line hold most of its plain words."""
    of_names, near = "\n".join(tokens), "\n".join(about)
    plain = {word for word in re.findall(CONTENT_WORD, line) if word not in of_names}
    return sum(map(near.__contains__, plain)) >= WORDS_NEAR_NAMES * len(plain)


def tokens_in(line: str) -> Iterator[str]:
    """What a line tells besides plain words: numbers, what stands in quotes, names, of paths the end alone.

    Some come twice. The values come first, which take less time to find.
    """
    has_digits = any(map(str.isdecimal, line))
    if has_digits or '"' in line or "`" in line:
        bare = re.sub(LOCATION_IN_LINE, " ", line) if ":" in line and has_digits else line
        values = [value.strip("\"`.,:~$") for value in re.findall(VALUE_IN_LINE, bare)]
        yield from filter(None, values)
    yield from (name for name in names_within(line) if "/" not in name)


def words_in_one_line(line: str, lines: list[str], lowered: str) -> bool:
    """Whether one of these lines of a summary holds nearly all words of this one; these and `lowered` in lower case."""
    words = {word.lower() for word in re.findall(CONTENT_WORD, line)}
    may_lack = int(len(words) - WORDS_IN_ONE_LINE * len(words))
    lacking = set[str]()
    for word in words:
        if word not in lowered:
            lacking.add(word)
            if len(lacking) > may_lack:  # so it is with most lines: the other words are not looked for
                return False
    known = sorted(words - lacking, key=len)
    longest = known[-1 - may_lack:]  # few lines have one; a line with none of them lacks too many, and is not counted
    candidates = (row for row in lines if any(map(row.__contains__, longest)))
    return any(sum(map(row.__contains__, known)) >= len(words) - may_lack for row in candidates)
