#!/usr/bin/env python3
"""What is true on this machine now: the repository, the files and the processes that a session's items speak of.

save_snapshot.py has the files marked that were touched, restore_snapshot.py has the snapshot compared. No process is
started, nothing is written, no file's content is read but .git's and the command lines in /proc.

    repository  branch, HEAD and working tree, as .git tells them
    marked      file items with the size and time of the file, for a later look
    compared    since then: files changed or gone; jobs that still run; checks that passed before a file changed

Each look is bounded in number, size and time, and opens regular files only. One call of the system on a network file
system that hangs cannot be cut short: no number here helps against that.

By hand: present_state.py [FOLDER]    (prints what .git says of it)

Exits 0. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Sequence

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # 0 on Windows
LINE_READ, PACKED_READ, COMMAND_READ = 4_096, 16 << 20, 16 << 10  # bytes: of a small file of git, packed-refs, cmdline
NO_REF = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable
SYMREFS = 5  # refs that name another ref, one after the other; git stops there too
LAST_SECOND = 253_402_300_799  # of the year 9999; gmtime refuses times that a file system can tell
OTHER, NOTHING = -1, -2  # for a file's size: something else stands there, nothing does
TELLING = 6  # bytes; a shorter command stands in many command lines ("make", "ls")
LOST = r"\[redacted: [a-z ]+\]|[…‹]|&\s*\Z"  # what stands in an item's text for what was taken out; a last `&`
UNQUOTED = b" \t\r\n\0\"'\\"  # the client runs a command as bash -c "… eval 'COMMAND' …", quoted in several ways

VERIFYING = (  # commands, or parts of one, that test, build, lint or check types; not those that only name such a file
    r"(?:.*?(?: &&| \|\||;) )?\(?(?!\(?(?:git|gh|cat|ls|grep|rg|find|fd|head|tail|sed|awk|echo|printf|cd|which|wc|tree"
    r"|stat|sleep|rm|mkdir|touch|cp|mv|chmod|ln|diff|less|open|code|vim?|nano|p?kill|curl|wget|ssh|scp|python\d? -c"
    r"|(?:sudo )?\S+ (?:-m pip |pip )?(?:i|install|add|remove|uninstall))\b)"
    r"[^&;|]{0,60}?\b(?:(?:py|c)?tests?|build|lint|check|type-?check|clippy|vet|verify|jest|vitest|mocha|playwright"
    r"|tox|nox|mypy|pyright|ruff|flake8|pylint|eslint|biome|shellcheck|rubocop|tsc|r?spec|phpunit|ninja)\b(?!/)")
CHECKING_FILES = r"(?i:.*\b(?:lint|check|vet|mypy|pyright|ruff|flake8|pylint|eslint|biome|shellcheck|rubocop|tsc)\b)"
TEST_FOLDER = r"(?i:.*(?:\b|_)(?:tests?|specs?|e2e)(?:\b|_))"
SETTING = r"-|.*(?:\.(?:json|toml|ya?ml|ini|cfg)|config\.\w+)$"  # words of a command that name no place to check
# Of the paths that a command checks, as seen from its folder, it does not: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors")  # how they begin


# --- the repository ---


def repository(folder: str) -> Record:
    """Branch, commit and working tree of the folder's repository, as .git tells them; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is told as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))
    ref, commit = resolved(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == NO_REF else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top, "linked": bool(common)}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        top, below = os.path.dirname(top), top
        if top == below:
            return "", ""
    git = os.path.join(top, ".git")
    return top, os.path.join(top, first_line(git).partition("gitdir: ")[2] or git)  # a file in a worktree or submodule


