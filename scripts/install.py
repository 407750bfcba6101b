#!/usr/bin/env python3
"""Install compact-keeper without the plugin system, take it out again, say what is there, try it.

Usage: install.py install      [--user | --project [DIR]] [--dry-run]
       install.py uninstall    [--user | --project [DIR]] [--dry-run]
       install.py uninstall    --data [--yes] [--dry-run]
       install.py status-line  [--user | --project [DIR]] [--dry-run] [--remove]
       install.py status       [--project [DIR]]
       install.py instructions [--project [DIR]] [--dry-run] [--remove]
       install.py doctor       [--project [DIR]] [--json]

install       copies scripts and skills into hooks/compact-keeper and skills/compact-keeper-* of a configuration folder
              and puts the hooks into its settings.json: the user's ($CLAUDE_CONFIG_DIR, else ~/.claude), so that all
              sessions have it, or with --project a project's .claude, which others may get with the repository.
              Again: brings the copies up to date; what is as it should be is left alone.
uninstall     takes out exactly that, and the status line that runs it; a file that was changed since stays and is
              named. --data: what was remembered of all projects too, so not with --project, and what the client left
              of the plugin when it uninstalled it; it asks before, or takes --yes; where nobody can be asked, what
              was remembered stays and all else goes. Close all sessions first: an open one has the hooks until it
              ends, and would write the data anew.
status-line   sets the status line in settings.json: of the copies there, of the plugin, or of the scripts beside this
              one. A command that is there already is wrapped: it is printed first; in a project that has none, that of
              the person's own settings.json, whoever the person is. Again: brings it up to date.
              --remove, and uninstall: takes it out, and the command that was there is there again.
status        says what is installed where, in which version, when it last saved and put back, and where the data are.
instructions  writes what a summary should keep into the project's CLAUDE.md, between two marks; --remove takes it out.
doctor        tries the whole loop and says of each thing found what to do.

In a session /compact-keeper:doctor and /compact-keeper:status-line do the same, without a path; those of a project's
copies do it with --project.

DIR is the current folder when it is not named. --dry-run says what would be done, with the difference to each settings
file. Every file is replaced in one step, the settings last, so that what is there works whenever it breaks off.
In settings.json no other byte changes; as it was, it is kept beside it as settings.json.before-compact-keeper, a
project's in the data folder, where git does not see it.
Exits 0 when done, 1 on a refusal that says what to do, 2 on wrong usage. Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/install.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import stat
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import add
from sys import maxsize
from typing import NamedTuple


# ==================================================================================================
# store/refusal.py: The exception that says to a person why something is not done.
# ==================================================================================================

class Refusal(Exception):
    """Says why an input or a file is not used."""


def fault_words(fault: Exception) -> str:
    """What went wrong, for a person: of a fault of the system the file and the cause, without its number."""
    if not isinstance(fault, OSError) or not fault.strerror:
        return str(fault)
    return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror


# ==================================================================================================
# setup/json_text.py: A settings.json's text, edited at offsets: what stands where, and how a part comes in or goes out.
# ==================================================================================================

SPACE = re.compile(r"[ \t\r\n]*")  # what JSON takes for space
STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
FIRST_INDENTATION = re.compile(r'\ufeff?[ \t\r\n]*\{[ \t]*\r?\n([ \t]+)"')
SHOWN_CHARACTERS = 60  # of a wrong line on either side of the fault


class Part(NamedTuple):
    """A member of an object, or, without a key, an element of a list: where it begins, and its value, and ends."""

    key: str
    start: int
    value: int
    end: int


class NestedPart(NamedTuple):
    """A part, and the offset of the bracket that opens the object or list that it stands in."""

    opening: int
    part: Part


class ConstantError(Exception):
    """NaN or an infinity, which Python's decoder would take."""


def no_constant(name: str) -> NoReturn:
    """Raises: JSON has no such value."""
    raise ConstantError(name)


SETTINGS_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=no_constant)  # no number is too long


def check_text(text: str) -> None:
    """Refuses text that is no JSON object, or where hooks could not be added."""
    try:
        start = past_space(text, len(text) - len(text.lstrip("\ufeff")))
        _, end = SETTINGS_DECODER.raw_decode(text, start)
        rest = past_space(text, end)
        if rest < len(text):
            refuse("nothing may follow the end", text, rest)
    except json.JSONDecodeError as fault:
        refuse(fault.msg, text, fault.pos)
    except RecursionError:
        raise Refusal("it is nested too deep to be read") from None
    except ConstantError as fault:
        constants = (match for match in STRING_OR_CONSTANT.finditer(text) if match[0][0] != '"')
        refuse(f"{fault} is no value in JSON", text, next(constants).start())
    require(text, start, "{", "the whole")
    hooks = member(text, start, "hooks")
    if hooks:
        require(text, hooks.value, "{", '"hooks"')
        for event in parts(text, hooks.value):
            member(text, hooks.value, event.key)
            require(text, event.value, "[", f'"{event.key}"')


def refuse(why: str, text: str, offset: int) -> NoReturn:
    """Raises a refusal with line, column and the line's text around the offset."""
    begin, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line, column = text[begin:end if end >= 0 else None], offset - begin
    shown = line[max(column - SHOWN_CHARACTERS, 0):column + SHOWN_CHARACTERS].strip() or "(an empty line)"
    raise Refusal(f"line {text.count(chr(10), 0, offset) + 1}, column {column + 1}: {why}: {shown}")


def require(text: str, offset: int, bracket: str, what: str) -> None:
    """Refuses when another kind of value begins there."""
    if text[offset] != bracket:
        refuse(f"{what} is not {'an object' if bracket == '{' else 'a list'}", text, offset)


def past_space(text: str, offset: int) -> int:
    """The offset of what comes next that is not space."""
    return SPACE.match(text, offset).end()  # type: ignore[union-attr]  # it always matches


def parts(text: str, opening: int) -> list[Part]:
    """The parts of the object or list that opens at this offset."""
    inner: list[Part] = []
    start = past_space(text, opening + 1)
    while text[start] not in "}]":
        key, value = "", start
        if text[opening] == "{":
            key, end = SETTINGS_DECODER.raw_decode(text, start)
            value = past_space(text, past_space(text, end) + 1)  # behind the colon
        end = SETTINGS_DECODER.raw_decode(text, value)[1]
        inner.append(Part(key, start, value, end))
        start = past_space(text, end)
        if text[start] == ",":
            start = past_space(text, start + 1)
    return inner


def member(text: str, opening: int, name: str) -> Part | None:
    """The object's member of this name; refused when it stands there twice: the client takes the last."""
    members = [part for part in parts(text, opening) if part.key == name]
    if members[1:]:
        refuse(f'"{name}" stands here a second time; join the two', text, members[1].start)
    return members[0] if members else None


def as_text(text: str, depth: int, value: object) -> str:
    """The value as JSON, over several lines, in the text's own indentation and line ends."""
    unit, newline = style(text)
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + depth * unit)


def style(text: str) -> tuple[str, str]:
    """The text's indentation and line end."""
    indented, first = FIRST_INDENTATION.match(text), text.find("\n")
    return indented[1] if indented else "  ", "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def inserted(text: str, opening: int, depth: int, part: str) -> str:
    """The text with one more part at the end of the object or list that opens there."""
    unit, newline = style(text)
    siblings = parts(text, opening)
    if siblings:
        end = siblings[-1].end
        return f"{text[:end]},{newline}{depth * unit}{part}{text[end:]}"
    before, behind = (newline + unit, newline) if depth == 1 else ("", "")
    return f"{text[:opening + 1]}{before}{part}{behind}{text[opening + 1:]}"


def without_part(text: str, nested: NestedPart) -> str:
    """The text without this part, and without the comma and the line break that came with it."""
    siblings = parts(text, nested.opening)
    at = siblings.index(nested.part)
    if at:
        return text[:siblings[at - 1].end] + text[nested.part.end:]
    if len(siblings) > 1:
        return text[:nested.part.start] + text[siblings[1].start:]
    rest = text[nested.part.end:]
    if on_own_line(text, nested):
        rest = re.sub(r"\A\r?\n", "", rest)
    return text[:nested.opening + 1] + rest


def alone(text: str, nested: NestedPart) -> bool:
    """Whether nothing else stands in its object or list."""
    return len(parts(text, nested.opening)) == 1


def on_own_line(text: str, nested: NestedPart) -> bool:
    """Whether a line break follows the opening bracket."""
    return text[nested.opening + 1] in "\r\n"


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
# setup/reading.py: The files of a configuration folder and of the plugin, as they are read: no pipe or device is waited for.
# ==================================================================================================

def read_bytes(path: str) -> bytes | None:
    """The regular file's content; None when there is none."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def file_text(path: str) -> str:
    """The file's text, empty when it cannot be read."""
    try:
        return (read_bytes(path) or b"").decode("utf-8", "replace")
    except (OSError, Refusal):
        return ""


