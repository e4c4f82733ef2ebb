extension NotebookCode {
  /// What was run.
  static let asked = #"""
    result = json.loads(read("result.json"))
    scenario, runs = result["scenario"], result["replications"]
    metrics = {row["metric"]: row for row in result["metrics"]}
    late = result["lateStarts"]["limitMilliseconds"]
    looks = ", ".join(map(str, runs["looks"]))
    Table(
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
    """#

  /// Verdicts and margins.
  static let budgets = #"""
    def margins(row):
        """The margin and the ends of its interval, as parts of the limit."""
        margin, value, interval = row["margin"], row["value"], row["interval"]
        if margin is None:
            return None
        sign = 1 if row["limit"].lstrip().startswith(">") else -1
        limit = value / (1 + sign * margin) if 1 + sign * margin else None
        if interval is None or not limit:
            return margin, None
        return margin, [sign * (end / limit - 1) for end in interval]


    budgets = result["budgets"]
    shown = [(row, margins(row)) for row in budgets]
    shown = [(row, margin) for row, margin in shown if margin]
    if shown:
        figure, axes = canvas(0.9 + 0.33 * len(shown))
        for place, (row, (margin, interval)) in enumerate(shown):
            color = {"pass": COLORS[2], "fail": COLORS[4]}.get(row["verdict"], COLORS[7])
            whiskers(axes, place, margin, interval, scale=100, color=color)
        axes.axvline(0, color=COLORS[4], linewidth=1.4)
        lowest = min(min([margin, *(interval or [])]) for _, (margin, interval) in shown)
        # A budget missed by more than its limit is drawn at the left edge.
        axes.set_xlim(max(-105, min(-5, 110 * lowest)), 105)
        rows_of(
            axes, [f"{row['metric'].removesuffix('.ratio')} {row['limit']}" for row, _ in shown]
        )
        axes.tick_params(axis="y", labelsize=8.5)
        axes.set_xlabel("margin to the limit, % of the limit\n(right of the red line: kept)")
        display(Picture(figure, "Margin of each budget to its limit, with 95 % intervals"))
    display(
        Table(
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
                for row in budgets
            ],
            numbers=4,
        )
        if budgets
        else no_data("the scenario has no budget")
    )
    for row in budgets:
        if row["reason"]:
            print(f"{row['metric']}: {row['verdict']}: {row['reason']}")
    """#

  /// Metrics by network, device and window.
  static let cohorts = #"""
    SHOWN = {
        "ttff_ms.p95": "time to first frame, P95, ms",
        "not_started_ratio.ratio": "left before a first frame, %",
        "rebuffer_ratio.ratio": "rebuffering, %",
        "wasted_ratio.ratio": "bytes wasted, %",
    }
    cohorts, columns = {}, []
    for name, row in metrics.items():
        found = re.fullmatch(r"(\w+)\{(\w+)=([^,}]*)\}\.(\w+)", name)
        if found and found[2] not in ("tier", "by", "class") and row["value"] is not None:
            column = f"{found[1]}.{found[4]}"
            cohorts.setdefault(f"{found[2]} {found[3]}", {})[column] = row
            if column not in columns:
                columns.append(column)
    drawn = [column for column in SHOWN if column in columns]
    if cohorts and drawn:
        figure, grid = canvas(
            len(drawn) * (0.75 + 0.27 * len(cohorts)), rows=len(drawn), squeeze=False
        )
        for axes, column in zip(grid[:, 0], drawn):
            for place, rows in enumerate(cohorts.values()):
                if column in rows:
                    row = rows[column]
                    whiskers(
                        axes,
                        place,
                        row["value"],
                        row["interval"],
                        scale=100 if row["unit"] == "ratio" else 1,
                    )
            rows_of(axes, list(cohorts))
            axes.set_xlim(left=0)
            if axes.get_xlim()[1] < 1e-3:
                axes.set_xlim(0, 1)
            axes.set_title(SHOWN[column])
        display(Picture(figure, "Cohorts, with 95 % intervals over the replications"))
    (
        Table(
            "Cohorts, ± half of the 95 % interval over the replications",
            ["cohort", "views", *[name.removesuffix(".ratio") for name in columns]],
            [
                [name, number(max(row["samples"] for row in rows.values()))]
                + [of(rows[column]) if column in rows else "–" for column in columns]
                for name, rows in cohorts.items()
            ],
        )
        if cohorts
        else no_data("the result holds no cohort")
    )
    """#
}
