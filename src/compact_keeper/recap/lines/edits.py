"""What was changed in a file, in short: of altered lines where they differ, of new ones the lines themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from compact_keeper.client.changed_lines import CONSTANT_ROW, FILE_OF_SECRETS, OMITTED_ROWS, worth_of_row
from compact_keeper.recap.lines.shared_rows import new_rows
from compact_keeper.recap.lines.turns import is_of_several_turns
from compact_keeper.recap.wording.joined_rows import joined_rows
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import by_whom, lacking_result, shared_beginning
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.outputs.telling_rows import ROW_END, in_a_row
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import file_name
from compact_keeper.types import Item, Line, RowsElsewhere

CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16 = 120, 300  # of an edit, of all edits of a file
FULLER_ROOMS = ((1_300, 1_500), (2_800, 6_000))  # the same where room is left at last
SHORT_FILE_SHOWN_UTF16 = 280  # of a file of settings that was written whole, and whose name tells nothing of it
FILE_OF_SETTINGS = r"\.[\w.-]+|[\w-]+|.+\.(?:toml|ini|cfg|conf|json|ya?ml|properties)"
BEFORE_THAT, BEFORE_MESSAGE, ALSO_CHANGED = "; before that: ", "; before this message came: ", "; also: "
AS_SUMMARISED, AS_IN = "as in the summary", "as in "
COUNT_OF_OTHERS = rf"{OMITTED_ROWS} \d+ more lines"
GONE, COUNT_OF_ROWS = "gone: ", rf"(?:{OMITTED_ROWS} )?\d+ (?:more )?lines?|{OMITTED_ROWS}"
NAMED_BLOCK = r"[\"'`@.#]?[\w.$-]{1,40}[\"'`]?(?: ?[:=] ?[{\[(]| \{|:)"
NAMES_SHOWN_UTF16 = 300
PECULIAR_MIN_CHARACTERS = 30  # of what an edit put there, to be the same thing as elsewhere
IMPORT = (r"|…|(?:\w+ )?[\"'][^\"']+[\"'],?|import\b.*|from \S+ import\b.*|(?:const|let|var) .*\brequire\(.*"
          r"|use [\w:]+.*;|#include .*")
PROSE = (".md", ".mdx", ".rst", ".adoc")  # no ".txt", which lists of packages have
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
        why = f"a later edit was not made: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"
        return {"items": [*older], "label": worked["label"], "text": f"{worked['text']}; {why}"}
    verb = "Wrote" if newest["tool"] == "Write" else "Edited"
    name = paths.short(newest["path"])
    if by_whom(newest):
        name += f" (by {by_whom(newest)})"
    if newest["verdict"] == "failed":
        # The reason may be the words with which the person or a hook refused it: "FAILED" would make an error of it.
        label = f"- {name} was not {'written' if verb == 'Wrote' else 'edited'}"
        return {"items": [newest], "label": label, "text": f"{label}: {cut(newest['result'], CHANGE_SHOWN_UTF16)}"}
    if newest.get("taken_back"):
        name += f", taken back by {as_code(cut(newest['taken_back'], DISCARD_SHOWN_UTF16))}"
    of_each = changes_of(edits, known_rows, elsewhere, paths)
    edit_of: dict[str, Item] = {}
    for change, edit in zip(of_each, edits):
        edit_of.setdefault(change, edit)  # of several that did the same the newest
    changes = telling_changes(of_each)
    forms = [changes_in_short(changes, edit_of, *room) for room in rooms_of(edits)]
    rows = [row for change, edit in zip(of_each, edits) if not is_of_several_turns(newest, edit["last"])
            for row in rows_put_there(change)]
    labels, texts = list[str](), list[str]()
    for shown in forms:
        count = uses_of(edit for change, edit in zip(of_each, edits) if change in shown)
        labels.append(f"- {verb} {name}{number_of_edits(edits, count, is_newest_shown=bool(changes[0]))}{since}")
        texts.append(f"{labels[-1]}: {joined_changes(shown, edit_of, newest)}" if shown else labels[-1])
    line: Line = {"items": [*edits], "label": labels[0], "text": texts[0], "fuller": texts[1:],
                  "rows": [*dict.fromkeys(rows)], "before_rows": ALSO_CHANGED, "changes": of_each}
    return {**line, "what": AS_SUMMARISED} if [*forms[0]] == [AS_SUMMARISED] else line


def rooms_of(edits: Sequence[Item]) -> list[tuple[int, int]]:
    """How much of each change of a file stands in its line, and of all of them; then the same in its fuller forms.

    Of a file that is there for secrets there is no fuller form.
    """
    path, change = edits[0]["path"], edits[0].get("change", "")
    is_whole = len(edits) == 1 and edits[0]["tool"] == "Write" and units(change) <= SHORT_FILE_SHOWN_UTF16
    is_shown_whole = is_whole and re.fullmatch(FILE_OF_SETTINGS, file_name(path))
    short = (SHORT_FILE_SHOWN_UTF16 if is_shown_whole else CHANGE_SHOWN_UTF16, CHANGES_SHOWN_UTF16)
    return [short] if re.search(FILE_OF_SECRETS, path.lower()) else [short, *FULLER_ROOMS]


def joined_changes(shown: Mapping[str, str], edit_of: Mapping[str, Item], newest: Item) -> str:
    """The changes in short, the newest first, with where those begin that were made before the newest one's turn.

    A row of three days before had stood as what was done in the last minute, below that minute's message.
    """
    text, is_of_turn = "", True
    for change, words in shown.items():
        is_before = is_of_several_turns(newest, edit_of[change]["last"])
        text += (BEFORE_MESSAGE if is_before and is_of_turn else BEFORE_THAT) if text else ""
        text, is_of_turn = text + words, not is_before
    return text


def uses_of(edits: Iterable[Item]) -> int:
    """How many edits these are, each as often as it was made."""
    return sum(edit["uses"] for edit in edits)


def rows_put_there(change: str) -> list[str]:
    """The rows that a change put there, without idle ones and counts of rows."""
    rows = [] if change.startswith((GONE, AS_IN)) else change.split(ROW_END)
    return [row for row in rows if worth_of_row(row.lstrip()) and not re.fullmatch(COUNT_OF_ROWS, row)]


def rows_of_changes(rows: Sequence[str], changes: Sequence[str]) -> str:
    """Rows of a file's changes on one line: with a mark where others lie between, those of different changes apart.

    Rows of two methods had read as one that calls itself.
    """
    text, before = "", ""
    for row in rows:
        text += between_rows(before, row, changes) + row if text else row
        before = row
    return text


def between_rows(before: str, row: str, changes: Sequence[str]) -> str:
    """What stands between two rows of a file's changes."""
    between = ALSO_CHANGED
    for change in changes:
        rows = change.split(ROW_END)
        if before in rows and row in rows[rows.index(before) + 1:]:
            if f"{ROW_END}{before}{ROW_END}{row}{ROW_END}" in f"{ROW_END}{change}{ROW_END}":
                return ROW_END
            between = f"{ROW_END}{OMITTED_ROWS}{ROW_END}"
    return between


