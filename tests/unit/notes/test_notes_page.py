"""Notes on a session: where they are written and where never; what the page says of a session; what the log tells."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from write_notes import mirror, replace_text

import save_snapshot
from compact_keeper.notes.log import MOST_EVENTS
from compact_keeper.notes.page import MARKER, notes_page
from compact_keeper.record import session as record_session
from compact_keeper.store import json_files
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import default_settings
from sessions import CWD, SCRIPTS, SESSION_ID, Home, Record, Session, hook_input, memory_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder that saves in this process use too; times as in UTC."""
    made = Home(tmp_path / "home")
    made.path.mkdir()
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "off")
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rates" / ".claude").mkdir(parents=True)
    return tmp_path / "rates"


def notes(home: Home) -> str:
    return (home.session / "notes.md").read_text(encoding="utf-8")


def log_of(session: Session, folder: Path, memory: Record | None = None) -> list[tuple[str, str]]:
    """What the log tells: what happened, and the words for it."""
    return [(one["what"], one["text"]) for one in memory_of(session, folder, memory)["progress"]]


def save_into(home: Home, project: Path, transcript: Path, notes_file: str) -> None:
    """A save in a project whose owner wants the notes in this file."""
    (home.path / "config.json").write_text(json.dumps({"notes_file": notes_file}), encoding="utf-8")
    done = home.run("save_snapshot.py", {**hook_input("Stop", transcript), "cwd": str(project)})
    assert (done.code, done.stderr) == (0, "")


def typed(path: Path, *texts: str) -> Path:
    session = Session()
    for text in texts:
        session.typed(text)
    return session.write(path)


# --- where the project's file may be ---

OUTSIDE = "kept as it is\n"


def _foreign(path: Path, _: Path) -> None:
    path.write_text("# My notes\n", encoding="utf-8")


def _nearly_ours(path: Path, _: Path) -> None:
    path.write_text("\ufeff" + MARKER, encoding="utf-8")


def _torn(path: Path, _: Path) -> None:
    path.write_text(MARKER[:20], encoding="utf-8")


def _link(path: Path, outside: Path) -> None:
    (outside / "x.md").write_text(MARKER + OUTSIDE, encoding="utf-8")
    path.symlink_to(outside / "x.md")


def _dead_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "new.md")


