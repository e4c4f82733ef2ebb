"""What the program has found, read from its folders."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _records
from ._errors import ResultError
from ._plots import SweepPlots
from ._process import call, find
from ._table import Table, read_kinds

RUN = "result.json"
SWEEP = "sweep.json"
TABLES = "tables"
"""The folder in a run folder that has the tables which a result does not keep."""


class Text(str):
    """A text that shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Run:
    """A finished run of one configuration: its folder, from whatever machine."""

    folder: Path
    result: Mapping[str, Any] = field(repr=False, hash=False)
    """`result.json`, as it is."""
    program: str | None = field(default=None, repr=False)
    """Of what simulates again: `compare`, `gate` and `why`."""

    @staticmethod
    def open(folder: str | os.PathLike[str], *, program: str | None = None) -> Run:
        """Reads a run folder, or the folder of a gate; raises ResultError where it is none."""
        path = _folder(folder, RUN)
        return Run(path, _records.read(path / RUN, "firstframe.result"), program)

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return str(self.result["scenario"]["name"])

    @property
    def digest(self) -> str:
        """Eight digits over all that the result depends on."""
        return str(self.result["scenario"]["digest"])

    @property
    def seed(self) -> int:
        return int(self.result["seed"])

    @property
    def verdict(self) -> str:
        """Over all hard budgets: pass, fail, inconclusive, invalid or not-run."""
        return str(self.result["verdict"])

    @property
    def is_partial(self) -> bool:
        """Whether it was stopped before every hard budget was decided."""
        return bool(self.result["replications"]["partial"])

    # Tables

    @cached_property
    def metrics(self) -> Table:
        """A row for each metric: value, 95 % interval, and what it rests on."""
        return _records.metrics(self.result)

    @cached_property
    def replications(self) -> Table:
        """A row for each metric and replication."""
        return _records.replications(self.result)

    @cached_property
    def budgets(self) -> Table:
        """A row for each budget: limit, verdict, and what it rests on."""
        return _records.budgets(self.result)

    @cached_property
    def cohorts(self) -> Table:
        """A row for each network and device class: sums over its views, and media bytes."""
        return _records.cohorts(self.result)

    @cached_property
    def windows(self) -> Table:
        """A row for each part of the measured time that the scenario names."""
        return _records.windows(self.result)

    @cached_property
    def views(self) -> Table:
        """A row for each view of replication 0; raises ResultError where they were not kept.

        `Study.run(views=True)` and `firstframe run FILE --tables FOLDER/tables` keep them.
        """
        return self._kept("views")

    @cached_property
    def requests(self) -> Table:
        """A row for each request of replication 0 to an edge; as `views`."""
        return self._kept("requests")

    def _kept(self, name: str) -> Table:
        tables = self.folder / TABLES
        path = tables / f"{name}.csv"
        if not path.is_file():
            raise ResultError(
                f"{path}: expected the {name} of replication 0, got none; "
                f"keep them with run(views=True), or with --tables {tables}"
            )
        return Table.read_csv(path, read_kinds(tables / "tables.json").get(name, {}))

    # What the program says of it

    def why(self, against: Run | None = None) -> Text:
        """Where startup and stall time goes, by part and cohort; or what differs from another."""
        more = ["--against", str(against.folder)] if against else []
        outcome = call(["why", str(self.folder), *more], program=find(self.program))
        return Text(outcome.checked().stdout)

    def compare(self, baseline: Run, *, replications: int | None = None) -> Comparison:
        """This configuration beside that of another run, simulated with the same draws.

        Without a number there are as many replications as the run with fewer of them has, at
        least two.
        """
        count = replications or max(
            2, min(int(run.result["replications"]["run"]) for run in (self, baseline))
        )
        if self._short != baseline._short:
            raise ValueError("expected both runs in the short form, or neither, got one")
        return compare(
            [
                str(baseline.resolved),
                str(self.resolved),
                *["--replications", str(count)],
                *self._short,
            ],
            self.program,
        )

    def gate(
        self,
        baseline: str | os.PathLike[str] | None = None,
        *,
        output: str | os.PathLike[str] | None = None,
    ) -> Gate:
        """Judges the configuration again as CI does, also against a baseline.

        Results go into `output`, or a folder that is gone afterwards.
        """
        arguments = [str(self.resolved), *self._short]
        counts = self.result["replications"]
        if counts["looks"] == [counts["cap"]] and counts["cap"] >= 2:
            arguments += ["--replications", str(counts["cap"])]
        if output is not None:
            return gate(arguments, baseline, os.fspath(output), self.program)
        with tempfile.TemporaryDirectory() as folder:
            return replace(gate(arguments, baseline, folder, self.program), folder=None)

    @property
    def resolved(self) -> Path:
        """The scenario with every value, which can be run where it lies."""
        return self.folder / "scenario.resolved.yaml"

    @property
    def _short(self) -> list[str]:
        """The option with which the resolved scenario is that of the run."""
        return ["--short"] if self.result["scenario"]["short"] else []

    @property
    def report(self) -> Path:
        """The page of the run."""
        return self.folder / "report.html"

    def _repr_html_(self) -> str:
        return f"<p>{self.scenario} {self.digest}: {self.verdict}</p>{self.budgets._repr_html_()}"


