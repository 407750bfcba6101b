"""What was looked at, checks that passed, how commits were made: on shared lines, each with what it showed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.tagged import tagged
from compact_keeper.recap.wording import Paths, by_whom, code, command_in_short
from compact_keeper.record.check_programs import CHECK_FAMILIES
from compact_keeper.record.telling_rows import rows_in_short
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.types import Item, Line

LOOKS_ON_A_LINE, LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, OUTPUT_SHOWN_UTF16 = 6, 120, 240, 600
STATED_CHARACTERS, COMMIT_COMMAND_SHOWN_UTF16 = 60, 500
MANY_HITS = r"\d+ hits"
FAILED_READ_SHOWN_UTF16 = 60
NO_MATCHES = "no matches"
SOUGHT_MAX = 8  # a session of probes filled the text
NAME_LOOKED_FOR, NAMES_LOOKED_FOR_MAX, ITEMS_LOOKED_AT_MAX = r"\w{5,80}", 4, 400


def sought_looks(items: Sequence[Item]) -> list[Item]:
    """The newest looks that stand among the steps, as one may show what was asked: the newest first.

    Those of the newest calls, and commands behind the newest message.
    """
    newest_message = max((item["position"] for item in items if item["kind"] == "message"), default=0)
    return [item for item in reversed(items) if item["kind"] == "look" and is_answer_sought(item, newest_message)][
        :SOUGHT_MAX]


def is_answer_sought(look: Item, newest_message: int) -> bool:
    """Whether a look is one of the newest calls, or a command behind the newest message that showed something."""
    is_behind = look["position"] > newest_message and look["tool"] in SHELL_TOOLS
    return bool(look.get("output") or (is_behind and look["result"]))


def looks_lines(items: Sequence[Item], paths: Paths, shown: str, summary: str = "") -> Iterator[Line]:
    """The looks, newest first, several on a line, and checks that passed; not what is `shown` elsewhere.

    Nor those that stand among the steps, files that were changed, bare counts of hits, files read that the summary
    names, nor that a search met nothing where its words came up later.
    """
    changed = {paths.short(item["path"]) for item in items if item["kind"] == "action" and item.get("path")}
    sought = {item["position"] for item in sought_looks(items)}
    row: list[Item] = []
    for item in reversed(items):
        is_among_steps = item["kind"] == "look" and item["position"] in sought
        if is_among_steps or is_read_and_named(item, summary) or is_overtaken_search(item, items):
            continue
        if says_something(item, paths, changed, shown):
            row.append(item)
        if len(row) == LOOKS_ON_A_LINE:
            yield looks_line(row, paths)
            row = []
    if row:
        yield looks_line(row, paths)


def is_read_and_named(item: Item, summary: str) -> bool:
    """Whether it is a file that was read, of which the summary holds the name: nothing else is known of it here."""
    name = item["path"].rpartition("/")[2] if item["kind"] == "look" and item["tool"] == "Read" else ""
    return bool(name) and not item["result"] and name in summary


def is_overtaken_search(item: Item, items: Sequence[Item]) -> bool:
    """Whether it is a search that met nothing, and a name of it stands in what was changed or met after it."""
    if item["kind"] != "look" or item["result"] != NO_MATCHES:
        return False
    names = re.findall(NAME_LOOKED_FOR, item["text"])[:NAMES_LOOKED_FOR_MAX]
    later = [other for other in items[-ITEMS_LOOKED_AT_MAX:] if other["position"] > item["position"]]
    texts = [text for other in later for text in (other.get("change", ""), *other.get("hits", []))]
    return any(name in text for text in texts for name in names)


def looks_line(looks: Sequence[Item], paths: Paths) -> Line:
    """Looks that follow each other, on one line."""
    in_short = [tagged(look_in_short(item, paths), item) for item in looks]
    return {"items": [*looks], "text": f"- {'; '.join(in_short)}"}


def says_something(item: Item, paths: Paths, changed: Set[str], shown: str) -> bool:
    """Whether it is a look or a check that passed, and says more than what is shown elsewhere."""
    if item["kind"] == "action" and item.get("commit"):
        return True  # its hash stands with the repository, how it was made and its message here
    if item["kind"] == "action":
        command = code(command_in_short(item["text"], paths).replace(" 2>&1", ""), LOOK_SHOWN_UTF16)[:STATED_CHARACTERS]
        return item.get("family") in CHECK_FAMILIES and item["verdict"] == "passed" and command not in shown
    if item["kind"] != "look":
        return False
    if item["tool"] == "Read":
        return paths.short(item["path"]) not in changed or bool(item["result"])
    is_stale = any(path.rpartition("/")[2] in item["result"] for path in changed if path)  # lines of a changed file
    return not re.fullmatch(MANY_HITS, item["result"]) and not item.get("output") and not is_stale


def look_in_short(item: Item, paths: Paths) -> str:
    """What was looked at, by which subagent where it was by one, and what it showed."""
    look = own_look_in_short(item, paths)
    return f"by {by_whom(item)}: {look}" if by_whom(item) else look


def own_look_in_short(item: Item, paths: Paths) -> str:
    """What was looked at, and what it showed."""
    if item["tool"] in ("Read", "LS"):
        return file_looked_at(item, paths)
    where = ""
    if item["tool"] not in SHELL_TOOLS:
        where += f" in {paths.named(item['path'])}" if item["path"] else ""
        where += f" ({item['limits'][0]})" if item.get("limits") else ""
    limit = COMMIT_COMMAND_SHOWN_UTF16 if item.get("commit") else LOOK_SHOWN_UTF16
    command = code(command_in_short(item["text"], paths), limit)
    name = "" if item["tool"] in SHELL_TOOLS else f"{item['tool']} "
    shown = shown_in_short(item, paths)
    return f"{name}{command}{where} → {shown}" if shown else f"{name}{command}{where}"


def file_looked_at(item: Item, paths: Paths) -> str:
    """The file or folder that was read, with why that failed or which lines it was."""
    path = paths.named(item["path"])
    if item["result"]:
        return f"{path} ({cut(item['result'], FAILED_READ_SHOWN_UTF16)})"
    return f"{path} (lines {', '.join(item['limits'])})" if item.get("limits") else path


def shown_in_short(item: Item, paths: Paths) -> str:
    """The beginning of what a search or a command showed, of the newest calls more of it; of a commit its hash."""
    if item.get("commit"):
        return text_of(item, "commit")
    result = rows_in_short(paths.short(item["result"]), LOOK_RESULT_SHOWN_UTF16, is_listing=True)
    if item["kind"] == "action":  # a check: its totals say all; the output of one took 600 to 1,200 units
        return f"passed: {result}" if result else "passed"
    output = paths.short(text_of(item, "output"))
    return rows_in_short(output, OUTPUT_SHOWN_UTF16, is_listing=True) if output else result
