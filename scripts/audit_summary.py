#!/usr/bin/env python3
r"""Audit the summary that a compaction wrote: what it says that the record contradicts, and what it leaves out.

A hook for PostCompact. One pipeline: read summary, memory and what came after it -> compare what is certain on both
sides -> leave out what was put back anyway -> note.
Reads   the hook's JSON on stdin, compact_summary in it; sessions/<session_id>/memory.json, snapshot.json, pins.jsonl,
        ledger.jsonl, delivered-<id> (the text that was put back); of the working folder whether at most 200 exist.
Starts  save_snapshot.py, where nothing has been put back yet and the session has gone on since it was saved; git, for
        0.2 s at most, without the repository's settings.
Writes  sessions/<session_id>/note.json: the note for the model, at most 1,200 UTF-16 units, which the next event that
        can carry it hands over, without what was put back by then; none, and an older one removed, when nothing was
        found. note.json.given, which the status line reads: what the summary has wrong and the text told already.
        A mark that this compaction was audited. One line in events.jsonl with the figures, one in history.jsonl with
        what was found.
Prints  nothing: of this event nothing reaches the model.
Words   are facts with their source. The summary is a model's text: quoted, on one line, secrets replaced.
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/audit_summary.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/audit_summary.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import os
import posixpath
import re
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import dropwhile, islice, takewhile
from operator import add
from sys import maxsize

VERSION = "0.27.0"  # of the plugin that this script came with


# ==================================================================================================
# audit/disk.py: What the disk says now of a file that a summary names.
# ==================================================================================================

def exists(folder: str, known: Iterable[str], path: str) -> bool | None:
    """Whether the file exists; None where it is not sure which one it is: told from a folder below, or of several.

    `folder` is the working folder, `known` are the whole paths of the session's files.
    """
    candidates = {whole for whole in known if whole.endswith(f"/{path.lstrip('/')}")}
    whole = next(iter(candidates)) if candidates else os.path.normpath(os.path.join(folder, path))
    if len(candidates) > 1 or not os.path.isabs(whole) or not os.path.isdir(folder):
        return None
    if os.path.lexists(whole):
        return True
    # "/src/a.py" may mean the project's, and "/robots.txt" an address of it.
    top = os.path.dirname(path) if os.path.isabs(path) else path.partition("/")[0]
    is_sure = bool(candidates) or (top not in (path, "/") and os.path.isdir(os.path.join(folder, top)))
    return False if is_sure else None


# ==================================================================================================
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


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
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20
OWN_BEGINNING = f'{{"schema": {SCHEMA}, '.encode()  # as replace_store writes it
GIVEN = ".given"  # the ending of a file that was handed over


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


def refuse_later_version(path: str) -> None:
    """Raises Refusal where a later version wrote the file: nothing of this one may take its place."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            is_as_ours = file.read(len(OWN_BEGINNING)) == OWN_BEGINNING
    except FileNotFoundError:
        return
    if not is_as_ours:
        read_store(path)


def replace_store(path: str, data: Mapping[str, Any], **encoded: str) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before.

    `encoded` are fields that are JSON already, as several files hold them; in the file they come last.
    """
    text = encoded_json({"schema": SCHEMA, **{name: value for name, value in data.items() if name not in encoded}})
    fields = [text[:-1], *(f'"{name}": {value}' for name, value in encoded.items())]
    replace_file(path, f"{', '.join(fields)}}}".encode("utf-8", "replace"))


def encoded_json(value: object) -> str:
    """The value as it stands in a file of ours."""
    return json.dumps(value, ensure_ascii=False)


# ==================================================================================================
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def time_of_change(path: str) -> float:
    """When the file itself, and not what a link leads to, was written last; 0 when it is gone."""
    try:
        return os.lstat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


def beginning(path: str, size: int) -> bytes:
    """At most so many bytes of a regular file; none of anything else, and nothing is waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return b""


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
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

CUT_MARK = "…"  # where the end of a text is missing
MIDDLE_GONE = "[… lines that the record does not keep]"


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


def is_cut_text(text: str) -> bool:
    """Whether the end of the text may be missing, as `cut` marks it."""
    return text.endswith(CUT_MARK)


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
# store/log.py: hook.log: one line for each fault of ours; one that is the same at every event stands there once.
# ==================================================================================================

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500


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


def location_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


# ==================================================================================================
# store/removal.py: Files of ours that go because a newer compaction has come; none that stays may stop what comes behind.
# ==================================================================================================

def remove_file(path: str, what: str) -> None:
    """Removes the file where there is one; where that fails, as for a folder, the log says `what` stays."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as fault:
        log(f"{what} stays: {fault}")


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# store/note.py: note.json of a session: what the model is to be told of a summary, once.
# ==================================================================================================

NOTE_FILE = "note.json"
NOTE_MAX_UTF16 = 1_200


def leave_note(folder: str, note: JsonObject) -> None:
    """Leaves the note for the next event that can carry it; without findings none, and an older one goes."""
    path = os.path.join(folder, NOTE_FILE)
    if note["findings"]:
        replace_store(path, note)
    elif os.path.lexists(path):
        os.unlink(path)


def keep_given(folder: str, note: JsonObject) -> None:
    """Keeps what the model was told of a compaction's summary, for the status line; without findings nothing.

    What it was told of an earlier compaction goes: the status line had shown it behind a summary without an error.
    """
    path = os.path.join(folder, f"{NOTE_FILE}{GIVEN}")
    if note["findings"]:
        replace_store(path, note)
    else:
        remove_file(path, "what was told of an earlier summary")


def delivered_text(folder: str, compaction_id: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    delivered = readable_store(folder, f"delivered-{os.path.basename(compaction_id)}")
    return " ".join(text_of(delivered, "text").split())


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


# ==================================================================================================
# audit/note.py: The note for the model: what the record has otherwise than the summary, and what the summary leaves out.
# ==================================================================================================

NOTE_HEADER = "compact-keeper compared the compaction's summary with what was recorded. What differs, or is missing:"
LEFT_OUT = {  # of the summary, by kind
    "pin": "Pinned by the user, not in the summary", "rule": "A standing rule of the user's, not in the summary",
    "question": "A question that waits for the user's answer, not in the summary"}


def note_of(findings: Iterable[SummaryFinding]) -> tuple[str, list[NotedFinding]]:
    """The note's text, at most NOTE_MAX_UTF16 units, and the findings in it with their lines; empty without any.

    A line that does not fit is left out whole: half a rule is none.
    """
    room = NOTE_MAX_UTF16 - units(NOTE_HEADER)
    kept: list[NotedFinding] = []
    for finding in findings:
        line = line_of(finding)
        if units(line) < room:
            room -= units(line) + 1
            kept.append({**finding, "line": line})
    return "\n".join([NOTE_HEADER, *(finding["line"] for finding in kept)]) if kept else "", kept


def line_of(finding: SummaryFinding) -> str:
    """The line that tells a finding; its words are redacted already."""
    if finding["said"]:
        return f"- The summary: {in_quotes(finding['said'])} The record: {finding['record']}"
    return f"- {LEFT_OUT[finding['kind']]}: {in_quotes(finding['record'])}"


def counts_of(findings: Sequence[SummaryFinding]) -> JsonObject:
    """How many things the summary said that the record contradicts, how many it left out, and how many of each kind."""
    contradicted = sum(bool(finding["said"]) for finding in findings)
    return {"contradicted": contradicted, "left_out": len(findings) - contradicted,
            "kinds": dict(Counter(finding["kind"] for finding in findings))}


# ==================================================================================================
# client/processes.py: Processes that a script starts: other scripts of ours, whose work it never imports, and a command of the person's.
# ==================================================================================================

INPUT_MAX_BYTES = 60_000  # what a pipe takes before anybody reads it (64 KB)
PAUSE_SECONDS = 0.002  # between two looks whether a process has ended


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


def run_to_end(command: list[str], given: bytes, patience: float) -> str:
    """Runs the command with that stdin, its output nowhere, for so many seconds; why it did not end, else empty.

    Raises OSError where the system starts no more processes.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return "" if output_by_subprocess(command, given, patience)[1] else f"it took over {patience:.0f} s"
    process = spawn(command, given, is_alone=False)
    until = time.monotonic() + patience
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"it took over {patience:.0f} s"
            time.sleep(PAUSE_SECONDS)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def spawn(command: list[str], given: bytes, is_alone: bool) -> int:
    """The process of the command, with that stdin and its output nowhere."""
    source, into = os.pipe()
    try:
        os.write(into, given)  # first: so no process is ever started whose input does not come
        os.close(into)
        nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        files = [(os.POSIX_SPAWN_DUP2, source, 0), *nowhere]
        if is_alone:
            return os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0)
        return os.posix_spawn(command[0], command, os.environ, file_actions=files)
    finally:
        os.close(source)


def streams(source: int, sink: int, with_errors: bool = False) -> list[tuple[int, ...]]:
    """How a process gets its stdin from one pipe and prints into the other; its errors there too, or nowhere."""
    errors: Any = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    if with_errors:
        errors = (os.POSIX_SPAWN_DUP2, sink, 2)
    return [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1), errors]


def outputs_of(commands: Sequence[list[str]], environment: Mapping[str, str], given: bytes, until: float,
               most: int) -> list[bytes | None]:
    """What each of the commands prints, run at once with this environment and stdin, stderr nowhere.

    At most `most` bytes; of so many there may be more. None where the command failed, or had not ended by `until`
    (of time.monotonic): what runs on then is killed. On Windows none is started.
    """
    if not hasattr(os, "posix_spawn"):
        return [None] * len(commands)
    import signal
    # Ended by a signal, this process is to end them first; and only by default are they left to be waited for.
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: sys.exit()),
              signal.SIGCHLD: signal.signal(signal.SIGCHLD, signal.SIG_DFL)}
    processes: list[int] = []  # by the number of their command; 0 once it has come to its end
    outs: dict[int, int] = {}  # from what to read to the command's number
    try:
        for number, command in enumerate(commands):
            process, out = spawn_with_output(command, environment, given)
            processes.append(process)
            outs[out] = number
        outputs = read_all(outs, until, most)
        return [output if output is not None and (len(output) >= most or wait_for(processes, number, until)) else None
                for number, output in enumerate(outputs)]
    except (OSError, ValueError):  # the system starts no more processes; a NUL byte in a word
        return [None] * len(commands)
    finally:
        for out in outs:
            os.close(out)
        for process in filter(None, processes):
            os.kill(process, signal.SIGKILL)  # not waited for, so there is such a process
            os.waitpid(process, 0)
        for number_of_signal, handler in before.items():
            signal.signal(number_of_signal, handler or signal.SIG_DFL)


def spawn_with_output(command: list[str], environment: Mapping[str, str], given: bytes) -> tuple[int, int]:
    """The command's process, in this one's group, and from where its output can be read."""
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    try:
        os.write(into, given[:INPUT_MAX_BYTES])
        os.close(into)
        return os.posix_spawn(command[0], command, environment, file_actions=streams(source, sink),
                              setsigdef=[signal.SIGPIPE]), out
    except (OSError, ValueError):
        os.close(out)
        raise
    finally:
        os.close(source)
        os.close(sink)


def read_all(outs: Mapping[int, int], until: float, most: int) -> list[bytes | None]:
    """What comes out of the pipes until they end, at most so many bytes of each; None of one that did not end."""
    import select
    outputs: list[bytes | None] = [None] * len(outs)
    so_far = dict.fromkeys(outs, b"")
    while so_far and (left := until - time.monotonic()) > 0:
        for out in select.select([*so_far], [], [], left)[0]:
            chunk = os.read(out, most)
            so_far[out] = (so_far[out] + chunk)[:most]
            if not chunk or len(so_far[out]) == most:
                outputs[outs[out]] = so_far.pop(out)
    return outputs


def wait_for(processes: list[int], number: int, until: float) -> bool:
    """Waits for the process until then; whether it ended with exit code 0. Of one that ended the number becomes 0."""
    while True:
        process, status = os.waitpid(processes[number], os.WNOHANG)
        if process:
            processes[number] = 0
            return status == 0
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS / 4)


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


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

LEDGER_FILE = "ledger.jsonl"
FOLDED_LEDGER_FILE = "ledger.folded.jsonl"  # as a save renames it once it has read all: see client/ledger_reading.py


# ==================================================================================================
# store/memory.py: memory.json of a session: whether it is as a save leaves it, before anything works with what is in it.
# ==================================================================================================

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
RECORD_FORMAT = 22  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "outputs": dict, "files": dict, "pending": list,
    "seen": list, "roots": list, "ledgers": dict, "named": list, "scheduled": list,
    "typed": list, "queue": list, "dequeued": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    "is_by_ledger": bool, "is_by_editor": bool, "is_silent": bool, "picks_one": bool, "is_stash_kept": bool,
    "is_in_background": bool, "is_output_cut": bool, "is_signalled": bool, "is_cached": bool, "is_behind_calls": bool,
    "has_more_failed": bool, "has_lost_result": bool, "met_no_test": bool,
    "pushed": dict,
    **dict.fromkeys(("options", "hits", "rows_read", "conflicts", "earlier", "evidence", "tokens", "same",
                     "ordered", "stashed", "private", "lacking", "wrote", "ends", "rows", "away",
                     "commits_before", "nothing_to", "failed_names", "typed_before"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "made", "picks", "refused", "sender", "own", "detail", "owner",
                     "port", "environ", "by", "pid", "also", "family", "commit", "subject", "branch", "begun",
                     "remark", "push_refused", "took_in", "boxes_before",
                     "finished", "pattern", "trigger", "tag", "agent", "ticket",
                     "typed_at", "broken_off", "command_error", "by_agent", "folder", "follows", "opened", "attached",
                     "taken_back", "described", "turn_began", "headings", "printed", "ran_later",
                     "subagent_type", "files_searched"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record", "more",
                     "taken_back_at", "exit_code", "seconds_most", "tool_calls", "unticked"), int)}
WORD_LISTS = frozenset((  # of texts
    "options", "hits", "rows_read", "conflicts", "evidence", "same", "ordered", "stashed", "private",
    "lacking", "wrote", "rows", "nothing_to", "failed_names"))
PARTS_FIELDS = {"commits_before": {"hash", "branch", "subject"}, "pushed": {"to", "refs", "commits"},
                "ends": {"verdict"}, "typed_before": {"position", "time"}}  # of their parts
ITEM_FIELD_TYPES = {**FIELD_TYPES, "answers": str}  # of a message: the words that it answers; of a call: by question
# What has to be there: in the memory itself, in an item, in a call that waits for its result, in a line of the log.
MEMORY_FIELDS = frozenset(("items", "place", "began", "time", "position", "cycle", "state", "pending", "seen"))
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # of items
    **dict.fromkeys(("message", "rule", "question", "refusal", "said", "task", "plan"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "action": {"key", "tool", "path", "verdict", "result"}, "look": {"key", "tool", "path", "result"},
        "job": {"key"}, "answer": {"question"}}.items()}}
NEVER_WITHOUT_WORDS = ("message", "rule")
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output",
                         "command", "rejected", "answers", "body", "input", "ok", "exit", "pattern", "change"))
LOG_FIELDS = frozenset(("time", "what", "key", "text"))
QUEUED_FIELDS = frozenset(("time", "text"))
PLACE_FIELDS = frozenset(("inode", "offset"))  # how far a file was read
NO_PLACE = {"inode": 0, "offset": 0}  # of a memory that has read no transcript
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS,
                 "progress": LOG_FIELDS, "queue": QUEUED_FIELDS, "dequeued": QUEUED_FIELDS}


def sound_memory(path: str) -> Memory:
    """The memory at the path where a save could work with it, else empty; the file stays as it is."""
    memory: Any = read_store(path)
    sound: Memory = {}
    if memory and not fault_in(memory):  # an older version's has other items
        sound = memory
    return sound


def fault_in(memory: Mapping[str, Any]) -> str:
    """The first field of the memory that is not as a save leaves it; empty when there is none."""
    if memory.get("record") != RECORD_FORMAT:
        return "record"
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "named", "scheduled")]
    shown = {**memory.get("outputs", {}), **memory.get("files", {})}
    texts += [memory["state"].values(), shown.values(), typed]
    if not all(all_are(str, values) for values in texts) or len(typed) != 2 or not all(
            name.partition(" ")[0].isdecimal() for name in shown):
        return "roots, seen, named, scheduled, state, outputs, files or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ()),
             "queue": memory.get("queue", ()), "dequeued": memory.get("dequeued", ())}
    for name, records in lists.items():
        for number, record in enumerate(records):
            if why := odd_field(record, NEEDED_FIELDS[name], memory):
                return f"{name}[{number}]: {why}"
    return ""


