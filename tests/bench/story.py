"""A made-up session on its way: its records in the client's shapes, and the facts that were planted in it.

A Story is a transcript in the client's shapes, the moments at which hooks run, and the facts. A Fact names the pieces
of text that a good memory puts back, the record from which it holds and the one from which it does not, and its fate
(superseded, withdrawn, done, cleared ...). What was never true (a rule in a README, a summary's invention) has the
fate "imitated". A Writer adds records and plants facts; it fills the gaps of phrases.py by a seeded generator.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple, Union

from phrases import CHATTER, FILLS, IMITATIONS, LOOKS, NOISE, STEMS, TONGUES, cards
from sessions import CWD, REJECTION_WORDS, Content, JsonObject, Session

FOREVER = 1 << 40  # a record number that no session reaches
SIZES = (300, 420, 360, 700, 330, 1_000, 260, 520, 2_000, 390, 600, 3_500, 300, 800, 450, 1_500, 280, 640, 6_000, 340,
         900, 240, 2_600, 20_000)  # records of the stories, in turn
TAGGED = "<ide_opened_file>The user opened the file {} in the IDE. This may or may not be related.</ide_opened_file>"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aVZCT1J3MEtHZ28="}}
BESIDE = {  # what must stand on a fact's line: pattern, and words that meet it
    "": ("", ""),
    "open": (r"^(?!.*(?:\[x\]|\bcompleted\b|\bdone\b))", ""),
    "passed": (r"pass|\bok\b|succe|exit(?:ed)?(?: code)? 0|worked|green|✓", "passed"),
    "failed": (r"fail|exit(?:ed)?(?: code)? [1-9]|error|✗", "failed"),
    "approved": (r"(?<!not )(?<!never )\bapproved", "approved"),
    "not approved": (r"(?:not|never) approved|reject|refus|declin|turned down", "not approved"),
    "agreed": (r"\byes\b|agree|approv|consent|confirm|answered|chose", "agreed"),
    "doubted": (r"fail|not |n't|\bno \w|never|unverified|untested|without|only claimed|\bbut\b|since", "but it failed"),
    "waiting": (r"wait|not answered|unanswered|open question|asked the user", "waiting for an answer"),
    "talking": (r"discuss|talk|no (?:file|code|edit)|nothing (?:was |has been )?changed|without edit", "discussing"),
    "working": (r"implement|files? (?:were|was) (?:changed|edited)|changing|editing|in the middle", "implementing")}


class Fact(NamedTuple):
    """Something that holds from record `since` to before `until`; `marks` tell a line that shows it (else pieces)."""

    kind: str
    pieces: tuple[str, ...]
    since: int
    until: int = FOREVER
    fate: str = ""
    beside: str = ""
    marks: tuple[str, ...] = ()
    way: str = ""


class Moment(NamedTuple):
    """A hook's run: after `at` records, of which the file lacks `lag`, the first of these torn."""

    what: str  # compact | stop | event
    at: int
    lag: int = 0
    torn: bool = False
    branch: str = "main"
    given: JsonObject | None = None


class Story(NamedTuple):
    """A session: its records, those glued to the next on one line, when hooks run, what is true."""

    name: str
    language: str
    records: list[JsonObject]
    glued: frozenset[int]
    moments: list[Moment]
    facts: list[Fact]


# --- shapes that hold no fact; a gap in them is filled with an imitated rule ---

AGENT_LINE = {"type": "user", "message": {"role": "user", "content": "{}"},
              "uuid": "a9e47000-0000-4000-8000-000000000001"}
PROGRESS: tuple[JsonObject, ...] = (
    {"type": "hook_progress", "hookEvent": "SessionStart", "hookName": "SessionStart:startup", "command": "bd prime"},
    {"type": "bash_progress", "output": "{}", "fullOutput": "{}", "elapsedTimeSeconds": 2, "totalLines": 1},
    {"type": "mcp_progress", "status": "started", "serverName": "browser", "toolName": "open_page"},
    {"type": "agent_progress", "message": AGENT_LINE, "normalizedMessages": [], "prompt": "{}", "agentId": "a2d8838"},
    {"type": "waiting_for_task", "taskDescription": "Run all of it", "taskType": "local_bash"},
    {"type": "query_update", "query": "surcharge rounding rules"})
