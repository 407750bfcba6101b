"""Figures as lines for a terminal."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping

from compact_keeper.figures.compactions import TRIGGERS, shrunk_words
from compact_keeper.figures.counting import UNITS_PER_TOKEN
from compact_keeper.figures.summary_words import summary_words
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Figures

FIGURE_LABEL_COLUMNS = 20  # of what stands on the left
KIND_NAMES = {"said": "reply", "errand": "order"}  # of kinds of items that have no noun for a name
KINDS_SHOWN = 6  # of what was put back; the others are counted together
DELIVERIES = {  # of outcomes, as a person reads them
    "verified": "verified", "repaired": "repaired (lost, put back again)", "missed": "missed (nothing was put back)",
    "cannot tell": "of which this client cannot tell", "unchecked": "not checked (no prompt came after)"}
UNSEEN_OUTCOMES = {
    "unfinished": "saved for, but not seen to happen (prepared and not used, held off, stopped or failed)",
    "under way": "under way"}


def day(moment: float) -> str:
    """The moment as a person reads it, here."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    except (OverflowError, OSError, ValueError):
        return "at no time on the calendar"


def size_shown(count: float) -> str:
    """Bytes as a person reads them."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:,.1f} GB"


def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


def kinds_shown(kinds: Mapping[str, int]) -> str:
    """How many of which kind, the most first, of many kinds the rest together."""
    rows = sorted(kinds.items(), key=lambda row: -row[1])
    rest = sum(count for _, count in rows[KINDS_SHOWN:])
    parts = [count_shown(count, KIND_NAMES.get(kind, clean(kind)[:40])) for kind, count in rows[:KINDS_SHOWN]]
    return ", ".join(parts + [f"{rest:,} others"] * bool(rest))


def compactions_shown(figures: Figures) -> Iterator[str]:
    """How many compactions there were, and how many saves were followed by none."""
    outcomes = figures["outcomes"]
    others = [f"{outcomes[name]:,} {words}" for name, words in UNSEEN_OUTCOMES.items() if outcomes[name]]
    others += [f"{figures['subagents']:,} of subagents"] * bool(figures["subagents"])
    yield f"{figures['compactions'] or 'none yet'}" + (f"; {', '.join(others)}" if others else "")


def last_shown(figures: Figures) -> Iterator[str]:
    """The newest compaction of a session, in a line."""
    for facts in figures["each"][-1:]:
        typed = f" with {in_quotes(clean(facts['typed']))}" if "typed" in facts else ""
        parts = [f"{day(facts['time'])}, {TRIGGERS.get(facts.get('trigger', ''), 'begun')}{typed}", shrunk_words(facts)]
        if "units" in facts:
            kinds = {kind: count for kind, count in facts.get("kinds", {}).items() if count}
            parts.append(f"put back {kinds_shown(kinds) or 'the record'} ({facts['units']:,} characters)")
        if "is_told" in facts:
            parts.append(summary_words(facts["contradicted"], facts["left_out"], facts["is_told"]))
        yield "; ".join(filter(None, parts))


def deliveries_shown(figures: Figures) -> Iterator[str]:
    """What became of what was put back."""
    outcomes = figures["outcomes"]
    parts = [f"{outcomes[name]:,} {words}" for name, words in DELIVERIES.items() if outcomes[name]]
    if parts:
        yield ", ".join(parts)


def delivery_size_shown(figures: Figures) -> Iterator[str]:
    """What was put back, and how much text that was."""
    back = figures["put_back"]
    if not back:
        return
    if back["items"] is not None:
        kept = f" of {back['kept']:,} kept" if back["kept"] else ""
        yield f"{count_shown(back['items'], 'item')}{kept}: {kinds_shown(back['kinds'])}"
    yield (f"{back['units_each']:,} characters each time, about {back['tokens_each']:,} tokens "
           f"({UNITS_PER_TOKEN} characters a token)")


def summaries_shown(figures: Figures) -> Iterator[str]:
    """What the client's summaries had said that the record contradicts, and left out."""
    audit = figures["audit"]
    if not audit:
        return
    kinds = f" ({kinds_shown(audit['kinds'])})" if audit["kinds"] else ""
    yield (f"{count_shown(audit['summaries'], 'summary')} said {count_shown(audit['contradicted'], 'thing')} that the "
           f"record contradicts, and left out {audit['left_out']:,}{kinds}")
    if figures["notes"]:
        yield f"the model was told, by {count_shown(figures['notes']['count'], 'note')}"


def cleared_shown(figures: Figures) -> Iterator[str]:
    """How many commands that failed passed later."""
    if figures["cleared"] is not None:
        yield f"{count_shown(figures['cleared'], 'failing command')} passed later"


def times_shown(figures: Figures) -> Iterator[str]:
    """A row for each hook whose time is known, in milliseconds."""
    if not figures["ms"]:
        return
    yield f"{'':20}{'times':>9}{'p50':>8}{'p95':>8}{'most':>8}"
    for name, ms in figures["ms"].items():
        yield f"{name:20}{ms['count']:>9,}{ms['p50']:>8g}{ms['p95']:>8g}{ms['max']:>8g}"
    yield "inside the script; Python's own start comes on top"


def disk_shown(figures: Figures) -> Iterator[str]:
    """What lies on disk."""
    rows = sorted(figures["disk"].items(), key=lambda row: -row[1])
    if rows:
        parts = ", ".join(f"{name} {size_shown(size)}" for name, size in rows)
        yield f"{size_shown(sum(figures['disk'].values()))}: {parts}"


ROWS = (  # label, and what tells it
    ("Compactions", compactions_shown), ("Last compaction", last_shown), ("Put back", delivery_size_shown),
    ("Deliveries", deliveries_shown),
    ("Summaries", summaries_shown), ("Failures cleared", cleared_shown),
    ("Milliseconds", times_shown), ("On disk", disk_shown))


def report_lines(figures: Figures, width: int, is_bright: bool) -> Iterator[str]:
    """The figures as lines of at most so many columns."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if is_bright else ("", "", "")
    whose = f"session {figures['session']}" if figures["session"] else count_shown(figures["sessions"] or 0, "session")
    where = f" in {quote(figures['project'], 1_000)}" if figures["project"] else ""
    yield f"{bold}compact-keeper: {whose}{plain}{where}"
    since = f"since {day(figures['since'])}" if figures["since"] else ""
    first, last = figures["first"], figures["last"]
    seen = "no event yet" if first is None or last is None else f"{day(first)} to {day(last)}"
    yield f"{dim}{', '.join(filter(None, (since, seen)))}{plain}"
    yield ""
    for label, tell in ROWS:
        yield from labelled(label, tell(figures), width)


def labelled(label: str, paragraphs: Iterable[str], width: int) -> Iterator[str]:
    """The paragraphs, broken to the width, behind their label; a row of a table is left as it is."""
    for text in paragraphs:
        is_row = "  " in text
        lines = [text] if is_row else textwrap.wrap(text, width - FIGURE_LABEL_COLUMNS, break_on_hyphens=False)
        for line in lines:
            yield f"{label:{FIGURE_LABEL_COLUMNS}}{line}"
            label = ""
