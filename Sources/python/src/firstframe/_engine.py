"""Runs the shards of a plan on several processes or machines.

`firstframe plan` cuts a verb's work into shards, `shard` makes one of them, `status` says which are
whole, and `merge` puts them together or asks for more. An engine only has to call `shard` for a
list of numbers somewhere that sees the plan's folder. That a shard is there is believed of `status`
alone, which looks at the files: not of an exit code, a future or a heartbeat.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import random
import tempfile
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
LOOKS = 3
"""How often a wave is looked at before what is missing is given up."""
PLAN = "plan.json"
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


def drive(
    program: str, verb: Sequence[str], folder: str, engine: Engine, *, shows: bool = False
) -> Outcome:
    """Plans a verb, makes what is missing, and merges, wave after wave, until there is a result.

    With `shows` the verb's standard output is this process's. Raises FirstFrameError for what the
    verb itself refuses, and ShardsFailed for shards that are still missing after they were tried;
    the others stay for the next call.
    """
    _plan(program, verb, folder)
    for _ in range(MOST_WAVES):
        _make_missing(program, folder, engine)
        before = _text(folder)
        outcome = call(["merge", folder, "--quiet"], program=program, shows=shows).checked(PARTIAL)
        if outcome.status != PARTIAL:
            return outcome
        if not Status.of(program, folder).missing and _text(folder) == before:
            raise ResultError(
                f"{folder}: expected more shards to make, got none: {outcome.stderr.strip()}"
            )
    raise ResultError(f"{folder}: expected a result after {MOST_WAVES} waves, got none")


def _text(folder: str) -> bytes:
    try:
        return (Path(folder) / PLAN).read_bytes()
    except OSError:
        return b""


def _plan(program: str, verb: Sequence[str], folder: str) -> None:
    """Makes the plan, or keeps the one that is there when it still is of the same inputs.

    Somebody else may be at work on it, wherever: their later waves stay.
    """
    if _text(folder):
        with tempfile.TemporaryDirectory() as other:
            there = os.path.join(other, "plan")
            # With a time of a replication none is run.
            call(["plan", "--output", there, "--cpu-time", "1 s", *verb], program=program).checked()
            if _is_part(there, folder):
                return
    call(["plan", "--output", folder, *verb], program=program).checked()


def _is_part(fresh: str, kept: str) -> bool:
    """Whether a plan that was made has all that a fresh one of the same command asks for."""
    try:
        one, other = json.loads(_text(fresh)), json.loads(_text(kept))
        keys = {row["key"] for row in other["series"]}
        return one["command"] == other["command"] and all(
            row["key"] in keys for row in one["series"]
        )
    except (ValueError, KeyError, TypeError):
        return False


def _make_missing(program: str, folder: str, engine: Engine) -> None:
    told: dict[int, str] = {}
    for _ in range(LOOKS):
        before = _text(folder)
        missing = Status.of(program, folder).missing
        if not missing:
            return
        # Two who work on one plan begin at different places.
        first = random.randrange(len(missing))
        order = [*missing[first:], *missing[:first]]
        told = {index: message for index, ok, message in engine.map_shards(folder, order) if not ok}
        still = Status.of(program, folder).missing
        if not still:
            return
        # Once more where a program ended well and its file is not seen, and where somebody else has
        # added to the plan meanwhile.
        if _text(folder) == before and any(index in told for index in still):
            break
    raise ShardsFailed(
        folder,
        {
            index: told.get(index, "its program ended well, and its file is not whole")
            for index in Status.of(program, folder).missing
        },
    )


def engine_of(client: Any, found: str, named: str | None) -> Engine:
    """The engine that a client of `Study.run` stands for; raises TypeError for none.

    `found` is the program of this machine; `named` what somebody has asked for, which workers of
    other machines take in place of their own.
    """
    from ._dask import DaskEngine

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
