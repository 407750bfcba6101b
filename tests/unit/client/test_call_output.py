"""What the client itself writes below an output is none of the command's words."""

from __future__ import annotations

import pytest

from compact_keeper.client.call_output import end_by_client, without_folder_note, without_repetition

MODIFIED = "[This command modified 1 file you've previously read: rates.py. Call Read before editing.]"


@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize(("output", "left"), [
    ("listening on 8040\nShell cwd was reset to /srv/rates", "listening on 8040"),
    ("listening on 8040\nShell cwd was reset to /srv/rates\n", "listening on 8040"),
    ("Shell cwd was reset to /srv/rates", ""),
    (f"3 passed\n{MODIFIED}", "3 passed"), (MODIFIED, ""),
    (f"3 passed\nShell cwd was reset to /srv/rates\n{MODIFIED}", "3 passed"),
    (f"{MODIFIED}\n3 passed", f"{MODIFIED}\n3 passed"),
    ("Shell cwd was reset to /srv\n3 passed", "Shell cwd was reset to /srv\n3 passed"),  # a program's own row
    ("it said: Shell cwd was reset to /srv", "it said: Shell cwd was reset to /srv"), ("", "")])
def test_the_client_s_last_rows_are_no_end_of_a_command(output: str, left: str, is_error: bool) -> None:
    assert end_by_client(output, is_error, 1 if is_error else 0)["output"] == left


@pytest.mark.parametrize(("output", "left"), [
    ("Exit code 127\nredis-cli: not found\n\nredis-cli: not found", "Exit code 127\nredis-cli: not found"),
    ("Exit code 1\n2 failed\n\n3 passed\n\n2 failed\n\n3 passed\n", "Exit code 1\n2 failed\n\n3 passed"),
    *[(own, own) for own in (  # what a program printed itself
        "Exit code 1\n2 failed\n2 failed", "Exit code 1\na\n\na\n\na", "Exit code 1\n2 failed\n\n3 failed",
        "Exit code 1\n\n\n", "Exit code 1\n", "Exit code 1", "")]])
def test_what_an_old_client_wrote_twice_stands_once(output: str, left: str) -> None:
    assert without_repetition(output) == left


NOT_NOTED = "zsh:71: permission denied: /tmp/claude-4f2a-cwd"


@pytest.mark.parametrize(("output", "left"), [
    (f"3 passed\n{NOT_NOTED}\n", "3 passed\n"), (f"Exit code 1\n{NOT_NOTED}", "Exit code 1\n"), (NOT_NOTED, ""),
    (f"<stderr>\nno zone 7\n{NOT_NOTED}\n</stderr>", "<stderr>\nno zone 7\n</stderr>"), (f"Error: {NOT_NOTED}", ""),
    ("/bin/bash: line 1: /tmp/claude-4f2a-cwd: Permission denied\nok", "ok"),
    ("bash.exe: line 3: C:\\Temp\\claude-00af-cwd: No such file or directory", ""),
    ("/bin/sh: 1: cannot create /tmp/claude-4f2a-cwd: Permission denied", ""),
    *[(own, own) for own in (  # a command's own
        "zsh:71: permission denied: /tmp/zones-cwd", "ls: /tmp/claude-4f2a-cwd: Permission denied",
        "zsh:71: permission denied: /tmp/claude-4f2a-cwd/zones", "it said: zsh:1: denied: /tmp/claude-4f2a-cwd",
        "zsh: " + "/claude-" * 50_000 + "-cwd")]])
def test_that_the_client_s_shell_could_not_note_its_folder_is_no_output(output: str, left: str) -> None:
    assert without_folder_note(output) == left


def test_what_the_client_did_not_permit_has_not_failed() -> None:
    denied = "Permission for this action was denied by the Claude Code auto mode classifier. Reason: it leaks a key"
    assert end_by_client(denied, True, None)["is_refused"]
    assert not end_by_client(f"Exit code 1\n> {denied}", True, None)["is_refused"]
