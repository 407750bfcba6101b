"""Fields of JSON objects that others have written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text of the first of these fields that has one; empty where none has."""
    return next(filter(None, (text_of(record, name) for name in names)), "")
