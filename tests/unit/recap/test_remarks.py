"""What the agent remarked on its way: what is new beside the text, and no guess, no announcement, no word twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.choice.ranking import words_of
from compact_keeper.recap.choice.sections import WORK
from compact_keeper.recap.choice.steps import all_pieces, chosen_steps
from compact_keeper.recap.lines.changed_files import (
    edits_by_file,
    paths_taken_away_later,
    removed_after,
    removed_files,
)
from compact_keeper.recap.lines.remarks import TURNS_WITH_ALL_WORDS, files_since, words_of_agent
from compact_keeper.recap.lines.turns import Turns
from compact_keeper.recap.recall_hints import what_is_left_out
from compact_keeper.recap.wording.tagged import with_tags
from compact_keeper.record.items import new_item
from compact_keeper.types import Item
from entries import entry
from recaps import recap_of
from sessions import Session, snapshot_of, units

ROOM = 1_000
CULPRIT = "The write to 0xE0080000 was the culprit on the second machine."
KNOWN = words_of("the loader sorts by size")
SAID = "- Said: "
TURNS = Turns([], str)


def remark_of(words: str, known: Any, room: int) -> str:
    """What stands of the agent's words in so much room, where this is known; empty: nothing."""
    said = new_item("said", entry(1, "x"), words, "assistant")
    lines = chosen_steps(all_pieces([], [{"items": [said], "label": SAID, "text": words}]), known, room)
    return "".join(line["text"] for line in lines)[len(SAID):]


@pytest.mark.parametrize("words", [
    "", " ", "…", "?", "1.", "Good catch!", "All green.",  # nothing
    "Let me look at the loader.", "Now update the loader's tests.", "Now I have everything that I need.",  # to come
    "Is the loader's order right?", "The reasons are these:",  # a question, a head without its members
    "现在获取第三个文档的内容：", "需要我详细解释规范中的任何部分吗？",
    "The linter must have kept the old zones.", "Apparently the zones were read twice.",
    "I bet the file had it before.",
    "The loader probably sorts by name.", "It might be that the loader sorts by name.",  # guesses
    "载入器可能是按名称排序所有的区域的。", "ローダーはおそらく名前で並べ替えています。",
    "Der Lader sortiert vermutlich nach dem Namen.", "O carregador talvez ordene as zonas por nome.",
    "The loader sorts by name. The cache has two zones. Wait, that was the writer.",  # all of it taken back
    "Der Lader sortiert nach dem Namen. Der Cache hat zwei Zonen. Aber warte, das war der Schreiber.",
    "The loader sorts by name. But no: it sorts by time, perhaps.",  # taken back
    "The loader sorts by name. No, that may be the writer's doing?",
    "載入器會依名稱排序所有的區域。 但其實不是這樣，可能？",
    "The loader sorts by size.",  # known
    "| API.md | create | 18 controllers |\n| CHANGELOG.md | create | tags | none so far |",  # its head is cut off
    "| Zone | Parcels |\n|---|---|\n…\n| 7 | 4,649 by night |",  # and its rows
    "| Step | State |\n|---|---|\n| zones of `quote` | ⏳ |", f"| Zone |\n|---|\n| 7 |\n| {'4,649 by night ' * 50} |",
    "| Zone | Parcels |\n|---|---|\n| 7 | 4,649 by night |\nWait, that was the writer.",
    "├── Document.md is new\n└── Template.md is new", "```\ngit commit -m 'nobody ran this'\n```",
    "## Why the cache of the zones is keyed by number", "**Why the cache of the zones is keyed by number:**",
    "- [ ] Step 3: the loader sorts the zones by number", "2. [ ] the loader reads `zones.md` twice",
    "Writing the final plan.", "Running all the tests now.", "Starting the server...",
    "Now wire the zones into the quote.", "4. ⏳ **Deployment**: the runner rebuilds `zones` at last",
    "The plan is ready.", "Both files are fine.", "All changes look clean, and the build works.",  # all is well
    "All is clean, no errors.", "The list is complete and has zero issues.",
    "Excelente observação!", "Perfekt so war es gedacht.", "Parfait pour les zones !", "Отлично всё готово!",
    "x" * 5_000, "word " * 2_000, "🚚" * 700,  # nobody's sentence
])
def test_no_remark(words: str) -> None:
    assert remark_of(words, KNOWN, ROOM) == ""


