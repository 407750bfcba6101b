"""What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.

Only where both sides are certain: the summary names the thing exactly and as it is now, the record has it in a form
that tells (the client's task list, a runner's last lines, git's answer, the disk's). Nothing is weighed or likened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from compact_keeper.record.check_claims import check_claims
from compact_keeper.record.claims import PARTING, SIGNS, claim_of, form_of, in_row, named_in, sentence_words
from compact_keeper.record.state_claims import file_claims, git_claims
from compact_keeper.record.statements import SUBJECT_MIN_CHARACTERS, body_of, statements_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import ClaimForm, Facts, Item, Statement, SummaryFinding

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
TASK_STATUSES = {
    "open": "open|unfinished|incomplete|outstanding|left|left to do|still to do|to be done|to be finished|next up"
            "|up next|next in line|unresolved|unaddressed|remaining|⏳|☐|[ ]|offen|steht aus|steht noch aus|à faire"
            "|sin terminar|por hacer|abierto|abierta",
    "completed": "completed|complete|done|finished|closed|resolved|wrapped up|checked off|ticked off|crossed off"
                 "|taken care of|dealt with|out of the way|behind us|off the list|erledigt|abgeschlossen|fertig|beendet"
                 "|fertiggestellt|terminé|terminée|achevé|achevée|fini|finie|fait|faite|completado|completada"
                 "|terminado|terminada|acabado|acabada|hecho|hecha|concluida|concluído|concluída|completato|completata"
                 "|finito|finita|✅|✓|✔|☑|[x]",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|ongoing|working on|in the works|half done"
                   "|being worked on|half finished|halfway through|partly done|partially done|🔄|in arbeit|en cours"
                   "|en curso|en progreso|em andamento|in corso",
    "pending": "pending|not started|not begun|not touched|untouched|unstarted|to start|to be started|todo|to do"
               "|ausstehend|not begonnen|not angefangen|en attente|not commencé|not commencée|pendiente|sin empezar"
               "|pendente"}
OPEN_STATUSES = ("in_progress", "pending")
TASK_FORM: ClaimForm = {
    **form_of(TASK_STATUSES, first=" ".join(TASK_STATUSES), fillers="was were as to set listed", leads="set of"),
    "parting": PARTING - {"("}}  # "the rest (#2)": of what?
TASK_NOUNS = frozenset("task tasks aufgabe aufgaben tâche tâches tarea tareas".split())
NUMBERS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER_LIST = r"#?\d{1,4}(?:-#?\d{1,4})?|,|and|und|et|y|&|to|through|bis|–|-"
NUMBER_RANGE = r"#?(\d{1,4}) ?(?:to|through|bis|–|-) ?#?(\d{1,4})"
STEM_CHARACTERS = 4  # by which a word is one of a subject's: "upgrading" of "Upgrade"
ARTICLES, JOINERS = frozenset("the a an both in on of for to into".split()), frozenset(", and & und et y e".split())
GAPS = ARTICLES | JOINERS | frozenset("( ) ` \" “ ” *".split())  # between tasks that share a state
ASIDES = (["(", ")"], [",", ","])  # "#2, the backfill, is done"
DONE_HEADING = r"(?i)(?:completed|done|finished)\b"
PERSONS = frozenset("user client person they nutzer anwender kunde utilisateur usuario cliente".split())
ANSWERED = frozenset((
    "answered chose chosen picked selected confirmed approved decided opted replied agreed settled resolved "
    "beantwortet geantwortet entschieden gewählt bestätigt répondu choisi décidé respondido respondió eligió decidido "
    "decidió").split())
ANSWER_NOUNS = frozenset("a answer decision antwort réponse respuesta".split())
ANSWER_SKIPPED = frozenset((  # that says nothing, before who answered and that it was
    "* _ \" « » “ ” ‘ ’ ) ] ? ✅ ✓ the by from has have been was is already now vom par por le der el hat ha").split())
ANSWER = (  # Q: the question, P: a person, A: "chose", N: "answer"
    r"Q (?:[(:—–→-] )*(?:P (?:[AN:]|$)|A(?: [:(,.—–-]| by| as| with|$)|N :)|^A (?:: )?Q|^N P on Q"
    r"|P A(?: (?!and |then |; |\. )\S+){0,6} Q")
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not never nobody yet unanswered unresolved undecided unclear unsettled until once if when after before whether "
    "open pending wait waits waiting await awaits awaiting still remain remains will would should could can must "
    "may might be earlier other another tbd noch offen sobald wenn attente encore todavía aún pendiente "
    "cuando si get ask").split())
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


# --- tasks ---


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    Where some line gives the task its own status, the others tell the course of things. What two share names none.
    """
    named = [(in_row(task["text"]), task.get("key", "")) for task in tasks]
    times = Counter(name for row in named for name in row)
    names = {name: str(place) for place, row in enumerate(named) for name in row
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    stems = {str(place): frozenset(word[:STEM_CHARACTERS] for word in row.split() if len(word) > 1)
             for place, (row, _) in enumerate(named)}
    said: dict[str, list[tuple[str, str]]] = {}
    for line, heading in {each["line"]: each["heading"] for each in statements if not each["is_past"]}.items():
        for place, status in statuses_in(sentence_words(line), heading, names, stems):
            said.setdefault(place, []).append((status, line))
    for place, rows in said.items():
        task = tasks[int(place)]
        own = {task["status"], "open" if task["status"] in OPEN_STATUSES else ""}
        if task["status"] in TASK_STATUSES and own.isdisjoint(status for status, _ in rows):
            name = f"{task.get('key', '')} “{task['text']}”".strip()
            yield rows[-1][1], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def statuses_in(words: Sequence[str], heading: str, names: Mapping[str, str],
                stems: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """The tasks that a line's words name, with the status that it gives each; a row may have it from its heading."""
    is_done = bool(re.match(DONE_HEADING, heading))
    if TASK_FORM["cues"].isdisjoint(words) and not is_done:
        return
    named = [*named_in(words, names), *numbered_in(words, names, stems)]
    own = {task: {word for word in words if word[:STEM_CHARACTERS] in stems[task]} for _, _, task in named}
    for begin, end, group in groups_of(words, named, own):
        claim = claim_of(words, begin, end, TASK_FORM, {word for task in group for word in own[task]})
        if claim and (claim["state"] != "completed" or words[claim["end"]:claim["end"] + 1] != [":"]):
            yield from ((task, claim["state"]) for task in group)  # but not "done: the first half"
        elif is_done and not claim and {*words[:begin], *words[end:]} <= {*SIGNS, "."} and (
                names.get(" ".join(words[begin:end]))):
            yield group[0], "completed"


def groups_of(words: Sequence[str], named: Sequence[tuple[int, int, str]],
              own: Mapping[str, Collection[str]]) -> Iterator[tuple[int, int, list[str]]]:
    """Tasks that "and" or a comma joins, which share a state; asides that name the same are taken to each."""
    groups: list[tuple[int, int, list[str]]] = []
    for begin, stop, task in sorted(named):
        names = {*own[task], *ARTICLES}
        aside = len([*takewhile(names.__contains__, words[stop + 1:])]) + 2
        end = stop + aside * ([*words[stop:stop + 1], *words[stop + aside - 1:stop + aside]] in ASIDES and aside > 2)
        gap = words[groups[-1][1]:begin] if groups else ()
        if not JOINERS.isdisjoint(gap) and all(word in GAPS or word in own[task] for word in gap):
            groups[-1] = (groups[-1][0], end, [*groups[-1][2], task])
        else:
            groups.append((begin, end, [task]))
    yield from groups


def numbered_in(words: Sequence[str], names: Mapping[str, str],
                stems: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, int, str]]:
    """The tasks of "all four tasks", of "tasks #2 to #4", and of "task 2" beside words of its subject."""
    for place in [place for place, word in enumerate(words, 1) if word in TASK_NOUNS]:
        if [*words[max(0, place - 3):place - 1]] in (["all", str(len(stems))], ["all", *NUMBERS[len(stems):][:1]]):
            yield from ((place - 3, place, task) for task in stems)
        listed = [*takewhile(lambda word: re.fullmatch(NUMBER_LIST, word), words[place:])]
        while listed and not listed[-1][-1].isdigit():
            listed.pop()
        for number in sorted(numbers_in(" ".join(listed))):
            task = names.get(f"#{number}", "")
            if task and (listed[0][0] == "#" or len(stems[task] & {word[:STEM_CHARACTERS] for word in words}) > 1):
                yield place, place + len(listed), task


def numbers_in(text: str) -> set[str]:
    """The numbers of a list of them, those of a range too."""
    ranges = [range(int(first), min(int(last), int(first) + 99)) for first, last in re.findall(NUMBER_RANGE, text)]
    return {*re.findall(r"\d{1,4}", text), *(str(number) for each in ranges for number in each)}


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
    rest = [*words[:begin], *words[end:]]
    if not end or not UNANSWERED.isdisjoint(rest):
        return False
    kinds = {**dict.fromkeys(PERSONS, "P"), **dict.fromkeys(ANSWERED, "A"), **dict.fromkeys(ANSWER_NOUNS, "N")}
    row = [*words[:begin], "Q", *words[end:]]
    return bool(re.search(ANSWER, " ".join(kinds.get(word, word) for word in row if word not in ANSWER_SKIPPED)))


@lru_cache(maxsize=256)  # the whole summary once
def compared(text: str) -> str:
    """The text as it is looked for word for word: one line, no marks of emphasis, no quotes, no case."""
    text = text.casefold()
    for mark in MARKS_LEFT_OUT:  # `translate` takes ten times as long
        text = text.replace(mark, "")
    return " ".join(text.split()).strip(" .!?")
