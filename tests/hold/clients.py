"""What differs from client to client, with each pinned one from the oldest on, and that newest.py tells it."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import client
from attack import Attack, Ground, Outcome
from child_tests import outcome_of
from client_profile import NO_LIMIT, measured
from newest import differences

# What is played again with each client: the loop with all its courses, what a new user types, recall.
FILES = [f"tests/e2e/test_{name}.py" for name in ("matrix", "new_user", "recall_played")]
# What came between the oldest and the newest pinned client, of what decisions here rest on.
SINCE_THE_OLDEST = (
    "events: new: PostToolBatch (known)",
    "plays: automatic: course: new behind request: summary: SubagentStop",
    "plays: manual: marks: SessionStart compact additionalContext: output, request: turn, transcript, was output",
    "plays: PreCompact, block: course: gone behind PreCompact auto: "
    "request: summary > SessionStart compact > PostCompact auto",
    "inputs: PreCompact: new: agent_id (missing or text)",
    "inputs: PostToolUse: new: duration_ms (number)",
    "variables: new: CLAUDE_PLUGIN_DATA (set)",
    f"limits: SessionStart additionalContext: 10000, was {NO_LIMIT}",
    "transcript: user: new: promptSource (missing or text)",
    "transcript: gone: progress",
)


def played(version: str, ground: Ground) -> Outcome:
    """What came of the tests with this client."""
    return outcome_of(Path(sys.executable), FILES, ground.folder, COMPACT_KEEPER_CLIENTS=version)


def compared(_ground: Ground) -> Outcome:
    """What newest.py does not tell of two clients that are known."""
    newest, *_, oldest = client.pinned_versions()
    lines = set(differences(measured(client.ensure(newest)), measured(client.ensure(oldest))))
    return Outcome(len(SINCE_THE_OLDEST), [f"not told: {line}" for line in SINCE_THE_OLDEST if line not in lines])


ATTACKS = (
    *(Attack(f"client {version}: what was typed comes back, once, and is noted", functools.partial(played, version))
      for version in reversed(client.pinned_versions())),
    Attack("newest.py tells what differs between the oldest and the newest client", compared),
)
