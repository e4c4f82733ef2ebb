"""Runs the program as a child process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from ._errors import PARTIAL, VERDICTS, Partial, error
from ._programs import ProgramMissing, program

VARIABLE = "FIRSTFRAME_PROGRAM"
"""The environment variable that names another program than the package carries."""


def find(named: str | None = None) -> str:
    """The path of the program: the one that is named, that of FIRSTFRAME_PROGRAM, or the carried.

    Raises ProgramMissing where there is none: nothing else is looked for.
    """
    for path, source in ((named, "program"), (os.environ.get(VARIABLE), VARIABLE)):
        if path:
            if not (os.path.isfile(path) and os.access(path, os.X_OK)):
                raise ProgramMissing(
                    f"firstframe: {source}: expected a program that may be executed, got {path}"
                )
            return os.path.abspath(path)
    return program()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call of the program ended."""

    command: tuple[str, ...]
    status: int
    stdout: str
    stderr: str

    def checked(self, *more: int) -> Outcome:
        """Itself, where the exit code is that of a result or one of `more`; raises otherwise."""
        if self.status in VERDICTS or self.status in more:
            return self
        raise error(self.command, self.status, self.stderr)


def call(
    arguments: Sequence[str], *, program: str, progress: bool = False, shows: bool = False
) -> Outcome:
    """Runs the program to its end.

    Ctrl-C is passed on once for each time that it is pressed: after the first the program finishes
    what is under way and writes what is complete. KeyboardInterrupt follows when it has ended.
    With `progress` standard error is shown as it comes; with `shows` standard output is this
    process's, and none of it is kept.
    """
    child = Child([program, *arguments], progress=progress, shows=shows)
    interrupts = 0
    while True:
        try:
            outcome = child.wait()
            break
        except KeyboardInterrupt:
            interrupts += 1
            child.interrupt()
    if interrupts:
        cause = (
            Partial(outcome.command, outcome.status, outcome.stderr)
            if outcome.status == PARTIAL
            else None
        )
        raise KeyboardInterrupt(outcome.stderr.strip()) from cause
    return outcome


@dataclass
class Child:
    """A running program, in a process group of its own: Ctrl-C reaches it only through us."""

    command: Sequence[str]
    progress: bool = False
    shows: bool = False
    _process: subprocess.Popen[bytes] = field(init=False)
    _texts: dict[str, bytes] = field(init=False, default_factory=dict)
    _readers: list[threading.Thread] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._process = subprocess.Popen(
            list(self.command),
            stdin=subprocess.DEVNULL,
            stdout=None if self.shows else subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        for name, stream in (("stdout", self._process.stdout), ("stderr", self._process.stderr)):
            if stream is None:
                self._texts[name] = b""
                continue
            reader = threading.Thread(target=self._read, args=(name, stream), daemon=True)
            reader.start()
            self._readers.append(reader)

    def _read(self, name: str, stream: IO[bytes]) -> None:
        parts: list[bytes] = []
        shows = self.progress and name == "stderr"
        # A pipe gives what is there; all of it would only come at the end.
        while part := os.read(stream.fileno(), 65536):
            parts.append(part)
            if shows:
                sys.stderr.write(part.decode("utf-8", "replace"))
                sys.stderr.flush()
        stream.close()
        self._texts[name] = b"".join(parts)

    def wait(self, timeout: float | None = None) -> Outcome:
        """Waits for the end; raises subprocess.TimeoutExpired where that takes longer."""
        status = self._process.wait(timeout)
        for reader in self._readers:
            reader.join()
        return Outcome(
            tuple(self.command),
            # As a shell tells an end by a signal.
            128 - status if status < 0 else status,
            self._texts["stdout"].decode("utf-8", "replace"),
            self._texts["stderr"].decode("utf-8", "replace"),
        )

    def interrupt(self) -> None:
        """Asks the program to finish what is under way."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self, seconds: float) -> None:
        """Waits for so many seconds, and stops it then."""
        try:
            self.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.wait()
