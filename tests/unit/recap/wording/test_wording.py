"""How things are put into words: moments, cuts that say how much went, paths in short."""

from __future__ import annotations

import re
from typing import Any

import pytest

from compact_keeper.recap.wording.commands import command_in_short, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import code, how_long_before, middle_out, shortened_words
from compact_keeper.recap.wording.stated import is_named, naming
from compact_keeper.record.commands.seen_from_folder import seen_from_folder
from compact_keeper.text.times import moment
from sessions import units

NOON = "2026-11-21T12:00:00.000Z"


@pytest.mark.parametrize(("stamp", "expected"), [
    (NOON, "just before"), ("2026-11-21T11:58:00.000Z", "2 min before"), ("2026-11-21T10:01:00.000Z", "119 min before"),
    ("2026-11-21T10:00:00.000Z", "2 h before"), ("2026-11-19T12:00:00.000Z", "48 h before"),
    ("2026-11-21T12:05:00.000Z", "just before"), ("", "earlier")])
def test_how_long_before(stamp: str, expected: str) -> None:
    assert how_long_before(stamp, moment(NOON)) == expected
    assert how_long_before(stamp, 0) == "earlier"


@pytest.mark.parametrize(("text", "expected"), [
    ('sed -i "s/0)/1)/" src/ferry.py; python3 -m unittest discover -s tests | tail -12',
     'sed -i "s/0)/1)/" src/ferry.py; … | tail -12'),
    ("git commit -qm 'Fares' --author=ada --date=now /srv/prices/of_all_ferries.py",
     "git commit -qm 'Fares' --author= … ll_ferries.py")])
def test_an_end_begins_with_a_whole_word(text: str, expected: str) -> None:
    """Unless more than half of it went by that."""
    assert middle_out(text, 50) == expected


@pytest.mark.parametrize("text", ["word " * 900, "x" * 3_000, "🚚" * 900, "日本。" * 900, "One. " * 600,
                                  "a🚚 b. " * 300, "\ud800" * 900])
@pytest.mark.parametrize("limit", [60, 200, 450, 2_000])
def test_a_cut_is_about_its_limit(text: str, limit: int) -> None:
    assert units(middle_out(text, limit)) <= max(limit * 1.4, limit + 5)
    assert units(shortened_words(text, limit)) <= 2 * limit + 60
    assert "\n" not in shortened_words(text, limit)


@pytest.mark.parametrize("between", [" ", "\n", "\r\n", "\n\n    ", "\n- ", "  "])
@pytest.mark.parametrize("sentence", ["This is the sentence with number {}.", f"A part without an end {'x' * 40} {{}}"])
def test_words_are_cut_at_sentences_and_it_says_how_many_characters_went(sentence: str, between: str) -> None:
    text = between.join(sentence.format(number) for number in range(100))
    short = shortened_words(f"\n{text} \n", 300)
    parts = re.fullmatch(r'"(.+)" \[(\d+) characters left out\] "(.+)"', short)
    assert parts is not None
    begin, end = (r"\s+".join(re.escape(word) for word in part.split() if word != "⏎") for part in parts.group(1, 3))
    assert re.fullmatch(rf"{begin}(?s:.{{{parts[2]}}}){end}", text)
    assert parts[1].endswith(".") == sentence.endswith(".")
    assert shortened_words("Short, and whole.", 300) == '"Short, and whole."'


def test_quotes_in_words_close_nothing() -> None:
    assert shortened_words('He said "no" and “yes”.', 300) == '“He said "no" and "yes".”'
    assert code("a ` b", 99) == "`` a ` b ``"


@pytest.mark.parametrize(("command", "expected"), [
    ("cd /srv/rates && cd web && npm test", "npm test"), ("cd /srv/rates/web && npm test", "npm test"),
    ("cd /srv/rates && cd web-old && x", "cd /srv/rates && cd web-old && x"),
    ("cd /srv/rates && npm test", "cd /srv/rates && npm test"),
    ("cat /srv/rates/web/a.ts /srv/rates/b.ts", "cat a.ts ../b.ts")])
def test_a_command_of_the_first_folder_is_seen_from_the_present_one(command: str, expected: str) -> None:
    assert short_command(command, Paths("/srv/rates", "/srv/rates/web")) == f"`{expected}`"


@pytest.mark.parametrize(("folder", "path", "expected"), [
    ("/srv/rates/web", "src/a.py", "/srv/rates/src/a.py"), ("/srv/rates", "src/a.py", "src/a.py"),
    ("/srv/rates/web", "/etc/hosts", "/etc/hosts"), ("/srv/rates/web", "~/a", "~/a"), ("/srv/rates/web", "", ""),
    ("/srv/rates/web", "C:\\a", "C:\\a")])
def test_a_look_names_its_file_whole_where_the_folder_is_another(folder: str, path: str, expected: str) -> None:
    look: Any = {"kind": "look", "path": path, "text": path}
    action: Any = {"kind": "action", "path": path, "text": path}
    assert seen_from_folder([look, action], "/srv/rates/", folder) == [
        {"kind": "look", "path": expected, "text": expected}, action]


