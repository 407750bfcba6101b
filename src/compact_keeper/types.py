"""The data model: shapes of what comes in, is stored and goes out. For annotations alone; no script holds this.

Where fields may be missing, the class says so with `total=False`. What a file or the client gives is a `JsonObject`
until its fields were looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:  # Python 3.9 has none
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414 - mypy takes no other form for what is passed on
else:
    Unpack = None

JsonObject = dict[str, Any]  # a JSON object of others, of which nothing is known
Ago = Callable[[str], str]  # of a moment: how long before the compaction it was, in words
CommitElsewhere = tuple[str, str, str]  # branch, hash and subject of a commit that HEAD has not
Hooks = Mapping[str, Sequence[JsonObject]]  # by event, as hooks.json and settings.json have them
EntryKind = Literal["typed", "said", "plan", "teammate", "call", "feedback", "ended", "compacted",
                    "looked up",  # by a command of ours that the person typed
                    "row",  # in the transcript, of the words that the ledger told last
                    "scheduled"]  # by the agent: a prompt that the client gave at its time, of no meaning to the record
Kind = Literal["message", "said", "rule", "question", "answer", "refusal", "plan", "task", "job", "action", "look",
               "pin", "errand"]  # of items: a pin comes from the person's file, an errand is a subagent's


class HookInput(TypedDict, total=False):
    """What the client gives a hook on stdin, as `read_input` has checked it: the first four are always there."""

    session_id: str  # usable as a folder's name
    transcript_path: str  # absolute or empty
    cwd: str  # absolute or empty
    hook_event_name: str
    source: str  # of SessionStart: startup, resume, clear, compact or fork
    trigger: str  # of compactions: auto or manual
    custom_instructions: str  # what was typed behind /compact; none otherwise
    compact_summary: str
    agent_id: str  # in a subagent, from 2.1.329 on also of its compaction
    agent_type: str
    prompt: str
    tool_name: str
    tool_input: Any
    tool_response: Any
    tool_use_id: str
    error: str
    is_interrupt: bool
    last_assistant_message: str


class FilePlace(TypedDict, total=False):
    """How far a file was read; empty: not at all."""

    inode: int
    offset: int


class EntryFields(TypedDict, total=False):
    """What entries have beside their position in the session: words theirs, calls all that stands below."""

    text: str
    trigger: str  # of a compaction, as the client tells it: manual or auto
    tokens: list[int]  # of a compaction: in the context before, and after where the client tells it
    is_old: bool  # of the agent's words: not kept
    is_by_editor: bool  # of a call: an editor offered the client's tool, and ran it
    typed_at: str  # of typed words: the time, which is before the entry's where they waited for the agent
    broken_off: str  # of typed words: the error of the API with which the turn before them ended
    opened: str  # of typed words: the file that the IDE had open, with the lines selected
    command_error: str  # of typed words that are a slash command: why it failed, so that the agent did not get them
    attached: str  # of typed words: what came with them, as "2 pictures"
    via: str  # of typed words: prompt, queue, waited (for the turn's end, typed before), interrupt, rejection, compact
    sender: str  # of a team
    key: str  # of a job that has ended
    status: str
    id: str
    tool: str
    path: str  # quoted
    command: str  # quoted
    pattern: str  # quoted
    input: JsonObject  # its arguments, quoted and short
    body: str  # what it reads, looks for or writes, as it came: redacted before it waits on disk
    change: str  # the lines of an edit that differ
    boxes_before: str  # of an edit of a text: the rows with boxes that the file had before it
    output: str  # its ends, as they came
    is_output_cut: bool  # there only where the call printed more than its `output` has
    answers: JsonObject  # of a dialog, by question
    tool_calls: int  # of a subagent's call: how many it made, where the client says it
    ok: bool | None  # None: no result yet
    exit: int | None
    error: str
    rejected: bool
    is_by_ledger: bool  # of a call: how it ended is known by the ledger alone so far, which has no outputs
    by_agent: str  # of a call: the id of the subagent whose it is; not there: the main agent's
    folder: str  # of a call: that of the shell, where it is another than the session's first


class Entry(EntryFields, total=False):
    """What is new in a session: words, a call with its result, a job's end, a compaction and more. Five always."""

    what: EntryKind
    time: str  # as the transcript writes it
    source: str
    position: int  # of its record in the session
    cycle: int  # compactions so far


