"""Which parts of a task are asked for now: by the label of a step ("phase 2"), by the words of a heading.

"Proceed with phase 2" stood above a plan of 771 lines, of which neither that phase nor its heading came back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

from compact_keeper.recap.lines.answered_words import COMMON_WORDS
from compact_keeper.recap.wording.phrases import ends_with_question
from compact_keeper.record.calls.open_tasks import SAME_ORDER_MAX_CHARACTERS, tasks_of_client
from compact_keeper.record.items import last_words_position, newest_typed
from compact_keeper.text.holding import holds_any
from compact_keeper.types import Item, TaskRow

ASKING_MAX_CHARACTERS = 400  # of words that ask for a part; longer ones share words with many
# Of a line of the agent's words, which says what comes next, or asks.
NEXT_WORD, NEXT_BEGINS = r"\bnext\b", (
    "nächst", "prochain", "suivant", "siguiente", "próxim", "proxim", "seguinte", "далее", "следующ")
NEXT_WIDE = ("下一", "接下来", "次の", "次に", "다음")
LABEL_VALUE, WORDS_VALUE = 10.0, 2.0  # more, of a row in the part that is asked for; what binds has 4 to 7
STANDS_OVER_ROWS = r"#{1,6} |\*\*[^*]{2,120}\*\*[:：]?$"
LABEL = (  # with which a heading or a member of a list begins: "Phase 2:", "2.1 Tables", "**Step 3**", "Part B"
    r"\W{0,9}(?:(?P<word>[^\W\d_]{1,12})[ #]{0,2}"
    r"(?P<number>\d{1,3}(?:\.\d{1,2}){0,2}|(?<=[ #])(?:[A-Z]|[IVX]{1,4}))"  # "FIX" is a word, no part X
    r"|(?P<alone>\d{1,3}(?:\.\d{1,2}){0,2}))(?![a-zA-Z0-9_])")
NUMBERED_THINGS = (  # words before the number of what has no other word before its own
    r"(?:phase|step|part|stage|point|item|task|section|number|no\.?|nr\.?|n°|schritt|punkt|teil|aufgabe|étape|partie"
    r"|tâche|etapa|paso|punto|tarea|passo|tarefa|ponto|fase|шаг|пункт|этап|步骤|阶段|第|ステップ|단계)")
OTHER_NUMBERS = r"(?:(?:\d[\d.]{0,6}|[a-z])(?:\s?[,&+/–-]\s?|\s(?:and|to|und|bis|et|à|y|e|и)\s)){0,4}"
TELLING_WORD = r"[^\W\d_]{4,40}|\b[A-Z][A-Z0-9]{1,9}\b"
WORDS_OF_PLANS = COMMON_WORDS | frozenset(
    "phase step steps part plan section task tasks create update implement implementation change changes add file "
    "files feature features order start continue proceed please would like".split())
SHARED_WORDS = 2  # of a heading and what is asked
HEADINGS_WITH_WORD = 2  # a word in more of them tells none from the others


def asking_words(items: Sequence[Item], last_words: str) -> list[str]:
    """The words that ask for the next step, the surest first: the newest message, what the agent proposed, open tasks.

    What the agent proposed is left out behind a longer message that nothing was said to yet: that asks for something
    else.
    """
    message = newest_typed(items)
    said = last_words_position(items)
    asking = [message["text"]] if message else []
    if not message or message["position"] < said or len(message["text"]) <= SAME_ORDER_MAX_CHARACTERS:
        asking += [line for line in last_words.splitlines() if asks_or_says_next(line)]
    tasks = [task for task in tasks_of_client(items) if task["status"] != "completed"]
    tasks.sort(key=lambda task: (task["status"] != "in_progress", task.get("order", 0)))
    asking += [task["text"] for task in tasks[:1]]
    return [words for words in asking if len(words) <= ASKING_MAX_CHARACTERS]


def asks_or_says_next(line: str) -> bool:
    """Whether a line of the agent's says what comes next, or ends with a question."""
    lowered = line.lower()
    if ends_with_question(line) or holds_any(lowered, NEXT_WIDE):
        return True
    if "next" in lowered and re.search(NEXT_WORD, lowered):
        return True
    has_begin = holds_any(lowered, NEXT_BEGINS)
    return has_begin and re.search(rf"\b(?:{'|'.join(NEXT_BEGINS)})", lowered) is not None


