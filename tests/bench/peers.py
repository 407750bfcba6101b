#!/usr/bin/env python3
"""Replay real sessions with other tools that save before a compaction and give back after it, beside this one.

Usage: peers.py [PATHS…] [--half fit|check] [--cache FOLDER] [--from NAME=FOLDER] [--limit N] [--jobs N]

Takes   the cases and the score of replay.py. Each tool gets the PreCompact JSON, then the SessionStart JSON; what its
        other hooks would do (at prompts, tool calls, ends of turns) and what it tells the summariser is not measured.
Brings  each peer's files at its pinned commit from GitHub with git, or from the git folder that --from names. They
        are left in --cache, else removed at the end.
Runs    each peer with a home folder and a copy of its own for every case, an environment of its own, a time limit,
        and no network: in a namespace without one, or, where that is not allowed, with proxies that lead nowhere.
Prints  a Markdown table, how much there was to give back, and what each peer is. A peer that cannot be brought or
        gives nothing back is named with the reason; one that failed now and then with how often.

Exits 0, 1 when there is nothing to replay or a program is missing, 2 on a usage error. Python 3.9+, standard library
only; git, coreutils' timeout, and for the peers bash and Node.js.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Union

sys.path.insert(0, str(Path(__file__).resolve().parent))
import replay

Row = Union[replay.Figures, str]

BUDGETS = (9_000, 4_000)  # UTF-16 units, as in replay.py's other tables
GIT_LIMIT = 600  # seconds for a clone; one peer's repository has hundreds of megabytes, but only commits are fetched
KILLED = ("124", "137")  # how timeout says that it had to
HOOK_LIMIT = 30  # seconds; what the peers ask the client for, at most
REASON = 200  # characters of a peer's complaint
COLUMNS = ("path", "command", "value", "mean", "directives", "characters", "hits/1,000 chars", "empty", "over cap")
NO_NETWORK = ["unshare", "--map-root-user", "--net"]
NOWHERE = "http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 all_proxy=http://127.0.0.1:9"  # port 9: discard

# $1 the peer's files, $2 its command, $3 the log, $4 the time limit, $5 what keeps it from the network, $6 its PATH.
# A peer may keep data beside its own files, so each case has a copy. The log gets exit codes and last complaints.
SANDBOX = """
[ -d "$HOME/peer" ] || cp -R "$1" "$HOME/peer" || exit
timeout --kill-after=1 "$4" env -i HOME="$HOME" TMPDIR="$HOME" PATH="$6" LANG=C.UTF-8 \\
    CLAUDE_PLUGIN_ROOT="$HOME/peer" $5 sh -c "$2" 2>"$HOME/complaints"
