"""Whose context was compacted: hostile transcripts first, the states measured with eight clients, the task."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import restore_snapshot
from compact_keeper.client.threads import (
    LATE_LINES_SECONDS,
    THREAD_TAIL_BYTES,
    compacted_agent,
    task_of,
    thread_state,
)
from compact_keeper.client.tokens import usage_tokens
from compact_keeper.store.json_lines import records_at_end
from hostile import LINES, PLACES
from sessions import Session, hook_input

AGENT, TASK = "a1cf359bcbf1fe5e8", "Count the carriers in rates.py."
LIVE = [name for name in PLACES if name != "missing"]


class Silent(Session):
    """A session of the newest client measured that does not name the subagent in a hook's input."""

    version = "2.1.280"

    def envelope(self) -> Any:
        return {**super().envelope(), "version": self.version}


class Telling(Silent):
    """A session of the oldest client measured that names it."""

    version = "2.1.329"


def thread(state: str, usage: int = 0, of: type[Session] = Silent) -> Session:
    """A transcript that ends in the state: a prompt, a call without result, its result, or the answer's words."""
    session = of()
    session.typed(TASK)
    if usage:
        session.assistant({"type": "text", "text": "I begin."}, usage={"input_tokens": usage, "output_tokens": 0})
    if state == "prompt":
        session.typed("Go on.")
    elif state == "call":
        session.call("Agent", prompt=TASK)
    elif state == "result":
        session.ran("Read", file_path="/srv/rates.py")
    elif state == "words":
        session.says("It is done.")
    return session


def lay(folder: Path, main: Session | bytes, **agents: Session | bytes) -> str:
    """The transcripts as the client lays them out, the last agent written last; the main one's path."""
    path = folder / "session.jsonl"
    path.write_bytes(main if isinstance(main, bytes) else main.as_bytes())
    subagents = folder / "session" / "subagents"
    subagents.mkdir(parents=True)
    for second, (name, agent) in enumerate(agents.items()):
        file = subagents / f"agent-{name}.jsonl"
        file.write_bytes(agent if isinstance(agent, bytes) else agent.as_bytes())
        os.utime(file, (1_790_000_000 + second,) * 2)
        file.with_suffix(".meta.json").write_text('{"agentType":"general-purpose"}')
    return str(path)


# --- hostile ---


@pytest.mark.parametrize("name", LINES)
def test_a_hostile_line_changes_no_thread(tmp_path: Path, name: str) -> None:
    hostile = LINES[name]().replace(b"2.1.329", b"2.1.280")
    path = lay(tmp_path, thread("result", 190_000).as_bytes() + hostile, a1=hostile + thread("call", 90_000).as_bytes())
    assert compacted_agent(path) == ""


@pytest.mark.parametrize("name", ["torn", "glued", "no-json", "not-utf-8", "deep-and-torn"])
def test_a_hostile_line_before_the_end_hides_no_agent(tmp_path: Path, name: str) -> None:
    hostile = LINES[name]().replace(b"2.1.329", b"2.1.280")
    path = lay(tmp_path, hostile + thread("call", 1_000).as_bytes(), a1=hostile + thread("result").as_bytes())
    assert compacted_agent(path) == "a1"


@pytest.mark.parametrize("place", PLACES)
def test_hostile_places_beside_an_agent(tmp_path: Path, place: str) -> None:
    path = lay(tmp_path, thread("call", 1_000), a1=thread("result", 190_000))
    PLACES[place][0](tmp_path / "session" / "subagents" / "agent-odd.jsonl")
    assert compacted_agent(path) == "a1"


@pytest.mark.parametrize("place", PLACES)
def test_hostile_places_of_the_main_transcript(tmp_path: Path, place: str) -> None:
    path = tmp_path / "other.jsonl"
    PLACES[place][0](path)
    assert compacted_agent(str(path)) == ""