ATTACHMENTS: tuple[JsonObject, ...] = (
    {"type": "hook_success", "hookName": "SessionStart:startup", "hookEvent": "SessionStart", "content": "{}",
     "stdout": "{}",
     "stderr": "", "exitCode": 0, "command": "bd prime", "durationMs": 63},
    {"type": "hook_additional_context", "content": ["{}"], "hookName": "PostToolUse:Edit", "hookEvent": "PostToolUse"},
    {"type": "hook_blocking_error", "hookName": "PostToolUse:Edit", "hookEvent": "PostToolUse",
     "blockingError": {"blockingError": "[lint.sh]: {}", "command": "bash lint.sh"}},
    {"type": "hook_system_message", "content": "{}", "hookName": "SessionStart:startup", "hookEvent": "SessionStart"},
    {"type": "edited_text_file", "filename": f"{CWD}/README.md", "snippet": "4\t{}"},
    {"type": "plan_mode", "reminderType": "full", "isSubAgent": False, "planFilePath": "/home/ada/plans/p.md",
     "planExists": False},
    {"type": "task_reminder", "content": [], "itemCount": 0}, {"type": "todo_reminder", "content": [], "itemCount": 0},
    {"type": "nested_memory", "path": f"{CWD}/web/CLAUDE.md", "content": {"type": "Project", "content": "# Web\n\n{}"}},
    {"type": "skill_listing", "content": "- review: {}", "skillCount": 1, "isInitial": False, "names": ["review"]},
    {"type": "deferred_tools_delta", "addedNames": ["LSP"], "addedLines": ["LSP"], "removedNames": []},
    {"type": "agent_listing_delta", "addedTypes": ["Explore"], "addedLines": ["- Explore: {}"], "removedTypes": [],
     "isInitial": True},
    {"type": "file", "filename": f"{CWD}/NOTES.md", "displayPath": "NOTES.md",
     "content": {"type": "text", "file": {"filePath": f"{CWD}/NOTES.md", "content": "{}", "numLines": 1,
                                          "startLine": 1}}},
    {"type": "selected_lines_in_ide", "ideName": "Code", "lineStart": 7, "lineEnd": 7, "filename": "a.py",
     "content": "# {}"},
    {"type": "compact_file_reference", "filename": f"{CWD}/PLAN.md", "displayPath": "PLAN.md"},
    {"type": "invoked_skills", "skills": [{"name": "review", "path": "userSettings:review", "content": "{}"}]},
    {"type": "date_change", "newDate": "2027-02-03"}, {"type": "total_tokens_reminder",
                                                       "text": "<total_tokens>9 left</total_tokens>"},
    {"type": "queued_command",
     "prompt": "<task-notification>\n<task-id>b0</task-id>\n<summary>{}</summary>\n</task-notification>",
     "commandMode": "task-notification"})
SYSTEM: tuple[JsonObject, ...] = (
    {"subtype": "stop_hook_summary", "hookCount": 1, "hookInfos": [{"command": "bd stop"}], "hookErrors": ["{}"]},
    {"subtype": "turn_duration", "durationMs": 279_313}, {"subtype": "api_error", "level": "error", "error": {},
                                                          "retryAttempt": 1},
    {"subtype": "local_command", "content": "<local-command-stdout>{}</local-command-stdout>", "level": "info"},
    {"subtype": "away_summary", "content": "Goal was a faster import. {}"},
    {"subtype": "informational", "content": "{}", "level": "notice"},
    {"subtype": "scheduled_task_fire", "content": "Resuming the wakeup (10:44)"},
    {"subtype": "microcompact_boundary", "content": "Context microcompacted",
     "microcompactMetadata": {"trigger": "auto"}})
UNLINKED: tuple[JsonObject, ...] = (
    {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {"trackedFileBackups": {}},
     "isSnapshotUpdate": False},
    {"type": "file-history-delta", "messageId": "m1", "snapshotMessageId": "m0", "trackingPath": "a.py",
     "backup": {"version": 1}},
    {"type": "summary", "summary": "{}", "leafUuid": "ac8e6483-0000-4000-8000-000000000000"},
    {"type": "last-prompt", "leafUuid": "ac8e6483-0000-4000-8000-000000000000"}, {"type": "ai-title", "aiTitle": "{}"},
    {"type": "custom-title", "customTitle": "rates"}, {"type": "agent-name", "agentName": "rates"},
    {"type": "permission-mode", "permissionMode": "acceptEdits"}, {"type": "mode", "mode": "normal"},
    {"type": "pr-link", "prNumber": 75, "prUrl": "https://git.example.org/ada/parcel-rates/pull/75",
     "prRepository": "ada/parcel-rates"},
    {"type": "atis-latch", "atis": ""}, {"type": "bridge-session", "bridgeSessionId": "cse_0", "lastSequenceNum": 0},
    {"type": "agent-setting", "agentSetting": "claude"},
    {"type": "queue-operation", "operation": "enqueue", "content": '{"task_id":"b1","note":"{}"}'},
    {"type": "queue-operation", "operation": "enqueue", "content": "{}"},  # pulled back before it was sent
    {"type": "api-request-blob", "body": {"messages": [{"role": "user", "content": "{}"}]}})
