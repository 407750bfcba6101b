#!/usr/bin/env python3
r"""Audit the summary that a compaction wrote: what it dropped, changed, invented or claimed without proof.

A hook for PostCompact. One pipeline: read summary, memory and what came after it -> compare -> leave out what was put
back anyway -> note.
Reads   the hook's JSON on stdin, compact_summary in it; sessions/<session_id>/memory.json, snapshot.json, pins.jsonl,
        ledger.jsonl, delivered-<id> (the text that was put back); of the working folder whether at most 40 files exist,
        and .git/logs/HEAD.
Starts  save_snapshot.py, where nothing has been put back yet and the session has gone on since it was saved.
Writes  sessions/<session_id>/note.json: the note for the model, at most 2,000 UTF-16 units, which the next event that
        can carry it hands over, without what was put back by then; none, and an older one removed, when nothing was
        found. A mark that this compaction was audited. One line in events.jsonl with the figures, one in history.jsonl
        with what was found.
Prints  nothing: of this event nothing reaches the model.
Words   are facts with their source. The summary is a model's text: quoted, on one line, secrets replaced.
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/audit_summary.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens. Python 3.9+, standard library only.

Version 0.6.0, made by `make build` from src/audit_summary.py; change it there. Its parts stand in the order of their use.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

VERSION = "0.6.0"  # of the plugin that this script came with


# ==================================================================================================
# audit/weigh_words.py: What the words of a text weigh when two texts are compared, and what the text is for and against.
# ==================================================================================================

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


# ==================================================================================================
# audit/compare_summary.py: What a compaction's summary kept, dropped, changed or invented, beside what the session's memory holds.
# ==================================================================================================

# --- tables ---
RIVALS = """
    npm pnpm yarn bun | tab space | jest vitest mocha | pytest unittest nose tox | postgres mysql sqlite mongodb |
    poetry pipenv pip uv conda | merge rebase squash | camelcase snake_case kebab-case | webpack vite rollup esbuild |
    docker podman | english german french spanish japanese
"""  # who asks for one of a group does not ask for another
NORMATIVE = frozenset("""
    never always must should dont only not no avoid forbidden banned prefer prefers preferred preference rule rules
    require requires required insist insists want wants wanted asked keep stay stays stick limit limits most instead
    rather mandatory untouched allowed policy convention constraint constraints instruction instructions ensure remember
    important careful approval permission consent free user users cannot may without until before all each
    every use standing leave alone
""".split())
ASKING = frozenset("ask asks asked asking approval permission consent".split())
CONDITIONS = ASKING | frozenset("without unless until before beforehand after first only once".split())
STEERING = frozenset("never always must mustnt should shouldnt dont only prefers prefer required requires insisted "
                     "insists demanded instructed mandatory forbidden whenever rule instruction not".split())
ATTRIBUTING = frozenset("""
    said says ask asks asked want wants wanted require requires required prefer prefers preferred instruct instructs
    instructed emphasised emphasized stressed decided wishes gave insist insists insisted demanded told requested
    specified stated stipulated expects instruction instructions rule rules request preference constraint
""".split())  # behind "the user" or "the user's"
WISHING = frozenset("wants prefers requires required emphasised emphasized stressed decided wishes permission demands "
                    "demanded insists insisted that".split())
TROUBLE = frozenset(map(word_root, """
    fail bug unable cannot undefined exception reject abort panic timeout invalid missing wrong mismatch violation kill
    die unresolved stuck hang overflow conflict complain crash problem error unexpected differ refuse deny incomplete
    impossible ineffectual exceed corrupt deadlock segfault leak flaky warn
