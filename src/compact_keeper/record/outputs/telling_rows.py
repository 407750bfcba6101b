"""Of an output the rows that tell how it ended: its last ones, what it says of success or failure, addresses, sums.

What a command printed on its way (files packed, parts fetched, the head of a service's status) says nothing of its end,
and pushed this out of the text: two deploys were shown by their warnings, without the "Done" below.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import accumulate

from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import cut, units, whole_words

ROWS_BETWEEN, ROW_END = "…", " ⏎ "  # behind a row; a table has bars in its rows
ROWS_LOOKED_AT_MAX = 400  # of an output both ends
ROW_SHARE = 0.6  # of the room: more of it no single row takes where there are others
ROW_LOOKED_AT_CHARACTERS = 600
ANNOUNCED_MAX = 3  # rows behind an error that ends in a colon: the first, and indented ones
MISFITS_MAX = 20  # rows that have no room, in the order of their worth: behind them only worse ones fit
SAME_FORM_MAX = 2  # rows that differ in nothing but numbers, the last ones; others come behind all that say more
# What ended, failed or was made: addresses, sums and commits too.
TELLING_ROW = (
    r"(?i)\b(?:error|errors|err|fail(?:ed|ure|ures|s)?|fatal|panic|denied|refused|rejected|exception|conflict|timed out"
    r"|not found|no such|cannot|could not|unable|done|success(?:ful|fully)?|succeeded|passed|complete[d]?|finished"
    r"|created|uploaded|installed|deployed|published|started|stopped|merged|saved|total)\b|\b(?:active|status):"
    r"|\brestarting \(\d|\bexited \([1-9]"
    r"|https?://\S{4}|\b[0-9a-f]{32,128}\b|^==> |[✅❌✓✔✗✘]|^\s*warning:|\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b")
ERROR_WORDS = (
    "error", "fatal", "panic", "denied", "refused", "rejected", "conflict", "cannot", "could not", "unable", "fail",
    "failed", "failure", "exception", "unhealthy", "crashloopbackoff")
ERROR_ROW = rf"\b(?:{'|'.join(ERROR_WORDS)})\b|^\s*warning:"  # in lower case
HTTP_STATUS = r"(?:< )?HTTP/\d(?:\.\d)? \d{3}\b"  # as curl prints it with -v or -i
HEAD_SIGNS = ("=", "#", "*", "~", "-", "[")  # with which such a row begins: most begin with a letter
HEAD_ROW = r"\s*(?:[=#*~]{2,} ?[^\s=#*~].{0,100}|-{3,} ?[^\s-].{0,100}|# \S.{0,100}|\[[^\]\n]{1,60}\])\s*$"  # of a part
DULL_BEGINS = (  # printed on the way, by how the row begins
    "adding: ", "inflating: ", "extracting: ", "creating: ", "linking: ", "updating: ", "a - ", "Loaded: loaded ",
    "Process: ", "Main PID: ", "Tasks: ", "Memory: ", "CPU: ", "CGroup: ", "Duration: ", "Docs: ", "Drop-In: ",
    "TriggeredBy: ", "Invocation: ", "├", "└", "│", "--- ", "+++ ", "remote: Counting", "remote: Compressing",
    "remote: Enumerating", "remote: Resolving", "remote: Total", "npm notice ", "npm warn ", "npm warning ",
    "run `npm fund`", "platform linux ", "platform darwin ", "platform win32 ", "cachedir: ", "plugins: ",
    "asyncio: mode=", "collecting ... ", "INFO: pip is looking at ", "ERROR: pip's dependency resolver does not ",
    "[notice] ", "Attempting uninstall: ", "Found existing installation: ", "Uninstalling ",
    "Successfully uninstalled ")
DULL_LETTERS = ("x ", "index ", "Get:", "Hit:", "Ign:", "Total ", "remote:")  # of the next those that begin with one
DULL_ROW = (  # the same, by more than its begin
    r"\s*(?:x \S|[●○×] \S{1,80}\.\w{4,7} - |[\])}>,;{(\[ ]{1,4}$|index [0-9a-f]{7,40}\.\."
    r"|(?:(?:Get|Hit|Ign):\d+|Total \d+ \(delta)\b|remote:\s*$"
    r"|\d{1,3}(?:\.\d)?% |[-=*_#~+ ]{4,}$|[-=*_#~+ ^|/\\(){}.,:;'`]{12,}$"  # the last: of a name drawn with signs
    r"|\d+ packages? are looking for funding)")
RULER_SIGNS, BETWEEN_COLUMNS = frozenset("-=:|+ "), ("|", "+")  # of a table of psql, MySQL or Markdown
BETWEEN_CELLS, TABLE_ROWS_MIN = " | ", 3
FIGURES_OF_NAME = r"\s{0,20}[A-Za-z][^\s:]{0,60}(?:[ \t]{1,20}[^\s:]{0,30}\d[^\s:]{0,30}){2,12}\s*$"
DATED_ROW = r"\s{0,9}\[?(\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2} {1,2}\d{1,2})[T ](\d\d):\d\d"  # with day and hour
HOUR_OF_DAY = r"\d[T ]\d\d:"  # in each of these
DATED_ROWS_MIN, HOURS_AGO = 3, 2
PROGRESS_ROW = (  # eight figures before three times, if any: three rows of it stood beside an answer of one
    r"\s*(?:[\d.]{1,6}[kMGTP]?\s{1,9}){8}(?:(?:[\d:]{7,9}|--:--:--)\s{1,9}){3}"
    r"|\s*(?:100|\d\d?)\s{1,9}(?:[\d.]{1,6}[kMGTP]?\s{1,9}){7}\s{12,40}[\d.]{1,6}[kMGTP]?\s*$"
    r"|.{0,400}\[Omitted long (?:matching|context) line\]$"
    r"|\s*[0-9a-f]{12}:? (?:Pulling fs|Waiting|Verifying Checksum|Already exists|Download|Extracting|Pull complete)"
    r"|\s*[\w.-]{1,60} Pulling\s*$"
    r"|\s*% Total {1,9}% Received|\s*Dload +Upload")
DULL_WORDS = (  # the same, as the row's first words: most rows begin with none, and no pattern is compiled for them
    "Compiling", "Downloading", "Downloaded", "Fetching", "Fetched", "Resolving", "Resolved", "Unpacking", "Preparing",
    "Selecting", "Reading", "Building", "Extracting", "Collecting", "Requirement already", "Using cached",
    "Processing triggers", "Setting up", "Receiving objects", "Writing objects", "Counting objects",
    "Compressing objects", "Enumerating objects", "Delta compression", "Updating files", "Filtering content", "Pulling",
    "Pulled", "Progress: resolved", "Copying",
    "Warning: Permanently added")


def telling_rows(rows: Sequence[str], limit: int, is_listing: bool = False) -> str:
    """The rows on one line, at most `limit` UTF-16 units: of more the last ones and those that tell how it ended.

    Of a listing and of a table the first rows come before those in their middle, of other outputs the later ones.
    Longer where no row fits: what is not redacted yet is cut nowhere else than at a blank.
    """
    is_listing = is_table(rows) or (is_listing and not is_dated_log(rows))
    rows = [row for row in rows if row.strip() and not is_progress(row) and not is_ruler(row)]
    whole = ROW_END.join(" ".join(row.split()) for row in rows)
    if units(whole) <= limit:
        return whole
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 4], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX * 3 // 4:]]
    most = int(limit * ROW_SHARE)
    groups = [shortened_row(row, most) for row in with_what_follows(rows)]
    heads = indexes_of_heads(groups)
    chosen, misfits = set[int](), 0
    for index in by_worth(groups, is_listing):
        with_head = {*chosen, index, heads[index]} - {-1}
        if units(in_a_row(groups, with_head)) <= limit:
            chosen = with_head
        else:
            misfits += 1
            if misfits > MISFITS_MAX:
                break
    return in_a_row(groups, chosen) or whole


def is_table(rows: Sequence[str]) -> bool:
    """Whether most rows are of a table: their order says something, as the newest or the largest comes first."""
    in_cells = sum(BETWEEN_CELLS in row for row in rows)
    names = {re.sub(r"\d", "", row.split(maxsplit=1)[0]) for row in rows if re.match(FIGURES_OF_NAME, row)}
    return any(count >= TABLE_ROWS_MIN and count * 2 > len(rows) for count in (in_cells, len(names)))


def is_dated_log(rows: Sequence[str]) -> bool:
    """Whether most rows begin with a day and an hour, the newest at the end."""
    hours = hours_of_log(rows)
    return len(hours) >= DATED_ROWS_MIN and len(hours) * 2 > len(rows)


def hours_of_log(rows: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Day and hour of the rows that begin with them, by index; none where, by their letters, the newest is not last."""
    if not re.search(HOUR_OF_DAY, "\n".join(rows)):
        return {}  # as of most outputs: to look into each row took a twentieth of a first save
    stamps = {index: re.match(DATED_ROW, row) for index, row in enumerate(rows) if row.partition(":")[2][:1].isdigit()}
    hours = {index: (stamp[1], int(stamp[2])) for index, stamp in stamps.items() if stamp}
    in_order = [*hours.values()]
    return hours if in_order[:1] <= in_order[-1:] else {}


