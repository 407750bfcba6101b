"""The text that is put back: the record's lines in sections, within a budget.

    items -> lines, by section -> as many of each as its share has room for -> what is left goes to longer words -> text

What must not be lost stands first: pins, rules, the newest message and the agent's last words, in the 2,000 UTF-16
units that the client still shows of a text that it cuts. What was done is the largest part and takes what others leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from compact_keeper.client.tools import SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.edits import gone_edits, shared_beginning
from compact_keeper.recap.evidence import evidence_lines_of
from compact_keeper.recap.looks import looks_lines
from compact_keeper.recap.plans import task_lines
from compact_keeper.recap.repository import repository_lines
from compact_keeper.recap.runs import check_lines, git_lines, since_failures
from compact_keeper.recap.same_forms import with_same_forms_joined
from compact_keeper.recap.standing import (
    job_lines,
    last_words_line,
    question_lines,
    task_list_lines,
)
from compact_keeper.recap.tagged import tagged_lines, with_tags
from compact_keeper.recap.thread import (
    UNDERSTOOD_ALONE_CHARACTERS,
    Ago,
    message_line,
    message_lines,
    pin_lines,
    rule_lines,
)
from compact_keeper.recap.wording import (
    Paths,
    ago,
    code,
    command_in_short,
    folded_line,
    middle_out,
    with_whole_paths,
)
from compact_keeper.recap.work import work_lines
from compact_keeper.record.check_runs import check_runs
from compact_keeper.record.comparisons import compare
from compact_keeper.record.git_ledger import git_ledger
from compact_keeper.record.names import in_summary
from compact_keeper.record.runs import last_runs, open_failures
from compact_keeper.record.telling_rows import ROW_END, ends_under_heads
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.pins import PINS_SHARE
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.times import moment
from compact_keeper.types import GitNow, Item, Line, Snapshot

HEADER = ("compact-keeper: the record of this session before the compaction, from its transcript. Where the summary "
          "says otherwise, this is what was recorded. Times count back from ")
ORDER, PINS = "This subagent's order, as it was given", "Pinned by the user"
RULES, DIFFERS = "Standing rules, as the user typed them", "Where the summary says otherwise than the record"
END, TASK = "Where it ended", "Plans and orders, as they were given (later words may overtake them)"
THREAD = "The user's earlier words, newest first; what the summary quotes may be missing"
TASKS = "Tasks, and what runs"
REPOSITORY, RUNS = "Working folder and repository now", "Checks: how each ended last"
WORK = "Earlier steps, newest first: a later one may have overtaken an earlier one"
LOOKS = "Looked at, as it was then; earlier passes; how commits were made: newest first"
EVIDENCE = "Also on record"
CONTINUED = " (continued)"  # behind a section's heading in the second part
SHARES = {  # in the order in which they are served: of the budget, what a section may fill before WORK has its own
    PINS: PINS_SHARE, RULES: 0.12, ORDER: 0.45, DIFFERS: 0.12, END: 0.40, TASK: 0.24, THREAD: 0.18, TASKS: 0.14,
    REPOSITORY: 0.15, RUNS: 0.20, EVIDENCE: 0.14}
SHOWN = (ORDER, PINS, RULES, DIFFERS, END, TASK, THREAD, TASKS, REPOSITORY, RUNS, WORK, LOOKS, EVIDENCE)
RULES_MIN_UTF16 = 200  # of the smallest budgets too: the newest rule stands
WORK_LOOKED_AT = 1.25  # of the budget: to put older work into words took a third of a restore's time
TURN_SHARE = 0.1  # of the budget: longer words of what was done since the newest message, before older work
WORK_SHARE = 0.30  # of the budget, which no other section may take
NEWEST_SHARE, LAST_WORDS_SHARE = 0.22, 0.17  # of the budget: the newest message, the agent's last words
OUTPUT_SHARE = 0.06  # of the budget: what one of the newest calls showed
ANSWERED_WORDS_SHARE, SHORT_ANSWER_CHARACTERS = 0.30, 60  # what "yes, do that" answers is needed whole
IN_SUMMARY, NO_ROOM = "stands in the summary", "no room left in its section"  # why a line is not put back
REFUSED_PLAN = "the plan: "
RESPELLED_WORDS_MAX, RESPELLED_MIN_CHARACTERS, REWORDED_SHARE = 2, 4, 0.15  # the last: of pairs of words
PAIR = 2  # words: such rows stay where the summary mends a message's spelling
WORDS_IN_A_ROW, QUOTED_SHARE, WHOLLY_QUOTED_SHARE = 4, 0.9, 0.98
SHOWN_AS_TASK = " (more of it stands as the task)"
QUOTED_MIN_CHARACTERS, QUOTED_SHOWN_UTF16, QUOTED_WHOLE = 400, 200, " (the summary quotes it whole)"
CHANGES_STATUS = (r"\bgit\b[^|;&]* (?:add|am|checkout|cherry-pick|clean|commit|merge|mv|pull|push|rebase|reset|restore"
                  r"|revert|rm|stash|switch)\b")
PLAIN_STATUS = r"git status(?: [\w-]+| 2>&1)*(?:$| &&)"
STATUS_HINT = r"\(use \"git |\(commit or discard|no(?:thing| changes) added to commit"
NEWEST_MESSAGES, SHORT_REPLY_CHARACTERS = 3, 25  # of those before the newest; as "yes, do that" has
STATUS_SHOWN_UTF16, OVERTAKING_SHOWN_UTF16, CALL_SHOWN_UTF16 = 500, 60, 120
LINE_MIN_UTF16 = 60  # a line cut to less says nothing


def sections_of(snapshot: Snapshot) -> dict[str, list[Line]]:
    """The lines that may be shown, by section, in each the first to be shown first."""
    items, state = snapshot["items"], snapshot["state"]
    budget, now = snapshot["settings"]["budget"], moment(snapshot["time"])
    present = snapshot.get("present", {})
    items = with_whole_paths(items, text_of(state, "root"), text_of(state, "cwd"))
    paths = Paths(items, text_of(state, "root"), text_of(state, "cwd"))

    def before(stamp: str) -> str:
        """How long before the compaction that was."""
        return ago(stamp, now)

    summary = text_of(snapshot, "summary")
    items = with_outputs(with_ends_of_jobs(items), snapshot.get("outputs", {}), int(OUTPUT_SHARE * budget))
    items = with_tags(items) if text_of(snapshot, "how_to_open") else items
    actions = [item for item in items if item["kind"] == "action"]
    root = text_of(state, "root")
    runs = check_runs(actions)
    failures = open_failures(actions, root, runs)
    now_in_git = present.get("repository", {})
    folder = "" if text_of(snapshot, "agent") else text_of(state, "cwd")  # a subagent may work in another
    repository = [f"- working folder {folder}"] if folder else []
    repository += [f"- {line}" for line in repository_lines(now_in_git, state)] if now_in_git else []
    ledger = git_ledger(actions)
    repository += git_lines(items, before, root, bool(now_in_git), ledger)
    repository += [] if now_in_git else last_status(items, before)
    repository += gone_edits(actions, paths, before)
    checks = check_lines(actions, last_runs(actions, root, runs), failures, before, root)
    checks, repository = [*map(paths.from_root, checks)], [*map(paths.from_root, repository)]
    is_unanswered = follows_last_words(items)
    items = [{**item, "refused": paths.short(item["refused"])} if item.get("refused") else item for item in items]
    messages = list(message_lines(items, before, int(NEWEST_SHARE * budget), not is_unanswered))
    newest = [line for line in messages[:1] if line["items"][0]["kind"] != "refusal"]
    # Typed while the agent worked on another one, or chosen in a dialog about it: neither tells the order itself.
    is_aside = any(line["items"][0].get("via") == "queue" or line["items"][0]["kind"] == "answer" for line in newest)
    of_before = first_asked(messages[1:]) if is_aside else []
    asked_before = [item for line in of_before for item in line["items"]]
    is_short = bool(newest) and is_unanswered and len(newest[0]["items"][0]["text"]) < SHORT_ANSWER_CHARACTERS
    rows = word_rows(summary)
    newest, of_before = (quoted_in_short(lines, rows, before) if summary else lines for lines in (newest, of_before))
    share = ANSWERED_WORDS_SHARE if is_short else LAST_WORDS_SHARE
    last_words = list(last_words_line({**snapshot, "items": items}, int(share * budget), last_call(items, paths)))
    tasks = list(task_lines(items, before, summary, int(SHARES[TASK] * budget) - units(TASK) - 6))
    sections: dict[str, list[Line]] = {
        ORDER: [{"items": [item], "text": "\n".join(f"> {line}" for line in item["text"].splitlines())}
                for item in items if item["kind"] == "errand"],
        PINS: list(pin_lines(items)),
        RULES: list(rule_lines(items, before)),
        DIFFERS: list(difference_lines(summary, items, now_in_git)),
        END: [*in_order_of_time(newest, last_words, is_unanswered), *broken_off_lines(state),
              *label(of_before, "What the agent worked on then: "), *question_lines(items)],
        TASK: tasks,
        THREAD: [ordered_in_short(line, tasks[:1], before) for line in messages[len(newest):]
                 if line["items"] != asked_before],
        TASKS: [*task_list_lines(items, summary, before), *job_lines(items, present.get("jobs", {}), paths, before)],
        REPOSITORY: [shared_line(text) for text in repository],
        RUNS: [shared_line(text) for text in checks],
        WORK: list(within(WORK_LOOKED_AT * budget, work_lines(
            with_same_forms_joined(items), paths, "\n".join([*checks, *repository]), summary,
            since_failures(ledger, runs, failures)))),
        LOOKS: list(looks_lines(items, paths, "\n".join(checks), summary)),
        EVIDENCE: list(evidence_lines_of(snapshot, paths)),
    }
    sections = without_known(sections, summary) if summary else sections
    return {section: tagged_lines(lines) for section, lines in sections.items()}


def within(most: float, lines: Iterable[Line]) -> Iterator[Line]:
    """The first lines, so many that they are longer than `most` UTF-16 units: what comes behind has no room."""
    for line in lines:
        yield line
        most -= units(line["text"])
        if most < 0:
            return


def last_status(items: Sequence[Item], ago: Ago) -> list[str]:
    """What `git status` said last, where git itself cannot be asked, and which command of git's overtook that.

    Nothing behind a commit: what was changed then is in it.
    """
    looks = [item for item in items if item["kind"] == "look" and item["text"].startswith("git status")]
    if not looks or not looks[-1]["result"]:
        return []
    if any(item.get("commit") and item["position"] > looks[-1]["position"] for item in items):
        return []
    later = next((item["text"] for item in items if item["kind"] == "action" and re.search(CHANGES_STATUS, item["text"])
                  and item["position"] > looks[-1]["position"]), "")
    since = f" (before {code(folded_line(later), OVERTAKING_SHOWN_UTF16)})" if later else ""
    rows = [" ".join(row.split()) for row in re.split(r"\s*\|(?=\s|$)", looks[-1]["result"])]
    rows = [row for row in rows if row and not re.match(STATUS_HINT, row)]
    if len(rows) > 1 and rows[-1].endswith("…"):
        rows[-1] = "…"  # half a path is none
    while len(rows) > 1 and units(" | ".join(rows)) > STATUS_SHOWN_UTF16:
        rows = [*rows[:-2 if rows[-1] == "…" else -1], "…"]
    is_plain = re.match(PLAIN_STATUS, looks[-1]["text"])
    command = "`git status`" if is_plain else code(folded_line(looks[-1]["text"]), OVERTAKING_SHOWN_UTF16)
    return [f"- {command} showed {ago(looks[-1]['last'])}{since}: {cut(' | '.join(rows), STATUS_SHOWN_UTF16)}"]


def with_ends_of_jobs(items: Sequence[Item]) -> list[Item]:
    """The items; a command that went into the background and ended there is one that ended, with the job's words."""
    jobs = {item["source"]: item for item in items if item["kind"] == "job" and item["status"] == "ended"}
    merged: list[Item] = []
    joined = set[int]()
    for item in items:
        job = jobs.get(item["source"], {})
        if item["kind"] == "action" and item["verdict"] == "running" and job:
            where = "" if item["tool"] in SUBAGENT_TOOLS else "in the background: "
            merged.append({**item, "verdict": "ended", "result": f"{where}{job['result']}"})
            joined.add(id(job))
        else:
            merged.append(item)
    return [item for item in merged if id(item) not in joined]  # the job stands behind its command, or before


