"""A compaction and what comes after it, for the tests of delivery: the client's lines, the events, our own stores.

What the client writes is made as it was measured with 2.1.76 to 2.1.330.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compact_keeper.recap.choice.sections import RULES as RULES  # noqa: PLC0414 - handed on to the tests of processes
from compact_keeper.store.compaction import NONCE_CHARACTERS
from sessions import CWD, SESSION_ID, Home, JsonObject, Run, Session, at_rest, hook_input

ORDER = "Never touch the legacy table."
OTHER = "0dd0dd00-0000-4000-8000-000000000002"  # another session's id
TRANSCRIPTS = "parcel-rates"  # the project's folder in which the client keeps them
EARLY = "2026-01-01T10:00:00.000Z"  # before the compaction began


class Chat(Session):
    """A session of a client of this version."""

    def __init__(self, version: str = "2.1.330", first: int = 0) -> None:
        super().__init__(first)
        self.version = version

    def envelope(self) -> JsonObject:
        return {**super().envelope(), "version": self.version}


# --- behind the compaction's begin: was the text kept? ---


def hook_success(chat: Session, text: str) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    chat.attachment(type="hook_success", hookName="SessionStart:compact", hookEvent="SessionStart", content="",
                    stdout=json.dumps(answer), stderr="", exitCode=0)


def hook_context(chat: Session, text: str) -> None:
    chat.attachment(type="hook_additional_context", content=[text], hookName="SessionStart", hookEvent="SessionStart")


def hook_success_and_context(chat: Session, text: str) -> None:
    hook_success(chat, text)
    hook_context(chat, text)


PARTS: dict[str, Callable[[Session, str], object]] = {
    "boundary": lambda chat, _: chat.compacted(),
    "kept": hook_success_and_context,
    "success": hook_success,
    "context": hook_context,
    "named": lambda chat, _: chat.ran("Grep", "no match", pattern="compact_boundary", subtype="compact_boundary"),
    "another's": lambda chat, _: hook_context(chat, "compact-keeper: facts (block 00000000)"),
    "blob": lambda chat, text: chat.request_blob(text),
    "printed": lambda chat, text: chat.ran("Bash", f'{{"subtype":"compact_boundary"}} {text}', command="cat log"),
    "answer": lambda chat, _: chat.says("On I go."),
    "prompt": lambda chat, _: chat.typed("Go on."),
}


def grown(version: str, parts: str, text: str) -> bytes:
    """What a client of this version writes, part by part, the text having been given to it by a hook."""
    chat = Chat(version, 500)
    for part in parts.split():
        PARTS[part](chat, text)
    return chat.as_bytes()


# --- behind the compaction's begin: did it fail? ---


def api_error(chat: Session, text: str) -> None:
    chat.assistant({"type": "text", "text": text}, model="<synthetic>")
    chat.records[-1].update(isApiErrorMessage=True, error="invalid_request")


def refused(chat: Session, text: str) -> None:
    chat.system("local_command", content=f"<local-command-stderr>{text}</local-command-stderr>", level="info")


def full(chat: Session, tokens: int = 190_020) -> None:
    """A call before it began whose answer reports so many tokens, and its result."""
    call_id = chat.call("Bash", command="ls")
    chat.records[-1]["message"]["usage"] = {"input_tokens": tokens - 20, "output_tokens": 20}
    chat.result(call_id)
    for record in chat.records:
        record["timestamp"] = EARLY


def in_a_branch_of_that_name(chat: Session) -> None:
    """An error of another kind, in a branch and folder whose names speak of compaction."""
    api_error(chat, "You've hit your session limit.")
    chat.records[-1].update(gitBranch="fix-compaction", cwd="/srv/too long")


STEPS: dict[str, Callable[[Session], object]] = {
    "too long": lambda chat: api_error(chat, "Prompt is too long"),
    "too long, why": lambda chat: api_error(chat, "Prompt is too long · automatic compaction failed: API Error: 400"),
    "refused": lambda chat: refused(chat, "Error during compaction: API Error: 400 refused."),
    "refused, 2.1.76": lambda chat: refused(chat, "Error: Error during compaction: Error: API Error"),
    "refused, 2.1.332": lambda chat: refused(chat, "Compaction failed · conversation could not be reduced below the"),
    "refused, 2.1.197": lambda chat: chat.system(
        "local_command", content="<local-command-stdout>Error during compaction: x</local-command-stdout>"),
    "synthetic": lambda chat: chat.assistant({"type": "text", "text": "No response requested."}, model="<synthetic>"),
    "canceled": lambda chat: refused(chat, "Error: Compaction canceled."),
    "overloaded": lambda chat: api_error(chat, "API Error: 529 overloaded"),
    "full": full,
    "answer": lambda chat: chat.says("On I go."),
    "done": lambda chat: chat.compacted(),
    "blob": lambda chat: chat.request_blob("x"),
    "words": lambda chat: chat.ran("Bash", "Prompt is too long, Error during compaction", command="x"),
    "limit": in_a_branch_of_that_name,
}


def written(way: str) -> bytes:
    """What the client wrote in these steps, joined by plus signs."""
    chat = Chat("2.1.329", 800)
    for step in way.split(" + "):
        STEPS[step](chat)
    return later(chat)


def later(chat: Session) -> bytes:
    """The records' lines with times behind every hook's of this test, as the client would write them next."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 5))
    for record in [record for record in chat.records if record.get("timestamp") != EARLY]:
        record["timestamp"] = moment
    return chat.as_bytes()


