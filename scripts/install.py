#!/usr/bin/env python3
"""Install compact-keeper without the plugin system, take it out again, say what is there, try it.

Usage: install.py install      [--user | --project [DIR]] [--dry-run]
       install.py uninstall    [--user | --project [DIR]] [--dry-run] [--data]
       install.py status       [--project [DIR]]
       install.py instructions [--project [DIR]] [--dry-run] [--remove]
       install.py doctor       [--project [DIR]] [--json]

install       copies scripts and skills into hooks/compact-keeper and skills/compact-keeper-* of a configuration folder
              and puts the hooks into its settings.json: the user's ($CLAUDE_CONFIG_DIR, else ~/.claude), so that all
              sessions have it, or with --project a project's .claude, which others may get with the repository.
              Again: brings the copies up to date; what is as it should be is left alone.
uninstall     takes out exactly that; a file that was changed since stays and is named. --data: what was remembered too.
status        says what is installed where, in which version, when it last saved and put back, and where the data are.
instructions  writes what a summary should keep into the project's CLAUDE.md, between two marks; --remove takes it out.
doctor        tries the whole loop and says of each thing found what to do (doctor.py).

DIR is the current folder when it is not named. --dry-run says what would be done, with the difference to each settings
file. Every file is replaced in one step, the settings last, so that what is there works whenever it breaks off.
In settings.json no other byte changes; as it was, it is kept beside it as settings.json.before-compact-keeper.
Exits 0 when done, 1 on a refusal that says what to do, 2 on wrong usage. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import edit_settings
from edit_settings import OUR_FOLDER
from save_snapshot import SCHEMA, Refusal, data_home, open_regular, quote, read_store, records_of

Record = dict[str, Any]

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)  # a clone, or the plugin's folder
MANIFEST, SETTINGS = f"{OUR_FOLDER}/installed.json", "settings.json"
OURS = re.compile(rf"{OUR_FOLDER}/(?:[\w-]+\.py|\.gitignore)\Z|skills/compact-keeper-[\w-]+/SKILL\.md\Z")
FOLDERS = ("hooks", "skills", ".")  # that may have to be made, the inner ones first
BACKUP, DRAFT = ".before-compact-keeper", ".compact-keeper.tmp"
PLACEHOLDER = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/scripts/([\w.-]+)"')
BY_HAND = re.compile(r"(?:run_hook|record_event|save_snapshot|restore_snapshot|audit_summary)\.py")
NEWEST_EVENTS = 1 << 20  # bytes of events.jsonl that are looked through for the last save and the last restore
DATA = re.compile(  # what compact-keeper writes into its data folder, and drafts of it
    r"(?:sessions|reports|(?:events|pins)\.jsonl|archive\.db(?:-\w+)?|config\.json|hook\.log(?:\.1)?|push\.lock)(?:\.\d+\.tmp)?\Z")
BEGIN, END = b"<!-- compact-keeper:begin -->", b"<!-- compact-keeper:end -->"
INSTRUCTIONS = """\
## Compact Instructions

A summary of the conversation keeps word for word, in quotes, the user's standing rules, corrections and newest request.
It spends its room on reasons, decisions, rejected alternatives, what was learned and what is half done. It calls done
only what was seen to work, the rest claimed, and is written in the language that the user writes in.
"""


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


class Step(NamedTuple):
    """A file that gets this content, or goes where there is none."""

    path: str
    content: bytes | None
    is_own: bool = False  # the person's own file, of which a dry run shows the difference


# --- what has to be there ---


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


def version() -> str:
    """The version of the scripts beside this one; empty where nothing tells it."""
    manifest = read_json(os.path.join(SOURCE, ".claude-plugin", "plugin.json"))
    return str(manifest.get("version") or read_json(os.path.join(HERE, "installed.json")).get("version") or "")


def wanted_hooks(target: Target) -> edit_settings.Hooks:
    """The hooks of hooks.json, their commands with the copies' path; all else as it stands there."""
    path = os.path.join(SOURCE, "hooks", "hooks.json")
    if not os.path.isfile(path):
        raise Refusal(f"{path} is missing: copies cannot be copied on; run install.py of a clone or of the plugin")
    with open(path, encoding="utf-8") as file:
        hooks: edit_settings.Hooks = json.load(file)["hooks"]
    for entry in (entry for groups in hooks.values() for group in groups for entry in group["hooks"]):
        entry["command"] = PLACEHOLDER.sub(lambda found: target.in_command(found[1]), entry["command"])
        if "CLAUDE_PLUGIN_ROOT" in entry["command"]:
            raise Refusal(f"{path} names the plugin's folder in a way that install.py does not know")
    return hooks


