#!/usr/bin/env python3
"""Measure the archive search of scripts/recall.py: what it finds, how fast, and whether many at once lose anything.

Usage: archive.py [PATHS…] [--part NAME]… [--half fit|check] [--failures] [--turns N] [--cache DIR] [--seconds N]
       [--seed N] [--scripts DIR]

PATHS are transcripts, or folders with *.jsonl anywhere below; by default the client's own projects folder. They are
only read. Parts, by default all:

finding    questions made by rule from lines of real sessions. A prompt: its first sentence with four content words; a
           decision: a sentence, typed or said, with a cue of DECIDES; an output: a line of a call's result with a cue
           of TELLS; an edit: a line that was put in; a report: a sentence of a subagent's. Asked for with half of the
           content words, at least three, shuffled, of what was typed or said one misspelt; where these words stand
           together in more than 20 steps, they name nothing, and it is not asked for. Or with the identifiers alone,
           where one of them is in at most 3 steps. Right are the steps that hold the line, white space folded; shown
           is it where one search's answer of 2,000 characters holds it. Sessions are split by name: the archive holds
           all, tune on the fit half, report the check half. Every question is a real process. Beside it plain
           substring search.
indexing   all of PATHS into an empty archive, a process on one core, the median of 3; the archive's size.
unchanged  a second run over 10,000 small transcripts that have not changed, the median of 3.
searching  200 queries of 18 forms, each a process, over a made-up archive (seeded; large_archive.py), 32 KB a turn;
           --cache keeps it for the next time, half made too: remove it there when the schema changes.
together   8 writers that grow transcripts and index them, 4 readers that search, at once: nothing lost or stored twice.

--failures prints the fit half's questions that were not answered first, with what came instead, and slow queries.
Exits 0 when all goals hold, 1 when one does not, 2 on a wrong argument. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [name for name in (str(TESTS), str(TESTS.parent / "src")) if name not in sys.path]

import large_archive  # noqa: E402
from compact_keeper.archive.passages import steps_of_row  # noqa: E402
from compact_keeper.client.blocks import report_of, result_text  # noqa: E402
from compact_keeper.client.tools import SUBAGENT_TOOLS  # noqa: E402
from compact_keeper.client.transcript import content_blocks  # noqa: E402
from compact_keeper.store.folder import SCHEMA  # noqa: E402
from compact_keeper.text.redact import redact  # noqa: E402
from compact_keeper.text.sanitize import clean  # noqa: E402
from large_archive import COMMON_WORDS, made_identifier, vocabulary  # noqa: E402
from replay import folded, prompts, read_records, transcripts  # noqa: E402
from sessions import JsonObject, as_line  # noqa: E402
from shipped import PYTHON, SCRIPTS  # noqa: E402

Search = Callable[[Sequence[str]], "list[str]"]  # words to the names of at most TOP steps, best first

PARTS = ("finding", "indexing", "unchanged", "searching", "together")
GOALS = {
    "questions": 300, "reciprocal rank": 0.85, "MB/s": 25.0, "size": 0.15, "unchanged s": 1.5, "search ms": 60.0}
MEGABYTE = 1_000_000  # bytes
TOP, PLACES = 10, (1, 5, 10)  # hits looked at; places at which the share found is told
RUNS, FLOOR_RUNS = 3, 15
KEPT = {"archive_days": 36_500, "archive_mb": 1 << 20}  # sessions are years old, the made-up archive is large
HALVES = ("fit", "check")

KINDS = ("prompt", "decision", "output", "edit", "report", "identifiers")
PER_SESSION = 10  # questions of a kind: no session outweighs the others
CONTENT_WORDS, LEAST_ASKED = 4, 3  # in a sentence; of them in a question
MANY = 20  # steps; words that stand together in more of them name nothing
FEW = 3  # steps; an identifier in more of them names nothing by itself
SENTENCE_LENGTH = range(20, 301)  # characters
STOP_WORDS = frozenset((
    "the be to of and in that have it for not on with he as you do at this but his by from they we say her she or an "
    "will my one all would there their what so up out if about who get which go me when make can like no just him know "
    "take into your some could them see other than then now only come its over also back after use how our even want "
    "because any these us is are was were been has had did does should must may might shall am being here where why "
    "too very more most such own same both each few yes okay let lets please thanks dont cant wont isnt doesnt didnt "
    "im ive id ill youre weve thats theres whats hows via per").split())
DECIDES = re.compile(
    r"(?i)\b(?:decid(?:ed?|ing)|decisions?|agreed|cho(?:o|)se|prefer(?:red)?|instead of|rather than|go(?:ing)? with"
    r"|let['’]s (?:use|keep|go|not|do|add|remove|make|call)|we(?:['’]ll| will| should| won['’]t| need to)"
    r"|stick (?:to|with)|opt(?:ed)? for|from now on|no longer|the (?:best|right|simplest) (?:way|option|approach))\b")
IDENTIFIER = re.compile(
    r"(?:[\w.~-]*/){2,}[\w.-]*\w|(?:[\w.~-]*/)+[\w-]+\.[a-z]{1,5}\b"
    r"|\b[\w-]+\.(?:py|go|js|ts|tsx|jsx|json|jsonl|md|sh|toml|yaml|yml|rs|c|h|cpp|java|rb|sql|css|html|txt|lock)\b"
    r"|\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b|\b[A-Za-z][a-z0-9]+[A-Z]\w*")

TELLS = re.compile(r"(?i)error|warn|fail|passed|cannot|not found|missing|denied|conflict|changed|expected|undefined")

START, SPAN = 1_704_067_200, 2 * 365 * 86_400  # made-up sessions begin 2024-01-01 and go over two years, in seconds
PROJECTS = 20
SMALL_FILES = 10_000
QUERIES = 200
WRITERS, READERS = 8, 4
TORN = 40  # bytes of a turn's end that a writer keeps back for its next write
LETTERS = str.maketrans("0123456789", "ghijklmnop")  # a marker is one word, never split where digits begin


class Row(NamedTuple):
    """A line of the table; met is None where there is no goal."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


