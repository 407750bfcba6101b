"""Lines from the whole session that tell where to go on, as they are worded."""

from __future__ import annotations

import pytest

from compact_keeper.recap.lines.also_on_record import runner_lines, setup_lines
from compact_keeper.types import Item


@pytest.mark.parametrize(("evidence", "line"), [
    ("[test] $ node test/rates.test.js", "task `test` of the task runner runs `node test/rates.test.js`"),
    ("[build of @acme/tokens] $ node build.mjs", "task `build` of @acme/tokens runs `node build.mjs`"),
    ("[t:all] $ echo $ A $ B", "task `t:all` of the task runner runs `echo $ A $ B`")])
def test_what_a_task_runner_runs_is_said_in_words(evidence: str, line: str) -> None:
    item: Item = {"kind": "action", "tool": "Bash", "text": "make", "position": 1, "evidence": [evidence]}
    assert [*runner_lines([item])] == [line]


@pytest.mark.parametrize(("command", "is_for_folder"), [
    ("claude mcp add rates -- npx rates", True), ("claude mcp add -s project rates -- npx rates", True),
    ("claude mcp add-json rates '{}'", True), ("claude mcp add -s user rates -- npx rates", False),
    ("claude mcp add --scope=user rates -- npx rates", False), ("brew install rates", False)])
def test_a_server_that_is_not_added_for_the_user_is_for_a_folder(command: str, is_for_folder: bool) -> None:
    item: Item = {"kind": "action", "tool": "Bash", "text": command, "position": 1, "verdict": "ended"}
    [line] = setup_lines([item])
    assert line["text"].endswith("`" + " (for the folder in which it ran alone)" * is_for_folder)
