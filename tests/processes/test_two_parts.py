"""What is put back in two parts, by the scripts as processes: both arrive, in their order, each once, whatever happens.

The second is printed by the hook's second command; where there is none, by the next event that can carry it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.parts import (
    ASK_ROOM,
    FURTHER_HEADERS,
    HARD_STOP,
    THRASH_UNITS,
)
from compact_keeper.store.note import NOTE_MAX_UTF16
from compact_keeper.store.rest import REST_MAX_UTF16
from deliveries import (
    Beginnings,
    Chat,
    append,
    change,
    events,
    grow,
    grown,
    nonce_of,
    prompt,
    silent,
    stage,
    start,
    transcript_in,
    typed,
)
from sessions import CWD, SESSION_ID, Home, JsonObject, Run, Session, hook_input, units

BUDGET, THREE_PARTS = 19_000, 28_500
SECOND_HEADER, THIRD_HEADER = FURTHER_HEADERS
CLIENT_CUTS_AT = 10_000
NOTE = 'The summary left out a rule: "Never push to main."'
AGENT = "a1cf359bcbf1fe5e8"
TOOL = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1"}
FAILED = {**TOOL, "error": "Exit code 2\nmake: *** No rule"}


def busy(chat: Session) -> Session:
    """The session after more work than two parts hold."""
    for number in range(90):
        chat.typed(f"Take over the prices of carrier {number}, the islands last. Never touch table {number}.")
        chat.ran("Edit", file_path=f"{CWD}/src/carrier_{number}.py", old_string=f"price = {number}",
                 new_string=f"price = {number} + surcharge_of_the_islands")
        chat.failed("Bash", f"Exit code 1\nE   AssertionError: {number} != 7", command=f"make check-{number}")
        chat.says(f"Carrier {number} is a cent short, I look at its rounding next.")
    return chat


@pytest.fixture
def tmp_path(beginnings: Beginnings) -> Path:
    """The same folder for all tests here, empty."""
    return beginnings.empty()


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return busy(Chat("2.1.330")).write(transcript_in(tmp_path))


@pytest.fixture
def begun(beginnings: Beginnings, tmp_path: Path, transcript: Path) -> Home:
    """A home with a large budget and a compaction that has begun."""
    def begin() -> None:
        home = Home(tmp_path / "home")
        configure(home, BUDGET)
        assert home.save(transcript).code == 0

    return beginnings.behind("begun", begin)


@pytest.fixture
def delivered(beginnings: Beginnings, begun: Home, transcript: Path) -> Home:
    """A home whose first part went out; the second waits."""
    def put_back() -> None:
        assert is_first(begun.restore(transcript).restored)

    return beginnings.behind("delivered", put_back)


def configure(home: Home, budget: int) -> None:
    home.path.mkdir(exist_ok=True)
    (home.path / "config.json").write_text(json.dumps({"budget": budget}), encoding="utf-8")


# --- the events, and what is given at them ---


def second(home: Home, transcript: object, **more: Any) -> Run:
    """The second command at a compaction's start."""
    data = hook_input("SessionStart", transcript, source="compact", **more)
    return home.run("restore_snapshot.py", data, "--rest")


def after_tool(home: Home, transcript: object, event: str = "PostToolUse", **more: Any) -> Run:
    """What record_event.py does after a tool call."""
    return home.record({**hook_input(event, transcript, **(FAILED if event.endswith("Failure") else TOOL)), **more})


def at_prompt(home: Home, transcript: object, **more: Any) -> Run:
    """What answer_prompt.py does at a prompt."""
    return typed(home, "Go on.", transcript, **more)


CARRIERS: dict[str, Callable[..., Run]] = {
    "SessionStart": second, "PostToolUse": after_tool, "UserPromptSubmit": at_prompt,
    "PostToolUseFailure": partial(after_tool, event="PostToolUseFailure")}
# Of each script one: how record_event.py carries it is the same for both of its events, which one test shows.
OF_EACH_SCRIPT = [name for name in CARRIERS if name != "PostToolUseFailure"]
LATER = [name for name in OF_EACH_SCRIPT if name != "SessionStart"]


def is_first(text: str) -> bool:
    """Whether that is a first part, within its limit, of a text in two."""
    is_full = HARD_STOP * 0.8 < units(text) <= HARD_STOP
    return is_full and text.startswith("compact-keeper: the record of this session") and SECOND_HEADER not in text


