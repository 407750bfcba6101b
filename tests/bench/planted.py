"""Made-up sessions with planted facts, for facts.py: what was said and done, and what of it holds when.

Texts come from the tables of phrases.py and are drawn by a seeded generator (story.py), so that the same seed gives
the same stories everywhere: no clock, no hash(), no file is read.

An act is a generator function: what stands behind a `yield` happens later in the session, mostly after other acts and
often after a compaction. STORYLINE says how often each act is played. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from phrases import (
    BACKGROUND,
    CLAIMS,
    CONSENTS,
    DEAD_ENDS,
    DECISIONS,
    ERRANDS,
    FAILURES,
    FILLS,
    LATE_COMMANDS,
    MOVED,
    NAMED,
    ONE_OFFS,
    OPEN_QUESTIONS,
    PLAN_REFUSALS,
    PLANS,
    PROJECT_COMMANDS,
    QUESTIONS,
    RENAMED,
    REVERSALS,
    STEMS,
    TALKING,
    TASKS,
    VALUES,
    cards,
)
from sessions import CWD, REJECTION_WORDS, SESSION_ID, SUMMARY, JsonObject, stamp
from story import (
    ATTACHMENTS,
    CORRECTING,
    ODDITIES,
    OFTEN,
    PROGRESS,
    SIZES,
    SYSTEM,
    UNLINKED,
    USERS,
    Moment,
    Slots,
    Story,
    Writer,
    filled,
)

DELIVERED = "@@DELIVERED@@"  # the client keeps what a hook told it: stands for the text of the last delivery
CYCLES = (1, 3, 2, 4, 1, 5, 1, 3, 6, 2, 2, 5)  # compactions of the stories, in turn
LAG = 3  # records at most that the file lacks when an automatic compaction begins

Act = Callable[[Writer], Iterator[None]]


# --- acts of the person ---


def rule(writer: Writer) -> Iterator[None]:
    """A standing rule, alone or among other words."""
    text, way = writer.phrase(writer.tongue.rules), writer.draw((*OFTEN, "rejection", "interrupt"), "ways")
    writer.plant("rule", text, way=way)
    writer.say(text if way in CORRECTING[:2] else writer.around(text), way)
    writer.says("Understood.")
    yield


def correction(writer: Writer) -> Iterator[None]:
    """A short answer to what the agent just did, mostly without any word that makes it a rule."""
    text, way = writer.phrase(writer.tongue.corrections), writer.draw(CORRECTING)
    for _ in range(way == "typed"):
        writer.edit(f"src/pages/{writer.draw(STEMS, 'pages')}.py")
        writer.says("I changed the file as described.")
    split = text.replace("。", "。\n").replace("।", "।\n").replace(". ", ".\n").split("\n")
    writer.plant("rule", max(split, key=len), way=f"correction, {way}")
    writer.say(text, way)
    writer.edit(f"src/pages/{writer.draw(STEMS, 'pages')}.py")
    yield


def changed_rule(writer: Writer, table: str, fate: str) -> Iterator[None]:
    """A rule, and later the words that replace it or take it back."""
    first, later = writer.pair(table)
    number = writer.plant("rule", first, way="typed")
    writer.say(writer.around(first))
    writer.says("Understood.")
    yield
    writer.end(number, fate)
    if fate == "superseded":
        writer.plant("rule", later, way="replacing")
    writer.say(writer.around(later), writer.draw(OFTEN))
    writer.says("Understood.")
    yield


def swap(writer: Writer) -> Iterator[None]:
    return changed_rule(writer, writer.tongue.swaps, "superseded")


def drop(writer: Writer) -> Iterator[None]:
    return changed_rule(writer, writer.tongue.drops, "withdrawn")


def request(writer: Writer, cancels: bool = False) -> Iterator[None]:
    """A new task, which ends or cancels the one before; sometimes with a rule in the same prompt."""
    slots = Slots(writer)
    text = said = writer.draw(writer.tongue.requests).format_map(slots)
    for at, fact in enumerate(writer.facts):
        if fact.way == "one-off" and not fact.fate:
            writer.end(at, "one-off")
    if writer.asked_for:
        number, topic = writer.asked_for
        said = writer.draw(writer.tongue.cancels).format(topic=topic, request=text) if cancels else text
        writer.end(number, "cancelled" if cancels else "finished")
    writer.asked_for = writer.plant("request", text), next(iter(slots.values()))
    if writer.rng.random() < 0.3:
        more = writer.phrase(writer.tongue.rules)
        writer.plant("rule", more, way="in a request")
        said = f"{said}\n\n{more}"
    writer.say(said, writer.draw(OFTEN[:3] + OFTEN[5:], "asking"))
    yield


def cancelling(writer: Writer) -> Iterator[None]:
    return request(writer, cancels=True)


def one_off(writer: Writer) -> Iterator[None]:
    """An order for the work at hand, worded like a rule; when the next task comes it is nothing to keep."""
    if writer.language == "English":
        text = writer.phrase(ONE_OFFS)
        writer.plant("rule", text, way="one-off")
        writer.say(writer.around(text))
    yield


def nudge(writer: Writer) -> Iterator[None]:
    """Words that ask for nothing new: a nudge, or a pasted log."""
    if writer.rng.random() < 0.3:
        lines = [f"2027-01-0{at % 9} 10:22:0{at % 10} WARN depot: {writer.noise[at % 9][:60]}" for at in range(20)]
        writer.say("\n".join(line.replace("\n", " ") for line in lines))
    else:
        writer.say(writer.draw(writer.tongue.nudges))
    writer.thinks()
    yield


def pin(writer: Writer) -> Iterator[None]:
    writer.plant("pin", writer.phrase(writer.tongue.rules), way="pinned")
    yield


def value(writer: Writer, english: str = VALUES, other: str = NAMED) -> Iterator[None]:
    """A value in the sentence that sets it, and maybe later another one."""
    number = -1
    for text in filter(None, writer.pair(english if writer.language == "English" else other)):
        if number >= 0:
            writer.end(number, "replaced")
        pieces = [part.partition("]]")[0] for part in text.split("[[")[1:]]
        writer.say(text.replace("[[", "").replace("]]", ""))
        number = writer.plant("value", *pieces)
        writer.thinks()
        yield


def moved(writer: Writer) -> Iterator[None]:
    return value(writer, MOVED, RENAMED)


# --- acts of the agent, with the person's answers ---


def answer(writer: Writer) -> Iterator[None]:
    """A question with choices, answered; sometimes asked again and answered otherwise."""
    text, *choices = [part.strip(" ]") for part in writer.phrase(QUESTIONS).split("[[")]
    number = -1
    for choice in choices[: writer.rng.randrange(1, 3)]:
        if number >= 0:
            writer.end(number, "replaced")
        writer.answered(writer.posed(text), text, choice)
        number = writer.plant("answer", text, choice)
        yield


def consent(writer: Writer) -> Iterator[None]:
    """A question in words, and a yes."""
    question = writer.phrase(CONSENTS)
    writer.says(f"That is ready. {question}")
    writer.say(cards(writer.tongue.nudges)[1])
    writer.plant("answer", question, beside="agreed")
    writer.edit(f"src/pages/{writer.draw(STEMS, 'pages')}.py")
    yield


def plan(writer: Writer) -> Iterator[None]:
    """A plan that is refused, and later one that is approved."""
    first, second = writer.phrase(PLANS), writer.phrase(PLANS)
    writer.ran("EnterPlanMode", "Entered plan mode.")
    body = "\n\n1. Measure\n2. Change\n3. Measure again"
    words = writer.phrase(PLAN_REFUSALS) if writer.language == "English" else ""
    writer.rejected("ExitPlanMode", words, plan=f"# {first}{body}")
    refused = writer.plant("plan", first, beside="not approved")
    if words:
        writer.plant("answer", words, way="refusing a plan")
    yield
    path = f"/home/ada/.claude/plans/{writer.draw(STEMS, 'plans')}.md"
    call = writer.call("ExitPlanMode", plan=f"# {second}{body}", planFilePath=path)
    writer.result(call, f"User has approved your plan. You can now start coding.\n\nPlan saved to: {path}",
                  extra={"plan": f"# {second}{body}", "isAgent": False, "filePath": path})
    for number in (refused, writer.approved):
        if number >= 0:
            writer.end(number, "replaced")
    writer.approved = writer.plant("plan", second, beside="approved")
    yield


def show_tasks(writer: Writer, style: str, names: list[str], was: list[str], now: list[str]) -> None:
    """The list as the style's tools tell it: whole, or what changed."""
    box = {"completed": "[x]"}
    changed = [at for at, (old, new) in enumerate(zip(was, now)) if old != new]
    listed = "\n".join(f"- {box.get(status, '[ ]')} {name}" for name, status in zip(names, now) if status != "deleted")
    if style == "todo":
        todos = [{"content": name, "status": status, "activeForm": name} for name,
                 status in zip(names, now) if status != "deleted"]
        writer.ran("TodoWrite", "Todos have been modified successfully.", {"oldTodos": [], "newTodos": todos},
                   todos=todos)
    elif style == "task":
        for at in changed:
            number = at + 1
            if not was[at]:
                writer.created(number, names[at])
            if now[at] != "pending":
                writer.updated(number, status=now[at])
    elif style == "text":
        writer.says(f"Where this stands:\n\n{listed}\n\nI go on with the first open one.")
    elif not was[0]:
        writer.ran("Write", "File created successfully.", file_path=f"{CWD}/docs/plan.md",
                   content=f"# Plan\n\n{listed}\n")
    else:
        for at in changed:
            new = "" if now[at] == "deleted" else f"- {box.get(now[at], '[ ]')} {names[at]}"
            writer.ran("Edit", "The file has been updated.", file_path=f"{CWD}/docs/plan.md",
                       old_string=f"- [ ] {names[at]}", new_string=new)