""".split()))
NOT_WORKING = frozenset("not never no nothing cannot doesnt wont isnt without too still yet out".split())
NONE_OF = frozenset("no without zero 0".split())
AUXILIARY = ("has", "have", "also", "then")
PEOPLE = ("user", "users", "user's", "user:", "users:")
OF_OTHERS = (
    "nutzer will", "nutzer möchte", "nutzer verlangt", "utilisateur veut", "utilisateur exige", "usuario quiere",
    "usuario pide", "utente vuole", "用户要求", "用户说", "用户希望", "ユーザーは")
NOT_AN_ORDER = (  # words that came from a file, a question, a musing, a thing named after users
    r"claude\.md|agents\.md|readme|\bplan\b|reminder|\bskill\b|\bhooks?\b|slash|compact"
    r"|\busers? (?:table|interface|story|input)"
    r"|\bask(?:s|ed) (?:a question|about|if|whether|why|how|what|which|where|for)\b"
    r"|don['’]?t (?:know|think|see|understand|agree|believe|have|need)\b")
OTHER_LANGUAGE = "(looked for in these words; the summary is in another language)"
LANGUAGE_READ = 3_000  # characters that show in which language a text is
MOST_LINES, LONGEST = 3_000, 1_200  # of a summary; characters of a sentence
BESIDE_VALUE = 0.75  # share of the words beside a value from which a sentence tells the same with another value
MOST_LIKELY = 6  # sentences looked at for one item
OF_COMMAND, OF_ERROR, OF_TROUBLE = 0.75, 1.3, 0.4  # worth of the shares of a failed command and its error, of trouble
ALIKE_FAILURE = 1.57  # these and the sentence's own share, from which it tells of the failure
WHOLE_TEXT = 0.99  # share from which a command is named in full
ERROR_READ = 400  # characters of an error that are compared
KEPT, OF_REQUEST = 0.55, 0.4  # share of an item's words that a sentence has, of a request's that the summary has
SHARE_OF_RULE, SHARE_OF_TASK = 0.36, 0.48  # share of an item's words from which a sentence is looked at
ALIKE, ALIKE_RULE = 1.0, 1.15  # an item's share and the sentence's, from which it is told there; tests/bench/audit.py
VERY_ALIKE = 1.5  # the same, from which a sentence may tell the opposite
RULING = 0.19  # what a word of ruling is worth beside them, for a rule
CLAUSES = r"[,;:]\s|[(—–]| - | and | but "
OF_CLAUSE, LEAST_OF_CLAUSE, LONG_SENTENCE = 0.8, 3.0, 5.0  # part of a clause's share that counts; weights of words
IN_ALL = 0.7  # share of a request's words that stand anywhere in the summary, from which it counts as kept
VALUE_CUT, REQUEST_CUT = 200, 1_500  # characters at which the save cuts the sentence of a value, a request
LEAST_OF_DECISION = 4.0  # weight of the words of a decision that says something without its surroundings
SUPPORTED, WELL_SUPPORTED = 0.5, 0.35  # share of an attribution's words that the user typed


def is_ruling(text: str) -> bool:
    """Whether the sentence may tell a rule."""
    return not NORMATIVE.isdisjoint(words_in_text(text))


def is_steering(text: str) -> bool:
    """Whether the sentence tells what is to be done."""
    return not STEERING.isdisjoint(words_in_text(text))


def is_imperative(text: str, shared: Iterable[str]) -> bool:
    """Whether the sentence begins with one of the shared words, and as an order."""
    first = next(iter(words_in_text(text)), "")
    return not first.endswith(("ed", "ing", "s")) and any(one[0] in shared for one in weighed(first))


def opposite(old: str, new: str) -> bool:
    """Whether the new sentence is for what the old one is against, in every word they share.

    Not judged: the same number in both, which stands for itself, and conditions told another way ("not without", "only
    after"). Where both are against something, they must have exchanged it.
    """
    before, after = {*words_in_text(old)}, {*words_in_text(new)}
    if not ASKING.isdisjoint(before) and not ASKING.isdisjoint(after):
        return free_to_act(words_in_text(old)) != free_to_act(words_in_text(new))
    conditions = [words & CONDITIONS for words in (before, after)]
    if (old in new or TURNING.isdisjoint(before | after) or any(map(str.isdigit, before & after))
            or ("only" in before) != ("only" in after) or (all(conditions) and conditions[0] != conditions[1])):
        return False
    then, now = signs(old), signs(new)
    shared = [term for term in then if term in now and term not in GENERIC_ROOTS]
    turned = [then[term] for term in shared if then[term] * now[term] < 0]
    is_all = len(turned) == sum(bool(then[term] * now[term]) for term in shared)
    if not TURNING.isdisjoint(before) and not TURNING.isdisjoint(after):
        return 1 in turned and -1 in turned
    return len(shared) > 1 and bool(turned) and is_all and (is_steering(new) or is_imperative(new, shared))


def free_to_act(words: Sequence[str]) -> bool:
    """Whether the words of a sentence about asking say that it needs none: "without", but not "never without"."""
    return sum(word in FLIPS or word == "without" for word in words) % 2 == 1


def other_value(old: str, new: str) -> bool:
    """Whether a number, version or name of the old text is another one in the new, beside the same word."""
    then, now = terms_in(old), terms_in(new)
    beside: dict[tuple[str, str], set[str]] = {}
    for place, word in enumerate(now):
        for key in neighbours(now, place) if is_value(word) else ():
            beside.setdefault(key, set()).add(word[0])
    mine = {term for term, _, _ in then}
    return any(word[0] not in other and other not in mine
               for place, word in enumerate(then) if is_value(word) and not any(word[0] in term for term, _, _ in now)
               for key in neighbours(then, place) for other in beside.get(key, ()))


def is_value(word: Term) -> bool:
    """Whether the word is a number, a version, or a name of the code."""
    return word[1] == CODE


def neighbours(words: Sequence[Term], place: int) -> list[tuple[str, str]]:
    """What identifies the value at the place: its shape with the word before and with the word behind."""
    shape = re.sub(r"\d+", "9", words[place][0]) if has_digit(words[place][0]) else "name"
    if "://" in words[place][0]:
        return [(shape, "")]
    sides = ((place - 1, "before "), (place + 1, "behind "))
    return [(shape, side + words[at][0]) for at, side in sides
            if 0 <= at < len(words) and not is_value(words[at])]


def has_digit(term: str) -> bool:
    """Whether a digit is in it."""
    return not term.isalpha() and any(map(str.isdigit, term))


@lru_cache(maxsize=1)
def rivals() -> dict[str, int]:
    """For each word of RIVALS the number of its group."""
    return {weighed(word)[0][0]: number for number, line in enumerate(RIVALS.split("|"))
            for word in line.split()}


def favoured(text: str) -> dict[int, set[str]]:
    """The rivals that the text is for, by line."""
    found: dict[int, set[str]] = {}
    for term, sign in signs(text).items():
        if sign > 0 and term in rivals():
            found.setdefault(rivals()[term], set()).add(term)
    return found


SENTENCE_ENDS = (". ", "! ", "? ", "; ", "。", "！", "？")  # of a sentence
LEADS = 12  # sentences that a line with a colon at its end leads in at most


class Summary:
    """The summary's sentences, found by their words.

    A window is a sentence with the line that leads in and, where that continues it, the sentence behind; it goes by
    the sentence's number.
    """

    def __init__(self, text: str) -> None:
        """Of the text as the client hands it over."""
        self.sentences = list(sentences(text))
        learn([one["text"] for one in self.sentences])
        self.foreign = is_foreign(text[:LANGUAGE_READ])
        self.index: dict[str, list[int]] = {}
        self.found: dict[str, set[int]] = {}  # the windows of the words looked up so far
        self.led: dict[int, list[int]] = {}
        lead = -LEADS
        for number, one in enumerate(self.sentences):
            if number - lead < LEADS:
                self.led.setdefault(lead, []).append(number)
            if one["text"].endswith((":", ":**", "：")):
                lead = number
            for term, _, parts in terms_in(one["text"]):
                for word in (term, *parts):
                    self.index.setdefault(word, []).append(number)

    def windows(self, word: str) -> set[int]:
        """The windows in which the word is."""
        if word not in self.found:
            told = self.index.get(word, ())
            self.found[word] = {place for number in told
                                for place in (number, number - self.sentences[number]["joins"],
                                              *self.led.get(number, ()))}
        return self.found[word]

    def places(self, term: str, parts: Sequence[str]) -> set[int]:
        """The windows in which a word is, or all that it is joined from."""
        found = self.windows(term)
        return found | set.intersection(*map(self.windows, parts)) if parts else found

    def shares(self, wanted: Iterable[Term], least: float) -> dict[int, float]:
        """The windows that have at least this share of the words' weight, with their share; rare words first."""
        words = {term: (weight, self.places(term, parts)) for term, weight, parts in wanted}
        total = sum(weight for weight, _ in words.values())
        left = sum(weight for weight, places in words.values() if places)
        found: dict[int, float] = {}
        for weight, places in sorted(words.values(), key=lambda one: len(one[1])) if left >= least * total else ():
            for place in places if left >= least * total else places & found.keys():
                found[place] = found.get(place, 0.0) + weight
            left -= weight if places else 0
        return {place: share / total for place, share in found.items() if share >= least * total}

    def likely(self, wanted: Sequence[Term], least: float) -> Iterator[tuple[int, float]]:
        """The windows that have at least this share of the words, those that have most first.

        Each with how alike it is: that share, and the share of its own words that is among them.
        """
        mine = {word for term, _, parts in wanted for word in (term, *parts)}
        shares = self.shares(wanted, least)
        for place in sorted(shares, key=lambda place: -shares[place])[:MOST_LIKELY]:
            yield place, shares[place] + max(own_share(one["text"], mine) for one in self.window(place))

    def text(self, place: int, wanted: set[str]) -> str:
        """Of the window's two sentences the one that has more of the words."""
        return str(max((one["text"] for one in self.window(place)), key=lambda text: len(
            wanted.intersection(term for term, _, _ in terms_in(text)))))

    def window(self, place: int) -> list[Record]:
        """The sentence, and the one behind it where that continues it."""
        return [one for one in self.sentences[place:place + 2] if one is self.sentences[place] or one["joins"]]

    def troubled(self, place: int) -> bool:
        """Whether the window tells of something that does not work."""
        return any(is_troubled(one["text"]) for one in self.window(place))

    def ruling(self, place: int) -> bool:
        """Whether the window may tell a rule."""
        leads = [self.sentences[lead] for lead, led in self.led.items() if place in led]
        return any(is_ruling(one["text"]) for one in (*self.window(place), *leads))


def sentences(text: str) -> Iterator[Record]:
    """The sentences and list entries, each with its heading, and whether it is quoted, code, or from an analysis."""
    text, heading, is_code = text.partition("<summary>")[2].partition("</summary>")[0] or text, "", False
    retold = "Analysis:" in text[:400] and "\nSummary:" in text
    depth = 0
    for full in filter(str.strip, text.splitlines()[:MOST_LINES]):
        line = full.strip()
        above, depth = depth, len(full) - len(full.lstrip())
        is_code ^= line.startswith("```")
        retold = retold and not line.startswith("Summary:")
        entry = entry_of(line)
        if not is_code and len(line) < 70 and (line[0] in "#*" or (line[0].isdigit() and entry != line)) and not (
                {".", "`"} & set(entry.strip("*#: "))):
            heading = line.lower()
        quoted = entry[:1] in ('"', "“") and entry[-1] in '"”)'
        for mark in SENTENCE_ENDS if not (is_code or quoted) else ():
            entry = entry.replace(mark, mark[0] + "\n")
        for number, part in enumerate(part for part in entry.splitlines() if len(part) > 2):
            yield {"text": part[:LONGEST], "heading": heading, "quoted": quoted, "code": is_code, "retold": retold,
                   "joins": number > 0 or depth > above > 0}


def own_share(text: str, mine: set[str]) -> float:
    """The share of a sentence's words, or with a fifth off of a clause's, that is among the words."""
    whole, total = share_of(terms_in(text), mine)
    parts = [share_of(terms_in(clause), mine) for clause in re.split(CLAUSES, text)] if total > LONG_SENTENCE else []
    return max([whole, *(OF_CLAUSE * part for part, size in parts if size >= LEAST_OF_CLAUSE)])


def share_of(told: Sequence[Term], mine: set[str]) -> tuple[float, float]:
    """The share of the words' weight that is among the words, and all of it."""
    total = sum(weight for _, weight, _ in told)
    return sum(weight for term, weight, parts in told if term in mine or (
        parts and mine.issuperset(parts))) / total if total else 0.0, total


def entry_of(line: str) -> str:
    """The line without the mark of a list before it."""
    mark, _, rest = line.partition(" ")
    is_mark = mark in ("-", "*", "•") or (mark[:-1].isdigit() and mark[-1] in ".)" and len(mark) < 5)
    return rest.lstrip() if is_mark and rest else line


def is_troubled(text: str) -> bool:
    """Whether the sentence tells of something that does not work: "no errors" is none."""
    words = [word_root(word) for word in words_in_text(text)]
    return any((word in TROUBLE and before not in NONE_OF) or (word in NOT_WORKING and after not in TROUBLE)
               for before, word, after in zip(["", *words], words, [*words[1:], ""]))


def verdict(one: Record, summary: Summary) -> tuple[str, str]:
    """What became of the item: kept, dropped or changed; and the sentence that changed it, or how it was looked for."""
    text, kind = one["text"][:REQUEST_CUT], one["kind"]
    text = text.rpartition(" ")[0] if kind == "value" and len(text) >= VALUE_CUT else text  # half an address is none
    wanted = terms_in(text)
    if is_foreign(text) != summary.foreign:
        small = {term for word in FOREIGN_WORDS for term, _, _ in weighed(word)}
        wanted = [word for word in wanted if word[0] not in small]
        names = [word for word in wanted if word[1] == CODE or (word[0].isascii() and not text.isascii())]
        is_kept = any(summary.shares(words, KEPT) for words in (wanted, names) if words)
        return ("kept", "") if is_kept else ("dropped", OTHER_LANGUAGE)
    if sum(weight for _, weight, _ in wanted) < (LEAST_OF_DECISION if kind == "decision" else 1):
        return "kept", ""  # nothing that could be compared
    if kind == "failure":
        return ("kept" if failure_told(one, summary) else "dropped"), ""
    if kind == "request":
        return ("kept" if request_told(text, wanted, summary) else "dropped"), ""
    if kind in ("rule", "pin", "decision", "value"):
        return verdict_of_rule(one, wanted, summary)
    return ("kept" if any(alike >= ALIKE for _, alike in summary.likely(wanted, SHARE_OF_TASK)) else "dropped"), ""


def request_told(text: str, wanted: list[Term], summary: Summary) -> bool:
    """Whether a window tells much of the request or of a sentence of it, or the whole summary most of its words."""
    parts = [part for part in map(terms_in, re.split(r"[.!?\n]\s", text)) if sum(word[1] for word in part) >= 3]
    within = sum(word[1] for word in wanted if summary.places(word[0], word[2]))
    return within >= IN_ALL * sum(word[1] for word in wanted) or any(
        summary.shares(part, OF_REQUEST) for part in (wanted, *parts))


def verdict_of_rule(one: Record, wanted: list[Term], summary: Summary) -> tuple[str, str]:
    """The same for what may be turned into something else: rules, pins, decisions, values."""
    names, plain = {word[0] for word in wanted}, [word for word in wanted if not has_digit(word[0])]
    rules, by_user, changed = one["kind"] == "rule" and is_ruling(one["text"]), one["who"] == "user", ""
    for place, alike in summary.likely(wanted, SHARE_OF_RULE):
        if alike + (RULING if rules and summary.ruling(place) else 0) < (ALIKE_RULE if rules else ALIKE):
            continue
        text = summary.text(place, names)
        if not (other_value(one["text"], text) or (
                by_user and alike >= VERY_ALIKE and opposite(one["text"], text))):
            return "kept", ""
        changed = changed or text
    valued = len(plain) < len(wanted) and sum(word[1] for word in plain) >= 1
    for place in summary.shares(plain, BESIDE_VALUE) if valued and not changed else ():
        text = summary.text(place, names)
        changed = changed or (text if other_value(one["text"], text) else "")
    changed = changed or (rival(one["text"], wanted, summary) if by_user else "")
    if not changed and any("://" in word[0] for word in wanted):
        changed = next((told["text"] for told in summary.sentences if "://" in told["text"]
                        and other_value(one["text"], told["text"])), "")
    return ("changed", changed) if changed else ("dropped", "")


def rival(text: str, wanted: list[Term], summary: Summary) -> str:
    """The sentence that asks for another tool or style than the rule, about the same; empty when there is none."""
    mine = favoured(text) if any(word[0] in rivals() for word in wanted) else {}
    rest = [word for word in wanted if word[0] not in rivals() and word[1] >= PLAIN]
    about = summary.shares(rest, 0.5) if rest and mine else {}
    for place, one in enumerate(summary.sentences) if mine else ():
        if (not rest or place in about) and is_ruling(one["text"]):
            theirs = favoured(one["text"])
            if any(theirs.get(line, mine[line]).isdisjoint(mine[line]) for line in mine):
                return str(one["text"])
    return ""


def failure_told(one: Record, summary: Summary) -> bool:
    """Whether a window tells the command or its error, best as what does not work."""
    error = re.sub(r":\d+", "", str(one.get("error") or ""))[:ERROR_READ]
    command = [word for word in terms_in(one["text"]) if len(word[0]) > 1]  # no options of one letter
    said = terms_in(error)
    mine = {word for term, _, parts in (*command, *said) for word in (term, *parts)}
    named, told = summary.shares(command, 0), summary.shares(said, 0)
    found = {place: OF_COMMAND * named.get(place, 0) + OF_ERROR * told.get(place, 0) for place in named.keys() | told}
    for place in sorted(found, key=lambda place: -found[place])[:MOST_LIKELY]:
        worth = found[place] + max(own_share(other["text"], mine) for other in summary.window(place))
        is_trouble = worth + OF_TROUBLE >= ALIKE_FAILURE and summary.troubled(place)
        if worth + is_trouble * OF_TROUBLE >= ALIKE_FAILURE or (
                named.get(place, 0) > WHOLE_TEXT and summary.troubled(place)):
            return True
    return False


def invented(summary: Summary, items: Sequence[Record]) -> Iterator[str]:
    """The sentences that give an instruction as the user's that no typed words support."""
    orders = [one for one in map(attributed, summary.sentences) if one[0]]
    said = [text for one in items if one["who"] == "user" or one["kind"] in ("plan", "task", "question")
            for text in (one["text"], one.get("question")) if text] if orders else []
    if not orders or is_foreign(" ".join(said)[:LANGUAGE_READ]) != summary.foreign or any(
            len(text) >= REQUEST_CUT for text in said):
        return  # the words may be there in another language, or in the part that was cut off
    learn(said)
    typed = {word for text in said for term, _, parts in terms_in(text) for word in (term, *parts)}
    for text, told in orders:
        wanted = {term: (weight, parts) for term, weight, parts in terms_in(told)}
        total = sum(weight for weight, _ in wanted.values())
        backed = sum(weight for term, (weight, parts) in wanted.items()
                     if term in typed or (parts and typed.issuperset(parts)))
        least, backing = (1.4, SUPPORTED) if is_steering(text) else (3, WELL_SUPPORTED)
        if total >= least and backed < backing * total:
            yield text


def attributed(sentence: Record) -> tuple[str, str]:
    """The sentence and the instruction in it that it says is the user's; empty when it says no such thing."""
    text, lower = sentence["text"], sentence["text"].lower()
    if not sentence["quoted"] and "user" not in lower and lower.isascii():
        return "", ""
    if sentence["quoted"] and "user messages" in sentence["heading"]:
        start, end = 0, 0
    else:
        start, end = attribution(lower) if not sentence["code"] else (-1, -1)
    steered = lower[start:] if start >= 0 else ""
    for mark in (" - ", " – ", " — ", " (", "; ", ". "):
        steered = steered.partition(mark)[0]
    if (STEERING | WISHING).isdisjoint(words_in_text(steered)) or re.search(NOT_AN_ORDER, lower):
        return "", ""
    return text, f"{text[:start]} {text[end:]}"


def attribution(lower: str) -> tuple[int, int]:
    """Where a sentence in lower case says that its words are the user's, from and to; -1 twice when it does not."""
    for phrase in OF_OTHERS:
        if phrase in lower:
            return lower.index(phrase), lower.index(phrase) + len(phrase)
    at = lower.find("user")
    while at >= 0:
        told = lower[at:at + 60].replace("*", "").split()
        verb = next((word for word in told[1:4] if not word.endswith("ly") and word not in AUXILIARY), "")
        by_name = lower[max(at - 20, 0):at].endswith(("per the ", "according to the ", "as the ")) or (
            at < 6 and told[0].rstrip("s") == "user:")
        if told[0].replace("’", "'").rstrip(",") in PEOPLE and (verb.strip(".,:") in ATTRIBUTING or by_name):
            return at, lower.find(verb, at) + len(verb) if not by_name else at + len(told[0])
        at = lower.find("user", at + 4)
    return -1, -1


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes.
# ==================================================================================================

def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


def as_code(text: str) -> str:
    """The text as inline code that no ticks in it close."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"


# ==================================================================================================
# text/times.py: Moments: from the words that name them, and as a clock shows them.
# ==================================================================================================

def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)", stamp)
    if not match:
        return 0
    year, month, day, hour, minute, second = map(int, match.groups())
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def clock(seconds: float) -> str:
    """The moment as a clock shows it here."""
    try:
        return time.strftime("%H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def moment_named(words: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", words):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()


# ==================================================================================================
# audit/claims.py: The findings of an audit: what a summary claims against commands, files and task list; all findings; their note.
# ==================================================================================================

HEDGES = frozenset("""
    not never no once when if until unless should will would could can must need needs want wants wanted ensure verify
    verifying make sure whether next todo pending plan planned before let lets try run expected expects still yet
    later remaining might may going ideally goal check checks confirm whenever be dont cannot cant hasnt havent wasnt
    werent isnt arent nothing without partially almost except expecting fail fails failing failed user users
""".split())  # with one of these in it a sentence claims nothing
OPEN = frozenset("pending remaining todo next still open unfinished progress".split())
OF_OUTPUT = frozenset(
    "-q -v -vv -x -s -ra --verbose --quiet --silent --no-color --color=always --tb=short --tb=no".split())
WHOLE_RUNS = frozenset("pytest jest vitest rspec tox phpunit mypy ruff".split())  # alone they check everything
LOOKING = r"(?:ls|cat|grep|rg|find|sed|head|tail|echo|mkdir|wc|which|git (?:-C \S+ )?(?:log|diff|status|show|config))\b"
OPEN_HEADINGS = ("pending", "next", "todo", "remaining", "open ", "outstanding", "user messages", "to do")
CHECKS = {  # what a claim or a command is about: words of claims, what stands in commands
    "test": (frozenset("test tests suite specs pytest".split()),
             r"(?<![\w/.])(?:py|c|go)?tests?(?![\w/.-])|\bjest\b|vitest|\btox\b|(?<![\w/.])r?specs?(?![\w/.-])"),
    "build": (frozenset("build builds compiles compilation".split()),
              r"(?<![\w/.])build(?![\w/.-])|compile|\btsc\b|\bmake$"),
    "lint": (frozenset("lint linter linting mypy ruff eslint clippy typecheck".split()),
             r"(?<![\w/.])(?:es|golangci-)?lint(?![\w/.-])|\bruff\b|mypy|clippy|\bvet\b|\btsc\b|type-?check|\bfmt\b")}
NO_CHECKS = ("git ", "gh ", "cp ", "mv ", "rm ")  # the words of a check may stand in their arguments
PASSING = frozenset("pass passes passed passing green succeeds succeeded clean".split())
GOOD = frozenset("ok success successful successfully works working completes completed finished verified confirmed "
                 "fine went done holds".split())  # of a command that is named
NOTHING_WRONG = (r"(?i)\b(?:no|zero|0|without(?: any)?) (?:[a-z]+ )?(?:errors?|failures?|problems?|issues?|warnings?"
                 r"|complaints?|offenses?)\b(?: left| remaining| found)?")
NOT_YET = r"(?i)\W*(?:once|when|if|after|before|until|unless|next)\b"  # how a condition begins
HAPPENED = frozenset("passed succeeded finished completed was were went".split())
NOT_OF_CHECKS = frozenset("about to as through a an the nil none null by over".split())  # "passing a path" is no check
DEEDS = {  # words of a claim; what shows it among the commands
    "committed": r"\bgit\b.*\bcommit\b", "pushed": r"\bgit\b.*\bpush\b|\bgh pr create\b",
    "merged": r"\bgit\b.*\b(?:merge|pull|rebase)\b|\bgh pr merge\b",
    "deployed": r"deploy|kubectl|helm|terraform|rsync|scp ", "published": r"publish|release|twine|upload"}
MERGED_WHAT = frozenset("branch branches pr prs mr main master develop pull upstream request everything".split())
RELATIVE = frozenset(["that", "which", "who", "whose"])
BEFORE_DEED = frozenset(["", "i", "we", "and", "then", "was", "were", "been", "successfully", "already", "now", "just"])
BEHIND_DEED = frozenset(["", *(
    "the all as to in with and everything it this both changes on into these them successfully at via my our".split())])
FINISHED = frozenset("done complete completed finished implemented resolved fixed x ✅ ✓ ✔".split())
FILED = frozenset(["deleted", "removed", "created"])
LEADING_IN = frozenset("the a an old new obsolete newly file folder directory was has have been is now".split())
CLAIMING = (PASSING | GOOD | DEEDS.keys() | FINISHED | FILED
            | {"no", "without", "zero", "0"})  # no claim without one of these
NEARLY_VERBATIM = 0.8  # share of a task's words from which a sentence speaks of the task
MOST_PATHS = 40  # looked up on the disk
NOTE_LIMIT, WORDS_SHOWN = 2_000, 220  # UTF-16 units
LEAST_LINE = 60  # units; no line is shorter
MOST_ALIKE = 6  # findings of a sort and kind that are told: a checklist must not fill the note
JUDGED = ("pin", "rule", "request", "question", "task", "failure", "decision", "value")  # in the note's order
NOTE_HEADER = ("compact-keeper: the summary of this compaction beside what was typed, run and kept. Quotes are the "
               "summary's or as typed.")
LEFT_OUT = {  # how a dropped item is told
    "pin": "Pinned by the user, left out", "rule": "Rule left out (typed {ago})",
    "request": "Request left out (typed {ago})", "question": "Open question to the user left out ({ago})",
    "task": "Open task left out", "failure": "Failing, left out ({ago})", "decision": "Decision left out ({ago})",
    "value": "Value left out ({ago})"}
WHOSE = ("Kept", "Typed")  # words beside a changed one: of others, of the user
ORDER = ("contradicted", "changed", "invented", "dropped", "unproven")


def claims(summary: Summary, items: Sequence[Record], facts: Record) -> Iterator[Record]:
    """What the summary says was done and a fact contradicts, or nothing shows; each fact once."""
    told = [one for one in summary.sentences if not (one["code"] or one["quoted"])]
    stated = [one["text"] for one in told if not (
        one["retold"] or is_open(one) or CLAIMING.isdisjoint(words_in_text(one["text"])))]
    runs = Runs(items, told)
    tasks = unfinished(items, told)
    files = [one for text in stated for one in named_files(text)]
    looked_up = {one for one in files[:MOST_PATHS] if (one[0], not one[1]) not in files}
    seen: set[str] = set()
    for text in stated:
        found = [*passed(text, runs), *deeds(text, runs, facts), *ended(text, tasks)]
        for path, is_made in looked_up.intersection(named_files(text)):
            found += [("contradicted", fact)] if (fact := facts["file"](path, is_made)) else []
        for what, fact in found:
            if fact not in seen:
                seen.add(fact)
                yield {"what": what, "kind": "claim", "text": text, "fact": fact}


class Runs:
    """The session's commands, the errors of those that fail, and what the summary itself tells of failing checks."""

    def __init__(self, items: Sequence[Record], told: Sequence[Record]) -> None:
        """Of the session's items, and of the summary's sentences that state something."""
        self.commands = [(at_work(one), one) for one in items if one["kind"] == "command"]
        self.errors = {one["key"]: text_of(one, "error") for one in items if one["kind"] == "failure"}
        self.told = told

    def admitted(self, subject: str) -> bool:
        """Whether the summary says somewhere that such a check fails."""
        about = CHECKS[subject][0] if subject else frozenset[str]()
        return any(not about.isdisjoint(words) and ("fails" in words or "failing" in words)
                   for words in (words_in_text(one["text"]) for one in self.told))

    def matching(self, pattern: str) -> list[Record]:
        """The commands in which the pattern is, but not those that only look."""
        return [one for text, one in self.commands if re.search(pattern, text[:300]) and not re.match(LOOKING, text)]

    def of_command(self, name: str) -> list[Record]:
        """The runs of the command that was named: of itself, else, where it has two words, of those that go on so."""
        exact = tuple(f"{name} {mark}" for mark in ("-", "|", ">", "2>", "&&", ";"))
        return ([one for text, one in self.commands if text == name or text.startswith(exact)]
                or [one for text, one in self.commands if " " in name and text.startswith(f"{name} ")])

    def of_check(self, subject: str) -> list[Record]:
        """The commands that check that."""
        return [one for one in self.matching(CHECKS[subject][1]) if not at_work(one).startswith(NO_CHECKS)]

    def failed(self, last: Record) -> str:
        """What tells of a failed run."""
        error = text_of(last, "error") or self.errors.get(last["key"], "")
        told = f"Last run of {as_code(at_work(last)[:100])} failed at {local_clock(last['last'])}"
        return f"{told}: {in_quotes(error)}" if error else told


@lru_cache(maxsize=512)
def clauses(text: str) -> list[str]:
    """The parts of a sentence that say something is so, without those that are negated, planned or conditional."""
    if re.match(NOT_YET, text) and HAPPENED.isdisjoint(words_in_text(text)):
        return []
    return [part for part in re.split(r"[,;] | but ", re.sub(NOTHING_WRONG, "clean", text))
            if HEDGES.isdisjoint(words_in_text(re.sub(r"`[^`]*`", " ", part)))]


def passed(text: str, runs: Runs) -> Iterator[tuple[str, str]]:
    """For each check that the sentence calls passed: that its last run failed, or that none was seen."""
    parts, named = clauses(text), re.findall(r"`([^`]{4,80})`", text)
    if len(named) == 1:
        parts = [f"`{named[0]}` {', '.join(parts)}"]  # "`x`: 41 tests, all green"
    for part in parts:
        words, about = words_in_text(re.sub(r"`[^`]*`", " ", part)), ""
        found = [one for name in named if f"`{name}`" in part for one in runs.of_command(name)]
        if not named and (about := check_called_good(part)):
            found = runs.of_check(about)
        last = max(found, key=lambda one: str(one["last"]), default=None)
        is_good = about or not PASSING.isdisjoint(words) or not GOOD.isdisjoint(words)
        if is_good and last and last.get("ok") is False and not runs.admitted(about):
            yield "contradicted", runs.failed(last)
        elif about and not last:
            yield "unproven", f"no {about} command was seen"


def check_called_good(clause: str) -> str:
    """Which of CHECKS the clause calls passed; empty for none."""
    words = words_in_text(clause)
    good = [place for place, word in enumerate(words) if word in PASSING and words[place - 1] != "to"
            and NOT_OF_CHECKS.isdisjoint(words[place + 1:place + 2])]
    return next((name for name, (about, _) in CHECKS.items() for place, word in enumerate(words)
                 if word in about and any(abs(place - other) < 6 for other in good)), "")


def deeds(text: str, runs: Runs, facts: Record) -> Iterator[tuple[str, str]]:
    """For a commit, push, merge or deployment that the sentence tells: that no command or log shows it."""
    for clause in clauses(text) if not DEEDS.keys().isdisjoint(words_in_text(text)) else ():
        words = ["", *words_in_text(re.sub(r"`[^`]*`", " the ", clause)), ""]
        for place, deed in enumerate(words):
            told = (deed in DEEDS and words[place - 1] in BEFORE_DEED and words[place + 1] in BEHIND_DEED
                    and RELATIVE.isdisjoint(words) and not (deed == "merged" and MERGED_WHAT.isdisjoint(words)))
            found = runs.matching(DEEDS[deed]) if told else []
            last = max(found, key=lambda one: str(one["last"]), default=None)
            if last and not any(one.get("ok") for one in found):
                yield "contradicted", runs.failed(last)
            elif told and not last and not (deed in ("committed", "merged") and facts["commits"]()):
                yield "unproven", f"no command was seen that {deed} anything"


def named_files(text: str) -> Iterator[tuple[str, bool]]:
    """The files that a sentence calls deleted or created, each with whether it was created."""
    if FILED.isdisjoint(words_in_text(text)) or not clauses(text):
        return
    told = text.replace("`", "").replace("*", "").split()
    for place, word in enumerate(told):
        plain = word.lower().strip("(),.;:")
        if plain not in FILED:
            continue
        behind = next((at for at in range(place + 1, len(told)) if told[at].lower() not in LEADING_IN), len(told))
        between = {word.lower().strip("(") for word in told[1:place]}
        if behind < len(told) and is_path(told[behind]) and ends_there(told, behind):
            yield told[behind].rstrip(",.;:)"), plain == "created"
        elif place and is_path(told[0]) and between <= LEADING_IN and ends_there(told, place):
            yield told[0].rstrip(",.;:)"), plain == "created"


def is_path(word: str) -> bool:
    """Whether the word looks like a file: a folder before it or an ending behind."""
    name = word.rstrip(",.;:)").rpartition("/")[2]
    stands = name.rpartition(".")[2].isalnum() and "." in name[1:]
    return (stands or "/" in word) and not any(map(word.__contains__, ("(", "//", "<", "*", "{", "=", "$", '"')))


def ends_there(told: Sequence[str], place: int) -> bool:
    """Whether nothing behind the word belongs to it: "removed x.py imports" does not tell of a file."""
    behind = told[place + 1].lower() if place + 1 < len(told) else "-"
    return told[place][-1] in ",.;:)" or behind in ("-", "–", "—", "and", "as", "because", "with") or behind[0] == "("


def unfinished(items: Sequence[Record], told: Sequence[Record]) -> list[tuple[str, set[str]]]:
    """The open tasks that the summary does not list as open, each with its words."""
    tasks = [(one["text"], {term for term, _, _ in terms_in(one["text"])}) for one in items if is_open_task(one)]
    still = [{term for term, _, _ in terms_in(one["text"])} for one in told
             if tasks and (is_open(one) or not OPEN.isdisjoint(words_in_text(one["text"])))]
    return [(text, words) for text, words in tasks
            if len(words) > 1 and not any(len(words & other) >= KEPT * len(words) for other in still)]


def ended(text: str, tasks: Sequence[tuple[str, set[str]]]) -> Iterator[tuple[str, str]]:
    """For each open task that the sentence calls done, what the task list says."""
    words = {*words_in_text(text)}
    if tasks and not FINISHED.isdisjoint(words) and clauses(text):
        about = {term for term, _, _ in terms_in(text)}
        yield from (("contradicted", f"The task list has it open: {in_quotes(task)}")
                    for task, wanted in tasks if len(wanted & about) >= NEARLY_VERBATIM * len(wanted))


def is_open(sentence: Record) -> bool:
    """Whether the sentence stands under a heading of what is still to be done, or of what the user said."""
    return any(part in sentence["heading"] for part in OPEN_HEADINGS)


def is_open_task(one: Record) -> bool:
    """Whether the item is a task that is not done."""
    return bool(one["kind"] == "task" and one["status"] not in ("completed", "cancelled"))


def live(items: Sequence[Record]) -> list[Record]:
    """The items that a summary should tell of, as the note orders them, of a kind the newest first."""
    requests = [one for one in items if one["kind"] == "request" and one["status"] == "open"]
    newest = max(requests, key=lambda one: int(one["position"]), default=None)
    failing = {first_word(one) for one in items if one["kind"] == "failure"}
    passes = [one for one in items if one["kind"] == "command" and one.get("ok") and first_word(one) in failing]

    def counts(one: Record) -> bool:
        """Whether a summary should tell of the item."""
        if one["kind"] == "failure":
            return (one["status"] == "open" and not re.match(LOOKING, at_work(one))
                    and not any(later["last"] >= one["last"] and covers(later, one) for later in passes))
        told = {"request": one is newest, "task": is_open_task(one), "question": one["status"] == "open"}
        return bool(told.get(one["kind"], one["kind"] in JUDGED))

    return sorted(filter(counts, items), key=lambda one: (JUDGED.index(one["kind"]), -one["position"]))


def covers(passing: Record, failing: Record) -> bool:
    """Whether a command that passes shows that the failing one is overcome.

    It does when it ran all that the other did, as it narrows less; of git and its like, when it did the same again.
    """
    theirs, mine = at_work(passing).split(), at_work(failing).split()
    if at_work(failing).startswith(NO_CHECKS):
        return theirs[:2] == mine[:2]
    less = frozenset(theirs) - OF_OUTPUT
    return theirs[:1] == mine[:1] and less <= frozenset(mine) and (len(less) > 1 or not less.isdisjoint(WHOLE_RUNS))


def first_word(command: Record) -> str:
    """The program that a command runs."""
    return at_work(command).partition(" ")[0]


def at_work(command: Record) -> str:
    """The command without the folder that it went to first."""
    text = str(command["text"])
    while text.startswith("cd ") and " && " in text:
        text = text.partition(" && ")[2]
    return text


def local_clock(stamp: str) -> str:
    """The local time of day of a moment."""
    return time.strftime("%H:%M", time.localtime(moment(stamp)))


def ago(stamp: str, now: str) -> str:
    """How long before the session's last entry, told as the compaction, that was."""
    minutes = (moment(now) - moment(stamp)) // 60 if stamp and now else -1
    if minutes < 1:
        return "just before the compaction" if minutes == 0 else "before the compaction"
    return f"{minutes if minutes < 120 else minutes // 60} {'min' if minutes < 120 else 'h'} before the compaction"


def findings(text: str, items: Sequence[Record], facts: Record) -> list[Record]:
    """What became of every live item, and what the summary invents or claims: {what, kind, text, …}.

    Asked of facts: `file` tells what the disk says against a path's being created (else deleted), `commits` whether
    there were any since the session began.
    """
    summary, judged = Summary(text), live(items)
    learn([one["text"] for one in judged])
    claimed = list(claims(summary, items, facts))
    contradictions = " ".join(one["fact"] for one in claimed if one["what"] == "contradicted")
    found = claimed + [{"what": "invented", "kind": "instruction", "text": told} for told in invented(summary, items)]
    changes: set[str] = set()
    for one in judged:
        what, said = verdict(one, summary)
        changes.update([one["text"]] if what == "changed" else [])
        if not (what == "dropped" and (one["text"][:80] in contradictions or one["text"] in changes)):  # told already
            found.append({**one, "what": what, "said": said})
    return found


def audit_counts(found: Iterable[Record]) -> Record:
    """How many findings there are of each sort, and of each sort and kind."""
    counts = dict.fromkeys(("kept", "dropped", "changed", "invented", "contradicted", "unproven"), 0)
    kinds: dict[str, int] = {}
    for one in found:
        counts[one["what"]] += 1
        kinds[f"{one['kind']} {one['what']}"] = kinds.get(f"{one['kind']} {one['what']}", 0) + 1
    return {**counts, "kinds": kinds}


def line_of(one: Record, now: str, quote: Callable[[str, int], str]) -> str:
    """The line that tells a finding; the summary's words go through `quote`, an item's are safe from the start."""
    what, own = one["what"], " ".join(one["text"].split())
    own = own if len(own) <= WORDS_SHOWN else own[:WORDS_SHOWN] + "…"
    if what == "dropped":
        error = f" said: {in_quotes(text_of(one, 'error'))}" if text_of(one, "error") else ""
        how = f" {one['said']}" if one["said"] else ""
        return f'- {LEFT_OUT[one["kind"]].format(ago=ago(one["last"], now))}: {in_quotes(own)}{error}{how}'
    if what == "changed":
        theirs = in_quotes(quote(one["said"], WORDS_SHOWN))
        return f"- Changed in the summary: {theirs} {WHOSE[one['who'] == 'user']}: {in_quotes(own)}"
    told = in_quotes(quote(one["text"], WORDS_SHOWN))
    return {"invented": f"- Attributed to the user, found in no typed words that still hold: {told}",
            "contradicted": f"- The summary says: {told} {one.get('fact', '')}",
            "unproven": f"- Claimed, no evidence: {told} ({one.get('fact', '')})"}[str(what)]


def note_of(found: Iterable[Record], now: str, quote: Callable[[str, int], str]) -> tuple[str, list[Record]]:
    """The note for the model, at most NOTE_LIMIT units, and the findings in it with their lines; empty without any."""
    lines, room = [NOTE_HEADER], NOTE_LIMIT - len(NOTE_HEADER)
    told: list[Record] = []
    for one in sorted((one for one in found if one["what"] in ORDER), key=lambda one: ORDER.index(one["what"])):
        alike = sum((one["what"], one["kind"]) == (other["what"], other["kind"]) for other in told)
        line = line_of(one, now, quote) if alike < MOST_ALIKE and room > LEAST_LINE else ""
        size = len(line.encode("utf-16-le", "replace")) // 2 + 1
        if line and size <= room:
            lines.append(line)
            text = one["text"] if "who" in one else quote(one["text"], WORDS_SHOWN)  # an item's is safe
            told.append({"what": one["what"], "kind": one["kind"], "text": text, "line": line,
                         "unless": one.get("unless", [])})
            room -= size
    return "\n".join(lines) if told else "", told


# ==================================================================================================
# client/processes.py: Processes that a script starts: other scripts of ours, whose work it never imports, and a command of the person's.
# ==================================================================================================

INPUT_MAX_BYTES = 60_000  # what a pipe takes before anybody reads it (64 KB)
PAUSE_SECONDS = 0.002  # between two looks whether a process has ended


def script_command(script: str, *arguments: str) -> list[str]:
    """The words that run a script from beside this one; empty where it is not there, or no Python is known.

    Through run_hook.py where that is there too: a script that is started itself is compiled each time (10 ms and more).
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    runner = os.path.join(folder, "run_hook.py")
    path = os.path.join(folder, script)
    if not sys.executable or not os.path.isfile(path):
        return []
    return [sys.executable, "-IS", *([runner, script] if os.path.isfile(runner) else [path]), *arguments]


def start_alone(command: list[str], given: bytes = b"") -> None:
    """Starts the command with that stdin, in a process group of its own, its output nowhere; nobody waits for it.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if command and hasattr(os, "posix_spawn") and len(given) <= INPUT_MAX_BYTES:
        spawned(command, given, is_alone=True)


def run_to_end(command: list[str], given: bytes, patience: float) -> str:
    """Runs the command with that stdin, its output nowhere, for so many seconds; why it did not end, else empty.

    Raises OSError where the system starts no more processes.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return "" if output_by_subprocess(command, given, patience)[1] else f"it took over {patience:.0f} s"
    process = spawned(command, given, is_alone=False)
    until = time.monotonic() + patience
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"it took over {patience:.0f} s"
            time.sleep(PAUSE_SECONDS)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def spawned(command: list[str], given: bytes, is_alone: bool) -> int:
    """The process of the command, with that stdin and its output nowhere."""
    source, into = os.pipe()
    try:
        os.write(into, given)  # first: so no process is ever started whose input does not come
        os.close(into)
        nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        files = [(os.POSIX_SPAWN_DUP2, source, 0), *nowhere]
        if is_alone:
            return os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0)
        return os.posix_spawn(command[0], command, os.environ, file_actions=files)
    finally:
        os.close(source)


def output_of(command: list[str], given: bytes, patience: float, most: int, with_errors: bool = False) -> bytes:
    """What the command prints for this stdin, without the line's end: what came within so many seconds and bytes.

    With `with_errors` what it prints on stderr too.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given, patience, with_errors)[0][:most].rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
             (os.POSIX_SPAWN_DUP2, sink, 2) if with_errors else (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    process = os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0,
                             setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    output = b""
    has_ended = False
    try:
        output, has_ended = exchange(into, given, out, patience, most)
    finally:
        if not has_ended:
            os.killpg(process, signal.SIGKILL)  # not waited for, so there is such a group
    return output.rstrip(b"\r\n")


def exchange(into: int, given: bytes, out: int, patience: float, most: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until = time.monotonic() + patience
    output = b""
    while (left := until - time.monotonic()) > 0 and len(output) < most:
        readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
        if writable:
            given = fed(into, given)
            if not given:
                os.close(into)
                into = -1
        if readable:
            chunk = os.read(out, most)
            if not chunk:
                return output, True
            output += chunk
    return output[:most], False


def outputs_of(commands: Sequence[list[str]], environment: Mapping[str, str], given: bytes, until: float,
               most: int) -> list[bytes | None]:
    """What each of the commands prints, run at once with this environment and stdin, stderr nowhere.

    At most `most` bytes; of so many there may be more. None where the command failed, or had not ended by `until`
    (of time.monotonic): what runs on then is killed. On Windows none is started.
    """
    if not hasattr(os, "posix_spawn"):
        return [None] * len(commands)
    import signal
    # Ended by a signal, this process is to end them first; and only by default are they left to be waited for.
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: sys.exit()),
              signal.SIGCHLD: signal.signal(signal.SIGCHLD, signal.SIG_DFL)}
    processes: list[int] = []  # by the number of their command; 0 once it has come to its end
    outs: dict[int, int] = {}  # from what to read to the command's number
    try:
        for number, command in enumerate(commands):
            process, out = listened_to(command, environment, given)
            processes.append(process)
            outs[out] = number
        outputs = read_all(outs, until, most)
        return [output if output is not None and (len(output) >= most or succeeded(processes, number, until)) else None
                for number, output in enumerate(outputs)]
    except (OSError, ValueError):  # the system starts no more processes; a NUL byte in a word
        return [None] * len(commands)
    finally:
        for out in outs:
            os.close(out)
        for process in filter(None, processes):
            os.kill(process, signal.SIGKILL)  # not waited for, so there is such a process
            os.waitpid(process, 0)
        for number_of_signal, handler in before.items():
            signal.signal(number_of_signal, handler or signal.SIG_DFL)


