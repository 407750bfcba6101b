"""Settings: which values of config.json and of a project's file are taken, whatever stands in them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.settings import OF_A_PROJECT, OFF_ONLY, SETTINGS, default_settings, settings_for
from compact_keeper.types import JsonObject
from sessions import Home

ROOT = Path(__file__).resolve().parents[3]
DEFAULTS: JsonObject = {**default_settings()}
OTHER: Any = {  # a usable value of each setting, not the default
    "budget": 4_000, "max_items": 50, "ttl_minutes": 60, "retention_days": 7, "tail_bytes": 100_000,
    "instructions": False, "gate": "hold", "gate_holds": 5, "gate_max": 0.5, "archive": False, "recall_note": False,
    "archive_days": 30, "archive_mb": 64, "notes": False, "transcript_backup": "gzip"}
GONE: Any = {  # settings that there were, with values that they took
    "half_life": 3, "weights": {"file": 4, "rule": 0.5}, "markers": ["WICHTIG:"], "language_line": False,
    "notes_file": "NOTES.md"}
RANGES: dict[str, tuple[Any, Any]] = {
    name: (limits[0], limits[1]) for name, (default, limits) in SETTINGS.items() if type(default) in (int, float)}
CHOICES = {name: choices for name, (default, choices) in SETTINGS.items() if isinstance(default, str)}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder that settings_for() in this process uses."""
    made = Home(tmp_path / "home")
    made.path.mkdir()
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    return tmp_path / "project"


def of_home(home: Home, _: Path) -> Path:
    return home.path / "config.json"


def of_project(_: Home, project: Path) -> Path:
    return project / ".claude" / "compact-keeper.json"


PLACES = [of_home, of_project]
Place = Callable[[Home, Path], Path]


def configure(home: Home, **settings: Any) -> None:
    (home.path / "config.json").write_text(json.dumps(settings), encoding="utf-8")


def in_force(project: Path) -> JsonObject:
    """The settings in force, by names that a test chooses."""
    return {**settings_for(str(project))}


# --- the list ---


def test_defaults_without_a_file(home: Home, project: Path) -> None:
    assert settings_for(str(project)) == DEFAULTS
    assert home.log() == []