def _fifo(path: Path, _: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, _: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [_foreign, _nearly_ours, _torn, _link, _dead_link, _fifo, _folder])
@pytest.mark.parametrize("name", ["NOTES.md", ".claude/NOTES.md"])
def test_what_is_not_ours_is_never_replaced(
        home: Home, project: Path, tmp_path: Path, name: str, make: Callable[[Path, Path], None]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    make(project / name, outside)
    before, kind = sorted(outside.iterdir()), (project / name).lstat()
    save_into(home, project, typed(tmp_path / "t.jsonl", "Add the surcharge."), name)
    now = (project / name).lstat()
    assert (now.st_ino, now.st_size, now.st_mtime_ns) == (kind.st_ino, kind.st_size, kind.st_mtime_ns)
    assert sorted(outside.iterdir()) == before
    line, = home.log()
    assert f"notes_file {name} is not written: " in line
    assert "name another" in line
    assert "Add the surcharge." in notes(home)
    assert not list(project.rglob("*.tmp"))


@pytest.mark.parametrize("swapped", ["a", "a/b"])
def test_no_link_on_the_way_is_followed(home: Home, project: Path, tmp_path: Path, swapped: str) -> None:
    (tmp_path / "outside" / "b").mkdir(parents=True)
    (project / swapped).parent.mkdir(exist_ok=True)
    (project / swapped).symlink_to(tmp_path / "outside")
    save_into(home, project, typed(tmp_path / "t.jsonl", "Add it."), "a/b/x.md")
    assert [path for path in (tmp_path / "outside").rglob("*") if path.is_file()] == []
    line, = home.log()
    assert "without links" in line


def test_a_folder_swapped_for_a_link_at_the_last_moment(
        project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside, inner, real = tmp_path / "outside", project / "inner", os.replace
    outside.mkdir()
    inner.mkdir()

    def swap(*given: Any, **more: Any) -> None:
        inner.rename(project / "moved")
        inner.symlink_to(outside)
        real(*given, **more)
    monkeypatch.setattr(os, "replace", swap)
    mirror(str(project), "inner/x.md", MARKER)
    assert list(outside.iterdir()) == []
    assert (project / "moved" / "x.md").read_text(encoding="utf-8") == MARKER


@pytest.mark.parametrize("missing", ["", "gone/"])
def test_a_folder_that_is_not_there(home: Home, project: Path, tmp_path: Path, missing: str) -> None:
    project = project / "no-such" if not missing else project
    save_into(home, project, typed(tmp_path / "t.jsonl", "Add it."), f"{missing}x.md")
    line, = home.log()
    assert "No such file or directory; make its folder" in line
    assert "Add it." in notes(home)


def test_a_system_that_cannot_keep_links_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())
    with pytest.raises(Refusal, match="links"):
        mirror(str(project), "x.md", MARKER)
    assert not (project / "x.md").exists()


def test_a_projects_settings_name_no_file(home: Home, project: Path, tmp_path: Path) -> None:
    (project / ".claude" / "compact-keeper.json").write_text('{"notes_file": "x.md"}', encoding="utf-8")
    transcript = typed(tmp_path / "t.jsonl", "Add it.")
    home.run("save_snapshot.py", {**hook_input("Stop", transcript), "cwd": str(project)})
    assert not (project / "x.md").exists()
    line, = home.log()
    assert "notes_file" in line


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_projects_file_is_as_the_umask_says_and_ours_private(
        home: Home, project: Path, tmp_path: Path, umask: int, mode: int) -> None:
    (home.path / "config.json").write_text('{"notes_file": ".claude/notes.md"}', encoding="utf-8")
    def masked() -> None:
        os.umask(umask)
    for words in (["Add it."], ["Add it.", "Now test it."]):
        transcript = typed(tmp_path / "t.jsonl", *words)
        home.run("save_snapshot.py", {**hook_input("Stop", transcript), "cwd": str(project)},
                 before=masked)
    assert stat.S_IMODE((project / ".claude" / "notes.md").stat().st_mode) == mode
    assert stat.S_IMODE((home.session / "notes.md").stat().st_mode) == 0o600
    assert (project / ".claude" / "notes.md").read_text(encoding="utf-8") == notes(home)
    assert "Now test it." in notes(home)
    assert home.log() == []


# --- faults of the disk ---


@pytest.mark.parametrize("failing", ["open", "replace", "fdopen"])
def test_a_full_disk_leaves_the_old_notes(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    home.save(typed(tmp_path / "t.jsonl", "Add it."), "Stop")
    before, real = notes(home), getattr(os, failing)

    def full(place: Any, *given: Any, **more: Any) -> Any:
        named = failing == "fdopen" or "notes.md" in str(place)
        if named and failing == "fdopen":
            os.close(place)
        if named:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(place, *given, **more)
    monkeypatch.setattr(os, failing, full)
    with pytest.raises(OSError, match="No space"):
        replace_text(str(home.session / "notes.md"), "new", 0o600)
    monkeypatch.undo()
    assert notes(home) == before
    assert not list(home.session.glob("*.tmp"))


def test_a_draft_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(OUTSIDE, encoding="utf-8")
    (tmp_path / f"notes.md.{os.getpid()}.tmp").symlink_to(tmp_path / "kept")
    with pytest.raises(FileExistsError):
        replace_text(str(tmp_path / "notes.md"), "new", 0o600)
    assert (tmp_path / "kept").read_text(encoding="utf-8") == OUTSIDE


def test_a_link_in_our_folder_is_replaced_itself(home: Home, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(OUTSIDE, encoding="utf-8")
    home.session.mkdir(parents=True)
    (home.session / "notes.md").symlink_to(tmp_path / "kept")
    home.save(typed(tmp_path / "t.jsonl", "Add it."), "Stop")
    assert (tmp_path / "kept").read_text(encoding="utf-8") == OUTSIDE
    assert "Add it." in notes(home)


@pytest.mark.parametrize("line", [
    b"", b"no json\n", b"[]\n", b'{"event":"restore","cycle":0}\n', b'{"event":"restore","cycle":0,"lines":7}\n',
    b'{"event":"restore","cycle":3,"lines":[]}\n', b'{"event":"restore","cycle":0,"lines":[{}', b"\0" * 99])
def test_a_history_that_does_not_tell(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "history.jsonl").write_bytes(line)
    made = Session()
    made.compacted()
    assert log_of(made, tmp_path) == [("compacted", "")]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_history_that_is_no_file(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "history.jsonl")
    made = Session()
    made.compacted()
    assert log_of(made, tmp_path) == [("compacted", "")]


# --- each event once ---


def busy() -> Session:
    made = Session()
    made.typed("Add the zone surcharge to the quote.")
    made.failed("Bash", "Exit code 1\nE   AssertionError: 3 != 4", command="pytest -q")
    made.ran("Bash", "12 passed in 0.3s", command="pytest -q")
    made.failed("Bash", "Exit code 1\nE   AssertionError: 5 != 4", command="pytest -q")
    made.ran("Bash", "[main 5b2340e] Add the surcharge", command="git commit -am 'Add the surcharge' && git push")
    return made


def test_saves_that_run_at_once_tell_each_event_once(home: Home, tmp_path: Path) -> None:
    path = busy().write(tmp_path / "t.jsonl")
    for _ in range(3):
        runs = [threading.Thread(target=home.save, args=(path, event)) for event in ("Stop", "PreCompact", "Stop")]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
    assert [line.split("**")[1] for line in notes(home).splitlines() if line[4:5] == ":"] == [
        "pushed", "committed", "failed", "passed", "failed", "asked"]


def test_a_save_that_failed_and_is_repeated(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = busy().write(tmp_path / "t.jsonl")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(json_files, "replace_store", refuse)
    with pytest.raises(OSError, match="No space"):
        save_snapshot.save(hook_input("Stop", path))
    monkeypatch.undo()
    home.save(path, "Stop")
    home.save(path, "Stop")
    assert len(home.stored("memory.json")["progress"]) == 6


def test_lines_that_are_read_again_are_not_told_again(tmp_path: Path) -> None:
    """A fork reads the end of what it copied once more, with its parent's memory."""
    memory = memory_of(busy(), tmp_path)
    again = memory_of(busy(), tmp_path, {**memory, "seen": [], "place": {}})
    assert again["progress"] == memory["progress"]


def test_the_log_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    made, memory = Session(), Record()
    for part in range(3):
        for number in range(MOST_EVENTS // 2 + 1):
            made.ran("Bash", "", command=f"git commit -m 'Change {part} {number}'")
        memory = memory_of(made, tmp_path, memory)
    texts = [one["text"] for one in memory["progress"]]
    assert (len(texts), texts[-1]) == (MOST_EVENTS, f"Change 2 {MOST_EVENTS // 2}")
    assert len(json.dumps(memory["progress"])) < 200_000


def test_long_words_are_cut(tmp_path: Path) -> None:
    made = Session()
    made.typed("Describe it. " + "Really long. " * 9_000)
    made.ran("Bash", "x" * 5_000, command="pytest " + "tests/test_x.py " * 500)
    made.answered(made.asked("Why? " * 900), "Why? " * 900, "So. " * 900)
    memory = memory_of(made, tmp_path)
    assert all(len(line) < 1_200 for line in notes_page("s", CWD, memory).splitlines())


# --- what the log tells ---


@pytest.mark.parametrize(("command", "output", "told"), [
    ("git commit -m 'Add x'", "[main 5b2340e] Add x\n 1 file changed", ["5b2340e Add x"]),
    ("git add -A && git commit -m x && git push", "[fix/y (root-commit) 5b2340e] Add x", ["5b2340e Add x"]),
    ("git commit -qm 'Add x'", "", ["Add x"]),
    ("git commit -q --message=\"Add x\"", "", ["Add x"]),
    ("git commit -m \"$(cat <<'EOF'\nAdd x\n\nLong.\nEOF\n)\"", "", ["Add x Long."]),
    ("git commit -m \"$(cat <<'EOF'\nAdd x\n\nLong.\nEOF\n)\"", "[main 5b2340e] Add x", ["5b2340e Add x"]),
    ("cd /srv && git commit -F message.txt -q", "", [""]),
    ("git -C /srv commit -m 'Add x' -q", "", ["Add x"]),
    ("git commit -m x", "On branch main\nnothing to commit, working tree clean", []),
    ("git commit -m x --dry-run", "", []),
    ("echo git commit -m x", "", []),
    ("git log --grep 'git commit'", "[main 5b2340e] Add x", []),
    ("git commit -m 'Use <b> and <!-- x'", "[main 5b2340e] Use <b> and <!-- x", ["5b2340e Use \\<b> and \\<!-- x"]),
    ("git commit -m 'password=hunter2hunter2'", "[main 5b2340e] password=hunter2hunter2",
     ["5b2340e password=[redacted: password]"])])
def test_commits(tmp_path: Path, command: str, output: str, told: list[str]) -> None:
    made = Session()
    made.ran("Bash", output, command=command)
    assert [text for what, text in log_of(made, tmp_path) if what == "committed"] == told


def test_a_commit_whose_push_failed(tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\n[main 5b2340e] Add x\nerror: failed to push", command="git commit -m x; git push")
    assert log_of(made, tmp_path) == [("committed", "5b2340e Add x")]


@pytest.mark.parametrize(("output", "failed", "told"), [
    ("....\n12 passed in 0.3s", False, ("passed", "`pytest -q`: \"12 passed in 0.3s\"")),
    ("", False, ("passed", "`pytest -q`")),
    ("E   AssertionError: 3 != 4\n1 failed, 2 passed", False, ("failed", "`pytest -q`: \"E AssertionError: 3 != 4\"")),
    ("Exit code 1\nE   AssertionError: 3 != 4", True, ("failed", "`pytest -q`: \"E AssertionError: 3 != 4\"")),
    ("0 failed, 2 passed", False, ("passed", "`pytest -q`: \"0 failed, 2 passed\""))])
def test_outcomes_of_a_check_behind_a_pipe(
        tmp_path: Path, output: str, failed: bool, told: tuple[str, str]) -> None:
    made = Session()
    (made.failed if failed else made.ran)("Bash", output, command="pytest -q 2>&1 | tail -5")
    assert log_of(made, tmp_path) == [told]


def test_only_changes_of_an_outcome_are_told(tmp_path: Path) -> None:
    made = Session()
    for ok in (True, True, False, False, True):
        (made.ran if ok else made.failed)("Bash", "ok" if ok else "Exit code 1\nerror: bad", command="make test")
        made.failed("Bash", "Exit code 1", command="grep -r nothing")
    assert [what for what, _ in log_of(made, tmp_path)] == ["passed", "failed", "passed"]


def test_tasks_are_done_once_with_their_names(tmp_path: Path) -> None:
    made = Session()
    made.todos(Ship="pending", Read="completed")
    made.todos(Ship="completed", Read="completed")
    made.created(7, "Pack <b>")
    memory = memory_of(made, tmp_path)
    made.updated(7, status="completed")
    assert log_of(made, tmp_path, memory) == [("done", "Read"), ("done", "Ship"), ("done", "Pack \\<b>")]


def test_words_of_the_person(tmp_path: Path) -> None:
    made = Session()
    made.typed("Never push to main.")
    made.typed("Forget what I said about pushing to main.")
    made.answered(made.asked("Which rounding?"), "Which rounding?", "Half even")
    made.rejected("Bash", command="rm -rf build")
    made.says("We'll use decimals for the rates because floats round wrongly.")
    made.says("## Decision: rates")
    made.ran("ExitPlanMode", "User has approved your plan.", plan="# Rates first\n\n## Context\nLong.")
    assert log_of(made, tmp_path) == [
        ("rule given", '"Never push to main."'), ("rule ended", '"Never push to main."'),
        ("rule given", '"Forget what I said about pushing to main."'),
        ("answered", '"Which rounding?" "Half even"'), ("not allowed", "`rm -rf build`"),
        ("decided", '"We\'ll use decimals for the rates because floats round wrongly."'),
        ("plan approved", '"Rates first"')]


def test_a_request_whose_rule_was_taken_back_is_asked_once(tmp_path: Path) -> None:
    made = Session()
    made.typed("Fix the parser in src/rates.py. Never touch the legacy tables here.")
    for _ in range(60):
        made.says("Reading.")
    made.typed("You can touch the legacy tables again.")
    assert [what for what, _ in log_of(made, tmp_path)] == ["asked", "rule given", "rule ended", "rule given"]


def test_an_answer_that_is_a_request_is_told_once(tmp_path: Path) -> None:
    made = Session()
    made.says("Shall I go on?")
    made.typed("First add the zone table.")
    made.says("Shall I go on?")
    made.typed("yes")
    assert log_of(made, tmp_path) == [
        ("asked", '"First add the zone table."'), ("answered", '"Shall I go on?" "yes"')]


def test_a_compaction_tells_what_was_put_back(home: Home, tmp_path: Path) -> None:
    made = busy()
    path = made.write(tmp_path / "t.jsonl")
    home.save(path)
    (home.session / "history.jsonl").write_text("".join(json.dumps({
        "schema": 1, "time": 1.0, "event": event, "cycle": cycle, "units": 900 + cycle, "lines": [{}] * 4}) + "\n"
        for event, cycle in (("audit", 0), ("restore", 0), ("restore", 5))), encoding="utf-8")
    made.compacted()
    home.save(made.write(path), "Stop")
    assert "**compacted** put back 4 lines, 900 characters\n" in notes(home)


# --- the page ---


def test_the_page_says_where_the_work_stands(home: Home, tmp_path: Path) -> None:
    made = busy()
    made.todos(Write_the_form="in_progress", Test_the_form="pending", Ship_it="pending")
    made.ran("Edit", file_path=f"{CWD}/src/quote.py")
    made.typed("Never push to main.")
    made.typed("Now the web form, please <b>.")
    made.failed("Bash", "Exit code 2\nerror TS2322: no number", command="npm run build")
    made.ran("Bash", "running in background with ID: b1", command="npm run dev")
    made.says("The build fails. Shall I pin the version?")
    home.save(made.write(tmp_path / "t.jsonl"), "Stop", extra={"TZ": "UTC"})
    text = notes(home)
    state = text.partition("## Current State\n")[2].partition("\n## ")[0]
    assert text.startswith(MARKER + f"# Notes on parcel-rates\n\nSession `{SESSION_ID}` in `{CWD}`, saved 20")
    assert state == '''
- **Asked**: "Now the web form, please \\<b>." (2026-09-21 14:13)
- **Step**:
    1. in progress: Write the form
    2. last failed: `npm run build`: "error TS2322: no number" (2026-09-21 14:13)
    3. last changed: `src/quote.py` (2026-09-21 14:13)
- **Blocking on**:
    1. your answer: "Shall I pin the version?"
    2. failing since 2026-09-21 14:13: `npm run build`: "error TS2322: no number"
- **Next**:
    1. Test the form
    2. Ship it
- **Running**: `npm run dev` as `b1`
- **Branch**: `main`
- **The agent's last words**: "The build fails. Shall I pin the version?"
'''
    assert '## Rules in force\n\n- "Never push to main."\n' in text
    assert "## Progress, the newest first\n\n### 2026-09-21\n\n- 14:13 **failed** `npm run build`" in text


def test_an_empty_session_has_a_page(tmp_path: Path) -> None:
    made = Session()
    made.progress()
    text = notes_page("s", "/", memory_of(made, tmp_path))
    assert "- **Asked**: nothing\n" in text
    assert "## Progress" not in text


def test_times_are_local(home: Home, tmp_path: Path) -> None:
    path = typed(tmp_path / "t.jsonl", "Add it.")
    home.save(path, "Stop", extra={"TZ": "XYZ-05:30"})
    assert "(2026-09-21 19:43)" in notes(home)


def test_long_lists_are_cut_and_say_so(tmp_path: Path) -> None:
    made = Session()
    for number in range(30):
        made.created(number, f"Task {number}")
        made.ran("Edit", file_path=f"{CWD}/src/m{number}.py")
        made.typed(f"Never touch table {number} of the rates.")
    text = notes_page("s", CWD, memory_of(made, tmp_path))
    assert text.count("… and 18 more") == 3


def test_no_notes_where_they_are_switched_off(home: Home, tmp_path: Path) -> None:
    (home.path / "config.json").write_text('{"notes": false}', encoding="utf-8")
    home.save(busy().write(tmp_path / "t.jsonl"))
    assert not (home.session / "notes.md").exists()
    assert home.stored("memory.json")["progress"] == []
    assert home.log() == []


def test_a_save_without_notes_keeps_the_log(tmp_path: Path) -> None:
    memory = memory_of(busy(), tmp_path)
    later = record_session.read_on(memory, "", str(tmp_path), {**default_settings(), "notes": False})[0]
    assert later["progress"] == memory["progress"]


@pytest.mark.parametrize("script", ["save_snapshot.py", "run_hook.py"])
def test_however_the_save_was_started(home: Home, tmp_path: Path, script: str) -> None:
    given = [] if script == "save_snapshot.py" else ["save_snapshot.py"]
    done = home.run(script, hook_input("Stop", busy().write(tmp_path / "t.jsonl")), *given)
    assert (done.code, home.log()) == (0, [])
    assert "**committed**" in notes(home)


def test_a_save_that_was_started_directly_is_not_loaded_twice(home: Home, tmp_path: Path) -> None:
    given = json.dumps(hook_input("Stop", busy().write(tmp_path / "t.jsonl"))).encode()
    done = subprocess.run([sys.executable, "-IS", "-X", "importtime", str(SCRIPTS / "save_snapshot.py")], input=given,
                          capture_output=True, env=home.environment())
    loaded = [line.split(b"|")[-1].strip() for line in done.stderr.splitlines()]
    assert b"write_notes" in loaded
    assert b"save_snapshot" not in loaded


def test_by_hand(home: Home, tmp_path: Path) -> None:
    home.save(busy().write(tmp_path / "t.jsonl"), "Stop")
    for given, code in (((), 0), ((SESSION_ID,), 0), (("another",), 1), (("..",), 1)):
        done = subprocess.run([sys.executable, str(SCRIPTS / "write_notes.py"), *given], capture_output=True,
                              env=home.environment(), text=True)
        assert (done.returncode, "# Notes on parcel-rates" in done.stdout) == (code, not code)
        assert ("no saved session" in done.stderr) == bool(code)