def settings_text(path: str) -> str | None:
    """The text of a settings file, byte for byte; None when there is none."""
    content = read_bytes(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as fault:
        raise Refusal(f"{path} is not in UTF-8 (byte {fault.start}); write it so, then run this again") from None


def fault_in_settings(path: str) -> str:
    """Why a settings file is not read; empty when it is, or is not there."""
    try:
        check_text(settings_text(path) or "{}")
    except (OSError, Refusal) as why:
        return f"{path}, {why}"
    return ""


def names_in(folder: str) -> list[str]:
    """The names in a folder, sorted; none where there is no such folder."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


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
# client/project.py: Which folder a session belongs to, and where the client keeps its configuration and its transcripts.
# ==================================================================================================

def config_folder() -> str:
    """The client's configuration folder."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


# ==================================================================================================
# setup/target.py: Where things are: the folder that install.py runs from, and the configuration folder that it copies into.
# ==================================================================================================

INSTALLED_FROM = os.path.dirname(os.path.abspath(__file__))
PLUGIN_FOLDER = os.path.dirname(INSTALLED_FROM)  # a clone, or the plugin's folder
INSTALL_SCRIPT = os.path.join(INSTALLED_FROM, "install.py")
OUR_FOLDER = "hooks/compact-keeper"  # in the configuration folder, where settings.json lies
BACKUP, SETTINGS_FOLDER = ".before-compact-keeper", "settings"  # how its name ends; below the data folder
MANIFEST_FILE, SETTINGS_FILE = f"{OUR_FOLDER}/installed.json", "settings.json"
LOCAL_FILE = "settings.local.json"  # of a project, kept out of git; install.py puts nothing into it


class Target(NamedTuple):
    """Where copies go: the configuration folder, and how a hook's command names a file in it."""

    config: str
    project: str  # empty for the user's

    def path(self, name: str) -> str:
        """The path of a file in the configuration folder."""
        return os.path.normpath(os.path.join(self.config, *name.split("/")))

    def settings_before(self) -> str:
        """Where the settings file lies as it is without anything of ours.

        A project's lies among the person's data: beside it, everybody's git would see it.
        """
        path = self.path(SETTINGS_FILE)
        if not self.project:
            return path + BACKUP
        name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return os.path.join(data_home(), SETTINGS_FOLDER, f"{name}.json")

    def in_command(self, name: str) -> str:
        """The path of a copied file as a word of the shell."""
        if self.project:
            return f'"$CLAUDE_PROJECT_DIR/.claude/{OUR_FOLDER}/{name}"'
        return shlex.quote(self.path(f"{OUR_FOLDER}/{name}").replace(os.sep, "/"))

    def whose(self) -> str:
        """For whom it is installed."""
        return f"the project {self.project}" if self.project else "this user"

    def to_run(self, command: str, script: str = INSTALL_SCRIPT) -> str:
        """What a person types to have install.py do this here."""
        return shlex.join(["python3", script, command, *(["--project", self.project] if self.project else [])])


def is_run_in_session() -> bool:
    """Whether the client has started this: to what it starts it says as what it runs (2.1.76 to 2.1.330)."""
    return bool(os.environ.get("CLAUDE_CODE_ENTRYPOINT"))


def typed_command(name: str) -> str:
    """How one of the plugin's commands is typed; of copies with a dash."""
    return f"/compact-keeper{':' if os.path.isdir(os.path.join(PLUGIN_FOLDER, 'skills')) else '-'}{name}"


def existing(project: str) -> str:
    """The project's folder; refused where there is none."""
    folder = os.path.abspath(project)
    if not os.path.isdir(folder):
        raise Refusal(f"{folder} is no folder; name the project's folder")
    return folder


def target_of(project: str | None) -> Target:
    """The user's configuration folder, or the project's."""
    config = os.path.abspath(config_folder())
    if project is None:
        return Target(config, "")
    project = existing(project)
    if os.path.realpath(os.path.join(project, ".claude")) == os.path.realpath(config):
        raise Refusal(f"{config} is the user's configuration, not a project's; use --user")
    return Target(os.path.join(project, ".claude"), project)


def target_at(path: str, project: str) -> Target:
    """The one whose settings file this is."""
    folder, config = os.path.dirname(path), target_of(None).config
    return Target(config, "") if folder == config else Target(folder, project)


def settings_files(project: str) -> list[str]:
    """The settings files that a session in this folder has, the one that counts most last; each once."""
    own = target_of(None).path(SETTINGS_FILE)
    of_project = [os.path.join(project, ".claude", name) for name in (SETTINGS_FILE, LOCAL_FILE)]
    return list({os.path.realpath(path): path for path in (own, *of_project)}.values())  # at home two are one


# ==================================================================================================
# setup/bundle.py: What belongs into a configuration folder: the bundle's hooks, scripts and skills, with their paths there.
# ==================================================================================================

READ_BY_SHELL = ("run", "waiting")  # of the folder hooks
IN_THE_PLUGIN = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/([\w.-]+)"')


def wanted_hooks(target: Target) -> Hooks:
    """The hooks of hooks.json, their commands with the copies' path; all else as it stands there."""
    path = os.path.join(PLUGIN_FOLDER, "hooks", "hooks.json")
    if not os.path.isfile(path):
        raise Refusal(f"{path} is missing: copies cannot be copied on; run install.py of a clone or of the plugin")
    with open(path, encoding="utf-8") as file:
        hooks: Hooks = json.load(file)["hooks"]
    entries = [entry for groups in hooks.values() for group in groups for entry in group["hooks"]]
    for entry in entries:
        entry["command"] = IN_THE_PLUGIN.sub(lambda match: target.in_command(match[1]), entry["command"])
        if "CLAUDE_PLUGIN_ROOT" in entry["command"]:
            raise Refusal(f"{path} names the plugin's folder in a way that install.py does not know")
    return hooks


def wanted_files() -> dict[str, bytes]:
    """The files by their path in the configuration folder; a skill of a copy is typed with a dash, not a colon."""
    pages = {name: os.path.join(PLUGIN_FOLDER, "skills", name, "SKILL.md")
             for name in sorted(os.listdir(os.path.join(PLUGIN_FOLDER, "skills")))}
    skills = [name for name, page in pages.items() if os.path.isfile(page)]
    typed = re.compile(rf"compact-keeper:(?=(?:{'|'.join(skills)})\b)")  # begins with letters, so it is found at once
    files = {f"{OUR_FOLDER}/{name}": content_of(os.path.join(INSTALLED_FROM, name))
             for name in sorted(os.listdir(INSTALLED_FROM)) if name.endswith(".py")}
    files.update({f"{OUR_FOLDER}/{name}": content_of(os.path.join(PLUGIN_FOLDER, "hooks", name))
                  for name in READ_BY_SHELL})
    files[f"{OUR_FOLDER}/.gitignore"] = b"__pycache__/\n"
    for skill in skills:
        files[f"skills/compact-keeper-{skill}/SKILL.md"] = content_of(pages[skill]).replace(
            b"${CLAUDE_PLUGIN_ROOT}/scripts", b"${CLAUDE_SKILL_DIR}/../../" + OUR_FOLDER.encode())
    return {name: typed.sub("compact-keeper-", content.decode()).encode() for name, content in files.items()}


def content_of(path: str) -> bytes:
    """The content of a file of the bundle; refused where it is missing, as a copy without it would do nothing."""
    content = read_bytes(path)
    if content is None:
        raise Refusal(f"{path} is missing; take a whole clone, or the plugin")
    return content


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


# ==================================================================================================
# client/plugin_list.py: What the client says of the plugin, as far as a script asks whether the one that it came with is there and is on.
# ==================================================================================================

PLUGIN = "compact-keeper"


def listed_plugins(folder: str) -> JsonObject | None:
    """Compact-keeper in the list in the client's folder of plugins, by PLUGIN@MARKETPLACE; None without such a list."""
    plugins = read_json(os.path.join(folder, "installed_plugins.json")).get("plugins")
    if not isinstance(plugins, dict):
        return None
    return {name: entry for name, entry in plugins.items() if name.partition("@")[0] == PLUGIN}


def marketplace_folder(plugins: str, market: str) -> str:
    """The folder that was added as this marketplace; empty where it is none, or is not known.

    `plugins` is the client's folder of plugins.
    """
    entry = read_json(os.path.join(plugins, "known_marketplaces.json")).get(market)
    source = entry.get("source") if isinstance(entry, dict) else None
    path = source.get("path") if isinstance(source, dict) and source.get("source") == "directory" else None
    return path if isinstance(path, str) else ""


def enabled_plugins(paths: Iterable[str]) -> dict[str, bool]:
    """What these settings files say of plugins, by PLUGIN@MARKETPLACE: the last that names one counts."""
    words: dict[str, bool] = {}
    for path in paths:
        enabled = read_json(path).get("enabledPlugins")
        for name, word in enabled.items() if isinstance(enabled, dict) else ():
            words.update({name: word} if isinstance(word, bool) else {})
    return words


# ==================================================================================================
# setup/plugin_folder.py: From which folder the client runs the plugin: its own copy, or the clone that was added as a marketplace.
# ==================================================================================================

RUNS_CLONE_SINCE = (2, 1, 105)  # measured: 2.1.76 runs the copy; 2.1.105, 150, 197, 250, 329 and 330 run the folder
CLIENT_MAX_SECONDS = 5  # that `claude --version` may take
PARTS = ("hooks", "scripts", "skills")  # of the plugin, that the client or a hook reads


def own_plugins() -> JsonObject | None:
    """Compact-keeper in the client's list of plugins; None where no list can be read."""
    return listed_plugins(target_of(None).path("plugins"))


def folder_added_for(name: str) -> str:
    """The folder that was added as the marketplace of PLUGIN@MARKETPLACE; empty where it is none, or is not known."""
    return marketplace_folder(target_of(None).path("plugins"), name.partition("@")[2])


def clone_folder(name: str) -> str:
    """Where the marketplace's folder has the plugin; empty where it is no folder, or has none that is known."""
    folder = folder_added_for(name)
    listed = read_json(os.path.join(folder, ".claude-plugin", "marketplace.json")).get("plugins") if folder else None
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("name") == PLUGIN and isinstance(entry.get("source"), str):
            clone = os.path.normpath(os.path.join(folder, entry["source"]))
            return clone if os.path.isdir(clone) else ""
    return ""


def running_folder(name: str, cached: str) -> str:
    """The folder whose hooks the client runs; `cached` is its own copy of the plugin.

    Started by the client itself, it is the one around this file. Else its version tells; a version that is not known
    counts as a new one.
    """
    clone = clone_folder(name)
    if not clone or clone == cached:
        return cached
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    if root and same(root, PLUGIN_FOLDER):
        started_from = next((folder for folder in (clone, cached) if same(root, folder)), "")
        if started_from:
            return started_from
    return clone if (client_on_path() or RUNS_CLONE_SINCE) >= RUNS_CLONE_SINCE else cached


@cache  # starting it takes long
def client_on_path() -> tuple[int, ...]:
    """The three numbers of the version of the client that a shell starts; empty where it does not tell them."""
    try:
        done = subprocess.run(["claude", "--version"], capture_output=True, text=True, errors="replace",
                              timeout=CLIENT_MAX_SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    version = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, version.groups())) if version else ()


def same(path: str, other: str) -> bool:
    """Whether both are one file or folder."""
    return os.path.realpath(path) == os.path.realpath(other)


def differing(folder: str, other: str) -> list[str]:
    """The files of the plugin that are not the same in both folders, sorted."""
    names = {*plugin_files(folder), *plugin_files(other)}
    return [name for name in sorted(names)
            if file_text(os.path.join(folder, name)) != file_text(os.path.join(other, name))]


def plugin_files(folder: str) -> Iterator[str]:
    """The files of the plugin in the folder, by their path in it, without bytecode."""
    for part in PARTS:
        for at, folders, names in os.walk(os.path.join(folder, part)):
            folders[:] = [name for name in folders if name != "__pycache__"]
            yield from (os.path.relpath(os.path.join(at, name), folder) for name in names)


# ==================================================================================================
# setup/installed.py: What is installed for a session in a folder: plugins, install.py's copies, those that somebody copied by hand.
# ==================================================================================================

HOOK_NAMES = "record_event|answer_prompt|save_snapshot|restore_snapshot|audit_summary"
BY_RUN = rf"\brun[\"']? +(?P<by_run>{HOOK_NAMES})\b"  # hooks/run NAME
STARTED = re.compile(rf"{BY_RUN}|\b(?P<alone>{HOOK_NAMES})\.py\b")
UNKNOWN_VERSION = "?"  # of a copy: nothing tells the whole's
DEFAULT_TIMEOUT_SECONDS = 60  # the client's, of a hook that names none
COMMAND_MAX_CHARACTERS = 8_000  # of a hook's command, beyond which it is not taken apart


class Hook(NamedTuple):
    """A hook as the client runs it; the time it has in seconds."""

    event: str
    command: str
    timeout: float
    is_beside: bool = False  # nobody waits for what it starts

    def name(self) -> str:
        """The script that it starts, without its ending; empty where it is none of ours."""
        started = [match["by_run"] or match["alone"] for match in STARTED.finditer(self.command)]
        return started[-1] if started else ""


class Copy(NamedTuple):
    """One installation that a session in a folder has."""

    how: str
    path: str
    version: str
    active: bool
    hooks: list[Hook]
    to_remove: str
    to_update: str
    scripts: list[str]  # the paths of its scripts; of a copy by hand those that its hooks start
    project: str = ""  # whose own files its hooks start
    cached: str = ""  # of a plugin: the client's own copy, which is `path` where the client runs that


def copies(project: str) -> list[Copy]:
    """All that a session in this folder has, the project's own first."""
    paths = settings_files(project)
    return [*(copy for path in reversed(paths) for copy in copied(path, project)),
            *plugins_that_run([*plugins(project, enabled_plugins(paths))])]


def plugins_that_run(listed: list[Copy]) -> list[Copy]:
    """The plugins that the client lists; where a session has loaded another folder, that alone, as the client does.

    The client names it to what it starts; its list does not tell of `--plugin-dir`, nor of a plugin that an SDK loads
    (measured with 2.1.76 to 2.1.330).
    """
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    if not root or not same(root, PLUGIN_FOLDER) or any(same(root, copy.path) for copy in listed):
        return listed
    version = str(read_json(os.path.join(root, ".claude-plugin", "plugin.json")).get("version"))
    return [Copy("plugin of this session alone (--plugin-dir)", root, version, True,
                 hooks_in(os.path.join(root, "hooks", "hooks.json")), "start Claude Code without --plugin-dir",
                 f"git -C {shlex.quote(root)} pull", scripts_in(os.path.join(root, "scripts")))]


def plugins(project: str, enabled: Mapping[str, bool]) -> Iterator[Copy]:
    """The plugin, from each marketplace that it was installed from for this user or this project."""
    for name, entry in (own_plugins() or {}).items():
        installations = objects_in(entry if isinstance(entry, list) else [entry])
        here = [each for each in installations if same(str(each.get("projectPath") or project), project)]
        if here:
            yield plugin_of(name, here, enabled.get(name) is not False)


def plugin_of(name: str, installations: Sequence[JsonObject], is_on: bool) -> Copy:
    """The plugin from this marketplace, as the client's list has its installations: the last one is in force."""
    cached = str(installations[-1].get("installPath"))
    folder = running_folder(name, cached)
    about = installations[-1] if folder == cached else read_json(os.path.join(folder, ".claude-plugin", "plugin.json"))
    scopes = ", ".join(str(each.get("scope", "user")) for each in installations)
    return Copy(
        f"plugin {name} ({scopes})", folder, str(about.get("version")), is_on,
        hooks_in(os.path.join(folder, "hooks", "hooks.json")), f"claude plugin uninstall {name}",
        how_to_update(name, folder, cached), scripts_in(os.path.join(folder, "scripts")), cached=cached)


def how_to_update(name: str, folder: str, cached: str) -> str:
    """What brings the plugin up to date that the client runs from this folder; `cached` is its own copy."""
    if folder != cached:
        return f"git -C {shlex.quote(folder)} pull"
    clone = clone_folder(name)
    return how_to_renew(name, clone, cached) if clone else f"claude plugin update {name}"


def how_to_renew(name: str, clone: str, cached: str) -> str:
    """What makes the client copy a marketplace's folder anew: `claude plugin update` looks at the version alone."""
    of_clone, of_copy = (read_json(os.path.join(folder, ".claude-plugin", "plugin.json")).get("version")
                         for folder in (clone, cached))
    if of_clone != of_copy:
        return f"claude plugin update {name}"
    return f"claude plugin uninstall {name} && claude plugin install {name}"


def copied(path: str, project: str) -> Iterator[Copy]:
    """The copies that the hooks of a settings file run: install.py's, and those that somebody copied by hand."""
    hooks, target = hooks_in(path), target_at(path, project)
    ours = [hook for hook in hooks if OUR_FOLDER in hook.command]
    by_hand = [hook for hook in hooks if hook not in ours and hook.name()]
    if ours:
        folder = target.path(OUR_FOLDER)
        yield Copy(f"copied for {target.whose()}", folder,
                   str(read_json(target.path(MANIFEST_FILE)).get("version") or UNKNOWN_VERSION), True, ours,
                   target.to_run("uninstall"), target.to_run("install"), scripts_in(folder), target.project)
    if by_hand:
        scripts = list(dict.fromkeys(script for hook in by_hand for script in started_scripts(hook, project)))
        yield Copy(f"copied by hand for {target.whose()}", path, UNKNOWN_VERSION, True, by_hand,
                   f"take its hooks out of {path}", f"copy it anew from {INSTALLED_FROM}", scripts, target.project)