@pytest.mark.parametrize(("words", "remark"), [
    (CULPRIT, CULPRIT),
    (f"Good. {CULPRIT} Let me look at the next.", f"… {CULPRIT} …"),
    ("Writing the zones fails on Windows.", "Writing the zones fails on Windows."),
    ("The problem is two loaders (the fixed one beside it).", "The problem is two loaders (the fixed one beside it)."),
    ("The good loader isn’t read by the quote.", "The good loader isn’t read by the quote."),
    ("The tests pass with `--force`.", "The tests pass with `--force`."),
    ("The comment names the fixture.\nIt is read by nobody since the split.",
     "The comment names the fixture. It is read by nobody since the split."),
    ("The loader sorts by size.\nIsso explica por que `quote` falha à noite.",
     "The loader sorts by size. Isso explica por que `quote` falha à noite."),
    ("The loader sorts by size.\n\nIl est lu deux fois par `quote` la nuit.",
     "The loader sorts by size. Il est lu deux fois par `quote` la nuit."),
    ("The loader sorts by size.\n\n这导致 `quote` 在夜里失败两次。",
     "The loader sorts by size. 这导致 `quote` 在夜里失败两次。"),
    ("The loader sorts by size. Fix: key `zones` by number.", "The loader sorts by size. Fix: key `zones` by number."),
    ("The loader sorts by size.\n\n**Root cause:** the cache is keyed by its number.",
     "The loader sorts by size. **Root cause:** the cache is keyed by its number."),
    ("The loader sorts by size.\n原因：`zones` 没有排序。", "The loader sorts by size. 原因：`zones` 没有排序。"),
    ("The loader sorts by size.\nFixture: the cache is keyed by zone.", "… Fixture: the cache is keyed by zone."),
    ("The loader sorts by size:\n```\nsorts_by(size)\n```\nThis is why `quote` fails by night.",
     "The loader sorts by size: … This is why `quote` fails by night."),
    ("## Option B: by name\nThe names are unique in a zone.\n\n## Cost\nA day in all for it.",
     "… ## Cost A day in all for it."),
    ("Option 2: by number, as the zones have them.", ""),
    ("```\nsorts_by(size)\n```\nThis is why `quote` fails by night.", "… This is why `quote` fails by night."),
    ("1. The loader sorts by size\n2. Or: revert 1b815ac2b until the move of zones is done",
     "1. The loader sorts by size 2. Or: revert 1b815ac2b until the move of zones is done"),
    ("Let me take the change back, because the tool needs a rebuild.",
     "Let me take the change back, because the tool needs a rebuild."),
    (f"{CULPRIT} This is why the fixture hung there.", f"{CULPRIT} This is why the fixture hung there."),
    ("There are two gaps:\n1. the progress bar is never applied\n2. clicks are not kept at all",
     "There are two gaps: 1. the progress bar is never applied 2. clicks are not kept at all"),
    ("**Unrelated files** (not of this change)\n- `smoke.yaml` is new here\n- the `smoke/` folder came with it",
     "**Unrelated files** (not of this change) - `smoke.yaml` is new here - the `smoke/` folder came with it"),
    ("The loader sorts by size. What it does not do:\n- the loader\n- it sorts by size\n- never writes docstrings\n",
     "… What it does not do: - the loader - it sorts by size - never writes docstrings"),
    ("Causes:\n1. by size\n2. it sorts\n   - the loader\n3. the cache is keyed by number\n\nThe loader sorts by size.",
     "Causes: 1. by size 2. it sorts - the loader 3. the cache is keyed by number …"),
    ("Steps:\n- [x] the cache is keyed by the zone's number\n- [ ] sort the zones",
     "Steps: - [x] the cache is keyed by the zone's number …"),
    (f"Causes:\n1. by size{' and so on' * 90}\n2. the cache is keyed by the zone's number\n",
     "Causes: … 2. the cache is keyed by the zone's number"),
    ("## Rejected\n\nIt sorts by size.\n\n**Plan B**\n\nThe cache of zones is keyed by number.\n\nIt sorts by size.",
     "## Rejected … **Plan B** The cache of zones is keyed by number. …"),
    ("## Rejected\n- by size\n  - sorts zones nightly, at three\n\nThe loader sorts by size.",
     "## Rejected - by size - sorts zones nightly, at three …"),
    ("## Parcels\n\n| Zone | Parcels |\n|:--|--:|\n| 7 | Many. By night |\n| 8 | 4,649 |\n\nThe loader sorts by size.",
     "## Parcels | Zone | Parcels | | 7 | Many. By night | | 8 | 4,649 | …"),
    ("- it sorts:\n  | Zone | By |\n  |---|---|\n  | 7 | night |\n\nThe loader sorts by size.",
     "- it sorts: | Zone | By | | 7 | night | …"),
    ("**Files:**\n- by size\n\nThe cache of zones is keyed by number.", "… The cache of zones is keyed by number."),
    ("## Rejected\n\n- by size\n\n---\n\nThe cache of zones is keyed by number.",
     "… The cache of zones is keyed by number."),
    ("## Rejected\n…\nThe cache of zones is keyed by number.", "… The cache of zones is keyed by number."),
    ("The comment still names the deleted fixture. Let me fix that too. The loader sorts by size.",
     "The comment still names the deleted fixture. Let me fix that too. …"),
    ("读取发生在构建时,所以在云端也可以运行。路径可能要改吗?", "读取发生在构建时,所以在云端也可以运行。 …"),
    ("After the move of all zones the list is read once.\nThe error of `quote` will disappear then.",
     "After the move of all zones the list is read once. The error of `quote` will disappear then."),
    ("**Old:** `quote/zones.py` by size\n**New:** the loader sorts by size",
     "**Old:** `quote/zones.py` by size **New:** the loader sorts by size"),
    ("- Before: it sorts by size\n- After: `quote` sorts by number\n\nThe loader sorts by size.",
     "- Before: it sorts by size - After: `quote` sorts by number …"),
    ("### Step 1: by size\nIt sorts.\n### Step 2: by number\nThe cache of zones is keyed by number.\n### Step 3: sort",
     "### Step 1: by size … ### Step 2: by number The cache of zones is keyed by number. ### Step 3: sort"),
    (f"**1. By size.** It {'sorts ' * 140}\n\n**2. By number.** The cache of zones is keyed by number.",
     "**1. By size.** … **2. By number.** The cache of zones is keyed by number."),
    ("### Step 2: by number\nThe cache of zones is keyed by number.\n### Step 4: sort",
     "### Step 2: by number The cache of zones is keyed by number. …"),
    ("**Loader** — by size it sorts.\n\n**Cache of zones** — kept by night. It is new. Nobody has emptied `zones` yet.",
     "… **Cache of zones** — kept by night. It is new. Nobody has emptied `zones` yet."),
    ("The loader sorts by size.\n\n`quote` reads it once, at night.",
     "… `quote` reads it once, at night."),
    ("The loader sorts by size.\n\nNobody reads it at night in zone 7.",
     "The loader sorts by size. Nobody reads it at night in zone 7."),
    ("The loader sorts by size.\n\nYou don't mend its zones by hand at night.",
     "The loader sorts by size. You don't mend its zones by hand at night."),
    ("The loader sorts by size.\n\nIt sorts.\n\nIt prints zone 7 twice at night.",
     "The loader sorts by size. It sorts. It prints zone 7 twice at night."),
    ("Zone seven has no entry in the table. But the report says that it works.",
     "Zone seven has no entry in the table. But the report says that it works."),
    ("The loader sorts by size. The cache is keyed by the zone's number.",
     "… The cache is keyed by the zone's number."),
])
def test_remark(words: str, remark: str) -> None:
    assert remark_of(words, KNOWN, ROOM) == remark


