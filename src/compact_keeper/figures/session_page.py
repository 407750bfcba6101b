"""The report's page of a session. No line of the transcript is in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from compact_keeper.figures.chart import context_section
from compact_keeper.figures.compactions import OUTCOMES, TRIGGERS, Compaction
from compact_keeper.figures.counting import count
from compact_keeper.figures.course import SPENT
from compact_keeper.figures.kind_words import differences_in_words, things_in, things_shown
from compact_keeper.figures.page_parts import (
    NONE_YET,
    figure_shown,
    form_for,
    moment_shown,
    page,
    pairs,
    scrolled,
    section,
    short,
    text_shown,
    tokens_shown,
    words,
)
from compact_keeper.figures.terminal import HOOK_WORDS
from compact_keeper.store.history import FAILING_CHECK
from compact_keeper.text.fields import objects_in, text_of
from compact_keeper.text.kind_words import STATE_OF_GIT, count_shown, kind_shown
from compact_keeper.text.length import UNITS_PER_TOKEN
from compact_keeper.types import CompactionFacts, Figures, JsonObject

COMPACTIONS_MAX_BYTES = 400_000  # of the compactions' sections: with the rest, a page under 500 KB
FINDING_SHOWN_UTF16 = 240
FINDINGS_SHOWN = 40  # of a summary
KIND_COLOURS = {  # of kinds of items and of findings, by their names in the style sheet
    "rule": "rule", "pin": "pin", "message": "ask", "question": "ask", "answer": "ask", "refusal": "ask",
    "errand": "ask", "task": "task", "plan": "task", "check": "fail", FAILING_CHECK: "fail", "look": "file",
    "file": "file", "action": "run", "job": "run", "git": "run", "said": "said"}
FINDING_TITLES = {  # what was found in a summary: heading and order
    "contradicted": "The record contradicts", "left out": "Left out"}


def session_page(figures: Figures) -> str:
    """The page of a session: `figures` has its figures, its compactions (with outcomes), context and tokens spent."""
    session, path = text_shown((figures["session"] or "")[:8]), figures["project"] or ""
    title = text_shown(os.path.basename(path) or path) or f"Session {session}"
    project = f"Session {session} in <bdi>{text_shown(path)}</bdi><br>" if path else ""
    body = [tiles(figures), context_section(figures), compactions_section(figures), spent_section(figures),
            section("Deliveries", "", deliveries(figures)), times_section(figures)]
    return page(title, project + span_shown(figures), body)


def span_shown(figures: Figures) -> str:
    """From when to when there are events."""
    first, last = figures["first"], figures["last"]
    if first is None or last is None:
        return "no event yet"
    form = form_for((first, last))
    return f"events from {moment_shown(first, form)} to {moment_shown(last, form)}"


def tiles(figures: Figures) -> str:
    """What there is to know first."""
    back = figures["put_back"]
    audit = figures["audit"]
    outcomes = figures["outcomes"]
    arrived = [f"{outcomes[name]:,} {said.on_page}" for name, said in OUTCOMES.items() if outcomes[name]]
    each = f"{back['units_each']:,} characters each time, {tokens_shown(back['units_each'])}" if back else ""
    left, otherwise = audit.get("left_out", 0), audit.get("contradicted", 0)
    notes: list[str] = []
    if left:
        notes.append(f"{audit.get('left_out_put_back', 0):,} of them put back")
    if otherwise:
        notes.append(f"besides, they said {count_shown(otherwise, 'thing')} that the record contradicts")
    return pairs((
        ("Compactions", figure_shown(figures["compactions"] or None), ", ".join(arrived)),
        ("Things put back", figure_shown(back.get("items")) if back else NONE_YET, each),
        ("Left out by summaries", figure_shown(left) if audit else NONE_YET, "; ".join(notes)),
        ("Failed, then passed", figure_shown(figures["cleared"]), "times a failed command passed later")), "tiles")


def compactions_section(figures: Figures) -> str:
    """A part for each compaction; the oldest are cut to their facts where the page would grow too large."""
    compactions: Sequence[tuple[Compaction, CompactionFacts]] = figures["compaction_list"]
    numbered = list(enumerate(compactions, 1))
    form = form_for(compaction.moment() for compaction, _ in compactions)
    parts = [compaction_part(which, compaction, facts, form, "cut") for which, (compaction, facts) in numbered]
    room = COMPACTIONS_MAX_BYTES - sum(map(bytes_of, parts))
    for which, (compaction, facts) in reversed(numbered):
        whole = compaction_part(which, compaction, facts, form, "open" if which == len(compactions) else "closed")
        room -= bytes_of(whole)
        if room < 0:
            break
        parts[which - 1] = whole
    button = '<p><button type="button" class="plain" data-open hidden>Open all</button></p>' * (len(parts) > 1)
    note = "What was carried over, and what the audit found in the client's summary."
    return section("Compactions", note, button, *parts) or section(
        "Compactions", "", "<p>None yet in this session.</p>")


def bytes_of(html: str) -> int:
    """The bytes of the text on disk."""
    return len(html.encode("utf-8", "replace"))


def compaction_part(which: int, compaction: Compaction, known: CompactionFacts, form: str, state: str) -> str:
    """One compaction, its time in that form: open, closed, or cut to its facts."""
    trigger, outcome = TRIGGERS.get(known.get("trigger", ""), ""), known["outcome"]
    before, after = known.get("tokens_before"), known.get("tokens_after")
    shrunk = f"{short(before)} &rarr; {short(after)} tokens" if before and after else ""
    css, said = f"pill {outcome.replace(' ', '-')}", OUTCOMES.get(outcome)
    pill = f'<span class="{css}" title="{text_shown(said.meaning)}">{said.on_page}</span>' if said else ""
    left_out = '<p class="note">The lines are left out here to keep the page small; history.jsonl has them.</p>'
    carried = carried_rows(compaction.restored, known.get("kinds", {}))
    lines = left_out if state == "cut" else carried + audited_rows(compaction, known)
    when = moment_shown(compaction.moment(), form)
    return f"""<details class="one" id="compaction-{which}"{" open" if state == "open" else ""}><summary><h3>{which}. \
{when}</h3><small>{" · ".join(filter(None, (trigger, shrunk)))}</small>{pill}</summary>
<div>{facts_shown(compaction, known)}{lines}</div></details>"""


def facts_shown(compaction: Compaction, known: CompactionFacts) -> str:
    """What is known of a compaction, each with its name; what is not known is left out."""
    restore = compaction.event("restore")
    before, after, units = known.get("tokens_before"), known.get("tokens_after"), known.get("units")
    return pairs((
        ("Begun", TRIGGERS.get(known.get("trigger", ""), ""), ""),
        ("Typed behind /compact", words(known["typed"]) if "typed" in known else "", ""),
        ("Context before", f"{before:,} tokens" if before else "", ""),
        ("Context after", f"{after:,} tokens" if after else "", ""),
        ("Put back", f"{figure_shown(units)} characters" if units else "", tokens_shown(units) if units else ""),
        ("Left out by the summary", *left_out_shown(known)),
        ("Putting back took", f"{figure_shown(restore.get('ms'))} ms" if "ms" in restore else "", "")), "facts")


def left_out_shown(known: CompactionFacts) -> tuple[str, str]:
    """How much of what must stand somewhere the summary left out, and how much of that was put back."""
    if "model_knows" not in known:
        return "", ""
    left = known["left_out"]
    return (f"{left:,}", f"put back {known['put_back']:,}") if left else ("nothing", "")


def colour(kind: str) -> str:
    """The style that gives a kind its colour."""
    return f"--k:var(--k-{KIND_COLOURS.get(kind, 'else')})"


def carried_rows(restored: JsonObject, things: Mapping[str, int]) -> str:
    """What was put back, section by section; `things` is how many of which kind were counted, of which lines tell."""
    lines = objects_in(restored.get("lines"))
    if not lines:
        return ""
    kinds = Counter(text_of(line, "kind") for line in lines)
    by_colour = sorted(kinds.items(), key=lambda row: KIND_COLOURS.get(row[0], "else"))
    share = "".join(f'<i style="flex:{count};{colour(kind)}"></i>' for kind, count in by_colour)
    legend = "".join(  # the things, as the sentence above has them; the bar shows lines
        f'<li style="{colour(kind)}">{text_shown(kind_shown(things.get(kind, count), kind or "other"), 60)}</li>'
        for kind, count in by_colour)
    total = f'<p class="note">{text_shown(lines_words(len(lines), kinds, things))}</p>'
    parts = [f"<h5>{text_shown(title or 'Other')}</h5>\n<ul class=\"lines\">{''.join(map(line_row, group))}</ul>"
             for title, group in groupby(lines, key=lambda line: text_of(line, "section"))]
    bar = f'<div class="share" aria-hidden="true">{share}</div><ul class="legend">{legend}</ul>'
    return f"<h4>Carried over</h4>{total}{bar}" + "\n".join(parts)


def lines_words(lines: int, kinds: Mapping[str, int], things: Mapping[str, int]) -> str:
    """How many lines were put back, and of what: things of the record, and what is true now, which is none."""
    facts = kinds.get("fact", 0)
    of_record = lines - facts
    counted = {kind: count for kind, count in things.items() if kind != STATE_OF_GIT}
    parts = [count_shown(of_record, "line")]
    if things_in(counted):
        parts[0] += f" tell{'s' * (of_record == 1)} {things_shown(counted)}"
    if facts:
        parts.append(f"{count_shown(facts, 'line')} tell{'s' * (facts == 1)} what is true now (git, files, processes)")
    return f"{'; '.join(parts)}."


def line_row(line: JsonObject) -> str:
    """A line that was put back."""
    return f'<li style="{colour(text_of(line, "kind"))}">{words(text_of(line, "line").removeprefix("- "))}</li>\n'


def audited_rows(compaction: Compaction, known: CompactionFacts) -> str:
    """What was found in the client's summary."""
    event = compaction.event("audit")
    findings = objects_in(compaction.audited.get("found"))
    if not findings and not event:
        return ""
    parts = []
    room = FINDINGS_SHOWN
    for what, title in FINDING_TITLES.items():
        of_this = [finding for finding in findings if finding.get("what") == what]
        times = max(count(event, what.replace(" ", "_")), len(of_this))
        lines = "".join(map(finding_row, of_this[:room]))
        room -= min(len(of_this), room)
        if times:
            parts.append(f"<h5>{title}: {times:,}</h5>" + (f'<ul class="lines">{lines}</ul>' if lines else ""))
    said = ""
    if "model_knows" in known:
        said = differences_in_words(known["contradicted"], known["left_out"], known["put_back"], known["model_knows"])
    return f"<h4>The client's summary</h4>{f'<p>{said[0].upper()}{said[1:]}.</p>' if said else ''}" + "\n".join(parts)