def with_outputs(items: Sequence[Item], outputs: Mapping[str, str], most: int) -> list[Item]:
    """The items; those of the newest calls with what these showed, each at most so many UTF-16 units of it."""
    return [{**item, "output": ends_under_heads(outputs[str(item["position"])].split(ROW_END), most)
             or middle_out(outputs[str(item["position"])], most)}
            if item["kind"] in ("action", "look") and str(item["position"]) in outputs else item for item in items]


def difference_lines(summary: str, items: Sequence[Item], now_in_git: GitNow) -> Iterator[Line]:
    """What the summary says and the record knows otherwise, side by side; only where both are certain."""
    for finding in compare(summary, items, {"git": now_in_git, "files": {}}) if summary else ():
        if finding["said"]:
            yield {"items": [], "text": f"- The summary: {in_quotes(finding['said'])}. The record: {finding['record']}"}


def shared_line(text: str) -> Line:
    """A line that several items tell together."""
    return {"items": [], "text": text}


def without_known(sections: dict[str, list[Line]], summary: str) -> dict[str, list[Line]]:
    """The sections; lines that the summary says whole are marked as such, and so not put back.

    Of messages and answers only those that stand there word for word, and no answer behind one that is put back. What
    ended last, rules and checks stay: there the state counts.
    """
    of_summary, is_answer_kept = words_in(summary), False
    rows, pairs, words = (in_rows(of_summary, count) for count in (WORDS_IN_A_ROW, PAIR, 1))
    for line in reversed(sections[THREAD]):  # the oldest first: what was answered later may have taken it back
        item = line["items"][0]
        if item["kind"] == "answer" and (is_answer_kept := is_answer_kept or not is_quoted(item["text"], rows)):
            continue
        is_of_plan = text_of(item, "refused").startswith(REFUSED_PLAN)  # a later form of it stands there
        is_droppable = item["kind"] != "refusal" and (is_of_plan or not item.get("refused"))
        if is_droppable and is_quoted(needed_beside(item), rows) and (
                is_quoted(item["text"], rows) or is_quoted_respelled(item["text"], pairs, words)):
            line["why"] = IN_SUMMARY
    for line in sections[THREAD]:
        line["need"] = need_of(line["items"][0], pairs)
    for section in (TASKS, EVIDENCE):
        for line in sections[section]:
            is_open = section == TASKS and not line["text"].startswith("- [x]")
            if not is_open and in_summary(line["text"], summary):
                line["why"] = IN_SUMMARY
    return sections


