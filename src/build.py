#!/usr/bin/env python3
"""Write the shipped scripts from these sources: each entry, with every module that it imports, as one file.

Usage: build.py [--check] [--root FOLDER]     (make build; a test runs --check)

An entry is a file beside this one. It and the modules of compact_keeper import each other's names as they are,
`from compact_keeper.room.module import name`, at the top. A script holds each module's lines as they stand, behind what
it imports, the entry last. What its main line never reaches is left out: a module is written for several scripts. What
would make that go wrong is refused with file and line: see `taken_apart`.

The result is the same on every machine and Python. Exits 0 when all scripts are as their sources make them, 1 when
--check finds one that is not, or with one line that says what is refused. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGE = "compact_keeper"
ROOT = Path(__file__).resolve().parents[1]
TYPES = f"{PACKAGE}.types"
# Names for annotations alone, which are never evaluated, so no script has them: importing typing takes 2.7 ms.
FOR_ANNOTATIONS = (TYPES, "typing")
AT_RUN_TIME = "NamedTuple"  # of typing's names; for commands alone, a test keeps it out of the hooks
NOTE = """# Version {version}, made by `make build` from src/{entry}; change it there.
# Its parts stand in the order of their use.
"""  # behind the page, which --help prints: that is for people
RULE = "# " + "=" * 98
AT_THE_TOP = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)

Imports = dict[tuple[str, str], int]  # module, empty for `import name`, and name, with the line


class Refusal(Exception):
    """Says with file and line what cannot be built."""


class Part(NamedTuple):
    """A statement at the top of a file, with the comments above it."""

    names: frozenset[str]  # that it defines; the main line none
    uses: frozenset[str]  # every name in it
    text: str


class Module(NamedTuple):
    """A source file, taken apart."""

    path: Path
    docstring: str
    own: Imports  # of our modules
    imports: Imports  # of Python's own
    names: dict[str, int]  # that it defines, with the line
    parts: tuple[Part, ...]  # all but docstring and imports


@functools.cache  # most modules stand in several scripts
def taken_apart(path: Path, text: str) -> Module:
    """The parts of a file with this text; refused where a script made of them would not do what the files do."""
    tree = ast.parse(text, feature_version=(3, 9))
    own, imports, names, parts = Imports(), Imports(), dict[str, int](), list[Part]()
    lines, done = text.splitlines(keepends=True), 0
    for node in tree.body:
        own_lines, done = lines[done:node.end_lineno], node.end_lineno or node.lineno
        if node is tree.body[0] and ast.get_docstring(tree) is not None:
            pass
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            ours, theirs = imported(path, node)
            own.update(ours)
            imports.update(theirs)
        elif isinstance(node, AT_THE_TOP) or is_main_line(node):
            if is_main_line(node) and PACKAGE in path.parts:
                raise Refusal(f"{path}:{node.lineno}: only an entry has a main line")
            names.update((name, node.lineno) for name in defined(node))
            uses = frozenset(name.id for name in ast.walk(node) if isinstance(name, ast.Name))
            parts.append(Part(frozenset(defined(node)), uses, "".join(own_lines)))
        else:
            raise Refusal(f"{path}:{node.lineno}: work at module level, which every start would pay")
    refuse_late_imports(path, tree)
    refuse_annotations_at_run_time(path, tree)
    return Module(path, ast.get_docstring(tree, clean=False) or "", own, imports, names, tuple(parts))


def imported(path: Path, node: ast.Import | ast.ImportFrom) -> tuple[Imports, Imports]:
    """The names of ours and those of Python's own that an import at the top brings."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    names = [alias.name for alias in node.names]
    is_ours = any(name.partition(".")[0] == PACKAGE for name in (module, *names))
    if isinstance(node, ast.ImportFrom) and (node.level or "*" in names):
        raise Refusal(f"{path}:{node.lineno}: write `from {PACKAGE}.room.module import name`")
    if is_ours and (not module or any(alias.asname for alias in node.names)):
        raise Refusal(f"{path}:{node.lineno}: import our own names as they are: `from {PACKAGE}.… import name`")
    if module in FOR_ANNOTATIONS:
        return {}, {(module, name): node.lineno for name in names if name == AT_RUN_TIME}
    if is_ours:
        return {(module, name): node.lineno for name in names}, {}
    written = [name if not alias.asname else f"{name} as {alias.asname}" for name, alias in zip(names, node.names)]
    return {}, {(module, name): node.lineno for name in written}


