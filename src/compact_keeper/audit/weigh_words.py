"""What the words of a text weigh when two texts are compared, and what the text is for and against.

    text -> terms:  its words as compared: small words count nothing, names of the code and numbers twice as much
         -> signs:  for each of them whether the text is for or against it ("never", "without", "rather than")

Words that mean the same in the talk of development (SAME) are one term; of the others the ending goes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.types import Term

# --- tables; words of one meaning stand between bars, in their plain form ---
SAME = """
    edit modify modification change touch alter alteration update adjust rewrite amend tamper tweak revise overwrite
    mutate | delete remove removal drop erase purge discard wipe deletion rm eliminate strip prune | add addition
    create creation write wrote written introduce insert implement implementation new append author | run ran rerun
    execute execution invoke invocation launch call trigger | start begin began begun commence open opening initial
    lead | stop halt end cease quit | test suite spec testing | use usage utilize employ prefer preference stick
    adopt choose chose chosen choice opt pick select selection rely relies go went favor favour | commit checkin |
    push pushen | deploy deployment release ship rollout publish publication promote | fix repair resolve solve
    correct correction remedy mend | fail failure break broke broken crash error red diagnostic | bug issue defect
    problem fault flaw | folder directory dir | doc document documentation describe description explain explanation
    | dependency package library deps lib | ask check confirm confirmation approve approval permission consent
    consult agree agreement signoff clear clearance | verify verification validate validation | move relocate
    relocation migrate migration shift transfer | keep kept retain stay preserve remain maintain leave left | live
    reside store storage | skip ignore omit bypass exclude disregard | log print logger logging logged | mock stub
    fake | fast quick speed rapid quickly | slow slowness sluggish | hour h | short brief briefly concise terse |
    big large huge long | small tiny little | find found locate search identify detect discover | answer reply
    respond response | say tell told mention state | notify notification inform alert notice | english british
    american | direct straight | config configuration configure setting settings | database db | postgres postgresql
    pg | repo repository codebase | function func fn method routine | param parameter argument arg | variable var |
    exception raise throw thrown | endpoint route | review reviewer pr mr | stage staging | prod production | miss
    missing lack lacking absent absence | indent indentation | compatible compatibility compat | url link | show
    shown display render visible | split divide separate separation | simple plain easy simplify | secret credential
    password token | version versioned | cause reason | weekend saturday sunday | minute min | second sec |
    millisecond ms | megabyte mb | gigabyte gb gig | kilobyte kb | 2 two twice double pair | 3 three | 4 four | 5
    five | 6 six | 7 seven | 8 eight | 9 nine | 10 ten | 12 twelve dozen | 20 twenty | 30 thirty | 100 hundred |
    lower lowercase | upper uppercase capital capitalize | letter character char | period fullstop dot | price cost
    expense | customer buyer shopper | signin login logon | screen page | number numeral digit numeric | network
    internet online | cache cached caching | retry retries reattempt | timeout timedout | wait await block |
    parallel concurrent concurrency simultaneous simultaneously | async asynchronous asynchronously | secure
    security safe safety | encrypt encryption | authorize authorization authz | authenticate authentication auth |
    admin administrator | env environment | schedule scheduled cron | night nightly overnight | day daily | week
    weekly | month monthly | year yearly annual | rollback revert undo | monitor observe watch | metric measurement
    measure | example sample | format formatter formatting reformat | lint linter linting eslint | typing typed
    annotate annotation | null nil | unique distinct | duplicate copy clone | public exported export expose |
    translate translation localize localization | mail email | msg message | phone mobile telephone | image picture
    photo | color colour | bottom beneath underneath | beside alongside adjacent next | list array | map dict
    dictionary | loop iterate iteration iterator | inherit inheritance subclass | reference ref pointer | compile
    compiler compilation build built rebuild | install installation setup | bump upgrade increase | cut reduce
    reduction decrease shrink | limit cap maximum max bound ceiling restrict restriction | minimum least | permit
    permitted permissible accept acceptable | access accessed reach read | initialise initialize initialization
    initialisation init | allocate allocation malloc heap | static statically | lazy lazily | sync synchronise
    synchronize syncing | wake woke awake | majority most | unused dead | obsolete deprecated legacy old outdated |
    final last latest | first primary | temporary temp tmp | regenerate generate generation generated gen | record
    recording fixture cassette | require requirement need necessary | handle handled handling | job task | server
    backend | client frontend | interface ui | import imported importing | code source | comment remark | style
    convention | team colleague | standard stdlib | external foreign | empty blank | local locally | query queries |
    column field | row entry | backup backups | restore recover recovery | rotate rotation | expire expiry
    expiration ttl | attach attachment | enable enabled activate | disable disabled deactivate off | toggle flag
    switch | width broad | detail detailed details | structure layout | naming name named | report complain
    complaint | refuse refusal reject rejection deny denial | decide decision | replace replacement substitute swap
    | wrap wrapper wrapping | convert conversion cast | round rounding | calculate calculation compute computation |
    estimate estimation | download fetch pull | upload send sent | connect connection connected | memory ram