def wanted_files() -> dict[str, bytes]:
    """What belongs into the configuration folder: scripts and skills, by path there."""
    skills = sorted(os.listdir(os.path.join(SOURCE, "skills")))
    named = re.compile(rf"\bcompact-keeper:(?=(?:{'|'.join(skills)})\b)")
    files = {f"{OUR_FOLDER}/{name}": read_bytes(os.path.join(HERE, name)) or b""
             for name in sorted(os.listdir(HERE)) if name.endswith(".py")}
    files[f"{OUR_FOLDER}/.gitignore"] = b"__pycache__/\n"
    for skill in skills:
        text = read_bytes(os.path.join(SOURCE, "skills", skill, "SKILL.md")) or b""
        files[f"skills/compact-keeper-{skill}/SKILL.md"] = text.replace(
            b"${CLAUDE_PLUGIN_ROOT}/scripts", b"${CLAUDE_SKILL_DIR}/../../" + OUR_FOLDER.encode())
    return {name: named.sub("compact-keeper-", content.decode()).encode() for name, content in files.items()}


# --- reading ---


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


def edited(path: str, text: str, edit: Callable[[str], str]) -> str:
    """The text after the edit; a refusal names the file."""
    try:
        return edit(text)
    except Refusal as why:
        raise Refusal(f"{path}, {why}\nNothing was changed. Mend that, then run this again.") from None


