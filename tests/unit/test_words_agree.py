"""The words of the sources do what the shared blocks do, as long as some scripts are not made from sources yet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import save_snapshot
from compact_keeper.record.outcomes import telling_line
from compact_keeper.text.length import cut, units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from secrets_table import HARMLESS, LONGER, NAMED_BODIES, NAMED_CARRIERS, TOKENS, URL_BODIES, URLS, blocks

TEXTS = [*HARMLESS, *TOKENS.values(), *(body for _, body in blocks()), *LONGER,
         *(carrier.format(body) for carriers, bodies in ((URLS, URL_BODIES), (NAMED_CARRIERS, NAMED_BODIES))
           for carrier in carriers.values() for body in bodies.values())]


def differences(text: str, limit: int) -> list[str]:
    """What of the two does not agree on the text."""
    pairs = {
        "clean": (clean(text), save_snapshot.clean(text)), "redact": (redact(text), save_snapshot.redact(text)),
        "quote": (quote(text, limit), save_snapshot.quote(text, limit)),
        "cut": (cut(text, limit), save_snapshot.cut(text, limit)),
        "units": (units(text), save_snapshot.units(text)),
        "telling_line": (telling_line(text), save_snapshot.telling_line(text))}
    return [name for name, (ours, theirs) in pairs.items() if ours != theirs]


def test_on_secrets_and_what_looks_like_them() -> None:
    assert {text: found for text in TEXTS if (found := differences(text, 200))} == {}


@given(st.text(max_size=400), st.integers(0, 100))
def test_on_any_text(text: str, limit: int) -> None:
    assert differences(text, limit) == []
