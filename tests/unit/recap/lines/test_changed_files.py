"""Files that were changed alike: rows that many share stand once, and what is peculiar to each stands with it."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.changed_files import ChangedFiles
from compact_keeper.recap.lines.shared_rows import files_alike, files_by_rows, rows_shown_elsewhere
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.items import new_item
from entries import entry

ROOT = "/srv/zones"
WRAPPER = "+ const ctx = await zoneContext(req);"


def edit(path: str, number: int, *rows: str, tool: str = "Edit", **more: Any) -> Any:
    return new_item("action", entry(number, "x"), path, "user", tool=tool, path=f"{ROOT}/{path}", key=path,
                    verdict="ended", result="", change="\n".join(rows), edits=1, **more)


def lines(*edits: Any, summary: str = "") -> list[str]:
    files = ChangedFiles(edits, summary, Paths(ROOT, ROOT))
    return [line["text"] for line in map(files.line_of, reversed(edits)) if line["text"]]


def wrapped(number: int, *rows: str) -> Any:
    return edit(f"api/z{number}.js", number, WRAPPER, *rows)


def test_what_is_peculiar_to_each_is_shown() -> None:
    edits = [wrapped(number, f"+ const zone{number} = ctx.zone({number});") for number in (1, 2, 3)]
    assert lines(*edits) == [
        "- Edited api/z3.js: const ctx = await zoneContext(req); ⏎ const zone3 = ctx.zone(3);",
        "- Edited api/z2.js: … ⏎ const zone2 = ctx.zone(2);",
        "- Edited api/z1.js: … ⏎ const zone1 = ctx.zone(1);"]


def test_files_of_which_nothing_is_peculiar_share_a_line() -> None:
    edits = [wrapped(1), wrapped(2), wrapped(3), wrapped(4, "+ const zone4 = ctx.zone(4);")]
    assert lines(*edits) == [
        "- Edited api/z4.js: const ctx = await zoneContext(req); ⏎ const zone4 = ctx.zone(4);",
        "- Edited api/z3.js: const ctx = await zoneContext(req);",
        "- Edited api/z2.js, api/z1.js: as in api/z3.js"]


def test_files_that_got_a_bar_alone_are_like_none() -> None:
    bar = "+ # " + "-" * 40
    gone = edit("z4.py", 4, "- def removed():", "-     pass")
    shown = lines(edit("z1.py", 1, bar), edit("z2.py", 2, bar), edit("z3.py", 3, bar), gone)
    assert not any("as in z4.py" in line for line in shown)


def test_a_file_is_changed_as_in_another_only_with_just_its_rows() -> None:
    by_zone, by_id = "+ let query = { zone: ctx.zone };", "+ const zone = await Zone.findOne({ _id: id });"
    edits = [wrapped(1, by_id), wrapped(2, by_zone), wrapped(3, by_zone), wrapped(4, by_zone),
             wrapped(5, by_zone, by_id), wrapped(6, by_id), wrapped(7, by_id, "+ ok")]
    assert lines(*edits) == [
        "- Edited api/z7.js: const ctx = await zoneContext(req); ⏎ const zone = await Zone.findOne({ _id: id }); ⏎ ok",
        "- Edited api/z6.js: const ctx = await zoneContext(req); ⏎ const zone = await Zone.findOne({ _id: id });",
        "- Edited api/z5.js: … ⏎ let query = { zone: ctx.zone }; ⏎ …",
        "- Edited api/z4.js: const ctx = await zoneContext(req); ⏎ let query = { zone: ctx.zone };",
        "- Edited api/z3.js, api/z2.js: as in api/z4.js", "- Edited api/z1.js: as in api/z6.js"]


def test_where_other_rows_were_altered_the_change_is_another() -> None:
    new = "+ const zones = await readZones(northern, harbour);"
    edits = [edit(f"z{at}.js", at, f"- const zones = await readZones({old}, harbour);", new)
             for at, old in enumerate(("southern", "eastern", "eastern", "western"))]
    altered = "- Edited z{}.js: const zones = await readZones(⟦{} → northern⟧, harbour);".format
    assert lines(*edits) == [altered(3, "western"), altered(2, "eastern"), "- Edited z1.js: as in z2.js",
                             altered(0, "southern")]


def test_what_failed_is_no_change_that_another_is_like() -> None:
    tried = {**wrapped(4), "verdict": "failed", "result": "String not found"}
    assert lines(wrapped(1), wrapped(2), wrapped(3), tried)[1:] == [
        "- Edited api/z3.js: const ctx = await zoneContext(req);", "- Edited api/z2.js, api/z1.js: as in api/z3.js"]


@pytest.mark.parametrize("edits", [
    [],
    [wrapped(1), wrapped(2, "+ const zone2 = 2;")],  # two files share nothing that many have
    [edit(f"z{number}.js", number, "+ a = 1") for number in (1, 2, 3)],  # too short to be told elsewhere
    [edit(f"z{number}.js", number, "- const zones = [];") for number in (1, 2, 3)],  # only new rows are shared
    [edit("z.js", number, WRAPPER, f"+ zone{number} = {number}") for number in (1, 2, 3)],  # one file
])
def test_nothing_is_shared(edits: list[Any]) -> None:
    by_file: dict[str, list[Any]] = {}
    for item in edits[::-1]:
        by_file.setdefault(item["path"], []).append(item)
    elsewhere = rows_shown_elsewhere(by_file)
    assert not any(elsewhere.values())
    assert files_alike(by_file, elsewhere, files_by_rows(by_file)) == {}


def test_the_newest_change_that_is_shown_elsewhere_says_where() -> None:
    first = edit("api/z1.js", 1, "2 lines", "+ export const zones = [];", tool="Write")
    edits = [first, wrapped(2), edit("api/z1.js", 3, WRAPPER), wrapped(4, "+ const zone4 = ctx.zone(4);")]
    own = next(line for line in lines(*edits) if line.startswith("- Edited api/z1.js"))
    assert own.endswith(" (1 edit and once written whole): as in api/z2.js; "
                        "before that: 2 lines ⏎ export const zones = [];")


def test_the_newest_change_is_shown_where_no_other_file_got_just_that() -> None:
    first = edit("api/z1.js", 1, "2 lines", "+ export const zones = [];", tool="Write")
    edits = [first, edit("api/z1.js", 2, WRAPPER), *(wrapped(at, f"+ let zone{at} = ctx.zone({at});") for at in (3, 4))]
    assert lines(*edits)[-1] == ("- Edited api/z1.js (1 edit and once written whole): const ctx = await "
                                 "zoneContext(req);; before that: 2 lines ⏎ export const zones = [];")


def test_a_few_characters_that_stand_elsewhere_are_no_pointer() -> None:
    row = "- font-size: 12px;\n+ font-size: 13px;"
    edits = [edit("z1.css", 1, "+ padding: 9px 12px 9px 12px;"),
             *(edit(f"z{number}.css", number, row) for number in (2, 3)), edit("z1.css", 4, row)]
    edits.append(edit("z4.css", 5, row, "+ color: #101010;"))
    [own] = [line for line in lines(*edits) if line.startswith("- Edited z1.css")]
    assert "as in" not in own
    assert "font-size: ⟦12px → 13px⟧" in own


def test_a_change_that_takes_no_more_room_than_to_say_where_it_stands_is_shown() -> None:
    row, path = "- Icon=rates\n+ Icon=org.example.parcel-rates.zones", "install/desktop/recipes/of-all-zones.just"
    edits = [edit("zones.desktop", 1, "+ Name=Parcel rates of all zones"),
             *(edit(name, number, row) for number, name in enumerate(("zones.desktop", "build.sh", path), 2))]
    [own] = [line for line in lines(*edits) if line.startswith("- Edited zones.desktop")]
    assert "(2 edits): Icon=org.example.parcel-rates.zones; before that: " in own


@pytest.mark.parametrize(("change", "failed"), [(("- const old = zones();",), False), ((WRAPPER,), True)])
def test_what_took_rows_away_or_failed_keeps_its_line(change: tuple[str, ...], failed: bool) -> None:
    odd = edit("api/z1.js", 2, *change)
    if failed:
        odd.update(verdict="failed", result="String not found")
    edits = [wrapped(1) if not failed else wrapped(5), odd, wrapped(3), wrapped(4)]
    own = [line for line in lines(*edits) if line.startswith(("- Edited api/z1.js", "- api/z1.js"))]
    assert len(own) == 1
    assert ("was not edited: String not found" in own[0]) == failed
    assert ("gone: const old = zones();" in own[0]) != failed


@pytest.mark.parametrize(("summary", "shown"), [
    ("In zones.py:\n```\nzones = sorted(read_zones())\n```", []),
    ("```\nzones = sorted(read_zones())\n```", ["- Edited zones.py: as in the summary"]),
    ("In zones.py something changed.", ["- Edited zones.py: zones = sorted(read_zones())"])])
def test_a_change_that_the_summary_has_beside_the_file(summary: str, shown: list[str]) -> None:
    assert lines(edit("zones.py", 1, "+ zones = sorted(read_zones())"), summary=summary) == shown


ROWS = tuple(f"+ zones of part {number}" for number in range(12))


@pytest.mark.parametrize(("path", "is_whole"), [
    ("deploy/.gitignore", True), ("Makefile", True), ("zones.toml", True), ("zones.py", False), ("notes.md", False)])
def test_a_short_file_of_settings_is_shown_whole(path: str, is_whole: bool) -> None:
    [line] = lines(edit(path, 1, "12 lines", *ROWS, tool="Write"))
    assert line.endswith(f": 12 lines ⏎ {' ⏎ '.join(row[2:] for row in ROWS)}") is is_whole
    assert "…" in lines(edit(path, 1, "24 lines", *ROWS, *(f"{row} too" for row in ROWS), tool="Write"))[0]


@pytest.mark.parametrize("path", ["zones.py", ".env"])
def test_where_room_is_left_at_last_more_of_a_file_is_shown_but_of_secrets(path: str) -> None:
    older, newest = edit(path, 1, *ROWS[:6]), edit(path, 2, *ROWS[6:], *(f"{row} of the north" for row in ROWS))
    line = ChangedFiles([older, newest], "", Paths(ROOT, ROOT)).line_of(newest)
    assert "…" in line["text"]
    assert [row[2:] in form for row in ROWS for form in line["fuller"]] == ([] if path == ".env" else [True] * 24)


@pytest.mark.parametrize(("rows", "shown"), [
    (("- start_applet_of(harbour)", "+ run(zones)"), "⟦start_applet_of(harbour) → run(zones)⟧"),
    (("- run(old_zones)", "+ run(zones)"), "run(⟦old_zones → zones⟧)"),
    (("- known()", "+ run(zones)"), "as in the summary"),
    (("- run_applet(zones)", "- check()", "+ run(zones)"), "as in the summary"),  # which row replaced which?
    (("+ run(zones)",), "as in the summary")])
def test_what_a_change_replaced_that_the_summary_has(rows: tuple[str, ...], shown: str) -> None:
    assert lines(edit("zones.py", 1, *rows), summary="run(zones)\nknown()") == [f"- Edited zones.py: {shown}"]


def test_the_same_change_names_a_file_that_can_be_told_from_others() -> None:
    rows = ("+ zones = sorted(read_zones(), key=lambda zone: zone.size)", "+ return [zone.name for zone in zones]")
    edits = [edit("a/index.js", 1, *rows), edit("b/index.js", 2, *rows)]
    assert lines(*edits)[1] == "- Edited a/index.js: the same change as in b/index.js"


def ran(number: int, command: str, verdict: str = "ended") -> Any:
    return new_item("action", entry(number, "x"), command, "user", tool="Bash", path="", key=command, verdict=verdict,
                    result="")


WROTE_OLD = "- Edited old/zone7.py: sort the zones anew"


@pytest.mark.parametrize(("items", "shown"), [
    ([ran(3, "rm -rf old")], []),
    ([ran(3, "rm -rf old", verdict="failed")], [WROTE_OLD]),
    ([ran(1, "rm -rf old")], [WROTE_OLD]),  # before it was changed
    ([ran(3, "rm old/zone8.py")], [WROTE_OLD]),
    ([ran(3, "mv old/zone7.py zones/")], ["- Edited old/zone7.py (moved since): sort the zones anew"]),
    ([ran(3, "mv old/zone7.py new/old/"), edit("new/old/zone7.py", 4, "+ paint the zones blue")],
     ["- Edited new/old/zone7.py: paint the zones blue"])])
def test_what_was_taken_away_since(items: list[Any], shown: list[str]) -> None:
    edits = [edit("old/zone7.py", 2, "+ sort the zones anew"), *items]
    assert [line for line in lines(*sorted(edits, key=lambda item: item["position"])) if line] == shown
