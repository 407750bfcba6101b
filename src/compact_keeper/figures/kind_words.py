"""What was put back or found, by kind, and what a summary said otherwise, in the words of all who tell of it."""

from __future__ import annotations

from collections.abc import Mapping

from compact_keeper.text.kind_words import STATE_OF_GIT, count_shown, kind_order, kind_shown

KINDS_SHOWN = 7  # of what was put back; the others are counted together


def things_in(kinds: Mapping[str, int]) -> int:
    """How many things of the record there are in all: git's state is none, it is true now."""
    return sum(count for kind, count in kinds.items() if kind != STATE_OF_GIT)


def things_shown(kinds: Mapping[str, int]) -> str:
    """How many things of the record there are in all, and of which kinds, and git's state; empty for none."""
    total = things_in(kinds)
    things = f"{count_shown(total, 'thing')} of the record: {kinds_shown(kinds)}" if total else ""
    return ", and ".join(filter(None, (things, STATE_OF_GIT if kinds.get(STATE_OF_GIT) else "")))


def kinds_shown(kinds: Mapping[str, int]) -> str:
    """How many of which kind, in the order in which the client's line tells them; of many kinds the rest together."""
    rows = sorted(((kind, count) for kind, count in kinds.items() if count and kind != STATE_OF_GIT),
                  key=lambda row: (kind_order(row[0]), -row[1]))
    most = len(rows) if len(rows) == KINDS_SHOWN + 1 else KINDS_SHOWN
    rest = sum(count for _, count in rows[most:])
    parts = [kind_shown(count, kind) for kind, count in rows[:most]]
    if rest:
        parts.append(count_shown(rest, "other"))
    return ", ".join(parts)


def contradicted_words(contradicted: int) -> str:
    """How much a summary said otherwise than the record, in the words of all who tell of it."""
    return f"said {count_shown(contradicted, 'thing')} that the record contradicts"


def left_out_words(left_out: int, put_back: int) -> str:
    """How much of what must stand somewhere a summary left out, and how much of that the model was given again."""
    if left_out == 1:
        return f"left out 1 thing, which was {'put back' if put_back else 'not put back yet'}"
    back = "all put back" if put_back >= left_out else f"{put_back:,} put back" if put_back else "none put back yet"
    return f"left out {left_out:,} things, {back}"


def differences_in_words(contradicted: int, left_out: int, put_back: int, model_knows: bool) -> str:
    """What the summary said otherwise and left out, how much of that was put back, and whether the model knows."""
    if not contradicted and not left_out:
        return "nothing in the summary differs from the record"
    knows = "the model was told" if model_knows else "the model was not told yet"
    parts: list[str] = []
    if contradicted:
        parts.append(f"{contradicted_words(contradicted)} ({knows})")
    if left_out:
        parts.append(left_out_words(left_out, put_back))
    return f"the summary {', and '.join(parts)}"
