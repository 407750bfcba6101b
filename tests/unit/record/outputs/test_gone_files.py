"""Files that the session wrote and a later listing of their folder lacks: only where the listing is known whole."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.also_on_record import gone_file_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.outputs.gone_files import (
    folder_listed,
    gone_when_listed,
    listed_before_more_came,
)
from slow_texts import check_it_ends

ROOT = "/srv/rates"


def wrote(position: int, path: str) -> Any:
    return {"kind": "action", "tool": "Write", "text": path, "path": path, "edits": 1, "position": position}


def ls(command: str, result: str, position: int = 5, **fields: Any) -> Any:
    return {"kind": "look", "tool": "Bash", "text": command, "path": "", "result": result, "position": position,
            **fields}


@pytest.mark.parametrize(("command", "result", "fields", "gone"), [
    ("ls", "zones.csv", {}, ["a.md"]), ("ls -la", "total 8 ⏎ zones.csv (12)", {}, ["a.md"]),
    ("ls /srv/rates/", "zones.csv", {}, ["a.md"]), ("ls .", "", {"is_silent": True}, ["a.md"]),
    ("ls -la .", "total 0 ⏎ drwxr-xr-x 1 ada 1 0 Apr 1 16:23 . ⏎ drwxr-xr-x 1 ada 1 0 Apr 1 10:19 ..", {}, ["a.md"]),
    ("cd /srv/rates && ls", "zones.csv", {"folder": "/srv"}, ["a.md"]),
    ("ls rates", "zones.csv", {"folder": "/srv"}, ["a.md"]),
    ("ls", "a.md ⏎ zones.csv", {}, []), ("ls -F", "a.md* ⏎ zones.csv", {}, []),
    ("ls", "zones.csv", {"position": 1}, []),  # before it was written
    ("ls", "b.md ⏎ …", {}, []), ("ls", "", {}, []), ("ls docs", "zones.csv", {}, []),
    ("ls *.csv", "zones.csv", {}, []), ("ls | head -1", "zones.csv", {}, []), ("ls -d", ".", {}, []),
    ("ls a.md", "/srv/rates/a.md", {}, []), ("ls ~/rates", "zones.csv", {}, []), ("ls; rm x", "zones.csv", {}, []),
    ("ls . docs", "zones.csv", {}, []), ("ls -I '*.md'", "zones.csv", {}, []), ("ls $HOME", "zones.csv", {}, []),
    ("ls /srv/rates", "Exit code 2 ⏎ ls: cannot access '/srv/rates': No such file", {}, []),
    ("ls -la", "-rw-r--r-- 1 ada 1 9 Apr 1 16:23 a.md", {}, []),
    ("lsof", "zones.csv", {}, []), ("ls", "zones.csv", {"tool": "Grep"}, [])])
def test_what_a_listing_lacks(command: str, result: str, fields: Any, gone: list[str]) -> None:
    listings = gone_when_listed([wrote(2, f"{ROOT}/a.md"), ls(command, result, **fields)], ROOT)
    assert [name for _, names in listings for name in names] == gone


def test_hidden_files_are_missed_only_where_they_are_listed() -> None:
    hidden = wrote(1, f"{ROOT}/.env.sample")
    assert gone_when_listed([hidden, ls("ls", "zones.csv")], ROOT) == []
    assert [names for _, names in gone_when_listed([hidden, ls("ls -A", "zones.csv")], ROOT)] == [[".env.sample"]]


def test_a_file_that_a_command_moved_is_not_gone() -> None:
    moved: Any = {**ls("mv a.md docs/b.md", "", 2), "kind": "action", "verdict": "ended"}
    assert gone_when_listed([wrote(1, f"{ROOT}/a.md"), moved, ls("ls", "zones.csv", 3)], ROOT) == []


def test_the_newest_listing_counts_and_what_is_written_again_is_there() -> None:
    first, again = wrote(1, f"{ROOT}/a.md"), wrote(9, f"{ROOT}/a.md")
    assert gone_when_listed([first, ls("ls", "b.md", 3), ls("ls .", "a.md", 4)], ROOT) == []
    assert gone_when_listed([first, ls("ls", "b.md", 3), again], ROOT) == []


@pytest.mark.parametrize(("command", "path", "position", "is_old"), [
    ("ls", "new.md", 9, True), ("ls -la .", "rooms/new.md", 9, True), ("ls", "new.md", 1, False),
    ("ls", "zones.csv", 9, False), ("ls", "zones.csv/new.md", 9, False), ("ls docs", "new.md", 9, False),
    ("ls | head -1", "new.md", 9, False)])
def test_a_listing_from_before_more_came_is_old(command: str, path: str, position: int, is_old: bool) -> None:
    old = listed_before_more_came([ls(command, "zones.csv"), wrote(position, f"{ROOT}/{path}")], ROOT)
    assert old == ({5} if is_old else set())


def test_a_drive_is_one_in_both_its_forms() -> None:
    items = [wrote(1, "C:\\srv\\rates\\a.md"), ls('ls "/c/srv/rates/"', "b.md")]
    assert [names for _, names in gone_when_listed(items, "C:/srv")] == [["a.md"]]


def test_how_it_is_said() -> None:
    items = [wrote(1, f"{ROOT}/a.md"), wrote(2, f"{ROOT}/b.md"), ls("ls -la", "total 0 ⏎ zones.csv (12)")]
    assert [line["text"] for line in gone_file_lines(items, Paths(ROOT, ROOT))] == [
        "- written in this session, and gone when `ls -la` listed their folder: a.md, b.md"]


def test_long_commands_are_read_in_time() -> None:
    check_it_ends(lambda text: folder_listed(ls(f"ls {text}", ""), ROOT))
