"""What a step of a turn tells: a call with its input, how it ended, and what its output tells.

Secrets are replaced in the whole of a text before anything of it is chosen: half a secret is not seen as one. How a
command ended is said by its output (`record/outcomes/outcome.py`): a failure behind a pipe is a failure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from compact_keeper.archive.passages import LEFT_OUT_LINE, RESULT_LINE, with_marks
from compact_keeper.client.blocks import REJECTION, report_of
from compact_keeper.client.call_output import FILES_MODIFIED, FOLDER_RESET, exit_code_in, name_in_background
from compact_keeper.client.tools import (
    CHANGING_TOOLS,
    PATH_FIELDS,
    SEARCH_TOOLS,
    SHELL_TOOLS,
    SUBAGENT_TOOLS,
    content_in,
    edits_in,
)
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.outcomes.outcome import outcome_of
from compact_keeper.record.outputs.search_hits import search_hits
from compact_keeper.text.fields import first_text, text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import before_space, ends_of_output
from compact_keeper.text.quotation import quote, quote_all
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.types import JsonObject

STEP_MAX_CHARACTERS = 2_000  # of a call's input, and of what is kept of its output
REPORT_MAX_CHARACTERS = 20_000  # of a subagent's order and of its report, which stand nowhere else
SCRIPT_MAX_CHARACTERS, CALL_LINE_MAX_UTF16, STEP_LINE_MAX_CHARACTERS = 4_000, 500, 300
CHANGE_MAX_CHARACTERS, GONE_MAX_CHARACTERS = 4_000, 1_000  # of the lines that an edit put in, and took away
FILE_LOOKED_AT_CHARACTERS = 12_000  # of a new file or a side of an edit; whole lines, so that no secret is cut
READ_MAX_CHARACTERS, READ_LINE_MAX_CHARACTERS = 1_000, 160  # of a file that was read, and of each of its lines
FIRST_LINES, LAST_LINES_KEPT = 3, 5  # of a long output
ARGUMENTS_DEPTH_MAX = 4  # of lists and objects in arguments: questions, question, options, option
INDENT = "    "
FAULT_WORDS = (
    "error", "fail", "warn", "panic", "exception", "traceback", "fatal", "denied", "refused", "not found", "no such",
    "cannot", "undefined", "conflict", "mismatch", "timed out", "missing", "expected", "rejected")
FIGURES_LINE = (  # a sign first, as in PATH_LINE, and then what stands before it: others are passed over at once
    r"\d(?<!\w.)\d* (?:\w+ )?(?:passed|failed|skipped|tests?|errors?|warnings?|problems?|issues?|changed|insertions?"
    r"|deletions?|total|commits?|matches)\b|(?=[torc])\b(?:total|tests|ok|result|coverage)\b.*\d|[-=]> "
    r"|[0-9a-f](?<!\w.)(?:(?<=\d)|(?=[a-f]*\d))[0-9a-f]{6,39}\b|^(?:\?\?|[ madrcu]{2}) \S|https?://")
PATH_LINE = r"/(?<=[\w.@-]/)[\w./@-]|\.(?<=\w\.)(?:py|go|ts|tsx|js|jsx|rs|java|rb|c|h|cpp|md|json|ya?ml|toml|sh|sql)\b"
NUMBERED_LINE = r" {0,12}(\d{1,8})(?:→|\t| )([^\w\n]{0,200}\w.*)"  # of a file, as Read prints it; with a word
LINE_NUMBER = r" {0,12}(\d{1,8})(?:→|\t)"  # the same of any line
OUTLINE_LINE = (
    r"\[\w|(?:export |default |pub(?:\(\w+\))? |public |private |static |async )*"
    r"(?:def|class|func|fn|function|const|type|interface|struct|impl|enum|trait|module|describe|it|test)\b")
HEADING_LINE = r"#{1,6} \S"  # in Markdown; elsewhere it is a comment
COMMENT_SIGNS, COMMENT_BEHIND_CODE = ("//", "#", "*", "/*", "--", ";", "<!--", '"""'), r".*\S\s{1,20}(?://|#) "
MARKDOWN_ENDS = (".md", ".mdx", ".markdown", ".mdc")
DUTY_WORDS = (  # of comments that say what has to be so, and why
    "must", "never", "always", "only", "todo", "fixme", "note", "because", "do not", "don't", "default", "warning",
    "important", "deprecated", "instead", "avoid", "otherwise")
