"""From what one call printed, or what the agent said once, the few lines that someone may need much later.

Chosen by their form when they come by, since nobody knows then what the next step will ask for:

    a search                    its hits, `path:line: code`
    a task runner               what the name of a task stands for: `[test] $ pytest -q`
    a test that failed          what it expected, and what came
    gh, an issue tracker        address and title of what was made
    listings of git and others  lines with a hash or an id
    the agent's words           what becomes what, rows of tables, what is not so, rates, doubts, corrections
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from compact_keeper.record.names import HASH_FORM, UUID_FORM

SEARCH_HITS_MAX, HIT_MAX_CHARACTERS, HITS_LOOKED_AT_MAX = 40, 160, 2_000  # of one search
EVIDENCE_LINES_MAX, EVIDENCE_MAX_CHARACTERS = 6, 200  # of one call; of a line, at a blank
EVIDENCE_OUTPUT_LINES_MAX = 1_500  # looked at, of both ends
FAILED_TESTS_MAX, RUNNER_LINES_MAX, ID_LINES_MAX, MADE_MAX = 3, 2, 6, 2
SAID_LINE_MIN_CHARACTERS, SHORT_CORRECTION_MAX_CHARACTERS = 15, 60
SAID_LINES_MAX, SAID_LINE_MAX_CHARACTERS, SAID_LOOKED_AT_MAX_CHARACTERS = 10, 300, 16_000
FIELD_OF_MADE_MAX_CHARACTERS, FIELDS_OF_MADE_MAX = 90, 8
NO_HITS = r"\s{0,9}(?:No (?:matches|files|results)\b|0 (?:matches|results)\b)"
HIT_WITH_PLACE = r"((?:[A-Za-z]:)?[^:\n\t]{1,300}?):(\d{1,7}):(.*)"
HIT_IN_FILE = r"(\d{1,7}):(.*)"
HIT_WITH_PATH = r"((?:[\w.@+~-]{1,80}/){0,30}[\w.@+-]{1,80}\.\w{1,8}):(.*)"
HIT_PATH = r"(?:[\w.@+~()\[\] -]{0,80}/){0,30}[\w.@+()\[\]-]{1,120}$"
RUNNERS = r"\b(?:mise|npm|pnpm|yarn|bun|just|task|make|nx|turbo|composer|poe|hatch|tox|nox|deno|lerna|rush|moon)\b"
RUNNER_LINE = r"\[([\w:./@-]{1,60})\] \$ (\S.{0,300})|task: \[([\w:./@-]{1,60})\] (\S.{0,300})|\$ (\S.{0,300})$"
NPM_HEAD = r"> (?:@?[\w./-]{1,100}@\S{0,60} )?([\w:.-]{1,60})(?: /\S{1,300}| [A-Z]:\S{1,300})?$"
TEST_NAME = (  # of the test that the lines below, or just above, are about
    r"\s{0,9}--- FAIL: (\S{1,120})|\s{0,9}● (.{1,160})|_{3,60} (\S{1,120}) _{3,60}$|---- (\S{1,120}) stdout ----"
    r"|\s{0,9}Test:\s{1,9}(\S{1,120})|(?:FAIL|ERROR): (\w{1,100}) \(|\s{0,9}\d{1,4}\) (\S.{1,160})")
EXPECTED = r"\s{0,60}(?:expected|want(?:ed)?|left|exp)\s{0,3}:\s{0,9}(\S.{0,200})"
ACTUAL = r"\s{0,60}(?:actual|got|received|right|but was|act)\s{0,3}:\s{0,9}(\S.{0,200})"
BOTH_IN_LINE = (
    r"(?i).{0,120}\b(?:got|expect(?:ed|s)?|want(?:ed)?|actual|received|should)\b.{1,120}[,;:(].{0,30}\b(?:want(?:ed)?"
    r"|got|expected|actual|was|received|instead)\b.{0,120}"
    r"|E {1,9}(?:assert|AssertionError)\b.{1,200}|Failed asserting that .{1,200}")
# What stands in each output, each line, each sentence that the patterns fit: to look for it costs little.
EXPECTING_WORDS = ("expect", "want", "left", "exp", "+++ actual", "_test.go:", "\ne ")  # of outputs, in lower case
LINE_BEGINNINGS = frozenset("-●_TFE0123456789eEwWlLaAgGrRbB")  # of names of tests, of what was expected, of what came
DIFFERENCE_HEAD = r"(?:--- Expected|- Expected(?: +- \d+)?|\+\+\+ Actual)$"
GO_PLACE = r"\s{0,60}(\S{1,120}_test\.go:\d{1,6}): (.{1,300})"
MADE_ADDRESS = r"https?://[\w.-]{1,100}/\S{1,150}/(?:pull|pulls|issues|merge_requests|releases|discussions|browse)/\S{1,120}"
MAKING_COMMAND = r"\b(?:gh|glab|hub|tea|jira)\b[^|;&\n]{0,40}\b(?:create|new|comment|review|close|edit|merge)\b"
TITLE_OPTION = r"(?:--title|-t)[ =](?:\"([^\"\n]{1,120})|'([^'\n]{1,120}))"
LISTING_OF_IDS = (
    r"(?:^|[;&|(] ?)(?:git (?:-C \S{1,200} )?(?:log|branch|reflog|stash list|worktree list|tag|show-ref|rev-parse|notes"
    r"|for-each-ref|ls-remote)|gh (?:run|pr|issue) (?:list|view|status)|docker (?:ps|images)|kubectl get)\b")
SHOWING_FILES = r"(?:^|[;&|(] ?)(?:cat|head|tail|jq|sqlite3|psql|curl|http|aws|redis-cli)\b"
FIELD_WITH_ID = (
    r"\s{0,40}[\"']?([\w.-]{2,60})[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    rf"((?:[\w-]{{0,20}}{UUID_FORM})|{HASH_FORM}|[A-Z]{{2,10}}-\d{{1,7}})[\"']?,?$")
ALIASES = (
    r"(?:import )?(?!import )([a-z_]\w{1,30}) \"((?:[\w.-]{1,60}/){1,12}[\w.-]{1,60})\"",  # Go
    r"(?:from ([\w.]{1,80}) )?import ([\w.]{1,80}) as (\w{1,40})$",  # Python
    r"import (?:type )?\* as (\w{1,40}) from [\"']([^\"'\n]{1,120})",  # JavaScript
    r"(?:pub )?use ([\w:]{3,120}) as (\w{1,40});")  # Rust
RENAMED_IMPORT = r"\b(\w{1,60}) as (\w{1,60})\b(?=[^{}]{0,200}\} from [\"'])"
ALIASES_MAX, IMPORTS_LOOKED_AT_MAX_CHARACTERS = 4, 6_000  # of one file
LINE_WITH_ID = rf"\b(?:{HASH_FORM}|{UUID_FORM}|[A-Z][A-Z0-9]{{1,9}}-\d{{1,7}})\b|(?:^|\s)#\d{{1,7}}\b"
MAKING_TOOL = r"(?i)(?:^|_)(?:create|add|post|submit|open|publish|send|save|update)_?"
MADE_THING = r"(?i)issue|pull|merge_?request|ticket|comment|discussion|release|review|task|card|story|epic|page|_pr\b"
PLACES_OF_MADE = ("owner", "repo", "cloudId")  # stand in the address
NAMES_OF_IDS = ("identifier", "key", "number", "iid", "html_url", "url", "webUrl", "web_url", "permalink", "id")
# The agent's words. A sentence counts when it begins so, or is built so.
NAME_AT_ARROW = r"(?:`[^`\n]{2,80}`|\b\w{0,40}(?:[a-z0-9][A-Z]|\w_)\w{0,40})"
ARROW = f"{NAME_AT_ARROW} ?(?:→|->|=>|⇒|(?:also )?becomes|is now|was renamed to) ?{NAME_AT_ARROW}"
TABLE_ROW = r"\|\s{0,9}[`*]{0,3}([^|`*\n]{2,80})[`*]{0,3}\s{0,9}\|(.{3,400})\|$"
NOTHING_OF = r"[-*\d.) ]{0,6}\*\*(?:No|Not|Never|Without|Don't|Do not|Cannot)\b[^*\n]{2,200}"
IS_WRONG = (
    r"\b(?:is|are|was|were|looks?|seems?) (?:also |still |now |actually |just )?(?:wrong|missing|incorrect|stale"
    r"|outdated|broken|unused|out of date|out of sync|redundant|a bug)\b")
RATE = (r"\b\d[\d.,]{0,9} ?(?:req(?:uest)?s?|calls?|ops|times|messages|events|rows|items|tokens|retries|attempts)?"
        r" ?(?:/|per ) ?(?:s|sec|second|min|minute|h|hour|day|user|IP|file|request)\b"
        r"|\b(?:limit|limits|maximum|max|timeout|ttl|expires?|expiry|interval|cache[sd]?|budget|quota|threshold)\b"
        r".{0,40}\b\d[\d.,]{0,9} ?(?:ms|s|sec|seconds?|m|min|minutes?|h|hours?|days?|[KMG]i?B|bytes|req\w{0,6})\b"
        r"|\b\d[\d.,]{0,9}[- ]?(?:ms|s|seconds?|minutes?|hours?|days?|[KMG]i?B)\b.{0,40}\b(?:limit|timeout|ttl|expiry"
        r"|cache|interval|quota|window)\b")
DOUBT = (r"\b(?:[Ii]'m not (?:sure|certain)|[Nn]ot (?:sure|certain) (?:if|whether|why|that)"
         r"|[Nn]eeds? to (?:confirm|verify)|[Ii] (?:assumed|suspect)|[Uu]nclear (?:if|whether|why)|[Pp]robably"
         r"|[Mm]ight not|[Nn]ever (?:tested|verified)|[Cc]annot (?:tell|confirm|verify)"
         r"|[Nn]ot (?:verified|tested|confirmed))\b")
CORRECTION = (r"(?:Wait\b|Actually\b|You're (?:absolutely )?right|Hmm\b|No, |I was wrong|My mistake|That's not"
              r"|On second|I (?:misread|misunderstood|made a mistake)|It turns out|Turns out|That changes|So it's not)")
SAID_FORMS = (  # with words of which each sentence of the form holds one
    ("arrow", ARROW, ("→", "->", "=>", "⇒", "becomes", "is now", "was renamed to")),
    ("nothing", NOTHING_OF, ("**",)),
    ("wrong", IS_WRONG, ("wrong", "missing", "incorrect", "stale", "outdated", "broken", "unused", "out of",
                         "redundant", "a bug")),
    ("rate", RATE, ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")),
    ("doubt", DOUBT, ("ot sure", "ot certain", "to confirm", "to verify", "assumed", "suspect", "nclear",
                      "robably", "ight not", "ever ", "annot ", "ot verified", "ot tested", "ot confirmed")))
CORRECTION_BEGINNINGS = ("Wait", "Act", "You", "Hmm", "No, ", "I ", "My", "That", "On", "It", "Turns", "So")


def search_hits(output: str, path: str = "") -> list[str]:
    """What a search printed, as `path:line: code`, `path: code` or paths; `path` is where it looked, if in one file.

    Of more than SEARCH_HITS_MAX the first of each file come before the others of it; lines of context are left out.
    """
    if re.match(NO_HITS, output):
        return []
    hits = list[tuple[str, str]]()
    in_file = path if "." in path.rpartition("/")[2] else ""
    for line in output.splitlines()[:HITS_LOOKED_AT_MAX]:
        text = line[:2 * HIT_MAX_CHARACTERS + 300]
        if in_file and (match := re.match(HIT_IN_FILE, text)):
            hits.append((in_file, f"{in_file}:{match[1]}: {match[2].strip()}"))
        elif (match := re.match(HIT_WITH_PLACE, text)) and "." in match[1]:
            hits.append((match[1], f"{match[1]}:{match[2]}: {match[3].strip()}"))
        elif match := re.match(HIT_WITH_PATH, text):
            hits.append((match[1], f"{match[1]}: {match[2].strip()}"))
        elif ("/" in text or "." in text) and re.match(HIT_PATH, text) and not text.startswith(("Found ", "(")):
            hits.append((text.strip(), text.strip()))
    placed = [(path, hit) for path, hit in hits if path != hit]  # beside these the others are lines of context
    return [hit[:HIT_MAX_CHARACTERS] for hit in fairly_chosen(placed or hits)]


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
    rows = output.splitlines()
    if len(rows) > EVIDENCE_OUTPUT_LINES_MAX:
        rows = [*rows[:EVIDENCE_OUTPUT_LINES_MAX // 3], *rows[-EVIDENCE_OUTPUT_LINES_MAX * 2 // 3:]]
    rows = [row[:1_000] for row in rows]
    lines = [*made_by_command(command, rows), *expected_and_actual(rows), *runner_lines(command, rows)]
    if re.search(LISTING_OF_IDS, command[:2_000]):
        lines += [row.strip() for row in rows if re.search(LINE_WITH_ID, row[:300])][:ID_LINES_MAX]
    elif re.search(SHOWING_FILES, command[:2_000]):
        lines += objects_with_ids(rows)
    return [at_blank(line, EVIDENCE_MAX_CHARACTERS) for line in dict.fromkeys(lines)][:EVIDENCE_LINES_MAX]


def objects_with_ids(rows: list[str]) -> list[str]:
    """Of JSON and the like: for each object its fields that hold ids, on one line, where there are two or more."""
    objects, fields = list[list[str]](), list[str]()
    for row in [*rows, ""]:
        if match := re.match(FIELD_WITH_ID, row[:300]):
            fields.append(f"{match[1]} {match[2]}")
        elif not row.strip() or row.strip()[0] in "{}[]=-#":
            objects += [fields] if len(fields) > 1 else []
            fields = []
    return [", ".join(fields[:6]) for fields in objects[:ID_LINES_MAX]]


def import_aliases_in(text: str) -> list[str]:
    """The lines of a file's head, as it was read, that give what they import another name: `name is module`."""
    lines = list[str]()
    for row in text[:IMPORTS_LOOKED_AT_MAX_CHARACTERS].splitlines()[:120]:
        if " as " not in row and not ('"' in row and "/" in row):
            continue
        code = re.sub(r"^\s{0,9}\d{1,6}[→\t|:]", "", row[:400]).strip()
        for alias, module in aliases_in(code):
            words = re.split(r"[/.:-]", module)
            if alias not in (words[-1], "".join(words[-2:]), module.rpartition("/")[2].replace("-", "_"), "_"):
                lines.append(f"{alias} is {module}")
    return lines[:ALIASES_MAX]


