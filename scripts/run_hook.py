#!/usr/bin/env python3
"""Run a hook script that lies beside this file from its cached bytecode.

Usage: run_hook.py NAME.py [ARGUMENTS]    (hooks.json starts every hook so)

Python compiles the file that it is started with at every start, 10 ms for 700 lines, and keeps the bytecode of what
that imports. Where none can be kept, this takes as long as the script alone. Stdin, stdout and exit code are the
script's.
Python 3.9+, standard library only.
"""
# Version 0.27.0, made by `make build` from src/run_hook.py; change it there.
# Its parts stand in the order of their use.

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

VERSION = "0.27.0"  # of the plugin that this script came with


# ==================================================================================================
# the script: Run a hook script that lies beside this file from its cached bytecode.
# ==================================================================================================

def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the named script's own main; 1 with one line on stderr where none is named that lies here."""
    gc.disable()  # to look for cycles takes 2 to 5 % of a hook, and the process is gone before they matter
    name, *arguments = (sys.argv[1:] if argv is None else argv) or [""]
    folder = os.path.dirname(os.path.abspath(__file__))
    if not os.path.isfile(os.path.join(folder, os.path.basename(name))):
        sys.stderr.write(f"compact-keeper: {name or 'no name'}: no such script in {folder}; "
                         "usage: run_hook.py NAME.py [ARGUMENTS]\n")
        return 1  # not 2, by which a hook would hold a compaction back
    sys.path.append(folder)  # last: no file there hides one of Python's own
    return int(__import__(name.removesuffix(".py")).main(arguments))


def leave(code: int) -> None:
    """Ends the process at once: to take down what was imported costs 2 to 5 ms, and nothing is left to do."""
    try:
        sys.stdout.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    leave(main())