class Commit(TypedDict):
    """A commit as git printed it when a command had made it."""

    hash: str
    branch: str  # that it went to
    subject: str
    took_in: str  # what git said of its files: "2 files, new: a.py"; empty: it did not say


class Push(TypedDict):
    """A push as git printed it."""

    to: str  # the other side's address, or its name
    refs: list[str]  # branches and tags there, the first of them
    commits: str  # "1a2b3c4..5d6e7f8"; empty: of several refs, or of a new one


class ChecksSaid(TypedDict, total=False):
    """What an output says of checks besides that they passed or failed."""

    failed_names: list[str]  # of the tests that failed, the first of them
    has_more_failed: bool  # more failed than these
    met_no_test: bool  # tests were started, and met none
    is_cached: bool  # the runner showed an earlier run's result


class CheckEnd(ChecksSaid, total=False):
    """How one of the checks of a command line ended; the verdict is always there."""

    verdict: str  # as of an ending
    result: str  # its own, where the output shows what its tests came to


class OutcomeFields(ChecksSaid, total=False):
    """What is certain of a command's check, and of what it did to the repository."""

    # test, types, lint, format, build, check; git, gh, deploy, migration, install, audit; empty: another command
    family: str
    commit: str  # of git: the hash as git printed it
    subject: str
    branch: str  # that the commit went to
    took_in: str  # the commit, of files, as git said
    commits_before: list[Commit]  # made by the same command before that one
    pushed: Push
    remark: str  # of a push: what a hook printed then
    push_refused: str  # what git said of a push that failed
    nothing_to: list[str]  # push, pull, stash: git said that there was nothing to do
    is_stash_kept: bool  # git could not take a stash back whole, and left it in the pile
    conflicts: list[str]  # files
    stashed: list[str]  # what git called the stashes that were made
    private: list[str]  # new files of a commit with names of keys, passwords or the client's own
    begun: str  # merge, rebase, cherry-pick, revert or am: stopped, waits for its end
    finished: str  # one of these came to its end; a commit ends a merge, too


class EndingFields(OutcomeFields, total=False):
    """How a command or call ended, and when."""

    verdict: str  # passed, failed, stopped (by the user, by a time limit), unknown, ended, not run, running
    result: str
    last: str  # as the transcript writes it
    position: int  # in the session
    uses: int  # how often it came
    ends: list[CheckEnd]  # of each check of the line, where not each ended as the line did
    is_in_background: bool  # it ended there: its job says how


class Ending(EndingFields, total=False):
    """How a command ended: of an action, or one of the earlier ends that it keeps."""

    text: str
    folder: str  # in which it ran; empty, or none: in the session's first


class CallFields(EndingFields, total=False):
    """What was kept of a call's input and output."""

    hits: list[str]  # of what it looked for
    files_searched: str  # of a search: the kind of files that it was for
    rows_read: list[str]  # of a file that was read in parts: which rows
    is_silent: bool  # of a command that only looks: it ended and printed nothing
    evidence: list[str]  # lines that were chosen of its output
    wrote: list[str]  # files of the project that the command wrote, by their whole paths
    lacking: list[str]  # programs that the command names and the machine has not
    change: str  # of an edit: the lines that differ
    edits: int
    taken_back: str  # of an edit: the command of git that took it back later
    taken_back_at: int  # at which position that was
    away: list[tuple[int, int]]  # of an edit: from which to which position stashes of git had it
    turn_began: str  # when the message that began its turn came
    made: str  # outside of the tree
    output: str  # of the newest ones
    printed: str  # whole, of newer ones; of a short file that was read its rows; never stored
    rows: list[str]  # more that it printed, in their order
    described: str  # of a command that holds code: what the agent calls it
    same: list[str]  # commands of its form, that it stands for: the oldest first
    ordered: list[str]  # rows of an order to a subagent
    agent: str  # that can be gone on with
    subagent_type: str  # of an order, as the client names it
    tool_calls: int  # of an order: how many the subagent made, where the client says it
    ticket: str  # that was shown: title and text
    more: int  # of a command whose result says less: how long its output is, in characters
    folder: str  # of a command: that of the shell, where it is another than the session's first
    has_lost_result: bool  # it has none, though the talk went on behind it


