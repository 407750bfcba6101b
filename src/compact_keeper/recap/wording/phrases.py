"""How things are put into words for the model: moments, code, quoted words, paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import behind_space, cut, units
from compact_keeper.text.marks import as_code, in_quotes
from compact_keeper.text.paths import forms_of_folder, with_slashes
from compact_keeper.text.times import moment
from compact_keeper.types import Item, Line

KNOWN_LINE_MIN_CHARACTERS, KNOWN_ROW_MIN_CHARACTERS, AS_IN_SUMMARY = 20, 120, "[… as in the summary]"
ROWS_AGAIN_MIN, ROW_AGAIN_MIN_CHARACTERS, ROWS_LEFT_OUT = 5, 20, "[… rows as before: {}]"
TIME_IN_ROW = r"(?:\d{4}-\d\d-\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
MARKS_ALONE = r"[\^~]{2,}"
HOME = r"/(?:Users|home)/[\w.-]+(?=/|\Z)"
LEFT_OUT_UTF16 = 40  # that the words take which say how much was left out: less is not left out
SENTENCE_END = r"(?<=[.!?;:])\s+|(?<=[。！？；])"
MOVED = r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300})(?: && | ?; | ?\n)\s*"
# Of a command in the background; of one that runs the whole path stands with what runs.
FOLDER_OF_OUTPUTS = r"(?:/private)?/tmp/claude-\d+/[^\s\"']{1,200}/tasks/(?=\w+\.output\b)"
JOINED_OUTPUTS = r" 2>(?:/dev/null|&1)(?=[\s;)]|$)"  # says nothing of what was done
HEADING_PRINTED = (  # between a line's commands: it took the room of what was run
    r"(?:(?<=&& )|(?<=; )|(?<=;)|(?<=\n)|^)\s*(?:echo|printf)(?: -e)? (?:\"[^\"$`\\]{0,120}\"|'[^']{0,120}')\s*"
    r"(?:&& |;(?!;)\s*|\n+)")


def ago(stamp: str, now: int) -> str:
    """How long before `now` (seconds since 1970) that moment was; "earlier" where one of both is not known."""
    if not stamp or not now:
        return "earlier"
    minutes = (now - moment(stamp)) // 60
    if minutes < 1:
        return "just before"
    return f"{minutes} min before" if minutes < 120 else f"{minutes // 60} h before"


def folded_line(text: str) -> str:
    """The text with its white space folded."""
    return " ".join(text.split())


def rows_on_a_line(text: str) -> str:
    """The text on one line, with a mark between its rows and without empty ones; else its white space folded."""
    return ROW_END.join(filter(None, (" ".join(row.split()) for row in text.splitlines())))


def shared_beginning(text: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, (left, right) in enumerate(zip(text, other)) if left != right), min(len(text), len(other)))


def middle_out(text: str, limit: int) -> str:
    """The text on one line, at most `limit` UTF-16 units: a long one loses its middle, of a command the rarest part."""
    line = folded_line(text)
    if units(line) <= limit:
        return line
    start, end = cut(line, limit * 2 // 3).rstrip("…"), line[-max(limit // 3 - 3, 1):]
    return f"{start.rstrip()} … {end.lstrip()}"


def shortened_words(text: str, limit: int) -> str:
    """The person's words on one line, about `limit` units: whole sentences from both ends, and how much went."""
    line = rows_on_a_line(text)
    if units(line) <= limit + LEFT_OUT_UTF16:
        return in_quotes(line)
    sentences = re.split(SENTENCE_END, line)
    first, last, room = list[str](), list[str](), limit - LEFT_OUT_UTF16
    while sentences and len(sentences[0]) + 1 <= room * (0.6 if not first else 1):
        room -= len(sentences[0]) + 1
        first.append(sentences.pop(0))
        if sentences and len(sentences[-1]) + 1 <= room:
            room -= len(sentences[-1]) + 1
            last.insert(0, sentences.pop())
    if not first:
        start = line[:limit * 2 // 3].rpartition(" ")[0] or line[:limit * 2 // 3]
        end = behind_space(line[-limit // 4:])
        return f"{in_quotes(start)} [{len(line) - len(start) - len(end)} characters left out] {in_quotes(end)}"
    missing = sum(map(len, sentences)) + len(sentences)
    begin, rest = " ".join(first), " ".join(last)
    return f"{in_quotes(begin)} [{missing} characters left out]{' ' + in_quotes(rest) if rest else ''}"


def without_rows_again(text: str) -> str:
    """The text; of a pasted log or traceback each row once, with how many more there were, and no rows of marks.

    The same but for its time is the same. A log of one row again and again had taken a fifth of all that comes back;
    a person's own list has a row again here and there, and stays as it is.
    """
    kept, seen = list[str](), set[str]()
    again = again_in_all = 0  # rows left out since the last one that is kept, and of the whole text
    for row in text.splitlines():
        form = re.sub(TIME_IN_ROW, "", row).strip()
        if re.fullmatch(MARKS_ALONE, form):
            continue
        if len(form) >= ROW_AGAIN_MIN_CHARACTERS and form in seen:
            again, again_in_all = again + 1, again_in_all + 1
            continue
        if again:
            kept.append(ROWS_LEFT_OUT.format(again))
            again = 0
        kept.append(row)
        seen.add(form)
    if again:
        kept.append(ROWS_LEFT_OUT.format(again))
    return "\n".join(kept) if again_in_all >= ROWS_AGAIN_MIN else text


def without_known_lines(lines: Sequence[str], summary: str) -> list[str]:
    """The lines; for longer rows of them that the summary holds word for word a mark.

    A short one stands, as does the last line: code with marks in it reads worse than what they spare.
    """
    kept, row = list[str](), list[str]()
    for line in [*lines, ""]:
        if len(line) > KNOWN_LINE_MIN_CHARACTERS and line.strip("-*# ") in summary and line is not lines[-1]:
            row.append(line)
            continue
        kept += [AS_IN_SUMMARY] if len("".join(row)) > KNOWN_ROW_MIN_CHARACTERS else row
        kept.append(line)
        row = []
    return kept[:-1]


class Paths:
    """Paths in short: as seen from the working folder, and by their name alone once the whole was shown."""

    def __init__(self, items: Iterable[Item], root: str, folder: str) -> None:
        """`items` are all that may be shown: a name that several paths have is no path's."""
        self.root, self.folder = (with_slashes(path).rstrip("/") for path in (root, folder))
        self.left_out = [form for path in sorted({self.root, self.folder}, key=len, reverse=True) if path
                         for form in forms_of_folder(path)]
        home = re.match(HOME, self.folder) or re.match(HOME, self.root)  # another person's stays as it is
        self.home = f"{home[0]}/" if home else ""
        self.inner = self.folder[len(self.root) + 1:] if self.folder.startswith(f"{self.root}/") else ""
        self.outer = f"{self.root}/" if self.inner else ""  # the first folder, where it lies above the present one
        self.above = "../" * (self.inner.count("/") + 1)
        by_name: dict[str, set[str]] = {}
        for item in items:
            path = str(item.get("path") or "")
            by_name.setdefault(path.rpartition("/")[2], set()).add(self.short(path))
        self.taken = {name for name, paths in by_name.items() if len(paths) > 1}
        self.shown: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the folder that the session works in now."""
        for folder in self.left_out:
            if folder in text:
                above = self.above if folder == self.outer else ""
                alone = rf"(?<=[\s\"']){re.escape(folder)}?(?=[\s\"';|&]|$)"  # nothing would be left of it
                text = re.sub(alone, above or ".", text).replace(folder, above)
        if not self.home or self.home not in text:
            return text
        return re.sub(rf"(?<![\w.:/]){re.escape(self.home)}", "~/", text)

    def from_root(self, text: str) -> str:
        """A text that names paths as seen from the session's first folder: as seen from the one below that it works in.

        A path that lies elsewhere below the first folder stays, as it may have been typed so.
        """
        if not self.inner or self.inner not in text:
            return text
        text = re.sub(rf"`cd {re.escape(self.inner)}/? ?(?:&&|;|⏎) ", "`", text)
        return re.sub(rf"(?<![\w./~-]){re.escape(self.inner)}/", "", text)

    def named(self, path: str) -> str:
        """The path: whole when it is shown for the first time, then its name where no other has it."""
        short = self.short(path)
        name = short.rpartition("/")[2]
        if short in self.shown and name not in self.taken and len(name) > 3:
            return name
        self.shown.add(short)
        return short


def by_whom(item: Item) -> str:
    """Whose step it is, where it is a subagent's: it may have gone to another branch, and was taken for the agent's."""
    agent = item.get("by_agent", "")
    return f"subagent {agent}" if agent else ""


def code(text: str, limit: int) -> str:
    """The text as inline code on one line, at most so many units of it."""
    return as_code(middle_out(text, limit))


def without_headings(command: str) -> str:
    """The command without the headings that it prints between its parts."""
    return re.sub(HEADING_PRINTED, "", command) if "echo" in command or "printf" in command else command


def without_joined_outputs(command: str) -> str:
    """The command without where its errors go (`2>&1`, `2>/dev/null`)."""
    return re.sub(JOINED_OUTPUTS, "", command) if " 2>" in command else command


def folder_named(folder: str, paths: Paths) -> str:
    """The folder: whole when first it comes, then by its name, which alone would be a folder in the present one."""
    named = paths.named(folder)
    return named if named == paths.short(folder) else f"…/{named}"


def command_in_short(command: str, paths: Paths) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes.

    Nor with the headings that it prints between its parts, as their output shows them, nor with where errors went.
    """
    command = without_joined_outputs(without_headings(command))
    moved = re.match(MOVED, command) if command.startswith("cd ") else None
    if moved:
        folder = with_slashes(moved["folder"].strip("\"'")).rstrip("/")
        rest = command[moved.end():]
        command = rest if folder == paths.folder else f"cd {folder_named(folder, paths)} && {rest}"
    return without_folder_of_outputs(paths.short(ROW_END.join(command.splitlines())))


def without_folder_of_outputs(text: str) -> str:
    """The text with the files in which the client keeps outputs by their names: their folder took half of a line."""
    return re.sub(FOLDER_OF_OUTPUTS, "…/tasks/", text) if "/tasks/" in text else text


def shared_line(text: str) -> Line:
    """A line that several items tell together."""
    return {"items": [], "text": text}
