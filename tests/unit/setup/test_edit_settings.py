"""Hooks and a status line go into the text of a settings.json and out again, and no other byte changes."""

from __future__ import annotations

import json
import shlex
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compact_keeper.setup.edit_settings import with_hooks, without_hooks, without_ours
from compact_keeper.setup.json_text import style
from compact_keeper.setup.status_line_text import add_status_line, remove_status_line, runs_ours
from compact_keeper.store.refusal import Refusal

FOLDER = "$CLAUDE_PROJECT_DIR/.claude/hooks/compact-keeper"
RUN = f'"{FOLDER}/run_hook.py"'


def hook(name: str, timeout: int = 5) -> dict[str, Any]:
    return {"type": "command", "command": f'sh "{FOLDER}/run" {name} || true', "timeout": timeout}


def hook_of_0_6_0(name: str, timeout: int = 5) -> dict[str, Any]:
    command = f'set -- -IS {RUN} {name}.py; python3 "$@" || case $? in 49|126|127) python "$@"; esac || true'
    return {"type": "command", "command": command, "timeout": timeout}


HOOKS: dict[str, list[dict[str, Any]]] = {
    "PostToolUse": [{"matcher": "Bash|Edit", "hooks": [hook("record_event")]}],
    "UserPromptSubmit": [{"hooks": [hook("answer_prompt", 15)]}],
    "PreCompact": [{"hooks": [hook("save_snapshot", 15), hook("another", 15)]}],
}
OLDER: dict[str, list[dict[str, Any]]] = {
    "PostToolUse": [{"matcher": "Bash|Edit", "hooks": [hook_of_0_6_0("record_event")]}],
    "UserPromptSubmit": [{"hooks": [hook_of_0_6_0("record_event"), hook_of_0_6_0("restore_snapshot", 10)]}],
    "Stop": [{"hooks": [hook_of_0_6_0("save_snapshot", 15)]}],
}
OWN = {"type": "command", "command": "make lint"}

# What is refused ---------------------------------------------------------------------------------


