"""The conversation: what the person typed, each with what it answers, and what the agent said.

Words stand as they were typed. What a short message answers stands beside it: the agent's words before it, the offered
line that a letter or number picks, the call that a rejection refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from compact_keeper.client.blocks import rejection_words
from compact_keeper.client.changed_lines import checksum
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.client.transcript import PASTE_TAG, without_paste_tags
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.items import PASTED_LINES, new_item, newest_typed
from compact_keeper.record.words.assent import only_answers
from compact_keeper.record.words.dialogs import call_in_words, typed_answers
from compact_keeper.record.words.pasted import is_document, own_lines, words_behind_log
from compact_keeper.record.words.picks import answered_lines, picked_line
from compact_keeper.record.words.rules import rules_after
from compact_keeper.store.ledger import PROMPT_MAX_UTF16
from compact_keeper.text.ends import both_ends_in_rows, last_part
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import cut, units, without_middle
from compact_keeper.text.marks import OPEN_QUESTION, QUESTION_MARKS
from compact_keeper.text.names import names_of
from compact_keeper.text.rows_again import without_rows_again
from compact_keeper.text.times import moment
from compact_keeper.types import Entry, Item, MessageFields

MESSAGE_MAX_UTF16, KEY_CHARACTERS = 16_000, 300
LAST_WORDS_KEPT_UTF16 = 4_000  # of the agent's last words, lines kept: a list or code is what "yes" answers
SAID_MAX_UTF16 = 4_800  # of the agent's earlier words
ANSWERED_MAX_UTF16 = 700  # of the words that a message answers, their end
WITHOUT_OBJECT_BYTES = 40  # of a message that may be about what stands open; in UTF-8, as a wide script says more
SHORT_MESSAGE_CHARACTERS = 400  # a longer one is understood alone
PASTED_MIN_CHARACTERS, PASTED_SHOWN_UTF16 = 500, 100  # of a message; shorter pastes stand whole
WIDE_GAP = r"\n(?:[^\S\n]*\n){4,}"  # rows without words, as between a paste and the order that is typed below it
BEHIND_GAP_MAX_LINES = 12
SAID_COMPARED = 5  # of the agent's last words: what a person gives back of them is no word of theirs
OWN_LOOK = "recall.py"  # of a command that looks into the archive
QUESTION, LOOKED_UP = "question", "looked up"  # what waits: an answer to the agent's; the same, and a look came between
PAGE_SECONDS, PAGE_FIRST_LINES = 60, 3  # between a link and the page that was pasted; of the page
LINKED_MIN_CHARACTERS, LINKED_MIN_LINES = 1_500, 15  # of such a page: a shorter text may be an order
LINK_NAME = r"https?://[^\s/?#]{1,200}/(?:[^\s/?#]{1,200}/){0,20}([^\s/?#]{8,200})(?=[/?#]?(?:\s|\Z))"
SLASH_COMMAND = r"/[\w:-]*(?:\s|\Z)"


class Conversation:
    """The rules that hold and the agent's words, which later messages answer, correct or revoke."""

    def __init__(self, known: Sequence[Item], state: dict[str, str]) -> None:
        """Goes on from the items of earlier saves; `state` is the reading's, in which the last words are noted."""
        self.state = state
        self.rules = [item for item in known if item["kind"] == "rule"]
        self.said = [item["text"] for item in known if item["kind"] == "said"][-SAID_COMPARED:]
        self.by_ledger = [item for item in known if item["kind"] == "message" and item["source"] == "ledger"][-1:]
        self.last_words = text_of(state, "last_words")
        self.refusals: dict[str, str] = {}  # by call: what was refused
        self.typed_before = newest_typed(known)

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The items that an entry gives."""
        yield from self.message_by_row(entry)
        self.note_what_waits(entry)
        self.note_rejection(entry)
        if entry["what"] == "typed":
            yield from self.message_items(entry)
            self.state["rejected"] = ""
        elif entry["what"] == "said" and text_of(self.state, "waits") != LOOKED_UP:
            self.last_words = last_part(entry["text"], LAST_WORDS_KEPT_UTF16)
            self.said = [*self.said, entry["text"]][-SAID_COMPARED:]
            if not entry.get("is_old"):
                yield new_item("said", entry, both_ends_in_rows(entry["text"], SAID_MAX_UTF16), "assistant",
                               key=f"{entry['position']} {entry['text'][:40]}")
        elif entry["what"] == "plan":
            yield new_item("message", entry, entry["text"], "user", via="plan")
        elif entry["what"] == "teammate":
            yield new_item("message", entry, cut(entry["text"], MESSAGE_MAX_UTF16), "assistant", via="teammate",
                           sender=entry["sender"])
        elif entry["what"] == "call":
            if entry["rejected"]:
                self.refusals[entry["id"]] = call_in_words(entry)
            for words in typed_answers(entry) if entry["tool"] == "AskUserQuestion" else ():
                yield from self.rule_items(entry, words, "answer")

    def message_by_row(self, entry: Entry) -> Iterator[Item]:
        """The newest message that the ledger told, with what its row says that came with it.

        Where the ledger has cut its words, those of the row replace them, and so do the rules that they give.
        """
        for item in self.by_ledger if entry["what"] == "row" else ():
            if units(entry["text"]) <= PROMPT_MAX_UTF16:
                yield {**item, "attached": entry["attached"]}
                continue
            by_cut_words = [rule for rule in self.rules if rule["first"] == item["last"]]
            self.rules = [rule for rule in self.rules if rule not in by_cut_words]
            for rule in by_cut_words:
                yield {**rule, "status": "ended"}
            at: Entry = {**entry, "source": item["source"], "time": item["last"], "position": item["position"],
                         "cycle": item["cycle"], "via": item["via"], "typed_at": item["typed_at"]}
            message, *rules = self.message_items(at)
            yield {**message, "key": item["key"], "own": message.get("own", message["text"])}
            yield from rules

    def note_what_waits(self, entry: Entry) -> None:
        """Whether a question of the agent's waits for its answer, and a command that looks something up came behind it.

        What is said in answer to that, unless it asks in its turn, ends nothing: where the work stands is the question.
        """
        what, before = entry["what"], text_of(self.state, "waits")
        if what == "said":
            may_ask = holds_any(entry["text"], QUESTION_MARKS)
            is_open = may_ask and re.search(OPEN_QUESTION, last_part(entry["text"], ANSWERED_MAX_UTF16))
            self.state["waits"] = QUESTION if is_open else before if before == LOOKED_UP else ""
        elif what == "looked up" and before:
            self.state["waits"] = LOOKED_UP
        elif before and (what in ("plan", "teammate") or (what == "typed" and entry["via"] != "compact") or (
                what == "call" and is_work(entry))):
            self.state["waits"] = ""

    def note_rejection(self, entry: Entry) -> None:
        """Which call the person rejected without words, as long as nothing was said, run or typed since."""
        if entry["what"] == "said":
            self.state["rejected"] = ""
        elif entry["what"] == "call" and entry["rejected"]:
            self.state["rejected"] = "" if rejection_words(entry["output"]) else call_in_words(entry)
        elif entry["what"] == "call" and entry["ok"] is not None:
            self.state["rejected"] = ""

    def note_last_words(self) -> None:
        """Notes the agent's last words in the state, whole, as far as they are kept."""
        self.state["last_words"] = self.last_words

    def message_items(self, entry: Entry) -> Iterator[Item]:
        """From typed words: the message with what it answers; the rules that it gives, and those that it ends."""
        typed = entry["text"].strip()
        text = without_paste_tags(typed)
        is_short = len(text) <= SHORT_MESSAGE_CHARACTERS
        attached = text_of(entry, "attached")
        more: MessageFields = {"via": entry["via"], "typed_at": text_of(entry, "typed_at") or entry["time"],
                               "attached": attached, "command_error": text_of(entry, "command_error")}
        if entry["via"] == "prompt" and is_short:
            more["broken_off"] = text_of(entry, "broken_off")
        options: list[str] = []
        if entry["via"] == "rejection":
            more["refused"] = self.refusals.get(entry["source"], "")
        elif is_short and self.last_words and entry["via"] not in ("waited", "compact") and not is_slash_command(text):
            more["answers"] = last_part(self.last_words, ANSWERED_MAX_UTF16)
            more["picks"], options = picked_line(text, self.last_words)
            if entry["via"] in ("prompt", "interrupt"):
                more["follows"] = text_of(self.state, "rejected")
        if len(text.encode("utf-8", "replace")) <= WITHOUT_OBJECT_BYTES and not has_object(text):
            more["opened"] = text_of(entry, "opened").replace(f"{text_of(self.state, 'root') or '/'}/", "", 1)
        if not options and self.last_words and entry["via"] == "prompt":
            options = answered_lines(text, self.last_words)
        if not is_short and not is_document(text) and (own := without_pastes(typed, self.said)) != text:
            more["own"] = own
        is_page = entry["via"] == "queue" and is_page_of_link(text, more["typed_at"], self.typed_before)
        if is_page:
            more["own"] = "\n".join(paste_in_short([line for line in text.splitlines() if line.strip()], 0))
        answered = f" {more['answers'][-60:]}" if is_short and more.get("answers") else ""
        filled: Any = {name: value for name, value in {**more, "options": options}.items() if value}
        kept = text if units(text) <= MESSAGE_MAX_UTF16 else without_middle(without_rows_again(text), MESSAGE_MAX_UTF16)
        self.typed_before = new_item("message", entry, kept, "user",
                                     key=f"{words_in_short(text)}{answered}{attached and f' ({attached})'}", **filled)
        yield self.typed_before
        if not is_page:
            yield from self.rule_items(entry, typed, entry["via"])

    def rule_items(self, entry: Entry, text: str, via: str) -> Iterator[Item]:
        """The rules that typed words give, and those that they end."""
        sentences, revoked = rules_after(self.rules, text, self.said)
        for rule in revoked:
            self.rules = [known for known in self.rules if known["text"] != rule["text"]]
            yield {**rule, "status": "ended"}
        for sentence in sentences:
            rule = new_item("rule", entry, sentence, "user", via=via)
            self.rules = [*(known for known in self.rules if known["text"] != sentence), rule]
            yield rule


