"""What belongs into a configuration folder: the bundle's hooks, scripts and skills, with their paths there."""

from __future__ import annotations

import json
import os
import re

from compact_keeper.setup.reading import read_bytes
from compact_keeper.setup.target import INSTALLED_FROM, OUR_FOLDER, PLUGIN_FOLDER, Target
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Hooks

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
