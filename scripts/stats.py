#!/usr/bin/env python3
"""See what compact-keeper does: figures in the terminal, a live view, a page.

Usage: stats.py [stats] [SESSION | --global] [--json]
       stats.py watch [SESSION] [--interval SECONDS]               a live view; q ends it
       stats.py report [SESSION] [--open] [-o FILE]                an HTML page that needs no network
       stats.py reset [--yes]               empties events.jsonl, events.jsonl.1 and history.jsonl

SESSION  an id; else $CLAUDE_CODE_SESSION_ID, else the newest session of the present project, else the newest of all.
Reads    events.jsonl with its older part, events.jsonl.1, and the sessions' folders; of a session its transcript
         too, of which numbers alone are taken.
Writes   report: reports/<session>.html in the data folder, for the owner alone, or FILE. reset: see there; memory,
         pins and archive stay. Else nothing.
Figures  A token is estimated as 4 characters. What is not known is left out, or called so; it is never 0.
Exits    0 when done, 1 on a refusal that says why, 2 on wrong usage. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/stats.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import math
import os
import re
import select
import signal
import stat
import sys
import textwrap
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache, partial
from html import escape
from itertools import groupby
from operator import add
from pathlib import Path
from shutil import get_terminal_size
from sys import maxsize
from typing import NamedTuple

VERSION = "0.27.0"  # of the plugin that this script came with


# ==================================================================================================
# client/asking.py: A question to the person who has typed a command in a terminal.
# ==================================================================================================

def is_agreed_to(question: str) -> bool:
    """Whether the person answers yes, or y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() in ("y", "yes")


# ==================================================================================================
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

NOTHING_KNOWN = "nothing is known of session"  # how stats.py begins to say so; answer_prompt.py says it of a new one


class Refusal(Exception):
    """Says why an input or a file is not used."""


def fault_words(fault: Exception) -> str:
    """What went wrong, for a person: of a fault of the system the file and the cause, without its number."""
    if not isinstance(fault, OSError) or not fault.strerror:
        return str(fault)
    return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror


# ==================================================================================================
# store/folder.py: The data folder: folders 0700, files 0600, nothing written through a link, no file of another kind waited for.
# ==================================================================================================

SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
EVENTS_FILE, HOOK_LOG, ARCHIVE_FILE = "events.jsonl", "hook.log", "archive.db"  # in the data folder
# In a session's folder; each other file's name stands in the module that it is named after.
MEMORY_FILE, SNAPSHOT_FILE, STATUS_FILE, NOTES_PAGE = "memory.json", "snapshot.json", "status.json", "notes.md"
SCHEMA = 1  # of every file and line that we write; a file with another number is left alone
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # 0 on Windows
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def data_home() -> str:
    """The data folder's path: one folder, however the scripts were installed; refused where it is no full path."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    path = os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    if not os.path.isabs(path):  # each folder that a script runs in would have one of its own
        raise Refusal(f"the data folder {path} is no full path; COMPACT_KEEPER_HOME or CLAUDE_CONFIG_DIR names it")
    return path


def session_folder(session: str) -> str:
    """Where what is known of the session lies, if anything is."""
    return os.path.join(data_home(), "sessions", session)


def private_folder(*names: str) -> str:
    """The path of a folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = f"\n{line}"
        file.write(f"{line}\n".encode("utf-8", "replace"))


def replace_file(path: str, content: bytes) -> None:
    """Replaces the file in one step, for the owner alone; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(content)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


# ==================================================================================================
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

# How the names of files end that SQLite keeps beside an open one. They come with whoever asks, and are written back and
# gone then: with them `recall stats` had said 366 KB, and `stats --global` a second later 70.
BESIDE_DATABASE = ("-wal", "-shm")
OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def size_counted(path: str) -> int:
    """Bytes of a file or folder in the data folder, as all tell them: none of what lies beside an open archive."""
    return 0 if path.endswith(BESIDE_DATABASE) else size_below(path)


def set_aside(path: str, most: int) -> None:
    """Sets a file of more bytes aside, beside it, so that it begins anew; the one that was set aside before goes."""
    if size_of(path) > most:
        try:
            os.replace(path, f"{path}{OLD_ENDING}")
        except FileNotFoundError:  # another hook has just done it
            return


def end_of(path: str, size: int, flags: int = 0) -> bytes:
    """The file's last so many bytes; none where it cannot be read. `flags` are those that open it, beside reading."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | flags), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, ValueError, Refusal):  # a name with a NUL is no file
        return b""


# ==================================================================================================
# store/json_lines.py: Files of JSON lines, ours and the client's: read by offset, so that a later reader goes on where this one stopped.
# ==================================================================================================

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER, NOT_BLANK = json.JSONDecoder(), re.compile(r"\S")


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=BUFFER_BYTES) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_MAX_BYTES)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_MAX_BYTES and (more := file.readline(LINE_MAX_BYTES)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def lines_from(path: str, start: int, most_bytes: int = sys.maxsize) -> Iterator[tuple[int, bytes]]:
    """The lines from that byte on, at most the last so many bytes of them, each with the offset behind it.

    All lines where the file is shorter: then it is another one. None where there is no file.
    """
    size = size_of(path)
    if size:
        begin = start if 0 <= start <= size else 0
        yield from read_lines(path, max(begin, size - most_bytes), size)


def parse_line(line: bytes) -> list[JsonObject]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values, offset = line.decode("utf-8", "replace"), list[object](), 0
    try:  # by offset: the rest of a line of 16 MB behind its first object was 16 MB more
        while len(values) < OBJECTS_MAX and (begin := NOT_BLANK.search(text, offset)):
            value, offset = DECODER.raw_decode(text, begin.start())
            values.append(value)
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_at_end(path: str, most_bytes: int = sys.maxsize) -> Iterator[JsonObject]:
    """The records of the lines that begin in the file's last so many bytes; none where there is no file."""
    size = size_of(path)
    return records_of(path, max(size - most_bytes, 0), size) if size else iter(())


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

NO_EVENT = "no event yet"


def newest_events(most_bytes: int = sys.maxsize) -> Iterator[JsonObject]:
    """The events of the file's older part and of the file, of each at most the last so many bytes, the oldest first.

    Lines that are torn, no object, or of another schema are passed over.
    """
    path = os.path.join(data_home(), EVENTS_FILE)
    for part in (f"{path}{OLD_ENDING}", path):
        yield from filter(is_event, records_at_end(part, most_bytes))


def is_event(record: JsonObject) -> bool:
    """Whether the record is an event as `note_event` writes it."""
    is_ours = record.get("schema") == SCHEMA and number(record.get("time")) is not None
    return is_ours and bool(SESSION_ID.match(text_of(record, "session")))


# ==================================================================================================
# figures/counting.py: What events.jsonl tells of each session, counted line by line.
# ==================================================================================================

@dataclass
class Tally:
    """What is known of a session; of saves those at PreCompact are kept, those at Stop only counted."""

    first: float = math.inf
    last: float = 0.0
    saves_at_stop: Counter[float] = field(default_factory=Counter)  # how often one took so many milliseconds
    recorded: Counter[float] = field(default_factory=Counter)  # the same of record_event.py
    cleared: int | None = None  # failing commands that passed later; None where no save told
    events: list[JsonObject] = field(default_factory=list)

    def seen(self, *times: float) -> None:
        """Takes in when something was seen."""
        self.first = min(self.first, *times)
        self.last = max(self.last, *times)

    def clear(self, count: float) -> None:
        """Adds failing commands that passed."""
        self.cleared = (self.cleared or 0) + int(count)

    def add(self, other: Tally) -> None:
        """Takes in another session's tally."""
        self.seen(other.first, other.last)
        self.saves_at_stop.update(other.saves_at_stop)
        self.recorded.update(other.recorded)
        if other.cleared is not None:
            self.clear(other.cleared)
        self.events += other.events


Tallies = defaultdict[str, Tally]


def count(record: Mapping[str, Any], name: str) -> int:
    """The field's count; 0 where it is none."""
    return int(number(record.get(name)) or 0)


def read_events() -> Tallies:
    """A tally for each session that the events tell of."""
    tallies: Tallies = defaultdict(Tally)
    for event in newest_events():
        add_event(tallies[event["session"]], event)
    return tallies


def add_event(tally: Tally, event: JsonObject) -> None:
    """Takes in an event of the tally's session."""
    tally.seen(event["time"])
    is_save = event.get("event") == "save"
    if is_save:
        add_figures(tally, event)
    if not is_save or event.get("on") == "PreCompact":
        tally.events.append(event)
    elif event.get("on") == "Stop" and number(event.get("ms")) is not None:
        tally.saves_at_stop[event["ms"]] += 1


def add_figures(tally: Tally, save: JsonObject) -> None:
    """Takes in what a save tells of others: commands that passed, and times of the hooks that wrote the ledger."""
    if number(save.get("cleared")) is not None:
        tally.clear(save["cleared"])
    recorded = save["recorded"] if isinstance(save.get("recorded"), dict) else {}
    for milliseconds in recorded:
        times = count(recorded, milliseconds)
        if times and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", milliseconds, re.ASCII):
            tally.recorded[float(milliseconds)] += times


# ==================================================================================================
# client/transcript.py: A record of the transcript: what its message holds, and which of its words a person typed.
# ==================================================================================================

def content_blocks(record: JsonObject) -> list[JsonObject]:
    """The message's content as blocks; a plain string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

UNITS_PER_TOKEN = 4  # characters of English or code that make about a token
CUT_MARK = "…"  # where the end of a text is missing


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units.

    By "utf-16", with two bytes that tell the order: Python has it built in, and would import a module for "utf-16-le".
    """
    return len(text) if text.isascii() else len(text.encode("utf-16", "surrogatepass")) // 2 - 1


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    if text.isascii():
        return text[:max(limit - 1, 0)].rstrip() + CUT_MARK
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + CUT_MARK


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else whole_words(line, limit) + " …"


# ==================================================================================================
# text/named_secrets.py: Secrets that are known again: a value that the session named once stands elsewhere without its name.
# ==================================================================================================

NAMED_RUN_CHARACTERS, NAMED_RUN_CHANGES = 16, 4  # at least: of a run, and between its letters and digits
NAMED_RUN = rf"[A-Za-z0-9]{{{NAMED_RUN_CHARACTERS},}}"
LETTER_DIGIT_CHANGE = r"\d(?=[A-Za-z])|[A-Za-z](?=\d)"


@cache
def named_runs() -> set[str]:
    """The runs that this process has replaced behind a name: the only state of the text room.

    `redact` adds to it, which is called 40 times, each for a text of its own: to hand it through all of them would put
    it into every signature. Who reads several sessions begins each with `forget_named_secrets` (quotation.py).
    """
    return set()


def remember(value: str) -> None:
    """Knows the runs of a value that was replaced from now on."""
    runs = re.findall(NAMED_RUN, value)
    named_runs().update(run for run in runs if len(re.findall(LETTER_DIGIT_CHANGE, run)) >= NAMED_RUN_CHANGES)


# ==================================================================================================
# text/holding.py: Whether a text holds one of several parts, asked before a pattern is tried that needs one of them; or a word.
# ==================================================================================================

LONG_TEXT_CHARACTERS = 600


def holds_any(text: str, parts: Iterable[str]) -> bool:
    """Whether the text holds one of the parts; in long texts `rfind` takes a fifth to all of the time of `in`.

    A loop over all rows of a summary, for each line, asks by itself: the call alone took 2 of a recap's 60 ms there.
    """
    if len(text) < LONG_TEXT_CHARACTERS:
        return any(map(text.__contains__, parts))
    return any(text.rfind(part) >= 0 for part in parts)


def parts_in(text: str, parts: Iterable[str]) -> list[str]:
    """Those of the parts that the text holds."""
    if len(text) < LONG_TEXT_CHARACTERS:
        return [part for part in parts if part in text]
    return [part for part in parts if text.rfind(part) >= 0]


# ==================================================================================================
# text/secret_patterns.py: What secrets look like: tokens by how they begin or are built, passwords by the words before them.
# ==================================================================================================

PREFIXES = (  # what begins so is a token
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- "
    "glffct- GR1348941 ATBB ATATT3 ATCTT3 xoxa- xoxb- xoxe- xoxe. xoxp- xoxr- xoxs- xapp- sk-ant- sk-proj- "
    "sk-svcacct- sk-admin- sk-or-v1- sk-lf- rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- 1//0 1%2F%2F0 pypi-AgE dop_v1_ "
    "doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ lin_api_ hvs. hvb. AGE-SECRET-KEY-1 eyJ dp.pt. dp.st. figd_ xai- "
    "pplx- ntn_ PMAK- dckr_pat_ dckr_oat_ sb_secret_ glsa_ nvapi- tvly- pcsk_ lsv2_ tgp_v1_ ABSK fo1_ fm2_ HRKU- "
    "pscale_tkn_ pscale_pw_ pscale_oauth_ tskey- CCIPAT_ sgp_ AQVN y0_Ag sq0csp- sq0atp- rzp_live_ xkeysib- NRAK- "
    "NRII- dt0c01. sntryu_ sha256~").split()
UNBROKEN = (  # what begins so may be a name too (`npm_config_x`); a token's body has no joints, but digits or capitals
    "sk- sk_ sk_live_ sk_test_ pk_live_ npm_ hf_ api_org_ gsk_ r8_ fw_ csk- jina_ fc- sbp_ napi_ rnd_ nfp_ cfut_ cfat_ "
    "vcp_ sqp_ squ_ sqa_ bkua_ pul- rubygems_ CLOJARS_ phx_ rdme_ pnu_ sntrys_ key- dapi oy2 cio AKCp cmVmd LTAI AKID "
    "AKIA ASIA API- 4b1d EZAK").split()
BUILT = (  # by shape, of which a piece must occur; the rest of the token follows
    (".atlasv1.", r"\w{14}\.atlasv1\."), ("SG.", r"SG\.[\w-]{16,}\."), ("AA", r"\d{8,10}(?::|%3A)AA"),
    ("Q~", r"[\w~.]{3}\dQ~"), ("-us", r"[\da-f]{32}-us(?=\d)"), ("EAAA", r"EAAA(?=\S{50})"),
    ("re_", r"re_\w{8}_(?=\w{20})"), ("tfp_", r"tfp_(?=\S{40})"), ("v1.0-", r"v1\.0-[\da-f]{24}-"),
    ("pat", r"pat\w{14}\.(?=\w{64})"), ("A3-", r"A3-[A-Z\d]{6}-"),
    ("sdk-", r"sdk-(?=[\da-f]{8}-[\da-f-]{27})"), ("access-", r"access-\w+-(?=[\da-f]{8}-[\da-f-]{27})"),
    ("MT", r"MT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"), ("NT", r"NT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("OT", r"OT[\w-]{22,26}\.[\w-]{6}\.(?=[\w-]{27})"),
    ("SK", r"SK(?=[\da-f]{32}(?!\w))"),  # words in capitals begin so, too
    ("$2", r"\$2[abxy]\$\d\d\$"), ("$6$", r"\$6\$"),
    ("$argon2", r"\$argon2\w{1,2}\$(?:[\w=,]+\$)+"))
LEAST = {"pat": 82, "MT": 59, "NT": 59, "OT": 59, "-us": 36, "re_": 32, "SK": 34}  # characters: words are full of these
ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[\dA-Fa-f]{2})|(?<=[\[;\d]\dm))"  # behind JSON's \n, %3D, a colour too
SPOKEN = (r"pass(?:w(?:or)?[dt]|phrase|code)|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|пароль"
            r"|密码|パスワード")
OTHERS = (r"secret|token|(?:api|access|account|private|auth|signing|encryption)[ _-]?key|credentials?"
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])(?:sig|key(?==(?=\w{0,60}\d)\w{20})))|amz-signature")
FIRST = "(?=[pstacekmwhп密パ])"  # the letters that these begin with: three times as fast
# A test's verdict, no name of a password: `--- PASS: TestA/b (0.1s)`, `| PASS | mode=3 against the baseline`. Of others
# than Go's tests only where a short plain number stands behind a name, with words behind it in the same row.
TEST_VERDICT = (r"(?-i:(?<!\w)PASS)[*_`]{0,3}(?:: (?-i:Test)[A-Z]\w*(?:/\S*)? \(\d"
           r"|(?::|[^\S\n]?\|)[^\S\n]{1,5}(?!\w{0,9}(?:pin|code|pw|pass|key|token|secret|user|login|admin|root|auth|sig))"
           r"[a-z]\w{1,15}=\d{1,4}(?:\.\d{1,6})?[,;]?[^\S\n]{1,3}[^\s|\d(])")
NAMED = rf"{FIRST}(?:{SPOKEN}|{OTHERS})(?:_(?:key|base|value)){{0,2}}"
NAMES = ("pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "sig", "identified by", "kennwort",
         "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码", "パスワード")
TYPE_NAMES = (  # of a signature; in quotes they are a value
    r"(?:(?:Uint|Int|Float|BigInt|BigUint)\d{1,2}(?:Clamped)?Array|ArrayBuffer|CryptoKey|string|number|boolean|bytes"
    r"|Buffer)(?=[\s;,)\]}|>`]|\Z)")
FROM_ENVIRONMENT = (  # asked for by a name
    r"(?:process\.env\.\w|import\.meta\.env\.\w|os\.(?:environ|getenv)\b|Deno\.env\.|System\.getenv\()")
PLACEHOLDER = (  # of an example, which is to be filled in: your_api_key_here
    r"(?:your(?:[_-][a-z]{1,12}){0,6}?[_-](?:key|token|secret|password|passphrase|here)"
    r"|(?:test|fake|dummy|mock)(?:[_-](?:api|app|access|auth|secret))?[_-](?:key|token)|x{3,})"  # of a test; masked
    r"(?![\w.!@#$%^&*+/=-])")
PLACEHOLDER_IN_URL = (  # as .env.example has it; behind it no second `@`, before which more of a value would stand
    r"(?:<[A-Z_]{0,20}(?:PASS|PASSWORD|SECRET|TOKEN|KEY|USER)>|\$\{[A-Z_]{1,40}\})@(?![^\s/'\"]*@)")