BROKEN = {
    "empty": ("", "line 1, column 1"),
    "blank": (" \n\n", "line 3, column 1"),
    "comma-at-the-end": ('{\n  "model": "opus",\n}', "line "),
    "comma-missing": ('{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: Expecting \',\' delimiter: "b": 2'),
    "quote-missing": ('{\n  "a: 1\n}', 'line 2, column '),
    "comment": ('{\n  // mine\n  "a": 1\n}', "// mine"),
    "single-quotes": ("{'a': 1}", "{'a': 1}"),
    "torn": ('{"a": [1, 2', "line 1, column "),
    "two-objects": ('{}\n{}', "line 2, column 1: nothing may follow the end: {}"),
    "two-marks": ("\ufeff\ufeff{", "line 1"),
    "mark-inside": ('{\ufeff"a": 1}', "line 1, column 2"),
    "line-break-in-a-string": ('{"a": "b\nc"}', "line 1, column 9"),
    "nan": ('{"a": "NaN",\n "b": NaN}', "line 2, column 7: NaN is no value in JSON"),
    "infinity": ('{"a": -Infinity}', "column 7: -Infinity"),
    "list": ("[1]", "the whole is not an object"),
    "null": ("null", "the whole is not an object"),
    "string": ('"{}"', "the whole is not an object"),
    "deep": ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deep"),
    "hooks-list": ('{"hooks": []}', 'column 11: "hooks" is not an object'),
    "hooks-null": ('{"hooks": null}', '"hooks" is not an object'),
    "event-object": ('{"hooks": {"Stop": {}}}', '"Stop" is not a list'),
    "event-null": ('{"hooks": {\n"Stop": null}}', 'line 2, column 9: "Stop" is not a list'),
    "hooks-twice": ('{"hooks": {},\n"hooks": {}}', 'line 2, column 1: "hooks" stands here a second time'),
    "hooks-twice-escaped": ('{"hooks": {},\n"hook\\u0073": {}}', '"hooks" stands here a second time'),
    "event-twice": ('{"hooks": {"Stop": [],\n "Stop": []}}', 'line 2, column 2: "Stop" stands here a second time'),
    "long-line": ('{"a": "' + "x" * 100_000 + '" "b": 1}', "column 100010: Expecting ',' delimiter"),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_edited_is_refused_with_its_place(text: str, reason: str) -> None:
    for edit in (partial(with_hooks, text, HOOKS), partial(without_ours, text)):
        with pytest.raises(Refusal) as refused:
            edit()
        assert reason in str(refused.value)
        assert len(str(refused.value)) < 300


def test_keys_twice_that_are_in_nobodys_way_stay() -> None:
    text = '{"model": 1, "model": 2, "hooks": {"Stop": [{"matcher": "", "matcher": "", "hooks": []}]}}'
    assert without_ours(with_hooks(text, HOOKS)) == text


# Any settings, in any form -----------------------------------------------------------------------

SPACES = st.text(" \t\r\n", max_size=3)
NAMES = st.sampled_from(["hooks", "Stop", "PreCompact", "PostToolUse", "model", "{", "]", 'a"b', "é\u2028", "\ud800"])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """The value as somebody may have written it: any space, any escapes."""
    if isinstance(value, dict):
        pairs = [(draw(written(key)), draw(SPACES), draw(SPACES), draw(written(item))) for key, item in value.items()]
        return bracketed(draw, "{}", [f"{key}{before}:{behind}{item}" for key, before, behind, item in pairs])
    if isinstance(value, list):
        return bracketed(draw, "[]", [draw(written(item)) for item in value])
    ascii_only = draw(st.booleans()) or "\ud800" in str(value)
    return json.dumps(value, ensure_ascii=ascii_only)


def bracketed(draw: st.DrawFn, brackets: str, members: list[str]) -> str:
    inner = ",".join(draw(SPACES) + member + draw(SPACES) for member in members) or draw(SPACES)
    return brackets[0] + inner + brackets[1]


ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(st.just(OWN), max_size=2)}) | ANY, max_size=2)
SETTINGS = st.fixed_dictionaries({}, optional={
    "model": ANY, "é": ANY,
    "hooks": st.dictionaries(st.sampled_from(["PreCompact", "PostToolUse", "SessionStart"]), GROUPS, max_size=3)})
TEXTS = st.tuples(st.sampled_from(["", "\ufeff"]), SPACES, SETTINGS.flatmap(written), SPACES).map("".join)
PRETTY = st.tuples(SETTINGS, st.sampled_from([None, 2, 4, "\t"]), st.sampled_from(["\n", "\r\n"]), SPACES).map(
    lambda drawn: json.dumps(drawn[0], indent=drawn[1]).replace("\n", drawn[2]) + drawn[3])


@given(TEXTS | PRETTY)
@example("{}")
@example("{\n}\n")
@example('{"hooks": {}}')
@example('{"hooks": {\n}}')
@example('{"hooks": {"PreCompact": []}}')
@example('{"hooks": {"PreCompact": [\n\n]}}')
@example('{\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}')
def test_what_was_added_goes_without_a_trace(text: str) -> None:
    added = with_hooks(text, HOOKS)
    assert without_ours(added) == text
    assert with_hooks(added, HOOKS) == added
    assert without_ours(with_hooks(added, OLDER)) == text
    assert without_ours(text) == text


@given(TEXTS | PRETTY)
def test_every_other_value_stays(text: str) -> None:
    before, after = (json.loads(version.lstrip("\ufeff")) for version in (text, with_hooks(text, HOOKS)))
    listed = {event: after["hooks"][event][-len(groups):] for event, groups in HOOKS.items()}
    assert listed == HOOKS
    for event, groups in HOOKS.items():
        del after["hooks"][event][-len(groups):]
    own = {event: groups for event, groups in after.pop("hooks").items() if groups}
    assert own == {event: groups for event, groups in before.pop("hooks", {}).items() if groups}
    assert list(after.items()) == list(before.items())


