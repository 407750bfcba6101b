"""The Makefile, where it could take something away from a developer."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_venv_that_is_a_link_is_not_emptied(tmp_path: Path) -> None:
    theirs, link = tmp_path / "theirs", tmp_path / "venv"
    theirs.mkdir()
    (theirs / "kept").touch()
    link.symlink_to(theirs)
    done = subprocess.run(["make", "--silent", f"VENV={link}", f"{link}/ready"], cwd=ROOT, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 2
    assert f"compact-keeper: {link} is a link" in done.stderr
    assert [path.name for path in theirs.iterdir()] == ["kept"]