CODE_LOCATION = r"[\w@-][\w@.-]{0,40}(?:/[\w@-]{1,60}){1,9}(?:\.[a-z]{1,5}){1,3}:\d{1,6}(?![\w:/@.-])"  # src/a2.ts:84
# `"next-auth": "^4.24.5"`, `google-auth==2.23.4`: what a package needs.
VERSIONS = r"(?:[\^~]|[<>=!~]=?)\s?\d{1,5}(?:\.\d{1,5}){1,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?=[\s\"'`,;\\]|\Z)"
NEVER = (  # no value, or a location
    rf"(?!\[redacted|[$<*{{(%]|(?:\.\.\.|…)(?=[\s\"'`,;)\]}}<]|\Z)|{PLACEHOLDER}|{CODE_LOCATION}|{VERSIONS}|(?:true|false|null|same-origin)\b|{TYPE_NAMES}|{FROM_ENVIRONMENT}|(?:password|token)[\"'`])")
QUOTE = r"\\*[\"'`]"  # in JSON in JSON too
# What a search, a listing, a diff or a quotation puts before a line: `a.yml:4:`, `a.yml-4-`, `4→`, `+`. Behind it the
# value stands that the line above names. In the gap itself it is no value, unless nothing but it stands there.
LINE_HEAD = (r"(?:(?!\\|\[redacted)(?:[A-Za-z]:)?(?=[^\s:]{0,120}[./\\])[^\s:]{1,120}?"
             r"(?::(?:\d{1,7}:)?|-\d{1,7}-|\.\w{1,5}-)(?=[^\S\n])|\d{1,7}(?:[:→-]|\s?[│|]|\t)|[+>-](?!\S))")
PLAIN_GAP = r"(?:\s|\\+[nrt]){0,9}"
GAP = (rf"(?:(?:[^\S\n]|\\+[rt]){{0,9}}|{PLAIN_GAP}(?!{LINE_HEAD}[^\S\n]{{1,40}}\S)"
       rf"|[^\S\n]{{0,9}}(?:\r?\n|\\+n)[^\S\n]{{0,9}}{LINE_HEAD}[^\S\n]{{0,40}})")
IS = r"(?:is|ist|lautet|est|es|é|è|jest)"
# What stands behind one of NAMES wherever a value follows it, of a text in lower case without backslashes: an equals
# sign, another sign and a quotation mark or a number; a verb or nothing, and a number. NAME_END is the name's rest.
NAME_END = r"(?:w(?:or)?[dt]|phrase|code|[eds]|nature)?(?:_(?:key|base|value)){0,2}"
GAP_BEHIND = rf"[\snrt]{{0,9}}(?:{LINE_HEAD}\s{{0,40}})?"
BEHIND_NAME = (
    rf"{NAME_END}(?:[\"'`*_\])]{{0,3}}[\snrt]{{0,9}}(?::?=|%3d|(?::|->){GAP_BEHIND}[\"'`]|>[^<>\s]{{4}}"
    rf"|[:|][*_]{{0,2}}[\snrt]{{0,9}}(?:[|>][-+]?)?{GAP_BEHIND}(?:```|[\"'`]?[^\s\[]{{0,61}}\d))"
    r"|[^\S\n]`[^\s`]*\d|[\"'`](?:, ?| value=)[\"'`][^\s\[]{0,61}\d|\s+')")
BEHIND_SPOKEN = (
    rf"{NAME_END}(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}[^\S\n]{{1,3}}{IS}"
    r"(?::[*_]{0,2}[\snrt]{0,9}(?:```\w{0,12}[\snrt]{0,9})?|[^\S\n]{1,2})| to "
    r"|[^\S\n]?[是は为：:][^\S\n]?|[^\S\n])(?=[^\s\[]{0,61}\d)")
BEHIND_OPTION, OPTION_BEFORE = rf"{NAME_END} ", r"(?<!\w)-(?:\w[-\w ]*)?\Z"
KEY_OWNERS = ("api", "access", "account", "private", "auth", "signing", "encryption")
SEEN_BEFORE_CHARACTERS, SEEN_BEHIND_CHARACTERS = 70, 600  # of a name: an option's words; backslashes among them
LIKELY = r"(?=[^\s\[]{0,60}\d)(?=[^\s\[]{6})"  # what stands behind a colon may be a sentence
UNLIKELY = (r"(?!\[redacted|[$<*{(%]|\w+\(|\S+\.[a-z]{1,5}\b|v?\d+\.\d|\S*://"  # a call, file, version, address
            r"|(?:sha|md|base|utf|argon|hmac|aes|rsa|[rhe]s|oauth|http|bcrypt|pbkdf)-?\d{1,4}\b)")


def first_of(words: Iterable[str]) -> str:
    """A look at the first letter of these words, ten times as fast as a look for each of them."""
    return f"(?=[{''.join(sorted({word[0] for word in words}))}])"


SECRETS = (  # kind, words of which one must occur before they are tried (in any case with (?i)), patterns
    ("private key", ("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines"),  # whole or torn; as base64; of PuTTY
     r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|\Z)"
     r"|(?:LS0tLS1CRUdJTi|Private-Lines: \d)[\w+/=]*(?:(?:\s|\\n)+[\w+/]{16,}=*)*"),
    ("private key", ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"),  # its end alone
     r"(?<![\w+/=])(?:[\w+/]{32,}=*(?:\s|\\n)+){1,60}(?:[\w+/]+=*(?:\s|\\n)+){0,2}"
     r"-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----"),
    ("webhook", ("webhook", "slack"),
     r"(?P<keep>(?:slack\.com(?:/|%2F)\w+?|webhooks|webhookb2)(?:/|%2F))[\w@%-]+(?:/|%2F)(?:\w+(?:/|%2F))?"
     r"[\w-]{16,}(?:(?:/|%2F)[\w-]{16,})*"),
    ("token", PREFIXES,
     rf"{first_of(PREFIXES)}{ALONE}(?:{'|'.join(PREFIXES).replace('.', '[.]')})(?:[\w.=+/-]|%[23][\dA-F]){{15,}}[\w=]"),
    ("token", UNBROKEN,
     rf"{first_of(UNBROKEN)}{ALONE}(?:{'|'.join(UNBROKEN)})"
     r"(?=\w{0,40}(?:\d|[A-Z]{2}|[A-Z][a-z][A-Z]))[A-Za-z0-9]{16,}[\w=-]*"),
    ("token", tuple(piece for piece, _ in BUILT),
     rf"{ALONE}(?:{'|'.join(shape for _, shape in BUILT)})[\w.~=+/$-]*[\w=~]"),
    ("url password", ("://",),
     rf"(?P<keep>://(?:[^\s/:@'\"]*:)?)(?!\[redacted|{PLACEHOLDER_IN_URL})(?:(?<=:)[^\s/'\"]+|[^\s/:@'\"]{{16,}})(?=@)"),
    ("authorization", ("bearer", "basic", "authorization"),
     r"(?i)(?P<keep>authorization\\*[\"']?\s?[:=]\s?\\*[\"']?(?:[A-Za-z-]{2,16} +)?(?=\S{12})"
     r"|\b(?:bearer|basic) +(?=\S{0,60}\d)(?=\S{12}))(?!\[redacted|[$<*{(%])[^\s\"',;\\]{8,}"),
    ("authorization", ("SSWS 00",), rf"(?P<keep>{ALONE}SSWS )00[\w-]{{18,}}"),  # of Okta
    ("cookie", ("cookie",),
     r"(?i)(?P<keep>cookie\\*[\"']?\s?[:=]\s?\\*[\"']?)(?=[\w.-]+=)(?:[\w.-]+=[^\s;\"']+;?[^\S\n]?)+"),
    ("password", ("curl ", "sshpass ", "mysql", "login", "redis-cli", "mongo", "sqlcmd", "ldap", "htpasswd", "http ",
                  "pass:", "SecureString"),
     r"(?=[-Cchlmrs])(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
     r"|sshpass -p ?|mysql[^\n]{0,99}? -p|(?:\b|(?<=\\[nrt]))(?:login|mongo\w{0,9})\b[^\n]{0,200}? -p "
     r"|(?:\b|(?<=\\[nrt]))(?:redis-cli|sqlcmd|ldap\w{1,9})\b[^\n]{0,200}? -[aPw] |htpasswd -\w*b\w* \S+ \S+ "
     r"|-pass(?:in|out)? [\"']?pass:|ConvertTo-SecureString(?: -String)? )"
     r"(?:\\*[\"'])?(?!\[redacted|\$)[^\s\"'\\]{4,}"),
    ("password", (" login", "-stdin", "chpasswd", "sudo -S"),  # echo … | sudo -S, its end may be cut off
     r"(?P<keep>(?:echo|printf) (?:-n )?[\"']?(?:\w+:)?)(?!\[redacted|\$)[^\s\"':]{4,}"
     r"(?=[^\n|]{0,9}\| *(?:sudo -S|chpasswd|(?:[\w-]+ ){1,3}login(?![\w.])|[^\n|]{0,200}--password-stdin))"),
    ("password", ("` /", "ogin with", "og in with", "redentials"),  # how an agent tells with what to log in
     r"(?P<keep>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:\\*[\"'`*]){0,3}\s?/\s?(?:\\*[\"'`*]){0,3}"
     r"|(?i:log ?in|sign ?in|credentials)[^`\n]{0,30}`[^`\n]{1,80}`\s?/\s?\\*`)"
     r"(?=[^\s`]{0,200}\d)(?=[^\s`]{0,200}[A-Za-z])(?!\[redacted|https?:|[$<*{])[^\s`\"'|\\]{6,}"),
    ("password", (":5432:", ":*:"),  # of .pgpass
     r"(?P<keep>(?<![\w.:-])[\w.*-]+:(?:5432|\*):[^\s:]+:[^\s:]+:)(?!\[redacted)[^\s\"`]{4,}"),
)
WRITTEN_VALUE = (  # patterns of what stands behind one of NAMES: first in quotes: "password": "…", :secret => "…"
    rf"(?i)(?P<keep>{NAMED}(?:{QUOTE})?[\])]?{PLAIN_GAP}(?::?=>?|:|->){GAP}(?P<quote>{QUOTE})){NEVER}"
    r"(?:(?!(?P=quote))\S){4,}(?=(?P=quote)|\s*\Z)",
    # PASSWORD=…, password: …, | password | …, --token …, <password>…<, "password", "…"
    rf"(?i)(?P<keep>(?!{TEST_VERDICT}){NAMED}(?:[\"']?(?::?=|%3D)[\"']?"
    rf"|[\"'*_`]{{0,3}}(?::|\s?\|)[*_]{{0,2}}(?:{PLAIN_GAP}[|>][-+]?)?{GAP}[`\"']?{LIKELY}"
    rf"|\s=\s(?=[^\s(){{}}\[\],;'\"`\\]{{8,}}(?:,?[\s\"`\\]|\Z)){LIKELY}|>(?=[^<>\s]{{4,}}</)"
    rf"|{QUOTE}(?:, ?| value=){QUOTE}{LIKELY})"
    rf"|(?<!\w)--?(?:\w{{1,20}}[-_]){{0,2}}{NAMED}[ =](?:\\{{1,9}}\s{{0,9}}(?:\\{{0,9}}n\s{{1,9}})?"
    rf"(?:{LINE_HEAD}[^\S\n]{{1,40}})?)?(?:{QUOTE})?"
    rf"|(?-i:[A-Z]_KEY)[\"']?=[\"']?(?=\S{{16}})|configure set \S{{0,40}}{NAMED} +"
    rf"|\b(?:login|user)\s+\S+\s+password\s+|\b(?:identified by|password)\s+'){NEVER}"
    r"(?:[^\s\"'&;,\\<`]|[&;,](?!\s|\w+=|\Z)|\\(?![\\\"'nrt\s])){4,}",
    # Token:, and below it a fence with the value as its only line; a token `…` without a sign, of letters and digits
    # mixed: an agent had quoted one so
    rf"(?i)(?P<keep>{NAMED}[*_]{{0,3}}:[*_]{{0,2}}{PLAIN_GAP}```\w{{0,12}}{PLAIN_GAP}){UNLIKELY}{LIKELY}"
    rf"(?=\S*[^\W\d_])(?:(?!\\+[nrt])[^\s`]){{6,}}(?={PLAIN_GAP}(?:```|\Z))",
    rf"(?i)(?P<keep>{NAMED}[^\S\n]`){UNLIKELY}(?=(?:[^\s`/]{{0,40}}?(?:\d[a-z]|[a-z]\d)){{4}})[^\s`]{{16,}}(?=`)")
# My password is …, das Passwort für x lautet …, set the token to …, password …
SPOKEN_VALUE = (
    rf"(?i)(?P<keep>{FIRST}(?:(?P<word>{SPOKEN})|{OTHERS})(?:(?:[^\S\n][^\s.:;,=\[\]]{{1,20}}){{0,5}}?[^\S\n]{{1,3}}"
    rf"{IS}(?::[*_]{{0,2}}{PLAIN_GAP}(?:```\w{{0,12}}{PLAIN_GAP})?|[^\S\n:]{{1,2}})[\"'`]?| to [\"'`]?"
    r"|(?(word)(?:[^\S\n]?[是は为：:][^\S\n]?|[^\S\n](?![^\n\[]{0,120}\[redacted))|(?!))))"
    rf"{UNLIKELY}{LIKELY}(?=\S*[^\W\d_])[^\s\"'`]{{5,}}[^\s.,;:!?)\"'`]",)
TOKEN_HINTS = tuple(hint for kind, hints, *_ in SECRETS if kind == "token" for hint in hints)
HINT_IN_PARTS = "//0"  # of those of tokens; the others hold neither slash nor colon
SHORTEST = 16  # characters; no token of any family is shorter


@cache
def first_hints(is_ascii: bool) -> list[str]:
    """The hints of all but tokens in lower case, without those that hold another; for a text in ASCII its own alone."""
    hints = {*NAMES, *(hint.lower() for kind, hints, *_ in SECRETS if kind != "token" for hint in hints)}
    return [hint for hint in hints if (hint.isascii() or not is_ascii)
            and not holds_any(hint, hints - {hint})]


@lru_cache(maxsize=1_024)  # few of them stand in a session's texts
def rows_with(hints: tuple[str, ...]) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows of SECRETS whose words, and those of NAMES, hold one of the first hints; tokens' rows are always there.

    A text that holds these first hints alone holds no other words of them: it is not looked through for those.
    """
    rows = [row for row in SECRETS if row[0] == "token" or any(holds_any(hint.lower(), hints) for hint in row[1])]
    return rows, [name for name in NAMES if holds_any(name, hints)]


@cache
def token_hints_by_start() -> dict[str, list[str]]:
    """The hints of tokens by their first two letters."""
    table = dict[str, list[str]]()
    for hint in TOKEN_HINTS:
        table.setdefault(hint[:2], []).append(hint)
    return table


@lru_cache(maxsize=4_096)  # most parts of a session's words were seen before
def least_token(part: str) -> int:
    """How many characters a token has at least that the part of a word hints at; more than any has: it hints at none.

    By the pairs of its letters first: to look for each hint would take four times as long.
    """
    table = token_hints_by_start()
    pairs = table.keys() & {*map(add, part, part[1:])}
    return min((LEAST.get(hint, SHORTEST) for pair in pairs for hint in table[pair] if hint in part), default=maxsize)


@lru_cache(maxsize=1 << 14)  # two of three were seen before in the same session
def may_hold_token(word: str) -> bool:
    """Whether a token may stand in the word; paths have the same parts again and again."""
    return len(word) >= min(map(least_token, word.replace(":", "/").split("/"))) or HINT_IN_PARTS in word


def name_offsets(lower: str, names: Iterable[str]) -> tuple[list[int] | None, list[int] | None]:
    """Where in a text in lower case those of these names stand that a value follows, written and spoken: few do.

    None: it may follow anywhere.
    """
    if holds_any(lower, ("configure set", "ſ", "ı", "i̇")):  # the letters are s and i to patterns
        return None, None
    if "password" in lower and ("login" in lower or "user" in lower):
        return None, None
    offsets, spoken_offsets, is_plain = list[int](), list[int](), "\\" not in lower
    places = [*names_in_text(lower, names)]
    if not places:
        return [], []
    written, spoken, option = map(re.compile, (BEHIND_NAME, BEHIND_SPOKEN, BEHIND_OPTION))
    for name, offset in places:
        end = offset + len(name)
        rest = lower[end:end + SEEN_BEHIND_CHARACTERS]
        if not is_plain:
            bare = rest.replace("\\", "")
            if len(bare) < len(rest) - SEEN_BEHIND_CHARACTERS // 2:
                return None, None
            rest = bare
        if written.match(rest) or (option.match(rest) and re.search(
                OPTION_BEFORE, lower[max(offset - SEEN_BEFORE_CHARACTERS, 0):offset])):
            offsets.append(offset)
        if spoken.match(rest):
            spoken_offsets.append(offset)
    return offsets, spoken_offsets


def names_in_text(lower: str, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Those of the words that may be names in a lower-case text, with their offsets; not in "author" and "design"."""
    for name in names:
        offset = lower.find(name)
        while offset >= 0:
            before = lower[max(offset - 12, 0):offset]
            if name == "key":
                is_name = before.endswith(("_", "?", "&")) or before.rstrip(" _-").endswith(KEY_OWNERS)
            elif name == "sig":
                is_name = before.endswith(("?", "&", "amz-"))
            elif name in ("pass", "pwd", "pw", "auth") and "a" <= before[-1:] <= "z":
                is_word = name == "pass" and lower.startswith(("passw", "passp", "passc"), offset)
                is_name = is_word or before.endswith(("\\n", "\\r", "\\t", "store", "key"))
            else:
                is_name = True
            if is_name:
                yield name, offset
            offset = lower.find(name, offset + len(name))


def patterns_for(text: str) -> Iterator[tuple[str, str, list[int] | None]]:
    """Kind and pattern of the secrets that the text may hold, in the order in which they are to be replaced.

    With each the offsets of names before which it fits while nothing is replaced: `[redacted: token]` names one, too.
    None: it may fit anywhere.
    """
    lower, words = text.lower(), [word for word in text.split() if len(word) >= SHORTEST]
    tokens, first = " ".join(filter(may_hold_token, words)), parts_in(lower, first_hints(lower.isascii()))
    if not tokens and not first:
        return
    rows, names = rows_with(tuple(first))
    may_be_changed = False  # by what a pattern before replaced
    for kind, hints, *patterns in rows:
        where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
        if where and holds_any(where, hints):
            yield from ((kind, pattern, None) for pattern in patterns)
            may_be_changed = True
    if holds_any(lower, names):
        written, spoken = name_offsets(lower, names) if len(lower) == len(text) else (None, None)
        if written != [] or may_be_changed:
            yield from (("password", pattern, written) for pattern in WRITTEN_VALUE)
            may_be_changed = True
        if spoken != [] or may_be_changed:
            yield from (("password", pattern, spoken) for pattern in SPOKEN_VALUE)