def listened_to(command: list[str], environment: Mapping[str, str], given: bytes) -> tuple[int, int]:
    """The command's process, in this one's group, and from where its output can be read."""
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    try:
        os.write(into, given[:INPUT_MAX_BYTES])
        os.close(into)
        files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
                 (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        return os.posix_spawn(command[0], command, environment, file_actions=files, setsigdef=[signal.SIGPIPE]), out
    except (OSError, ValueError):
        os.close(out)
        raise
    finally:
        os.close(source)
        os.close(sink)


def read_all(outs: Mapping[int, int], until: float, most: int) -> list[bytes | None]:
    """What comes out of the pipes until they end, at most so many bytes of each; None of one that did not end."""
    import select
    outputs: list[bytes | None] = [None] * len(outs)
    so_far = dict.fromkeys(outs, b"")
    while so_far and (left := until - time.monotonic()) > 0:
        for out in select.select([*so_far], [], [], left)[0]:
            chunk = os.read(out, most)
            so_far[out] = (so_far[out] + chunk)[:most]
            if not chunk or len(so_far[out]) == most:
                outputs[outs[out]] = so_far.pop(out)
    return outputs


def succeeded(processes: list[int], number: int, until: float) -> bool:
    """Whether the process has ended with exit code 0 by that time; its number is then taken out."""
    while True:
        process, status = os.waitpid(processes[number], os.WNOHANG)
        if process:
            processes[number] = 0
            return status == 0
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS / 4)