def odd_field(record: Any, needed: Set[str], memory: Mapping[str, Any]) -> str:
    """The first field that is of another type, or what else is wrong; empty when the record is as it should be."""
    if not isinstance(record, dict):
        return "no object"
    name: str
    types = ITEM_FIELD_TYPES if needed is ITEM_FIELDS else FIELD_TYPES
    for name, value in record.items():
        if name in types and type(value) is not types[name]:
            return name
        if (name in WORD_LISTS and not all_are(str, value)) or (
                name in PARTS_FIELDS and not has_fields(value, PARTS_FIELDS[name])):
            return name
    if needed is ITEM_FIELDS:
        if record.get("kind") not in FIELDS_OF_KIND:
            return "kind"
        needed = FIELDS_OF_KIND[record["kind"]]
    is_without_words = record.get("kind") in NEVER_WITHOUT_WORDS and not record.get("text")
    if is_without_words or not needed <= record.keys():
        return "a field is missing"
    return "" if numbers_are_usable(record, memory) else "a number is out of range"


def numbers_are_usable(record: JsonObject, memory: Mapping[str, Any]) -> bool:
    """Whether no number in the record is below 0, beyond counting, or newer than the memory itself."""
    now, cycle = memory["position"], memory["cycle"]
    if not (0 <= record.get("position", 0) <= now <= NUMBER_MAX and 0 <= record.get("cycle", 0) <= cycle <= NUMBER_MAX):
        return False
    return all(0 <= record.get(name, 0) <= NUMBER_MAX for name in ("uses", "edits", "offset"))


def has_fields(parts: Any, needed: Set[str]) -> bool:
    """Whether this is an object with the fields that it needs, or each of these is."""
    return all(isinstance(part, dict) and needed <= part.keys() for part in (
        [parts] if isinstance(parts, dict) else parts))


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}


# ==================================================================================================
# store/snapshot.py: snapshot.json of a session: what a save stored, from which what is put back is chosen.
# ==================================================================================================

def own_snapshot(folder: str, session: str) -> Snapshot:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot: Snapshot = read_store(os.path.join(folder, SNAPSHOT_FILE))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


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


# ==================================================================================================
# client/catch_up.py: A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.
# ==================================================================================================

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"'  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists


def current_snapshot(data: HookInput, folder: str) -> tuple[Snapshot, str, str]:
    """The stored snapshot as of now, why it must not be put back, what its text is to say of its age; mostly empty."""
    transcript, session = data["transcript_path"], data["session_id"]
    snapshot = own_snapshot(folder, session)
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, why_gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, places_read(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = own_snapshot(folder, session)
    if later.get("id") != snapshot.get("id"):
        return later, "", ""
    if not is_kept:
        return later, f"nothing could be saved of the session: {fault or 'the save failed'}", ""
    return later, "", f"(As of {saved_clock(later)}: what came after could not be read.)"


def why_gone(snapshot: Snapshot, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {saved_clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number_or_zero(snapshot.get("created")))
    if age > number_or_zero(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Mapping[str, Any], session: str) -> bool:
    """Whether another session's file has replaced the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number_or_zero(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    read_from = max(begin, about.st_size - FILE_END_MAX_BYTES)
    new = bytes_from(transcript, read_from)
    if session.encode() in new:
        return False
    lines = new.splitlines()
    if read_from > begin:
        lines = lines[1:]  # it may have begun before
    named = {str(record["sessionId"]) for line in lines for record in parse_line(line) if "sessionId" in record}
    return bool(named) and session not in named


def is_behind(snapshot: Snapshot, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = places_read(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number_or_zero(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > NEW_LINES_MAX_BYTES:
        return True
    new = bytes_from(transcript, start)
    return bool(new and re.search(COUNTING_LINE, new)) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Snapshot, folder: str) -> bool:
    """Whether the ledger has lines that the snapshot's save had not read; a save renames the file when it was read."""
    places = [place for place in places_read(snapshot, "ledgers").values() if isinstance(place, dict)]
    known = {place.get("inode"): number_or_zero(place.get("offset")) for place in places}
    for name in (LEDGER_FILE, FOLDED_LEDGER_FILE):
        try:
            about = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if about.st_size > known.get(about.st_ino, 0):
            return True
    return False


def save_now(data: HookInput) -> str:
    """Has save_snapshot.py save the session; why it did not, empty when it came to its end."""
    command = script_command("save_snapshot.py")
    if not command:
        return "save_snapshot.py cannot be started"
    given = {"hook_event_name": "SessionStart", "source": "compact", "session_id": data["session_id"],
             "transcript_path": data["transcript_path"], "cwd": data["cwd"][:PATH_MAX_CHARACTERS]}
    try:
        why = run_to_end(command, json.dumps(given).encode(), SAVE_PATIENCE_SECONDS)
    except OSError as fault:  # as many processes or files as the system allows
        return f"the save could not be started: {fault}"
    return f"the save did not end: {why}" if why else ""


def bytes_from(transcript: str, start: int) -> bytes:
    """The file from that byte on; what another process puts in its place is not waited for."""
    with os.fdopen(os.open(transcript, os.O_RDONLY | NO_WAIT), "rb") as file:
        file.seek(start)
        return file.read(FILE_END_MAX_BYTES)


def places_read(snapshot: Snapshot, name: str) -> JsonObject:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read: Any = snapshot.get("read")
    place = read.get(name) if isinstance(read, dict) else None
    return place if isinstance(place, dict) else {}


def number_or_zero(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def saved_clock(snapshot: Snapshot) -> str:
    """When the snapshot was saved, as a clock shows it here."""
    return clock(number_or_zero(snapshot.get("created")))


# ==================================================================================================
# client/hook.py: What a hook is given on stdin, and how it ends.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


def read_input() -> HookInput:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    if sys.stdin.isatty():
        sys.stderr.write("compact-keeper: this is a hook, which the client gives JSON on stdin; --help says more\n")
        raise Refusal("stdin is a terminal: no client has started this hook")
    raw = sys.stdin.buffer.read(STDIN_MAX_BYTES + 1)
    data: Any = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_MAX_BYTES else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: usable_path(text_of(data, name)) for name in ("transcript_path", "cwd")}
    checked: Any = {**data, **paths, "hook_event_name": text_of(data, "hook_event_name")}
    given: HookInput = checked
    return given


def usable_path(path: str) -> str:
    """The path when a file can be opened by it; else empty."""
    is_usable = os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
    return path if is_usable else ""


def run_hook_or_help(body: Callable[[HookInput], object], argv: Sequence[str] | None, page: str | None,
                     when_off: Callable[[HookInput], object] | None = None) -> int:
    """0, whatever came in on stdin; of a script that is a hook alone, which prints its page at --help."""
    if "--help" in (sys.argv if argv is None else argv):
        print(page)
        return 0
    return run_hook(body, when_off)


def run_hook(body: Callable[[HookInput], object], when_off: Callable[[HookInput], object] | None = None) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way.

    While COMPACT_KEEPER_OFF is set, `when_off` is done instead, or nothing; then no file is written, the log neither.
    """
    is_off = bool(os.environ.get("COMPACT_KEEPER_OFF"))
    due = when_off if is_off else body
    try:
        if due:
            due(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        if not is_off:
            log(f"{type(fault).__name__}: {fault} ({location_of(fault)})")
    return 0


# ==================================================================================================
# machine/git_answers.py: What git's answers mean: changes, conflicts, commits and how far the branch is from its upstream.
# ==================================================================================================

ANSWER_MAX_BYTES, FILTERS_MAX_BYTES = 64 << 10, 1 << 20  # of what git prints for one question
COMMITS_MAX, PATHS_MAX = 20, 60  # in a list
OTHER_BRANCHES = "elsewhere"  # the question for commits of other branches: without its answer nothing is said of them
CHANGED_PATH_MAX_UTF16, SUBJECT_MAX_UTF16 = 240, 160
STAGED_HOW = {"A": "new", "D": "deleted"}
IN_CONFLICT = "U"
NO_FILTER = (b"unspecified", b"unset")


def what_answers_tell(answers: Mapping[str, bytes | None], inner: str, branches: Mapping[str, str]) -> GitNow:
    """What the answers tell, by the name of their question; of those that are missing nothing.

    `inner`: the folder from which paths are seen, as seen from the top one; empty: that itself. `branches`: the names
    of the other branches that git was asked for, by their commits.
    """
    now: GitNow = {"totals": {}}
    known = {name: answer for name, answer in answers.items() if answer is not None}
    parts = entries(known.get("staged", b""))
    staged = dict(zip(parts[1::2], map(bytes.decode, parts[::2])))  # git's letter for each path
    conflicts = {path for path, how in staged.items() if how == IN_CONFLICT}
    if "staged" in known:
        add_staged(now, staged, conflicts, inner)
    if "modified" in known and ("filters" in known or not known["modified"]):
        add_modified(now, known["modified"], conflicts, unjudged(answers), inner)
    if "untracked" in known:
        untracked = entries(known["untracked"])
        now["untracked"] = names(untracked, inner)
        now["totals"]["untracked"] = len(untracked)
    if "commits" in known:
        add_commits(now, known["commits"])
    if OTHER_BRANCHES in known:
        rows = [line.decode("utf-8", "replace").split("\t", 2) for line in entries(known[OTHER_BRANCHES])]
        now["elsewhere"] = [(branches[row[1]], row[0], quote(row[2], SUBJECT_MAX_UTF16)) for row in rows[:COMMITS_MAX]
                            if len(row) > 2 and row[1] in branches]
    counts = re.match(rb"(\d{1,9})\t(\d{1,9})\s", known.get("counts", b""))
    if counts:
        now["ahead"], now["behind"] = int(counts[1]), int(counts[2])
    return now


def add_staged(now: GitNow, staged: Mapping[bytes, str], conflicts: set[bytes], inner: str) -> None:
    """Adds what is staged, and what is in conflict."""
    paths = [path for path in staged if path not in conflicts][:PATHS_MAX]
    now["conflicts"] = names(conflicts, inner)
    now["staged"] = [(shown(path, inner), STAGED_HOW.get(staged[path], "")) for path in paths]
    now["totals"].update(conflicts=len(conflicts), staged=len(staged) - len(conflicts))


def add_modified(now: GitNow, answer: bytes, conflicts: set[bytes], unknown: set[bytes], inner: str) -> None:
    """Adds the files that are otherwise than the index has them, without those of which git cannot say it."""
    deleted = {entry[2:] for entry in entries(answer) if entry.startswith(b"R")}
    left_out = conflicts | (unknown - deleted)
    modified = [path for path in paths_of(answer) if path not in left_out]
    now["modified"] = [(shown(path, inner), "deleted" if path in deleted else "") for path in modified[:PATHS_MAX]]
    now["totals"]["modified"] = len(modified)


def add_commits(now: GitNow, answer: bytes) -> None:
    """Adds the commits, each its hash and subject."""
    lines = [line.decode("utf-8", "replace").partition("\t") for line in entries(answer)]
    now["commits"] = [(commit, quote(subject, SUBJECT_MAX_UTF16)) for commit, _, subject in lines[:COMMITS_MAX]
                      if re.fullmatch("[0-9a-f]{4,64}", commit)]
    now["totals"]["commits"] = len(lines)


def is_whole(answers: Mapping[str, bytes | None]) -> bool:
    """Whether each answer that must not be missing came in time and was not cut."""
    return all(answer is not None and len(answer) < (FILTERS_MAX_BYTES if name == "filters" else ANSWER_MAX_BYTES)
               for name, answer in answers.items() if name != OTHER_BRANCHES)


def unjudged(answers: Mapping[str, bytes | None]) -> set[bytes]:
    """The paths of which git cannot say whether they are modified: a filter that it does not run makes their content.

    So it is with files of git-lfs and git-crypt; those that look untouched git does not open.
    """
    triples = entries(answers.get("filters") or b"")
    return {path for path, value in zip(triples[::3], triples[2::3]) if value not in NO_FILTER}


def entries(answer: bytes) -> list[bytes]:
    """The parts of an answer, each of which ends with a NUL byte; a last one that was cut is left out."""
    return answer.split(b"\0")[:-1]


def paths_of(modified: bytes) -> list[bytes]:
    """The paths in the answer on what is modified, each once."""
    return list(dict.fromkeys(entry[2:] for entry in entries(modified)))


def names(paths: Iterable[bytes], inner: str) -> list[str]:
    """The first of the paths, in order, as they can be told."""
    return [shown(path, inner) for path in sorted(paths)[:PATHS_MAX]]


def shown(path: bytes, inner: str) -> str:
    """The path as seen from the folder `inner` of the top one, on one line, clean and redacted.

    A file had two names: git's `packages/api/src/a.ts`, and `src/a.ts`, as it was edited from a folder below.
    """
    name = path.decode("utf-8", "replace")
    if inner:
        name = posixpath.relpath(f"/{name}", f"/{inner}") + "/" * name.endswith("/")
    return quote(name, CHANGED_PATH_MAX_UTF16)


# ==================================================================================================
# machine/git_program.py: How git is started so that no repository makes it run anything: without a line of the repository's own settings.
# ==================================================================================================

EMPTY_FOLDER = "empty.git"  # in the data folder
EMPTY_HEAD, EMPTY_FOLDERS = "HEAD", ("objects", "refs")  # what git wants to see in a folder of its own
APPLE_SHIM = "/usr/bin/git"  # asks to install the developer tools where they are missing; it starts one of these:
APPLE_PROGRAMS = ("/Library/Developer/CommandLineTools/usr/bin/git",
                  "/Applications/Xcode.app/Contents/Developer/usr/bin/git")


def git_program(top: str) -> str:
    """The path of git; empty where there is none outside of the repository that begins at `top`."""
    for folder in filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        path = os.path.join(folder, "git")
        for program in APPLE_PROGRAMS if path == APPLE_SHIM and sys.platform == "darwin" else (path,):
            if os.path.isfile(program) and os.access(program, os.X_OK) and not leads_through(program, top):
                return program
    return ""


def leads_through(program: str, top: str) -> bool:
    """Whether the program is in the folder `top`: by its name, by its folder, or by where a link leads."""
    tops = tuple(os.path.join(folder, "") for folder in (os.path.abspath(top), os.path.realpath(top)))
    paths = (os.path.abspath(program), os.path.join(os.path.realpath(os.path.dirname(program)), "git"),
             os.path.realpath(program))
    return any(path.startswith(tops) for path in paths)


def git_environment(top: str, git: str, common: str) -> dict[str, str]:
    """The environment in which git sees the repository without its settings; empty where our empty folder cannot be.

    `top` is the working tree, `git` its .git folder, `common` the .git folder that has the objects.
    """
    empty = empty_folder()
    if not empty:
        return {}
    return {
        "GIT_DIR": empty, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": os.path.join(git, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(common, "objects"), "GIT_SHALLOW_FILE": os.path.join(common, "shallow"),
        "HOME": empty, "XDG_CONFIG_HOME": empty, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "",
        "PATH": "", "LC_ALL": "C"}


def empty_folder() -> str:
    """The path of our folder that git takes for its own; empty where it cannot be made, or something else is in it."""
    try:
        path = os.path.abspath(private_folder(EMPTY_FOLDER))
        for name in EMPTY_FOLDERS:
            private_folder(EMPTY_FOLDER, name)
        if not os.path.isfile(os.path.join(path, EMPTY_HEAD)):
            replace_file(os.path.join(path, EMPTY_HEAD), b"ref: refs/heads/none\n")
        others = {name for name in os.listdir(path) if not name.startswith(EMPTY_HEAD)} - {*EMPTY_FOLDERS}
    except (OSError, Refusal):
        return ""
    return "" if others else path


# ==================================================================================================
# machine/git_settings.py: The few of git's settings that are taken over, read here and not by git: plain words, and the name of an upstream.
# ==================================================================================================

GIT_SETTINGS_MAX_BYTES = 256 << 10  # of a file of git's settings
COMPARING = (  # how files are compared; none of these words names a program
    r"(?im)^[ \t]*(?:(filemode|symlinks|ignorecase|precomposeunicode|autocrlf)[ \t]*=[ \t]*(true|false|input)"
    r"|(eol)[ \t]*=[ \t]*(lf|crlf|native))[ \t]*\r?$")
IGNORED_BY_PERSON = r'(?im)^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\r\n]{1,4000})'


def git_settings_text(path: str) -> str:
    """The file's text; empty where it cannot be read."""
    return beginning(path, GIT_SETTINGS_MAX_BYTES).decode("utf-8", "surrogateescape")


def person_settings() -> str:
    """The person's own settings, what counts more behind."""
    home = os.path.expanduser("~")
    return "\n".join(map(git_settings_text, (os.path.join(config_home(), "config"), os.path.join(home, ".gitconfig"))))


def config_home() -> str:
    """The folder of git's in which XDG keeps the person's settings."""
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")


def how_to_compare(settings: str) -> list[str]:
    """Options for git: how it is to compare files, as these settings say."""
    values = {(name or eol).lower(): value or ending for name, value, eol, ending in re.findall(COMPARING, settings)}
    return [word for name, value in values.items() for word in ("-c", f"core.{name}={value}")]


def ignore_files(settings: str, common: str) -> list[str]:
    """The files beside .gitignore that say which files are ignored, those that are there."""
    named = re.findall(IGNORED_BY_PERSON, settings)[-1:] or [os.path.join(config_home(), "ignore")]
    paths = [os.path.expanduser(named[0].strip()), os.path.join(common, "info", "exclude")]
    return [path for path in paths if os.path.isabs(path) and "\0" not in path and os.path.isfile(path)]


def upstream_of(branch: str, settings: str) -> tuple[str, str]:
    """The upstream's name and ref, by the repository's settings; both empty where the branch has none.

    A remote's branches are looked for where `git clone` and `git remote add` put them.
    """
    section = values_below(f'[branch "{branch}"]', settings)
    remote, merge = section.get("remote", ""), section.get("merge", "").partition("refs/heads/")[2]
    if not (merge and re.fullmatch(r"[\w./-]{1,200}", remote)):  # else it is an address, which has no ref here
        return "", ""
    return (merge, f"refs/heads/{merge}") if remote == "." else (f"{remote}/{merge}", f"refs/remotes/{remote}/{merge}")


def names_no_remote(settings: str) -> bool:
    """Whether the repository's settings, which can be read, surely name no remote, nor other files that might."""
    words = settings.lower()
    return bool(words) and "[remote" not in words and "[include" not in words


def values_below(heading: str, settings: str) -> dict[str, str]:
    """What stands below the heading, wherever it stands, by its name in small letters."""
    values: dict[str, str] = {}
    is_below = False
    for line in map(str.strip, settings.split("\n")):
        name, _, value = line.partition("=")
        if line.startswith("["):
            is_below = line == heading
        elif is_below:
            values[name.strip().lower()] = value.strip().strip('"')
    return values


# ==================================================================================================
# machine/repository.py: The repository that a folder is in: its branch, commit and working tree, read from .git; git itself is not started.
# ==================================================================================================

GIT_LINE_MAX_BYTES = 4_096  # of HEAD, a ref, commondir, a .git that is a file
PACKED_REFS_MAX_BYTES = 16 << 20
BRANCHES_LOOKED_AT_MAX, BRANCHES_MAX = 2_000, 12  # files below refs/heads; those that are read
SYMREFS_MAX = 5  # refs that name another ref, one after the other; git stops there too
REF_OF_REFTABLE = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable


def repository(folder: str) -> RepositoryState:
    """Branch, commit and working tree of the folder's repository; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is handed on as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))  # only a linked worktree has it: its refs are elsewhere
    ref, commit = ref_and_commit(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == REF_OF_REFTABLE else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        above = os.path.dirname(top)
        if above == top:
            return "", ""
        top = above
    git = os.path.join(top, ".git")
    elsewhere = first_line(git).partition("gitdir: ")[2]  # in a linked worktree or a submodule .git is a file
    return top, os.path.join(top, elsewhere or git)


def ref_and_commit(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS_MAX):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed_commit(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def project_top(folder: str) -> str:
    """The top folder of the project that the folder is in: of a repository's worktrees the first one's, or itself.

    A worktree counts as one where its repository names it, too. A repository of the person's whole home is no project.
    """
    top, git = git_folder(folder)
    if not git or os.path.realpath(top) == os.path.realpath(os.path.expanduser("~")):
        return folder
    common = os.path.normpath(os.path.join(git, first_line(os.path.join(git, "commondir"))))
    worktree = os.path.join(git, first_line(os.path.join(git, "gitdir")))  # as a linked one's folder names it
    if common == os.path.normpath(git) or os.path.realpath(worktree) != os.path.realpath(os.path.join(top, ".git")):
        return os.path.realpath(top)
    is_beside_files = os.path.basename(common) == ".git"  # else the repository has worktrees alone
    return os.path.realpath(os.path.dirname(common) if is_beside_files else common)


def project_folders(folder: str) -> tuple[str, str]:
    """The folders whose pins hold in a session of this one: itself, as older pins name it, and its project's top."""
    return folder, project_top(folder)


def branches_since(git: str, start: float) -> dict[str, str]:
    """The commit of each branch whose ref was written since the start, by the branch's name, the newest first.

    Of a branch whose ref git has packed since nothing is known. `git` is the folder that the worktrees share.
    """
    if "\0" in git:
        return {}
    top = os.path.join(git, "refs", "heads")
    paths = (os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files)
    written = [(time_of_change(path), path) for path in islice(paths, BRANCHES_LOOKED_AT_MAX)]
    branches = [os.path.relpath(path, top).replace(os.sep, "/")
                for changed, path in sorted(written, reverse=True) if changed >= start]
    commits = {branch: ref_and_commit(git, f"ref: refs/heads/{branch}")[1] for branch in branches[:BRANCHES_MAX]}
    return {branch: commit for branch, commit in commits.items() if commit}


def packed_commit(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when the ref is not there."""
    text = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES)
    before, name, _ = text.partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if name else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


# ==================================================================================================
# machine/git_now.py: The repository as it is now: what stands in .git, and what git says within the time that the caller gives it.
# ==================================================================================================

FILTER_SECONDS = 0.05  # of the budget, kept for the second look at what is modified
REF_NAME_MAX_UTF16, ROOT_MAX_UTF16 = 120, 400
HASH_DIGITS = 7
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the name of a tree without files; git knows it anywhere
STASHES_MAX_BYTES = 64 << 10  # of the list of stashes, a line each
BEGUN = (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"))


def git_now(folder: str, since: str, budget_seconds: float) -> GitNow:
    """The folder's repository as it is now; empty outside of one.

    `since` is an ISO time: commits made after its second, of which git knows no parts, are listed. What stands in .git
    is told always; git itself is asked within the budget, where there is a git outside of the repository and hashes are
    SHA-1's. On Windows it is not. Paths are as seen from the folder.
    """
    until = time.monotonic() + budget_seconds
    state = repository(folder)
    if not state:
        return {}
    top, git = git_folder(folder)
    common = os.path.join(git, first_line(os.path.join(git, "commondir")))
    settings = git_settings_text(os.path.join(common, "config"))
    now = state_in_folder(state, top, git, common, settings)
    now["since"], now["folder"] = since, quote(folder, ROOT_MAX_UTF16)
    head = EMPTY_TREE if now.get("is_without_commit") else state["head"]
    program = git_program(top) if len(head) == len(EMPTY_TREE) else ""
    environment = git_environment(top, git, common) if program else {}
    others = {} if not moment(since) else {
        commit: quote(branch, REF_NAME_MAX_UTF16) for branch, commit in branches_since(common, moment(since)).items()
        if len(commit) == len(EMPTY_TREE) and branch != state["branch"]}
    answers: dict[str, bytes | None] = {}
    if environment:
        person = person_settings()
        _, ref = upstream_of(state["branch"], settings)
        command = [program, "--no-pager", "-C", top, *how_to_compare(f"{person}\n{settings}")]
        queries = questions(head, ref_and_commit(common, f"ref: {ref}")[1], since, ignore_files(person, common))
        if others and "commits" in queries:
            queries[OTHER_BRANCHES] = [*commits_since(since, "%h%x09%S%x09%s"), *others, f"^{head}"]
        answers = answers_of_git(command, environment, queries, until)
    now.update(what_answers_tell(answers, "" if folder == top else os.path.relpath(folder, top), others))
    if None in answers.values() and time.monotonic() > until - FILTER_SECONDS:
        now["is_late"] = True
    now["is_complete"] = bool(answers) and is_whole(answers) and not unjudged(answers)
    return now


# --- what stands in .git ---


def state_in_folder(state: RepositoryState, top: str, git: str, common: str, settings: str) -> GitNow:
    """What is told of the repository without git: its root, branch and commit, what was begun in it, its stashes."""
    stashes = beginning(os.path.join(common, "logs", "refs", "stash"), STASHES_MAX_BYTES).count(b"\n")
    now: GitNow = {"root": quote(top, ROOT_MAX_UTF16), "in_progress": in_progress(git), "stashes": stashes}
    if state["branch"] or state["head"]:  # else git keeps its refs in a form that is not read
        now["branch"], now["head"] = quote(state["branch"], REF_NAME_MAX_UTF16), state["head"][:HASH_DIGITS]
    if state["branch"]:
        now["upstream"] = quote(upstream_of(state["branch"], settings)[0], REF_NAME_MAX_UTF16)
    if names_no_remote(settings):
        now["is_without_remote"] = True
    if not state["head"] and has_no_commit(state, common):
        now["is_without_commit"] = True
    return now


def has_no_commit(state: RepositoryState, common: str) -> bool:
    """Whether the branch is surely without a commit: nothing stands where its ref would, readable or not."""
    ref = os.path.join(common, "refs", "heads", state["branch"])
    is_packed_read = size_of(os.path.join(common, "packed-refs")) <= PACKED_REFS_MAX_BYTES
    return bool(state["branch"]) and not os.path.lexists(ref) and is_packed_read


def in_progress(git: str) -> str:
    """The merge, rebase or the like that was begun and has not ended: "rebase of topic, step 2 of 5"; else empty."""
    for folder, now, last in (("rebase-merge", "msgnum", "end"), ("rebase-apply", "next", "last")):
        path = os.path.join(git, folder)
        if os.path.isdir(path):
            name = first_line(os.path.join(path, "head-name")).partition("refs/heads/")[2]
            step, steps = (first_line(os.path.join(path, file)) for file in (now, last))
            what = "am" if os.path.lexists(os.path.join(path, "applying")) else "rebase"
            of_branch = f" of {quote(name, REF_NAME_MAX_UTF16)}" if name else ""
            return what + of_branch + (f", step {step} of {steps}" if (step + steps).isdecimal() else "")
    for file, what in BEGUN:
        commit = first_line(os.path.join(git, file))
        if re.fullmatch("[0-9a-f]{40,64}", commit):
            return f"{what} of {commit[:HASH_DIGITS]}"
    begun_on = first_line(os.path.join(git, "BISECT_START"))
    return f"bisect begun on {quote(begun_on, REF_NAME_MAX_UTF16)}" if begun_on else ""


# --- what git says ---


def answers_of_git(command: list[str], environment: Mapping[str, str], queries: Mapping[str, Sequence[str]],
                   until: float) -> dict[str, bytes | None]:
    """What git prints for each question, None where it did not in time.

    `command` are git's path and options. The answer "filters" says which of the modified paths have a filter.
    """
    outputs = outputs_of([[*command, *words] for words in queries.values()], environment, b"",
                         until - FILTER_SECONDS, ANSWER_MAX_BYTES)
    answers = dict(zip(queries, outputs))
    if modified := answers.get("modified"):
        paths = b"".join(path + b"\0" for path in paths_of(modified))
        check = [*command, "check-attr", "-z", "--stdin", "filter"]
        filters = outputs_of([check], environment, paths, until, FILTERS_MAX_BYTES)
        answers["filters"] = filters[0] if len(paths) <= INPUT_MAX_BYTES else None
    return answers


def questions(head: str, upstream: str, since: str, ignored: Sequence[str]) -> dict[str, list[str]]:
    """Git's words for each question, by the name of what they tell. None of these commands writes anything."""
    listed = ["ls-files", "-z"]
    queries = {
        "staged": ["diff-index", "-z", "--cached", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv",
                   "--ignore-submodules=dirty", head],  # of a submodule the commit alone
        "modified": [*listed, "-t", "--modified", "--deleted"],
        "untracked": [*listed, "--others", "--directory", "--no-empty-directory", "--exclude-per-directory=.gitignore",
                      *(f"--exclude-from={path}" for path in ignored)]}
    if moment(since) and head != EMPTY_TREE:
        queries["commits"] = [*commits_since(since, "%h%x09%s"), head]
    if upstream and head != EMPTY_TREE:
        queries["counts"] = ["rev-list", "--left-right", "--count", f"{head}...{upstream}"]
    return queries


def commits_since(since: str, form: str) -> list[str]:
    """Git's words that ask for commits since the session began, in that form; those to begin at stand behind."""
    return ["log", "-z", f"--format={form}", "--no-show-signature", "--no-patch", f"--max-age={moment(since) + 1}",
            f"--max-count={COMMITS_MAX + 1}"]


# ==================================================================================================
# record/commands/programs.py: Which program is of which kind, by its name: here a new one is taught first.
# ==================================================================================================

CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber cucumber-js karma jasmine prove busted newman testcafe uvu ginkgo robot elm-test wtr "
            "web-test-runner",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit prek lint-staged knip cspell markdownlint xo tslint revive solhint slither "
            "py_compile compileall",
    "format": "prettier black gofmt goimports gofumpt rustfmt isort dprint clang-format stylua shfmt swiftformat",
    "build": "webpack rollup esbuild tsup msbuild gcc g++ cc c++ clang clang++ javac rustc kotlinc swiftc "
             "parcel hugo electron-builder solc latexmk pdflatex xelatex lualatex",
}
CHECKING_SUBCOMMANDS = {  # program and subcommand, or two of them; a dash begins an option that makes it one
    "test": "go:test cargo:test cargo:t cargo:nextest swift:test flutter:test flutter:drive dart:test mix:test "
            "deno:test bun:test dotnet:test zig:test node:--test playwright:test cypress:run "
            "rails:test artisan:test manage.py:test bazel:test dune:test dune:runtest dune:build:@runtest stack:test "
            "cabal:test lein:test bb:test gleam:test forge:test hardhat:test bin/rails:test react-scripts:test ng:test "
            "zig:build:test pio:test platformio:test crystal:spec rebar3:eunit rebar3:ct R:CMD:check truffle:test "
            "anchor:test scarb:test wasm-pack:test dbt:test",
    "types": "cargo:check cargo:c deno:check mix:dialyzer astro:check nuxi:typecheck",
    "lint": "go:vet cargo:clippy ruff:check biome:lint biome:check biome:ci deno:lint flutter:analyze dart:analyze "
            "mix:credo terraform:validate tofu:validate helm:lint next:lint ng:lint buf:lint cargo:deny "
            "sqlfluff:lint",
    "format": "go:fmt cargo:fmt ruff:format biome:format deno:fmt dart:format mix:format terraform:fmt tofu:fmt "
              "dotnet:format",
    "build": "go:build go:install go:generate cargo:build cargo:b cargo:doc swift:build flutter:build dart:compile "
             "mix:compile bun:build dotnet:build dotnet:publish dotnet:msbuild zig:build "
             "docker:build docker:buildx podman:build bazel:build vite:build next:build astro:build "
             "nuxt:build ng:build react-scripts:build tauri:build mkdocs:build packer:build stack:build cabal:build "
             "dune:build gleam:build forge:build wails:build meson:compile hardhat:compile truffle:compile "
             "anchor:build scarb:build wasm-pack:build sam:build eas:build trunk:build zola:build jekyll:build "
             "gatsby:build vitepress:build docusaurus:build typst:compile dbt:build dbt:compile docker-compose:build",
}
# Of an interpreter, as its first option: it reads the file and runs nothing of it.
SYNTAX_CHECKS = ("node -c", "node --check", "bash -n", "sh -n", "zsh -n", "php -l", "ruby -c")
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc",
    "py_compile", *SYNTAX_CHECKS))
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "prek": "pre-commit", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
SHELLS = ("bash", "sh", "zsh")
INTERPRETERS = r"python[\d.]*|node|ruby|perl|php|tsx|ts-node"  # of a script that their first word names
PROGRAMS_OF_CODE = ("Rscript", "R", "julia")
# What stands behind a pipe, by what it lets through: a part of the rows, those with a word, all.
CUTTING = ("head", "tail")
WRAPPERS = ("time", "command", "exec", "env", "nice", "nohup", "setsid", "uvx", "cross-env", "rtk")
# A container's options and name; of a detached run its program is `-d`: exit 0 says there that it began.
ATTACHED = r"(?: -(?!\w*d\b|-detach)\S+)*(?: \w[\w.-]*|(?= -))"
SUDO_OPTIONS = r"(?: -[CDghpRrTtUu] \S+| --(?:user|group|chdir|host)[ =]\S+| -[\w-]+)*"  # `sudo -u deploy make`
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(WRAPPERS, ""), "nice": r"(?: -n ?-?\d+| -\d+)?",
    "sudo": SUDO_OPTIONS, "caffeinate": r"(?: -\w+)?",
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": rf" (?:exec|run){ATTACHED}",
    **dict.fromkeys(("docker", "podman"), rf" (?:compose (?:exec|run)|exec){ATTACHED}"),
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}


# ==================================================================================================
# text/paths.py: Paths, whatever system they come from: in one form, whole or not, below a folder, the same file.
# ==================================================================================================

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
ON_DRIVE = r"(?:([A-Za-z]):|(?:/mnt)?/([A-Za-z]))(?=/|\Z)"  # also as Git's shell and WSL write it
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
HOME_FOLDER = r"(?:[A-Za-z]:)?/(?:root|home/[^/]+|[Uu]sers/[^/]+)/"  # of a person, as the paths below it begin


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(PARTED_BY_BACKSLASHES, path) else path


def with_drive(path: str) -> str:
    """The path; of Windows with its drive in one spelling: `C:/Users` of `c:\\Users`, `/c/Users` and `/mnt/c/Users`.

    Tests that passed in the one stood beside a failure of theirs in the other, which was told as open.
    """
    path = with_slashes(path)
    if path[1:2] != ":" and path[2:3] not in ("/", "") and not path.startswith("/mnt/"):
        return path  # most: a pattern on each took a tenth of a restore
    drive = re.match(ON_DRIVE, path)
    return f"{(drive[1] or drive[2]).upper()}:{path[drive.end():] or '/'}" if drive else path


