"""What to run: a scenario file with changes, as a value that never changes itself."""

from __future__ import annotations

import json
import math
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from . import _engine
from ._errors import PARTIAL, FirstFrameError, Partial, ResultError
from ._process import Outcome, call, find
from ._results import RUN, TABLES, Comparison, Gate, Run, Sweep, compare, gate, parsed, run_folder

Value = str | int | float | bool | None | Sequence["Value"] | Mapping[str, "Value"]
"""A value of a key, as YAML has them."""

Client = Any
"""What runs the shards of a plan: an `Engine`, or what has a method `submit` as dask.distributed's
Client and the executors of concurrent.futures have. None: this process's program by itself."""


@dataclass(frozen=True)
class _Setting:
    """What every study has."""

    file: str | os.PathLike[str]
    _: KW_ONLY
    settings: tuple[tuple[str, str], ...] = ()
    is_short: bool = False
    chosen_seed: int | None = None
    chosen_replications: int | None = None
    program: str | os.PathLike[str] | None = None

    def set(self, key: str, value: Value) -> Self:
        """With one key of the scenario at a value, such as `.set("policy.pool.size", 2)`."""
        return replace(self, settings=(*self.settings, (_key(key), written(value))))

    def short(self, short: bool = True) -> Self:
        """In the short form that the scenario states."""
        return replace(self, is_short=short)

    def seed(self, seed: int) -> Self:
        """With another seed than the scenario's."""
        return replace(self, chosen_seed=seed)

    def replications(self, count: int) -> Self:
        """With exactly so many replications."""
        return replace(self, chosen_replications=count)

    @property
    def _path(self) -> str:
        """The file as an argument: what begins with a dash would be an option."""
        path = os.fspath(self.file)
        return f"./{path}" if path.startswith("-") else path

    @property
    def _program(self) -> str | None:
        return None if self.program is None else os.fspath(self.program)

    def _arguments(self) -> list[str]:
        found = [self._path]
        for key, value in self.settings:
            found += ["--set", f"{key}={value}"]
        if self.is_short:
            found.append("--short")
        if self.chosen_seed is not None:
            found += ["--seed", str(self.chosen_seed)]
        return found

    def _counted(self) -> list[str]:
        count = self.chosen_replications
        return self._arguments() + ([] if count is None else ["--replications", str(count)])


@dataclass(frozen=True)
class Study(_Setting):
    """One configuration: a scenario file, and keys that are set over it.

    `program` is the path of another program than that of FIRSTFRAME_PROGRAM or of this package.
    A study never changes: each of its methods gives a new one.
    """

    def vary(self, key: str, values: Iterable[Value]) -> VariedStudy:
        """Several configurations: one for each value of a key, or each combination of several."""
        members = {member.name: getattr(self, member.name) for member in fields(_Setting)}
        return VariedStudy(**members).vary(key, values)

    def run(
        self,
        output: str | os.PathLike[str] = "results",
        *,
        client: Client = None,
        views: bool = False,
        threads: int | None = None,
        time_limit: str | None = None,
        memory_limit: str | None = None,
        progress: bool = False,
    ) -> Run:
        """Simulates it and reads the folder that this leaves in `output`.

        Any verdict is a result. With `views` the views and requests of replication 0 are kept.
        Raises FirstFrameError: ScenarioError for what is wrong with the file, Partial when the
        time limit came first.
        """
        place = os.fspath(output)
        options = _options(threads, time_limit, memory_limit, progress)
        if client is not None:
            if views:
                raise ValueError("expected views of a run without a client, got both")
            outcome = _drive(self, ["run", *self._counted()], place, client)
            return Run.open(_named(outcome), program=self._program)
        # On the disk of the results, so that they get there in one step.
        tables = Path(place) / f".tables-{uuid.uuid4().hex}"
        wanted = ["--tables", str(tables)] if views else []
        try:
            outcome = call(
                ["run", *self._counted(), *options, *wanted, "--json", "--output", place],
                program=find(self._program),
                progress=progress,
            )
            folder = _folder(outcome, place)
            if tables.is_dir():
                tables.replace(folder / TABLES)
        finally:
            shutil.rmtree(tables, ignore_errors=True)
        run = Run.open(folder, program=self._program)
        if outcome.status == PARTIAL:
            raise Partial(outcome.command, outcome.status, outcome.stderr, run)
        return run

    def compare(self, baseline: Study, *, replications: int | None = None) -> Comparison:
        """This configuration beside another one, simulated with the same draws.

        Both in the short form or neither, and with one seed. Raises ValueError for another pair.
        """
        for name in ("is_short", "chosen_seed"):
            if getattr(self, name) != getattr(baseline, name):
                raise ValueError(f"expected both studies with the same {name}, got two")
        arguments = [baseline._path, self._path]
        for option, study in (("--base", baseline), ("--with", self)):
            for key, value in study.settings:
                arguments += [option, f"{key}={value}"]
        rest = replace(self, settings=())._arguments()[1:]
        count = replications or self.chosen_replications
        more = [] if count is None else ["--replications", str(count)]
        return compare([*arguments, *rest, *more], self._program)

    def gate(
        self,
        baseline: str | os.PathLike[str] | None = None,
        *,
        output: str | os.PathLike[str] = "results",
    ) -> Gate:
        """Judges it as CI does: its budgets, and what changed since a baseline."""
        return gate(self._counted(), baseline, os.fspath(output), self._program)