def indexes_of_earlier_hours(rows: Sequence[str]) -> set[int]:
    """The indexes of a log's rows that were written hours before its last one: they tell nothing of how it is now.

    A failure of the night had stood for a service that had been started anew since.
    """
    hours = hours_of_log(rows)
    day, hour = [*hours.values()][-1] if hours else ("", 0)
    return {index for index, (other, at) in hours.items() if other != day or hour - at >= HOURS_AGO}


def is_ruler(row: str) -> bool:
    """Whether the row only parts a table's head from its rows."""
    return "--" in row and RULER_SIGNS.issuperset(row) and holds_any(row, BETWEEN_COLUMNS)


def is_progress(row: str) -> bool:
    """Whether the row is one of curl's meter or of its two headings, of a layer that Docker fetches, or a search's hit
    that was too long to show.
    """
    return re.match(PROGRESS_ROW, row) is not None


def shortened_row(row: str, most: int) -> str:
    """The row; of a longer one the whole words that fit, of a single long word all."""
    words = whole_words(row, most)
    return row if words in ("", row) else f"{words} {ROWS_BETWEEN}"


def with_what_follows(rows: Sequence[str]) -> list[str]:
    """The rows, of which one that says an error and ends in a colon has the rows that it announces behind it."""
    groups, announced = list[str](), 0
    for row in rows:
        if announced and groups and (announced == ANNOUNCED_MAX or row[:1].isspace()):
            groups[-1] += f" {' '.join(row.split())}"
            announced -= 1
            continue
        groups.append(" ".join(row.split()))
        is_announcing = row.rstrip().endswith(":") and says_error(row[:ROW_LOOKED_AT_CHARACTERS])
        announced = ANNOUNCED_MAX if is_announcing else 0
    return groups


