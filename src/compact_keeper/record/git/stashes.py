"""Stashes of git as the session's commands made them and took them back: the one module that knows these commands.

A stash goes on top of the pile, and `pop`, `apply`, `drop` take the top one where they name none. Where it is not
certain which one was taken, all that it may have been count as taken: a stash that is told as left is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.record.commands.shell import pieces_of
from compact_keeper.record.endings import ENDED_WELL, endings_of
from compact_keeper.record.git.parsed_calls import git_calls
from compact_keeper.types import Ending, GitCall, Item, Stash

MAKING_STASH = ("push", "save")
TAKING_STASH = ("pop", "apply", "drop", "clear", "branch")
PUTTING_BACK_STASH = ("pop", "apply", "branch")
LEAVING_CHANGES = r"-(?:[a-oq-z]*[pS]|-patch$|-staged$|-pathspec-from-file)"  # in the working tree
MESSAGE_OPTIONS = ("-m", "--message")
QUIET_OPTIONS = ("-q", "--quiet")
NAMED_STASH = r"(?:stash@\{)?(\d{1,3})\}?$"  # its number from the top, which is 0
NOT_BACK = -1  # the position of what was never put back


def stashes_of(items: Iterable[Item]) -> list[Stash]:
    """The stashes that the session's commands made, the oldest first; `items` are actions and looks."""
    stashes: list[Stash] = []
    taken_unseen = 0  # calls that took a stash when none was seen to be made
    for ending in endings_with_stash(items):
        messages = iter(ending.get("stashed", ()))
        for call in stash_calls(ending["text"]):
            action = stash_action(call)
            if action in MAKING_STASH and makes_stash(ending):
                newest = new_stash(ending, call, messages)
                repeats = max(repeats_of(ending) - taken_unseen, 0)
                stashes += [{**newest, "is_whole": False} for _ in range(repeats)]  # made before, nobody knows where
                stashes.append(newest)
            elif action in TAKING_STASH and not was_kept(ending):
                pile = [stash for stash in stashes if stash["is_in_pile"]]
                taken_unseen += not pile
                take_from_pile(taken_by(call, pile, repeats_of(ending)), action, ending["position"])
        if ending["text"].strip() == "git stash list" and not ending.get("result"):
            for stash in stashes:
                stash["is_in_pile"] = False
    return stashes


def newest_left(stashes: Sequence[Stash]) -> Stash | None:
    """The newest stash that was certainly made here, and that no command took back; None: there is none."""
    left = [stash for stash in stashes if stash["message"] and stash["is_in_pile"] and stash["put_back"] == NOT_BACK]
    return left[-1] if left else None


def spans_away(position: int, stashes: Sequence[Stash], borders: Sequence[int]) -> list[tuple[int, int]]:
    """From where to where in the session a stash had what was edited at this position; the last may end in NOT_BACK.

    `borders`: where changes were committed or discarded, so that no later stash has them.
    """
    spans: list[tuple[int, int]] = []
    for stash in stashes:
        if not stash["is_whole"] or stash["position"] <= position:
            continue
        if position == NOT_BACK or any(position < border < stash["position"] for border in borders):
            break
        position = stash["put_back"]
        spans.append((stash["position"], position))
    return spans


def is_away(spans: Iterable[tuple[int, int]], position: int) -> bool:
    """Whether one of these stashes had the edit when the session was at that position, and gave it back."""
    return any(begin < position <= end for begin, end in spans)


def calls_on_changes(command: str) -> list[GitCall]:
    """The line's calls of git, without those that ran while a stash of the line itself had all changes."""
    calls: list[GitCall] = []
    has_stashed = False
    for call in git_calls(command):
        action = stash_action(call) if call["verb"] == "stash" else ""
        if not has_stashed or action:
            calls.append(call)
        if action in MAKING_STASH:
            has_stashed = takes_all_changes(call)
        elif action in PUTTING_BACK_STASH:
            has_stashed = False
    return calls


def stashes_all(command: str) -> bool:
    """Whether a call of the line takes all changes out of the working tree."""
    return any(stash_action(call) in MAKING_STASH and takes_all_changes(call) for call in stash_calls(command))


