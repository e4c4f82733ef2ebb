"""Sections of a run's notebook: what was asked, its budgets, its cohorts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ._notebook_parts import (
    GREEN,
    GREY,
    JSON,
    RED,
    Drawing,
    Part,
    TextTable,
    canvas,
    no_data,
    number,
    of,
    rows_of,
    whiskers,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def metrics_of(result: JSON) -> dict[str, JSON]:
    """The metrics of a result by name."""
    return {row["metric"]: row for row in result["metrics"]}


def asked(result: JSON) -> Iterator[Part]:
    """The scenario, and how much of it was run."""
    scenario, runs = result["scenario"], result["replications"]
    looks = ", ".join(map(str, runs["looks"]))
    yield TextTable(
        "The run",
        ["what", "value"],
        [
            ["scenario", scenario["name"] + (" (short form)" if scenario["short"] else "")],
            ["question", scenario["description"]],
            ["digest of scenario, seed and replications", scenario["digest"]],
            ["seed", result["seed"]],
            ["fingerprint of all events", result["fingerprint"]],
            [
                "replications",
                f"{runs['run']} of at most {runs['cap']}; looks after {looks}"
                + ("; stopped before its end" if runs["partial"] else ""),
            ],
            ["sessions", number(result["sessions"])],
            ["views", number(result["views"])],
            ["verdict", result["verdict"]],
        ],
        numbers=2,
    )


# Budgets

Margin = tuple[float, Sequence[float] | None]
"""A margin and the ends of its interval, as parts of the limit."""


def budgets(result: JSON) -> Iterator[Part]:
    """The margin of each budget to its limit, and every budget."""
    rows: Sequence[JSON] = result["budgets"]
    shown = [(row, margin) for row in rows if (margin := _margin(row))]
    if shown:
        yield Drawing(
            "Margin of each budget to its limit, with 95 % intervals", partial(_margins, shown)
        )
    if rows:
        yield TextTable(
            "Every budget; ± is half of the 95 % interval over the replications",
            ["metric", "limit", "level", "verdict", "value", "margin", "samples"],
            [
                [
                    row["metric"],
                    row["limit"],
                    row["level"],
                    row["verdict"],
                    of(row),
                    "–" if row["margin"] is None else f"{100 * row['margin']:+.1f} %",
                    number(row["samples"]),
                ]
                for row in rows
            ],
            numbers=4,
        )
    else:
        yield no_data("the scenario has no budget")
    for row in rows:
        if row["reason"]:
            yield f"{row['metric']}: {row['verdict']}: {row['reason']}"


def _margin(row: JSON) -> Margin | None:
    """The margin of a budget; None without one."""
    margin, value, interval = row["margin"], row["value"], row["interval"]
    if margin is None:
        return None
    sign = 1 if row["limit"].lstrip().startswith(">") else -1
    limit = value / (1 + sign * margin) if 1 + sign * margin else None
    if interval is None or not limit:
        return margin, None
    return margin, [sign * (end / limit - 1) for end in interval]


def _margins(shown: Sequence[tuple[JSON, Margin]]) -> Figure:
    figure, axes = canvas(0.9 + 0.33 * len(shown))
    for place, (row, (margin, interval)) in enumerate(shown):
        color = {"pass": GREEN, "fail": RED}.get(row["verdict"], GREY)
        whiskers(axes, place, margin, interval, scale=100, color=color)
    axes.axvline(0, color=RED, linewidth=1.4)
    lowest = min(min([margin, *(interval or [])]) for _, (margin, interval) in shown)
    # A budget missed by more than its limit is drawn at the left edge.
    axes.set_xlim(max(-105, min(-5, 110 * lowest)), 105)
    rows_of(axes, [f"{row['metric'].removesuffix('.ratio')} {row['limit']}" for row, _ in shown])
    axes.tick_params(axis="y", labelsize=8.5)
    axes.set_xlabel("margin to the limit, % of the limit\n(right of the red line: kept)")
    return figure


# Cohorts

_SHOWN = {
    "ttff_ms.p95": "time to first frame, P95, ms",
    "not_started_ratio.ratio": "left before a first frame, %",
    "rebuffer_ratio.ratio": "rebuffering, %",
    "wasted_ratio.ratio": "bytes wasted, %",
}
"""The metrics of cohorts that have a chart."""


def cohorts(result: JSON) -> Iterator[Part]:
    """Metrics for parts of the audience: networks, devices, windows."""
    found: dict[str, dict[str, JSON]] = {}
    columns: list[str] = []
    for name, row in metrics_of(result).items():
        parts = re.fullmatch(r"(\w+)\{(\w+)=([^,}]*)\}\.(\w+)", name)
        if parts and parts[2] not in ("tier", "by", "class") and row["value"] is not None:
            column = f"{parts[1]}.{parts[4]}"
            found.setdefault(f"{parts[2]} {parts[3]}", {})[column] = row
            if column not in columns:
                columns.append(column)
    if not found:
        yield no_data("the result holds no cohort")
        return
    drawn = [column for column in _SHOWN if column in columns]
    if drawn:
        yield Drawing(
            "Cohorts, with 95 % intervals over the replications", partial(_charts, found, drawn)
        )
    yield TextTable(
        "Cohorts, ± half of the 95 % interval over the replications",
        ["cohort", "views", *[name.removesuffix(".ratio") for name in columns]],
        [
            [name, number(max(row["samples"] for row in rows.values()))]
            + [of(rows[column]) if column in rows else "–" for column in columns]
            for name, rows in found.items()
        ],
    )


def _charts(found: Mapping[str, Mapping[str, JSON]], drawn: Sequence[str]) -> Figure:
    """A chart for each metric, a row in it for each cohort."""
    figure, grid = canvas(len(drawn) * (0.75 + 0.27 * len(found)), rows=len(drawn), squeeze=False)
    for axes, column in zip(grid[:, 0], drawn, strict=True):
        for place, rows in enumerate(found.values()):
            if column in rows:
                row = rows[column]
                scale = 100 if row["unit"] == "ratio" else 1
                whiskers(axes, place, row["value"], row["interval"], scale=scale)
        rows_of(axes, list(found))
        axes.set_xlim(left=0)
        if axes.get_xlim()[1] < 1e-3:
            axes.set_xlim(0, 1)
        axes.set_title(_SHOWN[column])
    return figure
