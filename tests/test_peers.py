"""Tests of the comparison with other tools: hostile peers in the sandbox, their files at one commit, the report."""

from __future__ import annotations

import argparse
import shlex
import shutil
import socket
from pathlib import Path

import pytest

import peers
import replay
from sessions import git
from test_replay import RULE, TESTS_RUN, a_case, compacted_session, only_case

SAVER = """import json, os, pathlib, sys
given = json.load(sys.stdin)
state = pathlib.Path(__file__).with_name("state")
if given["hook_event_name"] == "PreCompact":
    state.write_text("pytest -q tests/rates" if "rates" in open(given["transcript_path"]).read() else "")
else:
    print(json.dumps({"hookSpecificOutput": {"additionalContext": state.read_text()}}))
"""
SAVES = "python3 $CLAUDE_PLUGIN_ROOT/hooks/saver.py"


def a_peer(save: str = "true", restore: str = "true", name: str = "saver", commit: str = "0" * 40) -> peers.Peer:
    return peers.Peer(name, "1.2", "ada/saver", commit, "hooks", save, restore, "one command")


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """The made-up peer's repository with a newer commit, and the commit before it."""
    folder = tmp_path / "repository"
    (folder / "hooks").mkdir(parents=True)
    (folder / "hooks" / "saver.py").write_text(SAVER, encoding="utf-8")
    (folder / "large.bin").write_text("not needed", encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    commit = git(folder, "rev-parse", "HEAD")
    (folder / "hooks" / "saver.py").write_text("raise SystemExit('newer')", encoding="utf-8")
    git(folder, "commit", "--quiet", "-a", "-m", "second")
    return folder, commit


def outcome(folder: Path, save: str, restore: str = "true", kept_off: str = "") -> tuple[replay.Outcome, Path]:
    """What a peer with these two commands gives back of a made-up session, and its log."""
    (folder / "files").mkdir(exist_ok=True)
    tool = peers.sandboxed(a_peer(save, restore), folder / "files", folder / "log", kept_off)
    return replay.deliver(tool, only_case(compacted_session(), folder)), folder / "log"


# --- hostile peers ---


def test_a_peer_that_hangs_is_ended_with_its_children_and_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "HOOK_LIMIT", 0.3)
    late, log = outcome(tmp_path, "echo early; sleep 55 & sleep 55")
    assert (late.text, late.save_ms < 20_000) == ("", True)
    assert peers.complaints(log)[0] == ["over 0.3 s"]


def test_a_peer_that_ignores_its_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "HOOK_LIMIT", 0.3)
    late, log = outcome(tmp_path, "trap '' TERM; while :; do sleep 1; done")
    assert (late.text, late.save_ms < 20_000) == ("", True)
    killed, = peers.complaints(log)[0]
    assert killed.startswith("over 0.3 s")


def test_a_peer_that_crashes_is_named_with_its_last_complaint(tmp_path: Path) -> None:
    crashes = "echo lost; echo first >&2; echo 'no | such\ttable' >&2; exit 3"
    crashed, log = outcome(tmp_path, crashes, "no-such-program")
    assert crashed.text == ""
    first, second = peers.complaints(log)[0]
    assert first == "exit code 3: no \\| such table"
    assert second.startswith("exit code 127: ")
    assert "no-such-program" in second


def test_a_peer_that_prints_a_megabyte_is_cut_like_any_long_output(tmp_path: Path) -> None:
    text = f"{TESTS_RUN} "
    long, log = outcome(tmp_path, "true", f"yes {shlex.quote(text)} | head -c 1048576")
    assert (len(long.text) > 1_000_000, long.hits.over_cap, long.hits.units) == (True, True, replay.PREVIEW)
    assert peers.complaints(log) == ([], "no complaint")


def test_a_peer_that_prints_no_json_gives_its_plain_text(tmp_path: Path) -> None:
    assert outcome(tmp_path, "true", f"echo 'so: {TESTS_RUN}'")[0].hits.given["command"] == [TESTS_RUN]
    assert outcome(tmp_path, "true", "echo '{no json}'")[0].text == ""


