#!/usr/bin/env python3
"""Show what would be put back for a transcript if it were compacted now; nothing on disk is changed.

Usage: save_snapshot.py --preview [TRANSCRIPT] [--why] [--notes]

Without TRANSCRIPT it takes the newest one of the client's projects folder ($CLAUDE_CONFIG_DIR, else ~/.claude).
What the session's memory holds already is read too. --why adds every item with its score, the terms of the score
and whether the item is put back. --notes shows the session's notes.md instead.

It calls what the hooks call of the files that lie beside it, and writes nothing. answer_command.py runs it too.
Exits 0 on success, 1 with one line that says what is missing. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

import render_snapshot
import restore_snapshot
import save_snapshot


class Refusal(Exception):
    """Says what is missing for a preview."""


def newest_transcript() -> str:
    """The transcript that was written last in the client's projects folder."""
    projects = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"), "projects")
    folders = [entry.path for entry in os.scandir(projects) if entry.is_dir()] if os.path.isdir(projects) else []
    found = [file.path for folder in folders for file in os.scandir(folder) if file.name.endswith(".jsonl")]
    if not found:
        raise Refusal(f"no transcript in {projects}; name one: save_snapshot.py --preview TRANSCRIPT")
    return max(found, key=os.path.getmtime)


def folder_of(transcript: str) -> str:
    """The folder of the transcript's session."""
    session = os.path.basename(transcript).partition(".jsonl")[0]
    return os.path.join(save_snapshot.data_home(), "sessions", session)


def snapshot_for(transcript: str) -> tuple[dict[str, Any], list[int]]:
    """The snapshot that a save would store for the transcript now, and where the session's compactions came."""
    if not os.path.isfile(transcript):
        raise Refusal(f"{transcript} is not a file; name a transcript (*.jsonl)")
    folder, project = folder_of(transcript), save_snapshot.project_folder({})
    memory = save_snapshot.read_store(os.path.join(folder, "memory.json"))
    used = save_snapshot.settings(project)
    new = save_snapshot.remember(memory, os.path.abspath(transcript), folder, used)
    snapshot = restore_snapshot.as_of_now({**save_snapshot.snapshot_of(new, used), "project": project}, folder)
    return snapshot, restore_snapshot.positions_of(restore_snapshot.read_compaction(folder), snapshot)


def notes_of(transcript: str) -> str:
    """The session's notes, as save_snapshot.py keeps them."""
    path = os.path.join(folder_of(transcript), "notes.md")
    if not os.path.isfile(path):
        raise Refusal(f"no notes of this session yet; the first turn that ends writes {path}")
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def reasons(snapshot: dict[str, Any]) -> str:
    """A row for every item: score, whether it is put back, kind, text and the terms of its score."""
    rows = ["score  put back?  kind: text = terms"]
    ranked = render_snapshot.candidates(snapshot)
    render_snapshot.select(ranked, snapshot["used"]["budget"])
    for one in [one for one in ranked if one["kind"] != "state"]:
        terms = " × ".join(f"{name} {value:.2f}" for name, value in one["terms"].items())
        put_back, text = "put back" if "section" in one else "left out", " ".join(one["text"].split())[:80]
        rows.append(f"{one['score']:5.2f}  {put_back}  {one['kind']}: {render_snapshot.in_quotes(text)} = {terms}")
    return "\n".join(rows)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the preview was printed, 1 when something is missing, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="save_snapshot.py", description="Shows what would be put back now.")
    parser.add_argument("--preview", nargs="?", metavar="TRANSCRIPT", help="default: the newest transcript")
    parser.add_argument("--why", action="store_true", help="add every item with its score")
    parser.add_argument("--notes", action="store_true", help="show the session's notes instead")
    given = parser.parse_args(argv)
    try:
        transcript = given.preview or newest_transcript()
        if given.notes:
            print(notes_of(transcript))
            return 0
        snapshot, positions = snapshot_for(transcript)
    except (OSError, Refusal, save_snapshot.Refusal, restore_snapshot.Refusal) as missing:
        print(f"compact-keeper: {missing}", file=sys.stderr)
        return 1
    text = restore_snapshot.text_for(snapshot, positions)[0] if snapshot["items"] else ""
    print(text or "compact-keeper: nothing to put back yet")
    if given.why:
        print("\n" + reasons(snapshot))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
