#!/usr/bin/env python3
"""The reader's test on your own sessions: does what comes back after a compaction help whoever goes on with the work?

Usage: reader.py [PATHS…] [--reader COMMAND] [--out FOLDER] [--cases N] [--questions N] [--characters N] [--timeout S]

Reads   transcripts: files, or folders with *.jsonl anywhere below; by default the client's own projects folder. A case
        is one compaction with a summary and enough of the thread before and after it; the newest are taken.
Lays    out in FOLDER, for each case: the client's own new context alone ("summary"), and with what our hooks add
        ("ours": run as the client runs them, with an empty data folder and an empty project).
Asks    COMMAND, any that reads a prompt from stdin and prints an answer, each time in a process and an empty folder of
        its own: a writer of questions (who sees what lay before and after, not the summary nor our text), a reader for
        each condition, a grader (who sees the answers in an order drawn anew for each question, without names).
Prints  the table of docs/measures.md. Of the points that the summary's readers lose, how many do ours win back?

Without COMMAND it stops where a prompt has no answer: give NAME-prompt.md to a fresh reader of your choice, save what
it says as NAME-answer.txt beside it and start again. What FOLDER holds already is not asked again, so a test that was
stopped goes on; a case that is laid out keeps its text: for other scripts take another FOLDER.

Nothing leaves this machine but through COMMAND, which gets large parts of your transcripts (secrets of known forms are
taken out). FOLDER holds the same. Exits 0, 1 when there is nothing to measure, 2 on a usage error, 130 when stopped.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

import reader_cases
import reader_prompts
from compact_keeper.text.redact import redact
from compact_keeper.text.version import VERSION
from reader_prompts import Grade

Answer = TypeVar("Answer")

CONDITIONS = ("summary", "ours")  # the first is what the other is compared with
ATTEMPTS = 2  # a fresh process each; the second where the first failed or printed no JSON
AFTER_SHARE = 0.25  # of the writer's material is what was done after the compaction
ADDED = "\n\n# Added by a tool\n\n"


class MissingAnswer(Exception):
    """No answer stands beside these prompts, and there is no command to ask."""

    def __init__(self, prompts: list[Path]) -> None:
        super().__init__(prompts)
        self.prompts = prompts


class NoAnswer(Exception):
    """The command gave none, and why; final: another try would only take as long again."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class Graded(NamedTuple):
    """A case's grades: of each condition one per question."""

    case: str
    added: int  # characters that our hooks add
    grades: dict[str, list[Grade]]


class Limits(NamedTuple):
    """What is asked for, and how much of a session at once."""

    questions: int
    characters: int


# --- the command ---


class Command:
    """The person's command; each question to it is a process of its own. Empty: there is none."""

    def __init__(self, text: str, timeout: float) -> None:
        self.text, self.timeout = text, timeout
        self.processes, self.lock, self.is_stopped = set[int](), threading.Lock(), False

    def answer(self, prompt: str) -> str:
        """What it prints; NoAnswer where it fails, takes too long, or was stopped."""
        with tempfile.TemporaryDirectory(prefix="reader-") as empty:
            with self.lock:  # a process that starts while all are stopped would go on alone
                if self.is_stopped:
                    raise NoAnswer("stopped", True)
                process = subprocess.Popen(["/bin/sh", "-c", self.text], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, cwd=empty, start_new_session=True)
                self.processes.add(process.pid)
            try:
                out, err = process.communicate(prompt.encode(), self.timeout)
            except subprocess.TimeoutExpired:
                end_group(process.pid)
                process.communicate()
                raise NoAnswer(f"no answer in {self.timeout:g} s (--timeout)", True) from None
            finally:
                with self.lock:
                    self.processes.discard(process.pid)
        if process.returncode:
            words = err.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise NoAnswer(f"exit {process.returncode}{': ' + words[0][:200] if words else ''}")
        return out.decode("utf-8", "replace")

    def stop(self) -> None:
        """Ends what runs, and starts no more."""
        with self.lock:
            self.is_stopped = True
            for pid in self.processes:
                end_group(pid)


def end_group(pid: int) -> None:
    """Ends the process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


# --- files of a case ---


def read(path: Path) -> str:
    """The text of a file, its line ends as they are; empty where there is none."""
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def write(path: Path, text: str) -> str:
    """The text as it now stands in the file: half a character, as transcripts may hold, becomes a question mark."""
    raw = text.encode("utf-8", "replace")
    path.write_bytes(raw)
    return raw.decode()


def lay_out(case: reader_cases.Case, out: Path, limits: Limits) -> Path:
    """The case's folder, with all that its prompts are made of; one that is there already stays as it is."""
    folder = out / case.name
    if (folder / "case.json").exists():
        return folder
    folder.mkdir(exist_ok=True)
    after_max = int(limits.characters * AFTER_SHARE)
    own, recap = redact(reader_cases.own_context(case)), reader_cases.recap_of(case)
    kept = reader_cases.shortened(own, limits.characters)
    write(folder / "before.md", redact(reader_cases.story_before(case, limits.characters - after_max)))
    write(folder / "after.md", redact(reader_cases.story_after(case, after_max)))
    write(folder / "context-summary.md", kept)
    write(folder / "context-ours.md", kept + (ADDED + recap if recap else ""))
    about = {"transcript": str(case.file), "compacted": case.seconds, "characters": len(own), "shortened": kept != own,
             "added": len(recap), "version": VERSION}
    write(folder / "case.json", json.dumps(about, indent=1))  # last: what is half laid out is laid out again
    return folder