class Done(NamedTuple):
    """A finished process of recall.py."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def hits(self) -> list[JsonObject]:
        """What a search found."""
        hits: list[JsonObject] = json.loads(self.out)["hits"]
        return hits


class Step(NamedTuple):
    """A step of the archive: its name, when its row was, its text with white space folded."""

    name: str
    time: float
    text: str


class Question(NamedTuple):
    """What is asked, and the sentence that the right turns hold."""

    kind: str
    half: str
    sentence: str
    words: list[str]


class Answer(NamedTuple):
    """The place of the first right step among the hits, 0 where none is; the first hit; how many steps are right;
    whether one answer of recall shows the line.
    """

    question: Question
    place: int
    first: str
    right: int
    is_shown: bool = False


class MadeTurn(NamedTuple):
    """The texts of a made-up turn; error is empty where the command passes."""

    prompt: str
    answer: str
    command: str
    file: str
    error: str


# --- the script as a process ---


class Archive:
    """A data folder with its archive, and recall.py run on it; the client's own folder lies in it too."""

    def __init__(self, home: Path, scripts: Path) -> None:
        self.home, self.scripts, self.projects = home, scripts, home / "claude" / "projects"
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.json").write_text(json.dumps({"schema": SCHEMA, **KEPT}), encoding="utf-8")

    def run(self, *arguments: str) -> Done:
        """recall.py as a process, started as its skill does, with nothing of the user's own settings."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "COMPACT_KEEPER"))}
        environment = {**kept, "COMPACT_KEEPER_HOME": str(self.home), "CLAUDE_CONFIG_DIR": str(self.projects.parent)}
        command, started = [*PYTHON, str(self.scripts / "run_hook.py"), "recall.py", *arguments], time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode(), time.perf_counter() - started)

    def passed(self, *arguments: str) -> Done:
        """The same; the bench ends where the process fails."""
        done = self.run(*arguments)
        if done.code:
            raise SystemExit(f"archive.py: recall.py {arguments} ended with {done.code}: {done.err[-500:]}")
        return done

    def steps(self) -> list[Step]:
        """All steps."""
        with closing(sqlite3.connect(self.home / "archive.db")) as archive:
            archive.row_factory = sqlite3.Row
            rows = [dict(row) for row in archive.execute("SELECT * FROM turns")]
        return [Step(f"{row['id']}#{number}", row["time"] or 0.0, folded(text)) for row in rows
                for number, _, text in steps_of_row(row)]

    def size(self) -> int:
        """Bytes, what SQLite keeps beside the file included."""
        return sum(file.stat().st_size for file in self.home.glob("archive.db*"))


def report_progress(text: str) -> None:
    """A line on stderr: how far the bench is."""
    print(f"archive.py: {text}", file=sys.stderr, flush=True)


# --- questions, by rule ---


def sentences(text: str) -> list[str]:
    """The sentences and list entries outside of fenced code, without what marks an entry."""
    prose = re.sub(r"(?s)```.*?(?:```|\Z)", "\n", text)
    parts = (re.sub(r"^(?:[-*•>#|]+|\d+[.)])\s+", "", part.strip()) for part in re.split(r"(?<=[.!?])\s+|\n+", prose))
    return [part for part in parts if len(part) in SENTENCE_LENGTH]


def content_words(sentence: str) -> list[str]:
    """The words that are no stop words, each once, in lower case; what is shorter than 3 says too little."""
    plain = re.sub(r"['’]", "", sentence.lower())
    return [word for word in dict.fromkeys(re.findall(r"\w+", plain)) if len(word) > 2 and word not in STOP_WORDS]


def identifiers(sentence: str) -> list[str]:
    """The paths, file names, snake_case, camelCase and CONSTANT_NAMES of the sentence, each once."""
    return list(dict.fromkeys(match.group() for match in IDENTIFIER.finditer(sentence)))


def misspelt(rng: random.Random, word: str) -> str:
    """The word with two neighbouring letters swapped, or one dropped, doubled or replaced; never the same."""
    at = rng.randrange(len(word) - 1)
    head, pair, tail = word[:at], word[at:at + 2], word[at + 2:]
    other = rng.choice([letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter != pair[0]])
    ways = [pair[1], pair[0] + pair, other + pair[1]] + [pair[::-1]] * (pair[0] != pair[1])
    return head + rng.choice(ways) + tail


def paraphrase(rng: random.Random, sentence: str, is_spoken: bool) -> list[str]:
    """Half of the content words, shuffled; of a spoken sentence one of the longer ones misspelt."""
    words = content_words(sentence)
    query = rng.sample(words, max(LEAST_ASKED, len(words) // 2))
    if not is_spoken:
        return query
    at = rng.choice([at for at, word in enumerate(query) if len(word) > 4] or range(len(query)))
    return [*query[:at], misspelt(rng, query[at]), *query[at + 1:]]


def material(file: Path) -> dict[str, list[str]]:
    """Of a session the lines to ask for, by the kind of question."""
    _, records = read_records(file)
    typed = prompts(records)
    blocks = [block for record in records for block in content_blocks(record)]
    said = [str(block.get("text") or "") for record in records if record["type"] == "assistant"
            for block in content_blocks(record)]
    calls = {block.get("id"): block for block in blocks if block.get("type") == "tool_use"}
    results = [(calls.get(block.get("tool_use_id"), {}).get("name", ""), result_text(block)) for block in blocks
               if block.get("type") == "tool_result"]
    edits = [block["input"] for block in calls.values() if isinstance(block.get("input"), dict)]
    rich = [rich_of(sentences(text)) for text in (*typed, *said)]
    outputs = [line for name, text in results if name == "Bash" for line in rich_of(lines_of(text))]
    return {"prompt": [several[0] for several in rich[:len(typed)] if several],
            "decision": [line for several in rich for line in several if DECIDES.search(line)],
            "output": [line for line in outputs if TELLS.search(line)],
            "edit": [line for given in edits for line in rich_of(lines_of(str(given.get("new_string") or "")))
                     if line not in str(given.get("old_string"))],
            "report": [line for name, text in results if name in SUBAGENT_TOOLS
                       for line in rich_of(sentences(report_of(text)))]}


def lines_of(text: str) -> list[str]:
    """The lines of a text that are long enough and not too long."""
    return [line.strip() for line in text.splitlines() if len(line.strip()) in SENTENCE_LENGTH]


def rich_of(lines: Sequence[str]) -> list[str]:
    """Those with enough content words."""
    return [line for line in lines if len(content_words(line)) >= CONTENT_WORDS]


def questions_of(rng: random.Random, file: Path, half: str, rare: Callable[[str], bool],
                 is_telling: Callable[[Sequence[str]], bool]) -> Iterator[Question]:
    """The session's questions, at most PER_SESSION of each kind."""
    lines_by_kind = material(file)
    lines_by_kind["decision"] = [line for line in lines_by_kind["decision"] if line not in lines_by_kind["prompt"]]
    lines_by_kind["identifiers"] = [line for lines in lines_by_kind.values() for line in lines
                                    if any(map(rare, identifiers(line)))]
    for kind in KINDS:
        new = [*dict.fromkeys(lines_by_kind[kind])]
        for sentence in rng.sample(new, min(len(new), PER_SESSION)):
            names = identifiers(sentence)
            words = rng.sample(names, len(names)) if kind == "identifiers" else (
                paraphrase(rng, sentence, kind in ("prompt", "decision")))
            if kind in ("prompt", "decision", "identifiers") or is_telling(words):
                yield Question(kind, half, folded(redact(clean(sentence))), words)