@lru_cache(maxsize=4_096)  # the same paths and folders are compared again and again
def as_compared(path: str) -> str:
    """The path as two are compared: of Windows with its drive in one spelling, in small letters."""
    spelled = with_drive(path)
    return spelled.lower() if spelled[1:2] == ":" and re.match(DRIVE, spelled) else spelled


def with_end_slash(folder: str) -> str:
    """The folder with a slash at its end, as the paths below it begin; empty where it is not known."""
    return folder.rstrip("/") + "/" if folder else ""


def is_whole_path(path: str) -> bool:
    """Whether the path begins at the top of its disk, or at a person's own folder."""
    return path.startswith(("/", "~")) or re.match(DRIVE, path) is not None


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, or is it; one that is not whole does, and any where the root is empty."""
    path = with_home(path, root)
    return not is_whole_path(path) or is_at_or_below(path, root)


def with_home(path: str, root: str) -> str:
    """The path, of one that begins with `~` the whole one: in the home in which the root lies, else in this user's.

    A transcript may be of another machine, or of another user's session.
    """
    if path != "~" and not path.startswith("~/"):
        return path
    home = re.match(HOME_FOLDER, with_end_slash(root))
    return f"{home[0]}{path[2:]}".rstrip("/") if home else os.path.expanduser(path)


def is_at_or_below(path: str, folder: str) -> bool:
    """Whether a path, by its letters alone, is the folder or lies below it; any is where the folder is empty."""
    return f"{as_compared(path)}/".startswith(with_end_slash(as_compared(folder)))


def whole_path(path: str, folder: str) -> str:
    """The path as a whole one, seen from the folder; its drive in one spelling."""
    path = with_slashes(path)
    return with_drive(posixpath.normpath(path if is_whole_path(path) else with_end_slash(with_slashes(folder)) + path))


def ends_in(path: str, end: str) -> bool:
    """Whether the path, seen from some folder, is the one at its end."""
    return f"/{path}".endswith(f"/{end}")


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = as_compared(path.removeprefix("./")), as_compared(other.removeprefix("./"))
    if ":" in path[1:2] + other[1:2]:
        path, other = path.lower(), other.lower()
    return ends_in(path, other) or ends_in(other, path)


# ==================================================================================================
# record/commands/shell.py: A command line in the shell's language: its commands, their words, the program that each starts.
# ==================================================================================================

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX = 200  # of a line the first commands
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}(?P<quote>[\"']?)(?P<word>\w{1,40})(?P=quote)"
END_OF_DOCUMENT = r"(?m)\n[ \t]*%s(?=[ \t]*(?:$|[)\"'`;|&]))"
USUAL_END = r"[A-Z][A-Z0-9_]{1,39}"  # of a document, as people write it: `1 << n` has none
QUOTED_TEXT = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
SHELL_SIGNS = (
    rf"\\.|{QUOTED_TEXT}|\$\([^()\n]{{0,300}}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])(?<!= )&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})"
ASSIGNED_IN_POWERSHELL = r"\$\w{1,60}\s{0,3}=\s{0,3}(?:& ?)?(?=[A-Za-z.])"  # what a program printed
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
PIPES = ("|", "|&")
NEGATION = "! "  # before a command: the exit code says the opposite
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
SIGNS_OF_NEXT_LIST = (";", "\n", "&")  # before a list of commands that does not wait for what stands before it
CHANGING_FOLDER, FOLDER_OPTIONS = ("cd", "Set-Location"), ("-Path", "-LiteralPath")
FOLDER_BEFORE = "-"  # of `cd -`
HOME_SIGN = "~"
FILLED_IN = r"[$`*?{}]"  # in a name: the shell makes another of it
UNNAMED_FOLDER = rf"{FILLED_IN}|~|^-"  # nobody knows what `..` behind it is


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    pieces = [(text.strip(AROUND_PIECE), sign) for text, sign in split_at_signs(command) if is_command_text(text)]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):  # only nothing or a comment stands behind it
        pieces[-1] = (pieces[-1][0], "")
    return pieces


def split_at_signs(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, as they stand there, each with the sign behind it.

    Of what is given to a shell as a text, those of that text, as if it stood in brackets.
    """
    split = split_as_given(command)
    if not holds_any(command, SIGNS_OF_TEXT_FOR_SHELL):
        return split
    return [inner for text, sign in split for inner in split_within(text, sign)]


def split_within(text: str, sign: str) -> list[tuple[str, str]]:
    """The texts between the signs of a text that is given to a shell, the last with this sign; else the text alone."""
    piece = text.strip(AROUND_PIECE)
    given = re.match(TEXT_FOR_SHELL, program_part(piece)) if holds_any(piece, SIGNS_OF_TEXT_FOR_SHELL) else None
    if not given:
        return [(text, sign)]
    before, _, behind = text.partition(piece)
    inner = given["text"][1:-1]
    inner = re.sub(r"\\([\"$`\\])", r"\1", inner) if given["text"].startswith('"') else inner
    split = split_as_given(f"{before}({inner}){behind}")
    return [*split[:-1], (split[-1][0], sign)]


