"""Sections of a capacity plan's notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ._notebook_parts import (
    COLORS,
    GREY,
    JSON,
    LINES,
    VIOLET,
    Drawing,
    Part,
    TextTable,
    canvas,
    formatted,
    no_data,
    rows_of,
    size,
    visible,
    whiskers,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _short(value: float | None) -> str:
    """Four digits, or all before the point."""
    if value is None:
        return "–"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


def levels(plan: JSON) -> Iterator[Part]:
    """What the audience takes at its peak, and when it is smaller or larger."""
    found = plan["levels"]
    rows = [
        ["users a day", *(_short(level["audience"]) for level in found)],
        ["views a second", *(_short(level["peakViewsPerSecond"]) for level in found)],
    ]
    for key, name in (
        ("edge", "to viewers"),
        ("behindEdges", "behind edges"),
        ("origin", "origin"),
    ):
        rows.append([f"Gbps {name}", *(_short(level[key]["gbps"]) for level in found)])
        rows.append(
            [f"requests/s {name}", *(_short(level[key]["requestsPerSecond"]) for level in found)]
        )
    for place, pool in enumerate(found[0]["pools"]):
        rows.append(
            [
                f"{pool['name']} at a time",
                *(_short(level["pools"][place]["concurrency"]) for level in found),
            ]
        )
    if found[0]["relay"]:
        rows.append(["relay ports", *(_short(level["relay"]["ports"]) for level in found)])
    rows.append(["a month", *(_short(level["monthlyCost"]) for level in found)])
    yield TextTable("At the peak", ["", *(f"{level['factor']}×" for level in found)], rows)


def observed(plan: JSON) -> Iterator[Part]:
    """What files of the audience and logs say, and what the plan says beside it."""
    taken = plan["observed"]
    if taken is None:
        yield no_data("the plan was made without files of the audience")
        return
    yield TextTable(
        "What was taken, beside the plan",
        ["", "observed", "n", "predicted", "difference"],
        [
            [
                row["quantity"],
                _short(row["observed"]),
                f"{row['n']:,} {row['of']}",
                _short(row["predicted"]),
                _short(row["difference"]),
            ]
            for row in taken["rows"]
        ],
    )
    yield TextTable(
        "Limits, by what was taken",
        ["", "what", "limit", "observed"],
        [
            [row["name"], row["what"], _short(row["limit"]), _short(row["observed"])]
            for row in taken["limits"]
        ],
        numbers=2,
    )
    yield TextTable(
        "Not told by these files",
        ["", "why"],
        [[", ".join(row["quantities"]), row["reason"]] for row in taken["notTold"]],
        numbers=2,
    )


def breaks(plan: JSON) -> Iterator[Part]:
    """How far the audience may grow, up to 20 times, by what gives way."""
    shown = [row for row in plan["breaks"] if row["multiple"] is not None and row["multiple"] < 20]
    if shown:
        yield Drawing("How far the audience may grow", partial(_breaks, shown))
    else:
        yield no_data("nothing gives way below 20 times the audience")


def _breaks(shown: Sequence[JSON]) -> Figure:
    figure, axes = canvas(0.4 * len(shown) + 0.8)
    for row, found in enumerate(shown):
        whiskers(axes, row, found["multiple"], found["interval"])
    rows_of(axes, [found["name"] + (" (sized)" if found["isSized"] else "") for found in shown])
    axes.axvline(1, color=GREY, linewidth=1)
    axes.set_xlabel("times the audience")
    return figure


def curve(plan: JSON, provider: str | None) -> Iterator[Part]:
    """Misses over the bytes of an edge; of several providers, of an edge of this one."""
    owner = f", of provider {visible(provider)}" if provider else ""
    yield Drawing(f"Misses of an edge, by its bytes{owner}", partial(_curve, plan))


def _curve(plan: JSON) -> Figure:
    from matplotlib.ticker import NullFormatter

    figure, axes = canvas(3.2)
    for key, name, line in (("missRatio", "requests", 0), ("byteMissRatio", "bytes", 1)):
        axes.plot(
            [point["bytes"] for point in plan["curve"]],
            [100 * point[key] for point in plan["curve"]],
            LINES[line],
            color=COLORS[line],
            label=name,
        )
    axes.axhline(100 * (1 - plan["targetHitRatio"]), color=GREY, linewidth=1, label="target")
    if plan["edgeBytes"]:
        axes.axvline(plan["edgeBytes"], color=VIOLET, linewidth=1, label="the scenario's edge")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(formatted(size))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=0)
    axes.set_xlabel("bytes of an edge")
    axes.set_ylabel("misses, %")
    axes.legend()
    return figure


def costs(plan: JSON) -> Iterator[Part]:
    """What a month costs at the audience, by line."""
    level = plan["levels"][1]
    currency = (plan["prices"] or {}).get("currency", "")
    yield TextTable(
        f"A month, {currency}".rstrip(", "),
        ["", "quantity", "amount"],
        [[line["name"], line["quantity"], _short(line["amount"])] for line in level["costs"]]
        + [["sum", "", _short(level["monthlyCost"])]],
    )


def assumptions(plan: JSON) -> Iterator[Part]:
    """What the plan takes for granted beside the scenario."""
    yield TextTable(
        "Assumptions",
        ["key", "value", "from"],
        [[row["key"], row["value"], row["source"]] for row in plan["assumptions"]],
        numbers=3,
    )