def questions(given: argparse.Namespace, steps: list[Step]) -> list[Question]:
    """The questions of the halves asked for, the same for the same seed and sessions; of a sentence one of a kind."""
    lowered, by_sentence = [step.text.lower() for step in steps], dict[tuple[str, str], Question]()

    @cache
    def rare(name: str) -> bool:
        return 0 < sum(name.lower() in text for text in lowered) <= FEW

    def is_telling(words: Sequence[str]) -> bool:
        return sum(all(word in text for word in words) for text in lowered) <= MANY
    for half in given.half:
        for file in transcripts(given.paths, half):
            for question in questions_of(random.Random(f"{given.seed} {file.name}"), file, half, rare, is_telling):
                by_sentence.setdefault((question.kind, question.sentence), question)
    return [*by_sentence.values()]


# --- searches beside ours ---


def substring_search(steps: list[Step]) -> Search:
    """The steps that hold the most of the words, the newest first where equally many."""
    lowered = [(step.time, step.name, step.text.lower()) for step in steps]

    def search(words: Sequence[str]) -> list[str]:
        sought = [word.lower() for word in words]
        scores = ((sum(word in text for word in sought), at, name) for at, name, text in lowered)
        return [name for count, _, name in sorted(scores, reverse=True)[:TOP] if count]
    return search