def settings_text(path: str) -> str | None:
    """The text of a settings file, byte for byte; None when there is none."""
    content = read_bytes(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as fault:
        raise Refusal(f"{path} is not in UTF-8 (byte {fault.start}); write it so, then run this again") from None


def sums(content: bytes | None) -> list[int]:
    """Length and CRC-32, by which a file is known again; empty for none."""
    return [] if content is None else [len(content), zlib.crc32(content)]


def read_manifest(target: Target) -> Record:
    """What was installed here; names that are not ours are passed over: the file may be a repository's."""
    told = read_store(target.path(MANIFEST))
    for name in ("files", "replaced"):
        files = told.get(name)
        told[name] = {path: files[path] for path in files if OURS.match(path)} if isinstance(files, dict) else {}
    made = told["folders"] if isinstance(told.get("folders"), list) else []
    return {**told, "folders": [name for name in FOLDERS if name in made]}


def as_installed(target: Target, manifest: Record, name: str) -> bool:
    """Whether the file is there as an installation wrote it."""
    found = sums(read_bytes(target.path(name)))
    return bool(found) and found in (manifest["files"].get(name), manifest["replaced"].get(name))


# --- install, uninstall: steps first, then they are done or told ---


def install_steps(target: Target, manifest: Record) -> Iterator[Step]:
    """What has to be done: files, then settings, then what is no longer needed goes; the manifest before and after."""
    hooks, files = wanted_hooks(target), wanted_files()
    refuse_strangers(target, manifest, files)
    path = os.path.realpath(target.path(SETTINGS))
    before = settings_text(path)
    after = edited(path, "{}\n" if before is None else before, lambda text: edit_settings.add(text, hooks))
    known = {"schema": SCHEMA, "version": version(), "files": {name: sums(files[name]) for name in files},
             "replaced": {}, "folders": manifest["folders"] or folders_to_make(target),
             "settings made": manifest.get("settings made", before is None)}
    new = known != {name: value for name, value in manifest.items() if name != "time"}
    present = {name: sums(read_bytes(target.path(name))) for name in files_there(target, manifest, whole=True)}
    if new:  # what is written is known when it breaks off
        yield Step(target.path(MANIFEST), as_json({**known, "replaced": present}))
    yield from (Step(target.path(name), content) for name, content in files.items())
    if before not in (None, after):
        yield Step(target.path(SETTINGS) + BACKUP, edit_settings.remove(str(before)).encode())
    yield Step(path, after.encode(), is_own=True)
    yield from (Step(target.path(name), None) for name in present if name not in files)
    if new:
        yield Step(target.path(MANIFEST), as_json({**known, "time": time.time()}))


def uninstall_steps(target: Target, manifest: Record) -> Iterator[Step]:
    """What has to be done: our hooks go out of the settings, then the files that are as they were installed."""
    path = os.path.realpath(target.path(SETTINGS))
    if (before := settings_text(path)) is not None:
        after = edited(path, before, edit_settings.remove)
        is_empty = manifest.get("settings made") and after.strip() == "{}"
        yield Step(path, None if is_empty else after.encode(), is_own=True)
    whole = files_there(target, manifest, whole=True)
    drafts = [name + DRAFT for name in (*manifest["files"], MANIFEST, SETTINGS, SETTINGS + BACKUP)]
    for name in (SETTINGS + BACKUP, *whole, *drafts, *bytecode(target, manifest), MANIFEST):
        yield Step(target.path(name), None)


def files_there(target: Target, manifest: Record, whole: bool) -> list[str]:
    """The installed files that are there as they were written, or else those that were changed since."""
    there = [name for name in {**manifest["replaced"], **manifest["files"]} if os.path.lexists(target.path(name))]
    return [name for name in there if as_installed(target, manifest, name) == whole]


def refuse_strangers(target: Target, manifest: Record, files: dict[str, bytes]) -> None:
    """Refuses to write over a link, or over a file that no installation wrote as it is."""
    folders = {os.path.dirname(name) for name in files}
    links = [name for name in sorted({*folders, *files}) if os.path.islink(target.path(name))]
    strange = [name for name in files if name not in links and os.path.lexists(target.path(name))
               and read_bytes(target.path(name)) != files[name] and not as_installed(target, manifest, name)]
    if links or strange:
        told = [*(f"{target.path(name)} is a link" for name in links),
                *(f"{target.path(name)} was not installed so, or was changed since" for name in strange)]
        raise Refusal("\n".join([*told, "Nothing was changed. Move that away, then run this again."]))


def folders_to_make(target: Target) -> list[str]:
    """Those that are not there, which an uninstall removes again when they are empty."""
    return [name for name in FOLDERS if not os.path.isdir(target.path(name))]


def bytecode(target: Target, manifest: Record) -> list[str]:
    """What Python has kept of the installed scripts."""
    folder = f"{OUR_FOLDER}/__pycache__"
    cached = os.listdir(target.path(folder)) if os.path.isdir(target.path(folder)) else []
    return [f"{folder}/{name}" for name in cached
            if name.endswith(".pyc") and f"{OUR_FOLDER}/{name.partition('.')[0]}.py" in manifest["files"]]


def as_json(data: Record) -> bytes:
    """The object as a file's content."""
    return (json.dumps(data, indent=1) + "\n").encode()


def perform(steps: Iterable[Step], dry_run: bool) -> int:
    """How many files were changed, or would be: those that are not so already."""
    due = [step for step in steps if os.path.lexists(step.path) or step.content is not None]
    due = [step for step in due if step.content is None or read_bytes(step.path) != step.content]
    for step in {step.path: step for step in due}.values() if dry_run else due:
        if dry_run:
            tell(step)
        elif step.content is None:
            os.unlink(step.path)
        else:
            write(step.path, step.content)
    return len(due)


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


def tell(step: Step) -> None:
    """Prints what a step would do."""
    print(f"would {'remove' if step.content is None else 'write'} {step.path}")
    if step.is_own:
        old, new = ((content or b"").decode("utf-8", "replace").split("\n")
                    for content in (read_bytes(step.path), step.content))
        for line in difflib.unified_diff(old, new, "before", "after", lineterm=""):
            print(f"    {line}")


def install(given: argparse.Namespace) -> None:
    """Installs or brings up to date, and says so."""
    target = target_of(given.project)
    manifest = read_manifest(target)
    steps = list(install_steps(target, manifest))
    changed, place = perform(steps, given.dry_run), target.path(OUR_FOLDER)
    if given.dry_run or not changed:
        print("compact-keeper: " + ("nothing was changed" if changed else
                                    f"{version()} is installed for {target.told()} and up to date"))
        return
    print(f"compact-keeper {version()}: installed for {target.told()}\n  scripts  {place}\n"
          f"  skills   {target.path('skills')}: {', '.join(skills_of(steps))}\n"
          f"  hooks    {os.path.realpath(target.path(SETTINGS))}")
    if os.path.exists(backup := target.path(SETTINGS) + BACKUP):
        print(f"  before   {backup}")
    print("Sessions that start from now on have it. To try everything:\n"
          f"  python3 {shlex.quote(os.path.join(place, 'install.py'))} doctor")
    for line in warnings(copies(os.path.abspath(given.project or "."))):
        print(line)


def skills_of(steps: Iterable[Step]) -> list[str]:
    """The names of the skills among the files to be written, as they are typed."""
    folders = (os.path.split(os.path.dirname(step.path)) for step in steps if step.path.endswith("SKILL.md"))
    return sorted(f"/{name}" for _, name in folders)


def uninstall(given: argparse.Namespace) -> None:
    """Takes out what was installed, and says what stays."""
    target = target_of(given.project)
    manifest = read_manifest(target)
    changed = files_there(target, manifest, whole=False)
    done = perform(uninstall_steps(target, manifest), given.dry_run)
    if not given.dry_run:
        remove_empty(target, manifest)
    print("compact-keeper: " + ("nothing was changed" if given.dry_run and done else f"removed for {target.told()}"
                                if done else f"nothing is installed for {target.told()}"))
    for name in changed:
        print(f"  kept, as it was changed since: {target.path(name)}")
    if OUR_FOLDER in (settings_text(target.path(SETTINGS)) or "") and not given.dry_run:
        print(f"  {target.path(SETTINGS)} names {OUR_FOLDER} still, not as a hook: take it out by hand")
    if given.data:
        remove_data(given.dry_run)
    elif os.path.isdir(data_home()):
        print(f"What was remembered stays in {data_home()} (--data removes it)")
    for one in () if given.dry_run else copies(os.path.abspath(given.project or ".")):
        print(f"Still installed: {one.how}. To remove it: {one.to_remove}")


def remove_empty(target: Target, manifest: Record) -> None:
    """Removes the folders that installations made where nothing is left in them."""
    skills = os.listdir(target.path("skills")) if os.path.isdir(target.path("skills")) else []
    own = [f"skills/{name}" for name in skills if name.startswith("compact-keeper-")]
    for name in (f"{OUR_FOLDER}/__pycache__", OUR_FOLDER, *own, *manifest["folders"]):
        try:
            os.rmdir(target.path(name))
        except OSError:  # something else is in it, or it is gone
            continue


def remove_data(dry_run: bool) -> None:
    """Removes what compact-keeper writes into its data folder, and the folder where nothing else is in it."""
    home = data_home()
    for name in sorted(filter(DATA.match, os.listdir(home))) if os.path.isdir(home) else ():
        path = os.path.join(home, name)
        if dry_run:
            print(f"would remove {path}")
        elif os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    left = os.listdir(home) if os.path.isdir(home) else []
    if not dry_run and left:
        print(f"  kept in {home}, as it is not compact-keeper's: {', '.join(sorted(left))}")
    elif not dry_run and os.path.isdir(home):
        os.unlink(home) if os.path.islink(home) else os.rmdir(home)


# --- status ---


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
    paths = [target_of(None).path(SETTINGS), *(os.path.join(project, ".claude", name)
                                               for name in (SETTINGS, "settings.local.json"))]
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
                       hooks_in(os.path.join(place, "hooks", "hooks.json")), f"claude plugin uninstall {name}")


