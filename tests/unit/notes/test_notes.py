"""Notes on a session: what the log tells, each thing once; what the page says of where the session stands."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from compact_keeper.notes.log import EVENTS_MAX, log_after
from compact_keeper.notes.page import MARKER, branch_and_commit, keep_notes, not_committed, notes_page
from compact_keeper.record.items import new_item
from compact_keeper.record.session import read_on
from compact_keeper.record.words.assent import only_goes_on
from compact_keeper.record.words.binding import binds
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Entries, Entry, Item, Kind, LogLine, Memory
from sessions import CWD, SESSION_ID, Session, hook_input, repository_at, stamp


def memory_of(session: Session, folder: Path, memory: Memory | None = None) -> Any:
    """What a save remembers of the session with the log, on top of an earlier memory; the file has grown since."""
    before = memory or {}
    after, entries = read_on(before, str(session.write(folder / "transcript.jsonl")), str(folder), default_settings())
    return {**after, "progress": log_after(after["progress"], entries, before.get("items", []), str(folder))}


def log_of(session: Session, folder: Path, memory: Any | None = None) -> list[tuple[str, str]]:
    """What the log tells: what happened, and the words for it."""
    return words_of(memory_of(session, folder, memory)["progress"])


def item(kind: Kind, text: str, second: int = 0, **more: Any) -> Any:
    """An item of the record as of so many seconds after the session's begin."""
    at: Entry = {"source": f"call-{second}", "time": stamp(second), "position": second, "cycle": 0}
    return {**new_item(kind, at, text, "user"), **more}


def page_of(memory: Memory, project: str = CWD, pins: Any = (), repository: Any = MappingProxyType({})) -> str:
    """The notes on a session with this memory, and with what is known beside it."""
    return notes_page(SESSION_ID, project, memory, pins, repository)


def log_with(*items: Item, log: Sequence[LogLine] = ()) -> list[LogLine]:
    """The log once each of the items has come with an entry of its own."""
    entries: Entries = [({"what": "call", "time": item["last"]}, [item]) for item in items]
    return log_after(log, entries, [], "/nonexistent")


def words_of(log: Sequence[LogLine]) -> list[tuple[str, str]]:
    """What the log tells: what happened, and the words for it."""
    return [(line["what"], line["text"]) for line in log]


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's clock shows the time in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def busy() -> Session:
    made = Session()
    made.typed("Add the zone surcharge to the quote.")
    made.failed("Bash", "Exit code 1\nE   AssertionError: 3 != 4", command="pytest -q")
    made.ran("Bash", "12 passed in 0.3s", command="pytest -q")
    made.failed("Bash", "Exit code 1\nE   AssertionError: 5 != 4", command="pytest -q")
    made.ran("Bash", "[main 5b2340e] Add the surcharge", command="git commit -am 'Add the surcharge' && git push")
    return made


# --- each event once ---


def test_lines_that_are_read_again_are_not_told_again(tmp_path: Path) -> None:
    """A fork reads the end of what it copied once more, with its parent's memory."""
    memory = memory_of(busy(), tmp_path)
    parents: Any = {**memory, "seen": [], "place": {}}
    again = memory_of(busy(), tmp_path, parents)
    assert again["progress"] == memory["progress"]


