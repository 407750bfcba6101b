"""What careful readers chose and a journal of the newest leaves out: lines from items, each chosen by a form.

    uncovered_hits, no_matches   a search whose name was edited afterwards, but not in every file; one that hit nothing
    hits_by_name, definitions    where the names of the next step stand, as searches showed them
    import_aliases               names that files which were edited give to others
    runner_commands              what a task runner's names stand for
    made_outside_tree            issues, pull requests, comments: id and address
    offers                       what the agent offered, and the words that came next
    agent_lines                  what the agent said in a form that tells: X → Y, tables, doubts, corrections
    expected_and_actual_lines    what failing tests expected, and what came
    left_running                 commands put into the background by a shell
    evidence_by_name             lines of results with a name of the next step

Each gives lines `{"text", "position", "rule", "names"}`, the best first. `names` is what names_of found in the text of
the next step; lines that the summary holds are left out by the caller, with in_summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.evidence_lines import import_aliases_in, said_lines, sentences_of
from compact_keeper.record.names import JOINED_FORM, is_plain_word, names_of
from compact_keeper.types import Record

UNCOVERED_MAX, HITS_OF_UNCOVERED_MAX = 4, 4  # names, and hits of each
UNCOVERED_FILES_MAX = 12  # a name that stands in more is no list of what is left to do
SAID_LATE_SHARE = 0.5  # of the session: what the agent said before was mended or withdrawn since
LATE_SHARE = 0.2  # of the session: what hit nothing earlier was sought in another way since
NO_MATCHES_MAX, HITS_BY_NAME_MAX, HITS_OF_A_NAME_MAX, DEFINITIONS_MAX = 3, 12, 3, 8
FILES_OF_A_NAME_MAX, DEFINITIONS_OF_EDITS_MAX, DEFINITIONS_BY_TEXT_MAX = 8, 3, 3
ALIASES_OF_SESSION_MAX, RUNNERS_MAX, OUTSIDE_MAX, OFFERS_MAX, EXPECTED_MAX, RUNNING_MAX = 5, 3, 5, 3, 3, 5
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
SAID_BY_FORM_MAX = {  # the best first; doubts and corrections are mostly settled in the next words, and mislead
    "nothing": 3, "arrow": 2, "row": 2, "rate": 2}
FILE_ENDING = r"\.\w{1,5}$"
ABOUT_ONESELF = r"(?i)\b(?:let me|let's|I'll|I need to|I should|now I|I can see)\b"  # a plan for the next call
TOLD_BY_RUNS = ("test", "types", "lint", "format", "build", "git")
BY_NAME_MAX = 10
OFFER_MAX_CHARACTERS, BEFORE_OFFER_MAX_CHARACTERS, REPLY_MAX_CHARACTERS = 200, 130, 100
SHORT_OFFER_MAX_CHARACTERS = 90  # that says too little without the sentence before it
REPLIES_LOOKED_AT_MAX, NEAR_OFFERS = 24, 3  # the newest; of these those that count even where an offer names nothing
OPTION_MAX_CHARACTERS, REPLIES_MAX = 90, 3
OFFER_LOOKED_AT_MAX_CHARACTERS, TYPED_LOOKED_AT_MAX_CHARACTERS = 2_500, 20_000
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
VALUE_WORDS = ("let ", "var ", "val ", "const ")  # begin a definition only where nothing stands before: else a local
MERGE_LINE = r"[0-9a-f]{7,40} (?:\([^)]{1,200}\) )?Merge "
EXPECTED_EVIDENCE = r"(?i): (?:expected .{1,160}, got |.{0,200}\b(?:want(?:ed)?|got|expected|assert\w{0,20}|instead)\b)"
MAY_IMPORT = (
    r"(?m)^[+ \t]{0,20}(?:(?:import|from|use|pub use|export) [^\n]{0,300} as |(?:import )?[a-z_]\w{1,30} \"[\w.-]+/)")
ALIAS_EVIDENCE = r"\w{1,60} is \S{1,200}$"
RUNNER_EVIDENCE = r"(?:\[[^\]]{1,60}\] )?\$ \S"
QUESTION_TEXT = r"[^?\n]{12,400}\?[)*_\"”]{0,3}$"
OFFER_WORDS = (
    r"(?i)\b(?:would you like|want me to|should (?:i|we)|shall (?:i|we)|do you want|which (?:one|option|approach|of)"
    r"|let me know (?:if|which|what|how)|i(?:'d| would) (?:suggest|recommend|go with|propose)|i can (?:also )?"
    r"|your (?:preference|call|choice)|or (?:should|would|do))\b")
CLOSING_WORDS = (
    r"(?i)\b(?:anything else|what else|something else|would you like to (?:clarify|discuss|know|see|focus))\b")
OFFERED_OPTION = r"(?:[-*] )?\*{0,2}(?:Option )?([A-H]|\d)[).:]\*{0,2} (.{3,300})"
CONSENT = frozenset(  # words that begin a reply which takes an offer up
    "y yes yep yeah yup sure ok okay please go perfect great agreed agree correct oui ja si sí да はい 好 是".split())
CONSENT_OF_TWO = frozenset((
    "do it", "do that", "do so", "do both", "do all", "sounds good", "let's do", "let's go", "let's try", "lets do",
    "lets go", "lets try"))
INTERJECTIONS = frozenset("oh ah hm hmm whoops nice cool thanks thank right great perfect".split())
CHOICE = r"(?i)[\"'(]{0,2}(?:option |#)?(?:[A-H]|\d{1,2})(?:[).,:\"']|\s*$)"
BACKGROUND = r"(?<![&|>])&\s{0,9}(?:$|\n|(?=(?:sleep|echo|disown|wait|[A-Z_]{1,30}=\$!|\w{1,20}=\$!)\b))"
REDIRECTION = r"^#.*? (?=\w+ \S*/)|\s?(?:\d?>>?|<)\s?(?:&\d|\S+)"
KILLED = r"\b(?:p?kill|killall|lsof -ti)\b"

Hit = tuple[str, str, str]  # path, line, code
Offer = tuple[str, str, list[str]]  # the sentence, that before it, the options


def candidate(text: str, item: Record, rule: str, names: Iterable[str]) -> Record:
    """A candidate line."""
    return {"text": text, "position": item["position"], "rule": rule, "names": [*names]}


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


def searches(items: Sequence[Record]) -> list[Record]:
    """The searches with hits, the newest first."""
    return [item for item in reversed(items) if item["kind"] == "look" and item.get("hits")]


def edits(items: Sequence[Record]) -> list[Record]:
    """The edits, in their order."""
    return [item for item in items if item["kind"] == "action" and item.get("edits")]


def searched_names(search: Record) -> list[str]:
    """The names that a search looked for, without the words of its pattern's or its command's own language."""
    text = search["text"]
    if search.get("tool") not in ("Grep", "Glob"):  # a command: what it looks for is quoted, or looks like a name
        quoted = re.findall(r"\"([^\"]{3,200})\"|'([^']{3,200})'", text[:500])
        text = " ".join(double or single for double, single in quoted) or text.partition("|")[0]
    text = re.sub(r"\\[bswdntBSWD]|\.[*+]\??", " ", text[:500])
    names = dict.fromkeys(name for name in re.findall(SEARCHED_NAME, text) if f"{name}/" not in text)
    return [name for name in names if not is_plain_word(name)][:SEARCHED_NAMES_MAX]


def uncovered_hits(items: Sequence[Record]) -> list[Record]:
    """Of names that were searched and then changed in some of the files that hit: the hits in the others.

    A sweep shows itself by lines with the name that were taken away in two of these files, or by a definition that was
    changed; edits that only use the name say nothing. Tests, documents, comments only where the definition is gone.
    """
    changes = edits(items)
    lines: list[Record] = []
    seen = set[str]()
    by_word = edits_by_word(changes[-SWEEPING_EDITS_MAX:])
    for search in searches(items)[:SWEEPING_SEARCHES_MAX]:
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
                lines.append(candidate(shown_sweep(name, plain, later), later[-1], "searches", [name]))
    return sorted(lines, key=lambda line: -line["position"])[:UNCOVERED_MAX]


def edits_by_word(changes: Sequence[Record]) -> dict[str, list[Record]]:
    """For each word the edits that took lines with it away, of files that are no tests and no documents."""
    by_word: dict[str, list[Record]] = {}
    for edit in changes:
        if "\n- " in (change := "\n" + edit.get("change", "")) and not is_side_line(edit["path"], ""):
            for word in set(re.findall(r"\w{4,}", "\n".join(re.findall(r"\n- (.*)", change)[:CHANGED_ROWS_MAX]))):
                by_word.setdefault(word, []).append(edit)
    return by_word


def swept_lines(near: Sequence[Record], search: Record, name: str) -> list[str]:
    """The lines with a name that edits of files which a search hit took away; none where these make no sweep."""
    away, files = list[str](), set[str]()
    for edit in near:
        rows = taken_away(edit, name)
        if any(has_word(hit, name) and same_file(edit["path"], split_hit(hit)[0]) for hit in search["hits"]):
            away += rows
            files.add(edit["path"])
    is_sweep = len(files) >= FILES_OF_SWEEP_MIN or any(is_definition_of(row, name) for row in away)
    return away if is_sweep else []


def taken_away(edit: Record, name: str) -> list[str]:
    """The lines with the name that an edit took away or changed."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row[1:].strip() for row in rows if row[:1] == "-" and has_word(row, name)]


