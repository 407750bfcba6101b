"""What an answer picks of what the agent offered: by the letters and numbers of its lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.text.marks import QUESTION_MARKS
from compact_keeper.text.quotation import quote

OPTION = r"(?im)^[ \t>*_#-]{0,8}(?:option )?\(?([a-h]|\d{1,2})[).:\]][\s*_]{1,4}\S.{0,300}$"
MENU_OPTION = r"\[([A-Za-z]|\d{1,2})\] (\S[^\[\n]{1,100})"  # of several on one line: [A] Go on [B] Stop
LIST_MAX_OPTIONS, LISTED_OPTION_MAX_UTF16 = 6, 300
PICK = (r"(?i)(?:(?:yes|ok|okay|let'?s|go with|do|take|use|i'?d|prefer|choose|pick|option|number|nr|no\.?|#|and"
        r"|please|,|\.|:|for|with|i|say|think|the|answer)\s{0,3}){0,5}(?P<mark>[a-z]|\d{1,2})[).!,:]?(?=$|[\s).,;:!])")
SEVERAL_PICKED = (
    r"(?i)\W*(?:(?:yes|ok|okay|oke|let'?s|do|both|options?|numbers?|go with|take|use|please),? ){0,4}"
    r"(?P<signs>(?:[a-h]|\d{1,2})"
    r"(?:(?:\s?[+&,]\s?|,? (?:and|then|and then) | (?:und|et|y|e|dan|en|och|и) |\s?[-–]\s?)"
    r"(?:option )?(?:[a-h]|\d{1,2}))+)(?=[\s.!,;:)]|\Z)")
RANGE_PICKED = r"(\d{1,2})\s?[-–]\s?(\d{1,2})"
NO_WORD = r"(?i)[ai](?:\W*$|,? (?:option|works|is (?:fine|good|ok|better)|sounds|looks|please|it is|and [b-h]\b))"
ANSWER_OF_ITS_OWN = r"(?:^|[\s,;；，、。])([^\W_]{1,2})[).:](?=[^\W\d_]|\s)"
NUMBER_BEGINS = r"(?<![\w.,:/-])(\d{1,2})(?![\d.,:/%-]|\s?(?:min|sec|times|h\b|px|cm|kg))"  # no time, no amount
SEVERAL = 2  # answers by number: a single one picks
BEFORE_ANSWERS_MAX_CHARACTERS = 300
NUMBERED_ANSWERS_MAX_CHARACTERS = 2_000  # of a message in which they are looked for
NAMES_OPTION = r"(?i)\W{0,3}(?:option|opción|opção|方案|选项|選項)"
OPTION_NAMED = r"(?im)^\W{{0,12}}(?:option|opción|opção|方案|选项|選項) ?{}\b.{{0,400}}"
PICK_MAX_CHARACTERS = 80  # of a message that picks; in a longer one a sign stands behind the letter


def picked_line(text: str, offered: str) -> tuple[str, list[str]]:
    """The line of the agent's words that a message picks by its letter or number, and the list that it stands in.

    Where it picks several ("1 + 2"), these alone; empty when it picks none.
    """
    several = signs_picked(text) if len(text) <= PICK_MAX_CHARACTERS else []
    if several and (lists := [options for options in offered_lists(offered) if {*several} <= {*options}]):
        return "", [lists[-1][sign] for sign in several][:LIST_MAX_OPTIONS]
    mark = re.match(PICK, text)
    if not mark:
        return "", []
    sign, behind = mark["mark"], text[mark.end("mark"):mark.end("mark") + 1]
    is_word = sign.lower() in ("a", "i") and not re.match(NO_WORD, text[mark.start("mark"):])  # of English
    is_first = mark.start("mark") == 0 and re.match(r", *[^\W\d]", text[mark.end("mark"):])  # "1, as it is …", if long
    is_long = len(text) > PICK_MAX_CHARACTERS and not is_first
    if (is_word or is_long) and behind not in (")", ".", ":"):
        return "", []
    # By its name before any list: "Option 1" was a heading, and the first thing to do stood for it.
    named = re.search(OPTION_NAMED.format(re.escape(sign)), offered) if re.match(NAMES_OPTION, text) else None
    if named:
        return quote(named[0].lstrip(" *_->#").rstrip(" *_"), LISTED_OPTION_MAX_UTF16), []
    lists = [options for options in offered_lists(offered) if sign.lower() in options]
    others = {*re.findall(NUMBER_BEGINS, text)} - {sign}
    if lists and (signs_answered(text, lists[-1]) - {sign.lower()} or others & {*lists[-1]}):
        return "", []  # "1. yes 2. the left one", "1 fix, 3yes": each line is answered, none is picked
    return (lists[-1][sign.lower()], [*lists[-1].values()][:LIST_MAX_OPTIONS]) if lists else ("", [])


def signs_picked(text: str) -> list[str]:
    """The letters or numbers of several lines that a message picks together; empty where it names one or none."""
    match = re.match(SEVERAL_PICKED, text)
    if not match:
        return []
    signs = re.sub(RANGE_PICKED, lambda ends: " ".join(map(str, range(int(ends[1]), int(ends[2]) + 1))), match["signs"])
    return [sign.lower() for sign in re.findall(r"\b(?:[a-hA-H]|\d{1,2})\b", signs)]


def answered_lines(text: str, offered: str) -> list[str]:
    """The agent's questions that a message answers by their letters or numbers, where it answers several; else none.

    A list of what was done is none: the person's own list has numbers, too. Nor is a list far down in the message: a
    new order's steps had passed for answers.
    """
    text = text[:NUMBERED_ANSWERS_MAX_CHARACTERS]
    answers = list(re.finditer(ANSWER_OF_ITS_OWN, text))
    if len(answers) < SEVERAL or answers[0].start() > BEFORE_ANSWERS_MAX_CHARACTERS:  # as in most messages
        return []
    for options in reversed(offered_lists(offered)):
        signs = signs_answered(text, options)
        if len(signs) >= SEVERAL:
            lines = [line for sign, line in options.items() if sign in signs][:LIST_MAX_OPTIONS]
            return lines if any(mark in line for line in lines for mark in QUESTION_MARKS) else []
    return []


def signs_answered(text: str, options: Iterable[str]) -> set[str]:
    """Those of the options' letters and numbers that begin an answer in the text."""
    return {sign.lower() for sign in re.findall(ANSWER_OF_ITS_OWN, text)} & {*options}


