"""What the report's page is made of: hostile transcripts and histories first, then what it tells."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stats
from compact_keeper.figures import course as figures_course
from compact_keeper.figures import page as figures_page
from compact_keeper.figures import report
from compact_keeper.figures.counting import compactions_of
from compact_keeper.figures.course import POINTS_MAX, passages_of, thinned
from hostile import LINES
from sessions import SESSION_ID, START, Session
from stats_home import compaction, history, make_home, make_sessions, stop, transcript, write_lines

INJECTIONS = (
    "<script>alert(1)</script>", "</style><img src=x onerror=alert(2)>", "--> <!-- ]]> <![CDATA[",
    '"><svg onload=alert(3)>', "' onfocus='alert(4)", "</title></head></body></html>", "&lt;b&gt; &#60;i&#62;",
    "\u202eRTL\u2066 \u200f", "\ud800 \udfff", "`</code><script>alert(5)</script>`",
    "{{7*7}} ${alert(6)} \\u003cscript\\u003e", "javascript:alert(7)", "\0\x1b]0;x\x07")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that the scripts of this process use."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "client"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


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


def page_of(session: str = SESSION_ID, since: float = 0.0) -> Elements:
    """The page of the session, all of it well formed."""
    return Elements(Path(report.write_report(session, since, "")).read_text(encoding="utf-8"))


# --- hostile input ---


@pytest.mark.parametrize("text", INJECTIONS)
def test_text_stays_text_wherever_it_stands(home: Path, text: str) -> None:
    make_home(home)
    plain = page_of()
    events = [{**one, "kinds": {f"{text} dropped": 2}, "shown": {text: 3}} for one in compaction(90_000)]
    lines = [{**line, **({"lines": [{**one, "kind": text, "section": text} for one in line["lines"]]} if "lines" in line
              else {"found": [{**one, "kind": text} for one in line["found"]]})} for line in history(90_000, text=text)]
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


USAGES: list[Any] = [
    None, [], "x", {"input_tokens": True}, {"input_tokens": -5}, {"input_tokens": 1e999}, {"input_tokens": 10**400},
    {"input_tokens": "7", "output_tokens": []}, {"input_tokens": float("nan")}]


@pytest.mark.parametrize("usage", USAGES, ids=lambda usage: str(usage)[:30])
def test_odd_usage_is_no_point_and_no_sum(tmp_path: Path, usage: Any) -> None:
    session = Session()
    session.assistant({"type": "text", "text": "x"}, usage=usage)
    session.system("compact_boundary", compactMetadata={"trigger": [], "preTokens": usage, "postTokens": -1})
    session.system("compact_boundary", compactMetadata=usage)
    course = figures_course.read_course(str(session.write(tmp_path / "t.jsonl")))
    assert course.context == []
    assert [(one["before"], one["after"], one["trigger"]) for one in course.boundaries] == [(None, None, "")] * 2
    assert not any(course.spent.values())


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
@pytest.mark.parametrize("value", ODD, ids=lambda value: str(value)[:20])
def test_a_field_of_the_history_may_be_of_any_type(home: Path, name: str, value: object) -> None:
    make_home(home)
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", [{**one, name: value} for one in history(90)])
    assert "Compactions" in page_of().text


@pytest.mark.parametrize("name", ["kind", "section", "line", "score", "terms", "what", "text"])
@pytest.mark.parametrize("value", ODD, ids=lambda value: str(value)[:20])
def test_a_field_of_a_line_may_be_of_any_type(home: Path, name: str, value: object) -> None:
    make_home(home)
    odd = [{**one, **{part: [{**line, name: value} for line in one.get(part, [])] for part in ("lines", "found")}}
           for one in history(9_000)]
    write_lines(home / "sessions" / SESSION_ID / "history.jsonl", odd)
    assert "Compactions" in page_of().text


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
    for words in ("Session 5e551011", "/home/ada/parcel-rates", "2 verified, 1 repaired", "Items put back183",
                  "8,200 characters each time, about 2,050 tokens", "The user's rules, in their own words",
                  "Score 2.31 = weight 3.00 × marker 1.50", "Left out: 3", "Changed: 1", "Claimed without evidence: 2",
                  "40 directives and facts were told", "Input, read from the cache", "about 8,175 tokens",
                  "by hand", "Save at PreCompact3313131"):
        assert words in text
    marks = [attributes["href"] for tag, attributes in page.elements if attributes.get("class") == "mark"]
    assert marks == [f"#compaction-{number}" for number in (1, 2, 3)]
    assert "Next: the zones" not in text  # the transcript's words


def test_a_home_of_an_older_version_has_figures_alone(home: Path) -> None:
    make_home(home)
    (home / "sessions" / SESSION_ID / "history.jsonl").unlink()
    text = page_of().text
    assert "lines themselves are kept since version" in text
    assert "Left out: 3" in text


def test_a_session_without_a_transcript_or_compaction(home: Path) -> None:
    write_lines(home / "events.jsonl", [stop(1)])
    text = page_of().text
    assert "was not found" in text
    assert "None yet in this session" in text
    assert text.count("none yet") == 4


def test_the_transcript_is_found_by_its_name(home: Path, tmp_path: Path) -> None:
    make_home(home)
    (home / "sessions" / SESSION_ID / "status.json").unlink()
    there = tmp_path / "client" / "projects" / "-home-ada"
    there.mkdir(parents=True)
    (home.parent / f"{SESSION_ID}.jsonl").rename(there / f"{SESSION_ID}.jsonl")
    assert figures_course.transcript_of(SESSION_ID, "/gone.jsonl") == str(there / f"{SESSION_ID}.jsonl")
    assert "at most. Numbers mark compactions" in page_of().text
    assert figures_course.transcript_of("*", "") == ""


def test_since_leaves_out_what_was_before(home: Path) -> None:
    make_home(home, compactions=3, lines=600)
    page = page_of(since=START + 400)
    assert sum(tag == "details" for tag, _ in page.elements) == 1


def test_one_message_on_several_lines_counts_once(tmp_path: Path) -> None:
    session = Session()
    for number in (1, 1, 2):
        session.assistant({"type": "text", "text": "x"}, id=f"msg_{number}", usage={
            "input_tokens": 10, "cache_read_input_tokens": 100 * number, "cache_creation_input_tokens": 5,
            "output_tokens": 7})
    session.system("compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 215})
    session.records += session.records[-2:]  # written again by a second compaction
    session.assistant({"type": "text", "text": "x"}, usage={"input_tokens": 999_999})["isSidechain"] = True
    course = figures_course.read_course(str(session.write(tmp_path / "t.jsonl")))
    assert [tokens for _, tokens in course.context] == [115, 215]
    assert [one["before"] for one in course.boundaries] == [215]
    assert course.spent == {"input_tokens": 20 + 999_999, "cache_read_input_tokens": 300,
                            "cache_creation_input_tokens": 10, "output_tokens": 14}


@given(st.lists(st.integers(1, 10**6), max_size=3_000))
def test_a_long_line_keeps_its_ends_and_its_peak(values: list[int]) -> None:
    points = [(float(number), value) for number, value in enumerate(values)]
    kept = thinned(points)
    assert len(kept) == min(len(points), POINTS_MAX)
    assert kept == sorted(kept)
    assert kept[:1] + kept[-1:] == points[:1] + points[-1:]
    assert max(kept, key=lambda point: point[1], default=None) in (None, *[p for p in points if p[1] == max(values)])


def test_what_is_told_of_one_compaction_comes_together() -> None:
    events = compactions_of([*compaction(1_000), *compaction(9_000, "missed")], 600)
    course = figures_course.Course(boundaries=[{"time": START + 9_100, "after": None}, {"time": START + 1_050, "after": 7},
                                            {"time": START + 50_000, "after": None}],
                                context=[(START + 9_200.0, 33)])
    found = passages_of(events, course, history(1_000))
    assert [(bool(one.events), bool(one.boundary), bool(one.restored), bool(one.audited)) for one in found] == [
        (True, True, True, True), (True, True, False, False), (False, True, False, False)]
    assert [one.boundary["after"] for one in found] == [7, 33, None]


def test_a_long_pause_takes_no_more_room_than_a_short_one() -> None:
    assert figures_page.places_of([0, 900, 900_000, 900_900]) == pytest.approx([0, 333.3, 666.7, 1000], abs=0.1)
    assert figures_page.places_of([5, 5]) == [0, 0]


@pytest.mark.parametrize(("most", "top"), [
    (1, 10), (170_112, 200_000), (200_000, 200_000), (999, 1_000), (10**15, 10**15)])
def test_the_axis_ends_on_a_round_number(most: int, top: int) -> None:
    assert figures_page.nice_top(most) == top


# --- the file ---


def test_the_page_is_for_its_owner_alone(home: Path) -> None:
    make_home(home)
    path = Path(report.write_report(SESSION_ID, 0.0, ""))
    assert path == home / "reports" / f"{SESSION_ID}.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_path_is_printed_and_opened(home: Path, capsys: pytest.CaptureFixture[str],
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    make_home(home)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    target = home.parent / "a page.html"
    assert stats.main(["report", SESSION_ID, "--open", "-o", str(target)]) == 0
    assert capsys.readouterr().out.strip() == str(target)
    assert opened == [target.as_uri()]


@pytest.mark.parametrize("where", ["no/such/folder/x.html", "folder"])
def test_where_it_cannot_be_written_it_says_so(home: Path, capsys: pytest.CaptureFixture[str], where: str) -> None:
    make_home(home)
    (home.parent / "folder").mkdir()
    assert stats.main(["report", SESSION_ID, "-o", str(home.parent / where)]) == 1
    assert where in capsys.readouterr().err
    assert not list(home.parent.rglob("*.tmp"))


def test_a_link_in_the_place_of_the_page_is_replaced_not_followed(home: Path) -> None:
    make_home(home)
    (home / "reports").mkdir()
    (home / "reports" / f"{SESSION_ID}.html").symlink_to(home / "events.jsonl")
    page_of()
    assert b"<html" not in (home / "events.jsonl").read_bytes()


@pytest.mark.parametrize(("compactions", "size"), [(20, 70), (120, 90)])
def test_a_long_session_makes_a_small_page_soon(home: Path, compactions: int, size: int) -> None:
    make_home(home, compactions=compactions, lines=20_000)
    for second in range(compactions):
        write_lines(home / "sessions" / SESSION_ID / "history.jsonl", history(100_000 + 2_000 * second, size))
    started = time.process_time()
    path = Path(report.write_report(SESSION_ID, 0.0, ""))
    assert path.stat().st_size < 500_000
    assert time.process_time() - started < 8  # 0.3 s on an idle machine


def test_all_sessions_in_one_table(home: Path) -> None:
    make_sessions(home, 12)
    page = Elements(Path(report.write_report("", 0.0, "")).read_text(encoding="utf-8"))
    assert sum(tag == "tr" for tag, _ in page.elements) > 13
    for words in ("All sessions", "12 sessions", "öre-tables", "00000007", "Repaired", " KB"):
        assert words in page.text
    assert (home / "reports" / "all.html").exists()


def test_of_very_many_sessions_the_newest_are_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_sessions(home, 30)
    monkeypatch.setattr(report, "SESSION_ROWS_MAX", 10)
    text = report.all_found(0.0)
    assert "The newest 10 of 30 are shown" in text
    assert "0000001d" in text
    assert "00000013" not in text
