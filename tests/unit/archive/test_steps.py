"""What the archive keeps of a call's output."""

from __future__ import annotations

from compact_keeper.archive.steps import STEP_LINE_MAX_CHARACTERS, STEP_MAX_CHARACTERS, result_lines

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
