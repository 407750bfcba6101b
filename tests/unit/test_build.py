"""src/build.py: the scripts are as their sources make them, and what would make a broken script is refused."""

from __future__ import annotations

import ast
import builtins
import json
import subprocess
import sys
from pathlib import Path

import pytest

import build

ROOT = Path(__file__).resolve().parents[2]
ENTRY = '''"""Does one thing.

More of it.
"""

from __future__ import annotations

import sys
from typing import Any

from compact_keeper.text.words import SHORT, told
from compact_keeper.types import JsonObject


def main(argv: Any = None) -> int:
    """0."""
    found: JsonObject = {"text": told(SHORT)}
    print(found["text"], len(sys.argv))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
'''
WORDS = '''"""Words."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterable, Sequence

from compact_keeper.text.case import upper
from compact_keeper.text.small import lower

SHORT = ("a", "b")
LONG = shlex.quote("a")  # for another script


@functools.cache
def quoted(word: str) -> str:
    """The word, for another script."""
    return LONG + lower(word)


def told(words: Sequence[str]) -> str:
    """The words."""
    return os.pathsep.join(map(upper, words))
'''
CASE = '''"""Letters."""

from collections.abc import Iterable


def upper(text: str, _more: Iterable[str] = ()) -> str:
    """The text in capitals."""
    return text.upper()
'''
SMALL = '''"""Small letters."""


def lower(text: str) -> str:
    """The text in small letters."""
    return text.lower()
'''


def tree(folder: Path) -> Path:
    """A checkout with an entry and two modules."""
    texts = {"src/speak.py": ENTRY, "src/compact_keeper/text/words.py": WORDS, "src/compact_keeper/text/case.py": CASE,
             "src/compact_keeper/text/small.py": SMALL, "src/compact_keeper/types.py": "JsonObject = dict[str, str]\n",
             ".claude-plugin/plugin.json": '{"version": "7.8.9"}', "scripts/.keep": ""}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_the_scripts_are_as_their_sources_make_them() -> None:
    assert build.main(["--check"]) == 0


def test_a_script_runs_alone(tmp_path: Path) -> None:
    folder = tree(tmp_path)
    assert build.main(["--root", str(folder)]) == 0
    alone = tmp_path / "alone" / "speak.py"
    alone.parent.mkdir()
    alone.write_bytes((folder / "scripts" / "speak.py").read_bytes())
    done = subprocess.run([sys.executable, "-IS", str(alone)], capture_output=True, text=True, check=True)
    assert done.stdout == "A:B 1\n"


def test_a_script_holds_each_part_once_in_the_order_of_use(tmp_path: Path) -> None:
    folder = tree(tmp_path)
    build.main(["--root", str(folder)])
    text = (folder / "scripts" / "speak.py").read_text(encoding="utf-8")
    assert text.startswith('#!/usr/bin/env python3\n"""Does one thing.\n\nMore of it.\n')
    assert "Version 7.8.9, made by `make build` from src/speak.py" in text
    assert '\nVERSION = "7.8.9"' in text
    assert text.count("from collections.abc import Iterable, Sequence\n") == 1
    assert "compact_keeper" not in text
    assert "typing" not in text
    places = [text.index(f"# {title}") for title in ("text/case.py: Letters.", "text/words.py: Words.", "the script: ")]
    assert places == sorted(places)


def test_a_script_holds_only_what_its_main_line_reaches(tmp_path: Path) -> None:
    folder = tree(tmp_path)
    build.main(["--root", str(folder)])
    text = (folder / "scripts" / "speak.py").read_text(encoding="utf-8")
    for gone in ("LONG", "quoted", "another script", "functools", "shlex", "lower", "Small letters"):
        assert gone not in text
    words = folder / "src" / "compact_keeper" / "text" / "words.py"
    words.write_text(WORDS.replace("map(upper, words)", "map(quoted, words)"), encoding="utf-8")
    build.main(["--root", str(folder)])
    text = (folder / "scripts" / "speak.py").read_text(encoding="utf-8")
    for there in ("import functools", "# for another", "@functools.cache\ndef quoted", "def lower", "Small letters"):
        assert there in text
    assert "def upper" not in text


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("*.py")), ids=lambda path: path.name)
def test_a_script_has_every_name_that_it_uses(script: Path) -> None:
    """But for those of types.py and typing, which stand in annotations alone."""
    parsed = ast.parse(script.read_text(encoding="utf-8"))
    noted = {id(inner) for node in ast.walk(parsed) for note in build.annotations_of(node) for inner in ast.walk(note)}
    names = [node for node in ast.walk(parsed) if isinstance(node, ast.Name) and id(node) not in noted]
    there = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | {*dir(builtins), "__file__"}
    for node in ast.walk(parsed):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            there.add(node.name)
        elif isinstance(node, ast.arg):
            there.add(node.arg)
        elif isinstance(node, ast.ExceptHandler):
            there.add(node.name or "")
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            there.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    assert {node.id for node in names} - there == set()


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tree(tmp_path)
    assert build.main(["--check", "--root", str(folder)]) == 1
    assert "speak.py: is not as its source makes it" in capsys.readouterr().out
    assert not (folder / "scripts" / "speak.py").exists()
    build.main(["--root", str(folder)])
    assert build.main(["--check", "--root", str(folder)]) == 0


