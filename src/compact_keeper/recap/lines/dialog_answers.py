"""What was chosen in the client's dialogs as lines, and what was passed over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.wording.phrases import folded_line
from compact_keeper.text.length import cut
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Ago, Item, Line

OPTION_SHOWN_UTF16, QUESTION_SHOWN_UTF16, OLD_QUESTION_SHOWN_UTF16 = 90, 220, 130


def answer_line(item: Item, ago: Ago, is_old: bool) -> Line:
    """What was chosen in a dialog, with the options passed over; what the chosen one means where room is left.

    An option is its label and what it means; the answer names several options, or has notes behind them. An old one
    stays short: a row of dialogs had filled the section, most of them overtaken by the last.
    """
    question = in_quotes(cut(item["question"], OLD_QUESTION_SHOWN_UTF16 if is_old else QUESTION_SHOWN_UTF16))
    chosen, options = folded_line(item["text"]), item.get("options", [])
    others = [option for option in options if not is_chosen(option, chosen, item.get("picks_one", False))]
    is_typed = bool(options) and len(others) == len(options)
    verb = "typed" if is_typed else "chose"
    meaning = chosen if is_old else next((option for option in options if option.startswith(f"{chosen}: ")), chosen)
    head, tail = f"- ({ago(item['last'])}) In a dialog: {question} → {verb} ", passed_over(others, is_typed)
    return {"items": [item], "text": f"{head}{in_quotes(chosen)}{tail}", "whole": f"{head}{in_quotes(meaning)}{tail}"}


def is_chosen(option: str, answer: str, picks_one: bool) -> bool:
    """Whether an answer is the option, or names it among others; "ImageGeneratorPro" is not "ImageGenerator".

    Where one alone may be picked, "Whole year, but never on holidays" is an answer of one's own, not "Whole year".
    """
    label = re.escape(option.partition(": ")[0])
    form = rf"{label}(?=$|: | \()" if picks_one else rf"(?:^|.*, ){label}(?=$|, |: | \()"
    return option.startswith(answer) or re.match(form, answer) is not None


def passed_over(options: Sequence[str], is_typed: bool = False) -> str:
    """The options that were not taken, each its label or beginning; empty when there are none.

    Of an answer in words of one's own only that they were offered: it may take one of them on a condition.
    """
    labels = [in_quotes(cut(option.partition(": ")[0], OPTION_SHOWN_UTF16)) for option in options]
    return f"; {'offered' if is_typed else 'not'} {', '.join(labels)}" if labels else ""
