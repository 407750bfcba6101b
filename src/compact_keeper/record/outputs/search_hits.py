"""What a search printed: its hits, as `path:line: code`, `path: code` or paths."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.outputs.diff_rows import has_diff
from compact_keeper.text.length import at_blank
from compact_keeper.text.paths import file_name

SEARCH_HITS_MAX = 40  # of one search
HIT_MAX_CHARACTERS = 160
HITS_LOOKED_AT_MAX = 2_000
NO_HITS = r"\s{0,9}(?:No (?:matches|files|results)\b|0 (?:matches|results)\b)"
HIT_WITH_LOCATION = r"((?:[A-Za-z]:)?[^:\n\t]{1,300}?):(\d{1,7}):(.*)"
# With an ending, or a folder and no blank: a log's `10.0.0.1 - - [23/Mar/2026 17:37:59]` is no hit in a file.
LOOKS_LIKE_PATH = r".{0,300}\.[A-Za-z]\w{0,19}$|[^\s/]{0,300}/\S{0,300}$"
HIT_IN_FILE = r"(\d{1,7}):(.*)"
HIT_WITH_PATH = r"((?:[\w.@+~-]{1,80}/){0,30}[\w.@+-]{1,80}\.[A-Za-z]\w{0,7}):(.*)"
HIT_PATH = r"(?:[\w.@+~()\[\] -]{0,80}/){0,30}[\w.@+()\[\]-]{1,120}$"
HIT_LOOKED_AT_CHARACTERS = 620  # of a line: its path, and twice what is kept
NO_HIT_LINES = ("Found ", "(", "[Showing ")  # what the client's search says of its hits
SAID_TO_BE_MET = r"(?m)^Found (\d{1,7}) (files?\b|total occurrences)"
FILES_MET = r"Found \d{1,7} files?\b"
LIMIT_SAID = (
    r"(?m)^(?:Found \d{1,7} files? |\[Showing results with pagination = )limit: (\d{1,7})(?:, offset: (\d{1,7}))?")
RESULTS_CUT = "(Results are truncated"
ROW_MET = r"(?:[^:]{1,300}:)?\d+:"  # of a search with numbered lines
ROW_AROUND = r"(?:[^:]{1,300}-)?(\d{1,7})-|--$"  # those around have a hyphen


def search_hits(output: str, path: str = "") -> list[str]:
    """What a search printed, as `path:line: code`, `path: code` or paths; `path` is where it looked, if in one file.

    As `chosen_hits` has them, none longer than HIT_MAX_CHARACTERS; lines of context are left out.
    """
    return [at_blank(hit, HIT_MAX_CHARACTERS) for hit in chosen_hits(hits_met(output, path))]


def how_many_hits(output: str, met: Sequence[tuple[str, str]], is_cut: bool) -> str:
    """How many hits or files a search has met, as the client says or by its rows; "at least" where it printed only the
    first, and where by the rows of an output of which not all is there (`is_cut`).

    Names that no form tells are hits, too, where those that were met are names alone.
    """
    said, are_located = re.search(SAID_TO_BE_MET, output), any(path != hit for path, hit in met)
    rows = [row for row in output.splitlines() if row.strip() and not row.startswith(NO_HIT_LINES)]
    count = int(said[1]) if said else len(met if are_located else rows)
    kind = "file" if said and said[2].startswith("file") else "hit"
    begin = "at least " if (is_cut and not said) or is_cut_short(output, len(rows)) else ""
    return f"{begin}{count} {kind}{'s' * (count != 1)}"


def is_cut_short(output: str, rows: int) -> bool:
    """Whether a search that printed so many rows may have met more: it names its limit below all of them, too."""
    limit = re.search(LIMIT_SAID, output)
    said = limit and re.match(SAID_TO_BE_MET, limit[0])
    is_at_limit = limit is not None and (int(said[1]) if said else rows) + int(limit[2] or 0) >= int(limit[1])
    return is_at_limit or f"\n{RESULTS_CUT}" in output


def without_rows_around(rows: Sequence[str]) -> list[str]:
    """Of a search's numbered rows those that it met, without the ones around them; all rows of another."""
    rows = [*filter(str.strip, rows)]
    met = [row for row in rows if re.match(ROW_MET, row)]
    if met:
        return met
    around = [re.match(ROW_AROUND, row) for row in rows if not row.startswith(NO_HIT_LINES)]
    numbers = [int(row[1]) for row in around if row and row[1]]
    is_numbered = len(numbers) > 1 and numbers[1] == numbers[0] + 1  # no names or dates
    return [] if is_numbered and all(around) else rows


def hits_met(output: str, path: str) -> list[tuple[str, str]]:
    """The path of each hit that is known by its form, and the hit as it is told; beside located ones no other lines."""
    if re.match(NO_HITS, output) or has_diff(output):  # the heads of a diff's files were taken for hits
        return []
    file = path if "." in file_name(path) else ""
    if re.match(FILES_MET, output):
        output = output.replace("\\", "/")
    hits = [(path, hit if len(line) <= HIT_LOOKED_AT_CHARACTERS else at_blank(hit, len(hit) - 1))
            for line in output.splitlines()[:HITS_LOOKED_AT_MAX]
            for path, hit in hits_of_line(line[:HIT_LOOKED_AT_CHARACTERS], file)]
    located = [(path, hit) for path, hit in hits if path != hit]  # beside these the others are lines of context
    return located or hits


def hits_of_line(text: str, file: str) -> list[tuple[str, str]]:
    """The path of the hit that a line is, and the hit as it is told, at most one; `file` is that which was searched."""
    if ":" in text:
        in_file = re.match(HIT_IN_FILE, text) if file else None
        if in_file:
            return [(file, f"{file}:{in_file[1]}: {in_file[2].strip()}")]
        with_location = re.match(HIT_WITH_LOCATION, text)
        if with_location and "." in with_location[1] and re.match(LOOKS_LIKE_PATH, with_location[1]):
            path, line, code = with_location.groups()
            return [(path, f"{path}:{line}: {code.strip()}")]
        with_path = re.match(HIT_WITH_PATH, text)
        if with_path:
            return [(with_path[1], f"{with_path[1]}: {with_path[2].strip()}")]
    may_be_path = "/" in text or "." in text
    if may_be_path and re.match(HIT_PATH, text) and not text.startswith(NO_HIT_LINES):
        return [(text.strip(), text.strip())]
    return []


def chosen_hits(hits: Sequence[tuple[str, str]]) -> list[str]:
    """At most SEARCH_HITS_MAX of the hits, in their order: the first of each file before the second of any."""
    if len(hits) <= SEARCH_HITS_MAX:
        return [hit for _, hit in hits]
    seen, ranks = dict[str, int](), list[tuple[int, int]]()  # ranks: which hit of its file, and its index
    for index, (path, _) in enumerate(hits):
        seen[path] = seen.get(path, 0) + 1
        ranks.append((seen[path], index))
    chosen = sorted(index for _, index in sorted(ranks)[:SEARCH_HITS_MAX])
    return [hits[index][1] for index in chosen]
