"""The agent's words as sentences, and what each stands under."""

from __future__ import annotations

import pytest

from compact_keeper.recap.lines.said_sentences import (
    HEAD_SHOWN_UTF16,
    cut_outside_code,
    heads_before,
    sentences_of,
    with_gaps,
)
from compact_keeper.record.words.messages import SAID_MAX_UTF16
from compact_keeper.text.ends import HEADING_ABOVE_UTF16, both_ends_in_rows
from slow_texts import ending, slow_texts


@pytest.mark.parametrize(("words", "sentences"), [
    ("", []), (" \n\n ", []), ("```", []), ("---", []), ("…", ["…"]), ("|---|:--|", []), ("- ", []), ("1.", ["1."]),
    ("A. b. C.", ["A. b.", "C."]), ("One: two", ["One: two"]), ("Done. So it goes on.", ["Done. So it goes on."]),
    ("The delta is 3 rows. Plus the hooks. No more.", ["The delta is 3 rows. Plus the hooks.", "No more."]),
    ("It is 3 - 2. Now\nis it?", ["It is 3 - 2.", "Now", "is it?"]), ("读取。也可以。", ["读取。", "也可以。"]),
    ("**1. The match** fails.\n**2. The stream**", ["**1. The match** fails.", "**2. The stream**"]),
    ("### 3. Plans\nMade. No more.", ["### 3. Plans", "Made.", "No more."]),
    ("- a. B.\n1. c", ["- a.", "B.", "1. c"]), ("- [x] **a**: b", ["- [x] **a**: b"]),
    ("| a. B | c |\n|---|---|\n| d | E! F |", ["| a. B | c |", "| d | E! F |"]),
    ("读取。这也可以。 这里。**不**！** b", ["读取。这也可以。", " 这里。", "**不**！", "** b"]),
    ("```sh\nls -l\n```\nDone.", ["ls -l", "Done."]), ("```ls``` lists.\nDone.", ["Done."]),
])
def test_sentences(words: str, sentences: list[str]) -> None:
    assert [sentence["text"] for sentence in sentences_of(words)] == sentences


@pytest.mark.parametrize(("words", "heads"), [
    ("a\n- b\n- c", [[], [], []]), ("a:\n- b\n\n- c\n\nd", [[], [0], [0], []]),
    ("## a\nb\n## c\nd", [[], [0], [], [2]]),
    ("# a\n**bb**\nc\n**dd:**\n- e\n\nf", [[], [0], [0, 1], [0], [0, 3], [0]]),
    ("**aa:**\n- b\n  - c\n    more\n- d", [[], [0], [0, 1], [0, 1, 2], [0]]),
    ("a:\n| b | c |\n|---|---|\n| d | e |\nf", [[], [0], [0, 1], []]), ("a:\n```\nb\n```\n- c", [[], [], []]),
    ("⚠️ **Cut it if:**\n- b\n- c", [[], [0], [0]]), ("如下：\n- b", [[], [0]]),
    ("# a\n- b\n---\nc", [[], [0], []]), ("# a\n…\nb", [[], [], []]),
    ("**Ada:** B is. C is.\n\n🏗️ **Bob:** D is. E is.", [[], [0], [], [2]]), ("Of **a b**. C is.", [[], []]),
])
def test_what_each_stands_under(words: str, heads: list[list[int]]) -> None:
    assert [sentence["heads"] for sentence in sentences_of(words)] == heads


@pytest.mark.parametrize(("words", "tables"), [
    ("| a |\n|---|\n| b |\n| c |", [-1, 0, 0]), ("| a |\n| b |", [-1, -1]),
    ("| a |\n| b |\n|---|\n| c |", [-1, -1, -1]), ("|---|\n| a |\n| b |", [-1, -1]),
    ("d\n| a |\n|---|\n| b |\nd\n| c |", [-1, -1, 1, -1, -1]),
    ("| a |\n|---|\n…\n| b |", [-1, -1, -1]), ("```\n| a |\n|---|\n| b |\n```", [-1, -1, -1]),
])
def test_rows_of_a_table_know_its_head(words: str, tables: list[int]) -> None:
    assert [sentence["table"] for sentence in sentences_of(words)] == tables


@pytest.mark.parametrize(("words", "is_code"), [
    ("```\na\n```\nb", [True, False]), ("```a``` b\n```\na", [True]), ("```\na\n…", [True, True]),
    ("```\na\n…\nb", [True, True, False]), ("```\na\n…\nb\n```\nc", [True, True, True, False]),
    ("```\na\n…\nb\n```\nc\n```\nd", [True, True, False, True, False]),
    ("a\n…\nb\n```\nc", [False, True, True, False]), ("a\n…\nb\n```\nc\n```", [False, True, False, True]),
    ("…\na\n```\n…\nb\n```", [True, False, True, True]), ("a\n…\n```b```\n…\nc", [False, True, True, False]),
    ("~~~js\na\n~~~\nb", [True, False]), ("~~~\na\n…\nb\n~~~\nc", [True, True, True, False]), ("~~a~~ b", [False]),
])
def test_behind_a_cut_the_fences_tell_anew_what_is_code(words: str, is_code: list[bool]) -> None:
    assert [sentence["is_drawn"] for sentence in sentences_of(words)] == is_code


