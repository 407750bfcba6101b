"""What the doctor finds without starting anything: data, settings, log, copies, the times of hooks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.setup import data_findings as looks
from compact_keeper.setup.doctor import QUIRKS, copy_findings
from compact_keeper.setup.finding import Finding
from compact_keeper.setup.installed import Copy, Hook, copies
from compact_keeper.setup.played_session import Play, loop_findings, time_findings
from homes import OUR_FOLDER, Person, plugin_is_installed, tree, write

OFF = '{"disableAllHooks": true}'
Break = Callable[[Person], object]


def of_level(findings: list[Finding], level: str) -> str:
    """What the findings of a level tell, and what to do about it."""
    return "\n".join(f"{finding.what} -> {finding.to_do}" for finding in findings if finding.level == level)


def data(person: Person) -> Path:
    folder = person.home / ".claude" / "compact-keeper"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def old(path: Path, text: str) -> None:
    """Writes a file as of some hours ago."""
    write(path, text)
    os.utime(path, (time.time() - 9_000,) * 2)


def failed_compaction(folder: Path) -> None:
    """A compaction that began, and a transcript that shows its failure."""
    transcript = folder / "transcript.jsonl"
    write(transcript, '{"type":"assistant","isApiErrorMessage":true,"message":{"content":"Prompt is too long"}}\n')
    begun = {"schema": 1, "stage": "begun", "id": "660dbe41a41f3", "offset": 0, "transcript": str(transcript)}
    old(folder / "compaction.json", json.dumps(begun))


def log_line(days: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86_400)) + " x.py: KeyError: 'x'\n"


def test_what_is_wrong_with_the_settings_is_said_once(person: Person) -> None:
    """hook.log has it too, as the hooks that met it said it: that it has lines is said, what they say is not."""
    config = data(person) / "config.json"
    write(config, '{"budget": 600,\n "notes" true}')
    fault = f"{config}: it is not used: line 2, column 10 is not as JSON has it: Expecting ':' delimiter"
    write(data(person) / "hook.log", log_line(0).replace("KeyError: 'x'", fault))
    findings = [*looks.home_findings(), *looks.settings_findings(str(person.project))]
    assert [finding.what for finding in findings if "is not used" in finding.what] == [fault]
    log = data(person) / "hook.log"
    assert (f"{log}: 1 line in the last 7 days, on settings alone (a setting that is still wrong is named in a line of "
            "its own)" in of_level(findings, "ok"))
    write(log, log.read_text(encoding="utf-8") + log_line(0))
    [noted] = [finding.what for finding in looks.home_findings() if finding.level == "note"]
    on_settings = "1 more on settings; one that is still wrong is named in a line of its own"
    assert noted.startswith(f"{log}: 1 line in the last 7 days ({on_settings}), the last: ")


def wired(person: Person, command: str) -> None:
    """A hook in the project's settings."""
    write(person.project / ".claude/settings.json",
          json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}))


def old_script(person: Person) -> None:
    """A copy by hand of an older version."""
    write(person.project / ".claude/hooks/record_event.py", 'VERSION = "0.0.9"\n')
    wired(person, 'python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/record_event.py" || true')


def clone_is(person: Person, folder: Path) -> None:
    """The plugin, installed from a clone in this folder (2.1.76 to 2.1.330)."""
    plugin_is_installed(person, folder=Path(__file__).resolve().parents[3])
    source = {"source": "directory", "path": str(folder)}
    write(person.home / ".claude/plugins/known_marketplaces.json",
          json.dumps({"market": {"source": source, "installLocation": str(folder)}, "other": {"source": "x"}}))


def twice(person: Person) -> None:
    plugin_is_installed(person, folder=Path(__file__).resolve().parents[3])
    wired(person, f'sh "$CLAUDE_PROJECT_DIR/.claude/{OUR_FOLDER}/run" save_snapshot')


