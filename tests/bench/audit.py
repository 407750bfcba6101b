#!/usr/bin/env python3
"""Measure what audit_summary.py says about made-up summaries of which it is known what they dropped.

Usage: audit.py [--cases N] [--seed S] [--half fit|check|both] [--failures | --alarms] [--scripts DIR]

A case is a session of two projects of one half: 12 to 25 facts in its memory, and a summary of 3 to 20 KB that
keeps each one verbatim, rewords it or drops it (4 to 7 of them, so that all fit into one note), in the order of chance,
among fillers that state none. Memory and transcript are written as a save leaves them, the snapshot is an expired one
and was not delivered, then the script runs as a process. A dropped fact's words and wordings are nowhere in the
summary. The material of audit_material.py and audit_more_material.py is for tuning ("fit"), that of
audit_check_material.py, written by another hand, for reporting ("check"): no case of it is shown.

recall      of the facts dropped, the share that the note calls dropped
precision   of the facts that the note calls dropped, the share that is
others      all other findings: each is a false alarm, as nothing is invented, changed or wrongly claimed

--failures  each wrong verdict and false alarm of the fit half, with the summary's sentence, or the line nearest to it
--alarms    instead: what was found of one invented instruction, one false claim and one changed rule per summary

Its time, with a summary of 20 KB and 500 items of which 80 are judged, stands in latency.py's table; in 36 real
memories of up to 175 items 2 to 20 were judged, at most 96 with a long task list.

Exits 0 when the goals hold, 1 when one does not, 2 on a wrong argument. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [name for name in (str(TESTS), str(TESTS.parent / "src")) if name not in sys.path]

from audit_check_material import CHECK_CHANGED, CHECK_FALSE_CLAIMS, CHECK_INVENTED  # noqa: E402
from audit_material import CHANGED, FALSE_CLAIMS, FILLERS, INVENTED, KINDS, NUDGES, Entry, projects  # noqa: E402
from compact_keeper.recap.render import render  # noqa: E402
from compact_keeper.record.items import new_item  # noqa: E402
from compact_keeper.record.session import snapshot_of  # noqa: E402
from compact_keeper.record.words import Conversation  # noqa: E402
from compact_keeper.store.json_files import replace_store  # noqa: E402
from compact_keeper.store.settings import default_settings  # noqa: E402
from sessions import SESSION_ID, Home, Record, Session, hook_input, memory_of  # noqa: E402
from shipped import SCRIPTS  # noqa: E402

GOAL = 0.95  # of precision and of recall
WAYS = ("kept", "reworded", "dropped")
HALVES = ("fit", "check")
ALARMS = {"invented": "invented", "contradicted": "false claim", "changed": "changed rule"}
SECTIONS = {
    "request": "Primary Request and Intent", "concepts": "Key Technical Concepts", "files": "Files and Code Sections",
    "errors": "Errors and fixes", "problems": "Problem Solving", "messages": "All user messages",
    "pending": "Pending Tasks", "work": "Current Work", "next": "Optional Next Step"}
PLACES = {  # sections in which a summary tells a fact of that kind
    "rule": ("request", "request", "messages", "concepts"), "task": ("pending", "pending", "next"),
    "question": ("pending", "work", "next"), "decision": ("concepts", "problems"), "failure": ("errors", "work"),
    "value": ("concepts", "files"), "ran": ("errors", "problems", "work")}
ITEMS, JUDGED_ITEMS, SUMMARY_SIZE = 500, 80, 20_000  # of the timed run: all items, facts among them; characters


class Case(NamedTuple):
    """A session before its compaction, the summary, and which sentence of it tells a fact; none of a dropped one."""

    half: str
    told: list[Entry]
    sentences: dict[str, str]
    ways: dict[str, str]
    summary: str
    planted: dict[str, Entry]


class Verdict(NamedTuple):
    """A fact's treatment, whether the note calls it dropped, and the sentence that tells it or is nearest to it."""

    half: str
    fact: Entry
    way: str
    called: bool
    sentence: str