@pytest.mark.parametrize(("text", "expected"), [
    ("/srv/rates/src/a.py", "../src/a.py"), ("cat /srv/rates/a /srv/rates/b", "cat ../a ../b"),
    ("/srv/rates2/a", "/srv/rates2/a"),
    ("ls /srv/rates/web/'a b'/c", "ls 'a b'/c"), ("ls '/srv/rates/web' \"/srv/rates/web/\"", "ls '.' \".\""),
    ('ls "/srv/rates/web" /srv/rates/web/ "/srv/rates/"', 'ls "." . "../"'), ("du /srv/rates/web/; ls", "du .; ls"),
    ("$base = '/srv/rates/web/a'", "$base = '/srv/rates/web/a'"),  # a value, as it stands in the file
    ('{"top": "/srv/rates"}', '{"top": "/srv/rates"}'), ("A='/srv/rates/web/a'", "A='a'"),
    ("/home/ada/x.py", "/home/ada/x.py"), ("/srv/rates/web/a", "a"), ("", ""), ("/srv/rates", "/srv/rates")])
def test_paths_as_seen_from_the_folders(text: str, expected: str) -> None:
    assert Paths("/srv/rates/", "/srv/rates/web").short(text) == expected
    assert Paths("/srv/rates/web", "/srv/rates/web", "/srv/rates").short(text) == expected
    assert Paths("/srv/rates/web", "/srv/rates/web", "/srv/rates/web").short("/srv/rates/a") == "/srv/rates/a"
    assert Paths("/srv/rates", "/srv/rates/web", "/opt/x").short("/opt/x/a /srv/rates/a") == "/opt/x/a ../a"


@pytest.mark.parametrize(("text", "expected"), [
    ("/srv/rates/apps/web/a.ts", "a.ts"), ("/srv/rates/apps/api/a.ts", "../api/a.ts"), ("/srv/rates/a", "../../a"),
    ("diff /srv/rates/apps/web/a /srv/rates/apps/b", "diff a ../b")])
def test_folders_between_the_present_one_and_the_first_or_the_repository_s(text: str, expected: str) -> None:
    for root in ("/srv/rates", "/srv/rates/apps", "/srv/rates/apps/web"):
        assert Paths(root, "/srv/rates/apps/web", "/srv/rates").short(text) == expected
    assert Paths("/srv/rates", "/srv/rates/apps/web").short(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("", ""), ("apps/" * 9_000, "apps/" * 9_000), ("apps/web/none.ts", "apps/web/none.ts"),
    ("See https://x.org/apps/web/a.ts", "See https://x.org/apps/web/a.ts"), ("a/apps/web/a.ts", "a/apps/web/a.ts"),
    ("apps/web/a.ts.bak", "apps/web/a.ts.bak"), ("apps/web/twice.ts", "apps/web/twice.ts"), ("b.ts", "b.ts"),
    ("Merge conflict in apps/web/a.ts", "Merge conflict in a.ts"), ("apps/web/a.ts:3: x", "a.ts:3: x"),
    (" apps/api/a.ts | 2 +-", " ../api/a.ts | 2 +-"), ("'apps/web/a.ts'...", "'a.ts'...")])
def test_files_that_are_named_from_the_repository_s_top(text: str, expected: str) -> None:
    """One of the same name in a folder of the same name below is meant as likely."""
    top, web = "/srv/rates", "/srv/rates/apps/web"
    files = {f"{web}/a.ts", f"{top}/apps/api/a.ts", f"{top}/b.ts", f"{web}/twice.ts", f"{web}/apps/web/twice.ts"}
    assert Paths(web, web, top).from_top(text, files) == expected
    assert Paths(top, web, top).from_top(text, files) == expected
    assert Paths(top, top, top).from_top(text, files) == text
    assert Paths(web, web).from_top(text, files) == text
    assert Paths("", "").from_top(text, files) == text


@pytest.mark.parametrize(("text", "expected"), [
    ("/home/ada/x.py and /home/user/x.py", "~/x.py and /home/user/x.py"), ("C:/home/ada/x", "C:/home/ada/x"),
    ("DEST=/home/$name", "DEST=/home/$name"), ("/srv/home/ada/x", "/srv/home/ada/x"), ("/home/ada/rates/a.py", "a.py")])
def test_the_home_is_the_one_that_the_session_works_in(text: str, expected: str) -> None:
    assert Paths("/home/ada/rates", "/home/ada/rates").short(text) == expected


