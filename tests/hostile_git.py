"""Repositories that name a program wherever git may look for one: it must never be run.

Each trap is set in a repository with a commit, a changed file, an untracked one and a file with a filter. It takes the
repository, and the path of a program that leaves a mark when it is run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from sessions import git

Trap = Callable[[Path, Path], object]
PLAIN_GIT = (("status",), ("log", "--max-count=3"), ("diff",), ("diff", "--cached"), ("ls-files", "--modified"))
# What git does without our care: these traps snap then. The others need a terminal or another command, or are for what
# a careless call by us might do.
SNAPPING = frozenset({
    "a monitor", "a monitor in an included file", "a monitor in the settings of a worktree", "a filter",
    "a filter that stays", "a filter named in .git/info/attributes", "a filter in an included file",
    "a filter of git-lfs", "a diff", "a diff of its own for files", "a text converter", "a signer",
    "a hook", "a hook in a folder of its own", "a transport for missing objects", "ssh for missing objects",
    "a monitor of a submodule", "a filter of a submodule", "another working tree"})


def program_that_marks(path: Path, mark: Path) -> Path:
    """The program at the path, which makes the mark and fails."""
    path.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{mark}'\nexit 1\n")
    path.chmod(0o755)
    return path


def trapped(project: Path, trap: Trap, program: Path) -> None:
    """Makes the repository in an empty folder, and sets the trap in it."""
    git(project, "init", "--quiet", "--initial-branch=main")
    (project / ".gitattributes").write_text("*.dat filter=trap diff=trap\n*.big filter=lfs\n")
    for name in ("rates.dat", "rates.big", "rates.py"):
        (project / name).write_text("1\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message=first")
    (project / "new.py").write_text("3\n")
    trap(project, program)
    for name in ("rates.dat", "rates.big", "rates.py"):
        (project / name).write_text("2\n")
        os.utime(project / name, (1, 1))


def leave_marks(project: Path) -> None:
    """Runs git as somebody does who trusts the repository."""
    for words in PLAIN_GIT:
        subprocess.run(["git", *words], cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                       timeout=20, env={"PATH": os.environ["PATH"], "HOME": str(project.parent)})


def setting(*named: str) -> Trap:
    """The trap of these settings: name and value in turn, with {} for the program."""
    def trap(project: Path, program: Path) -> None:
        for name, value in zip(named[::2], named[1::2]):
            git(project, "config", "--add", name, value.format(program))
    return trap


def included(name: str) -> Trap:
    """The setting in a file that the repository's own settings include."""
    def trap(project: Path, program: Path) -> None:
        git(project, "config", "--file=.git/more", name, str(program))
        git(project, "config", "include.path", "more")
    return trap


def by_info(project: Path, program: Path) -> None:
    """A filter for all files, chosen in .git."""
    (project / ".git" / "info").mkdir(exist_ok=True)
    (project / ".git" / "info" / "attributes").write_text("* filter=inner\n")
    git(project, "config", "filter.inner.clean", str(program))


def of_worktree(project: Path, program: Path) -> None:
    git(project, "config", "extensions.worktreeConfig", "true")
    git(project, "config", "--worktree", "core.fsmonitor", str(program))


def signed(project: Path, program: Path) -> None:
    """A commit with a signature, and who is to check it."""
    head, path = git(project, "rev-parse", "HEAD"), project / ".git" / "commit"
    text = git(project, "cat-file", "commit", head)
    before, _, message = text.partition("\n\n")
    path.write_text(f"{before}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----\n\n"
                    f"{message}\n")
    commit = git(project, "hash-object", "-w", "-t", "commit", str(path))
    git(project, "update-ref", "HEAD", commit)
    setting("log.showSignature", "true", "gpg.program", "{}")(project, program)


def hooked(folder: str) -> Trap:
    """Hooks that git runs when it writes the index, in that folder."""
    def trap(project: Path, program: Path) -> None:
        (project / folder).mkdir(parents=True, exist_ok=True)
        for name in ("post-index-change", "pre-auto-gc", "reference-transaction"):
            (project / folder / name).symlink_to(program)
        if folder != ".git/hooks":
            git(project, "config", "core.hooksPath", folder)
        os.utime(project / "rates.py", (2, 2))
    return trap


