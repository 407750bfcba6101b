"""Names in texts: those of code, and not words."""

from __future__ import annotations

import pytest

from compact_keeper.text.names import is_plain_word, names_of
from slow_texts import ending


@pytest.mark.parametrize(("text", "names"), [
    ("call loadRates, then parse_row and RateTable", ["loadRates", "parse_row", "RateTable"]),
    ("see src/rates.py:12 and ./web/rates.ts", ["src/rates.py", "rates.py", "./web/rates.ts", "rates.ts"]),
    ("tariffs.WithZone() is in tariffs/zone.go.", ["tariffs.WithZone", "tariffs/zone.go", "zone.go"]),
    ("commit 4be2a91 for ABC-12, #7, run --dry-run", ["4be2a91", "ABC-12", "#7", "--dry-run"]),
    ("0f8fad5b-d9cb-469f-a165-70867728950e", ["0f8fad5b-d9cb-469f-a165-70867728950e"]),
    ("the `redact()` function and `well-known` words", ["redact", "well-known"]),
    ("add and/or remove a follow-up. Then Python, JavaScript or GitHub, e.g. v1.2", []),
    ("1234567 defaced facade 10:30 3.14", []),  # no hashes: digits alone, letters alone
    ("请看notes.md和loadRates的结果", ["notes.md", "loadRates"]),
    ("见 rates-图文版.md", ["rates-图文版.md"]),
    ("", []),
])
def test_names_are_those_of_code_and_not_words(text: str, names: list[str]) -> None:
    assert names_of(text) == names


def test_a_name_comes_once_and_names_are_bounded() -> None:
    assert names_of("loadRates `loadRates` loadRates()") == ["loadRates"]
    assert len(names_of(" ".join(f"name_{number}" for number in range(999)))) == 60


@pytest.mark.parametrize(("name", "plain"), [
    ("session", True), ("loadRates", False), ("a1b2c3d", False), ("x_y", False)])
def test_a_plain_word_is_known(name: str, plain: bool) -> None:
    assert is_plain_word(name) is plain


@pytest.mark.parametrize("text", [
    "a-" * 30_000, "a." * 30_000, "_" * 60_000, "A" * 60_000, "`" * 60_000, "1a" * 30_000])
def test_hostile_words_take_no_long_time(text: str) -> None:
    with ending():
        names_of(text)
