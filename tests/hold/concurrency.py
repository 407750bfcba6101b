"""Many hooks at once on the same files: no line is lost or torn, nothing crosses, the newer save wins, once is once."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from archived import old_archive, upgraded_session
from attack import Attack, Ground, Outcome
from compact_keeper.record.merge import KIND_MAX
from place import Call, JsonObject, Place, ended, feed, hook_input, lines_of, ran, stored
from sessions import SESSION_ID, Session

RULES_KEPT = KIND_MAX["rule"]  # the newest
BESIDE = 0.03  # seconds by which one save begins after another at most: about as long as it takes
RESTED = 11  # seconds: what was folded so long ago may be replaced
KILLED_OF_ALL = 0.3  # of the processes that bring an archive up to date
SUMMARY = "Primary request: the rates. All tests pass. The file made_up.py was created."

# --- one file, many writers ---

APPENDING = """
import json, sys
number, scripts, lines, *paths = sys.argv[1:]
sys.path.append(scripts)
from record_event import append_line
sys.stdin.read()
for count in range(int(lines)):
    text = "x" * (20_000 if count % 20 == 0 else 37 * count % 3_000)
    for path in paths:
        append_line(path, json.dumps({"schema": 1, "from": int(number), "count": count, "text": text}))
"""


def appends(ground: Ground) -> Outcome:
    """Processes that append with the shipped function, each its lines in order; some lines are longer than a pipe's."""
    place, (writers, lines) = Place(ground), (50, 200) if ground.full else (8, 40)
    paths = [ground.folder / name for name in ("ledger.jsonl", "events.jsonl")]
    running = [place.start("-c", APPENDING, str(number), str(ground.scripts), str(lines), *map(str, paths))
               for number in range(writers)]
    for process in running:
        feed(process, Call("", ""))
    broken = [f"writer {number}: {done}" for number, done in enumerate(map(ended, running)) if done != (0, "")]
    for path in paths:
        broken += [f"{path.name}: {fault}" for fault in misplaced(path.read_bytes(), writers, lines)]
    return Outcome(writers * lines * len(paths), broken)


def misplaced(content: bytes, writers: int, lines: int) -> Iterator[str]:
    """Of whom lines are torn, lost, doubled or out of order."""
    counts: dict[int, list[int]] = {number: [] for number in range(writers)}
    for line in filter(None, content.splitlines()):  # who comes while another writes may leave an empty one
        try:
            record = json.loads(line)
            counts[record["from"]].append(record["count"])
        except ValueError:
            yield f"torn: {line[:60]!r}"
    for number, sequence in counts.items():
        if sequence != list(range(lines)):
            yield f"writer {number}: {len(sequence)} lines, {len(set(sequence))} different"


# --- folding while others write ---


def folds(ground: Ground) -> Outcome:
    """Rounds of recording hooks and saves that fold, all at once; then what the memory counts."""
    place, rounds, hooks = Place(ground), 40 if ground.full else 4, 8 if ground.full else 5
    transcript = written(ground.folder / "one.jsonl", "Go.")
    saves = [Call("save_snapshot.py", hook_input(event, "one", transcript, trigger="auto"))
             for event in ("Stop", "PreCompact", "Stop")]
    for turn in range(rounds):
        rest(place.session("one"))
        calls = [ran("one", transcript, f"{turn}x{number}", f"make part{turn}x{number}") for number in range(hooks)]
        place.together([*calls[1::2], *saves, *calls[::2]])
    rest(place.session("one"))
    place.together(saves[:1])
    uses = {item["text"]: item["uses"] for item in stored(place.session("one") / "memory.json").get("items", [])
            if item["kind"] == "action"}
    expected = [f"make part{turn}x{number}" for turn in range(rounds) for number in range(hooks)]
    return Outcome(len(expected), [
        f"{command}: in memory {uses.get(command, 0)} times" for command in expected if uses.get(command) != 1
    ] + place.faults())


def rest(session: Path) -> None:
    """As if the time had passed after which what was folded may go."""
    folded = session / "ledger.folded.jsonl"
    if folded.exists():
        os.utime(folded, (1, time.time() - RESTED))


def written(path: Path, *typed: str) -> Path:
    """A transcript with these prompts."""
    session = Session()
    for text in typed:
        session.typed(text)
    return session.write(path)


