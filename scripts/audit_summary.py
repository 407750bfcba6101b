#!/usr/bin/env python3
r"""Audit the summary that a compaction wrote: what it says that the record contradicts, and what it leaves out.

A hook for PostCompact. One pipeline: read summary, memory and what came after it -> compare what is certain on both
sides -> leave out what was put back anyway -> note.
Reads   the hook's JSON on stdin, compact_summary in it; sessions/<session_id>/memory.json, snapshot.json, pins.jsonl,
        ledger.jsonl, delivered-<id> (the text that was put back); of the working folder whether at most 40 files exist.
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
# Version 0.22.0, made by `make build` from src/audit_summary.py; change it there.
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
from functools import cache, cached_property, lru_cache, partial
from itertools import accumulate, dropwhile, groupby, islice, takewhile
from operator import add
from sys import maxsize

VERSION = "0.22.0"  # of the plugin that this script came with


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


def start_alone(command: list[str], given: bytes = b"") -> None:
    """Starts the command with that stdin, in a process group of its own, its output nowhere; nobody waits for it.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if command and hasattr(os, "posix_spawn") and len(given) <= INPUT_MAX_BYTES:
        spawn(command, given, is_alone=True)


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
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

MIDDLE_GONE = "[… lines that the record does not keep]"
PLAN_MAX_UTF16 = 32_000  # of the newest plan: eleven of 42 had over 8,000, the longest 28,700
OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


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
        return text[:max(limit - 1, 0)].rstrip() + "…"
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + "…"


def before_space(text: str) -> str:
    """The text without its last word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.rpartition(" ")[0] or text


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def behind_space(text: str) -> str:
    """The text without its first word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.partition(" ")[2] or text


def without_middle(text: str, most: int) -> str:
    """The text; of one with more UTF-16 units whole lines of its beginning and its end, with MIDDLE_GONE between.

    A plan says at its end how it is to be checked.
    """
    if units(text) <= most:
        return text
    room = (most - units(MIDDLE_GONE) - 2) * len(text) // units(text)  # as characters
    first, _, _ = text[:room * 3 // 5].rpartition("\n")
    _, _, last = text[-room * 2 // 5:].partition("\n")
    return cut(f"{first}\n{MIDDLE_GONE}\n{last}" if first and last else text, most)


def ends_of_output(output: str) -> str:
    """The output; of a long one the whole lines of its beginning and its end.

    Of one long line its beginning up to a space: a secret that is cut in half would not be known as one.
    """
    if len(output) <= OUTPUT_HEAD_CHARACTERS + OUTPUT_TAIL_CHARACTERS:
        return output
    head = output[:OUTPUT_HEAD_CHARACTERS]
    first = head.rpartition("\n")[0] or head.rpartition(" ")[0]
    _, _, last = output[-OUTPUT_TAIL_CHARACTERS:].partition("\n")
    return f"{first}\n{last}"


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
MARKS_IN_ALL = (1 << 24) - 3  # a prime: of other runs one in eight million has the mark of one of the ends
REPLACEMENT = "[redacted]"


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


def marks_of(run: str) -> set[str]:
    """What stands on disk for the run's two ends."""
    ends = run[:NAMED_RUN_CHARACTERS], run[-NAMED_RUN_CHARACTERS:]
    return {f"{int.from_bytes(end.encode(), 'big') % MARKS_IN_ALL:06x}" for end in ends}


def marks_with(known: Iterable[str]) -> list[str]:
    """The marks known before, with those of what this process has seen named."""
    return sorted({*known}.union(*map(marks_of, named_runs())))


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else REPLACEMENT.ljust(len(match[0]), "*")
    return re.sub(NAMED_RUN, hidden, text) if marks else text


def all_without_marked(value: Any, marks: Collection[str]) -> Any:
    """The JSON value with each of its texts so, in copies; however deep it is, as a call's answers may be.

    Without marks it is the value itself: most sessions name no secret.
    """
    if not marks:
        return value
    whole = [value]
    waiting: list[Any] = [whole]
    while waiting:
        here = waiting.pop()
        for key, part in [*(here.items() if isinstance(here, dict) else enumerate(here))]:
            if isinstance(part, str):
                here[key] = without_marked(part, marks)
            elif isinstance(part, (dict, list)):
                here[key] = part.copy()
                waiting.append(here[key])
    return whole[0]


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


def has_word(text: str, word: str) -> bool:
    """Whether the text holds the word, not only as a part of another."""
    if word not in text:
        return False
    size = len(word)
    return any(not is_word_sign(text[begin - 1:begin]) and not is_word_sign(text[begin + size:begin + size + 1])
               for begin in places_of(word, text))


def places_of(part: str, text: str) -> Iterator[int]:
    """Where in the text the part begins, each behind the end of the one before."""
    begin = text.find(part)
    while begin >= 0:
        yield begin
        begin = text.find(part, begin + len(part))


def is_word_sign(sign: str) -> bool:
    """Whether a single character is a letter, a digit or an underscore."""
    return sign.isalnum() or sign == "_"


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
          r"|(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:(?:store|key)?pass|pwd|pw|auth|(?<=[?&])sig)|amz-signature")
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
    r"your(?:[_-][a-z]{1,12}){0,6}?[_-](?:key|token|secret|password|passphrase|here)(?![\w.!@#$%^&*+/=-])")
PLACEHOLDER_IN_URL = (  # as .env.example has it; behind it no second `@`, before which more of a value would stand
    r"(?:<[A-Z_]{0,20}(?:PASS|PASSWORD|SECRET|TOKEN|KEY|USER)>|\$\{[A-Z_]{1,40}\})@(?![^\s/'\"]*@)")
CODE_LOCATION = r"[\w@-][\w@.-]{0,40}(?:/[\w@-]{1,60}){1,9}(?:\.[a-z]{1,5}){1,3}:\d{1,6}(?![\w:/@.-])"  # src/a2.ts:84
NEVER = (  # no value, or a location
    rf"(?!\[redacted|[$<*{{(%]|(?:\.\.\.|…)(?=[\s\"'`,;)\]}}<]|\Z)|{PLACEHOLDER}|{CODE_LOCATION}|(?:true|false|null|same-origin)\b|{TYPE_NAMES}|{FROM_ENVIRONMENT}|(?:password|token)[\"'`])")
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
     r"(?P<keep>(?:curl\b[^\n]{0,300}? (?:-u|--user)|https?\b[^\n]{0,300}? -a)[ =]?[\"']?[^\s:\"']+:"
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


def name_offsets(lower: str) -> tuple[list[int] | None, list[int] | None]:
    """Where in a text in lower case those of NAMES stand that a value follows, written and spoken: few do.

    None: it may follow anywhere.
    """
    if holds_any(lower, ("configure set", "ſ", "ı", "i̇")):  # the letters are s and i to patterns
        return None, None
    if "password" in lower and ("login" in lower or "user" in lower):
        return None, None
    offsets, spoken_offsets, is_plain = list[int](), list[int](), "\\" not in lower
    names = [*names_in_text(lower)]
    if not names:
        return [], []
    written, spoken, option = map(re.compile, (BEHIND_NAME, BEHIND_SPOKEN, BEHIND_OPTION))
    for name, offset in names:
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


def names_in_text(lower: str) -> Iterator[tuple[str, int]]:
    """Those of NAMES that may be names in a text in lower case, with their offsets; not in "author" and "design"."""
    for name in NAMES:
        offset = lower.find(name)
        while offset >= 0:
            before = lower[max(offset - 12, 0):offset]
            if name == "key":
                is_name = before.endswith("_") or before.rstrip(" _-").endswith(KEY_OWNERS)
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
    tokens = " ".join(filter(may_hold_token, words))
    if not tokens and not holds_any(lower, first_hints(lower.isascii())):
        return
    may_be_changed = False  # by what a pattern before replaced
    for kind, hints, *patterns in SECRETS:
        where = tokens if kind == "token" else lower if patterns[0].startswith("(?i)") else text
        if where and holds_any(where, hints):
            yield from ((kind, pattern, None) for pattern in patterns)
            may_be_changed = True
    if holds_any(lower, NAMES):
        written, spoken = name_offsets(lower) if len(lower) == len(text) else (None, None)
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
# Control sequences and the carriers of hidden text.
HIDDEN = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."
    r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\ufe0e\ufe10-\uffff].)")
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


def forget_named_secrets() -> None:
    """Forgets what the texts read so far have named, before those of another session are read.

    With the lines that are quoted already: of those nothing would be known that they name.
    """
    named_runs().clear()
    quote.cache_clear()


def quote_all(texts: Sequence[str], limit: int) -> list[str]:
    """Each of these short texts as `quote` has it; that none holds a secret, as nearly always, is seen at once."""
    lines = [*map(joined, texts)]
    whole = "\n".join(lines)
    if len(whole) > READ_MORE_CHARACTERS * READ_TIMES_LIMIT or next(patterns_for(whole), None):
        return [quote(line, limit) for line in lines]
    return [cut(line, limit) for line in lines]


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())


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
# store/refusal.py: The one exception of ours.
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
MEMORY_FILE = "memory.json"  # of a session, what a save has read of it: see memory.py
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
# store/disk.py: Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end.
# ==================================================================================================

# How the names of files end that SQLite keeps beside an open one. They come with whoever asks, and are written back and
# gone then: with them `recall stats` had said 366 KB, and `stats --global` a second later 70.
BESIDE_DATABASE = ("-wal", "-shm")


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


def end_of(path: str, size: int) -> bytes:
    """The file's last so many bytes; none where it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, Refusal):
        return b""


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
    try:
        return time.strftime("%H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return "an unknown time"


def age_in_words(seconds: float, has_days: bool = True) -> str:
    """How long that is, from hours on in the largest unit of which two are over: `90 min`, `25 h`, `2 days`.

    Without `has_days` it stays with hours: `93 h`.
    """
    seconds = max(seconds, 0)
    for below, unit, size in ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600)):
        if seconds < below or (unit == "h" and not has_days):
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds // 86_400:.0f} days"


def moment_named(words: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", words):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    try:
        return datetime.fromisoformat(words.replace("Z", "+00:00")).timestamp()
    except ValueError:
        raise ValueError("it takes a day (2026-11-21), a moment, or an age (12h, 7d, 2w)") from None


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
# record/summary/statements.py: What a compaction's summary states: its sentences below their headings, without its analysis and code; English alone.
# ==================================================================================================

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
SAID_MAX_UTF16, PIECE_BEFORE_CHARACTERS = 160, 60
CODE_BLOCK = r"(?m)^[ \t]*```.*\n(?:.*\n)*?(?:[ \t]*```.*$|.*\Z)"
HEADING_LINE = (r"(?=#|.*:$|(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$)"
                r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?$")
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
END_IN_LINE = r"[.!?][)\]\"”]*\s+(?=\S)"
NO_SENTENCES_IN = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes
ROW_MARKS = ":;,!?()[]|–—→…=<§\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"), *zip("“”„«»", "\"\"\"\"\""),
             ("; only ", "; "), (" and marked ", "; marked "), ("there are uncommitted changes in ", "uncommitted: "),
             ("there are uncommitted changes", "uncommitted: git status"), (" when the summary was requested", ""))
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


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def statements_of(summary: str) -> list[Statement]:
    """The sentences that tell how things are now: neither code, quotes, headings nor what is of others or planned."""
    sentences: list[tuple[str, str, int]] = []
    heading, table, about = "", "", set[str]()
    for index, full in enumerate(re.sub(CODE_BLOCK, "", body_of(summary)).split("\n")[:LINES_MAX]):
        line = full.strip()[:STATEMENT_MAX_CHARACTERS]
        may_be_title = full[:1] != " " and (line[:1] == "#" or line[-1:] in (":", "*"))
        title = re.match(HEADING_LINE, line) if may_be_title else None
        if title:
            heading = title[1].lower()
            about = {*heading.replace("/", " ").split()}
        if title or not line or line[0] == ">":
            continue
        table = (table or line.lower()) if line[0] == "|" else ""  # its first row: of before, or of a plan
        is_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about and PRESENT.isdisjoint(
            re.findall(r"\w+", line.lower()))
        if OF_OTHERS.isdisjoint(about) and not is_past and OPEN_WORDS.isdisjoint(table.split()):
            sentences += [(text, heading, index) for text in sentences_in(re.sub(LIST_MARK, "", line))]
    rows = as_rows([text for text, _, _ in sentences])
    return [{"line": text, "row": f" {row} ", "heading": heading, "line_index": index}
            for (text, heading, index), row in zip(sentences, rows)]


def sentences_in(line: str) -> list[str]:
    """The line's sentences, without emphasis."""
    line = line.replace("**", "")
    if not re.search(END_IN_LINE, line):  # of most lines
        return [line]
    masked = re.sub(NO_SENTENCES_IN, lambda match: "…" * len(match[0]), line)
    ends = [match.end() for match in re.finditer(END_IN_LINE, masked)]
    return [line[begin:end].rstrip() for begin, end in zip([0, *ends], [*ends, len(line)])]


def as_rows(texts: Sequence[str]) -> list[str]:
    """Each text as a row: in lower case, its marks as words of their own, without emphasis."""
    text = "\n".join(texts).lower()  # at once: one alone costs 4 µs
    for mark, instead in (*REWRITTEN, *((mark, f" {mark} ") for mark in ROW_MARKS)):
        text = text.replace(mark, instead)
    return [" ".join(row.split()) for row in re.sub(r"\.(?=\s|\Z)", " .", text).split("\n")]


def as_names(texts: Sequence[str]) -> list[str]:
    """Each text as it stands in a row as a name: without the mark at its end."""
    return [row.rstrip(" .?") for row in as_rows([" ".join(text.split()) for text in texts])]


def codes_in(statements: Sequence[Statement], pattern: str) -> dict[str, str]:
    """By name what stands between backticks in the statements and is of the pattern."""
    texts = re.findall(r"`([^`\n]{1,300})`", "\n".join(statement["line"] for statement in statements))
    codes = [code for code in dict.fromkeys(texts) if re.fullmatch(pattern, code)]
    return dict(zip(as_names([f"`{code}`" for code in codes]), codes))


def piece_around(text: str, name: str, before: int = 0) -> str:
    """The text; of one too long to be quoted what stands around a name, from about 60 characters before it on.

    The name is as it stands in rows; `before` is how many times it stands there before the one meant. A line of five
    sentences was cut to "Curren…" where "Current branch: `develop`." was wrong.
    """
    if units(text) <= SAID_MAX_UTF16:
        return text
    text = quote(text, 2 * units(text))  # redacted before it is cut
    pattern = r"\s*".join(map(re.escape, name.split()))
    offsets = [match.start() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]
    offset = offsets[min(before, len(offsets) - 1)] if offsets else 0
    return f"… {text[text.find(' ', offset - PIECE_BEFORE_CHARACTERS, offset) + 1 or offset:]}" if (
        offset > PIECE_BEFORE_CHARACTERS) else text


# ==================================================================================================
# record/summary/claims.py: What a line claims: that a thing which it names is in a state, with nothing said beside it.
# ==================================================================================================

SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
SET_APART = r"`[^`\n]{0,300}`\S*|\" [^\"]{12,400} \""  # code of which nothing is known, words in quotes
CLAUSE_END, IN_BRACKETS = r"((?: [:;,()\[\]|–—→-])+) ", r"\( ([^()]+) \)"
VERBS, REASON_BEGINS = frozenset("is are has have does do".split()), frozenset("the it i we".split())  # "is open: it"
STEM = 5  # letters by which a word is one of its thing's name: "upgrading", "upgrade"
MAY_COME_FIRST = frozenset((  # before their thing, where others describe it or order: "clean tree", "open #2"
    "completed finished done closed created added wrote deleted removed committed pushed ✅ ✓ ❌ ☑ ☐").split())
COUNT = r"(?<! in)(?<! on) (?:[1-9]\d*|(\d+)/\1)(?= )"
DENIALS = frozenset("no not never without isn't aren't hasn't haven't doesn't don't wasn't weren't".split())
OPPOSITES = {"passing": "failing", "failing": "passing", "completed": "open", "committed": "uncommitted",
             "uncommitted": "committed", "pushed": "unpushed", "unpushed": "pushed"}
SMALL_WORDS = frozenset((
    "a all also already and any are as been being both current currently do does everything fully finally finds has "
    "have i is it its last latest longer marked my now on our ran remains reports repository result results run "
    "running shows state status still targets task tasks that the these this todo verification verified we whole "
    "with works yet 9 \""
    ).split())


def claims_in(statements: Sequence[Statement], names: Mapping[str, str],
              states: Mapping[str, str]) -> list[tuple[Statement, str, str]]:
    """Each statement with the thing of which it claims a state, and the state.

    `names` gives things by their names, `states` by each state its phrases, with strokes between them. A longer phrase
    goes before one that is a part of it. A thing of which two states are told has had its course.
    """
    known = sorted(names, key=len, reverse=True)
    state_of = {phrase: state for state, words in states.items() for phrase in words.split("|")}
    phrases = sorted(state_of, key=len, reverse=True)
    begins, signs = {name.partition(" ")[0] for name in known}, {max(phrase.split(), key=len) for phrase in phrases}
    claims: list[tuple[Statement, str, str]] = []
    for statement in statements:
        row, words = statement["row"], statement["row"].split()
        if begins.isdisjoint(words) or signs.isdisjoint(words):  # most: the rest takes ten times as long
            continue
        here = [name for name in known if name in row]
        for name in here:
            row = row.replace(f" {name} ", f" §{names[name]} ")
        things = {word[1:] for word in row.split() if word[0] == "§"}
        own = {word[:STEM] for name, thing in names.items() if thing in things for word in re.findall(r"\w+", name)}
        row = re.sub(COUNT, " 9", row)
        for phrase in [phrase for phrase in phrases if phrase in row and phrase[:STEM] not in own]:
            row = row.replace(f" {phrase} ", f" {'=' if phrase in MAY_COME_FIRST else '<'}{state_of[phrase]} ")
        row = re.sub(SET_APART, "…", row).strip()
        parts = [*row.split(" ; "), *re.findall(IN_BRACKETS, row)] if OPEN_WORDS.isdisjoint(row.split()) else []
        for part in [part for part in parts if "§" in part]:
            for thing, state in claims_of(part, own):
                spelling = next(name for name in here if names[name] == thing)
                before = row.partition(part)[0].split().count(f"§{thing}")
                claims.append(({**statement, "line": piece_around(statement["line"], spelling, before)}, thing, state))
    states_of = Counter(thing for thing, _ in {(thing, state) for _, thing, state in claims})
    return [(statement, thing, state) for statement, thing, state in claims if states_of[thing] == 1]


def claims_of(sentence: str, own: Set[str]) -> Iterator[tuple[str, str]]:
    """The things of which a sentence or part claims a state, each with it; `own`: how words of their names begin."""
    statement, _, reason = sentence.partition(" : ")
    has_verb = not VERBS.isdisjoint(statement.partition("§")[2].split())
    whole = statement if has_verb and not REASON_BEGINS.isdisjoint(reason.split()[:1]) else sentence
    pieces = re.split(CLAUSE_END, f" ( {whole.strip(' .;!')} ")
    clauses = [clause_of(mark, words.split(), own) for mark, words in zip(pieces[1::2], pieces[2::2])]
    is_heading = any(clause["mark"] == " :" and (clause["says_more"] or not clause["things"] | clause["states"])
                     for clause in clauses[1:])
    if is_heading:  # "Done: the first half"
        return
    joined: list[Clause] = []
    for clause in takewhile(lambda clause: not clause["says_more"], clauses):
        is_of_same = joined and clause["things"] in (set(), joined[-1]["things"])
        if is_of_same and ("," not in clause["mark"] or joined[-1]["states"]):
            joined[-1]["states"] |= clause["states"]  # "#2 (done)"; "9 passed, 1 failed" are two
        else:
            joined.append(clause)
    for before, clause in zip([clauses[0], *joined], joined):
        if not before["things"] and re.search(r"[:\]]", clause["mark"]):
            clause["states"] |= before["states"]  # "[done] #2"
        if len(clause["states"]) == 1:
            yield from ((thing, state) for thing in sorted(clause["things"]) for state in clause["states"] if state)


def clause_of(mark: str, words: list[str], own: Set[str]) -> Clause:
    """What a clause holds, which the mark parts from the one before; `own` words are of a name."""
    things = [word for word in words if word[0] == "§" and len(word) > 1]
    states = [word for word in words if word[0] in "=<" and len(word) > 1]
    is_denied = not DENIALS.isdisjoint(words)
    before = takewhile(lambda word: word not in (*things, *states), words if "(" in mark else ())
    names = {word for word in before if {piece[:STEM] for piece in re.findall(r"\w+", word) or [word]} <= own}
    rest = {*words} - {*things, *states} - SMALL_WORDS - DENIALS - (names if things or len(names) > 1 else set())
    is_before = things and states and states[0][0] == "<" and words.index(states[0]) < words.index(things[0])
    return {"mark": mark, "things": {word[1:] for word in things},
            "states": {OPPOSITES.get(word[1:], "") if is_denied else word[1:] for word in states},
            "says_more": bool(rest or is_before or (is_denied and not states))}


# ==================================================================================================
# text/paths.py: Paths, whatever system they come from: in one form, whole or not, below a folder, the same file.
# ==================================================================================================

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
SHELL_DRIVE = r"/[A-Za-z]/"
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
# Not within a URL or behind a host: `sqlite:////srv/app/data.db` without the folder is a path that is not whole.
PATH_BEGINS = r"(?<![\w/.:@~-])"
STEM_MIN_CHARACTERS = 8  # of a file's name without its end, to be known by that alone
WITH_FOLDER = 2  # of a path's last parts: the file with its folder
NAMES_IN_BRACES = r"(?<![\w./\\@+-])([\w./\\@+-]{0,200})\{([^{}\n]{1,600})\}([\w./@+-]{0,200})"
NUMBERED_NAMES = r"(?<![\w./\\-])([\w./\\-]{0,200}?)(\d{1,9}(?:/\d{1,9}){1,60})(\.\w{1,8})\b"
NO_SIGN_OF_PATH = r"[^\w@./-]"
HOME_FOLDER = r"(?:[A-Za-z]:)?/(?:root|home/[^/]+|[Uu]sers/[^/]+)/"  # of a person, as the paths below it begin


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(PARTED_BY_BACKSLASHES, path) else path


def with_drive(path: str) -> str:
    """The path; as Git's shell on Windows writes it (`/c/Users`) with the drive as others do (`C:/Users`).

    Tests that passed in the one stood beside a failure of theirs in the other, which was told as open.
    """
    is_of_shell = path[2:3] == "/" and re.match(SHELL_DRIVE, path) is not None
    return f"{path[1].upper()}:{path[2:]}" if is_of_shell else path


def forms_of_folder(folder: str) -> list[str]:
    """How a text may begin the paths below a folder: with slashes, of Windows with backslashes, and as Git's shell."""
    whole = with_end_slash(with_slashes(folder))
    if not re.match(DRIVE, whole):
        return [whole]
    return [whole, whole.replace("/", "\\"), f"/{whole[0].lower()}{whole[2:]}"]


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
    return f"{path}/".startswith(with_end_slash(folder))


def without_folder(text: str, folder: str) -> str:
    """The text with the paths below a folder, which ends with a slash, as seen from there."""
    return re.sub(PATH_BEGINS + re.escape(folder), "", text) if folder and folder in text else text


def from_root(path: str, root: str) -> str:
    """One path as seen from the root; as it is where it lies elsewhere."""
    return path.removeprefix(with_end_slash(root))


def whole_path(path: str, folder: str) -> str:
    """The path as a whole one, seen from the folder."""
    return os.path.normpath(path if is_whole_path(path) else with_end_slash(folder) + path)


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def is_named_in(name: str, text: str) -> bool:
    """Whether a text has a file's name; of one like GoogleOAuthUtil.kt also where it has that without its end."""
    if name and name in text and not all(is_in_longer_name(name, text, begin) for begin in places_of(name, text)):
        return True
    stem = name.partition(".")[0]
    return len(stem) >= STEM_MIN_CHARACTERS and not stem.islower() and has_word(text, stem)


def names_in_lists(text: str) -> str:
    """The names that a text writes as one, each whole on a line: `src/{a, b}.py` and `page3/4/7.png`."""
    names = list[str]()
    for form, between in ((NAMES_IN_BRACES, ","), (NUMBERED_NAMES, "/")):
        for begin, differing, end in re.findall(form, text):
            names += [f"{begin}{part.strip()}{end}" for part in differing.split(between)]
    return "\n".join(names)


def is_in_longer_name(name: str, text: str, begin: int) -> bool:
    """Whether the name that stands there in a text goes on, before it or behind it, as that of another file."""
    end = begin + len(name)
    before, behind, next_but_one = text[begin - 1:begin], text[end:end + 1], text[end + 1:end + 2]
    goes_on = is_word_sign(behind) or behind == "-" or (behind == "." and is_word_sign(next_but_one))
    return goes_on or is_word_sign(before) or before in (".", "-")


def is_path_named_in(path: str, text: str) -> bool:
    """Whether a text names the file, by its name alone or with folders in which it lies."""
    name = file_name(path)
    if not is_named_in(name, text):
        return False
    words = [text[:begin].rpartition(" ")[2] for begin in places_of(name, text)]
    mentions = [re.split(NO_SIGN_OF_PATH, word)[-1] + name for word in words]
    return not mentions or any(ends_in(path, mention.lstrip("./")) for mention in mentions)


def last_parts(path: str, count: int) -> str:
    """A path by its last parts: it is told from another folder at times."""
    return "/".join(path.split("/")[-count:])


def ends_in(path: str, end: str) -> bool:
    """Whether the path, seen from some folder, is the one at its end."""
    return f"/{path}".endswith(f"/{end}")


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = path.removeprefix("./"), other.removeprefix("./")
    return ends_in(path, other) or ends_in(other, path)


def may_name(word: str, path: str) -> bool:
    """Whether a word of a command may name the path, seen from some folder, a folder above it or what is below it.

    In letters of either size: on Windows and macOS these are the same file. A folder's path ends with a slash.
    """
    word, path = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/").lower(), path.lower()
    if not word:
        return False
    is_below_path = path.endswith("/") and f"/{path}" in f"/{word}"
    return same_file(word, path) or file_name(path) == file_name(word) or f"/{word}/" in f"/{path}/" or is_below_path


def are_apart(folder: str, other: str) -> bool:
    """Whether two folders, each empty where it is not known, certainly lie in none of one another."""
    are_known = is_whole_path(folder) and is_whole_path(other)
    return are_known and not is_below(folder, other) and not is_below(other, folder)


# ==================================================================================================
# record/summary/file_claims.py: What a summary says of files that the disk has otherwise.
# ==================================================================================================

FILE_STATES = {"created": "created|added|wrote|new file|was created|was added",
               "deleted": "deleted|removed|was deleted|was removed", "missing": "does not exist yet"}
PATH = (
    r"(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's words on a file created or deleted, where the disk lacks it or has it; what it is for ends them.

    Not where a command may have moved it after its last edit, or before.
    """
    rows = [each["row"].replace(" with ", " — … ").replace(" created for the ", " created — … ").replace(
        " the obsolete ", " ") for each in statements]
    meant: list[Statement] = [{**statement, "row": row} for statement, row in zip(statements, rows)
                              if NOT_YET.isdisjoint(statement["heading"].split())]
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in claims_in(meant, paths, FILE_STATES) if files else ():
        edits = [action["position"] for action in actions if action.get("edits") and ends_in(action["path"], path)]
        last_edit = max(edits, default=-1)
        if state == "created" and files.get(path) is False and max(moves, default=-1) <= last_edit:
            yield statement["line"], f"the disk has no {path} now"
        if state in ("deleted", "missing") and files.get(path) and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def paths_in(statements: Sequence[Statement]) -> dict[str, str]:
    """The paths in the statements, by their names in rows: in backticks, or with a folder."""
    words = {word.strip(".,;:()") for statement in statements if "/" in statement["line"]
             for word in statement["line"].split() if "/" in word}
    bare = {word.lower(): word for word in sorted(words) if re.fullmatch(PATH, word)}
    return {**bare, **codes_in(statements, PATH)}


# ==================================================================================================
# audit/facts.py: What git and the disk say now of what a summary names.
# ==================================================================================================

GIT_MAX_SECONDS, PATHS_LOOKED_AT_MAX = 0.2, 200  # PostCompact is waited for


def facts_for(summary: str, folder: str, since: str, items: Sequence[Item]) -> Facts:
    """Git's state in the folder, with the commits after `since`; which of the summary's files exist."""
    known: dict[str, set[str]] = {}
    for path in {item["path"] for item in items if item.get("path")}:
        known.setdefault(os.path.basename(path), set()).add(path)
    paths = [*dict.fromkeys(paths_in(statements_of(summary)).values())][:PATHS_LOOKED_AT_MAX]
    files = {path: exists(folder, known.get(os.path.basename(path), ()), path) for path in paths}
    return {"git": git_now(folder, since, GIT_MAX_SECONDS) if folder else {}, "files": files}


def exists(folder: str, known: Iterable[str], path: str) -> bool | None:
    """Whether the file exists; None where it is not sure which one it is: told from a folder below, or of several."""
    candidates = [whole for whole in known if whole.endswith(f"/{path}")]
    whole = candidates[0] if candidates else os.path.normpath(os.path.join(folder, path))
    if len(candidates) > 1 or not os.path.isabs(whole) or not os.path.isdir(folder):
        return None
    if os.path.lexists(whole):
        return True
    top = path.partition("/")[0]
    is_sure = bool(candidates) or (top != path and os.path.isdir(os.path.join(folder, top)))
    return False if is_sure else None


# ==================================================================================================
# store/json_files.py: JSON files: ours, and as they are the client's and the person's.
# ==================================================================================================

FILE_MAX_BYTES = 8 << 20
GIVEN = ".given"  # the ending of a file that was handed over


def json_object(text: bytes | str) -> JsonObject:
    """The object that the text is, as JSON; empty when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_json(path: str) -> JsonObject:
    """The object of a file of the client's or the person's; empty when there is none, or it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return json_object(file.read(FILE_MAX_BYTES))
    except (OSError, Refusal):
        return {}


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
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > LOG_MAX_BYTES:
            os.replace(path, path + ".1")
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), "hook.log"), LOOKED_BACK_BYTES).splitlines()
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
# text/marks.py: Texts of others between marks of ours, which nothing in them closes; the marks of their questions.
# ==================================================================================================

QUESTION_MARKS = ("?", "？", "؟")
OPEN_QUESTION = r"\?(?=[\s\"'”»)*_\]]|\Z)|[？؟]"  # a question's mark, none of an address or of a pattern


def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


def as_code(text: str) -> str:
    """The text as inline code that no ticks in it close."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"


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


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)


# ==================================================================================================
# store/ledger.py: ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event.
# ==================================================================================================

LEDGER_FILE = "ledger.jsonl"
FOLDED_LEDGER_FILE = "ledger.folded.jsonl"  # as a save renames it once it has read all: see client/ledger_reading.py
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
# store/memory.py: memory.json of a session: whether it is as a save leaves it, before anything works with what is in it.
# ==================================================================================================

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
RECORD_FORMAT = 18  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "outputs": dict, "pending": list,
    "seen": list, "roots": list, "ledgers": dict, "named": list, "scheduled": list,
    "typed": list, "queue": list, "dequeued": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    "is_by_ledger": bool, "is_by_editor": bool, "is_silent": bool, "picks_one": bool, "is_stash_kept": bool,
    "is_in_background": bool, "is_signalled": bool, "is_cached": bool, "is_behind_calls": bool,
    "has_more_failed": bool, "has_lost_result": bool, "met_no_test": bool,
    "pushed": dict,
    **dict.fromkeys(("options", "hits", "limits", "conflicts", "earlier", "evidence", "tokens", "sides", "same",
                     "ordered", "stashed", "private", "lacking", "ends", "rows", "away",
                     "commits_before", "nothing_to", "failed_names", "typed_before"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "made", "picks", "refused", "sender", "own", "detail", "owner",
                     "port", "environ", "by", "pid", "also", "family", "commit", "subject", "branch", "begun",
                     "remark", "push_refused",
                     "finished", "pattern", "trigger", "tag", "seen_old", "seen_time", "agent", "ticket",
                     "typed_at", "broken_off", "command_error", "by_agent", "folder", "follows", "opened", "attached",
                     "taken_back", "described", "turn_began"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record", "more", "seen_at",
                     "taken_back_at", "exit_code", "tool_calls"), int)}
