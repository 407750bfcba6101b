r"""Install compact-keeper without the plugin system, take it out again, say what is there, try it.

Usage: install.py install      [--user | --project [DIR]] [--dry-run]
       install.py uninstall    [--user | --project [DIR]] [--dry-run] [--data]
       install.py status-line  [--user | --project [DIR]] [--dry-run] [--remove]
       install.py status       [--project [DIR]]
       install.py instructions [--project [DIR]] [--dry-run] [--remove]
       install.py doctor       [--project [DIR]] [--json]

install       copies scripts and skills into hooks/compact-keeper and skills/compact-keeper-* of a configuration folder
              and puts the hooks into its settings.json: the user's ($CLAUDE_CONFIG_DIR, else ~/.claude), so that all
              sessions have it, or with --project a project's .claude, which others may get with the repository.
              Again: brings the copies up to date; what is as it should be is left alone.
uninstall     takes out exactly that; a file that was changed since stays and is named. --data: what was remembered too.
status-line   sets the status line in settings.json: of the copies there, of the plugin, or of the scripts beside this
              one. A command that is there already is wrapped: it is printed first. Again: brings it up to date.
              --remove, and uninstall: takes it out, and the command that was there is there again.
status        says what is installed where, in which version, when it last saved and put back, and where the data are.
instructions  writes what a summary should keep into the project's CLAUDE.md, between two marks; --remove takes it out.
doctor        tries the whole loop and says of each thing found what to do .

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
from typing import NamedTuple

from compact_keeper.setup.doctor import run_doctor
from compact_keeper.setup.edit_settings import (
    OUR_FOLDER,
    add_status_line,
    remove_status_line,
    with_hooks,
    without_ours,
)
from compact_keeper.setup.installed import (
    INSTALLED_FROM,
    MANIFEST_FILE,
    PLUGIN_FOLDER,
    SETTINGS_FILE,
    Target,
    copies,
    copies_warnings,
    own_version,
    read_bytes,
    run_hook_word,
    settings_text,
    target_of,
    tell_status,
)
from compact_keeper.store.folder import SCHEMA, data_home
from compact_keeper.store.json_files import read_store
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Hooks, Record

OURS = re.compile(rf"{OUR_FOLDER}/(?:[\w-]+\.py|run|\.gitignore)\Z|skills/compact-keeper-[\w-]+/SKILL\.md\Z")
FOLDERS = ("hooks", "skills", ".")  # that may have to be made, the inner ones first
BACKUP, DRAFT = ".before-compact-keeper", ".compact-keeper.tmp"
PLACEHOLDER = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/([\w.-]+)"')
DATA = re.compile(  # what compact-keeper writes into its data folder, and drafts of it
    r"(?:sessions|reports|(?:events|pins)\.jsonl(?:\.1)?|archive\.db(?:-\w+)?|config\.json|hook\.log(?:\.1)?|push\.lock)(?:\.\d+\.tmp)?\Z")
BEGIN, END = b"<!-- compact-keeper:begin -->", b"<!-- compact-keeper:end -->"
INSTRUCTIONS = """\
## Compact Instructions

A summary of the conversation keeps word for word, in quotes, the user's standing rules, corrections and newest request.
It spends its room on reasons, decisions, rejected alternatives, what was learned and what is half done. It calls done
only what was seen to work, the rest claimed, and is written in the language that the user writes in.
"""


class Step(NamedTuple):
    """A file that gets this content, or goes where there is none."""

    path: str
    content: bytes | None
    is_own: bool = False  # the person's own file, of which a dry run shows the difference


def wanted_hooks(target: Target) -> Hooks:
    """The hooks of hooks.json, their commands with the copies' path; all else as it stands there."""
    path = os.path.join(PLUGIN_FOLDER, "hooks", "hooks.json")
    if not os.path.isfile(path):
        raise Refusal(f"{path} is missing: copies cannot be copied on; run install.py of a clone or of the plugin")
    with open(path, encoding="utf-8") as file:
        hooks: Hooks = json.load(file)["hooks"]
    for entry in (entry for groups in hooks.values() for group in groups for entry in group["hooks"]):
        entry["command"] = PLACEHOLDER.sub(lambda found: target.in_command(found[1]), entry["command"])
        if "CLAUDE_PLUGIN_ROOT" in entry["command"]:
            raise Refusal(f"{path} names the plugin's folder in a way that install.py does not know")
    return hooks


