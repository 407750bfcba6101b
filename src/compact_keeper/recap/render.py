"""The text that is put back: score a snapshot's items, word them, select within the budget.

    items -> score -> a line each, with source and time -> sections, each with its share of the budget -> text

Words are facts with their source: what the user typed is quoted as typed; what a tool printed is short, on one line
and named as its output. Nothing in it is an order of ours. What matters most stands in the first 2,000 UTF-16 units,
which the client still shows of a text that it cuts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import exp, inf, prod
from typing import Any

from compact_keeper.record.checks import VERIFYING
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.pins import PINS_SHARE
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.text.times import moment
from compact_keeper.types import Record

TEXT_MAX_UTF16 = 9_500  # UTF-16 units; the client cuts at 10,000
WORDS_MAX_UTF16 = {"request": 360, "earlier": 220, "question": 200, "errand": 3_000}  # of the words in these lines
COMMAND_SHOWN, SHORT_COMMAND = 160, 50  # UTF-16 units: of a command; of one that only looks, to be told at all
# --- the ranking's numbers; tests/bench/fit.py says how they were found, `--show --why` shows them at work ---
WEIGHTS = {
    "pin": 10.0, "rule": 3.0, "request": 2.0, "question": 2.0, "task": 2.0, "failure": 1.8, "answer": 1.6, "plan": 1.6,
    "dead end": 1.4, "decision": 1.2, "job": 1.2, "wish": 1.0, "command": 1.0, "file": 1.0, "claim": 0.8, "value": 0.6}
DURABLE = ("pin", "rule")  # these fade neither with their place in the session nor with cycles
SAID_ONCE = (  # these fade with cycles alone
    "wish", "answer", "plan", "decision", "dead end", "job", "value", "task", "failure")
SHORT_SESSION = 400  # records; in a shorter session nothing is old yet
CHECKING = re.compile(  # commands that build, test or run this project: the ones to know again
    r"\b(?:tests?|build|lint|check|vet|fmt|format|pytest|jest|vitest|tox|mypy|ruff|tsc|make|migrate|deploy|cargo"
    r"|gradlew?|mvn|run)\b")
WRAPPING = r"^(?:cd \S+ && )+|(?: 2>&1)?(?: \| (?:tail|head)[^|]*)?$"  # what says nothing of a command itself
LOOKING = re.compile(  # commands that only look: they seldom matter later
    r"(?:cat|ls|grep|rg|find|head|tail|sed -n|echo|pwd|cd|which|wc|tree|stat|sleep|git (?:status|diff|log|show))\b")
BOOSTS = {"marker": 1.5, "checking": 1.6, "looking": 0.3}
LONG = 80  # UTF-16 units of a command that halve its score: a long one is seldom run again
LEAST = 0.1  # score; of these kinds, what has less is left out even where there is room
FADING = ("file", "claim", "value", "decision", "dead end")
SECTIONS: tuple[tuple[str, tuple[str, ...], float, float], ...] = (  # kinds, shares; "Tasks" begins within 2,000 units
    ("This subagent's task, as it was given", ("errand",), 0.40, 0.40),
    ("Pinned by the user", ("pin",), PINS_SHARE, PINS_SHARE),
    ("The user's rules, in their own words", ("rule",), 0.07, 0.07),
    ("Asked now", ("request", "question"), 0.08, 0.08),
    ("Where the work stood", ("state",), 0.05, 0.05),
    ("Tasks, as the assistant listed them", ("plan", "task"), 0.10, 0.16),
    ("Failing when the compaction came", ("failure", "dead end"), 0.08, 0.18),
    ("More of what the user said", ("rule", "answer", "wish"), 0.26, 0.45),
    ("Decided", ("decision",), 0.05, 0.10),
    ("Commands and how they ended (stale: a file it covers changed after)", ("command", "looked"), 0.12, 0.20),
    ("Files, with names looked at or changed there", ("file", "read", "found"), 0.45, 0.55),
    ("Running", ("job",), 0.03, 0.06),
    ("Claimed by the assistant", ("claim",), 0.03, 0.04),
    ("Addresses and ports, in the sentence that named them", ("value",), 0.03, 0.07),
    ("Earlier requests", ("earlier",), 0.05, 0.12),
)
SCARCE, AMPLE = ("wish", "earlier", "claim", "decision"), 9_000  # kinds; UTF-16 units of a budget with room for them
NEEDED, LEAST_ROOM = ("errand", "pin", "rule", "request", "plan", "task"), 140  # kinds; UTF-16 units for their sections
UNOPENED = {"kind": "file", "who": "tool", "last": "", "position": 0, "cycle": 0, "uses": 0, "status": "open"}
NAMES_SHARE, FOUND_SHARE = 0.30, 0.07  # of the budget: names beside their files, files that a search found
HEADER = ("compact-keeper: facts from before this compaction, from transcript and tool events; quotes as typed or "
          "printed, times counted back from it")
TYPED, SAID = "- {said} ({how} {when}{ends})", "- {said} ({who}, {when})"
WORDING = {  # of a line, by kind
    "pin": TYPED, "rule": TYPED, "wish": TYPED, "decision": SAID, "dead end": "- Tried: " + SAID[2:], "value": SAID,
    "state": "- {text}", "errand": "- {words}", "claim": "- {said} ({who}, {when}; {evidence})",
    "request": "- The user's newest request ({when}): {words}", "earlier": "- {words} ({when}{became})",
    "question": "- Asked the user and not answered yet ({when}): {words}", "task": "- {mark} {text}{after}",
    "answer": "- Asked {asked}, the user answered: {said} ({when})",
    "rejected": "- The user did not allow {name} ({when})",
    "plan": "- Plan {said}: {status} ({when}){place}", "job": "- {name} was running as {key} ({when}){place}{alive}",
    "failure": "- {name} {ended}{times} ({when}): {printed}", "command": "- {name} {ended}{runs}, {when}{stale}",
    "file": "- {name} {done}, {when}{on_disk}{names}", "looked": "{name}", "read": "{name}{on_disk}", "found": "{name}"}
IN_A_ROW = {  # these items stand on one line
    "looked": "- Looked with {}", "read": "- Read: {}", "found": "- Named by searches and listings: {}"}
SHOWN_FOR = {"earlier": "request", "wish": "request", "looked": "command", "read": "file"}  # kinds of lines, of items
HOW = {"pin": "pinned", "rejection": "said when rejecting a tool call", "interrupt": "said after interrupting"}
MARKS = {"completed": "[x]", "in_progress": "[ ] in progress:"}
ON_DISK = {"changed": "changed on disk since the save", "gone": "gone from disk now"}  # as record/present.py finds it
ENDED = {"ended": "ran", "unknown": "ended, its result was not seen", "running": "runs in the background"}
ALIVE = {True: ", its process is still there", False: ", its process is not there any more"}


def score_terms(one: Record, snapshot: Record) -> dict[str, float]:
    """The factors of an item's score: recency², weight of its kind, marker, use, age in cycles."""
    used, durable, text = snapshot["used"], one["kind"] in DURABLE, one["text"]
    behind = 0 if durable or one["kind"] in SAID_ONCE or one.get("wished") else snapshot["position"] - one["position"]
    use = 1.0 + 0.1 * min(max(one["uses"] - 1, 0), 10)
    if one["kind"] in ("command", "failure"):
        use *= BOOSTS["looking"] if LOOKING.match(one["key"]) else BOOSTS["checking"] if CHECKING.search(text) else 1.0
    return {
        "recency²": max(1 - behind / max(snapshot["position"], SHORT_SESSION), 0.05) ** 2,
        "weight": used["weights"].get(one["kind"], WEIGHTS.get(one["kind"], 1.0)),
        "marker": BOOSTS["marker"] if one["who"] == "user" and any(map(text.__contains__, used["markers"])) else 1.0,
        "use": use,
        "short": 1 / (1 + len(text) / LONG) if one["kind"] == "command" else 1.0,
        "age": 1.0 if durable else exp(-max(snapshot["cycle"] - one["cycle"], 0) / used["half_life"]),
    }


