"""What the session named as a secret in one place is known in another, and nothing else is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.text.named_secrets import (
    REPLACEMENT,
    all_without_marked,
    marks_of,
    marks_with,
    named_runs,
    without_marked,
)
from compact_keeper.text.redact import redact

KEY = "537d6ac1283452cdf446f52c07fbb15fca16330a7cbb95ed373aa32219674ffb"
NAMED = {
    "export": 'export ENCRYPTION_KEY="{}" && node migrate.mjs', "quoted": "const apiKey = '{}'",
    "yaml": "client_secret: {}", "spoken": "the password is {}.", "url": "postgres://app:{}@db.example.org/app",
    "header": "Authorization: Basic {}", "json": '{{"access_token": "{}"}}', "option": "deploy --token {} --now",
    "json in json": '"{{\\"password\\": \\"{}\\"}}"'}
PLAIN = {  # what may stand behind a name and elsewhere, and says something there
    "word": "API_TOKEN='correcthorsebatterystaple'", "words": "token: getAccessTokenFromTheStore2024",
    "short": "password: hunter2hunter2", "uuid": "api_key=8c6f7a52-9d0b-4c3e-8f4e-1a2b3c4d5e6f",
    "path": "credentials: /home/ada/keys/production2024/service", "id": "auth_token=toolu_01_2024_11_23"}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN.keys())
def test_what_may_be_a_word_is_not_known_again(text: str) -> None:
    redact(text)
    assert named_runs() == set()


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED.keys())
def test_a_value_behind_a_name_is_known_without_it(text: str) -> None:
    redact(text.format(KEY))
    marks = marks_with([])
    alone = f"Here is your key:\n\n```\n{KEY}\n```\nand ({KEY}), {KEY}."
    hidden = without_marked(alone, marks)
    assert {*marks} == marks_of(KEY)
    assert KEY[:12] not in hidden
    assert len(hidden) == len(alone)
    assert hidden.count(REPLACEMENT) == 3


def test_each_long_run_of_a_value_is_known() -> None:
    redact("DATABASE_PASSWORD=q7Zt1Xc9Vb3Nm5Lk8/Jh2Gf4Ds6Ap0Qw1Er+x3")
    hidden = without_marked("q7Zt1Xc9Vb3Nm5Lk8/Jh2Gf4Ds6Ap0Qw1Er+x3", marks_with([]))
    assert "Zt1X" not in hidden
    assert "Gf4D" not in hidden


def test_other_values_stay() -> None:
    redact(f"SIGNING_KEY={KEY}")
    others = f"commit {KEY[1:41]}, sha256 {KEY[::-1]}, within 0{KEY}0, short {KEY[:15]}"
    assert without_marked(others, marks_with([])) == others


CUT = {"end": f"{KEY[:40]}…", "begin": f"…{KEY[-16:]}", "short": KEY[:16]}


@pytest.mark.parametrize("text", CUT.values(), ids=CUT.keys())
def test_a_run_that_was_cut_is_known(text: str) -> None:
    redact(f"SIGNING_KEY={KEY}")
    assert REPLACEMENT in without_marked(text, marks_with([]))


def test_a_mark_does_not_tell_the_value() -> None:
    redact(f"SIGNING_KEY={KEY}")
    assert [*map(len, marks_with([]))] == [6, 6]
    assert marks_with(["0abcde"]) == sorted(["0abcde", *marks_of(KEY)])


def test_all_texts_of_a_value_are_looked_at_and_nothing_else_changes() -> None:
    redact(f"SIGNING_KEY={KEY}")
    marks = marks_with([])
    value = {"items": [{"text": f"x {KEY} y", "at": 3, "is": True, "no": None}], "state": {"cwd": KEY}, "share": 0.5}
    hidden = all_without_marked(value, marks)
    assert KEY not in str(hidden)
    assert hidden["items"][0] == {**value["items"][0], "text": f"x {without_marked(KEY, marks)} y"}  # type: ignore[index]
    assert all_without_marked(value, []) == value


def test_a_value_as_deep_as_json_can_be_is_looked_at() -> None:
    redact(f"SIGNING_KEY={KEY}")
    deep: Any = KEY
    for _ in range(5_000):
        deep = [deep]
    hidden = all_without_marked({"answers": deep}, marks_with([]))["answers"]
    for _ in range(5_000):
        [hidden] = hidden
    assert REPLACEMENT in hidden