@pytest.mark.parametrize("sentence", [CULPRIT, "Zones are keyed now.", "读取发生在构建"])  # the last two: the shortest
def test_no_remark_that_has_no_room(sentence: str) -> None:
    size = units(SAID + sentence) + 1
    assert remark_of(sentence, set(), size) == sentence
    assert remark_of(sentence, set(), size - 1) == ""


def test_of_much_what_has_room_in_its_order() -> None:
    many = " ".join(f"Sentence {number} says that worker{number} met error {number * 37}." for number in range(40))
    remark = remark_of(many, set(), ROOM)
    assert ROOM * 0.8 < units(remark) <= ROOM
    numbers = [int(word) for word in remark.split() if word.isdecimal()]
    assert numbers == sorted(numbers)


def with_budget(snapshot: Any, budget: int, **more: Any) -> Any:
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}, "id": "64c0ffee8334c598", **more}


@pytest.fixture(scope="module")
def remarked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    session = Session()
    session.typed("Find out why the fixture hangs.")
    session.says("Let me look at the runtime.")
    session.ran("Bash", "void _exit(int code)", command="cat runtime.c")
    session.says(CULPRIT)
    session.ran("Bash", "done", command="make fixture")
    session.says("The fixture ends now.")
    return snapshot_of(session, tmp_path_factory.mktemp("remarked"))


def test_remarks_stand_among_the_steps(remarked: Any) -> None:
    text, _ = recap_of(with_budget(remarked, 9_000))
    steps = text.partition(f"## {WORK}")[2]
    assert f"- Said: {CULPRIT}" in steps
    assert "Let me look" not in text
    assert text.count("The fixture ends now.") == 1  # the last words stand where it ended


REFUTED = "The page is drawn at 320 px by rates.css now, as `@media (max-width: 320px)` was missing there."


@pytest.mark.parametrize(("reply", "shown"), [
    ("No change to be seen at 320 px", '"No change to be seen at 320 px"'),
    ("Alert:\n" + "no such rule " * 20, '"Alert: no such rule no such rule no such rule no such rule…"'),
    ("Not that!", '"Not that!"'), ("Yes, go on.", ""), ("3", ""), ("", ""),
])
def test_what_the_person_replied_to_the_agents_words(reply: str, shown: str) -> None:
    items = [new_item("said", entry(1, "x"), REFUTED, "assistant"),
             *([new_item("message", entry(3, "x"), reply, "user", via="prompt")] if reply else []),
             new_item("action", entry(4, "x"), "make page", "assistant"),
             new_item("said", entry(5, "x"), "Made.", "assistant"),
             new_item("message", entry(8, "x"), "And now the tests, please", "user", via="prompt")]
    last, first = words_of_agent(items, [], [], TURNS)
    assert first.get("tail", "") == (f" (the user typed next: {shown})" if shown else "")
    assert "tail" not in last, "the newest message stands above, with what it answers"


@pytest.mark.parametrize(("answer", "shown"), [
    ("You're absolutely right! The rule is gone. I look.", "You're absolutely right!"),
    ("**你说得对！**让我检查一下。", "你说得对！"), ("You’re right", "You’re right"), ("Good catch. I look.", ""),
    ("I look. You're right.", ""), ("", "")])
def test_what_the_agent_took_back_says_so(answer: str, shown: str) -> None:
    items = [new_item("said", entry(1, "x"), REFUTED, "assistant"),
             new_item("message", entry(3, "x"), "Are all the rates drawn now?", "user", via="prompt"),
             new_item("action", entry(4, "x"), "make page", "assistant"),
             *([new_item("said", entry(5, "x"), answer, "assistant")] if answer else []),
             new_item("message", entry(8, "x"), "And now the tests, please", "user", via="prompt"),
             new_item("said", entry(9, "x"), "You're right, they fail.", "assistant")]
    first = words_of_agent(items, [], [], TURNS)[-1]
    agent = f' (the agent then: "{shown}")' if shown else ""
    assert first["tail"] == f' (the user typed next: "Are all the rates drawn now?"){agent}'


