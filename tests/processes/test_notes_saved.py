"""Notes as saves write them: each event once however many save, in the machine's own time, private, or not at all."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from sessions import Home, Session, git, hook_input, repository_at


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    return home


def notes(home: Home) -> str:
    return (home.session / "notes.md").read_text(encoding="utf-8")


def worked() -> Session:
    session = Session()
    session.typed("Add the zone surcharge to the quote.")
    session.failed("Bash", "Exit code 1\nE   AssertionError: 3 != 4", command="pytest -q")
    pushed = "[main 5b2340e] Add the surcharge\nTo github.com:ada/rates.git\n   1a2b3c4..5b2340e  main -> main"
    session.ran("Bash", pushed, command="git commit -am 'Add the surcharge' && git push")
    return session


def test_saves_that_run_at_once_tell_each_event_once(home: Home, tmp_path: Path) -> None:
    path = worked().write(tmp_path / "t.jsonl")
    for _ in range(3):
        runs = [threading.Thread(target=home.save, args=(path, event)) for event in ("Stop", "PreCompact", "Stop")]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
    assert [line.split("**")[1] for line in notes(home).splitlines() if line[4:5] == ":"] == [
        "pushed", "committed", "failed", "asked"]


def test_a_save_whose_snapshot_could_not_be_stored_and_the_next(home: Home, tmp_path: Path) -> None:
    path = worked().write(tmp_path / "t.jsonl")
    (home.session / "snapshot.json").mkdir(parents=True)
    home.save(path, "Stop")
    assert [line.partition("snapshot.json")[1] for line in home.log()] == ["snapshot.json"]
    (home.session / "snapshot.json").rmdir()
    for _ in range(2):
        home.save(path, "Stop")
    progress = home.stored("memory.json")["progress"]
    assert [line["what"] for line in progress] == ["asked", "failed", "committed", "pushed"]


def no_umask() -> None:
    os.umask(0)


def test_times_are_local_and_the_file_is_private(home: Home, tmp_path: Path) -> None:
    home.save(worked().write(tmp_path / "t.jsonl"), "Stop", extra={"TZ": "XYZ-05:30"}, before=no_umask)
    assert '- **Asked**: "Add the zone surcharge to the quote." (2026-09-21 19:43)' in notes(home)
    assert stat.S_IMODE((home.session / "notes.md").stat().st_mode) == 0o600


def test_pins_and_what_no_commit_holds(home: Home, tmp_path: Path) -> None:
    """Of the session and of its folder; git is asked at a turn's end and before a compaction."""
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "--quiet", "--initial-branch=main")
    (project / "a.py").write_text("a\n")
    (project / "b.py").write_text("b\n")
    git(project, "add", "a.py")
    session = Session()
    session.typed("Never push to main.")["cwd"] = str(project)
    path, extra = session.write(tmp_path / "t.jsonl"), {"CLAUDE_PROJECT_DIR": str(project)}
    for words in ("pin Demo on Thursday.", "pin --project Never run npm publish."):
        home.prompt(hook_input("UserPromptSubmit", path, prompt=f"/compact-keeper:{words}"), extra=extra)
    for event in ("Stop", "PreCompact"):
        session.says("On I go.")["cwd"] = str(project)
        home.save(session.write(path), event, extra=extra)
        assert '## Pinned\n\n- "Demo on Thursday."\n- "Never run npm publish."\n' in notes(home)
        assert ("- **Branch**: `main` without a commit so far\n- **Not committed**:\n    1. staged: `a.py`\n"
                "    2. new, in no commit yet: `b.py`\n") in notes(home)
    assert home.log() == []


def test_a_commit_of_which_git_printed_nothing_has_its_hash(home: Home, tmp_path: Path) -> None:
    project = repository_at(tmp_path / "project")
    git(project, "commit", "--quiet", "--allow-empty", "--message=Add x", date="2026-09-22T10:00:00Z")
    session = Session()
    session.typed("Commit it.")["cwd"] = str(project)
    session.ran("Bash", "", command="git commit -qm 'Add x'")
    session.says("Done.")["cwd"] = str(project)
    home.save(session.write(tmp_path / "t.jsonl"), "Stop", extra={"CLAUDE_PROJECT_DIR": str(project)})
    assert f"**committed** {git(project, 'rev-parse', '--short', 'HEAD')} Add x\n" in notes(home)


def test_without_notes_the_log_stays_as_it_was(home: Home, tmp_path: Path) -> None:
    session = worked()
    home.save(session.write(tmp_path / "t.jsonl"), "Stop")
    page, progress = notes(home), home.stored("memory.json")["progress"]
    (home.path / "config.json").write_text('{"notes": false}', encoding="utf-8")
    session.typed("Now the web form.")
    home.save(session.write(tmp_path / "t.jsonl"), "Stop")
    assert "Now the web form." in json.dumps(home.stored("memory.json")["items"])
    assert (notes(home), home.stored("memory.json")["progress"], home.log()) == (page, progress, [])


def test_a_file_of_the_project_is_not_written_any_more(home: Home, tmp_path: Path) -> None:
    (home.path / "config.json").write_text(json.dumps({"notes_file": "NOTES.md"}), encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    home.save(worked().write(tmp_path / "t.jsonl"), "Stop", extra={"CLAUDE_PROJECT_DIR": str(project)})
    [line] = home.log()
    assert "notes_file" in line
    assert "Add the zone surcharge" in notes(home)
    assert list(project.iterdir()) == []
