"""What a summary says of files that the disk has otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from compact_keeper.record.summary.claims import claims_in
from compact_keeper.record.summary.statements import OPEN_WORDS, codes_in, statements_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.paths import ends_in
from compact_keeper.types import Item, Statement

FILE_STATES = {"created": "created|added|wrote|new file|was created|was added",
               "deleted": "deleted|removed|was deleted|was removed", "missing": "does not exist yet"}
PATH = (
    r"/?(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7}"
    r"|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Just)file|LICENSE|CODEOWNERS)")
NOT_YET = frozenset("pending next todo to plan plans planned proposed proposal remaining".split())  # in a heading
SAYS_MORE = (  # of the file, behind what was done with it
    r"( with | created (?=for the )|(?<=created )`[^`]+` (?=(?:to|for|component|module|script|file|document) (?!now))"
    r"|[(—–] (?:new file|created|(?:new|deleted)(?= [-–—,])) (?=[^);]))"
    r"(?![^;]* (?:and|removed|renamed|moved|replaced) )[^;]*")
SAYS_MORE_WORDS = (" with ", "created ", " new ", " deleted ")  # such words have one
MAY_MOVE = r"\b(?:rm|mv|unlink|trash|delete|git (?:stash|reset|clean|restore|merge|rebase|pull|checkout|switch))\b"


def file_claims(statements: Sequence[Statement], actions: Sequence[Item], paths: Mapping[str, str],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's words on a file created or deleted, where the disk lacks it or has it; what it is for ends them.

    Not where a command may have moved it after its last edit, or before; what none names was never there to be moved.
    """
    meant: list[Statement] = [{**each, "row": row_of_state(each["row"])} for each in statements if (
        NOT_YET.isdisjoint(each["heading"].split()) and not paths.keys().isdisjoint(each["row"].split()))]
    claims = claims_in(meant, paths, FILE_STATES) if files else []
    moves = [action["position"] for action in actions if re.search(MAY_MOVE, action["text"])] if claims else []
    for statement, path, state in claims:
        edits = [action["position"] for action in actions if action.get("edits") and ends_in(
            action["path"], path.lstrip("/"))]
        last_edit = max(edits, default=-1)
        name = rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?!\w)"
        is_named = any(re.search(name, action["text"]) for action in actions)
        if state == "created" and files.get(path) is False and (max(moves, default=-1) <= last_edit or not is_named):
            yield statement["line"], f"the disk has no {path} now"
        if state in ("deleted", "missing") and files.get(path) and min(moves, default=last_edit) >= last_edit:
            yield statement["line"], f"the disk has {path}"


def row_of_state(row: str) -> str:
    """The row without what it says of a file behind what was done with it."""
    row = row.replace(" the obsolete ", " ")
    if holds_any(row, SAYS_MORE_WORDS) and OPEN_WORDS.isdisjoint(row.split()):
        row = re.sub(SAYS_MORE, r"\1 ", row)
    return re.sub(r"\( new (?=[)–—,-]|$)", "( new file ", row) if "( new " in row else row


@lru_cache(maxsize=2)  # as statements_of
def paths_in(summary: str) -> dict[str, str]:
    """The paths in the summary's statements, by their names in rows: in backticks, or with a folder."""
    statements = statements_of(summary)
    words = {word.strip(".,;:()") for statement in statements if "/" in statement["line"]
             for word in statement["line"].split() if "/" in word}
    bare = {word.lower(): word for word in sorted(words) if re.fullmatch(PATH, word)}
    return {**bare, **codes_in(statements, PATH)}
