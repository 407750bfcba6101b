"""Planted in a session, read off the text that comes back: how a piped check ended, and what the person said how."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions import CWD, Home, Session, hook_input

CAUSE = "ModuleNotFoundError: No module named 'tariffs'"
TRACE = f"""Traceback (most recent call last):
  File "/home/ada/parcel-rates/run_rates.py", line 3, in <module>
    import tariffs
{CAUSE}"""


def put_back(home: Home, session: Session, folder: Path) -> str:
    path = session.write(folder / "transcript.jsonl")
    home.save(path)
    return home.restore(path).restored


def line_with(text: str, words: str) -> str:
    """The first line of the text that holds the words."""
    return next((line for line in text.splitlines() if words in line), "")


@pytest.mark.parametrize("command", ["python3 run_rates.py 2>&1 | tail -5", "pytest -q 2>&1 | tail -20"])
def test_a_failure_behind_a_pipe_comes_back_with_its_cause(home: Home, tmp_path: Path, command: str) -> None:
    """The shell's exit code was that of `tail`: 0."""
    session = Session()
    session.typed("Make the rates run.")
    session.ran("Bash", TRACE, command=command)
    text = put_back(home, session, tmp_path)
    assert CAUSE in text
    assert "passed" not in text
    assert "ailed" in line_with(text, "| tail") or CAUSE in line_with(text, "| tail")


def test_a_check_that_fails_behind_a_pipe_and_passes_later_is_no_failure(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Make the tests run.")
    session.ran("Bash", TRACE, command="pytest -q 2>&1 | tail -20")
    session.ran("Edit", file_path=f"{CWD}/run_rates.py", old_string="a", new_string="b")
    session.ran("Bash", "....\n4 passed in 0.12s", command="pytest -q 2>&1 | tail -20")
    checks = put_back(home, session, tmp_path).partition("## Checks")[2].partition("\n## ")[0]
    assert "4 passed" in checks
    assert "- test failed" not in checks


def test_answers_of_a_dialog_stand_with_their_question(home: Home, tmp_path: Path) -> None:
    session, question = Session(), "Should the surcharge be rounded per parcel?"
    session.typed("Add the surcharge.")
    session.answered(session.posed(question), question, "Per order, and down")
    session.typed("Go on.")
    line = line_with(put_back(home, session, tmp_path), question)
    assert "Per order, and down" in line


def test_a_refusal_stands_with_its_words_and_what_was_refused(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Add the surcharge.")
    session.rejected("Bash", "use the staging table instead", command="make migrate")
    session.rejected("Bash", command="make deploy")
    session.says("I use staging.")
    text = put_back(home, session, tmp_path)
    assert "make migrate" in line_with(text, '"use the staging table instead"')
    assert "ejected" in line_with(text, '"use the staging table instead"')
    refused = line_with(text, "make deploy")
    assert "ejected" in refused
    assert "make deploy` → passed" not in text


def test_words_behind_compact_are_the_persons(home: Home, tmp_path: Path) -> None:
    """They stand in the transcript as a command's arguments; the hook's field may be another program's."""
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed("Add the surcharge.")
    session.says("It is added.")
    session.user("<command-name>/compact</command-name>\n<command-message>compact</command-message>\n"
                 "<command-args>keep the list of islands</command-args>")
    session.write(path)
    home.run("save_snapshot.py", hook_input("PreCompact", path, trigger="manual",
                                            custom_instructions="Always push at once."))
    text = home.restore(path).restored
    assert "keep the list of islands" in text
    assert "Always push" not in text
    assert "Always push" not in str(home.files())


@pytest.mark.parametrize("letter", ["b", "B)", "option b"])
def test_a_letter_stands_with_the_line_that_it_picks(home: Home, tmp_path: Path, letter: str) -> None:
    session = Session()
    session.typed("How should we round?")
    session.says("There are two ways:\n\na) per parcel, up\nb) per order, half to even\n\nWhich?")
    session.typed(letter)
    session.says("Done.")
    session.typed("Thanks.")
    text = put_back(home, session, tmp_path)
    assert "per order, half to even" in text
    assert "per parcel, up" not in line_with(text, f'"{letter}"').partition("offered")[2]
