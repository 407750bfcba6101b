"""Odd names, links and hostile repositories: nothing is written outside, nothing is believed, nothing waits.

odd_names.py has the names and the repositories. What is attacked are whole processes, as hooks.json starts them. Of
the machine around the data folder everything is compared, with bytes and links, before and after.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import odd_names
from attack import Attack, Ground, Outcome
from course import AUDIT, CALL, COMPACTED, COURSE, END, PRECOMPACT, PROMPT, RECEIPT, REDRAW, STOP, Event, Place
from odd_names import OBEY
from sessions import HOOK_TIMEOUT, SESSION_ID, Session, hook_input

RULE = "Never push to the release branch."
SECRET, KEY = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "-----BEGIN OPENSSH PRIVATE KEY-----b3BlbnNzaC1rZXk"
MARKER = "<!-- compact-keeper: notes on a session, written anew at every save -->\n"  # notes of ours begin so
SLOWER, SLACK = 3, 0.5  # times, and seconds beside them for a machine at work, that a hostile repository may cost
PATIENCE = 4  # times HOOK_TIMEOUT that a command by hand may take: SQLite waits for others
LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Ended(NamedTuple):
    """How a process ended; seconds below 0: it had to be."""

    label: str
    code: int
    out: str
    err: str
    seconds: float

    def faults(self, by_hand: bool = False) -> list[str]:
        """What may not be, of a hook; by hand it may refuse, in words."""
        faults = [f"exit code {self.code}"] if self.code not in ((0, 1, 2) if by_hand else (0,)) else []
        faults += [f"stderr {self.err[-200:]!r}"] if self.err and (not by_hand or "Traceback" in self.err) else []
        most = HOOK_TIMEOUT * (PATIENCE if by_hand else 1)
        faults += [f"{self.seconds:.1f} s"] if not 0 <= self.seconds < most else []
        return [f"{self.label}: {fault}" for fault in faults]


class Scene(Place):
    """A data folder, a project and a victim beside each other; all scripts as processes there."""

    def __init__(self, ground: Ground, name: str = "scene") -> None:
        self.folder = ground.folder / name
        self.folder.mkdir()
        super().__init__(self.folder, ground.scripts)
        self.path.mkdir(mode=0o700)
        self.project, self.victim = self.folder / "project", self.folder / "victim"
        self.victim.mkdir()
        self.project.mkdir()
        (self.victim / "id_rsa").write_text(KEY)
        self.transcript.write_bytes(transcript())
        self.count = 0

    def ended(self, script: str, data: object = None, *arguments: str) -> Ended:
        """The script's process in the project, finished or stopped."""
        self.count += 1
        given, label = b"" if data is None else json.dumps(data).encode(), " ".join([script, *arguments])[:90]
        began = time.monotonic()
        with self.start(script, *arguments, before=lambda: os.chdir(self.project), extra={
                "CLAUDE_CONFIG_DIR": str(self.folder / "config"), "CLAUDE_PROJECT_DIR": str(self.project)}) as process:
            try:
                out, err = process.communicate(given, HOOK_TIMEOUT * (PATIENCE if data is None else 1))
            except subprocess.TimeoutExpired:
                process.kill()
                return Ended(label, 0, "", "", -1)
        return Ended(label, process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"),
                     time.monotonic() - began)

    def hook(self, event: Event, **fields: object) -> Ended:
        """The hook of an event in this project."""
        data = {**hook_input(event.name, self.transcript, cwd=str(self.project)), **event.fields, **fields}
        return self.ended(event.script, data)._replace(label=event.label)

    def around(self) -> dict[str, str]:
        """What lies around the data folder: mode and content of each file, target of each link."""
        return tree(self.folder, self.path)


def tree(folder: Path, without: Path) -> dict[str, str]:
    """What lies below the folder, but for one folder in it."""
    states: dict[str, str] = {}
    for at, folders, names in os.walk(os.fsencode(folder)):
        folders[:] = [name for name in folders if os.path.join(at, name) != os.fsencode(without)]
        for name in (*folders, *names):
            path = os.path.join(at, name)
            mode = os.lstat(path).st_mode
            content = os.readlink(path) if stat.S_ISLNK(mode) else digest(path) if stat.S_ISREG(mode) else b""
            states[os.fsdecode(path)] = f"{mode:o} {os.fsdecode(content)}"
    return states


