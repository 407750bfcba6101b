"""What is read of repositories that git made, of ones that it did not, and of what stands in their place."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from compact_keeper.machine.repository import project_top, repository
from sessions import JsonObject, git, repository_at


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A repository with one commit on the branch `main`."""
    return repository_at(tmp_path / "rates")


def as_git_says(folder: Path) -> JsonObject:
    return {"branch": git(folder, "branch", "--show-current"), "head": git(folder, "rev-parse", "HEAD"),
            "worktree": git(folder, "rev-parse", "--show-toplevel")}


def test_a_branch(rates: Path) -> None:
    assert repository(str(rates)) == as_git_says(rates)
    git(rates, "checkout", "--quiet", "-b", "fix/half-even.invalid")
    assert repository(str(rates)) == as_git_says(rates)
    assert repository(str(rates))["branch"] == "fix/half-even.invalid"


def test_a_folder_below_even_when_it_is_gone(rates: Path) -> None:
    (rates / "a" / "b").mkdir(parents=True)
    assert repository(str(rates / "a" / "b")) == as_git_says(rates)
    assert repository(str(rates / "gone" / "too")) == as_git_says(rates)


def test_a_project_is_its_repository_with_all_worktrees(rates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (rates / "src").mkdir()
    git(rates, "worktree", "add", "--quiet", "-b", "fees", str(rates.parent / "rates-fees"))
    linked = rates.parent / "rates-fees" / "src"
    linked.mkdir()
    outside = rates.parent / "notes"
    assert [project_top(str(folder)) for folder in (rates, rates / "src", linked, linked / "gone", outside)] == [
        *[str(rates)] * 4, str(outside)]
    assert project_top("") == ""
    monkeypatch.setenv("HOME", str(rates))  # a home that is a repository, as of dotfiles, is no project
    assert project_top(str(rates / "src")) == str(rates / "src")


def test_the_worktrees_of_a_bare_repository_are_one_project_and_a_submodule_is_its_own(rates: Path) -> None:
    bare, linked = rates.parent / "all.git", rates.parent / "one"
    git(rates, "clone", "--quiet", "--bare", str(rates), str(bare))
    git(bare, "worktree", "add", "--quiet", str(linked), "main")
    assert project_top(str(linked)) == str(bare)
    git(rates, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(bare), "sub")
    assert project_top(str(rates / "sub")) == str(rates / "sub")


def test_a_folder_that_calls_itself_a_worktree_of_another_repository_is_none(rates: Path) -> None:
    git(rates, "worktree", "add", "--quiet", "-b", "fees", str(rates.parent / "rates-fees"))
    stranger = rates.parent / "stranger"
    stranger.mkdir()
    (stranger / ".git").write_bytes((rates.parent / "rates-fees" / ".git").read_bytes())
    assert project_top(str(stranger)) == str(stranger)


def test_a_detached_head(rates: Path) -> None:
    git(rates, "checkout", "--quiet", "--detach")
    assert repository(str(rates)) == as_git_says(rates)
    assert repository(str(rates))["branch"] == ""


def test_packed_refs(rates: Path) -> None:
    for number in range(50):
        git(rates, "branch", f"x/refs/heads/main-{number}")
    git(rates, "commit", "--quiet", "--allow-empty", "--message=second")
    git(rates, "tag", "--annotate", "--message=1", "v1")
    git(rates, "pack-refs", "--all")
    assert not (rates / ".git" / "refs" / "heads" / "main").exists()
    assert repository(str(rates)) == as_git_says(rates)
    git(rates, "commit", "--quiet", "--allow-empty", "--message=third")  # loose again: it wins over the packed one
    assert repository(str(rates)) == as_git_says(rates)


def test_commits_named_with_sha256(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=first")
    git(tmp_path, "pack-refs", "--all")
    assert repository(str(tmp_path)) == as_git_says(tmp_path)
    assert len(repository(str(tmp_path))["head"]) == 64


@pytest.mark.parametrize("packed", [False, True])
def test_a_linked_worktree(rates: Path, tmp_path: Path, packed: bool) -> None:
    side = tmp_path / "side"
    git(rates, "worktree", "add", "--quiet", "-b", "side", str(side))
    git(side, "commit", "--quiet", "--allow-empty", "--message=second")
    if packed:
        git(rates, "pack-refs", "--all")
    assert repository(str(side)) == as_git_says(side)
    assert repository(str(rates)) == as_git_says(rates)


def test_a_submodule_is_no_linked_worktree(rates: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet", "--initial-branch=trunk")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(rates), "inner")
    assert (outer / "inner" / ".git").is_file()
    assert repository(str(outer / "inner")) == as_git_says(outer / "inner")


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    assert repository(str(tmp_path)) == {"branch": "main", "head": "", "worktree": str(tmp_path)}


def test_a_ref_that_names_another(rates: Path) -> None:
    git(rates, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(rates, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert repository(str(rates)) == as_git_says(rates)


def test_refs_that_name_each_other(rates: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (rates / ".git" / "refs" / "heads" / name).write_text(f"ref: refs/heads/{other}\n", encoding="utf-8")
    (rates / ".git" / "HEAD").write_text("ref: refs/heads/a\n", encoding="utf-8")
    assert repository(str(rates))["head"] == ""


def test_a_reftable_keeps_its_branch_to_itself(tmp_path: Path) -> None:
    """Laid out by hand, as git's documentation of the format says: git makes such a repository only from 2.45 on."""
    for name, text in (("HEAD", "ref: refs/heads/.invalid\n"), ("reftable/tables.list", "0x1-0x2-3c.ref\n"),
                       ("refs/heads", "this repository uses the reftable format\n")):
        path = tmp_path / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert repository(str(tmp_path)) == {"branch": "", "head": "", "worktree": str(tmp_path)}


@pytest.mark.parametrize("content", [
    b"", b"\0", b"ref: ", b"\xff\xfe", b"gitdir: /nonexistent", b"main\n", b"0123456789abcdef\n", b"\n\n",
    b"ref: ../../outside\n", b"ref: refs/../../../outside\n", b"ref: refs/heads/\0\n"[:5] + b"heads\n"])
def test_a_head_that_git_did_not_write(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "outside").write_text("a" * 40 + "\n", encoding="utf-8")
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "HEAD").write_bytes(content)
    assert repository(str(tmp_path / "a")) == {}


@pytest.mark.parametrize("content", [
    b"ref: refs/heads/" + b"x" * 10_000, b"ref: refs/heads/a\0b\n", b"ref: refs/heads/\xff\n"])
def test_a_branch_that_cannot_be(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(content)
    assert repository(str(tmp_path))["head"] == ""


@pytest.mark.parametrize("content", [b"", b"gitdir: ", b"gitdir: /nonexistent", b"gitdir: \0", b"\xff", b"HEAD"])
def test_a_git_file_that_leads_nowhere(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert repository(str(tmp_path)) == {}


@pytest.mark.parametrize("place", [".git", ".git/HEAD"])
def test_a_fifo_is_passed_over(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / place)
    assert repository(str(tmp_path)) == {}


def test_a_fifo_that_has_something_to_say_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    both_ends = os.open(tmp_path / ".git" / "HEAD", os.O_RDWR | os.O_NONBLOCK)
    os.write(both_ends, b"ref: refs/heads/main\n")
    assert repository(str(tmp_path)) == {}
    assert os.read(both_ends, 99) == b"ref: refs/heads/main\n"
    os.close(both_ends)


@pytest.mark.parametrize("place", ["refs/heads/main", "packed-refs", "commondir"])
def test_a_fifo_in_place_of_a_ref(rates: Path, place: str) -> None:
    head = "" if place == "refs/heads/main" else git(rates, "rev-parse", "HEAD")  # git itself would wait now
    (rates / ".git" / place).unlink(missing_ok=True)
    os.mkfifo(rates / ".git" / place)
    assert repository(str(rates)) == {"branch": "main", "head": head, "worktree": str(rates)}


def test_a_socket_and_a_link_loop_in_place_of_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    for name in ("a", "b"):
        (tmp_path / name / ".git").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a/.git/HEAD")
        assert repository(str(tmp_path / "a")) == {}
    (tmp_path / "b" / ".git" / "HEAD").symlink_to("HEAD")
    assert repository(str(tmp_path / "b")) == {}


def test_a_dangling_link_is_no_repository(rates: Path) -> None:
    (rates / "below").mkdir()
    (rates / "below" / ".git").symlink_to(rates / "gone")
    assert repository(str(rates / "below")) == as_git_says(rates)  # so does git


@pytest.mark.parametrize("folder", ["", ".", "relative/path", "/", "/nonexistent/\0", "/\ud800", "/" + "x" * 10_000])
def test_outside_of_a_repository(folder: str, rates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rates)
    assert repository(folder) == {}
