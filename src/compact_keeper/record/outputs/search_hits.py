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
SAID_TO_BE_MET = r"(?m)^Found (\d{1,7}) (?:files?\b|total occurrences)"
IS_CUT_SHORT = (
    r"(?m)^(?:\(Results are truncated|Found \d{1,7} files? limit: |\[Showing results with pagination = limit: )")


def search_hits(output: str, path: str = "") -> list[str]:
    """What a search printed, as `path:line: code`, `path: code` or paths; `path` is where it looked, if in one file.

    As `chosen_hits` has them, none longer than HIT_MAX_CHARACTERS; lines of context are left out.
    """
    return [at_blank(hit, HIT_MAX_CHARACTERS) for hit in chosen_hits(hits_met(output, path))]


def how_many_hits(output: str, met: Sequence[tuple[str, str]]) -> str:
    """How many hits a search has met, as the client says or by its rows; "at least" where it printed only the first.

    Names that no form tells are hits, too, where those that were met are names alone.
    """
    said, are_located = re.search(SAID_TO_BE_MET, output), any(path != hit for path, hit in met)
    rows = [row for row in output.splitlines() if row.strip() and not row.startswith(NO_HIT_LINES)]
    count = int(said[1]) if said else len(met if are_located else rows)
    return f"at least {count}" if re.search(IS_CUT_SHORT, output) else str(count)


def hits_met(output: str, path: str) -> list[tuple[str, str]]:
    """The path of each hit that is known by its form, and the hit as it is told; beside located ones no other lines."""
    if re.match(NO_HITS, output) or has_diff(output):  # the heads of a diff's files were taken for hits
        return []
    file = path if "." in file_name(path) else ""
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
