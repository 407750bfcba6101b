"""Where the names of the next step stand, as searches showed them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.code_hits import (
    TEST_PATH,
    Hit,
    is_comment,
    is_definition,
    is_side_line,
    searches,
    shown_hits,
    split_hit,
)
from compact_keeper.text.holding import has_word
from compact_keeper.text.names import is_plain_word
from compact_keeper.text.paths import file_name, same_file
from compact_keeper.types import Item

HITS_BY_NAME_MAX = 12
HITS_OF_A_NAME_MAX = 3
FILES_OF_A_NAME_MAX = 8  # a name that stands in more points nowhere
STANDARD_MODULES = frozenset(  # of which everyone uses everything
    "os io re fs fmt sys json math path time http sync errors strings strconv context filepath bytes sort log console"
    " process window document Object Array Promise String Math JSON std self this super".split())


def hits_by_name(items: Sequence[Item], names: Sequence[str], summary: str) -> list[str]:
    """The hits with a name of the next step, a file and name once; no tests and documents where there are others, nor
    where the next step names no test.

    Names with few files first, none with many: what stands everywhere points nowhere. Definitions are told apart.
    """
    wanted = members(names)
    names_test = any(re.search(TEST_PATH, name) for name in names)
    by_name, seen, changes = first_hits(items, wanted), set(summary.split()), [*filter(is_file_edit, items)]
    lines = list[str]()
    for _, files in sorted(by_name.items(), key=lambda entry: (len(entry[1]), wanted.index(entry[0]))):
        if len(files) > FILES_OF_A_NAME_MAX:
            continue
        chosen = [(hit, search) for hit, search in files if not is_side_line(hit[0], hit[2])]
        if not chosen and names_test:
            chosen = files
        new = [hit for hit, search in chosen
               if location_in_short(hit) not in seen and not is_edited_since(changes, hit[0], search["position"])]
        seen.update(map(location_in_short, new[:HITS_OF_A_NAME_MAX]))
        lines += shown_hits(new[:HITS_OF_A_NAME_MAX])
    return lines[:HITS_BY_NAME_MAX]


def location_in_short(hit: Hit) -> str:
    """Where a hit stands, as summaries write it: `rates.py:12`."""
    return f"{file_name(hit[0])}:{hit[1]}"


def is_edited_since(changes: Sequence[Item], path: str, position: int) -> bool:
    """Whether the file was changed after that position: a line seen before may not stand there any more."""
    return any(edit["position"] > position and same_file(edit["path"], path) for edit in changes)


def members(names: Sequence[str]) -> list[str]:
    """The names without those of paths and files, and of `module.name` the name; none of what everyone uses."""
    wanted = dict[str, None]()
    for name in names:
        before, _, end = name.rpartition(".")
        is_own = "/" not in name and len(name) > 3 and before.partition(".")[0] not in STANDARD_MODULES
        if is_own and not (before and is_plain_word(end)):
            wanted[end] = None
    return [*wanted]


def first_hits(items: Sequence[Item], wanted: Sequence[str]) -> dict[str, list[tuple[Hit, Item]]]:
    """For each name its newest hit in each file, with the search; no comments, no definitions."""
    by_name: dict[str, list[tuple[Hit, Item]]] = {}
    seen = set[tuple[str, str]]()
    for search in searches(items):
        for hit in search["hits"]:
            for name in [name for name in wanted if name in hit]:
                path, line, code = split_hit(hit)
                is_use = line and has_word(code, name) and not is_comment(code) and not is_definition(code)
                if is_use and (path, name) not in seen and (not is_plain_word(name) or f"{name}(" in code):
                    seen.add((path, name))
                    by_name.setdefault(name, []).append(((path, line, code), search))
    return by_name
