"""What several files of tests here begin with; one that needs it otherwise makes its own by the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from deliveries import Beginnings, begun_home, transcript_in
from sessions import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return transcript_in(tmp_path)


@pytest.fixture(scope="module")
def beginnings(tmp_path_factory: pytest.TempPathFactory) -> Beginnings:
    """A folder that is as it was behind hooks that many tests of a file need: those run once."""
    return Beginnings(tmp_path_factory.mktemp("place"))


@pytest.fixture
def begun(beginnings: Beginnings, tmp_path: Path, transcript: Path) -> Home:
    """A home with a compaction that has begun."""
    return beginnings.behind("begun", lambda: begun_home(tmp_path, transcript))
