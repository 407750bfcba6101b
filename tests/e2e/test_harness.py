"""The harness of the tests with the real client: what it installs, and what it reads in a request."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import client
from delivered import NOTE, notes, restored_blocks, said
from scripted_api import CLOSING_TEXT, Request, Script, ScriptedApi, Turn, kind_of

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


def test_whole_install_is_kept_and_reused(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_tools(cache, GOOD_NPM)
    assert [client.main(["--install", "1.2.3"]) for _ in range(2)] == [0, 0]
    assert (cache / "runs").read_text().split() == ["run"]
    assert [path.name for path in client.cache_folder().iterdir()] == ["1.2.3"]
    assert capsys.readouterr().err == ""


def test_failed_install_leaves_nothing(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_tools(cache, "")
    for npm, complaint in ((BAD_NPM, "npm could not install @anthropic-ai/claude-code@1.2.3: code E404; no such"),
                           (BROKEN_NPM, "npm could not install @anthropic-ai/claude-code@1.2.3: exit code -9"),
                           (GOOD_NPM.replace("1.2.3", "9.9.9"), "does not run here: 9.9.9")):
        (cache / "bin" / "npm").write_text("#!/bin/sh\n" + npm)
        assert client.main(["--install", "1.2.3"]) == 1
        errors = capsys.readouterr().err
        assert complaint in errors
        assert errors.count("\n") == 1
        assert list(client.cache_folder().iterdir()) == []


def request(*texts: str, role: str = "user") -> Request:
    """A request with one message per text."""
    return Request("turn", {"messages": [{"role": role, "content": text} for text in texts], "tools": [1]})


@pytest.mark.parametrize(("printed", "words"), [
    ("npm error code ENOTFOUND\nnpm error syscall getaddrinfo\n", "its registry was not reached (ENOTFOUND). "),
    ("npm error code E404\nnpm error 404 Not Found\n", "code E404; 404 Not Found"), ("", "exit code 7")])
def test_what_npm_complains_of(printed: str, words: str) -> None:
    assert client.complaint(subprocess.CompletedProcess([], 7, "", printed)).startswith(words)


def test_what_is_ours_is_cut_out_of_the_clients_words() -> None:
    block, note = "compact-keeper: a (block 0123abcd)\n\n## B\n- c", f"{NOTE} with it: b"
    for form in ("<system-reminder>\nSessionStart hook additional context: {}\n</system-reminder>\n",
                 "More.\n\nSessionStart hook additional context: {}\n\nToday's date is 2026-01-01.",
                 "SessionStart hook additional context: {}\n\n# Environment\nYou have been invoked",
                 "SessionStart hook additional context: {}\n\n<total_tokens>100 tokens left</total_tokens>",
                 "UserPromptSubmit hook additional context: {}\n\nStop hook additional context: another plugin's"):
        for words in (block, note, f"{block}\n\n{note}"):
            given = request("Hello.", form.format(words))
            assert said(given) == [words]
            assert len(restored_blocks(given)) == words.count("(block ")
            assert notes(given) == [note] * words.count(NOTE)
    for text in ("PreCompact [x] completed successfully: compact-keeper: keep it", "compact-keeper: put back 3 rules",
                 "SessionStart hook additional context: another plugin's"):
        assert said(request(text)) == []


def test_requests_are_answered_by_what_they_are() -> None:
    """2.1.329 may send a system message behind the summariser's prompt."""
    body = request("Your task is to create a detailed summary of the conversation so far").body
    reminder = {"role": "system", "content": "A gentle reminder."}
    assert kind_of({**body, "messages": [*body["messages"], reminder]}) == "summary"
    assert kind_of({**body, "messages": [reminder]}) == "turn"
    assert kind_of({"messages": []}) == "side"
    of_a = Script([Turn("a")], meant_for=lambda given: "A" in given.text())
    with ScriptedApi(of_a, Script([Turn("b")])) as api:
        answers = [api.answer(request(words).body)[0].text for words in ("B", "A", "A", "B")]
    assert answers == ["b", "a", CLOSING_TEXT, CLOSING_TEXT]