def offered_lists(words: str) -> list[dict[str, str]]:
    """The lists in the agent's words whose lines begin with a letter or a number, and menus on one line: by sign."""
    lists: list[dict[str, str]] = []
    for line in re.finditer(OPTION, words):
        sign = line[1].lower()
        options = lists[-1] if lists and not begins_list(sign, lists[-1]) else list_around(sign, lists)
        if not options:
            lists.append(options)
        options[sign] = quote(line[0].lstrip(" *_->#").rstrip(" *_"), LISTED_OPTION_MAX_UTF16)
    for line_of_menu in words.splitlines():
        menu = re.findall(MENU_OPTION, line_of_menu) if line_of_menu.count("[") > 1 else []
        if len(menu) > 1:
            lists.append({sign.lower(): quote(f"[{sign}] {text}".strip(), LISTED_OPTION_MAX_UTF16)
                          for sign, text in menu})
    return lists


def list_around(sign: str, lists: Sequence[dict[str, str]]) -> dict[str, str]:
    """The list that goes on with this letter or number behind another within it; an empty one where none does.

    Of four numbered questions, each with answers A to C, the first had stood alone, and "1. A; 2. B" picked it.
    """
    before = next((options for options in reversed(lists[:-1]) if sign.isdigit() == [*options][-1].isdigit()), None)
    last = [*before][-1] if before else ""
    is_next = last and (int(sign) == int(last) + 1 if sign.isdigit() else ord(sign) == ord(last) + 1)
    return before if before and is_next else {}


def begins_list(sign: str, before: dict[str, str]) -> bool:
    """Whether a line with this letter or number begins a list of its own behind the one before."""
    return sign in ("a", "1") or sign in before or sign.isdigit() != next(iter(before)).isdigit()
