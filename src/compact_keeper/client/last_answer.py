"""Whether the client has written the turn's last answer into the transcript yet.

The Stop hook starts at the same moment as the client writes it: where an answer came at once, three saves of six had
read the transcript without it, and the notes told of the answer before.
"""

from __future__ import annotations

import json
import os
import time

from compact_keeper.store.disk import end_of

ANSWER_MAX_SECONDS, LOOKS_EACH_SECONDS = 2.0, 0.05  # nobody waits for a save beside the work
ANSWER_SHOWN_CHARACTERS = 80  # by which it is known
END_BYTES = 64 << 10  # of the transcript


def wait_for_answer(transcript: str, answer: str) -> None:
    """Waits until the transcript's end has the beginning of the answer; not for an empty one, nor without the file."""
    begin = encoded_begin(answer)
    until = time.monotonic() + ANSWER_MAX_SECONDS
    while begin and os.path.isfile(transcript) and time.monotonic() < until:
        if begin in end_of(transcript, END_BYTES):
            return
        time.sleep(LOOKS_EACH_SECONDS)


def encoded_begin(answer: str) -> bytes:
    """The answer's beginning as it stands in the transcript, a JSON text."""
    text = json.dumps(answer.strip()[:ANSWER_SHOWN_CHARACTERS], ensure_ascii=False)[1:-1]
    return text.encode("utf-8", "replace")
