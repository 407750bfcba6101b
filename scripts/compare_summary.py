#!/usr/bin/env python3
"""What a compaction's summary kept, dropped, changed or invented, beside what the session's memory holds.

check_claims.py hands over the summary and the items; from here it gets what became of them. Nothing is read or written.

    rules, tasks, questions, … -> kept, dropped, or changed: another value or name, the opposite
    attributions               -> invented: an instruction said to be the user's that no typed words support

Words are compared by stem and by what they mean in the talk of development (SAME); names of the code and numbers weigh
more. Where summary and item are in different languages, only names and numbers are compared, or nothing is said.

By hand: compare_summary.py RULE < SUMMARY.txt    (what became of the rule: kept, dropped or changed)

Exits 0. Python 3.9+, standard library only.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]
    Term = tuple[str, float, tuple[str, ...]]  # as compared, its weight, the words that it is joined from

# --- tables; words of one meaning stand between bars ---
SAME = """
    edit modify change touch alter update adjust rewrite amend edit modification tamper | delete remove drop erase
    purge discard wipe deletion removal rm | add create write introduce insert implement build written wrote new
    append | run execute invoke launch ran start call execution | test spec suite | use prefer stick adopt choose
    chose employ utilize pick opt went using used usage preference chosen go rely | commit checkin | deploy release
    ship rollout publish deployment | fix repair resolve solve correct fixed | fail break broken crash error failure
    broke red | bug issue defect problem | folder directory dir | doc document documentation docs | dependency package
    library dependencies lib deps | ask check confirm approval permission consult consent verify validate approve
    verification signoff clear | hand manual | move relocate migrate shift transfer | keep retain stay preserve remain
    kept leave left | skip ignore omit bypass pass | log print logging | mock stub fake | fast quick speed quickly |
    slow slowness hours hour h | short brief concise terse | big large huge long | small tiny little | find locate
    search look identify found | explain describe describing | everywhere throughout all globally | answer reply
    respond response | say tell said told mention | english british | direct directly straight | config configuration
    setting settings configure | database db postgres postgresql | repo repository | function method func functions |
    param parameter argument arg | variable var | exception raise throw | endpoint route | review pr | staging stage |
    prod production | lack without missing | indent indentation | compatible compatibility compat | require need
    necessary required requirement | url address link | sort order sorted | show display render | rename renaming
    renamed | split divide separate | simple plain easy simplify | secret credential password token key | branch
    branches | merge merging | version versions release | cause reason why | only solely exclusively | folder dir
    directories | weekend saturday sunday | friday fridays | unit units | 2 two | 3
    three | 4 four | 5 five | 6 six | 10 ten | 12 twelve
"""
DULL = """
    the a an and or of to in on at is are be it its this that with for from by as we you i me my our your they do does
    did done have has had will would can could may might so if then there here them those these was were been into out
    up down also just still any some each every all both more most very too than about over under per via within while
    never always must should shall dont not no nor only please now before after when first until again already yet let
    lets make sure ensure user users session rule rules want wants wanted asked instructed said says prefers instead
    rather mustnt cannot cant wont isnt arent doesnt didnt shouldnt without unless because since what which who how
    where whether get got put anything something everything nothing thing things one other another etc eg ie ok okay
    much many well even though free really actually currently going be being able whenever time times forbidden
    allowed avoid alone limits
"""
GENERIC = "folder file files code use add project work set way line lines part module name like need keep new task"
GENERIC_WEIGHT, PLAIN, NAMED, CODE = 0.4, 1.0, 1.3, 2.0  # what a word counts: dull ones nothing
FOREIGN = """
    der die das und ist nicht ein eine den dem auf mit für bitte nie immer kein keine auch le les des une est pas dans
    pour jamais toujours sur el los las una por para está nunca siempre no não sempre você com os che il gli di non mai
    per nie się jest zawsze do że bir ve bu için değil lütfen asla her que
"""
ENGLISH = "the a of to and is in it that for with be are on not this we by or must should never always user from"
FLIPPING = """
    never not no dont cannot cant mustnt shouldnt wont neither nor without avoid avoids avoided outside except unless
    forget skip skips skipping longer exceed beyond above stop forbids bans prohibits disallows break breaks breaking
    nie niemals nicht kein keine ohne jamais sans nunca não sem mai nigdy bez asla
