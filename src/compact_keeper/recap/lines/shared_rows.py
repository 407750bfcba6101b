"""Rows that the edits of several files share: they say nothing of one, so the file that was changed last shows them.

Twelve files that got the same wrapper had shown these rows alone, twelve times, and not what was peculiar to each: an
eighth of the text that came back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from compact_keeper.types import Item

FILES_MIN = 3  # whose edits have a row that tells nothing of any
ROW_MIN_CHARACTERS = 6  # a shorter one tells little of any file, and is no reason to take a file's line away
NEW_ROW, ROW_GONE = "+ ", "- "


def rows_shown_elsewhere(edits: Mapping[str, Sequence[Item]]) -> dict[str, set[str]]:
    """By path the new rows that many files' edits share and that another file's line shows.

    Of these files that is the one that was changed last, which comes first in `edits`; for itself it has none.
    """
    rows = {path: new_rows(of_file) for path, of_file in edits.items()}
    counts = Counter(row for of_file in rows.values() for row in of_file)
    shown, elsewhere = set[str](), dict[str, set[str]]()
    for path, of_file in rows.items():
        shared = {row for row in of_file if counts[row] >= FILES_MIN and len(row) >= ROW_MIN_CHARACTERS}
        elsewhere[path] = shared & shown
        shown |= shared
    return elsewhere


def new_rows(edits: Sequence[Item]) -> set[str]:
    """The rows that the edits of a file put there."""
    return {row[len(NEW_ROW):].strip() for item in edits for row in item.get("change", "").splitlines()
            if row.startswith(NEW_ROW)}


def files_by_rows(edits: Mapping[str, Sequence[Item]]) -> dict[frozenset[str], str]:
    """By a set of new rows with words the file that was changed last of those that got just these.

    The line of another file with the same rows may say "as in" it, and no other: what that line shows has to be
    true of it. Three files had stood as changed like a fourth, of which half of the shown rows was its own.
    """
    by_rows = dict[frozenset[str], str]()
    for path, of_file in edits.items():
        rows = rows_with_words(of_file)
        if rows and of_file[0]["verdict"] != "failed":  # without words files have nothing in common
            by_rows.setdefault(rows, path)
    return by_rows


def rows_with_words(edits: Sequence[Item]) -> frozenset[str]:
    """The rows with words that a line on the edits may show: new ones, and those that as many new ones replaced."""
    rows = new_rows(edits)
    for item in edits:
        change = item.get("change", "")
        gone = [row for row in change.splitlines() if row.startswith(ROW_GONE)]
        if len(gone) == change.count(f"\n{NEW_ROW}"):
            rows.update(gone)
    return frozenset(row for row in rows if re.search(r"\w", row))


def files_alike(edits: Mapping[str, Sequence[Item]], elsewhere: Mapping[str, Set[str]],
                by_rows: Mapping[frozenset[str], str]) -> dict[str, list[str]]:
    """By the file whose line shows the rows the other files that got the same rows and none of their own."""
    alike = dict[str, list[str]]()
    for path in files_without_own_rows(edits, elsewhere):
        source = by_rows.get(rows_with_words(edits[path]), path)
        if source != path:
            alike.setdefault(source, []).append(path)
    return alike


def files_without_own_rows(edits: Mapping[str, Sequence[Item]],
                           elsewhere: Mapping[str, Set[str]]) -> Iterator[str]:
    """The files of whose changes nothing is peculiar: each put rows there, and all that tell something are shared."""
    for path, of_file in edits.items():
        telling = {row for row in new_rows(of_file) if len(row) >= ROW_MIN_CHARACTERS}
        if not telling or not telling <= elsewhere[path] or of_file[0]["verdict"] == "failed":
            continue
        if all(new_rows([item]) for item in of_file):
            yield path