@pytest.mark.parametrize("name", ["notes.jsonl", "journal-of-the-work.jsonl", "agent-.jsonl", "agent-a1.txt"])
def test_files_of_another_name_are_no_agents(tmp_path: Path, name: str) -> None:
    path = lay(tmp_path, thread("call", 1_000))
    thread("result", 190_000).write(tmp_path / "session" / "subagents" / name)
    assert compacted_agent(path) == ""


@pytest.mark.parametrize("transcript", ["", "/nonexistent/other.txt"])
def test_a_folder_of_the_project_is_not_taken_for_the_clients(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transcript: str) -> None:
    lay(tmp_path, b"", a1=thread("result", 190_000))
    monkeypatch.chdir(tmp_path / "session")
    assert compacted_agent(transcript) == ""
    assert restore_snapshot.agent_of(hook_input("SessionStart", transcript), {}) == ""


@pytest.mark.parametrize(("usage", "expected"), [
    (None, 0), ("190000", 0), ([], 0), ({}, 0), ({"input_tokens": "9"}, 0), ({"input_tokens": None}, 0),
    ({"input_tokens": -5}, 0), ({"input_tokens": 1e999}, 0), ({"input_tokens": [7], "output_tokens": 3}, 0),
    ({"input_tokens": "190000", "output_tokens": 20}, 0), ({"input_tokens": True, "output_tokens": 20}, 0),
    ({"input_tokens": 9, "output_tokens": True, "cache_read_input_tokens": "7"}, 9),
    ({"input_tokens": 5, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 300, "output_tokens": 2_000,
      "service_tier": 9_999, "server_tool_use": {"web_search_requests": 9}}, 2_345)])
def test_tokens_of_a_usage(usage: object, expected: int) -> None:
    assert usage_tokens(usage) == expected


# --- where a thread stands ---


@pytest.mark.parametrize(("state", "awaits"), [("prompt", "answer"), ("result", "answer"), ("call", "result"),
                                               ("words", "")])
def test_what_a_thread_waits_for(state: str, awaits: str) -> None:
    assert thread_state(thread(state, 7_000).records) == {"awaits": awaits, "usage": 7_000}


def test_one_of_two_calls_without_a_result_is_waited_for() -> None:
    session = Session()
    first, _ = session.call("Read", file_path="/a"), session.call("Read", file_path="/b")
    session.result(first)
    assert thread_state(session.records)["awaits"] == "result"


def test_a_usage_of_zeros_hides_no_earlier_one() -> None:
    session = thread("result", 190_000)
    session.assistant({"type": "text", "text": "API Error"}, model="<synthetic>", usage={"input_tokens": 0})
    assert thread_state(session.records)["usage"] == 190_000


@pytest.mark.parametrize("add", [
    lambda s: s.progress(), lambda s: s.attachment(type="hook_success", stdout="{}"),
    lambda s: s.request_blob("tool_use"), lambda s: s.system("stop_hook_summary")],
    ids=["progress", "attachment", "blob", "system"])
@pytest.mark.parametrize("state", ["prompt", "call", "words"])
def test_what_is_no_message_changes_nothing(state: str, add: Callable[[Session], object]) -> None:
    session = thread(state, 7_000)
    before = thread_state(session.records)
    add(session)
    assert thread_state(session.records) == before


# --- whose context was compacted, by the states measured at SessionStart ---


