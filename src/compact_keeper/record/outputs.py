"""What an output says of how a run ended: totals, what failed, why; line by line.

Lines are found by their first word, so that a long output costs one look-up a line, and only patterns that may fit are
compiled: a hook reads one output and ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.output_rows import OUTPUT_ROWS
from compact_keeper.text.length import OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS, both_ends

OUTPUT_LINE_MAX_CHARACTERS = 400  # of a line: what is longer is data
TELLING_LINES_MAX = 100  # of one output, at its begin and at its end: more of them say the same again
LINES_NEAR_MAX = 60  # looked at around a failure for its cause
LAST_LINES = 10  # an error among these ended the program; further up it may be a line of its log
NAMES_WITH_CAUSES_MAX = 30
TERMINAL_CODES = r"\x1b(?:\[[0-?]{0,30}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\([AB])"
TASK_PREFIX = (  # of the task that printed the line: [lint:go], #5 0.21, #, web:test:, packages/web test:
    r"(?:\[[\w:./@-]{1,60}\]|#\d*(?: [\d.]+)?|\S{1,80}:(?:\w+:)?|[│┃║]|\S{1,80} \w+:)\s+")
ENDS_OF_SUITES = ("unittest", "phpunit", "cypress", "gradle")  # say at their end that all passed, and not how many
TOTALS_OF_TESTS = ("tests", "go ok", "ran")  # what lines say that total them
TOTALS_IN_PARTS = ("playwright", "mocha", "node", "bun")  # those that failed stand in a line of their own
GO_LOG = r"\s*(\S{1,200}_test\.go:\d+: .+)"
GO_FAILURE = r"(?i)\bwant|\bgot\b|expect|should|fail|error|unexpected|\bmust\b|\bnot\b|missing|mismatch|timed out|nil\b"
PREFIXED_TASKS = (" test: ", " build: ", " lint: ", " check: ", " typecheck: ", " e2e: ")  # behind a package's name
ENDINGS = ("FAILED", "Failed", "Passed", "[100%]")  # of lines that are known by them
# What takes something of other lines:
LOOKING_ON = ("next", "below", "above", "then", "why", "go fail", "traceback", "located")
KINDS_OF_CAUSE = ("near", "failed", "traceback", "cause", "error", "wrapper")  # the better ones first
KIND_OF_WHAT_IS_SAID = {
    "next": "near", "below": "near", "above": "near", "go fail": "near", "why": "wrapper", "then": "error"}
FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed|failures?|failing|fail|errors?|issues?|offenses?|diagnostics?|interrupted"
    r"|cancelled)\b"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some")
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:passed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|tests?|runs|doctests?)\b|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b")

OutputRow = tuple[str, str, str]  # whose line, what it says, its pattern
RowsByWord = dict[str, list[OutputRow]]
ROWS_BY_WORD: RowsByWord = {}
COMPILED: dict[str, re.Pattern[str]] = {}
NO_ROWS: list[OutputRow] = []  # looked at once more without the prefix


class OutputReading:
    """What an output says, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Nothing yet; `lines` are those to look on where a line tells only with others."""
        self.lines = lines
        self.tests: list[str] = []  # totals of tests
        self.problems: list[str] = []  # totals of linters and compilers
        self.failures = self.passes = self.packages = self.cached = 0
        self.failed = self.error_at_end = self.seen_passing = False
        self.error_behind = False  # an error stands behind the last line of totals: a run that stopped there
        self.has_whole_total = False  # a line of totals that would have told of failures too
        self.failing_line = self.last_log = ""
        self.passed: list[tuple[str, str]] = []  # whose line, and the line
        self.none: list[str] = []  # lines that say that nothing ran
        self.names: list[str] = []
        self.also: list[str] = []  # names where there are no better ones
        self.causes: dict[str, str] = {}

    @property
    def cause(self) -> str:
        """The best cause that was seen."""
        return next((self.causes[kind] for kind in KINDS_OF_CAUSE if kind in self.causes), "")

    def take(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the first row that fits says of the line; whether there is one."""
        for runner, says, pattern in rows:
            if match := (COMPILED.get(pattern) or compiled(pattern)).match(text):
                self.take_match(runner, says, match, place)
                return True
        return False

    def take_prefixed(self, rows: Sequence[OutputRow], text: str, place: int) -> bool:
        """Takes what the line says behind the name of the task that printed it; whether it says something."""
        word = text.partition(" ")[0]
        if not word or (word[-1] not in "]:│┃║" and word[0] != "#" and rows is not NO_ROWS):
            return False
        match = compiled(TASK_PREFIX).match(text)
        inner = text[match.end():] if match else ""
        parts = inner.split(None, 2)
        if not match or not parts:
            return False
        table = rows_by_word()
        word = "[]Finished" if parts[0] == "Finished" and text[0] == "[" else parts[0]
        inner_rows = table.get(word) or rows_for(inner, word, parts, table) or NO_ROWS
        runner, says, fit = next(
            ((runner, says, fits) for runner, says, pattern in inner_rows if (fits := compiled(pattern).match(inner))),
            ("", "", None))
        if not fit:
            return False
        lines = self.lines
        if says in LOOKING_ON:
            begin, prefix = max(place - LINES_NEAR_MAX, 0), text[:match.end()]
            self.lines = [line.strip().replace(prefix, "", 1) for line in lines[begin:place + LINES_NEAR_MAX]]
            place -= begin
        self.take_match(runner, says, fit, place)
        self.lines = lines
        return True

    def take_match(self, runner: str, says: str, match: re.Match[str], place: int) -> None:
        """What one telling line says."""
        groups, text = match.groupdict(), match.string
        self.error_behind &= says not in TOTALS_OF_TESTS
        if says in ("tests", "problems"):
            self.take_total(runner, says, text)
        elif says == "go ok":
            self.packages += 1
            self.cached += bool(groups["cached"])
            (self.none if groups["none"] else self.tests).append(text)
            self.passes += not groups["none"]
        elif says == "passed":
            self.take_passed(runner, text)
        elif says == "none":
            self.none.append(groups.get("cause") or text)
        elif says == "ran":
            (self.none if text.startswith("Ran 0 ") else self.tests).append(text)
        elif says == "seen":
            self.seen_passing = True
        elif says == "log":
            self.last_log = groups["cause"]
        elif says == "located":
            self.take_place(groups["place"], place)
        else:
            self.take_failure(says, groups, place)

    def take_passed(self, runner: str, text: str) -> None:
        """A line that says that something passed; behind a suite's end an error above was a line of a test's log."""
        self.passed.append((runner, text))
        if runner in ENDS_OF_SUITES:
            self.error_at_end = self.error_behind = False

    def take_total(self, runner: str, says: str, text: str) -> None:
        """A line of totals: how many failed, how many there were."""
        counts = [*map(int, re.findall(COUNTS_OF_DOTNET, text) if runner in DOTNET else [])]
        failures = counts[0] if counts else sum_of(FAILURE_COUNTS, text)
        self.failures += failures
        if says == "problems":
            self.problems.append(text)
            if not failures and runner != "cc":
                self.passed.append((runner, text))
            return
        passes = sum_of(SUCCESS_COUNTS, text) if runner != "ctest" else int(not text.startswith("0%"))
        passes = counts[1] if counts else passes
        self.passes += passes
        self.has_whole_total |= runner not in TOTALS_IN_PARTS
        has_zero_lines = runner == "node" or "flaky" in text  # `# fail 0` says nothing of how many passed
        (self.tests if passes or failures or has_zero_lines else self.none).append(text)

    def take_place(self, at: str, place: int) -> None:
        """`--> src/lib.rs:3:1`: where it is what the line above says, which is the cause unless it is a warning."""
        above = next((line.strip() for line in reversed(self.lines[max(place - 2, 0):place]) if line.strip()), "")
        if above.strip("│ ") and not above.startswith(("warning", "note", "help", "|", "-", "=")):
            self.causes.setdefault("near", f"{above} ({at})")

    def take_failure(self, says: str, groups: dict[str, str | None], place: int) -> None:
        """A line that says that something failed, what, or why."""
        name, also = (groups.get("name") or "").strip(" ─"), groups.get("also") or ""
        cause = groups.get("cause") or groups.get("cause2") or ""
        kind = KIND_OF_WHAT_IS_SAID.get(says, says)
        if kind not in self.causes or says in ("next", "below"):
            name, cause = self.with_lines_near(says, name, cause, place)
        if name and name != "Test suite failed to run":
            self.names.append(name)
        if also:
            self.also.append(also)
            if says == "failed" and compiled(GO_FAILURE).search(self.last_log) and not self.names:
                self.causes.setdefault("cause", self.last_log)
        if cause:
            self.causes.setdefault(kind, cause)
        if says == "bad":
            self.problems.append(self.lines[place].strip())
        if says in ("failed", "bad", "go fail", "next", "below", "why", "wrapper"):
            self.failed = True
            if not (self.failing_line or name or also or cause):
                self.failing_line = shortened(self.lines[place]).strip()
        elif says in ("error", "traceback", "then"):
            self.error_behind = True
            self.error_at_end |= place >= len(self.lines) - LAST_LINES - (30 if says == "traceback" else 0)

    def with_lines_near(self, says: str, name: str, cause: str, place: int) -> tuple[str, str]:
        """Name and cause with what stands in other lines."""
        if says == "traceback":
            return name, end_of_traceback(self.lines, place)
        if says == "go fail":
            return name, self.causes.get("cause") or go_message(self.lines, place)
        if says not in ("next", "below", "above", "then", "why") or len(self.names) >= NAMES_WITH_CAUSES_MAX:
            return name, cause
        near = lines_below(self.lines, place, says == "next")
        if says == "below" and near:
            name, near = near[0].partition(" [")[0].rstrip(":"), near[1:]
        if says == "next" and name and near and near[0].endswith(":") and near[0][:1].islower():  # mocha's, in parts
            name, near = f"{name} {near[0].rstrip(':')}", near[1:]
        near = with_expected(near)
        if says == "then":
            is_open = cause.endswith(":") or cause.startswith(("CMake", "./", "error: expect"))
            return name, " ".join([cause, *near[:1]]) if is_open else cause
        if says == "why" and len(near) > 1 and near[1].startswith("> "):
            return name, f"{near[0]} {near[1][2:]}"
        return name, near[0] if near else ""

    def join(self, last: OutputReading) -> None:
        """Takes what the end of the output says, behind what its begin says."""
        for name in ("tests", "problems", "passed", "none", "names", "also"):
            getattr(self, name).extend(getattr(last, name))
        self.causes = {**last.causes, **self.causes}
        self.failures, self.passes = self.failures + last.failures, self.passes + last.passes
        self.packages, self.cached = self.packages + last.packages, self.cached + last.cached
        self.failed |= last.failed
        self.error_at_end |= last.error_at_end
        self.error_behind = last.error_behind or (self.error_behind and not (last.tests or last.passed))
        self.seen_passing |= last.seen_passing
        self.has_whole_total |= last.has_whole_total


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in compiled(pattern).finditer(text) for number in match.groups() if number)


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when a line that may fit it is read for the first time."""
    known = COMPILED.get(pattern)
    if known is None:
        known = COMPILED[pattern] = re.compile(pattern)
    return known


def rows_by_word() -> RowsByWord:
    """The rows by the word that their lines begin with; made when first asked for."""
    if not ROWS_BY_WORD:
        for runner, says, words, pattern in OUTPUT_ROWS:
            for word in words.split():
                ROWS_BY_WORD.setdefault(word, []).append((runner, says, pattern))
    return ROWS_BY_WORD


def output_lines(output: str) -> list[str]:
    """The output's lines without colours; of a long one those of both ends."""
    text = both_ends(output, OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS)
    if "\x1b" in text:
        text = re.sub(TERMINAL_CODES, "", text)
    return text.replace("\r", "\n").split("\n")


