"""What a summary said otherwise than the record, in the words of those who count it: stats and report."""

from __future__ import annotations


def contradicted_words(contradicted: int) -> str:
    """How much a summary said otherwise than the record, in the words of all who tell of it."""
    return f"said {contradicted:,} thing{'s' * (contradicted != 1)} that the record contradicts"


def left_out_words(left_out: int, put_back: int) -> str:
    """How much of what must stand somewhere a summary left out, and how much of that the model was given again."""
    if left_out == 1:
        return f"left out 1 thing, which was {'put back' if put_back else 'not put back yet'}"
    back = "all put back" if put_back >= left_out else f"{put_back:,} put back" if put_back else "none put back yet"
    return f"left out {left_out:,} things, {back}"


def differences_in_words(contradicted: int, left_out: int, model_knows: bool) -> str:
    """What the summary said otherwise and left out, and whether the model knows."""
    if not contradicted and not left_out:
        return "nothing in the summary differs from the record"
    knows = "the model was told" if model_knows else "the model was not told yet"
    parts: list[str] = []
    if contradicted:
        parts.append(f"{contradicted_words(contradicted)} ({knows})")
    if left_out:
        parts.append(left_out_words(left_out, left_out if model_knows else 0))
    return f"the summary {', and '.join(parts)}"
