"""The client's queue of prompts that were sent while the agent worked: what waits in it, and what has just left it.

What leaves it mostly has a row of its own, just before or just behind. Prompts that the agent scheduled go through it
as typed ones do.
"""

from __future__ import annotations

from compact_keeper.client.transcript import index_leaving
from compact_keeper.client.wordless import NOT_IN_TRANSCRIPT
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import moment
from compact_keeper.types import Entry, Memory, Queued

QUEUED_MAX_UTF16 = 16_000  # of words that wait: as much as is kept of a message
WAITED_SECONDS = 1  # in the queue, at least, of what was typed while the agent worked
QUEUE_TO_ROW_SECONDS = 20  # from where words leave the queue to their row; 0 to 8 seen
LEFT_MAX = 100  # of what left the queue and has no row of its own yet
SCHEDULED_MAX = 20  # prompts, the newest
SCHEDULED_MAX_UTF16 = 500  # of their words, by which they are known


class PromptQueue:
    """A session's queue, as its rows tell of it."""

    def __init__(self, memory: Memory) -> None:
        self.waiting: list[Queued] = [*memory.get("queue", [])]  # not handed to the agent yet
        self.dequeued: list[Queued] = [*memory.get("dequeued", [])]  # had waited; their rows come next
        self.left: list[Entry] = []  # went into the agent's turn just before, and may have a row of its own
        self.scheduled: list[str] = memory.get("scheduled", [])  # words of prompts that the client gives at their time

    def put(self, text: str, time: str) -> None:
        """Has the words wait from then on."""
        self.dequeued = [] if text else self.dequeued  # a notice may come between
        self.waiting.append({"time": time, "text": cut(redact(clean(text)), QUEUED_MAX_UTF16)})

    def take_next(self, operation: object, time: str) -> Queued:
        """What leaves the queue by this operation, and waits no more; without its words where nothing is known to wait.

        What leaves as soon as it came had nothing before it: a prompt without words that still stands there is lost.
        """
        newest: Queued = self.waiting[-1] if self.waiting else {"time": time, "text": NOT_IN_TRANSCRIPT}
        is_at_once = moment(time) - moment(newest["time"]) <= WAITED_SECONDS
        if operation == "dequeue" and newest["text"] == NOT_IN_TRANSCRIPT and is_at_once:
            self.waiting = [prompt for prompt in self.waiting if prompt["text"] != NOT_IN_TRANSCRIPT]
            return newest
        texts = [prompt["text"] for prompt in self.waiting]
        return self.waiting.pop(index_leaving(operation, texts)) if texts else newest

    def pull_back(self, text: str) -> None:
        """Takes what the person typed, which these words are, back into the prompt: notices, without words, wait on.

        With all of them gone, each notice that left the queue later stood as a message without words.
        """
        words = redact(clean(text))
        self.waiting = [prompt for prompt in self.waiting
                        if not prompt["text"] or (words and prompt["text"] not in words)]

    def note_dequeued(self, prompt: Queued, time: str) -> None:
        """Notes what was dequeued at that time, after a wait; from editors each prompt goes through the queue, without.

        Of 149 prompts that were dequeued 109 had been in the queue for less than 0.1 s: they answer what was said last.
        """
        if prompt["text"] and moment(time) - moment(prompt["time"]) > WAITED_SECONDS:
            self.dequeued.append(prompt)

    def take(self, text: str, time: str) -> Queued | None:
        """What was dequeued and now comes in its row, with these words, at that time; several may be one row's."""
        words = cut(text, QUEUED_MAX_UTF16) if self.dequeued else ""
        index = next((index for index, prompt in enumerate(self.dequeued) if prompt["time"] <= time
                      and (words.startswith(prompt["text"]) or prompt["text"] == NOT_IN_TRANSCRIPT)), None)
        return None if index is None else self.dequeued.pop(index)

    def take_waiting(self, text: str) -> Queued | None:
        """What waits with these words, which then waits no more: the client took a notice off the queue for its row."""
        words = cut(text, QUEUED_MAX_UTF16)
        index = next((index for index, prompt in enumerate(self.waiting) if prompt["text"] == words), None)
        return None if index is None else self.waiting.pop(index)

    def note_left(self, typed: Entry) -> None:
        """Notes the entry of what has left the queue."""
        self.left = [*self.left, typed][-LEFT_MAX:]

    def left_before(self, time: str) -> list[Entry]:
        """What left the queue just before that time, the newest first.

        A session that was resumed has the queue's rows before all that it takes over, their own row at its end.
        """
        now = moment(time)
        self.left = [entry for entry in self.left if entry["what"] == "typed" and entry["source"] == "queue"
                     and moment(entry["time"]) >= now - QUEUE_TO_ROW_SECONDS]
        return [entry for entry in reversed(self.left) if moment(entry["time"]) <= now + QUEUE_TO_ROW_SECONDS]

    def entry_of(self, text: str, time: str) -> Entry | None:
        """The entry of these words that left the queue just before, and now come in their row; None without one."""
        left = self.left_before(time)
        words = (cut(text, QUEUED_MAX_UTF16), NOT_IN_TRANSCRIPT) if left else ()
        return next((entry for entry in left if entry["text"] in words), None)

    def is_scheduled(self, text: str) -> bool:
        """Whether these are the words of a prompt that the agent scheduled."""
        return quote(text, SCHEDULED_MAX_UTF16) in self.scheduled

    def note_scheduled(self, text: str) -> None:
        """Notes the words of a prompt that the agent scheduled."""
        words = quote(text, SCHEDULED_MAX_UTF16)
        self.scheduled = [*(known for known in self.scheduled if known != words), words][-SCHEDULED_MAX:]
