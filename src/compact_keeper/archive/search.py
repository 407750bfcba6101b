"""The passages that answer a question, of this machine's archive or the server's, and what there is to say of them."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

from compact_keeper.archive.indexing import is_kept_out, take_in
from compact_keeper.archive.later_edits import later_edits
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.passages import without_doubles
from compact_keeper.archive.postgres import SERVER_VARIABLE, Away, Server
from compact_keeper.archive.question import BEST, question, spelled
from compact_keeper.archive.wording import hits_text, hits_within
from compact_keeper.client.project import project_folder, transcripts_named
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import settings_for
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import local_time
from compact_keeper.types import JsonObject

PASSAGES_BY_DEFAULT = 3
ANSWER_MAX_CHARACTERS = 2_000  # of an answer, unless it is asked for more
NOTHING = "nothing found; fewer or other words may find it"
NOTHING_HERE = "nothing found with these filters"
OLDER = "older"
FILTER_WORDS = {  # what is not seen for a filter
    "kind": "of another kind", "project": "of another project", "session": "of another session", "since": OLDER,
    "until": "newer"}
EMPTY = ("the archive is empty: it fills itself after each turn from now on. What was there before is taken in by "
         f"`python3 \"{os.path.abspath(__file__)}\" index`, as far back as the setting `archive_days` says (180).")
SWITCHED_OFF = "the archive is switched off {}: what is done here does not come in"
CUT = "words that stand everywhere: looked for in what is newer than {0}; --until {0} looks further back"
WEAK_SHARE = 0.5  # of what was asked; where the best passage holds less, that is said
UNFINISHED_TURN_SECONDS = 1.0  # for which the running session's newest records are read before a search
RUNNING_SESSION = "CLAUDE_CODE_SESSION_ID"  # how the client names it to what it starts
SESSION_MAX_CHARACTERS = 100


def server_named() -> str:
    """The address of the server that is asked instead of this machine's archive; empty without one."""
    url = os.environ.get(SERVER_VARIABLE, "")
    return "" if url == "off" else url


def open_archive(instead: bool = False) -> Any:
    """The archive that is asked: the server's where one is named; this machine's `instead` while that one is away."""
    if not (url := server_named()):
        return Archive(is_made=False)
    try:
        return Server(url)
    except Away as fault:
        if not instead:  # numbers of turns differ, and what is forgotten has to be forgotten there
            raise
        sys.stderr.write(f"compact-keeper: {fault}; this machine's archive answers\n")
        return Archive(is_made=False)


def take_in_running_session() -> None:
    """Takes in what the running session has added since its last save, its unfinished turn too; gives up at once."""
    session = os.environ.get(RUNNING_SESSION, "")
    if os.environ.get(SERVER_VARIABLE) or not re.fullmatch(rf"[\w-]{{1,{SESSION_MAX_CHARACTERS}}}", session):
        return
    with suppress(OSError, Refusal, sqlite3.Error):
        for path in transcripts_named(session):
            until = time.time() + UNFINISHED_TURN_SECONDS
            take_in(Archive(UNFINISHED_TURN_SECONDS), path, lambda _read, _new: None, until)


def passages_for(text: str, filters: JsonObject) -> tuple[list[JsonObject], list[str]]:
    """The best passages for a question, and what there is to say of them.

    Words in quotes need not occur where nothing has them; where only a filter keeps back what does, that is said. A
    secret in the question is replaced as it is in what is kept: what is said of words that occur nowhere would repeat
    it.
    """
    question(text)  # refused where it is too long to be looked through
    text = redact(clean(text))
    take_in_running_session()
    archive = open_archive(instead=True)
    search = {"kind": None, **filters, **question(text)}
    passages, cut_at = archive.find(search), archive.cut_at
    notes: list[str] = []
    if not passages:
        elsewhere = steps_elsewhere(archive, search)
        if search["must"]:
            phrases = search["phrases"]
            search = {**search, **question(text.replace('"', " "))}
            passages = archive.find(search)
            cut_at = max(cut_at, archive.cut_at)
            notes += notes_on_quotes(archive, phrases, search, elsewhere, bool(passages))
        elif elsewhere:
            notes.append(f"not here, but {elsewhere}")
    if cut_at:
        notes.append(CUT.format(local_time(cut_at + 60).replace(" ", "T")))
    nowhere = {word: term for word, term in search["words"].items() if not occurs(archive, term)}
    instead = {word: near for word, term in nowhere.items() if (near := words_near(archive, search, term))}
    is_any_there = bool(search["must"]) or any(occurs(archive, term) for term in search["terms"])
    if not is_any_there and len(instead) <= len(nowhere) / 2:
        passages = []  # of words that only look like some of those that were asked for
    if nowhere:
        looked_for = [word for near in instead.values() for word in near] if passages else []
        substitutes = f"; looked for {listed(looked_for)} instead" if looked_for else ""
        notes.append(f"no step holds {listed(nowhere)}{substitutes}")
    if passages and held_of_all(passages[0], search, nowhere.keys() - instead) < WEAK_SHARE:
        notes.append("no passage holds half of the words")
    best = without_doubles(passages, filters.get("limit", PASSAGES_BY_DEFAULT))
    again = later_edits(archive, [(passage, passage["step"], passage["text"]) for passage in best])
    return [{**passage, "edited_again": again.get(passage["id"], {}).get(passage["step"], "")}
            for passage in best], notes


