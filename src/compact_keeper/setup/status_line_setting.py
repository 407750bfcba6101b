"""The status line that a session in a folder has: whose it is, whether it is as install.py would set it."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from compact_keeper.setup.installed import plugins
from compact_keeper.setup.plugin_folder import own_plugins
from compact_keeper.setup.reading import settings_text
from compact_keeper.setup.status_line_text import add_status_line, runs_ours
from compact_keeper.setup.target import (
    INSTALLED_FROM,
    LOCAL_FILE,
    OUR_FOLDER,
    Target,
    is_run_in_session,
    settings_files,
    target_at,
    typed_command,
)
from compact_keeper.store.json_files import read_json
from compact_keeper.store.refusal import Refusal


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
