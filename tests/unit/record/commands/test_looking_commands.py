"""Which commands only look."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.looking import is_looking, prints_own_words
from compact_keeper.record.commands.programs import LOOKING_SUBCOMMANDS
from compact_keeper.record.commands.shell import program_part


@pytest.mark.parametrize(("command", "expected"), [
    ("cat a | grep b | head", True), ("git status && git diff --stat", True), ("cd a && ls -la; pwd", True),
    ("git -C a log --oneline | head -3", True), ("gh pr view 3", True), ("gh api repos/a/b/pulls | jq .", True),
    ("for f in *; do echo $f; done", True), ("sed -n 1,5p a", True), ("find . -name '*.py' 2>/dev/null", True),
    ("grep 'a > b' x", True), ("docker ps", True), ("git branch", True), ("git branch --show-current", True),
    ("podman ps", True), ("pip3 list", True), ("pnpm why left", True), ("tofu show", True), ("podman run x", False),
    ("terraform state list", True), ("tofu state show a.b", True), ("tofu state rm a.b", False),
    ("terraform state mv a.b a.c", False), ("terraform state", False),
    (r'grep "a \" > b" x', True), (r'echo "a \"" > b', False),
    ("gh api x -X POST", False), ("sed -i s/a/b/ a", False), ("sed -Ei.bak s/a/b/ a", False), ("git grep -i a", True),
    ("cat a > b", False), ("cat \"a b\" > \"c d\"", False), ("cat 'a b' 2>/dev/null", True), ("find . -delete", False),
    ("find . -name a -exec grep -l b {} \\;", True), ("find . -exec rm {} \\;", False),
    ("find . -execdir sed -i s/a/b/ {} +", False),
    ("rm a", False),
    ("lsof -i :3000 | head", True), ("nc -z -w3 localhost 5432 && echo open", True), ("nc -l 5432", False),
    ("curl -s http://localhost:3000/health | head -3", True), ("curl -sv http://a 2>&1 | tail", True),
    ("curl -s -o /dev/null -w '%{http_code}' http://a", True), ("curl -o a.zip http://a", False),
    ("curl -s -X POST http://a", False), ("curl http://a -d '{}'", False), ("curl -sXPOST http://a", False),
    ("git commit -m x", False), ("git branch -D x", False), ("git branch x", False), ("ls && make", False),
    ("pytest", False),
    ("python3 a.py", False), ("gh pr create", False), ("", False),
])
def test_which_commands_only_look(command: str, expected: bool) -> None:
    assert is_looking(command) is expected


@pytest.mark.parametrize(("command", "expected"), [
    ("echo \"✓ all in step\"", True), ("echo", True), ("echo '$5 `a` *' && printf '%s\\n' ok", True),
    ("# what it shows\necho -e \"\\na; b | c > d\"\n\necho 'two\nrows'; echo \\$HOME", True),
    ("echo a || echo b;", True), ("echo \"costs \\$5\"", True), ("printf", True),
    ("echo $HOME", False), ("echo \"$(date)\"", False), ("echo `date`", False), ("echo \"`date`\"", False),
    ("echo *.py", False), ("echo ~", False), ("echo a > b", False), ("echo a | tee b", False), ("echo a &", False),
    ("echo a; ls", False), ("echo a &&", True), ("ls && echo a", False), ("echo {1..3}", False), ("echo 'a", False),
    ("echo (Get-Date)", False), ("cat <<E\necho a\nE", False), ("echo a <<E\nb\nE", False), ("echos a", False),
    ("echo [ab]", False), ("echo a # b", False), ("", False), ("#", False), ("echo a\nmake test", False),
    ("echo " + "'a' \"b\" " * 5_000 + "$c", False), ("echo;" * 5_000 + "ls", False), ("echo " + "\\" * 9_999, False)])
def test_which_commands_print_the_agent_s_own_words_alone(command: str, expected: bool) -> None:
    assert prints_own_words(command) is expected


def test_no_subcommand_that_looks_is_taken_away_before_its_program() -> None:
    """An entry "dlx" of pnpm would never work: of `pnpm dlx x` the program is x."""
    commands = [f"{program} {word} x" for program, words in LOOKING_SUBCOMMANDS.items() for word in words.split()]
    assert [command for command in commands if program_part(command) != command] == []