def aliases_in(code: str) -> Iterator[tuple[str, str]]:
    """The aliases of a line that imports: the name here, and what it stands for."""
    go, python, javascript, rust = ALIASES
    if match := re.fullmatch(go, code):
        yield match[1], match[2]
    elif match := re.match(python, code):
        yield match[3], ".".join(filter(None, (match[1], match[2])))
    elif match := re.match(javascript, code):
        yield match[1], match[2]
    elif match := re.match(rust, code):
        yield match[2], match[1]
    elif code.startswith(("import ", "export ")):
        yield from ((alias, name) for name, alias in re.findall(RENAMED_IMPORT, code) if name != alias)


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rpartition(" ")[0] + " …"


def runner_lines(command: str, rows: list[str]) -> list[str]:
    """What a task runner says that it runs: `[name] $ command`."""
    if not re.search(RUNNERS, command[:2_000]):
        return []
    lines, task = list[str](), ""
    for row in rows[:60]:
        if match := re.match(RUNNER_LINE, row):
            name, run = match[1] or match[3] or "", match[2] or match[4] or match[5]
            lines.append(f"[{name}] $ {run}" if name else f"$ {run}")
        elif match := re.match(NPM_HEAD, row):
            task = match[1] if "@" in row else task
        elif row.startswith("> ") and task:
            lines.append(f"[{task}] $ {row[2:]}")
            task = ""
    return lines[:RUNNER_LINES_MAX]


