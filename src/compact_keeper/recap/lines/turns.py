"""Under which message a step stands: what the person typed, the plan approved or another agent's words, and when.

A report of an hour ago, or the state of a server then, passed for what is true now as long as the steps stood without
their turns: of 51 lines that misled readers who knew the whole session half were such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.recap.wording.phrases import folded_line
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Ago, Item

TYPED_SHOWN_UTF16 = 50  # of a message above its steps: it stands among the earlier words
WHOSE_WORDS = {"plan": "the approved plan ", "teammate": "another agent's "}  # by how a message came


class Turns:
    """The turns of a session: each begins with a message.

    Without a head for an approved plan the steps that it began had stood under what was typed twenty minutes later.
    """

    def __init__(self, items: Sequence[Item], ago: Ago) -> None:
        """Those of the session's items, which come in their order."""
        begins = [begin for item in items if item["kind"] == "message" for begin in begins_of_turns(item, ago)]
        self.begins = sorted(begins, reverse=True)

    def head_of(self, position: int) -> str:
        """What stands above the steps of the turn that a position of the session is in; empty before the first."""
        return next((head for begin, _, head in self.begins if begin <= position), "")

    def with_begins(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items in their order, actions with when their turn began, as the transcript writes it."""
        began, coming = "", [*self.begins]
        for item in items:
            while coming and coming[-1][0] <= item["position"]:
                began = coming.pop()[1]
            yield {**item, "turn_began": began} if began and item["kind"] == "action" else item


def is_of_several_turns(newest: Item, first: str) -> bool:
    """Whether what was done several times, last in the step `newest`, was done `first` before that step's turn.

    Eight edits of three turns had stood below the last one's head as if they were all made there.
    """
    return first < newest.get("turn_began", "")


def in_all(newest: Item, first: str) -> str:
    """What stands behind a count of what was done several times, where that is of several turns; else empty."""
    return " in all" if is_of_several_turns(newest, first) else ""


def begins_of_turns(message: Item, ago: Ago) -> Iterator[tuple[int, str, str]]:
    """Each time that a message came: its position, when, and the head: how it begins, whose if not typed, how long ago.

    Without those before the last time what was done for the first had stood under an order of an hour before it.
    """
    whose = WHOSE_WORDS.get(message.get("via", ""), "")
    words = in_quotes(cut(folded_line(message.get("own", message["text"])), TYPED_SHOWN_UTF16))
    for before in message.get("typed_before", []):
        yield before["position"], before["time"], f"After {whose}{words} ({ago(before['time'])}):"
    typed = message.get("typed_at") or message["last"]
    yield message["position"], message["last"], f"After {whose}{words} ({ago(typed)}):"