class Alarm(NamedTuple):
    """A finding that is not about a dropped fact, in a case."""

    case: Case
    finding: Record


# --- summaries ---


def verbatim(fact: Entry, rng: random.Random) -> str:
    """The fact in its own words, as a summary cites it."""
    if fact.kind == "failure":
        return f"`{fact.named}` failed: {fact.error}"
    if fact.kind == "question":
        return f'Asked the user, no answer yet: "{fact.text}"'
    return rng.choice((fact.text, f'User: "{fact.text}"')) if fact.kind == "rule" else fact.text


def layout(placed: Iterable[tuple[str, str]], rng: random.Random) -> str:
    """The summary: bullets under the client's headings; some sentences go on in the bullet before."""
    sections: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for name, sentence in placed:
        bullets = sections[name]
        if bullets and name not in ("files", "messages") and '"' not in bullets[-1] + sentence and rng.random() < 0.3:
            bullets[-1] = bullets[-1].rstrip(".") + rng.choice((". ", "; ")) + sentence
        else:
            bullets.append(sentence)
    return "Summary:\n" + "\n\n".join(
        f"{number}. {SECTIONS[name]}:\n" + "\n".join(f"   - {bullet}" for bullet in bullets)
        for number, (name, bullets) in enumerate(sections.items(), 1) if bullets)


def fillers_of(half: str, chosen: Sequence[str], rng: random.Random) -> list[Entry]:
    """All fillers, in the order in which they are used: those of the chosen projects first."""
    own = [one for project in projects(half).values() for one in project if one.kind == "filler"]
    first = [one for one in own if one.project in chosen]
    rest = [one for one in own if one.project not in chosen] + FILLERS
    return rng.sample(first, len(first)) + rng.sample(rest, len(rest))


