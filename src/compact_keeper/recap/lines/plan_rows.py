"""The rows of a task that are of use, where it is too long to stand whole.

Of use are the rows that bind (conditions, risks, open questions, how it is checked), then steps, then what names
something; not what is done, code, what the summary has, praise, why it was wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache

from compact_keeper.recap.lines.wanted_parts import LABEL_VALUE, wanted_indexes
from compact_keeper.recap.wording.in_summary import in_summary
from compact_keeper.recap.wording.phrases import without_known_lines
from compact_keeper.text.fences import FENCES
from compact_keeper.text.length import MIDDLE_GONE, cut, units
from compact_keeper.text.names import names_of
from compact_keeper.text.paths import file_name
from compact_keeper.types import TaskKnown, TaskRow

TASK_ROW_MAX_UTF16 = 300
ENDS_WITH = (  # what the headings of those parts of a task name that say when it is done, and what it must not do
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:constraints?|rules|requirements|non-?goals|out of scope|important|notes?|risks?"
    r"|caveats?|gotchas|principl\w+|princip\w+s|guidelines?|conventions?|behaviou?r|comportement|questions?"
    r"|decisions?|remaining|issues|recommend\w*|limits|limitations|guardrails|riscos?"
    r"|riesgos?)\b|注意|対象外|条件|制約|约束|风险|제약|주의|규칙)")
CHECKED_BY = (  # headings over how it is checked, which the summary mostly has not
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:verif\w+|vérif\w+|validation|test(?:s|ing)?|accept\w+|criteri\w+|crit[ée]r\w+"
    r"|aceita\w*|acepta\w*|done|success|überprüfung|провер\w+)\b|検証|验证|검증)")
WHY = (  # headings over why it is wanted and how it is today
    r"(?i)^#{1,6} (?:\d[\d.]* )?(?:context\w*|background|problem\w*|motivation|why|overview|summary|goal|current \w+"
    r"|contexto|kontext|背景|問題|问题)\b")
BINDING = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always|drop|avoid|instead"
    r"|nicht|nur|kein\w*|jamais|uniquement|não|nunca|apenas|somente|manter|solo|sólo|siempre)\b"
    r"|のみ|しない|必ず|禁止|限定|必须|不要|只|반드시|금지|하지 마")
PRAISE = (  # a heading or a cell that says that something is well
    r"(?i)^#{1,6} .*[:—–-] ?\W*(?:all )?(?:complete|completed|ready|done|fixed|resolved|passed|ok)\W*$"
    r"|\| ?\W*(?:fixed|resolved|done|completed?|ok|pass(?:ed)?) ?\W*\|")
STARTS_ROW = r"\s*(?:[-*+•] |\d{1,3}[.)] |\||>|#{1,6} |\*\*)"  # what goes on from the line above starts otherwise
IN_LIST_OR_TABLE, MEMBERS_LEFT_OUT = r"\s*(?:[-*+•] |\d{1,3}[.)] |\|)", "…"
IN_LIST, NUMBERED, UNTICKED = r"\s*(?:[-*+•] |\d{1,3}[.)] )", r"\s*\d{1,3}[.)] ", r"\s*[-*+] \[ \] "
CALLS_PROGRAM = (  # a shell's row, not one of a program's code
    r"\s*(?:\$ |(?:sudo |uv run |poetry run |npx |bunx )?(?:pytest|python3?|node|npm|pnpm|yarn|bun|go|cargo|make|docker"
    r"|docker-compose|kubectl|terraform|curl|gh|git|uvicorn|swift|xcodebuild|dotnet|mvn|gradle|\./[\w./-]+)(?= |$))")
ROW_HEADING, CODE_IN_HEADING = r"(#{1,6}) ", r"`[^`]{1,120}`"
STEP_LABEL = r"(?i)\W{0,6}((?:[^\W\d]{1,12} ?)?#?\d{1,3}(?:\.\d{1,2})?)\s*(?:[:.)—–-]|$)"
IN_CODE = -2  # in place of the row that a list stands under
CODE_MIN_LINES, END_OF_BLOCK = 4, "."  # of an indented block
CODE_ENDS, MORE_CODE_ENDS, PROSE_ENDS = (";", "{", "}"), ("[", "]", "("), (")", ",")  # of its rows
ENDS_IN_COLON, BOLD_LEVEL = r"[:：]\**$", 7  # of a row that leads to others; of one in bold letters alone
WRAPPED_MIN_CHARACTERS = 45  # of a line that may go on in the next one
KNOWN_FACTOR, DONE_FACTOR, WHY_FACTOR, PRAISE_FACTOR = 0.3, 0.4, 0.4, 0.1
ASKED_CODE_FACTOR = 0.4  # of what is more worth, as it is asked for
RULER = r"[\s|:=*_-]*"  # a line that only parts others; a brace closes something


def task_in_short(text: str, limits: Sequence[int], known: TaskKnown) -> list[list[str]]:
    """The rows of a task's text within each limit; of a long one those that are of use, in their order.

    They stand under their headings. The part that is asked for comes first.
    """
    summary = known.get("summary", "")
    is_whole = MIDDLE_GONE not in text and not text.endswith("…")
    lines = [line.rstrip() for line in text.splitlines() if not re.fullmatch(RULER, line) and line != MIDDLE_GONE]
    lines = without_known_lines(lines, summary)
    size = units("\n".join(lines))
    rows = rows_of(text) if size > min(limits) else []
    parts = wanted_indexes(rows, known.get("asking", ()))
    if rows and known.get("is_typed"):  # with what a message ends, it mostly asks
        parts = {**parts, len(rows) - 1: LABEL_VALUE}
    values = [value_of(rows, index, known, parts) for index in range(len(rows))]
    beyond = "" if is_whole else ", and what lies beyond the record"
    return [lines if size <= limit else most_useful(rows, values, limit, beyond, parts) for limit in limits]


def most_useful(rows: Sequence[TaskRow], values: Sequence[float], limit: int, beyond: str,
                wanted: Collection[int]) -> list[str]:
    """The rows of most value within `limit`, in their order; behind the first what is left out, and `beyond` that.

    None of a text without a word. `wanted`: the indexes of what is asked for now.
    """
    if not rows:
        return []
    gone_max = min(TASK_ROW_MAX_UTF16, limit // 5)  # of the line that says what is left out
    chosen, shown = rows_within_room(rows, values, limit - gone_max)
    missing = len(rows) - len(chosen)
    what = f"{missing} of {len(rows)} parts left out" if missing else "long parts are cut"
    headings = headings_left_out(rows, chosen, wanted)
    under = f"; nothing stands here of: {'; '.join(headings)}" if headings else ""
    return [shown[0], cut(f"[…] {what}{beyond}{under}", gone_max), *shown[1:]]


def rows_within_room(rows: Sequence[TaskRow], values: Sequence[float], room: int) -> tuple[set[int], list[str]]:
    """The first row and those of most value that have room, each with what it stands under: their indexes; as shown."""
    first_at: dict[tuple[object, ...], int] = {}
    for index, row in enumerate(rows):
        first_at.setdefault((row["text"], *row["headings"]), index)
    anew = {*first_at.values()}  # the same words again say nothing
    chosen, left = {0}, room - units(shown_row(rows[0]["text"])) - 6
    picked: list[set[int]] = []
    for index in sorted(range(1, len(rows)), key=lambda index: -values[index]):
        if values[index] <= 0:
            break
        if index not in anew:
            continue
        around = {index, *rows[index]["headings"][-2:], rows[index]["head"]} - {-1} - chosen
        size = shown_units([shown_row(rows[at]["text"]) for at in around])
        if size <= left:
            chosen |= around
            picked.append(around)
            left -= size
    shown = with_marks(rows, chosen)
    while picked and shown_units(shown) > room:  # the marks take room, too
        chosen -= picked.pop()
        shown = with_marks(rows, chosen)
    return chosen, shown


def shown_units(lines: Sequence[str]) -> int:
    """How many units the lines take, each with its sign of a quotation and its end."""
    return sum(units(line) + 3 for line in lines)


def with_marks(rows: Sequence[TaskRow], chosen: Set[int]) -> list[str]:
    """The chosen rows in their order, as they are shown; a mark wherever members of their lists are left out.

    Of eight objectives the first five had come back as if there were no others.
    """
    lists = {list_of(rows[index]) for index in chosen} - {None}
    shown, before = list[str](), -1
    for index in [*sorted(chosen), len(rows)]:
        if any(list_of(rows[at]) in lists for at in range(before + 1, index)):
            shown.append(MEMBERS_LEFT_OUT)
        if index < len(rows):
            shown.append(shown_row(rows[index]["text"]))
        before = index
    return shown


def list_of(row: TaskRow) -> tuple[int, ...] | None:
    """By what a row is known to be of the same list, table or block of code as another; None of any other row."""
    if row["is_code"]:
        return (*row["headings"], IN_CODE)
    return (*row["headings"], row["head"]) if is_member(row["text"]) else None


@lru_cache(maxsize=2_048)  # each row is looked at for each length that the task may have
def is_member(text: str) -> bool:
    """Whether a row is a member of a list, or a row of a table."""
    return re.match(IN_LIST_OR_TABLE, text) is not None


def headings_left_out(rows: Sequence[TaskRow], chosen: Set[int], wanted: Collection[int]) -> list[str]:
    """The headings of which nothing is shown, first those that are asked for; of nested ones the outermost.

    None whose words stand among what is shown: of another heading, or of a comment in a shell's rows.
    """
    shown_parts = chosen | {heading for index in chosen for heading in rows[index]["headings"]}
    shown_words = {rows[index]["text"].strip("# ") for index in shown_parts}
    left_out = [index for index, row in enumerate(rows) if index and row["text"].startswith("#")
                and not row["is_code"] and row["text"].strip("# ") not in shown_words]
    outermost = [index for index in left_out if index in wanted or {*left_out}.isdisjoint(rows[index]["headings"])]
    asked_for_first = sorted(outermost, key=lambda index: index not in wanted)
    return [rows[index]["text"].lstrip("# ") for index in asked_for_first]


def rows_of(text: str) -> list[TaskRow]:
    """The rows of a task's text; wrapped lines are joined, and lines without words left out.

    Behind a gap it is not known under which heading a row stands, nor whether it is code: up to the next heading, where
    there is one, none is taken.
    """
    rows: list[TaskRow] = []
    first, *behind_gaps = text.split(MIDDLE_GONE)
    add_rows(rows, first)
    for part in behind_gaps:
        heading = re.search(f"(?m)^{ROW_HEADING}", part)
        add_rows(rows, part[heading.start():] if heading else part)
    return rows


def add_rows(rows: list[TaskRow], text: str) -> None:
    """Adds the rows of a part of a task's text that has no gap."""
    headings = list[tuple[int, int]]()  # that the next row may stand under: level and index
    leads = list[tuple[int, int]]()  # rows ending in ":" that it may belong to: depth and index
    is_fenced = is_wrapped = False
    lines = text.splitlines()
    for line, is_set_off in zip(lines, set_off_as_code(lines)):
        if line.lstrip().startswith(FENCES):
            is_fenced, is_wrapped = not is_fenced, False
            continue
        is_code = is_fenced or is_set_off
        if not re.search(r"\w", line):
            is_wrapped = False
            continue
        if is_wrapped and not is_code and not re.match(STARTS_ROW, line):
            rows[-1]["text"] += f" {line.strip()}"
        else:
            level, depth = 0 if is_code else level_of(line), row_depth(line)
            if level:
                headings = [(above, index) for above, index in headings if above < level]
            leads = [] if level else [(outer, index) for outer, index in leads if outer < depth]
            head = leads[-1][1] if leads and depth and not is_code else -1
            rows.append({"text": line.rstrip(), "headings": [index for _, index in headings], "is_code": is_code,
                         "head": head})
            if level:
                headings.append((level, len(rows) - 1))
            elif not is_code and re.search(ENDS_IN_COLON, line.rstrip()):
                leads.append((depth, len(rows) - 1))
        is_wrapped = (not is_code and len(line) >= WRAPPED_MIN_CHARACTERS and not line.startswith(("#", "|"))
                      and line[-1] not in ":：")