def fed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: list[str], given: bytes, patience: float,
                         with_errors: bool = False) -> tuple[bytes, bool]:
    """The same where there is no posix_spawn, and whether it came to its end; importing subprocess takes 8 ms."""
    import subprocess
    try:
        ended = subprocess.run(command, input=given, stdout=subprocess.PIPE, timeout=patience, check=False,
                               stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", False
    return ended.stdout, True


# ==================================================================================================
# store/refusal.py: The one exception of ours.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """The path of a folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        torn = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" * bool(torn) + line + "\n").encode("utf-8", "replace"))


def replace_file(path: str, content: bytes) -> None:
    """Replaces the file in one step, for the owner alone; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(content)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


# ==================================================================================================
# store/json_lines.py: Files of JSON lines, ours and the client's: read by place, so that a later reader goes on where this one stopped.
# ==================================================================================================

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER = json.JSONDecoder()


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=BUFFER_BYTES) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_MAX_BYTES)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_MAX_BYTES and (more := file.readline(LINE_MAX_BYTES)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def parse_line(line: bytes) -> list[Record]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values = line.decode("utf-8", "replace").strip(), list[object]()
    try:
        while text and len(values) < OBJECTS_MAX:
            value, end = DECODER.raw_decode(text)
            values.append(value)
            text = text[end:].lstrip()
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_of(path: str, start: int, stop: int) -> Iterator[Record]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = re.compile(rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"')  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists
LEDGERS = ("ledger.jsonl", "ledger.folded.jsonl")


def brought_up(snapshot: Record, data: HookInput, folder: str, stored: Callable[[], Record]) -> tuple[Record, str, str]:
    """The snapshot as of now, why it must not be put back, and what its text is to say of its age; both mostly empty.

    `stored` reads the snapshot again when a save has been made.
    """
    transcript, session = data["transcript_path"], data["session_id"]
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, why_gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, places_read(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = stored()
    if later.get("id") != snapshot.get("id"):
        return later, "", ""
    if not is_kept:
        return later, f"nothing could be saved of the session: {fault or 'the save failed'}", ""
    return later, "", f"(As of {saved_clock(later)}: what came after could not be read.)"


def why_gone(snapshot: Record, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {saved_clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number_or_zero(snapshot.get("created")))
    if age > number_or_zero(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Record, session: str) -> bool:
    """Whether another session's file has taken the place of the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number_or_zero(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    new = bytes_from(transcript, max(begin, about.st_size - FILE_END_MAX_BYTES))
    if session.encode() in new:
        return False
    lines = new.splitlines()[begin < about.st_size - FILE_END_MAX_BYTES:]  # the first may have begun before
    named = {str(record["sessionId"]) for line in lines for record in parse_line(line) if "sessionId" in record}
    return bool(named) and session not in named


def is_behind(snapshot: Record, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = places_read(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number_or_zero(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > NEW_LINES_MAX_BYTES:
        return True
    return bool(COUNTING_LINE.search(bytes_from(transcript, start))) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Record, folder: str) -> bool:
    """Whether the ledger has lines that the snapshot's save had not read; a save renames the file when it was read."""
    places = [place for place in places_read(snapshot, "ledgers").values() if isinstance(place, dict)]
    known = {place.get("inode"): number_or_zero(place.get("offset")) for place in places}
    for name in LEDGERS:
        try:
            about = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if about.st_size > known.get(about.st_ino, 0):
            return True
    return False


def save_now(data: HookInput) -> str:
    """Has save_snapshot.py save the session; why it did not, empty when it came to its end."""
    command = script_command("save_snapshot.py")
    if not command:
        return "save_snapshot.py cannot be started"
    given = {"hook_event_name": "SessionStart", "source": "compact", "session_id": data["session_id"],
             "transcript_path": data["transcript_path"], "cwd": data["cwd"][:PATH_MAX_CHARACTERS]}
    try:
        why = run_to_end(command, json.dumps(given).encode(), SAVE_PATIENCE_SECONDS)
    except OSError as fault:  # as many processes or files as the system allows
        return f"the save could not be started: {fault}"
    return f"the save did not end: {why}" if why else ""


def bytes_from(transcript: str, start: int) -> bytes:
    """The file from that byte on; what another process puts in its place is not waited for."""
    with os.fdopen(os.open(transcript, os.O_RDONLY | NO_WAIT), "rb") as file:
        file.seek(start)
        return file.read(FILE_END_MAX_BYTES)


def places_read(snapshot: Record, name: str) -> Record:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read = snapshot.get("read")
    place = read.get(name) if isinstance(read, dict) else None
    return place if isinstance(place, dict) else {}


def number_or_zero(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def saved_clock(snapshot: Record) -> str:
    """When the snapshot was saved, as a clock shows it here."""
    return clock(number_or_zero(snapshot.get("created")))


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"


def both_ends(text: str, head: int, end: int) -> str:
    """The text; of one with more than `head` and `end` characters the whole lines of its first and its last so many."""
    if len(text) <= head + end:
        return text
    first, _, _ = text[:head].rpartition("\n")
    _, _, last = text[-end:].partition("\n")
    return f"{first}\n{last}"


# ==================================================================================================
# text/secret_patterns.py: What secrets look like: tokens by how they begin or are built, passwords by the words before them.
# ==================================================================================================

PREFIXES = (  # what begins so is a token
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- "
    "glffct- GR1348941 ATBB ATATT3 ATCTT3 xoxa- xoxb- xoxe- xoxe. xoxp- xoxr- xoxs- xapp- sk-ant- sk-proj- "
    "sk-svcacct- sk-admin- sk-or-v1- sk-lf- rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- 1//0 1%2F%2F0 pypi-AgE dop_v1_ "
    "doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ lin_api_ hvs. hvb. AGE-SECRET-KEY-1 eyJ dp.pt. dp.st. figd_ xai- "
    "pplx- ntn_ PMAK- dckr_pat_ dckr_oat_ sb_secret_ glsa_ nvapi- tvly- pcsk_ lsv2_ tgp_v1_ ABSK fo1_ fm2_ HRKU- "
    "pscale_tkn_ pscale_pw_ pscale_oauth_ tskey- CCIPAT_ sgp_ AQVN y0_Ag sq0csp- sq0atp- rzp_live_ xkeysib- NRAK- "
    "NRII- dt0c01. sntryu_ sha256~").split()
UNBROKEN = (  # what begins so may be a name too (`npm_config_x`); a token's body has no joints, but digits or capitals
    "sk- sk_ sk_live_ sk_test_ pk_live_ npm_ hf_ api_org_ gsk_ r8_ fw_ csk- jina_ fc- sbp_ napi_ rnd_ nfp_ cfut_ cfat_ "
    "vcp_ sqp_ squ_ sqa_ bkua_ pul- rubygems_ CLOJARS_ phx_ rdme_ pnu_ sntrys_ key- dapi oy2 cio AKCp cmVmd LTAI AKID "
    "AKIA ASIA API- SK 4b1d EZAK").split()
BUILT = (  # by shape, of which a piece must occur; the rest of the token follows
    (".atlasv1.", r"\w{14}\.atlasv1\."), ("SG.", r"SG\.[\w-]{16,}\."), ("AA", r"\d{8,10}(?::|%3A)AA"),
    ("Q~", r"[\w~.]{3}\dQ~"), ("-us", r"[\da-f]{32}-us(?=\d)"), ("EAAA", r"EAAA(?=\S{50})"),
    ("re_", r"re_\w{8}_(?=\w{20})"), ("tfp_", r"tfp_(?=\S{40})"), ("v1.0-", r"v1\.0-[\da-f]{24}-"),
    ("pat", r"pat\w{14}\.(?=\w{64})"), ("A3-", r"A3-[A-Z\d]{6}-"),
    ("sdk-", r"sdk-(?=[\da-f]{8}-[\da-f-]{27})"), ("access-", r"access-\w+-(?=[\da-f]{8}-[\da-f-]{27})"),
    ("MT", r"MT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("NT", r"NT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("OT", r"OT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("$2", r"\$2[abxy]\$\d\d\$"), ("$6$", r"\$6\$"),
    ("$argon2", r"\$argon2\w{1,2}\$(?:[\w=,]+\$)+"))
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])sig)|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
NEVER = r"(?!\[redacted|[$<*{(%]|(?:true|false|null|same-origin)\b|(?:password|token)[\"'`])"  # no value, or a place
QUOTE = r"\\*[\"'`]"  # in JSON in JSON too
GAP = r"(?:\s|\\+[nrt]){0,9}"
LIKELY = r"(?=[^\s\[]{0,60}\d)(?=[^\s\[]{6})"  # what stands behind a colon may be a sentence
UNLIKELY = (r"(?!\[redacted|[$<*{(%]|\w+\(|\S+\.[a-z]{1,5}\b|v?\d+\.\d|\S*://"  # a call, file, version, address
            r"|(?:sha|md|base|utf|argon|hmac|aes|rsa|[rhe]s|oauth|http|bcrypt|pbkdf)-?\d{1,4}\b)")


def first_of(words: Iterable[str]) -> str:
    """A look at the first letter of these words, ten times as fast as a look for each of them."""
    return f"(?=[{''.join(sorted({word[0] for word in words}))}])"


SECRETS = (  # kind, words of which one must occur before they are tried (in any case with (?i)), patterns
    ("private key", ("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines"),  # whole or torn; as base64; of PuTTY
     r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|\Z)"
     r"|(?:LS0tLS1CRUdJTi|Private-Lines: \d)[\w+/=]*(?:(?:\s|\\n)+[\w+/]{16,}=*)*"),
    ("private key", ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),  # its end alone
     r"(?<![\w+/=])(?:[\w+/]{32,}=*(?:\s|\\n)+){1,60}(?:[\w+/]+=*(?:\s|\\n)+){0,2}"
     r"-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----"),
    ("webhook", ("webhook", "slack"),
     r"(?P<keep>(?:slack\.com(?:/|%2F)\w+?|webhooks|webhookb2)(?:/|%2F))[\w@%-]+(?:/|%2F)(?:\w+(?:/|%2F))?"
     r"[\w-]{16,}(?:(?:/|%2F)[\w-]{16,})*"),
    ("token", PREFIXES,
     rf"{first_of(PREFIXES)}{ALONE}(?:{'|'.join(PREFIXES).replace('.', '[.]')})(?:[\w.=+/-]|%[23][\dA-F]){{15,}}[\w=]"),
    ("token", UNBROKEN,
     rf"{first_of(UNBROKEN)}{ALONE}(?:{'|'.join(UNBROKEN)})"
     r"(?=\w{0,40}(?:\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]{16,}[\w=-]*"),
    ("token", tuple(piece for piece, _ in BUILT),
     rf"{ALONE}(?:{'|'.join(shape for _, shape in BUILT)})[\w.~=+/$-]*[\w=~]"),
    ("url password", ("://",),
     r"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted)(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{16,})(?=@)"),
    ("authorization", ("bearer", "basic", "authorization"),
     r"(?i)(?P<keep>authorization\\*[\"']?\s?[:=]\s?\\*[\"']?(?:[A-Za-z-]{2,16} +)?(?=\S{12})"
     r"|\b(?:bearer|basic) +(?=\S{0,60}\d)(?=\S{12}))(?!\[redacted|[$<*{(%])[^\s\"',;\\]{8,}"),
    ("authorization", ("SSWS 00",), rf"(?P<keep>{ALONE}SSWS )00[\w-]{{18,}}"),  # of Okta
    ("cookie", ("cookie",),
     r"(?i)(?P<keep>cookie\\*[\"']?\s?[:=]\s?\\*[\"']?)(?=[\w.-]+=)(?:[\w.-]+=[^\s;\"']+;?[^\S\n]?)+"),
    ("password", ("curl ", "sshpass ", "mysql", "login", "redis-cli", "mongo", "sqlcmd", "ldap", "htpasswd", "http ",
                  "pass:", "SecureString"),
     r"(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
     r"|sshpass -p ?|mysql[^\n]{0,99}? -p|(?:\b|(?<=\\[nrt]))(?:login|mongo\w{0,9})\b[^\n]{0,200}? -p "
     r"|(?:\b|(?<=\\[nrt]))(?:redis-cli|sqlcmd|ldap\w{1,9})\b[^\n]{0,200}? -[aPw] |htpasswd -\w*b\w* \S+ \S+ "
     r"|-pass(?:in|out)? [\"']?pass:|ConvertTo-SecureString(?: -String)? )"
     r"(?:\\*[\"'])?(?!\[redacted|\$)[^\s\"'\\]{4,}"),
    ("password", (" login", "-stdin", "chpasswd", "sudo -S"),  # echo … | sudo -S, its end may be cut off
     r"(?P<keep>(?:echo|printf) (?:-n )?[\"']?(?:\w+:)?)(?!\[redacted|\$)[^\s\"':]{4,}"
     r"(?=[^\n|]{0,9}\| *(?:sudo -S|chpasswd|(?:[\w-]+ ){1,3}login(?![\w.])|[^\n|]{0,200}--password-stdin))"),
    ("password", (":5432:", ":*:"),  # of .pgpass
     r"(?P<keep>(?<![\w.:-])[\w.*-]+:(?:5432|\*):[^\s:]+:[^\s:]+:)(?!\[redacted)[^\s\"`]{4,}"),
    ("password", NAMES,  # in quotes: "password": "…", token = '…', :secret => "…"
     rf"(?i)(?P<keep>{NAMED}(?:{QUOTE})?[\])]?{GAP}(?::?=>?|:|->){GAP}(?P<quote>{QUOTE})){NEVER}"
     r"(?:(?!(?P=quote))\S){4,}(?=(?P=quote)|\s*\Z)",
     # PASSWORD=…, password: …, | password | …, --token …, <password>…<, "password", "…"
     rf"(?i)(?P<keep>{NAMED}(?:[\"']?(?::?=|%3D)[\"']?"
     rf"|[\"'*_`]{{0,3}}(?::|\s?\|)[*_]{{0,2}}{GAP}(?:[|>][-+]?{GAP})?[`\"']?{LIKELY}"
     rf"|\s=\s(?=[^\s(){{}}\[\],;'\"`\\]{{8,}}(?:,?[\s\"`\\]|\Z)){LIKELY}|>(?=[^<>\s]{{4,}}</)"
     rf"|{QUOTE}(?:, ?| value=){QUOTE}{LIKELY})"
     rf"|(?<!\w)--?(?:\w{{1,20}}[-_]){{0,2}}{NAMED}[ =](?:\\{{1,9}}\s{{0,9}}(?:\\{{0,9}}n\s{{1,9}})?)?(?:{QUOTE})?"
     rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|configure set \S{{0,40}}{NAMED} +"
     rf"|\b(?:login|user)\s+\S+\s+password\s+|\b(?:identified by|password)\s+'){NEVER}"
     r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}",
     # my password is …, das Passwort für x lautet …, set the token to …, password …
     rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
     rf"(?:is|ist|lautet|est|es|é|è|jest)[^\S\n:]{{1,2}}[\"'`]?| to [\"'`]?"
     r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
     rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]"),
)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINTS = {hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints}
FIRST_LOOK = [hint for hint in HINTS if not any(other in hint for other in HINTS if other != hint)]
SHORTEST = 16  # characters; no token of any family is shorter


