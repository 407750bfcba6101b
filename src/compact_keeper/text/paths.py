"""Paths, whatever system they come from: in one form, whole or not, below a folder, the same file."""

from __future__ import annotations

import os
import posixpath
import re
from functools import lru_cache

from compact_keeper.text.dense import is_dense
from compact_keeper.text.holding import has_word, is_word_sign, places_of

DRIVE = r"[A-Za-z]:[/\\]"  # as a whole path begins on Windows
ON_DRIVE = r"(?:([A-Za-z]):|(?:/mnt)?/([A-Za-z]))(?=/|\Z)"  # also as Git's shell and WSL write it
PARTED_BY_BACKSLASHES = r"[A-Za-z]:\\|\\\\\w"  # how such a path begins
# Not within a URL or behind a host: `sqlite:////srv/app/data.db` without the folder is a path that is not whole.
PATH_BEGINS = r"(?<![\w/.:@~-])"
STEM_MIN_CHARACTERS = 8  # of a file's name without its end, to be known by that alone
WITH_FOLDER = 2  # of a path's last parts: the file with its folder
NAMES_IN_BRACES = r"(?<![\w./\\@+-])([\w./\\@+-]{0,200})\{([^{}\n]{1,600})\}([\w./@+-]{0,200})"
NUMBERED_NAMES = r"(?<![\w./\\-])([\w./\\-]{0,200}?)(\d{1,9}(?:/\d{1,9}){1,60})(\.\w{1,8})\b"
NO_SIGN_OF_PATH = r"[^\w@./-]"
FROM_HERE = r"^(?:\.{0,2}/)+"  # how a path begins that is seen from a folder
HOME_FOLDER = r"(?:[A-Za-z]:)?/(?:root|home/[^/]+|[Uu]sers/[^/]+)/"  # of a person, as the paths below it begin


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(PARTED_BY_BACKSLASHES, path) else path


def with_drive(path: str) -> str:
    """The path; of Windows with its drive in one spelling: `C:/Users` of `c:\\Users`, `/c/Users` and `/mnt/c/Users`.

    Tests that passed in the one stood beside a failure of theirs in the other, which was told as open.
    """
    path = with_slashes(path)
    if path[1:2] != ":" and path[2:3] not in ("/", "") and not path.startswith("/mnt/"):
        return path  # most: a pattern on each took a tenth of a restore
    drive = re.match(ON_DRIVE, path)
    return f"{(drive[1] or drive[2]).upper()}:{path[drive.end():] or '/'}" if drive else path


@lru_cache(maxsize=4_096)  # the same paths and folders are compared again and again
def as_compared(path: str) -> str:
    """The path as two are compared: of Windows with its drive in one spelling, in small letters."""
    spelled = with_drive(path)
    return spelled.lower() if spelled[1:2] == ":" and re.match(DRIVE, spelled) else spelled


def forms_of_folder(folder: str) -> list[str]:
    """How a text may begin the paths below a folder: with slashes, of Windows with backslashes, as Git's shell, WSL."""
    whole = with_end_slash(with_drive(folder))
    if not re.match(DRIVE, whole):
        return [whole]
    small, rest = whole[0].lower(), whole[1:]
    spelled = [whole, small + rest]
    return [*spelled, *(form.replace("/", "\\") for form in spelled), f"/{small}{rest[1:]}", f"/mnt/{small}{rest[1:]}"]


def with_end_slash(folder: str) -> str:
    """The folder with a slash at its end, as the paths below it begin; empty where it is not known."""
    return folder.rstrip("/") + "/" if folder else ""


