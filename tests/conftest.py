"""Settings that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from compact_keeper.text.quotation import forget_named_secrets

# Rows of a table in tests/processes, unless the test is marked with a number of its own: a short table stays whole.
ROWS_SHORT, ROWS_OF_LONGER = 3, 2

# Every run tries the same examples; CK_EXAMPLES=200 searches further, as `make hold` does.
settings.register_profile(
    "same-every-time", derandomize=True, database=None, deadline=None, print_blob=True,
    max_examples=int(os.environ.get("CK_EXAMPLES", "25")), suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same-every-time")

os.environ["COMPACT_KEEPER_ARCHIVE"] = "off"  # a save in this process would start another, which outlives its test


@pytest.fixture(autouse=True, scope="session")
def data_folder_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A data folder for functions that log: a test that named none had left lines in the person's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def nothing_named_before() -> None:
    """What a test's texts named as secrets is nothing to the next one, as it is nothing to another process."""
    forget_named_secrets()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-cases", action="store_true", help="every row of tables that start processes (make hold)")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves of each table that starts a process per row the rows that `make test` has time for, spread over it.

    In tests/hold these are the tables of broken copies that are marked so. The functions behind the rows are tried on
    every row in tests/unit; `make hold` runs all rows here too, by its part "tables". Tests of e2e that read the same
    play stay on one worker, which plays it once: those of a file with the same parameters.
    """
    for item in items:
        if item.path.parent.name == "e2e":
            given = getattr(item, "callspec", None)
            play = f"{'-'.join(given.params)} {given.id}" if given else "once"
            item.add_marker(pytest.mark.xdist_group(f"{item.path.stem} {play}"))
    if config.getoption("--all-cases"):
        return
    tables: dict[object, list[pytest.Item]] = {}
    for item in items:
        room = item.path.parent.name
        if room == "processes" or (room == "hold" and item.get_closest_marker("rows")):
            tables.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    left_out: set[pytest.Item] = set()
    for rows in tables.values():
        mark = rows[0].get_closest_marker("rows")
        most = int(mark.args[0]) if mark else len(rows) if len(rows) <= ROWS_SHORT else ROWS_OF_LONGER
        kept = {rows[number * len(rows) // most] for number in range(most)} if len(rows) > most else {*rows}
        left_out |= {*rows} - kept
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
