"""What a sentence claims: a thing that it names, and the one state that stands beside it in the same clause.

Two shapes: "the thing is done" or "the thing (done)", and "done: the thing". Between both stand only words that say
nothing, a clause begins before them and ends behind them. Else something else is claimed: "half of the task is done",
"passes under load".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from compact_keeper.types import Claim, ClaimForm

WORD = r"`[^`\n]{1,300}`(?:[-'’]\w+)?|\[[ xX]\]|#?\w+(?:[.'’/#@+-]+\w+)*|[^\w\s]"
REWORDED = (  # where one of the cues stands: the pattern, and what is read instead
    ((" summary", " compaction"),  # "when the summary was requested" is now
     r"\b(?:before|when|as|until) (?:the|this) (?:summary|compaction) (?:was \w+(?: for)?|came|began|started)\b"
     r"|\b(?:at the time|as) of (?:the|this) summary\b", ""),
    (("n't", "n’t", "annot"), r"n['’]t\b|(?<=\b[Cc]an)not\b", " not"),
    ((" no longer ", " nicht ", " pas "), r" (?:no longer|(?:noch )?nicht|pas) ", " not "),
    ((" the ",), r" (?:from|in|to|on) the (?:repo(?:sitory)?|project|codebase|tree|disk|checkout|branch)\b", ""),
    ((" with `origin/", " with origin/"), r" with `?origin/[\w./-]+`?", " with origin"),
    ((" of ", " de ", " von ", " sur "),  # "9 out of 9" is "9/9"
     r"\b(\d{1,6}) (?:(?:out )?of (?:the |all )?|von (?:den )?|de (?:las |los )?|sur (?:les )?)(\d{1,6})\b", r"\1/\2"))
STATE_WORDS_MAX = 5  # "up to date with origin"
OPPOSITES = {"passing": "failing", "failing": "passing", "failed": "passing", "completed": "open",
             "committed": "uncommitted", "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed",
             "ended": "ongoing", "ongoing": "ended", "created": "absent", "deleted": "there", "there": "absent",
             "absent": "there"}
PARTING = frozenset(": ( [ | – — → -".split())  # a clause may begin behind these
SIGNS = PARTING | frozenset(") ] * ~ _ \" « » “ ” ‘ ’ ' … `".split())
CLAUSE_BEGINS = frozenset(". ; ! ? , and und et y but".split())
CLAUSE_ENDS = frozenset((
    ": ( [ | – — → - ) ] * _ . ; ! , and und et y but ✅ ✓ now again yet durch too altogether entirely completely "
    "locally already today after afterwards wieder jetzt maintenant ahora").split())
FILLERS = frozenset((  # between a thing and its state
    "% a about ahora all alle already als also any anymore are at aufgabe aufgaben back be been being bereits both "
    "build builds built came cases check checks comes compile compiled compiles complete completed completes "
    "continue continues currently did die do does déjà end ended endet endete ends entries entry est está están "
    "everything example examples exit exited exits file final finally find finds fini finish finished finishes "
    "fully get gives goes got ha had han has hat have is ist item items itself jetzt just la las last left les lief "
    "los läuft maintenant marked more newly noch now number once one ont out outcome pruebas ran remain remains "
    "report reported reports reran rerun result results run running runs schon several show showed shows sigue "
    "siguen sind single sont spec specs status still successfully suite tarea tareas task tasks termina terminaron "
    "termine terminé terminó test tests the there time to-do to-dos todas todo todos tous toutes turned tâche "
    "tâches wieder with wurde wurden ya yet été").split())
LEADS = frozenset((  # from the clause's beginning on
    "a all alle also am an archivo aufgabe aufgaben both by checked completely confirmed current currently das "
    "datei der die edit edits el empty entire entirely entries entry every everything far fichier file files final "
    "finally full git has have having here i i'm i've in is item items its just la las le les lint linting local "
    "los marked marking modification modifications my neu neue now npx bunx number old on our project ran re-ran "
    "remaining repo repository reran rerunning result results run running runs so state status still tarea tareas "
    "task tasks test tests that the there these this those to-do to-dos todas todos tous toutes tâche tâches unused "
    "using verification verified via we we're we've whole with work are change changes").split())
JOINED = frozenset("is are has have remains remain".split())  # behind a comma: the thing before it is meant
ORDERS = ("complete", "open", "pass", "clean", "commit")  # unless a mark stands behind: "complete: the thing"
OPEN_ENDED_WORDS = frozenset(("[ ]", *(  # of plans, conditions, the past, other people's words and runs
    "if once when whenever until unless should would will wo must could may might need needs needed ensure verify "
    "confirm expect expects expected want wants wanted ask asks asked before earlier previous previously "
    "initial initially originally claim claims claimed said reported according subagent "
    "subagents agent agents teammate teammates reviewer reviewers ci workflow workflows pipeline pipelines remotely "
    "baseline preexisting pre-existing unclear unknown maybe probably except only goal goals aim aims "
    "plan plans planned todo step steps always keep hook hooks yesterday criteria criterion require requires required "
    "requirement requirements acceptance other then reopened mistake wrong wrongly wenn sobald bevor quand "
    "lorsque cuando "
    "another someone fork upstream phase proposal proposed draft sketch suggestion suggested").split()))
BEFORE_ALONE = frozenset("after nach après después".split())  # in front: it is not said that it was
LIMITED_BY = frozenset("with at to about has have".split())  # behind a state, unless a number follows
PART_OF = frozenset("on of with so far".split())  # between a state and its thing: "done so far on"
PLACES_BEFORE = frozenset("in on for under per".split())  # "in the demo, it is done"
OPEN_ENDED_PHRASES = (" to be ", "make sure", "so that", "going to", "about to", "at first", "used to", "the user",
                      "github actions", " on main", "not sure", "apart from", "last week", "last year", " target : ",
                      "new one",
                      " target is ", "?")


@lru_cache(maxsize=4_096)  # each kind of claims goes through all sentences
def sentence_words(text: str) -> Sequence[str]:
    """The text's words and marks in lower case; a path, and what stands between backticks, is one word, as it is."""
    for cues, pattern, instead in REWORDED:
        if any(cue in text for cue in cues):
            text = re.sub(pattern, instead, text)
    return [word if word[0] == "`" or "/" in word else word.lower() for word in re.findall(WORD, text)]


