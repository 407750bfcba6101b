"""The text that is put back: the stored snapshot with pins and what is true now, within its budget."""

from __future__ import annotations

from compact_keeper.recap.render import candidates, how_to_ask, select, worded
from compact_keeper.record.present import compared_now
from compact_keeper.store.folder import data_home
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

HARD_STOP = 9_500  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much
REASON_WORDS_CHARACTERS = 80


def as_of_now(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    present = compared_now(snapshot)
    present["repository"] = {  # a branch may be called anything
        name: quote(value, 300) if isinstance(value, str) else value for name, value in present["repository"].items()}
    return {**with_pins(snapshot, folder), "present": present}


def with_pins(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def text_for(snapshot: Record, positions: list[int]) -> tuple[str, list[Record]]:
    """The text to put back after a compaction of the main thread, and the items in it."""
    text, shown = block_of(snapshot)
    as_of = text_of(snapshot, "as_of")
    if as_of:
        head, line_break, rest = text.partition("\n")
        text = f"{head}\n{as_of}{line_break}{rest}"
    ask = how_to_ask(data_home())
    most = min(snapshot["used"]["budget"] + ASK_ROOM, HARD_STOP) - units(ask)
    return shortened(cut(text, most) + ask, positions), shown


def block_of(snapshot: Record) -> tuple[str, list[Record]]:
    """The snapshot's items within its budget as a text, and which they are."""
    chosen = select(candidates(snapshot), snapshot["used"]["budget"])
    return worded(chosen, snapshot), [line for section in chosen for line in section]


def shortened(text: str, positions: list[int]) -> str:
    """The text; after three compactions within few records only its beginning, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third compaction within {apart} records of the transcript, so little "
           "room is left beside what the client itself puts back.)")
    return cut(text, THRASH_UNITS - units(why)).rpartition("\n")[0] + why


def reasons(snapshot: Record) -> str:
    """A row for every item: score, whether it is put back, kind, text and the terms of its score."""
    rows = ["score  put back?  kind: text = terms"]
    ranked = candidates(snapshot)
    select(ranked, snapshot["used"]["budget"])
    for item in [item for item in ranked if item["kind"] != "state"]:
        terms = " × ".join(f"{name} {value:.2f}" for name, value in item["terms"].items())
        outcome = "put back" if "section" in item else "left out"
        text = in_quotes(" ".join(item["text"].split())[:REASON_WORDS_CHARACTERS])
        rows.append(f"{item['score']:5.2f}  {outcome}  {item['kind']}: {text} = {terms}")
    return "\n".join(rows)
