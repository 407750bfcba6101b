"""What subagents were ordered and reported, by rows: of an order those that bind, of a report those that tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from compact_keeper.client.blocks import report_of
from compact_keeper.record.outputs.telling_rows import ROWS_BETWEEN
from compact_keeper.text.fences import lines_outside_fences
from compact_keeper.text.length import before_space, units
from compact_keeper.text.names import HASH_FORM, names_of
from compact_keeper.text.quotation import quote_all
from compact_keeper.text.redact import redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry

LOOKED_AT_CHARACTERS, TITLE_MAX_CHARACTERS = 24_000, 200
END_OF_OUTPUT_CHARACTERS = 2_000  # in which the client says more of the subagent
REPORT_ROW_MAX_UTF16, ORDER_ROW_MAX_UTF16, ORDER_ROWS_MAX_UTF16 = 320, 200, 1_400
BINDS = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must(?: not)?|never|always|exactly|at most|avoid|without|with no)\b")
VERDICT = (
    r"(?i)\b(?:verdict|conclusion|approved?|rejected|recommend\w*|root cause|critical|important|major|high|blocker"
    r"|bugs?|issues?|fail\w*|pass(?:ed|es|ing)?|missing|wrong|incorrect|broken|unused"
    r"|not (?:implemented|found|used|covered|tested)|no (?:issues?|tests?|problems?))\b|[✅❌⚠✗✓]")
CONCLUDES = r"(?i)\b(?:note|bottom line|overall|in short|however|but|not|no|never|cannot|should)\b"
CONCLUSION_WORTH = 4  # of a report's last row, more than that of most: what it had found stood without what it means
LISTED = r"[-*•+|] ?(?!\*)|\d{1,3}[.)] "  # how an entry of a list begins, or a row of a table
TITLE_BEHIND_SIGN = r"[^\w\s*#|>(\[`\"'-]{1,4} \*\*[^*]{1,120}\*\*:?$"
OFFERS = r"(?i)\W{0,9}(?:would you like|do you want|want me to|shall i|should i|let me know)\b"
NAMES_COUNTED_MAX = 4  # of a row
COMMIT_HASH = rf"\b{HASH_FORM}\b"
OPENS_REPORT = (  # what a report begins with before it says something
    r"(?i)(?:(?:perfect|excellent|great|good|done)[!.,]? ?)*(?:now )?(?:i (?:now )?have|here(?:'s| is)|let me|based on"
    r"|i've|all done)\b")
TOOL_CALLS = r"\n<usage>[^<]{0,80}?\btool_uses: (\d{1,6})\b"
AGENT_RESUMED = r"\nagentId: (\w{1,64}) \([^\n]{0,80}?(?:resum|SendMessage)"


def order_rows(order: str) -> list[str]:
    """The rows of an order outside of its code, safe to keep: those that bind first of all, in their order."""
    rows = [*dict.fromkeys(quote_all([*parts_of(order)], ORDER_ROW_MAX_UTF16))]
    chosen, room = set[str](), ORDER_ROWS_MAX_UTF16
    for row in sorted(rows, key=lambda row: not re.search(BINDS, row)):
        room -= units(row)
        if room < 0:
            break
        chosen.add(row)
    return [row for row in rows if row in chosen]


def parts_of(text: str) -> Iterator[str]:
    """The text's rows outside of code without their marks; of those that are paragraphs their sentences."""
    for line in rows_outside_code(text[:LOOKED_AT_CHARACTERS]):
        row = line.lstrip("#-*•> ").strip()
        if not is_heading(row):
            yield from re.split(r"(?<=[^\d][.!?]) +(?=[A-Z])", row)


def rows_outside_code(text: str) -> Iterator[str]:
    """The text's rows with a word, outside of fences, without secrets."""
    for line in lines_outside_fences(redact_across_lines(clean(text))):
        if re.search(r"\w", line):
            yield line.strip()


def report_rows(report: str, most: int) -> list[str]:
    """The rows of a report that tell most, in its order and within so many UTF-16 units, safe to keep.

    A mark, beside these units, where others lie between.
    """
    rows, worths = weighed_rows(report[:LOOKED_AT_CHARACTERS])
    kept, before = list[str](), -1
    for index in indexes_within(rows, worths, most):
        kept += [ROWS_BETWEEN] * (bool(kept) and index > before + 1) + [rows[index]]
        before = index
    return kept or rows[:1]


