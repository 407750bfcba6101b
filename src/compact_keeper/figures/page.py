"""(docstring)"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from compact_keeper.figures.counting import UNITS_PER_TOKEN, number
from compact_keeper.figures.course import SPENT, Passage
from compact_keeper.figures.page_style import SCRIPT, STYLE
from compact_keeper.figures.terminal import size_shown
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

PAGE_ROOM = 400_000  # bytes of the compactions' sections: with the rest, a page under 500 KB
LINE_SHOWN, FINDING_SHOWN, FINDINGS = 600, 240, 40  # UTF-16 units of a line, of a finding; findings shown of a summary
PAUSE = 15 * 60  # seconds; a longer pause takes no more room than this on the chart
MARK_WIDTH = 7.0  # percent of the chart that a mark takes on a phone: nearer ones stand in rows above each other
GRIDS = (0, 0.5, 1)  # of the chart's height
COLOURS = {  # of kinds, by their names in the style sheet
    "rule": "rule", "pin": "rule", "request": "ask", "earlier": "ask", "question": "ask", "answer": "ask",
    "wish": "ask", "task": "task", "plan": "task", "failure": "fail", "dead end": "fail", "file": "file",
    "read": "file", "found": "file", "command": "run", "looked": "run", "job": "run", "decision": "said",
    "claim": "said", "value": "said"}
OUTCOME_WORDS = {  # as the page says it, and what it means
    "verified": ("verified", "the client kept what was put back; it stands in the transcript"),
    "repaired": ("repaired", "it was lost and put back again at the next prompt"),
    "cannot tell": ("cannot tell", "put back; this client's transcript does not show whether it was kept"),
    "unchecked": ("not checked", "put back; no prompt came after it at which it could be looked for"),
    "missed": ("missed", "the client compacted, something was kept, and nothing was put back"),
    "unfinished": ("not seen", "saved before a compaction that was not seen to happen: prepared in advance and not "
                               "used, held off, stopped, or failed"),
    "under way": ("under way", "saved a short while ago; it may still come")}
FINDINGS_TOLD = {  # what was found in a summary: heading and order
    "dropped": "Left out", "changed": "Changed", "invented": "Attributed to the user, never typed",
    "contradicted": "Contradicted by what is on disk", "unproven": "Claimed without evidence"}
DISK, NONE_YET = "On disk", '<span class="none">none yet</span>'


def text_shown(text: object, limit: int = LINE_SHOWN) -> str:
    """A text of others, safe to stand anywhere in the page, attributes too."""
    return escape(quote(str(text), limit))


def words(text: object, limit: int = LINE_SHOWN) -> str:
    """The same as words on their own, whatever direction they run in; what stands between ticks as code."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", text_shown(text, limit))
    return f"<bdi>{coded}</bdi>"


def figure_shown(value: object, unknown: str = NONE_YET) -> str:
    """The number with its thousands set apart; in words where it is not known."""
    found = number(value)
    return unknown if found is None else f"{found:,.0f}" if found == int(found) else f"{found:,.1f}"


def moment_shown(seconds: float, form: str = "%-d %b %Y, %H:%M") -> str:
    """The time as a person reads it, here, marked up."""
    try:
        local = time.localtime(seconds)
        if os.name == "nt":
            form = form.replace("%-d", "%d")
        return f'<time datetime="{time.strftime("%Y-%m-%dT%H:%M", local)}">{time.strftime(form, local)}</time>'
    except (OverflowError, OSError, ValueError):
        return "at no time on the calendar"


def tokens_of(units: float) -> str:
    """About how many tokens so many characters are."""
    return f"about {round(units / UNITS_PER_TOKEN):,} tokens"


def pairs(rows: Iterable[tuple[str, str, str]], css: str) -> str:
    """A list of names with their values, each with a note or none."""
    items = [f"<div><dt>{name}</dt><dd>{value}{f'<small>{note}</small>' if note else ''}</dd></div>"
             for name, value, note in rows if value]
    return f'<dl class="{css}">{"".join(items)}</dl>' if items else ""


def section(title: str, note: str, *parts: str) -> str:
    """A part of the page with its heading; empty where nothing is in it."""
    name = title.lower().replace(" ", "-")
    body = "\n".join(filter(None, parts))
    intro = f'<p class="note">{note}</p>' if note else ""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{intro}\n{body}</section>' if body else ""


def colour(kind: str) -> str:
    """The style that gives a kind its colour."""
    return f"--k:var(--k-{COLOURS.get(kind, 'else')})"


