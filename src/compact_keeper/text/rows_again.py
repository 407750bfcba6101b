"""Rows that come again and again in what a person pasted, a log or traces: each stands once."""

from __future__ import annotations

import re

ROWS_AGAIN_BEGIN = "[… rows as before: "
AGAIN_MIN_ROWS, LONG_ROW_MIN_CHARACTERS = 5, 20
TIME_IN_ROW = r"(?:\d{4}-\d\d-\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
MARKS_ALONE = r"[\^~]{2,}"


def without_rows_again(text: str) -> str:
    """The text; of a pasted log or traceback each row once, with how many more there were, and no rows of marks.

    The same but for its time is the same. A log of one row again and again had taken a fifth of all that comes back;
    a person's own list has a row again here and there, and stays as it is. Where long rows come again short ones do,
    too: of 24 warnings with a trace each, the rows "at div" had stood there, and three of the warnings.
    """
    rows = [(row, (re.sub(TIME_IN_ROW, "", row) if ":" in row else row).strip()) for row in text.splitlines()]
    rows = [(row, form) for row, form in rows if not re.fullmatch(MARKS_ALONE, form)]
    long_forms = [form for _, form in rows if len(form) >= LONG_ROW_MIN_CHARACTERS]
    if len(long_forms) - len({*long_forms}) < AGAIN_MIN_ROWS:
        return text
    kept, seen = list[str](), set[str]()
    again = 0  # rows left out since the last one that is kept
    for row, form in rows:
        if form and form in seen:
            again += 1
            continue
        kept += [f"{ROWS_AGAIN_BEGIN}{again}]"] * bool(again) + [row]
        again = 0
        seen.add(form)
    return "\n".join(kept + [f"{ROWS_AGAIN_BEGIN}{again}]"] * bool(again))
