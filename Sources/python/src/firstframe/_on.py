"""`firstframe VERB … --on ENGINE`: a verb's shards by workers of Dask, its output by `merge`."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import shlex
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ._dask import LOG, DaskEngine, Estimates, SchedulerLost, _quiet_logs
from ._engine import Made, Status, drive
from ._errors import PARTIAL, FirstFrameError, ResultError, ShardsFailed
from ._process import find
from ._programs import ProgramMissing

USAGE = 64
UNAVAILABLE = 69
FAILED = 1
_SECONDS_TO_CONNECT = 10
_MOST_JOBS = 32
_FORMS = "dask://HOST:PORT, dask+local:N, dask+ssh:HOST,HOST or dask+slurm:QUEUE"


class TargetError(Exception):
    """What `--on` names cannot be used: one line, and the exit code."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Target:
    """What `--on` names."""

    kind: str
    place: str
    count: int = 0

    @staticmethod
    def of(text: str) -> Target:
        """Reads it; raises TargetError."""
        if found := re.fullmatch(r"dask://([^/:\s]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?", text):
            port = int(found[2] or 8786)
            if 0 < port < 65536:
                return Target("address", f"tcp://{found[1]}:{port}")
        if (found := re.fullmatch(r"dask\+local:(\d{1,3})", text)) and 0 < int(found[1]) <= 256:
            return Target("local", "", int(found[1]))
        if found := re.fullmatch(r"dask\+ssh:([^\s,/-][^\s,/]*(?:,[^\s,/-][^\s,/]*)*)", text):
            return Target("ssh", found[1])
        if found := re.fullmatch(
            r"dask\+slurm:([A-Za-z0-9_.][A-Za-z0-9_.-]*)(?::(\d{1,4}))?", text
        ):
            return Target("slurm", found[1], int(found[2] or 0))
        raise TargetError(f"--on: expected {_FORMS}, got {text!r}", USAGE)


