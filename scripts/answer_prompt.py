#!/usr/bin/env python3
r"""Meet a prompt: keep its words, answer the plugin's own commands, tell the model what waits.

A hook for UserPromptSubmit, the only one:
    every prompt          its words, secrets replaced, become a line of the session's ledger
    /compact-keeper:…     :pin and :unpin keep and take off pins, :restore brings in what was saved, :status-line puts
                          that into the person's settings, :show, :pins, :stats and :doctor show something. The words
                          come as they were typed, no shell and no model has touched them. What :recall finds is
                          shown beside the skill, which gives it to the model
    after a compaction    where a delivery waits for its receipt, restore_snapshot.py looks for it, and what was lost
                          goes out again; what waits is handed over: a further part, a note on the summary, what these
                          commands changed; at the first prompt recall.py looks up what the archive has on it
Reads   the hook's JSON on stdin; of this session compaction.json, note.json, rest.json, unasked, untold.json,
        pins.jsonl, notes.md; whether it is a fork (forked) and was saved.
Starts  restore_snapshot.py, save_snapshot.py --dry-run or --fork, stats.py, install.py, recall.py ask or
        first-prompt, each only where it is due and lies beside; what a missing one would do costs one line. With
        nothing due it starts no process.
Writes  sessions/<session_id>/ledger.jsonl, pins.jsonl, untold.json; note.json becomes note.json.given; lines in
        events.jsonl.
Prints  JSON: additionalContext for the model, a systemMessage line for the person. An answer is the reason of a
        "block" of the prompt: the full-screen program shows it whole, sends no request, and keeps neither prompt nor
        answer in the context. The skill's few lines, without what was typed, clients up to 2.1.250 put back after each
        compaction, as a skill that was used; 2.1.329 and newer do not. What the command changed the model reads with
        the next prompt. A run with -p shows such a reason from 2.1.197 on only, so there the model gets the answer
        beside the skill. (All measured with 2.1.76 to 2.1.332.)
To use a copy, put the file into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "timeout": 15,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/answer_prompt.py\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off (the commands then say that alone),
COMPACT_KEEPER_DEBUG=1 logs to stderr too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/answer_prompt.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import add
from sys import maxsize

VERSION = "0.27.0"  # of the plugin that this script came with


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


def why_not_writable(folder: str) -> str:
    """Why no file can be made in the folder, or the folder not be made; empty where both can. Nothing stays of it."""
    nearest = folder
    while not os.path.lexists(nearest) and os.path.dirname(nearest) != nearest:  # what is missing would be made in this
        nearest = os.path.dirname(nearest)
    draft = os.path.join(nearest, f"compact-keeper.{os.getpid()}.tmp")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600))
        os.unlink(draft)
    except OSError as fault:
        return f"{nearest}: {fault.strerror}"
    return ""


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

OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


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

CLIENT_CUTS_AT_UTF16 = 10_000  # what one hook says to the model (measured)
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


def location_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


# ==================================================================================================
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

FIGURE_MAX = 1e15  # what is larger is no count and no time of ours


def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def list_in(record: Mapping[str, Any], name: str) -> list[Any]:
    """The field's list; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < FIGURE_MAX
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


# ==================================================================================================
# client/hook.py: What a hook is given on stdin, and how it ends.
# ==================================================================================================

STDIN_MAX_BYTES = 4 << 20
IN_FULL_SCREEN = "cli"  # CLAUDE_CODE_ENTRYPOINT of hooks there; sdk-cli with -p (2.1.76 to 2.1.329)
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


def is_in_full_screen() -> bool:
    """Whether a person sits before the full-screen program, which shows the reason of a block."""
    return os.environ.get("CLAUDE_CODE_ENTRYPOINT") == IN_FULL_SCREEN


def print_answer(event: str, output: JsonObject, **for_the_client: str) -> None:
    """Prints the hook's answer at this event: `additionalContext` in `output` is what the model is to read."""
    print_json({**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}})


def print_json(answer: JsonObject) -> None:
    """Prints the one answer that a hook gives."""
    os.write(1, json.dumps(answer).encode())


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
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
NO_EVENT = "no event yet"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), EVENTS_FILE)
    set_aside(path, EVENTS_MAX_BYTES)
    append_line(path, json.dumps(line))


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20
OWN_BEGINNING = f'{{"schema": {SCHEMA}, '.encode()  # as replace_store writes it
GIVEN = ".given"  # the ending of a file that was handed over


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


def refuse_later_version(path: str) -> None:
    """Raises Refusal where a later version wrote the file: nothing of this one may take its place."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            is_as_ours = file.read(len(OWN_BEGINNING)) == OWN_BEGINNING
    except FileNotFoundError:
        return
    if not is_as_ours:
        read_store(path)


def take_store(path: str) -> Any:
    """The object of a file that is handed over once, for the one process that renames it; empty for every other.

    It is read under a name of this process's own: under that of all, the next one could have taken its place.
    """
    if not os.path.exists(path):
        return {}
    own = f"{path}.{os.getpid()}.tmp"  # of a killed process it goes as drafts do
    try:
        os.replace(path, own)
    except FileNotFoundError:
        return {}
    try:
        return read_store(own)
    finally:
        if os.path.isdir(own) == os.path.isdir(f"{path}{GIVEN}"):
            os.replace(own, f"{path}{GIVEN}")


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
# store/note.py: note.json of a session: what the model is to be told of a summary, once.
# ==================================================================================================

NOTE_FILE = "note.json"
NOTE_MAX_UTF16 = 1_200


def take_note(folder: str) -> str:
    """The text of the note that waits in the session's folder, for the one process that renames it; else empty.

    Two installations, or two hooks of one event, hand it over once.
    """
    note = take_store(os.path.join(folder, NOTE_FILE))
    if not note:
        return ""
    return cut(clean(without_delivered(note, delivered_text(folder, text_of(note, "id")))), NOTE_MAX_UTF16)


def delivered_text(folder: str, compaction_id: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    delivered = readable_store(folder, f"delivered-{os.path.basename(compaction_id)}")
    return " ".join(text_of(delivered, "text").split())


def without_delivered(note: JsonObject, delivered: str) -> str:
    """The note's text without the lines of findings whose words of the record were put back; empty when none is left.

    Only here is it known: PostCompact, which writes the note, may come before or after what is put back.
    """
    findings = objects_in(note.get("findings"))
    gone = {text_of(finding, "line") for finding in findings
            if (words := text_of(finding, "record")) and words in delivered}
    lines = [line for line in text_of(note, "text").split("\n") if line not in gone]
    is_all_gone = bool(gone) and gone == {text_of(finding, "line") for finding in findings}
    return "\n".join(lines[1:] if is_all_gone else lines).strip("\n")  # the first line says what the findings are


# ==================================================================================================
# store/session_lock.py: One process at a time in a session's folder: what saves and what puts back take turns.
# ==================================================================================================

LOCK_PATIENCE_SECONDS = 2.0  # that another process is waited for; most take 0.03
LOCK_PAUSE_SECONDS = 0.005  # between two tries
FOLDERS_LOCKED: list[int] = []  # the folder that this process holds, open


def lock_session(folder: str, patience: float = LOCK_PATIENCE_SECONDS) -> bool:
    """Whether this process holds the folder now: until it ends, or lets go of it, or holds another.

    A process that holds it already is waited for at most so many seconds.
    """
    unlock_session()
    try:
        import fcntl
    except ImportError:
        return True
    FOLDERS_LOCKED.append(os.open(folder, os.O_RDONLY))
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(FOLDERS_LOCKED[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(LOCK_PAUSE_SECONDS)
        except OSError:  # no locks on this disk
            return True
        else:
            return True


def unlock_session() -> None:
    """Lets go of what this process holds."""
    while FOLDERS_LOCKED:
        os.close(FOLDERS_LOCKED.pop())


# ==================================================================================================
# store/compaction.py: compaction.json of a session: how far its newest compaction has come, its `stage`.
# ==================================================================================================

COMPACTION_FILE = "compaction.json"
DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
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


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come."""
    path = os.path.join(folder, COMPACTION_FILE)
    refuse_later_version(path)
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