FAULTS: dict[str, tuple[str, Break, str]] = {
    "open-file": ("fix", lambda person: write(data(person) / "events.jsonl", "", 0o644), "chmod -R go= "),
    "open-folder": ("fix", lambda person: data(person).chmod(0o755), "others may read it"),
    "draft": ("note", lambda person: old(data(person) / "memory.json.77.tmp", ""), "memory.json.77.tmp"),
    "begun": ("note", lambda person: failed_compaction(data(person)), "a compaction began and did not finish"),
    "log": ("note", lambda person: write(data(person) / "hook.log", log_line(9) + log_line(0)),
            "1 line in the last 7 days"),
    "config-broken": ("fix", lambda person: write(data(person) / "config.json", "{"), "config.json: it is not used"),
    "config-unknown": ("fix", lambda person: write(data(person) / "config.json", '{"budgett": 9}'),
                       "budgett is not used: there is no such setting -> Take it out, or mend its name."),
    "config-of-project": ("fix", lambda person: write(person.project / ".claude/compact-keeper.json", '{"budget": 5}'),
                          "compact-keeper.json: budget is not used: it is a whole number from 500 to 28,500"),
    "settings-broken": ("fix", lambda person: person.write_settings('{\n"a": 1,\n}'), "settings.json, line "),
    "settings-fifo": ("fix", lambda person: os.mkfifo(data(person).parent / "settings.json"), "settings.json"),
    "hooks-off": ("fix", lambda person: person.write_settings(OFF), "disableAllHooks"),
    "hooks-off-here": ("fix", lambda person: write(person.project / ".claude/settings.local.json", OFF),
                       "settings.local.json: disableAllHooks"),
    "plugin-off": ("fix", lambda person: plugin_is_installed(person, enabled=False),
                   "claude plugin enable compact-keeper@"),
    "plugin-empty": ("fix", plugin_is_installed, "it has no hooks"),
    "clone-gone": ("fix", lambda person: clone_is(person, person.home / "moved"), "its marketplace, is gone"),
    "twice": ("fix", twice, "Installed 2 times"),
    "old-script": ("note", old_script, "record_event.py is 0.0.9; these scripts are"),
    "nothing-installed": ("note", lambda _: None, "not installed for this folder"),
}


def examined(person: Person) -> list[Finding]:
    """All that is found without starting anything."""
    project = str(person.project)
    return [*copy_findings(copies(project)), *looks.home_findings(), *looks.settings_findings(project)]


@pytest.mark.parametrize(("level", "break_it", "what"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_is_found_and_nothing_is_written(person: Person, level: str, break_it: Break, what: str) -> None:
    break_it(person)
    before = tree(person.home)
    findings = examined(person)
    assert what in of_level(findings, level)
    assert tree(person.home) == before
    assert sum(finding.level == "fix" for finding in findings) == (level == "fix")


@pytest.mark.parametrize(("put", "why"), [
    (lambda home: write(home, ""), "nothing can be kept in the data folder {}: {}: Not a directory"),
    (lambda home: write(home / "sessions", ""), "nothing can be kept in the data folder {}: {}/sessions: "),
    (None, "nothing is kept: the data folder relative/home is no full path")], ids=["file", "sessions", "relative"])
def test_a_data_folder_in_which_nothing_can_be_kept_is_found(
        person: Person, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], object] | None, why: str) -> None:
    home = person.home / "data"
    if put:
        put(home)
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home) if put else "relative/home")
    before = tree(person.home)
    fault = of_level([*looks.home_findings()], "fix")
    assert why.replace("{}", str(home)) in fault
    assert "full path" in fault
    assert tree(person.home) == before


def test_a_data_folder_that_would_be_made_is_sound_and_not_made(
        person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    home = person.home / "new" / "data"
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home))
    assert [*looks.home_findings()] == [Finding("ok", f"no data yet in {home}")]
    assert not home.parent.exists()


def test_a_clone_that_is_there_is_no_fault(person: Person) -> None:
    clone_is(person, person.home)
    assert "marketplace" not in of_level(examined(person), "fix")


def test_the_parts_of_the_data_are_told_with_their_size(person: Person) -> None:
    for name in ("sessions/s1/memory.json", "archive.db", "archive.db-wal", "events.jsonl"):
        write(data(person) / name, "x" * 200_000)
    findings = of_level([*looks.data_findings(str(data(person)))], "ok")
    assert "archive 0.2 MB, events and log 0.2 MB, sessions 0.2 MB (the archive may have 1,024 MB)" in findings


def played(**more: Any) -> Play:
    """A session in which all went well, but for what is said."""
    sound: dict[str, Any] = {
        "printed": {"SessionStart": "- Edited /srv/quote.py\\n Never rename the quay_ledger table.",
                    "UserPromptSubmit": "pytest tests/test_quote.py failed"},
        "faults": {}, "seconds": {},
        "events": [{"event": "save", "on": "PreCompact"}, {"event": "audit", "left_out": 1}]}
    return Play(**{**sound, **more})


