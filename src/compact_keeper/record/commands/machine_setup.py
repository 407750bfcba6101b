"""What a session set up on the person's machine, outside of the project: no look at the repository shows it.

Of 105 real sessions ten had done so: servers for Claude Code, programs, git's own settings, keys. The summaries named
them in general words, if at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.programs import NODE_MANAGERS, PACKAGE_MANAGERS, SUDO_OPTIONS
from compact_keeper.record.commands.shell import EACH_ENDED_WELL, pieces_of
from compact_keeper.record.endings import has_ended_well
from compact_keeper.types import Item

SETUPS_MAX = 5
BY_SUDO = rf"sudo{SUDO_OPTIONS} "
INSTALLS = r"(?:-y )?(?:install|add) (?:-y )?[^\s-]"
SETTING_UP = {  # by program, the words behind it
    "claude": r"(?:mcp (?:add|add-json|remove)|plugin (?:install|marketplace add)) \S",
    **dict.fromkeys(NODE_MANAGERS, r"(?:i|install|add) (?:.{0,80} )?(?:-g|--global)\b"),
    "yarn": r"global add \S", "pipx": INSTALLS, "uv": r"tool install \S", "cargo": r"install (?!--path \.(?:\s|$))\S",
    "gem": INSTALLS, "go": r"install \S+@", "rustup": r"(?:default|(?:target|component) add|toolchain install) \S",
    **dict.fromkeys(PACKAGE_MANAGERS, rf"tap \S|{INSTALLS}"),
    "git": r"config --global (?!--)\S+ \S", "gh": r"auth (?:login|refresh|setup-git)|(?:secret|variable) set \S",
    "ssh-keygen": r".*-f \S", "ssh-add": r"(?!-[lLdD]\b)\S",  # by which a push went through that had failed
    "docker": r"login\b|context use \S", "gcloud": r"auth (?:login|activate-service-account)\b|config set \S",
    "az": r"login\b|account set \S", "aws": r"configure set \S|sso login\b", "kubectl": r"config use-context \S",
    "pyenv": r"(?:install|global) [^\s-]", "nvm": r"(?:install|alias default) [^\s-]",
    "crontab": r"(?!-l)\S", "launchctl": r"(?:load|bootstrap) \S",
    "systemctl": r"(?:--user )?enable \S",
}
SCOPE_OF_USER = r" (?:-s|--scope)[ =]user\b"
OUTPUT_GOES_TO = r"\s*(?:2>&1|\d?>>?\s*\S+)"


def setups(items: Sequence[Item]) -> list[str]:
    """The commands that did it and ended well, the newest first; none twice."""
    commands = [command for item in reversed(items) for command in setups_of(item)]
    return [*dict.fromkeys(commands)][:SETUPS_MAX]


def setups_of(item: Item) -> Iterator[str]:
    """The commands of an action that set something up, without where their output goes."""
    if item["kind"] != "action" or item["tool"] not in SHELL_TOOLS or not has_ended_well(item):
        return
    pieces = pieces_of(item["text"])
    if any(sign not in EACH_ENDED_WELL for _, sign in pieces):
        return
    for piece, _ in pieces:
        program, _, arguments = re.sub(BY_SUDO, "", piece).partition(" ")
        if program in SETTING_UP and re.match(SETTING_UP[program], arguments):
            yield re.sub(OUTPUT_GOES_TO, "", piece)


def is_for_folder(command: str) -> bool:
    """Whether a command adds a server to Claude Code for the folder in which it ran: for all, `user` has to be said."""
    return command.startswith("claude mcp add") and re.search(SCOPE_OF_USER, command) is None
