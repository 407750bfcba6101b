"""What a search printed."""

from __future__ import annotations

import pytest

from compact_keeper.record.outputs.search_hits import SEARCH_HITS_MAX, search_hits


@pytest.mark.parametrize(("output", "path", "hits"), [
    ("a/b.py:7:  x = load()", "", ["a/b.py:7: x = load()"]),
    ("a/b.py-6-context\na/b.py:7:load()\n--", "", ["a/b.py:7: load()"]),
    ("7:\tload()\n8-more", "a/b.py", ["a/b.py:7: load()"]),
    ("a/b.py:load()", "", ["a/b.py: load()"]),
    ("Found 2 files\na/b.py\nc.go", "", ["a/b.py", "c.go"]),
    (r"C:\w\b.cs:3:Load();", "", [r"C:\w\b.cs:3: Load();"]),
    ("No matches found", "", []),
    ("No files found", "a.py", []),
    ("", "", []),
    ("--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b", "", []),
    ("a/b.py:7:  @@ -1 +1 @@", "", ["a/b.py:7: @@ -1 +1 @@"]),
    ('10.0.0.1 - - [23/Mar/2026 17:37:59] "GET / HTTP/1.1" 200 -', "", []), ("10.0.0.1:8080: refused", "", []),
    ("my notes/b c.md:7: load", "", ["my notes/b c.md:7: load"]), ("bin/run.d/start:7:load", "", [
        "bin/run.d/start:7: load"]),
])
def test_hits_of_a_search(output: str, path: str, hits: list[str]) -> None:
    assert search_hits(output, path) == hits


def test_of_many_hits_every_file_keeps_its_first() -> None:
    rows = [f"big.py:{number}:load()" for number in range(1, 200)] + [f"f{number}.py:1:load()" for number in range(20)]
    hits = search_hits("\n".join(rows))
    assert len(hits) == SEARCH_HITS_MAX
    assert {hit.partition(":")[0] for hit in hits} == {"big.py", *(f"f{number}.py" for number in range(20))}
