"""Which services a session's commands left running, and which stopped."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.calls.services import Services
from compact_keeper.text.length import MIDDLE_GONE

UP, DOWN = "docker compose up -d", "docker compose down"
RUN, STOP_WEB = "docker run -d --name web nginx", "docker stop web"


def command(position: int, text: str, **fields: Any) -> Any:
    """An action of a shell, that ended."""
    return {"kind": "action", "tool": "Bash", "text": text, "key": f"{position}", "position": position,
            "verdict": "ended", "result": "", **fields}


@pytest.mark.parametrize(("steps", "started", "stopped"), [
    ([], [], []),
    ([("docker", "failed")], [], []),
    ([UP], [UP], []), ([UP, DOWN], [], [DOWN]), ([UP, DOWN, UP], [UP], []), ([DOWN], [], [DOWN]),
    ([(UP, "failed")], [], []), ([DOWN, (UP, "failed")], [], []),  # who knows what it started
    ([UP, (DOWN, "failed")], [], []), ([UP, (DOWN, "not run")], [UP], []), ([UP, (DOWN, "running")], [], []),
    ([UP, (DOWN, "ended", "Error response from daemon: no such service")], [], []),
    ([UP, f"make a\n{MIDDLE_GONE}\n{DOWN}"], [], [f"{DOWN}"]),
    ([DOWN, f"{STOP_WEB}\n{MIDDLE_GONE}\nstart"], [], []),
    ([UP, "docker compose stop web"], [UP], ["docker compose stop web"]),
    ([UP, "docker compose stop web", DOWN], [], [DOWN]),
    ([DOWN, "docker compose up -d db"], ["docker compose up -d db"], []),
    ([UP, "docker compose stop web", "docker compose restart web"], [UP], []),
    ([RUN, STOP_WEB], [], [STOP_WEB]), ([RUN, "docker stop db"], [RUN], ["docker stop db"]),
    ([UP, RUN, "docker stop $(docker ps -q)"], [], ["docker stop $(docker ps -q"]),
    ([UP, "docker stop $WEB"], [UP], []),
    ([DOWN, "docker start rates-web-1"], ["docker start rates-web-1"], []),  # it may be one of the project's
    (["docker rm -f web", UP], [UP], []), (["docker rm -f web", (UP, "failed")], [], []),
    ([DOWN, ("docker ps", "ended", "rates-web-1 Up 2 minutes")], [], []),  # somebody started them
    ([STOP_WEB, ("docker ps", "ended", "web Up 2 minutes")], [], []),
    ([STOP_WEB, ("docker ps", "ended", "db Up 2 hours ⏎ web Exited")], [], []),  # which of them is not looked at
    ([STOP_WEB, ("docker ps", "ended", "db Up 2 hours")], [], [STOP_WEB]),
    ([UP, "cd /other && docker compose down"], [UP], ["docker compose down"]),
    ([UP, "cd /srv && docker compose down"], [], [DOWN]),
    ([DOWN, "./dev.sh up"], [], []), ([UP, "./dev.sh stop"], [], []), ([UP, DOWN, "make test"], [], [DOWN]),
    (["systemctl start web", "service web stop"], [], ["service web stop"]),
    (["pm2 start a.js", "pm2 start b.js", "pm2 delete a"], ["pm2 start b.js"], ["pm2 delete a"]),
])
def test_what_runs_and_what_was_stopped(steps: list[Any], started: list[str], stopped: list[str]) -> None:
    parts = [(step, "ended", "") if isinstance(step, str) else (*step, "")[:3] for step in steps]
    items = [command(position, text, verdict=verdict, result=result)
             for position, (text, verdict, result) in enumerate(parts)]
    services = Services(items, "/srv")
    assert [step.command for step, _ in services.started] == started
    assert [step.command for step, _ in services.stopped] == stopped


def test_what_is_known_since_of_starts_and_looks() -> None:
    items = [command(1, UP), command(2, "docker compose ps"), command(3, "docker exec web ps aux"),
             {**command(4, "docker ps -a"), "kind": "look"}, command(5, RUN), command(6, DOWN),
             command(7, "docker ps")]
    services = Services(items, "/srv")
    assert services.over == {"1"}
    assert [bool(services.stopped_since_shown(item)) for item in items] == [
        False, True, False, True, False, False, False]