@dataclass(frozen=True)
class VariedStudy(_Setting):
    """Several configurations of a scenario, with the same draws; `Study.vary` makes one."""

    varied: tuple[tuple[str, str], ...] = ()
    chosen_design: str | None = None
    chosen_metrics: tuple[str, ...] = ()
    chosen_front: tuple[str, ...] = ()

    def vary(self, key: str, values: Iterable[Value]) -> Self:
        """Also with each of these values of a key."""
        return replace(self, varied=(*self.varied, (_key(key), written(list(values)))))

    def design(self, design: str) -> Self:
        """Which combinations: grid, one-at-a-time, … (`firstframe sweep --help`)."""
        return replace(self, chosen_design=design)

    def metrics(self, *metrics: str) -> Self:
        """With these metrics in place of the headline ones."""
        return replace(self, chosen_metrics=metrics)

    def front(self, *metrics: str) -> Self:
        """With a Pareto front of two or more metrics."""
        return replace(self, chosen_front=metrics)

    def run(
        self,
        output: str | os.PathLike[str] = "results",
        *,
        client: Client = None,
        threads: int | None = None,
        time_limit: str | None = None,
        memory_limit: str | None = None,
        progress: bool = False,
    ) -> Sweep:
        """Simulates all points and reads the folder that this leaves in `output`.

        Replications that are finished are kept there: a sweep that was stopped goes on. Raises
        as `Study.run`.
        """
        place = os.fspath(output)
        arguments = ["sweep", *self._counted()]
        for key, values in self.varied:
            arguments += ["--vary", f"{key}={values}"]
        if self.chosen_design is not None:
            arguments += ["--design", self.chosen_design]
        for metric in self.chosen_metrics:
            arguments += ["--metric", metric]
        for metric in self.chosen_front:
            arguments += ["--front", metric]
        if client is not None:
            return Sweep.open(_named(_drive(self, arguments, place, client)))
        options = _options(threads, time_limit, memory_limit, progress)
        outcome = call(
            [*arguments, *options, "--output", place],
            program=find(self._program),
            progress=progress,
        )
        return Sweep.open(_named(outcome.checked()))


def written(value: Value) -> str:
    """A value as YAML on one line; raises ValueError for one that YAML has not."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            if not math.isfinite(value):
                raise ValueError(f"expected a finite number, got {value}")
            return format(Decimal(repr(value)), "f")
        case str():
            return _quoted(value)
        case Mapping():
            pairs = (f"{_quoted(key)}: {written(part)}" for key, part in value.items())
            return "{" + ", ".join(pairs) + "}"
        case _:
            return "[" + ", ".join(written(part) for part in value) + "]"


def _quoted(text: str) -> str:
    # YAML reads what JSON writes.
    return json.dumps(text, ensure_ascii=False)


def _key(key: str) -> str:
    if not key or "=" in key or "\n" in key:
        raise ValueError(f"expected a key such as policy.pool.size, got {key!r}")
    return key


def _options(
    threads: int | None, time_limit: str | None, memory_limit: str | None, progress: bool
) -> list[str]:
    found = [] if progress else ["--quiet"]
    for option, value in (
        ("--threads", threads),
        ("--time-limit", time_limit),
        ("--memory-limit", memory_limit),
    ):
        if value is not None:
            found += [option, str(value)]
    return found


def _folder(outcome: Outcome, output: str) -> Path:
    """The folder of a run that told its result as JSON; raises where there is none."""
    outcome.checked(PARTIAL)
    if outcome.status == PARTIAL and not outcome.stdout:
        raise Partial(outcome.command, outcome.status, outcome.stderr)
    folder = run_folder(parsed(outcome.stdout, "firstframe.result"), output)
    if not (folder / RUN).is_file():
        raise ResultError(f"{folder}: expected the results of the run, got none")
    return folder


def _named(outcome: Outcome) -> Path:
    """The folder that the last line of standard output names."""
    lines = outcome.stdout.rstrip("\n").rsplit("\n", 1)
    if not lines[-1].startswith("results in "):
        raise FirstFrameError(
            outcome.command,
            outcome.status,
            f"expected the folder of the results, got {lines[-1]!r}\n{outcome.stderr}",
        )
    return Path(lines[-1].removeprefix("results in "))


def _drive(study: _Setting, verb: Sequence[str], output: str, client: Client) -> Outcome:
    program = find(study._program)
    folder = _engine.plan_folder(output, study._path, verb)
    engine = _engine.engine_of(client, program, study._program)
    return _engine.drive(program, [*verb, "--quiet", "--output", output], folder, engine)