# ==================================================================================================
# store/rest.py: rest.json of a session: the further parts of what is put back after a compaction, until events carry them.
# ==================================================================================================

REST_FILE = "rest.json"
REST_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 300


def leave_rest(folder: str, compaction_id: str, texts: Sequence[str]) -> None:
    """Leaves the further parts of the compaction of that id; where it has none, an earlier compaction's go."""
    path = os.path.join(folder, REST_FILE)
    if not texts:
        remove_rest(folder)
        return
    try:
        refuse_later_version(path)
        replace_store(path, {"id": compaction_id, "text": texts[0], "further": [*texts[1:]]})
    except (OSError, Refusal) as fault:  # the first part goes out all the same
        log(f"the further parts of what is put back are not kept: {fault}")


def remove_rest(folder: str) -> None:
    """Removes parts that nobody has taken: they are an earlier compaction's, as their id tells where they stay."""
    remove_file(os.path.join(folder, REST_FILE), "an earlier compaction's further parts")


def take_rest(folder: str) -> str:
    """The next part that waits, for the one process that renames the file; else empty. Those behind it go on waiting.

    Only what was delivered last has any: before the first part has gone out they stay, after another compaction they
    are nobody's.
    """
    path = os.path.join(folder, REST_FILE)
    if not os.path.exists(path):
        return ""
    try:
        compaction = read_compaction(folder)
        if compaction["stage"] not in DELIVERED_STAGES:
            return ""
        rest = take_store(path)
    except (OSError, Refusal) as fault:
        log(f"the next part of what was put back is not handed over: {fault}")
        return ""
    if not rest or text_of(rest, "id") != compaction.get("id"):
        return ""
    further = [text for text in list_in(rest, "further") if isinstance(text, str)]
    if further:
        leave_rest(folder, compaction["id"], further)
    return cut(clean(text_of(rest, "text")), REST_MAX_UTF16)


# ==================================================================================================
# store/untold.py: untold.json of a session: what the person's own commands have changed or brought in, until an event tells the model.
# ==================================================================================================

UNTOLD_FILE = "untold.json"
UNTOLD_PATIENCE_SECONDS = 0.5  # that another process is waited for, which may be saving


def leave_untold(folder: str, changed: Untold) -> bool:
    """Leaves it for the next event that the model reads, beside what waits already; whether that could be done."""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        add_untold(folder, changed)
    except (OSError, Refusal) as fault:  # the pin is kept, and the person is answered, all the same
        log(f"what the person's command has changed is not left for the model: {fault}")
        return False
    finally:
        unlock_session()
    return True


def add_untold(folder: str, changed: Untold) -> None:
    """Adds it to what waits; whoever takes that meanwhile would have it told twice, so the folder is locked."""
    path = os.path.join(folder, UNTOLD_FILE)
    replace_store(path, {**read_store(path), **changed, "time": time.time()})


def session_waiting(folder: str) -> str:
    """The session whose text waits, all of it; empty where none does, or its first part has gone out."""
    untold = readable_store(folder, UNTOLD_FILE)
    return "" if untold.get("goes_on") or not list_in(untold, "parts") else text_of(untold, "brought_in")


def take_untold(folder: str, room: int) -> str:
    """What waits and fits into so many UTF-16 units, for the one process that renames it; the rest waits on.

    What a compaction's text has brought since is not told: pins, and what was saved of this very session.
    """
    path = os.path.join(folder, UNTOLD_FILE)
    if not os.path.exists(path):
        return ""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        untold = take_store(path)
        texts = texts_in(folder, untold)
        fitting = first_within(texts, room)
        rest = rest_of(untold, texts[len(fitting):])
        if rest["parts"]:
            add_untold(folder, rest)
        if rest["goes_on"]:
            note_read(folder, untold)
    except (OSError, Refusal, TypeError) as fault:
        log(f"what the person's commands have changed is not told: {fault}")
        return ""
    finally:
        unlock_session()
    return "\n\n".join(fitting)


def texts_in(folder: str, untold: Untold) -> list[str]:
    """The texts that wait, the pins first; without what came back with a compaction's text since."""
    compaction = read_compaction(folder) if untold else {}
    came_back_at = compaction.get("settled", 0.0) if compaction.get("stage") in DELIVERED_STAGES else 0.0
    pins = "" if came_back_at > (untold.get("time") or 0.0) else text_of(untold, "pins")
    is_own = text_of(untold, "brought_in") == os.path.basename(folder)
    parts = [] if is_own and came_back_at > untold.get("brought_at", 0.0) else list_in({**untold}, "parts")
    return [clean(text) for text in (pins, *parts) if isinstance(text, str) and text]


def rest_of(untold: Untold, texts: list[str]) -> Untold:
    """What waits on when only these of its texts are left."""
    goes_on = len(texts) < len(list_in({**untold}, "parts"))
    return {"brought_in": text_of(untold, "brought_in"), "brought_at": untold.get("brought_at", 0.0), "parts": texts,
            "goes_on": goes_on, "stopped_at": untold.get("stopped_at", 0.0)}


def note_read(folder: str, untold: Untold) -> None:
    """Notes that the compaction is dealt with at which the session stopped whose text the model reads now.

    Until then any session may bring it in: who typed the command may have ended the client before a prompt.
    """
    session, began = text_of(untold, "brought_in"), untold.get("stopped_at")
    stopped = os.path.join(os.path.dirname(folder), session)
    if not began or not SESSION_ID.match(session) or os.path.islink(stopped):
        return
    try:
        compaction = read_compaction(stopped)
        if compaction.get("stage") == "begun" and compaction.get("time") == began:
            set_stage(stopped, compaction, "brought in")
    except (OSError, Refusal) as fault:
        log(f"that the compaction of session {session} is brought in is not noted: {fault}")