# ==================================================================================================
# text/redact.py: Text without secrets.
# ==================================================================================================

# A line's end, and what stands there before blanks where a value goes on below. By the end first: to look for the sign
# itself at each character took five times as long, a fifth of a first save.
LINE_END = r"\n(?<=[:=|>\\+\"'` \t\r-]\n)(?<!\)[:=|>\\]\n)"  # most colons there follow a bracket
GOES_ON_BELOW = r"(?<!\))[:=|>\\][-+]?[\"'`]{0,2}\Z"
KINDS_BY_NAME = ("password", "authorization", "url password")  # what has no form of its own
SIGN_CHARACTERS = 5  # the most that it takes, with the one before it
NEXT_LINE_WITH_WORDS = r"\s*(?:```[^\n]*\n\s*)?[^\n]*\n?"
NAME_BEFORE_CHARACTERS = 60
NAMED_ABOVE = (  # in lower case; one pattern of them took most of the time over lines that go on below
    "pass", "secret", "token", "key", "auth", "sig", "cred", "pw", "kennwort", "contraseña", "senha", "wachtwoord",
    "hasło", "пароль", "密码", "パスワード", "identified by", "cookie", "bearer")


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`; what its pattern keeps stays. Twice changes nothing."""
    whole = text
    for kind, pattern, offsets in patterns_for(text):
        if offsets is None or text is not whole or (offsets and fits_before(pattern, text, offsets)):
            text = re.sub(pattern, partial(replacement, kind), text, flags=re.DOTALL)
    return text


def replacement(kind: str, match: re.Match[str]) -> str:
    """What stands in the secret's place; a value that only its name told is known again without it."""
    kept = match.groupdict().get("keep") or ""
    if kind in KINDS_BY_NAME:
        remember(match[0][len(kept):])
    return f"{kept}[redacted: {kind}]"


def redact_across_lines(text: str) -> str:
    """The text without the secrets that only several lines together tell: its lines may then be taken one by one.

    A private key's rows, and a value below its name: there the line of the name and the next are looked at together,
    with more where that one is a name again.
    """
    if "PRIVATE KEY" in text:
        return redact(text)
    parts, done = list[str](), 0
    for begin, stop in lines_with_the_next(text):
        parts += [text[done:begin], redact(text[begin:stop])]
        done = stop
    return "".join([*parts, text[done:]]) if parts else text


def lines_with_the_next(text: str) -> list[tuple[int, int]]:
    """From where to where the lines go that end with a secret's name, each with the line below; what meets is one."""
    spans = list[tuple[int, int]]()
    below, goes_on = re.compile(NEXT_LINE_WITH_WORDS), re.compile(GOES_ON_BELOW)
    for end in re.finditer(LINE_END, text):
        stop = end.start()
        while stop and text[stop - 1] in " \t\r":
            stop -= 1
        sign = goes_on.search(text[max(stop - SIGN_CHARACTERS, 0):stop])
        if not sign:
            continue
        stop -= len(sign[0])
        begin = text.rfind("\n", 0, stop) + 1
        if holds_any(text[max(stop - NAME_BEFORE_CHARACTERS, begin):stop].lower(), NAMED_ABOVE):
            following = below.match(text, end.end())
            if spans and begin < spans[-1][1]:
                begin = spans.pop()[0]
            spans.append((begin, following.end() if following else end.end()))
    return spans


def fits_before(pattern: str, text: str, offsets: Iterable[int]) -> bool:
    """Whether the pattern fits where one of the names begins, or just before: to try it everywhere takes long.

    Names that stand close together have the same characters before them: each is tried once.
    """
    fits = re.compile(pattern, re.DOTALL).match
    starts = {start for offset in offsets for start in range(max(offset - SEEN_BEFORE_CHARACTERS, 0), offset + 1)}
    return any(fits(text, start) for start in starts)


# ==================================================================================================
# text/sanitize.py: Text without what a reader does not see, and without what the client or a model could take for a tag of theirs.
# ==================================================================================================

TEXT_MAX_CHARACTERS = 100_000  # what is longer is a pasted log: its beginning is kept
# Control sequences and the carriers of hidden text: a sign first, by which `re` passes over all others at once.
HIDDEN = (
    r"[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff](?:(?<=\x1b)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?"
    r"|(?<![\u200c\u200d])|(?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\ufe0e\ufe10-\uffff].))")
SYMBOLS = "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
LONE_SELECTOR = rf"\ufe0f(?!(?<=[{SYMBOLS}]\ufe0f)|(?<=[\d#*]\ufe0f)\u20e3)"  # shows no symbol as a picture
# Opening brackets, look-alikes among them, before the names that the client gives its tags, or letters that pass for
# Latin ones.
TAG_BRACKETS = "<\ufe64\uff1c"
TAG = (
    rf"(?i)[{TAG_BRACKETS}](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
    r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
    r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")


def clean(text: str) -> str:
    """The text, of a long one its beginning, without hidden characters and lone surrogates; tags are disarmed."""
    if len(text) > TEXT_MAX_CHARACTERS:
        text = "".join(text[:TEXT_MAX_CHARACTERS].rsplit(None, 1)[:1])  # no half of a word
    if not is_plain(text.replace("\n", "")):
        if not is_plain(text.replace("\n", "").replace("\t", "")):
            text = re.sub(LONE_SELECTOR, "", text) if "\ufe0f" in text else text  # first: joiners may stand behind one
            text = re.sub(HIDDEN, "", text).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    if not holds_any(text, TAG_BRACKETS):
        return text
    disarmed = re.sub(TAG, "‹", text)
    return text if disarmed == text else disarmed.rstrip("\n")  # as it is when it is cleaned again: "‹" is not plain


def is_plain(text: str) -> bool:
    """Whether every character is a sign of ASCII that a reader sees, or a blank."""
    return text.isascii() and text.isprintable()


# ==================================================================================================
# text/quotation.py: Words of others on one line, so that they can stand in a store or a text of ours.
# ==================================================================================================

READ_TIMES_LIMIT, READ_MORE_CHARACTERS = 4, 2_000  # of a text, for its beginning that is shown


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = joined(text), READ_TIMES_LIMIT * limit + READ_MORE_CHARACTERS
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())


# ==================================================================================================
# text/times.py: Moments: from the words that name them, and as a clock shows them.
# ==================================================================================================

def moment(stamp: str) -> int:
    """Seconds since 1970 of an ISO time in UTC, 0 for anything else; datetime would cost 5 ms to import."""
    parts = [stamp[:4], *(stamp[begin:begin + 2] for begin in (5, 8, 11, 14, 17))]
    if stamp[4:17:3] != "--T::" or len(parts[-1]) < 2 or not "".join(parts).isdecimal():
        return 0
    year, month, day, hour, minute, second = map(int, parts)
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)  # a year that begins in March
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def clock(seconds: float) -> str:
    """The moment as a clock shows it here."""
    return local_time(seconds, "%H:%M")


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """The moment as a person reads it, here."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def age_in_words(seconds: float, has_days: bool = True) -> str:
    """How long that is, from hours on in the largest unit of which two are over, rounded: `90 min`, `25 h`, `2 days`.

    Without `has_days` it stays with hours: `93 h`.
    """
    seconds = max(seconds, 0)
    for below, unit, size in ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600)):
        if seconds < below or (unit == "h" and not has_days):
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} days"


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def transcripts_folder() -> str:
    """Where the client keeps the transcripts, in a folder for each project; without links, so each has one name."""
    return os.path.realpath(os.path.join(config_folder(), "projects"))


def transcript_folders() -> list[str]:
    """The folders in it; none where it is not there."""
    folder = transcripts_folder()
    return [entry.path for entry in os.scandir(folder) if entry.is_dir()] if os.path.isdir(folder) else []


def transcripts_named(session: str) -> list[str]:
    """The paths of the session's transcript: one, in the folder of its project, or none."""
    paths = [os.path.join(folder, f"{session}.jsonl") for folder in transcript_folders()]
    return [path for path in paths if os.path.isfile(path)]


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20


def json_object(text: bytes | str) -> JsonObject:
    """The object that the text is, as JSON; empty when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_store(path: str) -> Any:
    """The file's object, as it is; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


def readable_store(folder: str, name: str) -> JsonObject:
    """The object of a file of a session's; empty, too, where none can be read, or the folder is not known."""
    try:
        return read_store(os.path.join(folder, name)) if folder else {}
    except (OSError, Refusal):
        return {}


# ==================================================================================================
# client/tokens.py: Tokens: how many `usage` tells of, how large a window is, how full, and how far below its end a client compacts.
# ==================================================================================================

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
TOKENS_MAX = 100_000_000  # a larger number is none
USAGE_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def usage_tokens(usage: object) -> int:
    """Tokens in the context after an answer, as its `usage` tells; 0 where it does not tell those of the request."""
    counts = [usage.get(name) for name in USAGE_FIELDS] if isinstance(usage, dict) else [None]
    numbers = [count for count in counts if type(count) is int and count > 0]  # True is no number
    return sum(numbers) if type(counts[0]) is int else 0


def window_in_environment() -> int:
    """The tokens of the window that the client's own variable names; 0 where it names none."""
    name = os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    return int(name) if re.fullmatch(r"\d{4,8}", name) else 0


def whole_number(value: object, most: int = TOKENS_MAX) -> int:
    """The value where it is a whole number above 0, at most `most`; else 0, which means that it is not known."""
    return value if type(value) is int and 0 < value <= most else 0


# ==================================================================================================
# client/entries.py: What is new in a session, as entries: words typed and said, calls with their results, ends of jobs, compactions.
# ==================================================================================================

TRIGGER_MAX_UTF16 = 20  # of what the client tells of a compaction


def fields_of_compaction(record: JsonObject) -> EntryFields:
    """What the client's row tells of its compaction: the trigger, the tokens before, and after where it does."""
    about = record.get("compactMetadata")
    about = about if isinstance(about, dict) else {}
    counts = [about.get(name) for name in ("preTokens", "postTokens")]
    tokens = [*filter(None, map(whole_number, counts))]
    return {"trigger": quote(text_of(about, "trigger"), TRIGGER_MAX_UTF16), "tokens": tokens} if (
        tokens and counts[0] == tokens[0]) else {}


# ==================================================================================================
# figures/compactions.py: A session's compactions as its events tell of them, what became of each, and the words in which all tell of one.
# ==================================================================================================

SAME_MOMENT_SECONDS = 2  # within which two installations' hooks save for one compaction
NEAR_SECONDS = 15 * 60  # between what is told of one compaction: a summary takes minutes
EVENTS_OF_COMPACTION = ("save", "restore", "kept back", "audit", "receipt", "repair", "stopped")
TRIGGERS = {"auto": "automatic", "manual": "by hand"}
ENDING_EVENTS = ("restore", "kept back", "audit", "repair")  # events that come when a compaction has happened


class OutcomeWords(NamedTuple):
    """What became of what was put back: in a row of the terminal's, by name on the page, and what it means."""

    in_row: str
    on_page: str
    meaning: str


OUTCOMES = {
    "verified": OutcomeWords(
        "arrived", "arrived", "what was put back stands in the client's transcript: the model has it"),
    "repaired": OutcomeWords("arrived after it was lost and put back again", "repaired",
                             "it was lost and put back again at the next prompt"),
    "cannot tell": OutcomeWords("put back (this client does not tell whether it arrived)", "cannot tell",
                                "put back; this client's transcript does not show whether it was kept"),
    "unchecked": OutcomeWords("to be confirmed by your next message", "to be confirmed",
                              "put back; the next message typed shows whether it arrived"),
    "overtaken": OutcomeWords(
        "not confirmed before the next one", "overtaken",
        "put back; the next compaction came before a message showed whether it arrived"),
    "missed": OutcomeWords("with nothing put back", "missed",
                           "the client compacted, something was kept, and nothing was put back"),
    "unfinished": OutcomeWords(
        "begun and not finished (failed, stopped, held off, or prepared and not used so far)", "not finished",
        "saved before a compaction that did not come to its end: it failed, was stopped or held off, or was prepared "
        "in advance and not used so far"),
    "under way": OutcomeWords("begun, its end not seen yet", "no end yet",
                              "saved a short while ago: at work, or prepared in advance and perhaps still used")}
NOT_ENDED = ("unfinished", "under way")  # outcomes of a compaction that is not known to have happened


@dataclass
class Compaction:
    """One compaction as its events tell of it: the newest of each name; what did not come is missing."""

    began: float
    events: dict[str, JsonObject]
    ids: set[str] = field(default_factory=set)  # several, where the client prepared it several times
    is_followed: bool = False  # by a later one that has happened
    restored: JsonObject = field(default_factory=dict)  # the lines of history.jsonl on it, for the report
    audited: JsonObject = field(default_factory=dict)

    def add(self, name: str, event: JsonObject) -> None:
        """Takes in an event of that name."""
        self.events[name] = event
        self.ids |= {text_of(event, "id")} - {""}

    def moment(self) -> float:
        """When the text was put back, else when the summary came, else when it was saved."""
        known = [self.events[name] for name in ("restore", "audit", "save") if name in self.events]
        return float(known[0]["time"]) if known else self.began

    def facts(self, now: float) -> CompactionFacts:
        """What is known of it; what is not known is missing."""
        save, restore, audit, boundary = map(self.event, ("save", "restore", "audit", "boundary"))
        facts: CompactionFacts = {"time": self.moment(), "outcome": self.outcome(now)}
        trigger = text_of(boundary, "trigger") or text_of(save, "trigger") or text_of(audit, "trigger")
        if trigger in TRIGGERS:
            facts["trigger"] = trigger
        if typed := text_of(save, "typed"):
            facts["typed"] = typed
        if before := count(boundary, "tokens_before"):
            facts["tokens_before"] = before
        if after := count(boundary, "tokens_after"):
            facts["tokens_after"] = after
        if units := count(restore, "units"):
            facts["units"] = units
        if isinstance(restore.get("shown"), dict):
            facts["kinds"] = {kind: count(restore["shown"], kind) for kind in restore["shown"]}
        if number(audit.get("contradicted")) is not None:
            facts.update({"contradicted": count(audit, "contradicted"), "left_out": count(audit, "left_out"),
                          "put_back": self.left_out_put_back(), "model_knows": self.model_knows()})
        return facts

    def model_knows(self) -> bool:
        """Whether the model knows what differs in the summary: from the text that was put back, or from a note."""
        return "note" in self.events or not count(self.event("audit"), "units")

    def left_out_put_back(self) -> int:
        """How much of what the summary left out the model was given again: in the text, or by a note."""
        audit = self.event("audit")
        return count(audit, "left_out" if self.model_knows() else "in_text")

    def has_happened(self) -> bool:
        """Whether an event has come that comes behind a compaction alone."""
        return not self.events.keys().isdisjoint(ENDING_EVENTS)

    def event(self, name: str) -> JsonObject:
        """The event of that name; empty when it did not come."""
        return self.events.get(name, {})

    def outcome(self, now: float) -> str:
        """What became of it, in a word of OUTCOMES; empty where nothing had been kept that could be put back."""
        if "repair" in self.events:
            return "repaired"
        if "receipt" in self.events:
            return "verified" if self.events["receipt"].get("verified") is True else "cannot tell"
        if "kept back" in self.events:
            return "missed"
        if "restore" in self.events:
            return "overtaken" if self.is_followed else "unchecked"
        if "audit" in self.events:
            return "missed" if count(self.event("save"), "items") else ""
        saved = float(self.event("save").get("time", self.began))
        is_fresh = 0 <= now - saved < NEAR_SECONDS and "stopped" not in self.events
        return "under way" if is_fresh else "unfinished"


def compactions_of(events: Iterable[JsonObject]) -> list[Compaction]:
    """A session's compactions in their order.

    A subagent's compaction is none of the session's, and takes back the save that an older client led to.
    """
    compactions: list[Compaction] = []
    listed = sorted(events, key=lambda event: float(event["time"]))
    for event in listed:
        name = text_of(event, "event")
        if name == "restore" and "agent" in event:
            if compactions and compactions[-1].events.keys() == {"save"}:
                compactions.pop()
        elif name in EVENTS_OF_COMPACTION:
            by_id = [compaction for compaction in compactions if text_of(event, "id") in compaction.ids]
            if not by_id and (not compactions or is_another(compactions[-1], name, event["time"])):
                compactions.append(Compaction(event["time"], {}))
            (by_id or compactions)[-1].add(name, event)
        elif name == "note":  # it has no id: it is on the summary that was audited last
            audited = [compaction for compaction in compactions if "audit" in compaction.events]
            for compaction in audited[-1:]:
                compaction.add(name, event)
    mark_followed(compactions)
    add_boundaries(compactions, [event for event in listed if event.get("event") == "boundary"])
    return compactions


def mark_followed(compactions: list[Compaction]) -> None:
    """Notes of each that a later one has happened; what did not end before another began is at work no more."""
    happened = [index for index, compaction in enumerate(compactions) if compaction.has_happened()]
    for compaction in compactions[:max(happened, default=0)]:
        compaction.is_followed = True
    for compaction in compactions[:-1]:
        if not compaction.has_happened():
            compaction.events.setdefault("stopped", {})


def add_boundaries(compactions: list[Compaction], boundaries: Iterable[JsonObject]) -> None:
    """Adds what the client told of its compactions, each to the nearest one: that has no id of ours."""
    for boundary in boundaries:
        def distance(compaction: Compaction, moment: float = float(boundary["time"])) -> float:
            """How many seconds lie between both."""
            return abs(compaction.moment() - moment)
        near = [compaction for compaction in compactions if distance(compaction) <= NEAR_SECONDS]
        if near:
            min(near, key=distance).add("boundary", boundary)


def is_another(last: Compaction, name: str, moment: float) -> bool:
    """Whether an event of that name belongs to a later compaction than the last one.

    Saves with nothing between them do not, nor does what follows them hours later: the client prepares a compaction
    several times, was held off, tried again, or two installations saved at once. But one by hand is never prepared:
    that had failed, or was stopped, when the next save came.
    """
    if name in ("receipt", "repair"):  # at the next prompt, whenever that is
        return False
    ends = [last.events[ending]["time"] for ending in ENDING_EVENTS if ending in last.events]
    if name == "save" and not ends:
        save = last.event("save")
        return text_of(save, "trigger") == "manual" and moment - float(save["time"]) > SAME_MOMENT_SECONDS
    if name == "save" or name in last.events:
        return bool(ends)
    return bool(ends) and moment - max(ends) > NEAR_SECONDS


# --- in words ---


def shrunk_words(facts: CompactionFacts) -> str:
    """The context before and after, in tokens as the client counts them; empty where it did not tell."""
    before, after = facts.get("tokens_before", 0), facts.get("tokens_after", 0)
    return f"{before:,} tokens became {after:,}" if before and after else f"{before:,} tokens" if before else ""


# ==================================================================================================
# figures/course.py: The course of a session in numbers: its context over time, the tokens spent, where it was compacted.
# ==================================================================================================

POINTS_MAX = 600  # of the line that shows the context: more are not to be told apart
SPENT = {  # fields of `usage`, and their words for people
    "input_tokens": "input, not cached", "cache_read_input_tokens": "input, read from the cache",
    "cache_creation_input_tokens": "input, written to the cache", "output_tokens": "output"}
TELLING_MARKS = (b'"usage"', b'"compact_boundary"')  # one of these is on every line that counts here


@dataclass
class Course:
    """What the transcript tells."""

    context: list[tuple[float, int]] = field(default_factory=list)  # time, tokens in the context of the main thread
    boundaries: list[JsonObject] = field(default_factory=list)  # events as a save notes them
    spent: dict[str, int] = field(default_factory=dict)  # tokens by the names of SPENT; empty where none are told


def read_course(path: str) -> Course:
    """The course that the transcript tells of; empty where it cannot be read."""
    course = Course()
    answers: dict[str, tuple[float, object, bool]] = {}  # time, usage, whether the main thread's; by message
    try:
        for record in telling_records(path):
            when = second(text_of(record, "timestamp"))
            message = record.get("message")
            if when < 1:
                continue
            if record.get("subtype") == "compact_boundary":
                course.boundaries.append(boundary_of(record, when))
            elif record.get("type") == "assistant" and isinstance(message, dict):
                name = text_of(message, "id") or text_of(record, "uuid")
                answers[name] = (when, message.get("usage"), record.get("isSidechain") is not True)
    except (OSError, Refusal):
        return Course()
    course.context = thinned(sorted(context_of(answers.values())))
    course.spent = tokens_spent(usage for _, usage, _ in answers.values())
    for boundary in course.boundaries:
        following = (tokens for when, tokens in course.context if when > boundary["time"])
        boundary["tokens_after"] = boundary["tokens_after"] or next(following, None)
    return course


def with_tokens(figures: Figures, transcript: str) -> Figures:
    """A session's figures; of its last compaction with the tokens that its transcript tells and no event does yet.

    The next save notes them; until then the transcript is read.
    """
    last = figures["each"][-1:]
    if not last or "tokens_before" in last[0]:
        return figures
    near = [row for row in read_course(transcript).boundaries if abs(row["time"] - last[0]["time"]) <= NEAR_SECONDS]
    tokens: Any = {name: near[-1][name] for name in ("tokens_before", "tokens_after") if near and near[-1][name]}
    return {**figures, "each": [*figures["each"][:-1], {**last[0], **tokens}]}


def telling_records(path: str) -> Iterator[JsonObject]:
    """The records that count here; one that a second compaction has written again comes once."""
    seen: set[str] = set()
    for _, line in read_lines(path, 0, os.path.getsize(path)) if path else ():
        if any(map(line.__contains__, TELLING_MARKS)):
            for record in parse_line(line):
                if not (name := text_of(record, "uuid")) or name not in seen:
                    seen.add(name)
                    yield record


def second(stamp: str) -> float:
    """Seconds since 1970 of a record's time; 0 for anything else."""
    try:
        return max(datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp(), 0.0)
    except (ValueError, OverflowError, OSError):
        return 0.0


def boundary_of(record: JsonObject, when: float) -> JsonObject:
    """What the client says of its compaction."""
    about = fields_of_compaction(record)
    before, after = [*about.get("tokens", []), None, None][:2]
    return {"event": "boundary", "time": when, "trigger": about.get("trigger", ""),
            "tokens_before": before, "tokens_after": after}


def context_of(answers: Iterable[tuple[float, object, bool]]) -> Iterator[tuple[float, int]]:
    """Time and tokens of the context that each of the main thread's answers was given."""
    for when, usage, is_main in answers:
        filled = usage_tokens({**usage, "output_tokens": 0}) if isinstance(usage, dict) else 0
        if is_main and 0 < filled < FIGURE_MAX:
            yield when, filled


def thinned(points: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most POINTS_MAX of the points: the first, the last, and of each stretch the highest: no peak is lost."""
    if len(points) <= POINTS_MAX:
        return list(points)
    inner, room = points[1:-1], POINTS_MAX - 2
    edges = [len(inner) * number // room for number in range(room + 1)]
    peaks = [max(inner[start:end], key=lambda point: point[1]) for start, end in zip(edges, edges[1:])]
    return [points[0], *peaks, points[-1]]


def tokens_spent(usages: Iterable[object]) -> dict[str, int]:
    """Tokens of all answers, by the names of SPENT."""
    added: Counter[str] = Counter()
    for usage in usages:
        if isinstance(usage, dict):
            added.update({name: count(usage, name) for name in SPENT if name in usage})
    return {name: added[name] for name in SPENT if name in added}


# ==================================================================================================
# figures/page_style.py: How the report looks and what moves in it: its style sheet and its script.
# ==================================================================================================

STYLE = """
:root { color-scheme: light dark;
  --page: #faf9f7; --card: #ffffff; --ink: #1c2430; --soft: #566070; --rule: #e3e0da; --deep: #f1efeb;
  --accent: #0a58a6; --fill: #0a58a61f; --good: #00694a; --bad: #a8320b; --focus: #0a58a6;
  --k-pin: #1c2430;
  --k-rule: #0072b2; --k-ask: #b35c00; --k-task: #007a5a; --k-fail: #c43d00; --k-file: #2b8fc7; --k-run: #a8508a;
  --k-said: #7d6b00; --k-else: #6b7280; }
@media (prefers-color-scheme: dark) { :root {
  --page: #13161b; --card: #1a1e25; --ink: #e7e9ee; --soft: #a3abb9; --rule: #2d333e; --deep: #232831;
  --accent: #7fb8f2; --fill: #7fb8f226; --good: #5fd0a5; --bad: #ff9b70; --focus: #9ccbff;
  --k-pin: #ffffff;
  --k-rule: #56a8e0; --k-ask: #e69f00; --k-task: #2bb78d; --k-fail: #f0703c; --k-file: #7cc7f0; --k-run: #d795bd;
  --k-said: #d9c84a; --k-else: #98a1b0; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
header { padding-top: clamp(1.75rem, 6vw, 3.5rem); }
footer { padding-top: 2.5rem; padding-bottom: 3rem; color: var(--soft); font-size: .875rem; }
h1, h2, h3, h4, h5, p, ul, dl, figure { margin: 0; }
h1 { font-size: clamp(1.6rem, 5vw, 2.2rem); line-height: 1.2; letter-spacing: -.015em; font-weight: 650; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 3.25rem 0 .25rem; font-weight: 650; }
h3 { font-size: 1rem; font-weight: 600; display: inline; }
h4 { font-size: 1rem; margin: 1.75rem 0 .5rem; font-weight: 650; }
h5 { font-size: .875rem; color: var(--soft); font-weight: 600; margin: 1.1rem 0 .2rem; }
h2 + .scroll, h2 + figure, h2 + p:not(.note) { margin-top: .75rem; }
.brand, .lead, .note, small, dt, caption, figcaption { color: var(--soft); font-size: .875rem; }
.brand { letter-spacing: .02em; margin-bottom: .35rem; }
.lead { font-size: 1rem; margin-top: .5rem; }
.note { max-width: 44rem; margin-bottom: 1rem; } .after { margin-top: .75rem; }
code, .id { font: .875em/1.4 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
bdi { unicode-bidi: isolate; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: .3rem; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--card); padding: .5rem 1rem; z-index: 9; }
.skip:focus { top: .5rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin-top: 2rem; }
.tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; padding: .9rem 1rem; }
.tiles dd { margin: 0; font-size: 1.75rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles .none { font-size: 1.1rem; font-weight: 500; color: var(--soft); }
.tiles small { display: block; line-height: 1.4; margin-top: .15rem; font-weight: 400; letter-spacing: 0; }
.chart { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; padding: 1rem; }
.plot { position: relative; height: 14rem; margin: var(--marks, 1.6rem) 0 0 3.25rem;
  border-bottom: 1px solid var(--soft); }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.plot .area { fill: var(--fill); stroke: none; }
.plot .line { fill: none; stroke: var(--accent); stroke-width: 1.75; vector-effect: non-scaling-stroke;
  stroke-linejoin: round; }
.plot .grid { stroke: var(--rule); vector-effect: non-scaling-stroke; }
.plot .cut { stroke: var(--k-fail); stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
.plot .y { position: absolute; left: -3.25rem; width: 2.8rem; text-align: right; transform: translateY(-50%);
  font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.mark { position: absolute; width: 1.4rem; height: 1.4rem; margin-left: -.7rem; border-radius: 1rem; text-align: center;
  font: 600 .75rem/1.4rem system-ui, sans-serif; background: var(--bad); color: var(--card); text-decoration: none; }
.step { position: absolute; white-space: nowrap; margin: 0 .4rem; transform: translateY(-100%);
  color: var(--ink); font-size: .75rem;
  text-shadow: 0 0 .2rem var(--card), 0 0 .2rem var(--card); font-variant-numeric: tabular-nums; pointer-events: none; }
.mark:hover { outline: 2px solid var(--focus); }
.cursor { position: absolute; top: 0; bottom: 0; width: 0; border-left: 1px solid var(--ink); pointer-events: none; }
.x { display: flex; justify-content: space-between; gap: .5rem; margin: .35rem 0 0 3.25rem; font-size: .75rem;
  color: var(--soft); }
.moment { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; margin: .6rem 0 0 3.25rem;
  font-size: .875rem; }
.moment input { flex: 1 1 9rem; min-width: 0; margin: 0; accent-color: var(--accent); }
.moment output { font-variant-numeric: tabular-nums; min-width: 15rem; }
details.one { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; margin-top: .75rem; }
details.one > summary { cursor: pointer; list-style: none; padding: .85rem 1rem; display: flex; flex-wrap: wrap;
  gap: .2rem .9rem; align-items: baseline; border-radius: .75rem; }
details.one > summary::-webkit-details-marker { display: none; }
details.one > summary::before { content: ""; width: .45rem; height: .45rem; border: solid var(--soft);
  border-width: 0 2px 2px 0; transform: rotate(-45deg) translateY(-.1rem); transition: transform .15s; }
details.one[open] > summary::before { transform: rotate(45deg) translateX(-.1rem); }
details.one > summary small { font-variant-numeric: tabular-nums; }
details.one > div { padding: 0 1rem 1.4rem; }
.pill { font-size: .8125rem; font-weight: 600; padding: .05rem .6rem; border-radius: 1rem; border: 1px solid;
  color: var(--soft); margin-left: auto; white-space: nowrap; }
.verified, .repaired { color: var(--good); } .missed { color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem 1.5rem;
  border-top: 1px solid var(--rule); padding-top: 1rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; } .facts small { display: block; }
.share { display: flex; height: .7rem; gap: 2px; margin: .25rem 0 .5rem; }
.share i { min-width: 3px; border-radius: 2px; background: var(--k); }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; padding: 0; list-style: none; font-size: .875rem; }
.legend li::before, .lines li::before { content: ""; display: inline-block; width: .6rem; height: .6rem;
  border-radius: 2px; background: var(--k); margin-right: .45rem; }
.lines { list-style: none; padding: 0; }
.lines li { position: relative; padding: .28rem .5rem .28rem 1.55rem; margin-left: -.5rem; border-radius: .4rem; }
.lines li::before { position: absolute; left: .5rem; top: .73rem; }
.lines small { display: block; }
.lines em { font-style: normal; font-weight: 600; font-size: .8125rem; color: var(--soft); margin-right: .3rem; }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: .75rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .75rem 1rem 0; }
th, td { text-align: right; padding: .5rem .75rem; border-bottom: 1px solid var(--rule); white-space: nowrap;
  vertical-align: baseline; }
tr:last-child > * { border-bottom: 0; }
th { font-weight: 600; font-size: .8125rem; color: var(--soft); }
tbody th { font-size: inherit; color: var(--ink); font-weight: 500; }
th:first-child, td.text, th.text { text-align: left; }
thead th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.bar { width: 30%; min-width: 5rem; }
.bar i { display: block; height: .6rem; border-radius: 2px; background: var(--accent); min-width: 2px; }
.plain { font: inherit; font-size: .875rem; color: var(--accent); background: none; border: 1px solid var(--rule);
  border-radius: .5rem; padding: .35rem .8rem; cursor: pointer; }
[hidden] { display: none !important; }
@media (max-width: 30rem) {
  .plot, .x, .moment { margin-left: 2.5rem; } .plot .y { left: -2.5rem; width: 2.2rem; } .plot { height: 11rem; }
  .moment { margin-left: 0; } .pill { margin-left: 0; } .tiles { grid-template-columns: 1fr 1fr; }
  .tiles dd { font-size: 1.45rem; } th, td { padding: .5rem .6rem; }
  .mark { width: 1.2rem; height: 1.2rem; line-height: 1.2rem; margin-left: -.6rem; font-size: .6875rem; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; scroll-behavior: auto !important; } }
@media print { .moment, .plain, .skip { display: none !important; } }
"""
SCRIPT = """
'use strict';
const all = (query, where = document) => [...where.querySelectorAll(query)];

// A link to a compaction opens it.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.matches('details')) {
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({preventScroll: true});
  }
}
addEventListener('hashchange', openTarget);
openTarget();
for (const button of all('[data-open]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const ones = all('details.one'), open = ones.some(one => !one.open);
    ones.forEach(one => { one.open = open; });
    button.textContent = open ? 'Close all' : 'Open all';
  });
}

// The chart: a slider and the pointer move the cursor.
for (const chart of all('.chart[data-points]')) {
  const points = JSON.parse(chart.dataset.points), plot = chart.querySelector('.plot');
  const slider = chart.querySelector('input'), told = chart.querySelector('output');
  const cursor = plot.appendChild(document.createElement('div'));
  cursor.className = 'cursor';
  function show(index) {
    const [x, seconds, tokens] = points[index];
    cursor.style.left = x / 10 + '%';
    slider.value = index;
    const when = new Date(seconds * 1000), month = when.toLocaleString('en-US', {month: 'short'});
    const parts = [when.getHours(), when.getMinutes(), when.getSeconds()].map(part => String(part).padStart(2, '0'));
    const clock = parts.slice(0, 'seconds' in chart.dataset ? 3 : 2).join(':');
    const day = `${when.getDate()} ${month} ${when.getFullYear()}`;
    told.value = `${day}, ${clock} \\u00b7 ${tokens.toLocaleString('en')} tokens`;
    slider.setAttribute('aria-valuetext', told.value);
  }
  slider.max = points.length - 1;
  slider.addEventListener('input', () => show(+slider.value));
  plot.addEventListener('pointermove', event => {
    const box = plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * 1000;
    let best = 0;
    points.forEach((point, index) => { if (Math.abs(point[0] - x) < Math.abs(points[best][0] - x)) best = index; });
    show(best);
  });
  chart.querySelector('.moment').hidden = false;
  show(points.length - 1);
}

// A table that is wider than its box says so.
function tellWidth() {
  for (const box of all('.scroll')) box.nextElementSibling.hidden = box.scrollWidth <= box.clientWidth;
}
addEventListener('resize', tellWidth);
addEventListener('toggle', tellWidth, true);

tellWidth();
"""


# ==================================================================================================
# figures/page_parts.py: What the page of the report is made of: words of others made safe, numbers, lists, tables, the frame of a page.
# ==================================================================================================

LINE_SHOWN_UTF16 = 600  # of a text of others; what is longer is cut
TO_THE_MINUTE, TO_THE_SECOND = "%-d %b %Y, %H:%M", "%-d %b %Y, %H:%M:%S"
NONE_YET = '<span class="none">none yet</span>'


def text_shown(text: object, limit: int = LINE_SHOWN_UTF16) -> str:
    """A text of others, safe to stand anywhere in the page, attributes too."""
    return escape(quote(str(text), limit))


def words(text: object, limit: int = LINE_SHOWN_UTF16) -> str:
    """The same as words on their own, whatever direction they run in; what stands between ticks as code."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", text_shown(text, limit))
    return f"<bdi>{coded}</bdi>"


def figure_shown(value: object, unknown: str = NONE_YET) -> str:
    """The number with its thousands set apart; in words where it is not known."""
    known = number(value)
    if known is None:
        return unknown
    return f"{known:,.0f}" if known == int(known) else f"{known:,.1f}"


def short(tokens: float) -> str:
    """A number of tokens for the axis."""
    for size, unit in ((1e6, " M"), (1e3, " k"), (1, "")):
        if tokens >= size:
            scaled = tokens / size
            return f"{scaled:.0f}{unit}" if scaled >= 10 else f"{scaled:.2g}{unit}"
    return f"{tokens:.2g}"


def form_for(moments: Iterable[float]) -> str:
    """How moments are shown beside each other: with seconds where two fall into the same minute."""
    minutes = [int(moment // 60) for moment in moments]
    return TO_THE_SECOND if len({*minutes}) < len(minutes) else TO_THE_MINUTE


def moment_shown(seconds: float, form: str = TO_THE_MINUTE) -> str:
    """The time as a person reads it, here, marked up."""
    try:
        local = time.localtime(seconds)
        if os.name == "nt":
            form = form.replace("%-d", "%d")
        return f'<time datetime="{time.strftime("%Y-%m-%dT%H:%M", local)}">{time.strftime(form, local)}</time>'
    except (OverflowError, OSError, ValueError):
        return "at no time on the calendar"


def tokens_shown(units: float) -> str:
    """About how many tokens so many characters are."""
    return f"about {round(units / UNITS_PER_TOKEN):,} tokens"


def pairs(rows: Iterable[tuple[str, str, str]], css: str) -> str:
    """A list of names with their values, each with a note or none."""
    items = []
    for name, value, note in rows:
        small = f"<small>{note}</small>" if note else ""
        if value:
            items.append(f"<div><dt>{name}</dt><dd>{value}{small}</dd></div>")
    return f'<dl class="{css}">{"".join(items)}</dl>' if items else ""


def section(title: str, note: str, *parts: str) -> str:
    """A part of the page with its heading; empty where nothing is in it."""
    name = title.lower().replace(" ", "-")
    body = "\n".join(filter(None, parts))
    intro = f'<p class="note">{note}</p>' if note else ""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{intro}\n{body}</section>' if body else ""


def scrolled(label: str, table: str) -> str:
    """A table that scrolls inside its own box where the screen is narrow."""
    return (f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table>{table}</table>'
            '</div><p class="note after" hidden>The table is wider than the window: scroll it sideways.</p>')


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """The whole page."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = ("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
              f"script-src 'sha256-{digest}'")
    made = moment_shown(time.time())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title} - compact-keeper</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand">compact-keeper</p><h1>{title}</h1><p class="lead">{lead}</p></header>
<main id="content">
{chr(10).join(filter(None, body))}
</main>
<footer>Made {made} from the data folder of compact-keeper. Quotes are the session's own, secrets replaced: look through
the page before you pass it on. A token is estimated as {UNITS_PER_TOKEN} characters. Nothing is loaded from anywhere.
</footer>
<script>{SCRIPT}</script>
</body>
</html>
"""


# ==================================================================================================
# figures/chart.py: The chart of the report: the context in use over time, with the compactions as marks.
# ==================================================================================================

PAUSE_MAX_SECONDS = 15 * 60  # a longer pause takes no more room than this
MARK_WIDTH_PERCENT = 7.0  # of the chart that a mark takes on a phone: nearer ones stand in rows above each other
ROWS_MAX = 4  # of marks; what finds no room in them stands in the first
GRID_SHARES = (0, 0.5, 1)  # of the chart's height
STEPS_MAX = 4  # compactions of which the chart has room to say both figures
STEP_SHARE = 0.12  # of the chart's height that both figures must lie apart to stand below each other
STEP_WIDTH = 170  # thousandths of the chart's width that both figures take on a phone
RIGHT_X = 880  # from which on a figure stands before its step: behind it is no room


def context_section(figures: Figures) -> str:
    """The chart of the context in use, with the compactions as marks."""
    points: Sequence[tuple[float, int]] = figures["context"]
    if len(points) < 2:
        why = ("One answer so far: the line begins with the second." if points else
               "The transcript that would show it was not found, or is empty.")
        return section("Context over time", "", f"<p>{why}</p>")
    xs = xs_of([when for when, _ in points])
    most = max(tokens for _, tokens in points)
    marks = []
    for which, when in enumerate(figures["marks"], 1):
        x = x_between(when, points, xs)
        if x is not None:
            marks.append((x, which, when))
    data = json.dumps([[round(x, 1), int(when), tokens] for x, (when, tokens) in zip(xs, points)],
                      separators=(",", ":"))
    minutes = PAUSE_MAX_SECONDS // 60
    note = (f"Tokens in the context at each answer, {figure_shown(most)} at most. Numbers mark compactions and lead to "
            f"them. Pauses over {minutes} minutes are drawn as {minutes}.")
    ends = [points[0][0], points[-1][0]]
    form = form_for(ends)
    seconds = " data-seconds" if "%S" in form else ""
    return section("Context over time", note, f"""<figure class="chart" data-points="{data}"{seconds}>
{plot(points, xs, nice_top(most), marks)}
<div class="x">{"".join(f"<span>{moment_shown(end, form)}</span>" for end in ends)}</div>
<div class="moment" hidden><input type="range" min="0" value="0" aria-label="Moment of the session"><output></output>
</div>
</figure>""")


def xs_of(times: Sequence[float]) -> list[float]:
    """Where each moment stands, from 0 to 1000, with long pauses shortened."""
    ways = [0.0]
    for before, after in zip(times, times[1:]):
        ways.append(ways[-1] + min(max(after - before, 0.0), PAUSE_MAX_SECONDS))
    return [1000 * way / (ways[-1] or 1) for way in ways]


def x_between(when: float, points: Sequence[tuple[float, int]], xs: Sequence[float]) -> float | None:
    """Where a compaction stands on the chart: before the first answer after it; None outside of the session."""
    after = next((index for index, point in enumerate(points) if point[0] >= when), len(points))
    if after == 0:
        return None
    if after == len(points):
        return xs[-1]
    if points[after][0] == when:  # a step of its own
        return xs[after]
    return (xs[after - 1] + xs[after]) / 2


def nice_top(most: int) -> int:
    """The chart's top: a round number over the most."""
    step = 10 ** max(len(str(most)) - 2, 0)
    return next((step * size for size in (10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100) if step * size >= most), most)


def plot(points: Sequence[tuple[float, int]], xs: Sequence[float], top: int,
         marks: Sequence[tuple[float, int, float]]) -> str:
    """The line, its axis and the marks; sizes are those of the box, so that nothing of it is scaled but the line."""
    path = " ".join(f"{x:.1f},{1000 - 1000 * tokens / top:.0f}" for x, (_, tokens) in zip(xs, points))
    grid = "".join(f'<path class="grid" d="M0 {1000 - 1000 * share:.0f}h1000"/>' for share in GRID_SHARES)
    cuts = "".join(f'<path class="cut" d="M{at:.1f} 0v1000"/>' for at, _, _ in marks)
    axis = "".join(f'<span class="y" style="top:{100 - 100 * share:.0f}%">{short(top * share)}</span>'
                   for share in GRID_SHARES)
    labels, rows = rows_of(marks)
    if len(marks) <= STEPS_MAX:
        all_at = [at for at, _, _ in marks]
        labels += "".join(step_labels(at, when, points, top) for at, _, when in marks if has_room_for_step(at, all_at))
    return f"""<div class="plot" style="--marks:{1.6 * rows + 0.2:.1f}rem">
<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="Tokens in the context over time">
{grid}<polygon class="area" points="0,1000 {path} 1000,1000"/><polyline class="line" points="{path}"/>{cuts}</svg>
{axis}{labels}</div>"""


def has_room_for_step(at: float, marks: Sequence[float]) -> bool:
    """Whether the figures of the step there would meet neither another mark's line nor its figures."""
    begin = step_begin(at)
    others = [mark for mark in marks if mark != at]
    return marks.count(at) == 1 and not any(
        begin <= x <= begin + STEP_WIDTH for mark in others for x in (mark, step_begin(mark)))


def step_begin(at: float) -> float:
    """Where the figures of the step there begin: beside the step."""
    return at if at < RIGHT_X else at - STEP_WIDTH


def step_labels(at: float, when: float, points: Sequence[tuple[float, int]], top: int) -> str:
    """The tokens before and after a compaction, beside its step; empty where the client did not tell them."""
    step = [tokens for moment, tokens in points if moment == when]
    if len(step) != 2:
        return ""
    side = f"left:{at / 10:.1f}%" if at < RIGHT_X else f"right:{100 - at / 10:.1f}%"
    is_flat = abs(step[0] - step[1]) < STEP_SHARE * top
    words = {max(step): " &rarr; ".join(map(short, step))} if is_flat else {tokens: short(tokens) for tokens in step}
    return "".join(f'<span class="step" style="{side};top:{100 - 100 * tokens / top:.0f}%">{shown}</span>'
                   for tokens, shown in words.items())


def rows_of(marks: Sequence[tuple[float, int, float]]) -> tuple[str, int]:
    """The marks as links above the chart, near ones in rows of their own, and how many rows those are."""
    ends: list[float] = []
    links = []
    for at, which, when in marks:
        anew = len(ends) if len(ends) < ROWS_MAX else 0
        row = next((row for row, end in enumerate(ends) if at / 10 >= end), anew)
        ends[row:row + 1] = [at / 10 + MARK_WIDTH_PERCENT]
        style = f"left:{at / 10:.1f}%;top:{-1.6 * (row + 1):.1f}rem"
        links.append(f'<a class="mark" href="#compaction-{which}" style="{style}" '
                     f'title="Compaction {which}, {local_time(when)}">{which}</a>')
    return "".join(links), len(ends)


# ==================================================================================================
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

STATE_OF_GIT = "git's state"  # told besides the things of the record
FAILING = {  # by the check's family, what is told of it while it fails
    "test": "failing test", "build": "failing build", "types": "failing type check", "lint": "failing linter",
    "format": "failing formatter"}
FAILING_OTHERWISE = "failing check"
PASSED = "passed check"
KIND_WORDS = {  # one, several; what binds and what fails comes first
    "pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages"),
    **{name: (name, f"{name}s") for name in (*FAILING.values(), FAILING_OTHERWISE)},
    "task": ("task", "tasks"), "action": ("edit or command", "edits and commands"),
    "said": ("remark of Claude's", "remarks of Claude's"),
    "job": ("running command", "running commands"), PASSED: ("check that passed", "checks that passed"),
    "look": ("read or search", "reads and searches"),
    "answer": ("answer", "answers"), "plan": ("plan", "plans"), "question": ("question", "questions"),
    "refusal": ("refused call", "refused calls"), "errand": ("order", "orders"), "git": ("git fact", "git facts"),
    "fact": ("line on what is true now", "lines on what is true now")}
KIND_MAX_CHARACTERS = 40


def kind_shown(count: int, kind: str) -> str:
    """How many things of that kind."""
    names = KIND_WORDS.get(kind)
    return f"{count:,} {names[count != 1]}" if names else count_shown(count, clean(kind)[:KIND_MAX_CHARACTERS])


def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


def kind_order(kind: str) -> int:
    """Where in the order of KIND_WORDS the kind stands; all others behind."""
    return [*KIND_WORDS].index(kind) if kind in KIND_WORDS else len(KIND_WORDS)


# ==================================================================================================
# figures/kind_words.py: What was put back or found, by kind, and what a summary said otherwise, in the words of all who tell of it.
# ==================================================================================================

KINDS_SHOWN = 7  # of what was put back; the others are counted together


def things_in(kinds: Mapping[str, int]) -> int:
    """How many things of the record there are in all: git's state is none, it is true now."""
    return sum(count for kind, count in kinds.items() if kind != STATE_OF_GIT)


def things_shown(kinds: Mapping[str, int]) -> str:
    """How many things of the record there are in all, and of which kinds, and git's state; empty for none."""
    total = things_in(kinds)
    things = f"{count_shown(total, 'thing')} of the record: {kinds_shown(kinds)}" if total else ""
    return ", and ".join(filter(None, (things, STATE_OF_GIT if kinds.get(STATE_OF_GIT) else "")))


def kinds_shown(kinds: Mapping[str, int]) -> str:
    """How many of which kind, in the order in which the client's line tells them; of many kinds the rest together."""
    rows = sorted(((kind, count) for kind, count in kinds.items() if count and kind != STATE_OF_GIT),
                  key=lambda row: (kind_order(row[0]), -row[1]))
    most = len(rows) if len(rows) == KINDS_SHOWN + 1 else KINDS_SHOWN
    rest = sum(count for _, count in rows[most:])
    parts = [kind_shown(count, kind) for kind, count in rows[:most]]
    if rest:
        parts.append(count_shown(rest, "other"))
    return ", ".join(parts)


def contradicted_words(contradicted: int) -> str:
    """How much a summary said otherwise than the record, in the words of all who tell of it."""
    return f"said {count_shown(contradicted, 'thing')} that the record contradicts"


def left_out_words(left_out: int, put_back: int) -> str:
    """How much of what must stand somewhere a summary left out, and how much of that the model was given again."""
    if left_out == 1:
        return f"left out 1 thing, which was {'put back' if put_back else 'not put back yet'}"
    back = "all put back" if put_back >= left_out else f"{put_back:,} put back" if put_back else "none put back yet"
    return f"left out {left_out:,} things, {back}"


def differences_in_words(contradicted: int, left_out: int, put_back: int, model_knows: bool) -> str:
    """What the summary said otherwise and left out, how much of that was put back, and whether the model knows."""
    if not contradicted and not left_out:
        return "nothing in the summary differs from the record"
    knows = "the model was told" if model_knows else "the model was not told yet"
    parts: list[str] = []
    if contradicted:
        parts.append(f"{contradicted_words(contradicted)} ({knows})")
    if left_out:
        parts.append(left_out_words(left_out, put_back))
    return f"the summary {', and '.join(parts)}"


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


# ==================================================================================================
# text/sizes.py: Bytes in the words of all who tell of them: stats, report, recall.
# ==================================================================================================

def size_shown(count: float) -> str:
    """Bytes as a person reads them, a KB of 1,000."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:,.1f} GB"


# ==================================================================================================
# figures/terminal.py: Figures as lines for a terminal.
# ==================================================================================================

FIGURE_LABEL_COLUMNS = 18  # of what stands on the left
HOOK_COLUMNS = 26  # of a hook's name in the table of times
HOOK_WORDS = {  # what a hook does, by its name among the figures
    "save at Stop": "save, beside your work", "save at PreCompact": "save, before a compaction",
    "restore": "put back", "audit": "compare the summary", "record": "record prompt or tool call"}


def span_words(first: float | None, last: float | None) -> str:
    """From when to when there are events, with seconds where the minutes are the same."""
    if first is None or last is None:
        return NO_EVENT
    begin, end = local_time(first), local_time(last)
    if begin == end:
        return f"events from {local_time(first, '%Y-%m-%d %H:%M:%S')} to {local_time(last, '%H:%M:%S')}"
    return f"events from {begin} to {local_time(last, '%H:%M') if begin[:10] == end[:10] else end}"


def compactions_shown(figures: Figures) -> Iterator[str]:
    """How many compactions there were, and how many saves were followed by none."""
    outcomes = figures["outcomes"]
    others = [f"{outcomes[name]:,} {OUTCOMES[name].in_row}" for name in NOT_ENDED if outcomes[name]]
    if figures["subagents"]:
        others.append(f"{figures['subagents']:,} of subagents")
    yield f"{figures['compactions'] or 'none yet'}" + (f"; {', '.join(others)}" if others else "")
    yield from arrivals_shown(figures)


def arrivals_shown(figures: Figures) -> Iterator[str]:
    """What became of what was put back."""
    outcomes = figures["outcomes"]
    if outcomes["verified"] and outcomes["verified"] == figures["compactions"]:
        yield "what was put back arrived" + " each time" * (figures["compactions"] > 1)
        return
    parts = [f"{outcomes[name]:,} {said.in_row}" for name, said in OUTCOMES.items()
             if outcomes[name] and name not in NOT_ENDED]
    if parts:
        yield ", ".join(parts)


def last_shown(figures: Figures) -> Iterator[str]:
    """The newest compaction of a session: what began it and what it did, what was put back, what its summary said."""
    for facts in figures["each"][-1:]:
        typed = f" with {in_quotes(clean(facts['typed']))}" if "typed" in facts else ""
        trigger = TRIGGERS.get(facts.get("trigger", ""), "begun")
        yield ": ".join(filter(None, (f"{local_time(facts['time'])}, {trigger}{typed}", shrunk_words(facts))))
        if "units" in facts:
            yield (f"put back {things_shown(facts.get('kinds', {})) or 'the record'} ({facts['units']:,} characters, "
                   f"about {round(facts['units'] / UNITS_PER_TOKEN):,} tokens)")
        if "model_knows" in facts:
            kinds = figures["audit"]["kinds"] if are_of_one_summary(figures) else {}
            yield (differences_in_words(facts["contradicted"], facts["left_out"], facts["put_back"],
                                        facts["model_knows"])
                   + kinds_behind(kinds, facts["contradicted"], facts["left_out"]))


def kinds_behind(kinds: Mapping[str, int], contradicted: int, left_out: int) -> str:
    """Of which kinds that is which summaries said otherwise and left out, behind its count; empty: they do not add up.

    Not in brackets where both are counted: behind "1 thing" stood "(1 rule, 1 check)".
    """
    if not kinds or sum(kinds.values()) != contradicted + left_out:
        return ""
    return f"; both together: {kinds_shown(kinds)}" if contradicted and left_out else f" ({kinds_shown(kinds)})"


def are_of_one_summary(figures: Figures) -> bool:
    """Whether all that was found in summaries is what was found in the last one's."""
    audit = figures["audit"]
    return bool(audit) and audit["summaries"] == 1 and any("model_knows" in facts for facts in figures["each"][-1:])


def delivery_size_shown(figures: Figures) -> Iterator[str]:
    """What was put back in all, and how much text that was each time; nothing where the last one was the only one."""
    back = figures["put_back"]
    if not back or (back["times"] == 1 and any("units" in facts for facts in figures["each"][-1:])):
        return
    if back["items"] is not None and back["times"] > 1:
        yield f"{back['times']:,} times, in all {things_shown(back['kinds'])}"
    yield (f"{back['units_each']:,} characters{' each' * (back['times'] > 1)}, about {back['tokens_each']:,} "
           f"tokens ({UNITS_PER_TOKEN} characters a token)")


def summaries_shown(figures: Figures) -> Iterator[str]:
    """What the client's summaries had said that the record contradicts, and left out; not where the last is all."""
    audit = figures["audit"]
    if not audit or are_of_one_summary(figures):
        return
    parts: list[str] = []
    if audit["contradicted"]:
        parts.append(contradicted_words(audit["contradicted"]))
    if audit["left_out"]:
        parts.append(left_out_words(audit["left_out"], audit["left_out_put_back"]))
    kinds = kinds_behind(audit["kinds"], audit["contradicted"], audit["left_out"])
    whose = "the summary" if audit["summaries"] == 1 else f"{audit['summaries']:,} summaries"
    yield (f"{whose} {', and '.join(parts)}{kinds}" if parts else
           f"nothing in {whose} differs from the record")
    if figures["notes"]:
        yield f"the model was told, by {count_shown(figures['notes']['count'], 'note')}"


def cleared_shown(figures: Figures) -> Iterator[str]:
    """How many commands that had failed passed later."""
    if figures["cleared"]:
        yield f"{count_shown(figures['cleared'], 'failed command')} passed later"


def times_shown(figures: Figures) -> Iterator[str]:
    """A row for each hook whose time is known, in milliseconds."""
    if not figures["ms"]:
        return
    yield f"{'in milliseconds':{HOOK_COLUMNS}}{'runs':>7}{'median':>8}{'95 % within':>12}{'longest':>8}"
    for name, ms in figures["ms"].items():
        yield f"{HOOK_WORDS[name]:{HOOK_COLUMNS}}{ms['count']:>7,}{ms['p50']:>8g}{ms['p95']:>12g}{ms['max']:>8g}"
    yield "Python's own start comes on top"


def disk_shown(figures: Figures) -> Iterator[str]:
    """What lies on disk; of a session what it has to itself, and the archive, which holds all sessions."""
    rows = sorted(figures["disk"].items(), key=lambda row: -row[1])
    total = size_shown(sum(figures["disk"].values()))
    parts = ", ".join(f"{name} {size_shown(size)}" for name, size in rows)
    if figures["session"] and rows:
        yield f"{total} of this session" + (f": {parts}" if len(rows) > 1 else "")
    if figures["session"] and figures["archive_bytes"]:
        yield f"{size_shown(figures['archive_bytes'])} of the archive, which holds all sessions"
    if rows and not figures["session"]:
        yield f"{total}: {parts}"


ROWS = (  # label, and what tells it
    ("Compactions", compactions_shown), ("The last one", last_shown),
    ("Put back", delivery_size_shown), ("Summaries", summaries_shown), ("Failures", cleared_shown),
    ("On disk", disk_shown), ("Hooks", times_shown))


def report_lines(figures: Figures, width: int, is_bright: bool) -> Iterator[str]:
    """The figures as lines of at most so many columns."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if is_bright else ("", "", "")
    whose = f"session {figures['session']}" if figures["session"] else count_shown(figures["sessions"] or 0, "session")
    where = f" in {quote(figures['project'], 1_000)}" if figures["project"] else ""
    yield f"{bold}compact-keeper: {whose}{plain}{where}"
    yield f"{dim}{span_words(figures['first'], figures['last'])}{plain}"
    yield ""
    for label, tell in ROWS:
        yield from labelled(label, tell(figures), width, is_bright)


def labelled(label: str, paragraphs: Iterable[str], width: int, is_bright: bool) -> Iterator[str]:
    """The paragraphs, broken to the width, behind their label; a row of a table is left as it is."""
    bold, plain = ("\033[1m", "\033[0m") if is_bright else ("", "")
    for text in paragraphs:
        is_row = "  " in text
        lines = [text] if is_row else textwrap.wrap(text, width - FIGURE_LABEL_COLUMNS, break_on_hyphens=False)
        for line in lines:
            yield f"{bold}{label:{FIGURE_LABEL_COLUMNS}}{plain if label else ''}{line}"
            label, bold = "", ""


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FAILING_CHECK = "failing check"  # what such a line is about


def history_end(folder: str, most_bytes: int) -> list[JsonObject]:
    """The newest lines of the session's history, of at most so many bytes; none where it cannot be read."""
    path = os.path.join(folder, HISTORY_FILE)
    if os.path.islink(path):
        return []
    try:
        return [line for line in records_at_end(path, most_bytes) if line.get("schema") == SCHEMA]
    except (OSError, Refusal):
        return []


# ==================================================================================================
# figures/session_page.py: The report's page of a session. No line of the transcript is in it.
# ==================================================================================================

COMPACTIONS_MAX_BYTES = 400_000  # of the compactions' sections: with the rest, a page under 500 KB
FINDING_SHOWN_UTF16 = 240
FINDINGS_SHOWN = 40  # of a summary
KIND_COLOURS = {  # of kinds of items and of findings, by their names in the style sheet
    "rule": "rule", "pin": "pin", "message": "ask", "question": "ask", "answer": "ask", "refusal": "ask",
    "errand": "ask", "task": "task", "plan": "task", "check": "fail", FAILING_CHECK: "fail", "look": "file",
    "file": "file", "action": "run", "job": "run", "git": "run", "said": "said"}
FINDING_TITLES = {  # what was found in a summary: heading and order
    "contradicted": "The record contradicts", "left out": "Left out"}


def session_page(figures: Figures) -> str:
    """The page of a session: `figures` has its figures, its compactions (with outcomes), context and tokens spent."""
    session, path = text_shown((figures["session"] or "")[:8]), figures["project"] or ""
    title = text_shown(os.path.basename(path) or path) or f"Session {session}"
    project = f"Session {session} in <bdi>{text_shown(path)}</bdi><br>" if path else ""
    body = [tiles(figures), context_section(figures), compactions_section(figures), spent_section(figures),
            section("Deliveries", "", deliveries(figures)), times_section(figures)]
    return page(title, project + span_shown(figures), body)


def span_shown(figures: Figures) -> str:
    """From when to when there are events."""
    first, last = figures["first"], figures["last"]
    if first is None or last is None:
        return "no event yet"
    form = form_for((first, last))
    return f"events from {moment_shown(first, form)} to {moment_shown(last, form)}"


def tiles(figures: Figures) -> str:
    """What there is to know first."""
    back = figures["put_back"]
    audit = figures["audit"]
    outcomes = figures["outcomes"]
    arrived = [f"{outcomes[name]:,} {said.on_page}" for name, said in OUTCOMES.items() if outcomes[name]]
    each = f"{back['units_each']:,} characters each time, {tokens_shown(back['units_each'])}" if back else ""
    left, otherwise = audit.get("left_out", 0), audit.get("contradicted", 0)
    notes: list[str] = []
    if left:
        notes.append(f"{audit.get('left_out_put_back', 0):,} of them put back")
    if otherwise:
        notes.append(f"besides, they said {count_shown(otherwise, 'thing')} that the record contradicts")
    return pairs((
        ("Compactions", figure_shown(figures["compactions"] or None), ", ".join(arrived)),
        ("Things put back", figure_shown(back.get("items")) if back else NONE_YET, each),
        ("Left out by summaries", figure_shown(left) if audit else NONE_YET, "; ".join(notes)),
        ("Failed, then passed", figure_shown(figures["cleared"]), "times a failed command passed later")), "tiles")


def compactions_section(figures: Figures) -> str:
    """A part for each compaction; the oldest are cut to their facts where the page would grow too large."""
    compactions: Sequence[tuple[Compaction, CompactionFacts]] = figures["compaction_list"]
    numbered = list(enumerate(compactions, 1))
    form = form_for(compaction.moment() for compaction, _ in compactions)
    parts = [compaction_part(which, compaction, facts, form, "cut") for which, (compaction, facts) in numbered]
    room = COMPACTIONS_MAX_BYTES - sum(map(bytes_of, parts))
    for which, (compaction, facts) in reversed(numbered):
        whole = compaction_part(which, compaction, facts, form, "open" if which == len(compactions) else "closed")
        room -= bytes_of(whole)
        if room < 0:
            break
        parts[which - 1] = whole
    button = '<p><button type="button" class="plain" data-open hidden>Open all</button></p>' * (len(parts) > 1)
    note = "What was carried over, and what the audit found in the client's summary."
    return section("Compactions", note, button, *parts) or section(
        "Compactions", "", "<p>None yet in this session.</p>")


def bytes_of(html: str) -> int:
    """The bytes of the text on disk."""
    return len(html.encode("utf-8", "replace"))


def compaction_part(which: int, compaction: Compaction, known: CompactionFacts, form: str, state: str) -> str:
    """One compaction, its time in that form: open, closed, or cut to its facts."""
    trigger, outcome = TRIGGERS.get(known.get("trigger", ""), ""), known["outcome"]
    before, after = known.get("tokens_before"), known.get("tokens_after")
    shrunk = f"{short(before)} &rarr; {short(after)} tokens" if before and after else ""
    css, said = f"pill {outcome.replace(' ', '-')}", OUTCOMES.get(outcome)
    pill = f'<span class="{css}" title="{text_shown(said.meaning)}">{said.on_page}</span>' if said else ""
    left_out = '<p class="note">The lines are left out here to keep the page small; history.jsonl has them.</p>'
    carried = carried_rows(compaction.restored, known.get("kinds", {}))
    lines = left_out if state == "cut" else carried + audited_rows(compaction, known)
    when = moment_shown(compaction.moment(), form)
    return f"""<details class="one" id="compaction-{which}"{" open" if state == "open" else ""}><summary><h3>{which}. \
{when}</h3><small>{" · ".join(filter(None, (trigger, shrunk)))}</small>{pill}</summary>
<div>{facts_shown(compaction, known)}{lines}</div></details>"""


def facts_shown(compaction: Compaction, known: CompactionFacts) -> str:
    """What is known of a compaction, each with its name; what is not known is left out."""
    restore = compaction.event("restore")
    before, after, units = known.get("tokens_before"), known.get("tokens_after"), known.get("units")
    return pairs((
        ("Begun", TRIGGERS.get(known.get("trigger", ""), ""), ""),
        ("Typed behind /compact", words(known["typed"]) if "typed" in known else "", ""),
        ("Context before", f"{before:,} tokens" if before else "", ""),
        ("Context after", f"{after:,} tokens" if after else "", ""),
        ("Put back", f"{figure_shown(units)} characters" if units else "", tokens_shown(units) if units else ""),
        ("Left out by the summary", *left_out_shown(known)),
        ("Putting back took", f"{figure_shown(restore.get('ms'))} ms" if "ms" in restore else "", "")), "facts")


def left_out_shown(known: CompactionFacts) -> tuple[str, str]:
    """How much of what must stand somewhere the summary left out, and how much of that was put back."""
    if "model_knows" not in known:
        return "", ""
    left = known["left_out"]
    return (f"{left:,}", f"put back {known['put_back']:,}") if left else ("nothing", "")


def colour(kind: str) -> str:
    """The style that gives a kind its colour."""
    return f"--k:var(--k-{KIND_COLOURS.get(kind, 'else')})"


def carried_rows(restored: JsonObject, things: Mapping[str, int]) -> str:
    """What was put back, section by section; `things` is how many of which kind were counted, of which lines tell."""
    lines = objects_in(restored.get("lines"))
    if not lines:
        return ""
    kinds = Counter(text_of(line, "kind") for line in lines)
    by_colour = sorted(kinds.items(), key=lambda row: KIND_COLOURS.get(row[0], "else"))
    share = "".join(f'<i style="flex:{count};{colour(kind)}"></i>' for kind, count in by_colour)
    legend = "".join(  # the things, as the sentence above has them; the bar shows lines
        f'<li style="{colour(kind)}">{text_shown(kind_shown(things.get(kind, count), kind or "other"), 60)}</li>'
        for kind, count in by_colour)
    total = f'<p class="note">{text_shown(lines_words(len(lines), kinds, things))}</p>'
    parts = [f"<h5>{text_shown(title or 'Other')}</h5>\n<ul class=\"lines\">{''.join(map(line_row, group))}</ul>"
             for title, group in groupby(lines, key=lambda line: text_of(line, "section"))]
    bar = f'<div class="share" aria-hidden="true">{share}</div><ul class="legend">{legend}</ul>'
    return f"<h4>Carried over</h4>{total}{bar}" + "\n".join(parts)


def lines_words(lines: int, kinds: Mapping[str, int], things: Mapping[str, int]) -> str:
    """How many lines were put back, and of what: things of the record, and what is true now, which is none."""
    facts = kinds.get("fact", 0)
    of_record = lines - facts
    counted = {kind: count for kind, count in things.items() if kind != STATE_OF_GIT}
    parts = [count_shown(of_record, "line")]
    if things_in(counted):
        parts[0] += f" tell{'s' * (of_record == 1)} {things_shown(counted)}"
    if facts:
        parts.append(f"{count_shown(facts, 'line')} tell{'s' * (facts == 1)} what is true now (git, files, processes)")
    return f"{'; '.join(parts)}."


def line_row(line: JsonObject) -> str:
    """A line that was put back."""
    return f'<li style="{colour(text_of(line, "kind"))}">{words(text_of(line, "line").removeprefix("- "))}</li>\n'


def audited_rows(compaction: Compaction, known: CompactionFacts) -> str:
    """What was found in the client's summary."""
    event = compaction.event("audit")
    findings = objects_in(compaction.audited.get("found"))
    if not findings and not event:
        return ""
    parts = []
    room = FINDINGS_SHOWN
    for what, title in FINDING_TITLES.items():
        of_this = [finding for finding in findings if finding.get("what") == what]
        times = max(count(event, what.replace(" ", "_")), len(of_this))
        lines = "".join(map(finding_row, of_this[:room]))
        room -= min(len(of_this), room)
        if times:
            parts.append(f"<h5>{title}: {times:,}</h5>" + (f'<ul class="lines">{lines}</ul>' if lines else ""))
    said = ""
    if "model_knows" in known:
        said = differences_in_words(known["contradicted"], known["left_out"], known["put_back"], known["model_knows"])
    return f"<h4>The client's summary</h4>{f'<p>{said[0].upper()}{said[1:]}.</p>' if said else ''}" + "\n".join(parts)


def finding_row(finding: JsonObject) -> str:
    """A line on what was found in a summary."""
    kind, record = text_of(finding, "kind"), text_of(finding, "record")
    beside = f'<small>{words(record, FINDING_SHOWN_UTF16)}</small>' if text_of(finding, "text") else ""
    return (f'<li style="{colour(kind)}"><em>{text_shown(kind, 40)}</em>'
            f'{words(text_of(finding, "text") or record, FINDING_SHOWN_UTF16)}{beside}</li>\n')


def spent_section(figures: Figures) -> str:
    """Tokens that the session's requests took, beside what was put back."""
    if not figures["spent"]:
        return ""
    whole = sum(figures["spent"].values()) or 1
    back = figures["put_back"]
    put_back = (back.get("units", 0) + back.get("again_units", 0)) / UNITS_PER_TOKEN
    rows = "".join(f'<tr><th scope="row">{SPENT[name][0].upper()}{SPENT[name][1:]}</th><td>{tokens:,}</td>'
                   f'<td class="bar"><i style="width:{100 * tokens / whole:.1f}%"></i></td></tr>'
                   for name, tokens in figures["spent"].items())
    total = f'<tr><th scope="row">All</th><td>{whole:,}</td><td></td></tr>'
    note = "As the API counted them, added up over all requests of the session."
    after = (f'<p class="note after">What was put back came to about {round(put_back):,} tokens, once per compaction; '
             "from then on they are part of each request.</p>") if put_back else ""
    return section("Tokens", note, scrolled("Tokens spent", f"<tbody>{rows}{total}</tbody>"), after)


def deliveries(figures: Figures) -> str:
    """What became of what was put back: each outcome that there was."""
    rows = "".join(f'<tr><th scope="row">{said.on_page[0].upper()}{said.on_page[1:]}</th>'
                   f'<td>{figures["outcomes"][name]:,}</td>'
                   f'<td class="text" style="white-space:normal">{said.meaning}</td></tr>'
                   for name, said in OUTCOMES.items() if figures["outcomes"][name])
    return scrolled("Deliveries", f"<tbody>{rows}</tbody>") if rows else ""


def times_section(figures: Figures) -> str:
    """The part on time."""
    note = ("In milliseconds, inside each script: the median, within how many 95 % of the runs were done, and the "
            "longest. Python's own start comes on top. Bars show the 95 %.")
    return section("Time in the hooks", note, times_table(figures))


def times_table(figures: Figures) -> str:
    """How long the hooks took."""
    most = max((ms["p95"] for ms in figures["ms"].values()), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{HOOK_WORDS[name][0].upper()}{HOOK_WORDS[name][1:]}</th><td>{ms["count"]:,}</td>'
        f'<td>{figure_shown(ms["p50"])}</td><td>{figure_shown(ms["p95"])}</td><td>{figure_shown(ms["max"])}</td>'
        f'<td class="bar"><i style="width:{100 * ms["p95"] / most:.0f}%"></i></td></tr>'
        for name, ms in figures["ms"].items())
    names = ("Hook", "Runs", "Median", "95 % within", "Longest")
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    table = f"<thead><tr>{heads}<td></td></tr></thead><tbody>{rows}</tbody>"
    return scrolled("Milliseconds in the hooks", table) if rows else ""


# ==================================================================================================
# client/threads.py: The threads of a session: what each waits for, and whose context was compacted where the client does not say.
# ==================================================================================================

THREAD_TAIL_BYTES = 1 << 20  # of a transcript's end, which tell where its thread stands


def last_records(path: str) -> list[JsonObject]:
    """The records at the file's end."""
    return list(records_at_end(path, THREAD_TAIL_BYTES))


def thread_state(records: Iterable[JsonObject]) -> ThreadState:
    """Where a thread stands by its last records."""
    pending: set[str] = set()
    state: ThreadState = {"awaits": "", "usage": 0}
    for record in records:
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        blocks = content_blocks(record)
        pending |= {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
        pending -= {str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"}
        state["awaits"] = "result" if pending else "answer" if record["type"] == "user" else ""
        state["usage"] = usage_tokens(message.get("usage")) or state["usage"]
    return state


# ==================================================================================================
# store/compaction.py: compaction.json of a session: how far its newest compaction has come, its `stage`.
# ==================================================================================================

COMPACTION_FILE = "compaction.json"
COMPACTION: CompactionState = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}


def read_compaction(folder: str) -> CompactionState:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    usable: Any = {"stage": "", **of_right_types(read_store(os.path.join(folder, COMPACTION_FILE)))}
    compaction: CompactionState = usable
    if "earlier" in usable:
        usable["earlier"] = of_right_types(usable["earlier"])
    return compaction


def of_right_types(compaction: JsonObject) -> JsonObject:
    """Its fields without those that are of another type than they should be."""
    return {name: value for name, value in compaction.items() if type(value) is type(COMPACTION.get(name, value))}


# ==================================================================================================
# client/receipt.py: Whether a transcript shows that the client kept what was put back after a compaction.
# ==================================================================================================

BOUNDARY = rb'"subtype": ?"compact_boundary"'


def is_boundary(line: bytes) -> bool:
    """Whether the line is a compaction's boundary; a call whose input reads like one is none."""
    if line.rfind(b'"compact_boundary"') < 0 or not re.search(BOUNDARY, line):
        return False
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (record.get("type"), record.get("subtype")) == ("system", "compact_boundary")


# ==================================================================================================
# client/compactions.py: What a session's transcript shows of its compactions: whether another one came, and whether one has failed.
# ==================================================================================================

FAILURE_MAX_BYTES = 16 << 20  # behind a compaction's begin, the last ones, which tell whether it failed
ANSWER_MARK = b'"type":"assistant"'
NO_ANSWER = (b'"isSidechain":true', b'"model":"<synthetic>"')  # a subagent's; the client's own words
API_ERROR = b'"isApiErrorMessage":true'  # an answer that is none: the client writes the error in the model's place
# What a manual compaction leaves that failed (2.1.76 to 2.1.330; 2.1.332); one that the person stopped says "canceled".
REFUSED = rb"<local-command-std(?:err|out)>(?:(?:Error: )?Error during compaction|Compaction failed)"
TOO_LONG = r"(?i)too long|compaction"
STAMP = rb'"timestamp":"([\d-]{10}T[\d:]{8}(?:\.\d{3})?)'
WINDOWS_TOKENS = (200_000, 1_000_000)  # that models have


def is_answer(line: bytes) -> bool:
    """Whether the line is an answer of the model's on the main thread."""
    return ANSWER_MARK in line and not any(mark in line for mark in NO_ANSWER)


def failure(compaction: CompactionState) -> str:
    """What the transcript shows of a compaction that had begun: "failed", "full" (so was the context) or nothing.

    Work that went on is no failure, whatever became of the summary.
    """
    last, transcript = shown_since(compaction), compaction.get("transcript", "")
    if last in ("compacted", "went on"):
        return ""
    if last == "failed":
        return "failed"
    return "full" if size_of(transcript) and is_full(compaction, transcript, last) else ""


def shown_since(compaction: CompactionState) -> str:
    """What the transcript shows last behind a compaction's begin, as far as it tells; empty for nothing.

    "compacted", "failed", "error" (of the API, on another request) or "went on" (an answer).
    """
    begun = stamp(compaction.get("time", 0))
    last = ""
    for _, line in lines_from(compaction.get("transcript", ""), compaction.get("offset", 0), FAILURE_MAX_BYTES):
        if is_boundary(line):
            return "compacted"
        if says_that_it_failed(line):
            last = "failed"
        elif API_ERROR in line:
            last = last or "error"
        elif is_answer(line) and moment_of(line) > begun:  # the one that filled the context may come late into the file
            last = "went on"
    return last


def says_that_it_failed(line: bytes) -> bool:
    """Whether the client says in the line that a compaction failed, or that a request was too long for the API."""
    return bool(re.search(REFUSED, line)) or (API_ERROR in line and bool(re.search(TOO_LONG, message_words(line))))


def is_full(compaction: CompactionState, transcript: str, last: str) -> bool:
    """Whether an automatic compaction was needed for the next request, which did not come or ended in an error."""
    thread = thread_state(last_records(transcript))
    windows = [tokens for tokens in (window_in_environment(), *WINDOWS_TOKENS) if tokens]
    window = next((tokens for tokens in windows if thread["usage"] <= tokens), windows[0])
    is_last = thread["awaits"] == "answer" or last == "error"
    return compaction.get("trigger") == "auto" and is_last and thread["usage"] >= window - ROOM_TOKENS


def message_words(line: bytes) -> str:
    """The words of the message on the line."""
    try:
        content = json.loads(line.decode("utf-8", "replace"))["message"]["content"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return content if isinstance(content, str) else json.dumps(content)


def moment_of(line: bytes) -> bytes:
    """When the line's record was made, as it says; empty when it does not."""
    moment = re.search(STAMP, line)
    return moment.group(1) if moment else b""


def stamp(seconds: float) -> bytes:
    """The moment as a transcript begins it, to the millisecond: UTC, sortable.

    A compaction that failed and the answer with which its turn went on may lie in one second.
    """
    try:
        whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        return f"{whole}.{int(seconds % 1 * 1000):03}".encode()
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return b""


# ==================================================================================================
# figures/disk_use.py: How many bytes of the data folder are there for what.
# ==================================================================================================

USES = {  # by what is part of the name of a file or folder in the data folder
    ARCHIVE_FILE: "archive", EVENTS_FILE: "events", HOOK_LOG: "logs", "reports": "reports", "backup": "backups"}


def disk_use(home: str, session: str = "") -> dict[str, int]:
    """Bytes of the data folder by what they are for; of one session what is in its folder."""
    sizes: Counter[str] = Counter()
    sessions = os.path.join(home, "sessions")
    if session:
        folders = [os.path.join(sessions, session)]
    else:
        folders = [entry.path for entry in folder_entries(sessions)]
        for entry in folder_entries(home):
            if entry.name != "sessions":
                use = next((use for part, use in USES.items() if part in entry.name), "other")
                sizes[use] += size_counted(entry.path)
    for folder in folders:
        for entry in folder_entries(folder):
            sizes["transcript backups" if entry.name == "backups" else "sessions"] += size_below(entry.path)
    return dict(sizes)


def folder_entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in the folder; nothing where it is none, a link, or cannot be read."""
    try:
        return [] if os.path.islink(folder) else list(os.scandir(folder))
    except OSError:
        return []


# ==================================================================================================
# figures/totals.py: What the events of one session or of all come to: outcomes, what was put back, audits, times of the hooks.
# ==================================================================================================

HOOKS = ("save at Stop", "save at PreCompact", "restore", "audit", "record")  # whose time is known


def figures_of(tallies: Mapping[str, Tally], now: float | None = None) -> Figures:
    """What the sessions' events come to."""
    now = time.time() if now is None else now
    whole = Tally()
    compactions: list[Compaction] = []
    for tally in tallies.values():
        whole.add(tally)
        compactions += compactions_of(tally.events)
    outcomes = Counter(compaction.outcome(now) for compaction in compactions)
    subagents = sum(event.get("event") == "restore" and "agent" in event for event in whole.events)
    return {
        "first": whole.first if whole.last else None, "last": whole.last or None,
        "compactions": len(compactions) - sum(outcomes[name] for name in NOT_ENDED),
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        "each": facts_of_each(compactions, now) if len(tallies) == 1 else [],
        "subagents": subagents,
        "put_back": delivery_figures(events_named("restore", compactions), events_named("repair", compactions)),
        "audit": audit_figures([compaction for compaction in compactions if "audit" in compaction.events]),
        "notes": note_figures([event for event in whole.events if event.get("event") == "note"]),
        "cleared": whole.cleared,
        "ms": spreads(whole)}


def facts_of_each(compactions: Iterable[Compaction], now: float) -> list[CompactionFacts]:
    """What is known of each compaction that happened."""
    each = [compaction.facts(now) for compaction in compactions]
    return [facts for facts in each if facts["outcome"] not in NOT_ENDED]


def events_named(name: str, compactions: Iterable[Compaction]) -> list[JsonObject]:
    """The events of that name, of the compactions that have one."""
    return [compaction.events[name] for compaction in compactions if name in compaction.events]


def delivery_figures(restores: Sequence[JsonObject], repairs: Sequence[JsonObject]) -> DeliveryFigures:
    """What was put back: items by kind where that was told, characters and tokens; empty for nothing so far."""
    if not restores:
        return {}
    units = sum(count(restore, "units") for restore in restores)
    kinds = by_kind(restores, "shown")
    return {"times": len(restores), "items": things_in(kinds) if kinds else None, "kinds": dict(kinds.most_common()),
            "units": units, "units_each": round(units / len(restores)),
            "tokens_each": round(units / len(restores) / UNITS_PER_TOKEN),
            "again_units": sum(count(repair, "units") for repair in repairs)}


def audit_figures(audited: Sequence[Compaction]) -> AuditFigures:
    """What the audits of these compactions found in the summaries; empty where there was none."""
    if not audited:
        return {}
    audits = events_named("audit", audited)
    back = sum(compaction.left_out_put_back() for compaction in audited)
    return {"summaries": len(audits), "contradicted": sum(count(audit, "contradicted") for audit in audits),
            "left_out": sum(count(audit, "left_out") for audit in audits), "left_out_put_back": back,
            "kinds": dict(by_kind(audits, "kinds").most_common())}


def note_figures(notes: Sequence[JsonObject]) -> NoteFigures:
    """How many notes the model was given, and how long they were together; empty where there was none."""
    return {"count": len(notes), "units": sum(count(note, "units") for note in notes)} if notes else {}


def by_kind(records: Iterable[JsonObject], name: str) -> Counter[str]:
    """The counts that stand in this field of the records, added up by kind."""
    added: Counter[str] = Counter()
    for record in records:
        counts = record[name] if isinstance(record.get(name), dict) else {}
        for kind in counts:
            added[kind] += count(counts, kind)
    return +added


def spreads(tally: Tally) -> dict[str, Spread]:
    """How long each hook took whose time is known: how often, the middle, the 95th percentile and the most."""
    return {name: {"count": sum(times.values()), "p50": percentile(times, 0.5) or 0.0,
                   "p95": percentile(times, 0.95) or 0.0, "max": max(times)}
            for name, times in latencies(tally).items() if times}


def latencies(tally: Tally) -> dict[str, Counter[float]]:
    """How often each hook took how many milliseconds."""
    times: dict[str, Counter[float]] = {name: Counter() for name in HOOKS}
    times["save at Stop"] = tally.saves_at_stop
    times["record"] = tally.recorded
    for event in tally.events:
        name = "save at PreCompact" if event.get("event") == "save" else str(event.get("event"))
        milliseconds = number(event.get("ms"))
        if name in ("save at PreCompact", "restore", "audit") and milliseconds is not None:
            times[name][milliseconds] += 1
    return times


def percentile(times: Counter[float], share: float) -> float | None:
    """The value that so large a share of the counted ones does not exceed; None where nothing was counted."""
    left = math.ceil(sum(times.values()) * share)
    for value in sorted(times):
        left -= times[value]
        if left <= 0:
            return value
    return None


# ==================================================================================================
# figures/sessions.py: Which sessions are known, which one is meant, and the figures of one or of all. Nothing is written.
# ==================================================================================================

def session_folders() -> dict[str, str]:
    """The folder of each session, by id; links are none."""
    folders = folder_entries(os.path.join(data_home(), "sessions"))
    return {entry.name: entry.path for entry in folders
            if SESSION_ID.match(entry.name) and entry.is_dir(follow_symlinks=False)}


def project_of(folder: str) -> str:
    """The project that the session belongs to; empty where it is not told."""
    for name in (STATUS_FILE, COMPACTION_FILE):
        if project := text_of(readable_store(folder, name), "project"):
            return project
    return ""


def saved_at(folder: str) -> float:
    """When the session was saved last."""
    for name in (STATUS_FILE, MEMORY_FILE, ""):
        try:
            return os.path.getmtime(os.path.join(folder, name))
        except OSError:
            continue
    return 0.0


def saved_later(session: str, project: str) -> str:
    """The project's session that was saved last, where that is another and was saved after this one; else empty."""
    folders, before = session_folders(), saved_at(session_folder(session))
    moments = {name: saved_at(folder) for name, folder in folders.items() if name != session}
    later = [name for name, moment in moments.items() if moment > before]
    of_project = [name for name in later if project and project_of(folders[name]) == project]
    return max(of_project, key=moments.__getitem__, default="")


def chosen_session(named: str) -> str:
    """The session named, else the one that is meant; refused where there is none."""
    folders = session_folders()
    if named:
        if not SESSION_ID.match(named):
            raise Refusal(f"{clean(named)[:80]!r} is no session's id; those known are in {data_home()}/sessions")
        return named
    present = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if SESSION_ID.match(present):
        return present
    newest = sorted(folders, key=lambda session: saved_at(folders[session]), reverse=True)
    here = project_folder({})
    if not newest:
        raise Refusal(f"no session in {data_home()} yet: it begins with the first turn after the installation")
    return next((session for session in newest if project_of(folders[session]) == here), newest[0])


def is_from_elsewhere(named: str, session: str) -> bool:
    """Whether the session was chosen for nobody named one, and none of this folder is known: it may be of another."""
    is_chosen = not named and session != os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    return is_chosen and project_of(session_folder(session)) != project_folder({})


def transcript_of(session: str) -> str:
    """The session's transcript: as its last save stored it, else by its name in the client's folder; empty for none."""
    path = text_of(readable_store(session_folder(session), STATUS_FILE), "transcript")
    if os.path.isfile(path):
        return path
    return next(iter(transcripts_named(session)), "")


def add_stopped(tally: Tally, folder: str) -> None:
    """Adds that the session's last compaction has begun and stopped, where the session's files show it.

    It is at work no more when a turn that ended after it was saved: the client compacts before it goes on, but for one
    that it prepares beside the turn. That one may still be used, and is told as that as soon as it is.
    """
    try:
        compaction = read_compaction(folder)
    except (OSError, Refusal):
        return
    stage, began, name = compaction["stage"], compaction.get("time", 0.0), compaction.get("id")
    if stage not in ("begun", "brought in") or not any(event.get("id") == name for event in tally.events):
        return
    last_save = number(readable_store(folder, STATUS_FILE).get("time")) or 0.0
    if stage == "brought in" or last_save > began or failure(compaction):
        tally.events.append({"event": "stopped", "time": began, "id": name})


def gathered(session: str, tallies: Mapping[str, Tally]) -> Figures:
    """The figures of the session, of all with "", as the events tell them; refused when nothing is known of it."""
    home = data_home()
    folder = os.path.join(home, "sessions", session)
    if session:
        tallies = {session: tallies[session]} if session in tallies else {}
    if session and not tallies and not os.path.isdir(folder):
        raise Refusal(f"{NOTHING_KNOWN} {session}; those known are in {home}/sessions")
    for name, tally in tallies.items():
        add_stopped(tally, os.path.join(home, "sessions", name))
    project = project_of(folder) if session else ""
    return {"session": session or None, "project": project or None,
            "sessions": None if session else len(tallies), **figures_of(tallies),
            "disk": disk_use(home, session),
            "archive_bytes": size_of(os.path.join(home, ARCHIVE_FILE))}


# ==================================================================================================
# figures/report.py: The report: what it shows is gathered, and written as one HTML page.
# ==================================================================================================

HISTORY_MAX_BYTES = 16 << 20  # bytes of history.jsonl's end; a compaction takes some 15 KB


def write_report(session: str, output: str) -> str:
    """Writes the page of the session, and returns its path."""
    html = session_page(session_data(session))
    path = output or os.path.join(private_folder("reports"), f"{session}.html")
    if os.path.isdir(path):
        raise Refusal(f"{path} is a folder; name a file")
    try:
        replace_file(path, html.encode("utf-8", "replace"))
    except OSError as fault:  # its own words name the draft beside the file
        raise Refusal(f"{path} cannot be written: {fault.strerror}; -o FILE names another place") from None
    return path


def report_address(path: str) -> str:
    """What a browser opens the file by."""
    return Path(path).resolve().as_uri()


def session_data(session: str) -> Figures:
    """What the page of a session shows."""
    tallies = read_events()
    figures = gathered(session, tallies)
    now = time.time()
    course = read_course(transcript_of(session))
    compactions = compactions_of([*tallies.get(session, Tally()).events, *course.boundaries])
    add_history(compactions, session_folder(session))
    return {**figures, "context": with_steps(course), "spent": course.spent,
            "compaction_list": [(compaction, compaction.facts(now)) for compaction in compactions],
            "marks": [compaction.event("boundary").get("time", compaction.moment()) for compaction in compactions]}


def add_history(compactions: Iterable[Compaction], folder: str) -> None:
    """Adds to each of a session's compactions what its history tells of that one."""
    by_id = {name: compaction for compaction in compactions for name in compaction.ids}
    for line in history_end(folder, HISTORY_MAX_BYTES):
        compaction = by_id.get(text_of(line, "id"))
        if compaction and line.get("event") == "restore":
            compaction.restored = line
        elif compaction and line.get("event") == "audit":
            compaction.audited = line


def with_steps(course: Course) -> list[tuple[float, int]]:
    """The context over time, with what the client says of it before and after each compaction: there it is a step."""
    steps: list[tuple[float, int]] = []
    for boundary in course.boundaries:
        before, after = boundary["tokens_before"], boundary["tokens_after"]
        if before and after:
            steps += [(boundary["time"], int(before)), (boundary["time"], int(after))]
    return sorted([*course.context, *steps], key=lambda point: point[0])


# ==================================================================================================
# figures/reset.py: Taking away what the figures are made of: events and histories; memory, pins and archive stay.
# ==================================================================================================

def reset_events() -> int:
    """Takes away the events; how many bytes they were."""
    path = os.path.join(data_home(), EVENTS_FILE)
    return emptied(f"{path}{OLD_ENDING}") + emptied(path)


def reset_histories() -> list[int]:
    """Empties the history of each session; how many bytes each had."""
    return [emptied(os.path.join(folder, HISTORY_FILE)) for folder in session_folders().values()]


def emptied(path: str) -> int:
    """Empties the file; how many bytes it had, 0 where there is none."""
    try:
        handle = open_regular(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return 0
    with os.fdopen(handle, "r+b") as file:
        length = os.fstat(file.fileno()).st_size
        file.truncate(0)
    return length


# ==================================================================================================
# client/processes.py: Processes that a script starts: other scripts of ours, whose work it never imports, and a command of the person's.
# ==================================================================================================

def script_command(script: str, *arguments: str) -> list[str]:
    """The words that run a script from beside this one; empty where it is not there, or no Python is known.

    Through run_hook.py where that is there too: a script that is started itself is compiled each time (10 ms and more).
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    runner = os.path.join(folder, "run_hook.py")
    path = os.path.join(folder, script)
    if not sys.executable or not os.path.isfile(path):
        return []
    return [sys.executable, "-IS", *([runner, script] if os.path.isfile(runner) else [path]), *arguments]


def output_of(command: list[str], given: bytes, patience: float, most: int, with_errors: bool = False) -> bytes:
    """What the command prints for this stdin, without the line's end: what came within so many seconds and bytes.

    With `with_errors` what it prints on stderr too.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given, patience, with_errors)[0][:most].rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = streams(source, sink, with_errors)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    process = os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0,
                             setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    output = b""
    has_ended = False
    try:
        output, has_ended = exchange(into, given, out, patience, most)
    finally:
        os.close(out)
        if not has_ended:
            os.killpg(process, signal.SIGKILL)  # not waited for, so there is such a group
    return output.rstrip(b"\r\n")


def streams(source: int, sink: int, with_errors: bool = False) -> list[tuple[int, ...]]:
    """How a process gets its stdin from one pipe and prints into the other; its errors there too, or nowhere."""
    errors: Any = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    if with_errors:
        errors = (os.POSIX_SPAWN_DUP2, sink, 2)
    return [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1), errors]


def exchange(into: int, given: bytes, out: int, patience: float, most: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until = time.monotonic() + patience
    output = b""
    try:
        while (left := until - time.monotonic()) > 0 and len(output) < most:
            readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
            if writable:
                given = feed(into, given)
                if not given:
                    os.close(into)
                    into = -1
            if readable:
                chunk = os.read(out, most)
                if not chunk:
                    return output, True
                output += chunk
        return output[:most], False
    finally:
        if into >= 0:
            os.close(into)


def feed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: list[str], given: bytes, patience: float,
                         with_errors: bool = False) -> tuple[bytes, bool]:
    """The same where there is no posix_spawn, and whether it came to its end; importing subprocess takes 8 ms."""
    import subprocess
    try:
        ended = subprocess.run(command, input=given, stdout=subprocess.PIPE, timeout=patience, check=False,
                               stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", False
    return ended.stdout, True


# ==================================================================================================
# store/log.py: hook.log: one line for each fault of ours; one that is the same at every event stands there once.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500
LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


def line_without_time(message: str) -> str:
    """The line as it stands in hook.log, behind its time."""
    return quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line_without_time(message)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), HOOK_LOG)
        set_aside(path, LOG_MAX_BYTES)
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), HOOK_LOG), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]


# ==================================================================================================
# client/other_scripts.py: What another script of ours answers that is started here and waited for.
# ==================================================================================================

SCRIPT_OUTPUT_MAX_BYTES = 8 << 20


def script_output(script: str, arguments: Sequence[str], given: JsonObject, patience: float,
                  with_errors: bool = False) -> bytes:
    """What another script of ours prints, in UTF-8; nothing, with a line in the log, where it cannot be started."""
    command = script_command(script, *arguments)
    if not command:
        log_once(f"{script} is not beside this script; what it does is left out")
        return b""
    python, *words = command
    stdin = json.dumps(given).encode() if given else b""
    try:  # in UTF-8 whatever the person's locale: on Windows a pipe has another encoding
        return output_of([python, "-X", "utf8", *words], stdin, patience, SCRIPT_OUTPUT_MAX_BYTES, with_errors)
    except OSError as fault:
        log(f"{script} could not be started: {fault}")
        return b""


# ==================================================================================================
# figures/frame.py: What the live view shows of a session: what would come back now and what of it is new, compactions, the hooks' times.
# ==================================================================================================

LABEL_COLUMNS = 15  # of what stands on the left
EVENTS_END_BYTES = 1 << 20  # of events.jsonl: some thousand events
COMPACTIONS_SHOWN, CHANGES_SHOWN = 3, 5
BAR_COLUMNS = 20
ROW_LINES_MAX = 3  # of a row that is longer than the terminal is wide
COUNTS_BACK_FROM = r"Times count back from (\d{4}-\d\d-\d\d \d\d:\d\d) UTC"  # as recap/lines/header.py says it
STYLES = {"": "", "bold": "1", "dim": "2", "new": "32", "bar": "36"}  # SGR


class View(NamedTuple):
    """What would come back now: the text and its limit, 0 where it is not known; its new lines, and since when."""

    text: str = ""
    budget: int = 0
    changes: Sequence[str] = ()
    changed_at: float = 0.0


class Row(NamedTuple):
    """A line of the view: what stands on the left, what beside it, in which style."""

    label: str
    text: str
    style: str = ""


def frame(session: str, view: View, width: int, height: int, is_bright: bool = False) -> list[str]:
    """At most so many lines of at most so many columns; the times of the hooks are the last one."""
    now = time.time()
    folder = session_folder(session)
    events = events_of(session)
    tally = Tally()
    for event in events:
        add_event(tally, event)
    last = hooks_row(tally)
    head = [*rows(session, folder, now), *compaction_rows(tally, now),
            *change_rows(view), *text_rows(view)]
    lines = [line for row in head for line in lines_of(row, width, is_bright)]
    room = height - 1 if last and height > 1 else height
    if len(lines) > room > 1:
        rest = count_shown(len(lines) - room + 1, "line")
        lines[room - 1:] = [styled(Row("", f"… and {rest} more; a taller window shows them"), width, is_bright)]
    return [*lines[:room], *([styled(last, width, is_bright)] if last and height > 1 else [])]


def lines_of(row: Row, width: int, is_bright: bool) -> list[str]:
    """The row as lines, its text broken to the columns: what would come back is mostly longer than one."""
    first, *more = wrapped(row.text, width - LABEL_COLUMNS - 1)
    pieces = [row._replace(text=first), *(Row("", text, row.style) for text in more)]
    return [styled(piece, width, is_bright) for piece in pieces]


def styled(row: Row, width: int, is_bright: bool) -> str:
    """The row as a line, cut to the columns, in its style."""
    label, text = f"{row.label:{LABEL_COLUMNS}} ", row.text
    if not is_bright:
        return fitted(f"{label}{text}".rstrip(), width)
    left = fitted(label, width)
    right = fitted(text, width - LABEL_COLUMNS - 1)
    code = STYLES[row.style]
    return f"\033[1m{left}\033[0m" + (f"\033[{code}m{right}\033[0m" if code and right else right)


def rows(session: str, folder: str, now: float) -> Iterator[Row]:
    """What is known of the session now."""
    status = readable_store(folder, STATUS_FILE)
    project = project_of(folder)
    name = f"{os.path.basename(project) or project}  " if project else ""
    clock = local_time(now, "%H:%M:%S")
    yield Row("compact-keeper", f"{name}session {session}  {clock}  (q ends the view)", "bold")
    if later := saved_later(session, project):
        yield Row("Newer", f"session {later} of this folder was saved later; stats.py watch shows that", "new")
    yield Row("Project", project or "not known")
    yield Row("Context", context_shown(transcript_of(session)))
    yield Row("Saved", age_shown(status["time"], now) if "time" in status else "not yet")
    if waiting := waiting_shown(folder):
        yield Row("Waiting", waiting)


def compaction_rows(tally: Tally, now: float) -> Iterator[Row]:
    """The last compactions, the newest first."""
    label = "Compactions"
    for facts in facts_of_each(compactions_of(tally.events), now)[:-COMPACTIONS_SHOWN - 1:-1]:
        parts = [f"{local_time(facts['time'], '%H:%M:%S')} {TRIGGERS.get(facts.get('trigger', ''), 'begun')}",
                 shrunk_words(facts), f"put back {facts['units']:,} characters" if "units" in facts else "",
                 OUTCOMES[facts["outcome"]].in_row if facts["outcome"] else ""]
        yield Row(label, ", ".join(filter(None, parts)))
        label = ""
    if label:
        yield Row(label, "none yet")


def change_rows(view: View) -> Iterator[Row]:
    """The lines that are new in what would come back, the first ones of them."""
    label = "New"
    for line in view.changes[:CHANGES_SHOWN]:
        yield Row(label, f"{local_time(view.changed_at, '%H:%M:%S')} {line}" if label else f"         {line}", "new")
        label = ""
    if more := len(view.changes[CHANGES_SHOWN:]):
        yield Row("", f"         … and {count_shown(more, 'line')} more", "new")


def text_rows(view: View) -> Iterator[Row]:
    """What would come back if the session were compacted now: how much that is, then its lines, the new ones marked."""
    if not view.text:
        yield Row("Would come back", "nothing yet" if view.budget else "not known")
        return
    full = min(round(BAR_COLUMNS * len(view.text) / view.budget), BAR_COLUMNS) if view.budget else 0
    bar = f"{'█' * full}{'·' * (BAR_COLUMNS - full)} " if view.budget else ""
    limit = f" of {view.budget:,}" if view.budget else ""
    header, *lines = view.text.splitlines()  # the first says to the model what this is, and of which moment
    saved = re.search(COUNTS_BACK_FROM, header)
    back_from = f"; times count back from {clock(moment(saved[1].replace(' ', 'T') + ':00Z'))}" if saved else ""
    yield Row("Would come back", f"{bar}{len(view.text):,}{limit} characters, if the session were compacted now"
                                 f"{back_from}", "bar")
    new = {*view.changes}
    for line in filter(str.strip, lines):
        style = "new" if line in new else "bold" if line.startswith("## ") else ""
        yield Row("", line.removeprefix("## "), style)


def hooks_row(tally: Tally) -> Row | None:
    """How long half of the runs of each hook took, in a line; none where no time is known."""
    times = [f"{HOOK_WORDS[name]} {ms['p50']:g}" for name, ms in spreads(tally).items()]
    return Row("Hooks, ms", " · ".join(times), "dim") if times else None


def events_of(session: str) -> list[JsonObject]:
    """The session's last events, the newest last."""
    return [event for event in newest_events(EVENTS_END_BYTES) if event["session"] == session]


def context_shown(transcript: str) -> str:
    """How many tokens the last answer left in the context."""
    try:
        tokens = thread_state(last_records(transcript))["usage"] if transcript else 0
    except (OSError, Refusal):
        tokens = 0
    return f"{tokens:,} tokens after the last answer" if tokens else "not known: no answer in the transcript yet"


def age_shown(moment: object, now: float) -> str:
    """How long ago that was."""
    if not isinstance(moment, (int, float)) or not 0 < moment <= now + 60:
        return "not known when"
    return f"{age_in_words(now - moment)} ago"


def waiting_shown(folder: str) -> str:
    """The note that waits for the next event that can carry it; empty for none."""
    text = text_of(readable_store(folder, "note.json"), "text")
    return f"a note on the summary for the model, {count_shown(len(text), 'character')}" if text else ""


def wrapped(text: str, width: int) -> list[str]:
    """The text as at most ROW_LINES_MAX lines of at most so many columns, broken at blanks; a mark where it goes on."""
    left, lines = " ".join(clean(text).split("\n")), list[str]()
    while len(lines) < ROW_LINES_MAX and (taken := fitted(left, width)):
        at_blank = taken.rpartition(" ")[0]
        if len(taken) < len(left) and left[len(taken)] != " " and at_blank.strip():
            taken = at_blank
        lines.append(taken.rstrip())
        left = left[len(taken):].lstrip()
    if lines and left:
        lines[-1] = f"{fitted(lines[-1], width - 1)}…"
    return lines or [""]


def fitted(text: str, width: int) -> str:
    """The beginning of the text that takes at most so many columns."""
    taken, line = 0, ""
    for sign in " ".join(clean(text).split("\n")):
        wide = 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if (taken := taken + wide) > width:
            break
        line += sign
    return line


# ==================================================================================================
# figures/coming_back.py: What would come back if a session were compacted now, as the scripts that would do it say, for the live view.
# ==================================================================================================

SCRIPT_SECONDS = 10.0
NOTHING_TO_SHOW = "compact-keeper: nothing to put back"  # as restore_snapshot.py says it
AGO = re.compile(r"\b(?:just|\d{1,4} [a-z]{1,8}) before\b")
PAUSE_SHARE = 5  # so many times as long as it took is not looked again: the view is not to warm the machine


class ComingBack:
    """What would come back of a session, looked at anew where its transcript has grown."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.view = View()
        self.size = -1  # of the transcript when it was looked at
        self.not_before = 0.0

    def now(self) -> View:
        """What would come back now, and what of it is new since it last changed; nothing once its data are removed."""
        transcript = transcript_of(self.session)
        size, began = size_of(transcript) if transcript else 0, time.monotonic()
        if not size:
            self.view, self.size = View(), -1
        if not size or size == self.size or began < self.not_before:
            return self.view
        text, budget = text_now(transcript)
        before = {timeless(line) for line in self.view.text.splitlines()}
        changes = [line for line in text.splitlines() if says_something(line) and timeless(line) not in before]
        if not self.view.text:
            self.view = View(text, budget)
        elif changes:
            self.view = View(text, budget, changes, time.time())
        else:
            self.view = self.view._replace(text=text, budget=budget)
        self.size, self.not_before = size, began + PAUSE_SHARE * (time.monotonic() - began)
        return self.view


def says_something(line: str) -> bool:
    """Whether the line tells something: it is neither empty, a heading, nor the first one, with its number."""
    return bool(line.strip()) and not line.startswith(("compact-keeper: ", "## "))


def timeless(line: str) -> str:
    """The line without how long ago something was."""
    return AGO.sub("", line)


def text_now(transcript: str) -> tuple[str, int]:
    """The text and its limit in characters; empty and 0 where it is not told."""
    printed = script_output("save_snapshot.py", ["--dry-run", transcript], {}, SCRIPT_SECONDS)
    snapshot = json_object(b"".join(printed.splitlines()[-1:]))
    if not snapshot:
        return "", 0
    text = script_output("restore_snapshot.py", ["--show"], snapshot, SCRIPT_SECONDS).decode("utf-8", "replace").strip()
    return "" if text.startswith(NOTHING_TO_SHOW) else text, snapshot["settings"]["budget"]


# ==================================================================================================
# figures/watch.py: The live view in a terminal: its second screen, keys, signals and size.
# ==================================================================================================

ENTER = "\033[?1049h\033[?25l"  # the second screen, without a cursor
LEAVE = "\033[?25h\033[?1049l"
DEFAULT_SIZE = (80, 24)  # columns and lines of a terminal that does not tell its size
PLAIN_LINES = 200  # of a frame that is printed as plain text
ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_watch(session: str, interval: float) -> int:
    """0 when the view was ended, in whichever way."""
    if not sys.stdout.isatty() or os.name == "nt":
        print("\n".join(frame(session, ComingBack(session).now(), 200, PLAIN_LINES)))
        return 0
    coming_back = ComingBack(session)
    is_bright = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    with suppress(OSError), signals() as reading, second_screen():  # OSError: the terminal was closed
        sources = [reading, *([0] if os.isatty(0) else [])]
        while True:
            width, height = os.get_terminal_size(1)
            paint(frame(session, coming_back.now(), width or DEFAULT_SIZE[0], height or DEFAULT_SIZE[1], is_bright))
            if has_ended(sources, reading, interval):
                break
    return 0


def paint(lines: Sequence[str]) -> None:
    """Shows the lines over those before, with one write: each line ends in what clears its rest."""
    text = "\033[H" + "\033[K\n".join(lines) + "\033[K\033[J"
    left = text.encode("utf-8", "replace")
    while left:
        left = left[os.write(1, left):]


@contextmanager
def second_screen() -> Iterator[None]:
    """The terminal's second screen, with keys that come at once; all as it was afterwards."""
    import termios
    import tty
    before = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        if before:
            tty.setcbreak(0)
        os.write(1, ENTER.encode())
        yield
    finally:
        with suppress(OSError, termios.error):  # the terminal may be gone
            os.write(1, LEAVE.encode())
            if before:
                termios.tcsetattr(0, termios.TCSADRAIN, before)


@contextmanager
def signals() -> Iterator[int]:
    """A descriptor from which the number of each signal can be read that ends or resizes the view."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    woken = signal.set_wakeup_fd(writing)
    names = [*ENDING_SIGNALS, "SIGWINCH"]
    before = {name: signal.signal(getattr(signal, name), lambda *_: None) for name in names}
    stop = signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # it would leave the second screen behind
    try:
        yield reading
    finally:
        signal.signal(signal.SIGTSTP, stop)
        for name in names:
            signal.signal(getattr(signal, name), before[name])
        signal.set_wakeup_fd(woken)
        os.close(reading)
        os.close(writing)


def has_ended(sources: Sequence[int], reading: int, interval: float) -> bool:
    """Waits for the interval, a key or a signal; whether it says that the view should end."""
    ends = {getattr(signal, name) for name in ENDING_SIGNALS}
    for source in select.select(sources, (), (), interval)[0]:
        given = os.read(source, 64)
        if source == reading and ends & {*given}:
            return True
        if source != reading and (not given or given[:1] in (b"q", b"Q", b"\x03", b"\x04")):
            return True
    return False


# ==================================================================================================
# the script: See what compact-keeper does: figures in the terminal, a live view, a page.
# ==================================================================================================

ALL = "global"
WHICH_SESSION = "default: the running one, else the newest here"
NARROW_COLUMNS = 60  # the text takes as many columns as the terminal has, at least these
WIDE_COLUMNS = 110  # and at most these, as where there is no terminal


def show(options: argparse.Namespace) -> int:
    """Prints the figures of a session; of all with --global, or with the word "global"."""
    session = "" if options.all or options.session == ALL else chosen_session(options.session)
    figures = gathered(session, read_events())
    if session:
        figures = with_tokens(figures, transcript_of(session))
    if options.json:
        print(json.dumps({"schema": SCHEMA, **figures}))
        return 0
    if session and is_from_elsewhere(options.session, session):
        print("No session of this folder is known; this is the newest of all:")
    is_screen = sys.stdout.isatty()
    width = min(max(get_terminal_size().columns, NARROW_COLUMNS), WIDE_COLUMNS) if is_screen else WIDE_COLUMNS
    is_bright = is_screen and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print("\n".join(report_lines(figures, width, is_bright)))
    return 0


def reset(options: argparse.Namespace) -> int:
    """Empties the events and the histories of all sessions; asks before."""
    if not options.yes:
        if not sys.stdin.isatty():
            raise Refusal("reset takes away the events and the history of all sessions; say --yes to do so")
        if not is_agreed_to("Take away the events and the history of all sessions? [y/N] "):
            print("nothing was changed")
            return 0
    histories = reset_histories()
    removed = reset_events()
    print(f"removed {size_shown(removed)} of events and {count_shown(sum(map(bool, histories)), 'history')} "
          f"({size_shown(sum(histories))}) of all sessions; memory, pins and archive are as they were")
    return 0


def watch(options: argparse.Namespace) -> int:
    """Shows the session until it is ended."""
    return run_watch(chosen_session(options.session), options.interval)


def report(options: argparse.Namespace) -> int:
    """Writes the page, prints its path, and opens it where that is wanted."""
    path = write_report(chosen_session(options.session), options.output)
    print(path)
    if options.open:
        import webbrowser
        if not webbrowser.open(report_address(path)):
            raise Refusal("no browser could be started; open the page named above in one")
    return 0


def seconds(words: str) -> float:
    """The interval of the live view."""
    try:
        value = float(words)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3_600:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of seconds from 0.1 to 3600")
    return value


COMMANDS = {"stats": show, "watch": watch, "report": report, "reset": reset}


def parser() -> argparse.ArgumentParser:
    """The command line's parser."""
    whole = argparse.ArgumentParser(prog="stats.py", description=__doc__.partition("\n")[0], epilog="stats.py COMMAND "
                                    "--help tells more; without a command it is stats.")
    commands = whole.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name, help=(command.__doc__ or "").rstrip(".")) for name, command in
            COMMANDS.items()}
    whose = made["stats"].add_mutually_exclusive_group()
    whose.add_argument("--global", dest="all", action="store_true", help="all sessions")
    for group in (whose, made["watch"], made["report"]):
        group.add_argument("session", nargs="?", default="", metavar="SESSION", help=WHICH_SESSION)
    made["stats"].add_argument("--json", action="store_true")
    made["watch"].add_argument("--interval", type=seconds, default=2.0, metavar="SECONDS", help="default: 2")
    made["report"].add_argument("--open", action="store_true", help="show it in the browser")
    made["report"].add_argument("-o", dest="output", default="", metavar="FILE", help="where to write it")
    made["reset"].add_argument("--yes", action="store_true", help="do not ask")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command named."""
    given = list(sys.argv[1:] if argv is None else argv)
    if not given or given[0] not in (*COMMANDS, "-h", "--help"):
        given.insert(0, "stats")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names of any script, on a terminal of any encoding
    try:
        options = parser().parse_args(given)
        code = COMMANDS[options.command](options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    raise SystemExit(main())
