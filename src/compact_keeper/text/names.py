"""Names in a text: functions, files, ids, hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from compact_keeper.text.dense import DENSE, is_dense

TEXT_WITH_NAMES_MAX_CHARACTERS = 20_000  # looked through for names
NAMES_OF_TEXT_MAX = 60
WORD_WITH_NAME = r"(?<![\w/.-])(?:--?|#|@|\./|~/)?[A-Za-z0-9_](?:[\w/@+:.-]{0,118}\w)?"
MARKED_NAME = r"`([^`\s]{3,80})`"
HASH_FORM = r"(?=[0-9a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}"
UUID_FORM = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ID_FORM = r"[A-Z][A-Z0-9]{1,9}-\d{1,7}|#\d{1,7}"
JOINED_FORM = (  # lowerCamel, UpperCamel, with_underscores
    r"[a-z$_][a-z0-9_]{0,40}[A-Z]\w{0,60}|[A-Z]{1,9}[a-z][a-z0-9]{0,40}[A-Z]\w{0,60}|[A-Za-z][A-Za-z0-9]{0,40}_\w{1,60}"
    r"|_[a-z]\w{2,60}")
FILE_FORM = r"[\w.@+-]{2,80}\.[A-Za-z][A-Za-z0-9]{0,7}"
HYPHENATED_FORM = r"\w{1,40}(?:-\w{1,40}){2,9}|(?=\D{0,60}\d)[A-Za-z]\w{0,40}-\w{1,40}|--[a-z][\w-]{1,60}"
NAME_ALONE, NAME_OF_PARTS = f"{UUID_FORM}|{ID_FORM}|{HASH_FORM}|{JOINED_FORM}", f"{HYPHENATED_FORM}|{JOINED_FORM}"
MEMBER_FORM = rf"\w{{2,60}}(?:\.\w{{1,60}}){{0,4}}\.(?:{JOINED_FORM})"  # module.functionName
NO_NAMES = frozenset((  # look like names, and are none of the work's
    "JavaScript", "TypeScript", "GitHub", "GitLab", "OpenAI", "macOS", "iOS", "README.md", "PostgreSQL", "MySQL",
    "SQLite", "MongoDB", "GraphQL", "WebSocket", "WebSockets", "OAuth", "JetBrains", "IntelliJ", "LinkedIn",
    "e.g", "i.e", "VSCode", "DevTools", "YouTube", "LaTeX", "Node.js", "node.js", "Next.js", "Vue.js"))


def names_of(text: str) -> list[str]:
    """The names in a text, each once, as they come: functions, types, files, flags, hashes, ids; also a path's end.

    Words of a plain language are none, unless they stand alone between backticks.
    """
    return [*names_within(text)]


def names_within(text: str) -> Iterator[str]:
    """The names in a text as `names_of` has them: who stops at one of them pays for no others."""
    text, names = text[:TEXT_WITH_NAMES_MAX_CHARACTERS], set(NO_NAMES)
    if not text.isascii() and is_dense(text):  # names may stand beside such letters, or have some: "请看notes.md"
        text = f"{text}\n{re.sub(f'[{DENSE}]+', ' ', text)}"
    marks = re.findall(MARKED_NAME, text) if "`" in text else ()
    marked = {word.partition("(")[0].rstrip(".,:;") for word in marks}
    for word in re.findall(WORD_WITH_NAME, text):
        inner = names_in_word(word)
        if not inner and word in marked and not word.isdigit():
            inner = [word]
        for name in inner:
            if name not in names:
                names.add(name)
                yield name
            if len(names) - len(NO_NAMES) >= NAMES_OF_TEXT_MAX:
                return


@lru_cache(maxsize=4096)
def names_in_word(word: str) -> list[str]:
    """The names that a word without blanks is or holds; the most telling first."""
    is_plain = word.isdigit() or (word.isalpha() and word[1:].islower())  # as most words are
    if is_plain or re.fullmatch(NAME_ALONE, word):
        return [] if is_plain else [word]
    word = re.sub(r"(?::\d+){1,2}$", "", word) if ":" in word else word  # a location in a file
    if "/" in word:
        end = word.rpartition("/")[2]
        is_path = "." in end or word.count("/") > 1 or bool(re.search(r"[_\d@]|^\./", word))
        return [word, *names_in_word(end)] if is_path and not re.fullmatch(r"[\d/.:-]+", word) else []
    if "." in word and re.fullmatch(MEMBER_FORM, word):
        return [word]  # module.functionName
    if "." in word and re.fullmatch(FILE_FORM, word) and not word[0].isdigit():
        before, _, end = word.rpartition(".")
        return [word] if len(before) > 1 and end[:1].islower() else []
    if "." in word or ":" in word:
        return [part for part in re.split(r"[.:]+", word) if re.fullmatch(JOINED_FORM, part)]
    return [word] if re.fullmatch(NAME_OF_PARTS, word) else []


def is_plain_word(name: str) -> bool:
    """Whether a name is a word as others are, that only its backticks made a name."""
    return name.isalpha() and not names_in_word(name)
