"""Secrets go, half of one too, and harmless text stays; redacting twice changes nothing."""

from __future__ import annotations

import importlib
import random
import sys
from itertools import product
from typing import Any

import pytest

from compact_keeper.text import secret_patterns
from compact_keeper.text.holding import parts_in
from compact_keeper.text.quotation import quote, quote_all
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.text.telling import telling_line
from secrets_table import HARMLESS, LONGER, NAMED_BODIES, NAMED_CARRIERS, TOKENS, URL_BODIES, URLS, blocks

PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
CARRIERS = {
    "alone": "{}", "prose": "use {} for it, please", "sentence-end": "The token is {}.", "backticks": "set `{}` there",
    "quotes": 'login("{}")', "brackets": "({})", "command": "curl -H 'Authorization: Bearer {}' https://example.org",
    "header": "x-api-key: {}", "url": "https://example.org/v1?key={}&page=2", "env": "SOME_NAME={} make deploy",
    "json": '{{"value":"{}"}}', "json-escaped": '{{\\"value\\":\\"{}\\"}}', "line": "first\n{}\nlast",
    "comma": "a,{},b",
    "colon": "key:{}", "slash": "/secrets/{}/"}


def left_of(secret: str, text: str) -> list[str]:
    """The parts of a secret, 12 characters each, that a text still holds."""
    return [part for part in (secret[at:at + 12] for at in range(max(len(secret) - 11, 1))) if part in text]