def words_in_short(text: str) -> str:
    """The text by which a message is known again: of a long one its beginning, and a checksum of all of it.

    Two pasted logs had passed for one that was typed twice, as they began with the same command.
    """
    begin = text[:KEY_CHARACTERS]
    return begin if begin == text else f"{begin} {checksum(text)}"


def is_slash_command(text: str) -> bool:
    """Whether the text calls a command of the client's; a path of several folders does not."""
    return re.match(SLASH_COMMAND, text) is not None


def has_object(text: str) -> bool:
    """Whether few words name something, or only agree: then no file that stands open tells what they are about."""
    return bool(re.search(r"\d", text) or names_of(text) or only_answers(text))


def is_work(call: Entry) -> bool:
    """Whether the call goes on with the work: it changes, orders or starts something, or asks the person."""
    if call["tool"] in SHELL_TOOLS:
        return not (is_looking(call["command"]) or OWN_LOOK in call["command"])
    return call["tool"] in (*CHANGING_TOOLS, *SUBAGENT_TOOLS, "AskUserQuestion", "ExitPlanMode")


def is_page_of_link(text: str, typed_at: str, before: Item | None) -> bool:
    """Whether a message is the page of a link that was typed just before: one of its first lines is the link's name.

    "Learn about https://example.org/zones-of-the-north", and half a minute later all that stands there: it orders
    nothing, and had stood as an order.
    """
    if not before or not 0 <= moment(typed_at) - moment(before.get("typed_at") or before["last"]) <= PAGE_SECONDS:
        return False
    names = {letters_of(link) for link in re.findall(LINK_NAME, before["text"][:SHORT_MESSAGE_CHARACTERS])}
    lines = text.splitlines()
    is_long = len(text) > max(LINKED_MIN_CHARACTERS, len(before["text"])) and len(lines) > LINKED_MIN_LINES
    return is_long and any(
        letters_of(line) in names and not line.rstrip().endswith(":") for line in lines[:PAGE_FIRST_LINES])


