"""How far the index has come, as it is shown on a terminal or elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from compact_keeper.store.disk import size_of
from compact_keeper.text.kind_words import count_shown

REDRAW_SECONDS, LINE_SECONDS = 0.1, 5  # between two looks of the bar; between two lines where there is no terminal
BAR_SIGNS = 20


class Progress:
    """Tells how far the index has come: a bar that redraws itself on a terminal, else a line every few seconds."""

    def __init__(self, paths: Sequence[str], is_quiet: bool) -> None:
        """`paths`: the files that are to be read; a quiet run says nothing."""
        self.files, self.total = len(paths), sum(map(size_of, paths))
        self.done, self.read, self.turns = 0, 0, 0
        self.began, self.last_line_at = time.time(), 0.0
        self.is_quiet, self.is_terminal = is_quiet, sys.stderr.isatty()

    def tell(self, read: int, turns: int, is_end: bool = False) -> None:
        """Counts bytes read and turns stored; says so when it is time."""
        self.read += read
        self.turns += turns
        now = time.time()
        pause = REDRAW_SECONDS if self.is_terminal else LINE_SECONDS
        if self.is_quiet or (not is_end and now - self.last_line_at < pause):
            return
        self.last_line_at = now
        part = min(self.read / max(self.total, 1), 1)
        line = (f"{self.done:,} of {self.files:,} files, {self.read / 1e6:,.1f} of {self.total / 1e6:,.1f} MB, "
                f"{count_shown(self.turns, 'turn')} new")
        if not is_end:
            left = int((now - self.began) / part * (1 - part)) if part > 0 else 0
            line += f", {left // 60}:{left % 60:02} left"
        if self.is_terminal:
            full = round(BAR_SIGNS * part)
            bar = "█" * full + "░" * (BAR_SIGNS - full)
            line = f"\r{bar} {line}\x1b[K"
        sys.stderr.write(line if self.is_terminal and not is_end else f"{line}\n")
        sys.stderr.flush()