USERS: tuple[tuple[str, JsonObject], ...] = (  # text of `user` lines that nobody typed, and their flags
    ("<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. {}"
     "</local-command-caveat>", {"isMeta": True}),
    ("Caveat: The messages below were generated by the user while running local commands. {}", {"isMeta": True}),
    ("<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>",
     {}),
    ("<local-command-stdout>Set model. {}</local-command-stdout>", {}),
    ("<bash-input>cat CONTRIBUTING.md</bash-input>", {}),
    ("<bash-stdout>{}</bash-stdout><bash-stderr></bash-stderr>", {}), ("Stop hook feedback:\n{}", {"isMeta": True}),
    ("Base directory for this skill: /home/ada/.claude/skills/review\n\n{}", {"isMeta": True}),
    ("Skill /review is already loaded above. {}", {"isMeta": True, "sourceToolUseID": "toolu_x"}),
    ("Continue from where you left off. {}", {"isMeta": True}),
    ("Warmup. {}", {"isSidechain": True, "agentId": "42362bc7"}),
    ('<teammate-message teammate_id="tester" color="orange">\n{}\n</teammate-message>',
     {"teamName": "rates", "agentName": "dev"}),
    ("<task-notification>\n<task-id>b0ld</task-id>\n<status>completed</status>\n<result>{}</result>\n"
     "</task-notification>", {}),
    ("Operation stopped by hook: {}", {}))
RESULTS: tuple[tuple[str, JsonObject, Any, Any], ...] = (  # tool, what it was asked, its result's content and copy
    ("WebFetch", {"url": "https://docs.example.org/rates", "prompt": "What are the limits?"},
     "# Rates\n\n{}\nLimit: 50.", {"code": 200}),
    ("Read", {"file_path": f"{CWD}/README.md"}, "1\t# Rates\n2\t{}\n3\tRun it.",
     {"type": "text", "file": {"content": "{}"}}),
    ("Bash", {"command": "git log -3"}, "commit 4b1d5e2\n\n    {}\n",
     {"stdout": "{}", "stderr": "", "interrupted": False}),
    ("mcp__wiki__page", {"id": "7"}, [{"type": "text", "text": "{}"}], [{"type": "text", "text": "{}"}]),
    ("Read", {"file_path": f"{CWD}/shot.png"}, [IMAGE], {"type": "image", "file": {"base64": "aVZC"}}),
    ("ToolSearch", {"query": "select:ExitPlanMode"}, [{"type": "tool_reference", "tool_name": "ExitPlanMode"}],
     {"matches": []}),
    ("Grep", {"pattern": "rate", "path": "src"}, "<persisted-output>\nOutput too large (20KB). Full output saved to: "
     "/tmp/out/1.txt\n\nPreview:\n{}\n</persisted-output>", {"mode": "content"}),
    ("Glob", {"pattern": "**/*.md"}, "README.md\n<system-reminder>{}</system-reminder>", {"filenames": ["README.md"]}),
    ("Skill", {"skill": "review"}, "Launching skill: review", {"success": True}),
    ("TaskList", {}, "No tasks. {}", {"tasks": []}))
Shape = Union[JsonObject, tuple[str, JsonObject], tuple[str, JsonObject, Any, Any]]
ODDITIES: tuple[Shape, ...] = (*PROGRESS, *ATTACHMENTS, *SYSTEM, *UNLINKED, *USERS, *RESULTS)


def filled(value: Any, text: str) -> Any:
    """The value with the text in place of every `{}` in it."""
    if isinstance(value, dict):
        return {key: filled(part, text) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(part, text) for part in value]
    return value.replace("{}", text) if isinstance(value, str) else value


# --- the writer: a session that knows what was planted in it ---


def bare(text: str) -> str:
    """The text without the punctuation at its end, which a good memory may leave out."""
    return text.strip().rstrip(".。।:!")


