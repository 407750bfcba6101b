"""What the client leaves of the plugin: told, or removed; never what is installed, another's, or behind a link."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from compact_keeper.setup.leftovers import tell_leftovers
from homes import Person, tree, write

COPY, DATA = "cache/market/compact-keeper", "data/compact-keeper-market"


def plugins_of(person: Person, listed: Sequence[str], known: Sequence[str] = ()) -> Path:
    """The client's folder of plugins, with a copy and data of ours and another's; what it lists."""
    plugins = person.home / ".claude" / "plugins"
    for name in (f"{COPY}/1.0.0/a.py", f"{DATA}/b", "cache/market/other/1.0.0/c.py", "data/other-market/d"):
        write(plugins / name, "x")
    write(plugins / "installed_plugins.json", json.dumps({"version": 2, "plugins": {name: [] for name in listed}}))
    write(plugins / "known_marketplaces.json", json.dumps({name: {} for name in known}))
    return plugins


@pytest.mark.parametrize("text", [None, "", "[]", '{"plugins": []}', "{"])
def test_without_a_list_nothing_goes(person: Person, text: str | None) -> None:
    plugins = plugins_of(person, [])
    (plugins / "installed_plugins.json").unlink()
    if text is not None:
        write(plugins / "installed_plugins.json", text)
    before = tree(person.home)
    tell_leftovers(is_to_go=True, dry_run=False)
    assert tree(person.home) == before


def test_what_is_installed_stays(person: Person, capsys: pytest.CaptureFixture[str]) -> None:
    plugins_of(person, ["compact-keeper@market"], ["market"])
    before = tree(person.home)
    tell_leftovers(is_to_go=True, dry_run=False)
    assert tree(person.home) == before
    assert not capsys.readouterr().out


def test_a_link_is_left_alone(person: Person, tmp_path: Path) -> None:
    plugins = plugins_of(person, [])
    write(tmp_path / "aim" / "precious", "x")
    for name in (COPY, DATA):
        (plugins / name).rename(tmp_path / name.replace("/", "-"))
        (plugins / name).symlink_to(tmp_path / "aim")
    tell_leftovers(is_to_go=True, dry_run=False)
    assert (tmp_path / "aim" / "precious").exists()
    assert (plugins / COPY).is_symlink()


def test_only_what_was_left_goes(person: Person) -> None:
    plugins = plugins_of(person, ["other@market"])
    tell_leftovers(is_to_go=True, dry_run=False)
    assert not (plugins / COPY).exists()
    assert not (plugins / DATA).exists()
    assert (plugins / "cache/market/other/1.0.0/c.py").exists()
    assert (plugins / "data/other-market/d").exists()


def test_a_folder_of_a_marketplace_goes_where_nothing_else_is_in_it(person: Person) -> None:
    plugins = plugins_of(person, [])
    for path in ("cache/market/other/1.0.0/c.py", "cache/market/other/1.0.0", "cache/market/other"):
        (plugins / path).unlink() if path.endswith("c.py") else (plugins / path).rmdir()
    tell_leftovers(is_to_go=True, dry_run=False)
    assert not (plugins / "cache/market").exists()


@pytest.mark.parametrize("dry_run", [False, True])
def test_it_is_told_and_stays_unless_it_is_to_go(person: Person, dry_run: bool,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    plugins = plugins_of(person, [], ["compact-keeper", "market"])
    before = tree(person.home)
    tell_leftovers(is_to_go=dry_run, dry_run=dry_run)
    assert tree(person.home) == before
    said = capsys.readouterr().out
    assert str(plugins / COPY) in said
    assert str(plugins / DATA) in said
    assert "claude plugin marketplace remove compact-keeper\n" in said
