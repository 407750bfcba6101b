"""A Messages API on 127.0.0.1 that answers from scripts, so that the real client runs offline.

The client streams (server-sent events), so every answer is sent as one stream:
message_start, one content block per part, message_delta, message_stop.  The first
script that is meant for a request answers it, so a subagent can have a script of its
own; with which answer is decided by what the request is:

* a summary request (the client compacts) gets the next of ``summaries``;
* a request without tools (titles, topic checks, token counts) gets a plain "ok";
* everything else is a turn and takes the next of ``turns``; when the script has run
  out, it gets a closing text, so no run hangs.

``requests`` keeps every body that arrived, in order: a test reads there exactly
what the model was given.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

# Either phrase stands in the last message of a summary request (2.1.76 to 2.1.329).
SUMMARY_MARKS = ("CRITICAL: Respond with TEXT ONLY", "detailed summary of the conversation")
CLOSING_TEXT = "The script has no further answer."
REFUSED = 400  # a status that the client does not try again


class Turn(NamedTuple):
    """One answer of the model: a text, then at most one tool call."""

    text: str = ""
    tool: str = ""
    tool_input: dict[str, Any] | None = None
    # What `usage.input_tokens` reports: near the window's size, the client compacts.
    input_tokens: int = 1_000
    # Another status than 200 makes it an error with the text as its message.
    status: int = 200


def summary(text: str) -> Turn:
    """The answer to a summary request, in the form that the client asks for."""
    return Turn(f"<analysis>short</analysis>\n<summary>\n{text}\n</summary>")


class Request(NamedTuple):
    """One request that the client sent: its kind (turn, summary, side) and its body."""

    kind: str
    body: dict[str, Any]

    def texts(self) -> list[str]:
        """The text of each block of the messages, as the model reads it."""
        return [block_text(block) for block in blocks(self.body.get("messages", []))]

    def text(self) -> str:
        """All text of the messages, blocks separated by newlines."""
        return "\n".join(self.texts())

    def last_text(self) -> str:
        """The text of the user's last message alone."""
        return last_user_text(self.body)


def blocks(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The content blocks of all messages; a plain string counts as one text block."""
    content_blocks: list[dict[str, Any]] = []
    for message in messages:
        content = message.get("content")
        content_blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    return content_blocks


def block_text(block: dict[str, Any]) -> str:
    """The words of one block: its text, a tool call's input, or a tool result's content."""
    if block.get("type") == "tool_use":
        return json.dumps(block.get("input"), ensure_ascii=False)
    inner = block.get("content")
    if isinstance(inner, list):
        return "\n".join(block_text(part) for part in inner)
    return str(block.get("text") or inner or "")


def last_user_text(body: dict[str, Any]) -> str:
    """The text of the user's last message; a system message (a reminder, say) may follow it."""
    spoken = [message for message in body.get("messages") or [] if message.get("role") == "user"]
    return "\n".join(block_text(block) for block in blocks(spoken[-1:]))


def kind_of(body: dict[str, Any]) -> str:
    """Whether a request is a summary request, a turn of the main thread or a side request."""
    if any(mark in last_user_text(body) for mark in SUMMARY_MARKS):
        return "summary"
    return "turn" if body.get("tools") else "side"


def events(turn: Turn, number: int, model: str) -> list[dict[str, Any]]:
    """The stream of one answer as a list of server-sent events."""
    parts: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if turn.text or not turn.tool:
        delta = {"type": "text_delta", "text": turn.text or "ok"}
        parts.append(({"type": "text", "text": ""}, delta))
    if turn.tool:
        call = {"type": "tool_use", "id": f"toolu_scripted{number:04d}", "name": turn.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.tool_input or {})}
        parts.append((call, delta))
    usage = {"input_tokens": turn.input_tokens, "output_tokens": 20,
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message: dict[str, Any] = {
        "id": f"msg_scripted{number:04d}", "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    stream: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, (start, delta) in enumerate(parts):
        stream.append({"type": "content_block_start", "index": index, "content_block": start})
        stream.append({"type": "content_block_delta", "index": index, "delta": delta})
        stream.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if turn.tool else "end_turn"
    stream.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
                   "usage": {"output_tokens": 20}})
    stream.append({"type": "message_stop"})
    return stream


def any_request(_request: Request) -> bool:
    """Whether a script is meant for the request that is meant for all."""
    return True


class Script:
    """The answers to the requests that it is meant for, each given once."""

    def __init__(self, turns: Iterable[Turn], summaries: Iterable[Turn] = (),
                 meant_for: Callable[[Request], bool] = any_request) -> None:
        self.turns = list(turns)
        self.summaries = list(summaries)
        self.meant_for = meant_for

    def next_answer(self, kind: str) -> Turn:
        """The next answer for a request of this kind, a plain one when there is none left."""
        if kind == "summary":
            return self.summaries.pop(0) if self.summaries else summary("Work went on.")
        if kind == "turn":
            return self.turns.pop(0) if self.turns else Turn(CLOSING_TEXT)
        return Turn("ok")


class ScriptedApi:
    """The running server; use it as a context manager."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedApi:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> tuple[Turn, int]:
        """Records the request and returns the answer that a script has for it, and the request's number."""
        with self._lock:
            request = Request(kind_of(body), body)
            self.requests.append(request)
            script = next(script for script in self.scripts if script.meant_for(request))
            return script.next_answer(request.kind), len(self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Silent: a test's output is for the test."""

            def _send(self, kind: str, payload: bytes, status: int = 200) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def _answer(self, body: dict[str, Any]) -> None:
                turn, number = api.answer(body)
                if turn.status != 200:
                    error = {"type": "invalid_request_error", "message": turn.text}
                    self._send("application/json", json.dumps({"type": "error", "error": error}).encode(), turn.status)
                    return
                stream = events(turn, number, str(body.get("model")))
                lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in stream]
                self._send("text/event-stream", "".join(lines).encode())

            def do_HEAD(self) -> None:
                self._send("text/plain", b"")

            def do_GET(self) -> None:
                self._send("application/json", b"{}")

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self._send("application/json", b'{"input_tokens": 1000}')
                elif path.endswith("/messages"):
                    self._answer(json.loads(raw))
                else:
                    self._send("application/json", b"{}")

        return Handler
