#!/usr/bin/env python3
"""Audit the summary that a compaction wrote: what it dropped, changed, invented or claimed without proof.

A hook for PostCompact. One pipeline: read summary, memory and what came after it -> compare -> leave out what the
snapshot tells anyway -> note.
Reads   the hook's JSON on stdin, compact_summary in it; sessions/<session_id>/memory.json, snapshot.json, pins.jsonl,
        ledger.jsonl, delivered-<id> (the block that was put back; before that, what render_snapshot.py makes of
        the snapshot); of the working folder whether at most 40 files exist, and .git/logs/HEAD. No process is started.
Writes  sessions/<session_id>/note.json: the note for the model, at most 2,000 UTF-16 units, which the next event that
        can carry it hands over; none, and an older one removed, when nothing was found. A mark that this compaction was
        audited. One line in events.jsonl with the figures, one in history.jsonl with what was found.
Prints  nothing: of this event nothing reaches the model.
Words   are facts with their source. The summary is a model's text: quoted, on one line, secrets replaced.
Needs   compare_summary.py, check_claims.py and weigh_words.py beside it, which know what became of items and claims,
        present_state.py, which finds .git, pins.py and keep_history.py.
To use copies, put the seven files into a project's .claude/hooks and this into .claude/settings.json:
    {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "timeout": 10,
        "command": "python3 -IS \\"$CLAUDE_PROJECT_DIR/.claude/hooks/audit_summary.py\\" || true"}]}]}}

COMPACT_KEEPER_HOME moves the data folder, COMPACT_KEEPER_OFF=1 switches off, COMPACT_KEEPER_DEBUG=1 logs to stderr
too. Exits 0, whatever happens. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms that every hook would pay
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

ENDING = 64 << 10  # bytes: what came after the save stands at the end of a file
WORDS_COMPARED = 100  # characters of an item by which it is found in what was put back
NUMBER = "[0-9a-f]{8,20}"  # a compaction's

# --- shared: fields ---
def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}
# --- end of shared: fields ---


# --- shared: hook ---
# Input, log and exit. Shared blocks stand in each script, as each must work when copied alone; a test holds them equal.
STDIN_LIMIT = 4 << 20  # bytes
SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


class Refusal(Exception):
    """Says why an input or a file is not used."""


def read_input() -> Record:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    data = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_LIMIT else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: text_of(data, name) for name in ("transcript_path", "cwd")}
    usable = {name: os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
              for name, path in paths.items()}
    return {**data, **{name: path * usable[name] for name, path in paths.items()}}


def log(message: str) -> None:
    """One line in hook.log, and on stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + quote(f"{os.path.basename(__file__)}: {message}", 500)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > 256 << 10:  # a long log starts anew, the old one stays
            os.replace(path, path + ".1")
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def place_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


def run_hook(body: Callable[[Record], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0
# --- end of shared: hook ---


# --- shared: files ---
# The data folder: folders 0700, files 0600, nothing written through a link, JSON files replaced as a whole.
SCHEMA = 1  # of every file and line we write; a file with another number is left alone
NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def data_home() -> str:
    """The data folder: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """A folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
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
        torn = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" * bool(torn) + line + "\n").encode("utf-8", "replace"))


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(8 << 20))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}
# --- end of shared: files ---


# --- shared: replace ---
def replace_store(path: str, data: Record) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False).encode("utf-8", "replace"))
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
# --- end of shared: replace ---


# --- shared: size ---
def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end when something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"
# --- end of shared: size ---


# --- shared: words ---
# Text on its way to disk or to the model: disarmed, secrets out, cut. Cut last: half a token is not seen as one.
TEXT_LIMIT = 100_000  # characters looked at; what is longer is a pasted log
FEW_FORMS = (  # where secret_forms.py was not copied too: rather too much than too little
    ("secret", r"-----BEGIN [A-Z ]*PRIVATE KEY.*|(?<![\w.=+-])(?=[\w.=+-]*(?:\d|[a-z][A-Z]{2}))[\w.=+-]{20,}"),
    ("secret", r"(?i)(?P<keep>(?:pass\w*|pwd|secret|token|key|auth)[\"']?\s*[:=]>?[\s\"']*|://|-\w+ "
     r"|basic |bearer )(?!\[redacted)(?=\S*[\d@])[^\s\"']{4,}"))
CONTROLS = (r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."  # and carriers of hidden text
            r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
            r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
            r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\uffff].)")