def missing(*named: str) -> Trap:
    """The commit's tree is not there, and is to be fetched by these settings."""
    def trap(project: Path, program: Path) -> None:
        tree = git(project, "rev-parse", "HEAD^{tree}")
        (project / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        (project / ".git" / "index").unlink()
        setting("core.repositoryFormatVersion", "1", "extensions.partialClone", "origin", "remote.origin.promisor",
                "true", *named)(project, program)
    return trap


def of_submodule(name: str) -> Trap:
    """The setting is a submodule's, whose file has changed."""
    def trap(project: Path, program: Path) -> None:
        inner = project / "inner"
        inner.mkdir()
        git(inner, "init", "--quiet", "--initial-branch=main")
        (inner / ".gitattributes").write_text("*.dat filter=trap\n")
        (inner / "a.dat").write_text("1\n")
        git(inner, "add", ".")
        git(inner, "commit", "--quiet", "--message=first")
        (project / ".gitmodules").write_text('[submodule "inner"]\npath = inner\nurl = ./inner\nignore = none\n')
        git(project, "add", "inner", ".gitmodules")
        git(project, "commit", "--quiet", "--message=second")
        git(inner, "config", name, str(program))
        (inner / "a.dat").write_text("2\n")
        os.utime(inner / "a.dat", (1, 1))
    return trap


def elsewhere(project: Path, program: Path) -> None:
    """Another working tree, and a monitor for it."""
    setting("core.worktree", str(project.parent), "core.fsmonitor", "{}")(project, program)


def beside(project: Path, program: Path) -> None:
    """A program of git's name in the repository: who looks for git where he stands finds it."""
    for name in ("git", "git-status", "git-log", "cat", "sh"):
        (project / name).symlink_to(program)


SHELL = "sh -c '{} $0'"
TRAPS: dict[str, Trap] = {
    "a monitor": setting("core.fsmonitor", "{}"), "a monitor in an included file": included("core.fsmonitor"),
    "a monitor in the settings of a worktree": of_worktree,
    "a filter": setting("filter.trap.clean", "{}", "filter.trap.smudge", "{}"),
    "a filter that stays": setting("filter.trap.process", "{}", "filter.trap.required", "true"),
    "a filter named in .git/info/attributes": by_info, "a filter in an included file": included("filter.trap.clean"),
    "a filter of git-lfs": setting("filter.lfs.clean", "{} %f", "filter.lfs.process", "{}"),
    "a diff": setting("diff.external", "{}"), "a diff of its own for files": setting("diff.trap.command", "{}"),
    "a text converter": setting("diff.trap.textconv", "{}"), "a signer": signed,
    "a hook": hooked(".git/hooks"), "a hook in a folder of its own": hooked("hooks"),
    "a transport for missing objects": missing("remote.origin.url", "ext::{} x", "protocol.ext.allow", "always"),
    "ssh for missing objects": missing("remote.origin.url", "ssh://example.org/x", "core.sshCommand", "{}"),
    "a helper for missing objects": missing("remote.origin.url", "https://127.0.0.1:1/x", "credential.helper", "!{}"),
    "a monitor of a submodule": of_submodule("core.fsmonitor"),
    "a filter of a submodule": of_submodule("filter.trap.clean"), "another working tree": elsewhere,
    "pagers, editors and names": setting(
        "core.pager", "{}", "pager.status", "{}", "pager.log", "{}", "core.editor", "{}", "core.askPass", "{}",
        "alias.status", "!{}", "alias.log", "!{}", "alias.ls-files", "!{}", "alias.diff-index", "!{}",
        "status.submoduleSummary", "true", "trace2.eventTarget", "{}.trace", "core.alternateRefsCommand", "{}",
        "uploadpack.packObjectsHook", "{}", "interactive.diffFilter", "{}", "gc.auto", "1", "safe.directory", "*",
        "submodule.x.update", "!{}", "fsmonitor.socketDir", "{}", "core.gitProxy", "{}"),
    "a program of git's name": beside}