class TypedBefore(TypedDict):
    """When the same words had been typed before."""

    position: int
    time: str


class MessageFields(TypedDict, total=False):
    """What a message has beside its words."""

    via: str  # how it came
    broken_off: str  # the error of the API with which the turn before it ended
    command_error: str  # why it failed, of a slash command
    typed_at: str  # before it came, where it waited for the agent
    typed_before: list[TypedBefore]  # the same words, the last times
    sender: str  # of a team
    refused: str  # the call
    answers: str  # the agent's words before
    headings: str  # the last ones of those words, with a space behind each; never stored
    is_behind_calls: bool  # whether calls came between those words and it; never stored
    follows: str  # the call that was rejected without words just before, behind the agent's words
    ran_later: str  # in words, how the call that was rejected ran later all the same; never stored
    opened: str  # of few words: the file that the IDE had open
    attached: str  # what came with it, as "2 pictures"
    picks: str  # the offered line
    own: str  # of one with pastes: the words without them


class TaskFields(TypedDict, total=False):
    """What a task's own tools say of it."""

    text: str  # its subject
    status: str
    detail: str
    after: str
    owner: str


class JobFields(TypedDict, total=False):
    """What is known of a job."""

    path: str  # of its output
    port: str
    environ: str
    result: str
    by: str  # how a command left it behind
    pid: str  # its process ids, as they were printed
    exit_code: int  # as the client told it; not there: it did not
    is_signalled: bool  # it was sent a signal, and nobody saw its end
    seconds_most: int  # after which the client ends it
    also: str  # what package managers say that it runs


class ItemFields(CallFields, MessageFields, total=False):
    """What items have beside kind, words and who said them."""

    source: str
    first: str  # when, as the transcript writes it
    cycle: int
    status: str  # open; of tasks, plans, questions, jobs their own
    key: str  # items of one kind with the same one are one item
    question: str  # of an answer
    options: list[str]  # of a question, an answer, a message that picks one
    picks_one: bool  # of an answer: no more than one of the options may be picked
    tool: str  # of actions, looks, jobs
    path: str  # of those and of plans
    earlier: list[Ending]  # of an action, that were different
    by_agent: str  # the id of the subagent that did it; not there: the main agent
    port: str  # of a job, as JobFields has them
    environ: str
    by: str
    pid: str
    exit_code: int
    seconds_most: int
    is_signalled: bool
    also: str
    detail: str  # of a task, as TaskFields have them
    after: str
    owner: str
    order: int  # in its list
    list: str  # its list: the client's, or the file in which it stands
    unticked: int  # of a box: how many its file has, where it was written whole and none was changed since; else 0
    tag: str  # of its step, where a line that is shortened is to end with it; never stored


class Item(ItemFields, total=False):
    """Something said, done, asked or seen: what the record is made of."""

    kind: Kind
    text: str
    who: str  # user or assistant


StepOfItem = tuple[Any, Item]  # as commands/service_commands.py has it: with its command's item
Entries = list[tuple[Entry, list[Item]]]  # what is new in a session: each entry with the items that it gives


class Settings(TypedDict):
    """The settings in force; what each may be is said in store/settings.py."""

    budget: int
    max_items: int
    ttl_minutes: int
    retention_days: int
    tail_bytes: int
    instructions: bool
    gate: str
    gate_holds: int
    gate_max: float
    archive: bool
    archive_days: int
    archive_mb: int
    recall_note: bool
    notes: bool
    transcript_backup: str


class Queued(TypedDict):
    """Words typed while the agent worked, which the client has not handed to it yet."""

    time: str  # when they were typed
    text: str


