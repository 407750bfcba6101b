"""Standing rules among typed sentences, and what a later message revokes."""

from __future__ import annotations

import pytest

from compact_keeper.record.rules import RULES_OF_A_MESSAGE_MAX, rules_after, standing_sentences
from compact_keeper.types import Record

RULES = """
en  Never push to main.
en  NEVER push to main!!
en  never delete rows
en  don't touch vendor/
en  dont touch vendor/ pls
en  Do NOT edit generated files
en  always run the tests
en  and always run the tests before you commit
en  always tests first
en  integers in cents, always
en  use tabs in Makefiles
en  we deploy only on Tuesdays
en  Use British English in the docs
en  British English in the docs
en  use pnpm
en  We use pnpm here
en  we're on pnpm in this repo, not npm
en  tabs, not spaces
en  no emojis in commit messages
en  please no new dependencies
en  pls reply in german
en  make sure to always rebase
en  can you always run the linter after edits
en  from now on commit after each step
en  run the linter after every change
en  every time you change the schema, regenerate the types
en  in this repo we never squash
en  ask me before installing anything
en  don't commit anything without asking me
en  don't push until I say so
en  only commit when I tell you to
en  you must never write to the prod database
en  under no circumstances restart the broker
en  everything under legacy/ is off limits
en  prefer small commits
en  stop adding comments that repeat the code
en  keep your answers short
en  the schema file is the single source of truth
en  as a rule, one class per file
en  from now on, never ask "shall I go on?" when it is plain
en  dont forget to always bump the version
zh  以后都用中文回答我
zh  绝对不要直接改数据库
ja  今後は日本語で答えて
ja  migrationsフォルダには絶対触らないこと
ko  앞으로는 한국어로 답해줘
ko  .env 파일은 절대 열지 마
ru  никогда не пушь в main
ru  папку legacy не трогай
es  nunca hagas push directo a main
es  a partir de ahora responde en español
pt  a partir de agora responde em português
pt  nunca use any nos tipos
fr  ne committe jamais sans mon accord
fr  désormais réponds-moi en français
de  niemals direkt auf main pushen
de  nie ohne Rückfrage löschen
de  ab jetzt bitte auf deutsch antworten
tr  asla doğrudan main'e push yapma
tr  bundan sonra bana türkçe cevap ver
hi  अब से मुझे हिंदी में जवाब देना
hi  ab se mujhe hindi mein jawab dena
it  d'ora in poi rispondimi in italiano
it  mai fare push su main
pl  nigdy nie rób force pusha
pl  od teraz odpowiadaj mi po polsku
"""
NO_RULES = """
en  don't commit yet
en  do not touch main.py for now
en  Do not rename the columns yet, I am still counting.
en  don't fix anything, just tell me what is wrong
en  make sure the tests pass
en  make sure the build passes before you finish this one
en  push to main now
en  Actually, push the docs branch now.
en  delete the test rows
en  fix the typo in vendor/README.md
en  run the linter too
en  strings in the CSV export
en  this one is not generated any more
en  for this prototype skip them
en  it always returns 0
en  the test never finishes
en  always fails with exit code 137
en  always returns 0 here
en  Never seen this before
en  you always get this wrong
en  you never ran the tests
en  we never had that
en  never mind
en  never again
en  should we always run the tests?
en  do we always squash
en  why do we never get here
en  it should always show the header
en  we should always sort the rows by their name
en  the button must always be visible
en  the docs say "never push to main"
en  write a test that makes sure we never return null
en  rename the flag to alwaysRetry
en  from now on line 40 the indentation is off
en  clean up my branches so that going forward we don't have them
en  think about how you make sure to do this going forward
en  use option 2
en  always have to type it twice
en  the form forgets my name, always have to type it twice
en  the copies must stay in sync at all times
en  add a retry to the client, and always log the error
en  use a map instead of a list
en  no idea
en  no changes
en  no, that is fine
en  i prefer the second option
en  you can only select it in the dialog
en  in this repo there are two packages
en  it must be a caching issue
en  don't add comments to this function
en  stop the dev server
de  warum crasht das immer an der Stelle
de  die Seite lädt bei mir immer doppelt
de  nimm die zweite Variante
es  el test nunca termina en mi máquina
pt  só isso
pt  o teste nunca termina na minha máquina
fr  la branche est mergé
fr  cette page est toujours blanche chez moi
it  maiuscole nel titolo
pl  test nie działa
pl  nie wiem
ru  тест никогда не доходит до конца
tr  bu test bende asla bitmiyor
hi  ye hamesha yahi pe fail hota hai
zh  这个接口一直返回空
ja  このテスト、必ず3回目で失敗する
ko  이 테스트는 절대 안 끝나네
en  the mat was so nice in mai
"""
BESIDE = [  # a rule, then an exception or an addition that ends nothing
    ("Never push to main.", "Actually, push the docs branch now."),
    ("never delete rows", "delete the test rows"),
    ("don't touch vendor/", "fix the typo in vendor/README.md"),
    ("always run the tests", "run the linter too"),
    ("integers in cents, always", "strings in the CSV export"),
    ("do not edit generated files", "this one is not generated any more"),
    ("always tests first", "for this prototype skip them"),
    ("use tabs in Makefiles", "spaces in the YAML file are fine"),
    ("we deploy only on Tuesdays", "deploy this hotfix today"),
    ("British English in the docs", "the error texts stay American"),
    ("use pnpm", "use npm for the old demo"),
    ("Never push to main.", "you can push the docs branch again"),
    ("Never push to main.", "you may push to main again for this hotfix"),
    ("Never push to main.", "may I push to main again?"),
    ("Never push to main.", "push to main"),
    ("Never push to main.", "forget it"),
    ("Never push to main.", "forget the main menu"),
    ("Never push to main.", "ignore the lint rule"),
    ("always run the tests", "you can run the tests again"),
    ("use tabs in Makefiles", "why are there spaces? forget the tabs rule?"),
]
ENDED = [  # a rule, then words that revoke and name it
    ("use tabs in Makefiles", "forget the tabs rule"),
    ("tabs, not spaces", "ignore the tabs rule, the formatter decides"),
    ("Never push to main.", "you may push to main again from now on"),
    ("Never push to main.", "you may push again from now on"),
    ("Never push to main.", "from now on you can push to main"),
    ("avoid mocks", "mocks are ok again, the service is gone"),
    ("don't touch vendor/", "the vendor freeze is lifted"),
    ("never delete rows", "Forget what I said about deleting rows."),
    ("always run the tests", "you don't have to run the tests any more"),
    ("tabs statt leerzeichen", "vergiss die sache mit den tabs"),
]


