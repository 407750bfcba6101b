"""What broke and was not run again: the session's own program with an error of its code, the push that was refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.record.checks.broken_runs import broken_runs
from sessions import CWD, Session, items_of, memory_of
from slow_texts import check_it_ends

BROKE = ("Exit code 1\nTraceback (most recent call last):\n  File \"x\", line 3, in <module>\n"
         "NameError: name 'a' is not defined")
REFUSED = "Exit code 1\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'rates'"


def edited(session: Session, path: str = "rates/cli.py") -> str:
    return session.ran("Edit", file_path=f"{CWD}/{path}", old_string="a", new_string=str(session.number()))


def broke(session: Session, command: str, output: str = BROKE) -> str:
    return session.failed("Bash", output, command=command)


def shown(session: Session, folder: Path) -> list[str]:
    return [run["command"] for run in broken_runs(items_of(memory_of(session, folder), "action"))]


@pytest.mark.parametrize(("command", "is_told"), {
    "python3 -m rates.cli next": True, "echo x | python3 -m rates.cli next Brest": True, "python3 rates/cli.py": True,
    "cd rates && python3 cli.py": True, "DEBUG=1 ./rates/cli.py": True, "python -m rates": True,
    f"python3 {CWD}/rates/cli.py a": True, "python3 rates/other.py": False,
    "python3 -c 'import rates.cli'": False, "python3 - <<'E'\nimport rates\nE": False, "python3 /tmp/try.py": False,
    "python3 other/x.py": False, "git stash && python3 -m rates.cli; git stash pop": False,
    "python3 -m http.server": False,
    "python3 -m rates.cli | python3 -c 'print(x)'": False, "cat rates/cli.py": False, "": False, "python3": False,
    "python3 -m": False, "python3 -m pytest rates": False}.items())
def test_what_is_a_program_of_the_sessions_own(tmp_path: Path, command: str, is_told: bool) -> None:
    session = Session()
    edited(session)
    broke(session, command)
    assert shown(session, tmp_path) == [command] * is_told


@pytest.mark.parametrize(("output", "is_told"), {
    BROKE: True, BROKE.replace("NameError: name 'a' is not defined", "AttributeError: 'A' has no 'b'"): True,
    BROKE.replace("NameError", "FileNotFoundError"): False, BROKE.replace("NameError", "ModuleNotFoundError"): False,
    BROKE.replace("NameError", "ValueError"): False, "Exit code 2\nusage: cli.py PORT": False, "Exit code 1": False,
    "Exit code 130\nKeyboardInterrupt": False}.items())
def test_which_errors_are_of_the_code(tmp_path: Path, output: str, is_told: bool) -> None:
    session = Session()
    edited(session)
    broke(session, "python3 -m rates.cli next", output)
    assert bool(shown(session, tmp_path)) is is_told


THEN: dict[str, tuple[Any, bool]] = {
    "nothing": (lambda _: None, True),
    "it ran": (lambda s: s.ran("Bash", "4.31", command="python3 -m rates.cli next Brest"), False),
    "it ended with another error": (lambda s: broke(s, "python3 -m rates.cli next", "Exit code 2\nno port"), False),
    "another part ran": (lambda s: s.ran("Bash", "4.31", command="python3 -m rates.cli list"), True),
    "a run was refused": (lambda s: s.rejected("Bash", "no", command="python3 -m rates.cli next"), True),
    "edited": (edited, True),
    "checked": (lambda s: s.ran("Bash", "3 passed in 0.1s", command="pytest -q"), True),
    "edited and checked": (lambda s: (edited(s), s.ran("Bash", "3 passed in 0.1s", command="pytest -q")), False),
    "edited and committed": (lambda s: (edited(s), s.ran("Bash", "[main 5b2340e] x", command="git commit -m x")), True),
}


@pytest.mark.parametrize(("then", "is_told"), THEN.values(), ids=THEN)
def test_what_ends_it(tmp_path: Path, then: Any, is_told: bool) -> None:
    session = Session()
    edited(session)
    broke(session, "python3 -m rates.cli next")
    then(session)
    assert shown(session, tmp_path) == ["python3 -m rates.cli next"] * is_told


def test_nothing_of_sources_that_were_not_edited(tmp_path: Path) -> None:
    session = Session()
    broke(session, "python3 -m rates.cli next")
    assert shown(session, tmp_path) == []


PUSHES: dict[str, tuple[Any, bool]] = {
    "nothing": (lambda _: None, True),
    "pushed": (lambda s: s.ran("Bash", "To x:y\n   1a2b3c4..5b2340e  main -> main", command="git push -f"), False),
    "perhaps pushed": (lambda s: s.ran("Bash", "ok", command="make push-all"), False),
    "pulled": (lambda s: s.ran("Bash", "ok", command="git pull"), True),
}


@pytest.mark.parametrize(("then", "is_told"), PUSHES.values(), ids=PUSHES)
def test_a_push_that_was_refused(tmp_path: Path, then: Any, is_told: bool) -> None:
    session = Session()
    broke(session, "git push", REFUSED)
    then(session)
    assert shown(session, tmp_path) == ["git push"] * is_told


@pytest.mark.parametrize(("command", "output"), [
    ("git add a.py && git commit -m x && git push", "Exit code 128\nfatal: pathspec 'a.py' did not match any files"),
    ("git push --dry-run || make", "Exit code 2\nmake: *** No targets.  Stop."), ("git pull", REFUSED)])
def test_what_is_no_push_that_was_refused(tmp_path: Path, command: str, output: str) -> None:
    session = Session()
    broke(session, command, output)
    assert shown(session, tmp_path) == []


def test_any_command_is_read_to_its_end() -> None:
    def read(text: str) -> object:
        at = {"kind": "action", "tool": "Bash", "family": "", "last": "", "uses": 1}
        edit = {**at, "text": "rates/cli.py", "path": "rates/cli.py", "edits": 1, "position": 1, "verdict": "ended",
                "result": ""}
        run = {**at, "text": text, "position": 2, "verdict": "failed", "result": text}
        return broken_runs([edit, run])  # type: ignore[list-item]
    check_it_ends(read)
