"""Which lines of a typed message are the person's own words, and which were pasted: output, logs, code, quotes.

The form of a line tells it, or the words before it ("here is the log:"), or that the agent said the same before.
Where it is not sure, a line counts as pasted: a rule that is missed here still stands in the message, a line of a
log among the rules misleads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.client.transcript import PASTE_NAME, PASTE_TAG
from compact_keeper.text.holding import holds_any

PASTED_MAX_CHARACTERS = 40_000  # of a message, what lies behind is not looked at
LINE_LOOKED_AT_CHARACTERS = 400  # of a line: its form shows in these
HEARD_MAX_CHARACTERS = 200_000  # of the agent's words that lines are looked up in
HEARD_LINE_MIN_CHARACTERS = 20  # of a line that stands in the agent's words: shorter ones stand in many texts
DOCUMENT_MIN_LINES, DOCUMENT_MACHINE_SHARE, DOCUMENT_DISTINCT_SHARE = 8, 0.25, 0.7
LOG_MARK_EVERY_CHARACTERS, LOG_SHARE = 160, 0.5  # of a log's rows; of a text that is mostly log, by its characters
# Of the person's words behind a log's row: fewer may be the server's.
BEHIND_LOG_MIN_CHARACTERS, BEHIND_LOG_MIN_WORDS, BEHIND_LOG_LETTERS_SHARE = 100, 16, 0.7
DOCUMENT_MIN_HEADINGS = 3  # different ones, with which a text with code in it is a document
# Before each line that a runner of several programs hands on: `web:dev:`, `app-1  |`; a deployment's log: `Line 12: `.
RUNNER_NAME = r"\S{3,40}(?:[:\]>]|\s{0,12}\|)(?=\s|\Z)|Line(?= \d{1,6}: )"
# What a line announces: a paste goes on to the message's end, a paragraph to a blank line.
NOTHING, PASTE, PARAGRAPH = "nothing", "paste", "paragraph"
BARE_PROMPT = (  # a shell's, with nothing typed behind it
    r"(?:(?:\([\w.-]{1,30}\) ){0,3}\S{1,60}@\S{1,60}[:\s].{0,200}[$#%]"
    r"|PS [A-Za-z]:\\.{0,200}>)\s*\Z")
MARK_OF_CLIENT = "⏺"  # before the agent's words on the screen
BEHIND_PROMPT_MIN_WORDS = 6  # of a line behind a bare prompt that the person typed; fewer may be what was run there
GAP_MAX_LINES = 2  # own-looking lines between pasted ones, which are pasted too
FENCE = r"\s{0,8}(?:```|~~~)"
BLOCK_BEGINS = r"\s*<([a-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>\s*\Z"  # a tag alone on its line
BLOCK_QUOTE = r"\s*>\s"
PROCESS_NAME = r"\([\w.:-]{1,60} pid=\d{1,9}[^()]{0,60}\)"  # before each line of one of several
MACHINE_LINE = (  # how a line begins that a program wrote
    r"\s*(?:[❯⏺⎿●✓✔✗✘×│├└┌╭╰┃━─═▶►»←↑⚠⏵✻✽∗·]"
    r"|\[?\d{4}-\d\d-\d\d[T \]]|\[?\d{1,2}:\d\d(?::\d\d|\s)|\d{1,2}/\d{1,2}/\d{2,4}[ ,]"  # moments
    r"|(?i:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},? +\d{1,2}[ ,:]"
    r"|[$%#]\s+\S|>>> |PS [A-Z]:|(?:\([\w.-]{1,30}\) ){0,3}[\w.-]{1,40}@[\w.-]{1,60}[:~ ]"
    r"|\w{0,20}\([\w/.-]{0,40}\)[$#%>] "  # shells
    r"|at [\w$.<>]{1,200} ?\(|File \"|Traceback \(|Caused by:|goroutine \d|panic:|[a-z]+\.[\w.]{3,200}(?:Error"
    r"|Exception)"
    r"|[A-Z]\w{0,80}(?:Error|Exception|Warning)\b ?[:(]|E {2,}\S"
    r"|diff --git |index [\da-f]{6,}|@@ |\+\+\+ |--- |[+-](?:\s*\Z|[<`\"'+/#}]|(?![\s\d-])\S{0,200}[({;=])"
    r"|[+] {2,}\S|- {5,}\S"  # diffs
    r"|\|.{0,300}\|\s*\Z|[-=+|: ]{4,}\s*\Z|[{}\[\]()<>;,]{1,6}\s*\Z|\"[^\"]{1,80}\"\s*:|\{\s*\""
    r"|</?[a-zA-Z!]"  # tables, JSON
    r"|//|/\*|\*/|#!|#include"
    r"|import [\w{*, }]{1,80}from\b|import [\w.]{1,80}\s*\Z|from [\w.]+ import|(?:const|let|var|func|def|class"
    r"|return) \w+ ?[=({:]"
    r"|(?:INFO|DEBUG|TRACE|WARN|FATAL) |(?:\[|\|)?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|DEBU|FAIL|PASS|SKIP"
    r"|FAILED|PASSED)(?:\]|\||:| {2,}"
    r"|\s*\Z|\t)"
    r"|\[[A-Za-z][\w .:/-]{0,40}\]\s|npm (?:ERR|WARN|error)|error(?:\[\w+\])?:|warning:|fatal:|hint:|remote:|note:"
    r"|ok \d|not ok \d"
    r"|[\w./-]{2,200}:\d+(?::\d+)?(?::|\s|\Z)|commit [\da-f]{7,40}|Author: |Date: |[\da-f]{7,40} \S"
    rf"|{PROCESS_NAME}"
    r"|(?:#\d{1,9} )?(?:typed|ran|decided): \S|\d{1,4}\. 20\d\d-\d\d-\d\d \d"  # what recall shows
    r"|https?://\S+\s*\Z|\d{1,4}\s*[|→│+-](?:\s|\Z)|\d{2,5} {2,}\S)")
MACHINE_WITHIN = (
    r".*(?:\t|=>|&&\s*\Z|[{;]\s*\Z|\\\s*\Z|\x1b|\b\w{1,40}=[\w./:-]{1,200} \w{1,40}="
    r"|\(\d+(?:\.\d+)?m?s\)|…\s*\Z|\|[^|]{1,300}\|\s*\Z"  # the last: a table's row, words before it
    r"|[^|]{1,200} \| (?:[\da-f]{8}-[\da-f]{4}-|\S{1,64}@)[^|]{1,200} \| \S)")  # one without a frame, of a database
DIFF_BEGINS = r"(?m)^\s{0,4}(?:diff --git |@@ -\d|--- a/)"
DIFF_LINE = r"[ +-]|index |new file|deleted file|\\ No newline"
COMMAND = r"/[\w:.-]{1,80}:?\s*\Z"  # a slash command, its arguments below
HTTP_ROW = r"\"[A-Z]{3,7} \S{1,300} HTTP/\d(?:\.\d)?\" \d{3}\b"
HTTP_REASON = (  # behind a status
    r" (?:OK|Created|Accepted|No Content|Found|See Other|Not Modified|Bad Request|Unauthorized|Forbidden|Not Found"
    r"|Conflict|Gone|Bad Gateway|(?:Temporary|Permanent) Redirect|Moved Permanently|Method Not Allowed"
    r"|Unprocessable (?:Entity|Content)|Too Many Requests|Internal Server Error|Service Unavailable|Gateway Timeout)\b")
LEVEL, CLOCK = "INFO|DEBUG|TRACE|WARN|WARNING|ERROR|FATAL", r"\d\d:\d\d:\d\d\b"
LOG_MARK = (  # anywhere in a row: of several that were joined to a long one, too
    rf"{PROCESS_NAME}|{HTTP_ROW}"
    r"|Traceback \(most recent|File \"[^\"]{1,300}\", line \d|\bat [\w$.<>]{1,200} ?\(\S{1,300}:\d"
    rf"|\b(?:{LEVEL}):? {{2}}")
MARK_OF_TIME = (  # where a row begins, behind a date or a level: "- at 00:00:00 run the backup" is an order
    rf"(?:^[\s\[(]*|\d{{4}}-\d\d-\d\d[T ]|\d[./][A-Z\d][a-z]{{0,2}}\d?[./]\d{{2,4}}[ :]|\b[A-Z][a-z]{{2}} [ \d]\d "
    rf"|\b(?:{LEVEL})\W{{1,4}}){CLOCK}")
BULLET = r"\s{0,12}(?:[-*•–+]|\d{1,2}[.)]|\(?[a-zA-Z\d][.)])\s+\S"
HEADING, SUBHEADING = r"\s{0,3}#{1,6}\s+\S", r"#{2,6} \S"  # one sign alone begins a comment, too
INTRODUCTION = (  # words after which, behind a colon, others speak
    r"log|logs|output|outputs|error|errors|warning|stacktrace|trace|traceback|console|terminal|message|messages"
    r"|response"
    r"|result|results|says|said|say|shows|showed|prints|printed|printing|returns|returned|wrote|writes|replied"
    r"|answered|got|gives"
    r"|gave|reads|reported|reports|comment|comments|feedback|review|reviews|findings|finding|issue|ticket|description"
    r"|email|mail|slack|thread|chat|transcript|conversation|summary|diff|code|snippet|file|content|contents|text"
    r"|quote"
    r"|spec|readme|docs|documentation|example|prompt|template|pasted|paste|following|below|seeing|see|this|these|here"
    r"|salida|registro|sortie|journal|ausgabe|fehler|meldung|saída|erro|вывод|лог|ошибка|çıktı|hata|wynik|błąd"
    r"|errore")
OWN_LIST = (  # words after which, behind a colon, the person goes on
    r"\b(?:rules?|guidelines?|conventions?|constraints?|instructions?|requirements?|notes?|remember|always|never"
    r"|from now on"
    r"|reminders?|important|preferences?|in mind|don'?ts?|do not|regeln|reglas|règles|regole|regras|zasady"
    r"|правила)\b")
INTRODUCED = rf"(?:.*\b(?:{INTRODUCTION})\b.{{0,60}}|\W*(?:{INTRODUCTION})\b[^:]{{0,40}}):\s*\Z"
LOOK_AT = (  # an order to work on words of others, which follow
    r"\W*(?:\w+ ){0,3}(?:address|fix|handle|resolve|clarify|explain|investigate|debug|respond|reply|look|check"
    r"|proof ?read"
    r"|translate|summari[sz]e|analy[sz]e|consider|implement|review|evaluate)\b.{0,80}:\s*\Z")
SPEAKS = (  # the beginning of a line that gives the words of others
    r"(?!\W*(?:\w+ )?(?:i|we) (?:said|say|wrote|repeat|mean))"
    r"\W*(?:(?:and|but|then|now|it|he|she|they|the|this|that|my|your|an?|i get|i got|got|getting|also|still)\W+){0,4}"
    r"(?:(?:\w+ ){0,3}(?:says|said|printed|prints|replied|answered|responded|wrote|reports|reported|returned"
    r"|complains|logs?)"
    r"|output|stdout|stderr|error|error message|log|logs|response|result|stack ?trace|traceback|warning|console"
    r"|user|human"
    r"|assistant|agent|claude|codex|gemini|copilot|reviewer|bot|ci)\s*[:»\"“]")


def own_lines(text: str, said: Sequence[str] = ()) -> list[str]:
    """The lines of a typed message, as typed; in the place of each that was pasted, an empty one.

    said: the agent's words so far, newest last. A line that stands in them is given back to the agent and no word of
    the person.
    """
    text = text[:PASTED_MAX_CHARACTERS]
    is_told = PASTE_NAME in text  # what was pasted, by the client
    text = re.sub(PASTE_TAG, rf"<\1{PASTE_NAME}>", text) if is_told else text
    lines, heard = text.splitlines(), heard_words(tuple(said))
    may_be_diff = holds_any(text, ("diff --git ", "@@ -", "--- a/"))
    walls, is_diff = walled(lines, text), may_be_diff and bool(re.search(DIFF_BEGINS, text))
    are_own, are_quoted = [False] * len(lines), [False] * len(lines)
    introduced = NOTHING
    for number, line in enumerate(lines):
        head = head_of(line)
        if walls[number] or is_typed_behind_prompt(lines, number):
            introduced = NOTHING  # what was introduced stands in the fence, or ended with the shell's prompt
        if walls[number]:
            continue
        if not head.strip():
            introduced = NOTHING if introduced == PARAGRAPH else introduced
        elif re.match(BLOCK_QUOTE, head):
            are_quoted[number] = True
            introduced = NOTHING
        elif introduced != NOTHING:
            continue
        elif gives_others_words(head):
            introduced = PASTE if head.rstrip().endswith((":", '"', "“")) else PARAGRAPH
        elif not is_pasted(lines, number, is_diff, heard):
            are_own[number] = True
            introduced = PASTE if introduces(head) and not re.match(COMMAND, head) else NOTHING
    between = [False] * len(lines) if is_told else between_pasted(lines, are_own, are_quoted)
    return [line if is_own and not is_between else "" for line, is_own, is_between in zip(lines, are_own, between)]


@lru_cache(maxsize=64)  # the same long messages are asked for by the task, by what came since, by the thread
def is_document(text: str) -> bool:
    """Whether most lines of a long message are headings, members of lists, sentences: an order written elsewhere.

    What a program wrote is none, nor what was copied from a terminal up to its next prompt, nor a copied page, whose
    buttons stand in each of its rows. A document's lines may be pasted too, but they say what is to be done.
    """
    if re.match(BARE_PROMPT, text.rstrip().rpartition("\n")[2]):
        return False
    text = text[:PASTED_MAX_CHARACTERS]
    if text.lstrip().startswith(MARK_OF_CLIENT):  # the answer of another session, copied from its screen
        return False
    if sum(len(line) for line in text.splitlines() if is_log(line)) > LOG_SHARE * len(text):
        return False
    lines = lines_besides_code(text)
    if len(lines) < DOCUMENT_MIN_LINES or len({*lines}) < DOCUMENT_DISTINCT_SHARE * len(lines):
        return False
    by_program = sum(map(is_programs_line, lines))
    names = [name[0] for line in lines if (name := re.match(RUNNER_NAME, line))]
    by_runner = max(map(names.count, {*names}), default=0)
    return by_program <= DOCUMENT_MACHINE_SHARE * len(lines) and by_runner <= len(lines) // 2


def lines_besides_code(text: str) -> list[str]:
    """The heads of a text's lines, without empty ones; of one with its own headings without code either.

    That stands in a fence, or indented. A ticket had been taken for output from its first block of code on, and what it
    forbids stood below.
    """
    lines = text.splitlines()
    walls = walled(lines, text)
    headings = {line for line, is_walled in zip(lines, walls) if not is_walled and re.match(SUBHEADING, line)}
    if len(headings) >= DOCUMENT_MIN_HEADINGS:
        lines = [line for line, is_walled in zip(lines, walls) if not (is_walled or line.startswith(("  ", "\t")))]
    return [head_of(line) for line in lines if line.strip()]


def head_of(line: str) -> str:
    """The part of a line that tells its form, long gaps shortened."""
    return re.sub(r"\s{12,}", " " * 12, line[:LINE_LOOKED_AT_CHARACTERS])


def walled(lines: list[str], text: str) -> list[bool]:
    """Of each line whether it stands in a fence or between a tag alone on its line and the end of that tag."""
    walls, fence, tag = [], "", ""
    ends = set(re.findall(r"</([a-z][\w:-]{0,40})>", text)) if "</" in text else set[str]()
    ends.add(PASTE_NAME)  # the ledger's words may be cut before its end
    for line in lines:
        head = head_of(line)
        mark, begins = re.match(FENCE, head), re.match(BLOCK_BEGINS, head)
        walls.append(bool(fence or tag or mark))
        if tag:
            tag = "" if f"</{tag}>" in line else tag
        elif mark and fence in ("", mark[0].strip()):
            fence = "" if fence else mark[0].strip()
        elif begins and not fence and begins[1] in ends:
            tag, walls[-1] = begins[1], True
    return walls


def gives_others_words(line: str) -> bool:
    """Whether the line begins to give the words of others: `he says: …`."""
    return holds_any(line, ':»"“') and re.match(SPEAKS, line, re.IGNORECASE) is not None


def is_pasted(lines: list[str], number: int, is_diff: bool, heard: str) -> bool:
    """Whether a line by itself was pasted: by its form, where it stood on the screen, or because the agent said it."""
    head = head_of(lines[number])
    if number == 0 and re.match(COMMAND, head):
        return False
    return ((is_diff and bool(re.match(DIFF_LINE, head))) or is_machine_line(head) or is_indented(lines, number)
            or stands_in(head, heard))


def is_machine_line(line: str) -> bool:
    """Whether nobody types a line of this form: a program wrote it, or it is a document's heading."""
    return is_programs_line(line) or re.match(HEADING, line) is not None


