"""The section of a run's notebook on times to first frame, from the histograms in `hist/`."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from ._notebook_parts import (
    BLUE,
    COLORS,
    JSON,
    LINES,
    ORANGE,
    RED,
    Drawing,
    Part,
    TextTable,
    canvas,
    formatted,
    no_data,
    number,
    of,
    whiskers,
)
from ._notebook_run import metrics_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CLOCKS = {
    "ttff_ms": "all views",
    "ttff_cold_ms": "first views of sessions",
    "ttff_swipe_ms": "after a swipe",
    "ttff_play_ms": "from play()",
}
_PERCENTILES = {"p50": 0.5, "p75": 0.25, "p90": 0.1, "p95": 0.05, "p99": 0.01}
"""The share of views that are later, by percentile."""
_LEAST = 10
"""Where the axis of the curves begins, in milliseconds."""


@dataclass(frozen=True)
class _Bucket:
    """Views whose time to first frame lies between two ends, in milliseconds."""

    lower: float
    upper: float
    started: int
    gone: int
    """Those that were left before a frame."""


@dataclass(frozen=True)
class _Curve:
    """The share of views that still wait, by time in milliseconds, and percentiles beside it."""

    name: str
    points: Sequence[tuple[float, float]]
    estimates: Sequence[tuple[float, JSON]]


def times(result: JSON, read: Callable[[str], str]) -> Iterator[Part]:
    """How long views wait for their first frame, by clock and by network.

    `read` has the text of a file of the folder.
    """
    networks = list(dict.fromkeys(row["network"] for row in result["histograms"]))
    metrics = metrics_of(result)
    late = result["lateStarts"]["limitMilliseconds"]
    if networks:
        tables = {clock: _buckets(read, clock, networks) for clock in _CLOCKS}
        curves = [_curve(name, tables[clock], clock, metrics) for clock, name in _CLOCKS.items()]
        yield from _waiting(curves, late, "clock")
        if len(networks) > 1:
            curves = [
                _curve(
                    name,
                    _buckets(read, "ttff_ms", [name]),
                    f"ttff_ms{{network={name}}}",
                    metrics,
                )
                for name in networks
            ]
            yield from _waiting(curves, late, "network")
        if bins := _bins(tables["ttff_ms"]):
            yield Drawing("How long until the first frame", partial(_waits, bins, late))
    stats = [*_PERCENTILES, "mean"]
    rows = [
        [name, number(max(metrics[f"{clock}.{stat}"]["samples"] for stat in stats))]
        + [of(metrics[f"{clock}.{stat}"]) for stat in stats]
        for clock, name in _CLOCKS.items()
        if all(f"{clock}.{stat}" in metrics for stat in stats)
    ]
    if not rows:
        yield no_data("the result holds no time metric")
        return
    yield TextTable(
        "Time to first frame, ± half of the 95 % interval over the replications",
        ["clock", "views", *[stat.upper() if stat != "mean" else stat for stat in stats]],
        rows,
    )


def _buckets(read: Callable[[str], str], clock: str, networks: Sequence[str]) -> list[_Bucket]:
    """The buckets of a clock in `hist/`, sorted by time."""
    rows = []
    for network in networks:
        for row in csv.DictReader(io.StringIO(read(f"hist/{clock}.{network}.csv"))):
            rows.append(
                _Bucket(
                    float(row["lower_ms"]),
                    float(row["upper_ms"] or row["lower_ms"]),
                    int(row["started"]),
                    int(row["censored"]),
                )
            )
    return sorted(rows, key=lambda row: (row.upper, row.lower))


# Curves


def _curve(
    name: str, buckets: Sequence[_Bucket], prefix: str, metrics: dict[str, JSON]
) -> _Curve | None:
    """The curve of the metric with a prefix; None where all views start before the axis."""
    points = survival(buckets) if buckets else []
    if len(points) < 2 or points[0][1] <= 0:
        return None
    estimates = []
    for stat, level in _PERCENTILES.items():
        row = metrics.get(f"{prefix}.{stat}")
        if row and (row["value"] or 0) >= _LEAST and row["interval"] and not row["isLowerBound"]:
            estimates.append((level, row))
    return _Curve(name, points, estimates)


def survival(buckets: Sequence[_Bucket]) -> list[tuple[float, float]]:
    """The product-limit estimate (Kaplan, Meier 1958) at the buckets' upper ends."""
    left, value = sum(row.started + row.gone for row in buckets), 1.0
    points: list[tuple[float, float]] = [(_LEAST, 1.0)]
    for time, same in groupby(buckets, key=lambda row: row.upper):
        group = list(same)
        started, gone = sum(row.started for row in group), sum(row.gone for row in group)
        value *= 1 - started / left if left else 1
        left -= started + gone
        if time < _LEAST:
            points = [(_LEAST, value)]
        else:
            points.append((time, value))
    return points


