"""Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from compact_keeper.types import ChecksSaid, Ending, Item, Push

# The form of what is kept; who reads it needs nothing of what made it, and a restore does not load that.
# A verdict is passed or failed, as its output shows it; ended, where nothing says that it failed; not run; unknown;
# running and stopped, which came to no end that was seen.
KNOWN_VERDICTS = ("passed", "failed")
ENDED_WELL = ("ended", "passed")  # not seen to have failed
NOT_DONE = ("failed", "not run")  # what it was for was not done
END_NOT_KNOWN = ("running", "stopped", "unknown")
FROM_CACHE = "(cached)"  # behind how a check ended of which the runner showed an earlier run's result
LOST_OUTPUT = "it went to `"  # as it is told of an output whose filter is not there
BUT_PRINTED = "ended, but printed: "  # an error with its stack, whatever else says that all is well
HAD_PRINTED = " (it had printed: "  # behind what stopped a command
NO_MATCHES = "no matches"  # as it is told of a search
PRIVATE_NAMED_MAX = 20  # files of a commit that look private

SAID_OF_CHECKS = ("failed_names", "has_more_failed", "met_no_test", "is_cached")
GIT_FIELDS = ("commit", "subject", "branch", "pushed", "begun", "finished", "conflicts", "stashed", "private",
              "took_in")
OUTCOME_FIELDS = (  # of an outcome that are kept
    "family", *SAID_OF_CHECKS, *GIT_FIELDS, "commits_before", "remark", "push_refused", "nothing_to",
    "is_stash_kept")


def has_ended_well(ending: Ending | Item) -> bool:
    """Whether the line came to its end and none of its commands is seen to have failed."""
    return ending["verdict"] in ENDED_WELL


def said_of_checks(end: Mapping[str, Any]) -> ChecksSaid:
    """What an outcome, or an ending, says of its checks besides that they passed or failed."""
    said: Any = {name: end[name] for name in SAID_OF_CHECKS if name in end}
    kept: ChecksSaid = said
    return kept


def words_of_not_run(ending: ChecksSaid, result: str) -> str:
    """How it is told that a command was not run, or that its tests met none, with its result in short."""
    return result if "met_no_test" in ending else f"not run: {result or 'refused'}"


def where_pushed(push: Push) -> str:
    """Where a push went to, in words: address, branches and tags, commits."""
    return f"{push['to']} {', '.join(push['refs'])} {push['commits']}".rstrip()


def endings_of(actions: Iterable[Item]) -> list[Ending]:
    """How the commands ended, the oldest first, each in an action's form; an earlier end counts as no use."""
    endings: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "uses": 0,
                              "folder": action.get("folder", "")}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            endings += [*before, action]
    return sorted(endings, key=lambda ending: int(ending["position"]))
