"""What is done behind the thing itself: its fault must neither cost what is done already nor what comes next."""

from __future__ import annotations

from collections.abc import Callable

from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal


def attempt(what: str, part: Callable[[], object]) -> None:
    """Does the part; its fault is a line in hook.log, which begins with `what`."""
    try:
        part()
    except (OSError, ValueError, Refusal) as fault:
        log(f"{what}: {fault}")