def copied(path: str, project: str) -> Iterator[Copy]:
    """The copies that the hooks of a settings file run: install.py's, and those that somebody copied by hand."""
    hooks, user = hooks_in(path), target_of(None).config
    ours = [hook for hook in hooks if OUR_FOLDER in hook.command]
    by_hand = [hook for hook in hooks if hook not in ours and BY_HAND.search(hook.command)]
    target = Target(user, "") if os.path.dirname(path) == user else Target(os.path.dirname(path), project)
    if ours:
        remove = ["python3", __file__, "uninstall", *(["--project", project] if target.project else [])]
        yield Copy(f"copied for {target.told()}", target.path(OUR_FOLDER),
                   str(read_json(target.path(MANIFEST)).get("version") or "?"), True, ours, shlex.join(remove))
    if by_hand:
        yield Copy(f"copied by hand for {target.told()}", path, "?", True, by_hand, f"take its hooks out of {path}")


def hooks_in(path: str) -> list[Hook]:
    """The hooks of a settings file or of hooks.json, whatever else it holds; none where it is broken."""
    events = read_json(path).get("hooks")
    groups = [(event, group) for event, told in (events.items() if isinstance(events, dict) else ())
              for group in (told if isinstance(told, list) else ()) if isinstance(group, dict)]
    entries = [(event, entry) for event, group in groups if isinstance(group.get("hooks"), list)
               for entry in group["hooks"] if isinstance(entry, dict)]
    return [Hook(event, str(entry.get("command")), entry["timeout"] if isinstance(entry.get("timeout"), int) else 60)
            for event, entry in entries]


