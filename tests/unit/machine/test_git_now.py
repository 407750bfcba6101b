"""What git, which is started here, says of repositories of all kinds; none makes it run a program, write or wait."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_keeper.machine import git_now as module
from compact_keeper.machine.git_answers import PATHS_MAX
from compact_keeper.machine.git_now import git_now
from compact_keeper.machine.git_program import git_program
from compact_keeper.machine.git_settings import how_to_compare, names_no_remote, upstream_of
from compact_keeper.types import GitNow
from hostile_git import SNAPPING, TRAPS, leave_marks, program_that_marks, trapped
from sessions import git, repository_at

SINCE, BEFORE, MADE = "2026-11-22T10:00:00.400Z", "2026-11-22T10:00:00Z", "2026-11-22T10:00:01Z"
PATIENCE = 30.0  # seconds: what is tested is not how fast this machine is


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and a person without settings for git."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "person").mkdir()
    return tmp_path / "person"


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A repository with two files that were committed before the session."""
    repository = repository_at(tmp_path / "rates")
    for name in ("a.py", "src/b.py"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("1\n", encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=second", date=BEFORE)
    return repository


def now_in(folder: Path) -> GitNow:
    """The repository, with time enough for git."""
    return git_now(str(folder), SINCE, PATIENCE)


def lists(now: GitNow) -> tuple[object, ...]:
    """What is staged, modified, untracked and in conflict."""
    return now.get("staged"), now.get("modified"), now.get("untracked"), now.get("conflicts")


def commit(folder: Path, message: str, date: str = MADE) -> str:
    """Makes a commit of all that is there; its hash."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", f"--message={message}", date=date)
    return git(folder, "rev-parse", "HEAD")


# --- the states of a repository ---


def test_a_commit_in_the_second_in_which_the_session_began_is_of_before(rates: Path) -> None:
    """Git knows no parts of a second, and nobody commits in a session's first one."""
    commit(rates, "as it was", BEFORE)
    assert now_in(rates)["commits"] == []
    commit(rates, "of the session", MADE)
    assert [subject for _, subject in now_in(rates)["commits"]] == ["of the session"]


def test_commits_that_only_other_branches_have(rates: Path) -> None:
    old = git(rates, "rev-parse", "HEAD")
    for name in ("try", "topic/fees"):
        git(rates, "checkout", "--quiet", "-b", name, old)
        commit(rates, f"on {name}")
    git(rates, "branch", "at-head", "main")
    git(rates, "checkout", "--quiet", "main")
    (rates / ".git" / "refs" / "heads" / "broken").write_text("x\n", encoding="utf-8")
    (rates / ".git" / "refs" / "heads" / "loop").symlink_to("loop")
    now = now_in(rates)
    assert (now["commits"], now["is_complete"]) == ([], True)
    assert sorted((branch, subject) for branch, _, subject in now["elsewhere"]) == [
        ("topic/fees", "on topic/fees"), ("try", "on try")]
    git(rates, "merge", "--quiet", "try")
    assert [branch for branch, *_ in now_in(rates)["elsewhere"]] == ["topic/fees"]
    for path in (rates / ".git" / "refs" / "heads").rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    assert "elsewhere" not in now_in(rates)  # no ref was written since the session began


def test_an_other_branch_whose_commit_is_gone_costs_only_itself(rates: Path) -> None:
    (rates / ".git" / "refs" / "heads" / "try").write_text("a" * 40 + "\n", encoding="utf-8")
    now = now_in(rates)
    assert (now["commits"], now["is_complete"], "elsewhere" in now) == ([], True, False)


def test_a_clean_repository(rates: Path) -> None:
    head = git(rates, "rev-parse", "HEAD")
    assert now_in(rates / "src") == {
        "root": str(rates), "folder": str(rates / "src"),
        "branch": "main", "head": head[:7], "upstream": "", "is_without_remote": True,
        "commits": [], "since": SINCE,
        "staged": [], "modified": [], "untracked": [], "conflicts": [], "in_progress": "", "stashes": 0,
        "is_complete": True,
        "totals": {"conflicts": 0, "staged": 0, "modified": 0, "untracked": 0, "commits": 0}}


@pytest.mark.parametrize(("settings", "is_without"), [
    ("[core]\n", True), ("", False), ('[Remote "a"]\n\turl = x\n', False), ("[include]\n\tpath = x\n", False),
    ('[includeIf "gitdir:x"]\n\tpath = x\n', False), ('[branch "b"]\n\tremote = .\n', True)])
def test_that_there_is_no_remote_is_certain(settings: str, is_without: bool) -> None:
    assert names_no_remote(settings) is is_without


def test_changes_of_every_kind_and_the_commits_of_the_session(rates: Path) -> None:
    (rates / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (rates / "gone.py").write_text("1\n", encoding="utf-8")
    (rates / "kept.py").write_text("1\n", encoding="utf-8")
    third, fourth = commit(rates, "third"), commit(rates, "fourth, with ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8")
    (rates / "a.py").write_text("22\n", encoding="utf-8")
    (rates / "staged.py").write_text("1\n", encoding="utf-8")
    git(rates, "rm", "--quiet", "gone.py")
    git(rates, "add", "staged.py", "a.py")
    (rates / "src" / "b.py").write_text("22\n", encoding="utf-8")
    (rates / "kept.py").unlink()
    os.utime(rates / "staged.py", (1, 1))  # touched and not changed
    for name in ("new/x.py", "made.log", "one.py"):
        (rates / name).parent.mkdir(exist_ok=True)
        (rates / name).write_text("1\n", encoding="utf-8")
    (rates / "empty").mkdir()
    now = now_in(rates)
    assert lists(now) == ([("a.py", ""), ("gone.py", "deleted"), ("staged.py", "new")],
                          [("kept.py", "deleted"), ("src/b.py", "")], ["new/", "one.py"], [])
    assert [name for name, _ in now["commits"]] == [fourth[:7], third[:7]]
    assert now["commits"][1][1] == "third"
    assert "ghp_" not in now["commits"][0][1]
    assert now["is_complete"]


def test_paths_are_as_seen_from_the_folder(rates: Path) -> None:
    for name in ("src/c.py", "src/inner/new.py", "lib/d.py", "src.py"):
        (rates / name).parent.mkdir(exist_ok=True)
        (rates / name).write_text("2\n", encoding="utf-8")
    git(rates, "add", "src/c.py")
    (rates / "a.py").unlink()
    (rates / "src" / "b.py").write_text("22\n", encoding="utf-8")
    assert lists(now_in(rates / "src")) == (
        [("c.py", "new")], [("../a.py", "deleted"), ("b.py", "")], ["../lib/", "../src.py", "inner/"], [])
    assert lists(now_in(rates / "src" / "inner"))[1:3] == (
        [("../../a.py", "deleted"), ("../b.py", "")], ["../../lib/", "../../src.py", "./"])


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "new")
    (tmp_path / "new" / "a.py").write_text("1\n", encoding="utf-8")
    git(tmp_path / "new", "add", "a.py")
    now = now_in(tmp_path / "new")
    assert (now["branch"], now["head"], now.get("commits"), now["staged"]) == ("main", "", None, [("a.py", "new")])


def test_a_ref_that_cannot_be_read_is_no_missing_commit(rates: Path) -> None:
    ref = rates / ".git" / "refs" / "heads" / "main"
    ref.unlink()
    os.mkfifo(ref)
    now = now_in(rates)
    assert lists(now) == (None, None, None, None)
    assert not now["is_complete"]


@pytest.mark.parametrize(("arguments", "in_progress"), [
    (("merge", "topic"), "merge of {topic}"), (("cherry-pick", "topic"), "cherry-pick of {topic}"),
    (("rebase", "topic"), "rebase of main, step 1 of 1"),
    (("revert", "--no-edit", "main~1"), "revert of {before}"),
])
def test_a_conflict(rates: Path, arguments: tuple[str, ...], in_progress: str) -> None:
    git(rates, "checkout", "--quiet", "-b", "topic")
    (rates / "a.py").write_text("2\n", encoding="utf-8")
    topic = commit(rates, "on topic")
    git(rates, "checkout", "--quiet", "main")
    if arguments[0] == "revert":
        (rates / "a.py").write_text("4\n", encoding="utf-8")
        commit(rates, "before")
    (rates / "a.py").write_text("3\n", encoding="utf-8")
    commit(rates, "on main")
    before = git(rates, "rev-parse", "HEAD~1")
    with pytest.raises(subprocess.CalledProcessError):
        git(rates, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments)
    now = now_in(rates)
    assert now["in_progress"] == in_progress.format(topic=topic[:7], before=before[:7])
    assert lists(now) == ([], [], [], ["a.py"])
    assert now["branch"] == ("" if arguments[0] == "rebase" else "main")


def test_a_bisection_and_stashes(rates: Path) -> None:
    for text in ("5\n", "6\n"):
        (rates / "a.py").write_text(text, encoding="utf-8")
        git(rates, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "stash", "--quiet")
    git(rates, "bisect", "start")
    assert (now_in(rates)["in_progress"], now_in(rates)["stashes"]) == ("bisect begun on main", 2)


@pytest.mark.parametrize("is_packed", [False, True])
def test_an_upstream(rates: Path, tmp_path: Path, is_packed: bool) -> None:
    git(tmp_path, "clone", "--quiet", str(rates), "clone")
    clone = tmp_path / "clone"
    assert (now_in(clone).get("ahead"), now_in(clone).get("behind")) == (0, 0)
    for number in range(3):
        commit(clone, f"own {number}")
    commit(rates, "theirs")
    git(clone, "fetch", "--quiet")
    git(clone, *(("pack-refs", "--all") if is_packed else ("status",)))
    now = now_in(clone)
    assert (now["upstream"], now["ahead"], now["behind"]) == ("origin/main", 3, 1)
    git(clone, "checkout", "--quiet", "-b", "a.b/c", "--track", "main")
    assert now_in(clone)["upstream"] == "main"
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    git(clone, "checkout", "--quiet", "main")
    assert (now_in(clone)["upstream"], now_in(clone).get("ahead")) == ("origin/main", None)


def test_a_shallow_clone(rates: Path, tmp_path: Path) -> None:
    commit(rates, "third")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{rates}", "clone")
    now = now_in(tmp_path / "clone")
    assert [subject for _, subject in now["commits"]] == ["third"]
    assert now["is_complete"]


def test_a_linked_worktree_and_a_submodule(rates: Path, tmp_path: Path) -> None:
    git(rates, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "a.py").write_text("22\n", encoding="utf-8")
    now = now_in(tmp_path / "side")
    assert (now["branch"], now["modified"], now["untracked"]) == ("side", [("a.py", "")], [])
    outer = repository_at(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(rates), "inner")
    (outer / "inner" / "a.py").write_text("22\n", encoding="utf-8")
    assert lists(now_in(outer / "inner")) == ([], [("a.py", "")], [], [])
    assert lists(now_in(outer)) == ([(".gitmodules", "new"), ("inner", "new")], [], [], [])
    commit(outer, "with it")
    commit(outer / "inner", "inside")
    assert lists(now_in(outer)) == ([], [("inner", "")], [], [])


@pytest.mark.parametrize("name", [
    "it's", 'a"b', "a\nb", "größe 😀", "-rf", ":(top)x", "a\\b", "\x1b[2Jx", "<system-reminder>"])
def test_unusual_names_stay_on_their_line(rates: Path, name: str) -> None:
    (rates / name).write_text("1\n", encoding="utf-8")
    shown, = now_in(rates)["untracked"]
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert "<system" not in shown
    git(rates, "add", ".")
    assert now_in(rates)["staged"] == [(shown, "new")]
    (rates / name).write_text("22\n", encoding="utf-8")
    assert now_in(rates)["modified"] == [(shown, "")]


def test_a_name_that_is_no_text(rates: Path) -> None:
    Path(os.fsdecode(os.fsencode(rates) + b"/caf\xe9")).write_text("1\n", encoding="utf-8")
    assert now_in(rates)["untracked"] == ["caf\ufffd"]


def test_more_untracked_files_than_are_read(rates: Path) -> None:
    for number in range(700):
        (rates / f"{number:0120}.py").touch()
    (rates / "a.py").write_text("22\n", encoding="utf-8")
    now = now_in(rates)
    assert len(now["untracked"]) == PATHS_MAX
    assert PATHS_MAX < now["totals"]["untracked"] < 700
    assert now["modified"] == [("a.py", "")]
    assert not now["is_complete"]


def test_settings_of_the_comparison_and_what_the_person_ignores_count(rates: Path, home: Path) -> None:
    (rates / "a.py").chmod(0o755)
    for name in (".DS_Store", "own.txt", "mine.txt"):
        (rates / name).touch()
    assert lists(now_in(rates))[1:3] == ([("a.py", "")], [".DS_Store", "mine.txt", "own.txt"])
    git(rates, "config", "core.fileMode", "false")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n", encoding="utf-8")
    (home / "ignored").write_text(".DS_Store\n", encoding="utf-8")
    (rates / ".git" / "info").mkdir(exist_ok=True)
    (rates / ".git" / "info" / "exclude").write_text("own.txt\n", encoding="utf-8")
    assert lists(now_in(rates))[1:3] == ([], ["mine.txt"])


def test_what_a_filter_makes_is_not_called_modified(rates: Path) -> None:
    (rates / ".gitattributes").write_text("*.bin filter=lfs -text\n*.txt -filter\n", encoding="utf-8")
    for name in ("big.bin", "gone.bin", "small.txt"):
        (rates / name).write_text("a pointer\n", encoding="utf-8")
    commit(rates, "large files")
    for name in ("big.bin", "small.txt"):
        (rates / name).write_text("the content\n", encoding="utf-8")
    (rates / "gone.bin").unlink()
    now = now_in(rates)
    assert now["modified"] == [("gone.bin", "deleted"), ("small.txt", "")]
    assert not now["is_complete"]


# --- hostile ones ---


@pytest.mark.parametrize("name", TRAPS)
def test_a_repository_makes_git_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    trapped(project, TRAPS[name], program_that_marks(tmp_path / "program", mark))
    mark.unlink(missing_ok=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(project), os.environ["PATH"]]))
    for variable in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_EXEC_PATH"):
        monkeypatch.setenv(variable, str(tmp_path / "program"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor'='{tmp_path / 'program'}'")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    now = now_in(project)
    assert not mark.exists(), mark.read_text()
    assert now["untracked"]  # it was asked
    assert before == {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", sorted(SNAPPING))
def test_the_trap_would_snap(tmp_path: Path, name: str) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    trapped(project, TRAPS[name], program_that_marks(tmp_path / "program", mark))
    mark.unlink(missing_ok=True)
    leave_marks(project)
    assert mark.exists()


@pytest.mark.parametrize("name", ["a monitor", "a filter", "a filter in an included file", "a filter that stays"])
def test_with_the_repositorys_own_settings_it_would_be_run(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    trapped(project, TRAPS[name], program_that_marks(tmp_path / "program", mark))
    mark.unlink(missing_ok=True)
    monkeypatch.setattr(module, "git_environment", lambda *_: {"GIT_OPTIONAL_LOCKS": "0", "PATH": os.environ["PATH"]})
    now_in(project)
    assert mark.exists()


def test_a_filter_of_the_person_is_not_run_either(tmp_path: Path, home: Path) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    program = program_that_marks(tmp_path / "program", mark)
    trapped(project, lambda *_: None, program)
    for path in (home / ".gitconfig", home / ".config" / "git" / "config"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[filter "trap"]\n\tclean = {program}\n', encoding="utf-8")
    assert now_in(project)["modified"] == [("rates.py", "")]
    assert not mark.exists()


def test_what_lies_in_our_empty_folder_is_not_believed(rates: Path, tmp_path: Path) -> None:
    assert now_in(rates)["is_complete"]
    (tmp_path / "data" / "empty.git" / "config").write_text("[core]\n\tfsmonitor = x\n", encoding="utf-8")
    assert lists(now_in(rates)) == (None, None, None, None)


def test_a_git_of_the_repository_is_none(rates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (rates / "bin", tmp_path / "bin"):
        folder.mkdir()
    (rates / "bin" / "git").symlink_to("/bin/true")  # in it, and leads out
    (rates / "git").write_text("#!/bin/sh\n", encoding="utf-8")
    (rates / "git").chmod(0o755)
    (tmp_path / "bin" / "git").symlink_to(rates / "git")  # leads into it
    monkeypatch.chdir(rates)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(rates), str(rates / "bin"), str(tmp_path / "bin")]))
    assert git_program(str(rates)) == ""
    assert (now_in(rates)["branch"], lists(now_in(rates))) == ("main", (None, None, None, None))
    monkeypatch.setenv("PATH", f"{rates}{os.pathsep}{os.path.dirname(str(shutil.which('git', path=os.defpath)))}")
    assert now_in(rates)["is_complete"]


def fifo_as(name: str) -> Callable[[Path], None]:
    """Puts a FIFO in that place, which git would wait for."""
    def put(project: Path) -> None:
        (project / name).unlink(missing_ok=True)
        os.mkfifo(project / name)
    return put


@pytest.mark.parametrize(("spoil", "known"), [
    (fifo_as(".gitignore"), {"staged", "commits"}), (fifo_as(".git/index"), {"commits"}),
    (fifo_as(".git/config"), {"staged", "untracked", "commits"}),
    (lambda project: (project / ".git" / "index").write_bytes(b"DIRC\xff"), {"commits"}),
    (lambda project: shutil.rmtree(project / ".git" / "objects"), set()),
    (lambda project: (project / ".git" / "commondir").write_bytes(b"a\0b"), set()),
    (lambda project: (project / ".git" / "commondir").write_bytes(b"../.git"), {"staged", "untracked", "commits"}),
    (lambda project: (project / ".git" / "config").write_bytes(b"[core\nautocrlf = ever\n" * 9),
     {"staged", "untracked", "commits"}),
])
def test_what_is_broken_is_not_waited_for_and_costs_only_itself(
        rates: Path, spoil: Callable[[Path], object], known: set[str]) -> None:
    spoil(rates)
    assert {"staged", "untracked", "commits"} & set(git_now(str(rates), SINCE, 1.0)) == known
    with pytest.raises(ChildProcessError):  # none is left behind
        os.waitpid(-1, os.WNOHANG)


def test_without_time_only_what_stands_in_git_is_told(rates: Path) -> None:
    (rates / ".git" / "MERGE_HEAD").write_text("a" * 40 + "\n", encoding="utf-8")
    now = git_now(str(rates), SINCE, 0.0)
    assert (now["branch"], now["in_progress"], now["is_complete"]) == ("main", "merge of aaaaaaa", False)
    assert lists(now) == (None, None, None, None)


@pytest.mark.parametrize("folder", ["", ".", "/", "/nonexistent/\0", "/\ud800"])
def test_outside_of_a_repository(folder: str, rates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rates)
    assert git_now(folder, SINCE, PATIENCE) == {}


# --- settings, read without git ---


@pytest.mark.parametrize(("settings", "expected"), [
    ('[branch "a"]\n\tremote = origin\n\tmerge = refs/heads/b', ("origin/b", "refs/remotes/origin/b")),
    ('[branch "a"]\nremote = .\nmerge = refs/heads/b\n[branch "c"]\nmerge = refs/heads/d', ("b", "refs/heads/b")),
    ('[branch "c"]\nremote = origin\nmerge = refs/heads/b', ("", "")),
    ('[branch "a"]\nremote = https://ada:secret@example.org/x\nmerge = refs/heads/b', ("", "")),
    ('[branch "a"]\nremote = origin\nmerge = refs/pull/1', ("", "")), ("", ("", "")), ("\0[[[\n=\n", ("", ""))])
def test_an_upstream_is_named(settings: str, expected: tuple[str, str]) -> None:
    assert upstream_of("a", settings) == expected


@pytest.mark.parametrize(("settings", "options"), [
    ("[core]\n\tfileMode = false\n", ["-c", "core.filemode=false"]),
    ("autocrlf = true\n autocrlf = input\r\n", ["-c", "core.autocrlf=input"]),
    ("eol = $(touch x)\nautocrlf = !touch\nfsmonitor = x\nsymlinks = a b\nxeol = lf\n", []),
])
def test_only_plain_words_are_taken_over(settings: str, options: list[str]) -> None:
    assert how_to_compare(settings) == options
