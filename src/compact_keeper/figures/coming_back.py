"""What would come back if a session were compacted now, as the scripts that would do it say, for the live view."""

from __future__ import annotations

import re
import time

from compact_keeper.client.other_scripts import script_output
from compact_keeper.figures.frame import View
from compact_keeper.figures.sessions import transcript_of
from compact_keeper.store.disk import size_of
from compact_keeper.store.json_files import json_object

SCRIPT_SECONDS = 10.0
NOTHING_TO_SHOW = "compact-keeper: nothing to put back"  # as restore_snapshot.py says it
AGO = re.compile(r"\b(?:just|\d{1,4} [a-z]{1,8}) before\b")
PAUSE_SHARE = 5  # so many times as long as it took is not looked again: the view is not to warm the machine


class ComingBack:
    """What would come back of a session, looked at anew where its transcript has grown."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.view = View()
        self.size = -1  # of the transcript when it was looked at
        self.not_before = 0.0

    def now(self) -> View:
        """What would come back now, and what of it is new since it last changed; nothing once its data are removed."""
        transcript = transcript_of(self.session)
        size, began = size_of(transcript) if transcript else 0, time.monotonic()
        if not size:
            self.view, self.size = View(), -1
        if not size or size == self.size or began < self.not_before:
            return self.view
        text, budget = text_now(transcript)
        before = {timeless(line) for line in self.view.text.splitlines()}
        changes = [line for line in text.splitlines() if says_something(line) and timeless(line) not in before]
        if not self.view.text:
            self.view = View(text, budget)
        elif changes:
            self.view = View(text, budget, changes, time.time())
        else:
            self.view = self.view._replace(text=text, budget=budget)
        self.size, self.not_before = size, began + PAUSE_SHARE * (time.monotonic() - began)
        return self.view


def says_something(line: str) -> bool:
    """Whether the line tells something: it is neither empty, a heading, nor the first one, with its number."""
    return bool(line.strip()) and not line.startswith(("compact-keeper: ", "## "))


def timeless(line: str) -> str:
    """The line without how long ago something was."""
    return AGO.sub("", line)


def text_now(transcript: str) -> tuple[str, int]:
    """The text and its limit in characters; empty and 0 where it is not told."""
    printed = script_output("save_snapshot.py", ["--dry-run", transcript], {}, SCRIPT_SECONDS)
    snapshot = json_object(b"".join(printed.splitlines()[-1:]))
    if not snapshot:
        return "", 0
    text = script_output("restore_snapshot.py", ["--show"], snapshot, SCRIPT_SECONDS).decode("utf-8", "replace").strip()
    return "" if text.startswith(NOTHING_TO_SHOW) else text, snapshot["settings"]["budget"]
