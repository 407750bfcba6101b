"""What the parts of the bundle promise each other: manifests, hooks, versions, documents, the scripts' form.

Each rule is a function that returns faults; the repository has to have none, and a table of bad input shows
that each rule can find one.
"""

from __future__ import annotations

import ast
import json
import re
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Union

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((REPOSITORY / "scripts").glob("*.py"))
BESIDE = {script.stem for script in SCRIPTS}

# A client that does not know an event switches all hooks of the plugin off: these are known from 2.1.76 on.
KNOWN_EVENTS = frozenset({
    "Notification", "PermissionRequest", "PostCompact", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "PreToolUse", "SessionEnd", "SessionStart", "Stop", "SubagentStart", "SubagentStop", "UserPromptSubmit",
})
MATCHED_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure", "PreToolUse", "SessionStart"})
SOURCES = frozenset({"startup", "resume", "clear", "compact"})  # of a SessionStart, in every client from 2.1.76 on
READING_TOOLS = frozenset({"Glob", "Grep", "LS", "NotebookRead", "Read", "WebFetch", "WebSearch"})
# Without `|| true` a script that is gone (an update, another branch) ends with Python's exit code 2, which blocks every
# prompt and every compaction (measured with 2.1.150 and 2.1.329). `python` is tried where `python3` did not start: 127
# is the shell's "not found", 126 "cannot be run", 49 the placeholder of Windows' store in Git Bash
# (https://github.com/anthropics/claude-code/issues/57946). No hook ends with these, so none runs twice.
SCRIPT_FOLDER = r'-IS "\$\{CLAUDE_PLUGIN_ROOT\}/scripts/'
COMMAND = re.compile(r"set -- " + SCRIPT_FOLDER + r'run_hook\.py" ([a-z_]+\.py); '
                     r'python3 "\$@" \|\| case \$\? in 49\|126\|127\) python "\$@"; esac \|\| true\Z')
SKILL_COMMAND = re.compile("python3 " + SCRIPT_FOLDER + r'([a-z_]+\.py)"[^|&;]* \|\| true\Z')
# What was typed goes in as a quoted here-document: between quotes on a line it would be a shell injection, and nothing
# may stand behind `<<'WORD'` (2.1.329), so this script itself never fails (measured with 2.1.76 to 2.1.329).
ASKING_COMMAND = re.compile("python3 " + SCRIPT_FOLDER + r"""([a-z_]+\.py)" ask <<'([a-z-]+)'\n\$ARGUMENTS\n\2\Z""")
MODEL_MAY_RUN = frozenset({"recall"})
MET_BY_THE_HOOK = frozenset({"pin", "pins", "show", "stats", "unpin"})  # these skills run nothing (answer_command.py)
TIMEOUT_LIMIT = 60  # seconds; a number meant as milliseconds is far above it
RECORD, SAVE, RESTORE, AUDIT = "record_event.py", "save_snapshot.py", "restore_snapshot.py", "audit_summary.py"
RUNS = {  # by event, in their order: a prompt is recorded before the receipt of the last compaction is looked for
    "PostToolUse": [RECORD], "PostToolUseFailure": [RECORD], "UserPromptSubmit": [RECORD, RESTORE],
    "SubagentStart": [RECORD], "SubagentStop": [RECORD], "PreCompact": [SAVE], "Stop": [SAVE], "PostCompact": [AUDIT],
    "SessionStart": [RESTORE], "SessionEnd": [RESTORE]}
HOOKS = {script for scripts in RUNS.values() for script in scripts}

# Numbers of lines.
LAST_OF_A_HOOK = 'if __name__ == "__main__":\n    leave(main())\n'  # of run_hook.py, which leaves nothing to take down
LAST_LINES = 'if __name__ == "__main__":\n    raise SystemExit(main())\n'

