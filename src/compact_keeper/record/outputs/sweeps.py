"""Sweeps that were begun: a name that was searched and then changed in some of the files that hit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import SEARCH_TOOLS
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.code_hits import (
    Hit,
    is_definition_of,
    is_side_line,
    searches,
    shown_hits,
    split_hit,
)
from compact_keeper.text.holding import has_word
from compact_keeper.text.names import JOINED_FORM, is_plain_word
from compact_keeper.text.paths import WITH_FOLDER, file_name, last_parts, same_file
from compact_keeper.types import Item

UNCOVERED_FILES_MAX = 12  # a name that stands in more is no list of what is left to do
SWEEPING_EDITS_MAX, SWEEPING_SEARCHES_MAX = 100, 60  # the newest
FILES_OF_SWEEP_MIN = 2
CHANGED_ROWS_MAX = 200
SEARCHED_NAMES_MAX = 8  # of one pattern
SEARCHED_NAME = rf"(?<![\w\\])(?:{JOINED_FORM})(?!\w)"
NAMES_OF_UNCOVERED_MAX = 4
HITS_OF_UNCOVERED_MAX = 4  # of a name
FILES_SHOWN_MAX = 3  # in which a name was edited
SEARCH_LOOKED_AT_CHARACTERS = 500  # of a pattern or command
QUOTED_WORD = r"\"([^\"]{3,200})\"|'([^']{3,200})'"
PATTERN_SIGNS = r"\\[bswdntBSWD]|\.[*+]\??"
ROW_TAKEN_AWAY = r"\n- (.*)"


def searched_names(search: Item) -> list[str]:
    """The names that a search looked for, without the words of its pattern's or its command's own language."""
    text = search["text"]
    if search.get("tool") not in SEARCH_TOOLS:  # a command: what it looks for is quoted, or looks like a name
        quoted = re.findall(QUOTED_WORD, text[:SEARCH_LOOKED_AT_CHARACTERS])
        text = " ".join(double or single for double, single in quoted) or text.partition("|")[0]
    text = re.sub(PATTERN_SIGNS, " ", text[:SEARCH_LOOKED_AT_CHARACTERS])
    names = dict.fromkeys(name for name in re.findall(SEARCHED_NAME, text) if f"{name}/" not in text)
    return [name for name in names if not is_plain_word(name)][:SEARCHED_NAMES_MAX]


def uncovered_hits(items: Sequence[Item]) -> list[str]:
    """Of names that were searched and then changed in some of the files that hit: the hits in the others.

    A sweep shows itself by lines with the name that were taken away in two of these files, or by a definition that was
    changed; edits that only use the name say nothing. Tests, documents, comments only where the definition is gone.
    """
    changes = [*filter(is_file_edit, items)]
    sweeps: list[tuple[int, str]] = []  # with the position of the last edit
    seen = set[str]()
    newest = searches(items)[:SWEEPING_SEARCHES_MAX]
    by_word = edits_by_word(changes[-SWEEPING_EDITS_MAX:]) if newest else {}
    for search in newest:
        for name in searched_names(search):
            near = [edit for edit in by_word.get(name, ()) if edit["position"] > search["position"]]
            away = swept_lines(near, search, name) if near and name not in seen else []
            if not away:
                continue
            seen.add(name)
            later = [edit for edit in changes
                     if edit["position"] > search["position"] and has_word(edit.get("change", ""), name)]
            hits = hits_worth_telling(open_hits(items, search, name), is_definition_gone(name, away, later))
            if hits:
                sweeps.append((later[-1]["position"], shown_sweep(name, hits, later)))
    return [text for _, text in sorted(sweeps, reverse=True)[:NAMES_OF_UNCOVERED_MAX]]


def is_definition_gone(name: str, away: Sequence[str], later: Sequence[Item]) -> bool:
    """Whether a line that was taken away defined the name, and no edit put the name in again."""
    if not any(is_definition_of(row, name) for row in away):
        return False
    return not any(has_word(row, name) for edit in later for row in rows_put_in(edit))


def hits_worth_telling(hits: list[Hit], with_side_lines: bool) -> list[Hit]:
    """The hits in code, else those in tests, documents and comments where these are asked for; none in many files."""
    chosen = [hit for hit in hits if not is_side_line(hit[0], hit[2])]
    if not chosen and with_side_lines:
        chosen = hits
    return chosen if len({path for path, _, _ in chosen}) <= UNCOVERED_FILES_MAX else []


def edits_by_word(changes: Sequence[Item]) -> dict[str, list[Item]]:
    """For each word the edits that took lines with it away, of files that are no tests and no documents."""
    by_word: dict[str, list[Item]] = {}
    for edit in changes:
        change = "\n" + edit.get("change", "")
        if "\n- " not in change or is_side_line(edit["path"], ""):
            continue
        rows = re.findall(ROW_TAKEN_AWAY, change)[:CHANGED_ROWS_MAX]
        for word in set(re.findall(r"\w{4,}", "\n".join(rows))):
            by_word.setdefault(word, []).append(edit)
    return by_word


def swept_lines(near: Sequence[Item], search: Item, name: str) -> list[str]:
    """The lines with a name that edits of files which a search hit took away; none where these make no sweep."""
    away, files = list[str](), set[str]()
    for edit in near:
        rows = taken_away(edit, name)
        if any(has_word(hit, name) and same_file(edit["path"], split_hit(hit)[0]) for hit in search["hits"]):
            away += rows
            files.add(edit["path"])
    is_sweep = len(files) >= FILES_OF_SWEEP_MIN or any(is_definition_of(row, name) for row in away)
    return away if is_sweep else []


def taken_away(edit: Item, name: str) -> list[str]:
    """The lines with the name that an edit took away or changed."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row[1:].strip() for row in rows if row[:1] == "-" and has_word(row, name)]


def rows_put_in(edit: Item) -> list[str]:
    """The lines that an edit put in."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row.lstrip("+ \t") for row in rows if row[:1] != "-"]


def open_hits(items: Sequence[Item], search: Item, name: str) -> list[Hit]:
    """The hits with a name in files that nothing changed after the search, and no edit ever did with this name."""
    paths, commands = list[str](), list[str]()
    for item in items:
        is_later = item["position"] > search["position"]
        if is_file_edit(item):
            if is_later or has_word(item.get("change", ""), name):
                paths.append(item["path"])
        elif item["kind"] == "action" and is_later:
            commands.append(item["text"])
    later_commands = "\n".join(commands)
    hits: list[Hit] = []
    for path, line, code in [split_hit(hit) for hit in search["hits"] if has_word(hit, name)]:
        is_covered = any(same_file(other, path) for other in paths) or file_name(path) in later_commands
        if code and not is_covered and not is_definition_of(code, name):
            hits.append((path, line, code))
    return hits


def shown_sweep(name: str, hits: list[Hit], later: list[Item]) -> str:
    """What was edited of a name, and what was not."""
    files = [*dict.fromkeys(last_parts(edit["path"], WITH_FOLDER) for edit in later)]
    edited = ", ".join([*files[:FILES_SHOWN_MAX], *(["…"] if len(files) > FILES_SHOWN_MAX else [])])
    left = "; ".join(shown_hits(hits[:HITS_OF_UNCOVERED_MAX]))
    more = f"; {len(hits) - HITS_OF_UNCOVERED_MAX} more" if len(hits) > HITS_OF_UNCOVERED_MAX else ""
    return f"`{name}`: edited in {edited}; not in {left}{more}"
