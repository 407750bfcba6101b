#!/usr/bin/env python3
r"""Record one event of a Claude Code session in the session's ledger, and hand over what waits for the model.

A hook for PostToolUse, PostToolUseFailure, SubagentStart and SubagentStop. At a tool call the plugin has two
commands: with --record, which runs beside the work ("async"), only the first is done; with --hand-over only the second,
where a shell's own test (hooks/waiting) says that something waits. Without either both are.

Reads   the hook's JSON on stdin (at most 4 MB).
Writes  one line to sessions/<session_id>/ledger.jsonl in the data folder, with one write call,
        so that parallel hooks lose nothing: time, event, tool, path or command, ok, exit code,
        first telling line of an error, duration, subagent, tool id; the task and the last words
        of a subagent. While a compaction has begun, what the client's own summariser answered
        (a SubagentStop without agent_type): sessions/<session_id>/summary.json, for the restore.
Prints  nothing; when a further part of what restore_snapshot.py puts back waits, or a note of
        audit_summary.py's, that, once, for the model: in the middle of a turn, after a tool call of
        the main thread.
Keeps   secrets out: what looks like a key, a token or a password becomes "[redacted: kind]"
        before anything is written. The ledger is private (0600) and only ever appended to.

Why a ledger beside the transcript: the client writes the transcript late. At an automatic
PreCompact the last tool results and the newest prompt are often not in the file yet, and
subagents' edits never are (measured with clients 2.1.150 and 2.1.329).

The data folder is $COMPACT_KEEPER_HOME, else $CLAUDE_CONFIG_DIR/compact-keeper, else
~/.claude/compact-keeper. COMPACT_KEEPER_OFF=1 switches the hook off; COMPACT_KEEPER_DEBUG=1
sends its log lines to stderr too.

To use a copy of this file alone, put it into a project's .claude/hooks and this into its
.claude/settings.json (the same entry for the other three events, the matcher for the two
PostToolUse ones only); each tool call then waits as long as Python takes to start:

    {"hooks": {"PostToolUse": [{"matcher": "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|Task|Agent",
      "hooks": [{"type": "command", "timeout": 5,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/record_event.py\" || true"}]}]}}

Exits 0, whatever happens: a fault of ours must not cost the user anything. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/record_event.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import add
from sys import maxsize

VERSION = "0.27.0"  # of the plugin that this script came with


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
# client/call_output.py: What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name.
# ==================================================================================================

EXIT_CODE = r"Exit code (\d{1,3})\b"


def exit_code_in(output: str) -> int | None:
    """The exit code with which a failed command's output begins; None: it names none."""
    code = re.match(EXIT_CODE, output)
    return int(code[1]) if code else None


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

OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def set_aside(path: str, most: int) -> None:
    """Sets a file of more bytes aside, beside it, so that it begins anew; the one that was set aside before goes."""
    if size_of(path) > most:
        try:
            os.replace(path, f"{path}{OLD_ENDING}")
        except FileNotFoundError:  # another hook has just done it
            return


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

CLIENT_CUTS_AT_UTF16 = 10_000  # what one hook says to the model (measured)
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
# text/fields.py: Fields of JSON objects that others have written.
# ==================================================================================================

