"""The numbers in a line of totals: how many failed, how many passed."""

from __future__ import annotations

import re

from compact_keeper.record.runner_output.known_rows import COLON_ABROAD, FAILED_ABROAD, PASSED_ABROAD

FAILURE_COUNTS = (
    r"(\d+)(?: tests?| of \d+)? (?:failed(?! as expected)|F(?:ailed|AILED)|[Ff]ailures|failure|failing|fail|errors?"
    r"|errored|issues?|offenses?|diagnostics?|interrupted|cancelled)\b(?!: \d)"
    r"|\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors|fail|cancelled):? +(\d+)\b| -(\d+): Some"
    r"|\[ +FAILED +\] (\d+) test|\bFAIL (\d+) \||│ +(\d+) +│$"
    rf"|(\d+) (?:{FAILED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{FAILED_ABROAD}){COLON_ABROAD}(\d+)")
SUCCESS_COUNTS = (
    r"(\d+) (?:tests? )?(?:[Pp]assed|passing|pass|succeeded|successful)\b|\b(?:[Pp]assed|succeeded|pass):? +(\d+)\b"
    r"|\+(\d+)[: ~-]|^(\d+) (?:examples?|[Tt]ests|test|runs|doctests?)\b"
    r"|(?:Tests run|Tests|Executed|with|DONE):? (\d+)\b"
    r"|\[ +PASSED +\] (\d+) test|\bPASS (\d+)\b|(\d+) (?:success(?:es)?|scenarios? passed|tests? run)\b"
    r"|in (\d+) test cases?\b|│ +(\d+) +│"
    rf"|(\d+) (?:{PASSED_ABROAD})(?!{COLON_ABROAD}\d)|(?i:{PASSED_ABROAD}){COLON_ABROAD}(\d+)")
OTHER_COUNTS = r"\d+ (?:flaky|skipped|todo|pending|total|warnings?)\b|\btests 0$|\bno tests$"
DOTNET = ("msbuild", "vstest")  # in whatever language: `2 Error(s)`; `Failed!  - Failed: 2, Passed: 30, …`
COUNTS_OF_DOTNET = r"(?:^|: +)(\d{1,9})(?=[ ,])"


def failures_in(runner: str, total: str) -> int:
    """How many failed by a line of totals of the runner."""
    numbers = numbers_of_dotnet(runner, total)
    return numbers[0] if numbers else sum_of(FAILURE_COUNTS, total)


def passes_in(runner: str, total: str) -> int:
    """How many passed by a line of totals of tests; ctest tells a share: one where it is not none."""
    numbers = numbers_of_dotnet(runner, total)
    if numbers:
        return numbers[1]
    return sum_of(SUCCESS_COUNTS, total) if runner != "ctest" else int(not total.startswith("0%"))


def numbers_of_dotnet(runner: str, total: str) -> list[int]:
    """The numbers in a line of .NET's, in whatever language: those that failed, then those that passed."""
    return [int(number) for number in re.findall(COUNTS_OF_DOTNET, total)] if runner in DOTNET else []


def is_read(runner: str, total: str) -> bool:
    """Whether a line of totals says in words that are known how many failed, passed or else, perhaps none."""
    return bool(numbers_of_dotnet(runner, total) or runner == "ctest" or any(
        re.search(pattern, total) for pattern in (FAILURE_COUNTS, SUCCESS_COUNTS, OTHER_COUNTS)))


def sum_of(pattern: str, text: str) -> int:
    """The sum of the numbers that the pattern finds."""
    return sum(int(number[:9]) for match in re.finditer(pattern, text) for number in match.groups() if number)