def need_of(item: Item, pairs: Set[tuple[str, ...]]) -> int:
    """How needed a message is beside the summary: 0, which lacks half of it; 1; 2, a short reply to something."""
    if item["kind"] == "message" and len(item["text"]) <= SHORT_REPLY_CHARACTERS:
        return 2
    own = word_rows(item["text"], PAIR)
    return int(len(own & pairs) > len(own) / 2)


def needed_beside(item: Item) -> str:
    """The words that a short message cannot be understood without: what it picks or answers; else empty."""
    is_short = item["kind"] == "message" and len(item["text"]) <= UNDERSTOOD_ALONE_CHARACTERS
    return text_of(item, "picks") or text_of(item, "answers") if is_short else ""


def ordered_in_short(line: Line, tasks: Sequence[Line], ago: Ago) -> Line:
    """A message's line; of an order that stands as the task its beginning and its end."""
    item = line["items"][0]
    if item["kind"] != "message" or all(item is not task["items"][0] for task in tasks):
        return line
    return {**message_line(item, ago, QUOTED_SHOWN_UTF16, False, SHOWN_AS_TASK), "items": [item]}


def quoted_in_short(lines: Sequence[Line], rows: Set[tuple[str, ...]], ago: Ago) -> list[Line]:
    """The lines of messages; a long one that the summary quotes whole is told by its beginning and its end."""
    return [{**message_line(item, ago, QUOTED_SHOWN_UTF16, True, QUOTED_WHOLE), "items": [item]}
            if item["kind"] == "message" and len(item["text"]) > QUOTED_MIN_CHARACTERS
            and is_quoted(item["text"], rows, WHOLLY_QUOTED_SHARE) else line
            for line in lines for item in line["items"][:1]]


