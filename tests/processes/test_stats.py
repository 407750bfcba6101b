"""stats.py as a process: its command line, what it prints where, what a real compaction leaves to count, reset."""

from __future__ import annotations

import json
import os
import pty
import stat
import time
from pathlib import Path

import pytest

from sessions import SESSION_ID, Home, Session, hook_input
from stats_home import compaction, make_home, make_sessions, write_lines
from terminals import shown_on

OTHER = "00000001-0000-4000-8000-000000000001"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty data folder."""
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


def printed(home: Home, *arguments: str) -> str:
    """What stats.py prints; it ends well and says nothing else."""
    run = home.run("stats.py", b"", *arguments)
    assert (run.code, run.stderr) == (0, "")
    return run.stdout


def refusal(home: Home, *arguments: str) -> str:
    """Why stats.py does not do it; it prints nothing else."""
    run = home.run("stats.py", b"y\n", *arguments)
    assert (run.code, run.stdout) == (1, "")
    assert run.stderr.startswith("compact-keeper: ")
    assert "\x1b" not in run.stderr
    return run.stderr


def on_terminal(home: Home, *arguments: str, typed: str = "", extra: dict[str, str] | None = None) -> str:
    """What stats.py prints on a terminal on which this was typed."""
    reading, writing = pty.openpty()
    os.write(reading, typed.encode())

    def to_terminal() -> None:
        for stream in (0, 1, 2):
            os.dup2(writing, stream)
    with home.start("stats.py", *arguments, extra=extra, before=to_terminal) as process:
        process.communicate(b"", 30)
    os.close(writing)
    return shown_on(reading).decode()


# --- the command line ---


@pytest.mark.parametrize("arguments", [
    ["watch", "--interval", "0"], ["a", "b"], ["report", "--global"],
    ["watch", "--interval", "nan"], ["report", "-o"], ["--global", SESSION_ID], ["--what"]], ids=" ".join)
def test_wrong_usage_ends_with_2(home: Home, arguments: list[str]) -> None:
    run = home.run("stats.py", b"", *arguments)
    assert (run.code, run.stdout) == (2, "")
    assert "usage: stats.py" in run.stderr


def test_help_names_every_command(home: Home) -> None:
    text = printed(home, "--help")
    assert "See what compact-keeper does" in text
    assert all(f"\n    {name} " in text for name in ("stats", "watch", "report", "reset"))


@pytest.mark.parametrize(("session", "why"), [("a\x1b[31mb", "no session's id"), (OTHER, "nothing is known"),
                                              ("", "it begins with the first turn")])
def test_a_session_that_is_none_is_refused_with_its_place(home: Home, session: str, why: str) -> None:
    text = refusal(home, *filter(None, ["stats", session]))
    assert why in text
    assert str(home.path) in text


def test_a_home_in_which_nothing_was_saved(home: Home) -> None:
    text = printed(home, "--global")
    assert "none yet" in text
    assert " 0 " not in text.replace("0 sessions", "")
    home.path.rmdir()
    assert printed(home, "--global") == text


# --- what is printed ---


def test_that_a_session_is_of_another_folder_is_said(home: Home) -> None:
    elsewhere = "No session of this folder is known; this is the newest of all:\n"
    make_home(home.path, compactions=1)
    assert printed(home).startswith(f"{elsewhere}compact-keeper: session {SESSION_ID}")
    assert printed(home, SESSION_ID).startswith("compact-keeper: session ")
    assert json.loads(printed(home, "--json"))["session"] == SESSION_ID
    status = {"schema": 1, "project": str(Path.cwd())}
    (home.session / "status.json").write_text(json.dumps(status), encoding="utf-8")
    assert printed(home).startswith("compact-keeper: session ")


def test_the_figures_of_a_session(home: Home) -> None:
    make_home(home.path, compactions=3)
    text = " ".join(printed(home, SESSION_ID).split())
    for words in ("session 5e551011", "in /home/ada/parcel-rates",
                  "Compactions 3 2 arrived, 1 arrived after it was lost",
                  "3 times, in all 183 things of the record: "
                  "12 rules, 12 messages, 18 tasks, 90 edits and commands, 9 remarks of Claude's, "
                  "36 reads and searches, 6 answers",
                  "8,200 characters each, about 2,050 tokens (4 characters a token)",
                  "3 summaries said 6 things that the record contradicts, and left out 3 things, none put back yet",
                  "3 failed commands passed later",
                  "in milliseconds runs median 95 % within longest "
                  "save, beside your work 24 23 27 27",
                  "record prompt or tool call 360 1.4 2 2", "Python's own start comes on top",
                  " of this session"):
        assert words in text
    assert "of the archive" not in text
    assert max(map(len, printed(home, SESSION_ID).partition("Hooks")[2].splitlines())) < 80  # columns
    (home.path / "archive.db").write_bytes(b"x" * 81_500)
    (home.path / "archive.db-wal").write_bytes(b"x" * 80_000)
    assert " 81.5 KB of the archive, which holds all sessions " in " ".join(printed(home, SESSION_ID).split())
    assert " archive 81.5 KB" in " ".join(printed(home, "--global").split())


def test_what_is_nought_is_not_said(home: Home) -> None:
    """A summary that said nothing otherwise, no failure that passed; a last kind is named, and moments in a minute."""
    save, restore, audit, receipt = compaction(100)
    shown = {**restore["shown"], "plan": 1}
    omissions = {**audit, "contradicted": 0, "left_out": 17, "kinds": {"rule": 17}, "units": 0}
    events = [save, {**restore, "shown": shown}, omissions, {**receipt, "time": save["time"]}]
    write_lines(home.path / "events.jsonl", events)
    text = " ".join(printed(home, SESSION_ID).split())
    for words in ("Compactions 1 what was put back arrived", "1 plan", "left out 17 things, all put back (17 rules)",
                  "events from 2026-09-21 14:15:00 to 14:15:31"):
        assert words in text
    for words in (" 0 ", "others", "said", "Failures", "in all"):
        assert words not in text


def test_json_has_the_same_figures(home: Home) -> None:
    make_home(home.path, compactions=2)
    figures = json.loads(printed(home, "--json", SESSION_ID))
    assert (figures["schema"], figures["session"], figures["compactions"]) == (1, SESSION_ID, 2)
    assert figures["put_back"]["tokens_each"] == 2_050
    assert json.loads(printed(home, "--json", "--global"))["sessions"] == 1


def test_of_a_single_compaction_nothing_is_told_twice(home: Home) -> None:
    make_home(home.path, compactions=1)
    text = " ".join(printed(home, SESSION_ID).split())
    assert "(8,200 characters, about 2,050 tokens)" in text
    assert [text.count(words) for words in ("8,200 characters", "that the record contradicts", "left out")] == [1, 1, 1]


def test_the_kinds_of_both_that_is_wrong_and_left_out_are_said_of_both(home: Home) -> None:
    save, restore, audit, receipt = compaction(100)
    both = {**audit, "contradicted": 1, "left_out": 1, "kinds": {"rule": 1, "check": 1}, "units": 0}
    write_lines(home.path / "events.jsonl", [save, restore, both, receipt])
    text = " ".join(printed(home, SESSION_ID).split())
    assert "left out 1 thing, which was put back; both together: 1 rule, 1 check" in text


@pytest.mark.parametrize("words", ["--global", "global"])
def test_all_sessions_are_added_up(home: Home, words: str) -> None:
    """In a session `stats global` is typed, so it is here."""
    make_sessions(home.path, 12)
    text = " ".join(printed(home, words).split())
    for figure in ("12 sessions", "Compactions 18", "6 arrived"):
        assert figure in text


def test_what_the_hooks_of_a_compaction_write_is_what_is_counted(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Never push to main.")
    session.failed("Bash", "Exit code 1\n1 failed in 0.10s", command="pytest -q")
    transcript = session.write(tmp_path / "transcript.jsonl")
    home.record({**hook_input("PostToolUse", transcript), "tool_name": "Bash", "tool_use_id": "toolu_1",
                 "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok"}})
    home.save(transcript)
    message = json.loads(home.restore(transcript).stdout)["systemMessage"]
    summary = {**hook_input("PostCompact", transcript), "compact_summary": "The user asked for rates."}
    assert home.run("audit_summary.py", summary).code == 0
    session.ran("Bash", "1 passed in 0.10s", command="pytest -q")
    session.write(transcript)
    home.save(transcript, "Stop")
    figures = json.loads(printed(home, "--json", SESSION_ID))
    assert (figures["compactions"], figures["outcomes"]["unchecked"]) == (1, 1)
    assert figures["put_back"]["kinds"]["rule"] == figures["put_back"]["kinds"]["failing test"] == 1
    things = message.removeprefix("compact-keeper: put back ").partition(" (")[0].replace(", git's state", "")
    assert f"things of the record: {things}" in " ".join(printed(home, SESSION_ID).split())
    assert (figures["audit"]["summaries"], figures["audit"]["kinds"]["rule"]) == (1, 1)
    assert figures["cleared"] == 1
    assert set(figures["ms"]) == {"save at Stop", "save at PreCompact", "restore", "audit", "record"}
    assert figures["project"]
    assert figures["disk"]["sessions"] > 0


REFUSED = "<local-command-stderr>Error during compaction: API Error: 400 invalid</local-command-stderr>"


@pytest.mark.parametrize(("course", "outcome"), [
    ("begun", "under way"), ("refused", "unfinished"), ("went on", "unfinished"), ("brought in", "unfinished"),
    ("done", "unchecked")])
@pytest.mark.parametrize("trigger", ["manual", "auto"])
@pytest.mark.rows(5)  # each course, of one trigger or the other
def test_a_compaction_that_stopped_is_not_under_way(
        home: Home, tmp_path: Path, trigger: str, course: str, outcome: str) -> None:
    """However short ago it began; the client calls no hook when one fails, nor when one that it prepared is dropped."""
    session = Session()
    session.typed("Never push to main.")
    transcript = session.write(tmp_path / "transcript.jsonl")
    home.run("save_snapshot.py", hook_input("PreCompact", transcript, trigger=trigger))
    if course in ("refused", "brought in"):
        session.system("local_command", content=REFUSED)
    if course == "went on":
        session.typed("Go on then.")
    session.write(transcript)
    if course == "brought in":
        home.run("restore_snapshot.py", b"", "--bring-in", SESSION_ID)
        home.run("answer_prompt.py", hook_input("UserPromptSubmit", transcript, prompt="Go on."))
    if course in ("went on", "brought in"):
        home.save(transcript, "Stop")
    if course == "done":
        assert home.restore(transcript).restored
    figures = json.loads(printed(home, "--json", SESSION_ID))
    assert {name: count for name, count in figures["outcomes"].items() if count} == {outcome: 1}
    said = {"under way": "1 begun, its end not seen yet", "unfinished": "1 begun and not finished",
            "unchecked": "1 to be confirmed by your next message"}
    assert said[outcome] in " ".join(printed(home, SESSION_ID).split())


def test_the_tokens_of_the_last_compaction_are_told_before_a_save_notes_them(home: Home, tmp_path: Path) -> None:
    """As the report has them, from the transcript."""
    session = Session()
    session.typed("Never push to main.")
    transcript = session.write(tmp_path / "transcript.jsonl")
    home.save(transcript)
    assert home.restore(transcript).restored
    assert "tokens became" not in printed(home, SESSION_ID)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "system", "subtype": "compact_boundary", "timestamp": stamp, "uuid": "b1",
                               "compactMetadata": {"trigger": "auto", "preTokens": 9_000, "postTokens": 4_500}},
                              separators=(",", ":")) + "\n")
    assert "9,000 tokens became 4,500" in printed(home, SESSION_ID)


def test_a_project_of_any_bytes_reaches_no_terminal(home: Home) -> None:
    project = "/home/ada/\x1b]0;x\x07\u202eevil\ud800"
    (home.path / "sessions" / OTHER).mkdir(parents=True)
    (home.path / "sessions" / OTHER / "status.json").write_text(json.dumps({"schema": 1, "project": project}))
    text = printed(home, OTHER)
    assert "evil" in text
    assert "\x1b" not in text


def test_colour_is_for_terminals_that_want_it(home: Home) -> None:
    make_home(home.path)
    assert "\x1b" not in printed(home, SESSION_ID)
    assert "\x1b[1m" in on_terminal(home, SESSION_ID, extra={"TERM": "xterm"})
    assert "\x1b" not in on_terminal(home, SESSION_ID, extra={"TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b" not in on_terminal(home, SESSION_ID, extra={"TERM": "dumb"})


def test_who_reads_may_stop_reading(home: Home) -> None:
    make_sessions(home.path, 400)
    with home.start("stats.py", "--global", "--json") as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == b""
    assert process.returncode in (0, -13)


def test_two_thousand_sessions(home: Home) -> None:
    for number in range(2_000):
        (home.path / "sessions" / f"s{number}").mkdir(parents=True)
    assert "session s" in printed(home)
    assert "0 sessions" in printed(home, "--global")


# --- report ---


def test_the_reports_path_is_printed_and_the_page_is_for_its_owner_alone(home: Home) -> None:
    make_home(home.path)
    path = Path(printed(home, "report", SESSION_ID).strip())
    assert path == home.path / "reports" / f"{SESSION_ID}.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Session 5e551011" in path.read_text(encoding="utf-8")
    other = home.path.parent / "a page.html"
    assert printed(home, "report", SESSION_ID, "-o", str(other)).strip() == str(other)
    assert "Session 5e551011" in other.read_text(encoding="utf-8")


def test_open_shows_the_page_in_the_browser(home: Home) -> None:
    make_home(home.path)
    seen, browser = home.path.parent / "seen", home.path.parent / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{seen}"\n', encoding="utf-8")
    browser.chmod(0o700)
    target = home.path.parent / "a page.html"
    run = home.run("stats.py", b"", "report", SESSION_ID, "--open", "-o", str(target), extra={"BROWSER": str(browser)})
    assert (run.code, run.stdout.strip()) == (0, str(target))
    assert seen.read_text(encoding="utf-8") == target.as_uri()


def test_where_the_page_cannot_be_written_it_says_so(home: Home) -> None:
    make_home(home.path)
    path = home.path / "no/such/folder/x.html"
    assert refusal(home, "report", SESSION_ID, "-o", str(path)).strip() == (
        f"compact-keeper: {path} cannot be written: No such file or directory; -o FILE names another place")


def test_without_a_browser_it_says_so(home: Home) -> None:
    make_home(home.path)
    run = home.run("stats.py", b"", "report", SESSION_ID, "--open", extra={"BROWSER": "false"})
    assert run.code == 1
    assert run.stdout.strip().endswith(f"{SESSION_ID}.html")
    assert "no browser could be started; open the page named above in one" in run.stderr


# --- reset ---


def test_reset_without_a_terminal_needs_yes(home: Home) -> None:
    make_home(home.path)
    before = (home.path / "events.jsonl").read_bytes()
    assert "--yes" in refusal(home, "reset")
    assert (home.path / "events.jsonl").read_bytes() == before
    assert "of all sessions; memory, pins and archive are as they were" in printed(home, "reset", "--yes")
    assert (home.path / "events.jsonl").read_bytes() == b""
    assert "0 bytes of events and 0 histories" in printed(home, "reset", "--yes")


def test_reset_takes_the_older_part_too(home: Home) -> None:
    make_home(home.path)
    write_lines(home.path / "events.jsonl.1", compaction(0, session=OTHER))
    assert "and 1 history" in printed(home, "reset", "--yes")
    assert [(home.path / name).stat().st_size for name in ("events.jsonl", "events.jsonl.1")] == [0, 0]


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("YES ", True), ("", False), ("n", False)])
def test_reset_asks_at_a_terminal(home: Home, answer: str, is_done: bool) -> None:
    make_home(home.path)
    text = on_terminal(home, "reset", typed=f"{answer}\n")
    assert "history of all sessions? [y/N]" in text
    assert ("nothing was changed" in text) != is_done
    assert (not (home.path / "events.jsonl").read_bytes()) == is_done


def test_reset_empties_no_file_of_another_kind(home: Home) -> None:
    (home.path / "events.jsonl").symlink_to("/dev/null")
    assert "events.jsonl" in refusal(home, "reset", "--yes")
