"""What mutants are made of: hook inputs, transcript records and messages as they should be, of every shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planted import story
from sessions import CWD, JsonObject, Session, crowded, hook_input

TOOLS: tuple[JsonObject, ...] = (
    {"tool_name": "Bash", "tool_input": {"command": "make test 2>&1 | tail", "description": "Test"},
     "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}},
    {"tool_name": "Bash", "tool_input": {"command": "serve &", "run_in_background": True},
     "tool_response": {"stdout": "", "backgroundTaskId": "b1"}},
    {"tool_name": "PowerShell", "tool_input": {"command": "Get-Item x", "timeout": 5000}, "tool_response": "ok"},
    {"tool_name": "Edit", "tool_input": {"file_path": f"{CWD}/a.py", "old_string": "1", "new_string": "2"},
     "tool_response": {"filePath": f"{CWD}/a.py", "structuredPatch": [{"oldStart": 1, "lines": ["-1", "+2"]}]}},
    {"tool_name": "MultiEdit", "tool_input": {"file_path": f"{CWD}/a.py", "edits": [{"old_string": "1"}]},
     "tool_response": {"edits": []}},
    {"tool_name": "Write", "tool_input": {"file_path": f"{CWD}/b.py", "content": "x\n"},
     "tool_response": {"type": "create"}},
    {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": f"{CWD}/n.ipynb", "new_source": "1"},
     "tool_response": {}},
    {"tool_name": "Task", "tool_input": {"prompt": "Look.", "subagent_type": "Explore", "description": "Look"},
     "tool_response": {"status": "async_launched", "agentId": "a1", "outputFile": "/tmp/a1.output"}})
PROMPTS = ("Never push to main. Fix the parser in src/rates.py.", "continue", "/compact-keeper:show",
           "/compact-keeper:pins", "/compact-keeper:show why", "/compact-keeper:show notes",
           "/compact-keeper:pin Keep the omega flag.",
           "/compact-keeper:pin --project Never rebase.", "/compact-keeper:unpin 1", "/compact-keeper:stats",
           "/compact-keeper:stats global", "/compact-keeper:restore", "<task-notification><task-id>b1</task-id>")
SUMMARY = ("1. Primary Request: fix the parser in src/rates.py.\n2. Rules: never push to main.\n- All tests pass.\n"
           "- Created `src/zones.py` and deleted `src/old.py`; committed as 5b23401.\nPending: write the changelog.")
STATUS = {"model": {"id": "claude-opus-5"}, "workspace": {"current_dir": CWD}, "version": "2.1.329",
          "exceeds_200k_tokens": False, "cost": {"total_cost_usd": 0.1}, "context_window": {
              "context_window_size": 200_000, "current_usage": {
                  "input_tokens": 150_000, "output_tokens": 9, "cache_creation_input_tokens": 0,
                  "cache_read_input_tokens": 100}}}


def hook_inputs(transcript: Path, project: Path) -> list[tuple[str, JsonObject]]:
    """Inputs as they should be, of every event of every hook."""
    def given(event: str, **fields: Any) -> JsonObject:
        made: JsonObject = hook_input(event, transcript, **{"cwd": str(project), **fields})
        return made

    ids = {"tool_use_id": "toolu_1", "duration_ms": 7, "permission_mode": "default"}
    tools = [("record_event.py", given("PostToolUse", **ids, **tool)) for tool in TOOLS]
    failed = [("record_event.py", given("PostToolUseFailure", **ids, **{
        **tool, "error": "Exit code 2\nerror: no such file", "is_interrupt": False})) for tool in TOOLS[:4]]
    prompts = [("answer_prompt.py", given("UserPromptSubmit", prompt=prompt)) for prompt in PROMPTS]
    agents = [("record_event.py", given(event, agent_id="a1", agent_type="Explore", last_assistant_message="Done."))
              for event in ("SubagentStart", "SubagentStop")]
    starts = [("restore_snapshot.py", given("SessionStart", source=source, model="claude-opus-5"))
              for source in ("compact", "compact", "resume", "startup", "clear")]
    return [*tools, *failed, *prompts, *agents, *starts,
            ("save_snapshot.py", given("Stop", stop_hook_active=False, last_assistant_message="Done.")),
            ("save_snapshot.py", given("PreCompact")),
            ("save_snapshot.py", given("PreCompact", trigger="manual", custom_instructions="keep it")),
            ("restore_snapshot.py", given("UserPromptSubmit", prompt="continue")),
            ("restore_snapshot.py", given("SessionEnd", reason="exit")),
            ("audit_summary.py", given("PostCompact", trigger="auto", compact_summary=SUMMARY)),
            ("status_line.py", given("Status", **STATUS))]


def records() -> list[JsonObject]:
    """Records as clients write them, of every shape: planted stories, what tests make up, a session of everything."""
    session = Session(10**6)
    session.queued("Always sign.")
    session.rejected("Bash", "use make", command="x")
    session.rejected("Bash", command="rm -rf build")
    session.todos(Ship="pending", Read="in_progress")
    session.created(1, "Ship")
    session.updated(1, status="completed")
    session.answered(session.posed("Which?"), "Which?", "This")
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# Plan\n- [ ] Pack")
    session.ran("Read", "def load_rates(rate_table):\n    return rate_table\n", file_path=f"{CWD}/a.py")
    session.ran("Grep", f"{CWD}/a.py:2:def load_rates\n", pattern="x")
    session.ran("Bash", "[main 5b23401] Add rates\n 1 file", command="git commit -m 'Add rates'")
    session.ran("mcp__db__query", [{"type": "text", "text": "3 rows"}], sql="select 1")
    session.ran("Bash", "ok", command="echo '… build' && make build")
    session.progress("ok")
    session.request_blob("Never push.")
    session.says("We'll use decimals because floats round wrongly. All tests pass now.\n- [ ] Ship\nShall I go on?")
    session.compacted(SUMMARY)
    stories = [record for number in (0, 1, 4, 6) for record in story(7, number).records[:300]]
    return [*session.records, *stories, *crowded("word").records[:16]]


REQUESTS: tuple[tuple[str, JsonObject], ...] = (
    ("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
    ("tools/list", {}), ("ping", {}),
    ("tools/call", {"name": "search_history", "arguments": {"query": '"never push" rat*', "project": ".", "limit": 3,
                                                            "since": "7d", "until": "2026-11-21", "kind": "prompt"}}),
    ("tools/call", {"name": "show_turn", "arguments": {"id": 1, "context": 2, "page": 1}}))
MESSAGES = [{"jsonrpc": "2.0", "id": 1, "method": method, "params": params} for method, params in REQUESTS]
LOOKS = (  # what people use to see or find something: a script, the prompt or the arguments
    *(("answer_prompt.py", prompt) for prompt in (
        "/compact-keeper:show why", "/compact-keeper:show notes", "/compact-keeper:stats global", "go on")),
    ("status_line.py", ""), ("recall.py", "index --quiet TRANSCRIPT"), ("recall.py", "search never rates"),
    ("stats.py", "stats --json SESSION"), ("stats.py", "report SESSION"))
BAITED = (  # what is repeated, beside what each pattern asks for
    "a", " ", "\n", "(", "<", "[", "`", "'", '"', "a.", "a b ", "/a", "-a ", "A_", "1", "==", ": ", "\x1b]", "\xe9",
    "x? ", "<system-reminder>", "- [ ] x\n", "Never x. ", "```\n", "\u3042", "a\u0301", "\ufdfa", "1.", "\\", "a/b.c ")


def baited_sessions(text: str) -> list[Session]:
    """Sessions in which the text was typed and said; was printed, run and planned."""
    words, calls = Session(), Session()
    words.typed(text)
    words.says(text)
    words.typed(f"Never push. {text}")
    words.rejected("Bash", text, command="x")
    words.queued(text)
    calls.typed("Fix it.")
    calls.failed("Bash", text, command="make test")
    calls.ran("Bash", text, command="git status; ls")
    calls.ran("Bash", "ok", command=text)
    calls.ran("Grep", text, pattern=text)
    calls.ran("Read", text, file_path=f"{CWD}/a.py")
    calls.ran("Write", file_path=f"{CWD}/PLAN.md", content=text)
    calls.ran("ExitPlanMode", "User has approved your plan.", plan=text)
    calls.ran("TaskCreate", text, subject=text)
    calls.ran("Agent", text, prompt=text)
    return [words, calls]
