"""Lines from the whole session that tell where to go on, as they are worded."""

from __future__ import annotations

import pytest

from compact_keeper.recap.lines.also_on_record import runner_lines
from compact_keeper.types import Item


@pytest.mark.parametrize(("evidence", "line"), [
    ("[test] $ node test/rates.test.js", "task `test` of the task runner runs `node test/rates.test.js`"),
    ("[build of @acme/tokens] $ node build.mjs", "task `build` of @acme/tokens runs `node build.mjs`"),
    ("[t:all] $ echo $ A $ B", "task `t:all` of the task runner runs `echo $ A $ B`")])
def test_what_a_task_runner_runs_is_said_in_words(evidence: str, line: str) -> None:
    item: Item = {"kind": "action", "tool": "Bash", "text": "make", "position": 1, "evidence": [evidence]}
    assert [*runner_lines([item])] == [line]
