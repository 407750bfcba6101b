"""What the parts of the bundle promise each other: manifests, hooks, versions, documents, the scripts' form.

Each rule is a function that returns faults; the repository has to have none, and a table of bad input shows
that each rule can find one.
"""

from __future__ import annotations

import ast
import functools
import json
import re
import struct
import subprocess
import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((REPOSITORY / "scripts").glob("*.py"))
PAGES = ["README.md", "SECURITY.md", *sorted(f"docs/{path.name}" for path in REPOSITORY.glob("docs/*.md"))]
README_MAX_LINES = 120  # what a developer in a hurry reads to its end

# A client that does not know an event switches all hooks of the plugin off: these are known from 2.1.76 on.
KNOWN_EVENTS = frozenset({
    "Notification", "PermissionRequest", "PostCompact", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "PreToolUse", "SessionEnd", "SessionStart", "Stop", "SubagentStart", "SubagentStop", "UserPromptSubmit",
})
MATCHED_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure", "PreToolUse", "SessionStart"})
# Of a SessionStart, in every client from 2.1.76 on; `fork` from 2.1.329 on: older ones meet it as a source of none.
SOURCES = frozenset({"startup", "resume", "clear", "compact", "fork"})
READING_TOOLS = frozenset({"Glob", "Grep", "LS", "NotebookRead", "Read", "WebFetch", "WebSearch"})
# Without `|| true` a bundle that is gone (an update, another branch) ends with the exit code of the shell that does not
# find it; 2, as dash has it, blocks every prompt and every compaction (measured with 2.1.150 and 2.1.329).
COMMAND = re.compile(
    r'(?:\[ -r (?P<file>"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/waiting") \] && \. (?P=file) && )?'
    r'sh "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/run" (?P<run>[a-z_]+(?: --(?:rest|third|later|record|hand-over))?) '
    r"\|\| true\Z")
BESIDE = "record_event --record"  # the one that nobody waits for
STARTED = r'python3 -IS "\$\{CLAUDE_PLUGIN_ROOT\}/scripts/run_hook\.py" ([a-z_]+)\.py'
SKILL_COMMAND = re.compile(STARTED + r" [^|&;]* \|\| true\Z")
# What was typed goes in as a quoted here-document: between quotes on a line it would be a shell injection, and nothing
# may stand behind `<<'WORD'` (2.1.329), so this script itself never fails (measured with 2.1.76 to 2.1.329).
ASKING_COMMAND = re.compile(STARTED + r""" ask <<'([a-z-]+)'\n\$ARGUMENTS\n\2\Z""")
MODEL_MAY_RUN = frozenset({"recall"})
MET_BY_THE_HOOK = frozenset("doctor pin pins restore show stats status-line unpin".split())  # they run nothing
TIMEOUT_LIMIT = 60  # seconds; a number meant as milliseconds is far above it
TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
RUNS = {  # by event, but those
    "SubagentStart": "record_event", "SubagentStop": "record_event", "UserPromptSubmit": "answer_prompt --later",
    "PreCompact": "save_snapshot", "Stop": "save_snapshot --later", "PostCompact": "audit_summary",
    "SessionStart": "restore_snapshot", "SessionEnd": "restore_snapshot"}
LAST_OF_RUN_HOOK = 'if __name__ == "__main__":\n    leave(main())\n'  # which leaves nothing to take down
LAST_LINES = 'if __name__ == "__main__":\n    raise SystemExit(main())\n'

VERSION = r"(\d+\.\d+\.\d+)"
VERSION_PLACES = (
    (".claude-plugin/plugin.json", rf'"version": "{VERSION}"', 1),
    (".claude-plugin/marketplace.json", rf'"version": "{VERSION}"', 0),
    ("pyproject.toml", rf'^version = "{VERSION}"', 1),
    ("README.md", rf"version-{VERSION}-", 1),
    ("CHANGELOG.md", rf"^## \[?v?{VERSION}", 1),
    *((f"scripts/{script.name}", rf'^VERSION = "{VERSION}"', 1) for script in SCRIPTS),
)

REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|npmjs|yarnpkg|(?:deb|security)\.debian)\.(?:org|com)\b")
ABSOLUTE = r"(?<![\w.~*)}>\]-])"  # what stands before the first slash of an absolute path
OUR_FOLDER = re.compile(ABSOLUTE + r"/(?:root|work)(?![\w-])")
HOME = re.compile(ABSOLUTE + r"/(?:home|Users)/(\w+)")
MADE_UP_PEOPLE = frozenset({"ada", "user"})


