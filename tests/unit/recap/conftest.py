"""Snapshots of sessions with far more than fits: each is read once for all tests, which change nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from compact_keeper.record import session as record_session
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Memory, Settings, Snapshot
from sessions import crowded, memory_of


@pytest.fixture(scope="session")
def crowd_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Snapshot]:
    """What a restore chooses from of `crowded` in such words, with a last rule behind it, under these settings."""
    @cache
    def memory(word: str, rule: str) -> Memory:
        session = crowded(word)
        if rule:
            session.typed(f"Go on, please. {rule}")
            session.says("I go on with the last of them.")
        return memory_of(session, tmp_path_factory.mktemp("crowd"))

    def snapshot(word: str, rule: str = "", **settings: Any) -> Snapshot:
        in_force: Settings = {**default_settings(), **settings}  # type: ignore[typeddict-item]
        return record_session.snapshot_of(memory(word, rule), in_force)

    return snapshot
