extension NotebookCode {
  /// What was varied.
  static let sweepAsked = #"""
    sweep = json.loads(read("sweep.json"))
    FRONT = {
        "front": "surely on the front",
        "front?": "on the front by the means",
        "dominated?": "dominated by the means",
    }


    def plain(value):
        return "as it is" if value is None else value.strip('"')


    def short(key):
        return ".".join(key.split(".")[-2:])


    def unit(metric):
        name = metric.split("{")[0].split(".")[0]
        if metric.endswith(".rate") or name.endswith("_max"):
            return "number"
        return "ms" if name.endswith("_ms") else "ratio"


    def heading(metric):
        signs = {"ms": ", ms", "ratio": ", %", "number": ""}
        return metric.removesuffix(".ratio") + signs[unit(metric)]


    def of_point(row):
        ends = None if row["lower"] is None else [row["lower"], row["upper"]]
        return estimate(row["value"], ends, unit(row["metric"]), row["isLowerBound"])


    def dot(row, scaled=True):
        """Value, lower and upper end as charts show them; None without a value."""
        if row["value"] is None:
            return None
        scale = 100 if scaled and unit(row["metric"]) == "ratio" else 1
        ends = [row["value"] if row[end] is None else row[end] for end in ("lower", "upper")]
        return tuple(scale * value for value in (row["value"], min(ends), max(ends)))


    factors = sweep["factors"]
    points = [
        {**point, "metrics": {row["metric"]: row for row in point["metrics"]}}
        for point in sweep["points"]
    ]
    names = list(points[0]["metrics"]) if points else []
    levels = {
        key: list(dict.fromkeys(plain(point["values"][place]) for point in points))
        for place, key in enumerate(factors)
    }
    Table(
        "The sweep",
        ["what", "value"],
        [
            ["scenario", sweep["scenario"]],
            ["seed", sweep["seed"]],
            ["points", len(points)],
            ["replications of each point", sweep["replications"]],
            *[
                [key, ", ".join(levels[key][:12]) + (", …" if len(levels[key]) > 12 else "")]
                for key in factors
            ],
        ],
        numbers=2,
    )
    """#

  /// Every point.
  static let sweepPoints = #"""
    def verdict(point):
        return FRONT.get(
            point.get("front", ""),
            point.get("front", "").replace("dominated by", "surely dominated by point"),
        )


    (
        Table(
            "Every point, ± half of the 95 % interval over the replications",
            [
                "point",
                *map(short, factors),
                *([] if not sweep["front"] else ["front"]),
                *[heading(name).rsplit(",", 1)[0] for name in names],
            ],
            [
                [
                    place,
                    *map(plain, point["values"]),
                    *([] if not sweep["front"] else [verdict(point)]),
                    *[of_point(row) for row in point["metrics"].values()],
                ]
                for place, point in enumerate(points)
            ],
            numbers=1 + len(factors) + bool(sweep["front"]),
        )
        if points
        else no_data("no point was run")
    )
    """#

  /// Metrics over the keys.
  static let sweepLines = #"""
    # Curves over the first key, one for each value of the second, where the points form a grid.
    grid = 1 <= len(factors) <= 2 and len(points) == math.prod(map(len, levels.values()))
    drawn = {}
    for name in [*sweep["front"], *names]:
        # One of each metric, the front's first.
        drawn.setdefault(re.split(r"[.{]", name)[0], name)
    drawn = list(drawn.values())[:8]
    if grid and drawn:
        figure, cells = canvas(
            2.6 * math.ceil(len(drawn) / 2) + 0.5,
            rows=math.ceil(len(drawn) / 2),
            columns=2,
            squeeze=False,
        )
        ticks = levels[factors[0]]
        for axes, name in zip(cells.flat, drawn):
            for place, other in enumerate(levels[factors[1]] if len(factors) == 2 else [None]):
                rows = [
                    (ticks.index(plain(point["values"][0])), dot(point["metrics"][name]))
                    for point in points
                    if other is None or plain(point["values"][1]) == other
                ]
                # A little apart, so that no whisker hides another.
                rows = [(x + 0.06 * place, row) for x, row in rows if row]
                axes.errorbar(
                    [x for x, _ in rows],
                    [row[0] for _, row in rows],
                    yerr=[
                        [row[0] - row[1] for _, row in rows],
                        [row[2] - row[0] for _, row in rows],
                    ],
                    marker="o",
                    markersize=3.5,
                    linewidth=1.3,
                    capsize=2,
                    color=COLORS[place % 8],
                    linestyle=LINES[place % 8],
                    label=other,
                )
            axes.set_xticks(range(len(ticks)), ticks)
            axes.set_title(heading(name).replace("{", "\n{"), fontsize=8.5)
            axes.tick_params(labelsize=8)
        for axes in list(cells.flat)[len(drawn) :]:
            axes.set_visible(False)
        for axes in [axes for axes in cells.flat if axes.get_visible()][-2:]:
            axes.set_xlabel(short(factors[0]), fontsize=9)
        if len(factors) == 2:
            handles, labels = cells[0, 0].get_legend_handles_labels()
            figure.legend(
                handles,
                labels,
                loc="outside lower left",
                ncols=4,
                fontsize=9,
                title=short(factors[1]),
                title_fontsize=9,
                alignment="left",
            )
        display(
            Picture(figure, f"Metrics by {' and '.join(map(short, factors))}, 95 % intervals")
        )
    else:
        print(
            "The points are no grid of one or two keys: no curves, see the table."
        )
    """#
}
