"""What an audit of packages counted (`npm audit`): it exits 1 where there are any, which is no failure of the command.

It had stood as "FAILED: npm audit fix", the last row of what it advises.
"""

from __future__ import annotations

import re

from compact_keeper.record.commands.programs import NODE_MANAGERS, WITHOUT_EFFECT
from compact_keeper.record.commands.shell import PIPES, pieces_of, program_in, program_of, shell_words
from compact_keeper.record.outcomes.ended_command import EndedCommand

AUDIT = "audit"  # subcommand of managers of packages
NAMED_SCRIPT = ("run", "run-script", "exec", "x", "dlx")  # subcommands that name another command
AUDIT_ROW = (  # with the number of what was found; of pnpm and yarn in the next row by how severe it is
    r"(?:found |fixed \d{1,6} of )?\d{1,6} (?:\w{3,10} severity )?vulnerabilit(?:y|ies)\b(?! (?:of|to)\b).{0,150}"
    r"|No (?:known )?vulnerabilities found\b.{0,60}|Severity: \d.{0,100}")
AUDIT_TOTAL = r'"vulnerabilities": ?\{\s*"info": ?\d+,[^{}]{0,300}"total": ?(\d{1,6})'  # of --json
COUNTS_SOME = r"(?:found |fixed \d{1,6} of )?[1-9]"  # how such a row begins
ROWS_MAX = 2


def vulnerabilities_counted(run: EndedCommand) -> str:
    """The last row in which an audit of the line says how many it found; empty: none did, or something else failed."""
    if AUDIT not in run.command or run.has_failed or not any(is_audit(piece) for piece, _ in pieces_of(run.command)):
        return ""
    totals = re.findall(AUDIT_TOTAL, "\n".join(run.lines))
    if totals:
        return f"{totals[-1]} vulnerabilities"
    rows = [row for row in run.text if re.match(AUDIT_ROW, row)][-ROWS_MAX:]
    return " · ".join(rows if rows[-1:] and rows[-1].startswith("Severity") else rows[-1:])


def ends_in_audit(command: str) -> bool:
    """Whether the line's last command, whatever its output goes through, and but for an echo, is an audit."""
    pieces = pieces_of(command)
    while pieces[1:] and (pieces[-2][1] in PIPES or program_in(pieces[-1][0]) in WITHOUT_EFFECT):
        pieces = pieces[:-1]
    return is_audit(pieces[-1][0]) if pieces else False


def is_audit(piece: str) -> bool:
    """Whether a command of a line is an audit of packages, perhaps one that mends what it found."""
    words = shell_words(piece) if AUDIT in piece else []
    named = [word for word in words[1:] if not word.startswith("-")]
    return program_of(words) in NODE_MANAGERS and AUDIT in named[:2] and named[0] not in NAMED_SCRIPT
