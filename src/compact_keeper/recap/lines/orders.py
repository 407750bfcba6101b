"""What subagents were ordered and reported: an order's title, what binds in it, the telling rows of the report."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set

from compact_keeper.client.call_output import INTERRUPTED_LINE
from compact_keeper.client.tools import GENERAL_SUBAGENTS, SUBAGENT_TOOLS
from compact_keeper.recap.wording.in_summary import in_summary
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import folded_line, named_files_edited_since
from compact_keeper.record.calls.reports import BINDS, indexes_within, worth_of
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.length import cut, units
from compact_keeper.types import Item, Line

END_OF_SENTENCE = r"(?<!\b[A-Za-z])(?<!\bvs)(?<!^\d)(?<!^\d\d)[.!?][*\")]{0,3}(?=\s)|[。！？]"
ORDER_SHOWN_UTF16, REPORT_SHOWN_UTF16 = 220, 360  # the first of one that has not reported
ORDER_WHOLE_UTF16, REPORT_WHOLE_UTF16 = 400, 1_000  # where room is left
RUNNING_ORDER_WHOLE_UTF16 = 1_200  # the same of an order that is still worked on: its report is judged by it
SHARED_BY_ORDERS, SHARED_ROW_MIN_UTF16, SHARED_ROWS_MAX_UTF16 = 3, 25, 600  # rows in so many orders are told once
RUNS_OR_WRITES = (  # a row of an order that is a command to run, or says where to write
    r"(?:^|[`:] ?)(?:npx|npm|yarn|pnpm|python3?|pytest|cargo|go (?:test|build|vet)|make|docker|bun|ruff|tsc|cmake|ninja"
    r"|composer|gradle|mvn|dotnet)\b [^,;]{2,80}|\b[Ww](?:rite|RITE)\b.{0,30} (?:to|in|into):? \S{1,200}\.\w{1,5}\b")
KNOWN_ROW_FACTOR = 0.3  # of the worth of a row that the summary has
SAME_ORDER_SHARE = 0.75  # of an order's rows, which one that gives it anew has too


class Orders:
    """The orders to subagents, by key; each is put into words when its line is wanted: most have no room."""

    def __init__(self, items: Sequence[Item], summary: str, paths: Paths) -> None:
        """Those among the items."""
        self.summary, self.paths = summary, paths
        self.orders = [item for item in items if item["kind"] == "action" and item["tool"] in SUBAGENT_TOOLS]
        self.by_key = {item["key"]: item for item in self.orders}
        self.shared, self.sharing = shared_rows(self.orders)
        self.given_anew = orders_given_anew(self.orders)
        self.edited = {item["path"]: item["last"] for item in items if is_file_edit(item)}

    def line_of(self, key: str) -> Line | None:
        """The line of the order with this key, None without one; that of the newest has what several orders share."""
        if key not in self.by_key:
            return None
        line = order_line(self.by_key[key], self.shared, self.summary, self.paths, self.edited)
        if key != self.orders[-1]["key"]:
            return line
        rows = [row for row in self.shared if not in_summary(row, self.summary)]
        if not rows:
            return line
        words = cut(ROW_END.join(rows).replace("**", ""), SHARED_ROWS_MAX_UTF16)
        given = f"\n- In {self.sharing} subagents' orders alike: {words}"
        return {**line, "text": line["text"] + given, "whole": line["whole"] + given}


def orders_given_anew(orders: Sequence[Item]) -> set[int]:
    """The identities of orders that were reported on, then given anew by title and most rows, and reported on again.

    Two that had asked for a permission stood with each their plea below the report of the third. Reviews of one title
    with other rows are of other changes, and one order given to several at once is to be answered by each.
    """
    anew = set[int]()
    newest: dict[str, Item] = {}  # by title the newest that was reported on
    for order in reversed(orders):
        rows, again = {*order.get("ordered", [])}, newest.get(order["text"])
        same = rows & {*again.get("ordered", [])} if again and again["first"] > order["last"] else set[str]()
        if rows and len(same) >= SAME_ORDER_SHARE * len(rows):
            anew.add(id(order))
        elif order["result"] and order["verdict"] == "ended":
            newest.setdefault(order["text"], order)
    return anew


def shared_rows(orders: Sequence[Item]) -> tuple[list[str], int]:
    """The rows that the newest order shares with others, and with how many orders these are; all in the same ones.

    Rows of two kinds of orders had stood as one, and "do not write any files" was told of a developer's.
    """
    sharers: dict[str, list[int]] = {}
    for index, order in enumerate(orders):
        for row in dict.fromkeys(order.get("ordered", [])):
            if units(row) >= SHARED_ROW_MIN_UTF16:
                sharers.setdefault(row, []).append(index)
    groups: dict[tuple[int, ...], list[str]] = {}
    for row, indexes in sharers.items():
        if len(indexes) >= SHARED_BY_ORDERS and indexes[-1] == len(orders) - 1:
            groups.setdefault(tuple(indexes), []).append(row)
    most = max(groups, key=lambda indexes: len(groups[indexes]), default=())
    return groups.get(most, []), len(most)


def order_line(item: Item, shared: Collection[str], summary: str, paths: Paths, edited: Mapping[str, str]) -> Line:
    """What a subagent was ordered, of that what binds and stands in no other order, and the rows of its report.

    Of an order that is worked on where room is left all its rows; in short it stands only until the report is there.
    `edited`: by path the time of the last edit.
    """
    own = (row for row in item.get("ordered", [])
           if row not in shared and row not in item["text"] and not in_summary(row, summary))
    order = whole_order = ""
    if item["verdict"] == "running":
        rows = [*own]  # 1,400 units at most
        order = order_in_short([row for row in rows if re.search(BINDS, row)], ORDER_SHOWN_UTF16)
        whole_order = order_in_short(rows, RUNNING_ORDER_WHOLE_UTF16)
    elif item["verdict"] != "failed":
        rows = [*own]
        order = order_in_short([row for row in rows if re.search(RUNS_OR_WRITES, row)], ORDER_SHOWN_UTF16)
        binding = [row for row in rows if re.search(rf"{BINDS}|{RUNS_OR_WRITES}", row)]
        whole_order = order_in_short(binding, ORDER_WHOLE_UTF16)
    reported = item["result"].splitlines()
    known = {row for row in reported if in_summary(row, summary)}
    worths = [worth_of(reported, index) for index in range(len(reported))]
    report = report_in_short(item, REPORT_SHOWN_UTF16, worths, known)
    whole_report = report_in_short(item, REPORT_WHOLE_UTF16, worths, known)
    agent = f" {item['agent']}" if item.get("agent") else ""
    kind = item.get("subagent_type", "")
    if kind and kind not in GENERAL_SUBAGENTS:  # the person speaks of "the reviewer"
        agent += f" ({kind})"
    head = f"- Subagent{agent}: {folded_line(item['text'])}"
    later = [path for path, time in edited.items() if time > item["last"]]
    since = named_files_edited_since(item["result"], later)
    return {"items": [item], "text": paths.short(f"{head}{order}{report}{since}"),
            "whole": paths.short(f"{head}{whole_order}{whole_report}{since}")}


def order_in_short(rows: Iterable[str], limit: int) -> str:
    """The first of an order's rows, within so many UTF-16 units; a mark for those behind them, which are not looked at.

    An order for nine files had ended with the second, and read as one for two.
    """
    kept = list[str]()
    for row in rows:
        limit -= units(row + ROW_END)
        if limit < 0:
            kept += [ROWS_BETWEEN] if kept else []
            break
        kept.append(row.replace("**", ""))
    return f"; in its order: {ROW_END.join(kept)}" if kept else ""


def report_in_short(item: Item, limit: int, worths: Sequence[float], known: Set[str]) -> str:
    """The telling rows of a subagent's report behind an arrow, or that there is none, yet or for good.

    `worths`: of its rows uncut; `known`: rows that the summary has.
    """
    rows = item["result"].splitlines()
    if not rows:
        return " → (no report yet)" if item["verdict"] == "running" else ""
    if item["verdict"] == "failed" and rows[0] == INTERRUPTED_LINE:
        return " → interrupted by the user, no report"
    shown, indexes = rows_made_short(rows, whole_sentences, limit, worths, known)
    is_bare = not indexes or (indexes == [0] and not ends_sentence(shown[0]))  # a title, without what stands below it
    if is_bare and "" in shown:
        shown, indexes = rows_made_short(rows, cut, limit, worths, known)
    indexes = indexes or [0]
    parts = list[str]()
    for index in indexes:
        gap = "… " if index and index - 1 not in indexes else ""
        parts.append(gap + shown[index].replace("**", "").strip("#| -"))
    end = " …" if indexes[-1] < len(rows) - 1 else ""
    verb = "FAILED" if item["verdict"] == "failed" else "reported"
    return f" → {verb}{made_calls(item)}: {ROW_END.join(parts)}{end}"


def rows_made_short(rows: Sequence[str], shorten: Callable[[str, int], str], limit: int, worths: Sequence[float],
                    known: Set[str]) -> tuple[list[str], list[int]]:
    """A report's rows, the long ones made shorter so, and the indexes of those that tell most within the limit."""
    shown = [shorten(row, limit * 3 // 5) for row in rows]
    values = list[float]()
    for index, row in enumerate(shown):
        with_head = slice(max(index - 1, 0), index + 1)  # a row and the heading above it
        is_uncut = shown[with_head] == rows[with_head]
        value = worths[index] if is_uncut else worth_of(shown, index)
        values.append(value * KNOWN_ROW_FACTOR if row in known else value)
    return shown, indexes_within(shown, values, limit, rows)


def ends_sentence(row: str) -> bool:
    """Whether a row ends with a sentence, or behind one is cut."""
    return re.search(rf"(?:{END_OF_SENTENCE})\s*{ROWS_BETWEEN}?\s*\Z", f"{row} ") is not None


def whole_sentences(row: str, limit: int) -> str:
    """The row; of a longer one, or one that is kept cut, the sentences that fit, and a mark; empty where none does.

    "It raises `Un…" had stood of an error that is caught, as the same sentence says.
    """
    if units(row) <= limit and not row.endswith(ROWS_BETWEEN):
        return row
    shown = cut(row.removesuffix(ROWS_BETWEEN), limit)
    ends = [match.end() for match in re.finditer(END_OF_SENTENCE, shown)]
    return f"{shown[:ends[-1]]} {ROWS_BETWEEN}" if ends and not row.startswith("|") else ""


def made_calls(item: Item) -> str:
    """That the subagent made no call of a tool, in a bracket: some reported files that they had "created" in words."""
    return " (without one call of a tool: it wrote and ran nothing)" if item.get("tool_calls") == 0 else ""