def digest(path: bytes) -> bytes:
    """A hash of the file's size and of its first megabyte."""
    with open(path, "rb") as file:
        return f"{os.path.getsize(path)} {hashlib.sha256(file.read(1 << 20)).hexdigest()[:16]}".encode()


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What is not as it was."""
    return [f"outside: {path!r}: {before.get(path, 'nothing')} -> {after.get(path, 'nothing')}"
            for path in sorted({*before, *after}) if before.get(path) != after.get(path)]


def transcript() -> bytes:
    """A session with a rule, a secret, a hash, an edit and a failing check."""
    session = Session()
    session.typed(f"{RULE} Fix the rates. The token is {SECRET}, the commit {'0123456789abcdef' * 2}01234567.")
    session.ran("Edit", file_path="/srv/rates.py", old_string="a", new_string="b")
    session.failed("Bash", "Exit code 1\nerror: no rates", command="make test")
    session.says("We'll use decimals because floats round.")
    return session.as_bytes()


def told_wrongly(label: str, text: str) -> list[str]:
    """What in a text is no longer on the line, or in the quotes, of what it belongs to."""
    pattern = rf"(?:\A|[{LINE_BREAKS}])[^\w\"`]*{OBEY}"
    faults = [f"{label}: a line of its own: {match.group()!r}" for match in re.finditer(pattern, text)]
    faults += [f"{label}: a control character: {text[max(match.start() - 30, 0):match.end() + 9]!r}"
               for match in re.finditer(CONTROLS, text)][:1]
    faults += [f"{label}: a tag" for _ in re.findall("<system-reminder", text)]
    return faults + [f"{label}: a secret" for secret in (SECRET, KEY) if secret in text]


def few(ground: Ground, table: dict[str, Any], step: int) -> dict[str, Any]:
    """The table; short: one of so many of its entries."""
    return table if ground.full else dict([*table.items()][::step])


# --- names of sessions ---

ID_EVENTS = (PROMPT, PRECOMPACT, COMPACTED, AUDIT, RECEIPT, END, REDRAW)


def by_hand_with(session: str) -> list[tuple[str, ...]]:
    """The commands that a person may give a session's name."""
    return [("restore_snapshot.py", "--now", session), ("save_snapshot.py", "--backups", session),
            ("stats.py", "stats", session), ("stats.py", "report", session),
            ("save_snapshot.py", "--backup", "/no-name.", session)]


def session_ids(ground: Ground) -> Outcome:
    """Every name with every hook and command; short: half of them with one hook."""
    scene = Scene(ground)
    scene.hook(PRECOMPACT)
    before, broken = scene.around(), list[str]()
    for number, (name, (session, good)) in enumerate(few(ground, odd_names.SESSION_IDS, 2).items()):
        commands = by_hand_with(session) if session.isprintable() else []  # others are no argument of a process
        for event in ID_EVENTS if ground.full else (PROMPT,):
            known = len(scene.lines())
            ended = scene.hook(event, session_id=session)
            faults = ended.faults()
            faults += [f"printed {ended.out[:80]!r}"] if ended.out and event in (PROMPT, AUDIT) else []
            lines = len(scene.lines()) - known
            is_right = lines == (not good and event is not REDRAW)
            faults += [] if is_right else [f"{event.label}: {lines} lines in the log"]
            broken += [f"{name}: {fault}" for fault in faults]
        for command in commands if ground.full else commands[number % 15:][:1]:
            ended = scene.ended(command[0], None, *command[1:])
            broken += [f"{name}: {fault}" for fault in ended.faults(by_hand=True)]
    allowed = {SESSION_ID, *(session for session, good in odd_names.SESSION_IDS.values() if good)}
    broken += [f"a folder {name!r}" for name in os.listdir(scene.path / "sessions") if name not in allowed]
    return Outcome(scene.count, broken + changes(before, scene.around()))


# --- names of transcripts ---