def by_worth(rows: Sequence[str], is_listing: bool) -> list[int]:
    """The indexes of the rows, those first that say most; no row twice, and dull ones only where there are no others.

    First the last row, then errors and how a server answered, then the first row and those that tell how it ended, then
    others; behind them rows that stood again later with other numbers, or that a log has of hours before. Of rows that
    say as much the later ones come first; errors keep their order. The rows of a listing keep theirs, its last one too,
    behind how a server answered: a search for a file
    had come back without its first hit, which was the file.
    """
    rows = [row[:ROW_LOOKED_AT_CHARACTERS] for row in rows]
    latest_first = indexes_of_different(rows)
    speaking = [index for index in latest_first if not is_dull(rows[index])]
    overtaken = set[int]() if is_listing else indexes_of_earlier_hours(rows) | indexes_of_repeated_forms(rows)
    last = next((index for index in speaking if index not in overtaken), None)

    def rank(index: int) -> tuple[int, int]:
        """Lower for rows that say more, then for those that come first among their like."""
        if index in overtaken:
            return 4, -index
        if index == last and not is_listing:
            return 0, index
        if re.match(HTTP_STATUS, rows[index]):
            return 1, index
        if is_listing:
            return 2, index
        if says_error(rows[index]):
            return 1, index
        is_telling = not index or re.search(TELLING_ROW, rows[index])
        return 2 if is_telling else 3, -index
    return sorted(speaking, key=rank) or latest_first


def indexes_of_different(rows: Sequence[str]) -> list[int]:
    """The indexes of the rows, of equal ones the last one's; from the last row to the first, without marks of a gap."""
    indexes = dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        indexes.setdefault(rows[index], index)
    return [index for row, index in indexes.items() if row != ROWS_BETWEEN]


