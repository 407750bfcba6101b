"""The shipped scripts as hooks.json starts them, for the benchmarks."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
PYTHON = [os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable, "-IS"]


SESSION = "bench"  # that hooks are told of


def hook_command(event: str, number: int = 0) -> list[str]:
    """The process that the client starts at an event: a shell with the first command of hooks.json, or another."""
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    return ["/bin/sh", "-c", hooks[event][0]["hooks"][number]["command"]]


def hook_environment(home: Path, archive: str = "off") -> dict[str, str]:
    """What such a process needs: the data folder, and this interpreter as python3, which on PATH may be a launcher."""
    path = os.pathsep.join([os.path.dirname(PYTHON[0]), os.environ.get("PATH", os.defpath)])
    return {"PATH": path, "CLAUDE_PLUGIN_ROOT": str(ROOT), "COMPACT_KEEPER_HOME": str(home),
            "CLAUDE_CODE_SESSION_ID": SESSION, "COMPACT_KEEPER_WAIT": "1", "COMPACT_KEEPER_ARCHIVE": archive}