# --- many sessions in one folder ---


def crossings(ground: Ground) -> Outcome:
    """Sessions that record, save, put back and audit at once, each with words of its own: nothing crosses."""
    place, (sessions, rounds) = Place(ground), (20, 3) if ground.full else (4, 1)
    names = [f"session-{number}-{mark(number)}" for number in range(sessions)]
    with ThreadPoolExecutor(sessions) as pool:
        stories = list(pool.map(lambda number: story(place, names[number], number, rounds), range(sessions)))
    broken = place.faults() + place.torn()
    for number, (name, texts) in enumerate(zip(names, stories)):
        others = [mark(other) for other in range(sessions) if other != number]
        files = [*place.session(name).iterdir()]
        for what, text in [*enumerate(texts), *((path.name, path.read_text(encoding="utf-8")) for path in files)]:
            broken += [f"{name}, {what}: has {other}" for other in others if other in text]
        broken += [f"{name}: a block without its own words" for text in texts[::2] if mark(number) not in text]
        broken += [f"{name}: no note" for text in texts[1::2] if not text]
    return Outcome(sessions * rounds, broken)


def mark(number: int) -> str:
    """A word that one session alone has."""
    return f"zebra{number:02d}q"


def story(place: Place, name: str, number: int, rounds: int) -> list[str]:
    """What the model of this session is given: at each compaction the block and the note."""
    word, session, texts = mark(number), Session(1_000 * number, name), list[str]()  # no two have a uuid in common
    transcript = place.folder / f"{name}.jsonl"
    for turn in range(rounds):
        session.typed(f"Never rename the {word} table {turn}. Write {word} part {turn}.")
        session.created(1, task_of(word))
        session.write(transcript)
        place.together([ran(name, transcript, f"{word}{turn}{call}", f"make {word}{call}") for call in range(3)])
        for event in ("Stop", "PreCompact"):
            place.run("save_snapshot.py", hook_input(event, name, transcript, trigger="auto"))
        texts.append(place.run("restore_snapshot.py", started(name, transcript)).context)
        session.compacted(f"{SUMMARY} Now {word}.")
        session.write(transcript)
        place.run("audit_summary.py", audited(name, transcript, word))
        texts.append(place.together([ran(name, transcript, f"{word}{turn}n", "ls")])[0].context)
    return texts


def started(session: str, transcript: Path) -> JsonObject:
    """A session's start after its compaction."""
    return hook_input("SessionStart", session, transcript, source="compact")


def audited(session: str, transcript: Path, word: str) -> JsonObject:
    """The end of a compaction whose summary calls a task completed that the client's list has as open."""
    return hook_input("PostCompact", session, transcript, compact_summary=f"{SUMMARY}\n- {task_of(word)}: completed\n")


def task_of(word: str) -> str:
    """The subject of the session's task, which stays open."""
    return f"Write the {word} part of the tariff tables"


# --- one session, saved twice at once ---


def two_saves(ground: Ground) -> Outcome:
    """A Stop and a PreCompact at the same moment while the transcript grows: the newer one wins, the files fit."""
    place, rounds, broken = Place(ground), 150 if ground.full else 6, list[str]()
    draw, session, transcript = random.Random(7), Session(session="two"), ground.folder / "two.jsonl"
    for turn in range(rounds):
        order = draw.sample(["Stop", "PreCompact"], 2)
        calls = [Call("save_snapshot.py", hook_input(event, "two", transcript, trigger="auto")) for event in order]
        running = [place.begin(call) for call in calls]
        for number, (process, call) in enumerate(zip(running, calls)):
            session.typed(f"Never rename the table{turn}x{number}.")
            session.write(transcript)
            feed(process, call)
            time.sleep(draw.random() * BESIDE)
        codes = [ended(process).code for process in running]
        expected = [f"Never rename the table{earlier}x{number}." for earlier in range(turn + 1) for number in (0, 1)]
        expected = expected[-RULES_KEPT:]
        broken += [f"round {turn}, {order}: {fault}" for fault in unfit(place.session("two"), codes, expected)]
    return Outcome(rounds, broken + place.faults())


