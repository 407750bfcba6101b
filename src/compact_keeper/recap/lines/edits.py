"""What was changed in a file, in short: of altered lines where they differ, of new ones the lines themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from compact_keeper.client.changed_lines import OMITTED_ROWS, worth_of_row
from compact_keeper.recap.lines.shared_rows import new_rows
from compact_keeper.recap.wording.joined_rows import joined_rows
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import by_whom, shared_beginning
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.git.stashes import is_away
from compact_keeper.record.outputs.telling_rows import ROW_END, in_a_row
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import file_name
from compact_keeper.types import Ago, Item, Line, RowsElsewhere

CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16 = 120, 300  # of an edit, of all edits of a file
BEFORE_THAT, ALSO_CHANGED = "; before that: ", "; also: "
AS_SUMMARISED, AS_IN = "as in the summary", "as in "
GONE, COUNT_OF_ROWS = "gone: ", rf"(?:{OMITTED_ROWS} )?\d+ (?:more )?lines?|{OMITTED_ROWS}"
NAMES_SHOWN_UTF16 = 300
PECULIAR_MIN_CHARACTERS = 30  # of what an edit put there, to be the same thing as elsewhere
IMPORT = (r"|…|(?:\w+ )?[\"'][^\"']+[\"'],?|import\b.*|from \S+ import\b.*|(?:const|let|var) .*\brequire\(.*"
          r"|use [\w:]+.*;|#include .*")
NAME_MAX_CHARACTERS = 60
DISCARD_SHOWN_UTF16 = 60
GONE_SHOWN_UTF16, CONTEXT_CHARACTERS, GONE_EDITS_MAX = 60, 30, 4


def edits_line(edits: Sequence[Item], paths: Paths, known_rows: Set[str],
               elsewhere: RowsElsewhere, since: str) -> Line:
    """All changes of a file, the newest first; `known_rows` are not shown again.

    Nor rows that stand `elsewhere`, in lines of other files: a mark stands for them. `since`: what came of the file.
    """
    newest, *older = edits
    if newest["verdict"] == "failed" and older:
        worked = edits_line(older, paths, known_rows, elsewhere, since)
        why = cut(newest["result"], CHANGE_SHOWN_UTF16)
        return {"items": [*edits], "label": worked["label"], "text": f"{worked['text']}; a later try FAILED: {why}"}
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.short(newest["path"])
    if by_whom(newest):
        name += f" (by {by_whom(newest)})"
    if newest["verdict"] == "failed":
        label = f"- {verb} {name} FAILED"
        return {"items": [newest], "label": label, "text": f"{label}: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"}
    of_each = changes_of(edits, known_rows, elsewhere, paths)
    edit_of: dict[str, Item] = {}
    for change, edit in zip(of_each, edits):
        edit_of.setdefault(change, edit)  # of several that did the same the newest
    if newest.get("taken_back"):
        name += f", taken back by {as_code(cut(newest['taken_back'], DISCARD_SHOWN_UTF16))}"
    changes = telling_changes(of_each)
    shown = changes_in_short(changes, edit_of)
    count = number_of_edits(edits, len(shown), is_newest_shown=bool(changes[0]))
    label = f"- {verb} {name}{count}{since}"
    line: Line = {"items": [*edits], "label": label, "text": label + behind_colon(shown),
                  "rows": rows_put_there(of_each), "before_rows": ALSO_CHANGED}
    return {**line, "what": AS_SUMMARISED} if shown == [AS_SUMMARISED] else line


def rows_put_there(changes: Sequence[str]) -> list[str]:
    """The rows that the changes put there, each once; none that is idle, nor what says how many rows there are."""
    rows = [row for change in changes if not change.startswith((GONE, AS_IN)) for row in change.split(ROW_END)]
    return [row for row in dict.fromkeys(rows) if worth_of_row(row.lstrip()) and not re.fullmatch(COUNT_OF_ROWS, row)]


def alike_line(edits: Sequence[Item], paths: Paths, shown_by: str) -> Line:
    """Files of whose changes nothing is peculiar on one line, with the file whose line shows what was changed."""
    names = [*dict.fromkeys(paths.short(item["path"]) for item in edits)]
    verb = "Wrote" if all(item["tool"] == "Write" for item in edits) else "Edited"
    return {"items": [*edits],
            "text": f"- {verb} {cut(', '.join(joined_rows(names)), NAMES_SHOWN_UTF16)}: {AS_IN}{paths.short(shown_by)}"}


def gone_edits(actions: Sequence[Item], paths: Paths, ago: Ago) -> list[str]:
    """Own edits that a later read showed to be gone, where the file was not changed after that: a line a file.

    None that a stash had when it was read, and that came back.
    """
    last_edit: dict[str, int] = {}  # by path
    for item in actions:
        if item.get("edits"):
            last_edit[item["path"]] = max(item["position"], last_edit.get(item["path"], -1))
    lines: dict[str, str] = {}
    for item in reversed(actions):
        if not item.get("seen_old") or last_edit.get(item["path"], -1) > item["seen_at"]:
            continue
        if is_away(item.get("away", ()), item["seen_at"]):
            continue
        row = as_code(cut(item["seen_old"], CHANGE_SHOWN_UTF16))
        lines.setdefault(item["path"], f"- edited, but seen later ({ago(item['seen_time'])}) with the old text: "
                                       f"{paths.short(item['path'])}: {row}")
    return [*lines.values()][:GONE_EDITS_MAX]


def new_files_line(written: Sequence[Item], paths: Paths) -> Line:
    """New files of one folder on one line, by their names."""
    folder = paths.short(written[0]["path"]).rpartition("/")[0] or "."
    names = ", ".join(file_name(item["path"]) for item in written)
    text = f"- Wrote {len(written)} more files in {folder}: "
    return {"items": [*written], "text": text + cut(names, CHANGES_SHOWN_UTF16)}


def behind_colon(changes: Sequence[str]) -> str:
    """The changes in a row behind a colon; empty for none."""
    return f": {BEFORE_THAT.join(changes)}" if changes else ""


def number_of_edits(edits: Sequence[Item], shown: int, is_newest_shown: bool) -> str:
    """How many edits there were, how many of them are shown where not all are, and that the newest has no result."""
    count = sum(item["uses"] for item in edits)
    written = sum(item["uses"] for item in edits if item["tool"] == "Write")
    facts = list[str]()
    if count > 1:
        facts.append(numbers_of_edits(count - written, written))
    if 0 < shown < len(edits):
        facts.append(f"{shown} shown" if is_newest_shown else f"{shown} shown, not the newest")
    if shown < len(edits) and edits[-1].get("tag"):
        facts.append(f"the first is #{edits[-1]['tag']}")
    if edits[0]["verdict"] == "running":
        lacks = "no result on record" if edits[0].get("has_lost_result") else "no result yet"
        facts.append(f"the newest has {lacks}" if count > 1 else lacks)
    return f" ({', '.join(facts)})" if facts else ""


def numbers_of_edits(edited: int, written: int) -> str:
    """How many edits, and how often the file was written whole: that it was made here a count of edits hid."""
    parts = [f"{edited} edit{'s' * (edited > 1)}" if edited else "",
             f"written whole{f' {written} times' * (written > 1)}" if written else ""]
    return ", ".join(filter(None, parts))


def telling_changes(changes: Sequence[str]) -> list[str]:
    """The newest change, and of the older ones those that do more than import: they would pass for what was done."""
    older = [change for change in changes[1:]
             if not all(re.fullmatch(IMPORT, row.strip()) for row in change.split(ROW_END))]
    return [changes[0], *older] if changes[0] or older else [*changes]


def changes_of(edits: Sequence[Item], known_rows: Set[str], elsewhere: RowsElsewhere,
               paths: Paths) -> list[str]:
    """What each edit did since the file was written whole; of older ones not what a later one took away again.

    Rows that stand `elsewhere` are left out as those are; of the newest edit it is said where all of them stand, and
    they are shown where no other file's line has just these. A few characters (`font-size: 13px;`) stand in many
    lines, and mean another thing in each: they are shown, as is what takes no more room than to say where it stands.
    """
    changes, gone = list[str](), set[str]()
    since = next((index + 1 for index, item in enumerate(edits) if item["tool"] == "Write"), len(edits))
    for item in edits[:since]:
        change = item.get("change", "")
        text = change_in_words(change, known_rows, gone | elsewhere["rows"])
        if change and not text and not changes:
            is_shared = not elsewhere["rows"].isdisjoint(new_rows([item]))
            text = f"{AS_IN}{paths.short(elsewhere['just_these'])}" if is_shared else AS_SUMMARISED
            is_short = sum(map(len, new_rows([item]))) < max(PECULIAR_MIN_CHARACTERS, len(text))
            if is_shared and (is_short or not elsewhere["just_these"]):
                text = change_in_words(change, set(), gone)
        changes.append(text)
        gone.update(row[2:].strip() for row in change.splitlines() if row.startswith("- "))
    return changes


def changes_in_short(changes: Sequence[str], edit_of: Mapping[str, Item]) -> list[str]:
    """The changes, each once and in short, as many as have room; `edit_of` a change has its tag."""
    shown, room = list[str](), CHANGES_SHOWN_UTF16
    for change in changes:
        text = tagged(rows_within(change, CHANGE_SHOWN_UTF16), edit_of[change])
        room -= len(text) + len(BEFORE_THAT)
        if text and text not in shown and room > 0:
            shown.append(text)
    return shown


def rows_within(change: str, limit: int) -> str:
    """The change within `limit` UTF-16 units: of a longer one the rows that tell most, in their order."""
    rows = change.split(ROW_END)
    if units(change) <= limit or len(rows) == 1:
        return cut(change, limit)
    chosen = list[int]()
    most_worth_first = sorted(range(len(rows)), key=lambda index: (-worth_of_row(rows[index].lstrip()), index))
    for index in most_worth_first:
        shown = in_a_row(rows, [*chosen, index])
        if units(shown) <= limit and rows[index] != OMITTED_ROWS:
            chosen.append(index)
    return in_a_row(rows, chosen) or cut(change, limit)


def change_in_words(change: str, known_rows: Set[str], gone_later: Set[str]) -> str:
    """What an edit did: where lines were altered, the part that differs; else the new lines; else those that went.

    In the place of new lines that a later edit took away stands a mark.
    """
    rows = change.splitlines()
    gone = [row[2:].strip() for row in rows if row.startswith("- ")]
    added = [row[2:].strip() if row.startswith("+ ") else row.strip() for row in rows if not row.startswith("- ")]
    new = [row for row in added if re.search(r"\w", row)]
    if new and all(row in known_rows or row in gone_later for row in new):
        return ""  # shown whole or not at all: what is left of it would read as if it were the deed
    lines = [row for row in added if row != OMITTED_ROWS]
    if gone and not lines:
        return GONE + ROW_END.join(gone)
    if len(gone) == len(lines) == len(new):
        pairs = [(old, row) for old, row in zip(gone, new) if old.split() != row.split()]
        return ROW_END.join(dict.fromkeys(altered_part(old, row) or row for old, row in pairs))
    shown = [OMITTED_ROWS if row in gone_later else row for row in added if row in new or row == OMITTED_ROWS]
    return ROW_END.join(row for row, before in zip(shown, ["", *shown]) if {row, before} != {OMITTED_ROWS})


def from_whole_name(text: str, begin: int) -> str:
    """The text from there on, or from where the name begins that stands there.

    Half of NON_EXPIRING was EXPIRING, another name of the same file.
    """
    name_begin = begin
    while name_begin and begin - name_begin < NAME_MAX_CHARACTERS and re.match(r"\w\w", text[name_begin - 1:]):
        name_begin -= 1
    return text[name_begin:] if begin - name_begin < NAME_MAX_CHARACTERS else text[begin:]


def altered_part(old: str, new: str) -> str:
    """Where a line differs from what it was, as `before⟦old → new⟧after`; empty where most of it is new.

    Brackets that no language has: `sum([p → round(p)] * n)` had read as a list.
    """
    start = shared_beginning(old, new)
    end = shared_beginning(old[start:][::-1], new[start:][::-1])
    if 2 * (start + end) < max(len(old), len(new)):
        return ""
    while start and old[start - 1].isalnum():  # whole words
        start -= 1
    while end and old[-end].isalnum():
        end -= 1
    before, after = new[:start], new[len(new) - end:]
    if len(before) > CONTEXT_CHARACTERS:
        before = f"…{from_whole_name(before, len(before) - CONTEXT_CHARACTERS)}"
    if len(after) > CONTEXT_CHARACTERS:
        after = f"{from_whole_name(after[::-1], len(after) - CONTEXT_CHARACTERS)[::-1]}…"
    return f"{before}⟦{cut(old[start:len(old) - end], GONE_SHOWN_UTF16)} → {new[start:len(new) - end]}⟧{after}"
