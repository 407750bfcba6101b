"""The findings of an audit: what a summary claims against commands, files and task list; all findings; their note.

    claims   -> contradicted by a command, a file or the task list; unproven: nothing shows it
    findings -> the note for the model: what contradicts first, a line each, at most 2,000 UTF-16 units

A claim is what a sentence says is so: "all tests pass", "pushed", "deleted x.py". What is negated, planned or depends
on something is none; neither is what stands in quotation marks, in code or under a heading like "Pending Tasks".
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from compact_keeper.audit.compare_summary import KEPT, Summary, invented, verdict
from compact_keeper.audit.weigh_words import learn, terms_in, words_in_text
from compact_keeper.text.fields import text_of
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.text.times import moment
from compact_keeper.types import Record

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
