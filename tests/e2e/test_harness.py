"""The harness of the tests with the real client: what it installs, and what it reads in a request."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import client
from delivered import notes, restored_blocks, said, sections, summary_instructions, task_marks
from scripted_api import CLOSING_TEXT, Request, Script, ScriptedApi, Turn, kind_of
from workspace import Workspace

GOOD_NPM = """\
echo run >> "$COMPACT_KEEPER_CACHE/runs"
mkdir -p "$3/node_modules/.bin"
printf '#!/bin/sh\\necho 1.2.3' > "$3/node_modules/.bin/claude"
chmod +x "$3/node_modules/.bin/claude"
"""
BAD_NPM = "echo 'npm error code E404' >&2; echo 'npm error no such version' >&2; exit 1\n"
BROKEN_NPM = 'mkdir -p "$3/node_modules"; kill -9 $$\n'


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a PATH on which there is neither node nor npm."""
    monkeypatch.setenv("COMPACT_KEEPER_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def put_tools(cache: Path, npm: str) -> None:
    """Puts a node that does nothing and this npm on PATH, before the system's own tools."""
    folder = cache / "bin"
    folder.mkdir()
    for name, text in (("node", ""), ("npm", npm)):
        (folder / name).write_text("#!/bin/sh\n" + text)
        (folder / name).chmod(0o755)
    os.environ["PATH"] += os.pathsep + os.defpath


@pytest.mark.parametrize(("environ", "folder"), [
    ({"COMPACT_KEEPER_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, "/a/claude-code"),
    ({"XDG_CACHE_HOME": "/b"}, "/b/compact-keeper/claude-code"),
    ({}, str(Path.home() / ".cache/compact-keeper/claude-code")),
])
def test_cache_folder(environ: dict[str, str], folder: str) -> None:
    assert client.cache_folder(environ) == Path(folder)


@pytest.mark.parametrize(("asked", "versions"), [
    ({}, ["9.9.9", "7.7.7"]),
    ({"COMPACT_KEEPER_CLIENTS": "all"}, ["9.9.9", "8.8.8", "7.7.7"]),
    ({"COMPACT_KEEPER_CLIENTS": "between"}, ["8.8.8"]),
    ({"COMPACT_KEEPER_CLIENTS": "8.8.8 1.2.3"}, ["8.8.8", "1.2.3"]),
])
def test_versions_under_test(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], versions: list[str]) -> None:
    pinned = tmp_path / "versions.txt"
    pinned.write_text("# newest first\n9.9.9\n8.8.8\n7.7.7\n")
    monkeypatch.setattr(client, "VERSIONS_FILE", pinned)
    assert client.versions_under_test(asked) == versions


def test_whole_install_is_kept_and_reused(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_tools(cache, GOOD_NPM)
    assert [client.main(["--install", "1.2.3"]) for _ in range(2)] == [0, 0]
    assert (cache / "runs").read_text().split() == ["run"]
    assert [path.name for path in client.cache_folder().iterdir()] == ["1.2.3"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("npm", "complaint"), [
    (BAD_NPM, "npm could not install @anthropic-ai/claude-code@1.2.3: code E404; no such version"),
    (BROKEN_NPM, "npm could not install @anthropic-ai/claude-code@1.2.3: exit code -9"),
    ("", "@anthropic-ai/claude-code@1.2.3 does not run here"),
    (GOOD_NPM.replace("1.2.3", "9.9.9"), "does not run here: 9.9.9"),
])
def test_failed_install_leaves_nothing(
        cache: Path, capsys: pytest.CaptureFixture[str], npm: str, complaint: str) -> None:
    put_tools(cache, npm)
    assert client.main(["--install", "1.2.3"]) == 1
    errors = capsys.readouterr().err
    assert complaint in errors
    assert errors.count("\n") == 1
    assert list(client.cache_folder().iterdir()) == []


@pytest.mark.usefixtures("cache")
def test_missing_tools_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert client.main(["--install", "1.2.3"]) == 1
    errors = capsys.readouterr().err
    assert errors == "client.py: missing: node, npm; Node.js 18 or newer brings node and npm\n"


def test_hooks_are_started_by_this_python(tmp_path: Path) -> None:
    with Workspace(tmp_path, {}) as workspace:
        told = subprocess.run(["python3", "-IS", "-c", "import sys; print(sys.version)"], env=workspace.environment(),
                              capture_output=True, text=True, check=True).stdout
    assert told.strip() == sys.version


def request(*texts: str, role: str = "user") -> Request:
    """A request with one message per text."""
    return Request("turn", {"messages": [{"role": role, "content": text} for text in texts], "tools": [1]})


@pytest.mark.parametrize("text", [
    "<system-reminder>\nSessionStart hook additional context: {}\n</system-reminder>\n",
    "More.\n\nSessionStart hook additional context: {}\n\nToday's date is 2026-01-01.",
    "SessionStart hook additional context: {}\n\n# Environment\nYou have been invoked",
    "SessionStart hook additional context: {}\n\n<total_tokens>100 tokens left</total_tokens>",
    "SessionStart hook additional context: {}",
])
def test_block_is_cut_out_of_the_clients_words(text: str) -> None:
    block = "compact-keeper: a (block 0123abcd)\n\n## B\n- c"
    assert restored_blocks(request("Hello.", text.format(block))) == [block]


def test_a_note_is_no_block() -> None:
    note = "compact-keeper compared the compaction's summary with what was recorded."
    given = request(f"PostToolUse:Bash hook additional context: {note}")
    assert (notes(given), restored_blocks(given)) == ([note], [])


def test_what_two_hooks_say_in_one_message_is_told_apart() -> None:
    said_by = (("SessionStart", "compact-keeper: a\n\n## B"), ("UserPromptSubmit", "compact-keeper: c"), ("Stop", "d"))
    text = "\n\n".join(f"{event} hook additional context: {words}" for event, words in said_by)
    assert said(request(text)) == [words for _, words in said_by[:2]]


@pytest.mark.parametrize("text", [
    "PreCompact [x] completed successfully: compact-keeper: keep it",
    "compact-keeper: put back 3 rules",
    "SessionStart hook additional context: another plugin's",
])
def test_other_words_are_not_ours(text: str) -> None:
    assert said(request(text)) == []


def test_sections() -> None:
    assert sections("compact-keeper: a\n## B\n- c\n- d\n## E") == {
        "": ["compact-keeper: a"], "B": ["- c", "- d"], "E": []}


def test_a_note_behind_a_text_that_was_put_back_again() -> None:
    block, note = "compact-keeper: a (block 0123abcd)", "compact-keeper compared the compaction's summary with it: b"
    given = request(f"UserPromptSubmit hook additional context: {block}\n\n{note}")
    assert (notes(given), len(restored_blocks(given))) == ([note], 1)


def test_each_mark_of_a_task_is_seen() -> None:
    block = "- [ ] Write it\n- said: [ ] Read it, [x] Write it\n- Write it later"
    assert task_marks(block, "Write it") == {"[ ]", "[x]"}
    assert task_marks(block, "Read it") == {"[ ]"}


def test_instructions_stand_behind_the_users_own() -> None:
    words = "Additional Instructions:\nkeep it short\n\n{}\n\nREMINDER: Do NOT call any tools."
    ours = "compact-keeper: keep\nall"
    assert summary_instructions(request(words.format(ours))) == ours
    assert summary_instructions(request(words.format("Anything else."))) == ""


def test_summary_request_is_known_before_a_reminder() -> None:
    """2.1.329 may send a system message behind the summariser's prompt."""
    body = request("Your task is to create a detailed summary of the conversation so far").body
    reminder = {"role": "system", "content": "A gentle reminder."}
    assert kind_of({**body, "messages": [*body["messages"], reminder]}) == "summary"
    assert kind_of({**body, "messages": [reminder]}) == "turn"
    assert kind_of({"messages": body["messages"][:0]}) == "side"


def test_the_first_script_meant_for_a_request_answers_it() -> None:
    of_a = Script([Turn("a")], meant_for=lambda request: "A" in request.text())
    with ScriptedApi(of_a, Script([Turn("b")])) as api:
        answers = [api.answer(request(words).body)[0].text for words in ("B", "A", "A", "B")]
    assert answers == ["b", "a", CLOSING_TEXT, CLOSING_TEXT]