def runs_without_changes(command: str) -> bool:
    """Whether the line stashes all changes and runs something before it takes them back."""
    is_away = False
    for piece, _ in pieces_of(command) if "stash" in command else ():
        actions = [stash_action(call) for call in stash_calls(piece)]
        if not actions and is_away and not git_calls(piece):
            return True
        for action in actions:
            is_away = stashes_all(piece) if action in MAKING_STASH else is_away and action not in PUTTING_BACK_STASH
    return False


def stash_calls(command: str) -> list[GitCall]:
    """The line's calls of `git stash`."""
    return [call for call in git_calls(command) if call["verb"] == "stash"] if "stash" in command else []


def stash_action(call: GitCall) -> str:
    """What a call of `git stash` does: its first word, or `push`, as git takes it."""
    first = "".join(call["arguments"][:1])
    return first if first and not first.startswith("-") else "push"


def takes_all_changes(call: GitCall) -> bool:
    """Whether a call that makes a stash names no files and leaves none of the changes by an option."""
    words = call["arguments"]
    if any(re.match(LEAVING_CHANGES, word) for word in words):
        return False
    before = ["", *words]
    names = [word for word, option in zip(words, before) if not word.startswith("-") and option not in MESSAGE_OPTIONS]
    return "save" in names[:1] or names in ([], ["push"])  # what follows `save` is its message


def endings_with_stash(items: Iterable[Item]) -> list[Ending]:
    """The runs of commands with `git stash` in them, the oldest first."""
    commands = [item for item in items if "stash" in item["text"] and not item.get("path")]
    endings: list[Ending] = endings_of(item for item in commands if item["kind"] == "action")
    looks: list[Ending] = [item for item in commands if item["kind"] == "look"]
    ran = [ending for ending in (*endings, *looks) if ending.get("verdict") != "not run"]
    return sorted(ran, key=lambda ending: int(ending["position"]))


def makes_stash(ending: Ending) -> bool:
    """Whether the output says that a stash was made, or the run ended well and does not say that there was nothing."""
    has_ended = ending.get("verdict") in ENDED_WELL
    return "stashed" in ending or (has_ended and "stash" not in ending.get("nothing_to", ()))


def was_kept(ending: Ending) -> bool:
    """Whether a run that was to take a stash failed and left it in the pile."""
    return ending.get("verdict") == "failed" and ("conflicts" in ending or "is_stash_kept" in ending)


def repeats_of(ending: Ending) -> int:
    """How often the same line ran before and ended the same, nobody knows where; where ends differed, not counted."""
    return 0 if ending.get("earlier") else max(ending.get("uses", 1) - 1, 0)


def new_stash(ending: Ending, call: GitCall, messages: Iterator[str]) -> Stash:
    """The stash that a call made; its message is what git said, nothing where it said none or stood elsewhere."""
    message = "" if {*QUIET_OPTIONS} & {*call["arguments"]} else next(messages, "").strip()
    return {"command": ending["text"], "message": "" if call["folder"] else message, "folder": call["folder"],
            "last": ending["last"], "position": ending["position"], "is_whole": takes_all_changes(call),
            "is_in_pile": True, "put_back": NOT_BACK}


def taken_by(call: GitCall, pile: Sequence[Stash], repeats: int) -> Sequence[Stash]:
    """The stashes of the pile that the call took, or may have taken; `repeats` are runs of it at unknown positions."""
    numbers = [re.match(NAMED_STASH, word.strip("\"'")) for word in call["arguments"][1:] if not word.startswith("-")]
    if repeats or stash_action(call) == "clear":
        return pile
    certain = [index for index, stash in enumerate(pile) if stash["message"]]
    named = next((int(number[1]) for number in numbers if number), 0)
    if named:
        are_all_certain = len(certain) == len(pile) > named
        return [pile[-1 - named]] if are_all_certain else pile
    return pile[certain[-1]:] if certain else pile[-1:]  # on top may lie some of which it is not certain


def take_from_pile(taken: Iterable[Stash], action: str, position: int) -> None:
    """Marks the stashes as what the action at this position of the session made of them."""
    for stash in taken:
        stash["is_in_pile"] = action == "apply"
        if action in PUTTING_BACK_STASH and stash["put_back"] == NOT_BACK:
            stash["put_back"] = position
