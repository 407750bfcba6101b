"""The live view in a terminal: its second screen, keys, signals and size.

A frame is one write, over the one before it. q, Ctrl-C, SIGTERM and a closed terminal end the view, and the first
screen is as it was. Where stdout is no terminal, and on Windows, one frame is printed as plain text.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from compact_keeper.figures.coming_back import ComingBack
from compact_keeper.figures.frame import frame

ENTER = "\033[?1049h\033[?25l"  # the second screen, without a cursor
LEAVE = "\033[?25h\033[?1049l"
DEFAULT_SIZE = (80, 24)  # columns and lines of a terminal that does not tell its size
PLAIN_LINES = 200  # of a frame that is printed as plain text
ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_watch(session: str, interval: float) -> int:
    """0 when the view was ended, in whichever way."""
    if not sys.stdout.isatty() or os.name == "nt":
        print("\n".join(frame(session, ComingBack(session).now(), 200, PLAIN_LINES)))
        return 0
    coming_back = ComingBack(session)
    is_bright = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    with suppress(OSError), signals() as reading, second_screen():  # OSError: the terminal was closed
        sources = [reading, *([0] if os.isatty(0) else [])]
        while True:
            width, height = os.get_terminal_size(1)
            paint(frame(session, coming_back.now(), width or DEFAULT_SIZE[0], height or DEFAULT_SIZE[1], is_bright))
            if has_ended(sources, reading, interval):
                break
    return 0


def paint(lines: Sequence[str]) -> None:
    """Shows the lines over those before, with one write: each line ends in what clears its rest."""
    text = "\033[H" + "\033[K\n".join(lines) + "\033[K\033[J"
    left = text.encode("utf-8", "replace")
    while left:
        left = left[os.write(1, left):]


@contextmanager
def second_screen() -> Iterator[None]:
    """The terminal's second screen, with keys that come at once; all as it was afterwards."""
    import termios
    import tty
    before = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        if before:
            tty.setcbreak(0)
        os.write(1, ENTER.encode())
        yield
    finally:
        with suppress(OSError, termios.error):  # the terminal may be gone
            os.write(1, LEAVE.encode())
            if before:
                termios.tcsetattr(0, termios.TCSADRAIN, before)


@contextmanager
def signals() -> Iterator[int]:
    """A descriptor from which the number of each signal can be read that ends or resizes the view."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    woken = signal.set_wakeup_fd(writing)
    names = [*ENDING_SIGNALS, "SIGWINCH"]
    before = {name: signal.signal(getattr(signal, name), lambda *_: None) for name in names}
    stop = signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # it would leave the second screen behind
    try:
        yield reading
    finally:
        signal.signal(signal.SIGTSTP, stop)
        for name in names:
            signal.signal(getattr(signal, name), before[name])
        signal.set_wakeup_fd(woken)
        os.close(reading)
        os.close(writing)


def has_ended(sources: Sequence[int], reading: int, interval: float) -> bool:
    """Waits for the interval, a key or a signal; whether it says that the view should end."""
    ends = {getattr(signal, name) for name in ENDING_SIGNALS}
    for source in select.select(sources, (), (), interval)[0]:
        given = os.read(source, 64)
        if source == reading and ends & {*given}:
            return True
        if source != reading and (not given or given[:1] in (b"q", b"Q", b"\x03", b"\x04")):
            return True
    return False