def our_search(archive: Archive) -> Search:
    """recall.py, a process for each question."""
    return lambda words: [hit["name"] for hit in archive.passed(
        "search", "--limit", str(TOP), "--chars", "0", "--json", "--", *words).hits]


# --- finding ---


def answers_of(search: Search, sample: list[Question], steps: list[Step], answer: Callable[..., str]) -> list[Answer]:
    """What the search makes of each question; `answer`: the text that one call gives."""
    answers = []
    for question in sample:
        right = {step.name for step in steps if question.sentence in step.text}
        hits = search(question.words)[:TOP]
        place = next((place for place, name in enumerate(hits, 1) if name in right), 0)
        is_shown = question.sentence in folded(answer(question.words))
        answers.append(Answer(question, place, hits[0] if hits else "", len(right), is_shown))
    return answers


def reciprocal_rank(answers: Sequence[Answer]) -> float:
    """The mean of 1 / place, 0 where nothing right was found."""
    return sum(1 / answer.place for answer in answers if answer.place) / max(len(answers), 1)


def told_ranks(answers: Sequence[Answer]) -> str:
    """The mean reciprocal rank, the shares found at the first places, the share that one answer shows."""
    shares = [sum(0 < answer.place <= place for answer in answers) / max(len(answers), 1) for place in PLACES]
    shown = sum(answer.is_shown for answer in answers) / max(len(answers), 1)
    return f"{reciprocal_rank(answers):.3f}; " + " / ".join(f"{share:.2f}" for share in (*shares, shown))


