"""What a sentence claims: of things that it names the one state that their clause tells, and nothing else.

A sentence is read as a row of letters, one for each word, and CLAIM says which rows claim something: "the thing is
done", "the thing (done)", "done: the thing". With any other word in the clause something else is claimed, as in "half
of the task is done" or "passes under load".

    T t   a thing that is named: its first word, and its others
    S s   the words of a state
    n     a denial
    .     a word that says nothing
    -     such a word behind which the clause may end: "now"
    "     a mark that says nothing
    ( | : a mark behind which a clause may begin, and before which it may end
    , ;   an end of the clause; a comma or "and" may also stand between things that share a state
    b     "but": the end of a clause that has told its state
    >     a word that ends a clause: "since"
    x     any other word
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from compact_keeper.types import Claim, ClaimForm, Named

WORD = r"`[^`\n]{1,300}`(?:[-'’]\w+)?|\[[ xX]\]|#?\w+(?:[.'’/#@+-]+\w+)*|[^\w\s]"
REWORDED = (  # where one of the cues stands: the pattern, and what is read instead
    ((" summary",), r" (?:before|when|as) the summary was \w+(?: for)?\b", ""),  # is now
    (("n't", "n’t", "annot"), r"n['’]t\b|(?<=\b[Cc]an)not\b", " not"),
    ((" no longer ", " nicht ", " pas "), r" (?:no longer|(?:noch )?nicht|pas) ", " not "),
    ((" the ",), r" (?:from|in|to|on) the (?:repo(?:sitory)?|project|codebase|tree|disk|checkout|branch)\b", ""),
    ((" of ", " de ", " von ", " sur "),  # "9 out of 9" is "9/9"
     r"\b(\d{1,6}) (?:(?:out )?of (?:the |all )?|von (?:den )?|de (?:las |los )?|sur (?:les )?)(\d{1,6})\b", r"\1/\2"))
CLAIM = (
    r"(?:^|(?<=[,;:|(b]))[.:|(\"-]*(?:n?[.-]*Ss*[.:|(\"-]*)?n?[.:|(\"-]*"  # "done:", "no"
    r"Tt*(?:[\"(]*(?:[.-]*,[,.(\"-]*)?Tt*)*(?:[\"(]*,[.(\"-]+,?)?"  # "#1, #2 and #3", "#2, the backfill,"
    r"(?:[.:|(\"n-]*Ss*(?:[.(\"n-]*Ss*|,[.-]*Ss*)*[\"-]*(?:[:|\"]*$|(?=[,;:(|>b])|(?<=-))|[:|(\"-]*(?:$|(?=[,;:(|>])|(?<=-)))")
PARTING = frozenset(": ( [ | – — → - *".split())
STATE_WORDS_MAX = 5  # "up to date with origin"
OPPOSITES = {"passing": "failing", "failing": "passing", "begun": "pending", "completed": "open",
             "committed": "uncommitted", "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed",
             "ended": "ongoing", "ongoing": "ended", "created": "absent", "deleted": "there", "there": "absent",
             "absent": "there", "made": "unmade"}
LETTERS = {word: letter for letter, words in {
    "n": "not no 0 zero without ohne keine sans aucun aucune sin ningún",
    ":": ":", "|": "[ | – — → -", "(": "(", "\"": ") ] * ~ _ \" « » “ ” ‘ ’ ' …",
    ",": ", and und et y &", ";": ". ; ! ?", "b": "but", ">": "after since",
    "-": "now currently again yet today already too altogether entirely completely locally wieder jetzt",
    ".": "% a about all alle also am an any are at aufgabe been being both case cases change changes check checked "
         "checks compiles current der did die do does el est está every everything far file files final find finds "
         "finish finished finishes full gives goes ha had has hat have i i'm in is ist item its itself just la las "
         "last latest listed local los marked more my neu newly number old on one our project ran remain "
         "remaining remains rerun result results run running runs show shows showed reports reported sind single so "
         "sont state status still suite task tasks tarea terminó test tests the that there these this those turned "
         "using verified we we're were whole wurde",
    }.items() for word in words.split()}
WITH_PARTS = frozenset(("completed", "committed", "branch", "named"))  # "done: the first half"
ORDERS = ("complete", "open", "pass", "clean", "commit")  # unless a mark stands behind: "complete: the thing"
OPEN_ENDED_WORDS = frozenset(("[ ]", *(  # of plans, conditions, the past, other people's words and runs
    "? if once when whenever until unless should would will wo must could may might need needs ensure verify confirm "
    "expect expects expected want wants asked before earlier previous previously initial initially originally claims "
    "claimed said reported according subagent subagents agent reviewer ci workflow pipeline baseline unclear maybe "
    "probably except only goal plan planned todo always hook hooks criteria required requirement other then reopened "
    "mistake another someone upstream phase proposal proposed draft yesterday wenn sobald quand cuando").split()))
OPEN_ENDED_PHRASES = (" to be ", "make sure", "so that", "going to", "about to", "at first", "used to", "the user",
                      " on main", "not sure", "apart from", "last week", "target :", "target is", "new one")
PLACES_BEFORE = frozenset("in on for under per after".split())  # "in the demo, it is done"


@lru_cache(maxsize=4_096)  # each kind of claims goes through all sentences
def sentence_words(text: str) -> Sequence[str]:
    """The text's words and marks in lower case; a path, and what stands between backticks, is one word, as it is."""
    for cues, pattern, instead in REWORDED:
        if any(map(text.__contains__, cues)):
            text = re.sub(pattern, instead, text)
    return [word if word[0] == "`" or "/" in word else word.lower() for word in re.findall(WORD, text)]