def read(path: str) -> str:
    """The text of a file of the repository."""
    return (REPOSITORY / path).read_text(encoding="utf-8")


def parsed(path: str) -> Any:
    """The value of a JSON file of the repository."""
    return json.loads(read(path))


# Manifests --------------------------------------------------------------------------------------------------


def test_marketplace_offers_this_repository_as_the_plugin() -> None:
    plugin, marketplace = parsed(".claude-plugin/plugin.json"), parsed(".claude-plugin/marketplace.json")
    [entry] = marketplace["plugins"]
    assert (entry["name"], entry["source"]) == (plugin["name"], "./")
    assert entry["description"] == plugin["description"]
    assert marketplace["name"] == plugin["name"] == "compact-keeper"


def test_plugin_contacts_nobody() -> None:
    assert parsed(".claude-plugin/plugin.json")["network"] == {"hosts": []}


def test_licence_is_the_one_named() -> None:
    assert read("LICENSE").startswith(f"{parsed('.claude-plugin/plugin.json')['license']} License\n")


def test_icon_is_one_that_the_plugin_directory_takes() -> None:
    icon = (REPOSITORY / ".claude-plugin/icon.png").read_bytes()
    width, height = struct.unpack(">II", icon[16:24])
    assert icon.startswith(b"\x89PNG\r\n\x1a\n")
    assert width == height
    assert 512 <= width <= 2048
    assert len(icon) < 50_000


# Hooks ------------------------------------------------------------------------------------------------------


