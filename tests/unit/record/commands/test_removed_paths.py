"""What a command line takes away: files and folders of the project that it removes or moves."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.removed_paths import paths_taken_away
from slow_texts import check_it_ends

ROOT = "/srv/zones"


def test_hostile_commands_take_no_long_time() -> None:
    check_it_ends(lambda text: paths_taken_away(text, ROOT, ""))
    check_it_ends(lambda text: paths_taken_away(f"rm {text}", ROOT, ""))


@pytest.mark.parametrize(("command", "removed", "moved"), [
    ("", [], []), ("ls -la src", [], []), ("echo rm", [], []), ('git commit -m "rm a.py"', [], []),
    ("rm a.py", ["a.py"], []), ("rm -rf src/old 'my zones.py'", ["src/old", "my zones.py"], []),
    ("rm -f /srv/zones/a.py /tmp/b.py ../c.py", ["a.py"], []),  # below the root alone
    ("cd src && rm a.py; cd sub && rmdir b", ["src/a.py", "src/sub/b"], []),
    ("(cd src && rm a.py) && rm b.py", ["src/a.py", "b.py"], []), ("cd && rm a.py", [], []),
    ("git rm -r api", ["api"], []), ("git rm -r --cached api", [], []),
    ("make test && unlink a.py 2>/dev/null", ["a.py"], []),
    ("rm *.py $OLD `cat list`", [], []),  # nobody knows which
    ("mv a.py b.py", [], ["a.py"]), ("git mv src/a src/b lib/", [], ["src/a", "src/b"]), ("mv a.py", [], []),
    ("rm a.py && mv b.py c.py", ["a.py"], ["b.py"]), ("docker rm zones", [], []), ("rm", [], []),
])
def test_paths(command: str, removed: list[str], moved: list[str]) -> None:
    assert paths_taken_away(command, ROOT, "") == (removed, moved)


def test_paths_as_seen_from_another_folder() -> None:
    assert paths_taken_away("rm a.py ../b.py", ROOT, f"{ROOT}/api") == (["api/a.py", "b.py"], [])
    assert paths_taken_away("rm a.py", "", "") == ([], [])
