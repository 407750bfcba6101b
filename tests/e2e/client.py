#!/usr/bin/env python3
"""The real client, pinned in client_versions.txt, from npm into a cache folder.

Usage: client.py --install [VERSION ...]      (default: the versions under test)

$COMPACT_KEEPER_CLIENTS names the versions under test: "all" pinned ones, those "between" the
newest and the oldest, or some, separated by spaces; without it the newest and the oldest, each
with one kind of compaction, and the newest alone for plays that come out alike on all clients.

A client lies in CACHE/claude-code/VERSION, where CACHE is $COMPACT_KEEPER_CACHE, else
$XDG_CACHE_HOME/compact-keeper, else ~/.cache/compact-keeper.  It is reused when present.
Nothing global is installed or changed; removing the cache folder removes everything.
Python 3.9+, standard library only.

Exits 0 when every client is there, 1 with one line naming what is missing or failed,
2 on a usage error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"
VERSIONS_FILE = Path(__file__).with_name("client_versions.txt")
SIZE_HINT = "about 400 MB, some ten seconds"
# Seconds; a slow line needs minutes for a client.
INSTALL_TIMEOUT = 900
NETWORK_ERRORS = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")  # npm's codes
NPM_OPTIONS = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")


class Refusal(Exception):
    """Why there is no client; the message names what the person has to fix."""


def pinned_versions() -> list[str]:
    """The pinned versions, newest first."""
    lines = VERSIONS_FILE.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def versions_under_test(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The versions that tests run, newest first: those asked for, else the newest and the oldest pinned one."""
    pinned, versions = pinned_versions(), environ.get("COMPACT_KEEPER_CLIENTS", "").split()
    if versions == ["all"]:
        return pinned
    if versions == ["between"]:
        return pinned[1:-1]
    return versions or [pinned[0], pinned[-1]]


def versions_of_plays_alike(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The versions for plays that come out alike on all clients: those asked for, else the newest alone."""
    versions = versions_under_test(environ)
    return versions if environ.get("COMPACT_KEEPER_CLIENTS", "").split() else versions[:1]


def versions_and_kinds(kinds: Sequence[str], environ: Mapping[str, str] = os.environ) -> list[tuple[str, str]]:
    """Each version with each kind of play; where no versions are asked for, each with one, the newest with the first.

    A play of the oldest client takes 8 to 17 seconds: both kinds with both clients took a sixth of `make e2e`.
    """
    versions = versions_under_test(environ)
    if environ.get("COMPACT_KEEPER_CLIENTS", "").split():
        return [(version, kind) for version in versions for kind in kinds]
    return list(zip(versions, kinds))


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that holds the installed clients, one subfolder per version."""
    own = environ.get("COMPACT_KEEPER_CACHE")
    if own:
        return Path(own) / "claude-code"
    shared = environ.get("XDG_CACHE_HOME")
    root = Path(shared) if shared else Path.home() / ".cache"
    return root / "compact-keeper" / "claude-code"


def program_in(folder: Path) -> Path:
    """The client's program in a folder that npm installed into."""
    return folder / "node_modules" / ".bin" / "claude"


def installed(version: str) -> Path | None:
    """The program of an installed version, None when it is not in the cache."""
    program = program_in(cache_folder() / version)
    return program if program.exists() else None


def ensure(version: str) -> Path:
    """The program of a version, installed first when it is not in the cache."""
    present = installed(version)
    if present:
        return present
    require_tools("node", "npm")
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    # A sibling, renamed when it is whole: an interrupted install is never taken for a client.
    fresh = Path(tempfile.mkdtemp(prefix=f".{version}.", dir=cache))
    try:
        npm_install(version, fresh)
        require_answer(version, program_in(fresh))
        put_in_place(fresh, cache / version)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return program_in(cache / version)


def require_tools(*tools: str) -> None:
    """Refuses when one of the tools is not on PATH."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        hint = "; Node.js 18 or newer brings node and npm" if {"node", "npm"} & set(missing) else ""
        raise Refusal(f"missing: {', '.join(missing)}{hint}")


def npm_install(version: str, folder: Path) -> None:
    """Installs the version into the folder; refuses with what npm complains of first."""
    command = ["npm", "install", "--prefix", str(folder), *NPM_OPTIONS, f"{PACKAGE}@{version}"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              timeout=INSTALL_TIMEOUT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Refusal(f"npm needed over {INSTALL_TIMEOUT} seconds for {PACKAGE}@{version}") from None
    if done.returncode:
        raise Refusal(f"npm could not install {PACKAGE}@{version}: {complaint(done)}")


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What npm complains of first; where it did not reach its registry, that."""
    away = next((code for code in NETWORK_ERRORS if code in done.stderr), "")
    if away:
        return f"its registry was not reached ({away}). The client is downloaded once; that takes a network"
    lines = "; ".join(line.replace("npm error ", "") for line in done.stderr.splitlines()[:2])
    return lines or f"exit code {done.returncode}"


def require_answer(version: str, program: Path) -> None:
    """Refuses when the program does not name its version: npm may be told to skip install scripts."""
    try:
        done = subprocess.run([str(program), "--version"], capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL)
        answer = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        answer = str(error)
    if not answer.startswith(version):
        raise Refusal(f"{PACKAGE}@{version} does not run here: {answer or 'it says nothing'}")


def put_in_place(fresh: Path, final: Path) -> None:
    """Renames the folder; one that another install has put there in the meantime is as good."""
    try:
        fresh.rename(final)
    except OSError:
        if not program_in(final).exists():
            raise


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Installs clients from npm into a cache folder.")
    parser.add_argument("--install", nargs="*", metavar="VERSION", required=True,
                        help="versions to install (default: those under test)")
    versions: list[str] = parser.parse_args(argv).install or versions_under_test()
    try:
        for version in versions:
            if not installed(version):
                require_tools("node", "npm")
                print(f"Installing {PACKAGE}@{version} ({SIZE_HINT}) …", flush=True)
            print(f"{version}: {ensure(version)}", flush=True)
    except (Refusal, OSError) as error:
        print(f"client.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
