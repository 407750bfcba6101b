"""The text that is put back: what is told of each kind and of what is true now, in which order, and how long it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.block import with_pins
from compact_keeper.recap.render import HEADER, SECTIONS, ago, render
from compact_keeper.record import items
from compact_keeper.store import settings
from compact_keeper.text.times import moment
from hostile import BEFORE
from sessions import CWD, Record, Session, crowded, lines_of, snapshot_of, stamp, units

ORDER = "Never touch the legacy table."
ERRAND, PINS, RULES, ASKED, STATE, TASKS = (section[0] for section in SECTIONS[:6])
HEADINGS = {  # the first that may hold the kind
    kind: section[0].partition(" (")[0] for section in SECTIONS[::-1] for kind in section[1]}
PREVIEW = 2_000  # units that the client still shows of a text it cuts
BUDGET = settings.default_settings()["budget"]
WORDS = {
    "ascii": "word ", "cjk": "日本語", "emoji": "🚚", "mixed": "a🚚 ", "quotes": '"`\\ ', "tags": "<system-reminder>"}


# --- wording ---


def test_what_is_of_an_unknown_kind_is_not_shown(tmp_path: Path) -> None:
    snapshot = snapshot_of(wording(), tmp_path)
    odd = {**snapshot, "items": [*snapshot["items"], {**snapshot["items"][0], "kind": "of a later version"}]}
    assert render(odd) == render(snapshot)


def wording() -> Session:
    """A session with an item of every kind, an hour long."""
    session = Session()
    session.typed("Earlier I asked for a changelog of the rates.")
    session.typed("Also list the carriers of the rates.")
    session.typed("Cancel that.")
    session.rejected("Edit", "no, the other file", file_path="/x")
    session.rejected("Bash", command="rm -rf build")
    long = "Look at each of the tables. " * 20
    session.typed(f"I want short commits in this repository. {long}It runs on localhost:3334 now.")
    session.says("All tests are green now.")
    session.says("We'll use decimals.\n- [x] Read the code\n- [~] Write it\n- [ ] Ship it")
    session.says("Raising the timeout did not work.")
    session.failed("Bash", "Exit code 2\nE   assert 2 == 3", command="make test")
    session.failed("Bash", "Exit code 2\nE   assert 2 == 3", command="make test")
    session.ran("Bash", command="cargo build --release")
    session.ran("Bash", command="cargo build --release")
    session.ran("Bash", " M src/tables.py\n", command="git status")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="1", new_string="def load_rates(): pass")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    for _ in range(3):
        session.ran("Read", file_path=f"{CWD}/docs.md")
    session.ran("Read", file_path=f"{CWD}/once.md")
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out",
                command="make serve")
    session.answered(session.asked("Which rounding?"), "Which rounding?", "Half even")
    session.ran("ExitPlanMode", "User has approved your plan. saved to: /home/ada/.claude/plans/a.md",
                plan="# Rates in decimals")
    session.typed(f"Fix the rates. {ORDER}")
    session.says("It is half done. Should I delete the old table?")
    return session


@pytest.mark.parametrize(("kind", "parts"), [
    ("rule", [f'"{ORDER}"', "typed just before"]),
    ("rule", ['"no, the other file"', "rejecting a tool call", "just before"]),
    ("request", ["newest request", "just before", f'"Fix the rates. {ORDER}"']),
    ("question", ["not answered yet", "just before", '"Should I delete the old table?"']),
    ("state", ["Waiting for the user's answer"]),
    ("state", ["last words", '"It is half done. Should I delete the old table?"']),
    ("state", [f"Working folder {CWD}, branch main then"]),
    ("plan", ['"Rates in decimals"', "approved", "just before", "`/home/ada/.claude/plans/a.md`"]),
    ("task", ["- [x] Read the code"]), ("task", ["- [ ] in progress: Write it"]), ("task", ["- [ ] Ship it"]),
    ("failure", ["`make test`", "exit code 2", "2 times", "just before", "assert 2 == 3"]),
    ("dead end", ["Tried", '"Raising the timeout did not work."', "assistant", "just before"]),
    ("answer", ['Asked "Which rounding?"', 'the user answered: "Half even"', "just before"]),
    ("answer", ["did not allow `rm -rf build`", "just before"]),
    ("wish", ['"I want short commits in this repository."', "typed just before"]),
    ("decision", ['"We\'ll use decimals."', "assistant", "just before"]),
    ("command", ["`cargo build --release` passed", "2 runs", "just before"]),
    ("looked", ["Looked with", "`git status`"]),
    ("file", ["`rates.py` changed 2 times", "just before", "`load_rates`"]),
    ("read", ["Read: ", "`docs.md`", "`once.md`"]),
    ("found", ["Named by searches and listings", "`src/tables.py`"]),
    ("job", ["`make serve`", "running", "just before", "output in `/tmp/b1f2.out`"]),
    ("claim", ['"All tests are green now."', "assistant", "just before; `"]),
    ("earlier", ['"Earlier I asked for a changelog of the rates."', "just before"]),
    ("earlier", ['"Also list the carriers of the rates."', "cancelled"]),
    ("value", ['"It runs on localhost:3334 now."', "user, just before"]),
])
def test_wording(tmp_path: Path, kind: str, parts: list[str]) -> None:
    lines = lines_of(render(snapshot_of(wording(), tmp_path)), HEADINGS[kind])
    assert [line for line in lines if all(part in line for part in parts)], lines


def test_a_failing_command_is_not_told_among_the_commands_too(tmp_path: Path) -> None:
    text = render(snapshot_of(wording(), tmp_path))
    assert [line for line in lines_of(text, HEADINGS["command"]) if "make test" in line] == []
    assert [line for line in lines_of(text, HEADINGS["failure"]) if "make test" in line]


@pytest.mark.parametrize(("events", "claim", "told"), [
    ([], "All tests pass now.", "no command seen"),
    (["pass"], "All tests pass now.", "`make test` passed"),
    (["pass", "fail"], "All tests pass now.", "`make test` failed"),
    (["fail", "look"], "All tests pass now.", "`git status && make test` passed"),
    (["log"], "I pushed the branch and it is merged.", "no command seen"),
    (["fail", "pass"], "All tests pass now.", "`make test` passed"),
    (["pass", "edit"], "All tests pass now.", "`make test` passed just before, files changed after it"),
    (["edit", "pass"], "All tests pass now.", "`make test` passed just before)"),
    (["fail", "serve"], "All tests pass now.", "`make test` failed"),
    (["pass"], "I pushed the branch and it is merged.", "no command seen"),
    (["push", "pass"], "I pushed the branch and it is merged.", "`git push` ran"),
], ids=lambda value: "-".join(value) if isinstance(value, list) else None)
def test_evidence_beside_a_claim(tmp_path: Path, events: list[str], claim: str, told: str) -> None:
    session = Session()
    session.typed("Fix the rates.")
    steps: dict[str, Callable[[], object]] = {
        "pass": lambda: session.ran("Bash", command="make test"),
        "fail": lambda: session.failed("Bash", "Exit code 2\nerror: bad", command="make test"),
        "edit": lambda: session.ran("Edit", file_path=f"{CWD}/a.py"),
        "push": lambda: session.ran("Bash", command="git push"),
        "look": lambda: session.ran("Bash", command="git status && make test"),
        "log": lambda: session.ran("Bash", command="git log --grep push"),
        "serve": lambda: session.ran("Bash", "Command running in background with ID: b1f2.", command="make serve")}
    for event in events:
        steps[event]()
    session.says(claim)
    session.says("Going on with the docs.")
    [line] = lines_of(render(snapshot_of(session, tmp_path)), HEADINGS["claim"])
    assert told in line


def test_a_claim_in_the_last_words_is_told_with_its_evidence(tmp_path: Path) -> None:
    session = Session()
    session.typed("Fix the rates.")
    session.failed("Bash", "Exit code 2\nerror: bad", command="make test")
    session.says("All tests pass now.")
    [line] = lines_of(render(snapshot_of(session, tmp_path)), HEADINGS["claim"])
    assert "`make test` failed" in line


def test_no_section_is_empty_and_each_stands_once(tmp_path: Path) -> None:
    session = wording()
    for kept in range(1, len(session.records) + 1):
        part = Session()
        part.records = session.records[:kept]
        text = render(snapshot_of(part, tmp_path))
        headings = [line for line in text.splitlines() if line.startswith("## ")]
        assert len(headings) == len(set(headings))
        assert all(lines_of(text, heading[3:]) for heading in headings)


def test_tasks_stand_in_their_own_order(tmp_path: Path) -> None:
    session = Session()
    for number in range(1, 6):
        session.created(number, f"Step {number}")
    text = render(snapshot_of(session, tmp_path))
    assert lines_of(text, TASKS) == [f"- [ ] Step {number}" for number in range(1, 6)]


@pytest.mark.parametrize("nudge", ["continue", "Yes", "ok", "go on!", "thanks", "продолжай", "继续", "sí"])
def test_a_nudge_is_no_request(tmp_path: Path, nudge: str) -> None:
    session = Session()
    session.typed("Fix the rates.")
    session.says("Half of it is done.")
    session.typed(nudge)
    assert lines_of(render(snapshot_of(session, tmp_path)),
                    ASKED) == ['- The user\'s newest request (just before): "Fix the rates."']


@pytest.mark.parametrize(("events", "told"), [
    ([], "no file was changed since the newest request"),
    (["edit"], "files were changed since the newest request"),
    (["edit", "prompt"], "no file was changed since the newest request"),
    (["ask"], "Waiting for the user's answer"),
    (["plan"], "Waiting for the user's answer"),
])
def test_mode_of_the_work(tmp_path: Path, events: list[str], told: str) -> None:
    session = Session()
    session.typed("Fix the rates.")
    steps: dict[str, Callable[[], object]] = {
        "edit": lambda: session.ran("Edit", file_path="/a"), "prompt": lambda: session.typed("Now the docs."),
        "ask": lambda: session.says("Shall I go on?"), "plan": lambda: session.call("ExitPlanMode", plan="# Plan")}
    for event in events:
        steps[event]()
    assert told in lines_of(render(snapshot_of(session, tmp_path)), STATE)[0]


@pytest.mark.parametrize(("typed", "told"), [
    ("Fix the rates of the table and run it for me.", ""),
    ("Исправь таблицу тарифов и запусти тесты.", "Russian"),
    ("テーブルのレートを直してください。", "Japanese"),
    ("修复费率表并运行测试", "Chinese"),
    ("요금표를 고치고 테스트를 실행해 주세요", "Korean"),
    ("Bitte repariere die Tabelle und führe die Tests aus, das ist nicht in Ordnung.", "German"),
    ("Arregla la tabla de tarifas y ejecuta las pruebas que están en el proyecto por favor.", "Spanish"),
    ("Corrige la table des tarifs et lance les tests dans le projet pour moi, pas une fois.", "French"),
])
def test_language_of_the_user(tmp_path: Path, typed: str, told: str) -> None:
    session = Session()
    session.typed(typed)
    text = render(snapshot_of(session, tmp_path))
    assert ("; the user writes in" in text) == bool(told)
    assert not told or f"; the user writes in {told}" in text


# --- what is true now, as the look at the machine found it ---

COMMIT, EARLIER = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"


def repository(**fields: Any) -> Record:
    """A repository on the branch `main`, with fields of another."""
    return {"branch": "main", "head": COMMIT, "worktree": CWD, "linked": False, **fields}


def rendered(session: Session, folder: Path, state: Record | None = None, **present: Any) -> str:
    """The text for the session, with this in its saved state and that found to be true now."""
    snapshot, found = snapshot_of(session, folder), {"repository": {}, "files": {}, "stale": {}, "jobs": {}, **present}
    return render({**snapshot, "state": {**snapshot["state"], **(state or {})}, "present": found})


def told_of(text: str, kind: str, words: str) -> str:
    """The one line of the kind that holds the words."""
    [line] = [line for line in lines_of(text, HEADINGS[kind]) if words in line]
    return line


@pytest.mark.parametrize(("saved", "now", "told"), [
    ({}, {}, ", branch main then"),
    ({"gitBranch": ""}, {}, ""),
    ({"gitBranch": ""}, repository(), ", branch main, HEAD 0123456789ab"),
    ({"branch": "main", "head": COMMIT, "worktree": CWD}, repository(), ", branch main, HEAD 0123456789ab"),
    ({}, repository(branch="fix/half-even"), ", branch fix/half-even, HEAD 0123456789ab (when saved: branch main)"),
    ({"branch": "side"}, repository(), ", branch main, HEAD 0123456789ab (when saved: branch side)"),
    ({"head": EARLIER}, repository(), ", branch main, HEAD 0123456789ab (when saved: HEAD fedcba987654)"),
    ({"worktree": "/srv/rates"}, repository(),
     ", branch main, HEAD 0123456789ab (when saved: worktree /srv/rates)"),
    ({"branch": "side", "head": EARLIER, "worktree": "/srv/rates"}, repository(),
     ", branch main, HEAD 0123456789ab (when saved: branch side, HEAD fedcba987654, worktree /srv/rates)"),
    ({}, repository(branch=""), ", branch none (detached), HEAD 0123456789ab (when saved: branch main)"),
    ({"gitBranch": "HEAD"}, repository(branch=""), ", branch none (detached), HEAD 0123456789ab"),
    ({}, repository(head=""), ", branch main, HEAD without a commit"),
    ({"worktree": "/srv/side"}, repository(worktree="/srv/side", linked=True),
     ", branch main, HEAD 0123456789ab, linked worktree /srv/side"),
    ({"worktree": CWD}, repository(worktree="/srv/side", linked=True),
     f", branch main, HEAD 0123456789ab, linked worktree /srv/side (when saved: worktree {CWD})"),
])
def test_the_repository_now_and_when_it_was_saved(tmp_path: Path, saved: Record, now: Record, told: str) -> None:
    session = Session()
    session.typed("Fix the rates.")
    assert lines_of(rendered(session, tmp_path, saved, repository=now), STATE)[-1] == f"- Working folder {CWD}{told}"


def test_without_present_state_the_branch_is_that_of_the_transcript(tmp_path: Path) -> None:
    text = render(snapshot_of(wording(), tmp_path))
    assert lines_of(text, STATE)[-1] == f"- Working folder {CWD}, branch main then"


@pytest.mark.parametrize(("found", "told"), [
    ([], ""),
    (["unchanged"], "; of 1 files checked on disk: 1 as when saved"),
    (["gone", "unchanged", "changed", "unchanged"],
     "; of 4 files checked on disk: 2 as when saved, 1 changed on disk since the save, 1 gone from disk now"),
])
def test_how_many_files_are_as_they_were(tmp_path: Path, found: list[str], told: str) -> None:
    files = {f"{CWD}/{number}.py": how for number, how in enumerate(found)}
    line = lines_of(rendered(wording(), tmp_path, files=files), STATE)[-1]
    assert line == f"- Working folder {CWD}, branch main then{told}"


@pytest.mark.parametrize(("how", "told"), [
    ("unchanged", ""), ("changed", " (changed on disk since the save)"), ("gone", " (gone from disk now)")])
def test_what_became_of_a_file(tmp_path: Path, how: str, told: str) -> None:
    text = rendered(wording(), tmp_path, files={f"{CWD}/rates.py": how, f"{CWD}/docs.md": how})
    assert told_of(text, "file", "`rates.py`") == f"- `rates.py` changed 2 times, just before{told}: `load_rates`"
    assert f"`docs.md`{told}, `once.md`" in told_of(text, "read", "`docs.md`")


@pytest.mark.parametrize(("jobs", "told"), [
    ({}, ""), ({"another": False}, ""), ({"b1f2": True}, ", its process is still there"),
    ({"b1f2": False}, ", its process is not there any more")])
def test_whether_a_jobs_process_is_there(tmp_path: Path, jobs: Record, told: str) -> None:
    line = told_of(rendered(wording(), tmp_path, jobs=jobs), "job", "`make serve`")
    assert line == f"- `make serve` was running as b1f2 (just before), output in `/tmp/b1f2.out`{told}"


@pytest.mark.parametrize(("command", "is_stale"), [("make test", False), ("cargo build --release", True)])
def test_a_check_that_a_later_change_made_stale(tmp_path: Path, command: str, is_stale: bool) -> None:
    plain = told_of(rendered(wording(), tmp_path), "command", "cargo")
    text = rendered(wording(), tmp_path, stale={command: f"{CWD}/rates.py"})
    line = next(line for line in text.splitlines() if line.startswith(plain))
    assert plain == "- `cargo build --release` passed, 2 runs, just before"
    assert line.startswith(plain)
    assert line.removeprefix(plain) == (", stale" if is_stale else "")
    assert ("(stale: " in text) == is_stale  # the word is explained where it stands


# --- the block's number, a subagent's block ---


@pytest.mark.parametrize(("number", "told"), [
    ({}, ""), ({"id": ""}, ""), ({"id": 7}, ""), ({"id": "64c0ffee8334c598"}, " (block 8334c598)"),
    ({"id": "a1"}, " (block a1)")])
def test_the_header_ends_with_the_blocks_number(tmp_path: Path, number: Record, told: str) -> None:
    text = render({**snapshot_of(wording(), tmp_path), **number})
    assert text.partition("\n")[0] == HEADER + told


def test_a_subagents_task_stands_first_and_nothing_of_where_the_work_stood(tmp_path: Path) -> None:
    session, task = Session(), "Count the tables.\nName each.\n" + "Look at every column. " * 100 + "Then report."
    session.typed(ORDER)
    snapshot = snapshot_of(session, tmp_path)
    rules = [one for one in snapshot["items"] if one["kind"] == "rule"]
    errand = items.new_item("errand", {**snapshot, "source": "a1"}, task, "assistant")
    text = render({**snapshot, "items": [*rules, errand], "agent": "a1"})
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [ERRAND, RULES]
    assert lines_of(text, ERRAND) == [f'- "{" ".join(task.split())}"']


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS.keys())
def test_a_long_task_of_a_subagent_is_cut_to_its_share(tmp_path: Path, word: str) -> None:
    session, task = Session(), "BEGIN " + word * 4_000
    session.typed(ORDER)
    for budget in (500, 1_000, 2_000, 4_000, BUDGET):
        snapshot = snapshot_of(session, tmp_path, budget=budget)
        rules = [item for item in snapshot["items"] if item["kind"] == "rule"]
        errand = items.new_item("errand", {**snapshot, "source": "a1"}, task, "assistant")
        text = render({**snapshot, "items": [*rules, errand], "agent": "a1"})
        [line] = lines_of(text, ERRAND)
        assert line.startswith(('- "BEGIN ', "- “BEGIN "))
        assert "…" in line
        assert max(0.8 * min(0.4 * budget, 3_000), 130) <= units(line) <= max(0.4 * budget, 140)
        assert ORDER in lines_of(text, RULES)[0]
        assert units(text) <= budget


@pytest.mark.parametrize("with_rule", [True, False])
def test_a_subagent_without_a_known_task_gets_the_rules_alone(tmp_path: Path, with_rule: bool) -> None:
    snapshot = {**snapshot_of(wording(), tmp_path), "names": [], "found": [], "agent": "a1"}
    rules = [one for one in snapshot["items"] if one["kind"] == "rule"]
    text = render({**snapshot, "items": rules * with_rule})
    assert re.findall(r"(?m)^## (.*)$", text) == [RULES] * with_rule


def test_nothing_to_tell_is_no_text(tmp_path: Path) -> None:
    assert render(snapshot_of(Session(), tmp_path)) == ""


# --- times ---


@pytest.mark.parametrize(("stamp_then", "told"), [
    ("2026-11-21T07:00:00.000Z", "just before"), ("2026-11-21T06:59:30.000Z", "just before"),
    ("2026-11-21T06:58:00.000Z", "2 min before"), ("2026-11-21T05:01:00.000Z", "119 min before"),
    ("2026-11-21T05:00:00.000Z", "2 h before"), ("2026-11-19T07:00:00.000Z", "48 h before"),
    ("2026-11-21T07:05:00.000Z", "just before"), ("", "earlier"),
])
def test_ago(stamp_then: str, told: str) -> None:
    assert ago(stamp_then, moment("2026-11-21T07:00:00.000Z")) == told


# --- pins ---


def pinned(folder: Path, *texts: str) -> Record:
    """A snapshot of a session with a rule and these pins."""
    session = Session()
    session.typed(f"Fix the rates. {ORDER}")
    lines = [json.dumps({"schema": 1, "time": stamp(0), "text": text}, ensure_ascii=False) for text in texts]
    (folder / "pins.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return with_pins(snapshot_of(session, folder), str(folder))


def test_pins_come_first_and_word_for_word(tmp_path: Path) -> None:
    text = render(pinned(tmp_path, "The port is 3334 — not 3335.", "Ада проверит."))
    assert lines_of(text, PINS) == ['- "The port is 3334 — not 3335." (pinned just before)',
                                    '- "Ада проверит." (pinned just before)']
    assert text.index(PINS) < text.index(RULES)
    assert ORDER in lines_of(text, RULES)[0]


@pytest.mark.parametrize("count", [2, 5])
def test_no_pin_is_left_out(tmp_path: Path, count: int) -> None:
    pins = [f"Pin {number}: " + "keep these words as they are " * 15 for number in range(count)]
    text = render(pinned(tmp_path, *pins))
    assert [pin[:6] for pin in pins if " ".join(pin.split()) not in text] == []


def test_a_long_pin_is_whole(tmp_path: Path) -> None:
    pin = "Keep " + "these words " * 100 + "to the end."
    assert pin in render(pinned(tmp_path, pin))


# --- size ---


@pytest.fixture(scope="module", params=WORDS)
def crowd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A snapshot of a session with far more than fits, in words of this kind."""
    return snapshot_of(crowded(WORDS[request.param]), tmp_path_factory.mktemp("crowd"))


