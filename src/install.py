r"""Install compact-keeper without the plugin system, take it out again, say what is there, try it.

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

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from compact_keeper.setup.bundle import wanted_files, wanted_hooks
from compact_keeper.setup.copy_faults import copies_warnings
from compact_keeper.setup.doctor import run_doctor
from compact_keeper.setup.edit_settings import with_hooks, without_ours
from compact_keeper.setup.file_steps import DRAFT, Step, as_json, perform
from compact_keeper.setup.installed import copies
from compact_keeper.setup.instructions import with_section, without_section
from compact_keeper.setup.leftovers import tell_leftovers
from compact_keeper.setup.manifest import (
    FOLDERS,
    bytecode_of,
    changed_files,
    is_as_installed,
    length_and_sum,
    read_manifest,
    whole_files,
)
from compact_keeper.setup.our_data import OPEN_SESSIONS, may_remove_data, remove_data, what_data_would_go
from compact_keeper.setup.reading import names_in, read_bytes, settings_text
from compact_keeper.setup.settings_steps import local_steps, settings_made, settings_steps
from compact_keeper.setup.status import tell_status
from compact_keeper.setup.status_line_setting import run_hook_word, status_line_of
from compact_keeper.setup.status_line_text import add_status_line, remove_status_line
from compact_keeper.setup.target import (
    BACKUP,
    MANIFEST_FILE,
    OUR_FOLDER,
    SETTINGS_FILE,
    Target,
    existing,
    is_run_in_session,
    target_of,
    typed_command,
)
from compact_keeper.store.folder import SCHEMA, data_home
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.text.version import VERSION
from compact_keeper.types import JsonObject

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
