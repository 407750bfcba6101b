#!/usr/bin/env python3
"""Run the parts of `make test` one after the other, each whatever became of those before, and sum up at the end.

Usage: run_parts.py PART ...     (targets of the Makefile)

How long a part took is kept in .venv/durations.json, so that the next run can say at its start about how long it will
take. Exits 0 when all parts passed, else 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DURATIONS = ROOT / ".venv" / "durations.json"
FIRST_RUN = "about 8 minutes on two quiet cores, and the download of the clients"


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def known_durations() -> dict[str, float]:
    """Seconds that each part took the last time it passed; empty before the first run."""
    try:
        durations: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return durations


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all parts passed."""
    parts = list(sys.argv[1:] if argv is None else argv)
    durations = known_durations()
    known = [durations[part] for part in parts if part in durations]
    how_long = f"{clock(sum(known))} the last time" if len(known) == len(parts) else FIRST_RUN
    print(f"{', '.join(parts)}: {how_long}", flush=True)
    rows = []
    for part in parts:
        print(f"\n===== {part} =====", flush=True)
        started = time.monotonic()
        has_passed = subprocess.run(["make", "--no-print-directory", part], cwd=ROOT, check=False).returncode == 0
        seconds = time.monotonic() - started
        rows.append((part, has_passed, seconds))
        if has_passed:
            durations[part] = round(seconds, 1)
    DURATIONS.write_text(json.dumps(durations), encoding="utf-8")
    print("\n===== in all =====")
    for part, has_passed, seconds in rows:
        print(f"{part:<10} {'passed' if has_passed else 'FAILED'}  {clock(seconds):>6}")
    print(f"{'':<10}         {clock(sum(seconds for _, _, seconds in rows)):>6}")
    return int(not all(has_passed for _, has_passed, _ in rows))


if __name__ == "__main__":
    raise SystemExit(main())
