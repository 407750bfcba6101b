"""status_line.py: one line whatever comes in, the wrapped command's output whole, a save at each mark, once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import status_line
from compact_keeper.client.processes import output_of
from compact_keeper.figures.status_words import NOTHING
from compact_keeper.store.session_marks import SAVES_AT
from hostile import DEEP, stdin_table
from sessions import SCRIPTS, SESSION_ID, Home, JsonObject, Run, Session
from waiting import comes

NOW = 1_790_000_000.0
WINDOW = 100_000  # tokens: the client compacts at 67,000
SOON = 30.0  # seconds for a process of its own; it takes 0.1
FULL = 66_000
LINE = "██████········│··│·│ ctx 30%"  # of 20,000 tokens


def given(tokens: object = 20_000, size: object = WINDOW, **more: Any) -> JsonObject:
    """What the client sends, with so many tokens in the context."""
    usage = {"input_tokens": tokens, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {"session_id": SESSION_ID, "transcript_path": "", "cwd": "", "version": "2.1.329",
            "context_window": {"context_window_size": size, "current_usage": usage}, **more}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.session.mkdir(parents=True)
    return made


def put(home: Home, name: str, **data: object) -> None:
    (home.session / name).write_text(json.dumps({"schema": 1, **data}), encoding="utf-8")


def drawn(home: Home, data: bytes | JsonObject, *arguments: str, extra: JsonObject | None = None,
          timeout: float = 30.0) -> str:
    """What was printed, without the line's end; nothing may come on stderr."""
    run = home.run("status_line.py", data, *arguments, timeout=timeout, extra={"NO_COLOR": "1", **(extra or {})})
    assert (run.code, run.stderr) == (0, "")
    assert run.stdout.endswith("\n")
    return run.stdout[:-1]


def marks(home: Home) -> list[str]:
    return sorted(path.name for path in home.session.glob("saved-at-*"))


def saves(home: Home) -> int:
    """The saves in events.jsonl, when all that were started have ended."""
    home.rests()
    path = home.path / "events.jsonl"
    return path.read_bytes().count(b'"save"') if path.exists() else 0


# --- hostile ---


@pytest.mark.parametrize("raw", [pytest.param(row.values[0], id=row.id) for row in stdin_table(given())])
def test_one_line_whatever_comes_in(home: Home, raw: bytes) -> None:
    assert drawn(home, raw) in {NOTHING, LINE}


@pytest.mark.parametrize("raw", [
    b"", b"[]", b"null", b"\xff\xfe", b"[" * DEEP, b'{"schema": 2, "tasks": 3}', b'{"schema": "1", "tasks": 3}',
    b'{"schema": 1, "time": -1e999, "tasks": 1e999, "findings": "\\u001b[2J"}', b'{"schema": 1, "time": NaN}'],
    ids=lambda raw: raw[:20].decode("latin-1"))
def test_odd_files_are_left_out(home: Home, raw: bytes) -> None:
    for name in ("status.json", "note.json"):
        (home.session / name).write_bytes(raw)
    assert drawn(home, given()) in {LINE, f"{LINE} · the model will be told 1 thing about the summary"}


@pytest.mark.parametrize("name", ["status.json", "note.json", "settings.json"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "device"])
def test_odd_places_are_neither_read_nor_waited_for(home: Home, name: str, kind: str) -> None:
    folder = home.path.parent / "no-home" / ".claude"
    folder.mkdir(parents=True)
    path = (folder if name == "settings.json" else home.session) / name
    other = home.path / "other.json"
    other.write_text(json.dumps({"schema": 1, "tasks": 3, "findings": []}), encoding="utf-8")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(other if kind == "link" else "/dev/zero")
    assert drawn(home, given()) == LINE


@pytest.mark.parametrize("session", ["..", ".", "", "../sessions", "a/b", "a\0b", "\ud800", "x" * 5_000, "linked"])
def test_only_a_folder_of_a_session_is_read(home: Home, session: str) -> None:
    put(home, "status.json", time=NOW, tasks=3)
    (home.path / "sessions" / "linked").symlink_to(home.session)
    for folder in (home.path, home.path / "sessions"):
        (folder / "status.json").write_text(json.dumps({"schema": 1, "tasks": 3}), encoding="utf-8")
    assert drawn(home, given(FULL, session_id=session)) == "███████████████████│ ctx 99%"
    assert not list(home.path.rglob("saved-at-*"))


