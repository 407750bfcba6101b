"""Which lines of a typed message are the person's own."""

from __future__ import annotations

import re

import pytest

from compact_keeper.record.words.pasted import PASTED_MAX_CHARACTERS, is_document, own_lines, words_behind_log

OWN = "never rename the columns"


def own(text: str, *said: str) -> list[str]:
    """The own lines without the empty ones."""
    return [line for line in own_lines(text, said) if line]


@pytest.mark.parametrize("line", [
    "2031-04-05 10:11:12 never connected", "[10:11:12] never connected", "Apr  5 10:11:12 host never connected",
    "$ never --push", "% ls never", "❯ never push", "⏺ I will never push", "  ⎿  never pushed", "● always running",
    ">>> never()", "ada@box:~/never", "(env) ada@box: never", "PS C:\\work> never",
    "    at never (src/pool.js:3:9)", '  File "never.py", line 3', "Traceback (most recent call last):",
    "ValueError: never an int", "E   never equal", "java.lang.NeverException: x", "panic: never reached",
    "diff --git a/never b/never", "@@ -1,2 +1,3 @@ never", "+++ b/never.py", "--- a/never.py", "+never = {",
    "| rule | never push |", "what I pasted: | rule | never push |",
    "+-----+-----+", '"rule": "never push",', "{", '{"rule": "never"}', "<never>",
    "// never push", "import { never } from", "const never = 3", "def never(a):", "if never {", "return never;",
    "INFO never connected", "[WARN] never connected", "ERROR: never connected", "npm ERR! never", "warning: never used",
    "fatal: never a repository", "src/pool.js:3:9 never used", "commit 0123456789abcdef", "0123abc never push",
    "# Never push", "### Rules", "> never push to the trunk", "a\tnever\tb", "level=info msg=never a=b",
    "    never set off", "https://example.org/never", "   typed: never push", "  #4 typed: never push",
    "2. 2031-04-05 10:11 · rates · show 4#10 never", "(server pid=714) never", "(rates.zone pid=7, ip=10.0.0.7) never",
])
def test_lines_by_their_form(line: str) -> None:
    assert own(f"look at this\n\n{line}") == ["look at this"]


@pytest.mark.parametrize("line", [
    OWN, f"- {OWN}", f"* {OWN}", f"3. {OWN}", f"  - {OWN}", f"a) {OWN}", "No.", "use the < operator",
    "it costs $5 (or so)",
    "3 files, never more", "I said: no tabs", "ok, an error must never be swallowed", "why? never mind", "a # b",
    "/notes is off limits", "from here on no tabs", "12 columns, always", "and at night never deploy",
    "never run `a | b | c` here",
])
def test_lines_of_the_person(line: str) -> None:
    assert own(line) == [line]
    assert own(f"look at this\n\n{line}\n\nthen go on") == ["look at this", line, "then go on"]


@pytest.mark.parametrize("introduction", [
    "here is the log:", "this is the output:", "I get this error:", "it says:", "Output:", "the agent said:", "error:",
    "the reviewer wrote:", "please address the following:", "now handle:", "review comments:", "console:", "see below:",
])
def test_what_is_introduced_is_not_the_person_s(introduction: str) -> None:
    text = f"{OWN}\n{introduction}\n\nnever call this twice\n\nalways close the pool"
    assert "never call this twice" not in own(text)
    assert "always close the pool" not in own(text)
    assert own(text)[0] == OWN


@pytest.mark.parametrize(
    "introduction", ["my rules:", "please follow these guidelines:", "from now on:", "Keep in mind:"])
def test_a_list_of_rules_is_the_person_s(introduction: str) -> None:
    assert own(f"{introduction}\n- {OWN}") == [introduction, f"- {OWN}"]


def test_words_of_others_on_the_line_itself_go_to_the_paragraph_s_end() -> None:
    assert own(f"it says: never call this\nalways close\n\n{OWN}") == [OWN]


