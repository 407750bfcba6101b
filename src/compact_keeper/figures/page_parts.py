"""What all pages of the report are made of: words of others made safe, numbers, lists, tables, the frame of a page.

Every text of others goes through `text_shown`: controls and marks of direction out, secrets replaced, escaped. A page
may load nothing and run nothing but its own script, which it names by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import time
from collections.abc import Iterable
from html import escape

from compact_keeper.figures.counting import UNITS_PER_TOKEN
from compact_keeper.figures.page_style import SCRIPT, STYLE
from compact_keeper.figures.terminal import HOOK_WORDS
from compact_keeper.text.fields import number
from compact_keeper.text.quotation import quote
from compact_keeper.types import Figures

LINE_SHOWN_UTF16 = 600  # of a text of others; what is longer is cut
TO_THE_MINUTE, TO_THE_SECOND = "%-d %b %Y, %H:%M", "%-d %b %Y, %H:%M:%S"
NONE_YET = '<span class="none">none yet</span>'
OUTCOME_WORDS = {  # as the page says it, and what it means
    "verified": ("arrived", "what was put back stands in the client's transcript: the model has it"),
    "repaired": ("repaired", "it was lost and put back again at the next prompt"),
    "cannot tell": ("cannot tell", "put back; this client's transcript does not show whether it was kept"),
    "unchecked": ("to be confirmed", "put back; the next message typed shows whether it arrived"),
    "overtaken": ("overtaken", "put back; the next compaction came before a message showed whether it arrived"),
    "missed": ("missed", "the client compacted, something was kept, and nothing was put back"),
    "unfinished": ("not finished", "saved before a compaction that did not come to its end: it failed, was stopped "
                                   "or held off, or was prepared in advance and not used so far"),
    "under way": ("no end yet", "saved a short while ago: at work, or prepared in advance and perhaps still used")}


def text_shown(text: object, limit: int = LINE_SHOWN_UTF16) -> str:
    """A text of others, safe to stand anywhere in the page, attributes too."""
    return escape(quote(str(text), limit))


def words(text: object, limit: int = LINE_SHOWN_UTF16) -> str:
    """The same as words on their own, whatever direction they run in; what stands between ticks as code."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", text_shown(text, limit))
    return f"<bdi>{coded}</bdi>"


def figure_shown(value: object, unknown: str = NONE_YET) -> str:
    """The number with its thousands set apart; in words where it is not known."""
    known = number(value)
    if known is None:
        return unknown
    return f"{known:,.0f}" if known == int(known) else f"{known:,.1f}"


def short(tokens: float) -> str:
    """A number of tokens for the axis."""
    for size, unit in ((1e6, " M"), (1e3, " k"), (1, "")):
        if tokens >= size:
            scaled = tokens / size
            return f"{scaled:.0f}{unit}" if scaled >= 10 else f"{scaled:.2g}{unit}"
    return f"{tokens:.2g}"


