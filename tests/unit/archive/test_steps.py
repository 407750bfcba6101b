"""What the archive keeps of a call's output."""

from __future__ import annotations

import pytest

from compact_keeper.archive.steps import (
    READ_MAX_CHARACTERS,
    STEP_LINE_MAX_CHARACTERS,
    STEP_MAX_CHARACTERS,
    call_step,
    result_lines,
)
from compact_keeper.client.tools import CHANGING_TOOLS
from tool_events import changing_input

ROWS = [f"MIIEpAIBAAKCAQEA7{row}q9yVb3kTz8mXw2LrPqN5sHdFgJkLzXcVbNmQwErTyUiOp" for row in range(4)]


def test_a_search_that_met_the_rows_of_a_key_keeps_none() -> None:
    key = ["-----BEGIN RSA PRIVATE KEY-----", *ROWS, "-----END RSA PRIVATE KEY-----"]
    output = "\n".join(f"deploy/key.pem:{place}:{row}" for place, row in enumerate(key, 1))
    kept = "\n".join(result_lines("Grep", {"pattern": ".", "path": "deploy"}, output, is_error=False))
    assert "[redacted: private key]" in kept
    assert [row for row in ROWS if row in kept] == []


def test_a_line_that_is_cut_says_so() -> None:
    call = {"command": "cat rates.json"}
    for output, most in (("x" * 9_000, STEP_MAX_CHARACTERS), ("a\n" + "x" * 9_000, STEP_LINE_MAX_CHARACTERS)):
        last = result_lines("Bash", call, output, is_error=False)[-1].strip()
        assert len(last) == most
        assert last.endswith("x…")
    assert result_lines("Bash", call, "x" * 300, is_error=False)[-1].strip() == "x" * 300


def test_of_a_file_the_rows_of_a_key_without_its_head_are_not_kept() -> None:
    output = "\n".join(f"{place:6}→{line}" for place, line in enumerate([*ROWS, "rate = 5"], 40))
    assert result_lines("Read", {"file_path": "/key.pem"}, output, is_error=False) == ["  → ended", "    44→rate = 5"]


def test_a_long_file_keeps_what_tells_most_and_no_more_than_its_room() -> None:
    lines = [*(f"# says the {number}th time what it is" for number in range(200)), "def rates():", "# TODO: round",
             'LIMIT = "5"', "rates(all_of_them)"]
    output = "\n".join(f"{place:6}→{line}" for place, line in enumerate(lines, 1))
    kept = result_lines("Read", {"file_path": "/a.py"}, output, is_error=False)
    assert [line.strip() for line in kept[-4:]] == [
        "201→def rates():", "202→# TODO: round", '203→LIMIT = "5"', f"… ({len(kept) - 2} of 204 lines kept)"]
    assert kept[1] == "    1→# says the 0th time what it is"
    size = len("\n".join(kept[1:-1]))
    assert READ_MAX_CHARACTERS - 60 < size <= READ_MAX_CHARACTERS


@pytest.mark.parametrize(("first", "mark"), [
    ("    40→}", "    … ({} of 301 lines kept)"), ("    40\t", "    … ({} of 301 lines kept)"),
    ("rate = 1", "    98→rate = 98"), ("  999→x = 1", "    98→rate = 98")])
def test_of_a_part_of_a_file_it_says_how_many_of_its_lines_are_kept(first: str, mark: str) -> None:
    output = "\n".join([first, *(f"{place:6}→rate = {place}" for place in range(41, 340)), "   340→}"])
    *kept, last = result_lines("Read", {"file_path": "/a.py", "offset": 40}, output, is_error=False)[1:]
    assert last == mark.format(len(kept))


@pytest.mark.parametrize(("content", "end"), [
    ("rate = 5\n" * 100, "    rate = 5"), ("a" * 3_000, "a…"), ("a" * 3_000 + "\nb", "a…"),
    ("rate = 5\n" * 300, "    r… (222 of 300 lines kept)"), ("rate = 5\n" * 9_000, "r… (222 of 9000 lines kept)")],
    ids=lambda text: text[-9:])
def test_of_a_long_new_file_it_says_how_many_of_its_lines_are_kept(content: str, end: str) -> None:
    assert call_step("Write", {"file_path": "/a.py", "content": content})[1].endswith(end)


def test_a_line_with_a_number_sign_is_a_heading_in_markdown_alone() -> None:
    lines = [*(f"- must be the {number}th of it" for number in range(200)), "# Rounding"]
    output = "\n".join(f"{place:6}→{line}" for place, line in enumerate(lines, 1))
    heading = "    201→# Rounding"
    assert heading in result_lines("Read", {"file_path": "/a.md"}, output, is_error=False)
    assert heading not in result_lines("Read", {"file_path": "/a.py"}, output, is_error=False)


def test_of_a_command_in_the_background_the_clients_advice_is_not_kept() -> None:
    started = "Command running in background with ID: b1. Output is being written to: /tmp/tasks/b1.output."
    advice = " You will be notified when it completes. Read the file only if you need a line before you can go on."
    lines = result_lines("Bash", {"command": "npm run dev"}, started + advice, False)
    assert "b1.output" in "\n".join(lines)
    assert "go on" not in "\n".join(lines)


def test_which_files_changed_is_said_by_the_client_not_by_the_command() -> None:
    remark = "[This command modified 1 file you've previously read: rates.py. Call Read before editing.]"
    call = {"command": "sed -i s/80/90/ rates.py"}
    assert result_lines("Bash", call, remark, is_error=False) == ["  → ended (no output)"]
    assert result_lines("Bash", call, f"90 cents\n{remark}", is_error=False) == ["  → ended", "    90 cents"]


def test_the_same_words_of_several_arguments_stand_once() -> None:
    given = {"subject": "Ask Ann", "description": "Ask Ann", "status": "open", "activeForm": "Ask Ann", "owner": ""}
    assert call_step("TaskCreate", given) == [
        "command", "TaskCreate subject = description = activeForm: Ask Ann, status: open"]


@pytest.mark.parametrize("tool", CHANGING_TOOLS)
def test_of_each_changing_tool_the_path_and_the_lines_are_kept(tool: str) -> None:
    kind, text = call_step(tool, changing_input(tool, "/srv/rates.py", "rate = 5"))
    head, *rows = text.splitlines()
    assert (kind, head, rows[-1].strip(" +")) == ("file", f"{tool} /srv/rates.py", "rate = 5")
    assert result_lines(tool, {}, "The file was changed.", is_error=False) == ["  → ended"]
