"""What need not be put back beside the summary, since it stands there; and how needed the rest is.

Of messages and answers only those go that stand there word for word. What ended last, rules and checks stay: there the
state counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.recap.lines.answered_words import UNDERSTOOD_ALONE_CHARACTERS
from compact_keeper.recap.lines.dialog_answers import is_chosen
from compact_keeper.recap.wording.in_summary import in_summary
from compact_keeper.recap.wording.quoted import is_quoted, is_quoted_respelled, pairs_of, rows_in
from compact_keeper.record.items import REFUSED_PLAN
from compact_keeper.text.fields import text_of
from compact_keeper.types import Item, Line, WordRows

SHORT_REPLY_CHARACTERS = 25  # as "yes, do that" has


def words_beside(lines: Sequence[Line], summary: str) -> list[Line]:
    """The lines of the person's earlier words, each with its `need` and with whether the summary has it.

    No answer stays out behind an older one that is put back: it may have taken that back.
    """
    rows = rows_in(summary)
    marked: list[Line] = []
    is_answer_put_back = False
    for line in reversed(lines):  # the oldest first
        item = line["items"][0]
        if item["kind"] == "answer":
            is_known = is_quoted(item["text"], rows) and not is_answer_put_back
            is_answer_put_back = not is_known
        else:
            is_known = all(is_known_message(piece, rows) for piece in line["items"])
        marked.append({**line, "need": need_of(item, rows), "is_in_summary": is_known})
    return marked[::-1]


def is_known_message(item: Item, summary: WordRows) -> bool:
    """Whether the summary has a message, and with it what it needs to be understood.

    What refused something stays, but for a plan: a later form of that stands in the record.
    """
    if item["kind"] == "refusal":
        return False
    refused = text_of(item, "refused")
    if refused and not refused.startswith(REFUSED_PLAN):
        return False
    if not is_quoted(needed_beside(item), summary):
        return False
    return is_quoted(item["text"], summary) or is_quoted_respelled(item["text"], summary)


def needed_beside(item: Item) -> str:
    """The words that a short message cannot be understood without: what it picks or answers; else empty."""
    if item["kind"] != "message" or len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS:
        return ""
    return text_of(item, "picks") or text_of(item, "answers")


def need_of(item: Item, summary: WordRows) -> int:
    """How needed a message is beside the summary: 0, which lacks half of it; 1, which has more; 2, a short reply.

    A pick is short, too, but a decision: "C" had gone, and a sentence on the option B had come back. An option that was
    chosen in a dialog stands behind what was typed there: nine of them had filled the section, and what a person had
    typed of how all is to work had no room.
    """
    if text_of(item, "picks"):
        return 0
    if item["kind"] == "answer" and any(
            is_chosen(option, item["text"], item.get("picks_one", False)) for option in item.get("options", [])):
        return 1
    if item["kind"] == "message" and len(item["text"]) <= SHORT_REPLY_CHARACTERS:
        return 2
    pairs = pairs_of(item["text"])
    return 1 if len(pairs & summary["pairs"]) > len(pairs) / 2 else 0


def line_beside(line: Line, summary: str) -> Line:
    """The line, with whether the summary has it."""
    return {**line, "is_in_summary": in_summary(line["text"], summary)}