def alike_line(edits: Sequence[Item], paths: Paths, shown_by: str) -> Line:
    """Files that were changed in the same way on one line, which names the file whose line shows the change."""
    names = [*dict.fromkeys(paths.short(item["path"]) for item in edits)]
    verb = "Wrote" if all(item["tool"] == "Write" for item in edits) else "Edited"
    shown = cut(", ".join(joined_rows(names)), NAMES_SHOWN_UTF16)
    return {"items": [*edits], "text": f"- {verb} {shown}: {AS_IN}{paths.short(shown_by)}"}


def new_files_line(written: Sequence[Item], paths: Paths) -> Line:
    """New files of one folder on one line, by their names; the line stands below the turn of the newest."""
    folder = paths.short(written[0]["path"]).rpartition("/")[0] or "."
    names = ", ".join(file_name(item["path"]) for item in written)
    since = " (some in earlier turns)" if is_of_several_turns(written[0], written[-1]["first"]) else ""
    text = f"- Wrote {len(written)} more files in {folder}{since}: "
    return {"items": [*written], "text": text + cut(names, CHANGES_SHOWN_UTF16)}


def number_of_edits(edits: Sequence[Item], shown: int, is_newest_shown: bool) -> str:
    """How many edits there were, from which step on where not all are shown, and that the newest has no result.

    How often the file was written whole stands apart: that it was made here a count of edits hid. Not how many are
    shown: where four were counted so the line had room for three, and for a row of the fourth.
    """
    count, tag = uses_of(edits), edits[-1].get("tag")
    written = uses_of(item for item in edits if item["tool"] == "Write")
    counts = [count_shown(count - written, "edit")] if count > written else []
    if written:
        counts.append("once written whole" if written == 1 else f"{written} times written whole")
    facts = list[str]()
    if count > 1:
        begin = "in all " if is_of_several_turns(edits[0], edits[-1]["first"]) else ""
        facts.append(begin + " and ".join(counts))
    if 0 < shown < count and not is_newest_shown:
        facts.append("the newest not shown")
    if shown < count and tag:
        facts.append(f"from #{tag} on" if count > 1 else f"#{tag}")
    if edits[0]["verdict"] == "running":
        lacks = lacking_result(edits[0])
        facts.append(f"the newest has {lacks}" if count > 1 else lacks)
    return f" ({', '.join(facts)})" if facts else ""


