"""A hit of a search: path, line and code; how it is shown, and whether it defines something or stands aside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.text.paths import WITH_FOLDER, last_parts
from compact_keeper.types import Item

CODE_MAX_CHARACTERS = 110  # of a hit's line
HIT = r"((?:[A-Za-z]:)?[^:]{1,300}?):(?:(\d{1,7}):)? ?(.*)"
TEST_PATH = r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata|fixtures?|mocks?|e2e)(?:[/_.-]|$)"
DOCUMENT_PATH = r"(?i)\.(?:md|mdx|txt|rst|adoc|log|lock|json|jsonl|snap|svg|csv)$|(?:^|/)docs?/"
COMMENTS = ("//", "#", "/*", "* ", "--", ";;", "<!--", '"""')
NO_COMMENTS = ("#[", "#include", "#define", "#if")
DEFINITION = (
    r"(?:(?:export|default|pub(?:\([\w ]{1,20}\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|override|open|sealed|data|inline|virtual|declare|readonly|extern|local) ){0,5}"
    r"(?:func|fn|fun|def|defp|function\*?|class|const|type|interface|struct|enum|trait|protocol|module|namespace|object"
    r"|record|mixin|extension|macro_rules!|message|service|rpc|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|INDEX)"
    r"(?: IF NOT EXISTS)?|let|var|val) (?:\([^)]{1,80}\) )?(?:self\.)?[\"`]?(\w{3,80})")
Hit = tuple[str, str, str]  # path, line, code


def split_hit(hit: str) -> Hit:
    """Path, line and code of a hit; of a bare path the path alone."""
    match = re.match(HIT, hit)
    return (match[1], match[2] or "", match[3].strip()) if match else (hit.strip(), "", "")


def shown_hit(path: str, line: str, code: str) -> str:
    """A hit as it is shown: `folder/file:line `code``."""
    path = last_parts(path, WITH_FOLDER)
    location = f"{path}:{line}" if line else path
    code = " ".join(code.replace("`", "'").split())
    return f"{location} `{code[:CODE_MAX_CHARACTERS]}`" if code else location


def shown_hits(hits: Sequence[Hit]) -> list[str]:
    """Hits as they are shown; those with the same code as one, behind all their locations."""
    locations: dict[str, list[str]] = {}
    for path, line, code in hits:
        locations.setdefault(code, []).append(shown_hit(path, line, ""))
    return [f"{', '.join(of_code)}{shown_hit('', '', code)}" for code, of_code in locations.items()]


def is_comment(code: str) -> bool:
    """Whether a line of code is a comment."""
    return code.startswith(COMMENTS) and not code.startswith(NO_COMMENTS)


def is_definition(code: str) -> bool:
    """Whether a line of code defines something."""
    return re.match(DEFINITION, code) is not None


def is_definition_of(code: str, name: str) -> bool:
    """Whether a line of code defines the name."""
    match = re.match(DEFINITION, code) if name in code else None
    return bool(match and match[1] == name)


def is_side_line(path: str, code: str) -> bool:
    """Whether a hit stands in a test, a document or a comment: shown where there are no others."""
    return bool(re.search(TEST_PATH, path) or re.search(DOCUMENT_PATH, path) or is_comment(code))


def searches(items: Sequence[Item]) -> list[Item]:
    """The searches with hits, the newest first."""
    return [item for item in reversed(items) if item["kind"] == "look" and item.get("hits")]