def taken(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The value of `--on`, and the arguments without it; raises TargetError without a value."""
    found: str | None = None
    rest: list[str] = []
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        if argument == "--":
            return found, [*rest, *arguments[place:]]
        if argument == "--on":
            if place + 1 == len(arguments):
                raise TargetError(f"--on: expected {_FORMS}, got nothing", USAGE)
            found = arguments[place + 1]
            place += 2
            continue
        if argument.startswith("--on="):
            found = argument.removeprefix("--on=")
        else:
            rest.append(argument)
        place += 1
    return found, rest


def plan_folder(verb: Sequence[str]) -> str:
    """Where the plan of a command lies: the same command goes on with what is finished."""
    output = "results"
    for place, argument in enumerate(verb):
        value = ""
        if argument in ("--output", "-o") and place + 1 < len(verb):
            value = verb[place + 1]
        elif argument.startswith("--output="):
            value = argument.removeprefix("--output=")
        # Of match it is a file.
        if value and not Path(value).suffix:
            output = value
    digest = hashlib.sha256("\0".join(verb).encode()).hexdigest()[:8]
    return str(Path(output) / "plans" / f"{verb[0]}-{digest}")


def main(text: str, verb: Sequence[str]) -> int:
    """Runs a verb on an engine; returns the exit code."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("firstframe: %(message)s"))
    LOG.addHandler(handler)
    LOG.propagate = False
    again = shlex.join(["firstframe", *verb, "--on", text])
    try:
        return _run(Target.of(text), list(verb), again)
    except TargetError as problem:
        _say(str(problem))
        return problem.status
    except ProgramMissing as problem:
        print(problem, file=sys.stderr)
        return UNAVAILABLE


def _run(target: Target, verb: list[str], again: str) -> int:
    if not verb or verb[0].startswith("-"):
        raise TargetError("--on: expected a verb before it, such as sweep, got none", USAGE)
    program = find()
    folder = plan_folder(verb)
    is_quiet = "--quiet" in verb
    progress = Progress(verb[0], sys.stderr, is_quiet=is_quiet)
    has_plan = False
    try:
        _needs(target)
        with _quiet_logs(logging.CRITICAL), warnings.catch_warnings():
            warnings.simplefilter("ignore")

            def opened() -> contextlib.AbstractContextManager[Any]:
                nonlocal has_plan
                has_plan = True
                if not is_quiet:
                    _say(f"plan in {folder}; whatever happens, the same command goes on")
                return _opened(target, Estimates.of(folder))

            return _drive(program, verb, folder, target, opened, progress)
    except FirstFrameError as problem:
        progress.clear()
        sys.stderr.write(problem.stderr)
        return problem.status
    except ShardsFailed as problem:
        progress.clear()
        for index, message in list(problem.messages.items())[:5]:
            _say(f"shard {index}: {message}")
        if len(problem.messages) > 5:
            _say(f"and {len(problem.messages) - 5} shards more")
        _say(f"what is finished is kept; to go on: {again}")
        codes = {_code(message) for message in problem.messages.values()}
        return codes.pop() if len(codes) == 1 else FAILED
    except ResultError as problem:
        progress.clear()
        _say(str(problem))
        return FAILED
    except (SchedulerLost, KeyboardInterrupt) as problem:
        progress.clear()
        if not has_plan:
            return 128 + 2
        why = "stopped" if isinstance(problem, KeyboardInterrupt) else "the scheduler is gone"
        with contextlib.suppress(Exception):
            status = Status.of(program, folder)
            finished = status.shards - len(status.missing)
            why += f"; {finished} of {status.shards} shards are finished and kept"
        _say(f"{why}; to go on: {again}")
        return PARTIAL


def _drive(
    program: str,
    verb: list[str],
    folder: str,
    target: Target,
    opened: Any,
    progress: Progress,
) -> int:
    with contextlib.ExitStack() as stack:

        class Lazy:
            """The cluster is opened when there is something to do."""

            engine: DaskEngine | None = None

            def map_shards(self, plan_folder: str, indices: Sequence[int]) -> Iterator[Made]:
                if self.engine is None:
                    client = stack.enter_context(opened())
                    # Processes of this machine take this program; others look for their own.
                    self.engine = DaskEngine(
                        client, program=program if target.kind == "local" else None
                    )
                progress.begin(len(indices), self.engine)
                for made in self.engine.map_shards(plan_folder, indices):
                    progress.step(made)
                    yield made
                progress.clear()

        outcome = drive(program, verb, folder, Lazy(), shows=True)
        sys.stderr.write(outcome.stderr)
        return outcome.status


def _code(message: str) -> int:
    found = re.match(r"exit code (\d+)", message)
    code = int(found[1]) if found else FAILED
    return code if code in (64, 65, 66, 69, 70, 73) else FAILED


def _say(text: str) -> None:
    print(f"firstframe: {text}", file=sys.stderr, flush=True)


@dataclass
class Progress:
    """How far the shards are, with the time that all workers together will need."""

    verb: str
    stream: TextIO
    is_quiet: bool = False
    total: int = 0
    finished: int = 0
    began: float = 0.0
    told: float = 0.0
    engine: DaskEngine | None = None

    def begin(self, total: int, engine: DaskEngine) -> None:
        self.total, self.finished, self.engine = total, 0, engine
        self.began = self.told = time.monotonic()

    def step(self, made: Made) -> None:
        self.finished += made[1]
        now = time.monotonic()
        is_terminal = self.stream.isatty()
        if self.is_quiet or now - self.told < (0.5 if is_terminal else 10):
            return
        self.told = now
        left = (now - self.began) / max(1, self.finished) * (self.total - self.finished)
        slots = ""
        if self.engine is not None:
            with contextlib.suppress(Exception):
                slots = f", {self.engine.slots()} workers"
        line = f"{self.verb}: {self.finished} of {self.total} shards{slots}, {_duration(left)} left"
        self.stream.write(f"\r\x1b[K{line}" if is_terminal else f"{line}\n")
        self.stream.flush()

    def clear(self) -> None:
        if not self.is_quiet and self.stream.isatty():
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


# Clusters


def _needs(target: Target) -> None:
    """Says what of the extra is missing, before anything is done."""
    names = ["distributed"]
    names += {"ssh": ["asyncssh"], "slurm": ["dask_jobqueue"]}.get(target.kind, [])
    for name in names:
        try:
            __import__(name)
        except ImportError:
            raise TargetError(
                f"--on: expected the package {name.replace('_', '-')}, got none; "
                "pip install 'firstframe[dask]'",
                UNAVAILABLE,
            ) from None


@contextlib.contextmanager
def _opened(target: Target, estimates: Estimates) -> Iterator[Any]:
    import dask
    import distributed

    dask.config.set(
        {
            # Nothing is decided by a heartbeat that is not answered; retries are ours.
            "distributed.scheduler.worker-ttl": None,
            "distributed.scheduler.allowed-failures": 0,
            "distributed.comm.timeouts.connect": f"{_SECONDS_TO_CONNECT}s",
        }
    )
    if target.kind == "address":
        try:
            client = distributed.Client(target.place, timeout=_SECONDS_TO_CONNECT)
        except (OSError, TimeoutError):
            raise TargetError(
                f"--on: expected a scheduler of Dask at {target.place}, "
                f"got no answer in {_SECONDS_TO_CONNECT} s",
                UNAVAILABLE,
            ) from None
        with _closed(client):
            yield client
        return
    try:
        cluster = _cluster(target, estimates)
    # Whatever a system of jobs, or its package, says.
    except Exception as problem:  # noqa: BLE001
        text = (str(problem).strip().splitlines() or [type(problem).__name__])[-1]
        raise TargetError(
            f"--on: expected workers by {target.kind} {target.place}".rstrip() + f", got: {text}",
            UNAVAILABLE,
        ) from None
    with _closed(cluster):
        client = distributed.Client(cluster, timeout=_SECONDS_TO_CONNECT)
        with _closed(client):
            yield client


@contextlib.contextmanager
def _closed(opened: Any) -> Iterator[None]:
    try:
        yield
    finally:
        with contextlib.suppress(Exception):
            opened.close()


def _cluster(target: Target, estimates: Estimates) -> Any:
    import distributed

    need = max(estimates.memory, default=0)
    match target.kind:
        case "local":
            # The workers only wait for programs: threads of this process do.
            return distributed.LocalCluster(
                n_workers=target.count,
                threads_per_worker=1,
                processes=False,
                dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
        case "ssh":
            hosts = target.place.split(",")
            return distributed.SSHCluster(
                [hosts[0], *hosts],
                worker_options={"nthreads": 1},
                scheduler_options={"port": 0, "dashboard": False},
            )
        case _:
            from dask_jobqueue import SLURMCluster

            # A worker is 200 MB of Python; twice the estimate, as limits of --emit are generous.
            memory = 2 * need + (256 << 20)
            seconds = max((s for s in estimates.seconds if s is not None), default=600.0)
            limit = max(3600, int(10 * seconds))
            cluster = SLURMCluster(
                queue=target.place,
                cores=1,
                processes=1,
                memory=f"{memory} B",
                walltime=f"{limit // 3600}:{limit // 60 % 60:02}:{limit % 60:02}",
                local_directory=os.environ.get("TMPDIR", "/tmp"),
                log_directory=None,
                worker_extra_args=["--no-dashboard", "--resources", f"memory={memory}"],
                scheduler_options={"dashboard_address": None},
            )
            shards = len(estimates.seconds) or 1
            cluster.scale(jobs=target.count or min(_MOST_JOBS, shards))
            return cluster