def hook_entries(hooks: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Event, matcher ("" for none) and entry of each hook."""
    for event, groups in hooks.items():
        for group in groups:
            assert group.keys() <= {"matcher", "hooks"}
            for entry in group["hooks"]:
                yield event, group.get("matcher", ""), entry


def entry_faults(entry: dict[str, Any]) -> list[str]:
    """What is wrong with one hook, whatever its event."""
    faults = [f"unknown field {field}" for field in entry.keys() - {"type", "command", "timeout", "async"}]
    if entry.get("type") != "command":
        faults.append("type is not command")
    if not isinstance(entry.get("timeout"), int) or not 0 < entry["timeout"] <= TIMEOUT_LIMIT:
        faults.append(f"timeout is not 1 to {TIMEOUT_LIMIT} seconds")
    command = COMMAND.match(entry.get("command", ""))
    if not command:
        faults.append("command is not the shell form that every client runs")
    elif not (REPOSITORY / "scripts" / f"{command['run'].split()[0]}.py").is_file():
        faults.append(f"{command['run']} does not exist")
    return faults


def event_faults(event: str, matcher: str, entry: dict[str, Any]) -> list[str]:
    """What is wrong with the place of one hook."""
    faults = []
    tools = set(matcher.split("|"))
    if event not in KNOWN_EVENTS:
        faults.append("event unknown to old clients")
    if bool(matcher) != (event in MATCHED_EVENTS):
        faults.append("a matcher is missing or has no effect")
    if event == "SessionStart" and not {"compact"} <= tools <= SOURCES:
        faults.append("matcher is not of known sources, compact among them")
    if "ToolUse" in event and (tools & READING_TOOLS or not all(map(str.isidentifier, tools))):
        faults.append("matcher takes in reading tools")
    if "async" in entry and BESIDE not in entry["command"]:  # the end of a `-p` run kills it before it has written
        faults.append("asynchronous")
    return faults


def hook_faults(hooks: dict[str, Any]) -> list[str]:
    """What is wrong with all hooks, each fault with its event."""
    return [f"{event}: {fault}" for event, matcher, entry in hook_entries(hooks)
            for fault in event_faults(event, matcher, entry) + entry_faults(entry)]


def test_hooks_follow_the_documented_schema() -> None:
    document = parsed("hooks/hooks.json")
    assert document.keys() == {"description", "hooks"}
    assert hook_faults(document["hooks"]) == []


def test_each_event_runs_its_script_and_a_session_is_met_however_it_starts() -> None:
    entries = [*hook_entries(parsed("hooks/hooks.json")["hooks"])]
    started = [(event, COMMAND.sub(r"\g<run>", entry["command"])) for event, _, entry in entries]
    at_calls = [(event, f"record_event --{part}") for event in TOOL_EVENTS for part in ("record", "hand-over")]
    at_starts = [("SessionStart", f"restore_snapshot --{part}") for part in ("rest", "third")]
    assert sorted(started) == sorted([*RUNS.items(), *at_calls, *at_starts])
    assert [(event, "waiting" in entry["command"]) for event, _, entry in entries if "ToolUse" in event] == [
        (event, "async" not in entry) for event, _, entry in entries if "ToolUse" in event]
    assert [set(matcher.split("|")) for event, matcher, _ in entries if event == "SessionStart"] == [
        SOURCES, {"compact"}, {"compact"}]


@pytest.mark.parametrize("path", ["hooks/hooks.json", "src/record_event.py", "docs/install.md"])
def test_the_tools_recorded_are_those_whose_calls_are_read(path: str) -> None:
    matchers = re.findall(r'"matcher": "(Bash\b[^"]*)"', read(path))
    assert matchers
    assert {frozenset(matcher.split("|")) for matcher in matchers} == {
        frozenset((*SHELL_TOOLS, *CHANGING_TOOLS, *SUBAGENT_TOOLS))}


GOOD_COMMAND = 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/run" record_event || true'


@pytest.mark.parametrize(("event", "matcher", "change", "fault"), [
    ("PostRead", None, {}, "unknown to old clients"),
    ("SessionStart", None, {}, "not of known sources"),
    ("SessionStart", "startup|resume", {}, "not of known sources"),
    ("SessionStart", "compact|reset", {}, "not of known sources"),
    ("SessionStart", "compact.*", {}, "not of known sources"),
    ("PostCompact", "auto", {}, "no effect"),
    ("PreCompact", "auto", {}, "no effect"),
    ("PostToolUse", "Edit|Read", {}, "reading tools"),
    ("PostToolUse", "*", {}, "reading tools"),
    ("PostToolUseFailure", ".*Edit", {}, "reading tools"),
    ("Stop", None, {"async": True}, "asynchronous"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace(" || true", "")}, "shell form"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace("sh ", "")}, "shell form"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace('"', "")}, "shell form"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace("record_event", "record_event.py")}, "shell form"),
    ("PreCompact", None, {"timeout": 5000}, "timeout"),
    ("PreCompact", None, {"timeout": None}, "timeout"),
    ("PreCompact", None, {"type": "prompt"}, "type"),
    ("PreCompact", None, {"command": "python3", "args": ["-IS", "x.py"]}, "unknown field args"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace("record_event", "nobody")}, "does not exist"),
])
def test_bad_hooks_are_found(event: str, matcher: str | None, change: dict[str, Any], fault: str) -> None:
    entry = {"type": "command", "command": GOOD_COMMAND, "timeout": 5, **change}
    group = {"hooks": [entry], **({"matcher": matcher} if matcher else {})}
    assert fault in "\n".join(hook_faults({event: [group]}))


# Skills -----------------------------------------------------------------------------------------------------


def skill_faults(text: str, name: str = "restore") -> list[str]:
    """What is wrong with the SKILL.md of one skill, which runs a script, mostly only when the user asks for it."""
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    needed = ("description",) if name in MET_BY_THE_HOOK else ("description", "allowed-tools")
    faults = [f"no {field}" for field in needed if not fields.get(field)]
    if (fields.get("disable-model-invocation") == "true") == (name in MODEL_MAY_RUN):
        faults.append("the model may run it unasked, or not run it at all")
    commands = re.findall(r"!`(.*?)`", body) + re.findall(r"```!\n(.*?)\n```", body, re.DOTALL)
    scripts = [match[1] for command in commands
               if (match := SKILL_COMMAND.match(command) or ASKING_COMMAND.match(command))]
    if "Bash(python3:*)" in fields.get("allowed-tools", "") and "$ARGUMENTS" in body:
        faults.append("a forged end of the question could run any Python")
    if bool(commands) == (name in MET_BY_THE_HOOK) or len(scripts) < len(commands):
        faults.append("command is not the shell form of hooks.json")
    return faults + [f"{script} does not exist" for script in scripts
                     if not (REPOSITORY / "scripts" / f"{script}.py").is_file()]


def test_skills_run_scripts_that_exist() -> None:
    skills = {path.parent.name: path.read_text(encoding="utf-8") for path in REPOSITORY.glob("skills/*/SKILL.md")}
    assert skills.keys() == {"doctor", "pin", "pins", "recall", "restore", "show", "stats", "status-line", "unpin"}
    assert [fault for name, text in skills.items() for fault in skill_faults(text, name)] == []


def test_a_skill_that_the_hook_meets_runs_nothing() -> None:
    assert "shell form" in "\n".join(skill_faults(read("skills/recall/SKILL.md"), "pin"))


def test_what_a_person_is_told_to_type_is_a_skill() -> None:
    skills = {path.parent.name for path in REPOSITORY.glob("skills/*/SKILL.md")}
    texts = [script.read_text("utf-8") for script in SCRIPTS] + [read(page) for page in PAGES]
    assert {name for text in texts for name in typed_names(text)} == typed_names(read("README.md")) == skills


def typed_names(text: str) -> set[str]:
    """The plugin's commands that the text names."""
    return set(re.findall(r"/compact-keeper:([a-z-]+)", text))


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("description: ", "about: ", "no description"),
    ("disable-model-invocation: true\n", "", "unasked"),
    ("\n---\n", "\n---\n!`ls`\n", "shell form"),
])
def test_bad_skills_are_found(old: str, new: str, fault: str) -> None:
    assert fault in "\n".join(skill_faults(read("skills/restore/SKILL.md").replace(old, new)))


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("description: ", "disable-model-invocation: true\ndescription: ", "not run it at all"),
    ("allowed-tools: ", "tools: ", "no allowed-tools"),
    (" recall.py ask", " nobody.py ask", "does not exist"),
    ("run_hook.py\" recall.py ask", "another.py\" recall.py ask", "shell form"),
    ("<<'end-of-the-question'\n$ARGUMENTS\nend-of-the-question", '"$ARGUMENTS"', "shell form"),
    ("<<'end-of-the-question'", "<<end-of-the-question", "shell form"),
    ("<<'end-of-the-question'", "<<'end-of-the-question' || true", "shell form"),
    ("allowed-tools: ", "allowed-tools: Bash(python3:*), ", "any Python"),
])
def test_bad_skills_that_take_words_are_found(old: str, new: str, fault: str) -> None:
    assert fault in "\n".join(skill_faults(read("skills/recall/SKILL.md").replace(old, new), "recall"))


