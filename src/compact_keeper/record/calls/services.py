"""Which services a session's commands left with their managers, running or stopped, as far as that is certain.

A command that failed or is cut, and one that may start or stop them by another name (`./dev.sh up`), leaves nothing
certain of what came before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.service_commands import START, STOP, UNCLEAR, ServiceStep, service_steps
from compact_keeper.record.endings import has_ended_well
from compact_keeper.text.length import MIDDLE_GONE
from compact_keeper.types import Item, StepOfItem

SAYS_IT_FAILED = r"(?i)\berror|\bfailed\b|\bcannot\b|\bno such\b|\bnot found\b|\bdenied\b|\bunable\b|\bnot running\b"
MAY_START = r"(?i)(?:\b|_)(?:re)?start|\bup\b|deploy|launch|\bserve\b|\bboot|\brun[-_.]"
MAY_STOP = r"(?i)(?:\b|_)(?:re)?(?:stop|start)|\bdown\b|teardown|kill|\brun[-_.]"
DOCKER_LISTS = (
    r"\b(?:docker|podman)(?:-compose| compose)?(?: --?[\w-]+(?:[= ][^\s|;&-]\S*)?){0,6} (?:container )?(?:ps|ls)\b")
SHOWS_SERVICES = {  # by manager: a command that shows what runs
    "compose": DOCKER_LISTS, "docker": DOCKER_LISTS,
    "systemctl": r"\bsystemctl\b[^|;&\n]*\b(?:status|is-active|list-units)\b|\bservice \S+ status\b",
    "pm2": r"\bpm2 (?:ls|list|status|jlist|show|describe)\b", "brew": r"\bbrew services (?:list|info)\b",
    "supervisorctl": r"\bsupervisorctl\b[^|;&\n]*\bstatus\b"}
SHOWN_RUNNING = r"\bUp\b|\brunning\b|\bonline\b|\bstarted\b|\bRUNNING\b"
OF_CONTAINERS = ("docker", "compose")
WHOLE_PROJECT = ""  # in place of a service's name


class Services:
    """The services as the commands left them: `started` and not stopped, `stopped` and not started, both the last time.

    over: the keys of commands that started services, all of which were stopped since.
    """

    def __init__(self, items: Sequence[Item], root: str) -> None:
        """Those of the session's items, which come in their order; `root`: its first folder."""
        self.projects: dict[tuple[str, ...], tuple[dict[str, StepOfItem], dict[str, StepOfItem]]] = {}
        self.over = set[str]()
        for item in items:
            if item["kind"] not in ("action", "look") or item.get("tool") not in SHELL_TOOLS:
                continue
            if item["kind"] == "action" and item["verdict"] != "not run":
                self.take(item, item.get("folder") or root)
            self.note_shown(item)

    def take(self, item: Item, folder: str) -> None:
        """Takes in what a command did that ran in this folder."""
        steps, text = service_steps(item["text"], folder), item["text"]
        is_certain = has_ended_well(item) and not re.search(SAYS_IT_FAILED, item["result"])
        for step in steps:
            self.apply(step if is_certain else step._replace(deed=UNCLEAR), item)
        for started, stopped in self.projects.values() if MIDDLE_GONE in text or not steps else ():
            if re.search(MAY_START, text):
                stopped.clear()
            if re.search(MAY_STOP, text):
                started.clear()

    def note_shown(self, item: Item) -> None:
        """What a command shows to run was started since by somebody, whatever stopped it."""
        if not re.search(SHOWN_RUNNING, item["result"]):
            return
        for (manager, *_), (_, stopped) in self.projects.items():
            if stopped and re.search(SHOWS_SERVICES[manager], item["text"]):
                for name in [name for name in stopped if name in item["result"]]:
                    del stopped[name]

    def apply(self, step: ServiceStep, item: Item) -> None:
        """Takes in one step of a command."""
        started, stopped = self.projects.setdefault((step.manager, *step.project[:1]), ({}, {}))
        names = step.names or (WHOLE_PROJECT,)
        if step.deed == STOP:
            self.stop(started, stopped, step, item)
        elif step.deed == UNCLEAR:
            started.clear()
            stopped.clear()
        else:
            for name in (*names, WHOLE_PROJECT) if step.names else [*stopped]:
                stopped.pop(name, None)
        if step.deed == START:
            started.update(dict.fromkeys(names, (step, item)))
        others = [both for key, both in self.projects.items() if {key[0], step.manager} <= {*OF_CONTAINERS}
                  and both[0] is not started]
        for started_there, stopped_there in others:  # a project's containers may have the names that others stopped
            if step.deed != STOP:
                stopped_there.clear()
            elif step.manager == "docker" and not step.names:
                self.stop(started_there, stopped_there, step, item)

    def stop(self, started: dict[str, StepOfItem], stopped: dict[str, StepOfItem], step: ServiceStep,
             item: Item) -> None:
        """Takes in a stop of some services of a project, or of all."""
        gone = [started.pop(name) for name in step.names or [*started] if name in started]
        if not step.names:
            stopped.clear()
        if WHOLE_PROJECT not in stopped:
            stopped.update(dict.fromkeys(step.names or (WHOLE_PROJECT,), (step, item)))
        left = {other["key"] for _, other in self.started}
        self.over |= {other["key"] for begun, other in gone
                      if begun.project == step.project or step.names or step.manager == "docker"} - left

    @property
    def started(self) -> list[StepOfItem]:
        """What started services that nothing was seen to stop, the newest first."""
        return newest_first(step for started, _ in self.projects.values() for step in started.values())

    @property
    def stopped(self) -> list[StepOfItem]:
        """What stopped services that nothing was seen to start, the newest first."""
        return newest_first(step for _, stopped in self.projects.values() for step in stopped.values())

    def stopped_since_shown(self, item: Item) -> list[str]:
        """The commands that stopped services behind a command that shows what runs; none behind another."""
        if item["kind"] not in ("action", "look") or item.get("tool") not in SHELL_TOOLS:
            return []
        return [step.command for step, other in self.stopped if other["position"] > item["position"]
                and re.search(SHOWS_SERVICES[step.manager], item["text"])]


def newest_first(steps: Iterable[StepOfItem]) -> list[StepOfItem]:
    """The steps, each command once."""
    by_command = {step.command: (step, item) for step, item in steps}
    return sorted(by_command.values(), key=lambda both: -both[1]["position"])