def test_paths_of_windows_are_as_seen_from_the_folder() -> None:
    root = "C:\\Users\\ada\\rates"
    paths = Paths(root, root)
    assert paths.short(f"{root}\\src\\a.py") == "src\\a.py"
    assert paths.short("C:/Users/ada/rates/src/a.py, /c/Users/ada/rates/b.py") == "src/a.py, b.py"
    assert paths.short("cd: /mnt/c/Users/ada/rates: No such file") == "cd: /mnt/c/Users/ada/rates: No such file"
    wsl = Paths("/mnt/c/Users/ada/rates", "/mnt/c/Users/ada/rates")
    assert wsl.short("c:/Users/ada/rates/src/a.py, /mnt/c/Users/ada/rates/b.py") == "src/a.py, b.py"
    for folder in (root, "C:/Users/ada/rates", "/c/users/ada/rates", "/mnt/c/Users/ada/rates"):
        assert command_in_short(f"cd {folder} && make", paths) == "make"


def test_a_folder_that_was_named_before_is_no_folder_of_this_one() -> None:
    paths = Paths("/srv", "/srv")
    shown = [command_in_short("cd /opt/project/chat && git status", paths) for _ in range(2)]
    assert shown == ["cd /opt/project/chat && git status", "cd …/chat && git status"]
    assert [command_in_short("cd /opt/api && make", paths) for _ in range(2)] == ["cd /opt/api && make"] * 2


@pytest.mark.parametrize(("command", "expected"), [
    ("cd /srv/rates && make", "make"), ("cd /srv/rates\nmake", "make"), ("cd /srv/rates; make", "make"),
    ("cd '/srv/rates' \n make", "make"), ("cd /srv/rates", "cd /srv/rates"),
    ("cd /srv/ratesx && make", "cd /srv/ratesx && make"), ("cd /opt/api; make", "cd /opt/api; make"),
    ("cd /opt/api\nmake", "cd /opt/api; make"),
    ('echo "=== Build ===" && make', "make"), ("make\necho '---'\nmake test", "make ⏎ make test"),
    ('echo "a" && \\\necho "b" && \\\nmake && \\\necho "done"', 'make && \\ ⏎ echo "done"'),
    ('echo "a"; make', "make"), ('make; echo "exit $?"', 'make; echo "exit $?"'),
    ('echo "$HOME" && make', 'echo "$HOME" && make'), ('echo "all done"', 'echo "all done"'),
    ('echo "x" > a && make', 'echo "x" > a && make'), ('echo "x" | cat && make', 'echo "x" | cat && make'),
    ("make test 2>&1 | tail -5", "make test | tail -5"), ("ls a 2>/dev/null; ls b 2>/dev/null", "ls a; ls b"),
    ("make 2>&1 > log | cat", "make 2>&1 > log | cat"),
    ("make 2>&1", "make"), ("make 2>errors.log", "make 2>errors.log"), ("make 2>&12", "make 2>&12"),
    ("tail -5 /tmp/claude-1000/-srv-rates/0c1d/tasks/b5d8.output", "tail -5 …/tasks/b5d8.output"),
    ("", ""), ('echo "' + "a" * 9_000, 'echo "' + "a" * 9_000),
])
def test_a_command_without_the_way_to_the_working_folder_and_printed_headings(command: str, expected: str) -> None:
    assert command_in_short(command, Paths("/srv/rates", "/srv/rates")) == expected


RATES = Paths("/srv/rates", "/srv/rates")


@pytest.mark.parametrize(("command", "expected"), [
    ("cd /srv/rates && make test", "`make test`"), ("make test 2>&1 | tail -5", "`make test | tail -5`"),
    ("make a 2>&1; make b 2>/dev/null", "`make a; make b`"), ("set -e\n  make a\n", "`set -e ⏎ make a`"),
    ("echo '== a'; make a", "`make a`"), ("ls \"/srv/rates/\" -l", "`ls \".\" -l`"),
    ("ls \"/srv/rates/\"'a b'/c", "`ls \"\"'a b'/c`")])
def test_a_command_as_seen_from_the_first_folder_is_known_again(command: str, expected: str) -> None:
    item: Any = {"text": command}
    assert short_command(command, RATES) == expected
    assert is_named(item, naming(command))
    assert not is_named(item, naming("make c"))


def test_commands_of_a_folder_far_away_are_not_one() -> None:
    folder = "/srv/rates/packages/of/the/northern/zones/and/harbours/web"
    step: Any = {"text": f"cd {folder} && make zones"}
    assert is_named(step, naming(f"cd {folder} && make zones 2>&1 | tail"))
    assert not is_named(step, naming(f"cd {folder} && make links"))
    assert not is_named(step, naming("cd /srv && make zones"))


@pytest.mark.parametrize(("result", "expected"), [
    ("/srv/rates/a.py:3 in /srv/rates", "a.py:3 in ."), ("rootdir: /srv/rates/", "rootdir: ."),
    ("resolved to sqlite:////srv/rates/a.db", "resolved to sqlite:////srv/rates/a.db"),
    ("copied to web1:/srv/rates/a", "copied to web1:/srv/rates/a")])
def test_a_result_is_seen_from_the_root_but_for_urls_and_other_hosts(result: str, expected: str) -> None:
    assert RATES.short(result) == expected
