"""Words of a session as the notes show them: cut, and so that Markdown fetches and hides nothing."""

from __future__ import annotations

import re

from compact_keeper.text.ends import end_on_a_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.text.times import local_time
from compact_keeper.types import Item

SHORT_ANSWER_CHARACTERS = 80  # a message so short is not understood without what it answers
NOTE_WORDS_MAX_UTF16, NOTE_NAME_MAX_UTF16 = 220, 110  # of words; of a command, a file, a heading


def spoken(text: str, limit: int = NOTE_WORDS_MAX_UTF16) -> str:
    """Words on one line in quotation marks."""
    return in_quotes(escaped(cut(" ".join(text.split()), limit)))


def escaped(text: str) -> str:
    """The text so that Markdown shows what looks like HTML or a link as it stands: no picture is fetched."""
    return re.sub(r"\\?(<(?=[\w/!?])|\](?=[(\[:]))", r"\\\1", text)


def code_shown(text: str) -> str:
    """The beginning of the text as inline code."""
    return as_code(cut(" ".join(text.split()), NOTE_NAME_MAX_UTF16))


def is_for_summary(item: Item) -> bool:
    """Whether the words stood behind /compact: they are for who writes the summary, no request to the agent."""
    return item.get("via") == "compact"


def heading(text: str) -> str:
    """The text's first line, of a plan that stands on one line what is before its first heading below."""
    return cut(text.strip().partition("\n")[0].partition(" #")[0].lstrip("# "), NOTE_NAME_MAX_UTF16)


def message_shown(item: Item, limit: int = NOTE_WORDS_MAX_UTF16) -> str:
    """The words of a message or rule, with what they pick or refuse.

    Of a plan handed over its first line; of a longer `limit` what stands below it, too.
    """
    words = spoken(item["text"], limit)
    if item.get("via") == "plan":
        below = item["text"].strip().partition("\n")[2] if limit > NOTE_WORDS_MAX_UTF16 else ""
        words = f"the plan {spoken(heading(item['text']))}{f': {spoken(below, limit)}' if below.strip() else ''}"
    refused = f"{code_shown(item['refused'])}: " if item.get("refused") else ""
    answers = text_of(item, "answers")
    picks = f", which picks {spoken(item['picks'])}{question_in(answers, item['picks'])}" if item.get("picks") else ""
    is_aside = item.get("via") in ("compact", "queue")  # it answers nothing that was said
    if not picks and answers and not is_aside and len(item["text"]) <= SHORT_ANSWER_CHARACTERS:
        picks = f", after the agent's {spoken(end_on_a_line(answers, NOTE_WORDS_MAX_UTF16))}"
    sender = f" (from {escaped(text_of(item, 'sender'))})" if item.get("sender") else ""
    return f"{refused}{words}{picks}{sender}"


def question_in(words: str, option: str) -> str:
    """The last question in the agent's words, of which an option was picked; empty where it is in that, or none is."""
    questions = re.findall(r"((?:[^.!?\n]|[.!](?!\s)|\n(?!\n))+\?)(?=[\s\"'”*)]|$)", words)
    question = questions[-1].strip(" *_>#-") if questions else ""
    if not question or question in option:
        return ""
    return f", asked {spoken(end_on_a_line(question, NOTE_WORDS_MAX_UTF16))}"


def outcome_words(command: str, result: str) -> str:
    """A command, and what its output says of its end."""
    return code_shown(command) + (f": {spoken(result)}" if result else "")


def local(seconds: float) -> str:
    """The moment in the machine's own time zone."""
    return local_time(seconds) if seconds else "earlier"