@given(SETTINGS)
def test_what_the_client_wrote_anew_goes_too(settings: dict[str, Any]) -> None:
    """The client formats the file in its own way when it changes a setting."""
    reformatted = json.dumps(json.loads(with_hooks(json.dumps(settings), HOOKS)), indent=2)
    left = json.loads(without_ours(reformatted))
    own = {event: groups for event, groups in settings.get("hooks", {}).items() if groups or event not in HOOKS}
    assert left == ({**settings, "hooks": own} if own else {k: value for k, value in settings.items() if k != "hooks"})


# What people do with it --------------------------------------------------------------------------

BY_CLIENT = """\
{
  "permissions": {
    "allow": ["Bash(ls:*)"]
  },
  "hooks": {
    "PreCompact": [
      {
        "hooks": [
          {"type": "command", "command": "make lint"}
        ]
      }
    ]
  }
}
"""


def test_hooks_stand_behind_those_that_were_there_in_the_files_own_indentation() -> None:
    hooks = {"PreCompact": HOOKS["PreCompact"], "Stop": [{"hooks": [hook("save_snapshot")]}]}
    for unit in ("  ", "    ", "\t"):
        text = json.dumps(json.loads(BY_CLIENT), indent=unit)
        wanted = json.loads(BY_CLIENT)
        wanted["hooks"]["PreCompact"] += hooks["PreCompact"]
        wanted["hooks"]["Stop"] = hooks["Stop"]
        assert with_hooks(text, hooks) == json.dumps(wanted, indent=unit)


def test_an_older_version_of_ours_is_replaced() -> None:
    by_hand = {"type": "command", "command": f'python3 -IS "{FOLDER}/record_event.py" || true'}
    for old in (OLDER, {"PreCompact": [{"hooks": [hook("of_old", 9)]}]}, {"UserPromptSubmit": [{"hooks": [by_hand]}]}):
        assert with_hooks(with_hooks(BY_CLIENT, old), HOOKS) == with_hooks(BY_CLIENT, HOOKS)


def test_a_hook_that_somebody_put_into_our_group_stays() -> None:
    for first in (True, False):
        settings = json.loads(with_hooks("{}", HOOKS))
        settings["hooks"]["PreCompact"][0]["hooks"].insert(0 if first else 1, OWN)
        left = json.loads(without_ours(json.dumps(settings, indent=2)))
        assert left == {"hooks": {"PreCompact": [{"hooks": [OWN]}]}}


def test_what_was_written_behind_ours_stays() -> None:
    added = with_hooks('{"a": 1}', HOOKS)
    text = added[:-1] + ',\n  "b": 2}'
    assert without_ours(text) == '{"a": 1,\n  "b": 2}'


def test_a_command_that_only_looks_like_ours_stays() -> None:
    for command in ("python3 .claude/hooks/run_hook.py", "hooks/compact-keeper.sh", "ls compact-keeper/run_hook.py"):
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
        assert without_ours(text) == text


# The status line ---------------------------------------------------------------------------------

LINES = {
    "null": ("null", '"statusLine" is not an object'),
    "text": ('"echo mine"', '"statusLine" is not an object'),
    "list": ("[]", '"statusLine" is not an object'),
    "empty": ("{}", '"statusLine" is not of type "command", with the command as a text'),
    "other-type": ('{"type": "static", "command": "x"}', 'is not of type "command"'),
    "type-twice": ('{"type": "command",\n"type": "command", "command": "x"}', 'line 3, column 1: "type" stands here a'),
    "command-twice": ('{"type": "command", "command": "x", "command": "x"}', '"command" stands here a second time'),
    "no-command": ('{"type": "command"}', "with the command as a text"),
    "command-list": ('{"type": "command", "command": ["x"]}', "with the command as a text"),
    "command-null": ('{"type": "command", "command": null}', "with the command as a text"),
    "ours-in-another": ('{"type": "command", "command": "nice sh -c \'python3 -IS /x/run_hook.py status_line.py\'"}',
                        "line 2, column 46: the status line runs compact-keeper's in a way of its own; take that out"),
    "ours-and-more": ('{"type": "command", "command": "python3 -IS /run_hook.py status_line.py | nl"}', "that out"),
    "the-script": ('{"type": "command", "command": "~/.claude/hooks/compact-keeper/status_line.py"}', "take that out"),
}


