"""What stands in the way of installed copies: several at once, older ones, a clone that differs or is gone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from compact_keeper.setup.installed import UNKNOWN_VERSION, Copy, how_to_renew
from compact_keeper.setup.plugin_folder import clone_folder, differing, folder_added_for, own_plugins
from compact_keeper.setup.reading import file_text
from compact_keeper.text.listing import first_and_more
from compact_keeper.text.version import VERSION

VERSION_LINE = re.compile(r'^VERSION = "([0-9]+(?:\.[0-9]+)*)"', re.MULTILINE)


def copies_warnings(installed: Sequence[Copy]) -> list[str]:
    """What is to be said where more than one copy is at work."""
    active = [copy for copy in installed if copy.active]
    if len(active) < 2:
        return []
    return [f"Installed {len(active)} times: only one puts back, but each takes its time at every event. Keep one:",
            *(f"  {copy.how}; to take it out: {copy.to_remove}" for copy in active)]


def outdated(installed: Sequence[Copy]) -> list[tuple[str, str]]:
    """Of each copy of an older version than these scripts, or with a script of one, that it is, and what to do."""
    findings = []
    for copy in installed:
        what = ""
        if [] < version_numbers(copy.version) < version_numbers(VERSION):
            what = f"{copy.how} is {copy.version},"
        elif older := older_scripts(copy):
            what = f"{copy.how}: {', '.join(older)};"
        if what:
            findings.append((f"{what} these scripts are {VERSION}", f"Bring it up to date: {copy.to_update}"))
    return findings


def differing_copies(installed: Sequence[Copy]) -> Iterator[tuple[str, str]]:
    """Of each plugin whose clone and whose copy in the client's cache differ: which of them runs, and what to do."""
    for copy in (copy for copy in installed if copy.cached):
        name = copy.to_remove.split()[-1]
        other = copy.cached if copy.path != copy.cached else clone_folder(name)
        names = differing(copy.path, other) if os.path.isdir(other) else []
        if not names:
            continue
        files = first_and_more(names, 1)
        if copy.path == copy.cached:
            yield (f"the client runs its own copy, which differs from {other} in {files}",
                   f"To run that: {how_to_renew(name, other, copy.cached)}")
        else:
            yield (f"the status line runs from a copy that differs from the clone in {files}: {other}",
                   f"To bring the copy up to date: {how_to_renew(name, copy.path, copy.cached)}")


def older_scripts(copy: Copy) -> list[str]:
    """The scripts that are older than these or than the others of the copy, each with its version."""
    versions = {os.path.basename(path): version_of(path) for path in copy.scripts}
    newest = max([version_numbers(VERSION), *map(version_numbers, versions.values())])
    return [f"{name} is {version}" for name, version in versions.items() if [] < version_numbers(version) < newest]


def shown_version(copy: Copy) -> str:
    """The version of a copy; where nothing tells the whole's, those of its scripts, newest first."""
    if copy.version != UNKNOWN_VERSION:
        return copy.version
    versions = {version_of(script) for script in copy.scripts} - {""}
    return " and ".join(sorted(versions, key=version_numbers, reverse=True)) or UNKNOWN_VERSION


def version_of(script: str) -> str:
    """The version of the plugin that a script came with; empty where it names none."""
    line = VERSION_LINE.search(file_text(script))
    return line[1] if line else ""


def version_numbers(version: str) -> list[int]:
    """A version's numbers; empty where it is none."""
    return list(map(int, version.split("."))) if re.fullmatch(r"[0-9]+(\.[0-9]+)*", version) else []


def missing_marketplaces() -> Iterator[str]:
    """The folders that were added as marketplaces of ours and are gone: then no client loads the plugin."""
    for name in own_plugins() or {}:
        path = folder_added_for(name)
        if path and not os.path.isdir(path):
            yield path