def test_each_setting_that_is_not_used_is_a_finding(person: Person) -> None:
    write(data(person) / "config.json", '{"gate": 1, "budget": 5, "max_items": 30}')
    findings = [finding.what.rpartition("config.json: ")[2] for finding in looks.settings_findings(str(person.project))]
    assert findings == ['gate is not used: it is "off" or "hold"',
                        "budget is not used: it is a whole number from 500 to 28,500"]


def test_each_part_of_the_loop_is_told_of() -> None:
    assert [finding.level for finding in loop_findings(played(), has_audit=True)] == ["ok"] * 5
    [*steps, complaint] = loop_findings(played(faults={"KeyError": ["Stop", "Stop"]}), has_audit=True)
    assert {finding.level for finding in steps} == {"ok"}
    assert complaint == Finding("note", "complaints on the way: KeyError (at Stop)", "It works all the same.")
    broken = [*loop_findings(played(events=[], faults={"no end": ["Stop"]}), has_audit=True)]
    assert [finding.what.partition(":")[0] for finding in broken if finding.level == "fix"] == [
        "not saved before the compaction", "not compared"]
    assert [finding.to_do for finding in broken if finding.level == "fix"] == ["Why: no end (at Stop)", "See above."]


def test_a_hook_that_takes_a_quarter_of_its_time_is_named_and_of_the_others_the_slowest_that_is_waited_for() -> None:
    slow, quick = (Hook("Stop", f"sh /x/hooks/run {name} || true", 10) for name in ("save_snapshot", "record_event"))
    beside = Hook("PostToolUse", "sh /x/hooks/run record_event --record", 20, is_beside=True)
    strange = Hook("Stop", "make lint", 10)
    plays = [played(seconds={slow: seconds, quick: 2.4, beside: 4.0, strange: 9.0}) for seconds in (0.1, 2.6, 2.7)]
    named = Finding("note", "Stop, save_snapshot: 2600 ms (the start of Python alone takes 20 ms)",
                    "Look for what slows new processes down.")
    assert [*time_findings([slow, quick, beside, strange], plays, 0.02)] == [
        named, Finding("ok", "Claude waits for compact-keeper at most 2600 ms in this try (Stop, save_snapshot; "
                             "the start of Python alone takes 20 ms)")]
    assert [*time_findings([quick, beside], plays, 0.02)] == [
        Finding("ok", "Claude waits for compact-keeper at most 2400 ms in this try (Stop, record_event; "
                      "the start of Python alone takes 20 ms)")]
    assert [*time_findings([beside, strange], plays, 0.02)] == []


def test_a_copy_that_is_found_is_told_with_its_place() -> None:
    copy = Copy("copied for this user", "/x", "0.9.0", True, [Hook("Stop", "sh /x/run save_snapshot", 5)], "", "", [])
    assert [*copy_findings([copy._replace(version="99.0.0")])] == [Finding("ok", "copied for this user, 99.0.0: /x")]


def test_clients_stand_in_the_order_of_their_versions() -> None:
    last = [tuple(map(int, version.split("."))) for version, *_ in QUIRKS]
    assert last == sorted(last)


@pytest.mark.parametrize(("own", "of_project", "remedy"), [
    ('{"budget": 100}', "{}", "Mend that in the file; until then it counts as not there."),
    ('{"budget": 900,}', "{}", "Mend that in the file; until then the file counts as not there."),
    ('{"bugdet": 900}', "{}", "Take it out, or mend its name."),
    ('{"gate": "hold"}', '{"gate": "off"}', "your config.json's value holds, without one the default."),
    ('{"archive": false}', '{"archive": true}', "your config.json's value holds, without one the default."),
    ('{"budget": 900}', '{"budget": "few"}', "Mend that in the file; until then it counts as not there."),
])
def test_how_a_setting_that_is_not_used_is_mended(person: Person, own: str, of_project: str, remedy: str) -> None:
    write(data(person) / "config.json", own)
    write(person.project / ".claude/compact-keeper.json", of_project)
    [finding] = looks.settings_findings(str(person.project))
    assert finding.to_do.endswith(remedy)
