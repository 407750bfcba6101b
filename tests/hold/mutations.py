"""To come."""

from __future__ import annotations

from attack import Attack

ATTACKS: tuple[Attack, ...] = ()