def make_case(rng: random.Random, half: str, planted: dict[str, Entry]) -> Case:
    """A case of two projects of that half; what is planted stands in the summary in its wrong wording."""
    known, size = projects(half), rng.randint(3_000, 19_000)
    chosen = rng.sample(sorted(known), 2)
    about = [one for name in chosen for one in known[name]]
    asked = [one for one in about if one.kind in ("request", "ran")]
    facts = rng.sample([one for one in about if one.kind in KINDS], rng.randint(12, 25))
    dropped = rng.sample(facts, rng.randint(4, min(7, len(facts) // 2)))
    ways, sentences = {}, {}
    for one in facts:
        way = "dropped" if one in dropped else "kept" if one.about or rng.random() < 0.4 else "reworded"
        ways[one.text] = way
        sentences[one.text] = {"kept": verbatim(one, rng), "reworded": rng.choice(one.wordings or ("",))}.get(way, "")
    placed = [(rng.choice(PLACES[one.kind]), sentences[one.text]) for one in facts if sentences[one.text]]
    placed += [("request" if one.kind == "request" else rng.choice(PLACES["ran"]), one.wordings[0]) for one in asked]
    placed += [("messages", f'"{text}"') for text in [*rng.sample(NUDGES, 3), *texts(asked, "request")]]
    placed += [(rng.choice(PLACES["ran" if what == "contradicted" else "rule"]), one.wordings[0])
               for what, one in planted.items()]
    for filler in fillers_of(half, chosen, rng):
        if sum(len(sentence) + 6 for _, sentence in placed) >= size:
            break
        placed.append((filler.about, filler.text))
    rng.shuffle(placed)
    return Case(half, [*facts, *asked], sentences, ways, layout(placed, rng), planted)


def texts(told: Iterable[Entry], kind: str) -> list[str]:
    """The texts of the entries of that kind."""
    return [one.text for one in told if one.kind == kind]


# --- the session that they are of ---


def session_of(told: Sequence[Entry], summary: str) -> Session:
    """The session's calls: the files of which the summary tells were changed, commands passed or failed, tasks."""
    session = Session()
    for path in dict.fromkeys(re.findall(r"^   - `([\w./-]+)` - ", summary, re.MULTILINE)):
        session.ran("Edit", "The file was updated.", file_path=path, old_string="a", new_string="b")
    for one in told:
        if one.kind == "ran":
            session.ran("Bash", "ok", command=one.text)
        elif one.kind == "failure":
            session.failed("Bash", f"Exit code 1\n{one.error}", command=one.named)
    for number, text in enumerate(texts(told, "task"), 1):
        session.created(number, text)
        session.updated(number, status="in_progress" if number == 1 else "pending")
    return session


def said_or_typed(told: Iterable[Entry]) -> list[Record]:
    """The items of what was said and typed, as a save makes them once it has seen what they are: what is
    measured is not whether it sees that.
    """
    found = []
    for number, one in enumerate(told):
        at = {"source": f"typed-{number}", "time": "2026-09-21T10:00:00.000Z", "position": number, "cycle": 0}
        if one.kind == "value":
            items = Conversation([], {}).sentence_items({**at, "via": "prompt"}, one.text, corrects=False)
            found += [told for told in items if told["kind"] == "value"] or [new_item("value", at, one.text, "user")]
        elif one.kind in ("rule", "request"):
            found.append(new_item(one.kind, at, one.text, "user", via="prompt"))
        elif one.kind in ("question", "decision"):
            found.append(new_item(one.kind, at, one.text, "assistant"))
    return found


def write_session(home: Home, told: Sequence[Entry], summary: str) -> Record:
    """Writes transcript, memory and a snapshot that is not put back; returns what the client gives the hook."""
    folder = home.path.parent
    home.session.mkdir(parents=True, exist_ok=True)
    calls, typed = session_of(told, summary), Session(first=100_000)
    for text in [*NUDGES, *(one.text for one in told if one.kind in ("request", "rule", "value"))]:
        typed.typed(text)
    memory = memory_of(calls, folder)
    memory["items"] = [*said_or_typed(told), *memory["items"]]
    replace_store(str(home.session / "memory.json"), memory)
    replace_store(str(home.session / "snapshot.json"), {
        **snapshot_of(memory, default_settings()), "session": SESSION_ID, "id": "1", "created": 1.0, "ttl": 600})
    replace_store(str(home.session / "compaction.json"), {"stage": "kept back"})
    transcript = (typed + calls).write(folder / "session.jsonl")
    given: Record = hook_input("PostCompact", transcript, cwd=str(folder), trigger="auto", compact_summary=summary)
    return given


def findings_of(case: Case, scripts: Path) -> tuple[list[Record], int]:
    """The note's findings, and the length of its text."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        planted = [one for what, one in case.planted.items() if what != "invented"]
        given = write_session(home, [*case.told, *planted], case.summary)
        done = home.run(str(scripts / "audit_summary.py"), given)
        if done.code or done.stdout or home.log():
            raise SystemExit(f"audit.py: the script ended with {done.code}: {done.stdout}{done.stderr}{home.log()}")
        note = home.stored("note.json") if (home.session / "note.json").exists() else {}
    return note.get("findings", []), len(note.get("text", "").encode("utf-16-le")) // 2


# --- verdicts ---


def is_about(finding: Record, fact: Entry) -> bool:
    """Whether the finding's text is the fact's, which may have been cut."""
    text = str(finding.get("text", "")).rstrip("…")
    return bool(text) and fact.named.startswith(text)


def cites(finding: Record, sentence: str) -> bool:
    """Whether the finding shows the beginning of the sentence, or is a piece of it."""
    shown = [sentence, finding.get("text"), finding.get("line")]
    told, *others = (" ".join(re.findall(r"\w+", str(text).lower())) for text in shown)
    return any(told[:30] in one or (len(one) > 12 and one in told) for one in others)


def judge(case: Case, findings: Sequence[Record]) -> tuple[list[Verdict], list[Alarm]]:
    """A verdict on each fact, and the findings that are about no fact that was dropped."""
    facts = [one for one in case.told if one.kind in KINDS]
    told = [one for one in findings if one["what"] == "dropped"]
    verdicts = [Verdict(case.half, fact, case.ways[fact.text], any(is_about(one, fact) for one in told),
                        case.sentences[fact.text] or nearest(fact, case.summary)) for fact in facts]
    return verdicts, [Alarm(case, one) for one in findings if one["what"] != "dropped" or not any(
        is_about(one, fact) for fact in facts)]


def nearest(fact: Entry, summary: str) -> str:
    """The summary's line that shares most words with a dropped fact."""
    words = set(re.findall(r"\w+", fact.text.lower()))
    return max(summary.splitlines(), key=lambda line: len(words.intersection(re.findall(r"\w+", line.lower()))))


def planted_found(case: Case, findings: Sequence[Record]) -> set[str]:
    """Which of the planted faults the note tells."""
    found = set()
    for what, one in case.planted.items():
        for finding in [finding for finding in findings if finding["what"] == what]:
            shown = json.dumps(finding, ensure_ascii=False)
            if cites(finding, one.wordings[0]) or (one.text and (is_about(finding, one) or one.named in shown)):
                found.add(what)
    return found


def share(part: int, whole: int) -> float:
    """The part of the whole, 1 of nothing."""
    return part / whole if whole else 1.0


def precision_and_recall(verdicts: Sequence[Verdict]) -> tuple[float, float]:
    """How many of the facts called dropped are dropped, and how many of those dropped are called so."""
    right = sum(one.called and one.way == "dropped" for one in verdicts)
    return (share(right, sum(one.called for one in verdicts)),
            share(right, sum(one.way == "dropped" for one in verdicts)))


def table(verdicts: Sequence[Verdict]) -> str:
    """Per kind and treatment the facts and how many were called dropped."""
    lines = ["| kind | " + " | ".join(f"{way}: facts, called dropped" for way in WAYS) + " | precision | recall |",
             "| --- |" + " --- |" * 5]
    for kind in (*KINDS, "all"):
        of_kind = [one for one in verdicts if kind in ("all", one.fact.kind)]
        cells = [[one.called for one in of_kind if one.way == way] for way in WAYS]
        precision, recall = precision_and_recall(of_kind)
        lines.append(f"| {kind} | " + " | ".join(f"{len(cell)}, {sum(cell)}" for cell in cells)
                     + f" | {precision:.3f} | {recall:.3f} |")
    return "\n".join(lines)


def shown_failures(verdicts: Iterable[Verdict], alarms: Iterable[Alarm]) -> str:
    """Each wrong verdict and false alarm of the fit half."""
    wrong = [one for one in verdicts if one.half == "fit" and one.called != (one.way == "dropped")]
    lines = [f"{one.way}, {'called dropped' if one.called else 'not told'}: {one.fact.kind}: {one.fact.text}\n"
             f"    {one.sentence}" for one in sorted(wrong)]
    return "\n".join([*lines, *(f"false alarm: {json.dumps(one.finding, ensure_ascii=False)}" for one in alarms
                                if one.case.half == "fit")])


# --- run ---


def cases_of(given: argparse.Namespace, name: str = "") -> Iterator[Case]:
    """The cases that were asked for, of both halves in turn; with planted faults when the name is "alarms"."""
    halves = HALVES if given.half == "both" else (given.half,)
    for number in range(given.cases):
        rng, half = random.Random(f"{name} {given.seed} {number}"), halves[number % len(halves)]
        yield make_case(rng, half, planted_faults(rng, half) if name == "alarms" else {})


def planted_faults(rng: random.Random, half: str) -> dict[str, Entry]:
    """An invented instruction, a failed command that is told as passed, a rule with another number, name or sense."""
    command, error, claim = rng.choice(CHECK_FALSE_CLAIMS if half == "check" else FALSE_CLAIMS)
    rule, wrong = rng.choice(CHECK_CHANGED if half == "check" else CHANGED)
    invented = rng.choice(CHECK_INVENTED if half == "check" else INVENTED)
    return {"invented": Entry("", "rule", "", "", (invented,)),
            "contradicted": Entry("", "failure", "", f"{command} -> {error}", (claim,)),
            "changed": Entry("", "rule", "", rule, (wrong,))}


def measure_notes(given: argparse.Namespace) -> int:
    """0 when precision and recall reach the goal; prints the tables or the failures."""
    verdicts: list[Verdict] = []
    alarms: list[Alarm] = []
    lengths: list[int] = []
    for case in cases_of(given):
        findings, length = findings_of(case, given.scripts)
        more_verdicts, more_alarms = judge(case, findings)
        verdicts, alarms, lengths = verdicts + more_verdicts, alarms + more_alarms, [*lengths, length]
    if given.failures:
        print(shown_failures(verdicts, alarms))
    else:
        for half in (*HALVES, "both") if given.half == "both" else (given.half,):
            others = Counter(one.finding["what"] for one in alarms if half in ("both", one.case.half))
            print(f"{half}\n\n{table([one for one in verdicts if half in ('both', one.half)])}\n\n"
                  f"others: {dict(others) or 'none'}\n")
        print(f"{given.cases} summaries, seed {given.seed}; notes of {statistics.median(lengths):.0f} UTF-16 units in "
              f"the median, {max(lengths)} at most")
    return int(min(precision_and_recall(verdicts)) < GOAL)


def measure_alarms(given: argparse.Namespace) -> int:
    """0; prints how many planted faults were found, and what else the notes told but dropped facts."""
    found: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for case in cases_of(given, "alarms"):
        findings, _ = findings_of(case, given.scripts)
        found.update(planted_found(case, findings))
        told.update(one.finding["what"] for one in judge(case, findings)[1])
    print("| planted | summaries | found | findings of that kind |\n| --- | --- | --- | --- |")
    for what, name in ALARMS.items():
        print(f"| {name} | {given.cases} | {found[what]} | {told.pop(what, 0)} |")
    print(f"\nothers: {dict(told) or 'none'}")
    return 0


def forget_audits(home: Home) -> None:
    """Lets the next run audit anew: a compaction is audited once."""
    for mark in home.session.glob("audited-*"):
        mark.unlink()


def timed_session(rng: random.Random) -> tuple[list[Entry], str]:
    """Facts of all projects among passing commands, and a summary of wordings of these and of other facts."""
    known = list({one.named: one for half in HALVES for project in projects(half).values() for one in project
                  if one.kind in KINDS}.values())
    told = rng.sample(known, JUDGED_ITEMS)
    lines = [f"- {wording}" for one in known for wording in (one.text, *one.wordings)]
    commands = ITEMS - JUDGED_ITEMS - len(texts(told, "failure"))  # what fails is a command too
    told += [Entry("", "ran", "", f"make part-{number}", ()) for number in range(commands)]
    return told, "\n".join(rng.sample(lines, len(lines)))[:SUMMARY_SIZE]


def timed_home(folder: Path, seed: int) -> tuple[Home, Record]:
    """A data folder for the timed run, where the text has gone out before, and what the client gives the hook."""
    folder.mkdir()
    home = Home(folder / "home")
    given = write_session(home, *timed_session(random.Random(seed)))
    snapshot = home.stored("snapshot.json")
    delivered = {"schema": 1, "text": render(snapshot)}
    (home.session / f"delivered-{snapshot['id']}").write_text(json.dumps(delivered), encoding="utf-8")
    return home, given


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what the audit says about made-up summaries.")
    parser.add_argument("--cases", type=int, metavar="N", help="200, with --alarms 60")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--scripts", type=Path, default=SCRIPTS, metavar="DIR")
    only = parser.add_mutually_exclusive_group()
    for name in ("failures", "alarms"):
        only.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args(argv)
    given.cases = given.cases or (60 if given.alarms else 200)
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the goals hold, 1 when one does not."""
    given = arguments(argv)
    return measure_alarms(given) if given.alarms else measure_notes(given)


if __name__ == "__main__":
    raise SystemExit(main())
