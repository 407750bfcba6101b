"""Tests of the replay benchmark: what counts as a case, a fact, a loss and a hit, and that the hooks really run."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import replay
from sessions import CWD, SESSION_ID, SUMMARY, Session

NOTHING: dict[str, list[str]] = {"path": [], "command": [], "value": []}
TESTS_RUN = "pytest -q tests/rates"
RULE = "Never round the parcel rates before the tax is added."


def worked(session: Session, calls: int = replay.CALLS_BEFORE) -> Session:
    """The session after calls that use no fact."""
    for _ in range(calls):
        session.ran("Glob", pattern="*")
    return session


def compacted_session(summary: str = "Work on rates.", used: str = TESTS_RUN) -> Session:
    """A session that knows a rule and ran the tests, was compacted, and runs them again."""
    session = Session()
    session.typed(RULE)
    session.ran("Bash", "3 passed", command=TESTS_RUN)
    worked(session).compacted(summary)
    session.ran("Bash", command=used)
    return worked(session, replay.CALLS_AFTER)


def cases_of(session: Session, folder: Path, name: str = "one.jsonl") -> list[replay.Case]:
    return replay.find_cases([session.write(folder / name)])


def only_case(session: Session, folder: Path) -> replay.Case:
    [case] = cases_of(session, folder)
    return case


def facts(category: str, tool: str, **asked: Any) -> list[str]:
    """The facts of a category that a call uses."""
    return [fact for kind, fact in replay.facts_of(tool, asked, CWD) if kind == category and fact]


def a_case(**lost: list[str]) -> replay.Case:
    directives = lost.pop("directives", [])
    return replay.Case("one#1", SESSION_ID, Path("one.jsonl"), 0, CWD, {**NOTHING, **lost}, directives)


# --- facts ---


@pytest.mark.parametrize(("tool", "asked", "expected"), [
    ("Read", {"file_path": f"{CWD}/src/rates.py"}, ["src/rates.py"]),
    ("Read", {"file_path": f"{CWD}-old/src/rates.py"}, [f"{CWD}-old/src/rates.py"]),
    ("Read", {"file_path": "/etc/hosts"}, ["/etc/hosts"]),
    ("NotebookEdit", {"notebook_path": f"{CWD}/a.ipynb"}, ["a.ipynb"]),
    ("Grep", {"path": CWD, "pattern": "src/other.py"}, []),
    ("Grep", {"path": "./src/"}, ["src"]),
    ("Write", {"file_path": 7, "content": "see src/other.py"}, []),
])
def test_path_inputs(tool: str, asked: dict[str, Any], expected: list[str]) -> None:
    assert facts("path", tool, **asked) == expected


@pytest.mark.parametrize(("command", "expected"), [
    ("cat src/rates.py", ["src/rates.py"]),
    (f"cat {CWD}/src/rates.py", ["src/rates.py"]),
    ("diff 'docs/a.md' \"/etc/app/b.conf\"", ["docs/a.md", "/etc/app/b.conf"]),
    ("cat src/rates.py; ls lib/core/ && head ~/notes/todo.md", ["src/rates.py", "lib/core", "~/notes/todo.md"]),
    ("git show HEAD:lib/core.py", ["lib/core.py"]),
    ("go test ./pkg/rates/...", ["pkg/rates"]),
    ("./run.sh", ["run.sh"]),
    ("tar --file=/var/tmp/x.tar", ["/var/tmp/x.tar"]),
    ("cat <<'EOF' > docs/a/note.md\nsee src/hidden.py\nEOF\ncat src/seen.py", ["docs/a/note.md", "src/seen.py"]),
    ("grep -c x <<< y\ncat src/seen.py", ["src/seen.py"]),
    ("curl https://host.test/src/rates.py?next=/src/rates.py", []),
    ("gcc -I/usr/include/x.h --sysroot/opt/y.h", []),
    ("go get github.com/acme/tools/cmd", []),
    ("git diff origin/main && echo read/write", []),
    ("sed -i s/old/new.b/ x && echo 2025/01/02", []),
    ("ls $HOME/x/y.txt src/*.py > /dev/null", []),
    ("go test ./... ./cmd && cd /tmp", []),
])
def test_path_words_of_commands(command: str, expected: list[str]) -> None:
    assert facts("path", "Bash", command=command) == expected


def test_only_shells_have_path_words() -> None:
    assert facts("path", "mcp__x__y", command="cat src/rates.py") == []


@pytest.mark.parametrize(("command", "expected"), [
    ("make  test", "make test"),
    ("cd /srv/app && make test", "make test"),
    ("cd '/srv/my app' && cd b && make test", "make test"),
    ("make test && cd b && make lint", "make test && cd b && make lint"),
    ("make test 2>&1 | tail -5", "make test"),
    ("make test | tail -5", "make test"),
    ("make test || make lint", "make test || make lint"),
    ("make test\n", "make test"),
    ("make test\nmake lint", ""),
    ("git commit -m \"$(cat <<'EOF'\nwords\nEOF\n)\"", ""),
    ("cd /srv/app", "cd /srv/app"),
    ("ls -a", ""),
    ("make a", "make a"),
    ("x" * 160, "x" * 160),
    ("x" * 161, ""),
    ("x" * 160 + " | tail", "x" * 160),
])
def test_commands(command: str, expected: str) -> None:
    assert facts("command", "Bash", command=command) == [expected][:bool(expected)]


def test_only_shells_have_commands() -> None:
    assert facts("command", "mcp__x__y", command="make test") == []


@pytest.mark.parametrize(("text", "expected"), [
    ("see https://host.test/a/b?c=1, or (postgres://db/x).", ["https://host.test/a/b?c=1", "postgres://db/x"]),
    ("localhost:8080 10.0.0.1:22 api.host.test:443", ["localhost:8080", "10.0.0.1:22", "api.host.test:443"]),
    ("main.go:42 a:12 localhost", []),
    ("commit 1a2b3c4 and deadbeef, 1234567 and 12345", ["1a2b3c4", "1234567"]),
    ("id 5e551011-0000-4000-8000-000000000001", ["5e551011-0000-4000-8000-000000000001"]),
    ("--dry-run --max=3 --- --x -v a--bc", ["--dry-run", "--max"]),
    ("v1.2 v1.2.3-rc1 3.11.7 3.11 10.0.0.1", ["v1.2", "v1.2.3-rc1", "3.11.7"]),
    ("#12 x#13 &#39; ##14 #fff", ["#12"]),
    ("MAX_RATE HTTP A_B _X_Y MAX_rate", ["MAX_RATE", "A_B"]),
    ("parcel_rate rate_tax _tax_of_x a_b", ["parcel_rate", "rate_tax", "_tax_of_x"]),
    ("parcelRate taxOf ParcelRate parcelrate", ["parcelRate"]),
    ("TestRates test_tax Testing tests_x", ["TestRates", "test_tax"]),
    ("src/parcel_rate.py:parcel_tax // parcel_sum", ["parcel_tax", "parcel_sum"]),
    ("价格parcel_rate。", ["parcel_rate"]),
])
def test_values(text: str, expected: list[str]) -> None:
    assert facts("value", "Grep", pattern=text) == expected


def test_values_come_from_some_inputs_and_from_no_heredoc() -> None:
    for name in replay.VALUE_INPUTS:
        assert facts("value", "Any", **{name: "parcel_rate"}) == ["parcel_rate"]
    assert facts("value", "Edit", new_string="parcel_rate", content="parcel_rate", edits=["parcel_rate"]) == []
    assert facts("value", "Bash", command="cat > a <<EOF\nparcel_rate\nEOF") == []


@pytest.mark.parametrize(("fact", "text", "expected"), [
    (("path", "/home/ada/src/rates.py"), "in src/rates.py.", True),
    (("path", "/home/ada/src/rates.py"), "in other/rates.py", False),
    (("path", "src/rates.py"), "in lib/src/rates.py", True),
    (("path", "src/rates.py"), "in mysrc/rates.py", False),
    (("path", "src/rates.py"), "in old-src/rates.py", False),
    (("path", "src/rates.py"), "in src/rates.pyc", False),
    (("path", "README.md"), "see README.md", True),
    (("command", "make test"), "ran `make test`", True),
    (("command", "make test"), "ran make tests", False),
    (("command", "go test ./..."), "cd a && go test ./... -v", True),
    (("value", "#1"), "#12, then #1.", True),
    (("value", "#1"), "#12 and x#1", False),
    (("value", "--all"), "--allow --all-files ---all", False),
    (("value", "--all"), "--all=1", True),
    (("value", "parcel_rate"), "my_parcel_rate parcel_rate2", False),
    (("value", "parcel_rate"), "按parcel_rate的", True),
])
def test_a_fact_stands_as_a_whole_word(fact: tuple[str, str], text: str, expected: bool) -> None:
    assert replay.stands(fact, text) is expected


# --- cases ---


def test_lost_is_what_the_client_does_not_give(tmp_path: Path) -> None:
    case = only_case(compacted_session(), tmp_path)
    assert case.lost == {**NOTHING, "command": [TESTS_RUN]}
    assert case.directives == [RULE]
    assert (case.name, case.session, case.cwd) == ("one#1", SESSION_ID, CWD)


def test_what_the_summary_has_is_not_lost(tmp_path: Path) -> None:
    case = only_case(compacted_session(f"The user said: {RULE} We ran\n{TESTS_RUN}"), tmp_path)
    assert (case.lost, case.directives) == (NOTHING, [])


def test_what_the_prefix_never_had_is_no_fact(tmp_path: Path) -> None:
    assert only_case(compacted_session(used="make something new"), tmp_path).lost == NOTHING


def test_prompts_of_the_queue_hold_facts(tmp_path: Path) -> None:
    session = Session()
    session.queued(f"please run {TESTS_RUN}")
    worked(session).compacted()
    session.ran("Bash", command=TESTS_RUN)
    assert only_case(worked(session), tmp_path).lost["command"] == [TESTS_RUN]


def test_texts_are_compared_decoded(tmp_path: Path) -> None:
    quoted = "grep -n 'a\\d' \"b\"  src/x.py"
    session = Session()
    session.ran("Bash", command=quoted)
    worked(session).compacted()
    session.ran("Bash", command=quoted)
    case = only_case(worked(session, 8), tmp_path)
    assert case.lost["command"] == [" ".join(quoted.split())]


def test_structured_copies_thoughts_pictures_and_progress_hold_nothing(tmp_path: Path) -> None:
    session = Session()
    session.ran("Bash", "ok", {"stdout": TESTS_RUN}, command="make it so")
    session.assistant({"type": "thinking", "thinking": TESTS_RUN})
    session.ran("Read", [{"type": "image", "source": {"type": "base64", "data": TESTS_RUN}}], file_path="/x/y.png")
    session.progress(TESTS_RUN)
    worked(session).compacted()
    session.ran("Bash", command=TESTS_RUN)
    assert only_case(worked(session, 8), tmp_path).lost == NOTHING


def test_what_stands_before_the_first_answer_is_client_context(tmp_path: Path) -> None:
    session = worked(Session())
    session.says("make one, make two, make six, make ten")
    session.compacted()
    session.attachment(type="file", content={"file": {"content": "make one"}})
    session.attachment(type="hook_additional_context", content=["make two"])
    session.user("make six", isMeta=True)
    session.says("make ten")
    for name in ("one", "two", "six", "ten"):
        session.ran("Bash", command=f"make {name}")
    assert only_case(worked(session), tmp_path).lost["command"] == ["make two", "make ten"]


@pytest.mark.parametrize("newer", [True, False])
def test_preserved_messages_are_client_context(tmp_path: Path, newer: bool) -> None:
    session = worked(Session())
    session.says("make one")
    kept = [session.says("make two"), session.says("make six"), session.says("make ten")]
    uuids = [record["uuid"] for record in kept]
    told = {"preservedMessages": {"uuids": uuids}} if newer else {
        "preservedSegment": {"headUuid": uuids[0], "tailUuid": uuids[2]}}
    session.system("compact_boundary", compactMetadata={"trigger": "auto", **told})
    for name in ("one", "two", "six", "ten"):
        session.ran("Bash", command=f"make {name}")
    assert only_case(worked(session), tmp_path).lost["command"] == ["make one"]


def test_metadata_of_another_shape_is_passed_over(tmp_path: Path) -> None:
    session = worked(Session())
    session.system("compact_boundary", compactMetadata={"preservedMessages": 3, "preservedSegment": {"headUuid": None}})
    assert only_case(worked(session), tmp_path).lost == NOTHING


def test_a_sidechain_never_counts(tmp_path: Path) -> None:
    def as_subagent(session: Session) -> Session:
        for record in session.records:
            record["isSidechain"] = True
        return session

    held = Session()
    held.ran("Bash", command="make two")
    before = Session(first=100)
    before.ran("Bash", command="make one")
    middle = Session(first=200)
    middle.compacted()
    worked(middle, 8).ran("Bash", command="make two")
    middle.ran("Bash", command="make one")
    other = Session(first=300)
    other.compacted()
    other.ran("Bash", command="make one")
    whole = as_subagent(held) + worked(before, 19) + as_subagent(other) + middle
    assert only_case(whole, tmp_path).lost["command"] == ["make one"]
    assert cases_of(as_subagent(compacted_session()), tmp_path) == []


def test_two_compactions_are_two_cases(tmp_path: Path) -> None:
    first = Session(first=900)
    first.ran("Bash", command="make two")
    session = first + compacted_session()
    worked(session).compacted("Again.")
    session.ran("Bash", command="make two")
    session.ran("Bash", command=TESTS_RUN)
    cases = cases_of(worked(session), tmp_path)
    assert [case.name for case in cases] == ["one#1", "one#2"]
    assert [case.lost["command"] for case in cases] == [[TESTS_RUN], ["make two", TESTS_RUN]]
    raw = cases[0].file.read_bytes()
    for case in cases:
        assert raw[:case.prefix].endswith(b"\n")
        assert b'"compact_boundary"' in raw[case.prefix:].split(b"\n")[0]
    assert raw[:cases[1].prefix].count(b'"compact_boundary"') == 1


def test_an_old_summary_without_boundary_is_a_compaction(tmp_path: Path) -> None:
    session = Session()
    session.ran("Bash", command=TESTS_RUN)
    session.ran("Bash", command="make one")
    worked(session).user(SUMMARY + "make one", isCompactSummary=True)
    session.ran("Bash", command=TESTS_RUN)
    session.ran("Bash", command="make one")
    case = only_case(worked(session), tmp_path)
    assert case.lost["command"] == [TESTS_RUN]
    assert case.file.read_bytes()[case.prefix:].startswith(b'{"parentUuid"')
    assert b"isCompactSummary" not in case.file.read_bytes()[:case.prefix]


def test_a_summary_after_an_answer_is_another_compaction(tmp_path: Path) -> None:
    session = worked(Session())
    session.system("compact_boundary")
    worked(session, 8).user(SUMMARY, isCompactSummary=True)
    assert [case.name for case in cases_of(worked(session, 8), tmp_path)] == ["one#1", "one#2"]


@pytest.mark.parametrize(("before", "after", "expected"), [(20, 8, 1), (19, 8, 0), (20, 7, 0)])
def test_a_case_needs_work_on_both_sides(tmp_path: Path, before: int, after: int, expected: int) -> None:
    session = worked(Session(), before)
    session.compacted()
    assert len(cases_of(worked(session, after), tmp_path)) == expected


def test_rows_written_again_count_once(tmp_path: Path) -> None:
    session = worked(Session(), 19)
    session.records += session.records[:]
    session.compacted()
    assert cases_of(worked(session), tmp_path) == []


@pytest.mark.parametrize(("fillers", "expected"), [(49, [TESTS_RUN]), (50, [])])
def test_the_future_has_fifty_calls(tmp_path: Path, fillers: int, expected: list[str]) -> None:
    session = Session()
    session.ran("Bash", command=TESTS_RUN)
    worked(session).compacted()
    worked(session, fillers).ran("Bash", command=TESTS_RUN)
    assert only_case(session, tmp_path).lost["command"] == expected


def test_broken_and_glued_lines_end_nothing(tmp_path: Path) -> None:
    raw = compacted_session().as_bytes().replace(b"\n", b"\nnot json\n", 3).replace(b"}\n{", b"}{", 5)
    path = tmp_path / "one.jsonl"
    path.write_bytes(raw + b'{"type":"user","mess')
    [case] = replay.find_cases([path])
    assert case.lost["command"] == [TESTS_RUN]


# --- directives ---


@pytest.mark.parametrize(("text", "expected"), [
    ("Look here. Never touch the rates! Then go on.", ["Never touch the rates!"]),
    ("- Don’t touch the rates\n- look around here", ["Don’t touch the rates"]),
    ("I want a table of rates", ["I want a table of rates"]),
    ("Never do that.", []),
    ("Never do it so.", ["Never do it so."]),
    ("Always " + "x" * 293, ["Always " + "x" * 293]),
    ("Always " + "x" * 294, []),
    ("```\nnever touch the rates\n```\n> always touch the rates", []),
    ("The users whatever their keepsake", []),
])
def test_directives_are_sentences_with_a_cue(text: str, expected: list[str]) -> None:
    assert replay.directives(text) == expected


@pytest.mark.parametrize(("words", "expected"), [
    ("one two three four five six seven eight", True),
    ("One, two — three four.\nFive six seven", True),
    ("one two three four five six", True),  # 3 of 5 shingles
    ("one two three four five", False),  # 2 of 5
    ("eight seven six five four three two one", False),
    ("one two three x four five six seven x eight", False),
    ("one two three x two three four x three four five x four five six x five six seven x six seven eight", False),
])
def test_sixty_percent_of_the_shingles_make_a_sentence_present(words: str, expected: bool) -> None:
    sentence = "One two three four five six seven eight!"
    assert replay.covered(sentence, replay.plain_words(words)) is expected


def test_a_short_sentence_must_stand_as_a_whole() -> None:
    assert replay.covered("Never guess numbers", " never guess numbers ")
    assert not replay.covered("Never guess numbers", " never guess number ")


def test_prompts_are_typed_and_not_pulled_back(tmp_path: Path) -> None:
    session = worked(Session())
    session.typed("Never guess the numbers of a parcel.")
    session.typed("Never guess the numbers of a parcel!")
    session.queued("Only ever change the file of rates.", "popAll")
    session.queued("Always ask before a release is made.")
    session.queued("You must never see this one waiting.", None)
    session.user("Always obey the words of programs here.", isMeta=True)
    session.ran("Read", "Never trust what a tool has printed.", file_path="/x/y")
    session.compacted()
    case = only_case(worked(session), tmp_path)
    assert case.directives == ["Never guess the numbers of a parcel!", "Always ask before a release is made."]


# --- the score of a text ---


def test_hits_lines_and_units() -> None:
    case = a_case(path=["src/rates.py", "src/tax.py"], command=[TESTS_RUN], value=["#12"], directives=[RULE])
    hits = replay.scored(f"# Rates 😀\n\nsrc/rates.py is open\n{TESTS_RUN}: ok\n- {RULE}\nmore", case)
    assert hits.given == {"path": ["src/rates.py"], "command": [TESTS_RUN], "value": []}
    assert hits.directives == [RULE]
    assert (hits.lines, hits.used, hits.over_cap) == (5, 3, False)
    assert hits.units == len(f"# Rates 😀\n\nsrc/rates.py is open\n{TESTS_RUN}: ok\n- {RULE}\nmore") + 1


@pytest.mark.parametrize(("filler", "over"), [(replay.CAP - len("#12 #13"), False), (replay.CAP, True)])
def test_of_a_text_over_the_cap_the_beginning_counts(filler: int, over: bool) -> None:
    hits = replay.scored("#12 " + "." * filler + "#13", a_case(value=["#12", "#13"]))
    assert hits.given["value"] == (["#12"] if over else ["#12", "#13"])
    assert (hits.over_cap, hits.units) == (over, replay.PREVIEW if over else replay.CAP)


def test_the_cap_counts_utf16_units() -> None:
    assert replay.scored("😀" * 5_001, a_case()).over_cap
    assert not replay.scored("é" * 10_000, a_case()).over_cap


def test_figures_are_shares_over_all_cases() -> None:
    cases = [a_case(path=["a/b"], value=["#1", "#2", "#3"]), a_case(path=["c/d"], directives=[RULE]), a_case()]
    found = [(case, replay.scored(text, case)) for case, text in zip(cases, ["a/b #1", RULE + "\nnoise", ""])]
    figures = replay.figures(found)
    assert (figures["path"], figures["value"], figures["command"]) == (1 / 2, 1 / 3, None)
    assert figures["mean"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    size = len("a/b #1" + RULE + "\nnoise")
    assert (figures["directives"], figures["characters"]) == (1.0, size / 2)
    assert figures["hits/1,000 chars"] == pytest.approx(2_000 / size)
    assert (figures["cases"], figures["empty"], figures["over cap"]) == (3, 1, 0)
    assert figures["unused lines"] == pytest.approx(1 / 3)


def test_no_cases_have_no_figures() -> None:
    assert replay.figures([])["mean"] is None


# --- the halves ---


def test_the_split_is_by_the_name_alone_and_stays(tmp_path: Path) -> None:
    expected = {"a": "check", "b": "check", "d": "fit", "e": "fit"}
    for folder in (tmp_path / "x", tmp_path / "y" / "deep"):
        folder.mkdir(parents=True)
        for name in expected:
            (folder / f"{name}.jsonl").touch()
        for half in ("fit", "check"):
            names = {file.stem for file in replay.transcripts([folder], half)}
            assert names == {name for name, where in expected.items() if where == half}
    every = replay.transcripts([tmp_path / "y", tmp_path, tmp_path / "x" / "a.jsonl"], "all")
    assert every == sorted((tmp_path.resolve() / "x").iterdir()) + sorted((tmp_path.resolve() / "y" / "deep").iterdir())


# --- processes ---


def python(script: str) -> str:
    return shlex.join([sys.executable, "-c", script])


def outcome(command: str, folder: Path) -> replay.Outcome:
    return replay.deliver(replay.peer_tool(f"peer={command}"), only_case(compacted_session(), folder))


def test_a_peer_gets_what_the_client_gives_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/somewhere")
    told = python("import json, os, sys; given = json.load(sys.stdin); given['bytes'] = "
                  "open(given['transcript_path']).read(); print('said', json.dumps([given, dict(os.environ)]))")
    text = outcome(f"{told} | tee -a $HOME/all; test $(wc -l < $HOME/all) = 1 || cat $HOME/all", tmp_path).text
    asked = [json.loads(line.partition(" ")[2]) for line in text.splitlines()]
    (before, environment), (after, _) = asked[-2:]
    case = only_case(compacted_session(), tmp_path)
    assert before.pop("bytes") == after.pop("bytes") == case.file.read_text(encoding="utf-8")[:case.prefix]
    path = before.pop("transcript_path")
    assert (Path(path).name, after.pop("transcript_path")) == (f"{SESSION_ID}.jsonl", path)
    same = {"session_id": SESSION_ID, "cwd": CWD}
    assert before == {**same, "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None}
    assert after == {**same, "hook_event_name": "SessionStart", "source": "compact"}
    assert "CLAUDE_CONFIG_DIR" not in environment
    assert not Path(environment["HOME"]).exists()


@pytest.mark.parametrize(("command", "expected"), [
    ("echo '  plain words '", "plain words"),
    ("""echo '{"hookSpecificOutput": {"additionalContext": "nested"}}'""", "nested"),
    ("""echo '{"additionalContext": "at the top"}'""", ""),
    ("echo '{no json}'", ""),
    ("echo lost; exit 1", ""),
    ("grep -q PreCompact && echo first", "first"),
    ("if grep -q PreCompact; then echo first; fi", "first"),
    ("if grep -q PreCompact; then echo first; else echo second; fi", "second"),
])
def test_a_peers_delivery(tmp_path: Path, command: str, expected: str) -> None:
    assert outcome(command, tmp_path).text == expected


def test_what_our_save_prints_is_for_the_summariser(tmp_path: Path) -> None:
    tool = replay.our_tool(None)._replace(hooks=[["echo", "first"], ["true"]])
    assert replay.deliver(tool, only_case(compacted_session(), tmp_path)).text == ""


def test_a_peer_that_hangs_delivers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "TIMEOUT", 0.2)
    late = outcome("exec sleep 9", tmp_path)
    assert (late.text, late.save_ms) == ("", 200.0)


def test_a_budget_stands_in_the_settings(tmp_path: Path) -> None:
    tool = replay.our_tool(4_000)
    assert tool.name == "compact-keeper, budget 4000"
    show = ["sh", "-c", "echo read $(cat $COMPACT_KEEPER_HOME/config.json)"]
    case = only_case(compacted_session(), tmp_path)
    assert replay.deliver(tool._replace(hooks=[show, show]), case).text == 'read {"budget": 4000}'
    assert replay.deliver(replay.our_tool(None)._replace(hooks=[show, show]), case).text == "read"


@pytest.fixture
def cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the program on a folder; the table's rows by tool and column, and the line of counts."""
    def run(*arguments: str) -> tuple[dict[str, dict[str, str]], str]:
        assert replay.main([str(tmp_path), *arguments]) == 0
        *lines, _, totals = capsys.readouterr().out.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        return {row[0]: dict(zip(rows[0][1:], row[1:])) for row in rows[2:]}, totals
    return run