def hooks_in(path: str) -> list[Hook]:
    """The hooks of a settings file or of hooks.json, whatever else it holds; none where it is broken."""
    events = read_json(path).get("hooks")
    if not isinstance(events, dict):
        return []
    return [hook_of(event, entry) for event, groups in events.items()
            for group in objects_in(groups) for entry in objects_in(group.get("hooks"))]


def hook_of(event: str, entry: JsonObject) -> Hook:
    """The hook that stands in the entry of a settings file."""
    command = str(entry.get("command"))
    timeout = entry["timeout"] if isinstance(entry.get("timeout"), int) else DEFAULT_TIMEOUT_SECONDS
    is_later = " --later" in command and event != "UserPromptSubmit"  # which is waited for where it may get an answer
    return Hook(event, command, timeout, is_beside=entry.get("async") is True or is_later)


def scripts_in(folder: str) -> list[str]:
    """The paths of the scripts in a folder."""
    return [os.path.join(folder, name) for name in names_in(folder) if name.endswith(".py")]


def started_scripts(hook: Hook, project: str) -> Iterator[str]:
    """The paths of the scripts that a hook written by hand starts, as far as its words tell them; each is there."""
    if len(hook.command) > COMMAND_MAX_CHARACTERS:
        return
    try:
        words = shlex.split(hook.command)
    except ValueError:  # a quote that does not end
        return
    folder = ""
    for word in (word.rstrip(";)") for word in words):
        path = os.path.join(project, named_path(word, project))
        if os.path.basename(path) == "run" and os.path.isfile(path):
            beside = os.path.dirname(path)
            folder = beside if os.path.isfile(os.path.join(beside, "run_hook.py")) else (
                os.path.join(os.path.dirname(beside), "scripts"))
            scripts = [os.path.join(folder, name) for name in ("run_hook.py", f"{hook.name()}.py")]
        elif path.endswith(".py"):  # a name alone is run_hook.py's, for a script beside it
            scripts = [path if "/" in word or not folder else os.path.join(folder, word)]
            folder = os.path.dirname(scripts[0])
        else:
            scripts = []
        yield from filter(os.path.isfile, scripts)


def named_path(word: str, project: str) -> str:
    """The path that a word of a hook's command names."""
    for name, folder in (("CLAUDE_PROJECT_DIR", project), ("HOME", os.path.expanduser("~"))):
        word = word.replace(f"${{{name}}}", folder).replace(f"${name}", folder)
    return os.path.expanduser(word)


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
# text/listing.py: Many things in few words: the first of them, and how many more there are.
# ==================================================================================================

def first_and_more(words: Sequence[str], most: int) -> str:
    """The first so many of the words, and how many more there are."""
    return ", ".join(words[:most]) + and_more(len(words) - most)


def and_more(number: int, least: str = "") -> str:
    """How many more there are than stand before it; empty for none. `least`: the words for a number that may be low."""
    return f" and {least}{number:,} more" if number > 0 else ""


# ==================================================================================================
# text/version.py: The version of the plugin that a script came with.
# ==================================================================================================

VERSION = "0.27.0"


# ==================================================================================================
# setup/copy_faults.py: What stands in the way of installed copies: several at once, older ones, a clone that differs or is gone.
# ==================================================================================================

VERSION_LINE = re.compile(r'^VERSION = "([0-9]+(?:\.[0-9]+)*)"', re.MULTILINE)


def copies_warnings(installed: Sequence[Copy]) -> list[str]:
    """What is to be said where more than one copy is at work."""
    active = [copy for copy in installed if copy.active]
    if len(active) < 2:
        return []
    return [f"Installed {len(active)} times: only one puts back, but each takes its time at every event. Keep one:",
            *(f"  {copy.how}; to take it out: {copy.to_remove}" for copy in active)]


def outdated(installed: Sequence[Copy]) -> list[tuple[str, str]]:
    """Of each copy of an older version than these scripts, or with a script of one, that it is, and what to do."""
    findings = []
    for copy in installed:
        what = ""
        if [] < version_numbers(copy.version) < version_numbers(VERSION):
            what = f"{copy.how} is {copy.version},"
        elif older := older_scripts(copy):
            what = f"{copy.how}: {', '.join(older)};"
        if what:
            findings.append((f"{what} these scripts are {VERSION}", f"Bring it up to date: {copy.to_update}"))
    return findings


def differing_copies(installed: Sequence[Copy]) -> Iterator[tuple[str, str]]:
    """Of each plugin whose clone and whose copy in the client's cache differ: which of them runs, and what to do."""
    for copy in (copy for copy in installed if copy.cached):
        name = copy.to_remove.split()[-1]
        other = copy.cached if copy.path != copy.cached else clone_folder(name)
        names = differing(copy.path, other) if os.path.isdir(other) else []
        if not names:
            continue
        files = first_and_more(names, 1)
        if copy.path == copy.cached:
            yield (f"the client runs its own copy, which differs from {other} in {files}",
                   f"To run that: {how_to_renew(name, other, copy.cached)}")
        else:
            yield (f"the status line runs from a copy that differs from the clone in {files}: {other}",
                   f"To bring the copy up to date: {how_to_renew(name, copy.path, copy.cached)}")


def older_scripts(copy: Copy) -> list[str]:
    """The scripts that are older than these or than the others of the copy, each with its version."""
    versions = {os.path.basename(path): version_of(path) for path in copy.scripts}
    newest = max([version_numbers(VERSION), *map(version_numbers, versions.values())])
    return [f"{name} is {version}" for name, version in versions.items() if [] < version_numbers(version) < newest]


def shown_version(copy: Copy) -> str:
    """The version of a copy; where nothing tells the whole's, those of its scripts, newest first."""
    if copy.version != UNKNOWN_VERSION:
        return copy.version
    versions = {version_of(script) for script in copy.scripts} - {""}
    return " and ".join(sorted(versions, key=version_numbers, reverse=True)) or UNKNOWN_VERSION


def version_of(script: str) -> str:
    """The version of the plugin that a script came with; empty where it names none."""
    line = VERSION_LINE.search(file_text(script))
    return line[1] if line else ""


def version_numbers(version: str) -> list[int]:
    """A version's numbers; empty where it is none."""
    return list(map(int, version.split("."))) if re.fullmatch(r"[0-9]+(\.[0-9]+)*", version) else []


def missing_marketplaces() -> Iterator[str]:
    """The folders that were added as marketplaces of ours and are gone: then no client loads the plugin."""
    for name in own_plugins() or {}:
        path = folder_added_for(name)
        if path and not os.path.isdir(path):
            yield path


# ==================================================================================================
# client/tokens.py: Tokens: how many `usage` tells of, how large a window is, how full, and how far below its end a client compacts.
# ==================================================================================================

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
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
# setup/finding.py: What the doctor tells of each thing that it looked at.
# ==================================================================================================

class Finding(NamedTuple):
    """What was found: ok, note or fix; what and where; what to do about it."""

    level: str
    what: str
    to_do: str = ""
    on_made_up_session: bool = False  # it is about the session that the doctor plays, not about the person's


# ==================================================================================================
# text/length.py: How long a text is for the client, and the part of it that fits.
# ==================================================================================================

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
# text/kind_words.py: Kinds of things that are put back, in the words and the order in which a person is told of them, everywhere.
# ==================================================================================================

def count_shown(count: int, name: str) -> str:
    """The count with its noun."""
    if count != 1:
        name = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name}"


# ==================================================================================================
# setup/data_findings.py: What the doctor finds in the data folder, the settings and the log. Only reads.
# ==================================================================================================

OLD_LOG_SECONDS = 7 * 86_400
UNDER_WAY_SECONDS = 3_600  # what is older is no longer at work
OF_SETTINGS = r"/(?:config|compact-keeper)\.json: .*is not used: "  # a line of hook.log
FREE_LEAST_BYTES = 200 << 20


def home_findings() -> Iterator[Finding]:
    """Whether anything can be kept: where the data folder is, and whether a file can be made in it; then its state."""
    try:
        home = data_home()
    except Refusal as fault:
        yield Finding("fix", f"nothing is kept: {fault}", "Set it to a full path, or take it out of the environment.")
        return
    folders = [home, os.path.join(home, "sessions")]
    if why := next(filter(None, map(why_not_writable, folders)), ""):
        yield Finding("fix", f"nothing can be kept in the data folder {home}: {why}", "Make it a folder in which you "
                      "can write and the disk has room, or name another by its full path in COMPACT_KEEPER_HOME.")
    if os.path.isdir(home):
        yield from data_findings(home)
        yield from log_findings(home)
    elif not why:
        yield Finding("ok", f"no data yet in {home}")


def data_findings(home: str) -> Iterator[Finding]:
    """What is wrong with the data folder's owner and permissions; what was left in it; how large it is."""
    paths = [home, *(os.path.join(at, name) for at, folders, names in os.walk(home) for name in (*folders, *names))]
    states = {path: os.lstat(path) for path in paths if os.path.lexists(path)}
    loose = [path for path, state in states.items() if state.st_mode & 0o077 and not stat.S_ISLNK(state.st_mode)
             and os.path.basename(path) != "config.json"]
    foreign = [path for path, state in states.items() if state.st_uid != os.geteuid()]
    old = time.time() - UNDER_WAY_SECONDS
    drafts = [path for path, state in states.items() if path.endswith(".tmp") and state.st_mtime < old]
    begun = [path for path, state in states.items() if os.path.basename(path) == COMPACTION_FILE
             and state.st_mtime < old and has_failed(os.path.dirname(path))]
    if loose:
        yield Finding("fix", f"{first_and_more(loose, 1)}: others may read it", f"chmod -R go= {shlex.quote(home)}")
    else:
        yield Finding("ok", f"{home} is private")
    if foreign:
        yield Finding("fix", f"{first_and_more(foreign, 1)}: belongs to another user",
                      f"sudo chown -R {os.geteuid()} {shlex.quote(home)}")
    if drafts:
        yield Finding("note", f"{first_and_more(drafts, 1)}: left by a process that was killed",
                      f"rm {shlex.join(drafts)}")
    if begun:
        yield Finding("note", f"{first_and_more(begun, 1)}: a compaction began and did not finish",
                      "/compact-keeper:restore in that session brings in what was saved before it.")
    yield from size_findings(home, {path: state.st_size for path, state in states.items()})


def has_failed(folder: str) -> bool:
    """Whether the session in the folder stopped at its compaction, as its transcript shows."""
    try:
        compaction = read_compaction(folder)
        return compaction.get("stage") == "begun" and bool(failure(compaction))
    except (OSError, Refusal):
        return False


def size_findings(home: str, sizes: dict[str, int]) -> Iterator[Finding]:
    """How much of the disk the data take, by part, and what is free."""
    part_bytes: dict[str, int] = {}
    for path, size in sizes.items():
        name = os.path.relpath(path, home).split(os.sep)[0]
        part = "sessions" if name == "sessions" else "archive" if name.startswith(ARCHIVE_FILE) else "events and log"
        part_bytes[part] = part_bytes.get(part, 0) + (size_counted(path) if part == "archive" else size)
    limit = settings_of("", lambda *_: None)["archive_mb"]
    shown = ", ".join(f"{part} {size / 1e6:.1f} MB" for part, size in sorted(part_bytes.items()))
    yield Finding("ok", f"{shown} (the archive may have {limit:,} MB)")
    free = shutil.disk_usage(home).free
    if free < FREE_LEAST_BYTES:
        yield Finding("fix", f"only {free / 1e6:.0f} MB are free where {home} lies", "Make room.")


def what_to_do_with_setting(why: str) -> str:
    """How a setting that is not used is mended, by why it is not."""
    if why.endswith(NO_SUCH_SETTING):
        return "Take it out, or mend its name."
    if why.endswith((OWN_ALONE, OFF_ALONE)):
        return "Take it out of the project's file: your config.json's value holds, without one the default."
    counts = "the file counts" if NOT_READ in why else "it counts"
    return f"Mend that in the file; until then {counts} as not there."


def settings_findings(project: str) -> Iterator[Finding]:
    """What is wrong with compact-keeper's own settings and with the client's."""
    complaints: list[str] = []
    settings_of(project, lambda path, faults: complaints.extend(f"{path}: {fault}" for fault in faults))
    for why in complaints:
        yield Finding("fix", quote(why, 400), what_to_do_with_setting(why))
    for path in settings_files(project):
        fault = fault_in_settings(path)
        if fault:
            yield Finding("fix", fault, "Mend that line: the client does not read the file as it is.")
        if read_json(path).get("disableAllHooks") is True:
            yield Finding("fix", f"{path}: disableAllHooks switches every hook off", "Take disableAllHooks out.")
    if os.environ.get("COMPACT_KEEPER_OFF"):
        yield Finding("fix", "COMPACT_KEEPER_OFF is set: no hook does anything", "unset COMPACT_KEEPER_OFF")


def log_findings(home: str) -> Iterator[Finding]:
    """The newest lines of hook.log; those on settings by their count: what is wrong now is a finding of its own."""
    path, since = os.path.join(home, HOOK_LOG), time.time() - OLD_LOG_SECONDS
    oldest = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    lines = [line for line in file_text(path).splitlines() if line[:20] >= oldest]
    new = [line for line in lines if not re.search(OF_SETTINGS, line)]
    of_settings = len(lines) - len(new)
    if not lines:
        yield Finding("ok", "nothing in the log of the last 7 days")
        return
    if not new:
        yield Finding("ok", f"{path}: {count_shown(of_settings, 'line')} in the last 7 days, on settings alone (a "
                            "setting that is still wrong is named in a line of its own)")
        return
    named_apart = "one that is still wrong is named in a line of its own"
    others = f" ({of_settings} more on settings; {named_apart})" * bool(of_settings)
    yield Finding("note", f"{path}: {count_shown(len(new), 'line')} in the last 7 days{others}, the last: "
                          f"{quote(new[-1], 300)}",
                  "A single one may be an odd input. Where the same comes again and again, send it, with what the "
                  "doctor says, to those from whom you have compact-keeper.")


