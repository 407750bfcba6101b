"""Where a command ran stands before it, unless it does the same everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.commands.seen_from_folder import counts_where_it_runs, seen_from_folder


@pytest.mark.parametrize("command", [
    "", ")", "make", "ls", "ls -la src", "ls -la 2024", "cat a.txt", "cat /etc/hosts a.txt", "cat < a.txt",
    "find . -name x", "find -name x", "find /srv -newer a.txt", "find /srv -exec cp {} out ;",
    "grep -rn rate", "grep -f names /srv/a",
    "grep rate a.txt", "grep -e rate -e fee a.txt", "echo a > a.txt", "echo a >>a.txt", "echo *.py", "ls $HOME/a",
    "kill $(cat a.pid)", "kill `cat a.pid`", "echo $PWD", "cd web && ls /srv", "ls /srv && make", "bin/ls /srv",
    "rm /srv/a b", "git status", "python3 /srv/a.py", "cat /srv/a | tee b", "awk '{print > \"b\"}' /srv/a",
    "sed -i s/a/b/ c"])
def test_a_command_that_may_do_another_thing_elsewhere(command: str) -> None:
    assert counts_where_it_runs(command)
    action: Any = {"kind": "action", "tool": "Bash", "text": command, "folder": "/srv/web"}
    assert seen_from_folder([action], "/srv", "/srv")[0]["text"] == f"cd /srv/web && {command}"


@pytest.mark.parametrize("command", [
    "ls /srv/sql/ 2>/dev/null || echo 'no sql'", "ls C:/srv/sql",
    "tail -n 20 /srv/a.log 2>&1 | grep -E 'a|b' | head -5",
    "find /srv ~/a -name '*.py' -type f | wc -l", "grep -B 5 \"a b\" /srv/a.log", "sleep 20; tail -2 /srv/a.log",
    "/bin/rm /a",
    "cat > /srv/.env << 'EOF'\nA=b\nEOF", "ps aux | grep node | awk '{print $2}'", "kill -9 17", "echo /srv/*.py '*'",
    "rm -f /srv/*.tmp && echo gone > /srv/log"])
def test_a_command_that_does_the_same_everywhere(command: str) -> None:
    assert not counts_where_it_runs(command)
    action: Any = {"kind": "action", "tool": "Bash", "text": command, "folder": "/srv/web"}
    assert seen_from_folder([action], "/srv", "/srv") == [action]
