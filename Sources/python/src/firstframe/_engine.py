"""Runs the shards of a plan on several processes or machines.

`firstframe plan` cuts a verb's work into shards, `shard` makes one of them, `status` says which are
whole, and `merge` puts them together or asks for more. An engine only has to call `shard` for a
list of numbers somewhere that sees the plan's folder. That a shard is there is believed of `status`
alone, which looks at the files: not of an exit code, a future or a heartbeat.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ._errors import PARTIAL, ResultError, ShardsFailed
from ._process import Child, Outcome, call, find

Made = tuple[int, bool, str]
"""A shard's number, whether its program ended well, and what to tell if not."""

FINAL = frozenset({64, 65, 66, 69})
"""Exit codes of `shard` that another try would give again."""
TRIES = 2
MOST_WAVES = 1000
_SECONDS_TO_END = 10.0


@runtime_checkable
class Engine(Protocol):
    """Makes shards of a plan."""

    def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
        """Makes the shards of these numbers in any order, and tells of each once.

        Raises KeyboardInterrupt when somebody stops it; shards that are finished stay.
        """
        ...


@dataclass(frozen=True)
class Status:
    """What `firstframe status DIR --json` says."""

    shards: int
    missing: tuple[int, ...]
    damaged: tuple[int, ...] = ()

    @staticmethod
    def of(program: str, folder: str) -> Status:
        """Asks the program; raises FirstFrameError, or ResultError for another answer."""
        text = call(["status", folder, "--json"], program=program).checked().stdout
        try:
            found = json.loads(text)
            if found["schema"] != 1 or found["kind"] != "firstframe.status":
                raise ResultError(f"{folder}: expected a status of schema 1, got another document")
            shards = int(found["shards"])
            missing = tuple(int(index) for index in found["missing"])
            damaged = tuple(int(index) for index in found.get("damaged", ()))
        except (ValueError, TypeError, KeyError) as problem:
            if isinstance(problem, ResultError):
                raise
            raise ResultError(f"{folder}: expected a status, got {text[:200]!r}") from None
        if not all(0 <= index < shards for index in missing):
            raise ResultError(f"{folder}: expected numbers below {shards}, got {list(missing)}")
        return Status(shards, missing, damaged)


def plan_folder(output: str, file: str, verb: Sequence[str]) -> str:
    """Where the plan of a command lies: the same command finds its finished shards again."""
    digest = hashlib.sha256("\0".join(verb).encode()).hexdigest()[:8]
    return str(Path(output) / "plans" / f"{Path(file).stem}-{digest}")


def drive(program: str, verb: Sequence[str], folder: str, engine: Engine) -> Outcome:
    """Plans a verb, makes what is missing, and merges, wave after wave, until there is a result.

    Raises FirstFrameError for what the verb itself refuses, and ShardsFailed for shards that are
    still missing after they were tried; the others stay for the next call.
    """
    call(["plan", "--output", folder, *verb], program=program).checked()
    for _ in range(MOST_WAVES):
        _make_missing(program, folder, engine)
        outcome = call(["merge", folder, "--quiet"], program=program).checked(PARTIAL)
        if outcome.status != PARTIAL:
            return outcome
        if not Status.of(program, folder).missing:
            raise ResultError(
                f"{folder}: expected more shards to make, got none: {outcome.stderr.strip()}"
            )
    raise ResultError(f"{folder}: expected a result after {MOST_WAVES} waves, got none")


def _make_missing(program: str, folder: str, engine: Engine) -> None:
    missing = Status.of(program, folder).missing
    if not missing:
        return
    told = {index: message for index, ok, message in engine.map_shards(folder, missing) if not ok}
    still = Status.of(program, folder).missing
    if still:
        raise ShardsFailed(
            folder,
            {
                index: told.get(index, "its program ended well, and its file is not whole")
                for index in still
            },
        )


def engine_of(client: Any, found: str, named: str | None) -> Engine:
    """The engine that a client of `Study.run` stands for; raises TypeError for none.

    `found` is the program of this machine; `named` what somebody has asked for, which workers of
    other machines take in place of their own.
    """
    match client:
        case DaskEngine(program=None):
            return replace(client, program=named)
        case LocalEngine(program=None) | SubmitEngine(program=None):
            return replace(client, program=found)
        case Engine():
            return client
    if callable(getattr(client, "submit", None)):
        if callable(getattr(client, "scheduler_info", None)):
            return DaskEngine(client, program=named)
        return SubmitEngine(client, program=found)
    raise TypeError(f"expected an engine, or a client with submit, got {client!r}")


# On this machine