def finding_rows(name: str, answers: list[Answer], is_ours: bool) -> Iterator[Row]:
    """The lines of a search: each half, and of ours each kind of question."""
    for half in dict.fromkeys(answer.question.half for answer in answers):
        of_half = [answer for answer in answers if answer.question.half == half]
        goal = f"≥ {GOALS['reciprocal rank']:.2f}" if is_ours else ""
        met = reciprocal_rank(of_half) >= GOALS["reciprocal rank"] if is_ours else None
        yield Row(f"{name}, {half} half, {len(of_half)} questions", told_ranks(of_half), goal, met)
        for kind in KINDS if is_ours else ():
            some = [answer for answer in of_half if answer.question.kind == kind]
            yield Row(f"– {half}: {kind}, {len(some)} questions", told_ranks(some))


def measure_finding(given: argparse.Namespace, folder: Path) -> list[Row]:
    """How well the passages of real sessions are found again, by ours and by a plain search."""
    archive = Archive(folder, given.scripts)
    archive.passed("index", *map(str, transcripts(given.paths, "all")))
    steps = archive.steps()
    sample = questions(given, steps)
    report_progress(f"{len(sample)} questions, {len(steps)} steps")
    ours = answers_of(our_search(archive), sample, steps, lambda words: archive.passed("search", "--", *words).out)
    if given.failures:
        print(shown_failures(ours, steps))
    rows = [Row("questions", str(len(sample)), f"≥ {GOALS['questions']}", len(sample) >= GOALS["questions"])]
    for kind in KINDS:
        rights = [answer.right for answer in ours if answer.question.kind == kind]
        rows.append(Row(f"lines that no step holds: {kind}", f"{rights.count(0)} of {len(rights)}"))
    return [*rows, *finding_rows("found again, mean reciprocal rank; at 1 / 5 / 10; shown", ours, is_ours=True),
            *finding_rows("beside it: substrings of the words",
                          answers_of(substring_search(steps), sample, steps, lambda _: ""), is_ours=False)]


def shown_failures(answers: Sequence[Answer], steps: Sequence[Step]) -> str:
    """The fit half's questions whose first hit was wrong, each with what came instead, around the words asked for."""
    texts, parts = {step.name: step.text for step in steps}, []
    for answer in answers:
        if answer.place != 1 and answer.question.half == "fit":
            words, text = answer.question.words, texts.get(answer.first, "")
            most = max(sum(word.lower() in step.text.lower() for word in words) for step in steps)
            holders = sum(sum(word.lower() in step.text.lower() for word in words) == most for step in steps)
            near = [text[max(at - 40, 0):at + 60] for word in words if (at := text.lower().find(word.lower())) >= 0]
            parts.append(f"{answer.question.kind}, place {answer.place or '–'}: {' '.join(words)}\n"
                         f"    sought ({answer.right} steps): {answer.question.sentence}\n"
                         f"    first ({answer.first}): {' … '.join(near)}\n"
                         f"    {holders} steps hold {most} of the {len(words)} words")
    return "\n".join(parts)


# --- made-up sessions ---


def session_name(number: int) -> str:
    return f"5e551011-0000-4000-8000-{number:012x}"


def project_of(number: int) -> str:
    """The folder that a session works in."""
    return f"/srv/work/project-{number % PROJECTS}"


