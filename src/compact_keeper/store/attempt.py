"""What is done behind the thing itself: its fault must neither cost what is done already nor what comes next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal


def attempt_each(when: str, parts: Mapping[str, Callable[[], object]]) -> None:
    """Does each part, whatever became of the others; those that fail are together one line in hook.log, by reason.

    `when`: what they follow; `parts`: by what they write or remove. On a full disk all parts fail for the same reason.
    """
    failed: dict[str, list[str]] = {}  # by reason
    for what, part in parts.items():
        try:
            part()
        except (OSError, ValueError, Refusal) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else ""  # without the path, another one in each
            failed.setdefault(reason or str(fault), []).append(what)
    if failed:
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in failed.items())
        log(f"{when}, {reasons}")
