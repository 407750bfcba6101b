"""A text that is too long for one hook, with the real client: its parts reach the model, in their order, each once.

The client puts together what the hooks of one start say in the order in which they end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any, NamedTuple

import pytest

import client
import scenario
from compact_keeper.recap.lines.header import HEADER
from compact_keeper.recap.parts import FURTHER_HEADERS, HARD_STOP
from compact_keeper.store.rest import REST_MAX_UTF16
from delivered import parts_given, utf16_units
from scenario import Played
from scripted_api import Request
from special_plays import play_parts
from workspace import INSTALLS, Workspace

pytestmark = pytest.mark.e2e

NAMES = dict(zip((HEADER, *FURTHER_HEADERS), ("first", "second", "third")))
ALL = [*NAMES.values()]
# Clients that lose what a hook said when another process resumes: the next prompt brings the first part again.
LOSING = {("2.1.76", "manual"), ("2.1.105", "manual")}
AS_OF_OLD = "by hand, as of old"
REPLACED_WORDS = ("persisted-output", "Output too large", "Preview (first")


class Scene(NamedTuple):
    """A played session: how it came about, its requests, and what was noted of it; the parts as they went out last."""

    version: str
    install: str
    compaction: str
    played: Played
    events: list[dict[str, Any]]
    sent: str
    log: list[str]


# Without the further commands one kind is enough: the next events carry the further parts, whatever client and kind.
SCENES = [
    *((version, "plugin-dir", compaction) for version, compaction in client.versions_and_kinds([*scenario.PLAYS])),
    *((version, AS_OF_OLD, compaction) for version, compaction in zip(
        client.versions_of_plays_alike(), cycle(("manual", "automatic"))))]


@pytest.fixture(scope="module", params=SCENES, ids="-".join)
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """One client, one way of installing and one kind of compaction."""
    version, install, compaction = request.param
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        INSTALLS[install](workspace)
        played = play_parts(workspace, compaction)
        log = [path.read_text(encoding="utf-8") for path in workspace.data.glob("hook.log")]
        session = workspace.data / "sessions" / played.session
        *_, mark = [*session.glob("delivered-*"), *session.glob("repaired-*")]
        sent = str(json.loads(mark.read_text(encoding="utf-8"))["text"])
        yield Scene(version, install, compaction, played, workspace.events(played.session), sent, log)


def order_of(request: Request) -> list[str]:
    """Which parts a request holds, in their order."""
    return [NAMES[words] for words in re.findall("|".join(map(re.escape, NAMES)), request.text())]


def test_all_parts_are_there_in_the_end_each_once_and_in_order(scene: Scene) -> None:
    assert {run.code for run in scene.played.runs} == {0}
    assert len(scene.played.after) == 1
    assert order_of(scene.played.requests[-1]) == ALL
    for request in scene.played.requests:
        assert order_of(request) in (ALL[:count] for count in range(4))


def test_where_the_further_parts_come_from(scene: Scene) -> None:
    """The first request after the compaction has all; without their commands, or where they were lost, the next two."""
    after = scene.played.requests[scene.played.requests.index(scene.played.after[0]):]
    is_late = scene.install == AS_OF_OLD or (scene.version, scene.compaction) in LOSING
    assert [order_of(request) for request in after[:3]] == ([ALL[:1], ALL[:2], ALL] if is_late else [ALL] * 3)
    carried = [event["on"] for event in scene.events if event["event"] == "rest"]
    assert carried[-2:] == ["PostToolUse" if is_late else "SessionStart"] * 2


def test_each_part_is_whole(scene: Scene) -> None:
    last = scene.played.requests[-1]
    first, second, third = parts_given(last)
    assert HARD_STOP * 0.7 < utf16_units(first) <= HARD_STOP  # a remark that is as long begins the second
    assert REST_MAX_UTF16 * 0.6 < utf16_units(second) <= REST_MAX_UTF16  # a remark of 3,000 begins the third
    assert 1_000 < utf16_units(third) <= REST_MAX_UTF16
    assert f"{first}\n\n{second}\n\n{third}" == scene.sent
    noted = [event["units"] for event in scene.events if event["event"] in ("restore", "repair")][-1]
    assert sum(map(utf16_units, (first, second, third))) == noted
    assert not [word for word in REPLACED_WORDS if word in last.text()]
    assert scene.log == []
