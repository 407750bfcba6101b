"""Settings that all tests share."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import HealthCheck, settings

# In CI every run tries the same examples; CK_EXAMPLES=5000 searches further.
settings.register_profile(
    "same-every-time", derandomize=True, database=None, deadline=None, print_blob=True,
    max_examples=int(os.environ.get("CK_EXAMPLES", "150")), suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same-every-time")

os.environ["COMPACT_KEEPER_ARCHIVE"] = "off"  # a save in this process would start another, which outlives its test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups tests by file and client, for --dist=loadgroup: a session is played once for all that read it."""
    for item in items:
        version = re.search(r"\d+\.\d+\.\d+", item.name)
        item.add_marker(pytest.mark.xdist_group(f"{item.path.stem} {version[0] if version else ''}"))