"""
PHRASES = {  # more than one word for one of them
    "pull request": "pr", "merge request": "pr", "lower case": "lowercase", "lower-case": "lowercase",
    "upper case": "uppercase", "full stop": "period", "sign in": "signin", "log in": "signin", "logged in": "signin",
    "signed in": "signin", "time out": "timeout", "timed out": "timeout", "times out": "timeout",
    "timing out": "timeout", "roll back": "rollback", "set up": "setup", "next to": "beside", "by hand": "manual",
    "interrupt handler": "isr", "pass on": "send", "out of bounds": "forbidden", "off limits": "forbidden",
    "off-limits": "forbidden", "hands off": "forbidden", "no longer": "not", "read-only": "unchanged",
    "read only": "unchanged"}
TURNED = {  # words that say what a text is against, each with what that is
    "offline": "network", "immutable": "edit", "untouched": "edit", "untouchable": "edit", "unchanged": "edit",
    "unmodified": "edit", "unmodifiable": "edit", "frozen": "edit", "stateless": "state", "undocumented": "document"}
DULL = """
    over above beyond below the a an and or of to in on at is are be it its this that with for from by as we you i
    me my our your they do does did done have has had will would can could may might so if then there here them
    those these was were been into out up down also just still any some each every all both more very too than about
    under per via within while their never always must should shall dont not no nor only please now before after
    when first until again already yet let lets make made sure ensure user users session rule rules want wants
    wanted asked instructed said says prefers rather mustnt cannot cant wont isnt arent doesnt didnt shouldnt
    without unless because since what which who how where whether get gets got put puts anything something
    everything nothing thing things one other another etc eg ie ok okay much many well even though free really
    actually currently going being able whenever time times forbidden allowed avoid alone limits banned bans
    prohibited prohibits prohibit disallowed unacceptable forbid forbids forbade requires required require requested
    requests demands demanded insists insist insisted expects expected constraint constraints explicit explicitly
    strict strictly solely exclusively mandatory merely simply anyway otherwise anywhere nowhere but throughout due
    given reason none nobody neither once however instead opposed through against between during whole entire own us
    everywhere globally forever stated emphasized stressed hold holds goes place places placed order wish wishes
"""
GENERIC = "folder file files code use add project work set way line lines part module name like keep new task"
GENERIC_WEIGHT, PLAIN, CODE = 0.4, 1.0, 2.0  # what a word counts: dull ones nothing
FOREIGN = """
    der das und ist nicht ein eine den dem auf mit für bitte nie immer kein keine auch le les des une est pas dans
    pour jamais toujours sur el los las una por para está nunca siempre não sempre você com os che il gli di non mai
    się jest zawsze do że bir ve bu için değil lütfen asla que niemals von bei zu wir ich wird werden nur oder aus
    la de en con del al como
"""
ENGLISH = "the a of to and is in it that for with be are on not this we by or must should never always user from"
FLIPPING = """
    never not no dont cannot cant mustnt shouldnt wont doesnt isnt arent neither nothing nobody none avoid avoids
    avoided unless forget skip skips skipping stop forbids forbade bans prohibits disallows break breaks
    breaking nie niemals nicht kein keine ohne jamais sans nunca não sem mai nigdy bez asla
"""  # turns what follows in the clause into its opposite
EXCEPTING = frozenset("without outside except excepting beyond free".split())  # the same, up to the next verb
VERBS = frozenset("is are be must may should shall can will has have needs goes go does do get gets to".split())
WHOLLY_AGAINST = """
    forbidden banned prohibited disallowed unacceptable empty verboten interdit prohibido unwanted zero
