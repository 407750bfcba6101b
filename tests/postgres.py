"""A real PostgreSQL server for the tests, in a folder of its own, on a free port of this machine.

PostgreSQL refuses root, so root starts it as the user `postgres` of Debian's package, else as `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

MISSING = "these tests need PostgreSQL's server. On Debian: apt-get install postgresql"
DEBIAN = Path("/usr/lib/postgresql")  # NUMBER/bin: initdb and postgres are not on PATH there
PASSWORD, DATABASE = "pass-of-the-tests", "postgres"
FAST = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB", "max_connections": "40"}


def program(name: str) -> str:
    """The path of one of the server's programs, of Debian's newest version where it is not on PATH."""
    newest_first = sorted(DEBIAN.glob(f"*/bin/{name}"), key=lambda path: -float(path.parts[-3]))
    path = shutil.which(name) or next(map(str, newest_first), "")
    if not path:
        pytest.fail(MISSING)
    return path


def user() -> str | None:
    """Who runs the server where we are root."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None) if os.geteuid() == 0 else None


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port: int = listening.getsockname()[1]
    return port


class Postgres:
    """The server; it can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.user = folder, free_port(), user()
        self.db: psycopg.Connection | None = None  # kept for `sql`: to begin one takes longer than most queries
        password = folder / "password"
        password.write_text(PASSWORD, encoding="utf-8")
        for path in (folder, password):
            shutil.chown(path, self.user or os.geteuid())
        self.wait("initdb", "--no-sync", "--encoding=UTF8", "--locale=C", "--username=keeper",
                  "--auth=scram-sha-256", f"--pwfile={password}", f"--pgdata={self.data}")

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        output = (self.folder / f"{name}.log").open("ab")
        with closing(output):
            return subprocess.Popen([program(name), *arguments], user=self.user, cwd=self.folder, stdout=output,
                                    stderr=output, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})

    def wait(self, name: str, *arguments: str) -> None:
        assert self.run(name, *arguments).wait() == 0, (self.folder / f"{name}.log").read_text("utf-8")

    def start(self) -> None:
        settings = {**FAST, "port": str(self.port), "listen_addresses": "127.0.0.1",
                    "unix_socket_directories": str(self.folder)}
        given = [f"--{name}={value}" for name, value in settings.items()]
        self.process = self.run("postgres", "-D", str(self.data), *given)
        until = time.monotonic() + 30
        while not self.answers():
            log = (self.folder / "postgres.log").read_text("utf-8")
            assert self.process.poll() is None, log
            assert time.monotonic() < until, log
            time.sleep(0.02)

    def answers(self) -> bool:
        try:
            self.sql("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ends it and all its connections; with SIGQUIT it leaves its files as they are, which takes no time."""
        if self.db:
            self.db.close()
        self.process.send_signal(how)
        self.process.wait(60)

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://keeper:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """The rows that a query finds, none for a command."""
        if not self.db or self.db.closed:
            self.db = psycopg.connect(self.url(), autocommit=True)
        done = self.db.execute(query.encode())
        return done.fetchall() if done.description else []


@contextmanager
def running() -> Iterator[Postgres]:
    """A server that runs within the block; its folder goes with it."""
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        server = Postgres(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGQUIT)
