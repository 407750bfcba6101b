"""That what was put back arrives: receipt and repair at the next prompt, resume, thrashing, two hooks of one event."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ageing import elapse
from compact_keeper.recap.parts import THRASH_UNITS
from deliveries import (
    ORDER,
    OTHER,
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
    together,
    typed,
)
from hostile import LINES
from sessions import SCRIPTS, SESSION_ID, Home, JsonObject, Session, hook_input, units


@pytest.fixture
def tmp_path(beginnings: Beginnings) -> Path:
    """The same folder for all tests here, empty."""
    return beginnings.empty()


@pytest.fixture
def delivered(beginnings: Beginnings, begun: Home, transcript: Path) -> Home:
    """A home whose text was put back."""
    def put_back() -> None:
        assert ORDER in begun.restore(transcript).restored

    return beginnings.behind("delivered", put_back)


# --- hostile: what is noted behind the text cannot be ---


@pytest.mark.parametrize("name", ["events.jsonl", "history.jsonl", "both"])
def test_a_fault_behind_the_text_costs_neither_it_nor_what_comes_next(
        begun: Home, transcript: Path, name: str) -> None:
    for place in (begun.path / "events.jsonl", begun.session / "history.jsonl"):
        if name in (place.name, "both"):
            place.unlink(missing_ok=True)
            place.mkdir()
    answer = json.loads(begun.restore(transcript).stdout)  # one answer: two would be no JSON
    assert ORDER in answer["hookSpecificOutput"]["additionalContext"]
    assert stage(begun) == "delivered"
    assert [line for line in begun.log() if "behind the text" in line]


# --- hostile: compaction.json ---


@pytest.mark.rows(1)
@pytest.mark.parametrize("content", [
    b"{", b"\xff\xfe", b"[" * 100_000, b'{"schema": 2}', b'{"schema": 1, "stage": "delivered"}',
    b'{"schema": 1, "stage": "begun"}', b'{"schema": 1, "stage": "delivered", "id": "5e5510115e551011"}',
    b"x" * (9 << 20)], ids=lambda content: content[:50].decode("ascii", "replace"))
def test_a_broken_compaction_costs_nothing(delivered: Home, transcript: Path, content: bytes) -> None:
    grow(delivered, transcript, "2.1.329", "boundary answer")
    (delivered.session / "compaction.json").write_bytes(content)
    assert silent(prompt(delivered, transcript))
    assert len(delivered.log()) <= 1
    assert silent(start(delivered, transcript, "resume"))
    assert silent(prompt(delivered, transcript))
    assert len(delivered.log()) <= 3


def later_version(path: Path) -> None:
    path.write_text('{"schema": 2, "stage": "begun"}', encoding="utf-8")


@pytest.mark.rows(1)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, later_version, lambda path: path.symlink_to(path),
                                  lambda path: path.symlink_to(path.with_name("elsewhere"))],
                         ids=["fifo", "folder", "later-version", "link-to-itself", "link"])
def test_an_unreadable_compaction_costs_the_receipt_and_not_the_delivery(
        begun: Home, transcript: Path, make: Callable[[Path], None]) -> None:
    path = begun.session / "compaction.json"
    path.rename(path.with_name("elsewhere"))
    make(path)
    before, files = path.lstat(), begun.files()
    assert silent(prompt(begun, transcript))
    assert begun.files() == files
    assert len(begun.log()) == 1
    done = begun.restore(transcript)
    assert (done.code, done.stderr) == (0, "")
    assert ORDER in done.restored
    assert len(begun.log()) == 2
    assert (path.lstat().st_ino, path.lstat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert silent(begun.restore(transcript))


FIELDS = ("id", "offset", "time", "trigger", "project", "before", "resumed", "stage")
VALUES: list[Any] = [None, -1, [[]], True, 1.5, "", "many", 10 ** 30, 1e999, {}]
# All of them at once; and what has the right type and is odd for the field alone.
ODD: list[JsonObject] = [
    *(dict.fromkeys(FIELDS, value) for value in VALUES),
    {"id": ""}, {"id": "many"}, {"offset": -1}, {"offset": 10 ** 30}, {"time": 1e999}, {"stage": "many"},
    {"resumed": True}, {"before": [[]]}, {"before": [10 ** 30, "a", True]}, {"before": [10 ** 30, -10 ** 30]}]


@pytest.mark.rows(1)
@pytest.mark.parametrize("fields", ODD, ids=lambda fields: f"{len(fields)}-{next(iter(fields.values()))!r}"[:40])
def test_odd_values_in_a_compaction_do_not_cost_the_delivery(begun: Home, transcript: Path, fields: JsonObject) -> None:
    expected = begun.run("restore_snapshot.py", b"", "--now", SESSION_ID).stdout
    change(begun, "compaction.json", **fields)
    text = begun.restore(transcript).restored
    assert text.splitlines()[1:] == expected.splitlines()[1:]
    assert re.search(r"\(block [0-9a-f]{8}\)", text)
    assert (stage(begun), begun.log()) == ("delivered", [])
    grow(begun, transcript, "2.1.329", "boundary kept answer")
    assert silent(prompt(begun, transcript))
    assert (stage(begun), begun.log()) == ("verified", [])


@pytest.mark.rows(1)
@pytest.mark.parametrize("fields", [
    *(dict.fromkeys(FIELDS, value) for value in VALUES[:3]), {"id": ""}, {"offset": -1}, {"before": [[]]},
    {"earlier": None}, {"earlier": {"id": 7, "offset": 0}}, {"earlier": {"id": "x"}}, {"earlier": {"offset": -1}}],
    ids=lambda fields: f"{len(fields)}-{next(iter(fields.items()))!r}"[:40])
def test_a_compaction_of_another_shape_costs_no_event(begun: Home, transcript: Path, fields: JsonObject) -> None:
    grow(begun, transcript, "2.1.329", "boundary kept answer")
    odd = {**begun.stored("compaction.json"), "stage": "delivered", **fields}
    for number, source in enumerate(("prompt", "resume", "startup", "compact"), 1):
        change(begun, "compaction.json", **odd)
        done = prompt(begun, transcript) if source == "prompt" else start(begun, transcript, source)
        assert (done.code, done.stderr) == (0, "")
        assert len(begun.log()) <= number
        assert not done.stdout or source == "compact"


@pytest.mark.rows(1)
@pytest.mark.parametrize("id_", ["../../x", "a/b", "x" * 300, "a\0b", "é" * 99])
def test_an_id_that_is_no_name_of_a_file_writes_nowhere_else(
        delivered: Home, transcript: Path, tmp_path: Path, id_: str) -> None:
    grow(delivered, transcript, "2.1.329", "boundary answer")
    change(delivered, "compaction.json", id=id_)
    outside = {path for path in tmp_path.rglob("*") if delivered.session not in path.parents}
    done = prompt(delivered, transcript)
    assert (done.code, done.stderr) == (0, "")
    assert {path for path in tmp_path.rglob("*") if delivered.session not in path.parents} - outside <= {
        delivered.path / "hook.log"}


def test_silent_without_a_compaction(tmp_path: Path, transcript: Path) -> None:
    home = Home(tmp_path / "home")
    transcript.write_bytes(grown("2.1.329", "boundary answer", ""))
    assert silent(prompt(home, transcript))
    typed(home, ORDER, transcript)
    before = home.files()
    assert silent(prompt(home, transcript))
    assert silent(start(home, transcript, "resume"))
    assert home.files() == before
    assert home.log() == []


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", ["200000-lines", "50-megabytes"])
def test_what_lies_far_behind_the_boundary_is_taken_for_lost(delivered: Home, transcript: Path, name: str) -> None:
    grow(delivered, transcript, "2.1.105", "boundary")
    append(transcript, LINES[name]())
    grow(delivered, transcript, "2.1.105", "kept answer")
    done = prompt(delivered, transcript)
    assert (done.code, done.stderr, delivered.log()) == (0, "", [])
    assert stage(delivered) == "repaired"


@pytest.mark.parametrize("make", [lambda _: None, os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")],
                         ids=["missing", "fifo", "folder", "device"])
def test_a_transcript_that_is_none_decides_nothing(
        delivered: Home, transcript: Path, make: Callable[[Path], None]) -> None:
    transcript.unlink()
    make(transcript)
    assert silent(prompt(delivered, transcript))
    assert stage(delivered) == "delivered"


# --- what becomes of the delivery at the next prompt ---


@pytest.mark.rows(4)  # each client's receipt: tests/unit/client/test_receipt.py
@pytest.mark.parametrize(("client", "is_resumed", "expected"), [
    (("2.1.76", "boundary answer"), False, "unseen"),
    (("2.1.76", "boundary"), True, "repaired"),
    (("2.1.105", "boundary kept"), True, "repaired"),
    (("2.1.150", "boundary kept"), True, "verified"),
    (("2.1.329", "boundary kept blob answer"), False, "verified"),
    (("2.1.329", "boundary blob answer"), False, "repaired"),
    (("2.1.329", "prompt answer"), False, "delivered"),
])
def test_the_next_prompt_settles_the_delivery(
        delivered: Home, transcript: Path, client: tuple[str, str], is_resumed: bool, expected: str) -> None:
    grow(delivered, transcript, *client)
    if is_resumed:
        assert silent(start(delivered, transcript, "resume"))
    done = prompt(delivered, transcript)
    assert (done.code, done.stderr, stage(delivered)) == (0, "", expected)
    assert (ORDER in done.restored) == bool(done.stdout) == (expected == "repaired")
    assert [event["verified"] for event in events(delivered, "receipt")] == {
        "verified": [True], "unseen": [False]}.get(expected, [])
    assert [event["units"] for event in events(delivered, "repair")] == [units(done.restored)] * (
        expected == "repaired")
    assert silent(prompt(delivered, transcript))  # settled: never a second time
    assert stage(delivered) == expected
    assert delivered.log() == []
    assert len(events(delivered, "receipt") + events(delivered, "repair")) == (expected != "delivered")


def test_what_is_put_back_again(delivered: Home, transcript: Path) -> None:
    [mark] = delivered.session.glob("delivered-*")
    first = json.loads(mark.read_bytes())["text"]
    grow(delivered, transcript, "2.1.150", "boundary answer")
    done = prompt(delivered, transcript)
    answer = json.loads(done.stdout)
    assert set(answer) == {"hookSpecificOutput", "systemMessage"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "put back again" in answer["systemMessage"]
    heads = [text.splitlines()[0] for text in (done.restored, first)]
    assert len({re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", head) for head in heads}) == 1
    assert ORDER in done.restored
    assert nonce_of(delivered) in first.splitlines()[0]


def test_the_nonce_stays_when_a_stop_has_saved_since(delivered: Home, transcript: Path) -> None:
    nonce = nonce_of(delivered)
    grow(delivered, transcript, "2.1.150", "boundary")
    more = Chat("2.1.150", 900)
    more.typed("Always sort the rates.")
    append(transcript, more.as_bytes())
    delivered.save(transcript, "Stop")
    done = prompt(delivered, transcript)
    assert nonce in done.restored.splitlines()[0]
    assert "Always sort the rates." in done.restored
    assert silent(prompt(delivered, transcript))


@pytest.mark.parametrize(("version", "parts"), [("2.1.76", "boundary"), ("2.1.329", "boundary blob")])
def test_never_asked_for_and_so_given_at_the_prompt(begun: Home, transcript: Path, version: str, parts: str) -> None:
    grow(begun, transcript, version, parts)
    done = prompt(begun, transcript)
    assert ORDER in done.restored
    assert nonce_of(begun) in done.restored
    assert stage(begun) == "repaired"
    assert len(events(begun, "repair")) == 1
    assert silent(prompt(begun, transcript))


def test_pins_alone_are_put_back_again(begun: Home, transcript: Path) -> None:
    grow(begun, transcript, "2.1.329", "boundary")
    begun.save(transcript, "Stop")  # nothing is new to a later save
    change(begun, "snapshot.json", items=[])
    (begun.session / "pins.jsonl").write_text('{"schema": 1, "text": "Port 3334.", "time": ""}\n', encoding="utf-8")
    assert "Port 3334." in prompt(begun, transcript).restored
    assert stage(begun) == "repaired"


@pytest.mark.parametrize("parts", ["answer prompt blob printed", "named answer"])
def test_begun_and_not_compacted_gives_nothing_at_the_prompt(begun: Home, transcript: Path, parts: str) -> None:
    grow(begun, transcript, "2.1.330", parts)
    before = begun.files()
    assert silent(prompt(begun, transcript))
    assert begun.files() == before


def test_printed_but_not_noted_counts_as_delivered(begun: Home, transcript: Path) -> None:
    grow(begun, transcript, "2.1.150", "boundary kept")
    assert silent(prompt(begun, transcript))
    assert stage(begun) == "verified"


@pytest.mark.parametrize("fields", [{"agent_id": "a1cf359bcbf1fe5e8"}, {"agent_id": "x"},
                                    {"prompt": "/compact-keeper:show"}], ids=repr)
def test_nothing_at_a_subagents_prompt_nor_at_a_command_of_ours(
        delivered: Home, transcript: Path, fields: JsonObject) -> None:
    grow(delivered, transcript, "2.1.329", "boundary answer")
    before = delivered.files()
    data = {**hook_input("UserPromptSubmit", transcript, prompt="Go on."), **fields}
    assert silent(delivered.run("restore_snapshot.py", data))
    assert delivered.files() == before


def test_off_switches_the_receipt_off_too(delivered: Home, transcript: Path) -> None:
    grow(delivered, transcript, "2.1.329", "boundary answer")
    data = hook_input("UserPromptSubmit", transcript)
    assert silent(delivered.run("restore_snapshot.py", data, extra={"COMPACT_KEEPER_OFF": "1"}))
    assert ORDER in prompt(delivered, transcript).restored


WATCHED = """import runpy, sys
watched = {"open": "opened", "os.posix_spawn": "started"}
sys.addaudithook(lambda event, given: event in watched and print(watched[event], *given[:2], file=sys.stderr))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")"""