def made_turns(seed: int, number: int, count: int) -> Iterator[MadeTurn]:
    """The turns of a session, about 100 words each; the same for the same seed and number."""
    rng, (words, weights) = random.Random(f"{seed} {number}"), vocabulary(seed)

    def some(least: int, most: int) -> str:
        return " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(least, most)))
    for _ in range(count):
        yield MadeTurn(some(8, 25), some(35, 80), f"make {some(2, 6)}", made_identifier(rng),
                       f"error: {some(5, 12)}" if rng.random() < 0.1 else "")


def turn_lines(session: str, project: str, number: int, at: float, turn: MadeTurn) -> bytes:
    """The lines that the client writes for the turn."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
    common = {"isSidechain": False, "userType": "external", "cwd": project, "sessionId": session, "version": "2.1.329",
              "gitBranch": "main", "timestamp": stamp}
    calls = {f"toolu_{session[-6:]}_{number}a": ("Bash", {"command": turn.command}, turn.error),
             f"toolu_{session[-6:]}_{number}b": ("Edit", {"file_path": f"{project}/{turn.file}"}, "")}
    contents: list[tuple[str, Any]] = [("user", turn.prompt), ("assistant", [{"type": "text", "text": turn.answer}])]
    for name, (tool, tool_input, error) in calls.items():
        contents.append(("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": tool_input}]))
        contents.append(("user", [{"type": "tool_result", "tool_use_id": name, "is_error": bool(error),
                                   "content": f"Exit code 1\n{error}" if error else "ok"}]))
    records = ({**common, "type": role, "message": {"role": role, "content": content},
                "uuid": f"{session}-{number}-{place}"} for place, (role, content) in enumerate(contents))
    return b"".join(map(as_line, records))


def began(number: int, sessions: int) -> int:
    """When a session began, in seconds since 1970."""
    return START + SPAN * number // sessions


def write_sessions(projects: Path, seed: int, sizes: Sequence[int]) -> None:
    """Writes transcripts as they lie in the client's projects folder, of so many turns each, over two years."""
    for number, count in enumerate(sizes):
        session, project, begun = session_name(number), project_of(number), began(number, len(sizes))
        path = projects / project.replace("/", "-") / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(turn_lines(session, project, place, begun + 90 * place, turn)
                                  for place, turn in enumerate(made_turns(seed, number, count))))


# --- speed ---


