#!/usr/bin/env python3
"""Tries the newest client on npm, and says in what it differs from the newest pinned one where hooks are concerned.

Both are installed and measured here (client_profile.py), so nothing but the client makes the difference: hook events
and their order, fields of their input, what outputs and exit codes come to, limits, records of the transcript.

Usage: newest.py [NEW [OLD]]      (make newest; other versions instead of the two)

Exits 0 when nothing differs, 1 with one line for each difference, 2 when it could not be tried.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import client
from client_profile import measured

NPM_TIMEOUT = 60  # seconds
SAME, DIFFERENT, NOT_TRIED = range(3)


def newest_on_npm() -> str:
    """The version that npm installs when it is asked for none."""
    client.require_tools("node", "npm")
    command = ["npm", "view", client.PACKAGE, "version", "--loglevel=error"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=NPM_TIMEOUT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise client.Refusal(f"npm needed over {NPM_TIMEOUT} seconds to name the newest version") from None
    if done.returncode or not done.stdout.strip():
        raise client.Refusal(f"npm does not name the newest version: {client.complaint(done)}")
    return done.stdout.strip()


def differences(new: Any, old: Any, *path: str) -> Iterator[str]:
    """One line for each place in which the new profile, or a part of it, is not as the old one."""
    where = ": ".join(path)
    if isinstance(new, dict) and isinstance(old, dict):
        yield from (f"{where}: gone: {key}" for key in old if key not in new)
        yield from (f"{where}: new: {key} ({words_of(new[key])})" for key in new if key not in old)
        for key in new:
            if key in old:
                yield from differences(new[key], old[key], *path, key)
    elif isinstance(new, list) and isinstance(old, list):
        yield from (f"{where}: {change}" for change in changes(new, old))
    elif new != old:
        yield f"{where}: {words_of(new)}, was {words_of(old)}"


def words_of(value: Any) -> str:
    """A part of a profile in a few words."""
    return ", ".join(value) if isinstance(value, (dict, list)) else str(value)


def changes(new: list[str], old: list[str]) -> Iterator[str]:
    """What has gone out of a course of events and come into it, each with what stands before it there."""
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, gone, until_gone, come, until_come in steps:
        for word, course, first, last in (("gone", old, gone, until_gone), ("new", new, come, until_come)):
            if kind != "equal" and first < last:
                behind = course[first - 1] if first else "the beginning"
                yield f"{word} behind {behind}: {' > '.join(course[first:last])}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Says in what the newest client on npm differs from the pinned one.")
    parser.add_argument("new", nargs="?", help="a version (default: the newest on npm)")
    parser.add_argument("old", nargs="?", default=client.pinned_versions()[0], help="a version (default: %(default)s)")
    given = parser.parse_args(argv)
    try:
        new = given.new or newest_on_npm()
        print(f"{new}{'' if given.new else ', the newest on npm,'} beside {given.old}{' again' * (new == given.old)}:",
              flush=True)
        lines = list(differences(measured(client.ensure(new)), measured(client.ensure(given.old))))
    except (client.Refusal, OSError, subprocess.TimeoutExpired) as error:
        print(f"newest.py: {error}", file=sys.stderr)
        return NOT_TRIED
    print("\n".join(lines) or "Nothing differs.")
    return DIFFERENT if lines else SAME


if __name__ == "__main__":
    raise SystemExit(main())