@lru_cache(maxsize=1)  # a report ends its job and its call, one behind the other
def weighed_rows(report: str) -> tuple[list[str], list[float]]:
    """The rows of a report outside of its code, safe to keep, and how much each tells; nobody may change them.

    Without what it offers to do at its end.
    """
    rows = quote_all([*rows_outside_code(report_of(report))], REPORT_ROW_MAX_UTF16)
    while len(rows) > 1 and re.match(OFFERS, rows[-1]):
        rows.pop()
    return rows, [worth_of(rows, index) for index in range(len(rows))]


def indexes_within(rows: Sequence[str], values: Sequence[float], most: int, uncut: Sequence[str] = ()) -> list[int]:
    """The indexes of the rows of most value that fit, each with the heading above it, in their order.

    Where that is an entry of a list, with its section's too: a weakness of the settings ("1. No check of the form:")
    had stood below "Strengths". What leads to the next row has that behind it: the title of a fault had stood alone
    that was none. `uncut`: the same rows, where some of these are cut or empty.
    """
    with_heads, heading, section = list[set[int]](), -1, -1
    for index, row in enumerate(rows):
        section = index if row.startswith("#") else section
        heading = index if is_heading(row) else heading
        is_entry = heading >= 0 and re.match(LISTED, rows[heading])
        needed = {index, heading, section if is_entry else index} - {-1}
        with_heads.append(needed | {at + 1 for at in needed if leads_to_next(uncut or rows, at)})
    chosen = set[int]()
    for index in sorted(range(len(rows)), key=lambda index: (-values[index], index)):
        if values[index] <= 0:
            break
        if any(rows[at] in ("", ROWS_BETWEEN) for at in with_heads[index]):
            continue
        size = sum(units(rows[at]) + 3 for at in with_heads[index] - chosen)
        if size <= most:
            chosen |= with_heads[index]
            most -= size
    return sorted(chosen)


def leads_to_next(rows: Sequence[str], index: int) -> bool:
    """Whether a row says nothing without the next: it ends with a colon, is bold behind a sign, or a table's head."""
    row, follows = rows[index], rows[index + 1] if index + 1 < len(rows) else ""
    if row.startswith("|"):
        return follows.startswith("|") and (index == 0 or not rows[index - 1].startswith("|"))
    return bool(follows) and (row.rstrip("*").endswith(":") or re.match(TITLE_BEHIND_SIGN, row) is not None)


def worth_of(rows: Sequence[str], index: int) -> float:
    """How much a report's row tells: a verdict, a commit, names, numbers; the first below a heading more.

    The last one most where it concludes: it is no entry of a list and says what is wrong, or what is to be done.
    """
    row, is_last = rows[index], index == len(rows) - 1
    if row in ("", ROWS_BETWEEN):
        return 0
    if (is_heading(row) and not (is_last and row.startswith("**"))) or (index == 0 and re.match(OPENS_REPORT, row)):
        return 0
    value = 1 + 0.5 * min(len(names_of(row)), NAMES_COUNTED_MAX)
    is_verdict = re.search(VERDICT, row) is not None
    if is_verdict:
        value += 1
    if re.search(r"\d", row):
        value += 2.5 if re.search(COMMIT_HASH, row) else 0.5
    if index > 0 and is_heading(rows[index - 1]):
        value += 0.75
    if is_last:
        concludes = is_verdict or re.search(CONCLUDES, row)
        value += CONCLUSION_WORTH if concludes and not re.match(LISTED, row) else 0.5
    return value


def is_heading(row: str) -> bool:
    """Whether a row only names what stands below it."""
    is_marked = row.startswith(("#", "**")) and re.match(r"#{1,6} |\*\*[^*]{1,120}\*\*:?$", row)
    return bool(is_marked) or row.endswith(":")


def agent_to_resume(output: str) -> str:
    """The id of a subagent that the client says can be gone on with; else empty."""
    end = output[-END_OF_OUTPUT_CHARACTERS:]
    match = re.search(AGENT_RESUMED, end) if "agentId: " in end else None
    return match[1] if match else ""


def tool_calls_of(call: Entry) -> int | None:
    """How many calls a subagent made, as the client says it beside the report or at its end; None where it does not."""
    at_end = re.search(TOOL_CALLS, call["output"][-END_OF_OUTPUT_CHARACTERS:])
    return int(at_end[1]) if at_end else call.get("tool_calls")


def order_title(description: str, order: str) -> str:
    """What an order is called: the call's description, else its first words."""
    words = " ".join(order[:TITLE_MAX_CHARACTERS + 1].split())
    return " ".join(description.split()) or (words if len(order) <= TITLE_MAX_CHARACTERS else before_space(words))
