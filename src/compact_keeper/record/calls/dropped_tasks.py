"""Tasks of the client's list that were not begun when the agent wrote a list of other tasks in its place.

Such a list had four tasks, all done, and so it was told; two of the list before were what the person asked for next.
Of 350 lists in 21 real sessions 8 had no task of the one before; two of them had dropped tasks not begun, both
times truly; the others were the same tasks in other words, in another language, or one that was worked on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from compact_keeper.store.json_lines import parse_line
from compact_keeper.text.dense import DENSE, is_dense
from compact_keeper.text.fields import list_in, text_of
from compact_keeper.text.length import cut
from compact_keeper.types import Item

DROPPED_MAX, DROPPED_MAX_UTF16 = 5, 70  # kept in the state, with its time
STEM_CHARACTERS = 5  # of a word: "mapping" and "mappings" are one
TAKEN_UP_SHARE = 1 / 3  # of a task's words, above which another has it in other words


def dropped_after(noted: str, before: Sequence[Item], rows: Mapping[str, str], time: str) -> str:
    """What is noted as dropped after a list was written, its texts with their states: the newest drop, with its time.

    Of an earlier one goes what the new list has again. A list of other tasks that are all done as they are first
    written says in other words that what came before is done: nothing is noted then.
    """
    texts = rows.keys()
    if rows and {*rows.values()} == {"completed"} and not any(item["text"] in texts for item in before):
        return ""
    if tasks := dropped_by(before, texts):
        shown = [cut(task, DROPPED_MAX_UTF16) for task in tasks[:DROPPED_MAX]]
        return json.dumps({"time": time, "tasks": shown, "more": len(tasks) - len(shown)}, ensure_ascii=False)
    known, since, more = dropped_tasks(noted)
    left = [task for task in known if not any(has_words_of(task, text) for text in texts)]
    if not left or left == known:
        return noted if left else ""
    return json.dumps({"time": since, "tasks": left, "more": more}, ensure_ascii=False)


def dropped_by(before: Sequence[Item], texts: Collection[str]) -> list[str]:
    """The tasks not begun of the list before, where the new one is of other tasks; else none.

    It is not where a text stands in both, where a task has more than a third of its words in one of the new ones, or
    where the script is another.
    """
    open_before = [item["text"] for item in before if item["status"] != "completed"]
    if not texts or any(item["text"] in texts for item in before):
        return []
    if any(has_words_of(old, new) or is_dense(old) != is_dense(new) for old in open_before for new in texts):
        return []
    return [item["text"] for item in before if item["status"] == "pending"]


def dropped_tasks(noted: str) -> tuple[list[str], str, int]:
    """What is noted as dropped: the tasks, when that was, and how many more there were."""
    for drop in parse_line(noted.encode("utf-8", "replace")) if noted else ():
        more = drop.get("more")
        tasks = [task for task in list_in(drop, "tasks") if isinstance(task, str)]
        return tasks, text_of(drop, "time"), more if type(more) is int else 0
    return [], "", 0


def has_words_of(old: str, new: str) -> bool:
    """Whether more than a third of a task's words stand in another."""
    words = stems_of(old)
    return len(words & stems_of(new)) > TAKEN_UP_SHARE * len(words)


def stems_of(text: str) -> set[str]:
    """The beginnings of a text's words; of a script without spaces the pairs of neighbours."""
    stems = set[str]()
    for word in re.findall(rf"[{DENSE}]+|(?:(?![{DENSE}])[^\W_])+", text.casefold()):
        is_in_pairs = is_dense(word) and len(word) > 1
        stems |= {word[at:at + 2] for at in range(len(word) - 1)} if is_in_pairs else {word[:STEM_CHARACTERS]}
    return stems
