"""Benchmarks of tests/bench run on a tiny input, as `make` starts them, and print what they counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import large_archive
from compact_keeper.archive.local_archive import Archive
from sessions import Session

BENCH = Path(__file__).resolve().parents[1] / "bench"
TESTS_RUN = "pytest -q tests/rates"
RULE = "Never round the parcel rates before the tax is added."
OPEN_GOALS = (0, 1)  # whether a tiny run meets the goals says nothing


def bench(name: str, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    """What the benchmark prints, started from another folder and with nothing of pytest's paths."""
    left_out = ("PYTHONPATH", "COMPACT_KEEPER_ARCHIVE")
    environment = {key: value for key, value in os.environ.items() if key not in left_out}
    done = subprocess.run([sys.executable, str(BENCH / f"{name}.py"), *arguments], cwd="/", env=environment,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode in codes, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def cells(printed: str) -> dict[str, list[str]]:
    """The rows of its Markdown tables, by their first cell."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in rows}


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sessions, of both halves, that know a rule and ran the tests, were compacted, and run them again."""
    folder = tmp_path_factory.mktemp("sessions")
    for number in range(4):
        session = Session(session=f"session-{number}")
        session.typed(RULE)
        session.ran("Bash", "3 passed", command=TESTS_RUN)
        for _ in range(20):
            session.ran("Glob", pattern="*")
        session.compacted("Work on rates.")
        session.ran("Bash", command=TESTS_RUN)
        for _ in range(8):
            session.ran("Glob", pattern="*")
        session.write(folder / f"{number}.jsonl")
    return folder


def test_replay_counts_what_comes_back(sessions: Path) -> None:
    printed = bench("replay", str(sessions), "--peer", f"echo=echo {TESTS_RUN}", "--peer", "silent=true")
    assert "4 sessions, 4 cases, 0 lost paths, 4 lost commands, 0 lost values, 4 lost directives" in printed
    rows = cells(printed)
    of_commands, of_directives = 2, 5
    assert [rows[name][of_commands] for name in ("compact-keeper", "echo", "silent")] == ["1.000", "1.000", "0.000"]
    assert [rows[name][of_directives] for name in ("compact-keeper", "echo", "silent")] == ["1.00", "0.00", "0.00"]


def test_facts_measures_the_hooks() -> None:
    printed = bench("facts", "--sessions", "1", codes=OPEN_GOALS)
    coverage = {line.split()[0]: float(line.split()[3]) for line in printed.partition("\n\n")[0].splitlines()[1:]}
    assert coverage["pin"] == 1
    assert coverage["all"] > 0.7
    assert "withdrawn rules shown: 0" in printed


def test_audit_notes_what_it_reads_of_what_is_planted_and_nothing_harmless() -> None:
    rows = {kind: row for kind, row in cells(bench("audit")).items() if row[0].isdigit()}
    cases = json.loads((BENCH / "audit_cases.json").read_text(encoding="utf-8"))["planted"]
    planted = Counter(case["kind"] for case in cases)
    read = Counter(case["kind"] for case in cases if case.get("is_read", True))
    assert rows == {kind: [str(planted[kind]), str(read[kind]), "0"] for kind in planted}
    assert [read[kind] for kind in ("rule", "pin")] == [planted[kind] for kind in ("rule", "pin")]


def test_a_large_archive_whose_making_was_stopped_is_as_if_made_at_once(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"VOCABULARY": 300, "STOCK_LINES": 200, "BATCH_ROWS": 5, "TOLD_ROWS": 10}.items():
        monkeypatch.setattr(large_archive, name, size)
    queries = ("SELECT * FROM turns ORDER BY id", "SELECT rowid FROM words WHERE words MATCH 'test'",
               "SELECT word FROM vocabulary ORDER BY word", "SELECT * FROM sources ORDER BY id")
    contents = list[list[list[tuple[object, ...]]]]()
    for folder, is_stopped in (("at-once", False), ("stopped", True)):
        monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / folder))
        if is_stopped:
            assert next(large_archive.fill(seed=97, turns=20)).startswith("10 of 60 rows, 10 of them in ")
            assert Archive(is_made=False).rows_in_all() == 15
        lines = [*large_archive.fill(seed=97, turns=20)]
        assert len(lines) == 5 - is_stopped
        archive = Archive(is_made=False)
        contents.append([[*map(tuple, archive.db.execute(query))] for query in queries])
    assert contents[0] == contents[1]
    assert len(contents[0][0]) == 60
    assert 0 < len(contents[0][1]) < 60
