"""Settings: config.json and a project's file, whatever stands in them; what each does, by the scripts as processes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from check_settings import CHOICES, FORMS, LIMITS

from compact_keeper.store import settings as store_settings
from compact_keeper.store.settings import OF_A_PROJECT, OFF_ONLY, SETTINGS, settings_for
from save_snapshot import INSTRUCTIONS
from sessions import SESSION_ID, Home, Record, Session, hook_input, items_of, lines_of, units

OTHER: Record = {  # a usable value of each setting, not the default
    "budget": 4_000, "max_items": 50, "ttl_minutes": 60, "half_life": 3, "retention_days": 7, "tail_bytes": 100_000,
    "weights": {"file": 4, "rule": 0.5}, "markers": ["WICHTIG:"], "language_line": False, "instructions": False,
    "gate": "hold", "gate_holds": 5, "gate_max": 0.5, "archive": False, "notes": False,
    "notes_file": ".claude/NOTES.local.md", "transcript_backup": "gzip"}
OF_THE_ARCHIVE: Record = {"archive": False, "recall_note": False, "archive_days": 30, "archive_mb": 64}
EVERY = {**store_settings.default_settings(), **SETTINGS}
DAY = 86_400  # seconds


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder that settings() in this process uses too."""
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


def configure(home: Home, **used: Any) -> None:
    (home.path / "config.json").write_text(json.dumps(used), encoding="utf-8")


# --- which values are used ---


def test_defaults_without_a_file(home: Home, project: Path) -> None:
    assert settings_for(str(project)) == SETTINGS
    assert home.log() == []


def test_the_tables_name_the_same_settings() -> None:
    assert set(OTHER) == set(SETTINGS)
    assert set(OF_THE_ARCHIVE) == set(store_settings.default_settings())
    assert set(EVERY) > set(OF_A_PROJECT) > set(OFF_ONLY)
    assert {name for name, value in EVERY.items() if type(value) in (int, float)} == set(LIMITS)
    assert all(least <= EVERY[name] <= most for name, (least, most) in LIMITS.items())
    assert {name for name, value in EVERY.items() if isinstance(value, str)} == {*CHOICES, *FORMS}
    assert all(EVERY[name] in choices for name, choices in CHOICES.items())


@pytest.mark.parametrize("name", OF_THE_ARCHIVE)
@pytest.mark.parametrize("place", PLACES)
def test_settings_of_the_archive(home: Home, project: Path, place: Place, name: str) -> None:
    place(home, project).write_text(json.dumps({name: OF_THE_ARCHIVE[name], "budget": 4_000}), encoding="utf-8")
    allowed = place is of_home or name in OFF_ONLY
    expected = {**store_settings.default_settings(), **({name: OF_THE_ARCHIVE[name]} if allowed else {})}
    assert store_settings.settings_for(str(project)) == expected
    assert [name in line for line in home.log()] == ([] if allowed else [True])  # nothing of what others use


@pytest.mark.parametrize("name", OFF_ONLY)
def test_a_project_cannot_switch_on_what_the_person_switched_off(home: Home, project: Path, name: str) -> None:
    configure(home, **{name: False})
    of_project(home, project).write_text(json.dumps({name: True}), encoding="utf-8")
    assert store_settings.settings_for(str(project))[name] is False
    assert len(home.log()) == 1


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("place", PLACES)
def test_each_setting_from_each_file(home: Home, project: Path, place: Place, name: str) -> None:
    place(home, project).write_text(json.dumps({"schema": 1, name: OTHER[name]}), encoding="utf-8")
    allowed = place is of_home or name in OF_A_PROJECT
    assert settings_for(str(project)) == {**SETTINGS, **({name: OTHER[name]} if allowed else {})}
    assert [name in line for line in home.log()] == ([] if allowed else [True])


@pytest.mark.parametrize("name", ["ttl_minutes", "max_items", "retention_days", "tail_bytes", "gate", "gate_max",
                                  "gate_holds", "notes", "notes_file", "transcript_backup"])
def test_a_project_sets_nothing_that_reaches_beyond_it(name: str) -> None:
    assert name not in OF_A_PROJECT