"""  # turns what follows in the clause into its opposite
WHOLLY_AGAINST = """
    forbidden banned prohibited disallowed untouched untouchable alone unacceptable verboten interdit prohibido
"""  # turns the whole clause
AGAINST_PHRASES = (
    "-free", "off limits", "off-limits", "hands off", "not allowed", "no longer", "read-only", "not permitted")
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
STEERING = frozenset("never always must mustnt should shouldnt dont only prefers prefer required requires insisted "
                     "insists demanded instructed mandatory forbidden whenever rule instruction not".split())
ATTRIBUTING = frozenset("""
    said says ask asks asked want wants wanted require requires required prefer prefers preferred instruct instructs
    instructed insist insists insisted demanded told requested specified stated stipulated expects instruction
    instructions rule rules request preference constraint
""".split())  # behind "the user" or "the user's"
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
LANGUAGE_READ = 3_000  # characters that show in which language a text is
MOST_LINES, LONGEST = 3_000, 1_200  # of a summary; characters of a sentence
BESIDE_VALUE = 0.75  # share of the words beside a value from which a sentence tells the same with another value
MOST_LIKELY = 12  # sentences looked at for one item
OF_ERROR = 0.5  # share of an error's words that tells of the failure
KEPT, OF_REQUEST = 0.55, 0.4  # share of an item's words that a sentence has, of a request's that the summary has
NEARLY_VERBATIM = 0.8  # share from which a rule counts as kept without a word of ruling
IN_ALL = 0.7  # share of a request's words that stand anywhere in the summary, from which it counts as kept
VALUE_CUT, REQUEST_CUT = 200, 1_500  # characters at which the save cuts the sentence of a value, a request
LEAST_OF_DECISION = 4.0  # weight of the words of a decision that says something without its surroundings
SUPPORTED = 0.5  # share of an attribution's words that the user typed


# --- words: what a text is about ---

ENDINGS = tuple("izations ization ations ation ating ments ment ingly edly ates ated ings ions ion ing ies ied ate ers "
                "es ed er ly s y e".split())  # longer ones first
SEPARATING = str.maketrans(dict.fromkeys("\"`(),;!?[]{}<>|*…«»“”„‘、。，；：！？（）「」→←—–=", " "))
PUNCTUATION = {**SEPARATING, **dict.fromkeys(map(ord, ".:/\\@#$%&+-_~^"), " "), ord("'"): None, ord("’"): None}


def stem(word: str) -> str:
    """The word without its ending, twice; crude, but the same for most forms of a word."""
    for _ in range(2):
        if word.endswith(ENDINGS):
            ending = next(filter(word.endswith, ENDINGS))
            word = word[:-len(ending)] if len(word) - len(ending) > 2 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def bare(text: str) -> str:
    """The text in lower case without accents."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text.casefold()).translate(ACCENTS))


EAST_ASIAN = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"


def root(word: str) -> str:
    """What stands for the word and all that mean the same."""
    short = stem(word)
    return CLASSES.get(short, short)


ACCENTS = dict.fromkeys(range(0x300, 0x370))
CLASSES = {stem(word): stem(group.split()[0]) for group in reversed(SAME.split("|")) for word in group.split()}
DULL_WORDS, GENERIC_ROOTS = frozenset(DULL.split()), frozenset(map(root, GENERIC.split()))


@lru_cache(maxsize=8_192)
def weighed(word: str) -> tuple[Term, ...]:
    """What one word counts as; empty for a dull one."""
    word = word.strip(".:'’-_/~@#$%&+\\")
    plain = bare(word)
    if plain in DULL_WORDS or not plain:
        return ()
    if plain.isalpha() and plain.isascii() and (word[1:].islower() or word.isupper() or len(word) == 1):
        short = root(plain)
        return ((short, GENERIC_WEIGHT if short in GENERIC_ROOTS else PLAIN, ()),)
    if plain.isdigit():
        return ((plain, CODE, ()),)
    return joined(word, plain) if plain.isascii() else other_script(word, plain)


def other_script(word: str, plain: str) -> tuple[Term, ...]:
    """The same for letters beyond ASCII: Chinese and its kin in pairs, as their words are not set apart."""
    if not any("\u3040" <= letter <= "\ud7ff" for letter in plain):
        return ((root(plain), PLAIN, ()),) if plain.isalpha() else joined(word, plain)
    pairs = {run[at:at + 2] for run in re.findall(EAST_ASIAN, plain) for at in range(max(len(run) - 1, 1))}
    rest = re.sub(EAST_ASIAN, " ", word).split()
    return (*((pair, PLAIN / 2, ()) for pair in sorted(pairs)),
            *(one for part in rest if part != word for one in weighed(part)))