VERSION = r"(\d+\.\d+\.\d+)"
VERSION_PLACES = (
    (".claude-plugin/plugin.json", rf'"version": "{VERSION}"', 1),
    (".claude-plugin/marketplace.json", rf'"version": "{VERSION}"', 0),
    ("pyproject.toml", rf'^version = "{VERSION}"', 1),
    ("README.md", rf"version-{VERSION}-", 1),
    ("CHANGELOG.md", rf"^## \[?v?{VERSION}", 1),
    *((f"scripts/{script.name}", rf'^VERSION = "{VERSION}"', 0) for script in SCRIPTS),
)

REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|npmjs|yarnpkg|(?:deb|security)\.debian)\.(?:org|com)\b")
ABSOLUTE = r"(?<![\w.~*)}>\]-])"  # what stands before the first slash of an absolute path
OUR_FOLDER = re.compile(ABSOLUTE + r"/(?:root|work)(?![\w-])")
HOME = re.compile(ABSOLUTE + r"/(?:home|Users)/(\w+)")
MADE_UP_PEOPLE = frozenset({"ada", "user"})

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


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
    elif not (REPOSITORY / "scripts" / command[1]).is_file():
        faults.append(f"scripts/{command[1]} does not exist")
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
    if "ToolUse" in event and (tools & READING_TOOLS or not all(tool.isalpha() for tool in tools)):
        faults.append("matcher takes in reading tools")
    if "async" in entry:  # measured with 2.1.329: a `-p` run kills it before it has written, and ends 1.4 s later
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


def test_each_event_runs_its_scripts_and_a_session_is_met_however_it_starts() -> None:
    runs: dict[str, list[str]] = {}
    for event, matcher, entry in hook_entries(parsed("hooks/hooks.json")["hooks"]):
        runs.setdefault(event, []).extend(COMMAND.findall(entry["command"]))
        assert event != "SessionStart" or set(matcher.split("|")) == SOURCES
    assert runs == RUNS


RECORDING = '-IS "${CLAUDE_PLUGIN_ROOT}/scripts/run_hook.py" record_event.py'
GOOD_COMMAND = f'set -- {RECORDING}; python3 "$@" || case $? in 49|126|127) python "$@"; esac || true'


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
    ("PreCompact", None, {"command": f"python3 {RECORDING} || true"}, "shell form"),
    ("PreCompact", None, {"command": f"python3 {RECORDING} || python {RECORDING} || true"}, "shell form"),
    ("PreCompact", None, {"timeout": 5000}, "timeout"),
    ("PreCompact", None, {"timeout": None}, "timeout"),
    ("PreCompact", None, {"type": "prompt"}, "type"),
    ("PreCompact", None, {"command": "python3", "args": ["-IS", "x.py"]}, "unknown field args"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace('"$@"', "$@")}, "shell form"),
    ("PreCompact", None, {"command": GOOD_COMMAND.replace(" -IS", "")}, "shell form"),
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
    scripts = [found[1] for command in commands
               if (found := SKILL_COMMAND.match(command) or ASKING_COMMAND.match(command))]
    if "Bash(python3:*)" in fields.get("allowed-tools", "") and "$ARGUMENTS" in body:
        faults.append("a forged end of the question could run any Python")
    if bool(commands) == (name in MET_BY_THE_HOOK) or len(scripts) < len(commands):
        faults.append("command is not the shell form of hooks.json")
    return faults + [f"{script} does not exist" for script in scripts if script[:-len(".py")] not in BESIDE]


def test_skills_run_scripts_that_exist() -> None:
    skills = {path.parent.name: path.read_text(encoding="utf-8") for path in REPOSITORY.glob("skills/*/SKILL.md")}
    assert skills.keys() == {"pin", "pins", "recall", "restore", "show", "stats", "unpin"}
    assert [fault for name, text in skills.items() for fault in skill_faults(text, name)] == []


def test_a_skill_that_the_hook_meets_runs_nothing() -> None:
    assert "shell form" in "\n".join(skill_faults(read("skills/recall/SKILL.md"), "pin"))