@lru_cache(maxsize=4_096)  # most words of a session were seen before
def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word."""
    return any(map(word.__contains__, TOKEN_HINTS))


def patterns_for(text: str) -> Iterator[tuple[str, str]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced."""
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens = " ".join(filter(may_hold_token, words))
    if tokens or any(map(lower.__contains__, FIRST_LOOK)):
        for kind, hints, *patterns in SECRETS:
            where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
            if any(map(where.__contains__, hints)):
                yield from ((kind, pattern) for pattern in patterns)


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    for kind, pattern in patterns_for(text):
        text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


# ==================================================================================================
# text/sanitize.py: Text without what a reader does not see, and without what the client or a model could take for a tag of theirs.
# ==================================================================================================

TEXT_MAX_CHARACTERS = 100_000  # what is longer is a pasted log: its beginning is kept
# Control sequences and the carriers of hidden text.
HIDDEN = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\uffff].)")
# Opening brackets, look-alikes among them, before the names that the client gives its tags, or letters that pass for
# Latin ones.
TAG = (
    r"(?i)[<\ufe64\uff1c](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
    r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
    r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")


def clean(text: str) -> str:
    """The text, of a long one its beginning, without hidden characters and lone surrogates; tags are disarmed."""
    if len(text) > TEXT_MAX_CHARACTERS:
        text = "".join(text[:TEXT_MAX_CHARACTERS].rsplit(None, 1)[:1])  # no half of a word
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = re.sub(HIDDEN, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAG, "‹", text) if "<" in text or not text.isascii() else text


# ==================================================================================================
# text/quotation.py: Words of others on one line, so that they can stand in a store or a text of ours.
# ==================================================================================================

@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    text = quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + text
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > LOG_MAX_BYTES:
            os.replace(path, path + ".1")
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def place_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


# ==================================================================================================
# client/hook.py: What a hook is given on stdin, and how it ends.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


def read_input() -> HookInput:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_MAX_BYTES + 1)
    data: Any = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_MAX_BYTES else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: usable_path(text_of(data, name)) for name in ("transcript_path", "cwd")}
    checked: Any = {**data, **paths, "hook_event_name": text_of(data, "hook_event_name")}
    given: HookInput = checked
    return given


