"""What the doctor tells of each thing that it looked at."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """What was found: ok, note or fix; what and where; what to do about it."""

    level: str
    what: str
    to_do: str = ""
    on_made_up_session: bool = False  # it is about the session that the doctor plays, not about the person's