def transcript_paths(ground: Ground) -> Outcome:
    """Each path given to the save and to what it starts; what can be read has to be read, under any name."""
    scene, folder, broken = Scene(ground), ground.folder / "odd", list[str]()
    folder.mkdir()
    paths = few(ground, odd_names.transcript_paths(folder, transcript()), 2)
    before = {**scene.around(), **tree(folder, scene.path)}
    for number, (name, (path, good)) in enumerate(paths.items()):
        session = f"session{number}"
        ended = scene.hook(PRECOMPACT, session_id=session, transcript_path=path)
        memory = scene.path / "sessions" / session / "memory.json"
        faults = ended.faults()
        faults += [] if good == ("word for word" in ended.out) else ["PreCompact did not promise what it kept"]
        faults += [] if not good or (memory.exists() and RULE in memory.read_text()) else ["it was not read"]
        for event in (COMPACTED, STOP, RECEIPT, REDRAW) if ground.full else ():
            faults += scene.hook(event, session_id=session, transcript_path=path).faults()
        faults += started_with(scene, path, session, good) if ground.full or number % 8 == 0 else []
        broken += [f"{name}: {fault}" for fault in faults]
    return Outcome(scene.count, broken + changes(before, {**scene.around(), **tree(folder, scene.path)}))


def started_with(scene: Scene, path: str, session: str, good: bool) -> list[str]:
    """What comes of it to start, as a save does, the archive and the backup with the path; and the preview by hand."""
    if "\0" in path or "\ud800" in path:
        return []  # no argument of a process
    faults = scene.ended("recall.py", None, "index", "--quiet", path).faults() if os.path.isfile(path) else []
    copied = scene.ended("save_snapshot.py", None, "--backup", path, session, "--quiet")
    faults += copied.faults(by_hand=True) if path[:1] == "/" else []
    faults += [] if not good or copied.code == 0 else [f"not copied: {scene.lines()[-1:]}"]
    return faults + scene.ended("save_snapshot.py", None, "--dry-run", path).faults(by_hand=True)


# --- names of projects ---


