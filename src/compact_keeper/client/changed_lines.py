"""Of an edit, the lines that differ; of a new file, how it begins."""

from __future__ import annotations

import re
from functools import lru_cache

from compact_keeper.client.tools import PATH_FIELDS, content_in, edits_in
from compact_keeper.text.fences import lines_outside_fences
from compact_keeper.text.fields import first_text
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import cut
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.types import JsonObject

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 2_800, 240
CHECKSUM_PRIME, LINE_COMPARED_CHARACTERS = 4_294_967_291, 400  # zlib would be one more module at each start
TEXT_LOOKED_AT_CHARACTERS = 20_000  # of each side of an edit
LINES_OF_A_NEW_FILE, LINES_OF_A_SIDE = 16, 20
SHORT_FILE_CHARACTERS = 1_300  # of a new file, that is kept whole
FILE_OF_SECRETS = r"(?:^|[/\\])\.env(?!.*(?:example|sample|template|dist))[\w.-]*$"
NAME_SET = r"\s*(?:export )?[A-Za-z_]\w{0,80}\s*="  # in such a file
OMITTED_ROWS = "…"
CONFLICT, CONFLICT_END = "<<<<<<<", ">>>>>>>"
AROUND, OURS, BASE, THEIRS = "around", "ours", "base", "theirs"  # of the lines of a file with a conflict
CONFLICT_MARKS = {CONFLICT: OURS, "|||||||": BASE, "=======": THEIRS, CONFLICT_END: AROUND}  # what stands below each
# How a line begins that only comments; `*.log` and `*args` do not.
COMMENT_MARKS = ("//", "#", "* ", "*/", "/*", '"""', "<!--")
MARKDOWN_COMMENT, MARKDOWN = "<!--", (".md", ".mdx", ".markdown")  # where `#` begins a heading, `*` a list's member
OPENING_WORDS = (
    "import", "from", "using", "package", "use", "include", "#include", "require", "@import", "mod", "namespace",
    "'use ", '"use ', "const ", "let ", "var ", "#!")
OPENING = (  # how a new file begins, which says nothing of it
    r"(?:import|from|using|package|use|include|#include|require|require_relative|@import|mod|namespace|'use |\"use )\b"
    r"|(?:const|let|var) .{1,200}\brequire\(|from __future__|#!")
DEFINED_ROW = (  # of something that a file is for, in some language; variables only where nothing encloses them
    r"[ \t]{0,4}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|open"
    r"|sealed|partial|declare|unsafe|pub(?:\(\w{1,20}\))?) ){0,5}(?:def|class|func|fn|function\*?|interface|struct"
    r"|enum|trait|impl|type|protocol|module|record|object|extension|describe|resource|message|service"
    r"|CREATE (?:TABLE|VIEW|INDEX|FUNCTION))\b(?!-)(?=.{0,300}[{(:=;])"
    r"|@?[A-Za-z_]\w{0,30}\.(?:get|post|put|patch|delete|all|use|route|handle|HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE)"
    r"\(\s{0,4}[\"'`]/"  # what answers at an address
    r"|(?:export )?(?:const|let|var) [A-Za-z_$].{0,120}=")
VARIABLE = (  # that is no function; lines of an edit have no indentation that would tell what encloses them
    r"(?:const|let|var) [^=]{1,120}="
    r"(?! ?(?:async ?)?(?:\([^()]{0,200}(?:$|\) ?(?:=>|:))|function\b|[\w$]{1,40} ?=>))")
DEFINED_MIN = 2
ALTERNATIVES = r"(?:([\"'`])[^\"'`|]{1,60}\1 ?\| ?){2}[\"'`]"  # what a value may be
PART_OF_MARKDOWN = r"#{1,6} |(?:[-*+]|\d{1,3}[.)]) "  # a heading, or a list's member
SETTING = (  # a name with a value: what one looks for later by its name
    r"(?:(?:export|const|let|var|final|static|private|public|pub|readonly|self) |--|[-*] |self\.){0,4}"
    r"[\"'`]?[\w.$-]{2,60}[\"'`]?"
    r"(?:: ?[\w.<>\[\]| ]{1,40})?\s{0,9}(?:[:=]|:=)\s{0,9}"
    r"(?:[rfbLu]?[\"'`]\S|[-+]?\.?\d|#[0-9a-fA-F]{3}|(?:true|false|True|False)\b)")
