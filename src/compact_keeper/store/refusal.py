"""The exception that says to a person why something is not done."""

from __future__ import annotations

NOTHING_KNOWN = "nothing is known of session"  # how stats.py begins to say so; answer_prompt.py says it of a new one


class Refusal(Exception):
    """Says why an input or a file is not used."""


def fault_words(fault: Exception) -> str:
    """What went wrong, for a person: of a fault of the system the file and the cause, without its number."""
    if not isinstance(fault, OSError) or not fault.strerror:
        return str(fault)
    return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror
