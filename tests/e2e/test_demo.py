"""The demo: what it plays is what README's table says of it, and its page is one that a person reads."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import client
import demo
from delivered import restored_block
from demo_session import FACTS, SUMMARY
from workspace import REPOSITORY

pytestmark = pytest.mark.e2e

GIVEN_IN_BOTH = ("the request", "the file that was edited", "what is running")  # the page has no row of them
PAGE_MAX_LINES = 66  # a screen and a half, at a hundred columns


@pytest.fixture(scope="module")
def results() -> list[demo.Result]:
    """What the model was given without the plugin, and with it."""
    version = client.pinned_versions()[0]
    return [demo.play(version, with_plugin) for with_plugin in (False, True)]


def test_readme_says_what_each_run_gives(results: list[demo.Result]) -> None:
    """README's table before/after: a row for each fact but three; what it quotes, but for "…", was given in that run.

    Where a fact was not given it says so, or quotes what was given in its place, behind "only".
    """
    table = (REPOSITORY / "README.md").read_text(encoding="utf-8").partition("| with compact-keeper, Claude reads |")[2]
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    facts = [fact for fact in FACTS if not fact.name.startswith(GIVEN_IN_BOTH)]
    assert len(rows) == len(facts)
    given = (results[0].given.text(), restored_block(results[1].given))
    for column, text in enumerate(given, 1):
        cells = [row[column] for row in rows if row[column] not in ("gone", "the same")]
        pieces = [piece.strip(' "') for cell in cells for piece in cell.removeprefix("only ").split("…")]
        assert [piece for piece in pieces if piece not in " ".join(text.split())] == []
    gone = [row[1] == "gone" or row[1].startswith("only ") for row in rows]
    assert gone == [not fact.is_in(results[0].given.text()) for fact in facts]


def test_every_fact_comes_back(results: list[demo.Result]) -> None:
    assert [fact.name for fact in FACTS if not fact.is_in(results[1].given.text())] == []


def test_the_summary_has_the_sections_that_the_client_asks_for(results: list[demo.Result]) -> None:
    assert re.findall(r"(?m)^(\d)\. [A-Z]", SUMMARY) == list("123456789")
    assert all("9. Optional Next Step:" in result.given.text() for result in results)


def test_the_page_has_a_screen_and_a_half(
        results: list[demo.Result], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo, "play", lambda _, with_plugin: results[with_plugin])  # they take as long a second time
    monkeypatch.setattr(sys, "argv", ["demo.py"])
    monkeypatch.setenv("COLUMNS", "100")
    assert demo.main() == 0
    page = capsys.readouterr().out
    lines = page.splitlines()
    assert len(lines) <= PAGE_MAX_LINES
    assert max(map(len, lines)) <= 100
    assert f"of {len(FACTS)}." in page
    assert "✗" in page
    assert '"Install" in README.md' in lines[-1]


def test_it_starts_as_make_starts_it() -> None:
    demo_file = str(REPOSITORY / "tests" / "e2e" / "demo.py")
    done = subprocess.run([sys.executable, demo_file, "--help"], capture_output=True, text=True, check=True)
    assert "--details" in done.stdout