def set_off_as_code(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it stands in a block of code that is indented, without a fence.

    In such a block half of the lines or more end as code does. It had stood in a ticket's place for what that forbids:
    "No query" binds by its words. What goes on from a member of a list, or from a row ending in ":", is none, and a
    comma or a bracket that closes ends prose as well.
    """
    marks = [False] * len(lines)
    block, goes_on = list[int](), False  # the indexes of its lines; whether an indented line is of the row above
    for index, line in enumerate([*lines, END_OF_BLOCK]):
        if not line.strip():
            goes_on = False
        elif not line.startswith(("  ", "\t")) or is_member(line):
            for at in block if is_code_block([lines[at].rstrip() for at in block]) else ():
                marks[at] = True
            block, goes_on = [], is_member(line) or re.search(ENDS_IN_COLON, line.rstrip()) is not None
        elif not goes_on:
            block.append(index)
    return marks


def is_code_block(rows: Sequence[str]) -> bool:
    """Whether so many rows that half of them or more end as code does."""
    is_sure = any(row.endswith(CODE_ENDS) for row in rows)
    code_ends = CODE_ENDS + MORE_CODE_ENDS + (PROSE_ENDS if is_sure else ())
    return len(rows) >= CODE_MIN_LINES and 2 * sum(row.endswith(code_ends) for row in rows) >= len(rows)


def row_depth(line: str) -> int:
    """How far a row is indented; a member of a list counts one more: a row ending in ":" as far out leads to it."""
    indent = len(line) - len(line.lstrip())
    return indent + 1 if re.match(IN_LIST, line) else indent


def level_of(line: str) -> int:
    """A heading's level, BOLD_LEVEL of a row in bold letters alone; 0 of any other row."""
    mark = re.match(ROW_HEADING, line)
    if mark:
        return len(mark[1])
    return BOLD_LEVEL if re.fullmatch(r"\*\*[^*]{2,120}\*\*[:：]?", line) else 0


def value_of(rows: Sequence[TaskRow], index: int, known: TaskKnown, wanted: Mapping[int, float]) -> float:
    """Of what use a row is for whoever carries the task out; 0 of a heading and the like, which says nothing alone.

    `wanted`: the indexes of what is asked for now, with what their parts are worth.
    """
    row = rows[index]
    above = [rows[at]["text"] for at in row["headings"] if at]  # without the title: under that all stands
    if not row["is_code"] and (level_of(row["text"]) or re.search(ENDS_IN_COLON, row["text"])):
        return 0
    parts = {part for heading in above for part in parts_named(heading)}
    value = value_by_form(rows, index, parts, known.get("edited", frozenset()))
    done, summary = known.get("done"), known.get("summary", "")
    if WHY in parts:
        value *= WHY_FACTOR
    if PRAISE in parts or re.search(PRAISE, row["text"]):
        value *= PRAISE_FACTOR
    if done and labels_of_steps({heading.lstrip("# ") for heading in above}) & done:
        value *= DONE_FACTOR
    asked_for = max(wanted.get(at, 0) for at in (index, row["head"], *row["headings"]))
    value += asked_for * ASKED_CODE_FACTOR if row["is_code"] else asked_for
    return value * KNOWN_FACTOR if in_summary(row["text"].strip(), summary) else value


def value_by_form(rows: Sequence[TaskRow], index: int, parts: Set[str], edited: Set[str]) -> float:
    """Of what use a row is by its form, its words, and by which parts of the task it stands in."""
    row, text = rows[index], rows[index]["text"]
    lead = rows[row["head"]]["text"] if row["head"] >= 0 else ""
    binds = re.search(BINDING, text) is not None or re.search(BINDING, lead) is not None
    is_in_binding_part = CHECKED_BY in parts or ENDS_WITH in parts
    more = 1.0 if CHECKED_BY in parts else 0.0
    if is_in_binding_part and binds:
        more += 0.5
    if row["is_code"]:
        return more + (4.0 if is_command_at_the_end(rows, index) else 0.5)
    if text.lstrip().startswith("|"):
        names = {file_name(name) for name in names_of(text)}
        return more + (2.0 if names and not edited & names else 0.7)
    if is_in_binding_part:
        return more + 5.0
    if binds or re.match(UNTICKED, text):
        return more + 4.0
    if re.match(NUMBERED, text):
        return more + 3.0
    return more + (2.0 if names_of(text) else 1.0)


def is_command_at_the_end(rows: Sequence[TaskRow], index: int) -> bool:
    """Whether a row of code calls a program, in the last part of the task: that is how it is checked."""
    if not re.match(CALLS_PROGRAM, rows[index]["text"]):
        return False
    tops = [at for at, row in enumerate(rows) if not row["is_code"] and 0 < level_of(row["text"]) < 3]
    return len(tops) > 1 and tops[-1] in rows[index]["headings"]


def labels_of_steps(texts: Set[str]) -> Set[str]:
    """What steps are called by: "phase 2", "r5", as plans and tasks begin with it."""
    labels = [re.match(STEP_LABEL, text) for text in texts]
    return {label[1].lower() for label in labels if label}


@lru_cache(maxsize=256)  # a heading stands over many rows
def parts_named(heading: str) -> list[str]:
    """What kinds of parts of a task a heading names, each by its pattern; a path in it names none."""
    plain = re.sub(CODE_IN_HEADING, "", heading)
    return [kind for kind in (CHECKED_BY, ENDS_WITH, WHY, PRAISE) if re.search(kind, plain)]


@lru_cache(maxsize=512)  # a row is measured for each length that the task may have
def shown_row(text: str) -> str:
    """A row as it is shown: of a long one the sentences that bind, else its beginning."""
    if units(text) <= TASK_ROW_MAX_UTF16:
        return text
    first, *others = re.split(r"(?<=[^\d][.!?;])\s+|(?<=[。；])", text)
    binding = [sentence for sentence in others if re.search(BINDING, sentence)]
    if binding:
        text = f"{cut(first, TASK_ROW_MAX_UTF16 // 2)} … {' '.join(binding)}"
    return cut(text, TASK_ROW_MAX_UTF16)