def usable_path(path: str) -> str:
    """The path when a file can be opened by it; else empty."""
    is_usable = os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
    return path if is_usable else ""


def print_answer(event: str, output: Record, **for_the_client: str) -> None:
    """Prints the hook's answer at this event: `additionalContext` in `output` is what the model is to read."""
    answer = {**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}}
    os.write(1, json.dumps(answer).encode())


def run_hook(body: Callable[[HookInput], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0


# ==================================================================================================
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def beginning(path: str, size: int) -> bytes:
    """At most so many bytes of a regular file; none of anything else, and nothing is waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return b""


def end_of(path: str, size: int) -> bytes:
    """The file's last so many bytes; none where it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, Refusal):
        return b""


# ==================================================================================================
# machine/repository.py: The repository that a folder is in: its branch, commit and working tree, read from .git; git itself is not started.
# ==================================================================================================

GIT_LINE_MAX_BYTES = 4_096  # of HEAD, a ref, commondir, a .git that is a file
PACKED_REFS_MAX_BYTES = 16 << 20
SYMREFS_MAX = 5  # refs that name another ref, one after the other; git stops there too
REF_OF_REFTABLE = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable


def repository(folder: str) -> RepositoryState:
    """Branch, commit and working tree of the folder's repository; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is handed on as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))  # only a linked worktree has it: its refs are elsewhere
    ref, commit = ref_and_commit(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == REF_OF_REFTABLE else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top, "linked": bool(common)}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        above = os.path.dirname(top)
        if above == top:
            return "", ""
        top = above
    git = os.path.join(top, ".git")
    elsewhere = first_line(git).partition("gitdir: ")[2]  # in a linked worktree or a submodule .git is a file
    return top, os.path.join(top, elsewhere or git)


def ref_and_commit(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS_MAX):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed_commit(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def packed_commit(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when the ref is not there."""
    text = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES)
    before, name, _ = text.partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if name else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
OLD_ENDING = ".1"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), "events.jsonl")
    if size_of(path) > EVENTS_MAX_BYTES:
        rotate(path)
    append_line(path, json.dumps(line))


