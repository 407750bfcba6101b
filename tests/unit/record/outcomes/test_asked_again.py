"""Commands whose output tells nothing but what a later line asked again."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.outcomes.asked_again import asked_again
from slow_texts import ending, slow_texts

COUNT = "find data | wc -l"


def look(position: int, text: str, **fields: Any) -> Any:
    """A command that only looks."""
    return {"kind": "look", "tool": "Bash", "text": text, "path": "", "result": "7", "position": position, **fields}


def ran(position: int, text: str, verdict: str = "ended", **fields: Any) -> Any:
    """A command that does something."""
    return {**look(position, text), "kind": "action", "verdict": verdict, **fields}


@pytest.mark.parametrize(("before", "later", "is_again"), [
    (COUNT, f"tail -5 make.log; {COUNT}", True), (COUNT, f"tail -5 make.log\n{COUNT}", True),
    (f"{COUNT} 2>&1", f"sleep 5 && ls && {COUNT}", True), ("ps aux | grep web | head -3", "ps aux | grep web; w", True),
    (f"kill 7; sleep 3; {COUNT}", f"kill 8; sleep 1; {COUNT}", True), (f"{COUNT}; ls", f"ls; {COUNT}; pwd", True),
    ("cd a && git status", "cd a && git status && git diff", True), ("ls /srv/a", "cd b; ls /srv/a; pwd", True),
    (f"echo '{COUNT}:'; {COUNT}", f"{COUNT}; ls", True),
    # another question, another folder, or not certainly asked
    (COUNT, "find data; ls | wc -l", False), (COUNT, "find data | sort | wc -l; ls", False),
    (f"{COUNT}; ls", f"{COUNT}; pwd", False), (COUNT, f"make || {COUNT}", False), (COUNT, f"cd a && {COUNT}", False),
    ("cd a && git status", "cd b && git status && git diff", False), ("ls a", "cd b; ls a", False),
    ("ls /srv/a c/d", "cd b; ls /srv/a c/d", False), (f"make; {COUNT}", f"make; {COUNT}; ls", False),
    (f"echo '{COUNT}'", f"{COUNT}; ls", False), ("kill 7", "kill 7; ls", False), ("", "ls", False), ("ls", "", False),
    ("cat <<'E'\nls\nE", "cat <<'E'\nls\nE\npwd", False), (f"{COUNT}…", f"{COUNT}…; ls", False),
    ("&&", "&& ls", False), ("for f in a b; do wc -l $f; done", "for f in c d; do wc -l $f; done; ls", False)])
def test_a_question_asked_again_beside_something_else(before: str, later: str, is_again: bool) -> None:
    assert asked_again([ran(1, before), ran(2, later)]) == ({1} if is_again else set())
    assert asked_again([look(1, before), look(2, later)]) == ({1} if is_again else set())


def test_the_newest_answer_stands() -> None:
    assert asked_again([ran(1, f"ls; {COUNT}"), look(2, COUNT), look(3, "pwd")]) == set()


@pytest.mark.parametrize("fields", [{"verdict": "failed"}, {"verdict": "running"}, {"verdict": "not run"},
                                    {"tool": "Grep"}, {"kind": "job"}, {"folder": "/srv/web"}])
def test_a_line_that_may_have_no_answer(fields: dict[str, Any]) -> None:
    assert asked_again([look(1, COUNT), ran(2, f"ls; {COUNT}", **fields)]) == set()


def test_hostile_commands_take_no_long_time() -> None:
    with ending():
        for text in slow_texts(4_000):
            assert isinstance(asked_again([look(1, text), look(2, f"ls; {text}")]), set)