@pytest.mark.parametrize(("behind", "shown"), [
    ([("action", "make page", {})], ""),
    ([("action", "make page", {}), ("refusal", "$ rm -r rates", {})], ""),  # it was said of what was made
    ([("refusal", "$ rm -r rates", {})], " (the user rejected next: `rm -r rates`)"),
    ([("refusal", "Edit /srv/rates.css", {})], " (the user rejected next: Edit /srv/rates.css)"),
    ([("refusal", f"Edit /srv/{'rates/' * 30}zone.css", {})],
     " (the user rejected next: Edit /srv/rates/rates/rates/rates/rates … es/rates/zone.css)"),
    ([("refusal", "$ git status", {})], ""),
    ([("refusal", "$ git status", {}), ("message", "Leave the rates alone", {})],
     ' (the user typed next: "Leave the rates alone")'),
    ([("refusal", "the question: Which is first?", {})], ""),
    ([("message", "No.", {"refused": "Edit /srv/rates.css"})],
     " (the user rejected next: Edit /srv/rates.css)"),
    ([("message", "Leave the rates alone", {"refused": "Edit /srv/rates.css"})],
     ' (the user rejected next: Edit /srv/rates.css) (the user typed next: "Leave the rates alone")'),
])
def test_words_before_a_call_that_was_rejected_say_so(
        behind: Sequence[tuple[Any, str, dict[str, str]]], shown: str) -> None:
    steps: list[Any] = [{**new_item(kind, entry(at, "x"), text, "user", via="rejection"), **more}
                        for at, (kind, text, more) in enumerate(behind, 3)]
    newest = new_item("message", entry(9, "x"), "And now the tests, please", "user", via="prompt")
    said = new_item("said", entry(1, "x"), REFUTED, "assistant")
    [words] = words_of_agent([said, *steps, newest], [], [], TURNS)
    assert words.get("tail", "") == shown


@pytest.mark.parametrize(("typed_at", "is_reply"), [
    ("", True), ("2026-03-01T10:00:05Z", True), ("2026-03-01T09:59:57Z", False), ("2026-03-01T10:00:00Z", False),
    ("2026-03-01T10:00:01Z", False)])
def test_what_was_typed_before_the_words_were_said_is_no_reply_to_them(typed_at: str, is_reply: bool) -> None:
    said: Any = {**new_item("said", entry(1, "x"), REFUTED, "assistant"), "last": "2026-03-01T10:00:00Z"}
    reply: Any = {**new_item("message", entry(2, "x"), "Check the other flows, too", "user", via="queue"),
                  "last": "2026-03-01T10:00:06Z", **({"typed_at": typed_at} if typed_at else {})}
    newest = new_item("message", entry(5, "x"), "And now the tests, please", "user", via="prompt")
    [words] = words_of_agent([said, reply, newest], [], [], TURNS)
    assert ("tail" in words) is is_reply


@pytest.mark.parametrize(("reply", "is_refuted"), [
    ("Still not sorted by zone", True), ("that's false, there are zones", True), ("You are wrong about zone 7", True),
    ("it doesn't work on my phone", True), ("I get the same error there", True),
    ("ZoneError: no zone 7\n  at load (zones.py:7)", True), ("I ran it:\nTraceback (most recent call last):", True),
    ('{"errorMessage": "no such zone"}', True), ("fatal: not a git repository", True),
    ("ainda não funciona, o mapa fica vazio", True), ("nao me respondeu", True), ("nao respondeu nada", True),
    ("No funciona en mi teléfono", True), ("ça ne marche toujours pas", True), ("Geht immer noch nicht.", True),
    ("还是不行,地图是空的", True), ("没有反应", True), ("まだエラーが出ます", True), ("여전히 비어 있어요", True),
    ("всё ещё не видно зон", True), ("non va, la mappa è vuota", True),
    ("There is again an error, in zone 7", True), ("Now I am getting errors again", True),
    ("Jetzt kommt wieder ein Fehler", True), ("encore une erreur", True), ("Me da otra vez el mismo error", True),
    ("deu o mesmo erro de novo", True), ("C'è ancora un errore", True), ("опять та же ошибка", True),
    ("又出错了", True), ("またエラーです", True), ("또 오류가 나요", True),
    ("look:\nUnhandled Runtime Error\nno zone 7", True), ("Build Error\n\nFailed to compile", True),
    ("no zone 7\n\nCall Stack \nload\nzones.ts (7:3)", True),
    ("If there is again an error, mend the loader", False), ("Wenn wieder ein Fehler kommt, sag es", False),
    ("如果又出错,就停下", False), ("si sale otra vez el error, para", False), ("Print the error again", False),
    ("Name it Runtime Error", False), ("Draw the Call Stack in red\nand the zones", False),
    ("Is the Build Error page done?", False),
    ("不错,继续", False), ("No, funcionará mejor por zonas", False), ("Das geht, nicht wahr?", False),
    ("Good. Now print `ZoneError: no zone` where none is found", False), ("Keep it still for now", False),
    ("Add the zones of May, and sort them by day, as it is still not done there", False), ("And the tests?", False),
    ("x" * 300 + "Error: no zone", False), ("", False),
])
def test_what_the_next_message_reports_as_not_working_is_left_out(reply: str, is_refuted: bool) -> None:
    fixed = new_item("said", entry(3, "x"), "The loader sorts by zone now: `zones.py` was the cause.", "assistant")
    items = [new_item("said", entry(1, "x"), REFUTED, "assistant"),
             new_item("look", entry(2, "x"), "zones.py", "assistant", tool="Read"), fixed,
             *([new_item("message", entry(4, "x"), reply, "user", via="prompt")] if reply else []),
             new_item("message", entry(9, "x"), "And the rates?", "user", via="prompt")]
    shown = [line["text"] for line in words_of_agent(items, [], [], TURNS)]
    assert shown == ([REFUTED] if is_refuted else [fixed["text"], REFUTED])


