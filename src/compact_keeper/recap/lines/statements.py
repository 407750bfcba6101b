"""Which sentences of the agent's words say how something is or was, or why, and what must stand beside each.

None that only announces, approves, guesses, praises or asks, nor what was taken back; what leans on the sentence before
stands with that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice

from compact_keeper.recap.lines.announcements import (
    FINITE_VERBS,
    GIVES_REASON,
    is_announcement,
    says_that_it_is_mended,
)
from compact_keeper.recap.lines.offered_ways import NAMED_WAY, WAYS
from compact_keeper.recap.lines.said_sentences import (
    ANY_HEADING,
    LIST_MEMBER,
    PARTS_LEFT_OUT,
    mark_of,
    words_of_sentence,
)
from compact_keeper.recap.wording.phrases import ends_with_question
from compact_keeper.text.holding import begins_with_word, has_word, holds_any
from compact_keeper.text.length import units
from compact_keeper.types import Sentence

SENTENCE_MAX_UTF16 = 600  # longer ones are lists and code, which the edits show
SENTENCE_MIN_BYTES = 20  # "Good catch!", "All green."; a wide script says more in as many
# Begin what takes back the sentence before: words, and what needs no end of a word behind it.
TURNING_WORDS = tuple(
    "But However Wait Actually Hmm Aber Allerdings Mais Cependant Pero Mas Porém Ma Но Однако".split())
TURNS = ("No, ", "No. ", *"但 不過 不过 其實 其实 然而 しかし ただし でも 하지만 그런데 그러나".split())
STOPS_SHORT = (  # begins what takes back the thoughts before it, however many
    r"(?i)(?:But |Oh,? )?(?:wait\b|hold on\b|hmm\b|actually, wait|no,? wait)|等等|等一下|不对|不對|待って|잠깐"
    r"|(?:Pero |Mas |Mais |Aber |Ma )?(?:espera|attends|moment mal|warte|aspetta)\b|(?:Но )?(?:подожди|стоп)")
GUESSING_WORDS = frozenset(
    "maybe perhaps probably might likely possibly seem seems hmm wait appears apparently presumably talvez "
    "provavelmente parece quizás quizá probablemente probablement semble vielleicht vermutlich wahrscheinlich scheint "
    "anscheinend forse probabilmente sembra misschien waarschijnlijk возможно вероятно похоже наверное belki "
    "muhtemelen".split())
GUESSING_PHRASES = (
    "i think", "could be", "must have", "i bet", "i suspect", "looks like", "tal vez", "puede que", "peut-être",
    "sans doute")
# Of scripts without spaces between words. Of 13 lines that misled a reader of a Chinese session five were guesses.
GUESSING_ANYWHERE = (
    "可能", "也许", "也許", "或许", "或許", "大概", "估计", "估計", "应该是", "應該是", "似乎", "说不定",
    "一定是", "一定有", "一定也", "かもしれ", "おそらく", "たぶん", "ようです", "것 같", "아마", "수도 있")
# Sets of words, as a pattern of so many would take a millisecond to be compiled at each compaction.
APPROVING_WORDS = frozenset(  # alone they are said at every step, and overtaken by the next
    "good great perfect excellent fine clean clear correct fixed work works working pass passes passing done complete "
    "completed ready successful successfully verified".split())
FAULT_WORDS = frozenset(  # "The issue is duplicates (fixed versions lie beside them)." approves nothing
    "broken bug bugs can't cannot didn't doesn't don't duplicate duplicates error errors fail failed fails isn't issue "
    "issues missing not problem problems wrong".split())
NO_FAULT_WORDS = frozenset(("no", "zero"))  # "All clean, no errors."
APPROVAL_MAX_CHARACTERS = 90
STILL_WAITS = "⏳"
UNTICKED_MEMBER = r"(?:[-*+•] |\d{1,3}[.)] )?\[ \] "  # what is open stands among the tasks; old ones nobody ticks
SPECIFIC_SIGNS = frozenset("`\"“/_#@0123456789")  # of names, numbers, paths, quoted words
# To the sentence before: with a verb behind them, alone, and of scripts without spaces.
POINTING_MAX_CHARACTERS = 40  # in which the words stand that point
POINTING_WORDS = frozenset("it they both neither that this these those il elle ils elles ele ela eles elas".split())
POINTING_ALONE = frozenset("isso isto eso esto ello ça cela ceci ciò это or ou oder oppure или".split())
POINTING_BEGINS = ("这", "那", "它", "此", "這", "これ", "それ", "이것", "이는", "그것")
POINTING_ANYHOW = frozenset("it its they their them ils elles".split())  # whatever stands behind
POINTING_OBJECTS, OBJECT_WITHIN_WORDS = frozenset(("it", "them")), 4  # "Claude reads it, and …"
NAMES_OR_PARTS = "`\"“:,;(—–"  # behind one of these the word may point to what stands before it
OF_WHOM = frozenset(("its", "their"))  # behind such a word: "You don't mend its table"
PERSONS = frozenset(("i", "you", "we"))
VERBS_BEHIND_POINTING = FINITE_VERBS | frozenset(
    "will would can could should explains makes make also only just now est sont a ont ne n'est doit peut é são está "
    "tem era foi".split())
ONCE = (
    "After", "Once", "When", "If", "As soon as", "Wenn", "Sobald", "Nachdem", "Falls", "Nach", "Après", "Une fois",
    "Quand", "Lorsque", "Si", "Cuando", "Una vez", "Después", "Tras", "Quando", "Depois", "Assim que", "Após", "Se",
    "Dopo", "Una volta", "После", "Когда", "Если")
WILL = r"(?i)\b(?:will|won['’]t|should|wird|werden|sollten?|va|vont|sera|seront|será|serán|vai|sarà|будет|будут)\b"
OLD_SIDE = (r"(?i)[\W_]*(?:old|before|previously|alt|vorher|avant|ancien|antes|anterior|prima|vecchio|было|раньше"
            r"|旧|舊|之前|修改前|变更前|修正前|変更前|이전|변경 전)\W{0,3}[:：]")
NEW_SIDE = (r"(?i)[\W_]*(?:new|after|now|neu|nachher|jetzt|après|nouveau|ahora|después|nuevo|agora|depois|novo|dopo"
            r"|nuovo|стало|теперь|新|之后|修改后|变更后|修正後|変更後|이후|변경 후)\W{0,3}[:：]")
GIVES_CAUSE_OF_BEFORE = (  # "Fix: restart it." says nothing without the fault
    r"(?i)(?:\*\*)?(?:the )?(?:root )?(?:cause|fix|reason|solution|ursache|grund|lösung|causa|solución|solução|причина"
    r"|решение)(?:\*\*)? ?:|(?:\*\*)?(?:根本)?(?:原因|修复|修復|解决|解決)(?:\*\*)?[:：]")
YOU_ARE_RIGHT = tuple(f"you{are} {how}{right}" for are in ("'re", " are") for right in ("right", "correct")
                      for how in ("", "absolutely ", "completely ", "totally "))
PRAISING = (
    *YOU_ARE_RIGHT, "perfect", "great", "excellent", "awesome", "good catch", "good point", "good question",
    "good idea", "thank you", "thanks", "makes sense", "glad", "understood", "got it", "excelente", "perfeito",
    "perfeita", "perfecto", "ótimo", "ótima", "entendi", "entendido", "parfait", "excellente", "compris", "perfekt",
    "verstanden", "sehr gut", "perfetto", "ottimo", "отлично", "понял", "прекрасно")
PRAISE_ENDS = r"\b[^.!,:]{0,40}[.!]+$"
LEANS_MAX = 3  # sentences before the one that is chosen
STANDS_WHOLE_UTF16 = 700  # up to so many a list of the agent's does, and a table; of a longer table no row comes back


def indexes_of_statements(sentences: Sequence[Sentence]) -> dict[int, set[int]]:
    """The indexes of the sentences that say how something is or was, each with those that have to stand beside it.

    Of a table that of its head, with all rows. None of ways that were offered, nor of those before which the agent
    stopped short: of five thoughts the first had come back, which was wrong. Nor those, or what leads to them, that
    point to words that are not kept: "This is safe because:" had stood behind the cause of the fault.
    """
    cuts = {index for index, said in enumerate(sentences) if said["text"] == PARTS_LEFT_OUT}
    stopped_at = max((index for index, said in enumerate(sentences) if stops_short(said["text"])), default=-1)
    statements = {head: rows for head, rows in whole_tables(sentences).items() if head > stopped_at}
    for index, sentence in enumerate(sentences):
        if index <= stopped_at:
            continue
        follows = sentences[index + 1]["text"] if index + 1 < len(sentences) else ""
        if is_of_offered_way(sentences, index) or not is_statement(sentence, follows):
            continue
        if any(not cuts.isdisjoint(before_leaning(sentences, number)) for number in (*sentence["heads"], index)):
            continue
        statements[index] = {index, *before_leaning(sentences, index)}
        if are_pair(sentence["text"], follows):
            statements[index].add(index + 1)
        if says_that_it_is_mended(follows):
            statements[index].add(index + 1)
    return statements


def before_leaning(sentences: Sequence[Sentence], index: int) -> set[int]:
    """The indexes of the sentences before, perhaps above code, without which this one cannot be understood.

    That of the mark where what it points to is not kept.
    """
    beside, leaning = set[int](), index
    said = (number for number in reversed(range(index))
            if not sentences[number]["is_drawn"] or sentences[number]["text"] == PARTS_LEFT_OUT)
    for before in islice(said, LEANS_MAX):
        text, said_before = sentences[leaning]["text"], sentences[before]["text"]
        if not (leans_on_before(text) or is_outcome_of(said_before, text) or are_pair(said_before, text)):
            break
        is_cut_behind = before and said_before.endswith(f" {PARTS_LEFT_OUT}")  # a heading that was put behind the mark
        beside.add(before - 1 if is_cut_behind and sentences[before - 1]["text"] == PARTS_LEFT_OUT else before)
        leaning = before
    return beside


def is_of_offered_way(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether a sentence tells of a way that was offered (`Option B: …`), or stands below such a heading.

    Which of the ways was taken stands with the person's words; the others had come back without it.
    """
    texts = (sentences[number]["text"] for number in (index, *sentences[index]["heads"]))
    return any(holds_any(text.lower(), WAYS) and re.match(NAMED_WAY, text) for text in texts)