def _waiting(curves: Sequence[_Curve | None], late: float, by: str) -> Iterator[Part]:
    """Shares that still wait, and percentiles with intervals; nothing without any."""
    if shown := [curve for curve in curves if curve]:
        yield Drawing(
            f"Views that still wait for their first frame, by {by}", partial(_draw, shown, late)
        )


def _draw(curves: Sequence[_Curve], late: float) -> Figure:
    from matplotlib.ticker import NullFormatter

    figure, axes = canvas(4.1)
    lowest = min(value for curve in curves for _, value in curve.points if value > 0)
    for place, curve in enumerate(curves):
        color, points = COLORS[place % 8], [point for point in curve.points if point[1] > 0]
        axes.step(
            [time for time, _ in points],
            [value for _, value in points],
            where="post",
            color=color,
            linestyle=LINES[place % 8],
            label=curve.name,
        )
        for level, row in curve.estimates:
            whiskers(axes, level, row["value"], row["interval"], color=color, linewidth=1.2)
    axes.set_yscale("log")
    axes.set_ylim(max(lowest / 1.4, 1e-5), 1.3)
    axes.yaxis.set_major_formatter(formatted(lambda value: f"{100 * value:g} %"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    _time_axis(axes, _LEAST, 1.1 * max(curve.points[-1][0] for curve in curves))
    axes.set_xlabel("time since the viewer settled or opened the app")
    axes.set_ylabel("views without a first frame")
    _late_line(axes, late)
    figure.legend(
        loc="outside lower left",
        ncols=3 if len(curves) > 4 else 4,
        fontsize=8.5,
        columnspacing=1.0,
        handlelength=1.6,
    )
    return figure


# Bars

Bins = dict[float, tuple[int, int]]
"""Views that started and views that were left, by the lower end of a bin in milliseconds."""


def _bins(buckets: Sequence[_Bucket]) -> Bins:
    """Views that took any time, three bins to a doubling of it."""
    counts: Bins = {}
    for row in buckets:
        if row.upper > 0:
            middle = max((row.lower + row.upper) / 2, 2)
            edge = 2 ** (math.floor(3 * math.log2(middle) + 1e-9) / 3)
            started, gone = counts.get(edge, (0, 0))
            counts[edge] = (started + row.started, gone + row.gone)
    return counts


def _waits(bins: Bins, late: float) -> Figure:
    figure, axes = canvas(3.2)
    edges = list(bins)
    widths = [edge * (2 ** (1 / 3) - 1) for edge in edges]
    started, gone = ([pair[kind] for pair in bins.values()] for kind in (0, 1))
    axes.bar(
        edges,
        started,
        widths,
        align="edge",
        color=BLUE,
        edgecolor="white",
        linewidth=0.5,
        label="started",
    )
    axes.bar(
        edges,
        gone,
        widths,
        bottom=started,
        align="edge",
        color=ORANGE,
        edgecolor="white",
        linewidth=0.5,
        hatch="///",
        label="left before a frame",
    )
    _time_axis(axes, min(edges), max(edges) * 2 ** (1 / 3))
    axes.yaxis.set_major_formatter(formatted(number))
    axes.set_ylim(0, 1.12 * max(sum(pair) for pair in bins.values()))
    axes.set_xlabel("wait for the first frame")
    axes.set_ylabel("views")
    _late_line(axes, late)
    figure.legend(loc="outside lower left", ncols=2, fontsize=9)
    return figure


# Axes


def _time_axis(axes: Axes, first: float, last: float) -> None:
    """A logarithmic axis of times, in milliseconds."""
    from matplotlib.ticker import FixedLocator, NullLocator

    ticks = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    axes.set_xscale("log")
    axes.set_xlim(first, last)
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in ticks if first <= tick <= last]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(
        formatted(lambda tick: f"{tick:g} ms" if tick < 1000 else f"{tick / 1000:g} s")
    )


def _late_line(axes: Axes, late: float) -> None:
    """The limit of late starts, in milliseconds."""
    axes.axvline(late, color=RED, linewidth=1.2, linestyle="--")
    axes.annotate(
        f"late after {late / 1000:g} s",
        (late, 1),
        xycoords=("data", "axes fraction"),
        ha="center",
        va="bottom",
        fontsize=9,
        color=RED,
    )