class Slots(dict[str, str]):
    """The fillings of a phrase's gaps, drawn when they are asked for."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def __missing__(self, gap: str) -> str:
        if gap in ("a", "b"):
            self["a"], self["b"] = self.writer.draw(FILLS["pair"], "pair").split()
        else:
            kind = "n" if gap == "m" else gap.rstrip("0123456789")
            self[gap] = self.writer.draw(FILLS[kind], kind)
        return self[gap]


class Writer(Session):
    """A session as it is made up: what is drawn from the tables is not drawn again before all of it was used."""

    def __init__(self, seed: int, number: int) -> None:
        super().__init__()
        self.rng = random.Random(f"{seed}/{number}")  # a text seeds the same way everywhere
        self.language = "English" if number % 2 == 0 else list(TONGUES)[1:][number // 2 % (len(TONGUES) - 1)]
        self.tongue = TONGUES[self.language]
        self.old = number % 3 == 1  # written by a client that marked nothing and had TodoWrite and progress lines
        self.stops, self.branch = number % 4 < 2, "main"
        self.events = number % 8 == 6 and SIZES[number % len(SIZES)] < 700  # a process each: they cost time
        self.decks: dict[str, list[str]] = {}
        self.facts: list[Fact] = []
        self.moments: list[Moment] = []
        self.calls: dict[str, tuple[str, JsonObject]] = {}
        self.asked_for: tuple[int, str] | None = None  # the live request's fact and topic
        self.approved = -1  # the fact of the plan that was approved last
        self.odd = number * 16  # where its share of ODDITIES begins
        lines = [self.rng.choice(NOISE).format(self.rng.choice(STEMS)) for _ in range(200)]
        self.noise = ["\n".join(self.rng.sample(lines, self.rng.randrange(2, 40)))
                      for _ in range(40)]

    def draw(self, table: str | tuple[str, ...] | list[str], deck: str = "") -> str:
        """A phrase of the table; when all were used, those with gaps begin anew."""
        deck = deck or "".join(table)
        if not self.decks.get(deck):
            again = [card for card in cards(table) if "{" in card] if deck in self.decks else []
            self.decks[deck] = again or cards(table)
            self.rng.shuffle(self.decks[deck])
        return self.decks[deck].pop()

    def phrase(self, table: str | tuple[str, ...]) -> str:
        """A phrase of the table, its gaps filled."""
        return self.draw(table).format_map(Slots(self))

    def pair(self, table: str) -> tuple[str, str]:
        """What was said first and what was said later, about the same things."""
        first, _, later = self.phrase(table).partition(" => ")
        return first, later

    def plant(self, kind: str, *pieces: str, **more: Any) -> int:
        """The number of a fact that holds from here on."""
        self.facts.append(Fact(kind, tuple(map(bare, pieces)), len(self.records), **more))
        return len(self.facts) - 1

    def end(self, number: int, fate: str) -> None:
        """From here on the fact does not hold."""
        self.facts[number] = self.facts[number]._replace(until=len(self.records), fate=fate)

    def imitate(self) -> str:
        """A rule that nobody typed."""
        text, here = self.phrase(IMITATIONS), len(self.records)
        self.facts.append(Fact("rule", (bare(text),), here, here, "imitated"))
        return text

    def envelope(self) -> JsonObject:
        return {**super().envelope(), "version": "2.1.42" if self.old else "2.1.329", "gitBranch": self.branch}

    def typed(self, text: str) -> JsonObject:
        return self.user(text, todos=[], permissionMode="default") if self.old else super().typed(text)

    def say(self, text: str, way: str = "typed") -> None:
        """Words of the person, by one of the ways in which they come into a transcript."""
        if self.events and way not in ("rejection", "attached"):
            self.hook("UserPromptSubmit", prompt=text)
        WAYS[way](self, text)

    def around(self, text: str, table: str = "") -> str:
        """The text among other sentences, at the beginning, in the middle or at the end of a prompt."""
        more = [self.phrase(table or self.tongue.remarks) for _ in range(self.rng.randrange(3))]
        at, gap = self.rng.randrange(len(more) + 1), self.rng.choice((" ", " ", "\n", "\n- "))
        gap = gap if text.endswith((".", "。", "।")) else "\n"
        return gap.join([*more[:at], text, *more[at:]])

    def hook(self, event: str, **given: Any) -> None:
        self.moments.append(Moment("event", len(self.records), given={"hook_event_name": event, **given}))

    def call(self, tool: str, **tool_input: Any) -> str:
        call_id = super().call(tool, **tool_input)
        self.calls[call_id] = tool, tool_input
        return call_id

    def result(self, call_id: str, content: Content = "ok", error: bool = False, extra: Any = None) -> JsonObject:
        record, (tool, tool_input) = super().result(call_id, content, error, extra), self.calls[call_id]
        fields = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": call_id}
        if self.events and tool in ("Bash", "Edit", "Write", "Agent") and "user said" not in str(content):
            ended: JsonObject = {"error": content} if error else {"tool_response": extra or {"stdout": content}}
            self.hook("PostToolUseFailure" if error else "PostToolUse", **fields, **ended)
        return record

    def bash(self, command: str, error: str = "") -> None:
        """A shell command that passed, or failed with the error."""
        if error:
            self.failed("Bash", f"Exit code 1\nrunning 12 checks\n{error}\n1 of 12 failed", command=command)
        else:
            self.ran("Bash", self.rng.choice(self.noise), {"stdout": "", "interrupted": False}, command=command)

    def edit(self, path: str) -> None:
        self.ran("Edit", f"The file {CWD}/{path} has been updated.",
                 {"filePath": f"{CWD}/{path}", "structuredPatch": []},
                 file_path=f"{CWD}/{path}", old_string="rate = 1", new_string=f"rate = {len(self.records)}")

    def thinks(self) -> None:
        """Thoughts and words as one message on two lines, as the client splits them; new clients leave thoughts out."""
        message = f"msg_{self.number()}"
        thought = self.rng.choice(("The user wants this to be quick.", "")) if self.old else ""
        self.assistant({"type": "thinking", "thinking": thought, "signature": "Eq8CCkYI"}, id=message)
        self.assistant({"type": "text", "text": self.rng.choice(CHATTER).format_map(Loose(self.rng))}, id=message)

    def work(self) -> None:
        """A step of the agent that nobody needs to remember."""
        output, loose = self.rng.choice(self.noise), Loose(self.rng)
        path = f"{CWD}/src/pages/{loose['name']}.py"
        step = self.rng.randrange(10)
        if step == 0:
            self.thinks()
        elif step == 1:
            self.edit(path[len(CWD) + 1:])
        elif step == 2:
            self.bash(self.rng.choice(LOOKS).format_map(loose))
        elif step == 3 and self.old:
            self.add({**self.envelope(), "type": "progress", "data": PROGRESS[1], "toolUseID": "bash-progress-0",
                      **self.stamps()})
        elif step == 4:
            self.ran("Grep", output, {"mode": "content", "numLines": 9}, pattern=loose["name"], path="src")
        else:
            self.ran("Read", output, {"type": "text", "file": {"filePath": path, "content": output}}, file_path=path)


class Loose(dict[str, str]):
    """Fillings for noise: they are not kept from being used again."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __missing__(self, gap: str) -> str:
        return self.rng.choice(FILLS[gap]) if gap != "path" else f"src/pages/{self.rng.choice(FILLS['name'])}.py"