@pytest.mark.parametrize(("main", "agent", "expected"), [
    pytest.param(("call", 1_000), ("result", 190_000), "a1", id="2.1.76-2.1.197-agent-in-front"),
    pytest.param(("words", 1_000), ("result", 190_000), "a1", id="2.1.250-2.1.329-agent-behind-and-turn-over"),
    pytest.param(("result", 1_000), ("result", 190_000), "a1", id="both-wait-for-an-answer"),
    pytest.param(("prompt", 1_000), ("result", 90_000), "a1", id="agent-compacts-at-90000-beside-a-new-prompt"),
    pytest.param(("call", 0), ("prompt", 0), "a1", id="agent-compacts-at-its-first-prompt"),
    pytest.param(("result", 190_000), ("call", 90_000), "", id="2.1.280-main-compacts-agent-calls"),
    pytest.param(("result", 190_000), ("result", 90_000), "", id="main-compacts-agent-waits-too"),
    pytest.param(("result", 190_000), ("words", 195_000), "", id="main-compacts-agent-has-ended"),
    pytest.param(("prompt", 190_000), ("words", 1_000), "", id="main-compacts-at-the-prompt"),
    pytest.param(("prompt", 190_000), ("result", 190_000), "", id="alike"),
    pytest.param(("prompt", 0), ("result", 0), "", id="no-usage-known"),
    pytest.param(("words", 190_000), ("words", 190_000), "", id="both-have-ended"),
    pytest.param(("call", 190_000), ("call", 90_000), "", id="both-call"),
])
def test_whose_context(tmp_path: Path, main: tuple[str, int], agent: tuple[str, int], expected: str) -> None:
    assert compacted_agent(lay(tmp_path, thread(*main), a1=thread(*agent))) == expected


@pytest.mark.parametrize("state", ["prompt", "call", "result", "words"])
def test_a_client_that_names_subagents_means_the_main_thread_when_it_names_none(tmp_path: Path, state: str) -> None:
    main = thread(state, 167_000, Telling)
    main.add({"type": "last-prompt", "lastPrompt": "Go on."})
    assert compacted_agent(lay(tmp_path, main, a1=thread("result", 300_000, Telling))) == ""


@pytest.mark.parametrize("version", [None, 7, "", "2.1", "newest", "0.0.0", "2.1.328", "1.9.999"])
def test_a_client_of_no_known_version_is_judged_by_the_transcripts(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: Any) -> None:
    monkeypatch.setattr(Silent, "version", version)
    assert compacted_agent(lay(tmp_path, thread("call", 1_000), a1=thread("result", 190_000))) == "a1"


def test_the_main_thread_without_any_agent(tmp_path: Path) -> None:
    path = thread("call", 1_000).write(tmp_path / "session.jsonl")
    assert compacted_agent(str(path)) == ""
    assert compacted_agent(lay(tmp_path, thread("call", 1_000))) == ""


def test_the_last_lines_of_the_agent_are_waited_for(tmp_path: Path) -> None:
    path = lay(tmp_path, thread("call"), a=thread("call"))
    late = tmp_path / "session" / "subagents" / "agent-a.jsonl"
    with mock.patch("time.sleep", side_effect=lambda _: late.write_bytes(thread("result").as_bytes())):
        assert compacted_agent(path) == "a"


def test_a_thread_that_never_says_what_it_waits_for_is_waited_for_a_moment_only(tmp_path: Path) -> None:
    waited: list[float] = []
    clock = mock.Mock(monotonic=lambda: sum(waited), sleep=waited.append)
    with mock.patch("compact_keeper.client.threads.time", clock):
        assert compacted_agent(lay(tmp_path, thread("call"), a=thread("call"))) == ""
    assert LATE_LINES_SECONDS < sum(waited) < 2 * LATE_LINES_SECONDS


@pytest.mark.parametrize("main", [thread("result"), thread("call", of=Telling)])
def test_nothing_is_waited_for_where_the_thread_is_known(tmp_path: Path, main: Session) -> None:
    with mock.patch("time.sleep", side_effect=AssertionError):
        assert compacted_agent(lay(tmp_path, main, a=thread("call"))) == ""


def test_of_several_agents_the_one_that_waits(tmp_path: Path) -> None:
    done, calling, full = thread("words", 195_000), thread("call", 90_000), thread("result", 190_000)
    assert compacted_agent(lay(tmp_path, thread("call", 1_000), a1=done, a2=full, a3=calling)) == "a2"


def test_of_two_agents_that_wait_the_one_written_last(tmp_path: Path) -> None:
    path = lay(tmp_path, thread("call", 1_000), a1=thread("result", 1_000), a2=thread("result", 900))
    assert compacted_agent(path) == "a2"


def test_an_agent_among_many_that_have_ended(tmp_path: Path) -> None:
    ended = {f"b{number}": thread("words", 195_000) for number in range(300)}
    assert compacted_agent(lay(tmp_path, thread("call", 1_000), **ended, a1=thread("result", 190_000))) == "a1"


