"""What of this machine's archive the first prompt after a compaction speaks of, and the model was not given."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence

from compact_keeper.archive.index_words import parts_of
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.passages import without_doubles
from compact_keeper.archive.question import QUESTION_MAX_CHARACTERS, question
from compact_keeper.archive.search import occurs, words_near
from compact_keeper.archive.wording import hit_in_a_line, hit_of
from compact_keeper.client.project import project_folder
from compact_keeper.client.transcript import content_blocks
from compact_keeper.store.folder import session_folder
from compact_keeper.store.json_files import read_store
from compact_keeper.store.json_lines import records_of
from compact_keeper.store.settings import settings_for
from compact_keeper.text.fields import text_of
from compact_keeper.text.marks import OPEN_QUESTION
from compact_keeper.text.times import moment
from compact_keeper.types import HookInput, JsonObject

HITS_MAX, PROMPT_HIT_MAX_CHARACTERS = 3, 280  # a line for each: recall shows more
# A hit scores at least so many times the mean of the seven behind the first three, and of the best one's score.
TIMES_THE_MEAN, TIMES_THE_BEST, COMPARED = 1.3, 0.5, 7
LEAST_SHARE = 0.6  # of the prompt, in one sentence
FEWEST_WORDS = 3  # telling words of a prompt: "yes, continue" speaks of nothing
BOUNDARY_LOOKED_BACK_BYTES = 4 << 20  # of the transcript's end, in which the boundary is looked for
ARCHIVE_PATIENCE_SECONDS = 0.5  # that another process's write is waited for: a hook may take 5
LEAST_NEW_SHARE = 0.5  # of a passage's runs of three words, the share that has to be new to the model
# Of 33 real first prompts one was given passages, of 124 typed after a compaction four: none of eight was an answer.
ANSWERING_KINDS = ("prompt", "answer")  # of steps: three were rows of files, three of what tests had printed
HITS_HEADER = ("compact-keeper: on what this prompt speaks of, the archive has earlier turns of this project, "
               "not told above:")


def context_given(transcript: str, folder: str, compaction_id: str) -> tuple[str, int]:
    """The summary and the recap that the model was given, and when the conversation was cut (seconds since 1970).

    `compaction_id` names the compaction that did it; the client may have begun to prepare the next one since.
    """
    texts, boundary, size = [], "", os.path.getsize(transcript)
    for record in records_of(transcript, boundary_is_behind(folder, compaction_id, size), size):
        if record.get("subtype") == "compact_boundary":
            boundary = text_of(record, "timestamp")
        elif record.get("isCompactSummary"):
            texts = [text_of(block, "text") for block in content_blocks(record)]
    recap = read_store(os.path.join(folder, f"delivered-{compaction_id}"))
    return "\n".join([*texts, text_of(recap, "text")]), moment(boundary)


def boundary_is_behind(folder: str, compaction_id: str, size: int) -> int:
    """The byte of a transcript of this size from which on its last boundary is looked for."""
    compaction = read_store(os.path.join(folder, "compaction.json"))
    if compaction.get("id") != compaction_id:
        return max(size - BOUNDARY_LOOKED_BACK_BYTES, 0)
    start = compaction.get("offset")
    return start if type(start) is int and 0 <= start <= size else 0


def word_runs(text: str) -> set[tuple[str, ...]]:
    """The runs of three words in a text."""
    words = parts_of(text)
    return {tuple(words[at:at + 3]) for at in range(max(len(words) - 2, 1))}


def outstanding(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Of passages, best first, those among the first three that score clearly above the ones behind them."""
    rest = [row["score"] for row in rows[HITS_MAX:HITS_MAX + COMPARED]] or [0]
    least = max(TIMES_THE_MEAN * sum(rest) / len(rest), *(TIMES_THE_BEST * row["score"] for row in rows[:1]), 0)
    return [row for row in rows[:HITS_MAX] if row["score"] >= least and row["who"] != "summary"]


def may_answer(passage: JsonObject, lacking: int, rarest: float) -> bool:
    """Whether one sentence of the passage holds most of the prompt, and is worth as much as one of the rarest words.

    `lacking`: how many plain words of the prompt occur nowhere. For "now add a LICENSE file" a passage was given that
    had "now add" in it: LICENSE, which nothing had, did not count.
    """
    total = sum(passage["worth"].values())
    return bool(passage["share"] * total >= max(LEAST_SHARE * (total + lacking * rarest), rarest))


def is_question(passage: JsonObject) -> bool:
    """Whether the passage is a line with which the person asked something: it holds what is asked again, no answer."""
    is_line = passage["kind"] == "prompt" and "\n" not in passage["text"].strip()
    return is_line and re.search(OPEN_QUESTION, passage["text"]) is not None


def words_lacking(archive: Archive, search: JsonObject) -> int:
    """How many of the plain words occur nowhere, nor any that they may be a slip of."""
    plain = [term for term in search["words"].values() if term in search["typed"]]
    return sum(not (occurs(archive, term) or words_near(archive, search, term)) for term in plain)


def hits_on(prompt: str, project: str, text: str, cut_at: int) -> list[JsonObject]:
    """The project's passages before the cut that answer what the prompt asks, and that the model's text does not tell.

    None for a prompt that asks nothing, as half of them: what is no question nothing answers.
    """
    search = {"kind": None, "project": project, "until": cut_at or None, **question(prompt[:QUESTION_MAX_CHARACTERS])}
    if len(search["words"]) < FEWEST_WORDS or not re.search(OPEN_QUESTION, prompt):
        return []
    known, archive = word_runs(text), Archive(ARCHIVE_PATIENCE_SECONDS)
    words = [row for row in archive.find(search) if row["kind"] in ANSWERING_KINDS and not is_question(row)]
    passages = outstanding(without_doubles(words, HITS_MAX + COMPARED))
    lacking, rarest = words_lacking(archive, search), math.log(1 + archive.rows_in_all())
    hits = [hit_of(passage, PROMPT_HIT_MAX_CHARACTERS) for passage in passages if may_answer(passage, lacking, rarest)]
    return [hit for hit in hits if is_new(word_runs(hit["snippet"]), known)]


def is_new(runs: set[tuple[str, ...]], known: set[tuple[str, ...]]) -> bool:
    """Whether enough of a passage's runs of three words are not known."""
    return len(runs - known) >= LEAST_NEW_SHARE * len(runs)


def hits_for_prompt(data: HookInput) -> str:
    """What the archive has on this prompt, the first after the compaction named; empty when there is nothing new."""
    project, transcript = project_folder(data), data["transcript_path"]
    settings = settings_for(project)
    if not (settings["archive"] and settings["recall_note"] and os.path.isfile(transcript)):
        return ""
    folder = session_folder(data["session_id"])
    text, cut_at = context_given(transcript, folder, os.path.basename(text_of(data, "compaction")))
    hits = hits_on(text_of(data, "prompt"), project, text, cut_at)
    return "\n".join([HITS_HEADER, *map(hit_in_a_line, hits)]) if hits else ""
