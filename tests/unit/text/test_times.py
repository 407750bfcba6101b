"""Moments as the client writes them."""

from __future__ import annotations

import time

import pytest

from compact_keeper.text.times import age_in_words, moment


@pytest.mark.parametrize("seconds", [0, 951_782_400, 951_868_799, 1_709_164_800, 1_735_689_599, 1_795_245_869,
                                     4_107_542_400])
def test_moment(seconds: int) -> None:
    assert moment(time.strftime("%Y-%m-%dT%H:%M:%S.123Z", time.gmtime(seconds))) == seconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-21", "password=x", "2026-11-21 07:00:00"])
def test_what_is_no_moment(text: str) -> None:
    assert moment(text) == 0


@pytest.mark.parametrize(("seconds", "words"), [
    (-3, "0 s"), (59.9, "60 s"), (60, "1 min"), (7_199, "120 min"), (7_200, "2 h"), (10_440, "3 h"), (172_799, "48 h"),
    (172_800, "2 days"), (float("-inf"), "0 s")])
def test_an_age_is_told_in_one_unit(seconds: float, words: str) -> None:
    assert age_in_words(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [
    (7_199, "120 min"), (172_799, "48 h"), (172_800, "48 h"), (336_000, "93 h")])
def test_an_age_may_stay_with_hours(seconds: float, words: str) -> None:
    assert age_in_words(seconds, has_days=False) == words
