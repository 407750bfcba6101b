"""What a command line leaves running behind it, and what it stops: servers with `&`, sessions of tmux.

Their end is seen only where another command stops them by name, port, process id or what they were started with. What
it hands to a manager (`docker compose up -d`, `pm2 start`) is none of them: see services.py.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Sequence

from compact_keeper.record.commands.programs import KEEPERS, NODE_RUNNERS, SHORT_LIVED, VIEWERS, WRAPPERS
from compact_keeper.record.commands.shell import (
    ASSIGNED,
    HERE_DOCUMENT,
    PIPES,
    QUOTED_TEXT,
    pieces_of,
    program_in,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.text.length import is_cut_text

PARTS_MAX, PART_WORDS_MAX = 60, 200  # of a line; of a command
DETACHES_OR_STOPS = rf"&|kill|\b(?:{'|'.join(KEEPERS)}|fuser|wait)\b"
ASSIGNMENTS = rf"(?:(?:export|sudo|{'|'.join(WRAPPERS)})\s+)*((?:{ASSIGNED}(?:\s+|$))+)"
LOG_FILE = r"(?:&>>?|(?<![\d&])1?>>?)\s{0,3}([^\s&|;<>()]{1,300})|\|\s{0,3}tee (?:-a )?([^\s&|;<>()]{1,300})"
PORTS_IN_COMMAND = (
    r"(?:^|\s)--(?:\w{1,20}-){0,2}port[= ](\d{2,5})\b", r"\b(?:\w{1,20}_)?PORT=[\"']?(\d{2,5})\b",
    r"(?:^|\s)-p[= ]?(?:[\d.]{7,15}:)?(\d{2,5})(?=[\s:]|$)", r"\brunserver (?:[\w.]{1,60}:)?(\d{2,5})\b",
    r"\bhttp\.server (\d{2,5})\b", r"(?:^|\s|=)(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b")
HOST = r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1?\]|\*)"
PORT_IN_OUTPUT = (
    rf"(?i)\b(?:listening|running|serving|ready|started|server|local|available)\b[^\n]{{0,80}}?(?:{HOST}:|\bport:? "
    r"|(?<=on ):)(\d{2,5})\b")
PORT_OF_REQUEST = r"\bcurl\b[^\n;|&]{0,200}?(?:localhost|127\.0\.0\.1):(\d{2,5})\b"
PORT_TAKEN = r"(?i)EADDRINUSE|address already in use|port \d{2,5} is (?:already )?(?:in use|taken)"
DIED = (  # a row with which a program says that it ended there, or never began
    r"\[?(?:FATAL|fatal)\b|panic: |Segmentation fault|.{1,200}: (?:command not found|No such file or directory)$")
SILENT_PROGRAMS = ("cd", "sleep", "export", "set", "true", ":")
PORT_STOPPED = (
    r"\blsof [^\n|;&]{0,60}?:(\d{2,5})\b[^\n;]{0,80}?\|\s{0,3}xargs [^\n|;&]{0,40}?kill"
    r"|\bkill [^\n;]{0,30}?(?:\$\(|`)\s{0,3}lsof [^\n);]{0,60}?:(\d{2,5})\b"
    r"|\bfuser (?:-\w+ )*(\d{2,5})/tcp|\bkill-port (?:--port )?(\d{2,5})\b")
WINDOWS_SHELLS = ("taskkill", "taskkill.exe", "cmd", "cmd.exe")
STOPPED_ON_WINDOWS = (
    r"(?i)\btaskkill\b[^|;&\n]{0,80}?/(?:IM \"?(?P<name>[\w.+-]{1,60}?)(?:\.exe)?|PID (?P<pid>\d{1,7}))(?![\w.])")
QUOTED_OR_OPEN = (  # a text that is closed, or the mark that opens one without an end
    rf"\\.|{QUOTED_TEXT}|{HERE_DOCUMENT}[^\n]*\n(?:.*?\n)?(?P=word)(?!\w)"
    r"|(?P<open>[\"']|<<-?\s{0,9}[\"']?\w)")


class Detached(namedtuple("Detached", ("text", "key", "log", "by"))):
    """A command that goes on when its line has ended. `typing`'s form of this costs a hook's start a millisecond.

    text: as written, with the variables before it; key: the same for the same command, wherever its output goes; log:
    the file that its output goes to, empty: not known; by: what left it behind: &, tmux, screen.
    """

    __slots__ = ()


class Stop(namedtuple("Stop", ("by", "what", "is_whole_line", "command"), defaults=(False, ""))):
    """What a command stops.

    by: name, port, pid, started (by the same line), or what left it behind: tmux, screen; what: empty: all of
    them; is_whole_line: a name is looked for in the whole command, not in the program alone; command: the part of the
    line that does it, empty where a port is freed, by whatever stands there.
    """

    __slots__ = ()


def steps_of(script: str) -> list[Detached | Stop]:
    """What a command line leaves running and what it stops, in its order."""
    if not re.search(DETACHES_OR_STOPS, script):
        return []
    pieces = pieces_of(before_open_text(script) if is_cut_text(script) else script)[:PARTS_MAX]
    steps: list[Detached | Stop] = []
    for index, (piece, sign) in enumerate(pieces):
        words = shell_words(piece)[:PART_WORDS_MAX]
        steps += [stop._replace(command=piece) for stop in stops_of(piece, words)]
        begin = index
        while sign == "&" and begin > 0 and pieces[begin - 1][1] in PIPES:  # all of a pipe goes on
            begin -= 1
        first = pieces[begin][0]
        program = program_in(first)
        is_done_soon = program in SHORT_LIVED or re.match(r"g?timeout\b|trap\b", first)
        if sign == "&" and not is_done_soon and not (program in VIEWERS.split() and not port_of(first)):
            steps.append(detached_piece(first, " | ".join(text for text, _ in pieces[begin:index + 1]), "&"))
        elif by := session_of(words):
            steps.append(detached_piece(piece, piece, by))
    may_stop_port = "kill" in script or "fuser" in script
    ports = [next(filter(None, match.groups()))
             for match in (re.finditer(PORT_STOPPED, script) if may_stop_port else ())]
    return [*(Stop("port", port) for port in ports), *steps]  # a port is freed before it is taken again


def before_open_text(script: str) -> str:
    """A script that was cut, up to the text that the cut left open: a sign behind its mark is none of the shell's.

    Of a long `python -c "…"` the `&` between two conditions had been told as a command that runs on.
    """
    matches = re.finditer(QUOTED_OR_OPEN, script, re.DOTALL)
    return script[:next((match.start() for match in matches if match["open"]), len(script))]


def detached_piece(command: str, pipe: str, by: str) -> Detached:
    """The command that goes on, and where the pipe that it begins writes to."""
    logs = [match[1] or match[2] for match in re.finditer(LOG_FILE, pipe)]
    log = next((name for name in logs if not name.startswith("/dev/")), "")
    return Detached(command, f"{by} {' '.join(without_redirections(shell_words(command)))}"[:300], log, by)


def session_of(words: Sequence[str]) -> str:
    """Which program keeps the session that these words start; empty where they start none that goes on."""
    program, rest = program_of(words), list(words[1:])
    is_apart = any(re.match(r"-[a-zA-Z]{0,4}d[a-zA-Z]{0,4}$", word) for word in rest)
    if program == "tmux" and rest[:1] in (["new"], ["new-session"]) and is_apart:
        return "tmux"
    return "screen" if program == "screen" and any(re.match(r"-d?mS?$|-dmS?$", word) for word in rest) else ""


def stops_of(piece: str, words: Sequence[str]) -> list[Stop]:
    """What a single command stops."""
    program = program_of(words)
    rest = [word.strip("\"'") for word in words[1:]]
    names = [word for word in rest if word and not word.startswith("-") and ">" not in word]
    if program in ("pkill", "killall"):
        is_whole = any(re.match(r"-\w{0,4}f|--full", word) for word in rest)
        return [Stop("name", name, is_whole) for name in (names if program == "killall" else names[-1:])]
    if program == "kill":
        pids = [Stop("pid", word) for word in names if word.isdecimal()]
        by_variable = re.search(r"%\d|\$!|\$\{?\w{0,20}(?:PID|pid)\w{0,20}|jobs -p", piece)
        return pids or ([Stop("started", "")] if by_variable else [])
    if program == "wait":
        return [Stop("started", "")]
    if program in WINDOWS_SHELLS:
        matches = re.finditer(STOPPED_ON_WINDOWS, piece)
        return [Stop("name", match["name"]) if match["name"] else Stop("pid", match["pid"]) for match in matches]
    return session_stops(program, names)


def session_stops(program: str, names: Sequence[str]) -> list[Stop]:
    """The session that tmux or screen is told to stop."""
    if program == "tmux" and names[:1] in (["kill-session"], ["kill-server"]):
        return [Stop("tmux", names[1] if len(names) > 1 else "")]
    if program == "screen" and "quit" in names:
        return [Stop("screen", "" if names[0] == "quit" else names[0])]
    return []


def is_stopped(stop: Stop, text: str, also: str, by: str) -> bool:
    """Whether a stop by name, or of a session, ends the command; `also` is what it said that it runs."""
    if stop.by != "name":
        return stop.by == by and stop.what in text
    if stop.is_whole_line:
        return has_parts(f"{text}\n{also}", stop.what)
    programs = {program_in(line).removesuffix(".exe") for line in (text, *also.splitlines())}
    return stop.what in programs or (stop.what == "node" and bool(programs & {*NODE_RUNNERS}))


def has_parts(text: str, pattern: str) -> bool:
    """Whether the parts of a pattern of pgrep stand in the text in their order; other signs of patterns count not."""
    offset = 0
    for part in re.split(r"\.\*|[\[\]^$\\]", pattern):
        offset = text.find(part, offset)
        if offset < 0:
            return False
        offset += len(part)
    return bool(pattern)


def environ_of(script: str) -> str:
    """The variables that a line sets before its programs, in their order."""
    matches = [re.match(ASSIGNMENTS, piece) for piece, _ in pieces_of(script)[:PARTS_MAX]] if "=" in script else []
    return " ".join(match[1].strip() for match in matches if match)


def prints_alone(script: str) -> bool:
    """Whether of a line nothing prints but what it leaves behind."""
    return all(sign == "&" or program_in(piece) in SILENT_PROGRAMS for piece, sign in pieces_of(script))


def port_of(command: str) -> str:
    """The port that the command names; empty where it names none."""
    matches = (re.search(pattern, command[:4_000]) for pattern in PORTS_IN_COMMAND)
    return next((match[1] for match in matches if match), "")


def port_seen(script: str, output: str) -> str:
    """The port that a server says it listens on, or that its line asks after it was started."""
    match = re.search(PORT_IN_OUTPUT, output[:20_000]) or re.search(PORT_OF_REQUEST, script[:4_000])
    return match[1] if match else ""
