"""Tasks of the client's list that a summary gives another status than the list has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.record.summary.claims import claims_of, form_of, in_row, named_in, sentence_words
from compact_keeper.record.summary.statements import SUBJECT_MIN_CHARACTERS
from compact_keeper.types import Item, Statement

TASK_STATUSES = {
    "open": "open|unfinished|incomplete|outstanding|left|left to do|still to do|next up|up next|unresolved|remaining"
            "|⏳|☐|[ ]|offen|à faire|abierta",
    "completed": "completed|complete|done|finished|closed|resolved|wrapped up|checked off|ticked off|taken care of"
                 "|out of the way|✅|✓|✔|☑|[x]|erledigt|abgeschlossen|fertig|terminé|terminée|fait|completada"
                 "|terminada|hecha|completata",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|ongoing|working on|half done|partly done"
                   "|partially done|🔄|in arbeit|en cours|en curso",
    "begun": "started|begun|touched|begonnen|commencé|commencée",  # where it is denied the task is pending
    "pending": "pending|untouched|unstarted|to start|todo|to do|ausstehend|en attente|pendiente"}
OPEN_STATUSES = ("in_progress", "pending")
TASK_FORM = form_of(TASK_STATUSES, first=" ".join(TASK_STATUSES), silent="was were as to set listed of by")
TASK_BY_NUMBER = r"\b([Tt]ask|Aufgabe|[Tt]âche|[Tt]area) (\d{1,4})\b"
TASK_RANGE = r"#(\d{1,4}) ?(?:to|through|-|–|bis) ?#?(\d{1,4})\b"  # "tasks #1 to #3"
SMALL_WORDS = frozenset("a an and at by for from in into of on or the to via with".split())
TASKS_IN_RANGE_MAX = 99
DONE_HEADING = r"(?i)(?:completed|done|finished)\b"  # what is listed below it is told to be so
STEM_CHARACTERS = 4  # by which a word is one of a subject's: "upgrading" of "Upgrade"


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    Where some line gives the task its own status, the others tell the course of things. What two share names none.
    """
    named = [(in_row(task["text"]), task.get("key", "")) for task in tasks]
    times = Counter(name for row in named for name in row)
    names = {name: str(place) for place, row in enumerate(named) for name in row
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    said: dict[str, list[tuple[str, str]]] = {}
    for line, heading in {each["line"]: each["heading"] for each in statements if not each["is_past"]}.items():
        whole = f"Completed: {line}" if re.match(DONE_HEADING, heading) else line
        for place, status in statuses_in(sentence_words(numbered(whole, tasks)), names, tasks):
            said.setdefault(place, []).append((status, line))
    for place, rows in said.items():
        task = tasks[int(place)]
        own = {task["status"], "open" if task["status"] in OPEN_STATUSES else ""}
        if task["status"] in TASK_STATUSES and own.isdisjoint(status for status, _ in rows):
            name = f"{task.get('key', '')} “{task['text']}”".strip()
            yield rows[-1][1], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def statuses_in(words: Sequence[str], names: Mapping[str, str], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The tasks that a line's words name, with the status that it gives each."""
    if TASK_FORM["cues"].isdisjoint(words):
        return
    named = [*named_in(words, names)]
    stems = set[str]().union(*(stems_of(tasks[int(task)]["text"]) for _, _, task in named))
    own = {word for word in words if word[:STEM_CHARACTERS] in stems}
    for claim in claims_of(words, named, TASK_FORM, own):
        yield claim["thing"], claim["state"]


def stems_of(text: str) -> set[str]:
    """The beginnings of the text's words, but of small ones."""
    return {word[:STEM_CHARACTERS] for word in sentence_words(text) if word not in SMALL_WORDS and len(word) > 1}


def numbered(line: str, tasks: Sequence[Item]) -> str:
    """The line with each task by its number alone: a range as a list, "task 2" as #2 beside words of its subject."""
    for noun, number in re.findall(TASK_BY_NUMBER, line):
        subject = next((task["text"] for task in tasks if task.get("key") == f"#{number}"), "")
        if len(stems_of(subject) & stems_of(line)) > 1:
            line = line.replace(f"{noun} {number}", f"{noun} #{number}")
    return re.sub(TASK_RANGE, listed, line)


def listed(match: re.Match[str]) -> str:
    """A range of tasks as a list of them."""
    first, last = int(match[1]), int(match[2])
    return ", ".join(f"#{number}" for number in range(first, min(last, first + TASKS_IN_RANGE_MAX) + 1))