def test_without_a_project_the_file_of_the_present_folder_is_not_read(
        home: Home, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    of_project(home, project).write_text('{"archive": false, "gate": "hold"}', encoding="utf-8")
    assert settings_for("") == DEFAULTS
    assert home.log() == []


def test_the_list_is_whole() -> None:
    assert {*OTHER} == {*SETTINGS} > {*OF_A_PROJECT} > {*OFF_ONLY}
    assert all(least <= DEFAULTS[name] <= most for name, (least, most) in RANGES.items())
    assert all(DEFAULTS[name] in choices for name, choices in CHOICES.items())


def as_the_page_writes(default: object) -> str:
    """A default in the words of the table in docs/settings.md."""
    if isinstance(default, float):
        return f"{default:.2f}"
    return f"{default:,}" if type(default) is int else f"`{json.dumps(default)}`"


def range_on_the_page(name: str) -> str:
    """What may be set in the words of the table in docs/settings.md; empty where it says it in its own."""
    if name in RANGES:
        return " to ".join(f"{limit:,}" if limit else "0" for limit in RANGES[name])
    if name in CHOICES:
        return ", ".join(f'`"{choice}"`' for choice in CHOICES[name])
    return "`true`, `false`" if isinstance(DEFAULTS[name], bool) else ""


def test_the_pages_table_is_the_list() -> None:
    table = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    assert sorted(name.strip("`") for name, *_ in rows) == sorted(SETTINGS)
    for name, default, span, in_a_project, _ in rows:
        setting = name.strip("`")
        assert default == as_the_page_writes(DEFAULTS[setting])
        assert range_on_the_page(setting) in ("", span)
        allowed = "only `false`" if setting in OFF_ONLY else "yes" if setting in OF_A_PROJECT else "no"
        assert in_a_project == allowed


# --- which values are taken ---


def new_line(home: Home) -> str:
    """The one line of hook.log, which is taken away."""
    [line] = home.log()
    (home.path / "hook.log").unlink()
    return line


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("place", PLACES)
def test_each_setting_from_each_file(home: Home, project: Path, place: Place, name: str) -> None:
    place(home, project).write_text(json.dumps({"schema": 1, name: OTHER[name]}), encoding="utf-8")
    is_allowed = place is of_home or name in OF_A_PROJECT
    assert settings_for(str(project)) == {**DEFAULTS, **({name: OTHER[name]} if is_allowed else {})}
    assert [name in line for line in home.log()] == ([] if is_allowed else [True])


@pytest.mark.parametrize("name", OFF_ONLY)
def test_a_project_cannot_switch_on_what_the_person_switched_off(home: Home, project: Path, name: str) -> None:
    configure(home, **{name: False})
    of_project(home, project).write_text(json.dumps({name: True}), encoding="utf-8")
    assert in_force(project)[name] is False
    assert len(home.log()) == 1


def test_a_project_sets_nothing_that_reaches_beyond_it() -> None:
    assert {*OF_A_PROJECT}.isdisjoint(("ttl_minutes", "max_items", "retention_days", "tail_bytes", "gate", "gate_max",
                                       "gate_holds", "notes", "transcript_backup", "archive_days", "archive_mb"))


def test_a_project_adds_to_config_json(home: Home, project: Path) -> None:
    configure(home, budget=4_000, instructions=False, max_items=50)
    of_project(home, project).write_text(json.dumps({"budget": 5_000, "max_items": 60}), encoding="utf-8")
    settings = settings_for(str(project))
    assert (settings["budget"], settings["instructions"], settings["max_items"]) == (5_000, False, 50)


WRONG: list[Any] = [None, "", "9000", [], [7], {}, {"a": "b"}, -1, 0.5, 1e308, 10**30, {"file": {"file": 1}}, [[]]]


@pytest.mark.parametrize("name", SETTINGS)
def test_values_of_a_wrong_type(home: Home, project: Path, name: str) -> None:
    usable = [0.5] if name == "gate_max" else []
    flags: list[Any] = [7, 0, 1, "true"] if isinstance(DEFAULTS[name], bool) else [True, False]
    for value in (value for value in WRONG + flags if value not in usable):
        configure(home, **{name: value})
        assert settings_for(str(project)) == DEFAULTS
        assert name in new_line(home)


@pytest.mark.parametrize("name", RANGES)
def test_ranges(home: Home, project: Path, name: str) -> None:
    least, most = RANGES[name]
    for limit in (least, most):
        configure(home, **{name: limit})
        assert in_force(project)[name] == limit
    other_type = int if isinstance(DEFAULTS[name], float) else float
    for value in (least - 1, most + 1, other_type(least)):
        configure(home, **{name: value})
        assert in_force(project)[name] == DEFAULTS[name]
        assert name in new_line(home)


@pytest.mark.parametrize("name", CHOICES)
def test_choices(home: Home, project: Path, name: str) -> None:
    for choice in CHOICES[name]:
        configure(home, **{name: choice})
        assert in_force(project)[name] == choice
    assert home.log() == []
    upper = [str(choice).upper() for choice in CHOICES[name]]
    for value in (*upper, "on", "", True, [*CHOICES[name]]):
        configure(home, **{name: value})
        assert in_force(project)[name] == DEFAULTS[name]
        assert name in new_line(home)


@pytest.mark.parametrize("raw", [
    '{"budget": NaN}', '{"budget": Infinity}', '{"budget": 1e999}', '{"budget": 9' + "9" * 4_000 + "}",
    '{"gate_max": NaN}', '{"gate_max": 1e999}', '{"gate": "block"}',
    *(json.dumps({name: value}) for name, value in GONE.items()),
    '{"surprise": 1}', '{"BUDGET": 4000}', '{"": 1}', '{"\\ud800": 1}', '{"a\\u0000b": 1}', '{"__class__": 1}',
    # files that are none
    "", "{", "[]", "7", "null", '"budget"', "NaN", "{'budget': 4000}", '{"budget": 4000,}', "[" * 100_000,
    '{"budget": 4000}{"budget": 4000}', '{"budget": ' + "9" * 10_000 + "}", "\0" * 64,
    '{"budget": 4000, "more": "' + "x" * (1 << 20) + '"}'], ids=lambda raw: raw[:30].replace("\0", "NUL"))
@pytest.mark.parametrize("place", PLACES)
def test_what_is_wrong_is_named_and_not_used(home: Home, project: Path, place: Place, raw: str) -> None:
    place(home, project).write_bytes(raw.encode())
    assert settings_for(str(project)) == DEFAULTS
    line, = home.log()
    assert place(home, project).name in line


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b"\xef\xbb\xbf{}", '{"budget": 4000}'.encode("utf-16")])
@pytest.mark.parametrize("place", PLACES)
def test_other_encodings_are_never_fatal(home: Home, project: Path, place: Place, raw: bytes) -> None:
    place(home, project).write_bytes(raw)
    assert settings_for(str(project))["max_items"] == DEFAULTS["max_items"]