def letters_of(text: str) -> str:
    """The text's letters and digits, in lower case."""
    return re.sub(r"[\W_]", "", text.casefold())


def without_pastes(text: str, said: Sequence[str]) -> str:
    """A message's own lines; for lines that were pasted into it, how many they are and how the first begins."""
    words, pasted, least = list[str](), list[str](), PASTED_MIN_CHARACTERS
    # Of a very long message the middle is not looked at: there nothing counts as the person's own.
    lines, begin, behind_gap = text.splitlines(), own_lines(text, said), lines_behind_gap(text, said)
    count = len(lines) - len(behind_gap)
    of_person = [*begin[:count], *[""] * (count - len(begin)), *behind_gap]
    for line, own, below, own_below in zip_longest(lines, of_person, lines[1:], of_person[1:], fillvalue=""):
        is_end = bool(own_below) or not below.strip() or re.fullmatch(PASTE_TAG, below)  # of the paste
        behind = words_behind_log(line) if is_end and not own else ""
        if line.strip() and not own:
            pasted += [] if re.fullmatch(PASTE_TAG, line) else [line.strip().removesuffix(behind).rstrip()]
        if own or behind:
            least = PASTED_SHOWN_UTF16 if behind else least  # where words stand among rows of a log, they go first
            words += paste_in_short(pasted, least)
            pasted = []
        if own or behind or not line.strip():
            words.append(behind or line)
    return "\n".join([*words, *paste_in_short(pasted, least)]).strip()


def lines_behind_gap(text: str, said: Sequence[str]) -> list[str]:
    """The few lines behind a message's last wide gap, those that look pasted by themselves empty; none without a gap.

    They stand in the message whatever was announced above, and however long it is; for a rule that is too little. An
    order at the end of 87,000 characters, below another program's answer, had gone with that.
    """
    gap = next(reversed([*re.finditer(WIDE_GAP, text)]), None)
    end = text[gap.end():] if gap else ""
    is_in_wall = holds_any(end, ("```", "~~~", "</"))
    count = len(end.splitlines())
    own = own_lines(end, said) if count <= BEHIND_GAP_MAX_LINES and not is_in_wall else []
    return own + [""] * (count - len(own)) if own else []  # of a very long end some are not looked at


def paste_in_short(lines: list[str], least: int) -> list[str]:
    """A line that says how many lines were pasted and how the first begins; they themselves up to `least` signs."""
    if len("".join(lines)) <= least:
        return lines
    begin = next((line for line in lines if re.search(r"\w", line)), "")
    return [f"[{len(lines)}{PASTED_LINES}: {cut(begin, PASTED_SHOWN_UTF16)}]"]