def split_as_given(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, whatever is given to a shell in them."""
    text = parted_from_texts(command[:COMMAND_MAX_CHARACTERS])[0].replace("\\\n", " ")
    split, begin = list[tuple[str, str]](), 0
    if any(sign in text for sign in "&|;\n"):
        for match in re.finditer(SHELL_SIGNS, text):
            if match["sign"]:
                split.append((text[begin:match.start()], match["sign"]))
                begin = match.end()
    return [*split, (text[begin:], "")]


def is_command_text(text: str) -> bool:
    """Whether a text between two signs is a command: no comment, and not only what groups commands."""
    text = text.strip(AROUND_PIECE)
    return bool(text) and not text.startswith("#")


def parted_from_texts(command: str) -> tuple[str, list[str]]:
    """The command without the texts that it feeds to programs, and these texts.

    One whose end went with the middle of a long command takes all that is left. A report on work had stood as a test,
    as one row of it was `python test_rates.py`.
    """
    texts, offset = list[str](), command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if offset < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, offset)
        line_end = command.find("\n", begin.end()) if begin else -1
        if begin and line_end >= 0:
            end = re.compile(END_OF_DOCUMENT % begin["word"]).search(command, line_end)
            is_cut = MIDDLE_GONE in command[line_end:] or is_cut_text(command)
            is_open = not end and is_cut and re.fullmatch(USUAL_END, begin["word"])
            if end or is_open:
                texts.append(command[line_end + 1:end.start() if end else None])
                rest = command[end.end():] if end else ""
                command = command[:offset] + command[begin.end():line_end] + rest
        offset = command.find("<<", offset + 1)
    return command, texts


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
            continue
        before = before_program(piece)
        if not before:
            return piece
        piece = piece[before.end():]


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    assignment = re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece) if "=" in word else None
    assignment = re.match(ASSIGNED_IN_POWERSHELL, piece) if word[:1] == "$" else assignment
    if assignment:
        return assignment
    folder, slash, name = word.rpartition("/")
    if name.startswith("python"):  # a virtual environment's has its folder before it
        word = name.rstrip("0123456789.")
    if word not in BEFORE_PROGRAM:
        return None
    return re.match(rf"{re.escape(folder + slash)}{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece)


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def program_in(piece: str) -> str:
    """The program that one command of a line starts, without its folder."""
    return program_of(shell_words(piece))


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, is_file = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            is_file = word.endswith(">")  # the next word
        elif is_file:
            is_file = False
        else:
            kept.append(word)
    return kept


def commands_in_folders(command: str, folder: str = "") -> list[tuple[str, str]]:
    """The commands of a line, as `pieces_of` has them, each with the folder that it runs in; `folder`: of the first.

    A folder is as seen from there, or whole; "-" where nobody knows what `cd -` goes back to. A `cd` counts for what
    stands behind it in the same shell: not outside of its `( … )`, not behind its pipe, and not behind the `&` that
    puts it into the background. `cd a || cd b`: the second goes from where the first did not come away.
    """
    if not holds_any(command, CHANGING_FOLDER):
        return [(piece, folder) for piece, _ in pieces_of(command)]
    commands: list[tuple[str, str]] = []
    before, at_begin = FOLDER_BEFORE, (folder, FOLDER_BEFORE)  # where `cd -` goes; where the list of commands began
    shells: list[tuple[str, str, tuple[str, str]]] = []  # around this one
    is_behind_failed_cd = False
    for text, sign in split_at_signs(command):
        opened, closed = subshells_in(text)
        shells += [(folder, before, at_begin)] * opened
        at_begin = (folder, before) if opened else at_begin
        goal = ""
        if is_command_text(text):
            piece = text.strip(AROUND_PIECE)
            commands.append((piece, folder))
            goal = folder_of_cd(without_redirections(shell_words(piece)))
        if goal and sign not in PIPES:
            start = before if is_behind_failed_cd else folder
            folder, before = (before if goal == FOLDER_BEFORE else folder_from(start, goal)), start
        is_behind_failed_cd = bool(goal) and sign == "||"
        for _ in range(min(closed, len(shells))):
            folder, before, at_begin = shells.pop()
        if sign == "&":
            folder, before = at_begin
        if sign in SIGNS_OF_NEXT_LIST:
            at_begin = (folder, before)
    return commands[:PIECES_MAX]


def subshells_in(text: str) -> tuple[int, int]:
    """How many subshells begin with a text between two signs, and how many end with it."""
    if "(" not in text and ")" not in text:
        return 0, 0
    rest = text.lstrip("( \t\n")
    opened = text[:len(text) - len(rest)].count("(")
    rest = re.sub(QUOTED_TEXT, "", rest)
    return opened, max(0, rest.count(")") - rest.count("("))


def folder_of_cd(words: Sequence[str]) -> str:
    """The folder that a `cd` with these words goes to; empty where they are another command, or not one folder.

    Of PowerShell's too: what had run in `Set-Location api` stood for the same check in the folder above.
    """
    if words[:1] == ["Set-Location"]:
        words = ["cd", *(word.replace("\\", "/") for word in words[1:] if word not in FOLDER_OPTIONS)]
    if words[:1] != ["cd"] or len(words) > 2:
        return ""
    return with_slashes(words[1].strip("\"'")) if len(words) == 2 else HOME_SIGN


def folder_from(folder: str, goal: str) -> str:
    """The folder that a `cd` to this goal comes to from a folder; empty for the folder that the line began in."""
    path = goal if is_whole_path(goal) or goal.startswith(("$", "`")) else posixpath.join(folder, goal)
    path = path if re.search(UNNAMED_FOLDER, path) else posixpath.normpath(path)
    return "" if path == "." else path


# ==================================================================================================
# record/commands/check_programs.py: Whether a command is a check, by its words: a test, a build, a linter, a type check, a formatter.
# ==================================================================================================

ANY_CHECK = "check"  # of a task like `check` or `verify`: it may test, or look at types or style alone
MAY_TEST = ("test", ANY_CHECK)
CHECK_FAMILIES = ("test", ANY_CHECK, "build", "types", "lint", "format")  # those that tell most first
TASK_WORDS = {
    "test": "test tests spec specs e2e integration unit coverage unittest unittests runtests vitest jest pytest "
            "playwright cypress gtest doctest catch2 testthat",
    ANY_CHECK: "check checks ci verify preflight qa",
    "types": "types typecheck type tsc mypy pyright",
    "lint": "lint lints vet analyze analyse eslint clippy ruff",
    "format": "format fmt prettier spotless",
    "build": "build compile assemble package bundle",
}
# Of a script that an interpreter runs. `make_word_with_playwright.py` and `check_missing.py` had "passed": one makes
# pages, the other counts, and had counted wrongly.
WORDS_OF_TEST_SCRIPTS = frozenset("test tests spec specs e2e unittest runtests testthat".split())
TEST_FILE = r"\.(?:test|spec)\."  # in a script's name: `start.test.js` is a test of what starts
# `fetch_failing_ci_tests`, which gets what ran elsewhere, had "passed" while four tests failed there; so had
# `start-test.sh`, which starts what is tested. No task's: `npm run start:test` starts it and tests.
WORDS_OF_OTHER_SCRIPTS = frozenset(  # that such a name begins with
    "start stop restart kill up down serve launch deploy "
    "fetch get list show find count collect download parse print report summarize summarise generate gen make create "
    "write update add copy open watch compare diff convert extract split merge seed setup install debug "
    "analyze analyse".split())  # `analyze_projects.sh`, which counted files, had been a linter that passed
# The code of a test run behind `-e`: of R's devtools, testthat and tinytest, of Julia's packages.
CODE_OF_TESTS = r"(?:devtools::(?:test|check)|testthat::test_\w{2,20}|tinytest::\w{3,20}|Pkg\.test)(?=\()"
CODE_OPTIONS = ("-e", "-E", "--eval")
ALIAS_OF_TESTS = r"-[MXTA][\w:.-]{0,60}:test\b"  # of Clojure's command line
TASKS_OF_SBT = {"test": "test", "testOnly": "test", "testQuick": "test", "compile": "build"}
GTEST_OPTION = "--gtest_"
# A file right in /tmp: `node -c /tmp/heredoc.js` had stood as the project's linter, `rustc /tmp/a.rs` as its build.
OF_TRIAL = r"[\"']?/tmp/[^/\s]+\.(?:rs|c|cc|cpp|py|[cm]?[jt]s|java|go|rb|php|sh)[\"']?$"
OF_CLIENT = r"~/\.claude/|/\.claude/(?:skills|plugins)/"  # a skill's own programs check nothing of the work
EXECUTABLE_PATH = r"[\w./~+-]{1,200}$"  # what else has a slash may be a piece of a script in quotes
NOT_TASKS = frozenset((
    "install i add remove rm uninstall publish update upgrade outdated audit view info init create link dlx start "
    "dev serve clean why list ls config trust use watch settings").split())
OPTIONS_WITH_VALUE = frozenset((
    "-C -f -j -o -c -n -w --filter --prefix --cwd --dir --config --workspace --reporter --rootdir --output -timeout "
    "--timeout -count --count -coverprofile --cov -parallel --maxfail --tb -p:v --format --env --ignore --durations "
    "-l --log-level -s --test-dir --build -G -B -S --target --jobs --workers --retries -v:m --outfile --outDir "
    "--logger -bench -benchtime --ext --max-warnings --output-format --config-file --python-version --line-length "
    "--parser --severity --cache-dir --ignore-path --pythonpath --python-executable --stdin-filename -project "
    "-workspace -scheme -testPlan -destination -configuration -sdk -derivedDataPath -resultBundlePath "
    "-archivePath").split())
MAKE_PROGRAMS = ("make", "gmake")
FLAGS_OF_RUNNERS = {  # of OPTIONS_WITH_VALUE, those that have none for a runner of tasks
    **dict.fromkeys(MAKE_PROGRAMS, "-s -B -n -w -S -c"), **dict.fromkeys(("mvn", "mvnw"), "-B -o -C -c"),
    **dict.fromkeys(("gradle", "gradlew"), "-s -S -w -o -n"), **dict.fromkeys(("npm", "bun"), "-s"),
    **dict.fromkeys(("pnpm", "yarn"), "-s -w"), "composer": "-n"}
DRY_RUNS = {  # options with which a runner only says what it would run
    **dict.fromkeys(MAKE_PROGRAMS, "-n --dry-run --just-print --recon"), "just": "-n --dry-run",
    **dict.fromkeys(("gradle", "gradlew"), "-m --dry-run")}
JOBS = "-j"  # its number may be left out
ASKING_XCODEBUILD = "-(?:list|show|version|export|import|download|resolve)"  # options of calls that build nothing
ASKING_OPTIONS = frozenset((  # of calls that check nothing
    "--version", "--help", "-V", "-version", "-print-targets", "-dumpversion", "--gtest_list_tests", "--list-tests",
    "--list-test-cases", "-ltc"))
COMPILER_OF_MACHINE = r"(?:[\w.]+-)*(gcc|g\+\+|clang|clang\+\+)(?:-\d+)?$"  # `riscv64-elf-gcc`, `clang-18`
HOOK_PROGRAMS = ("pre-commit", "prek", "lint-staged")
WITHOUT_HOOKS = frozenset((  # subcommands of these that run none
    "install uninstall install-hooks prepare-hooks init-templatedir init-template-dir autoupdate auto-update update "
    "clean gc cache list sample-config migrate-config validate-config validate-manifest self util hook-impl "
    "help").split())
SHOWING_HOOKS = frozenset(("--list", "--dry-run"))  # of a run
PREFIXED_SUBCOMMANDS = ("docker", "node", "php")  # other words may stand before their subcommand
WORDS_BEFORE_SUBCOMMAND_MAX = 8
TESTING_TASKS = ("gradle check", "mvn verify")  # of which tests are a part by default
FAMILIES_OF_TARGETS = {"test": "test", "check": ANY_CHECK}
TARGET_OPTIONS_OF_CMAKE = ("--target", "-t")
SCRIPTS_WITH_TASKS = ("manage.py", "artisan", "rails")
NAMED_TASKS_MAX = 6  # that a call names and that are looked at
TASK_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+"  # of `lintFix`, `test:unit`


def runs_no_hook(rest: Sequence[str]) -> bool:
    """Whether a call of a program of hooks with these words runs none: behind `run` words are names of hooks."""
    return not SHOWING_HOOKS.isdisjoint(rest) if "run" in rest else not WITHOUT_HOOKS.isdisjoint(rest)


def check_name(words: Sequence[str]) -> CheckName | None:
    """What the command with these words checks; None: nothing, as far as its words say."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    is_of_client = any(re.search(OF_CLIENT, word) for word in words[:2])
    is_trial = any(re.match(OF_TRIAL, word) for word in rest)
    if not program or is_of_client or is_trial or ASKING_OPTIONS & {*rest}:
        return None
    compiler = re.match(COMPILER_OF_MACHINE, program) if "-" in program else None
    program = compiler[1] if compiler else program
    family = families_by_program().get(program, "")
    if family and not (program in HOOK_PROGRAMS and runs_no_hook(rest)):
        return named_check(family, program)
    if program in CHECKS_OF_OWN_FORM:
        return CHECKS_OF_OWN_FORM[program](rest)
    syntax = " ".join((program, *rest[:1]))
    if syntax in SYNTAX_CHECKS:
        return named_check("lint", syntax)
    by_subcommand = subcommand_check(program, rest)
    if by_subcommand:
        return by_subcommand
    return task_check(program, rest) if program in TASK_RUNNERS else script_check(program, words, rest)


def named_check(family: str, name: str) -> CheckName:
    """A check whose program is known by name, so that its output is."""
    return {"family": family, "name": name, "runner": RUNNER_OF_NAME.get(name, name)}


def subcommand_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a program's subcommand is, or an option that makes it one."""
    for index, word in enumerate(words[:WORDS_BEFORE_SUBCOMMAND_MAX]):
        following = next((later for later in words[index + 1:] if not later.startswith("-")), "")
        family = families_by_program().get(f"{program}:{word}:{following}", "")
        if family:
            return named_check(family, f"{program} {word} {following}")
        family = families_by_program().get(f"{program}:{word}", "")
        if family:
            return named_check(family, f"{program} {word}" if word[:1].isalpha() else program)
        if not word.startswith(("-", "+", "@")) and program not in PREFIXED_SUBCOMMANDS:
            break
    return None


def xcodebuild_check(words: Sequence[str]) -> CheckName | None:
    """Of Xcode's builder by its actions, which may stand anywhere; it builds where a scheme is named and no action."""
    if any(re.match(ASKING_XCODEBUILD, word) for word in words):
        return None
    if {"test", "test-without-building"} & {*words}:
        return named_check("test", "xcodebuild test")
    if "archive" in words:
        return named_check("build", "xcodebuild archive")
    is_build = bool({"build", "build-for-testing"} & {*words}) or ("-scheme" in words and "clean" not in words)
    return named_check("build", "xcodebuild build") if is_build else None


def sbt_check(words: Sequence[str]) -> CheckName | None:
    """Of Scala's builder by its tasks: `core/test`, `"testOnly CentsSpec"`, `";clean;test"`."""
    commands = [command.split() for word in words for command in word.strip("\"'").split(";")]
    tasks = [command[0].rpartition("/")[2] for command in commands if command]
    families = {TASKS_OF_SBT[task] for task in tasks if task in TASKS_OF_SBT}
    if "test" in families:
        return named_check("test", "sbt test")
    return named_check("build", "sbt compile") if families else None


def clojure_check(words: Sequence[str]) -> CheckName | None:
    """Of Clojure's command line by the alias that it runs: `-M:test`, `-X:dev:test`."""
    alias = next((word for word in words if re.match(ALIAS_OF_TESTS, word)), "")
    return named_check("test", f"clojure {alias}") if alias else None


def ninja_check(words: Sequence[str]) -> CheckName | None:
    """Of ninja by the targets that it makes."""
    is_asking = bool({"-n", "-t"} & {*words})
    return None if is_asking else check_of_targets("ninja", tasks_in("ninja", words))


def cmake_check(words: Sequence[str]) -> CheckName | None:
    """Of CMake's builder by the targets behind `--target`."""
    if "--build" not in words:
        return None
    behind = [*dropwhile(lambda word: word not in TARGET_OPTIONS_OF_CMAKE, words)][1:]
    return check_of_targets("cmake", [*takewhile(lambda word: not word.startswith("-"), behind)])


def check_of_targets(program: str, targets: Sequence[str]) -> CheckName:
    """The check that building these targets is: `test` and `check` run what was built, `test_rates` is only built."""
    target = next((target for target in targets if target in FAMILIES_OF_TARGETS), "")
    if not target:
        return named_check("build", program)
    return {"family": FAMILIES_OF_TARGETS[target], "name": f"{program} {target}", "runner": ""}


CHECKS_OF_OWN_FORM = {
    "xcodebuild": xcodebuild_check, "sbt": sbt_check, "clj": clojure_check, "clojure": clojure_check,
    "ninja": ninja_check, "cmake": cmake_check}


@cache
def families_by_program() -> dict[str, str]:
    """Families by program and by program:subcommand."""
    return {word: family for table in (CHECKING_PROGRAMS, CHECKING_SUBCOMMANDS)
            for family, words in table.items() for word in words.split()}


@cache
def families_by_task_word() -> dict[str, str]:
    """Families by the words of a task's or script's name."""
    return {word: family for family, words in TASK_WORDS.items() for word in words.split()}


def task_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that a task is by its name; what it runs is not known."""
    if {*DRY_RUNS.get(program, "").split()} & {*words}:
        return None
    tasks = tasks_in(program, words)
    if tasks[:1] == ["clean"]:  # before others, as in `mvn clean test`
        tasks = tasks[1:] or tasks
    if not tasks:
        return {"family": "build", "name": program, "runner": ""} if program in MAKE_PROGRAMS else None
    if tasks[0] in NOT_TASKS or (program in NODE_MANAGERS and tasks[0] == "ci"):
        return None
    runner = SAME_RUNNERS.get(program, program)
    for task in tasks[:NAMED_TASKS_MAX]:
        parts = re.findall(TASK_WORD, task.replace("type-check", "typecheck"))
        family = family_by_words([part.lower() for part in parts])
        if family == ANY_CHECK and any(f"{runner} {part}" in TESTING_TASKS for part in parts):
            family = "test"
        if family:
            return {"family": family, "name": f"{runner} {task}", "runner": ""}
    makes_all = program in MAKE_PROGRAMS and tasks[0] == "all"
    return {"family": "build", "name": f"{program} all", "runner": ""} if makes_all else None


def family_by_words(words: Sequence[str]) -> str:
    """The family that the words of a name say: of `check-types` what is checked; empty: no check."""
    families = [family for family in map(families_by_task_word().get, words) if family]
    return next((family for family in families if family != ANY_CHECK), ANY_CHECK if families else "")


def tasks_in(program: str, words: Sequence[str]) -> list[str]:
    """The words that name tasks: no options, none of their values, nothing behind `--`."""
    flags = FLAGS_OF_RUNNERS.get(program, "").split()
    tasks, option = list[str](), ""
    for word in words:
        if word == "--":
            break
        if word.startswith("-") or "=" in word:
            has_value = (word in OPTIONS_WITH_VALUE and word not in flags) or (word == "-F" and program == "pnpm")
            option = word if has_value else ""
        elif option and (option != JOBS or word.isdigit()):
            option = ""
        elif re.match(r"[\w.:/@-]{1,80}$", word):
            tasks.append(word)
    return [task for task in tasks if task not in ("run", "run-script", "workspace")] or tasks[:1]


def is_test_executable(name: str, words: Sequence[str]) -> bool:
    """Whether a program of the project's own runs tests, by an option of GoogleTest's or by its name: `RatesTests`."""
    parts = [part.lower() for part in re.findall(TASK_WORD, name)]
    is_called_so = not WORDS_OF_TEST_SCRIPTS.isdisjoint(parts) and parts[0] not in WORDS_OF_OTHER_SCRIPTS
    return is_called_so or any(word.startswith(GTEST_OPTION) for word in words)


def code_check(program: str, words: Sequence[str]) -> CheckName | None:
    """The check that code is which is given on the command line: `Rscript -e 'devtools::test()'`."""
    call = next((match for match in (re.search(CODE_OF_TESTS, word) for word in words) if match), None)
    return {"family": "test", "name": f"{program} {call[0]}", "runner": ""} if call else None


def script_check(program: str, words: Sequence[str], rest: Sequence[str]) -> CheckName | None:
    """The check that a script of the project's own is by its name; an interpreter's only where it is called a test."""
    is_interpreter = program in (*SHELLS, *PROGRAMS_OF_CODE) or re.fullmatch(INTERPRETERS, program) is not None
    if is_interpreter:
        script = next((word for word in rest if not word.startswith("-")), "")
    else:
        script = words[0] if "/" in words[0] else ""
    if program in PROGRAMS_OF_CODE and {*CODE_OPTIONS} & {*rest}:
        return code_check(program, rest)
    if not script or rest[:1] in (["-c"], ["-e"], ["-"]):
        return None
    name = program_of([script])
    if name in SCRIPTS_WITH_TASKS and "test" in rest:
        return {"family": "test", "name": f"{name} test", "runner": ""}
    if not is_interpreter and re.match(EXECUTABLE_PATH, script) and is_test_executable(name, rest):
        return {"family": "test", "name": script, "runner": ""}
    is_shell = not is_interpreter or program in SHELLS
    parts = re.split(r"[._-]", name.lower())
    if parts[0] in WORDS_OF_OTHER_SCRIPTS and not re.search(TEST_FILE, name):
        return None
    family = family_by_words([part for part in parts if is_shell or part in WORDS_OF_TEST_SCRIPTS])
    return {"family": family, "name": script, "runner": ""} if family else None


# ==================================================================================================
# record/commands/check_breadth.py: How much a check looks at: what its options and targets leave out, and whether it is as broad as another one.
# ==================================================================================================

WORDS_MAX = 400  # of a command the first words
LIMITING = frozenset((  # options that leave something out; what follows says what
    "-run --run -k -m -t -g --grep --testNamePattern --testPathPattern --testPathPatterns --filter --tests -p "
    "--package --test -R -L -E --tests-regex -Dtest -e --example --only --shard --project -only-testing --select "
    "--rule --tags --tag -tags --features --lf --last-failed --changed --onlyChanged --since --affected -short --lib "
    "--bin --bins --doc --spec --findRelatedTests --related --deselect --ignore --exclude -exclude --exact "
    "--no-default-features --suite --group --testsuite --plain-name --name "
    "--match-path --match-test --match-contract -skip --skip --stepwise --sw "
    "--gtest_filter -tc -tce -ts -tse -sc -sce -sf -sfe --test-case --test-case-exclude --test-suite "
    "--test-suite-exclude --subcase --source-file --run_test --test-filter --match --folder --filter-tags "
    "-skip-testing").split())
WITHOUT_VALUE = frozenset((  # of these, those without a value
    "--lf --last-failed --changed --onlyChanged --affected -short --lib --bins --doc --exact --no-default-features "
    "--sw --stepwise").split())
NAME_FILTERS = ("-run", "--run", "-t", "-g", "--grep", "--testNamePattern", "--filter", "-E", "-R")  # parts of names
MODES = ("-tags", "--tags", "--features", "--project", "-m ")  # of these, those that check something else, not less
WORDS_ARE_TARGETS_FOR = (  # `mypy src`: no task, no subcommand
    "pytest", "jest", "vitest", "mocha", "bun", "mypy", "pyright", "pylint", "flake8", "ruff", "black", "isort",
    "eslint", "prettier", "stylelint", "cargo test", "cargo nextest", "lein test", "bats", "ava")
# Words that leave something out, of programs that take no other targets: code with something in its brackets;
# `core/test`, `"testOnly A"`.
NARROWING_WORDS = {
    **dict.fromkeys(PROGRAMS_OF_CODE, rf".*{CODE_OF_TESTS}\((?!\))"),
    "sbt": r"[\"']?(?:\S+/test\b|(?:\S+/)?test(?:Only|Quick)\b|project )"}
FILE_FOR_TASK = (  # `mise test src/rates.ts`: a file, where a task's name has no slash and no ending
    r"[\w@+.-][\w./@+-]{0,200}/[\w.@+-]{0,100}\.\w{1,8}$|[\w.-]{1,100}(?:\.(?:test|spec)\.|_test\.)\w{1,8}$")
RUNNERS_WITH_TARGETS = ("bun test", "deno test", "deno lint", "deno check")  # of task runners, those that take paths
NO_TARGETS = ("/dev/null", ".", "./...", "...", "run", "--", "test")  # these words leave nothing out
OWN_OPTIONS = {  # options that leave something out, and mean something else to other programs
    "bats": "-f", "clojure": "-n -v -i", "pio": "-f -i", "platformio": "-f -i", "prove": "--state"}
FOREIGN_OPTIONS = {  # options of LIMITING that mean something else to a program
    "go": "-p -m -k -t -g -E -L -R -e",
    "make": "-k -t -p -e -R -L -m",
    "mypy": "-p",
    "tsc": "-t -m",
    "eslint": "-p",
    "node": "--test",
    "cc": "-g -E -L -m",
    "gcc": "-g -E -L -m",
    "g++": "-g -E -L -m",
    "clang": "-g -E -L -m",
    "pytest": "-p -t -g -R -L -E -e",
    "docker": "-t -m --tag",
    "dotnet": "-m -p -t",
    "esbuild": "-g",
    "gradle": "-p -m -t",
    "mvn": "-e -f -t",
    "cargo": "-k -m -t",
    "swift": "-k",
    "shellcheck": "-e",
    "black": "-t",
    "xcodebuild": "-t",
    "Rscript": "-e",
    "R": "-e",
    "julia": "-e --project",
    "unittest": "-m -t -p",
    "ctest": "-T",
}
HOOKS, ALL_FILES = "pre-commit", "--all-files"  # without that hooks look at what is staged
OF_OTHER_HOOKS = ("--hook-stage", "--stage", "-c", "--config")
SKIPPED_HOOKS = "SKIP="  # before a run: hooks that it leaves out
DULL_WORDS_OF_HOOKS = ("run", "-v", "--verbose", "--show-diff-on-failure")
LIMITS_MAX = 20
PART_FILTER = r"\w{3,200}$"  # a part of names, with nothing in it that a runner reads as a pattern
PARTS_FILTER = r"[\w/|]{1,900}$"  # several of them


def limits_of(name: str, words: Sequence[str]) -> list[str]:
    """What makes the check less than a whole run: options that choose, and the targets that it names."""
    program, task = name.partition(" ")[0], name.rpartition(" ")[2]
    foreign, own = FOREIGN_OPTIONS.get(program, "").split(), OWN_OPTIONS.get(program, "").split()
    rest = without_redirections(words[:WORDS_MAX])[1:]
    limits, is_value, is_behind_dashes = list[str](), False, False
    for word, following in zip(rest, [*rest[1:], ""]):
        if word == "--":
            is_behind_dashes = True
        if is_value:
            is_value = False
        elif word == task:
            continue
        elif word.startswith("-") and word != "--":
            option = word.partition(":" if program == "xcodebuild" else "=")[0]
            if option in own or (option in LIMITING and option not in foreign):
                is_value = option == word and option not in WITHOUT_VALUE and following != ""
                limits.append(f"{word} {following}" if is_value else word)
            else:
                is_value = word in OPTIONS_WITH_VALUE and not following.startswith("-")
        elif name in SYNTAX_CHECKS or (word not in NO_TARGETS and is_target(word, name, is_behind_dashes)):
            limits.append(word)
    return limits[:LIMITS_MAX]


def is_target(word: str, name: str, is_behind_dashes: bool) -> bool:
    """Whether the word names what to check: a path, a test; behind `--` every word does."""
    program = name.partition(" ")[0]
    if program in NARROWING_WORDS:
        return re.match(NARROWING_WORDS[program], word) is not None
    if is_behind_dashes or "::" in word or program == "unittest":
        return True
    if word.rpartition("/")[2] in (program, "manage.py", "artisan") or word.startswith("+"):
        return False
    if program in TASK_RUNNERS and name not in RUNNERS_WITH_TARGETS:
        return re.match(FILE_FOR_TASK, word) is not None
    is_executable = "/" in program and "." not in program.rpartition("/")[2]  # `./build/rates_tests "[slow]"`
    takes_words = is_executable or program in WORDS_ARE_TARGETS_FOR or name in WORDS_ARE_TARGETS_FOR
    return "/" in word or takes_words or re.search(r"\.\w{1,8}$", word) is not None


def covers_check(later: Check, earlier: Check) -> bool:
    """Whether one check is of at least the same breadth as another."""
    return is_same_name(later, earlier) and not are_elsewhere(later, earlier) and covers_all_of(later, earlier)


def covers_all_of(later: Check, earlier: Check) -> bool:
    """Whether one check leaves out nothing that another of its name did not, by their targets and options."""
    if not covers_targets(later, earlier):
        return False
    if build_targets_of(later) != build_targets_of(earlier) or not covers_hooks(later, earlier):
        return False
    options, earlier_options = options_in(later), options_in(earlier)
    modes = {option for option in options if option.startswith(MODES)}
    earlier_modes = {option for option in earlier_options if option.startswith(MODES)}
    if modes != earlier_modes:
        return False
    return all(option in earlier_options or chooses_within(option, earlier_options) for option in options)


def are_elsewhere(check: Check, other: Check) -> bool:
    """Whether the two ran in folders that are known, and are two."""
    folder, other_folder = check["folder"], other["folder"]
    is_apart = folder and other_folder and folder != other_folder  # mostly both are one: asked before they are spelled
    return bool(is_apart) and as_compared(folder) != as_compared(other_folder)


def is_same_name(check: Check, other: Check) -> bool:
    """Whether both are of one name; a script may be called by its whole path once, and from the project's folder."""
    name, other_name = check["name"], other["name"]
    if name == other_name or "/" not in name or "/" not in other_name:
        return name == other_name
    if is_whole_path(name) == is_whole_path(other_name):
        return name.removeprefix("./") == other_name.removeprefix("./")
    whole, seen = (check, other) if is_whole_path(name) else (other, check)
    from_folder = f"{seen['folder'].rstrip('/')}/{seen['name'].removeprefix('./')}"
    return same_file(whole["name"], from_folder.lstrip("/"))


def options_in(check: Check) -> set[str]:
    """The options among the check's limits, each with its value."""
    return {limit for limit in check["limits"] if limit.startswith("-")}


def targets_in(check: Check) -> list[str]:
    """The targets among the check's limits: the files, folders and tests that it names."""
    return [limit for limit in check["limits"] if not limit.startswith("-")]


def covers_targets(later: Check, earlier: Check) -> bool:
    """Whether the targets of one check hold all those of the other; a check that names none looks everywhere."""
    targets, earlier_targets = targets_in(later), targets_in(earlier)
    if not targets:
        return True
    has_folders = not later["name"].startswith("go ")  # ./cmd of Go's is that package alone, ./cmd/... all below
    return bool(earlier_targets) and all(
        any(is_within(target, whole, has_folders) for whole in targets) for target in earlier_targets)


def covers_hooks(later: Check, earlier: Check) -> bool:
    """Whether a run of git's hooks is of all those of another, and of its files; also where they are other checks."""
    if later["runner"] != HOOKS:
        return True
    words, others = words_of_hooks(later), words_of_hooks(earlier)
    options = {word for word in others if word.startswith("-")}
    is_of_all = options.isdisjoint(OF_OTHER_HOOKS) if words == {ALL_FILES} else not (words or options)
    return (words == others or is_of_all) and SKIPPED_HOOKS not in later["typed"]


def words_of_hooks(check: Check) -> set[str]:
    """The words of a run of hooks that choose some of them, or their files."""
    words = {ALL_FILES if word == "-a" else word for word in check["command"].split()[1:]}
    return words - {*DULL_WORDS_OF_HOOKS}


def build_targets_of(check: Check) -> tuple[str, ...]:
    """What a build is of, where its program's options say so: of Xcode's the scheme, and whether a simulator's."""
    if not check["name"].startswith("xcodebuild"):
        return ()
    named = re.findall(r" -(?:scheme|target|testPlan) (\"[^\"]*\"|'[^']*'|\S+)", check["command"])
    targets = tuple(name.strip("\"'") for name in named)
    return (*targets, "Simulator") if "imulator" in check["command"] else targets


def chooses_within(limit: str, earlier: set[str]) -> bool:
    """Whether an option that chooses tests by a part of their names lets through all that one of the earlier did."""
    option, part = option_and_value(limit)
    part = part.strip("\"'")
    if option not in NAME_FILTERS or not re.match(PART_FILTER, part):
        return False
    for other in earlier:
        name, value = option_and_value(other)
        value = value.strip("\"'^$()")
        if name == option and re.match(PARTS_FILTER, value) and all(part in word for word in value.split("|")):
            return True
    return False


def option_and_value(limit: str) -> tuple[str, str]:
    """An option and its value, of `-run TestA` or `--grep=TestA`."""
    option, _, value = limit.replace("=", " ", 1).partition(" ")
    return option, value


def is_within(target: str, whole: str, has_folders: bool) -> bool:
    """Whether the target of a check is the other, or a part of it."""
    target = target.strip("\"'").removeprefix("./")
    whole = whole.strip("\"'").removeprefix("./").rstrip("/")
    if whole.endswith("/..."):
        return f"{target.removesuffix('/...')}/".startswith(whole[:-3])
    if target.rstrip("/") == whole:
        return True
    return has_folders and target.startswith((f"{whole}/", f"{whole}::", f"{whole}["))


# ==================================================================================================
# record/commands/written_files.py: The files of the project that a shell command wrote: by `> file`, by `tee file`, by `sed -i`.
# ==================================================================================================

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
TEE_OPTION = "-"


def names_filled(piece: str, words: list[str]) -> Iterator[str]:
    """The names behind `>` outside of quoted text, and those that `tee` is given."""
    if ">" in piece:
        blanked = re.sub(QUOTED_TEXT, lambda match: match[0] if ">" not in match[0] else "x" * len(match[0]), piece)
        yield from (name.strip("\"'") for name in re.findall(REDIRECTION, blanked))
    if program_of(words) == "tee":
        yield from (word.strip("\"'") for word in words[1:] if not word.startswith(TEE_OPTION) and ">" not in word)


# ==================================================================================================
# record/commands/checks_in_line.py: What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or another kind.
# ==================================================================================================

LOOP_WORDS = ("for", "while", "until", "if")


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order.

    A script that the line itself writes is none, whatever it is called: `/tmp/test-x.sh`, which set something up, had
    stood as a test that passed.
    """
    pieces = pieces_of(command)
    in_loop = has_loop(pieces)
    checks: list[Check] = []
    written = set[str]()
    for index, (piece, folder) in enumerate(commands_in_folders(command)):
        words = shell_words(piece)
        written |= {folder_from(folder, name) for name in names_filled(piece, words)}
        named = check_name(words)
        if not named or folder_from(folder, named["name"]) in written:
            continue
        filters = filters_behind(pieces, index)
        signs_behind = [sign for _, sign in pieces[index + len(filters):]]
        is_exit_hidden = in_loop or piece.startswith(NEGATION) or (filters and "pipefail" not in command)
        runs_on = signs_behind[0] == "&" or (piece.startswith("nohup ") and "&" in signs_behind)
        checks.append({
            **named,
            "command": " ".join(without_redirections(words)),
            "typed": piece,
            "index": index,
            "folder": folder,
            "limits": limits_of(named["name"], words),
            "filters": filters,
            "shows_exit": not is_exit_hidden and passes_exit_on(signs_behind),
            "in_background": runs_on})
    return checks


def has_loop(pieces: Sequence[tuple[str, str]]) -> bool:
    """Whether one of the line's commands begins a loop or a condition: how often what stands in it ran nobody knows."""
    return any(piece.split(" ", 1)[0] in LOOP_WORDS for piece, _ in pieces)


def passes_exit_on(signs_behind: Sequence[str]) -> bool:
    """Whether a line can only end with exit code 0 where the command before these signs did.

    That is so at the line's end, and where every later command waits by && for the one before it; pipes of later
    commands do not matter.
    """
    if signs_behind[0] not in ("", "&&"):
        return False
    return all(sign in ("", "&&", *PIPES) for sign in signs_behind)


def filters_behind(pieces: Sequence[tuple[str, str]], index: int) -> list[str]:
    """The commands that the output of the one at this index goes through."""
    filters = list[str]()
    for number in range(index + 1, len(pieces)):
        if pieces[number - 1][1] not in PIPES:
            break
        filters.append(pieces[number][0])
    return filters


# ==================================================================================================
# record/endings.py: Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

SAID_OF_CHECKS = ("failed_names", "has_more_failed", "met_no_test", "is_cached")


def said_of_checks(end: Mapping[str, Any]) -> ChecksSaid:
    """What an outcome, or an ending, says of its checks besides that they passed or failed."""
    said: Any = {name: end[name] for name in SAID_OF_CHECKS if name in end}
    kept: ChecksSaid = said
    return kept


def endings_of(actions: Iterable[Item]) -> list[Ending]:
    """How the commands ended, the oldest first, each in an action's form; an earlier end counts as no use."""
    endings: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "uses": 0,
                              "folder": action.get("folder", "")}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            endings += [*before, action]
    return sorted(endings, key=lambda ending: int(ending["position"]))


