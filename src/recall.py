r"""Find again what was ever said or done, in all sessions, offline; the running one's unfinished turn too.

search WORDS    the 3 best passages, each behind its place; the rarer a word, the more it counts. --project P
                --session S --since 7d --until 2026-11-21 --kind prompt|answer|command|file|error|decision --limit N
show 2#57       that step and its neighbours; 2#40-60: these steps, 2: the whole turn, #57: of the running session.
                --context N (neighbours) --match WORDS (lines with one of them) --lines A-B --page N
--chars N       the most that is printed in all: 2,000 of a search, 6,000 of a page; 0: everything. --json
Quoting         words as they come, in any order, with a dash too; '"a phrase"' has to occur; auth* begins so.
Kept            words typed and said, commands with how they ended and what their output tells, edits, messages, orders
                and reports of subagents. Not: thoughts, the middle of long outputs, of a file that was read more than
                its outline. What was forgotten or is older than archive_days is gone.
Others          index [PATH ...] [--quiet] | forget [--project P] [--session S] [--match TEXT] [--dry-run] [--yes] |
                stats | push | mcp | ask < QUESTION | first-prompt < JSON: docs/recall.md. Exits 0, 1 refused, 2 usage.
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
