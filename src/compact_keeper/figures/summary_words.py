"""What a summary said otherwise than the record, in the words of all who tell of it: stats, report, status line."""

from __future__ import annotations


def contradicted_words(contradicted: int) -> str:
    """How much a summary said otherwise than the record, in the words of all who tell of it."""
    return f"said {contradicted:,} thing{'s' * (contradicted != 1)} that the record contradicts"


def summary_words(contradicted: int, left_out: int, is_told: bool) -> str:
    """What the summary said otherwise and left out, and whether the model knows."""
    if not contradicted and not left_out:
        return "nothing in the summary differs from the record"
    said = [contradicted_words(contradicted)] * bool(contradicted) + [f"left out {left_out:,}"] * bool(left_out)
    to_model = "the model was told" if is_told else "no note has reached the model yet"
    return f"the summary {' and '.join(said)}; {to_model}"
