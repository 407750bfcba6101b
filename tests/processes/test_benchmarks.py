"""Each benchmark of tests/bench runs on a tiny input, as `make` starts it, and prints what it counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import latency
import peers
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


def test_latency_measures_every_hook_as_hooks_json_starts_it() -> None:
    printed = bench("latency", "--runs", "1", "--large", "1", "--vast", "0", codes=OPEN_GOALS)
    rows = cells(printed)
    scripts = {"record_event", "answer_prompt", "restore_snapshot", "status_line", "audit_summary"}
    assert scripts <= rows.keys()
    assert all(float(rows[name][0]) > 0 for name in scripts)
    assert "record_event, by the command of 0.6.0" in rows
    assert "A day of 2,000 tool calls: 1,040 calls with a hook" in printed


def test_latency_tells_a_missed_goal() -> None:
    times = {"floor": 10.0, "fast": 14.0, "slow": 21.0, "free": 99.0}
    goals: dict[str, dict[str, float | None]] = {
        "floor": {}, "fast": {"floor": 1.5}, "slow": {"floor": 2.0}, "free": {"floor": None}}
    table = [latency.Row(name, lambda: None, lambda: latency.Run(0, 0, 0), goals[name]) for name in times]
    runs = {name: [latency.Run(ms, ms, 20)] for name, ms in times.items()}
    assert latency.missed(table, runs) == ["slow: 2.10 × floor, the goal is 2.0"]
    runs["fast"] = [latency.Run(10, 10, latency.MOST_MEMORY + 1)]
    assert latency.missed(table, runs)[0] == "fast: 65 MiB, the goal is 64"


def test_imports_prints_a_row_for_each_script() -> None:
    rows = cells(bench("imports", "--runs", "1"))
    assert "`gc`" in rows["`record_event.py`"][0]
    assert rows["`stats.py`"][0].endswith(" modules")


def test_replay_counts_what_comes_back(sessions: Path) -> None:
    printed = bench("replay", str(sessions), "--peer", f"echo=echo {TESTS_RUN}", "--peer", "silent=true")
    assert "4 sessions, 4 cases, 0 lost paths, 4 lost commands, 0 lost values, 4 lost directives" in printed
    rows = cells(printed)
    of_commands, of_directives = 2, 5
    assert [rows[name][of_commands] for name in ("compact-keeper", "echo", "silent")] == ["1.000", "1.000", "0.000"]
    assert [rows[name][of_directives] for name in ("compact-keeper", "echo", "silent")] == ["1.00", "0.00", "0.00"]


def test_compare_names_what_could_not_be_brought(sessions: Path) -> None:
    sources = [f"--from={peer.name}=/no/such/folder" for peer in peers.PEERS]
    printed = bench("peers", str(sessions), "--limit", "1", *sources)
    rows = cells(printed)
    assert rows["compact-keeper, budget 9000"][1] == "1.000"
    assert all(rows[peers.title(peer)][0].startswith("not measured: ") for peer in peers.PEERS)


def test_facts_measures_the_hooks() -> None:
    printed = bench("facts", "--sessions", "1", codes=OPEN_GOALS)
    coverage = {line.split()[0]: float(line.split()[3]) for line in printed.partition("\n\n")[0].splitlines()[1:]}
    assert coverage["pin"] == 1
    assert coverage["all"] > 0.7
    assert "withdrawn rules shown: 0" in printed


@pytest.mark.parametrize(("control", "code"), [("oracle", 0), ("empty", 1), ("typed", 1)])
def test_facts_tells_its_controls_apart(control: str, code: int) -> None:
    figures = json.loads(bench("facts", "--sessions", "8", "--control", control, "--json", codes=(code,)))
    assert (figures["kinds"]["all"]["coverage"] == 1) is (control == "oracle")
    assert (figures["withdrawn rules shown"] > 0) is (control == "typed")


def test_audit_notes_what_is_planted_and_nothing_harmless() -> None:
    rows = [row for row in cells(bench("audit")).values() if row[0].isdigit()]
    assert len(rows) == 7
    assert all(int(planted) > 0 and planted == noted and wrong == "0" for planted, noted, wrong in rows)


def test_recall_finds_and_loses_nothing(sessions: Path) -> None:
    printed = bench("archive", str(sessions), "--part", "finding", "--part", "indexing", "--part", "together",
                    "--seconds", "1", codes=OPEN_GOALS)
    rows = cells(printed)
    assert rows["– turns lost"] == ["0", "0", "met"]
    assert rows["– other errors"] == ["0", "0", "met"]
    assert any(name.startswith("indexing") for name in rows)
