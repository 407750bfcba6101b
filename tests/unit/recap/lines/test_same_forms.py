"""Commands of one form share a line."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.same_forms import form_without_words, same_form_line, with_same_forms_joined
from compact_keeper.recap.wording.paths import Paths
from slow_texts import check_it_ends, ending


def run(text: str, **fields: Any) -> Any:
    return {"kind": "action", "tool": "Bash", "verdict": "ended", "result": "", "text": text, "uses": 1,
            "first": "2026-03-01T10:00:00Z", **fields}


def replies(*words: str) -> list[Any]:
    return [run(f'gh api repos/a/b/pulls/1/comments/{number}/replies -f body="{text}"')
            for number, text in enumerate(words)]


def test_hostile_commands_take_no_long_time() -> None:
    def read(text: str) -> None:
        form_without_words(text)
        joined = with_same_forms_joined([run(text)] * 3)
        for item in joined:
            if item.get("same"):
                same_form_line(item, Paths("/p", "/p"))
    check_it_ends(read)
    with ending():
        for fill in ('-f body="', "--a '", "--a 'word' ", "\\", 'a="\"'):
            read("a" + fill * (20_000 // len(fill)))


@pytest.mark.parametrize("command", [
    "", "ls", 'python3 -c "print(1 + 1)"', "ssh root@host 'systemctl status web'", 'curl -d "name=zone" http://a.org',
    'sh -c "make all"', 'psql --command "select 1234"', 'git grep "zones"', "echo 'long words'"])
def test_commands_without_words_of_an_option(command: str) -> None:
    assert form_without_words(command) == ""


@pytest.mark.parametrize("change", [{"verdict": "failed"}, {"commit": "abc1234"}, {"family": "test"}, {"tool": "x"}])
def test_only_plain_deeds_are_joined(change: dict[str, Any]) -> None:
    items: list[Any] = [{**item, **change} for item in replies("Fixed in a1", "Fixed in b2", "Fixed in c3")]
    assert with_same_forms_joined(items) == items


def test_three_of_a_form_share_a_line() -> None:
    items = replies("Fixed in abc", "Added a test", "Not a real issue: " + "the zones are read once " * 9)
    other = run("git fetch")
    newest = with_same_forms_joined([*items[:2], other, items[2]])
    assert [item["text"] for item in newest] == ["git fetch", items[2]["text"]]
    line = same_form_line(newest[1], Paths("/p", "/p"))
    assert line["text"] == (
        "- 3 runs like `gh api repos/a/b/pulls/1/comments/2/replies -f body=…`: “Not a real issue: the zones are read "
        "once the zones are read once the…”; “Added a test”; “Fixed in abc”")
    assert "the zones are read once the zones are read once the zones" in line["whole"]
    assert with_same_forms_joined(items[:2]) == items[:2]
    of_later_turn: Any = {**newest[1], "turn_began": "2026-03-01T10:30:00Z"}
    assert same_form_line(of_later_turn, Paths("/p", "/p"))["text"].startswith("- 3 runs in all like ")


def spoken(*words: str, tool: str = "mcp__voice__speak", **fields: Any) -> list[Any]:
    return [run(f"text: {text}, voice: harbour", tool=tool, result=f"Saved as /srv/out/{number}.mp3, voice: harbour",
                **fields) for number, text in enumerate(words)]


def test_calls_of_a_tool_that_had_the_same_answer_share_a_line() -> None:
    items = spoken("I begin.", "Half of it is done.", "The last zone is sorted.")
    joined = with_same_forms_joined([items[0], run("git fetch"), *items[1:]])
    assert [item["text"] for item in joined] == ["git fetch", items[2]["text"]]
    assert same_form_line(joined[1], Paths("/p", "/p"))["text"] == (
        "- 3 calls of mcp__voice__speak, the newest: text: The last zone is sorted., voice: harbour; before: text: "
        "Half of it is done., voice: harbour → Saved as /srv/out/2.mp3, voice: harbour")


@pytest.mark.parametrize("items", [
    spoken("a", "b"),  # too few
    spoken("a", "b", "c", verdict="failed"),
    spoken("a", "b", "c", tool="mcp__files__write_file"),  # each changed something
    spoken("a", "b", "c", made="a ticket"),
    spoken("a", "b", "c", tool="Edit"),
    [{**item, "result": f"{number} zones"} for number, item in enumerate(spoken("a", "b", "c"))],  # what was asked for
    [{**item, "result": "no zones"} for item in spoken("a", "b", "c")],
])
def test_calls_that_say_something_each_keep_their_lines(items: list[Any]) -> None:
    assert with_same_forms_joined(items) == items
