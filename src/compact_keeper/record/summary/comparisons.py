"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compact_keeper.record.summary.check_claims import check_claims
from compact_keeper.record.summary.file_claims import file_claims, paths_in
from compact_keeper.record.summary.git_claims import git_claims
from compact_keeper.record.summary.statements import body_of, statements_of
from compact_keeper.record.summary.task_claims import task_claims
from compact_keeper.text.quotation import quote
from compact_keeper.types import GitNow, Item, SummaryFinding

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
ANSWERED = frozenset("answered chose picked selected confirmed approved decided answer resolved".split())
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered until once if when after before whether open pending wait waits waiting awaits "
    "still remains will would should could can must may be earlier other another asked i").split())


def compare(summary: str, items: Sequence[Item], git: GitNow,
            exists: Callable[[str], bool | None] | None = None) -> list[SummaryFinding]:
    """The findings {kind, said, record}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule, question, of which the summary may say nothing: `said` is empty.
    `git` is what git says now, without what is not known; `exists` tells of a path whether the disk has it, None where
    that is not certain.
    """
    statements, body = statements_of(summary), body_of(summary)
    actions = [item for item in items if item["kind"] == "action"]
    paths = paths_in(statements)
    claims = {
        "check": check_claims(body, statements, actions),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, actions, paths, git),
        "file": file_claims(statements, actions, paths, exists) if exists else ()}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_person(body, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": quote(record, RECORD_MAX_UTF16)}


def of_person(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Waiting questions, pins and rules that do not stand in the text whole; questions that it tells as answered."""
    whole, lines = compared(text), [plain(line) for line in text.split("\n")]
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for kind in ("question", "pin", "rule"):
        open_items = [item for item in items if item["kind"] == kind and item.get("status", "open") == "open"]
        for item in [item for item in open_items if kind != "question" or item["position"] >= last][:RULES_MAX]:
            words = " ".join(item["text"].split())
            answer = first_answer(lines, compared(words)) if kind == "question" else ""
            if compared(words) not in whole:
                yield {"kind": kind, "said": "", "record": words}
            elif answer:
                yield finding_of(kind, answer, f"it still waits for the user's answer: {words}")


def first_answer(lines: Sequence[str], question: str) -> str:
    """What one of the lines says behind the question, or all of it, where it tells it as answered; else empty."""
    for line in lines:
        before, has_question, behind = line.lower().partition(question)
        if not has_question:
            continue
        words = (re.findall(r"[^\W\d_]+", behind) or re.findall(r"[^\W\d_]+", before))[:3]
        is_answer = "user" in words[:2] and not ANSWERED.isdisjoint(words)
        is_open = not UNANSWERED.isdisjoint(re.findall(r"\w+", f"{before} {behind}"))
        if not is_open and (is_answer or words[:1] in (["answer"], ["resolved"], ["a"])):
            return line[-len(behind):].strip(" ?.") or line
    return ""


def plain(text: str) -> str:
    """The text on one line, without emphasis and quotes."""
    return " ".join(text.translate(str.maketrans("", "", "*`\"'’“”„«»")).split())


def compared(text: str) -> str:
    """The text as it is looked for word for word."""
    return plain(text).lower().rstrip(" .!?")
