"""Which copy of the plugin the client runs, and how a second copy that differs is told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_keeper.setup import plugin_folder
from compact_keeper.setup.copy_faults import differing_copies
from compact_keeper.setup.installed import copies
from compact_keeper.setup.plugin_folder import clone_folder, differing, running_folder
from homes import Person, clone_in, plugin_from_folder, write


@pytest.fixture
def folders(person: Person) -> tuple[Path, Path]:
    """The clone that is the marketplace, and the client's copy of it."""
    clone, cached = person.home / "clone", person.home / ".claude/plugins/cache/market/compact-keeper/0.3.0"
    for folder in (clone, cached):
        clone_in(folder)
    plugin_from_folder(person, clone, cached)
    return clone, cached


def client_is(person: Person, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    write(person.home / "bin/claude", f"#!/bin/sh\necho {version}\n", 0o755)
    monkeypatch.setenv("PATH", f"{person.home / 'bin'}:/usr/bin:/bin")


@pytest.mark.parametrize(("version", "runs"), [("2.1.76", 1), ("2.1.330", 0), ("hello", 0)])
def test_the_version_tells_which_copy_runs(person: Person, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch,
                                           version: str, runs: int) -> None:
    client_is(person, monkeypatch, version)
    [copy] = copies(str(person.project))
    assert copy.to_update.startswith("claude plugin uninstall" if runs else f"git -C {folders[0]} pull")
    assert copy.path == str(folders[runs])
    assert copy.cached == str(folders[1])
    assert copy.hooks
    assert all(script.startswith(str(folders[runs])) for script in copy.scripts)


@pytest.mark.parametrize("runs", [0, 1])
def test_started_by_the_client_the_copy_around_this_file_is_it(
        person: Person, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, runs: int) -> None:
    client_is(person, monkeypatch, "2.1.330" if runs else "2.1.76")  # which would say the other
    monkeypatch.setattr(plugin_folder, "PLUGIN_FOLDER", str(folders[runs]))
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", f"{folders[runs]}/")
    assert copies(str(person.project))[0].path == str(folders[runs])
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/another/plugin")
    assert copies(str(person.project))[0].path == str(folders[1 - runs])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"market": 7}', '{"market": {"source": "x"}}',
                                  '{"market": {"source": {"source": "directory", "path": 7}}}',
                                  '{"market": {"source": {"source": "directory", "path": "/gone"}}}',
                                  '{"market": {"source": {"source": "github", "repo": "a/b"}}}'])
def test_without_a_folder_it_is_the_clients_own_copy(person: Person, folders: tuple[Path, Path], text: str) -> None:
    write(person.home / ".claude/plugins/known_marketplaces.json", text)
    assert running_folder("compact-keeper@market", "/x/0.3.0") == "/x/0.3.0"
    assert copies(str(person.project))[0].path == str(folders[1])


@pytest.mark.parametrize(("plugins", "place"), [
    ([7, {"name": "other", "source": "./scripts"}, {"name": "compact-keeper", "source": "./hooks/.."}], "."),
    ([{"name": "compact-keeper", "source": "./hooks"}], "hooks"),
    ([{"name": "compact-keeper", "source": {"source": "github"}}], None), ("./", None), ([], None),
    ([{"name": "compact-keeper", "source": "./gone"}], None)])
def test_the_marketplace_names_the_plugins_folder(
        folders: tuple[Path, Path], plugins: object, place: str | None) -> None:
    write(folders[0] / ".claude-plugin/marketplace.json", json.dumps({"plugins": plugins}))
    assert clone_folder("compact-keeper@market") == ("" if place is None else str(folders[0] / place))


def test_bytecode_is_no_difference_and_another_byte_is(folders: tuple[Path, Path]) -> None:
    clone, cached = map(str, folders)
    write(folders[0] / "scripts/__pycache__/stats.pyc", "x")
    assert differing(clone, cached) == []
    write(folders[0] / "hooks/run", "exit 3\n")
    write(folders[1] / "skills/new/SKILL.md", "x")
    assert differing(clone, cached) == ["hooks/run", "skills/new/SKILL.md"]


TOLD = ("the status line runs from a copy that differs from the clone in hooks/run: {1}",
        "the client runs its own copy, which differs from {0} in hooks/run")


@pytest.mark.parametrize(("version", "runs"), [("2.1.105", 0), ("2.1.76", 1)])
def test_a_clone_and_a_copy_that_differ_are_told_of(
        person: Person, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, version: str, runs: int) -> None:
    client_is(person, monkeypatch, version)
    assert [*differing_copies(copies(str(person.project)))] == []
    write(folders[1 - runs] / "hooks/run", "exit 3\n")
    [(what, to_do)] = differing_copies(copies(str(person.project)))
    assert what == TOLD[runs].format(*folders)
    assert "claude plugin uninstall compact-keeper@market && claude plugin install compact-keeper@market" in to_do
    write(folders[0] / ".claude-plugin/plugin.json", '{"version": "9.0.0"}')
    [(what, to_do)] = differing_copies(copies(str(person.project)))
    assert to_do.endswith(": claude plugin update compact-keeper@market")