def rotate(path: str) -> None:
    """Sets the file aside; the one that was set aside before goes."""
    try:
        os.replace(path, f"{path}{OLD_ENDING}")
    except FileNotFoundError:  # another hook has just done it
        return


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def restore_line(snapshot: Record, shown: Sequence[Line], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units."""
    lines = [{"kind": line["items"][0]["kind"] if line["items"] else "fact", "section": line["section"],
              "line": line["text"]} for line in shown]
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   lines=lines)


def audit_line(number: str, findings: Iterable[Record]) -> str:
    """The line for an audited summary: what it dropped, changed, invented or claimed."""
    worth_keeping = [finding for finding in findings if finding["what"] != "kept"][:FINDINGS_MAX]
    return as_line("audit", id=number, found=[
        {"what": finding["what"], "kind": finding["kind"], "text": words_of_finding(finding)}
        for finding in worth_keeping])


def words_of_finding(finding: Record) -> str:
    """The finding's words on one line; an item's are safe from the start, the summary's are not."""
    if "who" in finding:
        return " ".join(finding["text"].split())[:FINDING_MAX_CHARACTERS]
    return quote(finding["text"], FINDING_MAX_CHARACTERS)


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)


# ==================================================================================================
# store/json_files.py: JSON files of ours.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


def replace_store(path: str, data: Record) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before."""
    replace_file(path, json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False).encode("utf-8", "replace"))


# ==================================================================================================
# store/marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

def take_mark(folder: str, series: str, name: str, text: str = "") -> bool:
    """Whether this process was the first to make the mark `<series><name>`, which keeps the text.

    Where the series ends with a dash, its earlier marks go.
    """
    mark = f"{series}{name}"
    try:
        handle = os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            if text:
                file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    except OSError:  # a full disk costs the audit this text, not the model its recap
        pass
    if series.endswith("-"):
        for other in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
            if other.startswith(series) and other != mark:
                os.unlink(os.path.join(folder, other))
    return True


# ==================================================================================================
# store/note.py: note.json of a session: what the model is to be told of a summary, once.
# ==================================================================================================

NOTE_MAX_UTF16 = 2_000


def take_note(folder: str) -> str:
    """The text of the note that waits in the session's folder, for the one process that renames it; else empty.

    Two installations, or two hooks of one event, hand it over once.
    """
    path = os.path.join(folder, "note.json")
    if not os.path.exists(path):
        return ""
    try:
        os.replace(path, f"{path}.given")
    except FileNotFoundError:
        return ""
    note = read_store(f"{path}.given")
    return cut(clean(without_delivered(note, delivered_text(folder, text_of(note, "id")))), NOTE_MAX_UTF16)


def delivered_text(folder: str, number: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    try:
        text = text_of(read_store(os.path.join(folder, f"delivered-{os.path.basename(number)}")), "text")
    except (OSError, Refusal):
        text = ""
    return " ".join(text.split())


def without_delivered(note: Record, delivered: str) -> str:
    """The note's text without the lines of findings whose words (`unless`) were put back; empty when none is left.

    Only here is it known: PostCompact, which writes the note, may come before or after what is put back.
    """
    findings = [finding for finding in list_in(note, "findings") if isinstance(finding, dict)]
    gone = {text_of(finding, "line") for finding in findings if any_in(delivered, list_in(finding, "unless"))}
    lines = [line for line in text_of(note, "text").split("\n") if line not in gone]
    is_all_gone = bool(gone) and gone == {text_of(finding, "line") for finding in findings}
    return "\n".join(lines[1:] if is_all_gone else lines).strip("\n")  # the first line says what the findings are


def any_in(text: str, any_words: list[Any]) -> bool:
    """Whether any of the words stand in the text."""
    return any(isinstance(words, str) and words and words in text for words in any_words)


def list_in(data: Record, name: str) -> list[Any]:
    """The list in a field of what was read from disk; empty when there is none."""
    value = data.get(name)
    return value if isinstance(value, list) else []


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

def add_to_ledger(session: str, event: LedgerEvent, started: float) -> str:
    """Adds the event, without fields that say nothing; the session's folder.

    `started` is the value of perf_counter when the script was loaded: the line says how long the hook took.
    """
    folder = private_folder("sessions", session)
    line = {"schema": SCHEMA, "time": timestamp(time.time()), **event}
    fields = {name: value for name, value in line.items() if value not in ("", None)}
    fields["hook_ms"] = round((time.perf_counter() - started) * 1000, 1)
    append_line(os.path.join(folder, "ledger.jsonl"), json.dumps(fields, ensure_ascii=False))
    return folder


def timestamp(seconds: float) -> str:
    """The moment as the transcript writes it: UTC, milliseconds, sortable as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
NAMES_LOGGED_MAX = 20
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (9_000, (500, 9_500)),
    "max_items": (800, (20, 2_000)),
    "ttl_minutes": (10, (1, 1_440)),
    "retention_days": (30, (1, 3_650)),
    "tail_bytes": (8 << 20, (64 << 10, 64 << 20)),
    "instructions": (True, ()),
    "gate": ("off", ("off", "hold")),
    "gate_holds": (2, (0, 20)),
    "gate_max": (0.90, (0.0, 0.95)),
    "archive": (True, ()),
    "archive_days": (180, (1, 36_500)),
    "archive_mb": (1_024, (1, 1 << 20)),
    "recall_note": (True, ()),
    "notes": (True, ()),
    "transcript_backup": ("off", ("off", "gzip")),
}
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def default_settings() -> Record:
    """The settings where no file sets any."""
    return {name: default for name, (default, _) in SETTINGS.items()}


def settings_for(project: str) -> Record:
    """The settings in force in the project; what a file sets and cannot is named in the log."""
    return settings_of(project, log)


def settings_of(project: str, complain: Callable[[str], None]) -> Record:
    """The settings of the two files over the defaults; what is not taken is said to `complain`."""
    settings = default_settings()
    own = os.path.join(data_home(), "config.json")
    of_project = os.path.join(project, ".claude", "compact-keeper.json")
    for path, allowed in ((own, tuple(SETTINGS)), (of_project, OF_A_PROJECT)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        usable = {name: value for name, value in values.items() if name in allowed and is_usable(name, value)
                  and (path == own or name not in OFF_ONLY or value is False)}
        settings.update(usable)
        rest = [name for name in values if name not in usable and name != "schema"]
        if rest:
            names = ", ".join(rest[:NAMES_LOGGED_MAX])
            complain(f"{path}: not used, no setting here or not of a usable value: {names}")
    return settings


def read_settings(path: str, complain: Callable[[str], None]) -> Record:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(f"{path} is not used: {fault}")
        return {}


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]