def test_a_project_adds_to_config_json(home: Home, project: Path) -> None:
    configure(home, budget=4_000, half_life=3, max_items=50)
    of_project(home, project).write_text(json.dumps({"budget": 5_000, "max_items": 60}), encoding="utf-8")
    used = settings_for(str(project))
    assert (used["budget"], used["half_life"], used["max_items"]) == (5_000, 3, 50)


WRONG: list[Any] = [None, "", "9000", [], [7], {}, {"a": "b"}, -1, 0.5, 1e308, 10**30, {"file": {"file": 1}}, [[]]]


@pytest.mark.parametrize("name", SETTINGS)
def test_values_of_a_wrong_type(home: Home, project: Path, name: str) -> None:
    also: Record = {"weights": [{}], "markers": [[]], "gate_max": [0.5], "notes_file": [""]}
    usable = also.get(name, [])
    flags = [7, 0, 1, "true"] if isinstance(SETTINGS[name], bool) else [True, False]
    for number, value in enumerate(one for one in WRONG + flags if one not in usable):
        configure(home, **{name: value})
        assert settings_for(str(project)) == SETTINGS
        assert len(home.log()) == number + 1
        assert name in home.log()[-1]


@pytest.mark.parametrize("name", sorted({*LIMITS} & {*SETTINGS}))
def test_ranges(home: Home, project: Path, name: str) -> None:
    for limit in LIMITS[name]:
        configure(home, **{name: limit})
        assert settings_for(str(project))[name] == limit
    other_type = int if isinstance(SETTINGS[name], float) else float
    for number, value in enumerate((LIMITS[name][0] - 1, LIMITS[name][1] + 1, other_type(LIMITS[name][0]))):
        configure(home, **{name: value})
        assert settings_for(str(project))[name] == SETTINGS[name]
        assert len(home.log()) == number + 1


@pytest.mark.parametrize("name", CHOICES)
def test_choices(home: Home, project: Path, name: str) -> None:
    for choice in CHOICES[name]:
        configure(home, **{name: choice})
        assert settings_for(str(project))[name] == choice
    assert home.log() == []
    for number, value in enumerate((*map(str.upper, CHOICES[name]), "on", "", True, [*CHOICES[name]])):
        configure(home, **{name: value})
        assert settings_for(str(project))[name] == SETTINGS[name]
        assert len(home.log()) == number + 1


@pytest.mark.parametrize("path", [
    "", "NOTES.md", "NOTES.local.md", ".claude/notes.md", "a/b c/ü.md", ".md.md", "..a/b.md", "a/..b.md", "...md"])
def test_paths_inside_a_project(home: Home, project: Path, path: str) -> None:
    configure(home, notes_file=path)
    assert settings_for(str(project))["notes_file"] == path
    assert home.log() == []


@pytest.mark.parametrize("path", [
    "/etc/x.md", "//x.md", "../x.md", "a/../x.md", "a/../../x.md", "./x.md", "a/./x.md", "a//x.md", ".md", "a/.md", "x",
    "x.md/", "x.MD", "x.md ", "x.md\n", "x.md\0", "a\0/x.md", "a\nb.md", "a\\..\\x.md", "C:x.md", "x.md:stream.md",
    "~/x\0.md", "..", "../", "a" * 200 + ".md", "a/" * 20 + "x.md"])
def test_paths_that_lead_elsewhere_or_are_none(home: Home, project: Path, path: str) -> None:
    configure(home, notes_file=path)
    assert settings_for(str(project)) == SETTINGS
    line, = home.log()
    assert "notes_file (takes a path inside the project that ends in .md" in line


@pytest.mark.parametrize("raw", [
    '{"budget": NaN}', '{"budget": Infinity}', '{"budget": 1e999}', '{"weights": {"file": NaN}}',
    '{"weights": {"file": -Infinity}}', '{"weights": {"file": 1e999}}', '{"weights": {"file": 101}}',
    '{"weights": {"file": -1}}', '{"weights": {"file": true}}', '{"weights": {"file": null}}',
    '{"weights": {"file": 1, "rule": "2"}}', '{"markers": ["TODO:", 7]}', '{"markers": [""]}',
    '{"markers": ["' + "x" * 40 + '"]}', '{"markers": [' + ",".join(['"a"'] * 21) + "]}",
    '{"half_life": 9' + "9" * 4_000 + "}", '{"gate_max": NaN}', '{"gate_max": 1e999}', '{"gate": "block"}',
    '{"surprise": 1}', '{"BUDGET": 4000}', '{"": 1}', '{"\\ud800": 1}', '{"a\\u0000b": 1}', '{"__class__": 1}',
    # files that are none
    "", "{", "[]", "7", "null", '"budget"', "NaN", "{'budget': 4000}", '{"budget": 4000,}', "[" * 100_000,
    '{"budget": 4000}{"budget": 4000}', '{"half_life": ' + "9" * 10_000 + "}", "\0" * 64,
    '{"budget": 4000, "more": "' + "x" * (1 << 20) + '"}'], ids=lambda raw: raw[:30].replace("\0", "NUL"))
