"""The task as it was given: a plan, a team lead's words, a long order, a ticket; of a long one the rows of use.

Of use are the rows that bind (conditions, risks, open questions, how it is checked), then steps, then what names
something; not what is done, code, what the summary has, praise, why it was wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from compact_keeper.recap.lines.thread import Ago
from compact_keeper.recap.wording.in_summary import in_summary
from compact_keeper.recap.wording.phrases import folded_line, without_known_lines
from compact_keeper.record.calls.open_tasks import (
    LATER_MESSAGES,
    SAME_ORDER_MAX_CHARACTERS,
    messages_in,
    tasks_of_client,
)
from compact_keeper.record.items import is_typed
from compact_keeper.record.words.pasted import is_document
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import MIDDLE_GONE, cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.names import names_of
from compact_keeper.types import Item, Line, TaskRow

GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16, TASK_ROW_MAX_UTF16 = 2_800, 900, 300  # the second: where all is done
FULLER_TASK_UTF16 = (2_800, 4_000, 5_500, 7_000, 9_000)  # where room is left when all other lines have theirs
WHOLE_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16, TASK_TITLE_MAX_UTF16 = 4_000, 1_800, 240
ENDS_WITH = (  # what the headings of those parts of a task name that say when it is done, and what it must not do
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:constraints?|rules|requirements|non-?goals|out of scope|important|notes?|risks?"
    r"|caveats?|gotchas|principl\w+|princip\w+s|guidelines?|conventions?|behaviou?r|comportement|questions?"
    r"|decisions?|remaining|issues|recommend\w*|limits|limitations|guardrails|riscos?"
    r"|riesgos?)\b|注意|対象外|条件|制約|约束|风险|제약|주의|규칙)")
CHECKED_BY = (  # headings over how it is checked, which the summary mostly has not
    r"(?i)^(?:#{1,6} |\*\*).*(?:\b(?:verif\w+|vérif\w+|validation|test(?:s|ing)?|accept\w+|criteri\w+|crit[ée]r\w+"
    r"|aceita\w*|acepta\w*|done|success|überprüfung|провер\w+)\b|検証|验证|검증)")
WHY = (  # headings over why it is wanted and how it is today
    r"(?i)^#{1,6} (?:\d[\d.]* )?(?:context\w*|background|problem\w*|motivation|why|overview|summary|goal|current \w+"
    r"|contexto|kontext|背景|問題|问题)\b")
BINDING = (
    r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always|drop|avoid|instead"
    r"|nicht|nur|kein\w*|jamais|uniquement|não|nunca|apenas|somente|manter|solo|sólo|siempre)\b"
    r"|のみ|しない|必ず|禁止|限定|必须|不要|只|반드시|금지|하지 마")
PRAISE = (  # a heading or a cell that says that something is well
    r"(?i)^#{1,6} .*[:—–-] ?\W*(?:all )?(?:complete|completed|ready|done|fixed|resolved|passed|ok)\W*$"
    r"|\| ?\W*(?:fixed|resolved|done|completed?|ok|pass(?:ed)?) ?\W*\|")
STARTS_ROW = r"\s*(?:[-*+•] |\d{1,3}[.)] |\||>|#{1,6} |\*\*)"  # what goes on from the line above starts otherwise
IN_LIST, NUMBERED, UNTICKED = r"\s*(?:[-*+•] |\d{1,3}[.)] )", r"\s*\d{1,3}[.)] ", r"\s*[-*+] \[ \] "
CALLS_PROGRAM = (  # a shell's row, not one of a program's code
    r"\s*(?:\$ |(?:sudo |uv run |poetry run |npx |bunx )?(?:pytest|python3?|node|npm|pnpm|yarn|bun|go|cargo|make|docker"
    r"|docker-compose|kubectl|terraform|curl|gh|git|uvicorn|swift|xcodebuild|dotnet|mvn|gradle|\./[\w./-]+)(?= |$))")
ROW_HEADING = r"(#{1,6}) "
STEP_LABEL = r"(?i)\W{0,6}((?:[^\W\d]{1,12} ?)?#?\d{1,3}(?:\.\d{1,2})?)\s*(?:[:.)—–-]|$)"
WRAPPED_MIN_CHARACTERS = 45  # of a line that may go on in the next one
KNOWN_FACTOR, DONE_FACTOR, WHY_FACTOR, PRAISE_FACTOR = 0.3, 0.4, 0.4, 0.1
STEP_OF_PLAN = r"(?i)\b(?:plan|phase|step|fase|schritt|étape|etapa|paso|passo|task|continue|weiter|resume)\b"
TICKS, TICKED_WHEN_GIVEN = ("✅", "☑", "✔", "[x]"), " (the ticks in it were there when it was given)"
RULER = r"[\s|:=*_-]*"  # a line that only parts others; a brace closes something
COMMITS_NAMED, TICKETS_SHOWN, ORDERS_SHOWN = 3, 4, 2
TYPED_ORDER_MIN_CHARACTERS, TYPED_ORDER_MIN_LINES = 1_500, 8  # of a typed message that is shown as a task is
TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16 = 700, 1_500
TICKET_NUMBER = r"(?:issue view |issues/|#)(\d{1,6})\b|\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b"


def task_lines(items: Sequence[Item], ago: Ago, summary: str = "", most: int = GIVEN_TASK_MAX_UTF16) -> Iterator[Line]:
    """The tasks: a plan handed over or approved, a team lead's words, long orders that were typed, tickets looked up.

    One that was committed and gone on from is told by its title and its commits. `most`: UTF-16 units of a short form.
    """
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in items if item["kind"] == "message" and item.get("via") == "teammate"
             and "lead" in text_of(item, "sender")]
    for item in plans[-1:]:
        how = "handed over" if item["kind"] == "message" else "approved"
        where = f" (in {item['path']})" if item.get("path") else ""
        title = f"A plan, {how} {ago(item['last'])}{where}:"
        commits = commits_before_another_order(item, items)
        yield committed_plan(title, item, commits) if commits else given_task(title, item, items, summary, most)
    for item in leads[-2:][::-1]:
        yield given_task(f"From {item['sender']} ({ago(item['last'])}):", item, items, summary, most)
    for item in typed_orders(items)[-ORDERS_SHOWN:][::-1]:
        yield given_task(f"An order, typed {ago(item.get('typed_at') or item['last'])}:", item, items, summary, most)
    tickets = {item["ticket"].partition("\n")[0]: item for item in items if item.get("ticket")}
    for item in [*tickets.values()][-TICKETS_SHOWN:][::-1]:
        yield ticket_line(item, items, ago, summary)


def committed_plan(title: str, plan: Item, commits: Sequence[Item]) -> Line:
    """A plan that was committed and gone on from: its first line, and its commits."""
    first = cut(plan["text"].strip().partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)
    done = ", ".join(commit_in_words(commit) for commit in commits[:COMMITS_NAMED])
    more = f" and {len(commits) - COMMITS_NAMED} more" if len(commits) > COMMITS_NAMED else ""
    return {"items": [plan], "text": f"{title} {in_quotes(first)}. Committed since: {done}{more}; what the user typed "
                                     "goes on from there"}


def typed_orders(items: Sequence[Item]) -> list[Item]:
    """The long messages of many lines that were typed or pasted as an order.

    Not the newest message, which stands where it ended, nor words with a program's output among them.
    """
    messages = [item for item in items if is_typed(item)]
    return [item for item in messages[:-1] if is_long_order(item)]


def is_long_order(item: Item) -> bool:
    """Whether it is a typed message of many lines, without a program's output among them."""
    return (is_typed(item) and not item.get("own")
            and len(item["text"]) >= TYPED_ORDER_MIN_CHARACTERS and item["text"].count("\n") >= TYPED_ORDER_MIN_LINES
            and is_document(item["text"]))