def fault_of(secret: str, carrier: str) -> str:
    """What is wrong with the redacted text; empty when the secret is out and the rest is there."""
    text, (before, after) = redact(carrier.format(secret)), carrier.format("@@").split("@@")
    # A link's host and a token's public prefix may stay, its body may not.
    if "[redacted: " not in text or left_of(secret[len(secret) // 2:], text):
        return "left"
    return "" if text.startswith(before[:10]) and text.endswith(after[-4:].lstrip(".'\")&")) else "too much"


@pytest.mark.parametrize("secret", TOKENS.values(), ids=TOKENS.keys())
def test_tokens_are_redacted(secret: str) -> None:
    faults = {name: fault_of(secret, carrier) for name, carrier in CARRIERS.items()}
    assert {name: fault for name, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("carrier", NAMED_CARRIERS)
def test_named_secrets_are_redacted(carrier: str) -> None:
    left = []
    for secret in (body for body in NAMED_BODIES.values() if carrier not in LONGER or len(body) >= 20):
        named = NAMED_CARRIERS[carrier].format(secret)
        left += [text for text in (quote(named, 500), redact(named)) if "\n" not in text
                 and ("[redacted: " not in text or left_of(secret, text) or secret[-4:] in text)]
    assert left == []


@pytest.mark.parametrize("carrier", URLS.values(), ids=URLS.keys())
def test_passwords_in_urls_are_redacted(carrier: str) -> None:
    before, after = carrier.split("{}")
    for secret in URL_BODIES.values():
        text = redact(f"fetch {carrier.format(secret)} now")
        assert left_of(secret, text) == []
        assert text.startswith(f"fetch {before}[redacted: ")
        assert text.endswith(f"{after} now")


@pytest.mark.parametrize("key", [pytest.param(text, id=name) for name, text in blocks()])
def test_private_keys_are_redacted(key: str) -> None:
    assert redact(f"This is it:\n{key}") == "This is it:\n[redacted: private key]"
    assert left_of(key[60:120], quote(f"key {key} end", 500)) == []


def test_text_behind_a_private_key_stays() -> None:
    key = dict(blocks())["RSA-whole"]
    assert redact(f"{key}\nNever log it.") == "[redacted: private key]\nNever log it."


NAME_PIECES = (
    "pass", "password", "passphrase", "Passwort", "mot de passe", "contraseña", "密码", "secret", "token", "api_key",
    "access key", "MY_KEY", "_key", "credentials", "storepass", "keypass",
    "encryption-key", "pw", "auth", "?sig", "amz-signature", "--token",
    "--my_big-secret", "-a-api key", "--mot de passe", "\n- pass", "identified by", "configure set", "login", "user",
    "author", "key", "ſecret")
SIGN_PIECES = (
    "", " ", "\n", "\\n", "=", ":", ":=", "=>", "->", "%3D", "|", ">", ",", " is ", " to ", ' value="', "是", "\\\"",
    "'", '"', "`", "]", "*", "_", "</", " of the ")
VALUE_PIECES = ("hunter2", "Tr0ub4dor&3", "abc123def456", "aaaaaaaa", "$VAR", "[redacted: token]", "a.py", "x",
                '"abcd1"')


def test_what_is_asked_before_the_patterns_of_names_spares_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, pieces = random.Random(1), (NAME_PIECES, SIGN_PIECES, SIGN_PIECES, VALUE_PIECES, SIGN_PIECES)
    texts = ["".join(rng.choice(kind) for kind in pieces * 2) for _ in range(8_000)]
    texts += [f"{carrier.format(body)}\n{rng.choice(HARMLESS)}"
              for carrier, body in product(NAMED_CARRIERS.values(), NAMED_BODIES.values())]
    texts += [f"{words} aaaaaaaa" for words in ("aws configure set x_secret", "user ada password", "x --api-token")]
    texts.append("secret" + "\\" * 900 + "n='aaaaaaaa'")
    texts.append(r"the secret `a1b2c3d4e5f6g7\h`")
    texts.append(f"keys\n{TOKENS['github-personal']}:='aaaaaaaa'")
    short = [redact(text) for text in texts]
    monkeypatch.setattr(secret_patterns, "name_offsets", lambda *_: (None, None))
    assert [text for text, result in zip(texts, short) if redact(text) != result] == []
    assert sum(text != result for text, result in zip(texts, short)) > len(texts) // 4


ROWS_BY_WORD = [(word, row) for row in secret_patterns.SECRETS if row[0] != "token" for word in row[1]]


@pytest.mark.parametrize(("word", "row"), ROWS_BY_WORD, ids=[word for word, _ in ROWS_BY_WORD])
def test_the_first_hints_of_a_text_rule_out_no_row_whose_word_it_holds(word: str, row: object) -> None:
    first = parts_in(word.lower(), secret_patterns.first_hints(word.isascii()))
    assert row in secret_patterns.rows_with(tuple(first))[0]


@pytest.mark.parametrize("name", secret_patterns.NAMES)
def test_nor_a_name(name: str) -> None:
    first = parts_in(name, secret_patterns.first_hints(name.isascii()))
    assert name in secret_patterns.rows_with(tuple(first))[1]


@pytest.mark.parametrize("hint", secret_patterns.LEAST)
def test_no_token_is_shorter_than_the_words_that_are_looked_at(hint: str) -> None:
    shape = dict(secret_patterns.BUILT)[hint]
    whole = PARSER.parse(shape.replace("(?=", "(?:"))  # what is only looked at belongs to the token
    assert secret_patterns.LEAST[hint] <= whole.getwidth()[0]


def test_many_texts_are_quoted_as_each_alone() -> None:
    texts = [*HARMLESS, "", " a  b\n", "<system>"]
    secret = f"use {TOKENS['github-personal']} now"
    assert quote_all(texts, 160) == [quote(text, 160) for text in texts]
    assert quote_all([*texts, secret], 160) == [quote(text, 160) for text in [*texts, secret]]


def test_harmless_text_stays() -> None:
    assert [text for text in HARMLESS if redact(text) != text] == []


@pytest.mark.parametrize(("carriers", "secrets"), [
    pytest.param(CARRIERS, TOKENS, id="tokens"), pytest.param(NAMED_CARRIERS, NAMED_BODIES, id="named"),
    pytest.param(URLS, URL_BODIES, id="urls"), pytest.param({"alone": "{}"}, dict(blocks()), id="keys"),
    pytest.param({"alone": "{}"}, {text: text for text in HARMLESS}, id="harmless")])
def test_twice_changes_nothing(carriers: dict[str, str], secrets: dict[str, str]) -> None:
    changed = []
    for carrier, secret in product(carriers, secrets):
        text = carriers[carrier].format(secrets[secret])
        once, quoted = redact(clean(text)), quote(text, 200)
        if redact(once) != once or quote(quoted, 200) != quoted:
            changed.append((carrier, secret))
    assert changed == []


@pytest.mark.parametrize("limit", [20, 40, 60, 200])
def test_half_a_secret_is_not_left_by_a_cut(limit: int) -> None:
    secret = TOKENS["github-personal"]
    for shift in range(60):
        assert left_of(secret, quote("x" * shift + " " + secret, limit)) == []


def test_no_half_of_a_token_stands_where_a_long_output_is_cut() -> None:
    token = TOKENS["github-personal"]
    assert telling_line("a\n" * 8_000 + f"error: {token} " + "y " * (2_000 - len(token) // 4)).startswith("y y")
    assert telling_line("Exit code 1\nerror: one line " + "y" * 20_000).startswith("error: one line")


@pytest.mark.parametrize("lines", [
    "password: |\n  {}\nnext", "deploy --token \\\n  {} --force", "client_secret:\n\n  {}\n",
    "auth:\n  password: |\n    {}\n", "a Bearer token:\n```\n{}\n```\nRotate it", "The API key is:\n\n```text\n  {}"])
def test_a_value_below_its_name_is_gone_before_lines_are_taken_one_by_one(lines: str) -> None:
    value = "iPbnAMNH9UuwqzbTRn6A5aPlgUIXmKgw4rKsm3a7"
    kept = redact_across_lines(f"# rates\n{lines.format(value)}")
    assert value[:12] not in kept
    assert kept.startswith("# rates\n")


def test_the_rows_of_a_private_key_are_gone() -> None:
    rows = [f"{number:02d}U4yQLuWqybxaGn6NNtwtRj2pUrWSVbRX1zyzhC9m4o18T95JPhFXPxmq7SxwIr" for number in range(9)]
    key = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *rows, "-----END RSA " + "PRIVATE KEY-----"])
    assert not any(row[:12] in redact_across_lines(f"$ cat key.pem\n{key}\nok") for row in rows)


@pytest.mark.parametrize("text", [
    "", "def pass_on():\n    return total\n", "tokens:\n  12\n", "error:\nat a.py\n" * 200,
    '"next-auth": "^4.24.5",', 'csrf-token = ">=2.0.1 <3"', "google-auth==2.23.4",
    r'{\"oauth-token\":\"~1.2.0-rc.1\"}', 'api_key="test-api-key",', "token: 'fake_token'", "API_KEY=xxxxxxxx",
    "api_key=your_api_key_here",
    "https://zones.example/sse?key=north", "/rates?page=2&key=rates_of_the_northern_zones"])
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact_across_lines(text) == text


@pytest.mark.parametrize("row", [
    "| PASS | hunter2000 |", "| PASS | amax=200 |", "PASS: hunter2000 for me", "PASS: pin=4821 for the door",
    "pass: mode=3 vs x", "| DB_PASS | mode=3 vs x |", "PASS=mode=3 vs", "PASS: zones=20000123 for me",
    "PASS: passw=12 and", "PASS | zones=200 12345678", "--- PASS: Test1234 x", "PASS: TestUser9 (mine)",
    '"auth": "1.2.34567"', '"next-auth": "^4.24.5x!"', "token==1.2.3.4.5.6",
    "PASS: Zones=4", "PASS: zones=4a7f9 vs six", "MY-PASS_PASS: zones=4 vs six", "PASS: admin_zone=4 vs six"])
def test_what_is_no_verdict_or_version_for_certain_goes(row: str) -> None:
    assert "[redacted: password]" in redact(row)


def test_a_value_in_backticks_behind_its_name_goes() -> None:
    text = redact("a hardcoded token `8f813-4f1d4c0e8a77-1f0c2d/x` in it")
    assert text == "a hardcoded token `[redacted: password]` in it"


@pytest.mark.parametrize(("text", "secret"), [
    ("password=...$Tr0ub4dor&3", "Tr0ub4dor"), ("token=...-a8f7d6e5c4b3a2", "a8f7d6"), ("secret: …—Zk28Hdk29", "Zk28"),
    ("api_key=.../a8f7d6e5c4b3a2f1", "a8f7d6"), ('{"password": "...#Hunter22"}', "Hunter"),
    ("password=tu_token,Hunter22!!", "Hunter"), ("password=sua_senha_hunter_forte", "hunter"),
    ('api_key="test-api-key-hunter"', "hunter"), ("api_key=test-horse-hunter-key", "hunter"),
    ("token=xxxhunter22", "hunter"), ("password=test-hunter", "hunter"),
    ("https://zones.example/sse?key=hunter0a1b2c3d4e5f60718", "hunter"),
    ("/a?b=1&key=hunter0a1b2c3d4e5f60718", "hunter"),
    ("postgres://ada:<hunter>@db", "hunter"), ("postgres://ada:<DB_PASSWORD>@hunter22pass@db.example/x", "hunter"),
    ("postgres://ada:${PW}@hunter22pass@db", "hunter"), ("postgres://u:${A}@b:hunter22pass@db", "hunter")])
def test_what_begins_as_a_placeholder_and_goes_on_is_a_secret(text: str, secret: str) -> None:
    assert secret not in redact(text)