def is_programs_line(line: str) -> bool:
    """Whether a program wrote the line, by its form; a document's heading is none of its lines."""
    return bool(re.match(MACHINE_LINE, line) or re.match(MACHINE_WITHIN, line))


def is_log(line: str) -> bool:
    """Whether the line is of a log or a traceback, or several of their rows on one."""
    mark = LOG_MARK if re.match(BULLET, line) else f"{LOG_MARK}|{MARK_OF_TIME}"
    marks = sum(1 for _ in re.finditer(mark, line))
    return marks > 0 and marks * LOG_MARK_EVERY_CHARACTERS >= len(line)


def words_behind_log(line: str) -> str:
    """What the person typed behind a pasted row of a server's log, on the same line; mostly empty.

    `"GET /zones HTTP/1.1" 403 Forbidden you must check that …`: a whole order had gone with the log.
    """
    row = next(reversed([*re.finditer(rf"{HTTP_ROW}(?:{HTTP_REASON})?", line)]), None) if " HTTP/" in line else None
    words = line[row.end():].strip() if row else ""
    letters = sum(sign.isalpha() or sign == " " for sign in words)
    is_typed = (len(words) >= BEHIND_LOG_MIN_CHARACTERS and words[0].isalpha()
                and len(words.split()) >= BEHIND_LOG_MIN_WORDS
                and letters >= BEHIND_LOG_LETTERS_SHARE * len(words))
    is_log_too = is_typed and (re.search(f"{LOG_MARK}|{CLOCK}", words) or is_machine_line(head_of(words)))
    return words if is_typed and not is_log_too else ""


