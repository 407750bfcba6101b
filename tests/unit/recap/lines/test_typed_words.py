"""The person's words: their rows stay rows, and what is laid out stays as it was typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.lines.answered_words import what_it_answers
from compact_keeper.recap.lines.rejections import rejected_line
from compact_keeper.recap.lines.typed_words import (
    ASSENTS_KEPT,
    is_laid_out,
    is_mere_assent,
    message_line,
    message_lines,
    with_pieces_joined,
    without_old_assents,
)
from compact_keeper.record.words.messages import without_pastes
from recaps import recap_of
from sessions import Session, snapshot_of, units

DRAWING = "Look at this drawing, please:\n\n  A --- B\n  |     |\n  C --- D\n\nWhich edge is missing?"


def text_of_messages(folder: Path, *messages: str) -> str:
    session = Session()
    for message in messages:
        session.typed(message)
        session.says("Looked at it.")
    return recap_of(snapshot_of(session, folder))[0]


def test_rows_of_a_message_are_told_from_each_other(tmp_path: Path) -> None:
    text = text_of_messages(tmp_path, "Do this:\n- read the zones\n\n- write   them", "Go on.\nAnd test it.")
    assert '"Do this: ⏎ - read the zones ⏎ - write them"' in text
    assert '"Go on. ⏎ And test it."' in text


def test_the_newest_message_keeps_its_drawing(tmp_path: Path) -> None:
    text = text_of_messages(tmp_path, "Hello.", DRAWING)
    assert "\n    A --- B\n    |     |\n    C --- D\n" in text
    assert "as it was typed" in text
    older = text_of_messages(tmp_path, DRAWING, "Go on.")
    assert "A --- B ⏎ | | ⏎ C --- D" in older
    assert "as it was typed" not in older


def test_of_words_around_rows_of_a_log_both_ends_stand_and_the_log_as_a_count() -> None:
    rows = "\n".join(f'INFO:     10.0.0.{row}:80 - "GET /zones HTTP/1.1" 403 Forbidden' for row in range(9))
    wish = " ".join(["you have to look at that, the lorries have their key since spring and should pass it,"] * 6)
    end = "\n".join(f"ERROR: {row} is gone" for row in range(9))
    for behind, shown_end in (("", wish[-60:]), (f"\n\n{end}", f"{wish[-60:]} ⏎ [9 pasted lines]"),
                              (f"\n\n{end}\n\nMend it in the gate, not in the lorry.", "not in the lorry.")):
        text = f"The gate stays shut:\n{rows} {wish}{behind}"
        shown = message_line(message(text, own=without_pastes(text, ()), last=""), lambda _: "before", (450, 0), False)
        assert shown["text"].startswith(f'- (before) "The gate stays shut: ⏎ [9 pasted lines] ⏎ {wish[:200]}')
        assert shown["text"].endswith(f'{shown_end}"')
        assert units(shown["text"]) < 520
        assert "10.0.0.0" in shown["whole"]


def test_several_empty_rows_of_what_is_laid_out_are_one(tmp_path: Path) -> None:
    text = text_of_messages(tmp_path, "Hello.", DRAWING.replace("\n\n", "\n \n\n\t\n"))
    assert text_of_messages(tmp_path, "Hello.", DRAWING) == text


@pytest.mark.parametrize(("words", "is_drawn"), [
    (DRAWING, True), ("def f(a):\n    return a\n\n    # none", True), ("a\n│ b\n╰ c", True),
    ("One row.", False), ("Do this:\n- a\n- b", False), ("", False), ("a   b", False), ("\n\n\n", False)])
def test_what_is_laid_out(words: str, is_drawn: bool) -> None:
    assert is_laid_out(words) is is_drawn


def test_an_order_that_was_typed_anew_with_more_stands_once(tmp_path: Path) -> None:
    order = "Read the zones of the north and write their rates."
    text = text_of_messages(tmp_path, order, f"{order} And test them.", "Go on.")
    assert text.count("Read the zones of the north") == 1
    assert "And test them." in text
    assert text_of_messages(tmp_path, "Go on.", "Go on. And test it.", "Yes.").count("Go on.") == 2


def with_pieces(*steps: str) -> Session:
    """A turn in which the person types these words while the agent works; what begins with a dash the agent says."""
    session = Session()
    session.typed("Merge our changes, by the workflow.")
    session.says("I begin.")
    for step in steps:
        if step.startswith("- "):
            session.says(step[2:])
        else:
            session.queued(step)
    return session


@pytest.mark.parametrize(("anew", "count"), [
    ("Now, with the registry's search: {order}", 1),
    ("{order} And keep the old names.", 1),
    ("Read the zones of the south, and write nothing before I have seen the table of the rates of the islands.", 2)])
def test_a_long_order_that_was_mended_and_typed_anew_stands_once(tmp_path: Path, anew: str, count: int) -> None:
    order = ("Read the zones of the north and write their rates into the table of the islands, then compare them with "
             "those that the harbour had last year, and tell me which differ.")
    text = text_of_messages(tmp_path, order, anew.format(order=order), "Go on.")
    assert text.count("Read the zones of the") == count


def test_words_typed_in_pieces_stand_in_their_order(tmp_path: Path) -> None:
    session = with_pieces("changelog", "with what the zones brought", "- I write.", "And the docs?", "- Done.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert 'while the agent worked) "changelog", then "with what the zones brought"\n' in text
    assert 'while the agent worked) "And the docs?"\n' in text


@pytest.mark.parametrize(("steps", "is_joined"), [
    (("changelog", "with zones"), True), (("changelog", "- Yes.", "with zones"), False),
    (("changelog", "w" * 500), False)])
def test_which_words_are_pieces_of_a_message(tmp_path: Path, steps: tuple[str, ...], is_joined: bool) -> None:
    text = recap_of(snapshot_of(with_pieces(*steps, "- Done."), tmp_path))[0]
    assert ('"changelog", then "' in text) is is_joined


def test_words_typed_long_after_others_are_none_of_their_pieces(tmp_path: Path) -> None:
    session = with_pieces("changelog")
    session.first = 60
    session.queued("with zones")
    assert '"changelog", then' not in recap_of(snapshot_of(session, tmp_path))[0]


@pytest.mark.parametrize(("quoted", "is_put_back"), [((0,), True), ((1,), True), ((0, 1), False)])
def test_pieces_of_which_the_summary_lacks_any_are_put_back(
        tmp_path: Path, quoted: tuple[int, ...], is_put_back: bool) -> None:
    pieces = ("please write the changelog first, before you go on with anything else in here",
              "with all of what the zones of the north brought, and of what they took from the south")
    snapshot = snapshot_of(with_pieces(*pieces, "- Yes.", "Go on."), tmp_path)
    snapshot["summary"] = " ".join(pieces[number] for number in quoted)
    assert (", then " in recap_of(snapshot)[0]) is is_put_back


def end_of(session: Session, folder: Path) -> str:
    """The section of where the session ended."""
    return recap_of(snapshot_of(session, folder))[0].partition("## Where it ended\n")[2].partition("\n\n")[0]


def test_a_question_that_had_its_answer_in_passing_stands_behind_the_order(tmp_path: Path) -> None:
    session = with_pieces("do we have uv there?", "- You asked about uv: it is covered.", "- All checks passed.")
    order, question, words, last = end_of(session, tmp_path).splitlines()
    assert order.startswith("- The agent's turn had begun with: (")
    assert question.startswith("- The user's newest message: (")
    assert question.endswith('"do we have uv there?" (the agent said next: "You asked about uv: it is covered.")')
    assert (words, last) == ("- The agent's last words:", "  All checks passed.")


def test_the_agent_s_last_words_are_not_said_twice(tmp_path: Path) -> None:
    end = end_of(with_pieces("do we have uv there?", "- Yes, it is covered."), tmp_path)
    assert "said next" not in end
    assert end.index("had begun with") < end.index("newest message") < end.index("last words")


def test_a_question_without_an_answer_stands_first(tmp_path: Path) -> None:
    end = end_of(with_pieces("- All checks passed.", "do we have uv there?"), tmp_path)
    assert end.startswith("- The user's newest message, no words of the agent follow it: (")
    assert end.index("last words") < end.index("had begun with")


def message(text: str, **fields: Any) -> Any:
    return {"kind": "message", "text": text, "position": 0, **fields}


@pytest.mark.parametrize(("item", "is_assent"), [
    (message("yes"), True), (message("Yes, please do it!"), True), (message("OK. Go on."), True),
    (message("weiter"), True), (message("好的"), True), (message("continue", via="interrupt"), True),
    (message("no"), False), (message("yes, but never push"), False), (message("ok, the second"), False),
    (message(""), False), (message("…"), False), (message("please go on with the zones"), False),
    (message("yes yes yes yes yes"), False),
    (message("yes", refused="$ rm -rf zones"), False), (message("ok", picks="1. Sort by size"), False),
    ({"kind": "answer", "text": "yes"}, False), ({"kind": "refusal", "text": "yes"}, False)])
def test_a_mere_assent(item: Any, is_assent: bool) -> None:
    assert is_mere_assent(item) == is_assent


def test_mere_assents_stand_among_the_newest_lines_alone() -> None:
    assent, order = message("yes"), message("Sort the zones.")
    lines: list[Any] = [{"items": items, "text": ""} for items in (
        [assent], [order], [assent], [assent], [order], [assent, order], [assent, assent])]
    kept = without_old_assents(lines, [])
    assert kept[:ASSENTS_KEPT] == lines[:ASSENTS_KEPT]
    assert kept[ASSENTS_KEPT:] == [lines[4], lines[5]]


def test_a_message_that_had_room_at_last_is_not_told_a_second_time(tmp_path: Path) -> None:
    names = [f"{first}{second}" for first in "abcdefgh" for second in "klmnopq"]
    messages = [" ".join(f"{name}{number} goes to quay {name}." for number in range(9)) for name in names]
    text = text_of_messages(tmp_path, *messages, "Go on.")
    typed = [line for line in text.splitlines() if line.startswith("- Typed (")]
    assert "[" not in "".join(typed)
    for line in typed:
        assert text.count(line.partition(": ")[2].strip('"')) == 1, line


@pytest.mark.parametrize(("words", "behind"), [
    ("Put the dogs into README.md, too. Never mention prices there.",
     ', behind "Put the dogs into README.md, too."'),
    ("Put the dogs into README.md. Never put prices in it.", ', behind "Put the dogs into README.md."'),
    ("Never mention prices there.", ""), ("Read it. Never say that there is a price.", ""),
    ("Read it. Never mention prices.", "")])
def test_a_rule_that_points_back_stands_with_the_sentence_before(tmp_path: Path, words: str, behind: str) -> None:
    [line] = [line for line in text_of_messages(tmp_path, words, "Go on.").splitlines() if line.endswith(")")
              and line.startswith('- "Never ')]
    assert line.endswith(f" (typed just before{behind})")


LONG = "The pier has four berths, and each of them its own hours. "


@pytest.mark.parametrize(("words", "shown"), [
    ("Read it. Never mention prices.", '"Never mention prices."'),
    ("- Never mention prices. Read it.", '"Never mention prices."'),
    ("- Data. Never mention prices. Never round them.", '"Data. Never mention prices. Never round them."'),
    ("- **Prices:** never mention them", '"**Prices:** never mention them"'),
    ("Read it.\n- Data of the pier. Never mention prices.", '"Data of the pier. Never mention prices."'),
    ("2) Data of the pier. Never mention prices. Read it.", '"Data of the pier. Never mention prices. Read it."'),
    (f"- {LONG * 9}Never mention prices.", f'"Never mention prices." (typed just before, behind "{LONG.strip()}")'),
])
def test_a_rule_within_a_list_s_member_stands_with_the_whole_of_it(tmp_path: Path, words: str, shown: str) -> None:
    rules = text_of_messages(tmp_path, words, "Go on.").partition("## Standing rules")[2].partition("\n\n")[0]
    assert f"\n- {shown}" in rules
    assert rules.count("\n- ") == 1


@pytest.mark.parametrize(("words", "step", "stays"), [
    ("commit", {"kind": "action", "commit": "8c1d0e2"}, False),
    ("Yes, commit it!", {"kind": "action", "commit": "8c1d0e2"}, False),
    ("commit", {"kind": "action"}, True), ("commit", message("Sort the zones."), True),
    ("commit and push", {"kind": "action", "commit": "8c1d0e2"}, True),
    ("commit it as v2", {"kind": "action", "commit": "8c1d0e2"}, True),
])
def test_an_old_order_to_commit_that_was_obeyed_is_left_out(words: str, step: Any, stays: bool) -> None:
    order, answered = message(words, position=5, answers="Ready to commit?"), [message("Sort the zones.")] * 9
    lines: list[Any] = [{"items": [item], "text": ""} for item in (*answered, order)]
    later: Any = [order, {"position": 6, **step}, message("Go on", position=7)]
    assert without_old_assents(lines, later) == (lines if stays else lines[:-1])


def test_an_assent_to_a_question_stays() -> None:
    assent, orders = message("yes", answers="The tag stands. **May I push it?**"), [message("Sort the zones.")] * 9
    lines: list[Any] = [{"items": [item], "text": ""} for item in (*orders, assent, message("yes", answers="Done."))]
    assert without_old_assents(lines, []) == lines[:-1]


def test_what_old_messages_answer_stands_where_room_is_left(tmp_path: Path) -> None:
    session = Session()
    session.typed("Look at the fares.")
    session.says("Ten adults cost 14500.\n\nDoes the discount count from ten adults or from ten persons?")
    session.typed("ten persons, children count too, because the ferry counts heads")
    session.says("Round it up?")
    session.typed("only the fares")
    session.says("The tag stands. May I push it?")
    session.typed("yes")
    for number in range(9):
        session.says("It is done.")
        session.typed(f"Write the timetable of the pier with the number {number}, for the winter as for the summer.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert '"yes" (after the agent\'s "The tag stands. May I push it?")' in text
    assert '(to the agent\'s "Does the discount count from ten adults or from ten persons?")' in text
    assert '"only the fares" (after the agent\'s "Round it up?")' in text


DATABASE = "The server is up. Which database should the export use, Postgres or SQLite?"


@pytest.mark.parametrize(("words", "before", "question"), [
    ("Fine. Commit it on a branch of its own, and do not push anything.", DATABASE, ""),  # it may take note only
    ("Norden first. Commit it on a branch of its own, and push nothing.", DATABASE, ""),
    ("No, not round(): the ledger rounds half up. Use Decimal for the zones.", DATABASE, ""),
    ("Rather not. Commit it on a branch of its own, and do not push.", "The server is up on 8765.", ""),
    ("Rather not. Commit it on a branch of its own, and do not push.", DATABASE, DATABASE[18:]),
    ("No! Commit it on a branch of its own, and do not push, please.", DATABASE, DATABASE[18:]),
    ("Not yet, thanks. Is the table of the north whole, and that of the south?", DATABASE, DATABASE[18:]),
    ("Lieber nicht. Schreib die Zonen in die Tabelle des Nordens, und sonst nichts.", DATABASE, DATABASE[18:])])
def test_the_question_that_a_longer_message_answers_by_its_first_sentence(
        words: str, before: str, question: str) -> None:
    item = message(words, answers=before, via="prompt")
    assert what_it_answers(item, False, 220) == (f' (to the agent\'s "{question}")' if question else "")


@pytest.mark.parametrize(("is_newest", "most", "shown"), [
    (False, 0, ""), (True, 0, ""),
    (False, 130, ' (to the agent\'s "…in the order in which the conductors wrote them?")'),
    (True, 60, ' (after the agent\'s "…in the order in which the conductors wrote them?")')])
def test_what_a_message_answers_is_known_whole_and_cut_once(is_newest: bool, most: int, shown: str) -> None:
    question = f"Shall the harbour be first, {'then the pier, ' * 12}in the order in which the conductors wrote them?"
    item = message("Only the harbour, as guests ask for it at the counter every day.", answers=question, via="prompt")
    said = what_it_answers(item, is_newest, most)
    assert (said.partition("…")[0], said[-50:]) == (shown.partition("…")[0], shown[-50:])




@pytest.mark.parametrize(("reply", "has_headings"), [
    ("lets try it!", True), ("do it", True), ("先画北方的区域" * 10, False),
    ("Draw the zones of the north first, please", False)])
def test_few_words_stand_behind_the_headings_of_what_they_answer(reply: str, has_headings: bool) -> None:
    pitch = f"## History\nNone.\n\n## Level 2: the harbour\n{'A pier. ' * 200}\n\n## Open forks\n\nShall I begin?"
    said: Any = {**message(pitch), "kind": "said", "position": 1}
    answer: Any = {**message(reply, via="prompt", answers=f"… {pitch[-600:]}"), "position": 2, "last": ""}
    newest: Any = {**message("And now the tests, please"), "position": 3, "last": ""}
    room: Any = {"newest": 400, "answered_by_newest": 400, "earlier": 200, "answered": 100}
    text = "".join(line["text"] for line in message_lines([said, answer, newest], lambda _: "", room))
    assert ('"## Level 2: the harbour ## Open forks …' in text) is has_headings


def test_behind_few_words_stands_what_the_ide_had_open(tmp_path: Path) -> None:
    session = Session()
    note = "<ide_opened_file>The user opened the file {} in the IDE. It may not be related.</ide_opened_file>"
    for path, words in (("/srv/old.md", "Look at it"), ("/srv/order.md", "Carry it out")):
        session.user([{"type": "text", "text": note.format(path)}, {"type": "text", "text": words}])
        session.says("I look.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    [newest] = [line for line in text.splitlines() if "newest message" in line]
    assert '"Carry it out"' in newest
    assert newest.endswith(" (the IDE had /srv/order.md open)")
    assert "/srv/old.md" not in text, "what older words were about is done"


@pytest.mark.parametrize(("typed_at", "begin"), [
    ("2026-03-01T09:59:58Z", "Rejected: `make` (the user had just typed:"),  # it waited in the queue
    ("2026-03-01T10:00:30Z", "Rejected: `make` (the user typed next:"),
    ("2026-03-01T10:04:50Z", "Rejected: `make` (the user typed next:"),
    ("2026-03-01T09:50:00Z", "Rejected without words: `make`"),
    ("2026-03-01T10:09:00Z", "Rejected without words: `make`")])
def test_words_that_came_with_a_rejection(typed_at: str, begin: str) -> None:
    refusal: Any = {**message("`make`"), "kind": "refusal", "last": "2026-03-01T10:00:00Z"}
    later: Any = {**message("Start from the last checkpoint"), "typed_at": typed_at}
    assert rejected_line(refusal, [later], [], lambda _: "just before")["text"].startswith(f"- (just before) {begin}")
    waited: Any = {**message("And the docs"), "typed_at": "2026-03-01T09:58:00Z"}
    assert rejected_line(refusal, [waited, later], [], lambda _: "")["text"] == rejected_line(
        refusal, [later], [], lambda _: "")["text"], "what was typed minutes before is passed over"


@pytest.mark.parametrize(("steps", "is_answer"), [
    (["prompt", "action"], False),
    (["prompt", "refusal"], False),  # of what the agent began with
    (["interrupt", "look"], False),
    (["prompt"], True),  # typed in pieces
    (["action"], True),
    (["queue", "action"], True),  # typed while the agent worked: no answer
    (["prompt", "action", "said"], True),
])
@pytest.mark.parametrize("has_words", [True, False])  # of the agent, which are kept for less long
def test_a_question_that_had_its_answer_is_answered_by_no_later_message(
        steps: list[str], is_answer: bool, has_words: bool) -> None:
    items: list[Any] = [{**message(DATABASE), "kind": "said", "position": 1}]
    for position, step in enumerate(steps, 2):
        kind = {"kind": step} if step in ("action", "look", "refusal", "said") else {"via": step}
        items.append({**message(f"Step {position}"), "last": "", "position": position, **kind})
    items.append(message("I misclicked, oops!", via="prompt", answers=DATABASE, last="", position=9))
    items = items if has_words else items[1:]
    room: Any = {"newest": 400, "answered_by_newest": 400, "earlier": 200, "answered": 200}
    [newest, *_] = message_lines(items, lambda _: "", room)
    assert (DATABASE in newest["text"]) == (is_answer or not has_words)


@pytest.mark.parametrize(("seconds", "is_behind"), [(40, True), (299, True), (301, False)])
def test_a_call_that_was_rejected_long_before_a_message_stands_alone(seconds: int, is_behind: bool) -> None:
    refusal: Any = {**message("$ make"), "kind": "refusal", "last": "2026-03-01T10:00:00Z", "position": 1}
    later: Any = {**message("I meant yes", via="prompt", follows="$ make"), "position": 2,
                  "last": f"2026-03-01T10:0{seconds // 60}:{seconds % 60:02}Z"}
    room: Any = {"newest": 400, "answered_by_newest": 400, "earlier": 200, "answered": 200}
    text = "\n".join(line["text"] for line in message_lines([refusal, later], lambda _: "", room))
    assert ("(after rejecting `make`)" in text, "Rejected without words: $ make" in text) == (is_behind, not is_behind)


URL = "https://zones.example/rates"


@pytest.mark.parametrize(("call", "steps", "behind"), [
    ("$ make zones", [("Bash", "make zones", "ended")], " (done later)"),
    ("$ make zones", [("Bash", "make zones", "passed")], " (done later)"),
    ("$ make zones", [("Bash", "make zones && make tariffs", "ended")], " (done later)"),
    ("$ make a b", [("Bash", "make a\nb", "ended")], " (done later)"),
    ("$ make zones", [("Bash", "make zones", "failed")], ""),
    ("$ make zones", [("Bash", "make zones", "running")], ""),
    ("$ make zones", [("Bash", "make zones2", "ended")], ""),
    ("$ make zones", [("Bash", "cd web && make zones", "ended")], " (later ran: `cd web && make zones`)"),
    ("$ make zones", [("Bash", "make tariffs && make zones", "ended")], ""),
    ("$ git push", [("Bash", "git push --dry-run", "ended")], " (later ran: `git push --dry-run`)"),
    ("$ git push", [("Bash", "git push || true", "ended")], " (later ran: `git push || true`)"),
    ("$ make zones…", [("Bash", "make zones", "ended")], ""),  # it may have gone on otherwise
    ("$ make zones", [("mcp__shell__run", "make zones", "ended")], ""),
    (f"WebFetch: {URL}", [("WebFetch", f"url: {URL}, prompt: Read it", "ended")], " (done later)"),
    (f"WebFetch: {URL}", [("WebFetch", f"url: {URL}", "ended")], " (done later)"),
    (f"WebFetch: {URL}", [("WebFetch", f"url: {URL}/2, prompt: Read it", "ended")], ""),
    (f"WebFetch: {URL}", [("WebFetch", f"url: {URL}, prompt: Read it", "failed")], ""),
    ("Write /srv/a.py", [("Write", "/srv/a.py", "ended")], ""),  # it may be another text
    ("WebSearch: zones", [("WebSearch", "query: zones", "ended")], ""),
])
def test_that_a_rejected_call_was_made_later_stands_behind_it(
        call: str, steps: list[tuple[str, str, str]], behind: str) -> None:
    time = "2026-03-01T10:00:00Z"
    refusal: Any = {**message(call), "kind": "refusal", "last": time, "position": 3}
    reply: Any = {**message("no", via="prompt", follows=call), "last": time, "position": 4}
    with_words: Any = {**message("no", via="rejection", refused=call), "last": time, "position": 3}
    made: list[Any] = [{**message(text), "kind": "action", "tool": tool, "verdict": verdict, "position": 5}
                       for tool, text, verdict in steps]
    room: Any = {"newest": 400, "answered_by_newest": 400, "earlier": 200, "answered": 200}
    for items in ([refusal], [refusal, reply], [with_words]):
        [line] = message_lines([*items, *made], lambda _: "", room)
        assert [word in line["text"] for word in ("(done later)", "(later ran:")] == [
            word in behind for word in ("(done later)", "(later ran:")]
        assert behind in line["text"]
        before: list[Any] = [{**item, "position": 2} for item in made]
        [line] = message_lines([*before, *items], lambda _: "", room)
        assert "later" not in line["text"], "it ran before"


@pytest.mark.parametrize(("seconds", "words", "between", "is_joined"), [
    (61, "that is the other harbour", [], True), (130, "that is the other harbour", [], False),
    (61, "w" * 300, [], False), (61, "that is the other harbour", ["said"], True),
    (61, "that is the other harbour", ["said", "look"], False)])
def test_the_words_behind_an_interruption_stand_with_it(
        seconds: int, words: str, between: list[str], is_joined: bool) -> None:
    stop: Any = {**message("wait, stop", via="interrupt"), "position": 1, "last": "2026-03-01T10:00:00Z"}
    why: Any = {**message(words, via="prompt"), "position": 3,
                "last": f"2026-03-01T10:0{seconds // 60}:{seconds % 60:02}Z"}
    steps: list[Any] = [{**message("I stop."), "kind": kind, "position": 2} for kind in between]
    lines: list[Any] = [{"items": [item], "text": f'- "{item["text"]}"'} for item in (why, stop)]
    joined = with_pieces_joined(lines, [stop, *steps, why])
    assert [line["text"] for line in joined] == (
        [f'- "wait, stop", then "{words}"'] if is_joined else [line["text"] for line in lines])


def test_a_message_behind_a_rejected_call_is_told_with_it(tmp_path: Path) -> None:
    session = Session()
    session.says("I build it.")
    session.rejected("Bash", command="make all")
    session.typed("I meant yes")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert '"I meant yes" (after rejecting `make all`)' in text
    assert "Rejected without words" not in text, "it stands behind the message"
    session.says("Built.")
    session.rejected("Write", file_path="/srv/zones.md", content="x")
    session.typed("Now write the tests for the rates of the north and of the south.")
    session.typed("Go on.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert text.count("(after rejecting ") == 1, "longer words are understood alone"
    assert 'Rejected: Write /srv/zones.md (the user typed next: "Now write the tests for' in text