def listed(words: Iterable[str]) -> str:
    """The words, each in backticks."""
    return ", ".join(f"`{word}`" for word in dict.fromkeys(words))


def words_near(archive: Any, search: JsonObject, term: str) -> list[str]:
    """The words, without their endings, that are looked for instead of one that may be misspelt: one slip away."""
    near = spelled(archive, {**search, "terms": [term]}, {}) if term in search["typed"] else ()
    return [word.strip('"') for word in near if word != term]


def held_of_all(passage: JsonObject, search: JsonObject, missing: Collection[str]) -> float:
    """How much of what was asked the passage holds, where these plain words occur nowhere.

    What else occurs nowhere counts in `held` already.
    """
    plain = sum(search["words"][word] in search["typed"] for word in missing)
    count = len(search["words"]) or 1
    return float(passage["held"] * (count - plain) / count)


def notes_on_quotes(archive: Any, phrases: Sequence[str], loose: JsonObject, elsewhere: str, is_met: bool) -> list[str]:
    """That nothing holds the quoted phrases; what holds them without a filter; what came of the words without quotes.

    `loose` is the search without the quotes; `elsewhere` what the quoted one would find without a filter; `is_met`:
    whether the loose one has found something.
    """
    if elsewhere:
        first = f"no step here holds {' and '.join(phrases)}, but {elsewhere}"
    else:
        first = f"no step holds {' and '.join(phrases)}"
    if is_met:
        return [f"{first}; without the quotes:"]
    loosely = "" if elsewhere else steps_elsewhere(archive, loose)
    return [first, f"without the quotes {loosely}"] if loosely else [first]


def occurs(archive: Any, term: str) -> bool:
    """Whether a step holds the term. The words that begin as a prefix says are asked of the vocabulary: of a large
    archive the index would read the positions of all of them.
    """
    if term in archive.counted:
        return True
    is_prefix = term.endswith("*") and " " not in term
    return bool(archive.beginning(term.strip('"*')) if is_prefix else archive.rows_with(term, 1))


def steps_elsewhere(archive: Any, search: JsonObject) -> str:
    """How many steps would answer without one of the filters, else without any of them; empty where none would."""
    names = [name for name in FILTER_WORDS if search.get(name)]
    counts = [answering(archive, {**search, name: None}, FILTER_WORDS[name]) for name in names]
    if len(names) > 1 and not any(counts):
        counts = [answering(archive, {**search, **dict.fromkeys(names)}, "outside of these filters")]
    return ", ".join(filter(None, counts))


def answering(archive: Any, search: JsonObject, words: str) -> str:
    """How many steps hold as much of what is asked as the best does, in words; of older ones when the newest was."""
    passages = archive.find(search)
    most = max((passage["held"] for passage in passages), default=0.0)
    times = [passage["time"] for passage in passages if passage["held"] >= most]
    at_least = "at least " * (len({passage["id"] for passage in passages}) >= BEST)
    newest = f" (the newest {local_time(max(times)).replace(' ', 'T')})" if times and words == OLDER else ""
    return f"{at_least}{len(times):,} {words}{newest}" if times else ""


def answer_text(text: str, filters: JsonObject, most: int) -> str:
    """The best passages for a question, in at most so many characters; what of it occurs nowhere."""
    passages, notes = passages_for(text, filters)
    if not passages:
        off = SWITCHED_OFF.format(where_off()) if where_off() else ""
        if not open_archive(instead=True).figures()["turns"]:
            return f"the archive is empty; {off}" if off else EMPTY
        notes += [off] * bool(off)
    above = "".join(f"({note})\n" for note in notes)[:most // 2 if most else None]
    hits = hits_within(passages, most - len(above) if most else 0)
    nothing = NOTHING_HERE if any(map(filters.get, FILTER_WORDS)) else NOTHING
    return (above + (hits_text(hits) or nothing))[:most or None]


def where_off() -> str:
    """For what nothing comes into the archive here, and what says so; empty where it fills itself."""
    if os.environ.get(SERVER_VARIABLE) == "off":
        return f"in this session ({SERVER_VARIABLE}=off)"
    if not settings_for("")["archive"]:
        return 'for all projects ("archive": false in config.json)'
    is_out = is_kept_out(project_folder({}))
    return 'for this project ("archive": false in .claude/compact-keeper.json)' if is_out else ""