def indexes_of_repeated_forms(rows: Sequence[str]) -> set[int]:
    """The indexes of rows behind which SAME_FORM_MAX others stand that differ in nothing but numbers."""
    indexes, behind = set[int](), dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        form = re.sub(r"\d+", "0", rows[index])
        if behind.get(form, 0) >= SAME_FORM_MAX:
            indexes.add(index)
        behind[form] = behind.get(form, 0) + 1
    return indexes


def is_dull(row: str) -> bool:
    """Whether the row was printed on the way, by its begin, and says no error."""
    begin = row.lstrip()
    is_word = begin.startswith(DULL_WORDS) and re.match(rf"(?:{'|'.join(DULL_WORDS)})\b", begin)
    may_fit = not begin[:1].isalpha() or begin.startswith(DULL_LETTERS)
    is_on_the_way = is_word or begin.startswith(DULL_BEGINS) or (may_fit and re.match(DULL_ROW, row))
    return bool(is_on_the_way) and not says_error(row)


def says_error(text: str) -> bool:
    """Whether a row says an error, or begins as a warning; most rows have none of these words."""
    lowered = text.lower()
    may_say = holds_any(lowered, (*ERROR_WORDS, "warning:"))
    return may_say and re.search(ERROR_ROW, lowered) is not None


def indexes_of_heads(rows: Sequence[str]) -> list[int]:
    """Of each row the index of the heading that it stands under, -1 without one: under another it would be false.

    In an output of several parts ("=== 788406 ===") the figures of one had stood below the name of another.
    """
    heads, head = list[int](), -1
    for index, row in enumerate(rows):
        head = index if row.lstrip().startswith(HEAD_SIGNS) and re.match(HEAD_ROW, row) else head
        heads.append(head)
    return heads


def in_a_row(rows: Sequence[str], indexes: Collection[int]) -> str:
    """The rows at these indexes in their order on one line, with a mark where others lie between."""
    parts, before = list[str](), -1
    for index in sorted(indexes):
        parts += [ROWS_BETWEEN] * (index > before + 1) + [rows[index]]
        before = index
    return ROW_END.join([*parts, *([ROWS_BETWEEN] if parts and before < len(rows) - 1 else [])])


def rows_in_short(text: str, limit: int, is_listing: bool = False) -> str:
    """The telling ones of rows that stand on one line, within `limit` UTF-16 units."""
    return cut(telling_rows(text.split(ROW_END), limit, is_listing), limit)


def has_all_rows(rows: str) -> bool:
    """Whether rows that stand on one line are there, and none of them is left out."""
    return rows != "" and ROWS_BETWEEN not in rows


def ends_under_heads(rows: Sequence[str], limit: int) -> str:
    """The first and the last rows on one line within `limit` UTF-16 units, two thirds of it for the first ones.

    What stands behind the gap has the heading that it stands under before it. Empty where the first row does not fit.
    """
    rows = [" ".join(row.split()) for row in rows if row.strip()]
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 2], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX // 2:]]
    if units(ROW_END.join(rows)) <= limit:
        return ROW_END.join(rows)
    upto = [0, *accumulate(units(row + ROW_END) for row in rows)]  # units of so many of the first rows
    first, last, heads = 0, len(rows), indexes_of_heads(rows)
    while first < last and upto[first + 1] + units(ROWS_BETWEEN) <= limit * 2 // 3:
        first += 1
    if not first:
        return ""
    kept = [(0, first)]
    while last > first:
        head = heads[last - 1]
        heading = [(head, head + 1)] if first <= head < last - 1 else []
        spans = [(0, first), *heading, (last - 1, len(rows))]
        if units_in_a_row(spans, upto) <= limit:
            last, kept = last - 1, spans
        elif last == len(rows) and first > 1:  # the end says more than the last of the first rows
            first -= 1
        else:
            break
    return in_a_row(rows, [index for span in kept for index in range(*span)])


def units_in_a_row(spans: Sequence[tuple[int, int]], upto: Sequence[int]) -> int:
    """How many units the rows in these spans have on one line; `upto`: so many of the first rows, each with its end."""
    gaps = sum(end < begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    return sum(upto[end] - upto[begin] for begin, end in spans) + gaps * units(ROWS_BETWEEN + ROW_END) - units(ROW_END)
