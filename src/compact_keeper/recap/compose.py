"""What stands in which section: of a snapshot all lines that may, and those that are chosen under their headings.

The sections' order and shares are in choice/sections.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from compact_keeper.recap.choice.beside_summary import line_beside, words_beside
from compact_keeper.recap.choice.chosen_lines import heading_units
from compact_keeper.recap.choice.pieces import newest_step, without_old_reports
from compact_keeper.recap.choice.sections import (
    ALSO_ON_RECORD,
    CHECKS,
    DIFFERS,
    EARLIER_WORDS,
    END,
    ERRAND,
    FILES_READ,
    OLD_BOXES,
    PINS,
    PLANS,
    REPOSITORY,
    RULES,
    TASK_LIST,
    WORK,
    shares_of,
)
from compact_keeper.recap.completed_items import completed_items
from compact_keeper.recap.lines.also_on_record import also_on_record_lines, setup_lines
from compact_keeper.recap.lines.changed_files import (
    FILE_MOVED,
    edits_by_file,
    paths_taken_away_later,
    removed_after,
    removed_files,
)
from compact_keeper.recap.lines.checks import RunsInWords, check_lines, known_since_failures
from compact_keeper.recap.lines.jobs import job_lines, service_lines, with_services
from compact_keeper.recap.lines.looks import file_lines
from compact_keeper.recap.lines.pins_and_rules import pin_lines, rule_lines
from compact_keeper.recap.lines.plans import plan_lines
from compact_keeper.recap.lines.remarks import words_of_agent
from compact_keeper.recap.lines.same_forms import with_same_forms_joined
from compact_keeper.recap.lines.task_list import DONE_TASKS, old_box_lines, task_list_lines
from compact_keeper.recap.lines.turns import Turns
from compact_keeper.recap.lines.typed_words import (
    ANSWERED_BY_NEWEST_UTF16,
    ANSWERED_UTF16,
    message_lines,
    with_fewer_words,
    with_pieces_joined,
    without_old_assents,
)
from compact_keeper.recap.lines.where_it_ended import (
    end_lines,
    follows_last_words,
    newest_message_and_refusal,
    order_worked_on,
)
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.lines.working_folder import working_folder_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import how_long_before, shared_line
from compact_keeper.recap.wording.stated import stated_by
from compact_keeper.recap.wording.tagged import tagged_lines
from compact_keeper.record.calls.services import Services
from compact_keeper.record.checks.last_runs import last_runs, open_failures, spans_of_tests_passed_later
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.seen_from_folder import seen_from_folder
from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.taken_back import (
    edits_between,
    files_taken_back,
    taken_back,
    with_spans_away,
    with_taken_back,
)
from compact_keeper.record.summary.comparisons import compare
from compact_keeper.store.settings import is_small
from compact_keeper.text.fields import text_of
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.times import moment
from compact_keeper.types import Ago, GitNow, Item, Known, Line, MessageRoom, Snapshot, Words

NEWEST_MESSAGE_SHARE = 0.22  # of the budget; its line's `whole` is longer, and stands where room is left at the end
ROOM: MessageRoom = {
    "newest": 0, "answered_by_newest": ANSWERED_BY_NEWEST_UTF16, "earlier": 450, "answered": ANSWERED_UTF16}
SMALL_ROOM: MessageRoom = {"newest": 0, "answered_by_newest": 150, "earlier": 200, "answered": 130}
PLAN_SHOWN_UTF16, SHOWN_AS_PLAN = 200, " (more of it stands as the task)"


def sections_of(snapshot: Snapshot) -> tuple[dict[str, list[Line]], list[Words]]:
    """The lines that may be shown, by section, in each the first to be shown first; what was said.

    A path is named whole where it is named first, so the sections are made in the order of the text.
    """
    state, budget, summary = snapshot["state"], snapshot["settings"]["budget"], text_of(snapshot, "summary")
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    present = snapshot.get("present", {})
    now_in_git, jobs = present.get("repository", {}), present.get("jobs", {})
    ago = partial(how_long_before, now=moment(snapshot["time"]))
    paths = Paths(root, folder, text_of(now_in_git, "root"))
    seen: Snapshot = {**snapshot, "items": seen_from_folder(snapshot["items"], root, folder)}
    items = completed_items(seen, paths)
    completed: Snapshot = {**snapshot, "items": items}
    known = known_of(items, root, folder)
    checks = check_lines(RunsInWords(known["actions"], known["events"], ago, paths),
                         last_runs(known["actions"], root, known["runs"]), known["failures"])
    repository = working_folder_lines(completed, known, paths, ago)
    set_up = setup_lines(known["actions"])
    stated = stated_by([*checks, *repository, *set_up])
    most_of_plans = int(shares_of(budget)[PLANS] * budget) - heading_units(PLANS)
    plans = [*plan_lines(items, ago, summary, most_of_plans, text_of(state, "last_words"))]
    if is_small(budget):
        plans = [line for line in plans if "\n" in line["text"]]  # without room for a row of it the head says nothing
    boxes = {box for line in plans for box in line.get("boxes", ())}
    newest, worked_on, earlier = parted_messages(items, ago, budget)
    # In a small text nearly every line would have a head of its own: at 4,000 units they took 300.
    turns = Turns([] if is_small(budget) else items, ago)
    of_work = [*turns.with_begins(with_same_forms_joined(with_taken_back(items, known["back"])))]
    services = Services(items, root)
    since_failures = known_since_failures(known["actions"], known["events"], known["runs"], known["failures"])

    sections: dict[str, list[Line]] = {
        ERRAND: errand_lines(items),
        PINS: [*pin_lines(items)],
        RULES: [*rule_lines(items, ago)],
        DIFFERS: [*difference_lines(summary, items, now_in_git)],
        END: end_lines(completed, newest, worked_on, paths, ago),
        PLANS: plans,
        EARLIER_WORDS: [ordered_in_short(line, plans[:1]) for line in earlier],
        TASK_LIST: [*task_list_lines(items, summary, ago, boxes),
                    *job_lines(items, jobs, paths, ago), *service_lines(services, paths, ago)],
        OLD_BOXES: [*old_box_lines(items, boxes, ago)],
        REPOSITORY: repository,
        CHECKS: checks,
        WORK: [{**line, "turn": turns.head_of(newest_step(line))}
               for line in with_services(work_lines(of_work, paths, stated, summary, since_failures), services, paths)],
        ALSO_ON_RECORD: [*also_on_record_lines(completed, paths, set_up)],
        FILES_READ: [*file_lines(items, paths)],
    }
    if summary:
        sections[EARLIER_WORDS] = words_beside(sections[EARLIER_WORDS], summary)
        sections[TASK_LIST] = [line_beside(line, summary) if line.get("what") == DONE_TASKS else line
                               for line in sections[TASK_LIST]]
        sections[ALSO_ON_RECORD] = [line_beside(line, summary) for line in sections[ALSO_ON_RECORD]]
    # A tag among words would stand within one of their sentences: the choice puts it behind those that it takes.
    between = edits_between(known["actions"], known["files_back"])
    taken_away = paths_taken_away_later(items, edits_by_file(items), root)
    gone = {path for path, (how, _) in taken_away.items() if how != FILE_MOVED}
    said = without_old_reports(words_of_agent(items, spans_of_tests_passed_later(known["runs"]), between, turns, gone))
    removed = removed_files(items, taken_away)
    known_paths = {item["path"] for item in items if item.get("path")} if removed else set[str]()
    for line in said:
        line["removed_later"] = removed_after(line["items"][0], removed, known_paths)
    return {section: tagged_lines(lines) for section, lines in sections.items()}, said


def known_of(items: Sequence[Item], root: str, folder: str) -> Known:
    """What follows from the items of a session with this root, whose working folder is this."""
    actions = [item for item in items if item["kind"] == "action"]
    events, runs = marked_events(actions, root), check_runs(actions, root)
    back = taken_back(actions, events, root, folder)
    files_back = files_taken_back(actions, back)
    actions = with_spans_away(with_taken_back(actions, back), events, root)
    return {"actions": actions, "events": events, "runs": runs, "back": back, "files_back": files_back,
            "failures": open_failures(actions, root, runs)}


def parted_messages(items: Sequence[Item], ago: Ago, budget: int) -> tuple[list[Line], list[Line], list[Line]]:
    """The newest message's line; that of the order that was worked on; earlier words.

    A newest message that came after the agent's last words need not say what it answers: these stand beside it.
    """
    room: MessageRoom = {**(SMALL_ROOM if is_small(budget) else ROOM), "newest": int(NEWEST_MESSAGE_SHARE * budget)}
    if follows_last_words(items):
        room["answered_by_newest"] = 0
    messages = with_pieces_joined([*message_lines(items, ago, room)], items)
    newest = newest_message_and_refusal(messages, items)
    worked_on = order_worked_on(newest, messages, items)
    earlier = without_old_assents([line for line in messages if line not in newest and line not in worked_on], items)
    return newest, worked_on, earlier


def errand_lines(items: Sequence[Item]) -> list[Line]:
    """What a subagent was told to do, as it was given."""
    errands = [item for item in items if item["kind"] == "errand"]
    return [{"items": [errand], "text": "\n".join(f"> {line}" for line in errand["text"].splitlines())}
            for errand in errands]


def difference_lines(summary: str, items: Sequence[Item], git: GitNow) -> Iterator[Line]:
    """What the summary says and the record knows otherwise, side by side; only where both are certain.

    Where one line of the summary says several such things, what the record knows of each stands behind it.
    """
    known: dict[str, list[str]] = {}  # by what the summary says
    for finding in compare(summary, items, git) if summary else ():
        known.setdefault(finding["said"], []).append(finding["record"])
    for said, of_record in known.items():
        if said:
            yield shared_line(f"- The summary: {in_quotes(said)}. The record: {'; '.join(of_record)}")


def ordered_in_short(line: Line, plans: Sequence[Line]) -> Line:
    """A message's line; of an order that stands as one of the plans its beginning and its end."""
    item = line["items"][0]
    stands_as_plan = any(item is plan["items"][0] for plan in plans)
    if item["kind"] != "message" or not stands_as_plan:
        return line
    return with_fewer_words(line, PLAN_SHOWN_UTF16, SHOWN_AS_PLAN)