def watched(home: Home, script: str, data: Any) -> str:
    """Which files the hook opens and what it starts."""
    return subprocess.run(
        [sys.executable, "-IS", "-c", WATCHED, str(SCRIPTS / "run_hook.py"), script], capture_output=True, check=True,
        input=json.dumps(data).encode(), env=home.environment()).stderr.decode()


@pytest.mark.parametrize(("settled", "is_waiting"), [
    ("verified", False), ("repaired", False), ("unseen", False), ("brought in", False), ("delivered", True),
    ("begun", True)])
def test_nothing_of_the_transcript_is_read_when_all_is_settled(
        delivered: Home, transcript: Path, settled: str, is_waiting: bool) -> None:
    change(delivered, "compaction.json", stage=settled)
    data = hook_input("UserPromptSubmit", transcript, prompt="Go on.")
    opened = watched(delivered, "restore_snapshot.py", data)
    assert f"opened {delivered.session / 'compaction.json'}" in opened
    assert (f"opened {transcript}" in opened) == is_waiting
    assert f"opened {delivered.session / 'snapshot.json'}" not in opened
    started = watched(delivered, "answer_prompt.py", data)
    assert ("restore_snapshot.py" in started) == is_waiting
    assert f"opened {transcript}" not in started


# --- by answer_prompt.py, as hooks.json has it ---


