"""What was looked at: files that were read, searches, commands that only look, each with what it showed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.client.call_output import CLIENT_FOLDER, SAVED_OUTPUTS, TOO_LARGE
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.recap.lines.edits import sides_of
from compact_keeper.recap.wording.commands import command_in_short
from compact_keeper.recap.wording.joined_rows import joined_in_text, joined_rows, rows_shown
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import by_whom, code, edited_since, lacking_result, shared_line
from compact_keeper.record.commands.shell import pieces_of, program_of, shell_words
from compact_keeper.record.endings import NO_MATCHES
from compact_keeper.record.items import is_file_edit, last_edit_positions
from compact_keeper.record.outcomes.doubtful_ends import OWN_TEXT
from compact_keeper.record.outputs.code_hits import split_hit
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.paths import file_name, is_named_in, last_parts, names_in_lists, same_file
from compact_keeper.types import Item, Line

LOOK_SHOWN_UTF16, LOOK_RESULT_SHOWN_UTF16, OUTPUT_SHOWN_UTF16 = 120, 240, 600
LOOK_WHOLE_UTF16 = 600  # where room is left
SIBLING_FAILED = "‹tool_use_error>"  # another call of the same row failed
ONLY_WAITS = r"sleep [\d.]{1,8}[smh]?"
OTHERS_PACKAGES = "node_modules/"
GIT_STATUS = r"(?:cd \S+ && )?git status\b[^|&;]*$"
MANY_HITS = r"(?:at least )?(\d+) (?:hit|file)s?"
FAILED_READ_SHOWN_UTF16 = 60
SHOWS_ROWS, QUOTES = r"\b(?:cat|sed|head|tail|e?grep|rg|awk|nl|bat|diff)\b", "\"'"
ERRORS_HIDDEN = "2>/dev/null"
ASKS_FOR_OUTPUT = (  # none tells something: no tag, nothing changed
    r"\||\b(?:grep|rg|diff|find|ls|cat|test|check|lint|show|list|status|log)\b"
    r"|\bgit (?:tag|branch)(?: -\w+)? *(?:$|[;&])")
LARGE_FILES_MAX = 4
FILES_READ_SHOWN_UTF16 = 600
SHOWN_AGAIN_BY_CLIENT = 5  # files, those that were read or edited last
OUTPUT_OF_JOB = r"/tasks/\w+\.output$"
ROUTE_ASKED = r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:/\w[\w.-]{0,80}){2,20})"
END_OF_ROUTE = r"(?:/(?:index|route|page|\+server|\+page))?\.\w{1,6}$"  # of a file that is found by its path
NAME_LOOKED_FOR, NAMES_LOOKED_FOR_MAX, ITEMS_LOOKED_AT_MAX = r"\w{5,80}", 4, 400
# Why a look is not told, in words for the person.
SHOWS_EDITED = "looks at files that Claude edited, before or since"
LISTS_NAMES = "lists of files by name, which can be made again"
NOT_RUN = "looks that did not run, since another call beside them failed"
NOT_SHOWN = "files that were too large to be read whole"
NOTHING_OF_WORK = "waits, and looks at compact-keeper's own text"
BEFORE_COMMIT = "git's state of before a commit"
NAMED_ALREADY = "files that were only read, and that the summary or an edit names"
IS_UNCLEAR = "looks that printed nothing and hid their errors: they may have failed"
COUNT_ALONE = "searches of which only the number of hits is known"
MET_LATER = "searches that met nothing, for what was written or met later"


def is_telling_look(look: Item, items: Sequence[Item], edited: Mapping[str, int], summary: str) -> bool:
    """Whether a look shows something that still holds."""
    return not why_untold(look, items, edited, summary)


def why_untold(look: Item, items: Sequence[Item], edited: Mapping[str, int], summary: str) -> str:
    """Why a look shows nothing that still holds, in words for the person; empty where it does.

    `edited`: by the files' names and paths the position of the last edit.
    """
    why = why_nothing_is_shown(look)
    if why:
        return why
    if look["tool"] in SHELL_TOOLS and re.match(GIT_STATUS, look["text"]) and any(
            item.get("commit") and item["position"] > look["position"] for item in items):
        return BEFORE_COMMIT  # which took in what it lists
    if look.get("output"):
        return SHOWS_EDITED if are_hits_gone(look, items) else ""
    if look["tool"] == "Read":  # else nothing but the name is told
        return NAMED_ALREADY if not look["result"] and is_known_file(look["path"], edited, summary) else ""
    return why_result_is_over(look, items, edited)


def why_nothing_is_shown(look: Item) -> str:
    """Why a look shows nothing that is ever told; empty where it may.

    Which files a search by names met is not: they can be listed again, and no answer needed one.
    """
    result = look["result"]
    if look["tool"] == "Glob" and result != NO_MATCHES:
        return LISTS_NAMES
    if result.startswith(SIBLING_FAILED):
        return NOT_RUN
    if re.match(TOO_LARGE, result):  # see too_large_lines
        return NOT_SHOWN
    return NOTHING_OF_WORK if result == OWN_TEXT or re.fullmatch(ONLY_WAITS, look["text"]) else ""


def why_result_is_over(look: Item, items: Sequence[Item], edited: Mapping[str, int]) -> str:
    """Why what a search or an older command showed does not hold any more, or says nothing; empty where it does."""
    result = look["result"]
    is_of_before = look["tool"] in SHELL_TOOLS and shows_rows_of_before(look, edited)
    if is_of_before or any(name in result for name in edited if name):
        return SHOWS_EDITED  # its lines have moved, or it is a `git diff` of what the edits tell
    # Whether there was nothing or it failed nobody knows: nine such had stood in one text.
    if not result and errors_unseen(look["text"]) and look is not items[-1]:
        return IS_UNCLEAR
    if re.fullmatch(MANY_HITS, result) and not current_hits(look, edited):
        return COUNT_ALONE
    return MET_LATER if is_overtaken_search(look, items) else ""


def is_known_file(path: str, edited: Mapping[str, int], summary: str) -> bool:
    """Whether a file was edited, or is named in the summary; with its folder where another of its name was edited.

    Four of six `page.tsx` that were read had stood nowhere, since a fifth one was edited.
    """
    name = file_name(path)
    if name not in edited:
        return is_named_in(name, summary)
    is_edited = path in edited or any("/" in other and same_file(path, other) for other in edited)
    return is_edited or is_named_in(last_parts(path, 2), summary)


def shows_rows_of_before(look: Item, edited: Mapping[str, int]) -> bool:
    """Whether a command showed rows of a file that was edited after it."""
    names = {file_name(word.strip(QUOTES)) for word in look["text"].split()}
    return re.search(SHOWS_ROWS, look["text"]) is not None and any(
        edited.get(name, -1) > look["position"] for name in names if name)


def is_bare_read(look: Item) -> bool:
    """Whether nothing can be told of a look but that the main agent read the file."""
    return look["tool"] == "Read" and not (look["result"] or by_whom(look))


def files_read_lines(items: Sequence[Item], summary: str, paths: Paths) -> Iterator[Line]:
    """The files that were read and neither edited nor named in the summary, on one line; none where there are none.

    Readers lost a question on where a file lies and one on a plan of the project, which had been read and nothing more.
    """
    edited, named = last_edits(items), f"{summary}\n{names_in_lists(summary)}".replace("\\", "/")
    looks = [item for item in reversed(items) if item["kind"] == "look" and is_bare_read(item)]
    reads = [look for look in looks if is_of_project(look["path"]) and is_telling_look(look, items, edited, named)]
    if reads:
        names = [*dict.fromkeys(file_looked_at(look, paths) for look in reads)]
        unnamed = " and not named in the summary" if summary else ""
        text = f"- read{unnamed}, newest first: {cut(', '.join(joined_rows(names)), FILES_READ_SHOWN_UTF16)}"
        yield {"items": reads, "text": text}


def file_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The short files that were read and that the session did not edit since, with their rows, the newest first.

    None of those that the client itself shows again behind a compaction.
    """
    edits = last_edit_positions(items)
    again = {item["path"]: None for item in reversed(items)
             if item.get("tool") in (*CHANGING_TOOLS, "Read") and not by_whom(item)}
    shown_again = [*again][:SHOWN_AGAIN_BY_CLIENT]
    for look in reversed(items):
        if not look.get("printed") or not is_bare_read(look):
            continue
        if is_of_project(look["path"]) and look["path"] not in shown_again and not any(
                position >= look["position"] and same_file(path, look["path"]) for path, position in edits.items()):
            yield {"items": [look], "text": f"- {file_looked_at(look, paths)}: {look['printed']}"}


