"""Blocks of a message: whether the model made them, and what a call's result says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_keeper.client.transcript import own_words
from compact_keeper.text.fields import objects_in, text_of
from compact_keeper.types import JsonObject

REJECTION = "The user doesn't want to proceed"  # how the result of a call begins that the person rejected
# What stands before the words with which they did; the second from 2.1.83 to 2.1.133, beside the first.
SAID, REASON = "the user said:\n", "The user provided the following reason for the rejection:"

NOTICES = ("<task-notification>", "<bash-notification>", "<agent-notification>")  # of a background job
NOTICES_MAX = 20  # in one text
JOB_ID = r"<(?:task|shell|agent)-id>([\w-]{1,64})</"  # `bash` and `agent` by clients 2.0.67 to 2.0.76
NOTICE_HEAD_CHARACTERS = 2_000  # of a notice, in which its id, its status and its summary stand
REMINDER = (  # how clients before 2.1.15 tell that a background shell has ended
    r"Background Bash (?P<job>[\w-]{1,64}) \(command: .{0,2000}?\) "
    r"\(status: (?P<status>completed|failed|killed)\)(?P<exit> \(exit code: \d{1,3}\))?")
JOB_END_STATES = ("completed", "failed", "killed")


def is_by_model(record: JsonObject) -> bool:
    """Whether the model wrote the record's message; the client writes some in its place."""
    return bool(record["type"] == "assistant" and record["message"].get("model") != "<synthetic>")


def result_text(block: JsonObject) -> str:
    """The text of a call's result."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(part, "text") for part in objects_in(content))


def rejection_words(text: str) -> str:
    """What the person said to the call that they rejected, in its result's text; empty where they said nothing."""
    return own_words(behind_rejection(text).partition("\n\nNote: The user's next")[0]).strip()


def behind_rejection(text: str) -> str:
    """What the client quotes behind its own words of a rejection; empty where it quotes nothing."""
    return "".join(re.split(f"{SAID}|{REASON}", text, maxsplit=1)[1:])


def report_of(output: str) -> str:
    """A subagent's report without what the client writes below it."""
    return re.split(r"\nagentId: \w|\n<usage>", output, maxsplit=1)[0]


def notices_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Id, status and words of each job that the client says here has ended; a notice of news is no end."""
    for notice in re.split("|".join(NOTICES), text)[1:NOTICES_MAX] if text.startswith(NOTICES) else ():
        head = notice.partition("<result>")[0][:NOTICE_HEAD_CHARACTERS]
        job = re.search(JOB_ID, head)
        status = re.search(r"<status>(\w{1,20})</status>", head)
        if job and status and status[1] in JOB_END_STATES:
            summary = head.partition("<summary>")[2].partition("</summary>")[0].strip()
            result = notice.partition("<result>")[2].partition("</result>")[0].strip()
            yield job[1], status[1], f"{summary}: {result}" if result else summary
    if text.startswith("<system-reminder>"):
        for match in re.finditer(REMINDER, text[:NOTICE_HEAD_CHARACTERS], re.DOTALL):
            yield match["job"], match["status"], f"{match['status']}{match['exit'] or ''}"
