"""The section in CLAUDE.md: it comes and goes, and no other byte changes."""

from __future__ import annotations

import pytest

from compact_keeper.setup.instructions import with_section, without_section
from compact_keeper.store.refusal import Refusal


@pytest.mark.parametrize("text", [
    None, b"", b"\n", b"# Rules", b"# Rules\n", b"# Rules\r\n\r\nTabs.\r\n", b"a\r\nb", b"\n\n\n",
    b"\xef\xbb\xbf# \xff\n"])
def test_the_section_comes_and_goes_and_the_rest_stays(text: bytes | None) -> None:
    written = with_section(text)
    assert written.startswith(text or b"")
    assert b"## Compact Instructions" in written
    assert written.count(b"\n") == written.count(b"\r\n") or b"\r\n" not in (text or b"")
    assert with_section(written) == written
    assert with_section(written.replace(b"Compact Instructions", b"Of Old")) == written
    assert without_section(written) == text
    assert without_section(text) == text


def test_what_was_written_behind_the_section_stays() -> None:
    assert without_section(with_section(b"# Rules\n") + b"\nMore.\n") == b"# Rules\n\nMore.\n"


@pytest.mark.parametrize("text", ["{0}\n{0}\n{1}", "{1}\n{0}", "{0}", "x {1}", "{0}{1}{0}{1}"])
def test_marks_that_are_no_pair_are_refused(text: str) -> None:
    content = text.format("<!-- compact-keeper:begin -->", "<!-- compact-keeper:end -->").encode()
    for edit in (with_section, without_section):
        with pytest.raises(Refusal, match=r"the marks .* do not stand there once each"):
            edit(content)
