"""Which folder a session belongs to, and where the client keeps its configuration and its transcripts."""

from __future__ import annotations

import os

from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import HookInput


def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def transcripts_folder() -> str:
    """Where the client keeps the transcripts, in a folder for each project; without links, so each has one name."""
    return os.path.realpath(os.path.join(config_folder(), "projects"))


def transcript_folders() -> list[str]:
    """The folders in it; none where it is not there."""
    folder = transcripts_folder()
    return [entry.path for entry in os.scandir(folder) if entry.is_dir()] if os.path.isdir(folder) else []


def transcripts_named(session: str) -> list[str]:
    """The paths of the session's transcript: one, in the folder of its project, or none."""
    paths = [os.path.join(folder, f"{session}.jsonl") for folder in transcript_folders()]
    return [path for path in paths if os.path.isfile(path)]


def newest_transcript() -> str:
    """The transcript that was written last."""
    files = [file for folder in transcript_folders() for file in os.scandir(folder)]
    transcripts = [file.path for file in files if file.name.endswith(".jsonl")]
    if not transcripts:
        raise Refusal(f"no transcript in {transcripts_folder()}; name one: save_snapshot.py --dry-run TRANSCRIPT")
    return max(transcripts, key=os.path.getmtime)
