"""Many compactions of one session by the hooks: rules and pins come back each time, the folder stays small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deliveries import events
from many_compactions import CYCLES, HOOK_FIELDS, MEMORY_MAX_BYTES, RULE, of_cycles, work
from sessions import Home, Session, hook_input, items_of, texts_of, units

PIN = "The carrier's sandbox answers only on weekdays."


def test_hooks_deliver_rule_and_pin_after_50_compactions(tmp_path: Path) -> None:
    home, path = Home(tmp_path / "home"), tmp_path / "transcript.jsonl"
    home.session.mkdir(parents=True)
    pin = {"schema": 1, "time": "2026-01-01T00:00:00.000Z", "text": PIN}
    (home.session / "pins.jsonl").write_text(json.dumps(pin) + "\n", encoding="utf-8")
    parts, texts = of_cycles(CYCLES, 3), []
    for part in (parts[0], *parts[-2:]):
        assert home.save(part.write(path)).code == 0
        texts.append(home.restore(path).restored)
    assert [(RULE in text[:2_000], PIN in text[:2_000], units(text) <= 9_800) for text in texts] == [(True,) * 3] * 3
    assert (home.session / "memory.json").stat().st_size < MEMORY_MAX_BYTES
    assert (home.stored("memory.json")["cycle"], home.log()) == (CYCLES - 1, [])


def test_many_compactions_by_hooks_leave_few_files(tmp_path: Path) -> None:
    home, path = Home(tmp_path / "home"), tmp_path / "transcript.jsonl"
    for part in of_cycles(5, 1):
        home.run("answer_prompt.py", hook_input("UserPromptSubmit", path, prompt="Add the importer."))
        home.save(part.write(path))
        home.restore(path)
    names = sorted({file.name.partition("-")[0] for file in home.session.iterdir()} - {"ledger.jsonl"})
    assert names == ["compaction.json", "delivered", "history.jsonl", "ledger.folded.jsonl", "memory.json", "notes.md",
                     "snapshot.json", "status.json"]


def test_what_was_delivered_is_not_learned_in_the_next_cycles(tmp_path: Path) -> None:
    home, path, made = Home(tmp_path / "home"), tmp_path / "transcript.jsonl", Session()
    made.typed(RULE)
    work(made, 0, 2)
    kept = []
    for _ in range(3):
        home.save(made.write(path))
        memory = home.stored("memory.json")
        kept.append({kind: texts_of(memory, kind) for kind in ("rule", "message", "said", "action")})
        text = home.restore(path).restored
        assert RULE in text
        made.compacted(f"Summary.\n{text}")
        made.attachment(type="hook_additional_context", content=[text], **HOOK_FIELDS)
    assert kept[0] == kept[1] == kept[2]


@pytest.mark.parametrize(("is_kept", "count"), [(True, 2), (False, 0)])
def test_that_what_was_put_back_has_arrived_is_noted_without_a_prompt(
        tmp_path: Path, is_kept: bool, count: int) -> None:
    """Claude may compact for hours while nobody types; the last one's receipt a prompt tells."""
    home, path, made = Home(tmp_path / "home"), tmp_path / "transcript.jsonl", Session()
    made.typed(RULE)
    for cycle in range(3):
        work(made, 10 * cycle, 2)
        home.save(made.write(path))
        text = home.restore(path).restored
        made.compacted("Summary.")
        if is_kept:
            made.attachment(type="hook_additional_context", content=[text], **HOOK_FIELDS)
    ids = {name: [event["id"] for event in events(home, name)] for name in ("restore", "receipt")}
    assert len(ids["restore"]) == 3
    assert ids["receipt"] == ids["restore"][:count]
    assert home.log() == []


def test_a_rule_stays_gone_when_the_whole_file_is_another_one(tmp_path: Path) -> None:
    home, made = Home(tmp_path / "home"), Session()
    made.typed("Always indent with tabs.")
    made.typed("Never push to main.")
    made.typed("Forget the tabs rule.")
    for name in ("first.jsonl", "second.jsonl"):
        home.save(made.write(tmp_path / name))
    rules = items_of(home.stored("memory.json"), "rule")
    assert [(rule["text"], rule["uses"]) for rule in rules] == [("Never push to main.", 1)]
