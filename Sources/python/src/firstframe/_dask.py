"""Shards by workers of Dask, and the clusters that `--on` opens."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import pickle
import platform
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _worker
from ._engine import Made
from ._process import find

LOG = logging.getLogger("firstframe")

TRIES = 2
"""Of a shard whose program fails: here, and once on another worker."""
TRIES_OF_LOST = 4
"""Of a shard whose worker is lost, which is seldom the shard's fault."""
OF_THE_WORKER = frozenset({65, 66, 69, 70, 73, _worker.CANNOT_START, 127})
"""Exit codes of `shard` that say that this worker cannot do shards of this plan."""
OF_THE_PLAN = frozenset({64})
STOPPED = frozenset({128 + 2, 128 + 15})
KILLED = 128 + 9

_POLL = 0.5
_SECONDS_WITHOUT_SCHEDULER = 10.0
_SECONDS_TO_STOP = 5.0
_SECONDS_ALONE = 10.0
"""After which it is told that there is no worker."""
_TASK_SECONDS = 2.0
"""What a task takes at least: several shards, where they are short."""
_PLAN_BYTES_PER_SECOND = 5e6
"""How fast a program reads a plan, which every task does."""
_LATE_SECONDS = 30.0
_LATE_FACTOR = 4.0


class SchedulerLost(Exception):
    """The scheduler is gone; what is finished stays."""


@dataclass(frozen=True)
class Estimates:
    """What shards of a plan are expected to take; empty where the plan does not say."""

    seconds: tuple[float | None, ...] = ()
    memory: tuple[int, ...] = ()
    plan_bytes: int = 0

    @staticmethod
    def of(folder: str) -> Estimates:
        """Reads a plan."""
        try:
            data = (Path(folder) / "plan.json").read_bytes()
            plan = json.loads(data)
            series = plan["series"]
            rows = [(series[shard["series"]], shard["count"]) for shard in plan["shards"]]
            return Estimates(
                tuple(
                    None if (one := row.get("cpuSeconds")) is None else float(one) * int(count)
                    for row, count in rows
                ),
                tuple(int(row["memoryBytes"]) for row, _ in rows),
                len(data),
            )
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return Estimates()

    def time(self, indices: Sequence[int]) -> float | None:
        """Processor seconds of these shards together."""
        parts = [self.seconds[i] if i < len(self.seconds) else None for i in indices]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def need(self, indices: Sequence[int]) -> int:
        """Bytes of memory that one of these shards needs at most."""
        return max((self.memory[i] for i in indices if i < len(self.memory)), default=0)


@dataclass(frozen=True)
class DaskEngine:
    """Makes shards by a dask.distributed.Client, on workers that see the plan's folder.

    Where `in_flight` is 0, twice as many tasks are in flight as the workers have threads now. A
    worker takes the program that `program` names, or finds its own; one that has none is sent
    ours. Retries are ours: a shard is tried once more on another worker, and a worker that cannot
    do shards of this plan, such as one of another model version, is told of and not asked again.
    """

    client: Any
    in_flight: int = 0
    program: str | None = None

    def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
        """As Engine says; raises SchedulerLost when the scheduler does not come back."""
        import cloudpickle

        cloudpickle.register_pickle_by_value(_worker)
        folder = os.path.abspath(plan_folder)
        with _quiet_logs():
            run = _Run(self, folder, Estimates.of(folder), deque(indices), set(indices))
            try:
                yield from run.make()
            finally:
                run.stop()

    def slots(self) -> int:
        """Threads of all workers now."""
        return sum(worker.threads for worker in _workers(self.client).values())