def wanted_files() -> dict[str, bytes]:
    """What belongs into the configuration folder: scripts and skills, by path there."""
    skills = sorted(os.listdir(os.path.join(PLUGIN_FOLDER, "skills")))
    named = re.compile(rf"\bcompact-keeper:(?=(?:{'|'.join(skills)})\b)")
    files = {f"{OUR_FOLDER}/{name}": read_bytes(os.path.join(INSTALLED_FROM, name)) or b""
             for name in sorted(os.listdir(INSTALLED_FROM)) if name.endswith(".py")}
    files[f"{OUR_FOLDER}/run"] = read_bytes(os.path.join(PLUGIN_FOLDER, "hooks", "run")) or b""
    files[f"{OUR_FOLDER}/.gitignore"] = b"__pycache__/\n"
    for skill in skills:
        text = read_bytes(os.path.join(PLUGIN_FOLDER, "skills", skill, "SKILL.md")) or b""
        files[f"skills/compact-keeper-{skill}/SKILL.md"] = text.replace(
            b"${CLAUDE_PLUGIN_ROOT}/scripts", b"${CLAUDE_SKILL_DIR}/../../" + OUR_FOLDER.encode())
    return {name: named.sub("compact-keeper-", content.decode()).encode() for name, content in files.items()}


def edited(path: str, text: str, edit: Callable[[str], str]) -> str:
    """The text after the edit; a refusal names the file."""
    try:
        return edit(text)
    except Refusal as why:
        raise Refusal(f"{path}, {why}\nNothing was changed. Mend that, then run this again.") from None


def sums(content: bytes | None) -> list[int]:
    """Length and CRC-32, by which a file is known again; empty for none."""
    return [] if content is None else [len(content), zlib.crc32(content)]


def read_manifest(target: Target) -> Record:
    """What was installed here; names that are not ours are passed over: the file may be a repository's."""
    told = read_store(target.path(MANIFEST_FILE))
    for name in ("files", "replaced"):
        files = told.get(name)
        told[name] = {path: files[path] for path in files if OURS.match(path)} if isinstance(files, dict) else {}
    made = told["folders"] if isinstance(told.get("folders"), list) else []
    return {**told, "folders": [name for name in FOLDERS if name in made]}


def as_installed(target: Target, manifest: Record, name: str) -> bool:
    """Whether the file is there as an installation wrote it."""
    found = sums(read_bytes(target.path(name)))
    return bool(found) and found in (manifest["files"].get(name), manifest["replaced"].get(name))


def install_steps(target: Target, manifest: Record) -> Iterator[Step]:
    """What has to be done: files, then settings, then what is no longer needed goes; the manifest before and after."""
    hooks, files = wanted_hooks(target), wanted_files()
    refuse_strangers(target, manifest, files)
    settings = list(settings_steps(target, manifest, lambda text: with_hooks(text, hooks)))
    known = {"schema": SCHEMA, "version": own_version(), "files": {name: sums(files[name]) for name in files},
             "replaced": {}, "folders": manifest["folders"] or folders_to_make(target),
             "settings made": settings_made(target, manifest)}
    new = "time" not in manifest or known != {name: value for name, value in manifest.items() if name != "time"}
    present = {name: sums(read_bytes(target.path(name))) for name in files_there(target, manifest, whole=True)}
    if new:  # what is written is known when it breaks off
        yield Step(target.path(MANIFEST_FILE), as_json({**known, "replaced": present}))
    yield from (Step(target.path(name), content) for name, content in files.items())
    yield from settings
    yield from (Step(target.path(name), None) for name in present if name not in files)
    if new:
        yield Step(target.path(MANIFEST_FILE), as_json({**known, "time": time.time()}))


def uninstall_steps(target: Target, manifest: Record) -> Iterator[Step]:
    """What has to be done: our hooks go out of the settings, then the files that are as they were installed."""
    yield from settings_steps(target, manifest, without_ours)
    whole = files_there(target, manifest, whole=True)
    drafts = [name + DRAFT for name in (*manifest["files"], MANIFEST_FILE, SETTINGS_FILE, SETTINGS_FILE + BACKUP)]
    for name in (*whole, *drafts, *bytecode(target, manifest), MANIFEST_FILE):
        yield Step(target.path(name), None)


def settings_steps(target: Target, manifest: Record, edit: Callable[[str], str]) -> Iterator[Step]:
    """The edit of the settings; as they are without anything of ours they lie beside them, as long as they hold it."""
    path = os.path.realpath(target.path(SETTINGS_FILE))
    before = settings_text(path)
    after = edited(path, "{}\n" if before is None else before, edit)
    bare = without_ours(after)
    is_needless = after.strip() == "{}" and (before is None or settings_made(target, manifest))
    if before not in (None, after) and after != bare:
        yield Step(target.path(SETTINGS_FILE) + BACKUP, bare.encode())
    yield Step(path, None if is_needless else after.encode(), is_own=True)
    if after == bare:
        yield Step(target.path(SETTINGS_FILE) + BACKUP, None)


