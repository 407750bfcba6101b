"""What compact-keeper has written into its data folder, and its removal: `install.py uninstall --data`."""

from __future__ import annotations

import os
import re
import shutil
import sys

from compact_keeper.client.asking import is_agreed_to
from compact_keeper.setup.reading import names_in
from compact_keeper.store.folder import data_home
from compact_keeper.store.refusal import Refusal

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
