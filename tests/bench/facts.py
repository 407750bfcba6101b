#!/usr/bin/env python3
"""Measure how much of what a session planted comes back after each of its compactions, and print a table.

Usage: facts.py [--seed N] [--sessions N] [--budget UNITS] [--scripts DIR] [--control NAME] [--json | --show SESSION]

Sessions are made up (planted.py, seeded). Each is replayed as in real life, with real processes and one data folder:
at every compaction save_snapshot.py runs on what the file holds by then (at an automatic one it lags, its last line
may be torn), then restore_snapshot.py; what it printed goes into the transcript, as the client keeps it, and the
session goes on. In half of the sessions saves on Stop run in between, in a few answer_prompt.py runs on every prompt
and record_event.py on every tool call. The hooks' clock is moved to the session's; the project's folder, its branch and
its files are real.

Measured at every compaction, against the facts that hold then:

coverage    of the facts that hold, the share that was put back: all pieces stand in the text, case and white space
            folded; a rule stands in its own words; an outcome, status or doubt stands on the fact's line; a value
            stands on a line with its name. Over 10,000 UTF-16 units the model sees the first 2,000 only.
precision   of the planted facts shown, the share that holds. One that does not hold is shown as live when the words
            that tell it stand on a line that does not say that it is over (withdrawn, done, passed, ended ...). A
            withdrawn rule, or an order for one step, must not stand among the rules; as typed words it may. An
            imitated rule is shown as a rule when it makes up most of its line. Lines without a planted fact are not
            judged.

Controls take the hooks' place, to see what the measure is worth: "empty" delivers nothing, "typed" the last 9,000
characters that the person typed, "oracle" every fact that holds, in a line of its own.

Exits 0 when all goals hold, 1 when one does not, 2 on a wrong argument. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [name for name in (str(TESTS), str(TESTS.parent / "src")) if name not in sys.path]

from planted import DELIVERED, story  # noqa: E402
from sessions import CWD, SESSION_ID, START, JsonObject, as_line, hook_input, units  # noqa: E402
from shipped import SCRIPTS  # noqa: E402
from story import BESIDE, SIZES, Fact, Moment, Story  # noqa: E402

CLIENT_LIMIT, PREVIEW = 10_000, 2_000  # UTF-16 units: a longer text is replaced by its beginning
TYPED_CONTROL = 9_000  # characters
HOOK_TIMEOUT = 30  # seconds; a hook that hangs ends the run
VITAL = ("pin", "rule", "request", "question", "task", "failure")
KINDS = (*VITAL, "answer", "plan", "file", "command", "job")
TOGETHER = ("answer",)  # kinds whose pieces mean something on one line only
COVERAGE = {**dict.fromkeys(VITAL, 0.97), "rule": 0.85, "failure": 0.65, "all": 0.80}  # below: something broke
SILENT = ("past", "superseded", "cancelled", "finished")  # fates neither wanted nor wrong: words stand with their time
NO_RULES = ("one-off", "withdrawn")  # fates of what must not stand among the rules; as words typed it may
RULE_SHARE = 0.4  # of a line that an imitated rule must make up to be shown as a rule; less is a longer quotation
THIRDS = ("early", "middle", "late")
OVER = re.compile(  # says on a line that what it tells is over
    r"\[x\]|(?<!not )(?<!not yet )(?<!never )(?<!un)\b(?:done|passed|passes|answered|completed|finished|resolved"
    r"|fixed|cleared|ended|stopped)\b|\b(?:not|never) approved|\b(?:withdrawn|taken back|replaced|superseded|reversed"
    r"|rejected|refused|declined|cancell?ed|dropped|struck|deleted|removed|gone|former|formerly|no longer|outdated"
    r"|obsolete|chose|approved)\b")
CLOCK = ("import time; real = time.time; shift = {at!r} - real(); time.time = lambda: real() + shift; "
         "exec(compile(open({path!r}, encoding='utf-8').read(), {path!r}, 'exec'), "
         "{{'__name__': '__main__', '__file__': {path!r}}})")  # of run_hook.py, which starts a hook from its bytecode


class Check(NamedTuple):
    """A fact at a compaction: whether it holds, and whether the text treats it so."""

    fact: Fact
    holds: bool
    good: bool
    third: str
    language: str
    lagged: bool  # it began or ended in rows that the file did not have yet when the hook for PreCompact ran


class Delivery(NamedTuple):
    """What one compaction of a session put back."""

    story: str
    number: int
    text: str
    checks: list[Check]
    save_ms: float
    restore_ms: float


class Row(NamedTuple):
    """A kind's line in the table."""

    kind: str
    facts: int
    checks: int
    coverage: float
    thirds: tuple[float, ...]
    precision: float
    wrong: int


