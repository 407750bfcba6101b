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
        messages = [item for item in reversed(items) if item["kind"] == "message"]
        self.heads = [(item["position"], head_of_message(item, ago)) for item in messages]

    def head_of(self, position: int) -> str:
        """What stands above the steps of the turn that a position of the session is in; empty before the first."""
        return next((head for begin, head in self.heads if begin <= position), "")

    def with_begins(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items in their order, actions with when their turn began, as the transcript writes it."""
        began = ""
        for item in items:
            began = item["last"] if self.heads and item["kind"] == "message" else began
            yield {**item, "turn_began": began} if began and item["kind"] == "action" else item


def is_of_several_turns(newest: Item, first: str) -> bool:
    """Whether what was done several times, last in the step `newest`, was done `first` before that step's turn.

    Eight edits of three turns had stood below the last one's head as if they were all made there.
    """
    return first < newest.get("turn_began", "")


def head_of_message(message: Item, ago: Ago) -> str:
    """How a message begins, whose it is if not typed, and how long ago it came."""
    whose = WHOSE_WORDS.get(message.get("via", ""), "")
    words = in_quotes(cut(folded_line(message.get("own", message["text"])), TYPED_SHOWN_UTF16))
    return f"After {whose}{words} ({ago(message.get('typed_at') or message['last'])}):"