def test_the_good_settings_beside_wrong_ones_are_used(home: Home, project: Path) -> None:
    configure(home, budget="4000", gate_holds=3, surprise=1)
    assert settings_for(str(project)) == {**DEFAULTS, "gate_holds": 3}
    assert [name in "".join(home.log()) for name in ("budget", "surprise", "gate_holds")] == [True, True, False]


def test_a_fault_that_stays_is_named_once(home: Home, project: Path) -> None:
    """Each prompt asks for the settings several times."""
    for budget in (5, 5, 6):
        configure(home, budget=budget)
        settings_for(str(project))
    assert len(home.log()) == 1
    configure(home, gate="on")
    settings_for(str(project))
    assert len(home.log()) == 2


def test_settings_that_went_are_named_in_one_line(home: Home, project: Path) -> None:
    configure(home, **GONE, budget=4_000)
    assert settings_for(str(project)) == {**DEFAULTS, "budget": 4_000}
    line, = home.log()
    assert all(f"{name} is not used: there is no such setting" in line for name in GONE)


@pytest.mark.parametrize(("name", "value", "words"), [
    ("budget", 5, "it is a whole number from 500 to 28,500"), ("gate_max", 7.0, "it is a number from 0.0 to 0.95"),
    ("gate", "on", 'it is "off" or "hold"'), ("archive", 1, "it is true or false"),
    ("x", 1, "there is no such setting")])
def test_it_is_said_what_a_setting_takes(home: Home, project: Path, name: str, value: object, words: str) -> None:
    configure(home, **{name: value})
    settings_for(str(project))
    [line] = home.log()
    assert line.endswith(f"config.json: {name} is not used: {words}")


@pytest.mark.parametrize(("name", "value", "words"), [
    ("gate", "hold", "a project cannot set it, only your config.json"), ("archive", True, "can only set it to false")])
def test_it_is_said_what_a_project_cannot_set(home: Home, project: Path, name: str, value: object, words: str) -> None:
    (project / ".claude").mkdir(exist_ok=True)
    (project / ".claude" / "compact-keeper.json").write_text(json.dumps({name: value}))
    settings_for(str(project))
    [line] = home.log()
    assert words in line


def test_a_secret_in_a_file_does_not_reach_the_log(home: Home, project: Path) -> None:
    configure(home, **{"api_token=hunter2hunter2": 1})
    settings_for(str(project))
    assert "hunter2hunter2" not in "".join(home.log())


def _link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere.json")
    elsewhere.write_text('{"budget": 4000}', encoding="utf-8")
    path.symlink_to(elsewhere)


@pytest.mark.parametrize("make", [_link, os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero"),
                                  lambda path: path.symlink_to(path), lambda path: path.symlink_to("/nonexistent")],
                         ids=["link", "fifo", "folder", "device", "link-to-itself", "dead-link"])
@pytest.mark.parametrize("place", PLACES)
def test_a_file_that_is_none(home: Home, project: Path, place: Place, make: Callable[[Path], object]) -> None:
    make(place(home, project))
    assert settings_for(str(project)) == DEFAULTS
    line, = home.log()
    assert place(home, project).name in line


@pytest.mark.parametrize("project", ["", "/nonexistent", "/dev/null", "/proc/self/mem", "a" * 5_000])
def test_a_project_that_is_none(home: Home, project: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings_for(project) == DEFAULTS
    assert len(home.log()) <= 1


def test_a_project_cannot_flood_the_log(home: Home, project: Path) -> None:
    of_project(home, project).write_text(json.dumps({f"k{number}": 0 for number in range(5_000)}), encoding="utf-8")
    assert settings_for(str(project)) == DEFAULTS
    assert len(home.log()) == 1
