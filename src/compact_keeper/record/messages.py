"""The thread: what the person typed, each with what it answers, and what the agent said.

Words stand as they were typed. What a short message answers stands beside it: the agent's words before it, the offered
line that a letter or number picks, the call that a rejection refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.dialogs import call_in_words
from compact_keeper.record.evidence_lines import said_lines
from compact_keeper.record.items import new_item
from compact_keeper.record.rules import rules_after
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import before_space, behind_space, cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

MESSAGE_MAX_UTF16 = 8_000
LAST_WORDS_KEPT_UTF16 = 4_000  # of the agent's last words, lines kept: a list or code is what "yes" answers
SAID_MAX_UTF16 = 1_200  # of the agent's earlier words, on one line
ANSWERED_MAX_UTF16 = 700  # of the words that a message answers, their end
SHORT_MESSAGE_CHARACTERS = 400  # a longer one is understood alone
SAID_COMPARED = 5  # of the agent's last words: what a person gives back of them is no word of theirs
OPTION = r"^[ \t>*_-]{0,8}(?:option )?\(?%s[).:\]][\s*_]{1,4}\S.{0,300}$"
PICK = (r"(?i)(?:(?:yes|ok|okay|let'?s|go with|do|take|use|i'?d|prefer|choose|pick|option|number|nr|no\.?|#|and"
        r"|please|,|\.|:|for|with|i|say|the|answer)\s{0,3}){0,5}(?P<mark>[a-h]|\d{1,2})[).!,:]?(?=$|[\s).,;:!])")
PICK_MAX_CHARACTERS = 80  # of a message that picks; in a longer one a sign stands behind the letter


class Thread:
    """The rules that hold and the agent's words, which later messages answer, correct or revoke."""

    def __init__(self, known: Sequence[Record], state: Record) -> None:
        """Goes on from the items of earlier saves; `state` is the reading's, in which the last words are noted."""
        self.state = state
        self.rules = [item for item in known if item["kind"] == "rule"]
        self.said = [item["text"] for item in known if item["kind"] == "said"][-SAID_COMPARED:]
        self.last_words = text_of(state, "last_words")
        self.refusals: dict[str, str] = {}  # by call: what was refused

    def items_of(self, entry: Record) -> Iterator[Record]:
        """The items that an entry gives."""
        if entry["what"] == "typed":
            yield from self.message_items(entry)
        elif entry["what"] == "said":
            self.last_words = cut(entry["text"], LAST_WORDS_KEPT_UTF16)
            self.said = [*self.said, entry["text"]][-SAID_COMPARED:]
            yield new_item("said", entry, both_sides(entry["text"], SAID_MAX_UTF16), "assistant",
                           key=f"{entry['position']} {entry['text'][:40]}", evidence=said_lines(entry["text"]))
        elif entry["what"] == "plan":
            yield new_item("message", entry, entry["text"], "user", via="plan")
        elif entry["what"] == "teammate":
            yield new_item("message", entry, cut(entry["text"], MESSAGE_MAX_UTF16), "assistant", via="teammate",
                           sender=entry["sender"])
        elif entry["what"] == "call" and entry["rejected"]:
            self.refusals[entry["id"]] = call_in_words(entry)

    def items_at_rest(self) -> Iterator[Record]:
        """Notes the agent's last words, whole, as far as they are kept."""
        self.state["last_words"] = self.last_words
        yield from ()

    def message_items(self, entry: Record) -> Iterator[Record]:
        """From typed words: the message with what it answers; the rules that it gives, and those that it ends."""
        text = entry["text"].strip()
        is_short = len(text) <= SHORT_MESSAGE_CHARACTERS
        more = {"via": entry["via"]}
        if entry["via"] == "rejection":
            more["refused"] = self.refusals.get(entry["source"], "")
        elif is_short and self.last_words:
            more["answers"] = last_part(self.last_words, ANSWERED_MAX_UTF16)
            more["picks"] = picked_line(text, self.last_words)
        answered = f" {more['answers'][-60:]}" if is_short and more.get("answers") else ""
        yield new_item("message", entry, cut(text, MESSAGE_MAX_UTF16), "user", key=f"{text[:300]}{answered}",
                       **{name: value for name, value in more.items() if value})
        sentences, revoked = rules_after(self.rules, text, self.said)
        for rule in revoked:
            self.rules = [known for known in self.rules if known["text"] != rule["text"]]
            yield {**rule, "status": "ended"}
        for sentence in sentences:
            rule = new_item("rule", entry, sentence, "user", via=entry["via"])
            self.rules = [*(known for known in self.rules if known["text"] != sentence), rule]
            yield rule


def both_sides(text: str, limit: int) -> str:
    """The text on one line; of a long one its beginning and its end."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return f"{before_space(line[:limit // 2])} … {behind_space(line[-limit // 2 + 3:])}"


def last_part(text: str, limit: int) -> str:
    """The end of the text, from the beginning of a line or of a sentence on where there is one."""
    text = text.strip()
    if len(text) <= limit:
        return text
    end = text[-limit:]
    start = re.search(r"\n|[.!?:] ", end[:limit // 2])
    return "… " + (end[start.end():] if start else behind_space(end)).strip()


def picked_line(text: str, offered: str) -> str:
    """The line of the agent's words that a message picks by its letter or number; empty when it picks none."""
    mark = re.match(PICK, text)
    if not mark:
        return ""
    sign, behind = mark["mark"], text[mark.end("mark"):mark.end("mark") + 1]
    is_word = sign.lower() in ("a", "i") and len(text.split()) > 1  # of English
    if (is_word or len(text) > PICK_MAX_CHARACTERS) and behind not in (")", ".", ":"):
        return ""
    lines = re.findall(OPTION % re.escape(sign), offered, re.MULTILINE | re.IGNORECASE)
    return quote(lines[-1].strip(" *_->"), 300) if lines else ""