def in_row(text: str) -> str:
    """The text's words and marks in one row, as phrases are looked for in it."""
    return " ".join(sentence_words(text))


def form_of(states: Mapping[str, str], **words: str) -> ClaimForm:
    """A form: by state the phrases that tell it, parted by bars, as are `ends`: "in 0" is the word and any number.

    `first` are the states that may stand before the thing, `fillers` and `leads` words beside the usual ones. Behind a
    "not" a phrase tells the opposite state.
    """
    by_phrase = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    denied = {f"not {phrase}": OPPOSITES[state] for phrase, state in by_phrase.items()
              if state in OPPOSITES and phrase[0].isalpha()}
    more = {name: frozenset(text.split("|" if name.startswith("ends") else None)) for name, text in words.items()}
    none = frozenset[str]()
    return {"states": {**denied, **by_phrase},
            "cues": frozenset(max(phrase.split(" "), key=len) for phrase in by_phrase),
            "first": {phrase: state for phrase, state in by_phrase.items() if state in more.get("first", none)},
            "fillers": FILLERS | more.get("fillers", none), "leads": LEADS | more.get("leads", none),
            "ends": CLAUSE_ENDS | more.get("ends", none),
            "ends_thing": (CLAUSE_ENDS - {"but"}) | more.get("ends_thing", none), "parting": PARTING}