def tasks(writer: Writer) -> Iterator[None]:
    """A list of tasks; later two are done, then a third, and one is struck."""
    style = writer.draw(("todo", "text", "plan") if writer.old else ("task", "text", "plan", "task"), "styles")
    names, was = [writer.phrase(TASKS) for _ in range(5)], [""] * 5
    facts = [writer.plant("task", name, beside="open", way=style) for name in names]
    struck = "pending" if style == "text" else "deleted"
    for now in (["in_progress", *["pending"] * 4], ["completed", "completed", "in_progress", "pending", "pending"],
                ["completed"] * 3 + ["pending", struck]):
        show_tasks(writer, style, names, was, now)
        for number, old, new in zip(facts, was, now):
            if new != old and new in ("completed", "deleted"):
                writer.end(number, "done" if new == "completed" else "struck")
        was = now
        yield


def decision(writer: Writer, table: str = DECISIONS) -> Iterator[None]:
    """A decision with its reason, by the agent or by the person, and maybe later another one."""
    number = -1
    for text in filter(None, writer.pair(table)):
        if number >= 0:
            writer.end(number, "reversed")
        if writer.language == "English" and writer.rng.random() < 0.4:
            writer.say(text)
            writer.thinks()
        else:
            writer.says(f"That settles it. {text}")
        number = writer.plant("decision", text)
        yield


