"""Tests of this project as attempts: pytest runs them in a process of its own, with the Python that is asked for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from attack import Outcome

ROOT = Path(__file__).resolve().parents[2]


def outcome_of(python: Path, arguments: Sequence[str], folder: Path, **environ: str) -> Outcome:
    """What came of the tests that pytest finds by these arguments; skipped ones are no attempts."""
    report = folder / "report.xml"
    command = [str(python), "-m", "pytest", "--quiet", f"--junitxml={report}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True)
    if not report.exists():
        return Outcome(0, [f"pytest ended with exit code {done.returncode}: {(done.stdout + done.stderr)[-500:]!r}"])
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - pytest has just written it
    broken = list(failures(cases))
    if done.returncode and not broken:
        broken = [f"pytest ended with exit code {done.returncode}: {done.stdout[-500:]!r}"]
    return Outcome(sum(case.find("skipped") is None for case in cases), broken)


def failures(cases: Sequence[ElementTree.Element]) -> Iterator[str]:
    """One line for each test that failed, or that could not be begun or ended."""
    for case in cases:
        for fault in (*case.findall("failure"), *case.findall("error")):
            [line, *_] = (fault.get("message") or "no message").splitlines()
            file = str(case.get("classname")).rpartition(".")[2]  # before it the folders, from where pytest found them
            yield f"{file}::{case.get('name')}: {line[:200]}"
