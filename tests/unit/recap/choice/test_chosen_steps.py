"""Which steps and words come back: the newest, then those that say most, each within the room, nothing twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from compact_keeper.recap.choice.pieces import pieces_of_step, pieces_of_words, without_old_reports
from compact_keeper.recap.choice.ranking import WEIGHTS, ranked, says_new, words_of
from compact_keeper.recap.choice.steps import all_pieces, chosen_steps
from compact_keeper.record.items import new_item
from entries import entry
from sessions import units

KINDS = {"command": {"tool": "Bash"}, "edited": {"tool": "Edit"}, "written": {"tool": "Write"},
         "order": {"tool": "Task"}, "call": {"tool": "WebFetch"}}
NOTHING = frozenset[str]()


def item(number: int, text: str, **more: Any) -> Any:
    return {**new_item(more.pop("kind", "action"), entry(number, "x"), text, "assistant", tool="Bash", path="",
                       verdict="ended", result=""), **more}


def step(number: int, text: str, whole: str = "", **more: Any) -> Any:
    forms = {"whole": whole} if whole else {}
    return {"items": [item(number, text, **more)], "text": f"- `{text}`", **forms}


def said(number: int, words: str, **more: Any) -> Any:
    return {"items": [item(number, words, kind="said")], "label": "- Said: ", "text": words, **more}


def texts(work: Any, words: Any, known: Any, room: int) -> list[str]:
    return [line["text"] for line in chosen_steps(all_pieces(work, words), known, room)]


def test_a_fuller_form_has_the_rows_that_were_chosen_beside_it() -> None:
    work: Any = {**step(2, "cat a", "- `cat a b c` → 3", rows=["zone7 is closed at noon", "zone 8"]),
                 "fuller": ["- `cat a b c` → 3, zone 8"]}
    [line] = chosen_steps(all_pieces([work], []), NOTHING, 300)
    rows = "; also printed: zone7 is closed at noon"
    assert line["fuller"] == [f"- `cat a b c` → 3{rows} ⏎ zone 8", f"- `cat a b c` → 3, zone 8{rows}"]


# --- hostile ---


@pytest.mark.parametrize("room", [-5, 0, 1, 30])
def test_without_room_nothing(room: int) -> None:
    work = [step(9, "make all the zones of the harbour and of the island")]
    assert texts(work, [said(3, "The cache of zones is keyed by number, not by name.")], NOTHING, room) == []


def test_no_steps_and_no_words() -> None:
    assert texts([], [], NOTHING, 9_000) == []


@pytest.mark.parametrize("room", [60, 200, 1_000, 5_000])
@pytest.mark.parametrize("word", ["word ", "日本語", "🚚 "])
def test_never_over_the_room(room: int, word: str) -> None:
    work = [step(number, f"make zone{number} {word * 20}", whole=f"- `make zone{number} {word * 60}`",
                 rows=[f"row {row} of zone{number} {word * 8}" for row in range(6)]) for number in range(60, 0, -1)]
    words = [said(number, f"Zone {number} has {number * 7} parcels. {word * 30}") for number in range(60, 0, -1)]
    for line in [*work, *words]:
        line["turn"] = f"After {word * 9} {line['items'][0]['position'] // 5}:"
    chosen = chosen_steps(all_pieces(work, words), NOTHING, room)
    assert sum(units(line["text"]) + 1 for line in chosen) <= room


# --- what comes back ---


def test_steps_that_say_nothing_new_stand_last_while_there_is_room() -> None:
    work = [step(number, "make") for number in range(9, 0, -1)]
    assert len(texts(work, [], words_of("make"), 9 * 9)) == 9
    telling = step(4, "deploy --zone harbour-7 --port 8123")
    assert telling["text"] in texts([*work, telling], [], words_of("make"), 60)


@pytest.mark.parametrize(("last", "is_shown"), [
    ({}, True), ({"by_agent": "a1"}, False), ({"kind": "look", "tool": "Read"}, False)])
def test_what_the_session_s_own_agent_did_last_stands_whatever_it_says(last: dict[str, str], is_shown: bool) -> None:
    work = [step(9, "make part-9", **last), step(8, "make 12 zebra quagga okapi carriers imported now")]
    lines = texts(work, [], {"make", "part-9"}, 60)
    assert (lines == ["- `make part-9`"]) is is_shown


def test_older_steps_stand_by_what_they_say_that_is_new() -> None:
    dull = [step(number, "make all") for number in range(90, 20, -1)]
    telling = step(5, "deploy --zone harbour-7 --port 8123")
    shown = texts([*dull, telling, step(3, "make all")], [], words_of("make all"), 400)
    assert telling["text"] in shown


def test_a_sentence_counts_with_what_its_line_has_besides() -> None:
    telling = said(5, "The cache of zones is keyed by its number, since the names of two islands repeat.")
    exclaimed = said(7, "我发现了问题。")
    room = units(telling["label"] + telling["text"]) + 10
    assert texts([], [exclaimed, telling], NOTHING, room) == [f"{telling['label']}{telling['text']}"]


def test_lines_stand_in_their_order_the_newest_first() -> None:
    work = [step(9, "make zone9"), step(5, "make zone5")]
    words = [said(7, "The cache is keyed by number, since names repeat.")]
    assert [line["items"][0]["position"] for line in chosen_steps(all_pieces(work, words), NOTHING, 9_000)] == [9, 7, 5]


def test_what_is_known_is_not_said_again() -> None:
    words = [said(4, "The cache is keyed by number.")]
    assert texts([], words, words_of("keyed by number is the cache"), 9_000) == []


def test_a_step_stands_in_its_longer_form_and_with_rows_that_it_printed() -> None:
    line = step(5, "make", whole="- `make zones --of harbour`", rows=["zone 7 costs 12 cents", "zone 8 costs 13 cents"])
    assert texts([line], [], NOTHING, 9_000) == [
        "- `make zones --of harbour`; also printed: zone 7 costs 12 cents ⏎ zone 8 costs 13 cents"]


@pytest.mark.parametrize(("kind", "tool"), [("look", "Grep"), ("action", "Edit"), ("action", "Bash")])
def test_behind_a_line_few_rows_stand(kind: str, tool: str) -> None:
    rows = [f"zone {number} costs {number}7 cents" for number in range(6)]
    line = {**step(5, "zones", kind=kind, tool=tool), "rows": rows}
    [text] = texts([line], [], NOTHING, 9_000)
    assert sum(row in text for row in rows) == 3


@pytest.mark.parametrize(("rows", "shown"), [
    ([], []), (["zones.py:7: rate = 7"], ["- Grep `rate` → 38 hits: zones.py:7: rate = 7 ⏎ …"])])
def test_how_often_a_search_met_something_stands_before_what_it_met_alone(rows: list[str], shown: list[str]) -> None:
    line = {**step(5, "rate", kind="look", tool="Grep", result="38 hits"), "text": "- Grep `rate` → 38 hits",
            "rows": rows, "before_rows": ": ", "hits": 38}
    assert texts([line], [], NOTHING, 9_000) == shown


def test_behind_an_edit_its_rows_stand_as_what_was_changed() -> None:
    line = {**step(5, "zones", tool="Edit", edits=1), "text": "- Edited zones.py: import rates", "rows": ["rate = 7"],
            "before_rows": "; also: "}
    assert texts([line], [], NOTHING, 9_000) == ["- Edited zones.py: import rates; also: rate = 7"]


@pytest.mark.parametrize(("rows", "shown"), [
    (["b = 2", "c = 3"], "b = 2 ⏎ c = 3"), (["a = 1", "c = 3"], "a = 1 ⏎ … ⏎ c = 3"),
    (["c = 3", "x = 9"], "c = 3 ⏎ … ⏎ x = 9"),  # "…" lies between
    (["c = 3", "b = 2"], "c = 3; also: b = 2"), (["a = 1", "y = 8"], "a = 1; also: y = 8"),
    (["z = 0", "b = 2"], "z = 0; also: b = 2")])
def test_rows_of_a_file_stand_as_neighbours_only_where_they_are(rows: list[str], shown: str) -> None:
    line = {**step(5, "zones", tool="Edit", edits=1), "text": "- Edited zones.py: import rates", "rows": rows,
            "before_rows": "; also: ", "changes": ["a = 1 ⏎ b = 2 ⏎ c = 3 ⏎ … ⏎ x = 9", "y = 8 ⏎ b = 2"]}
    assert texts([line], [], NOTHING, 9_000) == [f"- Edited zones.py: import rates; also: {shown}"]


def test_rows_of_the_newest_turn_stand_before_what_was_changed_in_earlier_ones() -> None:
    line = {**step(5, "zones", tool="Edit", edits=1),
            "text": "- Edited zones.py: a #k3fq; before this message came: b #m2rp", "rows": ["rate = 7"],
            "before_rows": "; also: "}
    assert texts([line], [], NOTHING, 9_000) == [
        "- Edited zones.py: a #k3fq; also: rate = 7; before this message came: b #m2rp"]


@pytest.mark.parametrize(("words", "expected"), [
    ("The rates are kept in cents. Which zone comes first, 7 or 8?",
     "- Said: The rates are kept in cents. Which zone comes first, 7 or 8?"),
    ("Done so far. Which zone comes first, 7 or 8?", "- Said: Done so far. Which zone comes first, 7 or 8?"),
    ("Which zone comes first, 7 or 8? The rates are kept in cents.", "- Said: … The rates are kept in cents."),
])
def test_a_question_that_ended_a_turn_stands_before_what_was_typed_next(words: str, expected: str) -> None:
    line = {**said(4, words), "tail": ' (the user typed next: "put it into n.txt")'}
    assert texts([], [line], NOTHING, 9_000) == [f'{expected} (the user typed next: "put it into n.txt")']


def test_a_row_that_its_line_has_is_not_printed_again() -> None:
    line = step(5, "make", whole="- `make` → zone 8 costs 13 cents", rows=["zone 8 costs 13 cents"])
    assert texts([line], [], NOTHING, 9_000) == ["- `make` → zone 8 costs 13 cents"]


def test_rows_that_look_alike_once_they_are_joined_stand_once() -> None:
    shown = "- `find src` → src/app/{admin,board,zones}"
    rows = ["src/app/admin", "src/app/board", "src/app/zones"]
    assert texts([step(5, "make", whole=shown, rows=rows)], [], NOTHING, 9_000) == [shown]


@pytest.mark.parametrize(("shown", "expected"), [
    ("→ The rates of the harbour are kept … ⏎ … #k3fq", "→ {row} ⏎ … #k3fq"),
    ("→ a ⏎ The rates of the harbour are kept in ce… #k3fq; before that: b", "→ a ⏎ {row} #k3fq; before that: b"),
    ("→ The rates of the harb…our", "→ The rates of the harb…our; also printed: {row}"),  # not its beginning
    ("→ The rates of the harbour of the island…", "→ The rates of the harbour of the island…; also printed: {row}"),
    ("→ 1: The rates of the harbour are kept…", "→ 1: The rates of the harbour are kept…; also printed: {row}"),
    ("→ The rates…", "→ The rates…; also printed: {row}"),
])
def test_a_row_of_which_the_line_shows_the_beginning_stands_whole_in_its_place(shown: str, expected: str) -> None:
    row = "The rates of the harbour are kept in cents, those of the island in pounds."
    line = {**step(5, "make", rows=[row]), "text": f"- `make` {shown}"}
    assert texts([line], [], NOTHING, 9_000) == [f"- `make` {expected.format(row=row)}"]


def test_a_tag_stays_at_the_end_of_its_line() -> None:
    line = {**step(5, "make", rows=["zone 7 costs 12 cents"]), "text": "- `make …` #k3fq"}
    assert texts([line], [], NOTHING, 9_000) == ["- `make …`; also printed: zone 7 costs 12 cents #k3fq"]


# --- the pieces, and their order ---


def test_of_words_in_part_all_are_there_for_where_room_is_left() -> None:
    words = "The zones of the harbour are open.\nLet me look at the fees now.\nThe fees of the island are closed."
    whole = f"- Said: {words.replace(chr(10), ' ⏎ ')}"
    for report, forms in ((said(3, words, may_stand_whole=True), [whole]), (said(3, words), [])):
        [line] = chosen_steps(all_pieces([], [report]), NOTHING, 900)
        assert line["text"] == "- Said: The zones of the harbour are open. … The fees of the island are closed."
        assert line["fuller"] == forms
    for kept in (words.splitlines()[0], words.replace("\nLet", "\n…\nLet")):
        [line] = chosen_steps(all_pieces([], [said(3, kept, may_stand_whole=True)]), NOTHING, 900)
        assert line["fuller"] == []


def test_each_kind_of_step_has_its_weight() -> None:
    for name, fields in KINDS.items():
        assert next(pieces_of_step(step(1, "make", **fields)))["kind"] == name
    assert set(KINDS) < set(WEIGHTS)


def test_a_fault_stands_with_that_it_is_mended_now() -> None:
    [piece] = pieces_of_words(said(1, "The comment names the deleted fixture. Let me fix that too."))
    assert piece["sentences"] == {0, 1}


def test_of_the_agent_s_words_statements_alone() -> None:
    words = "Is the loader's order right? Let me look at the loader. Perfect! The loader sorts by size."
    assert [piece["text"] for piece in pieces_of_words(said(1, words))] == ["The loader sorts by size."]


@pytest.mark.parametrize(("words", "shown"), [
    ("The loader sorts.\n…\nThis is the order of zones. The cache is keyed by zone.", ["The cache is keyed by zone."]),
    ("The loader sorts.\n…\n```\nsort()\n```\nThis is the order that holds because:\n- zones come first in it", []),
    ("The loader sorts.\n…\nNumbers come first.\nThis is the order of zones.",
     ["Numbers come first. This is the order of zones."]),
    ("The loader sorts.\n…\n# Cache …\nThis is the order that holds because zones come first in it.", []),
    ("The loader sorts.\n```\nsort()\n…\n# Cache …\nThe cache is keyed by zone.", ["The cache is keyed by zone."]),
])
def test_what_points_to_words_that_are_not_kept_is_left_out(words: str, shown: list[str]) -> None:
    pieces = [piece["text"] for piece in pieces_of_words(said(1, words))]
    assert [text for text in pieces if text != "The loader sorts."] == shown


REPORT = " ".join(f"zone{number} is sorted by rates{number}.csv now." for number in range(20))


@pytest.mark.parametrize(("later", "is_kept"), [
    (f"{REPORT} And zone20 is new.", False), (REPORT[:len(REPORT) // 2 + 20], False), (REPORT[:len(REPORT) // 3], True),
    (REPORT.replace("zone", "parcel").replace("rates", "days"), True), (REPORT[:200], True), ("", True),
])
def test_of_reports_on_one_state_the_newest_is_kept(later: str, is_kept: bool) -> None:
    lines = [said(9, later), said(5, "All of it."), said(1, REPORT)]
    assert without_old_reports(lines) == (lines if is_kept else lines[:2])


def test_reports_in_a_script_without_spaces_are_compared_by_pairs_of_letters() -> None:
    old = "所有文档已经生成，插图放在桌面，目录页码与版式一致，作者已加上，封面颜色为蓝色，打印前请检查。" * 8
    newer, other = old.replace("蓝色", "橙色"), "数据库迁移失败，需要先备份旧表，再执行脚本，并核对每一行记录。" * 10
    for later, is_kept in ((newer, False), (other, True)):
        lines = [said(9, later), said(1, old)]
        assert without_old_reports(lines) == lines[:1 + is_kept]


def test_short_words_and_those_of_few_words_are_no_reports() -> None:
    for words in (REPORT[:290], "zone rates csv " * 40):
        lines = [said(9, words), said(1, words)]
        assert without_old_reports(lines) == lines


def test_more_news_for_its_length_comes_first() -> None:
    few, many = (next(pieces_of_words(said(1, words))) for words in (
        "The tests of it are run now, all of them, as they were before.",
        "Port 8123 and zone harbour-7 need --force."))
    known = words_of("tests done now all them before they")
    assert ranked([few, many], known)[0] is many
    assert ranked([few], words_of(few["text"])) == []  # nothing new


@pytest.mark.parametrize(("said_since", "share", "is_new"), [
    ("", 0.5, True), ("zone harbour-7 8123", 0.5, False), ("zone harbour-7 8123", 0.01, True),
    ("port 8123 and zone harbour-7 need", 0.01, False), ("port 8123 and zone harbour-7 need", 0, True)])
def test_what_is_still_new_when_its_turn_comes(said_since: str, share: float, is_new: bool) -> None:
    piece = next(pieces_of_words(said(1, "Port 8123 and zone harbour-7 need.")))
    ranked([piece], NOTHING)
    assert says_new(piece, words_of(said_since), share) is is_new


def test_words_are_whole_paths_and_options() -> None:
    assert words_of("Run `src/zones.py:12 --all`, then see http://h:80/a. A b.") == {
        "run", "src/zones.py:12", "all", "see", "http://h:80/a"}


def test_a_piece_s_index_counts_from_its_own_step() -> None:
    pieces = [*pieces_of_step(step(1, "make", rows=["zone 7 costs 12 cents", "zone 8 costs 13 cents"]))]
    assert Counter(piece["kind"] for piece in pieces) == {"command": 1, "printed": 2}
    assert [(piece["index"], piece["count"]) for piece in pieces] == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(("row", "is_new"), [
    ("tides.py:7: mean([1.0, 2.0])", False),  # the path stands with the hit before
    ("tides.py:4:def mean(heights):", False), ("table.py:7: mean([1.0, 2.0])", True), ("tides.py:9: mean([3])", True),
    ("app/rates.py:12: mean(rates)", False), ("app/rates.py:12: mean(rate)", True),  # of a search in one file
    ("app/rates.py:2: mean(rates)", True),
    ("rates/zone_2.csv", False), ("rates/zone_4.csv", True), ("zone_2.csv", True), ("rates/zone_.csv", True)])
def test_a_row_that_the_line_shows_is_not_printed_again(row: str, is_new: bool) -> None:
    line = step(1, "grep -n 'mean(' → tides.py:4: def mean(heights): ⏎ :7: mean([1.0,  2.0]) ⏎ "
                   "rates/zone_{1,2,3}.csv; before: x ⏎ 12: mean(rates)", rows=[row])
    assert ("printed" in {piece["kind"] for piece in pieces_of_step(line)}) is is_new


@pytest.mark.parametrize(("words", "is_shown"), [
    ("The table `zone_rates` is read by nobody.", False), ("Only `rates.py` reads the table of zones.", False),
    ("The table `zone_rates` is read by `parcel_quote` alone.", True),  # that was not edited
    ("The table of zones is read by nobody.", True),
    ("The name `zone_days` is read by nobody.", True),  # a page that names it changes nothing of it
    ("What `docs/zones.md` says of `zone_days` is wrong.", False),
])
def test_what_was_said_of_code_before_it_was_edited_is_left_out(words: str, is_shown: bool) -> None:
    work: list[Any] = []
    for path, change in (("rates.py", "zone_rates = load()"), ("docs/zones.md", "- `zone_days`: by day")):
        edit = {"kind": "action", "tool": "Edit", "text": path, "path": path, "position": 9, "uses": 1,
                "verdict": "ended", "result": "", "change": f"+ {change}"}
        work.append({"items": [edit], "text": f"- Edited {path}: {change}"})
    for place, expected in ((1, is_shown), (12, True)):
        shown = "\n".join(texts(work, [said(place, words)], NOTHING, 2_000))
        assert (words in shown) is expected, place


@pytest.mark.parametrize(("words", "shown"), [
    ("The change of `src/rates.py` rounds each zone half up.", ""),
    ("- `rates.py`: it rounds each zone half up.\n- `parcels.py`: it reads the zones twice.",
     "- Said: … - `parcels.py`: it reads the zones twice."),
    ("The change of `rates.py` and `parcels.py` rounds half up.", "whole"),
    ("The table of zones is read by nobody.", "whole"), ("The name `zone_rates` is read by nobody.", "whole"),
    ("The change of `rates.py` rounds half up. It won't cause wrong totals in a table, but it is not clean.", ""),
    ("The table of zones is read by nobody. It won't cause wrong totals in a table, but it is not clean.", "whole"),
    ("| Zone | By |\n|---|---|\n| 7 | `rates.py` sorts by day |\n| 8 | night |", ""),
])
def test_what_was_said_of_a_file_whose_edits_were_taken_back_is_left_out(words: str, shown: str) -> None:
    line = {**said(1, words), "gone": {"src/rates.py"}}
    assert "".join(texts([], [line], NOTHING, 2_000)) == (f"- Said: {words}" if shown == "whole" else shown)
    assert texts([], [said(1, words)], NOTHING, 2_000)
