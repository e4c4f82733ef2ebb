"""The tables of `result.json` and `sweep.json`: the same as `firstframe … --tables` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import ResultError
from ._table import Cell, Column, Kind, Table

JSON = Mapping[str, Any]

_KINDS: dict[str, Kind] = {"t": "text", "i": "integer", "n": "number", "b": "boolean"}


def _columns(text: str) -> tuple[Column, ...]:
    """Columns of `name:letter` pairs."""
    pairs = (pair.split(":") for pair in text.split())
    return tuple(Column(name, _KINDS[letter]) for name, letter in pairs)


_RUN = "scenario:t digest:t "
_VALUE = "unit:t value:n lower:n upper:n standard_error:n replications:i samples:i is_lower_bound:b"
METRICS = _columns(f"{_RUN} metric:t name:t labels:t stat:t {_VALUE} numerator:n denominator:n")
REPLICATIONS = _columns(f"{_RUN} metric:t unit:t replication:i value:n")
BUDGETS = _columns(
    f"{_RUN} metric:t limit:t level:t verdict:t reason:t margin:n decided_at:i place:t {_VALUE}"
)
COHORTS = _columns(
    f"{_RUN} network:t device:t views:i started:i not_started:i startup_ns:i played_ns:i"
    " stalled_ns:i stalls:i views_with_stall:i shown_items:i switched_items:i shown_ns:i"
    " top_rung_ns:i shown_bits:i delivered_bytes:i rendered_bytes:i wasted_bytes:i"
    " still_buffered_bytes:i prefetched_bytes:i prefetched_wasted_bytes:i"
)
WINDOWS = _columns(
    f"{_RUN} window:t from_s:n to_s:n requests:i delivered_bytes:i origin_requests:i origin_bytes:i"
)
SWEEP_REPLICATIONS = _columns("scenario:t point:i metric:t unit:t replication:i value:n")
COMPARISON = _columns(
    "metric:t baseline:n candidate:n difference:n lower:n upper:n relative_change:n"
    " smallest_detectable:n least_that_matters:n replications_needed:i variance_reduction:n"
    " replications:i outcome:t"
)
_FIGURES = _columns(
    "metric:t unit:t value:n lower:n upper:n replications:i samples:i is_lower_bound:b"
    " reference:i difference:n difference_lower:n difference_upper:n outcome:t front:t"
)


def read(path: Path, kind: str) -> dict[str, Any]:
    """Reads a document of a kind; raises ResultError naming the file and the place."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise ResultError(f"{path}: expected a file that can be read, got {problem}") from None
    return parsed(text, path, kind)