# ==================================================================================================
# store/pins.py: Pins: words of the person that come first and whole in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
PINS_SHARE = 0.38  # of the recap's budget
LINE_AROUND_UTF16 = 60  # of a pin's line in the recap, beside its words


def pins_in(folder: str, project: str) -> list[Record]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times."""
    home = os.path.dirname(os.path.dirname(folder))
    paths = [path for path in (os.path.join(folder, PINS_FILE), os.path.join(home, PINS_FILE)) if os.path.isfile(path)]
    lines = [line for path in paths for line in records_of(path, 0, PINS_FILE_MAX_BYTES)
             if line.get("project", project) == project]
    gone = {str(line["gone"]) for line in lines if "gone" in line}
    pins = [line for line in lines if text_of(line, "text").strip() and pin_name(line) not in gone]
    return sorted(pins, key=lambda pin: (str(pin.get("time")), str(pin.get("id"))))  # the id tells the nanosecond


def pin_name(pin: Record) -> str:
    """The name by which a later line ends the pin: its id; the time of one that was written by hand."""
    return str(pin.get("id") or pin.get("time"))


def pin_items(pins: Iterable[Record]) -> list[Record]:
    """The pins as items of a snapshot, their words made safe to show; they have no place in the session and no age."""
    at = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


class Pinning:
    """The pins of one session."""

    def __init__(self, session: str, project: str) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, "snapshot.json")), "project") or project

    def in_force(self) -> list[Record]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, self.project)

    def note(self, is_project: bool, **fields: str) -> None:
        """A line in the session's file, or in that of all sessions."""
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **fields,
                **({"project": self.project} if is_project else {})}
        append_line(os.path.join(data_home() if is_project else self.folder, PINS_FILE),
                    json.dumps(line, ensure_ascii=False))

    def check_room(self, text: str) -> None:
        """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
        most = int(PINS_SHARE * settings_for(self.project)["budget"])
        taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in self.in_force())
        if taken + units(text) + LINE_AROUND_UTF16 > most:
            raise Refusal(
                f"no room for a pin of {units(text):,} characters: {most:,} come back whole, and {taken:,} of them are "
                "taken; take a pin off first (unpin NUMBER), or pin fewer words")

    def add(self, typed: str) -> str:
        """Pins the words; returns what to tell of it. Raises Refusal where there are none, or no room for them."""
        wide = re.match(r"--project(?:\s+|\Z)", typed)
        text = redact(clean(typed[wide.end():] if wide else typed)).strip()
        if not text:
            raise Refusal("nothing to pin: type the words behind the command")
        if any(pin["text"] == text for pin in self.in_force()):
            return "That is pinned already."
        self.check_room(text)
        self.note(bool(wide), id=f"{time.time_ns():x}", text=text)
        return "Pinned; it comes first in what is put back after each compaction."

    def remove(self, typed: str) -> str:
        """Takes off the pin of that number; returns what to tell of it. Raises Refusal for a number that no pin has."""
        pins, number = self.in_force(), re.fullmatch(r"#?(\d{1,4})", typed)
        if not number or not 0 < int(number[1]) <= len(pins):
            raise Refusal(f"{typed[:40]!r} is no pin's number")
        pin = pins[int(number[1]) - 1]
        self.note("project" in pin, gone=pin_name(pin))
        return f"Not pinned any more: {in_quotes(pin['text'])}"

    def listed(self) -> str:
        """The pins that hold, numbered, each with where it holds."""
        everywhere = " (in every session of this folder)"
        rows = [f"{number}. {in_quotes(pin['text'])}{everywhere if 'project' in pin else ''}"
                for number, pin in enumerate(self.in_force(), 1)]
        return "\n".join(["Pins of this session:", *rows] if rows else ["Nothing is pinned."])


# ==================================================================================================
# the script: Audit the summary that a compaction wrote: what it dropped, changed, invented or claimed without proof.
# ==================================================================================================

FILE_END_BYTES = 64 << 10  # what came after the save stands at the end of a file
WORDS_COMPARED_CHARACTERS = 100  # of an item, by which it is found in what was put back
NUMBER = re.compile("[0-9a-f]{8,20}")  # a compaction's


def audit(data: HookInput) -> None:
    """The hook: compares the summary with the session's memory and leaves the note for the model."""
    summary, started = text_of(data, "compact_summary"), time.time()
    if data["hook_event_name"] != "PostCompact" or text_of(data, "agent_id") or not summary.strip():
        return
    if not os.path.isdir(os.path.join(data_home(), "sessions", data["session_id"])):
        return
    folder = private_folder("sessions", data["session_id"])
    compaction = read_store(os.path.join(folder, "compaction.json"))
    if compaction.get("stage") == "a subagent's":
        return  # the client named no agent_id; restore_snapshot.py, which runs before, found out
    snapshot = snapshot_of_compaction(data, folder, compaction)
    memory = snapshot or read_store(os.path.join(folder, "memory.json"))  # the snapshot holds the same items
    note_path = os.path.join(folder, "note.json")
    read_store(note_path)  # refuses to replace what a later version wrote
    number = str(snapshot.get("id") or memory.get("position"))  # the delivered text's, where it has gone out
    if not memory or not take_mark(folder, "audited-", number):
        return
    append_line(os.path.join(folder, "unasked"), number)  # the next prompt is the first after the compaction
    results = audited(data, folder, summary, memory, text_of(snapshot, "project"))
    note, lines = note_for(folder, number, results, memory)
    if lines:
        replace_store(note_path, {
            "session": data["session_id"], "id": number, "time": started, "text": note, "findings": lines})
    elif os.path.lexists(note_path):
        os.unlink(note_path)
    note_event("audit", data["session_id"], time=started, **audit_counts(results), units=units(note),
               ms=int((time.time() - started) * 1000))
    append_line(os.path.join(folder, HISTORY_FILE), audit_line(number, results))


def snapshot_of_compaction(data: HookInput, folder: str, compaction: Record) -> Record:
    """The session's snapshot under the compaction's id; as of now also where nothing has been put back yet."""
    path = os.path.join(folder, "snapshot.json")
    snapshot, number = read_store(path), text_of(compaction, "id")
    earlier = compaction["earlier"] if isinstance(compaction.get("earlier"), dict) else {}
    last = text_of(earlier, "id")  # the next compaction may be prepared already when this one's PostCompact comes
    if NUMBER.fullmatch(last) and not os.path.exists(os.path.join(folder, f"audited-{last}")):
        number = last
    elif compaction.get("stage") == "begun":  # PostCompact came before SessionStart, or nothing is put back
        snapshot = brought_up(snapshot, data, folder, lambda: read_store(path))[0]
    if not snapshot:
        return {}
    return {**snapshot, "id": number} if NUMBER.fullmatch(number) else snapshot


def audited(data: HookInput, folder: str, summary: str, memory: Record, project: str) -> list[Record]:
    """What became of the session's items in the summary, and what the summary says besides."""
    root, cwd = text_of(memory["state"], "root"), data["cwd"] or text_of(memory["state"], "cwd")
    items = memory["items"] + items_since(folder, root, project)
    began = memory["items"][0]["first"] if memory["items"] else memory["time"]
    return findings(summary[:TEXT_MAX_CHARACTERS], items, {
        "file": lambda path, is_made: file_fact(cwd, items, path, is_made),
        "commits": lambda: bool(cwd) and has_commits_since(cwd, moment(began))})


def note_for(folder: str, number: str, results: Sequence[Record], memory: Record) -> tuple[str, list[Record]]:
    """The note and its lines, without what was put back; a line on what was dropped says by which words that is seen.

    Where nothing was put back yet, what is then is taken out when the note is handed over.
    """
    folders = [text_of(memory["state"], name) for name in ("root", "cwd")]
    text = delivered_text(folder, number)
    lines = []
    for result in results:
        words = words_to_look_for(result, folders) if result["what"] == "dropped" else []
        if not any(part in text for part in words):
            lines.append({**result, "unless": words})
    return note_of(lines, memory["time"], quote)


def words_to_look_for(item: Record, folders: Sequence[str]) -> list[str]:
    """The beginnings of the item's words, or of its command as seen from the working folder, any of which tells it."""
    texts = [" ".join(item["text"].split()), *([item["key"]] if item["kind"] == "failure" else [])]
    for folder in filter(None, folders):
        texts = [text.replace(f"{folder}/", "") for text in texts]
    return [text[:WORDS_COMPARED_CHARACTERS] for text in texts if text]


# --- what came after the save ---


def items_since(folder: str, root: str, project: str) -> list[Record]:
    """What came after the save: commands of the ledger with how they ended, typed prompts; pins."""
    items = pin_items(pins_in(folder, project))
    for line in end_of(os.path.join(folder, "ledger.jsonl"), FILE_END_BYTES).splitlines():
        for event in parse_line(line):
            at = {"last": text_of(event, "time"), "position": sys.maxsize, "status": "late"}
            command = text_of(event, "command")
            if command and not event.get("interrupted"):
                items.append({**at, "kind": "command", "text": command, "key": command.replace(f"{root}/", ""),
                              "who": "assistant", "ok": event.get("ok") is True, "error": text_of(event, "error")})
            elif event.get("event") == "prompt":
                items.append({**at, "kind": "request", "text": text_of(event, "text"), "who": "user"})
    return [item for item in items if item["text"]]


# --- what the disk says ---


def file_fact(cwd: str, items: Sequence[Record], path: str, is_made: bool) -> str:
    """What contradicts that the path was created, else deleted; empty when nothing does, or its place is not sure."""
    known = [item["text"] for item in items if item["kind"] == "file" and item["text"].endswith(f"/{path}")]
    where = known[0] if known else os.path.normpath(os.path.join(cwd, path))
    if len(known) > 1 or not os.path.isabs(where):
        return ""
    if os.path.lexists(where):
        return "" if is_made else f"`{path}` exists"
    top = path.partition("/")[0]  # a path may be told from a folder below: only one that begins here is sure
    is_sure = known or (top != path and where.startswith(f"{cwd}/") and os.path.isdir(os.path.join(cwd, top)))
    return f"`{path}` does not exist" if is_made and is_sure and os.path.isdir(cwd) else ""


def has_commits_since(folder: str, since: float) -> bool:
    """Whether the repository's log tells of a commit or merge since then."""
    git = git_folder(folder)[1]
    log = end_of(os.path.join(git, "logs", "HEAD"), FILE_END_BYTES).decode("utf-8", "replace") if git else ""
    moments = re.findall(r"> (\d+) [+-]\d{4}\t(?:commit|merge|pull|rebase)", log)
    return any(int(seconds) >= since for seconds in moments)


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    if "--help" in (sys.argv if argv is None else argv):
        print(__doc__)
        return 0
    return run_hook(audit)


if __name__ == "__main__":
    raise SystemExit(main())