def may_stand_whole(sentences: Sequence[Sentence], members: Collection[int]) -> bool:
    """Whether a list or table of these sentences is short, with nothing that waits: an old one nobody ticks."""
    is_open = any(says_it_waits(sentences[index]["text"]) for index in members)
    return not is_open and sum(units(sentences[index]["text"]) for index in members) <= STANDS_WHOLE_UTF16


def whole_tables(sentences: Sequence[Sentence]) -> dict[int, set[int]]:
    """The short tables, each by the index of its head with all its rows: one row alone says nothing."""
    tables: dict[int, set[int]] = {}
    for index, sentence in enumerate(sentences):
        if sentence["table"] >= 0:
            tables.setdefault(sentence["table"], {sentence["table"]}).add(index)
    return {head: rows for head, rows in tables.items() if may_stand_whole(sentences, rows)}


def is_statement(said: Sentence, follows: str) -> bool:
    """Whether a sentence says how something is or was, or why.

    None that only says what comes next, that approves, asks or guesses, nor what the sentence that follows takes back.
    """
    sentence = said["text"]
    is_short = len(sentence.encode()) < SENTENCE_MIN_BYTES
    if is_short or units(sentence) > SENTENCE_MAX_UTF16:
        return False
    if sentence.endswith((":", "：")) or ends_with_question(sentence):
        return False
    if said["is_drawn"] or says_it_waits(sentence) or mark_of(sentence, ANY_HEADING):
        return False
    if is_praise(sentence) or is_guess(sentence) or takes_back(follows.lstrip()):
        return False
    return not is_approval(sentence) and not is_announcement(sentence)


