"""Figures as lines for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from compact_keeper.figures.compactions import NOT_ENDED, OUTCOMES, TRIGGERS, shrunk_words
from compact_keeper.figures.kind_words import (
    contradicted_words,
    differences_in_words,
    kinds_shown,
    left_out_words,
    things_shown,
)
from compact_keeper.store.events import NO_EVENT
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.length import UNITS_PER_TOKEN
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.text.sanitize import clean
from compact_keeper.text.sizes import size_shown
from compact_keeper.text.times import local_time
from compact_keeper.types import Figures

FIGURE_LABEL_COLUMNS = 18  # of what stands on the left
HOOK_COLUMNS = 26  # of a hook's name in the table of times
HOOK_WORDS = {  # what a hook does, by its name among the figures
    "save at Stop": "save, beside your work", "save at PreCompact": "save, before a compaction",
    "restore": "put back", "audit": "compare the summary", "record": "record prompt or tool call"}


def span_words(first: float | None, last: float | None) -> str:
    """From when to when there are events, with seconds where the minutes are the same."""
    if first is None or last is None:
        return NO_EVENT
    begin, end = local_time(first), local_time(last)
    if begin == end:
        return f"events from {local_time(first, '%Y-%m-%d %H:%M:%S')} to {local_time(last, '%H:%M:%S')}"
    return f"events from {begin} to {local_time(last, '%H:%M') if begin[:10] == end[:10] else end}"


def compactions_shown(figures: Figures) -> Iterator[str]:
    """How many compactions there were, and how many saves were followed by none."""
    outcomes = figures["outcomes"]
    others = [f"{outcomes[name]:,} {OUTCOMES[name].in_row}" for name in NOT_ENDED if outcomes[name]]
    if figures["subagents"]:
        others.append(f"{figures['subagents']:,} of subagents")
    yield f"{figures['compactions'] or 'none yet'}" + (f"; {', '.join(others)}" if others else "")
    yield from arrivals_shown(figures)


def arrivals_shown(figures: Figures) -> Iterator[str]:
    """What became of what was put back."""
    outcomes = figures["outcomes"]
    if outcomes["verified"] and outcomes["verified"] == figures["compactions"]:
        yield "what was put back arrived" + " each time" * (figures["compactions"] > 1)
        return
    parts = [f"{outcomes[name]:,} {said.in_row}" for name, said in OUTCOMES.items()
             if outcomes[name] and name not in NOT_ENDED]
    if parts:
        yield ", ".join(parts)


def last_shown(figures: Figures) -> Iterator[str]:
    """The newest compaction of a session: what began it and what it did, what was put back, what its summary said."""
    for facts in figures["each"][-1:]:
        typed = f" with {in_quotes(clean(facts['typed']))}" if "typed" in facts else ""
        trigger = TRIGGERS.get(facts.get("trigger", ""), "begun")
        yield ": ".join(filter(None, (f"{local_time(facts['time'])}, {trigger}{typed}", shrunk_words(facts))))
        if "units" in facts:
            yield (f"put back {things_shown(facts.get('kinds', {})) or 'the record'} ({facts['units']:,} characters, "
                   f"about {round(facts['units'] / UNITS_PER_TOKEN):,} tokens)")
        if "model_knows" in facts:
            kinds = figures["audit"]["kinds"] if are_of_one_summary(figures) else {}
            yield (differences_in_words(facts["contradicted"], facts["left_out"], facts["put_back"],
                                        facts["model_knows"])
                   + kinds_behind(kinds, facts["contradicted"], facts["left_out"]))


def kinds_behind(kinds: Mapping[str, int], contradicted: int, left_out: int) -> str:
    """Of which kinds that is which summaries said otherwise and left out, behind its count; empty: they do not add up.

    Not in brackets where both are counted: behind "1 thing" stood "(1 rule, 1 check)".
    """
    if not kinds or sum(kinds.values()) != contradicted + left_out:
        return ""
    return f"; both together: {kinds_shown(kinds)}" if contradicted and left_out else f" ({kinds_shown(kinds)})"


def are_of_one_summary(figures: Figures) -> bool:
    """Whether all that was found in summaries is what was found in the last one's."""
    audit = figures["audit"]
    return bool(audit) and audit["summaries"] == 1 and any("model_knows" in facts for facts in figures["each"][-1:])


