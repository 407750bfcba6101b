"""What stands behind a message that is not understood alone: what it picks, rejects or answers."""

from __future__ import annotations

import re

from compact_keeper.recap.lines.dialog_answers import passed_over
from compact_keeper.recap.lines.rejections import REJECTED_SHOWN_UTF16, rejected_in_short
from compact_keeper.recap.wording.phrases import SENTENCE_END, ends_with_question, folded_line, last_sentence
from compact_keeper.text.ends import end_on_a_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import QUESTION_MARKS, in_quotes
from compact_keeper.types import Item

ERROR_SHOWN_UTF16 = 80  # of the API, with which a turn broke off; of a slash command
LINE_ANSWERED_UTF16 = 120  # of a question that a message answers by its number
PICKED_SHOWN_UTF16 = 220  # of a line of the agent's
FEW_WORDS = 3
COMMON_WORDS = frozenset((  # that a question and an order may share by chance
    "about also before could does done first from have here into just like look make more need next only over please "
    "same should some such take test tests than that their them then there they this those want well were what when "
    "where which will with work would write your").split())
ANSWER_MAX_CHARACTERS, QUESTION_BEFORE_UTF16 = 80, 130  # of an answer to a question, and of the question
POINTS_BACK = (r"(?i)\b(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|it|its|this|that|these|those|them|they|there"
               r"|one|ones|both|all|none|same|first|second|last|other|option|former|latter|\d{1,2}|[b-h])\b")
ENGLISH = r"(?i)\b(?:the|we|you|need|please|is|are|my|and|to)\b"  # of others it is not known which words point back
NO_SENTENCES = r"(?m)^\s*(?:[-*•+](?=\s)|[|>`~#]|\d{1,3}[.)](?=\s))"  # of a paragraph
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
REPLY = (  # a sentence that is nothing but an answer; "ok" and "thanks" may only take note of what was said
    r"(?i)(?:yes|yeah|yep|yup|sure|no|nope|rather not|not yet|not now|go ahead|do it|do so|please (?:do|don['’]?t)"
    r"|of course(?: not)?|both|neither|none|either|no preference|i (?:don['’]?t|do not) (?:know|care)|you decide"
    r"|ja|nein|lieber nicht|noch nicht|beides?|oui|non|plutôt pas|pas encore|sí|mejor no|todavía no|sim|não|ainda não"
    r"|да|нет|пока нет|лучше не надо|はい|いいえ|네|아니요|好的?|是的?|不|不要|不用)"
    r"(?:,? (?:please|thanks|thank you|bitte|danke|merci|gracias|obrigad[oa]|пожалуйста|спасибо))?[.!;。！]?")


def what_it_answers(item: Item, is_newest: bool, most: int) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Of these at most so many UTF-16 units, none of 0. Behind the newest one also where it is longer: the next step hangs
    on it. Words that ask nothing stand behind older ones of few words alone, with their closing paragraph, and no words
    that calls came behind: "yes" had stood after "All tests pass", to which it was no answer.
    """
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    certain = what_it_picks_or_follows(item, is_newest)
    if certain or not (answers and most) or is_aside:
        return certain
    if not is_newest and not is_understood_with_more(item["text"]):
        question = question_answered(item["text"], answers)
        return f" (to the agent's {in_quotes(question)})" if question else ""
    is_in_few_words = is_reply_in_few_words(item["text"])
    is_short = is_in_few_words and len(item["text"]) <= UNDERSTOOD_ALONE_CHARACTERS  # of scripts without spaces, too
    under = item.get("headings", "") if is_short and units(answers) > most else ""
    end = in_quotes(under + end_on_a_line(answers, most))
    if text_of(item, "broken_off"):
        error = in_quotes(cut(item["broken_off"], ERROR_SHOWN_UTF16))
        return f" (the turn had broken off with {error}, after the agent's {end})"
    if any(mark in end for mark in QUESTION_MARKS) or (is_newest and not item.get("is_behind_calls")):
        return f" (after the agent's {end})"
    is_reply = is_in_few_words and not item.get("is_behind_calls")
    closing = closing_paragraph(answers) if is_reply else ""
    return f" (after the agent's {in_quotes(end_on_a_line(closing, most))})" if closing else ""


def what_it_picks_or_follows(item: Item, is_newest: bool) -> str:
    """The agent's lines that a message picks or answers by their signs, or the call that was rejected before it."""
    if item.get("picks"):
        others = passed_over([option for option in item.get("options", []) if option != item["picks"]])
        return f" (picks the agent's line {in_quotes(cut(item['picks'], PICKED_SHOWN_UTF16))}{others})"
    if item.get("options"):
        return f" (to the agent's {', '.join(in_quotes(cut(line, LINE_ANSWERED_UTF16)) for line in item['options'])})"
    rejected = rejection_shown(item, is_newest)
    call = rejected_in_short(rejected, REJECTED_SHOWN_UTF16)
    return f" (after rejecting {call}{text_of(item, 'ran_later')})" if rejected else ""


def rejection_shown(item: Item, is_newest: bool) -> str:
    """The call that was rejected before a message, where that stands behind it; else empty."""
    if item.get("picks") or item.get("options"):
        return ""
    return text_of(item, "follows") if is_newest or is_understood_with_more(item["text"]) else ""


def is_understood_with_more(words: str) -> bool:
    """Whether short words may hang on what they answer: a few of them, ones that point back, or in other languages."""
    if len(words) > UNDERSTOOD_ALONE_CHARACTERS:
        return False
    if len(words.split()) <= FEW_WORDS or re.search(POINTS_BACK, words):
        return True
    return not re.search(ENGLISH, words)


def question_answered(words: str, before: str) -> str:
    """The question at the end of the words before, of a long one its end, where a message answers it; else empty.

    It does where its first sentence is an answer and no more ("Rather not. Commit it on …" says less than nothing
    without the question), and where short words, of a longer message the first sentence, take up a word of the
    question: "in metres. You may use a subagent" reads as an order of its own. Most orders behind a question answer
    nothing: of 195 longer ones three did, with its words.
    """
    question, first = last_sentence(before), re.split(SENTENCE_END, folded_line(words))[0]
    if not question.endswith(QUESTION_MARKS):
        return ""
    if not re.fullmatch(REPLY, first):
        answer = words if len(words) <= ANSWER_MAX_CHARACTERS else first
        if len(answer) > ANSWER_MAX_CHARACTERS or answer.rstrip().endswith(QUESTION_MARKS):
            return ""
        taken_up, asked_for = ({*re.findall(r"\w{4,}", text.casefold())} - COMMON_WORDS for text in (answer, question))
        if not (taken_up & asked_for or repeats_part_of(first, question)):
            return ""
    return end_on_a_line(question, QUESTION_BEFORE_UTF16)


def repeats_part_of(sentence: str, question: str) -> bool:
    """Whether the sentence, of two words or more, stands in the question: "a test first. …" to "… a test first?"."""
    answer, whole = (" ".join(re.findall(r"\w+", text.casefold())) for text in (sentence, question))
    return " " in answer and f" {answer} " in f" {whole} "


def is_reply_in_few_words(words: str) -> bool:
    """Whether a message is a few words that ask nothing: alone they say nothing."""
    return len(words.split()) <= FEW_WORDS and not ends_with_question(words)


def closing_paragraph(words: str) -> str:
    """The last paragraph of the words; empty where that is a list, a table, or code."""
    paragraph = re.split(r"\n\s*\n", words.strip())[-1]
    return "" if re.search(NO_SENTENCES, paragraph) else paragraph
