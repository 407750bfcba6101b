"""How a command ended that ran in the background, by its output as it was read behind the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.calls.actions import items_of_call
from compact_keeper.record.calls.background_ends import BackgroundEnds, output_shown
from compact_keeper.record.calls.jobs import Jobs
from compact_keeper.record.merge import merge
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item
from entries import call, entry

FOLDER = "/tmp/claude/tasks"
FILE = f"{FOLDER}/b1.output"
PASSED = "...\n= 9 passed in 2.10s =\n"
BROKEN = "a.cc:3: error: no rates\n1 error generated.\nninja: build stopped: subcommand failed.\n"


def kept(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[Item]:
    """What is kept after these entries, as a save makes it."""
    jobs, background, new = Jobs(known), BackgroundEnds(known), list[Item]()
    for new_entry in entries:
        items = [*jobs.items_of(new_entry), *(items_of_call(new_entry, "/srv/") if new_entry["what"] == "call" else ())]
        items += background.ended_by(new_entry, items)
        new += items
    return merge(known, new, default_settings())


def started(command: str = "pytest 2>&1 | tail -5", job: str = "b1") -> Any:
    return call("Bash", command=command, source="c1", id="c1", position=1, output=(
        f"Command running in background with ID: {job}. Output is being written to: {FOLDER}/{job}.output"))


def ended(words: str = 'Background command "Test" completed (exit code 0)', job: str = "b1") -> Any:
    return entry(2, "ended", words, key=job, status="completed")


def shell(command: str, output: str = PASSED, **fields: object) -> Any:
    return call("Bash", command=command, output=output, source="c3", id="c3", position=3, **fields)


def read(path: str = FILE, body: str = PASSED, **arguments: object) -> Any:
    rows = "\n".join(f"     {number}→{row}" for number, row in enumerate(body.splitlines(), 1))
    return call("Read", path=path, body=rows, input=arguments, source="c3", id="c3", position=3)


def tool(output: str, status: str = "completed", code: str = "<exit_code>0</exit_code>", job: str = "b1") -> Any:
    return call("TaskOutput", input={"task_id": job}, source="c3", id="c3", position=3, output=(
        f"<status>{status}</status>\n\n{code}\n\n<output>\n{output}\n</output>\n<timestamp>2026-11-21</timestamp>"))


def verdict_of(items: Sequence[Item]) -> str:
    return next(item["verdict"] for item in items if item["kind"] == "action" and item["source"] == "c1")


@pytest.mark.parametrize(("entries", "verdict"), [
    ([shell(f"tail -5 {FILE}"), ended()], "running"),  # read before the end: more may have come
    ([ended(), shell(f"head -5 {FILE}")], "running"),
    ([ended("failed with exit code 143"), shell(f"cat {FILE}", output="1 failed, 2 passed\n")], "running"),
    ([ended(), shell(f"grep passed {FILE}")], "running"),
    ([ended(), shell(f"tail -5 {FOLDER}/b2.output")], "running"),
    ([ended(), shell(f"tail -5 {FOLDER}/b1.output.old")], "running"),
    ([ended(), shell(f"cat {FILE} {FOLDER}/b2.output")], "running"),
    ([ended(), shell(f"cat {FILE} && pytest zones")], "running"),
    ([ended(), shell(f"cat {FILE} | grep passed")], "running"),
    ([ended(), shell(f"cat {FILE} || echo '9 passed'")], "running"),
    ([ended(), shell(f"cat {FILE}", ok=False, error="No such file")], "running"),
    ([ended(), shell(f"cat {FILE}", output="")], "running"),
    ([ended(), read(limit=5)], "running"),
    ([ended(), read(path=f"{FOLDER}/b2.output")], "running"),
    ([tool(PASSED, "running", "")], "running"),
    ([ended("stopped"), shell(f"cat {FILE}")], "running"),  # its end is none of its own
    ([ended(job="b2"), shell(f"cat {FILE}")], "running"),
    ([ended(), tool(PASSED, job="b2")], "running"),
    ([ended(), shell(f"tail -5 {FILE}")], "passed"),
    ([ended(), shell(f'sleep 5; cat "{FILE}" 2>&1 | tail -5')], "passed"),
    ([ended(), shell(f"cat {FILE}", output="1 failed, 8 passed in 2.1s\n")], "failed"),
    ([ended(), shell(f"cat {FILE}"), shell(f"tail -1 {FILE}", output="\n\nnothing\n")], "passed"),
    ([ended(), shell(f"tail -1 {FILE}", output="nothing\n"), shell(f"cat {FILE}")], "passed"),
    ([ended(), read()], "passed"),
    ([tool(PASSED)], "passed"),
    ([tool("1 failed, 8 passed in 2.1s")], "failed"),
])
def test_a_check_in_the_background_ended_as_the_output_says_that_was_read_behind_its_end(
        entries: Sequence[Any], verdict: str) -> None:
    assert verdict_of(kept([started(), *entries])) == verdict
    for place in range(1, len(entries) + 1):
        known = kept([started(), *entries[:place]])
        assert verdict_of(kept(entries[place:], known)) == verdict, "a save between changes nothing"


def test_a_build_whose_pipe_hid_its_end_has_failed() -> None:
    build = started("cmake --build build 2>&1 | tail -40")
    action = next(item for item in kept([build, ended(), shell(f"cat {FILE}", BROKEN)]) if item["kind"] == "action")
    assert action["verdict"] == "failed"
    assert "error" in action["result"]
    assert action["uses"] == 1


def test_a_run_of_the_same_command_since_stays_as_it_ended() -> None:
    again = call("Bash", command="pytest", output="1 failed in 2s", source="c4", id="c4", position=4, ok=False, exit=1)
    before = call("Bash", command="pytest", source="c1", id="c1", position=1, output=started()["output"])
    items = kept([before, again, ended(), shell(f"cat {FILE}")])
    assert [item["verdict"] for item in items if item["kind"] == "action" and item["key"] == "Bash pytest"] == [
        "failed"]


def test_what_was_read_is_shown_without_the_numbers_of_its_rows() -> None:
    assert output_shown(read(), "b1") == PASSED.rstrip("\n")