NAMED_VALUE = r"(?:[-*] )?[\"'`]?[\w.$-]{2,60}[\"'`]?\s{0,9}(?::=|[:=])"
CONSTANT_ROW = r"[ \t]{0,4}(?:[A-Z][A-Z\d_]{2,40}|--[\w-]{2,40})(?:: ?[\w.\[\]]{1,30})? ?[:=] ?\S"
CONSTANTS_OF_A_NEW_FILE = 6
DEMANDING = (
    "must", "only", "never", "always", "required", "do not", "don't", "cannot", "may not", "at most", "at least",
    "not allowed")
DEMAND = rf"\b(?:{'|'.join(DEMANDING)})\b"  # of a row in lower case; most have none of these
IDLE_ROW = (  # says nothing of what a change does
    r"(?:return|break|continue|pass|else|then|fi|done|end|begin|try|do|if err != nil)\b.{0,12}$|.{0,3}$|[\W_]{0,200}$")
COMMENT_WORDS_MIN = 5  # of a comment with a number, with which it says why something is as it is
BRACKET_CHARACTERS = 4  # a shorter line mostly closes a bracket


@lru_cache(maxsize=4_096)  # a file is read again and again
def checksum(line: str) -> str:
    """A line's checksum and a point behind it."""
    return f"{int.from_bytes(line.encode('utf-8', 'surrogatepass'), 'big') % CHECKSUM_PRIME:08x}."


def changed_lines(tool: str, arguments: JsonObject) -> str:
    """The lines of a change: "- " before those that went, "+ " before new ones; each no longer than is read.

    Lines that stand on both sides are left out; a whole new file is told by its number of lines and its first ones.
    """
    content = content_in(tool, arguments)
    path = first_text(arguments, PATH_FIELDS).lower()
    if content:
        return new_file_rows(content, path)
    is_markdown = path.endswith(MARKDOWN)
    return safe_rows([row for old, new in edits_in(tool, arguments) for row in difference(old, new, is_markdown)])


def difference(old: str, new: str, is_markdown: bool = False) -> list[str]:
    """The lines that only one side has: of each the first, comments only where nothing else changed.

    Among the new ones a row OMITTED_ROWS stands where lines of both sides lie between them: without it, two lines that
    were put in at different lines read as if one followed the other.
    """
    if CONFLICT in old and CONFLICT not in new:
        return resolution(old, new)
    before, after = bare_lines(old), bare_lines(new)
    marks = (MARKDOWN_COMMENT,) if is_markdown else COMMENT_MARKS
    if are_values_changed(before, after):
        gone = [line for line, new_line in zip(before, after) if line != new_line]
        added = [OMITTED_ROWS if line == new_line else new_line for line, new_line in zip(before, after)]
    else:
        known, kept = set(before), set(after)
        gone = [line for line in before if line and line not in kept]
        if not known.issuperset(after):
            gone = telling(gone, marks)  # else all that the edit did is that these went: from the first of them on
        added = telling([OMITTED_ROWS if line in known else line for line in after if line], marks)
    return [*within_side(gone, "- "), *within_side(without_idle_gaps(added), "+ ")]


def are_values_changed(before: list[str], after: list[str]) -> bool:
    """Whether all that differs are values of the same names, line by line.

    Of four values of which each became the next one two stood on both sides, and the others had made a pair that never
    was: "0.05 → 2.0".
    """
    pairs = [(line, new_line) for line, new_line in zip(before, after) if line != new_line]
    names = [re.match(NAMED_VALUE, line) for line, _ in pairs]
    return len(before) == len(after) and bool(pairs) and all(
        name is not None and new_line.startswith(name[0]) for name, (_, new_line) in zip(names, pairs))