def test_the_log_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    made, memory = Session(), Memory()
    for part in range(3):
        for number in range(EVENTS_MAX // 2 + 1):
            made.ran("Bash", f"[main {part}{number:06x}] Change", command=f"git commit -m 'Change {part} {number}'")
        memory = memory_of(made, tmp_path, memory)
    texts = [line["text"] for line in memory["progress"]]
    assert (len(texts), texts[-1]) == (EVENTS_MAX, f"2{EVENTS_MAX // 2:06x} Change")
    assert len(json.dumps(memory["progress"])) < 200_000


def test_long_words_are_cut(tmp_path: Path) -> None:
    made = Session()
    made.typed("Describe it. " + "Really long. " * 9_000)
    made.ran("Bash", "x" * 5_000, command="pytest " + "tests/test_x.py " * 500)
    made.answered(made.posed("Why? " * 900), "Why? " * 900, "So. " * 900)
    memory = memory_of(made, tmp_path)
    assert all(len(line) < 2_000 for line in page_of(memory).splitlines())


# --- what the log tells ---


@pytest.mark.parametrize(("command", "output", "words"), [
    ("git commit -m 'Add x'", "[main 5b2340e] Add x\n 1 file changed", ["5b2340e Add x"]),
    ("git add -A && git commit -m x && git push", "[fix/y (root-commit) 5b2340e] Add x", ["5b2340e Add x"]),
    ("pytest -q && git commit -m x", "3 passed in 0.1s\n[main 5b2340e] Add x", ["5b2340e Add x"]),
    ("git commit -qm 'Add x' && git log -1", "", ["Add x"]),
    ("git -C /srv commit -m 'Add x' -q", "", ["Add x"]),
    ("git add a && git commit -qm 'Add x' && git log --oneline | head -3", "5b2340e Add x\n1a2b3c4 First", ["Add x"]),
    ("cd a; git commit --quiet --message=\"Add x\n\nAs Ada said.\" && git status", "On branch main", ["Add x"]),
    ("git commit -q -F message.txt", "", ["`git commit -q -F message.txt`"]),
    ("git commit -qm \"$(cat message.txt)\"", "", ["`git commit -qm \"$(cat message.txt)\"`"]),
    ("git commit -qm x; git log --oneline -1", "5b2340e y", []),
    ("git commit -qm x || git status", "On branch main", []),
    ("grep -q a b.py || git commit -qm x && git status", "On branch main", []),
    ("git commit -m x && git log -1", "something else", []),
    ("git commit -qm 'Add x' | cat && git status", "On branch main", []),
    ("git commit -qm 'Add x' && git commit -qm 'Add y'", "", ["Add x", "Add y"]),
    ("git commit -m x", "On branch main\nnothing to commit, working tree clean", []),
    ("git commit -m x --dry-run", "", []),
    ("echo git commit -m x", "", []),
    ("git log --grep 'git commit'", "[main 5b2340e] Add x", []),
    ("git commit -m 'Use <b> and <!-- x'", "[main 5b2340e] Use <b> and <!-- x", ["5b2340e Use \\<b> and \\<!-- x"]),
    ("git commit -m 'password=hunter2hunter2'", "[main 5b2340e] password=hunter2hunter2",
     ["5b2340e password=[redacted: password]"])])
def test_commits(tmp_path: Path, command: str, output: str, words: list[str]) -> None:
    made = Session()
    made.ran("Bash", output, command=command)
    assert [text for what, text in log_of(made, tmp_path) if what == "committed"] == words


@pytest.mark.parametrize(("command", "output", "is_failed"), [
    ("git commit -qm 'Add x' && git stash push -q; git stash list", "stash@{0}: On main: x", False),
    ("git commit -qm 'Add x' && git push", "fatal: 'origin' does not appear to be a git repository", True),
    ("grep -q x a || git commit -qm 'Add x'; git status", "On branch main", False)])
def test_a_commit_that_may_have_been_made_is_told_once_git_names_it(
        tmp_path: Path, command: str, output: str, is_failed: bool) -> None:
    made = Session()
    made.failed("Bash", f"Exit code 1\n{output}", command=command) if is_failed else made.ran(
        "Bash", output, command=command)
    memory = memory_of(made, tmp_path)
    assert [(line["what"], line["text"]) for line in memory["progress"]] == [
        ("perhaps committed", "Add x"), *[("not pushed", "`git push`")] * is_failed]
    now: Any = {"commits": [("6c3451f", "Add y"), ("7d4562a", "Add x")]}
    assert "**committed** 7d4562a Add x\n" in page_of(memory, repository=now)
    others: Any = [{"commits": [("6c3451f", "Add y")]}, {}]
    for unknown in others:
        page = page_of(memory, repository=unknown)
        assert "**committed**" not in page
        assert "last committed" not in page


def test_a_commit_whose_push_failed(tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\n[main 5b2340e] Add x\nerror: failed to push", command="git commit -m x; git push")
    assert log_of(made, tmp_path) == [("committed", "5b2340e Add x"), ("not pushed", "`git push`")]


@pytest.mark.parametrize(("command", "output", "words"), [
    ("git push -u origin fix", "To github.com:ada/rates.git\n * [new branch]      fix -> fix",
     ["`github.com:ada/rates.git fix`"]),
    ("git push", "Everything up-to-date", []),
    ("gh pr create --fill", "https://github.com/ada/rates/pull/7", ["`gh pr create --fill`"]),
    ("npm publish --tag next && npm view rates", "+ rates@1.0.0", ["`npm publish --tag next`"]),
    ("echo gh pr create", "gh pr create", [])])
def test_what_was_pushed_or_published(tmp_path: Path, command: str, output: str, words: list[str]) -> None:
    made = Session()
    made.ran("Bash", output, command=command)
    assert [text for what, text in log_of(made, tmp_path) if what == "pushed"] == words


@pytest.mark.parametrize(("command", "expected"), [
    ("git push origin main", [("not pushed", "`git push origin main`")]),
    ("cd site && git -C /srv/site push", [("not pushed", "`git -C /srv/site push`")]),
    ("git push 2>&1 | tail -3", [("not pushed", "`git push`")]), ("git push a; git push b", []),
    ("git status", []), ("echo git push", []), ("git push; pytest", [])])
def test_a_push_that_failed_is_told(tmp_path: Path, command: str, expected: list[tuple[str, str]]) -> None:
    made = Session()
    fault = "1 failed in 0.3s" if "pytest" in command else "fatal: 'origin' does not appear to be a git repository"
    made.failed("Bash", f"Exit code 128\n{fault}", command=command)
    assert [line for line in log_of(made, tmp_path) if line[0] != "failed"] == expected


@pytest.mark.parametrize(("output", "failed", "line"), [
    ("....\n12 passed in 0.3s", False, ("passed", "`pytest -q`: \"12 passed in 0.3s\"")),
    ("", False, ("ran, result not seen", "`pytest -q`: \"exit 0 of `tail`\"")),
    ("E   AssertionError: 3 != 4\nFAILED tests/test_a.py::test_b\n1 failed, 2 passed in 0.1s", False,
     ("failed", "`pytest -q`: \"1 failed, 2 passed in 0.1s · tests/test_a.py::test_b · AssertionError: 3 != 4\"")),
    ("Exit code 1\nE   AssertionError: 3 != 4", True, ("failed", "`pytest -q`: \"E AssertionError: 3 != 4\""))])
def test_outcomes_of_a_check_behind_a_pipe(
        tmp_path: Path, output: str, failed: bool, line: tuple[str, str]) -> None:
    made = Session()
    (made.failed if failed else made.ran)("Bash", output, command="pytest -q 2>&1 | tail -5")
    assert log_of(made, tmp_path) == [line]


def test_only_changes_of_an_outcome_are_told(tmp_path: Path) -> None:
    made = Session()
    for ok in (True, True, False, False, True):
        (made.ran if ok else made.failed)("Bash", "ok" if ok else "Exit code 1\nerror: bad", command="make test")
        made.failed("Bash", "Exit code 1", command="grep -r nothing")
    assert [what for what, _ in log_of(made, tmp_path)] == ["passed", "failed", "passed"]


def test_tasks_are_done_once_with_their_names() -> None:
    log = log_with(item("task", "Ship", status="pending"), item("task", "Pack <b>", 1, key="#7", status="pending"))
    log = log_with(item("task", "Ship", 2, status="completed"), item("task", "Ship", 3, status="completed"), log=log)
    update: Entries = [({"what": "call", "time": stamp(4)}, [item("task", "", 4, key="#7", status="completed")])]
    log = log_after(log, update, [item("task", "Pack <b>", 1, key="#7")], "/nonexistent")
    assert words_of(log) == [("done", "Ship"), ("done", "Pack \\<b>")]


@pytest.mark.parametrize(("kept_item", "line"), [
    (item("message", "Add the\nzone surcharge."), ("asked", '"Add the zone surcharge."')),
    (item("message", "# Zones\n\nLong.", via="plan"), ("asked", 'the plan "Zones"')),
    (item("message", "B, as the hotel bills", answers="A) 10 % off, or B) each full week?"),
     ("asked", "\"B, as the hotel bills\", after the agent's \"A) 10 % off, or B) each full week?\"")),
    (item("message", "b" * 81, answers="Shall I?"), ("asked", f'"{"b" * 81}"')),
    (item("message", "b", answers="Either.", picks="b) per zone"), ("asked", '"b", which picks "b) per zone"')),
    (item("message", "b", answers="Done. Which is it,\na) per parcel or\nb) per zone?", picks="a) per parcel or"),
     ("asked", '"b", which picks "a) per parcel or", asked "Which is it, a) per parcel or b) per zone?"')),
    (item("message", "yes", answers="word " * 90 + "Shall I?"),
     ("asked", "\"yes\", after the agent's \"…" + "word " * 42 + "Shall I?\"")),
    (item("message", "changelog", via="queue", answers="Done."), ("asked", '"changelog"')),
    (item("message", "keep the question", via="compact", answers="Shall I?"),
     ("typed behind /compact", '"keep the question"')),
    (item("message", "Do <b>.", via="teammate", sender="team-lead"), ("asked", '"Do \\<b>." (from team-lead)')),
    (item("message", "Not that.", via="rejection", refused="$ rm -r a"), ("not allowed", '`$ rm -r a`: "Not that."')),
    (item("refusal", "Edit src/a.py"), ("not allowed", "`Edit src/a.py`")),
    (item("answer", "Half even", question="Which rounding?"), ("answered", '"Which rounding?" "Half even"')),
    (item("rule", "Never push."), ("rule given", '"Never push."')),
    (item("rule", "Never push.", status="ended"), ("rule ended", '"Never push."')),
    (item("plan", "# Rates first\n\n## Context", status="approved"), ("plan approved", '"Rates first"')),
    (item("plan", "Rates first ## Context", status="not approved"), ("plan not approved", '"Rates first"'))],
    ids=lambda value: value["kind"] if isinstance(value, dict) else value[0])
def test_words_of_the_person(kept_item: Any, line: tuple[str, str]) -> None:
    assert words_of(log_with(kept_item)) == [line]


@pytest.mark.parametrize("kept_item", [
    item("question", "Which?"), item("question", "Which?", status="answered"), item("refusal", "x", status="gone"),
    item("plan", "x", status="waiting for approval"), item("said", "Done."), item("look", "src/a.py", tool="Read"),
    item("job", "npm run dev", key="b1")], ids=lambda kept_item: f"{kept_item['kind']} {kept_item['status']}")
def test_what_is_no_event(kept_item: Any) -> None:
    assert log_with(kept_item) == []


def test_the_same_words_typed_later_are_told_again() -> None:
    log = log_with(item("message", "Go on."), item("message", "Go on.", 5), item("message", "Go on.", 90))
    assert [line["time"] for line in log] == [stamp(0), stamp(90)]


# --- what a compaction put back ---


def test_a_compaction_tells_what_was_put_back(tmp_path: Path) -> None:
    made = busy()
    memory = memory_of(made, tmp_path)
    (tmp_path / "history.jsonl").write_text("".join(json.dumps({
        "schema": 1, "time": 1.0, "event": event, "cycle": cycle, "units": 900 + cycle, "things": 1}) + "\n"
        for event, cycle in (("audit", 0), ("restore", 0), ("restore", 5))), encoding="utf-8")
    made.compacted()
    assert log_of(made, tmp_path, memory)[-1] == ("compacted", "put back 1 thing, 900 characters")


def changed_in(made: Session, folder: Path) -> list[str]:
    """The rows of the changed files, without their times."""
    rows = page_of(memory_of(made, folder)).partition("## Changed files")[2].partition("## ")[0].splitlines()
    return [re.sub(r" \([\d: -]+\)", "", row)[2:] for row in rows if row.startswith("- ")]


@pytest.mark.parametrize(("command", "back"), [
    ("git checkout -- src/quote.py", "git checkout -- src/quote.py"),
    (f"git -C {CWD} restore src/quote.py && make", "git restore src/quote.py"), ("git stash push -m x", "git stash"),
    ("git checkout main", ""), ("git checkout -- docs/quote.py", ""), ("git commit -qam x && git reset --hard", "")])
def test_a_change_that_git_took_back_is_told_as_that(tmp_path: Path, command: str, back: str) -> None:
    made = Session()
    made.ran("Edit", file_path=f"{CWD}/src/quote.py", old_string="a = 1", new_string="a = 2")
    made.ran("Bash", "", command=command)
    assert changed_in(made, tmp_path) == ["`src/quote.py`" + (f", taken back since by `{back}`" if back else "")]
    made.ran("Edit", file_path=f"{CWD}/src/quote.py", old_string="a = 1", new_string="a = 3")
    assert changed_in(made, tmp_path) == ["`src/quote.py`"]


def test_a_file_with_a_committed_change_is_not_told_as_taken_back(tmp_path: Path) -> None:
    made = Session()
    made.ran("Edit", file_path=f"{CWD}/src/quote.py", old_string="a = 1", new_string="a = 2")
    made.failed("Bash", "Exit code 128\nfatal: No configured push destination.",
                command="git commit -qam x && git push")
    made.ran("Edit", file_path=f"{CWD}/src/quote.py", old_string="a = 2", new_string="a = 3")
    made.ran("Bash", "", command="git checkout -- src/quote.py")
    assert changed_in(made, tmp_path) == ["`src/quote.py`"]


def test_a_file_that_a_command_wrote_is_taken_back_where_it_is_named(tmp_path: Path) -> None:
    made = Session()
    made.ran("Bash", "", command="echo 1 > a.txt; echo 2 > b.txt")
    made.ran("Bash", "", command="git stash")  # of new files it takes none
    made.ran("Bash", "", command="git checkout a.txt")
    assert changed_in(made, tmp_path) == ["`b.txt`", "`a.txt`, taken back since by `git checkout a.txt`"]


def test_a_file_is_told_with_the_folder_in_which_a_command_wrote_it(tmp_path: Path) -> None:
    made = Session()
    made.ran("Bash", "", command="make rates")
    call = made.call("Bash", command="echo 1 > a.txt")
    made.records[-1]["cwd"] = f"{CWD}/web"
    made.result(call, "")
    assert changed_in(made, tmp_path) == ["`web/a.txt`"]


@pytest.mark.parametrize(("cycle", "words"), [(0, "never"), (1, "once"), (2, "2 times")])
def test_compactions_are_counted_up_to_this_save(cycle: int, words: str) -> None:
    """The page that a PreCompact writes is read after that compaction."""
    memory: Any = {"items": [], "progress": [], "state": {}, "cycle": cycle}
    assert f"; compacted before this save: {words}. To go on" in page_of(memory)


@pytest.mark.parametrize("line", [
    b"", b"no json\n", b"[]\n", b'{"event":"restore","cycle":0}\n', b'{"event":"restore","cycle":0,"lines":7}\n',
    b'{"event":"restore","cycle":3,"lines":[]}\n', b'{"event":"restore","cycle":0,"lines":[{}', b"\0" * 99])
def test_a_history_that_does_not_tell(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "history.jsonl").write_bytes(line)
    made = Session()
    made.compacted()
    assert log_of(made, tmp_path) == [("compacted", "")]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_history_that_is_no_file(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "history.jsonl")
    made = Session()
    made.compacted()
    assert log_of(made, tmp_path) == [("compacted", "")]


# --- the page ---


@pytest.mark.usefixtures("utc")
def test_the_page_says_where_the_work_stands(tmp_path: Path) -> None:
    made = busy()
    made.ran("Edit", file_path=f"{CWD}/src/quote.py")
    made.ran("Edit", file_path=f"{CWD}/web/form.ts", old_string="a", new_string="b")
    made.ran("Edit", file_path=f"{CWD}/src/quote.py", old_string="c", new_string="d")
    made.typed("Now the web form, please <b>.")
    made.failed("Bash", "Exit code 2\nerror TS2322: no number", command="npm run build")
    made.says("The build fails. Shall I pin the version?")
    memory = memory_of(made, tmp_path)
    memory["items"] += [
        item("task", "Write the form", status="in_progress", order=0), item("task", "Read it", status="completed"),
        item("task", "Ship it", status="pending", order=2), item("task", "Test the form", status="pending", order=1),
        item("question", "Which <b> version?"), item("plan", "# Form\nLong.", status="waiting for approval"),
        item("rule", "Never push to main."), item("job", "npm run dev", key="b1"),
        item("job", "ls", key="b2", status="ended"), item("job", "npm run api &", key="& npm run api")]
    text = page_of(memory)
    state = text.partition("## Now\n")[2].partition("\n## ")[0]
    assert text.startswith(MARKER + f"# Notes on parcel-rates\n\nSession `{SESSION_ID}` in `{CWD}`, saved 20")
    assert state == '''
- **Asked**:
    1. "Now the web form, please \\<b>." (2026-09-21 14:13)
    2. first of all: "Add the zone surcharge to the quote." (2026-09-21 14:13)
- **Waits for you**:
    1. your answer: "Which \\<b> version?"
    2. your approval of the plan: "Form"
- **Where it stands**:
    1. in progress: Write the form
    2. last committed: 5b2340e Add the surcharge (2026-09-21 14:13)
    3. last changed: `src/quote.py` (2026-09-21 14:13)
    4. the agent's last words: "The build fails. Shall I pin the version?"
- **Fails**:
    1. `npm run build`: "TS2322: no number" (last run 2026-09-21 14:13)
    2. `pytest -q`: "AssertionError: 5 != 4" (last run 2026-09-21 14:13; edited since: `src/quote.py`, `web/form.ts`)
- **Runs**:
    1. `npm run dev` as `b1`, started 2026-09-21 14:13, no end seen
    2. `npm run api &`, started 2026-09-21 14:13, no end seen
- **Next**:
    1. Test the form
    2. Ship it
- **Branch**: `main`
'''
    assert '## Rules in force\n\n- "Never push to main."\n' in text
    assert "## Changed files, the last ones first\n\n- `src/quote.py` (2026-09-21 14:13)\n- `web/form.ts` (" in text
    assert "## Log, the newest first\n\n### 2026-09-21\n\n- 14:13 **failed** `npm run build`" in text


def test_a_check_that_passed_later_blocks_nothing(tmp_path: Path) -> None:
    made = busy()
    made.failed("Bash", "Exit code 1\nE   AssertionError: 3 != 4", command="pytest -q tests/test_quote.py")
    assert "(last run" in page_of(memory_of(made, tmp_path))
    made.ran("Bash", "1 passed in 0.3s", command="pytest -q tests/test_quote.py")
    made.ran("Bash", "12 passed in 0.3s", command="pytest -q")
    assert "- **Fails**: no check failed in its last run" in page_of(memory_of(made, tmp_path))


@pytest.mark.parametrize(("command", "shown"), [("terraform apply", True), ("pytest -q", False)])
def test_the_last_command_that_failed_is_told_unless_a_later_one_ended_well(
        tmp_path: Path, command: str, shown: bool) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\nerror: no such plan", command=command)
    assert ("the last command: `terraform apply`" in page_of(memory_of(made, tmp_path))) is shown
    made.ran("Bash", "Everything up-to-date", command="git push")
    assert "the last command" not in page_of(memory_of(made, tmp_path))


def test_a_check_that_failed_says_that_what_it_ran_on_was_taken_back(tmp_path: Path) -> None:
    made = Session()
    made.ran("Edit", file_path=f"{CWD}/rates/cli.py", old_string="a", new_string="b")
    made.failed("Bash", "Exit code 1\nE  AssertionError: 3190 != 2900\n1 failed in 0.1s", command="pytest -q")
    assert "taken back" not in page_of(memory_of(made, tmp_path))
    made.ran("Bash", "Updated 1 path from the index", command="git checkout rates/cli.py")
    assert "; taken back since: `rates/cli.py`)" in page_of(memory_of(made, tmp_path))


def test_a_program_that_broke_stands_among_what_fails_until_it_ran_again(tmp_path: Path) -> None:
    made = Session()
    made.ran("Bash", "3 passed in 0.1s", command="pytest -q")
    made.ran("Edit", file_path=f"{CWD}/rates/cli.py", old_string="a", new_string="b")
    made.failed("Bash", "Exit code 1\nTraceback (most recent call last):\n  File \"cli.py\", line 3, in <module>\n"
                "NameError: name 'zone' is not defined", command="cat a.csv | python3 -m rates.cli next")
    made.failed("Bash", "Exit code 128\nfatal: 'origin' does not appear to be a git repository", command="git push")
    text = page_of(memory_of(made, tmp_path))
    assert "    1. `git push`: \"fatal: 'origin' does not appear to be a git repository\" (last run " in text
    assert "    2. `cat a.csv | python3 -m rates.cli next`: \"NameError: name 'zone' is not defined\"" in text
    assert "the last command" not in text
    made.ran("Edit", file_path=f"{CWD}/rates/cli.py", old_string="c", new_string="d")
    assert "; edited since: `rates/cli.py`)" in page_of(memory_of(made, tmp_path))
    made.ran("Bash", "4.31", command="python3 -m rates.cli next < b.csv")
    assert "NameError" not in page_of(memory_of(made, tmp_path))


def test_a_tool_that_is_not_there_has_not_failed_and_is_told(tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\n/usr/bin/python3: No module named mypy", command="python3 -m mypy rates")
    text = page_of(memory_of(made, tmp_path))
    assert "- **Fails**:\n    1. no check failed in its last run" in text
    assert '    2. `python3 -m mypy rates`: "not run: /usr/bin/python3: No module named mypy" (last tried 2' in text
    assert "**failed**" not in text


@pytest.mark.parametrize("later", [
    ("Success: no issues found in 3 source files", "mypy rates"),
    ("Success: no issues found in 3 source files", ".venv/bin/python -m mypy ."), ("", "uv run mypy rates | tail -3")])
def test_a_tool_that_ran_later_in_any_form_is_told_no_more(tmp_path: Path, later: tuple[str, str]) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\n/usr/bin/python3: No module named mypy", command="python3 -m mypy rates")
    made.ran("Bash", later[0], command=later[1])
    assert "not run" not in page_of(memory_of(made, tmp_path))


def test_a_check_that_was_refused_is_none_that_could_not_run(tmp_path: Path) -> None:
    made = Session()
    made.rejected("Bash", command="mypy rates")
    assert "not run" not in page_of(memory_of(made, tmp_path))


def test_the_first_order_and_the_last_long_one_stay_whole_behind_short_words(tmp_path: Path) -> None:
    made = Session()
    first, long = "We add the zones of 2027. " * 40 + "Ada compares them.", "Then the form. " * 20 + "As Bo said."
    words = [first, "yes", long, *(f"Go on {number}." for number in range(250))]
    for number, text in enumerate(words):
        made.typed(text)
        made.says(f"Shall I go on, {number}?")
    lines = page_of(memory_of(made, tmp_path)).partition("- **Where it")[0].splitlines()
    shown = [line.partition(" (20")[0].strip() for line in lines if line.startswith("    ")]
    assert [line.partition(",")[0] for line in shown[:5]] == [
        '1. "Go on 249."', *(f'{place}. before that: "Go on {250 - place}."' for place in range(2, 6))]
    # a session keeps its last 200 messages, and the first
    assert shown[5:] == ["6. (at least 195 more in between)", f'7. first of all: "{first}"']
    words = [first, "yes", long, *(f"Go on {number}." for number in range(6))]
    made = Session()
    for text in words:
        made.typed(text)
    made.user("<command-name>/compact</command-name><command-args>keep the zones</command-args>")
    text = page_of(memory_of(made, tmp_path)).partition("- **Where it")[0]
    assert f'\n    6. earlier, the last long one: "{long}" (' in text
    assert f'\n    7. (2 more in between)\n    8. first of all: "{first}" (' in text
    assert "keep the zones" not in text


def test_messages_left_out_between_are_counted(tmp_path: Path) -> None:
    made = Session()
    made.typed("We build a tide board for the harbour office.")
    for words in ("the labels are blue", "Never touch vendor/.", "the quays are green", "go on",
                  *(f"look at part {number}" for number in range(5))):
        made.typed(words)
    requests = page_of(memory_of(made, tmp_path)).partition("- **Where it")[0]
    assert "    6. (2 more in between)\n    7. first of all: " in requests
    assert "the labels" not in requests


def test_short_go_ons_do_not_push_out_what_the_person_forbade(tmp_path: Path) -> None:
    """A successor who took over from the notes alone would have pushed."""
    made = Session()
    made.typed("We build a tide board for the harbour office.")
    bound = ("no, the board is in whole centimetres. And commit what we have, but do not push, Anna reviews first. "
             "The test station's id is HH-4711-B.")
    words = [bound, "the labels are blue", *("ok go on", "go on", "next", "go on", "carry on", "ok")]
    for text in [*words, *(f"look at part {number}" for number in range(4)), "go on"]:
        made.typed(text)
        made.says("Done.")
    requests = page_of(memory_of(made, tmp_path)).partition("- **Where it")[0]
    assert f'earlier, it sets bounds: "{bound}"' in requests
    assert "ok go on" not in requests
    assert 'earlier: "the labels are blue"' in requests, "a single one between has the room of its count"
    assert requests.count("before that: ") == 4, "go-ons count for nothing, but for the newest"
    assert '1. "go on"' in requests


@pytest.mark.parametrize(("words", "does_bind"), [
    ("but do not push, Anna reviews first", True), ("Don't deploy today", True), ("only the docs, please", True),
    ("Nothing else than the label, hands off the rest", True), ("bitte nicht pushen", True),
    ("现在不要推送，等安娜看过", True),
    ("not before Anna has looked", True), ("leave vendor/ alone", True), ("it should not touch the rates", True),
    ("which branch are we on?", False), ("it doesn't work", False), ("the tests don't pass", False), ("", False),
    ("go on", False), ("I do not know", False), ("\ud800", False), ("do we never push?", False),
    ("Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: never", False)])
def test_what_sets_bounds(words: str, does_bind: bool) -> None:
    assert binds(words) is does_bind


@pytest.mark.parametrize(("words", "is_go_on"), [
    ("ok go on", True), ("Go on, please.", True), ("continue", True), ("weiter", True), ("继续", True), ("", False),
    ("go on 3", False), ("go on with to_cm", False), ("yes", False), ("?", False), ("A", False), ("ok", True)])
def test_what_only_says_to_go_on(words: str, is_go_on: bool) -> None:
    assert only_goes_on(words) is is_go_on


def test_a_log_that_was_pasted_is_no_order_and_a_plan_stands_with_its_begin(tmp_path: Path) -> None:
    made = Session()
    made.user(f"Implement the following plan:\n\n# Zones\n\n## Context\n\nAda compares them. {'Then more. ' * 300}")
    rows = (f"2026-09-21 14:13:{at} ERROR zone {at} is no zone" for at in range(10, 40))
    made.typed("Here is the log:\n" + "\n".join(rows))
    for number in range(6):
        made.typed(f"Go on {number}.")
    text = page_of(memory_of(made, tmp_path)).partition("- **Where it")[0]
    assert "no zone" not in text
    assert "\n    6. (2 more in between)\n" in text
    assert '\n    7. first of all: the plan "Zones": "## Context Ada compares them. Then more.' in text
    assert max(map(len, text.splitlines())) < 2_000


def test_a_commit_of_which_git_printed_nothing_has_the_hash_that_git_tells(tmp_path: Path) -> None:
    made = Session()
    made.ran("Bash", "", command="git commit -qm 'Add <b>'")
    made.ran("Bash", "[main 5b2340e] Add y", command="git commit -m 'Add y'")
    memory = memory_of(made, tmp_path)
    now: Any = {"commits": [("6c3451f", "Add y"), ("7d4562a", "Add <b>")]}
    text = page_of(memory, repository=now)
    assert "**committed** 7d4562a Add \\<b>\n" in text
    assert "**committed** 5b2340e Add y\n" in text
    assert "last committed: 5b2340e Add y (" in text
    assert "**committed** Add \\<b>\n" in page_of(memory)


def test_words_on_a_refusal_say_so(tmp_path: Path) -> None:
    memory = memory_of(Session(), tmp_path)
    memory["items"] = [item("message", "Not that file.", via="rejection", refused="Edit a.py")]
    assert '- **Asked**: when refusing `Edit a.py`: "Not that file."' in page_of(memory)


def test_pins_stand_whole_before_the_rules(tmp_path: Path) -> None:
    made = Session()
    made.typed("Never push to main.")
    memory = memory_of(made, tmp_path)
    pin = "Never run npm publish <b>. " + "Ask Ada first. " * 90
    text = page_of(memory, pins=[item("pin", pin), item("pin", "Demo on Thursday.")])
    shown = pin.strip().replace("<b>", "\\<b>")
    assert f'## Pinned\n\n- "{shown}"\n- "Demo on Thursday."\n\n## Rules in force\n' in text
    assert "## Pinned" not in page_of(memory)


def test_where_what_runs_writes_to_stands_with_it(tmp_path: Path) -> None:
    memory = memory_of(Session(), tmp_path)
    memory["items"] = [item("job", "npm run dev", key="b1", path="/tmp/tasks/b1.output")]
    assert ("- **Runs**: `npm run dev` as `b1`, started 2026-09-21 14:13, no end seen, its output in "
            "`/tmp/tasks/b1.output`\n") in page_of(memory)


REPOSITORIES: dict[str, tuple[Any, list[str]]] = {
    "all": ({"conflicts": ["a.py"], "staged": [("b.py", "new")], "modified": [("c.py", "deleted")], "untracked": ["d/"],
             "totals": {"conflicts": 1, "staged": 1, "modified": 1, "untracked": 1}, "is_complete": True},
            ["in conflict: `a.py`", "staged: `b.py`", "changed, not staged: `c.py`", "new, in no commit yet: `d/`"]),
    "many": ({"untracked": [f"f{number}" for number in range(60)], "totals": {"untracked": 1_090}, "is_complete": True},
             [f"new, in no commit yet: {', '.join(f'`f{number}`' for number in range(8))} and 1,082 more"]),
    "clean": ({"staged": [], "modified": [], "untracked": [], "conflicts": [], "totals": {}, "is_complete": True},
              ["nothing: the working tree is clean"]),
    "late": ({"root": CWD, "totals": {}, "is_complete": False, "is_late": True},
             ["not known: git did not answer in time"]),
    "partly late": ({"root": CWD, "staged": [("b.py", "new")], "totals": {"staged": 1}, "is_complete": False,
                     "is_late": True},
                    ["staged: `b.py`", "whether that is all is not known: git did not answer in time"]),
    "cannot tell": ({"root": CWD, "totals": {}, "is_complete": False}, ["not known: git could not tell everything"]),
    "no repository": ({}, []),
}


@pytest.mark.parametrize(("now", "lines"), REPOSITORIES.values(), ids=REPOSITORIES)
def test_what_no_commit_holds_is_told_as_git_tells_it(now: Any, lines: list[str]) -> None:
    assert not_committed(now) == lines


@pytest.mark.parametrize(("state", "words"), [
    ({"branch": "main", "head": "5b2340e" + "0" * 33}, "`main` at `5b2340e00000`"),
    ({"branch": "main", "head": ""}, "`main` without a commit so far"),
    ({"branch": "", "gitBranch": "topic"}, "`topic`"), ({}, None)])
def test_the_branch_stands_with_its_commit(state: dict[str, str], words: str | None) -> None:
    assert branch_and_commit(state) == ([words] if words else [])


def test_an_empty_session_has_a_page(tmp_path: Path) -> None:
    made = Session()
    made.progress()
    text = page_of(memory_of(made, tmp_path), "/")
    assert "- **Asked**: nothing\n" in text
    assert "## Log" not in text
    assert "- **Fails**: no check was run\n" in text


def test_long_lists_are_cut_and_say_so(tmp_path: Path) -> None:
    made = Session()
    for number in range(30):
        made.ran("Edit", file_path=f"{CWD}/src/m{number}.py")
    memory = memory_of(made, tmp_path)
    for number in range(30):
        memory["items"] += [item("task", f"Task {number}"), item("rule", f"Never touch table {number}.")]
    assert page_of(memory).count("… and 18 more") == 3


# --- to disk ---

OUTSIDE = "kept as it is\n"


def kept(folder: Path, words: str) -> str:
    """What stands in the session's folder once notes with these words were kept there."""
    made = Session()
    made.typed(words)
    keep_notes(hook_input("Stop"), str(folder), memory_of(made, folder))
    return (folder / "notes.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("event", ["Stop", "SessionStart"])
def test_git_is_asked_at_each_save(tmp_path: Path, event: str) -> None:
    """`restore anyway` saves as a compaction's start does: behind it the page had known less than before."""
    memory = memory_of(busy(), tmp_path)
    memory["state"].update(cwd=str(repository_at(tmp_path / "project")))
    keep_notes(hook_input(event), str(tmp_path), memory)
    page = (tmp_path / "notes.md").read_text(encoding="utf-8")
    assert "- **Not committed**: nothing: the working tree is clean\n" in page


def test_words_that_are_no_unicode(tmp_path: Path) -> None:
    memory = memory_of(busy(), tmp_path)
    memory["state"] = {"last_words": "\ud800!"}
    keep_notes(hook_input("Stop"), str(tmp_path), memory)
    assert 'the agent\'s last words: "?!"' in (tmp_path / "notes.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("failing", ["open", "replace", "fdopen"])
def test_a_full_disk_leaves_the_old_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    before, real = kept(tmp_path, "Add it."), getattr(os, failing)

    def full(place: object, *given: object, **more: Any) -> object:
        if failing == "fdopen" or "notes.md" in str(place):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(place, *given, **more)
    memory = memory_of(busy(), tmp_path)
    monkeypatch.setattr(os, failing, full)
    with pytest.raises(OSError, match="No space"):
        keep_notes(hook_input("Stop"), str(tmp_path), memory)
    monkeypatch.undo()
    assert (tmp_path / "notes.md").read_text(encoding="utf-8") == before
    assert not list(tmp_path.glob("*.tmp"))


def test_a_link_in_place_of_the_notes_is_replaced_itself(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text(OUTSIDE, encoding="utf-8")
    (tmp_path / "notes.md").symlink_to(tmp_path / "outside")
    assert "Add it." in kept(tmp_path, "Add it.")
    assert (tmp_path / "outside").read_text(encoding="utf-8") == OUTSIDE


def test_a_link_in_place_of_the_draft_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text(OUTSIDE, encoding="utf-8")
    (tmp_path / f"notes.md.{os.getpid()}.tmp").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="symbolic links"):
        kept(tmp_path, "Add it.")
    assert (tmp_path / "outside").read_text(encoding="utf-8") == OUTSIDE


LONG_LINE = "git stash list; git checkout -q readme 2>/dev/null || git checkout -q -b readme; git add README.md docs; "


def test_files_that_a_shell_command_wrote_are_changed_files(tmp_path: Path) -> None:
    made = Session()
    made.ran("Edit", file_path=f"{CWD}/tide/levels.py", old_string="a = 1", new_string="a = 2")
    made.ran("Bash", "", command="mkdir -p tools && printf 'def board():\\n' > tools/board.py")
    made.ran("Bash", "[main 5b2340e] Add the board", command="git add -A && git commit -m 'Add the board'")
    made.failed("Bash", "Exit code 1\nbash: no such folder", command="echo 1 > gone/x.py")
    assert changed_in(made, tmp_path) == ["`tools/board.py`", "`tide/levels.py`"]


def test_what_fails_and_what_runs_is_named_by_itself_not_by_its_line(tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\nRan 1 test in 0.1s\n\nFAILED (errors=1)",
                command=LONG_LINE + "python3 -m unittest tests.test_missing")
    made.ran("Bash", "Command running in background with ID: b1",
             command=LONG_LINE + "mkdir -p web && python3 -m http.server 8799", run_in_background=True)
    made.ran("Bash", "Command running in background with ID: b2",
             command=LONG_LINE + "mkdir -p api\npython3 -m http.server 8800", run_in_background=True)
    page = page_of(memory_of(made, tmp_path))
    assert "- **Fails**: `python3 -m unittest tests.test_missing`: " in page
    assert "1. `python3 -m http.server 8799` as `b1`, started" in page
    assert "2. `python3 -m http.server 8800` as `b2`, started" in page
