"""Every unit test, and the whole loop with the newest client, with each Python that the hooks may be started by.

Each Python gets a venv of its own below the cache folder of tests/e2e/client.py. There it is `python3` too, and the
client in the tests finds it first, so the hooks are started by it. A Python that is missing counts as broken.
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import client
from attack import Attack, Ground, Outcome
from child_tests import ROOT, outcome_of

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
LOOP = ("tests/e2e",)
UNIT = ("--ignore=tests/e2e", "--all-cases", "--numprocesses=2")


def interpreter(version: str) -> str:
    """The path of this Python, empty when there is none; pyenv finds those that are not switched on by its variable."""
    command = [f"python{version}", "-c", "import sys; print(sys.executable)"]
    try:
        done = subprocess.run(command, env={**os.environ, "PYENV_VERSION": version}, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def ready(version: str, python: str) -> Path:
    """The Python of a venv that holds what the tests need, made first when there is none."""
    venv = client.cache_folder().parent / "pythons" / version
    subprocess.run(["make", "--silent", f"VENV={venv}", f"PYTHON={python}", f"{venv}/ready"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return venv / "bin" / "python"


def tested(version: str, arguments: tuple[str, ...], ground: Ground) -> Outcome:
    """What came of the tests with this Python."""
    python = interpreter(version)
    if not python:
        return Outcome(0, [f"python{version} is missing"])
    return outcome_of(ready(version, python), arguments, ground.folder,
                    COMPACT_KEEPER_CLIENTS=client.pinned_versions()[0], CK_EXAMPLES="150")


def attack(version: str, what: str, arguments: tuple[str, ...]) -> Attack:
    """One line of the table."""
    run: Callable[[Ground], Outcome] = functools.partial(tested, version, arguments)
    return Attack(f"Python {version}: {what}", run)


ATTACKS = tuple(attack(version, what, arguments) for version in VERSIONS
                for what, arguments in (("every unit test passes", UNIT), ("the loop with the newest client", LOOP)))