def is_whole_path(path: str) -> bool:
    """Whether the path begins at the top of its disk, or at a person's own folder."""
    return path.startswith(("/", "~")) or re.match(DRIVE, path) is not None


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, or is it; one that is not whole does, and any where the root is empty."""
    path = with_home(path, root)
    return not is_whole_path(path) or is_at_or_below(path, root)


def with_home(path: str, root: str) -> str:
    """The path, of one that begins with `~` the whole one: in the home in which the root lies, else in this user's.

    A transcript may be of another machine, or of another user's session.
    """
    if path != "~" and not path.startswith("~/"):
        return path
    home = re.match(HOME_FOLDER, with_end_slash(root))
    return f"{home[0]}{path[2:]}".rstrip("/") if home else os.path.expanduser(path)


def is_at_or_below(path: str, folder: str) -> bool:
    """Whether a path, by its letters alone, is the folder or lies below it; any is where the folder is empty."""
    return f"{as_compared(path)}/".startswith(with_end_slash(as_compared(folder)))


def without_folder(text: str, folder: str) -> str:
    """The text with the paths below a folder, which ends with a slash, as seen from there."""
    return re.sub(PATH_BEGINS + re.escape(folder), "", text) if folder and folder in text else text


def from_root(path: str, root: str) -> str:
    """One path as seen from the root; as it is where it lies elsewhere."""
    if not root or not is_at_or_below(path, root):
        return path
    parts_below = as_compared(path).count("/") - as_compared(root).rstrip("/").count("/")
    return last_parts(path, parts_below) if parts_below else path


def whole_path(path: str, folder: str) -> str:
    """The path as a whole one, seen from the folder; its drive in one spelling."""
    path = with_slashes(path)
    return with_drive(posixpath.normpath(path if is_whole_path(path) else with_end_slash(with_slashes(folder)) + path))


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def is_named_in(name: str, text: str) -> bool:
    """Whether a text has a file's name; of one like GoogleOAuthUtil.kt also where it has that without its end."""
    if name and name in text and not all(is_in_longer_name(name, text, begin) for begin in places_of(name, text)):
        return True
    stem = name.partition(".")[0]
    return len(stem) >= STEM_MIN_CHARACTERS and not stem.islower() and has_word(text, stem)


def names_in_lists(text: str) -> str:
    """The names that a text writes as one, each whole on a line: `src/{a, b}.py` and `page3/4/7.png`."""
    names = list[str]()
    for form, sign, between in ((NAMES_IN_BRACES, "{", ","), (NUMBERED_NAMES, "/", "/")):
        for begin, differing, end in re.findall(form, text) if sign in text else ():
            names += [f"{begin}{part.strip()}{end}" for part in differing.split(between)]
    return "\n".join(names)


def is_in_longer_name(name: str, text: str, begin: int) -> bool:
    """Whether the name that stands there in a text goes on, before it or behind it, as that of another file."""
    end = begin + len(name)
    before, behind, next_but_one = text[begin - 1:begin], text[end:end + 1], text[end + 1:end + 2]
    goes_on = is_joined(name[-1], behind) or behind == "-" or (behind == "." and is_word_sign(next_but_one))
    return goes_on or is_joined(name[0], before) or before in (".", "-")


def is_joined(edge: str, beside: str) -> bool:
    """Whether a name goes on with the sign beside its edge: with no letter of a script without spaces, if it has none.

    "请看notes.md和plan.md" names both files, which had stood as not named.
    """
    return is_word_sign(beside) and (is_dense(edge) or not is_dense(beside))


def is_path_named_in(path: str, text: str) -> bool:
    """Whether a text names the file, by its name alone or with folders in which it lies."""
    name = file_name(path)
    if not is_named_in(name, text):
        return False
    words = [text[:begin].rpartition(" ")[2] for begin in places_of(name, text)]
    mentions = [re.split(NO_SIGN_OF_PATH, word)[-1] + name for word in words]
    return not mentions or any(ends_in(path, re.sub(FROM_HERE, "", mention)) for mention in mentions)


def last_parts(path: str, count: int) -> str:
    """A path by its last parts: it is told from another folder at times."""
    return "/".join(path.split("/")[-count:])


def ends_in(path: str, end: str) -> bool:
    """Whether the path, seen from some folder, is the one at its end."""
    return f"/{path}".endswith(f"/{end}")


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = as_compared(path.removeprefix("./")), as_compared(other.removeprefix("./"))
    if ":" in path[1:2] + other[1:2]:
        path, other = path.lower(), other.lower()
    return ends_in(path, other) or ends_in(other, path)


def may_name(word: str, path: str) -> bool:
    """Whether a word of a command may name the path, seen from some folder, a folder above it or what is below it.

    In letters of either size: on Windows and macOS these are the same file. A folder's path ends with a slash.
    """
    word, path = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/").lower(), path.lower()
    if not word:
        return False
    is_below_path = path.endswith("/") and f"/{path}" in f"/{word}"
    return same_file(word, path) or file_name(path) == file_name(word) or f"/{word}/" in f"/{path}/" or is_below_path


def are_apart(folder: str, other: str) -> bool:
    """Whether two folders, each empty where it is not known, certainly lie in none of one another."""
    are_known = is_whole_path(folder) and is_whole_path(other)
    return are_known and not is_below(folder, other) and not is_below(other, folder)