WORD_LISTS = ("options", "hits", "limits", "conflicts", "evidence", "sides", "same", "ordered",
              "stashed", "private", "lacking", "rows", "nothing_to", "failed_names")  # of texts
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


def usable_memory(path: str) -> Memory:
    """The session's memory; empty where it is of another format, or, kept beside, where no save could work with it."""
    memory: Any = read_store(path)
    if memory and memory.get("record") != RECORD_FORMAT and "items" in memory:
        return {}
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    usable: Memory = {} if why else memory
    return usable


def sound_memory(path: str) -> Memory:
    """The memory at the path where a save could work with it, else empty; the file stays as it is."""
    memory: Any = read_store(path)
    sound: Memory = {}
    if memory and not fault_in(memory):  # an older version's has other items
        sound = memory
    return sound


def begun_anew(memory: Memory) -> Memory:
    """The memory as another session goes on from it: how far files were read, and what waited there, is no part."""
    return {**memory, "place": {}, "ledgers": {}, "pending": [], "queue": [], "dequeued": [], "after": "",
            "typed": ["", ""]}


def fault_in(memory: Mapping[str, Any]) -> str:
    """The first field of the memory that is not as a save leaves it; empty when there is none."""
    if memory.get("record") != RECORD_FORMAT:
        return "record"
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "named", "scheduled")]
    outputs = memory.get("outputs", {})
    texts += [memory["state"].values(), outputs.values(), typed]
    if not all(all_are(str, values) for values in texts) or len(typed) != 2 or not all(
            name.partition(" ")[0].isdecimal() for name in outputs):
        return "roots, seen, named, scheduled, state, outputs or typed"
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
        parts = [value] if type(value) is dict else value
        if (name in WORD_LISTS and not all_are(str, value)) or (
                name in PARTS_FIELDS and not has_fields(parts, PARTS_FIELDS[name])):
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


def has_fields(parts: Sequence[Any], needed: Set[str]) -> bool:
    """Whether each of these is an object with the fields that it needs."""
    return all(isinstance(part, dict) and needed <= part.keys() for part in parts)


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}


# ==================================================================================================
# store/snapshot.py: snapshot.json of a session: what a save stored, from which what is put back is chosen.
# ==================================================================================================

def own_snapshot(folder: str, session: str) -> Snapshot:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot: Snapshot = read_store(os.path.join(folder, "snapshot.json"))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


def can_come_back(folder: str, session: str) -> bool:
    """Whether what an earlier save stored can be put back: it holds something, and its mark can be made beside it."""
    try:
        return bool(own_snapshot(folder, session).get("items")) and not why_not_writable(folder)
    except (OSError, Refusal):
        return False


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
    answer = {**for_the_client, "hookSpecificOutput": {"hookEventName": event, **output}}
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
# record/commands/programs.py: Which program is of which kind, by its name: here a new one is taught first.
# ==================================================================================================

CHECKING_PROGRAMS = {  # by what they check, whatever else they are given
    "test": "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap rspec phpunit pest ctest gotestsum bats "
            "behave cucumber cucumber-js karma jasmine prove busted newman testcafe uvu ginkgo robot elm-test wtr "
            "web-test-runner",
    "types": "tsc tsgo mypy dmypy pyright basedpyright pyre vue-tsc svelte-check ty phpstan psalm",
    "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint oxlint staticcheck swiftlint ktlint "
            "detekt checkstyle actionlint hadolint yamllint tflint ansible-lint bandit semgrep standardrb phpcs "
            "luacheck pre-commit lint-staged knip cspell markdownlint xo tslint revive solhint slither "
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
            "node:--check sqlfluff:lint",
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
SILENT_RUNNERS = frozenset((  # say nothing when all is well
    "go build", "go vet", "go install", "go fmt", "tsc", "tsgo", "vue-tsc", "gofmt", "goimports", "gofumpt", "shfmt",
    "rustfmt", "cargo fmt", "clang-format", "mix format", "terraform fmt", "isort", "shellcheck", "actionlint",
    "yamllint", "flake8", "eslint", "stylelint", "cc", "gcc", "g++", "clang", "clang++", "javac", "rustc",
    "py_compile"))
LISTING_FORMATTERS = ("gofmt", "goimports", "gofumpt", "shfmt")  # with -l: print what they would change, and exit 0
RUNNER_OF_NAME = {  # whose output a program prints that is called by another name; empty: that of any
    "py.test": "pytest", "tox": "", "nox": "", "pre-commit": "", "lint-staged": "", "cargo t": "cargo test",
    "cargo b": "cargo build", "cargo c": "cargo check", "docker": ""}
TASK_RUNNERS = frozenset((  # the name of the task says what it does
    "npm pnpm yarn bun deno mise just make gmake task gradle gradlew mvn mvnw rake rails composer nx turbo lerna "
    "hatch invoke poe melos ninja ant wireit moon pixi rush").split())
SAME_RUNNERS = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn"}
PACKAGE_RUNNERS = ("npm", "bun")  # of these names, those whose tasks are a package's own scripts
NODE_MANAGERS = ("npm", "pnpm", "yarn", "bun")  # of packages, and runners of their tasks
NODE_RUNNERS = ("node", "npm", "pnpm", "yarn", "npx", "next", "vite", "nest", "tsx", "ts-node", "nodemon")
SHELLS = ("bash", "sh", "zsh")
INTERPRETERS = r"python[\d.]*|node|ruby|perl|php|tsx|ts-node"  # of a script that their first word names
PROGRAMS_OF_CODE = ("Rscript", "R", "julia")
LOOKING_PROGRAMS = frozenset((
    "cat grep egrep fgrep rg ag head tail less more sed awk ls find fd tree echo printf wc sort uniq cut tr diff cmp "
    "jq yq cd true pwd which type whereis file stat du df date env printenv ps top uname whoami hostname basename "
    "dirname realpath readlink column nl od xxd hexdump strings test [ [[ bat tac comm paste fold rev sleep : done "
    "fi esac in case set export lsof pgrep netstat ss ping dig nslookup host sha256sum md5sum").split())
LOOKING_SUBCOMMANDS = {  # the first word behind the program, or the first two; none that BEFORE_PROGRAM takes away
    "git": "status diff log show branch blame ls-files ls-tree grep rev-parse remote describe shortlog reflog "
           "cat-file config rev-list merge-base name-rev tag stash-list stash-show worktree-list for-each-ref fetch "
           "check-ignore",
    "gh": "view list status diff checks search", "kubectl": "get describe logs", "go": "list version env doc",
    "cargo": "tree metadata", "brew": "list info", **dict.fromkeys(("pip", "pip3"), "list show freeze"),
    **dict.fromkeys(NODE_MANAGERS, "ls list view outdated why"),
    **dict.fromkeys(("docker", "podman"), "ps logs images inspect"),
    **dict.fromkeys(("terraform", "tofu"), "show output state-list state-show")}
# What stands behind a pipe, by what it lets through: a part of the rows, those with a word, all.
CUTTING = ("head", "tail")
SEARCHING = ("grep", "egrep", "fgrep", "rg", "ag")
PASSING_ON = (*CUTTING, "cat", "tee", "sort", "uniq", "less")  # rows as they are; those that cut not all of them
FILTERS = (*PASSING_ON, *SEARCHING, "wc")
# Small work. Without effect: they check, change and mend nothing.
WITHOUT_EFFECT = ("cd", "Set-Location", "echo", "export", "printf", "set", "true", ":")
WAITING = ("sleep", "wait")
FILE_HANDLERS = ("mkdir", "touch", "cp", "mv", "rm", "chmod")
SHOWING_AND_SILENT = {"cat", "tee", "cd", *FILE_HANDLERS}  # they print files, or nothing
SELDOM_FAILING = (*WITHOUT_EFFECT, *WAITING, *CUTTING, "cat", "tee", "mkdir")
PREPARING = (*WITHOUT_EFFECT, *WAITING, *FILE_HANDLERS, "source", "cat", "kill", "pkill", "git")  # not what runs on
SHORT_LIVED = (*LOOKING_PROGRAMS, *WAITING, *FILE_HANDLERS, "kill", "disown", "timeout", "gtimeout", "open", "xdg-open",
               "curl", "wget", "systemctl", "")
# What does the same in each folder: without a file, with the files that it names whole, with those behind a first word.
WITHOUT_FILES = frozenset("echo printf true : sleep kill killall pkill pgrep ps lsof date tr whoami".split())
WITH_FILES = frozenset("ls cat head tail wc stat file find du sort uniq rm cp mv mkdir rmdir touch tee".split())
WITH_FILES_BEHIND = frozenset("grep egrep fgrep sed awk".split())
REMOVING_PROGRAMS, MOVING_PROGRAMS = ("rm", "rmdir", "unlink", "trash"), ("mv",)
PACKAGE_MANAGERS = ("brew", "apt", "apt-get", "dnf", "yum", "zypper", "apk", "winget", "choco", "scoop")  # of a machine
INSTALLING_PROGRAMS = (*NODE_MANAGERS, "uv", "poetry", "bundle", "composer", "cargo", "go")  # by a word behind them
OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", **dict.fromkeys((*PACKAGE_MANAGERS, "pip", "pip3", "gem"), "install"),
    **dict.fromkeys("terraform tofu kubectl helm pulumi vercel fly netlify ansible-playbook".split(), "deploy"),
    **dict.fromkeys("alembic prisma flyway knex goose".split(), "migration")}
TRACKERS = ("gh", "glab", "hub", "tea", "jira")  # issues and the like are made with them
OTHER_VERSION_CONTROL = ("jj", "hg", "svn", "sl", "fossil", "pijul", "darcs", "bzr", "p4")
WRAPPERS = ("time", "command", "exec", "env", "nice", "nohup", "setsid", "uvx", "cross-env", "rtk")
# A container's options and name; of a detached run its program is `-d`: exit 0 says there that it began.
ATTACHED = r"(?: -(?!\w*d\b|-detach)\S+)*(?: \w[\w.-]*|(?= -))"
BEFORE_PROGRAM = {  # words that say nothing of it, with what belongs to them
    **dict.fromkeys(WRAPPERS, ""), "nice": r"(?: -n ?-?\d+| -\d+)?",
    **dict.fromkeys(("sudo", "caffeinate"), r"(?: -\w+)?"),
    **dict.fromkeys(("timeout", "gtimeout"), r"(?: -\S+)* [\d.]+\w?"),
    **dict.fromkeys(("pnpm", "npm", "yarn"), r"(?: --?[\w-]+(?:=\S+)?)* (?:exec|dlx)(?: --)?"),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), " run"),
    "xvfb-run": "(?: -a)?", "stdbuf": r" -\S+", "npx": r"(?: --?[\w-]+)*", "bunx": r"(?: --\w+)?",
    "uv": r"(?: --\S+)* run(?: --(?:extra|group|with|python) \S+| --[\w-]+(?:=\S+)?)*",
    "bundle": " exec", "mise": r" (?:exec|x)(?: \S+)? --", "direnv": r" exec \S+", "dotenv": " --",
    "docker-compose": rf" (?:exec|run){ATTACHED}",
    **dict.fromkeys(("docker", "podman"), rf" (?:compose (?:exec|run)|exec){ATTACHED}"),
    "python": " -m", "coverage": r" run(?: --?\S+)*? -m| run", "opam": " exec --", "nix": r" develop(?: \S+)? -c"}
KEEPERS = ("tmux", "screen")  # of what is to go on when its line has ended
# Windows that were opened for the person, unless at a port: a browser that is driven.
VIEWERS = (
    "firefox google-chrome google-chrome-stable chromium chromium-browser brave-browser epiphany code codium cursor "
    "subl gedit kate xed mousepad evince okular eog gwenview feh vlc mpv nautilus dolphin thunar alacritty kitty "
    "gnome-terminal konsole xterm")


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
JOINED_OUTPUTS = r" 2>(?:/dev/null|&1)(?=[\s;)]|$)(?!\s*>)"  # says nothing of what was done; `2>&1 > log` does
EACH_ENDED_WELL = frozenset(("&&", ""))  # signs behind the commands of a line that ended well: so did each of them
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
ENDING_WELL = ("true", ":")
SIGNS_OF_NEXT_LIST = (";", "\n", "&")  # before a list of commands that does not wait for what stands before it
CHANGING_FOLDER, FOLDER_OPTIONS = ("cd", "Set-Location"), ("-Path", "-LiteralPath")
FOLDER_BEFORE = "-"  # of `cd -`
HOME_SIGN = "~"
UNNAMED_FOLDER = r"[$`*?{}~]|^-"  # nobody knows what `..` behind it is


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
            is_cut = MIDDLE_GONE in command[line_end:] or command.endswith("…")
            is_open = not end and is_cut and re.fullmatch(USUAL_END, begin["word"])
            if end or is_open:
                texts.append(command[line_end + 1:end.start() if end else None])
                rest = command[end.end():] if end else ""
                command = command[:offset] + command[begin.end():line_end] + rest
        offset = command.find("<<", offset + 1)
    return command, texts


def lines_that_do(command: str) -> list[str]:
    """The command's lines without empty ones and the shell's comments.

    In a text that it feeds to a program, and between quotes, "#" may begin anything: a heading, a declaration.
    """
    lines, quotes, document_end = list[str](), {'"': 0, "'": 0}, ""
    for line in command.splitlines():
        is_quoted = any(count % 2 for count in quotes.values())
        is_comment = line.lstrip().startswith("#") and not document_end and not is_quoted
        if not line.strip() or is_comment:
            continue
        lines.append(line)
        if document_end:
            document_end = "" if line.strip() == document_end else document_end
            continue
        begun = re.search(HERE_DOCUMENT, line)
        document_end = begun["word"] if begun else ""
        quotes = {quote: count + line.count(quote) for quote, count in quotes.items()}
    return lines


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


def without_joined_outputs(command: str) -> str:
    """The command without where its errors go (`2>&1`, `2>/dev/null`)."""
    return re.sub(JOINED_OUTPUTS, "", command) if " 2>" in command else command


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_in(pieces[-1][0]) if pieces else ""


def is_try(command: str) -> bool:
    """Whether the line asks how it ends (`; echo $?`), or lets all fail that it does: `|| true` ends each of its lists.

    What only prints or goes to a folder needs none.
    """
    if "$?" in command:
        return True
    lists, rest = list[list[tuple[str, str]]](), list[tuple[str, str]]()
    for piece, sign in pieces_of(command):
        rest.append((piece, sign))
        if sign in (*SIGNS_OF_NEXT_LIST, ""):
            lists.append(rest)
            rest = []
    acting = [pieces for pieces in lists if not {program_in(piece) for piece, _ in pieces} <= {*WITHOUT_EFFECT}]
    return bool(acting) and all(
        pieces[-1][0] in ENDING_WELL and pieces[-2:-1] and pieces[-2][1] == "||" for pieces in acting)


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


def goes_to_whole_path(command: str) -> bool:
    """Whether the line begins with a change into a folder that it names whole, wherever it is run."""
    return command.startswith("cd ") and is_whole_path(command[len("cd "):].lstrip("\"'"))


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
HOOK_PROGRAMS = ("pre-commit", "lint-staged")  # with `install` they set up hooks
PREFIXED_SUBCOMMANDS = ("docker", "node", "php")  # other words may stand before their subcommand
WORDS_BEFORE_SUBCOMMAND_MAX = 8
TESTING_TASKS = ("gradle check", "mvn verify")  # of which tests are a part by default
FAMILIES_OF_TARGETS = {"test": "test", "check": ANY_CHECK}
TARGET_OPTIONS_OF_CMAKE = ("--target", "-t")
SCRIPTS_WITH_TASKS = ("manage.py", "artisan", "rails")
NAMED_TASKS_MAX = 6  # that a call names and that are looked at
TASK_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+"  # of `lintFix`, `test:unit`


def check_name(words: Sequence[str]) -> CheckName | None:
    """What the command with these words checks; None: nothing, as far as its words say."""
    program = program_of(words)
    rest = [word for word in words[1:] if ">" not in word]
    if not program or ASKING_OPTIONS & {*rest} or any(re.search(OF_CLIENT, word) for word in words[:2]):
        return None
    compiler = re.match(COMPILER_OF_MACHINE, program) if "-" in program else None
    program = compiler[1] if compiler else program
    family = families_by_program().get(program, "")
    if family and not (program in HOOK_PROGRAMS and "install" in rest):
        return named_check(family, program)
    if program in CHECKS_OF_OWN_FORM:
        return CHECKS_OF_OWN_FORM[program](rest)
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
        elif word.startswith("-") and word != "--":
            option = word.partition(":" if program == "xcodebuild" else "=")[0]
            if option in own or (option in LIMITING and option not in foreign):
                is_value = option == word and option not in WITHOUT_VALUE and following != ""
                limits.append(f"{word} {following}" if is_value else word)
            else:
                is_value = word in OPTIONS_WITH_VALUE and not following.startswith("-")
        elif word not in (task, *NO_TARGETS) and is_target(word, name, is_behind_dashes):
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


def may_cover_check(later: Check, earlier: Check) -> bool:
    """Whether one check may be of the breadth of another: it ran in a folder above, or where nobody knows."""
    is_above = is_at_or_below(earlier["folder"], later["folder"])
    are_known = is_whole_path(earlier["folder"]) and is_whole_path(later["folder"])
    return is_same_name(later, earlier) and (is_above or not are_known) and covers_all_of(later, earlier)


def covers_all_of(later: Check, earlier: Check) -> bool:
    """Whether one check leaves out nothing that another of its name did not, by their targets and options."""
    if not covers_targets(later, earlier):
        return False
    if build_targets_of(later) != build_targets_of(earlier):
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
    return bool(folder and other_folder) and with_drive(folder) != with_drive(other_folder)


def is_same_name(check: Check, other: Check) -> bool:
    """Whether both are of one name; a script may be called by its whole path once, and from the project's folder."""
    name, other_name = check["name"], other["name"]
    if name == other_name or "/" not in name or "/" not in other_name:
        return name == other_name
    if is_whole_path(name) == is_whole_path(other_name):
        return name.removeprefix("./") == other_name.removeprefix("./")
    whole, seen = (check, other) if is_whole_path(name) else (other, check)
    from_folder = f"{seen['folder'].rstrip('/')}/{seen['name'].removeprefix('./')}"
    return whole["name"].endswith(f"/{from_folder.lstrip('/')}")


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
# record/commands/looking.py: Whether a command only looks: at files, at processes, at what git knows. What it does not know, changes something.
# ==================================================================================================

CURL_SENDS = r"-\w*[XdFTOo]|--(?:request|data|form|upload-file|output|remote-name|json)"  # more than a look
FIND_CHANGES = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
FIND_STARTS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
CHANGING_OPTIONS = frozenset(("-i", "-D", "-d", "--delete"))  # of sed and git
SENDING_OPTIONS_OF_GH = frozenset(("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input"))
GIT_NAMES = ("branch", "tag", "remote", "config")  # without a word behind them they list, with one they may change
# `> file` outside of quotes, where it is not /dev/null or another stream:
WRITES_FILE = r"(?<![\d&])>{1,2}\s{0,9}(?!/dev/null|&)\S"


@lru_cache(maxsize=COMMANDS_KEPT)
def is_looking(command: str) -> bool:
    """Whether the command only looks: at files, at processes, at what git knows."""
    pieces = pieces_of(command)
    return bool(pieces) and all(is_looking_piece(piece) for piece, _ in pieces)


def is_looking_piece(piece: str) -> bool:
    """Whether this one of the line's commands only looks."""
    if piece.startswith("for "):
        return True
    if ">" in piece and re.search(WRITES_FILE, re.sub(QUOTED_TEXT, "", piece)):
        return False
    return are_looking_words(without_redirections(shell_words(piece)))


def are_looking_words(words: Sequence[str]) -> bool:
    """Whether the program that the words start, with these options, only looks."""
    program = program_of(words)
    options = {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    if program in ("sed", "git") and options & CHANGING_OPTIONS:
        return False
    if program == "find" and options & FIND_CHANGES:
        return False
    if program == "find" and options & FIND_STARTS:
        started = next(number for number, word in enumerate(words) if word in FIND_STARTS)
        return are_looking_words(words[started + 1:])
    if program in LOOKING_PROGRAMS or program in ("", "do", "then", "read"):
        return True
    if program in ("curl", "nc") or (program == "gh" and rest[:1] == ["api"]):
        return only_asks(program, options, rest)
    if program == "git" and words[1:2] == ["-C"]:
        rest = rest[1:]  # its folder
    return has_looking_subcommand(program, rest)


def only_asks(program: str, options: Set[str], rest: Sequence[str]) -> bool:
    """Whether a request over the network changes nothing, there or here."""
    if program == "nc":
        return any("z" in option for option in options)  # only whether a port is open
    if program == "gh":
        return not options & SENDING_OPTIONS_OF_GH
    nowhere = {"-o"} if "/dev/null" in rest else set[str]()
    return not any(re.match(CURL_SENDS, option) for option in options - nowhere)


def has_looking_subcommand(program: str, rest: Sequence[str]) -> bool:
    """Whether the program's subcommand only looks: its first word, or its first two (`git stash list`)."""
    first, second = "".join(rest[:1]), "".join(rest[1:2])
    if program == "git" and first in GIT_NAMES and len(rest) > 1:
        return False
    looking = LOOKING_SUBCOMMANDS.get(program, "").split()
    if program == "gh" and second in looking:  # `gh pr view`
        return True
    return first in looking or f"{first}-{second}" in looking


# ==================================================================================================
# record/commands/checks_in_line.py: What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or another kind.
# ==================================================================================================

LOOP_WORDS = ("for", "while", "until", "if")
INSTALLING_WORDS = ("install", "i", "add", "ci", "sync", "get", "mod", "remove")


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order."""
    pieces = pieces_of(command)
    in_loop = has_loop(pieces)
    checks: list[Check] = []
    for index, (piece, folder) in enumerate(commands_in_folders(command)):
        words = shell_words(piece)
        named = check_name(words)
        if not named:
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


def indexes_of_checks(checks: Sequence[Check]) -> set[int]:
    """The indexes in their line of the commands that are its checks, and of those that their outputs go through."""
    return {check["index"] + number for check in checks for number in range(len(check["filters"]) + 1)}


def has_more_than_checks(command: str) -> bool:
    """Whether a line ran something else beside its checks: that a check passed later says nothing of that."""
    checks = checks_in(command)
    own = indexes_of_checks(checks)
    others = [program_in(piece) for index, (piece, _) in enumerate(pieces_of(command)) if index not in own]
    return bool(checks) and not {*others} <= {*WITHOUT_EFFECT}


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in INSTALLING_PROGRAMS and "".join(words[1:2]) in INSTALLING_WORDS:
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in CHECK_FAMILIES if family in families), "")


# ==================================================================================================
# record/endings.py: Every end that the record's actions keep of commands: the last one of each, and the earlier ones that differed.
# ==================================================================================================

# The form of what is kept; who reads it needs nothing of what made it, and a restore does not load that.
FROM_CACHE = "(cached)"  # behind how a check ended of which the runner showed an earlier run's result
PRIVATE_NAMED_MAX = 20  # files of a commit that look private

SAID_OF_CHECKS = ("failed_names", "has_more_failed", "met_no_test", "is_cached")
GIT_FIELDS = ("commit", "subject", "branch", "pushed", "begun", "finished", "conflicts", "stashed", "private")
OUTCOME_FIELDS = (  # of an outcome that are kept
    "family", "limits", *SAID_OF_CHECKS, *GIT_FIELDS, "commits_before", "remark", "push_refused", "nothing_to",
    "is_stash_kept")


def said_of_checks(end: Mapping[str, Any]) -> ChecksSaid:
    """What an outcome, or an ending, says of its checks besides that they passed or failed."""
    said: Any = {name: end[name] for name in SAID_OF_CHECKS if name in end}
    kept: ChecksSaid = said
    return kept


def words_of_not_run(ending: ChecksSaid, result: str) -> str:
    """How it is told that a command was not run, or that its tests met none, with its result in short."""
    return result if "met_no_test" in ending else f"not run: {result or 'refused'}"


def where_pushed(push: Push) -> str:
    """Where a push went to, in words: address, branches and tags, commits."""
    return f"{push['to']} {', '.join(push['refs'])} {push['commits']}".rstrip()


def endings_of(actions: Iterable[Item]) -> list[Ending]:
    """How the commands ended, the oldest first, each in an action's form; an earlier end counts as no use."""
    endings: list[Ending] = []
    for action in actions:
        if not action.get("path"):
            shared: Ending = {"text": action["text"], "family": action["family"], "limits": [], "uses": 0,
                              "folder": action.get("folder", "")}
            before: list[Ending] = [{**shared, **earlier} for earlier in action.get("earlier", [])]
            endings += [*before, action]
    return sorted(endings, key=lambda ending: int(ending["position"]))


# ==================================================================================================
# record/git/calls.py: The calls of git in a command line: verb, arguments, and the folder that each is for.
# ==================================================================================================

OPTIONS_WITH_VALUE_OF_GIT = ("-C", "-c", "--git-dir", "--work-tree")  # before the verb


def git_calls(command: str) -> list[GitCall]:
    """The calls of git in the line; their folder is that of the `cd` and `git -C` before the verb, else empty."""
    calls: list[GitCall] = []
    for piece, folder in commands_in_folders(command):
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


def without_options(arguments: Sequence[str]) -> list[str]:
    """The arguments that are no options."""
    return [word for word in arguments if not word.startswith("-")]


def names_in_call(event: GitEvent) -> list[str]:
    """The arguments, no options, of the call that an event's text is: `main` of `git switch main`."""
    return without_options(event["text"].split()[2:])


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)


# ==================================================================================================
# record/git/stashes.py: Stashes of git as the session's commands made them and took them back: the one module that knows these commands.
# ==================================================================================================

MAKING_STASH = ("push", "save")
TAKING_STASH = ("pop", "apply", "drop", "clear", "branch")
PUTTING_BACK_STASH = ("pop", "apply", "branch")
LEAVING_CHANGES = r"-(?:[a-oq-z]*[pS]|-patch$|-staged$|-pathspec-from-file)"  # in the working tree
MESSAGE_OPTIONS = ("-m", "--message")
QUIET_OPTIONS = ("-q", "--quiet")
NAMED_STASH = r"(?:stash@\{)?(\d{1,3})\}?$"  # its number from the top, which is 0
NOT_BACK = -1  # the position of what was never put back


def stashes_of(items: Iterable[Item]) -> list[Stash]:
    """The stashes that the session's commands made, the oldest first; `items` are actions and looks."""
    stashes: list[Stash] = []
    taken_unseen = 0  # calls that took a stash when none was seen to be made
    for ending in endings_with_stash(items):
        messages = iter(ending.get("stashed", ()))
        for call in stash_calls(ending["text"]):
            action = stash_action(call)
            if action in MAKING_STASH and makes_stash(ending):
                newest = new_stash(ending, call, messages)
                repeats = max(repeats_of(ending) - taken_unseen, 0)
                stashes += [{**newest, "is_whole": False} for _ in range(repeats)]  # made before, nobody knows where
                stashes.append(newest)
            elif action in TAKING_STASH and not was_kept(ending):
                pile = [stash for stash in stashes if stash["is_in_pile"]]
                taken_unseen += not pile
                take_from_pile(taken_by(call, pile, repeats_of(ending)), action, ending["position"])
        if ending["text"].strip() == "git stash list" and not ending.get("result"):
            for stash in stashes:
                stash["is_in_pile"] = False
    return stashes


def newest_left(stashes: Sequence[Stash]) -> Stash | None:
    """The newest stash that was certainly made here, and that no command took back; None: there is none."""
    left = [stash for stash in stashes if stash["message"] and stash["is_in_pile"] and stash["put_back"] == NOT_BACK]
    return left[-1] if left else None


def spans_away(position: int, stashes: Sequence[Stash], borders: Sequence[int]) -> list[tuple[int, int]]:
    """From where to where in the session a stash had what was edited at this position; the last may end in NOT_BACK.

    `borders`: where changes were committed or discarded, so that no later stash has them.
    """
    spans: list[tuple[int, int]] = []
    for stash in stashes:
        if not stash["is_whole"] or stash["position"] <= position:
            continue
        if position == NOT_BACK or any(position < border < stash["position"] for border in borders):
            break
        position = stash["put_back"]
        spans.append((stash["position"], position))
    return spans


def is_away(spans: Iterable[tuple[int, int]], position: int) -> bool:
    """Whether one of these stashes had the edit when the session was at that position, and gave it back."""
    return any(begin < position <= end for begin, end in spans)


def calls_on_changes(command: str) -> list[GitCall]:
    """The line's calls of git, without those that ran while a stash of the line itself had all changes."""
    calls: list[GitCall] = []
    has_stashed = False
    for call in git_calls(command):
        action = stash_action(call) if call["verb"] == "stash" else ""
        if not has_stashed or action:
            calls.append(call)
        if action in MAKING_STASH:
            has_stashed = takes_all_changes(call)
        elif action in PUTTING_BACK_STASH:
            has_stashed = False
    return calls


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


def endings_with_stash(items: Iterable[Item]) -> list[Ending]:
    """The runs of commands with `git stash` in them, the oldest first."""
    commands = [item for item in items if "stash" in item["text"] and not item.get("path")]
    endings: list[Ending] = endings_of(item for item in commands if item["kind"] == "action")
    looks: list[Ending] = [item for item in commands if item["kind"] == "look"]
    ran = [ending for ending in (*endings, *looks) if ending.get("verdict") != "not run"]
    return sorted(ran, key=lambda ending: int(ending["position"]))


def makes_stash(ending: Ending) -> bool:
    """Whether the output says that a stash was made, or the run ended well and does not say that there was nothing."""
    has_ended = ending.get("verdict") in ("passed", "ended")
    return "stashed" in ending or (has_ended and "stash" not in ending.get("nothing_to", ()))


def was_kept(ending: Ending) -> bool:
    """Whether a run that was to take a stash failed and left it in the pile."""
    return ending.get("verdict") == "failed" and ("conflicts" in ending or "is_stash_kept" in ending)


def repeats_of(ending: Ending) -> int:
    """How often the same line ran before and ended the same, nobody knows where; where ends differed, not counted."""
    return 0 if ending.get("earlier") else max(ending.get("uses", 1) - 1, 0)


def new_stash(ending: Ending, call: GitCall, messages: Iterator[str]) -> Stash:
    """The stash that a call made; its message is what git said, nothing where it said none or stood elsewhere."""
    message = "" if {*QUIET_OPTIONS} & {*call["arguments"]} else next(messages, "").strip()
    return {"command": ending["text"], "message": "" if call["folder"] else message, "folder": call["folder"],
            "last": ending["last"], "position": ending["position"], "is_whole": takes_all_changes(call),
            "is_in_pile": True, "put_back": NOT_BACK}


def taken_by(call: GitCall, pile: Sequence[Stash], repeats: int) -> Sequence[Stash]:
    """The stashes of the pile that the call took, or may have taken; `repeats` are runs of it at unknown positions."""
    numbers = [re.match(NAMED_STASH, word.strip("\"'")) for word in call["arguments"][1:] if not word.startswith("-")]
    if repeats or stash_action(call) == "clear":
        return pile
    certain = [index for index, stash in enumerate(pile) if stash["message"]]
    named = next((int(number[1]) for number in numbers if number), 0)
    if named:
        are_all_certain = len(certain) == len(pile) > named
        return [pile[-1 - named]] if are_all_certain else pile
    return pile[certain[-1]:] if certain else pile[-1:]  # on top may lie some of which it is not certain