def resolution(old: str, new: str) -> list[str]:
    """Of an edit that ends a conflict: whose side was kept, and its lines; lines that neither side has are new ones."""
    sides, names = sides_of_conflict(bare_lines(old))
    after = bare_lines(new)
    kept = {side: {line for line in sides[side] if line in after and line not in sides[other]}
            for side, other in ((OURS, THEIRS), (THEIRS, OURS))}
    known = {line for lines in sides.values() for line in lines}
    chosen = {*kept[OURS], *kept[THEIRS], *(line for line in after if line not in known)}
    shown = telling([line if line in chosen else OMITTED_ROWS for line in after if line])
    whose = " and ".join(names.get(side, "") for side in (OURS, THEIRS) if kept[side])
    head = f"conflict ended with lines of {whose}" if whose else "conflict ended"
    return [f"+ {head}", *within_side(without_idle_gaps(shown), "+ ")]


def sides_of_conflict(rows: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The lines of each side of the conflicts in the rows, AROUND for those outside of them; and the sides' names."""
    sides: dict[str, list[str]] = {AROUND: [], OURS: [], BASE: [], THEIRS: []}
    names: dict[str, str] = {}
    side = AROUND
    for row in rows:
        mark = row[:len(CONFLICT)]
        if mark not in CONFLICT_MARKS:
            sides[side].append(row)
            continue
        side = CONFLICT_MARKS[mark]
        if mark == CONFLICT:
            names[OURS] = row[len(mark):].strip() or "a side"
        elif mark == CONFLICT_END:
            names[THEIRS] = row[len(mark):].strip() or "a side"
    return sides, names


def bare_lines(text: str) -> list[str]:
    """The text's lines without their indentation, as far as it is looked at, without what only several tell."""
    return [line.strip() for line in redact_across_lines(text[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()]


def telling(lines: list[str], marks: tuple[str, ...] = COMMENT_MARKS) -> list[str]:
    """The lines in their order; where others say more, none that only comments (by `marks`) or closes a bracket.

    A comment with a number stays: `# the two with three or more` told what a `[:2]` and a `>= 3` below it are.
    """
    code = {line for line in lines if len(line) >= BRACKET_CHARACTERS
            and (not line.startswith(marks) or is_comment_with_number(line))}
    return [line for line in lines if line in code or line == OMITTED_ROWS] if code else lines


def without_idle_gaps(lines: list[str]) -> list[str]:
    """The lines with a gap between them at most once in a row, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line != OMITTED_ROWS or kept[-1:] not in ([], [OMITTED_ROWS]):
            kept.append(line)
    return kept[:-1] if kept[-1:] == [OMITTED_ROWS] else kept


def within_side(lines: list[str], mark: str) -> list[str]:
    """The lines as rows; of many those that tell most, and a row that says how many are left out."""
    if len(lines) <= LINES_OF_A_SIDE:
        return [mark + line for line in lines]
    best = sorted(range(len(lines)), key=lambda index: (-worth_of_row(lines[index]), index))[:LINES_OF_A_SIDE]
    missing = sum(line != OMITTED_ROWS for line in lines) - sum(lines[index] != OMITTED_ROWS for index in best)
    kept = [line if index in best else OMITTED_ROWS for index, line in enumerate(lines)]
    rows = [mark + line for line in without_idle_gaps(kept)]
    return [*rows, f"{mark}{OMITTED_ROWS} {missing} more lines"] if missing else rows


@lru_cache(maxsize=1_024)  # a change's rows are weighed for its short form and for its long one
def worth_of_row(row: str) -> int:
    """How much a row of a change tells: 2 defines something, sets a value or demands, 0 is idle, 1 is any other."""
    row = row[:CHANGED_LINE_MAX_UTF16]
    if re.match(SETTING, row) or (re.match(DEFINED_ROW, row) and not re.match(VARIABLE, row)):
        return 2
    if re.match(IDLE_ROW, row) or opens_file(row):
        return 0
    if names_alternatives(row) or is_comment_with_number(row):
        return 2
    lowered = row.lower()
    return 2 if holds_any(lowered, DEMANDING) and re.search(DEMAND, lowered) else 1


def is_comment_with_number(row: str) -> bool:
    """Whether a row is a comment of several words and a number."""
    if not row.startswith(COMMENT_MARKS) or not re.search(r"\d", row):
        return False
    return len(re.findall(r"[^\W\d_]{2,}", row)) >= COMMENT_WORDS_MIN


def names_alternatives(row: str) -> bool:
    """Whether a row names three or more quoted words of which a value may be one."""
    return "|" in row and re.search(ALTERNATIVES, row) is not None


def opens_file(row: str) -> bool:
    """Whether a row is one with which files begin, and says nothing of them."""
    return row.startswith(OPENING_WORDS) and re.match(OPENING, row) is not None


def new_file_rows(content: str, path: str) -> str:
    """The number of lines of a new file, and the lines that tell of it; a mark where there are others."""
    lines = lines_of_new_file(content, path)
    count = content.count("\n")
    if not content.endswith("\n"):
        count += 1
    rows = [f"{count} line{'s' * (count != 1)}", *(f"+ {line}" for line in lines)]
    if len(lines) < sum(map(is_more_than_a_bracket, map(str.strip, content.splitlines()))):
        rows.append(f"+ {OMITTED_ROWS}")
    return safe_rows(rows)


def lines_of_new_file(content: str, path: str) -> list[str]:
    """All lines of a short file, of a longer one those that it begins with; of a Markdown text its parts.

    Of a file that is there for secrets the names of what it sets, without a sign: `KEY=` would read as an empty value.
    """
    if path.endswith(MARKDOWN) and (parts := parts_of_markdown(content)):
        return parts
    if re.search(FILE_OF_SECRETS, path):
        names = [row.partition("=")[0].split()[-1]
                 for row in content.splitlines() if re.match(NAME_SET, row)]
        return [f"names only: {', '.join(names)}"] if names else []
    if len(content) <= SHORT_FILE_CHARACTERS:
        begin = [row.strip() for row in redact_across_lines(content).splitlines()]
    else:
        begin = lines_to_begin_with(content)
    lines = [*filter(is_more_than_a_bracket, begin)] or [line for line in begin if any(map(str.isalnum, line))]
    return lines if len(content) <= SHORT_FILE_CHARACTERS else lines[:LINES_OF_A_NEW_FILE]


def is_more_than_a_bracket(line: str) -> bool:
    """Whether the line of a new file is more than a bracket or a rule: `dist` of a .gitignore is, `end` is not."""
    return any(map(str.isalpha, line)) and (len(line) > BRACKET_CHARACTERS or not re.match(IDLE_ROW, line))


def parts_of_markdown(content: str) -> list[str]:
    """The headings and the members of lists of a Markdown text, of many the first and the last; none of a single one.

    Of a specification the functions had stood that its code in fences defines, and no part of what it left out.
    """
    text = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS])
    rows = [row.strip() for row in lines_outside_fences(text) if re.match(PART_OF_MARKDOWN, row.lstrip())]
    if len(rows) > LINES_OF_A_NEW_FILE:
        half = LINES_OF_A_NEW_FILE // 2
        rows = [*rows[:half], OMITTED_ROWS, *rows[-half:]]
    return rows if len(rows) >= DEFINED_MIN else []


def lines_to_begin_with(content: str) -> list[str]:
    """The lines that define something, where there are several; else those that are no opening of a file, else all."""
    rows = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()
    constants = [row for row in rows if re.match(CONSTANT_ROW, row)][:CONSTANTS_OF_A_NEW_FILE]
    defined = [row.strip() for row in rows
               if row in constants or re.match(DEFINED_ROW, row) or names_alternatives(row)]
    if len(defined) >= DEFINED_MIN:
        return defined
    behind_opening = [row.strip() for row in rows if not opens_file(row)]
    return behind_opening or [row.strip() for row in rows]


def safe_rows(rows: list[str]) -> str:
    """The rows, each no longer than is read, secrets out."""
    text = "\n".join(row[:4 * CHANGED_LINE_MAX_UTF16] for row in rows)
    shown = [cut(" ".join(row.split()), CHANGED_LINE_MAX_UTF16) for row in redact(clean(text)).splitlines()]
    return cut("\n".join(shown), CHANGE_MAX_UTF16)