def wanted_indexes(rows: Sequence[TaskRow], asking: Sequence[str]) -> dict[int, float]:
    """The indexes of the headings that are asked for, else of another row, by the first of these words that names any.

    Each with what its part is worth: most where its label is named.
    """
    headings = [index for index, row in enumerate(rows) if index and stands_over_rows(row)]
    members = [index for index, row in enumerate(rows) if index and not (stands_over_rows(row) or row["is_code"])]
    for words in asking:
        named = labelled(rows, headings, words.casefold())
        if named:
            return dict.fromkeys(named, LABEL_VALUE)
        sharing = sharing_words(rows, headings, words)
        if sharing:
            return dict.fromkeys(sharing, WORDS_VALUE)
        named = labelled(rows, members, words.casefold())
        if len(named) == 1:  # "step 2" names none of two lists' second members
            return dict.fromkeys(named, LABEL_VALUE)
    return {}


def ask_for_part(rows: Sequence[TaskRow], messages: Sequence[str]) -> bool:
    """Whether one of the messages names a part of the task by the label of its heading."""
    headings = [index for index, row in enumerate(rows) if index and stands_over_rows(row)]
    return any(labelled(rows, headings, message.casefold()) for message in messages)


def stands_over_rows(row: TaskRow) -> bool:
    """Whether a row has the form of a heading, under which others stand."""
    return not row["is_code"] and re.match(STANDS_OVER_ROWS, row["text"]) is not None


def labelled(rows: Sequence[TaskRow], indexes: Sequence[int], text: str) -> set[int]:
    """The indexes of those of these rows whose label the text, in lower case, has."""
    named = set[int]()
    for index in indexes:
        label = re.match(LABEL, rows[index]["text"])
        if label:
            word, number = label["word"] or "", label["number"] or label["alone"]
            if has_label(text, word.casefold(), number.casefold()):
                named.add(index)
    return named


def has_label(text: str, word: str, number: str) -> bool:
    """Whether the text has this label; a number without a word must stand behind "#" or what steps are called by."""
    if number not in text:  # most are not, and each would be a pattern to compile
        return False
    exactly = rf"{re.escape(number)}(?![a-z0-9_]|\.\d)"
    if not word and "." in number:
        return re.search(rf"(?<![\w.]){exactly}", text) is not None
    called = rf"(?<![a-z]){word}s?" if word else rf"(?:#|(?<![a-z]){NUMBERED_THINGS}s?)"
    return re.search(rf"{called}[\s#.:-]{{0,3}}{OTHER_NUMBERS}{exactly}", text) is not None


def sharing_words(rows: Sequence[TaskRow], indexes: Sequence[int], words: str) -> set[int]:
    """The indexes of the headings that share most words with what is asked: several words, or all of a heading's."""
    words_of_heading = {index: naming_words(rows[index]["text"]) for index in indexes}
    uses = Counter(word for of_heading in words_of_heading.values() for word in of_heading)
    telling = {word for word in naming_words(words) if 0 < uses[word] <= HEADINGS_WITH_WORD}
    counts = {index: len(of_heading & telling) for index, of_heading in words_of_heading.items()}
    most = max(counts.values(), default=0)
    best = {index for index, count in counts.items() if count == most > 0}
    return {index for index in best if most >= SHARED_WORDS or most == len(words_of_heading[index])}


def naming_words(text: str) -> Set[str]:
    """The longer words and the abbreviations of a text, in lower case, without those that any plan has."""
    return {word.casefold() for word in re.findall(TELLING_WORD, text)} - WORDS_OF_PLANS
