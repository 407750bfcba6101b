"""(docstring)"""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_keeper.setup.edit_settings import OUR_FOLDER, add_status_line, check_text, runs_ours
from compact_keeper.store.disk import size_below
from compact_keeper.store.folder import SCHEMA, data_home, open_regular
from compact_keeper.store.json_lines import records_of
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

INSTALLED_FROM = os.path.dirname(os.path.abspath(__file__))
PLUGIN_FOLDER = os.path.dirname(INSTALLED_FROM)  # a clone, or the plugin's folder
INSTALL_SCRIPT = os.path.join(INSTALLED_FROM, "install.py")
MANIFEST_FILE, SETTINGS_FILE = f"{OUR_FOLDER}/installed.json", "settings.json"
BY_HAND = re.compile(r"(?:run_hook|record_event|answer_prompt|save_snapshot|restore_snapshot|audit_summary)\.py")
NEWEST_EVENTS = 1 << 20  # bytes of events.jsonl that are looked through for the last save and the last restore


class Target(NamedTuple):
    """Where copies go: the configuration folder, and how a hook's command names a script in it."""

    config: str
    project: str  # empty for the user's

    def path(self, name: str) -> str:
        """The path of a file in the configuration folder."""
        return os.path.normpath(os.path.join(self.config, *name.split("/")))

    def in_command(self, script: str) -> str:
        """The script's path as a word of the shell."""
        if self.project:
            return f'"$CLAUDE_PROJECT_DIR/.claude/{OUR_FOLDER}/{script}"'
        return shlex.quote(self.path(f"{OUR_FOLDER}/{script}").replace(os.sep, "/"))

    def told(self) -> str:
        """For whom it is installed."""
        return f"the project {self.project}" if self.project else "this user"

    def to_run(self, command: str) -> str:
        """What a person types to have install.py do this here."""
        return shlex.join(["python3", INSTALL_SCRIPT, command, *(["--project", self.project] if self.project else [])])


