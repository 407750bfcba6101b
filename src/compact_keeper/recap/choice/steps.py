"""Which of what was done and said comes back: the pieces that say most, while there is room.

A step's line stands in its short or its longer form, perhaps with more rows that it printed; of the agent's words
single sentences stand, with what they stand under. In which order the pieces come is said in ranking.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from compact_keeper.recap.choice.pieces import NAME_OF_CODE, newest_step, pieces_of_step, pieces_of_words, rows_not_in
from compact_keeper.recap.choice.ranking import ranked, says_new
from compact_keeper.recap.lines.edits import BEFORE_MESSAGE, BEFORE_THAT, PROSE, rows_of_changes
from compact_keeper.recap.lines.remarks import files_since
from compact_keeper.recap.lines.said_sentences import PARTS_LEFT_OUT, sentences_of, with_gaps
from compact_keeper.recap.wording.joined_rows import joined_rows
from compact_keeper.recap.wording.phrases import rows_on_a_line, shared_beginning
from compact_keeper.recap.wording.stated import RESULT_SIGN
from compact_keeper.recap.wording.tagged import before_tag, tagged
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.holding import places_of
from compact_keeper.text.length import units
from compact_keeper.text.paths import is_path_named_in
from compact_keeper.types import Item, Line, Piece, Words

LEFT_OUT_MIN_UTF16 = 100  # of words: for less nobody looks up the step, and its tag would take as much as a word
SAID_SHARE = 0.4  # of the room, for what the agent said
# The share of a piece's new words that has to be new still when its turn comes: else it says the same again.
NEWS_MIN, ANY_NEWS = 0.5, 0.01
PIECES_WITHOUT_ROOM_MAX = 200  # pieces that have no room, in their order: behind them only worse ones fit
ALSO_PRINTED = "; also printed: "
# Rows behind a step's line: of one search 22 hits had stood there, and by the keys' words of 72 compactions three
# tell as much as all.
ROWS_BEHIND_MAX = 3
BEGINNING_MIN_CHARACTERS = 20  # of a row, by which it is known
BEFORE_ROW = (ROW_END, RESULT_SIGN, BEFORE_THAT, "): ")  # in a line; the last behind the name of a changed file
NO_STEPS = ("longer", "printed", "said")


class ChosenSteps:
    """The lines that are chosen so far, and how much room is left (UTF-16 units)."""

    def __init__(self, known: Set[str], room: int) -> None:
        """None yet; `known` are the words of the summary and of the text before."""
        self.known, self.room = {*known}, room
        self.forms: dict[int, tuple[Line, str]] = {}  # by the line's identity: the line, and how it stands there
        self.pieces: dict[int, list[Piece]] = {}  # that were taken, by the line's identity
        self.turns: set[str] = set()  # whose head stands above some of them
        self.misfits: dict[int, int] = {}  # by a piece's identity, beside how many of its line it had no room

    def take(self, piece: Piece) -> bool:
        """Takes the piece where it has room; whether it stands in its line then."""
        line, key = piece["line"], id(piece["line"])
        pieces = self.pieces.get(key, [])
        if any(taken is piece for taken in pieces):
            return True
        pieces = [*pieces, piece]
        if self.misfits.get(id(piece)) == len(pieces):
            return False  # beside the same pieces, and there is no more room now than then
        text, turn = text_with(line, pieces), line.get("turn", "")
        cost = units(text) + 1
        if key in self.forms:
            cost -= units(self.forms[key][1]) + 1
        is_below_new_head = turn != "" and turn not in self.turns
        if is_below_new_head:
            cost += units(turn) + 1
        if cost > self.room:
            self.misfits[id(piece)] = len(pieces)
            return False
        self.room -= cost
        self.forms[key], self.pieces[key] = (line, text), pieces
        if is_below_new_head:
            self.turns.add(turn)
        self.known |= piece["words"]
        return True

    def fill(self, most: float, pieces: Iterable[Piece], news: float) -> None:
        """Takes pieces in their order up to `most` units; `news`: the share of their new words that is still new."""
        least, misfits = self.room - most, 0
        for piece in pieces:
            if self.room <= least or misfits > PIECES_WITHOUT_ROOM_MAX:
                return
            if not says_new(piece, self.known, news) or self.has_enough_rows_for(piece):
                continue
            if not self.take(piece):
                misfits += 1

    def has_enough_rows_for(self, piece: Piece) -> bool:
        """Whether the piece is a printed row, and its line has as many of these already as it may have."""
        if piece["kind"] != "printed":
            return False
        behind = [taken for taken in self.pieces.get(id(piece["line"]), []) if taken["kind"] == "printed"]
        return len(behind) >= ROWS_BEHIND_MAX


def all_pieces(work: Sequence[Line], said: Sequence[Words]) -> list[Piece]:
    """The pieces of what was done and said."""
    edits = [item for line in work for item in line["items"] if item.get("change")]
    of_work = [piece for line in work for piece in pieces_of_step(line)]
    of_words = [piece for line in said for piece in pieces_of_words(line) if not is_of_before_edits(piece, edits)]
    return [*of_work, *of_words]


def chosen_steps(pieces: Sequence[Piece], known: Set[str], room: int) -> list[Line]:
    """Copies of the lines of these pieces that have room, the newest first, each as it stands there."""
    in_order = ranked(pieces, known)
    steps = ChosenSteps(known, room)
    steps.fill(room, newest_action(pieces), 0)
    steps.fill(SAID_SHARE * room, (piece for piece in in_order if piece["kind"] == "said"), NEWS_MIN)
    steps.fill(room, in_order, NEWS_MIN)
    steps.fill(room, in_order, ANY_NEWS)
    steps.fill(room, (piece for piece in pieces if piece["kind"] not in NO_STEPS), 0)
    lines: list[Line] = []
    for key, (line, text) in steps.forms.items():
        taken = steps.pieces[key]
        if "hits" in line and len(taken) == 1:
            continue  # how often a name was met, and not where
        lines.append({**line, "text": text, "fuller": fuller_forms(line, taken, text)})
    return sorted(lines, key=newest_step, reverse=True)


def newest_action(pieces: Sequence[Piece]) -> list[Piece]:
    """The short form of what the session's own agent did last, if it has a line: whoever goes on begins behind that.

    A last `make part-672` that printed "done" tells nothing new, and would have had no room.
    """
    actions = [piece for piece in pieces if piece["kind"] not in NO_STEPS and is_own_action(piece["line"])]
    return [max(actions, key=lambda piece: piece["step"])] if actions else []


def is_own_action(line: Line) -> bool:
    """Whether a line is about what the session's own agent did, no subagent."""
    return any(item["kind"] == "action" and not item.get("by_agent") for item in line["items"])


