#!/usr/bin/env python3
"""Find again what was ever said or done, in all sessions, offline; the running one's unfinished turn too.

search WORDS    the 3 best passages (--limit N); words as they come, with a dash too; '"a phrase"' has to occur
                --project P --session S --since 7d --until DAY --kind prompt|answer|command|file|error|decision
show 2#57       that step and its neighbours; 2#40-60: these steps, 2: the whole turn, '#57': of the running session,
                k3fq or '#k3fq': the step whose tag ends a line put back, 1-k3fq or '#1-k3fq': all from the 1st to it
                --context N (neighbours) --match WORDS (lines with one of them) --lines A-B --page N
--chars N       the most that is printed in all: 2,000 of a search, 6,000 of a page; 0: everything. --json
Kept            words typed and said, commands, their end and what their output tells, edits, messages, reports
Not kept        thoughts, the middle of long outputs, of a long file most lines, what is over archive_days old
forget          --match TEXT (whole words) --project P --session S: turns go from the archive, whole; --dry-run --yes
Others          index [PATH ...] | stats | push | mcp | ask [WORDS] < QUESTION | first-prompt < JSON (docs/recall.md)

Exits 0 when done, found or not; 1 on a refusal that says why; 2 on wrong usage.
"""
# Version 0.27.0, made by `make build` from src/recall.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import io
import json
import math
import os
import posixpath
import re
import sqlite3
import stat
import sys
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager, suppress
from functools import cache, cached_property, lru_cache, partial
from itertools import accumulate, chain, dropwhile, islice, takewhile
from operator import add
from sys import maxsize
from types import SimpleNamespace


# ==================================================================================================
# text/dense.py: Scripts with few spaces or none: Thai, Lao, Khmer, Chinese, Japanese; Korean, whose words take others on.
# ==================================================================================================

DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # within brackets of a pattern


# ==================================================================================================
# archive/index_words.py: Words, as the archive indexes them and as they are asked for.
# ==================================================================================================

# A word or an identifier, in runs of letters: tried letter by letter it takes a fifth longer.
IDENTIFIER_WORD = re.compile(r"(?:[^\W_]+|[\u0900-\u0963\u0966-\u0eff]+)+(?:_+[^\W_]+)*")
IDENTIFIER_IN_ASCII = re.compile(r"[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)*")  # the same in such a chunk
HUMPS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d+(?:_|\Z))")
WORD_MAX_CHARACTERS = 64  # what is longer is data
CACHED_MAX_CHARACTERS = 100  # of what stands between two spaces and is kept in memory
STEM_ENDS = "sgde"  # last letters of WORD_ENDINGS and of what loses an e
WORD_ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("s", ""))
VOWELS = frozenset("aeiouy")


def indexed(text: str) -> str:
    """The text's words as the index holds them: all parts in their order, for phrases; then what is one of several."""
    chunks = words_in(text)
    return " ".join([*[parts for parts, _ in chunks if parts], *[wholes for _, wholes in chunks if wholes]])


def words_in(text: str) -> list[tuple[str, str]]:
    """What `words_of` says of all that stands between spaces."""
    chunks = (text if text.isascii() else unicodedata.normalize("NFC", text)).split()
    if max(map(len, chunks), default=0) < CACHED_MAX_CHARACTERS:
        return [*map(words_of, chunks)]
    return [words_of(chunk) if len(chunk) < CACHED_MAX_CHARACTERS else words_of.__wrapped__(chunk) for chunk in chunks]


def parts_of(text: str) -> list[str]:
    """The parts of the text's words in their order."""
    return [part for parts, _ in words_in(text) for part in parts.split()]


@lru_cache(maxsize=1 << 16)  # a session says the same words again and again
def words_of(chunk: str) -> tuple[str, str]:
    """Of what stands between two spaces the plain parts in their order, and the words made of several of them.

    Those are identifiers as a whole, getusername, and neighbours in paths and the like, src·auth and auth·jwt: by them
    a path is found at once, where a phrase of words that stand everywhere takes 100 ms in a million turns.
    """
    names = [*map(split_name, (IDENTIFIER_IN_ASCII if chunk.isascii() else IDENTIFIER_WORD).findall(chunk))]
    if len(names) == 1:  # as in most: it has no neighbours
        parts, whole = names[0]
        return " ".join(parts), whole
    wholes = [whole or "".join(parts) for parts, whole in names]
    pairs = [f"{word}·{following}" for word, following in zip(wholes, wholes[1:])]
    return " ".join([part for parts, _ in names for part in parts]), (
        " ".join([*pairs, *(whole for _, whole in names if whole)]))


@lru_cache(maxsize=1 << 16)  # it stands in many chunks, with other marks around it
def split_name(name: str) -> tuple[tuple[str, ...], str]:
    """The plain parts of a word or identifier in their order; the whole in one where there are several."""
    is_data = len(name) > WORD_MAX_CHARACTERS and not re.search(f"[{DENSE}]", name)
    is_plain = name.isalpha() and name[1:].islower()  # as most are: nothing parts it
    pieces = [] if is_data else [name] if is_plain else [piece for piece in HUMPS.split(name) if piece]
    if len(pieces) == 1:
        return tuple(plain_words(pieces[0])), ""
    return tuple([part for piece in pieces for part in plain_words(piece)]), stem("".join(pieces).lower())


def plain_words(piece: str) -> list[str]:
    """The word without case, accents and ending; of scripts without spaces, its pairs of neighbours."""
    if piece.isascii():
        return [stem(piece.lower())]
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", piece.casefold()))
    runs = re.findall(f"[{DENSE}]+|[^{DENSE}]+", unicodedata.normalize("NFC", bare))
    paired = [run if len(run) > 1 and re.match(f"[{DENSE}]", run) else "" for run in runs]
    return [word for run, pairs in zip(runs, paired)
            for word in ([pairs[at:at + 2] for at in range(len(pairs) - 1)] or [stem(run)])]


def stem(word: str) -> str:
    """An English word without its ending: fixes, fixed and fixing are one; crude, but the same on both sides."""
    if len(word) < 4 or word[-1] not in STEM_ENDS or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    ending, instead = next((pair for pair in WORD_ENDINGS if word.endswith(pair[0])), ("", ""))
    root = word[:len(word) - len(ending)] + instead
    if len(root) < 3 or VOWELS.isdisjoint(root):
        return word
    root = root[:-1] if ending in ("ing", "ed") and root[-1] == root[-2] not in "lsz" else root
    return root[:-1] if len(root) > 3 and root.endswith("e") else root


# ==================================================================================================
# archive/kinds.py: What the archive holds of a turn.
# ==================================================================================================

KINDS = ("prompt", "answer", "command", "file", "error", "decision")  # of a turn's texts, a column each
WEIGHTS = "6.0, 2.0, 1.0, 0.5, 1.0, 3.0"  # of these columns in BM25
# Of where reading goes on: not kept of what stays out or is forgotten.
NAMING = ("project", "session", "branch", "question")


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text of the first of these fields that has one; empty where none has."""
    return next(filter(None, (text_of(record, name) for name in names)), "")


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# client/tools.py: The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read.
# ==================================================================================================

SHELL_TOOLS = ("Bash", "PowerShell")
# The tools that change a file, each with the fields of its call: the file's path; the text that goes and the one that
# comes in its place, in each member of a list where the tool makes several edits; the whole of a new file or cell.
CHANGING_FIELDS: dict[str, dict[str, str]] = {
    "Edit": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "MultiEdit": {"path": "file_path", "edits": "edits", "old": "old_string", "new": "new_string"},
    "Write": {"path": "file_path", "content": "content"},
    "NotebookEdit": {"path": "notebook_path", "content": "new_source"}}
CHANGING_TOOLS = tuple(CHANGING_FIELDS)
PATH_FIELDS = (*dict.fromkeys(fields["path"] for fields in CHANGING_FIELDS.values()), "path")  # of any tool's call
SEARCH_TOOLS = ("Grep", "Glob")
SUBAGENT_TOOLS = ("Task", "Agent")


def edits_in(tool: str, arguments: JsonObject) -> list[tuple[str, str]]:
    """Of each edit that a call of a changing tool makes, the text that goes and the text that comes."""
    fields = CHANGING_FIELDS[tool]
    if "old" not in fields:
        return []
    edits = objects_in(arguments.get(fields["edits"])) if "edits" in fields else [arguments]
    return [(text_of(edit, fields["old"]), text_of(edit, fields["new"])) for edit in edits]


def content_in(tool: str, arguments: JsonObject) -> str:
    """The whole of what a call of a changing tool writes; empty where it edits."""
    return text_of(arguments, CHANGING_FIELDS[tool].get("content", ""))


# ==================================================================================================
# text/holding.py: Whether a text holds one of several parts, asked before a pattern is tried that needs one of them; or a word.
# ==================================================================================================

LONG_TEXT_CHARACTERS = 600


def holds_any(text: str, parts: Iterable[str]) -> bool:
    """Whether the text holds one of the parts; in long texts `rfind` takes a fifth to all of the time of `in`.

    A loop over all rows of a summary, for each line, asks by itself: the call alone took 2 of a recap's 60 ms there.
    """
    if len(text) < LONG_TEXT_CHARACTERS:
        return any(map(text.__contains__, parts))
    return any(text.rfind(part) >= 0 for part in parts)


def parts_in(text: str, parts: Iterable[str]) -> list[str]:
    """Those of the parts that the text holds."""
    if len(text) < LONG_TEXT_CHARACTERS:
        return [part for part in parts if part in text]
    return [part for part in parts if text.rfind(part) >= 0]


def places_of(part: str, text: str) -> Iterator[int]:
    """Where in the text the part begins, each behind the end of the one before."""
    begin = text.find(part)
    while begin >= 0:
        yield begin
        begin = text.find(part, begin + len(part))


# ==================================================================================================
# archive/passages.py: Of the rows that a search has found, the steps that answer it best; and of a step the lines around what was asked.
# ==================================================================================================

SENTENCE_END = r"[.?!\n。！？।۔؟](?:(?<=[^.?!])| )"  # a sign first, as in COLOUR: `re` passes over all others at once
SHORT_NEEDLE_CHARACTERS = 2  # one of so few stands in too many words: it counts where a word begins
# Chosen on half of the questions of `make recall`: with the row's BM25 in the score, which likes long answers, the mean
# reciprocal rank was 0.84, so 0.89; from 0.5 to 0.8 of the sentence it is the same.
SENTENCE_WEIGHT = 0.65  # of what one sentence holds, in a passage's score; the rest is the step's
PIECE_MAX_CHARACTERS = 300
HEAD_SHARE = 0.5  # of a word's worth that counts for a line where the step's first line holds it
OTHER_ENDINGS_SHARE = 0.5  # of its score that a step keeps which has quoted words with other endings alone
READ_SHARE = 0.95  # of its score that a file keeps that was read: it holds much that nobody spoke of
LENGTH_WEIGHT, PLAIN_LENGTH_CHARACTERS = 0.03, 300  # of a step's length, which holds much by chance
NEWNESS_SHARE, NEWNESS_SECONDS = 0.05, 30 * 86_400  # that a score gains at most; in which that falls to a third
WEIGHED_LEAST = 30  # passages of an answer's that are in their right order, at least
TYPED_GAIN = 0.04  # of its score, for what the person typed; 0.10 finds a little more, but puts it before code
SUMMARY_SHARE = 0.4  # of its score that a summary keeps: it repeats what turns say themselves
# Of a line; of a longer one what stands around the worthiest needle.
EXCERPT_LINE_MAX_CHARACTERS, EXCERPT_LINE_MIN_CHARACTERS = 300, 60
ARROW = "→"
RESULT_LINE = f"  {ARROW} "  # how the line begins that says how a call ended
FAILED_LINE = f"\n{RESULT_LINE}failed"
LEFT_OUT_LINE = "…"
CHANGE_LINE = "    +"  # how a line of an edit begins that came; with - one that went
NEXT_MIN_CHARACTERS, NEXT_MAX_CHARACTERS = 12, 140  # of what was typed or said behind a hit: "Done." tells nothing
LINE_INDENT_CHARACTERS = 7  # of each line of an excerpt, with its end
TELLING_SHARE, EXCERPT_LINES_MAX = 0.35, 40  # of what an excerpt's best line holds that the others hold at least
SHOWN_SHARE = 0.3  # of its worth that a needle keeps in an excerpt with each line that shows it
WITH_NEIGHBOURS = 2  # lines of an excerpt
ANNOUNCING = r":[*_]{0,3}\s*\Z"  # how a line ends that says what comes below it
ANNOUNCED_LINES = 12  # of that, at most
COLOUR = r"[\x1b\\](?:(?<=\x1b)|\\{0,3}(?:(?:u00|x)1[bB]|033|e))\[[\d;]{0,20}m"  # written out too, as JSON has it
LIST_ROW = r"\s*(?:[-*+|>]|\d{1,3}[.)]|[A-Za-z][.)])\s"
# What we were asked, typed or by a skill, a tool, a script: it holds the words that are looked for and no more.
OWN_QUESTION = (r"/?compact-keeper[:-]\w|Skill [^\n]{0,40}\bcompact-keeper[:-]"
              r"|mcp__\w{1,80}__(?:search_history|show_turn)\b"
              r"|(?:cd [^\n;&|]{1,400} && )?python3? [^\n;&|]{0,400}\brecall\.py\W{0,2} (?:[^\n;&|]|2>&1)*"
              r"(?:\| (?:head|tail|cat)\b[^\n;&|]*)?(?:\n  → |\Z)")
IN_OWN_QUESTIONS = ("compact-keeper", "mcp__", "recall.py")  # one of these in each: few steps have any
# A call of a tool that was not there did nothing: it holds what was looked for and no more.
NO_SUCH_TOOL = re.escape(FAILED_LINE) + r"[^\n]*\n[^\n]{0,40}No such tool available: "
# Code outweighs words about it: a step gains so much of its score, by the share of what was asked that a change defines
# or that stands in a command that failed. Chosen on half of the questions: 0.10 finds more than 0 and than 0.15.
CODE_GAIN = 0.10
READING_CALL = "Read "
CHANGING_CALLS = tuple(f"{tool} " for tool in CHANGING_TOOLS)
DEFINITION = (r"(?=[cdefilmstv])\b(?:def|class|func|fn|function|const|let|var|type|interface|struct|enum|trait|module"
              r"|mod|macro)\s+(?:\(.{0,60}?\)\s*)?(\w+)")


def folded_text(text: str) -> str:
    """The text without case and accents, as needles are; it has the same lines."""
    text = text.replace(LEFT_OUT_LINE, "...")
    if text.isascii() or text.replace(ARROW, "").isascii():  # most steps have no other marks than ours
        return text.lower()
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare)


def steps_of_row(row: JsonObject) -> Iterator[tuple[int | None, str, str]]:
    """The row's texts in the order in which they came, with number and kind; rows of version 0.6.0 have no numbers."""
    offsets = dict.fromkeys(KINDS, 0)
    for index, (kind, size, *_) in enumerate(json.loads(row["steps"])):
        yield row["first"] + index if row["first"] else None, kind, row[kind][offsets[kind]:offsets[kind] + size]
        offsets[kind] += size + 1


def steps_tagged(row: JsonObject, tag: str) -> Iterator[int]:
    """The numbers of the row's steps that have this tag; rows of version 0.6.0 have none."""
    for index, (_, _, *tags) in enumerate(json.loads(row["steps"])):
        if row["first"] and tag in tags:
            yield row["first"] + index


def worth_in(text: str, worth: Mapping[str, float]) -> float:
    """What the needles are worth together that stand in a folded text."""
    total = 0.0
    for needle, value in worth.items():
        if needle in text and (len(needle) > SHORT_NEEDLE_CHARACTERS or begins_a_word(needle, text)):
            total += value
    return total


def begins_a_word(needle: str, text: str) -> bool:
    """Whether a short needle of letters of ASCII stands where a word of the text begins; any other, somewhere."""
    return not needle.isascii() or any(not text[at - 1:at].isalnum() for at in places_of(needle, text))


def best_passages(rows: Iterable[JsonObject], search: JsonObject, worth: Mapping[str, float]) -> list[JsonObject]:
    """A passage for each step that holds something of what was asked, best first: its row with `step`, `kind`, `text`.

    It counts by the share that the step holds (`held`), and more by what one sentence or line of it holds (`share`); a
    little less when it is long or old, much less in a client's summary, more where a person typed it or where it is the
    code that the words are about. Questions that we were asked are no answer. Of a row whose steps hold nothing as it
    was typed, the first counts. The kind that is `search`ed for is the only one that counts, if any: errors and
    decisions stand in other steps too. Where phrases must occur, only steps with one count, of rows whose steps hold
    all of them: the index knows where a row's words stand, not where a step of it ends.
    """
    now = time.time()
    steps: list[JsonObject] = []
    for row in rows:
        of_row = weighed_steps(row, search["kind"] or "", worth, now)
        phrases = search.get("must")
        if phrases:
            steps += steps_with_phrases(of_row, phrases, [folded_text(typed.strip('"')) for typed in search["phrases"]])
        else:
            steps += [step for step in of_row if step["most"]] or of_row[:1]
    steps.sort(key=lambda step: -step["most"])
    return by_sentences(steps, worth, max(search.get("limit") or 0, WEIGHED_LEAST))


def weighed_steps(row: JsonObject, kind: str, worth: Mapping[str, float], now: float) -> list[JsonObject]:
    """The row's steps that may answer, each with the most that it can score: where one sentence has all that it has."""
    total = sum(worth.values()) or 1
    newness = 1 + NEWNESS_SHARE * math.exp(-max(now - row["time"], 0) / NEWNESS_SECONDS)
    factor = newness * (SUMMARY_SHARE if row["who"] == "summary" else 1)
    weighed: list[JsonObject] = []
    for number, its_kind, text in steps_with(row, kind):
        if is_own_question(its_kind, text) or is_of_no_tool(its_kind, text):
            continue
        folded = folded_text(text)
        whole = worth_in(folded, worth) / total
        most = factor * whole / (1 + LENGTH_WEIGHT * math.log1p(len(text) / PLAIN_LENGTH_CHARACTERS))
        if its_kind == "file" and text.startswith(READING_CALL):
            most *= READ_SHARE
        if its_kind == "prompt":
            most *= 1 + TYPED_GAIN
        if most:
            most *= 1 + CODE_GAIN * min(worth_of_code(its_kind, text, folded, worth) / total, 1)
        step = {"step": number, "kind": its_kind, "text": text, "held": whole}
        weighed.append({"row": row, "step": step, "folded": folded, "most": most})
    return weighed


def steps_with_phrases(steps: Sequence[JsonObject], phrases: Sequence[str], typed: Sequence[str]) -> list[JsonObject]:
    """The steps of a row with one of the phrases, where its steps hold all of them; else none.

    Those with the words as they were typed count more than those with other endings of them.
    """
    met = set[str]()
    chosen: list[JsonObject] = []
    for step in steps:
        in_step = {phrase for phrase in phrases if holds_phrase(phrase, step)}
        met |= in_step
        if in_step:
            is_literal = any(words in step["folded"] for words in typed)
            chosen.append(step if is_literal else {**step, "most": step["most"] * OTHER_ENDINGS_SHARE})
    return chosen if met == {*phrases} else []


def holds_phrase(phrase: str, step: JsonObject) -> bool:
    """Whether the phrase's words, as the index has them, stand one after another in the step."""
    words = phrase.strip('"').split()
    begins = [word[:-1] if word.endswith("y") else word for word in words]  # as policies, which is policy there
    if not all(begin in step["folded"] for begin in begins):
        return False
    last: list[str] = []  # parts that have come, as many as the phrase has words
    for part in parts_with(begins, step["step"]["text"]):
        last = [*last, part][-len(words):]
        if last == words:
            return True
    return False


def parts_with(begins: Sequence[str], text: str) -> Iterator[str]:
    """The parts, as the index has them, of what stands between spaces and holds one of these; for the rest marks.

    To make the parts of the whole text took 30 to 70 ms where quoted words stand in most of the steps.
    """
    for line in text.split("\n"):
        for chunk in line.split() if has_any(begins, line) else [line]:
            if has_any(begins, chunk):
                yield from parts_of(chunk)
            elif IDENTIFIER_WORD.search(chunk):
                yield LEFT_OUT_LINE


def has_any(begins: Sequence[str], text: str) -> bool:
    """Whether one of these stands in the text."""
    folded = folded_text(text)
    return any(begin in folded for begin in begins)


def is_own_question(kind: str, text: str) -> bool:
    """Whether a step asked us something: it holds what is looked for, never what answers."""
    return kind in ("prompt", "command") and holds_any(text, IN_OWN_QUESTIONS) and bool(re.match(OWN_QUESTION, text))


def is_of_no_tool(kind: str, text: str) -> bool:
    """Whether a step is a call of a tool that there was not."""
    return kind == "command" and FAILED_LINE in text and re.search(NO_SUCH_TOOL, text) is not None


def worth_of_code(kind: str, text: str, folded: str, worth: Mapping[str, float]) -> float:
    """What the needles are worth together that a change defines, or that stand in a command that failed."""
    if kind == "file" and text.startswith(CHANGING_CALLS):
        names = {*re.findall(DEFINITION, folded)}
        return sum(value for needle, value in worth.items() if needle in names)
    if kind == "command" and FAILED_LINE in text:
        return worth_in(folded, worth)
    return 0.0


def by_sentences(steps: Sequence[JsonObject], worth: Mapping[str, float], count: int) -> list[JsonObject]:
    """The steps as passages, best first; they come with the `most` that they can score, highest first.

    So much they score where one sentence holds all that they hold. Where `count` score more than the next can, the
    sentences of the rest, which is most of them, are not looked at.
    """
    total, best = sum(worth.values()) or 1, list[float]()
    passages: list[JsonObject] = []
    for step in steps:
        whole, share = step["step"]["held"], 0.0
        if len(best) < count or best[0] < step["most"]:
            there = {needle: value for needle, value in worth.items() if needle in step["folded"]}
            share = share_of_best(step, there) / total
        score = step["most"] * (SENTENCE_WEIGHT * share / (whole or 1) + 1 - SENTENCE_WEIGHT)
        best = sorted([*best, score])[-count:]
        passages.append({**step["row"], **step["step"], "share": share, "worth": worth, "score": round(score, 3)})
    return sorted(passages, key=lambda passage: (-passage["score"], -passage["time"], passage["step"] or 0))


def sentences_of(text: str) -> Iterator[str]:
    """The sentences and lines of a folded text; of what is too long for that, as JSON is, pieces that overlap."""
    for sentence in re.split(SENTENCE_END, text):
        half = PIECE_MAX_CHARACTERS // 2
        yield from ((sentence[at:at + 2 * half] for at in range(0, len(sentence) - half, half))
                    if len(sentence) > 2 * half else (sentence,))


def share_of_best(step: JsonObject, there: Mapping[str, float]) -> float:
    """What the needles are worth together that the step's best sentence holds.

    Of a line of a file those count besides, at HEAD_SHARE, that the step's first line holds: it names the file.
    """
    if len(there) < 2:
        return worth_in(step["folded"], there)
    head = step["folded"].partition("\n")[0] if step["step"]["kind"] == "file" else ""
    of_head = {needle: value * HEAD_SHARE for needle, value in there.items() if worth_in(head, {needle: 1.0})}
    return max(worth_in(sentence, there) + sum(value for needle, value in of_head.items() if needle not in sentence)
               for sentence in sentences_of(step["folded"]))


def steps_with(row: JsonObject, kind: str) -> Iterator[tuple[int | None, str, str]]:
    """The steps of a kind, all with none; for one that is kept beside the steps, those that hold a line of it."""
    for number, its_kind, text in steps_of_row(row):
        lines = row[kind].split("\n") if kind in ("error", "decision") else []
        if kind in ("", its_kind) or any(line and line in text for line in lines):
            yield number, its_kind, text


def excerpt(text: str, worth: Mapping[str, float], most: int) -> list[str]:
    """Of a step's lines its first, how it ended (of words their last line), and those that hold most of what was asked.

    Of an edit's best line what stood there before, or came instead; of a line that announces something what it
    announces. Of the best their neighbours too. As many as fit into so many characters, in their order; a mark stands
    for what is left out between them.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    limit = max(min(most - 3 * LINE_INDENT_CHARACTERS, EXCERPT_LINE_MAX_CHARACTERS), EXCERPT_LINE_MIN_CHARACTERS)
    if len(text) <= most and max(map(len, lines), default=0) <= limit:
        return lines
    best = best_lines(lines, worth)
    ended = [index for index, line in enumerate(lines) if line.startswith(RESULT_LINE)][:1] or [len(lines) - 1]
    telling = [index for at in best for index in (at, *announced(lines, at))]
    near = [at + step for at in best[:WITH_NEIGHBOURS] for step in (-1, 1) if 0 <= at + step < len(lines)]
    others = [index for at in best[:1] for index in other_side(lines, at)]
    rest = range(len(lines)) if len(text) <= most or not best else ()
    kept = dict[int, str]()
    for index in dict.fromkeys([*best[:1], *others, 0, *ended, *telling, *near, *rest]):
        longer = {**kept, index: around_needle(lines[index], worth, limit)}
        if not kept or sum(len(row) + LINE_INDENT_CHARACTERS for row in with_marks(longer, len(lines))) <= most:
            kept = longer
        elif index in rest:
            break
    return with_marks(kept, len(lines))


def best_lines(lines: Sequence[str], worth: Mapping[str, float]) -> list[int]:
    """The indexes of the lines that hold much of what was asked, each time the one that adds most to those before."""
    folded = [*map(folded_text, lines)]
    values = {index: worth_in(line, worth) for index, line in enumerate(folded)}
    least = TELLING_SHARE * max(values.values(), default=0.0)
    left = sorted((at for at in values if values[at] and values[at] >= least), key=lambda at: -values[at])
    left, best, lacking = left[:EXCERPT_LINES_MAX], list[int](), dict(worth)
    while left:
        gains = {at: worth_in(folded[at], lacking) for at in left}
        best.append(max(left, key=lambda at: gains[at]))
        left.remove(best[-1])
        lacking = {needle: value * (SHOWN_SHARE if needle in folded[best[-1]] else 1)
                   for needle, value in lacking.items()}
    return best


def announced(lines: Sequence[str], index: int) -> Sequence[int]:
    """The indexes of what a line announces with a colon at its end: the list below it, else the next line."""
    if not re.search(ANNOUNCING, lines[index]):
        return ()
    behind = range(index + 1, min(index + 1 + ANNOUNCED_LINES, len(lines)))
    of_list = [*takewhile(lambda at: re.match(LIST_ROW, lines[at]), behind)]
    return of_list or behind[:1]


def other_side(lines: Sequence[str], index: int) -> list[int]:
    """Of an edit's line the index of the one on the other side that has most words of it; none of any other line."""
    sign = lines[index][:len(CHANGE_LINE)]
    there = {f"{CHANGE_LINE[:-1]}-": f"{CHANGE_LINE[:-1]}+", f"{CHANGE_LINE[:-1]}+": f"{CHANGE_LINE[:-1]}-"}.get(sign)
    words = {*re.findall(r"\w+", lines[index])}
    indexes = [at for at, line in enumerate(lines) if there and line.startswith(there)]
    return [max(indexes, key=lambda at: len(words & {*re.findall(r"\w+", lines[at])}))] if indexes else []


def next_words(passage: JsonObject) -> tuple[str, str]:
    """Kind and text of what was typed or said behind a passage, where it is a short line and no question of ours.

    A line that ends with a colon announces what comes, and says nothing of the passage.
    """
    following = (step for step in steps_of_row(passage) if passage["step"] and step[0] == passage["step"] + 1)
    for _, kind, text in following:
        is_telling = kind in ("prompt", "answer") and not text.endswith(":") and not is_own_question(kind, text)
        if is_telling and "\n" not in text and NEXT_MIN_CHARACTERS <= len(text) <= NEXT_MAX_CHARACTERS:
            return kind, text
    return "", ""


def around_needle(line: str, worth: Mapping[str, float], limit: int) -> str:
    """The line; of a long one what stands around the needle that is worth most for each time it stands there.

    Of "ramp of 111 metres" in a list of ramps the beginning of the list had been shown.
    """
    if len(line) <= limit:
        return line
    lower = line.lower()
    there = [needle for needle in worth if needle in lower]
    offset = lower.find(max(there, key=lambda needle: worth[needle] / lower.count(needle))) if there else 0
    begin = offset - limit // 3 if offset > limit * 2 // 3 else 0
    sentence = line.rfind(". ", 0, begin) + 2 if begin else 0
    begin = sentence if begin - sentence < limit // 3 else begin
    end = begin + limit - 2 * len(LEFT_OUT_LINE)
    return f"{LEFT_OUT_LINE if begin else ''}{line[begin:end].strip()}{LEFT_OUT_LINE if end < len(line) else ''}"


def with_marks(kept: Mapping[int, str], count: int) -> list[str]:
    """The lines by their indexes, a mark between those that do not follow one another and where it goes on."""
    rows, before = list[str](), -1
    for index in sorted(kept):
        if index > before + 1:
            rows.append(LEFT_OUT_LINE)
        rows.append(kept[index])
        before = index
    if before < count - 1:
        rows.append(LEFT_OUT_LINE)
    return rows


def without_doubles(passages: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """So many passages at most, of those with the same text the first, with the number of others as `again`."""
    kept: dict[str, JsonObject] = {}
    for passage in passages:
        if len(kept) < most or any(passage["held"] == other["held"] for other in kept.values()):
            text = " ".join(re.sub(COLOUR, "", passage["text"]).split())
            if text in kept:
                kept[text]["again"] += 1
            elif len(kept) < most:
                kept[text] = {**passage, "again": 0}
    return [*kept.values()]


# ==================================================================================================
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


def fault_words(fault: Exception) -> str:
    """What went wrong, for a person: of a fault of the system the file and the cause, without its number."""
    if not isinstance(fault, OSError) or not fault.strerror:
        return str(fault)
    return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror


# ==================================================================================================
# archive/question.py: What is asked of the archive, and the best passages for it.
# ==================================================================================================

STOP_WORDS = frozenset(map(stem, (
    "a about an and any are as at be been by can could did do does for from had has have how i in into is it its let "
    "me my of on or our out please should so that the their them then there these they this to us was we were what "
    "when where which who why will with would you your").split()))
QUESTION_MAX_CHARACTERS = 10_000
MOST_TERMS, BEGINNING = 40, 12  # of a question's terms that count; of the words that begin as a prefix says
SLIP_MIN_CHARACTERS = 4  # of a word that may be misspelt, and of what may be meant
# Rows that BM25 looks at, 1 to 3 µs each: a word that stands in more only tells among the best of the others. With 50
# for the 658 turns of the bench its mean reciprocal rank falls from 0.92 to 0.89.
MOST_ROWS = 2_000
BEST = 40  # rows that are weighed once more
ASCII_WORD = "[A-Za-z0-9]"  # a letter or digit of what has to stand as a whole word
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_TEXT = "[\0\ud800-\udfff]"  # neither SQLite nor PostgreSQL takes NUL or halves of surrogate pairs
BM25 = f"bm25(words, {WEIGHTS})"
MOST_COMMON = 6  # of a question's frequent words that rows are chosen by
MOST_COMPARED = 600  # rows with rare words, times frequent ones that are looked for in them: some 10 µs each
NEAR_WORDS = 16  # within so many words frequent ones stand close together


def question(text: str) -> JsonObject:
    """What is asked: `terms` that count and those that `must` occur, as phrases of FTS5.

    Beside them the `typed` words by their term, where one may be misspelt; the `needles`, which stand for terms in a
    text as it was written; `words`, with the term by which each is known to occur; and the `phrases` in quotes as they
    were typed.
    Refused when there is nothing to look for.
    """
    if len(text) > QUESTION_MAX_CHARACTERS:
        raise Refusal(f"a question of {len(text):,} characters; {QUESTION_MAX_CHARACTERS:,} is the most: "
                      "name its telling words")
    text = unicodedata.normalize("NFC", text)
    phrases = [part for part in re.findall(r'"([^"]*)"', text) if parts_of(part)][:MOST_TERMS]
    must = [f'"{" ".join(parts_of(part))}"' for part in phrases]
    words = re.sub(r'"[^"]*"', " ", text).split()
    terms = [term for word in words for term in terms_of(word)]
    telling = [term for term in terms if term.strip('"') not in STOP_WORDS] or ([] if must else terms)
    if not telling and not must:
        raise Refusal("nothing to look for: name a word, a path or a command of what was said or done")
    names = [name.lower() for word in words for name in IDENTIFIER_WORD.findall(word) if name.isalpha()]
    typed = {f'"{stem(name)}"': name for name in names}
    needles = {term: needle_of(term, word) for word in words for term in terms_of(word)}
    first = {needle_of("", word): terms_of(word)[0] for word in words if {*terms_of(word)} & {*telling}}
    return {"terms": [*dict.fromkeys(telling)][:MOST_TERMS], "must": must, "typed": typed,
            "needles": needles, "words": first, "phrases": [f'"{" ".join(part.split())}"' for part in phrases]}


def needle_of(term: str, word: str) -> str:
    """How a term of a word is looked for in a text: a plain one as it is, what is made of several as it was typed."""
    bare = term.strip('"*')
    return bare if bare.isalnum() and bare in parts_of(word) else folded_text(word.strip("*.,;:!?()[]{}`'"))


def terms_of(word: str) -> list[str]:
    """The terms of a word: what is made of several parts, and the parts; a phrase of them where nothing else is."""
    parts, wholes = (words.split() for words in words_in(word)[0])
    if parts and (word.endswith("*") or (not word.isascii() and re.fullmatch(f"[{DENSE}]", word))):  # begins a pair
        return [f'"{" ".join(parts)}"*']
    phrase = [" ".join(parts)] if len(parts) > 1 and not wholes else []
    return [f'"{term}"' for term in [*wholes, *phrase, *(part for part in parts if len(part) > 1 or len(parts) == 1)]]


def find_passages(archive: Any, search: JsonObject) -> list[JsonObject]:
    """The best passages for a question: of the best rows by BM25 of its rare words, weighed once more with all of them.

    A row gains by frequent words that stand in it too. Where something must occur, or all words stand everywhere, the
    newest are weighed. `archive`: this machine's or the server's; what it is asked for are groups of terms, and a row
    that holds a term of each.
    """
    archive.counted = counts = counts_of(archive, search)  # what stands somewhere need not be asked for again
    rare, common = by_rarity(counts)
    rows = archive.rows_in_all()
    if search["must"]:
        ids = rows_that_must(archive, rare or common[:1], search)
    elif rare:
        compared = max(1, min(MOST_COMMON, MOST_COMPARED // sum(map(counts.__getitem__, rare))))
        ids = archive.ranked(rare, {term: math.log(1 + rows / counts[term]) for term in common[:compared]}, search)
    else:
        ids = rows_with_common(archive, common[:MOST_COMMON], search)
    return best_passages(archive.rows_of(ids), search, worth_of(rows, search, counts))


def counts_of(archive: Any, search: JsonObject) -> dict[str, int]:
    """The terms that stand somewhere, spelled as there, with the number of rows of each, counted up to MOST_ROWS + 1.

    As they were typed first: of a term that is counted it is not asked a second time whether it is there.
    """
    kind, typed = search["kind"], [term for term in search["terms"] if not term.endswith("*")]
    counts = dict(zip(typed, archive.counts(typed, kind, MOST_ROWS + 1)))
    terms = [*dict.fromkeys(spelled(archive, search, counts))]
    others = [term for term in terms if term not in counts]
    counts.update(zip(others, archive.counts(others, kind, MOST_ROWS + 1)))
    return {term: counts[term] for term in terms if counts[term]}


def rows_that_must(archive: Any, terms: Sequence[str], search: JsonObject) -> list[int]:
    """The newest rows with all that must occur; where there may be more, those with one of the terms too."""
    must = [[phrase] for phrase in search["must"]]
    ids: list[int] = archive.newest(must, search)
    if len(ids) == BEST and terms:
        ids += archive.newest([*must, terms], search)
    return ids


def rows_with_common(archive: Any, terms: Sequence[str], search: JsonObject) -> list[int]:
    """The newest rows in which words that stand everywhere stand close together, then those that hold all of them."""
    ids: list[int] = archive.newest_near(terms, search) if len(terms) > 1 else []
    for groups in ([[term] for term in terms], [terms[:1]]):
        if terms and len(ids) < BEST:
            ids += archive.newest(groups, search)
        if ids:
            break
    return [*dict.fromkeys(ids)][:BEST]


def by_rarity(counts: dict[str, int]) -> tuple[list[str], list[str]]:
    """Of terms that stand in so many rows the rarest, as many as BM25 is to look at, and the others."""
    known = sorted(counts, key=lambda term: counts[term])
    so_far = accumulate(counts[term] for term in known)
    rare = [term for term, rows in zip(known, so_far) if rows <= MOST_ROWS]
    return rare, known[len(rare):]


def worth_of(rows: int, search: JsonObject, counts: dict[str, int]) -> dict[str, float]:
    """What each needle is worth, of so many rows in all; 1 for words that must occur anyway.

    An identifier that occurs nowhere counts too, as what is missing: its parts alone are no answer.
    """
    needed = {word: 1.0 for phrase in search["must"] for word in phrase.strip('"').split()}
    needed.update({word: math.log(1 + rows) for word, term in search["words"].items()
                   if term not in counts and term not in search["typed"] and not term.endswith("*")})
    for term, count in sorted(counts.items(), key=lambda counted: -counted[1]):  # the rarest last
        needed[search["needles"].get(term, term.strip('"'))] = math.log(1 + rows / count)
    return needed


def row_numbers(ids: Iterable[int]) -> str:
    """The ids as SQL takes them."""
    return ", ".join(map(str, ids))


def spelled(archive: Any, search: JsonObject, counts: Mapping[str, int]) -> Iterator[str]:
    """The terms; the words that begin so for a prefix; for a word that no turn has, those that are one slip away.

    `counts`: of terms the rows in which they are known to stand.
    """
    for term in search["terms"]:
        word = search["typed"].get(term, "")
        if term.endswith("*") and " " not in term:
            yield from (f'"{known}"' for known in archive.beginning(term.strip('"*')))
        elif len(word) < SLIP_MIN_CHARACTERS or counts.get(term) or archive.rows_with(term, 1):
            yield term
        else:
            near = archive.known_of(dict.fromkeys(filter(partial(may_be_meant, word), map(stem, slips(word)))))
            yield from (f'"{known}"' for known in near[:2])


def may_be_meant(word: str, near: str) -> bool:
    """Whether a word one slip away, without its ending, is like this one: for "nothing" `not` and `both` were not."""
    return len(near) >= SLIP_MIN_CHARACTERS and near[0] in word[:2]


def slips(word: str) -> Iterator[str]:
    """All words that one slip makes of this one: letters swapped, one left out, put in or replaced."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    yield from (head + tail[1:2] + tail[:1] + tail[2:] for head, tail in cuts)
    yield from (head + tail[1:] for head, tail in cuts)
    letters = LETTERS if word.isascii() else sorted({*word})
    for head, tail in cuts:
        yield from (head + letter + rest for letter in letters for rest in (tail, tail[1:]))


def words_and_pattern(match: str) -> tuple[str, str]:
    """What has to stand in a text, and the pattern that it has to match besides; no pattern where anywhere will do.

    Words are whole: before and behind them stands no letter or digit of ASCII. A star at an end lifts that there. In
    scripts without spaces, and in names of several words, parts are words too: rather too much goes than too little.
    """
    bare = (match.strip("*") and match[match[0] == "*":len(match) - (match[-1] == "*")]) or match
    begins = "" if match[0] == "*" or not re.match(ASCII_WORD, bare) else f"(?<!{ASCII_WORD})"
    ends = "" if match[-1] == "*" or not re.match(ASCII_WORD, bare[-1:]) else f"(?!{ASCII_WORD})"
    return bare, f"{begins}{re.escape(bare)}{ends}" if begins or ends else ""


def condition_of(filters: JsonObject) -> tuple[str, list[Any]]:
    """The condition for the turns' rows that the filters set, and its values."""
    conditions: list[tuple[str, list[Any]]] = [("1", [])]
    if project := filters.get("project"):
        folder, end = os.path.realpath(project).rstrip("/"), project.rstrip("/")
        conditions.append(("(project = ? OR substr(project, 1, ?) = ? OR substr(project, -?) = ?)",
                           [folder, len(folder) + 1, f"{folder}/", len(end) + 1, f"/{end}"]))
    if session := filters.get("session"):
        conditions.append(("substr(session, 1, ?) = ?", [len(session), session]))
    for name, sign in (("since", ">="), ("until", "<")):
        if moment := filters.get(name):
            conditions.append((f"time {sign} ?", [moment]))
    if match := filters.get("match"):
        texts = " || char(10) || ".join(KINDS)
        bare, pattern = words_and_pattern(match)
        conditions.append((f"instr(lower({texts}), lower(?))", [bare]))
        if pattern:
            conditions.append((f"matches({texts}, ?)", [pattern]))
    return " AND ".join(text for text, _ in conditions), [value for _, values in conditions for value in values]


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
EVENTS_FILE, HOOK_LOG, ARCHIVE_FILE = "events.jsonl", "hook.log", "archive.db"  # in the data folder
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one folder, however the scripts were installed; refused where it is no full path."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    path = os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    if not os.path.isabs(path):  # each folder that a script runs in would have one of its own
        raise Refusal(f"the data folder {path} is no full path; COMPACT_KEEPER_HOME or CLAUDE_CONFIG_DIR names it")
    return path


def session_folder(session: str) -> str:
    """Where what is known of the session lies, if anything is."""
    return os.path.join(data_home(), "sessions", session)


def private_folder(*names: str) -> str:
    """The path of a folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def why_not_writable(folder: str) -> str:
    """Why no file can be made in the folder, or the folder not be made; empty where both can. Nothing stays of it."""
    nearest = folder
    while not os.path.lexists(nearest) and os.path.dirname(nearest) != nearest:  # what is missing would be made in this
        nearest = os.path.dirname(nearest)
    draft = os.path.join(nearest, f"compact-keeper.{os.getpid()}.tmp")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600))
        os.unlink(draft)
    except OSError as fault:
        return f"{nearest}: {fault.strerror}"
    return ""


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = f"\n{line}"
        file.write(f"{line}\n".encode("utf-8", "replace"))


# ==================================================================================================
# text/named_secrets.py: Secrets that are known again: a value that the session named once stands elsewhere without its name.
# ==================================================================================================

NAMED_RUN_CHARACTERS, NAMED_RUN_CHANGES = 16, 4  # at least: of a run, and between its letters and digits
NAMED_RUN = rf"[A-Za-z0-9]{{{NAMED_RUN_CHARACTERS},}}"
LETTER_DIGIT_CHANGE = r"\d(?=[A-Za-z])|[A-Za-z](?=\d)"
MARKS_IN_ALL = (1 << 24) - 3  # a prime: of other runs one in eight million has the mark of one of the ends
REPLACEMENT = "[redacted]"


@cache
def named_runs() -> set[str]:
    """The runs that this process has replaced behind a name: the only state of the text room.

    `redact` adds to it, which is called 40 times, each for a text of its own: to hand it through all of them would put
    it into every signature. Who reads several sessions begins each with `forget_named_secrets` (quotation.py).
    """
    return set()


def remember(value: str) -> None:
    """Knows the runs of a value that was replaced from now on."""
    runs = re.findall(NAMED_RUN, value)
    named_runs().update(run for run in runs if len(re.findall(LETTER_DIGIT_CHANGE, run)) >= NAMED_RUN_CHANGES)


def marks_of(run: str) -> set[str]:
    """What stands on disk for the run's two ends."""
    ends = run[:NAMED_RUN_CHARACTERS], run[-NAMED_RUN_CHARACTERS:]
    return {f"{int.from_bytes(end.encode(), 'big') % MARKS_IN_ALL:06x}" for end in ends}


def marks_with(known: Iterable[str]) -> list[str]:
    """The marks known before, with those of what this process has seen named."""
    return sorted({*known}.union(*map(marks_of, named_runs())))


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else REPLACEMENT.ljust(len(match[0]), "*")
    return re.sub(NAMED_RUN, hidden, text) if marks else text


def all_without_marked(value: Any, marks: Collection[str]) -> Any:
    """The JSON value with each of its texts so, in copies; however deep it is, as a call's answers may be.

    Without marks it is the value itself: most sessions name no secret.
    """
    if not marks:
        return value
    whole = [value]
    waiting: list[Any] = [whole]
    while waiting:
        here = waiting.pop()
        for key, part in [*(here.items() if isinstance(here, dict) else enumerate(here))]:
            if isinstance(part, str):
                here[key] = without_marked(part, marks)
            elif isinstance(part, (dict, list)):
                here[key] = part.copy()
                waiting.append(here[key])
    return whole[0]


# ==================================================================================================
# archive/database.py: archive.db, the archive of this machine: a row for each turn of all sessions, and a full-text index beside them.
# ==================================================================================================

WRITE_WAIT_SECONDS = 30  # that one process waits for another's write
ARCHIVE_MIGRATIONS = ("""
CREATE TABLE sources(id INTEGER PRIMARY KEY, name TEXT UNIQUE, inode INTEGER, size INTEGER, offset INTEGER, told TEXT);
CREATE TABLE turns(id INTEGER PRIMARY KEY, time REAL, project TEXT, session TEXT, branch TEXT, cycle INTEGER, who TEXT,
    source INTEGER, turn INTEGER, start INTEGER, hash TEXT UNIQUE, pushed INTEGER DEFAULT 0, indexed INTEGER DEFAULT 0,
    prompt TEXT, answer TEXT, command TEXT, file TEXT, error TEXT, decision TEXT, steps TEXT, UNIQUE(source, start));
CREATE INDEX turns_by_session ON turns(session, time);
CREATE INDEX turns_by_time ON turns(time);
CREATE INDEX turns_not_indexed ON turns(id) WHERE NOT indexed;
CREATE INDEX turns_not_pushed ON turns(id) WHERE NOT pushed;
CREATE TABLE vocabulary(word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE forgotten(mark TEXT PRIMARY KEY) WITHOUT ROWID""", """
ALTER TABLE turns ADD COLUMN first INTEGER;
ALTER TABLE sources ADD COLUMN format INTEGER DEFAULT 1""")
INDEX = f"CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5({', '.join(KINDS)}, content='', tokenize='ascii')"
ORIGIN = ("time", "project", "session", "branch", "cycle", "who", "source", "turn", "start", "hash", "first")
COLUMNS = (*ORIGIN, *KINDS, "steps")
FORMAT, NOT_THERE = 2, 0  # of what is kept of a transcript: one below FORMAT is read anew, once it is there
# To count FORMAT up, `store` and `store_turn` have to tell the rows of format 2: those of 1 have no `first`.
OLD = f"format > {NOT_THERE} AND format < ?"  # of sources, which are looked for
REMOVED_TOGETHER = 1_000  # rows; so long other writers wait at most


def digest(text: str) -> str:
    """What stands for a text where two are compared; the text cannot be read from it."""
    from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def content_mark(turn: JsonObject) -> str:
    """What stands for the content of a turn, which is stored once."""
    return digest("\0".join([turn["stamp"], *(turn[kind] for kind in KINDS[:-1])]))


def words_of_rows(rows: Iterable[tuple[Any, ...]]) -> set[str]:
    """The words of rows, each an id and the texts of a turn as they are indexed."""
    return {*" ".join([text for row in rows for text in row[1:]]).split()}


def matches(text: str, pattern: str) -> bool:
    """Whether a text holds what matches the pattern, in small letters of ASCII or large ones."""
    return bool(re.search(pattern, text, re.ASCII | re.IGNORECASE))


class Database:
    """The archive's file: made, brought up to date, filled and emptied. What is asked of it: see Archive."""

    def __init__(self, wait: float = WRITE_WAIT_SECONDS, is_made: bool = True) -> None:
        """`wait`: seconds that another process's write is waited for; `is_made`: whether it is, where there is none.

        Else, what only looks finds an empty one, and nothing is on disk that was not.
        """
        self.path = os.path.join(data_home(), ARCHIVE_FILE)
        self.is_kept = is_made or os.path.lexists(self.path)
        if not self.is_kept and (fault := why_not_writable(os.path.dirname(self.path))):
            raise Refusal(f"there is no archive, and none can be made: {fault}")
        if self.is_kept:
            private_folder()
            os.close(open_regular(self.path, os.O_RDWR | os.O_CREAT | NO_LINK))  # private before SQLite fills it
        self.db = sqlite3.connect(self.path if self.is_kept else ":memory:", timeout=wait, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.create_function("matches", 2, matches)
        self.known: set[str] = set()  # words that the vocabulary has
        try:
            if self.value("PRAGMA user_version") < len(ARCHIVE_MIGRATIONS):
                self.migrate(time.monotonic() + wait)
            version = self.value("PRAGMA user_version")
        except sqlite3.DatabaseError as fault:
            raise Refusal(f"{self.path}: {fault}") from None
        if version != len(ARCHIVE_MIGRATIONS):
            raise Refusal(f"{self.path} has version {version}, not {len(ARCHIVE_MIGRATIONS)}, and is left alone")
        for setting in ("synchronous = NORMAL", "secure_delete = ON"):  # no mmap, no larger cache: faults cost 5 ms
            self.db.execute(f"PRAGMA {setting}")
        try:
            self.db.execute(INDEX)
        except sqlite3.OperationalError as fault:
            if "no such module" not in str(fault):
                raise
            raise Refusal(f"the SQLite of {sys.executable} has no full-text search (FTS5), which the archive needs; "
                          "start recall.py with another Python") from None
        if self.value("SELECT 1 FROM turns WHERE NOT indexed"):  # stored by version 0.6.0 with a Python without FTS5
            with self.writing():
                self.index_words()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the query's first row; None without one."""
        row = self.db.execute(query, values).fetchone()
        return row[0] if row else None

    def rows_with(self, match: str, most: int) -> int:
        """In how many rows this stands, counted up to `most`."""
        return int(self.value("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", (match, most)))

    def migrate(self, until: float) -> None:
        """Makes the tables, or what they lack; of several that come at once the first does, the others wait for it."""
        while self.is_kept and self.value("PRAGMA journal_mode") != "wal":
            try:
                self.db.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self.db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:  # this change alone does not wait by itself
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        with self.writing():
            for step in ARCHIVE_MIGRATIONS[self.value("PRAGMA user_version"):]:
                for statement in step.split(";\n"):
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA user_version = {len(ARCHIVE_MIGRATIONS)}")

    def writing(self) -> sqlite3.Connection:
        """A transaction for `with`, begun: it waits for its turn now, not in its middle."""
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    # what comes in

    def source(self, path: str, about: os.stat_result) -> JsonObject:
        """How far the transcript was read; from its beginning when it is another file than last time."""
        name = digest(path)  # a forgotten project leaves no name behind
        row = self.db.execute("SELECT * FROM sources WHERE name = ?", (name,)).fetchone()
        if row and row["inode"] == about.st_ino and row["offset"] <= about.st_size:
            return {"id": row["id"], "size": row["size"], "offset": row["offset"], "state": json.loads(row["told"]),
                    "is_old": row["format"] < FORMAT}
        with self.writing():
            self.db.execute("UPDATE sources SET name = NULL WHERE name = ?", (name,))
            made = self.db.execute("INSERT INTO sources(name, inode, size, offset, told, format) "
                                   "VALUES(?, ?, -1, 0, '{}', ?)", (name, about.st_ino, FORMAT))
        return {"id": made.lastrowid, "size": -1, "offset": 0, "state": {}, "is_old": False}

    def turns_kept(self, source: int, offset: int) -> set[int] | None:
        """Of a transcript the turns, by the byte where they begin, that the archive has and nothing was forgotten of.

        None where nothing of it was read, up to `offset`. Of a part that was forgotten it is known only where it began:
        the turn is taken that began last before it.
        """
        turns = [row[0] for row in self.db.execute(
            "SELECT DISTINCT turn FROM turns WHERE source = ? ORDER BY turn", (source,))]
        begins = f"({source}, "
        forgotten = [int(mark[len(begins):-1]) for mark, in self.db.execute(
            "SELECT mark FROM forgotten WHERE substr(mark, 1, ?) = ?", (len(begins), begins))]
        if not (turns or forgotten or offset):
            return None
        return {*turns} - {max((turn for turn in turns if turn <= start), default=-1) for start in forgotten}

    def has_old(self) -> bool:
        """Whether transcripts are left that were taken in by an older version."""
        return bool(self.value(f"SELECT 1 FROM sources WHERE {OLD} AND name NOTNULL LIMIT 1", (FORMAT,)))

    def is_old(self, path: str) -> bool:
        """Whether an older version took the transcript in."""
        return bool(self.value("SELECT 1 FROM sources WHERE name = ? AND format < ?", (digest(path), FORMAT)))

    def leave_old(self) -> None:
        """The transcripts that are left are not looked for again: those that are there have been read anew."""
        with self.writing():
            self.db.execute(f"UPDATE sources SET format = {NOT_THERE} WHERE {OLD}", (FORMAT,))

    def store(self, source: int, turns: Sequence[JsonObject], size: int, offset: int, state: JsonObject) -> int:
        """Writes the turns and how far the source was read, together; returns how many rows are new or have grown.

        `state` is that of the session at the offset, the column `told`; a `size` of -1: more is to come. With the last
        of a transcript that was read anew, the older parts of these turns give up their texts, which the new ones hold:
        they keep their ids, by which their turn is still found.
        """
        known = state.get("named", [])
        marks = marks_with(known)
        with self.writing():
            if marks != known:
                self.hide(source, marks)
                state = {**state, "named": marks}
            count = sum(self.store_turn({**all_without_marked(turn, marks), "source": source}) for turn in turns)
            self.index_words()
            is_old = self.value("SELECT format < ? FROM sources WHERE id = ?", (FORMAT, source)) and size >= 0
            if is_old:
                replaced = ("source = ? AND first IS NULL AND steps <> '[]' "
                            "AND turn IN (SELECT turn FROM turns WHERE source = ? AND first NOTNULL)")
                self.unindex(replaced, (source, source))
                self.db.execute(f"UPDATE turns SET {' = char(), '.join(KINDS)} = char(), steps = '[]', pushed = 0 "
                                f"WHERE {replaced}", (source, source))
            self.db.execute("UPDATE sources SET size = ?, offset = ?, told = ?, format = max(format, ?) "
                            "WHERE id = ? AND (offset <= ? OR ?)",
                            (size, offset, json.dumps(state), FORMAT if is_old else 0, source, offset, is_old))
        return count

    def hide(self, source: int, marks: Sequence[str]) -> None:
        """Hides what has one of the marks in the rows of a transcript that are there already; the index has them anew.

        What is hidden may stay in the file of the index until SQLite puts its parts together; no search shows it.
        """
        rows = self.db.execute(f"SELECT id, {', '.join(KINDS)} FROM turns WHERE source = ?", (source,)).fetchall()
        for number, *texts in rows:
            hidden = [without_marked(text, marks) for text in texts]
            if hidden != texts:
                words = self.unindex("id = ?", (number,))
                self.db.execute(f"UPDATE turns SET {' = ?, '.join(KINDS)} = ?, indexed = 0, pushed = 0 WHERE id = ?",
                                (*hidden, number))
                gone = words - words_of_rows(self.rows_to_index("id = ?", (number,)))
                self.forget_unused(gone)

    def forget_unused(self, words: Iterable[str]) -> None:
        """Takes those of the words out of the vocabulary that no row holds any more."""
        unused = [word for word in words if not self.rows_with(f'"{word}"', 1)]
        self.db.executemany("DELETE FROM vocabulary WHERE word = ?", [(word,) for word in unused])
        self.known -= {*unused}

    def store_turn(self, turn: JsonObject) -> bool:
        """Writes a turn unless it is there or was forgotten; one that has grown keeps its id."""
        turn["hash"] = content_mark(turn)
        key = (turn["source"], turn["start"])
        if self.value("SELECT 1 FROM turns WHERE hash = ?", (turn["hash"],)):
            self.db.execute("UPDATE turns SET first = ?, steps = ?, pushed = 0 "  # an old row of which no more is known
                            "WHERE hash = ? AND source = ? AND start = ? AND first IS NULL",
                            (turn["first"], turn["steps"], turn["hash"], *key))
            return False
        if self.value("SELECT 1 FROM forgotten WHERE mark IN (?, ?)", (turn["hash"], f"{key}")):
            return False
        old = self.value("SELECT id FROM turns WHERE source = ? AND start = ?", key)
        self.unindex("id = ?", (old,))
        self.db.execute(f"REPLACE INTO turns(id, {', '.join(COLUMNS)}) VALUES(?{', ?' * len(COLUMNS)})",
                        (old, *(turn[name] for name in COLUMNS)))
        return True

    def index_words(self) -> None:
        """Puts into the index what is not in it yet."""
        rows = self.rows_to_index("NOT indexed", ())
        self.db.executemany(f"INSERT INTO words(rowid, {', '.join(KINDS)}) VALUES(?{', ?' * len(KINDS)})", rows)
        new = words_of_rows(rows) - self.known
        self.db.executemany("INSERT OR IGNORE INTO vocabulary VALUES(?)", [(word,) for word in new])
        self.known |= new
        self.db.executemany("UPDATE turns SET indexed = 1 WHERE id = ?", [row[:1] for row in rows])

    def rows_to_index(self, where: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows' ids and texts, as they are indexed."""
        rows = self.db.execute(f"SELECT id, {', '.join(KINDS)} FROM turns WHERE {where}", values)
        return [(number, *map(indexed, texts)) for number, *texts in rows]

    def unindex(self, where: str, values: Sequence[Any]) -> set[str]:
        """Takes the rows out of the index, which keeps no texts and so is given their words once more; the words."""
        rows = self.rows_to_index(f"indexed AND {where}", values)
        if rows:
            self.db.executemany(f"INSERT INTO words(words, rowid, {', '.join(KINDS)}) "
                                f"VALUES('delete', ?{', ?' * len(KINDS)})", rows)
        return words_of_rows(rows)

    # what goes out

    def remove(self, where: str, values: Sequence[Any], may_return: bool = False) -> int:
        """Removes the turns for good, from rows, index and vocabulary; no page of the file keeps them."""
        count, gone = 0, set()
        query = f"SELECT id FROM turns WHERE {where} LIMIT {REMOVED_TOGETHER}"
        while ids := [row[0] for row in self.db.execute(query, values)]:
            these = f"id IN ({row_numbers(ids)})"
            with self.writing():
                if not may_return:
                    self.db.execute(f"INSERT OR IGNORE INTO forgotten SELECT hash FROM turns WHERE {these} UNION ALL "
                                    f"SELECT '(' || source || ', ' || start || ')' FROM turns WHERE {these}")
                    self.unname(f"id IN (SELECT source FROM turns WHERE {these})")
                gone |= self.unindex(these, ())
                count += self.db.execute(f"DELETE FROM turns WHERE {these}").rowcount
        if gone:
            with self.writing():
                self.forget_unused(gone)
                self.db.execute("INSERT INTO words(words) VALUES('optimize')")  # until then it holds what was deleted
        self.db.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return count

    def unname(self, where: str) -> None:
        """Takes the names of project, session and branch out of where reading goes on; its next record has them."""
        for source, state in self.db.execute(f"SELECT id, told FROM sources WHERE {where}").fetchall():
            kept = {name: value for name, value in json.loads(state).items() if name not in NAMING}
            self.db.execute("UPDATE sources SET told = ? WHERE id = ?", (json.dumps(kept), source))

    def retain(self, days: int, megabytes: int) -> None:
        """Removes turns older than so many days; while the archive is larger than allowed, its oldest tenth."""
        before = time.time() - 86_400 * days
        while True:
            if self.value("SELECT 1 FROM turns WHERE time < ?", (before,)):
                self.remove("time < ?", (before,), may_return=True)
            pages = self.value("PRAGMA page_count") - self.value("PRAGMA freelist_count")
            if pages * self.value("PRAGMA page_size") <= megabytes << 20 or before is None:
                return
            tenth = self.value("SELECT count(*) FROM turns") // 10
            before = self.value("SELECT time + 1 FROM turns ORDER BY time LIMIT 1 OFFSET ?", (tenth,))

    def forget(self, filters: JsonObject) -> int:
        """Removes the turns that the filters name; how many."""
        return self.remove(*condition_of(filters))


# ==================================================================================================
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def set_aside(path: str, most: int) -> None:
    """Sets a file of more bytes aside, beside it, so that it begins anew; the one that was set aside before goes."""
    if size_of(path) > most:
        try:
            os.replace(path, f"{path}{OLD_ENDING}")
        except FileNotFoundError:  # another hook has just done it
            return


def end_of(path: str, size: int, flags: int = 0) -> bytes:
    """The file's last so many bytes; none where it cannot be read. `flags` are those that open it, beside reading."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | flags), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, ValueError, Refusal):  # a name with a NUL is no file
        return b""


# ==================================================================================================
# archive/local_archive.py: The archive of this machine as it is asked: the rows that answer a question, and what the commands show.
# ==================================================================================================

NARROW_ROWS = 20_000  # of a session or between two times: they are listed in 5 ms
# Of words that all stand everywhere the newest rows that are read: first so many, which have enough for most questions;
# 100,000 take 10 ms for three words, and are what an archive of the default 1 GB holds.
NEAR_ROWS, READ_ROWS = 10_000, 100_000
NEAR_READ_ROWS = 30_000  # that are read for words that stand close together, which takes 4 ms
LOOKED_UP, LOOKED_UP_TOGETHER = 10_000, 200  # rows that are looked up for a filter, at most; 2 to 10 µs each
VALUES_MAX = 900  # that are given to a query: older SQLites take 999


def of_kind(kind: str | None, match: str) -> str:
    """What FTS5 is to find in the texts of this kind alone, or in all."""
    return f"{kind} : {match}" if kind else match


def match_of(groups: Sequence[Sequence[str]], kind: str | None) -> str:
    """What FTS5 is to find for rows that hold a term of each group."""
    return of_kind(kind, f"({' AND '.join(f'({any_of})' for any_of in map(' OR '.join, groups))})")


def single_words(term: str) -> list[str]:
    """The words of a term, each as FTS5 takes it; the term itself where its last word only begins so."""
    return [term] if term.endswith("*") else [f'"{word}"' for word in term.strip('"').split()]


class Archive(Database):
    """The archive of this machine."""

    def __init__(self, wait: float = WRITE_WAIT_SECONDS, is_made: bool = True) -> None:
        """As its file: see Database."""
        super().__init__(wait, is_made)
        self.reaches: dict[tuple[str, int], int] = {}  # of the search in hand, what `newest_within` has said
        self.counted: Mapping[str, int] = {}  # terms of the last search that stand somewhere
        self.cut_at = 0.0  # the time before which the last search looked at nothing; 0 where it looked at all

    # what a search asks of it

    def rows_in_all(self) -> int:
        """How many rows there are, about: removed ones count."""
        return self.value("SELECT max(id) FROM turns") or 0

    def counts(self, terms: Sequence[str], kind: str | None, most: int) -> list[int]:
        """In how many rows each of the terms stands, in this kind or in any, counted up to `most`."""
        return [self.rows_with(of_kind(kind, term), most) for term in terms]

    def known_of(self, words: Iterable[str]) -> list[str]:
        """Those of the words that the archive has, the commonest first."""
        first = [*words][:VALUES_MAX]
        known = self.db.execute(f"SELECT word FROM vocabulary WHERE word IN (?{', ?' * (len(first) - 1)})", first)
        return sorted((row[0] for row in known), key=lambda word: -self.rows_with(f'"{word}"', MOST_ROWS))

    def beginning(self, begin: str) -> list[str]:
        """The shortest words of the archive that begin so."""
        return [row[0] for row in self.db.execute(
            "SELECT word FROM (SELECT word FROM vocabulary WHERE word >= ? AND word < ? LIMIT 5000) "
            "ORDER BY length(word) LIMIT ?", (begin, f"{begin}\U0010ffff", BEGINNING))]

    def newest_within(self, match: str, top: int) -> int:
        """In how many rows up to the `top` this stands in more than BM25 looks at; all where it stands in fewer."""
        if (match, top) not in self.reaches:
            count, last = self.db.execute(
                "SELECT count(*), min(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? AND rowid <= ? "
                f"ORDER BY rowid DESC LIMIT {MOST_ROWS + 1})", (match, top)).fetchone()
            self.reaches[match, top] = int(top - last + 1) if count > MOST_ROWS else top
        return self.reaches[match, top]

    def ranked(self, rare: Sequence[str], common: Mapping[str, float], search: JsonObject) -> list[int]:
        """The ids of the best rows with a rare term by BM25, and by what those gain that hold a common one too.

        Of equals the newest.
        """
        first, last = self.bounds(search)
        scores = dict(map(tuple, self.db.execute(
            f"SELECT rowid, -{BM25} FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
            (match_of([rare], search["kind"]), first, last))))
        for term, gain in common.items() if len(scores) > BEST else ():
            match = match_of([rare, [term]], search["kind"])
            for row, in self.db.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,)):
                if row in scores:
                    scores[row] += gain
        best_first = sorted(scores, key=lambda row: (-scores[row], -row))
        return self.filtered(best_first, search, len(best_first))[0]

    def newest(self, groups: Sequence[Sequence[str]], search: JsonObject) -> list[int]:
        """The ids of the newest rows that hold a term of each group, newest first.

        Where all of these stand everywhere, READ_ROWS of the newest rows are read at most, or as many as hold the
        rarest word of them MOST_ROWS times, and of those that match LOOKED_UP are looked up for a filter; `cut_at` is
        then the time before which nothing was looked at.
        """
        kind, bounds = search["kind"], self.bounds(search)
        words = [word for group in groups if len(group) == 1 for word in single_words(group[0])]
        depths = self.depths([of_kind(kind, word) for word in dict.fromkeys(words[:MOST_COMMON])], bounds[1])
        ids, low = self.newest_matching(match_of(groups, kind), depths, bounds, search)
        if low:
            reached = self.value("SELECT time FROM turns WHERE id > ? ORDER BY id LIMIT 1", (low,))
            self.cut_at = max(self.cut_at, reached or 0.0)
        return ids

    def depths(self, matches: Sequence[str], top: int) -> Iterator[int]:
        """How many of the newest rows up to the `top` are read for what all has to stand in them: at first, at most."""
        yield NEAR_ROWS
        yield max([READ_ROWS, *(self.newest_within(match, top) for match in matches)])

    def newest_near(self, terms: Sequence[str], search: JsonObject) -> list[int]:
        """The ids of rows in which all terms stand close together, newest first, of the newest NEAR_READ_ROWS."""
        near = of_kind(search["kind"], f"NEAR({' '.join(terms)}, {NEAR_WORDS})")
        return self.newest_matching(near, (NEAR_ROWS, NEAR_READ_ROWS), self.bounds(search), search)[0]

    def newest_matching(self, match: str, depths: Iterable[int], bounds: tuple[int, int],
                        search: JsonObject) -> tuple[list[int], int]:
        """The ids of the newest rows that match, newest first; the last id that was not looked at, 0 where all were.

        Of those between the bounds as many are read as the next of the `depths` says, while too few match. Read
        upwards, FTS5 begins at the lowest row that is asked for; read downwards it would go on to the archive's first,
        however few match.
        """
        (first, last), left = bounds, LOOKED_UP
        ids, low = list[int](), last
        for depth in depths:
            high, low = low, max(last - depth, first - 1)
            matching = [row[0] for row in self.db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? AND rowid > ? AND rowid <= ?", (match, low, high))][::-1]
            more, looked_up = self.filtered(matching, search, left)
            ids += more
            left -= looked_up
            if len(ids) >= BEST or (low < first and looked_up == len(matching)):
                return ids[:BEST], 0
            if looked_up < len(matching):
                return ids, matching[looked_up]
        return ids, low

    def filtered(self, ids: Sequence[int], search: JsonObject, most: int) -> tuple[list[int], int]:
        """Of these rows the first that the filters let through, as many as are weighed; how many were looked up.

        At most so many are looked up.
        """
        where, values = condition_of(search)
        if not values:
            return [*ids[:BEST]], len(ids)
        kept, begin = list[int](), 0
        while begin < min(len(ids), most) and len(kept) < BEST:
            some = ids[begin:begin + LOOKED_UP_TOGETHER]
            there = {row[0] for row in self.db.execute(
                f"SELECT id FROM turns WHERE id IN ({row_numbers(some)}) AND {where}", values)}
            kept += [row for row in some if row in there]
            begin += len(some)
        return kept[:BEST], len(ids) if len(kept) >= BEST else begin

    def bounds(self, search: JsonObject) -> tuple[int, int]:
        """The ids between which the rows of the session and the times that are asked for lie; wide where they are many.

        Of what is older than a time, the newest rows say where to begin: most rows came in the order of their times.
        """
        top = self.rows_in_all()
        bounds = [(1, top)]
        times, values = condition_of({name: search.get(name) for name in ("since", "until")})
        ranges = [(times, values, "ORDER BY time DESC")] if values else []
        if session := search.get("session"):
            ranges.append(("session >= ? AND session < ?", [session, f"{session}\U0010ffff"], ""))
        for where, given, order in ranges:
            low, high, count = self.db.execute(
                "SELECT min(id), max(id), count(*) FROM "
                f"(SELECT id FROM turns WHERE {where} {order} LIMIT {NARROW_ROWS + 1})", given).fetchone()
            bounds.append((low if count <= NARROW_ROWS else 1, high if count <= NARROW_ROWS or order else top))
        return max(low or top for low, _ in bounds), min(high or 0 for _, high in bounds)

    def rows(self, where: str, values: Sequence[Any] = ()) -> list[JsonObject]:
        """The turns, in the order of their time."""
        names = ", ".join(("id", *COLUMNS))
        selected = self.db.execute(f"SELECT {names} FROM turns WHERE {where} ORDER BY time, start", values)
        return [dict(row) for row in selected]

    def rows_of(self, ids: Sequence[int]) -> list[JsonObject]:
        """The rows with these ids."""
        return self.rows(f"id IN ({row_numbers(ids)})")

    # what the commands ask of it, as of a server

    def find(self, search: JsonObject) -> list[JsonObject]:
        """The best passages for a question with its filters, best first, each with its `score`."""
        self.cut_at, self.reaches = 0.0, {}
        return find_passages(self, search)

    def around(self, number: int, context: int) -> list[JsonObject]:
        """All parts of the turn, and of as many turns of its session on either side."""
        here = self.db.execute("SELECT source, turn FROM turns WHERE id = ?", (number,)).fetchone()
        if not here:
            return []
        turns = [row[0] for row in self.db.execute(
            "SELECT DISTINCT turn FROM turns WHERE source = ? ORDER BY turn", (here["source"],))]
        at = turns.index(here["turn"])
        near = turns[max(at - context, 0):at + context + 1]
        return self.rows("source = ? AND turn BETWEEN ? AND ?", (here["source"], near[0], near[-1]))

    def with_steps(self, number: int, first: int, last: int) -> list[JsonObject]:
        """The rows of the turn's transcript that hold the steps from `first` to `last`, by their numbers."""
        source = "(SELECT source FROM turns WHERE id = ?)"
        begin = f"coalesce((SELECT max(first) FROM turns WHERE source = {source} AND first <= ?), 0)"
        return self.rows(f"source = {source} AND first BETWEEN {begin} AND ?", (number, number, first, last))

    def changing(self, number: int, heads: Sequence[str], most: int) -> list[JsonObject]:
        """The newest rows of the turn's transcript, from that one on, with one of these among the files."""
        here = "(SELECT {} FROM turns WHERE id = ?)"
        ids = [row[0] for row in self.db.execute(
            f"SELECT id FROM turns WHERE source = {here.format('source')} AND start >= {here.format('start')} "
            f"AND (instr(file, ?){' OR instr(file, ?)' * (len(heads) - 1)}) ORDER BY start DESC LIMIT ?",
            (number, number, *heads, most))]
        return self.rows_of(ids)

    def newest_of(self, session: str) -> int:
        """The newest row of a session's main thread; 0 without one."""
        return self.value("SELECT id FROM turns WHERE session = ? AND who = 'person' "
                          "ORDER BY time DESC, start DESC",
                          (session,)) or 0

    def tagged(self, session: str, tag: str) -> list[JsonObject]:
        """The rows of the session with a step of this tag; where it has none, those among the newest of all sessions.

        These are a session that goes on under another name, or of which the client does not say what it is called.
        """
        newest = f"id IN (SELECT id FROM turns ORDER BY time DESC LIMIT {MOST_ROWS}) AND ? <> ''"
        return next(filter(None, (self.rows(f"{where} AND instr(steps, ?)", (value, f'"{tag}"'))
                                  for where, value in (("session = ?", session), (newest, tag)))), [])

    def count(self, filters: JsonObject) -> int:
        """How many turns the filters name."""
        where, values = condition_of(filters)
        return int(self.value(f"SELECT count(*) FROM turns WHERE {where}", values))

    def named_by(self, filters: JsonObject, most: int) -> tuple[list[int], int]:
        """The numbers of the first turns that the filters name, so many at most, and how many steps all have."""
        where, values = condition_of(filters)
        numbers, steps = list[int](), 0
        for number, lengths in self.db.execute(f"SELECT id, steps FROM turns WHERE {where} ORDER BY id", values):
            numbers += [number] * (len(numbers) < most)
            steps += len(json.loads(lengths))
        return numbers, steps

    def figures(self) -> JsonObject:
        """What the archive holds, each with its name."""
        first, last = self.db.execute("SELECT min(time), max(time) FROM turns").fetchone()
        kinds = dict(map(tuple, self.db.execute("SELECT who, count(*) FROM turns GROUP BY who")))
        return {"archive": self.path, "turns": sum(kinds.values()), "summaries": kinds.get("summary", 0),
                "subagents": kinds.get("subagent", 0), "first": first, "last": last,
                "sessions": self.value("SELECT count(DISTINCT session) FROM turns"),
                "projects": self.value("SELECT count(DISTINCT project) FROM turns"),
                "bytes": size_of(self.path)}


# ==================================================================================================
# text/sanitize.py: Text without what a reader does not see, and without what the client or a model could take for a tag of theirs.
# ==================================================================================================

TEXT_MAX_CHARACTERS = 100_000  # what is longer is a pasted log: its beginning is kept
# Control sequences and the carriers of hidden text: a sign first, by which `re` passes over all others at once.
HIDDEN = (
    r"[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff](?:(?<=\x1b)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?"
    r"|(?<![\u200c\u200d])|(?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\ufe0e\ufe10-\uffff].))")
SYMBOLS = "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
LONE_SELECTOR = rf"\ufe0f(?!(?<=[{SYMBOLS}]\ufe0f)|(?<=[\d#*]\ufe0f)\u20e3)"  # shows no symbol as a picture
# Opening brackets, look-alikes among them, before the names that the client gives its tags, or letters that pass for
# Latin ones.
TAG_BRACKETS = "<\ufe64\uff1c"
TAG = (
    rf"(?i)[{TAG_BRACKETS}](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
    r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
    r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")


def clean(text: str) -> str:
    """The text, of a long one its beginning, without hidden characters and lone surrogates; tags are disarmed."""
    if len(text) > TEXT_MAX_CHARACTERS:
        text = "".join(text[:TEXT_MAX_CHARACTERS].rsplit(None, 1)[:1])  # no half of a word
    if not is_plain(text.replace("\n", "")):
        if not is_plain(text.replace("\n", "").replace("\t", "")):
            text = re.sub(LONE_SELECTOR, "", text) if "\ufe0f" in text else text  # first: joiners may stand behind one
            text = re.sub(HIDDEN, "", text).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    if not holds_any(text, TAG_BRACKETS):
        return text
    disarmed = re.sub(TAG, "‹", text)
    return text if disarmed == text else disarmed.rstrip("\n")  # as it is when it is cleaned again: "‹" is not plain


def is_plain(text: str) -> bool:
    """Whether every character is a sign of ASCII that a reader sees, or a blank."""
    return text.isascii() and text.isprintable()


# ==================================================================================================
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


# ==================================================================================================
# archive/progress.py: How far the index has come, as it is shown on a terminal or elsewhere.
# ==================================================================================================

REDRAW_SECONDS, LINE_SECONDS = 0.1, 5  # between two looks of the bar; between two lines where there is no terminal
BAR_SIGNS = 20


class Progress:
    """Tells how far the index has come: a bar that redraws itself on a terminal, else a line every few seconds."""

    def __init__(self, paths: Sequence[str], is_quiet: bool) -> None:
        """`paths`: the files that are to be read; a quiet run says nothing."""
        self.files, self.total = len(paths), sum(map(size_of, paths))
        self.done, self.read, self.turns = 0, 0, 0
        self.began, self.last_line_at = time.time(), 0.0
        self.is_quiet, self.is_terminal = is_quiet, sys.stderr.isatty()

    def tell(self, read: int, turns: int, is_end: bool = False) -> None:
        """Counts bytes read and turns stored; says so when it is time."""
        self.read += read
        self.turns += turns
        now = time.time()
        pause = REDRAW_SECONDS if self.is_terminal else LINE_SECONDS
        if self.is_quiet or (not is_end and now - self.last_line_at < pause):
            return
        self.last_line_at = now
        part = min(self.read / max(self.total, 1), 1)
        line = (f"{self.done:,} of {self.files:,} files, {self.read / 1e6:,.1f} of {self.total / 1e6:,.1f} MB, "
                f"{count_shown(self.turns, 'turn')} new")
        if not is_end:
            left = int((now - self.began) / part * (1 - part)) if part > 0 else 0
            line += f", {left // 60}:{left % 60:02} left"
        if self.is_terminal:
            full = round(BAR_SIGNS * part)
            bar = "█" * full + "░" * (BAR_SIGNS - full)
            line = f"\r{bar} {line}\x1b[K"
        sys.stderr.write(line if self.is_terminal and not is_end else f"{line}\n")
        sys.stderr.flush()


# ==================================================================================================
# client/transcript.py: A record of the transcript: what its message holds, and which of its words a person typed.
# ==================================================================================================

BLOCK_BEHIND = b',{"type":"t'  # in a line: words or a call behind a thought (2.0.28 to 2.1.177)
PASTED_PLAN = "Implement the following plan:"  # how a plan begins that was approved in another session
PLAN_WOVEN = "\n\nIf you need specific details from before exiting plan mode"  # what the client adds to it
HOOK_FEEDBACK = "Stop hook feedback:"  # how the client begins what a Stop hook tells the agent to go on with
MACHINE_MADE = (  # how `user` texts begin that no person wrote (clients 1.0.31 to 2.1.332)
    "<command-", "<local-command", "<bash-", "<task-", "<agent-", "<teammate-", "<user-prompt-submit", "<wake reason=",
    "<cross-session-message", "[Request interrupted by", "Caveat: The messages", "This session is being continued",
    "Plan being refined via Ultraplan", PASTED_PLAN, HOOK_FEEDBACK,
    "Base directory for this", "Operation stopped by", "Continue from where", "The user wants to clarify", '{"task_id"',
    "Tool loaded.", "Unknown slash command: ", "Unknown skill: ")
MACHINE_FLAGS = (
    "isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly", "planContent",
    "sourceToolUseID")  # of a row that a call put there: of a skill that the agent started, as if a person had typed it
OF_NO_PERSON = ("harness", "hook")  # sources of a row (from 2.1.332 on): "local" is typed, "recorded" may be
SILENT_COMMANDS = frozenset((  # the client's: what follows is no word to the agent
    "add-dir agents bashes branch btw bug chrome clear color compact config context copy cost desktop doctor effort "
    "exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login "
    "logout mcp memory migrate-installer mobile model output-style passes permissions plan plugin privacy-settings "
    "quit rate-limit-options release-notes reload-plugins remote-control remote-env rename resume rewind sandbox "
    "skills stats status statusline stickers tag tasks terminal-setup theme todos upgrade usage vim voice").split())
# Alone on its line, before and behind what was pasted into a prompt (2.1.330 and 2.1.332), in the hook's input too.
PASTE_NAME = "pasted_content"
PASTE_TAG = rf'(?m)^[ \t]*<(/?){PASTE_NAME} id="\w{{1,20}}">[ \t]*$'
FIRES = "scheduled_task_fire"  # the client's row right before a prompt that it gives at its time
OWN_COMMANDS = ("compact-keeper:", "compact-keeper-")  # how ours begin, of the plugin and of a copy


def content_blocks(record: JsonObject) -> list[JsonObject]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def typed_text(record: JsonObject, state: JsonObject) -> str:
    """The words that a person typed in this record; empty when a program made it, or the client gave it at its time."""
    words = words_given(record)  # first: most records have none
    return "" if not words or is_machine_made(record) or is_fired(record, state) else words


def is_fired(record: JsonObject, state: Mapping[str, Any]) -> bool:
    """Whether it is a prompt that the agent scheduled, by the row that `note_firing` has noted in the state before it.

    Most have a mark of their own; one that the client runs as a command ("/loop …") looks as if it was typed.
    """
    is_behind_firing = bool(state.get("fires")) and text_of(record, "parentUuid") == state["fires"]
    origin = record.get("origin")
    is_by_person = text_of(record, "promptSource") == "typed" or (
        isinstance(origin, dict) and origin.get("kind") == "human")
    return is_behind_firing and not is_by_person and bool(prompt_blocks(record))


def note_firing(record: JsonObject, state: JsonObject) -> None:
    """Notes in the state of a session the row that tells of a scheduled prompt, until that comes, right behind it."""
    if record.get("subtype") == FIRES:
        state["fires"] = text_of(record, "uuid")
    elif is_fired(record, state):
        state["fires"] = ""


def words_given(record: JsonObject) -> str:
    """The words that stand in a person's place in this record, whoever gave them."""
    texts = (text_of(block, "text") for block in prompt_blocks(record))  # in tools' results there is none
    return "\n".join(filter(None, map(own_words, texts)))


def index_leaving(operation: object, waiting: Sequence[str]) -> int:
    """The index of what leaves the queue now, of the words that wait there; a notice has no words of a person.

    What is "removed" goes into the agent's turn: what was typed before any notice.
    """
    return next((index for index, words in enumerate(waiting) if words), 0) if operation == "remove" else 0


def prompt_blocks(record: JsonObject) -> list[JsonObject]:
    """The blocks of a prompt, also of one that went into the agent's turn; none of a record of another kind."""
    if record.get("type") == "user":
        return content_blocks(record)
    queued = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(queued, dict) or queued.get("commandMode") != "prompt":
        return []
    return content_blocks({"message": {"content": queued.get("prompt")}})


def is_machine_made(record: JsonObject) -> bool:
    """Whether the client marks the record's words as no person's."""
    queued = record["attachment"] if isinstance(record.get("attachment"), dict) else {}
    return is_by_program(record, queued) or any(queued.get(flag, record.get(flag)) for flag in MACHINE_FLAGS)


def without_paste_tags(text: str) -> str:
    """A prompt as its writer saw it: without the tags that the client sets around what was pasted."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(PASTE_TAG, "", text)).strip() if PASTE_NAME in text else text


def is_by_program(record: JsonObject, queued: JsonObject | None = None) -> bool:
    """Whether the client says that a program gave these words in the person's place; `queued` is their attachment."""
    origin, source = ((queued or record).get(name, record.get(name)) for name in ("origin", "rowSource"))
    return (isinstance(origin, dict) and origin.get("kind") != "human") or source in OF_NO_PERSON or (
        record.get("promptSource") == "system")


def message_of_teammate(text: str) -> tuple[str, str]:
    """Who of a team wrote a message, and its words; both empty where it is none, or one that a program made."""
    begin = re.match(r"\s*<teammate-message teammate_id=\"([\w.@-]{1,80})\"[^>]{0,2000}>", text)
    words = text[begin.end():].partition("</teammate-message>")[0].strip() if begin else ""
    return (begin.group(1), words) if begin and words and not words.startswith("{") else ("", "")


def own_words(text: str) -> str:
    """The text without what the client wove into it; of a slash command of the person's own, the words behind it.

    Behind blanks the client takes none but the plugin's for a command: the agent answered "   /plugin install x".
    """
    is_woven = text.lstrip().startswith("<command-")
    name = re.search(r"<command-name>/?([\w:.-]+)", text) if is_woven else re.match(r"\s*/([\w:-]+)(?!\S)", text)
    is_clients = bool(name and name.group(1) in SILENT_COMMANDS and (is_woven or text.startswith("/")))
    is_silent = is_clients or bool(name and name.group(1).startswith(OWN_COMMANDS))
    if name and (is_silent or is_woven):
        words = text.partition("<command-args>")[2].partition("</command-args>")[0].strip()
        return "" if is_silent else f"/{name.group(1)} {words}" if words else f"/{name.group(1)}"
    text = re.sub(r"<(system-reminder|ide_\w+)>(?:.*</\1>|.*)", "", text, flags=re.DOTALL) if "<" in text else text
    return "" if text.lstrip().startswith(MACHINE_MADE) else text.strip()


# ==================================================================================================
# client/blocks.py: Blocks of a message: whether the model made them, and what a call's result says.
# ==================================================================================================

REJECTION = "The user doesn't want to proceed"  # how the result of a call begins that the person rejected
# What stands before the words with which they did; the second from 2.1.83 to 2.1.133, beside the first.
SAID, REASON = "the user said:\n", "The user provided the following reason for the rejection:"

NOTICES = ("<task-notification>", "<bash-notification>", "<agent-notification>")  # of a background job
NOTICES_MAX = 20  # in one text
JOB_ID = r"<(?:task|shell|agent)-id>([\w-]{1,64})</"  # `bash` and `agent` by clients 2.0.67 to 2.0.76
NOTICE_HEAD_CHARACTERS = 2_000  # of a notice, in which its id, its status and its summary stand
REMINDER = (  # how clients before 2.1.15 tell that a background shell has ended
    r"Background Bash (?P<job>[\w-]{1,64}) \(command: .{0,2000}?\) "
    r"\(status: (?P<status>completed|failed|killed)\)(?P<exit> \(exit code: \d{1,3}\))?")
JOB_END_STATES = ("completed", "failed", "killed")


def is_by_model(record: JsonObject) -> bool:
    """Whether the model wrote the record's message; the client writes some in its place."""
    return bool(record["type"] == "assistant" and record["message"].get("model") != "<synthetic>")


def result_text(block: JsonObject) -> str:
    """The text of a call's result."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(part, "text") for part in objects_in(content))


def rejection_words(text: str) -> str:
    """What the person said to the call that they rejected, in its result's text; empty where they said nothing."""
    return own_words(behind_rejection(text).partition("\n\nNote: The user's next")[0]).strip()


def behind_rejection(text: str) -> str:
    """What the client quotes behind its own words of a rejection; empty where it quotes nothing."""
    return "".join(re.split(f"{SAID}|{REASON}", text, maxsplit=1)[1:])


def report_of(output: str) -> str:
    """A subagent's report without what the client writes below it."""
    return re.split(r"\nagentId: \w|\n<usage>", output, maxsplit=1)[0]


def notices_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Id, status and words of each job that the client says here has ended; a notice of news is no end."""
    for notice in re.split("|".join(NOTICES), text)[1:NOTICES_MAX] if text.startswith(NOTICES) else ():
        head = notice.partition("<result>")[0][:NOTICE_HEAD_CHARACTERS]
        job = re.search(JOB_ID, head)
        status = re.search(r"<status>(\w{1,20})</status>", head)
        if job and status and status[1] in JOB_END_STATES:
            summary = head.partition("<summary>")[2].partition("</summary>")[0].strip()
            result = notice.partition("<result>")[2].partition("</result>")[0].strip()
            yield job[1], status[1], f"{summary}: {result}" if result else summary
    if text.startswith("<system-reminder>"):
        for match in re.finditer(REMINDER, text[:NOTICE_HEAD_CHARACTERS], re.DOTALL):
            yield match["job"], match["status"], f"{match['status']}{match['exit'] or ''}"


# ==================================================================================================
# client/call_output.py: What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name.
# ==================================================================================================

FOLDER_RESET = "Shell cwd was reset to "
FILES_MODIFIED = "[This command modified "  # "1 file you've previously read: a.py. Call Read before editing.]"
EXIT_CODE = r"Exit code (\d{1,3})\b"
EXIT_CODE_LINE = rf"(?:Error: )?{EXIT_CODE}(?:\n|$)"
REFUSED_CALLS = (  # in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "Permission for this action was denied", "This command requires approval", "Claude requested permissions to ")
# Behind the reason: "This Bash command contains multiple operations. The following part requires approval: ruff check".
NOT_PERMITTED = (r"[^\n]{0,300}?(?:\brequires? (?:explicit |manual )?approval\b"
                 r"|was blocked\. For security, Claude Code may only )")
PERMISSION_WORDS = ("approval", "was blocked. For security")
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
# Before the output; of old clients its first row stands in the same one.
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\d.]{0,9}m?[hms](?: \d[\d.]{0,9}m?[hms]){0,2})(?:\s{1,9}|$)"
LIMIT_REACHED = "stopped by the tool's time limit"
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
BACKGROUND_NAME_CHARACTERS = 2_000  # of an output, in which the client names it


def exit_code_in(output: str) -> int | None:
    """The exit code with which a failed command's output begins; None: it names none."""
    code = re.match(EXIT_CODE, output)
    return int(code[1]) if code else None


def end_by_client(output: str, is_error: bool | None, exit_code: int | None) -> ClientEnd:
    """The output without the client's words, and what they say; `is_error` and `exit_code` are those of its fields.

    From the output of a command that ended well its last rows alone are taken, in which the client says that it went
    back to the session's folder, or what files were changed: there other such words are the command's own.
    """
    output = without_clients_last_rows(output)
    if is_error is False:
        return {"output": output, "exit_code": exit_code or 0, "stopped": "", "is_refused": False}
    code_line = re.match(EXIT_CODE_LINE, output)
    code_in_output = int(code_line[1]) if code_line else None
    if code_line:
        output = output[code_line.end():]
    stopped, output = stopped_by(output, code_in_output)
    if exit_code is None:
        exit_code = code_in_output
    if exit_code is None and is_error:
        exit_code = 1
    is_refused = output.lstrip().startswith(REFUSED_CALLS)
    if is_error and not code_line and not is_refused:  # what a command prints stands behind its exit code
        is_refused = holds_any(output, PERMISSION_WORDS) and re.match(NOT_PERMITTED, output) is not None
    return {"output": output, "exit_code": None if stopped else exit_code, "stopped": stopped, "is_refused": is_refused}


def without_clients_last_rows(output: str) -> str:
    """The output without the last rows in which the client says which files changed, and to which folder it went back.

    "[This command modified 1 file …]" had stood as what a passed test printed.
    """
    for remark in (FILES_MODIFIED, FOLDER_RESET):
        rest, _, last = output.rstrip().rpartition("\n")
        output = rest if last.startswith(remark) else output
    return output


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    if limit:
        return f"{LIMIT_REACHED} after {limit[1]}", output[limit.end():]
    return "", output


def name_in_background(output: str) -> str:
    """The name under which the client lets the command run on in the background; empty: it says nothing of that."""
    begin = output[:BACKGROUND_NAME_CHARACTERS]
    match = re.search(IN_BACKGROUND, begin) if "background" in begin else None
    return str(match[1] or match[2]) if match else ""


# ==================================================================================================
# record/commands/programs.py: Which program is of which kind, by its name: here a new one is taught first.
# ==================================================================================================

CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber cucumber-js karma jasmine prove busted newman testcafe uvu ginkgo robot elm-test wtr "
            "web-test-runner",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit prek lint-staged knip cspell markdownlint xo tslint revive solhint slither "
            "py_compile compileall",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder solc latexmk pdflatex xelatex lualatex",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand, or two of them; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test dune:runtest dune:build:@runtest stack:test "
            "cabal:test lein:test bb:test gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test "
            "zig:build:test pio:test platformio:test crystal:spec rebar3:eunit rebar3:ct R:CMD:check truffle:test "
            "anchor:test scarb:test wasm-pack:test dbt:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny "
            "sqlfluff:lint",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "dune:build gleam:build forge:build wails:build meson:compile hardhat:compile truffle:compile "
             "anchor:build scarb:build wasm-pack:build sam:build eas:build trunk:build zola:build jekyll:build "
             "gatsby:build vitepress:build docusaurus:build typst:compile dbt:build dbt:compile docker-compose:build",
}
# Of an interpreter, as its first option: it reads the file and runs nothing of it.
SYNTAX_CHECKS = ("node -c", "node --check", "bash -n", "sh -n", "zsh -n", "php -l", "ruby -c")
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc",
    "py_compile", *SYNTAX_CHECKS))
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "prek": "pre-commit", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
SHELLS = ("bash", "sh", "zsh")
INTERPRETERS = r"python[\d.]*|node|ruby|perl|php|tsx|ts-node"  # of a script that their first word names
PROGRAMS_OF_CODE = ("Rscript", "R", "julia")
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
LOOKING_SUBCOMMANDS = {  # the first word behind the program, or the first two; none that BEFORE_PROGRAM takes away
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search", "kubectl": "get describe logs", "go": "list version env doc",
    "cargo": "tree metadata", "brew": "list info", **dict.fromkeys(("pip", "pip3"), "list show freeze"),
    **dict.fromkeys(NODE_MANAGERS, "ls list view outdated why"),
    **dict.fromkeys(("docker", "podman"), "ps logs images inspect"),
    **dict.fromkeys(("terraform", "tofu"), "show output state-list state-show")}
# What stands behind a pipe, by what it lets through: a part of the rows, those with a word, all.
CUTTING = ("head", "tail")
SEARCHING = ("grep", "egrep", "fgrep", "rg", "ag")
PASSING_ON = (*CUTTING, "cat", "tee", "sort", "uniq", "less")  # rows as they are; those that cut not all of them
# Small work. Without effect: they check, change and mend nothing.
WITHOUT_EFFECT = ("cd", "Set-Location", "echo", "export", "printf", "set", "true", ":")
PACKAGE_MANAGERS = ("brew", "apt", "apt-get", "dnf", "yum", "zypper", "apk", "winget", "choco", "scoop")  # of a machine
INSTALLING_PROGRAMS = (*NODE_MANAGERS, "uv", "poetry", "bundle", "composer", "cargo", "go")  # by a word behind them
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", **dict.fromkeys((*PACKAGE_MANAGERS, "pip", "pip3", "gem"), "install"),
    **dict.fromkeys("terraform tofu kubectl helm pulumi vercel fly netlify ansible-playbook".split(), "deploy"),
    **dict.fromkeys("alembic prisma flyway knex goose".split(), "migration")}
WRAPPERS = ("time", "command", "exec", "env", "nice", "nohup", "setsid", "uvx", "cross-env", "rtk")
# A container's options and name; of a detached run its program is `-d`: exit 0 says there that it began.
ATTACHED = r"(?: -(?!\w*d\b|-detach)\S+)*(?: \w[\w.-]*|(?= -))"
SUDO_OPTIONS = r"(?: -[CDghpRrTtUu] \S+| --(?:user|group|chdir|host)[ =]\S+| -[\w-]+)*"  # `sudo -u deploy make`
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(WRAPPERS, ""), "nice": r"(?: -n ?-?\d+| -\d+)?",
    "sudo": SUDO_OPTIONS, "caffeinate": r"(?: -\w+)?",
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": rf" (?:exec|run){ATTACHED}",
    **dict.fromkeys(("docker", "podman"), rf" (?:compose (?:exec|run)|exec){ATTACHED}"),
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

CUT_MARK = "…"  # where the end of a text is missing
MIDDLE_GONE = "[… lines that the record does not keep]"
OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units.

    By "utf-16", with two bytes that tell the order: Python has it built in, and would import a module for "utf-16-le".
    """
    return len(text) if text.isascii() else len(text.encode("utf-16", "surrogatepass")) // 2 - 1


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    if text.isascii():
        return text[:max(limit - 1, 0)].rstrip() + CUT_MARK
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + CUT_MARK


def is_cut_text(text: str) -> bool:
    """Whether the end of the text may be missing, as `cut` marks it."""
    return text.endswith(CUT_MARK)


def before_space(text: str) -> str:
    """The text without its last word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.rpartition(" ")[0] or text


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def ends_of_output(output: str) -> str:
    """The output; of a long one the whole lines of its beginning and its end, a blank one between them.

    Of one long line its beginning up to a space: a secret that is cut in half would not be known as one.
    """
    if len(output) <= OUTPUT_HEAD_CHARACTERS + OUTPUT_TAIL_CHARACTERS:
        return output
    head = output[:OUTPUT_HEAD_CHARACTERS]
    first = head.rpartition("\n")[0] or head.rpartition(" ")[0]
    _, _, last = output[-OUTPUT_TAIL_CHARACTERS:].partition("\n")
    return f"{first}\n\n{last}"


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else whole_words(line, limit) + " …"


# ==================================================================================================
# text/paths.py: Paths, whatever system they come from: in one form, whole or not, below a folder, the same file.
# ==================================================================================================

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
WITH_FOLDER = 2  # of a path's last parts: the file with its folder


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(PARTED_BY_BACKSLASHES, path) else path


def is_whole_path(path: str) -> bool:
    """Whether the path begins at the top of its disk, or at a person's own folder."""
    return path.startswith(("/", "~")) or re.match(DRIVE, path) is not None


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def last_parts(path: str, count: int) -> str:
    """A path by its last parts: it is told from another folder at times."""
    return "/".join(path.split("/")[-count:])


# ==================================================================================================
# record/commands/shell.py: A command line in the shell's language: its commands, their words, the program that each starts.
# ==================================================================================================

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX = 200  # of a line the first commands
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}(?P<quote>[\"']?)(?P<word>\w{1,40})(?P=quote)"
END_OF_DOCUMENT = r"(?m)\n[ \t]*%s(?=[ \t]*(?:$|[)\"'`;|&]))"
USUAL_END = r"[A-Z][A-Z0-9_]{1,39}"  # of a document, as people write it: `1 << n` has none
QUOTED_TEXT = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
SHELL_SIGNS = (
    rf"\\.|{QUOTED_TEXT}|\$\([^()\n]{{0,300}}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])(?<!= )&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})"
ASSIGNED_IN_POWERSHELL = r"\$\w{1,60}\s{0,3}=\s{0,3}(?:& ?)?(?=[A-Za-z.])"  # what a program printed
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
PIPES = ("|", "|&")
NEGATION = "! "  # before a command: the exit code says the opposite
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
SIGNS_OF_NEXT_LIST = (";", "\n", "&")  # before a list of commands that does not wait for what stands before it
CHANGING_FOLDER, FOLDER_OPTIONS = ("cd", "Set-Location"), ("-Path", "-LiteralPath")
FOLDER_BEFORE = "-"  # of `cd -`
HOME_SIGN = "~"
FILLED_IN = r"[$`*?{}]"  # in a name: the shell makes another of it
UNNAMED_FOLDER = rf"{FILLED_IN}|~|^-"  # nobody knows what `..` behind it is


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    pieces = [(text.strip(AROUND_PIECE), sign) for text, sign in split_at_signs(command) if is_command_text(text)]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):  # only nothing or a comment stands behind it
        pieces[-1] = (pieces[-1][0], "")
    return pieces


def split_at_signs(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, as they stand there, each with the sign behind it.

    Of what is given to a shell as a text, those of that text, as if it stood in brackets.
    """
    split = split_as_given(command)
    if not holds_any(command, SIGNS_OF_TEXT_FOR_SHELL):
        return split
    return [inner for text, sign in split for inner in split_within(text, sign)]


def split_within(text: str, sign: str) -> list[tuple[str, str]]:
    """The texts between the signs of a text that is given to a shell, the last with this sign; else the text alone."""
    piece = text.strip(AROUND_PIECE)
    given = re.match(TEXT_FOR_SHELL, program_part(piece)) if holds_any(piece, SIGNS_OF_TEXT_FOR_SHELL) else None
    if not given:
        return [(text, sign)]
    before, _, behind = text.partition(piece)
    inner = given["text"][1:-1]
    inner = re.sub(r"\\([\"$`\\])", r"\1", inner) if given["text"].startswith('"') else inner
    split = split_as_given(f"{before}({inner}){behind}")
    return [*split[:-1], (split[-1][0], sign)]


def split_as_given(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, whatever is given to a shell in them."""
    text = parted_from_texts(command[:COMMAND_MAX_CHARACTERS])[0].replace("\\\n", " ")
    split, begin = list[tuple[str, str]](), 0
    if any(sign in text for sign in "&|;\n"):
        for match in re.finditer(SHELL_SIGNS, text):
            if match["sign"]:
                split.append((text[begin:match.start()], match["sign"]))
                begin = match.end()
    return [*split, (text[begin:], "")]


def is_command_text(text: str) -> bool:
    """Whether a text between two signs is a command: no comment, and not only what groups commands."""
    text = text.strip(AROUND_PIECE)
    return bool(text) and not text.startswith("#")


def parted_from_texts(command: str) -> tuple[str, list[str]]:
    """The command without the texts that it feeds to programs, and these texts.

    One whose end went with the middle of a long command takes all that is left. A report on work had stood as a test,
    as one row of it was `python test_rates.py`.
    """
    texts, offset = list[str](), command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if offset < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, offset)
        line_end = command.find("\n", begin.end()) if begin else -1
        if begin and line_end >= 0:
            end = re.compile(END_OF_DOCUMENT % begin["word"]).search(command, line_end)
            is_cut = MIDDLE_GONE in command[line_end:] or is_cut_text(command)
            is_open = not end and is_cut and re.fullmatch(USUAL_END, begin["word"])
            if end or is_open:
                texts.append(command[line_end + 1:end.start() if end else None])
                rest = command[end.end():] if end else ""
                command = command[:offset] + command[begin.end():line_end] + rest
        offset = command.find("<<", offset + 1)
    return command, texts


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
            continue
        before = before_program(piece)
        if not before:
            return piece
        piece = piece[before.end():]


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    assignment = re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece) if "=" in word else None
    assignment = re.match(ASSIGNED_IN_POWERSHELL, piece) if word[:1] == "$" else assignment
    if assignment:
        return assignment
    folder, slash, name = word.rpartition("/")
    if name.startswith("python"):  # a virtual environment's has its folder before it
        word = name.rstrip("0123456789.")
    if word not in BEFORE_PROGRAM:
        return None
    return re.match(rf"{re.escape(folder + slash)}{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece)


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def program_in(piece: str) -> str:
    """The program that one command of a line starts, without its folder."""
    return program_of(shell_words(piece))


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, is_file = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            is_file = word.endswith(">")  # the next word
        elif is_file:
            is_file = False
        else:
            kept.append(word)
    return kept


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_in(pieces[-1][0]) if pieces else ""


def commands_in_folders(command: str, folder: str = "") -> list[tuple[str, str]]:
    """The commands of a line, as `pieces_of` has them, each with the folder that it runs in; `folder`: of the first.

    A folder is as seen from there, or whole; "-" where nobody knows what `cd -` goes back to. A `cd` counts for what
    stands behind it in the same shell: not outside of its `( … )`, not behind its pipe, and not behind the `&` that
    puts it into the background. `cd a || cd b`: the second goes from where the first did not come away.
    """
    if not holds_any(command, CHANGING_FOLDER):
        return [(piece, folder) for piece, _ in pieces_of(command)]
    commands: list[tuple[str, str]] = []
    before, at_begin = FOLDER_BEFORE, (folder, FOLDER_BEFORE)  # where `cd -` goes; where the list of commands began
    shells: list[tuple[str, str, tuple[str, str]]] = []  # around this one
    is_behind_failed_cd = False
    for text, sign in split_at_signs(command):
        opened, closed = subshells_in(text)
        shells += [(folder, before, at_begin)] * opened
        at_begin = (folder, before) if opened else at_begin
        goal = ""
        if is_command_text(text):
            piece = text.strip(AROUND_PIECE)
            commands.append((piece, folder))
            goal = folder_of_cd(without_redirections(shell_words(piece)))
        if goal and sign not in PIPES:
            start = before if is_behind_failed_cd else folder
            folder, before = (before if goal == FOLDER_BEFORE else folder_from(start, goal)), start
        is_behind_failed_cd = bool(goal) and sign == "||"
        for _ in range(min(closed, len(shells))):
            folder, before, at_begin = shells.pop()
        if sign == "&":
            folder, before = at_begin
        if sign in SIGNS_OF_NEXT_LIST:
            at_begin = (folder, before)
    return commands[:PIECES_MAX]


def subshells_in(text: str) -> tuple[int, int]:
    """How many subshells begin with a text between two signs, and how many end with it."""
    if "(" not in text and ")" not in text:
        return 0, 0
    rest = text.lstrip("( \t\n")
    opened = text[:len(text) - len(rest)].count("(")
    rest = re.sub(QUOTED_TEXT, "", rest)
    return opened, max(0, rest.count(")") - rest.count("("))


def folder_of_cd(words: Sequence[str]) -> str:
    """The folder that a `cd` with these words goes to; empty where they are another command, or not one folder.

    Of PowerShell's too: what had run in `Set-Location api` stood for the same check in the folder above.
    """
    if words[:1] == ["Set-Location"]:
        words = ["cd", *(word.replace("\\", "/") for word in words[1:] if word not in FOLDER_OPTIONS)]
    if words[:1] != ["cd"] or len(words) > 2:
        return ""
    return with_slashes(words[1].strip("\"'")) if len(words) == 2 else HOME_SIGN


def folder_from(folder: str, goal: str) -> str:
    """The folder that a `cd` to this goal comes to from a folder; empty for the folder that the line began in."""
    path = goal if is_whole_path(goal) or goal.startswith(("$", "`")) else posixpath.join(folder, goal)
    path = path if re.search(UNNAMED_FOLDER, path) else posixpath.normpath(path)
    return "" if path == "." else path


# ==================================================================================================
# record/commands/check_programs.py: Whether a command is a check, by its words: a test, a build, a linter, a type check, a formatter.
# ==================================================================================================

ANY_CHECK = "check"  # of a task like `check` or `verify`: it may test, or look at types or style alone
MAY_TEST = ("test", ANY_CHECK)
CHECK_FAMILIES = ("test", ANY_CHECK, "build", "types", "lint", "format")  # those that tell most first
TASK_WORDS = {
    "test": "test tests spec specs e2e integration unit coverage unittest unittests runtests vitest jest pytest "
            "playwright cypress gtest doctest catch2 testthat",
    ANY_CHECK: "check checks ci verify preflight qa",
    "types": "types typecheck type tsc mypy pyright",
    "lint": "lint lints vet analyze analyse eslint clippy ruff",
    "format": "format fmt prettier spotless",
    "build": "build compile assemble package bundle",
}
# Of a script that an interpreter runs. `make_word_with_playwright.py` and `check_missing.py` had "passed": one makes
# pages, the other counts, and had counted wrongly.
WORDS_OF_TEST_SCRIPTS = frozenset("test tests spec specs e2e unittest runtests testthat".split())
TEST_FILE = r"\.(?:test|spec)\."  # in a script's name: `start.test.js` is a test of what starts
# `fetch_failing_ci_tests`, which gets what ran elsewhere, had "passed" while four tests failed there; so had
# `start-test.sh`, which starts what is tested. No task's: `npm run start:test` starts it and tests.
WORDS_OF_OTHER_SCRIPTS = frozenset(  # that such a name begins with
    "start stop restart kill up down serve launch deploy "
    "fetch get list show find count collect download parse print report summarize summarise generate gen make create "
    "write update add copy open watch compare diff convert extract split merge seed setup install debug "
    "analyze analyse".split())  # `analyze_projects.sh`, which counted files, had been a linter that passed
# The code of a test run behind `-e`: of R's devtools, testthat and tinytest, of Julia's packages.
CODE_OF_TESTS = r"(?:devtools::(?:test|check)|testthat::test_\w{2,20}|tinytest::\w{3,20}|Pkg\.test)(?=\()"
CODE_OPTIONS = ("-e", "-E", "--eval")
ALIAS_OF_TESTS = r"-[MXTA][\w:.-]{0,60}:test\b"  # of Clojure's command line
TASKS_OF_SBT = {"test": "test", "testOnly": "test", "testQuick": "test", "compile": "build"}
GTEST_OPTION = "--gtest_"
# A file right in /tmp: `node -c /tmp/heredoc.js` had stood as the project's linter, `rustc /tmp/a.rs` as its build.
OF_TRIAL = r"[\"']?/tmp/[^/\s]+\.(?:rs|c|cc|cpp|py|[cm]?[jt]s|java|go|rb|php|sh)[\"']?$"
OF_CLIENT = r"~/\.claude/|/\.claude/(?:skills|plugins)/"  # a skill's own programs check nothing of the work
EXECUTABLE_PATH = r"[\w./~+-]{1,200}$"  # what else has a slash may be a piece of a script in quotes
NOT_TASKS = frozenset((
    "install i add remove rm uninstall publish update upgrade outdated audit view info init create link dlx start "
    "dev serve clean why list ls config trust use watch settings").split())
OPTIONS_WITH_VALUE = frozenset((
    "-C -f -j -o -c -n -w --filter --prefix --cwd --dir --config --workspace --reporter --rootdir --output -timeout "
    "--timeout -count --count -coverprofile --cov -parallel --maxfail --tb -p:v --format --env --ignore --durations "
    "-l --log-level -s --test-dir --build -G -B -S --target --jobs --workers --retries -v:m --outfile --outDir "
    "--logger -bench -benchtime --ext --max-warnings --output-format --config-file --python-version --line-length "
    "--parser --severity --cache-dir --ignore-path --pythonpath --python-executable --stdin-filename -project "
    "-workspace -scheme -testPlan -destination -configuration -sdk -derivedDataPath -resultBundlePath "
    "-archivePath").split())
MAKE_PROGRAMS = ("make", "gmake")
FLAGS_OF_RUNNERS = {  # of OPTIONS_WITH_VALUE, those that have none for a runner of tasks
    **dict.fromkeys(MAKE_PROGRAMS, "-s -B -n -w -S -c"), **dict.fromkeys(("mvn", "mvnw"), "-B -o -C -c"),
    **dict.fromkeys(("gradle", "gradlew"), "-s -S -w -o -n"), **dict.fromkeys(("npm", "bun"), "-s"),
    **dict.fromkeys(("pnpm", "yarn"), "-s -w"), "composer": "-n"}
DRY_RUNS = {  # options with which a runner only says what it would run
    **dict.fromkeys(MAKE_PROGRAMS, "-n --dry-run --just-print --recon"), "just": "-n --dry-run",
    **dict.fromkeys(("gradle", "gradlew"), "-m --dry-run")}
JOBS = "-j"  # its number may be left out
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
ASKING_OPTIONS = frozenset((  # of calls that check nothing
    "--version", "--help", "-V", "-version", "-print-targets", "-dumpversion", "--gtest_list_tests", "--list-tests",
    "--list-test-cases", "-ltc"))
COMPILER_OF_MACHINE = r"(?:[\w.]+-)*(gcc|g\+\+|clang|clang\+\+)(?:-\d+)?$"  # `riscv64-elf-gcc`, `clang-18`
HOOK_PROGRAMS = ("pre-commit", "prek", "lint-staged")
WITHOUT_HOOKS = frozenset((  # subcommands of these that run none
    "install uninstall install-hooks prepare-hooks init-templatedir init-template-dir autoupdate auto-update update "
    "clean gc cache list sample-config migrate-config validate-config validate-manifest self util hook-impl "
    "help").split())
SHOWING_HOOKS = frozenset(("--list", "--dry-run"))  # of a run
PREFIXED_SUBCOMMANDS = ("docker", "node", "php")  # other words may stand before their subcommand
WORDS_BEFORE_SUBCOMMAND_MAX = 8
TESTING_TASKS = ("gradle check", "mvn verify")  # of which tests are a part by default
FAMILIES_OF_TARGETS = {"test": "test", "check": ANY_CHECK}
TARGET_OPTIONS_OF_CMAKE = ("--target", "-t")
SCRIPTS_WITH_TASKS = ("manage.py", "artisan", "rails")
NAMED_TASKS_MAX = 6  # that a call names and that are looked at
TASK_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+"  # of `lintFix`, `test:unit`


def runs_no_hook(rest: Sequence[str]) -> bool:
    """Whether a call of a program of hooks with these words runs none: behind `run` words are names of hooks."""
    return not SHOWING_HOOKS.isdisjoint(rest) if "run" in rest else not WITHOUT_HOOKS.isdisjoint(rest)


def check_name(words: Sequence[str]) -> CheckName | None:
    """What the command with these words checks; None: nothing, as far as its words say."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    is_of_client = any(re.search(OF_CLIENT, word) for word in words[:2])
    is_trial = any(re.match(OF_TRIAL, word) for word in rest)
    if not program or is_of_client or is_trial or ASKING_OPTIONS & {*rest}:
        return None
    compiler = re.match(COMPILER_OF_MACHINE, program) if "-" in program else None
    program = compiler[1] if compiler else program
    family = families_by_program().get(program, "")
    if family and not (program in HOOK_PROGRAMS and runs_no_hook(rest)):
        return named_check(family, program)
    if program in CHECKS_OF_OWN_FORM:
        return CHECKS_OF_OWN_FORM[program](rest)
    syntax = " ".join((program, *rest[:1]))
    if syntax in SYNTAX_CHECKS:
        return named_check("lint", syntax)
    by_subcommand = subcommand_check(program, rest)
    if by_subcommand:
        return by_subcommand
    return task_check(program, rest) if program in TASK_RUNNERS else script_check(program, words, rest)


def named_check(family: str, name: str) -> CheckName:
    """A check whose program is known by name, so that its output is."""
    return {"family": family, "name": name, "runner": RUNNER_OF_NAME.get(name, name)}


def subcommand_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a program's subcommand is, or an option that makes it one."""
    for index, word in enumerate(words[:WORDS_BEFORE_SUBCOMMAND_MAX]):
        following = next((later for later in words[index + 1:] if not later.startswith("-")), "")
        family = families_by_program().get(f"{program}:{word}:{following}", "")
        if family:
            return named_check(family, f"{program} {word} {following}")
        family = families_by_program().get(f"{program}:{word}", "")
        if family:
            return named_check(family, f"{program} {word}" if word[:1].isalpha() else program)
        if not word.startswith(("-", "+", "@")) and program not in PREFIXED_SUBCOMMANDS:
            break
    return None


def xcodebuild_check(words: Sequence[str]) -> CheckName | None:
    """Of Xcode's builder by its actions, which may stand anywhere; it builds where a scheme is named and no action."""
    if any(re.match(ASKING_XCODEBUILD, word) for word in words):
        return None
    if {"test", "test-without-building"} & {*words}:
        return named_check("test", "xcodebuild test")
    if "archive" in words:
        return named_check("build", "xcodebuild archive")
    is_build = bool({"build", "build-for-testing"} & {*words}) or ("-scheme" in words and "clean" not in words)
    return named_check("build", "xcodebuild build") if is_build else None


def sbt_check(words: Sequence[str]) -> CheckName | None:
    """Of Scala's builder by its tasks: `core/test`, `"testOnly CentsSpec"`, `";clean;test"`."""
    commands = [command.split() for word in words for command in word.strip("\"'").split(";")]
    tasks = [command[0].rpartition("/")[2] for command in commands if command]
    families = {TASKS_OF_SBT[task] for task in tasks if task in TASKS_OF_SBT}
    if "test" in families:
        return named_check("test", "sbt test")
    return named_check("build", "sbt compile") if families else None


def clojure_check(words: Sequence[str]) -> CheckName | None:
    """Of Clojure's command line by the alias that it runs: `-M:test`, `-X:dev:test`."""
    alias = next((word for word in words if re.match(ALIAS_OF_TESTS, word)), "")
    return named_check("test", f"clojure {alias}") if alias else None


def ninja_check(words: Sequence[str]) -> CheckName | None:
    """Of ninja by the targets that it makes."""
    is_asking = bool({"-n", "-t"} & {*words})
    return None if is_asking else check_of_targets("ninja", tasks_in("ninja", words))


def cmake_check(words: Sequence[str]) -> CheckName | None:
    """Of CMake's builder by the targets behind `--target`."""
    if "--build" not in words:
        return None
    behind = [*dropwhile(lambda word: word not in TARGET_OPTIONS_OF_CMAKE, words)][1:]
    return check_of_targets("cmake", [*takewhile(lambda word: not word.startswith("-"), behind)])


def check_of_targets(program: str, targets: Sequence[str]) -> CheckName:
    """The check that building these targets is: `test` and `check` run what was built, `test_rates` is only built."""
    target = next((target for target in targets if target in FAMILIES_OF_TARGETS), "")
    if not target:
        return named_check("build", program)
    return {"family": FAMILIES_OF_TARGETS[target], "name": f"{program} {target}", "runner": ""}


CHECKS_OF_OWN_FORM = {
    "xcodebuild": xcodebuild_check, "sbt": sbt_check, "clj": clojure_check, "clojure": clojure_check,
    "ninja": ninja_check, "cmake": cmake_check}


@cache
def families_by_program() -> dict[str, str]:
    """Families by program and by program:subcommand."""
    return {word: family for table in (CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS)
            for family, words in table.items() for word in words.split()}


@cache
def families_by_task_word() -> dict[str, str]:
    """Families by the words of a task's or script's name."""
    return {word: family for family, words in TASK_WORDS.items() for word in words.split()}


def task_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a task is by its name; what it runs is not known."""
    if {*DRY_RUNS.get(program, "").split()} & {*words}:
        return None
    tasks = tasks_in(program, words)
    if tasks[:1] == ["clean"]:  # before others, as in `mvn clean test`
        tasks = tasks[1:] or tasks
    if not tasks:
        return {"family": "build", "name": program, "runner": ""} if program in MAKE_PROGRAMS else None
    if tasks[0] in NOT_TASKS or (program in NODE_MANAGERS and tasks[0] == "ci"):
        return None
    runner = SAME_RUNNERS.get(program, program)
    for task in tasks[:NAMED_TASKS_MAX]:
        parts = re.findall(TASK_WORD, task.replace("type-check", "typecheck"))
        family = family_by_words([part.lower() for part in parts])
        if family == ANY_CHECK and any(f"{runner} {part}" in TESTING_TASKS for part in parts):
            family = "test"
        if family:
            return {"family": family, "name": f"{runner} {task}", "runner": ""}
    makes_all = program in MAKE_PROGRAMS and tasks[0] == "all"
    return {"family": "build", "name": f"{program} all", "runner": ""} if makes_all else None


def family_by_words(words: Sequence[str]) -> str:
    """The family that the words of a name say: of `check-types` what is checked; empty: no check."""
    families = [family for family in map(families_by_task_word().get, words) if family]
    return next((family for family in families if family != ANY_CHECK), ANY_CHECK if families else "")


def tasks_in(program: str, words: Sequence[str]) -> list[str]:
    """The words that name tasks: no options, none of their values, nothing behind `--`."""
    flags = FLAGS_OF_RUNNERS.get(program, "").split()
    tasks, option = list[str](), ""
    for word in words:
        if word == "--":
            break
        if word.startswith("-") or "=" in word:
            has_value = (word in OPTIONS_WITH_VALUE and word not in flags) or (word == "-F" and program == "pnpm")
            option = word if has_value else ""
        elif option and (option != JOBS or word.isdigit()):
            option = ""
        elif re.match(r"[\w.:/@-]{1,80}$", word):
            tasks.append(word)
    return [task for task in tasks if task not in ("run", "run-script", "workspace")] or tasks[:1]


def is_test_executable(name: str, words: Sequence[str]) -> bool:
    """Whether a program of the project's own runs tests, by an option of GoogleTest's or by its name: `RatesTests`."""
    parts = [part.lower() for part in re.findall(TASK_WORD, name)]
    is_called_so = not WORDS_OF_TEST_SCRIPTS.isdisjoint(parts) and parts[0] not in WORDS_OF_OTHER_SCRIPTS
    return is_called_so or any(word.startswith(GTEST_OPTION) for word in words)


def code_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that code is which is given on the command line: `Rscript -e 'devtools::test()'`."""
    call = next((match for match in (re.search(CODE_OF_TESTS, word) for word in words) if match), None)
    return {"family": "test", "name": f"{program} {call[0]}", "runner": ""} if call else None


def script_check(program: str, words: Sequence[str], rest: Sequence[str]) -> CheckName | None:
    """The check that a script of the project's own is by its name; an interpreter's only where it is called a test."""
    is_interpreter = program in (*SHELLS, *PROGRAMS_OF_CODE) or re.fullmatch(INTERPRETERS, program) is not None
    if is_interpreter:
        script = next((word for word in rest if not word.startswith("-")), "")
    else:
        script = words[0] if "/" in words[0] else ""
    if program in PROGRAMS_OF_CODE and {*CODE_OPTIONS} & {*rest}:
        return code_check(program, rest)
    if not script or rest[:1] in (["-c"], ["-e"], ["-"]):
        return None
    name = program_of([script])
    if name in SCRIPTS_WITH_TASKS and "test" in rest:
        return {"family": "test", "name": f"{name} test", "runner": ""}
    if not is_interpreter and re.match(EXECUTABLE_PATH, script) and is_test_executable(name, rest):
        return {"family": "test", "name": script, "runner": ""}
    is_shell = not is_interpreter or program in SHELLS
    parts = re.split(r"[._-]", name.lower())
    if parts[0] in WORDS_OF_OTHER_SCRIPTS and not re.search(TEST_FILE, name):
        return None
    family = family_by_words([part for part in parts if is_shell or part in WORDS_OF_TEST_SCRIPTS])
    return {"family": family, "name": script, "runner": ""} if family else None


# ==================================================================================================
# record/commands/check_breadth.py: How much a check looks at: what its options and targets leave out, and whether it is as broad as another one.
# ==================================================================================================

WORDS_MAX = 400  # of a command the first words
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "--gtest_filter -tc -tce -ts -tse -sc -sce -sf -sfe --test-case --test-case-exclude --test-suite "
    "--test-suite-exclude --subcase --source-file --run_test --test-filter --match --folder --filter-tags "
    "-skip-testing").split())
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
WORDS_ARE_TARGETS_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest", "lein test", "bats", "ava")
# Words that leave something out, of programs that take no other targets: code with something in its brackets;
# `core/test`, `"testOnly A"`.
NARROWING_WORDS = {
    **dict.fromkeys(PROGRAMS_OF_CODE, rf".*{CODE_OF_TESTS}\((?!\))"),
    "sbt": r"[\"']?(?:\S+/test\b|(?:\S+/)?test(?:Only|Quick)\b|project )"}
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_WITH_TARGETS = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_TARGETS = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
OWN_OPTIONS = {  # options that leave something out, and mean something else to other programs
    "bats": "-f", "clojure": "-n -v -i", "pio": "-f -i", "platformio": "-f -i", "prove": "--state"}
FOREIGN_OPTIONS = {  # options of LIMITING that mean something else to a program
    "go": "-p -m -k -t -g -E -L -R -e",
    "make": "-k -t -p -e -R -L -m",
    "mypy": "-p",
    "tsc": "-t -m",
    "eslint": "-p",
    "node": "--test",
    "cc": "-g -E -L -m",
    "gcc": "-g -E -L -m",
    "g++": "-g -E -L -m",
    "clang": "-g -E -L -m",
    "pytest": "-p -t -g -R -L -E -e",
    "docker": "-t -m --tag",
    "dotnet": "-m -p -t",
    "esbuild": "-g",
    "gradle": "-p -m -t",
    "mvn": "-e -f -t",
    "cargo": "-k -m -t",
    "swift": "-k",
    "shellcheck": "-e",
    "black": "-t",
    "xcodebuild": "-t",
    "Rscript": "-e",
    "R": "-e",
    "julia": "-e --project",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
HOOKS, ALL_FILES = "pre-commit", "--all-files"  # without that hooks look at what is staged
LIMITS_MAX = 20


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the targets that it names."""
    program, task = name.partition(" ")[0], name.rpartition(" ")[2]
    foreign, own = FOREIGN_OPTIONS.get(program, "").split(), OWN_OPTIONS.get(program, "").split()
    rest = without_redirections(words[:WORDS_MAX])[1:]
    limits, is_value, is_behind_dashes = list[str](), False, False
    for word, following in zip(rest, [*rest[1:], ""]):
        if word == "--":
            is_behind_dashes = True
        if is_value:
            is_value = False
        elif word == task:
            continue
        elif word.startswith("-") and word != "--":
            option = word.partition(":" if program == "xcodebuild" else "=")[0]
            if option in own or (option in LIMITING and option not in foreign):
                is_value = option == word and option not in WITHOUT_VALUE and following != ""
                limits.append(f"{word} {following}" if is_value else word)
            else:
                is_value = word in OPTIONS_WITH_VALUE and not following.startswith("-")
        elif name in SYNTAX_CHECKS or (word not in NO_TARGETS and is_target(word, name, is_behind_dashes)):
            limits.append(word)
    return limits[:LIMITS_MAX]


def is_target(word: str, name: str, is_behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if program in NARROWING_WORDS:
        return re.match(NARROWING_WORDS[program], word) is not None
    if is_behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_WITH_TARGETS:
        return re.match(FILE_FOR_TASK, word) is not None
    is_executable = "/" in program and "." not in program.rpartition("/")[2]  # `./build/rates_tests "[slow]"`
    takes_words = is_executable or program in WORDS_ARE_TARGETS_FOR or name in WORDS_ARE_TARGETS_FOR
    return "/" in word or takes_words or re.search(r"\.\w{1,8}$", word) is not None


def is_within(target: str, whole: str, has_folders: bool) -> bool:
    """Whether the target of a check is the other, or a part of it."""
    target = target.strip("\"'").removeprefix("./")
    whole = whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{target.removesuffix('/...')}/".startswith(whole[:-3])
    if target.rstrip("/") == whole:
        return True
    return has_folders and target.startswith((f"{whole}/", f"{whole}::", f"{whole}["))


# ==================================================================================================
# record/commands/written_files.py: The files of the project that a shell command wrote: by `> file`, by `tee file`, by `sed -i`.
# ==================================================================================================

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
TEE_OPTION = "-"
IN_PLACE = {"sed": r"-(?:[nrEsuz]*i|-in-place)", "gsed": r"-(?:[nrEsuz]*i|-in-place)", "perl": r"-[pnlw0]*i"}


def names_filled(piece: str, words: list[str]) -> Iterator[str]:
    """The names behind `>` outside of quoted text, and those that `tee` is given."""
    if ">" in piece:
        blanked = re.sub(QUOTED_TEXT, lambda match: match[0] if ">" not in match[0] else "x" * len(match[0]), piece)
        yield from (name.strip("\"'") for name in re.findall(REDIRECTION, blanked))
    if program_of(words) == "tee":
        yield from (word.strip("\"'") for word in words[1:] if not word.startswith(TEE_OPTION) and ">" not in word)


def edits_in_place(words: Sequence[str]) -> bool:
    """Whether the words are those of a stream editor that changes the files which it is given."""
    form = IN_PLACE.get(program_of(words))
    return form is not None and any(re.match(form, word) for word in words[1:])


# ==================================================================================================
# record/commands/looking.py: Whether a command only looks: at files, at processes, at what git knows. What it does not know, changes something.
# ==================================================================================================

CURL_SENDS = r"-\w*[XdFTOo]|--(?:request|data|form|upload-file|output|remote-name|json)"  # more than a look
FIND_CHANGES = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
FIND_STARTS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
CHANGING_OPTIONS_OF_GIT = frozenset(("-D", "-d", "--delete"))
SENDING_OPTIONS_OF_GH = frozenset(("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input"))
GIT_NAMES = ("branch", "tag", "remote", "config")  # without a word behind them they list, with one they may change
# `> file` outside of quotes, which may stand in quotes itself, where it is not /dev/null or another stream:
WRITES_FILE = r"(?<![\d&])>{1,2}\s{0,9}(?!/dev/null|&)\S"


@lru_cache(maxsize=COMMANDS_KEPT)
def is_looking(command: str) -> bool:
    """Whether the command only looks: at files, at processes, at what git knows."""
    pieces = pieces_of(command)
    return bool(pieces) and all(is_looking_piece(piece) for piece, _ in pieces)


def is_looking_piece(piece: str) -> bool:
    """Whether this one of the line's commands only looks."""
    if piece.startswith("for "):
        return True
    if ">" in piece and re.search(WRITES_FILE, re.sub(QUOTED_TEXT, "x", piece)):
        return False
    return are_looking_words(without_redirections(shell_words(piece)))


def are_looking_words(words: Sequence[str]) -> bool:
    """Whether the program that the words start, with these options, only looks."""
    program = program_of(words)
    options = {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    if edits_in_place(words) or (program == "git" and options & CHANGING_OPTIONS_OF_GIT):
        return False
    if program == "find" and options & FIND_CHANGES:
        return False
    if program == "find" and options & FIND_STARTS:
        started = next(number for number, word in enumerate(words) if word in FIND_STARTS)
        return are_looking_words(words[started + 1:])
    if program in LOOKING_PROGRAMS or program in ("", "do", "then", "read"):
        return True
    if program in ("curl", "nc") or (program == "gh" and rest[:1] == ["api"]):
        return only_asks(program, options, rest)
    if program == "git" and words[1:2] == ["-C"]:
        rest = rest[1:]  # its folder
    return has_looking_subcommand(program, rest)


def only_asks(program: str, options: Set[str], rest: Sequence[str]) -> bool:
    """Whether a request over the network changes nothing, there or here."""
    if program == "nc":
        return any("z" in option for option in options)  # only whether a port is open
    if program == "gh":
        return not options & SENDING_OPTIONS_OF_GH
    nowhere = {"-o"} if "/dev/null" in rest else set[str]()
    return not any(re.match(CURL_SENDS, option) for option in options - nowhere)


def has_looking_subcommand(program: str, rest: Sequence[str]) -> bool:
    """Whether the program's subcommand only looks: its first word, or its first two (`git stash list`)."""
    first, second = "".join(rest[:1]), "".join(rest[1:2])
    if program == "git" and first in GIT_NAMES and len(rest) > 1:
        return False
    looking = LOOKING_SUBCOMMANDS.get(program, "").split()
    if program == "gh" and second in looking:  # `gh pr view`
        return True
    return first in looking or f"{first}-{second}" in looking


# ==================================================================================================
# record/commands/checks_in_line.py: What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or another kind.
# ==================================================================================================

LOOP_WORDS = ("for", "while", "until", "if")
INSTALLING_WORDS = ("install", "i", "add", "ci", "sync", "get", "mod", "remove")


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order.

    A script that the line itself writes is none, whatever it is called: `/tmp/test-x.sh`, which set something up, had
    stood as a test that passed.
    """
    pieces = pieces_of(command)
    in_loop = has_loop(pieces)
    checks: list[Check] = []
    written = set[str]()
    for index, (piece, folder) in enumerate(commands_in_folders(command)):
        words = shell_words(piece)
        written |= {folder_from(folder, name) for name in names_filled(piece, words)}
        named = check_name(words)
        if not named or folder_from(folder, named["name"]) in written:
            continue
        filters = filters_behind(pieces, index)
        signs_behind = [sign for _, sign in pieces[index + len(filters):]]
        is_exit_hidden = in_loop or piece.startswith(NEGATION) or (filters and "pipefail" not in command)
        runs_on = signs_behind[0] == "&" or (piece.startswith("nohup ") and "&" in signs_behind)
        checks.append({
            **named,
            "command": " ".join(without_redirections(words)),
            "typed": piece,
            "index": index,
            "folder": folder,
            "limits": limits_of(named["name"], words),
            "filters": filters,
            "shows_exit": not is_exit_hidden and passes_exit_on(signs_behind),
            "in_background": runs_on})
    return checks


def has_loop(pieces: Sequence[tuple[str, str]]) -> bool:
    """Whether one of the line's commands begins a loop or a condition: how often what stands in it ran nobody knows."""
    return any(piece.split(" ", 1)[0] in LOOP_WORDS for piece, _ in pieces)


def passes_exit_on(signs_behind: Sequence[str]) -> bool:
    """Whether a line can only end with exit code 0 where the command before these signs did.

    That is so at the line's end, and where every later command waits by && for the one before it; pipes of later
    commands do not matter.
    """
    if signs_behind[0] not in ("", "&&"):
        return False
    return all(sign in ("", "&&", *PIPES) for sign in signs_behind)


def filters_behind(pieces: Sequence[tuple[str, str]], index: int) -> list[str]:
    """The commands that the output of the one at this index goes through."""
    filters = list[str]()
    for number in range(index + 1, len(pieces)):
        if pieces[number - 1][1] not in PIPES:
            break
        filters.append(pieces[number][0])
    return filters


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in INSTALLING_PROGRAMS and "".join(words[1:2]) in INSTALLING_WORDS:
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in CHECK_FAMILIES if family in families), "")


# ==================================================================================================
# record/commands/detached.py: What a command line leaves running behind it, and what it stops: servers with `&`, sessions of tmux.
# ==================================================================================================

HOST = r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1?\]|\*)"
PORT_IN_OUTPUT = (
    rf"(?i)\b(?:listening|running|serving|ready|started|server|local|available)\b[^\n]{{0,80}}?(?:{HOST}:|\bport:? "
    r"|(?<=on ):)(\d{2,5})\b")
PORT_OF_REQUEST = r"\bcurl\b[^\n;|&]{0,200}?(?:localhost|127\.0\.0\.1):(\d{2,5})\b"


def port_seen(script: str, output: str) -> str:
    """The port that a server says it listens on, or that its line asks after it was started."""
    match = re.search(PORT_IN_OUTPUT, output[:20_000]) or re.search(PORT_OF_REQUEST, script[:4_000])
    return match[1] if match else ""


# ==================================================================================================
# record/endings.py: Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

LOST_OUTPUT = "it went to `"  # as it is told of an output whose filter is not there
BUT_PRINTED = "ended, but printed: "  # an error with its stack, whatever else says that all is well
HAD_PRINTED = " (it had printed: "  # behind what stopped a command
PRIVATE_NAMED_MAX = 20  # files of a commit that look private


# ==================================================================================================
# record/runner_output/known_rows.py: How lines of outputs that tell how a run ended look: of tests, builds, linters, type checks and their wrappers.
# ==================================================================================================

# How a script's own total of its tests says it in other languages, of those that are read elsewhere, too.
PASSED_ABROAD = (
    "通过|通過|成功|合格|통과|성공|пройдено|успешно|réussis|réussies|bestanden|erfolgreich|pasadas|pasados|aprobadas"
    "|aprobados|passaram|aprovados|superati|başarılı")
FAILED_ABROAD = (
    "失败|失敗|不合格|실패|провалено|неудачно|échoués|échouées|échecs|fehlgeschlagen|fallidas|fallidos|falladas|fallados"
    "|falharam|reprovados|falliti|başarısız")
WORDS_ABROAD = f"{PASSED_ABROAD}|{FAILED_ABROAD}".split("|")
BETWEEN_COUNTS, COLON_ABROAD = "[,，、|/ ]{1,3}", r"[:：]\s{0,3}"

# Whose line it is, what it says, the words that such lines begin with, the line's pattern. Of a word's rows the
# first that fits counts.
# What it says:
#   tests, problems  totals; a run of no test is none, no problem is a success
#   passed, failed, bad (a total that says so), seen (a test passed), ran, go ok, go fail, log (what a Go test prints)
#   error, traceback, then  it failed, where nothing else is known; then: what it ends with ":" for, in the line below
#   cause, located   only why; named: only what; traced: what, in a trace above which the name may be cut off
#   wrapper, why     it failed, with a cause for want of a better one
#   none             nothing ran
#   next, below      failed; the cause in the line below; below: the name there, the cause in the next
#   announced        the cause in the line below; that it failed is said by another line
#   paragraph        the cause in the lines below up to a blank line; that it failed is said by another line
#   plan             how many lines of tests follow, each with how it ended
# Words: "0passed": a number and "passed". "0)": a number and a bracket. "1..": a plan.
# "@…": a location in a file, `a.py:1:2:`. "::", ":+", "^", "...", "....", "[", "Error": what they look like
# (row_lookup.py: rows_for).
# Groups: name, also (a name where there is no better one), listed (a name, as it failed, before all are named), cause,
# location, cached, none, count (of a plan).
OUTPUT_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("pytest", "tests", "0passed 0failed 0error 0errors 0skipped 0xfailed 0xpassed 0warning 0warnings",
     r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?)\b.{0,200} in [\d.]+ ?s"),
    ("pytest", "none", "0deselected no 0skipped",
     r"(?:\d+ deselected|no tests (?:ran|collected)).{0,60} in [\d.]+ ?s"),
    ("playwright", "tests", "0passed", r"\d+ passed \([\d.]+\w+\)$"),
    ("playwright", "tests", "0failed 0flaky 0interrupted", r"\d+ (?:failed|flaky|interrupted)$"),
    ("", "tests", "0passed", r"\d+ passed, \d+ failed"),
    ("", "tests", "Passed:", r"Passed: \d+,? +Failed: \d+"),
    ("", "tests", " ".join(f"0{word}" for word in WORDS_ABROAD),
     rf"(?:\d+ (?:{PASSED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{FAILED_ABROAD})"
     rf"|\d+ (?:{FAILED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{PASSED_ABROAD}))(?!\w)"),
    ("", "tests", " ".join(f"{word}: {word.capitalize()}:" for word in WORDS_ABROAD),
     rf"(?i)(?:{PASSED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{FAILED_ABROAD}){COLON_ABROAD}\d+"
     rf"|(?:{FAILED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{PASSED_ABROAD}){COLON_ABROAD}\d+"),
    ("jest", "tests", "Tests:", r"Tests: +(?:\d+ \w+, )*\d+ total"),
    ("jest", "tests", "Test", r"Test Suites: +(?:\d+ \w+, )*\d+ total"),
    ("phpunit", "tests", "Tests:", r"Tests: \d+, Assertions: \d+"),
    ("vitest", "tests", "Tests", r"Tests +(?:\d+ \w+(?: \| )?)+ \(\d+\)|Tests +no tests"),
    ("vitest", "tests", "Test", r"Test Files +(?:\d+ \w+(?: \| )?)+ \(\d+\)"),
    ("vitest", "tests", "Errors", r"Errors +\d+ errors?$"),
    ("maven", "tests", "Tests", r"Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("dotnet", "tests", "Passed! Failed! Skipped!", r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+"),
    ("dotnet", "tests", "Test", r"Test summary: total: \d+, failed: \d+"),
    ("dotnet", "failed", "Test", r"Test Run Failed\."),
    ("dotnet", "passed", "Test", r"Test Run Successful\."),
    ("xctest", "failed", "Test", r"Test Case '(?P<name>.+)' failed"),
    ("xctest", "tests", "Executed", r"Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?"),
    ("xctest", "tests", "✘ ✔ Test 􀢄", r"(?:\S+ )?Test run with \d+ tests?.{0,60} (?:passed|failed) after"),
    ("xctest", "failed", "✘", r"✘ Test (?P<name>\S.*?) recorded an issue at \S+: (?P<cause>.+)"),
    ("unittest", "ran", "Ran", r"Ran \d+ tests? in"),
    ("clojure", "ran", "Ran", r"Ran \d+ tests containing \d+ assertions\."),
    ("clojure", "passed", "0failures", r"0 failures, 0 errors\.$"),
    ("clojure", "tests", "0failures", r"\d+ failures, \d+ errors\.$"),
    ("clojure", "next", "FAIL ERROR", r"(?:FAIL|ERROR) in \((?P<name>[^\s()]+)\) \("),
    ("forge", "tests", "Ran", r"Ran \d+ test suites? in .{1,60}: \d+ tests passed, \d+ failed"),
    ("forge", "tests", "Encountered", r"Encountered a total of \d+ failing tests, \d+ tests succeeded"),
    ("forge", "failed", "[FAIL: [FAIL.", r"\[FAIL[:.] (?P<cause>.+?)\] (?P<name>\w+\(.*?\))"),
    ("forge", "none", "No", r"No tests (?:found in project|match the provided pattern)"),
    ("hardhat", "passed", "Compiled Nothing", r"Compiled \d+ Solidity files? successfully|Nothing to compile$"),
    ("hardhat", "wrapper", "Error HardhatError:", r"(?:Error|HardhatError:) HH\d+: (?P<cause>.+)"),
    ("unittest", "none", "NO", r"NO TESTS RAN"),
    ("unittest", "passed", "OK", r"OK(?: \((?:skipped|expected).{0,60}\))?$"),
    ("unittest", "bad", "FAILED", r"FAILED \((?:failures|errors|unexpected)=?.{0,80}\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+) \(unittest\.loader"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): \w+ \((?P<name>[\w.]+)\)"),
    ("unittest", "traced", "File", r"File \"[^\"]{1,300}\", line \d+, in (?P<also>test(?!PartExecutor)\w+)$"),
    ("julia", "tests", "ERROR:",
     r"ERROR: (?:LoadError: )?Some tests did not pass: \d+ passed, \d+ failed, \d+ errored"),
    ("julia", "failed", "ERROR:", r"ERROR: Package (?P<name>\S+) errored during testing"),
    ("julia", "passed", "Testing", r"Testing \S+ tests passed$"),
    ("pytest", "none", "ERROR:", r"ERROR: (?P<cause>(?:file or directory )?not found: .+|found no collectors for .+)"),
    ("pytest", "failed", "ImportError", r"ImportError while loading conftest '(?P<also>[^']+)'"),
    ("pytest", "failed", "!", r"!+ Interrupted: \d+ errors? during collection !+$"),
    ("pytest", "failed", "collected collecting", r"(?:collecting \.\.\. )?collected \d+ items? / \d+ errors?\b"),
    ("pytest", "failed", "FAILED ERROR",
     r"(?:FAILED|ERROR) (?P<name>\S+\.py(?:::(?:(?! - ).){1,200})?)(?: - (?P<cause>.+))?$"),
    ("pytest", "failed", "::", r"(?P<name>\S+::\S+) (?:FAILED|ERROR)\b"),
    ("pytest", "named", "_", r"_+ (?P<also>\w.*?) _+$"),
    ("pytest", "cause", "E", r"E {2,}(?P<cause>\S.+)"),
    ("gtest", "tests", "[", r"\[  (?:PASSED|FAILED)  \] \d+ test(?:s?(?:[.,]|$)|\(s\))"),
    ("gtest", "failed", "[", r"\[  FAILED  \] (?P<name>[\w/]+(?:\.[\w/]+)?)(?:,| \(\d+ ms\)$|$)"),
    ("gtest", "failed", "0FAILED", r"\d+ FAILED TEST(?:S|\(S\))?$"),
    ("gtest", "cause", "C++", r"(?P<cause>C\+\+ exception with description .+)"),
    ("gtest", "paragraph", "@code", r"(?P<also>\S+:\d+): Failure$"),
    ("testthat", "tests", "[", r"\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \]"),
    ("testthat", "paragraph", "Failure Error ──",
     r"(?:── )?(?:Failure|Error) \('?test[^()]+:\d+'?\): (?P<name>.+?)[ ─]*$"),
    ("doctest", "tests", "[doctest]", r"\[doctest\] test cases: +\d+ \|"),  # SUCCESS! is said of no test too
    ("doctest", "failed", "[doctest]", r"\[doctest\] Status: FAILURE!"),
    ("doctest", "cause", "@code",
     r"(?P<cause>\S+:\d+: (?:FATAL )?ERROR: (?:.+ is NOT correct!|test case THREW exception: .+))"),
    ("catch2", "tests", "test", r"test cases: +\d+ \|"),
    ("catch2", "tests", "All", r"All tests passed \(\d+ assertions? in \d+ test cases?\)"),
    ("catch2", "none", "No", r"No tests ran\.?$|No test cases matched"),  # with a full stop: of flutter and dart
    ("catch2", "paragraph", "@code", r"(?P<also>\S+:\d+): FAILED:$"),  # of one that is to fail too
    ("boost", "tests", "***", r"\*\*\* \d+ failures? (?:is|are) detected"),
    ("boost", "failed", "***", r"\*\*\* Errors were detected in the test module"),
    ("boost", "passed", "***", r"\*\*\* No errors detected$"),
    ("boost", "none", "Test", r"Test setup error: no test cases matching filter"),
    ("boost", "cause", "@error unknown",
     r"(?:\S+|unknown location)\(\d+\): (?:fatal )?error: in \"(?P<also>[^\"]+)\": (?P<cause>.+)"),
    ("unity", "tests", "0Tests", r"\d+ Tests \d+ Failures \d+ Ignored"),
    ("unity", "failed", "FAIL:", r"\S+:\d+:(?P<name>\w+):FAIL: (?P<cause>.+)"),
    ("platformio", "tests", "0test", r"\d+ test cases?: .*\b\d+ (?:succeeded|failed).{0,40} in [\d:.]+"),
    ("prove", "passed", "Result:", r"Result: PASS$"),
    ("prove", "failed", "Result:", r"Result: FAIL$"),
    ("prove", "none", "Result:", r"Result: NOTESTS$"),
    ("tap", "tests", "#", r"# \{ total: \d+.*\}$"),
    ("tap", "named", "#", r"#   Failed test '(?P<name>.+)'$"),
    ("tap", "none", "1..", r"1\.\.0$"),
    ("tap", "plan", "1..", r"1\.\.(?P<count>\d{1,5})$"),
    ("ava", "tests", "0test 0tests", r"\d+ tests? (?:passed|failed)$"),
    ("ava", "failed", "0uncaught 0unhandled 0hook 0hooks",
     r"\d+ (?:uncaught exceptions?|unhandled rejections?|hooks? failed)$"),
    ("", "named", "✘", r"✘ \[fail\]: (?P<name>.+)"),
    ("", "none", "✘", r"✘ Couldn.t find any (?:matching tests|files to test)"),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed (?P<count>\d+) of (?:(?P=count)|\d+ \(skipped \d+\)) SUCCESS \("),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ \(\d+ FAILED\)"),
    ("karma", "failed", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ .*\b(?:DISCONNECTED|ERROR)\b"),
    ("karma", "next", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r"\w+(?: Headless)? [\d.]+ \([^()]{1,60}\) (?P<name>.+) FAILED$"),
    # Undefined and pending steps fail a run by one's settings, and not by another's.
    ("cucumber", "tests", "0scenario 0scenarios",
     r"\d+ scenarios? \((?:\d+ failed\b|(?:\d+ skipped, )?\d+ passed\)$)"),
    ("cucumber", "none", "0scenarios", r"0 scenarios$"),
    ("cucumber", "named", "0)", r"\d+\) Scenario(?: Outline)?: (?P<name>.+?)(?: # .+)?$"),
    ("robot", "tests", "0test 0tests", r"\d+ tests?, \d+ passed, \d+ failed"),
    ("ginkgo", "tests", "SUCCESS! FAIL!", r"(?:SUCCESS|FAIL)! -- \d+ Passed \| \d+ Failed"),
    ("behave", "tests", "0scenario 0scenarios", r"\d+ scenarios? passed, \d+ failed"),
    ("behave", "named", "@code", r"(?P<name>\S+\.feature:\d+ +\S.*)"),
    ("behave", "cause", "ASSERT Assertion", r"(?:ASSERT FAILED|Assertion Failed): (?P<cause>.+)"),
    ("newman", "tests", "│", r"│ +assertions │ +[1-9]\d* │ +\d+ │$"),
    ("newman", "tests", "│", r"│ +(?:iterations|requests|test-scripts|prerequest-scripts) │ +\d+ │ +[1-9]\d* │$"),
    ("", "why", "#", r"# +failure +detail$"),  # newman's
    ("busted", "tests", "0success 0successes", r"\d+ success(?:es)? / \d+ failures? / \d+ errors? / \d+ pending"),
    ("busted", "below", "Failure Error", r"(?:Failure|Error) (?:→|->) \S+ @ \d+$"),
    ("alcotest", "tests", "Test", r"Test Successful in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "tests", "0failure! 0failures! 0error! 0errors!",
     r"\d+ (?:failures?|errors?)! in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "named", "[FAIL]", r"\[FAIL\] +(?P<name>\S+ +\d+ +[^│]+?)\.?(?: *│)?$"),
    ("scalatest", "tests", "Tests:", r"Tests: succeeded \d+, failed \d+"),
    ("scalatest", "failed", "***", r"\*\*\* \d+ (?:TESTS? FAILED|SUITES? ABORTED) \*\*\*"),
    ("scalatest", "failed", "-", r"- (?P<name>.+?) \*\*\* FAILED \*\*\*"),
    ("scalatest", "none", "No", r"No tests were executed\."),
    ("sbt", "tests", "Passed: Failed:", r"(?:Passed|Failed): Total \d+, Failed \d+, Errors \d+, Passed \d+"),
    ("sbt", "failed", "[error]", r"\[error\] \(\S+ / (?:\S+ / )?\S+\) (?P<cause>\S.+)"),
    ("sbt", "passed", "[success]", r"\[success\] Total time: "),
    ("zig", "passed", "All", r"All [1-9]\d* tests passed\.$"),
    ("zig", "none", "All", r"All 0 tests passed\.$"),
    ("zig", "failed", "FAIL", r"(?P<cause>FAIL \(\w+\))$"),
    ("zig", "named", "@code", r"\S+\.zig:\d+:\d+: 0x\w+ in test\.(?P<name>.+?) \("),
    ("zig", "tests", "0passed", r"\d+ passed; \d+ skipped; \d+ failed\.$"),
    ("nx", "passed", "NX", r"NX +Successfully ran targets? "),
    ("nx", "failed", "NX", r"NX +(?:Running|Ran) targets? .+ failed$"),
    ("nx", "why", "Failed", r"Failed tasks:$"),
    ("nx", "failed", "✖", r"✖ +\d+/\d+ targets? failed"),
    ("bun", "none", "Ran", r"Ran 0 tests across \d+ files?"),
    ("bun", "tests", "0pass 0fail", r"\d+ (?:pass|fail)$"),
    ("bun", "failed", "(fail)", r"\(fail\) (?P<name>.+?)(?: \[[\d.]+\w+\])?$"),
    ("mocha", "tests", "0passing 0failing", r"\d+ (?:passing \(\S+\)|failing)$"),
    ("node", "tests", "# ℹ", r"[#ℹ] (?:tests|pass|fail|cancelled) \d+$"),
    ("node", "failed", "not", r"not ok \d+ (?:- )?(?P<name>(?:(?! # (?:SKIP|TODO|time)).)+)(?: # time=\S+)?$"),
    ("node", "failed", "✖", r"✖ (?!failing tests|\d+ problems?|\d+ of )(?P<name>.+?) \([\d.]+ms\)$"),
    ("node", "traced", "TestContext.<anonymous> at",
     r"(?:at )?(?:async )?TestContext\.<anonymous> \((?:\S*[/\\])?(?P<also>[\w.-]+:\d+):\d+\)$"),
    ("node", "announced", "error:", r"error: \|-$"),
    ("node", "cause", "error:", r"error: ['\"](?!test failed)(?P<cause>.+?)['\"]?$"),
    ("lint-staged", "next", "✖", r"✖ (?!failing tests)(?P<name>\S.{0,200}):$"),
    ("husky", "wrapper", "husky", r"(?P<cause>husky - \S+ .*failed.*)"),
    ("eslint", "problems", "✖", r"✖ \d+ problems? \(\d+ errors?"),
    ("cypress", "tests", "✖", r"✖ +\d+ of \d+ failed"),
    ("cypress", "passed", "✔", r"✔ +All specs passed"),
    ("gotestsum", "tests", "DONE", r"DONE \d+ tests?.{0,90} in [\d.]+s"),
    ("cargo test", "tests", "test", r"test result: (?:ok|FAILED)\. \d+ passed; \d+ failed"),
    ("cargo test", "failed", "test", r"test (?P<name>\S+(?: - \S+)?) \.\.\. FAILED"),
    ("cargo test", "next", "thread", r"thread '(?P<also>[^']+)'(?: \(\d+\))? panicked at \S+:$"),
    ("cargo test", "error", "thread", r"thread '(?P<also>[^']+)' panicked at (?P<cause>'.+)"),
    ("cargo nextest", "tests", "Summary", r"Summary \[.{1,20}\] +\d+(?:/\d+)? tests? run: "),
    ("cargo nextest", "none", "error:", r"error: no tests to run"),
    ("cargo nextest", "failed", "FAIL SIGABRT TIMEOUT",
     r"(?:FAIL|SIGABRT|TIMEOUT) \[.{1,20}\] +(?:\(.{1,20}\) )?(?P<name>.+)"),
    ("cargo", "failed", "error[", r"(?P<cause>error\[E\d+\]: .+)"),
    ("cargo", "wrapper", "error:", r"error: (?P<cause>could not compile.+|test failed, to rerun.+|aborting due to.+)"),
    ("built", "passed", "Finished", r"Finished .{0,80}target\(s\) in .+"),
    ("cargo fmt", "failed", "Diff", r"Diff in (?P<name>\S+?):\d+:?$"),
    ("deno", "none", "error:", r"error: No test modules found"),
    ("deno", "tests", "ok FAILED", r"(?:ok|FAILED) \| \d+ passed.{0,60} \| \d+ failed"),
    ("deno", "failed", "...", r"(?P<name>.+) \.\.\. FAILED \("),
    ("go", "go ok", "ok",
     r"ok\s+\S+\s+(?P<none>\(cached\) \[no tests to run\]|[\d.]+s \[no tests to run\])|ok\s+\S+\s+(?:"
     r"(?P<cached>\(cached\))|[\d.]+s)"),
    ("go", "none", "?", r"\?\s+\S+\s+\[no test files\]"),
    ("go", "go fail", "---", r"--- FAIL: (?P<name>\S+)"),
    ("go", "seen", "PASS", r"PASS$|--- PASS:|test .+ ok$"),
    ("go", "failed", "FAIL", r"FAIL(?:\s+(?P<also>\S+)\s+(?:[\d.]+s|\[\w+ failed\])|$)"),
    ("go", "error", "panic:", r"(?P<cause>panic: .+)"),
    ("go", "cause", "Error:", r"Error: {2,}\t?(?P<cause>\S.+)|Error:\t+(?P<cause2>\S.+)"),
    ("go", "error", "go:",
     r"(?P<cause>go: (?!downloading|finding|extracting|warning|added|upgraded|creating|to add).+)"),
    ("go", "error", "stat", r"(?P<cause>stat \S+: (?:directory not found|no such file).*)"),
    ("go", "error", "imports", r"imports (?P<cause>\S+ .*import cycle not allowed.*)"),
    ("go", "error", "package", r"(?P<cause>package \S+ is not in .+|package \S+: build constraints exclude .+)"),
    ("go", "error", "no", r"(?P<cause>no required module provides package .+|no Go files in .+)"),
    ("vitest", "next", "FAIL", r"FAIL +(?P<name>\S+\.\w+ > .+|\S+\.\w+ \[ \S+ \])"),
    ("jest", "failed", "FAIL", r"FAIL +(?:\S+ )?(?P<also>\S+\.\w+)(?: \([\d.]+ m?s\))?$"),
    # The legend below a build's table of routes, which is printed at its good end alone.
    ("next", "passed", "○ ƒ ● λ",
     r"[○ƒ●λ] +\((?:Static|SSG|ISR|Dynamic|Server)\) +(?:automatically|prerendered|server-).{0,120}"),
    ("jest", "next", "●", r"● (?!Console$|Cannot log after)(?P<name>Test suite failed to run|.+ › .+|.+)"),
    ("biome", "cause", "×", r"× (?P<cause>Formatter would have .*)"),
    ("biome", "failed", "×", r"× Some errors were emitted while running checks"),
    ("rake", "wrapper", "rake", r"rake (?P<cause>aborted!)"),
    ("vitest", "failed", "× ✕", r"[×✕] (?P<also>.+?)(?: \(?\d+ ?ms\)?)?$"),
    ("playwright", "named", "✘",
     r"✘ +\d+ (?!.{0,300}\(retry #)(?P<listed>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?) \([\d.]+(?:ms|s|m)\)$"),
    ("playwright", "next", "0)", r"\d+\) (?P<name>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?)[ ─]*$"),
    ("minitest", "below", "0)", r"\d+\) (?:Failure|Error):$"),
    ("phpunit", "next", "0)", r"\d+\) (?P<name>[\w\\]+::\w+.*)"),
    ("mix", "next", "0)", r"\d+\) test (?P<name>.+)"),
    ("mocha", "next", "0)", r"\d+\) (?P<name>\S.*)"),
    ("rspec", "tests", "0example 0examples", r"\d+ examples?, \d+ failures?"),
    ("rspec", "failed", "rspec", r"rspec (?P<also>\./\S+:\d+ # .+)"),
    ("minitest", "tests", "0runs 0tests", r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
    ("phpunit", "passed", "OK OK,", r"OK(?:,.*| \(\d+ tests?, \d+ assertions?\))$"),
    ("phpunit", "failed", "FAILURES! ERRORS!", r"(?:FAILURES|ERRORS)!$"),
    ("phpunit", "none", "No", r"No tests executed!"),
    ("php", "error", "PHP Fatal Parse", r"(?:PHP )?(?P<cause>(?:Fatal|Parse) error: +.+)"),
    ("mix", "tests", "0test 0tests 0doctest 0doctests 0property 0properties",
     r"(?:\d+ (?:doctests?|property|properties), )*\d+ tests?, \d+ failures?"),
    ("mix", "none", "There", r"There are no tests to run"),
    ("mix", "failed", "**", r"\*\* (?P<cause>\(\w+Error\) .+)"),
    ("xcodebuild", "failed", "**", r"\*\* \w+ FAILED \*\*"),
    ("xcodebuild", "passed", "**", r"\*\* \w+ SUCCEEDED \*\*"),
    ("xcodebuild", "failed", "xcodebuild:", r"xcodebuild: error: (?P<cause>.+)"),
    ("xcodebuild", "failed", "{", r"\{ platform:.{1,300} name:.{1,120}\}$"),  # a list of what it could have been given
    ("docusaurus", "passed", "[SUCCESS]", r"\[SUCCESS\] Generated static files"),
    ("ctest", "tests", "0tests", r"\d+% tests passed, \d+ tests? failed out of \d+"),
    ("ctest", "failed", "0-",
     r"\d+ - (?P<name>\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|Child aborted)"),
    ("ctest", "none", "No", r"No tests were found"),
    ("gradle", "tests", "0test 0tests", r"\d+ tests? completed, \d+ failed"),
    ("gradle", "passed", "BUILD", r"BUILD SUCCESS(?:FUL)?\b"),
    ("gradle", "failed", "BUILD", r"BUILD FAIL(?:ED|URE)\b"),
    ("gradle", "next", ">", r"(?P<name>\S+ > .+) FAILED$"),
    ("gradle", "failed", ">", r"> Task (?P<also>\S+) FAILED"),
    ("gradle", "why", "*", r"\* What went wrong:"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<cause>\S+\.(?:java|kt|scala|groovy):\[?\d.*)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+):\d+(?:->\S+)? +(?P<cause>\S.+)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+) +» +(?P<cause>\S.+)"),
    ("dotnet", "failed", "Failed", r"Failed (?P<name>\S+.*?) \[[<\d].*\]$"),
    ("dotnet", "announced", "Error", r"Error Message:$"),
    ("dotnet", "failed", "Build", r"Build FAILED\."),
    ("dotnet", "passed", "Build", r"Build succeeded"),
    ("msbuild", "problems", "0Error(s) 0Erro(s) 0Fehler 0Erreur(s) 0Errores 0Errori 0エラー",
     r"\d+ (?:Error\(s\)|Erro\(s\)|Fehler|Erreur\(s\)|Errores|Errori|エラー)$"),
    ("vstest", "tests", "! Com Con",  # in whatever language
     r"[^!]{1,30}! +[-–] +(?:[^:,]{1,30}: +\d+, ){4}.{1,200}\.dll\b"),
    # How a build ended in the languages that the SDK speaks, by MSBuild's own tables.
    ("dotnet", "passed", "Der La Compilación Compilação Compilazione Sestavení Kompilacja Сборка Oluşturma "
     "ビルドに成功しました。 已成功生成。 빌드했습니다.",
     r"(?:Der Buildvorgang wurde erfolgreich ausgeführt|La génération a réussi|Compilación correcta"
     r"|Compilação com êxito|Compilazione completata|Sestavení proběhlo úspěšně|Kompilacja powiodła się"
     r"|Сборка успешно завершена|Oluşturma başarılı oldu|ビルドに成功しました|已成功生成|빌드했습니다)\.?"),
    ("dotnet", "failed", "Fehler ÉCHEC ERROR FALHA Kompilacja ビルドに失敗しました。 生成失败。",
     r"(?:Fehler beim Buildvorgang|ÉCHEC de la build|ERROR al compilar|FALHA da compilação"
     r"|Kompilacja NIE POWIODŁA SIĘ|ビルドに失敗しました|生成失败)[.。]?$"),
    ("swift build", "passed", "Build", r"Build complete!"),
    ("turbo", "passed", "Tasks:", r"Tasks: +([1-9]\d{0,4}) successful, \1 total$"),
    ("turbo", "wrapper", "Failed:", r"Failed: +(?P<cause>\S+#\S+)"),
    ("flutter", "tests", ":+", r"\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed)"),
    ("flutter", "next", ":+", r"\d+:\d+ \+\d+.* -\d+: (?P<name>.+) \[E\]"),
    ("dart", "cause", "error", r"error [-•] (?P<cause>\S.+)"),
    ("gradle", "failed", "e:", r"e: (?P<cause>\S+ .+)"),
    ("next", "failed", "Type", r"(?P<cause>Type error: .+)"),
    ("gh", "tests", "0failing", r"\d+ failing, \d+ successful"),
    ("gh", "failed", "X", r"X\s+(?P<name>[^\t]+)\t"),
    ("eslint", "why", "Oops!", r"Oops! Something went wrong"),
    ("eslint", "finding", "@error", r"(?P<cause>\d+:\d+ +error +.+)"),
    ("ruff", "problems", "Found", r"Found \d+ errors?(?: \(|\.|$| in )|Found \d+ diagnostics?"),
    ("oxlint", "problems", "Found", r"Found \d+ warnings? and \d+ errors?"),
    ("phpstan", "problems", "[ERROR]", r"\[ERROR\] Found \d+ errors?"),
    ("phpstan", "passed", "[OK]", r"\[OK\] No errors"),
    ("ruff", "passed", "All", r"All checks passed!"),
    ("pylint", "passed", "Your", r"Your code has been rated at 10(?:\.00)?/10"),
    ("black", "passed", "All", r"All matched files use Prettier|All done!"),
    ("mypy", "passed", "Success:", r"Success: no issues found"),
    ("pyright", "problems", "0error 0errors", r"\d+ errors?, \d+ warnings?"),
    ("cc", "problems", "0error 0errors", r"\d+ errors?(?: generated\.)?$"),
    ("golangci-lint", "problems", "0issue 0issues", r"\d+ issues?(?:[.:]| found)"),
    ("dart", "passed", "No", r"No issues found"),
    ("rubocop", "problems", "0file 0files", r"\d+ files? inspected, (?:no|\d+) offenses?"),
    ("black", "bad", "0file 0files", r"\d+ files? would (?:be reformatted|fail)"),
    ("black", "passed", "0file 0files",
     r"\d+ files? (?:would be left unchanged|left unchanged|already formatted|reformatted)"),
    ("black", "failed", "would Would", r"[wW]ould reformat:? (?P<name>\S+)"),
    ("isort", "failed", "ERROR:", r"ERROR: (?P<name>\S+) Imports are incorrectly"),
    ("prettier", "failed", "[warn]", r"\[warn\] (?:Code style issues|(?P<name>\S+\.\w+)$)"),
    ("prettier", "error", "[error]", r"\[error\] (?P<cause>\S+\.\w+: .+)"),
    ("biome", "passed", "Checked", r"Checked \d+ files? in \S+ No fixes"),
    ("biome", "cause", "@biome", r"(?P<cause>\S+:\d+:\d+ (?:lint|parse|assist)\S*)"),
    ("biome", "cause", "format", r"(?P<cause>\S+\.\w+ format) ━"),
    ("shellcheck", "failed", "In", r"In (?P<name>\S+) line \d+:$"),
    ("shellcheck", "cause", "^", r"\^-*\^? (?P<cause>SC\d+ .+)"),
    ("tsc", "failed", "@error", r"(?P<cause>\S+?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .+)"),
    ("tsc", "failed", "error", r"error (?P<cause>TS\d+: .+)"),
    ("pyright", "failed", "@error", r"(?P<cause>\S+:\d+:\d+ - error: .+)"),
    ("dotnet", "failed", "@error", r"(?P<cause>\S+\(\d+,\d+\): error \w+: .+)"),
    ("golangci-lint", "failed", "@go", r"(?P<cause>\S+\.go:\d+: .+ \(dupl\)$)"),
    ("go build", "failed", "@go", r"(?P<cause>\S+\.go:\d+:\d+: .+)"),
    ("go", "log", "@go", r"(?P<cause>\S+_test\.go:\d+: .+)"),
    ("flake8", "failed", "@code", r"(?P<cause>\S+:\d+:\d+: [A-Z]{1,4}\d{1,4}:? .+|\S+:\d+:\d+: [CWEF]: .+)"),
    ("cc", "failed", "@error", r"(?P<cause>\S+:\d+(?::\d+)?: (?:fatal )?error: .+)"),
    ("cc", "failed", "@ld", r"(?P<cause>\S+: undefined reference to .+)"),
    ("ruby", "error", "@ruby", r"(?P<cause>\S+:in [^:]{1,100}: .+ \([\w:]*(?:Error|Exception)\))"),
    ("node", "cause", "@code", r"(?P<cause>\S+:\d+:\d+: ERROR: .+)"),
    ("make", "none", "make: gmake:", r"g?make: Nothing to be done for"),
    ("cc", "wrapper", "collect2: clang:", r"(?P<cause>(?:collect2|clang): error: .+)"),
    ("make", "wrapper", "make: gmake: ninja:",
     r"(?:g?make|ninja)(?:\[\d+\])?: (?P<cause>\*\*\* (?!.*ignored).+|build stopped.+|error: .+)"),
    ("npm", "wrapper", "npm",
     r"npm (?:ERR!|error) (?!code |syscall |errno|path |dest |command |A complete|Lifecycle|workspace|location)"
     r"(?:enoent (?=Could not))?(?P<cause>\S.+)"),
    ("pnpm", "wrapper", "[ELIFECYCLE] ELIFECYCLE", r"\[?ELIFECYCLE\]? +(?P<cause>.+)"),
    ("pnpm", "wrapper", "ERR_PNPM", r"(?P<cause>ERR_PNPM_\w+.*)"),
    ("yarn", "wrapper", "error", r"error (?P<cause>Command failed with exit code.+)"),
    ("mise", "wrapper", "mise", r"mise ERROR (?P<cause>.+)"),
    ("mise", "passed", "[]Finished", r"Finished in [\d.]+\w+$"),
    ("pytest", "passed", "..[100%]", r"[.sxX]+ +\[100%\]$"),
    ("go", "none", "no", r"no packages to test"),
    ("mise", "wrapper", "ERROR", r"ERROR (?P<cause>task failed.*)"),
    ("just", "wrapper", "error:", r"error: (?P<cause>[rR]ecipe .+|script \".+\" exited with code .+)"),
    ("task", "wrapper", "task:", r"task: (?P<cause>Failed to run task.+|Task .+ does not exist)"),
    ("pre-commit", "failed", "....", r"(?P<name>.+?)\.{3,}.*Failed$"),
    ("pre-commit", "passed", "....", r".+?\.{3,}.*Passed$"),
    ("tox", "passed", "congratulations", r"congratulations :\)"),
    ("tox", "wrapper", "evaluation", r"(?P<cause>evaluation failed :\(.*)"),
    ("webpack", "problems", "webpack", r"webpack \S+ compiled (?:successfully|with \d+ (?:errors?|warnings?))"),
    ("webpack", "then", "ERROR", r"ERROR in (?P<cause>\S.+)"),
    ("vite", "failed", "✗ error", r"✗ Build failed|error during build"),
    ("vite", "passed", "✓", r"✓ (?:built in|Compiled successfully)"),
    ("esbuild", "failed", "✘", r"✘ \[ERROR\] (?P<cause>.+)"),
    ("vite", "cause", "[", r"\[[A-Z]{2,20}_[A-Z_]{2,30}\] (?P<cause>.+)"),
    ("next", "failed", "Failed", r"Failed to compile"),
    ("tsup", "passed", "CJS ESM DTS", r"(?:CJS|ESM|DTS) .{1,6}Build success"),
    ("esbuild", "passed", "⚡", r"⚡ Done in"),
    ("docker", "failed", "ERROR:", r"ERROR: (?P<cause>failed to (?:solve|build).*)"),
    ("docker", "passed", "Successfully", r"Successfully (?:built|tagged) "),
    ("docker", "passed", "naming", r"naming to \S+ .*done"),
    ("docker", "error", "unable", r"(?P<cause>unable to prepare context: .+)"),
    ("cmake", "passed", "[100%]", r"\[100%\] Built target"),
    ("cmake", "then", "CMake", r"(?P<cause>CMake Error.*)"),
    ("terraform", "passed", "Apply Plan: Success! No",
     r"Apply complete!|Plan: \d+ to add|Success! The configuration|No changes\."),
    ("alembic", "error", "FAILED:", r"FAILED: (?P<cause>.+)"),
    ("jest", "none", "No", r"No (?:test files|tests) found"),
    ("playwright", "none", "Error:", r"Error: No tests found"),
    ("bun", "none", "The", r"The following filters did not match any test files"),
    ("rspec", "none", "No", r"No examples found"),
    ("dotnet", "none", "No", r"No test (?:is available|matches)"),
    ("node", "failed", "Exception", r"Exception during run: (?P<cause>.+)"),
    ("java", "error", "Exception", r"(?P<cause>Exception in thread .+)"),
    ("python", "traceback", "Traceback + |",
     r"(?:(?:\+ Exception Group|\|) )?Traceback \(most recent call last\)"),
    ("bun", "then", "error:", r"(?P<cause>error: expect\(.+)"),
    ("", "error", "fatal:", r"(?P<cause>fatal: .+)"),
    ("", "error", "error:", r"(?P<cause>error: (?!'test failed').+)"),
    ("", "then", "Error:", r"(?P<cause>Error: .+)"),
    ("", "error", "ERROR:", r"(?P<cause>ERROR: .+)"),
    ("", "then", "Error", r"(?P<cause>AssertionError \[ERR_ASSERTION\]: .+)"),
    ("", "error", "Error ImportError", r"(?P<cause>[\w.]+(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?:: .+|$))"),
    ("", "then", "Error", r"(?P<cause>[\w.:]+(?:Error|Exception):)$"),
    ("cargo", "located", "-->", r"--> (?P<location>\S+:\d+:\d+)"),
    ("shell", "error", "bash: sh: zsh: (eval): /bin/sh: /bin/bash:", r"(?P<cause>.+)"),
)


# ==================================================================================================
# record/runner_output/row_lookup.py: The rows of the table of outputs that may fit a line, found by the line's first word or by its kind.
# ==================================================================================================

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their indexes and the rows that may fit.

    No rows where the line may tell something only behind the name of the task that printed it.
    """
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(ending for ending in ENDINGS if ending in text)
    has_prefixes = ": " in text and holds_any(text, PREFIXED_TASKS)
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    silent = {""}  # lines that tell nothing; most come again
    for index, line in enumerate(lines):
        if line in silent:
            continue
        words = (line.strip(" \t=") if line[:1] == "=" else line).split(None, 2)
        rows = table.get(words[0]) if words else None
        if rows is None and has_others and words:
            rows = rows_by_end(line, endings, table)
        if rows is None and words and words[0] not in dull:
            rows = rows_for(line, words[0], words, table)
            if rows is None and has_prefixes and len(words) > 2 and words[1][-1] == ":":
                rows = []
            if rows is None and is_dull_word(words[0], has_prefixes):
                dull.add(words[0])
        if rows is None:
            silent.add(line)
            continue
        if len(words) > 1 and is_of_passed_test(line, words):
            rows = table["PASS"]
        yield index, shortened(line).strip(" \t="), rows


def is_dull_word(word: str, has_prefixes: bool) -> bool:
    """Whether a word that has no rows has none whatever follows it."""
    return not (has_prefixes or word[0].isdigit() or ":" in word)


def is_of_passed_test(line: str, words: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (words[0] == "---" and words[1] == "PASS:") or (words[0] == "test" and line.endswith("... ok"))


def rows_by_end(line: str, endings: tuple[str, ...], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if line.endswith("[100%]"):
            return table["..[100%]"] if not line.split(None, 1)[0].strip(".sxX") else None
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none, by its kind; empty as in telling_lines."""
    first, last = word[0], word[-1]
    if last == "!" or first in "[#│┃║":
        return table["!"] if last == "!" else table["["]
    if first.isdigit():
        return rows_for_number(word, words, table)
    if ":" in word or "：" in word or last == ")":
        return rows_for_location(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(words) == 1 or words[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`, `1..3`."""
    if len(words) < 2:
        return table["1.."] if word.startswith("1..") else None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" not in word:
        return table.get(f"0{words[1].partition('，')[0].rstrip('.:,;、')}")
    if words[1][0] == "+":
        return table[":+"]
    return table["@error"] if words[1] == "error" else None


def rows_for_location(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a location in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    rows = rows_for_word_and_colon(word, table)
    if rows is not None:
        return rows
    kind = kind_of_location(line, word)
    if kind:
        return table[kind]
    return table.get(f"{word.partition('：')[0]}:", []) if word[-1] == ":" or "：" in word else None


def kind_of_location(line: str, word: str) -> str:
    """The word of the table for a line that begins with a location in a file; empty: it begins with none."""
    if ".go:" in word:
        return "@go"
    if " error" in line:
        return "@error"
    if " undefined reference to " in line:
        return "@ld"
    if ":in" in word:
        return "@ruby"
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return "@biome" if "━" in line else "@code"
    return ""


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`, `test.c:5:test_cents:FAIL: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.endswith(":FAIL:"):
        return table["FAIL:"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


@cache
def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with."""
    table: RowsByWord = {}
    for runner, says, words, pattern in OUTPUT_ROWS:
        for word in words.split():
            table.setdefault(word, []).append((runner, says, pattern))
    return table


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    return re.compile(pattern)


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    return whole_words(line, OUTPUT_LINE_MAX_CHARACTERS)


# ==================================================================================================
# record/runner_output/failure_lines.py: What stands in the lines near a failure: its cause below, a test's own log, the end of a traceback.
# ==================================================================================================

LINES_NEAR_MAX = 60  # looked at around a failure for its cause
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
LINES_BELOW_MAX = 4  # that say something
LINES_BELOW_LOOKED_AT = 7
TRACEBACK_LINES_MAX = 400
# Below a failure that say nothing of it: a location, a rule, the mark and the name of the tool.
DULL_LINE_BELOW = r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: "
COMPARED_LINE = r"(?:Expected|Received|Actual|expected|actual|got|left|right)\b"
ERROR_LINE = r"[A-Za-z_][\w.]{0,100}(?::|$)"
STACKED_ERROR = r"(?:Uncaught )?(?:[\w.$]{1,80}\.)?\w{0,80}(?:Error|Exception)(?: \[\w{1,60}\])?: \S"
STACK_ROW = r"\s{1,20}at \S.{0,500}?:\d{1,7}\)?\s*$"  # a place in a file, as Node and the JVM have it
FIRST_OF_TRACEBACK = ("Traceback (", "  + Exception Group Traceback (")
STACK_WITHIN_ROWS = 3  # below its error, whose words may have more rows than one
OF_GROUP = r"\s*(?:\| ?|\+(?: |[-+]+(?: \d+ -+)?))"  # before the rows of a group of errors
FINDING, FULL_PATH = r"\s*\d+:\d+\s", r"(?:/|[A-Za-z]:[\\/])\S.*\.\w{1,10}$"
CHAINING_LINES = ("During handling of", "The above exception")  # between tracebacks


def lines_below(lines: Sequence[str], index: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    below, depth, is_behind_blank = list[str](), depth_of(lines[index]), False
    for line in lines[index + 1:index + 1 + LINES_BELOW_LOOKED_AT]:
        text = line.strip(" \t│=")
        if not text:
            is_behind_blank = True
        elif indented and is_behind_blank and not below and depth_of(line) <= depth:
            break
        elif not re.match(DULL_LINE_BELOW, text):
            below.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(below) == LINES_BELOW_MAX:
            break
    return below


def paragraph_below(lines: Sequence[str], index: int) -> str:
    """The next lines up to a blank line, on one line."""
    paragraph = list[str]()
    for line in lines[index + 1:index + 1 + LINES_BELOW_MAX]:
        if not line.strip():
            break
        paragraph.append(line.strip()[:OUTPUT_LINE_MAX_CHARACTERS])
    return " ".join(paragraph)


def depth_of(line: str) -> int:
    """How many blanks the line begins with."""
    return len(line) - len(line.lstrip())


def file_of_finding(lines: Sequence[str], index: int) -> str:
    """The file on a row of its own above its findings, with a colon; empty where that row is not sure to be theirs.

    Where a filter let single rows through the path of one file stands above the findings of others, with no blank row
    around them.
    """
    first, last = index, index
    while first and re.match(FINDING, lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and re.match(FINDING, lines[last + 1]):
        last += 1
    path = lines[first - 1].strip() if first else ""
    is_set_off = not "".join(lines[max(first - 2, 0):first - 1]).strip() and first > 1
    is_set_off = is_set_off or not "".join(lines[last + 1:last + 2] or "-").strip()
    return f"{path}:" if is_set_off and re.match(FULL_PATH, path) else ""


def go_message(lines: Sequence[str], index: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[index + 1:index + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(index - LINES_NEAR_MAX, 0):index]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    for part in (below, above):
        logs = [match[1] for match in (re.match(GO_LOG, shortened(line)) for line in part) if match]
        telling = [log for log in logs if re.search(GO_FAILURE, log)]
        if logs:
            return telling[-1] if telling else logs[-1]
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(COMPARED_LINE, near[end]):
        end += 1
    if not near or end == 1:
        return [*near]
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]]


def error_with_stack(lines: Sequence[str]) -> str:
    """The last error whose stack stands below it, or that a traceback ends with; empty: none. Prose has none."""
    # A pattern on each row took a fifth of a first save, to look into each at all a twentieth.
    if not holds_any("\n".join(lines), ("Error", "Exception", "Traceback (")):
        return ""
    telling = [index for index, line in enumerate(lines)
               if "Error" in line or "Exception" in line or line.startswith("Traceback (")]
    for index in reversed(telling):
        if lines[index].startswith(FIRST_OF_TRACEBACK) and (error := end_of_traceback(lines, index)):
            return error
        below = lines[index + 1:index + 1 + STACK_WITHIN_ROWS] if re.match(STACKED_ERROR, lines[index]) else ()
        if any(re.match(STACK_ROW, line) for line in below):
            return shortened(lines[index]).strip()
    return ""


def end_of_traceback(lines: Sequence[str], index: int) -> str:
    """The last line of a Python traceback: the error; of a chain or a group of them the last one's."""
    cause, is_within, is_of_group = "", True, lines[index].lstrip().startswith(("+", "|"))
    rows = lines[index + 1:index + TRACEBACK_LINES_MAX]
    for line in rows_of_group(rows) if is_of_group else rows:
        if line.startswith(("Traceback (", "Exception Group Traceback (")):
            is_within = True
        elif is_within and line and not line[0].isspace() and re.match(ERROR_LINE, line):
            cause, is_within = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], False
        elif not is_within and line and not is_of_group and not line.startswith(CHAINING_LINES):
            break
    return cause


def rows_of_group(lines: Sequence[str]) -> Iterator[str]:
    """The first of the lines that are a group's of errors, without the signs before them."""
    for line in lines:
        signs = re.match(OF_GROUP, line)
        if not signs:
            return
        yield line[signs.end():]


# ==================================================================================================
# record/runner_output/total_counts.py: The numbers in a line of totals: how many failed, how many passed.
# ==================================================================================================

FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed(?! as expected)|F(?:ailed|AILED)|[Ff]ailures|failure|failing|fail|errors?"
    r"|errored|issues?|offenses?|diagnostics?|interrupted|cancelled)\b(?!: \d)"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some"
    r"|\[ +FAILED +\] (\d+) test|\bFAIL (\d+) \||│ +(\d+) +│$"
    rf"|(\d+) (?:{FAILED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{FAILED_ABROAD}){COLON_ABROAD}(\d+)")
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:[Pp]assed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|[Tt]ests|test|runs|doctests?)\b"
    r"|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b"
    r"|\[ +PASSED +\] (\d+) test|\bPASS (\d+)\b|(\d+) (?:success(?:es)?|scenarios? passed|tests? run)\b"
    r"|in (\d+) test cases?\b|│ +(\d+) +│"
    rf"|(\d+) (?:{PASSED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{PASSED_ABROAD}){COLON_ABROAD}(\d+)")
OTHER_COUNTS = r"\d+ (?:flaky|skipped|todo|pending|total|warnings?)\b|\btests 0$|\bno tests$"
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"


def failures_in(runner: str, total: str) -> int:
    """How many failed by a line of totals of the runner."""
    numbers = numbers_of_dotnet(runner, total)
    return numbers[0] if numbers else sum_of(FAILURE_COUNTS, total)


def passes_in(runner: str, total: str) -> int:
    """How many passed by a line of totals of tests; ctest tells a share: one where it is not none."""
    numbers = numbers_of_dotnet(runner, total)
    if numbers:
        return numbers[1]
    return sum_of(SUCCESS_COUNTS, total) if runner != "ctest" else int(not total.startswith("0%"))


def numbers_of_dotnet(runner: str, total: str) -> list[int]:
    """The numbers in a line of .NET's, in whatever language: those that failed, then those that passed."""
    return [int(number) for number in re.findall(COUNTS_OF_DOTNET, total)] if runner in DOTNET else []


def is_read(runner: str, total: str) -> bool:
    """Whether a line of totals says in words that are known how many failed, passed or else, perhaps none."""
    return bool(numbers_of_dotnet(runner, total) or runner == "ctest" or any(
        re.search(pattern, total) for pattern in (FAILURE_COUNTS, SUCCESS_COUNTS, OTHER_COUNTS)))


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in re.finditer(pattern, text) for number in match.groups() if number)


# ==================================================================================================
# record/runner_output/reading.py: What an output says of how a run ended: totals, what failed, why; line by line.
# ==================================================================================================

TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
TRACEBACK_LINES = 30  # that one may have beside
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:; 总计：
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+|\w{1,30}：\s{0,3}")
ENDS_OF_PREFIX = "]:│┃║"
ENDS_OF_SUITES = (  # say at their end that all passed, and not how many
    "unittest", "phpunit", "cypress", "gradle", "boost", "prove", "zig", "julia", "nx", "sbt", "clojure")
# Their last word without a number is said of no test, too: "OK" by unittest before Python 3.12.
ENDS_WITHOUT_COUNT = ("unittest", "node", "bun")
NO_FAILURE = r"[#ℹ] fail 0$|0 fail$"  # of node and bun
DULL_TOTAL = r"[#ℹ] (?:tests [1-9]\d*|cancelled 0)$"  # of node, beside how many passed
# Those that failed stand in a line of their own.
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun", "gtest", "ava", "newman")
FRAMES = {"ava": r"^\s*─$", "prove": r"Files=\d+, Tests=\d+,"}  # stands above these runners' words, which are anybody's
FRAME_LINES = 7  # above a line, in which its frame stands
# A script's own total behind a title (no tick of a test, no log's level), as its last row or beside a ruler: what
# stands elsewhere may be a row of a test's log.
TITLED_TOTAL = (
    r"(?!\W{0,9}[✓✔✅✗✘✖×❌])\W{0,9}(?=[^\W\d])[^:：\[\]\n]{1,100}[:：]\s{0,9}(?P<counts>"
    r"(?:\d+ passed[,|;/ ]{1,3}\d+ failed|\d+ failed[,|;/ ]{1,3}\d+ passed)(?:[,|;/ (]{1,3}\d+ \w+\)?){0,3})\W{0,9}$")
BESIDE_TITLED = r"\s*[-=─━═*#~]{6,}\s*$"
NO_TESTS_NAME = "Test suite failed to run"  # jest's, in place of a test's name
# Of what lines say (known_rows.py):
TOTALS = ("tests", "problems", "go ok", "ran")
FAILURES = ("failed", "bad", "go fail", "next", "below", "why", "wrapper")
ERRORS = ("error", "traceback", "then")
CAUSE_BELOW = ("next", "below", "announced", "then", "why")
COMPARED_VALUES = r"\S.{0,100} !==? \S.{0,100}$"  # of node's assertions: `12.4 !== 12.41`
LOOKING_AT_OTHER_LINES = (*CAUSE_BELOW, "paragraph", "go fail", "traceback", "located", "finding")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_CAUSE = {  # that a line gives; what is not here gives one of its own kind
    "next": "near", "below": "near", "announced": "near", "paragraph": "near",
    "go fail": "near", "finding": "cause", "why": "wrapper", "then": "error"}

FittingRow = tuple[str, str, re.Match[str]]  # whose line it is, what it says, how it fits


class OutputReading:
    """What an output says, line by line."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.failing_behind: list[tuple[str, str]] = []  # who says behind these totals that something failed, and how
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.is_titled = False  # the totals are a script's own
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.listed: list[str] = []  # as each failed, in the rows of a run that is under way
        self.traced: list[str] = []  # in traces before the first name: `tail` has cut off theirs
        self.causes: dict[str, str] = {}

    @property
    def failed_names(self) -> list[str]:
        """The names of what failed, before them those that a trace alone still tells; else what stands beside it.

        Behind them those that were listed on the way, where no totals are seen: of a run that `head` cut one of ten
        that failed had stood there. A run that ends names all anew, without those that passed when tried again.
        """
        unnamed = [name for name in self.traced if not any(re.search(rf"\b{re.escape(name)}\b", each)
                                                           for each in self.names)]
        named = unnamed + self.names or self.also
        return named if self.tests else [*named, *(name for name in self.listed if name not in named)]

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """What one telling line says, which stands at this index of the lines."""
        runner, says, match = row
        if runner in FRAMES and not is_framed(runner, lines, index):
            return
        if says in TOTALS:
            self.take_total(runner, says, match)
        elif says == "none":
            self.none.append(match.groupdict().get("cause") or match.string)
        elif says == "passed":
            self.take_passed(runner, match.string)
        elif says == "seen":
            self.seen_passing = True
        elif says == "plan":
            self.take_plan(match["count"], lines, index)
        elif says == "log":
            self.last_log = match["cause"]
        elif says == "traced":
            self.traced += [match["also"]] if not self.names else []
        elif says == "located":
            self.take_location(match["location"], lines, index)
        else:
            self.take_failure(row, lines, index)

    def take_total(self, runner: str, says: str, match: re.Match[str]) -> None:
        """A line of totals, of whatever kind."""
        text = match.string
        if says == "problems":
            self.take_problems(runner, text)
            return
        self.error_behind, self.failing_behind = False, []
        if says == "tests":
            self.take_tests(runner, text)
        elif says == "go ok":
            self.take_package(text, has_no_tests=bool(match["none"]), is_cached=bool(match["cached"]))
        else:
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)

    def take_tests(self, runner: str, text: str) -> None:
        """A line of totals of tests: how many failed, how many passed; nothing where its numbers are not known."""
        if not is_read(runner, text):
            return
        failures, passes = failures_in(runner, text), passes_in(runner, text)
        self.failures += failures
        self.passes += passes
        if runner not in TOTALS_IN_PARTS:
            self.has_whole_total = True
        if re.match(NO_FAILURE, text):  # says nothing of how many passed
            if not self.passes:
                self.passed.append((runner, text))
            elif runner == "node":
                self.tests.append(text)
        elif not re.match(DULL_TOTAL, text):
            (self.tests if passes or failures or "flaky" in text else self.none).append(text)

    def take_titled(self, lines: Sequence[str]) -> None:
        """The totals that a script prints behind titles of its own, where no runner says anything."""
        if self.tests or self.problems or self.passed or self.none or self.seen_passing:
            return
        last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
        for index, line in enumerate(lines):
            total = compiled(TITLED_TOTAL).match(line) if " passed" in line and " failed" in line else None
            beside = lines[max(index - 1, 0):index + 2]
            is_set_off = index == last or any(re.match(BESIDE_TITLED, other) for other in beside)
            if total and is_set_off and failures_in("", line) == failures_in("", total["counts"]):
                self.is_titled = True
                self.take_tests("", line.strip())

    def take_problems(self, runner: str, text: str) -> None:
        """A line of totals of a linter or compiler: with none it has passed. A bare `0 errors` is anybody's."""
        failures = failures_in(runner, text)
        self.failures += failures
        self.problems.append(text)
        if failures:
            self.failing_behind.append((runner, text))
        if not failures and runner != "cc":
            self.passed.append((runner, text))

    def take_package(self, text: str, *, has_no_tests: bool, is_cached: bool) -> None:
        """Go's line for a package that is well."""
        self.packages += 1
        self.cached += is_cached
        self.passes += not has_no_tests
        (self.none if has_no_tests else self.tests).append(text)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_plan(self, count: str, lines: Sequence[str], index: int) -> None:
        """TAP's `1..12` before its tests: they passed where as many are seen below it, and none that failed."""
        below = [line for line in lines[index + 1:] if line.startswith(("ok ", "not ok "))]
        begins_here = bool(below) and below[0].startswith("ok 1 ")
        if begins_here and len(below) == int(count) and not any(line.startswith("not ") for line in below):
            self.passes += len(below)
            self.take_passed("tap", f"{lines[index]} … {below[-1]}")

    def take_location(self, at: str, lines: Sequence[str], index: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(lines[max(index - 2, 0):index]) if line.strip()), "")
        if above.strip("│ ") and not above.lower().startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """A line that says that something failed, what, or why."""
        runner, says, match = row
        groups = match.groupdict()
        if says in (*FAILURES, *ERRORS):
            self.failing_behind.append((runner, match.string))
        name, cause = self.name_and_cause(says, groups, lines, index)
        also = groups.get("also") or ""
        if name and name != NO_TESTS_NAME:
            self.names.append(name)
        self.listed += filter(None, [groups.get("listed")])
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(KIND_OF_CAUSE.get(says, says), cause)
        if says == "bad":
            self.problems.append(lines[index].strip())
        if says in FAILURES:
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(lines[index]).strip()
        elif says in ERRORS:
            self.error_behind = True
            last_lines = LAST_LINES + TRACEBACK_LINES if says == "traceback" else LAST_LINES
            self.error_at_end |= index >= len(lines) - last_lines

    def name_and_cause(self, says: str, groups: Mapping[str, str | None], lines: Sequence[str],
                       index: int) -> tuple[str, str]:
        """What failed and why, by the line and by those near it; empty where they do not say it.

        Other lines are looked at for the first cause of a kind alone; for a name each time.
        """
        name = (groups.get("name") or "").strip(" ─")
        cause = groups.get("cause") or groups.get("cause2") or ""
        if KIND_OF_CAUSE.get(says, says) in self.causes and says not in ("next", "below"):
            return name, cause
        if says == "finding":
            cause = f"{file_of_finding(lines, index)}{cause}"
        if says == "traceback":
            return name, end_of_traceback(lines, index)
        if says == "paragraph":
            return name, paragraph_below(lines, index)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(lines, index)
        if says in CAUSE_BELOW and len(self.names) < NAMES_WITH_CAUSES_MAX:
            return with_lines_below(says, name, cause, lines_below(lines, index, says == "next"))
        return name, cause

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        self.tests += last.tests
        self.problems += last.problems
        self.passed += last.passed
        self.none += last.none
        self.names += last.names
        self.also += last.also
        self.listed += last.listed
        self.traced += last.traced if not self.names else []
        self.causes = {**last.causes, **self.causes}
        self.failures += last.failures
        self.passes += last.passes
        self.packages += last.packages
        self.cached += last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.failing_behind = last.failing_behind if last.tests else [*self.failing_behind, *last.failing_behind]
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def is_framed(runner: str, lines: Sequence[str], index: int) -> bool:
    """Whether the line is its runner's: what the runner prints above it stands there."""
    frame = compiled(FRAMES[runner])
    return any(frame.search(line) for line in lines[max(index - FRAME_LINES, 0):index])


def with_lines_below(says: str, name: str, cause: str, below: list[str]) -> tuple[str, str]:
    """Name and cause with what stands in the lines below."""
    if says == "below" and below:
        name, below = below[0].partition(" [")[0].rstrip(":"), below[1:]
    if says == "next" and name and below and below[0].endswith(":") and below[0][:1].islower():
        name, below = f"{name} {below[0].rstrip(':')}", below[1:]  # mocha's, in parts
    below = with_expected(below)
    if says == "then":
        is_open = (cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
                   or any(re.match(COMPARED_VALUES, line) for line in below[:1]))
        return name, " ".join([cause, *below[:1]]) if is_open else cause
    has_values = len(below) > 1 and (below[0].endswith("equal:") or re.match(COMPARED_VALUES, below[1]))
    if says == "announced" and has_values:  # node's
        return name, f"{below[0]} {below[1]}"
    if says == "why" and len(below) > 1 and below[1].startswith("> "):
        return name, f"{below[0]} {below[1][2:]}"
    return name, below[0] if below else ""


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = ends_of_output(output)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(), 0
    for index, text, rows in telling_lines(lines):
        row = fitting_row(rows, text)
        if row:
            reading.take(row, lines, index)
        elif not take_behind_prefix(reading, text, rows, lines, index):
            continue
        count += 1
        if count >= TELLING_LINES_MAX and index < len(lines) - TELLING_LINES_MAX:
            reading.join(read_output(lines[-TELLING_LINES_MAX:]))
            break
    return reading


def fitting_row(rows: Sequence[OutputRow], text: str) -> FittingRow | None:
    """The first of the rows that fits the line."""
    for runner, says, pattern in rows:
        match = compiled(pattern).match(text)
        if match:
            return runner, says, match
    return None


def take_behind_prefix(reading: OutputReading, text: str, rows: Sequence[OutputRow], lines: Sequence[str],
                       index: int) -> bool:
    """Takes what the line says behind the name of the task that printed it; whether it says something."""
    prefix = prefix_of(text, has_rows=bool(rows))
    inner = text[len(prefix):]
    row = fitting_row(rows_behind_prefix(inner, prefix), inner) if prefix and inner.strip() else None
    if not row:
        return False
    if row[1] in LOOKING_AT_OTHER_LINES:  # those near, which have the same prefix
        begin = max(index - LINES_NEAR_MAX, 0)
        near = [line.strip().replace(prefix, "", 1) for line in lines[begin:index + LINES_NEAR_MAX]]
        reading.take(row, near, index - begin)
    else:
        reading.take(row, lines, index)
    return True


def prefix_of(text: str, has_rows: bool) -> str:
    """The name of the task that printed the line, with the blanks behind it; empty: the line has none.

    Of a line that has rows of its own only where the first word looks like such a name.
    """
    word = text.partition(" ")[0]
    looks_like_prefix = word[-1:] in tuple(ENDS_OF_PREFIX) or word[:1] == "#"
    match = compiled(TASK_PREFIX).match(text) if word and (looks_like_prefix or not has_rows) else None
    return match[0] if match else ""


def rows_behind_prefix(inner: str, prefix: str) -> Sequence[OutputRow]:
    """The rows that may fit what stands behind a prefix."""
    table, words = rows_by_word(), inner.split(None, 2)
    if words[0] == "Finished" and prefix[0] == "[":  # mise's own line behind its task's name
        return table["[]Finished"]
    return table.get(words[0]) or rows_for(inner, words[0], words, table) or ()


# ==================================================================================================
# record/outcomes/ended_command.py: A command that ended, as it is judged: its checks, its output, its exit code.
# ==================================================================================================

LISTING_OPTION = r" -\w{0,5}l\w{0,5}\b"
FILE_LISTED = r"\S{1,400}\.\w{1,6}$"


class EndedCommand:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)
        if checks and not any(check["runner"] for check in checks):
            self.reading.take_titled(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @cached_property
    def printed_error(self) -> str:
        """The error that it printed with its stack; empty beside tests that passed: these print such errors on purpose.

        A bundler said "✓ built" and exited 0, and the error below was what the session looked for.
        """
        reading = self.reading
        may_test = any(check["family"] in MAY_TEST for check in self.checks)
        is_of_tests = reading.tests or (may_test and (reading.passed or reading.seen_passing))
        return "" if is_of_tests else error_with_stack(self.lines)

    @property
    def only_line(self) -> str:
        """The line that is not empty, where there is just one."""
        first = [*islice(filter(None, map(str.strip, self.lines)), 2)]
        return first[0] if len(first) == 1 else ""

    @property
    def is_error(self) -> bool | None:
        """Whether its exit code says that it failed."""
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def has_failed(self) -> bool:
        """Whether the output says so."""
        return self.reading.failed or self.reading.failures > 0 or self.lists_files()

    def lists_files(self) -> bool:
        """Whether a formatter that was to list what it would change has listed files."""
        if len(self.checks) != 1 or self.checks[0]["runner"] not in LISTING_FORMATTERS:
            return False
        is_to_list = re.search(LISTING_OPTION, self.checks[0]["command"]) is not None
        return is_to_list and bool(self.text) and all(re.match(FILE_LISTED, line) for line in self.text)


# ==================================================================================================
# text/powershell.py: Errors as PowerShell prints them: a message, and rows on where it came from and of what kind it is.
# ==================================================================================================

ERROR_SIGN = "+ FullyQualifiedErrorId "
FRAME = r"\s*(?:\+ |At .{1,300}:\d{1,7} char:\d{1,5}\s*$)"


def is_powershell_error(text: str) -> bool:
    """Whether an error of PowerShell's stands in the text."""
    return ERROR_SIGN in text


def without_frames(rows: Sequence[str]) -> list[str]:
    """The rows of an output with such an error but for those on where it came from; all, where there are no others.

    The kind holds the word "Exception", so that it had stood in place of the message.
    """
    return [row for row in rows if not re.match(FRAME, row)] or [*rows]


# ==================================================================================================
# record/outcomes/shown_line.py: What a person would want to read of how a command ended: totals, what failed first, why; on one line.
# ==================================================================================================

OUTCOME_MAX_UTF16 = 240
CAUSE_MAX_UTF16 = 200
FAILED_NAME_MAX_UTF16 = 100
NAMES_IN_LINE_MAX, NAMES_KEPT_MAX = 3, 12  # of those that failed
ZERO_COUNTS = r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)"  # "; 0 ignored; 0 measured; 0 filtered out"
KIND_OF_TOTAL_CHARACTERS = 20  # by which totals are of one kind, numbers left out
CARGO_TOTAL = "test result:"
NEXTEST_TOTAL = "Summary ["
SMALL_TOTAL = r"(?:pass|fail|cancelled) \d+$|\d+ (?:pass|fail)$"  # of node and bun, a line for each number
TOTAL_OF_FILES = r"Test (?:Suites|Files)\b"  # of jest and vitest, beside that of their tests
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
FIRST_SAID_CHARACTERS = 4_000  # of an output, in which its first line is looked for


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    if totals:  # unittest says in a line of its own that they passed
        return [*totals, *[line for runner, line in reading.passed if runner == "unittest"][-1:]]
    rows = [row for row in reading.passed if row[0] != "mise"] or reading.passed
    hooks = sum(runner == HOOKS for runner, _ in rows)
    return [f"{hooks} passed"] if hooks > 1 and rows[-1][0] == HOOKS else [line for _, line in rows[-1:]]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    newest = {kind_of_total(line): line for line in map(total_in_short, totals)}
    short = [*newest.values()]
    if any(line.startswith(NEXTEST_TOTAL) for line in short):  # those of cargo are what its tests print
        short = [line for line in short if not line.startswith(CARGO_TOTAL)]
    else:
        short = with_binaries_added(short, totals)
    if any(line.startswith("Tests") for line in short):  # files only where some failed
        short = [line for line in short if not re.match(TOTAL_OF_FILES, line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(SMALL_TOTAL, line)]
    others = [line for line in short if line not in small]
    return [*others[-3:], ", ".join(small[-2:])] if small else others[-3:]


def rows_without_count(reading: OutputReading) -> list[str]:
    """What the end of an output says of tests of which it is not seen whether any ran: "OK" alone, "0 passed" behind a
    filter that may have kept others back.
    """
    words = [line for runner, line in reading.passed if runner in ENDS_WITHOUT_COUNT]
    return [total_in_short(line) for line in (*words[-1:], *reading.none[-1:])]


def total_in_short(line: str) -> str:
    """A line of totals without its frame and without counts of nothing."""
    text = re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:")
    return re.sub(ZERO_COUNTS, "", text)


def kind_of_total(line: str) -> str:
    """What makes two lines of totals the same: how they begin, without numbers."""
    return re.sub(r"[\d.]+", "", line)[:KIND_OF_TOTAL_CHARACTERS]


def with_binaries_added(short: Sequence[str], totals: Sequence[str]) -> list[str]:
    """The short totals with one sum in place of cargo's, where there are several: each test binary prints its own."""
    results = [line for line in totals if line.startswith(CARGO_TOTAL)]
    if len(results) < 2:
        return [*short]
    text = " ".join(results)
    passed, failed = sum_of(r"(\d+) passed", text), sum_of(r"(\d+) failed", text)
    others = [line for line in short if not line.startswith(CARGO_TOTAL)]
    return [*others, f"{passed} passed; {failed} failed in {len(results)} test binaries"]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in [*dict.fromkeys(names)][:NAMES_KEPT_MAX]]
    return [name for name in short if not any(is_part_of_name(name, other) for other in short)]


def is_part_of_name(name: str, other: str) -> bool:
    """Whether another name ends with this one, or begins with it as its parent."""
    return other.endswith(f" {name}") or other.startswith(f"{name}/")


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    if len(parts) > 2:
        name = f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}"
    return cut_words(name, FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str]) -> str:
    """The first names, and how many more there are; a mark where there are more than are kept, or a total says so.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    line = ", ".join(names[:NAMES_IN_LINE_MAX])
    if names and (failures_counted(totals) > len(names) or len(names) >= NAMES_KEPT_MAX):
        return f"{line}, …"
    return f"{line} +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else line


def failures_counted(totals: Sequence[str]) -> int:
    """How many failures the totals count; 0 where none does."""
    return max((sum_of(FAILURE_COUNTS, total) for total in totals if COUNTS_ALL not in total), default=0)


def names_of_failed(reading: OutputReading) -> ChecksSaid:
    """The names of what failed, and whether there may be more; empty without any."""
    names = unique_names(reading.failed_names)
    if not names:
        return {}
    is_more = failures_counted(reading.tests) > len(names) or len({*reading.failed_names}) > NAMES_KEPT_MAX
    return {"failed_names": names, "has_more_failed": True} if is_more else {"failed_names": names}


def first_said(output: str) -> str:
    """The first line that is not empty."""
    lines = output[:FIRST_SAID_CHARACTERS].split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many.

    Of an error of PowerShell's its message, which stands before or behind the rows on where it came from.
    """
    if any(map(is_powershell_error, text)):
        text = without_frames(text)[:1]
    return shortened(text[0]) if 0 < len(text) <= 3 else last_said(text)


def joined_line(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = dict.fromkeys(shortened(part).strip() for part in parts if part.strip())
    return cut_words(" · ".join(kept), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = " ".join(text.split())
    if units(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    while units(kept) > limit - 2:
        kept = kept.rpartition(" ")[0]
    return f"{kept} …" if kept else "…"


# ==================================================================================================
# record/outcomes/git_output.py: What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end.
# ==================================================================================================

COMMITS_NAMED_MAX, COMMITS_KEPT_MAX = 3, 12  # of one output
REFS_NAMED_MAX, REFS_KEPT_MAX = 3, 12  # of one push
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
FILES_OF_COMMIT = (  # the rows right below that of a commit
    r"(?:\n (?:Author|Committer|Date): .{0,200}){0,3}"
    r"\n (\d{1,6}) files? changed.{0,60}((?:\n (?:create|delete|mode|rename|copy|rewrite) .{1,400})*)")
NEW_FILE, DELETED_FILE = r"\n create mode \d{6} ([^\n\"]+)", r"\n delete mode \d{6} ([^\n\"]+)"
FILES_OF_COMMIT_MAX = 3  # that are named of a kind
CALL_MAKING_COMMITS = r"\b(?:commit|merge|revert|cherry-pick|rebase|am|pull)\b"
SHOWING_ENDS = ("tail", "tee", "cat")  # behind a commit: all rows below its own
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
UP_TO_DATE = "Everything up-to-date"
NOTHING_TO = {UP_TO_DATE: "push", "Already up to date.": "pull"}
NOTHING_STASHED = "No local changes to save"
STASH_KEPT = ("stash entry is kept", "would be overwritten", "could not restore untracked files")
PUSH_REFUSED = (  # what git says of the push itself: another command of the line may have failed before it
    r"rejected\]|Updates were rejected|does not appear to be a git repository|Could not read from remote|src refspec"
    r"|unable to access|Authentication failed|has no upstream branch|No configured push destination"
    r"|[Rr]epository (?:\S{1,200} )?not found|could not read (?:Username|Password)")
GIT_PUSH_FAILED = r"(?m)^error: failed to push\b.{0,200}"  # its last row; a hook's own words before it are not read
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json(?:\.backup)?")
CLIENT_FILE = (
    r"\.claude/(?:(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+|history\.jsonl)")
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
GIT_SAID_BY_REMOTE = r"(?m)^remote: +(?:- |(?:GitLab|ERROR|error): )(.{3,160}?) *$"  # the rule behind a refusal
REMOTE_WORDS_MAX = 2
RULE_FOUND = r"GH\d{3}: "  # that a rule was broken; which one stands below it
GIT_REMOTE = r"(?m)^To (\S{1,400})"
COMMIT_RANGE = r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}"
USER_IN_ADDRESS = r"//[^/@]{1,300}@"
CONFLICT_DETAIL = r" (?:deleted|renamed|added|left) "  # behind the file's name
CONFLICTS_NAMED_MAX = 5
TAKES_STASH = r"\bgit (?:-\S{1,90} \S{1,90} )?(stash (?:pop|apply))\b"
GIT_STASHED = r"(?m)^Saved working directory and index state (.{1,160}?) *$"
GIT_FAILURE_WORDS = ("fatal: ", "error: ", "rejected]", "hint: ")


def git_outcome(run: EndedCommand) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    if "git" not in run.command:
        return {}
    text = "\n".join(map(shortened, run.lines))
    ends = stop_said(run, text) or end_said(run, text)
    said = [commits_said(run.command, text), push_said(text), stashes_said(text), ends, failure_said(run, text)]
    outcome: Outcome = {}
    for part in said:
        outcome.update(part["fields"])
    if "pushed" in outcome and UP_TO_DATE in ends["words"]:  # of another push of the line
        ends["words"].remove(UP_TO_DATE)
    causes = [part["cause"] for part in said if part["cause"]]
    if causes:
        outcome["cause"] = cut_words(causes[0], CAUSE_MAX_UTF16)
    if refusal := push_refusal_said(run, text, causes):
        outcome["push_refused"] = refusal
    words = [words for part in said for words in part["words"]]
    if words:
        outcome["line"] = joined_line(words)
    return outcome


def push_refusal_said(run: EndedCommand, text: str, causes: Sequence[str]) -> str:
    """The cause which says that a push was refused, by the other side or before, else that it failed; empty: none."""
    if "push" not in run.command:
        return ""
    said = [cause for cause in causes if re.search(PUSH_REFUSED, cause)] or re.findall(GIT_PUSH_FAILED, text)
    return said[0] if said else ""


def commits_said(command: str, text: str) -> GitSaid:
    """The commits that were made, with their files; the last one is what HEAD names now."""
    commits = [*re.finditer(GIT_COMMIT, text)] if "] " in text else []
    if not commits:
        return {"fields": {}, "cause": "", "words": []}
    are_rows_whole = shows_rows_of_commit(command)
    made: list[Commit] = [{"branch": row[1], "hash": row[2], "subject": row[3].strip(),
                           "took_in": files_said(text[row.end():], are_rows_whole)}
                          for row in commits[-COMMITS_KEPT_MAX:]]
    last = made[-1]
    fields: Outcome = {"branch": last["branch"], "commit": last["hash"], "subject": last["subject"],
                       "took_in": last["took_in"]}
    before = [commit for commit in made if commit["hash"] != last["hash"]]
    if before:
        fields["commits_before"] = before
    private = private_files(text)
    if private:
        fields["private"] = private
    words = [f"[{row[1]} {row[2]}] {row[3]}" for row in commits[-COMMITS_NAMED_MAX:]]
    return {"fields": fields, "cause": "", "words": words}


def shows_rows_of_commit(command: str) -> bool:
    """Whether no pipe behind a call of git's may have kept back rows that stand below a commit's own."""
    is_of_commit: object = False
    for piece, sign in pieces_of(command):
        program = program_in(piece)
        if is_of_commit and program not in SHOWING_ENDS:
            return False
        is_of_commit = sign in PIPES and (is_of_commit or (program == "git" and re.search(CALL_MAKING_COMMITS, piece)))
    return True


def files_said(below: str, are_rows_whole: bool) -> str:
    """How many files a commit took in by the text below its row, the first new ones and those that went; else empty.

    Git names the others nowhere. A path in quotes is written in numbers.
    """
    rows = re.match(FILES_OF_COMMIT, below)
    if not rows:
        return ""
    words = [rows[1], "file" if rows[1] == "1" else "files"]
    kinds = {"new": re.findall(NEW_FILE, rows[2]), "no more in git": re.findall(DELETED_FILE, rows[2])}
    named = [f"{kind}: {first_ends(paths)}" for kind, paths in kinds.items() if paths and are_rows_whole]
    return ", ".join([" ".join(words), *named[:1]]) + "".join(f"; {more}" for more in named[1:])


def first_ends(paths: Sequence[str]) -> str:
    """The first paths, each by its end."""
    shown = ", ".join(last_parts(path, WITH_FOLDER) for path in paths[:FILES_OF_COMMIT_MAX])
    return f"{shown} and more" if len(paths) > FILES_OF_COMMIT_MAX else shown


def private_files(text: str) -> list[str]:
    """The new files of a commit that are private by their names, keys first."""
    paths = re.findall(PRIVATE_FILE, text) if "create mode" in text else []
    by_worth = sorted(paths, key=lambda path: not is_key_file(path))
    return by_worth[:PRIVATE_NAMED_MAX]


def is_key_file(path: str) -> bool:
    """Whether a file holds keys, by its name."""
    return re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is not None


def stashes_said(text: str) -> GitSaid:
    """The stashes that were made: also where a command behind them failed, whose cause is all that is kept else."""
    fields: Outcome = {}
    if "index state" in text and (stashed := re.findall(GIT_STASHED, text)):
        fields["stashed"] = stashed
    if holds_any(text, STASH_KEPT):
        fields["is_stash_kept"] = True
    return {"fields": fields, "cause": "", "words": []}


def push_said(text: str) -> GitSaid:
    """Where to commits were pushed, which ones, and what a hook printed then."""
    rows = [*re.finditer(GIT_PUSHED, text)] if "-> " in text else []
    remote = re.search(GIT_REMOTE, text) if rows else None
    if not rows or not remote:
        return {"fields": {}, "cause": "", "words": []}
    refs = [*dict.fromkeys(row[1] for row in rows)]
    commits = re.search(COMMIT_RANGE, rows[0][0]) if len(refs) == 1 else None
    fields: Outcome = {"pushed": {"to": re.sub(USER_IN_ADDRESS, "//", remote[1]), "refs": refs[:REFS_KEPT_MAX],
                                  "commits": commits[0] if commits else ""}}
    remark = re.search(HOOK_REMARK, text)
    if remark:
        fields["remark"] = remark[1]
    words = [f"pushed to {refs_in_words(refs)}", fields.get("remark", "")]
    return {"fields": fields, "cause": "", "words": words}


def refs_in_words(refs: Sequence[str]) -> str:
    """The branches and tags of a push by their names; of many their number, and the first.

    Of six branches that `--all` had pushed one had stood there, as if it had been the only one.
    """
    if len(refs) <= REFS_NAMED_MAX:
        return ", ".join(refs)
    return f"{len(refs)} branches or tags: {', '.join(refs[:REFS_NAMED_MAX])}, …"


def stop_said(run: EndedCommand, text: str) -> GitSaid | None:
    """What stopped and waits for its end, a merge or rebase, with the files in conflict; None: nothing did.

    Of a stash too, whose conflict git tells as it does a merge's: by the command.
    """
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if not conflicts and not waiting:
        return None
    stash = re.search(TAKES_STASH, run.command)
    is_of_stash = stash and (STASH_KEPT[0] in text or not re.search(CALL_MAKING_COMMITS, run.command))
    begun = waiting[1] if waiting else stash[1] if stash and is_of_stash else "merge"
    files = [re.split(CONFLICT_DETAIL, path, maxsplit=1)[0] for path in dict.fromkeys(conflicts)]
    cause = f"{begun} stopped"
    if files:
        cause += f": conflict in {', '.join(files[:CONFLICTS_NAMED_MAX])}"
    return {"fields": {"conflicts": files, "begun": begun}, "cause": cause, "words": [cause]}


def end_said(run: EndedCommand, text: str) -> GitSaid:
    """What came to its end, or that there was nothing to do."""
    words = re.findall(GIT_NOTHING, text) if holds_any(text, GIT_NOTHING_WORDS) else []
    cause = words[0] if words and words[0].startswith(("nothing", "no changes")) else ""
    nothing_to = [verb for row, verb in NOTHING_TO.items() if row in words]
    nothing_to += ["stash"] if NOTHING_STASHED in text else []
    fields: Outcome = {"nothing_to": nothing_to} if nothing_to else {}
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        fields["finished"] = ended[1]
        words.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        fields["finished"] = "rebase"
    return {"fields": fields, "cause": cause, "words": words}


def failure_said(run: EndedCommand, text: str) -> GitSaid:
    """Why git refused or failed."""
    may_have_failed = holds_any(text, GIT_FAILURE_WORDS)
    failure = re.search(GIT_FAILURE, text) if may_have_failed and not is_made_good(run) else None
    cause = str(failure[1] or failure[2]) if failure else ""
    rules = [words for words in re.findall(GIT_SAID_BY_REMOTE, text) if not re.match(RULE_FOUND, words)]
    if "remote rejected]" in cause and rules:
        cause += f": {' '.join(rules[:REMOTE_WORDS_MAX])}"
    return {"fields": {}, "cause": cause, "words": [cause] if cause else []}


def is_made_good(run: EndedCommand) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))


# ==================================================================================================
# record/outcomes/not_started.py: What says that a command or its check was never started: programs, tasks, modules and folders that are not there.
# ==================================================================================================

NOT_STARTED = (126, 127)  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10}:? )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|(?:enoent )?Could not read package\.json: .{1,200}"
    r"|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}|unrecognized subcommand .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80})"
    r"|error TS5058: .{1,200}|tsc: The TypeScript Compiler - Version .{1,20}")  # of tsc: its project is not there
NO_SUCH_MODULE = r"\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named ([\w.]{1,80})$"  # of `python3 -m NAME`
CANNOT_START = (  # what shells, env and timeout say of a program that they cannot start
    r"(?:\S{0,40}sh|env|timeout|nice|\(eval\)|\S{1,200}(?=: line \d))(?:: line)?(?:[ :]{1,2}\d{1,6})?: "
    r"(?:command not found: (?P<zsh>\S{1,80})|(?:no such file or directory|permission denied): (?P<path>\S{1,200})"
    r"|(?:failed to run command )?[‘']?(?P<named>[^\s:’']{1,200})[’']?: "
    r"(?:(?:command )?not found|No such file or directory|Permission denied))$"
    r"|'(?P<windows>[^\s']{1,80})' is not recognized as an internal or external command"
    r"|fish: Unknown command: (?P<fish>\S{1,80})|(?:uv : )?error: Failed to spawn: `(?P<uv>[^`]{1,80})`")
LINES_READ_MAX = 20  # of an output, in which a task runner says so
CD_FAILED_LINES_MAX = 3  # of an output with nothing else in it


def never_started(run: EndedCommand, verdict: str) -> str:
    """The line that says that a check's program, task or module is not there, so that nothing was checked; empty: none.

    Behind a pipe the exit code is the filter's, and zsh's sentence ends in the program's name: a suite whose `pnpm` was
    not there stood as one whose output does not show whether it passed.
    """
    if verdict not in ("failed", "unknown"):
        return ""
    if len(run.checks) == 1 and (missing := no_such_program(run) or no_such_task(run)):
        return missing
    return "" if run.has_failed else no_such_module(run)


def first_line_where(run: EndedCommand, says_so: Callable[[str], bool]) -> str:
    """The first of an output's first lines that says so, short enough to be a cause; empty: none does."""
    return next((cut_words(line, CAUSE_MAX_UTF16) for line in run.text[:LINES_READ_MAX] if says_so(line)), "")


def no_such_program(run: EndedCommand) -> str:
    """The line in which a shell says that it cannot start the only check's program; empty: it does not."""
    own = run.checks[0]["command"].split()
    return first_line_where(run, lambda line: program_not_started(line) in own)


def program_not_started(line: str) -> str:
    """The program of which a shell, env or the like says in the line that it cannot start it; empty: of none."""
    match = re.match(CANNOT_START, line)
    return match[match.lastgroup or 0] if match else ""


def lost_output(run: EndedCommand) -> str:
    """That the output of checks went to a program that a shell says it cannot start; empty where it did not.

    The checks ran: a build whose `grep` was not there had stood as not run.
    """
    filters = {program_in(text) for check in run.checks for text in check["filters"]}
    row = first_line_where(run, lambda line: program_not_started(line) in filters) if filters else ""
    return f"{LOST_OUTPUT}{program_not_started(row)}`, which is not there" if row else ""


def no_such_task(run: EndedCommand) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    return first_line_where(run, lambda line: re.match(NO_SUCH_TASK, line) is not None)


def no_such_module(run: EndedCommand) -> str:
    """The line in which Python says that it has no such module as its check was to run; empty: it does not."""
    def lacks_module(line: str) -> bool:
        """Whether Python says in the line that it has no such module as the command was to run."""
        match = re.match(NO_SUCH_MODULE, line) if "No module named" in line else None
        return match is not None and re.search(rf"-m {re.escape(match[1])}(?![\w.])", run.command) is not None
    return first_line_where(run, lacks_module)


def cd_failed(run: EndedCommand) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    if "cd " not in run.command or len(run.text) > CD_FAILED_LINES_MAX:
        return False
    return any(re.search(r"\bcd:", line) for line in run.text)


# ==================================================================================================
# record/outcomes/lacks.py: What the machine itself refused to a session's commands: programs that are not there, a password for sudo.
# ==================================================================================================

SAID_OF_LACKS = ("not found", "o such file", "not recognized", "Unknown command", "sudo: a ")  # most rows have none
REFUSAL_MAX_CHARACTERS, REFUSALS_MAX = 300, 50
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
SUDO = "sudo"
ON_EVERY_MACHINE = {"cat", "grep", "head", "ls", "sed", "sort", "tail", "wc"}  # else the PATH is broken


def lacking_in(command: str, output: str) -> list[str]:
    """The programs of a command that the output says are not there; sudo where it wants a password."""
    if not holds_any(output, SAID_OF_LACKS):
        return []
    rows = [row.strip()[:REFUSAL_MAX_CHARACTERS] for row in output.splitlines() if holds_any(row, SAID_OF_LACKS)]
    refused = [SUDO if re.search(SUDO_REFUSES, row) else program_not_started(row) for row in rows[:REFUSALS_MAX]]
    if ON_EVERY_MACHINE & {*refused}:
        return []
    own = programs_of(command)  # what a script of its own starts is the script's matter
    return [program for program in dict.fromkeys(refused) if program in own and "/" not in program]


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_in(piece))
    return programs


# ==================================================================================================
# record/outcomes/own_kill.py: Lines that end themselves: `pkill -f WORD` meets the shell that runs it, as WORD stands in that shell's own command.
# ==================================================================================================

PKILL = r"\bpkill(?P<options>(?: +-[\w-]+)+) +(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|(?P<bare>[^\s;&|'\"]+))"
WHOLE_COMMAND = r" -(?:\w*f\w*|-full)\b"  # the option by which pkill looks at whole command lines
ENDED_BY_SIGNAL = (143, 144)  # as the client tells of its shell; behind the signal that nothing survives ENDED_BY_KILL
FITS_ITSELF = r"[\w ./:@=,*-]+"  # a pattern of these signs fits its own letters; `[a]pp.py` does not
KILL = r" -(?:9|KILL|SIGKILL)\b"
ENDED_BY_KILL = (137, 1)
KILLED_ITSELF = "its own `pkill -f` met its own shell, and nothing behind that ran"


def kill_of_itself(command: str, output: str, exit_code: int | None) -> str:
    """That the line ended itself, in words; empty where it did not, or where that is not certain.

    Of exit code 1 alone it is certain where nothing was printed: pkill has it, too, where it meets no process.
    """
    if "pkill" not in command or exit_code not in (*ENDED_BY_SIGNAL, *ENDED_BY_KILL):
        return ""
    for call in re.finditer(PKILL, command):
        if exit_code in ENDED_BY_KILL and (output.strip() or not re.search(KILL, call["options"])):
            continue
        goes_on = exit_code != 1 or re.search(r"[;\n]\s*\S", command[call.end():])
        word = call["double"] or call["single"] or call["bare"]
        if goes_on and re.search(WHOLE_COMMAND, call["options"]) and re.fullmatch(FITS_ITSELF, word):
            return KILLED_ITSELF
    return ""


# ==================================================================================================
# record/outcomes/package_audit.py: What an audit of packages counted (`npm audit`): it exits 1 where there are any, which is no failure of the command.
# ==================================================================================================

AUDIT = "audit"  # subcommand of managers of packages
NAMED_SCRIPT = ("run", "run-script", "exec", "x", "dlx")  # subcommands that name another command
AUDIT_ROW = (  # with the number of what was found; of pnpm and yarn in the next row by how severe it is
    r"(?:found |fixed \d{1,6} of )?\d{1,6} (?:\w{3,10} severity )?vulnerabilit(?:y|ies)\b(?! (?:of|to)\b).{0,150}"
    r"|No (?:known )?vulnerabilities found\b.{0,60}|Severity: \d.{0,100}")
AUDIT_TOTAL = r'"vulnerabilities": ?\{\s*"info": ?\d+,[^{}]{0,300}"total": ?(\d{1,6})'  # of --json
COUNTS_SOME = r"(?:found |fixed \d{1,6} of )?[1-9]"  # how such a row begins
ROWS_MAX = 2


def vulnerabilities_counted(run: EndedCommand) -> str:
    """The last row in which an audit of the line says how many it found; empty: none did, or something else failed."""
    if AUDIT not in run.command or run.has_failed or not any(is_audit(piece) for piece, _ in pieces_of(run.command)):
        return ""
    totals = re.findall(AUDIT_TOTAL, "\n".join(run.lines))
    if totals:
        return f"{totals[-1]} vulnerabilities"
    rows = [row for row in run.text if re.match(AUDIT_ROW, row)][-ROWS_MAX:]
    return " · ".join(rows if rows[-1:] and rows[-1].startswith("Severity") else rows[-1:])


def ends_in_audit(command: str) -> bool:
    """Whether the line's last command, whatever its output goes through, and but for an echo, is an audit."""
    pieces = pieces_of(command)
    while pieces[1:] and (pieces[-2][1] in PIPES or program_in(pieces[-1][0]) in WITHOUT_EFFECT):
        pieces = pieces[:-1]
    return is_audit(pieces[-1][0]) if pieces else False


def is_audit(piece: str) -> bool:
    """Whether a command of a line is an audit of packages, perhaps one that mends what it found."""
    words = shell_words(piece) if AUDIT in piece else []
    named = [word for word in words[1:] if not word.startswith("-")]
    return program_of(words) in NODE_MANAGERS and AUDIT in named[:2] and named[0] not in NAMED_SCRIPT


# ==================================================================================================
# record/outcomes/pipe_filters.py: What a pipe behind a check lets through of its output, and whether a failure would be among that.
# ==================================================================================================

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines.

    What goes into a variable of PowerShell's is not seen; of a check that is to fail silence says nothing.
    """
    if re.match(rf"{NEGATION}|{ASSIGNED_IN_POWERSHELL}", check["typed"]):
        return False
    return all(lets_failures_through(text, check, count) for text in check["filters"])


def lets_failures_through(text: str, check: Check, count: int) -> bool:
    """Whether one program of the pipe lets a failure through; of one that is not known here it is not certain."""
    words, program = shell_words(text), program_in(text)
    if program == "head":
        return count < lines_let_through(words)
    if program in SEARCHING:
        names_failures = re.search(r"(?i)fail|error", text) is not None
        return "-v" in words or (names_failures and check["runner"] not in SILENT_RUNNERS)
    return program in PASSING_ON


def is_cut(check: Check, count: int, programs: Sequence[str] = CUTTING) -> bool:
    """Whether one of the programs, head or tail, may have let through only a part of the output."""
    return any(program_in(text) in programs and count >= lines_let_through(shell_words(text))
               for text in check["filters"])


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through: `-5`, `-n5`, `-n 5`."""
    numbers = [word.lstrip("-n") for word in words[1:]]
    return next((int(number[:9]) for number in numbers if number.isdigit()), LINES_OF_HEAD_AND_TAIL)


# ==================================================================================================
# record/outcomes/verdicts.py: Whether a command's checks passed: by the exit code where it is theirs, else by what the output says.
# ==================================================================================================

STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter", "boost", "prove", "tap", "julia", "zig"))
# Whose last rows count all that the call ran, broken files too: where these say that no test ran, none is hidden.
COUNTING_ALL_AT_END = ("pytest", "unittest", "mocha", "node", "rspec", "phpunit", "bun test", "ctest")
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild", "nx", "sbt"))  # say it of tests and of builds alike
# `All 3 tests passed.`, `0 failures, 0 errors.`: they count where that program was called.
WORDS_OF_ANYBODY = frozenset(("zig", "clojure"))
GO_ENDED = "PASS"  # Go says it of no test, too
SCRIPT_NAME = r"\.(?:py|js|mjs|ts|rb|php|pl|lua|R)\Z"  # of what an interpreter runs
# What a script that counts no tests prints of a failure: in words, and by signs that may mean something else.
SAYS_FAILED = (
    r"[\W_]{0,12}(?:FAIL(?:ED|URE)?(?!\w)(?![:=\s]{1,3}0\b)|not ok\b)"
    r"|\W{0,12}(?P<passed>\d{1,6}) ?(?:/|of|out of) ?(?P<all>\d{1,6}) tests? passed")
LOOKS_FAILED = (
    r"\W{0,12}[❌✗✘✖×](?! ?(?:\w{1,10}[: ]{1,3})?0\b)"
    r"|(?!\W{0,3}[✅✓✔]).{0,200}(?:\| ?❌|\bFAIL(?:ED)?\W{0,4}$"
    r"|\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?)\b|\b(?i:failed|failures?)[:=] ?[1-9])")
# Each test binary has a total of its own: the programs that may have cut off those of others.
SEVERAL_BINARIES = {"cargo test": ("head",), "dune test": CUTTING, "dune runtest": CUTTING, "ginkgo": CUTTING}
# `echo "exit $?"`, with what stands before the code:
ECHOED_EXIT = r"echo\s{1,9}[\"']?(?P<before>[^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\}|LASTEXITCODE)"
EXIT_NAMES = ("$?", "PIPESTATUS", "LASTEXITCODE")
# `if [ $? -eq 0 ]; then echo PASS; else echo FAIL; fi`, `if make; then …`, and as PowerShell writes the first.
PRINTS_WORDS = r"(?:echo|Write-Output|Write-Host)\s{1,9}[\"']?(?P<%s>[^\"';{}$\n]{1,60}?)[\"']?\s{0,9}[;}\n]"
WORDS_BY_EXIT = (
    r"\bif (?:\(\$(?:LASTEXITCODE -eq 0|\?)\)|\[{1,2} \$\? (?:-eq|==?) 0 \]{1,2};?|[^;\n!\[(]{3,300};)"
    rf"\s{{0,9}}(?:then|\{{)\s{{1,9}}{PRINTS_WORDS % 'passed'}"
    rf"\s{{0,9}}else\s{{1,9}}\{{?\s{{0,9}}{PRINTS_WORDS % 'failed'}")


def verdict_of_checks(run: EndedCommand) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output.

    Unknown where they seem to have passed, and printed an error with its stack.
    """
    verdict = verdict_by_exit_or_output(run)
    return "unknown" if verdict == "passed" and run.printed_error else verdict


def verdict_by_exit_or_output(run: EndedCommand) -> str:
    """The verdict by the exit code where it is the checks' own, else by the output."""
    printed = exit_of_only_check(run) if len(run.checks) == 1 else None
    has_own_exit = run.exit_code is not None and all(check["shows_exit"] for check in run.checks)
    says_failed = bool(own_words_of_failure(run, SAYS_FAILED))
    if printed is None and not has_own_exit:
        return "failed" if run.has_failed or says_failed else verdict_seen(run)
    if strongest(run.checks) in MAY_TEST and ran_nothing(run):
        return "not run"
    exit_code = run.exit_code if printed is None else printed
    if exit_code or fails_with_exit_0(run) or says_failed:
        return "failed"
    is_unclear = is_script_without_totals(run) or own_words_of_failure(run, LOOKS_FAILED)
    return "unknown" if is_unclear else "passed"


def own_words_of_failure(run: EndedCommand, pattern: str) -> str:
    """The first row that says so of a failure, of tests of which no known runner says anything; empty: none does.

    `bash test.sh` exits 0 by its last echo, whatever its rows with ❌ say. Beside a runner's words it is a log's.
    """
    reading = run.reading
    is_of_runner = not reading.is_titled and (reading.tests or reading.passed or reading.seen_passing)
    if is_of_runner or not all(check["family"] == "test" and not check["runner"] for check in run.checks):
        return ""
    return next((row for row in run.text if is_of_failure(re.match(pattern, row))), "")


def is_of_failure(match: re.Match[str] | None) -> bool:
    """Whether the row was matched, and does not count all of its tests as passed."""
    if not match:
        return False
    groups = match.groupdict()
    return groups.get("passed") is None or int(groups["passed"]) < int(groups["all"])


def is_script_without_totals(run: EndedCommand) -> bool:
    """Whether the check is a script that is only called a test, and printed what no runner prints.

    A script that measures exits 0 whatever it measured: of two of these the figures that the session was about stood
    behind "passed". One that prints nothing only asserts.
    """
    is_called_test = all(check["family"] == "test" and not check["runner"] and re.search(SCRIPT_NAME, check["name"])
                         for check in run.checks)
    reading = run.reading
    return is_called_test and bool(run.text) and not (reading.tests or reading.passes or reading.seen_passing
                                                      or reading.passed)


def fails_with_exit_0(run: EndedCommand) -> bool:
    """Whether checks that exited 0 failed all the same: where that says nothing, and a total counts failures."""
    if run.lists_files():
        return True
    may_be_anything = any(not check["runner"] for check in run.checks)
    never_fails = any(option in run.command for option in NEVER_FAILING)
    has_failing_total = run.reading.failures > 0 and bool(run.reading.tests or run.reading.problems)
    return (may_be_anything or never_fails) and has_failing_total


def verdict_seen(run: EndedCommand) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] in MAY_TEST for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        return "unknown" if any(may_hide_runs(check, run) for check in run.checks) else "not run"
    ends_in_error = reading.error_at_end or (reading.none and reading.causes)
    if ends_in_error and not reading.passes:
        return "not run" if "not found" in reading.cause and program_not_started(reading.cause) else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in run.checks if not check["shows_exit"]]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that this check passed."""
    if check["family"] in MAY_TEST and are_tests_seen_to_pass(check, run):
        return True
    if check["family"] == "test" or (check["runner"] == HOOKS and is_cut(check, len(run.lines) + 1)):
        return False
    if runners_that_passed(check, run) or run.reading.problems:
        return True
    count = len(run.text)
    if count:
        return names_silent_program(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def are_tests_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that tests passed, in lines that would have told of a failure as well."""
    reading, count = run.reading, len(run.text)
    # The client leaves out the blank lines at an output's ends.
    if is_cut(check, len(run.lines) + 1, SEVERAL_BINARIES.get(check["runner"], ())):
        return False
    runners = runners_that_passed(check, run) & (OF_TESTS | OF_ALL)
    if reading.has_whole_total or runners - {*ENDS_WITHOUT_COUNT} or (runners and reading.tests):
        return True
    has_seen_some = reading.seen_passing and {*run.text} != {GO_ENDED}
    return bool(reading.tests or has_seen_some) and sees_failures(check, count)


def may_hide_runs(check: Check, run: EndedCommand) -> bool:
    """Whether tests may have run of which a filter kept the rows back.

    Of seven that ran, `cargo test zones | tail` had left other binaries' "0 passed" alone. The client leaves out the
    blank lines at an output's ends.
    """
    if check["runner"] in COUNTING_ALL_AT_END and len(run.checks) == 1:
        return False
    has_several = check["runner"] in SEVERAL_BINARIES
    return is_cut(check, len(run.lines) + 1 if has_several else len(run.text))


def runners_that_passed(check: Check, run: EndedCommand) -> set[str]:
    """The runners whose lines say that something passed; mise's, which end each task, where the last ones were seen."""
    program = check["runner"].partition(" ")[0]
    runners = {runner for runner, _ in run.reading.passed if runner not in WORDS_OF_ANYBODY or runner == program}
    only_tails = all(program_in(text) == "tail" for text in check["filters"])
    is_task = not check["runner"]
    return runners if is_task and only_tails else runners - {"mise"}


def names_silent_program(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    if len(lines) > STARTED_MAX:
        return False
    started = [re.match(COMMAND_STARTED, line) for line in lines]
    last = started[-1] if all(started) else None
    checks = checks_in(last[1]) if last else []
    return bool(checks) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in checks)


def is_passed_before_other_failed(run: EndedCommand) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: EndedCommand) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def exit_of_only_check(run: EndedCommand) -> int | None:
    """The exit code of a line's only check, which it printed, or of which its own is the opposite; else None."""
    typed = run.checks[0]["typed"]
    if not typed.startswith(NEGATION):
        return exit_printed(run)
    is_last = pieces_of(run.command)[-1][0] == typed
    return int(run.exit_code == 0) if is_last and run.exit_code is not None else None


def exit_printed(run: EndedCommand) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    by_words = exit_by_words(run)
    if by_words is not None or not any(name in run.command for name in EXIT_NAMES):
        return by_words
    pieces = pieces_of(run.command)
    for index in range(1, len(pieces)):
        piece = pieces[index][0]
        echo = re.match(ECHOED_EXIT, piece)
        if not echo:
            continue
        is_behind_pipe = index > 1 and pieces[index - 2][1] in PIPES
        if is_behind_pipe and "pipefail" not in run.command and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(echo["before"].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        codes = [match[1] for match in (re.match(pattern, line) for line in run.text) if match]
        if codes:
            return int(codes[-1])
    return None


def exit_by_words(run: EndedCommand) -> int | None:
    """0 or 1 by which of the two words the output has that the command prints by its check's exit code; else None."""
    branches = re.search(WORDS_BY_EXIT, run.command) if "else" in run.command else None
    if not branches or run.checks[0]["filters"]:
        return None
    printed = [name for name in ("passed", "failed") if branches[name].strip() in run.text]
    return int(printed == ["failed"]) if len(printed) == 1 else None


# ==================================================================================================
# record/outputs/telling_rows.py: Of an output the rows that tell how it ended: its last ones, what it says of success or failure, addresses, sums.
# ==================================================================================================

ROWS_BETWEEN, ROW_END = "…", " ⏎ "  # behind a row; a table has bars in its rows
ROWS_LOOKED_AT_MAX = 400  # of an output both ends
ROW_SHARE = 0.6  # of the room: more of it no single row takes where there are others
ROW_LOOKED_AT_CHARACTERS = 600
ANNOUNCED_MAX = 3  # rows behind an error that ends in a colon: the first, and indented ones
MISFITS_MAX = 20  # rows that have no room, in the order of their worth: behind them only worse ones fit
SAME_FORM_MAX = 2  # rows that differ in nothing but numbers, the last ones; others come behind all that say more
# What ended, failed or was made: addresses, sums and commits too.
TELLING_ROW = (
    r"(?i)\b(?:error|errors|err|fail(?:ed|ure|ures|s)?|fatal|panic|denied|refused|rejected|exception|conflict|timed out"
    r"|not found|no such|cannot|could not|unable|done|success(?:ful|fully)?|succeeded|passed|complete[d]?|finished"
    r"|created|uploaded|installed|deployed|published|started|stopped|merged|saved|total)\b|\b(?:active|status):"
    r"|\brestarting \(\d|\bexited \([1-9]"
    r"|https?://\S{4}|\b[0-9a-f]{32,128}\b|^==> |[✅❌✓✔✗✘]|^\s*warning:|\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b")
ERROR_WORDS = (
    "error", "fatal", "panic", "denied", "refused", "rejected", "conflict", "cannot", "could not", "unable", "fail",
    "failed", "failure", "exception", "unhealthy", "crashloopbackoff")
ERROR_ROW = rf"\b(?:{'|'.join(ERROR_WORDS)})\b|^\s*warning:"  # in lower case
HTTP_STATUS = r"(?:< )?HTTP/\d(?:\.\d)? \d{3}\b"  # as curl prints it with -v or -i
HEAD_SIGNS = ("=", "#", "*", "~", "-", "[")  # with which such a row begins: most begin with a letter
HEAD_ROW = r"\s*(?:[=#*~]{2,} ?[^\s=#*~].{0,100}|-{3,} ?[^\s-].{0,100}|# \S.{0,100}|\[[^\]\n]{1,60}\])\s*$"  # of a part
DULL_BEGINS = (  # printed on the way, by how the row begins
    "adding: ", "inflating: ", "extracting: ", "creating: ", "linking: ", "updating: ", "a - ", "Loaded: loaded ",
    "Process: ", "Main PID: ", "Tasks: ", "Memory: ", "CPU: ", "CGroup: ", "Duration: ", "Docs: ", "Drop-In: ",
    "TriggeredBy: ", "Invocation: ", "├", "└", "│", "--- ", "+++ ", "remote: Counting", "remote: Compressing",
    "remote: Enumerating", "remote: Resolving", "remote: Total", "npm notice ", "npm warn ", "npm warning ",
    "run `npm fund`", "platform linux ", "platform darwin ", "platform win32 ", "cachedir: ", "plugins: ",
    "asyncio: mode=", "collecting ... ", "INFO: pip is looking at ", "ERROR: pip's dependency resolver does not ",
    "[notice] ", "Attempting uninstall: ", "Found existing installation: ", "Uninstalling ",
    "Successfully uninstalled ")
DULL_LETTERS = ("x ", "index ", "Get:", "Hit:", "Ign:", "Total ", "remote:")  # of the next those that begin with one
DULL_ROW = (  # the same, by more than its begin
    r"\s*(?:x \S|[●○×] \S{1,80}\.\w{4,7} - |[\])}>,;{(\[ ]{1,4}$|index [0-9a-f]{7,40}\.\."
    r"|(?:(?:Get|Hit|Ign):\d+|Total \d+ \(delta)\b|remote:\s*$"
    r"|\d{1,3}(?:\.\d)?% |[-=*_#~+ ]{4,}$|[-=*_#~+ ^|/\\(){}.,:;'`]{12,}$"  # the last: of a name drawn with signs
    r"|\d+ packages? are looking for funding)")
RULER_SIGNS, BETWEEN_COLUMNS = frozenset("-=:|+ "), ("|", "+")  # of a table of psql, MySQL or Markdown
BETWEEN_CELLS, TABLE_ROWS_MIN = " | ", 3
FIGURES_OF_NAME = r"\s{0,20}[A-Za-z][^\s:]{0,60}(?:[ \t]{1,20}[^\s:]{0,30}\d[^\s:]{0,30}){2,12}\s*$"
DATED_ROW = r"\s{0,9}\[?(\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2} {1,2}\d{1,2})[T ](\d\d):\d\d"  # with day and hour
HOUR_OF_DAY = r"\d[T ]\d\d:"  # in each of these
DATED_ROWS_MIN, HOURS_AGO = 3, 2
PROGRESS_ROW = (  # eight figures before three times, if any: three rows of it stood beside an answer of one
    r"\s*(?:[\d.]{1,6}[kMGTP]?\s{1,9}){8}(?:(?:[\d:]{7,9}|--:--:--)\s{1,9}){3}"
    r"|\s*(?:100|\d\d?)\s{1,9}(?:[\d.]{1,6}[kMGTP]?\s{1,9}){7}\s{12,40}[\d.]{1,6}[kMGTP]?\s*$"
    r"|.{0,400}\[Omitted long (?:matching|context) line\]$"
    r"|\s*[0-9a-f]{12}:? (?:Pulling fs|Waiting|Verifying Checksum|Already exists|Download|Extracting|Pull complete)"
    r"|\s*[\w.-]{1,60} Pulling\s*$"
    r"|\s*% Total {1,9}% Received|\s*Dload +Upload")
DULL_WORDS = (  # the same, as the row's first words: most rows begin with none, and no pattern is compiled for them
    "Compiling", "Downloading", "Downloaded", "Fetching", "Fetched", "Resolving", "Resolved", "Unpacking", "Preparing",
    "Selecting", "Reading", "Building", "Extracting", "Collecting", "Requirement already", "Using cached",
    "Processing triggers", "Setting up", "Receiving objects", "Writing objects", "Counting objects",
    "Compressing objects", "Enumerating objects", "Delta compression", "Updating files", "Filtering content", "Pulling",
    "Pulled", "Progress: resolved", "Copying",
    "Warning: Permanently added")


def telling_rows(rows: Sequence[str], limit: int, is_listing: bool = False) -> str:
    """The rows on one line, at most `limit` UTF-16 units: of more the last ones and those that tell how it ended.

    Of a listing and of a table the first rows come before those in their middle, of other outputs the later ones.
    Longer where no row fits: what is not redacted yet is cut nowhere else than at a blank.
    """
    is_listing = is_table(rows) or (is_listing and not is_dated_log(rows))
    rows = [row for row in rows if row.strip() and not is_progress(row) and not is_ruler(row)]
    whole = ROW_END.join(" ".join(row.split()) for row in rows)
    if units(whole) <= limit:
        return whole
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 4], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX * 3 // 4:]]
    most = int(limit * ROW_SHARE)
    groups = [shortened_row(row, most) for row in with_what_follows(rows)]
    heads = indexes_of_heads(groups)
    chosen, misfits = set[int](), 0
    for index in by_worth(groups, is_listing):
        with_head = {*chosen, index, heads[index]} - {-1}
        if units(in_a_row(groups, with_head)) <= limit:
            chosen = with_head
        else:
            misfits += 1
            if misfits > MISFITS_MAX:
                break
    return in_a_row(groups, chosen) or whole


def is_table(rows: Sequence[str]) -> bool:
    """Whether most rows are of a table: their order says something, as the newest or the largest comes first."""
    in_cells = sum(BETWEEN_CELLS in row for row in rows)
    names = {re.sub(r"\d", "", row.split(maxsplit=1)[0]) for row in rows if re.match(FIGURES_OF_NAME, row)}
    return any(count >= TABLE_ROWS_MIN and count * 2 > len(rows) for count in (in_cells, len(names)))


def is_dated_log(rows: Sequence[str]) -> bool:
    """Whether most rows begin with a day and an hour, the newest at the end."""
    hours = hours_of_log(rows)
    return len(hours) >= DATED_ROWS_MIN and len(hours) * 2 > len(rows)


def hours_of_log(rows: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Day and hour of the rows that begin with them, by index; none where, by their letters, the newest is not last."""
    if not re.search(HOUR_OF_DAY, "\n".join(rows)):
        return {}  # as of most outputs: to look into each row took a twentieth of a first save
    stamps = {index: re.match(DATED_ROW, row) for index, row in enumerate(rows) if row.partition(":")[2][:1].isdigit()}
    hours = {index: (stamp[1], int(stamp[2])) for index, stamp in stamps.items() if stamp}
    in_order = [*hours.values()]
    return hours if in_order[:1] <= in_order[-1:] else {}


def indexes_of_earlier_hours(rows: Sequence[str]) -> set[int]:
    """The indexes of a log's rows that were written hours before its last one: they tell nothing of how it is now.

    A failure of the night had stood for a service that had been started anew since.
    """
    hours = hours_of_log(rows)
    day, hour = [*hours.values()][-1] if hours else ("", 0)
    return {index for index, (other, at) in hours.items() if other != day or hour - at >= HOURS_AGO}


def is_ruler(row: str) -> bool:
    """Whether the row only parts a table's head from its rows."""
    return "--" in row and RULER_SIGNS.issuperset(row) and holds_any(row, BETWEEN_COLUMNS)


def is_progress(row: str) -> bool:
    """Whether the row is one of curl's meter or of its two headings, of a layer that Docker fetches, or a search's hit
    that was too long to show.
    """
    return re.match(PROGRESS_ROW, row) is not None


def shortened_row(row: str, most: int) -> str:
    """The row; of a longer one the whole words that fit, of a single long word all."""
    words = whole_words(row, most)
    return row if words in ("", row) else f"{words} {ROWS_BETWEEN}"


def with_what_follows(rows: Sequence[str]) -> list[str]:
    """The rows, of which one that says an error and ends in a colon has the rows that it announces behind it."""
    groups, announced = list[str](), 0
    for row in rows:
        if announced and groups and (announced == ANNOUNCED_MAX or row[:1].isspace()):
            groups[-1] += f" {' '.join(row.split())}"
            announced -= 1
            continue
        groups.append(" ".join(row.split()))
        is_announcing = row.rstrip().endswith(":") and says_error(row[:ROW_LOOKED_AT_CHARACTERS])
        announced = ANNOUNCED_MAX if is_announcing else 0
    return groups


def by_worth(rows: Sequence[str], is_listing: bool) -> list[int]:
    """The indexes of the rows, those first that say most; no row twice, and dull ones only where there are no others.

    First the last row, then errors and how a server answered, then the first row and those that tell how it ended, then
    others; behind them rows that stood again later with other numbers, or that a log has of hours before. Of rows that
    say as much the later ones come first; errors keep their order. The rows of a listing keep theirs, its last one too,
    behind how a server answered: a search for a file
    had come back without its first hit, which was the file.
    """
    rows = [row[:ROW_LOOKED_AT_CHARACTERS] for row in rows]
    latest_first = indexes_of_different(rows)
    speaking = [index for index in latest_first if not is_dull(rows[index])]
    overtaken = set[int]() if is_listing else indexes_of_earlier_hours(rows) | indexes_of_repeated_forms(rows)
    last = next((index for index in speaking if index not in overtaken), None)

    def rank(index: int) -> tuple[int, int]:
        """Lower for rows that say more, then for those that come first among their like."""
        if index in overtaken:
            return 4, -index
        if index == last and not is_listing:
            return 0, index
        if re.match(HTTP_STATUS, rows[index]):
            return 1, index
        if is_listing:
            return 2, index
        if says_error(rows[index]):
            return 1, index
        is_telling = not index or re.search(TELLING_ROW, rows[index])
        return 2 if is_telling else 3, -index
    return sorted(speaking, key=rank) or latest_first


def indexes_of_different(rows: Sequence[str]) -> list[int]:
    """The indexes of the rows, of equal ones the last one's; from the last row to the first, without marks of a gap."""
    indexes = dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        indexes.setdefault(rows[index], index)
    return [index for row, index in indexes.items() if row != ROWS_BETWEEN]


def indexes_of_repeated_forms(rows: Sequence[str]) -> set[int]:
    """The indexes of rows behind which SAME_FORM_MAX others stand that differ in nothing but numbers."""
    indexes, behind = set[int](), dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        form = re.sub(r"\d+", "0", rows[index])
        if behind.get(form, 0) >= SAME_FORM_MAX:
            indexes.add(index)
        behind[form] = behind.get(form, 0) + 1
    return indexes


def is_dull(row: str) -> bool:
    """Whether the row was printed on the way, by its begin, and says no error."""
    begin = row.lstrip()
    is_word = begin.startswith(DULL_WORDS) and re.match(rf"(?:{'|'.join(DULL_WORDS)})\b", begin)
    may_fit = not begin[:1].isalpha() or begin.startswith(DULL_LETTERS)
    is_on_the_way = is_word or begin.startswith(DULL_BEGINS) or (may_fit and re.match(DULL_ROW, row))
    return bool(is_on_the_way) and not says_error(row)


def says_error(text: str) -> bool:
    """Whether a row says an error, or begins as a warning; most rows have none of these words."""
    lowered = text.lower()
    may_say = holds_any(lowered, (*ERROR_WORDS, "warning:"))
    return may_say and re.search(ERROR_ROW, lowered) is not None


def indexes_of_heads(rows: Sequence[str]) -> list[int]:
    """Of each row the index of the heading that it stands under, -1 without one: under another it would be false.

    In an output of several parts ("=== 788406 ===") the figures of one had stood below the name of another.
    """
    heads, head = list[int](), -1
    for index, row in enumerate(rows):
        head = index if row.lstrip().startswith(HEAD_SIGNS) and re.match(HEAD_ROW, row) else head
        heads.append(head)
    return heads


def in_a_row(rows: Sequence[str], indexes: Collection[int]) -> str:
    """The rows at these indexes in their order on one line, with a mark where others lie between."""
    parts, before = list[str](), -1
    for index in sorted(indexes):
        parts += [ROWS_BETWEEN] * (index > before + 1) + [rows[index]]
        before = index
    return ROW_END.join([*parts, *([ROWS_BETWEEN] if parts and before < len(rows) - 1 else [])])


# ==================================================================================================
# record/outcomes/outcome.py: How a command ended, by its exit code and by what its output says: the one vocabulary of results.
# ==================================================================================================

PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
EXITS_OF_CUT_PIPES = (141, 255)  # of a shell; of PowerShell
TAKES_FIRST_ROWS = r"(?i)\|\s{0,3}(?:head|select(?:-object)? -first)\b"
OWN_BEHIND_TOTAL = (  # what a runner of tests fails for behind a total without failures
    r"(?i)coverage|threshold|unhandled|uncaught|tests? failed|script [`\"']?test|teardown|worker|leak|open handle|hook")
TIMED_OUT = 124  # a shell's exit code
LASTING_FIELDS = ("commit", "branch", "subject", "took_in", "commits_before", "pushed", "remark")
COUNTED_WARNINGS = r"(?i)(?:^|[\s(:,])[1-9]\d{0,5} (?:\w{1,20} )?warnings?\b"
# Signs behind a command that let the line go on whether or not it failed.
GOING_ON = frozenset((";", "||", "\n", "&"))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": ""}
    end = end_by_client(output, is_error, exit_code)
    if end["is_refused"]:
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(end["output"])])}
    background = name_in_background(end["output"])
    if background:
        return {**outcome, "verdict": "running", "line": f"in the background: {background}"}
    run = EndedCommand(command, checks, end["output"], end["exit_code"])
    if 0 < run.reading.packages == run.reading.cached:
        outcome["is_cached"] = True
    of_git = git_outcome(run)
    if stopped := end["stopped"] or kill_of_itself(command, end["output"], end["exit_code"]):
        return stopped_outcome(run, {**outcome, **commit_and_push_of(of_git)}, stopped)
    outcome.update(of_git)
    counted = vulnerabilities_counted(run)
    if counted:
        return outcome_with_audit(run, outcome, counted)
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def outcome_with_audit(run: EndedCommand, outcome: Outcome, counted: str) -> Outcome:
    """How a command ended in which an audit counted vulnerabilities: that it exits 1 as there are some is no failure.

    Of checks beside one that is not the line's last command nobody knows whether they were run.
    """
    has_some = bool(run.is_error) and re.match(COUNTS_SOME, counted) is not None
    if has_some and ends_in_audit(run.command):
        run = EndedCommand(run.command, run.checks, "\n".join(run.lines), 0)
    elif has_some and run.checks:
        return {**outcome, "line": counted}
    if run.checks:
        of_checks = outcome_of_checks(run, outcome)
        return {**of_checks, "line": joined_line([of_checks["line"], counted])}
    outcome = {**outcome, "line": joined_line([outcome["line"], counted])}
    if ends_in_audit(run.command) and outcome["family"] != "git":
        outcome["family"] = AUDIT
    return outcome_of_other(run, outcome)


def commit_and_push_of(of_git: Outcome) -> Outcome:
    """Of what git said that which stays true when the command was stopped later."""
    lasting: Any = {name: value for name, value in of_git.items() if name in LASTING_FIELDS}
    kept: Outcome = lasting
    return kept


def stopped_outcome(run: EndedCommand, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen, and as stopped, though it still had its
    port: the tool's limit need not end what listens.
    """
    reading, printed = run.reading, ""
    if run.checks and (reading.tests or run.has_failed):
        names = names_in_line(unique_names(reading.failed_names), reading.tests)
        printed = joined_line([*short_totals(reading.tests)[-2:], names])
    printed = printed or rows_until_stopped(run.text)
    if stopped.startswith(LIMIT_REACHED) and port_seen("", "\n".join(run.text)):
        stopped = f"the tool stopped waiting{stopped.removeprefix(LIMIT_REACHED)}; whether it still runs is not known"
    return {**outcome, "verdict": "stopped", "line": f"{stopped}{HAD_PRINTED}{printed})" if printed else stopped}


def rows_until_stopped(text: Sequence[str]) -> str:
    """Telling rows of what a command had printed, and its last one always: there it stood when it was stopped."""
    shown = cut_words(telling_rows(text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    last = cut_words("".join(text[-1:]), PRINTED_BEFORE_UTF16 // 2)
    if last in shown:
        return shown
    room = PRINTED_BEFORE_UTF16 - units(last)
    return f"{cut_words(telling_rows(text[:-1], room), room)}{ROW_END}{last}"


def outcome_of_checks(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    lost = "" if reading.tests or run.has_failed else lost_output(run)
    if lost and not never_started(run, "unknown"):
        return {**outcome, "cause": lost, "line": lost}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        return outcome_not_run(outcome, cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16))
    has_others = len(pieces_of(run.command)) > len(checks)
    if run.is_error and has_others and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    unknown = "" if reading.tests else never_started(run, verdict)
    if unknown:
        return outcome_not_run(outcome, unknown)
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    if outcome["family"] == ANY_CHECK and shows_own_tests(run, verdict):
        outcome = {**outcome, "family": "test"}
    return outcome_with_line(run, outcome, verdict)


def shows_own_tests(run: EndedCommand, verdict: str) -> bool:
    """Whether the output has tests to which the verdict belongs: not where they passed, and what came behind failed."""
    tests = run.reading.tests
    return any(sum_of(FAILURE_COUNTS, line) for line in tests) if verdict == "failed" else bool(tests)


def outcome_not_run(outcome: Outcome, cause: str) -> Outcome:
    """The outcome of checks that were never started, for this cause."""
    return {**outcome, "verdict": "not run", "cause": cause, "line": cause}


def failing_family(run: EndedCommand) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in failing if not check["shows_exit"]]
        failing = hidden or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.failed_names or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing_behind_tests(run, failing) or failing)


def failing_behind_tests(run: EndedCommand, failing: Sequence[Check]) -> list[Check]:
    """The checks that failed behind tests whose total says that all passed; none where that is not certain.

    Of `cargo test && cargo clippy && cargo fmt --check` the tests stood as failed, whose total said "0 failed", as a
    file was not formatted. A runner fails behind a clean total too, for its coverage or an error outside of its tests.
    """
    reading = run.reading
    behind = [*failing[1:]]
    if not behind or failing[0]["family"] not in MAY_TEST:
        return []
    if not all(check["shows_exit"] and check["family"] not in MAY_TEST for check in behind):
        return []
    has_clean_total = bool(reading.tests) and not any(sum_of(FAILURE_COUNTS, row) for row in reading.tests)
    runners = {runner for runner, _ in reading.failing_behind}
    if not has_clean_total or not runners or not runners.isdisjoint(OF_TESTS):
        return []
    if any(re.search(OWN_BEHIND_TOTAL, row) for _, row in reading.failing_behind):
        return []
    return [check for check in behind if check["runner"] in runners] or behind


def outcome_of_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error and not is_cut_off(run):
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {*PIPES}) and "pipefail" not in run.command
    passed = run.reading.passed
    success = passed[-1][1] if passed and outcome["family"] else ""
    may_hide_failure = has_pipe or bool(signs & GOING_ON)
    if may_hide_failure and not success and not is_made_good(run) and shows_failure(run, outcome):
        return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def is_cut_off(run: EndedCommand) -> bool:
    """Whether the command ended as what stood behind its pipe had read enough, which is no failure."""
    return run.exit_code in EXITS_OF_CUT_PIPES and re.search(TAKES_FIRST_ROWS, run.command) is not None


def shows_failure(run: EndedCommand, outcome: Outcome) -> bool:
    """Whether the output says that a command failed that is no check; of an unknown one a traceback alone does."""
    reading = run.reading
    is_known = bool(outcome["family"]) or "traceback" in reading.causes
    return (bool(outcome["cause"]) or (is_known and reading.error_at_end)
            or (outcome["family"] == "git" and reading.failed))


def failed_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    said, parts = names_of_failed(reading), list[str]()
    names = said.get("failed_names", ())
    if names:
        parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)]
    else:
        cause = cause or said_best(run.text)
    line = outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"
    verdict = "not run" if run.exit_code in NOT_STARTED else "failed"
    return {**outcome, **said, "line": line, "verdict": verdict, "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def outcome_with_line(run: EndedCommand, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    cause = ""
    if verdict == "failed":
        outcome = {**outcome, **names_of_failed(reading)}
        cause = reading.cause
        if len(run.checks) > 1 and lacking_in(run.command, cause):  # of the one that is not there; another has failed
            cause = ""
        cause = cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        parts = failed_parts(run, outcome.get("failed_names", []), cause)
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, row_of_warnings(run.lines), "" if run.is_error else "exit 0"]
        if reading.error_at_end and not reading.tests:  # a bundler's "✓ built" had hidden it
            parts.append(f"it also printed: {reading.cause}")
    elif verdict == "not run":
        cause = reading.cause
        row = total_in_short(reading.none[-1]) if reading.none else last_said(run.text)
        if reading.none and outcome["family"] == "test" and not cause:
            outcome, row = {**outcome, "met_no_test": True}, f"no test ran: {row}"
        parts = [cause or row]
    elif run.printed_error:
        parts = [f"{BUT_PRINTED}{run.printed_error}"]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts = parts or rows_without_count(reading)
        parts.append(own_words_of_failure(run, LOOKS_FAILED))
        if run.exit_code is not None:
            parts.append(f"exit {run.exit_code} of `{ending_program(run.command)}`")
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def row_of_warnings(lines: Sequence[str]) -> str:
    """The first row that counts warnings of what passed; empty for none: "passed" alone had hidden two."""
    if "arning" not in "\n".join(lines):  # as in most: then no row is looked at
        return ""
    return next((row.strip() for row in lines if "arning" in row and re.search(COUNTED_WARNINGS, row)), "")


def failed_parts(run: EndedCommand, names: Sequence[str], cause: str) -> list[str]:
    """What is said of checks that failed: totals, names, the cause; else the line that tells most."""
    reading = run.reading
    tests = reading.tests
    if sum(check["family"] in MAY_TEST for check in run.checks) > 1:  # a total without failures is another run's
        tests = [line for line in tests if sum_of(FAILURE_COUNTS, line)]
    clean = [line for _, line in reading.passed] if names else ()  # of another than what failed
    problems = [line for line in reading.problems if line not in clean]
    totals = [line for line in [*tests, *problems] if not line.startswith("ok ")]  # Go's, of packages
    parts = [*short_totals(totals)[-2:], names_in_line(names, reading.tests), cause]
    own_words = own_words_of_failure(run, SAYS_FAILED) or own_words_of_failure(run, LOOKS_FAILED)
    if any(parts):
        return [*parts, own_words] if reading.is_titled else parts
    return [reading.failing_line or own_words or said_best(run.text) or f"exit {run.exit_code or 1}"]


# ==================================================================================================
# record/outputs/diff_rows.py: Of a diff that a command printed the changed rows below the file's name: the rows around them say nothing of it.
# ==================================================================================================

HUNK_HEAD = r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@"  # how many rows of either side follow


def has_diff(output: str) -> bool:
    """Whether a row of the output is the head of a diff's hunk."""
    return "@@ -" in output and re.search(rf"^{HUNK_HEAD}", output, re.MULTILINE) is not None


# ==================================================================================================
# record/outputs/search_hits.py: What a search printed: its hits, as `path:line: code`, `path: code` or paths.
# ==================================================================================================

SEARCH_HITS_MAX = 40  # of one search
HIT_MAX_CHARACTERS = 160
HITS_LOOKED_AT_MAX = 2_000
NO_HITS = r"\s{0,9}(?:No (?:matches|files|results)\b|0 (?:matches|results)\b)"
HIT_WITH_LOCATION = r"((?:[A-Za-z]:)?[^:\n\t]{1,300}?):(\d{1,7}):(.*)"
# With an ending, or a folder and no blank: a log's `10.0.0.1 - - [23/Mar/2026 17:37:59]` is no hit in a file.
LOOKS_LIKE_PATH = r".{0,300}\.[A-Za-z]\w{0,19}$|[^\s/]{0,300}/\S{0,300}$"
HIT_IN_FILE = r"(\d{1,7}):(.*)"
HIT_WITH_PATH = r"((?:[\w.@+~-]{1,80}/){0,30}[\w.@+-]{1,80}\.[A-Za-z]\w{0,7}):(.*)"
HIT_PATH = r"(?:[\w.@+~()\[\] -]{0,80}/){0,30}[\w.@+()\[\]-]{1,120}$"
HIT_LOOKED_AT_CHARACTERS = 620  # of a line: its path, and twice what is kept
NO_HIT_LINES = ("Found ", "(", "[Showing ")  # what the client's search says of its hits
FILES_MET = r"Found \d{1,7} files?\b"


def search_hits(output: str, path: str = "") -> list[str]:
    """What a search printed, as `path:line: code`, `path: code` or paths; `path` is where it looked, if in one file.

    As `chosen_hits` has them, none longer than HIT_MAX_CHARACTERS; lines of context are left out.
    """
    return [at_blank(hit, HIT_MAX_CHARACTERS) for hit in chosen_hits(hits_met(output, path))]


def hits_met(output: str, path: str) -> list[tuple[str, str]]:
    """The path of each hit that is known by its form, and the hit as it is told; beside located ones no other lines."""
    if re.match(NO_HITS, output) or has_diff(output):  # the heads of a diff's files were taken for hits
        return []
    file = path if "." in file_name(path) else ""
    if re.match(FILES_MET, output):
        output = output.replace("\\", "/")
    hits = [(path, hit if len(line) <= HIT_LOOKED_AT_CHARACTERS else at_blank(hit, len(hit) - 1))
            for line in output.splitlines()[:HITS_LOOKED_AT_MAX]
            for path, hit in hits_of_line(line[:HIT_LOOKED_AT_CHARACTERS], file)]
    located = [(path, hit) for path, hit in hits if path != hit]  # beside these the others are lines of context
    return located or hits


def hits_of_line(text: str, file: str) -> list[tuple[str, str]]:
    """The path of the hit that a line is, and the hit as it is told, at most one; `file` is that which was searched."""
    if ":" in text:
        in_file = re.match(HIT_IN_FILE, text) if file else None
        if in_file:
            return [(file, f"{file}:{in_file[1]}: {in_file[2].strip()}")]
        with_location = re.match(HIT_WITH_LOCATION, text)
        if with_location and "." in with_location[1] and re.match(LOOKS_LIKE_PATH, with_location[1]):
            path, line, code = with_location.groups()
            return [(path, f"{path}:{line}: {code.strip()}")]
        with_path = re.match(HIT_WITH_PATH, text)
        if with_path:
            return [(with_path[1], f"{with_path[1]}: {with_path[2].strip()}")]
    may_be_path = "/" in text or "." in text
    if may_be_path and re.match(HIT_PATH, text) and not text.startswith(NO_HIT_LINES):
        return [(text.strip(), text.strip())]
    return []


def chosen_hits(hits: Sequence[tuple[str, str]]) -> list[str]:
    """At most SEARCH_HITS_MAX of the hits, in their order: the first of each file before the second of any."""
    if len(hits) <= SEARCH_HITS_MAX:
        return [hit for _, hit in hits]
    seen, ranks = dict[str, int](), list[tuple[int, int]]()  # ranks: which hit of its file, and its index
    for index, (path, _) in enumerate(hits):
        seen[path] = seen.get(path, 0) + 1
        ranks.append((seen[path], index))
    chosen = sorted(index for _, index in sorted(ranks)[:SEARCH_HITS_MAX])
    return [hits[index][1] for index in chosen]


# ==================================================================================================
# text/secret_patterns.py: What secrets look like: tokens by how they begin or are built, passwords by the words before them.
# ==================================================================================================

PREFIXES = (  # what begins so is a token
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- "
    "glffct- GR1348941 ATBB ATATT3 ATCTT3 xoxa- xoxb- xoxe- xoxe. xoxp- xoxr- xoxs- xapp- sk-ant- sk-proj- "
    "sk-svcacct- sk-admin- sk-or-v1- sk-lf- rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- 1//0 1%2F%2F0 pypi-AgE dop_v1_ "
    "doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ lin_api_ hvs. hvb. AGE-SECRET-KEY-1 eyJ dp.pt. dp.st. figd_ xai- "
    "pplx- ntn_ PMAK- dckr_pat_ dckr_oat_ sb_secret_ glsa_ nvapi- tvly- pcsk_ lsv2_ tgp_v1_ ABSK fo1_ fm2_ HRKU- "
    "pscale_tkn_ pscale_pw_ pscale_oauth_ tskey- CCIPAT_ sgp_ AQVN y0_Ag sq0csp- sq0atp- rzp_live_ xkeysib- NRAK- "
    "NRII- dt0c01. sntryu_ sha256~").split()
UNBROKEN = (  # what begins so may be a name too (`npm_config_x`); a token's body has no joints, but digits or capitals
    "sk- sk_ sk_live_ sk_test_ pk_live_ npm_ hf_ api_org_ gsk_ r8_ fw_ csk- jina_ fc- sbp_ napi_ rnd_ nfp_ cfut_ cfat_ "
    "vcp_ sqp_ squ_ sqa_ bkua_ pul- rubygems_ CLOJARS_ phx_ rdme_ pnu_ sntrys_ key- dapi oy2 cio AKCp cmVmd LTAI AKID "
    "AKIA ASIA API- 4b1d EZAK").split()
BUILT = (  # by shape, of which a piece must occur; the rest of the token follows
    (".atlasv1.", r"\w{14}\.atlasv1\."), ("SG.", r"SG\.[\w-]{16,}\."), ("AA", r"\d{8,10}(?::|%3A)AA"),
    ("Q~", r"[\w~.]{3}\dQ~"), ("-us", r"[\da-f]{32}-us(?=\d)"), ("EAAA", r"EAAA(?=\S{50})"),
    ("re_", r"re_\w{8}_(?=\w{20})"), ("tfp_", r"tfp_(?=\S{40})"), ("v1.0-", r"v1\.0-[\da-f]{24}-"),
    ("pat", r"pat\w{14}\.(?=\w{64})"), ("A3-", r"A3-[A-Z\d]{6}-"),
    ("sdk-", r"sdk-(?=[\da-f]{8}-[\da-f-]{27})"), ("access-", r"access-\w+-(?=[\da-f]{8}-[\da-f-]{27})"),
    ("MT", r"MT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("NT", r"NT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("OT", r"OT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("SK", r"SK(?=[\da-f]{32}(?!\w))"),  # words in capitals begin so, too
    ("$2", r"\$2[abxy]\$\d\d\$"), ("$6$", r"\$6\$"),
    ("$argon2", r"\$argon2\w{1,2}\$(?:[\w=,]+\$)+"))
LEAST = {"pat": 82, "MT": 59, "NT": 59, "OT": 59, "-us": 36, "re_": 32, "SK": 34}  # characters: words are full of these
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])(?:sig|key(?==(?=\w{0,60}\d)\w{20})))|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
# A test's verdict, no name of a password: `--- PASS: TestA/b (0.1s)`, `| PASS | mode=3 against the baseline`. Of others
# than Go's tests only where a short plain number stands behind a name, with words behind it in the same row.
TEST_VERDICT = (r"(?-i:(?<!\w)PASS)[*_`]{0,3}(?:: (?-i:Test)[A-Z]\w*(?:/\S*)? \(\d"
           r"|(?::|[^\S\n]?\|)[^\S\n]{1,5}(?!\w{0,9}(?:pin|code|pw|pass|key|token|secret|user|login|admin|root|auth|sig))"
           r"[a-z]\w{1,15}=\d{1,4}(?:\.\d{1,6})?[,;]?[^\S\n]{1,3}[^\s|\d(])")
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
TYPE_NAMES = (  # of a signature; in quotes they are a value
    r"(?:(?:Uint|Int|Float|BigInt|BigUint)\d{1,2}(?:Clamped)?Array|ArrayBuffer|CryptoKey|string|number|boolean|bytes"
    r"|Buffer)(?=[\s;,)\]}|>`]|\Z)")
FROM_ENVIRONMENT = (  # asked for by a name
    r"(?:process\.env\.\w|import\.meta\.env\.\w|os\.(?:environ|getenv)\b|Deno\.env\.|System\.getenv\()")
PLACEHOLDER = (  # of an example, which is to be filled in: your_api_key_here
    r"(?:your(?:[_-][a-z]{1,12}){0,6}?[_-](?:key|token|secret|password|passphrase|here)"
    r"|(?:test|fake|dummy|mock)(?:[_-](?:api|app|access|auth|secret))?[_-](?:key|token)|x{3,})"  # of a test; masked
    r"(?![\w.!@#$%^&*+/=-])")
PLACEHOLDER_IN_URL = (  # as .env.example has it; behind it no second `@`, before which more of a value would stand
    r"(?:<[A-Z_]{0,20}(?:PASS|PASSWORD|SECRET|TOKEN|KEY|USER)>|\$\{[A-Z_]{1,40}\})@(?![^\s/'\"]*@)")
CODE_LOCATION = r"[\w@-][\w@.-]{0,40}(?:/[\w@-]{1,60}){1,9}(?:\.[a-z]{1,5}){1,3}:\d{1,6}(?![\w:/@.-])"  # src/a2.ts:84
# `"next-auth": "^4.24.5"`, `google-auth==2.23.4`: what a package needs.
VERSIONS = r"(?:[\^~]|[<>=!~]=?)\s?\d{1,5}(?:\.\d{1,5}){1,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?=[\s\"'`,;\\]|\Z)"
NEVER = (  # no value, or a location
    rf"(?!\[redacted|[$<*{{(%]|(?:\.\.\.|…)(?=[\s\"'`,;)\]}}<]|\Z)|{PLACEHOLDER}|{CODE_LOCATION}|{VERSIONS}|(?:true|false|null|same-origin)\b|{TYPE_NAMES}|{FROM_ENVIRONMENT}|(?:password|token)[\"'`])")
QUOTE = r"\\*[\"'`]"  # in JSON in JSON too
# What a search, a listing, a diff or a quotation puts before a line: `a.yml:4:`, `a.yml-4-`, `4→`, `+`. Behind it the
# value stands that the line above names. In the gap itself it is no value, unless nothing but it stands there.
LINE_HEAD = (r"(?:(?!\\|\[redacted)(?:[A-Za-z]:)?(?=[^\s:]{0,120}[./\\])[^\s:]{1,120}?"
             r"(?::(?:\d{1,7}:)?|-\d{1,7}-|\.\w{1,5}-)(?=[^\S\n])|\d{1,7}(?:[:→-]|\s?[│|]|\t)|[+>-](?!\S))")
PLAIN_GAP = r"(?:\s|\\+[nrt]){0,9}"
GAP = (rf"(?:(?:[^\S\n]|\\+[rt]){{0,9}}|{PLAIN_GAP}(?!{LINE_HEAD}[^\S\n]{{1,40}}\S)"
       rf"|[^\S\n]{{0,9}}(?:\r?\n|\\+n)[^\S\n]{{0,9}}{LINE_HEAD}[^\S\n]{{0,40}})")
IS = r"(?:is|ist|lautet|est|es|é|è|jest)"
# What stands behind one of NAMES wherever a value follows it, of a text in lower case without backslashes: an equals
# sign, another sign and a quotation mark or a number; a verb or nothing, and a number. NAME_END is the name's rest.
NAME_END = r"(?:w(?:or)?[dt]|phrase|code|[eds]|nature)?(?:_(?:key|base|value)){0,2}"
GAP_BEHIND = rf"[\snrt]{{0,9}}(?:{LINE_HEAD}\s{{0,40}})?"
BEHIND_NAME = (
    rf"{NAME_END}(?:[\"'`*_\])]{{0,3}}[\snrt]{{0,9}}(?::?=|%3d|(?::|->){GAP_BEHIND}[\"'`]|>[^<>\s]{{4}}"
    rf"|[:|][*_]{{0,2}}[\snrt]{{0,9}}(?:[|>][-+]?)?{GAP_BEHIND}(?:```|[\"'`]?[^\s\[]{{0,61}}\d))"
    r"|[^\S\n]`[^\s`]*\d|[\"'`](?:, ?| value=)[\"'`][^\s\[]{0,61}\d|\s+')")
BEHIND_SPOKEN = (
    rf"{NAME_END}(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}[^\S\n]{{1,3}}{IS}"
    r"(?::[*_]{0,2}[\snrt]{0,9}(?:```\w{0,12}[\snrt]{0,9})?|[^\S\n]{1,2})| to "
    r"|[^\S\n]?[是は为：:][^\S\n]?|[^\S\n])(?=[^\s\[]{0,61}\d)")
BEHIND_OPTION, OPTION_BEFORE = rf"{NAME_END} ", r"(?<!\w)-(?:\w[-\w ]*)?\Z"
KEY_OWNERS = ("api", "access", "account", "private", "auth", "signing", "encryption")
SEEN_BEFORE_CHARACTERS, SEEN_BEHIND_CHARACTERS = 70, 600  # of a name: an option's words; backslashes among them
LIKELY = r"(?=[^\s\[]{0,60}\d)(?=[^\s\[]{6})"  # what stands behind a colon may be a sentence
UNLIKELY = (r"(?!\[redacted|[$<*{(%]|\w+\(|\S+\.[a-z]{1,5}\b|v?\d+\.\d|\S*://"  # a call, file, version, address
            r"|(?:sha|md|base|utf|argon|hmac|aes|rsa|[rhe]s|oauth|http|bcrypt|pbkdf)-?\d{1,4}\b)")


def first_of(words: Iterable[str]) -> str:
    """A look at the first letter of these words, ten times as fast as a look for each of them."""
    return f"(?=[{''.join(sorted({word[0] for word in words}))}])"


SECRETS = (  # kind, words of which one must occur before they are tried (in any case with (?i)), patterns
    ("private key", ("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines"),  # whole or torn; as base64; of PuTTY
     r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|\Z)"
     r"|(?:LS0tLS1CRUdJTi|Private-Lines: \d)[\w+/=]*(?:(?:\s|\\n)+[\w+/]{16,}=*)*"),
    ("private key", ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),  # its end alone
     r"(?<![\w+/=])(?:[\w+/]{32,}=*(?:\s|\\n)+){1,60}(?:[\w+/]+=*(?:\s|\\n)+){0,2}"
     r"-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----"),
    ("webhook", ("webhook", "slack"),
     r"(?P<keep>(?:slack\.com(?:/|%2F)\w+?|webhooks|webhookb2)(?:/|%2F))[\w@%-]+(?:/|%2F)(?:\w+(?:/|%2F))?"
     r"[\w-]{16,}(?:(?:/|%2F)[\w-]{16,})*"),
    ("token", PREFIXES,
     rf"{first_of(PREFIXES)}{ALONE}(?:{'|'.join(PREFIXES).replace('.', '[.]')})(?:[\w.=+/-]|%[23][\dA-F]){{15,}}[\w=]"),
    ("token", UNBROKEN,
     rf"{first_of(UNBROKEN)}{ALONE}(?:{'|'.join(UNBROKEN)})"
     r"(?=\w{0,40}(?:\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]{16,}[\w=-]*"),
    ("token", tuple(piece for piece, _ in BUILT),
     rf"{ALONE}(?:{'|'.join(shape for _, shape in BUILT)})[\w.~=+/$-]*[\w=~]"),
    ("url password", ("://",),
     rf"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted|{PLACEHOLDER_IN_URL})(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{{16,}})(?=@)"),
    ("authorization", ("bearer", "basic", "authorization"),
     r"(?i)(?P<keep>authorization\\*[\"']?\s?[:=]\s?\\*[\"']?(?:[A-Za-z-]{2,16} +)?(?=\S{12})"
     r"|\b(?:bearer|basic) +(?=\S{0,60}\d)(?=\S{12}))(?!\[redacted|[$<*{(%])[^\s\"',;\\]{8,}"),
    ("authorization", ("SSWS 00",), rf"(?P<keep>{ALONE}SSWS )00[\w-]{{18,}}"),  # of Okta
    ("cookie", ("cookie",),
     r"(?i)(?P<keep>cookie\\*[\"']?\s?[:=]\s?\\*[\"']?)(?=[\w.-]+=)(?:[\w.-]+=[^\s;\"']+;?[^\S\n]?)+"),
    ("password", ("curl ", "sshpass ", "mysql", "login", "redis-cli", "mongo", "sqlcmd", "ldap", "htpasswd", "http ",
                  "pass:", "SecureString"),
     r"(?=[-Cchlmrs])(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
     r"|sshpass -p ?|mysql[^\n]{0,99}? -p|(?:\b|(?<=\\[nrt]))(?:login|mongo\w{0,9})\b[^\n]{0,200}? -p "
     r"|(?:\b|(?<=\\[nrt]))(?:redis-cli|sqlcmd|ldap\w{1,9})\b[^\n]{0,200}? -[aPw] |htpasswd -\w*b\w* \S+ \S+ "
     r"|-pass(?:in|out)? [\"']?pass:|ConvertTo-SecureString(?: -String)? )"
     r"(?:\\*[\"'])?(?!\[redacted|\$)[^\s\"'\\]{4,}"),
    ("password", (" login", "-stdin", "chpasswd", "sudo -S"),  # echo … | sudo -S, its end may be cut off
     r"(?P<keep>(?:echo|printf) (?:-n )?[\"']?(?:\w+:)?)(?!\[redacted|\$)[^\s\"':]{4,}"
     r"(?=[^\n|]{0,9}\| *(?:sudo -S|chpasswd|(?:[\w-]+ ){1,3}login(?![\w.])|[^\n|]{0,200}--password-stdin))"),
    ("password", ("` /", "ogin with", "og in with", "redentials"),  # how an agent tells with what to log in
     r"(?P<keep>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:\\*[\"'`*]){0,3}\s?/\s?(?:\\*[\"'`*]){0,3}"
     r"|(?i:log ?in|sign ?in|credentials)[^`\n]{0,30}`[^`\n]{1,80}`\s?/\s?\\*`)"
     r"(?=[^\s`]{0,200}\d)(?=[^\s`]{0,200}[A-Za-z])(?!\[redacted|https?:|[$<*{])[^\s`\"'|\\]{6,}"),
    ("password", (":5432:", ":*:"),  # of .pgpass
     r"(?P<keep>(?<![\w.:-])[\w.*-]+:(?:5432|\*):[^\s:]+:[^\s:]+:)(?!\[redacted)[^\s\"`]{4,}"),
)
WRITTEN_VALUE = (  # patterns of what stands behind one of NAMES: first in quotes: "password": "…", :secret => "…"
    rf"(?i)(?P<keep>{NAMED}(?:{QUOTE})?[\])]?{PLAIN_GAP}(?::?=>?|:|->){GAP}(?P<quote>{QUOTE})){NEVER}"
    r"(?:(?!(?P=quote))\S){4,}(?=(?P=quote)|\s*\Z)",
    # PASSWORD=…, password: …, | password | …, --token …, <password>…<, "password", "…"
    rf"(?i)(?P<keep>(?!{TEST_VERDICT}){NAMED}(?:[\"']?(?::?=|%3D)[\"']?"
    rf"|[\"'*_`]{{0,3}}(?::|\s?\|)[*_]{{0,2}}(?:{PLAIN_GAP}[|>][-+]?)?{GAP}[`\"']?{LIKELY}"
    rf"|\s=\s(?=[^\s(){{}}\[\],;'\"`\\]{{8,}}(?:,?[\s\"`\\]|\Z)){LIKELY}|>(?=[^<>\s]{{4,}}</)"
    rf"|{QUOTE}(?:, ?| value=){QUOTE}{LIKELY})"
    rf"|(?<!\w)--?(?:\w{{1,20}}[-_]){{0,2}}{NAMED}[ =](?:\\{{1,9}}\s{{0,9}}(?:\\{{0,9}}n\s{{1,9}})?"
    rf"(?:{LINE_HEAD}[^\S\n]{{1,40}})?)?(?:{QUOTE})?"
    rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|configure set \S{{0,40}}{NAMED} +"
    rf"|\b(?:login|user)\s+\S+\s+password\s+|\b(?:identified by|password)\s+'){NEVER}"
    r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}",
    # Token:, and below it a fence with the value as its only line; a token `…` without a sign, of letters and digits
    # mixed: an agent had quoted one so
    rf"(?i)(?P<keep>{NAMED}[*_]{{0,3}}:[*_]{{0,2}}{PLAIN_GAP}```\w{{0,12}}{PLAIN_GAP}){UNLIKELY}{LIKELY}"
    rf"(?=\S*[^\W\d_])(?:(?!\\+[nrt])[^\s`]){{6,}}(?={PLAIN_GAP}(?:```|\Z))",
    rf"(?i)(?P<keep>{NAMED}[^\S\n]`){UNLIKELY}(?=(?:[^\s`/]{{0,40}}?(?:\d[a-z]|[a-z]\d)){{4}})[^\s`]{{16,}}(?=`)")
# My password is …, das Passwort für x lautet …, set the token to …, password …
SPOKEN_VALUE = (
    rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
    rf"{IS}(?::[*_]{{0,2}}{PLAIN_GAP}(?:```\w{{0,12}}{PLAIN_GAP})?|[^\S\n:]{{1,2}})[\"'`]?| to [\"'`]?"
    r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
    rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]",)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINT_IN_PARTS = "//0"  # of those of tokens; the others hold neither slash nor colon
SHORTEST = 16  # characters; no token of any family is shorter


@cache
def first_hints(is_ascii: bool) -> list[str]:
    """The hints of all but tokens in lower case, without those that hold another; for a text in ASCII its own alone."""
    hints = {*NAMES, *(hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints)}
    return [hint for hint in hints if (hint.isascii() or not is_ascii)
            and not holds_any(hint, hints - {hint})]


@lru_cache(maxsize=1_024)  # few of them stand in a session's texts
def rows_with(hints: tuple[str, ...]) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows of SECRETS whose words, and those of NAMES, hold one of the first hints; tokens' rows are always there.

    A text that holds these first hints alone holds no other words of them: it is not looked through for those.
    """
    rows = [row for row in SECRETS if row[0] == "token" or any(holds_any(hint.lower(), hints) for hint in row[1])]
    return rows, [name for name in NAMES if holds_any(name, hints)]


@cache
def token_hints_by_start() -> dict[str, list[str]]:
    """The hints of tokens by their first two letters."""
    table = dict[str, list[str]]()
    for hint in TOKEN_HINTS:
        table.setdefault(hint[:2], []).append(hint)
    return table


@lru_cache(maxsize=4_096)  # most parts of a session's words were seen before
def least_token(part: str) -> int:
    """How many characters a token has at least that the part of a word hints at; more than any has: it hints at none.

    By the pairs of its letters first: to look for each hint would take four times as long.
    """
    table = token_hints_by_start()
    pairs = table.keys() & {*map(add, part, part[1:])}
    return min((LEAST.get(hint, SHORTEST) for pair in pairs for hint in table[pair] if hint in part), default=maxsize)


@lru_cache(maxsize=1 << 14)  # two of three were seen before in the same session
def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word; paths have the same parts again and again."""
    return len(word) >= min(map(least_token, word.replace(":", "/").split("/"))) or HINT_IN_PARTS in word


def name_offsets(lower: str, names: Iterable[str]) -> tuple[list[int] | None, list[int] | None]:
    """Where in a text in lower case those of these names stand that a value follows, written and spoken: few do.

    None: it may follow anywhere.
    """
    if holds_any(lower, ("configure set", "ſ", "ı", "i̇")):  # the letters are s and i to patterns
        return None, None
    if "password" in lower and ("login" in lower or "user" in lower):
        return None, None
    offsets, spoken_offsets, is_plain = list[int](), list[int](), "\\" not in lower
    places = [*names_in_text(lower, names)]
    if not places:
        return [], []
    written, spoken, option = map(re.compile, (BEHIND_NAME, BEHIND_SPOKEN, BEHIND_OPTION))
    for name, offset in places:
        end = offset + len(name)
        rest = lower[end:end + SEEN_BEHIND_CHARACTERS]
        if not is_plain:
            bare = rest.replace("\\", "")
            if len(bare) < len(rest) - SEEN_BEHIND_CHARACTERS // 2:
                return None, None
            rest = bare
        if written.match(rest) or (option.match(rest) and re.search(
                OPTION_BEFORE, lower[max(offset - SEEN_BEFORE_CHARACTERS, 0):offset])):
            offsets.append(offset)
        if spoken.match(rest):
            spoken_offsets.append(offset)
    return offsets, spoken_offsets


def names_in_text(lower: str, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Those of the words that may be names in a lower-case text, with their offsets; not in "author" and "design"."""
    for name in names:
        offset = lower.find(name)
        while offset >= 0:
            before = lower[max(offset - 12, 0):offset]
            if name == "key":
                is_name = before.endswith(("_", "?", "&")) or before.rstrip(" _-").endswith(KEY_OWNERS)
            elif name == "sig":
                is_name = before.endswith(("?", "&", "amz-"))
            elif name in ("pass", "pwd", "pw", "auth") and "a" <= before[-1:] <= "z":
                is_word = name == "pass" and lower.startswith(("passw", "passp", "passc"), offset)
                is_name = is_word or before.endswith(("\\n", "\\r", "\\t", "store", "key"))
            else:
                is_name = True
            if is_name:
                yield name, offset
            offset = lower.find(name, offset + len(name))


def patterns_for(text: str) -> Iterator[tuple[str, str, list[int] | None]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced.

    With each the offsets of names before which it fits while nothing is replaced: `[redacted: token]` names one, too.
    None: it may fit anywhere.
    """
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens, first = " ".join(filter(may_hold_token, words)), parts_in(lower, first_hints(lower.isascii()))
    if not tokens and not first:
        return
    rows, names = rows_with(tuple(first))
    may_be_changed = False  # by what a pattern before replaced
    for kind, hints, *patterns in rows:
        where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
        if where and holds_any(where, hints):
            yield from ((kind, pattern, None) for pattern in patterns)
            may_be_changed = True
    if holds_any(lower, names):
        written, spoken = name_offsets(lower, names) if len(lower) == len(text) else (None, None)
        if written != [] or may_be_changed:
            yield from (("password", pattern, written) for pattern in WRITTEN_VALUE)
            may_be_changed = True
        if spoken != [] or may_be_changed:
            yield from (("password", pattern, spoken) for pattern in SPOKEN_VALUE)


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

# A line's end, and what stands there before blanks where a value goes on below. By the end first: to look for the sign
# itself at each character took five times as long, a fifth of a first save.
LINE_END = r"\n(?<=[:=|>\\+\"'` \t\r-]\n)(?<!\)[:=|>\\]\n)"  # most colons there follow a bracket
GOES_ON_BELOW = r"(?<!\))[:=|>\\][-+]?[\"'`]{0,2}\Z"
KINDS_BY_NAME = ("password", "authorization", "url password")  # what has no form of its own
SIGN_CHARACTERS = 5  # the most that it takes, with the one before it
NEXT_LINE_WITH_WORDS = r"\s*(?:```[^\n]*\n\s*)?[^\n]*\n?"
NAME_BEFORE_CHARACTERS = 60
NAMED_ABOVE = (  # in lower case; one pattern of them took most of the time over lines that go on below
    "pass", "secret", "token", "key", "auth", "sig", "cred", "pw", "kennwort", "contraseña", "senha", "wachtwoord",
    "hasło", "пароль", "密码", "パスワード", "identified by", "cookie", "bearer")


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    whole = text
    for kind, pattern, offsets in patterns_for(text):
        if offsets is None or text is not whole or (offsets and fits_before(pattern, text, offsets)):
            text = re.sub(pattern, partial(replacement, kind), text, flags=re.DOTALL)
    return text


def replacement(kind: str, match: re.Match[str]) -> str:
    """What stands in the secret's place; a value that only its name told is known again without it."""
    kept = match.groupdict().get("keep") or ""
    if kind in KINDS_BY_NAME:
        remember(match[0][len(kept):])
    return f"{kept}[redacted: {kind}]"


def redact_across_lines(text: str) -> str:
    """The text without the secrets that only several lines together tell: its lines may then be taken one by one.

    A private key's rows, and a value below its name: there the line of the name and the next are looked at together,
    with more where that one is a name again.
    """
    if "PRIVATE KEY" in text:
        return redact(text)
    parts, done = list[str](), 0
    for begin, stop in lines_with_the_next(text):
        parts += [text[done:begin], redact(text[begin:stop])]
        done = stop
    return "".join([*parts, text[done:]]) if parts else text


def lines_with_the_next(text: str) -> list[tuple[int, int]]:
    """From where to where the lines go that end with a secret's name, each with the line below; what meets is one."""
    spans = list[tuple[int, int]]()
    below, goes_on = re.compile(NEXT_LINE_WITH_WORDS), re.compile(GOES_ON_BELOW)
    for end in re.finditer(LINE_END, text):
        stop = end.start()
        while stop and text[stop - 1] in " \t\r":
            stop -= 1
        sign = goes_on.search(text[max(stop - SIGN_CHARACTERS, 0):stop])
        if not sign:
            continue
        stop -= len(sign[0])
        begin = text.rfind("\n", 0, stop) + 1
        if holds_any(text[max(stop - NAME_BEFORE_CHARACTERS, begin):stop].lower(), NAMED_ABOVE):
            following = below.match(text, end.end())
            if spans and begin < spans[-1][1]:
                begin = spans.pop()[0]
            spans.append((begin, following.end() if following else end.end()))
    return spans


def fits_before(pattern: str, text: str, offsets: Iterable[int]) -> bool:
    """Whether the pattern fits where one of the names begins, or just before: to try it everywhere takes long.

    Names that stand close together have the same characters before them: each is tried once.
    """
    fits = re.compile(pattern, re.DOTALL).match
    starts = {start for offset in offsets for start in range(max(offset - SEEN_BEFORE_CHARACTERS, 0), offset + 1)}
    return any(fits(text, start) for start in starts)


# ==================================================================================================
# text/quotation.py: Words of others on one line, so that they can stand in a store or a text of ours.
# ==================================================================================================

READ_TIMES_LIMIT, READ_MORE_CHARACTERS = 4, 2_000  # of a text, for its beginning that is shown


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = joined(text), READ_TIMES_LIMIT * limit + READ_MORE_CHARACTERS
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


def forget_named_secrets() -> None:
    """Forgets what the texts read so far have named, before those of another session are read.

    With the lines that are quoted already: of those nothing would be known that they name.
    """
    named_runs().clear()
    quote.cache_clear()


def quote_all(texts: Sequence[str], limit: int) -> list[str]:
    """Each of these short texts as `quote` has it; that none holds a secret, as nearly always, is seen at once."""
    lines = [*map(joined, texts)]
    whole = "\n".join(lines)
    if len(whole) > READ_MORE_CHARACTERS * READ_TIMES_LIMIT or next(patterns_for(whole), None):
        return [quote(line, limit) for line in lines]
    return [cut(line, limit) for line in lines]


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())


# ==================================================================================================
# archive/steps.py: What a step of a turn tells: a call with its input, how it ended, and what its output tells.
# ==================================================================================================

STEP_MAX_CHARACTERS = 2_000  # of a call's input, and of what is kept of its output
REPORT_MAX_CHARACTERS = 20_000  # of a subagent's order and of its report, which stand nowhere else
SCRIPT_MAX_CHARACTERS, CALL_LINE_MAX_UTF16, STEP_LINE_MAX_CHARACTERS = 4_000, 500, 300
CHANGE_MAX_CHARACTERS, GONE_MAX_CHARACTERS = 4_000, 1_000  # of the lines that an edit put in, and took away
FILE_LOOKED_AT_CHARACTERS = 12_000  # of a new file or a side of an edit; whole lines, so that no secret is cut
READ_MAX_CHARACTERS, READ_LINE_MAX_CHARACTERS = 1_000, 160  # of a file that was read, and of each of its lines
FIRST_LINES, LAST_LINES_KEPT = 3, 5  # of a long output
ARGUMENTS_DEPTH_MAX = 4  # of lists and objects in arguments: questions, question, options, option
INDENT = "    "
FAULT_WORDS = (
    "error", "fail", "warn", "panic", "exception", "traceback", "fatal", "denied", "refused", "not found", "no such",
    "cannot", "undefined", "conflict", "mismatch", "timed out", "missing", "expected", "rejected")
FIGURES_LINE = (  # a sign first, as in PATH_LINE, and then what stands before it: others are passed over at once
    r"\d(?<!\w.)\d* (?:\w+ )?(?:passed|failed|skipped|tests?|errors?|warnings?|problems?|issues?|changed|insertions?"
    r"|deletions?|total|commits?|matches)\b|(?=[torc])\b(?:total|tests|ok|result|coverage)\b.*\d|[-=]> "
    r"|[0-9a-f](?<!\w.)(?:(?<=\d)|(?=[a-f]*\d))[0-9a-f]{6,39}\b|^(?:\?\?|[ madrcu]{2}) \S|https?://")
PATH_LINE = r"/(?<=[\w.@-]/)[\w./@-]|\.(?<=\w\.)(?:py|go|ts|tsx|js|jsx|rs|java|rb|c|h|cpp|md|json|ya?ml|toml|sh|sql)\b"
NUMBERED_LINE = r" {0,12}(\d{1,8})(?:→|\t| )([^\w\n]{0,200}\w.*)"  # of a file, as Read prints it; with a word
LINE_NUMBER = r" {0,12}(\d{1,8})(?:→|\t)"  # the same of any line
OUTLINE_LINE = (
    r"\[\w|(?:export |default |pub(?:\(\w+\))? |public |private |static |async )*"
    r"(?:def|class|func|fn|function|const|type|interface|struct|impl|enum|trait|module|describe|it|test)\b")
HEADING_LINE = r"#{1,6} \S"  # in Markdown; elsewhere it is a comment
COMMENT_SIGNS, COMMENT_BEHIND_CODE = ("//", "#", "*", "/*", "--", ";", "<!--", '"""'), r".*\S\s{1,20}(?://|#) "
MARKDOWN_ENDS = (".md", ".mdx", ".markdown", ".mdc")
DUTY_WORDS = (  # of comments that say what has to be so, and why
    "must", "never", "always", "only", "todo", "fixme", "note", "because", "do not", "don't", "default", "warning",
    "important", "deprecated", "instead", "avoid", "otherwise")
VALUE_LINE = (
    r"(?:[-+*] )?(?:[\w.$@\]\[ ]{1,60}|\"[^\"]{1,60}\"|'[^']{1,60}')[ \t]{0,20}(?::=|=>|=|:)[ \t]{0,20}"
    r"(?:[\"'`\d\[-]|true|false|null|nil|none)|[-*|] ")
DATA_LINE = r"[\w+/=-]{40,}$"  # without a blank: in the middle of a private key nothing else says what it is
MESSAGE_LINE = r".*[\"'`]\W{0,3}\w+ \w+ \w"  # a quoted sentence, as in an error that is raised
BACKGROUND_ADVICE = " You will be notified when"
# Below an output, from there on it is the client's.
CLIENTS_MARKS = ("<system-reminder>", f"\n{FILES_MODIFIED}", f"\n{FOLDER_RESET}")


def call_step(tool: str, given: JsonObject) -> list[str]:
    """Kind and text of a call before it has ended."""
    path = first_text(given, PATH_FIELDS)
    if tool in SHELL_TOOLS:
        return ["command", safe(text_of(given, "command"), SCRIPT_MAX_CHARACTERS)]
    if tool == "ExitPlanMode":
        return ["answer", safe(text_of(given, "plan"), REPORT_MAX_CHARACTERS)]
    if tool in CHANGING_TOOLS:
        return ["file", f"{tool} {quote(path, CALL_LINE_MAX_UTF16)}\n{set_in(change_lines(tool, given))}".rstrip()]
    if path or tool in SEARCH_TOOLS:
        rest = " ".join(filter(None, (f"{given.get(name, '')}" for name in ("pattern", "glob", "offset", "limit"))))
        return ["file", quote(f"{tool} {path} {rest}", CALL_LINE_MAX_UTF16)]
    if tool in SUBAGENT_TOOLS:
        order = safe(text_of(given, "prompt"), REPORT_MAX_CHARACTERS)
        about = quote(f"{tool} {text_of(given, 'subagent_type')} {text_of(given, 'description')}", CALL_LINE_MAX_UTF16)
        return ["command", f"{about}\n{set_in(order.splitlines())}".rstrip()]
    return ["command", safe(f"{tool} {arguments_text(given)}", STEP_MAX_CHARACTERS)]


def safe(text: str, most: int) -> str:
    """The text without secrets and tags, cut after that."""
    return redact(clean(text)).strip()[:most]


def set_in(lines: Iterable[str]) -> str:
    """The lines further in, as those of a call's input and output stand."""
    return "\n".join(INDENT + line for line in lines)


def change_lines(tool: str, given: JsonObject) -> Iterator[str]:
    """The lines in which an edit differs, "- " before what went and "+ " before what came; of a new file its lines."""
    content = content_in(tool, given)
    yield from within_room(safe_lines(content), STEP_MAX_CHARACTERS, len(content.splitlines()))
    gone, come = list[str](), list[str]()
    for old, new in edits_in(tool, given):
        old_lines, new_lines = safe_lines(old), safe_lines(new)
        in_old, in_new = {"", *old_lines}, {"", *new_lines}
        gone += [line for line in old_lines if line not in in_new]
        come += [line for line in new_lines if line not in in_old]
    yield from within_room([f"- {line}" for line in gone], GONE_MAX_CHARACTERS)
    yield from within_room([f"+ {line}" for line in come], CHANGE_MAX_CHARACTERS)


def safe_lines(text: str) -> list[str]:
    """The lines of a text without secrets and tags; of a long one those of its beginning."""
    if len(text) > FILE_LOOKED_AT_CHARACTERS:
        begin = text[:FILE_LOOKED_AT_CHARACTERS]
        text = begin.rpartition("\n")[0] or before_space(begin)
    return [line.rstrip() for line in redact(clean(text)).splitlines()]


def within_room(lines: Sequence[str], most: int, total: int = 0) -> Iterator[str]:
    """The first lines that have room in so many characters, and a mark where more are left out.

    Where the `total` of lines is known, the mark says how many of them are kept.
    """
    room = most
    for index, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"{line[:max(room + len(line), 0)]}{left_out(index, total)}"
            return
        yield line


def left_out(kept: int, total: int) -> str:
    """The mark for what is left out, and how many lines are kept; the mark alone where either is not known."""
    return f"{LEFT_OUT_LINE} ({kept} of {total} lines kept)" if kept and total else LEFT_OUT_LINE


def arguments_text(given: JsonObject) -> str:
    """A call's arguments, `name: value`; what lies in lists in them, as tasks and questions do, is parted by bars.

    The same words stand once, behind all their names: a task's are its description, too.
    """
    names: dict[str, list[str]] = {}
    for name, value in given.items():
        if value not in ("", None, [], {}):
            names.setdefault(value_text(value), []).append(name)
    return ", ".join(f"{' = '.join(of_value)}: {value}" for value, of_value in names.items())


def value_text(value: Any, depth: int = ARGUMENTS_DEPTH_MAX) -> str:
    """An argument as a text; what lies deep in it as JSON."""
    if isinstance(value, dict) and depth:
        return ", ".join(f"{name}: {value_text(inner, depth - 1)}" for name, inner in value.items())
    if isinstance(value, list) and depth:
        return " | ".join(value_text(inner, depth - 1) for inner in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- how it ended ---


def result_lines(tool: str, given: JsonObject, output: str, is_error: bool) -> list[str]:
    """The lines below a call: how it ended, then what its output tells."""
    if is_error and output.startswith(REJECTION) and not tool.startswith("mcp__"):
        return [f"{RESULT_LINE}rejected by the user, not run"]
    printed = own_output(output)
    shown = telling_output(tool, given, printed, is_error)
    silent = " (no output)" if tool in SHELL_TOOLS and not printed.strip() else ""
    return [RESULT_LINE + ending(tool, given, output, is_error) + silent, *(INDENT + line for line in shown)]


def own_output(output: str) -> str:
    """The output without what the client writes above and below it.

    Of a command in the background that leaves its name and where its output is: "before you can go on", in what the
    client goes on to say, had answered "go on" with a server that was started.
    """
    if name_in_background(output):
        return output.partition(BACKGROUND_ADVICE)[0]
    rows = f"\n{output}"  # a mark may stand in the first one
    for mark in CLIENTS_MARKS:
        rows = rows.partition(mark)[0]
    output = rows[1:]
    return output.partition("\n")[2] if exit_code_in(output) is not None else output


def ending(tool: str, given: JsonObject, output: str, is_error: bool) -> str:
    """How the call ended, in a word."""
    code = exit_code_in(output) if is_error else None
    verdict = "failed" if is_error else "ended"
    if tool in SHELL_TOOLS:
        outcome = outcome_of(text_of(given, "command"), output, is_error, code)
        unknown = "its end was not seen" if checks_in(text_of(given, "command")) and not is_error else verdict
        verdict = outcome["verdict"] if outcome["verdict"] != "unknown" else unknown
    return verdict if code is None else f"{verdict} (exit {code})"


def telling_output(tool: str, given: JsonObject, output: str, is_error: bool) -> Sequence[str]:
    """The lines of an output that are kept."""
    if tool in SUBAGENT_TOOLS and not is_error:
        return [*within_room(redact(clean(report_of(output))).splitlines(), REPORT_MAX_CHARACTERS)]
    if tool in CHANGING_TOOLS and not is_error:
        return []
    text = redact_across_lines(ends_of_output(output))
    if tool in SEARCH_TOOLS and not is_error:
        hits = search_hits(text, text_of(given, "path")) or text.splitlines()[:1]
        return [*within_room(quote_all(hits, STEP_LINE_MAX_CHARACTERS), STEP_MAX_CHARACTERS)]
    lines = [line for line in text.splitlines() if line.strip()]
    if tool == "Read" and not is_error:
        return [cut_line(line, READ_LINE_MAX_CHARACTERS)
                for line in redact(clean("\n".join(lines_of_file(lines, text_of(given, "file_path"))))).splitlines()]
    most = STEP_LINE_MAX_CHARACTERS if len(lines) > 1 else STEP_MAX_CHARACTERS  # of JSON, mostly
    return [cut_line(line, most)
            for line in redact(clean("\n".join(telling_lines_of(lines)))).splitlines()]


def lines_of_file(lines: Sequence[str], path: str) -> list[str]:
    """Of the lines of a file that was read, each with its number, those with a word; of many those that tell.

    They are definitions and headings, comments that say what must be, values, then other comments and messages.
    """
    numbered = [line.groups() for line in map(re.compile(NUMBERED_LINE).match, lines) if line]
    texts = {index: text.lstrip() for index, (_, text) in enumerate(numbered)
             if " " in text.strip() or not re.match(DATA_LINE, text.strip())}
    sizes = {index: min(sum(map(len, numbered[index])) + 1, READ_LINE_MAX_CHARACTERS) + len(INDENT) + 1
             for index in texts}
    shown: Iterable[int] = texts
    if sum(sizes.values()) > READ_MAX_CHARACTERS:
        shown = sorted(with_room(by_rank(texts, tests_of_lines(path)), sizes, READ_MAX_CHARACTERS))
    rows = ["→".join(numbered[index]) for index in shown]
    total = lines_read(lines) if 0 < len(rows) < len(texts) else 0
    return [*rows, left_out(len(rows), total)] if total else rows


def lines_read(lines: Sequence[str]) -> int:
    """How many lines were read, by the numbers of the first and the last; 0 where these have none."""
    ends = [re.match(LINE_NUMBER, lines[index]) for index in (0, -1)]
    first, last = (int(end[1]) if end else 0 for end in ends)
    return last - first + 1 if 0 < first <= last else 0


def tests_of_lines(path: str) -> list[Callable[[str], Any]]:
    """Whether a line of the file tells, by what tells most first."""
    outline = re.compile(HEADING_LINE if path.endswith(MARKDOWN_ENDS) else OUTLINE_LINE)
    value, message = map(re.compile, (VALUE_LINE, MESSAGE_LINE))
    return [
        outline.match,
        lambda line: is_comment(line) and holds_any(line.lower(), DUTY_WORDS),
        lambda line: value.match(line) and not is_comment(line),
        lambda line: message.match(line) or is_comment(line)]


def is_comment(line: str) -> bool:
    """Whether the line of a file is a comment, or has one behind its code."""
    return line.startswith(COMMENT_SIGNS) or bool(
        ("# " in line or "// " in line) and re.match(COMMENT_BEHIND_CODE, line))


def by_rank(lines: Mapping[int, str], tests: Iterable[Callable[[str], Any]]) -> Iterator[int]:
    """The indexes of the lines that pass the first test, then of the others that pass the next, and so on.

    One at a time: whoever has no room for more does not pay for the tests that are left.
    """
    left = [*lines]
    for passes in tests:
        others = list[int]()
        for index in left:
            if passes(lines[index]):
                yield index
            else:
                others.append(index)
        left = others


def with_room(indexes: Iterable[int], sizes: Mapping[int, int], room: int) -> Iterator[int]:
    """The indexes, up to the first whose line has no room any more."""
    for index in indexes:
        room -= sizes[index]
        if room < 0:
            return
        yield index


def cut_line(line: str, most: int) -> str:
    """The line; of a longer one so many characters, the last a mark."""
    return line if len(line) <= most else f"{line[:most - 1]}…"


def telling_lines_of(lines: Sequence[str]) -> Sequence[str]:
    """The lines; of many the first, the last and those that tell, with a mark for what is left out between them.

    Those are, as far as there is room: faults, figures, paths.
    """
    sizes = {index: min(len(line), STEP_LINE_MAX_CHARACTERS) + 1 for index, line in enumerate(lines)}
    if sum(sizes.values()) <= STEP_MAX_CHARACTERS:
        return lines
    indexes = range(len(lines))
    middle = indexes[FIRST_LINES:-LAST_LINES_KEPT]
    telling = by_rank({index: lines[index].lower() for index in middle}, [
        lambda line: holds_any(line, FAULT_WORDS), re.compile(FIGURES_LINE).search,
        re.compile(PATH_LINE).search])
    kept = with_room(chain(indexes[:FIRST_LINES], indexes[FIRST_LINES:][-LAST_LINES_KEPT:], telling), sizes,
                     STEP_MAX_CHARACTERS)
    return with_marks({index: lines[index] for index in kept}, len(lines))


# ==================================================================================================
# client/editor_calls.py: Calls of the client's own tools that go through an editor: names and outputs as the client itself would have them.
# ==================================================================================================

EDITOR_PREFIX = "mcp__acp__"
# Before the output: "Exited with code 1.Signal `Hangup: 1`. Final output:".
END_BY_EDITOR = (
    r"(?P<how>Killed\. |Timed out\. |Interrupted by the user\. )?(?:Exited with code (?P<code>\d{1,3})\.)?"
    r"(?:Signal `[^`\n]{0,60}`\. ?)?Final output:(?:\n\n|\s*\Z)")
CODES_OF_ENDS = {"Killed. ": "137", "Timed out. ": "124", "Interrupted by the user. ": "130"}  # as a shell has them


def tool_of_client(name: str) -> str:
    """The client's name of the tool of that name; of any other tool its own."""
    return name.removeprefix(EDITOR_PREFIX)


def is_through_editor(name: str) -> bool:
    """Whether the tool of that name is one of the client's, offered by the adapter."""
    return name.startswith(EDITOR_PREFIX)


def output_of_client(output: str) -> tuple[str, bool]:
    """A command's output through an editor as the client shows its own, behind "Exit code N" where it failed.

    And whether it failed. An output without the adapter's words stands as it is, and did not.
    """
    end = re.match(END_BY_EDITOR, output)
    if not end:
        return output, False
    code = end["code"] or CODES_OF_ENDS.get(end["how"] or "", "0")
    rest = output[end.end():]
    return (rest, False) if int(code) == 0 else (f"Exit code {code}\n{rest}", True)


# ==================================================================================================
# client/thread_order.py: The rows of a transcript, a prompt before the answer to it, a call before its result.
# ==================================================================================================

ROWS_AHEAD = 6  # within which the row is looked for that an answer goes on from; the 4th seen


def in_order_of_thread(rows: Iterable[tuple[int, JsonObject]]) -> Iterator[tuple[int, JsonObject]]:
    """The rows, each with its offset in the file; what an answer or a result goes on from comes before it.

    With its offset, so that a reader who goes on at the prompt reads the answer, too. Where the row that one goes on
    from does not follow soon, it stands before what is read here, or is of a kind that nobody parses.
    """
    read = {""}  # uuids; an empty one is none
    waiting: list[tuple[int, JsonObject]] = []
    for row in rows:
        record = row[1]
        read.add(text_of(record, "uuid"))
        if waiting:
            waiting.append(row)
            while waiting and (len(waiting) > ROWS_AHEAD or is_behind_parent(waiting[0][1], read)):
                yield from take_first(waiting)
        elif is_behind_parent(record, read):
            yield row
        else:
            waiting.append(row)
    while waiting:
        yield from take_first(waiting)


def is_behind_parent(record: JsonObject, read: set[str]) -> bool:
    """Whether the row is no answer and no result, or what it goes on from is read already."""
    return text_of(record, "parentUuid") in read or not is_answer_or_result(record)


def is_answer_or_result(record: JsonObject) -> bool:
    """Whether the row holds words or calls of the agent's, or a call's result."""
    if record.get("type") == "user":
        return any(block.get("type") == "tool_result" for block in content_blocks(record))
    return record.get("type") == "assistant"


def take_first(waiting: list[tuple[int, JsonObject]]) -> list[tuple[int, JsonObject]]:
    """Takes the first row off those that wait, and those that it goes on from: these before it, with its offset."""
    offset, record = waiting.pop(0)
    before = rows_up_to(waiting, text_of(record, "parentUuid")) if is_answer_or_result(record) else []
    for row in before:
        waiting.remove(row)
    return [*((offset, moved) for _, moved in before), (offset, record)]


def rows_up_to(rows: Sequence[tuple[int, JsonObject]], uuid: str) -> list[tuple[int, JsonObject]]:
    """The row with this uuid and those among the rows that it goes on from, in their order; none without it."""
    thread: list[tuple[int, JsonObject]] = []
    for row in reversed(rows):
        if uuid and row[1].get("uuid") == uuid:
            thread.insert(0, row)
            uuid = text_of(row[1], "parentUuid")
    return thread


# ==================================================================================================
# store/json_lines.py: Files of JSON lines, ours and the client's: read by offset, so that a later reader goes on where this one stopped.
# ==================================================================================================

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER, NOT_BLANK = json.JSONDecoder(), re.compile(r"\S")


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=BUFFER_BYTES) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_MAX_BYTES)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_MAX_BYTES and (more := file.readline(LINE_MAX_BYTES)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def parse_line(line: bytes) -> list[JsonObject]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values, offset = line.decode("utf-8", "replace"), list[object](), 0
    try:  # by offset: the rest of a line of 16 MB behind its first object was 16 MB more
        while len(values) < OBJECTS_MAX and (begin := NOT_BLANK.search(text, offset)):
            value, offset = DECODER.raw_decode(text, begin.start())
            values.append(value)
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

QUESTION_MARKS = ("?", "？", "؟")
OPEN_QUESTION = r"\?(?=[\s\"'”»)*_\]]|\Z)|[？؟]"  # a question's mark, none of an address or of a pattern


# ==================================================================================================
# text/tags.py: The tag of a step: four letters and digits by which a line of the recap and the archive name the same step.
# ==================================================================================================

TAG_LETTERS, TAG_DIGITS = "bcdfghjkmnpqrstvwxz", "23456789"
SOURCE_MAX_CHARACTERS = 64  # of an id, its end; the client's have 30 and 36
TAG_PATTERN = f"[{TAG_LETTERS}][{TAG_LETTERS}{TAG_DIGITS}]{{3}}"


def tag_of(source: str) -> str:
    """The tag of what the client gave this id; empty where it is none, as of words that waited (`queue`)."""
    if source.isalpha() or not source:
        return ""
    number = int.from_bytes(source[-SOURCE_MAX_CHARACTERS:].encode("utf-8", "replace"), "big")
    letters, tag = TAG_LETTERS + TAG_DIGITS, ""
    number %= len(letters) ** 3 * len(TAG_LETTERS)  # to divide the long one again and again takes ten times as long
    for _ in range(3):
        number, index = divmod(number, len(letters))
        tag += letters[index]
    return TAG_LETTERS[number % len(TAG_LETTERS)] + tag


# ==================================================================================================
# text/telling.py: What the output of a call says of how it ended.
# ==================================================================================================

TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error"
    r"|unknown|unrecogni[sz]ed|invalid")
OUTPUT_MAX_CHARACTERS, HEAD_CHARACTERS, TAIL_CHARACTERS = 16_000, 12_000, 4_000  # of a long output both ends are read
# In an answer in JSON below an error that says only its number, why.
CAUSE_IN_JSON = r'"(?:message|detail|error_description)" ?: ?"([^"\\]{3,160})"'
LINE_MAX_CHARACTERS, QUOTED_MAX_UTF16 = 2_000, 240


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= OUTPUT_MAX_CHARACTERS:  # no half of a word at the cut: half a token is not recognised
        head = re.sub(r"\S{1,999}\Z", "", output[:HEAD_CHARACTERS])
        tail = re.sub(r"\A\S{1,999}", "", output[-TAIL_CHARACTERS:])
        output = f"{head}\n{tail}"
    whole = redact(clean(re.sub(r"</?tool_use_error>", "", output)))
    lines = [line.strip()[:LINE_MAX_CHARACTERS] for line in whole.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    if is_powershell_error(whole):
        lines = without_frames(lines)
    matches = (index for pattern in TELLING for index, line in enumerate(lines) if re.search(pattern, line))
    at = next(matches, len(lines) - 1)
    below = lines[at + 1] if at + 1 < len(lines) else ""
    cause = re.search(CAUSE_IN_JSON, below) if below.startswith("{") else None
    return quote(": ".join([*lines[at:at + 1], *([cause[1]] if cause else [])]), QUOTED_MAX_UTF16)


# ==================================================================================================
# text/times.py: Moments: from the words that name them, and as a clock shows them.
# ==================================================================================================

def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    parts = [stamp[:4], *(stamp[begin:begin + 2] for begin in (5, 8, 11, 14, 17))]
    if stamp[4:17:3] != "--T::" or len(parts[-1]) < 2 or not "".join(parts).isdecimal():
        return 0
    year, month, day, hour, minute, second = map(int, parts)
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """The moment as a person reads it, here."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def moment_named(words: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", words):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    try:
        return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise ValueError("it takes a day (2026-11-21), a moment, or an age (12h, 7d, 2w)") from None


# ==================================================================================================
# archive/turns.py: What a transcript's records make a turn of: its steps, each what was typed, said, run or changed and how it ended.
# ==================================================================================================

PART_MAX_CHARACTERS = 6_000  # a longer turn goes on in another row, else its length hides what stands in it
QUESTION_MAX_UTF16 = 300  # of what a short reply answers
REPLY_MAX_CHARACTERS = 60  # of a reply that says little without its question
QUESTION_LOOKED_AT_CHARACTERS = 8_000  # of an answer, with the question at its end
TO_THE_QUESTION = "  (to the question: {})"
PROJECT_MAX_CHARACTERS, BRANCH_MAX_UTF16 = 1_000, 200
MARKED_WITHIN_BYTES = 900  # of a line, in which the marks below stand
TURN_RECORD_TYPES = ("user", "assistant", "attachment", "queue-operation", "system")  # records that may tell something
UNREAD_MARKS = (b'"type":"progress"', b'"content":[{"type":"thinking"', b'"type":"file-history-snapshot"')
DECIDING = (r"(?i)(?=[adgilrsw])\b(?:decided|decision|settled on|agreed (?:on|to)|going with|instead of|rather than"
            r"|(?:let'?s|we(?:'ll| will)?) (?:use|keep|go with|stick))\b")
SENTENCE_MAX_CHARACTERS = 400
# What the client writes around a summary (2.1.76 to 2.1.330): behind it an order to the model, which asked for none.
BEFORE_SUMMARY = (r"\AThis session is being continued from a previous conversation[^\n]*\n+"
                  r"(?:<system-reminder>\n.{0,4000}?\n</system-reminder>\n+)?")
BEHIND_SUMMARY = (r"(?=\s|\Z)(?:\n+If you need specific details from before compaction \(like exact code[^\n]*)?"
                  r"(?:\n+(?:Please c|C)ontinue the conversation from where (?:we|it) left [^\n]*)?"
                  r"(?:\n+The messages after this summary are the most recent messages [^\n]*)?\s*\Z")


class Reader:
    """Makes turns of a transcript's records, from the first of a turn on; `state` is that of the session there."""

    def __init__(self, state: JsonObject, session: str, is_subagent: bool) -> None:
        """`state`: empty at a transcript's beginning; `session`: the name of its file, else "unknown"."""
        self.state: JsonObject = {"session": session, "project": "", "branch": "", "cycle": 0, "turn": 0, "until": "",
                              "count": 0, "question": "", "fires": "", "queue": [], **state}  # of what waits the bytes
        self.is_subagent, self.until, self.folder = is_subagent, self.state["until"], ""
        self.at = (0, "", self.state["queue"])  # byte and time of the record in hand, the queue before it
        self.uuid = ""  # of the record in hand
        self.turn: JsonObject = {}
        self.is_first = bool(state)  # the record in hand began a turn when it was read before
        self.calls: dict[str, JsonObject] = {}  # tool, input and step of the calls whose results are awaited
        self.waiting: dict[int, str] = {}  # typed while the agent worked, by byte
        self.seen: set[str] = set()  # a second /compact appends old records again

    def add(self, record: JsonObject, start: int) -> Iterator[JsonObject]:
        """Takes the record that begins at this byte; gives the turn that ended before it."""
        stamp = text_of(record, "timestamp")
        stamp = stamp if moment(stamp) else ""
        if not self.is_new(record, stamp):
            return
        self.uuid = text_of(record, "uuid")
        if self.uuid:
            self.seen.add(self.uuid)
        blocks, queue = content_blocks(record), self.state["queue"]
        in_row = typed_text(record, self.state)
        self.take_from_queue(in_row)
        typed = without_paste_tags(
            in_row or self.unqueued(record, start) or "\n".join(map(self.refused_with, blocks)).strip())
        prompt = self.with_its_question(redact(clean(typed)).strip()) if typed else ""
        self.is_first = False
        self.add_results(blocks, record)
        is_summary = is_by_summariser(record, blocks)
        is_again = self.turn.get("steps", [])[-1:] == [["prompt", prompt]]  # it came when it left the queue
        begins = is_summary or self.turn.get("who") == "summary" or (bool(typed) and not is_again)
        if (begins or self.is_full()) and self.turn.get("start", start) != start:  # what stands on one line is one turn
            yield self.close()
        self.note_state(record, (start, stamp or self.state["until"], queue))
        if begins:
            self.state["turn"] = start
        if is_summary:
            self.step("answer", summary_alone("\n".join(text_of(block, "text") for block in blocks)), "summary")
        elif typed:
            self.step("prompt", prompt, is_clean=True)
        else:
            for block in blocks:
                self.add_block(block, record)
        note_firing(record, self.state)

    def is_new(self, record: JsonObject, stamp: str) -> bool:
        """Whether the record may tell something of this thread, and was not read before: by its id, by its time."""
        if text_of(record, "uuid") in self.seen or (stamp and stamp < self.until):
            return False
        is_of_other_thread = record.get("isSidechain") and not self.is_subagent
        return record.get("type") in TURN_RECORD_TYPES and not is_of_other_thread

    def is_full(self) -> bool:
        """Whether the open turn is long enough to go on in another row; not while a result is awaited."""
        return self.turn.get("size", 0) > PART_MAX_CHARACTERS and not self.calls

    def add_results(self, blocks: Sequence[JsonObject], record: JsonObject) -> None:
        """The results among the blocks, each to its call."""
        for block in blocks:
            call = self.calls.pop(text_of(block, "tool_use_id"), None)
            if call:
                self.add_result(call, block, record.get("toolUseResult"))

    def note_state(self, record: JsonObject, at: tuple[int, str, list[int]]) -> None:
        """Notes the session's state at this record."""
        state, self.at = self.state, at
        if SESSION_ID.match(text_of(record, "sessionId")):
            state["session"] = record["sessionId"]
        self.folder = self.folder or text_of(record, "cwd") or state["project"]  # as it is called, for its settings
        state["project"] = state["project"] or redact(clean(text_of(record, "cwd")))[:PROJECT_MAX_CHARACTERS]
        state["branch"] = quote(text_of(record, "gitBranch"), BRANCH_MAX_UTF16) or state["branch"]
        state["cycle"] += record.get("subtype") == "compact_boundary"
        state["until"] = max(at[1], state["until"])

    def unqueued(self, record: JsonObject, start: int) -> str:
        """Words typed while the agent worked that reached it in the middle of its turn: they stand nowhere else."""
        queue, operation = self.state["queue"], record.get("operation")  # replaced, not changed: turns keep theirs
        if record.get("type") != "queue-operation":
            return ""
        if operation == "enqueue":
            self.waiting[start] = own_words(text_of(record, "content"))
            self.state["queue"] = [*queue, start]
        elif operation == "popAll":
            self.state["queue"] = []
        elif queue:
            left = queue[index_leaving(operation, [self.waiting.get(at, "") for at in queue])]
            self.state["queue"] = [at for at in queue if at != left]
            return self.waiting.get(left, "") if operation == "remove" else ""
        return ""

    def take_from_queue(self, words: str) -> None:
        """Words that come in a row of their own wait no more: the client took a notice off the queue for them."""
        queue = self.state["queue"]
        left = next((at for at in queue if words and self.waiting.get(at) == words), None)
        self.state["queue"] = [at for at in queue if at != left]

    def refused_with(self, block: JsonObject) -> str:
        """The person's words in a rejected call's result; an MCP tool could imitate one, so not there."""
        text = block.get("content") if block.get("is_error") is True else None
        unknown = {"tool": "" if self.is_first else "mcp__", "is_by_editor": False}
        call = self.calls.get(text_of(block, "tool_use_id"), unknown)
        by_mcp = call["is_by_editor"] or call["tool"].startswith("mcp__")
        if by_mcp or not isinstance(text, str) or not text.startswith(REJECTION):
            return ""
        return rejection_words(text)

    def step(self, kind: str, text: str, who: str = "", is_clean: bool = False, call: str = "") -> list[str]:
        """A new step of the open turn, which it begins when there is none; the same one again is left out.

        Its tag is made of the call's id, else the record's; a step that came again has those of both.
        """
        step = [kind, (text if is_clean else redact(clean(text))).strip()]
        if not self.turn and step[1]:
            who = who or ("subagent" if self.is_subagent else "person")
            self.until = min(self.until, self.at[1])  # a prompt may be older than the last words before it
            self.turn = {"who": who, "start": self.at[0], "stamp": self.at[1], "steps": [], "tags": [], "size": 0,
                         "errors": [], "state": {**self.state, "until": self.until, "queue": self.at[2]}}
        tags = [*filter(None, [tag_of(call or self.uuid)])] if step[1] else []
        if step[1] and step in self.turn["steps"]:
            self.turn["tags"][self.turn["steps"].index(step)] += tags
        elif step[1]:
            self.turn["steps"].append(step)
            self.turn["tags"].append(tags)
            self.turn["size"] += len(step[1])
            self.state["count"] += 1
        return step

    def with_its_question(self, reply: str) -> str:
        """What was typed; a short reply with the question that it answers, where the last words before were one."""
        is_short = 0 < len(reply) <= REPLY_MAX_CHARACTERS and self.state["question"]
        return f"{reply}\n{TO_THE_QUESTION.format(self.state['question'])}" if is_short else reply

    def add_block(self, block: JsonObject, record: JsonObject) -> None:
        """A block of a message: the assistant's words, a call, a subagent's task, others' words in a user's place."""
        by_model, what, text = is_by_model(record), block.get("type"), text_of(block, "text")
        if what == "text" and (by_model or (self.is_subagent and not self.turn)):
            self.step("answer", text)
            self.state["question"] = question_at_end(text)
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            name = text_of(block, "name")
            self.add_call(text_of(block, "id"), tool_of_client(name), block["input"], is_through_editor(name))
        elif what == "text" and record["type"] == "user" and text.startswith("<teammate-message"):
            sender, words = message_of_teammate(text)
            self.step("answer", f"message of {sender}: {words}" if words else "")
        elif what == "text" and text.startswith(PASTED_PLAN) and not is_by_program(record):
            self.step("answer", text.partition(PLAN_WOVEN)[0])
        elif what == "text" and not by_model:
            for job, status, words in notices_in(text):
                self.step("answer", f"{job} {status}: {words}")

    def add_call(self, number: str, tool: str, given: JsonObject, is_by_editor: bool) -> None:
        """A call, whose result is awaited; of an editor's, which may have run it, the output is another."""
        kind, text = call_step(tool, given)
        step = self.step(kind, text, is_clean=True, call=number)
        self.calls[number] = {"tool": tool, "given": given, "step": step, "is_by_editor": is_by_editor}

    def add_result(self, call: JsonObject, block: JsonObject, extra: Any) -> None:
        """How the call ended; what the person chose of the answers offered counts as typed."""
        text, is_error = result_text(block), block.get("is_error") is True
        if call["is_by_editor"] and call["tool"] in SHELL_TOOLS:
            text, has_failed = output_of_client(text)
            is_error = is_error or has_failed
        answers = extra.get("answers") if isinstance(extra, dict) and call["tool"] == "AskUserQuestion" else None
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            if isinstance(answer, str):
                self.step("prompt", f"{answer}\n{TO_THE_QUESTION.format(quote(question, QUESTION_MAX_UTF16))}")
        result = "\n".join(["", *result_lines(call["tool"], call["given"], text, is_error)])
        call["step"][1] += result
        if self.turn:
            self.turn["size"] += len(result)
            self.turn["errors"] += [telling_line(text)] if is_error else []

    def close(self) -> JsonObject:
        """The open turn as a row of the archive; there is none then."""
        turn, self.turn, self.calls, self.until = self.turn, {}, {}, self.state["until"]
        texts = {kind: "\n".join(text for its_kind, text in turn["steps"] if its_kind == kind) for kind in KINDS}
        lengths = json.dumps([[kind, len(text), *tags] for (kind, text), tags in zip(turn["steps"], turn["tags"])])
        derived = {"error": "\n".join(filter(None, turn["errors"])), "decision": "\n".join(decisions(texts))}
        return {**turn, **turn["state"], **texts, **derived, "steps": lengths, "first": turn["state"]["count"] + 1,
                "folder": self.folder, "project": turn["state"]["project"] or self.state["project"],
                "time": moment(turn["stamp"])}


def is_by_summariser(record: JsonObject, blocks: Sequence[JsonObject]) -> bool:
    """Whether the record is the summary that the client wrote at a compaction."""
    if record.get("isCompactSummary"):
        return True
    first = text_of(blocks[0], "text") if blocks else ""
    return record.get("type") == "user" and first.startswith("This session is being continued")


def question_at_end(text: str) -> str:
    """The last paragraph of an answer, where it asks something; else empty.

    Redacted with what stands before it: a value alone in its paragraph was no secret without the words that named it.
    """
    end = text.rstrip()[-QUESTION_LOOKED_AT_CHARACTERS:]
    if not re.search(OPEN_QUESTION, end.rpartition("\n\n")[2]):
        return ""  # as of most answers, each of which is redacted once already
    last = redact(clean(end))[-4 * QUESTION_MAX_UTF16:].rpartition("\n\n")[2]
    return quote(last, QUESTION_MAX_UTF16) if re.search(OPEN_QUESTION, last) else ""


def decisions(texts: JsonObject) -> list[str]:
    """The sentences of a turn, typed or said, that settle something in plain English words: found before others."""
    settling = [texts[kind] for kind in ("prompt", "answer") if re.search(DECIDING, texts[kind])]
    sentences = [part.strip() for text in settling for part in re.split(r"(?<=[.!?。！？])\s+|\n", text)]
    statements = [part for part in sentences
                  if 8 < len(part) <= SENTENCE_MAX_CHARACTERS and not part.endswith(QUESTION_MARKS)]
    return [part for part in statements if re.search(DECIDING, part)]


def turns_of(path: str, start: int, stop: int, state: JsonObject) -> Iterator[tuple[JsonObject, int]]:
    """The turns of the transcript from a byte where a turn begins, each with the byte up to which that was read.

    The last one may still be open: reading on begins at its `start`, with its `state`.
    """
    name = os.path.basename(path).removesuffix(".jsonl")
    reader = Reader(state, name if SESSION_ID.match(name) else "unknown", "/subagents/" in path)
    reader.waiting = {at: own_words(text_of(record, "content"))
                      for at in reader.state["queue"] for record in records_of(path, at, at + 1)}
    for offset, record in in_order_of_thread(records_to_read(path, start, stop)):
        for turn in reader.add(record, offset):
            yield turn, offset
    if reader.turn:
        yield reader.close(), stop


def records_to_read(path: str, start: int, stop: int) -> Iterator[tuple[int, JsonObject]]:
    """The records of the lines that may tell something, each with the byte at which its line begins."""
    before = start
    for end, line in read_lines(path, start, stop):
        if not any(map(line[:MARKED_WITHIN_BYTES].__contains__, UNREAD_MARKS)) or BLOCK_BEHIND in line:
            needed, again, more = line.partition(b',"toolUseResult":')  # a result's second copy
            is_copy = again and b'"answers":' not in more and b'}{"' not in more
            for record in (parse_line(needed + b"}") if is_copy else []) or parse_line(line):
                yield before, record
        before = end


def summary_alone(text: str) -> str:
    """What the summary says, without the client's words before and behind it, as far as they are known."""
    begin = re.match(BEFORE_SUMMARY, text, re.DOTALL)
    behind = re.search(BEHIND_SUMMARY, text)
    return text[begin.end() if begin else 0:behind.start() if behind else len(text)].strip()


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def transcripts_folder() -> str:
    """Where the client keeps the transcripts, in a folder for each project; without links, so each has one name."""
    return os.path.realpath(os.path.join(config_folder(), "projects"))


def transcript_folders() -> list[str]:
    """The folders in it; none where it is not there."""
    folder = transcripts_folder()
    return [entry.path for entry in os.scandir(folder) if entry.is_dir()] if os.path.isdir(folder) else []


def transcripts_named(session: str) -> list[str]:
    """The paths of the session's transcript: one, in the folder of its project, or none."""
    paths = [os.path.join(folder, f"{session}.jsonl") for folder in transcript_folders()]
    return [path for path in paths if os.path.isfile(path)]


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours; one that is the same at every event stands there once.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500
LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


def line_without_time(message: str) -> str:
    """The line as it stands in hook.log, behind its time."""
    return quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line_without_time(message)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), HOOK_LOG)
        set_aside(path, LOG_MAX_BYTES)
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), HOOK_LOG), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]


def location_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
NOT_READ = "it is not used:"  # of a file as a whole
# Why a setting is not used, beside what it takes.
NO_SUCH_SETTING, OWN_ALONE = "there is no such setting", "a project cannot set it, only your config.json"
OFF_ALONE = "a project can only set it to false"
FAULTS_MAX, NAME_SHOWN_UTF16 = 20, 60  # settings that are named as not used
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (28_500, (500, 28_500)),
    "max_items": (800, (20, 2_000)),
    "ttl_minutes": (10, (1, 1_440)),
    "retention_days": (30, (1, 3_650)),
    "tail_bytes": (8 << 20, (64 << 10, 64 << 20)),
    "instructions": (True, ()),
    "gate": ("off", ("off", "hold")),
    "gate_holds": (2, (0, 20)),
    "gate_max": (0.90, (0.0, 0.95)),
    "archive": (True, ()),
    "archive_days": (180, (1, 36_500)),
    "archive_mb": (1_024, (1, 1 << 20)),
    "recall_note": (True, ()),
    "notes": (True, ()),
    "transcript_backup": ("off", ("off", "gzip")),
}
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def default_settings() -> Settings:
    """The settings where no file sets any."""
    values: Any = {name: default for name, (default, _) in SETTINGS.items()}
    settings: Settings = values
    return settings


def settings_for(project: str) -> Settings:
    """The settings in force in the project, "" for none; what a file sets and cannot is named in the log, once."""
    return settings_of(project, lambda path, faults: log_once(f"{path}: {'; '.join(faults)}"))


def settings_of(project: str, complain: Callable[[str, list[str]], None]) -> Settings:
    """The settings of the two files over the defaults; `complain` is told of each file what is not taken in it."""
    settings = default_settings()
    of_project = os.path.join(project, ".claude", "compact-keeper.json") if project else ""
    for path, is_own in ((own_settings_path(), True), (of_project, False)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        taken: Any = {name: value for name, value in values.items() if is_taken(name, value, is_own)}
        settings.update(taken)
        others = [name for name in values if name not in taken and name != "schema"]
        if others:
            complain(path, [f"{quote(name, NAME_SHOWN_UTF16)} is not used: {why_not(name, is_own)}"
                            for name in others[:FAULTS_MAX]])
    return settings


def own_settings_path() -> str:
    """The path of the person's config.json; empty where no data folder is known, as whatever writes says too."""
    try:
        return os.path.join(data_home(), "config.json")
    except Refusal:
        return ""


def is_taken(name: str, value: object, is_own: bool) -> bool:
    """Whether the setting of a file counts: the person's own (`is_own`), or a project's."""
    if name not in SETTINGS or not is_usable(name, value):
        return False
    return is_own or (name in OF_A_PROJECT and (name not in OFF_ONLY or value is False))


def why_not(name: str, is_own: bool) -> str:
    """What is wrong with a setting that is not used, and what it takes."""
    if name not in SETTINGS:
        return NO_SUCH_SETTING
    if not is_own and name not in OF_A_PROJECT:
        return OWN_ALONE
    if not is_own and name in OFF_ONLY:
        return OFF_ALONE
    default, values = SETTINGS[name]
    if isinstance(default, bool):
        return "it is true or false"
    if isinstance(default, str):
        return f"it is {' or '.join(json.dumps(value) for value in values)}"
    return f"it is a {'whole ' * isinstance(default, int)}number from {values[0]:,} to {values[1]:,}"


def read_settings(path: str, complain: Callable[[str, list[str]], None]) -> JsonObject:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except json.JSONDecodeError as fault:
        comma = " (a comma too many before it?)" if fault.doc[:fault.pos].rstrip()[-1:] == "," else ""
        location = f"line {fault.lineno}, column {fault.colno}"
        complain(path, [f"{NOT_READ} {location} is not as JSON has it: {fault.msg}{comma}"])
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(path, [f"{NOT_READ} {fault}"])
    return {}


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]


# ==================================================================================================
# archive/indexing.py: Takes transcripts into the archive: which ones, from where on, and how far it has come.
# ==================================================================================================

TURNS_PER_BATCH = 200  # that are stored in one go: so long other writers wait at most
QUIET_RUN_SECONDS = 60  # that a run beside a session takes at most


def transcripts(paths: Sequence[str]) -> list[str]:
    """The files named and the transcripts in the folders named; with none, those in the client's projects folder."""
    files = []
    for path in map(os.path.realpath, paths or [transcripts_folder()]):  # one name for each: see `source`
        below = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        if os.path.isdir(path):
            files += [file for file in below if file.endswith(".jsonl")]
        elif paths:
            files.append(path)
    return files


def is_kept_out(folder: str) -> bool:
    """Whether the folder, or one that it lies in, says that it stays out of the archive."""
    parts = folder.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts), 1, -1)]
    with_settings = [parent for parent in folders
                     if os.path.lexists(os.path.join(parent, ".claude", "compact-keeper.json"))]
    return any(not settings_for(parent)["archive"] for parent in with_settings or [folder])


def take_in(
        archive: Any, path: str, tell: Callable[[int, int], None], until: float, is_by_hand: bool = False) -> bool:
    """Stores what is new in a transcript, some turns at a time; stops at `until` (seconds since 1970), to go on later.

    Reading goes on where the last turn stored begins: it may have grown. Of a transcript that an older version took in
    all is read anew, and of what that one had read only the turns are stored that the archive still has. By hand what
    was passed over is read again where more days are kept since. `tell` is given the bytes and the new rows. Returns
    whether turns of it stay away since they are too old.
    """
    about = os.stat(path)
    forget_named_secrets()  # another session's
    source = archive.source(path, about)
    oldest = max(time.time() - 86_400 * settings_for("")["archive_days"], 0.0)  # 36,500 days lead to before 1970
    passed, is_noted = newest_passed(source)
    is_again = is_by_hand and not source["is_old"] and passed > oldest
    if source["size"] == about.st_size and not source["is_old"] and not is_again:
        tell(about.st_size, 0)
        return bool(source["state"].get("passed"))
    known_to = source["offset"]
    start, state, kept, too_old = known_to, source["state"], None, passed if is_noted else 0.0
    if source["is_old"] or is_again:
        start, state, too_old, is_noted = 0, {}, 0.0, True
        kept = archive.turns_kept(source["id"], known_to) if source["is_old"] else None
    kept_out = lru_cache(maxsize=None)(is_kept_out)  # each folder's settings are read once, and anew for the next file
    batch: list[JsonObject] = []
    read = 0
    turn = {"start": start, "state": state}
    for turn, end in turns_of(path, start, about.st_size, state):
        is_known = is_again and turn["time"] > passed and turn["start"] < known_to  # it was stored, or forgotten since
        if kept_out(turn["folder"]):
            turn["state"] = {name: value for name, value in turn["state"].items() if name not in NAMING}
        elif turn["time"] <= oldest:
            too_old = max(too_old, turn["time"])
        elif not is_known and (kept is None or turn["turn"] > known_to or turn["turn"] in kept):
            batch.append(turn)
        if len(batch) >= TURNS_PER_BATCH:
            state = {**turn["state"], **({"passed": too_old} if is_noted else {})}
            tell(end - read, archive.store(source["id"], batch, -1, turn["start"], state))
            batch, read = [], end
            if time.time() > until:
                return bool(too_old)
    state = {**turn["state"], **({"passed": too_old} if is_noted else {})}
    new = archive.store(source["id"], batch, about.st_size, turn["start"], state)
    tell(about.st_size - read, new)
    return bool(too_old)


def newest_passed(source: JsonObject) -> tuple[float, bool]:
    """The time of the newest turn of the transcript that was passed over as too old, 0 for none; whether it is noted.

    Versions up to 0.11.0 noted nothing of it: what they have passed over was older than is kept by default.
    """
    if "passed" in source["state"] or not source["offset"] + max(source["size"], 0):
        return float(source["state"].get("passed", 0.0)), True
    return time.time() - 86_400 * default_settings()["archive_days"], False


def complain(text: str) -> None:
    """Writes a line to stderr."""
    sys.stderr.write(f"compact-keeper: {text}\n")


def index_transcripts(archive: Any, paths: list[str], is_quiet: bool) -> None:
    """Takes in the transcripts and folders named, else all; then removes what is too old or too much.

    A quiet run goes on with what an older version has taken in, as long as it may run; the next one goes on there.
    """
    until = float("inf")
    if is_quiet:  # beside a session at work, which it outlives
        until = time.time() + QUIET_RUN_SECONDS
        if hasattr(os, "nice"):
            os.nice(10)
        if hasattr(os, "setsid") and os.getpid() != os.getpgrp():  # the first of a group may not
            os.setsid()
    there = transcripts(paths)
    if not there and not paths and not is_quiet:
        complain("Claude Code has kept no transcript here yet; others can be named: recall.py index PATH")
        return
    too_old = take_in_all(archive, there, is_quiet, until)
    if archive.has_old() and time.time() < until:
        take_in_all(archive, [path for path in transcripts([]) if archive.is_old(path)], True, until)
        if time.time() < until:
            archive.leave_old()
    settings = settings_for("")
    archive.retain(settings["archive_days"], settings["archive_mb"])
    if too_old and not is_quiet:
        files = f"{too_old:,} file{'s' if too_old > 1 else ''}"
        complain(f"{files} with turns older than {settings['archive_days']} days (archive_days), which are passed "
                 f"over. To take them in, set archive_days to more in {os.path.join(data_home(), 'config.json')} and "
                 "run this again")


def take_in_all(archive: Any, paths: Sequence[str], is_quiet: bool, until: float) -> int:
    """Takes in the transcripts named, until then; how many have turns that are too old."""
    progress, too_old = Progress(paths, is_quiet), 0
    for path in paths:
        if time.time() > until:
            break
        try:
            too_old += bool(take_in(archive, path, progress.tell, until, not is_quiet))
        except (OSError, Refusal) as fault:
            if not is_quiet:
                complain(f"{path} is left out: {fault}")
            elif not os.path.isdir(data_home()):  # removed since, and not made anew for this
                break
            elif not isinstance(fault, FileNotFoundError):  # a client that ends takes an empty folder of its away
                log(f"{path} is left out: {fault}")
        progress.done += 1
    progress.tell(0, 0, is_end=True)
    return too_old


# ==================================================================================================
# archive/later_edits.py: Where a file that a step wrote or edited was edited again later: what is shown of it then is no longer how it is.
# ==================================================================================================

EDITS_NAMED = 3  # the newest
MORE_ROWS = 8  # times as many


def path_changed(text: str) -> str:
    """The file that a step wrote or edited; empty for any other step, and where that failed or was rejected."""
    head = text.partition("\n")[0]
    is_change = head.startswith(CHANGING_CALLS) and f"\n{RESULT_LINE}ended" in text
    return head.partition(" ")[2] if is_change else ""


def later_edits(archive: Any, steps: Iterable[tuple[JsonObject, int | None, str]]) -> dict[int, dict[int, str]]:
    """Of steps, each with its row, number and text, in words where their files were edited later: by row and number.

    Those whose file was not edited again are not in it.
    """
    edits: dict[tuple[Any, str], list[tuple[int, str]]] = {}  # of a file in a transcript
    words: dict[int, dict[int, str]] = {}
    for row, number, text in sorted(steps, key=lambda step: step[0]["start"]):
        path = path_changed(text)
        if number and path:
            file = row["source"], path
            if file not in edits:  # it is looked for from the first row on
                edits[file] = newest_edits(archive, row["id"], path)
            later = [name for step, name in edits[file] if step > number]
            if later:
                more = "…, " * (len(later) > EDITS_NAMED)
                named = f"edited again since: {more}{', '.join(later[-EDITS_NAMED:])}"
                words.setdefault(row["id"], {})[number] = named
    return words


def newest_edits(archive: Any, row: int, path: str) -> list[tuple[int, str]]:
    """The newest edits of the file from a row on, by their numbers, each with how it is shown; those that were made."""
    heads, most = [f"{call}{path}\n" for call in CHANGING_CALLS], EDITS_NAMED + 1
    while True:
        rows = archive.changing(row, heads, most)
        edits = sorted((number, f"{there['id']}#{number}") for there in rows for number, _, text in steps_of_row(there)
                       if number and path_changed(text) == path)
        if len(edits) > EDITS_NAMED or len(rows) < most:
            return edits
        most *= MORE_ROWS  # in these some failed


# ==================================================================================================
# archive/lexemes.py: Words and terms as PostgreSQL takes them: a turn's words as a tsvector, a question's terms as a tsquery.
# ==================================================================================================

# Limits of a tsvector: positions of a lexeme (none is above 16,383: later words count as there), bytes of one and all.
MOST_POSITIONS, WORD_MAX_BYTES, VECTOR_MAX_BYTES = 255, 2_000, 1_000_000
PHRASE_MAX_WORDS = 64  # that are compared of a phrase: 5,000 take the server 38 s


def without_nul(value: Any) -> Any:
    """The value as PostgreSQL takes it; what stands for a character is one too, so that lengths stay."""
    return re.sub(NO_TEXT, "\ufffd", value) if isinstance(value, str) else value


def lexeme(kind: str, word: str) -> str:
    """The word as the index holds it for a kind."""
    return (kind[0] + word).encode()[:WORD_MAX_BYTES].decode("utf-8", "ignore")


def quoted_lexeme(text: str) -> str:
    """A lexeme as it is written in a vector or a query."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def vector(words: Mapping[str, Sequence[str]]) -> str:
    """The words of each kind as a tsvector, with their positions; of a monstrous turn, as many as it takes."""
    positions: dict[str, list[int]] = {}
    left = VECTOR_MAX_BYTES
    for kind, those in words.items():
        for position, word in enumerate(those, 1):
            entry = lexeme(kind, word)
            left -= 2 if entry in positions else len(entry.encode()) + 6
            if left > 0 and len(positions.get(entry, ())) < MOST_POSITIONS:
                positions.setdefault(entry, []).append(position)
    return " ".join(f"{quoted_lexeme(entry)}:{','.join(map(str, at))}" for entry, at in positions.items())


def term_words(term: str) -> list[str]:
    """The words of a term, which `question` writes as FTS5 takes it."""
    text: str = without_nul(term)
    return text.strip('"*').split()[:PHRASE_MAX_WORDS]


def text_query(term: str, kinds: Iterable[str]) -> str:
    """The term as a tsquery that finds it in any of the kinds."""
    ending = ":*" if term.endswith("*") else ""
    each = (" <-> ".join(quoted_lexeme(lexeme(kind, word)) for word in term_words(term)) for kind in kinds)
    return f"({' | '.join(f'{alternative}{ending}' for alternative in each)})"


def kinds_of(kind: str | None) -> Sequence[str]:
    """The kinds that are looked through: the one that is asked for, else all."""
    return [kind] if kind else KINDS


def query_of(groups: Iterable[Iterable[str]], kinds: Sequence[str]) -> str:
    """The rows that hold a term of each group in any of the kinds, as a tsquery."""
    return " & ".join(f"({' | '.join(text_query(term, kinds) for term in group)})" for group in groups)


# ==================================================================================================
# archive/server_queries.py: The archive's schema on a PostgreSQL server, and what the server is asked; see postgres.py.
# ==================================================================================================

MOST_NEAR_ROWS = 2_000  # with all terms, in which it is looked for those that stand close together
MIGRATIONS = ("""
CREATE TABLE turns(
    id bigserial PRIMARY KEY, uid text NOT NULL UNIQUE, host text NOT NULL, person text NOT NULL,
    time double precision NOT NULL, project text COLLATE "C", session text COLLATE "C", branch text, cycle integer,
    who text, source text, turn bigint, start bigint, hash text NOT NULL UNIQUE,
    prompt text, answer text, command text, file text, error text, decision text, steps text,
    size integer NOT NULL, words tsvector NOT NULL);
CREATE INDEX turns_by_words ON turns USING gin(words);
CREATE INDEX turns_by_session ON turns(session, time);
CREATE INDEX turns_by_source ON turns(source, turn);
CREATE INDEX turns_by_time ON turns(time);
CREATE INDEX turns_by_size ON turns(size);
CREATE TABLE vocabulary(word text COLLATE "C" PRIMARY KEY);
CREATE TABLE forgotten(mark text PRIMARY KEY);
-- The planner's statistics would keep pieces of what is forgotten.
ALTER TABLE vocabulary ALTER word SET STATISTICS 0;
ALTER TABLE turns ALTER project SET STATISTICS 0, ALTER session SET STATISTICS 0, ALTER branch SET STATISTICS 0,
    ALTER prompt SET STATISTICS 0, ALTER answer SET STATISTICS 0, ALTER command SET STATISTICS 0,
    ALTER file SET STATISTICS 0, ALTER error SET STATISTICS 0, ALTER decision SET STATISTICS 0,
    ALTER steps SET STATISTICS 0, ALTER words SET STATISTICS 0""", """
ALTER TABLE turns ADD COLUMN first integer""")
# SQL is put together of constants only; whatever comes from outside is a parameter.
# As question.condition_of; a condition whose parameter is NULL costs nothing. Of "C", lower() knows ASCII, as SQLite's.
FILTERED_SQL = f"""
    (%(project)s::text IS NULL OR project = %(folder)s OR starts_with(project, %(folder)s || '/')
     OR right(project, length(%(end)s) + 1) = '/' || %(end)s)
AND (%(session)s::text IS NULL OR starts_with(session, %(session)s))
AND (%(since)s::float8 IS NULL OR time >= %(since)s) AND (%(until)s::float8 IS NULL OR time < %(until)s)
AND (%(match)s::text IS NULL
     OR position(lower(%(bare)s COLLATE "C") IN lower(concat_ws(chr(10), {', '.join(KINDS)}) COLLATE "C")) > 0)
AND (%(pattern)s::text IS NULL OR concat_ws(chr(10), {', '.join(KINDS)}) COLLATE "C" ~* %(pattern)s)"""
SENT_SQL = ", ".join(("uid", "host", "person", *COLUMNS, "size", "words"))
SHOWN_SQL = ", ".join(f"turns.{name}" for name in ("id", "host", "person", *COLUMNS))
PUT_SQL = f"""
WITH new AS (SELECT * FROM json_populate_recordset(NULL::turns, %(rows)s) AS sent
             WHERE NOT EXISTS (SELECT FROM turns WHERE hash = sent.hash AND uid <> sent.uid)
             AND NOT EXISTS (SELECT FROM forgotten WHERE mark IN (sent.uid, sent.hash))),
told AS (INSERT INTO vocabulary SELECT DISTINCT substr(lexeme, 2) FROM new, unnest(words) ON CONFLICT DO NOTHING)
INSERT INTO turns({SENT_SQL}) SELECT {SENT_SQL} FROM new
ON CONFLICT (uid) DO UPDATE SET ({SENT_SQL}) = ROW({', '.join(f'excluded.{name}' for name in SENT_SQL.split(', '))})
"""
COUNTED_SQL = """
SELECT (SELECT count(*) FROM (SELECT FROM turns WHERE words @@ query::tsquery LIMIT %(most)s) AS these) AS count
FROM unnest(%(queries)s::text[]) WITH ORDINALITY AS asked(query, number) ORDER BY number"""
NEWEST_SQL = f"""
SELECT id FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL} ORDER BY time DESC, id DESC LIMIT {BEST}"""
# Of each vector only the lexemes that are asked for are taken apart: setweight marks them, and ts_filter drops all
# others. A term stands where each of its words stands as far behind the first as in the term.
WORD_SQL = """
word AS (SELECT * FROM unnest(%(lexemes)s::text[], %(of)s::int[], %(indexes)s::int[], %(weights)s::float8[])
         AS word(lexeme, term, word_index, weight))"""
HELD_SQL = "ts_filter(setweight(words, 'A', %(lexemes)s::text[]), '{a}') AS held"
STANDS_SQL = """
unnest(held) AS has JOIN word USING (lexeme), unnest(has.positions) AS position"""
# BM25 as FTS5 has it, and what a row gains by each query that finds it too.
RANKED_SQL = f"""
WITH {WORD_SQL},
found AS (SELECT id, size, {HELD_SQL},
                 (SELECT coalesce(sum(gain), 0) FROM unnest(%(also)s::text[], %(gains)s::float8[]) AS also(query, gain)
                  WHERE words @@ query::tsquery) AS gain
          FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL}),
stands AS (SELECT id, size, term, weight FROM found, {STANDS_SQL}
           GROUP BY id, size, term, weight, left(lexeme, 1), position - word_index
           HAVING count(*) = (%(lengths)s::int[])[term]),
often AS (SELECT id, size, term, sum(weight) AS often FROM stands GROUP BY id, size, term),
scored AS (SELECT id, sum((%(worths)s::float8[])[term] * often * 2.2
                          / (often + 1.2 * (0.25 + 0.75 * size / %(average)s::float8))) AS score
           FROM often GROUP BY id)
SELECT id FROM found LEFT JOIN scored USING (id) ORDER BY coalesce(score, 0) + gain DESC, id DESC LIMIT {BEST}"""
# The last of the terms stands somewhere, and of each one begins so many words before it ends, at most. Row by row, the
# newest first, and no further than to the last that is wanted.
NEAR_SQL = f"""
WITH {WORD_SQL},
held AS (SELECT id, time, {HELD_SQL} FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL}
         ORDER BY time DESC, id DESC LIMIT {MOST_NEAR_ROWS})
SELECT id FROM held WHERE EXISTS (
    WITH stands AS (SELECT left(lexeme, 1) AS kind, term, position - word_index AS position FROM {STANDS_SQL}
                    GROUP BY 1, 2, 3 HAVING count(*) = (%(lengths)s::int[])[term])
    SELECT FROM stands AS last JOIN stands AS term USING (kind)
    WHERE term.position BETWEEN last.position - (%(lengths)s::int[])[term.term] - {NEAR_WORDS} AND last.position
    GROUP BY kind, last.position HAVING count(DISTINCT term.term) = cardinality(%(lengths)s::int[]))
ORDER BY time DESC, id DESC LIMIT {BEST}"""
ROWS_SQL = f"SELECT {SHOWN_SQL} FROM turns WHERE id = ANY(%(ids)s::bigint[]) ORDER BY time, start"
AROUND_SQL = f"""
WITH of_source AS (SELECT id, dense_rank() OVER (ORDER BY turn) AS turn_rank FROM turns
                   WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
here AS (SELECT turn_rank FROM of_source WHERE id = %(number)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), here
WHERE abs(of_source.turn_rank - here.turn_rank) <= greatest(%(context)s, 0) ORDER BY time, start"""
STEPS_SQL = f"""
WITH of_source AS (SELECT id, first FROM turns WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
begin AS (SELECT coalesce(max(first), 0) AS step FROM of_source WHERE first <= %(first)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), begin
WHERE turns.first BETWEEN begin.step AND %(last)s ORDER BY start"""
CHANGING_SQL = f"""
SELECT {SHOWN_SQL} FROM turns, (SELECT source, start FROM turns WHERE id = %(number)s) AS here
WHERE turns.source = here.source AND turns.start >= here.start
AND EXISTS (SELECT FROM unnest(%(heads)s::text[]) AS head WHERE position(head IN file) > 0)
ORDER BY turns.start DESC LIMIT %(most)s"""
NEWEST_ROW_SQL = """
SELECT id FROM turns WHERE session = %(session)s AND who = 'person' ORDER BY time DESC, start DESC LIMIT 1"""
TAGGED_SQL = f"""
SELECT {SHOWN_SQL} FROM turns WHERE position(%(tag)s IN steps) > 0 AND (session = %(session)s
    OR %(session)s = '' AND id IN (SELECT id FROM turns ORDER BY time DESC LIMIT {MOST_ROWS})) ORDER BY time, start"""
FORGET_SQL = f"""
WITH gone AS (DELETE FROM turns WHERE {FILTERED_SQL} RETURNING uid, hash, words),
marked AS (INSERT INTO forgotten SELECT uid FROM gone UNION SELECT hash FROM gone ON CONFLICT DO NOTHING)
SELECT (SELECT count(*) FROM gone) AS count,
       ARRAY(SELECT DISTINCT substr(lexeme, 2) FROM gone, unnest(words)) AS words"""
NAMED_SQL = f"""
SELECT coalesce((array_agg(id ORDER BY id))[:%(most)s], '{{}}') AS numbers,
       coalesce(sum(json_array_length(steps::json)), 0)::bigint AS steps FROM turns WHERE {FILTERED_SQL}"""
FIGURES_SQL = """
SELECT count(*) AS turns, count(*) FILTER (WHERE who = 'summary') AS summaries,
       count(*) FILTER (WHERE who = 'subagent') AS subagents, min(time) AS first, max(time) AS last,
       count(DISTINCT (host, session)) AS sessions, count(DISTINCT (host, project)) AS projects,
       count(DISTINCT host) AS hosts, count(DISTINCT person) AS persons,
       pg_total_relation_size('turns') + pg_total_relation_size('vocabulary') AS bytes FROM turns"""


# ==================================================================================================
# archive/postgres.py: The archive of several machines on a PostgreSQL server: searched as this machine's is, and filled from it.
# ==================================================================================================

SERVER_VARIABLE = "COMPACT_KEEPER_ARCHIVE"  # names the PostgreSQL server that is searched instead of the archive here
# One @ at most, ports are numbers: libpq would take the rest of an odd password for a host or port, and tell it.
ADDRESS = (r"postgres(?:ql)?://(?:[^\s:/?#@]*(?::[^\s/?#@]*)?@)?"
           r"(?:\[[\da-fA-F:.%]*\]|[^\s:/?#@\[\]]|:\d{1,5}(?=[,/?]|\Z))*(?:[/?][^\s@]*)?\Z")
CONNECTION = {  # each unless the address says otherwise; without the last two a cut line is noticed after hours
    "connect_timeout": 5, "client_encoding": "utf8", "application_name": "compact-keeper",
    "keepalives_idle": 10, "tcp_user_timeout": 30_000}
# A small table would be read row by row, each vector taken apart; compiling a query takes longer than the query.
SESSION_OPTIONS = ("-c search_path=compact_keeper -c statement_timeout=30s -c idle_in_transaction_session_timeout=60s "
                   "-c enable_seqscan=off -c jit=off")
LOCK = 0x636B7074  # of one who writes: writers take turns, so nothing is stored twice and none waits for the other


class Away(Refusal):
    """Says why the server cannot be asked now; later it may be."""


def rarity(count: int, rows: int) -> float:
    """What a term is worth that stands in so many of the rows."""
    return max(math.log((max(rows - count, 0) + 0.5) / (count + 0.5)), 1e-6)


def server_filters(search: JsonObject) -> JsonObject:
    """The filters as PostgreSQL takes them, None where one is not set: the parameters of FILTERED_SQL."""
    names = ("project", "session", "since", "until", "match")
    filters = {name: without_nul(search.get(name)) or None for name in names}
    project = filters["project"] or ""
    bare, pattern = words_and_pattern(filters["match"]) if filters["match"] else ("", "")
    return {**filters, "bare": bare, "pattern": pattern or None,
            "folder": os.path.realpath(project).rstrip("/"), "end": project.rstrip("/")}


def with_hosts(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """The rows, of this machine without its name: only others' are worth telling."""
    here = without_nul(host_name())
    return [{**row, "host": "" if row["host"] == here else row["host"]} for row in rows]


def host_name() -> str:
    """The name of this machine."""
    from socket import gethostname
    return gethostname()


def at_home(task: Callable[[Archive], int]) -> int:
    """The result of a task for this machine's archive."""
    archive = Archive()
    with closing(archive.db):
        return task(archive)


def driver() -> Any:
    """psycopg; refused with what to do where it is missing."""
    from importlib import import_module
    if sys.flags.no_site:  # skills start Python without what is installed for it
        import_module("site").main()
    try:
        return import_module("psycopg")
    except ImportError:
        raise Refusal(f"{SERVER_VARIABLE} needs psycopg 3 (Debian: apt-get install python3-psycopg; else: "
                      f"{sys.executable} -m pip install 'psycopg[binary]')") from None


class Server:
    """The archive on a server: what the commands ask of `Archive`, and `put`."""

    cut_at = 0.0  # all is looked at
    counted: Mapping[str, int] = {}  # terms of the last search that stand somewhere

    def __init__(self, url: str) -> None:
        """`url`: the server's address, with a password that no refusal may tell."""
        self.psycopg = driver()
        about, self.secret = {}, ""
        if re.match(ADDRESS, url) and not re.search(NO_TEXT, url):
            with self.refusals(f"{SERVER_VARIABLE} is no address of a PostgreSQL server"):
                about = self.psycopg.conninfo.conninfo_to_dict(url)
        if not about:
            raise Refusal(f"{SERVER_VARIABLE} is no address like postgresql://name:password@host/database; "
                          "an @ in the password is written %40")
        self.secret, self.url = about.get("password", ""), re.sub(":[^/@]*@", "@", url.partition("?")[0])
        options = f"{about.pop('options', '')} {SESSION_OPTIONS}"
        with self.refusals():
            self.db = self.psycopg.connect(**{**CONNECTION, **about}, options=options, autocommit=True,
                                           prepare_threshold=None, row_factory=self.psycopg.rows.dict_row)
        try:
            self.check()
        except Refusal:
            self.db.close()
            raise

    def check(self) -> None:
        """Refuses a database that cannot hold the archive; brings the schema up to date."""
        if (encoding := self.db.info.parameter_status("server_encoding")) != "UTF8":
            raise Refusal(f"the database at {self.url} is encoded in {encoding}; the archive needs one in UTF8")
        if self.version() < len(MIGRATIONS):
            self.migrate()
        if (version := self.version()) > len(MIGRATIONS):
            raise Refusal(f"the archive at {self.url} has version {version}, this compact-keeper knows "
                          f"{len(MIGRATIONS)}: update it")

    @contextmanager
    def refusals(self, instead: str = "") -> Iterator[None]:
        """Makes a refusal in one line of what PostgreSQL says, without the password; or says this instead."""
        try:
            yield
        except self.psycopg.Error as fault:
            text = instead or " ".join((fault.diag.message_primary or str(fault)).split())[:300]
            text = text.replace(self.secret, "…") if self.secret else text
            is_away = isinstance(fault, self.psycopg.OperationalError)
            raise (Away if is_away else Refusal)(f"the archive's server: {text}") from None

    def ask(self, query: str, **values: Any) -> list[JsonObject]:
        """The rows that a query finds, none for a command."""
        with self.refusals():
            cursor = self.db.execute(query, values or None)
            return [*cursor] if cursor.description else []

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction, once no other writes."""
        with self.refusals(), self.db.transaction():
            self.ask("SELECT pg_advisory_xact_lock(%(lock)s)", lock=LOCK)
            yield

    def version(self) -> int:
        """How many migrations the schema has seen."""
        [row] = self.ask("SELECT to_regclass('versions') IS NOT NULL AS is_there")
        return self.ask("SELECT count(*) AS count FROM versions")[0]["count"] if row["is_there"] else 0

    def migrate(self) -> None:
        """Takes the steps that are left; of several processes that come at once the first does."""
        with self.writing():
            self.ask("SET LOCAL statement_timeout = 0")
            self.ask("CREATE SCHEMA IF NOT EXISTS compact_keeper")
            self.ask("CREATE TABLE IF NOT EXISTS versions(version integer PRIMARY KEY, "
                     "since timestamptz DEFAULT now())")
            version = self.version()
            for number, step in enumerate(MIGRATIONS[version:], version + 1):
                self.ask(step)
                self.ask("INSERT INTO versions(version) VALUES(%(number)s)", number=number)

    # filling and removing

    def put(self, rows: Sequence[JsonObject]) -> None:
        """Stores the rows, without what was forgotten or stands there from another host; grown ones keep their id."""
        with self.writing():
            self.ask(PUT_SQL, rows=json.dumps(rows, ensure_ascii=False))

    def forget(self, filters: JsonObject) -> int:
        """Removes the turns that the filters name, for all hosts, then from this machine's archive; how many."""
        filtered = server_filters(filters)
        with self.writing():
            self.ask("SET LOCAL statement_timeout = 0")
            gone = self.ask(FORGET_SQL, **filtered)[0]
            counts = self.counts([f'"{word}"' for word in gone["words"]], None, 1)
            unused = [word for word, count in zip(gone["words"], counts) if not count]
            self.ask("DELETE FROM vocabulary WHERE word = ANY(%(unused)s)", unused=unused)
        here = at_home(lambda archive: archive.forget(filtered))
        self.ask("SET statement_timeout = 0")
        self.ask("VACUUM (FULL) turns, vocabulary")  # else their pages hold what was deleted until it is overwritten
        return max(int(gone["count"]), here)

    # searching

    def rows_in_all(self) -> int:
        """How many rows there are."""
        return int(self.ask("SELECT count(*) AS count FROM turns")[0]["count"])

    def counts(self, terms: Sequence[str], kind: str | None, most: int) -> list[int]:
        """In how many rows each of the terms stands, in this kind or in any, counted up to `most`."""
        queries = [text_query(term, kinds_of(kind)) for term in terms]
        return [row["count"] for row in self.ask(COUNTED_SQL, queries=queries, most=most)]

    def rows_with(self, term: str, most: int) -> int:
        """In how many rows a term stands, counted up to `most`."""
        return self.counts([term], None, most)[0]

    def known_of(self, words: Iterable[str]) -> list[str]:
        """Those of the words that the archive has, the commonest first."""
        known = [row["word"] for row in self.ask("SELECT word FROM vocabulary WHERE word = ANY(%(words)s)",
                                                 words=[*words])]
        counts = dict(zip(known, self.counts([f'"{word}"' for word in known], None, MOST_ROWS)))
        return sorted(known, key=lambda word: -counts[word])

    def beginning(self, begin: str) -> list[str]:
        """The shortest words of the archive that begin so."""
        rows = self.ask("SELECT word FROM (SELECT word FROM vocabulary WHERE word >= %(begin)s AND word < %(end)s "
                        "ORDER BY word LIMIT 5000) AS these ORDER BY length(word), word LIMIT %(most)s",
                        begin=begin, end=f"{begin}\U0010ffff", most=BEGINNING)
        return [row["word"] for row in rows]

    def find(self, search: JsonObject) -> list[JsonObject]:
        """The best passages for a question with its filters, best first, each with its `score`."""
        return find_passages(self, search)

    def ranked(self, rare: Sequence[str], common: Mapping[str, float], search: JsonObject) -> list[int]:
        """The ids of the best rows with a rare term by BM25, and by what those gain that hold a common one too."""
        kinds = kinds_of(search["kind"])
        totals = self.ask("SELECT count(*) AS rows, coalesce(avg(size), 1)::float8 AS average FROM turns")[0]
        worths = [rarity(count, totals["rows"]) for count in self.counts(rare, search["kind"], MOST_ROWS + 1)]
        return self.ids(RANKED_SQL, wanted=query_of([rare], kinds), average=max(totals["average"], 1), worths=worths,
                        also=[text_query(term, kinds) for term in common], gains=[*common.values()],
                        **server_filters(search), **self.parts(rare, kinds))

    def newest(self, groups: Sequence[Sequence[str]], search: JsonObject) -> list[int]:
        """The ids of the newest rows that hold a term of each group, newest first."""
        return self.ids(NEWEST_SQL, wanted=query_of(groups, kinds_of(search["kind"])), **server_filters(search))

    def newest_near(self, terms: Sequence[str], search: JsonObject) -> list[int]:
        """The ids of the newest rows in which all terms stand close together, newest first."""
        kinds = kinds_of(search["kind"])
        return self.ids(NEAR_SQL, wanted=query_of([[term] for term in terms], kinds), **server_filters(search),
                        **self.parts(terms, kinds))

    def ids(self, query: str, **values: Any) -> list[int]:
        """The ids of the rows that a query finds."""
        return [row["id"] for row in self.ask(query, **values)]

    def rows_of(self, ids: Sequence[int]) -> list[JsonObject]:
        """The rows with these ids, in the order of their time."""
        return with_hosts(self.ask(ROWS_SQL, ids=[*ids]))

    def parts(self, terms: Sequence[str], kinds: Sequence[str]) -> JsonObject:
        """The lexemes of the terms, each with its term's number, its index in the term and its kind's weight."""
        parts, split = [], [term_words(term) for term in terms]
        weights = {kind: float(weight) for kind, weight in zip(KINDS, WEIGHTS.split(","))}
        for number, (term, words) in enumerate(zip(terms, split), 1):
            for index, word in enumerate(words):
                begins = term.endswith("*") and index == len(words) - 1
                those = self.beginning(word) if begins else [word]
                parts += [(lexeme(kind, form), number, index, weights[kind]) for form in those for kind in kinds]
        names = ("lexemes", "of", "indexes", "weights")
        return {**dict(zip(names, map(list, zip(*parts)))), "lengths": [len(words) for words in split]}

    def around(self, number: int, context: int) -> list[JsonObject]:
        """All parts of the turn, and of as many turns of its session on either side."""
        return with_hosts(self.ask(AROUND_SQL, number=number, context=context))

    def with_steps(self, number: int, first: int, last: int) -> list[JsonObject]:
        """The rows of the turn's transcript that hold the steps from `first` to `last`, by their numbers."""
        return with_hosts(self.ask(STEPS_SQL, number=number, first=first, last=last))

    def changing(self, number: int, heads: Sequence[str], most: int) -> list[JsonObject]:
        """The newest rows of the turn's transcript, from that one on, with one of these among the files."""
        return with_hosts(self.ask(CHANGING_SQL, number=number, heads=[*heads], most=most))

    def newest_of(self, session: str) -> int:
        """The newest row of a session's main thread; 0 without one."""
        return next((row["id"] for row in self.ask(NEWEST_ROW_SQL, session=session)), 0)

    def tagged(self, session: str, tag: str) -> list[JsonObject]:
        """The rows of the session with a step of this tag; where it has none, those among the newest of all."""
        return next(filter(None, (with_hosts(self.ask(TAGGED_SQL, session=name, tag=f'"{tag}"'))
                                  for name in (session, ""))), [])

    def count(self, filters: JsonObject) -> int:
        """How many turns the filters name, here or there."""
        filtered = server_filters(filters)
        there = self.ask(f"SELECT count(*) AS count FROM turns WHERE {FILTERED_SQL}", **filtered)
        return max(int(there[0]["count"]), at_home(lambda archive: archive.count(filtered)))

    def named_by(self, filters: JsonObject, most: int) -> tuple[list[int], int]:
        """The numbers of the first turns there that the filters name, so many at most, and how many steps all have."""
        row = self.ask(NAMED_SQL, most=most, **server_filters(filters))[0]
        return row["numbers"], int(row["steps"])

    def figures(self) -> JsonObject:
        """What the archive holds, each with its name."""
        return {"archive": self.url, **self.ask(FIGURES_SQL)[0]}


# ==================================================================================================
# archive/wording.py: How passages and turns of the archive are worded: a hit in a few lines, a turn step by step, pages of a long text.
# ==================================================================================================

GOES_ON = "    …"  # before the rest of a line on the next page
READ_ALONE = "  → ended"  # below a file that was read, where its outline says nothing
FIRST_LINE_CHARACTERS = 160  # of a step that is shown as a neighbour
LONG_CHARACTERS = 1_000  # of a step: where a hit ends before such a one does, it says how to read on
PAGED_CHARACTERS = 1_500  # a longer step may need more than an agent's page of 2,000
HIT_CHARACTERS = 250  # a hit in less room says nothing
LEAST_SCORE = 0.01  # which counts for a passage that has less, as for its share of the room
STEP_WORDS = {"prompt": "typed", "answer": "said", "command": "ran", "file": "file", "error": "error",
              "decision": "decided"}
AUTHOR_WORDS = {"person": "", "summary": " · a summary of the client's", "subagent": " · a subagent's work"}


def word_for(kind: str, text: str) -> str:
    """What is said before a step of this kind: of a plan that the person approved in another session not "said"."""
    return "plan" if kind == "answer" and text.startswith(PASTED_PLAN) else STEP_WORDS[kind]


def on_one_line(path: str) -> str:
    """The path as it is shown: line breaks in it end no line."""
    return " ".join(path.split())


def name_of(passage: JsonObject) -> str:
    """By what a passage is shown: its row and its step; of a row of version 0.6.0 the row alone."""
    return f"{passage['id']}#{passage['step']}" if passage["step"] else f"{passage['id']}"


class Steps:
    """Which steps are shown whole, and how many before and behind them in a line each."""

    def __init__(self, first: int, last: int, near: int = 0) -> None:
        """No NamedTuple: to import typing takes 2.4 ms of a search's 45."""
        self.first, self.last, self.near = first, last, near

    def holds(self, number: int | None) -> bool:
        """Whether the step with this number is shown whole."""
        return self.first <= (number or 0) <= self.last


ALL_STEPS = Steps(0, 1 << 62)  # those of old rows too, which have no numbers


# --- hits ---


def hit_of(passage: JsonObject, most: int) -> JsonObject:
    """What a search says of a passage, in a snippet of about so many characters.

    `more`: how to see the rest where the snippet ends before a long step does; else empty.
    """
    kind, following = next_words(passage)
    kept = {name: passage[name] for name in ("id", "step", "score", "project", "session", "branch", "cycle", "who",
                                             "kind", "again")}
    lines, name = excerpt(passage["text"], passage["worth"], most), name_of(passage)
    text, end = passage["text"].rstrip(), "".join(lines[-1:])
    page = ", then --page 2" if len(text) > PAGED_CHARACTERS else ""
    is_cut = len(text) > LONG_CHARACTERS and end.endswith(LEFT_OUT_LINE) and end != text.rpartition("\n")[2]
    more = f"show {name}{page}" if is_cut else ""
    return {**kept, "name": name, "more": more, "host": passage.get("host", ""), "time": local_time(passage["time"]),
            "next": f"{word_for(kind, following)}: {following}" if following else "",
            "edited_again": passage.get("edited_again", ""), "snippet": "\n".join(lines)}


def hits_within(passages: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """What is said of the passages that have room in so many characters together; all of each with 0.

    The better a passage, the more room it has; what a short one leaves goes to the others.
    """
    room = most or 1 << 30
    shown = passages[:max(room // HIT_CHARACTERS, 1)]
    heads = [len(hit_text(index, {**hit_of(passage, 0), "snippet": ""})) + 2 for index, passage in enumerate(shown)]
    weights = [math.sqrt(max(passage["score"], LEAST_SCORE)) for passage in shown]
    needs = [head + len(passage["text"]) + LINE_INDENT_CHARACTERS * passage["text"].count("\n")
             for head, passage in zip(heads, shown)]
    hits: dict[int, JsonObject] = {}
    left = sorted(range(len(shown)), key=lambda index: needs[index] / weights[index])
    while left:
        share = weights[left[0]] / sum(weights[index] for index in left)
        index = left.pop(0)
        hits[index] = hit_of(shown[index], int(room * share) - heads[index])
        room -= len(hit_text(index, hits[index])) + 1
    return [hits[index] for index in sorted(hits)]


def hit_text(number: int, hit: JsonObject) -> str:
    """A hit: a line that says where it stands, then its passage."""
    shown = hit["snippet"].removesuffix(f"\n{LEFT_OUT_LINE}") if hit["more"] else hit["snippet"]
    first, *lines = shown.split("\n")
    rest = f"   {LEFT_OUT_LINE} goes on: {hit['more']}"
    return "\n".join([f"{number}. {hit_heading(hit)}", f"   {word_for(hit['kind'], first)}: {first}",
                      *(f"      {line}" for line in lines),
                      *([rest] if hit["more"] else []),
                      *([f"   {hit['edited_again']}"] if hit["edited_again"] else []),
                      *([f"   next, {hit['next']}"] if hit["next"] else [])])


def hit_heading(hit: JsonObject) -> str:
    """Where a hit comes from, and how it is shown."""
    branch = f" · {hit['branch']}" if hit["branch"] else ""
    host = f" on {hit['host']}" if hit["host"] else ""
    again = f" · {hit['again']} more the same" if hit["again"] else ""
    origin = f"{hit['time']} · {on_one_line(os.path.basename(hit['project']))}{host}{branch}{AUTHOR_WORDS[hit['who']]}"
    return f"{origin} · show {hit['name']}{again}"


def hit_in_a_line(hit: JsonObject) -> str:
    """The hit on a line of its own."""
    lines = filter(None, map(str.strip, hit["snippet"].split("\n")))
    return f"- {hit_heading(hit)} · {word_for(hit['kind'], hit['snippet'])}: {' ⏎ '.join(lines)}"


def hits_text(hits: Sequence[JsonObject]) -> str:
    """The hits, numbered."""
    return "\n".join(hit_text(number, hit) for number, hit in enumerate(hits, 1))


# --- turns ---


def origin_of(row: JsonObject) -> str:
    """Where a row's turn stands: project, branch, session, after how many compactions, whose words."""
    branch = f" · branch {row['branch']}" if row["branch"] else ""
    cycles = f" · after {count_shown(row['cycle'], 'compaction')}" if row["cycle"] else ""
    host = f" on {row['host']}" if row.get("host") else ""
    return (f"{on_one_line(row['project'])}{host}{branch} · session {row['session']}{cycles}"
            f"{AUTHOR_WORDS[row['who']]}")


def turn_lines(row: JsonObject, steps: Steps, before: str = "") -> Iterator[str]:
    """A row for reading: its turn's number, time, origin, then those of its steps; nothing where it has none of them.

    The origin is left out where it is the one `before`.
    """
    origin = origin_of(row)
    head = [f"turn {row['id']} · {local_time(row['time'])}{f' · {origin}' if origin != before else ''}"]
    for number, kind, text in steps_of_row(row):
        line, *more = text.splitlines() or [""]
        if line.startswith("Read ") and more == [READ_ALONE]:
            more = [f"{READ_ALONE} (what a file says is not kept)"]
        mark = f"{f'#{number} ' if number else ''}{word_for(kind, text)}: "
        if steps.holds(number):
            again = [f"  ({row['edited_again'][number]})"] if number in row.get("edited_again", {}) else []
            yield from [*head, f"  {mark}{line}", *(f"    {line}" for line in [*more, *again])]
            head = []
        elif steps.first - steps.near <= (number or 0) <= steps.last + steps.near:
            is_cut = more or len(line) > FIRST_LINE_CHARACTERS
            yield from [*head, f"  {mark}{line[:FIRST_LINE_CHARACTERS]}{' …' if is_cut else ''}"]
            head = []


def pages_of(text: str, size: int) -> list[str]:
    """The text in pages of at most so many characters, each of whole lines unless one is longer than half a page.

    What goes on in the middle of a line stands further in, as later lines of a text do.
    """
    pages, start = list[str](), 0
    while start < len(text):
        goes_on = GOES_ON if start and text[start - 1] != "\n" else ""
        end = start + size - len(goes_on)
        behind_line = text.rfind("\n", start + size // 2, end) + 1 if end < len(text) else 0
        pages.append(goes_on + text[start:behind_line or end].rstrip("\n"))
        start = behind_line or end
    return pages


def numbered_lines(lines: Sequence[str], indexes: Iterable[int]) -> list[str]:
    """Those of the lines, each with its number from 1 on."""
    return [f"{index + 1:>5} {lines[index]}" for index in indexes]


# ==================================================================================================
# archive/search.py: The passages that answer a question, of this machine's archive or the server's, and what there is to say of them.
# ==================================================================================================

PASSAGES_BY_DEFAULT = 3
ANSWER_MAX_CHARACTERS = 2_000  # of an answer, unless it is asked for more
NOTHING = "nothing found; fewer or other words may find it"
NOTHING_HERE = "nothing found with these filters"
OLDER = "older"
FILTER_WORDS = {  # what is not seen for a filter
    "kind": "of another kind", "project": "of another project", "session": "of another session", "since": OLDER,
    "until": "newer"}
EMPTY = ("the archive is empty: it fills itself after each turn from now on. What was there before is taken in by "
         f"`python3 \"{os.path.abspath(__file__)}\" index`, as far back as the setting `archive_days` says (180).")
SWITCHED_OFF = "the archive is switched off {}: what is done here does not come in"
CUT = "words that stand everywhere: looked for in what is newer than {0}; --until {0} looks further back"
WEAK_SHARE = 0.5  # of what was asked; where the best passage holds less, that is said
UNFINISHED_TURN_SECONDS = 1.0  # for which the running session's newest records are read before a search
RUNNING_SESSION = "CLAUDE_CODE_SESSION_ID"  # how the client names it to what it starts
SESSION_MAX_CHARACTERS = 100


def server_named() -> str:
    """The address of the server that is asked instead of this machine's archive; empty without one."""
    url = os.environ.get(SERVER_VARIABLE, "")
    return "" if url == "off" else url


def open_archive(instead: bool = False) -> Any:
    """The archive that is asked: the server's where one is named; this machine's `instead` while that one is away."""
    if not (url := server_named()):
        return Archive(is_made=False)
    try:
        return Server(url)
    except Away as fault:
        if not instead:  # numbers of turns differ, and what is forgotten has to be forgotten there
            raise
        sys.stderr.write(f"compact-keeper: {fault}; this machine's archive answers\n")
        return Archive(is_made=False)


def take_in_running_session() -> None:
    """Takes in what the running session has added since its last save, its unfinished turn too; gives up at once."""
    session = os.environ.get(RUNNING_SESSION, "")
    if os.environ.get(SERVER_VARIABLE) or not re.fullmatch(rf"[\w-]{{1,{SESSION_MAX_CHARACTERS}}}", session):
        return
    with suppress(OSError, Refusal, sqlite3.Error):
        for path in transcripts_named(session):
            until = time.time() + UNFINISHED_TURN_SECONDS
            take_in(Archive(UNFINISHED_TURN_SECONDS), path, lambda _read, _new: None, until)


def passages_for(text: str, filters: JsonObject) -> tuple[list[JsonObject], list[str]]:
    """The best passages for a question, and what there is to say of them.

    Words in quotes need not occur where nothing has them; where only a filter keeps back what does, that is said. A
    secret in the question is replaced as it is in what is kept: what is said of words that occur nowhere would repeat
    it.
    """
    question(text)  # refused where it is too long to be looked through
    text = redact(clean(text))
    take_in_running_session()
    archive = open_archive(instead=True)
    search = {"kind": None, **filters, **question(text)}
    passages, cut_at = archive.find(search), archive.cut_at
    notes: list[str] = []
    if not passages:
        elsewhere = steps_elsewhere(archive, search)
        if search["must"]:
            phrases = search["phrases"]
            search = {**search, **question(text.replace('"', " "))}
            passages = archive.find(search)
            cut_at = max(cut_at, archive.cut_at)
            notes += notes_on_quotes(archive, phrases, search, elsewhere, bool(passages))
        elif elsewhere:
            notes.append(f"not here, but {elsewhere}")
    if cut_at:
        notes.append(CUT.format(local_time(cut_at + 60).replace(" ", "T")))
    nowhere = {word: term for word, term in search["words"].items() if not occurs(archive, term)}
    instead = {word: near for word, term in nowhere.items() if (near := words_near(archive, search, term))}
    is_any_there = bool(search["must"]) or any(occurs(archive, term) for term in search["terms"])
    if not is_any_there and len(instead) <= len(nowhere) / 2:
        passages = []  # of words that only look like some of those that were asked for
    if nowhere:
        looked_for = [word for near in instead.values() for word in near] if passages else []
        substitutes = f"; looked for {listed(looked_for)} instead" if looked_for else ""
        notes.append(f"no step holds {listed(nowhere)}{substitutes}")
    if passages and held_of_all(passages[0], search, nowhere.keys() - instead) < WEAK_SHARE:
        notes.append("no passage holds half of the words")
    best = without_doubles(passages, filters.get("limit", PASSAGES_BY_DEFAULT))
    again = later_edits(archive, [(passage, passage["step"], passage["text"]) for passage in best])
    return [{**passage, "edited_again": again.get(passage["id"], {}).get(passage["step"], "")}
            for passage in best], notes


def listed(words: Iterable[str]) -> str:
    """The words, each in backticks."""
    return ", ".join(f"`{word}`" for word in dict.fromkeys(words))


def words_near(archive: Any, search: JsonObject, term: str) -> list[str]:
    """The words, without their endings, that are looked for instead of one that may be misspelt: one slip away."""
    near = spelled(archive, {**search, "terms": [term]}, {}) if term in search["typed"] else ()
    return [word.strip('"') for word in near if word != term]


def held_of_all(passage: JsonObject, search: JsonObject, missing: Collection[str]) -> float:
    """How much of what was asked the passage holds, where these plain words occur nowhere.

    What else occurs nowhere counts in `held` already.
    """
    plain = sum(search["words"][word] in search["typed"] for word in missing)
    count = len(search["words"]) or 1
    return float(passage["held"] * (count - plain) / count)


def notes_on_quotes(archive: Any, phrases: Sequence[str], loose: JsonObject, elsewhere: str, is_met: bool) -> list[str]:
    """That nothing holds the quoted phrases; what holds them without a filter; what came of the words without quotes.

    `loose` is the search without the quotes; `elsewhere` what the quoted one would find without a filter; `is_met`:
    whether the loose one has found something.
    """
    if elsewhere:
        first = f"no step here holds {' and '.join(phrases)}, but {elsewhere}"
    else:
        first = f"no step holds {' and '.join(phrases)}"
    if is_met:
        return [f"{first}; without the quotes:"]
    loosely = "" if elsewhere else steps_elsewhere(archive, loose)
    return [first, f"without the quotes {loosely}"] if loosely else [first]


def occurs(archive: Any, term: str) -> bool:
    """Whether a step holds the term. The words that begin as a prefix says are asked of the vocabulary: of a large
    archive the index would read the positions of all of them.
    """
    if term in archive.counted:
        return True
    is_prefix = term.endswith("*") and " " not in term
    return bool(archive.beginning(term.strip('"*')) if is_prefix else archive.rows_with(term, 1))


def steps_elsewhere(archive: Any, search: JsonObject) -> str:
    """How many steps would answer without one of the filters, else without any of them; empty where none would."""
    names = [name for name in FILTER_WORDS if search.get(name)]
    counts = [answering(archive, {**search, name: None}, FILTER_WORDS[name]) for name in names]
    if len(names) > 1 and not any(counts):
        counts = [answering(archive, {**search, **dict.fromkeys(names)}, "outside of these filters")]
    return ", ".join(filter(None, counts))


def answering(archive: Any, search: JsonObject, words: str) -> str:
    """How many steps hold as much of what is asked as the best does, in words; of older ones when the newest was."""
    passages = archive.find(search)
    most = max((passage["held"] for passage in passages), default=0.0)
    times = [passage["time"] for passage in passages if passage["held"] >= most]
    at_least = "at least " * (len({passage["id"] for passage in passages}) >= BEST)
    newest = f" (the newest {local_time(max(times)).replace(' ', 'T')})" if times and words == OLDER else ""
    return f"{at_least}{len(times):,} {words}{newest}" if times else ""


def answer_text(text: str, filters: JsonObject, most: int) -> str:
    """The best passages for a question, in at most so many characters; what of it occurs nowhere."""
    passages, notes = passages_for(text, filters)
    if not passages:
        off = SWITCHED_OFF.format(where_off()) if where_off() else ""
        if not open_archive(instead=True).figures()["turns"]:
            return f"the archive is empty; {off}" if off else EMPTY
        notes += [off] * bool(off)
    above = "".join(f"({note})\n" for note in notes)[:most // 2 if most else None]
    hits = hits_within(passages, most - len(above) if most else 0)
    nothing = NOTHING_HERE if any(map(filters.get, FILTER_WORDS)) else NOTHING
    return (above + (hits_text(hits) or nothing))[:most or None]


def where_off() -> str:
    """For what nothing comes into the archive here, and what says so; empty where it fills itself."""
    if os.environ.get(SERVER_VARIABLE) == "off":
        return f"in this session ({SERVER_VARIABLE}=off)"
    if not settings_for("")["archive"]:
        return 'for all projects ("archive": false in config.json)'
    is_out = is_kept_out(project_folder({}))
    return 'for this project ("archive": false in .claude/compact-keeper.json)' if is_out else ""


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20


def read_store(path: str) -> Any:
    """The file's object, as it is; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


# ==================================================================================================
# archive/first_prompt.py: What of this machine's archive the first prompt after a compaction speaks of, and the model was not given.
# ==================================================================================================

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


# ==================================================================================================
# archive/shown_turns.py: What `show` shows: the rows and steps that a reference names, those of their lines that are chosen, by pages.
# ==================================================================================================

PAGE_CHARACTERS, PAGE_MIN_CHARACTERS = 6_000, 100  # of a turn that is shown
GOES_ON_CHARACTERS = 80  # kept free on a page for the line that says how to go on
NEIGHBOURS = 2  # steps before and behind the one that is shown
NO_STEPS = "[]"  # of an old row whose turn stands in others now
LEFT_OUT = rf"\s*{LEFT_OUT_LINE}|.*{LEFT_OUT_LINE} \(\d+ of \d+ lines kept\)|.*\(what a file says is not kept\)"
STEP = rf"\d{{1,9}}|{TAG_PATTERN}"
REFERENCE = rf"(?P<row>\d{{0,18}})(?:#(?P<first>{STEP})(?:-#?(?P<last>{STEP}))?)?"


class NoSuchTag(Refusal):
    """No step has the tag that is asked for."""


class NoSuchLine(Refusal):
    """No line holds a word that is asked for."""


def shown_lines(reference: str, context: int | None, match: str, span: tuple[int, int] | None) -> list[str]:
    """The lines of what a reference names, those that are chosen of them.

    Where some are chosen, they are those of the steps that are named, unless steps around these are asked for, too.
    """
    rows = rows_shown(reference, 0 if context is None and (match or span) else context)
    lines, before = list[str](), ""
    for row, steps in rows:
        of_row = [*turn_lines(row, steps, before)]
        before = origin_of(row) if of_row else before
        lines += of_row
    try:
        return lines_chosen(lines, match, span)
    except NoSuchLine as fault:
        cut = "; not all of this is kept" if any(re.fullmatch(LEFT_OUT, line) for line in lines) else ""
        step = step_with(match, rows[0][0]["session"])
        raise Refusal(f"{fault}{cut}{f'; show {step} of the same session does' if step else ''}") from None


def rows_shown(reference: str, context: int | None) -> list[tuple[JsonObject, Steps]]:
    """The rows of a turn (`2`), of a step with its neighbours (`2#57`), of steps (`2#40-60`), each with those steps.

    Without a turn the steps are the running session's. A step is named by its number or, in the running session, by its
    tag (`#k3fq`, `#1-k3fq` for all from the first to it); a shell takes what begins with # for a comment, so both may
    stand without it. `context`: turns or steps around it; of a turn the part
    that was named comes first, since the others may fill pages. Refused when there is none.
    """
    is_bare = re.match(rf"{TAG_PATTERN}|\d{{1,9}}-#?{TAG_PATTERN}\Z", reference, re.ASCII)
    match = re.fullmatch(REFERENCE, f"#{reference}" if is_bare else reference, re.ASCII)
    if not match or not reference:
        raise Refusal(f"{reference[:60]!r} names no turn (2), step (2#57, of the running session #57 or by its tag "
                      "#k3fq) or steps (2#40-60)")
    archive = open_archive()
    if not match["first"]:
        rows = [row for row in archive.around(int(match["row"]), context or 0) if row["steps"] != NO_STEPS]
        shown = [(row, ALL_STEPS) for row in sorted(rows, key=lambda row: row["id"] != int(match["row"]))]
    else:
        near = context if context is not None else 0 if match["last"] else NEIGHBOURS
        spans = spans_named(archive, match["row"], [name for name in (match["first"], match["last"]) if name])
        shown = [pair for row, begin, end in spans for pair in rows_with_steps(archive, row, Steps(begin, end, near))]
    if not shown:
        raise Refusal(f"there is no {'step' if match['first'] else 'turn'} {reference[:60]}; a search tells the "
                      "numbers")
    again = later_edits(archive, ((row, number, text) for row, steps in shown for number, _, text in steps_of_row(row)
                                  if steps.holds(number)))
    return [({**row, "edited_again": again.get(row["id"], {})}, steps) for row, steps in shown]


def rows_with_steps(archive: Any, number: int, steps: Steps) -> list[tuple[JsonObject, Steps]]:
    """The rows that hold these steps of the turn's transcript, and those near; none where none of them is there."""
    rows = archive.with_steps(number, steps.first - steps.near, steps.last + steps.near)
    is_there = any(steps.holds(step) for row in rows for step, _, _ in steps_of_row(row))
    return [(row, steps) for row in rows] if is_there else []


def spans_named(archive: Any, row: str, names: list[str]) -> list[tuple[int, int, int]]:
    """A row of the transcript with the first and the last step: for each step of one name, or from a name to another.

    A number beside a tag is that of a step in the same transcript.
    """
    if len(names) == 1:
        return [(number, step, step) for number, step in steps_named(archive, row, names[0])]
    number = steps_named(archive, row, min(names, key=str.isdecimal))[0][0]
    first, last = (steps_named(archive, str(number), name)[0][1] for name in names)
    return [(number, first, last)]


def steps_named(archive: Any, row: str, name: str) -> list[tuple[int, int]]:
    """A row of the transcript and the step's number there, for each step of that name: several may have the same tag.

    `row`: the number of a turn of that session; empty: the running one's.
    """
    if name.isdecimal():
        return [(int(row) if row else running_row(archive), int(name))]
    if row:
        session = next((turn["session"] for turn in archive.around(int(row), 0)), "")
    else:
        take_in_running_session()
        session = os.environ.get(RUNNING_SESSION, "")[:SESSION_MAX_CHARACTERS]
    steps = [(turn["id"], step) for turn in archive.tagged(session, name) for step in steps_tagged(turn, name)]
    if not steps:
        is_empty = not open_archive(instead=True).figures()["turns"]
        raise NoSuchTag(EMPTY if is_empty else f"no step here has the tag #{name}: it is not taken in yet, or gone; "
                        "search its words")
    return steps


def running_row(archive: Any) -> int:
    """A row of the running session; refused where it is not known."""
    take_in_running_session()
    row = archive.newest_of(os.environ.get(RUNNING_SESSION, "")[:SESSION_MAX_CHARACTERS])
    if not row:
        whose = "the running session has no step here" if os.environ.get(RUNNING_SESSION) else "no session runs here"
        raise Refusal(f"{whose}; type the number that a search tells, such as 2#57")
    return int(row)


def lines_chosen(lines: list[str], match: str, span: tuple[int, int] | None) -> list[str]:
    """Of the lines those that hold one of the words, with their neighbours; or those from a number to another."""
    if span and span[0] > len(lines):
        raise Refusal(f"there are {len(lines):,} lines: ask for some of 1-{len(lines)}")
    if span:
        return numbered_lines(lines, range(max(span[0] - 1, 0), min(span[1], len(lines))))
    if not match:
        return lines
    indexes = indexes_with_any(match, lines)
    near = sorted({index + step for index in indexes for step in (-1, 0, 1) if 0 <= index + step < len(lines)})
    if not near:
        how = "; words go with spaces between" if "," in match else ""
        raise NoSuchLine(f"none of the {len(lines):,} lines holds {match[:60]}{how}")
    return numbered_lines(lines, near)


def indexes_with_any(match: str, lines: list[str]) -> set[int]:
    """The indexes of the lines that hold one of the words."""
    return {index for word in re.split(r"[\s|]+", match.strip(" |")) for index in indexes_with(word, lines)}


def indexes_with(word: str, lines: list[str]) -> list[int]:
    """The indexes of the lines that hold the word; where one of letters stands nowhere alone, those with it as a part.

    Alone is it in an identifier too, and with another ending.
    """
    needle, parts = folded_text(word), parts_of(word)
    there = [index for index, line in enumerate(lines) if worth_in(folded_text(line), {needle: 1.0})]
    if not (word.isascii() and word.isalpha() and len(parts) == 1):
        return there
    return [index for index, line in enumerate(lines) if parts[0] in parts_of(line)] or there


def step_with(match: str, session: str) -> str:
    """How the best step of the session that holds one of the words is shown; empty where none does."""
    with suppress(Refusal):
        wanted = question(re.sub(r'["|]', " ", match))
        for passage in open_archive().find({"kind": None, "session": session, **wanted}):
            if indexes_with_any(match, passage["text"].splitlines()):
                return name_of(passage)
    return ""


def page_of(lines: list[str], page: int, size: int, how: str) -> str:
    """A page of the lines, all of them with a size of 0; `how` tells how to go on to the next."""
    text = "\n".join(lines)
    pages = pages_of(text, max(size - GOES_ON_CHARACTERS, PAGE_MIN_CHARACTERS)) if 0 < size < len(text) else [text]
    if not 0 < page <= len(pages):
        raise Refusal(f"there is no page {page}; the last is {len(pages)}")
    more = f"\n(page {page} of {len(pages)}; {how.format(page + 1)} goes on)" if page < len(pages) else ""
    return pages[page - 1] + more


# ==================================================================================================
# text/version.py: The version of the plugin that a script came with.
# ==================================================================================================

VERSION = "0.27.0"


# ==================================================================================================
# archive/mcp.py: The Model Context Protocol: lets an agent search the archive, over stdin and stdout, for one client.
# ==================================================================================================

PROTOCOLS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first; later ones know no initialize
WITH_BATCHES = "2025-03-26"  # the only one of them
MESSAGE_MAX_BYTES = 1 << 20  # of a line; a question has 10,000 characters at most
QUOTED_MAX_CHARACTERS = 60  # of what a client wrote that are said back
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
TEXT = {"type": "string"}
MOMENT = {**TEXT, "description": "2026-11-21, 2026-11-21T14:00; 7d, 12h: so long ago"}
TOOLS: tuple[JsonObject, ...] = ({
    "name": "search_history",
    "description": "Searches the original record of all sessions, of what is under way too: what the user typed, what "
                   "was answered, commands and what they printed, edits, reports. The best passages, each with its "
                   "place.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "required": ["query"], "additionalProperties": False, "properties": {
        "query": {**TEXT, "description": 'telling words or identifiers; "a phrase" has to occur, auth* begins so'},
        "project": {**TEXT, "description": "a folder or the end of its path; . is where the session runs"},
        "session": {**TEXT, "description": "a session's id or its beginning"},
        "since": MOMENT, "until": MOMENT,
        "kind": {**TEXT, "enum": KINDS},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": PASSAGES_BY_DEFAULT}}},
}, {
    "name": "show_turn",
    "description": "Shows a turn or steps of it, whole: the place is what stands behind `show` in a hit of "
                   "search_history.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "required": ["id"], "additionalProperties": False, "properties": {
        "id": {**TEXT, "description": "2#57: step 57 in turn 2's session; 2#40-60: these steps; 2: the whole turn; "
                                     "#k3fq: the step with the tag that ends a line of what compact-keeper put back"},
        "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "so many on either side too"},
        "match": {**TEXT, "description": "only lines with one of these words"},
        "page": {"type": "integer", "minimum": 1, "maximum": 10_000, "default": 1,
                 "description": f"of about {PAGE_CHARACTERS:,} characters"}}},
})


class Fault(Exception):
    """An error of the protocol: its code, and what is wrong."""

    def __init__(self, code: int, text: str) -> None:
        """`code`: one of JSON-RPC's numbers; `text`: what the client is told."""
        super().__init__(text)
        self.code = code


def search_history(given: JsonObject) -> str:
    """The best passages for the query, as much of them as fits."""
    times = {name: time_of(name, given[name]) for name in ("since", "until") if given.get(name)}
    return answer_text(given["query"], {**given, **times}, ANSWER_MAX_CHARACTERS)


def time_of(name: str, words: str) -> float:
    """Seconds since 1970 of what a filter says; refused when that is no time."""
    try:
        return moment_named(words)
    except (ValueError, OverflowError):
        raise Refusal(f"{name} is a time ({MOMENT['description']}), not {json_text(words)}") from None


def show_turn(given: JsonObject) -> str:
    """A page of the turn or the steps."""
    lines = shown_lines(given["id"], given.get("context"), given.get("match", ""), None)
    return page_of(lines, given["page"], PAGE_CHARACTERS, "page {}")


CALLS: dict[str, Callable[[JsonObject], str]] = {"search_history": search_history, "show_turn": show_turn}


def json_text(text: str) -> str:
    """What a client wrote, as it is said back: its beginning."""
    return f'"{re.sub(NO_TEXT, " ", text[:QUOTED_MAX_CHARACTERS])}"'


def checked(schema: JsonObject, given: JsonObject) -> JsonObject:
    """The arguments that the schema names, defaults filled in, null as if not given; refused when they break it."""
    known, given = schema["properties"], {name: value for name, value in given.items() if value is not None}
    if unknown := [name for name in given if name not in known]:
        raise Refusal(f"there is no argument {json_text(unknown[0])}; there are {', '.join(known)}")
    if missing := [name for name in schema["required"] if name not in given]:
        raise Refusal(f"{missing[0]} is missing")
    defaults = {name: about["default"] for name, about in known.items() if "default" in about}
    return {**defaults, **{name: fit(name, value, known[name]) for name, value in given.items()}}


def fit(name: str, value: Any, about: JsonObject) -> Any:
    """The argument as its schema has it; refused when it is something else."""
    if about["type"] == "integer":
        low, high = about["minimum"], about["maximum"]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Refusal(f"{name} is a whole number from {low} to {high}")
        return value
    value = str(value) if name == "id" and type(value) is int else value  # a turn's number, as models write it
    if not isinstance(value, str):
        raise Refusal(f"{name} is a text")
    if value not in about.get("enum", (value,)):
        raise Refusal(f"{name} is one of {', '.join(about['enum'])}, not {json_text(value)}")
    return re.sub(NO_TEXT, " ", value)


def called(params: JsonObject) -> JsonObject:
    """The result of a tool; what it refuses is one too, so that the model reads why."""
    given = params.get("arguments") or {}
    tool = next((tool for tool in TOOLS if tool["name"] == params.get("name")), None)
    if not tool:
        raise Fault(INVALID_PARAMS, f"there is no such tool; there are {', '.join(CALLS)}")
    if not isinstance(given, dict):
        raise Fault(INVALID_PARAMS, "arguments is no object")
    try:
        text, is_error = CALLS[tool["name"]](checked(tool["inputSchema"], given)), False
    except (Refusal, OSError, sqlite3.Error) as fault:
        text, is_error = f"compact-keeper: {fault}", True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def id_of(message: Any) -> str | int | None:
    """The id under which a request waits for its answer; None without a good one."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, (str, int)) and not isinstance(number, bool) else None


def needs_no_answer(message: Any) -> bool:
    """Whether a message is a notification, or itself an answer, though nothing is asked here."""
    if not isinstance(message, dict):
        return False
    is_notification = isinstance(message.get("method"), str) and "id" not in message
    return is_notification or ("method" not in message and ("result" in message or "error" in message))


def request_of(message: Any) -> tuple[str, JsonObject]:
    """The method and the parameters of a request."""
    method = message.get("method") if isinstance(message, dict) else None
    if id_of(message) is None or message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "a request is an object with jsonrpc 2.0, an id (text or whole number), a method")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "params is no object")
    return method, params


def error(number: str | int | None, code: int, text: str) -> JsonObject:
    """The answer to what is no good request."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


class McpConversation:
    """What one client and this server say to each other."""

    def __init__(self) -> None:
        """Nothing is agreed on before the client's first request."""
        self.protocol = ""  # that `initialize` agrees on

    def initialize(self, params: JsonObject) -> JsonObject:
        """Who answers, by which protocol: the client's where it is known here, else the newest that is."""
        protocol = params.get("protocolVersion")
        if not isinstance(protocol, str):
            raise Fault(INVALID_PARAMS, "protocolVersion is missing")
        self.protocol = protocol if protocol in PROTOCOLS else PROTOCOLS[0]
        return {"protocolVersion": self.protocol, "capabilities": {"tools": {}},
                "serverInfo": {"name": "compact-keeper", "version": VERSION}}

    def result(self, method: str, params: JsonObject) -> JsonObject:
        """The result of a request."""
        methods: dict[str, Callable[[JsonObject], JsonObject]] = {
            "initialize": self.initialize, "tools/call": called, "tools/list": lambda _: {"tools": TOOLS},
            "ping": lambda _: {}}
        if method not in methods:
            raise Fault(UNKNOWN_METHOD, f"there is no method {json_text(method)}")
        return methods[method](params)

    def answer(self, message: Any) -> JsonObject | None:
        """The answer to one message, None where it gets none."""
        if needs_no_answer(message):
            return None
        try:
            return {"jsonrpc": "2.0", "id": id_of(message), "result": self.result(*request_of(message))}
        except Fault as fault:
            return error(id_of(message), fault.code, str(fault))
        except Exception as fault:  # noqa: BLE001 - a client that waits gets an answer, whatever happens
            return error(id_of(message), INTERNAL, f"internal error: {type(fault).__name__}")

    def answers(self, line: bytes) -> JsonObject | list[JsonObject] | None:
        """The answer to a line, or those to a batch."""
        if not line:
            return error(None, INVALID_REQUEST, f"a line of {MESSAGE_MAX_BYTES:,} bytes or more is not read")
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return error(None, PARSE_ERROR, "this line is no JSON in UTF-8")
        if isinstance(message, list) and message and self.protocol == WITH_BATCHES:
            return [answer for part in message if (answer := self.answer(part))]
        return self.answer(message)


def lines(stdin: IO[bytes]) -> Iterator[bytes]:
    """The lines of stdin; an empty one for each that is too long, of which never more than that is held."""
    while line := stdin.readline(MESSAGE_MAX_BYTES):
        if len(line) < MESSAGE_MAX_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stdin.readline(MESSAGE_MAX_BYTES)
        yield b""


def converse(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Answers each message of one client."""
    conversation = McpConversation()
    for line in lines(stdin):
        if answer := conversation.answers(line):
            stdout.write(json.dumps(answer).encode("ascii") + b"\n")
            stdout.flush()


def leave(*_: object) -> None:
    """Ends the process at a signal as at the end of stdin."""
    raise SystemExit(0)


def serve() -> int:
    """Answers until stdin ends or the client is gone."""
    import signal
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    try:
        with open(0, "rb", closefd=False) as stdin, open(1, "wb", closefd=False) as stdout:
            converse(stdin, stdout)
    except ConnectionError:  # nobody reads any more
        pass
    return 0


# ==================================================================================================
# archive/pushing.py: Turns of this machine's archive are sent to the server, some at a time, by one process.
# ==================================================================================================

ROWS_PER_BATCH = 200  # sent in one go
RETRY_FIRST_SECONDS, RETRY_MAX_SECONDS = 1.0, 60.0  # between two tries to reach the server
UNSENT_SQL = """
SELECT turns.*, sources.name, sources.inode FROM turns LEFT JOIN sources ON sources.id = turns.source
WHERE NOT pushed ORDER BY turns.id LIMIT ?"""


class Busy(Refusal):
    """Another process of this machine sends just now."""


def push_turns(archive: Archive, seconds: float = 0) -> int:
    """Sends to the server the turns that it does not have; how many. Tries again for so long where it is away."""
    until, count, pause = time.time() + seconds, 0, RETRY_FIRST_SECONDS
    if os.environ.get(SERVER_VARIABLE, "off") in ("", "off"):
        raise Refusal(f"no server is named: set {SERVER_VARIABLE}=postgresql://USER@HOST/DATABASE (docs/recall.md)")
    with alone():
        while True:
            try:
                server = Server(os.environ.get(SERVER_VARIABLE, ""))
                with closing(server.db):
                    for sent in batches(archive, server):
                        count, pause = count + sent, RETRY_FIRST_SECONDS
            except Away:
                if time.time() + pause > until:
                    raise
            else:
                return count
            time.sleep(pause)
            pause = min(2 * pause, RETRY_MAX_SECONDS)


@contextmanager
def alone() -> Iterator[None]:
    """Holds a lock of this machine's archive; refused while another process sends."""
    try:
        import fcntl
    except ImportError:  # Windows: two that send at once do double work, no harm
        yield
        return
    path = os.path.join(private_folder(), "push.lock")
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT | NO_LINK), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("another process is sending them") from None
        yield


def batches(archive: Archive, server: Server) -> Iterator[int]:
    """Sends some turns at a time; gives how many, each time. One that grows meanwhile stays unsent."""
    host, name = without_nul(host_name()), without_nul(person())
    while rows := archive.db.execute(UNSENT_SQL, (ROWS_PER_BATCH,)).fetchall():
        server.put([row_to_send(row, host, name) for row in rows])
        with archive.writing():
            archive.db.executemany("UPDATE turns SET pushed = 1 WHERE id = ? AND hash = ?",
                                   [(row["id"], row["hash"]) for row in rows])
        yield len(rows)


def person() -> str:
    """Who runs this, as the system names them."""
    from getpass import getuser
    try:
        return getuser()
    except (ImportError, KeyError, OSError):  # a container's user without a name
        return str(os.getuid())


def row_to_send(row: Mapping[str, Any], host: str, person: str) -> JsonObject:
    """A row of this machine's archive, with its transcript's mark, as the server stores it."""
    source = digest(f"{host}\0{row['name'] or row['source']}\0{row['inode']}")
    turn = {name: without_nul(row[name]) for name in COLUMNS}
    words = {kind: indexed(turn[kind]).split() for kind in KINDS}
    return {**turn, "uid": digest(f"{source}\0{row['start']}"), "host": host, "person": person, "source": source,
            "size": sum(map(len, words.values())), "words": vector(words)}


# ==================================================================================================
# client/asking.py: A question to the person who has typed a command in a terminal.
# ==================================================================================================

def is_agreed_to(question: str) -> bool:
    """Whether the person answers yes, or y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() in ("y", "yes")


# ==================================================================================================
# client/hook.py: What a hook is given on stdin, and how it ends.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


def read_input() -> HookInput:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    if sys.stdin.isatty():
        sys.stderr.write("compact-keeper: this is a hook, which the client gives JSON on stdin; --help says more\n")
        raise Refusal("stdin is a terminal: no client has started this hook")
    raw = sys.stdin.buffer.read(STDIN_MAX_BYTES + 1)
    data: Any = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_MAX_BYTES else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: usable_path(text_of(data, name)) for name in ("transcript_path", "cwd")}
    checked: Any = {**data, **paths, "hook_event_name": text_of(data, "hook_event_name")}
    given: HookInput = checked
    return given


def usable_path(path: str) -> str:
    """The path when a file can be opened by it; else empty."""
    is_usable = os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
    return path if is_usable else ""


def run_hook(body: Callable[[HookInput], object], when_off: Callable[[HookInput], object] | None = None) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way.

    While COMPACT_KEEPER_OFF is set, `when_off` is done instead, or nothing; then no file is written, the log neither.
    """
    is_off = bool(os.environ.get("COMPACT_KEEPER_OFF"))
    due = when_off if is_off else body
    try:
        if due:
            due(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        if not is_off:
            log(f"{type(fault).__name__}: {fault} ({location_of(fault)})")
    return 0


# ==================================================================================================
# text/listing.py: Many things in few words: the first of them, and how many more there are.
# ==================================================================================================

def and_more(number: int, least: str = "") -> str:
    """How many more there are than stand before it; empty for none. `least`: the words for a number that may be low."""
    return f" and {least}{number:,} more" if number > 0 else ""


# ==================================================================================================
# text/sizes.py: Bytes in the words of all who tell of them: stats, report, recall.
# ==================================================================================================

def size_shown(count: float) -> str:
    """Bytes as a person reads them, a KB of 1,000."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:,.1f} GB"


# ==================================================================================================
# archive/commands.py: The commands of recall.py: index, search, ask, show, forget, stats, push, mcp, first-prompt.
# ==================================================================================================

FOR_AN_AGENT = "From compact-keeper's archive of earlier turns:"
NUMBERS_MAX = 10  # of turns that are named before they are removed
LOOKED_THROUGH_MAX_BYTES = 64 << 20  # of a file of ours, for words that were forgotten
ONLY_THE_ARCHIVE = ("Only the archive forgets: Claude Code's own transcripts have all of it still, and so have the "
                    "sessions' folders beside the archive.")
QUESTION_MAX_BYTES = 64 << 10  # of an agent's question on stdin
# 2.1.76 puts "< /dev/null" behind the mark that ends the skill's question, so that it ends nothing.
QUESTION_END = r"\s*end-of-the-question ?< ?/dev/null\Z"
REFERENCE_IN_QUESTION = rf"(?:#?\d[\d#-]*|\d*#?{TAG_PATTERN}\b)(?:-#?(?:\d+|{TAG_PATTERN}\b))?"
SHOW_QUESTION = (  # a word may be a tag
    rf"(?:show|turn) *({REFERENCE_IN_QUESTION})( .*)?|((?=#|{TAG_PATTERN}\b){REFERENCE_IN_QUESTION})")
SERVER_PATIENCE_SECONDS = 600  # for which a server that is away is tried again


def index_command(given: SimpleNamespace) -> int:
    """Takes in the transcripts named, else all of the client's; quiet, as beside a session, a fault goes to the log."""
    try:
        index(given.words, given.quiet)
    except Exception as fault:
        if not given.quiet:
            raise
        if os.path.isdir(data_home()):
            log(f"{type(fault).__name__}: {fault}")
    return 0


def index(paths: list[str], is_quiet: bool) -> None:
    """Takes in transcripts; beside a session what it has added, which goes to the server where one is named.

    There, with the session's `paths`, it makes no data folder anew: it was removed while the last save ended.
    Closed, SQLite writes back what it keeps beside the file: half a MB had stood there, and "4.1 KB of the archive".
    """
    if is_quiet and paths and not os.path.isdir(data_home()):
        return
    archive = Archive()
    with closing(archive.db):
        index_transcripts(archive, paths, is_quiet)
        if is_quiet and server_named() and os.path.isdir(data_home()):
            with suppress(Busy):  # that process sends these turns too
                push_turns(archive, SERVER_PATIENCE_SECONDS)


def search_command(given: SimpleNamespace) -> int:
    """Prints the best passages for the question; the step itself where that is a tag."""
    if given.json:
        passages, notes = passages_for(" ".join(given.words), vars(given))
        print(json.dumps({"hits": hits_within(passages, given.chars), "notes": notes}, ensure_ascii=False))
    else:
        question = " ".join(given.words)
        is_tag = re.fullmatch(f"#{TAG_PATTERN}", question)
        print(answer_for_agent(question) if is_tag else answer_text(question, vars(given), given.chars))
    return 0


def ask_command(given: SimpleNamespace) -> int:
    """Prints for an agent what the question finds; a fault too, since a skill fails with its command.

    The question is given as words, as the prompt's hook has it, else on stdin, where no shell reads it.
    """
    question = " ".join(given.words)
    if not given.words and sys.stdin:
        question = sys.stdin.buffer.read(QUESTION_MAX_BYTES).decode("utf-8", "replace")
    question = re.sub(QUESTION_END, "", question.strip())
    try:
        print(f"{FOR_AN_AGENT}\n{answer_for_agent(question)}")
    except (Refusal, Wrong, OSError, sqlite3.Error) as fault:
        print(f"compact-keeper: {fault_words(fault)}")
    return 0


def answer_for_agent(question: str) -> str:
    """What an agent wants to see, `show` with its options; else the passages for its question, with its filters."""
    room = ANSWER_MAX_CHARACTERS - len(FOR_AN_AGENT) - 2
    if question == "show":
        recall_arguments([question])  # refused, with what it takes
    # Not a bare number: that may be a port or a status.
    if show := re.fullmatch(SHOW_QUESTION, question):
        given = recall_arguments(["show", show[1] or show[3], *(show[2] or "").split()])
        try:
            return text_shown(SimpleNamespace(**{**vars(given), "chars": min(given.chars, room)}))
        except NoSuchTag:
            if "#" in question:
                raise
    given = recall_arguments(["search", *(question.split() or [""])])
    return answer_text(" ".join(given.words), vars(given), min(given.chars or room, room))


def show_command(given: SimpleNamespace) -> int:
    """Prints a turn or steps of it, and those of its session around."""
    if given.json:
        rows = [row for row, _ in rows_shown(given.words[0], given.context)]
        print(json.dumps([{**row, "steps": [*steps_of_row(row)]} for row in rows], ensure_ascii=False))
    else:
        print(text_shown(given))
    return 0


def text_shown(given: SimpleNamespace) -> str:
    """A page of what is to be shown, of the lines that are chosen."""
    lines = shown_lines(given.words[0], given.context, given.match or "", given.lines)
    return page_of(lines, given.page, given.chars, f"`show {given.words[0]} --page {{}}`")


def forget_command(given: SimpleNamespace) -> int:
    """Removes the turns that the filters name, each whole, after a question; says what still holds the words."""
    archive = open_archive()
    filters = {name: getattr(given, name) for name in ("project", "session", "match")}
    if not any(filters.values()):
        raise Wrong("say what to forget: --project, --session or --match")
    count, (numbers, steps) = archive.count(filters), archive.named_by(filters, NUMBERS_MAX)
    named = f"{count_shown(count, 'turn')} ({', '.join(map(str, numbers))}{and_more(count - len(numbers))})"
    whole = f"with all of {'its' if count == 1 else 'their'} {count_shown(steps, 'step')}"
    part = f"*{given.match.strip('*')}*" if given.match else ""
    more = archive.count({**filters, "match": part}) - count if part else 0
    parts = f"; {part}, parts of words too, names {count_shown(count + more, 'turn')}" if more else ""
    if not count:
        print(f"0 turns are like that: nothing to remove{parts}")
    elif given.dry_run:
        print(f"{named} would be removed, {whole}{parts}")
        name_files_with(given.match, "would still stand")
    elif given.yes or is_agreed_to(f"Remove {named}, {whole}, for good? [y/N] "):
        print(f"{count_shown(archive.forget(filters), 'turn')} removed, {whole}{parts}. {ONLY_THE_ARCHIVE}")
        name_files_with(given.match, "still stand")
    else:
        print("nothing removed")
    return 0


def name_files_with(match: str | None, how: str) -> None:
    """Prints in which files beside the archive the words stand; nothing where no words were named."""
    for path in files_with(match) if match else ():
        print(f"The words {how} in {path}")


def files_with(match: str) -> list[str]:
    """The files of sessions and the reports in which the words stand, beside the archive."""
    bare, pattern = words_and_pattern(match)
    pattern = pattern or re.escape(bare)
    in_json = json.dumps(bare)[1:-1]
    patterns = {pattern, pattern.replace(re.escape(bare), re.escape(in_json))}
    holding: list[str] = []
    folders = [os.path.join(data_home(), name) for name in ("sessions", "reports")]
    for folder, names in ((folder, names) for top in folders for folder, _, names in os.walk(top)):
        for path in (os.path.join(folder, name) for name in names):
            with suppress(OSError, Refusal), os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
                text = file.read(LOOKED_THROUGH_MAX_BYTES).decode("utf-8", "replace")
                holding += [path] * any(re.search(words, text, re.ASCII | re.IGNORECASE) for words in patterns)
    return sorted(holding)


def stats_command(given: SimpleNamespace) -> int:
    """Prints what the archive holds."""
    figures = open_archive().figures()
    if given.json:
        print(json.dumps(figures))
    else:
        times = {name: local_time(figures[name]) for name in ("first", "last") if figures[name]}
        shown = {**figures, **times, "on disk": size_shown(figures["bytes"])}
        print("\n".join(f"{name:<12}{'none yet' if value is None else value}"
                        for name, value in shown.items() if name != "bytes"))
    return 0


def push_command(_given: SimpleNamespace) -> int:
    """Sends to the server what it does not have yet."""
    print(f"{count_shown(push_turns(Archive()), 'turn')} sent")
    return 0


def first_prompt_command(_given: SimpleNamespace) -> int:
    """Prints what the archive has on the prompt in the hook's JSON on stdin; a fault stands in hook.log."""
    return run_hook(lambda data: print(hits_for_prompt(data), end=""))


RECALL_COMMANDS: dict[str, Callable[[SimpleNamespace], int]] = {
    "index": index_command, "search": search_command, "ask": ask_command, "show": show_command,
    "forget": forget_command, "stats": stats_command, "push": push_command, "mcp": lambda _: serve(),
    "first-prompt": first_prompt_command}


# --- the command line ---


def amount(words: str) -> int:
    """The number, from 0 on; ValueError for anything else."""
    if not (words.isascii() and words.isdecimal()):
        raise ValueError("it takes a whole number, from 0 on")
    return int(words)


def number_of_hits(words: str) -> int:
    """The number, from 1 on; ValueError for anything else."""
    if not amount(words):
        raise ValueError("it takes a whole number, from 1 on")
    return amount(words)


def span_named(words: str) -> tuple[int, int]:
    """The numbers of the first and the last line, as in `10-25`; ValueError for anything else."""
    first, dash, last = words.partition("-")
    try:
        return amount(first), amount(last if dash else first)
    except ValueError:
        raise ValueError("it takes the number of a line, or of the first and the last, as in 10-25") from None


def kind_named(words: str) -> str:
    """The kind of text; ValueError for anything else."""
    if words not in KINDS:
        raise ValueError(f"it is one of {', '.join(KINDS)}")
    return words


# The options of each command, with what makes a value of the words behind one; None for a switch.
RECALL_OPTIONS: dict[str, dict[str, Callable[[str], Any] | None]] = {
    "index": {"quiet": None},
    "search": {"project": str, "session": str, "since": moment_named, "until": moment_named, "kind": kind_named,
               "limit": number_of_hits, "chars": amount, "json": None},
    "show": {"context": amount, "match": str, "lines": span_named, "page": amount, "chars": amount, "json": None},
    "forget": {"project": str, "session": str, "match": str, "dry-run": None, "yes": None},
    "stats": {"json": None}}
OPTION_DEFAULTS = {  # of options that are not given
    "search": {"limit": PASSAGES_BY_DEFAULT, "chars": ANSWER_MAX_CHARACTERS},
    "show": {"chars": PAGE_CHARACTERS, "page": 1}}
TAKES = {"show": "one place, as a search prints it (2#57), or a tag (#k3fq)", "search": "the words to look for"}
WORD_COUNTS = {  # least and most that a command takes
    "index": (0, 1 << 20), "search": (1, 1 << 20), "ask": (0, 1 << 20), "show": (1, 1)}


class Wrong(Exception):
    """Says what is wrong with a command line."""


def recall_arguments(argv: Sequence[str]) -> SimpleNamespace:
    """The command line's values; refused as `Wrong`."""
    name = argv[0] if argv else ""
    if name not in RECALL_COMMANDS:
        raise Wrong(f"the command is one of {', '.join(RECALL_COMMANDS)}")
    options, (least, most) = RECALL_OPTIONS.get(name, {}), WORD_COUNTS.get(name, (0, 0))
    values: dict[str, Any] = {option: None if make else False for option, make in options.items()}
    values.update(OPTION_DEFAULTS.get(name, {}))
    words: list[str] = []
    for option, text in options_and_words(argv[1:], options, may_begin_with_dash=name == "search"):
        if option:
            values[option] = option_value(option, options[option], text)
        else:
            words.append(text)
    if not least <= len(words) <= most:
        raise Wrong(f"{name} takes {'no words' if not most else TAKES.get(name, 'some words')}")
    attributes = {option.replace("-", "_"): value for option, value in values.items()}
    return SimpleNamespace(command=name, words=words, **attributes)


def options_and_words(
        arguments: Sequence[str], options: dict[str, Callable[[str], Any] | None],
        may_begin_with_dash: bool) -> Iterator[tuple[str, str]]:
    """Each option with the words behind it, and each word with an empty option; they may stand in any order.

    Where a word may begin with a dash, what is no option of the command is one.

    Not argparse, which takes 5 ms of a search's 45, nor getopt, which takes 1.3: it imports gettext.
    """
    left = iter(arguments)
    for text in left:
        option, has_value, value = text[2:].partition("=")
        if text == "--":
            yield from (("", word) for word in left)
        elif not text.startswith("-") or text == "-" or (may_begin_with_dash and option not in options):
            yield "", text
        elif not text.startswith("--") or option not in options:
            raise Wrong(f"there is no option {text.partition('=')[0]}")
        elif not options[option]:
            if has_value:
                raise Wrong(f"--{option} takes no value")
            yield option, ""
        else:
            following = value if has_value else next(left, None)
            if following is None:
                raise Wrong(f"--{option} takes a value")
            yield option, following


def option_value(option: str, make: Callable[[str], Any] | None, text: str) -> Any:
    """What the option is set to."""
    try:
        return make(text) if make else True
    except (ValueError, OverflowError) as fault:
        raise Wrong(f"--{option} {text}: {fault}") from None


def run_recall(argv: Sequence[str], manual: str) -> int:
    """The exit code of the command line; `manual` is printed when it asks for help."""
    if {"-h", "--help"} & {*argv}:
        print(manual)
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # for an agent, whatever the terminal's is
    try:
        given = recall_arguments(argv)
        code = RECALL_COMMANDS[given.command](given)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\ncompact-keeper: stopped; the same command goes on from here\n")
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Wrong as fault:
        sys.stderr.write(f"usage: recall.py COMMAND ... (recall.py --help tells more)\ncompact-keeper: {fault}\n")
        return 2
    except (Refusal, OSError, OverflowError, UnicodeError, sqlite3.Error) as fault:
        sys.stderr.write(f"compact-keeper: {fault_words(fault)}\n")
        return 1
    return code


# ==================================================================================================
# the script: Find again what was ever said or done, in all sessions, offline; the running one's unfinished turn too.
# ==================================================================================================

def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command named."""
    return run_recall(sys.argv[1:] if argv is None else argv, __doc__ or "")


if __name__ == "__main__":
    raise SystemExit(main())
