"""A process remembers what the functions do."""

from __future__ import annotations

from pathlib import Path

import pytest

from many_compactions import of_cycles
from sessions import Home, Session, crowded, memory_of


@pytest.mark.parametrize("session", [of_cycles(3)[-1], crowded("Maß")], ids=["cycles", "crowded"])
def test_a_processes_memory_is_that_of_the_functions(tmp_path: Path, session: Session) -> None:
    home = Home(tmp_path / "home")
    assert home.save(session.write(tmp_path / "transcript.jsonl"))[::2] == (0, "")
    memory = memory_of(session, tmp_path)
    stored = home.stored("memory.json")
    assert stored["items"] == memory["items"]
    assert {name: stored[name] for name in memory if name not in ("progress", "ledgers")} == {
        name: value for name, value in memory.items() if name not in ("progress", "ledgers")}