VALUE_LINE = (
    r"(?:[-+*] )?(?:[\w.$@\]\[ ]{1,60}|\"[^\"]{1,60}\"|'[^']{1,60}')[ \t]{0,20}(?::=|=>|=|:)[ \t]{0,20}"
    r"(?:[\"'`\d\[-]|true|false|null|nil|none)|[-*|] ")
DATA_LINE = r"[\w+/=-]{40,}$"  # without a blank: in the middle of a private key nothing else says what it is
MESSAGE_LINE = r".*[\"'`]\W{0,3}\w+ \w+ \w"  # a quoted sentence, as in an error that is raised
BACKGROUND_ADVICE = " You will be notified when"
# Below an output, from there on it is the client's.
CLIENTS_MARKS = ("<system-reminder>", f"\n{FILES_MODIFIED}", f"\n{FOLDER_RESET}")


def call_step(tool: str, given: JsonObject) -> list[str]:
    """Kind and text of a call before it has ended."""
    path = first_text(given, PATH_FIELDS)
    if tool in SHELL_TOOLS:
        return ["command", safe(text_of(given, "command"), SCRIPT_MAX_CHARACTERS)]
    if tool == "ExitPlanMode":
        return ["answer", safe(text_of(given, "plan"), REPORT_MAX_CHARACTERS)]
    if tool in CHANGING_TOOLS:
        return ["file", f"{tool} {quote(path, CALL_LINE_MAX_UTF16)}\n{set_in(change_lines(tool, given))}".rstrip()]
    if path or tool in SEARCH_TOOLS:
        rest = " ".join(filter(None, (f"{given.get(name, '')}" for name in ("pattern", "glob", "offset", "limit"))))
        return ["file", quote(f"{tool} {path} {rest}", CALL_LINE_MAX_UTF16)]
    if tool in SUBAGENT_TOOLS:
        order = safe(text_of(given, "prompt"), REPORT_MAX_CHARACTERS)
        about = quote(f"{tool} {text_of(given, 'subagent_type')} {text_of(given, 'description')}", CALL_LINE_MAX_UTF16)
        return ["command", f"{about}\n{set_in(order.splitlines())}".rstrip()]
    return ["command", safe(f"{tool} {arguments_text(given)}", STEP_MAX_CHARACTERS)]


def safe(text: str, most: int) -> str:
    """The text without secrets and tags, cut after that."""
    return redact(clean(text)).strip()[:most]


def set_in(lines: Iterable[str]) -> str:
    """The lines further in, as those of a call's input and output stand."""
    return "\n".join(INDENT + line for line in lines)


def change_lines(tool: str, given: JsonObject) -> Iterator[str]:
    """The lines in which an edit differs, "- " before what went and "+ " before what came; of a new file its lines."""
    content = content_in(tool, given)
    yield from within_room(safe_lines(content), STEP_MAX_CHARACTERS, len(content.splitlines()))
    gone, come = list[str](), list[str]()
    for old, new in edits_in(tool, given):
        old_lines, new_lines = safe_lines(old), safe_lines(new)
        in_old, in_new = {"", *old_lines}, {"", *new_lines}
        gone += [line for line in old_lines if line not in in_new]
        come += [line for line in new_lines if line not in in_old]
    yield from within_room([f"- {line}" for line in gone], GONE_MAX_CHARACTERS)
    yield from within_room([f"+ {line}" for line in come], CHANGE_MAX_CHARACTERS)


def safe_lines(text: str) -> list[str]:
    """The lines of a text without secrets and tags; of a long one those of its beginning."""
    if len(text) > FILE_LOOKED_AT_CHARACTERS:
        begin = text[:FILE_LOOKED_AT_CHARACTERS]
        text = begin.rpartition("\n")[0] or before_space(begin)
    return [line.rstrip() for line in redact(clean(text)).splitlines()]


def within_room(lines: Sequence[str], most: int, total: int = 0) -> Iterator[str]:
    """The first lines that have room in so many characters, and a mark where more are left out.

    Where the `total` of lines is known, the mark says how many of them are kept.
    """
    room = most
    for index, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"{line[:max(room + len(line), 0)]}{left_out(index, total)}"
            return
        yield line