@pytest.mark.parametrize("place", ["missing", "a file", "read-only"])
def test_the_home_may_be_missing_or_read_only(home: Home, tmp_path: Path, place: str) -> None:
    put(home, "status.json", time=NOW, tasks=3)
    where = home.path if place == "read-only" else tmp_path / "elsewhere"
    if place == "a file":
        where.write_text("", encoding="utf-8")
    if place == "read-only":
        home.session.chmod(0o500)
    line = drawn(home, given(), extra={"COMPACT_KEEPER_HOME": str(where)})
    assert line.startswith(LINE)
    assert where.exists() is (place != "missing")


def test_without_stdin_and_stdout(home: Home) -> None:
    command = f"exec {sys.executable} -IS {SCRIPTS / 'status_line.py'}"
    for closed in ("<&-", ">&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, env=home.environment(),
                              stdin=subprocess.DEVNULL, timeout=30, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


# --- the line ---


def test_all_of_the_line(home: Home) -> None:
    saved = time.time()
    put(home, "status.json", time=saved, tasks=3)
    put(home, "note.json", findings=[{"said": "All pass."}, {"said": ""}, {"said": "Pushed."}, "odd"])
    clock = time.strftime("%H:%M", time.localtime(saved))
    line = f"{LINE} · saved {clock} · 3 open tasks · 2 errors found in the summary, the model will be told"
    assert drawn(home, given()) == line
    assert drawn(home, given(), extra={"COLUMNS": "40"}) == line.partition("·│ ")[2]
    assert drawn(home, given(None)) == f"··············│··│·│ ctx – · {line.partition('% · ')[2]}"
    assert drawn(home, given(), extra={"COMPACT_KEEPER_OFF": "1"}) == ""


def test_after_a_compaction_the_client_tells_no_figure(home: Home) -> None:
    nothing = {"input_tokens": 0, "output_tokens": 0}
    for usage in (None, nothing):
        window = {"context_window_size": WINDOW, "current_usage": usage, "used_percentage": 0}
        assert drawn(home, given(context_window=window)) == NOTHING


def test_the_window_that_the_person_named(home: Home, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"autoCompactWindow": 100000}', encoding="utf-8")
    config = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    assert drawn(home, given(20_000, 233_000), extra=config) == LINE
    config["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "200000"
    assert drawn(home, given(20_000, 233_000), extra=config).endswith("ctx 12%")


# --- the wrapped command ---


def test_one_line_of_the_wrapped_command_and_ours(home: Home) -> None:
    assert drawn(home, given(), "--wrap", "echo mine") == f"mine │ {LINE}"
    coloured = drawn(home, given(), "--wrap", r"printf '\033[32mmine'")
    assert coloured == f"\x1b[32mmine\x1b[0m │ {LINE}"


def test_several_lines_stay_above_ours(home: Home) -> None:
    assert drawn(home, given(), "--wrap", r"printf '\n one\r\n\n two \n\n'") == f"\n one\r\n\n two \n{LINE}"


@pytest.mark.parametrize("command", ["exit 3", "no-such-command-here", "true", "printf '\\n'", "kill -9 $$", "'", ""])
def test_a_command_that_prints_nothing_leaves_our_line(home: Home, command: str) -> None:
    assert drawn(home, given(), "--wrap", command) == LINE
    assert drawn(home, b"", "--wrap", command) == NOTHING


def test_what_is_printed_before_a_failure_is_kept(home: Home) -> None:
    assert drawn(home, given(), "--wrap", "echo mine; exit 3").startswith("mine │ █")


def test_where_nothing_is_known_the_commands_output_stands_alone(home: Home) -> None:
    assert drawn(home, b"", "--wrap", "echo mine") == "mine"
    assert drawn(home, given(FULL), "--wrap", "echo mine", extra={"COMPACT_KEEPER_OFF": "1"}) == "mine"


@pytest.mark.parametrize("raw", [b"", b'{"a": "\xff"}\n', b"x" * (3 << 20)], ids=["empty", "odd", "3 MB"])
def test_the_command_gets_the_same_bytes(home: Home, tmp_path: Path, raw: bytes) -> None:
    assert drawn(home, raw, "--wrap", f"cat > {tmp_path}/got; echo mine") == "mine"
    assert (tmp_path / "got").read_bytes() == raw


def test_a_command_may_leave_its_stdin(home: Home) -> None:
    assert drawn(home, b"x" * (3 << 20), "--wrap", "echo mine") == "mine"


def test_a_command_may_end_a_pipe_early(home: Home) -> None:
    assert drawn(home, b"", "--wrap", "yes 2>&1 | head -n 1") == "y"


def output(command: str, given: bytes = b"x" * (3 << 20), most: int = 64 << 10) -> bytes:
    """What comes of the command in time, of which it is given more on a busy machine; no more than so many bytes.

    What SIGTERM does here stays as it is.
    """
    before = signal.getsignal(signal.SIGTERM)
    start = ["/bin/sh", "-c", command]
    try:
        return next(filter(None, (output_of(start, given, patience, most) for patience in (0.2, 2, 20))), b"")
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("command", [
    "echo mine; sleep 30; echo late", "echo mine; (sleep 30; touch late) & wait",
    "echo mine; trap '' TERM HUP; sleep 30"])
def test_a_command_that_takes_too_long_is_ended_with_its_children(command: str) -> None:
    words = f"sleep 30.{os.getpid()}"
    assert output(command.replace("sleep 30", words)) == b"mine"
    assert is_gone(words)


def test_endless_output_is_cut() -> None:
    assert output("yes").startswith((b"y\n" * (32 << 10)).rstrip())


@pytest.mark.parametrize(("command", "printed"), [
    ("wc -c", b"3145728"), ("exit 3", b""), ("echo mine; sleep 30", b"mine")])
def test_without_posix_spawn(monkeypatch: pytest.MonkeyPatch, command: str, printed: bytes) -> None:
    monkeypatch.delattr(os, "posix_spawn")
    monkeypatch.setattr(subprocess, "_USE_POSIX_SPAWN", False, raising=False)  # Python 3.13 would call it
    assert output(command) == printed
    status_line.begin_save(given())


def running(words: str) -> list[str]:
    """The processes with these words."""
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.endswith(words) and not line.startswith("Z")]


def is_gone(words: str) -> bool:
    """Whether these processes end, which were told to."""
    return comes(lambda: not running(words))


def test_what_the_command_leaves_running_goes_on(home: Home, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "drawn")
    command = f"(read line < {tmp_path}/drawn; echo late > {tmp_path}/left) > /dev/null 2>&1 & echo mine"
    assert drawn(home, b"", "--wrap", command) == "mine"
    (tmp_path / "drawn").write_text("now\n")
    home.rests()
    assert (tmp_path / "left").exists()


def test_the_command_ends_when_the_client_ends_the_run(home: Home) -> None:
    words = f"sleep 31.{os.getpid()}"
    with home.start("status_line.py", "--wrap", f"{words}; true") as process:
        assert process.stdin
        process.stdin.close()
        assert comes(lambda: running(words))
        process.terminate()
        assert process.wait(30) == 0
    assert is_gone(words)


# --- the person's own, of a project's line ---


def own_line(tmp_path: Path, command: str) -> JsonObject:
    """The environment of a person with that status line."""
    line = {"type": "command", "command": command}
    (tmp_path / "settings.json").write_text(json.dumps({"statusLine": line}), encoding="utf-8")
    return {"CLAUDE_CONFIG_DIR": str(tmp_path)}


def test_the_persons_own_line_stands_before_a_projects(home: Home, tmp_path: Path) -> None:
    own = own_line(tmp_path, f"cat > {tmp_path}/got; echo it\\'s mine")
    data = json.dumps(given()).encode()
    assert drawn(home, data, "--wrap-own", extra=own) == f"it's mine │ {LINE}"
    assert (tmp_path / "got").read_bytes() == data
    assert drawn(home, given(), "--wrap-own", extra={**own, "COMPACT_KEEPER_OFF": "1"}) == "it's mine"
    assert drawn(home, given(), "--wrap-own", extra={"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}) == LINE
    assert drawn(home, given(), extra=own) == LINE


@pytest.mark.parametrize(("own", "before"), [("", ""), ("--wrap 'echo mine'", "mine │ "), ("--wrap-own", "")])
def test_a_persons_own_line_that_is_ours_is_drawn_once(home: Home, tmp_path: Path, own: str, before: str) -> None:
    command = f"echo run >> {tmp_path}/runs; python3 -IS {SCRIPTS}/run_hook.py status_line.py {own}"
    extra = own_line(tmp_path, command)
    assert drawn(home, given(FULL), "--wrap-own", extra=extra) == f"{before}███████████████████│ ctx 99%"
    assert (tmp_path / "runs").read_text() == "run\n"
    assert marks(home)  # the save is the project's line's


# --- saves ---


def test_each_mark_starts_one_save(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Never push to main.")
    transcript = str(session.write(tmp_path / "transcript.jsonl"))
    every = ["15", "30", "5"]
    steps: list[tuple[int | None, int, list[str]]] = [
        (40_000, 0, []), (50_000, 1, ["30"]), (52_000, 1, ["30"]), (66_000, 2, every), (66_500, 2, every),
        (None, 2, every), (3_000, 2, []), (60_000, 3, ["15", "30"])]
    for tokens, count, there in steps:
        drawn(home, given(tokens, transcript_path=transcript))
        assert saves(home) == count, tokens
        assert marks(home) == [f"saved-at-{mark}" for mark in there]
    events = [json.loads(line) for line in (home.path / "events.jsonl").read_bytes().splitlines()]
    assert [event["on"] for event in events if event["event"] == "save"] == ["Stop"] * 3
    assert home.stored("memory.json")["items"]


def test_of_many_redraws_at_once_one_saves(home: Home) -> None:
    processes = [home.start("status_line.py") for _ in range(12)]
    for process in processes:
        assert process.stdin
        process.stdin.write(json.dumps(given(FULL)).encode())
        process.stdin.close()
    for process in processes:
        assert process.wait(SOON) == 0
        for stream in (process.stdout, process.stderr):
            assert stream
            stream.close()
    assert saves(home) == 1


@pytest.mark.parametrize("how", ["no folder", "off", "no figure", "a link at the mark", "not installed whole"])
def test_no_save(home: Home, tmp_path: Path, how: str) -> None:
    data, extra = given(FULL), {"COMPACT_KEEPER_OFF": "1"} if how == "off" else {}
    if how == "no folder":
        home.session.rmdir()
    if how == "no figure":
        data = given(None)
    if how == "a link at the mark":
        for mark in SAVES_AT:
            (home.session / f"saved-at-{mark}").symlink_to(tmp_path / "aim")
    scripts = SCRIPTS
    if how == "not installed whole":
        scripts = tmp_path / "scripts"
        scripts.mkdir()
        (scripts / "status_line.py").write_bytes((SCRIPTS / "status_line.py").read_bytes())
    done = subprocess.run([sys.executable, "-IS", str(scripts / "status_line.py")], input=json.dumps(data).encode(),
                          capture_output=True, env=home.environment(extra), timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert saves(home) == 0
    assert not (tmp_path / "aim").exists()


def test_a_save_goes_on_when_the_run_is_ended_with_its_group(home: Home, tmp_path: Path) -> None:
    """The client kills the process group of a run as soon as it draws anew."""
    transcript = str(Session().write(tmp_path / "transcript.jsonl"))
    process = subprocess.Popen([sys.executable, "-IS", str(SCRIPTS / "status_line.py")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=home.environment(), start_new_session=True)
    process.communicate(json.dumps(given(FULL, transcript_path=transcript)).encode(), 30)
    with suppress(ProcessLookupError):  # nothing of the run is left in its group
        os.killpg(process.pid, signal.SIGKILL)
    assert saves(home) == 1


# --- when the plugin is uninstalled ---


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """The scripts in the client's copy of the plugin, the settings that start the status line from there."""
    config = tmp_path / "claude"
    scripts = config / "plugins" / "cache" / "market" / "compact-keeper" / "1.0.0" / "scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    command = f'f="$(ls -t {scripts.parents[1]}/*/scripts/run_hook.py | head -n 1)"; '
    command += '[ -f "$f" ] && exec python3 -IS "$f" status_line.py'
    settings = {"model": "opus", "statusLine": {"type": "command", "command": command}}
    (config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return scripts


def drawn_by(scripts: Path, home: Home, plugins: dict[str, object], *arguments: str) -> tuple[str, JsonObject]:
    """What the copy prints where the client lists these plugins, and the settings then."""
    config = scripts.parents[5]
    (config / "plugins" / "installed_plugins.json").write_text(json.dumps({"plugins": plugins}), encoding="utf-8")
    environment = {**home.environment({"NO_COLOR": "1"}), "CLAUDE_CONFIG_DIR": str(config)}
    done = subprocess.run([sys.executable, "-IS", str(scripts / "run_hook.py"), "status_line.py", *arguments],
                          input=json.dumps(given()).encode(), capture_output=True, env=environment, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode(), json.loads((config / "settings.json").read_text(encoding="utf-8"))


def test_it_takes_itself_out_once_the_plugin_is_uninstalled(cached: Path, home: Home) -> None:
    line, settings = drawn_by(cached, home, {"other@market": []})
    assert line == "compact-keeper is uninstalled, and its status line is taken out of your settings\n"
    assert settings == {"model": "opus"}
    assert drawn_by(cached, home, {}) == ("\n", {"model": "opus"})  # a session that goes on with the old settings


def test_what_it_wraps_stays_to_be_seen(cached: Path, home: Home) -> None:
    drawn_by(cached, home, {})
    assert drawn_by(cached, home, {}, "--wrap", "echo mine")[0] == "mine\n"


@pytest.mark.parametrize("arguments", [(), ("--wrap", "echo mine")], ids=["alone", "wrapping"])
def test_it_stays_while_the_plugin_is_listed(cached: Path, home: Home, arguments: tuple[str, ...]) -> None:
    line, settings = drawn_by(cached, home, {"compact-keeper@market": []}, *arguments)
    assert LINE in line
    assert "statusLine" in settings


# --- when the clone is gone ---


def test_it_says_that_the_clone_is_gone_and_saves_nothing(cached: Path, home: Home, tmp_path: Path) -> None:
    market = {"source": {"source": "directory", "path": str(tmp_path / "clone")}}
    (cached.parents[5] / "plugins/known_marketplaces.json").write_text(json.dumps({"market": market}))
    listed: dict[str, object] = {"compact-keeper@market": []}
    assert "the clone that it was installed from is gone" in drawn_by(cached, home, listed)[0]
    assert drawn_by(cached, home, listed, "--wrap", "echo mine")[0].startswith("mine │ compact-keeper is not loaded: ")
    (tmp_path / "clone").mkdir()
    assert LINE in drawn_by(cached, home, listed)[0]


# --- when the plugin is switched off ---


@pytest.mark.rows(1)
@pytest.mark.parametrize("where", ["settings.json", "project/.claude/settings.json",
                                   "project/.claude/settings.local.json"])
def test_while_the_plugin_is_disabled_nothing_of_ours_is_drawn_or_saved(
        cached: Path, home: Home, tmp_path: Path, where: str) -> None:
    config, project = cached.parents[5], tmp_path / "claude/project"
    transcript = str(Session().write(tmp_path / "transcript.jsonl"))
    path = config / where
    path.parent.mkdir(parents=True, exist_ok=True)
    said = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    (config / "plugins/installed_plugins.json").write_text('{"plugins": {"compact-keeper@market": []}}')
    for enabled, line, count in ((False, "mine", 0), (True, "mine │ ███████████████████│ ctx 99%", 1)):
        path.write_text(json.dumps({**said, "enabledPlugins": {"compact-keeper@market": enabled}}), encoding="utf-8")
        data = given(FULL, transcript_path=transcript, workspace={"project_dir": str(project)})
        done = subprocess.run(
            [sys.executable, "-IS", str(cached / "run_hook.py"), "status_line.py", "--wrap", "echo mine"],
            input=json.dumps(data).encode(), capture_output=True, env=home.environment({"NO_COLOR": "1"}), timeout=30)
        assert (done.returncode, done.stderr, done.stdout.decode()) == (0, b"", f"{line}\n")
        assert saves(home) == count
        assert bool(marks(home)) is enabled


# --- how it is started ---


def test_help_is_the_page(home: Home) -> None:
    run: Run = home.run("status_line.py", b"", "--help")
    assert run.stdout.startswith(str(status_line.__doc__).rstrip())


@pytest.mark.parametrize("line", [line for line in str(status_line.__doc__).splitlines() if '{"statusLine"' in line])
def test_the_settings_of_the_page_are_json(line: str) -> None:
    page = str(status_line.__doc__)
    settings, _ = json.JSONDecoder().raw_decode(page[page.index(line):].lstrip())
    assert settings["statusLine"]["command"].startswith('python3 -IS "FOLDER/run_hook.py" status_line.py')
