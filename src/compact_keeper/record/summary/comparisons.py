"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from compact_keeper.record.summary.check_claims import check_claims
from compact_keeper.record.summary.file_claims import file_claims, paths_in
from compact_keeper.record.summary.git_claims import git_claims
from compact_keeper.record.summary.statements import SAID_MAX_UTF16, as_names, body_of, piece_around, statements_of
from compact_keeper.record.summary.task_claims import task_claims
from compact_keeper.text.quotation import quote
from compact_keeper.types import Facts, Item, Statement, SummaryFinding

RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 300, 40, 60
QUESTION_WORDS = 5  # by which an end of a long one is known
ANSWERED = frozenset("answered chose picked selected confirmed approved decided answer resolved".split())
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered until once if when after before whether open pending wait waits waiting awaits "
    "still remains will would should could can must may be earlier other another asked i").split())


def compare(summary: str, items: Sequence[Item], facts: Facts) -> list[SummaryFinding]:
    """The findings {kind, said, record}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule, question, of which the summary may say nothing: `said` is empty.
    Of the facts `git` is what git says now, without what is not known; `files` has for the paths that `paths_in` finds
    in the summary whether they exist, without those of which that is not certain.
    """
    statements, actions = statements_of(summary), [item for item in items if item["kind"] == "action"]
    paths = paths_in(summary)
    claims = {
        "check": check_claims(statements, items),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, actions, paths, facts.get("git") or {}),
        "file": file_claims(statements, actions, paths, facts.get("files") or {})}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_person(body_of(summary), statements, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    words = quote(record, RECORD_MAX_UTF16)
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": words}


def of_person(text: str, statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Waiting questions, pins and rules that do not stand in the text whole; questions that it tells as answered."""
    whole = plain_words(text)
    lines = [[*line] for _, line in groupby(statements, lambda statement: statement["line_index"])]
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for kind in ("question", "pin", "rule"):
        open_items = [item for item in items if item["kind"] == kind and item.get("status", "open") == "open"]
        for item in [item for item in open_items if kind != "question" or item["position"] >= last][:RULES_MAX]:
            words = " ".join(item["text"].split())
            if plain_words(words) not in whole:
                yield {"kind": kind, "said": "", "record": words}
            elif kind == "question":
                answers = (answer_told(line, as_names([words])[0]) for line in lines)
                for said in [*filter(None, answers)][:1]:
                    yield finding_of(kind, said, f"it still waits for the user's answer: {words}")


def plain_words(text: str) -> str:
    """The text as it is looked for word for word: without emphasis, quotes and case."""
    return " ".join(text.translate(str.maketrans("", "", "*`\"'’“”„«»")).lower().split()).rstrip(" .!?")


def answer_told(line: Sequence[Statement], question: str) -> str:
    """The line's words where it tells the question in it as answered, right behind it or right before; else empty.

    Of a long one the end of the question, at which it tells the answer.
    """
    before, name, behind = " ".join(statement["row"].strip() for statement in line).partition(question)
    words = (re.findall(r"[^\W\d_]+", behind) or re.findall(r"[^\W\d_]+", before))[:3]
    is_answer = "user" in words[:2] and not ANSWERED.isdisjoint(words)
    if not name or not (is_answer or words[:1] in (["answer"], ["resolved"], ["a"])) or not (
            UNANSWERED.isdisjoint(f"{before} {behind}".split())):
        return ""
    end = question.split()[-QUESTION_WORDS:] if behind.strip(" .?\"") else question.split()[:QUESTION_WORDS]
    return piece_around(" ".join(statement["line"] for statement in line), " ".join(end))