"""  # turns the whole clause
AGAINST = frozenset((("not", "allowed"), ("not", "permitted"), ("not", "acceptable"), ("not", "wanted")))
LEAVING, LEFT = frozenset("leave leaves leaving left let".split()), frozenset(["alone", "as"])  # "leave it as it is"
NEGATED_VERBS = frozenset("dont cannot cant mustnt shouldnt wont doesnt isnt arent".split())
PLACING = frozenset("in on at into onto within during after before when while under for from of".split())
ENDINGS = tuple("izations ization ations ation ating ments ment ingly edly ates ated ings ions ion ing ies ied ate ers "
                "es ed er ly s y e".split())  # longer ones first
INFLECTIONS = {  # by the last letter: the ending, and what stands there in the plain form
    "s": (("s", ""), ("es", ""), ("ies", "y"), ("ers", "")), "d": (("ed", ""), ("ed", "e"), ("ied", "y")),
    "g": (("ing", ""), ("ing", "e")), "r": (("er", ""), ("er", "e")), "y": (("ly", ""),)}
SEPARATING = str.maketrans(dict.fromkeys("\"`(),;!?[]{}<>|*…«»“”„‘、。，；：！？（）「」→←—–=", " "))
PUNCTUATION = {**SEPARATING, **dict.fromkeys(map(ord, ".:/\\@#$%&+-_~^"), " "), ord("'"): None, ord("’"): None}
ACCENTS = dict.fromkeys(range(0x300, 0x370))
CLASSES = {word: group[0] for group in map(str.split, SAME.split("|")) for word in group}
DULL_WORDS = frozenset(DULL.split())
FOREIGN_WORDS, ENGLISH_WORDS = frozenset(FOREIGN.split()), frozenset(ENGLISH.split())


def word_stem(word: str) -> str:
    """The word without its ending, twice; crude, but the same for most forms of a word."""
    for _ in range(2):
        if word.endswith(ENDINGS):
            ending = next(filter(word.endswith, ENDINGS))
            word = word[:-len(ending)] if len(word) - len(ending) > 2 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def word_root(word: str) -> str:
    """What stands for the word and all that mean the same."""
    if word in CLASSES:
        return CLASSES[word]
    for ending, instead in INFLECTIONS.get(word[-1], ()):
        if word.endswith(ending):
            plain = word[:-len(ending)] + instead
            if plain in CLASSES or (plain[-1:] == plain[-2:-1] and (plain := plain[:-1]) in CLASSES):  # "dropped"
                return CLASSES[plain]
    return word_stem(word)


GENERIC_ROOTS = frozenset(map(word_root, GENERIC.split()))


def bare_word(text: str) -> str:
    """The text in lower case without accents."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text.casefold()).translate(ACCENTS))


def plain_words(text: str) -> list[str]:
    """The text's words as they stand there, each of PHRASES as one."""
    return joined_phrases(spaced(text)).split()


def spaced(text: str) -> str:
    """The text with a space on both sides of each word, for what separates words, and before a full stop."""
    return f" {text.translate(SEPARATING)} ".replace(". ", " . ")


def joined_phrases(words: str) -> str:
    """The words with one for each of PHRASES, as they stand within and at the beginning of sentences."""
    lower = words.lower()
    for phrase, word in PHRASES.items():
        if phrase in lower:
            words = words.replace(f" {phrase} ", f" {word} ").replace(f" {phrase.capitalize()} ", f" {word} ")
    return words


@lru_cache(maxsize=8_192)
def weighed(word: str) -> tuple[Term, ...]:
    """What one word counts as; empty for a dull one."""
    if word in DULL_WORDS:
        return ()
    if not (word.islower() and word.isalpha() and word.isascii()):  # most words are plain ones
        word = word.strip(".:'’-_/~@#$%&+\\")
        plain = bare_word(word)
        if plain in DULL_WORDS or not plain:
            return ()
        if plain.isdigit():
            return ((plain, CODE, ()),)
        if not (plain.isalpha() and plain.isascii() and (word[1:].islower() or word.isupper() or len(word) == 1)):
            return joined(word, plain) if plain.isascii() else other_script(word, plain)
        word = plain
    short = word_root(TURNED.get(word, word))
    return ((short, GENERIC_WEIGHT if short in GENERIC_ROOTS else PLAIN, ()),)


def other_script(word: str, plain: str) -> tuple[Term, ...]:
    """The same for letters beyond ASCII: Chinese and its kin in pairs, as their words are not set apart."""
    if not any(map(is_east_asian, plain)):
        return ((word_root(plain), PLAIN, ()),) if plain.isalpha() else joined(word, plain)
    runs = "".join(letter if is_east_asian(letter) else " " for letter in plain).split()  # ㍐ is some in `plain` alone
    rest = "".join(" " if is_east_asian(letter) else letter for letter in word).split()
    pairs = {run[at:at + 2] for run in runs for at in range(max(len(run) - 1, 1))}
    found = [one for part in rest if part != word for one in weighed(part)]
    return (*((pair, PLAIN / 2, ()) for pair in sorted(pairs)), *found)