def since_then(item: Item, items: Sequence[Item]) -> str:
    """How many messages were typed after the task, and how many commits were made; empty for none."""
    since = [other for other in items if other["position"] > item["position"]]
    messages = sum(is_typed(other) for other in since)
    commits = len({other["commit"] for other in since if other.get("commit")})
    named = [f"{count} {name}{'s' * (count > 1)}"
             for count, name in ((messages, "message"), (commits, "commit")) if count]
    return f" (since then {', '.join(named)})" if named else ""


def ticket_line(item: Item, items: Sequence[Item], ago: Ago, summary: str) -> Line:
    """A ticket that was shown, by the rows that bind; of one that a later commit names its title alone."""
    how = cut(folded_line(item["text"]), 80)
    what = f"A ticket, shown {ago(item['last'])} ({how})"
    since = [later for later in items if later["position"] > item["position"]]
    number = re.search(TICKET_NUMBER, item["text"])  # "#12", or a tracker's "ABC-12"
    called = ""
    if number:
        called = f"#{number[1]}" if number[1] else number[2]
    commits = [later for later in since if later.get("commit") and called
               and re.search(rf"(?<!\w){re.escape(called)}(?!\w)", text_of(later, "subject"))]
    if commits or messages_in(since) >= LATER_MESSAGES:
        title = cut(item["ticket"].partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)
        done = f". Committed since: {commit_in_words(commits[-1])}" if commits else ""
        return {"items": [item], "text": f"{what}: {in_quotes(title)}{done}"}
    texts = task_in_short(item["ticket"], (TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16), summary)
    return {"items": [item], "text": f"{what}:\n{texts[0]}", "whole": f"{what}:\n{texts[1]}"}