@pytest.mark.parametrize(("between", "reply", "shown"), [
    ([], "still not drawn", []), ([], "No change to be seen", ["No change to be seen", ""]),  # behind the last of them
    ([("action", "make page")], "still not drawn", [""]),
    ([("look", "a.css")], "No change here", ["No change here", ""]),
    ([("refusal", "$ make page")], "No change here", ["No change here", " (the user rejected next: `make page`)"]),
    ([("answer", "By size")], "still not drawn", []),
])
def test_a_message_is_told_of_all_that_was_said_since_the_last_call(
        between: Sequence[tuple[Any, str]], reply: str, shown: Sequence[str]) -> None:
    items = [new_item("said", entry(1, "x"), REFUTED, "assistant"),
             *(new_item(kind, entry(2, "x"), text, "assistant") for kind, text in between),
             new_item("said", entry(3, "x"), "The review of it found no fault in rates.css.", "assistant"),
             new_item("message", entry(5, "x"), reply, "user", via="prompt"),
             new_item("message", entry(9, "x"), "And now the tests, please", "user", via="prompt")]
    tails = [line.get("tail", "") for line in words_of_agent(items, [], [], TURNS)]
    assert [tail.removeprefix(' (the user typed next: "').removesuffix('")') for tail in tails] == shown


@pytest.mark.parametrize(("words", "later", "is_left_out"), [
    ("Found it: `api/zones.py` is missing.", {}, True), ("`api/zones.py` does not exist here.", {}, True),
    ("`api/zones.py` 不存在，所以失败了。", {}, True), ("`api/zones.py` sorts by size now.", {}, False),
    ("Found it: `api/zones.py` is missing.", {"position": 0}, False),
    ("Found it: `api/zones.py` is missing.", {"result": "File does not exist."}, False),
    ("Found it: `api/rates.py` is missing, unlike `api/zones.py`.", {}, False)])
def test_that_a_file_is_missing_is_left_out_where_it_was_read_later(words: str, later: Any, is_left_out: bool) -> None:
    said = new_item("said", entry(1, "x"), words, "assistant")
    read = new_item("look", entry(3, "x"), "api/zones.py", "assistant", tool="Read", path="api/zones.py", result="")
    [line] = words_of_agent([said, {**read, **later}], [], [], TURNS)
    assert ([*all_pieces([], [line])] == []) is is_left_out


def test_of_older_turns_the_last_words_alone_are_shown() -> None:
    items, count = list[Item](), TURNS_WITH_ALL_WORDS + 2
    for turn in range(count):
        at = 4 * turn
        items += [new_item("message", entry(at, "x"), f"Load zone {turn}", "user", via="prompt"),
                  new_item("said", entry(at + 1, "x"), f"Thought {turn}", "assistant"),
                  new_item("look", entry(at + 2, "x"), "zones.py", "assistant", tool="Read"),
                  new_item("said", entry(at + 3, "x"), f"Report {turn}", "assistant")]
    shown = [line["text"] for line in words_of_agent(items, [], [], TURNS)]
    assert [text for text in shown if text.startswith("Report")] == [f"Report {n}" for n in reversed(range(count))]
    assert [text for text in shown if text.startswith("Thought")] == [f"Thought {n}" for n in reversed(range(2, count))]


def test_words_before_a_dialog_are_left_out_as_its_answer_tells_what_was_taken() -> None:
    answer = new_item("answer", entry(2, "x"), "By number", "user", question="How are the zones sorted?")
    offer = new_item("said", entry(1, "x"), "Option 1: by name (recommended). Option 2: by number.", "assistant")
    assert words_of_agent([offer, answer], [], [], TURNS) == []
    run = new_item("action", entry(2, "x"), "make", "assistant", tool="Bash", verdict="ended")
    assert len(words_of_agent([offer, run, {**answer, "position": 3}], [], [], TURNS)) == 1


def test_words_before_what_was_typed_while_the_agent_worked_stay() -> None:
    items = [new_item("said", entry(1, "x"), REFUTED, "assistant"),
             new_item("message", entry(2, "x"), "still not right", "user", via="queue")]
    assert words_of_agent(items, [], [], TURNS)


def test_words_that_name_a_file_say_that_it_was_edited_since(tmp_path: Path) -> None:
    session = Session()
    session.typed("Look at the page.")
    session.ran("Edit", "edited", file_path="/srv/web/rates.css", old_string="a", new_string="b")
    session.says("The page loads rates.min.css of May, zones.sql too, and ZoneRateHelper sorts by size.")
    for path in ("web/rates.min.css", "src/ZoneRateHelper.kt", "web/other.css"):
        session.ran("Edit", "edited", file_path=f"/srv/{path}", old_string=f"old {path}", new_string=f"new {path}")
    session.failed("Edit", "no such text", file_path="/srv/web/rates.css", old_string="x", new_string="y")
    session.ran("Bash", "", command="sed -i s/a/b/ db/zones.sql; cat > one.sql <<< 1")
    session.failed("Bash", "sed: no such file", command="sed -i s/a/b/ web/rates.css")
    session.says("All of that is mended now.")
    session.typed("Now the tests.")
    text, _ = recap_of(with_budget(snapshot_of(session, tmp_path), 9_000))
    [line] = [line for line in text.splitlines() if "of May" in line]
    assert "sorts by size. (edited since: rates.min.css, ZoneRateHelper.kt, zones.sql)" in line