def in_row(text: str) -> str:
    """The text's words and marks in one row, as phrases are looked for in it."""
    return " ".join(sentence_words(text))


def form_of(states: Mapping[str, str], first: str = "", silent: str = "", ends: str = "") -> ClaimForm:
    """A form: by state the phrases that tell it, parted by bars, as are `ends`; in both, 9 is any number, ` any code.

    `first` are the states that may stand before the thing; `silent` words that say nothing and `ends` what ends the
    clause, beside the usual.
    """
    by_phrase = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    begins = {"[ ]", *(phrase.split(" ")[0] for phrase in (*by_phrase, *ends.split("|")))}
    return {"states": by_phrase, "cues": frozenset(max(phrase.split(" "), key=len) for phrase in by_phrase),
            "begins": frozenset(begins),
            "first": frozenset(phrase for phrase, state in by_phrase.items() if state in first.split()),
            "letters": {**LETTERS, **dict.fromkeys(silent.split(), ".")}, "ends": frozenset(ends.split("|")) - {""}}


def named_in(words: Sequence[str], names: Mapping[str, str]) -> Iterator[Named]:
    """Where one of the names, given as its words in a row, stands among the words, and what it is the name of."""
    row = " ".join(words)
    for name in [name for name in names if name in row]:
        size = len(sentence_words(name))
        for begin in range(len(words)):
            if " ".join(words[begin:begin + size]) == name:
                yield begin, begin + size, names[name]


def claims_of(words: Sequence[str], named: Sequence[Named], form: ClaimForm,
              own: Collection[str] = ()) -> Iterator[Claim]:
    """The states that the words claim of the things named in them; `own` are words that name the same things."""
    if not named or form["cues"].isdisjoint(words):
        return
    phrases = phrases_in(words, form)
    row = letters_of(words, named, phrases, form, own)
    for match in re.finditer(CLAIM, row):
        begin, end = match.span()
        states = states_within(row, phrases, form, begin, end)
        is_of_aside = words[begin - 1:begin] == ["("] and ")" in words[begin:end - 1]  # "the script (#2) is done"
        tells_part = not states.isdisjoint(WITH_PARTS) and re.match(":[^T]", row[end:])
        if is_of_aside or tells_part or len(states - {"committed"}) > 1 or leaves_open(words, row, begin, end):
            continue
        for place, _, thing in named:
            if begin <= place < end and row[place] == "T":
                for state in states:
                    yield {"thing": thing, "state": state, "begin": begin, "end": end}


def is_of_part(words: Sequence[str], claim: Claim) -> bool:
    """Whether the claim stands behind what it is of: "web: all tests pass"."""
    return words[max(0, claim["begin"] - 1)] in PARTING and claim["begin"] > 0


