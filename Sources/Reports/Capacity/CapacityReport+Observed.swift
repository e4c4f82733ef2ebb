import Foundation
import Scenario
import Statistics
import Studies

/// What was observed beside what a plan says.
extension CapacityReport {
  static let observedTitle = "What was taken, beside the plan"
  static let limitTitle = "Limits, by what was taken"
  static let untoldTitle = "Not told by these files"

  static let observedHeadings = [
    "", "observed", "95 %", "n", "predicted", "difference", "from",
  ]

  /// Rows of what the files say; empty without any.
  static func observedRows(_ plan: CapacityPlan) -> [Row] {
    plan.comparisons.map { row in
      let (figure, quantity) = (row.figure, row.figure.quantity)
      return Row(
        name: name(quantity),
        cells: [
          text(figure.value, quantity),
          figure.interval.map {
            "\(text($0.lower, quantity)) to \(text($0.upper, quantity))"
          } ?? "", "\(Figures.count(figure.n)) \(figure.unit.rawValue)",
          row.predicted.map { text($0, quantity) } ?? "–", difference(row),
          row.predicted == nil ? "" : source(row.origin),
        ])
    }
  }

  static let limitHeadings = ["", "limit", "observed", "predicted", "", "what"]

  static func limitRows(_ plan: CapacityPlan) -> [Row] {
    plan.observedLimits.map { row in
      func text(_ value: Double?) -> String {
        value.map { row.isLeast ? Figures.percent($0) : number($0) } ?? "–"
      }
      return Row(
        name: row.name,
        cells: [
          text(row.limit), text(row.observed), text(row.predicted),
          row.isOver.map { $0 ? (row.isLeast ? "missed" : "over") : "held" } ?? "not told",
          row.what,
        ])
    }
  }

  /// Limits that were over, for the first lines of a report.
  static func overLines(_ plan: CapacityPlan) -> [String] {
    plan.observedLimits.filter { $0.isOver == true }.map { row in
      if row.isLeast {
        return "Was missed: \(Figures.percent(row.limit)) \(row.what) of the \(row.name); "
          + "\(Figures.percent(row.observed ?? 0)) was seen."
      }
      return "Was over: \(row.name), \(number(row.observed ?? 0)) of \(number(row.limit)) "
        + "\(row.what), in the busiest five minutes."
    }
  }

  /// When the files are of, in a line.
  static func periodLine(_ audience: ObservedAudience) -> String {
    func words(_ name: String, _ time: Range<Double>?) -> String? {
      time.map { "\(name) from \(instant($0.lowerBound)) to \(instant($0.upperBound))" }
    }
    let parts = [words("views", audience.views), words("requests", audience.requests)]
      .compactMap { $0 }
    let days = audience.days == 1 ? "1 whole day" : "\(audience.days) whole days"
    return "Files (data \(audience.digest)): \(parts.joined(separator: ", ")); "
      + (audience.days > 0 ? days : "no whole day") + " of views."
  }

  /// What is to be known beside the rows, in sentences.
  static func observedRemarks(_ plan: CapacityPlan) -> [String] {
    guard let observation = plan.observation else { return [] }
    let audience = observation.audience
    var lines = [periodLine(audience)]
    let busiest: [(ObservedAudience.Quantity, String)] = [
      (.peakToMean, "hour of views"), (.peakViews, "five minutes of views"),
      (.viewersAtPeak, "five minutes of viewers"), (.edgeRate, "five minutes of bytes"),
      (.edgeRequests, "five minutes of requests"),
    ]
    let times = busiest.compactMap { quantity, words in
      audience[quantity]?.begin.map { "\(words) \(instant($0))" }
    }
    if !times.isEmpty { lines.append("The busiest began: " + times.joined(separator: ", ") + ".") }
    lines.append(
      observation.taken.isEmpty
        ? "The plan takes no assumption from them."
        : "The plan takes from them: " + observation.taken.joined(separator: ", ")
          + "; beside these stands what it would have assumed.")
    if !observation.isAudienceKnown {
      lines.append(
        "The plan is for the scenario's own audience, since the files do not say how many come a "
          + "day: what grows with the audience is not compared.")
    } else if audience.figures.contains(where: { !$0.isComparable }) {
      lines.append(
        "Requests are not of the minutes in which most views began: their peak is not compared.")
    }
    lines.append(
      "Peaks are means over five minutes by the clock; a second has more. Hit ratios are of all "
        + "objects, predicted at the mean load.")
    return lines + audience.notes.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
  }

  /// What the files cannot tell, and why.
  static func untoldTexts(_ plan: CapacityPlan) -> [String] {
    (plan.observation?.audience.untold ?? []).map { row in
      row.quantities.map { name($0) }.joined(separator: ", ") + ": " + row.reason
    }
  }

  /// The section on a terminal; none without an observation.
  static func observedLines(_ plan: CapacityPlan, color: Bool) -> [String] {
    if plan.observation == nil { return [] }
    func heading(_ text: String) -> String {
      TextStyle.bold.applied(to: text.uppercased(), color: color)
    }
    func bullets(_ texts: [String]) -> [String] {
      texts.flatMap { text in
        BriefText(width: 96, color: false).wrapped("- " + text, indent: "  ")
      }
    }
    var lines = ["", heading(observedTitle)]
    lines += table(observedHeadings, observedRows(plan), color: color, leftLast: true)
    lines += ["", heading(limitTitle)]
    lines += table(limitHeadings, limitRows(plan), color: color, leftLast: true)
    let untold = untoldTexts(plan)
    if !untold.isEmpty { lines += ["", heading(untoldTitle)] + bullets(untold) }
    return lines + [""] + bullets(observedRemarks(plan))
  }

