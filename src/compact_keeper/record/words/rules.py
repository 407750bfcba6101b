"""The standing rules among a person's typed words, and which of them a later message revokes.

A rule holds on after the step at hand is done. A strong marker tells it ("always", "from now on", "we only …", "don't
touch vendor/"), said to the agent and not of a program ("it always returns 0"), of no single step ("for now", "yet",
"before you start"), and no question. Where that is not certain the sentence is no rule: it stands in its message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.words.pasted import own_lines
from compact_keeper.record.words.revocations import permission_in, revoked_by
from compact_keeper.record.words.rule_markers import ALWAYS, ELSEWHERE, ONCE, ONCE_ALWAYS, ONCE_ELSEWHERE, STANDING
from compact_keeper.record.words.sentences import fitting, folded, is_question, sentences
from compact_keeper.types import Item

RULES_OF_A_MESSAGE_MAX = 12  # of more the rest stands in the message
PAGE_MIN_CHARACTERS = 6_000  # own words of a message that is a page: a plan, a specification
BOOK_MIN_CHARACTERS = 15_000  # of a page, from which on it is a document of others
KNOWN_RULES_MAX = 200  # newest, that a message may revoke
PROMPT_FOR_OTHER = r"(?i)\bsystem(?:[ _-]?prompt|_?message)\b|\bprompt syst[èe]me|系统提示词|系統提示詞"
COMMAND_NAME = r"\A\s*/[\w:.-]{1,80}:?\s+"  # of a slash command, before the words typed behind it


def rules_after(
        known: Sequence[Item], text: str, said: Sequence[str]) -> tuple[list[str], list[Item]]:
    """What a typed message changes: its standing sentences, and those of the known rules that it revokes by name.

    known: items with a `text`, oldest first. said: the agent's words so far; what is given back to the agent of them is
    no rule of the person. A rule stands there whole, as typed, spaces folded. A page with more of them than a message
    may give, or that is as long as no one types, is a book of rules, perhaps another team's, pasted as an example: it
    gives none, and stands as an order. Of 39,000 characters ("some like …") ten had been rules of another project.
    """
    own, live = own_lines(re.sub(COMMAND_NAME, "", text), said), list(known[-KNOWN_RULES_MAX:])
    lines = before_prompt_for_other(own)
    size = sum(map(len, lines))
    is_page, is_book = size > PAGE_MIN_CHARACTERS, size > BOOK_MIN_CHARACTERS
    revoked: list[Item] = []
    standing: dict[str, None] = {}
    for sentence in dict.fromkeys(sentences(lines)):
        ended, besides = revoked_by(sentence, live)
        live = [rule for rule in live if rule not in ended]
        revoked += ended
        if is_standing(besides if ended else sentence, is_page):
            standing[sentence] = None
    if is_book or (is_page and len(standing) > RULES_OF_A_MESSAGE_MAX):
        return [], revoked
    return list(standing)[:RULES_OF_A_MESSAGE_MAX], revoked


def before_prompt_for_other(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to one that speaks of a system prompt: what stands behind it is said to the program that gets it.

    Five of six rules of a session in which a bot's prompt was written had been the bot's.
    """
    index = next((index for index, line in enumerate(lines) if re.search(PROMPT_FOR_OTHER, line)), len(lines))
    return lines[:index + 1]


def is_standing(sentence: str, is_page: bool) -> bool:
    """Whether a sentence is a standing rule by a strong marker; on a page only the strongest count."""
    plain = folded(sentence)
    if is_question(sentence, plain):
        return False
    _, plain = permission_in(plain)
    for markers, single_times in ((ELSEWHERE, ONCE_ELSEWHERE), (ALWAYS, ONCE_ALWAYS), (STANDING, ONCE)):
        if not (is_page and markers is STANDING) and any(fitting(plain, markers)):
            return not re.search(single_times, plain)
    return False
