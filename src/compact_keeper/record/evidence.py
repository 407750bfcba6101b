"""Lines from the whole session that tell where to go on: places that searches showed, what was made outside.

    uncovered_hits      a search whose name was edited afterwards, but not in every file: a list of what is left to do
    hits_by_name        where the names of the next step stand, as searches showed them
    runner_commands     what a task runner's names stand for
    made_outside_tree   issues, pull requests, comments: id and address

Each gives lines, the best first. Readers gained from these four (docs/decisions.md); definitions, import aliases,
searches without a hit, expected and actual values, offers and sentences of certain forms brought them nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from compact_keeper.record.names import JOINED_FORM, is_plain_word
from compact_keeper.types import Item

UNCOVERED_MAX, HITS_OF_UNCOVERED_MAX = 4, 4  # names, and hits of each
UNCOVERED_FILES_MAX = 12  # a name that stands in more is no list of what is left to do
HITS_BY_NAME_MAX, HITS_OF_A_NAME_MAX, FILES_OF_A_NAME_MAX = 12, 3, 8
RUNNERS_MAX, OUTSIDE_MAX = 3, 5
SAME_KIND_MIN = 3  # things made, that then share a line
TITLED = r"((?:gh|glab|hub|tea|jira)(?: \w{1,20}){1,2}) (“.{1,140}”) → http"
OPENED_REQUESTS = ("gh pr create", "glab mr create")
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
CODE_MAX_CHARACTERS = 110  # of a hit's line
SWEEPING_EDITS_MAX, SWEEPING_SEARCHES_MAX = 100, 60  # the newest
FILES_OF_SWEEP_MIN, CHANGED_ROWS_MAX = 2, 200
SEARCHED_NAMES_MAX = 8  # of one pattern
SEARCHED_NAME = rf"(?<![\w\\])(?:{JOINED_FORM})(?!\w)"
HIT = r"((?:[A-Za-z]:)?[^:]{1,300}?):(?:(\d{1,7}):)? ?(.*)"
TEST_PATH = r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata|fixtures?|mocks?|e2e)(?:[/_.-]|$)"
DOCUMENT_PATH = r"(?i)\.(?:md|mdx|txt|rst|adoc|log|lock|json|jsonl|snap|svg|csv)$|(?:^|/)docs?/"
COMMENTS, NO_COMMENTS = ("//", "#", "/*", "* ", "--", ";;", "<!--", '"""'), ("#[", "#include", "#define", "#if")
DEFINITION = (
    r"(?:(?:export|default|pub(?:\([\w ]{1,20}\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|override|open|sealed|data|inline|virtual|declare|readonly|extern|local) ){0,5}"
    r"(?:func|fn|fun|def|defp|function\*?|class|const|type|interface|struct|enum|trait|protocol|module|namespace|object"
    r"|record|mixin|extension|macro_rules!|message|service|rpc|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|INDEX)"
    r"(?: IF NOT EXISTS)?|let|var|val) (?:\([^)]{1,80}\) )?(?:self\.)?[\"`]?(\w{3,80})")
DEFINING_WORDS = tuple(  # begin every line that DEFINITION fits
    "export default pub public private protected internal static final abstract async unsafe override open sealed data"
    " inline virtual declare readonly extern local func fn fun def class const type interface struct enum trait"
    " protocol module namespace object record mixin extension macro message service rpc CREATE let var val".split())
STANDARD_MODULES = frozenset(  # of which everyone uses everything
    "os io re fs fmt sys json math path time http sync errors strings strconv context filepath bytes sort log console"
    " process window document Object Array Promise String Math JSON std self this super".split())
RUNNER_EVIDENCE = r"(?:\[[^\]]{1,60}\] )?\$ \S"

Hit = tuple[str, str, str]  # path, line, code


def split_hit(hit: str) -> Hit:
    """Path, line and code of a hit; of a bare path the path alone."""
    match = re.match(HIT, hit)
    return (match[1], match[2] or "", match[3].strip()) if match else (hit.strip(), "", "")


def end_of_path(path: str) -> str:
    """A path's file with its folder."""
    return "/".join(path.split("/")[-2:])


def file_name(path: str) -> str:
    """A path's last part."""
    return path.rpartition("/")[2]


