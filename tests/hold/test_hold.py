"""Every attack once, short; `make hold` runs them at full length."""

from __future__ import annotations

from pathlib import Path

import pytest

from attack import Attack, Ground
from hold import SHORT, attacks_of


@pytest.mark.parametrize("attack", [pytest.param(attack, id=f"{part}-{attack.name}")
                                    for part in SHORT for attack in attacks_of(part)])
def test_it_holds(attack: Attack, tmp_path: Path) -> None:
    outcome = attack.run(Ground(tmp_path, full=False))
    assert outcome.attempts > 0
    assert outcome.broken == []
