"""A command line in the shell's language: its commands, their words, the program that each starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.record.commands.programs import BEFORE_PROGRAM, WITHOUT_EFFECT
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import MIDDLE_GONE, is_cut_text
from compact_keeper.text.paths import is_whole_path, with_slashes

COMMAND_MAX_CHARACTERS = 20_000  # looked at; what is longer holds a file's text
COMMANDS_KEPT = 1_024  # taken apart, as several ask for each; what they get is not to be changed
PIECES_MAX = 200  # of a line the first commands
HERE_DOCUMENTS_MAX = 20
HERE_DOCUMENT = r"<<-?\s{0,9}(?P<quote>[\"']?)(?P<word>\w{1,40})(?P=quote)"
END_OF_DOCUMENT = r"(?m)\n[ \t]*%s(?=[ \t]*(?:$|[)\"'`;|&]))"
USUAL_END = r"[A-Z][A-Z0-9_]{1,39}"  # of a document, as people write it: `1 << n` has none
QUOTED_TEXT = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
SHELL_SIGNS = (
    rf"\\.|{QUOTED_TEXT}|\$\([^()\n]{{0,300}}\)"  # one whole, however many signs it holds
    r"|(?P<sign>&&|\|\||\|&?|;|\n|(?<![&>])(?<!= )&(?![&>]))")
SHELL_WORD = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s])+?(?=\s|$)"
SHELL_KEYWORDS = ("do", "then", "else", "if", "while", "until", "!", "{", "time", "for")
ASSIGNED = r"[A-Za-z_]\w{0,60}=(?:\"[^\"]{0,500}\"|'[^']{0,500}'|[^\s\"']{0,500})"
ASSIGNED_IN_POWERSHELL = r"\$\w{1,60}\s{0,3}=\s{0,3}(?:& ?)?(?=[A-Za-z.])"  # what a program printed
ASSIGNED_IN_QUOTES = r"\"[A-Za-z_]\w{0,60}=[^\"]{0,500}\"(?=\s)"  # as `env "PATH=$HOME/bin:$PATH" serve` has it
PIPES = ("|", "|&")
NEGATION = "! "  # before a command: the exit code says the opposite
JOINED_OUTPUTS = r" 2>(?:/dev/null|&1)(?=[\s;)]|$)(?!\s*>)"  # says nothing of what was done; `2>&1 > log` does
EACH_ENDED_WELL = frozenset(("&&", ""))  # signs behind the commands of a line that ended well: so did each of them
# `bash -c "make test"`, behind what stands before a program (`docker exec web`): its text is the commands.
TEXT_FOR_SHELL = rf"(?:\S{{0,100}}/)?(?:bash|sh|zsh)(?: -\w+)* -\w*c (?P<text>{QUOTED_TEXT})(?: 2>&1)?$"
SIGNS_OF_TEXT_FOR_SHELL = ("c \"", "c '")
AROUND_PIECE = "() \t\n}"  # blanks, and what groups commands
ENDING_WELL = ("true", ":")
SIGNS_OF_NEXT_LIST = (";", "\n", "&")  # before a list of commands that does not wait for what stands before it
CHANGING_FOLDER, FOLDER_OPTIONS = ("cd", "Set-Location"), ("-Path", "-LiteralPath")
FOLDER_BEFORE = "-"  # of `cd -`
HOME_SIGN = "~"
FILLED_IN = r"[$`*?{}]"  # in a name: the shell makes another of it
UNNAMED_FOLDER = rf"{FILLED_IN}|~|^-"  # nobody knows what `..` behind it is


@lru_cache(maxsize=COMMANDS_KEPT)
def pieces_of(command: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the sign behind it: &&, ||, |, ;, &, a new line, or nothing at the end."""
    pieces = [(text.strip(AROUND_PIECE), sign) for text, sign in split_at_signs(command) if is_command_text(text)]
    pieces = pieces[:PIECES_MAX]
    if pieces and pieces[-1][1] in ("\n", ";", "&&"):  # only nothing or a comment stands behind it
        pieces[-1] = (pieces[-1][0], "")
    return pieces


