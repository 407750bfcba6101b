"""A typed message's weight without the rules: whether it forbids or bounds something.

"do not push, Anna reviews first" holds for this work and is no standing rule.
"""

from __future__ import annotations

import re

from compact_keeper.record.words.pasted import own_lines
from compact_keeper.record.words.sentences import folded, is_question, sentences

CLAUSE_BEGINS = r"(?:\A|, |\b(?:and|but|so|please|then|or|we|you|yes|no|ok|okay) )"
BOUNDS = (  # of a folded sentence: apostrophes are gone, clauses parted by " , "
    CLAUSE_BEGINS + r"(?:do not|dont|never|not (?:before|until|unless|without|yet)|only|always|leave|keep|no|must"
    r"|avoid)\b",
    r"\b(?:must not|mustnt|may not|should not|shouldnt|should never|at most|no more than|nothing else|nowhere else"
    r"|hands off|forbidden)\b",
    r"\b(?:nicht|niemals|nie|nur|keine?[nrms]?|immer|jamais|uniquement|toujours|nunca|siempre|sólo|solamente|não|apenas"
    r"|somente)\b",
    "のみ|しない|必ず|禁止|必须|不要|不准|只能|반드시|금지|하지 마")
BARE_NO = r"\A(?:no|nein|nope) , "  # an answer, which the words behind it explain


def binds(text: str) -> bool:
    """Whether a sentence of the person's own words forbids or bounds something; a question does not."""
    for sentence in sentences(own_lines(text)):
        plain = folded(sentence)
        if not is_question(sentence, plain) and any(re.search(form, re.sub(BARE_NO, "", plain)) for form in BOUNDS):
            return True
    return False