def target_of(project: str | None) -> Target:
    """The user's configuration folder, or the project's."""
    config = os.path.abspath(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude"))
    if project is None:
        return Target(config, "")
    project = os.path.abspath(project)
    if not os.path.isdir(project):
        raise Refusal(f"{project} is no folder; name the project's folder")
    if os.path.realpath(os.path.join(project, ".claude")) == os.path.realpath(config):
        raise Refusal(f"{config} is the user's configuration, not a project's; use --user")
    return Target(os.path.join(project, ".claude"), project)


def target_at(path: str, project: str) -> Target:
    """The one whose settings file this is."""
    folder, config = os.path.dirname(path), target_of(None).config
    return Target(config, "") if folder == config else Target(folder, project)


def own_version() -> str:
    """The version of the scripts beside this one; empty where nothing tells it."""
    manifest = read_json(os.path.join(PLUGIN_FOLDER, ".claude-plugin", "plugin.json"))
    return str(manifest.get("version") or read_json(os.path.join(INSTALLED_FROM, "installed.json")).get("version") or "")


def read_bytes(path: str) -> bytes | None:
    """The regular file's content; None when there is none."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def read_json(path: str) -> Record:
    """The file's object; empty when it is missing or holds none."""
    try:
        found = json.loads((read_bytes(path) or b"").decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError, Refusal):
        return {}
    return found if isinstance(found, dict) else {}


def settings_text(path: str) -> str | None:
    """The text of a settings file, byte for byte; None when there is none."""
    content = read_bytes(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as fault:
        raise Refusal(f"{path} is not in UTF-8 (byte {fault.start}); write it so, then run this again") from None


class Hook(NamedTuple):
    """A hook as the client runs it; the time it has in seconds."""

    event: str
    command: str
    timeout: float


class Copy(NamedTuple):
    """One installation that a session in a folder has."""

    how: str
    place: str
    version: str
    active: bool
    hooks: list[Hook]
    to_remove: str
    to_update: str
    project: str = ""  # whose own files its hooks start


def copies(project: str) -> list[Copy]:
    """All that a session in this folder has, the project's own first."""
    paths = settings_files(project)
    enabled: Record = {}
    for path in paths:
        told = read_json(path).get("enabledPlugins")
        enabled.update(told if isinstance(told, dict) else {})
    return [*(one for path in reversed(paths) for one in copied(path, project)), *plugins(project, enabled)]


def settings_files(project: str) -> list[str]:
    """The settings files that a session in this folder has, the one that counts most last; each once."""
    paths = [target_of(None).path(SETTINGS_FILE), *(os.path.join(project, ".claude", name)
                                               for name in (SETTINGS_FILE, "settings.local.json"))]
    return list({os.path.realpath(path): path for path in paths}.values())  # in the home folder two are the same


def plugins(project: str, enabled: Record) -> Iterator[Copy]:
    """The plugin, from each marketplace that it was installed from for this user or this project."""
    installed = read_json(target_of(None).path("plugins/installed_plugins.json")).get("plugins")
    for name, told in installed.items() if isinstance(installed, dict) else ():
        places = [one for one in (told if isinstance(told, list) else [told]) if isinstance(one, dict)]
        here = [one for one in places
                if os.path.realpath(str(one.get("projectPath") or project)) == os.path.realpath(project)]
        if name.partition("@")[0] == "compact-keeper" and here:
            place = str(here[-1].get("installPath"))
            yield Copy(f"plugin {name} ({', '.join(str(one.get('scope', 'user')) for one in here)})", place,
                       str(here[-1].get("version")), enabled.get(name) is not False,
                       hooks_in(os.path.join(place, "hooks", "hooks.json")), f"claude plugin uninstall {name}",
                       f"claude plugin update {name}")


def copied(path: str, project: str) -> Iterator[Copy]:
    """The copies that the hooks of a settings file run: install.py's, and those that somebody copied by hand."""
    hooks, target = hooks_in(path), target_at(path, project)
    ours = [hook for hook in hooks if OUR_FOLDER in hook.command]
    by_hand = [hook for hook in hooks if hook not in ours and BY_HAND.search(hook.command)]
    if ours:
        yield Copy(f"copied for {target.told()}", target.path(OUR_FOLDER),
                   str(read_json(target.path(MANIFEST_FILE)).get("version") or "?"), True, ours,
                   target.to_run("uninstall"), target.to_run("install"), target.project)
    if by_hand:
        yield Copy(f"copied by hand for {target.told()}", path, "?", True, by_hand, f"take its hooks out of {path}", "",
                   target.project)


def hooks_in(path: str) -> list[Hook]:
    """The hooks of a settings file or of hooks.json, whatever else it holds; none where it is broken."""
    events = read_json(path).get("hooks")
    groups = [(event, group) for event, told in (events.items() if isinstance(events, dict) else ())
              for group in (told if isinstance(told, list) else ()) if isinstance(group, dict)]
    entries = [(event, entry) for event, group in groups if isinstance(group.get("hooks"), list)
               for entry in group["hooks"] if isinstance(entry, dict)]
    return [Hook(event, str(entry.get("command")), entry["timeout"] if isinstance(entry.get("timeout"), int) else 60)
            for event, entry in entries]


def copies_warnings(found: Sequence[Copy]) -> list[str]:
    """What is to be said where more than one copy is at work."""
    active = [one for one in found if one.active]
    return [f"Installed {len(active)} times: only one puts back, but each takes its time at every event. Keep one:",
            *(f"  without {one.how}: {one.to_remove}" for one in active)] if active[1:] else []


def outdated(found: Sequence[Copy]) -> list[tuple[str, str]]:
    """Of each copy of an older version than these scripts, that it is, and what to do."""
    return [(f"{one.how} is {one.version}, these scripts are {own_version()}", f"Bring it up to date: {one.to_update}")
            for one in found if [] < version_numbers(one.version) < version_numbers(own_version())]


def version_numbers(told: str) -> list[int]:
    """A version's numbers; empty where it is none."""
    return list(map(int, told.split("."))) if re.fullmatch(r"[0-9]+(\.[0-9]+)*", told) else []


class StatusLine(NamedTuple):
    """The status line that a session in a folder has: where it is set, and for whom; its command, empty for none."""

    path: str
    target: Target
    command: str
    is_ours: bool


def status_line_of(project: str) -> StatusLine:
    """That of the settings file that counts most; none is told as the user's."""
    paths = settings_files(project)
    path = next((path for path in reversed(paths) if "statusLine" in read_json(path)), paths[0])
    line = read_json(path).get("statusLine")
    command = str(line.get("command") if isinstance(line, dict) else line or "")
    return StatusLine(path, target_at(path, project), command, runs_ours(command))


def run_hook_word(target: Target, project: str) -> str:
    """The run_hook.py that a status line set here starts, as a word of the shell.

    That of the copies here; or of the plugin's version that came last, looked for at every start, as the path holds the
    version; or the one beside this file. (By the script's time, not the folder's: an update writes a mark into the
    folder of the version before, which makes it the newest; measured with 2.1.76 and 2.1.329.)
    """
    if os.path.isfile(target.path(f"{OUR_FOLDER}/run_hook.py")):
        return target.in_command("run_hook.py")
    for one in plugins(project, {}):
        return f'"$(ls -t {below_home(os.path.dirname(one.place))}/*/scripts/run_hook.py | head -n 1)"'
    return shlex.quote(os.path.join(INSTALLED_FROM, "run_hook.py").replace(os.sep, "/"))


def below_home(path: str) -> str:
    """The path as a word of the shell, from ~ on where it lies in the home folder."""
    home = os.path.join(os.path.expanduser("~"), "")
    word = shlex.quote(path.removeprefix(home).replace(os.sep, "/"))
    return f"~/{word}" if path.startswith(home) else word


def status_line_words(project: str) -> tuple[str, str]:
    """What the status line is, and what to do where it should be another; no more where it is as it should be."""
    line = status_line_of(project)
    to_do = f"`{line.target.to_run('status-line')}`"
    if not line.command:
        return "none is set", f"{to_do} sets it"
    if not line.is_ours:
        return f"another is set in {line.path}", f"{to_do} adds compact-keeper's behind it"
    return f"set in {line.path}", "" if is_up_to_date(line, project) else f"{to_do} brings it up to date"


def is_up_to_date(line: StatusLine, project: str) -> bool:
    """Whether the status line is as install.py would set it."""
    text = settings_text(line.path) or ""
    try:
        return add_status_line(text, run_hook_word(line.target, project)) == text
    except Refusal:  # it is of a form that the command itself complains of
        return False


def tell_status(project: str) -> None:
    """Prints what is installed for a session in this folder, what it last did, and where the data are."""
    found = copies(project)
    print(f"Installed for sessions in {project}:")
    for one in found:
        print(f"  {one.how}, {one.version}{'' if one.active else ', switched off'}: {one.place}")
    if not found:
        print("  nothing; `install.py install` copies it for this user, with --project into this project")
    faults = filter(None, map(fault_of, settings_files(project)))
    for line in (*copies_warnings(found), *map(". ".join, outdated(found)), *faults):
        print(line)
    print("Status line: " + "; ".join(filter(None, status_line_words(project))))
    events = last_events()
    for event, label in (("save", "Last save"), ("restore", "Last put back")):
        told = events.get(event)
        print(f"{label}: " + (f"{time_passed(time.time() - told['time'])}, session {told['session']}" if told else "never"))
    home = data_home()
    size = size_below(os.path.realpath(home)) / 1e6
    print(f"Data: {home}, {size:.1f} MB" if os.path.isdir(home) else f"Data: none yet in {home}")


def fault_of(path: str) -> str:
    """Why a settings file is not read; empty when it is, or is not there."""
    try:
        check_text(settings_text(path) or "{}")
    except (OSError, Refusal) as why:
        return f"{path}, {why}"
    return ""


def last_events() -> Record:
    """The newest event of each kind, by its name; those of other versions are passed over."""
    path = os.path.join(data_home(), "events.jsonl")
    found: Record = {}
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    for event in records_of(path, max(size - NEWEST_EVENTS, 0), size) if size else ():
        if isinstance(event.get("time"), (int, float)) and event.get("schema") == SCHEMA:
            session = quote(str(event.get("session")), 140)
            found[str(event.get("event"))] = {"time": event["time"], "session": session}
    return found


def time_passed(seconds: float) -> str:
    """A time that passed, in the largest unit of which two are over."""
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name} ago"
    return f"{max(seconds, 0):.0f} seconds ago"