def test_a_peers_score_is_known(tmp_path: Path, cells: Any) -> None:
    compacted_session().write(tmp_path / "one.jsonl")
    compacted_session(f"{RULE}").write(tmp_path / "two.jsonl")
    text = f"{TESTS_RUN}\nnoise\n"
    rows, totals = cells("--peer", f"peer=if grep -q SessionStart; then printf {shlex.quote(text)}; fi")
    row = rows["peer"]
    assert row.pop("save ms")
    assert row.pop("restore ms")
    assert row == {
        "cases": "2", "path": "–", "command": "1.000", "value": "–", "mean": "1.000", "directives": "0.00",
        "characters": str(len(text) - 1), "hits/1,000 chars": f"{1000 / (len(text) - 1):.2f}", "empty": "0",
        "over cap": "0", "unused lines": "0.50"}
    assert totals == "2 sessions, 2 cases, 0 lost paths, 2 lost commands, 0 lost values, 1 lost directives"


def test_the_real_hooks_give_back_a_known_fact(tmp_path: Path, cells: Any) -> None:
    compacted_session().write(tmp_path / "one.jsonl")
    rows, _ = cells("--budget", "9000,8000", "--budget", "7000")
    assert list(rows) == [f"compact-keeper, budget {number}" for number in (9000, 8000, 7000)]
    for row in rows.values():
        assert (row["command"], row["directives"], row["empty"], row["over cap"]) == ("1.000", "1.00", "0", "0")