def telling_changes(changes: Sequence[str]) -> list[str]:
    """The newest change and the older ones that do more than import: an import would pass for what was done.

    All of them where the newest has no words and the older ones only import.
    """
    newest, *older = changes
    telling = [change for change in older if not only_imports(change)]
    return [newest, *telling] if newest or telling else [*changes]


def only_imports(change: str) -> bool:
    """Whether each row of a change imports something."""
    return all(re.fullmatch(IMPORT, row.strip()) for row in change.split(ROW_END))


def changes_of(edits: Sequence[Item], known_rows: Set[str], elsewhere: RowsElsewhere,
               paths: Paths) -> list[str]:
    """What each edit did since the file was written whole, the newest first; empty where its rows are not shown again.

    Those are `known_rows`, rows that stand `elsewhere`, and of older edits what a later one took away again. Of a
    newest edit whose rows all stand somewhere else it is said where.
    """
    changes, gone = list[str](), set[str]()
    for item in edits:
        change, is_newest = item.get("change", ""), not changes
        text = change_in_words(change, known_rows, gone | elsewhere["rows"])
        if change and not text and is_newest:
            text = where_it_stands(item, known_rows, elsewhere, paths)
        changes.append(text)
        if item["tool"] == "Write":
            break
        gone.update(row[2:].strip() for row in change.splitlines() if row.startswith("- "))
    return changes


def where_it_stands(edit: Item, known_rows: Set[str], elsewhere: RowsElsewhere, paths: Paths) -> str:
    """Where the rows of an edit stand, which are not shown again: in the summary, or in the line of another file.

    They are shown all the same where no other file's line has just these, or where they take no more room than that. A
    few characters, too (`font-size: 13px;`): they stand in many lines, and mean another thing in each. Beside rows that
    the summary does not have, which they replaced, too: it tells of the one call, and not that it was another before.
    """
    rows = new_rows([edit])
    if elsewhere["rows"].isdisjoint(rows):
        return rows_replaced(edit["change"], known_rows) or AS_SUMMARISED
    where = f"{AS_IN}{paths.short(elsewhere['just_these'])}"
    is_short = sum(map(len, rows)) < max(PECULIAR_MIN_CHARACTERS, len(where))
    if is_short or not elsewhere["just_these"]:
        return change_in_words(edit["change"], set(), set())
    return where


def rows_replaced(change: str, known_rows: Set[str]) -> str:
    """The rows that an edit replaced one by one, old and new, where they are not known; empty where there are none."""
    gone, added = sides_of(change)
    new = [row for row in added if row != OMITTED_ROWS]
    if len(gone) != len(new):
        return ""
    return ROW_END.join(altered_part(old, row) or f"⟦{cut(old, GONE_SHOWN_UTF16)} → {row}⟧"
                        for old, row in zip(gone, new) if old not in known_rows and old.split() != row.split())


def changes_in_short(changes: Sequence[str], edit_of: Mapping[str, Item], most: int, room: int) -> dict[str, str]:
    """By change how it stands in short, each once, as many as have `room`, with at most so many units each.

    `edit_of`: the edit whose tag is behind it.
    """
    shown = dict[str, str]()
    for change in changes:
        text = tagged(rows_within(change, most), edit_of[change])
        room -= len(text) + len(BEFORE_THAT)
        if text and text not in shown.values() and room > 0:
            shown[change] = text
    return shown


