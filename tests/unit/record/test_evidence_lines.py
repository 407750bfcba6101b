"""The few lines of one call's output, or of the agent's words, that are kept."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.evidence_lines import (
    SEARCH_HITS_MAX,
    evidence_lines,
    import_aliases_in,
    made_outside,
    said_form,
    said_lines,
    search_hits,
)
from slow_texts import ending


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
])
def test_hits_of_a_search(output: str, path: str, hits: list[str]) -> None:
    assert search_hits(output, path) == hits


def test_of_many_hits_every_file_keeps_its_first() -> None:
    rows = [f"big.py:{number}:load()" for number in range(1, 200)] + [f"f{number}.py:1:load()" for number in range(20)]
    hits = search_hits("\n".join(rows))
    assert len(hits) == SEARCH_HITS_MAX
    assert {hit.partition(":")[0] for hit in hits} == {"big.py", *(f"f{number}.py" for number in range(20))}


@pytest.mark.parametrize(("command", "output", "lines"), [
    # what a runner's name stands for
    ("mise run check", "[check] $ ruff check src\nAll good", ["[check] $ ruff check src"]),
    ("npm test", "\n> rates@1.0.0 test\n> vitest run --silent\n\n RUN", ["[test] $ vitest run --silent"]),
    ("task lint", "task: [lint] golangci-lint run", ["[lint] $ golangci-lint run"]),
    ("cat notes.md", "[check] $ ruff check src", []),  # nobody ran it
    # what a failing test expected, and what came
    ("go test ./...", '--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4',
     ["TestSum: sum_test.go:9: got 3, want 4"]),
    ("go test ./...", '   \texpected: "a"\n   \tactual  : "b"\n   \tTest:       \tTestName',
     ['TestName: expected "a", got "b"']),
    ("go test ./... | tail", '--- Expected\n+++ Actual\n@@ -1 +1 @@\n-(string) "a"\n+(string) "b"\nTest:  \tTestName',
     ['TestName: expected (string) "a", got (string) "b"']),
    ("jest", "  ● rates › sums\n\n    Expected: 4\n    Received: 3", ["rates › sums: expected 4, got 3"]),
    ("pytest", "____ test_sum ____\nE   assert 3 == 4", ["test_sum: assert 3 == 4"]),
    ("cargo test", "---- sums stdout ----\n  left: 3\n right: 4", ["sums: expected 3, got 4"]),
    ("go test -v", "    sum_test.go:9: received expected answer", []),  # a log line
    # what was made elsewhere
    ("gh pr create --title 'Add rates' --body x", "https://github.com/acme/rates/pull/7",
     ["gh pr create “Add rates” → https://github.com/acme/rates/pull/7"]),
    ("gh pr view 7", "https://github.com/acme/rates/pull/7", []),
    # listings with ids
    ("git log --oneline -2", "4be2a91 Read once\nabc12de Drop it", ["4be2a91 Read once", "abc12de Drop it"]),
    ("git status", "modified: rates.py", []),
    ("cat state.json", '{\n "job": "0f8fad5b-d9cb-469f-a165-70867728950e",\n "base": "4be2a91",\n "n": 3\n}\n'
     '{\n "base": "abc12de"\n}',
     ["job 0f8fad5b-d9cb-469f-a165-70867728950e, base 4be2a91"]),
    ("true", "", []),
])
def test_lines_of_an_output(command: str, output: str, lines: list[str]) -> None:
    assert evidence_lines(command, output) == lines


def test_lines_are_few_and_cut_at_a_blank() -> None:
    rows = "\n".join(f"4be2a{number:02} {'word ' * 90}" for number in range(50))
    lines = evidence_lines("git log --oneline", rows)
    assert len(lines) == 6
    assert all(len(line) <= 202 and line.endswith("word …") for line in lines)


@pytest.mark.parametrize(("tool", "arguments", "output", "line"), [
    ("mcp__tracker__create_issue",
     {"title": "Sum rates", "team": "Core", "priority": 2, "labels": ["bug"], "body": "x\ny"},
     '{"id": "77", "identifier": "ABC-12", "url": "https://t.example/ABC-12"}',
     "create_issue: title “Sum rates”, team Core, priority 2, labels bug → ABC-12 https://t.example/ABC-12"),
    ("mcp__tracker__create_issue", {"title": "x" * 91}, "no JSON", "create_issue: "),
    ("mcp__tracker__get_issue", {"id": "ABC-12"}, "{}", ""),
    ("Bash", {"command": "create_issue"}, "{}", ""),
])
def test_what_was_made_in_a_tracker(tool: str, arguments: dict[str, Any], output: str, line: str) -> None:
    assert made_outside(tool, arguments, output) == line.strip()


@pytest.mark.parametrize(("text", "aliases"), [
    ('     3→\tcfg "example.org/app/config/store"', ["cfg is example.org/app/config/store"]),
    ('import "example.org/app/store"\nstore "example.org/app/store"', []),
    ("import numpy as np\nfrom app.store import load as load_store",
     ["np is numpy", "load_store is app.store.load"]),
    ("import * as rates from './lib/rates-core'\nimport { a as b, c } from './d'",
     ["rates is ./lib/rates-core", "b is a"]),
    ("use crate::store::Table as StoreTable;", ["StoreTable is crate::store::Table"]),
    ('x := "a/b"\nwith open(p) as file:', []),
])
def test_import_aliases(text: str, aliases: list[str]) -> None:
    assert import_aliases_in(text) == aliases


@pytest.mark.parametrize(("sentence", "form"), [
    ("`count` → `total`", "arrow"),
    ("rowCount becomes rowTotal", "arrow"),
    ("a -> b", ""),
    ("| `total` | rates table | 0 |", "row"),
    ("|---|:--:|", ""),
    ("- **No retries** for a lost lease", "nothing"),
    ("The cache key is wrong", "wrong"),
    ("at most 10 requests per second", "rate"),
    ("the timeout of the lease is 30 seconds", "rate"),
    ("It took 3 seconds", ""),
    ("I'm not sure that `load` closes it.", "doubt"),
    ("You're right, `load` never closes it.", "correction"),
    ("**Wait** - `load` does.", "correction"),
    ("Waiting for the build.", ""),
    ("All tests pass now.", ""),
])
def test_forms_of_the_agents_sentences(sentence: str, form: str) -> None:
    assert said_form(sentence) == form


def test_kept_sentences_leave_code_out_and_take_along_what_is_corrected() -> None:
    text = "Done.\n```go\n// a is wrong -> `b` → `c`\n```\nYou're right. The `lease` is never closed.\nThe end."
    assert said_lines(text) == ["correction: You're right. The `lease` is never closed."]
    assert len(said_lines("\n".join(f"`name{number}` → `word{number}`" for number in range(99)))) == 10


@pytest.mark.parametrize("text", [
    "a:" * 40_000, "1:" * 40_000, "a/" * 40_000, "> " * 40_000, "got " * 20_000, "`" * 80_000, "|" * 80_000,
    "[a] $ " * 15_000, '"a": "' * 15_000, "https://a/" * 9_000, "is is " * 15_000, "\t" * 80_000, "import " * 12_000,
    "\n".join(["expected: a"] * 9_000), "\n".join(["--- Expected"] * 9_000)])
def test_hostile_outputs_take_no_long_time(text: str) -> None:
    with ending():
        search_hits(text, "a.py")
        for command in ("mise x", "gh pr create", "git log", "cat x"):
            evidence_lines(command, text)
        said_lines(text)
        import_aliases_in(text)
        made_outside("mcp__a__create_issue", {"title": text[:80]}, text)
