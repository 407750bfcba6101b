"""Repositories that name a program wherever git may look for one (hostile_git.py): no hook makes git run it."""

from __future__ import annotations

import os

import hostile_git
from attack import Attack, Ground, Outcome
from course import AUDIT, COMPACTED, COURSE, PRECOMPACT
from hostile_git import program_that_marks, trapped
from odd_paths import Scene, few
from sessions import Session

ENVIRONMENT = ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_EXEC_PATH")


def hostile_settings(ground: Ground) -> Outcome:
    """The course of a session in each repository; the program stands in the environment and in the PATH too."""
    broken, count = list[str](), 0
    for number, (name, trap) in enumerate(few(ground, hostile_git.TRAPS, 4).items()):
        scene = Scene(ground, f"scene{number}")
        mark = scene.folder / "mark"
        program = program_that_marks(scene.folder / "program", mark)
        trapped(scene.project, trap, program)
        mark.unlink(missing_ok=True)
        scene.transcript.write_bytes(transcript_in(str(scene.project)))
        scene.extra = {"PATH": os.pathsep.join(["", ".", str(scene.project), os.environ["PATH"]]),
                       **dict.fromkeys(ENVIRONMENT, str(program)),
                       "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{program}'"}
        git_folder = scene.project / ".git"
        before = {path: path.read_bytes() for path in git_folder.rglob("*") if path.is_file()}
        for event in COURSE if ground.full else (PRECOMPACT, COMPACTED, AUDIT):
            broken += [f"{name}: {fault}" for fault in scene.hook(event).faults()]
        if mark.exists():
            broken.append(f"{name}: run: {mark.read_text()[:300]}")
        after = {path: path.read_bytes() for path in git_folder.rglob("*") if path.is_file()}
        broken += [f"{name}: {path} is not as it was" for path in sorted({*before, *after})
                   if before.get(path) != after.get(path)]
        count += scene.count
    return Outcome(count, broken)


def transcript_in(folder: str) -> bytes:
    """A session that works in the folder."""
    session = Session()
    session.typed("Round the rates half to even.")
    session.ran("Bash", "[main 1234567] First", command="git commit -m First")
    session.says("Committed.")["cwd"] = folder
    return session.as_bytes()


ATTACKS: tuple[Attack, ...] = (
    Attack("a hostile repository makes git run nothing, and nothing is written into .git", hostile_settings),)
