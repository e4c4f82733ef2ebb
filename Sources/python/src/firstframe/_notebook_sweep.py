"""Sections of a sweep's notebook: its points, its front, and what each key does."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ._notebook_parts import (
    BLUE,
    COLORS,
    GREEN,
    GREY,
    JSON,
    LINES,
    ORANGE,
    Drawing,
    Part,
    TextTable,
    arms,
    canvas,
    estimate,
    no_data,
    number,
    places,
    rows_of,
    whiskers,
)
from ._records import unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Points:
    """What `sweep.json` holds, with metrics by name."""

    sweep: JSON

    @cached_property
    def all(self) -> list[dict[str, Any]]:
        """The points, in their order."""
        return [
            {**point, "metrics": {row["metric"]: row for row in point["metrics"]}}
            for point in self.sweep["points"]
        ]

    @property
    def factors(self) -> list[str]:
        """The keys that were varied."""
        return list(self.sweep["factors"])

    @property
    def front(self) -> list[str]:
        """The metrics of the front."""
        return list(self.sweep["front"])

    @property
    def metrics(self) -> list[str]:
        """The metrics of each point."""
        return list(self.all[0]["metrics"]) if self.all else []

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """The values of each key, in the order of the points."""
        return {
            key: list(dict.fromkeys(_plain(point["values"][place]) for point in self.all))
            for place, key in enumerate(self.factors)
        }


# Names and values


def _plain(value: str | None) -> str:
    return "as it is" if value is None else value.strip('"')


def _short(key: str) -> str:
    return ".".join(key.split(".")[-2:])


def _heading(metric: str) -> str:
    signs = {"ms": ", ms", "ratio": ", %", "number": ""}
    return metric.removesuffix(".ratio") + signs[unit(metric)]


def _title(metric: str) -> str:
    """A heading without its unit."""
    return _heading(metric).rsplit(",", 1)[0]


def _of_point(row: JSON) -> str:
    ends = None if row["lower"] is None else [row["lower"], row["upper"]]
    return estimate(row["value"], ends, unit(row["metric"]), row["isLowerBound"])


def _dot(row: JSON) -> tuple[float, float, float] | None:
    """Value, lower and upper end as charts show them, ratios in %; None without a value."""
    if row["value"] is None:
        return None
    scale = 100 if unit(row["metric"]) == "ratio" else 1
    ends = [row["value"] if row[end] is None else row[end] for end in ("lower", "upper")]
    return scale * row["value"], scale * min(ends), scale * max(ends)


_SURE = {
    "front": "surely on the front",
    "front?": "on the front by the means",
    "dominated?": "dominated by the means",
}


def _standing(point: JSON) -> str:
    """Whether a point is on the front, and how sure that is."""
    text = str(point.get("front", ""))
    return _SURE.get(text, text.replace("dominated by", "surely dominated by point"))


# Sections


def asked(points: Points) -> Iterator[Part]:
    """The keys that were varied, and their values."""
    yield TextTable(
        "The sweep",
        ["what", "value"],
        [
            ["scenario", points.sweep["scenario"]],
            ["seed", points.sweep["seed"]],
            ["points", len(points.all)],
            ["replications of each point", points.sweep["replications"]],
            *[
                [key, ", ".join(values[:12]) + (", …" if len(values) > 12 else "")]
                for key, values in points.levels.items()
            ],
        ],
        numbers=2,
    )


def table(points: Points) -> Iterator[Part]:
    """Every point with every metric."""
    if not points.all:
        yield no_data("no point was run")
        return
    has_front = bool(points.front)
    yield TextTable(
        "Every point, ± half of the 95 % interval over the replications",
        [
            "point",
            *map(_short, points.factors),
            *(["front"] if has_front else []),
            *map(_title, points.metrics),
        ],
        [
            [
                place,
                *map(_plain, point["values"]),
                *([_standing(point)] if has_front else []),
                *map(_of_point, point["metrics"].values()),
            ]
            for place, point in enumerate(points.all)
        ],
        numbers=1 + len(points.factors) + has_front,
    )


def front(points: Points) -> Iterator[Part]:
    """The Pareto front over its first two metrics, and the points on it."""
    on_front = points.sweep["frontPoints"]
    if len(points.front) >= 2:
        across, up = points.front[:2]
        yield Drawing(
            f"{_title(up)} against {_title(across)}, with 95 % intervals",
            partial(_front, points, across, up),
        )
        yield "Numbers: points on the front, as in the table."
    if not on_front:
        yield no_data("the sweep asked for no front")
        return
    yield TextTable(
        "The Pareto front",
        ["point", *map(_short, points.factors), "how sure", *map(_heading, points.front)],
        [
            [
                place,
                *map(_plain, point["values"]),
                _standing(point),
                *[_of_point(point["metrics"][name]) for name in points.front],
            ]
            for place, point in ((place, points.all[place]) for place in on_front)
        ],
        numbers=2 + len(points.factors),
    )


_LOOKS = {
    "front": (GREEN, "o"),
    "front?": (BLUE, "D"),
    "dominated?": (ORANGE, "s"),
    "dominated": (GREY, "x"),
}
"""Colour and marker of a point, by where it stands."""


def _front(points: Points, across: str, up: str) -> Figure:
    # Those on the front last, so that none of them is covered.
    order = sorted(
        range(len(points.all)), key=lambda place: "dominated" not in points.all[place]["front"]
    )
    figure, axes = canvas(4.2)
    seen: set[str] = set()
    named: list[tuple[int, float, float]] = []
    for place in order:
        point = points.all[place]
        x, y = (_dot(point["metrics"][name]) for name in (across, up))
        if not x or not y:
            continue
        kind = point["front"] if point["front"] in _SURE else "dominated"
        color, marker = _LOOKS[kind]
        label = {**_SURE, "dominated": "surely dominated"}[kind]
        axes.errorbar(
            x[0],
            y[0],
            xerr=[[arm] for arm in arms(x[0], x[1:])],
            yerr=[[arm] for arm in arms(y[0], y[1:])],
            fmt=marker,
            color=color,
            markersize=5.5,
            linewidth=1.1,
            label=None if label in seen else label,
        )
        seen.add(label)
        if place in points.sweep["frontPoints"]:
            named.append((place, x[0], y[0]))
    for place, right, top in named:
        axes.annotate(
            f" {place}",
            (right, top),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=10,
            fontweight="bold",
        )
    axes.margins(0.08)
    axes.set_xlabel(_heading(across))
    axes.set_ylabel(_heading(up))
    figure.legend(loc="outside lower left", ncols=2, fontsize=9)
    return figure


def lines(points: Points) -> Iterator[Part]:
    """Curves over the first key, one for each value of the second, where the points are a grid."""
    keys = points.factors
    is_grid = 1 <= len(keys) <= 2 and len(points.all) == math.prod(map(len, points.levels.values()))
    by_name: dict[str, str] = {}
    for metric in [*points.front, *points.metrics]:
        # One of each metric, the front's first.
        by_name.setdefault(re.split(r"[.{]", metric)[0], metric)
    drawn = list(by_name.values())[:8]
    if is_grid and drawn:
        yield Drawing(
            f"Metrics by {' and '.join(map(_short, keys))}, 95 % intervals",
            partial(_panels, points, drawn),
        )
    else:
        yield "The points are no grid of one or two keys: no curves, see the table."


def _panels(points: Points, drawn: Sequence[str]) -> Figure:
    keys = points.factors
    rows = math.ceil(len(drawn) / 2)
    figure, cells = canvas(2.6 * rows + 0.5, rows=rows, columns=2, squeeze=False)
    ticks = points.levels[keys[0]]
    others = points.levels[keys[1]] if len(keys) == 2 else [None]
    panels = list(cells.flat)
    # The last row may have one panel more than there are metrics.
    for axes, metric in zip(panels, drawn, strict=False):
        for place, other in enumerate(others):
            dots = [
                (ticks.index(_plain(point["values"][0])), _dot(point["metrics"][metric]))
                for point in points.all
                if other is None or _plain(point["values"][1]) == other
            ]
            # A little apart, so that no whisker hides another.
            shown = [(x + 0.06 * place, dot) for x, dot in dots if dot]
            axes.errorbar(
                [x for x, _ in shown],
                [dot[0] for _, dot in shown],
                yerr=[[arms(dot[0], dot[1:])[side] for _, dot in shown] for side in (0, 1)],
                marker="o",
                markersize=3.5,
                linewidth=1.3,
                capsize=2,
                color=COLORS[place % 8],
                linestyle=LINES[place % 8],
                label=other,
            )
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_title(_heading(metric).replace("{", "\n{"), fontsize=8.5)
        axes.tick_params(labelsize=8)
    for axes in panels[len(drawn) :]:
        axes.set_visible(False)
    for axes in panels[: len(drawn)][-2:]:
        axes.set_xlabel(_short(keys[0]), fontsize=9)
    if len(keys) == 2:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="outside lower left",
            ncols=4,
            fontsize=9,
            title=_short(keys[1]),
            title_fontsize=9,
            alignment="left",
        )
    return figure


# Effects


@dataclass(frozen=True)
class _Effect:
    """What a key does to a metric: a name and an estimate."""

    name: str
    row: JSON
    is_scaled: bool
    """Whether it has the metric's unit; a Sobol index has none."""


