#!/usr/bin/env python3
"""The blocks of code that several scripts hold word for word, kept equal.

Every script works when it is copied alone, so what they all need stands in each of them, between the lines
`# --- shared: NAME ---` and `# --- end of shared: NAME ---`. Blocks of one name are equal in all scripts and
have at most 80 lines.

Usage: shared_blocks.py [--fix [--from SCRIPT]] [--root FOLDER]

Without --fix nothing is written. With it, each block that differs is rewritten from the script given, where
it holds the block, else from scripts/save_snapshot.py, else from the first script by name that does.

Exits 0 when all blocks are in order, 1 naming what is not, 2 on a usage error.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LINE_LIMIT = 80
DEFAULT_SOURCE = "scripts/save_snapshot.py"
MARKER = re.compile(r"^[ \t]*#[ \t]*-+[ \t]*(?:end of )?shared:", re.MULTILINE)
BLOCK = re.compile(
    r"^(?P<head># --- shared: (?P<name>[^\n]+) ---\n)"
    r"(?P<body>.*?)"
    r"^(?P<tail># --- end of shared: (?P=name) ---)$",
    re.MULTILINE | re.DOTALL,
)


class Original(NamedTuple):
    """The block that its copies are made from."""

    path: str
    body: str


class Args(argparse.Namespace):
    """The command line's values."""

    fix: bool
    source: str | None
    root: Path


def blocks(text: str) -> dict[str, str]:
    """The body of each block by its name."""
    return {found["name"]: found["body"] for found in BLOCK.finditer(text)}


def marker_faults(path: str, text: str) -> list[str]:
    """What is wrong with one script's markers."""
    names = Counter(found["name"] for found in BLOCK.finditer(text))
    faults = [f"{path}: block '{name}' stands {count} times" for name, count in names.items() if count > 1]
    inside = any(MARKER.search(body) for body in blocks(text).values())
    if inside or len(MARKER.findall(text)) != 2 * sum(names.values()):
        faults.append(f"{path}: a marker of a shared block has no partner or is misspelt")
    return faults


def size_faults(path: str, text: str) -> list[str]:
    """The blocks of one script that are too long."""
    lengths = {name: body.count("\n") for name, body in blocks(text).items()}
    return [f"{path}: block '{name}' has {lines} lines, {LINE_LIMIT} are allowed"
            for name, lines in lengths.items() if lines > LINE_LIMIT]


def originals_in(texts: Mapping[str, str], preferred: Iterable[str]) -> dict[str, Original]:
    """The block that each copy is made from, by name: of a preferred script, else of the first by name."""
    found: dict[str, Original] = {}
    for path in [path for path in preferred if path in texts] + sorted(texts):
        for name, body in blocks(texts[path]).items():
            found.setdefault(name, Original(path, body))
    return found


def rewritten(texts: Mapping[str, str], originals: Mapping[str, Original]) -> dict[str, str]:
    """The new text of each script whose blocks differ from the originals."""
    fresh = {
        path: BLOCK.sub(lambda found: found["head"] + originals[found["name"]].body + found["tail"], text)
        for path, text in texts.items()
    }
    return {path: text for path, text in fresh.items() if text != texts[path]}


def copy_faults(path: str, text: str, originals: Mapping[str, Original]) -> list[str]:
    """The blocks of one script that differ from their originals."""
    return [f"{path}: block '{name}' differs from {originals[name].path}; make fix-blocks rewrites it"
            for name, body in blocks(text).items() if body != originals[name].body]


def faults(texts: Mapping[str, str]) -> list[str]:
    """Everything that is not in order, one line each."""
    originals = originals_in(texts, [DEFAULT_SOURCE])
    found: list[str] = []
    for path, text in sorted(texts.items()):
        found += marker_faults(path, text) + size_faults(path, text) + copy_faults(path, text, originals)
    return found


def read_scripts(root: Path) -> dict[str, str]:
    """The text of every script by its path from the root."""
    paths = sorted((root / "scripts").glob("*.py"))
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in paths}


def fix(root: Path, texts: Mapping[str, str], preferred: Iterable[str]) -> dict[str, str]:
    """The texts after the rewrite; every script that changed is written and named."""
    changed = rewritten(texts, originals_in(texts, preferred))
    for path, text in changed.items():
        (root / path).write_bytes(text.encode())
        print(f"{path}: rewritten")
    return {**texts, **changed}


def parse(argv: Sequence[str] | None) -> Args:
    """The command line; a usage error exits with 2."""
    parser = argparse.ArgumentParser(description="Holds the shared blocks of the scripts equal.")
    parser.add_argument("--fix", action="store_true", help="rewrite the blocks that differ")
    parser.add_argument("--from", dest="source", metavar="SCRIPT", help="the script whose blocks are right")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], metavar="FOLDER",
                        help="the folder that holds scripts/ (default: this repository)")
    args = parser.parse_args(argv, namespace=Args())
    if args.source and not args.fix:
        parser.error("--from needs --fix")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all blocks are in order, 1 when not."""
    args = parse(argv)
    texts = read_scripts(args.root)
    if args.source and args.source not in texts:
        print(f"shared_blocks.py: {args.source} is none of the scripts: {', '.join(texts)}", file=sys.stderr)
        return 1
    # A broken marker would let the rewrite take in code that is nobody's block.
    broken = [fault for path, text in texts.items() for fault in marker_faults(path, text)]
    if args.fix and not broken:
        texts = fix(args.root, texts, filter(None, [args.source, DEFAULT_SOURCE]))
    found = faults(texts)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