def test_json_has_the_figures_of_each_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compacted_session().write(tmp_path / "one.jsonl")
    assert replay.main([str(tmp_path), "--json", "--limit", "1", "--peer", f"peer=echo {TESTS_RUN}"]) == 0
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert (told["cases"], told["lost commands"], told["lost directives"]) == (1, 1, 1)
    [ours, peer] = told["tools"]
    assert (ours["tool"], peer["tool"], peer["command"], peer["directives"]) == ("compact-keeper", "peer", 1.0, 0.0)
    assert peer["by case"][0]["given back"] == {**NOTHING, "command": [TESTS_RUN], "directives": []}
    assert peer["by case"][0]["lost"] == {**NOTHING, "command": [TESTS_RUN], "directives": [RULE]}
    assert printed.err == ""


def test_a_case_is_shown_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compacted_session().write(tmp_path / "one.jsonl")
    assert replay.main([str(tmp_path), "--show", "one#1", "--peer", f"peer=echo so: {TESTS_RUN}"]) == 0
    _, _, peer = capsys.readouterr().out.partition("=== one#1: peer")
    assert f"so: {TESTS_RUN}\n" in peer
    assert f"--- command: 1 of 1 given back ---\n+ {TESTS_RUN}\n" in peer
    assert peer.endswith(f"--- directive: 0 of 1 given back ---\n- {RULE}\n")


def test_progress_is_told_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compacted_session().write(tmp_path / "one.jsonl")
    assert replay.main([str(tmp_path), "--peer", "peer=true"]) == 0
    assert capsys.readouterr().err == "1 of 1 cases\n"


@pytest.mark.parametrize("arguments", [[], ["--show", "one#2"], ["--half", "fit"]])
def test_nothing_to_replay_is_one_line_and_1(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    if arguments:
        compacted_session().write(tmp_path / "b.jsonl")
    assert replay.main([str(tmp_path), *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("replay.py: no ")
    assert str(tmp_path) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--half", "third"], ["--budget", "many"], ["--peer", "unnamed"], ["--what"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        replay.main(arguments)
    assert ended.value.code == 2


def test_the_clients_own_folder_is_the_default(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    assert replay.main([]) == 1
    assert str(tmp_path / "projects") in capsys.readouterr().err
    (tmp_path / "projects" / "of-ada").mkdir(parents=True)
    compacted_session().write(tmp_path / "projects" / "of-ada" / "one.jsonl")
    assert replay.main(["--peer", "peer=true"]) == 0
