"""The rows of the table of outputs that may fit a line, found by the line's first word or by its kind.

So a long output costs one look-up a line, and only patterns that may fit are compiled: a hook reads one output and
ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.output_rows import OUTPUT_ROWS

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]
ROWS_BY_WORD: RowsByWord = {}
COMPILED: dict[str, re.Pattern[str]] = {}
NO_ROWS: list[OutputRow] = []  # looked at once more without the prefix


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their places and the rows that may fit."""
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(filter(text.__contains__, ENDINGS))
    has_prefixes = ": " in text and any(map(text.__contains__, PREFIXED_TASKS))
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    untold = {""}  # lines that tell nothing; most come again
    for place, line in enumerate(lines):
        if line in untold:
            continue
        parts = line.split(None, 2) if line[:1] != "=" else line.strip(" \t=").split(None, 2)
        rows = table.get(parts[0]) if parts else None
        if rows is None and has_others and parts:
            rows = rows_by_end(line, endings, table)
        if rows is None and parts and parts[0] not in dull:
            rows = rows_for_kind(line, parts, has_prefixes, dull)
        if rows is None:
            untold.add(line)
            continue
        if len(parts) > 1 and is_of_passed_test(line, parts):
            rows = table["PASS"]
        yield place, shortened(line).strip(" \t="), rows


def rows_for_kind(line: str, parts: Sequence[str], has_prefixes: bool, dull: set[str]) -> list[OutputRow] | None:
    """The rows for a line by its kind, or by its task's name before it; a word of which it has none is dull."""
    word = parts[0]
    rows = rows_for(line, word, parts, rows_by_word())
    if rows is None and has_prefixes and len(parts) > 2 and parts[1][-1] == ":":
        rows = NO_ROWS
    if rows is None and not (has_prefixes or word[0].isdigit() or ":" in word):
        dull.add(word)
    return rows


def is_of_passed_test(line: str, parts: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (parts[0] == "---" and parts[1] == "PASS:") or (parts[0] == "test" and line.endswith("... ok"))


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


def rows_for(line: str, word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none: by its kind."""
    first, last = word[0], word[-1]
    if first in "[#│┃║" or last == "!":
        return table["!" if last == "!" else "["]
    if first.isdigit():
        return rows_for_number(word, parts, table)
    if ":" in word or last == ")":
        return rows_for_place(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(parts) == 1 or parts[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`."""
    if len(parts) < 2:
        return None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" in word:
        return table[":+"] if parts[1][0] == "+" else table["@error"] if parts[1] == "error" else None
    return table.get(f"0{parts[1].rstrip('.:,;')}")


def rows_for_place(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a place in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    if (rows := rows_for_word_and_colon(word, table)) is not None:
        return rows
    for key, part, text in (("@go", ".go:", word), ("@error", " error", line),
                            ("@ld", " undefined reference to ", line), ("@ruby", ":in", word)):
        if part in text:
            return table[key]
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return table["@biome"] if "━" in line else table["@code"]
    return NO_ROWS if word[-1] == ":" else None


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with; made when first asked for."""
    if not ROWS_BY_WORD:
        for runner, says, words, pattern in OUTPUT_ROWS:
            for word in words.split():
                ROWS_BY_WORD.setdefault(word, []).append((runner, says, pattern))
    return ROWS_BY_WORD


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    known = COMPILED.get(pattern)
    if known is None:
        known = COMPILED[pattern] = re.compile(pattern)
    return known


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    if len(line) <= OUTPUT_LINE_MAX_CHARACTERS:
        return line
    return re.sub(r"\S{1,400}\Z", "", line[:OUTPUT_LINE_MAX_CHARACTERS])