def rows_put_in(edit: Record) -> list[str]:
    """The lines that an edit put in."""
    rows = edit.get("change", "").splitlines()[:CHANGED_ROWS_MAX]
    return [row.lstrip("+ \t") for row in rows if row[:1] != "-"]


def open_hits(items: Sequence[Record], search: Record, name: str) -> list[Hit]:
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


def shown_sweep(name: str, hits: list[Hit], later: list[Record]) -> str:
    """What was edited of a name, and what was not."""
    files = [*dict.fromkeys(end_of_path(edit["path"]) for edit in later)]
    left = "; ".join(shown_hit(*hit) for hit in hits[:HITS_OF_UNCOVERED_MAX])
    more = f"; {len(hits) - HITS_OF_UNCOVERED_MAX} more" if len(hits) > HITS_OF_UNCOVERED_MAX else ""
    return f"`{name}`: edited in {', '.join(files[:3])}{', …' * (len(files) > 3)}; not in {left}{more}"


def is_definition_of(code: str, name: str) -> bool:
    """Whether a line of code defines the name."""
    match = re.match(DEFINITION, code) if name in code and code.startswith(DEFINING_WORDS) else None
    return bool(match and match[1] == name)


def no_matches(items: Sequence[Record]) -> list[Record]:
    """The searches near the end that hit nothing, unless a later one of the same name did."""
    lines: list[Record] = []
    hit_later = set[str]()
    first = items[-1]["position"] * (1 - LATE_SHARE) if items else 0
    for item in reversed(items):
        if item["position"] < first:
            break
        if item["kind"] != "look" or item.get("tool") not in ("Grep", "Glob"):
            continue
        names = searched_names(item)
        if item.get("hits"):
            hit_later.update(names)
        elif re.match(r"No (?:matches|files)", item.get("result", "")) and not hit_later & set(names):
            where = f" in {item['path']}" if item.get("path") else ""
            lines.append(candidate(f"No matches for `{item['text'][:100]}`{where}", item, "no matches", names))
        if len(lines) >= NO_MATCHES_MAX:
            break
    return lines


