"""A command that ended, as it is judged: its checks, its output, its exit code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from compact_keeper.record.commands.check_programs import MAY_TEST
from compact_keeper.record.commands.programs import LISTING_FORMATTERS
from compact_keeper.record.runner_output.failure_lines import error_with_stack
from compact_keeper.record.runner_output.reading import output_lines, read_output
from compact_keeper.types import Check

LISTING_OPTION = r" -\w{0,5}l\w{0,5}\b"
FILE_LISTED = r"\S{1,400}\.\w{1,6}$"


class EndedCommand:
    """A command that ended: what it was, what it printed, what the client says of its end."""

    def __init__(self, command: str, checks: Sequence[Check], output: str, exit_code: int | None) -> None:
        """An exit code of None is one that the client does not tell."""
        self.command, self.checks, self.exit_code = command, checks, exit_code
        self.lines = output_lines(output)
        self.reading = read_output(self.lines)
        if checks and not any(check["runner"] for check in checks):
            self.reading.take_titled(self.lines)

    @cached_property
    def text(self) -> list[str]:
        """The lines that are not empty; of most runs nobody asks for them."""
        return list(filter(None, map(str.strip, self.lines)))

    @cached_property
    def printed_error(self) -> str:
        """The error that it printed with its stack; empty beside tests that passed: these print such errors on purpose.

        A bundler said "✓ built" and exited 0, and the error below was what the session looked for.
        """
        reading = self.reading
        may_test = any(check["family"] in MAY_TEST for check in self.checks)
        is_of_tests = reading.tests or (may_test and (reading.passed or reading.seen_passing))
        return "" if is_of_tests else error_with_stack(self.lines)

    @property
    def only_line(self) -> str:
        """The line that is not empty, where there is just one."""
        first = [*islice(filter(None, map(str.strip, self.lines)), 2)]
        return first[0] if len(first) == 1 else ""

    @property
    def is_error(self) -> bool | None:
        """Whether its exit code says that it failed."""
        return None if self.exit_code is None else self.exit_code != 0

    @property
    def has_failed(self) -> bool:
        """Whether the output says so."""
        return self.reading.failed or self.reading.failures > 0 or self.lists_files()

    def lists_files(self) -> bool:
        """Whether a formatter that was to list what it would change has listed files."""
        if len(self.checks) != 1 or self.checks[0]["runner"] not in LISTING_FORMATTERS:
            return False
        is_to_list = re.search(LISTING_OPTION, self.checks[0]["command"]) is not None
        return is_to_list and bool(self.text) and all(re.match(FILE_LISTED, line) for line in self.text)