def defined(node: ast.stmt) -> list[str]:
    """The names that a statement at the top defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def is_main_line(node: ast.stmt) -> bool:
    """Whether it is the `if __name__ == "__main__":` of an entry."""
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def refuse_late_imports(path: Path, tree: ast.Module) -> None:
    """Refuses an import of ours below the top: in a script there is nothing to import."""
    for node in [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]:
        if node not in tree.body and PACKAGE in ast.dump(node):
            raise Refusal(f"{path}:{node.lineno}: import our own modules at the top")


def refuse_annotations_at_run_time(path: Path, tree: ast.Module) -> None:
    """Refuses a name that is for annotations alone outside them: a script does not have it."""
    names = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in FOR_ANNOTATIONS
             for alias in node.names if alias.name != AT_RUN_TIME}
    noted = {id(inner) for node in ast.walk(tree) for note in annotations_of(node) for inner in ast.walk(note)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names and id(node) not in noted:
            raise Refusal(f"{path}:{node.lineno}: {node.id} is for annotations alone")


def annotations_of(node: ast.AST) -> Iterator[ast.expr]:
    """The annotations that stand directly at a node."""
    for note in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if isinstance(note, ast.expr):
            yield note


def add_module(sources: Path, path: Path, known: dict[Path, Module], above: tuple[Path, ...] = ()) -> None:
    """Adds the module to those known, behind all that it imports. `above` are those that import it, for a circle."""
    module = taken_apart(path, path.read_text(encoding="utf-8"))
    for (room, name), line in sorted(module.own.items()):
        other = sources.joinpath(*room.split(".")).with_suffix(".py")
        if other in (*above, path):
            raise Refusal(f"{path}:{line}: imports {room}, which imports this")
        if not other.is_file():
            raise Refusal(f"{path}:{line}: there is no {room}")
        if other not in known:
            add_module(sources, other, known, (*above, path))
        if name not in known[other].names:
            raise Refusal(f"{path}:{line}: {room} does not define {name}")
    known[path] = module


def script_of(sources: Path, entry: Path, version: str) -> str:
    """The text of the script that the entry makes."""
    modules: dict[Path, Module] = {}
    add_module(sources, entry, modules)
    names = names_of_script(modules.values(), entry)
    reached = reached_parts([part for module in modules.values() for part in module.parts])
    uses = {name for part in reached for name in part.uses}
    imports = merged({source for module in modules.values() for source in module.imports
                      if name_and_meaning(*source)[0] in uses})
    note = NOTE.format(version=version, entry=entry.name)
    page = f"{modules[entry].docstring.rstrip()}\n"
    raw = "r" if "\\" in page else ""  # what is to be pasted from it stands there as it is
    parts = [f'#!/usr/bin/env python3\n{raw}"""{page}"""\n{note}\nfrom __future__ import annotations\n',
             imports]
    if "VERSION" not in names:
        parts.append(f'VERSION = "{version}"  # of the plugin that this script came with\n')
    for module in modules.values():
        title = "the script" if module.path == entry else "/".join(module.path.relative_to(sources / PACKAGE).parts)
        body = "".join(part.text for part in module.parts if part in reached).strip("\n")
        if body:
            parts.append(f"\n{RULE}\n# {title}: {first_line(module.docstring)}\n{RULE}\n\n{body}\n")
    return "\n".join(parts)


def reached_parts(parts: Sequence[Part]) -> set[Part]:
    """The parts that a script needs: its main line, its version, and what these use, directly or not."""
    owners = {name: part for part in parts for name in part.names}
    reached = {part for part in parts if not part.names}
    names = {"VERSION", *(name for part in reached for name in part.uses)}
    while names:
        part = owners.get(names.pop())
        if part and part not in reached:
            reached.add(part)
            names.update(part.uses)
    return reached


def names_of_script(modules: Iterable[Module], entry: Path) -> set[str]:
    """The names that the modules define in the entry's script; refused where two of them mean something else by one."""
    owners: dict[str, tuple[str, Path]] = {}  # what a name means in the script, and where that is said first
    for module in modules:
        meanings = [(*name_and_meaning(*source), line) for source, line in module.imports.items()]
        meanings += [(name, str(module.path), line) for name, line in module.names.items()]
        for name, meaning, line in meanings:
            first, path = owners.setdefault(name, (meaning, module.path))
            if first != meaning:
                raise Refusal(f"{module.path}:{line}: {name} is defined in {path} too; {entry.name} has both")
    return {*owners}


def name_and_meaning(module: str, name: str) -> tuple[str, str]:
    """The name that an import of Python's own defines, and for what it stands: `import os.path` defines os."""
    origin, _, alias = name.partition(" as ")
    first = alias or origin.partition(".")[0]
    return first, f"{module}.{origin if alias else first}"


def merged(imports: set[tuple[str, str]]) -> str:
    """The statements for these modules and names, each module once, sorted."""
    named: dict[str, list[str]] = {}
    for module, name in sorted(imports - {("__future__", "annotations")}):
        named.setdefault(module, []).append(name)
    lines = [f"import {name}" for name in named.pop("", [])]
    lines += [f"from {module} import {', '.join(names)}" for module, names in named.items()]
    return "".join(f"{line}\n" for line in lines)


def first_line(docstring: str) -> str:
    """The docstring's first line, as a banner has it."""
    return docstring.strip().partition("\n")[0]


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all scripts are as their sources make them."""
    parser = argparse.ArgumentParser(description="Writes the shipped scripts from src/.")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a script is not as made")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the checkout (default: this one)")
    given = parser.parse_args(argv)
    version = json.loads((given.root / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))["version"]
    sources = given.root / "src"
    entries = [path for path in sorted(sources.glob("*.py")) if path.name != Path(__file__).name]
    stale = []
    try:
        for entry in entries:
            script, text = given.root / "scripts" / entry.name, script_of(sources, entry, version)
            if script.exists() and script.read_text(encoding="utf-8") == text:
                continue
            stale.append(entry.name)
            if not given.check:
                script.write_bytes(text.encode())
    except Refusal as why:
        raise SystemExit(f"build.py: {str(why).replace(f'{given.root}/', '')}") from None
    for name in stale:
        print(f"{name}: {'is not as its source makes it; run `make build`' if given.check else 'written'}")
    return int(bool(stale and given.check))


if __name__ == "__main__":
    raise SystemExit(main())
