"""Controls and tags are taken out or disarmed; lengths are those of the client; a quotation stands on one line."""

from __future__ import annotations

import pytest

from compact_keeper.text.length import cut
from compact_keeper.text.length import units as our_units
from compact_keeper.text.quotation import quote
from compact_keeper.text.sanitize import clean
from sessions import units


@pytest.mark.parametrize(("text", "expected"), [
    ("plain text\nsecond\n", "plain text\nsecond\n"),
    ("plain\ttext\nsecond", "plain\ttext\nsecond"),
    ("ünïcode 日本語 🚚 العربية", "ünïcode 日本語 🚚 العربية"),
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "link"),
    ("\x1b]0;title", ""),
    ("\x1bc", ""),
    ("bell\x07 back\x08", "bell back"),
    ("one\r\ntwo", "one\ntwo"),
    ("one\rtwo", "one\ntwo"),
    ("one\x07\n\ntwo\n", "one\n\ntwo"),
    ("nul\0", "nul"),
    ("c1\x9b31m", "c131m"),
    ("bidi\u202egnp.exe\u2066", "bidignp.exe"),
    ("line\u2028paragraph\u2029next\x85", "line\nparagraph\nnext"),
    ("zero\u200bwidth\ufeff", "zerowidth"),
    ("lone \ud800 surrogate", "lone ? surrogate"),
    ("tags\U000e0041\U000e007f \U000e0101 \ufff9x\ufffb", "tags  x"),
    ("sys\ufe0f\u200dtem a\ufe0e\ufe0f", "system a"),
    ("fillers\u3164\u115f\u1160\uffa0\u034f\u061c\u180e", "fillers"),
    ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648"),
    ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
    ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
    ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
    ("\u2b06\ufe0f:: 1\ufe0f\u20e3 \U0001f6e0\ufe0f", "\u2b06\ufe0f:: 1\ufe0f\u20e3 \U0001f6e0\ufe0f"),
    ("\ufe0fa\ufe0f 1\ufe0f<\ufe0f\u2b06\ufe0f\ufe0f", "a 1<\u2b06\ufe0f"),
    ("\u2b06\ufe0e\ufe0f \u3164\ufe0f \u2b06\u200b\ufe0f a\ufe0f\u200d", "\u2b06  \u2b06 a"),
    ("x\u200d\u200cy \U0001f69a\u200d\u200d", "xy \U0001f69a\u200d"),
    ("1 < 2 and a<b>", "1 < 2 and a<b>"),
    ("List<String> x", "List<String> x"),
])
def test_controls_are_taken_out(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert clean(expected) == expected


@pytest.mark.parametrize("tag", [
    "<system-reminder>", "</system-reminder>", "<SYSTEM>", "< system-reminder>", "</ system>", "＜system-reminder＞",
    "<user>", "<human>", "<assistant>", "<command-name>", "<local-command-stdout>", "<bash-input>",
    "<task-notification>",
    "<teammate-message>", "<tool_use_error>", "<tool_result>", "<function_calls>", "<function_results>",
    "<invoke name='x'>",
    "<invoke>", "<user-prompt-submit-hook>", "<new-diagnostics>", "<compact-keeper>", "<\u200bsystem-reminder>",
    "<\u2060system-reminder>", "<\u00adsystem-reminder>", "<\u200dsystem-reminder>", "<sys\u200btem-reminder>",
    "<\tsystem>", "<\nsystem>", "<parameter name='x'>", "<ide_selection>", "<persisted-output>", "<total_tokens>",
    "﹤system-reminder﹥", "<            system>", "<|im_start|>", "<thinking>", "<channel>", "<\uff53ystem>",
    "<\u0455ystem-reminder>", "<s\u0443stem>"])
def test_tags_of_the_client_are_disarmed(tag: str) -> None:
    result = clean(f"before {tag} after")
    assert not any(result.partition("before ")[2].startswith(sign) for sign in "<＜﹤")
    assert clean(result) == result


@pytest.mark.parametrize("text", [
    "", "a", "äöü", "日本語", "🚚", "a🚚b", "\ud800", "e\u0301", "\U0001f468\u200d\U0001f469"])
def test_units_are_those_of_the_client(text: str) -> None:
    assert our_units(text) == units(text)


@pytest.mark.parametrize(("text", "limit", "expected"), [
    ("", 5, ""),
    ("hello", 5, "hello"),
    ("hello!", 5, "hell…"),
    ("日本語日本語", 4, "日本語…"),
    ("🚚🚚", 4, "🚚🚚"),
    ("🚚🚚🚚", 4, "🚚…"),
    ("🚚🚚🚚", 5, "🚚🚚…"),
    ("a🚚b", 3, "a…"),
    ("word and", 6, "word…"),
    ("hello", 1, "…"),
])
def test_cut(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected
    assert units(cut(text, limit)) <= limit


@pytest.mark.parametrize(("text", "expected"), [
    ("  two\n lines\t", "two lines"),
    ("", ""),
    ("\x1b[1mbold\x1b[0m <system-reminder>", "bold ‹system-reminder>"),
    ("a\u3000b\u00a0c", "a b c"),
])
def test_quote_is_one_line(text: str, expected: str) -> None:
    assert quote(text, 100) == expected
