"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from compact_keeper.record.check_claims import check_claims
from compact_keeper.record.place_claims import file_claims, git_claims
from compact_keeper.record.statements import body_of, flat, is_open_ended, statements_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import Facts, Item, Statement, SummaryFinding

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
TASK_SUBJECT_MIN_CHARACTERS = 12  # of a task's, by which a line is about it
STATUS_WORDS = {  # in the words' flat form
    "open": r"open|unfinished|incomplete|outstanding|not (?:yet )?(?:been )?(?:done|finished|completed?)|⏳|☐|\[ ?\]"
            r"|offen",
    "completed": r"completed?|done|finished|erledigt|abgeschlossen|fertig|terminée?|achevée?|completad[ao]|terminad[ao]"
                 r"|hech[ao]|✅|✓|✔|☑|\[x\]",
    "in_progress": r"in[ _-]progress|underway|under way|🔄|in arbeit|en cours|en curso|en progreso",
    "pending": r"pending|not (?:yet )?(?:been )?(?:started|begun)(?: yet)?"
               r"|to ?do|ausstehend|noch nicht begonnen|en attente"
               r"|pendiente"}
ANY_STATUS = "|".join(f"(?P<{name}>{words})" for name, words in STATUS_WORDS.items())
STATUS_BEGIN = (r"(?:[^\w.;?!%✅✓✔☑🔄⏳☐]|\b(?:is|are|has|have|been|now|both|all|already|still|status|noch|ist|sind|est"
                r"|está)\b)"
                r"{0,12}?(?:[✅✓✔☑]\s*(?=(?:completed?|done|finished)\b))?")
STATUS_END = r"(?=\s*(?:$|[)\].,;:!|–—✅-]|\())"
CLAUSE_BEGIN = r"[.;(\[]|\s[—–|-]\s|[:–—|-]"
NAME_ONLY = r"(?:\W*\b(?:tasks?|aufgaben?|tâches?|tareas?))?\W*(?:\d{1,4})?[^\w.;?!]*"
TASK_NUMBERS = (r"(?i)\b(?:tasks?|aufgaben?|tâches?|tareas?)\s+#(\d{1,4})"
                r"((?:\s*(?:,|and|und|et|y|&|,\s*and|to|through|bis|–|-)\s*#?\d{1,4}\b)*)")
OPEN_HEADING = r"(?i)\b(?:pending|remaining|open|not started)\b.{0,40}\blist\b"  # else plans in the same words
DONE_HEADING = r"(?i)^(?:completed|done|finished)\b(?: tasks?)?"
PERSON = r"(?:user|client|they|person|nutzer|anwender|kunde|utilisateur|usuario|cliente)"
ANSWERED = (r"\b(?:answered|chose|chosen|picked|selected|confirmed|approved|decided|opted|replied(?! to)|agreed|settled"
            r"|resolved"
            r"|beantwortet|geantwortet|entschieden|gewählt|bestätigt|répondu|choisi|décidé|respondi(?:do|ó)|eligió"
            r"|decidi(?:do|ó))\b")
ANSWER_BEHIND = (rf"^\W*(?:(?:by |from |vom |par |por )?(?:the |le |der |el )?{PERSON}s?\b\W*(?:(?:has|have|a|hat"
                 rf"|ha)\s)?(?:§|answer: |: )"
                 rf"|(?:(?:has been|was|is|been|already|now) )*§(?=\s*(?:$|[:(,.)—–-])| (?:by|as|with)\b)"
                 r"|(?:a|answer|decision|antwort|réponse|respuesta): \w)")
ANSWER_BEFORE = (rf"^\W*(?:§|decision by the {PERSON} on)\W*$"
                 rf"|\b{PERSON}\b\W*(?:(?:has|have) )?§(?: (?!and\b|then\b|asked\b)[\w-]+){{0,6}}\W*$")
UNANSWERED = (  # beside an answer: it is of another question, or to come
    r"\b(?:not|no (?:\w+ )?(?:reply|answer|response|decision|word)|never|yet|un\w+|until|once|if|when|after|before"
    r"|whether|open|pending|a?wait\w*|still|remains?|will|would"
    r"|should|could|can|must|may|might|to be|earlier|other|another|tbd|nicht|noch|offen|sobald|wenn|pas|attente|encore"
    r"|todavía|aún|pendiente|cuando|si)\b(?! questions?\b)|n['’]t\b|^\W*(?:get|ask)\b")


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
    lines = [(line, flat(line), flat(heading)) for line, heading in
             dict.fromkeys((statement["line"], statement["heading"]) for statement in statements)]
    whole = "\n".join(words for _, words, _ in lines)
    names = Counter(name for task in tasks for name in (flat(task["text"]), task.get("key", "")))
    for task in tasks:
        subject, key = (name if names[name] == 1 and name in whole else ""
                        for name in (flat(task["text"]), task.get("key", "")))
        said = [(status, line) for line, words, heading in lines if subject or key
                if (status := status_by_subject(words, subject, heading) or status_by_number(line, key))]
        own = task["status"]
        if said and own in STATUS_WORDS and not any(
                own != "completed" if status == "open" else status == own for status, _ in said):
            name = f"{task.get('key', '')} “{task['text']}”".strip()
            yield said[-1][1], f"the client's task list has {name} as {own.replace('_', ' ')}"