def status(given: argparse.Namespace) -> None:
    """Prints what is installed, what it last did, and where the data are."""
    project = os.path.abspath(given.project or ".")
    found = copies(project)
    print(f"Installed for sessions in {project}:")
    for one in found:
        print(f"  {one.how}, {one.version}{'' if one.active else ', switched off'}: {one.place}")
    if not found:
        print("  nothing; `install.py install` copies it for this user, with --project into this project")
    for line in (*warnings(found), *filter(None, map(fault_of, settings_files(project)))):
        print(line)
    events = last_events()
    for event, label in (("save", "Last save"), ("restore", "Last put back")):
        told = events.get(event)
        print(f"{label}: " + (f"{ago(time.time() - told['time'])}, session {told['session']}" if told else "never"))
    home = data_home()
    print(f"Data: {home}, {size_of(home) / 1e6:.1f} MB" if os.path.isdir(home) else f"Data: none yet in {home}")


def fault_of(path: str) -> str:
    """Why a settings file is not read; empty when it is, or is not there."""
    try:
        edit_settings.check(settings_text(path) or "{}")
    except (OSError, Refusal) as why:
        return f"{path}, {why}"
    return ""


def warnings(found: Sequence[Copy]) -> list[str]:
    """What is to be said where more than one copy is at work."""
    active = [one for one in found if one.active]
    return [f"Installed {len(active)} times: only one puts back, but each takes its time at every event. Keep one:",
            *(f"  without {one.how}: {one.to_remove}" for one in active)] if active[1:] else []


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


def ago(seconds: float) -> str:
    """A time that passed, in the largest unit of which two are over."""
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name} ago"
    return f"{max(seconds, 0):.0f} seconds ago"


def size_of(folder: str) -> int:
    """The bytes of all files below the folder; links are not followed."""
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names
               if os.path.lexists(os.path.join(at, name)))


# --- instructions ---


