"""The attacks on the redaction see a leak: broken copies of the scripts, and judges given what is broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import leaks
from attack import SCRIPTS, Ground
from lookalikes import lookalikes

FEW = ("github-personal", "env", "sentence")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [one for one in leaks.secrets("few") if one.family in FEW]
    monkeypatch.setattr(leaks, "secrets", lambda _seed: made)


def broken(tmp_path: Path, name: str, old: str, new: str) -> Ground:
    """A ground whose scripts have one line changed."""
    copies = shutil.copytree(SCRIPTS, tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    source = (copies / name).read_text(encoding="utf-8")
    assert old in source
    (copies / name).write_text(source.replace(old, new), encoding="utf-8")
    (tmp_path / "ground").mkdir()
    return Ground(tmp_path / "ground", full=False, scripts=copies)


@pytest.mark.parametrize(("old", "new", "family"), [
    ("ghp_ gho_", "gho_", "github-personal is left"),
    ("SECRETS = (", "SECRETS = [] and (", "env is left"),
    ("|ist|", "|is not|", ""),
    ("(?!\\[redacted|[$<*{(%]", "(?![$<*{(%]", "the second time"),
])
@pytest.mark.usefixtures("few")
def test_a_form_that_is_not_known_is_found(tmp_path: Path, old: str, new: str, family: str) -> None:
    found = leaks.by_itself(broken(tmp_path, "record_event.py", old, new))
    assert family in "\n".join(found.broken)
    assert bool(found.broken) == bool(family)


@pytest.mark.usefixtures("few")
def test_words_that_go_to_disk_as_they_are_are_found(tmp_path: Path) -> None:
    ground = broken(tmp_path, "record_event.py", "cut(redact(clean(text_of(data, \"prompt\")))",
                    "cut(clean(text_of(data, \"prompt\"))")
    assert leaks.in_every_place(ground).broken


def test_half_a_key_in_the_last_words_is_found_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = next(one for one in leaks.secrets("any") if one.family == "key-RSA-torn")
    monkeypatch.setattr(leaks, "secrets", lambda _seed: [key] * leaks.PLACES)
    ground = broken(tmp_path, "save_snapshot.py", "redact(clean(one[\"text\"])) if room", "one[\"text\"] if room")
    told = "\n".join(leaks.in_every_place(ground).broken)
    assert "key-RSA-torn is left; round 0, part 0; restore_snapshot.py printed: " in told
    assert key.body[-leaks.PIECE:] in told


def test_too_much_redacted_is_found(tmp_path: Path) -> None:
    found = leaks.harmless(broken(tmp_path, "record_event.py",
    "(?=\\w{0,40}(?:\\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]",
                                  "[\\w-]"))
    assert found.broken


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
    assert len({one.family for one in leaks.secrets("any")}) >= 60
    assert len(set(lookalikes("any"))) >= 500