# ==================================================================================================
# record/git/parsed_calls.py: The calls of git in a command line: verb, arguments, and the folder that each is for.
# ==================================================================================================

OPTIONS_WITH_VALUE_OF_GIT = ("-C", "-c", "--git-dir", "--work-tree")  # before the verb


def git_calls(command: str, ran_in: str = "") -> list[GitCall]:
    """The calls of git in the line; their folder is that of the `cd` and `git -C` before the verb, else `ran_in`."""
    calls: list[GitCall] = []
    for piece, folder in commands_in_folders(command, ran_in):
        words = without_redirections(shell_words(piece))
        if program_of(words) != "git":
            continue
        words, own_folder = words[1:], folder
        while words and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1:
                own_folder = folder_from(own_folder, words[1].strip("\"'"))
            words = words[2:] if words[0] in OPTIONS_WITH_VALUE_OF_GIT else words[1:]
        if words:
            calls.append({"verb": words[0], "arguments": words[1:], "folder": own_folder})
    return calls


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


# ==================================================================================================
# record/git/stashes.py: Stashes of git as the session's commands made them and took them back: the one module that knows these commands.
# ==================================================================================================

MAKING_STASH = ("push", "save")
PUTTING_BACK_STASH = ("pop", "apply", "branch")
LEAVING_CHANGES = r"-(?:[a-oq-z]*[pS]|-patch$|-staged$|-pathspec-from-file)"  # in the working tree
MESSAGE_OPTIONS = ("-m", "--message")


def is_away(spans: Iterable[tuple[int, int]], position: int) -> bool:
    """Whether one of these stashes had the edit when the session was at that position, and gave it back."""
    return any(begin < position <= end for begin, end in spans)


def stashes_all(command: str) -> bool:
    """Whether a call of the line takes all changes out of the working tree."""
    return any(stash_action(call) in MAKING_STASH and takes_all_changes(call) for call in stash_calls(command))


def runs_without_changes(command: str) -> bool:
    """Whether the line stashes all changes and runs something before it takes them back."""
    is_away = False
    for piece, _ in pieces_of(command) if "stash" in command else ():
        actions = [stash_action(call) for call in stash_calls(piece)]
        if not actions and is_away and not git_calls(piece):
            return True
        for action in actions:
            is_away = stashes_all(piece) if action in MAKING_STASH else is_away and action not in PUTTING_BACK_STASH
    return False


def stash_calls(command: str) -> list[GitCall]:
    """The line's calls of `git stash`."""
    return [call for call in git_calls(command) if call["verb"] == "stash"] if "stash" in command else []


def stash_action(call: GitCall) -> str:
    """What a call of `git stash` does: its first word, or `push`, as git takes it."""
    first = "".join(call["arguments"][:1])
    return first if first and not first.startswith("-") else "push"


def takes_all_changes(call: GitCall) -> bool:
    """Whether a call that makes a stash names no files and leaves none of the changes by an option."""
    words = call["arguments"]
    if any(re.match(LEAVING_CHANGES, word) for word in words):
        return False
    before = ["", *words]
    names = [word for word, option in zip(words, before) if not word.startswith("-") and option not in MESSAGE_OPTIONS]
    return "save" in names[:1] or names in ([], ["push"])  # what follows `save` is its message


# ==================================================================================================
# record/outcomes/pipe_filters.py: What a pipe behind a check lets through of its output, and whether a failure would be among that.
# ==================================================================================================

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def is_cut(check: Check, count: int, programs: Sequence[str] = CUTTING) -> bool:
    """Whether one of the programs, head or tail, may have let through only a part of the output."""
    return any(program_in(text) in programs and count >= lines_let_through(shell_words(text))
               for text in check["filters"])


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through: `-5`, `-n5`, `-n 5`."""
    numbers = [word.lstrip("-n") for word in words[1:]]
    return next((int(number[:9]) for number in numbers if number.isdigit()), LINES_OF_HEAD_AND_TAIL)


# ==================================================================================================
# record/outcomes/check_ends.py: How each check of a command line ended, as far as the line's verdict and its output tell.
# ==================================================================================================

def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


# ==================================================================================================
# record/checks/runs.py: The runs of checks that the record's actions hold, each with its own verdict where a line ran several.
# ==================================================================================================

NO_WORDS: CheckEnd = {}
RUNS_MAX = 200  # compared, the newest: each with each


def check_runs(actions: Iterable[Item], root: str = "") -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first.

    `root` is the folder in which commands ran that name none; empty: not known.
    """
    endings = [ending for ending in endings_of(actions) if may_run_checks(ending)][-RUNS_MAX:]
    return [run for ending in endings if not runs_without_changes(ending["text"]) for run in runs_of(ending, root)]


def may_run_checks(ending: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    is_open = ending["verdict"] in ("failed", "running") or ending.get("is_in_background", False)
    return is_open or ending["family"] in CHECK_FAMILIES


def runs_of(ending: Ending, root: str) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = with_tests_shown(checks_in(ending["text"]), ending["family"])
    alike: CheckEnd = {"verdict": ending["verdict"]}
    ends = ending.get("ends", [alike] * len(checks))
    owner = family_of_result(ending, checks)
    runs: list[CheckRun] = []
    for check, end in zip(checks, ends):
        is_own = "result" in end
        source = end if is_own else ending if check["family"] == owner else NO_WORDS
        is_alone = sum(other["family"] == check["family"] for other in checks) == 1
        runs.append({
            **said_of_checks(source), "check": in_whole_folder(check, ending, root), "family": check["family"],
            "name": check["name"],
            "command": check["typed"] if is_own else ending["text"], "line": ending["text"],
            "verdict": end["verdict"], "is_certain": is_own or is_alone or end["verdict"] != "failed",
            "result": source.get("result", ""),
            "is_in_background": ending.get("is_in_background", False),
            "last": ending["last"], "position": ending["position"],
            "edited_after": [], "taken_back_after": [], "passed_since": [], "same_failure_in": [], "unseen": [],
            "later_runs": []})
    return runs


def in_whole_folder(check: Check, ending: Ending, root: str) -> Check:
    """The check of a command that ended so, its folder as a whole path where it is known.

    A build that failed in one package had stood as passed later, by a build of the package that the shell was in.
    """
    base, folder = ending.get("folder", "") or root, with_home(check["folder"], root)
    if not base or re.search(UNNAMED_FOLDER, folder):
        return check
    return {**check, "folder": whole_path(folder, base)}


def family_of_result(ending: Ending, checks: Sequence[Check]) -> str:
    """The family of the line's checks of which its result tells: that which failed, else the first that says much."""
    if ending["family"] and (ending["verdict"] == "failed" or len(pieces_of(ending["text"])) == 1):
        return ending["family"]
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    return next((family for family in CHECK_FAMILIES if family in speaking), "")


# ==================================================================================================
# record/summary/statements.py: What a compaction's summary states of now, below its headings, without its analysis and code; English alone.
# ==================================================================================================

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
CODE_BLOCK = r"(?m)^[ \t]*```.*\n(?:.*\n)*?(?:[ \t]*```.*$|.*\Z)"
HEADING_LINE = (r"(?=#|.*:$|(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$)"
                r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?$")
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
END_IN_LINE = r"(?:(?<=[.!?])|(?<=[.!?][)\]\"”]))\s+(?=\S)"
PART_END = r";\s+(?:only )?|:\s+(?=it )| and (?=marked )"  # "only #4 is left", "wrote it and marked #4 as done"
IN_BRACKETS = r"\(([^()]+)\)"
SET_APART = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes
ROW_MARKS = ":;,!?()[]|–—→…\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"),
             *zip("“”„«»", "\"\"\"\"\""), *zip("§=<", "………"))  # these are signs of claims.py