def effects(points: Points) -> Iterator[Part]:
    """What each key does to each metric."""
    table: list[tuple[str, dict[str, str]]] = []
    columns: list[str] = []
    charts: list[tuple[str, list[_Effect]]] = []
    for entry in points.sweep["effects"]:
        metric = entry["metric"]
        if isinstance(entry["factors"], str):
            yield f"{metric}: {entry['factors']}"
            continue
        rows = _effects(entry["factors"])
        cells = {effect.name: _difference(metric, effect) for effect in rows}
        columns += [name for name in cells if name not in columns]
        table.append((metric.removesuffix(".ratio"), cells))
        if rows and metric in (points.front or points.metrics[:2]):
            charts.append((metric, rows))
    for metric, rows in charts:
        yield Drawing(
            f"Effects on {metric.removesuffix('.ratio')}, 95 % intervals",
            partial(_chart, metric, rows),
        )
    if not table:
        yield no_data("no effect can be told")
        return
    yield TextTable(
        "Effects, ± half of the 95 % interval",
        ["metric", *columns],
        [[metric, *[cells.get(name, "–") for name in columns]] for metric, cells in table],
    )


def _effects(factors: Sequence[Mapping[str, Any]]) -> list[_Effect]:
    found = []
    for factor in factors:
        key = _short(factor["key"])
        for level in factor.get("levels", []):
            found.append(_Effect(f"{key} = {_plain(level['value'])}", level["effect"], True))
        for member, text, is_scaled in (
            ("slope", "over its range", True),
            ("meanSize", "mean size (mu*)", True),
            ("first", "first order", False),
            ("total", "total", False),
        ):
            if member in factor:
                found.append(_Effect(f"{key}, {text}", factor[member], is_scaled))
    return found


def _difference(metric: str, effect: _Effect) -> str:
    """`+12.3 ±0.4 ms`; of ratios in percentage points."""
    kind, row = unit(metric), effect.row
    scale = 100 if effect.is_scaled and kind == "ratio" else 1
    half = (row["upper"] - row["lower"]) / 2 * scale
    digits = places(row["value"] * scale, half, 4)
    sign = {"ms": " ms", "ratio": " points", "number": ""}[kind] if effect.is_scaled else ""
    return f"{row['value'] * scale:+,.{digits}f} ±{number(half, digits)}{sign}"


def _chart(metric: str, rows: Sequence[_Effect]) -> Figure:
    figure, axes = canvas(0.9 + 0.28 * len(rows))
    for place, effect in enumerate(rows):
        scale = 100 if effect.is_scaled and unit(metric) == "ratio" else 1
        row = effect.row
        whiskers(axes, place, row["value"], [row["lower"], row["upper"]], scale=scale)
    axes.axvline(0, color=GREY, linewidth=1)
    rows_of(axes, [effect.name for effect in rows])
    sign = ("ms" if unit(metric) == "ms" else "percentage points") if rows[0].is_scaled else "share"
    axes.set_xlabel(f"effect, {sign}")
    return figure