def plain_words(words: Sequence[str]) -> list[str]:
    """The words as forms have them: a number as 9, code as `."""
    return ["`" if word[0] == "`" else "9" if word != "0" and word.replace("/", "").isdigit() else word
            for word in words]


def phrases_in(words: Sequence[str], form: ClaimForm) -> dict[int, str]:
    """The phrases of states among the words, by their places; the longest where several begin."""
    phrases: dict[int, str] = {}
    plain, place = plain_words(words), 0
    while place < len(plain):
        phrase = phrase_at(place, plain, form) if plain[place] in form["begins"] else ""
        if phrase:
            phrases[place] = phrase
        place += phrase_length(phrase)
    return phrases


def phrase_at(place: int, plain: Sequence[str], form: ClaimForm) -> str:
    """The longest phrase of a state that begins there; empty where none does."""
    rows = (" ".join(plain[place:place + size]) for size in range(STATE_WORDS_MAX, 0, -1))
    return next((row for row in rows if row in form["states"]), "")


def phrase_length(phrase: str) -> int:
    """How many words the phrase has; "[ ]" is one."""
    return phrase.replace("[ ]", "[]").count(" ") + 1 if phrase else 1


def letters_of(words: Sequence[str], named: Sequence[Named], phrases: Mapping[int, str], form: ClaimForm,
               own: Collection[str]) -> str:
    """The words as letters, as they are told above; a thing within a state's phrase is none."""
    plain = plain_words(words)
    row = ["." if word in own or word[0] == "#" else form["letters"].get(kind, "x")
           for word, kind in zip(words, plain)]
    for place in [place for place, word in enumerate(plain) if word in form["begins"]]:
        rows = (" ".join(plain[place:place + size]) for size in (1, 2, 3))
        if not form["ends"].isdisjoint(rows):
            row[place] = "-" if row[place] == "." else ">"
    for begin, end, _ in sorted(named, key=lambda each: each[1] - each[0]):
        row[begin:end] = "T" + "t" * (end - begin - 1)
    for place, phrase in phrases.items():
        row[place:place + phrase_length(phrase)] = "S" + "s" * (phrase_length(phrase) - 1)
    return "".join(row)


def states_within(row: str, phrases: Mapping[int, str], form: ClaimForm, begin: int, end: int) -> set[str]:
    """The states told within the span; none where one of them stands before the thing that may not."""
    thing, states, is_denied = row.index("T", begin), set[str](), False
    for place in range(begin, end):
        if row[place] == "S":
            phrase = phrases[place]
            if place < thing and (phrase not in form["first"] or (
                    phrase in ORDERS and not re.search(r"[:|(]", row[place:thing]))):
                return set()
            state = OPPOSITES.get(form["states"][phrase], "") if is_denied else form["states"][phrase]
            if "," not in row[thing:place] or not states or state == "pushed":  # "is committed and pushed"
                states.add(state)
        is_denied = row[place] == "n" or (is_denied and row[place] not in ":(,S")
    return states - {"", "begun"}


def leaves_open(words: Sequence[str], row: str, begin: int, end: int) -> bool:
    """Whether the words of the claim's sentence leave it open, but those of its things and states."""
    before, behind = around(words, begin, end)
    rest = [word for word, letter in zip(words[begin:end], row[begin:end]) if letter not in "SsTt"]
    return is_open_ended([*before, *rest, *behind]) or not PLACES_BEFORE.isdisjoint(before[:1])


def around(words: Sequence[str], begin: int, end: int) -> tuple[Sequence[str], Sequence[str]]:
    """The words before and behind a claim, up to the next full stop or semicolon."""
    first = next((place for place in range(begin, 0, -1) if words[place - 1] in ".;"), 0)
    last = next((place for place in range(end, len(words)) if words[place] in ".;"), len(words))
    return words[first:begin], words[end:last]


def is_open_ended(words: Sequence[str]) -> bool:
    """Whether the words plan, suppose, ask, or tell of the past or of others; code among them says nothing."""
    if not OPEN_ENDED_WORDS.isdisjoint(words):
        return True
    text = f" {' '.join(words)} "
    return any(phrase in text for phrase in OPEN_ENDED_PHRASES)