def shown_hit(path: str, line: str, code: str) -> str:
    """A hit as it is shown: `folder/file:line `code``."""
    path = end_of_path(path)
    place = f"{path}:{line}" if line else path
    code = " ".join(code.replace("`", "'").split())
    return f"{place} `{code[:CODE_MAX_CHARACTERS]}`" if code else place


def shown_hits(hits: Sequence[Hit]) -> list[str]:
    """Hits as they are shown; those with the same code as one, behind all their places."""
    places: dict[str, list[str]] = {}
    for path, line, code in hits:
        places.setdefault(code, []).append(shown_hit(path, line, ""))
    return [f"{', '.join(of_code)}{shown_hit('', '', code)}" for code, of_code in places.items()]


def has_word(text: str, word: str) -> bool:
    """Whether the text holds the word, not only as a part of another."""
    begin = text.find(word)
    while begin >= 0:
        end = begin + len(word)
        before, after = text[begin - 1:begin], text[end:end + 1]
        if not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_"):
            return True
        begin = text.find(word, end)
    return False


def same_file(path: str, other: str) -> bool:
    """Whether two paths, of which either may be told from another folder, are the same file."""
    path, other = path.removeprefix("./"), other.removeprefix("./")
    return path == other or path.endswith("/" + other) or other.endswith("/" + path)


def is_comment(code: str) -> bool:
    """Whether a line of code is a comment."""
    return code.startswith(COMMENTS) and not code.startswith(NO_COMMENTS)


def is_definition(code: str) -> bool:
    """Whether a line of code defines something."""
    return code.startswith(DEFINING_WORDS) and bool(re.match(DEFINITION, code))


def is_side_line(path: str, code: str) -> bool:
    """Whether a hit stands in a test, a document or a comment: shown where there are no others."""
    return bool(re.search(TEST_PATH, path) or re.search(DOCUMENT_PATH, path) or is_comment(code))


def searches(items: Sequence[Item]) -> list[Item]:
    """The searches with hits, the newest first."""
    return [item for item in reversed(items) if item["kind"] == "look" and item.get("hits")]


def edits(items: Sequence[Item]) -> list[Item]:
    """The edits, in their order."""
    return [item for item in items if item["kind"] == "action" and item.get("edits")]


def searched_names(search: Item) -> list[str]:
    """The names that a search looked for, without the words of its pattern's or its command's own language."""
    text = search["text"]
    if search.get("tool") not in ("Grep", "Glob"):  # a command: what it looks for is quoted, or looks like a name
        quoted = re.findall(r"\"([^\"]{3,200})\"|'([^']{3,200})'", text[:500])
        text = " ".join(double or single for double, single in quoted) or text.partition("|")[0]
    text = re.sub(r"\\[bswdntBSWD]|\.[*+]\??", " ", text[:500])
    names = dict.fromkeys(name for name in re.findall(SEARCHED_NAME, text) if f"{name}/" not in text)
    return [name for name in names if not is_plain_word(name)][:SEARCHED_NAMES_MAX]


def uncovered_hits(items: Sequence[Item]) -> list[str]:
    """Of names that were searched and then changed in some of the files that hit: the hits in the others.

    A sweep shows itself by lines with the name that were taken away in two of these files, or by a definition that was
    changed; edits that only use the name say nothing. Tests, documents, comments only where the definition is gone.
    """
    changes = edits(items)
    sweeps: list[tuple[int, str]] = []  # with the place of the last edit
    seen = set[str]()
    newest = searches(items)[:SWEEPING_SEARCHES_MAX]
    by_word = edits_by_word(changes[-SWEEPING_EDITS_MAX:]) if newest else {}
    for search in newest:
        for name in searched_names(search):
            near = [edit for edit in by_word.get(name, ()) if edit["position"] > search["position"]]
            if not near or name in seen or not (away := swept_lines(near, search, name)):
                continue
            seen.add(name)
            later = [edit for edit in changes
                     if edit["position"] > search["position"] and has_word(edit.get("change", ""), name)]
            hits = open_hits(items, search, name)
            is_gone = any(is_definition_of(row, name) for row in away) and not any(
                has_word(row, name) for edit in later for row in rows_put_in(edit))
            plain = [hit for hit in hits if not is_side_line(hit[0], hit[2])] or (hits if is_gone else [])
            if plain and len({path for path, _, _ in plain}) <= UNCOVERED_FILES_MAX:
                sweeps.append((later[-1]["position"], shown_sweep(name, plain, later)))
    return [text for _, text in sorted(sweeps, reverse=True)[:UNCOVERED_MAX]]