def step(folder: Path, name: str, prompt: str, command: Command, taken: Callable[[str], Answer | None]) -> Answer:
    """What the answer to a prompt holds: the one that stands in the folder, or a new one of the command.

    An answer to a prompt that was another one is put aside.
    """
    prompt_path, answer_path = folder / f"{name}-prompt.md", folder / f"{name}-answer.txt"
    before = read(prompt_path)
    prompt = write(prompt_path, prompt)
    if before != prompt and answer_path.exists():
        answer_path.replace(folder / f"{name}-answer.old.txt")
    value, reason = taken(read(answer_path)), ""
    if value is None and not command.text:
        raise MissingAnswer([prompt_path])
    for attempt in range(1, ATTEMPTS + 1):
        if value is not None:
            break
        try:
            text = command.answer(prompt)
        except NoAnswer as problem:
            reason = str(problem)
            if problem.is_final:
                break
            continue
        value, reason = taken(text), f"printed no JSON of the form that was asked for, see {name}-failed-{attempt}.txt"
        write(answer_path if value is not None else folder / f"{name}-failed-{attempt}.txt", text)
    if value is None:
        raise NoAnswer(f"{name}: {reason}")
    return value


def graded(folder: Path, command: Command, limits: Limits) -> Graded:
    """The grades of a case, asked for step by step."""
    questions = step(folder, "questions", reader_prompts.writer_prompt(
        read(folder / "before.md"), read(folder / "after.md"), limits.questions), command,
        lambda text: reader_prompts.read_questions(text, limits.questions))
    answers, missing = dict[str, list[str]](), list[Path]()
    for condition in CONDITIONS:
        prompt = reader_prompts.reader_prompt(read(folder / f"context-{condition}.md"), questions)
        try:
            answers[condition] = step(folder, f"answers-{condition}", prompt, command,
                                      lambda text: reader_prompts.read_answers(text, len(questions)))
        except MissingAnswer as gap:
            missing += gap.prompts
    if missing:
        raise MissingAnswer(missing)
    orders = [drawn_order(folder.name, number) for number in range(len(questions))]
    shuffled = [[answers[condition][number] for condition in order] for number, order in enumerate(orders)]
    rows = step(folder, "grades", reader_prompts.grader_prompt(questions, shuffled), command,
                lambda text: reader_prompts.read_grades(text, len(questions), len(CONDITIONS)))
    named = [dict(zip(order, row)) for order, row in zip(orders, rows)]
    write(folder / "result.json", json.dumps(
        [{**question, **{condition: {"answer": answers[condition][number], **named[number][condition]}
                         for condition in CONDITIONS}} for number, question in enumerate(questions)],
        indent=1, ensure_ascii=False))
    return Graded(folder.name, int(json.loads(read(folder / "case.json"))["added"]),
                  {condition: [row[condition] for row in named] for condition in CONDITIONS})


def drawn_order(case: str, question: int) -> list[str]:
    """The order in which a grader sees a question's answers: the same each time, and nothing can be read from it."""
    order = list(CONDITIONS)
    random.Random(f"{case} {question}").shuffle(order)
    return order


# --- the table ---


def table(results: list[Graded]) -> str:
    """A row for each condition, as in docs/measures.md."""
    base = scores(results, CONDITIONS[0])
    lost = sum(1 - score for score in base)
    rows = [["condition", "characters added", "score", "won back of what the summary's readers lose",
             "false with confidence", "questions"]]
    for condition in CONDITIONS:
        points = scores(results, condition)
        gain = sum(points) - sum(base)
        is_base = condition == CONDITIONS[0]
        wrong = sum(grade["wrong"] for result in results for grade in result.grades[condition])
        added = 0 if is_base else statistics.mean(result.added for result in results)
        rows.append([condition, f"{added:,.0f}", f"{statistics.mean(points):.3f}",
                     "–" if is_base or not lost else f"{100 * gain / lost:.0f} %", str(wrong), str(len(points))])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def scores(results: list[Graded], condition: str) -> list[float]:
    """The scores of all questions."""
    return [float(grade["score"]) for result in results for grade in result.grades[condition]]