def is_second(text: str, home: Home) -> bool:
    """Whether that is the second part of what was delivered last, within its limit."""
    begin = f"{SECOND_HEADER} {nonce_of(home)}.\n\n## "
    return text.startswith(begin) and units(text) <= REST_MAX_UTF16 and text.count(SECOND_HEADER) == 1


def rests(home: Home) -> list[tuple[str, int]]:
    """Where second parts went out, and how long they were."""
    return [(event["on"], event["units"]) for event in events(home, "rest")]


def leave_note(home: Home, text: str = NOTE, **fields: object) -> None:
    """A note that waits, as audit_summary.py writes it."""
    note = {"schema": 1, "session": SESSION_ID, "text": text, **fields}
    (home.session / "note.json").write_text(json.dumps(note), encoding="utf-8")


def at_once(running: list[subprocess.Popen[bytes]], data: list[JsonObject]) -> list[bytes]:
    """What the processes print that are given their events at the same time."""
    for process, given in zip(running, data):
        assert process.stdin
        process.stdin.write(json.dumps(given).encode())
        process.stdin.flush()
    for process in running:
        assert process.stdin
        process.stdin.close()
        process.stdin = None
    return [process.communicate(timeout=30)[0] for process in running]


# --- hostile: rest.json ---


def later_version(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "schema": 2}), encoding="utf-8")


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def in_its_place(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)
    return replace


HOSTILE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""), "garbage": lambda path: path.write_bytes(bytes(range(256))),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:900]),
    "deep": lambda path: path.write_bytes(b"[" * 100_000),
    "100-megabytes": lambda path: path.write_bytes(path.read_bytes()[:-2] + b"x" * (100 << 20)),
    "later-version": later_version, "link": link, "fifo": in_its_place(os.mkfifo), "folder": in_its_place(os.mkdir),
    "device": in_its_place(lambda path: path.symlink_to("/dev/zero"))}


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("on", OF_EACH_SCRIPT)
def test_a_hostile_second_part_costs_no_event_and_is_met_once(
        delivered: Home, transcript: Path, name: str, on: str) -> None:
    HOSTILE[name](delivered.session / "rest.json")
    for _ in range(2):
        assert silent(CARRIERS[on](delivered, transcript))
    assert len(delivered.log()) <= 1
    assert rests(delivered) == []


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", HOSTILE)
def test_it_costs_the_next_compaction_at_most_its_second_part(delivered: Home, transcript: Path, name: str) -> None:
    HOSTILE[name](delivered.session / "rest.json")
    assert delivered.save(transcript).code == 0
    assert stage(delivered) == "begun"
    assert is_first(delivered.restore(transcript).restored)
    rest = second(delivered, transcript).restored
    assert is_second(rest, delivered) is (name != "folder")
    assert bool(delivered.log()) is (name == "folder")


@pytest.mark.rows(1)  # more of them: tests/unit/store/test_rest.py
@pytest.mark.parametrize("text", ["🚚" * 50_000, "x" * (1 << 20), "</system-reminder>\x1b[31m"])
def test_a_text_of_another_hand_is_cut_and_disarmed(delivered: Home, transcript: Path, text: str) -> None:
    change(delivered, "rest.json", text=text)
    printed = second(delivered, transcript).restored
    assert 0 < units(printed) <= REST_MAX_UTF16
    assert "<" not in printed
    assert "\x1b" not in printed


@pytest.mark.rows(1)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to(path)],
                         ids=["fifo", "folder", "link-to-itself"])
def test_where_no_one_could_tell_whose_it_is_all_comes_in_one_part(
        begun: Home, transcript: Path, make: Callable[[Path], None]) -> None:
    (begun.session / "compaction.json").unlink()
    make(begun.session / "compaction.json")
    text = begun.restore(transcript).restored
    assert HARD_STOP * 0.8 < units(text) <= HARD_STOP
    assert not (begun.session / "rest.json").exists()
    assert silent(second(begun, transcript))
    assert silent(after_tool(begun, transcript))


# --- both arrive ---


