"""What a summary says of files that the disk has otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from compact_keeper.record.items import is_file_edit
from compact_keeper.record.summary.claims import claims_in
from compact_keeper.record.summary.statements import codes_in
from compact_keeper.text.paths import ends_in
from compact_keeper.types import Item, Statement

LOOKED_AT_MAX = 200  # claims: PostCompact is waited for
FILE_STATES = {"created": "created|added|wrote|new file|was created|was added|( new|— new",
               "deleted": "deleted|removed|was deleted|was removed", "missing": "does not exist yet"}
PATH = (
    r"/?(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
WHAT_IT_IS = (  # behind what was done with a file
    r"( with | created (?=for the )|[(—–] (?:new file|created|(?:new|deleted)(?= [-–—,])) )"
    r"(?!.* (?:and|removed|renamed|moved|replaced) ).*")
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
                exists: Callable[[str], bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's words on a file created or deleted, where the disk lacks it or has it.

    Not where a command may have moved it after its last edit, or before; what none names was never there to be moved.
    """
    meant: list[Statement] = [{**each, "row": re.sub(WHAT_IT_IS, r"\1", each["row"].replace(" the obsolete ", " "))}
                              for each in statements if NOT_YET.isdisjoint(each["heading"].split())]
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])]
    for statement, path, state in claims_in(meant, paths, FILE_STATES)[:LOOKED_AT_MAX]:
        edits = [action["position"] for action in actions
                 if is_file_edit(action) and ends_in(action["path"], path.lstrip("/"))]
        last_edit, is_there = max(edits, default=-1), exists(path)
        if state == "created" and is_there is False:
            name = rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?!\w)"
            is_named = any(re.search(name, action["text"]) for action in actions)
            if not is_named or max(moves, default=-1) <= last_edit:
                yield statement["line"], f"the disk has no {path} now"
        if state != "created" and is_there and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def paths_in(statements: Sequence[Statement]) -> dict[str, str]:
    """The paths in the statements, by their names in rows: in backticks, or with a folder."""
    words = {word.strip(".,;:()") for statement in statements for word in statement["line"].split() if "/" in word}
    bare = {word.lower(): word for word in sorted(words) if re.fullmatch(PATH, word)}
    return {**bare, **codes_in(statements, PATH)}
