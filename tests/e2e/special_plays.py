"""Sessions whose compaction takes another course: told a lie, held, failed, a subagent's, of a fork, beside another.

Each is as short as it can be, since test_matrix.py plays them with every client. They stand in the
project of scenario.py and use its rule and its open task.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from scenario import (
    ASK_TASK,
    CHECKLIST,
    COMPACT,
    CROWDED_PROMPTS,
    FAILING_COMMAND,
    FIRST_PROMPT,
    FOURTH_PROMPT,
    FULL_WINDOW,
    LAST_TASK,
    OPEN_TASK,
    RULE,
    SECOND_PROMPT,
    SUMMARY,
    THIRD_PROMPT,
    Played,
    after_compactions,
    crowded_turns,
    filling_turn,
    play,
    task_turns,
)
from scripted_api import REFUSED, Request, Script, ScriptedApi, Turn, summary
from workspace import Workspace, fork_of, new, resumed, write

LOOK = Turn("", "Bash", {"command": "ls src", "description": "List the sources"})
PLAN = Turn(CHECKLIST, "Bash", {"command": "ls test", "description": "List the tests"})
# What summaries say that the disk knows better.
UNTRUE = "Deleted `src/rates.js`."

# A summary that is not true -----------------------------------------------------------------------

KEPT_RULES = (RULE, "Never change the signature of price().", "Always write prices in cents in the ledger export.")
DROPPED_RULE = "Never run the deploy script without asking the warehouse."
CLAIM = "All tests pass now."
# The dropped rule is the oldest: of rules the newest come back first, as far as there is room.
AUDITED_PROMPT = f"{DROPPED_RULE} {' '.join(KEPT_RULES)} Please make zone 7 work and run the tests."
UNTRUE_SUMMARY = f"""\
1. Primary Request and Intent:
   The user said: "{' '.join(KEPT_RULES)} Please make zone 7 work and run the tests."
2. Current Work:
   {CLAIM}
   {UNTRUE}
3. Pending Tasks:
   - {OPEN_TASK}
   - {LAST_TASK}
"""
# UTF-16 units; so little that not all of the rules come back by themselves.
SMALL_BUDGET = 500


def play_untrue(workspace: Workspace) -> Played:
    """An automatic compaction whose summary drops one rule, and calls a file deleted and the failed test passed."""
    configure(workspace, budget=SMALL_BUDGET)
    test = Turn(CHECKLIST, "Bash", {"command": FAILING_COMMAND, "description": "Run the tests"})
    turns = [LOOK, test, filling_turn(), LOOK, LOOK, Turn("Zone 7 is next.")]
    return play(workspace, turns, [AUDITED_PROMPT], [summary(UNTRUE_SUMMARY)])


def configure(workspace: Workspace, **settings: object) -> None:
    """Writes the settings into the person's config.json."""
    write(workspace.data / "config.json", json.dumps(settings))


# A text in three parts ----------------------------------------------------------------------------


def play_parts(workspace: Workspace, compaction: str) -> Played:
    """More comes back than one hook may say; two tool calls follow."""
    turns, again = crowded_turns(workspace), [LOOK, LOOK, Turn("Zone 7 is next.")]
    if compaction == "automatic":
        return play(workspace, [*turns, filling_turn(), *again], CROWDED_PROMPTS)
    turns += [Turn("All ships have left."), *again]
    return play(workspace, turns, [*CROWDED_PROMPTS, COMPACT, THIRD_PROMPT])


# One cell of the matrix ---------------------------------------------------------------------------

FALSE_SUMMARY = f"""\
1. Primary Request and Intent:
   The user moves a calculator of parcel prices to a new price list, with a new zone for the islands. Nothing was
   said of the upgrade text so far; the sources are being worked on.
2. Current Work:
   {CLAIM}
3. Tasks:
   - "{ASK_TASK}" is completed.
"""
OLD_PRICES_ERROR = "zone 1, 0.5 kg: expected 4.25, got 3.75"  # of the test, before the prices are changed
KEPT_WORDS = "keep the rounding of the ledger in view"


class Cell(NamedTuple):
    """A compaction and two prompts, each in a process of its own, and what was on disk then; another compaction."""

    first: Played
    noted: list[dict[str, Any]]  # the events up to there
    note: dict[str, Any]  # that was handed over
    second: Played