def take_from_pile(taken: Iterable[Stash], action: str, position: int) -> None:
    """Marks the stashes as what the action at this position of the session made of them."""
    for stash in taken:
        stash["is_in_pile"] = action == "apply"
        if action in PUTTING_BACK_STASH and stash["put_back"] == NOT_BACK:
            stash["put_back"] = position


# ==================================================================================================
# client/call_output.py: What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name.
# ==================================================================================================

CLIENTS_OWN = "\n<system-reminder>"  # behind what Read shows: it would pass for the file's words, and for an order
FOLDER_RESET = "Shell cwd was reset to "
FILES_MODIFIED = "[This command modified "  # "1 file you've previously read: a.py. Call Read before editing.]"
CHATTER = (FOLDER_RESET, FILES_MODIFIED, "<system-reminder>")  # begin lines of the client's own below an output
# Below what WebSearch shows: "… in your response to the user", an order that nobody gave.
REMINDER_OF_SEARCH = "\n\nREMINDER: You MUST include the sources above"
ROW_NUMBER = r"(?m)^ {0,9}\d{1,7}[→\t]"  # before each row of a file that Read shows
EXIT_CODE = r"Exit code (\d{1,3})\b"
EXIT_CODE_LINE = rf"(?:Error: )?{EXIT_CODE}(?:\n|$)"
REFUSED_CALLS = (  # in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "Permission for this action was denied", "This command requires approval", "Claude requested permissions to ")
# Behind the reason: "This Bash command contains multiple operations. The following part requires approval: ruff check".
NOT_PERMITTED = (r"[^\n]{0,300}?(?:\brequires? (?:explicit |manual )?approval\b"
                 r"|was blocked\. For security, Claude Code may only )")
PERMISSION_WORDS = ("approval", "was blocked. For security")
# What Read, or the client in its place, says of a file that is not shown whole: its size in the group.
TOO_LARGE = r"(?:File content|Output too large) \(([\d.,]+ ?(?:tokens|[KMG]B))\)(?: exceeds maximum allowed |\Z)"
CLIENT_FOLDER = "/.claude/"  # the client's own files: its memory, plans and the like
SAVED_OUTPUTS = "/tool-results/"  # the client's folder of outputs that it did not show whole, beside the transcript
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
# Before the output; of old clients its first row stands in the same one.
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\d.]{0,9}m?[hms](?: \d[\d.]{0,9}m?[hms]){0,2})(?:\s{1,9}|$)"
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
BACKGROUND_NAME_CHARACTERS = 2_000  # of an output, in which the client names it
BACKGROUND_NOTICE_CHARACTERS = 400  # of an output, in which the client says so
BACKGROUND_NOTICES = ("in background with ID", "running in the background", "Async agent launched")


def without_row_numbers(shown: str) -> str:
    """The rows of a file as they stand there, of what Read shows of it."""
    return re.sub(ROW_NUMBER, "", shown)


def exit_code_in(output: str) -> int | None:
    """The exit code with which a failed command's output begins; None: it names none."""
    code = re.match(EXIT_CODE, output)
    return int(code[1]) if code else None