def left_out(kept: int, total: int) -> str:
    """The mark for what is left out, and how many lines are kept; the mark alone where either is not known."""
    return f"{LEFT_OUT_LINE} ({kept} of {total} lines kept)" if kept and total else LEFT_OUT_LINE


def arguments_text(given: JsonObject) -> str:
    """A call's arguments, `name: value`; what lies in lists in them, as tasks and questions do, is parted by bars.

    The same words stand once, behind all their names: a task's are its description, too.
    """
    names: dict[str, list[str]] = {}
    for name, value in given.items():
        if value not in ("", None, [], {}):
            names.setdefault(value_text(value), []).append(name)
    return ", ".join(f"{' = '.join(of_value)}: {value}" for value, of_value in names.items())


def value_text(value: Any, depth: int = ARGUMENTS_DEPTH_MAX) -> str:
    """An argument as a text; what lies deep in it as JSON."""
    if isinstance(value, dict) and depth:
        return ", ".join(f"{name}: {value_text(inner, depth - 1)}" for name, inner in value.items())
    if isinstance(value, list) and depth:
        return " | ".join(value_text(inner, depth - 1) for inner in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- how it ended ---


def result_lines(tool: str, given: JsonObject, output: str, is_error: bool) -> list[str]:
    """The lines below a call: how it ended, then what its output tells."""
    if is_error and output.startswith(REJECTION) and not tool.startswith("mcp__"):
        return [f"{RESULT_LINE}rejected by the user, not run"]
    printed = own_output(output)
    shown = telling_output(tool, given, printed, is_error)
    silent = " (no output)" if tool in SHELL_TOOLS and not printed.strip() else ""
    return [RESULT_LINE + ending(tool, given, output, is_error) + silent, *(INDENT + line for line in shown)]


def own_output(output: str) -> str:
    """The output without what the client writes above and below it.

    Of a command in the background that leaves its name and where its output is: "before you can go on", in what the
    client goes on to say, had answered "go on" with a server that was started.
    """
    if name_in_background(output):
        return output.partition(BACKGROUND_ADVICE)[0]
    rows = f"\n{output}"  # a mark may stand in the first one
    for mark in CLIENTS_MARKS:
        rows = rows.partition(mark)[0]
    output = rows[1:]
    return output.partition("\n")[2] if exit_code_in(output) is not None else output


def ending(tool: str, given: JsonObject, output: str, is_error: bool) -> str:
    """How the call ended, in a word."""
    code = exit_code_in(output) if is_error else None
    verdict = "failed" if is_error else "ended"
    if tool in SHELL_TOOLS:
        outcome = outcome_of(text_of(given, "command"), output, is_error, code)
        unknown = "its end was not seen" if checks_in(text_of(given, "command")) and not is_error else verdict
        verdict = outcome["verdict"] if outcome["verdict"] != "unknown" else unknown
    return verdict if code is None else f"{verdict} (exit {code})"


def telling_output(tool: str, given: JsonObject, output: str, is_error: bool) -> Sequence[str]:
    """The lines of an output that are kept."""
    if tool in SUBAGENT_TOOLS and not is_error:
        return [*within_room(redact(clean(report_of(output))).splitlines(), REPORT_MAX_CHARACTERS)]
    if tool in CHANGING_TOOLS and not is_error:
        return []
    text = redact_across_lines(ends_of_output(output))
    if tool in SEARCH_TOOLS and not is_error:
        hits = search_hits(text, text_of(given, "path")) or text.splitlines()[:1]
        return [*within_room(quote_all(hits, STEP_LINE_MAX_CHARACTERS), STEP_MAX_CHARACTERS)]
    lines = [line for line in text.splitlines() if line.strip()]
    if tool == "Read" and not is_error:
        return [cut_line(line, READ_LINE_MAX_CHARACTERS)
                for line in redact(clean("\n".join(lines_of_file(lines, text_of(given, "file_path"))))).splitlines()]
    most = STEP_LINE_MAX_CHARACTERS if len(lines) > 1 else STEP_MAX_CHARACTERS  # of JSON, mostly
    return [cut_line(line, most)
            for line in redact(clean("\n".join(telling_lines_of(lines)))).splitlines()]


def lines_of_file(lines: Sequence[str], path: str) -> list[str]:
    """Of the lines of a file that was read, each with its number, those with a word; of many those that tell.

    They are definitions and headings, comments that say what must be, values, then other comments and messages.
    """
    numbered = [line.groups() for line in map(re.compile(NUMBERED_LINE).match, lines) if line]
    texts = {index: text.lstrip() for index, (_, text) in enumerate(numbered)
             if " " in text.strip() or not re.match(DATA_LINE, text.strip())}
    sizes = {index: min(sum(map(len, numbered[index])) + 1, READ_LINE_MAX_CHARACTERS) + len(INDENT) + 1
             for index in texts}
    shown: Iterable[int] = texts
    if sum(sizes.values()) > READ_MAX_CHARACTERS:
        shown = sorted(with_room(by_rank(texts, tests_of_lines(path)), sizes, READ_MAX_CHARACTERS))
    rows = ["→".join(numbered[index]) for index in shown]
    total = lines_read(lines) if 0 < len(rows) < len(texts) else 0
    return [*rows, left_out(len(rows), total)] if total else rows


def lines_read(lines: Sequence[str]) -> int:
    """How many lines were read, by the numbers of the first and the last; 0 where these have none."""
    ends = [re.match(LINE_NUMBER, lines[index]) for index in (0, -1)]
    first, last = (int(end[1]) if end else 0 for end in ends)
    return last - first + 1 if 0 < first <= last else 0


def tests_of_lines(path: str) -> list[Callable[[str], Any]]:
    """Whether a line of the file tells, by what tells most first."""
    outline = re.compile(HEADING_LINE if path.endswith(MARKDOWN_ENDS) else OUTLINE_LINE)
    value, message = map(re.compile, (VALUE_LINE, MESSAGE_LINE))
    return [
        outline.match,
        lambda line: is_comment(line) and holds_any(line.lower(), DUTY_WORDS),
        lambda line: value.match(line) and not is_comment(line),
        lambda line: message.match(line) or is_comment(line)]


def is_comment(line: str) -> bool:
    """Whether the line of a file is a comment, or has one behind its code."""
    return line.startswith(COMMENT_SIGNS) or bool(
        ("# " in line or "// " in line) and re.match(COMMENT_BEHIND_CODE, line))


def by_rank(lines: Mapping[int, str], tests: Iterable[Callable[[str], Any]]) -> Iterator[int]:
    """The indexes of the lines that pass the first test, then of the others that pass the next, and so on.

    One at a time: whoever has no room for more does not pay for the tests that are left.
    """
    left = [*lines]
    for passes in tests:
        others = list[int]()
        for index in left:
            if passes(lines[index]):
                yield index
            else:
                others.append(index)
        left = others


def with_room(indexes: Iterable[int], sizes: Mapping[int, int], room: int) -> Iterator[int]:
    """The indexes, up to the first whose line has no room any more."""
    for index in indexes:
        room -= sizes[index]
        if room < 0:
            return
        yield index


def cut_line(line: str, most: int) -> str:
    """The line; of a longer one so many characters, the last a mark."""
    return line if len(line) <= most else f"{line[:most - 1]}…"


def telling_lines_of(lines: Sequence[str]) -> Sequence[str]:
    """The lines; of many the first, the last and those that tell, with a mark for what is left out between them.

    Those are, as far as there is room: faults, figures, paths.
    """
    sizes = {index: min(len(line), STEP_LINE_MAX_CHARACTERS) + 1 for index, line in enumerate(lines)}
    if sum(sizes.values()) <= STEP_MAX_CHARACTERS:
        return lines
    indexes = range(len(lines))
    middle = indexes[FIRST_LINES:-LAST_LINES_KEPT]
    telling = by_rank({index: lines[index].lower() for index in middle}, [
        lambda line: holds_any(line, FAULT_WORDS), re.compile(FIGURES_LINE).search,
        re.compile(PATH_LINE).search])
    kept = with_room(chain(indexes[:FIRST_LINES], indexes[FIRST_LINES:][-LAST_LINES_KEPT:], telling), sizes,
                     STEP_MAX_CHARACTERS)
    return with_marks({index: lines[index] for index in kept}, len(lines))