def edit_of(at: int, path: str, tool: str = "Edit") -> Any:
    return new_item("action", entry(at, "x"), path, "assistant", tool=tool, path=path, edits=1, verdict="ended")


@pytest.mark.parametrize(("words", "edits", "edited_later"), [
    ("The quote is drawn by `sortZones()` now.", [("a.ts", "- sortZones(all)\n+ all")], ["a.ts"]),
    ("Of `zone_max` the quote takes half.", [("a.ts", "- zone_max, b"), ("b.ts", "- zone_max")], ["a.ts", "b.ts"]),
    ("Of `zone_max` the quote takes half.", [("a.ts", "- zone_max"), ("a.ts", "- b\n+ c")], ["a.ts"]),
    ("Of `zone_max` the quote takes half.", [("a.ts", "- zone_max\n+ zone_max / 2")], []),
    ("Of `zone_max` the quote takes half.", [("a.ts", "- zone_max\n+ b"), ("a.ts", "+ zone_max")], []),
    ("Of `zone_max` the quote takes half.", [("a.ts", "- zone_max_7"), ("b.ts", "+ zone_max"), ("c.ts", "")], []),
    ("Of `zone_max` the quote takes half.", [("README.md", "- zone_max")], []),
    ("Of `zones`, `Zones`, `ZONES`, `_zones_` it takes half.", [("a.ts", "- zones\n- Zones\n- ZONES\n- _zones_")], []),
    ("Of zone_max and `zone_max / 2` and `区域` it is half.", [("a.ts", "- zone_max\n- 区域")], []),
    ("Of `" * 900, [("a.ts", "- zone_max")], []), (f"`{'z' * 9_000}", [("a.ts", "- zone_max")], []),
])
def test_words_that_name_code_say_where_it_was_taken_away(
        words: str, edits: Sequence[tuple[str, str]], edited_later: Sequence[str]) -> None:
    said = [new_item("said", entry(at, "x"), words, "assistant") for at in (1, 9)]
    changes: list[Any] = [{**edit_of(at, path), "change": change} for at, (path, change) in enumerate(edits, 2)]
    last, first = words_of_agent([said[0], *changes, said[1]], [], [], TURNS)
    since = f" (edited since: {', '.join(edited_later)})" if edited_later else ""
    assert files_since(first, words) == since
    assert files_since(first, "It is half.") == ""
    assert files_since(last, words) == "", "it was said when they had been edited"


def files_removed(items: Sequence[Any]) -> dict[str, int]:
    """The changed files that were removed, as the recap has them."""
    return removed_files(items, paths_taken_away_later(items, edits_by_file(items), "/srv"))


@pytest.mark.parametrize(("commands", "is_told"), [
    (["rm src/rates.py"], True), (["git rm -q src/rates.py && git commit -m 'rates.py is gone'"], True),
    (["rm -rf src", "make test"], True), (["cd src && rm rates.py"], True), (["rm /tmp/x/rates.py"], False),
    (["rm src/rates.py && python gen.py > src/rates.py"], False), (["rm src/rates.py", "python src/rates.py"], False),
    (["rm -f src/rates.py; cp backup/rates.py src/rates.py"], False), (["rm -rf src", "cp -r backup/. src/"], False),
    (["rm src/rates.py", "git checkout -- src/rates.py"], False), (["rm src/rates.py", "git stash pop"], False),
    (["rm src/rates.py", "git checkout -b a/b 2>&1"], True), (["rm src/rates.py", "git switch -c b"], True),
    (["rm src/rates.py", "git checkout -b b origin/main"], False), (["rm src/rates.py", "git switch b"], False),
    (["rm src/rates.py", "git -C /srv merge next"], False), (["git stash pop", "rm src/rates.py"], True),
    (["rm fixtures/rates.py"], False), (["mv src/rates.py src/fees.py"], False), (["rm src/zones.py"], False),
])
def test_a_file_that_may_be_there_again_is_not_told_as_removed(commands: Sequence[str], is_told: bool) -> None:
    items = [edit_of(1, "/srv/src/rates.py"), *(new_item("action", entry(at, "x"), command, "assistant", tool="Bash",
                                                         verdict="ended") for at, command in enumerate(commands, 3))]
    assert [*files_removed(items)] == ["/srv/src/rates.py"] * is_told


@pytest.mark.parametrize(("words", "known", "is_told"), [
    ("`rates.py` is read.", ["/srv/src/rates.py"], True), ("`rates.py` is read.", ["src/rates.py"], True),
    ("`rates.py` is read.", ["/srv/web/rates.py"], False), ("`src/rates.py` is read.", ["/srv/web/rates.py"], True),
    ("`web/rates.py` and `src/rates.py` are read.", ["/srv/web/rates.py"], False),
])
def test_a_removed_file_is_told_behind_a_name_that_no_other_has(words: str, known: Sequence[str],
                                                                is_told: bool) -> None:
    said = new_item("said", entry(2, "x"), words, "assistant")
    assert removed_after(said, {"/srv/src/rates.py": 3}, known) == ["/srv/src/rates.py"] * is_told
    assert removed_after(said, {"/srv/src/rates.py": 1}, []) == [], "it was gone when they were said"