def reversal(writer: Writer) -> Iterator[None]:
    return decision(writer, REVERSALS)


def dead_end(writer: Writer) -> Iterator[None]:
    text = writer.phrase(DEAD_ENDS)
    writer.plant("dead end", text)
    writer.says(f"{text} I look for another way.")
    yield


def command(writer: Writer) -> Iterator[None]:
    """A command of this project that is run again and again."""
    text, uses = writer.phrase(PROJECT_COMMANDS), 0
    while True:
        uses += 1
        writer.bash(writer.rng.choice((text, text, f"cd {CWD} && {text}", f"{text} 2>&1")))
        if uses == 3:
            writer.plant("command", text, beside="passed")
        yield


def failure(writer: Writer) -> Iterator[None]:
    """A command that fails, later once more, and stays so."""
    text, error = writer.pair("|".join(cards(FAILURES)))
    writer.bash(text, error)
    writer.plant("failure", text, error.replace("E   ", ""), marks=(error.replace("E   ", ""),))
    yield
    writer.bash(f"{text} 2>&1", error)
    yield


def cleared(writer: Writer) -> Iterator[None]:
    """A command that fails, and later passes."""
    text, error = writer.pair("|".join(cards(FAILURES)))
    number = writer.plant("failure", text, error.replace("E   ", ""), marks=(error.replace("E   ", ""),))
    writer.bash(f"cd {CWD} && {text}", error)
    yield
    writer.edit(f"src/pages/{writer.draw(STEMS, 'pages')}.py")
    writer.bash(text)
    writer.end(number, "cleared")
    yield


