"""The attacks on the redaction see a leak: broken copies of the scripts, and judges given what is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

import leaks
from attack import Ground
from broken_scripts import Break, ground_with
from lookalikes import lookalikes

FEW = ("github-personal", "env", "sentence")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [secret for secret in leaks.secrets("few") if secret.family in FEW]
    monkeypatch.setattr(leaks, "secrets", lambda _seed: made)


def broken(tmp_path: Path, name: str, code: str, script: str = "record_event.py") -> Ground:
    """A ground with that definition of a script broken."""
    return ground_with(tmp_path, Break(script, name, code))


def patterns_with(old: str, new: str) -> str:
    """A patterns_for whose patterns have that part changed."""
    return f"""
def patterns_for(text):
    return [(kind, pattern.replace({old!r}, {new!r}), None) for kind, pattern, _ in right_patterns_for(text)]"""


@pytest.mark.parametrize(("code", "family"), [
    (patterns_with("ghp_", "ghq_"), "github-personal is left"),
    ("def patterns_for(text):\n    return []", "env is left"),
    (patterns_with(r"(?!\[redacted|", "(?!"), "the second time")], ids=["a family", "all", "twice"])
@pytest.mark.usefixtures("few")
def test_a_form_that_is_not_known_is_found(tmp_path: Path, code: str, family: str) -> None:
    assert family in "\n".join(leaks.by_itself(broken(tmp_path, "patterns_for", code)).broken)


@pytest.mark.rows(0)
@pytest.mark.usefixtures("few")
def test_words_that_go_to_disk_as_they_are_are_found(tmp_path: Path) -> None:
    ground = broken(tmp_path, "redact", "def redact(text):\n    return text", "answer_prompt.py")
    assert leaks.in_every_place(ground).broken


@pytest.mark.rows(0)
def test_half_a_key_in_the_last_words_is_found_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = next(secret for secret in leaks.secrets("any") if secret.family == "key-RSA-torn")
    monkeypatch.setattr(leaks, "secrets", lambda _seed: [key] * leaks.PLACES)
    ground = broken(tmp_path, "redact", "def redact(text):\n    return text if \"\\n\" in text else right_redact(text)",
                    "save_snapshot.py")
    report = "\n".join(leaks.in_every_place(ground).broken)
    assert "key-RSA-torn is left; round 0, part 0; restore_snapshot.py printed: " in report
    assert key.body[:leaks.PIECE] in report


def test_too_much_redacted_is_found(tmp_path: Path) -> None:
    code = patterns_with(r"(?=\w{0,40}(?:\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]", r"[\w-]")
    assert leaks.harmless(broken(tmp_path, "patterns_for", code)).broken


def test_a_pattern_that_looks_again_and_again_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "BAITS", ("a",))
    monkeypatch.setattr(leaks, "LONGEST", 0.0)
    assert leaks.long_texts(Ground(tmp_path, full=True)).broken


@pytest.mark.parametrize("data", [
    b"x abcdefghijkl y", b"ABCDEFGHIJKL", b"abcdef\\\n  ghijkl", b"abcdef\x1b[31mghijkl", b"abcdef\xe2\x80\x8bghijkl",
    b"abcdef\\nghijkl", b"x-short7x-y"])
def test_a_piece_is_found_however_it_is_hidden(data: bytes) -> None:
    pieces = leaks.pieces_of([leaks.Secret("long", "", "xx-abcdefghijklm"), leaks.Secret("short", "", "short7x")])
    assert leaks.leaks_in(data, pieces)
    assert not leaks.leaks_in(b"abcdefghijk short", pieces)


def test_there_are_as_many_as_the_issue_asks_for() -> None:
    assert len({secret.family for secret in leaks.secrets("any")}) >= 60
    assert len(set(lookalikes("any"))) >= 500