def page(title: str, lead: str, body: Iterable[str], css: str = "") -> str:
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
<body class="{css}">
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


def tiles(found: Record) -> str:
    """What there is to know first."""
    back, audit, outcomes = found["put_back"], found["audit"], found["outcomes"]
    arrived = [f"{outcomes[name]:,} {OUTCOME_WORDS[name][0]}" for name in OUTCOME_WORDS if outcomes[name]]
    summaries = f"in {audit['summaries']:,} audited" if audit else ""
    each = f"{back['units_each']:,} characters each time, {tokens_of(back['units_each'])}" if back else ""
    return pairs((
        ("Compactions", figure_shown(found["compactions"] or None), ", ".join(arrived)),
        ("Items put back", figure_shown(back.get("items")) if back else NONE_YET, each),
        ("Left out by summaries", figure_shown(audit["dropped"]) if audit else NONE_YET, summaries),
        ("Failures cleared", figure_shown(found["cleared"]), "commands that failed and passed later")), "tiles")


def times_table(found: Record) -> str:
    """How long the hooks took."""
    most = max((ms["p95"] for ms in found["ms"].values()), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{name[0].upper()}{name[1:]}</th><td>{ms["count"]:,}</td>'
        f'<td>{figure_shown(ms["p50"])}</td><td>{figure_shown(ms["p95"])}</td><td>{figure_shown(ms["max"])}</td>'
        f'<td class="bar"><i style="width:{100 * ms["p95"] / most:.0f}%"></i></td></tr>'
        for name, ms in found["ms"].items())
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Hook", "Times", "p50", "p95", "Most"))
    table = f"<thead><tr>{heads}<td></td></tr></thead><tbody>{rows}</tbody>"
    return scrolled("Milliseconds in the hooks", table) if rows else ""


def scrolled(label: str, table: str, attributes: str = "") -> str:
    """A table that scrolls inside its own box where the screen is narrow."""
    return (f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table{attributes}>{table}</table>'
            "</div>")


def deliveries(found: Record) -> str:
    """What became of what was put back."""
    rows = "".join(f'<tr><th scope="row">{name[0].upper()}{name[1:]}</th><td>{found["outcomes"][key]:,}</td>'
                   f'<td class="text" style="white-space:normal">{meaning}</td></tr>'
                   for key, (name, meaning) in OUTCOME_WORDS.items() if found["outcomes"][key])
    return scrolled("Deliveries", f"<tbody>{rows}</tbody>") * bool(rows)


def times_section(found: Record) -> str:
    """The part on time."""
    return section("Time in the hooks", "Milliseconds inside each script; Python's own start comes on top. Bars show "
                   "the 95th percentile.", times_table(found))


def session_page(found: Record) -> str:
    """The page of a session: `found` has its figures, passages (with outcomes), context and tokens spent."""
    span = f"{moment_shown(found['first'])} to {moment_shown(found['last'])}" if found["last"] else "no event yet"
    project = found["project"] or ""
    lead = f'{f"<bdi>{text_shown(project)}</bdi><br>" if project else ""}{span}'
    title = f"Session {text_shown(found['session'][:8])}"
    body = [tiles(found), context_section(found), compactions_section(found), spent_section(found),
            section("Deliveries", "", deliveries(found)), times_section(found)]
    return page(title, lead, body)


def context_section(found: Record) -> str:
    """The chart of the context in use, with the compactions as marks."""
    points: Sequence[tuple[float, int]] = found["context"]
    if len(points) < 2:
        return section("Context over time", "", "<p>The transcript that would show it was not found, or is empty.</p>")
    places = places_of([when for when, _ in points])
    most = max(tokens for _, tokens in points)
    marks = [(at, number + 1, when) for number, when in enumerate(found["marks"])
             if (at := place_between(when, points, places)) is not None]
    data = json.dumps([[round(place, 1), int(when), tokens] for place, (when, tokens) in zip(places, points)],
                      separators=(",", ":"))
    note = (f"Tokens in the context at each answer, {figure_shown(most)} at most. Numbers mark compactions and lead to them. "
            f"Pauses over {PAUSE // 60} minutes are drawn as {PAUSE // 60}.")
    return section("Context over time", note, f"""<figure class="chart" data-points="{data}">
{plot(points, places, nice_top(most), marks)}
<div class="x"><span>{moment_shown(points[0][0])}</span><span>{moment_shown(points[-1][0])}</span></div>
<div class="moment" hidden><input type="range" min="0" value="0" aria-label="Moment of the session"><output></output>
</div>
</figure>""")


