"""Words that say nothing but yes, no, or that it goes on, in the languages in which sessions were seen."""

from __future__ import annotations

import re
from collections.abc import Set

from compact_keeper.text.holding import holds_any

ASSENT_WORDS_MAX, GOING_ON_WORDS_MAX = 4, 6
ASSENT_WORDS = frozenset((
    "yes yeah yep yup y ok okay k sure please pls thanks thx go on ahead continue proceed do it that so great good "
    "cool perfect fine right correct next ja jo gerne weiter mach bitte danke genau oui d'accord vas-y continue si sí "
    "vale claro dale sigue adelante sim pode continua certo да давай хорошо продолжай はい お願いします 네 예 응 계속 "
    "好 好的 是 是的 对 對 可以 继续 繼續 行 嗯").split())
ANSWER_WORDS = ASSENT_WORDS | frozenset("no nope stop done non nein não нет 続けて".split())
# No "yes", which answers something; "keep going" goes on, where "keep it" may choose.
GOING_ON_WORDS = frozenset((
    "again ahead and bitte carry continua continue continúa do fine further go going good great it just keep let lets "
    "mach more next now ok okay on out please pls proceed resume right sigue so sure thanks thx top up us weiter well "
    "with work you 继续 続けて 계속").split())
COMMIT_WORDS = frozenset("commit committe commitee コミット コミットして 提交 커밋 커밋해줘 коммит".split())
WORDS_AT_COMMIT = COMMIT_WORDS | frozenset(
    "all and changes everything it now ok okay please pls so that the then this yes alles bitte das es".split())
MARKS_AT_WORDS = ".,!?~:; "


def only_agrees(text: str) -> bool:
    """Whether the words say yes, or that it goes on, and nothing else."""
    return holds_only(text, ASSENT_WORDS, ASSENT_WORDS_MAX)


def only_answers(text: str) -> bool:
    """Whether the words say yes, no, or that it goes on, and nothing else."""
    return holds_only(text, ANSWER_WORDS, ASSENT_WORDS_MAX)


def only_goes_on(text: str) -> bool:
    """Whether the words say nothing but to go on."""
    return holds_only(text, GOING_ON_WORDS, GOING_ON_WORDS_MAX)


def only_orders_commit(text: str) -> bool:
    """Whether the words say to commit, and nothing of what or how."""
    return holds_any(text.casefold(), COMMIT_WORDS) and holds_only(text, WORDS_AT_COMMIT, ASSENT_WORDS_MAX)


def holds_only(text: str, known: Set[str], most: int) -> bool:
    """Whether the text has at most so many words, and all of them are known."""
    words = [word.strip(MARKS_AT_WORDS) for word in re.split(r"[\s,.，。!！]+", text.casefold()) if word]
    return 0 < len(words) <= most and {*words} <= known
