"""Tags of steps: hostile ids first; then their form, and how rarely two are the same."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Iterator

import pytest

from compact_keeper.text.tags import TAG_PATTERN, tag_of


@pytest.mark.parametrize("source", ["1", "\ud800-1", "\0 1", "x1" * 10 ** 6, "日本1", "functions.Bash:0", "#1-2"])
def test_any_id_has_a_tag(source: str) -> None:
    assert re.fullmatch(TAG_PATTERN, tag_of(source))
    assert tag_of(source) == tag_of(source)


@pytest.mark.parametrize("source", ["", "queue", "ledger"])
def test_what_the_client_gave_no_id_has_none(source: str) -> None:
    assert tag_of(source) == ""


def ids_made(form: str) -> Iterator[str]:
    """5,000 ids as the client gives them."""
    draw = random.Random(7)
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
    for _ in range(5_000):
        of_call = "toolu_01" + "".join(draw.choices(letters, k=22))
        yield of_call if form == "call" else str(uuid.UUID(int=draw.getrandbits(128), version=4))


@pytest.mark.parametrize("form", ["uuid", "call"])
def test_few_ids_have_the_same_tag(form: str) -> None:
    tags = [*map(tag_of, ids_made(form))]
    assert len({*tags}) > 4_900  # 5,000 of 374,000: 33 pairs are to be expected
    assert not [tag for tag in tags if tag.isdecimal() or set(tag) & set("aeiou01")]