def unfit(folder: Path, codes: list[int], expected: list[str]) -> Iterator[str]:
    """What is wrong with a session's files when two saves have ended."""
    if any(codes):
        yield f"exit codes {codes}"
    memory, snapshot, compaction = (stored(folder / f"{name}.json") for name in ("memory", "snapshot", "compaction"))
    for name, store in (("memory", memory), ("snapshot", snapshot)):
        known = {item["text"] for item in store["items"] if item["kind"] == "rule"}
        yield from (f"{name}.json lacks {text}" for text in expected if text not in known)
    if any(memory[name] != snapshot[name] for name in ("position", "cycle", "time")):
        yield f"memory at {memory['position']}, snapshot at {snapshot['position']}"
    if compaction.get("stage") != "begun" or compaction.get("trigger") != "auto":
        yield f"compaction.json: {compaction}"


# --- what happens once ---


def once(ground: Ground) -> Outcome:
    """Several processes of each hook, as where plugin and copies are installed: one delivers, audits, hands over."""
    place, rounds, broken = Place(ground), 30 if ground.full else 2, list[str]()
    session, transcript = Session(session="once"), ground.folder / "once.jsonl"
    for turn in range(rounds):
        session.typed(f"Never rename the table{turn}.")
        session.created(turn + 1, task_of(f"t{turn}"))
        session.write(transcript)
        save = Call("save_snapshot.py", hook_input("PreCompact", "once", transcript, trigger="auto"))
        place.together([save, save])
        blocks = place.together([Call("restore_snapshot.py", started("once", transcript))] * 3)
        session.compacted(SUMMARY)
        session.write(transcript)
        place.together([Call("audit_summary.py", audited("once", transcript, f"t{turn}"))] * 3)
        notes = place.together([ran("once", transcript, f"{turn}x{number}", "ls") for number in range(4)])
        for what, runs in (("block", blocks), ("note", notes)):
            count = sum(bool(run.context) for run in runs)
            broken += [f"round {turn}: the {what} was given {count} times"] if count != 1 else []
    counts = Counter(event["event"] for event in lines_of(place.home / "events.jsonl"))
    broken += [f"{counts[name]} lines of {name} in events.jsonl" for name in ("restore", "audit", "note")
               if counts[name] != rounds]
    return Outcome(rounds, broken + place.faults() + place.torn())


# --- pins, the archive ---


def pins(ground: Ground) -> Outcome:
    """Pins added at several prompts, and taken off, at the same moment: each edit holds."""
    place, rounds, taken_off = Place(ground), 12 if ground.full else 2, list[str]()
    transcript = written(ground.folder / "pins.jsonl", "Go.")

    def typed(prompt: str) -> Call:
        return Call("answer_prompt.py", hook_input("UserPromptSubmit", "pins", transcript, prompt=prompt))

    for turn in range(rounds):
        place.together(typed(f"/compact-keeper:pin keep {turn}x{number}") for number in range(2))
        answers = place.together([typed("/compact-keeper:unpin 1"), typed(f"/compact-keeper:pin keep {turn}x2")])
        taken_off += re.findall(r'Not pinned any more: \\"(.*?)\\"', answers[0].out)[:1]
    listed = place.together([typed("/compact-keeper:pins")])[0].out.replace("\\", "")
    gone = [text for text in (f"keep {turn}x{number}" for turn in range(rounds) for number in range(3))
            if f'"{text}"' not in listed]
    wrong = [f"taken off: {taken_off}, gone: {gone}"] if len(gone) != rounds or set(gone) != set(taken_off) else []
    return Outcome(4 * rounds, wrong + place.faults() + place.torn())


def archive(ground: Ground) -> Outcome:
    """Sessions whose saves start processes that write the archive: it is whole, and each turn is its session's."""
    place, sessions = Place(ground, archive=""), 8 if ground.full else 2
    prompts = {f"session-{number}": f"Write the {mark(number)} part." for number in range(sessions)}
    calls = []
    for name, prompt in prompts.items():
        transcript = written(ground.folder / f"{name}.jsonl", prompt)
        transcript.write_bytes(transcript.read_bytes().replace(SESSION_ID.encode(), name.encode()))
        calls.append(Call("save_snapshot.py", hook_input("Stop", name, transcript)))
    place.together(calls)
    rows: list[tuple[str, str]] = []
    until = time.monotonic() + 60
    while len(rows) < sessions and time.monotonic() < until:
        time.sleep(0.1)
        rows = archived(place.home / "archive.db")
    return Outcome(sessions, [f"the archive has {rows}"] * (sorted(rows) != sorted(prompts.items())) + place.faults())