def parsed(text: str, path: Path, kind: str, schema: int = 1) -> dict[str, Any]:
    """The text of a file as a document of a kind; raises as `read`."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as problem:
        raise ResultError(
            f"{path}:{problem.lineno}:{problem.colno}: expected JSON, got {problem.msg.lower()}"
        ) from None
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise ResultError(f"{path}: kind: expected {kind}, got another document")
    if document.get("schema") != schema:
        raise ResultError(f"{path}: schema: expected {schema}, got {document.get('schema')!r}")
    return document


# Of a run


def _estimate(part: JSON) -> list[Cell]:
    lower, upper = part["interval"] or (None, None)
    return [
        part["unit"],
        part["value"],
        lower,
        upper,
        part["standardError"],
        part["replications"],
        part["samples"],
        part["isLowerBound"],
    ]


def _run(result: JSON) -> list[Cell]:
    return [result["scenario"]["name"], result["scenario"]["digest"]]


def _all_metrics(result: JSON) -> Iterator[JSON]:
    """The metrics that every result holds, then those of budgets that are none of them."""
    names = set()
    for metric in [*result["metrics"], *result["budgets"]]:
        if metric["metric"] not in names:
            names.add(metric["metric"])
            yield metric


def _name(text: str) -> list[Cell]:
    """Name, labels and stat of `name{label=value,…}.stat`."""
    found = re.fullmatch(r"([^{.]*)(?:\{([^}]*)\})?(?:\.(.*))?", text)
    if not found:
        raise ResultError(f"{text}: expected the name of a metric, got another text")
    return [part or "" for part in found.groups()]


def metrics(result: JSON) -> Table:
    return Table.of(
        METRICS,
        (
            [
                *_run(result),
                metric["metric"],
                *_name(metric["metric"]),
                *_estimate(metric),
                metric.get("numerator", 0.0),
                metric.get("denominator", 0.0),
            ]
            for metric in _all_metrics(result)
        ),
    )


def replications(result: JSON) -> Table:
    return Table.of(
        REPLICATIONS,
        (
            [*_run(result), metric["metric"], metric["unit"], number, value]
            for metric in _all_metrics(result)
            for number, value in enumerate(metric.get("values", ()))
        ),
    )


def budgets(result: JSON) -> Table:
    members = ("metric", "limit", "level", "verdict", "reason", "margin", "decidedAt", "place")
    return Table.of(
        BUDGETS,
        (
            [*_run(result), *(budget[name] for name in members), *_estimate(budget)]
            for budget in result["budgets"]
        ),
    )


_SUMS = {
    "network": "network",
    "device": "device",
    "views": "views",
    "started": "started",
    "not_started": "notStarted",
    "startup_ns": "startupNanoseconds",
    "played_ns": "playedNanoseconds",
    "stalled_ns": "stalledNanoseconds",
    "stalls": "stalls",
    "views_with_stall": "viewsWithStall",
}
_SHOWN = ("shownItems", "switchedItems", "shownNanoseconds", "topRungNanoseconds", "shownBits")
_BYTES = (
    "delivered",
    "rendered",
    "wasted",
    "stillBuffered",
    "prefetched",
    "prefetchedWasted",
)


def cohorts(result: JSON) -> Table:
    return Table.of(
        COHORTS,
        (
            [
                *_run(result),
                *(sums[name] for name in _SUMS.values()),
                # Results of before there were these count none.
                *(sums.get(name, 0) for name in _SHOWN),
                *(held[name] for name in _BYTES),
            ]
            for sums, held in zip(result["cohorts"], result["bytes"], strict=True)
        ),
    )


def windows(result: JSON) -> Table:
    members = (
        "name",
        "fromSeconds",
        "toSeconds",
        "requests",
        "deliveredBytes",
        "originRequests",
        "originBytes",
    )
    return Table.of(
        WINDOWS,
        (
            [*_run(result), *(window[name] for name in members)]
            for window in result.get("windows", ())
        ),
    )


# Of a sweep


def points(sweep: JSON) -> Table:
    factors = [
        _factor(key, [point["values"][place] for point in sweep["points"]])
        for place, key in enumerate(sweep["factors"])
    ]
    columns = [*_columns("scenario:t point:i"), *(column for column, _ in factors), *_FIGURES]
    return Table.of(columns, _points(sweep, [values for _, values in factors]))


def _points(sweep: JSON, factors: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    for number, point in enumerate(sweep["points"]):
        for metric, change in zip(point["metrics"], point["changes"], strict=True):
            yield [
                sweep["scenario"],
                number,
                *(values[number] for values in factors),
                metric["metric"],
                unit(metric["metric"]),
                metric["value"],
                metric["lower"],
                metric["upper"],
                metric["replications"],
                metric["samples"],
                metric["isLowerBound"],
                point["reference"],
                change["difference"],
                change["lower"],
                change["upper"],
                change["outcome"],
                point.get("front", ""),
            ]


def unit(metric: str) -> str:
    """The unit of a metric, which its name tells: `sweep.json` does not."""
    name, _, stat = _name(metric)
    if str(name).endswith("_ms"):
        return "ms"
    return "ratio" if stat == "ratio" else "number"


def _factor(key: str, texts: Sequence[str | None]) -> tuple[Column, list[Cell]]:
    """The values of a key as its column: numbers where all are, texts without their quotes."""
    plain = [
        json.loads(text) if text is not None and text.startswith('"') else text for text in texts
    ]
    given = [text for text in plain if text is not None]
    if all(re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) for text in given):
        return Column(key, "integer"), [None if text is None else int(text) for text in plain]
    if all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text) for text in given):
        return Column(key, "number"), [None if text is None else float(text) for text in plain]
    return Column(key, "text"), list(plain)


def comparison(rows: Iterable[JSON]) -> Table:
    members = (
        "metric",
        "baseline",
        "candidate",
        "difference",
        "lower",
        "upper",
        "relativeChange",
        "smallestDetectable",
        "leastThatMatters",
        "replicationsNeeded",
        "varianceReduction",
        "replications",
        "outcome",
    )
    return Table.of(COMPARISON, ([row[name] for name in members] for row in rows))


def kinds(columns: Sequence[Column]) -> dict[str, Kind]:
    return {column.name: column.kind for column in columns}