def commits_before_another_order(plan: Item, items: Sequence[Item]) -> list[Item]:
    """What was committed after a plan, where the person then gave another order; else none.

    No other order is a few words, or what names a step, unless all tasks are done and several followed. Nor is a plan
    done while tasks that are older than the order are open.
    """
    since = [item for item in items if item["position"] > plan["position"]]
    commits = [item for item in since if item.get("commit")]
    later = [item for item in since if is_typed(item)
             and commits and item["position"] > commits[0]["position"]]
    others = [item for item in later if len(item["text"]) > SAME_ORDER_MAX_CHARACTERS
              and not re.search(STEP_OF_PLAN, item["text"])]
    listed = tasks_of_client(items)
    if not others and listed and all(task["status"] == "completed" for task in listed):
        others = later[LATER_MESSAGES - 1:]
    if not others or any(task["status"] != "completed" and task["first"] < others[0]["first"] for task in listed):
        return []
    return [item for item in commits if item["position"] < others[0]["position"]]


def commit_in_words(commit: Item) -> str:
    """A commit's hash and subject."""
    subject = text_of(commit, "subject")
    return f"{commit['commit']} {in_quotes(cut(subject, 90))}" if subject else commit["commit"]


def given_task(title: str, item: Item, items: Sequence[Item], summary: str, most: int) -> Line:
    """A task in short, and longer where room is left; of one whose steps are all done less.

    Its title says how much came since: an order of before may be done, and only the reader can tell.
    """
    ticked = TICKED_WHEN_GIVEN if any(mark in item["text"] for mark in TICKS) else ""
    title = f"{title[:-1]}{since_then(item, items)}{ticked}:"
    since = [other for other in items if other["position"] > item["position"]]
    listed = tasks_of_client(items)
    done = {task["text"] for task in listed if task["status"] == "completed"}
    is_done = bool(listed) and len(done) == len(listed)
    labels = set[str]() if is_done else labels_of_steps(done)  # of what is done whole each part is as good
    edited = {text_of(other, "path").rpartition("/")[2] for other in since if other.get("edits")}
    is_old = is_done or messages_in(since) >= LATER_MESSAGES or any(map(is_long_order, since))
    most = max(most - units(title) - 1, TASK_ROW_MAX_UTF16)
    short, whole = (OLD_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16) if is_old else (
        GIVEN_TASK_MAX_UTF16, WHOLE_TASK_MAX_UTF16)
    limits = (min(short, most), whole, *FULLER_TASK_UTF16)
    forms = task_in_short(item["text"], limits, summary, labels, edited)
    shown, longer, *fuller = [f"{title}\n{form}" for form in forms]
    return {"items": [item], "text": shown, "whole": longer, "fuller": fuller}


