"""Sessions of any course, played on the hooks' functions: never held more often than said in one fill.

The real processes at PreCompact: tests/processes/test_gate_in_hooks.py.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

import restore_snapshot
import save_snapshot
from compact_keeper.store.session_lock import unlock_session
from compact_keeper.types import HookInput
from sessions import Home, Session, hook_input

WINDOW = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
ROOM = 70_000  # tokens: the client compacts from 67,000 on, the gate lets go above 90,000
STEPS = ("edit a", "edit b", "read", "ask", "prompt", "run", "synthetic", "stop", "compaction", "compaction",
         "compaction", "failing compaction", "failing compaction", "manual compaction")


class Client:
    """A session in this process: what the client does, and how often in this fill of its context it was held."""

    def __init__(self, folder: Path, holds: int) -> None:
        self.session, self.transcript, self.fill = Session(), folder / "transcript.jsonl", 0
        self.session.typed("Rename the table everywhere.")
        for name in ("a", "b"):
            self.session.ran("Edit", file_path=f"/srv/{name}.py")
        self.home = Home(folder / "home")
        self.home.path.mkdir()
        (self.home.path / "config.json").write_text(json.dumps({"gate": "hold", "gate_holds": holds}), encoding="utf-8")

    def hook(self, body: Callable[[HookInput], None], event: str, **fields: Any) -> str:
        """What a hook prints."""
        newest = next(record for record in reversed(self.session.records) if record["type"] == "assistant")
        newest["message"]["usage"] = {"input_tokens": ROOM, "output_tokens": 20}
        self.session.write(self.transcript)
        printed: list[bytes] = []
        with mock.patch("os.write", lambda _, raw: printed.append(raw)), mock.patch(
                "compact_keeper.client.catch_up.save_now", self.save_now):
            body(hook_input(event, self.transcript, **fields))
        unlock_session()  # a process would have ended
        return b"".join(printed).decode()

    def save_now(self, data: HookInput) -> str:
        """What is a process of its own else."""
        save_snapshot.save({**data, "hook_event_name": "SessionStart"})
        unlock_session()
        return ""

    def compact(self, fails: bool, trigger: str = "auto") -> None:
        printed = self.hook(save_snapshot.save, "PreCompact", trigger=trigger)
        if printed != save_snapshot.INSTRUCTIONS:
            assert json.loads(printed)["decision"] == "block"
            self.fill += 1
        elif not fails:
            self.session.compacted()
            self.fill = 0
            self.session.says("On with it.")
            self.hook(restore_snapshot.restore, "SessionStart", source="compact")

    def step(self, name: str) -> None:
        what, _, path = name.partition(" ")
        if what == "edit":
            self.session.ran("Edit", file_path=f"/srv/{path}.py")
        elif name == "read":
            self.session.ran("Read", file_path="/srv/c.py")
        elif name == "ask":
            self.session.says("Shall I drop the old table?")
        elif name == "prompt":
            self.session.typed("Yes, drop it.")
        elif name == "run":
            self.session.ran("Bash", command="make test")
        elif name == "synthetic":
            self.session.assistant({"type": "text", "text": "API Error"}, model="<synthetic>")
        elif name == "stop":
            self.hook(save_snapshot.save, "Stop")
        else:
            self.compact(name.startswith("failing"), "manual" if name.startswith("manual") else "auto")


def played(steps: list[str], holds: int) -> list[int]:
    """How often the compaction was held in this filling, after each step; nothing was logged."""
    with tempfile.TemporaryDirectory() as folder:
        client, counts = Client(Path(folder), holds), []
        with mock.patch.dict(os.environ, {**WINDOW, "COMPACT_KEEPER_HOME": str(client.home.path)}):
            for name in steps:
                client.step(name)
                counts.append(client.fill)
        assert client.home.log() == []
    return counts


@settings(max_examples=60)
@given(st.lists(st.sampled_from(STEPS), min_size=6, max_size=18), st.integers(0, 3))
def test_never_held_more_often_than_said_in_one_fill(steps: list[str], holds: int) -> None:
    assert max(played(steps, holds)) <= holds


def test_the_count_starts_anew_after_a_compaction() -> None:
    again = ["compaction"] * 3
    assert played([*again, "edit a", "edit b", *again], 2) == [1, 2, 0, 0, 0, 1, 2, 0]
    assert played(["failing compaction"] * 5, 2) == [1, 2, 2, 2, 2]
