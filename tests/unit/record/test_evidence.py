"""Lines that careful readers chose, from the items of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compact_keeper.record.evidence import (
    agent_lines,
    definitions,
    evidence_by_name,
    expected_and_actual_lines,
    hits_by_name,
    import_aliases,
    left_running,
    made_outside_tree,
    no_matches,
    offers,
    runner_commands,
    uncovered_hits,
)
from compact_keeper.types import Record
from slow_texts import ending

HITS = ["src/a.py:3: rate = load_rates(day)", "src/b.py:7: return load_rates(day)", "src/c.py:9: load_rates(None)",
        "tests/test_a.py:5: load_rates(1)", "src/d.py:1: # load_rates is slow", "src/e.py:2: def load_rates(day):"]


def session(*items: Record) -> list[Record]:
    """Items in their order."""
    return [{"position": place, **item} for place, item in enumerate(items, 1)]


def search(pattern: str = "load_rates", hits: Sequence[str] = HITS, **more: Any) -> Record:
    return {"kind": "look", "tool": "Grep", "text": pattern, "path": "", "result": "", "hits": [*hits], **more}


def edit(path: str, change: str) -> Record:
    return {"kind": "action", "tool": "Edit", "text": path, "path": path, "edits": 1, "change": change}


def run(command: str, **more: Any) -> Record:
    return {"kind": "action", "tool": "Bash", "text": command, "path": "", "result": "", "verdict": "ended", **more}


def said(text: str, **more: Any) -> Record:
    return {"kind": "said", "text": text, **more}


def typed(text: str, **more: Any) -> Record:
    return {"kind": "message", "text": text, "answers": "", **more}


def texts(lines: Sequence[Record]) -> list[str]:
    return [line["text"] for line in lines]


CHANGED = "- rate = load_rates(day)\n+ rate = load_rates(day, zone)"


@pytest.mark.parametrize(("items", "told"), [
    # a sweep over two files: the third is left
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)],
     ["`load_rates`: edited in src/a.py, src/b.py; not in src/c.py:9 `load_rates(None)`"]),
    # the definition itself changed: every other caller is left
    ([search(), edit("/home/ada/src/e.py", "- def load_rates(day):\n+ def load_rates(day, zone):")],
     ["`load_rates`: edited in src/e.py; not in src/a.py:3 `rate = load_rates(day)`; src/b.py:7 `return"
      " load_rates(day)`; src/c.py:9 `load_rates(None)`"]),
    # later work on the rest, by an edit, by a command
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), edit("src/c.py", "+ x")], []),
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), run("sed -i s/x/y/ src/c.py")], []),
    # no sweep: a single place, lines that only use the name, edits before the search, another name
    ([search(), edit("src/a.py", CHANGED)], []),
    ([search(), edit("src/a.py", "+ load_rates(1)"), edit("src/b.py", "+ load_rates(2)")], []),
    ([edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), search()], []),
    ([search("rates"), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)], []),
    ([search(hits=[f"src/f{number}.py:1: load_rates()" for number in range(30)] + HITS[:2]),
      edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)], []),  # it stands everywhere
    # the name is gone: what tests still hold counts
    ([search(hits=[HITS[0], HITS[3], HITS[5]]), edit("src/e.py", "- def load_rates(day):\n+ def read_rates(day):"),
      edit("src/a.py", "- load_rates(day)\n+ read_rates(day)")],
     ["`load_rates`: edited in src/e.py, src/a.py; not in tests/test_a.py:5 `load_rates(1)`"]),
    ([search(hits=[])], []),
    ([], []),
])
def test_hits_that_a_sweep_left_out(items: list[Record], told: list[str]) -> None:
    assert texts(uncovered_hits(session(*items))) == told


@pytest.mark.parametrize(("items", "told"), [
    ([run("true")] * 9 + [search("drop_rates", [], result="No matches found", path="src")],
     ["No matches for `drop_rates` in src"]),
    ([run("true")] * 9 + [search("drop_rates", [], result="No matches found"), search("drop_rates|x")], []),
    ([search("drop_rates", [], result="No matches found")] + [run("true")] * 9, []),  # long ago
    ([run("true")] * 9 + [search("drop_rates", [], result="")], []),  # its result is not known
])
def test_searches_that_hit_nothing(items: list[Record], told: list[str]) -> None:
    assert texts(no_matches(session(*items))) == told


def test_hits_of_the_next_steps_names() -> None:
    items = session(search())
    lines = hits_by_name(items, ["load_rates", "src/a.py"])
    assert texts(lines) == ["src/a.py:3 `rate = load_rates(day)`", "src/b.py:7 `return load_rates(day)`",
                            "src/c.py:9 `load_rates(None)`"]
    assert lines[0]["names"] == ["load_rates"]
    assert texts(hits_by_name(items, ["rates.load_rates"], "seen: a.py:3 and b.py:7"))[0].startswith("src/c.py:9")
    assert hits_by_name(items, ["os.load_rates", "rates", "a.py"]) == []
    only_tests = session(search(hits=[HITS[3]]))
    assert hits_by_name(only_tests, ["load_rates"]) == []
    assert len(hits_by_name(only_tests, ["load_rates", "test_a.py"])) == 1


def test_a_name_that_stands_everywhere_points_nowhere() -> None:
    items = session(search(hits=[f"src/f{number}.py:1: load_rates()" for number in range(9)]))
    assert hits_by_name(items, ["load_rates"]) == []


@pytest.mark.parametrize(("code", "name"), [
    ("def load_rates(day):", "load_rates"), ("async def load_rates():", "load_rates"),
    ("func (t *Table) loadRates(day int) {", "loadRates"), ("pub(crate) fn load_rates<T>() {", "load_rates"),
    ("export default async function loadRates() {", "loadRates"), ("export const loadRates = () => {", "loadRates"),
    ("const MAX_RATES = 3;", "MAX_RATES"), ("public final class RateTable {", "RateTable"),
    ("export interface RateTable {", "RateTable"), ("type RateTable struct {", "RateTable"),
    ("CREATE TABLE IF NOT EXISTS rate_table (", "rate_table"), ("message RateTable {", "RateTable"),
    ("const rateTable = load();", ""), ("return load_rates()", ""), ("# def load_rates", ""),
])
def test_definitions(code: str, name: str) -> None:
    wanted = ["load_rates", "loadRates", "RateTable", "rateTable", "MAX_RATES", "rate_table"]
    told = texts(definitions(session(search(hits=[f"src/a.py:3: {code}"])), wanted, ""))
    assert told == ([f"src/a.py:3 {name}"] if name else [])


def test_definitions_of_the_next_step_come_first() -> None:
    items = session(search(hits=["a.py:1: def load_rates():", "b.py:2: def drop_rates():", "c.py:3: def sum_rates():"]))
    assert texts(definitions(items, ["drop_rates"], "mend load_rates")) == ["b.py:2 drop_rates", "a.py:1 load_rates"]


def test_aliases_that_edits_use() -> None:
    read = {"kind": "look", "tool": "Read", "text": "src/a.go", "path": "src/a.go", "evidence": ["cfg is app/config"]}
    items = session(read, edit("src/a.go", "+ x := cfg.Load()"),
                    edit("src/b.py", "+ import rates_core as rc\n+ y = rc.z"))
    assert texts(import_aliases(items)) == ["src/b.py: rc is rates_core", "src/a.go: cfg is app/config"]
    assert import_aliases(session(read, edit("src/a.go", "- x := cfg.Load()"))) == []


def test_runners_and_what_was_made() -> None:
    items = session(run("mise run t", evidence=["[t] $ pytest -q"]), run("mise run t", evidence=["[t] $ pytest"]),
                    run("gh pr create", evidence=["gh pr create → https://example.org/pull/7"]),
                    run("x", made="create_issue: title A → ABC-1"))
    assert texts(runner_commands(items)) == ["[t] $ pytest"]
    assert texts(made_outside_tree(items)) == [
        "create_issue: title A → ABC-1", "gh pr create → https://example.org/pull/7"]


@pytest.mark.parametrize(("words", "reply", "told"), [
    ("Done.\nWould you like me to drop `old_table`?", "hm, what is in it?",
     ["offered then: Done. Would you like me to drop `old_table`? — the user typed next: “hm, what is in it?”"]),
    ("Would you like me to drop `old_table`?", "yes, do", []),
    ("Would you like me to drop `old_table`?", "Ok. And then the other", []),
    ("Would you like me to drop `old_table`?", "oh, yes", []),
    ("Would you like me to drop `old_table`?", "A new table first", [
        "offered then: Would you like me to drop `old_table`? — the user typed next: “A new table first”"]),
    ("A) keep `old_table`\nB) drop it\nWhich one?", "b", []),
    ("A) keep `old_table`\nB) drop it\nWhich one?", "yes", [
        "offered then: Which one? [A) keep `old_table` / B) drop it] — the user typed next: “yes”"]),
        # it names neither
    ("All of `old_table` is done.", "hm", []),
    ("`old_table` is gone. Would you like anything else?", "hm", []),
    ("```\nWant me to drop `old_table`?\n```\nDone.", "hm", []),
])
def test_offers_that_nobody_took_up(words: str, reply: str, told: list[str]) -> None:
    assert texts(offers(session(said(words), typed(reply)))) == told


def test_offers_made_again_are_told_once_and_those_taken_up_at_last_not_at_all() -> None:
    first, second = said("Want me to drop `old_table`?"), said("I can drop `old_table` now. Want me to do so?")
    lines = offers(session(first, typed("why?"), second, typed("not yet")))
    assert len(lines) == 1
    assert "“not yet”" in lines[0]["text"]
    assert "“why?”" in lines[0]["text"]
    assert offers(session(first, typed("why?"), second, typed("yes"))) == []
    assert offers(session(first, typed("why?"), edit("a.sql", "- old_table\n+ new_table"))) == []


@pytest.mark.parametrize("text", [  # mostly settled in the agent's next words
    "I'm not sure that `load_rates` closes it.", "Wait, `load_rates` never closes it.",
    "`load_rates` is wrong about zones."])
def test_the_agents_doubts_are_no_evidence(text: str) -> None:
    assert agent_lines(session(said("x"), said(f"Done.\n{text}\nBye.")), "load_rates was written") == []


@pytest.mark.parametrize(("text", "rule"), [
    ("`load_rates` → `read_rates`", "agent arrow"), ("| `load_rates` | once a day |", "agent row"),
    ("**No caching** in `load_rates`", "agent nothing"),
])
def test_the_agents_sentences_about_what_the_summary_names(text: str, rule: str) -> None:
    lines = agent_lines(session(said("x"), said(f"Done.\n{text}\nBye.")), "load_rates was written")
    assert [(line["rule"], line["text"]) for line in lines] == [(rule, text)]
    kept = said("", evidence=[f"{rule.partition(' ')[2]}: {text}"])
    assert texts(agent_lines(session(kept), "load_rates was written")) == [text]
    assert agent_lines(session(said(text, evidence=[])), "load_rates was written") == []
    assert agent_lines(session(said(text)), "drop_rates was written") == []
    assert agent_lines(session(said(text), *[run("true")] * 9), "load_rates was written") == []  # long ago
    assert agent_lines(session(said("Wait, let me check `load_rates`.")), "load_rates was written") == []


def test_what_failing_tests_expected_until_a_run_passes() -> None:
    failed = run("pytest", family="test", verdict="failed", evidence=["test_a: expected 4, got 3", "[t] $ pytest"])
    other = run("pytest", family="test", verdict="failed",
                evidence=["test_b: assert 1 == 2", "test_a: expected 9, got 8"])
    passed = run("pytest", family="test", verdict="passed")
    assert texts(expected_and_actual_lines(session(failed, other))) == [
        "test_b: assert 1 == 2", "test_a: expected 9, got 8"]
    assert texts(expected_and_actual_lines(session(failed, passed, other)))[0] == "test_b: assert 1 == 2"
    assert expected_and_actual_lines(session(failed, passed)) == []


@pytest.mark.parametrize(("commands", "told"), [
    (["node tools/serve.js &"], ["put into the background by a shell: `node tools/serve.js &`"]),
    (["cd a && node tools/serve.js > /tmp/log 2>&1 & sleep 3"],
     ["put into the background by a shell: `node tools/serve.js &`"]),
    (["node tools/serve.js &", "pkill -f serve.js"], []),
    (["pkill -f serve.js", "node tools/serve.js &"], ["put into the background by a shell: `node tools/serve.js &`"]),
    (["make a && make b", "x 2>&1", "curl 'a?b=1&c=2'", "echo a &> b"], []),
])
def test_what_a_shell_left_running(commands: list[str], told: list[str]) -> None:
    assert texts(left_running(session(*map(run, commands)))) == told


def test_results_with_a_name_of_the_next_step_the_rarest_first() -> None:
    items = session(run("git log", evidence=["4be2a91 Read load_rates once", "4be2a91 again", "abc12de Merge 4be2a91"]),
                    run("pytest", family="test", evidence=["load_rates: expected 4, got 3"]),
                    run("mise t", evidence=["[t] $ load_rates"]))
    lines = evidence_by_name(items, ["4be2a91", "load_rates", "session"], "")
    assert texts(lines) == ["4be2a91 Read load_rates once", "4be2a91 again"]
    assert lines[0]["names"] == ["4be2a91", "load_rates"]
    assert evidence_by_name(items, ["4be2a91"], "4be2a91 Read load_rates once; 4be2a91 again") == []


RULES: tuple[Callable[[list[Record]], list[Record]], ...] = (
    uncovered_hits, no_matches, lambda items: hits_by_name(items, ["load_rates"]), import_aliases, runner_commands,
    lambda items: definitions(items, ["load_rates"], "load_rates"), made_outside_tree, offers, left_running,
    lambda items: agent_lines(items, "load_rates"), expected_and_actual_lines,
    lambda items: evidence_by_name(items, ["load_rates"], ""))


@pytest.mark.parametrize("text", ["a:" * 4_000, "load_rates " * 800, "& " * 4_000, "`" * 8_000, "- " * 4_000,
                                  "(" * 8_000, "import " * 1_000, "want me to? " * 700, "A) " * 2_600,
                                  "def " * 2_000, "\0\ud800"])
def test_hostile_items_take_no_long_time(text: str) -> None:
    items = session(*[search(text, [text[:160]] * 40), edit("src/a.py", text), run(text, evidence=[text[:200]] * 6),
                      said(text), typed(text)] * 40)
    with ending():
        for rule in RULES:
            assert all(len(line["text"]) < 1_500 for line in rule(items))


@pytest.mark.parametrize("rule", RULES)
def test_nothing_comes_of_nothing(rule: Callable[[list[Record]], list[Record]]) -> None:
    assert rule([]) == []
