"""Of a diff that a command printed the changed rows below the file's name: the rows around them say nothing of it.

In real texts "diff --git a/AGENTS.md b/AGENTS.md ⏎ … ⏎ --- a/AGENTS.md" and rows that nobody had changed took the room
of what was changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

HUNK_HEAD = r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@"  # how many rows of either side follow
FILE_HEAD = r"diff --git \"?a/.{1,300} \"?b/(?P<name>.{1,300}?)\"?$"
NEW_SIDE = r"\+\+\+ \"?(?:b/)?(?P<name>[^\t\"]{1,300})"  # of a diff without git; a tab and the time may follow
BELOW_FILE_HEAD = ("index ", "--- ", "+++ ", "similarity index ", "dissimilarity index ", "rename from ", "old mode ")
FILE_MODES = ("new file mode ", "deleted file mode ", "new mode ")  # between a head's rows, and worth their room


def has_diff(output: str) -> bool:
    """Whether a row of the output is the head of a diff's hunk."""
    return "@@ -" in output and re.search(rf"^{HUNK_HEAD}", output, re.MULTILINE) is not None


def changed_rows(rows: Sequence[str]) -> list[str]:
    """The rows; of each diff in them "=== name" of the file, then the rows that were added or taken out.

    A hunk's end is known by its head's counts, so what another command printed behind it stays as it is.
    """
    kept, old, new, is_below_head = list[str](), 0, 0, False
    for row, before, behind in zip(rows, ["", *rows], [*rows[1:], ""]):
        sign = row[:1]
        if (old or new) and sign in ("", " ", "+", "-", "\\"):
            old -= sign not in ("+", "\\") and old > 0
            new -= sign not in ("-", "\\") and new > 0
            kept += [row] if sign in ("+", "-") and row[1:].strip() else []
            continue
        old = new = 0
        is_old_side = row.startswith("--- ") and behind.startswith("+++ ")
        if head := re.match(FILE_HEAD, row):
            is_below_head = True
            kept.append(f"=== {head['name']}")
        elif hunk := re.match(HUNK_HEAD, row):
            old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
        elif is_old_side or (is_below_head and row.startswith(BELOW_FILE_HEAD)):
            pass
        elif before.startswith("--- ") and (side := re.match(NEW_SIDE, row)):
            kept.append(f"=== {side['name']}")
        else:
            is_below_head = is_below_head and row.startswith(FILE_MODES)
            kept.append(row)
    return kept