def without_repetition(output: str) -> str:
    """A failed command's output; clients up to 2.1.63 wrote of some all that it printed twice, an empty row between."""
    code_line = re.match(EXIT_CODE_LINE, output)
    begin = code_line.end() if code_line else 0
    printed = output[begin:].strip("\n")
    half = printed[:len(printed) // 2 - 1]
    return output[:begin] + half if printed == f"{half}\n\n{half}" else output


def end_by_client(output: str, is_error: bool | None, exit_code: int | None) -> ClientEnd:
    """The output without the client's words, and what they say; `is_error` and `exit_code` are those of its fields.

    From the output of a command that ended well its last rows alone are taken, in which the client says that it went
    back to the session's folder, or what files were changed: there other such words are the command's own.
    """
    output = without_clients_last_rows(output)
    if is_error is False:
        return {"output": output, "exit_code": exit_code or 0, "stopped": "", "is_refused": False}
    code_line = re.match(EXIT_CODE_LINE, output)
    code_in_output = int(code_line[1]) if code_line else None
    if code_line:
        output = output[code_line.end():]
    stopped, output = stopped_by(output, code_in_output)
    if exit_code is None:
        exit_code = code_in_output
    if exit_code is None and is_error:
        exit_code = 1
    is_refused = output.lstrip().startswith(REFUSED_CALLS)
    if is_error and not code_line and not is_refused:  # what a command prints stands behind its exit code
        is_refused = holds_any(output, PERMISSION_WORDS) and re.match(NOT_PERMITTED, output) is not None
    return {"output": output, "exit_code": None if stopped else exit_code, "stopped": stopped, "is_refused": is_refused}


def without_clients_last_rows(output: str) -> str:
    """The output without the last rows in which the client says which files changed, and to which folder it went back.

    "[This command modified 1 file …]" had stood as what a passed test printed.
    """
    for remark in (FILES_MODIFIED, FOLDER_RESET):
        rest, _, last = output.rstrip().rpartition("\n")
        output = rest if last.startswith(remark) else output
    return output


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    if limit:
        return f"stopped by the tool's time limit after {limit[1]}", output[limit.end():]
    return "", output


def name_in_background(output: str) -> str:
    """The name under which the client lets the command run on in the background; empty: it says nothing of that."""
    begin = output[:BACKGROUND_NAME_CHARACTERS]
    match = re.search(IN_BACKGROUND, begin) if "background" in begin else None
    return str(match[1] or match[2]) if match else ""


def is_put_in_background(output: str) -> bool:
    """Whether the client says in a call's output that the command, or the subagent, runs on in the background."""
    begin = output[:BACKGROUND_NOTICE_CHARACTERS]
    return any(notice in begin for notice in BACKGROUND_NOTICES)


# ==================================================================================================
# client/tools.py: The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read.
# ==================================================================================================

SHELL_TOOLS = ("Bash", "PowerShell")
# The tools that change a file, each with the fields of its call: the file's path; the text that goes and the one that
# comes in its place, in each member of a list where the tool makes several edits; the whole of a new file or cell.
CHANGING_FIELDS: dict[str, dict[str, str]] = {
    "Edit": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "MultiEdit": {"path": "file_path", "edits": "edits", "old": "old_string", "new": "new_string"},
    "Write": {"path": "file_path", "content": "content"},
    "NotebookEdit": {"path": "notebook_path", "content": "new_source"}}
CHANGING_TOOLS = tuple(CHANGING_FIELDS)
PATH_FIELDS = (*dict.fromkeys(fields["path"] for fields in CHANGING_FIELDS.values()), "path")  # of any tool's call
SEARCH_TOOLS = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", *SEARCH_TOOLS, "LS", "NotebookRead")
SUBAGENT_TOOLS = ("Task", "Agent")
TASK_TOOLS = ("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
DIALOG_TOOLS = ("AskUserQuestion", "ExitPlanMode", "EnterPlanMode")
OUTPUT_TOOLS = ("BashOutput", "TaskOutput", "AgentOutputTool", "BashOutputTool")  # of what runs in the background
STOP_TOOLS = ("KillShell", "KillBash", "TaskStop")
OUTLASTING_TOOLS = ("Skill", "TodoWrite", "EnterPlanMode", "ToolSearch")  # the client itself puts back what they did
SCHEDULING_TOOLS = ("ScheduleWakeup", "CronCreate")  # with a prompt that the client gives at its time, as if typed


def edits_in(tool: str, arguments: JsonObject) -> list[tuple[str, str]]:
    """Of each edit that a call of a changing tool makes, the text that goes and the text that comes."""
    fields = CHANGING_FIELDS[tool]
    if "old" not in fields:
        return []
    edits = objects_in(arguments.get(fields["edits"])) if "edits" in fields else [arguments]
    return [(text_of(edit, fields["old"]), text_of(edit, fields["new"])) for edit in edits]


def content_in(tool: str, arguments: JsonObject) -> str:
    """The whole of what a call of a changing tool writes; empty where it edits."""
    return text_of(arguments, CHANGING_FIELDS[tool].get("content", ""))


# ==================================================================================================
# record/runner_output/known_rows.py: How lines of outputs that tell how a run ended look: of tests, builds, linters, type checks and their wrappers.
# ==================================================================================================

# How a script's own total of its tests says it in other languages, of those that are read elsewhere, too.
PASSED_ABROAD = (
    "通过|通過|成功|合格|통과|성공|пройдено|успешно|réussis|réussies|bestanden|erfolgreich|pasadas|pasados|aprobadas"
    "|aprobados|passaram|aprovados|superati|başarılı")
FAILED_ABROAD = (
    "失败|失敗|不合格|실패|провалено|неудачно|échoués|échouées|échecs|fehlgeschlagen|fallidas|fallidos|falladas|fallados"
    "|falharam|reprovados|falliti|başarısız")
WORDS_ABROAD = f"{PASSED_ABROAD}|{FAILED_ABROAD}".split("|")
BETWEEN_COUNTS, COLON_ABROAD = "[,，、|/ ]{1,3}", r"[:：]\s{0,3}"

# Whose line it is, what it says, the words that such lines begin with, the line's pattern. Of a word's rows the
# first that fits counts.
# What it says:
#   tests, problems  totals; a run of no test is none, no problem is a success
#   passed, failed, bad (a total that says so), seen (a test passed), ran, go ok, go fail, log (what a Go test prints)
#   error, traceback, then  it failed, where nothing else is known; then: what it ends with ":" for, in the line below
#   cause, located   only why; named: only what; traced: what, in a trace above which the name may be cut off
#   wrapper, why     it failed, with a cause for want of a better one
#   none             nothing ran
#   next, below      failed; the cause in the line below; below: the name there, the cause in the next
#   announced        the cause in the line below; that it failed is said by another line
#   paragraph        the cause in the lines below up to a blank line; that it failed is said by another line
#   plan             how many lines of tests follow, each with how it ended
# Words: "0passed": a number and "passed". "0)": a number and a bracket. "1..": a plan.
# "@…": a location in a file, `a.py:1:2:`. "::", ":+", "^", "...", "....", "[", "Error": what they look like
# (row_lookup.py: rows_for).
# Groups: name, also (a name where there is no better one), listed (a name, as it failed, before all are named), cause,
# location, cached, none, count (of a plan).
OUTPUT_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("pytest", "tests", "0passed 0failed 0error 0errors 0skipped 0xfailed 0xpassed 0warning 0warnings",
     r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?)\b.{0,200} in [\d.]+ ?s"),
    ("pytest", "none", "0deselected no 0skipped",
     r"(?:\d+ deselected|no tests (?:ran|collected)).{0,60} in [\d.]+ ?s"),
    ("playwright", "tests", "0passed", r"\d+ passed \([\d.]+\w+\)$"),
    ("playwright", "tests", "0failed 0flaky 0interrupted", r"\d+ (?:failed|flaky|interrupted)$"),
    ("", "tests", "0passed", r"\d+ passed, \d+ failed"),
    ("", "tests", "Passed:", r"Passed: \d+,? +Failed: \d+"),
    ("", "tests", " ".join(f"0{word}" for word in WORDS_ABROAD),
     rf"(?:\d+ (?:{PASSED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{FAILED_ABROAD})"
     rf"|\d+ (?:{FAILED_ABROAD}){BETWEEN_COUNTS}\d+ (?:{PASSED_ABROAD}))(?!\w)"),
    ("", "tests", " ".join(f"{word}: {word.capitalize()}:" for word in WORDS_ABROAD),
     rf"(?i)(?:{PASSED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{FAILED_ABROAD}){COLON_ABROAD}\d+"
     rf"|(?:{FAILED_ABROAD}){COLON_ABROAD}\d+{BETWEEN_COUNTS}(?:{PASSED_ABROAD}){COLON_ABROAD}\d+"),
    ("jest", "tests", "Tests:", r"Tests: +(?:\d+ \w+, )*\d+ total"),
    ("jest", "tests", "Test", r"Test Suites: +(?:\d+ \w+, )*\d+ total"),
    ("phpunit", "tests", "Tests:", r"Tests: \d+, Assertions: \d+"),
    ("vitest", "tests", "Tests", r"Tests +(?:\d+ \w+(?: \| )?)+ \(\d+\)|Tests +no tests"),
    ("vitest", "tests", "Test", r"Test Files +(?:\d+ \w+(?: \| )?)+ \(\d+\)"),
    ("vitest", "tests", "Errors", r"Errors +\d+ errors?$"),
    ("maven", "tests", "Tests", r"Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("dotnet", "tests", "Passed! Failed! Skipped!", r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+"),
    ("dotnet", "tests", "Test", r"Test summary: total: \d+, failed: \d+"),
    ("dotnet", "failed", "Test", r"Test Run Failed\."),
    ("dotnet", "passed", "Test", r"Test Run Successful\."),
    ("xctest", "failed", "Test", r"Test Case '(?P<name>.+)' failed"),
    ("xctest", "tests", "Executed", r"Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?"),
    ("xctest", "tests", "✘ ✔ Test 􀢄", r"(?:\S+ )?Test run with \d+ tests?.{0,60} (?:passed|failed) after"),
    ("xctest", "failed", "✘", r"✘ Test (?P<name>\S.*?) recorded an issue at \S+: (?P<cause>.+)"),
    ("unittest", "ran", "Ran", r"Ran \d+ tests? in"),
    ("clojure", "ran", "Ran", r"Ran \d+ tests containing \d+ assertions\."),
    ("clojure", "passed", "0failures", r"0 failures, 0 errors\.$"),
    ("clojure", "tests", "0failures", r"\d+ failures, \d+ errors\.$"),
    ("clojure", "next", "FAIL ERROR", r"(?:FAIL|ERROR) in \((?P<name>[^\s()]+)\) \("),
    ("forge", "tests", "Ran", r"Ran \d+ test suites? in .{1,60}: \d+ tests passed, \d+ failed"),
    ("forge", "tests", "Encountered", r"Encountered a total of \d+ failing tests, \d+ tests succeeded"),
    ("forge", "failed", "[FAIL: [FAIL.", r"\[FAIL[:.] (?P<cause>.+?)\] (?P<name>\w+\(.*?\))"),
    ("forge", "none", "No", r"No tests (?:found in project|match the provided pattern)"),
    ("hardhat", "passed", "Compiled Nothing", r"Compiled \d+ Solidity files? successfully|Nothing to compile$"),
    ("hardhat", "wrapper", "Error HardhatError:", r"(?:Error|HardhatError:) HH\d+: (?P<cause>.+)"),
    ("unittest", "none", "NO", r"NO TESTS RAN"),
    ("unittest", "passed", "OK", r"OK(?: \((?:skipped|expected).{0,60}\))?$"),
    ("unittest", "bad", "FAILED", r"FAILED \((?:failures|errors|unexpected)=?.{0,80}\)"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): (?P<name>\w+) \(unittest\.loader"),
    ("unittest", "failed", "FAIL: ERROR:", r"(?:FAIL|ERROR): \w+ \((?P<name>[\w.]+)\)"),
    ("unittest", "traced", "File", r"File \"[^\"]{1,300}\", line \d+, in (?P<also>test(?!PartExecutor)\w+)$"),
    ("julia", "tests", "ERROR:",
     r"ERROR: (?:LoadError: )?Some tests did not pass: \d+ passed, \d+ failed, \d+ errored"),
    ("julia", "failed", "ERROR:", r"ERROR: Package (?P<name>\S+) errored during testing"),
    ("julia", "passed", "Testing", r"Testing \S+ tests passed$"),
    ("pytest", "none", "ERROR:", r"ERROR: (?P<cause>(?:file or directory )?not found: .+|found no collectors for .+)"),
    ("pytest", "failed", "ImportError", r"ImportError while loading conftest '(?P<also>[^']+)'"),
    ("pytest", "failed", "!", r"!+ Interrupted: \d+ errors? during collection !+$"),
    ("pytest", "failed", "collected collecting", r"(?:collecting \.\.\. )?collected \d+ items? / \d+ errors?\b"),
    ("pytest", "failed", "FAILED ERROR",
     r"(?:FAILED|ERROR) (?P<name>\S+\.py(?:::(?:(?! - ).){1,200})?)(?: - (?P<cause>.+))?$"),
    ("pytest", "failed", "::", r"(?P<name>\S+::\S+) (?:FAILED|ERROR)\b"),
    ("pytest", "named", "_", r"_+ (?P<also>\w.*?) _+$"),
    ("pytest", "cause", "E", r"E {2,}(?P<cause>\S.+)"),
    ("gtest", "tests", "[", r"\[  (?:PASSED|FAILED)  \] \d+ test(?:s?(?:[.,]|$)|\(s\))"),
    ("gtest", "failed", "[", r"\[  FAILED  \] (?P<name>[\w/]+(?:\.[\w/]+)?)(?:,| \(\d+ ms\)$|$)"),
    ("gtest", "failed", "0FAILED", r"\d+ FAILED TEST(?:S|\(S\))?$"),
    ("gtest", "cause", "C++", r"(?P<cause>C\+\+ exception with description .+)"),
    ("gtest", "paragraph", "@code", r"(?P<also>\S+:\d+): Failure$"),
    ("testthat", "tests", "[", r"\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \]"),
    ("testthat", "paragraph", "Failure Error ──",
     r"(?:── )?(?:Failure|Error) \('?test[^()]+:\d+'?\): (?P<name>.+?)[ ─]*$"),
    ("doctest", "tests", "[doctest]", r"\[doctest\] test cases: +\d+ \|"),  # SUCCESS! is said of no test too
    ("doctest", "failed", "[doctest]", r"\[doctest\] Status: FAILURE!"),
    ("doctest", "cause", "@code",
     r"(?P<cause>\S+:\d+: (?:FATAL )?ERROR: (?:.+ is NOT correct!|test case THREW exception: .+))"),
    ("catch2", "tests", "test", r"test cases: +\d+ \|"),
    ("catch2", "tests", "All", r"All tests passed \(\d+ assertions? in \d+ test cases?\)"),
    ("catch2", "none", "No", r"No tests ran\.?$|No test cases matched"),  # with a full stop: of flutter and dart
    ("catch2", "paragraph", "@code", r"(?P<also>\S+:\d+): FAILED:$"),  # of one that is to fail too
    ("boost", "tests", "***", r"\*\*\* \d+ failures? (?:is|are) detected"),
    ("boost", "failed", "***", r"\*\*\* Errors were detected in the test module"),
    ("boost", "passed", "***", r"\*\*\* No errors detected$"),
    ("boost", "none", "Test", r"Test setup error: no test cases matching filter"),
    ("boost", "cause", "@error unknown",
     r"(?:\S+|unknown location)\(\d+\): (?:fatal )?error: in \"(?P<also>[^\"]+)\": (?P<cause>.+)"),
    ("unity", "tests", "0Tests", r"\d+ Tests \d+ Failures \d+ Ignored"),
    ("unity", "failed", "FAIL:", r"\S+:\d+:(?P<name>\w+):FAIL: (?P<cause>.+)"),
    ("platformio", "tests", "0test", r"\d+ test cases?: .*\b\d+ (?:succeeded|failed).{0,40} in [\d:.]+"),
    ("prove", "passed", "Result:", r"Result: PASS$"),
    ("prove", "failed", "Result:", r"Result: FAIL$"),
    ("prove", "none", "Result:", r"Result: NOTESTS$"),
    ("tap", "tests", "#", r"# \{ total: \d+.*\}$"),
    ("tap", "named", "#", r"#   Failed test '(?P<name>.+)'$"),
    ("tap", "none", "1..", r"1\.\.0$"),
    ("tap", "plan", "1..", r"1\.\.(?P<count>\d{1,5})$"),
    ("ava", "tests", "0test 0tests", r"\d+ tests? (?:passed|failed)$"),
    ("ava", "failed", "0uncaught 0unhandled 0hook 0hooks",
     r"\d+ (?:uncaught exceptions?|unhandled rejections?|hooks? failed)$"),
    ("", "named", "✘", r"✘ \[fail\]: (?P<name>.+)"),
    ("", "none", "✘", r"✘ Couldn.t find any (?:matching tests|files to test)"),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed (?P<count>\d+) of (?:(?P=count)|\d+ \(skipped \d+\)) SUCCESS \("),
    ("karma", "tests", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ \(\d+ FAILED\)"),
    ("karma", "failed", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r".{1,100}: Executed \d+ of \d+ .*\b(?:DISCONNECTED|ERROR)\b"),
    ("karma", "next", "Chrome Chromium HeadlessChrome Firefox Safari Edge Electron",
     r"\w+(?: Headless)? [\d.]+ \([^()]{1,60}\) (?P<name>.+) FAILED$"),
    # Undefined and pending steps fail a run by one's settings, and not by another's.
    ("cucumber", "tests", "0scenario 0scenarios",
     r"\d+ scenarios? \((?:\d+ failed\b|(?:\d+ skipped, )?\d+ passed\)$)"),
    ("cucumber", "none", "0scenarios", r"0 scenarios$"),
    ("cucumber", "named", "0)", r"\d+\) Scenario(?: Outline)?: (?P<name>.+?)(?: # .+)?$"),
    ("robot", "tests", "0test 0tests", r"\d+ tests?, \d+ passed, \d+ failed"),
    ("ginkgo", "tests", "SUCCESS! FAIL!", r"(?:SUCCESS|FAIL)! -- \d+ Passed \| \d+ Failed"),
    ("behave", "tests", "0scenario 0scenarios", r"\d+ scenarios? passed, \d+ failed"),
    ("behave", "named", "@code", r"(?P<name>\S+\.feature:\d+ +\S.*)"),
    ("behave", "cause", "ASSERT Assertion", r"(?:ASSERT FAILED|Assertion Failed): (?P<cause>.+)"),
    ("newman", "tests", "│", r"│ +assertions │ +[1-9]\d* │ +\d+ │$"),
    ("newman", "tests", "│", r"│ +(?:iterations|requests|test-scripts|prerequest-scripts) │ +\d+ │ +[1-9]\d* │$"),
    ("", "why", "#", r"# +failure +detail$"),  # newman's
    ("busted", "tests", "0success 0successes", r"\d+ success(?:es)? / \d+ failures? / \d+ errors? / \d+ pending"),
    ("busted", "below", "Failure Error", r"(?:Failure|Error) (?:→|->) \S+ @ \d+$"),
    ("alcotest", "tests", "Test", r"Test Successful in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "tests", "0failure! 0failures! 0error! 0errors!",
     r"\d+ (?:failures?|errors?)! in [\d.]+s\. \d+ tests? run"),
    ("alcotest", "named", "[FAIL]", r"\[FAIL\] +(?P<name>\S+ +\d+ +[^│]+?)\.?(?: *│)?$"),
    ("scalatest", "tests", "Tests:", r"Tests: succeeded \d+, failed \d+"),
    ("scalatest", "failed", "***", r"\*\*\* \d+ (?:TESTS? FAILED|SUITES? ABORTED) \*\*\*"),
    ("scalatest", "failed", "-", r"- (?P<name>.+?) \*\*\* FAILED \*\*\*"),
    ("scalatest", "none", "No", r"No tests were executed\."),
    ("sbt", "tests", "Passed: Failed:", r"(?:Passed|Failed): Total \d+, Failed \d+, Errors \d+, Passed \d+"),
    ("sbt", "failed", "[error]", r"\[error\] \(\S+ / (?:\S+ / )?\S+\) (?P<cause>\S.+)"),
    ("sbt", "passed", "[success]", r"\[success\] Total time: "),
    ("zig", "passed", "All", r"All [1-9]\d* tests passed\.$"),
    ("zig", "none", "All", r"All 0 tests passed\.$"),
    ("zig", "failed", "FAIL", r"(?P<cause>FAIL \(\w+\))$"),
    ("zig", "named", "@code", r"\S+\.zig:\d+:\d+: 0x\w+ in test\.(?P<name>.+?) \("),
    ("zig", "tests", "0passed", r"\d+ passed; \d+ skipped; \d+ failed\.$"),
    ("nx", "passed", "NX", r"NX +Successfully ran targets? "),
    ("nx", "failed", "NX", r"NX +(?:Running|Ran) targets? .+ failed$"),
    ("nx", "why", "Failed", r"Failed tasks:$"),
    ("nx", "failed", "✖", r"✖ +\d+/\d+ targets? failed"),
    ("bun", "none", "Ran", r"Ran 0 tests across \d+ files?"),
    ("bun", "tests", "0pass 0fail", r"\d+ (?:pass|fail)$"),
    ("bun", "failed", "(fail)", r"\(fail\) (?P<name>.+?)(?: \[[\d.]+\w+\])?$"),
    ("mocha", "tests", "0passing 0failing", r"\d+ (?:passing \(\S+\)|failing)$"),
    ("node", "tests", "# ℹ", r"[#ℹ] (?:tests|pass|fail|cancelled) \d+$"),
    ("node", "failed", "not", r"not ok \d+ (?:- )?(?P<name>(?:(?! # (?:SKIP|TODO|time)).)+)(?: # time=\S+)?$"),
    ("node", "failed", "✖", r"✖ (?!failing tests|\d+ problems?|\d+ of )(?P<name>.+?) \([\d.]+ms\)$"),
    ("node", "traced", "TestContext.<anonymous> at",
     r"(?:at )?(?:async )?TestContext\.<anonymous> \((?:\S*[/\\])?(?P<also>[\w.-]+:\d+):\d+\)$"),
    ("node", "announced", "error:", r"error: \|-$"),
    ("node", "cause", "error:", r"error: ['\"](?!test failed)(?P<cause>.+?)['\"]?$"),
    ("lint-staged", "next", "✖", r"✖ (?!failing tests)(?P<name>\S.{0,200}):$"),
    ("husky", "wrapper", "husky", r"(?P<cause>husky - \S+ .*failed.*)"),
    ("eslint", "problems", "✖", r"✖ \d+ problems? \(\d+ errors?"),
    ("cypress", "tests", "✖", r"✖ +\d+ of \d+ failed"),
    ("cypress", "passed", "✔", r"✔ +All specs passed"),
    ("gotestsum", "tests", "DONE", r"DONE \d+ tests?.{0,90} in [\d.]+s"),
    ("cargo test", "tests", "test", r"test result: (?:ok|FAILED)\. \d+ passed; \d+ failed"),
    ("cargo test", "failed", "test", r"test (?P<name>\S+(?: - \S+)?) \.\.\. FAILED"),
    ("cargo test", "next", "thread", r"thread '(?P<also>[^']+)'(?: \(\d+\))? panicked at \S+:$"),
    ("cargo test", "error", "thread", r"thread '(?P<also>[^']+)' panicked at (?P<cause>'.+)"),
    ("cargo nextest", "tests", "Summary", r"Summary \[.{1,20}\] +\d+(?:/\d+)? tests? run: "),
    ("cargo nextest", "none", "error:", r"error: no tests to run"),
    ("cargo nextest", "failed", "FAIL SIGABRT TIMEOUT",
     r"(?:FAIL|SIGABRT|TIMEOUT) \[.{1,20}\] +(?:\(.{1,20}\) )?(?P<name>.+)"),
    ("cargo", "failed", "error[", r"(?P<cause>error\[E\d+\]: .+)"),
    ("cargo", "wrapper", "error:", r"error: (?P<cause>could not compile.+|test failed, to rerun.+|aborting due to.+)"),
    ("built", "passed", "Finished", r"Finished .{0,80}target\(s\) in .+"),
    ("cargo fmt", "failed", "Diff", r"Diff in (?P<name>\S+?):\d+:?$"),
    ("deno", "none", "error:", r"error: No test modules found"),
    ("deno", "tests", "ok FAILED", r"(?:ok|FAILED) \| \d+ passed.{0,60} \| \d+ failed"),
    ("deno", "failed", "...", r"(?P<name>.+) \.\.\. FAILED \("),
    ("go", "go ok", "ok",
     r"ok\s+\S+\s+(?P<none>\(cached\) \[no tests to run\]|[\d.]+s \[no tests to run\])|ok\s+\S+\s+(?:"
     r"(?P<cached>\(cached\))|[\d.]+s)"),
    ("go", "none", "?", r"\?\s+\S+\s+\[no test files\]"),
    ("go", "go fail", "---", r"--- FAIL: (?P<name>\S+)"),
    ("go", "seen", "PASS", r"PASS$|--- PASS:|test .+ ok$"),
    ("go", "failed", "FAIL", r"FAIL(?:\s+(?P<also>\S+)\s+(?:[\d.]+s|\[\w+ failed\])|$)"),
    ("go", "error", "panic:", r"(?P<cause>panic: .+)"),
    ("go", "cause", "Error:", r"Error: {2,}\t?(?P<cause>\S.+)|Error:\t+(?P<cause2>\S.+)"),
    ("go", "error", "go:",
     r"(?P<cause>go: (?!downloading|finding|extracting|warning|added|upgraded|creating|to add).+)"),
    ("go", "error", "stat", r"(?P<cause>stat \S+: (?:directory not found|no such file).*)"),
    ("go", "error", "imports", r"imports (?P<cause>\S+ .*import cycle not allowed.*)"),
    ("go", "error", "package", r"(?P<cause>package \S+ is not in .+|package \S+: build constraints exclude .+)"),
    ("go", "error", "no", r"(?P<cause>no required module provides package .+|no Go files in .+)"),
    ("vitest", "next", "FAIL", r"FAIL +(?P<name>\S+\.\w+ > .+|\S+\.\w+ \[ \S+ \])"),
    ("jest", "failed", "FAIL", r"FAIL +(?:\S+ )?(?P<also>\S+\.\w+)(?: \([\d.]+ m?s\))?$"),
    # The legend below a build's table of routes, which is printed at its good end alone.
    ("next", "passed", "○ ƒ ● λ",
     r"[○ƒ●λ] +\((?:Static|SSG|ISR|Dynamic|Server)\) +(?:automatically|prerendered|server-).{0,120}"),
    ("jest", "next", "●", r"● (?!Console$|Cannot log after)(?P<name>Test suite failed to run|.+ › .+|.+)"),
    ("biome", "cause", "×", r"× (?P<cause>Formatter would have .*)"),
    ("biome", "failed", "×", r"× Some errors were emitted while running checks"),
    ("rake", "wrapper", "rake", r"rake (?P<cause>aborted!)"),
    ("vitest", "failed", "× ✕", r"[×✕] (?P<also>.+?)(?: \(?\d+ ?ms\)?)?$"),
    ("playwright", "named", "✘",
     r"✘ +\d+ (?!.{0,300}\(retry #)(?P<listed>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?) \([\d.]+(?:ms|s|m)\)$"),
    ("playwright", "next", "0)", r"\d+\) (?P<name>(?:\[.+?\] › )?\S+:\d+:\d+ › .+?)[ ─]*$"),
    ("minitest", "below", "0)", r"\d+\) (?:Failure|Error):$"),
    ("phpunit", "next", "0)", r"\d+\) (?P<name>[\w\\]+::\w+.*)"),
    ("mix", "next", "0)", r"\d+\) test (?P<name>.+)"),
    ("mocha", "next", "0)", r"\d+\) (?P<name>\S.*)"),
    ("rspec", "tests", "0example 0examples", r"\d+ examples?, \d+ failures?"),
    ("rspec", "failed", "rspec", r"rspec (?P<also>\./\S+:\d+ # .+)"),
    ("minitest", "tests", "0runs 0tests", r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
    ("phpunit", "passed", "OK OK,", r"OK(?:,.*| \(\d+ tests?, \d+ assertions?\))$"),
    ("phpunit", "failed", "FAILURES! ERRORS!", r"(?:FAILURES|ERRORS)!$"),
    ("phpunit", "none", "No", r"No tests executed!"),
    ("php", "error", "PHP Fatal Parse", r"(?:PHP )?(?P<cause>(?:Fatal|Parse) error: +.+)"),
    ("mix", "tests", "0test 0tests 0doctest 0doctests 0property 0properties",
     r"(?:\d+ (?:doctests?|property|properties), )*\d+ tests?, \d+ failures?"),
    ("mix", "none", "There", r"There are no tests to run"),
    ("mix", "failed", "**", r"\*\* (?P<cause>\(\w+Error\) .+)"),
    ("xcodebuild", "failed", "**", r"\*\* \w+ FAILED \*\*"),
    ("xcodebuild", "passed", "**", r"\*\* \w+ SUCCEEDED \*\*"),
    ("xcodebuild", "failed", "xcodebuild:", r"xcodebuild: error: (?P<cause>.+)"),
    ("xcodebuild", "failed", "{", r"\{ platform:.{1,300} name:.{1,120}\}$"),  # a list of what it could have been given
    ("docusaurus", "passed", "[SUCCESS]", r"\[SUCCESS\] Generated static files"),
    ("ctest", "tests", "0tests", r"\d+% tests passed, \d+ tests? failed out of \d+"),
    ("ctest", "failed", "0-",
     r"\d+ - (?P<name>\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|Child aborted)"),
    ("ctest", "none", "No", r"No tests were found"),
    ("gradle", "tests", "0test 0tests", r"\d+ tests? completed, \d+ failed"),
    ("gradle", "passed", "BUILD", r"BUILD SUCCESS(?:FUL)?\b"),
    ("gradle", "failed", "BUILD", r"BUILD FAIL(?:ED|URE)\b"),
    ("gradle", "next", ">", r"(?P<name>\S+ > .+) FAILED$"),
    ("gradle", "failed", ">", r"> Task (?P<also>\S+) FAILED"),
    ("gradle", "why", "*", r"\* What went wrong:"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<cause>\S+\.(?:java|kt|scala|groovy):\[?\d.*)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+):\d+(?:->\S+)? +(?P<cause>\S.+)"),
    ("maven", "failed", "[ERROR]", r"\[ERROR\] +(?P<name>[A-Z]\w*(?:\.\w+)+) +» +(?P<cause>\S.+)"),
    ("dotnet", "failed", "Failed", r"Failed (?P<name>\S+.*?) \[[<\d].*\]$"),
    ("dotnet", "announced", "Error", r"Error Message:$"),
    ("dotnet", "failed", "Build", r"Build FAILED\."),
    ("dotnet", "passed", "Build", r"Build succeeded"),
    ("msbuild", "problems", "0Error(s) 0Erro(s) 0Fehler 0Erreur(s) 0Errores 0Errori 0エラー",
     r"\d+ (?:Error\(s\)|Erro\(s\)|Fehler|Erreur\(s\)|Errores|Errori|エラー)$"),
    ("vstest", "tests", "! Com Con",  # in whatever language
     r"[^!]{1,30}! +[-–] +(?:[^:,]{1,30}: +\d+, ){4}.{1,200}\.dll\b"),
    # How a build ended in the languages that the SDK speaks, by MSBuild's own tables.
    ("dotnet", "passed", "Der La Compilación Compilação Compilazione Sestavení Kompilacja Сборка Oluşturma "
     "ビルドに成功しました。 已成功生成。 빌드했습니다.",
     r"(?:Der Buildvorgang wurde erfolgreich ausgeführt|La génération a réussi|Compilación correcta"
     r"|Compilação com êxito|Compilazione completata|Sestavení proběhlo úspěšně|Kompilacja powiodła się"
     r"|Сборка успешно завершена|Oluşturma başarılı oldu|ビルドに成功しました|已成功生成|빌드했습니다)\.?"),
    ("dotnet", "failed", "Fehler ÉCHEC ERROR FALHA Kompilacja ビルドに失敗しました。 生成失败。",
     r"(?:Fehler beim Buildvorgang|ÉCHEC de la build|ERROR al compilar|FALHA da compilação"
     r"|Kompilacja NIE POWIODŁA SIĘ|ビルドに失敗しました|生成失败)[.。]?$"),
    ("swift build", "passed", "Build", r"Build complete!"),
    ("turbo", "passed", "Tasks:", r"Tasks: +([1-9]\d{0,4}) successful, \1 total$"),
    ("turbo", "wrapper", "Failed:", r"Failed: +(?P<cause>\S+#\S+)"),
    ("flutter", "tests", ":+", r"\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed)"),
    ("flutter", "next", ":+", r"\d+:\d+ \+\d+.* -\d+: (?P<name>.+) \[E\]"),
    ("dart", "cause", "error", r"error [-•] (?P<cause>\S.+)"),
    ("gradle", "failed", "e:", r"e: (?P<cause>\S+ .+)"),
    ("next", "failed", "Type", r"(?P<cause>Type error: .+)"),
    ("gh", "tests", "0failing", r"\d+ failing, \d+ successful"),
    ("gh", "failed", "X", r"X\s+(?P<name>[^\t]+)\t"),
    ("eslint", "why", "Oops!", r"Oops! Something went wrong"),
    ("eslint", "cause", "@error", r"(?P<cause>\d+:\d+ +error +.+)"),
    ("ruff", "problems", "Found", r"Found \d+ errors?(?: \(|\.|$| in )|Found \d+ diagnostics?"),
    ("oxlint", "problems", "Found", r"Found \d+ warnings? and \d+ errors?"),
    ("phpstan", "problems", "[ERROR]", r"\[ERROR\] Found \d+ errors?"),
    ("phpstan", "passed", "[OK]", r"\[OK\] No errors"),
    ("ruff", "passed", "All", r"All checks passed!"),
    ("pylint", "passed", "Your", r"Your code has been rated at 10(?:\.00)?/10"),
    ("black", "passed", "All", r"All matched files use Prettier|All done!"),
    ("mypy", "passed", "Success:", r"Success: no issues found"),
    ("pyright", "problems", "0error 0errors", r"\d+ errors?, \d+ warnings?"),
    ("cc", "problems", "0error 0errors", r"\d+ errors?(?: generated\.)?$"),
    ("golangci-lint", "problems", "0issue 0issues", r"\d+ issues?(?:[.:]| found)"),
    ("dart", "passed", "No", r"No issues found"),
    ("rubocop", "problems", "0file 0files", r"\d+ files? inspected, (?:no|\d+) offenses?"),
    ("black", "bad", "0file 0files", r"\d+ files? would (?:be reformatted|fail)"),
    ("black", "passed", "0file 0files",
     r"\d+ files? (?:would be left unchanged|left unchanged|already formatted|reformatted)"),
    ("black", "failed", "would Would", r"[wW]ould reformat:? (?P<name>\S+)"),
    ("isort", "failed", "ERROR:", r"ERROR: (?P<name>\S+) Imports are incorrectly"),
    ("prettier", "failed", "[warn]", r"\[warn\] (?:Code style issues|(?P<name>\S+\.\w+)$)"),
    ("prettier", "error", "[error]", r"\[error\] (?P<cause>\S+\.\w+: .+)"),
    ("biome", "passed", "Checked", r"Checked \d+ files? in \S+ No fixes"),
    ("biome", "cause", "@biome", r"(?P<cause>\S+:\d+:\d+ (?:lint|parse|assist)\S*)"),
    ("biome", "cause", "format", r"(?P<cause>\S+\.\w+ format) ━"),
    ("shellcheck", "failed", "In", r"In (?P<name>\S+) line \d+:$"),
    ("shellcheck", "cause", "^", r"\^-*\^? (?P<cause>SC\d+ .+)"),
    ("tsc", "failed", "@error", r"(?P<cause>\S+?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .+)"),
    ("tsc", "failed", "error", r"error (?P<cause>TS\d+: .+)"),
    ("pyright", "failed", "@error", r"(?P<cause>\S+:\d+:\d+ - error: .+)"),
    ("dotnet", "failed", "@error", r"(?P<cause>\S+\(\d+,\d+\): error \w+: .+)"),
    ("golangci-lint", "failed", "@go", r"(?P<cause>\S+\.go:\d+: .+ \(dupl\)$)"),
    ("go build", "failed", "@go", r"(?P<cause>\S+\.go:\d+:\d+: .+)"),
    ("go", "log", "@go", r"(?P<cause>\S+_test\.go:\d+: .+)"),
    ("flake8", "failed", "@code", r"(?P<cause>\S+:\d+:\d+: [A-Z]{1,4}\d{1,4}:? .+|\S+:\d+:\d+: [CWEF]: .+)"),
    ("cc", "failed", "@error", r"(?P<cause>\S+:\d+(?::\d+)?: (?:fatal )?error: .+)"),
    ("cc", "failed", "@ld", r"(?P<cause>\S+: undefined reference to .+)"),
    ("ruby", "error", "@ruby", r"(?P<cause>\S+:in [^:]{1,100}: .+ \([\w:]*(?:Error|Exception)\))"),
    ("node", "cause", "@code", r"(?P<cause>\S+:\d+:\d+: ERROR: .+)"),
    ("make", "none", "make: gmake:", r"g?make: Nothing to be done for"),
    ("cc", "wrapper", "collect2: clang:", r"(?P<cause>(?:collect2|clang): error: .+)"),
    ("make", "wrapper", "make: gmake: ninja:",
     r"(?:g?make|ninja)(?:\[\d+\])?: (?P<cause>\*\*\* (?!.*ignored).+|build stopped.+|error: .+)"),
    ("npm", "wrapper", "npm",
     r"npm (?:ERR!|error) (?!code |syscall |errno|path |dest |command |A complete|Lifecycle|workspace|location)"
     r"(?:enoent (?=Could not))?(?P<cause>\S.+)"),
    ("pnpm", "wrapper", "[ELIFECYCLE] ELIFECYCLE", r"\[?ELIFECYCLE\]? +(?P<cause>.+)"),
    ("pnpm", "wrapper", "ERR_PNPM", r"(?P<cause>ERR_PNPM_\w+.*)"),
    ("yarn", "wrapper", "error", r"error (?P<cause>Command failed with exit code.+)"),
    ("mise", "wrapper", "mise", r"mise ERROR (?P<cause>.+)"),
    ("mise", "passed", "[]Finished", r"Finished in [\d.]+\w+$"),
    ("pytest", "passed", "..[100%]", r"[.sxX]+ +\[100%\]$"),
    ("go", "none", "no", r"no packages to test"),
    ("mise", "wrapper", "ERROR", r"ERROR (?P<cause>task failed.*)"),
    ("just", "wrapper", "error:", r"error: (?P<cause>[rR]ecipe .+|script \".+\" exited with code .+)"),
    ("task", "wrapper", "task:", r"task: (?P<cause>Failed to run task.+|Task .+ does not exist)"),
    ("pre-commit", "failed", "....", r"(?P<name>.+?)\.{3,}.*Failed$"),
    ("pre-commit", "passed", "....", r".+?\.{3,}.*Passed$"),
    ("tox", "passed", "congratulations", r"congratulations :\)"),
    ("tox", "wrapper", "evaluation", r"(?P<cause>evaluation failed :\(.*)"),
    ("webpack", "problems", "webpack", r"webpack \S+ compiled (?:successfully|with \d+ (?:errors?|warnings?))"),
    ("webpack", "then", "ERROR", r"ERROR in (?P<cause>\S.+)"),
    ("vite", "failed", "✗ error", r"✗ Build failed|error during build"),
    ("vite", "passed", "✓", r"✓ (?:built in|Compiled successfully)"),
    ("esbuild", "failed", "✘", r"✘ \[ERROR\] (?P<cause>.+)"),
    ("vite", "cause", "[", r"\[[A-Z]{2,20}_[A-Z_]{2,30}\] (?P<cause>.+)"),
    ("next", "failed", "Failed", r"Failed to compile"),
    ("tsup", "passed", "CJS ESM DTS", r"(?:CJS|ESM|DTS) .{1,6}Build success"),
    ("esbuild", "passed", "⚡", r"⚡ Done in"),
    ("docker", "failed", "ERROR:", r"ERROR: (?P<cause>failed to (?:solve|build).*)"),
    ("docker", "passed", "Successfully", r"Successfully (?:built|tagged) "),
    ("docker", "passed", "naming", r"naming to \S+ .*done"),
    ("docker", "error", "unable", r"(?P<cause>unable to prepare context: .+)"),
    ("cmake", "passed", "[100%]", r"\[100%\] Built target"),
    ("cmake", "then", "CMake", r"(?P<cause>CMake Error.*)"),
    ("terraform", "passed", "Apply Plan: Success! No",
     r"Apply complete!|Plan: \d+ to add|Success! The configuration|No changes\."),
    ("alembic", "error", "FAILED:", r"FAILED: (?P<cause>.+)"),
    ("jest", "none", "No", r"No (?:test files|tests) found"),
    ("playwright", "none", "Error:", r"Error: No tests found"),
    ("bun", "none", "The", r"The following filters did not match any test files"),
    ("rspec", "none", "No", r"No examples found"),
    ("dotnet", "none", "No", r"No test (?:is available|matches)"),
    ("node", "failed", "Exception", r"Exception during run: (?P<cause>.+)"),
    ("java", "error", "Exception", r"(?P<cause>Exception in thread .+)"),
    ("python", "traceback", "Traceback", r"Traceback \(most recent call last\)"),
    ("bun", "then", "error:", r"(?P<cause>error: expect\(.+)"),
    ("", "error", "fatal:", r"(?P<cause>fatal: .+)"),
    ("", "error", "error:", r"(?P<cause>error: (?!'test failed').+)"),
    ("", "then", "Error:", r"(?P<cause>Error: .+)"),
    ("", "error", "ERROR:", r"(?P<cause>ERROR: .+)"),
    ("", "then", "Error", r"(?P<cause>AssertionError \[ERR_ASSERTION\]: .+)"),
    ("", "error", "Error ImportError", r"(?P<cause>[\w.]+(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?:: .+|$))"),
    ("", "then", "Error", r"(?P<cause>[\w.:]+(?:Error|Exception):)$"),
    ("cargo", "located", "-->", r"--> (?P<location>\S+:\d+:\d+)"),
    ("shell", "error", "bash: sh: zsh: (eval): /bin/sh: /bin/bash:", r"(?P<cause>.+)"),
)


# ==================================================================================================
# record/runner_output/row_lookup.py: The rows of the table of outputs that may fit a line, found by the line's first word or by its kind.
# ==================================================================================================

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their indexes and the rows that may fit.

    No rows where the line may tell something only behind the name of the task that printed it.
    """
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(ending for ending in ENDINGS if ending in text)
    has_prefixes = ": " in text and holds_any(text, PREFIXED_TASKS)
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    silent = {""}  # lines that tell nothing; most come again
    for index, line in enumerate(lines):
        if line in silent:
            continue
        words = (line.strip(" \t=") if line[:1] == "=" else line).split(None, 2)
        rows = table.get(words[0]) if words else None
        if rows is None and has_others and words:
            rows = rows_by_end(line, endings, table)
        if rows is None and words and words[0] not in dull:
            rows = rows_for(line, words[0], words, table)
            if rows is None and has_prefixes and len(words) > 2 and words[1][-1] == ":":
                rows = []
            if rows is None and is_dull_word(words[0], has_prefixes):
                dull.add(words[0])
        if rows is None:
            silent.add(line)
            continue
        if len(words) > 1 and is_of_passed_test(line, words):
            rows = table["PASS"]
        yield index, shortened(line).strip(" \t="), rows


def is_dull_word(word: str, has_prefixes: bool) -> bool:
    """Whether a word that has no rows has none whatever follows it."""
    return not (has_prefixes or word[0].isdigit() or ":" in word)


def is_of_passed_test(line: str, words: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (words[0] == "---" and words[1] == "PASS:") or (words[0] == "test" and line.endswith("... ok"))


def rows_by_end(line: str, endings: tuple[str, ...], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if line.endswith("[100%]"):
            return table["..[100%]"] if not line.split(None, 1)[0].strip(".sxX") else None
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none, by its kind; empty as in telling_lines."""
    first, last = word[0], word[-1]
    if last == "!" or first in "[#│┃║":
        return table["!"] if last == "!" else table["["]
    if first.isdigit():
        return rows_for_number(word, words, table)
    if ":" in word or "：" in word or last == ")":
        return rows_for_location(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(words) == 1 or words[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, words: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`, `1..3`."""
    if len(words) < 2:
        return table["1.."] if word.startswith("1..") else None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" not in word:
        return table.get(f"0{words[1].partition('，')[0].rstrip('.:,;、')}")
    if words[1][0] == "+":
        return table[":+"]
    return table["@error"] if words[1] == "error" else None


def rows_for_location(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a location in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    rows = rows_for_word_and_colon(word, table)
    if rows is not None:
        return rows
    kind = kind_of_location(line, word)
    if kind:
        return table[kind]
    return table.get(f"{word.partition('：')[0]}:", []) if word[-1] == ":" or "：" in word else None


def kind_of_location(line: str, word: str) -> str:
    """The word of the table for a line that begins with a location in a file; empty: it begins with none."""
    if ".go:" in word:
        return "@go"
    if " error" in line:
        return "@error"
    if " undefined reference to " in line:
        return "@ld"
    if ":in" in word:
        return "@ruby"
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return "@biome" if "━" in line else "@code"
    return ""


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`, `test.c:5:test_cents:FAIL: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.endswith(":FAIL:"):
        return table["FAIL:"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


@cache
def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with."""
    table: RowsByWord = {}
    for runner, says, words, pattern in OUTPUT_ROWS:
        for word in words.split():
            table.setdefault(word, []).append((runner, says, pattern))
    return table


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    return re.compile(pattern)


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    if len(line) <= OUTPUT_LINE_MAX_CHARACTERS:
        return line
    return re.sub(r"\S{1,400}\Z", "", line[:OUTPUT_LINE_MAX_CHARACTERS])


# ==================================================================================================
# record/runner_output/failure_lines.py: What stands in the lines near a failure: its cause below, a test's own log, the end of a traceback.
# ==================================================================================================

LINES_NEAR_MAX = 60  # looked at around a failure for its cause
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
LINES_BELOW_MAX = 4  # that say something
LINES_BELOW_LOOKED_AT = 7
TRACEBACK_LINES_MAX = 400
# Below a failure that say nothing of it: a location, a rule, the mark and the name of the tool.
DULL_LINE_BELOW = r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: "
COMPARED_LINE = r"(?:Expected|Received|Actual|expected|actual|got|left|right)\b"
ERROR_LINE = r"[A-Za-z_][\w.]{0,100}(?::|$)"
CHAINING_LINES = ("During handling of", "The above exception")  # between tracebacks


def lines_below(lines: Sequence[str], index: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    below, depth, is_behind_blank = list[str](), depth_of(lines[index]), False
    for line in lines[index + 1:index + 1 + LINES_BELOW_LOOKED_AT]:
        text = line.strip(" \t│=")
        if not text:
            is_behind_blank = True
        elif indented and is_behind_blank and not below and depth_of(line) <= depth:
            break
        elif not re.match(DULL_LINE_BELOW, text):
            below.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(below) == LINES_BELOW_MAX:
            break
    return below


def paragraph_below(lines: Sequence[str], index: int) -> str:
    """The next lines up to a blank line, on one line."""
    paragraph = list[str]()
    for line in lines[index + 1:index + 1 + LINES_BELOW_MAX]:
        if not line.strip():
            break
        paragraph.append(line.strip()[:OUTPUT_LINE_MAX_CHARACTERS])
    return " ".join(paragraph)


def depth_of(line: str) -> int:
    """How many blanks the line begins with."""
    return len(line) - len(line.lstrip())


def go_message(lines: Sequence[str], index: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[index + 1:index + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(index - LINES_NEAR_MAX, 0):index]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    for part in (below, above):
        logs = [match[1] for match in (re.match(GO_LOG, shortened(line)) for line in part) if match]
        telling = [log for log in logs if re.search(GO_FAILURE, log)]
        if logs:
            return telling[-1] if telling else logs[-1]
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(COMPARED_LINE, near[end]):
        end += 1
    if not near or end == 1:
        return [*near]
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]]


def end_of_traceback(lines: Sequence[str], index: int) -> str:
    """The last line of a Python traceback: the error; of a chain of them the last one's."""
    cause, is_within = "", True
    for line in lines[index + 1:index + TRACEBACK_LINES_MAX]:
        if line.startswith("Traceback ("):
            is_within = True
        elif is_within and line and not line[0].isspace() and re.match(ERROR_LINE, line):
            cause, is_within = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], False
        elif not is_within and line and not line.startswith(CHAINING_LINES):
            break
    return cause


# ==================================================================================================
# record/runner_output/total_counts.py: The numbers in a line of totals: how many failed, how many passed.
# ==================================================================================================

FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed(?! as expected)|F(?:ailed|AILED)|[Ff]ailures|failure|failing|fail|errors?"
    r"|errored|issues?|offenses?|diagnostics?|interrupted|cancelled)\b(?!: \d)"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some"
    r"|\[ +FAILED +\] (\d+) test|\bFAIL (\d+) \||│ +(\d+) +│$"
    rf"|(\d+) (?:{FAILED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{FAILED_ABROAD}){COLON_ABROAD}(\d+)")
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:[Pp]assed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|[Tt]ests|test|runs|doctests?)\b"
    r"|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b"
    r"|\[ +PASSED +\] (\d+) test|\bPASS (\d+)\b|(\d+) (?:success(?:es)?|scenarios? passed|tests? run)\b"
    r"|in (\d+) test cases?\b|│ +(\d+) +│"
    rf"|(\d+) (?:{PASSED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{PASSED_ABROAD}){COLON_ABROAD}(\d+)")
OTHER_COUNTS = r"\d+ (?:flaky|skipped|todo|pending|total|warnings?)\b|\btests 0$|\bno tests$"
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"


def failures_in(runner: str, total: str) -> int:
    """How many failed by a line of totals of the runner."""
    numbers = numbers_of_dotnet(runner, total)
    return numbers[0] if numbers else sum_of(FAILURE_COUNTS, total)


def passes_in(runner: str, total: str) -> int:
    """How many passed by a line of totals of tests; ctest tells a share: one where it is not none."""
    numbers = numbers_of_dotnet(runner, total)
    if numbers:
        return numbers[1]
    return sum_of(SUCCESS_COUNTS, total) if runner != "ctest" else int(not total.startswith("0%"))


def numbers_of_dotnet(runner: str, total: str) -> list[int]:
    """The numbers in a line of .NET's, in whatever language: those that failed, then those that passed."""
    return [int(number) for number in re.findall(COUNTS_OF_DOTNET, total)] if runner in DOTNET else []


def is_read(runner: str, total: str) -> bool:
    """Whether a line of totals says in words that are known how many failed, passed or else, perhaps none."""
    return bool(numbers_of_dotnet(runner, total) or runner == "ctest" or any(
        re.search(pattern, total) for pattern in (FAILURE_COUNTS, SUCCESS_COUNTS, OTHER_COUNTS)))


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in re.finditer(pattern, text) for number in match.groups() if number)


# ==================================================================================================
# record/runner_output/reading.py: What an output says of how a run ended: totals, what failed, why; line by line.
# ==================================================================================================

TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
TRACEBACK_LINES = 30  # that one may have beside
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:; 总计：
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+|\w{1,30}：\s{0,3}")
ENDS_OF_PREFIX = "]:│┃║"
ENDS_OF_SUITES = (  # say at their end that all passed, and not how many
    "unittest", "phpunit", "cypress", "gradle", "boost", "prove", "zig", "julia", "nx", "sbt", "clojure")
# Their last word without a number is said of no test, too: "OK" by unittest before Python 3.12.
ENDS_WITHOUT_COUNT = ("unittest", "node", "bun")
NO_FAILURE = r"[#ℹ] fail 0$|0 fail$"  # of node and bun
DULL_TOTAL = r"[#ℹ] (?:tests [1-9]\d*|cancelled 0)$"  # of node, beside how many passed
# Those that failed stand in a line of their own.
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun", "gtest", "ava", "newman")
FRAMES = {"ava": r"^\s*─$", "prove": r"Files=\d+, Tests=\d+,"}  # stands above these runners' words, which are anybody's
FRAME_LINES = 7  # above a line, in which its frame stands
# A script's own total behind a title (no tick of a test, no log's level), as its last row or beside a ruler: what
# stands elsewhere may be a row of a test's log.
TITLED_TOTAL = (
    r"(?!\W{0,9}[✓✔✅✗✘✖×❌])\W{0,9}(?=[^\W\d])[^:：\[\]\n]{1,100}[:：]\s{0,9}(?P<counts>"
    r"(?:\d+ passed[,|;/ ]{1,3}\d+ failed|\d+ failed[,|;/ ]{1,3}\d+ passed)(?:[,|;/ (]{1,3}\d+ \w+\)?){0,3})\W{0,9}$")
BESIDE_TITLED = r"\s*[-=─━═*#~]{6,}\s*$"
NO_TESTS_NAME = "Test suite failed to run"  # jest's, in place of a test's name
# Of what lines say (known_rows.py):
TOTALS = ("tests", "problems", "go ok", "ran")
FAILURES = ("failed", "bad", "go fail", "next", "below", "why", "wrapper")
ERRORS = ("error", "traceback", "then")
CAUSE_BELOW = ("next", "below", "announced", "then", "why")
COMPARED_VALUES = r"\S.{0,100} !==? \S.{0,100}$"  # of node's assertions: `12.4 !== 12.41`
LOOKING_AT_OTHER_LINES = (*CAUSE_BELOW, "paragraph", "go fail", "traceback", "located")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_CAUSE = {  # that a line gives; what is not here gives one of its own kind
    "next": "near", "below": "near", "announced": "near", "paragraph": "near",
    "go fail": "near", "why": "wrapper", "then": "error"}

FittingRow = tuple[str, str, re.Match[str]]  # whose line it is, what it says, how it fits


class OutputReading:
    """What an output says, line by line."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.failing_behind: list[tuple[str, str]] = []  # who says behind these totals that something failed, and how
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.is_titled = False  # the totals are a script's own
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.listed: list[str] = []  # as each failed, in the rows of a run that is under way
        self.traced: list[str] = []  # in traces before the first name: `tail` has cut off theirs
        self.causes: dict[str, str] = {}

    @property
    def failed_names(self) -> list[str]:
        """The names of what failed, before them those that a trace alone still tells; else what stands beside it.

        Behind them those that were listed on the way, where no totals are seen: of a run that `head` cut one of ten
        that failed had stood there. A run that ends names all anew, without those that passed when tried again.
        """
        unnamed = [name for name in self.traced if not any(re.search(rf"\b{re.escape(name)}\b", each)
                                                           for each in self.names)]
        named = unnamed + self.names or self.also
        return named if self.tests else [*named, *(name for name in self.listed if name not in named)]

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """What one telling line says, which stands at this index of the lines."""
        runner, says, match = row
        if runner in FRAMES and not is_framed(runner, lines, index):
            return
        if says in TOTALS:
            self.take_total(runner, says, match)
        elif says == "none":
            self.none.append(match.groupdict().get("cause") or match.string)
        elif says == "passed":
            self.take_passed(runner, match.string)
        elif says == "seen":
            self.seen_passing = True
        elif says == "plan":
            self.take_plan(match["count"], lines, index)
        elif says == "log":
            self.last_log = match["cause"]
        elif says == "traced":
            self.traced += [match["also"]] if not self.names else []
        elif says == "located":
            self.take_location(match["location"], lines, index)
        else:
            self.take_failure(row, lines, index)

    def take_total(self, runner: str, says: str, match: re.Match[str]) -> None:
        """A line of totals, of whatever kind."""
        text = match.string
        if says == "problems":
            self.take_problems(runner, text)
            return
        self.error_behind, self.failing_behind = False, []
        if says == "tests":
            self.take_tests(runner, text)
        elif says == "go ok":
            self.take_package(text, has_no_tests=bool(match["none"]), is_cached=bool(match["cached"]))
        else:
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)

    def take_tests(self, runner: str, text: str) -> None:
        """A line of totals of tests: how many failed, how many passed; nothing where its numbers are not known."""
        if not is_read(runner, text):
            return
        failures, passes = failures_in(runner, text), passes_in(runner, text)
        self.failures += failures
        self.passes += passes
        if runner not in TOTALS_IN_PARTS:
            self.has_whole_total = True
        if re.match(NO_FAILURE, text):  # says nothing of how many passed
            if not self.passes:
                self.passed.append((runner, text))
            elif runner == "node":
                self.tests.append(text)
        elif not re.match(DULL_TOTAL, text):
            (self.tests if passes or failures or "flaky" in text else self.none).append(text)

    def take_titled(self, lines: Sequence[str]) -> None:
        """The totals that a script prints behind titles of its own, where no runner says anything."""
        if self.tests or self.problems or self.passed or self.none or self.seen_passing:
            return
        last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
        for index, line in enumerate(lines):
            total = compiled(TITLED_TOTAL).match(line) if " passed" in line and " failed" in line else None
            beside = lines[max(index - 1, 0):index + 2]
            is_set_off = index == last or any(re.match(BESIDE_TITLED, other) for other in beside)
            if total and is_set_off and failures_in("", line) == failures_in("", total["counts"]):
                self.is_titled = True
                self.take_tests("", line.strip())

    def take_problems(self, runner: str, text: str) -> None:
        """A line of totals of a linter or compiler: with none it has passed. A bare `0 errors` is anybody's."""
        failures = failures_in(runner, text)
        self.failures += failures
        self.problems.append(text)
        if failures:
            self.failing_behind.append((runner, text))
        if not failures and runner != "cc":
            self.passed.append((runner, text))

    def take_package(self, text: str, *, has_no_tests: bool, is_cached: bool) -> None:
        """Go's line for a package that is well."""
        self.packages += 1
        self.cached += is_cached
        self.passes += not has_no_tests
        (self.none if has_no_tests else self.tests).append(text)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_plan(self, count: str, lines: Sequence[str], index: int) -> None:
        """TAP's `1..12` before its tests: they passed where as many are seen below it, and none that failed."""
        below = [line for line in lines[index + 1:] if line.startswith(("ok ", "not ok "))]
        begins_here = bool(below) and below[0].startswith("ok 1 ")
        if begins_here and len(below) == int(count) and not any(line.startswith("not ") for line in below):
            self.passes += len(below)
            self.take_passed("tap", f"{lines[index]} … {below[-1]}")

    def take_location(self, at: str, lines: Sequence[str], index: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(lines[max(index - 2, 0):index]) if line.strip()), "")
        if above.strip("│ ") and not above.lower().startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, row: FittingRow, lines: Sequence[str], index: int) -> None:
        """A line that says that something failed, what, or why."""
        runner, says, match = row
        groups = match.groupdict()
        if says in (*FAILURES, *ERRORS):
            self.failing_behind.append((runner, match.string))
        name, cause = self.name_and_cause(says, groups, lines, index)
        also = groups.get("also") or ""
        if name and name != NO_TESTS_NAME:
            self.names.append(name)
        self.listed += filter(None, [groups.get("listed")])
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(KIND_OF_CAUSE.get(says, says), cause)
        if says == "bad":
            self.problems.append(lines[index].strip())
        if says in FAILURES:
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(lines[index]).strip()
        elif says in ERRORS:
            self.error_behind = True
            last_lines = LAST_LINES + TRACEBACK_LINES if says == "traceback" else LAST_LINES
            self.error_at_end |= index >= len(lines) - last_lines

    def name_and_cause(self, says: str, groups: Mapping[str, str | None], lines: Sequence[str],
                       index: int) -> tuple[str, str]:
        """What failed and why, by the line and by those near it; empty where they do not say it.

        Other lines are looked at for the first cause of a kind alone; for a name each time.
        """
        name = (groups.get("name") or "").strip(" ─")
        cause = groups.get("cause") or groups.get("cause2") or ""
        if KIND_OF_CAUSE.get(says, says) in self.causes and says not in ("next", "below"):
            return name, cause
        if says == "traceback":
            return name, end_of_traceback(lines, index)
        if says == "paragraph":
            return name, paragraph_below(lines, index)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(lines, index)
        if says in CAUSE_BELOW and len(self.names) < NAMES_WITH_CAUSES_MAX:
            return with_lines_below(says, name, cause, lines_below(lines, index, says == "next"))
        return name, cause

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        self.tests += last.tests
        self.problems += last.problems
        self.passed += last.passed
        self.none += last.none
        self.names += last.names
        self.also += last.also
        self.listed += last.listed
        self.traced += last.traced if not self.names else []
        self.causes = {**last.causes, **self.causes}
        self.failures += last.failures
        self.passes += last.passes
        self.packages += last.packages
        self.cached += last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.failing_behind = last.failing_behind if last.tests else [*self.failing_behind, *last.failing_behind]
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def is_framed(runner: str, lines: Sequence[str], index: int) -> bool:
    """Whether the line is its runner's: what the runner prints above it stands there."""
    frame = compiled(FRAMES[runner])
    return any(frame.search(line) for line in lines[max(index - FRAME_LINES, 0):index])


def with_lines_below(says: str, name: str, cause: str, below: list[str]) -> tuple[str, str]:
    """Name and cause with what stands in the lines below."""
    if says == "below" and below:
        name, below = below[0].partition(" [")[0].rstrip(":"), below[1:]
    if says == "next" and name and below and below[0].endswith(":") and below[0][:1].islower():
        name, below = f"{name} {below[0].rstrip(':')}", below[1:]  # mocha's, in parts
    below = with_expected(below)
    if says == "then":
        is_open = (cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
                   or any(re.match(COMPARED_VALUES, line) for line in below[:1]))
        return name, " ".join([cause, *below[:1]]) if is_open else cause
    has_values = len(below) > 1 and (below[0].endswith("equal:") or re.match(COMPARED_VALUES, below[1]))
    if says == "announced" and has_values:  # node's
        return name, f"{below[0]} {below[1]}"
    if says == "why" and len(below) > 1 and below[1].startswith("> "):
        return name, f"{below[0]} {below[1][2:]}"
    return name, below[0] if below else ""


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = ends_of_output(output)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(), 0
    for index, text, rows in telling_lines(lines):
        row = fitting_row(rows, text)
        if row:
            reading.take(row, lines, index)
        elif not take_behind_prefix(reading, text, rows, lines, index):
            continue
        count += 1
        if count >= TELLING_LINES_MAX and index < len(lines) - TELLING_LINES_MAX:
            reading.join(read_output(lines[-TELLING_LINES_MAX:]))
            break
    return reading


def fitting_row(rows: Sequence[OutputRow], text: str) -> FittingRow | None:
    """The first of the rows that fits the line."""
    for runner, says, pattern in rows:
        match = compiled(pattern).match(text)
        if match:
            return runner, says, match
    return None


def take_behind_prefix(reading: OutputReading, text: str, rows: Sequence[OutputRow], lines: Sequence[str],
                       index: int) -> bool:
    """Takes what the line says behind the name of the task that printed it; whether it says something."""
    prefix = prefix_of(text, has_rows=bool(rows))
    inner = text[len(prefix):]
    row = fitting_row(rows_behind_prefix(inner, prefix), inner) if prefix and inner.strip() else None
    if not row:
        return False
    if row[1] in LOOKING_AT_OTHER_LINES:  # those near, which have the same prefix
        begin = max(index - LINES_NEAR_MAX, 0)
        near = [line.strip().replace(prefix, "", 1) for line in lines[begin:index + LINES_NEAR_MAX]]
        reading.take(row, near, index - begin)
    else:
        reading.take(row, lines, index)
    return True


def prefix_of(text: str, has_rows: bool) -> str:
    """The name of the task that printed the line, with the blanks behind it; empty: the line has none.

    Of a line that has rows of its own only where the first word looks like such a name.
    """
    word = text.partition(" ")[0]
    looks_like_prefix = word[-1:] in tuple(ENDS_OF_PREFIX) or word[:1] == "#"
    match = compiled(TASK_PREFIX).match(text) if word and (looks_like_prefix or not has_rows) else None
    return match[0] if match else ""


def rows_behind_prefix(inner: str, prefix: str) -> Sequence[OutputRow]:
    """The rows that may fit what stands behind a prefix."""
    table, words = rows_by_word(), inner.split(None, 2)
    if words[0] == "Finished" and prefix[0] == "[":  # mise's own line behind its task's name
        return table["[]Finished"]
    return table.get(words[0]) or rows_for(inner, words[0], words, table) or ()


# ==================================================================================================
# record/outcomes/ended_command.py: A command that ended, as it is judged: its checks, its output, its exit code.
# ==================================================================================================

LISTING_OPTION = r" -\w{0,5}l\w{0,5}\b"
FILE_LISTED = r"\S{1,400}\.\w{1,6}$"


class EndedCommand:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)
        if checks and not any(check["runner"] for check in checks):
            self.reading.take_titled(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @property
    def only_line(self) -> str:
        """The line that is not empty, where there is just one."""
        first = [*islice(filter(None, map(str.strip, self.lines)), 2)]
        return first[0] if len(first) == 1 else ""

    @property
    def is_error(self) -> bool | None:
        """Whether its exit code says that it failed."""
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def has_failed(self) -> bool:
        """Whether the output says so."""
        return self.reading.failed or self.reading.failures > 0 or self.lists_files()

    def lists_files(self) -> bool:
        """Whether a formatter that was to list what it would change has listed files."""
        if len(self.checks) != 1 or self.checks[0]["runner"] not in LISTING_FORMATTERS:
            return False
        is_to_list = re.search(LISTING_OPTION, self.checks[0]["command"]) is not None
        return is_to_list and bool(self.text) and all(re.match(FILE_LISTED, line) for line in self.text)


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
# record/outcomes/shown_line.py: What a person would want to read of how a command ended: totals, what failed first, why; on one line.
# ==================================================================================================

OUTCOME_MAX_UTF16 = 240
CAUSE_MAX_UTF16 = 200
FAILED_NAME_MAX_UTF16 = 100
NAMES_IN_LINE_MAX, NAMES_KEPT_MAX = 3, 12  # of those that failed
ZERO_COUNTS = r"; 0 (?:\w{1,20} ?){1,2}(?=;|$)"  # "; 0 ignored; 0 measured; 0 filtered out"
KIND_OF_TOTAL_CHARACTERS = 20  # by which totals are of one kind, numbers left out
CARGO_TOTAL = "test result:"
NEXTEST_TOTAL = "Summary ["
SMALL_TOTAL = r"(?:pass|fail|cancelled) \d+$|\d+ (?:pass|fail)$"  # of node and bun, a line for each number
TOTAL_OF_FILES = r"Test (?:Suites|Files)\b"  # of jest and vitest, beside that of their tests
COUNTS_ALL = "Test run with "  # Swift's "2 tests failed" are those that were run
FIRST_SAID_CHARACTERS = 4_000  # of an output, in which its first line is looked for


def passed_parts(reading: OutputReading) -> list[str]:
    """What is said of a run that passed: its totals."""
    if reading.packages > 1:
        return [f"{reading.packages} packages ok" + (f", {reading.cached} cached" if reading.cached else "")]
    totals = short_totals(reading.tests)[-2:]
    if totals:  # unittest says in a line of its own that they passed
        return [*totals, *[line for runner, line in reading.passed if runner == "unittest"][-1:]]
    lines = [line for runner, line in reading.passed if runner != "mise"] or [line for _, line in reading.passed]
    return lines[-1:]


def short_totals(totals: Sequence[str]) -> list[str]:
    """Totals as they are shown: the last of a kind, node's and bun's on one line, cargo's of several binaries added."""
    newest = {kind_of_total(line): line for line in map(total_in_short, totals)}
    short = [*newest.values()]
    if any(line.startswith(NEXTEST_TOTAL) for line in short):  # those of cargo are what its tests print
        short = [line for line in short if not line.startswith(CARGO_TOTAL)]
    else:
        short = with_binaries_added(short, totals)
    if any(line.startswith("Tests") for line in short):  # files only where some failed
        short = [line for line in short if not re.match(TOTAL_OF_FILES, line) or sum_of(FAILURE_COUNTS, line)]
    small = [line for line in short if re.match(SMALL_TOTAL, line)]
    others = [line for line in short if line not in small]
    return [*others[-3:], ", ".join(small[-2:])] if small else others[-3:]


def rows_without_count(reading: OutputReading) -> list[str]:
    """What the end of an output says of tests of which it is not seen whether any ran: "OK" alone, "0 passed" behind a
    filter that may have kept others back.
    """
    words = [line for runner, line in reading.passed if runner in ENDS_WITHOUT_COUNT]
    return [total_in_short(line) for line in (*words[-1:], *reading.none[-1:])]


def total_in_short(line: str) -> str:
    """A line of totals without its frame and without counts of nothing."""
    text = re.sub(r"\s+", " ", line.lstrip("#ℹ ")).strip("= .:")
    return re.sub(ZERO_COUNTS, "", text)


def kind_of_total(line: str) -> str:
    """What makes two lines of totals the same: how they begin, without numbers."""
    return re.sub(r"[\d.]+", "", line)[:KIND_OF_TOTAL_CHARACTERS]


def with_binaries_added(short: Sequence[str], totals: Sequence[str]) -> list[str]:
    """The short totals with one sum in place of cargo's, where there are several: each test binary prints its own."""
    results = [line for line in totals if line.startswith(CARGO_TOTAL)]
    if len(results) < 2:
        return [*short]
    text = " ".join(results)
    passed, failed = sum_of(r"(\d+) passed", text), sum_of(r"(\d+) failed", text)
    others = [line for line in short if not line.startswith(CARGO_TOTAL)]
    return [*others, f"{passed} passed; {failed} failed in {len(results)} test binaries"]


def unique_names(names: Sequence[str]) -> list[str]:
    """The first names, each once, none that is the end of another (`cents` of `rates cents`) or its parent."""
    short = [name_in_short(name) for name in [*dict.fromkeys(names)][:NAMES_KEPT_MAX]]
    return [name for name in short if not any(is_part_of_name(name, other) for other in short)]


def is_part_of_name(name: str, other: str) -> bool:
    """Whether another name ends with this one, or begins with it as its parent."""
    return other.endswith(f" {name}") or other.startswith(f"{name}/")


def name_in_short(name: str) -> str:
    """A test's name; of a long one that begins with file and suites (`a/b.test.ts > suite > test`) file and test."""
    parts = re.split(r" [>›] ", name) if units(name) > FAILED_NAME_MAX_UTF16 else []
    if len(parts) > 2:
        name = f"{parts[0].rpartition('/')[2]} > … > {parts[-1]}"
    return cut_words(name, FAILED_NAME_MAX_UTF16)


def names_in_line(names: Sequence[str], totals: Sequence[str]) -> str:
    """The first names, and how many more there are; a mark where there are more than are kept, or a total says so.

    Three names behind "4 failed" had left out the one that was being worked on, without a sign.
    """
    line = ", ".join(names[:NAMES_IN_LINE_MAX])
    if names and (failures_counted(totals) > len(names) or len(names) >= NAMES_KEPT_MAX):
        return f"{line}, …"
    return f"{line} +{len(names) - NAMES_IN_LINE_MAX}" if len(names) > NAMES_IN_LINE_MAX else line


def failures_counted(totals: Sequence[str]) -> int:
    """How many failures the totals count; 0 where none does."""
    return max((sum_of(FAILURE_COUNTS, total) for total in totals if COUNTS_ALL not in total), default=0)


def names_of_failed(reading: OutputReading) -> ChecksSaid:
    """The names of what failed, and whether there may be more; empty without any."""
    names = unique_names(reading.failed_names)
    if not names:
        return {}
    is_more = failures_counted(reading.tests) > len(names) or len({*reading.failed_names}) > NAMES_KEPT_MAX
    return {"failed_names": names, "has_more_failed": True} if is_more else {"failed_names": names}


def first_said(output: str) -> str:
    """The first line that is not empty."""
    lines = output[:FIRST_SAID_CHARACTERS].split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


def last_said(text: Sequence[str]) -> str:
    """The last line, of lines that are not empty."""
    return shortened(text[-1]) if text else ""


def said_best(text: Sequence[str]) -> str:
    """The line that is likely to tell most where none is known: the first of a few, the last of many.

    Of an error of PowerShell's its message, which stands before or behind the rows on where it came from.
    """
    if any(map(is_powershell_error, text)):
        text = without_frames(text)[:1]
    return shortened(text[0]) if 0 < len(text) <= 3 else last_said(text)


def joined_line(parts: Sequence[str]) -> str:
    """The parts on one line, as much as there is room for."""
    kept = dict.fromkeys(shortened(part).strip() for part in parts if part.strip())
    return cut_words(" · ".join(kept), OUTCOME_MAX_UTF16)


def cut_words(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units: whole words alone, so that no half of a secret is left that nothing recognises."""
    text = " ".join(text.split())
    if units(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    while units(kept) > limit - 2:
        kept = kept.rpartition(" ")[0]
    return f"{kept} …" if kept else "…"


# ==================================================================================================
# record/outcomes/not_started.py: What says that a command or its check was never started: programs, tasks, modules and folders that are not there.
# ==================================================================================================

NOT_STARTED = (126, 127)  # a shell's exit codes
NO_SUCH_TASK = (  # what task runners say of a name that they do not know
    r"(?i)(?:\w{2,10}:? )?(?:error:? |ERR!? |ERR_PNPM_NO_SCRIPT +|\*\*\* )?(?:no task \S{1,80} found"
    r"|Missing script: .{1,80}|(?:enoent )?Could not read package\.json: .{1,200}"
    r"|No rule to make target (?!.*needed by).{1,80}|no such command: .{1,80}|unrecognized subcommand .{1,80}"
    r"|Justfile does not contain recipe .{1,80}|Command \"[^\"]{1,80}\" not found\."
    r"|Task \"[^\"]{1,80}\" does not exist|Task '[^']{1,80}' not found in .{1,80})"
    r"|error TS5058: .{1,200}|tsc: The TypeScript Compiler - Version .{1,20}")  # of tsc: its project is not there
NO_SUCH_MODULE = r"\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named ([\w.]{1,80})$"  # of `python3 -m NAME`
CANNOT_START = (  # what shells, env and timeout say of a program that they cannot start
    r"(?:\S{0,40}sh|env|timeout|nice|\(eval\)|\S{1,200}(?=: line \d))(?:: line)?(?:[ :]{1,2}\d{1,6})?: "
    r"(?:command not found: (?P<zsh>\S{1,80})|(?:no such file or directory|permission denied): (?P<path>\S{1,200})"
    r"|(?:failed to run command )?[‘']?(?P<named>[^\s:’']{1,200})[’']?: "
    r"(?:(?:command )?not found|No such file or directory|Permission denied))$"
    r"|'(?P<windows>[^\s']{1,80})' is not recognized as an internal or external command"
    r"|fish: Unknown command: (?P<fish>\S{1,80})|(?:uv : )?error: Failed to spawn: `(?P<uv>[^`]{1,80})`")
LINES_READ_MAX = 20  # of an output, in which a task runner says so
CD_FAILED_LINES_MAX = 3  # of an output with nothing else in it


def never_started(run: EndedCommand, verdict: str) -> str:
    """The line that says that a check's program, task or module is not there, so that nothing was checked; empty: none.

    Behind a pipe the exit code is the filter's, and zsh's sentence ends in the program's name: a suite whose `pnpm` was
    not there stood as one whose output does not show whether it passed.
    """
    if verdict not in ("failed", "unknown"):
        return ""
    if len(run.checks) == 1 and (missing := no_such_program(run) or no_such_task(run)):
        return missing
    return "" if run.has_failed else no_such_module(run)


def first_line_where(run: EndedCommand, says_so: Callable[[str], bool]) -> str:
    """The first of an output's first lines that says so, short enough to be a cause; empty: none does."""
    return next((cut_words(line, CAUSE_MAX_UTF16) for line in run.text[:LINES_READ_MAX] if says_so(line)), "")


def no_such_program(run: EndedCommand) -> str:
    """The line in which a shell says that it cannot start the only check's program; empty: it does not."""
    own = run.checks[0]["command"].split()
    return first_line_where(run, lambda line: program_not_started(line) in own)


def program_not_started(line: str) -> str:
    """The program of which a shell, env or the like says in the line that it cannot start it; empty: of none."""
    match = re.match(CANNOT_START, line)
    return match[match.lastgroup or 0] if match else ""


def no_such_task(run: EndedCommand) -> str:
    """The line in which a task runner says that it knows no such task; empty: none does."""
    return first_line_where(run, lambda line: re.match(NO_SUCH_TASK, line) is not None)


def no_such_module(run: EndedCommand) -> str:
    """The line in which Python says that it has no such module as its check was to run; empty: it does not."""
    return first_line_where(run, lambda line: lacks_module(run.command, line))


def lacks_module(command: str, line: str) -> bool:
    """Whether Python says in the line that it has no such module as the command was to run."""
    match = re.match(NO_SUCH_MODULE, line)
    return match is not None and re.search(rf"-m {re.escape(match[1])}(?![\w.])", command) is not None


def cd_failed(run: EndedCommand) -> bool:
    """Whether the command ended before its checks, as there is no such folder."""
    if "cd " not in run.command or len(run.text) > CD_FAILED_LINES_MAX:
        return False
    return any(re.search(r"\bcd:", line) for line in run.text)


# ==================================================================================================
# record/outcomes/lacks.py: What the machine itself refused to a session's commands: programs that are not there, a password for sudo.
# ==================================================================================================

SAID_OF_LACKS = ("not found", "o such file", "not recognized", "Unknown command", "sudo: a ")  # most rows have none
REFUSAL_MAX_CHARACTERS, REFUSALS_MAX = 300, 50
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
HIDES_ERRORS = r"2> ?/dev/null|\|\|"  # what such a command shows does not tell whether the program was there
SUDO = "sudo"
ON_EVERY_MACHINE = {"cat", "grep", "head", "ls", "sed", "sort", "tail", "wc"}  # else the PATH is broken


def lacking_in(command: str, output: str) -> list[str]:
    """The programs of a command that the output says are not there; sudo where it wants a password."""
    if not holds_any(output, SAID_OF_LACKS):
        return []
    rows = [row.strip()[:REFUSAL_MAX_CHARACTERS] for row in output.splitlines() if holds_any(row, SAID_OF_LACKS)]
    refused = [SUDO if re.search(SUDO_REFUSES, row) else program_not_started(row) for row in rows[:REFUSALS_MAX]]
    if ON_EVERY_MACHINE & {*refused}:
        return []
    own = programs_of(command)  # what a script of its own starts is the script's matter
    return [program for program in dict.fromkeys(refused) if program in own and "/" not in program]


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_in(piece))
    return programs


def lacks(items: Sequence[Item]) -> list[Lack]:
    """The programs that no command of the session got to run, the newest refusal first.

    What worked in another command is left out: there the PATH was broken once, or the program was installed later.
    """
    runs = [item for item in items if item["kind"] in ("action", "look") and item["tool"] in SHELL_TOOLS]
    refused: dict[str, Lack] = {
        program: {"program": program, "command": run["text"], "last": run["last"], "position": run["position"]}
        for run in runs for program in run.get("lacking", [])}
    for run in runs if refused else ():
        if run.get("verdict") != "not run" and not re.search(HIDES_ERRORS, run["text"]):
            for program in programs_of(run["text"]) - {*run.get("lacking", [])}:
                refused.pop(program, None)
    return sorted(refused.values(), key=lambda lack: -lack["position"])


# ==================================================================================================
# record/outcomes/git_output.py: What the output of a command of git's says: commits, where they were pushed, conflicts, what came to its end.
# ==================================================================================================

COMMITS_NAMED_MAX, COMMITS_KEPT_MAX = 3, 12  # of one output
REFS_NAMED_MAX, REFS_KEPT_MAX = 3, 12  # of one push
ENDING_OPTION = r"(merge|rebase|cherry-pick|revert|am) --(?:continue|skip|abort|quit)"
GIT_COMMIT = r"(?m)^\[(\S{1,200}(?: HEAD)?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})"
GIT_PUSHED = (r"(?m)^(?: {0,3}\*? {0,3}\[new (?:branch|tag)\]| {1,3}[+ ]? ?[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})"
              r"\s{1,30}\S{1,200} {1,30}-> (\S{1,200})")
HOOK_REMARK = r"(?m)^(\[[a-z][\w-]{1,30}\] [^\n·]{3,100})$"  # no commit: there the brackets hold two words
GIT_CONFLICT = r"(?m)^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(.{1,300})"
GIT_NOTHING = (r"(?m)^(nothing to commit.{0,90}|nothing added to commit.{0,90}|no changes added to commit.{0,90}"
               r"|Everything up-to-date|Already up to date\.|Fast-forward|Merge made by .{0,90}"
               r"|Successfully rebased and updated .{0,200}|Current branch .{0,200} is up to date\.)$")
UP_TO_DATE = "Everything up-to-date"
NOTHING_TO = {UP_TO_DATE: "push", "Already up to date.": "pull"}
NOTHING_STASHED = "No local changes to save"
STASH_KEPT = ("stash entry is kept", "would be overwritten", "could not restore untracked files")
PUSH_REFUSED = (  # what git says of the push itself: another command of the line may have failed before it
    r"rejected\]|Updates were rejected|does not appear to be a git repository|Could not read from remote|src refspec"
    r"|unable to access|Authentication failed|has no upstream branch|No configured push destination"
    r"|[Rr]epository (?:\S{1,200} )?not found|could not read (?:Username|Password)")
GIT_PUSH_FAILED = r"(?m)^error: failed to push\b.{0,200}"  # its last row; a hook's own words before it are not read
GIT_NOTHING_WORDS = ("to commit", "-to-date", "up to date", "Fast-forward", "Merge made", "Successfully rebased")
GIT_WENT_OVER = r"Switched to (?:a new )?branch |Already on '|Reset branch '"
GIT_FAILURE = (r"(?m)^(?: ! (\[(?:remote )?rejected\].{0,300})|(hint: Updates were rejected because.{0,90}"
               r"|fatal: .{0,300}|error: (?!failed to push).{0,300}))")
# New in a commit, by their names: keys, passwords, the client's own files. In 4 of 83 sessions, all by accident.
KEY_FILE = (
    r"\.env(?:\.(?!example|sample|template|test|dist)[\w-]+)?|id_(?:rsa|ed25519|ecdsa)|\.?credentials(?:\.json)?"
    r"|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.claude\.json(?:\.backup)?")
CLIENT_FILE = r"\.claude/(?:projects|backups?|shell-snapshots|todos|debug|file-history|statsig)/[^\n]+"
PRIVATE_FILE = rf"(?m)^ create mode \d{{6}} ((?:[^\n]*/)?(?:{KEY_FILE}|{CLIENT_FILE}))$"
GIT_SAID_BY_REMOTE = r"(?m)^remote: +(?:- |(?:GitLab|ERROR|error): )(.{3,160}?) *$"  # the rule behind a refusal
REMOTE_WORDS_MAX = 2
RULE_FOUND = r"GH\d{3}: "  # that a rule was broken; which one stands below it
GIT_REMOTE = r"(?m)^To (\S{1,400})"
COMMIT_RANGE = r"[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}"
USER_IN_ADDRESS = r"//[^/@]{1,300}@"
CONFLICT_DETAIL = r" (?:deleted|renamed|added|left) "  # behind the file's name
CONFLICTS_NAMED_MAX = 5
GIT_STASHED = r"(?m)^Saved working directory and index state (.{1,160}?) *$"
GIT_FAILURE_WORDS = ("fatal: ", "error: ", "rejected]", "hint: ")


def git_outcome(run: EndedCommand) -> Outcome:
    """What git's output says: commit, where it was pushed, files in conflict, what waits for its end."""
    if "git" not in run.command:
        return {}
    text = "\n".join(map(shortened, run.lines))
    ends = stop_said(text) or end_said(run, text)
    said = [commits_said(text), push_said(text), stashes_said(text), ends, failure_said(run, text)]
    outcome: Outcome = {}
    for part in said:
        outcome.update(part["fields"])
    if "pushed" in outcome and UP_TO_DATE in ends["words"]:  # of another push of the line
        ends["words"].remove(UP_TO_DATE)
    causes = [part["cause"] for part in said if part["cause"]]
    if causes:
        outcome["cause"] = cut_words(causes[0], CAUSE_MAX_UTF16)
    if refusal := push_refusal_said(run, text, causes):
        outcome["push_refused"] = refusal
    words = [words for part in said for words in part["words"]]
    if words:
        outcome["line"] = joined_line(words)
    return outcome


def push_refusal_said(run: EndedCommand, text: str, causes: Sequence[str]) -> str:
    """The cause which says that a push was refused, by the other side or before, else that it failed; empty: none."""
    if "push" not in run.command:
        return ""
    said = [cause for cause in causes if re.search(PUSH_REFUSED, cause)] or re.findall(GIT_PUSH_FAILED, text)
    return said[0] if said else ""


def commits_said(text: str) -> GitSaid:
    """The commits that were made; the last one is what HEAD names now."""
    commits = re.findall(GIT_COMMIT, text) if "] " in text else []
    if not commits:
        return {"fields": {}, "cause": "", "words": []}
    made: list[Commit] = [{"branch": branch, "hash": name, "subject": subject.strip()}
                          for branch, name, subject in commits[-COMMITS_KEPT_MAX:]]
    last = made[-1]
    fields: Outcome = {"branch": last["branch"], "commit": last["hash"], "subject": last["subject"]}
    before = [commit for commit in made if commit["hash"] != last["hash"]]
    if before:
        fields["commits_before"] = before
    private = private_files(text)
    if private:
        fields["private"] = private
    words = [f"[{branch} {name}] {subject}" for branch, name, subject in commits[-COMMITS_NAMED_MAX:]]
    return {"fields": fields, "cause": "", "words": words}


def private_files(text: str) -> list[str]:
    """The new files of a commit that are private by their names, keys first."""
    paths = re.findall(PRIVATE_FILE, text) if "create mode" in text else []
    by_worth = sorted(paths, key=lambda path: not is_key_file(path))
    return by_worth[:PRIVATE_NAMED_MAX]


def is_key_file(path: str) -> bool:
    """Whether a file holds keys, by its name."""
    return re.fullmatch(f"(?:.*/)?(?:{KEY_FILE})", path) is not None


def stashes_said(text: str) -> GitSaid:
    """The stashes that were made: also where a command behind them failed, whose cause is all that is kept else."""
    fields: Outcome = {}
    if "index state" in text and (stashed := re.findall(GIT_STASHED, text)):
        fields["stashed"] = stashed
    if holds_any(text, STASH_KEPT):
        fields["is_stash_kept"] = True
    return {"fields": fields, "cause": "", "words": []}


def push_said(text: str) -> GitSaid:
    """Where to commits were pushed, which ones, and what a hook printed then."""
    rows = [*re.finditer(GIT_PUSHED, text)] if "-> " in text else []
    remote = re.search(GIT_REMOTE, text) if rows else None
    if not rows or not remote:
        return {"fields": {}, "cause": "", "words": []}
    refs = [*dict.fromkeys(row[1] for row in rows)]
    commits = re.search(COMMIT_RANGE, rows[0][0]) if len(refs) == 1 else None
    fields: Outcome = {"pushed": {"to": re.sub(USER_IN_ADDRESS, "//", remote[1]), "refs": refs[:REFS_KEPT_MAX],
                                  "commits": commits[0] if commits else ""}}
    remark = re.search(HOOK_REMARK, text)
    if remark:
        fields["remark"] = remark[1]
    words = [f"pushed to {refs_in_words(refs)}", fields.get("remark", "")]
    return {"fields": fields, "cause": "", "words": words}


def refs_in_words(refs: Sequence[str]) -> str:
    """The branches and tags of a push by their names; of many their number, and the first.

    Of six branches that `--all` had pushed one had stood there, as if it had been the only one.
    """
    if len(refs) <= REFS_NAMED_MAX:
        return ", ".join(refs)
    return f"{len(refs)} branches or tags: {', '.join(refs[:REFS_NAMED_MAX])}, …"


def stop_said(text: str) -> GitSaid | None:
    """What stopped and waits for its end, a merge or rebase, with the files in conflict; None: nothing did."""
    conflicts = re.findall(GIT_CONFLICT, text) if "CONFLICT (" in text else []
    waiting = re.search(rf"(?m)^hint: .{{0,200}}{ENDING_OPTION}", text) if "hint: " in text else None
    if not conflicts and not waiting:
        return None
    begun = waiting[1] if waiting else "merge"
    files = [re.split(CONFLICT_DETAIL, path, maxsplit=1)[0] for path in dict.fromkeys(conflicts)]
    cause = f"{begun} stopped"
    if files:
        cause += f": conflict in {', '.join(files[:CONFLICTS_NAMED_MAX])}"
    return {"fields": {"conflicts": files, "begun": begun}, "cause": cause, "words": [cause]}


def end_said(run: EndedCommand, text: str) -> GitSaid:
    """What came to its end, or that there was nothing to do."""
    words = re.findall(GIT_NOTHING, text) if holds_any(text, GIT_NOTHING_WORDS) else []
    cause = words[0] if words and words[0].startswith(("nothing", "no changes")) else ""
    nothing_to = [verb for row, verb in NOTHING_TO.items() if row in words]
    nothing_to += ["stash"] if NOTHING_STASHED in text else []
    fields: Outcome = {"nothing_to": nothing_to} if nothing_to else {}
    ended = re.search(rf"\bgit (?:-\S{{1,90}} \S{{1,90}} )?{ENDING_OPTION}", run.command)
    if ended and not run.is_error:
        fields["finished"] = ended[1]
        words.append(f"{ended[1]} {'given up' if '--abort' in ended[0] else 'ended'}")
    elif "Successfully rebased" in text:
        fields["finished"] = "rebase"
    return {"fields": fields, "cause": cause, "words": words}


def failure_said(run: EndedCommand, text: str) -> GitSaid:
    """Why git refused or failed."""
    may_have_failed = holds_any(text, GIT_FAILURE_WORDS)
    failure = re.search(GIT_FAILURE, text) if may_have_failed and not is_made_good(run) else None
    cause = str(failure[1] or failure[2]) if failure else ""
    rules = [words for words in re.findall(GIT_SAID_BY_REMOTE, text) if not re.match(RULE_FOUND, words)]
    if "remote rejected]" in cause and rules:
        cause += f": {' '.join(rules[:REMOTE_WORDS_MAX])}"
    return {"fields": {}, "cause": cause, "words": [cause] if cause else []}


def is_made_good(run: EndedCommand) -> bool:
    """Whether a command of git that failed had another behind `||` that worked, by its last words."""
    return "||" in run.command and run.exit_code == 0 and bool(re.match(GIT_WENT_OVER, last_said(run.text)))


# ==================================================================================================
# record/outcomes/own_kill.py: Lines that end themselves: `pkill -f WORD` meets the shell that runs it, as WORD stands in that shell's own command.
# ==================================================================================================

PKILL = r"\bpkill(?P<options>(?: +-[\w-]+)+) +(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|(?P<bare>[^\s;&|'\"]+))"
WHOLE_COMMAND = r" -(?:\w*f\w*|-full)\b"  # the option by which pkill looks at whole command lines
ENDED_BY_SIGNAL = (143, 144)  # as the client tells of its shell; behind the signal that nothing survives ENDED_BY_KILL
FITS_ITSELF = r"[\w ./:@=,*-]+"  # a pattern of these signs fits its own letters; `[a]pp.py` does not
KILL = r" -(?:9|KILL|SIGKILL)\b"
ENDED_BY_KILL = (137, 1)
KILLED_ITSELF = "its own `pkill -f` met its own shell, and nothing behind that ran"


def kill_of_itself(command: str, output: str, exit_code: int | None) -> str:
    """That the line ended itself, in words; empty where it did not, or where that is not certain.

    Of exit code 1 alone it is certain where nothing was printed: pkill has it, too, where it meets no process.
    """
    if "pkill" not in command or exit_code not in (*ENDED_BY_SIGNAL, *ENDED_BY_KILL):
        return ""
    for call in re.finditer(PKILL, command):
        if exit_code in ENDED_BY_KILL and (output.strip() or not re.search(KILL, call["options"])):
            continue
        goes_on = exit_code != 1 or re.search(r"[;\n]\s*\S", command[call.end():])
        word = call["double"] or call["single"] or call["bare"]
        if goes_on and re.search(WHOLE_COMMAND, call["options"]) and re.fullmatch(FITS_ITSELF, word):
            return KILLED_ITSELF
    return ""


# ==================================================================================================
# record/outcomes/package_audit.py: What an audit of packages counted (`npm audit`): it exits 1 where there are any, which is no failure of the command.
# ==================================================================================================

AUDIT = "audit"  # subcommand of managers of packages
NAMED_SCRIPT = ("run", "run-script", "exec", "x", "dlx")  # subcommands that name another command
AUDIT_ROW = (  # with the number of what was found; of pnpm and yarn in the next row by how severe it is
    r"(?:found |fixed \d{1,6} of )?\d{1,6} (?:\w{3,10} severity )?vulnerabilit(?:y|ies)\b(?! (?:of|to)\b).{0,150}"
    r"|No (?:known )?vulnerabilities found\b.{0,60}|Severity: \d.{0,100}")
AUDIT_TOTAL = r'"vulnerabilities": ?\{\s*"info": ?\d+,[^{}]{0,300}"total": ?(\d{1,6})'  # of --json
COUNTS_SOME = r"(?:found |fixed \d{1,6} of )?[1-9]"  # how such a row begins
ROWS_MAX = 2
LEVEL_OPTION = "--audit-level"
STARTED_ROW = r"[>$] \S"  # with which package managers name what they run


def vulnerabilities_counted(run: EndedCommand) -> str:
    """The last row in which an audit of the line says how many it found; empty: none did, or something else failed."""
    if AUDIT not in run.command or run.has_failed or not any(is_audit(piece) for piece, _ in pieces_of(run.command)):
        return ""
    totals = re.findall(AUDIT_TOTAL, "\n".join(run.lines))
    if totals:
        return f"{totals[-1]} vulnerabilities"
    rows = [row for row in run.text if re.match(AUDIT_ROW, row)][-ROWS_MAX:]
    return " · ".join(rows if rows[-1:] and rows[-1].startswith("Severity") else rows[-1:])


def ends_in_audit(command: str) -> bool:
    """Whether the line's last command, whatever its output goes through, and but for an echo, is an audit."""
    pieces = pieces_of(command)
    while pieces[1:] and (pieces[-2][1] in PIPES or program_in(pieces[-1][0]) in WITHOUT_EFFECT):
        pieces = pieces[:-1]
    return is_audit(pieces[-1][0]) if pieces else False


def verdict_where_stopped(run: EndedCommand) -> str:
    """The verdict of the checks of a line that failed and came no further than its audit; empty: it may have.

    With a level of its own the audit may have let pass what it found.
    """
    pieces = pieces_of(run.command)
    audit = next((index for index, (piece, _) in enumerate(pieces) if is_audit(piece)), 0)
    index = max((index for index, row in enumerate(run.text) if re.match(AUDIT_ROW, row)), default=0)
    is_chain = {sign for _, sign in pieces[audit:-1]} == {"&&"}
    has_gone_on = any(re.match(STARTED_ROW, row) for row in run.text[index + 1:])
    if not is_chain or has_gone_on or LEVEL_OPTION in run.command:
        return ""
    return "unknown" if any(check["index"] < audit for check in run.checks) else "not run"


def is_audit(piece: str) -> bool:
    """Whether a command of a line is an audit of packages, perhaps one that mends what it found."""
    words = shell_words(piece) if AUDIT in piece else []
    named = [word for word in words[1:] if not word.startswith("-")]
    return program_of(words) in NODE_MANAGERS and AUDIT in named[:2] and named[0] not in NAMED_SCRIPT


# ==================================================================================================
# record/outcomes/pipe_filters.py: What a pipe behind a check lets through of its output, and whether a failure would be among that.
# ==================================================================================================

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines.

    What goes into a variable of PowerShell's is not seen; of a check that is to fail silence says nothing.
    """
    if re.match(rf"{NEGATION}|{ASSIGNED_IN_POWERSHELL}", check["typed"]):
        return False
    return all(lets_failures_through(text, check, count) for text in check["filters"])


def lets_failures_through(text: str, check: Check, count: int) -> bool:
    """Whether one program of the pipe lets a failure through; of one that is not known here it is not certain."""
    words, program = shell_words(text), program_in(text)
    if program == "head":
        return count < lines_let_through(words)
    if program in SEARCHING:
        names_failures = re.search(r"(?i)fail|error", text) is not None
        return "-v" in words or (names_failures and check["runner"] not in SILENT_RUNNERS)
    return program in PASSING_ON


def is_cut(check: Check, count: int, programs: Sequence[str] = CUTTING) -> bool:
    """Whether one of the programs, head or tail, may have let through only a part of the output."""
    return any(program_in(text) in programs and count >= lines_let_through(shell_words(text))
               for text in check["filters"])


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through: `-5`, `-n5`, `-n 5`."""
    numbers = [word.lstrip("-n") for word in words[1:]]
    return next((int(number[:9]) for number in numbers if number.isdigit()), LINES_OF_HEAD_AND_TAIL)


# ==================================================================================================
# record/outcomes/verdicts.py: Whether a command's checks passed: by the exit code where it is theirs, else by what the output says.
# ==================================================================================================

KNOWN_VERDICTS = ("passed", "failed")
STOP_SIGNALS = (130, 137, 143)  # exit codes of what was interrupted, killed or ended from outside
STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter", "boost", "prove", "tap", "julia", "zig"))
# Whose last rows count all that the call ran, broken files too: where these say that no test ran, none is hidden.
COUNTING_ALL_AT_END = ("pytest", "unittest", "mocha", "node", "rspec", "phpunit", "bun test", "ctest")
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild", "nx", "sbt"))  # say it of tests and of builds alike
# `All 3 tests passed.`, `0 failures, 0 errors.`: they count where that program was called.
WORDS_OF_ANYBODY = frozenset(("zig", "clojure"))
GO_ENDED = "PASS"  # Go says it of no test, too
SCRIPT_NAME = r"\.(?:py|js|mjs|ts|rb|php|pl|lua|R)\Z"  # of what an interpreter runs
# What a script that counts no tests prints of a failure: in words, and by signs that may mean something else.
SAYS_FAILED = (
    r"[\W_]{0,12}(?:FAIL(?:ED|URE)?(?!\w)(?![:=\s]{1,3}0\b)|not ok\b)"
    r"|\W{0,12}(?P<passed>\d{1,6}) ?(?:/|of|out of) ?(?P<all>\d{1,6}) tests? passed")
LOOKS_FAILED = (
    r"\W{0,12}[❌✗✘✖×](?! ?(?:\w{1,10}[: ]{1,3})?0\b)"
    r"|(?!\W{0,3}[✅✓✔]).{0,200}(?:\| ?❌|\bFAIL(?:ED)?\W{0,4}$"
    r"|\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?)\b|\b(?i:failed|failures?)[:=] ?[1-9])")
# Each test binary has a total of its own: the programs that may have cut off those of others.
SEVERAL_BINARIES = {"cargo test": ("head",), "dune test": CUTTING, "dune runtest": CUTTING, "ginkgo": CUTTING}
# `echo "exit $?"`, with what stands before the code:
ECHOED_EXIT = r"echo\s{1,9}[\"']?(?P<before>[^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\}|LASTEXITCODE)"
EXIT_NAMES = ("$?", "PIPESTATUS", "LASTEXITCODE")
# `if [ $? -eq 0 ]; then echo PASS; else echo FAIL; fi`, `if make; then …`, and as PowerShell writes the first.
PRINTS_WORDS = r"(?:echo|Write-Output|Write-Host)\s{1,9}[\"']?(?P<%s>[^\"';{}$\n]{1,60}?)[\"']?\s{0,9}[;}\n]"
WORDS_BY_EXIT = (
    r"\bif (?:\(\$(?:LASTEXITCODE -eq 0|\?)\)|\[{1,2} \$\? (?:-eq|==?) 0 \]{1,2};?|[^;\n!\[(]{3,300};)"
    rf"\s{{0,9}}(?:then|\{{)\s{{1,9}}{PRINTS_WORDS % 'passed'}"
    rf"\s{{0,9}}else\s{{1,9}}\{{?\s{{0,9}}{PRINTS_WORDS % 'failed'}")


def verdict_of_checks(run: EndedCommand) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output."""
    printed = exit_of_only_check(run) if len(run.checks) == 1 else None
    has_own_exit = run.exit_code is not None and all(check["shows_exit"] for check in run.checks)
    says_failed = bool(own_words_of_failure(run, SAYS_FAILED))
    if printed is None and not has_own_exit:
        return "failed" if run.has_failed or says_failed else verdict_seen(run)
    if strongest(run.checks) in MAY_TEST and ran_nothing(run):
        return "not run"
    exit_code = run.exit_code if printed is None else printed
    if exit_code or fails_with_exit_0(run) or says_failed:
        return "failed"
    is_unclear = is_script_without_totals(run) or own_words_of_failure(run, LOOKS_FAILED)
    return "unknown" if is_unclear else "passed"


def own_words_of_failure(run: EndedCommand, pattern: str) -> str:
    """The first row that says so of a failure, of tests of which no known runner says anything; empty: none does.

    `bash test.sh` exits 0 by its last echo, whatever its rows with ❌ say. Beside a runner's words it is a log's.
    """
    reading = run.reading
    is_of_runner = not reading.is_titled and (reading.tests or reading.passed or reading.seen_passing)
    if is_of_runner or not all(check["family"] == "test" and not check["runner"] for check in run.checks):
        return ""
    return next((row for row in run.text if is_of_failure(re.match(pattern, row))), "")


def is_of_failure(match: re.Match[str] | None) -> bool:
    """Whether the row was matched, and does not count all of its tests as passed."""
    if not match:
        return False
    groups = match.groupdict()
    return groups.get("passed") is None or int(groups["passed"]) < int(groups["all"])


def is_script_without_totals(run: EndedCommand) -> bool:
    """Whether the check is a script that is only called a test, and printed what no runner prints.

    A script that measures exits 0 whatever it measured: of two of these the figures that the session was about stood
    behind "passed". One that prints nothing only asserts.
    """
    is_called_test = all(check["family"] == "test" and not check["runner"] and re.search(SCRIPT_NAME, check["name"])
                         for check in run.checks)
    reading = run.reading
    return is_called_test and bool(run.text) and not (reading.tests or reading.passes or reading.seen_passing
                                                      or reading.passed)


def fails_with_exit_0(run: EndedCommand) -> bool:
    """Whether checks that exited 0 failed all the same: where that says nothing, and a total counts failures."""
    if run.lists_files():
        return True
    may_be_anything = any(not check["runner"] for check in run.checks)
    never_fails = any(option in run.command for option in NEVER_FAILING)
    has_failing_total = run.reading.failures > 0 and bool(run.reading.tests or run.reading.problems)
    return (may_be_anything or never_fails) and has_failing_total


def verdict_seen(run: EndedCommand) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] in MAY_TEST for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        return "unknown" if any(may_hide_runs(check, run) for check in run.checks) else "not run"
    ends_in_error = reading.error_at_end or (reading.none and reading.causes)
    if ends_in_error and not reading.passes:
        return "not run" if "not found" in reading.cause and program_not_started(reading.cause) else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in run.checks if not check["shows_exit"]]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that this check passed."""
    if check["family"] in MAY_TEST and are_tests_seen_to_pass(check, run):
        return True
    if check["family"] == "test":
        return False
    if runners_that_passed(check, run) or run.reading.problems:
        return True
    count = len(run.text)
    if count:
        return names_silent_program(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def are_tests_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that tests passed, in lines that would have told of a failure as well."""
    reading, count = run.reading, len(run.text)
    # The client leaves out the blank lines at an output's ends.
    if is_cut(check, len(run.lines) + 1, SEVERAL_BINARIES.get(check["runner"], ())):
        return False
    runners = runners_that_passed(check, run) & (OF_TESTS | OF_ALL)
    if reading.has_whole_total or runners - {*ENDS_WITHOUT_COUNT} or (runners and reading.tests):
        return True
    has_seen_some = reading.seen_passing and {*run.text} != {GO_ENDED}
    return bool(reading.tests or has_seen_some) and sees_failures(check, count)


def may_hide_runs(check: Check, run: EndedCommand) -> bool:
    """Whether tests may have run of which a filter kept the rows back.

    Of seven that ran, `cargo test zones | tail` had left other binaries' "0 passed" alone. The client leaves out the
    blank lines at an output's ends.
    """
    if check["runner"] in COUNTING_ALL_AT_END and len(run.checks) == 1:
        return False
    has_several = check["runner"] in SEVERAL_BINARIES
    return is_cut(check, len(run.lines) + 1 if has_several else len(run.text))


def runners_that_passed(check: Check, run: EndedCommand) -> set[str]:
    """The runners whose lines say that something passed; mise's, which end each task, where the last ones were seen."""
    program = check["runner"].partition(" ")[0]
    runners = {runner for runner, _ in run.reading.passed if runner not in WORDS_OF_ANYBODY or runner == program}
    only_tails = all(program_in(text) == "tail" for text in check["filters"])
    is_task = not check["runner"]
    return runners if is_task and only_tails else runners - {"mise"}


def names_silent_program(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    if len(lines) > STARTED_MAX:
        return False
    started = [re.match(COMMAND_STARTED, line) for line in lines]
    last = started[-1] if all(started) else None
    checks = checks_in(last[1]) if last else []
    return bool(checks) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in checks)


def is_passed_before_other_failed(run: EndedCommand) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: EndedCommand) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def exit_of_only_check(run: EndedCommand) -> int | None:
    """The exit code of a line's only check, which it printed, or of which its own is the opposite; else None."""
    typed = run.checks[0]["typed"]
    if not typed.startswith(NEGATION):
        return exit_printed(run)
    is_last = pieces_of(run.command)[-1][0] == typed
    return int(run.exit_code == 0) if is_last and run.exit_code is not None else None


def exit_printed(run: EndedCommand) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    by_words = exit_by_words(run)
    if by_words is not None or not any(name in run.command for name in EXIT_NAMES):
        return by_words
    pieces = pieces_of(run.command)
    for index in range(1, len(pieces)):
        piece = pieces[index][0]
        echo = re.match(ECHOED_EXIT, piece)
        if not echo:
            continue
        is_behind_pipe = index > 1 and pieces[index - 2][1] in PIPES
        if is_behind_pipe and "pipefail" not in run.command and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(echo["before"].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        codes = [match[1] for match in (re.match(pattern, line) for line in run.text) if match]
        if codes:
            return int(codes[-1])
    return None


def exit_by_words(run: EndedCommand) -> int | None:
    """0 or 1 by which of the two words the output has that the command prints by its check's exit code; else None."""
    branches = re.search(WORDS_BY_EXIT, run.command) if "else" in run.command else None
    if not branches or run.checks[0]["filters"]:
        return None
    printed = [name for name in ("passed", "failed") if branches[name].strip() in run.text]
    return int(printed == ["failed"]) if len(printed) == 1 else None


# ==================================================================================================
# record/outputs/telling_rows.py: Of an output the rows that tell how it ended: its last ones, what it says of success or failure, addresses, sums.
# ==================================================================================================

ROWS_BETWEEN, ROW_END = "…", " ⏎ "  # behind a row; a table has bars in its rows
ROWS_LOOKED_AT_MAX = 400  # of an output both ends
ROW_SHARE = 0.6  # of the room: more of it no single row takes where there are others
ROW_LOOKED_AT_CHARACTERS = 600
ANNOUNCED_MAX = 3  # rows behind an error that ends in a colon: the first, and indented ones
MISFITS_MAX = 20  # rows that have no room, in the order of their worth: behind them only worse ones fit
SAME_FORM_MAX = 2  # rows that differ in nothing but numbers, the last ones; others come behind all that say more
# What ended, failed or was made: addresses, sums and commits too.
TELLING_ROW = (
    r"(?i)\b(?:error|errors|err|fail(?:ed|ure|ures|s)?|fatal|panic|denied|refused|rejected|exception|conflict|timed out"
    r"|not found|no such|cannot|could not|unable|done|success(?:ful|fully)?|succeeded|passed|complete[d]?|finished"
    r"|created|uploaded|installed|deployed|published|started|stopped|merged|saved|total)\b|\b(?:active|status):"
    r"|\brestarting \(\d|\bexited \([1-9]"
    r"|https?://\S{4}|\b[0-9a-f]{32,128}\b|^==> |[✅❌✓✔✗✘]|^\s*warning:|\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b")
ERROR_WORDS = (
    "error", "fatal", "panic", "denied", "refused", "rejected", "conflict", "cannot", "could not", "unable", "fail",
    "failed", "failure", "exception", "unhealthy", "crashloopbackoff")
ERROR_ROW = rf"\b(?:{'|'.join(ERROR_WORDS)})\b|^\s*warning:"  # in lower case
HEAD_SIGNS = ("=", "#", "*", "~", "-", "[")  # with which such a row begins: most begin with a letter
HEAD_ROW = r"\s*(?:[=#*~]{2,} ?[^\s=#*~].{0,100}|-{3,} ?[^\s-].{0,100}|# \S.{0,100}|\[[^\]\n]{1,60}\])\s*$"  # of a part
DULL_BEGINS = (  # printed on the way, by how the row begins
    "adding: ", "inflating: ", "extracting: ", "creating: ", "linking: ", "updating: ", "a - ", "Loaded: loaded ",
    "Process: ", "Main PID: ", "Tasks: ", "Memory: ", "CPU: ", "CGroup: ", "Duration: ", "Docs: ", "Drop-In: ",
    "TriggeredBy: ", "Invocation: ", "├", "└", "│", "--- ", "+++ ", "remote: Counting", "remote: Compressing",
    "remote: Enumerating", "remote: Resolving", "remote: Total", "npm notice ", "npm warn ", "npm warning ",
    "run `npm fund`", "platform linux ", "platform darwin ", "platform win32 ", "cachedir: ", "plugins: ",
    "asyncio: mode=", "collecting ... ", "INFO: pip is looking at ", "ERROR: pip's dependency resolver does not ",
    "[notice] ", "Attempting uninstall: ", "Found existing installation: ", "Uninstalling ",
    "Successfully uninstalled ")
DULL_LETTERS = ("x ", "index ", "Get:", "Hit:", "Ign:", "Total ", "remote:")  # of the next those that begin with one
DULL_ROW = (  # the same, by more than its begin
    r"\s*(?:x \S|[●○×] \S{1,80}\.\w{4,7} - |[\])}>,;{(\[ ]{1,4}$|index [0-9a-f]{7,40}\.\."
    r"|(?:(?:Get|Hit|Ign):\d+|Total \d+ \(delta)\b|remote:\s*$"
    r"|\d{1,3}(?:\.\d)?% |[-=*_#~+ ]{4,}$|\d+ packages? are looking for funding)")
RULER_SIGNS, BETWEEN_COLUMNS = frozenset("-=:|+ "), ("|", "+")  # of a table of psql, MySQL or Markdown
BETWEEN_CELLS, TABLE_ROWS_MIN = " | ", 3
FIGURES_OF_NAME = r"\s{0,20}[A-Za-z][^\s:]{0,60}(?:[ \t]{1,20}[^\s:]{0,30}\d[^\s:]{0,30}){2,12}\s*$"
DATED_ROW = r"\s{0,9}\[?(\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2} {1,2}\d{1,2})[T ](\d\d):\d\d"  # with day and hour
DATED_ROWS_MIN, HOURS_AGO = 3, 2
PROGRESS_ROW = (  # eight figures before three times, if any: three rows of it stood beside an answer of one
    r"\s*(?:[\d.]{1,6}[kMGTP]?\s{1,9}){8}(?:(?:[\d:]{7,9}|--:--:--)\s{1,9}){3}"
    r"|\s*(?:100|\d\d?)\s{1,9}(?:[\d.]{1,6}[kMGTP]?\s{1,9}){7}\s{12,40}[\d.]{1,6}[kMGTP]?\s*$"
    r"|.{0,400}\[Omitted long (?:matching|context) line\]$"
    r"|\s*[0-9a-f]{12}:? (?:Pulling fs|Waiting|Verifying Checksum|Already exists|Download|Extracting|Pull complete)"
    r"|\s*[\w.-]{1,60} Pulling\s*$"
    r"|\s*% Total {1,9}% Received|\s*Dload +Upload")
SIGNS_OF_PROGRESS = (  # most rows have none
    "--:--", "0:0", "load", "% Total", " " * 12, "[Omitted long ", "Pull", "Extract", "Waiting", "Checksum", "exists")
DULL_WORDS = (  # the same, as the row's first words: most rows begin with none, and no pattern is compiled for them
    "Compiling", "Downloading", "Downloaded", "Fetching", "Fetched", "Resolving", "Resolved", "Unpacking", "Preparing",
    "Selecting", "Reading", "Building", "Extracting", "Collecting", "Requirement already", "Using cached",
    "Processing triggers", "Setting up", "Receiving objects", "Writing objects", "Counting objects",
    "Compressing objects", "Enumerating objects", "Delta compression", "Updating files", "Filtering content", "Pulling",
    "Pulled", "Progress: resolved", "Copying",
    "Warning: Permanently added")


def telling_rows(rows: Sequence[str], limit: int, is_listing: bool = False) -> str:
    """The rows on one line, at most `limit` UTF-16 units: of more the last ones and those that tell how it ended.

    Of a listing and of a table the first rows come before those in their middle, of other outputs the later ones.
    Longer where no row fits: what is not redacted yet is cut nowhere else than at a blank.
    """
    is_listing = is_table(rows) or (is_listing and not is_dated_log(rows))
    rows = [row for row in rows if row.strip() and not is_progress(row) and not is_ruler(row)]
    whole = ROW_END.join(" ".join(row.split()) for row in rows)
    if units(whole) <= limit:
        return whole
    if len(rows) > ROWS_LOOKED_AT_MAX:
        rows = [*rows[:ROWS_LOOKED_AT_MAX // 4], ROWS_BETWEEN, *rows[-ROWS_LOOKED_AT_MAX * 3 // 4:]]
    most = int(limit * ROW_SHARE)
    groups = [shortened_row(row, most) for row in with_what_follows(rows)]
    heads = indexes_of_heads(groups)
    chosen, misfits = set[int](), 0
    for index in by_worth(groups, is_listing):
        with_head = {*chosen, index, heads[index]} - {-1}
        if units(in_a_row(groups, with_head)) <= limit:
            chosen = with_head
        else:
            misfits += 1
            if misfits > MISFITS_MAX:
                break
    return in_a_row(groups, chosen) or whole


def is_table(rows: Sequence[str]) -> bool:
    """Whether most rows are of a table: their order says something, as the newest or the largest comes first."""
    in_cells = sum(BETWEEN_CELLS in row for row in rows)
    names = {re.sub(r"\d", "", row.split(maxsplit=1)[0]) for row in rows if re.match(FIGURES_OF_NAME, row)}
    return any(count >= TABLE_ROWS_MIN and count * 2 > len(rows) for count in (in_cells, len(names)))


def is_dated_log(rows: Sequence[str]) -> bool:
    """Whether most rows begin with a day and an hour, the newest at the end."""
    hours = hours_of_log(rows)
    return len(hours) >= DATED_ROWS_MIN and len(hours) * 2 > len(rows)


def hours_of_log(rows: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Day and hour of the rows that begin with them, by index; none where, by their letters, the newest is not last."""
    stamps = {index: re.match(DATED_ROW, row) for index, row in enumerate(rows) if row.partition(":")[2][:1].isdigit()}
    hours = {index: (stamp[1], int(stamp[2])) for index, stamp in stamps.items() if stamp}
    in_order = [*hours.values()]
    return hours if in_order[:1] <= in_order[-1:] else {}


def indexes_of_earlier_hours(rows: Sequence[str]) -> set[int]:
    """The indexes of a log's rows that were written hours before its last one: they tell nothing of how it is now.

    A failure of the night had stood for a service that had been started anew since.
    """
    hours = hours_of_log(rows)
    day, hour = [*hours.values()][-1] if hours else ("", 0)
    return {index for index, (other, at) in hours.items() if other != day or hour - at >= HOURS_AGO}


def is_ruler(row: str) -> bool:
    """Whether the row only parts a table's head from its rows."""
    return "--" in row and RULER_SIGNS.issuperset(row) and holds_any(row, BETWEEN_COLUMNS)


def is_progress(row: str) -> bool:
    """Whether the row is one of curl's meter or of its two headings, of a layer that Docker fetches, or a search's hit
    that was too long to show.
    """
    may_be = holds_any(row, SIGNS_OF_PROGRESS)
    return may_be and re.match(PROGRESS_ROW, row) is not None


def shortened_row(row: str, most: int) -> str:
    """The row; of a longer one the whole words that fit, of a single long word all."""
    words = whole_words(row, most)
    return row if words in ("", row) else f"{words} {ROWS_BETWEEN}"


def with_what_follows(rows: Sequence[str]) -> list[str]:
    """The rows, of which one that says an error and ends in a colon has the rows that it announces behind it."""
    groups, announced = list[str](), 0
    for row in rows:
        if announced and groups and (announced == ANNOUNCED_MAX or row[:1].isspace()):
            groups[-1] += f" {' '.join(row.split())}"
            announced -= 1
            continue
        groups.append(" ".join(row.split()))
        is_announcing = row.rstrip().endswith(":") and says_error(row[:ROW_LOOKED_AT_CHARACTERS])
        announced = ANNOUNCED_MAX if is_announcing else 0
    return groups


def by_worth(rows: Sequence[str], is_listing: bool) -> list[int]:
    """The indexes of the rows, those first that say most; no row twice, and dull ones only where there are no others.

    First the last row, then errors, then the first row and those that tell how it ended, then others; behind them rows
    that stood again later with other numbers, or that a log has of hours before. Of rows that say as much the later
    ones come first; errors keep their order. The rows of a listing keep theirs, its last one too: a search for a file
    had come back without its first hit, which was the file.
    """
    rows = [row[:ROW_LOOKED_AT_CHARACTERS] for row in rows]
    latest_first = indexes_of_different(rows)
    speaking = [index for index in latest_first if not is_dull(rows[index])]
    overtaken = set[int]() if is_listing else indexes_of_earlier_hours(rows) | indexes_of_repeated_forms(rows)
    last = next((index for index in speaking if index not in overtaken), None)

    def rank(index: int) -> tuple[int, int]:
        """Lower for rows that say more, then for those that come first among their like."""
        if index in overtaken:
            return 4, -index
        if index == last and not is_listing:
            return 0, index
        if is_listing:
            return 2, index
        if says_error(rows[index]):
            return 1, index
        is_telling = not index or re.search(TELLING_ROW, rows[index])
        return 2 if is_telling else 3, -index
    return sorted(speaking, key=rank) or latest_first


def indexes_of_different(rows: Sequence[str]) -> list[int]:
    """The indexes of the rows, of equal ones the last one's; from the last row to the first, without marks of a gap."""
    indexes = dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        indexes.setdefault(rows[index], index)
    return [index for row, index in indexes.items() if row != ROWS_BETWEEN]


def indexes_of_repeated_forms(rows: Sequence[str]) -> set[int]:
    """The indexes of rows behind which SAME_FORM_MAX others stand that differ in nothing but numbers."""
    indexes, behind = set[int](), dict[str, int]()
    for index in range(len(rows) - 1, -1, -1):
        form = re.sub(r"\d+", "0", rows[index])
        if behind.get(form, 0) >= SAME_FORM_MAX:
            indexes.add(index)
        behind[form] = behind.get(form, 0) + 1
    return indexes


def is_dull(row: str) -> bool:
    """Whether the row was printed on the way, by its begin, and says no error."""
    begin = row.lstrip()
    is_word = begin.startswith(DULL_WORDS) and re.match(rf"(?:{'|'.join(DULL_WORDS)})\b", begin)
    may_fit = not begin[:1].isalpha() or begin.startswith(DULL_LETTERS)
    is_on_the_way = is_word or begin.startswith(DULL_BEGINS) or (may_fit and re.match(DULL_ROW, row))
    return bool(is_on_the_way) and not says_error(row)


def says_error(text: str) -> bool:
    """Whether a row says an error, or begins as a warning; most rows have none of these words."""
    lowered = text.lower()
    may_say = holds_any(lowered, (*ERROR_WORDS, "warning:"))
    return may_say and re.search(ERROR_ROW, lowered) is not None


def indexes_of_heads(rows: Sequence[str]) -> list[int]:
    """Of each row the index of the heading that it stands under, -1 without one: under another it would be false.

    In an output of several parts ("=== 788406 ===") the figures of one had stood below the name of another.
    """
    heads, head = list[int](), -1
    for index, row in enumerate(rows):
        head = index if row.lstrip().startswith(HEAD_SIGNS) and re.match(HEAD_ROW, row) else head
        heads.append(head)
    return heads


def in_a_row(rows: Sequence[str], indexes: Collection[int]) -> str:
    """The rows at these indexes in their order on one line, with a mark where others lie between."""
    parts, before = list[str](), -1
    for index in sorted(indexes):
        parts += [ROWS_BETWEEN] * (index > before + 1) + [rows[index]]
        before = index
    return ROW_END.join([*parts, *([ROWS_BETWEEN] if parts and before < len(rows) - 1 else [])])


def rows_in_short(text: str, limit: int, is_listing: bool = False) -> str:
    """The telling ones of rows that stand on one line, within `limit` UTF-16 units."""
    return cut(telling_rows(text.split(ROW_END), limit, is_listing), limit)


def ends_under_heads(rows: Sequence[str], limit: int) -> str:
    """The first and the last rows on one line within `limit` UTF-16 units, two thirds of it for the first ones.

    What stands behind the gap has the heading that it stands under before it. Empty where the first row does not fit.
    """
    rows = [" ".join(row.split()) for row in rows if row.strip()]
    rows = [*rows[:ROWS_LOOKED_AT_MAX // 2], *rows[max(len(rows) - ROWS_LOOKED_AT_MAX // 2, ROWS_LOOKED_AT_MAX // 2):]]
    if units(ROW_END.join(rows)) <= limit:
        return ROW_END.join(rows)
    upto = [0, *accumulate(units(row + ROW_END) for row in rows)]  # units of so many of the first rows
    first, last, heads = 0, len(rows), indexes_of_heads(rows)
    while first < last and upto[first + 1] + units(ROWS_BETWEEN) <= limit * 2 // 3:
        first += 1
    if not first:
        return ""
    kept = [(0, first)]
    while last > first:
        head = heads[last - 1]
        heading = [(head, head + 1)] if first <= head < last - 1 else []
        spans = [(0, first), *heading, (last - 1, len(rows))]
        if units_in_a_row(spans, upto) <= limit:
            last, kept = last - 1, spans
        elif last == len(rows) and first > 1:  # the end says more than the last of the first rows
            first -= 1
        else:
            break
    return in_a_row(rows, [index for span in kept for index in range(*span)])


def units_in_a_row(spans: Sequence[tuple[int, int]], upto: Sequence[int]) -> int:
    """How many units the rows in these spans have on one line; `upto`: so many of the first rows, each with its end."""
    gaps = sum(end < begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    return sum(upto[end] - upto[begin] for begin, end in spans) + gaps * units(ROWS_BETWEEN + ROW_END) - units(ROW_END)


# ==================================================================================================
# record/outcomes/outcome.py: How a command ended, by its exit code and by what its output says: the one vocabulary of results.
# ==================================================================================================

FILTER_MAX_UTF16 = 60
PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
EXITS_OF_CUT_PIPES = (141, 255)  # of a shell; of PowerShell
TAKES_FIRST_ROWS = r"(?i)\|\s{0,3}(?:head|select(?:-object)? -first)\b"
OWN_BEHIND_TOTAL = (  # what a runner of tests fails for behind a total without failures
    r"(?i)coverage|threshold|unhandled|uncaught|tests? failed|script [`\"']?test|teardown|worker|leak|open handle|hook")
TIMED_OUT = 124  # a shell's exit code
LASTING_FIELDS = ("commit", "branch", "subject", "commits_before", "pushed", "remark")
COUNTED_WARNINGS = r"(?i)(?:^|[\s(:,])[1-9]\d{0,5} (?:\w{1,20} )?warnings?\b"
# Signs behind a command that let the line go on whether or not it failed.
GOING_ON = frozenset((";", "||", "\n", "&"))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": "", "limits": [limit for check in checks for limit in check["limits"]]}
    end = end_by_client(output, is_error, exit_code)
    if end["is_refused"]:
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(end["output"])])}
    background = name_in_background(end["output"])
    if background:
        return {**outcome, "verdict": "running", "line": f"in the background: {background}"}
    run = EndedCommand(command, checks, end["output"], end["exit_code"])
    outcome["limits"] += filters_seen(run)
    if 0 < run.reading.packages == run.reading.cached:
        outcome["is_cached"] = True
    of_git = git_outcome(run)
    if stopped := end["stopped"] or kill_of_itself(command, end["output"], end["exit_code"]):
        return stopped_outcome(run, {**outcome, **commit_and_push_of(of_git)}, stopped)
    outcome.update(of_git)
    counted = vulnerabilities_counted(run)
    if counted:
        return outcome_with_audit(run, outcome, counted)
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def outcome_with_audit(run: EndedCommand, outcome: Outcome, counted: str) -> Outcome:
    """How a command ended in which an audit counted vulnerabilities: that it exits 1 as there are some is no failure.

    Of one that is not the line's last command the checks behind it were not run then.
    """
    has_some = bool(run.is_error) and re.match(COUNTS_SOME, counted) is not None
    if has_some and ends_in_audit(run.command):
        run = EndedCommand(run.command, run.checks, "\n".join(run.lines), 0)
    elif has_some and run.checks and (verdict := verdict_where_stopped(run)):
        return {**outcome, "verdict": verdict, "line": counted}
    if run.checks:
        of_checks = outcome_of_checks(run, outcome)
        return {**of_checks, "line": joined_line([of_checks["line"], counted])}
    outcome = {**outcome, "line": joined_line([outcome["line"], counted])}
    if ends_in_audit(run.command) and outcome["family"] != "git":
        outcome["family"] = AUDIT
    return outcome_of_other(run, outcome)


def commit_and_push_of(of_git: Outcome) -> Outcome:
    """Of what git said that which stays true when the command was stopped later."""
    lasting: Any = {name: value for name, value in of_git.items() if name in LASTING_FIELDS}
    kept: Outcome = lasting
    return kept


def stopped_outcome(run: EndedCommand, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen.
    """
    reading, printed = run.reading, ""
    if run.checks and (reading.tests or run.has_failed):
        names = names_in_line(unique_names(reading.failed_names), reading.tests)
        printed = joined_line([*short_totals(reading.tests)[-2:], names])
    printed = printed or cut_words(telling_rows(run.text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    return {**outcome, "verdict": "stopped", "line": f"{stopped} (it had printed: {printed})" if printed else stopped}


def filters_seen(run: EndedCommand) -> list[str]:
    """What makes the look at the output less than whole: what it went through."""
    filters = [" ".join(shell_words(text)[:3]) for check in run.checks for text in check["filters"]]
    return [*dict.fromkeys(f"| {cut_words(text, FILTER_MAX_UTF16)}" for text in filters)]


def outcome_of_checks(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        return outcome_not_run(outcome, cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16))
    has_others = len(pieces_of(run.command)) > len(checks)
    if run.is_error and has_others and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    unknown = "" if reading.tests else never_started(run, verdict)
    if unknown:
        return outcome_not_run(outcome, unknown)
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    if outcome["family"] == ANY_CHECK and shows_own_tests(run, verdict):
        outcome = {**outcome, "family": "test"}
    return outcome_with_line(run, outcome, verdict)


def shows_own_tests(run: EndedCommand, verdict: str) -> bool:
    """Whether the output has tests to which the verdict belongs: not where they passed, and what came behind failed."""
    tests = run.reading.tests
    return any(sum_of(FAILURE_COUNTS, line) for line in tests) if verdict == "failed" else bool(tests)


def outcome_not_run(outcome: Outcome, cause: str) -> Outcome:
    """The outcome of checks that were never started, for this cause."""
    return {**outcome, "verdict": "not run", "cause": cause, "line": cause}


def failing_family(run: EndedCommand) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in failing if not check["shows_exit"]]
        failing = hidden or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.failed_names or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing_behind_tests(run, failing) or failing)


def failing_behind_tests(run: EndedCommand, failing: Sequence[Check]) -> list[Check]:
    """The checks that failed behind tests whose total says that all passed; none where that is not certain.

    Of `cargo test && cargo clippy && cargo fmt --check` the tests stood as failed, whose total said "0 failed", as a
    file was not formatted. A runner fails behind a clean total too, for its coverage or an error outside of its tests.
    """
    reading = run.reading
    behind = [*failing[1:]]
    if not behind or failing[0]["family"] not in MAY_TEST:
        return []
    if not all(check["shows_exit"] and check["family"] not in MAY_TEST for check in behind):
        return []
    has_clean_total = bool(reading.tests) and not any(sum_of(FAILURE_COUNTS, row) for row in reading.tests)
    runners = {runner for runner, _ in reading.failing_behind}
    if not has_clean_total or not runners or not runners.isdisjoint(OF_TESTS):
        return []
    if any(re.search(OWN_BEHIND_TOTAL, row) for _, row in reading.failing_behind):
        return []
    return [check for check in behind if check["runner"] in runners] or behind


def outcome_of_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error and not is_cut_off(run):
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {*PIPES}) and "pipefail" not in run.command
    passed = run.reading.passed
    success = passed[-1][1] if passed and outcome["family"] else ""
    may_hide_failure = has_pipe or bool(signs & GOING_ON)
    if may_hide_failure and not success and not is_made_good(run) and shows_failure(run, outcome):
        return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def is_cut_off(run: EndedCommand) -> bool:
    """Whether the command ended as what stood behind its pipe had read enough, which is no failure."""
    return run.exit_code in EXITS_OF_CUT_PIPES and re.search(TAKES_FIRST_ROWS, run.command) is not None


def shows_failure(run: EndedCommand, outcome: Outcome) -> bool:
    """Whether the output says that a command failed that is no check; of an unknown one a traceback alone does."""
    reading = run.reading
    is_known = bool(outcome["family"]) or "traceback" in reading.causes
    return (bool(outcome["cause"]) or (is_known and reading.error_at_end)
            or (outcome["family"] == "git" and reading.failed))


def failed_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    said, parts = names_of_failed(reading), list[str]()
    names = said.get("failed_names", ())
    if names:
        parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)]
    else:
        cause = cause or said_best(run.text)
    line = outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"
    verdict = "not run" if run.exit_code in NOT_STARTED else "failed"
    return {**outcome, **said, "line": line, "verdict": verdict, "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def outcome_with_line(run: EndedCommand, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    cause = ""
    if verdict == "failed":
        outcome = {**outcome, **names_of_failed(reading)}
        cause = reading.cause
        if len(run.checks) > 1 and lacking_in(run.command, cause):  # of the one that is not there; another has failed
            cause = ""
        cause = cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        parts = failed_parts(run, outcome.get("failed_names", []), cause)
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, row_of_warnings(run.lines), "" if run.is_error else "exit 0"]
        if reading.error_at_end and not reading.tests:  # a bundler's "✓ built" had hidden it
            parts.append(f"it also printed: {reading.cause}")
    elif verdict == "not run":
        cause = reading.cause
        row = total_in_short(reading.none[-1]) if reading.none else last_said(run.text)
        if reading.none and outcome["family"] == "test" and not cause:
            outcome, row = {**outcome, "met_no_test": True}, f"no test ran: {row}"
        parts = [cause or row]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts = parts or rows_without_count(reading)
        parts.append(own_words_of_failure(run, LOOKS_FAILED))
        if run.exit_code is not None:
            parts.append(f"exit {run.exit_code} of `{ending_program(run.command)}`")
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def row_of_warnings(lines: Sequence[str]) -> str:
    """The first row that counts warnings of what passed; empty for none: "passed" alone had hidden two."""
    return next((row.strip() for row in lines if "arning" in row and re.search(COUNTED_WARNINGS, row)), "")


def failed_parts(run: EndedCommand, names: Sequence[str], cause: str) -> list[str]:
    """What is said of checks that failed: totals, names, the cause; else the line that tells most."""
    reading = run.reading
    tests = reading.tests
    if sum(check["family"] in MAY_TEST for check in run.checks) > 1:  # a total without failures is another run's
        tests = [line for line in tests if sum_of(FAILURE_COUNTS, line)]
    totals = [line for line in [*tests, *reading.problems] if not line.startswith("ok ")]  # Go's, of packages
    parts = [*short_totals(totals)[-2:], names_in_line(names, reading.tests), cause]
    own_words = own_words_of_failure(run, SAYS_FAILED) or own_words_of_failure(run, LOOKS_FAILED)
    if any(parts):
        return [*parts, own_words] if reading.is_titled else parts
    return [reading.failing_line or own_words or said_best(run.text) or f"exit {run.exit_code or 1}"]


# ==================================================================================================
# record/outcomes/divided_output.py: How each check of a command line ended, where the output can be divided surely between the checks.
# ==================================================================================================

CLOSING_ROWS = {  # the last row of a runner's report, which each run has once
    "unittest": r"(?:OK|FAILED|NO TESTS RAN)(?: \(.{1,80}\))?$",
    "pytest": (r"(?:=+ )?(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)|no tests ran)\b"
               r".{0,200} in [\d.]+ ?s\b"),
    "ruff check": r"All checks passed!$|Found \d+ errors?(?: \(.{1,60}\))?\.$",
    "mypy": r"Success: no issues found|Found \d+ errors? in ",
    "jest": "Ran all test suites", "vitest": r"Duration +[\d.]+"}
FILTERS_OF_BEGIN = ("tail", "cat", "tee")  # that leave the last row
GROUPED = r"(?:^|[;&|\n])\s*[({]"  # whose output may go through one filter
SENT_AWAY = r">(?!&[12]\b)"


def divided_ends(command: str, output: str) -> list[CheckEnd]:
    """Of each check of the line its verdict and result, in their order; none where that is not certain of each."""
    checks = checks_in(command)
    if len(checks) < 2 or not stand_side_by_side(command) or not show_their_ends(command, checks):
        return []
    closings = [*closing_rows(end_by_client(output, None, None)["output"], checks)]
    outcomes: list[Outcome] = []
    for check in checks:
        if outcomes and is_skipped(command, check, checks[len(outcomes) - 1], outcomes[-1]):
            outcomes.append({"verdict": "not run", "line": ""})
        elif closings and closings[0][0] in (check["runner"], lack_of(check)):
            outcomes.append(outcome_of(" | ".join([check["typed"], *check["filters"]]), closings.pop(0)[1], None, None))
        else:
            return []
    if closings:
        return []
    return [{**said_of_checks(outcome), "verdict": outcome["verdict"], "result": outcome["line"]}
            for outcome in outcomes]


def stand_side_by_side(command: str) -> bool:
    """Whether nothing stands between the line's checks that might mend what one found, and none is a second try."""
    checks, pieces = checks_in(command), pieces_of(command)
    if not checks or "pipefail" in command:
        return False
    own = indexes_of_checks(checks)
    first, last = checks[0]["index"], max(own)
    signs = {pieces[index][1] for index in range(first, last)}
    others = [program_in(pieces[index][0]) for index in range(first, last) if index not in own]
    return signs <= {";", "\n", "&&", *PIPES} and {*others} <= {*WITHOUT_EFFECT}


def show_their_ends(command: str, checks: Sequence[Check]) -> bool:
    """Whether each check's last row stands in the output, in the checks' order.

    Older clients put what went to stderr behind all else: a later `2>&1` may have come before an earlier run.
    """
    if re.search(GROUPED, command) or has_loop(pieces_of(command)):
        return False
    if not all(map(shows_last_row, checks)):
        return False
    joined: dict[str, list[bool]] = {}  # of each runner's checks, whether stderr is joined
    for check in checks:
        joined.setdefault(check["runner"], []).append("2>&1" in check["typed"])
    return all(signs == sorted(signs, reverse=True) for signs in joined.values())


def shows_last_row(check: Check) -> bool:
    """Whether the check ends in a row that is known, and nothing keeps that out of the output."""
    if check["runner"] not in CLOSING_ROWS or re.search(SENT_AWAY, check["typed"]):
        return False
    return all(program_in(text) in FILTERS_OF_BEGIN for text in check["filters"])


def is_skipped(command: str, check: Check, before: Check, outcome: Outcome) -> bool:
    """Whether the shell left the check out, as the one right before it, with `&&` between them, did not pass."""
    joined = pieces_of(command)[check["index"] - 1]
    is_behind = check["index"] == before["index"] + len(before["filters"]) + 1
    return is_behind and joined[1] == "&&" and not before["filters"] and outcome["verdict"] != "passed"


def closing_rows(output: str, checks: Sequence[Check]) -> Iterator[tuple[str, str]]:
    """The parts of the output, each up to a row with which a check ended: whose it is, and its rows."""
    runners = dict.fromkeys(check["runner"] for check in checks)
    part: list[str] = []
    for row in output_lines(output):
        part.append(row)
        text = row.strip()
        runner = next((name for name in runners if re.match(CLOSING_ROWS[name], text)), "")
        runner = runner or next((lack_of(check) for check in checks if lacks_program(check, text)), "")
        if runner:
            yield runner, "\n".join(part)
            part = []


def lack_of(check: Check) -> str:
    """What closes the check whose program is not there."""
    return f"no {check['command'].split()[0]}"


def lacks_program(check: Check, text: str) -> bool:
    """Whether the row says that the check's program, or Python's module of it, is not there."""
    return lacks_module(check["typed"], text) or bool(lacking_in(check["typed"], text))


# ==================================================================================================
# record/outcomes/check_ends.py: How each check of a command line ended: by its own part of the output, else as far as the line's verdict tells.
# ==================================================================================================

def ends_of_checks(command: str, whole: str, output: str, verdict: str, family: str) -> list[CheckEnd]:
    """Of each check of the line how it ended, in their order; none where each ended as the line did, by its verdict.

    `whole` is the line as it was given, of which `command` may have less; `family` is that of which its verdict tells.
    """
    checks = with_tests_shown(checks_in(command), family)
    divided = divided_ends(whole, output)
    if len(divided) == len(checks):
        return divided
    lacking = lacking_in(command, output) if len(checks) > 1 else []
    verdicts = ["not run" if check["command"].split()[0] in lacking else
                verdict_of_check(index, checks, output, verdict, family) for index, check in enumerate(checks)]
    if not {*verdicts} - {verdict}:
        return []
    return [end_of_check(check, own, checks, output, verdict) for check, own in zip(checks, verdicts)]


def end_of_check(check: Check, own: str, checks: Sequence[Check], output: str, verdict: str) -> CheckEnd:
    """The check's verdict; where the line's only tests are seen to have passed, with their totals as the result.

    What else the line printed, of a build before them, had stood as what the tests said.
    """
    is_only_test = [other for other in checks if other["family"] == "test"] == [check]
    if verdict != "unknown" or own != "passed" or not is_only_test:
        return {"verdict": own}
    return {"verdict": own, "result": joined_line(passed_parts(run_of(check, output).reading))}


def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


def verdict_of_check(index: int, checks: Sequence[Check], output: str, verdict: str, family: str) -> str:
    """How the check at this index of the line's checks ended, as far as the line's own verdict tells."""
    if verdict == "failed":
        return verdict_in_failed_line(index, checks, family)
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(checks[index], output):
        return "passed"
    return verdict


def verdict_in_failed_line(index: int, checks: Sequence[Check], failed_family: str) -> str:
    """How the check ended, which stands at this index of a line's checks, where one of the family failed."""
    check = checks[index]
    if failed_family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == failed_family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == failed_family), 0)
    if index < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def shows_tests_passed(check: Check, output: str) -> bool:
    """Whether the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test":
        return False
    run = run_of(check, output)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)


def run_of(check: Check, output: str) -> EndedCommand:
    """The check as if it had printed all that its line did."""
    return EndedCommand(check["command"], [check], end_by_client(output, None, None)["output"], None)


def ends_in_background(command: str, exit_code: int | None) -> list[CheckEnd]:
    """How each check of a line ended that had gone into the background, by the exit code that the client tells."""
    checks = checks_in(command)
    return [{"verdict": verdict_in_background(check, len(checks), exit_code)} for check in checks]


def verdict_in_background(check: Check, count: int, exit_code: int | None) -> str:
    """How the check ended, one of so many of its line."""
    if exit_code is None or not check["shows_exit"]:
        return "unknown"
    if exit_code == 0:
        return "passed"
    if exit_code in STOP_SIGNALS:
        return "stopped"
    return "failed" if count == 1 else "unknown"


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
    return {**check, "folder": with_drive(whole_path(folder, base))}


def family_of_result(ending: Ending, checks: Sequence[Check]) -> str:
    """The family of the line's checks of which its result tells: that which failed, else the first that says much."""
    if ending["family"] and (ending["verdict"] == "failed" or len(pieces_of(ending["text"])) == 1):
        return ending["family"]
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    return next((family for family in CHECK_FAMILIES if family in speaking), "")


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


def check_claims(statements: Sequence[Statement], actions: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's words, and what the record has of the last run of the check that they name.

    Nothing where the summary names what failed in it, or the sentence has its number of passed tests.
    """
    uses: Item = {"uses": 1}
    checking: list[Item] = [{**uses, **action} for action in actions if action.get("family") in CHECK_FAMILIES]
    runs = check_runs(sorted(checking, key=lambda action: action["position"])[-RUNS_COMPARED_MAX:])
    if not runs:
        return
    programs = "|".join({re.escape(run["name"].split()[-1]) for run in runs})
    commands = {**SHORT_NAMES, **{run["name"]: run["name"] for run in runs},
                **codes_in(statements, f".*(?:{programs}).*")}
    named = {name: checks[0] for name, command in commands.items() if len(checks := checks_in(command)) == 1}
    things = {name: "_".join([check["name"], *check["limits"]]).replace(" ", "_") for name, check in named.items()}
    check_of = {thing: named[name] for name, thing in things.items()}
    text = "\n".join(statement["line"] for statement in statements)
    for statement, thing, state in claims_in(statements, {**things, **FAMILY_NOUNS}, CHECK_STATES):
        run, row = run_against(state, check_of.get(thing), thing, runs), statement["row"]
        is_of_all = thing in check_of or not ("files" in statement["heading"] or re.search(OF_A_PART, row))
        if run is None or not is_of_all:
            continue
        has_count = any(f" {word} pass" in f" {run['result']}" for word in row.split() if word.isdigit())
        failed = [name for name in re.findall(NAME_IN_RESULT, run["result"]) if name not in thing]
        if not has_count and not any(name in text for name in failed):
            yield statement["line"], last_run_in_words(run)


def last_run_in_words(run: CheckRun) -> str:
    """Which run of a check was the last one, and how it ended."""
    ended = "" if "met_no_test" in run else " did not start" if run["verdict"] == "not run" else f" {run['verdict']}"
    result = f": {run['result']}" if run["result"] else ""
    return f"the last run of `{quote(run['command'], RUN_SHOWN_UTF16)}` at {run['last'][11:16]} UTC{ended}{result}"


def run_against(state: str, check: Check | None, family: str, runs: Sequence[CheckRun]) -> CheckRun | None:
    """The last run of the check, or without one of the family, if it and all of the family after it ended otherwise.

    A failed one counts where it is of no more than what is called passing; of those that passed the last that is of no
    less than what is called failing; one that did not start where nothing of its family ever did.
    """
    started = [run for run in runs if run["verdict"] != "not run"]
    if check and state == "passing" and not any(run["family"] == check["family"] for run in started):
        return next((run for run in reversed(runs) if run["name"] == check["name"]), None)
    meant = [run for run in started if (run["name"] == check["name"] if check else run["family"] == family)
             and (state == "passing" or (covers_check(run["check"], check) if check else not run["check"]["limits"]))]
    if not meant or (state == "passing" and check and not covers_check(check, meant[-1]["check"])):
        return None
    last, families = meant[-1], {run["family"] for run in meant}
    options = {word for word in check["command"].split() if word.startswith("--")} if check else set()
    later = {run["verdict"] for run in started[started.index(last):] if run["family"] in families}
    is_certain = last["is_certain"] and options <= {*last["command"].split()}
    return last if is_certain and later == {"failed" if state == "passing" else "passed"} else None


# ==================================================================================================
# record/git/events.py: What a command line was seen to do with git or a forge: each commit, push, branch, merge, pull request.
# ==================================================================================================

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
WARNING = r"(?:^|⏎ )[Ww]arning: ([^⏎]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work
OTHER_MACHINE = r"https?://|ssh://|git@|[\w.-]+@[\w.-]+:"  # as the address of a push begins
BRANCHING_OPTIONS = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create"), "worktree": ("-b", "-B")}
PUSHING_NOTHING = frozenset(("-n", "--dry-run", "-d", "--delete"))
TAGGING_NOTHING = frozenset(
    ("-l", "--list", "-d", "--delete", "-v", "--verify", "--contains", "--points-at", "--merged"))
OPENING_REQUEST = r"\b(?:gh pr|glab mr) create\b"
FORGES_ABOUT_REQUESTS = ("gh pr", "glab mr")
ASKING_FOR_REQUEST = r"\b(?:gh pr|glab mr) (?:view|list|status|checks)\b"
REQUESTS_SEEN_MAX = 2
OTHER_COMMIT = r"HEAD[~^@]|[0-9a-f]{7,40}$|\w+/"  # as a reset names it


def git_events(actions: Sequence[Item]) -> list[GitEvent]:
    """All that was seen, the oldest first, nothing marked yet."""
    endings = [ending for ending in endings_of(actions) if re.search(GIT_OR_FORGE, ending["text"])]
    published = published_outside(endings)
    return [event for ending in endings for event in git_events_of(ending, published)]


def published_outside(endings: Iterable[Ending]) -> Set[str]:
    """The folders outside of people's own whose commits went to another machine: work, and nothing made to try."""
    return {call["folder"] for ending in endings
            if "pushed" in ending and re.match(OTHER_MACHINE, ending["pushed"]["to"])
            for call in git_calls(ending["text"]) if call["folder"].startswith(OUTSIDE)}


def git_events_of(ending: Ending, published: Set[str]) -> list[GitEvent]:
    """What a command line did, in the order of its parts; `published` are the folders outside that count."""
    calls = git_calls(ending["text"])
    folders = {call["folder"] for call in calls}
    is_trial = any(folder.startswith(OUTSIDE) for folder in folders - published)
    if is_trial or any(call["verb"] == "init" for call in calls):
        return []  # another repository, made to try something
    events: list[GitEvent] = []
    commits = commits_of(ending)
    for call in calls:
        at: GitEvent = {"text": " ".join(["git", call["verb"], *call["arguments"]]), "last": ending["last"],
                        "position": ending["position"], "verb": call["verb"], "folder": call["folder"]}
        if call["verb"] in COMMITTING:  # all that the line made: which of its calls made which is not told
            amends = "--amend" in call["arguments"]
            events += [{**at, **commit, "what": "commit", "pushed": "", "replaced": False, "amends": amends}
                       for commit in commits]
            commits = []
        event = event_of_call(call, at, ending)
        if event:
            events.append(event)
    request = pull_request_made(ending)
    return [*events, request] if request else events


def event_of_call(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """What the call did besides committing; None: nothing that is told."""
    if call["verb"] == "push":
        return push_event(call, at, ending)
    if call["verb"] in (*HISTORY, "stash"):
        return history_event(call, at, ending)
    if call["verb"] == "tag" and has_ended(ending) and makes_tag(call):
        return {**at, "what": "tag"}
    if call["verb"] in MOVING and has_ended(ending):
        branch = branch_made(call)
        if branch or moves_head(call):
            return {**at, "what": "branch" if branch else "moved", "branch": branch}
    return None


def has_ended(ending: Ending) -> bool:
    """Whether the line came to its end and none of its commands is seen to have failed."""
    return ending["verdict"] in ("passed", "ended")


def push_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The push that a call was; None where nothing went out."""
    if ending["verdict"] == "not run" or PUSHING_NOTHING & {*call["arguments"]}:
        return None
    nothing: Push = {"to": "", "refs": [], "commits": ""}
    pushed = ending.get("pushed", nothing)
    is_seen = bool(pushed["to"]) or "push" in ending.get("nothing_to", ())
    if not is_seen and ending["verdict"] == "failed":
        return None
    return {**at, "what": "push", "to": where_pushed(pushed), "refs": pushed["refs"],
            "certain": is_seen or has_ended(ending), "remark": ending.get("remark", "")}


def history_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The merge, rebase, reset, stash or the like that a call was; None where it changed nothing."""
    waits = bool(ending.get("begun"))
    is_done = has_ended(ending) or waits
    if not is_done or not changes_history(call) or "pull" in ending.get("nothing_to", ()):
        return None
    what = "stash" if call["verb"] == "stash" else "history"
    return {**at, "what": what, "waits": waits, "files": ending.get("conflicts", [])}


def pull_request_made(ending: Ending) -> GitEvent | None:
    """The pull request that the line opened; None: none."""
    if not has_ended(ending) or not re.search(OPENING_REQUEST, ending["text"]):
        return None
    result = str(ending.get("result") or "")
    address = re.search(PULL_REQUEST, result)
    if not address:
        return None
    warned = re.search(WARNING, result)
    return {"what": "pull request", "text": address[0], "last": ending["last"], "position": ending["position"],
            "remark": warned[1].strip() if warned else ""}


def pull_requests_seen(looks: Sequence[Item], events: Sequence[GitEvent]) -> dict[str, Item]:
    """The addresses of pull requests that a command asked for and showed alone, the newest first, each with its look.

    None that the session opened. An agent that goes on has the branch from git, its request's number from nowhere.
    """
    opened = {event["text"] for event in events if event["what"] == "pull request"}
    seen: dict[str, Item] = {}
    for look in reversed(looks):
        may_ask = holds_any(look["text"], FORGES_ABOUT_REQUESTS)
        asks = may_ask and re.search(ASKING_FOR_REQUEST, look["text"])
        addresses = {*re.findall(PULL_REQUEST, look["result"])} if asks else set[str]()
        if len(addresses) == 1 and not addresses & opened:
            seen.setdefault(addresses.pop(), look)
    return dict([*seen.items()][:REQUESTS_SEEN_MAX])


def commits_of(ending: Ending) -> list[GitEvent]:
    """Branch, hash and subject of the commits that the command made, the oldest first."""
    commits = [*ending.get("commits_before", ())]
    if ending.get("commit"):
        commits.append({"branch": ending.get("branch", ""), "hash": ending["commit"],
                        "subject": ending.get("subject", "")})
    return [{"branch": commit["branch"], "hash": commit["hash"], "text": commit["subject"]} for commit in commits]


def changes_history(call: GitCall) -> bool:
    """Whether the call changes what HEAD names; a reset of files does not."""
    if call["verb"] != "reset" or "--hard" in call["arguments"]:
        return True
    return any("." not in word and re.match(OTHER_COMMIT, word) for word in call["arguments"])


def branch_made(call: GitCall) -> str:
    """The branch that a checkout, switch or new worktree makes; empty: none."""
    options = BRANCHING_OPTIONS[call["verb"]]
    for word, following in zip(call["arguments"], call["arguments"][1:]):
        if word in options:
            return following
    return ""


def makes_tag(call: GitCall) -> bool:
    """Whether the call makes a tag; without a name, or with an option that lists or deletes, it does not."""
    return bool(without_options(call["arguments"])) and not TAGGING_NOTHING & {*call["arguments"]}


def moves_head(call: GitCall) -> bool:
    """Whether the call may go to another commit; a checkout of files, and a new worktree, does not."""
    return call["verb"] in ("checkout", "switch") and "--" not in call["arguments"]


# ==================================================================================================
# record/git/marked_events.py: What git was seen to do in the session: commits, pushes, branches, merges that wait, pull requests.
# ==================================================================================================

RESET_OF_COMMITS = r"git reset (?:--\w+ )?HEAD(?:~(\d?)|\^)$"
PUSHING = (  # other programs that push, and tasks whose name may say so
    r"\b(?:gh pr|glab mr) (?:create|merge)\b|\bgt (?:submit|ss|stack)\b|\bjj git push\b|\bssh\b.{0,400}\bgit push\b"
    r"|\b(?:make|run|just|task|sh|bash) \S{0,60}(?:push|publish|release|ship)")
REF_REFUSED = r"rejected\]\s+\S{1,200}\s+-> (\S{1,200})"
OF_A_FORGE = r"\b(?:gh pr|glab mr) (?:create|merge)\b"  # they push no more than the branch where one stands
ALL_BRANCHES = ("--all", "--mirror", "--branches")  # options of a push
MAKING_COMMITS = ("am", "cherry-pick", "commit", "merge", "revert")
WITHOUT_COMMIT = r"\s--(?:abort|quit|dry-run|no-commit)\b"
MADE_NONE = r"nothing (?:added )?to commit|no changes added to commit|Already up to date|Fast-forward"
BRANCH_NAME = r"(?![0-9a-f]{7,40}$|HEAD)[\w][\w/-]*"  # no hash, no file: a dot may be either


def marked_events(actions: Sequence[Item]) -> list[GitEvent]:
    """The events, the newest first; of each commit whether it was pushed and whether a later one took its place."""
    events = git_events(actions)
    mark_replaced(events, [action["position"] for action in actions if action.get("tool") in SUBAGENT_TOOLS])
    mark_rebased(events)
    mark_ended(events)
    mark_pushed(events)
    return [event for event in reversed(events) if event["what"] != "moved"]


def commits_made_since(actions: Sequence[Item], position: int) -> tuple[int, bool]:
    """How many commits the commands behind a position in the session made and kept, and whether they made more.

    Those that `marked_events` lists. Of `git commit … | tail -3` the output had no row with the hash: two of three
    commits had been counted as all.
    """
    made = [event for event in marked_events(actions) if event["what"] == "commit" and event["position"] > position]
    seen = {event["position"] for event in made}
    may_be_more = any(
        action["position"] > position and makes_commits(action["text"]) and
        (action["uses"] > 1 + len(action.get("earlier", ()))  # of many runs the last ones are kept
         or any(may_have_committed(ending) for ending in endings_of([action])
                if ending["position"] > position and ending["position"] not in seen)) for action in actions)
    return len({event["hash"] for event in made if not event["replaced"]}), may_be_more


def makes_commits(command: str) -> bool:
    """Whether the command has a call of git that makes commits."""
    return "git" in command and any(
        call["verb"] in MAKING_COMMITS and not re.search(WITHOUT_COMMIT, command) for call in git_calls(command))


def may_have_committed(ending: Ending) -> bool:
    """Whether a command that makes commits may have made one, though its output names none."""
    return ending["verdict"] not in ("not run", "failed") and not re.search(MADE_NONE, str(ending.get("result") or ""))


def branches_gone_to(actions: Sequence[Item]) -> list[GitEvent]:
    """The calls that went to a branch by its name, the oldest first, each with that branch."""
    moves: list[GitEvent] = []
    for event in git_events(actions):
        if event["what"] == "branch":
            moves.append(event)
        elif event["what"] == "moved":
            branch = branch_moved_to(event)
            if branch:
                moves.append({**event, "branch": branch})
    return moves


def branch_moved_to(event: GitEvent) -> str:
    """The branch that a checkout or switch names, and nothing else; empty: it may name something else."""
    names = names_in_call(event)
    return names[0] if len(names) == 1 and re.fullmatch(BRANCH_NAME, names[0]) else ""


def mark_replaced(events: Sequence[GitEvent], orders: Sequence[int]) -> None:
    """Marks commits that an amend or a reset right behind them took away: nothing between them moved HEAD.

    `orders` are the positions of subagents' orders: what these commit is not seen here.
    """
    line: list[GitEvent] = []  # commits on top of each other, as far as that is certain
    for event in events:
        if line and any(line[-1]["position"] < order < event["position"] for order in orders):
            line.clear()
        is_plain = event["what"] == "commit" and event["verb"] == "commit"
        if is_plain and not any(other["position"] == event["position"] for other in line):
            if event["amends"] and line and line[-1]["branch"] == event["branch"]:
                line.pop()["replaced"] = True
            line = [other for other in line if other["branch"] == event["branch"]] + [event]
            continue
        reset = re.match(RESET_OF_COMMITS, event["text"]) if event["what"] == "history" else None
        if reset:
            for _ in range(min(int(reset[1] or 1), len(line))):
                line.pop()["replaced"] = True
        elif event["what"] in ("commit", "history", "moved"):
            line.clear()


def mark_rebased(events: Sequence[GitEvent]) -> None:
    """Marks commits that were not pushed when a rebase came: it gives others hashes where there was something new."""
    unpushed: list[GitEvent] = []  # commits behind the last push that is certain
    for event in events:
        if event["what"] == "commit":
            unpushed.append(event)
        elif event["what"] == "push" and event["certain"]:
            unpushed = []
        elif is_rebase(event):
            for commit in unpushed:
                if commit["position"] < event["position"]:
                    commit["rebased"] = True


def is_rebase(event: GitEvent) -> bool:
    """Whether a rebase came to its end."""
    is_named = event["what"] == "history" and (event["verb"] == "rebase" or "--rebase" in event["text"])
    return is_named and not event.get("waits")


def mark_ended(events: Sequence[GitEvent]) -> None:
    """Takes the mark from merges and rebases that came to their end: continued, given up, or committed."""
    for index, event in enumerate(events):
        if event.get("waits"):
            event["waits"] = not any(ends_waiting(later, event) for later in events[index + 1:])


def ends_waiting(later: GitEvent, event: GitEvent) -> bool:
    """Whether a later event ends the merge or rebase that waits."""
    if later["what"] not in ("commit", "history", "stash"):
        return False
    if later["verb"] == "commit":
        return event["verb"] != "rebase"
    kinds = ("merge", "pull") if event["verb"] in ("merge", "pull") else (event["verb"],)
    return later["verb"] in (*kinds, "reset")


def mark_pushed(events: Sequence[GitEvent]) -> None:
    """Says of each commit whether a push came after it: yes, no, or nothing where that is not certain."""
    for index, event in enumerate(events):
        if event["what"] != "commit":
            continue
        later = events[index + 1:]
        branch = branch_pushed_with(event, later)
        if branch is not None and not event.get("rebased"):  # then its new hash was pushed, this one not
            event["pushed"] = "yes"
            if branch:
                event["pushed_with"] = branch
        elif any(other["what"] in ("push", "pull request") for other in later):
            event["pushed"] = ""
        else:
            event["pushed"] = "no"


def branch_pushed_with(commit: GitEvent, later: Sequence[GitEvent]) -> str | None:
    """With which branch one of the later events, a push that is certain, pushed the commit; None: none did.

    Empty where it was the commit's own. A commit that main's protection refused went out by a branch made at it, and
    had been told without a word of that.
    """
    own = commit["branch"].partition(" ")[0]
    holding, is_there = [own], True  # branches that hold the commit, and whether HEAD is certainly on one of them
    for event in later:
        if are_apart(event.get("folder", ""), commit["folder"]):
            continue
        if event["what"] == "push" and event["certain"]:
            if {*ALL_BRANCHES} & {*event["text"].split()}:
                return ""
            named = branches_pushed(event)
            if own in named or (not named and is_there):
                return ""
            if with_it := [branch for branch in holding if branch in named]:
                return with_it[0]
        elif event["what"] == "branch":
            is_there = begins_at(event, holding, is_there)
            holding += [event["branch"]] if is_there else []
        elif event["what"] == "moved":
            is_there = branch_moved_to(event) in holding
        elif event["what"] == "history" and event["verb"] in ("reset", "rebase"):
            is_there = False
    return None


def begins_at(event: GitEvent, holding: Sequence[str], is_there: bool) -> bool:
    """Whether a new branch begins at a commit: where HEAD stood, or at one of the branches that hold it."""
    names = names_in_call(event)
    start = names[names.index(event["branch"]) + 1:] if event["branch"] in names else []
    if event["verb"] == "worktree":
        return False  # HEAD of the folder where the session stands does not move
    return start[0] in holding if start and start[0] != "HEAD" else is_there


def branches_pushed(push: GitEvent) -> list[str]:
    """The branches that a push names, or that its output does; none: it names none."""
    named = [name.rpartition(":")[2] for name in names_in_call(push)[1:]]
    return [name for name in named if name not in ("", "HEAD")] or push["refs"]


def may_have_pushed(actions: Iterable[Item]) -> bool:
    """Whether any command of the session could have pushed, so that nothing is said of it; a refused push has not."""
    endings = [ending for ending in endings_of(actions) if not is_refused_push(ending)]
    return any(re.search(PUSHING, ending["text"]) or has_push(ending["text"]) for ending in endings)


def refused_push(actions: Iterable[Item]) -> Ending | None:
    """The last push that git says was refused; None: none was."""
    return next((ending for ending in reversed(endings_of(actions)) if is_refused_push(ending)), None)


def standing_refusal(actions: Sequence[Item], events: Sequence[GitEvent]) -> GitEvent | None:
    """The last push that was refused, where no later one may have taken those commits to that branch; None: none.

    As a push, with the branch that the other side refused as `branch`, and as `remark` what was said of it. A failure
    of one's own side ("src refspec master does not match any") is of no branch: any later push overtakes it.
    """
    refused = refused_push(actions)
    if refused is None:
        return None
    said = refused["push_refused"]
    call = next(call for call in git_calls(refused["text"]) if call["verb"] == "push")
    ref = re.search(REF_REFUSED, said)
    refusal: GitEvent = {
        "what": "push", "text": " ".join(["git", "push", *call["arguments"]]), "last": refused["last"], "to": "",
        "position": refused["position"], "folder": call["folder"], "branch": ref[1] if ref else "", "remark": said}
    later = [event for event in events if event["what"] == "push" and event["position"] > refused["position"]]
    commands = [ending["text"] for ending in endings_of(actions) if ending["position"] > refused["position"]]
    is_overtaken = any(may_be_of(push, refusal) for push in later) or any(
        re.search(PUSHING, text) and not re.search(OF_A_FORGE, text) for text in commands)
    return None if is_overtaken else refusal


def may_be_of(push: GitEvent, refusal: GitEvent) -> bool:
    """Whether a push may be of the branch whose push was refused."""
    branches = branches_pushed(push)
    is_of_all = bool({*ALL_BRANCHES} & {*push["text"].split()})
    return is_of_all or not (branches and refusal["branch"]) or refusal["branch"] in branches


def is_refused_push(ending: Ending) -> bool:
    """Whether git says of the command's one push that it was refused, by the other side or before."""
    is_single = sum(call["verb"] == "push" for call in git_calls(ending["text"])) == 1
    return is_single and says_push_refused(ending) and not ending.get("pushed")


def says_push_refused(ending: Ending) -> bool:
    """Whether the command failed and git says of a push that it was refused; another push of the line may have gone."""
    return ending["verdict"] == "failed" and "push_refused" in ending


def has_push(command: str) -> bool:
    """Whether the command has a `git push` among its calls."""
    return "push" in command and any(call["verb"] == "push" for call in git_calls(command))


# ==================================================================================================
# record/summary/git_claims.py: What a summary says of commits, pushes, the branch and what was begun that git knows otherwise now.
# ==================================================================================================

PATHS_SHOWN_MAX = 5
GIT_STATES = {
    "committed": "committed", "clean": "clean", "pushed": "pushed", "shared": "committed and pushed",
    "uncommitted": "uncommitted", "unpushed": "unpushed", "resolved": "resolved",
    "pushed_once": "was pushed|were pushed", "committed_once": "was committed|were committed",  # more may have come
    "over": "complete|completed|done|finished"}
COMMITTED, PUSHED = ("committed", "committed_once", "shared"), ("pushed", "pushed_once", "shared")
LISTS_OF_CHANGES = ("conflicts", "staged", "modified", "untracked")  # of git's answer
THINGS = {"changes": "changes", "work": "changes", "everything": "changes", "commits": "commits", "branch": "commits",
          "working tree": "tree", "git status": "tree", "`git status`": "tree", "the commit": "commit",
          "conflicts": "conflicts", "merge": "merge", "rebase": "rebase", "cherry-pick": "cherry-pick"}
NAMES_OF_NOW = {  # what stands before the name of the branch, or of the commit, on which we are
    **{f"{we}{yet} on branch": "branch" for we in ("we are", "we're") for yet in ("", " still", " currently")},
    **dict.fromkeys(("current branch", "current git branch", "checked out on"), "branch"),
    **dict.fromkeys(("latest commit", "last commit", "head commit", "head is at", "head is now at"), "head")}
WORDS_OF_NAMES = frozenset("branch checked commit committed head".split())  # a word of each of these, and of a commit's
MARKS_BEHIND = {"branch": ("", ".", ";", ",", ")"), "head": ("", ".", ";")}  # else more is said of it
HASH = r"[0-9a-f]{7,40}"
TELLING = {  # of a commit, in other words than clauses are read in, by what is told of it
    "made": r" committed (?:as|with (?:the )?message) [\"`]",
    "made here": r" committed (?:on|to) (?:(?:the )?branch )?`?BRANCH`?(?= [.;,)]| branch | $)",
    "pushed_once": r" committed [^:;?!]{0,160} and pushed (?=[.;,)]|to |$)"}
OTHER_FOLDERS = r"\bgit (?:-C|worktree)\b|\bcd /"  # of git's commands: what is said may be of another repository


def git_claims(statements: Sequence[Statement], items: Sequence[Item], paths: Mapping[str, str],
               git: GitNow) -> Iterator[tuple[str, str]]:
    """The summary's words, and what git says otherwise now; what git was not asked, it does not say."""
    actions = [item for item in items if item["kind"] == "action"]
    commands = [action["text"].replace(git.get("root") or "\0", ".") for action in actions if "git" in action["text"]]
    if any(re.search(OTHER_FOLDERS, command) for command in commands):
        git = {}
    for said, answer in names_told(statements, actions, git):
        yield said, f"git: {answer}"
    destinations = ("", " to origin", f" to {git.get('upstream')}", f" to `{git.get('upstream')}`")
    states = {state: "|".join(f"{phrase}{destination}" for phrase in phrases.split("|") for destination in destinations)
              for state, phrases in GIT_STATES.items()}
    claims = [claim for claim in claims_in(statements, {**paths, **THINGS}, states) if claim[1:] != (
        "changes", "committed") or {*paths}.isdisjoint(claim[0]["row"].split())]  # "the changes of src/a.py"
    branch = re.escape(git.get("branch", "").lower()) or "\0"
    claims += [({**each, "line": piece_around(each["line"], "committed")}, "commit", what) for each in statements
               if " committed " in each["row"] and (OPEN_WORDS | DENIALS).isdisjoint(each["row"].split())
               for what, phrase in TELLING.items() if re.search(phrase.replace("BRANCH", branch), each["row"])]
    answers = GitAnswers(items, git)
    for statement, thing, state in claims:
        if answer := answers.answer(thing, state):
            yield statement["line"], f"git: {answer}"


def names_told(statements: Sequence[Statement], actions: Sequence[Item], git: GitNow) -> Iterator[tuple[str, str]]:
    """What the summary calls the branch or commit of now, or a commit's hash, and which it is."""
    made = [action for action in actions if action.get("commit") and action.get("subject")]
    hashes = [str(name) for name in (*(action["commit"] for action in made), git.get("head")) if name]
    subjects = {name: action["commit"] for name, action in zip(as_names([each["subject"] for each in made]), made)
                if len(name) >= SUBJECT_MIN_CHARACTERS}
    naming = [statement for statement in statements if not WORDS_OF_NAMES.isdisjoint(statement["row"].split())]
    codes = {code: "|".join(f"{before}{name}" for before in ("", "commit ", "committed ", "was committed as "))
             for name, code in codes_in(naming, r"[^`\s|]+").items()}
    for statement, what, name in claims_in(naming, {**NAMES_OF_NOW, **subjects}, codes):
        now = {"branch": git.get("branch"), "head": git.get("head")}.get(what, what)
        is_other = name != now if what == "branch" else re.fullmatch(HASH, name) and not any(
            same_commit(each, name) for each in hashes)
        behind = statement["row"].partition(f"`{name.lower()}` ")[2][:1]
        if now and is_other and behind in MARKS_BEHIND.get(what, behind):
            subject = next((in_quotes(each["subject"]) for each in made if each["commit"] == what), "the last commit")
            yield statement["line"], f"{'the branch' if what == 'branch' else subject} is {now}"


class GitAnswers:
    """What git and the session's commands say otherwise of a thing than that it is in a state."""

    def __init__(self, items: Sequence[Item], git: GitNow) -> None:
        """Of all items of the session; `git` is what git says now."""
        self.items, self.git = items, git
        self.actions = [item for item in items if item["kind"] == "action"]
        self.edited = [action["path"] for action in self.actions if action.get("edits")]
        self.has_subagents = any(action.get("tool") in SUBAGENT_TOOLS for action in self.actions)  # that may do more
        own = [f"{action['commit']} {action.get('subject', '')}" for action in self.actions if action.get("commit")]
        self.commits = own or [" ".join(commit) for commit in reversed(git.get("commits") or [])]

    def answer(self, thing: str, state: str) -> str:
        """The answer; empty where nothing is known otherwise."""
        if state == "over":
            begun = self.git.get("in_progress") or ""
            return f"in progress: {begun}" if thing == begun.partition(" ")[0] else ""
        if state == "resolved":
            conflicts = self.git.get("conflicts") if thing == "conflicts" else []
            return f"not resolved: {', '.join(conflicts)}" if conflicts else ""
        if state in ("made", "made here"):
            return self.no_commit(state)
        if state == "uncommitted":
            return self.nothing_uncommitted(thing)
        if state == "unpushed":
            return f"{self.git.get('branch')} has no commit that {self.git.get('upstream')} lacks" if (
                self.ahead(thing) == 0) else ""
        is_committed = state in COMMITTED or (thing, state) == ("tree", "clean")
        answer = self.not_committed(thing, state) if is_committed else ""
        return self.not_pushed(thing, state) if state in PUSHED and not answer else answer

    def not_committed(self, thing: str, state: str) -> str:
        """The session's changes of the thing that git has in no commit.

        What was committed once may have been changed since, unless git does not know the file.
        """
        if state == "committed_once" and thing in THINGS.values():
            return ""
        lists = ("untracked",) if state == "committed_once" else LISTS_OF_CHANGES
        own = own_changes(thing, self.changed(lists), self.edited, self.git.get("folder", ""))
        return f"not committed: {', '.join(own[:PATHS_SHOWN_MAX])}" if own else ""

    def changed(self, lists: Sequence[str]) -> list[str]:
        """The paths that stand in these lists of git's."""
        known: Any = self.git
        return [row if isinstance(row, str) else row[0] for name in lists for row in known.get(name) or ()]

    def nothing_uncommitted(self, thing: str) -> str:
        """That nothing is uncommitted, with the last commit; empty where git was not asked for all, or has stashes."""
        are_known = all(self.git.get(name) is not None for name in LISTS_OF_CHANGES)
        is_clean, top = are_known and not self.changed(LISTS_OF_CHANGES), f"{self.git.get('root', '')}/"
        if not is_clean or not all(path.startswith(top) for path in self.edited):
            return ""
        may_be_stashed = thing == "changes" and bool(self.git.get("stashes"))
        if thing != "tree" and (may_be_stashed or not self.commits):
            return ""
        return "; the last commit here: ".join(["nothing is uncommitted", *self.commits[-1:]])

    def no_commit(self, state: str) -> str:
        """That the branch has no commit since the session began, where no command that commits may have gone well."""
        branch, is_known = self.git.get("branch"), self.git.get("commits") == [] and not self.has_subagents
        may_be_elsewhere = any("commit" in action["text"] and action["verdict"] != "failed" for action in self.actions)
        is_meant = state == ("made here" if may_be_elsewhere else "made")
        return f"{branch} has no commit since the session began" if (
            branch and is_known and is_meant and not self.commits) else ""

    def ahead(self, thing: str) -> int | None:
        """How many commits the branch has that are not pushed; None: not known, or of another thing."""
        return self.git.get("ahead") if self.git.get("upstream") and thing in ("changes", "commits") else None

    def not_pushed(self, thing: str, state: str) -> str:
        """Why the thing cannot have been pushed; empty where a push of the session may have gone well."""
        may_be_refused = self.commits and self.git.get("ahead") != 0  # else somebody pushed
        refusal = self.refusal_of_all() if may_be_refused else ""
        if not refusal and any("git push" in action["text"] for action in self.actions):
            return ""
        if self.git.get("is_without_remote"):
            return "the repository has no remote"
        ahead, branch, upstream = self.ahead(thing), self.git.get("branch"), self.git.get("upstream")
        if ahead and state != "pushed_once":
            return f"{ahead} commit{'s' * (ahead != 1)} of {branch} not pushed to {upstream}"
        return refusal if thing in ("commit", "changes") else ""  # a branch may have been pushed before

    def refusal_of_all(self) -> str:
        """Which push of the session was refused, where no command or subagent may have pushed anything; else empty."""
        if self.has_subagents or may_have_pushed(self.actions):
            return ""
        if refusal := standing_refusal(self.actions, marked_events(self.actions)):
            return (f"no push of this session went through; `{refusal['text']}` was refused at "
                    f"{refusal['last'][11:16]} UTC: {refusal['remark']}")
        is_rejected = any("$ git push" in item.get("refused", "") or (
            item["kind"] == "refusal" and "$ git push" in item["text"]) for item in self.items)
        return "no push of this session went through; the user rejected `git push`" if is_rejected else ""


def own_changes(thing: str, changed: Sequence[str], edits: Sequence[str], folder: str) -> list[str]:
    """Those of git's changed paths, seen from the folder, in which the session edited what the thing names."""
    edited = [path for path in edits if thing in ("changes", "tree") or ends_in(path, thing)]
    wholes = {row: posixpath.normpath(f"{folder}/{row}") + "/" * row.endswith("/") for row in changed}
    return [row for row, whole in wholes.items()
            if any(whole in path if row.endswith("/") else path.endswith(whole) for path in edited)]


# ==================================================================================================
# record/summary/task_claims.py: Tasks of the client's list that a summary gives another status than the list has.
# ==================================================================================================

TASK_STATES = {
    "open": "open|unfinished|incomplete|left|left to do|☐",
    "completed": "completed|complete|done|finished|closed|✅|✓|✔|☑",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|half done|partly done|🔄",
    "pending": "pending|not started|not been started|not yet started|untouched|to do|next up"}
OPEN_STATUSES = ("in_progress", "pending")
RANGE = r"#(\d{1,2})(?: (?:to|through|[–-]) |[–-])#?(\d{1,2})(?= )"
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
    for statement, index, status in claims_in([*map(with_whole_row, statements)], names, TASK_STATES) if tasks else ():
        task, words = tasks[int(index)], {*statement["row"].split()}
        is_meant = {"task", "tasks", "todo"} & words or len(words & {*subjects[int(index)].split()}) > 1  # by number
        own = {task["status"], "open" if task["status"] in OPEN_STATUSES else ""}
        if is_meant and task["status"] in TASK_STATES and status not in own:
            name = f"{task.get('key', '')} {in_quotes(task['text'])}".strip()
            yield statement["line"], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def with_whole_row(statement: Statement) -> Statement:
    """The statement, each number of a range in its row; below a heading that calls it done with that word before it."""
    row = f" completed :{statement['row']}" if statement["heading"] in DONE_HEADINGS else statement["row"]
    if "#" in row:
        row = re.sub(RANGE, lambda match: " ".join(map("#{}".format, range(int(match[1]), int(match[2]) + 1))), row)
    return {**statement, "row": row}


# ==================================================================================================
# record/summary/comparisons.py: What a compaction's summary says that the record, git or the disk know otherwise, and what it leaves out.
# ==================================================================================================

RECORD_MAX_UTF16, COMPARED_MAX, RULES_MAX = 300, 40, 60
QUESTION_WORDS = 5  # by which an end of a long one is known
ANSWERED = frozenset("answered chose picked selected confirmed approved decided answer resolved".split())
UNANSWERED = frozenset((  # beside an answer: it is of another question, or to come
    "not no never nobody yet unanswered until once if when after before whether open pending wait waits waiting awaits "
    "still remains will would should could can must may be earlier other another asked i").split())


def compare(summary: str, items: Sequence[Item], facts: Facts) -> list[SummaryFinding]:
    """The findings {kind, said, record}, at most COMPARED_MAX, first those that mislead most.

    kind    check, task, git, file; pin, rule, question, of which the summary may say nothing: `said` is empty.
    Of the facts `git` is what git says now, without what is not known; `files` has for the paths that `paths_in` finds
    in the summary whether they exist, without those of which that is not certain.
    """
    statements, actions = statements_of(summary), [item for item in items if item["kind"] == "action"]
    paths = paths_in(statements)
    claims = {
        "check": check_claims(statements, actions),
        "task": task_claims(statements, [item for item in items if item["kind"] == "task"]),
        "git": git_claims(statements, items, paths, facts.get("git") or {}),
        "file": file_claims(statements, actions, paths, facts.get("files") or {})}
    contradictions = [finding_of(kind, said, record) for kind, pairs in claims.items() for said, record in pairs]
    by_record = {finding["record"]: finding for finding in contradictions}
    return [*by_record.values(), *of_person(body_of(summary), statements, items)][:COMPARED_MAX]


def finding_of(kind: str, said: str, record: str) -> SummaryFinding:
    """A finding, its words on one line and redacted."""
    words = quote(record, RECORD_MAX_UTF16)
    return {"kind": kind, "said": quote(said, SAID_MAX_UTF16), "record": words}


def of_person(text: str, statements: Sequence[Statement], items: Sequence[Item]) -> Iterator[SummaryFinding]:
    """Waiting questions, pins and rules that do not stand in the text whole; questions that it tells as answered."""
    whole = plain_words(text)
    lines = [[*line] for _, line in groupby(statements, lambda statement: statement["line_index"])]
    last = max((item["position"] for item in items if item["kind"] in ("message", "answer")), default=-1)
    for kind in ("question", "pin", "rule"):
        open_items = [item for item in items if item["kind"] == kind and item.get("status", "open") == "open"]
        for item in [item for item in open_items if kind != "question" or item["position"] >= last][:RULES_MAX]:
            words = " ".join(item["text"].split())
            if plain_words(words) not in whole:
                yield {"kind": kind, "said": "", "record": words}
            elif kind == "question":
                answers = (answer_told(line, as_names([words])[0]) for line in lines)
                for said in [*filter(None, answers)][:1]:
                    yield finding_of(kind, said, f"it still waits for the user's answer: {words}")


def plain_words(text: str) -> str:
    """The text as it is looked for word for word: without emphasis, quotes and case."""
    return " ".join(text.translate(str.maketrans("", "", "*`\"'’“”„«»")).lower().split()).rstrip(" .!?")


def answer_told(line: Sequence[Statement], question: str) -> str:
    """The line's words where it tells the question in it as answered, right behind it or right before; else empty.

    Of a long one the end of the question, at which it tells the answer.
    """
    before, name, behind = " ".join(statement["row"].strip() for statement in line).partition(question)
    words = (re.findall(r"[^\W\d_]+", behind) or re.findall(r"[^\W\d_]+", before))[:3]
    is_answer = "user" in words[:2] and not ANSWERED.isdisjoint(words)
    if not name or not (is_answer or words[:1] in (["answer"], ["resolved"], ["a"])) or not (
            UNANSWERED.isdisjoint(f"{before} {behind}".split())):
        return ""
    end = question.split()[-QUESTION_WORDS:] if behind.strip(" .?\"") else question.split()[:QUESTION_WORDS]
    return piece_around(" ".join(statement["line"] for statement in line), " ".join(end))


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
UNSETTLED_STAGES = ("delivered", "unseen")  # of a compaction of which it is not known whether its text was kept
DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
COMPACTION_ID = re.compile(r"[0-9a-f]{8,20}\Z")  # it becomes part of a file's name
POSITIONS_MAX = 20  # of compactions, that are kept
NONCE_CHARACTERS = 8  # of a compaction's id, which tell its text from all others of the session
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


def positions_of(compaction: CompactionState, snapshot: Snapshot) -> list[int]:
    """Where in the session its last compactions came that began by themselves, the one of the snapshot last.

    None for one by hand: that says nothing of how much room is left.
    """
    if compaction.get("trigger") == "manual":
        return []
    before = [position for position in compaction.get("before", []) if type(position) is int]
    return [*before, snapshot["position"]][-POSITIONS_MAX:]


def begin_compaction(folder: str, begun: CompactionState) -> None:
    """Notes that a compaction begins, with what PreCompact tells of it, for restore_snapshot.py to follow.

    `earlier` is the one before, while it is not known whether its text was kept: the next may be prepared at once.
    """
    path = os.path.join(folder, COMPACTION_FILE)
    known = read_store(path)
    last = {name: known[name] for name in ("id", "offset", "resumed", "stage") if name in known}
    earlier = last if last.get("stage") in UNSETTLED_STAGES else known.get("earlier")
    state = {**begun, "before": known.get("before", []), "stage": "begun"}
    replace_store(path, {**state, "earlier": earlier} if earlier else state)


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come."""
    path = os.path.join(folder, COMPACTION_FILE)
    refuse_later_version(path)
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def end_compaction(folder: str, compaction: CompactionState, stage: str, behind: int) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    lock_session(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == compaction["id"]:
        del now["earlier"]
        set_stage(folder, {**now, "offset": max(now.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == compaction["id"]:
        set_stage(folder, {**now, "settled": time.time()} if stage == "repaired" else now, stage)
    unlock_session()  # a save that this process starts later would wait for it


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
OLD_ENDING = ".1"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), "events.jsonl")
    if size_of(path) > EVENTS_MAX_BYTES:
        rotate(path)
    append_line(path, json.dumps(line))


def rotate(path: str) -> None:
    """Sets the file aside; the one that was set aside before goes."""
    try:
        os.replace(path, f"{path}{OLD_ENDING}")
    except FileNotFoundError:  # another hook has just done it
        return


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
# store/history.py: history.jsonl of a session: what each compaction carried over, and what was found in its summary.
# ==================================================================================================

HISTORY_FILE = "history.jsonl"
FAILING_CHECK = "failing check"  # what such a line is about
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def history_end(folder: str, most_bytes: int) -> list[JsonObject]:
    """The newest lines of the session's history, of at most so many bytes; none where it cannot be read."""
    path = os.path.join(folder, HISTORY_FILE)
    if os.path.islink(path):
        return []
    size = size_of(path)
    try:
        lines = [*records_of(path, max(size - most_bytes, 0), size)] if size else []
    except (OSError, Refusal):
        return []
    return [line for line in lines if line.get("schema") == SCHEMA]


def restore_line(snapshot: Snapshot, shown: Sequence[ChosenLine], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units.

    A check that fails or passed counts as a thing, as in all that tell of it.
    """
    lines = [{"kind": kind_of(line), "section": line["section"], "line": line["text"]} for line in shown]
    things = len({id(item) for line in shown for item in line["items"]})
    things += sum("fails" in line or "passes" in line for line in shown)
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   things=things, lines=lines)


def kind_of(line: Line) -> str:
    """What a line is about: its item's kind, a check that fails or passed, or what is true now."""
    if line["items"]:
        return line["items"][0]["kind"]
    return FAILING_CHECK if "fails" in line else PASSED if "passes" in line else "fact"


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


def pin_items(pins: Iterable[JsonObject]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no position and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


class SessionPins:
    """The pins of one session."""

    def __init__(self, session: str, project: str, top_of: Callable[[str], str]) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none; `top_of` its project's."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, "snapshot.json")), "project") or project
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
# store/session_marks.py: Marks in a session's folder: files that only one process can make, so that of two that were installed one acts.
# ==================================================================================================

FORK_MARK = "forked"  # of a session that the client has begun as a fork, and calls so (2.1.329 and 2.1.330)


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
UNASKED_MAX_BYTES = 1_000  # an id, or those of several compactions without a prompt between them


def leave_unasked(folder: str, compaction_id: str) -> None:
    """Leaves the mark: the next prompt is the first after this compaction."""
    append_line(os.path.join(folder, UNASKED_FILE), compaction_id)


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
    return ids[-1] if ids and COMPACTION_ID.match(ids[-1]) else ""


# ==================================================================================================
# the script: Audit the summary that a compaction wrote: what it says that the record contradicts, and what it leaves out.
# ==================================================================================================

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
    note = leave_findings(folder, findings, {"session": data["session_id"], "id": compaction_id, "time": started})
    note_event("audit", data["session_id"], time=started, id=compaction_id, **counts_of(findings),
               trigger=text_of(data, "trigger"), units=units(note), ms=int((time.time() - started) * 1000))
    append_line(os.path.join(folder, HISTORY_FILE), audit_line(compaction_id, findings))


def leave_findings(folder: str, findings: Sequence[SummaryFinding], about: JsonObject) -> str:
    """Leaves the note on the findings for the model, none where there are none; returns its text.

    What the text that was put back tells already is not in it, and kept for the status line, which counts both. Before
    that has gone out its words are taken out at hand-over. `about`: the compaction that they are about.
    """
    about = {**about, "contradicted": counts_of(findings)["contradicted"]}
    delivered = delivered_text(folder, text_of(about, "id"))
    with_text = [finding for finding in findings if finding["record"] in delivered]
    keep_given(folder, {**about, "findings": [finding for finding in with_text if finding["said"]]})
    text, lines = note_of(finding for finding in findings if finding not in with_text)
    leave_note(folder, {**about, "text": text, "findings": lines})
    return text


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
    return {**snapshot, "id": compaction_id} if COMPACTION_ID.match(compaction_id) else snapshot


def earlier_without_audit(folder: str, compaction: CompactionState) -> str:
    """The id of the compaction before, where its summary was not audited yet; else empty.

    The next compaction may be prepared already when this one's PostCompact comes.
    """
    compaction_id = text_of(compaction.get("earlier", {}), "id")
    if not COMPACTION_ID.match(compaction_id) or os.path.exists(os.path.join(folder, f"audited-{compaction_id}")):
        return ""
    return compaction_id


def findings_of(
        data: HookInput, folder: str, summary: str, memory: Snapshot | Memory, project: str) -> list[SummaryFinding]:
    """What the record contradicts in the summary, and what the summary leaves out."""
    items = memory["items"] + items_since(folder, project, text_of(memory, "time"))
    text = summary[:TEXT_MAX_CHARACTERS]
    folder_now = text_of(memory["state"], "cwd") or data["cwd"]
    return compare(text, items, facts_for(text, folder_now, text_of(memory, "began"), items))


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
