"""Sections of a run's notebook: hit ratios, and what became of requests at each tier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ._notebook_parts import (
    COLORS,
    JSON,
    Drawing,
    Part,
    TextTable,
    canvas,
    no_data,
    number,
    of,
    rows_of,
    share,
    size,
    whiskers,
    words,
)
from ._notebook_run import metrics_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def hits(result: JSON) -> Iterator[Part]:
    """Hit ratios by tier and class, and origin offload."""
    ratios = [
        row
        for name, row in metrics_of(result).items()
        if re.match(r"hit_ratio\{|origin_offload", name) and row["value"] is not None
    ]
    if not ratios:
        yield no_data("the result holds no hit ratio")
        return
    yield Drawing("Hit ratios by tier and class, with 95 % intervals", partial(_ratios, ratios))
    yield TextTable(
        "Hit ratios, ± half of the 95 % interval over the replications",
        ["ratio", "value", "requests"],
        [[_ratio_name(row), of(row), number(row["samples"])] for row in ratios],
    )


def _ratio_name(row: JSON) -> str:
    labels: dict[str, str] = dict(re.findall(r"(\w+)=([^,}]*)", row["metric"]))
    if not labels:
        return "origin offload, by bytes"
    what = words(labels["class"]) if "class" in labels else "all classes"
    return f"{labels.get('tier', '')}: {what}, by {labels.get('by', 'requests')}"


def _ratios(ratios: Sequence[JSON]) -> Figure:
    figure, axes = canvas(0.9 + 0.28 * len(ratios))
    for place, row in enumerate(ratios):
        whiskers(axes, place, row["value"], row["interval"], scale=100)
    rows_of(axes, [_ratio_name(row) for row in ratios])
    axes.set_xlim(0, 102)
    axes.set_xlabel("hits, %")
    return figure


# Tiers

_KNOWN = ("hit", "stale_hit", "revalidated", "collapsed", "miss", "bypass", "error")


def caches(result: JSON) -> Iterator[Part]:
    """What became of the requests at each tier, by class."""
    rows = [row for row in result["tiers"] if row["requests"] > 0]
    used = list(dict.fromkeys(row["outcome"] for row in rows))
    outcomes = [name for name in _KNOWN if name in used]
    outcomes += [name for name in used if name not in _KNOWN]
    metrics = metrics_of(result)
    for name in dict.fromkeys(row["tier"] for row in rows):
        tier = _Tier(name, [row for row in rows if row["tier"] == name], outcomes, metrics)
        yield Drawing(
            f"Outcomes at the {name} by class, pooled over the replications",
            partial(_outcomes, tier),
        )
        yield _requests(tier)
    if not rows:
        yield no_data("no cache saw a request")


@dataclass(frozen=True)
class _Tier:
    """The requests that one tier saw."""

    name: str
    rows: Sequence[JSON]
    outcomes: Sequence[str]
    """Those of all tiers, in the order of bars and columns."""
    metrics: Mapping[str, JSON]

    @property
    def classes(self) -> list[str]:
        """The classes that it saw."""
        return list(dict.fromkeys(row["class"] for row in self.rows))

    def tally(self, name: str | None, what: str = "requests") -> dict[str, int]:
        """Requests or bytes by outcome, of a class or of all."""
        counts = dict.fromkeys(self.outcomes, 0)
        for row in self.rows:
            if name in (None, row["class"]):
                counts[row["outcome"]] += row[what]
        return counts

    def hits(self, name: str) -> str:
        """The hit ratio of a class, with its interval where the result holds it."""
        row = self.metrics.get(f"hit_ratio{{tier={self.name},class={name},by=requests}}.ratio")
        return of(row) if row and row["value"] is not None else _hits(self.tally(name))


def _hits(counts: Mapping[str, int]) -> str:
    """(hit + stale_hit) / (all - error)"""
    good = counts.get("hit", 0) + counts.get("stale_hit", 0)
    return share(good, sum(counts.values()) - counts.get("error", 0))


def _outcomes(tier: _Tier) -> Figure:
    names = tier.classes
    figure, axes = canvas(1.25 + 0.3 * len(names))
    begin = [0.0] * len(names)
    for place, outcome in enumerate(tier.outcomes):
        lengths = []
        for name in names:
            counts = tier.tally(name)
            lengths.append(100 * counts[outcome] / sum(counts.values()))
        if any(lengths):
            axes.barh(
                range(len(names)),
                lengths,
                left=begin,
                height=0.7,
                label=words(outcome),
                color=COLORS[place % 8],
                edgecolor="white",
                linewidth=0.5,
                hatch=[None, "///", "xx", "---"][place % 4],
            )
        begin = [a + b for a, b in zip(begin, lengths, strict=True)]
    for place, name in enumerate(names):
        axes.annotate(
            number(sum(tier.tally(name).values())),
            (100, place),
            va="center",
            fontsize=9,
            xytext=(4, 0),
            textcoords="offset points",
            annotation_clip=False,
        )
    rows_of(axes, [words(name) for name in names])
    axes.set_xlim(0, 100)
    axes.set_xlabel(f"% of the requests at the {tier.name} (behind the bars: requests)")
    figure.legend(loc="outside lower left", ncols=3, fontsize=9)
    return figure


def _requests(tier: _Tier) -> TextTable:
    def row(head: str, name: str | None, ratio: str) -> list[str]:
        counts, held = tier.tally(name), tier.tally(name, "bytes")
        return [
            head,
            number(sum(counts.values())),
            ratio,
            _hits(held),
            size(sum(held.values())),
            *map(number, counts.values()),
        ]

    return TextTable(
        f"Requests at the {tier.name} by class; ± half of the 95 % interval",
        ["class", "requests", "hits", "hits by bytes", "bytes", *map(words, tier.outcomes)],
        [
            *(row(words(name), name, tier.hits(name)) for name in tier.classes),
            row("all", None, _hits(tier.tally(None))),
        ],
    )