def text_of(record: Mapping[str, Any], name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str:
    """The text of the first of these fields that has one; empty where none has."""
    return next(filter(None, (text_of(record, name) for name in names)), "")


def list_in(record: Mapping[str, Any], name: str) -> list[Any]:
    """The field's list; empty when it is missing or something else."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


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
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults


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


def add_untold(folder: str, changed: Untold) -> None:
    """Adds it to what waits; whoever takes that meanwhile would have it told twice, so the folder is locked."""
    path = os.path.join(folder, UNTOLD_FILE)
    replace_store(path, {**read_store(path), **changed, "time": time.time()})


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
CARRIERS = ("PostToolUse", "PostToolUseFailure")  # what hooks print at these events the model reads at once


def hand_over(data: HookInput, folder: str) -> None:
    """Prints what waits in the session's folder, where the main thread's model reads it."""
    event = data["hook_event_name"]
    if event not in CARRIERS or text_of(data, "agent_id"):
        return
    rest = take_rest(folder)
    note = "" if rest else take_note(folder)  # a long rest leaves it no room: it waits for the next event
    untold = take_untold(folder, room_beside(rest, note))
    if rest or note or untold:
        print_answer(event, {"additionalContext": in_reading_order(rest=rest, untold=untold, note=note)})
        note_what_went_out(data, rest=rest, note=note, untold=untold)


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
# client/late_summary.py: Whether a summary that a hook brings is one that the transcript has already: then it comes behind its compaction.
# ==================================================================================================

SUMMARY_MARK = b'"isCompactSummary":true'
TAIL_BYTES = 8 << 20  # of a transcript's end, in which the summary before lies


def is_in_transcript(summary: str, transcript: str) -> bool:
    """Whether every line of the summary stands in a summary's row at the transcript's end.

    The next summary repeats some lines of it, never all.
    """
    lines = [json.dumps(line.strip(), ensure_ascii=False)[1:-1].encode("utf-8", "replace")
             for line in summary.splitlines()]
    return any(SUMMARY_MARK in row and all(line in row for line in lines)
               for _, row in lines_from(transcript, 0, TAIL_BYTES))


# ==================================================================================================
# client/tools.py: The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read.
# ==================================================================================================

# The tools that change a file, each with the fields of its call: the file's path; the text that goes and the one that
# comes in its place, in each member of a list where the tool makes several edits; the whole of a new file or cell.
CHANGING_FIELDS: dict[str, dict[str, str]] = {
    "Edit": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "MultiEdit": {"path": "file_path", "edits": "edits", "old": "old_string", "new": "new_string"},
    "Write": {"path": "file_path", "content": "content"},
    "NotebookEdit": {"path": "notebook_path", "content": "new_source"}}
PATH_FIELDS = (*dict.fromkeys(fields["path"] for fields in CHANGING_FIELDS.values()), "path")  # of any tool's call


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

LEDGER_FILE = "ledger.jsonl"


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
# store/summary.py: summary.json of a session: what the client's summariser wrote, as SubagentStop brings it before SessionStart.
# ==================================================================================================

SUMMARY_FILE = "summary.json"
SUMMARY_MAX_CHARACTERS, SUMMARY_MIN_CHARACTERS = 60_000, 200  # a shorter answer is another of the client's own agents


def keep_if_begun(folder: str, summary: str) -> None:
    """Keeps a summary, redacted, where a compaction of the session has begun; no other."""
    if read_compaction(folder).get("stage") == "begun":
        path = os.path.join(folder, SUMMARY_FILE)
        refuse_later_version(path)
        replace_store(path, {"time": time.time(), "text": redact(clean(summary[:SUMMARY_MAX_CHARACTERS]))})


def summary_in(answer: str) -> str:
    """The summary in the summariser's answer, without what it thought before."""
    begin = answer.find("<summary>")
    inner = answer[begin + len("<summary>"):] if begin >= 0 else answer
    return inner.partition("</summary>")[0].strip()


# ==================================================================================================
# text/powershell.py: Errors as PowerShell prints them: a message, and rows on where it came from and of what kind it is.
# ==================================================================================================

ERROR_SIGN = "+ FullyQualifiedErrorId "
FRAME = r"\s*(?:\+ |At .{1,300}:\d{1,7} char:\d{1,5}\s*$)"


def is_powershell_error(text: str) -> bool:
    """Whether an error of PowerShell's stands in the text."""
    return ERROR_SIGN in text


def without_frames(rows: Sequence[str]) -> list[str]:
    """The rows of an output with such an error but for those on where it came from; all, where there are no others.

    The kind holds the word "Exception", so that it had stood in place of the message.
    """
    return [row for row in rows if not re.match(FRAME, row)] or [*rows]


# ==================================================================================================
# text/telling.py: What the output of a call says of how it ended.
# ==================================================================================================

TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error"
    r"|unknown|unrecogni[sz]ed|invalid")