def joined(word: str, plain: str) -> tuple[Term, ...]:
    """The same for words with something between: a contraction, words with hyphens, a name or path of the code."""
    if "'" in word or "’" in word:
        return weighed(word.replace("'", "").replace("’", ""))
    if word.replace("-", "").isalpha() and (word[1:].islower() or word.isupper()):
        return tuple(one for part in word.split("-") for one in weighed(part))
    last = plain.rpartition("/")[2]
    name = last if "." in last and "://" not in plain else plain
    pieces = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", word.rpartition("/")[2] if name is last else word)
    parts = tuple(one[0] for piece in pieces if len(piece) > 1 or piece.isdigit() for one in weighed(piece))
    return ((name, CODE, parts),) if parts else ()


@lru_cache(maxsize=4_096)
def terms(text: str) -> list[Term]:
    """What the text's words count as, in their order."""
    return [one for word in text.translate(SEPARATING).split() for one in weighed(word)]


@lru_cache(maxsize=4_096)
def words_of(text: str) -> list[str]:
    """The bare words of a text, in their order."""
    return bare(text).translate(PUNCTUATION).split()


def is_foreign(text: str) -> bool:
    """Whether the text is in another language than English, as far as its small words or its script tell."""
    words = words_of(text)
    small = sum(map(FOREIGN_WORDS.__contains__, words)) - sum(map(ENGLISH_WORDS.__contains__, words))
    others = sum(map(str.isalpha, filter("\u036f".__lt__, text))) if not text.isascii() else 0
    return small > 0 or others > len(text) / 4


FOREIGN_WORDS, ENGLISH_WORDS = frozenset(FOREIGN.split()), frozenset(ENGLISH.split())


# --- polarity: what a sentence is for and what it is against ---


@lru_cache(maxsize=512)
def signs(text: str) -> dict[str, int]:
    """For each word compared 1 where the text is for it, -1 where it is against it."""
    found: dict[str, int] = {}
    for clause in re.split(r"[,;:()—–.!?]\s|[,;()]| but ", f"{text} "):
        lower = bare(clause)
        words = lower.split()
        sign = -1 if not WHOLLY.isdisjoint(words) or any(map(lower.__contains__, AGAINST_PHRASES)) else 1
        preferring = any(word.startswith("prefer") for word in words)
        told = clause.translate(SEPARATING).split()
        for word, after in zip(told, [*told[1:], ""]):
            plain = bare(word).strip(".:-").replace("'", "").replace("’", "")
            if (plain, bare(after)) in INSTEAD or (preferring and plain in ("over", "to")):
                sign = -1
            elif plain in FLIPS:
                sign = -sign
            found.update((term, sign) for term, _, _ in weighed(word))
    return found


FLIPS, WHOLLY = frozenset(FLIPPING.split()), frozenset(WHOLLY_AGAINST.split())
INSTEAD = (("instead", "of"), ("rather", "than"), ("opposed", "to"))
TURNING = FLIPS | WHOLLY | {"instead", "rather", "over", "prefer", "prefers", "free", "off", "hands", "allowed", "only"}


def is_ruling(text: str) -> bool:
    """Whether the sentence may tell a rule."""
    return not NORMATIVE.isdisjoint(words_of(text)) or "free" in text


def is_imperative(text: str, shared: Iterable[str]) -> bool:
    """Whether the sentence begins with one of the shared words, and as an order."""
    first = next(iter(words_of(text)), "")
    return not first.endswith(("ed", "ing", "s")) and any(one[0] in shared for one in weighed(first))


def opposite(old: str, new: str) -> bool:
    """Whether the new sentence is for what the old one is against, in every word they share."""
    if TURNING.isdisjoint(words_of(old)) and TURNING.isdisjoint(words_of(new)):
        return False
    then, now = signs(old), signs(new)
    shared = [term for term in then if term in now and term not in GENERIC_ROOTS]
    turned = [then[term] for term in shared if then[term] != now[term]]
    swapped = 1 in turned and -1 in turned  # for what it was against, and against what it was for
    return len(shared) > 1 and (swapped or len(turned) == len(shared)) and (
        is_ruling(new) or is_imperative(new, shared))