@pytest.mark.parametrize(("text", "lines"), [
    (f"a\n```\n{OWN}\n```\nb", ["a", "b"]),
    (f"a\n~~~\n{OWN}\n```\n{OWN}\n~~~\nb", ["a", "b"]),
    (f"a\n```sh\n{OWN}", ["a"]),
    (f"the log:\n```\nnever\n```\n{OWN}", [OWN]),
    (f"<log>\n{OWN}\n</log>\nb", ["b"]),
    (f"a\n<log>\n{OWN}", ["a", OWN]),
    (f"/check:\n{OWN}", ["/check:", OWN]),
    (f"@@ -1 +1 @@\n {OWN}\n-a\n+b", []),
    (f"INFO a\n{OWN}\nINFO b", []),
    (f"> a\n{OWN}\n> b", [OWN]),
    (f"- a\n  {OWN}", ["- a", f"  {OWN}"]),
    ("", []),
])
def test_blocks(text: str, lines: list[str]) -> None:
    assert own(text) == lines


def test_every_line_keeps_its_place() -> None:
    assert own_lines("a\n```\nb\n```\nc") == ["a", "", "", "", "c"]


@pytest.mark.parametrize(("line", "is_own"), [
    ("The pool never closes its last connection", False), ("- the pool **never** closes its last connection.", False),
    ("never closes", True), ("The pool never closes its first connection", True)])
def test_the_agent_s_sentences_given_back(line: str, is_own: bool) -> None:
    said = ("Hello.", "I see it.\n\n1. The pool `never` closes its   last connection.\n2. It leaks.")
    assert bool(own(line, *said)) is is_own


def test_nothing_behind_the_limit_is_read() -> None:
    assert own("a" * PASTED_MAX_CHARACTERS + f"\n{OWN}") == ["a" * PASTED_MAX_CHARACTERS]


@pytest.mark.parametrize("text", [
    "\x00\n" * 9_000, "<a>\n" * 9_000, "```\n" * 9_000, "> " * 20_000, (" " * 390 + "x\n") * 100,
    ":\n" * 9_000, "\ud800 never"])
def test_hostile_text_has_a_line_for_each(text: str) -> None:
    assert len(own_lines(text, [text])) == len(text[:PASTED_MAX_CHARACTERS].splitlines())


RUNNER_LOG = "\n".join(f"web:dev: {words}" for words in ("Server started on port 8765", "Trades: 1", "ready", "") * 8)
SPECIFICATION = "\n".join(f"- Zone {number}: rates are rounded half up" for number in range(20))
LONG_SPECIFICATION = "\n".join(f"- Zone {number}: rates are rounded half up" for number in range(90))
OF_DATABASE = "\n".join(f"  Zone {number} | a69fc521-878e-4fe6-8c65-0a9f80d956bc | kim@example.org | north"
                        for number in range(30))
OWN_TABLE = "\n".join(f"- Zone {number}: red | green | blue" for number in range(30))
DEPLOYMENT_LOG = "The build failed:\n" + "\n".join(f"Line {number}: zone {number} of the build" for number in range(12))
SERVER_LOG = "\n".join(f'(server pid={number}) INFO:     10.0.0.{number}:80 - "GET /zones/{number} HTTP/1.1" 200 OK'
                       for number in range(20))
TRACE = "\n".join(f"zone {row} of it\n(worker pid=7)   File \"rates.py\", line {row}" for row in range(9))
CODE = "\n".join(f"  const zone{number} = rates[{number}];" for number in range(40))
TICKET = ("# TICKET 7\n## CONTEXT\nThe zones are rounded down.\n## FIX\nPut this in its place:\n{}\n## CONSTRAINTS\n"
          "- Change the zones alone\n- Leave the bays\n## VALIDATION\nA zone of 2.5 costs 3.")
AT_TIMES = "\n".join(f"- at 00:00:{row:02} run step {row} of the backup, and never skip it" for row in range(20))
OF_CLOCK = "\n".join(f"10:15:{row:02}" + " of the north" * 10 for row in range(29))
COPIED_PAGE = "Our zones\n" + "\n".join(f"Zone {number}    14400\nEdit\nDelete" for number in range(12))