def expected_and_actual(rows: list[str]) -> list[str]:
    """Of the first tests that failed: name or place, what was expected and what came.

    The test's name stands above (jest, pytest, Go) or below (testify's `Test:`, Go's --- FAIL with -v).
    """
    cases, name, expected = list[list[str]](), "", ""
    lower = "\n".join(["", *rows]).lower()
    if not any(map(lower.__contains__, EXPECTING_WORDS)):
        return []
    for row in (row for row in rows if row.lstrip()[:1] in LINE_BEGINNINGS or "_test.go:" in row):
        match = re.match(TEST_NAME, row)
        if match:
            name, expected = " ".join(next(filter(None, match.groups()), "").split()), ""
            if cases and (not cases[-1][0] or match[5]):
                cases[-1][0] = name
        elif match := re.match(EXPECTED, row, re.IGNORECASE):
            expected = match[1]
        elif expected and (match := re.match(ACTUAL, row, re.IGNORECASE)):
            cases, expected = [*cases, [name, f"expected {expected}, got {match[1]}"]], ""
        elif match := re.match(GO_PLACE, row):
            cases += [[name, f"{match[1]}: {match[2]}"]] if re.match(BOTH_IN_LINE, match[2]) else []
        elif row.startswith("E ") and re.match(BOTH_IN_LINE, row):
            cases.append([name, row[1:].strip()])
    cases = cases or cases_in_differences(rows)
    lines = dict[str, str]()
    for name, text in cases:
        lines.setdefault(name or text, f"{name or 'a test'}: {text}")
    return [*lines.values()][:FAILED_TESTS_MAX]


