"""Of the rows that a search has found, the steps that answer it best; and of a step the lines around what was asked.

What is asked for are needles: a stem as it stands in a text (`cach` in "caching"), or an identifier as it was typed;
each is worth the more the rarer it is.
"""

from __future__ import annotations

import json
import math
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from compact_keeper.archive.index_words import IDENTIFIER_WORD, parts_of
from compact_keeper.archive.kinds import KINDS
from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.text.holding import holds_any, places_of
from compact_keeper.types import JsonObject

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