class Memory(TypedDict, total=False):
    """memory.json: every item known, and how far was read; empty where nothing was saved."""

    schema: int
    record: int  # RECORD_FORMAT
    roots: list[str]  # uuids by which a fork's transcript may begin
    items: list[Item]
    place: FilePlace  # in the transcript; empty where none was read
    ledgers: dict[str, FilePlace]  # by file
    began: str
    time: str
    position: int
    cycle: int
    after: str  # what came just before: boundary, interrupt
    typed: list[str]  # the newest words of transcript and ledger
    # cwd, root, gitBranch, branch, head, worktree, last_words, waits, rejected, fires, dropped
    state: dict[str, str]
    outputs: dict[str, str]  # what the newest calls showed, by position and call
    files: dict[str, str]  # what short files held when they were read, the same way
    pending: list[Entry]  # calls that wait for their result
    seen: list[str]  # rows that may come again
    queue: list[Queued]
    dequeued: list[Queued]  # whose rows come next
    scheduled: list[str]  # words of prompts that the client gives at their time
    progress: list[LogLine]
    named: list[str]  # marks of secrets that stand in the session without their names, too; see text/named_secrets.py


class Saved(TypedDict):
    """A save that was made."""

    id: str
    before: Memory
    after: Memory
    started: float
    compacted: list[Entry]  # the client's compactions that were new in the transcript
    is_stored: bool  # else a save beside this one has read further


class Present(TypedDict):
    """What is true now of a snapshot, as far as it was known in time."""

    repository: GitNow
    jobs: dict[str, bool]  # by key: whether a process runs the command


class Snapshot(TypedDict, total=False):
    """snapshot.json, from which the recap is made; then with pins and with what is true now."""

    schema: int
    record: int
    position: int
    cycle: int
    began: str
    time: str
    state: dict[str, str]
    outputs: dict[str, str]
    files: dict[str, str]
    items: list[Item]
    read: JsonObject  # how far the save had read: its `transcript`, its `ledgers`
    settings: Settings
    session: str
    id: str  # of the save, then of the compaction
    created: float
    ttl: int  # seconds
    project: str
    present: Present
    as_of: str  # what is to be said of its age
    summary: str
    agent: str  # the subagent that it goes to
    is_by_hand: bool  # it is asked for, behind a compaction or not
    named: list[str]  # marks of secrets, as in the memory
    how_to_open: str  # the sentence that says how to see a step by its tag; empty: lines have no tags


class ThreadState(TypedDict):
    """Where a thread of a session stands: the main one's, or a subagent's."""

    awaits: Literal["result", "answer", ""]  # of a call; of the model; nothing, after the turn's end
    usage: int  # tokens in its context


class CompactionState(TypedDict, total=False):
    """compaction.json: how far the newest compaction has come; see store/compaction.py."""

    schema: int
    id: str
    stage: str
    offset: int  # of the transcript, behind which its boundary is
    resumed: bool
    trigger: str
    project: str
    transcript: str
    time: float
    ended: float
    settled: float
    before: list[int]  # positions of the compactions before
    earlier: CompactionState  # a delivery that was not verified when this one began
    why: str  # it is held
    holds: int
    held_in: int  # the cycle


class Untold(TypedDict, total=False):
    """untold.json: what waits for the model since the person typed a command of ours."""

    time: float  # when it was left, seconds since 1970
    pins: str  # what is pinned now
    parts: list[str]  # of what was brought in, each as much as one event carries
    brought_in: str  # the session of which that was saved
    brought_at: float  # seconds since 1970
    stopped_at: float  # when the compaction began at which that session stopped; 0 where it did not
    goes_on: bool  # its first part has gone out


class Statement(TypedDict):
    """A sentence of a summary."""

    line: str  # as it is written, without emphasis
    row: str  # its words in lower case and its marks, each between spaces
    heading: str  # the last above it, in lower case


class SummaryFinding(TypedDict):
    """What a summary says otherwise than the record, or leaves out."""

    kind: str  # check, task, git, file, rule, pin, question
    said: str  # empty: nothing
    record: str  # where this stands in the text that is put back, the finding is superfluous


