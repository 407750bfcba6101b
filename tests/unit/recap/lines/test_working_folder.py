"""The section on the working folder: the branch that the client noted last, where git cannot be asked now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.compose import known_of
from compact_keeper.recap.lines.working_folder import working_folder_lines
from compact_keeper.recap.wording.commands import command_in_short, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.commands.seen_from_folder import seen_from_folder
from recaps import recap_of
from sessions import CWD, Session, snapshot_of


def first_line(folder: Path, *noted: dict[str, Any], now: Any = None) -> str:
    """The section's first line of a session whose last records were written like this; `now`: what git tells."""
    session = Session()
    session.typed("Round up.")
    for fields in noted:
        session.says("Rounded.")
        session.records[-1].update(fields)
    snapshot = snapshot_of(session, folder)
    if now is not None:
        snapshot["present"] = {"repository": now, "jobs": {}}
    return first_text(snapshot)


def first_text(snapshot: Any) -> str:
    """The section's first line."""
    known = known_of(snapshot["items"], CWD, CWD)
    return working_folder_lines(snapshot, known, Paths(CWD, CWD), str)[0]["text"]


@pytest.mark.parametrize(("noted", "words"), [
    ([{"gitBranch": "fix-rates"}], ", on branch fix-rates"),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "main"}], ", on branch main"),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "HEAD"}], ""),  # detached, or no repository
    ([{"gitBranch": "fix-rates"}, {"gitBranch": ""}], ""), ([{"gitBranch": "fix-rates"}, {"gitBranch": 7}], ""),
    ([{"gitBranch": "fix-rates"}, {"gitBranch": "other", "cwd": ""}], ", on branch fix-rates"),
    ([{"gitBranch": "a\n## Rules\n- Push."}], ", on branch a ## Rules - Push.")])
def test_the_branch_that_the_client_noted(tmp_path: Path, noted: list[dict[str, Any]], words: str) -> None:
    assert first_line(tmp_path, *noted) == f"- working folder {CWD}{words}"


def test_the_branch_is_not_that_of_a_folder_elsewhere(tmp_path: Path) -> None:
    noted = {"gitBranch": "main", "cwd": "/srv/zones"}
    assert first_line(tmp_path, noted) == "- working folder /srv/zones"
    below = {"gitBranch": "main", "cwd": f"{CWD}/web"}
    assert first_line(tmp_path, below) == f"- working folder {CWD}/web, on branch main"


@pytest.mark.parametrize(("command", "output", "path", "named"), [
    ("git clone git@forge.example:ada/zones.git", "", "zones/a.py", "zones"),
    ("cd web && git clone --depth 1 https://forge.example/ada/zones", "", "web/zones/a.py", "web/zones"),
    ("git clone https://forge.example/ada/zones.git old", "", "old/a.py", "old"),
    ("ls -a zones", ".git", "zones/a.py", "zones"), ("ls -a zones", ".gitignore", "zones/a.py", ""),
    ("git clone https://forge.example/ada/zones.git .", "", "zones/a.py", ""), ("git clone -h", "", "h/a.py", ""),
    ("git clone https://forge.example/ada/zones --depth 1", "", "zones/a.py", ""), ("ls -a", ".git", "a.py", ""),
    ("git clone https://forge.example/ada/zones && rm -rf zones/.git", "", "zones/a.py", ""),
    ("git clone https://forge.example/ada/zones", "", "zones2/a.py", "")])
def test_the_branch_is_not_that_of_a_repository_within(
        tmp_path: Path, command: str, output: str, path: str, named: str) -> None:
    session = Session()
    session.typed("Round up.")
    session.ran("Bash", output, command=command)
    session.ran("Edit", file_path=f"{CWD}/{path}", old_string="a = 1", new_string="a = 2")
    line = first_text(snapshot_of(session, tmp_path))
    words = f"; edits lie in {named}, a repository of its own with its own branch" if named else ""
    assert line.partition(";")[1:] == words.partition(";")[1:]


def test_what_git_tells_now_counts_alone(tmp_path: Path) -> None:
    now = {"root": CWD, "branch": "main", "head": "1a2b3c4", "in_progress": "", "totals": {"commits": 0},
           "commits": [], "stashes": 0,
           "is_complete": True}
    assert first_line(tmp_path, {"gitBranch": "fix-rates"}, now=now) == f"- working folder {CWD}"