# --- a session that was compacted ---


def transcript_in(folder: Path) -> Path:
    """Where the client keeps the session's transcript."""
    project = folder / "projects" / TRANSCRIPTS
    project.mkdir(parents=True)
    return project / f"{SESSION_ID}.jsonl"


class Beginnings:
    """A folder that is empty for each test, or as it was behind hooks that all of them need: they run once.

    It is the same folder each time, as stores name the places of what was read.
    """

    def __init__(self, place: Path) -> None:
        self.folder, self.kept = place / "same", place / "kept"
        self.read: dict[Path, tuple[bytes, tuple[int, int]]] = {}  # what transcripts held, and their times

    def empty(self) -> Path:
        """The folder, with nothing of the test before; not even a process that it has left behind."""
        at_rest(f"COMPACT_KEEPER_HOME={self.folder / 'home'}")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self.folder

    def behind(self, name: str, play: Callable[[], object]) -> Home:
        """The home as it is behind what is played."""
        kept, home = self.kept / name, Home(self.folder / "home")
        if not kept.exists():
            play()
            home.rests()
            shutil.copytree(self.folder, kept, symlinks=True, copy_function=self.keep)
        else:
            shutil.rmtree(self.folder)
            shutil.copytree(kept, self.folder, symlinks=True, copy_function=self.put_back)
        return home

    def keep(self, source: str, target: str) -> None:
        """A copy; of a transcript the file itself, by which a save knows it again."""
        if Path(source).suffix != ".jsonl" or self.folder / "home" in Path(source).parents:
            shutil.copy2(source, target)
            return
        os.link(source, target)
        about = os.stat(source)
        self.read[Path(target)] = (Path(source).read_bytes(), (about.st_atime_ns, about.st_mtime_ns))

    def put_back(self, source: str, target: str) -> None:
        """The same the other way."""
        if Path(source) not in self.read:
            shutil.copy2(source, target)
            return
        raw, times = self.read[Path(source)]
        Path(source).write_bytes(raw)
        os.utime(source, ns=times)
        os.link(source, target)


def begun_home(folder: Path, transcript: Path) -> Home:
    """A home with a compaction that has begun."""
    chat = Chat("2.1.329")
    chat.typed(f"Fix the rates. {ORDER}")
    chat.ran("Edit", file_path=f"{CWD}/rates.py")
    home = Home(folder / "home")
    home.save(chat.write(transcript))
    return home


def append(transcript: Path, raw: bytes) -> None:
    with transcript.open("ab") as file:
        file.write(raw)


def grow(home: Home, transcript: Path, version: str, parts: str) -> None:
    """The client goes on after the compaction."""
    append(transcript, grown(version, parts, f"compact-keeper: facts {nonce_of(home)}"))


def change(home: Home, name: str, **fields: Any) -> None:
    """Rewrites fields of a store of the session's."""
    path = home.session / name
    path.write_text(json.dumps({**home.stored(name), **fields}), encoding="utf-8")


def stage(home: Home) -> Any:
    return home.stored("compaction.json")["stage"]


def nonce_of(home: Home) -> str:
    return f"(block {home.stored('compaction.json')['id'][-NONCE_CHARACTERS:]})"


# --- the client's events ---


def prompt(home: Home, transcript: object, **more: Any) -> Run:
    """What answer_prompt.py has restore_snapshot.py do at a prompt."""
    return home.run("restore_snapshot.py", hook_input("UserPromptSubmit", transcript, prompt="Go on.", **more))


def start(home: Home, transcript: object, source: str, extra: dict[str, str] | None = None, **more: Any) -> Run:
    return home.run("restore_snapshot.py", hook_input("SessionStart", transcript, source=source, **more), extra=extra)


def start_another(home: Home, cwd: object = CWD, source: str = "clear", project: object = "") -> Run:
    """A new session begins in the folder, of which nothing was told yet."""
    for mark in home.session.glob("told_*"):
        mark.unlink()
    extra = {"CLAUDE_PROJECT_DIR": str(project)} if project else None
    return start(home, "/nonexistent/new.jsonl", source, extra, session_id=OTHER, cwd=str(cwd))


def together(home: Home, data: JsonObject) -> list[bytes]:
    """What two processes print that are given the same event at the same time."""
    running = [home.start("restore_snapshot.py") for _ in range(2)]
    for process in running:
        assert process.stdin
        process.stdin.write(json.dumps(data).encode())
    ended = [process.communicate(timeout=30) for process in running]
    assert [err for _, err in ended] == [b"", b""]
    return sorted((out for out, _ in ended), key=len)


def events(home: Home, name: str) -> list[JsonObject]:
    """The lines of events.jsonl of this name."""
    lines = (home.path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == name]


def silent(done: Run) -> bool:
    return done[:3] == (0, "", "")


def typed(home: Home, text: str, transcript: object = "", **more: Any) -> Run:
    """The person types a prompt."""
    return home.run("answer_prompt.py", hook_input("UserPromptSubmit", transcript, prompt=text, **more))
