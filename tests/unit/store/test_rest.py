"""rest.json: the second part of what was put back, left whole or not at all, and handed over once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.compaction import DELIVERED_STAGES
from compact_keeper.store.rest import REST_MAX_UTF16, leave_rest, remove_rest, take_rest
from sessions import units

ID, OTHER_ID = "5e5510115e551011", "0123456789abcdef"
THIRD = "compact-keeper: third part of the record (block 5e551011)."
TEXT = "compact-keeper: second part of the record (block 5e551011).\n\n## What was done\n- Edited rates.py"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session's folder with a compaction that was delivered."""
    made = tmp_path / "home" / "sessions" / "a-session"
    made.mkdir(parents=True)
    compaction(made)
    return made


def compaction(folder: Path, **fields: Any) -> None:
    state = {"schema": 1, "id": ID, "offset": 0, "stage": "delivered", **fields}
    (folder / "compaction.json").write_text(json.dumps(state), encoding="utf-8")


def log_of(folder: Path) -> list[str]:
    path = folder.parents[1] / "hook.log"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


# --- hostile files in its place ---


def content(raw: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(raw)


def stored(**fields: object) -> Callable[[Path], object]:
    return content(json.dumps({"schema": 1, "id": ID, "text": TEXT, **fields}).encode())


def link(path: Path) -> None:
    stored()(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"schema": 1, "id": "5e5510115e551011", "text": "')
        file.seek(100 << 20)
        file.write(b'"}')


HOSTILE: dict[str, Callable[[Path], object]] = {
    "empty": content(b""), "torn": content(json.dumps({"schema": 1, "id": ID, "text": TEXT}).encode()[:60]),
    "garbage": content(bytes(range(256))), "list": content(b'[{"schema": 1}]'), "null": content(b"null"),
    "deep": content(b"[" * 100_000), "later-schema": stored(schema=2), "schema-as-text": stored(schema="1"),
    "no-id": stored(id=None), "number-as-id": stored(id=7), "list-as-text": stored(text=[TEXT]),
    "number-as-text": stored(text=7), "empty-text": stored(text=""),
    "numbers-behind": stored(text="", further=[7, None]), "folder": Path.mkdir, "fifo": os.mkfifo,
    "link": link, "link-to-nothing": lambda path: path.symlink_to("nowhere"),
    "link-to-itself": lambda path: path.symlink_to(path), "link-to-a-device": lambda path: path.symlink_to("/dev/zero"),
    "100-megabytes": huge}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_second_part_is_handed_to_nobody_and_met_once(folder: Path, name: str) -> None:
    HOSTILE[name](folder / "rest.json")
    assert take_rest(str(folder)) == ""
    known = log_of(folder)
    assert len(known) <= 1
    assert take_rest(str(folder)) == ""
    assert log_of(folder) == known


@pytest.mark.parametrize("name", HOSTILE)
def test_what_stands_in_its_place_costs_at_most_the_second_part(folder: Path, name: str) -> None:
    path = folder / "rest.json"
    HOSTILE[name](path)
    leave_rest(str(folder), ID, [TEXT])
    is_left = not log_of(folder)
    assert take_rest(str(folder)) == (TEXT if is_left else "")
    assert is_left is (name not in ("later-schema", "folder", "fifo", "link", "link-to-nothing", "link-to-itself",
                                    "link-to-a-device"))


@pytest.mark.parametrize("name", HOSTILE)
def test_an_earlier_one_goes_whatever_it_is(folder: Path, name: str) -> None:
    path = folder / "rest.json"
    HOSTILE[name](path)
    remove_rest(str(folder))
    assert os.path.lexists(path) is (name == "folder")
    assert len(log_of(folder)) == (name == "folder")
    assert not (folder / "elsewhere").is_symlink()
    assert (folder / "elsewhere").exists() is (name == "link")  # what it leads to stays


@pytest.mark.parametrize("raw", [b"", b"{", b'{"schema": 2, "stage": "delivered"}', b"[" * 100_000, b"null"])
def test_a_compaction_that_cannot_be_read_hands_over_nothing(folder: Path, raw: bytes) -> None:
    leave_rest(str(folder), ID, [TEXT])
    (folder / "compaction.json").write_bytes(raw)
    assert take_rest(str(folder)) == ""
    compaction(folder)
    assert take_rest(str(folder)) == TEXT  # it is kept for when the file is whole


# --- whose it is ---


@pytest.mark.parametrize("stage", DELIVERED_STAGES)
def test_it_goes_out_once_when_the_first_part_has(folder: Path, stage: str) -> None:
    leave_rest(str(folder), ID, [TEXT])
    compaction(folder, stage=stage)
    assert take_rest(str(folder)) == TEXT
    assert take_rest(str(folder)) == ""
    assert sorted(path.name for path in folder.iterdir()) == ["compaction.json", "rest.json.given"]


@pytest.mark.parametrize("further", [[THIRD], [7, THIRD, None], [THIRD, "a fourth"]])
def test_the_third_waits_until_the_second_has_been_taken(folder: Path, further: list[Any]) -> None:
    stored(further=further)(folder / "rest.json")
    texts = [text for text in (TEXT, *further) if isinstance(text, str)]
    assert [take_rest(str(folder)) for _ in range(4)] == [*texts, "", "", ""][:4]
    assert log_of(folder) == []


@pytest.mark.parametrize("stage", ["begun", "a subagent's", "kept back", "nothing known", "brought in", "", "many"])
def test_before_the_first_part_has_gone_out_it_waits(folder: Path, stage: str) -> None:
    compaction(folder, stage=stage)
    leave_rest(str(folder), ID, [TEXT])
    assert take_rest(str(folder)) == ""
    compaction(folder)
    assert take_rest(str(folder)) == TEXT


@pytest.mark.parametrize("other", [OTHER_ID, "", None, 7, ID[-8:]])
def test_another_compactions_goes_out_never(folder: Path, other: object) -> None:
    stored(id=other)(folder / "rest.json")
    assert take_rest(str(folder)) == ""
    stored(id=ID)(folder / "rest.json")
    compaction(folder, id=other)
    assert take_rest(str(folder)) == ""
    compaction(folder)
    assert take_rest(str(folder)) == ""


def test_the_next_one_takes_its_place(folder: Path) -> None:
    leave_rest(str(folder), OTHER_ID, ["an earlier one"])
    leave_rest(str(folder), ID, [TEXT])
    assert take_rest(str(folder)) == TEXT
    leave_rest(str(folder), ID, [TEXT])
    leave_rest(str(folder), ID, [])
    assert not (folder / "rest.json").exists()
    assert log_of(folder) == []


def test_it_is_for_the_owner_alone(folder: Path) -> None:
    leave_rest(str(folder), ID, [TEXT])
    assert (folder / "rest.json").stat().st_mode & 0o777 == 0o600
    assert take_rest(str(folder)) == TEXT
    assert (folder / "rest.json.given").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_nothing_can_be_written_to_costs_a_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(os, "replace", full)
    leave_rest(str(folder), ID, [TEXT])
    [line] = log_of(folder)
    assert "No space left" in line
    assert [path.name for path in folder.iterdir()] == ["compaction.json"]


@pytest.mark.parametrize("text", ["ä" * REST_MAX_UTF16, "🚚" * (REST_MAX_UTF16 // 2)])
def test_no_more_goes_out_than_an_event_has_room_for(folder: Path, text: str) -> None:
    leave_rest(str(folder), ID, [text])
    assert take_rest(str(folder)) == text
    leave_rest(str(folder), ID, [f"{text}x"])
    taken = take_rest(str(folder))
    assert REST_MAX_UTF16 - 2 < units(taken) <= REST_MAX_UTF16
    assert taken.endswith("…")


def test_tags_and_hidden_characters_of_a_foreign_hand_are_disarmed(folder: Path) -> None:
    leave_rest(str(folder), ID, ["x <system-reminder>\x1b[31m\u202e y"])
    assert take_rest(str(folder)) == "x ‹system-reminder> y"
