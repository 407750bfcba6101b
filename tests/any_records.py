"""Strategies for hypothesis: records of a transcript and events of a ledger, of which each field may be anything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sessions import REJECTION_WORDS, JsonObject

any_text = st.text(st.characters(), max_size=60)  # with lone surrogates and controls
tricky = st.sampled_from((
    "", "Never push.", "- [ ] Ship", "Shall I?", "<system-reminder>", "\x1b[31m", "\ud800", "🚚" * 30, "\r\n", "```",
    "http://h:80/",
    "[Request interrupted by user]", "<task-notification><task-id>b1</task-id>", "Implement the following plan:",
    "/compact x",
    "the user said:\n", "Task #1 created", "in background with ID: b1", "agentId: a1 launched", "saved to: /x",
    "x" * 3_000,
    "Exit code 1\nerror: bad", REJECTION_WORDS + "no",
    "<command-name>/x</command-name><command-args>y",
    "password=hunter2hunter2", '"tool_use_id"', "{", "}{", "continue", "2026-11-21T07:00:00.000Z", "9999", "#",
    "2026-99-99T99:99:99"))
texts = st.one_of(tricky, any_text, st.lists(st.one_of(tricky, any_text), max_size=4).map("\n".join))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts)
anything = st.recursive(scalars, lambda inner: st.one_of(
    st.lists(inner, max_size=4), st.dictionaries(st.one_of(texts, st.sampled_from(("type", "content", "text"))), inner,
                                                 max_size=4)),
    max_leaves=12)
TOOLS = ("Bash", "PowerShell", "Edit", "Write", "NotebookEdit", "Read", "Task", "Agent", "TodoWrite", "TaskCreate",
         "TaskUpdate",
         "AskUserQuestion", "ExitPlanMode", "KillShell", "TaskStop", "mcp__db__query", "unheard-of")


def likely(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonObject]:
    """Objects with these fields, of which each may be missing or be anything at all."""
    return st.fixed_dictionaries({}, optional={name: st.one_of(field, field, field, anything) for name,
                                               field in fields.items()})


def any_of(*values: object) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


CONTROLS = {chr(code) for code in (*range(10), *range(11, 32), *range(127, 160))}
calls = any_of("t1", "t2", "t3")
inputs = likely(
    command=texts, file_path=texts, notebook_path=texts, prompt=texts, plan=texts, planFilePath=texts, taskId=texts,
    subject=texts,
    status=any_of("pending", "in_progress", "completed", "deleted", ""), shell_id=any_of("b1"), task_id=any_of("b1"),
    todos=st.lists(likely(content=texts, status=any_of("pending", "completed")), max_size=3),
    questions=st.lists(likely(question=texts), max_size=3))
content_blocks = st.one_of(
    likely(type=any_of("text"), text=texts),
    likely(type=any_of("tool_use"), id=calls, name=any_of(*TOOLS), input=inputs),
    likely(type=any_of("tool_result"), tool_use_id=calls, is_error=st.booleans(),
           content=st.one_of(texts, st.lists(likely(type=any_of("text"), text=texts), max_size=2))),
    anything)
records = st.one_of(
    likely(type=any_of("user", "assistant", "attachment", "system", "queue-operation", "progress", "unheard-of"),
           uuid=any_of("u1", "u2", "u3", ""),
           timestamp=texts, cwd=texts, gitBranch=texts, subtype=any_of("compact_boundary", "x"), content=texts,
           operation=any_of("enqueue", "dequeue", "remove", "popAll"), isSidechain=st.booleans(), isMeta=st.booleans(),
           isCompactSummary=st.booleans(), origin=likely(kind=any_of("human", "peer")),
           promptSource=any_of("typed", "system"), rowSource=any_of("local", "harness", "hook"),
           planContent=texts, attachment=likely(type=any_of("queued_command"), prompt=texts,
                                                commandMode=any_of("prompt", "x")),
           toolUseResult=likely(answers=st.dictionaries(texts, anything, max_size=2)),
           message=likely(role=any_of("user"), content=st.one_of(texts, st.lists(content_blocks, max_size=3)))),
    anything)
events = st.one_of(
    likely(schema=any_of(1), time=texts, event=any_of("tool", "prompt", "subagent"), id=calls, tool=any_of(*TOOLS),
           path=texts, command=texts,
           task=texts, ok=st.booleans(), exit=st.integers(), error=texts, output=texts, interrupted=st.booleans(),
           text=texts,
           agent=any_of("a1", "b1"), ended=st.booleans()), anything)
transcripts = st.lists(records, max_size=8)
