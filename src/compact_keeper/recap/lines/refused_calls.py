"""Calls of the client's tools that were refused each time, on two lines: tools that are not there, and the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.recap.wording.phrases import shared_line
from compact_keeper.record.calls.refused_calls import NO_SUCH_TOOL, refused_each_time, times_refused
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.types import Item, Line

TOOLS_SHOWN_MAX, REFUSALS_SHOWN_MAX = 8, 3
GIVEN_SHOWN_UTF16, WHY_REFUSED_UTF16 = 80, 160


def refused_call_lines(actions: Sequence[Item]) -> Iterator[Line]:
    """The lines; each tool once with how often it was called, of a refusal its reason and what was given last."""
    refused = refused_each_time(actions)
    missing = [calls for calls in refused if calls[0]["result"].startswith(NO_SUCH_TOOL)]
    others = [calls for calls in refused if calls not in missing]
    if missing:
        names = ", ".join(f"{as_code(calls[0]['tool'])}{times(calls)}" for calls in missing[:TOOLS_SHOWN_MAX])
        yield shared_line(f"- no such tool, said the client, and none of them worked: {names}")
    if others:
        yield shared_line(f"- refused each time, and no call of the tool worked: "
                          f"{'; '.join(map(refusal, others[:REFUSALS_SHOWN_MAX]))}")


def refusal(calls: Sequence[Item]) -> str:
    """The tool with what was given last, how often it was called, and why it was refused."""
    given = f" {cut(calls[0]['text'], GIVEN_SHOWN_UTF16)}" if calls[0]["text"] else ""
    count = times_refused(calls)
    which = f" (the last of {count} calls)" if count > 1 else ""
    return f"{as_code(calls[0]['tool'] + given)}{which} → {cut(calls[0]['result'], WHY_REFUSED_UTF16)}"


def times(calls: Sequence[Item]) -> str:
    """How often these calls came, in a bracket; empty of a single one."""
    count = times_refused(calls)
    return f" ({count} times)" if count > 1 else ""
