r"""Find again what was ever said or done, in all sessions, offline; the running one's unfinished turn too.

search WORDS    the 3 best passages (--limit N); words as they come, with a dash too; '"a phrase"' has to occur
                --project P --session S --since 7d --until DAY --kind prompt|answer|command|file|error|decision
show 2#57       that step and its neighbours; 2#40-60: these steps, 2: the whole turn, '#57': of the running session,
                k3fq or '#k3fq': the step whose tag ends a line put back, 1-k3fq or '#1-k3fq': all from the 1st to it
                --context N (neighbours) --match WORDS (lines with one of them) --lines A-B --page N
--chars N       the most that is printed in all: 2,000 of a search, 6,000 of a page; 0: everything. --json
Kept            words typed and said, commands, their end and what their output tells, edits, messages, reports
Not kept        thoughts, the middle of long outputs, of a long file most lines, what is over archive_days old
forget          --match TEXT (whole words) --project P --session S: turns go from the archive, whole; --dry-run --yes
Others          index [PATH ...] | stats | push | mcp | ask [WORDS] < QUESTION | first-prompt < JSON (docs/recall.md)

Exits 0 when done, found or not; 1 on a refusal that says why; 2 on wrong usage.
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