def edits_by_word(changes: Sequence[Item]) -> dict[str, list[Item]]:
    """For each word the edits that took lines with it away, of files that are no tests and no documents."""
    by_word: dict[str, list[Item]] = {}
    for edit in changes:
        if "\n- " in (change := "\n" + edit.get("change", "")) and not is_side_line(edit["path"], ""):
            for word in set(re.findall(r"\w{4,}", "\n".join(re.findall(r"\n- (.*)", change)[:CHANGED_ROWS_MAX]))):
                by_word.setdefault(word, []).append(edit)
    return by_word


def swept_lines(near: Sequence[Item], search: Item, name: str) -> list[str]:
    """The lines with a name that edits of files which a search hit took away; none where these make no sweep."""
    away, files = list[str](), set[str]()
    for edit in near:
        rows = taken_away(edit, name)
        if any(has_word(hit, name) and same_file(edit["path"], split_hit(hit)[0]) for hit in search["hits"]):
            away += rows
            files.add(edit["path"])
    is_sweep = len(files) >= FILES_OF_SWEEP_MIN or any(is_definition_of(row, name) for row in away)
    return away if is_sweep else []


def taken_away(edit: Item, name: str) -> list[str]:
    """The lines with the name that an edit took away or changed."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row[1:].strip() for row in rows if row[:1] == "-" and has_word(row, name)]


def rows_put_in(edit: Item) -> list[str]:
    """The lines that an edit put in."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row.lstrip("+ \t") for row in rows if row[:1] != "-"]


def open_hits(items: Sequence[Item], search: Item, name: str) -> list[Hit]:
    """The hits with a name in files that nothing changed after the search, and no edit ever did with this name."""
    paths, commands = list[str](), list[str]()
    for item in items:
        is_later = item["position"] > search["position"]
        if item["kind"] == "action" and item.get("edits"):
            paths += [item["path"]] if is_later or has_word(item.get("change", ""), name) else []
        elif item["kind"] == "action" and is_later:
            commands.append(item["text"])
    later_commands = "\n".join(commands)
    hits: list[Hit] = []
    for path, line, code in (split_hit(hit) for hit in search["hits"] if has_word(hit, name)):
        is_covered = any(same_file(other, path) for other in paths) or file_name(path) in later_commands
        if code and not is_covered and not is_definition_of(code, name):
            hits.append((path, line, code))
    return hits


def shown_sweep(name: str, hits: list[Hit], later: list[Item]) -> str:
    """What was edited of a name, and what was not."""
    files = [*dict.fromkeys(end_of_path(edit["path"]) for edit in later)]
    left = "; ".join(shown_hits(hits[:HITS_OF_UNCOVERED_MAX]))
    more = f"; {len(hits) - HITS_OF_UNCOVERED_MAX} more" if len(hits) > HITS_OF_UNCOVERED_MAX else ""
    return f"`{name}`: edited in {', '.join(files[:3])}{', …' * (len(files) > 3)}; not in {left}{more}"


def is_definition_of(code: str, name: str) -> bool:
    """Whether a line of code defines the name."""
    match = re.match(DEFINITION, code) if name in code and code.startswith(DEFINING_WORDS) else None
    return bool(match and match[1] == name)