def is_quoted(text: str, rows: Set[tuple[str, ...]], share: float = QUOTED_SHARE) -> bool:
    """Whether nearly all of the words stand in the summary, in their order; its `rows` are all of its word_rows."""
    own = word_rows(text) if text else set[tuple[str, ...]]()
    return len(own & rows) >= share * len(own)


def is_quoted_respelled(text: str, pairs: Set[tuple[str, ...]], words: Set[tuple[str, ...]]) -> bool:
    """Whether the words stand in the summary but for what it mended: a misspelled word is in two pairs of words.

    `pairs` and `words`: all that the summary has.
    """
    lacking = [row[0] for row in word_rows(text, 1) - words if row]
    if len(lacking) > RESPELLED_WORDS_MAX or not all(is_respelled(word, words) for word in lacking):
        return False
    own = word_rows(text, PAIR)
    return len(own - pairs) <= 2 * len(lacking) + REWORDED_SHARE * len(own)


def is_respelled(word: str, words: Set[tuple[str, ...]]) -> bool:
    """Whether one of the words differs from it by a few letters in one place; never a number."""
    if len(word) < RESPELLED_MIN_CHARACTERS or not word.isalpha():
        return False
    return any(other[0] == word[0] and abs(len(other) - len(word)) < 2 and shared_beginning(other, word)
               + shared_beginning(other[::-1], word[::-1]) >= len(word) - 2 for row in words for other in row)