code=$?
printf '%s %s\\n' "$code" "$(tail -n 1 "$HOME/complaints")" >>"$3"
exit "$code"
"""


class Peer(NamedTuple):
    """Another tool: its public repository, the files its two hooks need, and their commands as documented."""

    name: str
    version: str
    repository: str
    commit: str
    files: str
    save: str
    restore: str
    gives: str


class Refusal(Exception):
    """A peer cannot be brought; the message says why."""


PEERS = (
    Peer("compact-guardian", "0.1.3", "ibarapascal/compact-guardian", "af37a3e1401ef5f450573f692f8b9d2882645de9",
         "scripts", "python3 ${CLAUDE_PLUGIN_ROOT}/scripts/compact_save.py",
         "${CLAUDE_PLUGIN_ROOT}/scripts/compact-restore.sh",
         "the last 5 prompts, the assistant's checklists and last words, and one line for each of the last 20 tool "
         "calls; of a long transcript its last 2 MB"),
    Peer("claude-flow", "3.5.15", "ruvnet/ruflo", "5bddae37f28d0bd805f0d4a25c8aad55ae497b56",
         ".claude/helpers/context-persistence-hook.mjs",
         'node "$CLAUDE_PLUGIN_ROOT/.claude/helpers/context-persistence-hook.mjs" pre-compact',
         'node "$CLAUDE_PLUGIN_ROOT/.claude/helpers/context-persistence-hook.mjs" session-start',
         "(by its context-persistence-hook, which its own settings do not switch on) a line of at most 300 characters "
         "and some names for each turn that it ranks first, 4,000 characters in all; it archives the words of the last "
         "500 messages (here in its JSON file: better-sqlite3 is not installed) and advises the summariser"),
    Peer("claude-code-context-handoff", "1.1.0", "who96/claude-code-context-handoff",
         "03537f66207169c75a6d7530b044ba6eeadb9232", "hooks",
         "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/pre-compact-handoff.py",
         "bash ${CLAUDE_PLUGIN_ROOT}/hooks/session-restore.sh",
         "the last 15 prompts, 500 characters of each, 20 paths that tool calls named, and 300 characters of each of "
         "the assistant's last 5 texts"),
    Peer("context-recovery", "0.2.1", "wxhou/context-recovery", "af18f18fd317f3d2dc4641cb07cd45ff50782677", "hooks",
         "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/pre_compact.py --backup --generate-context",
         "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/session_start.py",
         "the branch, notes that the user writes into its file, and of the file names in the transcript's first 80,000 "
         "characters the endings (so its pattern has it); it backs up the transcript, and saves prompts and answers "
         "without giving them back"),
)


# --- the peers' files ---


def bring(peer: Peer, source: str, cache: Path) -> Path:
    """The folder with the peer's files at its commit, fetched when the cache lacks it; refuses with git's complaint."""
    final = cache / f"{peer.repository.replace('/', '-')}-{peer.commit[:12]}"
    if not final.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fresh-", dir=cache) as folder:
            fresh = Path(folder, "files")
            git("clone", "--quiet", "--shared", "--no-checkout", "--filter=tree:0", source, str(fresh))
            git("-C", str(fresh), "checkout", "--quiet", peer.commit, "--", peer.files)
            shutil.rmtree(fresh / ".git")
            fresh.rename(final)
    return final


def git(*arguments: str) -> None:
    """Runs git; refuses with its last complaint."""
    try:
        done = subprocess.run(["git", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_LIMIT,
                              env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refusal(str(error)) from None
    if done.returncode:
        raise Refusal(plain(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]))


# --- the peers, as processes ---


def offline() -> str:
    """What a peer's command is put behind so that it has no network."""
    try:
        allowed = subprocess.run([*NO_NETWORK, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        allowed = False
    return " ".join(NO_NETWORK) if allowed else NOWHERE


def sandboxed(peer: Peer, files: Path, log: Path, kept_off: str) -> replay.Tool:
    """The peer for replay.py: its two hooks, each in the sandbox."""
    # This interpreter's folder comes first: a python3 on PATH may be a launcher that needs the real home.
    path = os.pathsep.join([os.path.dirname(os.path.realpath(sys.executable)), os.environ.get("PATH", os.defpath)])
    return replay.Tool(title(peer), [
        ["sh", "-c", SANDBOX, "peer", str(files), command, str(log), str(HOOK_LIMIT), kept_off, path]
        for command in (peer.save, peer.restore)], None)


def title(peer: Peer) -> str:
    """The peer's name in the table."""
    return f"{peer.name} {peer.version}"


def complaints(log: Path) -> tuple[list[str], str]:
    """Why hooks failed, in their order, and what the last hook that complained said, failed or not."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    said = [plain(line).partition(" ")[::2] for line in lines]
    failed = [": ".join(filter(None, [f"over {HOOK_LIMIT} s" if code in KILLED else f"exit code {code}", text]))
              for code, text in said if code != "0"]
    return failed, next((text for _, text in reversed(said) if text), "no complaint")


def plain(text: str) -> str:
    """The text on one line of a Markdown table, cut."""
    line = "".join(character if character.isprintable() else " " for character in text[:REASON])
    return replay.folded(line).replace("|", "\\|")


# --- the report ---


def compared(cases: list[replay.Case], given: argparse.Namespace, folder: Path) -> str:
    """The report on all tools; the folder is for what is not kept."""
    kept_off, sources, notes = offline(), dict(given.sources), list[str]()
    rows, refused = dict[str, Row](), dict[str, Row]()
    tools = [replay.our_tool(budget) for budget in BUDGETS]
    for peer in PEERS:
        notes.append(f"- {title(peer)} ({peer.repository}, commit {peer.commit[:12]}) gives back {peer.gives}.")
        try:
            files = bring(peer, sources.get(peer.name, f"https://github.com/{peer.repository}"), given.cache or folder)
            tools.append(sandboxed(peer, files, folder / f"{title(peer)}.log", kept_off))
        except Refusal as error:
            refused[title(peer)] = f"not measured: {error}"
    for tool, outcomes in zip(tools, replay.replay(tools, cases, max(given.jobs, 1), not sys.stderr.isatty())):
        failed, last = complaints(folder / f"{tool.name}.log")
        rows[tool.name] = row(outcomes, failed[-1] if failed else last)
        if failed:
            notes.append(f"- {tool.name}: {len(failed)} of {2 * len(cases)} hooks failed, at last: {failed[-1]}")
    totals = ", ".join(f"{number:,} {name}" for name, number in replay.counts(cases).items())
    conditions = f"Half: {given.half}. Peers ran behind `{kept_off}`, each hook for at most {HOOK_LIMIT} seconds."
    return "\n\n".join([table({**rows, **refused}), f"{totals}. {conditions}", "\n".join(notes)])


def row(outcomes: list[replay.Outcome], reason: str) -> Row:
    """The tool's figures; where nothing came back in any case, the reason."""
    if any(outcome.text for outcome in outcomes):
        return replay.figures([(outcome.case, outcome.hits) for outcome in outcomes])
    return f"gave nothing back: {reason}"


def table(rows: dict[str, Row]) -> str:
    """A Markdown table: a tool's figures, or why it has none."""
    lines = [["tool", *COLUMNS], ["---"] * (len(COLUMNS) + 1)]
    for name, result in rows.items():
        cells = [result, *[""] * (len(COLUMNS) - 1)] if isinstance(result, str) else [
            "–" if (value := result[column]) is None else f"{value:,.{replay.COLUMNS[column]}f}" for column in COLUMNS]
        lines.append([name, *cells])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def source(text: str) -> tuple[str, str]:
    """The peer's name and the folder from NAME=FOLDER."""
    name, _, folder = text.partition("=")
    if name not in {peer.name for peer in PEERS} or not folder:
        raise argparse.ArgumentTypeError(f"{text}: no NAME=FOLDER with one of {', '.join(p.name for p in PEERS)}")
    return name, os.path.abspath(folder)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when there was something to replay."""
    parser = argparse.ArgumentParser(description="Replays real sessions with other tools beside this one.")
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path(config, "projects")], metavar="PATHS")
    parser.add_argument("--half", choices=("fit", "check", "all"), default="all", help="a fixed split by session")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="keep the peers' files here")
    parser.add_argument("--from", action="append", default=[], dest="sources", metavar="NAME=FOLDER", type=source,
                        help="a git folder to take a peer from instead of GitHub")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N cases")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at a time")
    given = parser.parse_args(argv)
    if missing := [program for program in ("git", "timeout") if not shutil.which(program)]:
        print(f"peers.py: missing: {', '.join(missing)}", file=sys.stderr)
        return 1
    cases = replay.find_cases(given.paths, given.half)[:given.limit]
    if not cases:
        print(f"peers.py: nothing to replay in {', '.join(map(str, given.paths))}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        print(compared(cases, given, Path(folder)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