def resolved(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def packed(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when it is not there."""
    before, found, _ = beginning(os.path.join(git, "packed-refs"), PACKED_READ).partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if found else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, LINE_READ).partition(b"\n")[0].decode("utf-8", "replace").strip()


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


# --- files ---


def marked(items: Sequence[Record], since: int, limit: int = 40) -> list[Record]:
    """The items; of the files touched after the position `since`, the newest with the size and time they have now."""
    touched = [place for place, one in enumerate(items) if one["kind"] == "file" and one["position"] > since]
    told = list(items)
    for place in sorted(touched, key=lambda place: -items[place]["position"])[:limit]:
        now = look(items[place]["text"])
        if now.get("size", NOTHING) >= 0:
            told[place] = {**items[place], **now}
    return told


def seen(items: Sequence[Record], since: int, folder: str) -> tuple[list[Record], dict[str, str]]:
    """What a save keeps to compare with: the items as `marked` leaves them, and the repository's three names."""
    git = repository(folder) if folder else {}
    return marked(items, since), {name: git.get(name, "") for name in ("branch", "head", "worktree")}


def look(path: str) -> Record:
    """The file's size in bytes (OTHER, NOTHING) and time in milliseconds; empty when that cannot be told."""
    if not os.path.isabs(path):
        return {}
    try:
        about = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return {"size": NOTHING, "mtime": 0}
    except (OSError, ValueError):
        return {}
    return {"size": about.st_size if stat.S_ISREG(about.st_mode) else OTHER, "mtime": about.st_mtime_ns // 1_000_000}


def compared(snapshot: Record, limit: int = 40, seconds: float = 0.030) -> Record:
    """What became of the snapshot's items: {"repository", "files", "stale", "jobs"}.

    files   path -> "unchanged", "changed", "gone", for files that were marked: of others nobody knows whether they
            ever were on this machine. At most `limit` are looked at, those with edits first, the newest first.
    stale   key of a command that checked and passed -> the path that changed last after it, of those it covers.
    jobs    key of a background shell -> whether a process of this user still runs its command.
    What was not reached within `seconds` is not told; the repository always is.
    """
    end, items, state = time.monotonic() + seconds, snapshot["items"], snapshot["state"]
    root, known = state.get("root") or state.get("cwd", ""), [one for one in items if one["kind"] == "file"]
    told: Record = {"repository": repository(state.get("cwd", "")), "files": {}}
    changes = []
    for one in sorted(known, key=lambda one: (one.get("edits", 0) > 0, one["position"]), reverse=True)[:limit]:
        if time.monotonic() >= end:
            break
        now = look(one["text"])
        changes.append((changed_at(one, now), one["text"]))
        if now and "mtime" in one:
            told["files"][one["text"]] = became(one, now)
    told["stale"] = stale(items, sorted(changes, reverse=True), root, end)
    return {**told, "jobs": running(shells(items, limit), end)}


def became(one: Record, now: Record) -> str:
    """What became of a marked file."""
    same = (one["size"], one["mtime"]) == (now["size"], now["mtime"])
    return "unchanged" if same else "gone" if now["size"] == NOTHING else "changed"


def changed_at(one: Record, now: Record) -> str:
    """When the file changed last, as an ISO time: the disk says it best, an item's time may be that of a later read."""
    if now.get("size", NOTHING) < 0:
        return str(one["last"]) if one.get("edits") else ""
    seconds, milliseconds = divmod(min(max(now["mtime"], 0), 1_000 * LAST_SECOND), 1_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"


# --- checks that passed, and what changed after them ---


def stale(items: Sequence[Record], changes: Sequence[tuple[str, str]], root: str, end: float) -> dict[str, str]:
    """For each check that passed before a file it covers changed: its key, and that file; the newest check first."""
    files = {one["text"] for one in items if one["kind"] == "file"}
    folders, found = folders_of(files), dict[str, str]()
    for one in reversed(items if changes else ()):
        if time.monotonic() >= end:
            break
        passed = one["kind"] == "command" and one.get("ok") and one["last"]
        later = [path for moment, path in changes if moment > passed] if passed else []
        if later and re.match(VERIFYING, one["text"]):
            places = covered(one["text"], root, files, folders)
            path = next((path for path in later if any(is_below(path, place) for place in places)), "")
            found.update({one["key"]: path} if path else {})
    return found


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders above these paths."""
    found = {""}
    for path in paths:
        while (path := path.rpartition("/")[0]) not in found:
            found.add(path)
    return found


def covered(command: str, root: str, files: set[str], folders: set[str]) -> list[str]:
    """The folders and files that the command checks: those it names, else where it runs.

    A word names one when the session knows a file there, so that no option's value is taken for a place. Tests run
    against all there is, whatever test is named; a check of files looks at no more than those.
    """
    where, places = os.path.normpath(root), list[str]()
    for part in re.split(r" (?:&&|\|\|?) |; ", command):
        words = part.strip(" ()").split()
        if re.fullmatch(r"cd [\"']?[\w./@+][\w./@+-]*[\"']?", " ".join(words)):
            where = place_of(where, words[1])
        elif run := re.match(VERIFYING, part):
            named = [(word, place_of(where, word)) for word in part[run.end():].partition(" ")[2].split()
                     if not re.match(SETTING, word)]
            named = [(word, place) for word, place in named if place in files or place in folders]
            by_file = re.match(CHECKING_FILES, run[0])
            whole = not by_file and any(place in files or re.match(TEST_FOLDER, word) for word, place in named)
            places += [place for _, place in named] if named and not whole else [where]
    return places


def place_of(folder: str, word: str) -> str:
    """The path that a command's word names, seen from the folder; `./pkg/...` is Go's for all below."""
    return os.path.normpath(os.path.join(folder, word.strip("\"'()").removesuffix("/...")))


def is_below(path: str, place: str) -> bool:
    """Whether the path is that place, or lies below it and is no documentation, lock file or output."""
    folder = place.rstrip("/") + "/"
    return path == place or (path.startswith(folder) and not is_unchecked(path[len(folder):]))


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    is_text = name.endswith(UNCHECKED_ENDINGS) and not any(map(name.__contains__, ("requirements", "cmakelists")))
    return (is_text or name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES)
            or any(one.startswith(".") or one in UNCHECKED_FOLDERS for one in folders))


# --- processes ---


def shells(items: Sequence[Record], limit: int) -> dict[str, list[bytes]]:
    """The newest background shells that have not ended: of each the parts of its command, as `bare` leaves them."""
    jobs = [one for one in items if one["kind"] == "job" and one["status"] == "open" and one.get("tool") == "Bash"]
    parts = {one["key"]: [bare(part.encode()) for part in re.split(LOST, one["text"])] for one in jobs[-limit:]}
    return {key: mine for key, mine in parts.items() if max(map(len, mine)) >= TELLING}


def bare(command: bytes) -> bytes:
    """The command without what quoting adds, and without the empty input that the client gives it."""
    return command.translate(None, UNQUOTED).replace(b"</dev/null", b"")


def running(commands: dict[str, list[bytes]], end: float) -> dict[str, bool]:
    """Whether a process of this user has the command in its command line; nothing where /proc does not tell.

    This process and those above it do not count: their command lines may hold a prompt that speaks of the command.
    """
    found: dict[str, bool] = {}
    own = line_of_parents() if commands else set()
    if not own:
        return {}
    for process in reversed([*os.scandir("/proc")]):  # the newest are listed last
        if time.monotonic() >= end or len(found) == len(commands):
            return found
        if process.name.isdecimal() and process.name not in own and is_mine(process):
            line = bare(beginning(f"{process.path}/cmdline", COMMAND_READ))
            found.update({key: True for key, parts in commands.items() if all(part in line for part in parts)})
    return {**dict.fromkeys(commands, False), **found}


def line_of_parents() -> set[str]:
    """The ids of this process and of those above it; empty where /proc is missing or of another form."""
    found, pid = set[str](), str(os.getpid())
    while pid not in found and (told := beginning(f"/proc/{pid}/stat", LINE_READ).rpartition(b") ")[2].split()):
        found.add(pid)
        pid = told[1].decode()
    return found


def is_mine(process: os.DirEntry[str]) -> bool:
    """Whether the process is one of this user; not when it has ended meanwhile."""
    try:
        return process.stat().st_uid == os.geteuid()
    except OSError:
        return False


def main() -> int:
    """0 when what .git says of the folder given, else of the working folder, was printed."""
    for name, value in repository(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "")).items():
        print(f"{name}: {value}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