def hits_by_name(items: Sequence[Record], names: Sequence[str], summary: str = "") -> list[Record]:
    """The hits with a name of the next step, a file and name once; no tests and documents where there are others, nor
    where the next step names no test.

    Names with few files first, none with many: what stands everywhere points nowhere. Definitions are told apart.
    """
    wanted = members(names)
    with_tests = any(re.search(TEST_PATH, name) for name in names)
    by_name, seen, changes = first_hits(items, wanted), set(summary.split()), edits(items)
    lines: list[Record] = []
    for name, files in sorted(by_name.items(), key=lambda entry: (len(entry[1]), wanted.index(entry[0]))):
        chosen = [(hit, search) for hit, search in files if not is_side_line(hit[0], hit[2])]
        chosen = chosen or (files if with_tests else [])
        new = [(hit, search) for hit, search in chosen if f"{file_name(hit[0])}:{hit[1]}" not in seen
               and not is_edited_since(changes, hit[0], search["position"])]
        for hit, search in new[:HITS_OF_A_NAME_MAX] if len(files) <= FILES_OF_A_NAME_MAX else ():
            seen.add(f"{file_name(hit[0])}:{hit[1]}")
            lines.append(candidate(shown_hit(*hit), search, "hits", [name]))
    return lines[:HITS_BY_NAME_MAX]


def is_edited_since(changes: Sequence[Record], path: str, position: int) -> bool:
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


def first_hits(items: Sequence[Record], wanted: Sequence[str]) -> dict[str, list[tuple[Hit, Record]]]:
    """For each name its newest hit in each file, with the search; no comments, no definitions."""
    by_name: dict[str, list[tuple[Hit, Record]]] = {}
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