def in_queue(writer: Writer, text: str) -> None:
    """Newer clients tell of a queued prompt twice: in the queue and in an attachment."""
    writer.queued(text)
    writer.attachment(type="queued_command", prompt=text, commandMode="prompt")


def from_queue(writer: Writer, text: str) -> None:
    writer.queued(text, left="dequeue")
    writer.user(text, promptSource="queued")


def after_interrupt(writer: Writer, text: str) -> None:
    writer.call("Bash", command="sleep 60")
    writer.interrupt()
    writer.typed(text)


WAYS: dict[str, Callable[[Any, str], object]] = {
    "typed": Writer.typed, "queue": Writer.queued, "attached": in_queue, "dequeued": from_queue,
    "interrupt": after_interrupt,
    "listed": lambda writer, text: writer.user([
        {"type": "text", "text": TAGGED.format("src/pages/a.py")}, {"type": "text", "text": text}]),
    "image": lambda writer, text: writer.user([IMAGE, {"type": "text", "text": text}]),
    "slash": lambda writer, text: writer.user(
        f"<command-message>rates</command-message>\n<command-name>/rates</command-name>\n<command-args>{text}</command-args>"),
    "rejection": lambda writer, text: writer.failed(
        "Edit", REJECTION_WORDS + text, file_path=f"{CWD}/src/pages/a.py", old_string="a", new_string="b")}
OFTEN = ("typed", "typed", "typed", "dequeued", "queue", "attached", "listed", "image", "slash")
CORRECTING = ("rejection", "interrupt", "typed", "typed")
