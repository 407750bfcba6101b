"""compact-keeper's status line in the text of a settings.json, around the command that was there.

That command stays within ours, quoted for the shell, in the very escapes it had: so it comes back as it was, whatever
else was changed since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from compact_keeper.setup.json_text import (
    NestedPart,
    Part,
    as_text,
    check_text,
    inserted,
    member,
    parts,
    refuse,
    require,
    without_part,
)

# The shell replaces itself with Python (exec), which so gets the signal by which the client ends a run. Where the
# plugin is gone, the person's own command runs; `python3 ""` would run the project's __main__.py.
RUN = 'f={run_hook}; [ -f "$f" ] && exec python3 -IS "$f" status_line.py'
WRAPPED = "set -- {theirs}; {run} --wrap \"$1\"; exec sh -c \"$1\""
# In a project's settings the line may be anybody's who gets the repository, and takes the place of that person's own:
# which is drawn first, and alone where this person has no such run_hook.py.
USERS_ALONE = """import json,os
from os.path import expanduser as e
d=os.environ.get("CLAUDE_CONFIG_DIR") or e("~/.claude")
c=json.load(open(d+"/settings.json"))["statusLine"]["command"]
os.execl("/bin/sh","sh","-c",c)""".replace("\n", "; ")
OWN_FIRST = ('{run} --wrap-own; [ "$COMPACT_KEEPER_WITHIN" ] && exit; export COMPACT_KEEPER_WITHIN=1; '
             f"exec python3 -ISc '{USERS_ALONE}' 2>/dev/null")
# The same as it stands between JSON's quotes; then as it was once told to be written by hand.
SHELL_QUOTE = r"(?:'|\\u0027)"
SHELL_WORD = (rf"{SHELL_QUOTE}"  # a word of the shell: 'it'\''s'
              rf"((?:[^'\\]|\\(?!u0027).|{SHELL_QUOTE}\\\\{SHELL_QUOTE}{SHELL_QUOTE})*)"
              rf"{SHELL_QUOTE}")
OUR_LINE = re.compile(rf"(?:set -- {SHELL_WORD}; )?f=.*run_hook\.py\b.* status_line\.py"
                      r"(?(1) --wrap .*|(?: --wrap-own; .*)?)\Z|"
                      rf"python3? -IS .*run_hook\.py\S* status_line\.py(?: --wrap {SHELL_WORD}| --wrap-own)?\Z")
LIKE_OURS = re.compile(r"run_hook\.py\S* status_line\.py|compact-keeper/\S*status_line\.py")


def add_status_line(text: str, run_hook: str, is_project: bool = False) -> str:
    """The text whose status line starts this run_hook.py (a word of the shell), behind the command that was there.

    In a project's settings that have none, behind the person's own.
    """
    check_text(text)
    top, run = text.index("{"), RUN.format(run_hook=run_hook)
    alone = OWN_FIRST.replace("{run}", run, 1) if is_project else run
    line = member(text, top, "statusLine")
    if not line:
        part = as_text(text, 1, {"type": "command", "command": alone})
        return inserted(text, top, 1, f'"statusLine": {part}')
    command = command_of(text, line)
    raw = text[command.value + 1:command.end - 1]
    ours = OUR_LINE.match(raw)
    if not ours and LIKE_OURS.search(raw):
        refuse("the status line runs compact-keeper's in a way of its own; take that out", text, command.value)
    theirs = wrapped_word(ours) if ours else shell_word(raw)
    escaped = json.dumps(run if theirs else alone, ensure_ascii=False)[1:-1]
    if theirs:
        before, behind = json.dumps(WRAPPED)[1:-1].split("{theirs}; {run}")
        escaped = f"{before}{theirs}; {escaped}{behind}"
    return text[:command.value + 1] + escaped + text[command.end - 1:]


def remove_status_line(text: str) -> str:
    """The text with the status line's command that was there before ours, or without a status line."""
    check_text(text)
    while ours := next(our_lines(text), None):
        line, command, theirs = ours
        if theirs:
            text = text[:command.value + 1] + shell_text(theirs) + text[command.end - 1:]
        else:
            text = without_part(text, line)
    return text


def runs_ours(command: str) -> bool:
    """Whether a status line's command is one that remove_status_line would take out."""
    return bool(OUR_LINE.match(json.dumps(command)[1:-1]))


def our_lines(text: str) -> Iterator[tuple[NestedPart, Part, str]]:
    """Of each status line of ours: itself, its command, and the word of the shell in that which is another's."""
    top = text.index("{")
    for line in (part for part in parts(text, top) if part.key == "statusLine" and text[part.value] == "{"):
        for command in (part for part in parts(text, line.value) if part.key == "command"):
            ours = OUR_LINE.match(text, command.value + 1, command.end - 1)
            if ours:
                yield NestedPart(top, line), command, wrapped_word(ours)


def wrapped_word(ours: re.Match[str]) -> str:
    """The command that a line of ours stands around, as a word of the shell; empty where it stands alone."""
    return f"'{ours[ours.lastindex]}'" if ours.lastindex else ""


def command_of(text: str, line: Part) -> Part:
    """The status line's command; refused when it is of another kind."""
    require(text, line.value, "{", '"statusLine"')
    kind, command = member(text, line.value, "type"), member(text, line.value, "command")
    if not kind or json.loads(text[kind.value:kind.end]) != "command" or not command or text[command.value] != '"':
        refuse('"statusLine" is not of type "command", with the command as a text', text, line.start)
    return command


def shell_word(raw: str) -> str:
    """What stands between JSON's quotes as a word of the shell, itself between JSON's quotes."""
    quotes = re.compile(rf"({SHELL_QUOTE})|\\.")
    return "'" + quotes.sub(lambda match: rf"'\\{match[1]}'" if match[1] else match[0], raw) + "'"


def shell_text(word: str) -> str:
    """What shell_word was given, from what it returned."""
    quotes = re.compile(rf"{SHELL_QUOTE}\\\\({SHELL_QUOTE}){SHELL_QUOTE}|\\.")
    return quotes.sub(lambda match: match[1] or match[0], word[1:-1])
