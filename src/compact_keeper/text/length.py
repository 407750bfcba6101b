"""How long a text is for the client, and the part of it that fits."""

from __future__ import annotations

CLIENT_CUTS_AT_UTF16 = 10_000  # what one hook says to the model (measured)
UNITS_PER_TOKEN = 4  # characters of English or code that make about a token
CUT_MARK = "…"  # where the end of a text is missing
MIDDLE_GONE = "[… lines that the record does not keep]"
PLAN_MAX_UTF16 = 32_000  # of the newest plan: eleven of 42 had over 8,000, the longest 28,700
OUTPUT_HEAD_CHARACTERS, OUTPUT_TAIL_CHARACTERS = 8_000, 16_000  # of a long output: the first error, the totals


def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units.

    By "utf-16", with two bytes that tell the order: Python has it built in, and would import a module for "utf-16-le".
    """
    return len(text) if text.isascii() else len(text.encode("utf-16", "surrogatepass")) // 2 - 1


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end where something is missing."""
    if units(text) <= limit:
        return text
    if text.isascii():
        return text[:max(limit - 1, 0)].rstrip() + CUT_MARK
    raw = text.encode("utf-16", "surrogatepass")[: 2 + 2 * max(limit - 1, 0)]
    return raw.decode("utf-16", "ignore").rstrip() + CUT_MARK


def is_cut_text(text: str) -> bool:
    """Whether the end of the text may be missing, as `cut` marks it."""
    return text.endswith(CUT_MARK)


def is_same_when_cut(text: str, whole: str) -> bool:
    """Whether a text, which `cut` may have shortened, is this one."""
    return text == whole or (is_cut_text(text) and whole.startswith(text[:-1].rstrip()))


def last_units(text: str, most: int) -> str:
    """The end of the text, at most so many UTF-16 units of it."""
    if text.isascii():
        return text[-most:]
    raw = text.encode("utf-16", "surrogatepass")
    return (raw[:2] + raw[2:][-2 * most:]).decode("utf-16", "ignore")


def before_space(text: str) -> str:
    """The text without its last word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.rpartition(" ")[0] or text


def whole_words(text: str, most: int) -> str:
    """The text; of one with more characters the words that are whole within so many, perhaps none.

    For what is redacted later: of a token that is cut the rest would not be known as one.
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def behind_space(text: str) -> str:
    """The text without its first word, which may be half of one; whole where no space parts them, as in Chinese."""
    return text.partition(" ")[2] or text


def without_middle(text: str, most: int) -> str:
    """The text; of one with more UTF-16 units whole lines of its beginning and its end, with MIDDLE_GONE between.

    A plan says at its end how it is to be checked.
    """
    if units(text) <= most:
        return text
    room = (most - units(MIDDLE_GONE) - 2) * len(text) // units(text)  # as characters
    first, _, _ = text[:room * 3 // 5].rpartition("\n")
    _, _, last = text[-room * 2 // 5:].partition("\n")
    return cut(f"{first}\n{MIDDLE_GONE}\n{last}" if first and last else text, most)


def ends_of_output(output: str) -> str:
    """The output; of a long one the whole lines of its beginning and its end, a blank one between them.

    Of one long line its beginning up to a space: a secret that is cut in half would not be known as one.
    """
    if len(output) <= OUTPUT_HEAD_CHARACTERS + OUTPUT_TAIL_CHARACTERS:
        return output
    head = output[:OUTPUT_HEAD_CHARACTERS]
    first = head.rpartition("\n")[0] or head.rpartition(" ")[0]
    _, _, last = output[-OUTPUT_TAIL_CHARACTERS:].partition("\n")
    return f"{first}\n\n{last}"


def at_blank(text: str, limit: int) -> str:
    """The text on one line, cut at a blank, since nothing recognises half a secret."""
    line = " ".join(text.split())
    return line if len(line) <= limit else whole_words(line, limit) + " …"