# --- replay: a session with the real hooks ---


class Stage:
    """The folders of a session that is replayed, and its transcript as far as it was written."""

    def __init__(self, folder: Path, played: Story, scripts: Path, budget: int) -> None:
        self.home, self.project, self.path = folder / "home", folder / "project", folder / "session.jsonl"
        self.scripts, self.story, self.written, self.half, self.delivered = scripts, played, 0, b"", ""
        (self.home / "sessions" / SESSION_ID).mkdir(parents=True)
        self.path.touch()
        for name in used_files(played):
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).touch()
        if budget:
            (self.home / "config.json").write_text(json.dumps({"schema": 1, "budget": budget}), encoding="utf-8")

    def line(self, at: int) -> bytes:
        """A record's line; a glued one has no end. What our hook said stands where the client keeps it."""
        hook_text = json.dumps(self.delivered, ensure_ascii=False)[1:-1]
        line = as_line(self.story.records[at]).replace(DELIVERED.encode(), hook_text.encode("utf-8", "surrogatepass"))
        line = line.replace(CWD.encode(), str(self.project).encode())
        return line[:-1] if at in self.story.glued else line

    def grow(self, stop: int, torn: bool = False) -> None:
        """Writes the records up to the given one, and of a torn line its first half."""
        lines = [self.line(at) for at in range(self.written, stop)]
        data, self.half, self.written = b"".join(lines)[len(self.half):], b"", stop
        if torn:
            line = self.line(stop)
            self.half = line[:len(line) // 2]
        with self.path.open("ab") as file:
            file.write(data + self.half)

    def hook(self, script: str, given: JsonObject, at: float) -> tuple[str, float]:
        """What the hook prints, and the milliseconds it takes; its clock shows the session's time."""
        code = CLOCK.format(at=START + at, path=str(self.scripts / "run_hook.py"))
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home.parent / "no-home"),
                       "LC_ALL": "C",
                       "COMPACT_KEEPER_HOME": str(self.home), "COMPACT_KEEPER_ARCHIVE": "off"}
        given, started = {**given, "cwd": str(self.project)}, time.perf_counter()
        done = subprocess.run([sys.executable, "-IS", "-c", code, script], input=json.dumps(given).encode(),
                              env=environment, capture_output=True, timeout=HOOK_TIMEOUT)
        if done.returncode:
            raise SystemExit(f"facts.py: {script} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
        return done.stdout.decode(), (time.perf_counter() - started) * 1000

    def set_project(self, moment: Moment) -> None:
        """The project's branch and files as they are at that moment, and the person's pins."""
        git = self.project / ".git"
        (git / "refs" / "heads" / moment.branch).parent.mkdir(parents=True, exist_ok=True)
        (git / "refs" / "heads" / moment.branch).write_text(f"{moment.at * 0x9E3779B97F4A7C15:040x}\n",
                                                            encoding="utf-8")
        (git / "HEAD").write_text(f"ref: refs/heads/{moment.branch}\n", encoding="utf-8")
        for fact in self.story.facts:
            if fact.fate == "deleted" and fact.until <= moment.at:
                (self.project / fact.pieces[0]).unlink(missing_ok=True)
        pins = [fact for fact in self.story.facts if fact.kind == "pin" and fact.since <= moment.at]
        lines = [json.dumps({"schema": 1, "time": time_of(pin.since), "text": pin.pieces[0]}) for pin in pins]
        (self.home / "sessions" / SESSION_ID / "pins.jsonl").write_text("".join(f"{line}\n" for line in lines),
                                                                        encoding="utf-8")


def time_of(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + second))