def test_only_the_end_of_long_transcripts_is_read(tmp_path: Path) -> None:
    session = thread("words", 190_000)
    long = b"".join([session.as_bytes(), LINES["200000-lines"](), thread("call", 1_000).as_bytes()])
    spans: list[int] = []

    def reader(path: str, most_bytes: int) -> Iterator[Any]:
        spans.append(most_bytes)
        return records_at_end(path, most_bytes)
    path = lay(tmp_path, long, a1=long, a2=thread("result", 190_000))
    with mock.patch("compact_keeper.client.threads.records_at_end", reader):
        assert compacted_agent(path) == "a2"
    assert {*spans} == {THREAD_TAIL_BYTES}
    assert len(long) > THREAD_TAIL_BYTES


@pytest.mark.parametrize(("data", "compaction", "expected"), [
    ({}, {"trigger": "auto"}, "a1"),
    ({}, {}, "a1"),
    ({}, {"trigger": "manual", "stage": "begun"}, ""),
    ({}, {"trigger": "manual", "stage": "verified"}, "a1"),  # another one's
    ({"agent_id": "a9"}, {"trigger": "auto"}, "a9"),
    ({"agent_id": "a9"}, {"trigger": "manual"}, "a9"),  # that compaction.json is the main thread's
    ({"agent_id": ""}, {"trigger": "auto"}, "a1"),
    ({"agent_id": None}, {"trigger": "auto"}, "a1"),
    ({"agent_id": ["a9"]}, {"trigger": "auto"}, "a1"),
])
def test_what_the_input_and_the_trigger_say_comes_first(
        tmp_path: Path, data: Any, compaction: Any, expected: str) -> None:
    path = lay(tmp_path, thread("words", 1_000), a1=thread("result", 190_000))
    assert restore_snapshot.agent_of(hook_input("SessionStart", path, **data), compaction) == expected


# --- the task's words ---


def first_line(content: object) -> bytes:
    session = Session()
    session.user(content)  # type: ignore[arg-type]
    return session.as_bytes()


@pytest.mark.parametrize(("raw", "task"), [
    pytest.param(b"", "", id="empty"),
    pytest.param(b"{", "", id="torn"),
    pytest.param(b"[]\n" + first_line(TASK), "", id="list-first"),
    pytest.param(b"\xff\xfe\n", "", id="binary"),
    pytest.param(first_line(None), "", id="null"),
    pytest.param(first_line(7), "", id="number"),
    pytest.param(first_line({"text": TASK}), "", id="object"),
    pytest.param(first_line([]), "", id="no-blocks"),
    pytest.param(b'{"type":"user","message":7}\n', "", id="no-message"),
    pytest.param(first_line("x" * (17 << 20)) + first_line(TASK), "", id="17-megabytes"),
    pytest.param(first_line("x" * (2 << 20)), "x" * (2 << 20), id="2-megabytes"),
    pytest.param(first_line(TASK)[:-1], TASK, id="no-line-break"),
    pytest.param(first_line(TASK) + first_line("Later words."), TASK, id="the-first-of-two"),
    pytest.param(first_line("Zähle 貨物."), "Zähle 貨物.", id="of-any-script"),
])
def test_the_task_of_an_agent(tmp_path: Path, raw: bytes, task: str) -> None:
    assert task_of(lay(tmp_path, b"", a1=raw), "a1") == (task, len(raw))


@pytest.mark.parametrize("place", LIVE)
def test_hostile_places_of_an_agents_transcript(tmp_path: Path, place: str) -> None:
    path = lay(tmp_path, b"")
    PLACES[place][0](tmp_path / "session" / "subagents" / "agent-a1.jsonl")
    assert task_of(path, "a1") == ("", 0)


def test_no_task_of_an_agent_that_is_not_there(tmp_path: Path) -> None:
    assert task_of(lay(tmp_path, b"", a1=thread("prompt")), AGENT) == ("", 0)
