"""Hooks go into the text of a settings.json and out again, and no other byte changes."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edit_settings
from edit_settings import add, remove
from save_snapshot import Refusal

RUN = '"$CLAUDE_PROJECT_DIR/.claude/hooks/compact-keeper/run_hook.py"'


def hook(script: str, timeout: int = 5) -> dict[str, Any]:
    return {"type": "command", "command": f"python3 -IS {RUN} {script} || true", "timeout": timeout}


HOOKS: dict[str, list[dict[str, Any]]] = {
    "PostToolUse": [{"matcher": "Bash|Edit", "hooks": [hook("record_event.py")]}],
    "UserPromptSubmit": [{"hooks": [hook("record_event.py"), hook("restore_snapshot.py", 10)]}],
    "PreCompact": [{"hooks": [hook("save_snapshot.py", 15)]}],
}
NEWER = {**HOOKS, "Stop": [{"hooks": [hook("save_snapshot.py", 15)]}]}
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


@pytest.mark.parametrize(("text", "told"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_edited_is_refused_with_its_place(text: str, told: str) -> None:
    for edit in (partial(add, text, HOOKS), partial(remove, text)):
        with pytest.raises(Refusal) as refused:
            edit()
        assert told in str(refused.value)
        assert len(str(refused.value)) < 300


def test_keys_twice_that_are_in_nobodys_way_stay() -> None:
    text = '{"model": 1, "model": 2, "hooks": {"Stop": [{"matcher": "", "matcher": "", "hooks": []}]}}'
    assert remove(add(text, HOOKS)) == text


# Any settings, in any form -----------------------------------------------------------------------

SPACES = st.text(" \t\r\n", max_size=3)
NAMES = st.sampled_from(["hooks", "Stop", "PreCompact", "PostToolUse", "model", "{", "]", 'a"b', "é\u2028", "\ud800"])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """The value as somebody may have written it: any space, any escapes."""
    if isinstance(value, dict):
        pairs = [(draw(written(key)), draw(SPACES), draw(SPACES), draw(written(one))) for key, one in value.items()]
        return bracketed(draw, "{}", [f"{key}{before}:{behind}{one}" for key, before, behind, one in pairs])
    if isinstance(value, list):
        return bracketed(draw, "[]", [draw(written(one)) for one in value])
    ascii_only = draw(st.booleans()) or "\ud800" in str(value)
    return json.dumps(value, ensure_ascii=ascii_only)


def bracketed(draw: st.DrawFn, brackets: str, members: list[str]) -> str:
    inner = ",".join(draw(SPACES) + one + draw(SPACES) for one in members) or draw(SPACES)
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
    added = add(text, HOOKS)
    assert remove(added) == text
    assert add(added, HOOKS) == added
    assert remove(add(added, NEWER)) == text
    assert remove(text) == text


@given(TEXTS | PRETTY)
def test_every_other_value_stays(text: str) -> None:
    before, after = (json.loads(one.lstrip("\ufeff")) for one in (text, add(text, HOOKS)))
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
    reformatted = json.dumps(json.loads(add(json.dumps(settings), HOOKS)), indent=2)
    left = json.loads(remove(reformatted))
    own = {event: groups for event, groups in settings.get("hooks", {}).items() if groups or event not in HOOKS}
    assert left == ({**settings, "hooks": own} if own else {k: one for k, one in settings.items() if k != "hooks"})


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
    hooks = {"PreCompact": HOOKS["PreCompact"], "Stop": [{"hooks": [hook("save_snapshot.py")]}]}
    for unit in ("  ", "    ", "\t"):
        text = json.dumps(json.loads(BY_CLIENT), indent=unit)
        wanted = json.loads(BY_CLIENT)
        wanted["hooks"]["PreCompact"] += hooks["PreCompact"]
        wanted["hooks"]["Stop"] = hooks["Stop"]
        assert add(text, hooks) == json.dumps(wanted, indent=unit)


def test_an_older_version_of_ours_is_replaced() -> None:
    old = {"Stop": [{"hooks": [hook("save_all.py")]}], "PreCompact": [{"hooks": [hook("save_snapshot.py", 99)]}]}
    assert add(add(BY_CLIENT, old), HOOKS) == add(BY_CLIENT, HOOKS)


def test_a_hook_that_somebody_put_into_our_group_stays() -> None:
    for first in (True, False):
        settings = json.loads(add("{}", HOOKS))
        settings["hooks"]["PreCompact"][0]["hooks"].insert(0 if first else 1, OWN)
        left = json.loads(remove(json.dumps(settings, indent=2)))
        assert left == {"hooks": {"PreCompact": [{"hooks": [OWN]}]}}


def test_what_was_written_behind_ours_stays() -> None:
    added = add('{"a": 1}', HOOKS)
    text = added[:-1] + ',\n  "b": 2}'
    assert remove(text) == '{"a": 1,\n  "b": 2}'


def test_a_command_that_only_looks_like_ours_stays() -> None:
    for command in ("python3 .claude/hooks/run_hook.py", "hooks/compact-keeper.sh", "ls compact-keeper/run_hook.py"):
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
        assert remove(text) == text


def test_five_megabytes_take_no_minute() -> None:
    text = json.dumps({f"key {number}": ["x" * 40] * 10 for number in range(11_000)}, indent=2)
    assert len(text) > 5 << 20
    begun = time.monotonic()
    assert remove(add(text, HOOKS)) == text
    assert time.monotonic() - begun < 20


def test_style_is_taken_from_the_text() -> None:
    assert edit_settings.style('\ufeff{\r\n\t"a": 1}') == ("\t", "\r\n")
    assert edit_settings.style('{"a": 1}') == ("  ", "\n")