def places_of(times: Sequence[float]) -> list[float]:
    """Where each moment stands, from 0 to 1000, with long pauses shortened."""
    ways = [0.0]
    for before, after in zip(times, times[1:]):
        ways.append(ways[-1] + min(max(after - before, 0.0), PAUSE))
    return [1000 * way / (ways[-1] or 1) for way in ways]


def place_between(when: float, points: Sequence[tuple[float, int]], places: Sequence[float]) -> float | None:
    """Where a compaction stands on the chart: before the first answer after it; None outside of the session."""
    after = next((index for index, point in enumerate(points) if point[0] >= when), len(points))
    if after == 0:
        return None
    return places[after - 1] if after == len(points) else (places[after - 1] + places[after]) / 2


def nice_top(most: int) -> int:
    """The chart's top: a round number over the most."""
    step = 10 ** max(len(str(most)) - 2, 0)
    return next((step * size for size in (10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100) if step * size >= most), most)


def plot(points: Sequence[tuple[float, int]], places: Sequence[float], top: int,
         marks: Sequence[tuple[float, int, float]]) -> str:
    """The line, its axis and the marks; sizes are those of the box, so that nothing of it is scaled but the line."""
    path = " ".join(f"{place:.1f},{1000 - 1000 * tokens / top:.0f}" for place, (_, tokens) in zip(places, points))
    grid = "".join(f'<path class="grid" d="M0 {1000 - 1000 * share:.0f}h1000"/>' for share in GRIDS)
    cuts = "".join(f'<path class="cut" d="M{at:.1f} 0v1000"/>' for at, _, _ in marks)
    axis = "".join(f'<span class="y" style="top:{100 - 100 * share:.0f}%">{short(top * share)}</span>'
                   for share in GRIDS)
    placed, rows = rows_of(marks)
    return f"""<div class="plot" style="--marks:{1.6 * rows + 0.2:.1f}rem">
<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="Tokens in the context over time">
{grid}<polygon class="area" points="0,1000 {path} 1000,1000"/><polyline class="line" points="{path}"/>{cuts}</svg>
{axis}{placed}</div>"""


def rows_of(marks: Sequence[tuple[float, int, float]]) -> tuple[str, int]:
    """The marks as links above the chart, near ones in rows of their own, and how many rows those are."""
    ends: list[float] = []
    links = []
    for at, which, when in marks:
        row = next((row for row, end in enumerate(ends) if at / 10 >= end), len(ends) if len(ends) < 4 else 0)
        ends[row:row + 1] = [at / 10 + MARK_WIDTH]
        title = time.strftime("%Y-%m-%d %H:%M", time.localtime(when))
        place = f"left:{at / 10:.1f}%;top:{-1.6 * (row + 1):.1f}rem"
        links.append(f'<a class="mark" href="#compaction-{which}" style="{place}" '
                     f'title="Compaction {which}, {title}">{which}</a>')
    return "".join(links), len(ends)


def short(tokens: float) -> str:
    """A number of tokens for the axis."""
    scaled, unit = (tokens / 1e6, " M") if tokens >= 1e6 else (tokens / 1e3, " k") if tokens >= 1e3 else (tokens, "")
    return f"{scaled:.0f}{unit}" if scaled >= 10 else f"{scaled:.2g}{unit}"


def compactions_section(found: Record) -> str:
    """A part for each compaction; the oldest are cut to their facts where the page would grow too large."""
    passages: Sequence[tuple[Passage, str]] = found["passages"]
    parts = [compaction(which, *told_of, False, is_cut=True) for which, told_of in enumerate(passages, 1)]
    room = PAGE_ROOM - sum(map(weight, parts))
    for which, told_of in reversed(list(enumerate(passages, 1))):
        whole = compaction(which, *told_of, which == len(passages))
        room -= weight(whole)
        if room < 0:
            break
        parts[which - 1] = whole
    button = '<p><button type="button" class="plain" data-open hidden>Open all</button></p>' * (len(parts) > 1)
    note = ("What was carried over, and what the audit found in the client's summary. Point at a line, tap it or go to "
            "it with the keyboard (Tab, then the arrow keys) to see its score.")
    if not any(passage.restored for passage, _ in passages):
        note += " The lines themselves are kept since version 0.5; of compactions before that only figures are known."
    return section("Compactions", note, button, *parts) or section(
        "Compactions", "", "<p>None yet in this session.</p>")


