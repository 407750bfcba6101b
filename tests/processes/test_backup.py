"""Copies of the transcript: when one is made and when not, what is in it, which stay, whatever lies in the way."""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import json
import os
import resource
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import after_save
import pytest
from backup_transcript import main

from compact_keeper.store import backup
from compact_keeper.store.backup import COPIES_MAX, compress, copy_transcript
from sessions import SCRIPTS, SESSION_ID, Home, Session, hook_input

SOON = 20.0  # seconds: a loaded machine; the process itself takes 0.1
MEGABYTE = 1 << 20


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder in which copies are switched on."""
    made = Home(tmp_path / "home")
    made.path.mkdir()
    (made.path / "config.json").write_text('{"transcript_backup": "gzip"}', encoding="utf-8")
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    monkeypatch.setattr(os, "nice", lambda _increment: 0)  # else this process stays slow for the tests after these
    return made


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    made = Session()
    made.typed("Add the surcharge; my password=hunter2hunter2 is in the file.")
    return made.write(tmp_path / f"{SESSION_ID}.jsonl")


def folder(home: Home) -> Path:
    return home.session / "backups"


def copies(home: Home) -> list[Path]:
    return sorted(folder(home).glob("*.jsonl.gz"))


def come(home: Home, count: int) -> bool:
    """Whether so many copies are there soon, and no draft."""
    until = time.monotonic() + SOON
    while time.monotonic() < until and (len(copies(home)) != count or list(folder(home).glob("*.tmp"))):
        time.sleep(0.02)
    return len(copies(home)) == count


# --- hostile places ---


def _unlike(path: Path) -> None:
    path.write_text("not a folder", encoding="utf-8")


def _link(path: Path) -> None:
    elsewhere = path.parents[2] / "elsewhere"
    elsewhere.mkdir()
    path.symlink_to(elsewhere)


@pytest.mark.parametrize("make", [_unlike, _link, os.mkfifo])
def test_a_folder_that_is_none(home: Home, transcript: Path, make: Callable[[Path], None]) -> None:
    home.session.mkdir(parents=True)
    make(folder(home))
    assert main(["--quiet", str(transcript)]) == 1
    line, = home.log()
    assert "backup_transcript.py: " in line
    assert "was not copied: " in line
    assert not list(home.path.rglob("*.gz"))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda _: None])
def test_a_transcript_that_is_none(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                   make: Callable[[Path], object]) -> None:
    make(tmp_path / "odd.jsonl")
    assert main([str(tmp_path / "odd.jsonl")]) == 1
    assert "was not copied: " in capsys.readouterr().err
    assert list((home.path / "sessions" / "odd" / "backups").iterdir()) == []


@pytest.mark.parametrize("session", ["..", "a/b", "", "a" * 200, "a\n"])
def test_a_session_that_is_none(home: Home, transcript: Path, session: str) -> None:
    for given in ([f"--session={session}", "/tmp/....jsonl"], [f"--list={session}"] if session else ["--list", ".."]):
        with pytest.raises(SystemExit) as ended:
            main(given)
        assert ended.value.code == 2
    with pytest.raises(SystemExit):
        main([])
    assert sorted(path.name for path in home.path.rglob("*")) == ["config.json"]
    assert transcript.exists()


@pytest.mark.parametrize("failing", ["replace", "write"])
def test_a_full_disk_leaves_the_older_copies(home: Home, transcript: Path, monkeypatch: pytest.MonkeyPatch,
                                             failing: str) -> None:
    assert main([str(transcript)]) == 0
    before = home.files()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(*((os, "replace") if failing == "replace" else (backup_transcript, "compress")), full)
    assert main(["--quiet", str(transcript)]) == 1
    assert home.files() == before
    line, = home.log()
    assert line.endswith("No space left on device")


def test_a_copy_that_is_stopped_leaves_no_draft(home: Home, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(backup, "compress", stopped)
    with pytest.raises(KeyboardInterrupt):
        main([str(transcript)])
    assert list(folder(home).iterdir()) == []


def test_a_draft_that_is_a_link(home: Home, transcript: Path, tmp_path: Path) -> None:
    """It goes, and is not followed."""
    folder(home).mkdir(parents=True)
    (tmp_path / "kept").write_text("kept", encoding="utf-8")
    (folder(home) / "draft.tmp").symlink_to(tmp_path / "kept")
    assert main(["--quiet", str(transcript)]) == 0
    assert (len(copies(home)), home.log()) == (1, [])
    assert (tmp_path / "kept").read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("lives", [True, False])
def test_a_draft_of_another_process(home: Home, transcript: Path, lives: bool) -> None:
    """One at work is let alone; what one left that died is removed."""
    folder(home).mkdir(parents=True)
    draft = folder(home) / "draft.tmp"
    draft.write_bytes(b"half a copy")
    handle = os.open(folder(home), os.O_RDONLY)
    if lives:
        fcntl.flock(handle, fcntl.LOCK_EX)
    assert main(["--quiet", str(transcript)]) == int(lives)
    os.close(handle)
    assert (len(copies(home)), draft.exists()) == (not lives, lives)
    assert not lives or (draft.read_bytes() == b"half a copy" and "another process is copying it" in home.log()[0])


# --- when one is made ---


def test_a_stop_after_a_compaction_makes_no_other(home: Home, transcript: Path) -> None:
    home.save(transcript)
    assert come(home, 1)
    home.save(transcript, "Stop")
    time.sleep(0.3)
    assert len(copies(home)) == 1


@pytest.mark.parametrize(("event", "config", "made"), [
    ("PreCompact", {"transcript_backup": "gzip"}, 1), ("Stop", {"transcript_backup": "gzip"}, 0),
    ("PreCompact", {"transcript_backup": "off"}, 0), ("PreCompact", {}, 0)])
def test_a_compaction_makes_one_where_it_is_switched_on(
        home: Home, transcript: Path, event: str, config: dict[str, str], made: int) -> None:
    (home.path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert home.save(transcript, event)[::2] == (0, "")
    assert come(home, made) if made else not folder(home).exists()
    assert home.log() == []
    for copy in copies(home):
        assert gzip.decompress(copy.read_bytes()) == transcript.read_bytes()
        assert (stat.S_IMODE(copy.stat().st_mode), stat.S_IMODE(copy.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_projects_settings_switch_none_on(home: Home, transcript: Path, tmp_path: Path) -> None:
    (home.path / "config.json").unlink()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "compact-keeper.json").write_text('{"transcript_backup": "gzip"}', encoding="utf-8")
    home.run("save_snapshot.py", {**hook_input("PreCompact", transcript), "cwd": str(tmp_path)})
    assert not folder(home).exists()
    assert "transcript_backup" in home.log()[0]


def test_a_compaction_that_the_gate_holds_makes_none(
        home: Home, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(after_save, "start", lambda *given: started.append(given[0]))
    home.session.mkdir(parents=True)
    data = hook_input("PreCompact", transcript)
    for begun, expected in ((100.0, []), (200.0, ["backup_transcript.py"])):
        (home.session / "compaction.json").write_text(json.dumps({"schema": 1, "time": begun}), encoding="utf-8")
        after_save.back_up(data, str(home.session), 150.0)
        assert started == expected


# --- what is in it, and which stay ---


def test_the_newest_stay(home: Home, transcript: Path) -> None:
    folder(home).mkdir(parents=True)
    for name in ("20200101T000000.000Z.jsonl.gz", "20200102T000000.000Z.jsonl.gz", "mine.jsonl.gz", "notes.txt"):
        (folder(home) / name).write_text("old", encoding="utf-8")
    names = []
    for _ in range(COPIES_MAX):
        names.append(Path(copy_transcript(str(transcript), SESSION_ID)).name)
        time.sleep(0.002)  # names tell milliseconds
    assert sorted(path.name for path in folder(home).iterdir()) == sorted([*names, "mine.jsonl.gz", "notes.txt"])


def test_what_is_appended_meanwhile_is_left_out(tmp_path: Path) -> None:
    path, target = tmp_path / "t.jsonl", io.BytesIO()
    path.write_bytes(b"a line\n" * 1_000)

    class Growing(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            with path.open("ab") as more:
                more.write(b"later\n" * 1_000)
            return super().read(min(size or 0, 700)) or b""
    with Growing(str(path)) as source:
        compress(source, target)
    assert gzip.decompress(target.getvalue()) == b"a line\n" * 1_000


def test_a_file_that_shrinks_meanwhile_ends_the_copy(tmp_path: Path) -> None:
    path, target = tmp_path / "t.jsonl", io.BytesIO()
    path.write_bytes(b"x" * (3 * MEGABYTE))

    class Shrinking(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            found = super().read(size or 0) or b""
            os.truncate(path, MEGABYTE)
            return found
    with Shrinking(str(path)) as source:
        compress(source, target)
    assert gzip.decompress(target.getvalue()) == b"x" * MEGABYTE


def test_a_large_transcript_takes_little_memory(home: Home, tmp_path: Path) -> None:
    path, block = tmp_path / "large.jsonl", b'{"type":"progress"}\n' * (MEGABYTE // 20)
    with path.open("wb") as file:
        file.writelines(block for _ in range(256))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (128 * MEGABYTE, 128 * MEGABYTE))
    done = home.run("backup_transcript.py", b"", str(path), timeout=120, before=limited)
    assert (done.code, done.stderr) == (0, "")
    with gzip.open(done.stdout.strip()) as copy:
        assert sum(map(len, iter(lambda: copy.read(MEGABYTE), b""))) == path.stat().st_size


# --- by hand ---


def test_listing_names_each_copy(home: Home, transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", SESSION_ID]) == 0
    assert capsys.readouterr().out == "\n"
    main([str(transcript)])
    made = capsys.readouterr().out.strip()
    assert main(["--list", SESSION_ID]) == 0
    assert capsys.readouterr().out == f"{os.path.getsize(made):>12,}  {made}\n"
    assert made == str(copies(home)[0])


def test_a_copy_is_read_back_as_the_page_says(home: Home, transcript: Path) -> None:
    made = home.run("backup_transcript.py", b"", "--session", "another", str(transcript)).stdout.strip()
    assert Path(made).parents[1].name == "another"
    back = subprocess.run(["gzip", "-dc", made], capture_output=True, check=True).stdout
    assert back == transcript.read_bytes()


def test_it_works_alone_beside_the_save(home: Home, transcript: Path) -> None:
    """As the save starts it: in isolated mode, where no folder of scripts is looked into by itself."""
    done = subprocess.run([sys.executable, "-IS", str(SCRIPTS / "backup_transcript.py"), str(transcript)],
                          capture_output=True, env=home.environment(), text=True)
    assert (done.returncode, done.stderr, len(copies(home))) == (0, "", 1)
