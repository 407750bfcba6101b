"""The numbers in a line of totals: how many failed, how many passed."""

from __future__ import annotations

from compact_keeper.record.output_row_lookup import compiled

FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed|failures?|failing|fail|errors?|issues?|offenses?|diagnostics?|interrupted"
    r"|cancelled)\b"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some")
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:passed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|tests?|runs|doctests?)\b|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b")
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in compiled(pattern).finditer(text) for number in match.groups() if number)
