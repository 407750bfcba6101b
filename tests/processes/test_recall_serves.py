"""`recall.py mcp` as a client starts it: how it ends, what it holds in memory, and the protocol's official client."""

from __future__ import annotations

import asyncio
import importlib
import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from select import select
from typing import Any

import pytest

from archived import FOREVER
from compact_keeper.archive.mcp import INVALID_REQUEST, PROTOCOLS
from sessions import PATIENCE, SCRIPTS, SESSION_ID, Home, JsonObject, Session

DECIDED = "We'll round half up on whole cents, because the ledger does."
ENOUGH_TO_RUN = 100 << 20  # bytes of memory
PING = {"jsonrpc": "2.0", "id": "last", "method": "ping"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    (home.path / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    return home


def index(home: Home, session: Session) -> None:
    """Takes in the transcript, as another process does."""
    transcript = session.write(home.path.parent / f"{SESSION_ID}.jsonl")
    done = home.run("recall.py", b"", "index", str(transcript), "--quiet")
    assert (done.code, done.stderr) == (0, "")


def answered(process: subprocess.Popen[bytes], message: JsonObject) -> Any:
    """What a server that goes on says to the message."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    assert select([process.stdout], [], [], PATIENCE)[0], "no answer"
    return json.loads(process.stdout.readline())


def search(process: subprocess.Popen[bytes]) -> str:
    """What the server finds of the zebra."""
    params = {"name": "search_history", "arguments": {"query": "zebra"}}
    answer = answered(process, {**PING, "method": "tools/call", "params": params})
    return str(answer["result"]["content"][0]["text"])


def test_what_another_process_does_meanwhile_is_seen(home: Home) -> None:
    session = Session()
    session.typed("Where does the zebra sleep?")
    with home.start("recall.py", "mcp") as process:
        assert search(process).startswith("the archive is empty")
        index(home, session)
        assert "typed: Where does the zebra sleep?" in search(process)
        for path in home.path.glob("archive.db*"):
            path.unlink()
        assert search(process).startswith("the archive is empty")


def test_a_line_is_not_held_in_memory(home: Home) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ENOUGH_TO_RUN, ENOUGH_TO_RUN))
    stdin = b"x" * (ENOUGH_TO_RUN + (20 << 20)) + b"\n" + json.dumps(PING).encode()  # the last line has no end
    done = home.run("recall.py", stdin, "mcp", before=little)
    assert (done.code, done.stderr) == (0, "")
    error, last = map(json.loads, done.stdout.splitlines())
    assert (error["error"]["code"], last["result"]) == (INVALID_REQUEST, {})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_well(home: Home, number: int) -> None:
    with home.start("recall.py", "mcp") as process:
        assert answered(process, PING)["id"] == "last"
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.communicate() == (b"", b"")


def test_a_client_that_is_gone_ends_it_well(home: Home) -> None:
    with home.start("recall.py", "mcp") as process:
        assert process.stdout
        process.stdout.close()
        _, errors = process.communicate(json.dumps(PING).encode() + b"\n", PATIENCE)
    assert (process.returncode, errors) == (0, b"")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the official client needs Python 3.10")
def test_the_official_client_finds_and_shows(home: Home) -> None:
    session = Session()
    session.typed("How do we round the surcharge?")
    session.says(DECIDED)
    index(home, session)
    mcp, stdio = importlib.import_module("mcp"), importlib.import_module("mcp.client.stdio")
    server = mcp.StdioServerParameters(command=sys.executable, args=["-IS", str(SCRIPTS / "recall.py"), "mcp"],
                                       env=home.environment())

    async def talk() -> list[Any]:
        async with stdio.stdio_client(server) as streams, mcp.ClientSession(*streams) as client:
            return [await client.initialize(), await client.list_tools(), await client.send_ping(),
                    await client.call_tool("search_history", {"query": "surcharge", "limit": 1}),
                    await client.call_tool("show_turn", {"id": 1, "context": 1}),
                    await client.call_tool("search_history", {"query": "surcharge", "kind": "dream"})]

    began, listed, _, hits, shown, refused = asyncio.run(talk())
    assert (began.server_info.name, began.protocol_version) == ("compact-keeper", PROTOCOLS[0])
    assert [tool.name for tool in listed.tools] == ["search_history", "show_turn"]
    assert "show 1#1\n" in hits.content[0].text
    assert DECIDED in shown.content[0].text
    assert [result.is_error for result in (hits, shown, refused)] == [False, False, True]
