import Foundation
import Scenario
import Statistics
import Studies

/// A capacity plan as text, JSON and Markdown.
public enum CapacityReport {
  /// Rows of name and one cell for each level.
  struct Row {
    var name: String
    var cells: [String]
  }

  /// The report as text ending in a line feed.
  public static func text(_ plan: CapacityPlan, color: Bool) -> String {
    func heading(_ text: String) -> String { TextStyle.bold.applied(to: text, color: color) }
    var lines = [heading(title(plan))] + headline(plan).map { "  " + $0 }
    lines += ["", heading("THE AUDIENCE")]
    lines += table(audienceHeadings, audienceRows(plan), color: color, leftLast: true)
    lines += observedLines(plan, color: color)
    lines += ["", heading("PEAK AND PROVISIONING")]
    lines += table(levelHeadings(plan), levelRows(plan), color: color)
    for (title, isSized) in [
      ("WHAT GIVES WAY FIRST AS THE AUDIENCE GROWS", false),
      ("SIZED FOR THIS AUDIENCE, SO THAT IT HOLDS IT BY CONSTRUCTION", true),
    ] {
      lines += ["", heading(title)]
      lines += table(
        breakHeadings, breakRows(plan, isSized: isSized), color: color, leftLast: true)
    }
    if !plan.level.costs.isEmpty {
      lines += ["", heading("A MONTH, \(plan.prices?.currency ?? "")")]
      lines += table(["", "quantity", "amount"], costRows(plan), color: color)
    }
    lines += [""] + remarks(plan).map { "  " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }

  static func title(_ plan: CapacityPlan) -> String {
    let users = Figures.count(Int64(plan.audience.rounded()))
    return "\(plan.scenario.name): capacity for \(users) users a day"
  }

  static func table(
    _ heading: [String], _ rows: [Row], color: Bool, leftLast: Bool = false
  ) -> [String] {
    var alignments: [TextTable.Alignment] = [.left] + heading.dropFirst().map { _ in .right }
    if leftLast { alignments[alignments.count - 1] = .left }
    var table = TextTable(alignments)
    table.heading(heading)
    for row in rows { table.add([TextCell(row.name)] + row.cells.map { TextCell($0) }) }
    return table.lines(color: color)
  }

  /// What a reader has to know first: what does not hold the audience as it is, or what will be
  /// the first that does not.
  static func headline(_ plan: CapacityPlan) -> [String] {
    overLines(plan) + planLines(plan)
  }

  private static func planLines(_ plan: CapacityPlan) -> [String] {
    let over = plan.overToday
    if !over.isEmpty {
      return over.map { found in
        guard let multiple = found.multiple, multiple > 0 else {
          return "Over today: \(found.name), at any audience: \(found.what)."
        }
        return "Over today: \(found.name) holds \(times(multiple)) of this audience's peak: "
          + "\(found.what)."
      }
    }
    guard let first = plan.firstBreak, let multiple = first.multiple else {
      return ["Nothing that the plan looks at gives way, however large the audience."]
    }
    return [
      "Holds today. \(first.name) gives way first, at \(times(multiple)) of this audience: "
        + "\(first.what)."
    ]
  }

  // MARK: Rows

  static let audienceHeadings = ["", "", "from"]

  /// Who comes, how often, and what the rest is computed from.
  static func audienceRows(_ plan: CapacityPlan) -> [Row] {
    let measures = plan.measures
    let pilot = "the scenario's pilots"
    let runs = "\(measures.replications) replications"
    let files = "the files of --audience"
    let taken = plan.observation?.taken ?? []
    let isOfFiles = plan.observation.map { $0.isAudienceKnown && $0.audience.days > 0 } ?? false
    func row(_ name: String, _ value: Double, _ source: String) -> Row {
      Row(name: name, cells: [number(value), source])
    }
    var rows = [
      Row(
        name: "edges",
        cells: [
          Figures.count(Int64(plan.scenario.configuration.cdn.edgesBehindShield)),
          "the scenario: cdn.edgesBehindShield",
        ]),
      row(
        "sessions of a user a day", plan.assumptions.sessionsPerUserDay,
        taken.contains("sessionsPerUserDay") ? files : "sessionsPerUserDay"),
      Row(
        name: "sessions a day",
        cells: [
          Figures.count(Int64(plan.sessionsPerDay.rounded())),
          (isOfFiles ? files : "the audience") + "; the scenario's edges see "
            + Figures.count(Int64((plan.sessionsPerDay / plan.load).rounded())),
        ]),
      row("views of a session", measures.viewsPerSession, pilot),
      row("views that a user sees a day", plan.viewsPerUserDay, "both"),
      row("seconds of a view", measures.secondsPerView.value, runs),
    ]
    for pool in plan.assumptions.pools {
      guard let count = plan.requestsPerView(pool.demand) else { continue }
      switch pool.demand {
      case .posts:
        rows.append(
          row(
            "posts of events a view", count,
            measures.postsPerView == nil
              ? "ingest.postsPerMinute and the seconds of a view" : "\(runs), client.telemetry"))
      case .perView: rows.append(row("posts of events a view", count, "ingest.postsPerView"))
      case .pages, .perUserDay: continue
      }
    }
    return rows
  }

  static let breakHeadings = ["", "holds to", "95 % interval", "closed form", "what"]

  static func breakRows(_ plan: CapacityPlan, isSized: Bool) -> [Row] {
    plan.breaks.filter { $0.isSized == isSized }.map {
      Row(name: $0.name, cells: breakCells($0))
    }
  }

  static func levelHeadings(_ plan: CapacityPlan) -> [String] {
    [""]
      + plan.levels.map { level in
        switch level.factor {
        case 1: "audience"
        case 2: "twice"
        default: String(format: "%+.0f %%", (level.factor - 1) * 100)
        }
      }
  }

  static func levelRows(_ plan: CapacityPlan) -> [Row] {
    func row(_ name: String, _ text: (CapacityPlan.Level) -> String) -> Row {
      Row(name: name, cells: plan.levels.map { text($0) })
    }
    let ofEdges: String =
      curveProvider(plan) == nil
      ? "bytes an edge for" : "bytes of one edge of each provider together, for"
    var rows = [
      row("users a day") { Figures.count(Int64($0.audience.rounded())) },
      row("views a day") { Figures.count(Int64($0.viewsPerDay.rounded())) },
      row("views a second, peak") { number($0.peakViews) },
      row("Gbps to viewers") { number($0.edgeRate / 1e9) },
      row("Gbps behind the edges") { number($0.fillRate / 1e9) },
      row("Gbps from the origin") { number($0.originRate / 1e9) },
      row("requests/s at the edges") { number($0.edgeRequests) },
      row("requests/s behind the edges") { number($0.fillRequests) },
      row("requests/s at the origin") { number($0.originRequests) },
      row("hit ratio of the edges") { Figures.percent($0.hitRatio) },
      row("\(ofEdges) \(Figures.percent(plan.assumptions.targetHitRatio)) hits") {
        $0.edgeBytes.map { Figures.bytes(Int64($0)) } ?? "none reaches it"
      },
    ]
    for index in plan.level.pools.indices {
      let pool = plan.level.pools[index]
      rows.append(
        row("\(pool.name): requests/s") { number($0.pools[index].rate) })
      rows.append(
        row("\(pool.name): at a time (instances)") {
          guard let servers = $0.pools[index].servers, let count = $0.pools[index].instances else {
            return "no number holds it"
          }
          return "\(Figures.count(Int64(servers))) (\(Figures.count(Int64(count))))"
        })
    }
    if plan.level.relay != nil {
      rows += [
        row("relay: calls at a time, mean") { $0.relay.map { number($0.calls) } ?? "" },
        row("relay: ports (instances)") {
          $0.relay.map {
            "\(Figures.count(Int64($0.ports))) (\(Figures.count(Int64($0.instances))))"
          } ?? ""
        },
      ]
    }
    if plan.prices != nil {
      rows.append(row("a month, \(plan.prices?.currency ?? "")") { money($0.monthlyCost) })
    }
    return rows
  }

  /// Of several providers the one whose edge the curve is of; nil where there is one.
  static func curveProvider(_ plan: CapacityPlan) -> String? {
    let names = plan.scenario.providers
    return names.count > 1 ? names.first : nil
  }

  static func breakCells(_ found: CapacityPlan.Break) -> [String] {
    [
      found.multiple.map { times($0) } ?? "any",
      found.interval.map { "\(times($0.lower)) to \(times($0.upper))" } ?? "",
      found.closedForm.map { times($0) } ?? "", found.what,
    ]
  }

  static func costRows(_ plan: CapacityPlan) -> [Row] {
    plan.level.costs.map { Row(name: $0.name, cells: [$0.quantity, money($0.amount)]) }
      + [Row(name: "sum", cells: ["", money(plan.level.monthlyCost)])]
  }

  static func times(_ value: Double) -> String {
    value >= 100 ? "> 100×" : Figures.decimal(value, 2) + "×"
  }

  static func number(_ value: Double) -> String {
    let size = abs(value)
    return Figures.decimal(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4)
  }

  static func money(_ value: Double) -> String { Figures.decimal(value, value >= 100 ? 0 : 2) }

  /// What a reader has to know beside the numbers.
  static func remarks(_ plan: CapacityPlan) -> [String] {
    let measures = plan.measures
    func words(_ estimate: Estimate, _ scale: Double, _ unit: String) -> String {
      "\(number(estimate.value / scale)) ± \(number(estimate.interval.halfWidth / scale)) \(unit)"
    }
    let size: String = plan.edgeBytes.isFinite ? Figures.bytes(Int64(plan.edgeBytes)) : "any size"
    let owner: String = curveProvider(plan).map { " (provider \($0))" } ?? ""
    var lines = [
      "Measured in \(measures.replications) replications with "
        + "\(Figures.count(measures.views)) views, 95 %: "
        + "\(words(measures.bytesPerView, 1e6, "MB")), "
        + "\(words(measures.requestsPerView, 1, "requests")) and "
        + "\(words(measures.pagesPerView, 1, "pages")) a view.",
      "Bandwidth and volume are known no better than the bytes of a view: to ± "
        + Figures.percent(
          measures.bytesPerView.interval.halfWidth / measures.bytesPerView.value) + ".",
      "The edges' hit ratio there: \(Figures.percent(measures.hitRatio.value)) ± "
        + "\(Figures.percent(measures.hitRatio.interval.halfWidth)) simulated, "
        + "\(Figures.percent(plan.closedHitRatio)) by the closed form that the plan scales.",
      "Servers by the closed form for M/G/c; where they give way, by simulation. What is sized "
        + "for the audience gives way a little above it, because servers are whole.",
      "Calls and uploads are no part of a feed: --assume calls.perUserDay=N and "
        + "transcoder.uploadsPerUserDay=N add the relay and the transcoder.",
      "The rest stands as the scenario has it: "
        + "\(plan.scenario.configuration.cdn.edgesBehindShield) edges, caches of \(size)\(owner).",
    ]
    if let prices = plan.prices, let region = plan.region {
      lines.append(
        "Prices: \(prices.name), \(region.name), as of \(prices.asOf); services: "
          + "\(prices.services.source). Check them against your contract; servers run all month.")
    } else {
      lines.append("No prices: --prices FILE adds what a month costs.")
    }
    if plan.scenario.configuration.cdn.regional != nil {
      lines.append(
        "Regional caches are left out: what edges miss goes to the shield or the origin.")
    }
    return lines
  }

  // MARK: Markdown

  static func markdownTable(_ heading: [String], _ rows: [Row]) -> [String] {
    let cells =
      [heading, heading.indices.map { $0 == 0 ? "---" : "---:" }]
      + rows.map { [$0.name] + $0.cells }
    return cells.map { "| " + $0.joined(separator: " | ") + " |" }
  }

  /// The report as Markdown.
  public static func markdown(_ plan: CapacityPlan) -> String {
    let table = markdownTable
    var lines = ["# \(title(plan))", ""] + headline(plan) + ["", "## The audience", ""]
    lines += table(audienceHeadings, audienceRows(plan))
    lines += observedMarkdown(plan)
    lines += ["", "## Peak and provisioning", ""]
    lines += table(levelHeadings(plan), levelRows(plan))
    lines += ["", "## What gives way first as the audience grows", ""]
    lines += table(breakHeadings, breakRows(plan, isSized: false))
    lines += ["", "## Sized for this audience, so that it holds it by construction", ""]
    lines += table(breakHeadings, breakRows(plan, isSized: true))
    if !plan.level.costs.isEmpty {
      lines += ["", "## A month, \(plan.prices?.currency ?? "")", ""]
      lines += table(["", "quantity", "amount"], costRows(plan))
    }
    lines += ["", "## How it was made", ""] + remarks(plan).map { "- " + $0 }
    lines += ["", "## Assumptions", ""]
    lines += table(
      ["key", "value", "from"],
      plan.assumptions.rows.map { Row(name: "`\($0.key)`", cells: [$0.value, $0.source]) })
    return lines.joined(separator: "\n") + "\n"
  }
}