def weight(html: str) -> int:
    """The bytes of the text on disk."""
    return len(html.encode("utf-8", "replace"))


def compaction(which: int, passage: Passage, outcome: str, is_open: bool, is_cut: bool = False) -> str:
    """One compaction."""
    boundary, restore = passage.boundary, passage.events.event("restore") if passage.events else {}
    trigger = {"auto": "automatic", "manual": "by hand"}.get(text_of(boundary, "trigger"), "")
    before, after = boundary.get("before"), boundary.get("after")
    shrunk = f"{short(before)} &rarr; {short(after)} tokens" if before and after else ""
    name = OUTCOME_WORDS.get(outcome, ("", ""))[0]
    pill = f'<span class="pill {outcome.replace(" ", "-")}">{name}</span>' if name else ""
    units = number(restore.get("units")) or number(passage.restored.get("units"))
    facts = pairs((
        ("Begun by", trigger, ""), ("Context before", figure_shown(before, ""), ""), ("Context after", figure_shown(after, ""), ""),
        ("Put back", f"{figure_shown(units)} characters" if units else "", tokens_of(units) if units else ""),
        ("Took", f"{figure_shown(restore.get('ms'))} ms" if "ms" in restore else "", "")), "facts")
    left_out = '<p class="note">The lines are left out here to keep the page small; history.jsonl has them.</p>'
    lines = left_out if is_cut else carried_rows(passage.restored) + audited_rows(passage)
    return f"""<details class="one" id="compaction-{which}"{" open" if is_open else ""}><summary><h3>{which}. \
{moment_shown(passage.time)}</h3><small>{" · ".join(filter(None, (trigger, shrunk)))}</small>{pill}</summary>
<div>{facts}{lines}</div></details>"""


def records_in(record: Mapping[str, Any], name: str) -> list[Record]:
    """The objects in this field."""
    values = record.get(name)
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def carried_rows(restored: Record) -> str:
    """What was put back, section by section, each line with its score."""
    lines = records_in(restored, "lines")
    if not lines:
        return ""
    kinds = Counter(text_of(line, "kind") for line in lines)
    by_colour = sorted(kinds.items(), key=lambda row: COLOURS.get(row[0], "else"))
    share = "".join(f'<i style="flex:{count};{colour(kind)}"></i>' for kind, count in by_colour)
    legend = "".join(f'<li style="{colour(kind)}">{text_shown(kind or "other", 40)} {count}</li>'
                     for kind, count in by_colour)
    parts = [f"<h5>{text_shown(title or 'Other')}</h5>\n<ul class=\"lines\">{''.join(map(line_told, mine))}</ul>"
             for title, mine in groupby(lines, key=lambda line: text_of(line, "section"))]
    return (f'<h4>Carried over</h4><div class="share" aria-hidden="true">{share}</div><ul class="legend">{legend}</ul>'
            + "\n".join(parts))


def line_told(line: Record) -> str:
    """A line that was put back, with the terms of its score."""
    score = number(line.get("score"))
    terms = score_told(score, line.get("terms")) if score is not None else ""
    text = text_of(line, "line").removeprefix("- ")
    return (f'<li{" tabindex=0" if terms else ""} style="{colour(text_of(line, "kind"))}">{words(text)}'
            f'{f"<small>{terms}</small>" if terms else ""}</li>\n')


def score_told(score: float, terms: object) -> str:
    """The score, and the terms that changed it."""
    numbers = {name: value for name, value in terms.items() if number(value) is not None and value != 1} \
        if isinstance(terms, dict) else {}
    product = " × ".join(f"{text_shown(name, 40)} {value:.2f}" for name, value in numbers.items())
    return f"Score {score:.2f}" + (f" = {product}" if product else "")


def audited_rows(passage: Passage) -> str:
    """What was found in the client's summary."""
    event = passage.events.event("audit") if passage.events else {}
    found = records_in(passage.audited, "found")
    if not found and not event:
        return ""
    parts, room = [], FINDINGS
    for what, title in FINDINGS_TOLD.items():
        mine = [one for one in found if one.get("what") == what]
        count = max(int(number(event.get(what)) or 0), len(mine))
        lines = "".join(f'<li style="{colour(text_of(one, "kind"))}"><em>{text_shown(text_of(one, "kind"), 40)}</em>'
                        f'{words(text_of(one, "text"), FINDING_SHOWN)}</li>\n' for one in mine[:room])
        room -= min(len(mine), room)
        if count:
            parts.append(f"<h5>{title}: {count:,}</h5>" + (f'<ul class="lines">{lines}</ul>' if lines else ""))
    kept = number(event.get("kept"))
    intro = f"<p>{figure_shown(kept)} directives and facts were told.</p>" if kept else ""
    nothing = "" if parts else "<p>Nothing was found wrong.</p>"
    return f"<h4>The client's summary</h4>{intro}{nothing}" + "\n".join(parts)