def first_within(texts: list[str], room: int) -> list[str]:
    """The first of the texts that fit together into so many UTF-16 units."""
    count = 0
    while count < len(texts) and units("\n\n".join(texts[:count + 1])) <= room:
        count += 1
    return texts[:count]


# ==================================================================================================
# client/hand_over.py: What waits for the main thread's model is handed over to it: a further part, a note, what the person changed.
# ==================================================================================================

CONTEXT_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 100  # of what one event carries


def in_reading_order(*, lost: str = "", rest: str, untold: str, note: str) -> str:
    """The texts that wait, as the model reads them: first what belongs to the text that was put back, the note last."""
    return "\n\n".join(filter(None, [lost, rest, untold, note]))


def room_beside(*texts: str) -> int:
    """UTF-16 units that an event still carries beside the texts."""
    return CONTEXT_MAX_UTF16 - sum(units(f"{text}\n\n") for text in texts)


def note_what_went_out(data: HookInput, **texts: str) -> None:
    """Adds a line to events.jsonl for each of the texts that is not empty, with the event that carried it."""
    for name, text in texts.items():
        if text:
            note_event(name, data["session_id"], on=data["hook_event_name"], units=units(text))


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
# client/other_scripts.py: What another script of ours answers that is started here and waited for.
# ==================================================================================================

# That a script is waited for: with an answer for the person; with a text that was lost; with what the archive has.
ANSWER_SECONDS, REPAIR_SECONDS, LOOK_UP_SECONDS = 6.0, 8.0, 3.0
SCRIPT_OUTPUT_MAX_BYTES = 8 << 20
FAULT_MAX_UTF16 = 300


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


def script_text(script: str, arguments: Sequence[str], given: JsonObject, patience: float = ANSWER_SECONDS) -> str:
    """What another script of ours answers, what it says is wrong too; refused where it gave no answer."""
    text = script_output(script, arguments, given, patience, with_errors=True).decode("utf-8", "replace").strip()
    if text.startswith("Traceback "):
        fault = quote(text.splitlines()[-1], FAULT_MAX_UTF16)
        log(f"{script} failed: {fault}")
        raise Refusal(f"{script} failed: {fault}")
    if not text:
        raise Refusal(f"{script} gave no answer; is it beside answer_prompt.py?")
    return text


# ==================================================================================================
# own_commands/how_typed.py: How the plugin's own commands are typed: how they begin in this installation, and the options behind them.
# ==================================================================================================

OWN_BEGIN = "/compact-keeper"  # how prompts begin that are for us; recall's words are for the model too
OPTION_SHOWN_UTF16 = 100
NOTHING_DONE = "nothing was done"  # how it is said of a command, before the reason
OPTIONS = {  # that a command knows, with what each is for
    "show": {"why": "what would not be put back, and the reason", "notes": "the session's notes"},
    "stats": {"global": "the figures of all sessions", "report": "writes a page of this session for the browser"},
    "doctor": {"project": "tries the hooks that this project brings"},
    "restore": {"anyway": "brings in what was saved where nothing is missing, too",
                "killed": "of another session of this folder whose compaction has not ended"},
    "status-line": {"remove": "takes the line out again"},
    "pins": {},
}


# A command of ours behind another on its line, and others before it: one that is sent without words is only completed
# by the client, and the next is typed behind it.
SECOND_COMMAND = r"(?:--?\w+\s+|/compact-keeper[:-]\w[\w-]{0,20}\s*(?=/compact-keeper))*(/compact-keeper[:-]\w.*)"
SECOND_SHOWN_UTF16 = 300


def command_prefix() -> str:
    """How the commands of this installation begin: where plugin and copies are both installed, each meets its own."""
    skills = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "skills")
    return f"{OWN_BEGIN}{':' if os.path.isdir(skills) else '-'}"


def options_in(words: str) -> list[str]:
    """The words behind a command that takes options, in small letters and without dashes."""
    return [word.lstrip("-").lower() for word in words.split()]


def refuse_second_command(words: str) -> None:
    """Raises Refusal, with what to type, where another command of ours is all that stands behind a command."""
    second = re.fullmatch(SECOND_COMMAND, words.strip(), re.DOTALL)
    if second and second[1].count(OWN_BEGIN) > 1:
        raise Refusal(f"{NOTHING_DONE}: the line held several commands. Empty it and type the one that you want.")
    if second:
        raise Refusal(f"{NOTHING_DONE}: the line held two commands. Empty it and type "
                      f"`{quote(second[1], SECOND_SHOWN_UTF16)}` once more.")


def refuse_unknown_options(name: str, words: str) -> None:
    """Raises Refusal, with what the command knows, for the first word behind it that is none of its options."""
    if name not in OPTIONS:  # words of the person's own, or a number
        return
    known = OPTIONS[name]
    unknown = [word for word in words.split() if word.lstrip("-").lower() not in (*known, ".")]  # as in "--project ."
    if not unknown:
        return
    options = " and ".join(f'"{option}" ({use})' for option, use in known.items())
    word = quote(unknown[0], OPTION_SHOWN_UTF16)
    raise Refusal(f"{NOTHING_DONE}: {command_prefix()}{name} does not know \"{word}\". "
                  + (f"It knows {options}." if options else f"It stands alone ({command_prefix()}pin TEXT pins)."))


# ==================================================================================================
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def project_folder(data: HookInput) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())


def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


# ==================================================================================================
# machine/repository.py: The repository that a folder is in: its branch, commit and working tree, read from .git; git itself is not started.
# ==================================================================================================

GIT_LINE_MAX_BYTES = 4_096  # of HEAD, a ref, commondir, a .git that is a file


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


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

LEDGER_FILE = "ledger.jsonl"
PROMPT_MAX_UTF16 = 2_000  # of a prompt: longer ones are mostly pasted text, and stand whole once their row has come


def add_to_ledger(session: str, event: LedgerEvent, started: float) -> str:
    """Adds the event, without fields that say nothing; the session's folder.

    `started` is the value of perf_counter when the script was loaded: the line says how long the hook took.
    """
    folder = private_folder("sessions", session)
    line = {"schema": SCHEMA, "time": timestamp(time.time()), **event}
    fields = {name: value for name, value in line.items() if value not in ("", None)}
    fields["hook_ms"] = round((time.perf_counter() - started) * 1000, 1)
    append_line(os.path.join(folder, LEDGER_FILE), json.dumps(fields, ensure_ascii=False))
    return folder