def rows(table: str) -> list[str]:
    """The sentences of a table, the language before them left out."""
    return [line[4:] for line in table.strip().splitlines()]


def rule(text: str) -> Record:
    """A known rule."""
    return {"kind": "rule", "text": text}


@pytest.mark.parametrize("sentence", rows(RULES))
def test_a_strong_marker_makes_a_rule(sentence: str) -> None:
    assert standing_sentences(sentence) == [sentence]


@pytest.mark.parametrize("sentence", rows(NO_RULES))
def test_orders_tales_and_questions_are_none(sentence: str) -> None:
    assert standing_sentences(sentence) == []


@pytest.mark.parametrize(("earlier", "later"), BESIDE)
def test_an_exception_or_addition_ends_nothing(earlier: str, later: str) -> None:
    known = [rule(earlier)]
    assert rules_after(known, later) == ([], [])
    assert known == [rule(earlier)]


@pytest.mark.parametrize(("earlier", "later"), ENDED)
def test_a_rule_ends_when_it_is_revoked_by_name(earlier: str, later: str) -> None:
    other = rule("keep your answers short")
    assert rules_after([rule(earlier), other], later) == ([], [rule(earlier)])


def test_an_addition_that_stands_is_a_rule_beside() -> None:
    assert rules_after([rule("use pnpm")], "and never use npx") == (["and never use npx"], [])


def test_a_name_of_two_rules_ends_neither() -> None:
    known = [rule("never push to main on Fridays"), rule("never push tags to main")]
    assert rules_after(known, "you may push again from now on")[1] == []


@pytest.mark.parametrize("text", [
    "the log:\n\nNever push to main.", "```\nNever push to main.\n```", "> Never push to main.",
    "❯ Never push to main.",
    "it says: Never push to main."])
def test_pasted_lines_give_and_end_no_rule(text: str) -> None:
    assert standing_sentences(text) == []
    revoking = text.replace("Never push to main.", "forget the tabs rule")
    assert rules_after([rule("use tabs in Makefiles")], revoking) == ([], [])


def test_the_agent_s_words_given_back_give_no_rule() -> None:
    said = ["Done. You should never rename the generated columns."]
    assert standing_sentences("You should never rename the generated columns.", said) == []
    assert standing_sentences("You should never rename the generated columns.") != []


def test_a_rule_is_whole_and_as_typed() -> None:
    sentence = '**Always** use `make check` (e.g. on CI), not "make. Test" alone.'
    assert standing_sentences(f"Fix the parser.  Then we go.\n- {sentence} Then go on.") == [sentence]
    wrapped = "Please leave the changelog to me when you release, and never let a job\nrewrite an earlier entry."
    assert standing_sentences(wrapped) == [wrapped.replace("\n", " ")]


def test_the_same_rule_counts_once_and_a_page_of_them_is_cut() -> None:
    assert standing_sentences("never push\nnever push") == ["never push"]
    many = standing_sentences("\n".join(f"- never push branch {number}" for number in range(50)))
    assert many == [f"never push branch {number}" for number in range(RULES_OF_A_MESSAGE_MAX)]


def test_on_a_page_only_the_strongest_markers_count() -> None:
    page = "The parser reads a line and gives a row of the table.\n" * 150
    assert standing_sentences(f"{page}no emojis in commit messages\nnever push to main") == ["never push to main"]


@pytest.mark.parametrize("text", [
    "never " * 8_000, "whenever you " * 3_000, "'" * 40_000, '"' * 40_000, "use tabs in " * 3_000, "\ud800never push",
    "never\x00push", "a , " * 9_000, ""])
def test_hostile_text(text: str) -> None:
    assert isinstance(rules_after([rule(text), rule("")], text, [text]), tuple)