def is_of_project(path: str) -> bool:
    """Whether a file belongs to the project: to no package of others and not to the client."""
    if OTHERS_PACKAGES in path or CLIENT_FOLDER in path or SAVED_OUTPUTS in path:
        return False
    return not re.search(OUTPUT_OF_JOB, path)


def last_edits(items: Sequence[Item]) -> dict[str, int]:
    """By file name, and by whole path, the position of the last edit."""
    edits = [(item["path"], item["position"]) for item in items if is_file_edit(item)]
    return {name: position for path, position in edits for name in (file_name(path), path)}


def current_hits(look: Item, edited: Mapping[str, int]) -> list[str]:
    """The hits of a search without those in packages of others and in files edited since."""
    hits = [hit for hit in look.get("hits", []) if OTHERS_PACKAGES not in hit]
    return [hit for hit in hits if edited.get(file_name(hit.partition(":")[0]), -1) < look["position"]]


def are_hits_gone(look: Item, items: Sequence[Item]) -> bool:
    """Whether each row that a search met was taken away by a later edit of its file."""
    hits = [split_hit(hit) for hit in look.get("hits", [])]
    later = edits_behind(look, items) if hits else []
    return bool(later) and all(code and any(
        same_file(edit["path"], path) and code in sides_of(edit.get("change", ""))[0]
        for edit in later) for path, _, code in hits)


