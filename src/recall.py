r"""Find again what was ever said or done: an archive of all sessions' turns with full-text search, offline.

Usage: recall.py index [PATH ...] [--quiet]    takes in transcripts; none named: all of the client's projects folder
       recall.py search WORDS ... [--project P] [--session S] [--since T] [--until T] [--kind KIND] [--limit N]
                                  [--chars N] [--json]
       recall.py ask < QUESTION    for an agent: a search, or `show ID`, in at most 2,000 characters; always exits 0
       recall.py show ID [--context N] [--chars N] [--json]    a turn, whole, and N of its session on either side
       recall.py forget [--project P] [--session S] [--match TEXT] [--dry-run] [--yes]
       recall.py stats [--json]
       recall.py push | mcp    sends what is new to PostgreSQL; serves the Model Context Protocol on stdio
       recall.py first-prompt < JSON    what the archive has on a prompt that the model was not given; for a hook
WORDS   all count, the rarer the more (BM25); "words in quotes" have to occur, auth* begins so. Identifiers and paths
        are found by their parts. T: 2026-11-21, 2026-11-21T14:00, 7d, 12h. P: a folder or the end of its path.
Reads   transcripts from where the last run stopped; never those of a project whose .claude/compact-keeper.json says
        "archive": false. Settings in config.json: archive, archive_days, archive_mb.
Writes  archive.db in the data folder (SQLite, for the owner alone). A row is a turn, secrets replaced: typed words,
        answer, commands with how they ended, files, errors, decisions. The same turn is stored once.
Server  COMPACT_KEEPER_ARCHIVE=postgresql://name:password@host/database names one that is searched instead.
Start   `run_hook.py recall.py search ...` where that lies beside it: then Python does not compile it each time (40 ms).
Exits   0 when done (found or not), 1 on a refusal that says why, 2 on wrong usage, 130 on Ctrl-C (a later run goes on).
        Python 3.9+, standard library only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from compact_keeper.archive.commands import run_recall


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command named."""
    return run_recall(sys.argv[1:] if argv is None else argv, __doc__ or "")


if __name__ == "__main__":
    raise SystemExit(main())
