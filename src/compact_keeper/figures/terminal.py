"""(docstring)"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping

from compact_keeper.figures.counting import UNITS_PER_TOKEN
from compact_keeper.text.quotation import quote
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

FIGURE_LABEL_COLUMNS = 20  # columns of what stands on the left
KINDS_SHOWN = 6  # of what was put back; the others are counted together
DELIVERIES = {  # of outcomes, as a person reads them
    "verified": "verified", "repaired": "repaired (lost, put back again)", "missed": "missed (nothing was put back)",
    "cannot tell": "of which this client cannot tell", "unchecked": "not checked (no prompt came after)"}
UNSEEN = {"unfinished": "saved for, but not seen to happen (prepared and not used, held off, stopped or failed)",
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
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name[:-1] + 'ies' if name.endswith('y') else name + 's'}"


def kinds_shown(kinds: Mapping[str, int]) -> str:
    """How many of which kind, the most first, of many kinds the rest together."""
    rows = sorted(kinds.items(), key=lambda row: -row[1])
    rest = sum(count for _, count in rows[KINDS_SHOWN:])
    told = [count_shown(count, clean(kind)[:40]) for kind, count in rows[:KINDS_SHOWN]]
    return ", ".join(told + [f"{rest:,} others"] * bool(rest))


def compactions_shown(found: Record) -> Iterator[str]:
    """How many compactions there were, and what became of what was put back."""
    outcomes = found["outcomes"]
    others = [f"{outcomes[name]:,} {words}" for name, words in UNSEEN.items() if outcomes[name]]
    others += [f"{found['subagents']:,} of subagents"] * bool(found["subagents"])
    yield f"{found['compactions'] or 'none yet'}" + (f"; {', '.join(others)}" if others else "")


def deliveries_shown(found: Record) -> Iterator[str]:
    """What became of what was put back."""
    outcomes = found["outcomes"]
    if told := [f"{outcomes[name]:,} {words}" for name, words in DELIVERIES.items() if outcomes[name]]:
        yield ", ".join(told)


def delivery_size_shown(found: Record) -> Iterator[str]:
    """What was put back, and how much text that was."""
    if not (back := found["put_back"]):
        return
    if back["items"] is not None:
        kept = f" of {back['kept']:,} kept" if back["kept"] else ""
        yield f"{count_shown(back['items'], 'item')}{kept}: {kinds_shown(back['kinds'])}"
    yield (f"{back['units_each']:,} characters each time, about {back['tokens_each']:,} tokens "
           f"({UNITS_PER_TOKEN} characters a token)")


def summaries_shown(found: Record) -> Iterator[str]:
    """What the client's summaries had left out, changed or made up."""
    if not (audit := found["audit"]):
        return
    kinds = f" ({kinds_shown(audit['dropped_kinds'])})" if audit["dropped_kinds"] else ""
    others = [f"{audit[what]:,} {what}" for what in ("changed", "invented", "contradicted", "unproven") if audit[what]]
    yield (f"{count_shown(audit['summaries'], 'summary')} audited: {audit['kept']:,} directives and facts kept, "
           f"{audit['dropped']:,} dropped{kinds}{''.join(f', {told}' for told in others)}")
    if found["notes"]:
        yield f"{count_shown(found['notes']['count'], 'note')} on that handed to the model"


def cleared_shown(found: Record) -> Iterator[str]:
    """How many commands that failed passed later."""
    if found["cleared"] is not None:
        yield f"{count_shown(found['cleared'], 'failing command')} passed later"


def times_shown(found: Record) -> Iterator[str]:
    """A row for each hook whose time is known, in milliseconds."""
    if not found["ms"]:
        return
    yield f"{'':20}{'times':>9}{'p50':>8}{'p95':>8}{'most':>8}"
    for name, ms in found["ms"].items():
        yield f"{name:20}{ms['count']:>9,}{ms['p50']:>8g}{ms['p95']:>8g}{ms['max']:>8g}"
    yield "inside the script; Python's own start comes on top"


def disk_shown(found: Record) -> Iterator[str]:
    """What lies on disk."""
    rows = sorted(found["disk"].items(), key=lambda row: -row[1])
    if rows:
        yield f"{size_shown(sum(found['disk'].values()))}: {', '.join(f'{name} {size_shown(count)}' for name, count in rows)}"


ROWS = (  # label, and what tells it
    ("Compactions", compactions_shown), ("Put back", delivery_size_shown), ("Deliveries", deliveries_shown),
    ("Summaries", summaries_shown), ("Failures cleared", cleared_shown),
    ("Milliseconds", times_shown), ("On disk", disk_shown))


def report_lines(found: Record, width: int, is_bright: bool) -> Iterator[str]:
    """The figures as lines of at most so many columns."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if is_bright else ("", "", "")
    whose = f"session {found['session']}" if found["session"] else count_shown(found["sessions"], "session")
    where = f" in {quote(found['project'], 1_000)}" if found["project"] else ""
    yield f"{bold}compact-keeper: {whose}{plain}{where}"
    since = f"since {day(found['since'])}" if found["since"] else ""
    seen = f"{day(found['first'])} to {day(found['last'])}" if found["last"] else "no event yet"
    yield f"{dim}{', '.join(filter(None, (since, seen)))}{plain}"
    yield ""
    for label, tell in ROWS:
        yield from labelled(label, tell(found), width)


def labelled(label: str, paragraphs: Iterable[str], width: int) -> Iterator[str]:
    """The paragraphs, broken to the width, behind their label; a row of a table is left as it is."""
    lines = [line for text in paragraphs
             for line in ([text] if "  " in text else textwrap.wrap(text, width - FIGURE_LABEL_COLUMNS, break_on_hyphens=False))]
    for number, line in enumerate(lines):
        yield f"{label if not number else '':{FIGURE_LABEL_COLUMNS}}{line}"