class NotedFinding(SummaryFinding):
    """A finding with its line, as note.json has it."""

    line: str


class MessageRoom(TypedDict):
    """How many UTF-16 units stand of the newest message, of what it answers, of earlier ones and of what they answer.

    Of 0 nothing.
    """

    newest: int
    answered_by_newest: int
    earlier: int
    answered: int


class Line(TypedDict, total=False):
    """A line of the recap before it is chosen: what it shows, of which items, in which forms."""

    items: list[Item]
    tells: Set[str]  # steps that it tells besides these, as recap/wording/stated.py knows them
    what: str  # is told, where another than its maker asks: STATE_OF_GIT, DONE_TASKS, AS_SUMMARISED
    text: str  # as it stands there; may have lines of its own
    whole: str  # its words unshortened, for where room is left
    fuller: list[str]  # forms beyond `whole`, for where room is left at last; the longest last
    in_few_words: str  # of a failing check, and of a job that may run: its form in a small budget
    label: str  # of words and of changes: what stands before them
    turn: str  # of a step and of the agent's words: what stands above those of its turn
    tail: str  # of words: what stands behind them
    may_stand_whole: bool  # of the agent's words: they end a turn, or are of the newest one
    edited_later: dict[str, list[str]]  # of the agent's words: by path of a file edited since the code that went then
    reports_on: Set[str]  # of the agent's words: paths of the files that they report on
    removed_later: list[str]  # of the agent's words: paths of files removed since
    rows: list[str]  # of a step: more of what it printed, met or changed, for where room is left
    before_rows: str  # of a step: what stands between its words and these
    hits: int  # of a search of which its line says no more: how many it met
    changes: list[str]  # of a file's edits: what each did, for what stands between two of these rows
    boxes: Set[str]  # of a task: those that are unticked in it
    fails: str  # the family of the check whose last run failed
    passes: bool  # whether the line is of checks whose last run passed; there only where it is
    tag: str  # by which recall prints the step of a line without items
    need: int  # of the person's words: how needed they are beside the summary, 0 the most
    is_in_summary: bool  # and need not be put back


class Words(Line, total=False):
    """What the agent said, of which single sentences may stand among the steps; its `text` are the words alone."""

    tests_passed_since: bool  # tests failed then, by their last run, and passed later
    there_later: Set[str]  # files that they name, as not there perhaps, and that were read or changed later
    gone: Set[str]  # files of which a later command took back what they may be about


class ChosenLine(Line):
    """A line in the form in which it may stand in the text, as its `text`, and whether it does."""

    section: str
    is_put_back: bool
    why: str  # it is, or is not


class PieceFields(TypedDict, total=False):
    """What is known of a piece once the pieces are ranked."""

    new: Set[str]  # of its words those that neither the summary nor the text before has
    worth: float


class Piece(PieceFields):
    """What may come back of a step: its line, its longer form, a row that it printed, a sentence of the agent's."""

    kind: str  # as WEIGHTS of recap/choice/ranking.py name it
    text: str
    around: int  # characters that its line has beside it, where it stands there alone
    words: Set[str]
    step: int  # its position in the session
    index: int  # among the pieces of its step
    count: int  # how many these are
    line: Line  # that it belongs to
    sentences: Set[int]  # of the agent's words: the indexes of those that have to stand together


class Sentence(TypedDict):
    """A sentence of the agent's words."""

    text: str
    heads: list[int]  # the indexes of the sentences that it stands under, the outermost first
    is_drawn: bool  # a row of a table, of code, of a tree
    list: int  # the index of the first sentence of the list that it is in; -1 in none
    table: int  # the index of its table's head; -1 in none, and of the head
    is_joined: bool  # to the one before, without a blank, as in scripts that have none


class WordRows(TypedDict):
    """The words of a summary in lower case, and rows of those that follow each other."""

    rows: Set[tuple[str, ...]]  # of as many words as tell a quotation
    pairs: Set[tuple[str, ...]]
    words: Set[str]


