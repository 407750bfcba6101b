"""(docstring)"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from compact_keeper.client.context import last_records, standing
from compact_keeper.figures.counting import Tally, add_event, event_on, latencies, spread
from compact_keeper.figures.course import transcript_of
from compact_keeper.figures.sessions import project_of, stored
from compact_keeper.figures.terminal import count_shown, kinds_shown
from compact_keeper.store.folder import data_home
from compact_keeper.store.json_lines import read_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

LABEL_COLUMNS = 14  # columns of what stands on the left
EVENTS_READ = 1 << 20  # bytes of the end of events.jsonl: some thousand events
ENTER, LEAVE = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l"  # the second screen, without a cursor, and back
UNSIZED = (80, 24)  # columns and lines of a terminal that does not tell its size
ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def events_of(session: str) -> list[Record]:
    """The session's last events, the newest last."""
    path, mark = os.path.join(data_home(), "events.jsonl"), f'"{session}"'.encode()
    try:
        end = os.path.getsize(path)
        lines = [line for _, line in read_lines(path, max(end - EVENTS_READ, 0), end) if mark in line]
    except (OSError, Refusal):
        return []
    return [event for event in map(event_on, lines) if event and event["session"] == session]


def context_told(transcript: str) -> str:
    """How many tokens the last answer left in the context."""
    try:
        used = standing(last_records(transcript))["usage"] if transcript else 0
    except (OSError, Refusal):
        used = 0
    return f"{used:,} tokens after the last answer" if used else "not known: no answer in the transcript yet"


def age_shown(moment: object, now: float) -> str:
    """How long ago that was."""
    if not isinstance(moment, (int, float)) or not 0 < moment <= now + 60:
        return "not known when"
    seconds = max(int(now - moment), 0)
    steps = ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600))
    return next((f"{seconds // size} {unit} ago" for most, unit, size in steps if seconds < most),
                f"{seconds // 86_400} days ago")


def items_told(folder: str) -> str:
    """How many items of which kind would be put back from."""
    found = stored(folder, "snapshot.json").get("items")
    kinds = Counter(text_of(one, "kind") or "other" for one in found if isinstance(one, dict)) \
        if isinstance(found, list) else Counter()
    return kinds_shown(kinds) or "none yet"


def waiting_told(folder: str) -> str:
    """The note that waits for the next event that can carry it."""
    text = text_of(stored(folder, "note.json"), "text")
    return f"a note on the summary, {count_shown(len(text), 'character')}" if text else "nothing"


def event_told(one: Record) -> str:
    """An event in a line."""
    clock = time.strftime("%H:%M:%S", time.localtime(one["time"])) if one["time"] < 4e9 else "--:--:--"
    told = [f"{name} {one[name]}" for name in ("on", "items", "units", "dropped", "changed", "ms")
            if isinstance(one.get(name), (int, float, str))]
    if "verified" in one:
        told.append("verified" if one["verified"] is True else "cannot tell")
    return f"{clock}  {text_of(one, 'event')[:12]:12}{', '.join(told)}"


def rows(session: str, now: float) -> Iterator[tuple[str, str]]:
    """Label and text of each row, from what is known now."""
    folder = os.path.join(data_home(), "sessions", session)
    status, events = stored(folder, "status.json"), events_of(session)
    tally = Tally()
    for event in events:
        add_event(tally, event)
    yield "compact-keeper", f"session {session}  {time.strftime('%H:%M:%S', time.localtime(now))}"
    yield "Project", project_of(folder) or "not known"
    yield "", ""
    yield "Context", context_told(transcript_of(session, text_of(status, "transcript")))
    yield "Last save", age_shown(status["time"], now) if "time" in status else "none yet"
    yield "Items", items_told(folder)
    yield "Waiting", waiting_told(folder)
    yield "Compaction", text_of(stored(folder, "compaction.json"), "stage") or "none yet"
    times = {name: told for name, found in latencies(tally).items() if (told := spread(found))}
    for number, (name, ms) in enumerate(times.items()):
        yield ("" if number else "Hooks"), f"{name:20}p50 {ms['p50']:g} ms, p95 {ms['p95']:g}, most {ms['max']:g}"
    for number, one in enumerate(sorted(events, key=lambda one: -float(one["time"]))):
        yield ("" if number else "Last events"), event_told(one)


def fitted(text: str, width: int) -> str:
    """The beginning of the text that takes at most so many columns."""
    taken, line = 0, ""
    for sign in " ".join(clean(text).split("\n")):
        wide = 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if (taken := taken + wide) > width:
            break
        line += sign
    return line


def frame(session: str, width: int, height: int) -> list[str]:
    """At most so many lines of at most so many columns."""
    lines = []
    for label, text in rows(session, time.time()):
        lines.append(fitted(f"{label:{LABEL_COLUMNS}}  {text}".rstrip(), width))
        if len(lines) == height:
            break
    return lines


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


def run_watch(session: str, interval: float) -> int:
    """0 when the view was ended, in whichever way."""
    if not sys.stdout.isatty() or os.name == "nt":
        print("\n".join(frame(session, 200, 40)))
        return 0
    with suppress(OSError), signals() as reading, second_screen():  # OSError: the terminal was closed
        sources = [reading, *([0] if os.isatty(0) else [])]
        while True:
            width, height = os.get_terminal_size(1)
            paint(frame(session, width or UNSIZED[0], height or UNSIZED[1]))
            if has_ended(sources, reading, interval):
                break
    return 0
