"""A diff's rows are those that it changed, below the file's name; what stands around diffs stays."""

from __future__ import annotations

import pytest

from compact_keeper.record.outputs.diff_rows import changed_rows
from compact_keeper.record.outputs.plain_rows import plain_rows

BY_GIT = """\
diff --git a/src/rates.py b/src/rates.py
index 1234567..89abcde 100644
--- a/src/rates.py
+++ b/src/rates.py
@@ -1,4 +1,5 @@ def rates():
 import os
-RATE = 3
+RATE = 4
+LIMIT = 9

 def total():"""
CHANGED = ["=== src/rates.py", "-RATE = 3", "+RATE = 4", "+LIMIT = 9"]
BY_DIFF = """\
--- old/a.txt\t2026-01-02 10:00:00
+++ new/a.txt\t2026-01-02 11:00:00
@@ -1 +1 @@
-alpha
+beta"""


@pytest.mark.parametrize(("output", "rows"), [
    (BY_GIT, CHANGED),
    (BY_DIFF, ["=== new/a.txt", "-alpha", "+beta"]),
    # Hostile ones: what only looks like a diff's row, or stands behind the hunk's end, was printed by another.
    (f"{BY_GIT}\n 3 passed\n--- done ---\n+1 on this", [*CHANGED, " 3 passed", "--- done ---", "+1 on this"]),
    (f"commit 1a2b3c4\nAuthor: Kim\n\n    Raise the rate\n\n{BY_GIT}",
     ["commit 1a2b3c4", "Author: Kim", "", "    Raise the rate", "", *CHANGED]),
    ("@@ -1,9 +1,9 @@\n-a\nerror: the rest was cut", ["-a", "error: the rest was cut"]),
    ("@@ -1,2 +1,2 @@\n--- a comment in SQL\n+-- another\n\\ No newline at end of file\n x\n y",
     ["--- a comment in SQL", "+-- another", " y"]),
    ("@@ -1,2 +0,0 @@\n-\n-a\nindex of all", ["-a", "index of all"]),
    ("diff --git a/x.png b/x.png\nnew file mode 100644\nindex 000..123\nBinary files /dev/null and b/x.png differ",
     ["=== x.png", "new file mode 100644", "Binary files /dev/null and b/x.png differ"]),
    ('diff --git "a/a b.txt" "b/a b.txt"\nsimilarity index 100%\nrename from c.txt\nrename to a b.txt',
     ["=== a b.txt", "rename to a b.txt"]),
    ("@@ -x @@\n a\n-b", ["@@ -x @@", " a", "-b"]),
    ("--- a\nb", ["--- a", "b"]), ("+++ b", ["+++ b"]), ("", []),
])
def test_what_a_diff_changed(output: str, rows: list[str]) -> None:
    assert changed_rows(output.splitlines()) == rows


def test_of_an_output_with_a_diff_alone_its_changes_are_plain() -> None:
    assert plain_rows(BY_GIT.splitlines()) == CHANGED
    context_alone = ["@@ -1,2 +1,2 @@", " a", " b"]
    assert plain_rows(context_alone) == context_alone