# ==================================================================================================
# setup/interpreter.py: The Python that the hooks get: which one the commands find in PATH, what it lacks, what starts it.
# ==================================================================================================

OLDEST_PYTHON = (3, 9)
STAND_IN_SECONDS = 0.015  # that a version manager's stand-in for Python may add to each start
INTERPRETER_MAX_SECONDS = 20
WRITTEN = re.compile(r"(?:^|[\s(;])(python[\w.]*)\s")  # an interpreter in a command that somebody wrote by hand
TRIED_BY_RUN = ("python3", "python")  # by hooks/run, in this order
NOT_THERE = (49, 126, 127)  # exit codes of the shell, and of Windows' stub, for an interpreter that is not there
PROBE = """
import sys
try:
    import sqlite3
    sqlite3.connect(":memory:").execute("create virtual table t using fts5(x)")
    fts5 = 1
except Exception:
    fts5 = 0
tag = getattr(getattr(sys, "implementation", None), "cache_tag", None)
print("%d %d %d %s %s" % (sys.version_info[0], sys.version_info[1], fts5, tag, sys.executable))
"""


class Python(NamedTuple):
    """What an interpreter tells of itself."""

    name: str
    path: str
    version: tuple[int, int]
    fts5: bool
    cache_tag: str

    def written_version(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))


def python_of(hooks: Sequence[Hook]) -> tuple[Python | None, list[Finding]]:
    """The interpreter that the commands get, None when there is none that serves; what is to be said of each tried."""
    findings: list[Finding] = []
    for name in interpreters(hooks):
        done = subprocess.run(["sh", "-c", f"exec {name} -IS -c {shlex.quote(PROBE)}"], capture_output=True, text=True,
                              errors="replace", timeout=INTERPRETER_MAX_SECONDS)
        python = answered(name, done.stdout) if done.returncode == 0 else None
        if python and python.version >= OLDEST_PYTHON:
            passed = [finding._replace(level="note", to_do=f"Nothing: the hooks take {name}.") for finding in findings]
            return python, [*passed, Finding("ok", f"{name} is Python {python.written_version()}, {python.path}")]
        why = f"is Python {python.written_version()}" if python else (
            quote(done.stderr, 200) or f"ended with exit code {done.returncode}")
        findings.append(Finding("fix", f"{name} ({shutil.which(name) or 'not in PATH'}): {why}",
                                "Put Python 3.9 or newer first in the PATH of the shell that starts the client."))
        if done.returncode not in NOT_THERE:  # the commands try no other then
            break
    return None, findings or [Finding("note", "the commands of the hooks name no Python that could be asked",
                                      "So it is not told which one they get.")]


def interpreters(hooks: Sequence[Hook]) -> list[str]:
    """The names under which the hooks look for Python, each once."""
    commands = "\n".join(hook.command for hook in hooks)
    by_run = TRIED_BY_RUN if re.search(BY_RUN, commands) else ()
    return list(dict.fromkeys([*WRITTEN.findall(commands), *by_run]))


def answered(name: str, answer: str) -> Python | None:
    """What the interpreter told; None when that is something else."""
    fields = re.match(r"(\d+) (\d+) (\d) (\S+) (.+)", answer)
    if not fields:
        return None
    return Python(name, fields[5], (int(fields[1]), int(fields[2])), fields[3] == "1", fields[4])


def start_seconds(name: str) -> float:
    """The seconds that the interpreter of this name or path takes to start."""
    begun = time.perf_counter()
    subprocess.run(["sh", "-c", f"{shlex.quote(name)} -IS -c pass"], timeout=INTERPRETER_MAX_SECONDS, check=False)
    return time.perf_counter() - begun


def python_findings(python: Python, folder: str) -> Iterator[Finding]:
    """What the interpreter lacks; whether it can keep the bytecode of the scripts in this folder; what starts it."""
    yield Finding("ok", "SQLite has FTS5") if python.fts5 else Finding(
        "note", f"the SQLite of {python.path} has no FTS5, which the archive needs: nothing is put into it or found",
        "Where you use recall, put a Python whose SQLite has FTS5 first in PATH.")
    if folder:
        cache = os.path.join(folder, "__pycache__")
        is_kept = os.path.exists(os.path.join(cache, f"save_snapshot.{python.cache_tag}.pyc"))
        yield Finding("ok", "bytecode of the scripts is kept") if is_kept else Finding(
            "note", f"Python keeps no bytecode in {cache}: each start compiles anew, 10 to 60 ms",
            f"Make the folder writable: chmod u+w {shlex.quote(folder)}")
    first = shutil.which(python.name)
    if first not in (None, python.path):
        whole, itself = (min(start_seconds(name) for _ in range(3)) for name in (python.name, python.path))
        if whole - itself > STAND_IN_SECONDS:
            yield Finding("note", f"{first} takes {(whole - itself) * 1000:.0f} ms each time to find {python.path}",
                          f"Put {os.path.dirname(python.path)} before it in PATH.")


# ==================================================================================================
# setup/played_session.py: A made-up session that is compacted, played through the very commands that the client would run.
# ==================================================================================================

SESSION = "doctor"
HOOK_MAX_SECONDS = 20
SLOW_SHARE = 0.25  # of a hook's timeout: from here on it is worth knowing
RULE, REQUEST = "Never rename the quay_ledger table.", "Add the zone surcharge to quote.py."
CHECK, FAILED = "pytest tests/test_quote.py", "Exit code 1\nE AssertionError: 4649 != 4650"
EDIT_SHOWN = r"Edited \S{0,300}quote\.py"  # a line of what comes back
UNTRUE = "The user works on quote.py. All tests pass."
AT_FIRST_PROMPT = " at the first prompt after a compaction"  # the slowest: what was put back is looked for
SWITCHES = ("COMPACT_KEEPER_OFF", "COMPACT_KEEPER_DEBUG")  # of the person's own environment


class Play(NamedTuple):
    """One played session: what was printed last at each event, what went wrong, each hook's seconds, events noted."""

    printed: dict[str, str]
    faults: dict[str, list[str]]  # by what was said: the events at which
    seconds: dict[Hook, float]
    events: list[JsonObject]


def scene(folder: str) -> list[tuple[str, JsonObject]]:
    """The events of a session that is compacted, in their order, each with what the client tells of it."""
    path = os.path.join(folder, "quote.py")
    edit = {"tool_name": "Edit", "tool_use_id": "toolu_1", "tool_input": {"file_path": path}, "tool_response": {}}
    run = {"tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": {"command": CHECK}, "error": FAILED}
    return [
        ("UserPromptSubmit", {"prompt": f"{RULE} {REQUEST}"}), ("PostToolUse", edit),
        ("PostToolUseFailure", run), ("SubagentStart", {"agent_id": "a1"}), ("SubagentStop", {"agent_id": "a1"}),
        ("Stop", {}), ("PreCompact", {"trigger": "manual", "custom_instructions": None}),
        ("SessionStart", {"source": "compact"}), ("PostCompact", {"trigger": "manual", "compact_summary": UNTRUE}),
        ("UserPromptSubmit", {"prompt": "Go on."}), ("SessionEnd", {"reason": "other"})]


def transcript() -> str:
    """The session's transcript: what was typed, and the call that failed; the edit stands in no transcript."""
    call = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": CHECK}}
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True, "content": FAILED}
    messages = [("user", f"{RULE} {REQUEST}"), ("assistant", [call]), ("user", [result])]
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return "".join(json.dumps({"type": role, "message": {"role": role, "content": content}, "timestamp": moment,
                               "uuid": f"c0ffee00-0000-4000-8000-{number:012}"}, separators=(",", ":")) + "\n"
                   for number, (role, content) in enumerate(messages))


