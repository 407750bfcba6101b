"""The sources in their rooms: which room may import which, and that all of it reads as it should."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"
TESTS = SOURCES.parent / "tests"
PACKAGE = "compact_keeper"
ROOMS = ("types", "text", "store", "client", "machine", "record")  # each may import those before it
# These may import all of ROOMS, not each other.
APART = ("recap", "audit", "notes", "archive", "figures", "setup", "own_commands")
INSIDE = {  # the order of what stands in a large room: each may import those before it; its story, beside them, all
    "record": (
        "items", "endings", "commands", "words", "outputs", "runner_output", "outcomes", "calls", "git",
        "checks", "summary"),
    "recap": ("wording", "lines", "choice")}


@functools.cache
def tree_of(text: str) -> ast.Module:
    """The source, parsed as the oldest Python reads it."""
    return ast.parse(text, feature_version=(3, 9))


def imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The modules of ours that a source imports, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            yield str(node.module), node.lineno


def room_of(module: str) -> str:
    """The room of a module: the first part of its name behind the package."""
    return module.split(".")[1]


def part_of(module: str) -> str:
    """What of its room a module belongs to: a sub-room, or itself."""
    return ".".join(module.split(".")[2:3])


def faults_of(module: str, text: str) -> list[str]:
    """Imports of the module that its room, or its part of the room, may not make."""
    room = room_of(module) if module.startswith(f"{PACKAGE}.") else ""  # an entry may import all
    allowed = ROOMS[:ROOMS.index(room) + 1] if room in ROOMS else (*ROOMS, room) if room in APART else (*ROOMS, *APART)
    imports = [*imported(tree_of(text))]
    faults = [f"{module}:{line}: {room} may not import {other}" for other, line in imports
              if room_of(other) not in allowed]
    order = INSIDE.get(room, ())
    if part_of(module) in order:
        before = order[:order.index(part_of(module)) + 1]
        faults += [f"{module}:{line}: {part_of(module)} may not import {other}" for other, line in imports
                   if room_of(other) == room and part_of(other) not in before]
    return faults


FILES = {".".join(path.relative_to(SOURCES).with_suffix("").parts): path.read_text(encoding="utf-8")
         for path in sorted(SOURCES.rglob("*.py"))}


def test_each_source_imports_only_rooms_before_its_own() -> None:
    assert [fault for module, text in FILES.items() for fault in faults_of(module, text)] == []


def test_rooms_are_those_of_the_order() -> None:
    names = {path.stem for path in (SOURCES / PACKAGE).iterdir() if not path.name.startswith("__")}
    assert names <= {*ROOMS, *APART}


@pytest.mark.parametrize("room", INSIDE)
def test_each_folder_in_a_large_room_has_its_place_in_the_order(room: str) -> None:
    files = [path for path in (SOURCES / PACKAGE / room).rglob("*.py") if path.name != "__init__.py"]
    folders = {path.parent.name for path in files} - {room}
    assert folders <= {*INSIDE[room]}
    assert {*INSIDE[room]} <= folders | {path.stem for path in files if path.parent.name == room}


MAPS = {path.parent: path.read_text(encoding="utf-8") for path in sorted((SOURCES / PACKAGE).glob("*/**/__init__.py"))}


@pytest.mark.parametrize("room", MAPS, ids=lambda room: room.name)
def test_the_map_of_a_room_names_each_of_its_modules(room: Path) -> None:
    modules = {path.stem for path in room.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in room.glob("*/*.py")}
    assert modules | folders <= {*re.findall(r"\w+", MAPS[room])}


def unsaid_in(module: str, tree: ast.Module) -> Iterator[str]:
    """Where the module does not say what it knows, and functions without a type, or without a word of what they do."""
    if (ast.get_docstring(tree) or "(").partition("\n")[0][0] == "(":
        yield f"{module} does not say what it knows"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.returns:
            yield f"{module}:{node.lineno}: {node.name} has no type"
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for node in [node for body in bodies for node in body if isinstance(node, ast.FunctionDef)]:
        if not ast.get_docstring(node) and node.name not in ("main", "__init__"):  # a class tells of its beginning
            yield f"{module}:{node.lineno}: {node.name} says nothing"


def test_every_function_is_typed_and_says_what_it_returns() -> None:
    modules = [module for module in FILES if not module.endswith("__init__")]
    assert [fault for module in modules for fault in unsaid_in(module, tree_of(FILES[module]))] == []


NO_NAMES = {"one", "told", "found", "used", "held", "asked", "mine"}  # they say nothing of what they hold


def names_in(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names that a source gives or reads, with the line; of attributes those that it sets: Python has a `used`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno


def empty_names_in(text: str) -> list[tuple[str, int]]:
    """The names in a source that say nothing of what they hold, with the line."""
    return [(name, line) for name, line in names_in(tree_of(text)) if name in NO_NAMES]


@pytest.mark.parametrize("folder", [SOURCES, TESTS], ids=lambda folder: folder.name)
def test_names_say_what_they_hold(folder: Path) -> None:
    files = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    assert files
    assert [f"{path.relative_to(folder)}:{line}: {name}" for path, text in files.items()
            for name, line in empty_names_in(text)] == []


@pytest.mark.parametrize("text", [
    "{} = 1", "for {} in (): pass", "class Session:\n    {}: str", "def f({}): pass", "lambda *{}: 1", "def {}(): pass",
    "class Session:\n    def {}(self): pass", "def f(self):\n    self.{} = 1", "with f() as {}: pass", "f({})"])
def test_a_name_that_says_nothing_is_met(text: str) -> None:
    assert [empty_names_in(text.format(name))[0][0] for name in sorted(NO_NAMES)] == sorted(NO_NAMES)
    assert empty_names_in(text.format("message")) == []


@pytest.mark.parametrize(("module", "line", "is_allowed"), [
    ("compact_keeper.text.a", "from compact_keeper.text.b import c", True),
    ("compact_keeper.text.a", "from compact_keeper.types import JsonObject", True),
    ("compact_keeper.text.a", "from compact_keeper.store.b import c", False),
    ("compact_keeper.client.a", "from compact_keeper.record.b import c", False),
    ("compact_keeper.client.a", "def f():\n    from compact_keeper.record.b import c", False),
    ("compact_keeper.recap.a", "from compact_keeper.record.b import c", True),
    ("compact_keeper.recap.a", "from compact_keeper.audit.b import c", False),
    ("record_event", "from compact_keeper.audit.b import c", True),
    ("compact_keeper.record.commands.a", "from compact_keeper.record.items import c", True),
    ("compact_keeper.record.commands.a", "from compact_keeper.record.commands.b import c", True),
    ("compact_keeper.record.items", "from compact_keeper.record.commands.b import c", False),
    ("compact_keeper.record.commands.a", "from compact_keeper.record.session import c", False),
    ("compact_keeper.record.session", "from compact_keeper.record.commands.b import c", True),
    ("compact_keeper.recap.a", "from compact_keeper.record.commands.b import c", True),
])
def test_a_wrong_import_is_found(module: str, line: str, is_allowed: bool) -> None:
    assert (faults_of(module, line) == []) == is_allowed


RULES_PAGE = SOURCES.parent / "docs" / "rules.md"
RULES_MAX_LINES, RULES_LINE_MAX_CHARACTERS, RULES_MIN = 170, 120, 100  # what a person looks through in half a minute


def defined_in(body: list[ast.stmt], before: str = "") -> Iterator[str]:
    """The names that stand at the top of a module, of its classes the methods too."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield f"{before}{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from defined_in(node.body, f"{node.name}.")
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(
            node, ast.AnnAssign) else []
        yield from (f"{before}{name.id}" for target in targets for name in ast.walk(target)
                    if isinstance(name, ast.Name))


def modules_by_end(sources: dict[str, str]) -> dict[str, list[str]]:
    """The modules by their folder and name, as the page has them; an entry by its name alone."""
    modules: dict[str, list[str]] = {}
    for module in sources:
        modules.setdefault("/".join(module.split(".")[-2:]), []).append(module)
    return modules


def places_in(row: str) -> Iterator[tuple[str, str]]:
    """The modules and names in the cells of a row behind its rule; of `.name` the module is that before it."""
    module = ""
    for code in re.findall(r"`([^`]+)`", row.split(" | ", 1)[1]):
        where, _, name = code.partition(".")
        module = where or module
        yield module, name


def rule_faults(page: str, sources: dict[str, str]) -> list[str]:
    """What the page of rules names that no source has, and rules of which it names nothing."""
    modules, faults, lines = modules_by_end(sources), list[str](), page.splitlines()
    tables = [line for line, below in zip(lines, [*lines[1:], ""]) if not below.startswith("| ---")]  # without heads
    for row in [line for line in tables if line.startswith("| ") and not line.startswith("| ---")]:
        places = [*places_in(row)]
        if not places and not row.startswith("| **"):
            faults.append(f"{row}: where?")
        for module, name in places:
            named = modules.get(module, [])
            if len(named) != 1:
                faults.append(f"{module}: {len(named)} modules")
            elif name and name not in defined_in(tree_of(sources[named[0]]).body):
                faults.append(f"{module} has no {name}")
    return faults


def test_each_rule_of_the_page_is_decided_where_the_page_says() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    assert rule_faults(page, FILES) == []
    lines = page.splitlines()
    assert len(lines) <= RULES_MAX_LINES
    assert [line for line in lines if len(line) > RULES_LINE_MAX_CHARACTERS] == []
    assert sum(line.startswith("| ") and "`" in line for line in lines) >= RULES_MIN


def test_the_page_of_rules_is_reached_from_that_for_developers() -> None:
    assert "](../docs/rules.md)" in (SOURCES.parent / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("old", "new"), [
    ("def own_lines(", "def other_lines("), ("class Conversation:", "class Talk:"),
    ("    def rule_items(", "    def items_of_rules("), ("ONCE = (", "AT_ONCE = (")])
def test_a_renamed_place_of_a_rule_is_found(old: str, new: str) -> None:
    page = ("| rule | decided in | what else has a say |\n| --- | --- | --- |\n| a | `words/pasted.own_lines` | |\n"
            "| b | `words/messages.Conversation`, `.Conversation.rule_items` | `words/rule_markers.ONCE` |\n")
    assert rule_faults(page, FILES) == []
    assert rule_faults(page, {module: text.replace(old, new) for module, text in FILES.items()}) != []
    moved = {module.replace("record.words.", "record.said."): text for module, text in FILES.items()}
    assert rule_faults(page, moved) != []
    assert rule_faults(f"{page}| c | somewhere | |\n", FILES) != []
