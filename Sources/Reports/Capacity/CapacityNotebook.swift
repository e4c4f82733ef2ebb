import Scenario
import Studies

/// A notebook that shows what `capacity.json` holds and computes no number of its own.
public enum CapacityNotebook {
  /// - Parameter runDirectory: the folder of `capacity.json`, from the notebook's own folder.
  public static func text(_ plan: CapacityPlan, runDirectory: String) -> String {
    let digest = CapacityDocument.digest(plan)
    let opening = """
      # \(Notebook.escaped(CapacityReport.title(plan)))

      Digest `\(digest)`, seed \(plan.scenario.seed). The notebook shows what `capacity.json` holds \
      and simulates nothing. It needs Python 3 with matplotlib. For another plan change `run_dir`, \
      or pass it with papermill.
      """
    var cells = [
      Notebook.Cell(kind: .markdown, id: "title", source: opening),
      Notebook.Cell(
        kind: .code, id: "parameters",
        source: "run_dir = \(JSONText.string(runDirectory).text(indent: 0))",
        tags: ["parameters"]),
      Notebook.Cell(kind: .code, id: "tools", source: NotebookCode.tools),
    ]
    // What was taken stands behind the plan's levels, whose cell opens the document.
    let shown = plan.observation == nil ? parts : [parts[0], observed] + parts.dropFirst()
    let provider = CapacityReport.curveProvider(plan)
    for part in shown.map({ Self.named($0, provider) }) {
      cells.append(
        Notebook.Cell(
          kind: .markdown, id: part.id + "-text", source: "## \(part.title)\n\n\(part.prose)"))
      cells.append(Notebook.Cell(kind: .code, id: part.id, source: part.code))
    }
    return Notebook(
      about: [
        .init("digest", .string(digest)), .init("kind", "capacity"),
        .init("scenario", .string(plan.scenario.name)),
        .init("seed", .integer(Int64(bitPattern: plan.scenario.seed))),
      ], cells: cells
    ).text()
  }

  /// Of several providers the curve's section names the one that it is of.
  private static func named(
    _ part: NotebookReport.Section, _ provider: String?
  ) -> NotebookReport.Section {
    guard let provider, part.id == "curve" else { return part }
    var named = part
    named.prose += " Of the edges of several providers it is one of \(Notebook.escaped(provider))."
    named.code = part.code.replacing(
      "\"Misses of an edge, by its bytes\"",
      with: "\"Misses of an edge, by its bytes, of provider \(provider)\"")
    return named
  }

  private static let observed = NotebookReport.Section(
    id: "observed", title: "What was taken",
    prose: "What the files of `--audience` and `--logs` say, and what the plan says beside it.",
    code: taken)

  private static let parts: [NotebookReport.Section] = [
    NotebookReport.Section(
      id: "levels", title: "Peak and provisioning",
      prose: "What the audience takes in its busiest minutes, with 10 % less and more, and twice.",
      code: levels),
    NotebookReport.Section(
      id: "breaks", title: "What gives way first",
      prose: """
        How far the audience may grow. What the plan has sized for the audience (marked) holds it \
        by construction. Whiskers are 95 % intervals of the simulated search; the rest are closed \
        forms.
        """,
      code: breaks),
    NotebookReport.Section(
      id: "curve", title: "Bytes of an edge",
      prose: "Misses over the bytes of an edge, by closed form at the mean load.", code: curve),
    NotebookReport.Section(
      id: "costs", title: "A month",
      prose: "By line, at the audience. Check the prices against your own contract.", code: costs),
    NotebookReport.Section(
      id: "assumptions", title: "Assumptions",
      prose: "What the plan takes for granted beside the scenario.", code: assumptions),
    NotebookReport.files,
  ]

  private static let levels = #"""
    plan = json.loads(read("capacity.json"))
    levels = plan["levels"]


    def short(value):
        return "–" if value is None else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


    rows = [
        ["users a day", *(short(level["audience"]) for level in levels)],
        ["views a second", *(short(level["peakViewsPerSecond"]) for level in levels)],
    ]
    for key, name in [("edge", "to viewers"), ("behindEdges", "behind edges"), ("origin", "origin")]:
        rows.append([f"Gbps {name}", *(short(level[key]["gbps"]) for level in levels)])
        rows.append(
            [f"requests/s {name}", *(short(level[key]["requestsPerSecond"]) for level in levels)]
        )
    for place, pool in enumerate(levels[0]["pools"]):
        rows.append(
            [f"{pool['name']} at a time"]
            + [short(level["pools"][place]["concurrency"]) for level in levels]
        )
    if levels[0]["relay"]:
        rows.append(["relay ports", *(short(level["relay"]["ports"]) for level in levels)])
    rows.append(["a month", *(short(level["monthlyCost"]) for level in levels)])
    Table("At the peak", ["", *(f"{level['factor']}×" for level in levels)], rows)
    """#

  private static let taken = #"""
    taken = plan["observed"]
    Table(
        "What was taken, beside the plan",
        ["", "observed", "n", "predicted", "difference"],
        [
            [
                row["quantity"],
                short(row["observed"]),
                f"{row['n']:,} {row['of']}",
                short(row["predicted"]),
                short(row["difference"]),
            ]
            for row in taken["rows"]
        ],
    )
    Table(
        "Limits, by what was taken",
        ["", "what", "limit", "observed"],
        [
            [row["name"], row["what"], short(row["limit"]), short(row["observed"])]
            for row in taken["limits"]
        ],
        numbers=2,
    )
    Table(
        "Not told by these files",
        ["", "why"],
        [[", ".join(row["quantities"]), row["reason"]] for row in taken["notTold"]],
        numbers=2,
    )
    """#

  private static let breaks = #"""
    shown = [row for row in plan["breaks"] if row["multiple"] is not None and row["multiple"] < 20]
    figure, axes = canvas(0.4 * len(shown) + 0.8)
    for row, found in enumerate(shown):
        whiskers(axes, row, found["multiple"], found["interval"])
    rows_of(axes, [found["name"] + (" (sized)" if found["isSized"] else "") for found in shown])
    axes.axvline(1, color=COLORS[7], linewidth=1)
    axes.set_xlabel("times the audience")
    Picture(figure, "How far the audience may grow")
    """#

  private static let curve = #"""
    figure, axes = canvas(3.2)
    for key, name, line in [("missRatio", "requests", 0), ("byteMissRatio", "bytes", 1)]:
        axes.plot(
            [point["bytes"] for point in plan["curve"]],
            [100 * point[key] for point in plan["curve"]],
            LINES[line],
            color=COLORS[line],
            label=name,
        )
    axes.axhline(100 * (1 - plan["targetHitRatio"]), color=COLORS[7], linewidth=1, label="target")
    if plan["edgeBytes"]:
        axes.axvline(plan["edgeBytes"], color=COLORS[3], linewidth=1, label="the scenario's edge")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: size(value)))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("bytes of an edge")
    axes.set_ylabel("misses, %")
    axes.legend()
    Picture(figure, "Misses of an edge, by its bytes")
    """#

  private static let costs = #"""
    level = levels[1]
    currency = (plan["prices"] or {}).get("currency", "")
    Table(
        f"A month, {currency}".rstrip(", "),
        ["", "quantity", "amount"],
        [[line["name"], line["quantity"], short(line["amount"])] for line in level["costs"]]
        + [["sum", "", short(level["monthlyCost"])]],
    )
    """#

  private static let assumptions = #"""
    Table(
        "Assumptions",
        ["key", "value", "from"],
        [[row["key"], row["value"], row["source"]] for row in plan["assumptions"]],
        numbers=3,
    )
    """#
}