def timestamp(seconds: float) -> str:
    """The moment as the transcript writes it: UTC, milliseconds, sortable as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


# ==================================================================================================
# store/pins.py: Pins: words of the person that stand first, and whole, in everything that is put back.
# ==================================================================================================

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
PINS_SHARE = 0.38  # of the recap's budget: what has no room in it is not pinned


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


class SessionPins:
    """The pins of one session."""

    def __init__(self, session: str, project: str, top_of: Callable[[str], str]) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none; `top_of` its project's."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, SNAPSHOT_FILE)), "project") or project
        self.top = top_of(self.project)

    def in_force(self) -> list[JsonObject]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, (self.project, self.top))

    def add(self, text: str, project: str) -> str:
        """Pins the words, for the sessions of that project or, where it is empty, for this one; returns their id."""
        name = f"{time.time_ns():x}"
        self.note(project, id=name, text=text)
        return name

    def end(self, pin: JsonObject) -> None:
        """Takes the pin off."""
        self.note(text_of(pin, "project"), gone=pin_name(pin))

    def note(self, project: str, **fields: str) -> None:
        """A line in the session's file, or, for the sessions of a project, in that of all."""
        of_project = {"project": project} if project else {}
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **fields, **of_project}
        folder = data_home() if project else self.folder
        append_line(os.path.join(folder, PINS_FILE), json.dumps(line, ensure_ascii=False))


# ==================================================================================================
# store/settings.py: The settings: what there is, what each may be, and which are in force.
# ==================================================================================================

SETTINGS_FILE_MAX_BYTES = 64 << 10
NOT_READ = "it is not used:"  # of a file as a whole
# Why a setting is not used, beside what it takes.
NO_SUCH_SETTING, OWN_ALONE = "there is no such setting", "a project cannot set it, only your config.json"
OFF_ALONE = "a project can only set it to false"
FAULTS_MAX, NAME_SHOWN_UTF16 = 20, 60  # settings that are named as not used
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (28_500, (500, 28_500)),
    "max_items": (800, (20, 2_000)),
    "ttl_minutes": (10, (1, 1_440)),
    "retention_days": (30, (1, 3_650)),
    "tail_bytes": (8 << 20, (64 << 10, 64 << 20)),
    "instructions": (True, ()),
    "gate": ("off", ("off", "hold")),
    "gate_holds": (2, (0, 20)),
    "gate_max": (0.90, (0.0, 0.95)),
    "archive": (True, ()),
    "archive_days": (180, (1, 36_500)),
    "archive_mb": (1_024, (1, 1 << 20)),
    "recall_note": (True, ()),
    "notes": (True, ()),
    "transcript_backup": ("off", ("off", "gzip")),
}
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def default_settings() -> Settings:
    """The settings where no file sets any."""
    values: Any = {name: default for name, (default, _) in SETTINGS.items()}
    settings: Settings = values
    return settings


def settings_for(project: str) -> Settings:
    """The settings in force in the project, "" for none; what a file sets and cannot is named in the log, once."""
    return settings_of(project, lambda path, faults: log_once(f"{path}: {'; '.join(faults)}"))


def settings_of(project: str, complain: Callable[[str, list[str]], None]) -> Settings:
    """The settings of the two files over the defaults; `complain` is told of each file what is not taken in it."""
    settings = default_settings()
    of_project = os.path.join(project, ".claude", "compact-keeper.json") if project else ""
    for path, is_own in ((own_settings_path(), True), (of_project, False)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        taken: Any = {name: value for name, value in values.items() if is_taken(name, value, is_own)}
        settings.update(taken)
        others = [name for name in values if name not in taken and name != "schema"]
        if others:
            complain(path, [f"{quote(name, NAME_SHOWN_UTF16)} is not used: {why_not(name, is_own)}"
                            for name in others[:FAULTS_MAX]])
    return settings


def own_settings_path() -> str:
    """The path of the person's config.json; empty where no data folder is known, as whatever writes says too."""
    try:
        return os.path.join(data_home(), "config.json")
    except Refusal:
        return ""


def is_taken(name: str, value: object, is_own: bool) -> bool:
    """Whether the setting of a file counts: the person's own (`is_own`), or a project's."""
    if name not in SETTINGS or not is_usable(name, value):
        return False
    return is_own or (name in OF_A_PROJECT and (name not in OFF_ONLY or value is False))


def why_not(name: str, is_own: bool) -> str:
    """What is wrong with a setting that is not used, and what it takes."""
    if name not in SETTINGS:
        return NO_SUCH_SETTING
    if not is_own and name not in OF_A_PROJECT:
        return OWN_ALONE
    if not is_own and name in OFF_ONLY:
        return OFF_ALONE
    default, values = SETTINGS[name]
    if isinstance(default, bool):
        return "it is true or false"
    if isinstance(default, str):
        return f"it is {' or '.join(json.dumps(value) for value in values)}"
    return f"it is a {'whole ' * isinstance(default, int)}number from {values[0]:,} to {values[1]:,}"


def read_settings(path: str, complain: Callable[[str, list[str]], None]) -> JsonObject:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except json.JSONDecodeError as fault:
        comma = " (a comma too many before it?)" if fault.doc[:fault.pos].rstrip()[-1:] == "," else ""
        location = f"line {fault.lineno}, column {fault.colno}"
        complain(path, [f"{NOT_READ} {location} is not as JSON has it: {fault.msg}{comma}"])
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(path, [f"{NOT_READ} {fault}"])
    return {}


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]


# ==================================================================================================
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


# ==================================================================================================
# own_commands/pinning.py: The commands that pin words, list what is pinned and take pins off.
# ==================================================================================================

READ_NEXT = " Claude is told with your next message."
NUMBERED_ANEW = "Pins of this session, numbered anew:"
PINS_CHANGED = "compact-keeper: the user has changed what is pinned."
UNTOLD_TILL_THEN = (
    "Other sessions have it from their first compaction on. What Claude is to know from a session's start belongs in "
    "CLAUDE.md.")
SHOWN_UTF16 = 300  # of a pin's words where it is told that they are pinned
FULL_STOPS = (".", "!", "?")
FOR_THE_PROJECT = " (in every session in {})"
PROJECT_SHOWN_UTF16 = 200  # of its folder
QUOTED_OPTION = r"([\"'])(--.*)\1"  # words that begin as an option does
NUMBER_SHOWN_UTF16 = 40  # of what was typed in a number's place
LINE_AROUND_UTF16 = 60  # of a pin's line in the recap, beside its words


def pin(data: HookInput, words: str) -> str:
    """Keeps a pin."""
    return changed_pins(data, lambda pinned: add_pin(pinned, words.strip()))


def unpin(data: HookInput, words: str) -> str:
    """Takes off a pin; the answer lists the others, which have other numbers now, and says so."""
    text = changed_pins(data, lambda pinned: remove_pins(pinned, words.strip()))
    return f"{text}\n{listed_pins(pins_of_session(data), NUMBERED_ANEW)}"


def pins(data: HookInput, _words: str) -> str:
    """The session's pins."""
    return f"compact-keeper: {listed_pins(pins_of_session(data))}"


def pins_of_session(data: HookInput) -> SessionPins:
    """The pins of this hook input's session."""
    return SessionPins(data["session_id"], project_folder(data), project_top)