def job(writer: Writer) -> Iterator[None]:
    """A shell or an agent in the background; more than half of them end."""
    job_id, agent = f"b{writer.rng.randrange(16**6):06x}", writer.rng.random() < 0.5
    place = f"/tmp/claude/tasks/{job_id}.output"
    order = writer.phrase(ERRANDS if agent else BACKGROUND)
    if agent:
        text = f"Async agent launched successfully.\nagentId: {job_id} (internal ID)\noutput_file: {place}\n"
        writer.ran("Task" if writer.old else "Agent", [{"type": "text", "text": text}], {
            "isAsync": True, "status": "async_launched", "agentId": job_id, "prompt": order, "outputFile": place},
            description="Look around", prompt=order, subagent_type="Explore", run_in_background=True)
    else:
        text = f"Command running in background with ID: {job_id}"
        text += "" if writer.old else f". Output is being written to: {place}"
        writer.ran("Bash", text, {"stdout": "", "backgroundTaskId": job_id}, command=order, run_in_background=True)
    number = writer.plant("job", order, job_id, marks=(order,))
    yield
    if writer.rng.random() < 0.6:
        if agent or writer.rng.random() < 0.5:
            writer.notified(job_id)
        else:
            writer.ran("KillShell" if writer.old else "TaskStop", f"Successfully stopped {job_id}",
                       **({"shell_id": job_id} if writer.old else {"task_id": job_id}))
        writer.end(number, "ended")
    yield


def file(writer: Writer) -> Iterator[None]:
    """A file that is edited again and again."""
    path, edits = writer.draw(FILLS["path"], "path"), 0
    while True:
        edits += 1
        writer.edit(path)
        if edits == 3:
            writer.plant("file", path)
        yield


def removed(writer: Writer) -> Iterator[None]:
    """A file that is edited, and later deleted."""
    path = writer.draw(FILLS["path"], "path")
    number = writer.plant("file", path)
    for _ in range(3):
        writer.edit(path)
    yield
    writer.bash(f"git rm -q -f {path}")
    writer.end(number, "deleted")
    yield


def branch(writer: Writer) -> Iterator[None]:
    number = -1
    for _ in range(2):
        if number >= 0:
            writer.end(number, "past")
        name = writer.draw(FILLS["branch"], "branch")
        writer.bash(f"git checkout -b {name}")
        writer.branch = name
        number = writer.plant("state", name, way="branch")
        yield


# --- what is no act of anybody ---


def oddity(writer: Writer) -> Iterator[None]:
    """One of the shapes that hold no fact, with an imitated rule in it."""
    shape: Any = ODDITIES[writer.odd % len(ODDITIES)]
    instance = filled(shape, writer.imitate()) if "{}" in json.dumps(shape) else shape
    linked = {**writer.envelope(), **writer.stamps()}
    writer.odd += 1
    if shape in PROGRESS:
        writer.add({**linked, "type": "progress", "data": instance, "toolUseID": "progress-0",
                    "parentToolUseID": "toolu_1"})
    elif shape in ATTACHMENTS:
        writer.attachment(**instance)
    elif shape in SYSTEM:
        writer.add({**linked, "type": "system", "isMeta": False, **instance})
    elif shape in UNLINKED:
        about = {"timestamp": stamp(writer.number()), "sessionId": SESSION_ID}
        writer.add({**instance, **about})
        if instance.get("operation") == "enqueue":
            writer.add({"type": "queue-operation", "operation": queue_ending(shape), **about})
    elif shape in USERS:
        writer.user(instance[0], **instance[1])
    else:
        writer.ran(instance[0], instance[2], instance[3], **instance[1])
    writer.says("Nothing new there.")
    yield


def queue_ending(shape: JsonObject) -> str:
    """How the shape's text leaves the queue: a notice is handed over, a person's words are pulled back."""
    return "remove" if shape["content"].startswith("{\"") else "popAll"


