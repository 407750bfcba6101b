"""Each attack by many at once finds scripts that cannot stand it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import concurrency
from attack import Ground, Outcome
from broken_scripts import ground_with

UNLOCKED = ("session_lock.py", "    release()\n    try:\n", "    return True\n    try:\n")


@pytest.mark.parametrize(("attack", "changes", "told"), [
    (concurrency.appends, [(
        "record_event.py", 'file.write(("\\n" * bool(torn) + line + "\\n").encode("utf-8", "replace"))',
        'file.write(line.encode()); time.sleep(1e-3); file.write(b"\\n")')], "torn: "),
    (concurrency.folds, [("session_ledger.py", "os.replace(ledger, folded)", "time.sleep(0.3); os.unlink(ledger)")],
     "in memory 0 times"),
    (concurrency.folds, [("session_ledger.py", "place = end", "place = 0"),
                         ("save_snapshot.py", '"seen": [*reading.seen, *', '"seen": [*')], "in memory 2 times"),
    (concurrency.crossings, [("restore_snapshot.py", 'folder = private_folder("sessions", data["session_id"])',
                              'folder = private_folder("sessions", min(os.listdir(private_folder("sessions"))))')],
     "a block without its own words"),
    (concurrency.two_saves, [UNLOCKED, (
        "save_snapshot.py", 'if read_store(path).get("position", 0) <= new["position"]:',
        'if time.sleep(0.6 * (event == "Stop")) is None:')], "lacks Never rename"),
    (concurrency.once, [("restore_snapshot.py", "    except FileExistsError:\n        return False",
                         "    except FileExistsError:\n        return True"),
                        ("follow_compaction.py", "in DELIVERED", "in ()")], "the block was given 3 times"),
    (concurrency.once, [("audit_summary.py", "    except FileExistsError:\n        return False",
                         "    except FileExistsError:\n        return True")], "lines of audit"),
    (concurrency.pins, [("edit_pins.py", 'self.note("project" in pin, gone', 'self.note(False, missing')],
     "gone: []"),
    (concurrency.archive, [("turn_archive.py", "*(turn[name] for name in COLUMNS)",
                            '*({**turn, "session": "one"}[name] for name in COLUMNS)')], "the archive has "),
], ids=["two writes", "not folded", "read twice", "another's block", "the older wins", "three blocks", "three audits",
        "a pin stays", "another's turn"])
def test_it_is_found(attack: Callable[[Ground], Outcome], changes: list[tuple[str, str, str]], told: str,
                     tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "BESIDE", 0.4)  # on a loaded machine too one save has read before the other begins
    broken = attack(ground_with(tmp_path, *changes)).broken
    assert any(told in line for line in broken), broken
