"""Bytes in the words of all who tell of them: stats, report, recall."""

from __future__ import annotations


def size_shown(count: float) -> str:
    """Bytes as a person reads them, a KB of 1,000."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:,.1f} GB"
