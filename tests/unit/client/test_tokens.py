"""How full the context is, as the status line tells it: of what fits before the client compacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client.tokens import filled_percent, named_window

WINDOW = 100_000  # tokens: the client compacts at 67,000


ODD: tuple[Any, ...] = (
    None, True, False, -1, 0, "7", "\x1b[2J\n\u202e7", [7], [[[[]]]], {}, {"input_tokens": []})


def context(tokens: int, size: int = WINDOW) -> dict[str, Any]:
    """The client's `context_window` with so many tokens in it."""
    return {"context_window_size": size, "current_usage": {"input_tokens": tokens, "output_tokens": 0}}


@pytest.mark.parametrize(("size", "named", "tokens", "percent"), [
    (WINDOW, 0, 1, 0), (WINDOW, 0, 46_000, 69), (WINDOW, 0, 47_000, 70), (WINDOW, 0, 67_000, 100),
    (WINDOW, 0, 190_000, 100), (200_000, 0, 83_500, 50), (1_000_000, 0, 483_500, 50), (1_000_000, 100_000, 62_000, 93),
    (200_000, 400_000, 83_500, 50), (20_000, 0, 10_000, None), (200_000, 0, 10 ** 30, None),
    (200_000, 20_000, 10_000, None)])
def test_full_is_where_the_client_compacts(size: int, named: int, tokens: int, percent: int | None) -> None:
    assert filled_percent(context(tokens, size), named) == percent


def test_all_tokens_of_the_request_and_answer_count() -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 500, "cache_creation_input_tokens": 2_000,
             "cache_read_input_tokens": 30_000}
    assert filled_percent({"context_window_size": WINDOW, "current_usage": usage}, 0) == 50


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_what_is_no_figure_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    good = context(20_000)
    for odd in (value, {**good, "context_window_size": value}, {**good, "current_usage": value},
                {**good, "current_usage": {"input_tokens": value}}):
        assert filled_percent(odd, 0) is None
    usage = {"input_tokens": 20_000, "output_tokens": value, "cache_read_input_tokens": value}
    assert filled_percent({**good, "current_usage": usage}, 0) == 30
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW", raising=False)
    (tmp_path / "settings.json").write_text(json.dumps({"autoCompactWindow": value}), encoding="utf-8")
    assert named_window() == 0


@pytest.mark.parametrize(("variable", "setting", "tokens"), [
    ("", None, 0), ("100000", None, 100_000), ("", 100_000, 100_000), ("200000", 100_000, 200_000),
    ("nan", 100_000, 100_000), ("-5", None, 0), ("9" * 5_000, None, 0), ("", "100000", 0)])
def test_the_window_that_the_person_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, setting: object, tokens: int) -> None:
    (tmp_path / "dotfiles.json").write_text(json.dumps({"autoCompactWindow": setting}), encoding="utf-8")
    (tmp_path / "settings.json").symlink_to(tmp_path / "dotfiles.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW", variable)
    assert named_window() == tokens