@pytest.mark.parametrize("budget", [500, 2_000, BUDGET])
def test_never_over_the_budget(crowd: Record, budget: int) -> None:
    assert units(render({**crowd, "used": {**crowd["used"], "budget": budget}, "id": "64c0ffee8334c598"})) <= budget


@pytest.mark.parametrize("length", [40, 150, 300, 590])
@pytest.mark.parametrize("budget", [500, 700, 1_000, 2_000])
def test_in_a_small_budget_a_rule_and_the_request_come_first(tmp_path: Path, budget: int, length: int) -> None:
    session = Session()
    for number in range(4):
        session.typed(("Never do " + f"what is {number} " * 70)[:length - 1] + ".")
    session.says("- [x] Read the code\n- [ ] Write it")
    session.ran("Bash", command="ls src")
    session.typed("Fix the rates " + "and mind the words " * 40)
    text = render({**snapshot_of(session, tmp_path, budget=budget), "id": "64c0ffee8334c598"})
    assert re.findall(r"(?m)^## (.*)$", text)[:2] == [RULES, ASKED]
    assert all(re.match(r'- "Never do what is .*[.…]" \(typed just before\)', line) for line in lines_of(text, RULES))
    assert lines_of(text, ASKED)[0].startswith('- The user\'s newest request (just before): "Fix the rates')
    assert units(text) <= budget


