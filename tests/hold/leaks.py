"""No secret on disk or in an output: families of true form in every wording and place; harmless text stays.

The secrets are made anew from a seed at each round (secrets_table.py). A leak is any 12 characters of a secret's body,
in any case, in a file's bytes below the data folder or in what a process prints; whitespace, colours and line ends of
JSON and shell within it do not hide it. Left out: backups, which keep the transcript as it is (and are off).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_plus

from attack import Attack, Ground, Outcome
from lookalikes import lookalikes
from secrets_table import LONGER, NAMED_CARRIERS, URLS, Draw, blocks, named_bodies, tokens
from sessions import SESSION_ID, Home, JsonObject, Session, hook_input

PIECE = 12  # characters of a body that are a leak; a shorter body leaks as a whole
OUTSIDE = 10  # characters at a token's beginning that are its maker's mark
LONGEST = 1.5  # seconds that the redaction may take for TEXT_LIMIT characters; 0.2 to 0.6 measured
REDACTED_MOST = 0.02  # of harmless look-alikes
HIDING = re.compile(rb"\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|\s|\\n|\\|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf")
IN_ONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import record_event as words
for line in sys.stdin:
    text = json.loads(line)
    once = words.redact(words.clean(text))
    print(json.dumps([once, words.redact(once), words.quote(text, 500), words.quote(text, 120)]))
"""


class Secret(NamedTuple):
    """A made-up secret in its wording."""

    family: str
    text: str  # what people and tools write
    body: str  # what must not be left of it
    told_by_form: bool = False  # wherever it stands; else by the words before it


# --- the secrets of a round ---


