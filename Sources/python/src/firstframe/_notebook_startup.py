"""Sections of a run's notebook: how soon views start, what startup is made of, late starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ._notebook_parts import (
    BLUE,
    COLORS,
    GREY,
    JSON,
    Drawing,
    Part,
    TextTable,
    canvas,
    no_data,
    number,
    rows_of,
    share,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# How soon


def classes(result: JSON) -> Iterator[Part]:
    """All views by when their first frame came."""
    counts: dict[tuple[float, float | None], int] = {}
    never = 0
    for row in result["histograms"]:
        if row["metric"] == "ttff_ms":
            for lower, upper, started, gone in row["fixedBuckets"]:
                counts[lower, upper] = counts.get((lower, upper), 0) + started
                never += gone
    if not counts:
        yield no_data("no view was simulated")
        return
    rows = [(_class_name(lower, upper), count) for (lower, upper), count in counts.items()]
    rows.append(("never: left before a first frame", never))
    whole = sum(count for _, count in rows)
    yield TextTable(
        "How soon views start, all networks and clocks together",
        ["time", "views", "share"],
        [[name, number(count), share(count, whole)] for name, count in rows],
    )


def _class_name(lower: float, upper: float | None) -> str:
    """The ends of a class of times, in milliseconds."""
    if (lower, upper) == (0, 0):
        return "0 ms"
    return f"{lower:g} to {upper:g} ms" if upper else f"{lower:g} ms and later"


# By part

_BANDS = {
    "p50": "Views around the median",
    "p95": "Views around the 95th percentile",
    "waited": "All started views that waited",
}


def startup(result: JSON) -> Iterator[Part]:
    """The parts of a startup, which follow one another and sum to the first frame."""
    bands: dict[str, JSON] = {name: result["startupBreakdown"][name] for name in _BANDS}
    for name, band in bands.items():
        if band["meanMilliseconds"]:
            yield Drawing(
                f"{_BANDS[name]}: mean of {number(band['views'])} by part", partial(_steps, band)
            )
        elif band["views"]:
            yield (
                f"{_BANDS[name]}: 0 ms, the first frame was on the display when the clock started."
            )
        else:
            yield f"{_BANDS[name]}: none."
    shown = [name for name, band in bands.items() if band["meanMilliseconds"]]
    if not shown:
        yield no_data("no started view took any time")
        return
    means = {
        name: {row["part"]: row["meanMilliseconds"] for row in bands[name]["parts"]}
        for name in shown
    }
    yield TextTable(
        "Mean time by part, ms; the parts sum to the first frame",
        ["part", *[_BANDS[name] for name in shown]],
        [[words(part), *[number(means[name][part], 1) for name in shown]] for part in _parts(bands)]
        + [["first frame", *[number(bands[name]["meanMilliseconds"], 1) for name in shown]]],
    )


def _parts(bands: Mapping[str, JSON]) -> list[str]:
    """The parts that took any time in any band, in their order."""
    taken = {row["part"] for band in bands.values() for row in band["parts"] if row["nanoseconds"]}
    return [row["part"] for row in bands["waited"]["parts"] if row["part"] in taken]


def _steps(band: JSON) -> Figure:
    """Bars that begin where the one before ends, and the sum."""
    total = band["meanMilliseconds"]
    parts = [row for row in band["parts"] if row["nanoseconds"] > 0]
    figure, axes = canvas(1.0 + 0.27 * (len(parts) + 1))
    begin: float = 0
    for place, row in enumerate(parts):
        length = row["meanMilliseconds"]
        axes.barh([place], [length], left=[begin], height=0.7, color=BLUE)
        # The label goes where there is room for it: behind the bar, before it, or inside.
        end = begin + length
        if end < 0.8 * total:
            _label(axes, place, length, end, 1)
        elif begin > 0.2 * total:
            _label(axes, place, length, begin, -1)
        else:
            _label(axes, place, length, end, -1, color="white")
        begin += length
    axes.barh([len(parts)], [total], height=0.7, color=GREY)
    _label(axes, len(parts), total, total, -1, color="white", fontweight="bold")
    rows_of(axes, [words(row["part"]) for row in parts] + ["first frame"])
    axes.set_xlim(0, 1.02 * total)
    axes.set_xlabel("ms since the viewer settled or opened the app")
    return figure


def _label(axes: Axes, row: int, length: float, spot: float, side: int, **options: Any) -> None:
    """The length of a bar in milliseconds, to one side of a spot."""
    axes.annotate(
        f"{number(length, 1)} ms",
        (spot, row),
        va="center",
        fontsize=9,
        ha="left" if side > 0 else "right",
        xytext=(3 * side, 0),
        textcoords="offset points",
        **options,
    )


# Late starts

_SERIES = {
    "started": "started late",
    "startedWithEdgeMiss": "started late, after an edge miss",
    "notStarted": "never",
    "notStartedWithEdgeMiss": "never, after an edge miss",
}


def late(result: JSON) -> Iterator[Part]:
    """Views without a first frame at the limit, by the part that had taken longest."""
    limit = result["lateStarts"]["limitMilliseconds"] / 1000
    rows = [row for row in result["lateStarts"]["byPart"] if row["started"] + row["notStarted"] > 0]
    rows.sort(key=lambda row: -(row["started"] + row["notStarted"]))
    if rows:
        yield Drawing("Late starts by the part that took longest", partial(_late, rows, limit))
    else:
        yield f"No view was without a first frame after {limit:g} s."


def _late(rows: Sequence[JSON], limit: float) -> Figure:
    figure, axes = canvas(1.2 + 0.3 * len(rows))
    begin = [0] * len(rows)
    for place, (key, name) in enumerate(_SERIES.items()):
        # Those with an edge miss are among the others.
        lengths = [
            row[key] - (row[key + "WithEdgeMiss"] if "With" not in key else 0) for row in rows
        ]
        axes.barh(
            range(len(rows)),
            lengths,
            left=begin,
            height=0.7,
            color=COLORS[place],
            hatch="///" if "With" in key else None,
            edgecolor="white",
            linewidth=0.5,
            label=name,
        )
        begin = [a + b for a, b in zip(begin, lengths, strict=True)]
    rows_of(axes, [words(row["part"]) for row in rows])
    axes.set_xlabel(f"views without a first frame after {limit:g} s")
    figure.legend(loc="outside lower left", ncols=2, fontsize=9)
    return figure
