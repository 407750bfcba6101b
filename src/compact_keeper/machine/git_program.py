"""How git is started so that no repository makes it run anything: without a line of the repository's own settings.

Git's settings can name programs (filters, monitors, hooks, signers, pagers, transports), and .git/config is the
repository's. So git is given another folder as its own, an empty one of ours, and from the repository only what holds
no settings: the objects, the index and the working tree. A .gitattributes may name a filter, but nothing says what it
would run. Branches are unknown to it then; commits are named to it by their hash. The person's settings are not read
either, as a .gitattributes could choose a filter of theirs.
"""

from __future__ import annotations

import os
import sys

from compact_keeper.store.folder import private_folder, replace_file
from compact_keeper.store.refusal import Refusal

EMPTY_FOLDER = "empty.git"  # in the data folder
EMPTY_HEAD, EMPTY_FOLDERS = "HEAD", ("objects", "refs")  # what git wants to see in a folder of its own
APPLE_SHIM = "/usr/bin/git"  # asks to install the developer tools where they are missing; it starts one of these:
APPLE_PROGRAMS = ("/Library/Developer/CommandLineTools/usr/bin/git",
                  "/Applications/Xcode.app/Contents/Developer/usr/bin/git")


def git_program(top: str) -> str:
    """The path of git; empty where there is none outside of the repository that begins at `top`."""
    for folder in filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        path = os.path.join(folder, "git")
        for program in APPLE_PROGRAMS if path == APPLE_SHIM and sys.platform == "darwin" else (path,):
            if os.path.isfile(program) and os.access(program, os.X_OK) and not leads_through(program, top):
                return program
    return ""


def leads_through(program: str, top: str) -> bool:
    """Whether the program is in the folder `top`: by its name, by its folder, or by where a link leads."""
    tops = tuple(os.path.join(folder, "") for folder in (os.path.abspath(top), os.path.realpath(top)))
    paths = (os.path.abspath(program), os.path.join(os.path.realpath(os.path.dirname(program)), "git"),
             os.path.realpath(program))
    return any(path.startswith(tops) for path in paths)


def git_environment(top: str, git: str, common: str) -> dict[str, str]:
    """The environment in which git sees the repository without its settings; empty where our empty folder cannot be.

    `top` is the working tree, `git` its .git folder, `common` the .git folder that has the objects.
    """
    empty = empty_folder()
    if not empty:
        return {}
    return {
        "GIT_DIR": empty, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": os.path.join(git, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(common, "objects"), "GIT_SHALLOW_FILE": os.path.join(common, "shallow"),
        "HOME": empty, "XDG_CONFIG_HOME": empty, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "",
        "PATH": "", "LC_ALL": "C"}


def empty_folder() -> str:
    """The path of our folder that git takes for its own; empty where it cannot be made, or something else is in it."""
    try:
        path = os.path.abspath(private_folder(EMPTY_FOLDER))
        for name in EMPTY_FOLDERS:
            private_folder(EMPTY_FOLDER, name)
        if not os.path.isfile(os.path.join(path, EMPTY_HEAD)):
            replace_file(os.path.join(path, EMPTY_HEAD), b"ref: refs/heads/none\n")
        others = {name for name in os.listdir(path) if not name.startswith(EMPTY_HEAD)} - {*EMPTY_FOLDERS}
    except (OSError, Refusal):
        return ""
    return "" if others else path