@dataclass(frozen=True)
class Sweep:
    """A finished sweep over several configurations: its folder, from whatever machine."""

    folder: Path
    result: Mapping[str, Any] = field(repr=False, hash=False)
    """`sweep.json`, as it is."""

    @staticmethod
    def open(folder: str | os.PathLike[str]) -> Sweep:
        """Reads the folder of a sweep; raises ResultError where it is none."""
        path = _folder(folder, SWEEP)
        return Sweep(path, _records.read(path / SWEEP, "sweep"))

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return str(self.result["scenario"])

    @property
    def seed(self) -> int:
        return int(self.result["seed"])

    @property
    def factors(self) -> tuple[str, ...]:
        """The keys that were varied; each is a column of `points`."""
        return tuple(self.result["factors"])

    @cached_property
    def points(self) -> Table:
        """A row for each point and metric: its value, and what changed from its reference."""
        return _records.points(self.result)

    @cached_property
    def replications(self) -> Table:
        """A row for each point, metric and replication."""
        path = self.folder / "replications.csv"
        if not path.is_file():
            raise ResultError(
                f"{path}: expected the values of each replication, got none; "
                "the sweep is of before there were these: run it again"
            )
        return Table.read_csv(path, _records.kinds(_records.SWEEP_REPLICATIONS))

    @property
    def plot(self) -> SweepPlots:
        """Pictures of it."""
        return SweepPlots(self.folder, self.result, self.points)

    def _repr_html_(self) -> str:
        return self.points._repr_html_()


@dataclass(frozen=True)
class Comparison:
    """Two configurations beside each other."""

    result: Mapping[str, Any] = field(repr=False, hash=False)
    """What `firstframe compare --json` prints, as it is."""

    @cached_property
    def table(self) -> Table:
        """A row for each metric: both values, the difference with its interval, the outcome."""
        return _records.comparison(self.result["metrics"])

    @property
    def is_paired(self) -> bool:
        """Whether both sides had the same draws."""
        return bool(self.result["paired"])

    @property
    def changes(self) -> tuple[Mapping[str, Any], ...]:
        """The keys that differ, with both values."""
        return tuple(self.result["changes"])

    def outcome(self, metric: str) -> str:
        """worse, better, equivalent, not-sure or no-data; raises KeyError for another metric."""
        return str(self.table.value("outcome", metric=metric))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True)
class Gate:
    """What a gate says of a scenario."""

    status: int
    """The exit code of `firstframe gate`."""
    result: Mapping[str, Any] = field(repr=False, hash=False)
    """What `firstframe gate --json` prints of it, as it is."""
    folder: Path | None = None
    """Its folder, where that was to be kept; `Run.open` reads it."""

    @property
    def verdict(self) -> str:
        """pass, fail, regression, inconclusive or invalid."""
        return {0: "pass", 10: "fail", 11: "regression", 12: "inconclusive", 13: "invalid"}[
            self.status
        ]

    @property
    def comparison(self) -> Comparison | None:
        """Against the baseline; None without one."""
        found = self.result["baseline"]
        return None if found is None else Comparison(found)

    @cached_property
    def metrics(self) -> Table:
        """As `Run.metrics`."""
        return _records.metrics(self.result["result"])

    @cached_property
    def budgets(self) -> Table:
        """As `Run.budgets`."""
        return _records.budgets(self.result["result"])

    def _repr_html_(self) -> str:
        return f"<p>{self.result['scenario']}: {self.verdict}</p>{self.budgets._repr_html_()}"


def open(folder: str | os.PathLike[str]) -> Run | Sweep:
    """Reads a folder of results of any machine: of a run, of a gate, or of a sweep.

    Raises ResultError where it is none.
    """
    path = Path(folder)
    if path.name == SWEEP or (path / SWEEP).is_file():
        return Sweep.open(path)
    return Run.open(path)


# Calls of the program


def compare(arguments: list[str], program: str | None) -> Comparison:
    """Calls `firstframe compare` with more arguments."""
    outcome = call(["compare", *arguments, "--json", "--quiet"], program=find(program)).checked()
    return Comparison(parsed(outcome.stdout, "comparison"))


def gate(
    arguments: list[str],
    baseline: str | os.PathLike[str] | None,
    output: str,
    program: str | None,
) -> Gate:
    """Calls `firstframe gate` of one scenario with more arguments."""
    against = [] if baseline is None else ["--baseline", os.fspath(baseline)]
    outcome = call(
        ["gate", *arguments, *against, "--json", "--quiet", "--output", output],
        program=find(program),
    ).checked()
    [found] = parsed(outcome.stdout, "gate")["gates"]
    folder = run_folder(found["result"], output)
    return Gate(outcome.status, found, folder)


def parsed(text: str, kind: str) -> dict[str, Any]:
    """A document that the program has printed."""
    document: dict[str, Any] = json.loads(text)
    if document.get("kind") != kind or document.get("schema") != 1:
        raise ResultError(f"expected {kind} of schema 1 from the program, got another document")
    return document


def run_folder(result: Mapping[str, Any], output: str) -> Path:
    """Where a run lies (contract, section 7)."""
    return Path(output) / f"{result['scenario']['name']}-{result['scenario']['digest']}"


def _folder(path: str | os.PathLike[str], name: str) -> Path:
    folder = Path(path)
    if folder.name == name:
        folder = folder.parent
    if not (folder / name).is_file():
        raise ResultError(f"{folder}: expected a folder with {name}, got none")
    return folder