def word_rows(text: str, count: int = WORDS_IN_A_ROW) -> Set[tuple[str, ...]]:
    """All rows of so many words that follow each other, in lower case; of a shorter text all its words."""
    return in_rows(words_in(text), count)


@lru_cache(maxsize=64)  # the summary's and a message's are asked for several times, and nobody changes them
def words_in(text: str) -> list[str]:
    """The text's words in lower case."""
    return re.findall(r"\w+", text.casefold())


def in_rows(words: Sequence[str], count: int) -> Set[tuple[str, ...]]:
    """All rows of so many of the words that follow each other; of fewer words one row."""
    return {*zip(*(words[at:] for at in range(count)))} or {tuple(words)}


def follows_last_words(items: Sequence[Item]) -> bool:
    """Whether the person typed something after the agent's last words: no answer to it follows."""
    said = max((item["position"] for item in items if item["kind"] == "said"), default=-1)
    return any(item["kind"] == "message" and item["position"] > said for item in items)


def broken_off_lines(state: Mapping[str, str]) -> list[Line]:
    """That the newest turn broke off with an error of the API, where the client says so."""
    error = text_of(state, "broken_off")
    return [shared_line(f"- The turn broke off with an error of the API: {in_quotes(error)}")] if error else []


def first_asked(messages: Sequence[Line]) -> list[Line]:
    """The newest message that was not typed while the agent worked on another one."""
    return [line for line in messages if line["items"][0].get("via") != "queue"
            and line["items"][0]["kind"] == "message"][:1]


def last_call(items: Sequence[Item], paths: Paths) -> str:
    """The newest call in few words, where it came after the agent's last words; empty where none did."""
    said = max((item["position"] for item in items if item["kind"] == "said"), default=-1)
    calls = [item for item in items if item["kind"] in ("action", "look") and item["position"] > said]
    if not calls:
        return ""
    newest = max(calls, key=lambda item: item["position"])
    is_command = newest["tool"] in SHELL_TOOLS
    words = command_in_short(newest["text"], paths) if is_command else paths.short(newest["text"])
    what = code(words, CALL_SHOWN_UTF16)
    is_single = len(calls) == 1 and newest["uses"] == 1  # the same call before is the same item
    count = "one call" if is_single else f"{len(calls)} calls or more, last" if len(calls) > 1 else "calls, last"
    return f"{count}: {'' if is_command else newest['tool'] + ' '}{what}"


def in_order_of_time(newest: Sequence[Line], last_words: Sequence[Line], is_unanswered: bool) -> list[Line]:
    """The newest message and the agent's last words, the newer ones first."""
    if is_unanswered:
        return [*label(newest, "The user's newest message, no words of the agent follow it: "), *last_words]
    return [*label(newest, "The user's newest message: "), *last_words]


def label(lines: Sequence[Line], words: str) -> list[Line]:
    """The lines with words before what they say."""
    return [{**line, "text": f"- {words}{line['text'][2:]}",
             **({"whole": f"- {words}{line['whole'][2:]}"} if "whole" in line else {})} for line in lines]