  /// The section as Markdown.
  static func observedMarkdown(_ plan: CapacityPlan) -> [String] {
    if plan.observation == nil { return [] }
    var lines = ["", "## \(observedTitle)", ""]
    lines += markdownTable(observedHeadings, observedRows(plan))
    lines += [""] + observedRemarks(plan).map { "- " + $0 }
    lines += ["", "## \(limitTitle)", ""]
    lines += markdownTable(limitHeadings, limitRows(plan))
    let untold = untoldTexts(plan)
    if !untold.isEmpty { lines += ["", "## \(untoldTitle)", ""] + untold.map { "- " + $0 } }
    return lines
  }

  // MARK: Words

  static func name(_ quantity: ObservedAudience.Quantity) -> String {
    switch quantity {
    case .usersPerDay: "users a day"
    case .sessionsPerDay: "sessions a day"
    case .viewsPerDay: "views a day"
    case .sessionsPerUserDay: "sessions of a user a day"
    case .viewsPerSession: "views of a session"
    case .secondsPerView: "seconds of a view"
    case .peakToMean: "busiest hour over the mean hour"
    case .burst: "busiest five minutes over that hour"
    case .viewersInHour: "viewers at a time, busiest hour"
    case .viewersAtPeak: "viewers at a time, peak"
    case .peakViews: "views a second, peak"
    case .edgeRate: "Gbps to viewers"
    case .fillRate: "Gbps behind the edges"
    case .originRate: "Gbps from the origin"
    case .edgeRequests: "requests/s at the edges"
    case .fillRequests: "requests/s behind the edges"
    case .originRequests: "requests/s at the origin"
    case .bytesPerView: "MB a view"
    case .requestsPerView: "requests a view"
    case .hitRatio: "hit ratio of the edges"
    case .byteHitRatio: "hit ratio of the edges, bytes"
    case .nextHitRatio: "hit ratio behind the edges"
    }
  }

  private static func text(_ value: Double, _ quantity: ObservedAudience.Quantity) -> String {
    switch quantity {
    case .usersPerDay, .sessionsPerDay, .viewsPerDay:
      value < 100 ? number(value) : Figures.decimal(value, 0)
    case .edgeRate, .fillRate, .originRate: number(value / 1e9)
    case .bytesPerView: number(value / 1e6)
    case .hitRatio, .byteHitRatio, .nextHitRatio: Figures.percent(value)
    default: number(value)
    }
  }

  private static func difference(_ row: CapacityPlan.Comparison) -> String {
    guard let difference = row.difference else { return "–" }
    if row.figure.quantity.isShare {
      return Figures.signed(difference * 100, decimals: 1) + " points"
    }
    if row.figure.value == 0 { return difference == 0 ? "0 %" : "–" }
    return Figures.signed(difference / row.figure.value * 100, decimals: 0) + " %"
  }

  private static func source(_ origin: CapacityPlan.Origin) -> String {
    switch origin {
    case .assumed: "assumed without the files"
    case .simulated: "simulated"
    case .plan: "the plan"
    }
  }

  /// `2026-05-04 06:00`, UTC.
  private static func instant(_ seconds: Double) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day()
      .time(includingFractionalSeconds: false)
    return Date(timeIntervalSince1970: seconds).formatted(style).prefix(16) + " UTC"
  }
}

extension CapacityDocument {
  /// What was observed; null without any.
  static func observed(_ plan: CapacityPlan) -> JSONText {
    guard let observation = plan.observation else { return .null }
    let audience = observation.audience
    func time(_ range: Range<Double>?) -> JSONText {
      range.map { [.number($0.lowerBound), .number($0.upperBound)] } ?? .null
    }
    return [
      "dataDigest": .string(audience.digest), "views": time(audience.views),
      "requests": time(audience.requests), "wholeDays": .integer(Int64(audience.days)),
      "isAudienceKnown": .boolean(observation.isAudienceKnown),
      "taken": .array(observation.taken.map { .string($0) }),
      "rows": .array(
        plan.comparisons.map { row in
          [
            "quantity": .string(row.figure.quantity.rawValue),
            "observed": .number(row.figure.value),
            "interval": row.figure.interval.map { [.number($0.lower), .number($0.upper)] } ?? .null,
            "n": .integer(row.figure.n), "of": .string(row.figure.unit.rawValue),
            "begin": row.figure.begin.map { .number($0) } ?? .null,
            "predicted": row.predicted.map { .number($0) } ?? .null,
            "difference": row.difference.map { .number($0) } ?? .null,
            "from": .string(row.origin.rawValue),
          ]
        }),
      "limits": .array(
        plan.observedLimits.map { row in
          [
            "name": .string(row.name), "what": .string(row.what), "limit": .number(row.limit),
            "observed": row.observed.map { .number($0) } ?? .null,
            "predicted": row.predicted.map { .number($0) } ?? .null,
            "isOver": row.isOver.map { .boolean($0) } ?? .null,
          ]
        }),
      "notTold": .array(
        audience.untold.map { row in
          [
            "quantities": .array(row.quantities.map { .string($0.rawValue) }),
            "reason": .string(row.reason),
          ]
        }),
      "notes": .array(audience.notes.map { .string($0) }),
    ]
  }
}