def other_value(old: str, new: str) -> bool:
    """Whether a number or version of the old text is another one in the new, beside the same word."""
    then, now = terms(old), terms(new)
    beside: dict[tuple[str, str], set[str]] = {}
    for place, (term, _, _) in enumerate(now):
        for key in neighbours(now, place) if has_digit(term) else ():
            beside.setdefault(key, set()).add(term)
    present = {term for term, _, _ in now}
    return any(beside.get(key, set()) - {term for term, _, _ in then}
               for place, (term, _, _) in enumerate(then) if has_digit(term) and term not in present
               for key in neighbours(then, place))


def neighbours(words: Sequence[Term], place: int) -> list[tuple[str, str]]:
    """What identifies the value at the place: its shape with the word before and with the word behind."""
    shape = re.sub(r"\d+", "9", words[place][0])
    if "://" in shape:
        return [(shape, "")]
    sides = ((place - 1, "before "), (place + 1, "behind "))
    return [(shape, side + words[at][0]) for at, side in sides
            if 0 <= at < len(words) and not has_digit(words[at][0])]


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


# --- the summary, taken apart ---

ENDS = (". ", "! ", "? ", "。", "！", "？")  # of a sentence
LEADS = 12  # sentences that a line with a colon at its end leads in at most

class Summary:
    """The summary's sentences, found by their words.

    A window is a sentence with the line that leads in and, where that continues it, the sentence behind; it goes by
    the sentence's number.
    """

    def __init__(self, text: str) -> None:
        self.sentences = list(sentences(text))
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
            for term, _, parts in terms(one["text"]):
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

    def text(self, place: int, wanted: set[str]) -> str:
        """Of the window's two sentences the one that has more of the words."""
        return str(max((one["text"] for one in self.window(place)), key=lambda text: len(
            wanted.intersection(term for term, _, _ in terms(text)))))

    def window(self, place: int) -> list[Record]:
        """The sentence, and the one behind it where that continues it."""
        return [one for one in self.sentences[place:place + 2] if one is self.sentences[place] or one["joins"]]

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
        for mark in ENDS if not (is_code or quoted) else ():
            entry = entry.replace(mark, mark[0] + "\n")
        for number, part in enumerate(part for part in entry.splitlines() if len(part) > 2):
            yield {"text": part[:LONGEST], "heading": heading, "quoted": quoted, "code": is_code, "retold": retold,
                   "joins": number > 0 or depth > above > 0}


def entry_of(line: str) -> str:
    """The line without the mark of a list before it."""
    mark, _, rest = line.partition(" ")
    is_mark = mark in ("-", "*", "•") or (mark[:-1].isdigit() and mark[-1] in ".)" and len(mark) < 5)
    return rest.lstrip() if is_mark and rest else line


# --- kept, dropped, changed ---


def verdict(one: Record, summary: Summary) -> tuple[str, str]:
    """What became of the item: kept, dropped or changed; and the sentence that changed it."""
    text, kind = one["text"][:REQUEST_CUT], one["kind"]
    text = text.rpartition(" ")[0] if kind == "value" and len(text) >= VALUE_CUT else text  # half an address is none
    wanted = terms(text)
    if is_foreign(text) != summary.foreign:
        wanted = [word for word in wanted if word[1] == CODE]
    if sum(weight for _, weight, _ in wanted) < (LEAST_OF_DECISION if kind == "decision" else 1):
        return "kept", ""  # nothing that could be compared
    if kind == "failure":
        return ("kept" if failure_told(one, summary) else "dropped"), ""
    if kind == "request":
        return ("kept" if request_told(text, wanted, summary) else "dropped"), ""
    if kind in ("rule", "pin", "decision", "value"):
        return verdict_of_rule(one, wanted, summary)
    return ("kept" if summary.shares(wanted, KEPT) else "dropped"), ""


def request_told(text: str, wanted: list[Term], summary: Summary) -> bool:
    """Whether a window tells much of the request or of a sentence of it, or the whole summary most of its words."""
    parts = [part for part in map(terms, re.split(r"[.!?\n]\s", text)) if sum(word[1] for word in part) >= 3]
    within = sum(word[1] for word in wanted if summary.places(word[0], word[2]))
    return within >= IN_ALL * sum(word[1] for word in wanted) or any(
        summary.shares(part, OF_REQUEST) for part in (wanted, *parts))