@pytest.mark.parametrize(("shown", "since"), [
    ("`conftest.py` runs first.", " (removed since: conftest.py)"),
    ("Here tests/conftest.py runs.", " (removed since: conftest.py)"),
    ("Here api/conftest.py runs.", ""), ("It runs first.", ""), ("zones.py is read.", " (edited since: zones.py)"),
    ("Below build it lies.", ""), ("rates.py is read.", "")])
def test_words_say_of_files_that_they_name_what_came_of_them(shown: str, since: str) -> None:
    said = new_item("said", entry(1, "x"), "`conftest.py` runs first, then zones.py and rates.py.", "assistant")
    removals = [new_item("action", entry(at, "x"), command, "assistant", tool="Bash", verdict=verdict)
                for at, (command, verdict) in enumerate([
                    ("git rm tests/conftest.py && rm -rf build", "ended"), ("rm zones.py", "ended"),
                    ("rm rates.py", "failed")], 3)]
    items = [edit_of(0, "/srv/tests/conftest.py"), said, edit_of(2, "/srv/tests/conftest.py"), *removals,
             edit_of(9, "/srv/zones.py")]
    [line] = words_of_agent(items, [], [], TURNS)
    line["removed_later"] = removed_after(said, files_removed(items), ["/srv/conftest.md"])
    assert files_since(line, shown) == since


@pytest.mark.parametrize(("later", "edited_later"), [
    ([], ""), ([edit_of(7, "/srv/c.css")], ""), ([edit_of(7, "/srv/a.css")], " (edited since: a.css)"),
    ([edit_of(7, "/srv/a.css", "Write")], " (edited since: a.css)"),  # half of them
    ([edit_of(7, "/srv/a.css", "Write"), edit_of(8, "/srv/b.css", "Write")], None),
])
def test_a_report_is_about_the_files_of_its_turn(later: Sequence[Any], edited_later: str | None) -> None:
    items = [new_item("message", entry(1, "x"), "Draw the zones smaller", "user", via="prompt"),
             edit_of(2, "/srv/a.css"), new_item("said", entry(3, "x"), "The first is smaller now.", "assistant"),
             edit_of(4, "/srv/b.css"), new_item("said", entry(5, "x"), "All zones are drawn smaller.", "assistant"),
             new_item("message", entry(6, "x"), "And now the tests, please", "user", via="prompt"), *later]
    lines = {line["text"]: line for line in words_of_agent(items, [], [], TURNS)}
    report = lines.get("All zones are drawn smaller.")
    assert (files_since(report, "All.") if report else None) == edited_later
    assert files_since(lines["The first is smaller now."], "a.txt") == "", "of words on the way their names alone tell"
    assert {line["may_stand_whole"] for line in lines.values()} == ({False} if report is None else {False, True})
    said = new_item("said", entry(9, "x"), "The tests draw the zones twice.", "assistant")
    assert words_of_agent([*items, said], [], [], TURNS)[0]["may_stand_whole"], "of the newest turn"


def test_a_report_on_files_that_are_gone_is_left_out_and_that_of_a_look_names_what_it_read() -> None:
    read = new_item("look", entry(2, "x"), "/srv/a.css", "assistant", tool="Read", path="/srv/a.css", result="")
    report = new_item("said", entry(3, "x"), "All zones are drawn at 320 px.", "assistant")
    newest = new_item("message", entry(4, "x"), "And now the tests, please", "user", via="prompt")
    [line] = words_of_agent([read, report, newest, edit_of(5, "/srv/a.css", "Write")], [], [], TURNS)
    assert files_since(line, "All.") == " (edited since: a.css)"
    assert words_of_agent([edit_of(2, "/srv/a.css"), report, newest], [], [], TURNS, {"/srv/a.css"}) == []


def test_the_reply_stands_behind_the_words(tmp_path: Path) -> None:
    session = Session()
    session.typed("Mend the page.")
    session.ran("Bash", "drawn", command="draw --width 320")
    session.says(REFUTED)
    session.first += 1  # a second in which they are read
    session.typed("No change to be seen at 320 px")
    session.says("The cause is that `index.html` loads an older file, rates.min.css of May.")
    session.ran("Bash", "done", command="make page")
    session.says("The page is made by zones.html.")
    session.typed("Now the tests.")
    text, _ = recap_of(with_budget(snapshot_of(session, tmp_path), 9_000))
    rows = text.splitlines()
    line = f'{SAID}{REFUTED} (the user typed next: "No change to be seen at 320 px")'
    assert rows.index('After "No change to be seen at 320 px" (just before):') < rows.index(line)


def test_what_the_summary_has_is_no_remark(remarked: Any) -> None:
    text, _ = recap_of(with_budget(remarked, 9_000, summary=f"We found that: {CULPRIT.lower()}"))
    assert CULPRIT not in text


