"""Copies of the scripts with a fault in them, by which a test sees that an attack finds it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from attack import SCRIPTS, Ground

MAIN = '\n\nif __name__ == "__main__":'


class Break(NamedTuple):
    """A definition of a script that another takes the place of: `code` may call the right one as `right_<name>`."""

    script: str
    name: str
    code: str


def ground_with(folder: Path, *breaks: Break, full: bool = False, until: str = "") -> Ground:
    """Ground with a copy of the scripts in which these definitions are others; `until`: what is to break."""
    scripts = folder / "scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("*.pyc.*"))  # which another process is writing
    (folder / "skills").mkdir()  # as in the plugin: commands are named after it
    for script, name, code in breaks:
        text = (scripts / script).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|class) {name}\b|^{name}(?::.*)? = ", text, re.MULTILINE), (script, name)
        assert name in code
        assert text.count(MAIN) == 1, script
        wrong = f"\n\nright_{name} = {name}\n\n{code.strip()}\n{MAIN}"
        (scripts / script).write_text(text.replace(MAIN, wrong), encoding="utf-8")
    ground = Ground(folder / "ground", full, scripts, until)
    ground.folder.mkdir()
    return ground
