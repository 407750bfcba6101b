"""What the words of a text count as and what it is for and against: hostile texts, the tables, then pairs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compact_keeper.audit.weigh_words import (
    CODE,
    DULL,
    ENGLISH,
    FLIPPING,
    FOREIGN,
    GENERIC,
    GENERIC_WEIGHT,
    PHRASES,
    PLAIN,
    SAME,
    TERMS,
    TURNED,
    WHOLLY_AGAINST,
    WORDS,
    is_foreign,
    learn,
    signs,
    terms_in,
    word_root,
    words_in_text,
)

SIZE = 100_000  # characters of junk: what looks again and again would not end
BREAKS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
GROUPS = [group.split() for group in SAME.split("|")]
NOT_REACHED = frozenset("""
    okay said both first merely simply reason require
    small-case signed-in logged-in i18n e-mail % raise-to min-of user-facing end-user third-party
""".split())  # dull as they stand, or taken apart; of "reason" and "require" other forms count ("reasons")


def named(text: str) -> list[str]:
    """The text's terms without their weights."""
    return [term for term, _, _ in terms_in(text)]


def forget() -> None:
    """Lets nothing be learnt."""
    TERMS.clear()
    WORDS.clear()


# --- hostile texts ---


@pytest.mark.parametrize("text", [
    "", " ", "\t", "\n\n", "\0", "a\0", "\ud800", "x\ud800y", "…", "...", "-", "---", "'", "’’", "`", "()", "/", "//",
    "\\", "{}", "[]", "|", "*", "#", "@", "$", "%", "~", "^", "=", "+", "&", "_", "\x1b", "\u200b", "\ufeff", "🚚", "½",
    "。", "a/b", "\u0301", *BREAKS])
def test_a_text_of_no_words_counts_nothing(text: str) -> None:
    assert terms_in(text) == []
    assert signs(text) == {}
    assert not is_foreign(text)


@pytest.mark.parametrize("junk", [
    "x", "a ", "A", "/", "a/b", "'", "a'", "-", "a-", "_", "a_", ".", "a.", "aB", "1", "1a", "é", "e\u0301", "不要",
    "不a", "不/", "🚚", "\0", "\ud800", "\u202e", "\n", "\u2028", ",", "a,", "(", ")", "()", "not ", "never without ",
    "s", "ing", "ies", "`", "=", "http://", "roll back "])
def test_junk_of_100_kb_is_weighed(junk: str) -> None:
    text = (junk * SIZE)[:SIZE]
    assert all(weight > 0 for _, weight, _ in terms_in(text))
    assert set(signs(text).values()) <= {-1, 0, 1}
    assert len(" ".join(words_in_text(text))) <= 2 * SIZE
    is_foreign(text)