class TaskRow(TypedDict):
    """A row of a task's text: a paragraph, a member of a list, a heading, a line of code or of a table."""

    text: str
    headings: list[int]  # under which it stands: their indexes, the nearest last
    is_code: bool
    head: int  # the index of the row ending in ":" that it belongs to, -1 without one


class RowsElsewhere(TypedDict):
    """Which new rows of a file's edits stand in the lines of other files."""

    rows: set[str]
    just_these: str  # the file whose line shows just what the newest edit put there; empty: none


class TaskKnown(TypedDict, total=False):
    """By what the rows of a task are weighed, beside their words."""

    summary: str
    done: Set[str]  # labels of steps that are done
    edited: Set[str]  # names of files that were changed since
    asking: Sequence[str]  # the words that ask for the next step, the surest first
    is_typed: bool  # a message, none of a plan's files and of a ticket's


class RepositoryState(TypedDict, total=False):
    """What .git says of a folder now; empty outside of a repository."""

    branch: str  # empty: HEAD is detached, or not known
    head: str  # the commit's full name; empty: there is none yet, or it is not known
    worktree: str  # the working tree's top folder


class GitNow(TypedDict, total=False):
    """What git says of a repository now: names, paths and subjects quoted. What was not known in time is missing."""

    root: str  # the working tree's top folder; there always, as are folder, in_progress, stashes, since, is_complete
    folder: str  # from which the paths are seen
    branch: str  # empty: HEAD is detached
    head: str  # the commit's first digits; empty: there is none yet, or it is not known
    is_without_commit: bool  # that there is none yet is certain
    upstream: str  # "origin/main"; empty: the branch has none
    is_without_remote: bool  # that the repository's settings have none is certain
    ahead: int  # commits that the upstream has not
    behind: int  # commits that only the upstream has, as last fetched
    commits: list[tuple[str, str]]  # hash and subject of HEAD's commits since the session began, newest first
    elsewhere: list[CommitElsewhere]  # other branches' commits since then that HEAD has not, newest first
    since: str  # the session's beginning, as it was given
    staged: list[tuple[str, str]]  # path, and "new", "deleted" or empty
    modified: list[tuple[str, str]]  # not staged: path, and "deleted" or empty
    untracked: list[str]  # a folder of which nothing is tracked ends with a slash
    conflicts: list[str]
    totals: dict[str, int]  # by the field's name, of those lists: how many were listed, of which the first are in it
    in_progress: str  # "merge of 1a2b3c4", "rebase of topic, step 2 of 5"
    stashes: int
    is_complete: bool  # git was asked everything, and answered all of it in time
    is_late: bool  # it was the time that did not suffice


class LogLine(TypedDict):
    """A line of the notes' log: what happened in a session, and to what."""

    time: str  # as the transcript writes it
    what: str  # asked, done, committed, passed, …
    key: str  # lines with the same one are about the same thing
    text: str  # Markdown


class LedgerEvent(TypedDict, total=False):
    """A line of ledger.jsonl; a field without a value is left out."""

    schema: int
    time: str  # UTC with milliseconds, as the transcript writes it
    event: str  # tool, prompt or subagent
    agent: str
    hook_ms: float
    tool: str
    path: str
    command: str
    task: str
    output: str
    ok: bool
    exit: int | None
    error: str
    interrupted: bool | None
    id: str
    text: str
    ended: bool
    said: str


class CheckName(TypedDict):
    """What a program with its first words checks."""

    family: str  # test, types, lint, format, build or check: of a task that does not say which
    name: str  # program and task: "pytest", "go test", "npm test"; equal for the same check in other words
    runner: str  # whose output it prints; empty: a task or a script, which may run anything


class Check(CheckName):
    """A test, build, linter or type check that a command runs."""

    command: str  # as it was written, without what stands before the program and behind a pipe
    typed: str  # as it stands in the line, without what is behind a pipe
    index: int  # among the commands of the line
    folder: str  # where a `cd` of the same command put it; empty: not said. Of a run as a whole path
    limits: list[str]  # what makes it less than a whole run: "-run TestA", "tests/a.py"
    filters: list[str]  # what its output goes through: "tail -5"
    shows_exit: bool  # the command's exit code 0 says that this check's was 0
    in_background: bool