def test_what_a_person_is_told_to_type_is_a_skill() -> None:
    texts = [script.read_text("utf-8") for script in SCRIPTS] + [read("README.md")]
    named = {name for text in texts for name in re.findall(r"/compact-keeper:([a-z-]+)", text)}
    assert named == {path.parent.name for path in REPOSITORY.glob("skills/*/SKILL.md")}


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("description: ", "about: ", "no description"),
    ("allowed-tools: ", "tools: ", "no allowed-tools"),
    ("disable-model-invocation: true\n", "", "unasked"),
    ("restore_snapshot.py", "nobody.py", "does not exist"),
    (" || true", "", "shell form"),
    ("!`", "`", "shell form"),
])
def test_bad_skills_are_found(old: str, new: str, fault: str) -> None:
    assert fault in "\n".join(skill_faults(read("skills/restore/SKILL.md").replace(old, new)))


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("description: ", "disable-model-invocation: true\ndescription: ", "not run it at all"),
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


def test_readme_names_every_script() -> None:
    readme = read("README.md")
    assert SCRIPTS
    assert [script.name for script in SCRIPTS if script.name not in readme] == []


def test_readme_names_every_event() -> None:
    words = set(re.findall(r"\w+", read("README.md")))
    assert parsed("hooks/hooks.json")["hooks"].keys() - words == set()


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in REPOSITORY.glob("docs/*.md"))])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    for target, _, heading in (link.partition("#") for link in re.findall(r"\]\(([^)\s:]+)\)", read(page))):
        found = (REPOSITORY / page).parent / target if target else REPOSITORY / page
        assert found.exists(), target
        headings = re.findall(r"(?m)^#+ (.+)$", found.read_text("utf-8")) if heading else []
        assert not heading or heading in [re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings]


# Places that must not be named ------------------------------------------------------------------------------


def place_faults(path: str, text: str) -> list[str]:
    """The machine paths and registry hosts that the file names."""
    people = MADE_UP_PEOPLE if path.startswith("tests/") else frozenset()
    found = [*REGISTRY.finditer(text), *OUR_FOLDER.finditer(text)]
    found += [home for home in HOME.finditer(text) if home[1] not in people]
    return [f"{path}:{text.count(chr(10), 0, place.start()) + 1}: {place[0]}" for place in found]


