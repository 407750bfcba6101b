"""Which files no check looks at: documentation, locks, output."""

from __future__ import annotations

# Of the paths that a command checks, as seen from its folder, it does not: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors", ".gitignore")  # how they begin


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    is_text = name.endswith(UNCHECKED_ENDINGS) and not any(map(name.__contains__, ("requirements", "cmakelists")))
    return (is_text or name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES)
            or any(folder.startswith(".") or folder in UNCHECKED_FOLDERS for folder in folders))