def read_output(lines: Sequence[str]) -> OutputReading:
    """What the lines say."""
    reading, count = OutputReading(lines), 0
    for place, text, rows in telling_lines(lines):
        if reading.take(rows, text, place) or reading.take_prefixed(rows, text, place):
            count += 1
            if count >= TELLING_LINES_MAX and place < len(lines) - TELLING_LINES_MAX:
                reading.join(read_output(lines[-TELLING_LINES_MAX:]))
                break
    return reading


def telling_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, list[OutputRow]]]:
    """The lines that may tell something, with their places and the rows that may fit."""
    text, table = "\n".join(lines), rows_by_word()
    endings = tuple(filter(text.__contains__, ENDINGS))
    has_prefixes = ": " in text and any(map(text.__contains__, PREFIXED_TASKS))
    has_others = bool(endings) or "━━" in text
    dull = set[str]()  # words whose lines tell nothing, whatever follows
    untold = {""}  # lines that tell nothing; most come again
    for place, line in enumerate(lines):
        if line in untold:
            continue
        parts = line.split(None, 2) if line[:1] != "=" else line.strip(" \t=").split(None, 2)
        rows = table.get(parts[0]) if parts else None
        if rows is None and has_others and parts:
            rows = rows_by_end(line, endings, table)
        if rows is None and parts and parts[0] not in dull:
            rows = rows_for_kind(line, parts, has_prefixes, dull)
        if rows is None:
            untold.add(line)
            continue
        if len(parts) > 1 and is_of_passed_test(line, parts):
            rows = table["PASS"]
        yield place, shortened(line).strip(" \t="), rows


