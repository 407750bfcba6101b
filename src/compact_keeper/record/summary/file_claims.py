"""Files that a summary calls created or deleted while the disk lacks them, or has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.record.summary.claims import claims_of, form_of
from compact_keeper.record.summary.git_claims import is_edited
from compact_keeper.record.summary.statements import statements_of
from compact_keeper.types import Item, Statement

MADE_FORM = form_of({
    "created": "new )|new file|created|added|wrote|written|angelegt|creado|créé",
    "deleted": "deleted|removed|dropped|got rid of|erased|gelöscht|eliminado|se eliminó|supprimé",
    "there": "exists|exist|in place|there|still present|still around|on disk",
    "absent": "there is no|there's no|gone|n'existe plus|no existe"},
    first="created deleted absent",
    silent="to script module obsolete dead legacy now-unused was were longer neu freshly",
    ends="with|for|to hold|in this|this session|by me|any more|any longer|right away|containing|along|which|that|mit"
         "|con|avec|describing|holding|defining|implementing|exporting|providing|using|outright|anymore|holds"
         "|contains|defines|provides")
IS_MADE = {"created": True, "there": True, "deleted": False, "absent": False}
LATER, WAS = frozenset("later then temporarily temporary restored again".split()), frozenset(("was", "were"))
COURSES = {"created": LATER, "deleted": LATER, "there": WAS, "absent": WAS}  # it went on beside these
PATH = r"`?((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[a-zA-Z]\w{0,7})`?"
PLANS = r"(?i)\b(?:pending|next|todo|to (?:create|add|write|delete|remove)|plan\w*|propos\w*|remaining|optional)\b"
MOVED_FILES = r"\b(?:rm|mv|unlink|trash|git (?:rm|mv))\b"  # by a command that names them, or one of their folders
NAMING_SEVERAL = ("*", "$", " .")  # in a command, which may so name any file
MOVED_TREE = (r"\bgit (?:stash|reset|clean|restore|merge|rebase|pull|worktree|(?:checkout|switch)(?! -[bBcC]))\b"
              r"|\b(?:find|xargs)\b.{0,300}(?:rm|mv|delete)\b")


def file_claims(statements: Sequence[Statement], items: Sequence[Item],
                files: Mapping[str, bool | None]) -> Iterator[tuple[str, str]]:
    """The summary's sentence on a file created or deleted, where the disk lacks it or has it."""
    actions = [item for item in items if item["kind"] == "action"]
    named = list(files_named(statements)) if files else []
    for state, path, text in named:
        is_there, is_made = files.get(path), IS_MADE[state]
        tells_both = any(other == path and IS_MADE[kind] != is_made for kind, other, _ in named)  # the course of things
        if not isinstance(is_there, bool) or is_there == is_made or tells_both:
            continue
        last = max((action["position"] for action in actions if is_edited(path, [action])), default=-1)
        moves = [action["position"] for action in actions if may_move(action["text"], path)]
        if is_made and not any(position > last for position in moves):
            yield text, f"the disk has no {path} now"
        elif not is_made and not any(position < last for position in moves):
            yield text, f"{path} still exists" if state == "deleted" else f"the disk has {path} now"


def may_move(command: str, path: str) -> bool:
    """Whether a command may have put the file there or taken it away: it may move any file, or names a part of this."""
    if re.search(MOVED_TREE, command):
        return True
    names = (*path.split("/"), *NAMING_SEVERAL)
    return re.search(MOVED_FILES, command) is not None and any(name in command for name in names)


def paths_in(summary: str) -> list[str]:
    """The paths that the summary calls created or deleted: those that the disk is to be asked of."""
    return list(dict.fromkeys(path for _, path, _ in files_named(statements_of(summary))))


def files_named(statements: Sequence[Statement]) -> Iterator[tuple[str, str, str]]:
    """What is told of it, one of IS_MADE, the path, the sentence."""
    for statement in statements:
        words = statement["words"]
        if MADE_FORM["cues"].isdisjoint(words) or re.search(PLANS, statement["heading"]):
            continue
        paths = [(place, place + 1, path[1]) for place, path in enumerate(map(path_of, words, ["", *words])) if path]
        for claim in claims_of(words, paths, MADE_FORM):
            if COURSES[claim["state"]].isdisjoint(words):
                yield claim["state"], claim["thing"], statement["text"]


def path_of(word: str, before: str) -> re.Match[str] | None:
    """The path that the word is; none where it goes on before the word."""
    is_whole = word[0] == "`" or ("/" in word and before not in (".", "/", "~"))
    return re.fullmatch(PATH, word) if is_whole else None