@pytest.mark.parametrize(("budget", "whole"), [(500, False), (4_000, False), (BUDGET, True)])
def test_a_pin_is_cut_rather_than_left_out(tmp_path: Path, budget: int, whole: bool) -> None:
    pin = "Keep " + "these words " * 150 + "to the end."
    snapshot = pinned(tmp_path, pin)
    text = render({**snapshot, "used": {**snapshot["used"], "budget": budget}})
    assert (f'"{pin}"' in text) == whole
    assert lines_of(text, PINS)[0].startswith('- "Keep these words')
    assert lines_of(text, PINS)[0].endswith('" (pinned just before)')
    assert ORDER in text


def test_a_crowded_session_keeps_its_most_important_sections(crowd: Record) -> None:
    text = render(crowd)
    assert lines_of(text, RULES)
    assert any("newest request" in line for line in lines_of(text, ASKED))
    assert any("not answered yet" in line for line in lines_of(text, ASKED))
    assert len(lines_of(text, STATE)) == 3
    assert lines_of(text, TASKS)
    assert lines_of(text, "Failing when the compaction came")


def test_the_first_2000_units_hold_what_matters_most(crowd: Record) -> None:
    text = render(crowd)
    end_of_state = text.index("## " + STATE) + len(text[text.index("## " + STATE):].partition("\n\n")[0])
    assert units(text[:end_of_state]) <= PREVIEW