def archived(path: Path) -> list[tuple[str, str]]:
    """Each turn's session and prompt; none as long as there is no archive."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            return list(db.execute("SELECT session, prompt FROM turns"))
    except sqlite3.OperationalError:
        return []


# --- an archive of 0.6.0 that is brought up to date while it is written and searched ---

SINCE = "Since the update: "  # how a prompt begins that comes while it is


def upgrades(ground: Ground) -> Outcome:
    """Saves' indexers, one by hand and searches at once on an old archive, some killed, a transcript growing."""
    broken, draw, rounds = list[str](), random.Random(17), 25 if ground.full else 1
    for turn in range(rounds):
        place = Place(ground, f"upgrade{turn}", archive="")
        projects = place.person / ".claude" / "projects" / "p"
        projects.mkdir(parents=True)
        place.home.mkdir()
        paths = [upgraded_session(number).write(projects / f"{number}.jsonl") for number in range(4)]
        old_archive(place.home / "archive.db", paths)
        calls = [Call("recall.py", "", ("index", *words)) for words in (
            ("--quiet", str(paths[0])), ("--quiet", str(paths[1])), ("--quiet", str(paths[0])), (str(projects),))]
        calls += [Call("recall.py", "", ("search", "zebras")), Call("recall.py", "", ("search", "Round the rates 2"))]
        running = [place.begin(call) for call in draw.sample(calls, len(calls))]
        for process in running:
            feed(process, Call("", ""))
        more = Session(5_000)
        more.typed(f"{SINCE}{mark(turn)}.")
        with paths[0].open("ab") as file:
            file.write(more.as_bytes())
        killed = [process for process in running if draw.random() < KILLED_OF_ALL]
        for process in killed:
            time.sleep(draw.random() * 0.1)
            process.kill()
        ends = [ended(process) for process in running if process not in killed]
        broken += [f"round {turn}: {done}" for done in ends if done.code or "Traceback" in done.out]
        for process in killed:
            ended(process)
        place.run("recall.py", "", "index")
        broken += [f"round {turn}: {fault}" for fault in (*not_upgraded(place, mark(turn)), *place.faults())]
    return Outcome(rounds, broken)


def not_upgraded(place: Place, word: str) -> Iterator[str]:
    """What is wrong with an archive that was old, when all have ended and an indexer has run whole."""
    with closing(sqlite3.connect(place.home / "archive.db")) as db:
        if db.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            yield "archive.db is no sound file"
        text = "\n".join("".join(map(str, row)) for row in db.execute("SELECT prompt, answer, command FROM turns"))
        left, = db.execute("SELECT count(*) FROM sources WHERE format = 1 AND name NOTNULL").fetchone()
        try:
            db.execute("INSERT INTO words(words) VALUES('integrity-check')")
        except sqlite3.DatabaseError as fault:
            yield f"the index: {fault}"
    words = [f"Chapter {step} of {number}." for step in range(9) for number in range(4)]
    words += [f"{SINCE}{word}", *(f"{number} zebras" for number in range(4))]
    yield from (f"{phrase!r} is there {text.count(phrase)} times" for phrase in words if text.count(phrase) != 1)
    if left:
        yield f"{left} transcripts are as 0.6.0 left them"


ATTACKS: tuple[Attack, ...] = (
    Attack("lines of many writers at once, up to 20 KB: each whole, in its writer's order", appends),
    Attack("recorded while saves fold the ledger: each in memory, once", folds),
    Attack("sessions that record, save, restore and audit at once: each its own words only", crossings),
    Attack("Stop and PreCompact at once, the transcript growing: the newer wins, the files fit", two_saves),
    Attack("the same hook two to four times at once: one block, one audit, one note", once),
    Attack("pins added and taken off at once: each edit holds", pins),
    Attack("saves that feed the archive at once: each turn there, its own session's", archive),
    Attack("an archive of 0.6.0 brought up to date by several, searched, written and killed: all there, once",
           upgrades),
)