REFUSED = {
    "another name": ("speak.py", "import SHORT, told", "import SHORT as told", "as they are"),
    "the module": ("speak.py", "import sys", "import sys\nimport compact_keeper.text.words", "as they are"),
    "a relative import": ("text/words.py", "from compact_keeper.text.case", "from .case", "room.module"),
    "everything": ("text/words.py", "case import upper", "case import *", "room.module"),
    "an import below the top": (
        "speak.py", "    return 0", "    from compact_keeper.text.case import upper\n    return 0", "at the top"),
    "a circle": ("text/case.py", '"""Letters."""', '"""Letters."""\nfrom compact_keeper.text.words import told',
                 "imports this"),
    "a module that is not there": ("text/words.py", "text.case", "text.gone", "there is no compact_keeper.text.gone"),
    "a name that its module does not define": (
        "speak.py", "import SHORT, told", "import SHORT, gone, told", "text.words does not define gone"),
    "a name that its module only imports": (
        "speak.py", "import SHORT, told", "import SHORT, told, upper", "text.words does not define upper"),
    "a name twice": ("text/words.py", "def told", "upper = 1\n\n\ndef told", "upper is defined in"),
    "a name of Python's own that another module defines": (
        "speak.py", "import sys\n", "import sys\nfrom shutil import copy as upper\n", "upper is defined in"),
    "a name of Python's own that is another one elsewhere": (
        "speak.py", "import sys\n", "import sys\nfrom shutil import copy as os\n", "os is defined in"),
    "a type at run time": (
        "speak.py", "found: JsonObject = {", "found = JsonObject() or {", "JsonObject is for annotations alone"),
    "typing at run time": ("speak.py", "argv: Any = None", "argv: Any = Any", "Any is for annotations alone"),
    "a main line in a room": ("text/case.py", "def upper", 'if __name__ == "__main__":\n    pass\n\n\ndef upper',
                              "only an entry"),
    "work at module level": ("text/case.py", "def upper", "print(1)\n\n\ndef upper", "work at module level"),
    "a loop at module level": ("text/case.py", "def upper", "for number in (1,):\n    pass\n\n\ndef upper",
                               "work at module level"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_script_is_refused_with_its_place(tmp_path: Path, case: str) -> None:
    name, old, new, why = REFUSED[case]
    folder = tree(tmp_path)
    [path] = [path for path in (folder / "src").rglob("*.py") if str(path).endswith(name)]
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SystemExit) as refusal:
        build.main(["--root", str(folder)])
    assert why in str(refusal.value)
    assert f"{name.rpartition('/')[2]}:" in str(refusal.value)
    assert str(folder) not in str(refusal.value)
    assert not (folder / "scripts" / "speak.py").exists()


def test_git_knows_which_scripts_are_made_and_tells_how_much_a_pull_changes_in_them() -> None:
    """With `-diff` a pull said "Bin" of the code that hooks run."""
    lines = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert [line.split()[1:] for line in lines if line.startswith("scripts/")] == [["linguist-generated=true"]]
    made = {path.name for path in (ROOT / "src").glob("*.py") if path.name != "build.py"}
    assert {path.name for path in (ROOT / "scripts").glob("*.py")} == made


def test_a_script_says_its_version() -> None:
    version = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))["version"]
    for entry in (ROOT / "src").glob("*.py"):
        if entry.name != "build.py":
            assert f'VERSION = "{version}"' in (ROOT / "scripts" / entry.name).read_text(encoding="utf-8")