def instructions(given: argparse.Namespace) -> None:
    """Writes, brings up to date or removes the section in the project's CLAUDE.md."""
    project = os.path.abspath(given.project or ".")
    if not os.path.isdir(project):
        raise Refusal(f"{project} is no folder; name the project's folder")
    path = os.path.realpath(os.path.join(project, "CLAUDE.md"))
    before = read_bytes(path)
    try:
        after = without_section(before) if given.remove else with_section(before)
    except Refusal as why:
        raise Refusal(f"{path}: {why}") from None
    changed = perform([Step(path, after, is_own=True)], given.dry_run)
    print("compact-keeper: " + (f"{path} is as it should be" if not changed else "nothing was changed" if given.dry_run
                                else f"the section went out of {path}" if given.remove else f"{path} has the section"))


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
    """The file with the section as it is now, in its place or at the end.

    It ends in a line break where the file did (None: there was no file), by which its removal tells the two apart.
    """
    newline = b"\r\n" if b"\r\n" in (text or b"") else b"\n"
    section = newline.join([BEGIN, *INSTRUCTIONS.encode().splitlines(), END])
    if text and (place := section_in(text)):
        return text[:place[0]] + section + text[place[1]:]
    if text is None:
        return section + newline
    if text.endswith(b"\n"):
        return text + newline + section + newline
    return text + (2 * newline if text else b"") + section


def without_section(text: bytes | None) -> bytes | None:
    """The file as it was before it had the section; None where that is no file."""
    place = section_in(text or b"")
    if text is None or not place:
        return text
    before, after = text[:place[0]], text[place[1]:]
    newline = b"\r\n" if b"\r\n" in text[place[0]:place[1]] else b"\n"
    ended = after.startswith(newline)
    before = before.removesuffix(newline) if ended else before.removesuffix(2 * newline)
    return before + after[len(newline):] if before or after != newline else None


# --- the command line ---


def doctor(given: argparse.Namespace) -> int:
    """The exit code of doctor.py."""
    import doctor as tried

    return tried.main([*(["--project", given.project] if given.project else []), *(["--json"] if given.json else [])])


COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int | None], str]] = {
    "install": (install, "copy scripts and skills, put the hooks into settings.json; again: bring them up to date"),
    "uninstall": (uninstall, "take out exactly what install put in"),
    "status": (status, "say what is installed where, and what it last did"),
    "instructions": (instructions, "write what a summary should keep into the project's CLAUDE.md"),
    "doctor": (doctor, "try everything, and say what to do"),
}


def parser() -> argparse.ArgumentParser:
    """The command line's form; --help prints this file's first page."""
    whole = argparse.ArgumentParser(prog="install.py", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    commands = whole.add_subparsers(prog="install.py", dest="command", required=True, metavar="COMMAND",
                                    help=argparse.SUPPRESS)
    for name, (_, told) in COMMANDS.items():
        one = commands.add_parser(name, help=told, description=told)
        where = one.add_mutually_exclusive_group()
        where.add_argument("--project", nargs="?", const=".", metavar="DIR", help="default: the current folder")
        if name in ("install", "uninstall"):
            where.add_argument("--user", action="store_true", help="for all sessions of this user (the default)")
        if name in ("install", "uninstall", "instructions"):
            one.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    commands.choices["uninstall"].add_argument("--data", action="store_true", help="what was remembered goes too")
    commands.choices["instructions"].add_argument("--remove", action="store_true", help="take the section out again")
    commands.choices["doctor"].add_argument("--json", action="store_true", help="the findings as JSON")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """0 when done, 1 on a refusal, 2 for wrong usage; doctor: 1 when something is to be mended."""
    given = parser().parse_args(argv)
    try:
        return COMMANDS[given.command][0](given) or 0
    except UnicodeEncodeError as fault:
        place = ascii(fault.object[max(fault.start - 60, 0):fault.end + 20])
        print(f"compact-keeper: a path is not in UTF-8, and so cannot be named: {place}; rename it", file=sys.stderr)
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
