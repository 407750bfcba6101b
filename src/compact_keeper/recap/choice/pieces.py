"""The pieces of what was done and said, each of which may come back or not: lines, rows of outputs, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.choice.ranking import words_of
from compact_keeper.recap.lines.remarks import SAYS_IT_LACKS
from compact_keeper.recap.lines.said_sentences import sentences_of, words_of_sentence
from compact_keeper.recap.lines.statements import POINTING_WORDS, indexes_of_statements, may_stand_whole
from compact_keeper.recap.wording.joined_rows import HIT_WITH_NUMBER, names_in_braces
from compact_keeper.recap.wording.phrases import ends_with_question
from compact_keeper.recap.wording.tagged import without_tags
from compact_keeper.text.dense import dense_pairs
from compact_keeper.text.paths import same_file
from compact_keeper.types import Item, Line, Piece, Sentence, Words

TESTS_FAIL = r"(?i)\btests?\b.{0,300}\bfail(?:s|ed|ing)?\b|\bfail(?:s|ed|ing)?\b.{0,300}\btests?\b"
GIVES_CAUSE = r"(?i)\b(?:because|since|due to)\b"
NAME_OF_CODE = r"`([^`\s]{4,60})`"
NAME_OF_FILE = r"/|\w\.[a-z]\w{0,5}(?::\d{1,6})?$"
REPORT_MIN_CHARACTERS, REPORT_MIN_WORDS = 300, 15  # of the agent's words, above which they may report on a state
SAME_STATE_SHARE = 0.45  # of such words, which a later report has too: it tells the same of a later state
AROUND_WORDS = "… … #k3fq\n"  # what is left out before and behind a sentence, the tag, the end


def pieces_of_step(line: Line) -> Iterator[Piece]:
    """The pieces of a step's line: its short form, what its longer form says beyond that, rows that it printed."""
    item, whole = line["items"][0], line.get("whole", "")
    short = piece_of(line, kind_of_step(item), line["text"])
    yield short
    if short["kind"] not in ("edited", "written") and whole not in ("", line["text"]):
        longer = piece_of(line, "longer", whole)
        longer["words"] -= short["words"]
        yield longer
    printed = rows_not_in(f"{line['text']} {whole}", line.get("rows") or item.get("rows", []))
    for index, row in enumerate(printed):
        yield piece_of(line, "printed", row, index, len(printed))


def rows_not_in(text: str, rows: Sequence[str]) -> list[str]:
    """Those of the rows that a line does not show."""
    shown, names = without_spaces(text), names_in_braces(text)
    return [row for row in rows if row not in names and not is_shown_in(row, shown)]


def is_shown_in(row: str, shown: str) -> bool:
    """Whether a row stands in what is shown (without spaces).

    A hit may stand behind the path of the hit before, or, of a search in one file, without a path. Of a row that was
    cut its beginning is enough.
    """
    row = row.removesuffix("…")
    hit = re.match(HIT_WITH_NUMBER, row) if ":" in row else None
    if hit:
        code = without_spaces(row[hit.end():])
        if f"⏎{code}" in shown or f"→{code}" in shown:
            return True
        if hit["path"] in shown:
            row = row[hit.end("path"):]
    return without_spaces(row) in shown


