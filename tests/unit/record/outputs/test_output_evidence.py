"""The few lines of one call's output that are kept."""

from __future__ import annotations

import pytest

from compact_keeper.record.outputs.evidence import evidence_lines
from compact_keeper.record.outputs.made_things import made_outside
from compact_keeper.record.outputs.search_hits import search_hits
from slow_texts import ending


@pytest.mark.parametrize(("command", "output", "lines"), [
    # what a runner's name stands for
    ("mise run check", "[check] $ ruff check src\nAll good", ["[check] $ ruff check src"]),
    ("npm test", "\n> rates@1.0.0 test\n> vitest run --silent\n\n RUN", ["[test of rates] $ vitest run --silent"]),
    ("npm test -- zones.test.ts | tail -3", "> rates@1.0.0 test\n> jest --ci zones.test.ts\n",
     ["[test of rates] $ jest --ci"]),
    ("npm test -- 'zones a'", "> rates@1.0.0 test\n> jest \"zones a\"\n", []),  # no telling which words are its own
    ("pnpm lint", "\n> @acme/tokens@0.1.0 build /srv/packages/tokens\n> node build.mjs\n",
     ["[build of @acme/tokens] $ node build.mjs"]),
    ("bun run check && bun run types", "$ biome check\n$ tsc", ["[check] $ biome check", "[types] $ tsc"]),
    ("bun run check; make", "$ biome check\n$ tsc --noEmit", []),
    ("task lint", "task: [lint] golangci-lint run", ["[lint] $ golangci-lint run"]),
    ("cat notes.md", "[check] $ ruff check src", []),  # nobody ran it
    # what was made elsewhere
    ("gh pr create --title 'Add rates' --body x", "https://github.com/acme/rates/pull/7",
     ["gh pr create “Add rates” → https://github.com/acme/rates/pull/7"]),
    ("gh pr view 7", "https://github.com/acme/rates/pull/7", []),
    ("true", "", []),
])
def test_lines_of_an_output(command: str, output: str, lines: list[str]) -> None:
    assert evidence_lines(command, output) == lines


def test_lines_are_few_and_cut_at_a_blank() -> None:
    rows = "\n".join(f"[task{number}] $ {'word ' * 90}" for number in range(50))
    lines = evidence_lines("mise run all", rows)
    assert len(lines) == 2
    assert all(len(line) <= 202 and line.endswith("word …") for line in lines)


@pytest.mark.parametrize("text", [
    "a:" * 40_000, "1:" * 40_000, "a/" * 40_000, "> " * 40_000, "got " * 20_000, "`" * 80_000, "|" * 80_000,
    "[a] $ " * 15_000, '"a": "' * 15_000, "https://a/" * 9_000, "is is " * 15_000, "\t" * 80_000, "import " * 12_000,
    "\n".join(["expected: a"] * 9_000), "\n".join(["--- Expected"] * 9_000)])
def test_hostile_outputs_take_no_long_time(text: str) -> None:
    with ending():
        search_hits(text, "a.py")
        for command in ("mise x", "gh pr create", "git log", "cat x"):
            evidence_lines(command, text)
        made_outside("mcp__a__create_issue", {"title": text[:80]}, text)