def secrets(seed: str) -> list[Secret]:
    """Every family once: told by form, by name, in addresses, as keys."""
    draw = Draw(seed)
    made = [Secret(name, f"use {token} for it",
                   token[len(token) // 2 if "://" in token else min(OUTSIDE, len(token) // 3):], True)
            for name, token in tokens(draw).items()]
    for number, (name, wording) in enumerate(NAMED_CARRIERS.items()):
        fitting = [candidate for candidate in named_bodies(draw).values()
                   if name not in LONGER or len(candidate) > PIECE]
        made.append(Secret(name, wording.format(body := fitting[number % len(fitting)]), body))
    made += [Secret(f"url-{name}", wording.format(body := draw(24)), body) for name, wording in URLS.items()]
    return made + [Secret(f"key-{name}", block, "".join(line for line in re.split(r"\n|\\n",
    block) if "-----" not in line))
                   for name, block in blocks(seed)]


def as_json(text: str) -> str:
    """The text in an object, as the client writes one."""
    return json.dumps({"value": f"line\n{text}"}, ensure_ascii=False)


def placed(secret: Secret, wide: bool = True) -> Iterator[str]:
    """The secret's text as it is met: escaped, coloured, with what does not show inside, glued, where a text is cut."""
    text, half = secret.text, secret.text.index(secret.body[:6]) + len(secret.body) // 2
    yield from (text, *(as_json(as_json(text) if twice else text) for twice in (False, True)))
    yield f"\x1b[1;32m{text}\x1b[0m and more"
    yield from (f"{text[:half]}{inside}{text[half:]}" for inside in ("\u200b", "\x1b[31m", "\u2060", "\ufeff"))
    yield f"Look at this. {text}\nThen go on."
    if wide:
        yield ("x " * 50_000)[half:] + text  # the text is cut within the body
    if secret.told_by_form:
        yield from (f"({text})", f"a,{text};", f"`{text}`", f"<{text}>", f"+{text}\n-{text}")
        if not set(text) & set("$@") and "SSWS" not in text:
            yield f"next={quote_plus(text)}"


# --- the redaction by itself ---


def pieces_of(made: Iterable[Secret]) -> dict[bytes, str]:
    """The family of each piece that is a leak."""
    return {secret.body[at:at + PIECE].lower().encode(): secret.family for secret in made
            for at in range(max(len(secret.body) - PIECE + 1, 1))}


def leaks_in(data: bytes, pieces: dict[bytes, str]) -> set[str]:
    """The families of which a piece stands in these bytes, or would when what hides it is taken out."""
    families, short = set(), [piece for piece in pieces if len(piece) < PIECE]
    for seen in {data.lower(), HIDING.sub(b"", data.lower())}:
        families |= {pieces[piece] for piece in short if piece in seen}
        for run in re.findall(rb"[!-~]{12,}", seen):
            windows = (run[at:at + PIECE] for at in range(len(run) - PIECE + 1))
            families |= {pieces[window] for window in windows if window in pieces}
    return families


def around(data: bytes, pieces: Iterable[bytes]) -> str:
    """The words around the first of these pieces that stands in the bytes, or would when what hides it is taken out."""
    seen = data if any(piece in data.lower() for piece in pieces) else HIDING.sub(b"", data)
    at = min(place for piece in pieces if (place := seen.lower().find(piece)) >= 0)
    return seen[max(at - 80, 0):at + 80].decode("utf-8", "replace")


def redacted(scripts: Path, texts: Iterable[str]) -> list[list[str]]:
    """What the scripts make of each text: redacted, redacted twice, quoted, quoted short."""
    given = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([sys.executable, "-IS", "-c", IN_ONE, str(scripts)], input=given, capture_output=True,
                          text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_itself(ground: Ground) -> Outcome:
    """Each family in each place, by the functions that every script writes through."""
    made = [secret for number in range(40 if ground.full else 1) for secret in secrets(f"round {number}")]
    tried = [(secret, text) for at, secret in enumerate(made) for text in placed(secret, at % 9 == 0)]
    broken = []
    for (secret, text), results in zip(tried, redacted(ground.scripts, [text for _, text in tried])):
        pieces = pieces_of([secret])
        if any(leaks_in(line.encode(), pieces) for line in results):
            broken.append(f"{secret.family} is left: {text[-160:]!r}")
        elif results[0] != results[1]:
            broken.append(f"{secret.family} is redacted otherwise the second time: {text[-160:]!r}")
    return Outcome(len(tried), broken)


def harmless(ground: Ground) -> Outcome:
    """What only looks like a secret."""
    texts = lookalikes("harmless")
    lost = [text for text, results in zip(texts, redacted(ground.scripts, texts)) if results[0] != text]
    return Outcome(len(texts),
    [f"redacted: {text!r}" for text in lost] if len(lost) > REDACTED_MOST * len(texts) else [])


BAITS = (  # what patterns begin with, again and again
    "a", "7", "=", "-", "pass", "password ", "password: ", "token is ", "token a b c d e ", "://", "://a:", "key ",
    "eyJ",
    "sk-", "sk_live_", "cookie: a=", "MT", "curl -u ", "login -p ", "echo a ", "\\n", "a1b2c3d4" * 8 + "\n",
    "-----BEGIN A PRIVATE KEY", "PRIVATE KEY-----", "LS0tLS1CRUdJTi ", "slack.com/a/", "authorization: ", "x:5432:a:",
    "$argon2id$a$", "0" * 32 + "-us", "set token", "login a password ", "key  = ", "pass to ", "[", "\"", "token=",)
ENDINGS = " PRIVATE KEY----- login mysql password token curl --password-stdin :5432: SG. Q~ cookie webhook slack ://"


def long_texts(ground: Ground) -> Outcome:
    """Texts in which a pattern could look again and again, as long as any that is looked at."""
    baits = BAITS if ground.full else BAITS[::9]
    broken = []
    for bait in baits:
        text = (bait * 100_000)[:99_800] + ENDINGS
        done = subprocess.run([sys.executable, "-IS", "-c", TIMED, str(ground.scripts)], input=text.encode(),
                                  capture_output=True, check=True, timeout=60)
        if float(done.stdout) > LONGEST:
            broken.append(f"{float(done.stdout):.1f} s for {bait!r} again and again")
    return Outcome(len(baits), broken)


TIMED = """
import sys, time
sys.path.insert(0, sys.argv[1])
import record_event as words
text, started = sys.stdin.read(), time.process_time()
words.redact(words.clean(text))
print(time.process_time() - started)
"""


# --- the whole way, through the real processes ---


def plant(session: Session, number: int, text: str, where: int) -> None:
    """The text at one place of a transcript; `where` goes round."""
    places: tuple[Callable[[], object], ...] = (
        lambda: session.typed(f"Never print this: {text}"), lambda: session.queued(text), lambda: session.says(text),
        lambda: session.says(f"{'Reading on. ' * 60}{text}\nShall I go on?"), lambda: session.ran("Bash", command=text),
        lambda: session.ran("Bash", f"first\n{text}\nlast", command="make show"),
        lambda: session.ran("Bash", f" M {text}\n?? src/{text}", command="git status --short"),
        lambda: session.failed("Bash", f"Exit code 1\nerror: {text}", command=f"make part{number}"),
        lambda: session.failed("Bash", f"Exit code 1\n{'.' * 12_000}\n{text}\nfail", command=text),
        lambda: session.ran("Read", f"def load_rates():\n    {text}\n", file_path=f"/srv/{number}.py"),
        lambda: session.ran("Grep", f"/srv/a.py:2:{text}", pattern=text),
        lambda: session.ran("Edit", file_path=f"/srv/{text} (copy).py", old_string=text, new_string=f"x = 1\n{text}"),
        lambda: session.ran("Write", file_path=f"/srv/{number}.md", content=f"- [ ] {text}\n"),
        lambda: session.call("Edit", file_path=f"/srv/{number}.py", old_string="x" * 1_990 + text, new_string=text),
        lambda: session.ran("Task", text, prompt=text, description=text),
        lambda: session.answered(session.posed(f"Which? {text}"), f"Which? {text}", text),
        lambda: session.posed(f"Shall it be {text}?"), lambda: session.rejected("Bash", text, command="make push"),
        lambda: session.ran("ExitPlanMode", "User has approved your plan.", plan=f"# Plan {number}\n{text}"),
        lambda: session.ran("TodoWrite", "ok", todos=[{"content": text, "status": "pending", "activeForm": text}]),
        lambda: session.created(number, text), lambda: session.compacted(text),
        lambda: session.assistant({"type": "thinking", "thinking": text, "signature": "x"}),
        lambda: session.attachment(type="queued_command", prompt=text, commandMode="prompt"),
        lambda: session.ran("Bash", f"running in background with ID: b{number}", command=f"serve {text}"),
        lambda: session.ran("mcp__db__query", text, query=text, nested={"deep": [text], text: "key"}),
        lambda: session.ran("WebFetch", text, url=f"https://example.org/?q={text}", prompt=text),
        lambda: session.user(text, gitBranch=f"feature/{text}", cwd=f"/home/ada/{text}", origin={"kind": "human"}))
    places[where % len(places)]()


PLACES, PARTS, SHORT = 28, 3, 9  # rounds, homes of each; which part of the families goes the whole way in short


def events_with(texts: list[str]) -> Iterator[JsonObject]:
    """What hooks are given while the client works, each with some of the texts."""
    for number, text in enumerate(texts):
        made: tuple[JsonObject, ...] = (
            hook_input("UserPromptSubmit", prompt=f"Look: {text}"),
            hook_input("PostToolUse", tool_name="Bash", tool_input={"command": text}, tool_response={"stdout": text}),
            hook_input("PostToolUse", tool_name="Edit", tool_input={"file_path": f"/srv/{text}", "new_string": text}),
            hook_input("PostToolUse", tool_name="Task", tool_input={"prompt": text, "description": text}),
            hook_input("PostToolUse", tool_name="Bash", tool_input={"command": "x"},
                       tool_response={"backgroundTaskId": f"b{number}", "outputFile": f"/tmp/{text}"}),
            hook_input("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"},
                       error=f"Exit code 1\nerror: {text}"),
            hook_input("PostToolUseFailure", tool_name=text, tool_use_id=text, error="x" * 11_990 + f" {text} fail"),
            hook_input("SubagentStart", agent_id=f"a{number}", agent_type=text),
            hook_input("SubagentStop", agent_id=text[:90], agent_type="x", last_assistant_message=text),
            hook_input("UserPromptSubmit", prompt=f"/compact-keeper:pin {text}"))
        yield made[number % len(made)]


class Way:
    """One session from its first word to its report, in a home of its own; what every process printed."""

    def __init__(self, ground: Ground, name: str, made: list[Secret]) -> None:
        self.folder, self.scripts, self.made = ground.folder / name, ground.scripts, made
        self.printed: list[tuple[str, bytes]] = []  # by whom, and what
        self.folder.mkdir()
        self.home = Home(self.folder / "home")
        self.home.path.mkdir()
        self.path = self.folder / f"{SESSION_ID}.jsonl"
        (self.home.path / "config.json").write_text('{"archive_days": 36500}', encoding="utf-8")

    def run(self, script: str, data: JsonObject | bytes, *arguments: str) -> None:
        """A process of the scripts under attack, with what it printed added."""
        hooks = ("record_event.py", "answer_prompt.py", "save_snapshot.py", "restore_snapshot.py", "audit_summary.py")
        command = [str(self.scripts / "run_hook.py"), script] if script in hooks and not arguments else [
            str(self.scripts / script), *arguments]
        given = data if isinstance(data, bytes) else json.dumps({**data, "transcript_path": str(self.path)}).encode()
        done = subprocess.run([sys.executable, "-IS", *command], input=given, capture_output=True, timeout=60,
                              check=False, env=self.home.environment({
                                  "COMPACT_KEEPER_DEBUG": "1", "CLAUDE_CODE_ENTRYPOINT": "cli",
                                  "CLAUDE_CONFIG_DIR": str(self.folder / "no-config")}))
        self.printed += [(f"{' '.join((script, *arguments))[:60]} printed", output)
                         for output in (done.stdout, done.stderr)]

    def go(self, texts: list[str], shift: int) -> None:
        """All of it: record, save twice, restore, audit, the note, recall, answers, status, report, preview."""
        session, summary = Session(), "\n".join(texts[::3])
        for number, text in enumerate(texts):
            plant(session, number, text, number + shift)
        session.write(self.path)
        for event in events_with(texts):
            is_prompt = event["hook_event_name"] == "UserPromptSubmit"
            self.run("answer_prompt.py" if is_prompt else "record_event.py", event)
        self.run("save_snapshot.py", hook_input("Stop"))
        self.run("save_snapshot.py", hook_input("PreCompact"))
        session.compacted(summary)
        session.write(self.path)
        self.run("restore_snapshot.py", hook_input("SessionStart", source="compact"))
        self.run("audit_summary.py", hook_input("PostCompact", compact_summary=summary))
        self.run("recall.py", b"", "index", str(self.path))
        for prompt in ("Go on.", "/compact-keeper:show why", "/compact-keeper:pins", "/compact-keeper:stats"):
            self.run("answer_prompt.py", hook_input("UserPromptSubmit", prompt=prompt))
        self.run("restore_snapshot.py", hook_input("UserPromptSubmit", prompt="Go on."))
        self.run("recall.py", b"", "search", "print this")
        self.run("recall.py", texts[0].encode(), "ask")
        for number in range(1, 4):
            self.run("recall.py", b"", "show", str(number))
        self.run("recall.py", self.asked_by_agent(texts), "mcp")
        self.run("status_line.py", {**hook_input("Status"), "model": {"display_name": texts[-1]}, "version": texts[0],
                                    "context_window": {"used_percentage": 70}})
        self.run("save_snapshot.py", b"", "--dry-run", str(self.path))
        snapshot = self.printed[-2][1]
        for options in ([], ["--why"]):
            self.run("restore_snapshot.py", snapshot, "--show", *options)
        self.run("stats.py", b"", "report", SESSION_ID)
        self.run("restore_snapshot.py", hook_input("SessionEnd", reason="exit"))
        self.with_faults(texts)

    def asked_by_agent(self, texts: list[str]) -> bytes:
        """Calls of the Model Context Protocol's tools, one a line."""
        calls: list[JsonObject] = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18"}}]
        calls += [{"method": "tools/call", "params": {"name": "search_history", "arguments": {"query": text[:300]}}}
                  for text in texts[:3]]
        return b"".join(json.dumps({"jsonrpc": "2.0", "id": number, **call}).encode() + b"\n"
                        for number, call in enumerate(calls))

    def with_faults(self, texts: list[str]) -> None:
        """Lines of hook.log: paths and ids that are refused, a transcript that is a folder of that name."""
        place = next((text for text in texts if "/" not in text and "\n" not in text and len(text) < 200), "x")
        self.path = self.folder / place
        self.path.mkdir()
        for script, event in (("save_snapshot.py", "Stop"), ("restore_snapshot.py", "SessionStart")):
            self.run(script, {**hook_input(event, source="compact"), "cwd": f"/home/{place}"})
        self.run("record_event.py", json.dumps({"session_id": f"{place} {place}"}).encode())

    def left(self) -> dict[str, str]:
        """Of each family of which something is left: in which file or output first, with the words around it."""
        pieces, families = pieces_of(self.made), dict[str, str]()
        files = ((str(path.relative_to(self.folder)), path.read_bytes())
                 for path in sorted(self.home.path.rglob("*")) if path.is_file())
        for name, data in (*self.printed, *files):
            for family in leaks_in(data, pieces) - set(families):
                families[family] = f"{name}: {around(data, [piece for piece in pieces if pieces[piece] == family])!r}"
        return families


def in_every_place(ground: Ground) -> Outcome:
    """Every family in places of a session that go round; with --full in each place, with secrets made anew."""
    attempts, broken = 0, []
    for number in range(PLACES if ground.full else 1):
        made = secrets(f"way {number}")
        for part in range(PARTS if ground.full else 1):
            some = made[part::PARTS] if ground.full else made[::SHORT]
            way = Way(ground, f"{number}-{part}", some)
            way.go([secret.text for secret in some], number)
            attempts += len(some)
            broken += [f"{family} is left; round {number}, part {part}; {where}"
                       for family, where in sorted(way.left().items())]
    return Outcome(attempts, broken)


ATTACKS = (
    Attack(f"secrets of {len(secrets('any'))} families, escaped, coloured, glued, cut: no {PIECE} characters stay, "
           "twice is as once", by_itself),
    Attack(f"the same at {PLACES} places of a session, through every hook and command: none on disk, none printed",
           in_every_place),
    Attack("harmless look-alikes: at most 2 % are redacted", harmless),
    Attack("texts on which a pattern could run for ever: under 1.5 s each", long_texts),
)
