"""Files that a summary calls created, deleted or missing while the disk has it otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from compact_keeper.record.summary.claims import claims_in, codes_in
from compact_keeper.record.summary.statements import statements_of
from compact_keeper.types import Item, Statement

FILE_STATES = {
    **dict.fromkeys(("created", "added", "wrote", "new file", "was created", "was added"), "created"),
    **dict.fromkeys(("deleted", "removed", "was deleted", "was removed"), "deleted"), "does not exist yet": "missing"}
PATH = (
    r"(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(
        summary: str, actions: Sequence[Item], files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's line on a file created or deleted, where the disk lacks it or has it.

    Not where a command may have moved it after its last edit, or before.
    """
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in file_states(summary) if files else ():
        edits = [action["position"] for action in actions if action.get("edits") and is_at(path, action["path"])]
        last_edit = max(edits, default=-1)
        if state == "created" and files.get(path) is False and max(moves, default=-1) <= last_edit:
            yield statement["line"], f"the disk has no {path} now"
        if state in ("deleted", "missing") and files.get(path) and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def is_at(end: str, path: str) -> bool:
    """Whether the path is that of which the end is told."""
    return f"/{path}".endswith(f"/{end}")


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in file_states(summary)))


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def file_states(summary: str) -> list[tuple[Statement, str, str]]:
    """The lines that call a file created, deleted or missing, its path, and which; what it is for ends the claim."""
    statements: list[Statement] = []
    for statement in statements_of(summary):
        if "`" in statement["row"] and NOT_YET.isdisjoint(statement["heading"].split()):
            row = statement["row"].replace(" with ", " — … ").replace(" created for the ", " created — … ")
            statements.append({**statement, "row": row})
    return claims_in(statements, codes_in(statements, PATH), FILE_STATES)