def says_it_waits(sentence: str) -> bool:
    """Whether a member of a list says of itself that it is not done yet."""
    return STILL_WAITS in sentence or ("[ ] " in sentence and re.match(UNTICKED_MEMBER, sentence) is not None)


def takes_back(sentence: str) -> bool:
    """Whether it takes back the sentence before."""
    return sentence.startswith(TURNS) or begins_with_word(sentence, TURNING_WORDS)


def stops_short(sentence: str) -> bool:
    """Whether the agent takes back its thoughts so far with it."""
    return re.match(STOPS_SHORT, sentence) is not None


def is_praise(sentence: str) -> bool:
    """Whether a sentence only agrees, praises or thanks."""
    lowered = sentence.lower()
    if not lowered.startswith(PRAISING):
        return False
    begins = [begin for begin in PRAISING if lowered.startswith(begin)]
    return any(re.compile(PRAISE_ENDS).match(lowered, len(begin)) for begin in begins)


def is_guess(sentence: str) -> bool:
    """Whether a sentence says something that is not certain."""
    lowered = sentence.lower()
    if not GUESSING_WORDS.isdisjoint(re.findall(r"\w+", lowered)):
        return True
    if holds_any(lowered, GUESSING_PHRASES) and any(has_word(lowered, phrase) for phrase in GUESSING_PHRASES):
        return True
    return not sentence.isascii() and holds_any(sentence, GUESSING_ANYWHERE)