class _Sent:
    """A function of `_worker` that arrives by value, whatever the client's own way to pickle is."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        return pickle.loads, (cloudpickle.dumps(self.function),)


@dataclass(frozen=True)
class _Known:
    """A worker, as the scheduler tells of it."""

    threads: int
    memory: int
    declared: float | None
    host: str


@dataclass
class _Task:
    indices: list[int]
    began: float
    has_twin: bool = False


@dataclass
class _Run:
    engine: DaskEngine
    folder: str
    estimates: Estimates
    waiting: deque[int]
    open: set[int]
    done: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    running: dict[Any, _Task] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)
    away: dict[int, set[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    sent: dict[str, float] = field(default_factory=dict)
    workers: dict[str, _Known] = field(default_factory=dict)
    looked: float = 0.0
    silent_since: float | None = None
    alone_since: float = field(default_factory=time.monotonic)
    is_waiting_told: bool = False
    number: int = 0

    def make(self) -> Iterator[Made]:
        while self.open:
            self.look()
            yield from self.impossible()
            self.fill()
            try:
                future = self.done.get(timeout=_POLL)
            except queue.Empty:
                self.twin()
                continue
            if (task := self.running.pop(future, None)) is not None:
                yield from self.ended(task, future)

    def close(self, index: int, ok: bool, message: str = "") -> Iterator[Made]:
        """Tells of a shard once, whichever of its tasks ended first."""
        if index in self.open:
            self.open.remove(index)
            yield index, ok, message

    # What there is

    def look(self) -> None:
        now = time.monotonic()
        status = self.engine.client.status
        if status == "closed":
            raise SchedulerLost
        if status != "running":
            self.silent_since = self.silent_since or now
            if now - self.silent_since > _SECONDS_WITHOUT_SCHEDULER:
                raise SchedulerLost
            return
        self.silent_since = None
        if now - self.looked < 1.0 and self.workers:
            return
        try:
            self.workers = _workers(self.engine.client)
        except (OSError, TimeoutError):
            return
        self.looked = now
        if self.workers:
            self.alone_since = now
        elif now - self.alone_since > _SECONDS_ALONE and not self.is_waiting_told:
            self.is_waiting_told = True
            LOG.warning("no worker yet; waiting for one")

    def allowed(self) -> dict[str, _Known]:
        return {name: row for name, row in self.workers.items() if name not in self.refused}

    def impossible(self) -> Iterator[Made]:
        """Tells of shards that no worker can do."""
        if not self.workers or self.running:
            return
        allowed = self.allowed()
        if not allowed:
            [*_, why] = self.refused.values()
            for index in sorted(self.open):
                yield from self.close(index, False, why)
            return
        room = max(_room(row) for row in allowed.values())
        for index in sorted(self.open):
            if (need := self.estimates.need([index])) > room:
                self.waiting.remove(index)
                yield from self.close(
                    index,
                    False,
                    f"exit code 70: expected a worker with {_mib(need)}, got {_mib(room)} at most",
                )

    # Giving

    def fill(self) -> None:
        if self.engine.client.status != "running":
            return
        allowed = self.allowed()
        threads = sum(row.threads for row in allowed.values())
        most = self.engine.in_flight or 2 * threads
        while self.waiting and len(self.running) < most:
            self.submit(self.batch(threads), allowed)

    def batch(self, threads: int) -> list[int]:
        """The next shards of a task: one that has failed goes alone."""
        found = [self.waiting.popleft()]
        if self.tries.get(found[0]) or self.lost.get(found[0]):
            return found
        target = max(_TASK_SECONDS, 20 * self.estimates.plan_bytes / _PLAN_BYTES_PER_SECOND)
        room = len(self.waiting) // max(1, 4 * threads)
        while self.waiting and len(found) <= room:
            index = self.waiting[0]
            if self.tries.get(index) or self.lost.get(index):
                break
            seconds = self.estimates.time([*found, index])
            if seconds is None or seconds > target:
                break
            found.append(self.waiting.popleft())
        return found

    def submit(self, indices: list[int], allowed: dict[str, _Known], twin: bool = False) -> None:
        # A shard that failed goes elsewhere, where there is an elsewhere.
        avoid = set(self.refused).union(*(self.away.get(index, set()) for index in indices))
        names = [name for name in allowed if name not in avoid] or list(allowed)
        need = self.estimates.need(indices)
        about: dict[str, Any] = {}
        if avoid:
            about["workers"] = names
        if need and all(row.declared is not None for row in allowed.values()):
            about["resources"] = {"memory": need}
        self.number += 1
        numbers = ",".join(str(index) for index in indices)
        key = f"firstframe-{numbers[:40]}-{id(self)}-{os.getpid()}-{self.number}"
        future = self.engine.client.submit(
            _Sent(_worker.make_shards),
            self.engine.program,
            self.folder,
            numbers,
            os.getcwd(),
            key=key,
            pure=False,
            retries=0,
            **about,
        )
        self.running[future] = _Task(indices, time.monotonic(), has_twin=twin)
        future.add_done_callback(self.done.put)

    def twin(self) -> None:
        """Gives what is late to another worker, too, when nothing else is left to give.

        The first that ends counts; neither harms the other.
        """
        allowed = self.allowed()
        threads = sum(row.threads for row in allowed.values())
        if self.waiting or self.engine.client.status != "running" or len(allowed) < 2:
            return
        for task in list(self.running.values()):
            late = max(_LATE_SECONDS, _LATE_FACTOR * (self.estimates.time(task.indices) or 0.0))
            if (
                not task.has_twin
                and len(self.running) < threads + 1
                and time.monotonic() - task.began > late
            ):
                task.has_twin = True
                self.submit([i for i in task.indices if i in self.open], allowed, twin=True)

    # Taking

    def ended(self, task: _Task, future: Any) -> Iterator[Made]:
        indices = [index for index in task.indices if index in self.open]
        try:
            answer: _worker.Answer = future.result(timeout=10)
        # Whatever a worker, or its loss, throws is a reason to try again.
        except Exception as problem:  # noqa: BLE001
            if self.engine.client.status == "running" and not future.cancelled():
                yield from self.lose(indices, f"its worker was lost ({type(problem).__name__})")
            else:
                self.again(indices)
            return
        status = answer["status"]
        if status == 0:
            for index in indices:
                yield from self.close(index, True)
            return
        if status == _worker.NO_PROGRAM:
            self.send(answer["worker"], task.began)
            self.again(indices)
            return
        lines = answer["stderr"].strip().splitlines()
        finished = {
            index for index in indices if any(f"shard {index}: " in line for line in lines[:-1])
        }
        for index in sorted(finished):
            yield from self.close(index, True)
        left = [index for index in indices if index not in finished]
        last = lines[-1].removeprefix("firstframe: ") if lines else "it said nothing"
        if status in OF_THE_PLAN:
            for index in left:
                yield from self.close(index, False, f"exit code {status}: {last}")
            return
        if status in OF_THE_WORKER:
            self.refuse(answer["worker"], answer["host"], f"exit code {status}: {last}")
            self.again(left)
            return
        if status in STOPPED:
            yield from self.lose(left, "its program was stopped")
            return
        # A program does its shards in order: the first that is not finished has failed.
        self.again(left[1:])
        for index in left[:1]:
            self.tries[index] = self.tries.get(index, 0) + 1
            self.away.setdefault(index, set()).add(answer["worker"])
            message = self.told(index, answer, last)
            if self.tries[index] < TRIES:
                LOG.warning("shard %d: %s; once more elsewhere", index, message)
                self.again([index])
            else:
                yield from self.close(index, False, message)

    def told(self, index: int, answer: _worker.Answer, last: str) -> str:
        place = f"{answer['worker']} on {answer['host']}"
        if answer["status"] == KILLED:
            why = "out of memory" if answer["memory"] else "killed, as where memory runs out"
            return f"{why}: {place}; the plan expects {_mib(self.estimates.need([index]))}"
        return f"exit code {answer['status']}: {last} ({place})"

    def again(self, indices: Sequence[int]) -> None:
        self.waiting.extend(index for index in indices if index in self.open)

    def lose(self, indices: Sequence[int], message: str) -> Iterator[Made]:
        for index in indices:
            self.lost[index] = self.lost.get(index, 0) + 1
            if self.lost[index] >= TRIES_OF_LOST:
                yield from self.close(index, False, message)
            else:
                self.again([index])

    def refuse(self, worker: str, host: str, why: str) -> None:
        if worker not in self.refused:
            self.refused[worker] = why
            LOG.warning("worker %s on %s is not asked again: %s", worker, host, why)

    def send(self, worker: str, began: float) -> None:
        """Sends our program to a worker that had none when a task began."""
        host = self.workers[worker].host if worker in self.workers else "?"
        if worker in self.sent:
            if began < self.sent[worker]:
                return
            self.refuse(worker, host, "exit code 69: no program, although it was sent")
            return
        path = find(self.engine.program)
        data = Path(path).read_bytes()
        name = f"firstframe-{hashlib.sha256(data).hexdigest()[:16]}"
        try:
            answers = self.engine.client.run(
                _Sent(_worker.receive), name, data, platform.machine(), workers=[worker]
            )
        except Exception as problem:  # noqa: BLE001
            answers = {worker: f"{type(problem).__name__}: {problem}"}
        self.sent[worker] = time.monotonic()
        if wrong := answers.get(worker, ""):
            self.refuse(worker, host, f"exit code 69: {wrong}")

    def stop(self) -> None:
        """Ends what is under way; replications that are finished stay."""
        client = self.engine.client
        running = list(self.running)
        self.running.clear()
        if not running or client.status != "running":
            return

        def end() -> None:
            with contextlib.suppress(Exception):
                client.cancel(running)
                client.run(_Sent(_worker.stop_shards), self.folder, on_error="ignore")

        # Nobody waits longer for workers that do not answer.
        thread = threading.Thread(target=end, daemon=True)
        thread.start()
        thread.join(_SECONDS_TO_STOP)


def _workers(client: Any) -> dict[str, _Known]:
    try:
        info = client.scheduler_info(n_workers=-1)
    except TypeError:
        # Before 2025 it always told of all of them.
        info = client.scheduler_info()
    return {
        name: _Known(
            threads=int(row.get("nthreads", 1)),
            memory=int(row.get("memory_limit") or 0),
            declared=(row.get("resources") or {}).get("memory"),
            host=str(row.get("host", "?")),
        )
        for name, row in info["workers"].items()
    }


def _room(row: _Known) -> float:
    """Bytes that a shard may need on a worker; without end where nobody says."""
    found = [float(size) for size in (row.declared, row.memory or None) if size is not None]
    return min(found, default=float("inf"))


def _mib(size: float) -> str:
    return f"{int(-(-size // 1048576))} MiB"


_LOGGERS = (
    "distributed",
    "distributed.client",
    "distributed.core",
    "distributed.comm",
    "distributed.scheduler",
    "distributed.nanny",
    "distributed.worker",
    "tornado.application",
    "asyncio",
)


@contextlib.contextmanager
def _quiet_logs(to: int = logging.ERROR) -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(to)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
