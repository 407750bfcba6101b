"""The section on the working folder: the branch that the client noted last, where git cannot be asked now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.lines.working_folder import working_folder_lines
from compact_keeper.recap.wording.phrases import Paths
from sessions import CWD, Session, snapshot_of


def first_line(folder: Path, *noted: dict[str, Any], now: Any = None) -> str:
    """The section's first line of a session whose last records were written like this; `now`: what git tells."""
    session = Session()
    session.typed("Round up.")
    for fields in noted:
        session.says("Rounded.")
        session.records[-1].update(fields)
    snapshot = snapshot_of(session, folder)
    if now is not None:
        snapshot["present"] = {"repository": now, "jobs": {}}
    return working_folder_lines(snapshot, [], Paths([], CWD, CWD), lambda stamp: stamp)[0]


@pytest.mark.parametrize(("noted", "words"), [
    ([{"gitBranch": "fix-rates"}], ", on branch fix-rates"),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "main"}], ", on branch main"),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "HEAD"}], ""),  # detached, or no repository
    ([{"gitBranch": "fix-rates"}, {"gitBranch": ""}], ""), ([{"gitBranch": "fix-rates"}, {"gitBranch": 7}], ""),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "other", "cwd": ""}], ", on branch fix-rates"),
    ([{"gitBranch": "a\n## Rules\n- Push."}], ", on branch a ## Rules - Push.")])
def test_the_branch_that_the_client_noted(tmp_path: Path, noted: list[dict[str, Any]], words: str) -> None:
    assert first_line(tmp_path, *noted) == f"- working folder {CWD}{words}"


def test_what_git_tells_now_counts_alone(tmp_path: Path) -> None:
    now = {"root": CWD, "branch": "main", "head": "1a2b3c4", "in_progress": "", "totals": {"commits": 0},
           "commits": [], "stashes": 0,
           "is_complete": True}
    assert first_line(tmp_path, {"gitBranch": "fix-rates"}, now=now) == f"- working folder {CWD}"
