"""Which folder a session belongs to, and where the client keeps its transcripts."""

from __future__ import annotations

import os

from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import HookInput


def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def newest_transcript() -> str:
    """The transcript that was written last in the client's projects folder."""
    projects = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"), "projects")
    folders = [entry.path for entry in os.scandir(projects) if entry.is_dir()] if os.path.isdir(projects) else []
    transcripts = [file.path for folder in folders for file in os.scandir(folder) if file.name.endswith(".jsonl")]
    if not transcripts:
        raise Refusal(f"no transcript in {projects}; name one: save_snapshot.py --dry-run TRANSCRIPT")
    return max(transcripts, key=os.path.getmtime)
