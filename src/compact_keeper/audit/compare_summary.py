"""What a compaction's summary kept, dropped, changed or invented, beside what the session's memory holds.

    rules, tasks, questions, … -> kept, dropped, or changed: another value or name, the opposite
    attributions               -> invented: an instruction said to be the user's that no typed words support

Words are compared by stem and by what they mean in the talk of development; names of the code and numbers weigh more.
Where summary and item are in different languages, only names and numbers are compared, or nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from compact_keeper.audit.weigh_words import (
    CODE,
    FLIPS,
    FOREIGN_WORDS,
    GENERIC_ROOTS,
    PLAIN,
    TURNING,
    is_foreign,
    learn,
    signs,
    terms_in,
    weighed,
    word_root,
    words_in_text,
)
from compact_keeper.types import Record, Term

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
