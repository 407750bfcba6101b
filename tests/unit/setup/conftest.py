"""A person for the tests of what is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.setup.plugin_folder import client_on_path
from homes import REPOSITORY, Person, person_in


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person whose home this process has for its own."""
    person = person_in(tmp_path, REPOSITORY)
    for name in ("CLAUDE_CONFIG_DIR", "COMPACT_KEEPER_HOME", "COMPACT_KEEPER_OFF",
                 "CLAUDE_PLUGIN_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(person.home))
    client_on_path.cache_clear()
    return person