def test_a_peer_sees_nothing_of_the_real_home_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("ADAS_TOKEN", "made-up")
    told = outcome(tmp_path, "true", "env")[0].text
    names = dict(line.partition("=")[::2] for line in told.splitlines())
    assert "made-up" not in told
    assert "/home/ada" not in told
    assert names["CLAUDE_PLUGIN_ROOT"] == names["HOME"] + "/peer"
    assert not Path(names["HOME"]).exists()


def test_a_peer_has_no_network(tmp_path: Path) -> None:
    kept_off = peers.offline()
    if kept_off == peers.NOWHERE:
        pytest.skip("this machine allows no namespace without network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        tries = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {server.getsockname()[1]}), 5)'"
        assert peers.complaints(outcome(tmp_path, tries)[1])[0] == []
        refused, = peers.complaints(outcome(tmp_path, tries, kept_off=kept_off)[1])[0]
        assert "unreachable" in refused


def test_where_no_namespace_is_allowed_proxies_lead_nowhere(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in (["false"], [str(tmp_path / "no-unshare")]):
        monkeypatch.setattr(peers, "NO_NETWORK", missing)
        assert peers.offline() == peers.NOWHERE
    told = outcome(tmp_path, "true", "echo $https_proxy", kept_off=peers.NOWHERE)[0].text
    assert told == "http://127.0.0.1:9"


def test_what_a_peer_writes_beside_its_files_ends_with_the_case(tmp_path: Path) -> None:
    write = "echo written >>$CLAUDE_PLUGIN_ROOT/state"
    for _ in range(2):
        assert outcome(tmp_path, write, "cat $CLAUDE_PLUGIN_ROOT/state")[0].text == "written"
    assert list((tmp_path / "files").iterdir()) == []


# --- a peer's files ---


def test_the_files_are_those_of_the_commit_and_no_others(tmp_path: Path, repository: tuple[Path, str]) -> None:
    source, commit = repository
    cache = tmp_path / "a" / "cache"
    files = peers.bring(a_peer(commit=commit), str(source), cache)
    assert [str(path.relative_to(files)) for path in files.rglob("*") if path.is_file()] == ["hooks/saver.py"]
    assert (files / "hooks" / "saver.py").read_text(encoding="utf-8") == SAVER
    assert peers.bring(a_peer(commit=commit), "/no/such/source", cache) == files
    assert list(cache.iterdir()) == [files]


def test_of_a_server_that_filters_only_the_files_are_fetched(
        tmp_path: Path, repository: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[uploadpack]\n allowFilter = true\n allowAnySHA1InWant = true\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)  # so that what was fetched can be looked at
    source, commit = repository
    files = peers.bring(a_peer(commit=commit), source.as_uri(), tmp_path / "cache")
    assert (files / "hooks" / "saver.py").read_text(encoding="utf-8") == SAVER
    fetched = git(files, "cat-file", "--batch-all-objects", "--batch-check")
    assert git(source, "rev-parse", f"{commit}:hooks/saver.py") in fetched
    assert git(source, "rev-parse", f"{commit}:large.bin") not in fetched


def test_another_commit_of_a_peer_is_not_taken_from_the_cache(tmp_path: Path, repository: tuple[Path, str]) -> None:
    source, commit = repository
    newer = git(source, "rev-parse", "HEAD")
    folders = [peers.bring(a_peer(commit=one), str(source), tmp_path / "cache") for one in (commit, newer)]
    assert "newer" in (folders[1] / "hooks" / "saver.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("source", ["/no/such/repository", "https://no-such-host.invalid/ada/saver", "", None])
def test_what_cannot_be_brought_is_refused_in_one_line(
        tmp_path: Path, repository: tuple[Path, str], source: str | None) -> None:
    with pytest.raises(peers.Refusal, match=r"\A[^\n]{5,}\Z"):  # None: the repository is there, the commit is not
        peers.bring(a_peer(), str(repository[0]) if source is None else source, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_git_that_hangs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "GIT_LIMIT", 0.2)
    with pytest.raises(peers.Refusal, match="timed out"):
        peers.git("-c", "alias.hang=!exec sleep 9", "hang")


def test_every_peer_is_pinned() -> None:
    assert len({peer.name for peer in peers.PEERS}) == len(peers.PEERS)
    for peer in peers.PEERS:
        assert (len(peer.commit), int(peer.commit, 16) > 0, peer.repository.count("/")) == (40, True, 1)


# --- the report ---


@pytest.mark.parametrize(("log", "failed", "last"), [
    (None, [], "no complaint"),
    (b"", [], "no complaint"),
    (b"0 \n0 \n", [], "no complaint"),
    (b"0 a warning\n0 \n", [], "a warning"),
    (b"2 first\n0 \n124 \n137 Killed\n", ["exit code 2: first", "over 30 s", "over 30 s: Killed"], "Killed"),
    (b"1 \xff\x1b[31mred|\n", ["exit code 1: \N{REPLACEMENT CHARACTER} [31mred\\|"],
     "\N{REPLACEMENT CHARACTER} [31mred\\|"),
])
def test_complaints(tmp_path: Path, log: bytes | None, failed: list[str], last: str) -> None:
    if log is not None:
        (tmp_path / "log").write_bytes(log)
    assert peers.complaints(tmp_path / "log") == (failed, last)


def test_a_complaint_is_one_short_line() -> None:
    assert peers.plain("a\r\n\tb\N{LINE SEPARATOR}c") == "a b c"
    assert len(peers.plain("x" * 5_000)) == peers.REASON


def test_a_row_has_figures_or_a_reason() -> None:
    case = a_case(command=[TESTS_RUN], directives=[RULE])
    outcomes = [replay.Outcome(case, text, replay.scored(text, case), 1.0, 1.0) for text in ("", TESTS_RUN)]
    assert peers.row(outcomes[:1], "exit code 3") == "gave nothing back: exit code 3"
    rows = {"one": peers.row(outcomes, ""), "two": "not measured: no network"}
    width = len(TESTS_RUN)
    assert peers.table(rows).splitlines()[2:] == [
        f"| one | – | 0.500 | – | 0.500 | 0.00 | {width} | {1000 / width:.2f} | 1 | 0 |",
        "| two | not measured: no network |  |  |  |  |  |  |  |  |"]


@pytest.mark.parametrize("text", ["", "saver", "saver=", "other=/x", "=/x"])
def test_a_source_is_a_known_peers_folder(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PEERS", (a_peer(),))
    assert peers.source("saver=/x=y") == ("saver", "/x=y")
    with pytest.raises(argparse.ArgumentTypeError, match="saver"):
        peers.source(text)


def test_the_whole_comparison(
        tmp_path: Path, repository: tuple[Path, str], monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    source, commit = repository
    monkeypatch.setattr(peers, "PEERS", (
        a_peer(SAVES, SAVES, "saver", commit), a_peer("exit 9", "echo oops >&2", "silent", commit),
        a_peer("exit 8", f"echo {TESTS_RUN}", "half", commit), a_peer(name="gone")))
    (tmp_path / "sessions").mkdir()
    compacted_session().write(tmp_path / "sessions" / "one.jsonl")
    named = [f"--from={peer.name}={source}" for peer in peers.PEERS]
    assert peers.main([str(tmp_path / "sessions"), "--cache", str(tmp_path / "cache"), *named]) == 0
    assert len(list((tmp_path / "cache").iterdir())) == 1
    table, totals, notes = capsys.readouterr().out.strip().split("\n\n")
    rows = {cells[1]: cells[2:] for cells in ([cell.strip() for cell in line.split("|")]
                                              for line in table.splitlines()[2:])}
    assert [name for name, cells in rows.items() if cells[1] == "1.000"] == [
        "compact-keeper, budget 9000", "compact-keeper, budget 4000", "saver 1.2", "half 1.2"]
    assert rows["silent 1.2"][0] == "gave nothing back: exit code 9"
    assert rows["gone 1.2"][0].startswith("not measured: ")
    assert totals.startswith("1 sessions, 1 cases, 0 lost paths, 1 lost commands, 0 lost values, 1 lost directives.")
    assert "Half: all." in totals
    assert f"- saver 1.2 (ada/saver, commit {commit[:12]}) gives back one command.\n" in notes
    assert "- half 1.2: 1 of 2 hooks failed, at last: exit code 8" in notes
    assert "saver 1.2: " not in notes


def test_nothing_to_replay_or_no_git_is_one_line_and_1(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"peers.py: nothing to replay in {tmp_path}\n"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert peers.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "peers.py: missing: git, timeout\n"


@pytest.mark.parametrize("arguments", [["--half", "third"], ["--from", "nobody=/x"], ["--what"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        peers.main(arguments)
    assert ended.value.code == 2
