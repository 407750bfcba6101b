"""What a command line does with services of managers, by its words."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.service_commands import RESTART, START, STOP, UNCLEAR, service_steps

LONG = "docker run " + "-e RATE=1 " * 3_000


@pytest.mark.parametrize(("script", "steps"), [
    # hostile and idle ones first
    ("", []), ("docker", []), ("docker compose", []), ("docker-compose -f", []), ("systemctl", []), ("pm2", []),
    ("brew services", []), ("service", []), ("docker run", []), ("docker run -d --name", []), ("docker stop", []),
    (LONG, []), ("docker compose -p", []), ("echo 'docker stop web'", []), ("ssh host 'docker compose down'", []),
    ('ssh host "systemctl stop web"', []), ("grep 'pm2 stop' notes.md", []), ("docker ps", []), ("pm2 logs web", []),
    ("docker exec web service nginx stop", []), ("docker run --rm alpine sh -d", []), ("systemctl status web", []),
    ("docker compose up", []),  # in the foreground: it ends with its command
    ("docker compose up --no-start -d", []), ("docker compose run -d web", []), ("docker run -d alpine", []),
    ("docker rm web", []), ("docker-compose rm -f web", []), ("systemctl enable web", []),
    ("systemctl daemon-reload", []),
    ("systemctl -H far stop web", []), ("service --status-all", []),
    # what is done, and of what it is not certain
    ("docker compose up -d", [("compose", START, ())]),
    ("docker-compose -f a.yml up -d --build --scale web=2 web db", [("compose", START, ("web", "db"))]),
    ("docker compose -p rates stop -t 5 web", [("compose", STOP, ("web",))]),
    ("docker compose down && docker compose up -d", [("compose", STOP, ()), ("compose", START, ())]),
    ("docker compose ps || docker compose up -d", [("compose", UNCLEAR, ())]),
    ("if true; then docker compose down; fi", [("compose", UNCLEAR, ())]),
    ("docker compose kill -s HUP web", [("compose", UNCLEAR, ("web",))]),
    ("docker compose restart web 2>&1 | tail -3", [("compose", RESTART, ("web",))]),
    ("sudo docker run -d -p 80:80 -e A=$B --name web nginx -d", [("docker", START, ("web",))]),
    ("docker run --name=web -dit nginx", [("docker", START, ("web",))]),
    ("docker run -d --name $NAME nginx", [("docker", UNCLEAR, ("$NAME",))]),
    ("docker stop web >/dev/null; docker rm -f db", [("docker", STOP, ("web",)), ("docker", STOP, ("db",))]),
    ("docker stop $(docker ps -q)", [("docker", STOP, ())]),
    ("docker stop $(docker ps -q --filter name=web)", [("docker", UNCLEAR, None)]),
    ("docker ps -q | xargs docker stop web", [("docker", UNCLEAR, ("web",))]),
    ("sudo -u www docker stop web", [("docker", STOP, ("web",))]),
    ("sudo systemctl --user start web.service", [("systemctl", START, ("web",))]),
    ("sudo -u www pm2 stop rates", [("pm2", STOP, ("rates",))]),
    ("systemctl disable --now web db", [("systemctl", STOP, ("web", "db"))]),
    ("systemctl stop 'web*'", [("systemctl", UNCLEAR, ("web*",))]),
    ("service web stop", [("systemctl", STOP, ("web",))]),
    ("pm2 start dist/rates.js", [("pm2", START, ("rates",))]),
    ("pm2 start npm --name rates -- start", [("pm2", START, ("rates",))]),
    ("pm2 start ecosystem.config.js", [("pm2", UNCLEAR, ("ecosystem.config.js",))]),
    ("pm2 stop 0", [("pm2", UNCLEAR, ("0",))]),
    ("pm2 delete all", [("pm2", STOP, ())]), ("pm2 kill", [("pm2", STOP, ())]),
    ("brew services start postgresql@17", [("brew", START, ("postgresql@17",))]),
    ("brew services stop --all", [("brew", STOP, ())]),
    ("supervisorctl -c a.conf stop all", [("supervisorctl", STOP, ())]),
    ("supervisorctl start rates:*", [("supervisorctl", UNCLEAR, ("rates:*",))]),
])
def test_what_a_line_does_with_services(script: str, steps: list[tuple[str, str, tuple[str, ...] | None]]) -> None:
    steps_met = service_steps(script, "/srv")
    assert [(step.manager, step.deed) for step in steps_met] == [(manager, deed) for manager, deed, _ in steps]
    for step, (_, _, names) in zip(steps_met, steps):
        assert names is None or step.names == names


@pytest.mark.parametrize(("script", "project"), [
    ("docker compose up -d", "/srv"),
    ("cd web && docker compose up -d", "/srv/web"),
    ("docker compose -f web/a.yml -f b.yml up -d", "/srv/web"),
    ("docker-compose -p rates -f web/a.yml up -d", "rates"),
])
def test_of_which_project_it_is(script: str, project: str) -> None:
    [step] = service_steps(script, "/srv")
    assert step.project[0] == project