def is_of_before_edits(piece: Piece, edits: Sequence[Item]) -> bool:
    """Whether a sentence of the agent's names code, and all of it was edited later: it tells what was there before.

    By the answers' words of 72 compactions these sentences are worth nothing, and they misled whoever went on. Prose
    that names the code changes none: why a test failed had gone, since a page named the test later.
    """
    if piece["kind"] != "said":
        return False
    text = piece["text"]
    names = [name.strip("().") for name in re.findall(NAME_OF_CODE, text)]
    later = [f"{edit['path']}\n{edit['change']}" for edit in edits if edit["position"] > piece["step"] and (
        not edit["path"].lower().endswith(PROSE) or is_path_named_in(edit["path"], text))] if names else []
    unedited = [name for name in names if not any(name in change for change in later)]
    return bool(names) and not unedited


def text_with(line: Line, pieces: Sequence[Piece]) -> str:
    """How a line stands with these pieces of it."""
    if pieces[0]["kind"] == "said":
        return sentences_with(line, pieces)
    is_longer = any(piece["kind"] == "longer" for piece in pieces)
    return with_printed(line["whole"] if is_longer else line["text"], pieces)


def with_printed(text: str, pieces: Sequence[Piece]) -> str:
    """The form of a step's line with those of the pieces behind it that are rows which it printed."""
    rows = [piece for piece in pieces if piece["kind"] == "printed"]
    return with_rows(text, sorted(rows, key=lambda row: row["index"])) if rows else text