class ClientEnd(TypedDict):
    """What the client tells of a command's end, by fields of its own and by words that it writes into the output."""

    output: str  # without those words
    exit_code: int | None  # None: not told
    stopped: str  # what ended the command before its own end; empty: nothing did
    is_refused: bool  # it was not run


class GitSaid(TypedDict):
    """What a part of git's output says."""

    fields: Outcome
    cause: str  # of a failure; empty: none
    words: list[str]  # for the outcome's line


class Outcome(OutcomeFields, total=False):
    """How a command ended, by its exit code and its output: plain text, not yet redacted; four are always there."""

    # passed, failed, unknown; ended: no check, exit 0; not run: refused, not found, no test; running: in background
    verdict: str
    line: str  # totals, first failing names, the cause: at most 240 UTF-16 units
    cause: str  # the error that made it fail; empty: not seen


class CheckRun(ChecksSaid):
    """A run of a check as the record has it: from an action, or from one of the earlier results that it keeps."""

    check: Check
    family: str
    name: str  # of the check: "go test", "npm lint"
    command: str  # as it was run: the whole line, or of one whose output shows what its tests came to the check's own
    line: str  # the whole line
    is_certain: bool  # that the verdict is this check's, where the line ran several of the family
    verdict: str
    result: str  # of the whole line, or of the check's own; empty where another check of the line gave it
    is_in_background: bool  # it ended there
    last: str  # when, as the transcript writes it
    position: int
    edited_after: list[str]  # files that it covers and that were changed later, the newest first
    taken_back_after: list[str]  # files that it covers and of which git took back later what it ran on
    passed_since: list[str]  # of a failing run: later commands of its family that check less, or something else
    same_failure_in: list[str]  # of a failing run: broader commands that failed before for the same tests
    later_runs: list[CheckRun]  # of the same check: those that were limited, or did not show how they ended
    unseen: list[str]  # of a failing run of which only some lines were asked for: names that failed before it


class BrokenRun(TypedDict):
    """A command that is no check and whose last run failed for certain."""

    command: str
    result: str
    last: str  # as the transcript writes it
    position: int
    edited_after: list[str]  # sources that were changed later, the newest first


class MendedForm(TypedDict):
    """A form of a command that failed, and the form that worked soon after."""

    failed: str
    result: str
    worked: str
    position: int


class Lack(TypedDict):
    """A program that the machine refused to a session's commands: it is not there, or asks for a password."""

    program: str
    command: str  # the last that was refused
    last: str
    position: int


class GitCall(TypedDict):
    """A call of git in a command line."""

    verb: str  # commit, push, …
    arguments: list[str]  # all words behind the verb
    folder: str  # see GitEvent


class Stash(TypedDict):
    """A stash of git that a command made; positions are those of the session."""

    command: str
    message: str  # as git printed it; empty: it is not certain that the stash was made, or here
    folder: str  # see GitEvent
    last: str
    position: int
    is_whole: bool  # it took all changes out of the working tree
    is_in_pile: bool  # neither popped nor dropped
    put_back: int  # where a later command put the changes back; -1: nowhere


EditKey = tuple[int, str]  # its position in the session, and its path


class Known(TypedDict):
    """What follows from a session's items before any line is made."""

    actions: list[Item]  # each edit with what took it back
    events: list[GitEvent]  # of git, marked
    runs: list[CheckRun]
    back: dict[EditKey, Discard]  # what took an edit back
    files_back: dict[str, Discard]  # by path of a file of which no edit stands
    failures: list[CheckRun]  # that are open


class Discard(TypedDict):
    """A call of git that took changes out of the working tree."""

    command: str
    last: str
    position: int
    folders: list[str]  # whole, with a slash at the end: all below them
    paths: list[str]  # whole: these files
    is_of_index: bool  # the files are what was added, not what was committed
    is_stash: bool


class SeenStatus(TypedDict):
    """A `git status` that was seen whole."""

    position: int
    paths: list[str]  # that it named


