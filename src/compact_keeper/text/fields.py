"""Fields of JSON objects that others have written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text of the first of these fields that has one; empty where none has."""
    return next(filter(None, (text_of(record, name) for name in names)), "")


def list_in(record: Mapping[str, Any], name: str) -> list[Any]:
    """The field's list; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`