def settings_made(target: Target, manifest: Record) -> bool:
    """Whether we made the settings file: as installed.json tells, else where it holds ours, and no backup is there."""
    path = target.path(SETTINGS_FILE)
    text = settings_text(path)
    ours = text is None or (without_ours(text) != text and not os.path.lexists(path + BACKUP))
    return bool(manifest.get("settings made", ours))


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


def perform(steps: Iterable[Step], dry_run: bool, project: str) -> int:
    """How many files were changed, or would be: those that are not so already; of a project, where one is named."""
    due = [step for step in steps if os.path.lexists(step.path) or step.content is not None]
    due = [step for step in due if step.content is None or read_bytes(step.path) != step.content]
    if outside := [step.path for step in due if project and not leads_into(project, step.path)]:
        raise Refusal(f"{outside[0]} is not in {project}: a link there leads out of it\n"
                      "Nothing was changed. Replace that link, then run this again.")
    for step in {step.path: step for step in due}.values() if dry_run else due:
        if dry_run:
            tell(step)
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
    changed, place = perform(steps, given.dry_run, target.project), target.path(OUR_FOLDER)
    if given.dry_run or not changed:
        print("compact-keeper: " + ("nothing was changed" if changed else
                                    f"{own_version()} is installed for {target.told()} and up to date"))
        return
    print(f"compact-keeper {own_version()}: installed for {target.told()}\n  scripts  {place}\n"
          f"  skills   {target.path('skills')}: {', '.join(skills_of(steps))}\n"
          f"  hooks    {os.path.realpath(target.path(SETTINGS_FILE))}")
    if os.path.exists(backup := target.path(SETTINGS_FILE) + BACKUP):
        print(f"  before   {backup}")
    print("Sessions that start from now on have it. To try everything:\n"
          f"  python3 {shlex.quote(os.path.join(place, 'install.py'))} doctor")
    for line in copies_warnings(copies(os.path.abspath(given.project or "."))):
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
    done = perform(uninstall_steps(target, manifest), given.dry_run, target.project)
    if not given.dry_run:
        remove_empty(target, manifest)
    print("compact-keeper: " + ("nothing was changed" if given.dry_run and done else f"removed for {target.told()}"
                                if done else f"nothing is installed for {target.told()}"))
    for name in changed:
        print(f"  kept, as it was changed since: {target.path(name)}")
    if OUR_FOLDER in (settings_text(target.path(SETTINGS_FILE)) or "") and not given.dry_run:
        print(f"  {target.path(SETTINGS_FILE)} names {OUR_FOLDER} still, not as a hook: take it out by hand")
    if given.data:
        remove_data(given.dry_run)
    elif os.path.isdir(data_home()):
        print(f"What was remembered stays in {data_home()} (--data removes it)")
    for one in () if given.dry_run else copies(os.path.abspath(given.project or ".")):
        print(f"Still installed: {one.how}. To remove it: {one.to_remove}")


def status_line(given: argparse.Namespace) -> None:
    """Sets the status line, brings it up to date or takes it out, and says so."""
    target = target_of(given.project)
    run_hook = run_hook_word(target, os.path.abspath(given.project or "."))
    edit = remove_status_line if given.remove else (
        lambda text: add_status_line(text, run_hook))
    path = os.path.realpath(target.path(SETTINGS_FILE))
    changed = perform(settings_steps(target, read_manifest(target), edit), given.dry_run, target.project)
    if given.dry_run and changed:
        told = "nothing was changed"
    elif given.remove:
        told = f"the status line went out of {path}" if changed else f"{path} has no status line of compact-keeper's"
    else:
        told = f"the status line {'is set in' if changed else 'is as it should be in'} {path}"
    print(f"compact-keeper: {told}")


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
    changed = perform([Step(path, after, is_own=True)], given.dry_run, project)
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


def status(given: argparse.Namespace) -> None:
    """Says what is there."""
    tell_status(os.path.abspath(given.project or "."))


def doctor(given: argparse.Namespace) -> int:
    """Prints what was found; the exit code."""
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
    commands = whole.add_subparsers(prog="install.py", dest="command", required=True, metavar="COMMAND",
                                    help=argparse.SUPPRESS)
    for name, (_, told) in COMMANDS.items():
        one = commands.add_parser(name, help=told, description=told)
        where = one.add_mutually_exclusive_group()
        where.add_argument("--project", nargs="?", const=".", metavar="DIR", help="default: the current folder")
        if name in ("install", "uninstall", "status-line"):
            where.add_argument("--user", action="store_true", help="for all sessions of this user (the default)")
        if name in ("install", "uninstall", "status-line", "instructions"):
            one.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    commands.choices["uninstall"].add_argument("--data", action="store_true", help="what was remembered goes too")
    for name, what in (("status-line", "it"), ("instructions", "the section")):
        commands.choices[name].add_argument("--remove", action="store_true", help=f"take {what} out again")
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
