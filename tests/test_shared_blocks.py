"""The scripts' shared blocks are equal, and the tool that says so and repairs them can be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

import shared_blocks
from shared_blocks import LINE_LIMIT, faults, main, originals_in, rewritten

REPOSITORY = Path(__file__).resolve().parents[1]


def block(name: str, body: str) -> str:
    """A shared block with its markers."""
    return f"# --- shared: {name} ---\n{body}# --- end of shared: {name} ---\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of three scripts, two of which hold another text of the block `io`."""
    (tmp_path / "scripts").mkdir()
    texts = {
        "a_first.py": "first = 1\n" + block("io", "x = 1\n") + "last = 1\n",
        "b_other.py": block("io", "x = 2\n") + "\n\n" + block("reader", "y = 0\n"),
        "save_snapshot.py": '"""Saves."""\n' + block("io", "x = 3\n\n\nz = 3\n"),
    }
    for name, text in texts.items():
        (tmp_path / "scripts" / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(root: Path, *options: str) -> int:
    """The exit code of the tool on that repository."""
    return main([*options, "--root", str(root)])


def texts_of(root: Path) -> dict[str, str]:
    """Every script's text by its file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in (root / "scripts").iterdir()}


def test_scripts_hold_equal_blocks() -> None:
    assert faults(shared_blocks.read_scripts(REPOSITORY)) == []


def test_check_names_what_differs_and_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = texts_of(root)
    assert run(root) == 1
    complaint = capsys.readouterr().err
    assert "scripts/a_first.py: block 'io' differs from scripts/save_snapshot.py" in complaint
    assert "scripts/b_other.py: block 'io'" in complaint
    assert "reader" not in complaint
    assert texts_of(root) == before


@pytest.mark.parametrize(("options", "body"), [
    ((), "x = 3\n\n\nz = 3\n"),
    (("--from", "scripts/b_other.py"), "x = 2\n"),
])
def test_fix_copies_the_right_script(root: Path, options: tuple[str, ...], body: str) -> None:
    assert run(root, "--fix", *options) == 0
    assert run(root) == 0
    assert texts_of(root) == {
        "a_first.py": "first = 1\n" + block("io", body) + "last = 1\n",
        "b_other.py": block("io", body) + "\n\n" + block("reader", "y = 0\n"),
        "save_snapshot.py": '"""Saves."""\n' + block("io", body),
    }


def test_fix_takes_the_first_script_when_the_default_has_no_such_block(root: Path) -> None:
    (root / "scripts" / "save_snapshot.py").write_text("pass\n", encoding="utf-8")
    assert run(root, "--fix") == 0
    assert block("io", "x = 1\n") in texts_of(root)["b_other.py"]


def test_fix_copies_backslashes_as_they_are() -> None:
    texts = {"a": block("io", r"x = r'\1\g<name>\n'" + "\n"), "b": block("io", "x = 0\n")}
    assert rewritten(texts, originals_in(texts, [])) == {"b": texts["a"]}


@pytest.mark.parametrize(("text", "complaint"), [
    ("# --- shared: io ---\nx = 1\n", "no partner"),
    ("x = 1\n# --- end of shared: io ---\n", "no partner"),
    ("# --- shared: io ---\nx = 1\n# --- end of shared: oi ---\n", "no partner"),
    ("#--- shared: io ---\nx = 1\n#--- end of shared: io ---\n", "misspelt"),
    ("# --- shared: io ---\n" + block("inner", "x = 1\n") + "# --- end of shared: io ---\n", "no partner"),
    (block("io", "x = 1\n") * 2, "2 times"),
])
def test_broken_markers_are_named_and_never_rewritten(
    root: Path, text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "scripts" / "c_broken.py").write_text(text, encoding="utf-8")
    before = texts_of(root)
    assert run(root, "--fix") == 1
    assert complaint in capsys.readouterr().err
    assert texts_of(root) == before


@pytest.mark.parametrize(("lines", "too_long"), [(LINE_LIMIT, False), (LINE_LIMIT + 1, True)])
def test_blocks_have_a_limit(lines: int, too_long: bool) -> None:
    assert bool(faults({"a": block("io", "x = 1\n" * lines)})) is too_long


def test_unknown_source_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "--fix", "--from", "scripts/none.py") == 1
    assert "scripts/none.py is none of the scripts" in capsys.readouterr().err


def test_source_without_fix_is_a_usage_error(root: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(root, "--from", "scripts/b_other.py")