def mishap(writer: Writer) -> Iterator[None]:
    """What goes wrong at the edges: calls without a result, refusals, errors of the API, a tool's imitated refusal."""
    writer.failed("Edit", "<tool_use_error>Sibling tool call errored</tool_use_error>", file_path=f"{CWD}/a.py")
    writer.failed("mcp__wiki__edit", REJECTION_WORDS + writer.imitate(), page="7")
    writer.rejected("Bash", command="rm -rf build")
    writer.says("I leave it as it is.")
    writer.assistant({"type": "text", "text": "You've hit your limit"}, model="<synthetic>")["isApiErrorMessage"] = True
    writer.assistant({"type": "text", "text": "On it."}, {"type": "tool_use", "id": f"toolu_x{writer.number()}",
                                                          "name": "LS", "input": {}})
    writer.assistant({"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}})
    writer.assistant({"type": "advisor_tool_result", "tool_use_id": "srvtoolu_1",
                      "content": {"type": "advisor_redacted_result"}})
    writer.says(writer.imitate())  # a promise of the agent
    writer.says("I go on with the task.")
    writer.user([{"type": "document", "source": {"type": "base64", "data": "JVBERi0="}}], isMeta=True)
    fork = writer.user("<command-name>/rewind</command-name>")
    writer.user("<command-name>/status</command-name>")["parentUuid"] = fork["parentUuid"]
    yield


# --- a compaction ---


def before_compaction(writer: Writer, manual: bool) -> list[int]:
    """The last things done before a compaction; the facts that hold only for it."""
    if writer.rng.random() < 0.6:
        next(request(writer))
    talking, late = manual and writer.language == "English" and writer.rng.random() < 0.5, []
    if talking:
        writer.say(writer.phrase(TALKING))
        writer.says("Fine. The two ways differ in when the tariff is read.")
    else:
        for _ in range(2):
            path = writer.draw(FILLS["path"], "path")
            writer.edit(path)
            late.append(writer.plant("file", path, way="late"))
        text = writer.phrase(LATE_COMMANDS)
        writer.bash(text)
        late += [writer.plant("command", text, beside="passed", way="late"), *false_claim(writer)]
    if writer.rng.random() < 0.5:
        writer.say(writer.draw(writer.tongue.nudges))
    if manual and not talking:
        question = writer.phrase(OPEN_QUESTIONS)
        writer.plant("question", question)
        writer.says(f"The import is in place. {question}")
    elif not manual and writer.rng.random() < 0.4:  # the prompt that filled the context
        next(writer.rng.choice((request, rule))(writer))
        return late
    elif not manual:
        writer.work()
        writer.edit(f"src/pages/{writer.draw(STEMS, 'pages')}.py")
    mode = "talking" if talking else "waiting" if manual else "working"
    return [*late, writer.plant("state", beside=mode, way="mode")]


def false_claim(writer: Writer) -> list[int]:
    """Now and then a test run that fails, and words that say the opposite."""
    if writer.rng.random() < 0.5:
        return []
    text, error = writer.pair(cards(FAILURES)[0])
    writer.bash(text, error)
    broken = writer.plant("failure", text, error.replace("E   ", ""), marks=(error.replace("E   ", ""),))
    claim = writer.phrase(CLAIMS)
    writer.says(f"{claim} I look at the last module.")
    return [broken, writer.plant("claim", claim, beside="doubted")]


def compaction(writer: Writer, manual: bool) -> None:
    """A compaction as the client writes it down, with what our own hook said, and the first words after it."""
    late = before_compaction(writer, manual)
    lag = 0 if manual else writer.rng.randrange(LAG + 1)
    writer.moments.append(Moment("compact", len(writer.records), lag, lag > 1, writer.branch))
    leaf = writer.records[-1].get("uuid")
    rules = [fact for fact in writer.facts if fact.kind == "rule" and fact.fate != "imitated"][-6:]
    quoted = "\n".join(f'   - "{rule}"' for rule in (*(fact.pieces[0] for fact in rules), writer.imitate()))
    writer.system("compact_boundary", content="Conversation compacted", logicalParentUuid=leaf, isMeta=False,
                  level="info",
                  compactMetadata={"trigger": "manual" if manual else "auto", "preTokens": 168_222,
                                   "postTokens": 9_100})
    writer.user(f"{SUMMARY}1. Primary request: rates.\n6. All user messages:\n{quoted}\n7. Pending: the rest.",
                isVisibleInTranscriptOnly=True, isCompactSummary=True)
    told_by_hook(writer)
    if manual:
        writer.user("<local-command-caveat>Caveat: The messages below are local.</local-command-caveat>", isMeta=True)
        writer.user("<command-name>/compact</command-name>\n<command-message>compact</command-message>\n"
                    "<command-args>keep the table of rates</command-args>")
        writer.user("<local-command-stdout>Compacted</local-command-stdout>")
    for number in late:
        writer.end(number, "past")
    after_compaction(writer)


def told_by_hook(writer: Writer) -> None:
    """Our own text, as the client keeps it."""
    if writer.old:
        writer.user(f"<system-reminder>\nSessionStart hook additional context: {DELIVERED}\n</system-reminder>",
                    isMeta=True)
    else:
        about = {"hookName": "SessionStart:compact", "hookEvent": "SessionStart"}
        writer.attachment(type="hook_additional_context", content=[DELIVERED], **about)
        writer.attachment(type="hook_success", content=DELIVERED, stdout=DELIVERED, stderr="", exitCode=0, **about)


def after_compaction(writer: Writer) -> None:
    """An open question is answered; old rows may come again, as after a second compaction."""
    waiting = [at for at, fact in enumerate(writer.facts) if fact.kind == "question" and not fact.fate]
    for number in waiting:
        writer.say(cards(writer.tongue.nudges)[1])
        writer.end(number, "answered")
    dead = [fact.since for fact in writer.facts if fact.fate in ("superseded", "withdrawn", "cancelled")]
    for at in dead[-1:] if writer.rng.random() < 0.6 else []:
        writer.records.extend(writer.records[max(at - 2, 0):at + 4])
    writer.thinks()


# --- a whole session ---

STORYLINE: tuple[tuple[Act, int, float, float], ...] = (  # act, parts, how often, how often more in 4,000 records
    (request, 1, 2, 3), (cancelling, 1, 1, 0.5), (nudge, 1, 3, 4), (one_off, 1, 1, 0.5), (rule, 1, 4, 1),
    (correction, 1, 1.5, 0.5), (swap, 2, 1.5, 0.3),
    (drop, 2, 1, 0.2), (pin, 1, 1.5, 0), (value, 1, 1, 0), (moved, 2, 0.7, 0), (answer, 2, 1, 0.2),
    (consent, 1, 0.6, 0),
    (plan, 2, 0.6, 0), (tasks, 3, 1, 0), (decision, 1, 1.5, 0.2), (reversal, 2, 0.7, 0), (dead_end, 1, 1, 0.1),
    (command, 7, 1.5, 0.2), (failure, 2, 1, 0), (cleared, 2, 1.5, 0.3), (job, 2, 1.5, 0.1), (file, 7, 2, 0.2),
    (removed, 2, 0.5, 0), (branch, 2, 0.6, 0), (oddity, 1, 16, 4), (mishap, 1, 0.7, 0.5))


def story(seed: int, number: int) -> Story:
    """The session of that number; the same for the same seed, everywhere."""
    writer, size, cycles = Writer(seed, number), SIZES[number % len(SIZES)], CYCLES[number % len(CYCLES)]
    begin(writer)
    compactions = [size * (at + 1) // cycles - 12 for at in range(cycles)]
    turns = [(place, step, None) for place, step in scheduled(writer, size)]
    ends = [(place, None, at) for at, place in enumerate(compactions)]
    for place, step, end in sorted([*turns, *ends], key=lambda turn: turn[0]):
        while len(writer.records) < place:
            writer.work()
        if step:
            next(step, None)
        elif end is not None:
            compaction(writer, manual=(end + number) % 3 == 2)
        if writer.stops and writer.rng.random() < 0.15:
            writer.moments.append(Moment("stop", len(writer.records)))
    return Story(f"{number:02d}", writer.language, writer.records, glued(writer), writer.moments, writer.facts)


def begin(writer: Writer) -> None:
    """The first records: the first task, and from then on the person's language is known."""
    if writer.old:
        text = f"# {writer.phrase(PLANS)}\n\n1. Measure\n2. Change"
        writer.user(f"Implement the following plan:\n\n{text}", planContent=text, sessionKind="bg")
        writer.approved = writer.plant("plan", text.splitlines()[0][2:], beside="approved", way="of another session")
    elif writer.rng.random() < 0.3:
        writer.says("That was the other session.")["sessionId"] = "5e551011-0000-4000-8000-00000000000f"
    next(request(writer))
    if writer.language != "English":
        writer.plant("state", writer.language, way="language")


def scheduled(writer: Writer, size: int) -> list[tuple[int, Iterator[None]]]:
    """The parts of all acts, each with the number of records after which it is played."""
    turns: list[tuple[int, Iterator[None]]] = []
    for act, parts, often, more in STORYLINE:
        times = often + more * size / 4_000
        for _ in range(int(times) + (writer.rng.random() < times % 1)):
            step = act(writer)
            turns += [(place, step) for place in sorted(writer.rng.randrange(8, size) for _ in range(parts))]
    return turns


def glued(writer: Writer) -> frozenset[int]:
    """Records that stand on one line with the next, as a crash leaves them; never where the file was cut."""
    cut = {at for moment in writer.moments for at in range(moment.at - LAG - 2, moment.at + 2)}
    chosen = (writer.rng.randrange(len(writer.records) - 1) for _ in range(3))
    return frozenset(at for at in chosen if at not in cut)