def changed_pins(data: HookInput, change: Callable[[SessionPins], str]) -> str:
    """Changes the pins, and leaves for the model what is pinned then; returns what the person is told.

    A text that was brought in and waits has pins in it: it is made anew.
    """
    try:
        pinned = pins_of_session(data)
        before = pinned.in_force()
        text = change(pinned)
        after = pinned.in_force()
    except Refusal as fault:
        raise Refusal(f"{NOTHING_DONE}: {fault}") from None
    except OSError as fault:
        raise Refusal(f"{NOTHING_DONE}, as nothing can be kept: {why_not_writable(data_home()) or fault_words(fault)}. "
                      f"{command_prefix()}doctor says what to do.") from None
    if after == before:
        return f"compact-keeper: {text}"
    is_left = leave_untold(pinned.folder, {"pins": f"{PINS_CHANGED} {listed_pins(pinned)}"})
    if session_waiting(pinned.folder):
        script_output("restore_snapshot.py", ["--bring-in-anew", data["session_id"]], {}, ANSWER_SECONDS)
    return f"compact-keeper: {text}{READ_NEXT if is_left and is_in_full_screen() else ''}"


def add_pin(pinned: SessionPins, typed: str) -> str:
    """Pins what was typed; returns what to tell of it. Raises Refusal where there are no words, or no room for them."""
    text, project = words_to_pin(typed, pinned.top)
    if any(pin["text"] == text for pin in pinned.in_force()):
        return "That is pinned already."
    check_room(pinned, text)
    name = pinned.add(text, project)
    names = [pin_name(pin) for pin in pinned.in_force()]
    number = f" {names.index(name) + 1}" if name in names else ""
    till_then = f" {UNTOLD_TILL_THEN}" if project else ""
    return (f"Pinned{number}{for_whom(project)}: {in_quotes(cut(text, SHOWN_UTF16))} (what is pinned stands first in "
            f"what is put back after each compaction).{till_then}")


def words_to_pin(typed: str, top: str) -> tuple[str, str]:
    """The words to pin, safe to keep, and the project that they are for: `top` where that was typed, else empty.

    Raises Refusal, with what to type, where there are none or where another command was meant.
    """
    wide = re.match(r"--project(?:\s+|\Z)", typed)
    if not wide and (option := re.match(r"--[\w-]+", typed)):
        raise Refusal(f"pin does not know \"{quote(option[0], NUMBER_SHOWN_UTF16)}\". It knows \"--project\" "
                      "(for all sessions of this project); to pin words that begin so, put them in quotes.")
    if typed.lower() in ("list", "show", "ls"):
        raise Refusal(f"\"{typed}\" alone is not pinned. {command_prefix()}pins lists what is.")
    text = without_quotes(redact(clean(typed[wide.end():] if wide else typed)).strip())
    if not text:
        raise Refusal("type the words to pin behind the command.")
    return text, top if wide else ""


def without_quotes(text: str) -> str:
    """The words without the quotes around them, where these only keep them from being read as an option."""
    quoted = re.fullmatch(QUOTED_OPTION, text, re.DOTALL)
    return quoted[2] if quoted else text


def check_room(pinned: SessionPins, text: str) -> None:
    """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
    budget, most, taken = room_of_pins(pinned)
    left = most - taken - LINE_AROUND_UTF16
    if units(text) > left:
        beside, do = (" beside what is pinned", "Take a pin off (unpin NUMBER), pin") if taken else ("", "Pin")
        raise Refusal(
            f"no room for a pin of {units(text):,} characters: a `budget` of {budget:,} leaves "
            f"{max(left, 0):,}{beside}. {do} fewer words{how_to_raise(budget)}. "
            "If the line still holds the words, empty it before you type.")


def how_to_raise(budget: int) -> str:
    """What else than fewer words makes room for pins: a larger budget, where it is not the largest; else empty."""
    most = SETTINGS["budget"][1][1]
    return "" if budget == most else f", or raise `budget` (up to {most:,}) in {own_settings_path()}"


def room_of_pins(pinned: SessionPins) -> tuple[int, int, int]:
    """How long the text may be that is put back, how many characters of pins in it, and how many there are."""
    budget = settings_for(pinned.project)["budget"]
    taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in pinned.in_force())
    return budget, int(PINS_SHARE * budget), taken


def remove_pins(pinned: SessionPins, typed: str) -> str:
    """Takes off the pins of the numbers that were typed, as they were listed; returns what to tell of it.

    Raises Refusal, and takes none off, where a number is no pin's.
    """
    in_force, numbers = pinned.in_force(), numbers_in(typed)
    if not numbers or not all(0 < number <= len(in_force) for number in numbers):
        what = f"{quote(typed, NUMBER_SHOWN_UTF16)!r} is no pin's number." if typed else "name a pin by its number."
        raise Refusal(f"{what} {listed_pins(pinned)}")
    taken_off = [in_force[number - 1] for number in numbers]
    for pin in taken_off:
        pinned.end(pin)
    off, last = ", ".join(map(pin_shown, taken_off)), taken_off[-1]
    has_stop = clean(last["text"]).endswith(FULL_STOPS) and "project" not in last
    return f"Not pinned any more: {off}{'' if has_stop else '.'}"


def listed_pins(pinned: SessionPins, heading: str = "Pins of this session:") -> str:
    """The pins that hold, numbered, each with where it holds."""
    rows = [f"{number}. {pin_shown(pin)}" for number, pin in enumerate(pinned.in_force(), 1)]
    if not rows:
        return "Nothing is pinned."
    budget, most, taken = room_of_pins(pinned)
    if taken > most:
        rows.append(f"They have {taken:,} characters, of which {most:,} come back whole with a `budget` of "
                    f"{budget:,}: unpin one{how_to_raise(budget)}.")
    return "\n".join([heading, *rows])


def pin_shown(pin: JsonObject) -> str:
    """A pin's words, and where it holds."""
    return f"{in_quotes(clean(pin['text']))}{for_whom(text_of(pin, 'project'))}"


def for_whom(project: str) -> str:
    """The words behind a pin that holds in every session of a project; empty behind one of this session's."""
    return FOR_THE_PROJECT.format(quote(project, PROJECT_SHOWN_UTF16)) if project else ""


def numbers_in(typed: str) -> list[int]:
    """The numbers that were typed, each once: "2", "#2", "2 1", "1, 3", "1-2"; none where anything else stands."""
    numbers: dict[int, None] = {}
    for part in re.split(r"[\s,]+", typed.strip(" ,")):
        span = re.fullmatch(r"#?(\d{1,4})(?:-#?(\d{1,4}))?", part)
        if not span:
            return []
        numbers.update(dict.fromkeys(range(int(span[1]), int(span[2] or span[1]) + 1)))
    return list(numbers)


# ==================================================================================================
# own_commands/setting_up.py: The commands that try the installation and put the status line into the settings: install.py does the work.
# ==================================================================================================

DOCTOR_SECONDS = 12.0  # that it is waited for: it starts every hook several times


