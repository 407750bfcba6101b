"""The rows of the table of outputs that may fit a line, found by the line's first word or by its kind.

So a long output costs one look-up a line, and only patterns that may fit are compiled: a hook reads one output and
ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from compact_keeper.record.runner_output.known_rows import OUTPUT_ROWS
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import whole_words

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their indexes and the rows that may fit.

    No rows where the line may tell something only behind the name of the task that printed it.
    """
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(ending for ending in ENDINGS if ending in text)
    has_prefixes = ": " in text and holds_any(text, PREFIXED_TASKS)
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    silent = {""}  # lines that tell nothing; most come again
    for index, line in enumerate(lines):
        if line in silent:
            continue
        words = (line.strip(" \t=") if line[:1] == "=" else line).split(None, 2)
        rows = table.get(words[0]) if words else None
        if rows is None and has_others and words:
            rows = rows_by_end(line, endings, table)
        if rows is None and words and words[0] not in dull:
            rows = rows_for(line, words[0], words, table)
            if rows is None and has_prefixes and len(words) > 2 and words[1][-1] == ":":
                rows = []
            if rows is None and is_dull_word(words[0], has_prefixes):
                dull.add(words[0])
        if rows is None:
            silent.add(line)
            continue
        if len(words) > 1 and is_of_passed_test(line, words):
            rows = table["PASS"]
        yield index, shortened(line).strip(" \t="), rows


def is_dull_word(word: str, has_prefixes: bool) -> bool:
    """Whether a word that has no rows has none whatever follows it."""
    return not (has_prefixes or word[0].isdigit() or ":" in word)


def is_of_passed_test(line: str, words: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (words[0] == "---" and words[1] == "PASS:") or (words[0] == "test" and line.endswith("... ok"))


def rows_by_end(line: str, endings: tuple[str, ...], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if line.endswith("[100%]"):
            return table["..[100%]"] if not line.split(None, 1)[0].strip(".sxX") else None
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none, by its kind; empty as in telling_lines."""
    first, last = word[0], word[-1]
    if last == "!" or first in "[#│┃║":
        return table["!"] if last == "!" else table["["]
    if first.isdigit():
        return rows_for_number(word, words, table)
    if ":" in word or "：" in word or last == ")":
        return rows_for_location(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(words) == 1 or words[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`, `1..3`."""
    if len(words) < 2:
        return table["1.."] if word.startswith("1..") else None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" not in word:
        return table.get(f"0{words[1].partition('，')[0].rstrip('.:,;、')}")
    if words[1][0] == "+":
        return table[":+"]
    return table["@error"] if words[1] == "error" else None


def rows_for_location(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a location in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    rows = rows_for_word_and_colon(word, table)
    if rows is not None:
        return rows
    kind = kind_of_location(line, word)
    if kind:
        return table[kind]
    return table.get(f"{word.partition('：')[0]}:", []) if word[-1] == ":" or "：" in word else None


def kind_of_location(line: str, word: str) -> str:
    """The word of the table for a line that begins with a location in a file; empty: it begins with none."""
    if ".go:" in word:
        return "@go"
    if " error" in line:
        return "@error"
    if " undefined reference to " in line:
        return "@ld"
    if ":in" in word:
        return "@ruby"
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return "@biome" if "━" in line else "@code"
    return ""


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`, `test.c:5:test_cents:FAIL: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.endswith(":FAIL:"):
        return table["FAIL:"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


@cache
def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with."""
    table: RowsByWord = {}
    for runner, says, words, pattern in OUTPUT_ROWS:
        for word in words.split():
            table.setdefault(word, []).append((runner, says, pattern))
    return table


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    return re.compile(pattern)


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    return whole_words(line, OUTPUT_LINE_MAX_CHARACTERS)