def cases_in_differences(rows: list[str]) -> list[list[str]]:
    """The same from the differences that testify and jest print, where the lines above them were cut off."""
    cases = list[list[str]]()
    for place, row in enumerate(rows):
        if not row.strip().startswith(("---", "- Expected", "+++")) or not re.match(DIFFERENCE_HEAD, row.strip()):
            continue
        near = [line.strip() for line in rows[place + 1:place + 14]]
        gone = next((line[1:].strip() for line in near if re.match(r"-\s?[^-\s]", line)), "")
        came = next((line[1:].strip() for line in near if re.match(r"\+\s?[^+\s]", line)), "")
        if gone and came and not came.startswith(("Actual", "Received")):
            name = next((match[5] or match[1] for line in near if (match := re.match(TEST_NAME, line))), "")
            cases.append([name or "", f"expected {gone}, got {came}"])
    return cases


def made_by_command(command: str, rows: list[str]) -> list[str]:
    """Address and title of what `gh`, `glab` and the like made or changed."""
    if not (made := re.search(MAKING_COMMAND, command[:4_000])):
        return []
    title = re.search(TITLE_OPTION, command[:4_000])
    name = f" “{title[1] or title[2]}”" if title else ""
    addresses = dict.fromkeys(match[0] for row in rows if (match := re.search(MADE_ADDRESS, row)))
    return [f"{' '.join(made[0].split()[:3])}{name} → {address}" for address in [*addresses][:MADE_MAX]]


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


