"""Processes that write to one archive and search it at the same moment."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from sessions import PATIENCE, Home

TESTS = Path(__file__).resolve().parents[1]
TIMES = 40  # that each process writes or searches
WORKER = """
import sys
from archived import prompts_found, store, turn
from compact_keeper.archive.local_archive import Archive
print("ready", flush=True)
sys.stdin.readline()
archive, role, times = Archive(), *map(int, sys.argv[1:])
for number in range(times):
    if role < 0:
        prompts_found(archive, f"rates zebra{number}")
    else:
        place = role * 1_000_000 + number
        store(archive, turn(place, f"zebra{place} rates"), source=str(role))
"""


def at_once(home: Home, roles: list[int]) -> None:
    """Runs a process for each role, a writer's number or -1 for a reader; they begin together, with a new archive."""
    environment = home.environment({"PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS.parent / "src")))})
    running = [subprocess.Popen(
        [sys.executable, "-c", WORKER, str(role), str(TIMES)], env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE) for role in roles]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()
    assert [process.communicate(timeout=4 * PATIENCE) for process in running] == [(b"", b"")] * len(roles)
    assert {process.returncode for process in running} == {0}


def test_writers_and_readers_at_once_lose_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    at_once(home, [0, 1, 2, 3, -1, -1])
    with closing(sqlite3.connect(home.path / "archive.db")) as db:
        stored, = db.execute("SELECT count(*) FROM turns").fetchone()
        indexed, = db.execute("SELECT count(*) FROM words WHERE words MATCH 'rat'").fetchone()
        assert stored == indexed == 4 * TIMES
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
