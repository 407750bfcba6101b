"""Whether the summary holds what a line says already: its names, its values, and what it says of their state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

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
    """The summary's lines that say something, each in lower case too and with its words and numbers; all of its words.

    Last the summary in lower case.
    """
    rows = [(line, line.lower(), frozenset(re.findall(r"\w+", line))) for line in summary.splitlines() if line.strip()]
    return rows, frozenset(re.findall(r"[\w.@+-]*\w", summary)), summary.lower()


def in_summary(line: str, summary: str) -> bool:
    """Whether the summary holds the names and the values of a line, and of these what the line says of their state.

    Without names or values: whether one of its lines holds nearly all of its words.
    """
    if not summary or not line:
        return False
    if line in summary:
        return True
    tokens = tokens_held(line, summary)
    return tokens is not None and lines_hold(line, tokens, summary)


def tokens_held(line: str, summary: str) -> list[str] | None:
    """The names and values of the line, each once; None where the summary lacks one, as it does of most lines."""
    _, words, _ = lines_of_summary(summary)
    tokens: dict[str, None] = {}
    for token in tokens_in(line):
        if token not in words and token not in summary:
            return None
        tokens[token] = None
    return [*tokens]


def lines_hold(line: str, tokens: list[str], summary: str) -> bool:
    """Whether the lines of the summary, those with the names if any, tell what the line tells of its tokens."""
    lines, _, lowered = lines_of_summary(summary)
    names = [token for token in tokens if not token.isdigit()]
    about = [row for row in lines if any(map(row[0].__contains__, names))] if names else []
    near = about or lines
    numbers = [token for token in tokens if token.isdigit()]
    if not all(any(number in inner for _, _, inner in near) for number in numbers):
        return False
    if len(tokens) < 2:
        is_near = words_in_one_line(line, [row for _, row, _ in near], lowered)
    else:
        is_near = words_near_names(line, tokens, [row for row, _, _ in near])
    if not is_near:
        return False
    locations = re.findall(LOCATION_IN_LINE, line) if ":" in line else []
    if not all(any(file in row and number in inner for row, _, inner in lines) for file, number in locations):
        return False
    return all(any(re.search(state, row) for row, _, _ in about) for state in STATES if re.search(state, line))


def words_near_names(line: str, tokens: list[str], about: list[str]) -> bool:
    """Whether the summary's lines with the names of a line hold most of its plain words."""
    of_names, near = "\n".join(tokens), "\n".join(about)
    plain = {word for word in re.findall(CONTENT_WORD, line) if word not in of_names}
    return sum(map(near.__contains__, plain)) >= WORDS_NEAR_NAMES * len(plain)


def tokens_of(line: str) -> list[str]:
    """What a line tells besides plain words: its names, of paths the end alone, numbers, what stands in quotes."""
    return [*dict.fromkeys(tokens_in(line))]


def tokens_in(line: str) -> Iterator[str]:
    """The values and names in a line, some of them twice; the values first, which take less time to find."""
    has_digits = any(map(str.isdecimal, line))
    bare = re.sub(LOCATION_IN_LINE, " ", line) if ":" in line and has_digits else line
    may_hold_values = has_digits or '"' in line or "`" in line
    values = (value.strip("\"`.,:~$") for value in (re.findall(VALUE_IN_LINE, bare) if may_hold_values else ()))
    yield from filter(None, values)
    yield from (name for name in names_within(line) if "/" not in name)


def words_in_one_line(line: str, lines: list[str], lowered: str) -> bool:
    """Whether one of these lines of a summary holds nearly all words of this one; these and `lowered` in lower case."""
    words = {word.lower() for word in re.findall(CONTENT_WORD, line)}
    may_lack = int(len(words) - WORDS_IN_ONE_LINE * len(words))
    lacking = {*islice((word for word in words if word not in lowered), may_lack + 1)}  # most lines lack many: no more
    if not words or len(lacking) > may_lack:
        return False
    known = sorted(words - lacking, key=len)
    longest = known[-1 - may_lack:]  # they stand in few lines, and a line with none of them lacks too many
    return any(sum(map(row.__contains__, known)) >= len(words) - may_lack
               for row in lines if any(map(row.__contains__, longest)))
