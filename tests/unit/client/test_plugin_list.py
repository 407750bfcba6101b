"""Whether the client has uninstalled or switched off a script's plugin: only where its files say so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_keeper.client.plugin_list import PLUGIN, is_disabled, is_marketplace_gone, is_uninstalled


def script_in(plugins: Path, plugin: str = PLUGIN) -> str:
    return str(plugins / "cache" / "market" / plugin / "1.0.0" / "scripts" / "status_line.py")


@pytest.mark.parametrize("text", ["", "{", "\ud800", "[1" * 99_999], ids=["empty", "torn", "surrogate", "deep"])
def test_a_broken_list_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "installed_plugins.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert not is_uninstalled(script_in(tmp_path))


@pytest.mark.parametrize("listed", [None, [], {}, {"plugins": None}, {"plugins": ["compact-keeper@market"]}, 7])
def test_a_list_of_another_form_says_nothing(tmp_path: Path, listed: object) -> None:
    (tmp_path / "installed_plugins.json").write_text(json.dumps(listed))
    assert not is_uninstalled(script_in(tmp_path))


def test_a_list_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "installed_plugins.json")
    assert not is_uninstalled(script_in(tmp_path))


@pytest.mark.parametrize(("names", "expected"), [
    ([], True), (["other@market"], True), (["compact-keeper-two@market"], True), (["compact-keeper@market"], False),
    (["compact-keeper@elsewhere"], False), (["other@market", "compact-keeper@market"], False)])
def test_the_list_says_whether_it_is_installed(tmp_path: Path, names: list[str], expected: bool) -> None:
    plugins: dict[str, list[str]] = {name: [] for name in names}
    (tmp_path / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": plugins}))
    assert is_uninstalled(script_in(tmp_path)) is expected


@pytest.mark.parametrize("place", ["clone/scripts/status_line.py", "cache/market/other/1.0.0/scripts/status_line.py",
                                   "status_line.py", ".claude/hooks/compact-keeper/status_line.py"])
def test_a_script_elsewhere_asks_no_list(tmp_path: Path, place: str) -> None:
    (tmp_path / "installed_plugins.json").write_text('{"plugins": {}}')
    assert not is_uninstalled(str(tmp_path / place))


@pytest.mark.parametrize(("entry", "expected"), [
    ({"source": {"source": "directory", "path": "/gone"}}, True),
    ({"source": {"source": "directory", "path": "/"}}, False),
    ({"source": {"source": "github", "repo": "a/b"}}, False), ({"source": {"source": "directory", "path": 7}}, False),
    ({"source": 7}, False), (7, False), (None, False)])
def test_a_marketplace_is_gone_only_where_a_folder_is_named_that_is_not_there(
        tmp_path: Path, entry: object, expected: bool) -> None:
    assert not is_marketplace_gone(script_in(tmp_path))
    (tmp_path / "known_marketplaces.json").write_text(json.dumps({"market": entry}))
    assert is_marketplace_gone(script_in(tmp_path)) is expected
    assert not is_marketplace_gone(str(tmp_path / "clone/scripts/status_line.py"))


OFF, ON = {"compact-keeper@market": False}, {"compact-keeper@market": True}


@pytest.mark.parametrize(("user", "project", "local", "expected"), [
    (OFF, None, None, True), (OFF, ON, None, False), (ON, OFF, None, True), (ON, ON, OFF, True), (OFF, None, ON, False),
    (ON, None, None, False), (None, None, None, False), ({"compact-keeper@else": False}, None, None, False),
    (OFF, 7, [], True), ({"compact-keeper@market": "no"}, None, None, False), ([], {}, "{", False)])
def test_the_last_settings_that_name_the_plugin_count(
        tmp_path: Path, user: object, project: object, local: object, expected: bool) -> None:
    (tmp_path / "project/.claude").mkdir(parents=True)
    for name, enabled in (("settings.json", user), ("project/.claude/settings.json", project),
                          ("project/.claude/settings.local.json", local)):
        if enabled is not None:
            (tmp_path / name).write_text("{" if enabled == "{" else json.dumps({"enabledPlugins": enabled}))
    assert is_disabled(script_in(tmp_path / "plugins"), str(tmp_path / "project")) is expected
    assert not is_disabled(str(tmp_path / "clone/scripts/status_line.py"), str(tmp_path / "project"))


def test_settings_that_are_no_file_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    assert not is_disabled(script_in(tmp_path / "plugins"), "")