def test_between_words_that_were_cut_apart_there_is_a_mark() -> None:
    sentences = sentences_of("- Rows for each zone\n…\n- Rows for each year\n- Totals")
    assert with_gaps(sentences, {0, 2, 3}) == "- Rows for each zone … - Rows for each year - Totals"


@pytest.mark.parametrize(("words", "chosen", "shown"), [
    ("**可以！**读取。也可以。", {0, 1, 2}, "**可以！**读取。也可以。"), ("可以。 读取。", {0, 1}, "可以。 读取。"),
    ("可以。读取。也可以。", {0, 2}, "可以。 … 也可以。"), ("可以。读取。", {1}, "… 读取。"),
    ("**可以！** 读取", {1}, "**可以！** 读取"),
    ("可以。\n读取。\n- 也可以。", {0, 1, 2}, "可以。 读取。 - 也可以。"), ("Made. No more.", {0, 1}, "Made. No more."),
])
def test_what_stood_without_a_blank_stands_so(words: str, chosen: set[int], shown: str) -> None:
    assert with_gaps(sentences_of(words), chosen) == shown


def test_heads_stand_before_a_sentence_each_once_and_in_short() -> None:
    sentences = sentences_of(f"# {'a' * 200}\nb\n**cc**\nd\ne")
    assert heads_before(sentences, 0, ()) == ""
    assert heads_before(sentences, 3, ()) == f"# {'a' * (HEAD_SHOWN_UTF16 - 3)}… … **cc** "
    assert heads_before(sentences, 4, {0, 2, 3}) == ""
    assert heads_before(sentences, 4, {0}) == "… **cc** … "


@pytest.mark.parametrize(("text", "shown"), [
    ("", ""), ("`zones`", "`zones`"), ("it calls `Zone.first()` first", "it calls `Zone.first()`…"),
    ("it calls `Zone.first()`", "it calls `Zone.first()`"), ("`it` calls Zone.first() first", "`it` calls Zo…"),
    (f"it calls `{'z' * 40}`", "it calls `zzz…"), ("it calls `Zone.first", "it calls `Zon…"),
    ("it uses 🚚🚚 of `zones`", "it uses 🚚🚚…"), ("`🚚🚚🚚🚚🚚🚚🚚` drives", "`🚚🚚🚚🚚🚚🚚🚚`…"),
])
def test_a_name_between_ticks_is_not_cut_within(text: str, shown: str) -> None:
    assert cut_outside_code(text, 14) == shown


def test_long_words_keep_both_ends_and_their_rows() -> None:
    assert both_ends_in_rows("  a  b\n\n\n  c\t d \n", SAID_MAX_UTF16) == "a b\n\n  c d"
    kept = both_ends_in_rows("## Begin\n" + "- a row of it\n" * 600 + "The end.", SAID_MAX_UTF16)
    assert kept.startswith("## Begin\n- a row of it\n")
    assert kept.endswith("- a row of it\nThe end.")
    assert kept.count("\n…\n") == 1
    assert {*kept.splitlines()} == {"## Begin", "- a row of it", "…", "The end."}
    assert both_ends_in_rows("word " * 40, 50) == "word word word word word\n…\nword word word word"
    assert len(kept) <= SAID_MAX_UTF16 + 3


@pytest.mark.parametrize(("words", "end"), [
    ("# A\n" + "a\n" * 20 + "# B\n" + "b\n" * 20, "\n…\n# B …\n" + "b\n" * 5 + "b"),
    ("# A\n" + "a\n" * 40, "a\n…\n" + "a\n" * 5 + "a"), ("# A\n# B\n" + "a\n" * 40, "a\n…\n" + "a\n" * 5 + "a"),
    ("a\n" * 20 + "# B\n```\n" + "# b\n" * 20, "a\n…\n# B …\n```\n# b\n# b\n# b"),
    ("a\n" * 20 + "```\n# B\n```\n" + "b\n" * 20, "a\n…\n" + "b\n" * 5 + "b"),
    ("a\n" * 9 + "## B\n" + "bbbb\n" * 9 + "## C\nc\nc\nc", "a\n…\n## C\nc\nc\nc"),
    ("a\n" * 9 + "# B\n### D\n" + "bbbb\n" * 9 + "## C\nc\nc\nc", "\n…\n# B …\n## C\nc\nc\nc"),
    ("a\n" * 20 + f"# {'B' * 4_000}\n" + "b\n" * 20, f"\n…\n# {'B' * (HEADING_ABOVE_UTF16 - 3)} …\n" + "b\n" * 5 + "b"),
    ("\ud800# \0\n" * 20, "\n…\n\ud800# \0\n\ud800# \0"),
])
def test_what_is_left_of_the_end_has_its_heading(words: str, end: str) -> None:
    kept = both_ends_in_rows(words, 32)
    assert kept.endswith(end)
    assert kept.count("…\n") == end.count("…\n")


def test_hostile_words_end() -> None:
    with ending():
        for text in slow_texts(500):
            for sentence in sentences_of(f"# {text}\n- {text}\n{text}"):
                assert all(place >= 0 for place in sentence["heads"])