def definitions(items: Sequence[Record], names: Sequence[str], typed: str) -> list[Record]:
    """Definitions that searches showed, as `path:line name`: of `names` first, then of names that were edited.

    Last a few that only occur in `typed`, the words of the person.
    """
    wanted = set(members(names))
    words = set(re.findall(r"\w+", typed[-TYPED_LOOKED_AT_MAX_CHARACTERS:]))
    changes = edits(items)
    changed = "\n".join(edit.get("change", "") for edit in changes)
    lines: tuple[list[Record], list[Record], list[Record]] = ([], [], [])
    seen = set[str]()
    for search in searches(items):
        for hit in search["hits"]:
            path, line, code = split_hit(hit) if hit.partition(": ")[2].startswith(DEFINING_WORDS) else ("", "", "")
            match = re.match(DEFINITION, code) if line else None
            if not match or match[1] in seen or is_side_line(path, code) or is_local(code):
                continue
            name = match[1]
            is_stale = is_edited_since(changes, path, search["position"])
            if not is_stale and (name in wanted or (name in words and not is_plain_word(name))):
                seen.add(name)
                rank = 0 if name in wanted else 1 if has_word(changed, name) else 2
                lines[rank].append(candidate(f"{path}:{line} {name}", search, "definitions", [name]))
    return [*lines[0], *lines[1][:DEFINITIONS_OF_EDITS_MAX], *lines[2][:DEFINITIONS_BY_TEXT_MAX]][:DEFINITIONS_MAX]


def is_local(code: str) -> bool:
    """Whether a line that names a value names no function and no constant of a file."""
    kept = r"(?:const|val) [A-Z][A-Z\d_]{2,60}\b|.{0,200}(?:=>|\bfunction\b)"
    return code.startswith(VALUE_WORDS) and not re.match(kept, code)


def import_aliases(items: Sequence[Record]) -> list[Record]:
    """Names that an edited file gives to what it imports and that its edits use, the newest edit first.

    From the edits themselves, and from what was kept (import_aliases_in) when the file was read.
    """
    lines: dict[str, Record] = {}
    read: dict[str, list[str]] = {}
    for item in items:
        if item["kind"] == "look" and item.get("path") and evidence_of(item):
            read[file_name(item["path"])] = [text for text in evidence_of(item) if re.match(ALIAS_EVIDENCE, text)]
    for edit in reversed(edits(items)):
        kept = read.get(file_name(edit["path"]), [])
        change = edit.get("change", "")
        may_import = " as " in change or ('"' in change and "/" in change)
        if not kept and not (may_import and re.search(MAY_IMPORT, change)):
            continue
        added = "\n".join(rows_put_in(edit))
        for text in [*import_aliases_in(added), *kept]:
            alias = text.partition(" is ")[0]
            if re.search(rf"\b{re.escape(alias)}(?:\.|::)\w", added):
                lines.setdefault(alias, candidate(f"{edit['path']}: {text}", edit, "aliases", [alias]))
    return [*lines.values()][:ALIASES_OF_SESSION_MAX]


def evidence_of(item: Record) -> list[str]:
    """The lines that were kept of an item's output or words."""
    lines = item.get("evidence")
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def runner_commands(items: Sequence[Record]) -> list[Record]:
    """What a task runner's names stand for, the newest first."""
    lines: dict[str, Record] = {}
    for item in reversed(items):
        if item["kind"] in ("action", "look"):
            for text in evidence_of(item):
                if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                    lines.setdefault(text.partition(" $ ")[0], candidate(text, item, "runners", names_of(text)))
    return [*lines.values()][:RUNNERS_MAX]


def made_outside_tree(items: Sequence[Record]) -> list[Record]:
    """Issues, pull requests and comments that were made, the newest first."""
    lines: dict[str, Record] = {}
    for item in reversed(items):
        if item["kind"] == "action":
            made = [item["made"]] if item.get("made") else [text for text in evidence_of(item) if "→ http" in text]
            for text in made:
                lines.setdefault(text.rpartition("→ ")[2], candidate(text, item, "made", names_of(text)))
    return [*lines.values()][:OUTSIDE_MAX]


