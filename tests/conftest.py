"""Settings that all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# In CI every run tries the same examples; CK_EXAMPLES=5000 searches further.
settings.register_profile(
    "same-every-time", derandomize=True, database=None, deadline=None, print_blob=True,
    max_examples=int(os.environ.get("CK_EXAMPLES", "150")), suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same-every-time")

os.environ["COMPACT_KEEPER_ARCHIVE"] = "off"  # a save in this process would start another, which outlives its test
