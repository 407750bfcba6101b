"""Every result that the record's actions keep of commands: the last one of each, and the earlier ones that differed."""

from __future__ import annotations

from collections.abc import Iterable

from compact_keeper.types import Ending, Item

RESULT_OF_END = ":"  # in what is kept of each check of a line, between verdict and result


def results_of(actions: Iterable[Item]) -> list[Ending]:
    """The results of commands, the oldest first, each in an action's form; an earlier one counts as no use."""
    results: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "limits": [], "uses": 0}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            results += [*before, action]
    return sorted(results, key=lambda result: int(result["position"]))