def doctor(data: HookInput, words: str) -> str:
    """What install.py's doctor finds where the session's folder is: it tries the whole loop, which takes seconds.

    Hooks that the project brings are tried with "project", and where they have asked for this.
    """
    project = copied_for() or (project_folder(data) if "project" in options_in(words) else "")
    return script_text("install.py", ["doctor", *(["--project", project] if project else [])], {}, DOCTOR_SECONDS)


def status_line(_data: HookInput, words: str) -> str:
    """Puts the status line into the person's settings, of a project's copies into the project's; "remove": out."""
    where = ["--project", copied_for()] if copied_for() else []
    more = ["--remove"] if "remove" in options_in(words) else []
    return script_text("install.py", ["status-line", *where, *more], {})


def copied_for() -> str:
    """The project into whose .claude install.py has copied this script; empty for the user's copies, and the plugin."""
    folder = os.path.dirname(os.path.abspath(__file__))
    config = os.path.dirname(os.path.dirname(folder))
    is_copied = folder.endswith(os.path.join("", ".claude", "hooks", "compact-keeper"))
    is_users = os.path.realpath(config) == os.path.realpath(config_folder())
    return os.path.dirname(config) if is_copied and not is_users else ""


# ==================================================================================================
# text/hints.py: The paragraphs by which a text that is put back says what does not stand in it; they do not count as its budget.
# ==================================================================================================

ASK_BEGINS = "The original words, commands and errors of earlier turns can be found: "
LACKING_ENDS = " had no room here"
MORE_STEPS = " on record without a line"  # for want of room, or as a later one has overtaken it
LACKING = rf"\d+ (?:(?:pin|rule|failed check)[^\n]*?{LACKING_ENDS}|more steps?{MORE_STEPS})"
HINT = rf"\n\n(?:{re.escape(ASK_BEGINS)}|{LACKING})[^\n]*"


def without_hints(text: str) -> str:
    """The text without these paragraphs."""
    return re.sub(HINT, "", text)


# ==================================================================================================
# own_commands/showing.py: The commands that show something, or bring in what was saved: other scripts do the work.
# ==================================================================================================

SCREEN_ROWS = 20  # of a text behind which its beginning may be out of sight
BEGINS_WITH = "It begins with what you type and what Claude does."
NOTHING_YET = f"compact-keeper: nothing to put back yet. {BEGINS_WITH}"
PINS_ALONE = f"compact-keeper: nothing is recorded yet. {BEGINS_WITH} What would be put back is pinned:"
NOTHING_COUNTED = f"compact-keeper: nothing is kept of this session yet. {BEGINS_WITH}"
NOTES_ARE_OFF = "The setting `notes` is off: this is what was kept before."
NOTES_ARE_OF_LAST_SAVE = "As of the last save: what was typed or pinned since comes in when the next turn ends."


def show(data: HookInput, words: str) -> str:
    """What would be put back now, under how much that is; with "why" each line's reason, with "notes" the notes."""
    options = options_in(words)
    if "notes" in options:
        return notes_of(data["session_id"])
    folder = session_folder(data["session_id"])
    if not os.path.isfile(data["transcript_path"]) and not os.path.exists(os.path.join(folder, SNAPSHOT_FILE)):
        return nothing_yet(data)
    return what_would_come_back(data, "why" in options)


def nothing_yet(data: HookInput) -> str:
    """That nothing is recorded yet, with the pins that would be put back all the same."""
    pinned = pins_of_session(data)
    return listed_pins(pinned, PINS_ALONE) if pinned.in_force() else NOTHING_YET


def what_would_come_back(data: HookInput, with_reasons: bool) -> str:
    """What restore_snapshot.py would put back of the session as of now."""
    command, fault = command_prefix(), why_not_writable(data_home())
    if fault:
        raise Refusal(f"nothing can be kept, so nothing would be put back: {fault}. {command}doctor says what to do.")
    if not data["transcript_path"]:
        raise Refusal("the client named no transcript of this session")
    printed = script_text("save_snapshot.py", ["--dry-run", data["transcript_path"]], {})
    snapshot = json_object("".join(printed.splitlines()[-1:]))  # behind what COMPACT_KEEPER_DEBUG makes it log
    if not snapshot:
        return printed
    if snapshot.get("items") == []:
        return nothing_yet(data)
    if with_reasons:
        why = script_text("restore_snapshot.py", ["--show", "--why"], snapshot)
        return f"{why}\n\nThe text itself: `{command}show`."
    text = script_text("restore_snapshot.py", ["--show"], snapshot)
    own = len(without_hints(text))
    hints = f", and {len(text) - own:,} on how to ask recall" if len(text) > own else ""
    length = f"{own:,} of {snapshot['settings']['budget']:,} characters, about {own // UNITS_PER_TOKEN:,} tokens,"
    more = f"What would not come back: `{command}show why`. Notes for a person: `{command}show notes`."
    figures = f"{length} would be put back if the session were compacted now{hints}. {more}"
    if text.count("\n") > SCREEN_ROWS:
        return f"If the session were compacted now, Claude would then read:\n\n{text}\n\n{figures}"
    return f"{figures} Claude would then read:\n\n{text}"


def notes_of(session: str) -> str:
    """The session's notes, as save_snapshot.py keeps them."""
    path = os.path.join(session_folder(session), NOTES_PAGE)
    is_kept = settings_for("")["notes"]
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            text = file.read(SCRIPT_OUTPUT_MAX_BYTES).decode("utf-8", "replace").strip()
            text = without_escapes(text) if is_in_full_screen() else text
            return f"{NOTES_ARE_OF_LAST_SAVE if is_kept else NOTES_ARE_OFF}\n\n{text}"
    except (OSError, Refusal):
        why = f" yet; the first turn that ends writes {path}" if is_kept else ": the setting `notes` is off"
        raise Refusal(f"no notes of this session{why}") from None


def without_escapes(text: str) -> str:
    """The notes as one reads them where Markdown is not drawn: without its escapes, but in code, and its comment."""
    return re.sub(r"(`+)[^`].*?\1(?!`)|\A<!--.*?-->\n|\\(?=[<\]])", lambda part: part[0] if part[1] else "", text)


def stats(data: HookInput, words: str) -> str:
    """The session's figures, with "global" those of all; with "report" where the page of the session was written."""
    session, options = data["session_id"], options_in(words)
    is_page = "report" in options
    given = ["report", session] if is_page else ["stats", "--global" if "global" in options else session]
    text = script_text("stats.py", given, {})
    is_nothing_known = text.startswith(f"compact-keeper: {NOTHING_KNOWN} {session};")
    if is_nothing_known or text.splitlines()[1:2] == [NO_EVENT]:  # of these only pins were looked at
        return NOTHING_COUNTED
    return f"A page on this session, for a browser: {text}" if is_page else text