OF_NOW = r"(?:before|when) (?:this|the) summary(?: request| was requested)?\b(?: ,)?"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset("still now currently again remain remains".split())
OPEN_WORDS = frozenset((  # plans, conditions, questions, the past, other people's words and runs
    "be if once when whenever until unless should would will could may might must need needs expected want wants "
    "before earlier previously initially originally said reported subagent ci except only goal plan planned then "
    "reopened reverted undone fixed later proposal unclear probably maybe ?").split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    return text.partition("\nSummary:")[2] if "Analysis:" in text[:600] and "\nSummary:" in text else text


def statements_of(summary: str) -> list[Statement]:
    """What the summary says of now: neither code, quotes, headings nor a sentence of others, of the past or a plan."""
    sentences = [*sentences_of_now(body_of(summary))]
    parts = [(index, part) for index, (_, sentence) in enumerate(sentences) for part in statement_parts(sentence)]
    rows = as_rows([part for _, part in parts])
    are_open = {index for (index, _), row in zip(parts, rows) if not OPEN_WORDS.isdisjoint(row.split())}
    return [{"line": part, "row": f" {row} ", "heading": sentences[index][0]}
            for (index, part), row in zip(parts, rows) if index not in are_open]


def sentences_of_now(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of the text that may be of now, each behind the heading above it in lower case."""
    heading, first_row = "", ""
    for full in re.sub(CODE_BLOCK, "", text).split("\n")[:LINES_MAX]:
        line = full.strip()[:STATEMENT_MAX_CHARACTERS]
        may_be_title = full[:1] != " " and (line[:1] == "#" or line[-1:] in (":", "*"))
        title = re.match(HEADING_LINE, line) if may_be_title else None
        heading = title[1].lower() if title else heading
        first_row = (first_row or line.lower()) if line[:1] == "|" else ""  # of a table
        is_of_now = may_be_of_now(line, heading) and OPEN_WORDS.isdisjoint(first_row.split())
        if is_of_now and not title and line[:1] != ">":
            for sentence in cut_at(END_IN_LINE, re.sub(LIST_MARK, "", line).replace("**", "")):
                yield heading, sentence


def may_be_of_now(line: str, heading: str) -> bool:
    """Whether the line may tell how things are now; below a heading of the past one with a word for now may."""
    about = {*heading.replace("/", " ").split()}
    is_of_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about
    return OF_OTHERS.isdisjoint(about) and not (
        is_of_past and PRESENT.isdisjoint(re.findall(r"\w+", line.lower())))


def statement_parts(sentence: str) -> list[str]:
    """The sentence's parts between semicolons, and what stands in its brackets."""
    brackets = re.finditer(IN_BRACKETS, masked(sentence)) if "(" in sentence else ()
    return [*cut_at(PART_END, sentence), *(sentence[match.start(1):match.end(1)] for match in brackets)]


def cut_at(end: str, text: str) -> list[str]:
    """The text's pieces between the places where this pattern matches outside of code and quotes."""
    if not re.search(end, text):  # of most
        return [text]
    ends = [match.span() for match in re.finditer(end, masked(text))]
    return [text[begin:stop] for (_, begin), (stop, _) in zip([(0, 0), *ends], [*ends, (len(text), 0)])]


def masked(text: str) -> str:
    """The text with dots in place of code and quotes."""
    return re.sub(SET_APART, lambda match: "…" * len(match[0]), text)


def as_rows(texts: Sequence[str]) -> list[str]:
    """Each text as a row: in lower case, its marks as words of their own, without emphasis."""
    text = "\n".join(texts).lower()  # at once: one alone costs 4 µs
    for mark, instead in (*REWRITTEN, *((mark, f" {mark} ") for mark in ROW_MARKS)):
        text = text.replace(mark, instead)
    text = re.sub(r"\.(?=\s|\Z)", " .", re.sub(OF_NOW, "", text))
    return [" ".join(row.split()) for row in text.split("\n")]


def as_names(texts: Sequence[str]) -> list[str]:
    """Each text as it stands in a row as a name: without the mark at its end."""
    return [row.rstrip(" .?") for row in as_rows([" ".join(text.split()) for text in texts])]


def codes_in(statements: Sequence[Statement], pattern: str) -> dict[str, str]:
    """By name what stands between backticks in the statements and is of the pattern."""
    texts = re.findall(r"`([^`\n]{1,300})`", "\n".join(statement["line"] for statement in statements))
    codes = [code for code in dict.fromkeys(texts) if re.fullmatch(pattern, code)]
    return dict(zip(as_names([f"`{code}`" for code in codes]), codes))


# ==================================================================================================
# record/summary/claims.py: What a statement claims: that a thing which it names is in a state, with nothing said beside it.
# ==================================================================================================

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
CLAUSE_END = r"((?: [:,()\[\]|–—→-])+) "
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports repository result results run "
    "running shows state status still targets task tasks that the these this todo verification verified we whole "
    "with works yet 9 . ! \""
    ).split())


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each statement with the thing of which it claims a state, and the state.

    `names` gives things by their names, `states` by each state its phrases, with strokes between them. A longer name or
    phrase goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    known, things = sorted(names, key=len, reverse=True), [*dict.fromkeys(names.values())]
    state_of = {phrase: state for state, phrases in states.items() for phrase in phrases.split("|")}
    phrases = sorted(state_of, key=len, reverse=True)
    begins, signs = {name.partition(" ")[0] for name in known}, {max(phrase.split(), key=len) for phrase in phrases}
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row, words = statement["row"], statement["row"].split()
        if begins.isdisjoint(words) or signs.isdisjoint(words):  # most: the rest takes ten times as long
            continue
        for name in known:
            if name in row:
                row = row.replace(f" {name} ", f" §{things.index(names[name])} ")
        row = re.sub(COUNT, " 9", row)
        for phrase in phrases:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{state_of[phrase]} ")
        claims += [(statement, things[int(thing)], state) for thing, state in claims_of(re.sub(SET_APART, "…", row))]
    states_of = Counter(thing for thing, _ in {(thing, state) for _, thing, state in claims})
    return [(statement, thing, state) for statement, thing, state in claims if states_of[thing] == 1]


def claims_of(row: str) -> list[tuple[str, str]]:
    """The things of which a row claims a state, each with it. In the row `§` begins a thing, `=` and `<` a state."""
    pieces = re.split(CLAUSE_END, f" ({row}")
    states, with_state, last_named = set[str](), set[str](), set[str]()
    for mark, words in zip(pieces[1::2], map(str.split, pieces[2::2])):
        if mark == " :" and (not words or says_more(words)):
            return []  # "Done: the first half"
        if says_more(words):
            break
        things = {word[1:] for word in words if word[0] == "§"}
        own_states = {word[1:] for word in words if word[0] in "=<"}
        if things and states and not last_named and not re.search(r"[:\]]", mark):
            return []  # "Clean, test"
        states |= {OPPOSITES.get(state, "") for state in own_states} if is_denied(words) else own_states
        with_state |= things if own_states else set()
        last_named = things or last_named
    state = states.pop() if len(states) == 1 else ""
    return [(thing, state) for thing in sorted(with_state or last_named) if state]


def is_denied(words: list[str]) -> bool:
    """Whether a clause denies what it says."""
    return not DENIALS.isdisjoint(words)


def says_more(words: list[str]) -> bool:
    """Whether a clause says more than that a thing is in a state: by other words, or by their order."""
    signs = "".join(word[0] for word in words if word[0] in "§=<")
    others = {word for word in words if word[0] not in "§=<"} - SMALL_WORDS - DENIALS
    is_state_first = signs[:1] == "<" and "§" in signs
    return bool(others) or is_state_first or (is_denied(words) and not signs.strip("§"))


# ==================================================================================================
# record/summary/check_claims.py: Tests, builds and linters that a summary calls passing or failing while their last run says otherwise.
# ==================================================================================================

RUN_SHOWN_UTF16, RUNS_COMPARED_MAX = 90, 40
CHECK_STATES = {
    "passing": "pass|passes|passed|passing|succeeds|succeeded|compiles|green|clean|ok|✅|✓|exits 0|0 errors|0 failed"
               "|0 failures|no errors|no failures|no complaints|no problems|reported no problems|without errors"
               "|without warnings",
    "failing": "failing|fails|fail|broken|red|❌|not compile|9 errors|9 failures|9 failed|9 failed , 9 passed"
               "|9 passed , 9 failed"}
FAMILY_NOUNS = {"tests": "test", "test suite": "test", "suite": "test", "build": "build", "lint": "lint",  # all of one
                "linter": "lint", "linting": "lint", "type check": "types", "type checking": "types"}
SHORT_NAMES = {"ruff": "ruff check", "clippy": "cargo clippy"}
OF_A_PART = (r" (?:its|this|these|both|tasks?|todo|state|status|reports?|results?|verification)"
             r" (?:tests|test suite|suite|build) |(?<! all)(?<! the) \d+ tests ")
NAME_IN_RESULT = r"[A-Za-z]\w*[_./:][\w./:]+"  # of what failed
ALL_PASSED = r"(?:\b(\d+)(?:/| out of )\1|\ball (\d+)) (?:tests? )?(?:are )?(?:pass(?:es|ed|ing)?|green)\b"


