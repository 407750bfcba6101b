"""What short files held when they were read."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.client.entries import Reading
from compact_keeper.record.outputs.files_read import FILE_MAX_UTF16, FILES_MAX_UTF16, files_read
from entries import call


def read(position: int, output: str, path: str = "src/rates.py", **more: Any) -> Any:
    return call("Read", position=position, output=output, path=path, **more)


def files(*calls: Any, known: dict[str, str] | None = None) -> dict[str, str]:
    """What is kept of the files that these calls read."""
    reading = Reading({})
    reading.stream = [*calls]
    return files_read(reading, known or {})


@pytest.mark.parametrize("entry", [
    read(1, "1\ta = 1", ok=False), read(1, "1\ta = 1", ok=None), read(1, ""),
    read(1, "1\tKEY=1", path="deploy/.env.local"), read(1, f"1\t{'x' * FILE_MAX_UTF16}"),
    call("Bash", position=1, output="1\ta = 1", path=""),
    read(1, "PDF file read: /srv/rates.pdf (219.5KB)", path="/srv/rates.pdf"), read(1, "[Image]", path="a.png"),
    read(1, "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."),
    read(1, "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>")])
def test_what_is_not_kept(entry: Any) -> None:
    assert files(entry) == {}


def test_no_secret_and_no_word_of_the_client() -> None:
    token = "token = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\""
    shown = f"     1→{token}\n     2→zones = 7\n\n<system-reminder>\nStop.\n"
    [kept] = files(read(1, shown)).values()
    assert kept.endswith(" ⏎ zones = 7")
    assert "ghp_16C7" not in kept


def test_rows_without_their_numbers_on_a_line() -> None:
    assert files(read(3, "     1→a = 1\n     2→\n     3→  b = 2")) == {"3 row-1": "a = 1 ⏎ b = 2"}
    assert files(read(3, "1\ta = 1\n2\tb = 2")) == {"3 row-1": "a = 1 ⏎ b = 2"}


def test_those_that_were_read_last_whichever_save_read_them() -> None:
    calls = [read(number, f"1\tzone {number} is open\n" * 60) for number in range(1, 40)]
    kept = files(*calls)
    assert [*kept] == [f"{number} row-1" for number in range(40 - len(kept), 40)]
    assert FILES_MAX_UTF16 - FILE_MAX_UTF16 < sum(map(len, kept.values())) <= FILES_MAX_UTF16
    assert files(*calls[30:], known=files(*calls[:30])) == kept
