"""What several files of tests here begin with."""

from __future__ import annotations

import pytest

from deliveries import Beginnings


@pytest.fixture(scope="module")
def beginnings(tmp_path_factory: pytest.TempPathFactory) -> Beginnings:
    """A folder that is as it was behind hooks that many tests of a file need: those run once."""
    return Beginnings(tmp_path_factory.mktemp("place"))
