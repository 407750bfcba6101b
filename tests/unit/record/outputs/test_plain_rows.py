"""Rows without a listing's columns and hints: what is left says the same of the work."""

from __future__ import annotations

import json

import pytest

from compact_keeper.record.outputs.plain_rows import plain_row, plain_rows


@pytest.mark.parametrize(("row", "plain"), [
    ("-rw-r--r--@ 1 kim staff 41475 13 Dec 01:15 routes.ts", "routes.ts (41475)"),
    ("-rw-rw-r--. 1 kim kim 2.1G Apr  5  2024 a b.bin", "a b.bin (2.1G)"),
    ("-rw-r--r-- 1 kim kim 7 2024-01-02 10:11:12.000000000 +0000 notes.md", "notes.md (7)"),
    ("drwxr-xr-x 1 kim 1049089 0 Mar 25 11:38 !", "!/"),
    ("drwx------ 3 kim staff 96 16 Dec 13:02 my files", "my files/"),
    ("drwxr-xr-x 1 kim 1049089 0 Mar 25 11:38 src/", "src/"), ("drwxr-xr-x 1 kim 1049089 0 Mar 25 11:38 ../", None),
    ("lrwxrwxrwx 1 root root 7 Jan  2 10:11 bin -> usr/bin", "bin -> usr/bin"),
    ("drwxr-xr-x 9 kim staff 896 10 Jan 12:43 .", None), ("drwxr-xr-x 9 kim staff 896 10 Jan 12:43 ..", None),
    ("total 12", None), ("total 4.0K", None), ("remote: ", None),
    ("warning: LF will be replaced by CRLF in a.md.", None),
    ('  (use "git add <file>..." to include in what will be committed)', None),
    (" create mode 100644 src/a.py", None), ("hint: Pull first.", None), ("hint:", None), ("hinted: a", "hinted: a"),
    ("The stash entry is kept in case you need it again.", None),
    ("root 14 0.0 0.1 37368 27700 ? S Apr29 0:30 /usr/bin/python3 -m web", "14 /usr/bin/python3 -m web"),
    ("fatal: Could not read from remote repository.", None), ("and the repository exists.", None),
    ("Please make sure you have the correct access rights", None),
    ("╰────────────────────────╯", None), ("═══════════", None), ("╭─ Options ─────╮", "╭─ Options ─────╮"),
    # What only looks so stands as it is.
    ("fatal: Could not read from remote repository 'a'.", "fatal: Could not read from remote repository 'a'."),
    ("total: 12 tests", "total: 12 tests"), ("total 12 tests failed", "total 12 tests failed"),
    ("warning: unused variable x", "warning: unused variable x"), ("remote: error: GH013", "remote: error: GH013"),
    ("-rw-r--r-- is what a file has", "-rw-r--r-- is what a file has"), ("drwx", "drwx"), ("", ""),
    ("kim 14 0.0 no process", "kim 14 0.0 no process"), ("create mode", "create mode"),
])
def test_a_row_says_what_it_lists(row: str, plain: str | None) -> None:
    assert plain_row(row) == plain


def test_an_empty_folder_was_listed() -> None:
    empty = ["total 0", "drwxr-xr-x 2 kim kim 64 10 Jan 12:43 .", "drwxr-xr-x 9 kim kim 896 10 Jan 12:43 .."]
    assert plain_rows(empty) == empty
    assert plain_rows([*empty, "-rw-r--r-- 1 kim kim 3 10 Jan 12:43 a"]) == ["a (3)"]
    assert plain_rows([]) == []


def test_an_error_of_powershell_is_its_message() -> None:
    frames = ["At line:1 char:1", "+ zones --all", "+ ~~~~~", "    + CategoryInfo          : ObjectNotFound: (zones)",
              "    + FullyQualifiedErrorId : CommandNotFoundException"]
    assert plain_rows(["zones : The term 'zones' is unknown here.", *frames, "12 zones"]) == [
        "zones : The term 'zones' is unknown here.", "12 zones"]
    assert plain_rows(frames) == frames
    assert plain_rows(["+ zones", "At line:1 char:1"]) == ["+ zones", "At line:1 char:1"]


def test_the_first_branch_stands_with_its_repository() -> None:
    moved = [" + 14addf81...8ac4b536 main -> origin/main (forced update)", " * [new branch] a -> origin/a"]
    assert plain_rows(["From github.com:ada/rates", *moved, "hint: Pull first."]) == [
        f"From github.com:ada/rates: {moved[0].strip()}", moved[1]]
    assert plain_rows(["To ../origin.git", "   b217705..e0ae141  main -> main"]) == [
        "To ../origin.git: b217705..e0ae141  main -> main"]
    assert plain_rows(["From: ada", " * a -> b"]) == ["From: ada", " * a -> b"]
    assert plain_rows(["To whom", "it may -> concern"]) == ["To whom", "it may -> concern"]


@pytest.mark.parametrize("row", [
    "-rw-r--r-- " + "9 " * 40_000, "a " * 40_000, "(use \"git " + "a" * 90_000, "drwx" * 20_000])
def test_a_hostile_row_is_read_in_one_pass(row: str) -> None:
    assert plain_row(row) == row


@pytest.mark.parametrize(("members", "is_search"), [
    ({"title": "Zones by day", "link": "https://zones.example/7", "snippet": "All zones."}, True),
    ({"title": "Zones by day", "link": "https://zones.example/7"}, False),
    ({"title": "Zones by day", "snippet": "All zones.", "threadId": "18c"}, False),
])
def test_of_pages_that_a_search_of_the_web_met_the_first_titles_stay(members: dict[str, str], is_search: bool) -> None:
    answer = {"credits": 1, "organic": [{**members, "position": place} for place in range(9)]}
    rows = json.dumps(answer, indent=2).splitlines()
    assert plain_rows(rows) == (["Zones by day"] * 5 if is_search else rows)


TRIED = ["* Host zones.test:80 was resolved.", "* IPv6: ::1", "*   Trying [::1]:80...",
         "* connect to ::1 port 80 from ::1 port 33314 failed: Connection refused", "*   Trying 127.0.0.1:80..."]
NEVER = "* Failed to connect to zones.test port 80: Connection refused"


@pytest.mark.parametrize(("rows", "expected"), [
    ([*TRIED, "* Connected to zones.test (127.0.0.1) port 80"], ["* Connected to zones.test (127.0.0.1) port 80"]),
    ([*TRIED, "* Established connection to zones.test (127.0.0.1 port 80)", "> GET /"],
     ["* Established connection to zones.test (127.0.0.1 port 80)", "> GET /"]),
    (TRIED, TRIED), ([*TRIED, NEVER, "* Connected to b.test"], [*TRIED, NEVER, "* Connected to b.test"]),
    (["* Connected to b.test", *TRIED], ["* Connected to b.test", *TRIED]),
    (["connect to the zones failed: no", "* Connected to b"], ["connect to the zones failed: no", "* Connected to b"]),
])
def test_of_a_connection_no_tries_that_another_address_overtook(rows: list[str], expected: list[str]) -> None:
    assert plain_rows(rows) == expected


def test_what_which_did_not_find_stands_without_the_folders_that_it_looked_in() -> None:
    missed = "which: no pandoc in (/usr/local/bin:/c/Program Files (x86)/a:/usr/bin)"
    rows = ["/usr/bin/python3", missed, "which: no idea (a)"]
    assert plain_rows(rows) == ["/usr/bin/python3", "which: no pandoc", "which: no idea (a)"]