def form_for(moments: Iterable[float]) -> str:
    """How moments are shown beside each other: with seconds where two fall into the same minute."""
    minutes = [int(moment // 60) for moment in moments]
    return TO_THE_SECOND if len({*minutes}) < len(minutes) else TO_THE_MINUTE


def moment_shown(seconds: float, form: str = TO_THE_MINUTE) -> str:
    """The time as a person reads it, here, marked up."""
    try:
        local = time.localtime(seconds)
        if os.name == "nt":
            form = form.replace("%-d", "%d")
        return f'<time datetime="{time.strftime("%Y-%m-%dT%H:%M", local)}">{time.strftime(form, local)}</time>'
    except (OverflowError, OSError, ValueError):
        return "at no time on the calendar"


def tokens_shown(units: float) -> str:
    """About how many tokens so many characters are."""
    return f"about {round(units / UNITS_PER_TOKEN):,} tokens"


def pairs(rows: Iterable[tuple[str, str, str]], css: str) -> str:
    """A list of names with their values, each with a note or none."""
    items = []
    for name, value, note in rows:
        small = f"<small>{note}</small>" if note else ""
        if value:
            items.append(f"<div><dt>{name}</dt><dd>{value}{small}</dd></div>")
    return f'<dl class="{css}">{"".join(items)}</dl>' if items else ""


def section(title: str, note: str, *parts: str) -> str:
    """A part of the page with its heading; empty where nothing is in it."""
    name = title.lower().replace(" ", "-")
    body = "\n".join(filter(None, parts))
    intro = f'<p class="note">{note}</p>' if note else ""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{intro}\n{body}</section>' if body else ""


def scrolled(label: str, table: str) -> str:
    """A table that scrolls inside its own box where the screen is narrow."""
    return (f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table>{table}</table>'
            '</div><p class="note after" hidden>The table is wider than the window: scroll it sideways.</p>')


def span_shown(figures: Figures) -> str:
    """From when to when there are events."""
    first, last = figures["first"], figures["last"]
    if first is None or last is None:
        return "no event yet"
    form = form_for((first, last))
    return f"events from {moment_shown(first, form)} to {moment_shown(last, form)}"


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """The whole page."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = ("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
              f"script-src 'sha256-{digest}'")
    made = moment_shown(time.time())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title} - compact-keeper</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand">compact-keeper</p><h1>{title}</h1><p class="lead">{lead}</p></header>
<main id="content">
{chr(10).join(filter(None, body))}
</main>
<footer>Made {made} from the data folder of compact-keeper. Quotes are the session's own, secrets replaced: look through
the page before you pass it on. A token is estimated as {UNITS_PER_TOKEN} characters. Nothing is loaded from anywhere.
</footer>
<script>{SCRIPT}</script>
</body>
</html>
"""


def tiles(figures: Figures) -> str:
    """What there is to know first."""
    back = figures["put_back"]
    audit = figures["audit"]
    outcomes = figures["outcomes"]
    arrived = [f"{outcomes[name]:,} {OUTCOME_WORDS[name][0]}" for name in OUTCOME_WORDS if outcomes[name]]
    each = f"{back['units_each']:,} characters each time, {tokens_shown(back['units_each'])}" if back else ""
    left, otherwise = audit.get("left_out", 0), audit.get("contradicted", 0)
    notes: list[str] = []
    if left:
        notes.append(f"{audit.get('left_out_put_back', 0):,} of them put back")
    if otherwise:
        things = f"{otherwise:,} thing{'s' * (otherwise != 1)}"
        notes.append(f"besides, they said {things} that the record contradicts")
    return pairs((
        ("Compactions", figure_shown(figures["compactions"] or None), ", ".join(arrived)),
        ("Things put back", figure_shown(back.get("items")) if back else NONE_YET, each),
        ("Left out by summaries", figure_shown(left) if audit else NONE_YET, "; ".join(notes)),
        ("Failed, then passed", figure_shown(figures["cleared"]), "times a failed command passed later")), "tiles")


def deliveries(figures: Figures) -> str:
    """What became of what was put back: each outcome that there was."""
    rows = "".join(f'<tr><th scope="row">{name[0].upper()}{name[1:]}</th><td>{figures["outcomes"][key]:,}</td>'
                   f'<td class="text" style="white-space:normal">{meaning}</td></tr>'
                   for key, (name, meaning) in OUTCOME_WORDS.items() if figures["outcomes"][key])
    return scrolled("Deliveries", f"<tbody>{rows}</tbody>") if rows else ""


def times_section(figures: Figures) -> str:
    """The part on time."""
    note = ("In milliseconds, inside each script: the median, within how many 95 % of the runs were done, and the "
            "longest. Python's own start comes on top. Bars show the 95 %.")
    return section("Time in the hooks", note, times_table(figures))


def times_table(figures: Figures) -> str:
    """How long the hooks took."""
    most = max((ms["p95"] for ms in figures["ms"].values()), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{HOOK_WORDS[name][0].upper()}{HOOK_WORDS[name][1:]}</th><td>{ms["count"]:,}</td>'
        f'<td>{figure_shown(ms["p50"])}</td><td>{figure_shown(ms["p95"])}</td><td>{figure_shown(ms["max"])}</td>'
        f'<td class="bar"><i style="width:{100 * ms["p95"] / most:.0f}%"></i></td></tr>'
        for name, ms in figures["ms"].items())
    names = ("Hook", "Runs", "Median", "95 % within", "Longest")
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    table = f"<thead><tr>{heads}<td></td></tr></thead><tbody>{rows}</tbody>"
    return scrolled("Milliseconds in the hooks", table) if rows else ""
