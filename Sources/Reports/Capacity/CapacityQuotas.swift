import Scenario
import Statistics
import Studies

/// What a page of a capacity plan says first: what is over today, and each limit with its margin.
struct CapacityQuotas {
  private let plan: CapacityPlan

  init(_ plan: CapacityPlan) { self.plan = plan }

  func write(to body: inout Markup) {
    let observed = plan.observedLimits.filter { $0.isOver == true }
    let over = plan.overToday
    let isOver = !over.isEmpty || !observed.isEmpty
    PlainPage.banner(
      isOver ? .bad : .good, isOver ? "OVER TODAY" : "HOLDS TODAY", CapacityReport.headline(plan),
      to: &body)
    var table = HTMLTable(
      "Each limit at this audience's peak, the tightest first; margin: how far the peak is inside "
        + "the limit, as a share of the limit",
      [
        .text("Limit"), .text("Verdict"), .number("Margin"), .number("95 % interval"),
        .number("Holds to"), .text("Kind"), .text("What"),
      ])
    for found in plan.breaks {
      let verdict = verdict(found)
      let interval = interval(found)
      table.add([
        .text(found.name), PlainPage.mark(verdict.tone, verdict.word),
        .text(found.multiple.map { CapacityQuotas.margin($0) } ?? "–"),
        .text(
          interval.map {
            "\(CapacityQuotas.margin($0.lower)) to \(CapacityQuotas.margin($0.upper))"
          } ?? "none"),
        .text(found.multiple.map { CapacityReport.times($0) } ?? "any audience"),
        .text(found.isSized ? "sized for this audience" : "there whoever comes"),
        .text(found.what),
      ])
    }
    table.write(to: &body)
    PlainPage.list(
      [
        "The interval of the distribution is that of the requests of a view; the audience is taken "
          + "as it is given. Servers have that of their simulation.",
        "None: the origin's and the relay's are closed forms of what caches and callers do.",
        "What is sized for the audience holds it by construction: its margin says how much is left "
          + "because servers are whole.",
      ], to: &body)
  }

  /// Of the load at the peak below what the limit takes, over the limit.
  private static func margin(_ multiple: Double) -> String {
    if multiple <= 0 { return "none" }
    return ComparisonReport.signedPercent(1 - 1 / multiple)
  }

  private func interval(_ found: CapacityPlan.Break) -> Interval? {
    if let interval = found.interval { return interval }
    guard found.name == "distribution", let multiple = found.multiple else { return nil }
    let requests = plan.measures.requestsPerView
    let (lower, upper) = (requests.interval.lower, requests.interval.upper)
    guard lower > 0, upper > 0 else { return nil }
    return Interval(
      lower: multiple * requests.value / upper, upper: multiple * requests.value / lower,
      level: requests.interval.level)
  }

  private func verdict(_ found: CapacityPlan.Break) -> (tone: PageTone, word: String) {
    if found.multiple == nil { return (.good, "holds") }
    if found.isOver { return (.bad, "over today") }
    if !found.isSized, let interval = interval(found), interval.contains(1) {
      return (.open, "holds, not surely")
    }
    return (.good, "holds")
  }
}
