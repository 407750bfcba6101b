"""Copies of the transcript: what is in one, which stay, whatever lies in the way."""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_keeper.store import backup
from compact_keeper.store.backup import COPIES_MAX, backups_listed, compress, copy_transcript
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.session_lock import unlock_session
from sessions import SESSION_ID, Home

MEGABYTE = 1 << 20


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(backup, "lock_session", locked)
    return Home(tmp_path / "home")


def locked(folder: str, patience: float) -> bool:
    """As a process of its own, which holds the folder until it ends."""
    from compact_keeper.store.session_lock import lock_session
    is_own = lock_session(folder, patience)
    unlock_session()
    return is_own


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / f"{SESSION_ID}.jsonl"
    path.write_bytes(b'{"type":"user"}\n' * 100)
    return path


def folder(home: Home) -> Path:
    return home.session / "backups"


def copies(home: Home) -> list[Path]:
    return sorted(folder(home).glob("*.jsonl.gz"))


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
    with pytest.raises((OSError, Refusal)):
        copy_transcript(str(transcript), SESSION_ID)
    assert not list(home.path.rglob("*.gz"))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda _: None])
def test_a_transcript_that_is_none(home: Home, tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "odd.jsonl")
    with pytest.raises((OSError, Refusal)):
        copy_transcript(str(tmp_path / "odd.jsonl"), "odd")
    assert list((home.path / "sessions" / "odd" / "backups").iterdir()) == []


@pytest.mark.parametrize("failing", ["replace", "compress"])
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_one_that_fails_or_is_stopped_leaves_the_older_copies_and_no_draft(
        home: Home, transcript: Path, monkeypatch: pytest.MonkeyPatch, failing: str, fault: BaseException) -> None:
    copy_transcript(str(transcript), SESSION_ID)
    before = home.files()

    def fails(*_: object) -> None:
        raise fault
    monkeypatch.setattr(os if failing == "replace" else backup, failing, fails)
    with pytest.raises(type(fault)):
        copy_transcript(str(transcript), SESSION_ID)
    assert home.files() == before


def test_a_draft_that_is_a_link_goes_and_is_not_followed(home: Home, transcript: Path, tmp_path: Path) -> None:
    folder(home).mkdir(parents=True)
    (tmp_path / "kept").write_text("kept", encoding="utf-8")
    (folder(home) / "draft.tmp").symlink_to(tmp_path / "kept")
    copy_transcript(str(transcript), SESSION_ID)
    assert (len(copies(home)), os.listdir(folder(home))) == (1, [copies(home)[0].name])
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
        with pytest.raises(Refusal, match="another process is copying it"):
            copy_transcript(str(transcript), SESSION_ID)
        assert draft.read_bytes() == b"half a copy"
    else:
        copy_transcript(str(transcript), SESSION_ID)
        assert not draft.exists()
    os.close(handle)
    assert len(copies(home)) == (not lives)


def test_a_copy_is_whole_private_and_listed(home: Home, transcript: Path) -> None:
    with pytest.raises(Refusal, match="named by its whole id"):
        backups_listed(SESSION_ID)
    path = copy_transcript(str(transcript), SESSION_ID)
    assert gzip.decompress(Path(path).read_bytes()) == transcript.read_bytes()
    assert (stat.S_IMODE(os.stat(path).st_mode), stat.S_IMODE(folder(home).stat().st_mode)) == (0o600, 0o700)
    assert backups_listed(SESSION_ID) == [f"{os.path.getsize(path):>12,}  {path}"]


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
            chunk = super().read(size or 0) or b""
            os.truncate(path, MEGABYTE)
            return chunk
    with Shrinking(str(path)) as source:
        compress(source, target)
    assert gzip.decompress(target.getvalue()) == b"x" * MEGABYTE
