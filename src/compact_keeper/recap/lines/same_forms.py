"""Commands of one form, that differ in the words of an option alone: many of them are one line with these words.

Twelve answers to review comments took four thousand characters, each with the same beginning and an answer of the
server that says nothing. Where the words are code (`python -c`, `ssh host "…"`) each run is a deed of its own.

So are calls of one tool that had the same answer but for paths and ids: of a voice that spoke and was played back a
sixth of a text was "Success. File saved as". The two newest say what the others were like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.lines.turns import in_all
from compact_keeper.recap.wording.commands import command_in_short
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import folded_line, middle_out
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.types import Item, Line

SAME_FORM_MIN = 3
FORM_SHOWN_UTF16, WORDS_SHOWN_UTF16, WORDS_WHOLE_UTF16, RUNS_SHOWN_MAX = 120, 70, 200, 15
TEXT_OF_A_FORM_CHARACTERS = 1_000
OPTION_WORDS = (  # what stands in quotation marks behind an option or a field's name, cut off perhaps
    r"(?:(?<=[=\s])--?[\w-]{1,30}[= ]|\b\w{1,30}=)(?P<words>\"(?:[^\"\\]|\\.){4,}(?:\"|\Z)|'[^']{4,}(?:'|\Z))")
TAKES_CODE = (r"\b(?:ssh|python[\d.]*|node|deno|bun|tsx|bash|sh|zsh|psql|sqlite3|mysql|mongosh|redis-cli|sed|awk|jq"
              r"|perl|ruby|php|osascript|docker|kubectl|curl|wget|xargs|find)\b|(?<=\s)-[ce]\b")
FORM_NUMBER, VALUE = r"\d+", "\0"
NEWEST_CALL_UTF16, CALL_BEFORE_UTF16, ANSWER_OF_CALLS_UTF16 = 180, 100, 120
PATH_OR_ID = r"\S{0,200}/\S{1,200}|\b(?=[A-Za-z_-]{0,40}\d)(?=[\d_-]{0,40}[A-Za-z])[\w-]{6,80}\b"  # of an answer
CHANGES_SOMETHING = (  # by its name: each such call is a deed of its own
    r"(?i)write|edit|creat|updat|delet|remov|insert|add|move|renam|patch|apply|send|post|set|upload|execut|run|submit"
    r"|merge|commit|push|deploy|publish|reply|comment")
HEREDOC = r"^\"\$\(cat <<-?\s?['\"]?\w+['\"]?\s*"


def with_same_forms_joined(items: Sequence[Item]) -> list[Item]:
    """The items; of many commands or calls of one form the newest stands for all, with their words, newest last."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        form = form_of(item)
        if form:
            groups.setdefault(form, []).append(item)
    same: dict[int, list[Item]] = {}  # by the identity of the newest item of a form all of it
    gone = set[int]()
    for group in groups.values():
        if len(group) >= SAME_FORM_MIN:
            same[id(group[-1])] = group
            gone.update(id(item) for item in group[:-1])
    return [newest_of(same[id(item)]) if id(item) in same else item for item in items if id(item) not in gone]


def newest_of(group: Sequence[Item]) -> Item:
    """The newest item of a form, with the words of all, the newest last, and when the first came."""
    return {**group[-1], "same": [item["text"] for item in group], "first": group[0]["first"]}


def form_of(item: Item) -> str:
    """What is the same of a command or a call and of others of its form; empty where it has none."""
    if is_plain_deed(item):
        return form_without_words(item["text"])
    return form_of_answer(item) if is_plain_call(item) else ""


def is_plain_deed(item: Item) -> bool:
    """Whether it is a command that ended, checks nothing and made no commit."""
    return (item["kind"] == "action" and item["tool"] in SHELL_TOOLS and item["verdict"] == "ended"
            and item.get("family") not in CHECK_FAMILIES and not item.get("commit"))