def play(hooks: Sequence[Hook], root: str, project: str) -> Play:
    """Plays the session in folders of its own; the project's copied scripts are linked to."""
    played = Play({}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(os.path.realpath(scratch), "parcel-rates")
        os.makedirs(os.path.join(folder, ".claude"))
        os.symlink(os.path.join(project, ".claude", "hooks"), os.path.join(folder, ".claude", "hooks"))
        data, path = os.path.join(scratch, "data"), os.path.join(scratch, "transcript.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(transcript())
        environment = {**environment_with(data, folder), "CLAUDE_PLUGIN_ROOT": root, "CLAUDE_CODE_SESSION_ID": SESSION,
                       "COMPACT_KEEPER_WAIT": "1"}
        for event, fields in scene(folder):
            given = {"session_id": SESSION, "transcript_path": path, "cwd": folder, "hook_event_name": event, **fields}
            played.printed[event] = ""
            for hook in (hook for hook in hooks if hook.event == event):
                play_hook(hook, json.dumps(given), environment, played)
        played.events.extend(record for line in file_text(os.path.join(data, EVENTS_FILE)).splitlines()
                             for record in parse_line(line.encode()))
        for line in file_text(os.path.join(data, HOOK_LOG)).splitlines():
            played.faults.setdefault(line.partition(" ")[2], []).append("hook.log")
    return played


def environment_with(data: str, project: str) -> dict[str, str]:
    """What the client gives to what it runs in a project, with a data folder of its own."""
    return {**{name: value for name, value in os.environ.items() if name not in SWITCHES},
            "COMPACT_KEEPER_HOME": data, "COMPACT_KEEPER_ARCHIVE": "off", "CLAUDE_PROJECT_DIR": project}


def play_hook(hook: Hook, given: str, environment: dict[str, str], played: Play) -> None:
    """Runs a hook as the client does, and takes down what came of it."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(["sh", "-c", hook.command], input=given.encode(), env=environment, capture_output=True,
                              cwd=environment["CLAUDE_PROJECT_DIR"], timeout=HOOK_MAX_SECONDS)
    except subprocess.TimeoutExpired:
        played.faults.setdefault(f"no end within {HOOK_MAX_SECONDS} seconds", []).append(hook.event)
        return
    played.seconds[hook] = time.perf_counter() - begun
    played.printed[hook.event] += done.stdout.decode("utf-8", "replace")
    if done.returncode or done.stderr:
        complaint = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        played.faults.setdefault(complaint.splitlines()[-1], []).append(hook.event)


def loop_findings(played: Play, has_audit: bool) -> Iterator[Finding]:
    """Whether each part did on the made-up session what it is for; what went wrong on the way.

    The summary is compared only where `has_audit` says that a hook starts audit_summary.py.
    """
    restored, note = played.printed["SessionStart"], played.printed["UserPromptSubmit"]
    saves = [event for event in played.events if event.get("event") == "save" and event.get("on") == "PreCompact"]
    audits = [event.get("left_out") for event in played.events if event.get("event") == "audit"]
    steps = (  # what is said where it worked, where it did not; whether it did
        ("recorded: an edit that is in no transcript yet came back",
         "not recorded: an edit that is in no transcript yet did not come back", bool(re.search(EDIT_SHOWN, restored))),
        ("saved before the compaction", "not saved before the compaction", bool(saves)),
        ("put back: the typed rule stands in what the model is given",
         "not put back: the typed rule is missing in what the model is given", RULE in restored),
        ("compared: it is found that the summary left out the rule",
         "not compared: it is not found that the summary left out the rule", bool(audits and audits[0])),
        ("noted: the model is told where the made-up summary is wrong",
         "not noted: the model is not told where the made-up summary is wrong", CHECK in note))
    due = steps if has_audit else steps[:3]
    faults = "; ".join(f"{quote(complaint, 200)} (at {', '.join(dict.fromkeys(events))})"
                       for complaint, events in played.faults.items())
    to_do = f"Why: {faults}" if faults else "No hook complained; report it with the lines above."
    for done, missed, worked in due:
        yield Finding("ok", done) if worked else Finding("fix", missed, to_do)
        if not worked:
            to_do = "See above."
    if not has_audit:
        yield Finding("note", "not installed: audit_summary.py, which compares a summary with the record",
                      "Nothing, or copy it too; the lines at its top (--help) say what to put into settings.json.")
    if faults and all(worked for *_, worked in due):
        yield Finding("note", f"complaints on the way: {faults}", "It works all the same.")


def time_findings(hooks: Sequence[Hook], plays: Sequence[Play], start: float) -> Iterator[Finding]:
    """Which hooks are slow, and the longest that Claude waits for one; `start`: the seconds that Python needs to start.

    A hook's time is the median of all plays.
    """
    middles: dict[Hook, float] = {}
    for hook in hooks:
        measured = [played.seconds[hook] for played in plays if hook in played.seconds]
        if hook.name() and measured:
            middles[hook] = statistics.median(measured)
    alone = f"the start of Python alone takes {start * 1000:.0f} ms"
    for hook, seconds in middles.items():
        if seconds > SLOW_SHARE * hook.timeout:
            yield Finding("note", f"{hook.event}, {hook.name()}: {seconds * 1000:.0f} ms ({alone})",
                          "Look for what slows new processes down.")
    waited_for = [hook for hook in middles if not hook.is_beside]
    if waited_for:
        slowest = max(waited_for, key=lambda hook: middles[hook])
        when = AT_FIRST_PROMPT if slowest.event == "UserPromptSubmit" else ""
        yield Finding("ok", f"Claude waits for compact-keeper at most {middles[slowest] * 1000:.0f} ms{when} in this "
                            f"try ({slowest.event}, {slowest.name()}; {alone})")


# ==================================================================================================
# setup/status_line_text.py: compact-keeper's status line in the text of a settings.json, around the command that was there.
# ==================================================================================================

# The shell replaces itself with Python (exec), which so gets the signal by which the client ends a run. Where the
# plugin is gone, the person's own command runs; `python3 ""` would run the project's __main__.py.
RUN = 'f={run_hook}; [ -f "$f" ] && exec python3 -IS "$f" status_line.py'
WRAPPED = "set -- {theirs}; {run} --wrap \"$1\"; exec sh -c \"$1\""
# In a project's settings the line may be anybody's who gets the repository, and takes the place of that person's own:
# which is drawn first, and alone where this person has no such run_hook.py.
USERS_ALONE = """import json,os
from os.path import expanduser as e
d=os.environ.get("CLAUDE_CONFIG_DIR") or e("~/.claude")
c=json.load(open(d+"/settings.json"))["statusLine"]["command"]
os.execl("/bin/sh","sh","-c",c)""".replace("\n", "; ")
OWN_FIRST = ('{run} --wrap-own; [ "$COMPACT_KEEPER_WITHIN" ] && exit; export COMPACT_KEEPER_WITHIN=1; '
             f"exec python3 -ISc '{USERS_ALONE}' 2>/dev/null")
# The same as it stands between JSON's quotes; then as it was once told to be written by hand.
SHELL_QUOTE = r"(?:'|\\u0027)"
SHELL_WORD = (rf"{SHELL_QUOTE}"  # a word of the shell: 'it'\''s'
              rf"((?:[^'\\]|\\(?!u0027).|{SHELL_QUOTE}\\\\{SHELL_QUOTE}{SHELL_QUOTE})*)"
              rf"{SHELL_QUOTE}")
OUR_LINE = re.compile(rf"(?:set -- {SHELL_WORD}; )?f=.*run_hook\.py\b.* status_line\.py"
                      r"(?(1) --wrap .*|(?: --wrap-own; .*)?)\Z|"
                      rf"python3? -IS .*run_hook\.py\S* status_line\.py(?: --wrap {SHELL_WORD}| --wrap-own)?\Z")
LIKE_OURS = re.compile(r"run_hook\.py\S* status_line\.py|compact-keeper/\S*status_line\.py")


def add_status_line(text: str, run_hook: str, is_project: bool = False) -> str:
    """The text whose status line starts this run_hook.py (a word of the shell), behind the command that was there.

    In a project's settings that have none, behind the person's own.
    """
    check_text(text)
    top, run = text.index("{"), RUN.format(run_hook=run_hook)
    alone = OWN_FIRST.replace("{run}", run, 1) if is_project else run
    line = member(text, top, "statusLine")
    if not line:
        part = as_text(text, 1, {"type": "command", "command": alone})
        return inserted(text, top, 1, f'"statusLine": {part}')
    command = command_of(text, line)
    raw = text[command.value + 1:command.end - 1]
    ours = OUR_LINE.match(raw)
    if not ours and LIKE_OURS.search(raw):
        refuse("the status line runs compact-keeper's in a way of its own; take that out", text, command.value)
    theirs = wrapped_word(ours) if ours else shell_word(raw)
    escaped = json.dumps(run if theirs else alone, ensure_ascii=False)[1:-1]
    if theirs:
        before, behind = json.dumps(WRAPPED)[1:-1].split("{theirs}; {run}")
        escaped = f"{before}{theirs}; {escaped}{behind}"
    return text[:command.value + 1] + escaped + text[command.end - 1:]


def remove_status_line(text: str) -> str:
    """The text with the status line's command that was there before ours, or without a status line."""
    check_text(text)
    while ours := next(our_lines(text), None):
        line, command, theirs = ours
        if theirs:
            text = text[:command.value + 1] + shell_text(theirs) + text[command.end - 1:]
        else:
            text = without_part(text, line)
    return text


def runs_ours(command: str) -> bool:
    """Whether a status line's command is one that remove_status_line would take out."""
    return bool(OUR_LINE.match(json.dumps(command)[1:-1]))


def our_lines(text: str) -> Iterator[tuple[NestedPart, Part, str]]:
    """Of each status line of ours: itself, its command, and the word of the shell in that which is another's."""
    top = text.index("{")
    for line in (part for part in parts(text, top) if part.key == "statusLine" and text[part.value] == "{"):
        for command in (part for part in parts(text, line.value) if part.key == "command"):
            ours = OUR_LINE.match(text, command.value + 1, command.end - 1)
            if ours:
                yield NestedPart(top, line), command, wrapped_word(ours)


def wrapped_word(ours: re.Match[str]) -> str:
    """The command that a line of ours stands around, as a word of the shell; empty where it stands alone."""
    return f"'{ours[ours.lastindex]}'" if ours.lastindex else ""


def command_of(text: str, line: Part) -> Part:
    """The status line's command; refused when it is of another kind."""
    require(text, line.value, "{", '"statusLine"')
    kind, command = member(text, line.value, "type"), member(text, line.value, "command")
    if not kind or json.loads(text[kind.value:kind.end]) != "command" or not command or text[command.value] != '"':
        refuse('"statusLine" is not of type "command", with the command as a text', text, line.start)
    return command


def shell_word(raw: str) -> str:
    """What stands between JSON's quotes as a word of the shell, itself between JSON's quotes."""
    quotes = re.compile(rf"({SHELL_QUOTE})|\\.")
    return "'" + quotes.sub(lambda match: rf"'\\{match[1]}'" if match[1] else match[0], raw) + "'"


def shell_text(word: str) -> str:
    """What shell_word was given, from what it returned."""
    quotes = re.compile(rf"{SHELL_QUOTE}\\\\({SHELL_QUOTE}){SHELL_QUOTE}|\\.")
    return quotes.sub(lambda match: match[1] or match[0], word[1:-1])


# ==================================================================================================
# setup/status_line_setting.py: The status line that a session in a folder has: whose it is, whether it is as install.py would set it.
# ==================================================================================================

class StatusLine(NamedTuple):
    """The status line that a session in a folder has: where it is set, and for whom; its command, empty for none."""

    path: str
    target: Target
    command: str
    is_ours: bool


def status_line_of(project: str) -> StatusLine:
    """That of the settings file that counts most; where none is set, one beside which compact-keeper is installed."""
    paths = settings_files(project)
    path = next((path for path in reversed(paths) if "statusLine" in read_json(path)), "")
    path = path or next((path for path in paths if has_copies(path, project)), paths[0])
    line = read_json(path).get("statusLine")
    command = str(line.get("command") if isinstance(line, dict) else line or "")
    return StatusLine(path, target_at(path, project), command, runs_ours(command))


def is_of_uninstalled_plugin(command: str) -> bool:
    """Whether a status line runs the client's copy of the plugin, which the client lists no more (plugin_list.py)."""
    return own_plugins() == {} and "/plugins/cache/" in command


def has_copies(settings_path: str, project: str) -> bool:
    """Whether compact-keeper is copied beside this settings file; to the user's belongs the plugin, too."""
    target = target_at(settings_path, project)
    is_copied = os.path.isfile(target.path(f"{OUR_FOLDER}/run_hook.py"))
    return is_copied or (not target.project and any(True for _ in plugins(project, {})))


def run_hook_word(target: Target, project: str) -> str:
    """The run_hook.py that a status line set here starts, as a word of the shell.

    That of the copies here; or of the client's copy of the plugin, whichever copy the hooks are run from: there a line
    can tell that the plugin was uninstalled. Of its version that came last, looked for at every start, as the path
    holds the version; or the one beside this file. (By the script's time, not the folder's: an update writes a mark
    into the folder of the version before, which makes it the newest; measured with 2.1.76 and 2.1.329.)
    """
    if os.path.isfile(target.path(f"{OUR_FOLDER}/run_hook.py")):
        return target.in_command("run_hook.py")
    for plugin in plugins(project, {}):
        return f'"$(ls -t {below_home(os.path.dirname(plugin.cached))}/*/scripts/run_hook.py | head -n 1)"'
    return shlex.quote(os.path.join(INSTALLED_FROM, "run_hook.py").replace(os.sep, "/"))


def below_home(path: str) -> str:
    """The path as a word of the shell, from ~ on where it lies in the home folder."""
    home = os.path.join(os.path.expanduser("~"), "")
    word = shlex.quote(path.removeprefix(home).replace(os.sep, "/"))
    return f"~/{word}" if path.startswith(home) else word


def status_line_words(project: str) -> tuple[str, str]:
    """What the status line is, and what to do where it should be another; no more where it is as it should be."""
    line = status_line_of(project)
    is_here = not line.target.project or line.target.path(OUR_FOLDER) == INSTALLED_FROM
    is_typed = is_run_in_session() and is_here
    to_do = f"`{typed_command('status-line') if is_typed else line.target.to_run('status-line')}`"
    if not line.command:
        return "none is set", f"{to_do} sets it"
    if not line.is_ours and os.path.basename(line.path) == LOCAL_FILE:
        return f"another is set in {line.path}", "the client draws that in place of any that install.py sets"
    if not line.is_ours:
        adds = "adds compact-keeper's behind it" + (", in the project's settings" if line.target.project else "")
        return f"another is set in {line.path}", f"{to_do} {adds}"
    if is_of_uninstalled_plugin(line.command):
        return (f"set in {line.path}, left over from the plugin, which is uninstalled; it takes itself out when the "
                "client draws it next", f"`{line.target.to_run('status-line')} --remove` takes it out at once")
    return f"set in {line.path}", "" if is_up_to_date(line, project) else f"{to_do} brings it up to date"


def is_up_to_date(line: StatusLine, project: str) -> bool:
    """Whether the status line is as install.py would set it."""
    text = settings_text(line.path) or ""
    try:
        return add_status_line(text, run_hook_word(line.target, project), bool(line.target.project)) == text
    except Refusal:  # it is of a form that the command itself complains of
        return False


# ==================================================================================================
# setup/doctor.py: Everything that compact-keeper does, tried on a made-up session, and what to do about each thing found.
# ==================================================================================================

PLAYS = 5  # times that the session is played to measure
PLAYS_MAX_SECONDS = 1.0  # after which no further one begins
REDRAW_SECONDS = 0.3  # after which the client may draw the status line again
STATUS_LINE_MAX_SECONDS = 20
OPEN_TASKS = 321  # that the made-up session has for the status line
NOT_INSTALLED = "Not installed for this folder, so nothing is kept here; the scripts that were tried work"
TRIED = "Tried on a made-up session:"
WITHOUT_GATE = "does not heed the gate"
QUIRKS = (  # clients up to this version; the level; what is known; what to do (measured, see docs/decisions.md)
    ("2.1.75", "fix", "switches all hooks off that stand beside one for an event it does not know", "claude update"),
    ("2.1.76", "note", WITHOUT_GATE, "claude update, or set gate to \"off\""),
    ("2.1.105", "note", "loses what was put back when another process resumes after /compact",
     "nothing: it is put back again at the next prompt"),
    ("2.1.328", "ok", "does not say which subagent was compacted; its transcript tells", ""),
)


def run_doctor(project: str | None, as_json: bool) -> int:
    """Prints the findings, of a project's own hooks too where one is named: 0 when there is nothing to fix, else 1."""
    findings: list[Finding] = []
    for finding in examine(os.path.abspath(project or "."), project is not None):
        if not as_json:
            is_first_tried = finding.on_made_up_session and not (findings and findings[-1].on_made_up_session)
            print(f"{TRIED}\n" * is_first_tried + in_rows(finding), flush=True)
        findings.append(finding)
    wrong, notes = (sum(finding.level == level for finding in findings) for level in ("fix", "note"))
    if as_json:
        print(json.dumps({"schema": SCHEMA, "findings": [finding._asdict() for finding in findings]}))
    else:
        is_there = any(copy.active and copy.hooks for copy in copies(os.path.abspath(project or ".")))
        sound = "Nothing to fix" + (f"; {count_shown(notes, 'note')} above" if notes else "")
        print(f"\n{wrong} to fix" if wrong else f"\n{sound}" if is_there else f"\n{NOT_INSTALLED}")
    return int(wrong > 0)


def in_rows(finding: Finding) -> str:
    """The finding, and below it what to do; a step further in where it stands below the head of what was tried."""
    step = "  " * finding.on_made_up_session
    return f"\n      {step}".join([f"{step}{finding.level:<5} {finding.what}", *finding.to_do.splitlines()])


def examine(project: str, is_trusted: bool) -> Iterator[Finding]:
    """All findings of a session in this folder; what the project's own files start is tried where it is trusted."""
    installed = copies(project)
    yield from copy_findings(installed)
    serving = [copy for copy in installed if copy.active and copy.hooks]
    strange = [] if is_trusted else [copy for copy in serving if copy.project]
    if strange:
        yield Finding("note", f"{strange[0].how}: not tried, its hooks are the project's own",
                      how_to_try(strange[0].project))
    if is_trusted and not any(copy.project for copy in serving):
        yield Finding("ok", f"the project {project} brings no hooks of its own")
    trusted = next((copy for copy in serving if copy not in strange), None)
    # A project's copy of this script has none beside it, the plugin and a clone have.
    if trusted or not strange or hooks_in(os.path.join(PLUGIN_FOLDER, "hooks", "hooks.json")):
        yield from tried(trusted, project)
    if all(copy.active for copy in installed if copy.cached):  # while the plugin is switched off, its line is empty
        yield from status_line_findings(project, is_trusted)
    yield from home_findings()
    yield from settings_findings(project)
    yield from client_findings(project)


def how_to_try(project: str) -> str:
    """What a person types to have the project's own files tried."""
    target = Target(os.path.join(project, ".claude"), project)
    return (f"Where you trust the project's files: {target.to_run('doctor')}\n"
            f"or typed in a session there: {typed_command('doctor')} project")


def copy_findings(installed: Sequence[Copy]) -> Iterator[Finding]:
    """What is installed for the project, and what of it stands in the way."""
    for copy in installed:
        what = f"{copy.how}, {shown_version(copy)}: {copy.path}"
        if copy.active:
            yield Finding("ok", what)
        else:
            yield Finding("fix", f"{what}: it is switched off", copy.to_remove.replace(" uninstall ", " enable "))
        if copy.active and not copy.hooks:
            yield Finding("fix", f"{copy.path}: it has no hooks", "Install it again.")
    if not installed:
        yield Finding("note", "not installed for this folder; tried are the scripts beside this one",
                      f"python3 {shlex.quote(INSTALL_SCRIPT)} install, or the plugin: claude plugin marketplace add "
                      f"{shlex.quote(PLUGIN_FOLDER)} && claude plugin install compact-keeper@compact-keeper\n"
                      "A session that `claude --plugin-dir` has started has it all the same: type "
                      f"{typed_command('doctor')} there.")
    for path in missing_marketplaces():
        yield Finding("fix", f"the client does not load the plugin: {quote(path, 300)}, its marketplace, is gone",
                      "claude plugin marketplace add FOLDER, with the folder where the clone is now")
    lines = copies_warnings(installed)
    if lines:
        yield Finding("fix", lines[0], "\n".join(lines[1:]))
    for what, to_do in (*differing_copies(installed), *outdated(installed)):
        yield Finding("note", what, to_do)


def tried(copy: Copy | None, project: str) -> Iterator[Finding]:
    """What came of it to run the hooks of an installation; without one those of the plugin around this file."""
    root = copy.path if copy else PLUGIN_FOLDER
    hooks = copy.hooks if copy else hooks_in(os.path.join(root, "hooks", "hooks.json"))
    scripts = copy.scripts if copy else scripts_in(os.path.join(root, "scripts"))
    if not hooks:
        yield Finding("fix", "there are no hooks that could be tried", "Install it: README, Install.")
        return
    python, findings = python_of(hooks)
    yield from findings
    plays, begun = [play(hooks, root, project)], time.monotonic()
    has_audit = any(hook.name() == "audit_summary" for hook in hooks)
    for finding in loop_findings(plays[0], has_audit or not copy or copy.version != UNKNOWN_VERSION):
        yield finding._replace(on_made_up_session=True)
    if python:
        starts = [start_seconds(python.name)]
        while len(plays) < PLAYS and time.monotonic() - begun < PLAYS_MAX_SECONDS:  # in turns: both meet the same load
            plays.append(play(hooks, root, project))
            starts.append(start_seconds(python.name))
        yield from time_findings(hooks, plays, statistics.median(starts))
        runners = [os.path.dirname(script) for script in scripts if os.path.basename(script) == "run_hook.py"]
        yield from python_findings(python, "".join(runners[:1]))


def status_line_findings(project: str, is_trusted: bool) -> Iterator[Finding]:
    """Whether the status line is compact-keeper's; then what comes of it to run it once as the client does."""
    what, to_do = status_line_words(project)
    line = status_line_of(project)
    if not line.is_ours:
        yield Finding("ok", f"status line: {what}; {to_do}")
        return
    if line.target.project and not is_trusted:
        yield Finding("note", f"status line: {what}; not tried, it is the project's own",
                      how_to_try(line.target.project))
        return
    if is_of_uninstalled_plugin(line.command):  # drawn, it would take itself out
        yield Finding("note", f"status line: {what}", f"Nothing; {to_do}")
        return
    if to_do:
        yield Finding("note", f"status line: {what}, but not as it would be set now", to_do)
    hook = Hook("StatusLine", line.command, STATUS_LINE_MAX_SECONDS)
    played = status_line_drawn(hook, project)
    drawn = played.printed[hook.event]
    if f"{OPEN_TASKS} open tasks" not in drawn:
        why = next(iter(played.faults), f"it printed {quote(drawn, 200) or 'nothing'}")
        yield Finding("fix", f"status line: {what}, but it does not draw compact-keeper's: {quote(why, 200)}",
                      f"{line.target.to_run('status-line')}\nor, to be without it, the same with --remove")
        return
    drawn_in = f"status line: {what}, {played.seconds[hook] * 1000:.0f} ms"
    if played.seconds[hook] > REDRAW_SECONDS:
        yield Finding("note", drawn_in, "What it wraps, or the start of a process, takes its time; the client ends a "
                      "run to begin the next.")
    else:
        yield Finding("ok", drawn_in)


def status_line_drawn(hook: Hook, project: str) -> Play:
    """What came of it to run the status line's command as the client does, for a session with OPEN_TASKS."""
    played = Play({hook.event: ""}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(scratch, "sessions", "doctor")
        os.makedirs(folder)
        with open(os.path.join(folder, STATUS_FILE), "w", encoding="utf-8") as file:
            json.dump({"schema": SCHEMA, "time": time.time(), "tasks": OPEN_TASKS}, file)
        given = {"session_id": "doctor", "cwd": project, "workspace": {"current_dir": project, "project_dir": project}}
        play_hook(hook, json.dumps(given), environment_with(scratch, project), played)
    return played


def client_findings(project: str) -> Iterator[Finding]:
    """The client's version, and what is known of it that matters with the settings in force."""
    version = client_on_path()
    if not version:
        yield Finding("note", "the client's version is not known: `claude --version` did not tell it",
                      "So what is known of that version cannot be told.")
        return
    shown = ".".join(map(str, version))
    yield Finding("ok", f"client {shown}")
    has_gate = settings_of(project, lambda *_: None)["gate"] == "hold"
    for last, level, what, to_do in QUIRKS:
        if version <= tuple(map(int, last.split("."))) and (has_gate or what != WITHOUT_GATE):
            yield Finding(level, f"client {shown} {what}", to_do)


# ==================================================================================================
# setup/edit_settings.py: compact-keeper's hooks in the text of a settings.json; no other byte changes, and what came goes without a trace.
# ==================================================================================================

def with_hooks(text: str, hooks: Hooks) -> str:
    """The text with these hooks and no others of ours; the same text when they are there as they should be."""
    check_text(text)
    if hook_entries(ours_in(text)) == hook_entries(hooks):
        return text
    text = without_hooks(text)
    for event, groups in hooks.items():
        for group in groups:
            text = with_group(text, event, group)
    return text


def without_ours(text: str) -> str:
    """The text without anything of ours."""
    return remove_status_line(without_hooks(text))


def without_hooks(text: str) -> str:
    """The text without our hooks, and without the lists and the object that were made for them."""
    check_text(text)
    while nested := next(our_parts(text), None):
        text = without_hook(text, nested)
    return text


def ours_in(text: str) -> Hooks:
    """Our hooks in the text, each in a group of its own; for text that was checked."""
    hooks: dict[str, list[JsonObject]] = {}
    for _, event, group, entry in our_parts(text):
        whole_group = json.loads(text[group.part.value:group.part.end])
        hook = json.loads(text[entry.part.value:entry.part.end])
        hooks.setdefault(event.part.key, []).append({**whole_group, "hooks": [hook]})
    return hooks


def hook_entries(hooks: Hooks) -> dict[str, list[JsonObject]]:
    """The same hooks by event, each in a group of its own."""
    return {event: [{**group, "hooks": [entry]} for group in groups for entry in group["hooks"]]
            for event, groups in hooks.items()}


def our_parts(text: str) -> Iterator[tuple[NestedPart, NestedPart, NestedPart, NestedPart]]:
    """Of each hook of ours: the parts of "hooks", of the event, of the group and of the hook itself."""
    top = text.index("{")
    hooks = member(text, top, "hooks")
    for event in parts(text, hooks.value) if hooks else ():
        for group in parts(text, event.value):
            entries = member(text, group.value, "hooks") if text[group.value] == "{" else None
            for entry in parts(text, entries.value) if entries and text[entries.value] == "[" else ():
                if hooks and entries and is_ours(json.loads(text[entry.value:entry.end])):
                    yield (NestedPart(top, hooks), NestedPart(hooks.value, event), NestedPart(event.value, group),
                           NestedPart(entries.value, entry))


def is_ours(entry: object) -> bool:
    """Whether this hook runs something of the folder that install.py makes."""
    return isinstance(entry, dict) and f"{OUR_FOLDER}/" in str(entry.get("command"))


def with_group(text: str, event: str, group: JsonObject) -> str:
    """The text with a group at the end of the event's list; the list, and the object around it, made where missing."""
    top = text.index("{")
    hooks = member(text, top, "hooks")
    if not hooks:
        return inserted(text, top, 1, f'"hooks": {as_text(text, 1, {event: [group]})}')
    groups = member(text, hooks.value, event)
    if not groups:
        return inserted(text, hooks.value, 2, f'"{event}": {as_text(text, 2, [group])}')
    return inserted(text, groups.value, 3, as_text(text, 3, group))


def without_hook(text: str, nested: tuple[NestedPart, NestedPart, NestedPart, NestedPart]) -> str:
    """The text without this hook; without its group, list and object too where nothing else stands in them."""
    hooks, event, group, unneeded = nested
    if alone(text, unneeded):
        unneeded = group
        if alone(text, group) and on_own_line(text, group):
            unneeded = event
            if alone(text, event) and on_own_line(text, event):
                unneeded = hooks
    return without_part(text, unneeded)


# ==================================================================================================
# setup/file_steps.py: Changes to files as steps, which are done or told: each file is replaced in one step, none through a strange link.
# ==================================================================================================

DRAFT = ".compact-keeper.tmp"  # how the name of a file ends that is not whole yet


class Step(NamedTuple):
    """A file that gets this content, or goes where there is none."""

    path: str
    content: bytes | None
    is_own: bool = False  # the person's own file, of which a dry run shows the difference
    is_data: bool = False  # it lies among the person's data, for the owner alone


def perform(steps: Iterable[Step], dry_run: bool, project: str) -> int:
    """How many files were changed, or would be: those that are not so already; of a project, where one is named."""
    due = [step for step in steps if os.path.lexists(step.path) or step.content is not None]
    due = [step for step in due if step.content is None or read_bytes(step.path) != step.content]
    outside = [step.path for step in due if project and not step.is_data and not leads_into(project, step.path)]
    if outside:
        raise Refusal(f"{outside[0]} is not in {project}: a link there leads out of it\n"
                      "Nothing was changed. Replace that link, then run this again.")
    for step in {step.path: step for step in due}.values() if dry_run else due:
        if dry_run:
            show(step)
        elif step.content is not None and step.is_data:
            private_folder(SETTINGS_FOLDER)
            replace_file(step.path, step.content)
        elif step.content is not None:
            write(step.path, step.content)
        elif os.path.lexists(step.path):  # a draft that a killed process left may be gone with what was written since
            os.unlink(step.path)
    return len(due)


def leads_into(project: str, path: str) -> bool:
    """Whether what is written to the path comes to lie in the project: its links may come from anyone."""
    folder, inside = os.path.realpath(os.path.dirname(path)), os.path.join(os.path.realpath(project), "")
    return os.path.join(folder, "").startswith(inside)


def write(path: str, content: bytes) -> None:
    """Replaces the file in one step; the mode stays as it was, and a backup has that of what it keeps."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    kept = path.removesuffix(BACKUP)
    mode = stat.S_IMODE(os.stat(kept).st_mode) if os.path.exists(kept) else None
    draft = path + DRAFT
    if os.path.lexists(draft):  # of a process that was killed
        os.unlink(draft)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666), "wb") as file:
            file.write(content)
        if mode is not None:
            os.chmod(draft, mode)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


def show(step: Step) -> None:
    """Prints what a step would do."""
    print(f"would {'remove' if step.content is None else 'write'} {step.path}")
    if step.is_own:
        old, new = ((content or b"").decode("utf-8", "replace").split("\n")
                    for content in (read_bytes(step.path), step.content))
        for line in difflib.unified_diff(old, new, "before", "after", lineterm=""):
            print(f"    {line}")


def as_json(data: JsonObject) -> bytes:
    """The object as a file's content."""
    return (json.dumps(data, indent=1) + "\n").encode()


# ==================================================================================================
# setup/instructions.py: The section in a project's CLAUDE.md that says what a summary should keep, between two marks.
# ==================================================================================================

BEGIN, END = b"<!-- compact-keeper:begin -->", b"<!-- compact-keeper:end -->"
INSTRUCTIONS = """\
## Compact Instructions

A summary of the conversation keeps word for word, in quotes, the user's standing rules, corrections and newest request.
It spends its room on reasons, decisions, rejected alternatives, what was learned and what is half done. It calls done
only what was seen to work, the rest claimed, and is written in the language that the user writes in.
"""


def section_in(text: bytes) -> tuple[int, int] | None:
    """Where the marked section begins and ends; None when there is none, refused when the marks are no pair."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 and end < 0:
        return None
    if not 0 <= begin < end or text.count(BEGIN) > 1 or text.count(END) > 1:
        line = text.count(b"\n", 0, max(begin, end)) + 1
        raise Refusal(f"the marks {BEGIN.decode()} and {END.decode()} do not stand there once each, in this order (see "
                      f"line {line}); mend that, then run this again")
    return begin, end + len(END)


def with_section(text: bytes | None) -> bytes:
    """The file with the section as it is now, where it stands or at the end.

    It ends in a line break where the file did (None: there was no file), by which its removal tells the two apart.
    """
    newline = b"\r\n" if b"\r\n" in (text or b"") else b"\n"
    section = newline.join([BEGIN, *INSTRUCTIONS.encode().splitlines(), END])
    if text is None:
        return section + newline
    span = section_in(text)
    if span:
        return text[:span[0]] + section + text[span[1]:]
    if text.endswith(b"\n"):
        return text + newline + section + newline
    return text + (2 * newline if text else b"") + section


def without_section(text: bytes | None) -> bytes | None:
    """The file as it was before it had the section; None where that is no file."""
    span = section_in(text or b"")
    if text is None or not span:
        return text
    before, after = text[:span[0]], text[span[1]:]
    newline = b"\r\n" if b"\r\n" in text[span[0]:span[1]] else b"\n"
    ended = after.startswith(newline)
    before = before.removesuffix(newline) if ended else before.removesuffix(2 * newline)
    return before + after[len(newline):] if before or after != newline else None


# ==================================================================================================
# setup/leftovers.py: What the client leaves of the plugin when it uninstalls it: its copy, a folder for data, the marketplace.
# ==================================================================================================

def left_folders() -> Iterator[str]:
    """The folders that the client made for the plugin from marketplaces it is installed from no more.

    That of sessions which --plugin-dir has started in any case: of them the client lists nothing.
    """
    listed = own_plugins()
    if listed is None:
        inline = target_of(None).path(f"plugins/data/{PLUGIN}-inline")
        yield from (path for path in [inline] if os.path.isdir(path) and not os.path.islink(path))
        return
    markets = [name.partition("@")[2] for name in listed]
    cache, data = target_of(None).path("plugins/cache"), target_of(None).path("plugins/data")
    copies = (os.path.join(cache, market, PLUGIN) for market in names_in(cache) if market not in markets)
    own = (os.path.join(data, name) for name in names_in(data)
           if name.startswith(f"{PLUGIN}-") and name.removeprefix(f"{PLUGIN}-") not in markets)
    yield from (path for path in (*copies, *own) if os.path.isdir(path) and not os.path.islink(path))


def tell_leftovers(is_to_go: bool, dry_run: bool) -> None:
    """Removes what the client left of the plugin where that is wanted, else says what is there and what removes it."""
    for folder in left_folders():
        if not is_to_go:
            print(f"The client left {folder} (--data removes it)")
        elif dry_run:
            print(f"would remove {folder}")
        else:
            shutil.rmtree(folder)
            print(f"What the client left of the plugin is removed: {folder}")
            above = os.path.dirname(folder)  # the marketplace's, or that of all plugins' data
            if not os.listdir(above):
                os.rmdir(above)
    known, listed = read_json(target_of(None).path("plugins/known_marketplaces.json")), own_plugins() or {}
    if PLUGIN in known and f"{PLUGIN}@{PLUGIN}" not in listed:
        print(f"The client still knows the marketplace. To remove it: claude plugin marketplace remove {PLUGIN}")


# ==================================================================================================
# setup/manifest.py: installed.json: what install.py put into a configuration folder, by which it takes exactly that out again.
# ==================================================================================================

OUR_FILE = re.compile(
    rf"{OUR_FOLDER}/(?:[\w-]+\.py|run|waiting|\.gitignore)\Z|skills/compact-keeper-[\w-]+/SKILL\.md\Z")
FOLDERS = ("hooks", "skills", ".")  # that may have to be made, the inner ones first


def read_manifest(target: Target) -> JsonObject:
    """What was installed here; names that are not ours are passed over: the file may be a repository's."""
    manifest = read_store(target.path(MANIFEST_FILE))
    for name in ("files", "replaced"):
        files = manifest.get(name)
        sums = files.items() if isinstance(files, dict) else ()
        manifest[name] = {path: known for path, known in sums if OUR_FILE.match(path)}
    made = manifest["folders"] if isinstance(manifest.get("folders"), list) else []
    return {**manifest, "folders": [name for name in FOLDERS if name in made]}


def length_and_sum(content: bytes | None) -> list[int]:
    """Length and CRC-32, by which a file is known again; empty for none."""
    return [] if content is None else [len(content), zlib.crc32(content)]


def is_as_installed(target: Target, manifest: JsonObject, name: str) -> bool:
    """Whether the file is there as an installation wrote it."""
    there = length_and_sum(read_bytes(target.path(name)))
    return bool(there) and there in (manifest["files"].get(name), manifest["replaced"].get(name))


def whole_files(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that are there as they were written."""
    return [name for name in files_there(target, manifest) if is_as_installed(target, manifest, name)]


def changed_files(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that were changed since."""
    return [name for name in files_there(target, manifest) if not is_as_installed(target, manifest, name)]


def files_there(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that are there."""
    return [name for name in {**manifest["replaced"], **manifest["files"]} if os.path.lexists(target.path(name))]


def bytecode_of(target: Target, names: list[str]) -> list[str]:
    """What Python has kept of the scripts among these files."""
    folder = f"{OUR_FOLDER}/__pycache__"
    return [f"{folder}/{name}" for name in names_in(target.path(folder))
            if name.endswith(".pyc") and f"{OUR_FOLDER}/{name.partition('.')[0]}.py" in names]


# ==================================================================================================
# client/asking.py: A question to the person who has typed a command in a terminal.
# ==================================================================================================

def is_agreed_to(question: str) -> bool:
    """Whether the person answers yes, or y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() in ("y", "yes")


# ==================================================================================================
# setup/our_data.py: What compact-keeper has written into its data folder, and its removal: `install.py uninstall --data`.
# ==================================================================================================

OPEN_SESSIONS = ("A Claude Code session that is still open has the hooks until it is closed, and begins the data anew "
                 "with its next prompt. If one is open, close it, and do this once more.")
OUR_DATA = re.compile(  # what compact-keeper writes into its data folder, and drafts of it
    r"(?:sessions|settings|reports|empty\.git|(?:events|pins)\.jsonl(?:\.1)?|archive\.db(?:-\w+)?|config\.json"
    r"|hook\.log(?:\.1)?|push\.lock)"
    r"(?:\.\d+\.tmp)?\Z")


def our_data() -> list[str]:
    """The names of what compact-keeper has written into its data folder."""
    return [*filter(OUR_DATA.match, names_in(data_home()))]


def what_data_would_go() -> str:
    """What --data removes, a line for the folder and one for the names in it."""
    return (f"--data removes what was remembered of all projects from {data_home()}:\n"
            f"  {', '.join(our_data())}\n")


def may_remove_data() -> bool:
    """Asks before what was remembered goes; False where nobody can be asked. Raises Refusal where the answer is no."""
    if not our_data():
        return True
    if not sys.stdin.isatty():
        return False
    if not is_agreed_to(f"{what_data_would_go()}Remove it? [y/N] "):
        raise Refusal("nothing was changed")
    return True


def remove_data(dry_run: bool) -> None:
    """Removes what compact-keeper writes into its data folder, and the folder where nothing else is in it."""
    home, names = data_home(), our_data()
    paths = [os.path.join(home, name) for name in names]
    if dry_run:
        for path in paths:
            print(f"would remove {path}")
        return
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    if names:
        print(f"What was remembered of all projects is removed from {home}: {', '.join(names)}")
    if not os.path.isdir(home):
        return
    left = names_in(home)
    if left:
        print(f"  kept in {home}, as it is not compact-keeper's: {', '.join(left)}")
    elif os.path.islink(home):
        os.unlink(home)
    else:
        os.rmdir(home)


# ==================================================================================================
# setup/settings_steps.py: The steps by which a settings file gets or loses what is ours, with a copy of it as it was before.
# ==================================================================================================

def settings_steps(target: Target, manifest: JsonObject, edit: Callable[[str], str]) -> Iterator[Step]:
    """The edit of the settings; as they are without anything of ours they lie beside them, as long as they hold it."""
    path = os.path.realpath(target.path(SETTINGS_FILE))
    before = settings_text(path)
    try:
        after = edit("{}\n" if before is None else before)
    except Refusal as why:
        raise Refusal(f"{path}, {why}\nNothing was changed. Mend that, then run this again.") from None
    bare = without_ours(after)
    is_needless = after.strip() == "{}" and (before is None or settings_made(target, manifest))
    backup, is_data = target.settings_before(), bool(target.project)
    if before not in (None, after) and after != bare:
        yield Step(backup, bare.encode(), is_data=is_data)
    yield Step(path, None if is_needless else after.encode(), is_own=True)
    if after == bare:
        yield Step(backup, None, is_data=is_data)


def local_steps(target: Target) -> Iterator[Step]:
    """The removal of a status line of ours that somebody has moved into a project's settings kept out of git.

    What cannot be read as settings draws nothing, and stays.
    """
    path = target.path(LOCAL_FILE)
    text = settings_text(path) if target.project and not fault_in_settings(path) else None
    if text is not None:
        yield Step(os.path.realpath(path), remove_status_line(text).encode(), is_own=True)


def settings_made(target: Target, manifest: JsonObject) -> bool:
    """Whether we made the settings file: as installed.json tells, else where it holds ours, and no backup is there."""
    text = settings_text(target.path(SETTINGS_FILE))
    ours = text is None or (without_ours(text) != text and not os.path.lexists(target.settings_before()))
    return bool(manifest.get("settings made", ours))


# ==================================================================================================
# store/events.py: events.jsonl: one line for each thing that stats, report and status line tell of.
# ==================================================================================================

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
# setup/status.py: What `install.py status` says: what is installed where, what it last did, where the data are.
# ==================================================================================================

NEWEST_EVENTS_BYTES = 1 << 20  # of events.jsonl and of the file before it: there the last save and restore stand


def tell_status(project: str) -> None:
    """Prints what is installed for a session in this folder, what it last did, and where the data are."""
    installed = copies(project)
    print(f"Installed for sessions in {project}:")
    for copy in installed:
        print(f"  {copy.how}, {shown_version(copy)}{'' if copy.active else ', switched off'}: {copy.path}")
    if not installed:
        print("  nothing; `install.py install` copies it for this user, with --project into this project")
    faults = filter(None, map(fault_in_settings, settings_files(project)))
    advice = (f"{what[:1].upper()}{what[1:]}.\n  {to_do}"
              for what, to_do in (*differing_copies(installed), *outdated(installed)))
    for line in (*copies_warnings(installed), *advice, *faults):
        print(line)
    print("Status line: " + "; ".join(filter(None, status_line_words(project))))
    events = {text_of(event, "event"): event for event in newest_events(NEWEST_EVENTS_BYTES)}
    for name, label in (("save", "Last save"), ("restore", "Last put back")):
        event = events.get(name)
        when = f"{age_in_words(time.time() - event['time'])} ago, session {event['session']}" if event else "never"
        print(f"{label}: {when}")
    home = data_home()
    megabytes = size_below(os.path.realpath(home)) / 1e6
    print(f"Data: {home}, {megabytes:.1f} MB" if os.path.isdir(home) else f"Data: none yet in {home}")


# ==================================================================================================
# the script: Install compact-keeper without the plugin system, take it out again, say what is there, try it.
# ==================================================================================================

WHAT_IT_SHOWS = (
    "It shows how near the next compaction is (100 %), when the session was last saved (that is after each turn, "
    "and at 70, 85 and 95 %, where a │ stands), open tasks, and errors that were seen in a summary. In a new session "
    "it begins with the first answer.")


def install(given: argparse.Namespace) -> None:
    """Installs or brings up to date, and says so."""
    target = target_of(given.project)
    manifest = read_manifest(target)
    steps = list(install_steps(target, manifest))
    left = [name for name in changed_files(target, manifest) if target.path(name) not in {step.path for step in steps}]
    warn_of_others(target, os.path.abspath(given.project or "."))
    changed = perform(steps, given.dry_run, target.project)
    if not changed:
        print(f"compact-keeper: {VERSION} is installed for {target.whose()} and up to date")
    elif given.dry_run:
        print("compact-keeper: nothing was changed")
    else:
        tell_installed(target, steps, left)
        for line in copies_warnings(copies(os.path.abspath(given.project or "."))):
            print(line)


def tell_installed(target: Target, steps: Sequence[Step], left: Iterable[str]) -> None:
    """Says what lies where now, what of an earlier installation is left, and how to try everything."""
    folder = target.path(OUR_FOLDER)
    print(f"compact-keeper {VERSION}: installed for {target.whose()}\n  scripts  {folder}\n"
          f"  skills   {target.path('skills')}: {', '.join(skills_of(steps))}\n"
          f"  hooks    {os.path.realpath(target.path(SETTINGS_FILE))}")
    backup = target.settings_before()
    if os.path.exists(backup):
        print(f"  before   {backup}")
    for name in left:
        print(f"  kept, as it was changed since: {target.path(name)}; nothing needs it any more")
    if target.project:
        print("  These files go to everybody who gets the repository, once they are committed.")
    print("Sessions that start from now on have it. To try everything:\n"
          f"  {target.to_run('doctor', os.path.join(folder, 'install.py'))}")


def warn_of_others(target: Target, project: str) -> None:
    """Says, before anything is written, what is at work here already beside the copies that this would put in."""
    for copy in copies(project):
        if copy.active and copy.how != f"copied for {target.whose()}":
            print(f"Installed here already: {copy.how}. With these copies beside it each hook runs twice, and only one "
                  f"puts back. To take that out: {copy.to_remove}")


def install_steps(target: Target, manifest: JsonObject) -> Iterator[Step]:
    """What has to be done: files, then settings, then what is no longer needed goes; the manifest before and after."""
    hooks, files = wanted_hooks(target), wanted_files()
    refuse_strangers(target, manifest, files)
    settings = list(settings_steps(target, manifest, lambda text: with_hooks(text, hooks)))
    folders = [name for name in FOLDERS if not os.path.isdir(target.path(name))]  # that an uninstall removes again
    known = {"schema": SCHEMA, "version": VERSION, "files": {name: length_and_sum(files[name]) for name in files},
             "replaced": {}, "folders": manifest["folders"] or folders,
             "settings made": settings_made(target, manifest)}
    is_new = known != {name: value for name, value in manifest.items() if name != "time"} or "time" not in manifest
    present = {name: length_and_sum(read_bytes(target.path(name))) for name in whole_files(target, manifest)}
    needless = [name for name in present if name not in files]
    if is_new:  # what is written is known when it breaks off
        yield Step(target.path(MANIFEST_FILE), as_json({**known, "replaced": present}))
    yield from (Step(target.path(name), content) for name, content in files.items())
    yield from settings
    yield from (Step(target.path(name), None) for name in (*bytecode_of(target, needless), *needless))
    if is_new:
        yield Step(target.path(MANIFEST_FILE), as_json({**known, "time": time.time()}))


def refuse_strangers(target: Target, manifest: JsonObject, files: dict[str, bytes]) -> None:
    """Refuses to write over a link, or over a file that no installation wrote as it is."""
    folders = {os.path.dirname(name) for name in files}
    links = [name for name in sorted({*folders, *files}) if os.path.islink(target.path(name))]
    there = [name for name in files if name not in links and os.path.lexists(target.path(name))]
    strange = [name for name in there
               if read_bytes(target.path(name)) != files[name] and not is_as_installed(target, manifest, name)]
    if links or strange:
        reasons = [*(f"{target.path(name)} is a link" for name in links),
                   *(f"{target.path(name)} was not installed so, or was changed since" for name in strange)]
        raise Refusal("\n".join([*reasons, "Nothing was changed. Move that away, then run this again."]))


def skills_of(steps: Iterable[Step]) -> list[str]:
    """The names of the skills among the files to be written, as they are typed."""
    folders = (os.path.split(os.path.dirname(step.path)) for step in steps
               if step.path.endswith("SKILL.md") and step.content is not None)
    return sorted(f"/{name}" for _, name in folders)


def uninstall(given: argparse.Namespace) -> None:
    """Takes out what was installed, and says what stays; refused where a project is named and all would lose data.

    Where nobody can be asked whether the data may go, they stay, and all that needs no question is done.
    """
    if given.data and given.project:
        raise Refusal(f"--data removes what was remembered of all projects, in {data_home()}; nothing was changed. "
                      "Do it without --project: install.py uninstall --data")
    target = target_of(given.project)
    manifest = read_manifest(target)
    changed = changed_files(target, manifest)
    steps = list(uninstall_steps(target, manifest))
    parts = installed_parts(target, manifest)
    data_go = given.data and (given.dry_run or given.yes or may_remove_data())
    done = perform(steps, given.dry_run, target.project)
    if not given.dry_run:
        remove_empty(target, manifest)
    if not done:
        print(f"compact-keeper: nothing is installed for {target.whose()}")
        tell_copy_above(target)
    elif not given.dry_run:
        what = ", ".join(parts) or "what an installation that broke off had left"
        print(f"compact-keeper: removed from {target.config}: {what}")
    tell_what_stays(target, changed, given.dry_run)
    if data_go:
        remove_data(given.dry_run)
    elif not given.data and os.path.isdir(data_home()):
        print(f"What was remembered stays in {data_home()} (--data removes it)")
    tell_leftovers(given.data, given.dry_run)
    if data_go and not given.dry_run:
        print(OPEN_SESSIONS)  # at last: what stood behind it passed for something that went wrong
    if given.dry_run:
        print("compact-keeper: nothing was changed")
    else:
        tell_other_copies(given.project or ".")
        tell_line_left(given.project)
    if given.data and not data_go:
        raise Refusal(f"{what_data_would_go()}Nobody can be asked here, so that stayed. To remove it, add --yes")


def tell_copy_above(target: Target) -> None:
    """Names the nearest folder above a project's for which it is installed, where there is one, and what removes it.

    A command without a folder's name takes the current folder, which may lie within the project.
    """
    folder = target.project
    while folder and (above := os.path.dirname(folder)) != folder:
        folder = above
        of_folder = Target(os.path.join(folder, ".claude"), folder)
        if of_folder.config != target_of(None).config and os.path.isfile(of_folder.path(MANIFEST_FILE)):
            print(f"It is installed for {of_folder.whose()}. To remove it: {of_folder.to_run('uninstall')}")
            return


def tell_other_copies(project: str) -> None:
    """Says what is installed for the project still, and what removes it."""
    for copy in copies(os.path.abspath(project)):
        print(f"Still installed: {copy.how}. To remove it: {copy.to_remove}")


def tell_line_left(project: str | None) -> None:
    """Says which status line of ours a session in the project has still, and what takes it out."""
    line = status_line_of(os.path.abspath(project or os.environ.get("CLAUDE_PROJECT_DIR") or "."))
    if line.is_ours:
        print(f"A session here draws the status line of {line.path}. "
              f"To take it out: {line.target.to_run('status-line')} --remove")


def tell_what_stays(target: Target, changed: Iterable[str], dry_run: bool) -> None:
    """Says which installed files stay, as they were changed since; that the settings name our folder, where they do."""
    for name in changed:
        print(f"  kept, as it was changed since: {target.path(name)}")
    path = target.path(SETTINGS_FILE)
    if not dry_run and OUR_FOLDER in (settings_text(path) or ""):
        print(f"  {path} names {OUR_FOLDER} still, not as a hook: take it out by hand")


def installed_parts(target: Target, manifest: JsonObject) -> list[str]:
    """What of ours is there, in words."""
    text = settings_text(target.path(SETTINGS_FILE)) or "{}"
    without_line = remove_status_line(text)
    has_line = without_line != text or any(step.content != read_bytes(step.path) for step in local_steps(target))
    parts = {"scripts and skills": bool([*whole_files(target, manifest)]), "hooks": without_ours(text) != without_line,
             "the status line": has_line}
    return [part for part, is_there in parts.items() if is_there]


def uninstall_steps(target: Target, manifest: JsonObject) -> Iterator[Step]:
    """What has to be done: our hooks go out of the settings, then the files that are as they were installed."""
    yield from settings_steps(target, manifest, without_ours)
    yield from local_steps(target)
    drafts = [name + DRAFT for name in (*manifest["files"], MANIFEST_FILE, SETTINGS_FILE, SETTINGS_FILE + BACKUP)]
    bytecode = bytecode_of(target, [*manifest["files"], *manifest["replaced"]])
    for name in (*whole_files(target, manifest), *drafts, *bytecode, MANIFEST_FILE):
        yield Step(target.path(name), None)


def remove_empty(target: Target, manifest: JsonObject) -> None:
    """Removes the folders that installations made where nothing is left in them."""
    own = [f"skills/{name}" for name in names_in(target.path("skills")) if name.startswith("compact-keeper-")]
    ours = (f"{OUR_FOLDER}/__pycache__", OUR_FOLDER, *own, *manifest["folders"])
    data = (os.path.dirname(target.settings_before()), data_home()) if target.project else ()
    for path in (*map(target.path, ours), *data):
        try:
            os.rmdir(path)
        except OSError:  # something else is in it, or it is gone
            continue


def status_line(given: argparse.Namespace) -> None:
    """Sets the status line, brings it up to date or takes it out, and says so."""
    target = target_of(given.project)
    run_hook = run_hook_word(target, os.path.abspath(given.project or "."))
    edit = remove_status_line if given.remove else (lambda text: add_status_line(text, run_hook, bool(target.project)))
    path = os.path.realpath(target.path(SETTINGS_FILE))
    steps = [*settings_steps(target, read_manifest(target), edit), *(local_steps(target) if given.remove else ())]
    changed = perform(steps, given.dry_run, target.project)
    print(f"compact-keeper: {outcome_of_line(given, target, path, changed)}")
    if given.remove and not given.dry_run:
        tell_line_left(given.project)


def outcome_of_line(given: argparse.Namespace, target: Target, path: str, changed: int) -> str:
    """What became of the status line in the settings file, and how it is taken out again."""
    if given.dry_run and changed:
        return "nothing was changed"
    if given.remove:
        return (f"the status line was removed from {path}" if changed
                else f"{path} has no status line of compact-keeper's")
    typed = typed_command("status-line") + " remove" if is_run_in_session() else ""
    own = " Your own status line stays, in front of it." if " --wrap " in (settings_text(path) or "") else ""
    return (f"the status line {'is set now, in' if changed else 'is as it should be in'} {path}.{own} {WHAT_IT_SHOWS}\n"
            f"To take it out: {typed or target.to_run('status-line') + ' --remove'}")


def status(given: argparse.Namespace) -> None:
    """Says what is there."""
    tell_status(existing(given.project or "."))


def instructions(given: argparse.Namespace) -> None:
    """Writes, brings up to date or removes the section in the project's CLAUDE.md."""
    project = existing(given.project or ".")
    path = os.path.realpath(os.path.join(project, "CLAUDE.md"))
    before = read_bytes(path)
    try:
        after = without_section(before) if given.remove else with_section(before)
    except Refusal as why:
        raise Refusal(f"{path}: {why}") from None
    changed = perform([Step(path, after, is_own=True)], given.dry_run, project)
    if not changed:
        outcome = f"{path} is as it should be"
    elif given.dry_run:
        outcome = "nothing was changed"
    else:
        outcome = f"the section was removed from {path}" if given.remove else f"{path} has the section"
    print(f"compact-keeper: {outcome}")


def doctor(given: argparse.Namespace) -> int:
    """Prints what was found; the exit code."""
    existing(given.project or ".")
    return run_doctor(given.project, given.json)


COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int | None], str]] = {
    "install": (install, "copy scripts and skills, put the hooks into settings.json; again: bring them up to date"),
    "uninstall": (uninstall, "take out exactly what install put in"),
    "status-line": (status_line, "set the status line, around the one that is there; again: bring it up to date"),
    "status": (status, "say what is installed where, and what it last did"),
    "instructions": (instructions, "write what a summary should keep into the project's CLAUDE.md"),
    "doctor": (doctor, "try everything, and say what to do"),
}


def parser() -> argparse.ArgumentParser:
    """The command line's form; --help prints this file's first page."""
    whole = argparse.ArgumentParser(prog="install.py", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    whole.add_argument("--version", action="version", version=f"compact-keeper {VERSION}")
    commands = whole.add_subparsers(prog="install.py", dest="command", required=True, metavar="COMMAND",
                                    help=argparse.SUPPRESS)
    for name, (_, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        where = command.add_mutually_exclusive_group()
        where.add_argument("--project", nargs="?", const=".", metavar="DIR", help="default: the current folder")
        if name in ("install", "uninstall", "status-line"):
            where.add_argument("--user", action="store_true", help="for all sessions of this user (the default)")
        if name in ("install", "uninstall", "status-line", "instructions"):
            command.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    commands.choices["uninstall"].add_argument(
        "--data", action="store_true", help="what was remembered goes too, and what the client left of the plugin")
    commands.choices["uninstall"].add_argument(
        "--yes", action="store_true", help="do not ask before what was remembered goes")
    for name, what in (("status-line", "it"), ("instructions", "the section")):
        commands.choices[name].add_argument("--remove", action="store_true", help=f"take {what} out again")
    commands.choices["doctor"].add_argument("--json", action="store_true", help="the findings as JSON")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """0 when done, 1 on a refusal, 2 for wrong usage; doctor: 1 when something is to be mended."""
    given = parser().parse_args(argv)
    try:
        if given.command != "doctor":  # which says it among the rest
            data_home()  # refused where it is no full path, by each command alike
        code = COMMANDS[given.command][0](given) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has enough, as `| head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnicodeEncodeError as fault:
        around = ascii(fault.object[max(fault.start - 60, 0):fault.end + 20])
        print(f"compact-keeper: a path is not in UTF-8, and so cannot be named: {around}; rename it", file=sys.stderr)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault_words(fault)}", file=sys.stderr)
    else:
        return code
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
