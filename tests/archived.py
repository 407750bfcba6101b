"""Sessions and turns for an archive, and a search as the commands make it."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from compact_keeper.archive.database import ARCHIVE_MIGRATIONS, COLUMNS, content_mark, digest
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.question import question
from compact_keeper.archive.turns import turns_of
from sessions import CWD, SESSION_ID, START, JsonObject, Session, stamp

FOREVER = {"archive_days": 36_500}  # settings with which made-up sessions never grow too old


def day() -> Session:
    """A session with a turn that holds every kind of text."""
    session = Session()
    session.typed("Round the rates. Let's use decimals, not floats.")
    session.says("We'll use half even because invoices do.")
    session.ran("Bash", "collecting\n12 passed", command="make test\n--quiet")
    session.failed("Bash", "Exit code 2\nTraceback (most recent call last):\nValueError: no rate", command="make rates")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="a", new_string="b")
    session.ran("Grep", "rates.py:3", pattern="half", path="src")
    session.ran("WebSearch", "found", query="half even")
    session.ran("ExitPlanMode", "approved", plan="1. Change it")
    return session


def talk() -> Session:
    """A session of four turns: 1 (rates), 2 (zebra), 3 (a summary), 4 (long)."""
    session = Session()
    session.typed("Round the rates half even.")
    session.says("We'll use decimals.")
    session.ran("Bash", "12 passed", command="make test\nmake lint")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    session.typed("Now deploy the zebra.")
    session.failed("Bash", "Exit code 1\nerror: no zebra", command="make deploy")
    session.compacted("The zebra was not deployed.")
    session.typed("Long: " + "word " * 2_000)
    return session


def many(folder: Path, files: int, turns: int) -> list[Path]:
    """Transcripts of so many turns each, all different."""
    folder.mkdir()
    draw, paths = random.Random(7), []
    for number in range(files):
        session = Session(number * turns)
        for turn in range(turns):
            session.typed(f"Prompt {number} {turn} " + " ".join(f"w{draw.randrange(5_000)}" for _ in range(40)))
        paths.append(session.write(folder / f"{number}.jsonl"))
    return paths


def upgraded_session(number: int) -> Session:
    """Three turns, the second of words alone, the third of several rows in this version and in 0.6.0."""
    made = Session(100 * number)
    made.typed(f"Round the rates {number}.")
    made.ran("Bash", f"collecting\n{number} zebras\n12 passed", command="make test")
    made.typed(f"Words alone {number}.")
    made.typed(f"Now the long one {number}.")
    for step in range(9):
        made.says(f"Chapter {step} of {number}. " + "word " * 300)
    return made


def old_archive(path: Path, transcripts: Sequence[Path]) -> Path:
    """An archive of such sessions as 0.6.0 left it: turns in parts of their own, of outputs the last line alone."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(f"{ARCHIVE_MIGRATIONS[0]}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL")
        for number, transcript in enumerate(transcripts):
            about = transcript.stat()
            rows = [row for row, _ in turns_of(str(transcript), 0, about.st_size, {})]
            offset = rows[-1]["start"] + 10
            db.execute("INSERT INTO sources VALUES(?, ?, ?, ?, ?, ?)", (
                number + 1, digest(os.path.realpath(transcript)), about.st_ino, about.st_size, offset,
                json.dumps({"turn": rows[-1]["turn"]})))
            first, words, second = rows[0], rows[1], {**rows[2], "answer": "Chapter 0"}
            parts = [{**first, "command": "make test\n  → ok: 12 passed"}, words, second,
                     {**second, "start": offset, "prompt": "", "answer": "Chapter 4"}]
            for part in parts:
                steps = [[kind, len(part[kind])] for kind in KINDS[:4] if part[kind]]
                row = {**part, "source": number + 1, "hash": content_mark(part), "steps": json.dumps(steps)}
                names = [name for name in COLUMNS if name != "first"]
                db.execute(f"INSERT INTO turns({', '.join(names)}) VALUES({', '.join('?' * len(names))})",
                           [row[name] for name in names])
    return path


def prompts(rows: list[JsonObject]) -> list[str]:
    """The rows' prompts."""
    return [row["prompt"] for row in rows if row["prompt"]]


def turn(number: int = 0, prompt: str = "", **fields: Any) -> JsonObject:
    """A turn as the transcript's reader makes it, a second after the one before; a step of each text."""
    texts = {**dict.fromkeys(KINDS, ""), "prompt": prompt, **fields}
    steps = [[kind, len(texts[kind])] for kind in KINDS[:-1] if texts[kind]]
    return {"stamp": stamp(number), "time": float(START + number), "project": CWD, "session": SESSION_ID,
            "branch": "main", "cycle": 0, "who": "person", "turn": number, "start": number,
            "first": number + 1,
            "steps": json.dumps(steps), **texts}


def store(archive: Archive, *turns: JsonObject, source: str = "a", folder: str = os.curdir) -> int:
    """Stores the turns as of a transcript of this name, which has the folder's inode; how many are new."""
    place = archive.source(source, os.stat(folder))
    return archive.store(place["id"], turns, 0, 0, {"project": CWD})


def stored_prompts(archive: Archive, *prompts: str) -> Archive:
    """The archive with a turn for each of these prompts, the last the newest."""
    store(archive, *(turn(number, prompt) for number, prompt in enumerate(prompts)))
    return archive


def search(text: str, **filters: Any) -> JsonObject:
    """What is asked, with filters."""
    return {"kind": None, **filters, **question(text)}


def prompts_found(archive: Archive, text: str, **filters: Any) -> list[str]:
    """The prompts of the turns found, best first."""
    return [row["prompt"] for row in archive.find(search(text, **filters))]
