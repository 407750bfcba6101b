"""The lines of changed files: one a file, made of all its changes; one for many of which nothing else can be told."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from compact_keeper.client.changed_lines import OMITTED_ROWS
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.recap.lines.edits import AS_SUMMARISED, alike_line, edits_line, new_files_line
from compact_keeper.recap.lines.shared_rows import (
    files_alike,
    files_by_rows,
    files_without_own_rows,
    rows_shown_elsewhere,
    rows_with_words,
)
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import NO_LINE
from compact_keeper.record.commands.programs import REMOVING_PROGRAMS
from compact_keeper.record.commands.removed_paths import paths_taken_away
from compact_keeper.record.commands.shell import pieces_of, program_in
from compact_keeper.record.endings import has_ended_well
from compact_keeper.text.paths import (
    WITH_FOLDER,
    file_name,
    from_root,
    is_at_or_below,
    is_path_named_in,
    last_parts,
    same_file,
)
from compact_keeper.types import Item, Line, RowsElsewhere

SAME_CHANGE_MIN_CHARACTERS = 60  # shorter ones are shown again
BATCH_MIN, BATCH_SHOWN = 6, 2  # new files of a kind in a folder: with so many the rest share a line

FILE_REMOVED, FILE_GONE, FILE_MOVED = "removed", "gone", " (moved since)"  # gone: moved, and told of at its new path
BRINGS_FILES = (  # back, or from elsewhere, at times without their names
    r"\bgit\b.{0,300}\b(?:(?:checkout|switch)\b(?! -[bc] [\w./-]{1,200} *(?:$|[&;|]|2>))"  # no new branch
    r"|(?:restore|stash|reset|merge|pull|revert|rebase|cherry-pick|am|apply|clone)\b)"
    r"|\b(?:cp|mv|rsync|tar|unzip|patch) ")


class ChangedFiles:
    """The changes of each file, the newest first, and which of them stand on the line of another."""

    def __init__(self, items: Sequence[Item], summary: str, paths: Paths) -> None:
        """Of all items of the session."""
        self.paths, self.summary = paths, summary
        self.known_rows = {line.strip() for line in summary.splitlines()}
        edits = edits_by_file(items)
        taken_away = paths_taken_away_later(items, edits, paths.root)
        self.moved = {path for path, (how, _) in taken_away.items() if how == FILE_MOVED}
        self.edits = {path: of_file for path, of_file in edits.items() if path not in taken_away or path in self.moved}
        self.batches = batches_of_new_files(self.edits)
        singly = {path: edits for path, edits in self.edits.items() if path not in self.batches}
        elsewhere, self.by_rows = rows_shown_elsewhere(singly), files_by_rows(singly)
        self.alike = files_alike(singly, elsewhere, self.by_rows)
        whole = {*files_without_own_rows(singly, elsewhere)}  # their lines show all, or say in which others do
        self.elsewhere = {path: set[str]() if path in whole else rows for path, rows in elsewhere.items()}
        self.shown_by = {path: source for source, files in self.alike.items() for path in files}
        self.changed: dict[str, str] = {}  # by what was changed the file that was shown

    def line_of(self, edit: Item) -> Line:
        """The line of the file, where this is its newest edit; none of others, or where another line tells of it."""
        path = edit["path"]
        edits, batch = self.edits.get(path, []), self.batches.get(path, [])
        if batch:
            return new_files_line(batch, self.paths) if batch[0] is edit else NO_LINE
        if not edits or edits[0] is not edit:
            return NO_LINE
        if path in self.shown_by:
            return self.line_of_alike(path)
        since = FILE_MOVED if path in self.moved else ""
        source = self.by_rows.get(rows_with_words(edits[:1]), path)
        elsewhere: RowsElsewhere = {"rows": self.elsewhere[path], "just_these": source if source != path else ""}
        line = edits_line(edits, self.paths, self.known_rows, elsewhere, since)
        if line.get("what") == AS_SUMMARISED and file_name(path) in self.summary:
            return NO_LINE
        return self.as_in_other(line, self.paths.short(path))

    def line_of_alike(self, path: str) -> Line:
        """The line that several files share whose changes are the same, at the one of them that was changed last."""
        source = self.shown_by[path]
        files = self.alike[source]
        if path != files[0]:
            return NO_LINE
        return alike_line([edit for file in files for edit in self.edits[file]], self.paths, source)

    def as_in_other(self, line: Line, path: str) -> Line:
        """The line of a changed file; where just the same was changed in another file, that is named instead."""
        change = "\n".join(item.get("change", "") for item in line["items"])
        if OMITTED_ROWS in change.replace("+ ", "").splitlines():
            return line  # what was left out of it may differ
        if len(change) < SAME_CHANGE_MIN_CHARACTERS or self.changed.setdefault(change, path) == path:
            return line
        return {"items": line["items"], "text": f"{line['label']}: the same change as in {self.changed[change]}"}


def edits_by_file(items: Sequence[Item]) -> dict[str, list[Item]]:
    """The changes of each file, the newest first; one that failed only where none worked later.

    Those that a later command took back are left out, unless it took back all of them.
    """
    edits: dict[str, list[Item]] = {}
    for item in reversed(items):
        is_edit = item["kind"] == "action" and item["tool"] in CHANGING_TOOLS
        if is_edit and (item["verdict"] != "failed" or item["path"] not in edits):
            edits.setdefault(item["path"], []).append(item)
    for path, of_file in edits.items():
        edits[path] = [edit for edit in of_file if not edit.get("taken_back")] or of_file
    return edits


def paths_taken_away_later(items: Sequence[Item], edits: Mapping[str, Sequence[Item]],
                           root: str) -> dict[str, tuple[str, int]]:
    """By path of a changed file that a command took away after its last change how, and when by its position."""
    newest = {path: of_file[0]["position"] for path, of_file in edits.items()}
    later: dict[str, tuple[str, int]] = {}
    for item in items:
        if item["kind"] != "action" or item["tool"] not in SHELL_TOOLS or not has_ended_well(item):
            continue
        removed, moved = paths_taken_away(item["text"], root, item.get("folder", ""))
        if not removed and not moved:
            continue
        for path in [path for path, position in newest.items() if position <= item["position"]]:
            seen_from_root = from_root(path, root)
            if any(is_at_or_below(seen_from_root, taken) for taken in removed):
                later[path] = FILE_REMOVED, item["position"]
            elif any(is_at_or_below(seen_from_root, taken) for taken in moved):
                is_gone = is_changed_elsewhere(path, item["position"], newest)
                later[path] = FILE_GONE if is_gone else FILE_MOVED, item["position"]
    return later


def removed_files(items: Sequence[Item], taken_away: Mapping[str, tuple[str, int]]) -> dict[str, int]:
    """By path of a changed file that was removed later when that was, by positions; none that may be there again.

    `taken_away`: as `paths_taken_away_later` has it. A file that was removed and made anew had stood as removed.
    """
    removed = {path: at for path, (how, at) in taken_away.items() if how == FILE_REMOVED}
    commands = [item for item in items if item["kind"] == "action" and item["tool"] in SHELL_TOOLS] if removed else []
    return {path: at for path, at in removed.items()
            if not any(may_bring_back(item["text"], path) for item in commands if item["position"] >= at)}


def may_bring_back(command: str, path: str) -> bool:
    """Whether a command line may make a file that was removed: it names it, copies, or takes files from git."""
    return re.search(BRINGS_FILES, command) is not None or any(
        file_name(path) in piece and program_in(piece) not in (*REMOVING_PROGRAMS, "git")
        for piece, _ in pieces_of(command))


def removed_after(said: Item, removed: Mapping[str, int], known: Collection[str]) -> list[str]:
    """The files removed after the agent's words that these name, if at all, as none other of the known paths."""
    return [path for path, at in removed.items() if at > said["position"] and not any(
        file_name(other) == file_name(path) and not same_file(other, path) and is_path_named_in(other, said["text"])
        for other in known)]