@contextmanager
def one_core() -> Iterator[None]:
    """Processes started meanwhile run on one core, where the system can say so."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
    try:
        if cores:
            os.sched_setaffinity(0, {min(cores)})
        yield
    finally:
        if cores:
            os.sched_setaffinity(0, cores)


def measure_indexing(given: argparse.Namespace, folder: Path) -> list[Row]:
    """How fast transcripts go into an empty archive, and how large it gets."""
    files = transcripts(given.paths, "all")
    size = sum(file.stat().st_size for file in files)
    archives = [Archive(folder / str(run), given.scripts) for run in range(RUNS)]
    taken, worked = list[float](), list[float]()
    with one_core():
        for archive in archives:
            before = processor_ms()
            taken.append(archive.passed("index", *map(str, files)).seconds)
            worked.append((processor_ms() - before) / 1000)
    speed, share = size / MEGABYTE / statistics.median(taken), archives[0].size() / size
    return [Row(f"indexing {size / MEGABYTE:,.0f} MB on one core, MB/s", f"{speed:.1f}", f"≥ {GOALS['MB/s']:.0f}",
                speed >= GOALS["MB/s"]),
            Row("– by processor time alone, the least, MB/s", f"{size / MEGABYTE / min(worked):.1f}"),
            Row("archive / transcripts, bytes", f"{share:.3f}", f"≤ {GOALS['size']:.2f}", share <= GOALS["size"])]


def measure_unchanged(given: argparse.Namespace, folder: Path) -> list[Row]:
    """How long a run takes that finds nothing new in many transcripts."""
    archive = Archive(folder, given.scripts)
    write_sessions(archive.projects, given.seed, [1] * SMALL_FILES)
    first, *more = (archive.passed("index").seconds for _ in range(1 + RUNS))
    again = statistics.median(more)
    return [Row(f"indexing {SMALL_FILES:,} small files for the first time, s", f"{first:.2f}"),
            Row("indexing them again unchanged, s", f"{again:.2f}", f"≤ {GOALS['unchanged s']}",
                again <= GOALS["unchanged s"])]


def made_archive(given: argparse.Namespace, folder: Path) -> Archive:
    """The archive of so many made-up turns: that of the cache, or made now, from where its making was stopped."""
    home = (given.cache or folder) / f"{given.turns}-turns-of-thirty-steps-seed-{given.seed}"
    if not home.exists():
        making = Archive(home.with_suffix(".making"), given.scripts)
        os.environ["COMPACT_KEEPER_HOME"] = str(making.home)
        for line in large_archive.fill(given.seed, given.turns):
            report_progress(line)
        report_progress(f"{given.turns:,} turns are made, {making.size() / MEGABYTE:,.0f} MB")
        making.home.rename(home)
    return Archive(home, given.scripts)


def measure_searching(given: argparse.Namespace, folder: Path) -> list[Row]:
    """How long searches of a large archive take as whole processes; more than memory holds of it is read anew."""
    archive, rng = made_archive(given, folder), random.Random(f"{given.seed} queries")
    forms = large_archive.FORMS
    queries = [large_archive.question(rng, given.seed, given.turns, forms[number % len(forms)])
               for number in range(QUERIES)]
    taken, worked = list[float](), list[float]()
    for words in queries:
        before = processor_ms()
        taken.append(1000 * archive.passed("search", *words, "--json").seconds)
        worked.append(processor_ms() - before)
    if given.failures:
        print("\n".join(f"{ms:.0f} ms: {' '.join(words)}" for ms, words in sorted(zip(taken, queries))[-TOP:]))
    name, p95 = f"search over {given.turns:,} turns", percentile(taken, 0.95)
    by_form = [Row(f"– {form}: processor time, median and most, ms",
                   f"{statistics.median(worked[at::len(forms)]):.0f}; {max(worked[at::len(forms)]):.0f}")
               for at, form in enumerate(forms)]
    return [Row(f"{name}, median ms", f"{statistics.median(taken):.0f}"),
            Row(f"{name}, p95 ms", f"{p95:.0f}", f"≤ {GOALS['search ms']:.0f}", p95 <= GOALS["search ms"]),
            Row(f"{name}, slowest ms", f"{max(taken):.0f}"),
            Row("– processor time alone, p95 ms", f"{percentile(worked, 0.95):.0f}"),
            Row("– a process that only imports, ms", f"{floor_ms():.0f}"), *by_form]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def processor_ms() -> float:
    """What the finished processes have used so far: on a busy machine a search takes longer than it works."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (usage.ru_utime + usage.ru_stime)


def floor_ms() -> float:
    """The median time of a process that imports what a search cannot do without."""
    taken = []
    for _ in range(FLOOR_RUNS):
        started = time.perf_counter()
        subprocess.run([*PYTHON, "-c", "import json,os,re,sqlite3,sys,time"], check=True)
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


# --- many at once ---


def marker(writer: int, number: int) -> str:
    """A word that stands in one turn only."""
    return f"zq{writer * 100_000 + number:06d}".translate(LETTERS)


def write_on(archive: Archive, seed: int, writer: int, until: float) -> tuple[list[str], list[Done]]:
    """Grows a transcript turn by turn, each write but the last ending within a line, and indexes it each time: the
    markers, the processes.
    """
    path, session, late = archive.home / f"writer-{writer}.jsonl", session_name(writer), b""
    turns, markers, runs = made_turns(seed, writer, sys.maxsize), list[str](), list[Done]()
    while (going := time.monotonic() < until) or late:
        lines, kept_back = late, 0
        if going:
            number, turn = len(markers), next(turns)
            markers.append(marker(writer, number))
            turn = turn._replace(prompt=f"{markers[-1]} {turn.prompt}")
            lines += turn_lines(session, project_of(writer), number, START + 60 * number, turn)
            kept_back = TORN
        with path.open("ab") as file:
            file.write(lines[:len(lines) - kept_back])
        late = lines[len(lines) - kept_back:]
        runs.append(archive.run("index", str(path), "--quiet"))
    return markers, runs


