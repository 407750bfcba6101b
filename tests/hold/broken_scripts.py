"""Copies of the scripts with a fault in them, by which a test sees that an attack finds it."""

from __future__ import annotations

import shutil
from pathlib import Path

from attack import SCRIPTS, Ground


def ground_with(folder: Path, *changes: tuple[str, str, str], full: bool = False) -> Ground:
    """Ground with a copy of the scripts in which each (script, old text, new text) is changed."""
    scripts = folder / "scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "skills").mkdir()  # as in the plugin: commands are named after it
    for name, old, new in changes:
        text = (scripts / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        (scripts / name).write_text(text.replace(old, new), encoding="utf-8")
    ground = Ground(folder / "ground", full, scripts)
    ground.folder.mkdir()
    return ground