@pytest.mark.parametrize(("parts", "event"), [("boundary kept", "receipt"), ("boundary", "repair")])
def test_a_day_after_the_compaction_the_prompt_brings_all(
        delivered: Home, transcript: Path, tmp_path: Path, parts: str, event: str) -> None:
    grow(delivered, transcript, "2.1.330", parts)
    line = {"schema": 1, "event": "tool", "tool": "Bash", "time": "2999-01-01T00:00:00.000Z", "command": "pytest",
        "ok": False,
            "exit": 1, "error": "1 failed"}
    (delivered.session / "ledger.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    untrue = "- All tests pass."
    delivered.run("audit_summary.py", hook_input("PostCompact", transcript, compact_summary=untrue))
    elapse(tmp_path, 86_400)
    drawn = delivered.run("status_line.py", hook_input("", transcript)).stdout
    assert re.search(r"saved \d{1,2} \w{3} \d\d:\d\d · ", drawn)
    assert "the model will be told" in drawn
    done = typed(delivered, "Go on.", transcript)
    assert (ORDER in done.restored, "All tests pass" in done.restored) == (event == "repair", True)
    assert ("put back again" in done.stdout) == (event == "repair")
    assert len(events(delivered, event)) == 1
    assert silent(typed(delivered, "Go on.", transcript))
    assert delivered.log() == []


def test_what_was_typed_just_now_is_in_what_goes_out_again(delivered: Home, transcript: Path) -> None:
    grow(delivered, transcript, "2.1.330", "boundary")
    assert "Always sort the carriers." in typed(delivered, "Always sort the carriers.", transcript).restored


# --- the next compaction is prepared before the delivery is verified ---


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize(("parts", "event"), [("boundary kept answer", "receipt"), ("boundary answer", "repair")])
def test_a_delivery_is_followed_though_the_next_compaction_has_begun(
        delivered: Home, transcript: Path, parts: str, event: str, is_late: bool) -> None:
    """Also where the boundary comes into the file behind the next one's begin."""
    nonce = nonce_of(delivered)
    if is_late:
        delivered.save(transcript)
    append(transcript, grown("2.1.330", parts, f"(block {nonce})"))
    if not is_late:
        delivered.save(transcript)
    done = prompt(delivered, transcript)
    assert (nonce in done.restored) == (event == "repair")
    assert len(events(delivered, event)) == 1
    assert stage(delivered) == "begun"
    assert silent(prompt(delivered, transcript))
    assert ORDER in delivered.restore(transcript).restored
    assert delivered.restore(transcript).stdout == ""
    assert delivered.log() == []


def test_a_second_compaction_that_was_given_nothing_is_found_behind_the_first(
        delivered: Home, transcript: Path) -> None:
    append(transcript, grown("2.1.330", "boundary kept answer", f"(block {nonce_of(delivered)})"))
    delivered.save(transcript)
    again = Chat("2.1.330", 700)
    again.compacted()
    again.says("On I go.")
    append(transcript, again.as_bytes())
    assert ORDER in prompt(delivered, transcript).restored
    assert stage(delivered) == "repaired"
    assert [len(events(delivered, name)) for name in ("receipt", "repair")] == [1, 1]
    assert silent(prompt(delivered, transcript))


def test_the_first_ones_audit_is_its_own(delivered: Home, transcript: Path) -> None:
    first = delivered.stored("compaction.json")["id"]
    delivered.save(transcript)
    for number in (first, delivered.stored("compaction.json")["id"]):
        delivered.run("audit_summary.py", hook_input("PostCompact", transcript, compact_summary="All done."))
        assert [path.name for path in delivered.session.glob("audited-*")] == [f"audited-{number}"]
        delivered.restore(transcript)
    assert len(events(delivered, "audit")) == 2


def test_a_transcript_that_is_another_sessions_now_bothers_nobody(delivered: Home, transcript: Path) -> None:
    grow(delivered, transcript, "2.1.330", "boundary")
    raw = transcript.read_bytes().replace(SESSION_ID.encode(), OTHER.encode())
    transcript.write_bytes(raw + raw)
    assert silent(prompt(delivered, transcript))
    assert stage(delivered) == "unseen"
    assert events(delivered, "kept back") == []


def test_a_resume_behind_the_next_ones_begin_counts_for_the_delivery(delivered: Home, transcript: Path) -> None:
    grow(delivered, transcript, "2.1.105", "boundary kept")
    delivered.save(transcript)
    start(delivered, transcript, "resume")
    assert ORDER in prompt(delivered, transcript).restored
    assert [len(events(delivered, name)) for name in ("receipt", "repair")] == [0, 1]


# --- resume ---


@pytest.mark.rows(7)
@pytest.mark.parametrize(("before", "after", "is_resumed"), [
    ("delivered", "delivered", True), ("unseen", "delivered", True), ("begun", "begun", None),
    ("verified", "verified", None), ("repaired", "repaired", None), ("brought in", "brought in", None),
    ("a subagent's", "a subagent's", None)])
def test_a_resume_is_noted_where_it_matters(
        delivered: Home, transcript: Path, before: str, after: str, is_resumed: bool | None) -> None:
    change(delivered, "compaction.json", stage=before)
    assert silent(start(delivered, transcript, "resume"))
    assert (stage(delivered), delivered.stored("compaction.json").get("resumed")) == (after, is_resumed)


def test_unseen_then_resumed_is_put_back(delivered: Home, transcript: Path) -> None:
    grow(delivered, transcript, "2.1.76", "boundary answer")
    assert silent(prompt(delivered, transcript))
    assert stage(delivered) == "unseen"
    assert silent(start(delivered, transcript, "resume"))
    assert ORDER in prompt(delivered, transcript).restored
    assert silent(start(delivered, transcript, "resume"))
    assert silent(prompt(delivered, transcript))


def test_the_next_compaction_forgets_the_resume(delivered: Home, transcript: Path) -> None:
    start(delivered, transcript, "resume")
    delivered.save(transcript)
    assert ORDER in delivered.restore(transcript).restored
    grow(delivered, transcript, "2.1.105", "boundary kept")
    assert silent(prompt(delivered, transcript))
    assert stage(delivered) == "verified"


# --- thrashing ---


def test_the_third_compaction_within_few_records_gets_a_short_text(tmp_path: Path, transcript: Path) -> None:
    home, session = Home(tmp_path / "home"), Session()
    for number in range(60):
        session.typed(f"Never use the name {number} for a table, a column or a view of the rates.")
    texts, messages = [], []
    for records in (5, 5, 5, 5, 150):  # far apart again the text is whole again
        for _ in range(records):
            session.says("On I go.")
        home.save(session.write(transcript))
        delivered = home.restore(transcript)
        texts.append(delivered.restored)
        messages.append(json.loads(delivered.stdout)["systemMessage"])
        if len(texts) == 3:
            assert units(home.run("restore_snapshot.py", b"", "--now", SESSION_ID).stdout) > THRASH_UNITS
    assert [units(text) <= THRASH_UNITS for text in texts] == [False, False, True, True, False]
    assert [text.splitlines()[-1].partition(" of the ")[0] for text in texts[2:4]] == [
        "(Kept short: 3 automatic compactions came within 10 records",
        "(Kept short: 4 automatic compactions came within 15 records"]
    history = [json.loads(line) for line in (home.session / "history.jsonl").read_text(encoding="utf-8").splitlines()]
    for text, message, noted in zip(texts[2:4], messages[2:4], history[2:4]):
        rules = [line for line in text.splitlines() if line.startswith('- "Never use the name ')]
        assert f"put back {len(rules)} rules, 1 message (" in message
        assert [row["line"] for row in noted["lines"] if row["kind"] == "rule"] == rules
        assert all(f"\n{row['line']}\n" in text for row in noted["lines"])


def test_compactions_by_hand_are_no_thrash(tmp_path: Path, transcript: Path) -> None:
    """They say nothing of how much room is left: neither is one cut, nor does it count for the next."""
    home, session = Home(tmp_path / "home"), Session()
    for number in range(60):
        session.typed(f"Never use the name {number} for a table, a column or a view of the rates.")
    texts = []
    for trigger in ("auto", "manual", "manual", "auto", "manual", "auto"):
        session.says("On I go.")
        home.run("save_snapshot.py", hook_input("PreCompact", session.write(transcript), trigger=trigger))
        texts.append(home.restore(transcript).restored)
    assert [units(text) <= THRASH_UNITS for text in texts] == [False, False, False, False, False, True]


# --- two hooks of one event: the plugin and copied scripts are both installed ---


def test_of_two_at_a_session_start_one_prints(begun: Home, transcript: Path) -> None:
    for _ in range(3):
        begun.save(transcript)
        nothing, text = together(begun, hook_input("SessionStart", transcript, source="compact"))
        assert (nothing, ORDER in text.decode()) == (b"", True)
    assert begun.log() == []
    assert stage(begun) == "delivered"


def test_of_two_at_a_prompt_one_puts_back_again(delivered: Home, transcript: Path) -> None:
    for number in range(3):
        grow(delivered, transcript, "2.1.150", "boundary answer")
        nothing, text = together(delivered, hook_input("UserPromptSubmit", transcript))
        assert (nothing, nonce_of(delivered) in text.decode()) == (b"", True)
        assert (stage(delivered), len(events(delivered, "repair"))) == ("repaired", number + 1)
        delivered.save(transcript)
        assert ORDER in delivered.restore(transcript).restored
    assert delivered.log() == []