@pytest.mark.parametrize("length", [200, 500, 590])
def test_a_rule_is_whole_and_within_the_first_2000_units(tmp_path: Path, length: int) -> None:
    rule = ("Never " + "do what is written here " * 40)[:length - 1].rstrip() + "."
    session = Session()
    session.typed(rule)
    session.typed("Fix the rates.")
    text = render(snapshot_of(session, tmp_path))
    assert rule in text
    assert units(text[:text.index(rule)] + rule) <= PREVIEW


def test_a_long_request_and_a_long_question_are_both_there(tmp_path: Path) -> None:
    session = Session()
    session.typed("Fix the rates " + "and mind the words " * 60)
    session.says("Now tell me: shall I " + "take this way or that one " * 18 + "?")
    lines = lines_of(render(snapshot_of(session, tmp_path)), ASKED)
    assert sorted(line[:20] for line in lines) == ["- Asked the user and", "- The user's newest "]


def test_a_long_request_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    session = Session()
    session.typed("BEGIN " + "words in the middle " * 60 + "END")
    [line] = lines_of(render(snapshot_of(session, tmp_path)), ASKED)
    assert "BEGIN" in line
    assert line.endswith('END"')
    assert "characters left out" in line


def test_the_same_snapshot_gives_the_same_text(tmp_path: Path) -> None:
    session = crowded("word ")
    assert render(snapshot_of(session, tmp_path)) == render(snapshot_of(session, tmp_path))


def test_an_early_rule_outlives_many_cycles(tmp_path: Path) -> None:
    session = Session()
    session.typed(BEFORE)
    for number in range(30):
        session.compacted()
        session.typed(f"Go on with step {number}.")
        session.ran("Bash", command=f"make step{number}")
    text = render(snapshot_of(session, tmp_path))
    assert BEFORE in lines_of(text, RULES)[0]
