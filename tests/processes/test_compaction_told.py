"""What each hook knows of a compaction is told as one by events.jsonl, stats, report and status line."""

from __future__ import annotations

import json
import time
from pathlib import Path

from sessions import CWD, SESSION_ID, START, Home, Session, hook_input

TYPED = "keep the rounding; password=hunter2hunter2"
SAID = "the summary said 1 thing that the record contradicts"


def test_all_tell_the_same_of_a_compaction(tmp_path: Path) -> None:
    home, session = Home(tmp_path / "home"), Session()
    session.typed("Fix the rates. Never touch the legacy table.")
    session.ran("TodoWrite", todos=[{"content": "Map the island postcodes", "status": "pending", "activeForm": "x"}])
    transcript = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    home.run("save_snapshot.py", hook_input("PreCompact", transcript, trigger="manual", custom_instructions=TYPED))
    assert home.restore(transcript).restored
    summary = 'The task "Map the island postcodes" is completed. The user said: never touch the legacy table.'
    home.run("audit_summary.py", hook_input("PostCompact", transcript, compact_summary=summary, trigger="manual"))
    waiting = home.run("status_line.py", {"session_id": SESSION_ID}).stdout
    assert "1 error found in the summary, the model will be told" in waiting
    later = Session(int(time.time()) - START)
    later.system("compact_boundary", compactMetadata={"trigger": "manual", "preTokens": 150_123, "postTokens": 9_045})
    later.says("On I go.")
    with transcript.open("ab") as file:
        file.write(later.as_bytes())
    home.record(hook_input("PostToolUse", transcript, tool_name="Read", tool_input={"file_path": "/srv/a"}))
    home.run("save_snapshot.py", hook_input("Stop", transcript))

    events = [json.loads(line) for line in (home.path / "events.jsonl").read_bytes().splitlines()]
    of_it = {event["event"]: event for event in events if event.get("on") != "Stop"}
    assert len({of_it[name]["id"] for name in ("save", "restore", "audit")}) == 1
    assert of_it["save"]["typed"] == "keep the rounding; password=[redacted: password]"
    [facts] = json.loads(home.run("stats.py", b"", "stats", SESSION_ID, "--json").stdout)["each"]
    assert {name: facts[name] for name in ("trigger", "typed", "tokens_before", "tokens_after", "model_knows")} == {
        "trigger": "manual", "typed": of_it["save"]["typed"], "tokens_before": 150_123, "tokens_after": 9_045,
        "model_knows": True}
    assert facts["units"] == of_it["restore"]["units"]
    shown = " ".join(home.run("stats.py", b"", "stats", SESSION_ID).stdout.split())
    home.run("stats.py", b"", "report", SESSION_ID, "-o", str(tmp_path / "page.html"))
    page = " ".join((tmp_path / "page.html").read_text(encoding="utf-8").split())
    for words in ("by hand", "keep the rounding; password=[redacted: password]", "150,123", "9,045"):
        assert words in shown
        assert words in page
    assert f"{SAID} (the model was told)" in shown
    assert f"{SAID[1:]} (the model was told)" in page
    line = home.run("status_line.py", {"session_id": SESSION_ID}).stdout
    assert "1 error found in the summary, told to the model" in line
    assert "hunter2" not in f"{shown}{page}{events}"
    assert CWD not in json.dumps(events)