def spent_section(found: Record) -> str:
    """Tokens that the session's requests took, beside what was put back."""
    if not found["spent"]:
        return ""
    whole = sum(found["spent"].values()) or 1
    given = (found["put_back"].get("units", 0) + found["put_back"].get("again_units", 0)) / UNITS_PER_TOKEN
    rows = "".join(f'<tr><th scope="row">{SPENT[name][0].upper()}{SPENT[name][1:]}</th><td>{count:,}</td>'
                   f'<td class="bar"><i style="width:{100 * count / whole:.1f}%"></i></td></tr>'
                   for name, count in found["spent"].items())
    total = f'<tr><th scope="row">All</th><td>{whole:,}</td><td></td></tr>'
    note = "As the API counted them, added up over all requests of the session."
    told_given = (f'<p class="note after">What was put back came to about {round(given):,} tokens, once per '
                  "compaction; from then on they are part of each request.</p>") if given else ""
    return section("Tokens", note, scrolled("Tokens spent", f"<tbody>{rows}{total}</tbody>"), told_given)


TABLE_COLUMNS = (  # heading, whether it is text
    ("Project", True), ("Session", True), ("Began", False), ("Last", False), ("Compactions", False),
    ("Put back", False), ("Characters", False), ("Left out", False), ("Verified", False), ("Repaired", False),
    ("Missed", False), ("Save p95, ms", False))


def global_page(found: Record, rows: Sequence[Record]) -> str:
    """The page of all sessions: `found` has their figures, each row those of one, the newest first."""
    span = f"{moment_shown(found['first'])} to {moment_shown(found['last'])}" if found["last"] else "no event yet"
    shown = f" The newest {len(rows):,} of {found['sessions']:,} are shown." if len(rows) < found["sessions"] else ""
    heads = "".join(f'<th scope="col"{" class=text" if is_text else ""}'
                    f'{" aria-sort=descending" if name == "Last" else ""}>{name}</th>' for name, is_text in TABLE_COLUMNS)
    table = f"<thead><tr>{heads}</tr></thead><tbody>{chr(10).join(map(session_row, rows))}</tbody>"
    find = ('<div class="find" hidden><label>Words that a row must have'
            '<input id="words" type="search" autocomplete="off"></label>'
            '<output for="words" aria-live="polite"></output></div>')
    body = [tiles(found),
            section("Sessions", "A dash stands for what is not known." + shown, find,
                    scrolled("Sessions", table, " data-sort")) if rows else "",
            section("Deliveries", "", deliveries(found)), times_section(found), disk_section(found)]
    return page("All sessions", f"{found['sessions']:,} sessions, {span}", body, "wide")


def session_row(row: Record) -> str:
    """A session in the table."""
    back, audit, outcomes = row["put_back"], row["audit"], row["outcomes"]
    project = row["project"] or ""
    base = os.path.basename(project) or project
    values = [row["compactions"], back.get("items"), back.get("units"), audit.get("dropped"), outcomes["verified"],
              outcomes["repaired"], outcomes["missed"], row["ms"].get("save at Stop", {}).get("p95")]
    times = "".join(f'<td data-value="{when:.0f}">{moment_shown(when, "%-d %b %Y")}</td>'
                    for when in (row["first"], row["last"]))
    cells = "".join(f'<td data-value="{-1 if value is None else value}">{figure_shown(value, "–")}</td>' for value in values)
    return (f'<tr><th scope="row" title="{text_shown(project)}"><bdi>{text_shown(base) or "–"}</bdi></th>'
            f'<td class="text id">{text_shown(row["session"][:8])}</td>{times}{cells}</tr>')


def disk_section(found: Record) -> str:
    """What lies on disk."""
    rows = "".join(f'<tr><th scope="row">{text_shown(use[0].upper() + use[1:])}</th><td>{size_shown(count)}</td></tr>'
                   for use, count in sorted(found["disk"].items(), key=lambda row: -row[1]))
    return section(DISK, "", scrolled(DISK, f"<tbody>{rows}</tbody>")) if rows else ""