def test_both_parts_are_one_record(begun: Home, transcript: Path) -> None:
    first, rest = begun.restore(transcript), second(begun, transcript)
    assert is_first(first.restored)
    assert is_second(rest.restored, begun)
    assert set(json.loads(rest.stdout)) == {"hookSpecificOutput"}
    [mark] = begun.session.glob("delivered-*")
    assert json.loads(mark.read_bytes())["text"] == f"{first.restored}\n\n{rest.restored}"
    size = units(first.restored) + units(rest.restored)
    assert 0.9 * BUDGET < size <= BUDGET + ASK_ROOM
    assert f"({size:,} characters)" in json.loads(first.stdout)["systemMessage"]
    history = [json.loads(line) for line in (begun.session / "history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["units"] for line in history] == [event["units"] for event in events(begun, "restore")] == [size]
    assert rests(begun) == [("SessionStart", units(rest.restored))]
    shown = [line["line"] for line in history[0]["lines"]]
    assert [(line in first.restored) + (line in rest.restored) for line in shown] == [1] * len(shown)
    assert begun.log() == []


@pytest.mark.parametrize("on", CARRIERS)
def test_the_second_goes_out_once_with_the_event_that_comes_first(delivered: Home, transcript: Path, on: str) -> None:
    rest = CARRIERS[on](delivered, transcript)
    assert is_second(rest.restored, delivered)
    assert json.loads(rest.stdout)["hookSpecificOutput"]["hookEventName"] == on
    for later in CARRIERS.values():
        assert silent(later(delivered, transcript))
    assert rests(delivered) == [(on, units(rest.restored))]
    assert delivered.log() == []


def test_the_second_command_waits_for_the_first_ones_end(begun: Home, transcript: Path) -> None:
    data = hook_input("SessionStart", transcript, source="compact")
    for _ in range(2):
        waiting = begun.start("restore_snapshot.py", "--rest")
        assert waiting.stdin
        waiting.stdin.write(json.dumps(data).encode())
        waiting.stdin.close()
        waiting.stdin = None
        first = begun.restore(transcript)
        printed, complaints = waiting.communicate(timeout=30)
        rest = str(json.loads(printed)["hookSpecificOutput"]["additionalContext"])
        assert is_first(first.restored)
        assert is_second(rest, begun)
        assert complaints == b""
        append(transcript, grown("2.1.330", "boundary kept answer", nonce_of(begun)))
        change(begun, "compaction.json", before=[])  # the third in a row would be cut short
        begun.save(transcript)


@pytest.mark.parametrize("on", LATER)
@pytest.mark.parametrize("length", [60, NOTE_MAX_UTF16])
def test_it_and_a_note_go_out_in_two_events(delivered: Home, transcript: Path, on: str, length: int) -> None:
    leave_note(delivered, NOTE.ljust(length, "."))
    texts = [CARRIERS[on](delivered, transcript).restored for _ in range(2)]
    rest, note = texts if on.startswith("PostToolUse") else texts[::-1]  # at a prompt the note tells of that prompt
    assert is_second(rest, delivered)
    assert note == NOTE.ljust(length, ".")
    assert max(map(units, texts)) < CLIENT_CUTS_AT
    assert rests(delivered) == [(on, units(rest))]
    assert [event["on"] for event in events(delivered, "note")] == [on]
    assert silent(CARRIERS[on](delivered, transcript))


def test_a_note_that_cannot_be_read_costs_no_second_part(delivered: Home, transcript: Path) -> None:
    os.mkfifo(delivered.session / "note.json")
    assert is_second(after_tool(delivered, transcript).restored, delivered)
    assert silent(after_tool(delivered, transcript))


@pytest.mark.parametrize("on", OF_EACH_SCRIPT)
def test_a_subagent_is_not_given_it(delivered: Home, transcript: Path, on: str) -> None:
    assert silent(CARRIERS[on](delivered, transcript, agent_id=AGENT, agent_type="Explore"))
    assert is_second(CARRIERS[on](delivered, transcript).restored, delivered)


def test_our_own_commands_and_other_events_do_not_carry_it(delivered: Home, transcript: Path) -> None:
    assert SECOND_HEADER not in typed(delivered, "/compact-keeper:pins", transcript).stdout
    assert silent(typed(delivered, "/compact-keeper:recall rates", transcript))
    for name in ("SubagentStart", "SubagentStop", "Stop", "SessionEnd"):
        assert silent(delivered.record(hook_input(name, transcript, agent_type="Explore")))
    assert silent(start(delivered, transcript, "resume"))
    assert is_second(after_tool(delivered, transcript).restored, delivered)


@pytest.mark.parametrize("on", OF_EACH_SCRIPT)
def test_switched_off_it_stays(delivered: Home, transcript: Path, on: str) -> None:
    data = hook_input(on, transcript, source="compact", **TOOL)
    script = {"SessionStart": "restore_snapshot.py", "UserPromptSubmit": "answer_prompt.py"}.get(on, "record_event.py")
    words = ["--rest"] if on == "SessionStart" else []
    assert silent(delivered.run(script, data, *words, extra={"COMPACT_KEEPER_OFF": "1"}))
    assert (delivered.session / "rest.json").exists()


@pytest.mark.parametrize("on", LATER)
def test_the_third_part_goes_out_behind_the_second_once(begun: Home, transcript: Path, on: str) -> None:
    configure(begun, THREE_PARTS)
    begun.save(transcript)
    first = begun.restore(transcript).restored
    rest = second(begun, transcript).restored
    third = CARRIERS[on](begun, transcript).restored
    assert is_first(first)
    assert is_second(rest, begun)
    assert third.startswith(f"{THIRD_HEADER} {nonce_of(begun)}.\n\n## ")
    assert 0.9 * THREE_PARTS < sum(map(units, (first, rest, third))) <= THREE_PARTS + ASK_ROOM
    assert units(third) <= REST_MAX_UTF16
    for later in CARRIERS.values():
        assert silent(later(begun, transcript))
    assert rests(begun) == [("SessionStart", units(rest)), (on, units(third))]
    assert begun.log() == []


# --- several at once ---


def test_of_all_that_come_at_once_one_has_it(begun: Home, transcript: Path) -> None:
    at_start = hook_input("SessionStart", transcript, source="compact")
    for _ in range(2):
        first = begun.restore(transcript).restored
        running = [begun.start("restore_snapshot.py", "--rest"), begun.start("restore_snapshot.py", "--rest"),
                   begun.start("record_event.py"), begun.start("record_event.py")]
        data = [at_start, at_start, *[hook_input("PostToolUse", transcript, **TOOL)] * 2]
        printed = [out for out in at_once(running, data) if out]
        assert len(printed) == 1
        assert is_second(str(json.loads(printed[0])["hookSpecificOutput"]["additionalContext"]), begun)
        assert is_first(first)
        change(begun, "compaction.json", before=[])
        begun.save(transcript)
    assert begun.log() == []
    assert len(rests(begun)) == 2


def test_two_installations_give_each_part_once(begun: Home, transcript: Path) -> None:
    configure(begun, THREE_PARTS)
    begun.save(transcript)
    data = hook_input("SessionStart", transcript, source="compact")
    running = [begun.start("restore_snapshot.py", *words) for words in ([], ["--rest"], ["--third"])
               for _ in range(2)]
    texts = [str(json.loads(out)["hookSpecificOutput"]["additionalContext"])
             for out in at_once(running, [data] * 6) if out]
    assert sorted(map(is_first, texts)) == [False, False, True]
    assert sorted(is_second(text, begun) for text in texts) == [False, False, True]
    assert sorted(text.startswith(f"{THIRD_HEADER} {nonce_of(begun)}.") for text in texts) == [False, False, True]
    assert begun.log() == []


def test_the_start_twice_gives_no_part_twice(delivered: Home, transcript: Path) -> None:
    assert silent(delivered.restore(transcript))
    assert is_second(second(delivered, transcript).restored, delivered)
    assert silent(delivered.restore(transcript))
    assert silent(second(delivered, transcript))


# --- a process dies on the way ---


def test_killed_before_the_first_part_is_printed(begun: Home, transcript: Path) -> None:
    """The client has gone when it prints: the second part is left by then, and goes out behind the first alone."""
    with begun.start("restore_snapshot.py") as process:
        assert process.stdout
        assert process.stdin
        process.stdout.close()
        process.stdin.write(json.dumps(hook_input("SessionStart", transcript, source="compact")).encode())
        process.stdin.close()
        assert process.wait(30) == 0
    assert (begun.session / "rest.json").exists()
    assert stage(begun) == "begun"
    assert silent(second(begun, transcript))
    assert silent(after_tool(begun, transcript))
    append(transcript, grown("2.1.330", "boundary answer", ""))
    assert is_first(at_prompt(begun, transcript).restored)
    assert is_second(after_tool(begun, transcript).restored, begun)
    assert silent(after_tool(begun, transcript))
    assert silent(at_prompt(begun, transcript))
    assert [len(events(begun, name)) for name in ("restore", "repair", "rest")] == [0, 1, 1]


def test_killed_when_the_first_part_is_printed_and_not_noted(delivered: Home, transcript: Path) -> None:
    change(delivered, "compaction.json", stage="begun")
    assert silent(after_tool(delivered, transcript))
    grow(delivered, transcript, "2.1.330", "boundary kept answer")
    assert is_second(at_prompt(delivered, transcript).restored, delivered)
    assert stage(delivered) == "verified"
    assert silent(after_tool(delivered, transcript))


# --- stale ---


def test_after_the_next_ones_begin_it_goes_out_never(delivered: Home, transcript: Path) -> None:
    kept = (delivered.session / "rest.json").read_bytes()
    delivered.save(transcript)
    assert not (delivered.session / "rest.json").exists()
    (delivered.session / "rest.json").write_bytes(kept)  # a save that was killed there
    configure(delivered, 4_000)
    delivered.save(transcript)
    (delivered.session / "rest.json").write_bytes(kept)
    assert units(delivered.restore(transcript).restored) <= 4_500  # the budget of now, in one part
    assert not (delivered.session / "rest.json").exists()
    for on in OF_EACH_SCRIPT:
        (delivered.session / "rest.json").write_bytes(kept)
        assert silent(CARRIERS[on](delivered, transcript)), on
    assert delivered.log() == []


def test_a_subagents_compaction_and_the_end_of_a_turn_leave_it(delivered: Home, transcript: Path) -> None:
    delivered.run("save_snapshot.py", hook_input("PreCompact", transcript, trigger="auto", agent_id=AGENT))
    delivered.save(transcript, "Stop")
    assert is_second(after_tool(delivered, transcript).restored, delivered)


def test_a_larger_budget_at_the_next_compaction(begun: Home, transcript: Path) -> None:
    configure(begun, 4_000)
    begun.save(transcript)
    assert units(begun.restore(transcript).restored) <= 4_500
    assert silent(second(begun, transcript))
    configure(begun, BUDGET)
    begun.save(transcript)
    assert is_first(begun.restore(transcript).restored)
    assert is_second(second(begun, transcript).restored, begun)


# --- resumed, lost ---


@pytest.mark.parametrize(("client", "is_lost"), [
    (("2.1.330", "boundary kept answer"), False), (("2.1.150", "boundary kept"), False),
    (("2.1.105", "boundary kept"), True), (("2.1.330", "boundary answer"), True), (("2.1.76", "boundary"), True)])
def test_another_process_goes_on_before_it_was_taken(
        delivered: Home, transcript: Path, client: tuple[str, str], is_lost: bool) -> None:
    grow(delivered, transcript, *client)
    assert silent(start(delivered, transcript, "resume"))
    leave_note(delivered)
    texts = [at_prompt(delivered, transcript).restored]
    texts += [after_tool(delivered, transcript).restored for _ in range(1 + is_lost)]
    if is_lost:  # the first part again; what has no room beside it comes next
        assert is_first(texts[0])
        assert is_second(texts[1], delivered)
        assert texts[2] == NOTE
    else:
        assert texts[0] == NOTE
        assert is_second(texts[1], delivered)
    assert silent(after_tool(delivered, transcript))
    assert silent(at_prompt(delivered, transcript))
    assert len(rests(delivered)) == 1


def test_both_are_put_back_again_when_both_were_lost(delivered: Home, transcript: Path) -> None:
    assert is_second(second(delivered, transcript).restored, delivered)
    grow(delivered, transcript, "2.1.330", "boundary answer")
    first = at_prompt(delivered, transcript).restored
    rest = at_prompt(delivered, transcript).restored
    assert is_first(first)
    assert is_second(rest, delivered)
    assert [event["units"] for event in events(delivered, "repair")] == [units(first) + units(rest)]
    assert silent(at_prompt(delivered, transcript))


def test_what_is_put_back_again_when_the_next_has_begun_is_one_part(delivered: Home, transcript: Path) -> None:
    """Its second part would be an earlier compaction's."""
    nonce = nonce_of(delivered)
    grow(delivered, transcript, "2.1.330", "boundary answer")
    delivered.save(transcript)
    text = prompt(delivered, transcript).restored
    assert nonce in text
    assert HARD_STOP * 0.8 < units(text) <= HARD_STOP
    assert not (delivered.session / "rest.json").exists()
    assert silent(after_tool(delivered, transcript))


# --- one part alone ---


def test_a_session_with_little_to_tell_comes_in_one_part(tmp_path: Path) -> None:
    home, chat = Home(tmp_path / "home"), Chat("2.1.330")
    configure(home, BUDGET)
    chat.typed("Never touch the legacy table. Fix the rates.")
    transcript = chat.write(transcript_in(tmp_path))
    home.save(transcript)
    assert "legacy table" in home.restore(transcript).restored
    assert not (home.session / "rest.json").exists()
    assert [silent(carry(home, transcript)) for carry in CARRIERS.values()] == [True] * len(CARRIERS)


def test_the_third_compaction_in_a_row_has_one_part(delivered: Home, transcript: Path) -> None:
    assert (delivered.session / "rest.json").exists()
    for number in (2, 3):
        more = Chat("2.1.330", 1_000 * number)
        more.says("On I go.")
        append(transcript, more.as_bytes())
        delivered.save(transcript)
        text = delivered.restore(transcript).restored
        assert (units(text) <= THRASH_UNITS) is (number == 3)
        assert (delivered.session / "rest.json").exists() is (number < 3)


def test_a_subagents_block_has_one_part(begun: Home, transcript: Path) -> None:
    folder = transcript.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    chat = Chat("2.1.330")
    chat.typed("Count the carriers, " + "table by table, " * 2_000 + "and report.")
    chat.records[-1].update(isSidechain=True, agentId=AGENT)
    chat.write(folder / f"agent-{AGENT}.jsonl")
    data = {**hook_input("SessionStart", transcript, source="compact"), "agent_id": AGENT, "agent_type": "Explore"}
    text = begun.run("restore_snapshot.py", data).restored
    assert "Count the carriers" in text
    assert 2_000 < units(text) <= HARD_STOP
    assert not (begun.session / "rest.json").exists()
    assert silent(begun.run("restore_snapshot.py", data, "--rest"))


@pytest.mark.parametrize("ending", ["kept back", "nothing known"])
def test_where_nothing_was_put_back_the_second_command_says_nothing(
        begun: Home, transcript: Path, ending: str) -> None:
    if ending == "kept back":
        change(begun, "snapshot.json", created=0.0)
        transcript.unlink()
    else:
        begun.save(transcript, "Stop")  # nothing is new to a later save
        change(begun, "snapshot.json", items=[])
    assert begun.restore(transcript).restored == ""
    assert stage(begun) == ending
    assert silent(second(begun, transcript))


# --- what is shown of it ---


def test_by_hand_all_of_it_is_shown(begun: Home, transcript: Path) -> None:
    snapshot = begun.run("save_snapshot.py", b"", "--dry-run", str(transcript)).stdout
    text = begun.run("restore_snapshot.py", snapshot.encode(), "--show").stdout
    why = begun.run("restore_snapshot.py", snapshot.encode(), "--show", "--why").stdout
    reasons = why.partition("Put back, lines under each heading:\n")[2]
    first, _, rest = text.partition(f"\n\n{SECOND_HEADER}")
    assert HARD_STOP * 0.8 < units(first) <= HARD_STOP
    assert REST_MAX_UTF16 * 0.8 < units(rest.rstrip("\n")) <= REST_MAX_UTF16
    counts = [int(row.split()[0]) for row in reasons.partition("\n\n")[0].splitlines()]
    assert sum(counts) == text.count("\n- ") > 50
    now = begun.run("restore_snapshot.py", b"", "--now", SESSION_ID).stdout
    assert now.count(SECOND_HEADER) == 1
    assert BUDGET * 0.9 < units(now) <= BUDGET + ASK_ROOM
    assert not (begun.session / "rest.json").exists()


def test_the_note_leaves_out_what_stands_in_either_part(begun: Home, transcript: Path) -> None:
    texts = [begun.restore(transcript).restored, begun.stored("rest.json")["text"]]
    words = [text.splitlines()[-1][2:60] for text in texts]
    findings = [{"line": f"- dropped: {name}.", "record": name} for name in (*words, "port 3334")]
    text = "\n".join(["Compared:", *(str(finding["line"]) for finding in findings)])
    leave_note(begun, text, id=begun.stored("compaction.json")["id"], findings=findings)
    after_tool(begun, transcript)
    note = after_tool(begun, transcript).restored
    assert note == "Compared:\n- dropped: port 3334."