def used_files(played: Story) -> set[str]:
    """The files of the project that the session's tools name."""
    inputs = [block.get("input", {}) for record in played.records if record["type"] == "assistant"
              for block in record["message"]["content"]]
    return {fields["file_path"][len(CWD) + 1:] for fields in inputs
            if str(fields.get("file_path")).startswith(f"{CWD}/")}


def replay(played: Story, folder: Path, scripts: Path, budget: int) -> Iterator[Delivery]:
    """The deliveries of the session's compactions, in order."""
    stage, number = Stage(folder, played, scripts, budget), 0
    for moment in played.moments:
        stage.grow(moment.at - moment.lag, moment.torn)
        if moment.what == "event":
            given = {**hook_input("", stage.path), **(moment.given or {})}
            is_prompt = given["hook_event_name"] == "UserPromptSubmit"
            stage.hook("answer_prompt.py" if is_prompt else "record_event.py", given, moment.at - 0.5)
        elif moment.what == "stop":
            stage.hook("save_snapshot.py", hook_input("Stop", stage.path), moment.at - 0.5)
        else:
            stage.set_project(moment)
            _, save_ms = stage.hook("save_snapshot.py", hook_input("PreCompact", stage.path), moment.at + 0.1)
            stage.grow(moment.at)
            output, restore_ms = stage.hook(
                "restore_snapshot.py", hook_input("SessionStart", stage.path, source="compact"), moment.at + 0.4)
            stage.delivered, number = restored(output), number + 1
            yield delivery(played, moment, number, stage.delivered, (save_ms, restore_ms))


def restored(printed: str) -> str:
    """The text for the model in what restore_snapshot.py printed."""
    return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"]) if printed.strip() else ""


# --- controls: texts of known worth in the hooks' place ---


def controlled(played: Story, control: str) -> Iterator[Delivery]:
    """The deliveries that a control makes of the session's compactions."""
    compactions = [moment for moment in played.moments if moment.what == "compact"]
    for number, moment in enumerate(compactions, 1):
        yield delivery(played, moment, number, CONTROLS[control](played, moment.at), (0.0, 0.0))


def typed_words(played: Story, at: int) -> str:
    """The last of what the person typed, a prompt a line."""
    typed = [record["message"]["content"] for record in played.records[:at] if record["type"] == "user"
             and not record.get("isMeta") and not record.get("isCompactSummary")]
    return "\n".join(" ".join(text.split()) for text in typed if isinstance(text, str))[-TYPED_CONTROL:]


def every_fact(played: Story, at: int) -> str:
    """Every fact that holds, a line each."""
    in_force = [fact for fact in played.facts if fact.since <= at < fact.until]
    return "\n".join(" – ".join((*fact.pieces, BESIDE[fact.beside][1])) for fact in in_force)


CONTROLS = {"empty": lambda _played, _at: "", "typed": typed_words, "oracle": every_fact}


# --- measure: the facts in a text ---


def fold(text: str) -> str:
    """The text with case and white space folded."""
    return " ".join(text.casefold().split())


def seen_part(text: str) -> str:
    """What the model sees of the text."""
    if units(text) <= CLIENT_LIMIT:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: 2 * PREVIEW].decode("utf-16-le", "ignore")


def put_back(fact: Fact, lines: list[str]) -> bool:
    """Whether the lines show the fact as it is."""
    pieces = list(map(fold, fact.pieces))
    telling = [line for line in lines if not pieces or pieces[0] in line]
    if fact.kind in TOGETHER:
        telling = [line for line in telling if all(piece in line for piece in pieces)]
    text = " ".join(lines)
    return all(piece in text for piece in pieces) and any(re.search(BESIDE[fact.beside][0], line) for line in telling)


def shown_as_live(fact: Fact, lines: list[str], live_request: str) -> bool:
    """Whether the lines show a fact that does not hold as if it did."""
    marks = list(map(fold, fact.marks or fact.pieces))
    if fact.fate == "finished":
        text = "\n".join(lines)
        return bool(live_request) and marks[0] in text.partition(live_request)[0]
    telling = [line for line in lines if all(mark in line for mark in marks)]
    if fact.fate == "imitated":
        return any(len(marks[0]) >= RULE_SHARE * len(line) for line in telling)
    return not all(OVER.search(without(line, marks)) for line in telling)