def status_by_subject(line: str, subject: str, heading: str) -> str:
    """The status that a line gives the task whose whole subject stands in it; empty where it gives none, or two."""
    if len(subject) < TASK_SUBJECT_MIN_CHARACTERS or subject not in line:
        return ""
    before, _, behind = line.partition(subject)
    if re.search(r"[\w-]$", before) or re.match(r"[\w-]", behind) or is_open_ended(before):
        return ""
    lead = re.search(rf"(?:^|[.;:]\s|[(\[:])\W*(?:{ANY_STATUS}){NAME_ONLY}$", before)
    statuses = statuses_in(lead, status_behind(re.sub(r"^\W*#\d{1,4}\b", "", behind), before))
    if statuses:
        return statuses.pop() if len(statuses) == 1 else ""
    if behind.strip(" .") or not re.fullmatch(NAME_ONLY, before):
        return ""
    return "open" if re.search(OPEN_HEADING, heading) else "completed" if re.match(DONE_HEADING, heading) else ""


def status_behind(tail: str, before: str) -> re.Match[str] | None:
    """The one status that stands right behind a task's name; none where the clause tells another, or of what may be."""
    status = re.match(rf"{STATUS_BEGIN}(?:{ANY_STATUS}){STATUS_END}", tail)
    if not status:
        return None
    clause = tail[:status.end()] + re.split(CLAUSE_BEGIN, tail[status.end():])[0]
    return None if is_open_ended(f"{before} {clause}") else status


def status_by_number(line: str, key: str) -> str:
    """The status that a line gives "task #3" right behind it; empty where it gives none, or two."""
    statuses = set[str]()
    for numbers in re.finditer(TASK_NUMBERS, line) if key else ():
        if key[1:] in numbers_in(numbers[0]):
            before = re.split(r"[.;]\s", line[:numbers.start()])[-1]
            statuses |= statuses_in(status_behind(line[numbers.end():], before)) or {""}
    return statuses.pop() if len(statuses) == 1 else ""


def numbers_in(text: str) -> set[str]:
    """The numbers of a list of them, those of a range too."""
    ranges = re.findall(r"(\d{1,4})\s*(?:to|through|bis|–|-)\s*#?(\d{1,4})", text)
    return {*re.findall(r"\d{1,4}", text), *(
        str(number) for first, last in ranges for number in range(int(first), min(int(last), int(first) + 99)))}


def statuses_in(*matches: re.Match[str] | None) -> set[str]:
    """The statuses that were matched."""
    return {match.lastgroup for match in matches if match and match.lastgroup}


# --- the person's words ---


def of_rules(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Pins and standing rules that do not stand in the summary whole, in the person's words."""
    whole = flat(text)
    rules = [item for item in items if item["kind"] in ("pin", "rule") and item.get("status", "open") == "open"]
    for item in sorted(rules, key=lambda item: bool(item["kind"] != "pin"))[:RULES_MAX]:
        words = " ".join(item["text"].split())
        if words and flat(words).strip(" .!") not in whole:
            yield {"kind": item["kind"], "said": "", "record": words, "unless": words}


def of_questions(text: str, statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Questions that still wait for the person, told as answered or left out."""
    whole = flat(text)
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for item in items:
        if item["kind"] == "question" and item.get("status", "open") == "open" and item["position"] >= last:
            words = " ".join(item["text"].split())
            core = flat(words).strip(" ?.")
            said = next((statement["line"] for statement in statements
                         if is_told_answered(flat(statement["line"]), core)), "") if core in whole else ""
            if said:
                yield finding_of("question", said, f"it still waits for the user's answer: {words}")
            elif core not in whole:
                yield {"kind": "question", "said": "", "record": words, "unless": words}


def is_told_answered(line: str, core: str) -> bool:
    """Whether the line tells the question in it as answered, and nothing as open."""
    before, named, behind = line.partition(core)
    if not named or re.search(UNANSWERED, before) or re.search(UNANSWERED, behind):
        return False
    before, behind = re.sub(ANSWERED, "§", before), re.sub(ANSWERED, "§", behind)
    return bool(re.search(ANSWER_BEHIND, behind) or re.search(ANSWER_BEFORE, before))
