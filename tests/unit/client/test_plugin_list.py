"""Whether the client has uninstalled the plugin that a script came with: said only where its list says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_keeper.client.plugin_list import is_uninstalled
from compact_keeper.store.refusal import Refusal

PLUGIN = "compact-keeper"


def script_in(plugins: Path, plugin: str = PLUGIN) -> str:
    return str(plugins / "cache" / "market" / plugin / "1.0.0" / "scripts" / "status_line.py")


@pytest.mark.parametrize("text", ["", "{", "\ud800", "[1" * 99_999], ids=["empty", "torn", "surrogate", "deep"])
def test_a_broken_list_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "installed_plugins.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises((ValueError, RecursionError)):
        is_uninstalled(script_in(tmp_path), PLUGIN)


@pytest.mark.parametrize("listed", [None, [], {}, {"plugins": None}, {"plugins": ["compact-keeper@market"]}, 7])
def test_a_list_of_another_form_says_nothing(tmp_path: Path, listed: object) -> None:
    (tmp_path / "installed_plugins.json").write_text(json.dumps(listed))
    assert not is_uninstalled(script_in(tmp_path), PLUGIN)


def test_a_list_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "installed_plugins.json")
    with pytest.raises(Refusal):
        is_uninstalled(script_in(tmp_path), PLUGIN)


@pytest.mark.parametrize(("names", "expected"), [
    ([], True), (["other@market"], True), (["compact-keeper-two@market"], True), (["compact-keeper@market"], False),
    (["compact-keeper@elsewhere"], False), (["other@market", "compact-keeper@market"], False)])
def test_the_list_says_whether_it_is_installed(tmp_path: Path, names: list[str], expected: bool) -> None:
    plugins: dict[str, list[str]] = {name: [] for name in names}
    (tmp_path / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": plugins}))
    assert is_uninstalled(script_in(tmp_path), PLUGIN) is expected


@pytest.mark.parametrize("place", ["clone/scripts/status_line.py", "cache/market/other/1.0.0/scripts/status_line.py",
                                   "status_line.py", ".claude/hooks/compact-keeper/status_line.py"])
def test_a_script_elsewhere_asks_no_list(tmp_path: Path, place: str) -> None:
    (tmp_path / "installed_plugins.json").write_text('{"plugins": {}}')
    assert not is_uninstalled(str(tmp_path / place), PLUGIN)
