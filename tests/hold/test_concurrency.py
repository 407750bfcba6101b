"""Each attack by many at once finds scripts that cannot stand it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import concurrency
from attack import Ground, Outcome
from broken_scripts import Break, ground_with

APPEND_IN_TWO = """
def append_line(path, line):
    with open(path, "ab", buffering=0) as file:
        file.write(line.encode())
        time.sleep(1e-3)
        file.write(b"\\n")"""
# However slow the machine, one line is written between the save's reading and its folding: each waits for the other.
FOLD_WITHOUT_RENAMING = """
def fold_ledger(folder):
    ledger, folding = (os.path.join(folder, name) for name in (LEDGER_FILE, "folding"))
    if os.path.exists(folding) or not os.path.exists(ledger):
        return right_fold_ledger(folder)
    size = os.path.getsize(ledger)
    open(folding, "w").close()
    for _ in range(500):
        if os.path.getsize(ledger) != size:
            break
        time.sleep(0.02)
    os.unlink(ledger)
    return False"""
APPEND_WHILE_FOLDING = """
def append_line(path, line):
    for _ in range(500):
        if not os.path.exists(path) or os.path.exists(os.path.join(os.path.dirname(path), "folding")):
            break
        time.sleep(0.02)
    right_append_line(path, line)"""
UNLOCKED = Break("save_snapshot.py", "lock_session", """
def lock_session(folder, patience=0.0):
    return True""")
ANY_MARK = """
def take_mark(folder, series, name, text=""):
    return right_take_mark(folder, series, name, text) or True"""


@pytest.mark.rows(1)
@pytest.mark.parametrize(("attack", "breaks", "words"), [
    (concurrency.appends, [Break("record_event.py", "append_line", APPEND_IN_TWO)], "torn: "),
    (concurrency.folds, [Break("save_snapshot.py", "fold_ledger", FOLD_WITHOUT_RENAMING),
                         Break("record_event.py", "append_line", APPEND_WHILE_FOLDING)], "in memory 0 times"),
    (concurrency.folds, [
        Break("save_snapshot.py", "read_ledgers", """
def read_ledgers(folder, known, reading):
    return {name: {**place, "offset": 0} for name, place in right_read_ledgers(folder, known, reading).items()}"""),
        Break("save_snapshot.py", "SEEN_IDS_MAX", "SEEN_IDS_MAX = -(1 << 40)"),
        Break("save_snapshot.py", "renewed_item", """
def renewed_item(old, item):
    return right_renewed_item({**old, "source": ""} if old else old, item)""")], "in memory "),
    (concurrency.crossings, [
        Break("restore_snapshot.py", "private_folder", """
def private_folder(*names):
    path = right_private_folder(*names)
    sessions = os.path.dirname(path)
    return os.path.join(sessions, min(os.listdir(sessions))) if names[1:] else path"""),
        Break("restore_snapshot.py", "own_snapshot", """
def own_snapshot(folder, session):
    return read_store(os.path.join(folder, "snapshot.json"))""")], "a block without its own words"),
    (concurrency.two_saves, [UNLOCKED, Break("save_snapshot.py", "known_memory", """
LATE = []
def known_memory(data, folder):
    LATE.append(data["hook_event_name"] == "Stop")
    return right_known_memory(data, folder)"""), Break("save_snapshot.py", "store", """
def store(folder, memory, snapshot):
    time.sleep(0.6 * any(LATE))
    replace_store(os.path.join(folder, "memory.json"), memory)
    replace_store(os.path.join(folder, "snapshot.json"), snapshot)
    return True""")], "lacks Never rename"),
    (concurrency.once, [Break("restore_snapshot.py", "take_mark", ANY_MARK),
                        Break("restore_snapshot.py", "DELIVERED_STAGES", "DELIVERED_STAGES = ()")],
     "the block was given 3 times"),
    (concurrency.once, [Break("audit_summary.py", "take_mark", ANY_MARK)], "lines of audit"),
    (concurrency.pins, [Break("answer_prompt.py", "pin_name", """
def pin_name(pin):
    return str(time.time_ns())""")], "gone: []"),
    (concurrency.archive, [Break("recall.py", "Archive", """
class Archive(right_Archive):
    def store_turn(self, turn):
        return super().store_turn({**turn, "session": "one"})""")], "the archive has "),
    (concurrency.upgrades, [Break("recall.py", "Archive", """
class Archive(right_Archive):
    def migrate(self, until):
        for step in ARCHIVE_MIGRATIONS[self.value("PRAGMA user_version"):]:
            time.sleep(0.5)
            for statement in step.split(";\\n"):
                self.db.execute(statement)
        self.db.execute(f"PRAGMA user_version = {len(ARCHIVE_MIGRATIONS)}")""")], "duplicate column"),
    (concurrency.upgrades, [Break("recall.py", "Archive", """
class Archive(right_Archive):
    def source(self, path, about):
        return {**super().source(path, about), "is_old": False}""")], "is there 0 times"),
], ids=["two writes", "not folded", "read twice", "another's block", "the older wins", "three blocks", "three audits",
        "a pin stays", "another's turn",
        "two migrate", "nothing read anew"])
def test_it_is_found(attack: Callable[[Ground], Outcome], breaks: list[Break], words: str,
                     tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "BESIDE", 0.4)  # on a loaded machine too one save has read before the other begins
    broken = attack(ground_with(tmp_path, *breaks)).broken
    assert any(words in line for line in broken), broken