def fuller_forms(line: Line, pieces: Sequence[Piece], shown: str) -> list[str]:
    """How a line that is `shown` with these pieces stands where room is left, the shortest form first.

    A step with its whole command: 10,000 units had stayed empty while the names of the files that it joined were cut.
    """
    if pieces[0]["kind"] == "said":
        return words_whole(line, shown)
    forms = [*([line["whole"]] if "whole" in line else []), *line.get("fuller", [])]
    printed = [piece for piece in pieces if piece["kind"] == "printed"]
    return [with_rows_missing(form, printed) for form in forms] if printed and "changes" not in line else forms


def with_rows_missing(form: str, printed: Sequence[Piece]) -> str:
    """The form of a step's line with those of these printed rows that it does not show."""
    missing = rows_not_in(form, [row["text"] for row in printed])
    return with_printed(form, [row for row in printed if row["text"] in missing])


def sentences_with(line: Line, pieces: Sequence[Piece]) -> str:
    """How a line of words stands with these of its sentences, and with its tag where much is left out."""
    indexes = {index for piece in pieces for index in piece["sentences"]}
    words = with_gaps(sentences_of(line["text"]), indexes)
    text = in_line_of_words(line, words)
    is_much_left_out = units(line["text"]) - units(words) > LEFT_OUT_MIN_UTF16
    return tagged(text, line["items"][0]) if is_much_left_out else text


def words_whole(line: Line, shown: str) -> list[str]:
    """How a line of words stands with all of them, for where room is left; nothing where all of them are `shown`.

    Of reports and of the newest turn: what was thought in older ones before a step was mostly overtaken by it. Not
    where what is kept is cut: a plan's first way had gone on in the code of its third.
    """
    if not line.get("may_stand_whole") or f"\n{PARTS_LEFT_OUT}\n" in line["text"]:
        return []
    form = in_line_of_words(line, rows_on_a_line(line["text"]))
    return [] if form.replace(ROW_END, " ") == shown else [form]


def in_line_of_words(line: Line, words: str) -> str:
    """These words in their line: behind its label, before the files edited since and what was typed next."""
    return f"{line['label']}{words}{files_since(line, words)}{line.get('tail', '')}"


def with_rows(text: str, rows: Sequence[Piece]) -> str:
    """A line with more rows of its step behind it; its tag stays last.

    A row of which the line shows the beginning stands whole in its place. Of a file's edits the rows are the newest
    one's turn's: they stand before what was changed in earlier ones.
    """
    (bare, tag), line = before_tag(text), rows[0]["line"]
    behind = list[str]()
    for row in (piece["text"] for piece in rows):
        begin = beginning_shown(row, bare)
        if begin:
            bare = bare.replace(begin, row, 1)
        else:
            behind.append(row)
    if not behind:
        return bare + tag
    if line.get("hits", 0) > len(behind):  # of 6 files three had stood there like all
        behind.append(ROWS_BETWEEN)
        tag = tag or tagged(ROWS_BETWEEN, line["items"][0]).removeprefix(ROWS_BETWEEN)
    of_turn, before_turn, earlier = bare.partition(BEFORE_MESSAGE)
    also = (rows_of_changes(behind, line["changes"]) if "changes" in line else ROW_END.join(joined_rows(behind)))
    return (of_turn + line.get("before_rows", ALSO_PRINTED) + also + before_turn + earlier + tag)


def beginning_shown(row: str, text: str) -> str:
    """How the row stands in a text that shows its beginning alone, with the mark of what is missing; else empty."""
    for begin in places_of(row[:BEGINNING_MIN_CHARACTERS], text):
        if text[:begin].endswith(BEFORE_ROW):
            end = begin + shared_beginning(row, text[begin:])
            mark = re.match(" ?…(?=[ ;]|$)", text[end:])
            if mark:
                return text[begin:end] + mark[0]
    return ""