def offers(items: Sequence[Record]) -> list[Record]:
    """What the agent offered or asked before words that were typed, with those, where they do not plainly take it up.

    Taken up is only what is answered with yes, ok, a number or a letter; of all others both stand side by side,
    without a verdict. An offer made again is one line with all answers; one that was taken up at last is none.
    """
    said = ""
    replies: list[tuple[str, Record]] = []
    for item in items:
        if item["kind"] == "said":
            said = item["text"]
        elif item["kind"] == "message":
            replies.append((said or item.get("answers", ""), item))
            said = ""
    changes = edits(items)
    closed: list[set[str]] = []
    lines: list[Record] = []
    for age, (words, message) in enumerate(reversed(replies[-REPLIES_LOOKED_AT_MAX:])):
        if not (offer := offer_in(words[-OFFER_LOOKED_AT_MAX_CHARACTERS:])):
            continue
        names = {name for name in names_of(" ".join(offer[:2])) if not is_plain_word(name)}
        same = next((line for line in lines if is_same_offer(line, names, shown_offer(offer))), None)
        if is_taken(offer, message) or was_done(names, message, changes):
            closed.append(names)
        elif same and same["text"].count("“") <= REPLIES_MAX:
            same["text"] += f"; to the same earlier: {shown_reply(message)}"
        elif not same and not any(names and names <= done for done in closed):
            is_near = names or offer[2] or age < NEAR_OFFERS
            lines += [] if not is_near or len(lines) >= OFFERS_MAX else [
                candidate(f"offered then: {shown_offer(offer)} — the user typed next: {shown_reply(message)}",
                          message, "offers", names)]
    return lines


def is_same_offer(line: Record, names: set[str], text: str) -> bool:
    """Whether an offer is that of a line: the same words, or most of its names."""
    return line["text"].startswith(text) or len(names & set(line["names"])) > len(names) / 2


def was_done(names: set[str], message: Record, changes: list[Record]) -> bool:
    """Whether edits after a reply hold a name of the offer: it was taken up after all."""
    later = [edit.get("change", "") for edit in changes if edit["position"] > message["position"]]
    return any(has_word(change, name) for change in later for name in names)


def shown_reply(message: Record) -> str:
    """The begin of a reply, quoted."""
    reply = " ".join(message["text"][:4 * REPLY_MAX_CHARACTERS].split())
    return f"“{reply[:REPLY_MAX_CHARACTERS].rstrip()}{'…' * (len(reply) > REPLY_MAX_CHARACTERS)}”"


def is_taken(offer: Offer, message: Record) -> bool:
    """Whether a reply plainly takes an offer up: of several options it must name one."""
    reply = message["text"].strip()[:200]
    names_option = re.match(CHOICE, reply) or re.search(r"(?:^|\s)(?:[A-H]\)|(?i:option) [A-H\d]\b)", reply)
    is_taken_up = bool(names_option) or (not offer[2] and begins_with_consent(reply))
    return is_taken_up and not message.get("refused")


def begins_with_consent(reply: str) -> bool:
    """Whether the first words of a reply say yes."""
    words = re.findall(r"[\w']+", reply.lower())[:4]
    if len(words) > 1 and words[0] in INTERJECTIONS and words[0] not in CONSENT:
        words = words[1:]
    return bool(words) and (words[0] in CONSENT or " ".join(words[:2]) in CONSENT_OF_TWO)


def offer_in(words: str) -> Offer | None:
    """The offer or question in the agent's last words: it, the sentence before it, options with letter or number."""
    sentences = sentences_of(words)
    first = max(len(sentences) - 5, 0)
    for place in range(len(sentences) - 1, first - 1, -1):
        sentence = sentences[place]
        is_last_question = place == len(sentences) - 1 and re.search(QUESTION_TEXT, sentence)
        if re.search(CLOSING_WORDS, sentence):
            continue
        if is_last_question or re.search(OFFER_WORDS, sentence):
            options = [f"{match[1]}) {match[2]}" for part in sentences[-14:]
                       if (match := re.match(OFFERED_OPTION, part)) and "✅" not in part]
            if sentence.endswith(":") and not options:
                sentence = " ".join(sentences[place:place + 4])
            before = sentences[place - 1] if place and not re.match(OFFERED_OPTION, sentences[place - 1]) else ""
            return sentence, before, options if len(options) > 1 else []
    return None


def shown_offer(offer: Offer) -> str:
    """An offer as it is shown: with the sentence before it where it is short, and with the options."""
    sentence, before, options = offer
    choice = f" [{' / '.join(option[:OPTION_MAX_CHARACTERS] for option in options[:5])}]" if options else ""
    if len(before) > BEFORE_OFFER_MAX_CHARACTERS:
        before = f"…{before[-BEFORE_OFFER_MAX_CHARACTERS:].partition(' ')[2]}"
    lead = f"{before} " if before and len(sentence) < SHORT_OFFER_MAX_CHARACTERS and not options else ""
    return f"{lead}{sentence[:OFFER_MAX_CHARACTERS]}{choice}"