def choose(sections: dict[str, list[Line]], budget: int, lost_room: int = 0) -> None:
    """Marks each line with its section where it is put back, and with why, or why not; lengthens what has room.

    `lost_room` are units of the budget that no line can have; the sections' shares of it stay as they are.
    """
    left = budget - lost_room - units(HEADER) - NONCE_CHARACTERS - len("2026-02-23 14:05 UTC (block ).")
    reserve = int(WORK_SHARE * budget) if sections.get(WORK) else 0
    for section, share in SHARES.items():
        room = max(int(share * budget), RULES_MIN_UTF16 if section == RULES else 0)
        room = min(room, left - reserve)
        lines = sections.get(section, [])
        taken = take(most_needed_first(lines) if section == THREAD else lines, section, room)
        if section in (TASK, TASKS, THREAD):  # what is to be done and the person's words whole, not older work
            taken += lengthen(sections, (section,), room - taken)
        left -= taken
    work = sections.get(WORK, [])
    of_turn = [line for line in work if line.get("is_of_turn")]
    left -= take(of_turn, WORK, left)
    left -= lengthen({WORK: of_turn}, (WORK,), min(left, int(TURN_SHARE * budget)))
    left -= take([line for line in work if not line.get("is_of_turn")], WORK, left, bool(of_turn))
    left -= lengthen(sections, (END, TASK, TASKS, THREAD), left)
    # A message that is a rule stands among the rules alone; looks have no room of their own.
    for section in (RULES, THREAD, TASKS, RUNS, EVIDENCE, LOOKS):
        left -= take([line for line in sections.get(section, []) if "section" not in line], section, left)
    lengthen(sections, (WORK,), left)


def most_needed_first(lines: Sequence[Line]) -> list[Line]:
    """The thread's lines with the newest first, then the words that the summary lacks, then others, then a "yes".

    A session of many short replies had filled the section with them, and an order that no summary told had no room.
    """
    return [*lines[:NEWEST_MESSAGES], *sorted(lines[NEWEST_MESSAGES:], key=lambda line: line.get("need", 0))]


def lengthen(sections: Mapping[str, Sequence[Line]], names: Iterable[str], room: int) -> int:
    """Takes the longer form of lines that are put back while there is room, in UTF-16 units; returns what it took."""
    left = room
    for line in (line for name in names for line in sections.get(name, []) if "section" in line):
        longer = units(line.get("whole", "")) - units(line["text"])
        if 0 < longer <= left:
            line["text"] = line["whole"]
            left -= longer
    return room - left


def take(lines: Iterable[Line], section: str, room: int, has_title: bool = False) -> int:
    """Takes lines in their order into a section while there is room, in UTF-16 units; returns how much they take.

    `has_title`: lines stand in the section already.
    """
    taken = 0
    title = 0 if has_title else units(section) + 5
    for line in lines:
        if line.get("why") == IN_SUMMARY:
            continue
        size = units(line["text"]) + 1 + (0 if taken else title)
        if size > room - taken and not taken and room - title > LINE_MIN_UTF16:
            line["text"] = cut(line["text"], room - title - 1)  # the first says most: some of it rather than nothing
            size = units(line["text"]) + 1 + title
        if size <= room - taken:
            line["section"] = section
            line["why"] = "put back"
            taken += size
        else:
            line["why"] = NO_ROOM
    return taken


def recap_of(snapshot: Snapshot) -> tuple[str, list[Line]]:
    """The text within the snapshot's budget, and all lines that might stand in it, each with why it does or not."""
    how_to_open = units(text_of(snapshot, "how_to_open"))
    lines = chosen_lines(sections_of(snapshot), snapshot["settings"]["budget"], how_to_open)
    return under_headings(header_of(snapshot), [line for line in lines if "section" in line]), lines


def chosen_lines(sections: dict[str, list[Line]], budget: int, lost_room: int = 0) -> list[Line]:
    """All lines in the order of the text, each with whether it is put back; the sections stay as they are."""
    own: dict[str, list[Line]] = {section: [{**line} for line in lines] for section, lines in sections.items()}
    choose(own, budget, lost_room)
    return [line for section in SHOWN for line in own.get(section, [])]


def header_of(snapshot: Snapshot) -> str:
    """The first line of the text."""
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    stamp = text_of(snapshot, "time")
    when = f"{stamp[:10]} {stamp[11:16]} UTC" if moment(stamp) else "the compaction"
    begin = f"{HEADER}{when} (block {number})." if number else f"{HEADER}{when}."
    return f"{begin} {text_of(snapshot, 'how_to_open')}".rstrip()


def under_headings(begin: str, lines: Iterable[Line], continued: str = "") -> str:
    """The lines behind their begin, each section's under its heading; of the one that is `continued` that says so."""
    rows: dict[str, list[str]] = {}
    for line in lines:
        heading = f"## {line['section']}{CONTINUED if line['section'] == continued else ''}"
        rows.setdefault(heading, [heading]).append(line["text"])
    return "\n\n".join([begin, *map("\n".join, rows.values())])