def play_cell(workspace: Workspace, compaction: str, version: str) -> Cell:
    """First the summary calls a file deleted; then a task in progress completed, and the failed tests passed.

    The first automatic one comes in the middle of a turn, the second before a prompt is answered; of the manual ones
    the first has words behind it.
    """
    test = Turn("", "Bash", {"command": FAILING_COMMAND, "description": "Run the tests"})
    turns = [PLAN, *task_turns(version, "in_progress"), test]
    full = Turn("Still.", input_tokens=FULL_WINDOW)
    if compaction == "automatic":
        turns, prompts = [*turns, filling_turn(), Turn("I look."), Turn("Zone 7 is next."), full], [FIRST_PROMPT]
        again = [SECOND_PROMPT]
    else:
        turns += [Turn(words) for words in ("One test fails.", "Zone 7 is next.", "Still at it.")]
        prompts, again = [FIRST_PROMPT, f"/compact {KEPT_WORDS}"], ["/compact", SECOND_PROMPT]
    first = play(workspace, turns, [*prompts, THIRD_PROMPT, FOURTH_PROMPT], [summary(f"{SUMMARY}\n{UNTRUE}")])
    noted = workspace.events(first.session)
    note = given_note(workspace, first.session)
    second = play(workspace, [LOOK, Turn("I round half up.")], again, [summary(FALSE_SUMMARY)], resumed(first.session))
    return Cell(first, noted, note, second)


def given_note(workspace: Workspace, session: str) -> dict[str, Any]:
    """The note that was handed over; there is no other."""
    folder = workspace.data / "sessions" / session
    assert [path.name for path in folder.glob("note.json*")] == ["note.json.given"]
    note: dict[str, Any] = json.loads((folder / "note.json.given").read_text(encoding="utf-8"))
    return note


# A subagent's compaction --------------------------------------------------------------------------

# In every request of the main thread, and in nothing that a subagent is to be told.
MAIN_MARK = "parcel calculator"
TASK = "List every source file that still knows only six zones, with the line that says so."


def of_the_subagent(request: Request) -> bool:
    """Whether the request comes from the subagent that was given TASK."""
    return TASK in request.text() and MAIN_MARK not in request.text()


class WithSubagent(NamedTuple):
    """The session, and what the subagent was given to go on with after its own compaction."""

    played: Played
    to_subagent: list[Request]


def play_subagent(workspace: Workspace) -> WithSubagent:
    """A subagent's context is compacted; in the next run the main thread's."""
    call = Turn("", "Agent", {"description": "Look for zones", "prompt": TASK, "subagent_type": "general-purpose"})
    scripts = [
        Script([LOOK, filling_turn(), LOOK, Turn("There is one such file.")],
               [summary(f"{TASK} {UNTRUE}")], of_the_subagent),
        Script([LOOK, filling_turn(), Turn("Zone 7 is next.")],
               [summary(f"The user works on the {MAIN_MARK}.")], lambda request: THIRD_PROMPT in request.text()),
        Script([PLAN, call, Turn("A subagent looks for the zones.")]),
    ]
    first = new()
    session = first[-1]
    with ScriptedApi(*scripts) as api:
        runs = [workspace.prompt(api, FIRST_PROMPT, first), workspace.prompt(api, THIRD_PROMPT, resumed(session))]
    by_subagent = [request for request in api.requests if of_the_subagent(request)]
    by_main = [request for request in api.requests if request not in by_subagent]
    played = Played(session, runs, by_main, after_compactions(by_main), workspace.transcript(session))
    return WithSubagent(played, after_compactions(by_subagent))


# Tool calls ---------------------------------------------------------------------------------------


class Calls(NamedTuple):
    """Two runs of one session; the lines that its ledger had behind each."""

    runs: tuple[Played, Played]
    ledger: list[dict[str, Any]]


def play_calls(workspace: Workspace) -> Calls:
    """Calls that pass and one that fails, the last one some time before the run ends; then a second run.

    The ledger is read behind each: a save sets it aside, and the next one lets that go where 10 s lie between them.
    """
    missing = Turn("", "Bash", {"command": "ls nowhere", "description": "Look there"})
    large = Turn("", "Write", {"file_path": str(workspace.project / "large.txt"), "content": "x" * 200_000})
    first = play(workspace, [LOOK, missing, large, LOOK, Turn("Done.")], ["Look around."])
    lines = ledger_lines(workspace, first.session)
    second = play(workspace, [Turn("Nothing to do.")], ["Go on."], start=resumed(first.session))
    lines += ledger_lines(workspace, first.session)
    return Calls((first, second), [json.loads(line) for line in dict.fromkeys(lines)])


