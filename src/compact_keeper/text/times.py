"""Moments: from the words that name them, and as a clock shows them."""

from __future__ import annotations

import re
import time


def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    parts = [stamp[:4], *(stamp[begin:begin + 2] for begin in (5, 8, 11, 14, 17))]
    if stamp[4:17:3] != "--T::" or len(parts[-1]) < 2 or not "".join(parts).isdecimal():
        return 0
    year, month, day, hour, minute, second = map(int, parts)
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def clock(seconds: float) -> str:
    """The moment as a clock shows it here."""
    return local_time(seconds, "%H:%M")


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """The moment as a person reads it, here."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def age_in_words(seconds: float, has_days: bool = True) -> str:
    """How long that is, from hours on in the largest unit of which two are over, rounded: `90 min`, `25 h`, `2 days`.

    Without `has_days` it stays with hours: `93 h`.
    """
    seconds = max(seconds, 0)
    for below, unit, size in ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600)):
        if seconds < below or (unit == "h" and not has_days):
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} days"


def moment_named(words: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", words):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    try:
        return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise ValueError("it takes a day (2026-11-21), a moment, or an age (12h, 7d, 2w)") from None