def conditions_said(results: list[Graded], command: Command, limits: Limits) -> str:
    """Under which conditions the table was made, and how far it carries."""
    differences = [ours - alone for ours, alone in zip(scores(results, "ours"), scores(results, "summary"))]
    error = statistics.stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
    better, worse = (sum(sign * difference > 0 for difference in differences) for sign in (1, -1))
    return (f"{len(differences)} questions of {len(results)} compactions; with our text better in {better}, worse in "
            f"{worse}, the same in {len(differences) - better - worse}.\nDifference of the scores "
            f"{statistics.mean(differences):+.3f}, standard error over the questions {error:.3f}.\n"
            f"Questions, answers and grades by {f'processes of: {command.text}' if command.text else 'hand'}; at most "
            f"{limits.characters:,} characters of a session in a prompt; compact-keeper {VERSION}.\n"
            "The project's files and git as they were then are not part of the test.")


# --- all of it ---


def main(argv: Sequence[str] | None = None) -> int:
    """0 when something was measured, or laid out."""
    given = arguments(argv)
    limits, command = Limits(given.questions, given.characters), Command(given.reader.strip(), given.timeout)
    cases = reader_cases.find_cases(given.paths, given.cases, given.before, given.after)
    if not cases:
        print(f"reader.py: no compaction to test in {', '.join(map(str, given.paths))}: it takes a summary, "
              f"{given.before} messages before it and {given.after} after (--before, --after)", file=sys.stderr)
        return 1
    out = given.out or Path(tempfile.mkdtemp(prefix="reader-test-"))
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    folders = [lay_out(case, out, limits) for case in cases]
    for folder in folders:
        about = json.loads(read(folder / "case.json"))
        print(f"{folder.name}: the client's own context {about['characters']:,} characters"
              f"{', shortened' if about['shortened'] else ''}; ours adds {about['added']:,}", file=sys.stderr)
    if command.text:
        print(f"Up to {4 * len(folders)} prompts with parts of these transcripts go to: {command.text}",
              file=sys.stderr, flush=True)
    return report(out, folders, command, limits, given.jobs)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for on the command line."""
    def positive(text: str) -> int:
        if (number := int(text)) < 1:
            raise ValueError
        return number
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    parser = argparse.ArgumentParser(description="Tests on your own sessions what readers gain from what comes back.")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path(config, "projects")], metavar="PATHS")
    parser.add_argument("--reader", default="", metavar="COMMAND", help="reads a prompt and prints an answer")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keeps everything; else a new temporary folder")
    parser.add_argument("--cases", type=positive, default=5, metavar="N", help="the newest N compactions (5)")
    parser.add_argument("--questions", type=positive, default=8, metavar="N", help="for each case (8)")
    parser.add_argument("--characters", type=positive, default=300_000, metavar="N",
                        help="of a session in a prompt, at most (300000)")
    parser.add_argument("--before", type=positive, default=40, metavar="N", help="messages before the compaction (40)")
    parser.add_argument("--after", type=positive, default=20, metavar="N", help="messages after it (20)")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="S", help="seconds for an answer (600)")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N", help="cases at a time (2)")
    return parser.parse_args(argv)


def report(out: Path, folders: list[Path], command: Command, limits: Limits, jobs: int) -> int:
    """Asks for every case, and prints the table, or what is missing."""
    results, missing, failed = list[Graded](), list[Path](), 0

    def outcome(folder: Path) -> Graded | Exception:
        try:
            return graded(folder, command, limits)
        except (MissingAnswer, NoAnswer) as problem:
            return problem

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for folder, result in zip(folders, pool.map(outcome, folders)):
                if isinstance(result, Graded):
                    results.append(result)
                elif isinstance(result, MissingAnswer):
                    missing += result.prompts
                else:
                    failed += 1
                    print(f"Not counted: {folder.name}: {result}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            command.stop()
            print(f"reader.py: stopped; the same command with --out {out} goes on from here", file=sys.stderr)
            return 130
    if results:
        print(f"{table(results)}\n\n{conditions_said(results, command, limits)}")
    if left := len(folders) - len(results):
        print(f"Not counted: {left} of {len(folders)} cases ({failed} failed, {left - failed} wait for an answer).")
    if missing:
        print(what_is_missing(missing, out))
    print(f"{'' if command.text else 'Nothing has left this machine. '}{out} holds large parts of your transcripts: "
          "remove it when you are done.")
    return 0 if results or missing else 1


def what_is_missing(prompts: list[Path], out: Path) -> str:
    """The prompts without an answer, and what to do about them."""
    def line(prompt: Path) -> str:
        has_answer = prompt.with_name(prompt.name.replace("-prompt.md", "-answer.txt")).exists()
        return f"  {prompt}{' (its answer holds no JSON of the form that it asks for)' if has_answer else ''}"
    return "\n".join([
        'These prompts have no answer. Name a command, READER="claude -p" (--reader), or give each to a fresh reader',
        "who sees nothing else, save the answer beside it as NAME-answer.txt for NAME-prompt.md, and start again with",
        f"OUT={out} (--out):", *map(line, prompts)])


if __name__ == "__main__":
    raise SystemExit(main())
