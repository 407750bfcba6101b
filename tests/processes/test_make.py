"""The Makefile, where it could take something away from a developer."""

from __future__ import annotations

import os
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


def test_clean_says_where_the_clients_are(tmp_path: Path) -> None:
    """They take 400 MB, and are no part of the clone. The Makefile is a copy's: what it removes is not ours."""
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    for name in ("scripts", "tests", "cache/claude-code"):
        (tmp_path / name).mkdir(parents=True)
    done = subprocess.run(["make", "--silent", "clean"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "COMPACT_KEEPER_CACHE": str(tmp_path / "cache")})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"To remove them: rm -r {tmp_path}/cache/claude-code\n")
    assert (tmp_path / "cache/claude-code").exists()
