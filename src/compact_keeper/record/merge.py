"""Joins items of the same thing into one, and leaves out what is closed and what is too much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.record.endings import OUTCOME_FIELDS
from compact_keeper.record.items import EARLIER_MAX
from compact_keeper.text.length import cut, is_same_when_cut
from compact_keeper.types import Ending, Item, ItemFields, Settings, TypedBefore

KEY_MAX_CHARACTERS = 500  # of a key or text that are compared: as much as is kept of a key
CLOSED = ("gone", "ended", "answered")  # not kept any more; of an ended job how it ended is
LASTING = ("rule", "message", "task", "plan", "question", "answer", "refusal", "job")  # kinds that go last
KIND_MAX = {"said": 100, "look": 200, "message": 200, "rule": 100, "answer": 60, "refusal": 40, "job": 60, "task": 200}
ROWS_READ_MAX = 8  # parts of a file that is read piece by piece
WHOLE_MESSAGES, OLD_MESSAGE_MAX_UTF16 = 30, 1_500  # the newest messages are kept whole, of older ones so much
END_FIELDS = ("text", "verdict", "result", "position", "last", "ends", *OUTCOME_FIELDS)  # of an end that is kept
FIELDS_OF_RUN = ("pid", "result", "exit_code", "is_signalled")  # of a job, which one that is started anew has not


def identity(item: Item) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = str(item.get("key") or item["text"])[:KEY_MAX_CHARACTERS]
    if not key.isascii():
        import unicodedata
        key = unicodedata.normalize("NFKC", key)
    return item["kind"], " ".join(key.casefold().split())


def merge(known: Iterable[Item], new: Iterable[Item], settings: Settings) -> list[Item]:
    """All items in order; the same ones are one, as they were last, counts added; at most `max_items`."""
    table = {identity(item): item for item in known}
    for item in new:
        nothing: Item = {}
        old = table.pop(identity(item), nothing)
        is_call = item["kind"] in ("action", "look")
        if is_call and old and old["source"] != item["source"] and old["position"] > item["position"]:
            table[identity(item)] = old  # a call that still waits comes again at each save; the same was begun since
            continue
        is_awaited = item.get("key") == item["source"]  # a subagent: its action says how it ended
        is_ended_job = bool(old) and item["kind"] == "job" and item["status"] == "ended" and not is_awaited
        if (item["status"] not in CLOSED or is_ended_job) and (old or item["text"]):
            table[identity(item)] = renewed_item(old, item)
    items = sorted(table.values(), key=lambda item: int(item["position"]))
    return shortened_messages(within_bounds(items, settings["max_items"]))


def renewed_item(old: Item, item: Item) -> Item:
    """The item as it is now, with what only the old one says, and the counts of both; `old` may be empty.

    A call without a result comes again at each save until it has one, and counts once.
    """
    if not old:
        return item
    is_same_call = old["source"] == item["source"]
    if item.get("verdict") == "running" and not is_same_call and item["position"] <= old["position"]:
        return old  # it waits since before the newer call, and came at the save before
    first = old["first"] or item["first"]
    if item["kind"] == "message" and not is_same_when_cut(old["text"], item["text"]):
        return {**item, "first": first}  # typed anew with other words at its end
    counts: ItemFields = {"uses": counted(old["uses"], item["uses"], is_same_call)}
    if "edits" in item:
        is_first_result = old.get("verdict") == "running"  # then it counted as a use, and changed nothing yet
        counts["edits"] = counted(old.get("edits", 0), item["edits"], is_same_call and not is_first_result)
    evidence: ItemFields = {"evidence": old["evidence"]} if "evidence" in old else {}  # a `tail` may have cut it off
    renewed: Item = {**evidence, **item, **counts, "first": first}
    if item["kind"] == "look":
        return with_all_rows(old, renewed) if item["tool"] == "Read" else renewed
    if item["kind"] == "action":
        return with_earlier(old, renewed, is_same_call)
    is_started_anew = item["kind"] == "job" and not is_same_call
    if item["kind"] == "message" and not is_same_call:
        item = {**item, "typed_before": times_typed(old)}
    known: Any = {name: value for name, value in old.items() if not (is_started_anew and name in FIELDS_OF_RUN)}
    values: Any = {name: value for name, value in item.items() if value not in ("", None, [])}
    return {**item, **known, **values, **counts, "first": item["first"] if is_started_anew else first}


def times_typed(message: Item) -> list[TypedBefore]:
    """When a message was typed, the last times: what was done then stands under it, and not under an order between."""
    last: TypedBefore = {"position": message["position"], "time": message["last"]}
    return [*message.get("typed_before", []), last][-EARLIER_MAX:]


def with_earlier(old: Item, renewed: Item, is_same_call: bool) -> Item:
    """The action with how it ended before, where that was different."""
    earlier = old.get("earlier", []) if is_same_call else earlier_endings(old, renewed)
    others = [ending for ending in earlier if key_of_ending(ending) != key_of_ending(renewed)]
    return {**renewed, "earlier": others} if others else renewed


def with_all_rows(old: Item, look: Item) -> Item:
    """The file that was read with the rows of both reads; without any where one of them took it whole."""
    if old.get("rows_read") and look.get("rows_read") and not look["result"]:
        return {**look, "rows_read": list(dict.fromkeys([*old["rows_read"], *look["rows_read"]]))[-ROWS_READ_MAX:]}
    whole: Item = {**look}
    whole.pop("rows_read", None)
    return whole


def counted(before: int, now: int, is_known: bool) -> int:
    """The count of both; where the newer one was counted already, the higher."""
    return max(before, now) if is_known else before + now


def without_refused(items: Iterable[Item], refused: Set[str]) -> Iterator[Item]:
    """The items without calls that waited at an earlier save and were then refused: what ran before stays."""
    for item in items:
        if item["kind"] not in ("action", "look") or item["source"] not in refused:
            yield item
        elif item.get("earlier"):
            yield as_before(item)


def as_before(item: Item) -> Item:
    """The action as it ended the last time before this one."""
    *earlier, last = item["earlier"]
    before: Item = {**item, **last, "earlier": earlier, "uses": max(item["uses"] - 1, 1)}
    if not earlier:
        del before["earlier"]
    return before


def without_edits_of(calls: Set[str], items: Iterable[Item]) -> Iterator[Item]:
    """The items without the edits of these calls, which are told again: the ledger knew none of their lines."""
    for item in items:
        if item["kind"] != "action" or item["tool"] not in CHANGING_TOOLS or item["source"] not in calls:
            yield item


def within_bounds(items: list[Item], items_max: int) -> list[Item]:
    """The newest of each kind, and of all; of those that last longer than the work, such as rules, none goes before.

    The first message stays: it mostly says what the session is for.
    """
    count: dict[str, int] = {}
    kept = []
    first = next((item for item in items if item["kind"] == "message"), None)
    for item in reversed(items):
        count[item["kind"]] = count.get(item["kind"], 0) + 1
        if count[item["kind"]] <= KIND_MAX.get(item["kind"], items_max) or item is first or item.get("via") == "plan":
            kept.append(item)
    lasting = [item for item in kept if item["kind"] in LASTING][:items_max]
    others = [item for item in kept if item["kind"] not in LASTING][:items_max - len(lasting)]
    chosen = {id(item) for item in (*lasting, *others)}
    return [item for item in items if id(item) in chosen]


def shortened_messages(items: list[Item]) -> list[Item]:
    """The items, old messages not longer than is ever put back; a plan stays whole, it is what the session is for."""
    messages = [item for item in items if item["kind"] == "message" and item.get("via") != "plan"]
    old = {id(item) for item in messages[1:-WHOLE_MESSAGES]}
    return [{**item, "text": cut(item["text"], OLD_MESSAGE_MAX_UTF16)} if id(item) in old else item for item in items]


def earlier_endings(old: Item, new: Item) -> list[Ending]:
    """How the same action ended before, where it was different: the last three, each other one at its newest."""
    if old.get("verdict") == "running":
        return list(old.get("earlier", []))
    before: Any = {name: old.get(name) for name in END_FIELDS if name in old}
    others = [ending for ending in [*old.get("earlier", []), before] if key_of_ending(ending) != key_of_ending(new)]
    newest = {key_of_ending(ending): ending for ending in others}
    return [*newest.values()][-EARLIER_MAX:]


def key_of_ending(ending: Ending) -> tuple[str, str]:
    """What makes two ends of the same action the same."""
    return ending["verdict"], ending["result"]
