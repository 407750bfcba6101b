"""What a command line hands to a manager of services, and what it has that stop, by its words alone.

    docker compose, docker-compose   up -d, start; down, stop, kill      of a project, whose folder or name it is
    docker, podman                   run -d --name, start; stop, kill, rm -f
    systemctl, service               start, enable --now; stop, disable --now
    pm2, brew services, supervisorctl

What a manager runs in the foreground ends with its command and is none of these. A command in another one's quotes, as
behind `ssh`, is done elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from collections import namedtuple
from collections.abc import Collection, Sequence

from compact_keeper.record.commands.programs import SUDO_OPTIONS
from compact_keeper.record.commands.shell import (
    FILLED_IN,
    SHELL_KEYWORDS,
    SHELL_WORD,
    commands_in_folders,
    folder_from,
    pieces_of,
    without_redirections,
)
from compact_keeper.text.paths import file_name

NAMES_MANAGER = r"\b(?:docker|podman|systemctl|service|pm2|brew services|supervisorctl)\b"
START, STOP, RESTART, UNCLEAR = "start", "stop", "restart", "unclear"
DEED_OF_SUBCOMMAND = {  # of a manager's subcommands, what they do
    "compose": {"up": START, "start": START, "restart": RESTART, "down": STOP, "stop": STOP, "kill": STOP,
                "unpause": UNCLEAR},
    "docker": {"run": START, "start": START, "restart": RESTART, "stop": STOP, "kill": STOP, "rm": STOP,
               "unpause": UNCLEAR},
    "systemctl": {"start": START, "enable": START, "restart": RESTART, "reload-or-restart": RESTART,
                  "try-restart": RESTART, "stop": STOP, "disable": STOP, "kill": UNCLEAR, "isolate": UNCLEAR},
    "pm2": {"start": START, "restart": RESTART, "reload": RESTART, "stop": STOP, "delete": STOP, "del": STOP,
            "kill": STOP, "resurrect": UNCLEAR, "startOrRestart": UNCLEAR, "startOrReload": UNCLEAR},
    "brew": {"start": START, "run": START, "restart": RESTART, "stop": STOP, "kill": STOP},
    "supervisorctl": {"start": START, "restart": RESTART, "stop": STOP, "shutdown": STOP, "reload": UNCLEAR,
                      "update": UNCLEAR},
}
EVERYTHING = {"pm2": ("all",), "brew": ("--all",), "supervisorctl": ("all",)}  # as a manager's words have it
# Options that the next word belongs to, before the subcommand and behind it; of `docker run` all but these.
COMPOSE_VALUES = frozenset(
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel -c --context "
    "-H --host".split())
OTHER_VALUES = frozenset(
    "-t --time --timeout --scale --pull --attach --no-attach --wait-timeout --rmi -s --signal -n --name -i --instances "
    "--interpreter --namespace -c --configuration".split())
FLAGS_OF_RUN = frozenset(
    "--rm --detach --init --privileged --interactive --tty --read-only --publish-all --no-healthcheck --quiet".split())
FLAGS_IN_SHORT = r"-[ditPq]+"
DETACHED, SIGNALLED, BY_FORCE = ("-d", "--detach", "--wait"), ("-s", "--signal"), r"-\w*f\w*|--force"
BEFORE_MANAGER = rf"(?:sudo{SUDO_OPTIONS} |env(?: -\w+)* |[A-Za-z_]\w{{0,60}}=\S* )+"
ALL_CONTAINERS = (  # a bracket at a command's end is not part of it
    r"(?:\$\(|`)(?:docker|podman) (?:container )?(?:ps|ls) -(?:q|aq|qa|a -q|q -a)(?:[)`]|$)")


class ServiceStep(namedtuple("ServiceStep", ("deed", "manager", "project", "names", "command"))):
    """What a command does with services.

    deed: start, stop, restart, or unclear: of what, or whether, its words do not say; manager: as DEED_OF_SUBCOMMAND
    has it; project: by what it tells its services apart, then the files that name them; names: of the services, empty:
    all of the project's; command: as written.
    """

    __slots__ = ()


def service_steps(script: str, folder: str) -> list[ServiceStep]:
    """What a command line does with services, in its order; `folder`: where it ran."""
    if not re.search(NAMES_MANAGER, script):
        return []
    steps: list[ServiceStep] = []
    before = ""
    for (piece, sign), (_, ran_in) in zip(pieces_of(script), commands_in_folders(script, folder)):
        words = re.findall(SHELL_WORD, re.sub(rf"^{BEFORE_MANAGER}", "", piece))
        is_certain = before != "||"
        while words and (words[0] in SHELL_KEYWORDS or words[0] == "xargs"):
            words, is_certain = words[1:], False
        step = step_of([word.strip("\"'") for word in without_redirections(words)], piece, ran_in)
        if step:
            steps.append(step if is_certain else step._replace(deed=UNCLEAR))
        before = sign
    return steps


def step_of(words: Sequence[str], piece: str, folder: str) -> ServiceStep | None:
    """What one command does with services; None where it starts and stops none."""
    program, rest = words[:1], words[1:]
    if program == ["docker-compose"] or (program in (["docker"], ["podman"]) and rest[:1] == ["compose"]):
        return compose_step(rest if program == ["docker-compose"] else rest[1:], piece, folder)
    if program in (["docker"], ["podman"]):
        return docker_step(rest[1:] if rest[:1] == ["container"] else rest, piece)
    if program == ["service"] and len(rest) > 1:
        return named_step("systemctl", [rest[1], rest[0]], piece)
    if program == ["brew"] and rest[:1] == ["services"]:
        return named_step("brew", rest[1:], piece)
    return named_step(program[0], rest, piece) if program in (["systemctl"], ["pm2"], ["supervisorctl"]) else None


def compose_step(words: Sequence[str], piece: str, folder: str) -> ServiceStep | None:
    """What a command of compose does; its project is where its first file lies, if it has no name."""
    options, rest = options_before(words, COMPOSE_VALUES)
    deed = DEED_OF_SUBCOMMAND["compose"].get(rest[0] if rest else "")
    behind, names = parted(rest[1:], OTHER_VALUES)
    flags = {option for option, _ in behind}
    if deed is None or "--dry-run" in flags or (rest[0] == "up" and ("--no-start" in flags or not flags & {*DETACHED})):
        return None
    files = [folder_from(folder, value) for option, value in options if option in ("-f", "--file")]
    name = next((value for option, value in options if option in ("-p", "--project-name")), "")
    project = name or (posixpath.dirname(files[0]) if files else folder)
    return ServiceStep(clear_deed(deed, piece, flags), "compose", (project, *files), tuple(names), piece)


def docker_step(words: Sequence[str], piece: str) -> ServiceStep | None:
    """What a command of docker does with containers; one that is started without a name cannot be followed."""
    deed = DEED_OF_SUBCOMMAND["docker"].get(words[0] if words else "")
    if deed is None:
        return None
    if words[0] == "run":
        name = name_of_detached_run(words[1:])
        return ServiceStep(clear_deed(deed, name, ()), "docker", (), (name,), piece) if name else None
    options, names = parted(words[1:], OTHER_VALUES)
    flags = {option for option, _ in options}
    if words[0] == "rm" and not any(re.fullmatch(BY_FORCE, flag) for flag in flags):
        return None  # it refuses what runs
    if deed == STOP and re.search(ALL_CONTAINERS, piece):
        return ServiceStep(deed, "docker", (), (), piece)
    return ServiceStep(clear_deed(deed, piece, flags), "docker", (), tuple(names), piece) if names else None


def name_of_detached_run(words: Sequence[str]) -> str:
    """The name that `docker run` with these words gives to what it starts in the background; empty: it does neither."""
    name, is_detached, is_value = "", False, ""
    for word in words:
        if is_value:
            name, is_value = word if is_value == "--name" else name, ""
        elif not word.startswith("-"):
            break  # the image, and what is given to it
        elif word.startswith("--name="):
            name = word.partition("=")[2]
        elif word in FLAGS_OF_RUN or re.fullmatch(FLAGS_IN_SHORT, word):
            is_detached = is_detached or word == "--detach" or (word[1] != "-" and "d" in word)
        else:
            is_value = "" if "=" in word and word.startswith("--") else word
    return name if is_detached else ""


def named_step(manager: str, words: Sequence[str], piece: str) -> ServiceStep | None:
    """What a command of another manager does with what it names."""
    options, rest = parted(words[:words.index("--")] if "--" in words else words, OTHER_VALUES)
    deed, flags = DEED_OF_SUBCOMMAND[manager].get(rest[0] if rest else ""), {option for option, _ in options}
    is_for_later = manager == "systemctl" and rest[:1] in (["enable"], ["disable"]) and "--now" not in flags
    if deed is None or is_for_later or flags & {"-H", "--host", "-M", "--machine"}:
        return None
    given = [value for option, value in options if option in ("--name", "-n")] if manager == "pm2" else []
    names = given or [service_name(name, manager) for name in rest[1:]]
    is_all = rest[0] in ("kill", "shutdown") or {*names, *flags} & {*EVERYTHING.get(manager, ())}
    if not (names or is_all) or (manager == "pm2" and any(name.isdecimal() or "." in name for name in names)):
        deed = UNCLEAR  # of numbers and files of settings nobody knows what they are
    project = ("--user",) if "--user" in flags else ()
    return ServiceStep(clear_deed(deed, piece, ()), manager, project, () if is_all else tuple(names), piece)


def service_name(name: str, manager: str) -> str:
    """A service as its manager calls it: pm2 what it is started from without its suffix."""
    if manager == "pm2":
        return re.sub(r"(?<!config)\.(?:[cm]?js|ts|py|sh)$", "", file_name(name))
    return name.removesuffix(".service")


def clear_deed(deed: str, words: str, flags: Collection[str]) -> str:
    """The deed; unclear where a name stands in a variable, or what is sent is a signal of its own."""
    return UNCLEAR if re.search(FILLED_IN, words) or {*flags} & {*SIGNALLED} else deed


def options_before(words: Sequence[str], with_value: Collection[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options before the first bare word, each with its value, and the words from that on."""
    options: list[tuple[str, str]] = []
    rest = [*words]
    while rest and rest[0].startswith("-"):
        option, has_value, value = rest.pop(0).partition("=")
        if not has_value and option in with_value and rest:
            value = rest.pop(0)
        options.append((option, value))
    return options, rest


def parted(words: Sequence[str], with_value: Collection[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options among the words, each with its value, and the bare words."""
    options: list[tuple[str, str]] = []
    names, rest = list[str](), [*words]
    while rest:
        before, rest = options_before(rest, with_value)
        options += before
        names += rest[:1]
        rest = rest[1:]
    return options, names