def finding_row(finding: JsonObject) -> str:
    """A line on what was found in a summary."""
    kind, record = text_of(finding, "kind"), text_of(finding, "record")
    beside = f'<small>{words(record, FINDING_SHOWN_UTF16)}</small>' if text_of(finding, "text") else ""
    return (f'<li style="{colour(kind)}"><em>{text_shown(kind, 40)}</em>'
            f'{words(text_of(finding, "text") or record, FINDING_SHOWN_UTF16)}{beside}</li>\n')


def spent_section(figures: Figures) -> str:
    """Tokens that the session's requests took, beside what was put back."""
    if not figures["spent"]:
        return ""
    whole = sum(figures["spent"].values()) or 1
    back = figures["put_back"]
    put_back = (back.get("units", 0) + back.get("again_units", 0)) / UNITS_PER_TOKEN
    rows = "".join(f'<tr><th scope="row">{SPENT[name][0].upper()}{SPENT[name][1:]}</th><td>{tokens:,}</td>'
                   f'<td class="bar"><i style="width:{100 * tokens / whole:.1f}%"></i></td></tr>'
                   for name, tokens in figures["spent"].items())
    total = f'<tr><th scope="row">All</th><td>{whole:,}</td><td></td></tr>'
    note = "As the API counted them, added up over all requests of the session."
    after = (f'<p class="note after">What was put back came to about {round(put_back):,} tokens, once per compaction; '
             "from then on they are part of each request.</p>") if put_back else ""
    return section("Tokens", note, scrolled("Tokens spent", f"<tbody>{rows}{total}</tbody>"), after)


def deliveries(figures: Figures) -> str:
    """What became of what was put back: each outcome that there was."""
    rows = "".join(f'<tr><th scope="row">{said.on_page[0].upper()}{said.on_page[1:]}</th>'
                   f'<td>{figures["outcomes"][name]:,}</td>'
                   f'<td class="text" style="white-space:normal">{said.meaning}</td></tr>'
                   for name, said in OUTCOMES.items() if figures["outcomes"][name])
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
