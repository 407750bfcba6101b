"""Each built script copied alone into an empty folder: it does its event or command fully.

What another script would do that is not beside it costs one clear line and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deliveries import OTHER, begun_home, events, grow, silent, stage
from sessions import CWD, SCRIPTS, SESSION_ID, Home, JsonObject, Run, Session, hook_input

ALL_SCRIPTS = ("record_event", "answer_prompt", "save_snapshot", "restore_snapshot", "audit_summary", "recall", "stats",
               "status_line", "install")
HOOKS = ALL_SCRIPTS[:5]
RULE, SECRET = "Never touch the legacy table.", "hunter2hunter2"


class Alone:
    """A copy of one script in a folder of its own, run by a person who has nothing else."""

    def __init__(self, name: str, folder: Path, home: Home) -> None:
        folder.mkdir(parents=True)
        self.path = Path(shutil.copy(SCRIPTS / f"{name}.py", folder))
        self.home = home

    def run(self, data: bytes | JsonObject = b"", *arguments: object, **extra: str) -> Run:
        done = self.home.run(str(self.path), data, *map(str, arguments), extra={"PYTHONDONTWRITEBYTECODE": "", **extra})
        assert list(self.path.parent.iterdir()) == [self.path]
        return done


Copy = Callable[[str], Alone]


@pytest.fixture
def alone(tmp_path: Path, home: Home) -> Copy:
    """Makes the copy of a script."""
    return lambda name: Alone(name, tmp_path / "alone", home)


def worked() -> Session:
    """A rule, a task, an edited file, a command that passed and one that failed."""
    session = Session()
    session.typed(f"Fix the rates. {RULE}")
    session.todos(Write_the_docs="in_progress")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    session.ran("Bash", command="make lint")
    session.failed("Bash", "Exit code 2\nValueError: zone 7 has no rate", command="make test")
    return session


def page_of(name: str) -> str:
    """The docstring of the built script."""
    return (SCRIPTS / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[1]


def test_these_are_all() -> None:
    assert {path.stem for path in SCRIPTS.glob("*.py")} == {*ALL_SCRIPTS, "run_hook"}


@pytest.mark.parametrize("name", ALL_SCRIPTS)
def test_its_page(alone: Copy, home: Home, name: str) -> None:
    done = alone(name).run(b"", "--help")
    assert (done.code, done.stderr) == (0, "")
    first = page_of(name).splitlines()[0]
    assert first in done.stdout
    assert not home.path.exists()


# --- each does what it is for ---


def test_record_event(alone: Copy, home: Home) -> None:
    call = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": f"login --password={SECRET}"}}
    error = "Exit code 1\nerror: no such user"
    assert silent(alone("record_event").run({**hook_input("PostToolUseFailure"), **call, "error": error}))
    [line] = home.ledger()
    assert (line["event"], line["tool"], line["ok"], line["exit"]) == ("tool", "Bash", False, 1)
    assert line["command"] == "login --password=[redacted: password]"
    assert "no such user" in line["error"]
    assert SECRET not in json.dumps(line)
    assert home.log() == []


@pytest.mark.rows(1)
@pytest.mark.parametrize("archive", ["", "off"])
def test_save_snapshot(alone: Copy, home: Home, transcript: Path, archive: str) -> None:
    """Also where the archive is on: it takes in what later saves, with recall.py, name."""
    script = alone("save_snapshot")
    done = script.run(hook_input("PreCompact", worked().write(transcript)), COMPACT_KEEPER_ARCHIVE=archive)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("compact-keeper: messages, tasks, edits")
    items = {(item["kind"], item["text"]): item for item in home.stored("snapshot.json")["items"]}
    assert {("rule", RULE), ("task", "Write the docs"), ("action", "rates.py"), ("action", "make lint"),
            ("action", "make test")} <= set(items)
    assert "zone 7 has no rate" in items["action", "make test"]["result"]
    assert stage(home) == "begun"
    assert home.log() == []
    shown = script.run(b"", "--dry-run", transcript)
    assert (shown.code, json.loads(shown.stdout)["session"]) == (0, SESSION_ID)


def test_restore_snapshot(alone: Copy, home: Home, transcript: Path) -> None:
    home.save(worked().write(transcript))
    script, event = alone("restore_snapshot"), hook_input("SessionStart", transcript, source="compact")
    text = script.run(event).restored
    for words in (RULE, "Write the docs", "rates.py", "make lint", "make test", "ValueError: zone 7 has no rate"):
        assert words in text
    assert "(As of " not in text
    assert silent(script.run(event))
    grow(home, transcript, "2.1.330", "boundary")  # the client lost it
    repaired = script.run(hook_input("UserPromptSubmit", transcript, prompt="Go on."))
    assert RULE in repaired.restored
    assert stage(home) == "repaired"
    assert home.log() == []


def test_restore_snapshot_says_what_it_could_not_have_saved(alone: Copy, home: Home, transcript: Path) -> None:
    home.save(worked().write(transcript))
    grow(home, transcript, "2.1.330", "answer")
    script, event = alone("restore_snapshot"), hook_input("SessionStart", transcript, source="compact")
    text = script.run(event).restored
    assert len(re.findall(r"\(As of \d\d:\d\d: what came after could not be read\.\)", text)) == 1
    assert RULE in text
    assert home.log() == []
    other = transcript.with_name(f"{OTHER}.jsonl")  # a session that was saved never
    shutil.copy(transcript, other)
    done = script.run({**event, "session_id": OTHER, "transcript_path": str(other)})
    assert set(json.loads(done.stdout)) == {"systemMessage"}
    assert "save_snapshot.py cannot be started" in done.stdout
    assert "/compact-keeper" not in done.stdout  # which no copy alone would meet
    assert f"restore_snapshot.py --now {OTHER} prints what was saved" in done.stdout
    [line] = home.log()
    assert "save_snapshot.py cannot be started" in line
    assert silent(script.run({**event, "session_id": OTHER, "transcript_path": str(other), "agent_id": "a1"}))
    assert len(home.log()) == 2


def test_answer_prompt(alone: Copy, home: Home) -> None:
    script, prompt = alone("answer_prompt"), hook_input("UserPromptSubmit")
    pinned = script.run({**prompt, "prompt": f"/compact-keeper-pin The port is 3334, password={SECRET}"})
    assert "Pinned" in json.loads(pinned.stdout)["systemMessage"]
    assert "The port is 3334, password=[redacted: password]" in script.run(
        {**prompt, "prompt": "/compact-keeper-pins"}).restored
    note = {"schema": 1, "id": "a1b2", "text": "compact-keeper: the summary dropped 2 rules"}
    (home.session / "note.json").write_text(json.dumps(note), encoding="utf-8")
    assert script.run({**prompt, "prompt": f"Go on with {SECRET}1A=."}).restored == note["text"]
    [line] = home.ledger()
    assert line["event"] == "prompt"
    assert silent(script.run({**prompt, "prompt": "Go on."}))
    assert home.log() == []


@pytest.mark.parametrize(("command", "missing"), [("show", "save_snapshot.py"), ("stats", "stats.py")])
def test_answer_prompt_says_which_script_is_missing(
        alone: Copy, home: Home, transcript: Path, command: str, missing: str) -> None:
    worked().write(transcript)
    done = alone("answer_prompt").run(
        hook_input("UserPromptSubmit", transcript, prompt=f"/compact-keeper-{command}"))
    [_, answer] = [line for line in done.restored.splitlines() if line]
    assert answer == f"compact-keeper: {missing} gave no answer; is it beside answer_prompt.py?"
    [line] = home.log()
    assert line.endswith(f"{missing} is not beside this script; what it does is left out")


def test_answer_prompt_with_a_delivery_that_waits(alone: Copy, tmp_path: Path, transcript: Path) -> None:
    """What restore_snapshot.py would look for is left out; the note goes out all the same."""
    home = begun_home(tmp_path, transcript)
    grow(home, transcript, "2.1.330", "boundary")
    (home.session / "note.json").write_text('{"schema": 1, "text": "A note."}', encoding="utf-8")
    before = home.stored("compaction.json")
    done = alone("answer_prompt").run(hook_input("UserPromptSubmit", transcript, prompt="Go on."))
    assert (done.restored, done.stderr) == ("A note.", "")
    [line] = home.log()
    assert line.endswith("restore_snapshot.py is not beside this script; what it does is left out")
    assert home.stored("compaction.json") == before


def test_audit_summary(alone: Copy, home: Home, transcript: Path) -> None:
    home.save(worked().write(transcript), "Stop")
    line = {"schema": 1, "event": "tool", "tool": "Bash", "time": "2999-01-01T00:00:00.000Z", "command": "pytest",
        "ok": False,
            "exit": 1, "error": "1 failed"}
    (home.session / "ledger.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    summary = "- The user said to always squash every commit.\n- All tests pass."
    assert silent(alone("audit_summary").run(hook_input("PostCompact", transcript, compact_summary=summary)))
    note = home.stored("note.json")["text"]
    assert RULE in note
    assert "All tests pass" in note
    assert len(events(home, "audit")) == 1
    assert home.log() == []


def test_audit_summary_of_a_session_that_went_on(alone: Copy, tmp_path: Path, transcript: Path) -> None:
    """What save_snapshot.py would have added is not compared; the rest is."""
    home = begun_home(tmp_path, transcript)
    grow(home, transcript, "2.1.330", "answer")
    data = hook_input("PostCompact", transcript, compact_summary="- The user said to always squash every commit.")
    assert silent(alone("audit_summary").run(data))
    assert RULE in home.stored("note.json")["text"]
    assert len(home.log()) <= 1


def test_recall(alone: Copy, home: Home, transcript: Path) -> None:
    home.path.mkdir()
    (home.path / "config.json").write_text('{"archive_days": 36500}', encoding="utf-8")
    script = alone("recall")
    indexed = script.run(b"", "index", worked().write(transcript), "--quiet", COMPACT_KEEPER_ARCHIVE="")
    assert (indexed.code, indexed.stderr) == (0, "")
    hits = script.run(b"", "search", "zone rate", "--json", COMPACT_KEEPER_ARCHIVE="")
    assert (hits.code, hits.stderr) == (0, "")
    assert "ValueError: zone 7 has no rate" in hits.stdout
    assert "legacy table" in script.run(b"legacy", "ask", COMPACT_KEEPER_ARCHIVE="").stdout
    assert home.log() == []


def test_stats(alone: Copy, home: Home, tmp_path: Path, transcript: Path) -> None:
    home.save(worked().write(transcript))
    home.restore(transcript)
    script = alone("stats")
    shown = script.run(b"", "stats", SESSION_ID)
    assert (shown.code, shown.stderr) == (0, "")
    assert SESSION_ID[:8] in shown.stdout
    assert json.loads(script.run(b"", "--global", "--json").stdout)["schema"] == 1
    report = tmp_path / "report.html"
    assert script.run(b"", "report", SESSION_ID, "-o", report).code == 0
    assert report.read_text(encoding="utf-8").startswith("<!")


def test_status_line(alone: Copy, home: Home, transcript: Path) -> None:
    home.save(worked().write(transcript))
    before = home.stored("memory.json")
    script = alone("status_line")
    window = {"context_window_size": 200_000, "current_usage": {"input_tokens": 150_000, "output_tokens": 0}}
    for _ in range(2):  # a mark is reached: no script is there that would save, and the line is the same
        done = script.run({**hook_input("", transcript), "context_window": window}, NO_COLOR="1")
        assert (done.code, done.stderr) == (0, "")
        assert re.search(r"ctx 90% · saved \S+ .*1 open task", done.stdout)
    assert "of another" in script.run(hook_input(""), "--wrap", "echo of another").stdout
    assert home.stored("memory.json") == before
    assert home.log() == []


def test_install(alone: Copy, home: Home) -> None:
    script = alone("install")
    status = script.run(b"", "status")
    assert (status.code, status.stderr) == (0, "")
    assert "Last save: never" in status.stdout
    refused = script.run(b"", "install", "--user")
    assert (refused.code, refused.stdout) == (1, "")
    [line] = refused.stderr.splitlines()
    assert "hooks.json is missing" in line
    assert "run install.py of a clone or of the plugin" in line
    doctor = script.run(b"", "doctor")
    assert (doctor.code, doctor.stderr) == (1, "")
    assert "there are no hooks that could be tried" in doctor.stdout
    assert not home.path.exists()


# --- the settings that its page shows ---


def snippets(name: str, key: str) -> list[JsonObject]:
    """The settings in the docstring of the built script, as they stand there."""
    page = page_of(name)
    starts = [match.start() for match in re.finditer(rf'^ +\{{"{key}":', page, re.MULTILINE)]
    return [json.JSONDecoder().raw_decode(page[start:].lstrip())[0] for start in starts]


def as_the_client_does(command: str, home: Home, project: Path) -> subprocess.CompletedProcess[str]:
    """The command of a setting, run in a shell; stdin is no JSON, which a hook tells in its log."""
    environment = home.environment({"CLAUDE_PROJECT_DIR": str(project), "COMPACT_KEEPER_DEBUG": "1"})
    return subprocess.run(["sh", "-c", command], input="no JSON", capture_output=True, text=True, env=environment,
                          cwd=project, timeout=30)


@pytest.mark.parametrize("name", HOOKS)
def test_the_settings_on_its_page_start_it(home: Home, tmp_path: Path, name: str) -> None:
    project = tmp_path / "a project"
    (project / ".claude" / "hooks").mkdir(parents=True)
    [snippet] = snippets(name, "hooks")
    [(event, entries)] = snippet["hooks"].items()
    ours = json.loads((SCRIPTS.parent / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"][event]
    in_plugin = [group for group in ours if name in json.dumps(group)]
    if name == "record_event":  # of a copy both parts are one command, which is waited for
        hook = {**in_plugin[0]["hooks"][0], "command": f"{name} || true"}
        in_plugin[0]["hooks"] = [hook]
    if name == "answer_prompt":  # a copy is always waited for
        in_plugin[0]["hooks"][0]["command"] = f"{name} || true"
    assert [shape_of(entry, name) for entry in entries] == [shape_of(group, name) for group in in_plugin]
    for number, entry in enumerate(entries, 1):
        [hook] = entry["hooks"]
        missing = as_the_client_does(hook["command"], home, project)
        assert (missing.returncode, missing.stdout) == (0, "")  # a copy that is gone costs the user nothing
        copy = shutil.copy(SCRIPTS / f"{name}.py", project / ".claude" / "hooks")
        done = as_the_client_does(hook["command"], home, project)
        assert (done.returncode, done.stdout) == (0, "")
        assert re.search(rf"Z {name}\.py: .*\n\Z", done.stderr)
        assert len(home.log()) == number
        os.unlink(copy)


def shape_of(group: JsonObject, name: str) -> tuple[object, ...]:
    """What an entry of settings says beside where its script lies."""
    [hook] = group["hooks"]
    arguments = hook["command"].partition(name)[2].removeprefix('.py"')
    return group.get("matcher"), hook["type"], hook["timeout"], arguments


def test_the_settings_on_the_status_lines_page_start_it(home: Home, tmp_path: Path) -> None:
    for name in ("status_line", "run_hook"):
        shutil.copy(SCRIPTS / f"{name}.py", tmp_path)
    plain, wrapping = (snippet["statusLine"] for snippet in snippets("status_line", "statusLine"))
    for setting, expected in ((plain, ""), (wrapping, "theirs")):
        assert setting["type"] == "command"
        command = setting["command"].replace("FOLDER", str(tmp_path)).replace("COMMAND", "echo theirs")
        done = as_the_client_does(command, home, tmp_path)
        assert done.returncode == 0
        assert "status_line.py: JSONDecodeError" in done.stderr
        assert expected in done.stdout
