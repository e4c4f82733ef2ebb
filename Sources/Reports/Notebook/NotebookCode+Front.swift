extension NotebookCode {
  /// The Pareto front.
  static let sweepFront = #"""
    if len(sweep["front"]) >= 2:
        across, up = sweep["front"][:2]
        # Those on the front last, so that none of them is covered.
        order = sorted(
            range(len(points)), key=lambda place: "dominated" not in points[place]["front"]
        )
        figure, axes = canvas(4.2)
        seen, row_of = set(), {}
        for place in order:
            point = points[place]
            x, y = (dot(point["metrics"][name]) for name in (across, up))
            if not x or not y:
                continue
            kind = point["front"] if point["front"] in FRONT else "dominated"
            color, marker = {
                "front": (COLORS[2], "o"),
                "front?": (COLORS[0], "D"),
                "dominated?": (COLORS[1], "s"),
            }.get(kind, (COLORS[7], "x"))
            label = {**FRONT, "dominated": "surely dominated"}[kind]
            axes.errorbar(
                x[0],
                y[0],
                xerr=[[x[0] - x[1]], [x[2] - x[0]]],
                yerr=[[y[0] - y[1]], [y[2] - y[0]]],
                fmt=marker,
                color=color,
                markersize=5.5,
                linewidth=1.1,
                label=None if label in seen else label,
            )
            seen.add(label)
            row_of.setdefault(place in sweep["frontPoints"], []).append((place, x[0], y[0]))
        for place, x, y in row_of.get(True, []):
            axes.annotate(
                f" {place}",
                (x, y),
                xytext=(5, 4),
                textcoords="offset points",
                fontsize=10,
                fontweight="bold",
            )
        axes.margins(0.08)
        axes.set_xlabel(heading(across))
        axes.set_ylabel(heading(up))
        figure.legend(loc="outside lower left", ncols=2, fontsize=9)
        display(
            Picture(
                figure,
                f"{heading(up).rsplit(',', 1)[0]} against {heading(across).rsplit(',', 1)[0]}, "
                "with 95 % intervals",
            )
        )
        print("Numbers: points on the front, as in the table.")
    (
        Table(
            "The Pareto front",
            ["point", *map(short, factors), "how sure", *map(heading, sweep["front"])],
            [
                [
                    place,
                    *map(plain, points[place]["values"]),
                    verdict(points[place]),
                    *[of_point(points[place]["metrics"][name]) for name in sweep["front"]],
                ]
                for place in sweep["frontPoints"]
            ],
            numbers=2 + len(factors),
        )
        if sweep["frontPoints"]
        else no_data("the sweep asked for no front")
    )
    """#

  /// What each key does.
  static let sweepEffects = #"""
    def effect_rows(effects):
        """Names, estimates and whether they have the metric's unit."""
        rows = []
        for factor in effects:
            key = short(factor["key"])
            for level in factor.get("levels", []):
                rows.append((f"{key} = {plain(level['value'])}", level["effect"], True))
            for member, text in [("slope", "over its range"), ("meanSize", "mean size (mu*)")]:
                if member in factor:
                    rows.append((f"{key}, {text}", factor[member], True))
            for member, text in [("first", "first order"), ("total", "total")]:
                if member in factor:
                    rows.append((f"{key}, {text}", factor[member], False))
        return rows


    def difference(metric, row, scaled):
        scale = 100 if scaled and unit(metric) == "ratio" else 1
        half = (row["upper"] - row["lower"]) / 2 * scale
        digits = places(row["value"] * scale, half, 4)
        sign = {"ms": " ms", "ratio": " points", "number": ""}[unit(metric)] if scaled else ""
        return f"{row['value'] * scale:+,.{digits}f} ±{number(half, digits)}{sign}"


    table, columns, charts = [], [], []
    for entry in sweep["effects"]:
        metric = entry["metric"]
        if isinstance(entry["factors"], str):
            print(f"{metric}: {entry['factors']}")
            continue
        rows = effect_rows(entry["factors"])
        cells = {name: difference(metric, row, scaled) for name, row, scaled in rows}
        columns += [name for name in cells if name not in columns]
        table.append((metric.removesuffix(".ratio"), cells))
        if metric in (sweep["front"] or names[:2]):
            charts.append((metric, rows))
    for metric, rows in charts:
        figure, axes = canvas(0.9 + 0.28 * len(rows))
        for place, (_, row, scaled) in enumerate(rows):
            scale = 100 if scaled and unit(metric) == "ratio" else 1
            whiskers(axes, place, row["value"], [row["lower"], row["upper"]], scale=scale)
        axes.axvline(0, color=COLORS[7], linewidth=1)
        rows_of(axes, [name for name, _, _ in rows])
        sign = ("ms" if unit(metric) == "ms" else "percentage points") if rows[0][2] else "share"
        axes.set_xlabel(f"effect, {sign}")
        display(Picture(figure, f"Effects on {metric.removesuffix('.ratio')}, 95 % intervals"))
    (
        Table(
            "Effects, ± half of the 95 % interval",
            ["metric", *columns],
            [[metric, *[cells.get(name, "–") for name in columns]] for metric, cells in table],
        )
        if table
        else no_data("no effect can be told")
    )
    """#
}