class LackingBranch(TypedDict):
    """The branch where the session stands, and commits of the session that it certainly lacks."""

    branch: str
    lacking: list[GitEvent]  # at least one, none of them pushed


class OthersCommits(TypedDict):
    """What a `git log` showed of commits that the session did not make."""

    look: Item  # or an action: the command that showed them
    commits: list[tuple[str, str]]  # hash and subject, the newest first


class GitEvent(TypedDict, total=False):
    """What git, or a forge's tool, was seen to do; the first four are always there."""

    what: str  # commit, push, branch, pull request, history (merge, rebase, reset, …), stash
    text: str  # of a commit its subject, else what was run, or the address
    last: str
    position: int
    hash: str
    branch: str
    to: str  # of a push, as far as its output tells: "origin main"
    refs: list[str]  # of a push: the branches and tags that its output names
    remark: str  # of a push what a hook printed, of a pull request what its command warned of
    pushed: str  # of a commit: yes, no; empty: a push came later, of what is not seen
    pushed_with: str  # of a commit: the other branch that holds it, by which it was pushed
    folder: str  # named by the line itself, by `cd` or `git -C`; empty: where the session stood
    verb: str  # of git: commit, merge, rebase, …
    amends: bool
    replaced: bool  # of a commit: a later amend or reset took its place
    rebased: bool  # of a commit: a later rebase may have given it another hash
    took_in: str  # of a commit: how many files, and of which is known that it has them
    certain: bool  # of a push: its output, or its exit code, says that it went through
    waits: bool  # of a merge or rebase: stopped, and not seen to end
    files: list[str]  # in conflict
    ended: str  # of a pull request: merged or closed; empty: it was opened again
    ended_last: str  # as the transcript writes the time of that


class CompactionFacts(TypedDict, total=False):
    """What is known of a compaction, as all who tell of it tell it; what is not known is missing."""

    time: float
    trigger: str  # manual or auto
    typed: str  # behind /compact, secrets replaced
    tokens_before: int  # in the context, as the client counts
    tokens_after: int
    outcome: str  # see figures/compactions.py
    kinds: dict[str, int]  # of the items that were put back
    units: int  # of the text that was put back
    contradicted: int  # what the summary said and the record contradicts
    left_out: int
    put_back: int  # of that
    model_knows: bool  # what differs: with the text that was put back, or by a note


class DeliveryFigures(TypedDict, total=False):
    """What was put back; empty: nothing so far."""

    times: int
    items: int | None  # None: their kinds were not noted
    kinds: dict[str, int]
    units: int  # UTF-16 units
    units_each: int
    tokens_each: int
    again_units: int  # put back again, as they were lost


class AuditFigures(TypedDict, total=False):
    """What the audits found in summaries; empty: there was none."""

    summaries: int
    contradicted: int
    left_out: int
    left_out_put_back: int  # of those: with the text that was put back, or by a note
    kinds: dict[str, int]


class NoteFigures(TypedDict, total=False):
    """Notes that the model was given; empty: none."""

    count: int
    units: int


class Spread(TypedDict):
    """How long a hook took, in milliseconds."""

    count: int
    p50: float
    p95: float
    max: float


class Figures(TypedDict, total=False):
    """What the events of a session come to, or of all; what is not known is None, empty or missing, never 0."""

    session: str | None
    project: str | None
    sessions: int | None  # of all
    first: float | None
    last: float | None
    compactions: int
    outcomes: dict[str, int]  # see figures/compactions.py
    subagents: int
    each: list[CompactionFacts]  # of one session; empty of all
    put_back: DeliveryFigures
    audit: AuditFigures
    notes: NoteFigures
    cleared: int | None  # commands that failed before and passed later
    ms: dict[str, Spread]  # by hook
    disk: dict[str, int]  # bytes, by use
    archive_bytes: int  # of the archive, which holds all sessions
    context: list[tuple[float, int]]  # of a session's page: tokens over time
    spent: dict[str, int]  # tokens
    compaction_list: list[tuple[Any, CompactionFacts]]  # of compactions.py, with outcomes
    marks: list[float]  # moments of its compactions