def without_spaces(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def piece_of(line: Line, kind: str, text: str, index: int = 0, count: int = 1) -> Piece:
    """A piece of a line: the one at this index of `count`."""
    return {"kind": kind, "text": text, "around": characters_around(line), "words": words_of(without_tags(text)),
            "step": newest_step(line), "index": index, "count": count, "line": line, "sentences": frozenset()}


def characters_around(line: Line) -> int:
    """How many characters a line has beside a piece of it: its end, what stands before and behind the agent's words."""
    if "label" not in line:
        return len("- ⏎ ")
    return len(line["label"]) + len(line.get("tail", "")) + len(AROUND_WORDS)


def pieces_of_words(line: Words) -> Iterator[Piece]:
    """The sentences of the agent's words that say how something is or was; a fault with that it is mended now."""
    sentences = sentences_of(line["text"])
    for index, indexes in standing_statements(sentences, line).items():
        together = " ".join(sentences[number]["text"] for number in sorted(indexes))
        piece = piece_of(line, "said", together, index, len(sentences))
        piece["sentences"] = indexes
        yield piece


def without_old_reports(said: Sequence[Words]) -> list[Words]:
    """The agent's words, the newest first, without the long ones that later ones report on again: the newest counts.

    Of three lists of what was done the oldest had said "75 %, no PDF yet" below a PDF.
    """
    kept: list[Words] = []
    later: list[Set[str]] = []
    for line in said:
        is_long = len(line["text"]) > REPORT_MIN_CHARACTERS
        words = words_of(line["text"]) | dense_pairs(line["text"]) if is_long else set[str]()
        least = SAME_STATE_SHARE * len(words)
        if len(words) <= REPORT_MIN_WORDS or not any(len(words & report) >= least for report in later):
            kept.append(line)
        if words:
            later.append(words)
    return kept


def standing_statements(sentences: Sequence[Sentence], line: Words) -> dict[int, set[int]]:
    """The indexes of the agent's statements that nothing overtook later, each with those that have to stand beside it.

    Where it is shown what the person typed next, with each the question that ended the turn, which is one itself:
    without it that would pass for the answer to what stands there, and a question that nobody answered would be lost.
    """
    statements = indexes_of_statements(sentences)
    overtaken = {index for index, beside in statements.items()
                 if any(is_of_mended_tests(sentences[number], line) or is_of_taken_back(sentences, number, line)
                        or is_of_met_file(sentences[number], line)
                        for number in (beside if sentences[index]["is_drawn"] else (index,)))}
    together = with_lists_whole(sentences, statements, overtaken)
    last = len(sentences) - 1
    if line.get("tail") and sentences and ends_with_question(sentences[last]["text"]):
        together = {index: indexes | {last} for index, indexes in together.items()}
        together[last] = {last}
    return together


def with_lists_whole(sentences: Sequence[Sentence], statements: Mapping[int, set[int]],
                     overtaken: Set[int]) -> dict[int, set[int]]:
    """The statements that are not overtaken, those of a short list as one that has all its members.

    Of three causes in a list the third alone had come back, which a look had refuted just before.
    """
    whole = {index: beside for index, beside in statements.items() if index not in overtaken}
    lists: dict[int, list[int]] = {}
    for index, sentence in enumerate(sentences):
        lists.setdefault(sentence["list"], []).append(index)
    lists.pop(-1, None)
    for members in lists.values():
        stated = [index for index in members if index in whole]
        if stated and may_stand_whole(sentences, members) and overtaken.isdisjoint(members):
            whole[stated[0]] = {*members}.union(*(whole.pop(index) for index in stated))
    return whole


def is_of_mended_tests(sentence: Sentence, line: Words) -> bool:
    """Whether a sentence of the agent's says only that tests fail, not why, and they passed later."""
    if not line.get("tests_passed_since") or not re.search(TESTS_FAIL, sentence["text"]):
        return False
    return not re.search(GIVES_CAUSE, sentence["text"])


def is_of_met_file(sentence: Sentence, line: Words) -> bool:
    """Whether a sentence of the agent's says that a file is not there that was read or changed after it."""
    met, text = line.get("there_later"), sentence["text"]
    if not met or not re.search(SAYS_IT_LACKS, text):
        return False
    return names_only(text, met)


def is_of_taken_back(sentences: Sequence[Sentence], index: int, line: Words) -> bool:
    """Whether all files that a sentence of the agent's names, or the one that it points to, were taken back later."""
    gone, text = line.get("gone"), sentences[index]["text"]
    if not gone:
        return False
    points_back = "".join(words_of_sentence(text)[:1]) in POINTING_WORDS
    if index and points_back and names_only(sentences[index - 1]["text"], gone):
        return True
    return names_only(text, gone)


def names_only(sentence: str, paths: Set[str]) -> bool:
    """Whether the sentence names files, and none but these."""
    files = [name for name in re.findall(NAME_OF_CODE, sentence) if re.search(NAME_OF_FILE, name)]
    others = [name for name in files if not any(same_file(path, name) for path in paths)]
    return bool(files) and not others


def kind_of_step(item: Item) -> str:
    """Of what kind the line of an item is, as WEIGHTS name it."""
    tool = item.get("tool")
    if item["kind"] == "job":
        return "job"
    if item["kind"] == "look":
        return "read" if tool in ("Read", "LS", "Glob") else "look"
    if tool in SHELL_TOOLS:
        return "command"
    if tool in CHANGING_TOOLS:
        return "written" if tool == "Write" else "edited"
    return "order" if tool in SUBAGENT_TOOLS else "call"


def newest_step(line: Line) -> int:
    """The position of the newest step that a line is about."""
    return max([item["position"] for item in line["items"]], default=0)