def delivery_size_shown(figures: Figures) -> Iterator[str]:
    """What was put back in all, and how much text that was each time; nothing where the last one was the only one."""
    back = figures["put_back"]
    if not back or (back["times"] == 1 and any("units" in facts for facts in figures["each"][-1:])):
        return
    if back["items"] is not None and back["times"] > 1:
        yield f"{back['times']:,} times, in all {things_shown(back['kinds'])}"
    yield (f"{back['units_each']:,} characters{' each' * (back['times'] > 1)}, about {back['tokens_each']:,} "
           f"tokens ({UNITS_PER_TOKEN} characters a token)")


def summaries_shown(figures: Figures) -> Iterator[str]:
    """What the client's summaries had said that the record contradicts, and left out; not where the last is all."""
    audit = figures["audit"]
    if not audit or are_of_one_summary(figures):
        return
    parts: list[str] = []
    if audit["contradicted"]:
        parts.append(contradicted_words(audit["contradicted"]))
    if audit["left_out"]:
        parts.append(left_out_words(audit["left_out"], audit["left_out_put_back"]))
    kinds = kinds_behind(audit["kinds"], audit["contradicted"], audit["left_out"])
    whose = "the summary" if audit["summaries"] == 1 else f"{audit['summaries']:,} summaries"
    yield (f"{whose} {', and '.join(parts)}{kinds}" if parts else
           f"nothing in {whose} differs from the record")
    if figures["notes"]:
        yield f"the model was told, by {count_shown(figures['notes']['count'], 'note')}"


def cleared_shown(figures: Figures) -> Iterator[str]:
    """How many commands that had failed passed later."""
    if figures["cleared"]:
        yield f"{count_shown(figures['cleared'], 'failed command')} passed later"


def times_shown(figures: Figures) -> Iterator[str]:
    """A row for each hook whose time is known, in milliseconds."""
    if not figures["ms"]:
        return
    yield f"{'in milliseconds':{HOOK_COLUMNS}}{'runs':>7}{'median':>8}{'95 % within':>12}{'longest':>8}"
    for name, ms in figures["ms"].items():
        yield f"{HOOK_WORDS[name]:{HOOK_COLUMNS}}{ms['count']:>7,}{ms['p50']:>8g}{ms['p95']:>12g}{ms['max']:>8g}"
    yield "Python's own start comes on top"


def disk_shown(figures: Figures) -> Iterator[str]:
    """What lies on disk; of a session what it has to itself, and the archive, which holds all sessions."""
    rows = sorted(figures["disk"].items(), key=lambda row: -row[1])
    total = size_shown(sum(figures["disk"].values()))
    parts = ", ".join(f"{name} {size_shown(size)}" for name, size in rows)
    if figures["session"] and rows:
        yield f"{total} of this session" + (f": {parts}" if len(rows) > 1 else "")
    if figures["session"] and figures["archive_bytes"]:
        yield f"{size_shown(figures['archive_bytes'])} of the archive, which holds all sessions"
    if rows and not figures["session"]:
        yield f"{total}: {parts}"


ROWS = (  # label, and what tells it
    ("Compactions", compactions_shown), ("The last one", last_shown),
    ("Put back", delivery_size_shown), ("Summaries", summaries_shown), ("Failures", cleared_shown),
    ("On disk", disk_shown), ("Hooks", times_shown))


def report_lines(figures: Figures, width: int, is_bright: bool) -> Iterator[str]:
    """The figures as lines of at most so many columns."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if is_bright else ("", "", "")
    whose = f"session {figures['session']}" if figures["session"] else count_shown(figures["sessions"] or 0, "session")
    where = f" in {quote(figures['project'], 1_000)}" if figures["project"] else ""
    yield f"{bold}compact-keeper: {whose}{plain}{where}"
    yield f"{dim}{span_words(figures['first'], figures['last'])}{plain}"
    yield ""
    for label, tell in ROWS:
        yield from labelled(label, tell(figures), width, is_bright)


def labelled(label: str, paragraphs: Iterable[str], width: int, is_bright: bool) -> Iterator[str]:
    """The paragraphs, broken to the width, behind their label; a row of a table is left as it is."""
    bold, plain = ("\033[1m", "\033[0m") if is_bright else ("", "")
    for text in paragraphs:
        is_row = "  " in text
        lines = [text] if is_row else textwrap.wrap(text, width - FIGURE_LABEL_COLUMNS, break_on_hyphens=False)
        for line in lines:
            yield f"{bold}{label:{FIGURE_LABEL_COLUMNS}}{plain if label else ''}{line}"
            label, bold = "", ""
