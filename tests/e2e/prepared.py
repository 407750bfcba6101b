"""Sessions whose compaction the client prepares in advance: real ones, provoked offline.

The newer clients write the summary beside the turn when a threshold is near and swap it in later (2.1.329, 2.1.330 and
2.1.332, measured).  Their service switches that on; here the flags stand in the scratch home, where the client keeps
the last ones that it was told.  It reads them only where telemetry is not switched off, so everything it would send
goes to a port of this machine where nobody listens.  `precomputeArmTokens` is the client's own setting for a host that
wants the summary sooner.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ageing import elapse
from scenario import CHECKLIST, RULE, SUMMARY, Played, after_compactions
from scripted_api import Script, ScriptedApi, Turn, summary
from workspace import TOOLS, Run, Workspace, new, resumed, write

FLAGS = {"tengu_sepia_moth": True, "tengu_amber_packet": True}
NOBODY = "http://127.0.0.1:9"  # the port for what is to be thrown away
TELLING = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
# Tokens: where the client prepares, and where it compacts a window of 1,000,000.
PREPARED_AT, NEARLY_FULL, FULL = 900_000, 955_000, 969_500
DAY = 86_400  # seconds

FIRST_PROMPT = f"We move the parcel calculator to the 2027 price list. {RULE} Make a plan first."
SECOND_RULE = "Never round a price down."
SECOND_PROMPT = f"Now look at the sources. {SECOND_RULE}"
THIRD_RULE = "Always name the zone in an error."
THIRD_PROMPT = f"Go on with zone 7. {THIRD_RULE}"
LATE_FAILURE = "ls src/zone7.js"


class Preparing(Workspace):
    """A workspace whose client prepares its compactions."""

    def environment(self) -> dict[str, str]:
        """Without a window that is named, and with telemetry that reaches nobody."""
        quiet = {name: value for name, value in super().environment().items() if name not in TELLING}
        return {**quiet, "HTTPS_PROXY": NOBODY, "HTTP_PROXY": NOBODY, "NO_PROXY": "127.0.0.1,localhost"}

    def prompt(self, api: ScriptedApi, words: str, start: Any) -> Run:
        """One `claude -p` run."""
        write(self.home / ".claude.json", json.dumps({"cachedGrowthBookFeatures": FLAGS, "cachedFeatureFlags": FLAGS}))
        return self.claude(
            "-p", words, *start, "--output-format", "stream-json", "--verbose", "--allowedTools", TOOLS,
            "--settings", json.dumps({"precomputeArmTokens": PREPARED_AT}), *self.plugin_options,
            extra={"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "scripted"})


def call(command: str, tokens: int) -> Turn:
    """An answer with a call that reports so many tokens."""
    return Turn("", "Bash", {"command": command, "description": "Look"}, tokens)


PLAN = Turn(CHECKLIST, "Bash", {"command": "ls test", "description": "List the tests"})
BEGINNING = [PLAN, call("ls", 2_000), Turn("The plan stands.", input_tokens=NEARLY_FULL)]
FILLING = [call("ls vendor", NEARLY_FULL + 1_000), call(LATE_FAILURE, NEARLY_FULL + 2_000), call("ls docs", FULL),
           Turn("Zone 7 is next.", input_tokens=5_000)]


@contextmanager
def scripted(turns: list[Turn]) -> Iterator[ScriptedApi]:
    """The API with these answers, and as many summaries as are asked for."""
    with ScriptedApi(Script(turns, [summary(SUMMARY)] * 9)) as api:
        yield api


def played(session: str, workspace: Workspace, api: ScriptedApi, runs: list[Run]) -> Played:
    """The session as the tests read it."""
    return Played(session, runs, api.requests, after_compactions(api.requests), workspace.transcript(session))


def play_swapped(workspace: Workspace) -> Played:
    """The summary is prepared at the second prompt and swapped in later in the same turn, behind three more calls."""
    start = new()
    session = start[-1]
    with scripted([*BEGINNING, *FILLING, Turn("Still at it.")]) as api:
        runs = [workspace.prompt(api, FIRST_PROMPT, start)]
        runs += [workspace.prompt(api, words, resumed(session)) for words in (SECOND_PROMPT, THIRD_PROMPT)]
    return played(session, workspace, api, runs)


def play_away(workspace: Workspace) -> tuple[Played, Run]:
    """The summary is prepared, the person is away for a day, another session begins; then the work goes on."""
    start = new()
    session = start[-1]
    prepared = [call("ls vendor", NEARLY_FULL + 1_000), Turn("I have looked.", input_tokens=NEARLY_FULL + 2_000)]
    with scripted([*BEGINNING, *prepared, Turn("Hello."), *FILLING[1:], Turn("Still at it.")]) as api:
        runs = [workspace.prompt(api, FIRST_PROMPT, start), workspace.prompt(api, SECOND_PROMPT, resumed(session))]
        other = workspace.prompt(api, "Hello.", new())
        elapse(workspace.home / ".claude", DAY)
        runs += [workspace.prompt(api, THIRD_PROMPT, resumed(session))]
        elapse(workspace.home / ".claude", DAY)
        runs += [workspace.prompt(api, "And now?", resumed(session))]
    return played(session, workspace, api, runs), other