@pytest.mark.parametrize("budget", [6_000, 9_000, 19_000])
def test_never_over_the_budget_with_many(tmp_path: Path, budget: int) -> None:
    session = Session()
    session.typed("Find out why the workers stop.")
    for number in range(80):
        session.says(f"The worker {number} met error {number * 37} in zone{number}, which nobody had expected there.")
        session.ran("Bash", "done", command=f"run-{number}")
    session.typed("Go on.")
    text, lines = recap_of(with_budget(snapshot_of(session, tmp_path), budget))
    assert units(text) <= budget
    assert "- Said: The worker" in text
    assert all(line["is_put_back"] == (line["why"] == "put back") for line in lines)


def test_how_many_steps_had_no_room_is_said_beside_an_old_remark(tmp_path: Path) -> None:
    session = Session()
    session.typed("Mend the workers.")
    session.says(CULPRIT)
    for number in range(300):
        session.ran("Bash", f"worker {number} mended: " + "detail " * 30, command=f"mend-{number} --zone {number * 7}")
    session.says("That was the last worker.")
    snapshot = snapshot_of(session, tmp_path)
    lacking = with_budget(snapshot, 19_000, how_to_open="A tag opens a step.", items=with_tags(snapshot["items"]))
    text, lines = recap_of(lacking)
    assert f"- Said: {CULPRIT}" in text
    count = int(what_is_left_out(lacking, lines, "recall").split()[0])
    assert count == 300 - text.count("- `mend-")


def test_words_that_stand_above_do_not_stand_among_the_steps_again(tmp_path: Path) -> None:
    session = Session()
    session.typed("How shall the loader's cache be keyed, by name or by number?")
    session.says("By number, as two zones of Samoa share their name. Shall I change it?")
    session.typed("yes")
    session.ran("Bash", "done", command="make cache")
    session.says("The cache is rebuilt.")
    snapshot = snapshot_of(session, tmp_path)
    for budget in (4_000, 19_000):
        assert recap_of(with_budget(snapshot, budget))[0].count("two zones of Samoa share their name") == 1


def test_pasted_lines_are_not_told_as_typed(tmp_path: Path) -> None:
    session = Session()
    log = "\n".join(f"2026-01-01T10:00:{number}Z worker{number} ERROR zone{number} refused" for number in range(10, 50))
    session.typed(f"Here is the log:\n{log}\nWhy does it refuse?")
    session.says("I look.")
    session.typed("Go on.")
    text, _ = recap_of(with_budget(snapshot_of(session, tmp_path), 9_000))
    assert "worker33 ERROR" not in text.partition(f"## {WORK}")[2]


SAYS_FAIL = "The percent test passes, the one below zero fails with -30."
RED, GREEN = "FAILED tests/test_cart.py::test_zero - x\n1 failed, 1 passed in 0.1s", "2 passed in 0.1s"


@pytest.mark.parametrize(("words", "then", "stays"), [
    (SAYS_FAIL, [("pytest", GREEN)], False), (SAYS_FAIL, [], True), (SAYS_FAIL, [("pytest", RED)], True),
    (SAYS_FAIL, [("pytest", RED), ("pytest", GREEN)], False),
    (SAYS_FAIL, [("pytest tests/test_other.py", GREEN)], True),
    (SAYS_FAIL, [("ruff check", "All checks passed!")], True),
    ("One of the two tests is failing with -30 now.", [("pytest", GREEN)], False),
    ("The test fails because the coupon is larger than the total.", [("pytest", GREEN)], True),
    ("The coupon is larger than the total of the cart.", [("pytest", GREEN)], True)])
def test_that_tests_fail_is_no_remark_after_they_passed(
        tmp_path: Path, words: str, then: list[tuple[str, str]], stays: bool) -> None:
    session = Session()
    session.typed("Mend the coupon.")
    session.failed("Bash", f"Exit code 1\n{RED}", command="pytest")
    session.says(words)
    for command, output in then:
        session.ran("Edit", file_path="/srv/cart.py", old_string="a", new_string=f"b{command}")
        if output == RED:
            session.failed("Bash", f"Exit code 1\n{output}", command=command)
        else:
            session.ran("Bash", output, command=command)
    session.says("Shall I go on with the docs?")
    session.typed("Now the docs of the coupon.")
    session.says("The docs are in place.")
    text, _ = recap_of(with_budget(snapshot_of(session, tmp_path), 9_000))
    assert (words in text) is stays


def test_what_was_said_of_failing_tests_behind_a_passed_run_stays(tmp_path: Path) -> None:
    session = Session()
    session.typed("Mend the coupon.")
    session.failed("Bash", f"Exit code 1\n{RED}", command="pytest")
    session.ran("Bash", GREEN, command="pytest")
    session.says(SAYS_FAIL)
    session.ran("Bash", GREEN, command="pytest -q")
    session.says("Shall I go on with the docs?")
    session.typed("Now the docs of the coupon.")
    session.says("The docs are in place.")
    assert SAYS_FAIL in recap_of(with_budget(snapshot_of(session, tmp_path), 9_000))[0]


def test_a_tag_stands_behind_the_words_and_never_among_them(tmp_path: Path) -> None:
    session = Session()
    session.typed("Look at the zones.")
    session.says(f'The table "loading… zones" has zone 7.\n\n{CULPRIT}')
    session.ran("Bash", "ok", command="make zones")
    session.says("That was the last worker.")
    snapshot = snapshot_of(session, tmp_path)
    text = recap_of(with_budget(snapshot, 19_000, how_to_open="A tag opens a step."))[0]
    [line] = [line for line in text.splitlines() if line.startswith(SAID)]
    assert line == f'{SAID}The table "loading… zones" has zone 7. {CULPRIT}'