def among_rules(fact: Fact, text: str, rules: list[str]) -> bool:
    """Whether the fact stands in the section of the rules; of a text without headings in that which shows most."""
    parts = [fold(section) for section in re.split(r"(?m)^#+ |\n\n", text)]
    sections = [part for part in parts if part.startswith("standing rules") or not re.search(r"(?m)^#+ ", text)]
    most = max(sections, key=lambda section: sum(rule in section for rule in rules), default="")
    return any(rule in most for rule in rules) and fold(fact.pieces[0]) in most


def without(line: str, marks: list[str]) -> str:
    """The line without the fact's own words, which may hold any word."""
    for mark in marks:
        line = line.replace(mark, "…")
    return line


def delivery(played: Story, moment: Moment, number: int, text: str, ms: tuple[float, float]) -> Delivery:
    """The delivered text with a check of every fact that holds or has held."""
    seen = seen_part(text)
    lines = [fold(line) for line in seen.splitlines()]
    planted = [fact for fact in played.facts if fact.kind in KINDS]
    in_force = [fact for fact in planted if fact.since <= moment.at < fact.until and fact.way != "one-off"]
    over = [fact for fact in planted if fact.until <= moment.at and fact.fate not in SILENT]
    request = "".join(fold(fact.pieces[0]) for fact in in_force if fact.kind == "request")
    rules = [fold(fact.pieces[0]) for fact in in_force if fact.kind == "rule"]

    def check(fact: Fact, holds: bool) -> Check:
        good = (put_back(fact, lines) if holds else not among_rules(fact, seen, rules) if fact.fate in NO_RULES
                else not shown_as_live(fact, lines, request))
        third = THIRDS[min(3 * fact.since // max(moment.at, 1), 2)]
        lagged = moment.at - moment.lag <= (fact.since if holds else fact.until) <= moment.at
        return Check(fact, holds, good, third, played.language, lagged and moment.lag > 0)
    checks = [check(fact, True) for fact in in_force] + [check(fact, False) for fact in over]
    return Delivery(played.name, number, text, checks, *ms)


# --- report ---


def share(checks: Iterable[Check]) -> float:
    """Of the checks the share that is good; 1 when there are none."""
    good = [check.good for check in checks]
    return sum(good) / len(good) if good else 1.0


def row(kind: str, checks: list[Check]) -> Row:
    """The table's line of a kind, or of all."""
    of_kind = [check for check in checks if kind in ("all", check.fact.kind)]
    live = [check for check in of_kind if check.holds]
    wrong = sum(not check.holds and not check.good for check in of_kind)
    shown = sum(check.good for check in live)
    thirds = tuple(share(check for check in live if check.third == third) for third in THIRDS)
    return Row(kind, len({id(check.fact) for check in live}), len(live), share(live), thirds,
               shown / (shown + wrong) if shown + wrong else 1.0, wrong)


def summary(deliveries: list[Delivery]) -> JsonObject:
    """The measures that are not of one kind."""
    checks = [check for delivery in deliveries for check in delivery.checks]
    wrong = [check.fact.fate for check in checks if check.fact.kind == "rule" and not check.holds and not check.good]
    size = sum(units(delivery.text) for delivery in deliveries)
    shown = sum(check.holds and check.good for check in checks)
    by_language: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        if check.fact.kind == "rule" and check.holds:
            by_language[check.language].append(check)
    return {
        "deliveries": len(deliveries), "empty": sum(not delivery.text for delivery in deliveries),
        "over the client's limit": sum(units(delivery.text) > CLIENT_LIMIT for delivery in deliveries),
        "units, median": statistics.median(units(delivery.text) for delivery in deliveries),
        "facts per 1,000 characters": round(1_000 * shown / size, 2) if size else 0.0,
        "withdrawn rules shown": wrong.count("withdrawn"),
        "imitated rules shown": wrong.count("imitated"), "one-off orders among the rules": wrong.count("one-off"),
        "faults that began in rows the file lacked": sum(check.lagged and not check.good for check in checks),
        "save ms, median": round(statistics.median(delivery.save_ms for delivery in deliveries), 1),
        "restore ms, median": round(statistics.median(delivery.restore_ms for delivery in deliveries), 1),
        "rules by language": {name: round(share(group), 3) for name, group in sorted(by_language.items())}}


def failed_goals(rows: list[Row], measures: JsonObject) -> list[str]:
    """What is under its goal, in words."""
    below = [f"{row.kind} {row.coverage:.3f} < {COVERAGE[row.kind]}" for row in rows
             if row.kind in COVERAGE and row.coverage < COVERAGE[row.kind]]
    return below + [f"{measures[name]} {name}" for name in ("withdrawn rules shown", "imitated rules shown")
                    if measures[name]]


def table(rows: list[Row]) -> str:
    """The rows as aligned text, the goal last."""
    lines = [f"{'kind':10}{'facts':>7}{'checks':>8}{'coverage':>10}" + "".join(f"{third:>8}" for third in THIRDS)
             + f"{'precision':>11}{'wrong':>7}  goal"]
    for row in rows:
        thirds = "".join(f"{third:8.3f}" for third in row.thirds)
        goal = f"coverage ≥ {COVERAGE[row.kind]:.2f}" if row.kind in COVERAGE else ""
        numbers = f"{row.facts:7}{row.checks:8}{row.coverage:10.3f}{thirds}{row.precision:11.3f}{row.wrong:7}"
        lines.append(f"{row.kind:10}{numbers}  {goal}".rstrip())
    return "\n".join(lines)


def report(rows: list[Row], measures: JsonObject) -> str:
    """The table, what is not of one kind, and what is under its goal."""
    lines = [table(rows), ""]
    for name, value in measures.items():
        shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        lines.append(f"{name}: {shown}{'  (goal: 0)' if name.endswith('rules shown') else ''}")
    below = failed_goals(rows, measures)
    return "\n".join([*lines, "", f"under the goal: {'; '.join(below)}" if below else "all goals hold"])


def fault(check: Check) -> str:
    """What is missing or wrong, in a line."""
    fact = check.fact
    lag = "rows came late" if check.lagged else ""
    about = ", ".join(filter(None, (fact.kind, fact.fate or check.third, fact.way, fact.beside, lag)))
    return f"{'MISSED' if check.holds else 'SHOWN '} {about}: {' – '.join(fact.pieces)}"


def shown_session(deliveries: list[Delivery], name: str) -> str:
    """The texts of one session, each with what is missing and what is wrong in it."""
    parts = []
    for delivery in [delivery for delivery in deliveries if delivery.story == name]:
        heading = f"=== session {name}, compaction {delivery.number}: {units(delivery.text)} units"
        faults = [fault(check) for check in delivery.checks if not check.good]
        parts.append("\n".join([heading, delivery.text, "", *faults]))
    return "\n\n".join(parts)


# --- run ---


def positive(text: str) -> int:
    """The number, for argparse."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what comes back of planted facts.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=positive, default=len(SIZES), metavar="N")
    parser.add_argument("--budget", type=int, default=0, metavar="UNITS", help="written into config.json")
    parser.add_argument("--scripts", type=Path, default=SCRIPTS, metavar="DIR")
    parser.add_argument("--control", choices=CONTROLS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", metavar="SESSION", help="its number, as 07")
    return parser.parse_args(argv)


def deliveries_of(given: argparse.Namespace) -> list[Delivery]:
    """The deliveries of all sessions that were asked for."""
    numbers = [int(given.show)] if given.show else range(given.sessions)
    deliveries: list[Delivery] = []
    for number in numbers:
        played = story(given.seed, number)
        with tempfile.TemporaryDirectory() as folder:
            deliveries += controlled(played, given.control) if given.control else replay(
                played, Path(folder), given.scripts.resolve(), given.budget)
    return deliveries


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all goals hold, 1 when one does not."""
    given = arguments(argv)
    deliveries = deliveries_of(given)
    rows = [row(kind, [check for delivery in deliveries for check in delivery.checks]) for kind in (*KINDS, "all")]
    measures = summary(deliveries)
    below: list[str] = failed_goals(rows, measures)
    if given.json:
        as_json: dict[str, Any] = {
            "kinds": {figures.kind: figures._asdict() for figures in rows}, **measures, "under the goal": below}
        print(json.dumps(as_json, ensure_ascii=False, indent=1))
    else:
        print(shown_session(deliveries, f"{int(given.show):02d}") if given.show else report(rows, measures))
    return 1 if below else 0


if __name__ == "__main__":
    raise SystemExit(main())
