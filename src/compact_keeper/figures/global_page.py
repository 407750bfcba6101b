"""The report's page of all sessions: their figures together, and a table with a row for each."""

from __future__ import annotations

import os
from collections.abc import Sequence

from compact_keeper.figures.page_parts import (
    deliveries,
    figure_shown,
    moment_shown,
    page,
    scrolled,
    section,
    span_shown,
    text_shown,
    tiles,
    times_section,
)
from compact_keeper.text.sizes import size_shown
from compact_keeper.types import Figures

TABLE_COLUMNS = (  # heading, whether it is text
    ("Project", True), ("Session", True), ("Began", False), ("Last", False), ("Compactions", False),
    ("Put back", False), ("Characters", False), ("Said otherwise", False), ("Arrived", False), ("Repaired", False),
    ("Missed", False), ("Save, ms", False))
IN_THE_TABLE = ("verified", "repaired", "missed")  # outcomes that are explained even where there is none
TABLE_NOTE = ("Said otherwise: things that the client's summaries said and the record contradicts. Arrived, repaired, "
              "missed: what became of what was put back; Deliveries below says more. Save: how long the save at the "
              "end of a turn took at most, but for the slowest 5 %. A dash stands for what is not known.")


def global_page(figures: Figures, rows: Sequence[Figures]) -> str:
    """The page of all sessions: `figures` has their figures, each row those of one, the newest first."""
    note = TABLE_NOTE
    sessions = figures["sessions"] or 0
    if len(rows) < sessions:
        note += f" The newest {len(rows):,} of {sessions:,} are shown."
    heads = ""
    for name, is_text in TABLE_COLUMNS:
        order = " aria-sort=descending" if name == "Last" else ""
        heads += f'<th scope="col"{" class=text" if is_text else ""}{order}>{name}</th>'
    table = f"<thead><tr>{heads}</tr></thead><tbody>{chr(10).join(map(session_row, rows))}</tbody>"
    find = ('<div class="find" hidden><label>Words that a row must have'
            '<input id="words" type="search" autocomplete="off"></label>'
            '<output for="words" aria-live="polite"></output></div>')
    body = [tiles(figures),
            section("Sessions", note, find, scrolled("Sessions", table, " data-sort")) if rows else "",
            section("Deliveries", "", deliveries(figures, IN_THE_TABLE)), times_section(figures), disk_section(figures)]
    return page("All sessions", f"{sessions:,} sessions, {span_shown(figures)}", body, "wide")


def session_row(row: Figures) -> str:
    """A session in the table."""
    back = row["put_back"]
    outcomes = row["outcomes"]
    stops = row["ms"].get("save at Stop")
    project = row["project"] or ""
    base = os.path.basename(project) or project
    values = [row["compactions"], back.get("items"), back.get("units"), row["audit"].get("contradicted"),
              outcomes["verified"], outcomes["repaired"], outcomes["missed"],
              stops["p95"] if stops else None]
    times = "".join(f'<td data-value="{when:.0f}">{moment_shown(when, "%-d %b %Y")}</td>'
                    for when in (row["first"] or 0.0, row["last"] or 0.0))
    cells = "".join(f'<td data-value="{-1 if value is None else value}">{figure_shown(value, "–")}</td>'
                    for value in values)
    return (f'<tr><th scope="row" title="{text_shown(project)}"><bdi>{text_shown(base) or "–"}</bdi></th>'
            f'<td class="text id">{text_shown((row["session"] or "")[:8])}</td>{times}{cells}</tr>')


def disk_section(figures: Figures) -> str:
    """What lies on disk."""
    rows = "".join(f'<tr><th scope="row">{text_shown(use[0].upper() + use[1:])}</th><td>{size_shown(count)}</td></tr>'
                   for use, count in sorted(figures["disk"].items(), key=lambda row: -row[1]))
    return section("On disk", "", scrolled("On disk", f"<tbody>{rows}</tbody>")) if rows else ""