# Versions and documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "pattern", "least"), VERSION_PLACES, ids=lambda value: str(value)[:20])
def test_version_is_the_same_everywhere(path: str, pattern: str, least: int) -> None:
    named = re.findall(pattern, read(path), re.MULTILINE)
    # A changelog goes on with the older versions.
    newest = named[:1] if path == "CHANGELOG.md" else named
    assert len(newest) >= least
    assert set(newest) <= {parsed(".claude-plugin/plugin.json")["version"]}


def test_developers_page_names_every_script_and_event() -> None:
    page = read(".claude/CLAUDE.md")
    assert SCRIPTS
    assert [script.name for script in SCRIPTS if script.name not in page] == []
    assert parsed("hooks/hooks.json")["hooks"].keys() - set(re.findall(r"\w+", page)) == set()


def test_readme_is_short_and_leads_to_every_page() -> None:
    readme, for_developers = read("README.md"), read(".claude/CLAUDE.md")
    assert len(readme.splitlines()) <= README_MAX_LINES
    assert "](.claude/CLAUDE.md)" in readme
    assert [page for page in PAGES if page.startswith("docs/") and f"]({page}" not in readme
            and f"](../{page})" not in for_developers] == []


def test_commands_of_the_readme_work_whatever_the_clones_folder_is_called() -> None:
    blocks = re.findall(r"(?ms)^```\n(.*?)^```$", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    lines = [line.partition(" # ")[0] for block in blocks for line in block.splitlines()]
    assert any("git clone" in line for line in lines), "how to get it"
    assert any(line.startswith('claude plugin marketplace add "$PWD"') for line in lines)
    words = [word for line in lines for word in line.split()]
    assert not [word for word in words if word.startswith(("compact-keeper/", "./compact-keeper"))]
    scripts = [word for word in words if word.startswith("scripts/")]
    assert scripts
    assert all((REPOSITORY / name).is_file() for name in scripts)



@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    for target, _, heading in (link.partition("#") for link in re.findall(r"\]\(([^)\s:]+)\)", read(page))):
        path = (REPOSITORY / page).parent / target if target else REPOSITORY / page
        assert path.exists(), target
        headings = re.findall(r"(?m)^#+ (.+)$", path.read_text("utf-8")) if heading else []
        assert not heading or heading in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in headings]


# Places that must not be named ------------------------------------------------------------------------------


def place_faults(path: str, text: str) -> list[str]:
    """The machine paths and registry hosts that the file names."""
    people = MADE_UP_PEOPLE if path.startswith("tests/") else frozenset()
    places = [*REGISTRY.finditer(text), *OUR_FOLDER.finditer(text)]
    places += [home for home in HOME.finditer(text) if home[1] not in people]
    return [f"{path}:{text.count(chr(10), 0, place.start()) + 1}: {place[0]}" for place in places]