def check_claims(body: str, statements: Sequence[Statement], actions: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's words, and what the record has of the last run of the check that they name.

    Nothing where the summary names what failed in it, or the statement has its number of passed tests.
    """
    checking: list[Item] = [{"uses": 1, **action} for action in actions if action.get("family") in CHECK_FAMILIES]
    runs = check_runs(sorted(checking, key=lambda action: action["position"])[-RUNS_COMPARED_MAX:])
    if not runs:
        return
    named = checks_named(statements, runs)
    keys = {name: " ".join([check["name"], *check["limits"]]) for name, check in named.items()}
    checks = {keys[name]: check for name, check in named.items()}
    for statement, thing, state in claims_in(statements, {**keys, **FAMILY_NOUNS}, CHECK_STATES):
        run = last_run_otherwise(runs, checks.get(thing), thing, state)
        is_of_part = "files" in statement["heading"] or re.search(OF_A_PART, statement["row"])
        if run and (thing in checks or not is_of_part) and not is_failure_told(run, statement["row"], body):
            yield statement["line"], last_run_in_words(run)
    failed = last_run_otherwise(runs, None, "test", "passing")
    for statement in statements:
        totals = ["".join(pair) for pair in re.findall(ALL_PASSED, statement["row"])]
        if failed and any(is_total(int(total), failed["result"]) for total in totals):
            yield statement["line"], last_run_in_words(failed)


def checks_named(statements: Sequence[Statement], runs: Sequence[CheckRun]) -> dict[str, Check]:
    """By their names in rows the checks that ran, and what stands in backticks of their programs."""
    programs = "|".join({re.escape(run["name"].split()[-1]) for run in runs})
    commands = {**SHORT_NAMES, **{run["name"]: run["name"] for run in runs},
                **codes_in(statements, f".*(?:{programs}).*")}
    return {name: checks[0] for name, command in commands.items() if len(checks := checks_in(command)) == 1}


def last_run_otherwise(runs: Sequence[CheckRun], check: Check | None, family: str, state: str) -> CheckRun | None:
    """The last run of the check, or without one of the family, if it and all of its family after it ended otherwise.

    A failed one counts where it is of no more than what is called passing, one that passed where it is of no less than
    what is called failing.
    """
    started = [run for run in runs if run["verdict"] != "not run"]
    meant = [run for run in started if (run["name"] == check["name"] if check else run["family"] == family)]
    if not meant or not meant[-1]["is_certain"]:
        return None
    last = meant[-1]
    if check:
        broad, narrow = (check, last["check"]) if state == "passing" else (last["check"], check)
        options = {word for word in check["command"].split() if word.startswith("--")}
        is_meant = covers_check(broad, narrow) and options <= {*last["command"].split()}
    else:
        is_meant = state == "passing" or not last["check"]["limits"]
    since = {run["verdict"] for run in started[started.index(last):] if run["family"] == last["family"]}
    return last if is_meant and since == {"failed" if state == "passing" else "passed"} else None


def is_failure_told(run: CheckRun, row: str, body: str) -> bool:
    """Whether the row has the run's number of passed tests, or the summary a name of what failed in it."""
    failed = [name for name in re.findall(NAME_IN_RESULT, run["result"]) if name not in run["command"]]
    has_count = any(f" {word} pass" in f" {run['result']}" for word in row.split() if word.isdigit())
    return has_count or any(name in body for name in failed)


def is_total(count: int, result: str) -> bool:
    """Whether a result counts so many, together or in two numbers, and not as those that passed."""
    numbers = {0, *map(int, re.findall(r"\b\d{1,9}\b", result))}
    return f" {count} pass" not in f" {result}" and any(count - number in numbers for number in numbers)


def last_run_in_words(run: CheckRun) -> str:
    """Which run of a check was the last one, and how it ended."""
    command, result = quote(run["command"], RUN_SHOWN_UTF16), f": {run['result']}" if run["result"] else ""
    return f"the last run of `{command}` at {run['last'][11:16]} UTC {run['verdict']}{result}"


# ==================================================================================================
# record/items.py: What an item of a session is: something said, done, asked or seen, with its source and its time.
# ==================================================================================================

def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


# ==================================================================================================
# record/summary/file_claims.py: What a summary says of files that the disk has otherwise.
# ==================================================================================================

LOOKED_AT_MAX = 200  # claims: PostCompact is waited for
FILE_STATES = {"created": "created|added|wrote|new file|was created|was added|( new|— new",
               "deleted": "deleted|removed|was deleted|was removed", "missing": "does not exist yet"}
PATH = (
    r"/?(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
WHAT_IT_IS = (  # behind what was done with a file
    r"( with | created (?=for the )|[(—–] (?:new file|created|(?:new|deleted)(?= [-–—,])) )"
    r"(?!.* (?:and|removed|renamed|moved|replaced) ).*")
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
                exists: Callable[[str], bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's words on a file created or deleted, where the disk lacks it or has it.

    Not where a command may have moved it after its last edit, or before; what none names was never there to be moved.
    """
    meant: list[Statement] = [{**each, "row": re.sub(WHAT_IT_IS, r"\1", each["row"].replace(" the obsolete ", " "))}
                              for each in statements if NOT_YET.isdisjoint(each["heading"].split())]
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in claims_in(meant, paths, FILE_STATES)[:LOOKED_AT_MAX]:
        edits = [action["position"] for action in actions
                 if is_file_edit(action) and ends_in(action["path"], path.lstrip("/"))]
        last_edit, is_there = max(edits, default=-1), exists(path)
        if state == "created" and is_there is False:
            name = rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?!\w)"
            is_named = any(re.search(name, action["text"]) for action in actions)
            if not is_named or max(moves, default=-1) <= last_edit:
                yield statement["line"], f"the disk has no {path} now"
        if state != "created" and is_there and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def paths_in(statements: Sequence[Statement]) -> dict[str, str]:
    """The paths in the statements, by their names in rows: in backticks, or with a folder."""
    words = {word.strip(".,;:()") for statement in statements for word in statement["line"].split() if "/" in word}
    bare = {word.lower(): word for word in sorted(words) if re.fullmatch(PATH, word)}
    return {**bare, **codes_in(statements, PATH)}


# ==================================================================================================
# record/summary/git_claims.py: What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now.
# ==================================================================================================

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "resolved": "resolved", "over": "complete|completed|done|finished"}
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
BRANCH_NOW = (  # what the branch is called on which we are
    r" (?:repository state : )?(?:the )?(?:current(?: git)? branch|checked out on|currently on(?: branch)?"
    r"|(?:we are|we're)(?: still| currently)? on branch)(?: is)?(?: :)? "
    r"(?=`|main\b|master\b|develop\b)`?([^\s`]+)`?(?: branch)?(?= ?[.,()] | $)")
COMMIT_NOW = (r" (?:the )?(?:(?:latest|last|head) commit|head is(?: now)? at)(?: is)?(?: :)? "
              r"`([0-9a-f]{7,40})`(?= ?[.] | $)")
HASH = r"(?<![\w/.-])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w/-])"
OTHER_COMMITS = frozenset("amended rebased cherry-picked squashed original".split())  # hashes
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        return
    commits = [action["commit"] for action in actions if action.get("commit")]
    commits += [git["head"]] if git.get("head") else []
    commits += [commit[0] for commit in git.get("commits") or ()]
    yield from other_names_of_now(statements, git, commits)
    yield from other_hashes(statements, actions, commits)
    to_upstream = rf"(?<= pushed) to `?(?:origin|{re.escape(git.get('upstream') or 'origin')})`?(?= )"
    meant: list[Statement] = [{**each, "row": re.sub(to_upstream, "", each["row"])} for each in statements]
    for statement, thing, state in claims_in(meant, {**paths, **THINGS}, GIT_STATES):
        is_of_file = thing == "changes" and not paths.keys().isdisjoint(statement["row"].split())  # "those of `a.py`"
        answer = "" if is_of_file else answer_of(thing, state, actions, git)
        if answer:
            yield statement["line"], f"git: {answer}"


def other_names_of_now(statements: Sequence[Statement], git: GitNow,
                       commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the summary calls the current branch or the last commit, and which it is; nothing where it names two."""
    branches = {match[1]: each["line"] for each in statements if (match := re.match(BRANCH_NOW, each["row"]))}
    if len(branches) == 1 and git.get("branch") and git["branch"].lower() not in branches:
        yield from ((line, f"git: the branch is {git['branch']}") for line in branches.values())
    heads = {match[1]: each["line"] for each in statements if (match := re.match(COMMIT_NOW, each["row"]))}
    if len(heads) == 1 and git.get("head") and not any(same_commit(commit, *heads) for commit in commits):
        yield from ((line, f"git: the last commit is {git['head']}") for line in heads.values())


def other_hashes(statements: Sequence[Statement], actions: Sequence[Item],
                 commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The summary's line with a hash of no commit beside the subject of one of the session, and that one's hash."""
    with_hash = [each for each in statements if re.search(HASH, each["row"])]
    made = [action for action in actions if action.get("commit") and action.get("subject")] if with_hash else []
    for subject, action in zip(as_names([action["subject"] for action in made]), made):
        of_subject = rf" commit(?:ted)?(?: as)? `?{HASH}|{HASH}`? (?:[-–—:(] )?(?:\" )?{re.escape(subject)} "
        for statement in with_hash if len(subject) >= SUBJECT_MIN_CHARACTERS else ():
            row = statement["row"]
            if f" {subject} " not in row or not re.search(of_subject, row):
                continue
            is_known = any(same_commit(commit, name) for commit in commits for name in re.findall(HASH, row))
            if not is_known and OTHER_COMMITS.isdisjoint(row.split()):
                yield statement["line"], f"git: {in_quotes(action['subject'])} is {action['commit']}"


def answer_of(thing: str, state: str, actions: Sequence[Item], git: GitNow) -> str:
    """What git says otherwise of a thing than that it is in a state; empty where nothing is known otherwise."""
    begun, conflicts = git.get("in_progress", ""), git.get("conflicts", [])
    if state == "over":
        return f"in progress: {begun}" if thing == begun.partition(" ")[0] else ""
    if state == "resolved":
        return f"not resolved: {', '.join(conflicts)}" if thing == "conflicts" and conflicts else ""
    if state == "uncommitted":
        return nothing_uncommitted(thing, actions, git)
    is_committed = state in ("committed", "shared") or (thing, state) == ("tree", "clean")
    answer = not_committed(thing, actions, git) if is_committed else ""
    return not_pushed(thing, actions, git) if state in ("pushed", "shared") and not answer else answer


def not_committed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """What the session changed of the thing that git has in no commit."""
    edited = [action["path"] for action in filter(is_file_edit, actions)]
    meant = [path for path in edited if thing in ("changes", "tree") or ends_in(path, thing)]
    tracked = [path for path, _ in [*git.get("staged", []), *git.get("modified", [])]]
    changed = [*git.get("conflicts", []), *tracked, *git.get("untracked", [])]
    wholes = {path: posixpath.normpath(f"{git.get('folder', '')}/{path}") for path in changed}
    own = [path for path, whole in wholes.items() if any(f"{whole}/" in f"{other}/" for other in meant)]
    return f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}" if own else ""


def nothing_uncommitted(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """That nothing is uncommitted; empty where git was not asked for all, or the changes may be elsewhere."""
    lists = [git.get("conflicts"), git.get("staged"), git.get("modified"), git.get("untracked")]
    has_commit = bool(git.get("commits")) or any(action.get("commit") for action in actions)
    top = f"{git.get('root', '')}/"
    are_here = all(action["path"].startswith(top) for action in filter(is_file_edit, actions))
    is_clean = lists == [[]] * 4 and are_here and not git.get("stashes")
    return "nothing is uncommitted" if is_clean and (has_commit or thing == "tree") else ""


def not_pushed(thing: str, actions: Sequence[Item], git: GitNow) -> str:
    """Why the thing cannot have been pushed; empty where a push of the session may have gone well."""
    ahead, branch, upstream = git.get("ahead"), git.get("branch"), git.get("upstream")
    if any("git push" in action["text"] for action in actions):
        return ""
    if git.get("is_without_remote"):
        return "the repository has no remote"
    is_known = ahead and upstream and thing in ("changes", "commits")
    return f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}" if is_known else ""


# ==================================================================================================
# record/summary/task_claims.py: Tasks of the client's list that a summary gives another status than the list has.
# ==================================================================================================

TASK_STATES = {
    "open": "open|unfinished|incomplete|left|left to do|☐",
    "completed": "completed|complete|done|finished|closed|✅|✓|✔|☑",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|half done|partly done|🔄",
    "pending": "pending|not started|not been started|not yet started|untouched|to do|next up"}
OPEN_STATUSES = ("in_progress", "pending")
DONE_HEADINGS = ("completed", "completed tasks", "done")  # what is listed below one is called so


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    What two tasks share names none.
    """
    subjects = as_names([task["text"] for task in tasks])
    pairs = [(name, str(index)) for index, task in enumerate(tasks) for name in {subjects[index], task.get("key", "")}]
    times = Counter(name for name, _ in pairs)
    names = {name: index for name, index in pairs
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    listed: list[Statement] = [{**each, "row": f" completed :{each['row']}"} for each in statements
                               if each["heading"] in DONE_HEADINGS]
    for statement, index, status in claims_in([*statements, *listed], names, TASK_STATES):
        task, row = tasks[int(index)], statement["row"]
        is_meant = f" {subjects[int(index)]} " in row or re.search(r" (?:tasks?|todo) ", row)  # "#2" may be a PR
        own = (task["status"], "open" if task["status"] in OPEN_STATUSES else "")
        if is_meant and task["status"] in TASK_STATES and status not in own:
            name = f"{task.get('key', '')} {in_quotes(task['text'])}".strip()
            yield statement["line"], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


# ==================================================================================================
# record/summary/comparisons.py: What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.
# ==================================================================================================

SAID_MAX_UTF16, RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 160, 300, 40, 60
ANSWERED = frozenset("answered chose picked selected confirmed approved decided answer resolved".split())
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered until once if when after before whether open pending wait waits waiting awaits "
    "still remains will would should could can must may be earlier other another asked i").split())


def compare(summary: str, items: Sequence[Item], git: GitNow,
            exists: Callable[[str], bool | None] | None = None) -> list[SummaryFinding]:
    """The findings {kind, said, record}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule, question, of which the summary may say nothing: `said` is empty.
    `git` is what git says now, without what is not known; `exists` tells of a path whether the disk has it, None where
    that is not certain.
    """
    statements, body = statements_of(summary), body_of(summary)
    actions = [item for item in items if item["kind"] == "action"]
    paths = paths_in(statements)
    claims = {
        "check": check_claims(body, statements, actions),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, actions, paths, git),
        "file": file_claims(statements, actions, paths, exists) if exists else ()}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_person(body, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": quote(record, RECORD_MAX_UTF16)}


def of_person(text: str, items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Waiting questions, pins and rules that do not stand in the text whole; questions that it tells as answered."""
    whole, lines = compared(text), [plain(line) for line in text.split("\n")]
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for kind in ("question", "pin", "rule"):
        open_items = [item for item in items if item["kind"] == kind and item.get("status", "open") == "open"]
        for item in [item for item in open_items if kind != "question" or item["position"] >= last][:RULES_MAX]:
            words = " ".join(item["text"].split())
            answer = first_answer(lines, compared(words)) if kind == "question" else ""
            if compared(words) not in whole:
                yield {"kind": kind, "said": "", "record": words}
            elif answer:
                yield finding_of(kind, answer, f"it still waits for the user's answer: {words}")


def first_answer(lines: Sequence[str], question: str) -> str:
    """What one of the lines says behind the question, or all of it, where it tells it as answered; else empty."""
    for line in lines:
        before, has_question, behind = line.lower().partition(question)
        if not has_question:
            continue
        words = (re.findall(r"[^\W\d_]+", behind) or re.findall(r"[^\W\d_]+", before))[:3]
        is_answer = "user" in words[:2] and not ANSWERED.isdisjoint(words)
        is_open = not UNANSWERED.isdisjoint(re.findall(r"\w+", f"{before} {behind}"))
        if not is_open and (is_answer or words[:1] in (["answer"], ["resolved"], ["a"])):
            return line[-len(behind):].strip(" ?.") or line
    return ""


def plain(text: str) -> str:
    """The text on one line, without emphasis and quotes."""
    return " ".join(text.translate(str.maketrans("", "", "*`\"'’“”„«»")).split())


def compared(text: str) -> str:
    """The text as it is looked for word for word."""
    return plain(text).lower().rstrip(" .!?")


# ==================================================================================================
# store/compaction.py: compaction.json of a session: how far its newest compaction has come, its `stage`.
# ==================================================================================================

COMPACTION_FILE = "compaction.json"
COMPACTION_ID = r"[0-9a-f]{8,20}\Z"  # it becomes part of a file's name
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
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), EVENTS_FILE)
    set_aside(path, EVENTS_MAX_BYTES)
    append_line(path, json.dumps(line))


# ==================================================================================================
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def audit_line(compaction_id: str, findings: Sequence[SummaryFinding]) -> str:
    """The line for an audited summary: what the record contradicts in it, and what it leaves out."""
    return as_line("audit", id=compaction_id, found=[
        {"what": "contradicted" if finding["said"] else "left out", "kind": finding["kind"],
         "text": finding["said"][:FINDING_MAX_CHARACTERS], "record": finding["record"][:FINDING_MAX_CHARACTERS]}
        for finding in findings[:FINDINGS_MAX]])


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)


# ==================================================================================================
# store/pins.py: Pins: words of the person that stand first, and whole, in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20


def pins_in(folder: str, projects: Collection[str]) -> list[JsonObject]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times.

    `projects` are the folders whose pins are the project's: the session's own, and the top one of its project.
    """
    home = os.path.dirname(os.path.dirname(folder))
    paths = [path for path in (os.path.join(folder, PINS_FILE), os.path.join(home, PINS_FILE)) if os.path.isfile(path)]
    lines = [line for path in paths for line in records_of(path, 0, PINS_FILE_MAX_BYTES)
             if "project" not in line or line["project"] in projects]
    gone = {str(line["gone"]) for line in lines if "gone" in line}
    pins = [line for line in lines if text_of(line, "text").strip() and pin_name(line) not in gone]
    return sorted(pins, key=lambda pin: (str(pin.get("time")), str(pin.get("id"))))  # the id tells the nanosecond


def pin_name(pin: JsonObject) -> str:
    """The name by which a later line ends the pin: its id; the time of one that was written by hand."""
    return str(pin.get("id") or pin.get("time"))


def pin_items(pins: Iterable[JsonObject]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no position and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


# ==================================================================================================
# store/session_marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

def take_mark(folder: str, series: str, name: str, text: str = "") -> bool:
    """Whether this process was the first to make the mark `<series><name>`, which keeps the text.

    Where the series ends with a dash, its earlier marks go.
    """
    mark = f"{series}{name}"
    try:
        handle = os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            if text:
                file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    except OSError:  # a full disk costs the audit this text, not the model its recap
        pass
    if series.endswith("-"):
        for other in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
            if other.startswith(series) and other != mark:
                os.unlink(os.path.join(folder, other))
    return True


# ==================================================================================================
# store/unasked.py: The mark `unasked` of a session: the compaction after which no prompt has asked the archive yet.
# ==================================================================================================

UNASKED_FILE = "unasked"


def leave_unasked(folder: str, compaction_id: str) -> None:
    """Leaves the mark: the next prompt is the first after this compaction."""
    append_line(os.path.join(folder, UNASKED_FILE), compaction_id)


# ==================================================================================================
# the script: Audit the summary that a compaction wrote: what it says that the record contradicts, and what it leaves out.
# ==================================================================================================

GIT_MAX_SECONDS = 0.2  # PostCompact is waited for
FILE_END_BYTES = 64 << 10  # what came after the save stands at the end of a file


def audit(data: HookInput) -> None:
    """The hook: compares the summary with the session's memory and leaves the note for the model."""
    summary, started = text_of(data, "compact_summary"), time.time()
    if data["hook_event_name"] != "PostCompact" or text_of(data, "agent_id") or not summary.strip():
        return
    if not os.path.isdir(session_folder(data["session_id"])):
        return
    folder = private_folder("sessions", data["session_id"])
    compaction = read_compaction(folder)
    if compaction.get("stage") == "a subagent's":
        return  # the client named no agent_id; restore_snapshot.py, which runs before, found out
    snapshot = snapshot_of_compaction(data, folder, compaction)
    memory = snapshot or sound_memory(os.path.join(folder, MEMORY_FILE))  # the snapshot holds the same items
    refuse_later_version(os.path.join(folder, NOTE_FILE))
    if not memory:
        return
    # The delivered text's, where it has gone out; without a snapshot a name of the same form.
    compaction_id = text_of(snapshot, "id") or f"{memory['position']:08x}"
    if not take_mark(folder, "audited-", compaction_id):
        return
    leave_unasked(folder, compaction_id)
    findings = findings_of(data, folder, summary, memory, text_of(snapshot, "project"))
    note, in_text = leave_findings(
        folder, findings, {"session": data["session_id"], "id": compaction_id, "time": started})
    note_event("audit", data["session_id"], time=started, id=compaction_id, **counts_of(findings), in_text=in_text,
               trigger=text_of(data, "trigger"), units=units(note), ms=int((time.time() - started) * 1000))
    append_line(os.path.join(folder, HISTORY_FILE), audit_line(compaction_id, findings))


def leave_findings(folder: str, findings: Sequence[SummaryFinding], about: JsonObject) -> tuple[str, int]:
    """Leaves the note on the findings for the model, none where there are none; returns its text.

    With it returns how many things that the summary left out stand in the text that has gone out by now.

    What the text that was put back tells already is not in it, and kept for the status line, which counts both. Before
    that has gone out its words are taken out at hand-over. `about`: the compaction that they are about.
    """
    about = {**about, "contradicted": counts_of(findings)["contradicted"]}
    delivered = delivered_text(folder, text_of(about, "id"))
    with_text = [finding for finding in findings if finding["record"] in delivered]
    keep_given(folder, {**about, "findings": [finding for finding in with_text if finding["said"]]})
    text, lines = note_of(finding for finding in findings if finding not in with_text)
    leave_note(folder, {**about, "text": text, "findings": lines})
    return text, sum(not finding["said"] for finding in with_text)


def snapshot_of_compaction(data: HookInput, folder: str, compaction: CompactionState) -> Snapshot:
    """The session's snapshot under the compaction's id; as of now also where nothing has been put back yet."""
    earlier = earlier_without_audit(folder, compaction)
    compaction_id = earlier or text_of(compaction, "id")
    if not earlier and compaction.get("stage") == "begun":  # PostCompact came before SessionStart, or nothing comes
        snapshot, _, _ = current_snapshot(data, folder)
    else:
        snapshot = own_snapshot(folder, data["session_id"])
    if not snapshot:
        return {}
    return {**snapshot, "id": compaction_id} if re.match(COMPACTION_ID, compaction_id) else snapshot


def earlier_without_audit(folder: str, compaction: CompactionState) -> str:
    """The id of the compaction before, where its summary was not audited yet; else empty.

    The next compaction may be prepared already when this one's PostCompact comes.
    """
    compaction_id = text_of(compaction.get("earlier", {}), "id")
    if not re.match(COMPACTION_ID, compaction_id) or os.path.exists(os.path.join(folder, f"audited-{compaction_id}")):
        return ""
    return compaction_id


def findings_of(
        data: HookInput, folder: str, summary: str, memory: Snapshot | Memory, project: str) -> list[SummaryFinding]:
    """What the record contradicts in the summary, and what the summary leaves out."""
    items = memory["items"] + items_since(folder, project, text_of(memory, "time"))
    text = summary[:TEXT_MAX_CHARACTERS]
    folder_now = text_of(memory["state"], "cwd") or data["cwd"]
    git = git_now(folder_now, text_of(memory, "began"), GIT_MAX_SECONDS) if folder_now else {}
    paths = [item["path"] for item in items if item.get("path")]
    return compare(text, items, git, partial(exists, folder_now, paths))


# --- what came after the save ---


def items_since(folder: str, project: str, saved: str) -> list[Item]:
    """What came after the time of the save: commands of the ledger, with how they ended, typed prompts; pins.

    Of a command that the client calls successful the ledger has no output: how its checks ended is not known.
    """
    items = pin_items(pins_in(folder, project_folders(project)))
    for line in end_of(os.path.join(folder, LEDGER_FILE), FILE_END_BYTES).splitlines():
        for event in parse_line(line):
            at: Item = {"last": text_of(event, "time"), "position": sys.maxsize, "status": "open"}
            if at["last"] <= saved:
                continue
            if event.get("command") and not event.get("interrupted"):
                items.append({**at, **action_of(event)})
            elif event.get("event") == "prompt":
                items.append({**at, "kind": "message", "text": text_of(event, "text"), "who": "user"})
    return [item for item in items if item["text"]]


def action_of(event: JsonObject) -> Item:
    """The command of a line of the ledger; it failed or passed only where its exit code is its one check's own."""
    command, error = text_of(event, "command"), text_of(event, "error")
    checks = checks_in(command)
    is_own = len(checks) == 1 and checks[0]["shows_exit"] and not checks[0]["in_background"]
    verdict = ("passed" if event.get("ok") is True else "failed") if is_own else "unknown"
    return {"kind": "action", "tool": "Bash", "text": command, "who": "assistant", "result": error,
            "verdict": "not run" if event.get("exit") in (126, 127) else verdict,
            "family": checks[0]["family"] if checks else ""}


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    return run_hook_or_help(audit, argv, __doc__)


if __name__ == "__main__":
    raise SystemExit(main())