def hits_edited_since(look: Item, items: Sequence[Item]) -> str:
    """Which files with hits that are shown, or may be where room is left, were edited after the search."""
    is_shown = look.get("output") or look.get("printed")
    met = {split_hit(hit)[0] for hit in look.get("hits", [])} if is_shown else ()
    files = {edit["path"]: None for edit in (edits_behind(look, items) if met else ())
             if any(same_file(edit["path"], path) for path in met)}
    return edited_since(files)


def edits_behind(look: Item, items: Sequence[Item]) -> list[Item]:
    """The edits after a look, those behind it in its own row too, where the agent sent several calls at once."""
    index = next(number for number, item in enumerate(items) if item is look)
    return [edit for edit in items[index + 1:] if is_file_edit(edit)]


def too_large_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """The files that Read did not show as they were too large, on one line: whoever goes on tries them whole again."""
    sizes: dict[str, str] = {}
    for look in reversed(items):
        if look["kind"] != "look" or look["tool"] != "Read" or SAVED_OUTPUTS in look["path"]:
            continue
        size = re.match(TOO_LARGE, look["result"])
        if size:
            sizes.setdefault(paths.short(look["path"]), size[1])
    shown = [f"{path} ({size})" for path, size in sizes.items()][:LARGE_FILES_MAX]
    if shown:
        yield shared_line(f"- too large for Read as a whole, when it was tried: {', '.join(shown)}")


def is_overtaken_search(search: Item, items: Sequence[Item]) -> bool:
    """Whether a search met nothing, and a name that it looked for stands in what was changed or met after it."""
    if search["result"] != NO_MATCHES:
        return False
    if search["tool"] == "Glob" and any(
            other.get("edits") and other["position"] > search["position"] and is_met_by(other["path"], search)
            for other in items):
        return True
    names = re.findall(NAME_LOOKED_FOR, search["text"])[:NAMES_LOOKED_FOR_MAX]
    later = [other for other in items[-ITEMS_LOOKED_AT_MAX:] if other["position"] > search["position"]]
    texts = [text for other in later for text in (other.get("change", ""), *other.get("hits", []))]
    return any(name in text for text in texts for name in names)


def is_met_by(path: str, search: Item) -> bool:
    """Whether a search by names meets this path, or a folder above it: that was made after a search that met none."""
    from fnmatch import fnmatchcase
    parts = [part for part in (search["path"], search["text"]) if part]
    form = "/".join(parts).removeprefix("**/")
    forms = (form, f"*/{form}", f"{form}/*", f"*/{form}/*")
    return any(fnmatchcase(path, form) for form in forms)


