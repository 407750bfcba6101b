"""What the agent remarked between its calls: the sentences of its words that neither the summary nor the text has.

They say why something was tried, what an output meant, what was left alone. A third of what stood behind the answers to
592 questions on 82 compactions was such words, and more than half of these stood nowhere in the text; per character
they held five times as much of the answers as further commands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from compact_keeper.recap.lines.said_sentences import ANY_HEADING, PARTS_LEFT_OUT, heads_before
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.text.length import cut, units
from compact_keeper.types import Ago, Item, Line, Sentence

REMARK_UTF16, SENTENCE_MAX_UTF16 = 400, 600  # longer ones are lists and code, which the edits show
SENTENCE_MIN_BYTES = 20  # "Good catch!", "All green."; a wide script says more in as many
TURNS = r"(?:But|However|Wait|Actually|No[,.]|Hmm|Aber|Mais|Pero)\b"  # begin what takes back the sentence before
COMES_NEXT = (r"(?i)(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|excellent)\b\W{1,3})*"
              r"(?:let me|let's|i'?ll|i will|i need to|i want to|i'?m going to)\b")
GIVES_REASON = r"(?i)\b(?:because|since|so that|due to|needs|must|instead|otherwise|but|without)\b"
GUESSES = (
    r"(?i)\b(?:maybe|perhaps|probably|might|likely|possibly|seems?|i think|hmm|wait|could be|appears|must have|i bet"
    r"|apparently|presumably|i suspect|looks like)\b")
SAYS_READY = (
    r"(?i)\W*(?:now |good,? )?i (?:now )?have (?:a|all|everything|enough|the)\b.{0,50}$"
    r"|(?:now|next),? (?:add|build|check|commit|create|deploy|do|extend|fix|implement|install|integrate|modify|move"
    r"|push|refactor|remove|replace|restart|rewrite|run|set|simplify|start|switch|test|try|update|use|verify|wire|write)\b"
    r"|.{0,160}(?:\.\.\.|…)$")  # "Starting the server..."
# Sets of words, as a pattern of so many would take a millisecond to be compiled at each compaction.
OBJECT_WORDS = frozenset("the a an all both each it them this that these those my our your up out on now".split())
FINITE_VERBS = frozenset(
    "is are was were has have had does did fail fails failed work works worked need needs take takes show shows gives "
    "means".split())
APPROVING_WORDS = frozenset(  # alone they are said at every step, and overtaken by the next
    "good great perfect excellent fine clean clear correct fixed work works working pass passes passing done complete "
    "completed ready successful successfully verified".split())
APPROVAL_MAX_CHARACTERS = 90
SPECIFIC_SIGNS = frozenset("`\"“/_#@0123456789")  # of names, numbers, paths, quoted words
POINTING_WORDS = frozenset("it they that this these those".split())  # to the sentence before
VERBS_BEHIND_POINTING = FINITE_VERBS | frozenset(
    "will would can could should explains makes make also only just now".split())
PRAISES = (
    r"(?i)(?:you(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)|perfect|great|excellent|awesome"
    r"|good (?:catch|point|question|idea)|thank you|thanks|makes sense|glad|understood|got it)\b[^.!,:]{0,40}[.!]+$")
MENDS_IT = (
    r"(?i)(?:so |now )?(?:let me|let's|i'?ll|i will|i'?m going to) .{0,40}?"
    r"\b(?:fix|mend|correct|repair|update|remove|add)")


def words_of_agent(items: Sequence[Item], paths: Paths,
                   between: Sequence[tuple[str, int, int]] = ()) -> list[Line]:
    """All that the agent said, the newest first: a line each, whose text are the words.

    `between`: paths of files whose edits were taken back, each with the places of the first edit and of that: what was
    said of them between the two holds no longer.
    """
    return [{"items": [item], "text": paths.short(item["text"]),
             "gone": {path for path, begin, end in between if begin < item["position"] < end}}
            for item in reversed(items) if item["kind"] == "said"]


def words_of_person(items: Sequence[Item], ago: Ago) -> list[Line]:
    """What the person typed, not pasted, the newest first: a line each, whose text are the words, with how long ago."""
    messages = [item for item in reversed(items)
                if item["kind"] == "message" and item.get("via") != "plan" and not item.get("sender")]
    return [{"items": [item], "text": item.get("own", item["text"]), "when": ago(item["last"])} for item in messages]


def with_gaps(sentences: Sequence[Sentence], chosen: Collection[int]) -> str:
    """The chosen sentences and their heads in their order, a mark wherever some are left out; empty: none is chosen."""
    parts, shown = list[str](), set[int]()
    for place in sorted(chosen):
        parts.append(heads_before(sentences, place, shown) + cut(sentences[place]["text"], REMARK_UTF16))
        shown |= {place, *sentences[place]["heads"]}
    is_cut = bool(chosen) and max(chosen) < len(sentences) - 1
    return " ".join([*parts, PARTS_LEFT_OUT] if is_cut else parts)


def is_statement(said: Sentence, follows: str) -> bool:
    """Whether a sentence says how something is or was, or why.

    None that only says what comes next, that approves, asks or guesses, nor what the sentence that follows takes back.
    """
    sentence = said["text"]
    is_short = len(sentence.encode()) < SENTENCE_MIN_BYTES
    if is_short or units(sentence) > SENTENCE_MAX_UTF16 or sentence.endswith(("?", ":", "？", "：")):
        return False
    if said["is_drawn"] or re.match(ANY_HEADING, sentence):
        return False
    if re.match(PRAISES, sentence) or re.match(SAYS_READY, sentence):
        return False
    if re.match(TURNS, follows) or re.search(GUESSES, sentence) or is_approval(sentence):
        return False
    if is_announcement(sentence):
        return False
    return not re.match(COMES_NEXT, sentence) or bool(re.search(GIVES_REASON, sentence))


def is_announcement(sentence: str) -> bool:
    """Whether it is like "Writing the final plan.", and not "Training continues" or "Running the tests fails"."""
    words = words_of_sentence(sentence)
    return (len(words) > 1 and words[0].endswith("ing") and sentence[:1].isupper() and words[1] in OBJECT_WORDS
            and not FINITE_VERBS & {*words})


def is_approval(sentence: str) -> bool:
    """Whether a sentence only says that something is well, and names nothing."""
    if len(sentence) > APPROVAL_MAX_CHARACTERS or not APPROVING_WORDS & {*words_of_sentence(sentence)}:
        return False
    return not names_something(sentence) and not re.search(GIVES_REASON, sentence)


def names_something(sentence: str) -> bool:
    """Whether it has a number, a path, quoted words, a name of code."""
    inner = zip(sentence, sentence[1:])
    return bool(SPECIFIC_SIGNS & {*sentence}) or any(
        (first.islower() and second.isupper()) or (first == "." and second.isalnum()) for first, second in inner)


def leans_on_before(sentence: str) -> bool:
    """Whether it points to the sentence before, and says nothing without that."""
    words = words_of_sentence(sentence[:APPROVAL_MAX_CHARACTERS])
    return len(words) > 1 and words[0] in POINTING_WORDS and words[1] in VERBS_BEHIND_POINTING


def words_of_sentence(sentence: str) -> list[str]:
    """The words in lower case, without signs; "that's" is two."""
    apart = sentence.lower().replace("’", "'").replace("'s ", " is ").replace("'re ", " are ")
    return [word.strip(".,;:!?()*—–-") for word in apart.split()]
