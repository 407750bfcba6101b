"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from compact_keeper.record.summary.check_claims import check_claims
from compact_keeper.record.summary.claims import in_row, named_in, sentence_words
from compact_keeper.record.summary.file_claims import file_claims
from compact_keeper.record.summary.git_claims import git_claims
from compact_keeper.record.summary.statements import body_of, statements_of
from compact_keeper.record.summary.task_claims import task_claims
from compact_keeper.text.quotation import quote
from compact_keeper.types import Facts, Item, Statement, SummaryFinding

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
ANSWERED = (r"(?:answered|chose|chosen|picked|selected|confirmed|approved|decided|opted|replied|agreed|settled|resolved"
            r"|beantwortet|entschieden|gewählt|répondu|choisi|respondido|decidió)")
PERSON = r"(?:(?:by the|the|le|el|der|vom) )?(?:user|client|person|they|nutzer|utilisateur|usuario)"
ANSWER = (  # Q: the question; "the user chose", "answered by", "A:", "resolved:"
    rf"Q \W*(?:{PERSON} (?:\w+ ){{0,2}}{ANSWERED}\b"
    rf"|(?:(?:was|is|has been|already|now) )*(?:{ANSWERED}|a|answer|decision) (?:[:(,.—–-]|by|as|with|$)"
    rf"|\w+ \W*{ANSWERED}$)|^\W*(?:{ANSWERED}|decision|answer) \W*(?:on )?Q"
    rf"|^\W*{PERSON} {ANSWERED} (?:\w+ ){{0,5}}\W*Q")
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered unresolved undecided unclear until once if when after before whether open "
    "pending wait waits waiting await awaits awaiting still remain remains will would should could can must may might "
    "be earlier other another tbd noch offen attente encore todavía pendiente get ask").split())
MARKS_LEFT_OUT = "*`\"“”‘’'"


def compare(summary: str, items: Sequence[Item], facts: Facts) -> list[SummaryFinding]:
    """The findings {kind, said, record, unless}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule and question, of which the summary may say nothing: then `said` is empty.
    unless  a finding is superfluous where this stands in the text that is put back.
    Of the facts `git` is what git says now, without what is not known; `files` has for the paths that `paths_in` finds
    in the summary whether they exist, without those of which that is not certain.
    """
    text = body_of(summary)
    statements = statements_of(summary)
    claims = {
        "check": check_claims(statements, items),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, items, facts.get("git") or {}),
        "file": file_claims(statements, items, facts.get("files") or {})}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_questions(text, statements, items), *of_rules(text, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    words = quote(record, RECORD_MAX_UTF16)
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": words, "unless": words}


# --- the person's words ---


def of_rules(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Pins and standing rules that do not stand in the summary whole, in the person's words."""
    rules = [item for item in items if item["kind"] in ("pin", "rule") and item.get("status", "open") == "open"]
    whole = compared(text) if rules else ""
    for item in sorted(rules, key=lambda item: bool(item["kind"] != "pin"))[:RULES_MAX]:
        words = " ".join(item["text"].split())
        if words and compared(words) not in whole:
            yield {"kind": item["kind"], "said": "", "record": words, "unless": words}


def of_questions(text: str, statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Questions that still wait for the person, told as answered or left out."""
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for item in items:
        if item["kind"] == "question" and item.get("status", "open") == "open" and item["position"] >= last:
            words = " ".join(item["text"].split())
            if compared(words) not in compared(text):
                yield {"kind": "question", "said": "", "record": words, "unless": words}
                continue
            names = {in_row(words).rstrip(" ?."): "question"}
            said = next((statement["line"] for statement in statements
                         if says_answered(sentence_words(statement["line"]), names)), "")
            if said:
                yield finding_of("question", said, f"it still waits for the user's answer: {words}")


def says_answered(words: Sequence[str], names: Mapping[str, str]) -> bool:
    """Whether the words tell the question in them as answered, and nothing as open."""
    begin, end, _ = next(named_in(words, names), (0, 0, ""))
    before, behind = words[:begin], words[end:]
    return (end > 0 and UNANSWERED.isdisjoint([*before, *behind])
            and re.search(ANSWER, " ".join([*before, "Q", *behind, ""])) is not None)


@lru_cache(maxsize=256)  # the whole summary once
def compared(text: str) -> str:
    """The text as it is looked for word for word: one line, no marks of emphasis, no quotes, no case."""
    text = text.casefold()
    for mark in MARKS_LEFT_OUT:  # `translate` takes ten times as long
        text = text.replace(mark, "")
    return " ".join(text.split()).strip(" .!?")
