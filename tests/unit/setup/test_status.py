"""What `install.py status` prints, whatever the files hold."""

from __future__ import annotations

import json
import time

import pytest

from compact_keeper.setup.status import tell_status
from homes import Person, write


@pytest.mark.parametrize("path", ["settings.json", "plugins/installed_plugins.json", "compact-keeper/events.jsonl"])
@pytest.mark.parametrize("text", ["", "{", "[]", '{"plugins": 7, "hooks": {"Stop": [7, {"hooks": [7]}]}}', "\0" * 99,
                                  '{"plugins": {"compact-keeper@m": [7]}, "hooks": 7, "enabledPlugins": []}'],
                         ids=["empty", "torn", "list", "numbers", "zeros", "other-types"])
def test_a_broken_file_counts_as_empty(
        person: Person, capsys: pytest.CaptureFixture[str], path: str, text: str) -> None:
    write(person.home / ".claude" / path, text)
    tell_status(str(person.project))
    answer = capsys.readouterr().out
    assert "nothing; " in answer
    assert answer.count("never") == 2
    assert f"Data: {'none yet in ' * (path[0] != 'c')}{person.home / '.claude' / 'compact-keeper'}" in answer


def test_the_last_save_and_restore_are_told(person: Person, capsys: pytest.CaptureFixture[str]) -> None:
    data = person.home / ".claude" / "compact-keeper"
    now = time.time()
    before = [{"schema": 1, "time": now - 9_000, "event": "save", "session": "old"},
              {"schema": 1, "time": now - 200_000, "event": "restore", "session": "old"},
              {"schema": 1, "time": now, "event": "restore", "session": "\x1b[31mred"}]
    events = [{"schema": 1, "time": now - 300, "event": "save", "session": "new"},
              {"schema": 2, "time": now, "event": "save", "session": "later"}]
    write(data / "events.jsonl.1", "\n".join(map(json.dumps, before)) + "\n")  # a long file starts anew
    write(data / "events.jsonl", "\n".join(map(json.dumps, events)) + '\n{"torn')
    tell_status(str(person.project))
    answer = capsys.readouterr().out
    assert "Last save: 5 min ago, session new" in answer
    assert "Last put back: 2 days ago, session old" in answer
    assert f"Data: {data}, 0.0 MB" in answer
