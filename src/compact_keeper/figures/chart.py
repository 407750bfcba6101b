"""The chart of the report: the context in use over time, with the compactions as marks."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compact_keeper.figures.page_parts import figure_shown, form_for, moment_shown, section, short
from compact_keeper.text.times import local_time
from compact_keeper.types import Figures

PAUSE_MAX_SECONDS = 15 * 60  # a longer pause takes no more room than this
MARK_WIDTH_PERCENT = 7.0  # of the chart that a mark takes on a phone: nearer ones stand in rows above each other
ROWS_MAX = 4  # of marks; what finds no room in them stands in the first
GRID_SHARES = (0, 0.5, 1)  # of the chart's height
STEPS_MAX = 4  # compactions of which the chart has room to say both figures
STEP_SHARE = 0.12  # of the chart's height that both figures must lie apart to stand below each other
STEP_WIDTH = 170  # thousandths of the chart's width that both figures take on a phone
RIGHT_X = 880  # from which on a figure stands before its step: behind it is no room


def context_section(figures: Figures) -> str:
    """The chart of the context in use, with the compactions as marks."""
    points: Sequence[tuple[float, int]] = figures["context"]
    if len(points) < 2:
        why = ("One answer so far: the line begins with the second." if points else
               "The transcript that would show it was not found, or is empty.")
        return section("Context over time", "", f"<p>{why}</p>")
    xs = xs_of([when for when, _ in points])
    most = max(tokens for _, tokens in points)
    marks = []
    for which, when in enumerate(figures["marks"], 1):
        x = x_between(when, points, xs)
        if x is not None:
            marks.append((x, which, when))
    data = json.dumps([[round(x, 1), int(when), tokens] for x, (when, tokens) in zip(xs, points)],
                      separators=(",", ":"))
    minutes = PAUSE_MAX_SECONDS // 60
    note = (f"Tokens in the context at each answer, {figure_shown(most)} at most. Numbers mark compactions and lead to "
            f"them. Pauses over {minutes} minutes are drawn as {minutes}.")
    ends = [points[0][0], points[-1][0]]
    form = form_for(ends)
    seconds = " data-seconds" if "%S" in form else ""
    return section("Context over time", note, f"""<figure class="chart" data-points="{data}"{seconds}>
{plot(points, xs, nice_top(most), marks)}
<div class="x">{"".join(f"<span>{moment_shown(end, form)}</span>" for end in ends)}</div>
<div class="moment" hidden><input type="range" min="0" value="0" aria-label="Moment of the session"><output></output>
</div>
</figure>""")


def xs_of(times: Sequence[float]) -> list[float]:
    """Where each moment stands, from 0 to 1000, with long pauses shortened."""
    ways = [0.0]
    for before, after in zip(times, times[1:]):
        ways.append(ways[-1] + min(max(after - before, 0.0), PAUSE_MAX_SECONDS))
    return [1000 * way / (ways[-1] or 1) for way in ways]


def x_between(when: float, points: Sequence[tuple[float, int]], xs: Sequence[float]) -> float | None:
    """Where a compaction stands on the chart: before the first answer after it; None outside of the session."""
    after = next((index for index, point in enumerate(points) if point[0] >= when), len(points))
    if after == 0:
        return None
    if after == len(points):
        return xs[-1]
    if points[after][0] == when:  # a step of its own
        return xs[after]
    return (xs[after - 1] + xs[after]) / 2


def nice_top(most: int) -> int:
    """The chart's top: a round number over the most."""
    step = 10 ** max(len(str(most)) - 2, 0)
    return next((step * size for size in (10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100) if step * size >= most), most)


def plot(points: Sequence[tuple[float, int]], xs: Sequence[float], top: int,
         marks: Sequence[tuple[float, int, float]]) -> str:
    """The line, its axis and the marks; sizes are those of the box, so that nothing of it is scaled but the line."""
    path = " ".join(f"{x:.1f},{1000 - 1000 * tokens / top:.0f}" for x, (_, tokens) in zip(xs, points))
    grid = "".join(f'<path class="grid" d="M0 {1000 - 1000 * share:.0f}h1000"/>' for share in GRID_SHARES)
    cuts = "".join(f'<path class="cut" d="M{at:.1f} 0v1000"/>' for at, _, _ in marks)
    axis = "".join(f'<span class="y" style="top:{100 - 100 * share:.0f}%">{short(top * share)}</span>'
                   for share in GRID_SHARES)
    labels, rows = rows_of(marks)
    if len(marks) <= STEPS_MAX:
        all_at = [at for at, _, _ in marks]
        labels += "".join(step_labels(at, when, points, top) for at, _, when in marks if has_room_for_step(at, all_at))
    return f"""<div class="plot" style="--marks:{1.6 * rows + 0.2:.1f}rem">
<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="Tokens in the context over time">
{grid}<polygon class="area" points="0,1000 {path} 1000,1000"/><polyline class="line" points="{path}"/>{cuts}</svg>
{axis}{labels}</div>"""


def has_room_for_step(at: float, marks: Sequence[float]) -> bool:
    """Whether the figures of the step there would meet neither another mark's line nor its figures."""
    begin = step_begin(at)
    others = [mark for mark in marks if mark != at]
    return marks.count(at) == 1 and not any(
        begin <= x <= begin + STEP_WIDTH for mark in others for x in (mark, step_begin(mark)))


def step_begin(at: float) -> float:
    """Where the figures of the step there begin: beside the step."""
    return at if at < RIGHT_X else at - STEP_WIDTH


def step_labels(at: float, when: float, points: Sequence[tuple[float, int]], top: int) -> str:
    """The tokens before and after a compaction, beside its step; empty where the client did not tell them."""
    step = [tokens for moment, tokens in points if moment == when]
    if len(step) != 2:
        return ""
    side = f"left:{at / 10:.1f}%" if at < RIGHT_X else f"right:{100 - at / 10:.1f}%"
    is_flat = abs(step[0] - step[1]) < STEP_SHARE * top
    words = {max(step): " &rarr; ".join(map(short, step))} if is_flat else {tokens: short(tokens) for tokens in step}
    return "".join(f'<span class="step" style="{side};top:{100 - 100 * tokens / top:.0f}%">{shown}</span>'
                   for tokens, shown in words.items())


def rows_of(marks: Sequence[tuple[float, int, float]]) -> tuple[str, int]:
    """The marks as links above the chart, near ones in rows of their own, and how many rows those are."""
    ends: list[float] = []
    links = []
    for at, which, when in marks:
        anew = len(ends) if len(ends) < ROWS_MAX else 0
        row = next((row for row, end in enumerate(ends) if at / 10 >= end), anew)
        ends[row:row + 1] = [at / 10 + MARK_WIDTH_PERCENT]
        style = f"left:{at / 10:.1f}%;top:{-1.6 * (row + 1):.1f}rem"
        links.append(f'<a class="mark" href="#compaction-{which}" style="{style}" '
                     f'title="Compaction {which}, {local_time(when)}">{which}</a>')
    return "".join(links), len(ends)