def rows_for_kind(line: str, parts: Sequence[str], has_prefixes: bool, dull: set[str]) -> list[OutputRow] | None:
    """The rows for a line by its kind, or by its task's name before it; a word of which it has none is dull."""
    word = parts[0]
    rows = rows_for(line, word, parts, rows_by_word())
    if rows is None and has_prefixes and len(parts) > 2 and parts[1][-1] == ":":
        rows = NO_ROWS
    if rows is None and not (has_prefixes or word[0].isdigit() or ":" in word):
        dull.add(word)
    return rows


def is_of_passed_test(line: str, parts: Sequence[str]) -> bool:
    """Whether it is a line for one test that passed, of Go's or of cargo's."""
    return (parts[0] == "---" and parts[1] == "PASS:") or (parts[0] == "test" and line.endswith("... ok"))


def shortened(line: str) -> str:
    """As much of the line as is looked at: whole words, as nothing recognises half a secret."""
    if len(line) <= OUTPUT_LINE_MAX_CHARACTERS:
        return line
    return re.sub(r"\S{1,400}\Z", "", line[:OUTPUT_LINE_MAX_CHARACTERS])


def rows_by_end(line: str, endings: tuple[str, ...], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that is known by its end, or by what stands within it."""
    if line.endswith(endings):
        if line.endswith("[100%]"):
            return table["..[100%]"] if not line.split(None, 1)[0].strip(".sxX") else None
        if " > " in line:
            return table[">"]
        if "...." in line:
            return table["...."]
    if " ... FAILED" in line:
        return table["..."] if not line.startswith("test ") else None
    return table["format"] if "━━" in line and " format " in line else None


def rows_for(line: str, word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line whose first word alone has none: by its kind."""
    first, last = word[0], word[-1]
    if first in "[#│┃║" or last == "!":
        return table["!" if last == "!" else "["]
    if first.isdigit():
        return rows_for_number(word, parts, table)
    if ":" in word or last == ")":
        return rows_for_place(line, word, table)
    if first in "^_" and not word.strip("^_-"):
        return table[first]
    if word.endswith(("Error", "Exception")) and (len(parts) == 1 or parts[1][0] == "["):
        return table["Error"]
    return table["ERR_PNPM"] if word.startswith("ERR_PNPM") else None


def rows_for_number(word: str, parts: Sequence[str], table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a number: `12 passed`, `1) name`, `00:01 +1: …`, `1:7  error …`."""
    if len(parts) < 2:
        return None
    if word[-1] == ")":
        return table["0)"] if word[:-1].isdigit() else None
    if ":" in word:
        return table[":+"] if parts[1][0] == "+" else table["@error"] if parts[1] == "error" else None
    return table.get(f"0{parts[1].rstrip('.:,;')}")


def rows_for_place(line: str, word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for a line that begins with a place in a file, or with a word and a colon."""
    if "::" in word and word[-1] != ":":
        return table["::"] if "FAILED" in line or "ERROR" in line else None
    if (rows := rows_for_word_and_colon(word, table)) is not None:
        return rows
    for key, part, text in (("@go", ".go:", word), ("@error", " error", line),
                            ("@ld", " undefined reference to ", line), ("@ruby", ":in", word)):
        if part in text:
            return table[key]
    if any(sign.isdigit() for sign in word[-4:]) and ("." in word or "/" in word):
        return table["@biome"] if "━" in line else table["@code"]
    return NO_ROWS if word[-1] == ":" else None


def rows_for_word_and_colon(word: str, table: RowsByWord) -> list[OutputRow] | None:
    """The rows for `ValueError: …`, `make[1]: …`, `error[E0308]: …`."""
    if word[-1] != ":":
        return None
    if word.endswith(("Error:", "Exception:")):
        return table["Error"]
    if word.startswith(("make[", "gmake[")):
        return table["make:"]
    return table["error["] if word.startswith("error[") else None


def lines_below(lines: Sequence[str], place: int, indented: bool) -> list[str]:
    """The next lines that say something; those behind a blank line must be indented more, or they are others'."""
    near, depth, blank = list[str](), len(lines[place]) - len(lines[place].lstrip()), False
    for line in lines[place + 1:place + 8]:
        text = line.strip(" \t│=")
        if not text:
            blank = True
        elif indented and blank and not near and len(line) - len(line.lstrip()) <= depth:
            break
        elif not re.match(r"[\w./-]{1,200}:\d+$|[-=─_]{3,}$|❯ |ESLint: ", text):
            near.append(text[:OUTPUT_LINE_MAX_CHARACTERS])
        if len(near) == 4:
            break
    return near


def go_message(lines: Sequence[str], place: int) -> str:
    """What a failing Go test said: below its line, or with -v above it; what sounds like a failure, else the last."""
    below, above = list[str](), list[str]()
    for line in lines[place + 1:place + LINES_NEAR_MAX]:
        if line.startswith(("---", "FAIL", "===", "ok ")) or (below and line.lstrip().startswith("--- FAIL")):
            break
        below.append(line)
    for line in reversed(lines[max(place - LINES_NEAR_MAX, 0):place]):
        if line.startswith("---"):
            break
        above.insert(0, line)
    pattern = compiled(GO_LOG)
    for part in (below, above):
        logs = [match[1] for line in part if (match := pattern.match(shortened(line)))]
        if logs:
            return next((log for log in reversed(logs) if compiled(GO_FAILURE).search(log)), logs[-1])
    return ""


def with_expected(near: Sequence[str]) -> list[str]:
    """The lines with what was expected and what came joined to the first."""
    end = 1
    while end < len(near) and re.match(r"(?:Expected|Received|Actual|expected|got|left|right)\b", near[end]):
        end += 1
    # Jest's and Playwright's own comment would take the place of what was expected.
    return [", ".join([near[0].partition(" // ")[0], *near[1:end]]), *near[end:]] if near and end > 1 else list(near)


def end_of_traceback(lines: Sequence[str], place: int) -> str:
    """The last line of a Python traceback: the error; of a chain of them the last one's."""
    begin, cause = place, ""
    for number in range(place + 1, min(len(lines), place + 400)):
        line = lines[number]
        if line.startswith("Traceback ("):
            begin = number
        elif line and not line[0].isspace() and begin >= 0 and re.match(r"[A-Za-z_][\w.]{0,100}(?::|$)", line):
            cause, begin = line.strip()[:OUTPUT_LINE_MAX_CHARACTERS], -1
        elif begin < 0 and line and not line.startswith(("During handling of", "The above exception")):
            break
    return cause
