extension NotebookCode {
  /// Hit ratios with intervals.
  static let hits = #"""
    ratios = [
        row
        for name, row in metrics.items()
        if re.match(r"hit_ratio\{|origin_offload", name) and row["value"] is not None
    ]


    def ratio_name(row):
        labels = dict(re.findall(r"(\w+)=([^,}]*)", row["metric"]))
        if not labels:
            return "origin offload, by bytes"
        what = words(labels["class"]) if "class" in labels else "all classes"
        return f"{labels.get('tier', '')}: {what}, by {labels.get('by', 'requests')}"


    if ratios:
        figure, axes = canvas(0.9 + 0.28 * len(ratios))
        for place, row in enumerate(ratios):
            whiskers(axes, place, row["value"], row["interval"], scale=100)
        rows_of(axes, [ratio_name(row) for row in ratios])
        axes.set_xlim(0, 102)
        axes.set_xlabel("hits, %")
        display(Picture(figure, "Hit ratios by tier and class, with 95 % intervals"))
    (
        Table(
            "Hit ratios, ± half of the 95 % interval over the replications",
            ["ratio", "value", "requests"],
            [[ratio_name(row), of(row), number(row["samples"])] for row in ratios],
        )
        if ratios
        else no_data("the result holds no hit ratio")
    )
    """#

  /// Outcomes by tier and class.
  static let caches = #"""
    KNOWN = ["hit", "stale_hit", "revalidated", "collapsed", "miss", "bypass", "error"]
    tiers = [row for row in result["tiers"] if row["requests"] > 0]
    used = list(dict.fromkeys(row["outcome"] for row in tiers))
    outcomes = [name for name in KNOWN if name in used] + [
        name for name in used if name not in KNOWN
    ]


    def tally(tier, name, what="requests"):
        counts = dict.fromkeys(outcomes, 0)
        for row in tiers:
            if row["tier"] == tier and name in (None, row["class"]):
                counts[row["outcome"]] += row[what]
        return counts


    def hits(counts):
        """(hit + stale_hit) / (all - error)"""
        good = counts.get("hit", 0) + counts.get("stale_hit", 0)
        return share(good, sum(counts.values()) - counts.get("error", 0))


    def classes(tier):
        return list(dict.fromkeys(row["class"] for row in tiers if row["tier"] == tier))


    def of_class(tier, name):
        row = metrics.get(f"hit_ratio{{tier={tier},class={name},by=requests}}.ratio")
        return of(row) if row and row["value"] is not None else hits(tally(tier, name))


    for tier in dict.fromkeys(row["tier"] for row in tiers):
        names = classes(tier)
        figure, axes = canvas(1.25 + 0.3 * len(names))
        begin = [0.0] * len(names)
        for place, outcome in enumerate(outcomes):
            lengths = []
            for name in names:
                counts = tally(tier, name)
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
            begin = [a + b for a, b in zip(begin, lengths)]
        for place, name in enumerate(names):
            axes.annotate(
                number(sum(tally(tier, name).values())),
                (100, place),
                va="center",
                fontsize=9,
                xytext=(4, 0),
                textcoords="offset points",
                annotation_clip=False,
            )
        rows_of(axes, [words(name) for name in names])
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"% of the requests at the {tier} (behind the bars: requests)")
        figure.legend(loc="outside lower left", ncols=3, fontsize=9)
        display(Picture(figure, f"Outcomes at the {tier} by class, pooled over the replications"))
        whole = tally(tier, None)
        display(
            Table(
                f"Requests at the {tier} by class; ± half of the 95 % interval",
                ["class", "requests", "hits", "hits by bytes", "bytes", *map(words, outcomes)],
                [
                    [
                        words(name),
                        number(sum(tally(tier, name).values())),
                        of_class(tier, name),
                        hits(tally(tier, name, "bytes")),
                        size(sum(tally(tier, name, "bytes").values())),
                    ]
                    + [number(count) for count in tally(tier, name).values()]
                    for name in names
                ]
                + [
                    [
                        "all",
                        number(sum(whole.values())),
                        hits(whole),
                        hits(tally(tier, None, "bytes")),
                        size(sum(tally(tier, None, "bytes").values())),
                        *map(number, whole.values()),
                    ]
                ],
            )
        )
    if not tiers:
        display(no_data("no cache saw a request"))
    """#
}