def project_names(ground: Ground) -> Outcome:
    """A whole session in a folder of each name; what is told has to stay on its line."""
    broken, count = list[str](), 0
    names = {**odd_names.WORDS, "a long path": "d" * 250 + "/" + "e" * 250}
    for number, (name, words) in enumerate(few(ground, names, 4).items()):
        scene = Scene(ground, f"scene{number}")
        scene.project = scene.folder / "odd" / words
        (scene.project / ".git").mkdir(parents=True)
        (scene.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        before = scene.around()
        events = COURSE if ground.full else (PRECOMPACT, COMPACTED)
        faults = [fault for event in events for fault in heard(scene.hook(event))]
        for command in (("restore_snapshot.py", "--now", SESSION_ID), ("stats.py", "report"),
                        ("stats.py", "report", SESSION_ID)) if ground.full else ():
            ended = scene.ended(command[0], None, *command[1:])
            faults += ended.faults(by_hand=True) + told_wrongly(ended.label, ended.out)
        pages = [scene.session / "notes.md", *(scene.path / "reports").glob("*.html"), scene.path / "hook.log"]
        faults += [fault for page in pages if page.exists() for fault in told_wrongly(page.name, page.read_text())]
        broken += [f"{name}: {fault}" for fault in faults + changes(before, scene.around())]
        count += scene.count
    return Outcome(count, broken)


def heard(ended: Ended) -> list[str]:
    """What is wrong with how a hook ended, and with what the model or the person hears of it."""
    if not ended.out.startswith("{"):
        return ended.faults()
    answer = json.loads(ended.out)
    text = f"{answer.get('systemMessage', '')}\n{answer.get('hookSpecificOutput', {}).get('additionalContext', '')}"
    return ended.faults() + told_wrongly(ended.label, text)


# --- links in the data folder ---

OF_HOME = ("hook.log", "hook.log.1", "events.jsonl", "archive.db", "archive.db-wal", "archive.db-shm", "reports",
           "sessions")
OF_SESSION = ("", "ledger.jsonl", "ledger.folded.jsonl", "memory.json", "snapshot.json", "compaction.json",
              "status.json", "notes.md", "note.json", "note.json.given", "summary.json", "rest.json", "rest.json.given",
              "untold.json", "untold.json.given", "history.jsonl", "pins.jsonl", "unasked",
              "saved-at-30", "backups", "backups/draft.tmp", "delivered-{id}", "audited-{id}")
DRAFTED = ("memory.json", "snapshot.json", "compaction.json", "status.json", "notes.md", "note.json")
WRITERS = (PROMPT, CALL, STOP, AUDIT, COMPACTED, PRECOMPACT, COMPACTED, AUDIT, RECEIPT, PROMPT, END)
COMMANDS = (("recall.py", "index", "--quiet", "{transcript}"), ("stats.py", "report"),
            ("save_snapshot.py", "--backup", "{transcript}", SESSION_ID, "--quiet"))
FULL_CONTEXT = {"context_window": {"context_window_size": 200_000, "current_usage": {"input_tokens": 160_000}}}


def planted_links(ground: Ground) -> Outcome:
    """A link in the place of each file and folder, to a file of others or to where there is none yet."""
    began, broken, count = saved_scene(ground), list[str](), 0
    number = json.loads((began.session / "snapshot.json").read_text())["id"]
    places = [*OF_HOME, *(f"sessions/{SESSION_ID}/{name}".rstrip("/").format(id=number) for name in OF_SESSION)]
    each = [[place] for place in places] if ground.full else [
        [place for place in places if os.path.basename(place) not in ("sessions", SESSION_ID)], ["sessions"],
        [f"sessions/{SESSION_ID}"]]
    for planted in each:
        for dead in (False, True) if ground.full or len(planted) > 1 else (False,):
            scene = copied(ground, began, f"{count}")
            for place in planted:
                plant(scene, place, dead)
            faults = met(scene, dead, ground.full)
            broken += [f"{planted[0] if len(planted) == 1 else 'all'}: {fault}" for fault in faults]
            count += scene.count
    return Outcome(count, broken)


def saved_scene(ground: Ground) -> Scene:
    """A scene in which a session was saved."""
    scene = Scene(ground, "began")
    scene.hook(PRECOMPACT)
    return scene


def copied(ground: Ground, began: Scene, name: str) -> Scene:
    """Another one of the kind."""
    scene = Scene(ground, name)
    shutil.copytree(began.path, scene.path, dirs_exist_ok=True)
    return scene


def plant(scene: Scene, place: str, dead: bool) -> None:
    """Puts a link in the place of a file of ours; what it leads to looks as ours do, or is not there."""
    path, name = scene.path / place, place.replace("/", "-")
    if path.is_symlink() or path.parent.is_symlink():
        return
    is_folder = os.path.basename(place) in ("sessions", SESSION_ID, "backups", "reports")
    aim = scene.victim / name
    if is_folder:
        aim.mkdir()
        shutil.rmtree(path, ignore_errors=True)
    elif not dead:
        aim.write_text(f'{{"schema": 1, "text": "{OBEY}"}}\n')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(aim)


def met(scene: Scene, dead: bool, full: bool) -> list[str]:
    """What became of the victim when everything that writes has run; short: half of it where the links are dead."""
    before, faults = scene.around(), list[str]()
    for event in WRITERS if full or not dead else WRITERS[:6]:
        faults += scene.hook(event).faults()
    faults += scene.hook(REDRAW, **FULL_CONTEXT).faults()
    for script, *arguments in COMMANDS if full or not dead else ():
        ended = scene.ended(script, None, *(argument.format(transcript=scene.transcript) for argument in arguments))
        faults += ended.faults(by_hand=True)
    return faults + changes(before, scene.around())


def foreseen_drafts(ground: Ground) -> Outcome:
    """Each process finds links in the place of all drafts that it is going to write: their names have its number."""
    scene = saved_scene(ground)
    before, broken, events = scene.around(), list[str](), WRITERS if ground.full else (PROMPT, STOP, COMPACTED)
    start = scene.start

    def foreseen(script: str, *arguments: str, before: Callable[[], None] | None = None, **more: Any) -> Any:
        def first() -> None:
            for name in DRAFTED:
                (scene.session / f"{name}.{os.getpid()}.tmp").symlink_to(scene.victim / "id_rsa")
            if before:
                before()
        return start(script, *arguments, before=first, **more)

    scene.start = foreseen  # type: ignore[method-assign]
    for event in events:
        broken += scene.hook(event).faults()
    return Outcome(scene.count, broken + changes(before, scene.around()))


# --- links that come between check and use ---

SWAPPER = """
import ctypes, itertools, os, sys
libc, names = ctypes.CDLL(None), [os.fsencode(name) for name in sys.argv[1:]]
for a, b in itertools.cycle(zip(names[::2], names[1::2])):
    libc.renameat2(-100, a, -100, b, 2)
"""
SWAPPED = ("memory.json", "ledger.jsonl", "snapshot.json", "compaction.json", "status.json", "notes.md")


@contextmanager
def swapping(pairs: Sequence[tuple[Path, Path]]) -> Iterator[None]:
    """A process exchanges the two of each pair, without a moment in which one is missing, as often as it can."""
    paths = [str(path) for pair in pairs for path in pair]
    with subprocess.Popen([sys.executable, "-ISc", SWAPPER, *paths]) as process:
        try:
            yield
        finally:
            process.kill()


def swapped(ground: Ground, name: str, prepare: Callable[[Scene], list[tuple[Path, Path]]],
            events: Sequence[Event], times: int) -> Outcome:
    """Runs the hooks while what `prepare` makes is exchanged; nothing may come to the victim, and nothing wait."""
    scene, broken = saved_scene_named(ground, name), list[str]()
    pairs, before = prepare(scene), tree(scene.victim, scene.path)
    for _ in range(times):
        prepare(scene)
        with swapping(pairs):
            for event in events:
                ended = scene.hook(event)
                broken += ended.faults() + ([f"{ended.label}: told {OBEY}"] if OBEY in ended.out else [])
        broken += changes(before, tree(scene.victim, scene.path))
        if broken:
            break
    return Outcome(scene.count, [f"{name}: {fault}" for fault in broken])


def saved_scene_named(ground: Ground, name: str) -> Scene:
    """A scene of that name in which a session was saved."""
    scene = Scene(ground, name)
    scene.hook(PRECOMPACT)
    return scene


def renewed(path: Path, target: Path) -> Path:
    """The path, a link to the target, whatever was there."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    path.symlink_to(target)
    return path


def data_files(scene: Scene) -> list[tuple[Path, Path]]:
    """The files of a session, and links to files of somebody else."""
    pairs = []
    for name in SWAPPED:
        path, aim = scene.session / name, scene.victim / name
        if not aim.exists():
            aim.write_text(f'{{"schema": 1, "text": "{OBEY}"}}\n')
        if path.is_symlink() or not path.exists():
            path.unlink(missing_ok=True)
            path.write_text('{"schema": 1}\n')
        pairs.append((path, renewed(scene.path / f"link-{name}", aim)))
    return pairs


def given_files(scene: Scene) -> list[tuple[Path, Path]]:
    """The transcript, the project's settings and .git/HEAD, and FIFOs."""
    settings, head = scene.project / ".claude" / "compact-keeper.json", scene.project / ".git" / "HEAD"
    pairs = []
    for path, text in ((scene.transcript, ""), (settings, '{"budget": 800}'), (head, "ref: refs/heads/main\n")):
        fifo = path.with_name("fifo")
        path.parent.mkdir(exist_ok=True)
        for leftover in (fifo, *([path] if path.exists() and not path.is_file() else ())):
            leftover.unlink(missing_ok=True)
        path.write_bytes(text.encode() or transcript())
        os.mkfifo(fifo)
        pairs.append((path, fifo))
    return pairs


def swapped_links(ground: Ground) -> Outcome:
    """What is exchanged, a few times or some hundred."""
    if not hasattr(ctypes.CDLL(None), "renameat2"):
        return Outcome(1, [])  # no way here to exchange two files without a moment in which one is missing
    times, outcomes = 50 if ground.full else 2, []
    for name, prepare, events in (
            ("files of the session", data_files, (PROMPT, PRECOMPACT, COMPACTED)),
            ("what is read", given_files, (PRECOMPACT, COMPACTED))):
        outcomes.append(swapped(ground, name, prepare, events, times))
    return Outcome(sum(outcome.attempts for outcome in outcomes),
                   [fault for outcome in outcomes for fault in outcome.broken])


# --- a hostile repository ---


def hostile_repositories(ground: Ground) -> Outcome:
    """The course of a session in each repository beside that in a clean one, then a session in another project."""
    events = COURSE if ground.full else (PRECOMPACT, COMPACTED)
    clean, broken = visited(ground, "clean", lambda *_: None, events), list[str]()
    usual, count = elsewhere(clean.scene), clean.scene.count
    for number, (name, make) in enumerate(few(ground, odd_names.REPOSITORIES, 3).items()):
        hostile = visited(ground, f"hostile{number}", make, events)
        faults = hostile.faults + differences(clean, hostile)
        if ground.full or number % 8 == 0:
            faults += [] if elsewhere(hostile.scene) == usual else ["another project heard of it"]
        count += hostile.scene.count
        broken += [f"{name}: {fault}" for fault in faults]
    return Outcome(count, broken)


class Visit(NamedTuple):
    """A session in a repository: how long its hooks took, and what was wrong."""

    scene: Scene
    seconds: list[float]
    faults: list[str]


def visited(ground: Ground, name: str, make: Callable[[Path, Path], None], events: Sequence[Event]) -> Visit:
    """Runs the events in the repository that `make` has prepared."""
    scene = Scene(ground, name)
    make(scene.project, scene.victim)
    before, ended = scene.around(), [scene.hook(event) for event in events]
    faults = [fault for run in ended for fault in heard(run)] + changes(before, scene.around())
    kept = [path.name for path in scene.path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    return Visit(scene, [run.seconds for run in ended], faults + [f"a key in {name}" for name in kept])


def differences(clean: Visit, hostile: Visit) -> list[str]:
    """What the repository could change that it may not: what is remembered and redacted, what is written, the time."""
    faults = []
    if items_of(clean.scene) != items_of(hostile.scene):
        faults.append(f"remembered otherwise: {items_of(clean.scene) ^ items_of(hostile.scene)}")
    files, usual = ({path.name.partition("ed-")[0] for path in visit.scene.session.rglob("*")}
                    for visit in (hostile, clean))
    faults += [f"files {files ^ usual}"] if files != usual else []
    pairs = enumerate(zip(hostile.seconds, clean.seconds))
    return faults + [f"hook {number} took {own:.2f} s, not {theirs:.2f} s" for number, (own, theirs) in pairs
                     if own > SLOWER * theirs + SLACK]


def items_of(scene: Scene) -> set[tuple[str, str]]:
    """What is remembered of the session."""
    return {(item["kind"], item["text"]) for item in scene.stored("memory.json")["items"]}


def elsewhere(scene: Scene) -> list[str]:
    """What the hooks print in another project, with what differs from run to run taken out."""
    scene.project = scene.folder.parent / "other"
    scene.project.mkdir(exist_ok=True)
    session = {"session_id": "another"}
    outputs = [scene.hook(event, **session).out for event in (PROMPT, PRECOMPACT, COMPACTED, AUDIT, PROMPT, RECEIPT)]
    return [re.sub(r"[\d-]{10} [\d:]{5} UTC \(block \w+\)", "", output.replace(str(scene.folder), ""))
            for output in outputs]


# --- what Python itself takes from a hostile folder ---

MODULES = ("json", "os", "re", "stat", "time", "sitecustomize", "usercustomize", "__main__", "run_hook",
           "save_snapshot", "compact_keeper", "recall", "sqlite3", "typing", "argparse")


def hostile_starts(ground: Ground) -> Outcome:
    """Modules in the folder and variables of the environment that Python may not look at, nor what a save starts."""
    scene, broken = Scene(ground), list[str]()
    mark = scene.folder / "imported"
    for below in ("", "scripts"):
        for name in MODULES:
            path = scene.project / below / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"open({str(mark)!r}, 'a').write({name!r} + ' ')\n")
    (scene.project / "pyvenv.cfg").write_text(f"home = {scene.project}\n")
    names = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX")
    scene.extra = {**dict.fromkeys(names, str(scene.project)), "PYTHONINSPECT": "1", "PYTHONVERBOSE": "1",
                   "PYTHONWARNINGS": "error", "COMPACT_KEEPER_ARCHIVE": "on"}
    (scene.path / "config.json").write_text('{"transcript_backup": "gzip"}')
    for event in COURSE if ground.full else (PROMPT, PRECOMPACT, COMPACTED, AUDIT, REDRAW):
        broken += heard(scene.hook(event))
    broken += [] if waited_for(scene) else ["the archive or the backup did not come"]
    broken += [f"imported: {mark.read_text()}"] if mark.exists() else []
    return Outcome(scene.count + 2, broken)


def waited_for(scene: Scene) -> bool:
    """Whether what the save has started came to its end."""
    until = time.monotonic() + PATIENCE * HOOK_TIMEOUT
    while time.monotonic() < until:
        if any(scene.path.rglob("*.jsonl.gz")) and turns_in(scene.path / "archive.db"):
            return True
        time.sleep(0.05)
    return False


def turns_in(path: Path) -> int:
    """How many turns the archive has."""
    try:
        with sqlite3.connect(path) as db:
            return int(db.execute("SELECT count(*) FROM turns").fetchone()[0])
    except sqlite3.Error:
        return 0


# --- what a person runs in a hostile repository ---

LED_OUT = (".claude", ".claude/hooks", ".claude/skills", ".claude/hooks/compact-keeper", ".claude/settings.json",
           ".claude/hooks/compact-keeper/run_hook.py", "CLAUDE.md")
BY_HAND = (("install", "--project"), ("status-line", "--project"), ("instructions", "--project"),
           ("uninstall", "--project"))


def installed_by_hand(ground: Ground) -> Outcome:
    """install.py in a project whose links lead out of it, and in projects with odd names."""
    broken, count = list[str](), 0
    for number, place in enumerate(LED_OUT):
        scene = Scene(ground, f"links{number}")
        plant_in_project(scene, place)
        before = tree(scene.victim, scene.path)
        commands = BY_HAND if ground.full else BY_HAND[2:3] if place == "CLAUDE.md" else BY_HAND[:1]
        runs = [scene.ended("install.py", None, *command) for command in commands]
        broken += [f"{place}: {fault}" for ended in runs for fault in ended.faults(by_hand=True)]
        broken += [f"{place}: {fault}" for fault in changes(before, tree(scene.victim, scene.path))]
        count += scene.count
    for number, (name, words) in enumerate(odd_names.WORDS.items() if ground.full else ()):
        scene = Scene(ground, f"names{number}")
        scene.project = scene.folder / "odd" / words
        scene.project.mkdir(parents=True)
        before = scene.around()
        for command in (*BY_HAND, ("status", "--project"), ("instructions", "--project", "--remove"),
                        ("status-line", "--project", "--remove"), ("uninstall", "--project")):
            broken += [f"{name}: {fault}" for fault in scene.ended("install.py", None, *command).faults(by_hand=True)]
        broken += [f"{name}: {fault}" for fault in changes(before, scene.around())]
        count += scene.count
    return Outcome(count, broken)


def plant_in_project(scene: Scene, place: str) -> None:
    """A link out of the project, to a folder, a settings file or a page of the person's."""
    path, aim = scene.project / place, scene.victim / os.path.basename(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix:
        aim.write_text("{}\n" if path.suffix == ".json" else "# mine\n")
    else:
        aim.mkdir()
    path.symlink_to(aim)


ATTACKS: tuple[Attack, ...] = (
    Attack("odd session ids, given to hooks and commands: no other folder, one line in the log", session_ids),
    Attack("odd transcript paths (devices, FIFOs, links, bytes): read or refused, none waited for", transcript_paths),
    Attack("projects with odd names: what is told stays on its line, nothing new there but notes", project_names),
    Attack("links in the place of our files, to a file or to none: never written through", planted_links),
    Attack("links in the place of drafts, whose names can be foreseen: never written through", foreseen_drafts),
    Attack("links and FIFOs exchanged with files while hooks run: nothing through them", swapped_links),
    Attack("hostile repositories: same memory, same files, time as usual; other projects hear nothing",
           hostile_repositories),
    Attack("modules and variables that Python might start with: none is looked at, nor by what a save starts",
           hostile_starts),
    Attack("install.py where links lead out of the project, or its name is odd: nothing is written outside",
           installed_by_hand))
