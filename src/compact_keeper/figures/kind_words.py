"""Counts with their nouns, in the words of all who tell of them: stats, live view, report."""

from __future__ import annotations

from collections.abc import Mapping

from compact_keeper.text.sanitize import clean

KIND_NAMES = {  # of kinds of items, whose own names are no nouns of a person's
    "said": ("reply", "replies"), "errand": ("order", "orders"), "look": ("thing read", "things read"),
    "job": ("running command", "running commands"), "git": ("git fact", "git facts"),
    "fact": ("line on what is true now", "lines on what is true now")}
KINDS_SHOWN = 7  # of what was put back; the others are counted together


def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


def kind_shown(count: int, kind: str) -> str:
    """How many items of a kind."""
    names = KIND_NAMES.get(kind)
    return f"{count:,} {names[count != 1]}" if names else count_shown(count, clean(kind)[:40])


def things_shown(kinds: Mapping[str, int]) -> str:
    """How many things of the record there are in all, and of which kinds; empty for none."""
    total = sum(kinds.values())
    return f"{count_shown(total, 'thing')} of the record: {kinds_shown(kinds)}" if total else ""


def kinds_shown(kinds: Mapping[str, int]) -> str:
    """How many of which kind, the most first; of many kinds the rest together, where that is more than a last one."""
    rows = sorted(((kind, count) for kind, count in kinds.items() if count), key=lambda row: -row[1])
    most = len(rows) if len(rows) == KINDS_SHOWN + 1 else KINDS_SHOWN
    rest = sum(count for _, count in rows[most:])
    parts = [kind_shown(count, kind) for kind, count in rows[:most]]
    if rest:
        parts.append(count_shown(rest, "other"))
    return ", ".join(parts)