def repository_files() -> list[str]:
    """Every file that is tracked, or would be with the next `git add`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    return sorted({path for path in listing.split("\0") if (REPOSITORY / path).is_file()})


def test_no_file_names_a_machine_path_or_a_registry() -> None:
    paths = repository_files()
    assert "tests/test_bundle.py" in paths
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


def functions(tree: ast.Module) -> list[Function]:
    """Every function and method, nested ones too."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def unannotated(function: Function) -> list[str]:
    """The parameters without a type, and `return` when the result has none."""
    parameters = [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    names = [each.arg for each in parameters if not each.annotation and each.arg not in {"self", "cls"}]
    return names if function.returns else [*names, "return"]


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The top-level name of every module that is imported; dots for a relative import."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level or (node.module or "").partition(".")[0])
    return names


def loaded(node: ast.AST) -> Iterator[ast.AST]:
    """What runs when the script is loaded: no function's body, nothing that only the type checker reads."""
    yield node
    for part in ast.iter_child_nodes(node):
        for_types = isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING"
        if not for_types and not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from loaded(part)


def foreign_modules(tree: ast.Module, is_hook: bool) -> set[str]:
    """The imported modules that Python does not bring; scripts beside count where a hook imports them at its load."""
    own = getattr(sys, "stdlib_module_names", None)  # from Python 3.10 on
    beside = BESIDE - (imported(loaded(tree)) if is_hook else set())
    return imported(ast.walk(tree)) - own - beside if own else set()


def function_faults(tree: ast.Module) -> list[str]:
    """What is wrong with the functions of one script."""
    found = functions(tree)
    return [f"{each.name} has no type for {name}" for each in found for name in unannotated(each)]


def script_faults(source: str, is_hook: bool) -> list[str]:
    """What is wrong with the form of one script; a hook works when it is copied alone, others are imported by one."""
    try:
        tree = ast.parse(source, feature_version=(3, 9))
    except SyntaxError as error:
        return [f"line {error.lineno} is not Python 3.9: {error.msg}"]
    faults = function_faults(tree) + [f"imports {name}" for name in sorted(foreign_modules(tree, is_hook))]
    faults += [f"asks for {name}" for name in re.findall(r'\bbeside\("(\w+)"\)', source) if name not in BESIDE]
    if not ast.get_docstring(tree):
        faults.append("has no docstring")
    if (is_hook or "\ndef main(" in source) and not source.endswith((LAST_LINES, LAST_OF_A_HOOK)):
        faults.append("does not end in raise SystemExit(main())")
    return faults


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_keep_their_form(script: Path) -> None:
    assert script_faults(script.read_text(encoding="utf-8"), script.name in HOOKS) == []


GOOD_SCRIPT = f'''"""Manual page."""

import os


def main(*names: str) -> int:
    return 0


{LAST_LINES}'''


@pytest.mark.parametrize(("old", "new"), [
    ("", ""),
    ("return 0", "import save_snapshot\n    return 0"),
    ("return 0", "try:\n        from save_snapshot import main\n    except ImportError:\n        pass\n    return 0"),
    ("import os", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from save_snapshot import Reading"),
], ids=lambda text: text[:20])
def test_a_good_script_has_no_faults(old: str, new: str) -> None:
    assert script_faults(GOOD_SCRIPT.replace(old, new, 1), is_hook=True) == []


NETWORK = {"asyncio", "ftplib", "http", "requests", "smtplib", "socket", "ssl", "telnetlib", "urllib", "xmlrpc"}


def test_no_script_but_the_one_for_a_server_knows_the_network() -> None:
    found = {}
    for path in SCRIPTS:
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        if network := NETWORK & {name.partition(".")[0] for name in names}:
            found[path.name] = network
    assert found == {"archive_postgres.py": {"socket"}}  # this machine's name; psycopg does the rest


def skip_without_module_names() -> None:
    """Skips a test of what is imported where Python does not name its own modules."""
    if not hasattr(sys, "stdlib_module_names"):
        pytest.skip("the names of the standard library's modules are known from Python 3.10 on")


@pytest.mark.parametrize(("old", "new"), [
    ("import os", "import os\n\nfrom present_state import repository"),
    (GOOD_SCRIPT[GOOD_SCRIPT.index("def main"):], "def told() -> int:\n    return 0\n"),
], ids=["imports-at-its-load", "without-main"])
def test_what_is_imported_only_may_do_more(old: str, new: str) -> None:
    if "import" in new:
        skip_without_module_names()
    source = GOOD_SCRIPT.replace(old, new, 1)
    assert script_faults(source, is_hook=False) == []
    assert len(script_faults(source, is_hook=True)) == 1


@pytest.mark.parametrize(("old", "new", "fault"), [
    ('"""Manual page."""\n', "", "no docstring"),
    ("*names: str", "*names", "main has no type for names"),
    ("*names: str", "*, name=0", "main has no type for name"),
    (" -> int", "", "main has no type for return"),
    ("import os", "import os, requests.sessions", "imports requests"),
    ("import os", "from save_snapshot import main", "imports save_snapshot"),
    ("import os", "try:\n    import save_snapshot\nexcept ImportError:\n    pass", "imports save_snapshot"),
    ("import os", "if os:\n    import save_snapshot", "imports save_snapshot"),
    ("import os", "class Kept:\n    import save_snapshot", "imports save_snapshot"),
    ("return 0", "import save_snapshot.sub\n    return 0\n\n\nimport save_snapshot", "imports save_snapshot"),
    ("return 0", "import requests\n    return 0", "imports requests"),
    ("import os", "from . import lib", "imports ."),
    ("return 0", "match names:\n        case _: return 0", "not Python 3.9"),
    ("return 0", 'beside("nobody")\n    return 0', "asks for nobody"),
    ("raise SystemExit(main())", "main()", "does not end in"),
], ids=lambda text: text[:20])
def test_bad_scripts_are_found(old: str, new: str, fault: str) -> None:
    if fault.startswith("imports"):
        skip_without_module_names()
    assert fault in "\n".join(script_faults(GOOD_SCRIPT.replace(old, new, 1), is_hook=True))