@dataclass(frozen=True)
class LocalEngine:
    """Makes shards by processes of this machine, so many at a time, each with one thread."""

    workers: int
    program: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"expected at least one worker, got {self.workers}")

    def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
        """As Engine says. When it is stopped its processes are asked to end, and do."""
        calls = _Calls(find(self.program), plan_folder, list(indices))
        threads = [
            threading.Thread(target=calls.work, daemon=True)
            for _ in range(min(self.workers, len(indices)))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in indices:
                yield calls.done.get()
        finally:
            # Also when nobody wants more, or somebody pressed Ctrl-C.
            calls.stop()
            for thread in threads:
                thread.join()


class _Calls:
    """Shards that are to be made, and the programs that make some of them."""

    def __init__(self, program: str, folder: str, indices: list[int]) -> None:
        self.done: queue.SimpleQueue[Made] = queue.SimpleQueue()
        self._program = program
        self._folder = folder
        self._waiting = list(reversed(indices))
        self._children: list[Child] = []
        self._is_stopped = False
        self._lock = threading.Lock()

    def work(self) -> None:
        """Makes one shard after the other."""
        while (index := self._next()) is not None:
            self.done.put(self._make(index))

    def stop(self) -> None:
        """Makes no more, and ends what is under way."""
        with self._lock:
            self._is_stopped = True
            children = list(self._children)
        for child in children:
            child.interrupt()
        for child in children:
            child.end(_SECONDS_TO_END)

    def _next(self) -> int | None:
        with self._lock:
            return None if self._is_stopped or not self._waiting else self._waiting.pop()

    def _make(self, index: int) -> Made:
        for _ in range(TRIES):
            with self._lock:
                if self._is_stopped:
                    return index, False, "stopped"
                child = Child(command(self._program, self._folder, index))
                self._children.append(child)
            outcome = child.wait()
            with self._lock:
                self._children.remove(child)
            if outcome.status == 0 or outcome.status in FINAL:
                break
        return told(index, outcome)


# By a client of others


def make_shard(program: str | None, folder: str, index: int) -> tuple[int, str, int]:
    """What runs on a worker: the shard's number, what its program said, and its exit code.

    A worker finds its own program where none is named.
    """
    path = find(program)
    outcome = Child(command(path, folder, index)).wait()
    return index, outcome.stderr, outcome.status


@dataclass(frozen=True)
class SubmitEngine:
    """Makes shards by a client that has `submit(function, *arguments)`, whose futures have
    `add_done_callback` and `result`, such as an executor of concurrent.futures.

    Few tasks are in flight at a time, and what fails is tried once more by us, not by the client.
    """

    client: Any
    in_flight: int = 4
    program: str | None = None

    def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
        """As Engine says. When it is stopped, tasks that have not begun are cancelled."""
        folder = os.path.abspath(plan_folder)
        waiting = [(index, 1) for index in reversed(indices)]
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        running: dict[Any, tuple[int, int]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self._most():
                    index, number = waiting.pop()
                    future = self._submit(folder, index)
                    running[future] = (index, number)
                    future.add_done_callback(done.put)
                future = done.get()
                index, number = running.pop(future)
                made, is_final = _ended(index, future)
                if made[1] or is_final or number >= TRIES:
                    yield made
                else:
                    waiting.append((index, number + 1))
        finally:
            for future in running:
                future.cancel()

    def _most(self) -> int:
        return self.in_flight

    def _submit(self, folder: str, index: int) -> Any:
        return self.client.submit(make_shard, self.program, folder, index)


@dataclass(frozen=True)
class DaskEngine(SubmitEngine):
    """Makes shards by a dask.distributed.Client, on workers that have this package and see the
    plan's folder.

    Where `in_flight` is 0, twice as many tasks are in flight as the workers have threads now. A
    worker finds its program by itself, unless `program` names one.
    """

    in_flight: int = 0

    def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
        """As Engine says, with the logs of the scheduler kept to errors."""
        with _quiet_logs():
            yield from super().map_shards(plan_folder, indices)

    def _most(self) -> int:
        if self.in_flight:
            return self.in_flight
        # Workers come and go.
        return max(1, 2 * sum(int(count) for count in self.client.nthreads().values()))

    def _submit(self, folder: str, index: int) -> Any:
        # Not pure: a second try is another task. Retries are ours.
        return self.client.submit(make_shard, self.program, folder, index, pure=False, retries=0)


@contextlib.contextmanager
def _quiet_logs() -> Iterator[None]:
    names = ("distributed", "distributed.scheduler", "distributed.nanny", "distributed.worker")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _ended(index: int, future: Any) -> tuple[Made, bool]:
    """What became of a task, and whether another try cannot help."""
    try:
        _, stderr, status = future.result()
    # Whatever a worker, or its loss, throws is a reason to try again.
    except Exception as problem:  # noqa: BLE001
        return (index, False, f"{type(problem).__name__}: {problem}"), False
    return told(index, Outcome((), status, "", stderr)), status in FINAL


def command(program: str, folder: str, index: int) -> list[str]:
    """The call that makes a shard."""
    return [program, "shard", folder, "--index", str(index), "--threads", "1"]


def told(index: int, outcome: Outcome) -> Made:
    """A shard with the last thing that its program said."""
    if outcome.status == 0:
        return index, True, ""
    lines = outcome.stderr.strip().splitlines()
    return index, False, f"exit code {outcome.status}" + (f": {lines[-1]}" if lines else "")