def bring_in(data: HookInput, words: str) -> str:
    """What restore_snapshot.py brings in: it leaves the text for the model, and prints it for the person.

    With "anyway" where nothing is missing, too; with "killed" of another session whose compaction has not ended.
    """
    return script_text("restore_snapshot.py", ["--bring-in", data["session_id"], *options_in(words)[:1]], {})


# ==================================================================================================
# store/session_marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

FORK_MARK = "forked"  # of a session that the client has begun as a fork, and calls so (2.1.329 and 2.1.330)


# ==================================================================================================
# own_commands/answering.py: Which of the plugin's own commands a prompt is, and how its answer reaches the person and the model.
# ==================================================================================================

# A prompt that was pasted and not typed, as the client gives it (2.1.330). A command that is all of it is meant; behind
# it another may stand, as the client puts a command that it blocked, and that was pasted, back into the line.
PASTED_WHOLE = r"\s*<pasted_content id=\"(\w{1,20})\">(.*)</pasted_content id=\"\1\">\s*(/compact-keeper[:-]\w.*)?"
ANSWER_HEAD = "compact-keeper's answer:\n\n"
WORDS_MAX_CHARACTERS = 2_000  # of what is looked for: more words find no more
HIT_STEP = r"^\d+\. .*? · (show \d+#\d+)(?: · .*)?$"  # how recall names the place of a hit
ANSWER_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 100  # for a model
SWITCHED_OFF = ("compact-keeper is switched off in this session (COMPACT_KEEPER_OFF is set): nothing is kept, put back "
                "or shown. Start Claude Code without COMPACT_KEEPER_OFF to switch it on.")
RECALL_WHILE_OFF = ("compact-keeper is switched off in this session (COMPACT_KEEPER_OFF is set): what recall finds, "
                    "Claude gets, and you do not see.")
FORK_NOT_READ = ("this session is a fork, and Claude Code has not written its transcript yet, so what "
                 "its parent knew and pinned is not here yet. It comes with the next command or prompt: ask once more.")
NEEDING_RECORD = ("show", "pins", "unpin")  # commands about what a fork has from its parent; `pin` works without it
READING_ALONE = ("pins", "stats", "restore")
ANSWERS: dict[str, Callable[[HookInput, str], str]] = {  # by the command's name; given the words behind it
    "pin": pin, "unpin": unpin, "pins": pins, "show": show, "stats": stats, "restore": bring_in, "doctor": doctor,
    "status-line": status_line}


def answer_command(data: HookInput) -> bool:
    """Whether the prompt was a command that is met here; then the client has been told."""
    name, words = own_command(data)
    if not name:
        return False
    try:
        refuse_second_command(words)
        refuse_unknown_options(name, words)
        refuse_file_as_folder(name)
        begin_fork(data, name)
        text = ANSWERS[name](data, words)
    except (OSError, Refusal) as fault:
        text = f"compact-keeper: {fault_words(fault)}"
    if is_in_full_screen():
        block_with(text)
    else:
        context = untold_changes(data["session_id"]) or f"{ANSWER_HEAD}{cut(text, ANSWER_MAX_UTF16)}"
        to_person = {"systemMessage": text} if name in ("pin", "unpin") else {}
        print_answer("UserPromptSubmit", {"additionalContext": context}, **to_person)
    return True


def show_hits(data: HookInput) -> None:
    """Shows the person what recall finds for the words behind its command, where that is the prompt.

    Claude has it from the skill and answers from it; nobody else saw what that was. As a message, as Claude goes on;
    without words what is to be named, in place of a request.
    """
    typed = typed_recall(data)
    if not typed:
        return
    words = (typed[1] or "").strip()[:WORDS_MAX_CHARACTERS]
    hits = script_output("recall.py", ["ask", "--", words], {}, LOOK_UP_SECONDS)
    text = clean(hits.decode("utf-8", "replace")).strip()
    if not words:
        block_with(text)  # there is nothing to answer: it costs no request
    elif text:
        step = re.search(HIT_STEP, text, re.MULTILINE)
        more = f"\n`{command_prefix()}recall {step[1]}` shows that step whole." if step else ""
        print_answer("UserPromptSubmit", {}, systemMessage=f"{text}{more}")


def typed_recall(data: HookInput) -> re.Match[str] | None:
    """The match of recall's command, with the words behind it, where a person sees what hooks say of it; else None."""
    begin = command_prefix().replace(":", "[: ]")
    typed = re.match(rf"\s*{begin}recall(?:\s+(\S.*)|\s*\Z)", text_of(data, "prompt"), re.DOTALL)
    return typed if is_in_full_screen() else None


def refuse_file_as_folder(name: str) -> None:
    """Raises Refusal, with what to do, where something else stands in the data folder's place.

    For commands that only read of it: the others say so of a folder that cannot be written in, too.
    """
    if name in READING_ALONE and os.path.lexists(data_home()) and not os.path.isdir(data_home()):
        raise Refusal(f"nothing can be kept, so nothing is known: {why_not_writable(data_home())}. "
                      f"{command_prefix()}doctor says what to do.")


def untold_changes(session: str) -> str:
    """What the command has changed, as the model is told it; empty where no data folder is known."""
    try:
        return take_untold(session_folder(session), ANSWER_MAX_UTF16)
    except Refusal:
        return ""


def begin_fork(data: HookInput, name: str) -> None:
    """Before the first answer in a fork: has its parent's record and pins taken over; refused where that cannot be yet.

    A fork has its parent's lines, and so its record, from its first prompt or command on; its first save comes later.
    """
    if name not in (*NEEDING_RECORD, "pin"):
        return
    try:
        folder, transcript = session_folder(data["session_id"]), data["transcript_path"]
    except Refusal:  # no data folder can be known: the command says what that means for it
        return
    if os.path.exists(os.path.join(folder, MEMORY_FILE)):
        return
    if os.path.isfile(transcript):
        script_output("save_snapshot.py", ["--fork", transcript, data["session_id"]], {}, ANSWER_SECONDS)
    elif name in NEEDING_RECORD and os.path.exists(os.path.join(folder, FORK_MARK)):
        raise Refusal(FORK_NOT_READ)


def own_command(data: HookInput) -> tuple[str, str]:
    """The command that is met here and the words behind it; empty where the prompt is none.

    Another command may stand right behind it, as where the client swallowed the key that was to send the first. With a
    space for the colon the client takes it for the plugin's command too, and hands over what was typed (2.1.332).
    """
    begin, names = command_prefix(), "|".join(ANSWERS)
    typed_begin = begin.replace(":", "[: ]")
    command = rf"\s*{typed_begin}({names})(?:(?:\s+|(?={begin}(?:{names}|recall)\b))(.*))?\Z"
    pasted = re.fullmatch(PASTED_WHOLE, text_of(data, "prompt"), re.DOTALL)
    typed = re.match(command, pasted[2] if pasted else text_of(data, "prompt"), re.DOTALL)
    behind = pasted[3] if pasted else None
    return (typed[1], behind or typed[2] or "") if typed else ("", "")


