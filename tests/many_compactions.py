"""A session of many compactions, for the tests of what is remembered over time."""

from __future__ import annotations

from sessions import CWD, Session

CYCLES = 50
RULE = "Never touch the ledger of the accountants."
MEMORY_MAX_BYTES = 1 << 20  # of memory.json after as many compactions
HOOK_FIELDS = {"hookName": "SessionStart:compact", "hookEvent": "SessionStart", "toolUseID": "t"}


def work(made: Session, cycle: int, files: int = 12) -> None:
    """What happens between two compactions: a request, calls, a failure that passes, tasks that move on."""
    made.typed(f"Add the importer of carrier number {cycle} to the nightly run, with a test for each column of it.")
    for number in range(files):
        path = f"{CWD}/src/carrier_{cycle}/module_{number}.py"
        made.ran("Read", f"def parse_rate_{cycle % 90}(zone_of_{number % 90}): pass\n" * 5, file_path=path)
        made.ran("Edit", file_path=path, old_string="x", new_string="y")
        made.ran("Bash", command=f"make carrier-{cycle}-{number}")
    made.failed("Bash", f"Exit code 1\nError: carrier {cycle} is down", command=f"make check-{cycle}")
    made.ran("Bash", command=f"make check-{cycle}")
    made.failed("Bash", "Exit code 2\nError: no rates", command="make rates")
    made.says(f"The importer of carrier {cycle} is fixed and all tests pass.")


def of_cycles(cycles: int, files: int = 12) -> list[Session]:
    """The parts of a session, each up to a compaction; tasks 1 to `cycles` are created at first, one done in each."""
    whole, parts = Session(), []
    whole.typed(f"We import rates of carriers. {RULE} Start with the first one.")
    for number in range(1, 6):
        whole.created(number, f"Import the rates of region {number}")
    for cycle in range(cycles):
        work(whole, cycle, files)
        whole.updated(cycle % 5 + 1, status=("in_progress", "completed", "pending")[cycle // 5 % 3])
        parts.append(Session())
        parts[-1].records = [*whole.records]
        whole.compacted(f"Carrier {cycle} is imported. Always use tabs. Never use spaces.")
    return parts
