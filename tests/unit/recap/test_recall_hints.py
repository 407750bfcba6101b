"""How the text says that recall is asked: by the skill of the plugin or of a copy, else by the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.recap import recall_hints
from compact_keeper.recap.recall_hints import how_to_ask, how_to_show, recall_call


@pytest.mark.parametrize(("scripts", "skill", "call"), [
    ("plugin/scripts", "plugin/skills/recall", "skill compact-keeper:recall"),
    (".claude/hooks/compact-keeper", ".claude/skills/compact-keeper-recall", "skill compact-keeper-recall"),
    (".claude/hooks", ".claude/skills/mine", "python3 {}")])
def test_how_recall_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripts: str, skill: str,
                             call: str) -> None:
    folder = tmp_path / scripts
    folder.mkdir(parents=True)
    (tmp_path / skill).mkdir(parents=True)
    monkeypatch.setattr(recall_hints, "__file__", str(folder / "restore_snapshot.py"))
    for path in (tmp_path / "archive.db", folder / "recall.py"):
        assert recall_call(str(tmp_path)) == ""
        path.touch()
    call = call.format(folder / "recall.py")
    assert recall_call(str(tmp_path)) == call
    is_skill, name = call.startswith("skill "), call.partition(" ")[2]
    assert (f"{call} (typed: /{name} WORDS)." if is_skill else f"`{call} search WORDS`.") in how_to_ask(call)
    assert how_to_show("k3fq", call) == (f"{call} with `show #k3fq`" if is_skill else f"`{call} show k3fq`")
