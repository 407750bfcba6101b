"""The thread: what a person typed with what it answers, and whose words give rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.words.messages import (
    ANSWERED_MAX_UTF16,
    MESSAGE_MAX_UTF16,
    Conversation,
    without_pastes,
)
from compact_keeper.record.words.pasted import is_document
from compact_keeper.record.words.picks import answered_lines, offered_lists, picked_line
from compact_keeper.text.ends import last_part
from compact_keeper.types import Item
from entries import call, entry
from sessions import REJECTION_SILENT, REJECTION_WORDS
from slow_texts import check_it_ends

OFFER = "Two ways:\n\n**A)** Round half up.\n- B. Round half even.\n2. Keep floats.\n10) Drop it.\nc is no option"


def items_after(*entries: Any, known: Sequence[Item] = (), state: dict[str, Any] | None = None) -> list[Item]:
    thread = Conversation(known, {} if state is None else state)
    return [item for entry in entries for item in thread.items_of(entry)]


def said(text: str, number: int = 1) -> Any:
    return entry(number, "said", text)


def typed(text: str, number: int = 2, via: str = "prompt", **more: Any) -> Any:
    return entry(number, "typed", text, via=via, **more)


@pytest.mark.parametrize(("text", "expected"), [
    ("", ""), ("z", ""), ("c", ""), ("7", ""), ("100", ""), ("yes", ""), ("a table", ""), ("I like it", ""), ("1", ""),
    ("\ud800", ""), ("b" * 900, ""), ("bad idea", ""), ("2nd try", ""), ("A bigger table would be better, no?", ""),
    ("a", "A)** Round half up."), ("A", "A)** Round half up."), ("(b)", ""), ("b", "B. Round half even."),
    ("b.", "B. Round half even."), ("option b", "B. Round half even."),
    ("let's go with B please", "B. Round half even."),
    ("2", "2. Keep floats."), ("2, and write a test", "2. Keep floats."), ("#2", "2. Keep floats."),
    ("10", "10) Drop it."), ("yes, 2", "2. Keep floats."), ("2. " + "with a long explanation " * 9, "2. Keep floats."),
    ("a. yes b. no", ""), ("2. yes, as it is 10. not yet", ""), ("2) and that's it", "2. Keep floats."),
    ("2 fix, 10yes do that", ""), ("2 where is that? 10 no", ""), ("2 in 10 min", "2. Keep floats."),
    ("2 " + "files are wrong here, look at them " * 9, ""),
    ("10, 20 and 30 are what the zones cost. " * 9, ""),
    ("2, the neighbours complained last year. " * 9, "2. Keep floats."),
    ("A, B or C may be it, look at them all. " * 9, ""),
    ("B, and halve with whole minutes. " * 9, "B. Round half even."),
    ("yes, 2, as they were wrong before. " * 9, ""),
])
def test_the_line_that_a_message_picks(text: str, expected: str) -> None:
    assert picked_line(text, OFFER)[0] == expected
    assert picked_line(text, "") == ("", [])


LIST = "Which?\n1. The table.\n2. The index.\n3. Both files."


@pytest.mark.parametrize(("text", "expected"), [
    ("1 + 2", ["1. The table.", "2. The index."]), ("oke, 1 dan 2", ["1. The table.", "2. The index."]),
    ("1, 3", ["1. The table.", "3. Both files."]),
    ("yes, 1 and 2 please", ["1. The table.", "2. The index."]), ("2&3.", ["2. The index.", "3. Both files."]),
    ("1-3 is okay", ["1. The table.", "2. The index.", "3. Both files."]),
    ("option 1, then option 2", ["1. The table.", "2. The index."]), ("3 then 1", ["3. Both files.", "1. The table."]),
    ("options 1, 2 and 3", ["1. The table.", "2. The index.", "3. Both files."])])
def test_several_lines_that_a_message_picks_together(text: str, expected: list[str]) -> None:
    assert picked_line(text, LIST) == ("", expected)
    [_, message] = items_after(said(LIST), typed(text))
    assert (message.get("picks"), message["options"]) == (None, expected)


@pytest.mark.parametrize("text", ["1 + 7", "1 and wait", "1", "10 and 20"])
def test_what_is_not_in_the_list_is_not_picked_with_others(text: str) -> None:
    assert picked_line(text, LIST)[1] in ([], [*LIST.splitlines()[1:]])


def test_a_prompt_that_waited_answers_nothing_that_was_said_meanwhile() -> None:
    """It was typed before: a report that came since had stood behind it as what it answers."""
    [_, message] = items_after(said(LIST), typed("2", via="waited"))
    assert not message.get("picks")
    assert not message.get("answers")


MENU = "Well.\n**Select:** [A] Ask [P] Party [C] Go on (step 8)\n- [x] done\n- [ ] open"
OPTIONS = "### Option A: a file\ntext\n### Option B: a server"


@pytest.mark.parametrize(("text", "offered", "expected"), [
    ("c", MENU, "[C] Go on (step 8)"), ("P", MENU, "[P] Party"), ("x", MENU, ""), ("k", MENU, ""), ("cc", MENU, ""),
    ("option 1", "### **Option 1: Mend it**\n### Option 2: Leave it\nNow:\n1. Watch it.\n2. Read it.",
     "Option 1: Mend it"), ("2", "### **Option 2: Leave it**\nNow:\n1. Watch it.\n2. Read it.", "2. Read it."),
    ("A option works for me", OPTIONS, "Option A: a file"), ("a", OPTIONS, "Option A: a file"), ("A works", OPTIONS,
     "Option A: a file"), ("a server would do", OPTIONS, ""), ("B", "[A] only one on the line", ""),
    ("1", "Which?\n1. >= instead of >\n2. **both**", "1. >= instead of >"), ("2", "1. one\n2. **both**", "2. **both"),
])
def test_menus_and_headings_are_picked_from_too(text: str, offered: str, expected: str) -> None:
    assert picked_line(text, offered)[0] == expected


NESTED = ("### 1. **Rounding**\n- A) half up\n- B) half even\n### 2. **Zones**\n- A) all\n- B) north\n\n"
          "### 3. **Rates**\nwhich?")


@pytest.mark.parametrize(("text", "picks", "options"), [
    ("1. A；2. B；3. 45", "", []), ("1 a, 2b", "", []),
    ("2", "2. **Zones", ["1. **Rounding", "2. **Zones", "3. **Rates"]),
    ("B", "B) north", ["A) all", "B) north"]),
])
def test_a_list_goes_on_behind_those_within_it(text: str, picks: str, options: list[str]) -> None:
    assert picked_line(text, NESTED) == (picks, options)


@pytest.mark.parametrize(("words", "begins"), [
    ("1. x\nA. y\n3. z", ["1", "a", "3"]), ("A. y\n1. x\n2. z\nC. v", ["a", "1", "c"]),
    ("1. x\nA. y\n1. z\n2. v", ["1", "a", "1"]), ("A. x\n1. y\n2. z\nB. v", ["a", "1"]),
])
def test_no_list_goes_on_behind_a_gap_of_its_own(words: str, begins: list[str]) -> None:
    assert [next(iter(options)) for options in offered_lists(words)] == begins


@pytest.mark.parametrize(("text", "expected"), [
    ("1. cents；2. half up；3. A", ["1. **Euro?** Which", "2. Rounding?", "3. Zones"]),
    ("1. cents，2. half up", ["1. **Euro?** Which", "2. Rounding?"]),
    ("1) cents\n2)half up\n3)all", ["1. **Euro?** Which", "2. Rounding?", "3. Zones"]),
    ("1.Yes 3. no", ["1. **Euro?** Which", "3. Zones"]), ("1) cents", []), ("1.5 or 2.5", []), ("", []), ("1", []),
    ("a" * 9_000, []), ("1. x" + "y" * 9_000 + " 2. z", []),
    ("Now change the rates. " * 20 + "Then try: 1. cents 2. half up", []),
])
def test_answers_by_number_pick_nothing_and_name_their_lines(text: str, expected: list[str]) -> None:
    questions = "**Q**\n1. **Euro?** Which\n2. Rounding?\n3. Zones"
    assert answered_lines(text, questions) == expected
    [_, message] = items_after(said(questions), typed(text or "x"))
    if expected:
        assert message["options"] == expected
        assert not message.get("picks")


def test_a_short_message_has_what_it_answers() -> None:
    [_, message] = items_after(said(OFFER), typed("b"))
    assert (message["answers"], message["picks"]) == (OFFER, "B. Round half even.")
    assert message["options"] == ["A)** Round half up.", "B. Round half even."]


def test_the_same_words_with_a_picture_and_without_are_two_messages() -> None:
    first, second = items_after(typed("Go on.", attached="a picture"), typed("Go on."))
    assert (first["attached"], second.get("attached")) == ("a picture", None)
    assert first["key"] != second["key"]


@pytest.mark.parametrize(("entries", "answers"), [
    ([typed("yes")], ""),
    ([said("Shall I?"), typed("x " * 300)], ""),
    ([said("Shall I?"), typed("yes", via="rejection", source="toolu_9")], ""),
    ([said("Shall I?"), typed("yes", via="queue")], "Shall I?"),
    ([said("Shall I?"), said("Or not?"), typed("yes")], "Or not?"),
])
def test_what_has_nothing_to_answer(entries: list[Any], answers: str) -> None:
    [message] = [item for item in items_after(*entries) if item["kind"] == "message"]
    assert message.get("answers", "") == answers


def test_the_words_of_an_earlier_save_are_answered_too() -> None:
    state: dict[str, Any] = {}
    thread = Conversation([], state)
    assert [*thread.items_of(said("Shall I push?"))]
    thread.note_last_words()
    [message] = items_after(typed("no"), state=state)
    assert message["answers"] == "Shall I push?"


@pytest.mark.parametrize("text",
                         ["word " * 900, "A sentence here. " * 300, "x" * 3_000, "line\n" * 600, "🚚" * 900, ""])
def test_the_end_of_long_words(text: str) -> None:
    end = last_part(text, ANSWERED_MAX_UTF16)
    assert len(end) <= ANSWERED_MAX_UTF16 + 2
    assert text.strip().endswith(end.removeprefix("… "))
    assert bool(end.removeprefix("… ")) == bool(text), "also of words without spaces"


def test_a_rejection_has_its_call() -> None:
    refused = call("Bash", command="rm -rf build", rejected=True, ok=None)
    items = items_after(refused, typed("use make clean", via="rejection", source="toolu_1"))
    assert [("rm -rf build" in item["refused"], item["text"]) for item in items] == [(True, "use make clean")]
    [other] = items_after(refused, typed("no", via="rejection", source="toolu_8"))
    assert "refused" not in other


REJECTED = call("Bash", command="make all", rejected=True, ok=None, output=REJECTION_SILENT)
ELSEWHERE = call("Bash", command="ls", source="toolu_2", ok=True)


@pytest.mark.parametrize(("entries", "follows"), [
    ([said("I build it."), REJECTED, typed("I meant yes")], "$ make all"),
    ([said("I build it."), REJECTED, typed("I meant yes", via="interrupt")], "$ make all"),
    ([said("I build it."), typed("I meant yes")], ""),
    ([REJECTED, said("I build it."), typed("I meant yes")], ""),
    ([said("I build it."), REJECTED, ELSEWHERE, typed("I meant yes")], ""),
    ([said("I build it."), REJECTED, typed("Wait."), typed("I meant yes", 4)], ""),
    ([said("I build it."), REJECTED, typed("I meant yes", via="queue")], ""),
    ([said("I build it."), {**REJECTED, "output": REJECTION_WORDS + "no"}, typed("no", via="rejection"),
      typed("I meant yes", 4)], ""),
])
def test_a_message_behind_a_rejected_call_follows_it(entries: list[Any], follows: str) -> None:
    assert items_after(*entries)[-1].get("follows", "") == follows


def test_a_rejection_of_an_earlier_save_is_followed_too() -> None:
    state: dict[str, Any] = {"last_words": "I build it."}
    items_after(REJECTED, state=state)
    [message] = items_after(typed("I meant yes"), state=state)
    assert message["follows"] == "$ make all"


@pytest.mark.parametrize(("text", "is_kept"), [
    ("Run it", True), ("Exécute", True), ("translate this", True), ("改一下", True),
    ("yes", False), ("Ok, go on!", False), ("continue", False), ("好的，继续", False), ("oui", False),
    ("phase 2", False), ("fix `zones`", False), ("fix zone_of", False), ("read zones.py", False),
    ("now write the tests for all of the zones", True), ("now write the tests for all of the zones.", False),
])
def test_few_words_without_an_object_have_what_was_open(text: str, is_kept: bool) -> None:
    [message] = items_after(typed(text, opened="/srv/app/doc/a.md"), state={"root": "/srv/app"})
    assert message.get("opened", "") == ("doc/a.md" if is_kept else "")


def answered(text: str) -> Any:
    options = [{"label": "Always push.", "description": "Never ask."}]
    return call("AskUserQuestion", position=4, input={"questions": [{"question": "How?", "options": options}]},
                answers={"How?": text})


@pytest.mark.parametrize(("entries", "rules"), [
    ([typed("Never push.")], ["Never push."]),
    ([said("Never push.")], []),
    ([said("I think so. Never push the drafts to the shared trunk."),
      typed("Never push the drafts to the shared trunk.")], []),
    ([said("Fine."), typed("Never push the drafts to the shared trunk.")],
     ["Never push the drafts to the shared trunk."]),
    ([entry(1, "plan", "Never push.")], []),
    ([entry(1, "teammate", "Never push.", sender="team-lead")], []),
    ([typed("Never push."), typed("Forget the push rule.", 3)], []),
    ([answered("Always push.")], []),
    ([answered("Ask me, and never push.")], ["Ask me, and never push."]),
    ([typed("Never push."), answered("Forget the push rule.")], []),
    ([typed("/deploy never push.")], ["never push."]),
    ([typed("/deploy: a\n- never push.")], ["never push."]),
    ([typed("Never push."), typed("/deploy forget the push rule", 3)], []),
    ([typed("/srv/never is the folder.")], []),
])
def test_whose_words_give_rules(entries: list[Any], rules: list[str]) -> None:
    items = items_after(*entries)
    ended = {item["text"] for item in items if item["kind"] == "rule" and item["status"] == "ended"}
    assert [item["text"] for item in items if item["kind"] == "rule" and item["text"] not in ended] == rules


def test_a_rule_of_an_earlier_save_is_revoked_by_name() -> None:
    known = [item for item in items_after(typed("Never push. Always use tabs.")) if item["kind"] == "rule"]
    items = items_after(typed("Forget the tabs rule.", 5), known=known)
    assert [(item["text"], item["status"]) for item in items if item["kind"] == "rule"] == [("Always use tabs.",
                                                                                             "ended")]


def test_of_a_paste_beyond_what_is_looked_at_nothing_is_the_person_s_own() -> None:
    row = '{"time": "2026-02-15", "msg": "hook invoked", "name": "after-tool"}'
    [message] = items_after(typed("Still failing:\n" + "\n".join([row] * 900)))
    assert message["own"] == f"Still failing:\n[900 pasted lines: {row}]"


@pytest.mark.parametrize(("gap", "end", "is_shown"), [
    ("\n" * 6, "Never push. Draw the zones of it.", True), ("\n \n\n\t\n\n", "Draw the zones of it.", True),
    ("\n" * 3, "Draw the zones of it.", False), ("\n" * 6, "> Draw the zones of it.", False),
    ("\n" * 6, "ERROR: no zone\n{", False), ("\n" * 6, "Draw the zones of it.\n```", False),
    ("\n" * 6, "Draw the zones of it.\n</div>", False), ("\n" * 6, "\n".join(["Draw the zones of it."] * 13), False)])
@pytest.mark.parametrize("rows", [90, 2_000])
def test_what_stands_behind_a_wide_gap_below_a_paste_is_shown_and_gives_no_rule(
        gap: str, end: str, is_shown: bool, rows: int) -> None:
    gates = [f"Gate {row % 9} opens to the yard" for row in range(rows)]
    paste = "\n".join(["Plan the yard with this answer:", *gates])
    [message] = items_after(typed(paste + gap + end))
    head = f"Plan the yard with this answer:\n[{rows} pasted lines: Gate 0 opens to the yard]"
    assert (re.sub(r"\s*\n\s*", "\n", message["own"]) == f"{head}\n{end}") is is_shown
    assert is_shown or end not in message["own"]


def test_of_a_very_long_end_behind_a_gap_the_order_stands_too() -> None:
    paste = "\n".join(f"ERROR worker[{row}]: failed to open zone {row}" for row in range(300))
    end = f"Open the zones.\nSee below.\n\n{'word ' * 9_000}\nlast line"
    shown = without_pastes(f"Here is the log:\n{paste}\n\n\n\n\n\n{end}", ())
    assert re.sub(r"\n+", "\n", shown).startswith("[301 pasted lines: Here is the log:]\nOpen the zones.\nSee below.\n")


PASTE = ('Do what it says. Never push.\n\n<pasted_content id="84fd">\n{}\n</pasted_content id="84fd">\n\n'
         "Always stop there.")


def test_what_the_client_says_was_pasted_gives_no_rule_and_its_tags_are_no_words() -> None:
    message, *rules = items_after(typed(PASTE.format("The bays\nNever use floats.\nAlways ask.\nWe only use tabs.")))
    assert message["text"] == ("Do what it says. Never push.\n\nThe bays\nNever use floats.\nAlways ask.\n"
                               "We only use tabs.\n\nAlways stop there.")
    assert [rule["text"] for rule in rules] == ["Never push.", "Always stop there."]


def test_of_a_long_paste_the_first_line_is_shown_and_not_the_tag() -> None:
    row = '{"time": "2026-02-15", "msg": "hook invoked", "name": "after-tool"}'
    [message, *_] = items_after(typed(PASTE.format("\n".join([row] * 30))))
    assert [line for line in message["own"].splitlines() if line] == [
        "Do what it says. Never push.", f"[30 pasted lines: {row}]", "Always stop there."]


def test_of_a_paste_whose_end_was_cut_off_nothing_gives_a_rule() -> None:
    items = items_after(typed('<pasted_content id="84fd">\nThe bays\nNever use floats.\nAlways ask.\nWe only'))
    assert [item["kind"] for item in items] == ["message"]


def test_a_plan_and_a_team_lead_s_words_are_messages_of_their_own() -> None:
    plan, lead = items_after(entry(1, "plan", "# Plan\n- read"), entry(2, "teammate", "Read.", sender="team-lead"))
    assert (plan["via"], plan["who"], plan["text"]) == ("plan", "user", "# Plan\n- read")
    assert (lead["via"], lead["who"], lead["sender"]) == ("teammate", "assistant", "team-lead")


def test_a_message_is_bounded() -> None:
    [message] = items_after(typed("🚚" * 20_000))
    assert len(message["text"].encode("utf-16-le")) // 2 <= MESSAGE_MAX_UTF16


def test_no_words_are_without_end() -> None:
    check_it_ends(lambda text: items_after(said(text), typed(text[:300]), typed(text)))
    check_it_ends(lambda text: picked_line(text[:400], text))


SPEC = "\n".join(["Please build this:", "# Spec", "## Rules", *(f"- rule {number} of it" for number in range(40))])
LOG = "\n".join(["Please fix this:", *(f"2026-03-04 10:00:{row:02} ERROR row {row} is gone" for row in range(40))])


@pytest.mark.parametrize(("text", "is_order"), [
    (SPEC, True), (LOG, False), ("\n".join(["{"] * 400), False), ("| a | b |\n" * 200, False), ("", False),
    ("Fix this:\n" + "{\n" * 400, False),
    (f"{SPEC}\n```\n" + "x = 1;\n" * 4 + "```", True), ("\ud800\n" * 300, False),
])
def test_an_order_that_was_written_elsewhere(text: str, is_order: bool) -> None:
    assert is_document(text) is is_order


@pytest.mark.parametrize(("text", "is_shortened"), [(SPEC, False), (LOG, True)])
def test_of_what_was_pasted_only_a_program_s_words_are_shortened(text: str, is_shortened: bool) -> None:
    [message] = items_after(typed(text))
    assert ("own" in message) is is_shortened


def test_what_the_person_typed_behind_the_last_row_of_a_log_stands_and_gives_no_rule() -> None:
    rows = [f'INFO:     10.0.0.{row}:80 - "GET /zones HTTP/1.1" 403 Forbidden' for row in range(9)]
    wish = "never let that happen, the lorries have their key since spring and should pass the gate of the north"
    text = "\n".join(["The gate stays shut:", *rows]) + f" {wish}"
    [message] = items_after(typed(text))
    assert message["own"] == f"The gate stays shut:\n[9 pasted lines: {rows[0]}]\n{wish}"
    [message] = items_after(typed(f"{text}\n{rows[0]}"))  # where the log goes on, the server may say so
    assert message["own"] == f"The gate stays shut:\n[10 pasted lines: {rows[0]}]"


PAGE = "Zones of the North\n\n" + "\n".join(f"Zone {row} costs {row}. Never change that again." for row in range(40))


@pytest.mark.parametrize(("before", "page", "is_page"), [
    ("learn about https://example.org/rates/zones-of-the-north", {}, True),
    ("https://example.org/zones_of_the_north/ has it, read that", {}, True),
    ("https://example.org/zones-of-the-north", {"number": 70}, False),  # later
    ("https://example.org/zones-of-the-north", {"via": "prompt"}, False),
    ("https://example.org/zones-of-the-south", {}, False), ("learn about zones of the north", {}, False),
    ("https://example.org/zones-of-the-north-and-more", {}, False), ("https://zonesofthenorth/", {}, False),
    ("", {}, False), ("https://" + "a/" * 9_000, {}, False),
    # an order of what the link is about
    ("https://example.org/zones-of-the-north", {"text": PAGE.replace("North", "North:")}, False),
    ("https://example.org/zones-of-the-north", {"text": PAGE[:1_400]}, False),
    ("https://example.org/zones-of-the-north", {"text": PAGE[:60] + PAGE[60:].replace("\n", " ")}, False),
])
def test_the_page_of_a_link_that_was_pasted_behind_it_orders_nothing(before: str, page: Any, is_page: bool) -> None:
    entries = [typed(before, 2)] * bool(before) + [typed(**{"text": PAGE, "number": 30, "via": "queue", **page})]
    message, *rules = [item for item in items_after(*entries) if item["source"] != "row-2"]
    assert (message.get("own") == "[41 pasted lines: Zones of the North]") is is_page
    assert bool(rules) is not is_page


def test_the_page_of_a_link_that_an_earlier_save_read_is_known() -> None:
    known = items_after(typed("learn about https://example.org/rates/zones-of-the-north"))
    [message] = items_after(typed(PAGE, 30, "queue"), known=known)
    assert message["own"] == "[41 pasted lines: Zones of the North]"


def test_a_list_of_what_was_done_is_not_answered() -> None:
    assert answered_lines("1) OUTPUT\n2) SCOPE", "1. Added the table\n2. Mended the test") == []