def ledger_lines(workspace: Workspace, session: str) -> list[str]:
    """The lines of the session's ledger: of the part that a save has set aside, then of what came since."""
    paths = sorted((workspace.data / "sessions" / session).glob("ledger*.jsonl"))
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


# A fork -------------------------------------------------------------------------------------------

RULE_OF_FORK = "Never add a dependency for the rounding."
RULE_OF_PARENT = "Never ship a release on a Friday afternoon."


class Forked(NamedTuple):
    """A session up to its fork, the fork, and the session after it; what the session had on disk around the fork."""

    parent: Played
    fork: Played
    parent_later: Played
    before: dict[str, bytes]
    after: dict[str, bytes]


def play_fork(workspace: Workspace) -> Forked:
    """A session is compacted, then forked; both are compacted once more."""
    again = [filling_turn(), Turn("Zone 7 is next.")]
    parent = play(workspace, [PLAN, LOOK, *again], [FIRST_PROMPT])
    before = kept_files(workspace, parent.session)
    fork = play(workspace, [LOOK, *again], [f"{RULE_OF_FORK} Go on."], start=fork_of(parent.session))
    after = kept_files(workspace, parent.session)
    later = play(workspace, [LOOK, *again], [f"{RULE_OF_PARENT} Go on."], start=resumed(parent.session))
    return Forked(parent, fork, later, before, after)


def kept_files(workspace: Workspace, session: str) -> dict[str, bytes]:
    """The files that compact-keeper has of the session, by name."""
    return {path.name: path.read_bytes() for path in (workspace.data / "sessions" / session).iterdir()}


# The gate -----------------------------------------------------------------------------------------

# Tokens that answers report: over the client's threshold of 67,000 in a window of 100,000, below its limit of 77,000.
# Two files are changed before: the transcript may be an answer behind when PreCompact runs. Then beyond the limit at
# once, where one hold may fail the user's request.
FILLING_UP = (1_000, 1_000, 70_000, 72_000, 74_000)
TOO_FULL = (1_000, 1_000, 1_000, FULL_WINDOW, 1_000)


def play_gate(workspace: Workspace) -> Played:
    """Where a compaction may be held, the context fills up twice in the middle of changes to several files."""
    configure(workspace, gate="hold")
    writes = [Turn("", "Write", {"file_path": str(workspace.project / f"src/zone{number}.js"), "content": "\n"}, tokens)
              for number, tokens in enumerate((*FILLING_UP, *TOO_FULL))]
    return play(workspace, [*writes, Turn("All zones are written.")], [FIRST_PROMPT], [summary(SUMMARY)] * 2)


# A compaction that fails --------------------------------------------------------------------------

# Summary requests at most: the newer clients ask once more, and again before the next request.
REFUSALS = [Turn("The summary is refused.", status=REFUSED)] * 20
# The request that the compaction was to make room for: newer clients send it again without one.
TOO_LONG = [Turn("prompt is too long: 208310 tokens > 200000 maximum", status=REFUSED)] * 20


class Failed(NamedTuple):
    """The session whose compaction failed; in its folder a new one, the skill called in that; the session cleared."""

    failed: Played
    new: Played
    restored: Played
    cleared: Played


def play_failed(workspace: Workspace) -> Failed:
    """The API refuses the summary and what comes after; a new session asks for what was saved; the first is cleared."""
    failed = play(workspace, [PLAN, LOOK, filling_turn(), *TOO_LONG], [FIRST_PROMPT], REFUSALS)
    later = play(workspace, [Turn("Hello.")], ["What is left to do?"])
    restored = play(workspace, [Turn("I see.")], ["/compact-keeper:restore"], start=resumed(later.session))
    cleared = play(workspace, [], [COMPACT, "/clear"], REFUSALS, start=resumed(failed.session))
    return Failed(failed, later, restored, cleared)


# Two sessions at the same time ---------------------------------------------------------------------

RULES_SIDE_BY_SIDE = ("Never rename the labels of the zones.", "Never write to the ledger from a test.")


def play_side_by_side(workspace: Workspace) -> list[Played]:
    """Two sessions in one project at the same time, each with a rule of its own and a compaction."""
    def work(rule: str) -> Played:
        return play(workspace, [LOOK, LOOK, filling_turn(), Turn("Zone 7 is next.")], [f"{rule} Go on."])

    with ThreadPoolExecutor(len(RULES_SIDE_BY_SIDE)) as pool:
        return list(pool.map(work, RULES_SIDE_BY_SIDE))