def hits_by_name(items: Sequence[Item], names: Sequence[str], summary: str = "") -> list[str]:
    """The hits with a name of the next step, a file and name once; no tests and documents where there are others, nor
    where the next step names no test.

    Names with few files first, none with many: what stands everywhere points nowhere. Definitions are told apart.
    """
    wanted = members(names)
    with_tests = any(re.search(TEST_PATH, name) for name in names)
    by_name, seen, changes = first_hits(items, wanted), set(summary.split()), edits(items)
    lines = list[str]()
    for _, files in sorted(by_name.items(), key=lambda entry: (len(entry[1]), wanted.index(entry[0]))):
        chosen = [(hit, search) for hit, search in files if not is_side_line(hit[0], hit[2])]
        chosen = chosen or (files if with_tests else [])
        new = [(hit, search) for hit, search in chosen if f"{file_name(hit[0])}:{hit[1]}" not in seen
               and not is_edited_since(changes, hit[0], search["position"])]
        chosen_hits = [hit for hit, _ in new] if len(files) <= FILES_OF_A_NAME_MAX else []
        seen.update(f"{file_name(path)}:{line}" for path, line, _ in chosen_hits[:HITS_OF_A_NAME_MAX])
        lines += shown_hits(chosen_hits[:HITS_OF_A_NAME_MAX])
    return lines[:HITS_BY_NAME_MAX]


def is_edited_since(changes: Sequence[Item], path: str, position: int) -> bool:
    """Whether the file was changed after that place in the session: a line seen before may not stand there any more."""
    return any(edit["position"] > position and same_file(edit["path"], path) for edit in changes)


def members(names: Sequence[str]) -> list[str]:
    """The names without those of paths and files, and of `module.name` the name; none of what everyone uses."""
    wanted = dict[str, None]()
    for name in names:
        before, _, end = name.rpartition(".")
        is_own = "/" not in name and len(name) > 3 and before.partition(".")[0] not in STANDARD_MODULES
        if is_own and not (before and is_plain_word(end)):
            wanted[end] = None
    return [*wanted]


def first_hits(items: Sequence[Item], wanted: Sequence[str]) -> dict[str, list[tuple[Hit, Item]]]:
    """For each name its newest hit in each file, with the search; no comments, no definitions."""
    by_name: dict[str, list[tuple[Hit, Item]]] = {}
    seen = set[tuple[str, str]]()
    for search in searches(items):
        for hit in search["hits"]:
            for name in [name for name in wanted if name in hit]:
                path, line, code = split_hit(hit)
                is_use = line and has_word(code, name) and not is_comment(code) and not is_definition(code)
                if is_use and (path, name) not in seen and (not is_plain_word(name) or f"{name}(" in code):
                    seen.add((path, name))
                    by_name.setdefault(name, []).append(((path, line, code), search))
    return by_name


def evidence_of(item: Item) -> list[str]:
    """The lines that were kept of an item's output or words."""
    lines: Any = item.get("evidence")  # usable_memory looks at the list, not at what is in it
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        if item["kind"] in ("action", "look"):
            for text in evidence_of(item):
                if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                    lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]


def made_outside_tree(items: Sequence[Item]) -> list[str]:
    """Issues, pull requests and comments that were made, the newest first; many of a kind share a line.

    Without pull requests that a command opened: they stand with the repository.
    """
    lines: dict[str, str] = {}
    kinds: dict[str, list[tuple[str, str]]] = {}
    for item in reversed(items):
        if item["kind"] == "action" and item.get("verdict") != "failed":
            made = [item["made"]] if item.get("made") else [text for text in evidence_of(item) if "→ http" in text]
            for text in made:
                address = text.rpartition("→ ")[2]
                titled = re.match(TITLED, text)
                if address in lines or text.startswith(OPENED_REQUESTS):
                    continue
                lines[address] = text
                if titled:
                    kinds.setdefault(titled[1], []).append((titled[2], address))
    for kind, things in kinds.items():
        if len(things) >= SAME_KIND_MIN:
            lines[things[0][1]] = many_made(kind, things)
            for _, address in things[1:]:
                del lines[address]
    return [*lines.values()][:OUTSIDE_MAX]


def many_made(kind: str, things: Sequence[tuple[str, str]]) -> str:
    """Things of a kind with their titles and addresses, on one line; of addresses like the first their end."""
    place = things[0][1].rpartition("/")[0]
    shown = [f"{title} → {address.replace(f'{place}/', '#') if number else address}"
             for number, (title, address) in enumerate(things)]
    return f"{len(things)} times {kind}: {'; '.join(shown)}"


def stands_as_made(item: Item) -> bool:
    """Whether the action made something with a title outside of the tree: its line says all, also of many of a kind."""
    return item.get("verdict") != "failed" and any(re.match(TITLED, text) for text in evidence_of(item))
