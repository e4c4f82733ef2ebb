"""Pictures: those that the program has drawn, or by matplotlib."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ._errors import ResultError
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Picture:
    """A picture that the program has drawn; a notebook shows it."""

    svg: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as an SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        # Without the declaration of XML, which has no place within a page.
        return self.svg[self.svg.index("<svg") :]

    def __repr__(self) -> str:
        return f"<Picture {len(self.svg)} characters of SVG>"


@dataclass(frozen=True)
class SweepPlots:
    """Pictures of a sweep."""

    folder: Path
    _result: Mapping[str, Any]
    _points: Table

    @overload
    def front(self) -> Picture: ...

    @overload
    def front(self, ax: Axes) -> Axes: ...

    def front(self, ax: Axes | None = None) -> Picture | Axes:
        """The Pareto front of the first two metrics of the sweep's front.

        Without axes it is the picture that the program has drawn; on axes of matplotlib it is
        drawn there: every point with its 95 % intervals, those on the front by their means in
        another colour. Raises ResultError where the sweep has no front.
        """
        return self._drawn("front.svg", "--front") if ax is None else self._front_on(ax)

    def effects(self) -> Picture:
        """What each key does to each metric, as the program has drawn it."""
        return self._drawn("effects.svg", "a design with effects")

    def _drawn(self, name: str, by: str) -> Picture:
        path = self.folder / name
        if not path.is_file():
            raise ResultError(
                f"{path}: expected a picture, got none; the sweep was run without {by}"
            )
        return Picture(path.read_text(encoding="utf-8"))

    def _front_on(self, ax: Axes) -> Axes:
        metrics = self._result["front"]
        if len(metrics) < 2:
            raise ResultError(f"{self.folder}: expected a front of two metrics, got {len(metrics)}")
        x, y = (self._points.where(metric=metric) for metric in metrics[:2])
        on_front = set(self._result["frontPoints"])
        for number, (across, up) in enumerate(zip(x, y, strict=True)):
            ax.errorbar(
                _number(across["value"]),
                _number(up["value"]),
                xerr=_arms(across),
                yerr=_arms(up),
                fmt="o",
                color="tab:orange" if number in on_front else "tab:blue",
            )
            ax.annotate(str(number), (_number(across["value"]), _number(up["value"])))
        ax.set_xlabel(f"{metrics[0]} [{x.column('unit')[0]}]")
        ax.set_ylabel(f"{metrics[1]} [{y.column('unit')[0]}]")
        return ax


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _arms(row: Mapping[str, object]) -> list[list[float]]:
    """Lengths below and above a value to the ends of its interval."""
    value = _number(row["value"])
    return [[max(0.0, value - _number(row["lower"]))], [max(0.0, _number(row["upper"]) - value)]]
