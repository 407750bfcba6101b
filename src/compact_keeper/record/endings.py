"""Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed."""

from __future__ import annotations

from collections.abc import Iterable

from compact_keeper.types import Ending, Item, Push

# The form of what is kept; who reads it needs nothing of what made it, and a restore does not load that.
FROM_CACHE = "(cached)"  # among the limits: the runner showed an earlier run's result
NO_TEST_RAN = "no test ran"  # with which the result of tests begins that met none: they were started
PRIVATE_NAMED_MAX = 20  # files of a commit that look private


def words_of_not_run(result: str) -> str:
    """How it is told that a command was not run, or that its tests met none, by its result."""
    return result if result.startswith(NO_TEST_RAN) else f"not run: {result or 'refused'}"


def where_pushed(push: Push) -> str:
    """Where a push went to, in words: address, branches and tags, commits."""
    return f"{push['to']} {', '.join(push['refs'])} {push['commits']}".rstrip()


def endings_of(actions: Iterable[Item]) -> list[Ending]:
    """How the commands ended, the oldest first, each in an action's form; an earlier end counts as no use."""
    endings: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "limits": [], "uses": 0}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            endings += [*before, action]
    return sorted(endings, key=lambda ending: int(ending["position"]))