def repository_files() -> list[str]:
    """Every file that is tracked, or would be with the next `git add`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    return sorted({path for path in listing.split("\0") if (REPOSITORY / path).is_file()})


def test_no_file_names_a_machine_path_or_a_registry() -> None:
    paths = repository_files()
    assert "tests/unit/test_bundle.py" in paths
    texts = {path: (REPOSITORY / path).read_bytes().decode(errors="replace") for path in paths}
    assert [fault for path, text in texts.items() for fault in place_faults(path, text)] == []


@pytest.mark.parametrize("text", [
    "see /ro|ot/x", "cd '/ro|ot'", "/wo|rk", "(/wo|rk/main)", "/ho|me/mallory/x", "/Us|ers/mallory",
    "https://pypi.|org/simple", "registry.npmjs.|org", "deb.debian.|org", "files.pythonhosted.|org",
])
def test_places_are_found(text: str) -> None:
    # The bar keeps this file free of what it looks for.
    assert place_faults("tests/x.py", "first line\n" + text.replace("|", ""))[0].startswith("tests/x.py:2: ")


@pytest.mark.parametrize("text", [
    "a/work/b", "/workspace", "$HOME/work", "{tmp}/work", "/rooted", "~/work", "/home", "pypi", "npm install",
])
def test_other_words_are_no_places(text: str) -> None:
    assert place_faults("README.md", text) == []


def test_made_up_people_live_in_tests_only() -> None:
    assert place_faults("tests/x.py", "/home/ada/x") == []
    assert place_faults("scripts/x.py", "/home/ada/x") == ["scripts/x.py:1: /home/ada"]


# The form of the scripts ------------------------------------------------------------------------------------


def imported_modules(tree: ast.Module) -> set[str]:
    """The first part of the name of each module that is imported."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level or (node.module or "").partition(".")[0])
    return names


@functools.cache
def is_pythons_own(name: str) -> bool:
    """Whether the module comes with Python."""
    spec = None if name.startswith(".") else find_spec(name)
    origin = str(spec.origin) if spec else ""
    if origin in ("built-in", "frozen"):
        return True
    own = [sysconfig.get_path("stdlib"), sysconfig.get_config_var("DESTSHARED")]  # modules in C may lie apart
    folders = {Path(str(folder)).resolve() for folder in own if folder}
    return bool(folders & {*Path(origin).resolve().parents}) and "site-packages" not in origin


NETWORK = {"asyncio", "ftplib", "http", "requests", "smtplib", "socket", "ssl", "telnetlib", "urllib", "xmlrpc"}


def script_faults(source: str, network: str = "") -> list[str]:
    """What is wrong with the form of one script, which works when it is copied alone; `network`: what it may know."""
    try:
        tree = ast.parse(source, feature_version=(3, 9))
    except SyntaxError as error:
        return [f"line {error.lineno} is not Python 3.9: {error.msg}"]
    names = imported_modules(tree)
    faults = [f"imports {name}" for name in sorted(names) if not is_pythons_own(name) or name in NETWORK - {network}]
    if not ast.get_docstring(tree):
        faults.append("has no docstring")
    if not source.endswith((LAST_LINES, LAST_OF_RUN_HOOK)):
        faults.append("does not end in raise SystemExit(main())")
    return faults


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_keep_their_form(script: Path) -> None:
    network = "socket" if script.name == "recall.py" else ""  # this machine's name; psycopg does the rest
    assert script_faults(script.read_text(encoding="utf-8"), network) == []


GOOD_SCRIPT = f'''"""Manual page."""

import os


def main(*names: str) -> int:
    return 0


{LAST_LINES}'''


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("", "", ""),
    ("import os", "import os, sys, time, _struct, xml.etree", ""),
    ('"""Manual page."""\n', "", "has no docstring"),
    ("import os", "import os, requests.sessions", "imports requests"),
    ("import os", "from pytest import main", "imports pytest"),
    ("return 0", "from urllib.request import urlopen\n    return 0", "imports urllib"),
    ("import os", "import os, http.client", "imports http"),
    ("import os", "from save_snapshot import main", "imports save_snapshot"),
    ("return 0", "import compact_keeper.types\n    return 0", "imports compact_keeper"),
    ("import os", "try:\n    import save_snapshot\nexcept ImportError:\n    pass", "imports save_snapshot"),
    ("import os", "from . import lib", "imports ."),
    ("return 0", "match names:\n        case _: return 0", "is not Python 3.9"),
    ("raise SystemExit(main())", "main()", "does not end in raise SystemExit(main())"),
], ids=lambda text: text[:20])
def test_bad_scripts_are_found(old: str, new: str, fault: str) -> None:
    faults = script_faults(GOOD_SCRIPT.replace(old, new, 1))
    assert len(faults) == bool(fault)
    assert fault in "".join(faults)
