"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import dropwhile

from compact_keeper.record.check_claims import check_claims
from compact_keeper.record.claims import (
    CLAUSE_ENDS,
    SIGNS,
    claim_of,
    ends_clause,
    form_of,
    in_row,
    named_in,
    rest_of,
    sentence_words,
)
from compact_keeper.record.place_claims import file_claims, git_claims
from compact_keeper.record.statements import SUBJECT_MIN_CHARACTERS, body_of, is_open_ended, statements_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import Facts, Item, Statement, SummaryFinding

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
TASK_STATUSES = {
    "open": "open|unfinished|incomplete|outstanding|not done|not finished|not completed|not complete|⏳|☐|[ ]|offen",
    "completed": "completed|complete|done|finished|erledigt|abgeschlossen|fertig|terminé|terminée|achevé|achevée"
                 "|completado|completada|terminado|terminada|hecho|hecha|✅|✓|✔|☑|[x]",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|🔄|in arbeit|en cours|en curso|en progreso",
    "pending": "pending|not started|not begun|todo|to do|ausstehend|noch nicht begonnen|en attente|pendiente"}
TASK_NOUNS = ("task", "tasks", "aufgabe", "aufgaben", "tâche", "tâches", "tarea", "tareas")
OPEN_STATUSES = ("in_progress", "pending")
TASK_FORM = form_of(TASK_STATUSES, " ".join(TASK_STATUSES), "", " ".join(TASK_NOUNS))
NUMBER_LIST = r"#?\d{1,4}(?:-#?\d{1,4})?|,|and|und|et|y|&|to|through|bis|–|-"
NUMBER_RANGE = r"#?(\d{1,4}) ?(?:to|through|bis|–|-) ?#?(\d{1,4})"
OPEN_HEADING = r"(?i)\b(?:pending|remaining|open|not started)\b.{0,40}\blist\b"  # else plans in the same words
DONE_HEADING = r"(?i)^(?:completed|done|finished)\b(?: tasks?)?"
PERSONS = frozenset("user client person they nutzer anwender kunde utilisateur usuario cliente".split())
ANSWERED = frozenset((
    "answered chose chosen picked selected confirmed approved decided opted replied agreed settled resolved beantwortet "
    "geantwortet entschieden gewählt bestätigt répondu choisi décidé respondido respondió eligió decidido "
    "decidió").split())
ANSWER_NOUNS = frozenset("a answer decision antwort réponse respuesta".split())
SKIPPED = SIGNS | frozenset((  # before who answered, and that it was
    "? ✅ ✓ the by from has have been was is already now vom par por le der el hat ha").split())
TOLD_BEFORE_WORDS_MAX = 6  # between "the user chose" and the question: what was chosen
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never yet unanswered unresolved undecided unclear unsettled until once if when after before whether open "
    "pending wait waits waiting await awaits awaiting still remain remains will would should could can must may might "
    "be earlier other another tbd nicht noch offen sobald wenn pas attente encore todavía aún pendiente cuando si get "
    "ask").split())
MARKS_LEFT_OUT = str.maketrans("", "", "*`\"“”‘’'")


def compare(summary: str, items: Sequence[Item], facts: Facts) -> list[SummaryFinding]:
    """The findings {kind, said, record, unless}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; rule and question, of which the summary may say nothing: then `said` is empty.
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


# --- tasks ---


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    Where some line gives the task its own status, the others tell the course of things. What two share names none.
    """
    rows = [(in_row(task["text"]), task.get("key", "")) for task in tasks]
    times = Counter(name for row in rows for name in row)
    names = {name: str(place) for place, row in enumerate(rows) for name in row
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    said: dict[str, list[tuple[str, str]]] = {}
    for line, heading in {statement["line"]: statement["heading"] for statement in statements}.items():
        for place, status in statuses_in(sentence_words(line), heading, names):
            said.setdefault(place, []).append((status, line))
    for place, told in said.items():
        task = tasks[int(place)]
        if task["status"] in TASK_STATUSES and not any(
                task["status"] in OPEN_STATUSES if status == "open" else status == task["status"] for status, _ in told):
            name = f"{task.get('key', '')} “{task['text']}”".strip()
            yield told[-1][1], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def statuses_in(words: Sequence[str], heading: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The tasks that a line's words name, with the status that it gives each; a row may have it from its heading."""
    named = [*named_in(words, names)]
    named += [(begin, end, names[number]) for begin, end, number in numbers_named(words) if number in names]
    for begin, end, place in named:
        claim = claim_of(words, begin, end, TASK_FORM)
        if claim and not is_open_ended(rest_of(words, claim)):
            yield place, claim["state"]
        elif not claim and {*words[:begin], *words[end:]} <= {*SIGNS, "."} and words[begin] not in TASK_NOUNS:
            if re.search(OPEN_HEADING, heading):
                yield place, "open"
            elif re.match(DONE_HEADING, heading):
                yield place, "completed"


def numbers_named(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where the words name tasks by numbers, "task #2", "tasks #1 to #3", and each number's name."""
    for place, word in enumerate(words):
        if word in TASK_NOUNS and "".join(words[place + 1:place + 2])[:1] == "#":
            end = place + 1
            while end < len(words) and re.fullmatch(NUMBER_LIST, words[end]):
                end += 1
            while not words[end - 1][-1].isdigit():
                end -= 1
            text = " ".join(words[place:end])
            ranges = [range(int(first), min(int(last), int(first) + 99))
                      for first, last in re.findall(NUMBER_RANGE, text)]
            for number in {*map(int, re.findall(r"\d{1,4}", text)), *(number for each in ranges for number in each)}:
                yield place, end, f"#{number}"


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
                         if is_told_answered(sentence_words(statement["line"]), names)), "")
            if said:
                yield finding_of("question", said, f"it still waits for the user's answer: {words}")


def is_told_answered(words: Sequence[str], names: Mapping[str, str]) -> bool:
    """Whether the words tell the question in them as answered, and nothing as open."""
    begin, end, _ = next(named_in(words, names), (0, 0, ""))
    before, behind = ([*words[:begin]], [*words[end:]])
    if not end or not UNANSWERED.isdisjoint([*before, *behind]) or any(word.endswith("n't") for word in words):
        return False
    told = [word for word in before if word not in SKIPPED]
    row = [*dropwhile(SKIPPED.__contains__, behind), ""]
    following = next((word for word in row[1:] if word not in SKIPPED), "")
    if row[0] in PERSONS:
        return following in ANSWERED | ANSWER_NOUNS or row[1] == ":"
    if row[0] in ANSWERED and ends_clause(row[1:-1], 0, CLAUSE_ENDS | {"by", "as", "with"}):
        return True
    verbs = [place for place in range(1, len(told)) if told[place - 1] in PERSONS and told[place] in ANSWERED]
    is_before = bool(verbs) and len(told) - verbs[-1] - 1 <= TOLD_BEFORE_WORDS_MAX and {"and", "then", ";", "."
                     }.isdisjoint(told[verbs[-1]:])
    return is_before or (len(told) == 1 and told[0] in ANSWERED) or (row[0] in ANSWER_NOUNS and row[1] == ":")


@lru_cache(maxsize=256)  # the whole summary once
def compared(text: str) -> str:
    """The text as it is looked for word for word: one line, no marks of emphasis, no quotes, no case."""
    return " ".join(text.casefold().translate(MARKS_LEFT_OUT).split()).strip(" .!?")