def split_at_signs(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, as they stand there, each with the sign behind it.

    Of what is given to a shell as a text, those of that text, as if it stood in brackets.
    """
    split = split_as_given(command)
    if not holds_any(command, SIGNS_OF_TEXT_FOR_SHELL):
        return split
    return [inner for text, sign in split for inner in split_within(text, sign)]


def split_within(text: str, sign: str) -> list[tuple[str, str]]:
    """The texts between the signs of a text that is given to a shell, the last with this sign; else the text alone."""
    piece = text.strip(AROUND_PIECE)
    given = re.match(TEXT_FOR_SHELL, program_part(piece)) if holds_any(piece, SIGNS_OF_TEXT_FOR_SHELL) else None
    if not given:
        return [(text, sign)]
    before, _, behind = text.partition(piece)
    inner = given["text"][1:-1]
    inner = re.sub(r"\\([\"$`\\])", r"\1", inner) if given["text"].startswith('"') else inner
    split = split_as_given(f"{before}({inner}){behind}")
    return [*split[:-1], (split[-1][0], sign)]


def split_as_given(command: str) -> list[tuple[str, str]]:
    """The texts between the signs of a line, whatever is given to a shell in them."""
    text = parted_from_texts(command[:COMMAND_MAX_CHARACTERS])[0].replace("\\\n", " ")
    split, begin = list[tuple[str, str]](), 0
    if any(sign in text for sign in "&|;\n"):
        for match in re.finditer(SHELL_SIGNS, text):
            if match["sign"]:
                split.append((text[begin:match.start()], match["sign"]))
                begin = match.end()
    return [*split, (text[begin:], "")]


def is_command_text(text: str) -> bool:
    """Whether a text between two signs is a command: no comment, and not only what groups commands."""
    text = text.strip(AROUND_PIECE)
    return bool(text) and not text.startswith("#")


def parted_from_texts(command: str) -> tuple[str, list[str]]:
    """The command without the texts that it feeds to programs, and these texts.

    One whose end went with the middle of a long command takes all that is left. A report on work had stood as a test,
    as one row of it was `python test_rates.py`.
    """
    texts, offset = list[str](), command.find("<<")
    for _ in range(HERE_DOCUMENTS_MAX):
        if offset < 0:
            break
        begin = re.compile(HERE_DOCUMENT).match(command, offset)
        line_end = command.find("\n", begin.end()) if begin else -1
        if begin and line_end >= 0:
            end = re.compile(END_OF_DOCUMENT % begin["word"]).search(command, line_end)
            is_cut = MIDDLE_GONE in command[line_end:] or is_cut_text(command)
            is_open = not end and is_cut and re.fullmatch(USUAL_END, begin["word"])
            if end or is_open:
                texts.append(command[line_end + 1:end.start() if end else None])
                rest = command[end.end():] if end else ""
                command = command[:offset] + command[begin.end():line_end] + rest
        offset = command.find("<<", offset + 1)
    return command, texts


def lines_that_do(command: str) -> list[str]:
    """The command's lines without empty ones and the shell's comments.

    In a text that it feeds to a program, and between quotes, "#" may begin anything: a heading, a declaration.
    """
    lines, quotes, document_end = list[str](), {'"': 0, "'": 0}, ""
    for line in command.splitlines():
        is_quoted = any(count % 2 for count in quotes.values())
        is_comment = line.lstrip().startswith("#") and not document_end and not is_quoted
        if not line.strip() or is_comment:
            continue
        lines.append(line)
        if document_end:
            document_end = "" if line.strip() == document_end else document_end
            continue
        begun = re.search(HERE_DOCUMENT, line)
        document_end = begun["word"] if begun else ""
        quotes = {quote: count + line.count(quote) for quote, count in quotes.items()}
    return lines


def program_part(piece: str) -> str:
    """The command without what stands before its program: keywords, variables, timeout, npx and the like."""
    while True:
        word, _, rest = piece.partition(" ")
        if word in SHELL_KEYWORDS and rest:
            piece = rest.strip()
            continue
        before = before_program(piece)
        if not before:
            return piece
        piece = piece[before.end():]


def before_program(piece: str) -> re.Match[str] | None:
    """What stands before the command's program and says nothing of it; of a few things the first."""
    word = "".join(piece.split(None, 1)[:1])
    assignment = re.match(rf"(?:{ASSIGNED}|{ASSIGNED_IN_QUOTES})\s+", piece) if "=" in word else None
    assignment = re.match(ASSIGNED_IN_POWERSHELL, piece) if word[:1] == "$" else assignment
    if assignment:
        return assignment
    folder, slash, name = word.rpartition("/")
    if name.startswith("python"):  # a virtual environment's has its folder before it
        word = name.rstrip("0123456789.")
    if word not in BEFORE_PROGRAM:
        return None
    return re.match(rf"{re.escape(folder + slash)}{word}[\d.]*(?:{BEFORE_PROGRAM[word]})\s+", piece)


@lru_cache(maxsize=COMMANDS_KEPT)
def shell_words(piece: str) -> list[str]:
    """The words of a command, without what stands before its program; what is quoted is one word."""
    part = program_part(piece)
    return re.findall(SHELL_WORD, part) if '"' in part or "'" in part else part.split()


def program_of(words: Sequence[str]) -> str:
    """The program's name without its folder."""
    return words[0].rstrip("/").rpartition("/")[2].strip("\"'") if words else ""


def program_in(piece: str) -> str:
    """The program that one command of a line starts, without its folder."""
    return program_of(shell_words(piece))


def without_redirections(words: Sequence[str]) -> list[str]:
    """The words without `2>&1`, `> file` and the like."""
    kept, is_file = list[str](), False
    for word in words:
        if ">" in word and re.match(r"[\d&]?>{1,2}(?:&\d)?", word):
            is_file = word.endswith(">")  # the next word
        elif is_file:
            is_file = False
        else:
            kept.append(word)
    return kept


def without_joined_outputs(command: str) -> str:
    """The command without where its errors go (`2>&1`, `2>/dev/null`)."""
    return re.sub(JOINED_OUTPUTS, "", command) if " 2>" in command else command


def ending_program(command: str) -> str:
    """The program whose exit code the command's is."""
    pieces = pieces_of(command)
    return program_in(pieces[-1][0]) if pieces else ""


def is_try(command: str) -> bool:
    """Whether the line asks how it ends (`; echo $?`), or lets all fail that it does: `|| true` ends each of its lists.

    What only prints or goes to a folder needs none.
    """
    if "$?" in command:
        return True
    lists, rest = list[list[tuple[str, str]]](), list[tuple[str, str]]()
    for piece, sign in pieces_of(command):
        rest.append((piece, sign))
        if sign in (*SIGNS_OF_NEXT_LIST, ""):
            lists.append(rest)
            rest = []
    acting = [pieces for pieces in lists if not {program_in(piece) for piece, _ in pieces} <= {*WITHOUT_EFFECT}]
    return bool(acting) and all(
        pieces[-1][0] in ENDING_WELL and pieces[-2:-1] and pieces[-2][1] == "||" for pieces in acting)


def commands_in_folders(command: str, folder: str = "") -> list[tuple[str, str]]:
    """The commands of a line, as `pieces_of` has them, each with the folder that it runs in; `folder`: of the first.

    A folder is as seen from there, or whole; "-" where nobody knows what `cd -` goes back to. A `cd` counts for what
    stands behind it in the same shell: not outside of its `( … )`, not behind its pipe, and not behind the `&` that
    puts it into the background. `cd a || cd b`: the second goes from where the first did not come away.
    """
    if not holds_any(command, CHANGING_FOLDER):
        return [(piece, folder) for piece, _ in pieces_of(command)]
    commands: list[tuple[str, str]] = []
    before, at_begin = FOLDER_BEFORE, (folder, FOLDER_BEFORE)  # where `cd -` goes; where the list of commands began
    shells: list[tuple[str, str, tuple[str, str]]] = []  # around this one
    is_behind_failed_cd = False
    for text, sign in split_at_signs(command):
        opened, closed = subshells_in(text)
        shells += [(folder, before, at_begin)] * opened
        at_begin = (folder, before) if opened else at_begin
        goal = ""
        if is_command_text(text):
            piece = text.strip(AROUND_PIECE)
            commands.append((piece, folder))
            goal = folder_of_cd(without_redirections(shell_words(piece)))
        if goal and sign not in PIPES:
            start = before if is_behind_failed_cd else folder
            folder, before = (before if goal == FOLDER_BEFORE else folder_from(start, goal)), start
        is_behind_failed_cd = bool(goal) and sign == "||"
        for _ in range(min(closed, len(shells))):
            folder, before, at_begin = shells.pop()
        if sign == "&":
            folder, before = at_begin
        if sign in SIGNS_OF_NEXT_LIST:
            at_begin = (folder, before)
    return commands[:PIECES_MAX]


def subshells_in(text: str) -> tuple[int, int]:
    """How many subshells begin with a text between two signs, and how many end with it."""
    if "(" not in text and ")" not in text:
        return 0, 0
    rest = text.lstrip("( \t\n")
    opened = text[:len(text) - len(rest)].count("(")
    rest = re.sub(QUOTED_TEXT, "", rest)
    return opened, max(0, rest.count(")") - rest.count("("))


def folder_of_cd(words: Sequence[str]) -> str:
    """The folder that a `cd` with these words goes to; empty where they are another command, or not one folder.

    Of PowerShell's too: what had run in `Set-Location api` stood for the same check in the folder above.
    """
    if words[:1] == ["Set-Location"]:
        words = ["cd", *(word.replace("\\", "/") for word in words[1:] if word not in FOLDER_OPTIONS)]
    if words[:1] != ["cd"] or len(words) > 2:
        return ""
    return with_slashes(words[1].strip("\"'")) if len(words) == 2 else HOME_SIGN


def folder_from(folder: str, goal: str) -> str:
    """The folder that a `cd` to this goal comes to from a folder; empty for the folder that the line began in."""
    path = goal if is_whole_path(goal) or goal.startswith(("$", "`")) else posixpath.join(folder, goal)
    path = path if re.search(UNNAMED_FOLDER, path) else posixpath.normpath(path)
    return "" if path == "." else path


def goes_to_whole_path(command: str) -> bool:
    """Whether the line begins with a change into a folder that it names whole, wherever it is run."""
    return command.startswith("cd ") and is_whole_path(command[len("cd "):].lstrip("\"'"))