def is_changed_elsewhere(path: str, position: int, newest: Mapping[str, int]) -> bool:
    """Whether a file that was moved at this position was changed later at its new path, whose line tells of it then.

    `newest`: by path the position of the last change.
    """
    end = last_parts(path, WITH_FOLDER)
    return any(other != path and changed > position and last_parts(other, WITH_FOLDER) == end
               for other, changed in newest.items())


def batches_of_new_files(edits: Mapping[str, Sequence[Item]]) -> dict[str, list[Item]]:
    """By path of a file that was written once, as many of its kind in its folder: the files that share its line.

    The newest of a kind keep lines of their own: they show what the others are like.
    """
    kinds: dict[tuple[str, str], list[Item]] = {}
    for path, (newest, *older) in edits.items():
        if newest["tool"] == "Write" and newest["verdict"] == "ended" and not older and newest["uses"] == 1:
            folder, _, name = path.rpartition("/")
            kinds.setdefault((folder, name.rpartition(".")[2]), []).append(newest)
    batches: dict[str, list[Item]] = {}
    for of_kind in kinds.values():
        if len(of_kind) >= BATCH_MIN:
            batch = of_kind[BATCH_SHOWN:]
            batches.update(dict.fromkeys((item["path"] for item in batch), batch))
    return batches
