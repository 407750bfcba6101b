"""The sections of the text that is put back: their headings, in which order they stand, how much room each may take.

What must not be lost stands first: pins, rules, the newest message and the agent's last words. Of a text that it cuts
the client still shows the first 2,000 UTF-16 units. What stands in each section: `sections_of` in compose.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from compact_keeper.store.pins import PINS_SHARE
from compact_keeper.store.settings import is_small

ERRAND = "This subagent's order, as it was given"
PINS = "Pinned by the user"
RULES = "Standing rules, as the user typed them"
DIFFERS = "Where the summary says otherwise than the record"
END = "Where it ended"
PLANS = "Plans and orders, as they were given (later words may overtake them)"
EARLIER_WORDS = "The user's earlier words, newest first"
TASK_LIST = "Tasks, and what runs"
REPOSITORY = "Working folder and repository now"
CHECKS = "Checks: how each ended last"
WORK = "Earlier steps, newest first; what an old one says may have changed since"
ALSO_ON_RECORD = "Also on record"
FILES_READ = "Short files and parts of files, as they were read"
OLD_BOXES = "Boxes that do not count as open any more"  # no heading: they stand in TASK_LIST, where room is left

SHOWN = (  # in the text, in this order
    ERRAND, PINS, RULES, DIFFERS, END, PLANS, EARLIER_WORDS, TASK_LIST, REPOSITORY, CHECKS, WORK, ALSO_ON_RECORD,
    FILES_READ)

# In the order in which room is given: how much of the budget a section may fill before it is known what others leave.
# Together they are more than the budget: a section late in the order may get less. A subagent's order comes behind pins
# and rules here, since its end may be cut. WORK has no share and takes what is left, FILES_READ what all others leave.
SHARES = {
    PINS: PINS_SHARE,
    RULES: 0.12,
    ERRAND: 0.45,
    DIFFERS: 0.12,
    END: 0.40,
    PLANS: 0.12,
    EARLIER_WORDS: 0.18,
    TASK_LIST: 0.14,
    REPOSITORY: 0.15,
    CHECKS: 0.20,
    ALSO_ON_RECORD: 0.14,
}

# Of a small budget: who chose 3,600 of 17,000 characters with care took most of what stands on commits, branch, runs of
# checks and jobs, and little of where it ended, which the summary tells too (docs/decisions.md, "What careful readers
# choose").
SMALL_SHARES = {
    PINS: PINS_SHARE,
    RULES: 0.12,
    ERRAND: 0.45,
    DIFFERS: 0.12,
    END: 0.20,
    REPOSITORY: 0.20,
    CHECKS: 0.20,
    TASK_LIST: 0.07,
    EARLIER_WORDS: 0.14,
    PLANS: 0.06,
    ALSO_ON_RECORD: 0.12,
}


def shares_of(budget: int) -> Mapping[str, float]:
    """How much of this budget each section may fill, in the order in which room is given."""
    return SMALL_SHARES if is_small(budget) else SHARES