@pytest.mark.parametrize(("value", "reason"), LINES.values(), ids=LINES)
def test_a_status_line_of_another_form_is_refused_and_stays(value: str, reason: str) -> None:
    text = f'{{"model": 1,\n"statusLine": {value}}}'
    with pytest.raises(Refusal) as refused:
        add_status_line(text, RUN)
    assert reason in str(refused.value)
    assert without_ours(with_hooks(text, HOOKS)) == remove_status_line(text) == text


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_edited_gets_no_status_line(text: str, reason: str) -> None:
    for edit in (partial(add_status_line, text, RUN), partial(remove_status_line, text)):
        with pytest.raises(Refusal) as refused:
            edit()
        assert reason in str(refused.value)


def test_two_status_lines_are_refused_and_stay() -> None:
    text = '{"statusLine": {"type": "command", "command": "a"}, "statusLine": {"type": "command", "command": "b"}}'
    with pytest.raises(Refusal, match='"statusLine" stands here a second time'):
        add_status_line(text, RUN)
    assert without_ours(text) == text


COMMANDS = st.text(st.sampled_from("'\"\\$`; \n\tu0027é🚢\x7f\u2028")) | st.text()


@st.composite
def escaped(draw: st.DrawFn, command: str) -> str:
    """The command between JSON's quotes, each character escaped in one of the ways that JSON has."""
    plain = json.dumps(command, ensure_ascii=False)[1:-1]
    codes = [f"\\u{ord(char):04x}" if char < "\ud800" else char for char in command]
    shown = [json.dumps(char, ensure_ascii=False)[1:-1] for char in command]
    return draw(st.sampled_from([plain, "".join(codes), "".join(map(draw, map(st.sampled_from, zip(codes, shown))))]))


@st.composite
def with_line(draw: st.DrawFn) -> tuple[str, str]:
    """A settings text in any form, with a status line in any form; its command."""
    command = draw(COMMANDS)
    members = [draw(written(key)) + draw(SPACES) + ":" + draw(SPACES) + draw(written(value)) for key, value in
               draw(SETTINGS).items()]
    fields = draw(st.permutations(['"type": "command"', f'"command":{draw(SPACES)}"{draw(escaped(command))}"',
                                   '"padding" : 0, "refresh": {"command": 7}']))
    members.insert(draw(st.integers(0, len(members))), f'"statusLine":{draw(SPACES)}{bracketed(draw, "{}", fields)}')
    return draw(SPACES) + bracketed(draw, "{}", members) + draw(SPACES), command


def line_in(text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text.lstrip("\ufeff"))["statusLine"]
    return line


@given(with_line())
def test_the_command_that_was_there_comes_back_in_the_very_escapes_it_had(drawn: tuple[str, str]) -> None:
    text, command = drawn
    added = add_status_line(text, RUN)
    line = line_in(added)
    assert shlex.split(line.pop("command"))[:3] == ["set", "--", command + ";"]
    assert line == {"type": "command", "padding": 0, "refresh": {"command": 7}}
    assert add_status_line(added, RUN) == added
    assert remove_status_line(added) == remove_status_line(add_status_line(added, "'/elsewhere/run_hook.py'")) == text
    assert remove_status_line(text) == text
    reformatted = json.dumps(json.loads(added), indent=3)
    assert json.loads(remove_status_line(reformatted)) == json.loads(text)
    ascii_quotes = added.replace("'", "\\u0027")  # as PowerShell writes them
    if "'" not in text:
        assert json.loads(remove_status_line(ascii_quotes)) == json.loads(text)


EDITS = [partial(with_hooks, hooks=HOOKS), partial(with_hooks, hooks=OLDER), partial(add_status_line, run_hook=RUN),
         partial(add_status_line, run_hook="run_hook.py"), partial(add_status_line, run_hook=RUN, is_project=True),
         remove_status_line, without_hooks]


@given(TEXTS | PRETTY | with_line().map(lambda drawn: drawn[0]), st.lists(st.sampled_from(EDITS), max_size=6))
def test_in_whatever_order_they_come_and_go_nothing_is_left(text: str, edits: list[Any]) -> None:
    edited = text
    for edit in edits:
        edited = edit(edited)
    assert without_ours(edited) == text