@pytest.mark.parametrize("place", PLACES)
def test_what_is_wrong_is_named_and_not_used(home: Home, project: Path, place: Place, raw: str) -> None:
    place(home, project).write_bytes(raw.encode())
    assert settings_for(str(project)) == SETTINGS
    line, = home.log()
    assert place(home, project).name in line


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b"\xef\xbb\xbf{}", '{"budget": 4000}'.encode("utf-16")])
@pytest.mark.parametrize("place", PLACES)
def test_other_encodings_are_never_fatal(home: Home, project: Path, place: Place, raw: bytes) -> None:
    place(home, project).write_bytes(raw)
    assert settings_for(str(project))["max_items"] == SETTINGS["max_items"]


def test_the_good_settings_beside_wrong_ones_are_used(home: Home, project: Path) -> None:
    configure(home, budget="4000", half_life=3, surprise=1)
    assert settings_for(str(project)) == {**SETTINGS, "half_life": 3}
    assert [name in "".join(home.log()) for name in ("budget", "surprise", "half_life")] == [True, True, False]


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
    assert settings_for(str(project)) == SETTINGS
    line, = home.log()
    assert place(home, project).name in line


@pytest.mark.parametrize("project", ["", "/nonexistent", "/dev/null", "/proc/self/mem", "a" * 5_000])
def test_a_project_that_is_none(home: Home, project: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings_for(project) == SETTINGS
    assert len(home.log()) <= 1


def test_a_project_cannot_flood_the_log(home: Home, project: Path) -> None:
    of_project(home, project).write_text(json.dumps({f"k{number}": 0 for number in range(5_000)}), encoding="utf-8")
    started = time.process_time()
    assert settings_for(str(project)) == SETTINGS
    assert (len(home.log()) <= 50, time.process_time() - started < 0.1) == (True, True)


@pytest.mark.parametrize("value", [True, False, None, 7, "x", [7], {"a": []}, 1e308])
def test_no_value_of_a_project_keeps_the_rest_from_coming_back(home: Home, project: Path, tmp_path: Path,
                                                               value: object) -> None:
    of_project(home, project).write_text(json.dumps(dict.fromkeys(SETTINGS, value)), encoding="utf-8")
    made = Session()
    made.typed("Never push to main.")
    extra, path = {"CLAUDE_PROJECT_DIR": str(project)}, made.write(tmp_path / "transcript.jsonl")
    assert home.save(path, extra=extra).code == 0
    assert "Never push to main." in home.restore(path, extra=extra).restored


# --- what each setting does ---


def busy(words: str = "Add the importer.") -> Session:
    """A session that fills the default budget."""
    made = Session()
    made.typed(words)
    for number in range(120):
        made.ran("Edit", file_path=f"/home/ada/parcel-rates/src/module_{number}/handler_of_{number}.py", old_string="x",
                 new_string="y")
        made.ran("Bash", command=f"make test-{number} CARRIER={number}")
        made.typed(f"Never touch the table of carrier {number}, it is filled by the importer at night.")
    return made


def delivered(home: Home, made: Session, tmp_path: Path, **used: Any) -> str:
    """What is put back for the session with these settings in config.json."""
    configure(home, **used)
    path = made.write(tmp_path / "transcript.jsonl")
    (home.session / "compaction.json").unlink(missing_ok=True)  # the third compaction in a row would be cut short
    saved = home.save(path)
    assert (saved.code, saved.stderr) == (0, "")
    return home.restore(path).restored


def test_budget_is_the_size_of_what_is_put_back(home: Home, tmp_path: Path) -> None:
    sizes = [units(delivered(home, busy(), tmp_path, budget=budget)) for budget in (1_500, 4_000, 9_000)]
    assert all(0.7 * budget < size <= budget for budget, size in zip((1_500, 4_000, 9_000), sizes))


def test_a_projects_budget_counts_in_the_hook(home: Home, project: Path, tmp_path: Path) -> None:
    of_project(home, project).write_text('{"budget": 1500, "ttl_minutes": 60}', encoding="utf-8")
    path = busy().write(tmp_path / "transcript.jsonl")
    for extra, cwd in (({"CLAUDE_PROJECT_DIR": str(project)}, "/nonexistent"), ({}, str(project))):
        home.run("save_snapshot.py", {**hook_input("PreCompact", path), "cwd": cwd}, extra=extra)
        assert units(home.restore(path).restored) <= 1_500
        assert home.stored("snapshot.json")["ttl"] == 600


def test_weights_change_what_is_chosen(home: Home, tmp_path: Path) -> None:
    made = busy()
    made.ran("Bash", command="npm run dev &")
    heavy = delivered(home, made, tmp_path, budget=1_500, weights={"rule": 0.001, "file": 100})
    light = delivered(home, made, tmp_path, budget=1_500, weights={"file": 0})
    assert ("`src/module_" in heavy, "`src/module_" in light) == (True, False)


def test_a_marker_lifts_words(home: Home, tmp_path: Path) -> None:
    marked = "WICHTIG: never touch the audit table, it is read by the accountants every month."
    for markers, is_first in ((["WICHTIG:"], True), ([], False)):
        made = Session()
        made.typed(marked)
        made.records += busy().records
        rules = lines_of(delivered(home, made, tmp_path, markers=markers), "The user's rules, in their own words")
        assert (marked in rules[0]) == is_first


def test_half_life_fades_what_is_old(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.says("Decided: we keep the queue in memory because a broker needs its own host.")
    for _ in range(4):
        made.compacted()
    made.typed("Add the importer.")
    shown = [len(lines_of(delivered(home, made, tmp_path, half_life=half_life), "Decided")) for half_life in (1, 1_000)]
    assert shown == [0, 1]


def test_language_line(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.typed("Bitte baue den Importer und schreibe nicht in die alte Tabelle, das ist der Bestand der Buchhaltung.")
    assert "writes in German" in delivered(home, made, tmp_path)
    assert "writes in German" not in delivered(home, made, tmp_path, language_line=False)


@pytest.mark.parametrize(("told", "printed"), [(True, INSTRUCTIONS), (False, "")])
def test_instructions(home: Home, told: bool, printed: str) -> None:
    configure(home, instructions=told)
    assert home.save()[:3] == (0, printed, "")
    assert home.save(event="Stop").stdout == ""


def test_max_items(home: Home, tmp_path: Path) -> None:
    delivered(home, busy(), tmp_path, max_items=30)
    assert len(home.stored("memory.json")["items"]) == 30


def test_tail_bytes(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.typed("Never push to main.")
    made.ran("Bash", command="make early")
    for _ in range(60):
        made.ran("Bash", "x" * 2_000, command="make late")
    for tail_bytes, commands in ((64 << 10, ["make late"]), (1 << 20, ["make early", "make late"])):
        (home.session / "memory.json").unlink(missing_ok=True)
        delivered(home, made, tmp_path, tail_bytes=tail_bytes)
        memory = home.stored("memory.json")
        assert [one["text"] for one in items_of(memory, "command")] == commands
        assert [one["text"] for one in items_of(memory, "rule")] == ["Never push to main."]


@pytest.mark.parametrize("minutes", [1, 60])
def test_ttl_minutes(home: Home, tmp_path: Path, minutes: int) -> None:
    path = busy().write(tmp_path / "transcript.jsonl")
    configure(home, ttl_minutes=minutes)
    home.save(path)
    snapshot = home.stored("snapshot.json")
    assert snapshot["ttl"] == 60 * minutes
    for age, holds in ((60 * minutes + 5, False), (60 * minutes - 5, True)):
        aged = {**snapshot, "created": time.time() - age}
        (home.session / "snapshot.json").write_text(json.dumps(aged), encoding="utf-8")
        assert bool(home.restore("/nonexistent/transcript.jsonl").restored) == holds
        (home.session / "compaction.json").unlink()


# --- retention ---


def old_session(home: Home, name: str, days: float) -> Path:
    folder = home.path / "sessions" / name
    folder.mkdir(parents=True)
    for file in ("memory.json", "snapshot.json", "pins.jsonl"):
        age(folder / file, days)
    return folder


def age(path: Path, days: float) -> None:
    path.write_text("{}", encoding="utf-8")
    os.utime(path, (time.time() - days * DAY,) * 2)


@pytest.mark.parametrize(("days", "used", "stays"), [
    (29, {}, True), (31, {}, False), (6, {"retention_days": 7}, True), (8, {"retention_days": 7}, False),
    (400, {"retention_days": 3_650}, True)])
def test_retention_days(home: Home, days: float, used: Record, stays: bool) -> None:
    configure(home, **used)
    folder = old_session(home, "older", days)
    assert home.save(event="Stop").code == 0
    assert folder.exists()
    home.save()
    assert (folder.exists(), home.log()) == (stays, [])


def test_one_new_file_keeps_a_session(home: Home) -> None:
    folder = old_session(home, "older", 99)
    age(folder / "ledger.jsonl", 1)
    home.save()
    assert len(list(folder.iterdir())) == 4


def test_retention_touches_nothing_else(home: Home, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for path in (elsewhere / "kept.json", home.path / "archive.db", home.path / "sessions" / "note.txt"):
        path.parent.mkdir(exist_ok=True)
        age(path, 99)
    (home.path / "sessions" / "linked").symlink_to(elsewhere)
    old_session(home, SESSION_ID, 99)
    folder = old_session(home, "older", 99)
    (folder / "link.json").symlink_to(elsewhere / "kept.json")
    os.utime(folder / "link.json", (time.time() - 99 * DAY,) * 2, follow_symlinks=False)
    home.save()
    assert not folder.exists()
    assert home.session.exists()
    assert (home.path / "sessions" / "linked").is_symlink()
    assert sorted(path.name for path in (elsewhere / "kept.json", home.path / "archive.db",
                                         home.path / "sessions" / "note.txt") if path.exists()) == [
        "archive.db", "kept.json", "note.txt"]


def with_backups(folder: Path, days: float) -> Path:
    backups = folder / "backups"
    backups.mkdir()
    for name in ("20261121T201003.123Z.jsonl.gz", "draft.tmp"):
        age(backups / name, days)
    os.utime(backups, (time.time() - days * DAY,) * 2)
    return backups


@pytest.mark.parametrize(("days", "stays"), [(99, False), (1, True)])
def test_copies_of_the_transcript_go_with_their_session(home: Home, days: float, stays: bool) -> None:
    folder = old_session(home, "older", 99)
    with_backups(folder, days)
    home.save()
    assert (folder.exists(), home.log()) == (stays, [])
    assert not stays or len(list((folder / "backups").iterdir())) == 2


@pytest.mark.parametrize("where", ["backups", "backups/inner", "other"])
def test_retention_follows_no_link_to_a_folder(home: Home, tmp_path: Path, where: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    age(elsewhere / "kept.jsonl.gz", 99)
    folder = old_session(home, "older", 99)
    if where != "backups":
        with_backups(folder, 99)
    (folder / where).symlink_to(elsewhere)
    os.utime(folder / where, (time.time() - 99 * DAY,) * 2, follow_symlinks=False)
    home.save()
    assert [path.name for path in elsewhere.iterdir()] == ["kept.jsonl.gz"]
    assert (folder / "memory.json").exists()


def test_a_folder_inside_the_copies_stays(home: Home) -> None:
    folder = old_session(home, "older", 99)
    (with_backups(folder, 99) / "inner").mkdir()
    os.utime(folder / "backups" / "inner", (time.time() - 99 * DAY,) * 2)
    home.save()
    assert len(list((folder / "backups").iterdir())) == 3


def test_a_folder_inside_an_old_session_stops_nothing(home: Home) -> None:
    odd, folders = old_session(home, "odd", 99), [old_session(home, f"older-{number}", 99) for number in range(5)]
    (odd / "inner").mkdir()
    os.utime(odd / "inner", (time.time() - 99 * DAY,) * 2)
    home.save()
    assert [folder.exists() for folder in folders] == [False] * 5
    assert sorted(path.name for path in odd.iterdir()) == ["inner", "memory.json", "pins.jsonl", "snapshot.json"]