def labels_of_steps(texts: Set[str]) -> Set[str]:
    """What steps are called by: "phase 2", "r5", as plans and tasks begin with it."""
    labels = [re.match(STEP_LABEL, text) for text in texts]
    return {label[1].lower() for label in labels if label}


def task_in_short(text: str, limits: Sequence[int], summary: str = "", done: Set[str] = frozenset(),
                  edited: Set[str] = frozenset()) -> list[str]:
    """A task's text within each limit; of a long one the rows that are of use, in their order, under their headings.

    `done`: labels of steps that are done; `edited`: names of files that were changed since.
    """
    is_whole = MIDDLE_GONE not in text and not text.endswith("…")
    lines = [line.rstrip() for line in text.splitlines() if not re.fullmatch(RULER, line) and line != MIDDLE_GONE]
    lines = without_known_lines(lines, summary)
    size = units("\n".join(lines))
    rows = rows_of(text) if size > min(limits) else []
    values = [value_of(rows, place, summary, done, edited) for place in range(len(rows))]
    beyond = "" if is_whole else ", and what lies beyond the record"
    return ["\n".join(f"> {line}" for line in (lines if size <= limit else most_useful(rows, values, limit, beyond)))
            for limit in limits]


def most_useful(rows: Sequence[TaskRow], values: Sequence[float], limit: int, beyond: str) -> list[str]:
    """The rows of most value within `limit`, in their order; behind the first what is left out, and `beyond` that.

    None of a text without a word.
    """
    if not rows:
        return []
    words = [(row["text"], *row["headings"]) for row in rows]
    first_at = {row: place for place, row in reversed([*enumerate(words)])}  # the same words again say nothing
    gone_max = min(TASK_ROW_MAX_UTF16, limit // 5)  # of the line that says what is left out
    chosen, left = {0}, limit - gone_max - units(shown_row(rows[0]["text"])) - 6
    for place in sorted(range(1, len(rows)), key=lambda place: (-values[place], place)):
        if values[place] <= 0:
            break
        if first_at[words[place]] != place:
            continue
        around = {place, *rows[place]["headings"][-2:], rows[place]["head"]} - {-1} - chosen
        size = sum(units(shown_row(rows[at]["text"])) + 3 for at in around)
        if size <= left:
            chosen |= around
            left -= size
    shown_parts = {heading for place in chosen for heading in rows[place]["headings"]} | chosen
    headings = [rows[place]["text"].lstrip("# ") for place in range(1, len(rows))
                if rows[place]["text"].startswith("#") and not rows[place]["is_code"] and place not in shown_parts]
    under = f"; nothing stands here of: {'; '.join(headings)}" if headings else ""
    gone = cut(f"[…] {len(rows) - len(chosen)} of {len(rows)} lines left out{beyond}{under}", gone_max)
    shown = [shown_row(rows[place]["text"]) for place in sorted(chosen)]
    return [shown[0], gone, *shown[1:]]


def rows_of(text: str) -> list[TaskRow]:
    """The rows of a task's text; wrapped lines are joined, what says nothing is none.

    Behind a gap it is not known under which heading a row stands, nor whether it is code: up to the next heading, where
    there is one, none is taken.
    """
    rows: list[TaskRow] = []
    first, *behind_gaps = text.split(MIDDLE_GONE)
    add_rows(rows, first)
    for part in behind_gaps:
        heading = re.search(f"(?m)^{ROW_HEADING}", part)
        add_rows(rows, part[heading.start():] if heading else part)
    return rows


def add_rows(rows: list[TaskRow], text: str) -> None:
    """Adds the rows of a part of a task's text that has no gap."""
    headings, heads = list[tuple[int, int]](), list[tuple[int, int]]()  # level or indent, and place
    is_code = is_wrapped = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code, is_wrapped = not is_code, False
            continue
        if not re.search(r"\w", line):
            is_wrapped = False
            continue
        if is_wrapped and not is_code and not re.match(STARTS_ROW, line):
            rows[-1]["text"] += f" {line.strip()}"
        else:
            level = 0 if is_code else level_of(line)
            while level and headings and headings[-1][0] >= level:
                headings.pop()
            indent = len(line) - len(line.lstrip()) + bool(re.match(IN_LIST, line))
            while heads and (level or heads[-1][0] >= indent):
                heads.pop()
            head = heads[-1][1] if heads and not is_code and indent else -1
            rows.append({"text": line.rstrip(), "headings": [place for _, place in headings], "is_code": is_code,
                         "head": head})
            if level:
                headings.append((level, len(rows) - 1))
            elif not is_code and re.search(r"[:：]\**$", line.rstrip()):
                heads.append((indent, len(rows) - 1))
        is_wrapped = len(line) >= WRAPPED_MIN_CHARACTERS and not line.startswith(("#", "|")) and line[-1] not in ":："


def level_of(line: str) -> int:
    """A heading's level, 7 of a row in bold letters alone; 0 of any other row."""
    mark = re.match(ROW_HEADING, line)
    return len(mark[1]) if mark else 7 * bool(re.fullmatch(r"\*\*[^*]{2,120}\*\*[:：]?", line))


def is_command_at_the_end(rows: Sequence[TaskRow], place: int) -> bool:
    """Whether a row of code calls a program, in the last part of the task: so it is checked, in whatever language."""
    if not re.match(CALLS_PROGRAM, rows[place]["text"]):
        return False
    tops = [at for at, row in enumerate(rows) if not row["is_code"] and 0 < level_of(row["text"]) < 3]
    return len(tops) > 1 and tops[-1] in rows[place]["headings"]


def value_of(rows: Sequence[TaskRow], place: int, summary: str, done: Set[str], edited: Set[str]) -> float:
    """Of what use a row is for who carries the task out; 0: alone of none, as headings are."""
    row = rows[place]
    above = [rows[at]["text"] for at in row["headings"]]
    if not row["is_code"] and (level_of(row["text"]) or re.search(r"[:：]\**$", row["text"])):
        return 0
    parts = {part for heading in above for part in parts_named(heading)}
    is_check, is_bound = CHECKED_BY in parts, bool(parts & {CHECKED_BY, ENDS_WITH})
    lead = rows[row["head"]]["text"] if row["head"] >= 0 else ""
    binds = any(re.search(BINDING, text) for text in (row["text"], lead))
    if row["is_code"]:
        value = 4.0 if is_command_at_the_end(rows, place) else 0.5
    elif row["text"].lstrip().startswith("|"):
        names = {name.rpartition("/")[2] for name in names_of(row["text"])}
        value = 2.0 if names and not edited & names else 0.7
    elif is_bound:
        value = 5.0
    elif binds or re.match(UNTICKED, row["text"]):
        value = 4.0
    else:
        value = 3.0 if re.match(NUMBERED, row["text"]) else 1.0 + bool(names_of(row["text"]))
    value += is_check + 0.5 * (is_bound and binds)
    if WHY in parts:
        value *= WHY_FACTOR
    if PRAISE in parts or re.search(PRAISE, row["text"]):
        value *= PRAISE_FACTOR
    if done and labels_of_steps({heading.lstrip("# ") for heading in above}) & done:
        value *= DONE_FACTOR
    return value * KNOWN_FACTOR if in_summary(row["text"].strip(), summary) else value


@lru_cache(maxsize=256)  # a heading stands over many rows
def parts_named(heading: str) -> list[str]:
    """What kinds of parts of a task a heading names, each by its pattern."""
    return [kind for kind in (CHECKED_BY, ENDS_WITH, WHY, PRAISE) if re.search(kind, heading)]


@lru_cache(maxsize=512)  # a row is measured for each length that the task may have
def shown_row(text: str) -> str:
    """A row as it is shown: of a long one the sentences that bind, else its beginning."""
    if units(text) <= TASK_ROW_MAX_UTF16:
        return text
    sentences = re.split(r"(?<=[^\d][.!?;])\s+|(?<=[。；])", text)
    binding = [sentence for sentence in sentences[1:] if re.search(BINDING, sentence)]
    begin = cut(sentences[0], TASK_ROW_MAX_UTF16 // 2)
    return cut(" … ".join([begin, " ".join(binding)]) if binding else text, TASK_ROW_MAX_UTF16)
