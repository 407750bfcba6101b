"""Which ways the agent offered in answer to a question, beside that question: their titles.

"How could you fetch these yourself?" had stood with the third of three ways alone, which the agent had advised against.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.lines.said_sentences import ANY_HEADING, PARTS_LEFT_OUT, mark_of, sentences_of
from compact_keeper.record.items import is_typed
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item

WAYS_MAX, TITLE_SHOWN_UTF16 = 6, 80
WAYS = ("option", "approach", "alternative", "opción", "opção", "opzione", "optie", "opsi", "вариант", "方案", "选项",
        "選項", "方式")
NAMED_WAY = rf"(?i)\W{{0,8}}(?:{'|'.join(WAYS)}) ?([a-h]|\d{{1,2}}|[一二三四五六])(?![^\W_])"
NUMBERED_WAY = r"\W{0,8}([A-Ha-h]|\d{1,2})[.):、]"
SIGNS_IN_ORDER = "abcdefgh", "一二三四五六"  # others are numbers
RECOMMENDED = (  # in brackets, in a heading: of headings with mere numbers it makes ways
    r"(?i)[(（]\W{0,3}(?:\w{1,12} )?(?:recommended|recomendad|empfohlen|recommandé|рекоменд|direkomendasi"
    r"|推荐|推薦|おすすめ|추천)")
NOT_MERE_WORDS = ("action", "look", "refusal", "question", "answer", "plan", "task")  # items that are no talk


def ways_offered(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message that only words answered: which ways these offered, in a bracket.

    Not where the next message picks some: it stands with these itself.
    """
    offered: dict[int, str] = {}
    message, answer = -1, ""  # the position of the last message, and the last words since; no words: none count
    for item in items:
        if is_typed(item):
            titles = [] if item.get("picks") or item.get("options") else titles_of_ways(answer)
            if message >= 0 and titles:
                ways = ", ".join(title if title == PARTS_LEFT_OUT else in_quotes(cut(title, TITLE_SHOWN_UTF16))
                                 for title in titles[:WAYS_MAX])
                offered[message] = f" (in answer the agent offered {ways})"
            message, answer = item["position"], ""
        elif item["kind"] == "said":
            answer = item["text"]
        elif item["kind"] in NOT_MERE_WORDS:
            message = -1
    return offered


def titles_of_ways(words: str) -> list[str]:
    """The titles of the ways between which an answer leaves the choice, in their order; none where it has no two.

    They are headings with "option" and a letter or number, or numbered ones of which one says that it is recommended. A
    mark stands for those between two that are not kept.
    """
    headings = [sentence["text"] for sentence in sentences_of(words)
                if not sentence["is_drawn"] and mark_of(sentence["text"], ANY_HEADING)]
    for form in (NAMED_WAY, NUMBERED_WAY):
        signed = [(place_of(match[1].lower()), heading) for heading in headings if (match := re.match(form, heading))]
        places = [place for place, _ in signed]
        is_list = len(places) > 1 and places[0] == 1 and len({*places}) == len(places)
        if is_list and (form == NAMED_WAY or any(re.search(RECOMMENDED, heading) for heading in headings)):
            titles = list[str]()
            for before, (place, heading) in zip([0, *places], signed):
                titles += [PARTS_LEFT_OUT] * (not {*range(before + 1, place)} <= {*places})
                titles.append(heading.replace("**", "").removesuffix(PARTS_LEFT_OUT).strip("#*: "))
            return titles
    return []


def place_of(sign: str) -> int:
    """Which of the ways a letter or number is the sign of, from 1 on."""
    return next((signs.index(sign) + 1 for signs in SIGNS_IN_ORDER if sign in signs), 0) or int(sign)
