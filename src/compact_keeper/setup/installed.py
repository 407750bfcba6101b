"""What is installed for a session in a folder: plugins, install.py's copies, those that somebody copied by hand.

Only reads. A file that is broken counts as empty.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from compact_keeper.client.plugin_list import enabled_plugins
from compact_keeper.setup.plugin_folder import clone_folder, own_plugins, running_folder, same
from compact_keeper.setup.reading import names_in
from compact_keeper.setup.target import (
    INSTALLED_FROM,
    MANIFEST_FILE,
    OUR_FOLDER,
    PLUGIN_FOLDER,
    settings_files,
    target_at,
)
from compact_keeper.store.json_files import read_json
from compact_keeper.text.fields import objects_in
from compact_keeper.types import JsonObject

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