def is_plain_call(item: Item) -> bool:
    """Whether it is a call, done once, of a tool that only answers, and not one of the client's own.

    Those are the tools for files, commands and subagents.
    """
    if item["kind"] != "action" or item["verdict"] != "ended" or item.get("uses", 1) != 1 or item["text"] == "":
        return False
    if item.get("made") or item.get("ticket") or item["tool"] in (*SHELL_TOOLS, *CHANGING_TOOLS, *SUBAGENT_TOOLS):
        return False
    return not re.search(CHANGES_SOMETHING, item["tool"].rpartition("__")[2])


def form_of_answer(item: Item) -> str:
    """The tool and its answer without the paths and ids in it; numbers may be what was asked for, and stay."""
    answer = re.sub(PATH_OR_ID, VALUE, item["result"])
    return f"{item['tool']}{VALUE}{answer}" if item["result"] and answer != item["result"] else ""


def form_without_words(command: str) -> str:
    """The command without the words of its options and without numbers; empty where no option has words."""
    text = command[:TEXT_OF_A_FORM_CHARACTERS]
    if VALUE in text or not ('"' in text or "'" in text):
        return ""
    form = re.sub(OPTION_WORDS, lambda match: match[0].replace(match["words"], VALUE), text)
    if VALUE not in form or re.search(TAKES_CODE, re.sub(OPTION_WORDS, "", text)):
        return ""
    return re.sub(FORM_NUMBER, "0", form)


def same_calls_line(item: Item, paths: Paths) -> Line:
    """The calls of a form on one line: how many, the newest with its answer, and what the one before it was given."""
    *_, before, newest = (paths.short(text) for text in item["same"])
    given = f"{middle_out(newest, NEWEST_CALL_UTF16)}; before: {middle_out(before, CALL_BEFORE_UTF16)}"
    answer = cut(paths.short(item["result"]), ANSWER_OF_CALLS_UTF16)
    text = f"- {len(item['same'])} calls{in_all(item, item['first'])} of {item['tool']}, the newest: {given} → {answer}"
    return {"items": [item], "text": text}


def same_form_line(item: Item, paths: Paths) -> Line:
    """The commands of a form on one line: the form, then what differs, the newest first; calls by `same_calls_line`."""
    if item["tool"] not in SHELL_TOOLS:
        return same_calls_line(item, paths)
    runs = [words_of_options(text) for text in reversed(item["same"])]
    differing = [words for words in zip(*runs) if len({*words}) > 1]  # an option's words in each of the runs
    form = command_in_short(item["text"], paths)
    for newest, *_ in differing:
        form = form.replace(paths.short(ROW_END.join(newest.splitlines())), "…")
    begin = f"- {len(runs)} runs{in_all(item, item['first'])} like {as_code(cut(form, FORM_SHOWN_UTF16))}"
    if not differing:
        return {"items": [item], "text": begin, "whole": begin}
    of_each_run = [*zip(*differing)][:RUNS_SHOWN_MAX]
    more = f"; {len(runs) - RUNS_SHOWN_MAX} more" if len(runs) > RUNS_SHOWN_MAX else ""
    short = "; ".join(in_words(words, WORDS_SHOWN_UTF16) for words in of_each_run)
    whole = "; ".join(in_words(words, WORDS_WHOLE_UTF16) for words in of_each_run)
    return {"items": [item], "text": f"{begin}: {short}{more}", "whole": f"{begin}: {whole}{more}"}


def words_of_options(command: str) -> list[str]:
    """The words behind the command's options, with their quotation marks."""
    return [match["words"] for match in re.finditer(OPTION_WORDS, command[:TEXT_OF_A_FORM_CHARACTERS])]


def in_words(values: Sequence[str], limit: int) -> str:
    """What a run's options had, each within so many UTF-16 units, without its marks and on one line."""
    bare = [folded_line(re.sub(HEREDOC, "", value).strip("\"'")) for value in values]
    return " ".join(f"“{cut(words, limit)}”" for words in bare)
