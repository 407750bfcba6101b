"""What the page of the report is made of: words of others made safe, numbers, lists, tables, the frame of a page.

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

from compact_keeper.figures.page_style import SCRIPT, STYLE
from compact_keeper.text.fields import number
from compact_keeper.text.length import UNITS_PER_TOKEN
from compact_keeper.text.quotation import quote

LINE_SHOWN_UTF16 = 600  # of a text of others; what is longer is cut
TO_THE_MINUTE, TO_THE_SECOND = "%-d %b %Y, %H:%M", "%-d %b %Y, %H:%M:%S"
NONE_YET = '<span class="none">none yet</span>'


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