def is_approval(sentence: str) -> bool:
    """Whether a sentence only says that something is well, and names nothing, a fault least of all."""
    words = words_of_sentence(sentence)
    if len(sentence) > APPROVAL_MAX_CHARACTERS or APPROVING_WORDS.isdisjoint(words):
        return False
    if NO_FAULT_WORDS.isdisjoint(words) and not FAULT_WORDS.isdisjoint(words):
        return False
    return not names_something(sentence) and not re.search(GIVES_REASON, sentence)


def names_something(sentence: str) -> bool:
    """Whether it has a number, a path, quoted words, a name of code."""
    if not SPECIFIC_SIGNS.isdisjoint(sentence):
        return True
    return any((first.islower() and second.isupper()) or (first == "." and second.isalnum())
               for first, second in zip(sentence, sentence[1:]))


def leans_on_before(sentence: str) -> bool:
    """Whether a sentence points to the one before, gives its cause, or is a list's "or …": alone it says nothing."""
    mark = mark_of(sentence, LIST_MEMBER)
    begin = sentence[len(mark[0]) if mark else 0:][:POINTING_MAX_CHARACTERS]
    words = words_of_sentence(begin)
    if holds_any(begin, ":：") and re.match(GIVES_CAUSE_OF_BEFORE, begin):
        return True
    if begin.startswith(POINTING_BEGINS) or takes_back(begin) or not POINTING_ALONE.isdisjoint(words[:1]):
        return True
    if not POINTING_ANYHOW.isdisjoint(words[:1]):
        return True
    for sign in NAMES_OR_PARTS:
        begin = begin.partition(sign)[0]
    first = words_of_sentence(begin)[:OBJECT_WITHIN_WORDS]
    if not POINTING_OBJECTS.isdisjoint(first) or not (PERSONS.isdisjoint(first[:1]) or OF_WHOM.isdisjoint(first)):
        return True
    return len(words) > 1 and words[0] in POINTING_WORDS and words[1] in VERBS_BEHIND_POINTING


def is_outcome_of(before: str, sentence: str) -> bool:
    """Whether a sentence says what will be once that has happened with which the one before begins."""
    return begins_with_word(before, ONCE) and re.search(WILL, sentence) is not None


def are_pair(first: str, second: str) -> bool:
    """Whether two sentences are what was before and what is now: `Old: …`, `New: …`."""
    if not (holds_any(first, ":：") and holds_any(second, ":：")):
        return False
    return re.match(OLD_SIDE, first) is not None and re.match(NEW_SIDE, second) is not None
