"""Tool calls as actions and looks: each tool, how it ended, what makes two the same, what a search showed."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.calls.actions import ARGUMENTS_MAX_UTF16, READ_ELSEWHERE, items_of_call
from compact_keeper.record.calls.command_actions import RESULT_MAX_UTF16, SCRIPT_KEPT_UTF16, feedback_item
from compact_keeper.text.ends import both_ends_on_a_line
from entries import call, entry
from sessions import CWD, JsonObject, units
from slow_texts import check_it_ends

ROOT = f"{CWD}/"


def item(tool: str, **fields: Any) -> Any:
    """The item that the call gives."""
    [action] = items_of_call(call(tool, **fields), ROOT)
    return action


def bash(command: str, output: str = "", **fields: Any) -> Any:
    return item("Bash", command=" ".join(command.split()), output=output,
                input={"command": command} if "\n" in command else {}, **fields)


@pytest.mark.parametrize("tool", READ_ELSEWHERE)
def test_tools_that_others_read_give_nothing_but_the_end_of_a_refusal(tool: str) -> None:
    assert [item["status"] for item in items_of_call(call(tool), ROOT)] == ["gone"]
    assert [*items_of_call(call(tool, ok=False, output="no such task"), ROOT)] == []


@pytest.mark.parametrize("tool", ["Bash", "Edit", "Read", "Grep", "Agent", "mcp__db__query"])
def test_what_was_refused_was_not_done(tool: str) -> None:
    assert [*items_of_call(call(tool, command="rm x", rejected=True, ok=None), ROOT)] == []


def test_what_the_agent_printed_itself_is_no_step() -> None:
    assert [*items_of_call(call("Bash", command="echo 'all zones are in step'", output="all zones are in step"),
                           ROOT)] == []


@pytest.mark.parametrize(("output", "runs"), [
    ("Permission to use Bash with command make has been denied.", 0), ("This command requires approval", 0),
    ("<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>", 0),
    ("Exit code 127\nbash: make: command not found", 1), ("Exit code 2\nThe release requires approval", 1)])
def test_a_command_that_the_client_refused_is_no_run(output: str, runs: int) -> None:
    assert bash("make release", output, ok=False, exit=None, error="")["uses"] == runs


@pytest.mark.parametrize(("command", "output", "fields", "verdict", "part"), [
    ("pytest -q", "3 passed in 0.1s", {}, "passed", "3 passed"),
    ("pytest -q | tail -3", "1 failed, 2 passed in 0.1s", {}, "failed", "1 failed"),  # its exit code is tail's
    ("pytest -q | tail -3", "", {}, "unknown", ""),
    ("pytest -q | rg fail", "zsh: command not found: rg", {"ok": False, "exit": 127, "error": "exit 127"},
     "unknown", "it went to `rg`"),
    ("npm audit fix", "added 9 packages\n\n1 high severity vulnerability\n\nTo address all issues, run:\n  npm audit",
     {"ok": False, "exit": 1}, "ended", "1 high severity vulnerability"),
    ("pytest -q", "", {"ok": False, "exit": 1, "error": "no module"}, "failed", "no module"),
    ("pytest -q", "", {"ok": None}, "running", ""),
    ("./deploy.sh x", "all is there", {}, "ended", "all is there"),
    ("mv a b", "", {}, "ended", ""),
    ("curl -s -X POST localhost:8123", "Exit code 7", {"ok": False, "exit": 7, "error": ""}, "failed", "exit 7"),
    ("python -m py_compile a.py", "", {}, "passed", ""),
    ("mv a b", "mv: no such file", {"ok": False, "exit": 1, "error": "mv: no such file"}, "failed", "no such file"),
    ("git commit -m 'Add rates'", "[main 5b23401] Add rates\n 1 file changed", {}, "ended", "5b23401"),
])
def test_how_a_command_ended(command: str, output: str, fields: JsonObject, verdict: str, part: str) -> None:
    action = bash(command, output, **fields)
    assert (action["kind"], action["verdict"]) == ("action", verdict)
    assert part in action["result"]
    assert units(action["result"]) <= RESULT_MAX_UTF16


def test_a_commit_has_its_fields() -> None:
    action = bash("git commit -m 'Add rates'", "[main 5b23401] Add rates\n 1 file changed")
    assert (action["commit"], action["subject"], action["branch"]) == ("5b23401", "Add rates", "main")


@pytest.mark.parametrize(("first", "second", "same"), [
    ("make test", "make test 2>&1 | tail -5", True), ("make test", f"cd {CWD} && make test", True),
    ("make test | head -3 | cat", "make test", True), (f"rm {CWD}/a", "rm a", True),
    ("make test 2>&1", "make test 2>/dev/null", True), ("make test 2>&1 > log", "make test > log", False),
    ("grep 2>&1.5 a", "grep a", False), ("make 2> errors.txt", "make", False),
    ("grep zone a | tail -4\ngrep rate a | tail -2", "grep zone a | tail -6\ngrep rate a | tail -3", True),
    ("grep zone a | tail -4\ngrep rate a", "grep zone a\ngrep weight a", False),
    ("ls a | head -80", "ls a | tail -80", False), ("rates | head -80", "rates | tail -80", False),
    ("rates | head -80", "rates | head -20", True), ("rates | tail -80", "rates", True),
    ("rates | head -80 | tail -20", "rates | head -40 | tail -20", False),
    ("rates | tail -n +9", "rates | tail -9", False),
    ("make test | head -80", "make test | tail -80", True),  # of a check its end counts, whatever is shown
    ("head -3 a", "head -5 a", False), ("head -3 a | wc -l", "head -5 a | wc -l", False),
    ("make run && sleep 5 && make test", "make run && sleep 9.5s && make test", True),
    ("make run; sleep 5\nmake test", "make run; make test", True), ("usleep 5; make", "make", False),
    ("make test", "make test; make lint", False), ("make test | grep x", "make test", False),
    ("cd /tmp && make test", "make test", False)])
def test_the_same_command(first: str, second: str, same: bool) -> None:
    assert (bash(first)["key"] == bash(second)["key"]) is same


@pytest.mark.parametrize(("script", "text"), [
    ("# Build it\nmake build\n\n# and\nmake test\n", "make build\nmake test"),
    ("# only this\n# and that", "# only this # and that"),
    ("for a in b; do\n  echo $a\ndone", "for a in b; do\n  echo $a\ndone"),
    # No comments of the shell: what is fed to a program, and what stands between quotes.
    ("cat > a.obs << 'EOF'\n#x: i32;\nret x;\nEOF\n# run it\nrun a.obs",
     "cat > a.obs << 'EOF'\n#x: i32;\nret x;\nEOF\nrun a.obs"),
    ("git commit -m \"Rates\n\n# why\nzones\"\n# done\nmake", "git commit -m \"Rates\n# why\nzones\"\nmake"),
    ("cat << A\n# one\nA\ncat << B\n# two\nB", "cat << A\n# one\nA\ncat << B\n# two\nB")])
def test_of_a_script_the_lines_that_do_something(script: str, text: str) -> None:
    assert bash(script)["text"] == text


@pytest.mark.parametrize(("command", "fields", "wrote"), [
    ("sed -i s/a/b/ a.py > b.txt", {}, [f"{ROOT}b.txt", f"{ROOT}a.py"]),
    ("echo 1 > a", {"folder": f"{ROOT}web"}, [f"{ROOT}web/a"]),
    ("sed -i s/a/b/ a.py", {"ok": False, "output": "sed: no such file"}, []),
    ("sed -i s/a/b/ /tmp/a.py; cat a", {}, []),
    ("sed -i s/a/b/ a.py", {"ok": None}, [])])
def test_the_files_that_a_command_wrote(command: str, fields: Any, wrote: list[str]) -> None:
    assert bash(command, **fields).get("wrote", []) == wrote


def test_a_command_of_another_folder_is_another_one_unless_it_goes_elsewhere_itself() -> None:
    here, there = bash("make zones"), bash("make zones", folder="/srv/rates/web")
    assert there["folder"] == "/srv/rates/web"
    assert here["key"] != there["key"]
    gone = bash("cd /srv/rates && make zones", folder="/srv/rates/web")
    assert "folder" not in gone
    assert gone["key"] == bash("cd /srv/rates && make zones")["key"]
    assert bash("cd lib && make", folder="/srv/rates/web")["folder"] == "/srv/rates/web"


def test_what_the_agent_calls_a_command_is_kept_of_one_that_holds_code() -> None:
    code = "\n".join(f"print('zone {number}')" for number in range(9))
    for command, kept in ((f"python3 - <<EOF\n{code}\nEOF", "Show the zones"), ("make\nmake zones", None)):
        described = item("Bash", command=" ".join(command.split()), output="ok",
                         input={"command": command, "description": "Show the zones"})
        assert described.get("described") == kept


@pytest.mark.parametrize(("output", "result"), [
    ('{"zones":7,"cents":[1,2],"name":"' + "harbour" * 90 + '"}', '{"zones":7,"cents":[1,2], …'),
    ("[1," + "2345," * 200, "[1," + "2345," * 46 + "2345, …"), ("{" + "x" * 900, "(a line of 901 characters)"),
    ("x," * 450, "(a line of 900 characters)"),
])
def test_of_an_output_on_one_long_line_its_first_values(output: str, result: str) -> None:
    assert bash("./zones --json", output)["result"] == result


def test_a_long_script_is_cut() -> None:
    assert units(bash("load 🚚\n" * 900)["text"]) <= SCRIPT_KEPT_UTF16


def test_of_a_long_script_the_end_stays() -> None:
    script = 'python -c "\n' + "\n".join(f"check(zone={number})" for number in range(90)) + '\n" && rm -f data/app.db'
    text = bash(script)["text"]
    assert text.startswith('python -c "\ncheck(zone=0)')
    assert text.endswith('\n" && rm -f data/app.db')



@pytest.mark.parametrize("command", ["ls -la", "git status --short", "cat a.py | head -5", "grep -rn rates src"])
def test_a_command_that_only_looks(command: str) -> None:
    look = bash(command, f"{CWD}/src/a.py:3:rates = 1\n{CWD}/src/b.py:4:rates = 2\n")
    assert (look["kind"], look["text"]) == ("look", command)
    assert look["result"]


HIT = f"src/a.py:{{}}: x = load(zones) # {'z' * 60}"


@pytest.mark.parametrize(("command", "row", "count", "result"), [
    ("grep -rn load src", HIT, 9, "9 hits"), ("grep -rn load src | head -9", HIT, 9, "at least 9 hits"),
    ("grep -rn load src", HIT, 1, HIT.format(0)),  # all are shown
    ("grep -c load src/*", "src/of/the/zones/a{}.py:3", 40, "src/of/the/zones/a0.py:3 ⏎ "),
    ("ls src/*", "src/of/the/zones/a{}.py", 40, "src/of/the/zones/a0.py ⏎ "),
    ("grep -rh load src", "y = load(zones) # zone {}", 40, "y = load(zones) # zone 0 ⏎ ")])
def test_of_hits_that_have_no_room_their_number(command: str, row: str, count: int, result: str) -> None:
    look = bash(command, "\n".join(row.format(number) for number in range(count)))
    assert look["result"].startswith(result)


def test_of_hits_between_other_rows_these_stand() -> None:
    output = "\n".join(f"== {number} ==\nsrc/a{number}.py:1: x = load({'z' * 60})" for number in range(9))
    assert "hits" not in bash("for f in src/*; do echo; grep -n load $f; done", output)["result"]
    assert "hits" not in bash("cat build.log", HIT * 9)["result"]


def test_a_hit_keeps_its_code_behind_a_long_path_and_no_part_of_a_long_word() -> None:
    path = "/srv/" + "very/long/way/to/" * 14 + "zones.py"
    [hit] = bash("grep -rn load /srv", f"{path}:7: x = load(zones)")["hits"]
    assert hit == f"{path}:7: x = load(zones)"
    [hit] = item("Grep", pattern="x", output=f"{CWD}/a.py:7: x = {'k' * 900}")["hits"]
    assert hit == "a.py:7: x = …"


def test_rows_of_git_stand_on_one_line_as_all_rows_do() -> None:
    status = ('On branch main\n\nChanges not staged for commit:\n  (use "git add <file>..." to update)\n'
              "  (commit or discard the untracked or modified content in submodules)\n\tmodified:   a|b.py\n\n")
    assert bash("git status", status)["result"] == "On branch main ⏎ Changes not staged for commit: ⏎ modified: a|b.py"
    assert bash("cd /srv/rates && git status", status) == {
        **bash("git status", status), "text": "cd /srv/rates && git status", "key": "$ cd /srv/rates && git status"}
    rows = [f"{number:07} Round the sums of zone {number}" for number in range(99)]
    kept = bash("git log --oneline", "\n".join(rows))["result"].split(" ⏎ ")
    assert (kept[:-1], kept[-1]) == (rows[:len(kept) - 1], "…")
    assert len(kept) > 15
    assert bash("git log --oneline -2", "aaaaaaa Sums | zones\nbbbbbbb Round\n")["result"] == (
        "aaaaaaa Sums | zones ⏎ bbbbbbb Round")


@pytest.mark.parametrize(("fields", "result", "hits"), [
    ({"output": f"{CWD}/a.py:3:x = 1", "body": "…"}, "a.py:3: x = 1", ["a.py:3: x = 1"]),
    ({"output": f"{CWD}/a.py:3:x = 1\n{CWD}/b.py:4:x"}, "2 hits", ["a.py:3: x = 1", "b.py:4: x"]),
    ({"output": "a.py:3:x\nb.py:4:x", "is_output_cut": True}, "at least 2 hits", ["a.py:3: x", "b.py:4: x"]),
    ({"output": "a.py\nb.py\n\nFound 2 files", "is_output_cut": True}, "2 files", ["a.py", "b.py"]),
    ({"output": "Found 3 files\n! zones.md\nA - B.md\nc.md"}, "3 files", ["c.md"]),  # names that are not known as such
    ({"output": "Found 2 files limit: 2\na.md\nb.md"}, "at least 2 files", ["a.md", "b.md"]),
    ({"output": "Found 2 files limit: 20, offset: 0\nsrc\\a.md\nb.md"}, "2 files", ["src/a.md", "b.md"]),
    ({"output": "Found 2 files limit: 20, offset: 20\na.md\nb.md"}, "at least 2 files", ["a.md", "b.md"]),
    ({"output": "Found 1 file limit: 20, offset: 0\nsrc\\a.md"}, "src/a.md", ["src/a.md"]),
    ({"output": "a.py:3:x\nb.py:5:x\n\n[Showing results with pagination = limit: 20, offset: 0]"}, "2 hits",
     ["a.py:3: x", "b.py:5: x"]),
    ({"output": "7-  x = 1\n8-\n--\n9-  }"}, "at least 1 hit", []),  # those around alone, as the limit had cut it
    ({"output": "a.py:3\nb.py:2\n\nFound 5 total occurrences across 2 files."}, "5 hits", ["a.py: 3", "b.py: 2"]),
    ({"output": "a.py:3:x\na.py:5:x\n\n[Showing results with pagination = limit: 2, offset: 0]"}, "at least 2 hits",
     ["a.py:3: x", "a.py:5: x"]),
    ({"output": "No matches found"}, "no matches", []),
    ({"output": ""}, "no matches", []),
    ({"output": "", "ok": False, "error": "bad pattern", "body": "x"}, "bad pattern", []),
    ({"output": "", "ok": None, "body": "x"}, "", []),
])
def test_a_search(fields: JsonObject, result: str, hits: list[str]) -> None:
    look = item("Grep", pattern="x", path=CWD, **fields)
    assert (look["kind"], look["text"], look["result"], look.get("hits", [])) == ("look", "x", result, hits)
    assert look["path"] == "", "the session's folder, as where the call names none"


def test_of_a_search_s_hits_40_are_kept_each_short() -> None:
    output = "".join(f"{CWD}/{number}.py:1:{'x' * 900}\n" for number in range(500))
    hits = item("Grep", pattern="x", output=output)["hits"]
    assert len(hits) <= 40
    assert all(units(hit) <= 160 for hit in hits)


@pytest.mark.parametrize(("ok", "verdict", "edits"), [(True, "ended", 1), (False, "failed", 0), (None, "running", 0)])
def test_an_edit(ok: object, verdict: str, edits: int) -> None:
    action = item("Edit", path=f"{CWD}/a.py", change="+ a = 1", ok=ok, error="" if ok else "not found")
    assert (action["text"], action["path"], action["verdict"], action["edits"]) == ("a.py", f"{CWD}/a.py", verdict,
                                                                                    edits)
    assert action["change"] == "+ a = 1"


@pytest.mark.parametrize(("fields", "verdict", "result"), [
    ({"output": "Found 3 callers.\nagentId: a3f\n<usage>total_tokens: 9</usage>"}, "ended", "Found 3 callers."),
    ({"output": "Async agent launched successfully.\nagentId: a3f"}, "running", ""),
    ({"ok": None}, "running", ""),
    ({"ok": False, "error": "it was stopped"}, "failed", "it was stopped")])
def test_a_subagent(fields: JsonObject, verdict: str, result: str) -> None:
    action = item("Agent", input={"prompt": "Find the callers."}, **fields)
    assert (action["text"], action["verdict"], action["result"]) == ("Find the callers.", verdict, result)


@pytest.mark.parametrize(("fields", "calls"), [
    ({"output": "Done."}, None), ({"output": "Done.", "tool_calls": 0}, 0), ({"output": "tool_uses: 7"}, None),
    ({"output": "Done.\nagentId: a3f (use SendMessage)\n<usage>total_tokens: 9\ntool_uses: 12\nduration_ms: 3</usage>"},
     12)])
def test_how_many_calls_a_subagent_made(fields: JsonObject, calls: int | None) -> None:
    assert item("Agent", input={"prompt": "Find the callers."}, **fields).get("tool_calls") == calls


@pytest.mark.parametrize(("kind", "expected"), [
    ("Explore", "Explore"), ("rates:tide-reader", "rates:tide-reader"), ("", None), (None, None), (7, None),
    ("a\n- Rule: b", "a - Rule: b"), ("word " * 90, f"{'word ' * 11}word…")])
def test_an_order_tells_of_what_type_its_subagent_is(kind: object, expected: str | None) -> None:
    order = item("Agent", input={"prompt": "Find the callers.", "subagent_type": kind})
    assert order.get("subagent_type") == expected


def test_orders_that_begin_alike_are_of_two_subagents() -> None:
    prompt = "You need to create the following files for the project. " * 9
    keys = [item("Agent", input={"description": name, "prompt": prompt})["key"] for name in ("Zones", "Rates", "Zones")]
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize("arguments",
                         [{}, {"a": None}, {"a": ""}, {"sql": "select 1"}, {"list": [1, "x"]}, {"a": {"b": 1}}])
def test_any_other_tool(arguments: JsonObject) -> None:
    action = item("mcp__db__query", input=arguments, output="3 rows")
    assert (action["verdict"], action["result"]) == ("ended", "3 rows")
    assert all(str(value) in action["text"] for value in arguments.values() if isinstance(value, str))


def test_of_long_arguments_each_has_its_share_of_the_room() -> None:
    rows, rule = "a row of the log " * 90, "the rule itself " * 90
    text = item("mcp__rules__check", input={"rows": rows, "rule": rule, "deep": True}, output="5 matched")["text"]
    assert units(text) <= ARGUMENTS_MAX_UTF16
    named = [part.partition(":")[0] for part in text.split(", ")]
    assert named == ["rows", "rule", "deep"]
    assert text.endswith("deep: true")
    assert ARGUMENTS_MAX_UTF16 // 3 < units(text.split(", ")[0]) < ARGUMENTS_MAX_UTF16 // 2


def test_of_many_arguments_the_first_have_the_room() -> None:
    text = item("mcp__rules__check", input={f"name{number}": "a value" for number in range(200)}, output="")["text"]
    assert units(text) <= ARGUMENTS_MAX_UTF16
    assert text.startswith("name0: a value, name1: a value, ")


SECRET = "token=Tr0ub4dor+3horse9"


@pytest.mark.parametrize("make_item", [
    lambda: bash("./serve", SECRET), lambda: bash("cat .env", SECRET),
    lambda: item("Grep", pattern="x", output=f"a:1:{SECRET}"),
    lambda: item("Agent", input={"prompt": SECRET}, output=SECRET),
    lambda: item("mcp__x__y", input={"a": SECRET}, output=SECRET),
    lambda: item("Read", path="/a", body=f"import {SECRET}")])
def test_no_secret_stays(make_item: Any) -> None:
    assert "Tr0ub4dor" not in str({name: value for name, value in make_item().items() if name != "key"})


@pytest.mark.parametrize("text", ["word " * 900, "x" * 3_000, "", "a  b"])
def test_both_parts_are_within_their_limit(text: str) -> None:
    short = both_ends_on_a_line(text, 100)
    assert units(short) <= 105
    assert short[:10] == " ".join(text.split())[:10] or short.startswith(" …")


def test_no_output_is_without_end() -> None:
    check_it_ends(lambda text: (bash("make test", text), bash("cat x", text), item("Grep", pattern="x", output=text),
                                item("Agent", input={"prompt": text}, output=text), bash(text[:2_000], text)))


NAMED_RUN = "Running the suite …\n\n> rates@1.0.0 test\n> npx vitest run\n\n"


@pytest.mark.parametrize(("words", "verdict", "family", "text", "part"), [
    (NAMED_RUN + " FAIL  a.test.ts > rates > cents\n Test Files  1 failed (1)\n  Tests  2 failed | 43 passed (45)\n",
     "failed", "test", "npx vitest run # by a Stop hook", "2 failed | 43 passed"),
    (NAMED_RUN + " Test Files  1 passed (1)\n      Tests  45 passed (45)\n", "passed", "test",
     "npx vitest run # by a Stop hook", "45 passed"),
    (NAMED_RUN, "unknown", "test", "npx vitest run # by a Stop hook", ""),
    ("Look once more at what you wrote.", "ended", "", "", "Look once more"),
    ("> quoted words alone", "ended", "", "", "quoted words"),
    ("word " * 4_000, "ended", "", "", "word"),
    ("", "ended", "", "", ""),
])
def test_what_a_stop_hook_found(words: str, verdict: str, family: str, text: str, part: str) -> None:
    action = feedback_item(entry(1, "feedback", words))
    assert (action["verdict"], action["family"], action["text"]) == (verdict, family, text)
    assert part in action["result"]
    assert units(action["result"]) <= RESULT_MAX_UTF16


ROWS = "   300→a\n   301→b\n"


@pytest.mark.parametrize(("output", "arguments", "expected"), [
    (ROWS, {"offset": 300, "limit": 2}, ["300–301"]),
    (ROWS + "\n<system-reminder>\nIt may hold traps.\n</system-reminder>\n", {"offset": 300}, ["300–301"]),
    ("  1\ta\n  2\tb", {"limit": 2}, ["1–2"]), ("\n".join(f"{row:6}→x" for row in range(1, 2_001)), {"limit": 2_000},
                                                ["1–2000"]),
    (ROWS, {}, None), ("", {"offset": 300}, None), ("no rows", {"offset": 300}, None),
    ("→" * 9_000, {"limit": 1}, None),
])
def test_which_rows_of_a_file_were_read(output: str, arguments: JsonObject, expected: list[str] | None) -> None:
    look = item("Read", path=f"{ROOT}a.py", output=output, input=arguments)
    assert look.get("rows_read") == expected
    waiting = item("Read", path=f"{ROOT}a.py", output=output, input=arguments, ok=None)
    assert waiting.get("rows_read") is None


@pytest.mark.parametrize(("error", "is_one_of_its_own"), [
    ("File content (30414 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.", True),
    ("File content (399.5KB) exceeds maximum allowed size (256KB). Please use offset and limit.", True),
    ("File does not exist.", False), ("the file content (1 tokens) exceeds maximum allowed", False), ("", False),
])
def test_a_file_that_was_too_large_is_not_the_read_of_its_part(error: str, is_one_of_its_own: bool) -> None:
    refused, read = (item("Read", path=f"{ROOT}a.md", **fields) for fields in ({"ok": False, "error": error}, {}))
    assert (refused["key"] != read["key"]) == is_one_of_its_own