def best_names(snapshot: Record, room: float) -> dict[str, list[str]]:
    """For each file the names that matter most, best first, within so many UTF-16 units."""
    chosen: dict[str, list[str]] = {}
    for name, path in snapshot["names"]:
        room -= len(name) + 4
        if room > 0:
            chosen.setdefault(path, []).append(name)
    return chosen


def ago(stamp: str, now: int) -> str:
    """How long before the compaction that was."""
    minutes = (now - moment(stamp)) // 60
    if not stamp or not now:
        return "earlier"
    return "just before" if minutes < 1 else f"{minutes} min before" if minutes < 120 else f"{minutes // 60} h before"


def code(text: str, folder: str) -> str:
    """The text as inline code, paths as seen from the working folder."""
    return as_code(cut(text.replace(folder + "/", "") if folder else text, COMMAND_SHOWN))


def named(text: str) -> str:
    """A folder or branch as it is called; as inline code where more stands in it than in most names."""
    return text if re.fullmatch(r"[\w./@+~:-]*", text) else code(text, "")


def spoken(text: str, limit: int) -> str:
    """Words on one line in quotation marks, at most `limit` units; a long text loses its middle, and says so."""
    line = " ".join(text.split())
    if units(line) <= limit:
        return in_quotes(line)
    start, end = cut(line, limit * 2 // 3), line[-limit // 6:]
    return f"{in_quotes(start)} [{len(line) - len(start) - len(end)} characters left out] {in_quotes('…' + end)}"


def shown_text(one: Record) -> str:
    """The item's words on one line; of a pin, which may be a table or code, as they are, later lines indented."""
    return "\n  ".join(one["text"].splitlines()) if one["kind"] == "pin" else " ".join(one["text"].split())


class LineParts:
    """What the wording of a line names of its item; of the twenty things each is made only when it is asked for."""

    def __init__(self, one: Record, kind: str, when: str, folder: str) -> None:
        """Of an item that is shown as this kind, so long ago; paths are seen from the folder."""
        self.one, self.kind, self.when, self.folder = one, kind, when, folder

    def __getitem__(self, name: str) -> Any:
        """The part of this name, as `str.format_map` asks for it."""
        teller = TELLERS.get(name)
        return teller(self, self.one) if teller else self.one[name]


def ending(_: LineParts, one: Record) -> str:
    """How a command ended: as passed only where its output or its own exit code says so."""
    if not one.get("ok"):
        return f"failed with exit code {one['exit']}" if one.get("exit") else "failed"
    return ENDED.get(text_of(one, "verdict"), "passed")


def done(_: LineParts, one: Record) -> str:
    """What was done with a file."""
    edits = one.get("edits", 0)
    return f"changed {edits} times" if edits > 1 else "changed" if edits else "read" if one.get("uses") else "searched"


def name_of(told: LineParts, one: Record) -> str:
    """What was run or asked, without what says nothing of it, as code."""
    return code(re.sub(WRAPPING, "", one["question"] if told.kind == "answer" else one["text"]), told.folder)


def place(told: LineParts, one: Record) -> str:
    """Where a plan stands or a job's output goes."""
    words = ", output in" if told.kind == "job" else ", in"
    return f"{words} {code(one['path'], told.folder)}" if one.get("path") else ""


TELLERS: dict[str, Callable[[LineParts, Record], str]] = {  # what is not told as it stands in the item
    "text": lambda _, one: shown_text(one), "said": lambda _, one: in_quotes(shown_text(one)),
    "asked": lambda _, one: in_quotes(one["question"]), "printed": lambda _, one: in_quotes(text_of(one, "error")),
    "when": lambda told, _: told.when, "name": name_of, "place": place,
    "words": lambda told, one: spoken(one["text"], WORDS_MAX_UTF16.get(told.kind, TEXT_MAX_UTF16)),
    "ended": ending, "done": done,
    "became": lambda _, one: f", {one['status']}" if one["status"] != "open" else "",
    "how": lambda told, one: HOW.get(one.get("via") or told.kind, "typed"),
    "ends": lambda _, one: ", ending an earlier rule" if one.get("ends") else "",
    "mark": lambda _, one: MARKS.get(text_of(one, "status"), "[ ]"),
    "after": lambda _, one: f" (after {one['after']})" if one.get("after") else "",
    "times": lambda _, one: f", {one['uses']} times" if one.get("uses", 1) > 1 else "",
    "runs": lambda _, one: f", {one['uses']} runs" if one.get("uses", 1) > 1 else "",
    "names": lambda _, one: (": " + ", ".join(f"`{name}`" for name in one["shown_names"])
                             if one.get("shown_names") else ""),
    "on_disk": lambda _, one: f" ({ON_DISK[one['on_disk']]})" if one.get("on_disk") in ON_DISK else "",
    "alive": lambda _, one: ALIVE[one["alive"]] if one.get("alive") in ALIVE else "",
    "stale": lambda _, one: ", stale" if one.get("stale") else ""}


def line_of(one: Record, kind: str, when: str, folder: str) -> str:
    """The line that tells the item: the wording of its kind, filled in."""
    wording = WORDING["rejected" if kind == "answer" and one["status"] == "rejected" else kind]
    return wording.format_map(LineParts(one, kind, when, folder))


def evidence(claim: Record, items: Sequence[Record], now: int) -> str:
    """What the session's commands say of a claim: the last check that ran, and whether files changed after it."""
    word = re.search(r"(?i)\b(push|commit|merge|deploy|publish)", claim["text"])
    pattern = rf"(?!{LOOKING.pattern}).{{0,60}}\b{word.group(1).lower()}" if word else VERIFYING
    runs = [one for one in items if one["kind"] == "command" and re.match(pattern, one["key"])]
    if not runs:
        return "no command seen that shows it"
    newest = max(runs, key=lambda one: text_of(one, "last"))
    changed = any(one.get("edits") and one["last"] > newest["last"] for one in items)
    how = ENDED.get(text_of(newest, "verdict"), "passed") if newest.get("ok") else "failed"
    ended = f"{code(cut(newest['text'], 60), '')} {how} {ago(newest['last'], now)}"
    return ended + (", files changed after it" if changed and newest.get("ok") and not word else "")


def state_items(snapshot: Record) -> list[Record]:
    """Mode and language, the assistant's last words, folder and git, as items; nothing of it for a subagent."""
    state, items = snapshot["state"], snapshot["items"]
    if "agent" in snapshot:
        return []
    cwd, spoken_in = text_of(state, "cwd"), text_of(state, "language") if snapshot["used"]["language_line"] else ""
    told = [mode(items) + (f"; the user writes in {spoken_in}" if spoken_in else "")]
    if text_of(state, "last_words"):
        told.append(f"The assistant's last words: {spoken(state['last_words'], 240)}")
    if cwd:
        told.append(f"Working folder {named(cwd)}{repository_then_and_now(snapshot)}{files_on_disk(snapshot)}")
    as_item = {"kind": "state", "last": "", "position": 0, "status": "open"}
    return [{**as_item, "text": text, "score": 9.0 - number} for number, text in enumerate(told)]


def repository_then_and_now(snapshot: Record) -> str:
    """Branch, HEAD and worktree now, and what they were when the snapshot was saved where that differs."""
    state, now = snapshot["state"], snapshot.get("present", {}).get("repository")
    if not now:
        return f", branch {named(state['gitBranch'])} then" if text_of(state, "gitBranch") else ""
    was = {"branch": named(text_of(state, "branch") or text_of(state, "gitBranch")),
           "HEAD": text_of(state, "head")[:12], "worktree": named(text_of(state, "worktree"))}
    nameless = "none (detached)" if now["head"] else "not known"
    told = {"branch": named(now["branch"]) or nameless,
            "HEAD": now["head"][:12] or "without a commit" * bool(now["branch"]), "worktree": named(now["worktree"])}
    other = [f"{name} {was[name]}" for name in told if was[name] not in ("", "HEAD", told[name])]
    linked = f", linked worktree {told['worktree']}" if now["linked"] else ""
    then = f" (when saved: {', '.join(other)})" if other else ""
    head = f", HEAD {told['HEAD']}" if told["HEAD"] else ""
    return f", branch {told['branch']}{head}{linked}{then}"


def files_on_disk(snapshot: Record) -> str:
    """How many of the files that were looked at on disk are as they were."""
    found = list(snapshot.get("present", {}).get("files", {}).values())
    counts = [f"{found.count(how)} {words}" for how, words in (("unchanged", "as when saved"), *ON_DISK.items())
              if how in found]
    return f"; of {len(found)} files checked on disk: {', '.join(counts)}" if found else ""


def mode(items: list[Record]) -> str:
    """Whether the work waits for the user, changes files or is talked over."""
    if any(one["kind"] == "question" or one["status"] == "waiting for approval" for one in items):
        return "Waiting for the user's answer"
    asked = max((one["position"] for one in items if one["kind"] == "request"), default=0)
    changed = any(one.get("edits") and one["position"] >= asked for one in items)
    return f"{'Implementing: files were' if changed else 'Discussing: no file was'} changed since the newest request"


def shown_as(one: Record, newest: Record | None, failing: set[str]) -> str:
    """The kind under which an item is shown; empty when it is not."""
    kind, text = one["kind"], one["text"]
    if kind == "request":
        return "request" if one is newest else "wish" if one.get("wished") else "earlier"
    if kind == "command" and LOOKING.match(one["key"]):
        return "looked" if one.get("ok") and len(text) <= SHORT_COMMAND else ""
    if kind == "command":
        return "" if not one.get("ok") and one["key"] in failing else "command"
    if kind == "file" and not one.get("edits") and not one.get("shown_names"):
        return "read"
    return kind if kind in WORDING else ""


def with_names(items: Iterable[Record], named: dict[str, list[str]]) -> list[Record]:
    """The items, each file with its names; a file that has names but was neither read nor changed becomes one."""
    files = {path: {**UNOPENED, "text": path} for path in named}
    files.update({one["text"]: one for one in items if one["kind"] == "file"})
    others = [one for one in items if one["kind"] != "file"]
    return others + [{**one, "shown_names": named.get(path)} for path, one in files.items()]


def as_found(one: Record, present: Record) -> Record:
    """The item with what is true of it now, as record/present.py found it."""
    facts = {"file": ("on_disk", present["files"].get(one["text"])),
             "job": ("alive", present["jobs"].get(one.get("key"))),
             "command": ("stale", present["stale"].get(one.get("key")))}
    name, fact = facts.get(one["kind"], ("", None))
    return one if fact is None else {**one, name: fact}


def best_found(snapshot: Record, room: float) -> Iterator[Record]:
    """The files that searches and listings named, by their last two parts, within so many units."""
    for path in snapshot["found"]:
        short = "/".join(path.split("/")[-2:])
        room -= len(short) + 4
        if room > 0:
            yield {**UNOPENED, "kind": "found", "text": short, "score": 1.0}


def room_of(section: tuple[str, tuple[str, ...], float, float], budget: int, is_full: bool) -> float:
    """UTF-16 units that the section may fill: its floor, when all have theirs its cap."""
    _, kinds, floor, cap = section
    scarce = min(budget / AMPLE, 1.0) if kinds[-1] in SCARCE else 1.0
    return max((cap if is_full else floor) * scarce * budget, LEAST_ROOM if kinds[0] in NEEDED else 0)


@lru_cache(maxsize=64)
def longest_line(kind: str, budget: int) -> float:
    """UTF-16 units of the longest line that a section of a needed kind has room for; of other kinds no line is cut."""
    rooms = [room_of(section, budget, False) - 2 for section in SECTIONS if kind in section[1] and kind in NEEDED]
    return max(rooms, default=inf)


def fitting_line(one: Record, kind: str, when: str, folder: str, budget: int) -> str:
    """The item's line; of a kind that is needed, words too long for every section of theirs are cut to fit."""
    line, longest = line_of(one, kind, when, folder), longest_line(kind, budget)
    if units(line) <= longest:
        return line
    around = units(line_of({**one, "text": ""}, kind, when, folder))
    return line_of({**one, "text": cut(shown_text(one), int(longest) - around)}, kind, when, folder)


def candidates(snapshot: Record) -> list[Record]:
    """The items that may be shown, each with its score and line, the best first."""
    now, folder = moment(snapshot["time"]), text_of(snapshot["state"], "cwd")
    budget = snapshot["used"]["budget"]
    items = with_names(snapshot["items"], best_names(snapshot, NAMES_SHARE * budget))
    items += best_found(snapshot, FOUND_SHARE * budget)
    live = [one for one in items if one["kind"] == "request" and one["status"] == "open"]
    newest = max(live, key=lambda one: int(one["position"]), default=None)
    failing, shown = {one["key"] for one in items if one["kind"] == "failure"}, []
    items = [as_found(one, snapshot["present"]) for one in items] if snapshot.get("present") else items
    for one in [*items, *state_items(snapshot)]:
        kind = shown_as(one, newest, failing)
        terms = {} if "score" in one else score_terms(one, snapshot)
        points = one.get("score") or prod(terms.values())
        if kind and not (kind in FADING and points < LEAST and not one.get("shown_names")):
            told = {**one, "evidence": evidence(one, items, now)} if kind == "claim" else one
            line = fitting_line(told, kind, ago(one["last"], now), folder, budget)
            shown.append({**one, "kind": kind, "terms": terms, "score": points, "line": line, "units": units(line) + 2})
    return sorted(shown, key=lambda one: (-one["score"], -one["position"]))


def select(ranked: list[Record], budget: int) -> list[list[Record]]:
    """For each section its items: up to its floor first, then up to its cap while the budget lasts.

    A section that stands earlier is served earlier. An item is shown whole or not at all, and its words once.
    """
    chosen: list[list[Record]] = [[] for _ in SECTIONS]
    left, told = budget - units(HEADER) - NONCE_CHARACTERS - len(" (block )"), ""
    for is_full in (False, True):
        for section, mine in zip(SECTIONS, chosen):
            room = room_of(section, budget, is_full) - sum(one["units"] for one in mine)
            for one in [one for one in ranked if one["kind"] in section[1] and "section" not in one]:
                size = one["units"] + (0 if mine else units(section[0]) + 5)
                if size <= left and one["units"] <= room and repeated(one) not in told:
                    one["section"], told = section[0], told + one["line"]
                    left, room = left - size, room - one["units"]
                    mine.append(one)
    return chosen


def repeated(one: Record) -> str:
    """What needs no second line when it stands in another: some kinds' words, of the others the line itself."""
    return str(one["text"][:120] if one["kind"] in ("wish", "value", "earlier") else one["line"])


def render(snapshot: Record) -> str:
    """The text that is put back; empty when there is nothing to tell."""
    chosen = select(candidates(snapshot), snapshot["used"]["budget"]) if snapshot["items"] else []
    return worded(chosen, snapshot) if chosen else ""


def worded(chosen: list[list[Record]], snapshot: Record) -> str:
    """The header and the sections with their lines."""
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    parts = [f"{HEADER} (block {number})" if number else HEADER]
    for section, mine in zip(SECTIONS, chosen):
        lines: list[str] = []
        for kind in section[1]:
            of_kind = [one for one in mine if one["kind"] == kind]
            if kind == "task":  # as they were listed, not by score
                of_kind.sort(key=lambda one: (one.get("list", ""), one.get("order", 0), one["position"]))
            told = [one["line"] for one in of_kind]
            lines += [IN_A_ROW[kind].format(", ".join(told))] if kind in IN_A_ROW and told else told
        title = section[0] if any(line.endswith(", stale") for line in lines) else section[0].partition(" (")[0]
        parts += ["\n".join([f"## {title}", *lines])] if lines else []
    return "\n\n".join(parts)


def how_to_ask(home: str) -> str:
    """The last line where there is an archive in the data folder: how to find in it what does not stand here."""
    here = os.path.dirname(os.path.abspath(__file__))
    script, has_skill = os.path.join(here, "recall.py"), os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    how = "skill compact-keeper:recall (typed: /compact-keeper:recall WORDS)" if has_skill else (
        f"`python3 {script} search WORDS`")
    return f"\n\nThe original words, commands and errors of all earlier turns can be found: {how}."


def counted(shown: list[Record]) -> dict[str, int]:
    """How many items of which kind are shown; what stands there and is no item of its own does not count."""
    kinds = [SHOWN_FOR.get(one["kind"], str(one["kind"])) for one in shown if one["kind"] not in ("state", "found")]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def told_to_person(shown: list[Record], size: int) -> str:
    """What the person is told: how much of which kind was put back, and how long the text is."""
    counts = {"pin": sum(one["kind"] == "pin" for one in shown),
              "rule": sum(one["kind"] == "rule" for one in shown),
              "open task": sum(one["kind"] == "task" and one["status"] != "completed" for one in shown),
              "file": sum(one["kind"] == "file" and one.get("edits", 0) > 0 for one in shown),
              "failing command": sum(one["kind"] == "failure" for one in shown)}
    told = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count)
    return f"put back {told or 'what was asked'} ({size:,} characters)"
