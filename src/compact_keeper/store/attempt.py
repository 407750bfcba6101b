"""What is done behind the thing itself: its fault must neither cost what is done already nor what comes next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal


def attempt_each(when: str, parts: Mapping[str, Callable[[], object]]) -> None:
    """Does each part, whatever became of the others; those that fail are together one line in hook.log.

    `when`: what they follow; `parts`: by what they write or remove. On a full disk each part fails for one reason.
    """
    failed, why = list[str](), ""
    for what, part in parts.items():
        try:
            part()
        except (OSError, ValueError, Refusal) as fault:
            failed.append(what)
            why = why or str(fault)
    if failed:
        log(f"{when}, {', '.join(failed)}: {why}")
