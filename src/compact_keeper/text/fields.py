"""Fields of JSON objects that others have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""