def agent_lines(items: Sequence[Record], summary: str) -> list[Record]:
    """What the agent said in a form that tells, about a name that the summary holds: of each form the newest few."""
    by_form: dict[str, list[Record]] = {}
    seen = set[str]()
    first = items[-1]["position"] * (1 - SAID_LATE_SHARE) if items else 0
    for item in reversed(items):
        if item["position"] < first:
            break
        texts = said_lines(item["text"]) if item["kind"] == "said" and "evidence" not in item else evidence_of(item)
        for line in reversed(texts) if item["kind"] == "said" else ():
            form, _, text = line.partition(": ")
            lines = by_form.setdefault(form, [])
            if len(lines) >= SAID_BY_FORM_MAX.get(form, 0) or re.search(ABOUT_ONESELF, text) or any(
                    text in other or other in text for other in seen):
                continue
            subject = text.split("|")[1] if form == "row" else text
            names = [name for name in names_of(subject) if not is_plain_word(name)]
            if any(name in summary for name in names if form != "row" or not re.search(FILE_ENDING, name)):
                seen.add(text)
                lines.append(candidate(text, item, f"agent {form}", names))
    return [line for form in SAID_BY_FORM_MAX for line in by_form.get(form, [])]


def expected_and_actual_lines(items: Sequence[Record]) -> list[Record]:
    """What failing tests expected and what came, a test once, the newest first; none from before a run that passed."""
    lines: dict[str, Record] = {}
    for item in reversed(items):
        if item["kind"] != "action" or item.get("family") != "test":
            continue
        if item.get("verdict") == "passed":
            break
        for text in evidence_of(item):
            if re.search(EXPECTED_EVIDENCE, text):
                lines.setdefault(text.partition(": ")[0], candidate(text, item, "expected", names_of(text)))
    return [*lines.values()][:EXPECTED_MAX]


def left_running(items: Sequence[Record]) -> list[Record]:
    """Commands that a shell put into the background and that no later command seems to end, the newest first."""
    killing = ""
    lines: dict[str, Record] = {}
    for item in reversed(items):
        if item["kind"] != "action" or item.get("tool") not in SHELL_TOOLS:
            continue
        for part in re.split(BACKGROUND, item["text"])[:-1] if "&" in item["text"] else ():
            program = re.sub(REDIRECTION, "", re.split(r"&&|;|\|\||\n", part)[-1]).strip()
            words = [word for word in re.findall(r"[\w@./-]{4,}", program) if not word.startswith("-")]
            if words and not any(word.strip("./").rpartition("/")[2] in killing for word in words):
                text = f"put into the background by a shell: `{program[:160]} &`"
                lines.setdefault(" ".join(words), candidate(text, item, "running", words[:3]))
        killing += f"\n{item['text']}" if re.search(KILLED, item["text"]) else ""
    return [*lines.values()][:RUNNING_MAX]


def evidence_by_name(items: Sequence[Record], names: Sequence[str], summary: str) -> list[Record]:
    """Lines of results that hold a name of the next step and do not stand in the summary; the rarest name first.

    Not those of checks and of commits: how these ended is told elsewhere, and all but their last run is history.
    """
    counts = Counter[str]()
    lines: list[Record] = []
    seen = set[str]()
    wanted = [name for name in names if not is_plain_word(name)]
    for item in reversed(items):
        if item["kind"] not in ("action", "look") or item.get("family") in TOLD_BY_RUNS:
            continue
        texts = evidence_of(item) + ([item["result"]] if item["kind"] == "action" and item.get("result") else [])
        for text in texts:
            inner = [name for name in wanted if name in text and has_word(text, name)]
            is_data = "→ http" in text or re.match(f"{RUNNER_EVIDENCE}|{ALIAS_EVIDENCE}|{MERGE_LINE}|[{{\\[<]", text)
            if inner and not is_data and text not in seen and text not in summary:
                seen.add(text)
                counts.update(inner)
                lines.append(candidate(text, item, "by name", inner))
    lines.sort(key=lambda line: (min(counts[name] for name in line["names"]), -line["position"]))
    return lines[:BY_NAME_MAX]