def verdict_of_rule(one: Record, wanted: list[Term], summary: Summary) -> tuple[str, str]:
    """The same for what may be turned into something else: rules, pins, decisions, values."""
    shares, plain = summary.shares(wanted, KEPT), [word for word in wanted if not has_digit(word[0])]
    valued = len(plain) < len(wanted) and sum(word[1] for word in plain) >= 1
    likely = {**(summary.shares(plain, BESIDE_VALUE) if valued else {}), **shares}
    names, changed = {word[0] for word in wanted}, ""
    rules = one["kind"] == "rule" and is_ruling(one["text"])
    for place in sorted(likely, key=lambda place: -shares.get(place, 0))[:MOST_LIKELY]:
        text = summary.text(place, names)
        if other_value(one["text"], text) or (one["who"] == "user" and opposite(one["text"], text)):
            changed = changed or text
        elif shares.get(place, 0) >= (
                NEARLY_VERBATIM if rules and not summary.ruling(place) else KEPT):
            return "kept", ""
    changed = changed or (rival(one["text"], wanted, summary) if one["who"] == "user" else "")
    links = [word for word in wanted if "://" in word[0]]
    if links and not changed:
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
    """Whether the summary tells that the command fails, by its name, its error, or as "tests fail" without a name."""
    error, words = re.sub(r":\d+", "", str(one.get("error") or "")), one["text"].split(" && ")[-1].split()[:2]
    troubled = {place for word in TROUBLE for place in summary.index.get(root(word), ())
                if not summary.sentences[place]["text"].endswith(":")}  # not the heading "Errors and fixes:"
    if (error and not troubled.isdisjoint(summary.shares(terms(error[:400]), OF_ERROR))) or any(
            told["text"].strip("`.") == one["text"] for told in summary.sentences):  # an entry of a list of failures
        return True
    name, plain = " ".join(words).lower(), {root(word) for word in words_of(" ".join(words))}
    return any(name in told.lower() or ("`" not in told and not plain.isdisjoint(CHECKED.intersection(map(
        root, words_of(told))))) for told in (summary.sentences[place]["text"] for place in troubled))


CHECKED = frozenset(map(root, ("test", "pytest", "jest", "build", "lint", "compile", "tsc", "mypy")))
TROUBLE = ("fail", "bug", "unable", "timeout", "cannot", "undefined", "exception", "reject")


# --- invented ---


def invented(summary: Summary, items: Sequence[Record]) -> Iterator[str]:
    """The sentences that give an instruction as the user's that no typed words support."""
    orders = [one for one in map(attributed, summary.sentences) if one[0]]
    said = [f"{one['text']} {one.get('question') or ''}" for one in items if one["who"] == "user"] if orders else []
    said += [one["text"] for one in items if one["kind"] in ("plan", "task", "question")]
    if is_foreign(" ".join(said)[:LANGUAGE_READ]) != summary.foreign or any(len(text) >= REQUEST_CUT for text in said):
        return  # the words may be there in another language, or in the part that was cut off
    typed = {word for text in said for term, _, parts in terms(text) for word in (term, *parts)} if orders else set()
    for text, told in orders:
        wanted = {term: (weight, parts) for term, weight, parts in terms(told)}
        total = sum(weight for weight, _ in wanted.values())
        backed = sum(weight for term, (weight, parts) in wanted.items()
                     if term in typed or (parts and typed.issuperset(parts)))
        if total >= 2 and backed < SUPPORTED * total:
            yield text


def attributed(sentence: Record) -> tuple[str, str]:
    """The sentence and the instruction in it that it says is the user's; empty when it says no such thing."""
    text, lower = sentence["text"], sentence["text"].lower()
    if sentence["quoted"] and "user messages" in sentence["heading"]:
        start, end = 0, 0
    else:
        start, end = attribution(lower) if not sentence["code"] else (-1, -1)
    steered = lower[start:] if start >= 0 else ""
    for mark in (" - ", " – ", " — ", " (", "; ", ". "):
        steered = steered.partition(mark)[0]
    if STEERING.isdisjoint(words_of(steered)) or re.search(NOT_AN_ORDER, lower):
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


def main(argv: Sequence[str] | None = None) -> int:
    """0 when it was printed what became of the rule in the summary on stdin."""
    rule = " ".join(sys.argv[1:] if argv is None else argv)
    print(*verdict({"kind": "rule", "text": rule}, Summary(sys.stdin.read())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
