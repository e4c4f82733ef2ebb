"""What goes wrong, as exceptions: one class for each exit code that is no verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._results import Run

VERDICTS = frozenset({0, 10, 11, 12, 13})
"""Exit codes of a result (contract, section 2)."""
PARTIAL = 14

_AT_FILE = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<key>.*?): "
    r"expected (?P<expected>.*?), got (?P<got>.*)"
)
_AT_OPTION = re.compile(
    r"(?P<option>--[a-z][a-z-]*(?: [^:]+)?): (?P<key>.*?): "
    r"expected (?P<expected>.*?), got (?P<got>.*)"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input, as the program names it.

    `file`, `line` and `column` (from 1) are None where an option is wrong, and `option` where a
    file is.
    """

    text: str
    key: str
    expected: str
    got: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    option: str | None = None

    def __str__(self) -> str:
        return self.text

    @staticmethod
    def of(line: str) -> Problem | None:
        """The problem that a line of standard error tells; None where it tells another thing."""
        if found := _AT_FILE.fullmatch(line):
            part = found.groupdict()
            return Problem(
                line,
                key=part["key"],
                expected=part["expected"],
                got=part["got"],
                file=part["file"],
                line=int(part["line"]),
                column=int(part["column"]),
            )
        if found := _AT_OPTION.fullmatch(line):
            part = found.groupdict()
            return Problem(
                line,
                key=part["key"],
                expected=part["expected"],
                got=part["got"],
                option=part["option"],
            )
        return None


class FirstFrameError(Exception):
    """The program ended without a result.

    `status` is its exit code, `command` what was called, and `stderr` all that it said on standard
    error, which is also the text of the exception. `problems` are the lines of it that say what is
    wrong where.
    """

    def __init__(self, command: Sequence[str], status: int, stderr: str) -> None:
        self.command = tuple(command)
        self.status = status
        self.stderr = stderr
        found = (Problem.of(line) for line in stderr.splitlines())
        self.problems = tuple(problem for problem in found if problem)
        super().__init__(stderr.strip() or f"{' '.join(command)}: exit code {status}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.status, self.stderr)


class InternalError(FirstFrameError):
    """The program itself is wrong (exit code 1)."""


class UsageError(FirstFrameError):
    """An option or a verb that does not exist, or a value out of range (64)."""


class ScenarioError(FirstFrameError):
    """A scenario or another input that cannot be used (65): `problems` name each place."""


class InputMissing(FirstFrameError):
    """An input file is missing (66)."""


class Unavailable(FirstFrameError):
    """A companion program, a right or a target is missing (69)."""


class Refused(FirstFrameError):
    """It would need more memory than it may have (70)."""


class OutputError(FirstFrameError):
    """The output cannot be written (73)."""


class Partial(FirstFrameError):
    """Stopped by a signal or a time limit before everything was decided (14).

    `run` has what was complete, where the program has written that; a sweep goes on where it was
    when the same command is given again.
    """

    def __init__(
        self, command: Sequence[str], status: int, stderr: str, run: Run | None = None
    ) -> None:
        super().__init__(command, status, stderr)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.status, self.stderr, self.run)


class ResultError(ValueError):
    """A folder of results that cannot be read, or has not what was asked for."""


class ShardsFailed(Exception):
    """Parts of a plan that could not be made: `messages` by the number of the part."""

    def __init__(self, folder: str, messages: dict[int, str]) -> None:
        self.folder = folder
        self.messages = messages
        some = "; ".join(f"shard {index}: {text}" for index, text in list(messages.items())[:5])
        more = f"; and {len(messages) - 5} more" if len(messages) > 5 else ""
        super().__init__(f"{folder}: {len(messages)} shards were not made: {some}{more}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder, self.messages)


_CLASSES: dict[int, type[FirstFrameError]] = {
    1: InternalError,
    PARTIAL: Partial,
    64: UsageError,
    65: ScenarioError,
    66: InputMissing,
    69: Unavailable,
    70: Refused,
    73: OutputError,
}


def error(command: Sequence[str], status: int, stderr: str) -> FirstFrameError:
    """The exception for an exit code that is no verdict."""
    return _CLASSES.get(status, FirstFrameError)(command, status, stderr)
