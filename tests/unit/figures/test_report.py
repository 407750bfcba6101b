"""What the report's pages are made of: hostile words, transcripts and histories first, then what they tell."""

from __future__ import annotations

import json
import os
import re
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.figures import chart, report
from compact_keeper.figures.chart import has_room_for_step, step_labels
from compact_keeper.figures.page_parts import TO_THE_MINUTE, TO_THE_SECOND, form_for
from compact_keeper.figures.page_style import STYLE
from compact_keeper.figures.report import session_data
from compact_keeper.figures.session_page import KIND_COLOURS
from compact_keeper.figures.terminal import last_shown
from compact_keeper.store.history import FAILING_CHECK
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.kind_words import FAILING
from hostile import LINES
from sessions import SESSION_ID, START, Session
from stats_home import INJECTIONS, compaction, history, make_home, stop, transcript, write_lines


class Elements(HTMLParser):
    """The page's elements with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "path", "polygon", "polyline", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] not in (["script"], ["style"]) else ""


def page_of() -> Elements:
    """The page of the session, all of it well formed."""
    return Elements(Path(report.write_report(SESSION_ID, "")).read_text(encoding="utf-8"))


# --- hostile input ---


@pytest.mark.parametrize("text", INJECTIONS)
def test_text_stays_text_wherever_it_stands(home: Path, text: str) -> None:
    make_home(home)
    plain = page_of()
    events = [{**event, "kinds": {text: 2}, "shown": {text: 3}} for event in compaction(90_000)]
    lines = [{**line, **({"lines": [{**row, "kind": text, "section": text} for row in line["lines"]]} if "lines" in line
              else {"found": [{**finding, "kind": text} for finding in line["found"]]})}
             for line in history(90_000, text=text)]
    write_lines(home / "events.jsonl", events)
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", lines)
    status = {"schema": 1, "project": f"/p/{text}", "transcript": str(home.parent / f"{SESSION_ID}.jsonl")}
    (home / "sessions" / SESSION_ID / "status.json").write_text(json.dumps(status))
    page, once = page_of(), ("script", "style", "svg", "title", "body", "input", "meta")
    assert [tag for tag, _ in page.elements if tag in once] == [tag for tag, _ in plain.elements if tag in once]
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | {"code"}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not re.search("[\\0-\x08\x0b-\x1f\x7f\u200f\u202a-\u202e\u2066-\u2069]", page.text)
    assert re.sub(r"\x1b]0;x\x07|\W", "", text) in re.sub(r"\W", "", page.text)


@pytest.mark.parametrize("name", sorted(LINES))
def test_a_hostile_transcript_leaves_the_rest_of_the_page(home: Path, name: str) -> None:
    make_home(home)
    path = home.parent / f"{SESSION_ID}.jsonl"
    path.write_bytes(LINES[name]() + path.read_bytes())
    assert "Context over time" in page_of().text


def test_of_one_answer_the_page_says_what_the_line_waits_for(home: Path) -> None:
    """The transcript was said to be missing."""
    make_home(home, compactions=0)
    session = Session()
    session.typed("Go on.")
    session.assistant({"type": "text", "text": "Done."}, usage={"input_tokens": 900, "output_tokens": 20})
    session.write(home.parent / f"{SESSION_ID}.jsonl")
    text = page_of().text
    assert ("One answer so far: the line begins with the second." in text, "was not found" in text) == (True, False)


@pytest.mark.parametrize("stamp", [
    None, 7, "", "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-02-30T1Z"])
def test_odd_times_break_nothing(home: Path, stamp: object) -> None:
    session = transcript(60, [30])
    for record in session.records[::3]:
        record["timestamp"] = stamp
    make_home(home)
    session.write(home.parent / f"{SESSION_ID}.jsonl")
    assert "Compactions" in page_of().text


ODD: list[Any] = [None, True, [], {}, "", "x", -1, 1e300, 10**30, [None, 7, "x", {}]]


@pytest.mark.parametrize("name", ["time", "event", "id", "units", "lines", "found", "schema"])
def test_a_field_of_the_history_may_be_of_any_type(home: Path, name: str) -> None:
    write_lines(home / "events.jsonl", compaction(0))
    odd = [{**line, name: value} for value in ODD for line in history(90, size=7)]
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", [*odd, *history(0)])
    assert "Left out: 1" in page_of().text


@pytest.mark.parametrize("name", ["kind", "section", "line", "what", "text"])
def test_a_field_of_a_line_may_be_of_any_type(home: Path, name: str) -> None:
    write_lines(home / "events.jsonl", [event for number in range(len(ODD)) for event in compaction(2_000 * number)])
    odd = [{**record, **{part: [{**line, name: value} for line in record.get(part, [])] for part in ("lines", "found")}}
           for number, value in enumerate(ODD) for record in history(2_000 * number, size=7)]
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", odd)
    page = page_of()
    assert page.text.count("Carried over") == page.text.count("The client's summary") == len(ODD)


@pytest.mark.parametrize("make", [
    lambda path: path.symlink_to("/dev/zero"), os.mkfifo, Path.mkdir,
    lambda path: path.write_bytes(b"\xff\n{\n" * 9)], ids=["link", "fifo", "folder", "torn"])
@pytest.mark.parametrize("name", ["history.jsonl", "status.json"])
def test_files_of_another_kind_are_not_read(home: Path, name: str, make: Any) -> None:
    write_lines(home / "events.jsonl", compaction(0))
    (home / "sessions" / SESSION_ID).mkdir(parents=True)
    make(home / "sessions" / SESSION_ID / name)
    assert "Compactions" in page_of().text


# --- what it tells ---


def test_the_page_of_a_session(home: Path) -> None:
    make_home(home, compactions=3)
    page = page_of()
    text = " ".join(page.text.split())
    for words in ("Session 5e551011", "/home/ada/parcel-rates", "events from ", "2 arrived, 1 repaired",
                  "Things put back183", "Left out by summaries3",
                  "besides, they said 6 things that the record contradicts",
                  "Failed, then passed3times a failed command passed later",
                  "8,200 characters each time, about 2,050 tokens", "Standing rules, as the user typed them",
                  "Left out: 1", "The record contradicts: 2",
                  "Input, read from the cache", "about 8,175 tokens",
                  "by hand", "Save, before a compaction3313131"):
        assert words in text
    marks = [attributes["href"] for tag, attributes in page.elements if attributes.get("class") == "mark"]
    assert marks == [f"#compaction-{number}" for number in (1, 2, 3)]
    assert "Next: the zones" not in text  # the transcript's words
    assert "verified" not in text
    meant = [attributes["title"] for _, attributes in page.elements if attributes.get("class") == "pill verified"]
    assert meant == ["what was put back stands in the client's transcript: the model has it"] * 2


def test_the_bar_says_of_what_its_lines_are_and_all_tell_the_same_number_of_things(home: Path) -> None:
    """A pin is no rule, and what is true now stands in the text and is no thing of the record."""
    events, [restored, audited] = compaction(0), history(0, size=0)
    shown = {"rule": 2, "pin": 2, "said": 4, "action": 2, "message": 3, "failing test": 1}
    kinds = [FAILING_CHECK if kind in FAILING.values() else kind for kind, count in shown.items() for _ in range(count)]
    kinds += ["fact"] * 4
    lines = [{"kind": kind, "section": "All", "line": f"- a {kind}"} for kind in kinds]
    write_lines(home / "events.jsonl", [{**event, "shown": shown} for event in events])
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", [{**restored, "lines": lines}, audited])
    page = page_of()
    text = " ".join(page.text.split())
    things = ("14 things of the record: 2 pins, 2 rules, 3 messages, 1 failing test, 2 edits and commands, 4 remarks "
              "of Claude's")
    for words in ("Things put back14", f"14 lines tell {things}; "
                  "4 lines tell what is true now (git, files, processes)",
                  "2 pins", "4 lines on what is true now"):
        assert words in text
    figures = session_data(SESSION_ID)
    last = " ".join(" ".join(last_shown(figures)).split())
    assert f"put back {things} (8,200 characters, about 2,050 tokens)" in last
    marks = {attributes["style"] for tag, attributes in page.elements if tag == "li" and "style" in attributes}
    assert {"--k:var(--k-pin)", "--k:var(--k-rule)"} <= marks
    for colour in {"else", *KIND_COLOURS.values()}:
        assert STYLE.count(f"--k-{colour}: #") == 2, colour  # by day and by night


def test_a_session_without_a_transcript_or_compaction(home: Path) -> None:
    write_lines(home / "events.jsonl", [stop(1)])
    text = page_of().text
    assert "was not found" in text
    assert "None yet in this session" in text
    assert text.count("none yet") == 4


def test_a_long_pause_takes_no_more_room_than_a_short_one() -> None:
    assert chart.xs_of([0, 900, 900_000, 900_900]) == pytest.approx([0, 333.3, 666.7, 1000], abs=0.1)
    assert chart.xs_of([5, 5]) == [0, 0]


@pytest.mark.parametrize(("most", "top"), [
    (1, 10), (170_112, 200_000), (200_000, 200_000), (999, 1_000), (10**15, 10**15)])
def test_the_axis_ends_on_a_round_number(most: int, top: int) -> None:
    assert chart.nice_top(most) == top


# --- the file ---


@pytest.mark.parametrize("where", ["no/such/folder/x.html", "folder"])
def test_where_it_cannot_be_written_nothing_is_left(home: Path, where: str) -> None:
    make_home(home)
    (home.parent / "folder").mkdir()
    with pytest.raises((OSError, Refusal), match=where):
        report.write_report(SESSION_ID, str(home.parent / where))
    assert not list(home.parent.rglob("*.tmp"))


def test_the_page_is_for_its_owner_alone(home: Path) -> None:
    make_home(home)
    path = Path(report.write_report(SESSION_ID, ""))
    assert path == home / "reports" / f"{SESSION_ID}.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_link_in_the_place_of_the_page_is_replaced_not_followed(home: Path) -> None:
    make_home(home)
    (home / "reports").mkdir()
    (home / "reports" / f"{SESSION_ID}.html").symlink_to(home / "events.jsonl")
    page_of()
    assert b"<html" not in (home / "events.jsonl").read_bytes()


@pytest.mark.parametrize(("compactions", "size"), [(20, 70), (120, 90)])
def test_a_long_session_makes_a_small_page(home: Path, compactions: int, size: int) -> None:
    make_home(home, compactions=compactions, lines=2_000)
    for second in range(100_000, 100_000 + 2_000 * compactions, 2_000):
        write_lines(home / "events.jsonl", compaction(second))
        write_lines(home / "sessions" / SESSION_ID / "history.jsonl", history(second, size))
    assert Path(report.write_report(SESSION_ID, "")).stat().st_size < 500_000


def test_a_compaction_is_a_step_with_both_figures(home: Path) -> None:
    make_home(home, compactions=2)
    context = session_data(SESSION_ID)["context"]
    steps = [(before, after) for before, after in zip(context, context[1:]) if before[0] == after[0]]
    assert [after for _, (_, after) in steps] == [24_000, 24_000]
    assert all(before > 100_000 for (_, before), _ in steps)
    text = page_of().text
    assert "24 k" in text
    assert f"{steps[0][0][1] / 1_000:.0f} k" in text


def test_moments_of_one_minute_are_told_apart() -> None:
    assert form_for([START, START + 5]) == TO_THE_SECOND
    assert form_for([START, START + 65]) == TO_THE_MINUTE
    assert form_for([]) == TO_THE_MINUTE


@pytest.mark.parametrize(("at", "tokens", "expected"), [
    (500.0, (190_000, 5_000), ["190 k", "5 k"]), (500.0, (1_020, 3_787), ["1 k &rarr; 3.8 k"]),
    (999.0, (9, 8), ["right:"])])
def test_figures_of_a_step_stand_where_there_is_room(at: float, tokens: tuple[int, int], expected: list[str]) -> None:
    labels = step_labels(at, START, [(START, tokens[0]), (START, tokens[1]), (START + 1, 7)], 200_000)
    assert all(words in labels for words in expected)
    assert labels.count("<span") == (2 if expected[0] == "190 k" else 1)


@pytest.mark.parametrize(("marks", "labelled"), [
    ([300.0, 600.0], [300.0, 600.0]), ([300.0, 310.0], [310.0]), ([300.0, 300.0], []),
    ([700.0, 950.0], [950.0]), ([850.0, 950.0], []), ([600.0, 950.0], [600.0, 950.0])])
def test_figures_of_near_steps_do_not_stand_on_each_other(marks: list[float], labelled: list[float]) -> None:
    assert [at for at in marks if has_room_for_step(at, marks)] == labelled


def test_a_compaction_without_both_figures_has_no_labels() -> None:
    assert not step_labels(5.0, START, [(START + 1, 7)], 10)