def sentences_of(text: str) -> list[str]:
    """The sentences, rows of tables and points of lists in the agent's words; code blocks are left out."""
    sentences, in_code = list[str](), False
    for line in text[-SAID_LOOKED_AT_MAX_CHARACTERS:].splitlines():
        row = line.strip()
        if row.startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code or not row:
            continue
        elif row.startswith("|"):
            sentences.append(row)
        else:
            sentences += [part for part in re.split(r"(?<=[.!?:])[*_]{0,3}\s+(?=[A-Z`*\"'(\d#])", row[:4_000]) if part]
    return sentences


def said_form(sentence: str) -> str:
    """The form by which a sentence may be needed later: row, correction or one of SAID_FORMS; empty: it has none."""
    if sentence.startswith("|") and (match := re.match(TABLE_ROW, sentence)):
        return "" if set(match[2]) <= set("-:| ") else "row"
    bare = sentence.lstrip("*_ ")
    if bare.startswith(CORRECTION_BEGINNINGS) and re.match(CORRECTION, bare):
        return "correction"
    return next((form for form, pattern, words in SAID_FORMS
                 if any(map(sentence.__contains__, words)) and re.search(pattern, sentence)), "")


def said_lines(text: str) -> list[str]:
    """At most SAID_LINES_MAX sentences of the agent's words that have a form, as `form: sentence`; not redacted.

    A short correction without a name ("You're right.") takes the sentence behind it along.
    """
    sentences, lines = sentences_of(text), dict[str, None]()
    for place, sentence in enumerate(sentences):
        form = said_form(sentence[:1_000])
        is_short = len(sentence) < SHORT_CORRECTION_MAX_CHARACTERS and "`" not in sentence
        if form == "correction" and is_short and place + 1 < len(sentences):
            sentence = f"{sentence} {sentences[place + 1]}"  # noqa: PLW2901
        if form and len(sentence) >= SAID_LINE_MIN_CHARACTERS:
            lines[f"{form}: {at_blank(sentence, SAID_LINE_MAX_CHARACTERS)}"] = None
    return [*lines][:SAID_LINES_MAX]

