"""A secret shown where nothing names it, in a session that names it elsewhere: before, after, in another save."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sessions import Home, Session

KEY = "537d6ac1283452cdf446f52c07fbb15fca16330a7cbb95ed373aa32219674ffb"
CHECKSUM = "9f2b1c7d4e8a3056bb17ce49d20f8a6395e4d1c82ab70f3361d5e9c8470ba1f2"  # nothing names it a secret


def shows(session: Session) -> None:
    session.ran("Bash", KEY, command="openssl rand -hex 32")
    session.says(f"Here is what to copy:\n\n```\n{KEY}\n```\nThe sum of the archive is {CHECKSUM}. Shall I go on?")
    session.typed("yes, and tell me when the zebra is in")


def names(session: Session) -> None:
    session.ran("Bash", "3 rows", command=f'export ENCRYPTION_KEY="{KEY}" && node migrate.mjs')
    session.says("The rows are done.")


ORDERS = {"shown first": (shows, names), "named first": (names, shows)}


def pieces() -> list[str]:
    """What would be too much of it: a cut may leave the first letters."""
    return [KEY[at:at + 16] for at in range(len(KEY) - 15)]


@pytest.mark.parametrize("saves", [1, 2], ids=["one save", "a save between"])
@pytest.mark.parametrize("order", ORDERS)
def test_it_is_neither_put_back_nor_kept(tmp_path: Path, order: str, saves: int) -> None:
    home, session = Home(tmp_path / "home"), Session(0)
    session.typed("Encrypt the rows, please.")
    for part in ORDERS[order]:
        part(session)
        if saves == 2:
            home.save(session.write(tmp_path / "session.jsonl"), "Stop")
    path = session.write(tmp_path / "session.jsonl")
    home.save(path)
    text = home.restore(path).restored
    assert CHECKSUM in text
    assert "zebra" in text
    files = {name: content.decode("utf-8", "replace") for name, content in home.files().items()}
    left = {name for name, content in {**files, "the text": text}.items() for piece in pieces() if piece in content}
    assert left == set()


@pytest.mark.parametrize("runs", [1, 2], ids=["one run", "a run between"])
@pytest.mark.parametrize("order", ORDERS)
def test_the_archive_does_not_show_it(tmp_path: Path, order: str, runs: int) -> None:
    home, session = Home(tmp_path / "home"), Session(0)
    session.typed("Encrypt the rows, please.")
    for part in ORDERS[order]:
        part(session)
        if runs == 2:
            home.run("recall.py", b"", "index", str(session.write(tmp_path / "session.jsonl")))
    home.run("recall.py", b"", "index", str(session.write(tmp_path / "session.jsonl")))
    said = home.run("recall.py", b"", "search", "sum", "archive", "copy").stdout
    assert CHECKSUM in said
    assert not [piece for piece in pieces() if piece in said]
    assert KEY[:16] not in home.run("recall.py", b"", "search", KEY).stdout.replace(KEY, "")
    with closing(sqlite3.connect(home.path / "archive.db")) as db:
        rows = str(db.execute("SELECT * FROM turns").fetchall())
        words = {word for word, in db.execute("SELECT word FROM vocabulary")}
    assert CHECKSUM in rows
    assert not [piece for piece in pieces() if piece in rows]
    assert not [word for word in words if len(word) >= 16 and word in KEY]
