"""Each attack on names, links and repositories finds what was broken for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import odd_names
import odd_paths
from attack import SCRIPTS, Ground
from course import COMPACTED, PROMPT, STOP

FOLLOWING = ('NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0)', "NO_LINK, NO_WAIT = 0")


def ground_with(folder: Path, name: str, right: str, wrong: str) -> Ground:
    """A ground whose scripts are copies, with one line of one of them changed."""
    scripts = folder / "scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    text = (scripts / name).read_text()
    assert right in text
    (scripts / name).write_text(text.replace(right, wrong, 1))
    return Ground(folder, full=False, scripts=scripts)


def only(table: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves one entry in a table of odd_names.py."""
    monkeypatch.setattr(odd_names, table, {name: getattr(odd_names, table)[name]})


def test_a_session_id_that_leads_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("SESSION_IDS", "climbing", monkeypatch)
    ground = ground_with(tmp_path, "record_event.py", r'[\w.-]{0,127}[\w-]\Z"', r'[\w./-]+\Z"')
    broken = odd_paths.session_ids(ground).broken
    assert any("victim" in line for line in broken)
    assert any("0 lines in the log" in line for line in broken)


def test_a_fifo_that_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("STRANGE", "FIFO", monkeypatch)
    monkeypatch.setattr(odd_names, "WORDS", {})
    monkeypatch.setattr(odd_names, "DEVICES", ())
    monkeypatch.setattr(odd_paths, "HOOK_TIMEOUT", 1.0)
    ground = ground_with(tmp_path, "save_snapshot.py", "os.open(path, flags | NO_WAIT, 0o600)", "os.open(path, flags)")
    assert any(line.startswith("FIFO: ") and "-1.0 s" in line for line in odd_paths.transcript_paths(ground).broken)


def test_a_name_that_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table, left in (("STRANGE", {}), ("DEVICES", ()), ("WORDS", {"new lines": "a\nb"})):
        monkeypatch.setattr(odd_names, table, left)
    ground = ground_with(tmp_path, "save_snapshot.py", 'and "\\0" not in path', "and path.isprintable()")
    assert "new lines: it was not read" in odd_paths.transcript_paths(ground).broken


@pytest.mark.parametrize("name", ["new lines", "escape"])
def test_a_project_that_speaks_in_the_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    only("WORDS", name, monkeypatch)
    ground = ground_with(tmp_path, "write_notes.py", "escaped(quote(os.path.basename(project) or project, NAME_SHOWN))",
                         "os.path.basename(project)")
    assert any(line.startswith(f"{name}: notes.md") for line in odd_paths.project_names(ground).broken)


def test_a_link_that_is_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "WRITERS", (PROMPT,))
    monkeypatch.setattr(odd_paths, "COMMANDS", ())
    monkeypatch.setattr(odd_paths, "OF_HOME", ())
    monkeypatch.setattr(odd_paths, "OF_SESSION", ("ledger.jsonl",))
    ground = ground_with(tmp_path, "record_event.py", 'NO_LINK = getattr(os, "O_NOFOLLOW", 0)', "NO_LINK = 0")
    assert any("outside" in line and "ledger.jsonl" in line for line in odd_paths.planted_links(ground).broken)


def test_a_draft_that_is_written_through(tmp_path: Path) -> None:
    broken = odd_paths.foreseen_drafts(ground_with(tmp_path, "save_snapshot.py", *FOLLOWING)).broken
    assert any("outside" in line and "id_rsa" in line for line in broken)


def test_a_link_that_comes_in_time(tmp_path: Path) -> None:
    ground = ground_with(tmp_path, "write_notes.py", "os.O_DIRECTORY | NO_LINK, dir_fd=here)",
                         "os.O_DIRECTORY, dir_fd=here)")
    outcome = odd_paths.swapped(ground, "notes", odd_paths.notes_folder, (PROMPT, STOP), 20)
    assert any("victim/NOTES.md" in line for line in outcome.broken)


def test_a_repository_that_switches_notes_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("REPOSITORIES", "settings: every setting that is not a project's", monkeypatch)
    ground = ground_with(tmp_path, "check_settings.py", 'OF_A_PROJECT = (', 'OF_A_PROJECT = ("notes", ')
    assert any("files {'notes.md'}" in line for line in odd_paths.hostile_repositories(ground).broken)


def test_a_repository_that_is_read_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("REPOSITORIES", "settings: longest life", monkeypatch)
    ground = ground_with(tmp_path, "save_snapshot.py", 'os.path.join(project, ".claude", "compact-keeper.json")',
                         'os.path.join(data_home(), "../project/.claude/compact-keeper.json")')
    assert any("another project heard of it" in line for line in odd_paths.hostile_repositories(ground).broken)


def test_a_hook_that_becomes_slow(tmp_path: Path) -> None:
    ground = Ground(tmp_path, full=False)
    clean = odd_paths.visited(ground, "clean", lambda *_: None, (COMPACTED, STOP))
    assert odd_paths.differences(clean, clean) == []
    slow = clean._replace(seconds=[one * 4 + 1 for one in clean.seconds])
    assert len(odd_paths.differences(clean, slow)) == 2


def test_a_module_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "waited_for", lambda _: True)  # nothing comes where the save is broken
    ground = ground_with(tmp_path, "run_hook.py", "sys.path.append(", "sys.path[:0] = [os.getcwd()]; sys.path.append(")
    assert any(line.startswith("imported: ") for line in odd_paths.hostile_starts(ground).broken)


def test_an_installation_that_follows_links_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "LED_OUT", ("CLAUDE.md",))
    ground = ground_with(tmp_path, "install.py", 'return os.path.join(folder, "").startswith(inside)', "return True")
    assert any("victim/CLAUDE.md" in line for line in odd_paths.installed_by_hand(ground).broken)