def read_on(archive: Archive, seed: int, reader: int, until: float) -> list[Done]:
    """Searches again and again for a marker that may be there already and a common word."""
    rng, runs = random.Random(f"{seed} reader {reader}"), list[Done]()
    while time.monotonic() < until:
        sought = marker(rng.randrange(WRITERS), rng.randrange(20))
        runs.append(archive.run("search", sought, rng.choice(COMMON_WORDS), "--json"))
    return runs


def found_again(archive: Archive, word: str) -> bool:
    """Whether a search shows the marker."""
    done = archive.run("search", word, "--json")
    return done.code == 0 and any(word in hit["snippet"] for hit in done.hits)


def measure_together(given: argparse.Namespace, folder: Path) -> list[Row]:
    """What is lost, stored twice or refused when many write and read at once."""
    archive, until = Archive(folder, given.scripts), time.monotonic() + given.seconds
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        writing = [pool.submit(write_on, archive, given.seed, writer, until) for writer in range(WRITERS)]
        reading = [pool.submit(read_on, archive, given.seed, reader, until) for reader in range(READERS)]
        markers = [word for future in writing for word in future.result()[0]]
        indexed = [done for future in writing for done in future.result()[1]]
        searched = [done for future in reading for done in future.result()]
        lost = sum(not is_found for is_found in pool.map(lambda word: found_again(archive, word), markers))
    faulty = [done for done in (*indexed, *searched) if done.code or done.err.strip()]
    locked = sum("locked" in done.err for done in faulty)
    rows = Counter(word for step in archive.steps() for word in {*re.findall(r"\bzq[g-p]{6}\b", step.text)})
    for done in faulty[:TOP]:
        report_progress(f"exit {done.code}: {done.err.strip()[-300:]}")
    counts = {"turns lost": lost, "turns stored twice": sum(count > 1 for count in rows.values()),
              '"database is locked"': locked, "other errors": len(faulty) - locked}
    return [Row(f"{WRITERS} writers, {READERS} readers, {given.seconds} s",
                f"{len(indexed):,} index runs, {len(searched):,} searches, {len(markers):,} turns"),
            *(Row(f"– {what}", str(count), "0", count == 0) for what, count in counts.items())]


# --- run ---


def table(rows: Sequence[Row]) -> str:
    """The rows as an aligned Markdown table."""
    met = {None: "", True: "met", False: "NOT MET"}
    cells = [["what", "figure", "goal", ""], *([row.what, row.figure, row.goal, met[row.met]] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    parser = argparse.ArgumentParser(description="Measures the archive search.")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path(config, "projects")], metavar="PATHS")
    parser.add_argument("--part", action="append", choices=PARTS, help="one of them, may come again; else all")
    parser.add_argument("--half", action="append", choices=HALVES, help="of the questions; else both")
    parser.add_argument("--failures", action="store_true", help="what was not found first, and what was slow")
    parser.add_argument("--turns", type=int, default=1_000_000, metavar="N", help="of the made-up archive")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where the made-up archive is kept")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for writers and readers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scripts", type=Path, default=SCRIPTS, metavar="DIR")
    given = parser.parse_args(argv)
    given.half, given.part = given.half or HALVES, given.part or PARTS
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all goals hold, 1 when one does not."""
    given, rows = arguments(argv), list[Row]()
    if not transcripts(given.paths, "all") and {"finding", "indexing"}.intersection(given.part):
        raise SystemExit(f"archive.py: no transcript in {', '.join(map(str, given.paths))}")
    measures = dict(zip(PARTS, (measure_finding, measure_indexing, measure_unchanged, measure_searching,
                                measure_together)))
    for part in dict.fromkeys(given.part):
        report_progress(part)
        with tempfile.TemporaryDirectory(prefix="archive-") as folder:
            rows += measures[part](given, Path(folder))
    print(table(rows))
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