TAGS = (r"(?i)[<\ufe64\uff1c](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
        r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
        r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")  # letters that pass for Latin ones


def clean(text: str) -> str:
    """The text, if long its beginning, without what does not show and lone surrogates, the client's tags disarmed."""
    text = text if len(text) <= TEXT_LIMIT else "".join(text[:TEXT_LIMIT].rsplit(None, 1)[:1])  # no half of a word
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = re.sub(CONTROLS, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAGS, "‹", text) if "<" in text or not text.isascii() else text


@lru_cache(maxsize=1)
def secret_forms() -> Callable[[str], Iterable[tuple[str, str]]]:
    """What tells which secrets a text may hold: their kinds and patterns."""
    try:
        from secret_forms import forms_for
    except ImportError:
        return lambda _: FEW_FORMS
    return forms_for


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`, but for `keep`; twice changes nothing."""
    for kind, pattern in secret_forms()(text):
        text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read."""
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    line = line if len(line) < enough else line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""
# --- end of shared: words ---


# --- read ---


def ending_of(path: str) -> str:
    """The file's last 64 KB; empty when it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - ENDING, 0))
            return file.read(ENDING).decode("utf-8", "replace")
    except (OSError, Refusal):
        return ""


def lines_of(path: str) -> list[Record]:
    """The objects on the file's last lines; what is torn or no object is passed over."""
    found: list[Record] = []
    for line in ending_of(path).splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        found += [one] if isinstance(one, dict) else []
    return found


def items_since(folder: str, root: str, project: str) -> list[Record]:
    """What came after the save: commands of the ledger with how they ended, typed prompts; pins."""
    found = []
    for one in lines_of(os.path.join(folder, "ledger.jsonl")):
        at = {"last": text_of(one, "time"), "position": sys.maxsize, "status": "late"}
        if (command := text_of(one, "command")) and not one.get("interrupted"):
            key = command.replace(f"{root}/", "")
            found.append({**at, "kind": "command", "text": command, "key": key, "who": "assistant",
                          "ok": one.get("ok") is True, "error": text_of(one, "error")})
        elif one.get("event") == "prompt":
            found.append({**at, "kind": "request", "text": text_of(one, "text"), "who": "user"})
    from pins import as_items, pins_in
    found += as_items(pins_in(folder, project, lines_of), lambda text: redact(clean(text)))
    return [one for one in found if one["text"]]


def delivered(folder: str, snapshot: Record, items: Sequence[Record]) -> str:
    """The text that was put back after this compaction, or is going to be, on one line; empty when there is none."""
    try:
        text = text_of(read_store(os.path.join(folder, f"delivered-{snapshot.get('id')}")), "text")
    except (OSError, Refusal):
        text = ""
    is_kept_back = read_store(os.path.join(folder, "compaction.json")).get("stage") == "kept back"
    if text or not snapshot or is_kept_back:
        return " ".join(text.split())
    try:
        from render_snapshot import render
    except ImportError:
        return ""
    text = render({**snapshot, "items": [one for one in items if one["kind"] == "pin"] + snapshot["items"]})
    return " ".join(text.split())


# --- what the disk says ---


def file_fact(cwd: str, items: Sequence[Record], path: str, is_made: bool) -> str:
    """What contradicts that the path was created, else deleted; empty when nothing does, or its place is not sure."""
    known = [one["text"] for one in items if one["kind"] == "file" and one["text"].endswith(f"/{path}")]
    where = known[0] if known else os.path.normpath(os.path.join(cwd, path))
    if len(known) > 1 or not os.path.isabs(where):
        return ""
    if os.path.lexists(where):
        return "" if is_made else f"`{path}` exists"
    top = path.partition("/")[0]  # a path may be told from a folder below: only one that begins here is sure
    sure = known or (top != path and where.startswith(f"{cwd}/") and os.path.isdir(os.path.join(cwd, top)))
    return f"`{path}` does not exist" if is_made and sure and os.path.isdir(cwd) else ""


def commits_since(folder: str, since: float) -> bool:
    """Whether the repository's log tells of a commit or merge since then."""
    from present_state import git_folder  # only where no command shows the commit that is claimed
    git = git_folder(folder)[1]
    told = ending_of(os.path.join(git, "logs", "HEAD")) if git else ""
    made = re.findall(r"> (\d+) [+-]\d{4}\t(?:commit|merge|pull|rebase)", told)
    return any(int(when) >= since for when in made)


# --- the hook ---


def claim(folder: str, mark: str) -> bool:
    """Whether this process may audit: the first, of two that were installed, to make the mark; earlier marks go."""
    try:
        os.close(os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600))
    except FileExistsError:
        return False
    for name in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
        if name.startswith("audited-") and name != mark:
            os.unlink(os.path.join(folder, name))
    return True


def snapshot_of(data: Record, folder: str, compaction: Record) -> Record:
    """The session's snapshot under the compaction's id; as of now also where nothing has been put back yet."""
    path = os.path.join(folder, "snapshot.json")
    snapshot, number = read_store(path), text_of(compaction, "id")
    earlier = compaction["earlier"] if isinstance(compaction.get("earlier"), dict) else {}
    last = text_of(earlier, "id")  # the next compaction may be prepared already when this one's PostCompact comes
    if re.fullmatch(NUMBER, last) and not os.path.exists(os.path.join(folder, f"audited-{last}")):
        number = last
    elif compaction.get("stage") == "begun":  # PostCompact came before SessionStart, or nothing is put back
        from catch_up import brought_up
        snapshot = brought_up(snapshot, data, folder, lambda: read_store(path))[0]
    return {**snapshot, **({"id": number} if re.fullmatch(NUMBER, number) else {})} if snapshot else {}


def is_told(one: Record, text: str, folders: Sequence[str]) -> bool:
    """Whether the item's words, or its command as seen from the working folder, stand in the text."""
    told = [" ".join(one["text"].split()), *([one["key"]] if one["kind"] == "failure" else [])]
    for folder in filter(None, folders):
        told = [words.replace(f"{folder}/", "") for words in told]
    return any(words[:WORDS_COMPARED] in text for words in told if words)


def audit(data: Record) -> None:
    """The hook: compares the summary with the session's memory and leaves the note for the model."""
    summary, started = text_of(data, "compact_summary"), time.time()
    if data.get("hook_event_name") != "PostCompact" or data.get("agent_id") or not summary.strip():
        return
    if not os.path.isdir(os.path.join(data_home(), "sessions", data["session_id"])):
        return
    folder = private_folder("sessions", data["session_id"])
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own
    from check_claims import figures, findings, moment, note_of
    compaction = read_store(os.path.join(folder, "compaction.json"))
    if compaction.get("stage") == "a subagent's":
        return  # the client named no agent_id; restore_snapshot.py, which runs before, found out
    snapshot, note_path = snapshot_of(data, folder, compaction), os.path.join(folder, "note.json")
    memory = snapshot or read_store(os.path.join(folder, "memory.json"))  # the snapshot holds the same items
    read_store(note_path)  # refuses to replace what a later version wrote
    number = str(snapshot.get("id") or memory.get("position"))  # the delivered text's, where it has gone out
    if not memory or not claim(folder, f"audited-{number}"):
        return
    append_line(os.path.join(folder, "unasked"), number)  # the next prompt is the first after the compaction
    began = memory["items"][0]["first"] if memory["items"] else memory["time"]
    root, cwd = text_of(memory["state"], "root"), data["cwd"] or text_of(memory["state"], "cwd")
    items = memory["items"] + items_since(folder, root, text_of(snapshot, "project"))
    found = findings(summary[:TEXT_LIMIT], items, {
        "file": lambda path, is_made: file_fact(cwd, items, path, is_made),
        "commits": lambda: bool(cwd) and commits_since(cwd, moment(began))})
    text = delivered(folder, snapshot, items) if any(one["what"] == "dropped" for one in found) else ""
    note, told = note_of((one for one in found if one["what"] != "dropped" or not is_told(one, text, (root, cwd))),
                         memory["time"], quote)
    if told:
        replace_store(note_path, {
            "session": data["session_id"], "id": number, "time": started, "text": note, "findings": told})
    elif os.path.lexists(note_path):
        os.unlink(note_path)
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps({
        "schema": SCHEMA, "time": started, "event": "audit", "session": data["session_id"], **figures(found),
        "units": units(note), "ms": int((time.time() - started) * 1000)}))
    from keep_history import NAME, audited
    append_line(os.path.join(folder, NAME), audited(number, found, quote))


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    if "--help" in (sys.argv if argv is None else argv):
        print(__doc__)
        return 0
    return run_hook(audit)


if __name__ == "__main__":
    raise SystemExit(main())
