"""Moments as the client writes them."""

from __future__ import annotations

import time

import pytest

from compact_keeper.text.times import moment


@pytest.mark.parametrize("seconds", [0, 951_782_400, 951_868_799, 1_709_164_800, 1_735_689_599, 1_795_245_869,
                                     4_107_542_400])
def test_moment(seconds: int) -> None:
    assert moment(time.strftime("%Y-%m-%dT%H:%M:%S.123Z", time.gmtime(seconds))) == seconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-21", "password=x", "2026-11-21 07:00:00"])
def test_what_is_no_moment(text: str) -> None:
    assert moment(text) == 0
