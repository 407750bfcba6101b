"""The files that a session changed, for the notes, and which of them git took back to what is committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compact_keeper.notes.wording import code_shown, local
from compact_keeper.record.commands.seen_from_folder import seen_from_folder
from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.taken_back import edit_key, taken_back
from compact_keeper.text.fields import text_of
from compact_keeper.text.paths import from_root, whole_path
from compact_keeper.text.times import moment
from compact_keeper.types import Item


def files_changed(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The files that were changed, each with the time of its last change that stands, the last one first.

    Those that a shell command wrote, too: the session had committed one that was not listed.
    """
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    actions = [item for item in seen_from_folder(items, root, folder) if item["kind"] == "action"]
    changes = [change for action in actions for change in changes_by(action, root)]
    commands = [action for action in actions if not action.get("edits")]
    back = taken_back([*commands, *changes], marked_events(commands, root), root, folder)
    last: dict[str, Item] = {}
    for change in reversed(changes):
        path = change["text"]
        if path not in last or (edit_key(last[path]) in back and edit_key(change) not in back):
            last[path] = change
    lines = []
    for path, change in last.items():
        discard = back.get(edit_key(change))
        since = f", taken back since by {code_shown(discard['command'])}" if discard else ""
        lines.append(f"{code_shown(path)} ({local(moment(change['last']))}){since}")
    return lines


def changes_by(action: Item, root: str) -> list[Item]:
    """The edits of files that an action made: itself, or of each file that a command wrote its writing."""
    if action.get("edits"):
        return [action]
    return [{**action, "text": from_root(path, root), "path": whole_path(path, root), "tool": "Write", "edits": 1}
            for path in action.get("wrote", ())]
