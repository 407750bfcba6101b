"""From what one call printed the few lines that someone may need much later.

Chosen by their form when they come by, since nobody knows then what the next step will ask for:

    a search                    its hits, `path:line: code`
    a task runner               what the name of a task stands for: `[test] $ pytest -q`
    gh, an issue tracker        address and title of what was made
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from compact_keeper.text.length import whole_words

SEARCH_HITS_MAX, HIT_MAX_CHARACTERS, HITS_LOOKED_AT_MAX = 40, 160, 2_000  # of one search
EVIDENCE_LINES_MAX, EVIDENCE_MAX_CHARACTERS = 6, 200  # of one call; of a line, at a blank
EVIDENCE_OUTPUT_LINES_MAX, COMMAND_LOOKED_AT_CHARACTERS = 1_500, 4_000  # looked at, of the output both ends
RUNNER_LINES_MAX, MADE_MAX = 2, 2
FIELD_OF_MADE_MAX_CHARACTERS, FIELDS_OF_MADE_MAX = 90, 8
NO_HITS = r"\s{0,9}(?:No (?:matches|files|results)\b|0 (?:matches|results)\b)"
HIT_WITH_PLACE = r"((?:[A-Za-z]:)?[^:\n\t]{1,300}?):(\d{1,7}):(.*)"
HIT_IN_FILE = r"(\d{1,7}):(.*)"
HIT_WITH_PATH = r"((?:[\w.@+~-]{1,80}/){0,30}[\w.@+-]{1,80}\.\w{1,8}):(.*)"
HIT_PATH = r"(?:[\w.@+~()\[\] -]{0,80}/){0,30}[\w.@+()\[\]-]{1,120}$"
RUNNERS = frozenset(
    "mise npm pnpm yarn bun just task make nx turbo composer poe hatch tox nox deno lerna rush moon".split())
RUNNER_LINE = r"\[([\w:./@-]{1,60})\] \$ (\S.{0,300})|task: \[([\w:./@-]{1,60})\] (\S.{0,300})|\$ (\S.{0,300})$"
NPM_HEAD = r"> (?:@?[\w./-]{1,100}@\S{0,60} )?([\w:.-]{1,60})(?: /\S{1,300}| [A-Z]:\S{1,300})?$"
MADE_ADDRESS = r"https?://[\w.-]{1,100}/\S{1,150}/(?:pull|pulls|issues|merge_requests|releases|discussions|browse)/\S{1,120}"
MAKERS = frozenset(("gh", "glab", "hub", "tea", "jira"))
MAKING_COMMAND = r"\b(?:gh|glab|hub|tea|jira)\b[^|;&\n]{0,40}\b(?:create|new|comment|review|close|edit|merge)\b"
TITLE_OPTION = r"(?:--title|-t)[ =](?:\"([^\"\n]{1,120})|'([^'\n]{1,120}))"
MAKING_TOOL = r"(?i)(?:^|_)(?:create|add|post|submit|open|publish|send|save|update)_?"
MADE_THING = r"(?i)issue|pull|merge_?request|ticket|comment|discussion|release|review|task|card|story|epic|page|_pr\b"
PLACES_OF_MADE = ("owner", "repo", "cloudId")  # stand in the address
NAMES_OF_IDS = ("identifier", "key", "number", "iid", "html_url", "url", "webUrl", "web_url", "permalink", "id")


def search_hits(output: str, path: str = "") -> list[str]:
    """What a search printed, as `path:line: code`, `path: code` or paths; `path` is where it looked, if in one file.

    Of more than SEARCH_HITS_MAX the first of each file come before the others of it; lines of context are left out.
    """
    if re.match(NO_HITS, output):
        return []
    hits = list[tuple[str, str]]()
    in_file = path if "." in path.rpartition("/")[2] else ""
    with_line, with_place, with_path, bare_path = (  # to ask for each by its pattern would double the time
        re.compile(pattern).match for pattern in (HIT_IN_FILE, HIT_WITH_PLACE, HIT_WITH_PATH, HIT_PATH))
    for line in output.splitlines()[:HITS_LOOKED_AT_MAX]:
        text = line[:2 * HIT_MAX_CHARACTERS + 300]
        has_colon = ":" in text
        if in_file and has_colon and (match := with_line(text)):
            hits.append((in_file, f"{in_file}:{match[1]}: {match[2].strip()}"))
        elif has_colon and (match := with_place(text)) and "." in match[1]:
            hits.append((match[1], f"{match[1]}:{match[2]}: {match[3].strip()}"))
        elif has_colon and (match := with_path(text)):
            hits.append((match[1], f"{match[1]}: {match[2].strip()}"))
        elif ("/" in text or "." in text) and bare_path(text) and not text.startswith(("Found ", "(")):
            hits.append((text.strip(), text.strip()))
    placed = [(path, hit) for path, hit in hits if path != hit]  # beside these the others are lines of context
    return [at_blank(hit, HIT_MAX_CHARACTERS) for hit in fairly_chosen(placed or hits)]


def fairly_chosen(hits: list[tuple[str, str]]) -> list[str]:
    """At most SEARCH_HITS_MAX of the hits, in their order: the first of each file before the second of any."""
    if len(hits) <= SEARCH_HITS_MAX:
        return [hit for _, hit in hits]
    seen, ranks = dict[str, int](), list[tuple[int, int]]()
    for place, (path, _) in enumerate(hits):
        seen[path] = seen.get(path, 0) + 1
        ranks.append((seen[path], place))
    return [hits[place][1] for place in sorted(place for _, place in sorted(ranks)[:SEARCH_HITS_MAX])]


def evidence_lines(command: str, output: str) -> list[str]:
    """At most EVIDENCE_LINES_MAX short lines of a command's output that may be needed later; not redacted."""
    command = command[:COMMAND_LOOKED_AT_CHARACTERS]
    words = {*re.findall(r"\w+", command)}
    is_runner, made = not words.isdisjoint(RUNNERS), re.search(MAKING_COMMAND, command) if words & MAKERS else None
    if not (is_runner or made):
        return []
    rows = output.splitlines()
    if len(rows) > EVIDENCE_OUTPUT_LINES_MAX:
        rows = [*rows[:EVIDENCE_OUTPUT_LINES_MAX // 3], *rows[-EVIDENCE_OUTPUT_LINES_MAX * 2 // 3:]]
    rows = [row[:1_000] for row in rows]
    lines = [*(made_by_command(made[0], command, rows) if made else ()), *(runner_lines(rows) if is_runner else ())]
    return [at_blank(line, EVIDENCE_MAX_CHARACTERS) for line in dict.fromkeys(lines)][:EVIDENCE_LINES_MAX]


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else whole_words(line, limit) + " …"


def runner_lines(rows: list[str]) -> list[str]:
    """What a task runner says that it runs: `[name] $ command`."""
    lines, task = list[str](), ""
    for row in [row for row in rows[:60] if row.startswith(("[", "task: [", "$ ", "> "))]:
        if not row.startswith("> ") and (match := re.match(RUNNER_LINE, row)):
            name, run = match[1] or match[3] or "", match[2] or match[4] or match[5]
            lines.append(f"[{name}] $ {run}" if name else f"$ {run}")
        elif match := re.match(NPM_HEAD, row):
            task = match[1] if "@" in row else task
        elif row.startswith("> ") and task:
            lines.append(f"[{task}] $ {row[2:]}")
            task = ""
    return lines[:RUNNER_LINES_MAX]


def made_by_command(making: str, command: str, rows: list[str]) -> list[str]:
    """Address and title of what `gh`, `glab` and the like made or changed; `making` is their part of the command."""
    title = re.search(TITLE_OPTION, command)
    name = f" “{title[1] or title[2]}”" if title else ""
    addresses = dict.fromkeys(match[0] for row in rows if "://" in row and (match := re.search(MADE_ADDRESS, row)))
    return [f"{' '.join(making.split()[:3])}{name} → {address}" for address in [*addresses][:MADE_MAX]]


def made_outside(tool: str, arguments: Mapping[str, Any], output: str) -> str:
    """What an MCP tool made in a tracker, on one line: its short fields, id and address; empty for other tools."""
    name = tool.rpartition("__")[2]
    if not tool.startswith("mcp__") or not (re.search(MAKING_TOOL, name) and re.search(MADE_THING, name)):
        return ""
    fields = [f"{key} {shown}" for key, value in [*arguments.items()][:30]
              if key not in PLACES_OF_MADE and (shown := shown_field(value))]
    ids = [*ids_of_result(output)]
    line = f"{name}: {', '.join(fields[:FIELDS_OF_MADE_MAX])}" + (f" → {' '.join(ids)}" if ids else "")
    return at_blank(line, 400)


def shown_field(value: object) -> str:
    """A short field of a call, as it is told; of a text of several lines or a long one nothing."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "/".join(filter(None, map(shown_field, value[:5])))
    is_short = isinstance(value, str) and len(value) <= FIELD_OF_MADE_MAX_CHARACTERS and "\n" not in value
    return f"“{value}”" if is_short and " " in str(value) else str(value) if is_short else ""


def ids_of_result(output: str) -> Iterator[str]:
    """Id and address that a tracker's JSON answer gives, at most two."""
    ids = dict[str, str]()
    for key, text, number in re.findall(r"\"(\w{2,20})\": ?(?:\"([^\"\n]{1,200})\"|(\d{1,12}))", output[:20_000]):
        if key in NAMES_OF_IDS:
            ids.setdefault(key, text or number)
    address = next((ids[key] for key in NAMES_OF_IDS if ids.get(key, "").startswith("http")), "")
    number = next((ids[key] for key in NAMES_OF_IDS if key in ids and not ids[key].startswith("http")), "")
    yield from filter(None, (number, address))
    if not ids and (match := re.search(MADE_ADDRESS, output[:20_000])):
        yield match[0]
