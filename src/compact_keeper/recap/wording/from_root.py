"""Commands, results and files in short, as seen from the session's first folder, the root."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.wording.commands import change_of_folder, without_headings, without_joined_outputs
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import cut
from compact_keeper.text.listing import first_and_more
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import PATH_BEGINS, file_name, without_folder
from compact_keeper.types import CheckRun

COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16, RUN_RESULT_MAX_UTF16 = 200, 90, 200
FILES_MAX = 5
CD_WITHOUT_FOLDER = r"^cd (?:\./?)? ?(?:&&|⏎|;) "  # what is left of a change into the root


def short_command(command: str, root: str, limit: int = COMMAND_MAX_UTF16) -> str:
    """The command as code on one line, without the root's path and where its errors went.

    What is run in another folder keeps its whole paths.
    """
    command = rows_of_command(command)
    folder, _, rest = change_of_folder(command)
    if folder in ("", ".", root.rstrip("/")):
        command = re.sub(CD_WITHOUT_FOLDER, "", without_root(command, root))
    else:
        command = without_root(command.removesuffix(rest), root) + rest
    return as_code(cut(command, limit))


def rows_of_command(command: str) -> str:
    """The command's rows on one line, without the headings that it prints and without where its errors went."""
    command = without_joined_outputs(without_headings(command))
    return ROW_END.join(line.strip() for line in command.splitlines() if line.strip())


def short_check(run: CheckRun, root: str) -> str:
    """The line in which a check failed, as code; where the check itself would be cut off, the check alone.

    The line where it is not certain which of its checks it was.
    """
    line, check = (short_command(command, root) for command in (run["command"], run["check"]["typed"]))
    is_cut_off = "…" in line and check.strip("`") not in line
    return check if is_cut_off and run["is_certain"] else line


def short_result(result: str, root: str, limit: int = RUN_RESULT_MAX_UTF16) -> str:
    """What the output said, without the working folder's path."""
    return cut(without_root(result, root), limit)


def without_root(text: str, root: str) -> str:
    """The text with the working folder and the paths below it as seen from there."""
    root = root.rstrip("/")
    if not root or root not in text:
        return text
    text = re.sub(rf"([\"']){re.escape(root)}/?\1(?=[\s;|&)]|$)", ".", text)
    text = re.sub(PATH_BEGINS + re.escape(root) + r"(?:(?=[\"'])|/?(?=[\s;&)]|$))", ".", text)
    return without_folder(text, f"{root}/")


def file_names(paths: Sequence[str]) -> str:
    """The first paths by their names, with the folder where two have the same, and how many more there are."""
    names = [*map(file_name, paths)]
    shown = ["/".join(path.split("/")[-2:]) if names.count(name) > 1 else name for path, name in zip(paths, names)]
    return first_and_more(shown, FILES_MAX)
