"""What events.jsonl comes to: hostile lines first, then rotation, outcomes, figures, bytes on disk."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_keeper.figures.compactions import Compaction, compactions_of
from compact_keeper.figures.counting import Tallies, read_events
from compact_keeper.figures.disk_use import disk_use
from compact_keeper.figures.kind_words import differences_in_words
from compact_keeper.figures.totals import figures_of, percentile
from compact_keeper.store import disk
from compact_keeper.store import events as store_events
from compact_keeper.types import CompactionFacts
from sessions import SESSION_ID, START
from stats_home import compaction, event, stop, write_lines

GOOD = stop(10, 24, cleared=2, recorded={"1.4": 12, "2.0": 3})
LINE = json.dumps(GOOD).encode()


def read(folder: Path, *lines: bytes | dict[str, Any]) -> Tallies:
    """The tallies of a file of these lines."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    (folder / "events.jsonl").write_bytes(b"".join(line + b"\n" for line in raw))
    return events_of(folder)


def events_of(home: Path) -> Tallies:
    """The tallies of this data folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(home))
        return read_events()


# --- hostile lines ---

ODD: list[Any] = [None, True, [], {}, "", "7", -1, 1e300, -1e300]
HOSTILE: dict[str, bytes] = {
    "empty": b"", "blank": b"  ", "no-json": b"// a comment", "scalar": b"7", "list": b"[1]", "null": b"null",
    "torn": LINE[:90], "torn-in-its-figures": LINE[:-2], "glued": LINE[:60] + LINE,
    "not-utf-8": b'{"schema": 1, "a": "\xff',
    "nul": b"\0" * 50, "deep": b'{"a":' * 100_000, "schema-2": LINE.replace(b'"schema": 1', b'"schema": 2'),
    "schema-true": LINE.replace(b'"schema": 1', b'"schema": "1"'),
    "session-climbing": LINE.replace(SESSION_ID.encode(), b"../../etc"),
    "session-dots": json.dumps({**GOOD, "session": ".."}).encode().replace(b'"on": "Stop"', b'"on": "X"'),
    "time-nan": b'{"schema": 1, "time": NaN, "event": "save", "session": "s", "on": "Stop", "ms": 3}',
    "time-infinite": b'{"schema": 1, "time": 1e999, "event": "save", "session": "s", "on": "Stop", "ms": 3}',
    "time-huge": b'{"schema": 1, "time": ' + b"9" * 6_000 + b', "event": "save", "session": "s", "on": "Stop"}',
    "escaped-look-alike": json.dumps({"schema": 1, "time": START, "session": 7, "text": LINE.decode()}).encode(),
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_changes_nothing_of_what_others_tell(tmp_path: Path, line: bytes) -> None:
    tallies = read(tmp_path, GOOD, line, *compaction(100))
    assert set(tallies) == {SESSION_ID}
    assert tallies[SESSION_ID].saves_at_stop == {24: 1}
    assert figures_of(tallies)["outcomes"]["verified"] == 1


@pytest.mark.parametrize("name", sorted({name for line in [GOOD, *compaction(0)] for name in line}))
def test_a_field_may_be_of_any_type(tmp_path: Path, name: str) -> None:
    for value in ODD:
        odd = [{**line, name: value} for line in [GOOD, *compaction(100), *compaction(900, "repaired")]]
        figures = figures_of(read(tmp_path, *odd, *compaction(2_000)), now=START + 9_000)
        assert json.loads(json.dumps(figures, allow_nan=False)) == figures, value
        assert figures["compactions"] >= 1, value


def test_a_file_that_is_none_tells_nothing(tmp_path: Path) -> None:
    assert events_of(tmp_path) == {}
    (tmp_path / "events.jsonl").touch()
    assert events_of(tmp_path) == {}
    (tmp_path / "events.jsonl").unlink()
    os.mkfifo(tmp_path / "events.jsonl")
    assert events_of(tmp_path) == {}


def test_times_before_and_after_all_others_are_told_as_they_are(tmp_path: Path) -> None:
    tallies = read(tmp_path, stop(-START, 5), stop(1e12, 6), GOOD)
    assert tallies[SESSION_ID].saves_at_stop == {5: 1, 6: 1, 24: 1}
    assert (tallies[SESSION_ID].first, tallies[SESSION_ID].last) == (0, START + 1e12)


# --- figures ---


def test_what_is_not_known_is_not_told_as_zero(tmp_path: Path) -> None:
    figures = figures_of(read(tmp_path, stop(1)))
    assert (figures["put_back"], figures["audit"], figures["notes"], figures["cleared"]) == ({}, {}, {}, None)
    assert list(figures["ms"]) == ["save at Stop"]
    older = [{key: value for key, value in line.items() if key != "shown"} for line in compaction(5)]
    assert figures_of(read(tmp_path, *older))["put_back"]["items"] is None


def test_figures_of_one_compaction(tmp_path: Path) -> None:
    note = event("note", 140, on="UserPromptSubmit", units=410)
    events = compaction(100)
    events[2]["kinds"]["question"] = 1
    figures = figures_of(read(tmp_path, GOOD, *events, note))
    assert (figures["compactions"], figures["cleared"], figures["notes"]) == (1, 2, {"count": 1, "units": 410})
    back = figures["put_back"]
    assert (back["items"], back["units_each"], back["tokens_each"]) == (61, 8_200, 2_050)
    assert back["kinds"]["action"] == 30
    assert figures["audit"] == {
        "summaries": 1, "contradicted": 2, "left_out": 1, "left_out_put_back": 1,
        "kinds": {"check": 2, "rule": 1, "question": 1}}
    assert figures["ms"]["record"] == {"count": 15, "p50": 1.4, "p95": 2.0, "max": 2.0}
    assert figures["ms"]["save at PreCompact"]["max"] == 31


@pytest.mark.parametrize("outcome", ["verified", "repaired", "cannot tell", "unchecked", "missed", "unfinished"])
def test_each_outcome_is_told_apart(tmp_path: Path, outcome: str) -> None:
    figures = figures_of(read(tmp_path, *compaction(100, outcome)), now=START + 5_000)
    assert {name: count for name, count in figures["outcomes"].items() if count} == {outcome: 1}
    assert figures["compactions"] == (outcome != "unfinished")


def followed(*events: dict[str, Any], now: float = START + 9_000.0) -> list[str]:
    """The outcomes of the compactions that these events tell of."""
    return [compaction.outcome(now) for compaction in compactions_of(events)]


def test_a_save_a_short_while_ago_may_still_be_followed() -> None:
    save = compaction(100)[0]
    assert followed(save, now=START + 200) == ["under way"]
    assert followed(save, now=START + 1_100) == ["unfinished"]


def test_saves_with_nothing_between_them_are_one_compaction() -> None:
    saves = [compaction(second)[0] for second in (0, 3, 40)]
    assert followed(*saves, *compaction(60)) == ["verified"]
    assert followed(*saves, *compaction(100_000)) == ["verified"]  # prepared, and used a day later


def test_one_by_hand_that_did_not_finish_is_another_than_the_next() -> None:
    by_hand, automatic = ({**compaction(0, id="a1")[0], "trigger": trigger} for trigger in ("manual", "auto"))
    assert followed(by_hand, *compaction(60, "unfinished", id="b2"), now=START + 70) == ["unfinished", "under way"]
    assert followed(by_hand, *compaction(60, id="b2")) == ["unfinished", "verified"]
    assert followed(by_hand, *compaction(1, id="b2")) == ["verified"]  # another installation's save of the same
    assert followed(automatic, *compaction(60, id="b2")) == ["verified"]


def test_what_was_kept_back_is_missed() -> None:
    save, *_ = compaction(0)
    assert followed(save, {**save, "event": "kept back", "time": START + 7_000, "why": "x"}) == ["missed"]


def test_what_was_put_back_before_the_next_compaction_and_not_looked_for_is_overtaken() -> None:
    """Two automatic ones a second apart: no message came between them, and none will show what became of the first."""
    row = [*compaction(0, "unchecked", id="a1"), *compaction(32, id="b2"), *compaction(64, "unfinished", id="c3")]
    assert followed(*row) == ["overtaken", "verified", "unfinished"]
    assert followed(*compaction(0, "unchecked", id="a1"), *compaction(32, "unfinished", id="b2"))[0] == "unchecked"


def test_nothing_kept_is_nothing_missed() -> None:
    save, audit = compaction(0, "missed")
    assert followed({**save, "items": 0}, audit) == [""]


def test_a_subagents_compaction_is_none_of_the_sessions() -> None:
    save, restore, *_ = compaction(0)
    assert followed(save, {**restore, "agent": "a1"}) == []
    assert followed(save, {**restore, "agent": "a1"}, *compaction(900)) == ["verified"]
    assert followed(*compaction(0), {**restore, "agent": "a1"}) == ["verified"]


def test_the_order_on_disk_does_not_matter() -> None:
    events = [*compaction(0, "repaired"), *compaction(1_000)]
    assert followed(*reversed(events)) == followed(*events) == ["repaired", "verified"]


def test_a_receipt_whose_compaction_is_not_known_makes_none_of_the_next_ones() -> None:
    assert followed(compaction(0)[-1], *compaction(50))[-1] == "verified"


def test_lines_of_one_compaction_are_joined_by_its_id() -> None:
    """The client may have begun the next when the audit and the receipt of this one come."""
    first, second = (compaction(moment, id=name) for moment, name in ((0, "a1"), (2_000, "b2")))
    late = [{**line, "time": START + 5_000} for line in first[2:]]
    groups = compactions_of([*first[:2], *second, *late])
    assert [sorted(group.events) for group in groups] == [["audit", "receipt", "restore", "save"]] * 2
    assert [group.ids for group in groups] == [{"a1"}, {"b2"}]


def facts(*events: dict[str, Any]) -> list[CompactionFacts]:
    return [compaction.facts(START + 9_000.0) for compaction in compactions_of(events)]


def test_what_is_told_of_a_compaction() -> None:
    events = compaction(0)
    events[0].update({"trigger": "manual", "typed": "keep it short"})
    boundary = event("boundary", 29, trigger="manual", tokens_before=150_000, tokens_after=9_000)
    note = event("note", 200, on="PostToolUse", units=410)
    assert facts(*events, note, boundary, event("boundary", -90_000, tokens_before=7)) == [{
        "time": START + 30, "outcome": "verified", "trigger": "manual", "typed": "keep it short",
        "tokens_before": 150_000, "tokens_after": 9_000, "units": 8_200, "kinds": events[1]["shown"],
        "contradicted": 2, "left_out": 1, "put_back": 1, "model_knows": True}]
    assert [row["model_knows"] for row in facts(*events, *compaction(1_000), note)] == [True, False]


def test_what_stands_in_the_text_was_put_back_before_the_note_on_the_rest_is_read() -> None:
    """Of a rule in the text it was said that it was not put back yet, as the summary said something false, too."""
    save, restore, audit, receipt = compaction(0)
    [known] = facts(save, restore, {**audit, "in_text": 1}, receipt)
    assert (known["left_out"], known["put_back"], known["model_knows"]) == (1, 1, False)


@pytest.mark.parametrize("value", [*ODD, {"x": {}}])
def test_odd_figures_of_a_compaction_are_left_out(value: object) -> None:
    save, restore, audit, *_ = compaction(0)
    odd = facts({**save, "trigger": value, "typed": value, "id": value}, {**restore, "units": value, "shown": value},
                {**audit, "contradicted": value, "units": value, "trigger": value},
                event("boundary", 31, trigger=value, tokens_before=value, tokens_after=value))
    assert not {"trigger"} & odd[0].keys()
    assert all(isinstance(count, int) for count in odd[0].get("kinds", {}).values())


@pytest.mark.parametrize(("figures", "words"), [
    ((0, 0, 0, True), "nothing in the summary differs from the record"),
    ((2, 0, 0, True), "the summary said 2 things that the record contradicts (the model was told)"),
    ((0, 1, 1, True), "the summary left out 1 thing, which was put back"),
    ((0, 17, 17, True), "the summary left out 17 things, all put back"),
    ((1, 1, 1, False), "the summary said 1 thing that the record contradicts (the model was not told yet), and left "
                       "out 1 thing, which was put back"),
    ((1, 3, 0, False), "the summary said 1 thing that the record contradicts (the model was not told yet), and left "
                       "out 3 things, none put back yet")])
def test_what_a_summary_said_otherwise_in_words(figures: tuple[int, int, int, bool], words: str) -> None:
    assert differences_in_words(*figures) == words


def test_an_event_that_did_not_come_is_empty() -> None:
    assert Compaction(0.0, {}).event("restore") == {}


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(values: list[int], share: float) -> None:
    assert percentile(Counter(map(float, values)), share) == sorted(values)[math.ceil(len(values) * share) - 1]


@given(st.lists(st.tuples(st.integers(0, 9_999), st.integers(0, 500), st.integers(0, 4) | st.none(),
                          st.dictionaries(st.sampled_from(["0.9", "1.4", "12.0"]), st.integers(1, 9))), max_size=20))
def test_saves_at_stop_are_added_up(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    events = [stop(second, ms, **{name: value for name, value in (("cleared", cleared), ("recorded", recorded))
                                  if value not in (None, {})}) for second, ms, cleared, recorded in rows]
    tally = read(tmp_path_factory.mktemp("home"), *events)[SESSION_ID]
    counted = [cleared for _, _, cleared, _ in rows if cleared is not None]
    assert tally.saves_at_stop == Counter(ms for _, ms, _, _ in rows)
    assert tally.cleared == (sum(counted) if counted else None)
    recorded: Counter[float] = Counter()
    for _, _, _, times_by_ms in rows:
        recorded.update({float(ms): times for ms, times in times_by_ms.items()})
    assert tally.recorded == recorded
    assert tally.events == []


def test_a_percentile_of_nothing_is_none() -> None:
    assert percentile(Counter(), 0.95) is None


# --- two files ---


def test_the_older_part_counts_too_and_either_may_be_missing(tmp_path: Path) -> None:
    older, newer = [stop(0, 1), *compaction(5)], [stop(100, 2), *compaction(105, "repaired")]
    path = write_lines(tmp_path / "events.jsonl", newer)
    assert events_of(tmp_path)[SESSION_ID].saves_at_stop == {2: 1}
    write_lines(tmp_path / "events.jsonl.1", older)
    both = figures_of(events_of(tmp_path))
    assert (both["compactions"], both["outcomes"]["verified"], both["outcomes"]["repaired"]) == (2, 1, 1)
    assert (both["first"], both["ms"]["save at Stop"]["count"]) == (START, 2)
    path.unlink()
    assert events_of(tmp_path)[SESSION_ID].saves_at_stop == {1: 1}


def test_a_compaction_on_both_sides_of_the_new_beginning_is_one(tmp_path: Path) -> None:
    first, *rest = compaction(100)
    write_lines(tmp_path / "events.jsonl.1", [first])
    write_lines(tmp_path / "events.jsonl", rest)
    assert figures_of(events_of(tmp_path))["outcomes"]["verified"] == 1


def test_a_long_file_begins_anew_and_one_older_part_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    monkeypatch.setattr(store_events, "EVENTS_MAX_BYTES", 1_000)
    for number in range(40):
        store_events.note_event("save", SESSION_ID, on="Stop", ms=number)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "events.jsonl.1"]
    assert all(path.stat().st_size < 1_300 for path in tmp_path.iterdir())
    times = sorted(events_of(tmp_path)[SESSION_ID].saves_at_stop)
    assert times == list(range(int(times[0]), 40))
    assert len(times) > 9


def test_another_hook_may_have_begun_the_new_file_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    monkeypatch.setattr(disk, "size_of", lambda _: store_events.EVENTS_MAX_BYTES + 1)  # a moment ago
    store_events.note_event("save", SESSION_ID)
    assert (tmp_path / "events.jsonl").read_bytes().count(b"\n") == 1


# --- disk ---


def test_disk_use_is_told_by_what_it_is_for(tmp_path: Path) -> None:
    sizes = {"events.jsonl": 10, "events.jsonl.1": 1, "hook.log": 20, "hook.log.1": 5, "archive.db": 30,
             "archive.db-wal": 3, "config.json": 7, "sessions/s/memory.json": 40, "sessions/s/backups/x.jsonl.gz": 50,
             "sessions/t/memory.json": 2}
    for name, length in sizes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * length)
    assert disk_use(str(tmp_path)) == {"events": 11, "logs": 25, "archive": 30, "other": 7, "sessions": 42,
                                       "transcript backups": 50}
    assert disk_use(str(tmp_path), "s") == {"sessions": 40, "transcript backups": 50}


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s").symlink_to("/")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert sum(disk_use(str(tmp_path)).values()) < 1_000
    assert disk_use(str(tmp_path), "s") == {}
