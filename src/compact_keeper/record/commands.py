"""What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or its other kind.

One vocabulary for all who ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.record.check_breadth import limits_of
from compact_keeper.record.check_programs import family_of
from compact_keeper.record.looking_commands import is_looking_piece
from compact_keeper.record.shell import COMMANDS_KEPT, pieces_of, program_of, shell_words, without_redirections
from compact_keeper.types import Check

OTHER_FAMILIES = {  # of commands that are no check
    "git": "git", "gh": "gh", "glab": "gh", "terraform": "deploy", "tofu": "deploy", "kubectl": "deploy",
    "helm": "deploy", "pulumi": "deploy", "vercel": "deploy", "fly": "deploy", "netlify": "deploy",
    "ansible-playbook": "deploy",
    "alembic": "migration", "prisma": "migration", "flyway": "migration", "knex": "migration", "goose": "migration",
    "pip": "install", "pip3": "install", "apt-get": "install", "apt": "install", "brew": "install", "gem": "install"}


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order."""
    pieces = pieces_of(command)
    is_piped_through = "pipefail" in command
    in_loop = any(piece.split(" ", 1)[0] in ("for", "while", "until", "if") for piece, _ in pieces)
    checks: list[Check] = []
    folder = ""
    for place, (piece, sign) in enumerate(pieces):
        words = shell_words(piece)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        family, name, runner = family_of(words)
        if not family:
            continue
        filters, behind = list[str](), sign
        for later, later_sign in pieces[place + 1:] if sign.startswith("|") and sign != "||" else ():
            filters.append(later)
            behind = later_sign
            if later_sign not in ("|", "|&"):
                break
        later_signs = {other for _, other in pieces[place + len(filters):] if other not in ("|", "|&")} - {""}
        hidden_by_pipe = filters and not is_piped_through
        checks.append({
            "family": family, "name": name, "runner": runner, "command": " ".join(without_redirections(words)),
            "folder": folder, "limits": limits_of(name, words), "filters": filters,
            "shows_exit": not hidden_by_pipe and not in_loop and later_signs <= {"&&"} and behind in ("", "&&"),
            "in_background": behind == "&" or (piece.startswith("nohup ") and "&" in later_signs)})
    return checks


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in ("npm", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "composer", "cargo", "go") and (
                {"install", "i", "add", "ci", "sync", "get", "mod", "remove"} & {*words[1:2]}):
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in ("test", "build", "types", "lint", "format") if family in families), "")