def block_with(text: str) -> None:
    """Shows the text to the person in place of a request; suppressOriginalPrompt is known from 2.1.197 on."""
    print_answer("UserPromptSubmit", {"suppressOriginalPrompt": True}, decision="block", reason=text)


def say_that_it_is_off(data: HookInput) -> None:
    """The hook while it is switched off: a command of ours is answered with that, so that it costs no request.

    The client runs recall's skill all the same.
    """
    if data["hook_event_name"] != "UserPromptSubmit":
        return
    if typed_recall(data):
        print_answer("UserPromptSubmit", {}, systemMessage=RECALL_WHILE_OFF)
    elif not own_command(data)[0]:
        return
    elif is_in_full_screen():
        block_with(SWITCHED_OFF)
    else:
        print_answer("UserPromptSubmit", {"additionalContext": f"{ANSWER_HEAD}{SWITCHED_OFF}"})


# ==================================================================================================
# store/unasked.py: The mark `unasked` of a session: the compaction after which no prompt has asked the archive yet.
# ==================================================================================================

UNASKED_FILE = "unasked"
UNASKED_MAX_BYTES = 1_000  # an id, or those of several compactions without a prompt between them


def take_unasked(folder: str) -> str:
    """The newest compaction's id, for the one process that removes the mark; else empty.

    Of two installations' processes only one looks the prompt up.
    """
    mark = os.path.join(folder, UNASKED_FILE)
    if not os.path.exists(mark):
        return ""
    try:
        with os.fdopen(open_regular(mark, os.O_RDONLY | NO_LINK), "rb") as file:
            ids = file.read(UNASKED_MAX_BYTES).decode("utf-8", "replace").split()
        os.unlink(mark)
    except FileNotFoundError:
        return ""
    except (OSError, Refusal) as fault:
        log(f"the archive is not searched: {fault}")
        return ""
    return ids[-1] if ids and re.match(COMPACTION_ID, ids[-1]) else ""


# ==================================================================================================
# the script: Meet a prompt: keep its words, answer the plugin's own commands, tell the model what waits.
# ==================================================================================================

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
NAME_MAX_UTF16 = 100
OWN_BEGIN_MAX_CHARACTERS = 200  # of a prompt, in which a command of ours begins: it may stand in the client's wrapper
OF_THE_CLIENT = ("<task-", "<teammate-")  # how prompts begin that no person typed: 2.1.250 tells so of a subagent's end
ANSWER_FIELDS = {"hookSpecificOutput", "systemMessage"}  # that restore_snapshot.py may print at a prompt
HITS_LEAST_ROOM_UTF16 = 300  # that a note has to leave for what the archive has


def meet(data: HookInput) -> None:
    """The hook: the prompt's words are kept; what is ours is answered; the model is told what waits."""
    if data["hook_event_name"] != "UserPromptSubmit":
        return
    prompt = text_of(data, "prompt").lstrip()
    is_own, is_by_client = prompt.startswith(OWN_BEGIN), prompt.startswith(OF_THE_CLIENT)
    if OWN_BEGIN in prompt[:OWN_BEGIN_MAX_CHARACTERS] and answer_command(data):
        return
    folder = session_folder(data["session_id"])
    if not is_by_client:
        folder = keep_words(data)
    if is_own:
        show_hits(data)
    elif not text_of(data, "agent_id") and os.path.isdir(folder):
        tell_the_model(data, folder, is_by_client)


def keep_words(data: HookInput) -> str:
    """Adds the prompt's words to the session's ledger, secrets replaced; returns the session's folder."""
    words = cut(redact(clean(text_of(data, "prompt"))), PROMPT_MAX_UTF16)
    agent = quote(text_of(data, "agent_id"), NAME_MAX_UTF16)
    return add_to_ledger(data["session_id"], {"event": "prompt", "text": words, "agent": agent}, STARTED)


def tell_the_model(data: HookInput, folder: str, is_by_client: bool) -> None:
    """Prints what was lost, or the next part that waits; the note, with what the archive has on a first prompt.

    Where a lost text leaves no room for the others in what one event carries, they wait for the next; a further part
    does so beside a note, which may hold what the archive has on this very prompt. The note, and what the person has
    changed, wait for words that a person typed.
    """
    answer = repaired(data, folder)
    lost = text_of(answer.get("hookSpecificOutput", {}), "additionalContext")
    note = rest = untold = ""
    if not is_by_client and units(lost) <= CONTEXT_MAX_UTF16 - NOTE_MAX_UTF16:
        note = note_with_hits(data, folder)
    if not lost and not note:
        rest = take_rest(folder)
    if not is_by_client:
        untold = take_untold(folder, room_beside(lost, rest, note))
    if rest or note or untold:
        text = in_reading_order(lost=lost, rest=rest, untold=untold, note=note)
        answer = {**answer, "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}
    if answer:
        print_json(answer)
    note_what_went_out(data, rest=rest, note=note, untold=untold)


def note_with_hits(data: HookInput, folder: str) -> str:
    """The note that waits, and what the archive has on this prompt where it is the first after a compaction."""
    hits = looked_up(data, folder)
    note = take_note(folder)
    if hits and units(note) < NOTE_MAX_UTF16 - HITS_LEAST_ROOM_UTF16:
        return cut("\n\n".join(filter(None, [note, hits])), NOTE_MAX_UTF16)
    return note


def repaired(data: HookInput, folder: str) -> JsonObject:
    """What restore_snapshot.py answers where a delivery still waits for its receipt: mostly nothing."""
    try:
        compaction = read_compaction(folder)
    except (OSError, Refusal) as fault:  # a note that waits goes out all the same
        log(f"what was put back is not looked for: {fault}")
        return {}
    if not is_waiting(compaction) and not is_waiting(compaction.get("earlier", {})):
        return {}
    given = {name: text_of(data, name) for name in ("session_id", "transcript_path", "cwd", "hook_event_name")}
    printed = script_output("restore_snapshot.py", [], given, REPAIR_SECONDS).strip()
    answer = json_object(printed)
    if printed and not (answer and answer.keys() <= ANSWER_FIELDS):
        log(f"restore_snapshot.py printed {len(printed)} bytes that are no answer at a prompt")
        return {}
    return answer


def looked_up(data: HookInput, folder: str) -> str:
    """What the archive has on this prompt, the first after a compaction; empty at any other."""
    compaction_id = take_unasked(folder)
    if not compaction_id or not os.path.exists(os.path.join(data_home(), ARCHIVE_FILE)):
        return ""
    fields = ("session_id", "transcript_path", "cwd", "hook_event_name", "prompt")
    given = {**{name: text_of(data, name) for name in fields}, "compaction": compaction_id}
    return clean(script_output("recall.py", ["first-prompt"], given, LOOK_UP_SECONDS).decode("utf-8", "replace"))


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    return run_hook_or_help(meet, argv, __doc__, say_that_it_is_off)


if __name__ == "__main__":
    raise SystemExit(main())
