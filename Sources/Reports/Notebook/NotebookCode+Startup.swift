extension NotebookCode {
  /// Waterfalls of the parts.
  static let startup = #"""
    BANDS = {
        "p50": "Views around the median",
        "p95": "Views around the 95th percentile",
        "waited": "All started views that waited",
    }


    bands = {name: result["startupBreakdown"][name] for name in BANDS}
    for name, band in bands.items():
        total = band["meanMilliseconds"]
        if not total:
            print(
                f"{BANDS[name]}: "
                + (
                    "0 ms, the first frame was on the display when the clock started."
                    if band["views"]
                    else "none."
                )
            )
            continue
        parts = [row for row in band["parts"] if row["nanoseconds"] > 0]
        figure, axes = canvas(1.0 + 0.27 * (len(parts) + 1))
        begin = 0
        for place, row in enumerate(parts):
            length = row["meanMilliseconds"]
            axes.barh([place], [length], left=[begin], height=0.7, color=COLORS[0])
            text = f"{number(length, 1)} ms"
            # The label goes where there is room for it: behind the bar, before it, or inside.
            end = begin + length
            if end < 0.8 * total:
                spot, side, color = end, 1, None
            elif begin > 0.2 * total:
                spot, side, color = begin, -1, None
            else:
                spot, side, color = end, -1, "white"
            axes.annotate(
                text,
                (spot, place),
                va="center",
                fontsize=9,
                color=color,
                ha="left" if side > 0 else "right",
                xytext=(3 * side, 0),
                textcoords="offset points",
            )
            begin += length
        axes.barh([len(parts)], [total], height=0.7, color=COLORS[7])
        axes.annotate(
            f"{number(total, 1)} ms",
            (total, len(parts)),
            va="center",
            ha="right",
            fontsize=9,
            color="white",
            fontweight="bold",
            xytext=(-3, 0),
            textcoords="offset points",
        )
        rows_of(axes, [words(row["part"]) for row in parts] + ["first frame"])
        axes.set_xlim(0, 1.02 * total)
        axes.set_xlabel("ms since the viewer settled or opened the app")
        display(Picture(figure, f"{BANDS[name]}: mean of {number(band['views'])} by part"))
    names = [
        row["part"]
        for row in bands["waited"]["parts"]
        if any(
            part["nanoseconds"]
            for band in bands.values()
            for part in band["parts"]
            if part["part"] == row["part"]
        )
    ]
    parts = {
        name: {row["part"]: row["meanMilliseconds"] for row in band["parts"]}
        for name, band in bands.items()
    }
    shown = [name for name, band in bands.items() if band["meanMilliseconds"]]
    (
        Table(
            "Mean time by part, ms; the parts sum to the first frame",
            ["part", *[BANDS[name] for name in shown]],
            [[words(part), *[number(parts[name][part], 1) for name in shown]] for part in names]
            + [["first frame", *[number(bands[name]["meanMilliseconds"], 1) for name in shown]]],
        )
        if shown
        else no_data("no started view took any time")
    )
    """#

  /// Late starts by part.
  static let late = #"""
    SERIES = {
        "started": "started late",
        "startedWithEdgeMiss": "started late, after an edge miss",
        "notStarted": "never",
        "notStartedWithEdgeMiss": "never, after an edge miss",
    }
    rows = [
        row for row in result["lateStarts"]["byPart"] if row["started"] + row["notStarted"] > 0
    ]
    rows.sort(key=lambda row: -(row["started"] + row["notStarted"]))
    if rows:
        figure, axes = canvas(1.2 + 0.3 * len(rows))
        begin = [0] * len(rows)
        for place, (key, name) in enumerate(SERIES.items()):
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
            begin = [a + b for a, b in zip(begin, lengths)]
        rows_of(axes, [words(row["part"]) for row in rows])
        axes.set_xlabel(f"views without a first frame after {late / 1000:g} s")
        figure.legend(loc="outside lower left", ncols=2, fontsize=9)
        display(Picture(figure, "Late starts by the part that took longest"))
    else:
        print(f"No view was without a first frame after {late / 1000:g} s.")
    """#
}
