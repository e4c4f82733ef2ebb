extension NotebookCode {
  /// Survival curves, waits and percentiles.
  static let times = #"""
    CLOCKS = {
        "ttff_ms": "all views",
        "ttff_cold_ms": "first views of sessions",
        "ttff_swipe_ms": "after a swipe",
        "ttff_play_ms": "from play()",
    }
    PERCENTILES = {"p50": 0.5, "p75": 0.25, "p90": 0.1, "p95": 0.05, "p99": 0.01}
    LEAST = 10


    def buckets(clock, networks):
        """Rows (lower ms, upper ms, started, left before a frame) of hist/, sorted by time."""
        rows = []
        for network in networks:
            for row in csv.DictReader(io.StringIO(read(f"hist/{clock}.{network}.csv"))):
                rows.append(
                    (
                        float(row["lower_ms"]),
                        float(row["upper_ms"] or row["lower_ms"]),
                        int(row["started"]),
                        int(row["censored"]),
                    )
                )
        return sorted(rows, key=lambda row: (row[1], row[0]))


    def survival(rows):
        """The product-limit estimate (Kaplan, Meier 1958) at the buckets' upper ends."""
        left, value, points = sum(row[2] + row[3] for row in rows), 1.0, [(LEAST, 1.0)]
        for time, group in groupby(rows, key=lambda row: row[1]):
            group = list(group)
            started, gone = sum(row[2] for row in group), sum(row[3] for row in group)
            value *= 1 - started / left if left else 1
            left -= started + gone
            if time < LEAST:
                points = [(LEAST, value)]
            else:
                points.append((time, value))
        return points


    def time_axis(axes, first, last):
        ticks = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
        axes.set_xscale("log")
        axes.set_xlim(first, last)
        axes.xaxis.set_major_locator(
            FixedLocator([tick for tick in ticks if first <= tick <= last])
        )
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda tick, _: f"{tick:g} ms" if tick < 1000 else f"{tick / 1000:g} s")
        )


    def late_line(axes):
        axes.axvline(late, color=COLORS[4], linewidth=1.2, linestyle="--")
        axes.annotate(
            f"late after {late / 1000:g} s",
            (late, 1),
            xycoords=("data", "axes fraction"),
            ha="center",
            va="bottom",
            fontsize=9,
            color=COLORS[4],
        )


    def waiting(curves, title):
        """Shares that still wait, and percentiles with intervals; None without any."""
        curves = [(name, survival(rows), prefix) for name, rows, prefix in curves if rows]
        curves = [curve for curve in curves if curve[1][0][1] > 0 and len(curve[1]) > 1]
        if not curves:
            return None
        figure, axes = canvas(4.1)
        lowest = min(value for _, points, _ in curves for _, value in points if value > 0)
        for place, (name, points, prefix) in enumerate(curves):
            color, points = COLORS[place % 8], [point for point in points if point[1] > 0]
            axes.step(
                [time for time, _ in points],
                [value for _, value in points],
                where="post",
                color=color,
                linestyle=LINES[place % 8],
                label=name,
            )
            for stat, level in PERCENTILES.items():
                row = metrics.get(f"{prefix}.{stat}")
                if (
                    row
                    and (row["value"] or 0) >= LEAST
                    and row["interval"]
                    and not row["isLowerBound"]
                ):
                    whiskers(
                        axes, level, row["value"], row["interval"], color=color, linewidth=1.2
                    )
        axes.set_yscale("log")
        axes.set_ylim(max(lowest / 1.4, 1e-5), 1.3)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        time_axis(axes, LEAST, 1.1 * max(points[-1][0] for _, points, _ in curves))
        axes.set_xlabel("time since the viewer settled or opened the app")
        axes.set_ylabel("views without a first frame")
        late_line(axes)
        figure.legend(
            loc="outside lower left",
            ncols=3 if len(curves) > 4 else 4,
            fontsize=8.5,
            columnspacing=1.0,
            handlelength=1.6,
        )
        return Picture(figure, title)


    def waits(rows):
        """Views that took any time, three bins to a doubling of it; None without any."""
        counts = {}
        for lower, upper, started, gone in rows:
            if upper > 0:
                place = math.floor(3 * math.log2(max((lower + upper) / 2, 2)) + 1e-9)
                have = counts.get(place, (0, 0))
                counts[place] = (have[0] + started, have[1] + gone)
        if not counts:
            return None
        figure, axes = canvas(3.2)
        edges = [2 ** (place / 3) for place in counts]
        widths = [edge * (2 ** (1 / 3) - 1) for edge in edges]
        started, gone = ([pair[kind] for pair in counts.values()] for kind in (0, 1))
        axes.bar(
            edges,
            started,
            widths,
            align="edge",
            color=COLORS[0],
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
            color=COLORS[1],
            edgecolor="white",
            linewidth=0.5,
            hatch="///",
            label="left before a frame",
        )
        time_axis(axes, min(edges), max(edges) * 2 ** (1 / 3))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axes.set_ylim(0, 1.12 * max(sum(pair) for pair in counts.values()))
        axes.set_xlabel("wait for the first frame")
        axes.set_ylabel("views")
        late_line(axes)
        figure.legend(loc="outside lower left", ncols=2, fontsize=9)
        return Picture(figure, "How long until the first frame")


    networks = list(dict.fromkeys(row["network"] for row in result["histograms"]))
    tables = {clock: buckets(clock, networks) for clock in CLOCKS} if networks else {}
    figures = (
        [
            waiting(
                [(name, tables[clock], clock) for clock, name in CLOCKS.items()],
                "Views that still wait for their first frame, by clock",
            )
        ]
        if tables
        else []
    )
    if len(networks) > 1:
        figures.append(
            waiting(
                [
                    (name, buckets("ttff_ms", [name]), f"ttff_ms{{network={name}}}")
                    for name in networks
                ],
                "Views that still wait for their first frame, by network",
            )
        )
    figures.append(waits(tables["ttff_ms"]) if tables else None)
    for figure in figures:
        if figure:
            display(figure)
    stats = [*PERCENTILES, "mean"]
    times = [
        [name, number(max(metrics[f"{clock}.{stat}"]["samples"] for stat in stats))]
        + [of(metrics[f"{clock}.{stat}"]) for stat in stats]
        for clock, name in CLOCKS.items()
        if all(f"{clock}.{stat}" in metrics for stat in stats)
    ]
    (
        Table(
            "Time to first frame, ± half of the 95 % interval over the replications",
            ["clock", "views", *[stat.upper() if stat != "mean" else stat for stat in stats]],
            times,
        )
        if times
        else no_data("the result holds no time metric")
    )
    """#

  /// How soon views start.
  static let classes = #"""
    counts = {}
    for row in result["histograms"]:
        if row["metric"] == "ttff_ms":
            for lower, upper, started, gone in row["fixedBuckets"]:
                counts[(lower, upper)] = counts.get((lower, upper), 0) + started
                counts["never"] = counts.get("never", 0) + gone


    def class_name(bucket):
        if bucket == "never":
            return "never: left before a first frame"
        if bucket == (0, 0):
            return "0 ms"
        return (
            f"{bucket[0]:g} to {bucket[1]:g} ms" if bucket[1] else f"{bucket[0]:g} ms and later"
        )


    order = [bucket for bucket in counts if bucket != "never"] + ["never"]
    (
        Table(
            "How soon views start, all networks and clocks together",
            ["time", "views", "share"],
            [
                [
                    class_name(bucket),
                    number(counts[bucket]),
                    share(counts[bucket], sum(counts.values())),
                ]
                for bucket in order
            ],
        )
        if counts
        else no_data("no view was simulated")
    )
    """#
}