def is_indented(lines: list[str], number: int) -> bool:
    """Whether the line is set off as no one types: indented, no list's entry, none above that it may go on."""
    line = lines[number]
    if not line.startswith(("  ", "\t")) or re.match(BULLET, line):
        return False
    above = next((before for before in reversed(lines[max(0, number - 8):number]) if not before.startswith(("  ", "\t"))
                  or re.match(BULLET, before)), "")
    return not re.match(BULLET, above)


def introduces(line: str) -> bool:
    """Whether the line announces words of others: "here is the log:", "please fix the following:"."""
    plain = line.lower().rstrip()
    if not plain.endswith(":") or re.search(OWN_LIST, plain):
        return False
    return bool(re.match(INTRODUCED, plain) or re.match(LOOK_AT, plain))


def between_pasted(lines: list[str], are_own: list[bool], quoted: list[bool]) -> list[bool]:
    """Of each line whether it stands, with at most one more, between lines that a program wrote.

    Not one of several words right behind a shell's prompt: the paste of a terminal ended there, and another followed.
    """
    between = [False] * len(lines)
    full = [number for number, line in enumerate(lines) if line.strip()]
    run: list[int] = []
    is_after_paste = False
    for number in full:
        if are_own[number]:
            run.append(number)
            continue
        if run and is_typed_behind_prompt(lines, run[0]):
            run = []
        if is_after_paste and not quoted[number] and 0 < len(run) <= GAP_MAX_LINES:
            for inner in run:
                between[inner] = True
        run, is_after_paste = [], not quoted[number]
    return between


def is_typed_behind_prompt(lines: list[str], number: int) -> bool:
    """Whether the line has several words, and the one above is a shell's prompt with nothing typed behind it."""
    is_behind = number > 0 and re.match(BARE_PROMPT, head_of(lines[number - 1])) is not None
    return is_behind and len(lines[number].split()) >= BEHIND_PROMPT_MIN_WORDS


def bare_words(text: str) -> str:
    """The text in lower case without the marks that a terminal does not show, spaces folded."""
    return " ".join(re.sub(r"[*`_#\"“”]", "", text).lower().split())


@lru_cache(maxsize=8)  # a message's lines are looked up one by one
def heard_words(said: tuple[str, ...]) -> str:
    """The agent's newest words as lines are looked up in them."""
    return bare_words("\n".join(said)[-HEARD_MAX_CHARACTERS:])


def stands_in(line: str, heard: str) -> bool:
    """Whether the line, without a list's mark, was said by the agent before."""
    words = bare_words(re.sub(r"^\s*(?:[-*•–+>]|\d{1,2}[.)])\s+", "", line)).rstrip(".:;,")
    return len(words) >= HEARD_LINE_MIN_CHARACTERS and words in heard
