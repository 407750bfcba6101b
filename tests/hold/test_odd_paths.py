"""Each attack on names, links and repositories finds what was broken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

import odd_names
import odd_paths
from attack import Ground
from broken_scripts import Break, ground_with
from course import COMPACTED, PROMPT, STOP

NO_GUARD = Break("save_snapshot.py", "NO_LINK", "NO_LINK = 0")


def only(table: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves one entry in a table of odd_names.py."""
    monkeypatch.setattr(odd_names, table, {name: getattr(odd_names, table)[name]})


def test_a_session_id_that_leads_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("SESSION_IDS", "climbing", monkeypatch)
    ground = ground_with(tmp_path, Break("answer_prompt.py", "SESSION_ID", r'SESSION_ID = re.compile(r"[\w./-]+\Z")'))
    broken = odd_paths.session_ids(ground).broken
    assert any("victim" in line for line in broken)
    assert any("0 lines in the log" in line for line in broken)


def test_a_fifo_that_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("STRANGE", "FIFO", monkeypatch)
    monkeypatch.setattr(odd_names, "WORDS", {})
    monkeypatch.setattr(odd_names, "DEVICES", ())
    monkeypatch.setattr(odd_paths, "HOOK_TIMEOUT", 1.0)
    ground = ground_with(tmp_path, Break("save_snapshot.py", "NO_WAIT", "NO_WAIT = 0"))
    assert any(line.startswith("FIFO: ") and "-1.0 s" in line for line in odd_paths.transcript_paths(ground).broken)


def test_a_name_that_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table, left in (("STRANGE", {}), ("DEVICES", ()), ("WORDS", {"new lines": "a\nb"})):
        monkeypatch.setattr(odd_names, table, left)
    ground = ground_with(tmp_path, Break("save_snapshot.py", "usable_path", """
def usable_path(path):
    return path if path.isprintable() else \"\""""))
    assert "new lines: it was not read" in odd_paths.transcript_paths(ground).broken


@pytest.mark.parametrize("name", ["new lines", "escape"])
def test_a_project_that_speaks_in_the_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    only("WORDS", name, monkeypatch)
    ground = ground_with(tmp_path, Break("save_snapshot.py", "notes_page", """
def notes_page(session, project, *known):
    return right_notes_page(session, project, *known) + os.path.basename(project)"""))
    assert any(line.startswith(f"{name}: notes.md") for line in odd_paths.project_names(ground).broken)


def test_a_link_that_is_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "WRITERS", (PROMPT,))
    monkeypatch.setattr(odd_paths, "COMMANDS", ())
    monkeypatch.setattr(odd_paths, "OF_HOME", ())
    monkeypatch.setattr(odd_paths, "OF_SESSION", ("ledger.jsonl",))
    ground = ground_with(tmp_path, Break("answer_prompt.py", "NO_LINK", "NO_LINK = 0"))
    assert any("outside" in line and "ledger.jsonl" in line for line in odd_paths.planted_links(ground).broken)


def test_a_draft_that_is_written_through(tmp_path: Path) -> None:
    broken = odd_paths.foreseen_drafts(ground_with(tmp_path, NO_GUARD)).broken
    assert any("outside" in line and "id_rsa" in line for line in broken)


def test_a_link_that_comes_in_time(tmp_path: Path) -> None:
    ground = ground_with(tmp_path, Break("answer_prompt.py", "NO_LINK", "NO_LINK = 0"))
    outcome = odd_paths.swapped(ground, "files", odd_paths.data_files, (PROMPT,), 20)
    assert any("victim/" in line for line in outcome.broken)


def test_a_repository_that_switches_notes_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("REPOSITORIES", "settings: every setting that is not a project's", monkeypatch)
    ground = ground_with(tmp_path, Break(
        "save_snapshot.py", "OF_A_PROJECT", 'OF_A_PROJECT = ("notes", *right_OF_A_PROJECT)'))
    assert any("files {'notes.md'}" in line for line in odd_paths.hostile_repositories(ground).broken)


def test_a_repository_that_is_read_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("REPOSITORIES", "settings: longest life", monkeypatch)
    ground = ground_with(tmp_path, Break("save_snapshot.py", "settings_for", """
def settings_for(project):
    return right_settings_for(os.path.join(data_home(), "../project"))"""))
    assert any("another project heard of it" in line for line in odd_paths.hostile_repositories(ground).broken)


def test_a_hook_that_becomes_slow(tmp_path: Path) -> None:
    ground = Ground(tmp_path, full=False)
    clean = odd_paths.visited(ground, "clean", lambda *_: None, (COMPACTED, STOP))
    assert odd_paths.differences(clean, clean) == []
    slow = clean._replace(seconds=[second * 4 + 1 for second in clean.seconds])
    assert len(odd_paths.differences(clean, slow)) == 2


def test_a_module_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "waited_for", lambda _: True)  # nothing comes where the save is broken
    ground = ground_with(tmp_path, Break("run_hook.py", "main", """
def main(argv=None):
    sys.path[:0] = [os.getcwd()]
    return right_main(argv)"""))
    assert any(line.startswith("imported: ") for line in odd_paths.hostile_starts(ground).broken)


def test_an_installation_that_follows_links_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_paths, "LED_OUT", ("CLAUDE.md",))
    ground = ground_with(tmp_path, Break("install.py", "leads_into", """
def leads_into(project, path):
    return True"""))
    assert any("victim/CLAUDE.md" in line for line in odd_paths.installed_by_hand(ground).broken)