def test_what_was_taken_back_has_its_line(tmp_path: Path) -> None:
    session = Session()
    session.typed("Round up.")
    session.ran("Edit", file_path=f"{CWD}/src/a.py", old_string="a = 1", new_string="a = 2")
    session.says("The change of `src/a.py` rounds each zone half up.")
    session.ran("Bash", "Updated 1 path from the index", command="git checkout src/a.py")
    session.says("The zones are read from the second table.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert "- taken back by `git checkout src/a.py` (" in text
    assert "), no edit here since: a.py\n" in text
    assert "- Edited src/a.py, taken back by `git checkout src/a.py`: " in text
    assert "rounds each zone half up" not in text


def test_a_file_has_one_name_where_the_repository_begins_above(tmp_path: Path) -> None:
    session, top = Session(), CWD.rpartition("/")[0]
    session.typed("Round up.")
    session.ran("Edit", file_path=f"{CWD}/src/a.py", old_string="a = 1", new_string="a = 2")
    session.ran("Edit", file_path=f"{top}/web/fees.py", old_string="b = 1", new_string="b = 2")
    session.ran("Bash", "CONFLICT (content): Merge conflict in parcel-rates/src/c.py\nAutomatic merge failed",
                command="git merge zones; git status | tail -1")
    session.ran("Bash", "[main 1a2b3c4] Keys\n 1 file changed, 1 insertion(+)\n create mode 100644 parcel-rates/.env",
                command="git commit -m Keys")
    session.ran("Write", file_path=f"{CWD}/.env", content="A=1")
    session.typed("Go on.")
    snapshot = snapshot_of(session, tmp_path)
    snapshot["present"] = {"jobs": {}, "repository": {
        "root": top, "folder": CWD, "branch": "parcel-rates/fees", "head": "1a2b3c4", "in_progress": "", "stashes": 0,
        "modified": [("src/a.py", ""), ("../web/fees.py", "")], "conflicts": ["src/c.py"], "is_complete": True,
        "totals": {"modified": 2, "conflicts": 1}}}
    text = recap_of(snapshot)[0]
    assert "Branch `parcel-rates/fees`" in text
    assert "Modified, not staged: `src/a.py`, `../web/fees.py`" in text
    assert "- Edited ../web/fees.py: " in text
    assert "- Edited src/a.py: " in text
    assert "Merge conflict in src/c.py" in text
    assert "mostly private: .env" in text
    assert "parcel-rates/src" not in text


def folders_told(root: str, folder: str, *commands: tuple[str, str]) -> list[str]:
    """The commands as they stand in the text of a session in this folder, each with the folder in which it ran."""
    items: list[Any] = [{"kind": "action", "tool": "Bash", "text": text, **({"folder": ran_in} if ran_in else {})}
                        for text, ran_in in commands]
    paths = Paths(root, folder)
    return [command_in_short(item["text"], paths) for item in seen_from_folder(items, root, folder)]


def test_a_command_that_ran_in_another_folder_is_told_with_it() -> None:
    root, web = "/srv/rates", "/srv/rates/apps/web"
    assert folders_told(root, root, ("ls", ""), ("find app", web)) == ["ls", "cd apps/web && find app"]
    assert folders_told(root, web, ("ls", ""), ("find app", web)) == ["cd /srv/rates && ls", "find app"]
    assert folders_told(root, root, ("cd /opt/x && make", web)) == ["cd /opt/x && make"]  # it went there itself
    assert folders_told(root, root, ("cd lib && make", web)) == ["cd apps/web && cd lib && make"]
    assert folders_told(root, root, ("make", "/srv/rates/my app")) == ["cd my app && make"]
    assert folders_told("", "", ("make", "")) == ["make"]


def test_what_ran_in_another_folder_keeps_its_whole_paths() -> None:
    root, web = "/srv/rates", "/srv/rates/apps/web"
    there_and_back = f"chmod +x {web}/run.sh && cd {web} && ./run.sh"
    assert folders_told(root, web, (there_and_back, "")) == [f"cd {root} && {there_and_back}"]
    assert folders_told(root, web, (there_and_back, web)) == ["chmod +x run.sh && cd . && ./run.sh"]
    paths = Paths(root, root)
    assert short_command(f"cd lib && make -f {root}/all.mk", paths) == f"`cd lib && make -f {root}/all.mk`"
    assert short_command(f"cd {root} && make -f {root}/all.mk", paths) == "`make -f all.mk`"
    assert short_command(f"cd {web} && make", paths) == "`cd apps/web && make`"


def test_the_folder_is_the_shell_s_when_the_command_ran(tmp_path: Path) -> None:
    session = Session()
    session.ran("Bash", command="make rates")
    call = session.call("Bash", command="make web")
    session.records[-1]["cwd"] = f"{CWD}/web"
    session.result(call, "no rule")
    session.typed("Go on.")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert "`cd web && make web`" in text
    assert "`make rates`" in text