OUTPUT_MAX_CHARACTERS, HEAD_CHARACTERS, TAIL_CHARACTERS = 16_000, 12_000, 4_000  # of a long output both ends are read
# In an answer in JSON below an error that says only its number, why.
CAUSE_IN_JSON = r'"(?:message|detail|error_description)" ?: ?"([^"\\]{3,160})"'
LINE_MAX_CHARACTERS, QUOTED_MAX_UTF16 = 2_000, 240


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= OUTPUT_MAX_CHARACTERS:  # no half of a word at the cut: half a token is not recognised
        head = re.sub(r"\S{1,999}\Z", "", output[:HEAD_CHARACTERS])
        tail = re.sub(r"\A\S{1,999}", "", output[-TAIL_CHARACTERS:])
        output = f"{head}\n{tail}"
    whole = redact(clean(re.sub(r"</?tool_use_error>", "", output)))
    lines = [line.strip()[:LINE_MAX_CHARACTERS] for line in whole.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    if is_powershell_error(whole):
        lines = without_frames(lines)
    matches = (index for pattern in TELLING for index, line in enumerate(lines) if re.search(pattern, line))
    at = next(matches, len(lines) - 1)
    below = lines[at + 1] if at + 1 < len(lines) else ""
    cause = re.search(CAUSE_IN_JSON, below) if below.startswith("{") else None
    return quote(": ".join([*lines[at:at + 1], *([cause[1]] if cause else [])]), QUOTED_MAX_UTF16)


# ==================================================================================================
# the script: Record one event of a Claude Code session in the session's ledger, and hand over what waits for the model.
# ==================================================================================================

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
COMMAND_MAX_UTF16 = 1_000  # a here-document's body tells nothing after its first lines
TASK_MAX_UTF16 = 500  # what a subagent was told, and its last words
NAME_MAX_UTF16, JOB_MAX_UTF16 = 100, 500
TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
SUBAGENT_EVENTS = ("SubagentStart", "SubagentStop")


def record(data: HookInput) -> None:
    """The hook: appends the event to the session's ledger, and tells the model what waits; passes other events over."""
    folder = record_alone(data)
    if folder:
        hand_over(data, folder)


def record_alone(data: HookInput) -> str:
    """Appends the event to the session's ledger; the session's folder, empty where the event is none to record."""
    event = event_of(data)
    if not event:
        if is_by_summariser(data):
            keep_summary(data)
        return ""
    event["agent"] = quote(text_of(data, "agent_id"), NAME_MAX_UTF16)
    return add_to_ledger(data["session_id"], event, STARTED)


def keep_summary(data: HookInput) -> None:
    """Keeps what may be the summary of the compaction that has begun; one that is known is a line in hook.log."""
    summary = summary_in(text_of(data, "last_assistant_message"))
    if len(summary) < SUMMARY_MIN_CHARACTERS:
        return
    if is_in_transcript(summary, data["transcript_path"]):
        log("a summary is not kept: it stands in the transcript already, as that of a compaction that is over")
    else:
        keep_if_begun(private_folder("sessions", data["session_id"]), summary)


def hand_over_alone(data: HookInput) -> None:
    """Tells the model what waits for it in the session's folder."""
    hand_over(data, private_folder("sessions", data["session_id"]))


def event_of(data: HookInput) -> LedgerEvent:
    """The ledger's line for what the client tells of; empty for what is not recorded."""
    name = data["hook_event_name"]
    if name in TOOL_EVENTS:
        return tool_event(data)
    if name in SUBAGENT_EVENTS:
        return subagent_event(data)
    return {}


def is_by_summariser(data: HookInput) -> bool:
    """Whether it may be the answer of the client's own summariser: an agent without a type has ended."""
    return data["hook_event_name"] == "SubagentStop" and not text_of(data, "agent_type")


def tool_event(data: HookInput) -> LedgerEvent:
    """A tool call: what it ran or changed, and how it ended."""
    given = data.get("tool_input")
    call: JsonObject = given if isinstance(given, dict) else {}
    failed = data["hook_event_name"] == "PostToolUseFailure"
    event: LedgerEvent = {
        "event": "tool",
        "tool": quote(text_of(data, "tool_name"), NAME_MAX_UTF16),
        "path": quote(first_text(call, PATH_FIELDS), COMMAND_MAX_UTF16),
        "command": quote(text_of(call, "command"), COMMAND_MAX_UTF16),
        "task": quote(text_of(call, "prompt"), TASK_MAX_UTF16),
        "output": background(data.get("tool_response")),
        "ok": not failed,
        "id": quote(text_of(data, "tool_use_id"), NAME_MAX_UTF16),
    }
    if failed:
        event.update(failure(text_of(data, "error"), data.get("is_interrupt") is True))
    return event


def background(response: object) -> str:
    """What was started in the background, told as the client tells it: its id and output file."""
    started = response if isinstance(response, dict) and response.get("status") != "completed" else {}
    job = text_of(started, "backgroundTaskId") or text_of(started, "agentId")
    output = text_of(started, "outputFile")
    if not job:
        return ""
    return quote(f"in background with ID: {job}{' written to: ' if output else ''}{output}", JOB_MAX_UTF16)


def failure(error: str, interrupted: bool) -> LedgerEvent:
    """Exit code and first telling line of a failed call; the client writes "Exit code 3" as its first line."""
    return {"exit": exit_code_in(error), "error": telling_line(error),
            "interrupted": interrupted or None}


def subagent_event(data: HookInput) -> LedgerEvent:
    """A subagent's start or end; the client's own agents have no type and are left out."""
    if not text_of(data, "agent_type"):
        return {}
    return {
        "event": "subagent",
        "ended": data["hook_event_name"] == "SubagentStop",
        "said": quote(text_of(data, "last_assistant_message"), TASK_MAX_UTF16),
    }


PARTS: dict[str, Callable[[HookInput], object]] = {  # by the option that asks for one alone
    "--record": record_alone, "--hand-over": hand_over_alone}


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    arguments = sys.argv[1:] if argv is None else argv
    parts = [PARTS[name] for name in arguments if name in PARTS]
    return run_hook_or_help(parts[0] if parts else record, arguments, __doc__)


if __name__ == "__main__":
    raise SystemExit(main())
