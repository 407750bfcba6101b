"""A command line in the shell's language."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.shell import (
    PIECES_MAX,
    commands_in_folders,
    goes_to_whole_path,
    parted_from_texts,
    pieces_of,
)
from slow_texts import check_it_ends


def test_a_line_is_taken_apart_at_its_signs_alone() -> None:
    assert pieces_of("a 'b && c' \"d; e\" $(f | g) 2>&1 | h && i\nj & k") == [
        ("a 'b && c' \"d; e\" $(f | g) 2>&1", "|"), ("h", "&&"), ("i", "\n"), ("j", "&"), ("k", "")]


@pytest.mark.parametrize(("command", "without", "texts"), [
    ("cat > a.md << 'EOF'\n# A\nEOF\nls", "cat > a.md \nls", ["# A"]), ("cat <<A\nA", "cat ", [""]),
    ("cat <<A > a\n1\nA\ncat <<-'B' | sh\n2\n\tB\nls", "cat  > a\ncat  | sh\nls", ["1", "2"]),
    ("git commit -m \"$(cat <<'EOF'\nAdd rates\nEOF\n)\" && ls", "git commit -m \"$(cat \n)\" && ls", ["Add rates"]),
    ("f \"$(cat <<EOF\na\nEOF)\" && ls", "f \"$(cat )\" && ls", ["a"]),
    # a row that begins with the word is not the end
    ("cat <<END\nEND of the week\nENDING\nEND\nls", "cat \nls", ["END of the week\nENDING"]),
    # the end is cut off
    ("cat > a.md << 'EOF'\n```\npytest\n```…", "cat > a.md ", ["```\npytest\n```…"]),
    ("cd a && cat > a.md <<EOF && ls\npytest…", "cd a && cat > a.md  && ls", ["pytest…"]),  # its end was cut off
    ("grep -rn '<<EOF' scripts\npytest -q", "grep -rn '<<EOF' scripts\npytest -q", []),
    ("python3 -c 'print(1 << SHIFT)'\npytest -q", "python3 -c 'print(1 << SHIFT)'\npytest -q", []),
    # none
    ("cat <<< EOF\npytest", "cat <<< EOF\npytest", []), ("cat <<<EOF\npytest", "cat <<<EOF\npytest", []),
    ("echo $((1 << n))\npytest", "echo $((1 << n))\npytest", []), ("a << EOF", "a << EOF", []), ("<<", "<<", []),
    ("python3 -c 'print(1 << 3)\n' && pytest", "python3 -c 'print(1 << 3)\n' && pytest", []),
])
def test_texts_that_a_command_feeds_to_programs(command: str, without: str, texts: list[str]) -> None:
    assert parted_from_texts(command) == (without, texts)


@pytest.mark.parametrize(("command", "folder"), [
    ("X", ""), ("ls a; X", ""), ("echo cd; X", ""), ("cd a b; X", ""), ("cdx a; X", ""), ("# cd a\nX", ""),
    ("cd a && X", "a"), ("cd 'a b' && X", "a b"), ("cd a; X", "a"), ("cd a\nX", "a"), ("cd a || exit 1; X", "a"),
    ("cd a >/dev/null 2>&1 && X", "a"), ("cd ./a/ && X", "a"), ("cd . && X", ""), ("if cd a; then X", "a"),
    ("{ cd a; }; X", "a"), ("true || cd a; X", "a"),
    ("cd a && cd b && X", "a/b"), ("cd a && ls && cd ../b && X", "b"), ("cd a; cd ..; X", ""), ("cd ..; X", ".."),
    ("cd a && cd ../.. && X", ".."), ("cd /srv/a && cd b && X", "/srv/a/b"), ("cd a && cd /srv/b/ && X", "/srv/b"),
    ("cd /srv/a && cd .. && X", "/srv"), ("cd a && cd ~/b && X", "~/b"), ("cd ~ && cd .. && X", "~/.."),
    ("cd a && cd C:/b && X", "C:/b"), ("cd && X", "~"), ("cd a && cd && X", "~"),
    ("cd - && X", "-"), ("cd - && cd b && X", "-/b"), ("cd a && cd - && X", ""), ("cd a; cd b; cd -; X", "a"),
    ("cd a; cd -; cd -; X", "a"), ("cd $D && X", "$D"), ("cd a && cd $D && X", "$D"), ("cd $D; cd ..; X", "$D/.."),
    ("(cd a && X)", "a"), ("(cd a && ls) && X", ""), ("(cd a); (cd b && X)", "b"), ("cd a && (cd b; ls); X", "a"),
    ("(cd a && (cd b && ls) && X)", "a"), ("(\n  cd a\n)\nX", ""), ("(cd a && echo $(pwd)) && X", ""),
    ("(cd a && echo ':)' && X)", "a"), ("ls); cd a; X", "a"), ("D=$(cd a && pwd); X", ""),
    ("cd a | cat; X", ""), ("cd a && serve & X", ""), ("cd b; cd a && serve & X", "b"), ("serve & cd a && X", "a"),
    ("cd z && (cd a && ls) & X", ""), ("cd a || cd b; X", "b"), ("cd a || cd b || cd c; X", "c"),
    ("cd a && npm ci || exit 1; cd b && X", "a/b"),
    ("cd C:\\a; X", "C:/a"), ("Set-Location .\\a\\b; X", "a/b"), ("Set-Location a; X", "a"),
    ("Set-Location -Path 'a b'; X", "a b"), ("Set-Location C:/b; cd c; X", "C:/b/c"),
    ("Set-Location a b; X", ""), ("Get-Location a; X", ""),
])
def test_the_folder_that_a_command_runs_in(command: str, folder: str) -> None:
    commands = commands_in_folders(command)
    assert [ran_in for piece, ran_in in commands if piece.split()[-1] == "X"] == [folder]
    assert [piece for piece, _ in commands] == [piece for piece, _ in pieces_of(command)]


@pytest.mark.parametrize(("command", "folder"), [
    ("X", "/srv/a"), ("cd b && X", "/srv/a/b"), ("cd /b; X", "/b"), ("cd b && cd - && X", "/srv/a"),
    ("cd .. && X", "/srv")])
def test_the_line_begins_in_a_folder(command: str, folder: str) -> None:
    assert commands_in_folders(command, "/srv/a")[-1] == ("X", folder)


@pytest.mark.parametrize(("command", "expected"), [
    ("sh -c ''", []), ("sh -c 'a' b", [("sh -c 'a' b", "")]), ("sh -c 'a; b' > c", [("sh -c 'a; b' > c", "")]),
    ("sh -c \"a", [("sh -c \"a", "")]), ("x -c 'a; b'", [("x -c 'a; b'", "")]),
    ("sh -c 'a; b' | c && d", [("a", ";"), ("b", "|"), ("c", "&&"), ("d", "")]),
    ("(FOO=1 /bin/bash -e -lc \"a \\\"\\$b\\\" && c\" 2>&1)", [("a \"$b\"", "&&"), ("c", "")]),
    ("docker exec web bash -c 'a | b'\nc", [("a", "|"), ("b", "\n"), ("c", "")])])
def test_the_text_that_a_shell_is_given_is_its_commands(command: str, expected: list[tuple[str, str]]) -> None:
    assert pieces_of(command) == expected


def test_a_folder_of_a_text_for_a_shell_ends_with_it() -> None:
    assert commands_in_folders("sh -c 'cd a && b'; c") == [("cd a", ""), ("b", "a"), ("c", "")]


def test_folders_of_any_text() -> None:
    check_it_ends(lambda text: commands_in_folders(f"cd a && sh -c \"{text}\" && sh -c '{text}"))
    check_it_ends(commands_in_folders)
    check_it_ends(lambda text: commands_in_folders(f"cd {text} && cd a; ({text}", text), 20_000)
    assert len(commands_in_folders("cd a;" * (PIECES_MAX + 5))) == PIECES_MAX


@pytest.mark.parametrize(("command", "expected"), [
    ("cd /srv && ls", True), ("cd \"~/a\" && ls", True), ("cd 'D:/a'; ls", True), ("cd C:\\a", True),
    ("cd a && ls", False), ("cd ../a", False), ("ls /srv", False), ("cd", False)])
def test_whether_a_line_begins_in_a_whole_path(command: str, expected: bool) -> None:
    assert goes_to_whole_path(command) is expected