def test_as_many_different_words_are_weighed() -> None:
    text = " ".join(f"never{number}Used" for number in range(SIZE // 12))
    assert len(terms_in(text)) == len(signs(text)) == SIZE // 12


mixed = st.lists(st.one_of(
    st.text(st.characters(), max_size=12), st.sampled_from(
        (*BREAKS, " ", "roll", "back", "roll back", "no longer", "never", "don't", "src/a.py", "fixed", "不要",
         "\ud800", "a" * 300, ", ", "()", "'", "-"))), max_size=6).map("".join)


@given(st.lists(mixed, max_size=6))
@example(["roll", "back"])
@example(["roll\n", "back", "roll\nback", "roll back"])
@example(["one\u2028two", "three\x85four", "five\x0bsix", "", "seven\r\neight"])
@example(["same", "same", ""])
def test_texts_learnt_at_once_are_as_one_by_one(texts: list[str]) -> None:
    forget()
    learn(texts)
    at_once = [(terms_in(text), words_in_text(text)) for text in texts]
    forget()
    assert [(terms_in(text), words_in_text(text)) for text in texts] == at_once


@pytest.mark.parametrize("mark", BREAKS)
def test_a_text_with_breaks_keeps_all_its_words_and_no_others(mark: str) -> None:
    broken = f"alpha{mark}beta{mark}"
    learn([broken, "gamma"])
    assert (named(broken), named("gamma")) == (["alpha", "beta"], named("gamma."))
    assert (words_in_text(broken), words_in_text("gamma")) == (["alpha", "beta"], ["gamma"])


@given(mixed)
def test_weights_and_signs_are_of_those_that_there_are(text: str) -> None:
    assert {weight for _, weight, _ in terms_in(text)} <= {GENERIC_WEIGHT, PLAIN / 2, PLAIN, CODE}
    assert all(term and all(parts) for term, _, parts in terms_in(text))
    assert set(signs(text).values()) <= {-1, 0, 1}


# --- tables ---


@pytest.mark.parametrize("table", [SAME.replace("|", " "), DULL, GENERIC, ENGLISH, FLIPPING, WHOLLY_AGAINST])
def test_no_word_stands_twice_in_a_table(table: str) -> None:
    assert [word for word, count in Counter(table.split()).items() if count > 1] == []


def test_every_group_has_two_words_and_no_word_is_dull_or_taken_apart_but_those_meant() -> None:
    assert [group for group in GROUPS if len(group) < 2] == []
    assert {word for group in GROUPS for word in group if named(word) != [word_root(group[0])]} <= NOT_REACHED


def test_a_phrase_is_a_word_that_counts_or_one_that_turns() -> None:
    turning = {*FLIPPING.split(), *WHOLLY_AGAINST.split()}
    assert [phrase for phrase, word in PHRASES.items() if word and not terms_in(word) and word not in turning] == []
    assert [word for word in PHRASES.values() if len(word.split()) > 1] == []


def test_what_turns_a_sign_is_itself_not_dull() -> None:
    assert [word for word in TURNED if not terms_in(word)] == []
    assert {word: named(word) for word, against in TURNED.items() if named(word) != [word_root(against)]} == {}


def test_no_small_word_is_of_both_languages() -> None:
    assert set(FOREIGN.split()) & set(ENGLISH.split()) == set()


# --- words ---


@pytest.mark.parametrize(("text", "expected"), [
    ("The a of and to it.", []), ("Don't, don’t, DON'T!", []), ("99", [("99", CODE, ())]),
    ("２", [("2", CODE, ())]), ("v2.9.3", [("v2.9.3", CODE, ("2", "9", "3"))]),
    ("`src/util/retry.ts`", [("retry.ts", CODE, ("retry", "ts"))]),
    ("parse_money()", [("parse_money", CODE, ("par", "mon"))]), ("parseMoney", [("parsemoney", CODE, ("par", "mon"))]),
    ("https://a.example/v1", [("https://a.example/v1", CODE, ("http", "example", "1"))]),
    ("tab-width", [("tab", PLAIN, ()), ("width", PLAIN, ())]), ("UTF-8", [("utf-8", CODE, ("utf", "8"))]),
    ("folder", [("folder", GENERIC_WEIGHT, ())]), ("tabs", [("tab", PLAIN, ())]), ("TABS", [("tab", PLAIN, ())]),
    ("Ünïcödé", [("unicod", PLAIN, ())]), ("U\u0308nico\u0308d", [("unicod", PLAIN, ())]),
    ("删除表", [("删除", PLAIN / 2, ()), ("除表", PLAIN / 2, ())]), ("表", [("表", PLAIN / 2, ())]),
    ("שלום", [("שלום", PLAIN, ())]), ("мир", [("мир", PLAIN, ())]),
    ("改a.py", [("改", PLAIN / 2, ()), ("a.py", CODE, ("py",))])])
def test_what_a_word_counts_as(text: str, expected: list[tuple[str, float, tuple[str, ...]]]) -> None:
    assert terms_in(text) == expected


@pytest.mark.parametrize("text", ["2", "7 retries", "retry.ts", "src/retry.ts", "parseMoney", "x-request-id9"])
def test_marks_around_a_word_change_nothing(text: str) -> None:
    for around in ("`{}`", '"{}"', "“{}”", "({})", "{}.", "{},", "[{}]", "**{}**", "'{}'", "«{}»", "– {} –"):
        assert terms_in(around.format(text)) == terms_in(text), around


@pytest.mark.parametrize("same", [
    "delete deletes deleted deleting deletion removing removal dropped erased wiped",
    "change changes changed changing modify modifies modified modification edited",
    "run running ran executes executed", "commit commits committed committing", "test tests tested testing",
    "cache cached caches caching", "approval approve approved approves permission", "reasons causes",
    "requirement requiring", "parser parsers", "migration migrations migrate", "color colour colours",
    "three 3", "pr reviewer", "sync synchronise synchronizing", "café Cafe CAFÉ", "stop stopped stopping stops"])
def test_words_of_one_meaning_are_one_term(same: str) -> None:
    found = {tuple(named(word)) for word in same.split()}
    assert len(found) == 1
    assert found != {()}


@pytest.mark.parametrize("other", ["add delete", "npm pnpm", "read write", "start stop", "lower upper", "fast slow",
                                   "port part", "enable disable", "minimum maximum", "input output", "8080 8088"])
def test_words_of_other_meanings_are_other_terms(other: str) -> None:
    one, another = other.split()
    assert named(one) != named(another)


@pytest.mark.parametrize(("phrase", "word"), [
    ("pull request", "PR"), ("Pull request", "PR"), ("roll back", "rollback"), ("timed out", "timeout"),
    ("logged in", "login"), ("lower-case", "lowercase"), ("by hand", "manual"), ("parse()", "parse")])
def test_a_phrase_is_one_word(phrase: str, word: str) -> None:
    assert terms_in(phrase) == terms_in(word)


@pytest.mark.parametrize(("text", "expected"), [
    ("Don't edit `src/a_b.py:12`!", ["dont", "edit", "src", "a", "b", "py", "12"]), ("ÄRGER, Café", ["arger", "cafe"]),
    ("the-only--one", ["the", "only", "one"]), ("it’s", ["its"]), ("不要 修改。", ["不要", "修改"]),
    ("a\u2028b", ["a", "b"])])
def test_the_bare_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words_in_text(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("Bitte nie direkt auf main pushen.", True), ("Toujours écrire les tests avant le code.", True),
    ("Nunca modificar los archivos generados.", True), ("不要修改这些生成的文件 a.py", True),
    ("コミットの前に make check", True), ("Не трогай грамматику в docs/grammar.md", True), ("שלום עולם", True),
    ("Never push to main.", False), ("commit", False), ("42", False), ("The façade of the café.", False),
    ("Use the `der` package for all of it.", False), ("docs/不.md is the only one of these files", False),
    ("🚚🚚🚚🚚", False), ("→ ✓ → ✓", False)])
def test_the_language_of_a_text(text: str, expected: bool) -> None:
    assert is_foreign(text) == expected


# --- signs ---


@pytest.mark.parametrize(("text", "pro", "against", "neither"), [
    ("Push to main.", "push main", "", ""), ("Never push to main.", "", "push main", ""),
    ("Don't mock the clock.", "", "mock clock", ""), ("Nobody merges releases.", "", "merges releases", ""),
    ("Commit often without review.", "commit often", "review", ""),
    ("Everything except carts is tested.", "tested", "carts", ""),
    ("Use pnpm rather than npm.", "use pnpm", "npm", ""), ("Use pnpm, as opposed to npm.", "use pnpm", "npm", ""),
    ("Prefer composition over inheritance.", "prefer composition", "inheritance", ""),
    ("Prefer composition to inheritance.", "prefer composition", "inheritance", ""),
    ("Use tabs, not spaces.", "use tabs", "spaces", ""), ("Use tabs (no spaces).", "use tabs", "spaces", ""),
    ("Sugar-free cookies.", "cookies", "sugar", ""), ("Vendor stays untouched.", "vendor", "edit", ""),
    ("The replica is read-only.", "replica", "edit", ""), ("Stay offline.", "", "network", ""),
    ("Leave vendor alone.", "", "vendor", ""), ("Leave the reducer as it is.", "", "reducer", ""),
    ("Mocks are forbidden.", "", "mocks", ""), ("Mocks are not allowed.", "", "mocks", ""),
    ("Mocks are off limits.", "", "mocks", ""), ("Hands off the grammar.", "", "grammar", ""),
    ("No longer use tox.", "", "use tox", ""), ("Edit lexers in crates.", "edit lexers", "", "crates"),
    ("Names must not show.", "", "show", "names"), ("Push code. Never push code.", "", "", "push code"),
    ("Nie pushen.", "", "pushen", ""), ("Jamais commit.", "", "commit", ""), ("skip the linter", "", "linter", "")])
def test_what_a_text_is_for_and_against(text: str, pro: str, against: str, neither: str) -> None:
    found = signs(text)
    for words, sign in ((pro, 1), (against, -1), (neither, 0)):
        assert {word: found.get(named(word)[0]) for word in words.split()} == dict.fromkeys(words.split(), sign)


@pytest.mark.parametrize(("twice", "word"), [
    ("Never not test.", "test"), ("Don't skip tests.", "test"), ("Never deploy without tests.", "test"),
    ("Do not forget the changelog.", "changelog"), ("No build without caches.", "caches")])
def test_against_twice_is_for_it(twice: str, word: str) -> None:
    assert signs(twice)[named(word)[0]] == 1


@pytest.mark.parametrize("mark", [", ", "; ", ". ", " (", ": ", " — ", "! ", "? ", " but "])
def test_a_sign_ends_with_its_clause(mark: str) -> None:
    found = signs(f"never rebase{mark}squash")
    assert found == {named("rebase")[0]: -1, named("squash")[0]: 1}


@pytest.mark.parametrize("joint", [" ", " and ", " or ", "/", "-"])
def test_within_a_clause_it_goes_on(joint: str) -> None:
    assert set(signs(f"never rebase{joint}squash").values()) == {-1}


def test_the_signs_asked_for_again_are_the_same() -> None:
    """They are kept by text: nobody may have changed them."""
    first = dict(signs("Never push to main."))
    signs("Push to main.")
    assert signs("Never push to main.") == first