BY_HAND = [  # as README had it once, and as status_line.py has it
    'python3 -IS "$(ls -td ~/.claude/plugins/cache/compact-keeper/compact-keeper/*/ | head -1)scripts/run_hook.py" '
    "status_line.py", 'python3 -IS "/x y/run_hook.py" status_line.py', "python -IS ~/x/run_hook.py status_line.py",
    "python3 -IS ~/x/run_hook.py status_line.py --wrap-own"]


@pytest.mark.parametrize("command", BY_HAND)
def test_what_was_set_by_hand_is_brought_up_to_date_and_taken_out(command: str) -> None:
    text = json.dumps({"model": 1, "statusLine": {"type": "command", "command": command}}, indent=2)
    wanted = line_in(add_status_line("{}", RUN))["command"]
    assert line_in(add_status_line(text, RUN))["command"] == wanted
    assert json.loads(without_ours(text)) == {"model": 1}
    around = command.removesuffix("-own").removesuffix(" --wrap") + " --wrap 'it'\\''s'"
    wrapping = json.dumps({"statusLine": {"type": "command", "command": around}})
    assert line_in(without_ours(wrapping))["command"] == "it's"
    theirs = json.dumps({"statusLine": {"type": "command", "command": "it's"}})
    assert add_status_line(wrapping, RUN) == add_status_line(theirs, RUN)


def test_in_a_project_that_has_no_line_the_persons_own_is_asked_for() -> None:
    for before in ("{}", add_status_line("{}", RUN)):  # as up to 0.17.0, which is brought up to date
        added = add_status_line(before, RUN, is_project=True)
        command = line_in(added)["command"]
        assert f"{RUN}; " in command
        assert "status_line.py --wrap-own; " in command
        assert runs_ours(command)
        assert add_status_line(added, RUN, is_project=True) == added
        assert "--wrap-own" not in add_status_line(added, RUN)
        assert without_ours(added) == "{}"
    theirs = json.dumps({"statusLine": {"type": "command", "command": "it's"}})
    assert add_status_line(theirs, RUN, is_project=True) == add_status_line(theirs, RUN)


def test_a_command_of_theirs_that_sounds_like_ours_is_wrapped() -> None:
    for command in ("python3 ~/.claude/status_line.py", "f=1; run_hook.py", "set -- 'a'; f=run_hook.py; status.sh"):
        text = json.dumps({"statusLine": {"type": "command", "command": command}})
        assert without_ours(text) == text
        assert not runs_ours(command)
        assert runs_ours(line_in(add_status_line(text, RUN))["command"])


def test_what_was_written_around_the_status_line_since_stays() -> None:
    text = '{"statusLine": {"type": "command", "command": "mine"}, "model": 1}'
    since = add_status_line(text, RUN).replace('"model": 1', '"model": 2').replace('"type"', '"padding": 3, "type"')
    assert without_ours(since) == text.replace('"model": 1', '"model": 2').replace('"type"', '"padding": 3, "type"')
    alone = add_status_line('{"model": 1}', RUN)[:-1] + ',\n  "b": 2}'
    assert without_ours(alone) == '{"model": 1,\n  "b": 2}'


def test_a_long_command_comes_to_an_end() -> None:
    for command in ("'" * 100_000, "\\'" * 100_000):
        text = json.dumps({"statusLine": {"type": "command", "command": command}})
        added = add_status_line(text, RUN)
        assert without_ours(added) == text
        nearly = added.replace("'", "\\u0027").replace("status_line.py", "status_lime.py")
        assert without_ours(nearly) == nearly


# All of it ---------------------------------------------------------------------------------------


def test_five_megabytes_come_to_an_end() -> None:
    text = json.dumps({f"key {number}": ["x" * 40] * 10 for number in range(11_000)}, indent=2)
    assert len(text) > 5 << 20
    assert without_ours(add_status_line(with_hooks(text, HOOKS), RUN)) == text


def test_style_is_taken_from_the_text() -> None:
    assert style('\ufeff{\r\n\t"a": 1}') == ("\t", "\r\n")
    assert style('{"a": 1}') == ("  ", "\n")
