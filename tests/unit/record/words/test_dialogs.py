"""Dialogs: what the person chose, what waits for them, plans and their approval, what they refused in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.merge import merge
from compact_keeper.record.words.dialogs import Dialogs, call_in_words, typed_answers
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item
from entries import call, entry
from sessions import REJECTION_HINT, REJECTION_SILENT, REJECTION_WORDS
from slow_texts import check_it_ends

OPTIONS = [{"label": "Euro", "description": "As the table has it"}, {"label": "Dollar"}]
ASKED = [{"question": "Which currency?", "header": "Currency", "options": OPTIONS, "multiSelect": False},
         {"question": "Round \"up\"?", "options": [], "multiSelect": True}]
CLARIFYING = (REJECTION_WORDS + "The user wants to clarify these questions.\n    Ask.\n\n    Questions asked:\n"
              "- \"Which currency?\"\n  Answer: Euro\n- \"Round \"up\"?\"\n  (No answer provided)")


def merged(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[Item]:
    """The items that are kept after these entries."""
    dialogs = Dialogs(known)
    return merge(known, [item for entry in entries for item in dialogs.items_of(entry)], default_settings())


def kept(entries: Sequence[Any], known: Sequence[Item] = ()) -> list[tuple[Any, Any, Any]]:
    """Kind, text and status of what is kept, or the question of an answer."""
    return [(item["kind"], item["text"], item.get("question", item["status"])) for item in merged(entries, known)]


def ask(**fields: object) -> Any:
    return call("AskUserQuestion", **{"input": {"questions": ASKED}, **fields})


def typed(text: str, number: int = 5, **fields: object) -> Any:
    return entry(number, "typed", text, **{"via": "prompt", **fields})


WAITING = ask(ok=None)
BOTH_WAIT = [("question", "Which currency?", "open"), ("question", 'Round "up"?', "open")]
EURO = ("answer", "Euro", "Which currency?")


@pytest.mark.parametrize(("entries", "expected"), [
    ([WAITING], BOTH_WAIT),
    ([WAITING, typed("And the docs?", via="queue")], BOTH_WAIT),
    ([WAITING, typed("And the docs?", source="ledger")], BOTH_WAIT),
    ([WAITING, typed("Leave it.")], []),
    ([WAITING, typed("Leave it.", via="interrupt")], []),
    ([WAITING, ask(ok=False)], []),
    ([WAITING, ask(answers={"Which currency?": "Euro", 'Round "up"?': ["half", "up"]})],
     [EURO, ("answer", "half, up", 'Round "up"?')]),
    ([ask(answers={"Which currency?": "Yen, both"}, output='Answers: "Which currency?"="Yen, both" user notes: '
                   'for Japan alone. You can now continue')],
     [("answer", "Yen, both (for Japan alone)", "Which currency?")]),
    ([ask(answers={"Which currency?": "Yen"}, output='"Which currency?"="Yen" user notes: Yen. You can now')],
     [("answer", "Yen", "Which currency?")]),
    ([ask(output='User has answered your questions: "Which currency?"="Euro", "Round "up"?"="no". You can now')],
     [EURO, ("answer", "no", 'Round "up"?')]),
    ([ask(output="User has answered your questions: .")], []),
    ([ask(answers={"Which currency?": "Euro"}), {**ask(answers={"Which currency?": "Yen"}), "position": 2}],
     [("answer", "Yen", "Which currency?")]),
    ([WAITING, ask(ok=None, rejected=True, output=CLARIFYING)],
     [EURO, ("refusal", "the question: Which currency?", "open")]),
    ([WAITING, ask(ok=None, rejected=True, output=REJECTION_WORDS + 'Neither.\n- "Q"\n  Answer: Euro')], []),
])
def test_questions_wait_until_they_are_answered_or_overtaken(
        entries: list[Any], expected: list[tuple[str, str, str]]) -> None:
    assert sorted(kept(entries)) == sorted(expected)
    assert sorted(kept(entries[1:], merged(entries[:1]))) == sorted(expected), "a save between the two changes nothing"


def test_a_question_and_its_answer_have_the_options() -> None:
    options = ["Euro: As the table has it", "Dollar"]
    assert [item["options"] for item in merged([WAITING])] == [options, []]
    assert merged([ask(answers={"Which currency?": "Dollar"})])[0]["options"] == options


def test_of_an_answer_it_is_known_whether_one_option_alone_may_be_picked() -> None:
    answers = merged([ask(answers={"Which currency?": "Dollar", 'Round "up"?': "no"})])
    assert {item["question"]: item.get("picks_one", False) for item in answers} == {
        "Which currency?": True, 'Round "up"?': False}


@pytest.mark.parametrize(("dialog", "words"), [
    (ask(ok=None), []),
    (ask(ok=False, answers={"Which currency?": "Yen"}), []),
    (ask(answers={"Which currency?": "Euro"}), []),
    (ask(answers={"Which currency?": "Euro, Dollar"}), []),
    (ask(answers={"Which currency?": ["Dollar", "Euro"]}), []),
    (ask(answers={"Another question?": "Dollar"}), []),
    (ask(answers={"Which currency?": "Euro"}, input={}), []),
    (ask(answers={"Which currency?": "Always Euro"}, input={"questions": [{"question": "Which currency?"}]}), []),
    (ask(answers={"Which currency?": "Always Euro"}, input={"questions": "Euro"}), []),
    (ask(answers={"Which currency?": "Eurocents"}), ["Eurocents"]),
    (ask(answers={"Which currency?": "Euro, always Euro"}), ["always Euro"]),
    (ask(answers={"Which currency?": "Euro", 'Round "up"?': "never"}), ["never"]),
    (ask(answers={"Which currency?": "Euro"}, output='"Which currency?"="Euro" user notes: but no yen. You can now'),
     ["but no yen"]),
    (ask(output='User has answered your questions: "Which currency?"="Yen\nnever Euro". You can now'),
     ["Yen\nnever Euro"]),
    (ask(ok=None, rejected=True, output=CLARIFYING), []),
    (ask(ok=None, rejected=True, output=CLARIFYING.replace("Answer: Euro", "Answer: Yen")), ["Yen"]),
    (ask(answers={"Which currency?": "key AKIAIOSFODNN7EXAMPLE"}), ["key [redacted: token]"]),
])
def test_the_words_that_were_typed_in_a_dialog(dialog: Any, words: list[str]) -> None:
    assert typed_answers(dialog) == words


PLAN = "# Rates\n\n1. Read\n2. Write"
ENTERED = call("EnterPlanMode", output="Entered plan mode.", source="enter")


def exit_plan(**fields: object) -> Any:
    return call("ExitPlanMode", **{"source": "exit", "body": PLAN, "position": 3, **fields})


@pytest.mark.parametrize(("entries", "expected"), [
    ([ENTERED], [("in plan mode: no plan shown yet", "being made", "")]),
    ([{**ENTERED, "ok": False}], []),
    ([ENTERED, call("Edit", path="/srv/a.py", source="edit")], []),
    ([ENTERED, call("Edit", path="/srv/a.py", ok=False)], [("in plan mode: no plan shown yet", "being made", "")]),
    ([ENTERED, exit_plan(ok=None)], [(PLAN, "waiting for approval", "")]),
    ([exit_plan(ok=None), typed("No, wait.")], [(PLAN, "not approved", "")]),
    ([exit_plan(ok=False, error="You are not in plan mode.")], []),  # nobody was asked
    ([exit_plan(ok=None), exit_plan(body="# Ra", ok=None, rejected=True, output=REJECTION_SILENT)],
     [(PLAN, "not approved", "")]),
    ([exit_plan(ok=None, rejected=True, output=REJECTION_WORDS + "Smaller"),
      typed("Smaller", source="exit", via="rejection"), exit_plan(source="second", body="# Small", ok=None)],
     [("# Small", "waiting for approval", "")]),
    ([exit_plan(ok=False, rejected=True, output=REJECTION_WORDS + "Yes, clear context (7% used) and auto-accept edits "
                "(shift+tab), but first write it down")], [(PLAN, "approved", "")]),
    ([exit_plan(ok=False, rejected=True, output=REJECTION_WORDS + "Yes, and manually approve edits")],
     [(PLAN, "approved", "")]),
    *(([exit_plan(ok=False, rejected=True, output=REJECTION_WORDS + words)], [(PLAN, "not approved", "")])
      for words in ("Yes, but smaller", "No. Yes, clear context and auto-accept edits is not what I want")),
    ([exit_plan(output="User has approved your plan.\n\nYour plan has been saved to: /home/ada/.claude/plans/a.md\nYou "
                       "can.\n\n## Approved Plan:\n# Rates\n\n3. Ship")],
     [("# Rates\n\n3. Ship", "approved", "/home/ada/.claude/plans/a.md")]),
    ([call("Write", path="/home/ada/.claude/plans/b.md", body=PLAN), exit_plan(body="", ok=None)],
     [(PLAN, "waiting for approval", "/home/ada/.claude/plans/b.md")]),
    ([exit_plan(body="")], [("the plan", "approved", "")]),
    ([exit_plan(body=""), entry(9, "plan", PLAN)], [(PLAN, "approved", "")]),
    ([exit_plan(body="x" * 40_000)], [("x" * 31_999 + "…", "approved", "")]),
])
def test_the_last_plan_and_whether_it_was_approved(
        entries: list[Any], expected: list[tuple[str, str, str]]) -> None:
    assert [(item["text"], item["status"], item["path"]) for item in merged(entries)] == expected
    again = merged(entries[1:], merged(entries[:1]))
    if entries[0]["tool"] != "Write":  # a draft is not kept between saves
        assert [(item["text"], item["status"], item["path"]) for item in again] == expected


def refused(tool: str = "Bash", output: str = REJECTION_SILENT, **fields: object) -> Any:
    return call(tool, ok=None, rejected=True, output=output, **fields)


@pytest.mark.parametrize(("entries", "expected"), [
    ([refused(command="git push")], ["$ git push"]),
    ([refused(output=REJECTION_SILENT + REJECTION_HINT, command="git push")], ["$ git push"]),
    ([refused(output=REJECTION_WORDS + "Not yet.", command="git push")], []),
    ([refused(command="git push"), call("Bash", command="git push")], []),
    ([refused(command="git push"), call("Bash", command="git push", ok=False)], ["$ git push"]),
    ([refused("Edit", path="/srv/a.py"), call("Edit", path="/srv/a.py")], ["Edit /srv/a.py"]),
    ([refused("ExitPlanMode", body=PLAN)], []),
    ([refused("WebFetch", input={"url": "https://rates.example/all", "prompt": "read"})],
     ["WebFetch: https://rates.example/all"]),
    ([call("Bash", command="git push")], []),
])
def test_a_refusal_in_silence_stands_until_the_same_call_ran(entries: list[Any], expected: list[str]) -> None:
    assert [item["text"] for item in merged(entries) if item["kind"] == "refusal"] == expected
    assert [item["text"] for item in merged(entries[1:], merged(entries[:1])) if item["kind"] == "refusal"] == expected


@pytest.mark.parametrize(("fields", "expected"), [
    ({"tool": "Bash", "command": "make " + 300 * "x"}, "$ make " + 192 * "x" + "…"),
    ({"tool": "ExitPlanMode", "body": PLAN}, "the plan: Rates"),
    ({"tool": "ExitPlanMode"}, "the plan"),
    ({"tool": "AskUserQuestion", "input": {"questions": [7]}}, "the question:"),
    ({"tool": "mcp__mail__send", "input": {}}, "mcp__mail__send"),
    ({"tool": "Agent", "input": {"description": "Read the rates", "prompt": "Read"}}, "Agent: Read the rates"),
])
def test_a_call_in_words(fields: Any, expected: str) -> None:
    assert call_in_words(call(**fields)) == expected


@pytest.mark.parametrize("odd", [
    None, 7, "x", {}, [7], [[]], [{}], [{"question": 7}], [{"question": "A?", "options": 7}],
    [{"question": "A?", "options": [7, {"label": 7}]}]])
def test_odd_questions(odd: object) -> None:
    for ok in (None, True, False):
        assert all(item["text"] == "A?" for item in merged([ask(input={"questions": odd}, ok=ok)]))


def test_secrets_do_not_stay() -> None:
    secret = "token=Tr0ub4dor+3horse9"
    question = [{"question": secret, "options": [{"label": secret}]}]
    calls = [ask(input={"questions": question}, ok=None), exit_plan(body=secret, ok=None), refused(command=secret),
             ask(input={"questions": question}, answers={secret: secret})]
    items = [list(Dialogs([]).items_of(call_entry)) for call_entry in calls]
    assert all(items)
    assert "Tr0ub4dor" not in str(items)


def test_it_ends_with_any_text() -> None:
    def read(text: str) -> None:
        merged([ask(output='"Which currency?"="' + text), ask(output=text, answers={"Which currency?": text}),
                ask(output=f'"Which currency?"="a" user notes: {text}', answers={"Which currency?": "a"}),
                ask(ok=None, rejected=True, output=CLARIFYING + "\n" + text), exit_plan(body=text, output=text),
                exit_plan(output=f"Your plan has been saved to: {text}"), refused(command=text, output=text)])
    check_it_ends(read)