def route_edited_since(command: Item, edits: Mapping[str, int]) -> str:
    """Which files were edited after a command that asked a server here, and have the path that it asked for as theirs.

    `edits`: by whole paths the position of the last edit. `pages/api/rates.js` answers `/api/rates`: an answer without
    a login had stood, from before the edit that asks for one.
    """
    routes = re.findall(ROUTE_ASKED, command["text"]) if "://" in command["text"] else []
    files = [path for path, position in edits.items() if routes and position > command["position"]
             and re.sub(END_OF_ROUTE, "", path).endswith(tuple(routes))]
    return edited_since(files)


def rows_edited_since(command: Item, edits: Mapping[str, int]) -> str:
    """Which of the files whose rows a command showed were edited after it; `edits`: as `route_edited_since` has it."""
    if command["tool"] not in SHELL_TOOLS or not re.search(SHOWS_ROWS, command["text"]):
        return ""
    later = [path for path, position in edits.items()
             if position > command["position"] and file_name(path) in command["text"]]
    pieces = [shell_words(piece) for piece, _ in pieces_of(command["text"])] if later else []
    showing = [words for words in pieces if re.fullmatch(SHOWS_ROWS, program_of(words))]
    names = {word.strip(QUOTES) for words in showing for word in words[1:]}
    return edited_since(path for path in later if any(same_file(path, name) for name in names if name))


def look_line(look: Item, edited: Mapping[str, int], paths: Paths, since: str) -> Line:
    """The line of a look; its rows are the hits that still hold, behind a bare count as what was counted."""
    by = f"by {by_whom(look)}: " if by_whom(look) else ""
    shown = shown_in_short(look, paths)
    line: Line = {"items": [look], "text": f"- {by}{look_in_short(look, paths, shown)}{since}",
                  "rows": [paths.short(hit) for hit in current_hits(look, edited)]}
    if look.get("printed") or units(look["text"]) > LOOK_SHOWN_UTF16:
        printed = joined_in_text(paths.short(look["printed"])) if look.get("printed") else shown
        line["fuller"] = [f"- {by}{look_in_short(look, paths, printed, LOOK_WHOLE_UTF16)}{since}"]
    count = None if look.get("output") else re.fullmatch(MANY_HITS, look["result"])
    return {**line, "before_rows": ": ", "hits": int(count[1])} if count else line


def look_in_short(item: Item, paths: Paths, shown: str, most: int = LOOK_SHOWN_UTF16) -> str:
    """What was looked at, `most` UTF-16 units of a command, and what it showed, which is `shown`."""
    if item["tool"] in ("Read", "LS"):
        return f"Read {file_looked_at(item, paths)}"
    call = code(command_in_short(item["text"], paths), most)
    if item["tool"] not in SHELL_TOOLS:
        where = f" in {paths.short(item['path'])}" if item["path"] else ""
        files = f" ({item['files_searched']})" if "files_searched" in item else ""
        call = f"{item['tool']} {call}{where}{files}"
    is_running = text_of(item, "verdict") == "running"
    shown = shown or (f"({lacking_result(item)})" if is_running else errors_unseen(item["text"]))
    if not shown and item.get("is_silent") and re.search(ASKS_FOR_OUTPUT, item["text"]):
        shown = "(no output)"
    return f"{call} → {shown}" if shown else call


def errors_unseen(command: str) -> str:
    """What has to be said of a command without an output whose errors went nowhere: it may have failed."""
    return "(no output; errors were hidden)" if ERRORS_HIDDEN in command else ""


def file_looked_at(item: Item, paths: Paths) -> str:
    """The file or folder that was read, with why that failed or which lines it was."""
    path = paths.short(item["path"])
    if item["result"]:
        return f"{path} ({cut(item['result'], FAILED_READ_SHOWN_UTF16)})"
    return f"{path} (lines {', '.join(item['rows_read'])})" if item.get("rows_read") else path


def shown_in_short(item: Item, paths: Paths) -> str:
    """The beginning of what a search or a command showed, of the newest calls more of it."""
    output = paths.short(text_of(item, "output"))
    limit = OUTPUT_SHOWN_UTF16 if output else LOOK_RESULT_SHOWN_UTF16
    return rows_shown(output or paths.short(item["result"]), limit, is_listing=True)