def named_in(words: Sequence[str], names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where one of the names, given as its words in a row, stands among the words, and what it is the name of."""
    row = " ".join(words)
    for name in [name for name in names if name in row]:
        size = len(sentence_words(name))
        for begin in range(len(words)):
            if " ".join(words[begin:begin + size]) == name:
                yield begin, begin + size, names[name]


def claim_of(words: Sequence[str], begin: int, end: int, form: ClaimForm,
             own: Collection[str] = ()) -> Claim | None:
    """The one state that is claimed of words[begin:end]; None where none is, or two, or the rest leaves it open.

    `own` are words that name the same thing.
    """
    if form["cues"].isdisjoint(words):
        return None
    lead = start = before_fillers(words, begin, form, own)
    first = ""
    for stop in range(lead, begin + 1):
        for size in range(1, min(STATE_WORDS_MAX, stop) + 1):
            phrase = " ".join(words[stop - size:stop])
            before = before_fillers(words, stop - size, form, own) if phrase in form["first"] else 0
            is_whole = PART_OF.isdisjoint(words[stop:begin]) and begins_clause(words, before, stop, form)
            if phrase in form["first"] and is_whole and (
                    phrase not in ORDERS or not PARTING.isdisjoint(words[stop:begin])):
                first, start = form["first"][phrase], before
    if not first and not begins_clause(words, lead, begin, form):
        return None
    behind, place = state_behind(words, end, form, (form["fillers"], SIGNS, own))
    again, later = state_behind(words, place, form, (form["fillers"],)) if behind else ("", place)  # "✅ 9 passed"
    if not again and not LIMITED_BY.isdisjoint(words[place:later]) and not any(map(str.isdigit, words[place:later])):
        later = place  # "passes with" what?
    after = next((place for place in (later, place) if behind and ends_clause(words, place, form["ends"])), 0)
    if not after:
        behind, again, after = "", "", end if ends_clause(words, end, form["ends_thing"]) else 0
    states = {first, behind, again} - {""}
    claim: Claim = {"state": "".join(states), "begin": start, "end": after}
    return claim if after and len(states) == 1 and not leaves_open(words, claim) else None


def state_behind(words: Sequence[str], place: int, form: ClaimForm,
                 fillers: Sequence[Collection[str]]) -> tuple[str, int]:
    """The state that the words tell right behind the place and fillers, and where that ends; fillers after a "not"."""
    denied: list[str] = []
    while place < len(words):
        for size in range(STATE_WORDS_MAX, 0, -1):
            state = form["states"].get(" ".join([*denied, *words[place:place + size]]), "")
            if state:
                return state, place + size
        is_filler = any(words[place] in some for some in fillers) or is_count(words[place], form) or (
            words[place] == "," and not JOINED.isdisjoint(words[place + 1:place + 2]))
        if words[place] == "not" and not denied:
            denied = ["not"]
        elif not is_filler:
            break
        place += 1
    return "", place


def before_fillers(words: Sequence[str], place: int, form: ClaimForm, own: Collection[str]) -> int:
    """Where the words begin that lead to that place and say nothing."""
    while place and (words[place - 1] in SIGNS or words[place - 1] in form["leads"] or words[place - 1][0] == "#"
                     or is_count(words[place - 1], form) or words[place - 1] in own):
        place -= 1
    return place


def begins_clause(words: Sequence[str], lead: int, place: int, form: ClaimForm) -> bool:
    """Whether a clause begins between what leads to the place and the place."""
    return not lead or words[lead - 1] in CLAUSE_BEGINS or not form["parting"].isdisjoint(words[lead:place])


def ends_clause(words: Sequence[str], place: int, ends: frozenset[str]) -> bool:
    """Whether the clause ends at that place, or goes on in one of the forms that claim nothing else."""
    if place >= len(words) or words[place] in ends:
        return True
    if " ".join(words[place:place + 3]) in ends:
        return True
    following = "".join(words[place + 1:place + 2])
    kind = "0" if following[:1].isdigit() else "`" if following[:1] == "`" else following
    return f"{words[place]} {kind}" in ends


def is_count(word: str, form: ClaimForm) -> bool:
    """Whether it is a number, "9" or "9/9", that says how many of the thing are meant."""
    return "0" in form["fillers"] and word.replace("/", "").isdigit()


def leaves_open(words: Sequence[str], claim: Claim) -> bool:
    """Whether the words round a claim leave it open."""
    before, behind = around(words, claim)
    return (is_open_ended([*before, *behind]) or not PLACES_BEFORE.isdisjoint(before[:1])
            or not BEFORE_ALONE.isdisjoint(before))


def around(words: Sequence[str], claim: Claim) -> tuple[Sequence[str], Sequence[str]]:
    """The words before and behind a claim, up to the next full stop or semicolon."""
    begin = next((place for place in range(claim["begin"], 0, -1) if words[place - 1] in ".;"), 0)
    end = next((place for place in range(claim["end"], len(words)) if words[place] in ".;"), len(words))
    return words[begin:claim["begin"]], words[claim["end"]:end]


def is_open_ended(words: Sequence[str]) -> bool:
    """Whether the words plan, suppose, ask, or tell of the past or of others; code among them says nothing."""
    if not OPEN_ENDED_WORDS.isdisjoint(words):
        return True
    text = f" {' '.join(words)} "
    return any(phrase in text for phrase in OPEN_ENDED_PHRASES)