def rows_within(change: str, limit: int) -> str:
    """The change within `limit` UTF-16 units: of a longer one the rows that tell most, in their order.

    Of rows that went the first ones: what stood in the middle of a block that was deleted had read as new, or as all
    that went of it. Before the first row of a block that has a name this stands: `50: "#eff6ff"` had come without
    `brand: {`. How many rows were not kept is not said where more are left out: of 62 two had stood there with "24
    more".
    """
    rows = change.split(ROW_END)
    if units(change) <= limit or len(rows) == 1:
        return cut(change, limit)
    if change.startswith(GONE):
        return next((text for count in range(len(rows) - 1, 0, -1)
                     if units(text := in_a_row(rows, range(count))) <= limit), cut(change, limit))
    rows = [OMITTED_ROWS if re.fullmatch(COUNT_OF_OTHERS, row) else row for row in rows]
    chosen = set[int]()
    for index in sorted(range(len(rows)), key=lambda index: -worth_of_row(rows[index].lstrip())):
        above = {index - 1} if index and opens_block(rows[index - 1]) and not opens_block(rows[index]) else set[int]()
        for more in ({*above, index}, {index}):
            if rows[index] != OMITTED_ROWS and units(in_a_row(rows, chosen | more)) <= limit:
                chosen |= more
                break
    return in_a_row(rows, chosen) or cut(change, limit)


def opens_block(row: str) -> bool:
    """Whether a row is nothing but a name and what opens its block; behind a constant of a new file lies another."""
    row = row.strip()
    is_named = re.fullmatch(NAMED_BLOCK, row) is not None and worth_of_row(row) == 1
    return is_named and not re.match(CONSTANT_ROW, row)


def change_in_words(change: str, known_rows: Set[str], gone_later: Set[str]) -> str:
    """What an edit did: where lines were altered, the part that differs; else the new lines; else those that went.

    In the place of new lines that a later edit took away stands a mark. Empty where all new lines are known or gone.
    """
    gone, added = sides_of(change)
    new = [row for row in added if re.search(r"\w", row)]
    if new and all(row in known_rows or row in gone_later for row in new):
        return ""  # shown whole or not at all: what is left of it would read as if it were the deed
    lines = [row for row in added if row != OMITTED_ROWS]
    if gone and not lines:
        return GONE + ROW_END.join(gone)
    if len(gone) == len(lines) == len(new):
        pairs = [(old, row) for old, row in zip(gone, new) if old.split() != row.split()]
        return ROW_END.join(dict.fromkeys(OMITTED_ROWS if re.fullmatch(COUNT_OF_ROWS, row) else
                                          altered_part(old, row) or row for old, row in pairs))
    marked = [OMITTED_ROWS if row in gone_later else row for row in added if row in new or row == OMITTED_ROWS]
    shown = list[str]()
    for row in marked:
        if row != OMITTED_ROWS or shown[-1:] != [OMITTED_ROWS]:  # of several marks in a row one
            shown.append(row)
    return ROW_END.join(shown)


def sides_of(change: str) -> tuple[list[str], list[str]]:
    """The rows of a change that went, and the others."""
    rows = change.splitlines()
    gone = [row[2:].strip() for row in rows if row.startswith("- ")]
    return gone, [row[2:].strip() if row.startswith("+ ") else row.strip() for row in rows if not row.startswith("- ")]


def from_whole_name(text: str, begin: int) -> str:
    """The text from `begin` on, or from where the name begins that is cut there, unless that is far before.

    Half of NON_EXPIRING was EXPIRING, another name of the same file.
    """
    name_begin = begin
    while name_begin and begin - name_begin < NAME_MAX_CHARACTERS and re.match(r"\w\w", text[name_begin - 1:]):
        name_begin -= 1
    is_far = begin - name_begin >= NAME_MAX_CHARACTERS
    return text[begin:] if is_far else text[name_begin:]


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
    gone = cut(old[start:len(old) - end], GONE_SHOWN_UTF16)
    return f"{before}⟦{gone} → {new[start:len(new) - end]}⟧{after}"