@pytest.mark.parametrize(("text", "expected"), [
    (RUNNER_LOG, False), (RUNNER_LOG.replace("web:dev:", "app-1  |"), False), (SPECIFICATION, True),
    (SPECIFICATION.replace("- Zone", "Zone"), True), (f"{LONG_SPECIFICATION}\n{RUNNER_LOG}", True), ("x", False),
    (f"⏺ {LONG_SPECIFICATION}", False),  # another session's answer, from its screen
    (COPIED_PAGE, False), (f"Found:\n{OF_DATABASE}", False), (OWN_TABLE, True),
    (TICKET.format(CODE), True), (TICKET.format(f"```ts\n{CODE.replace('  ', '')}\n```"), True),
    (TICKET.format(CODE.replace("  ", "")), False), (TICKET.format(CODE).replace("## ", "# "), False),
    (f"## a\n## b\n## c\n{CODE}", False), (f"```\n{TICKET.format(CODE)}\n```", False), ("## a\n" * 40 + CODE, False),
    (SERVER_LOG, False), (f"Look:\n{SERVER_LOG}", False), (f"{SERVER_LOG}\n{LONG_SPECIFICATION}", True),
    (f"Look: {SERVER_LOG.replace(chr(10), ' ')}\n{SPECIFICATION}", False),
    (f"{LONG_SPECIFICATION}\nIt answers 200 OK at 10:15:00", True), (TRACE, False),
    (AT_TIMES, True), (AT_TIMES.replace("at ", ""), True), (AT_TIMES.replace("at ", "2026-03-04 "), True),
    (AT_TIMES.replace("- at", "Then at"), True),
    *((re.sub("(?m)^", before, OF_CLOCK) + f"\n{LONG_SPECIFICATION}", False) for before in (
        "", "[", "04/Mar/2026:", "4.3.2026 ", "2026-03-04T", "Mar  4 ", "INFO ", "[WARN] ")),
    (DEPLOYMENT_LOG, False), (f"{LONG_SPECIFICATION}\n{DEPLOYMENT_LOG}", True),
    *((f"{SPECIFICATION}\n{prompt}", False) for prompt in (
        "kim@host:~/zones$", "kim@host:~/zones$ \n", "[kim@host zones]# ", "PS C:\\zones> ")),
    *((f"{SPECIFICATION}\n{typed}", True) for typed in (
        "kim@host:~/zones$ make rates", "Mail kim@host: it costs 5$ more", "- each zone > 5 costs 10 %"))])
def test_what_a_runner_prints_is_no_order(text: str, expected: bool) -> None:
    assert is_document(text) is expected


PROMPT_LINE = "(zones) (base) kim@host:~/zones$ "


@pytest.mark.parametrize(("typed", "is_own"), [
    (" why are the rates of the north gone now", True), ("make rates", False), ("", False)])
@pytest.mark.parametrize("prompt", [PROMPT_LINE, "kim@host:~/zones$", "PS C:\\zones> "])
def test_words_behind_a_bare_prompt_are_the_person_s(prompt: str, typed: str, is_own: bool) -> None:
    pasted = f"{PROMPT_LINE}make\n│ rates │ 3 │\n{prompt}\n{typed}\n{SERVER_LOG}"
    assert (typed in own(pasted)) is is_own


GET = 'INFO:     10.0.0.7:80 - "GET /zones HTTP/1.1" 403'
WISH = "you have to look at that, the lorries have their key since spring and should pass the gate of the north"
OF_SERVER = "validation failed because the field named user is missing from the body of this request"


@pytest.mark.parametrize(("line", "expected"), [
    (f"{GET} Forbidden {WISH}", WISH), (f"{GET} {WISH}", WISH), (f"{GET} Forbidden, {WISH}", ""), (WISH, ""), ("", ""),
    (f"{GET} Forbidden {GET} Forbidden {WISH}", WISH), (f"{GET} Forbidden {WISH} {GET} Forbidden", ""),
    (f"{GET} Forbidden too short for that", ""), (f"{GET} Unprocessable Entity {OF_SERVER}", ""),
    (f"{GET} Forbidden {OF_SERVER.replace('of this', 'of')} {'un' * 20}", ""), (f"{GET} Forbidden {'a b ' * 20}", ""),
    (f"{GET} Forbidden", ""),
    (f'{GET} 512 "-" "Browser/5.0 (any; any) like others of that kind and of that time, with words in it"', ""),
    (f"{GET} Forbidden ERROR: {WISH}", ""), (f"{GET} Forbidden {WISH} at 10:11:12", ""), (f"{GET} {'x' * 90}", ""),
    (f'"{"/a" * 9_000} HTTP/1.1" 200 OK {WISH}', ""), (f"{GET} OK " * 2_000, ""),
])
def test_the_person_s_words_behind_a_row_of_a_log(line: str, expected: str) -> None:
    assert words_behind_log(line) == expected
