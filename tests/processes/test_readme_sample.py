"""That the example in docs/what-comes-back.md is what the scripts put back.

Its session is saved and restored by processes, in a real repository. When the scripts' wording changes, the failing
test prints the new block for the page.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from sessions import SCRIPTS, START, Home, JsonObject, Session, git, hook_input, stamp

BRANCH, COMMITTED = "surcharge", "2026-11-20T16:00:00Z"
SHOWN_FOLDER, SHOWN_NONCE, SHOWN_COMMIT = "/srv/parcel-rates", "d9c2e7a1", "8c1d0e2"
SHOWN_TIME = "2026-03-04 10:20 UTC"
SUBJECT = "Surcharges by zone"
TASKS = ("Add zone_surcharge to src/quote.py", "Test parcels over 30 kg", "Show the surcharge in the web form")
SUBAGENT = "a7d21f"
QUESTION = "Should the surcharge be rounded per parcel or per order?"
LAUNCHED = f"Async agent launched successfully.\nagentId: {SUBAGENT}\noutput_file: /tmp/tasks/{SUBAGENT}.output"
TESTS_FAILED = (  # and the exit code is tail's
    "E       assert 4649 == 4650\ntests/test_quote.py:2: AssertionError\n"
    "FAILED tests/test_quote.py::test_over_30_kg - assert 4649 == 4650\n===== 1 failed, 6 passed in 0.12s =====")


class DatedSession(Session):
    """A session in a folder, its records so many minutes (`before`) before now: the ledger takes the real time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder, self.now, self.before = folder, int(time.time()), 0

    def moment(self) -> int:
        """Seconds since 1970."""
        return self.now - 60 * self.before

    def stamps(self) -> JsonObject:
        return {**super().stamps(), "timestamp": stamp(self.moment() - START + self.number() / 1_000)}

    def envelope(self) -> JsonObject:
        return {**super().envelope(), "cwd": str(self.folder), "gitBranch": BRANCH}

    def edited(self, path: str, text: str) -> None:
        """A file changed by the agent, on disk too."""
        self.ran("Edit", file_path=str(self.folder / path), old_string="", new_string=text)
        write(self.folder / path, text, self.moment())


def write(path: Path, text: str, moment: int) -> None:
    """Writes the file as of that moment, in seconds since 1970."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (moment, moment))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working folder: a repository with one commit."""
    path = tmp_path / "parcel-rates"
    path.mkdir()
    git(path, "init", "--quiet", "--object-format=sha1", f"--initial-branch={BRANCH}")
    git(path, "commit", "--quiet", "--allow-empty", "--message=Rates of 2026", date=COMMITTED)
    return path


def asked_for(session: DatedSession) -> None:
    """The first minutes: what the user wants, and how."""
    session.before = 16
    session.typed("How are the rates built?")
    session.ran("Grep", "web/form.ts:12:  shown(rates)\nweb/rates.ts:3:  load(rates)", pattern="rates", path="web")
    session.says("From src/tables.py, by zone.")
    session.before = 15
    session.typed("Always use pnpm for the web part, never npm.")
    session.before = 14
    session.typed("Add the zone surcharge to the quote, with tests for parcels over 30 kg. Amounts stay in cents.")
    for number, task in enumerate(TASKS, start=1):
        session.ran("TaskCreate", f"Task #{number} created successfully: {task}", subject=task, description=task)
    session.before = 13
    session.answered(session.posed(QUESTION, "Per parcel", "Per order"), QUESTION, "Per parcel")


def committed(session: DatedSession) -> str:
    """Commits what is below src; what git prints of it."""
    git(session.folder, "add", "src")
    git(session.folder, "commit", "--quiet", f"--message={SUBJECT}", date=stamp(session.moment() - START))
    return f"[{BRANCH} {head(session.folder)}] {SUBJECT}\n 2 files changed, 2 insertions(+)"


def head(folder: Path) -> str:
    """The commit's first digits."""
    return git(folder, "rev-parse", "--short=7", "HEAD")


def worked_on(session: DatedSession) -> None:
    """What the agent did until the compaction."""
    session.before = 8
    session.edited("src/tables.py", "SURCHARGES = {1: 0, 2: 150}\n")
    session.ran("Agent", LAUNCHED, prompt="Show the surcharge in web/form.ts, as round_cents gives it.")
    session.before = 7
    session.edited("src/quote.py", "def zone_surcharge(zone): ...\n")
    session.before = 6
    session.ran("Bash", "All checks passed!", command="ruff check")
    session.ran("Bash", committed(session), command=f"git add src && git commit -m '{SUBJECT}'")
    session.before = 5
    session.rejected("Bash", "no, never push from here", command=f"git push origin {BRANCH}")
    session.updated(1, status="completed")
    session.updated(2, status="in_progress")
    session.before = 4
    session.edited("tests/test_quote.py", "def test_over_30_kg():\n    assert zone_surcharge(2) == 4650\n")
    session.before = 3
    session.ran("Bash", TESTS_FAILED, command="pytest tests/test_quote.py | tail -4")
    session.before = 2
    session.says("The surcharge is rounded twice. Round it\nA) in round_cents only, or\nB) at the end, in quote()?")
    session.before = 1
    session.typed("A")
    session.before = 0
    session.edited("src/quote.py", "def round_cents(amount): ...\n")


@pytest.fixture
def sample(folder: Path, tmp_path: Path) -> str:
    """What comes back, with the names that the page gives to what differs each time."""
    home, session = Home(tmp_path / "home"), DatedSession(folder)
    asked_for(session)
    worked_on(session)
    transcript = session.write(tmp_path / "transcript.jsonl")
    write(folder / "web" / "form.ts", "shown(round_cents(rates))\n", session.now)
    home.record(hook_input("PostToolUse", transcript, tool_name="Edit", tool_use_id="toolu_form", agent_id=SUBAGENT,
                           tool_input={"file_path": str(folder / "web" / "form.ts")}))
    home.save(transcript)
    write(folder / "src" / "tables.py", "SURCHARGES = {1: 0, 2: 150, 3: 400}\n", session.now)  # by the user
    restored = home.restore(transcript).restored
    assert home.log() == []
    named = restored.replace(str(folder), SHOWN_FOLDER).replace(head(folder), SHOWN_COMMIT)
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC \(block \w{8}\)"
    return re.sub(moment, f"{SHOWN_TIME} (block {SHOWN_NONCE})", named, count=1)


def test_the_page_shows_what_comes_back(sample: str) -> None:
    page = (SCRIPTS.parent / "docs" / "what-comes-back.md").read_text(encoding="utf-8")
    shown = re.search(r"made-up session:\n\n```\n(.*?)\n```\n", page, re.DOTALL)
    assert shown
    assert shown[1] == sample, f"docs/what-comes-back.md shows another block; put this one in its place:\n\n{sample}\n"
