"""The skills' first lines, as the client shows them where a command is chosen."""

from __future__ import annotations

import re

import pytest

from homes import REPOSITORY

PAGES = {path.parent.name: path.read_text(encoding="utf-8") for path in (REPOSITORY / "skills").glob("*/SKILL.md")}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_named_argument_is_one_word_that_the_body_has_a_place_for(page: str) -> None:
    """The client lists all names behind the description, and adds what was typed to a body without a place for it."""
    _, head, body = page.split("---\n", 2)
    for names in re.findall(r"^arguments: (.*)$", head, re.MULTILINE):
        assert re.fullmatch(r"[A-Z]+", names)
        assert f"${names}" in body
        assert re.search(rf"^argument-hint: {names}\b", head, re.MULTILINE)


def test_those_that_take_words_name_them() -> None:
    assert [name for name, page in sorted(PAGES.items()) if "\narguments: " in page] == ["pin", "unpin"]