def is_east_asian(letter: str) -> bool:
    """Whether it is one of those letters; a pattern of their ranges would take 1.6 ms to compile."""
    return "\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af"


def joined(word: str, plain: str) -> tuple[Term, ...]:
    """The same for words with something between: a contraction, words with hyphens, a name or path of the code."""
    if "'" in word or "’" in word:
        return weighed(word.replace("'", "").replace("’", ""))
    if "-" in word and word.replace("-", "").isalpha() and (word[1:].islower() or word.isupper()):
        return tuple(one for part in word.split("-") for one in weighed(part))
    last = plain.rpartition("/")[2]
    name = last if "." in last and "://" not in plain else plain
    pieces = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", word.rpartition("/")[2] if name is last else word)
    parts = tuple(one[0] for piece in pieces if len(piece) > 1 or piece.isdigit() for one in weighed(piece))
    return ((name, CODE, parts),) if parts else ()


def learn(texts: Sequence[str]) -> None:
    """Takes many texts apart at once, in less time than one by one."""
    new = [text for text in texts if text not in TERMS]
    lines = joined_phrases("\n".join(spaced(text.replace("\n", " ")) for text in new)).split("\n")
    for text, line in zip(new, lines):
        TERMS[text] = [one for word in line.split() for one in weighed(word)]
        WORDS[text] = bare_word(text).translate(PUNCTUATION).split()


TERMS: dict[str, list[Term]] = {}
WORDS: dict[str, list[str]] = {}


def terms_in(text: str) -> list[Term]:
    """What the text's words count as, in their order."""
    if text not in TERMS:
        learn([text])
    return TERMS[text]


def words_in_text(text: str) -> list[str]:
    """The bare words of a text, in their order."""
    if text not in WORDS:
        learn([text])
    return WORDS[text]


def is_foreign(text: str) -> bool:
    """Whether the text is in another language than English, as far as its small words or its script tell."""
    words = words_in_text(text)
    small = sum(map(FOREIGN_WORDS.__contains__, words)) - sum(map(ENGLISH_WORDS.__contains__, words))
    others = [] if text.isascii() else [letter for letter in text if letter > "\u036f" and letter.isalpha()]
    return small > 0 or len(others) + 2 * sum(map(is_east_asian, others)) > len(text) / 4  # one of those is a syllable


FLIPS, WHOLLY = frozenset(FLIPPING.split()), frozenset(WHOLLY_AGAINST.split())
INSTEAD = (("instead", "of"), ("rather", "than"), ("opposed", "to"))
TURNING = FLIPS | WHOLLY | EXCEPTING | TURNED.keys() | {"instead", "rather", "over", "alone"}


@lru_cache(maxsize=512)
def signs(text: str) -> dict[str, int]:
    """For each term 1 where the text is for it, -1 where it is against it, 0 where it is both or only tells a place."""
    found: dict[str, int] = {}
    for clause in re.split(r"[,;:()—–.!?]\s|[,;()]| (?:but|because|since) ", f"{text.replace('()', '')} "):
        for word, told in signed(clause):
            sign = -told if word in TURNED or word.endswith("-free") else told
            found.update((term, sign if found.get(term, sign) == sign else 0) for term, _, _ in weighed(word))
    return found


def signed(clause: str) -> list[tuple[str, int]]:
    """The clause's words, each with its sign."""
    told = plain_words(clause)
    words = [bare_word(word).strip(".:-").replace("'", "").replace("’", "") for word in told]
    against = not WHOLLY.isdisjoint(words) or (not LEFT.isdisjoint(words) and not LEAVING.isdisjoint(words)) or any(
        pair in AGAINST for pair in zip(words, words[1:]))
    found: list[tuple[str, int]] = []
    sign, placed, excepted = -1 if against else 1, False, False
    preferring = any(word.startswith("prefer") for word in words)
    for before, word, after, full in zip(["", *words], words, [*words[1:], ""], told):
        if word in EXCEPTING:
            sign, excepted = -sign, True
        elif excepted and word in VERBS:
            sign, excepted = -sign, False
        elif (word, after) in INSTEAD or word == "nor" or (preferring and word in ("over", "to")):
            sign = -1
        elif word in FLIPS and not against:
            sign = -sign
            if word in NEGATED_VERBS or before in VERBS:  # "names must not show" is nothing for names
                found = [(other, 0) for other, _ in found]
        placed = (before, word) not in INSTEAD and (word in PLACING or (placed and word not in VERBS | FLIPS))
        found.append((full, 0 if placed else sign))
    return found
