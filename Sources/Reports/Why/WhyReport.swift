import Models
import Scenario
import Statistics
import Studies

/// Where startup and stall time goes, by part and by cohort: of one run, or of the difference
/// between two.
public enum WhyReport {
  /// The report as text ending in a line feed.
  ///
  /// - Parameter before: the run to compare with; nil for one run by itself.
  public static func text(
    _ result: ReadResult, against before: ReadResult?, color: Bool
  ) -> String {
    text(result.record, against: before?.record, subject: result.subject, color: color)
  }

  private static func text(
    _ result: RunRecord, against before: RunRecord?, subject: String, color: Bool
  ) -> String {
    func title(_ text: String) -> String { TextStyle.bold.applied(to: text, color: color) }
    let size = result.world.map { "world \($0.name)" } ?? "\(Figures.count(result.views)) views"
    var lines = [
      title("\(result.scenario.name) \(result.scenario.digest): \(result.verdict), \(size)")
    ]
    lines += budgets(result)
    if result.world != nil {
      if let before {
        lines += ["", title("METRICS THAT MOVED MOST")] + moved(result, before, color: color)
      } else {
        lines += ["", title("METRICS")] + metrics(result, subject: subject, color: color)
      }
      return lines.joined(separator: "\n") + "\n"
    }
    lines += ["", title("STARTUP, by part: mean over started views, ms")]
    lines += parts(result, before, color: color)
    lines += ["", title("STARTUP AND STALLS, by cohort")] + cohorts(result, before, color: color)
    let late = late(result, color: color)
    if !late.isEmpty {
      let limit = Figures.decimal(result.lateStarts.limitMilliseconds, 0)
      lines += ["", title("STARTS LATER THAN \(limit) ms, OR NEVER, by longest part")] + late
    }
    let unresolved = unresolved(result)
    if !unresolved.isEmpty { lines += ["", title("NAMES THAT DID NOT RESOLVE")] + unresolved }
    if let before {
      lines += ["", title("METRICS THAT MOVED MOST")] + moved(result, before, color: color)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What look-ups that failed have cost; nothing where none has.
  private static func unresolved(_ result: RunRecord) -> [String] {
    let failures = result.origin["nameFailures"]
    if failures == 0 { return [] }
    let errors = result.origin["clientErrors"]
    let retries = result.origin["clientRetries"]
    return [
      "  \(Figures.count(failures)) of \(Figures.count(errors)) errors at viewers: the server's "
        + "name was not found; \(Figures.count(retries)) requests were sent again",
      "  A start's wait for it is in the name look-up, for a page of the feed in the feed page;",
      "  the keys are network.access[].nameFailure and client.retry.",
    ]
  }

  private static func budgets(_ result: RunRecord) -> [String] {
    result.budgets.filter { $0.verdict != "pass" }.map { budget in
      let soft = budget.level == "soft" ? " (soft)" : ""
      let reason = budget.reason.isEmpty ? "" : ": \(budget.reason)"
      return "  \(budget.verdict)\(soft): \(budget.metric) \(budget.limit)\(reason)"
    }
  }

  /// What a world without startups has: every metric with its meaning.
  private static func metrics(
    _ result: RunRecord, subject: String, color: Bool
  ) -> [String] {
    var table = TextTable([.left, .right, .left])
    table.heading(["metric", "value", "meaning"])
    for metric in result.metrics {
      let meaning = result.meaning(of: metric) ?? ""
      let estimate = metric.estimate
      table.add([
        TextCell(metric.name.shortText),
        TextCell(estimate.value.map { text($0, MetricReference.Unit(word: estimate.unit)) } ?? "–"),
        TextCell(meaning),
      ])
    }
    return table.lines(color: color)
      + [
        "  Startups and stalls are the feed's: a run of \(subject) has none to divide.",
        "  `firstframe why RESULT --against RESULT` shows what moved between two runs.",
      ]
  }

  private static func name(_ metric: String) -> String {
    metric.hasSuffix(".ratio") ? String(metric.dropLast(6)) : metric
  }

  private static func text(_ number: Double, _ unit: MetricReference.Unit) -> String {
    unit == .ratio
      ? Figures.percent(number)
      : Figures.decimal(number, Figures.decimals(number, spread: nil, atMost: 2))
        + (unit == .number ? "" : " ms")
  }

  private static func started(_ result: RunRecord) -> Double {
    Double(max(1, result.cohorts.reduce(0) { $0 + $1.started }))
  }

  private static func label(_ part: String) -> String {
    StartupPart(name: part)?.label ?? part
  }

  private static func milliseconds(_ value: Double) -> String {
    Figures.decimal(value / 1e6, Figures.decimals(value / 1e6, spread: nil, atMost: 3))
  }

  private static func parts(
    _ result: RunRecord, _ before: RunRecord?, color: Bool
  ) -> [String] {
    let now = result.startupBreakdown.waited.parts.map {
      Double($0.nanoseconds) / started(result)
    }
    let names = result.startupBreakdown.waited.parts.map(\.part)
    let total = now.reduce(0, +)
    guard let before else {
      var table = TextTable([.left, .right, .right, .left])
      table.heading(["part", "ms", "share", ""])
      for index in now.indices.sorted(by: { now[$0] > now[$1] }) where now[index] > 0 {
        table.add([
          TextCell(label(names[index])), TextCell(milliseconds(now[index])),
          TextCell(Figures.percent(now[index] / total)),
          TextCell(Figures.bar(now[index] / total, width: 40)),
        ])
      }
      return table.lines(color: color)
    }
    let then = names.map { name in
      Double(
        before.startupBreakdown.waited.parts.first { $0.part == name }?.nanoseconds ?? 0)
        / started(before)
    }
    let change = total - then.reduce(0, +)
    var table = TextTable([.left, .right, .right, .right, .right])
    table.heading(["part", "before", "now", "change", "of the whole change"])
    for index in now.indices.sorted(by: { abs(now[$0] - then[$0]) > abs(now[$1] - then[$1]) })
    where now[index] != then[index] {
      let moved = now[index] - then[index]
      table.add([
        TextCell(label(names[index])), TextCell(milliseconds(then[index])),
        TextCell(milliseconds(now[index])),
        TextCell((moved > 0 ? "+" : "") + milliseconds(moved)),
        TextCell(change == 0 ? "–" : Figures.percent(moved / change)),
      ])
    }
    table.add([
      "all", TextCell(milliseconds(then.reduce(0, +))), TextCell(milliseconds(total)),
      TextCell((change > 0 ? "+" : "") + milliseconds(change)), "100 %",
    ])
    return table.lines(color: color)
  }

  private static func cohorts(
    _ result: RunRecord, _ before: RunRecord?, color: Bool
  ) -> [String] {
    let startup = Double(max(1, result.cohorts.reduce(0) { $0 + $1.startupNanoseconds }))
    let stalled = Double(result.cohorts.reduce(0) { $0 + $1.stalledNanoseconds })
    var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
    table.heading([
      "network, device", "views", "mean start ms", "of all startup", "rebuffer", "of all stalls",
      before == nil ? "" : "mean start before",
    ])
    let ordered = result.cohorts.sorted { $0.startupNanoseconds > $1.startupNanoseconds }
    for cohort in ordered where cohort.views > 0 {
      let mean = Double(cohort.startupNanoseconds) / Double(max(1, cohort.started))
      let played = Double(cohort.playedNanoseconds + cohort.stalledNanoseconds)
      let old = before?.cohorts.first {
        ($0.network, $0.device) == (cohort.network, cohort.device)
      }
      table.add([
        TextCell("\(cohort.network), \(cohort.device)"), TextCell(Figures.count(cohort.views)),
        TextCell(milliseconds(mean)),
        TextCell(Figures.percent(Double(cohort.startupNanoseconds) / startup)),
        TextCell(
          played > 0 ? Figures.percent(Double(cohort.stalledNanoseconds) / played) : "–"),
        TextCell(
          stalled > 0 ? Figures.percent(Double(cohort.stalledNanoseconds) / stalled) : "–"),
        TextCell(
          old.map { milliseconds(Double($0.startupNanoseconds) / Double(max(1, $0.started))) }
            ?? ""),
      ])
    }
    return table.lines(color: color)
  }

  private static func late(_ result: RunRecord, color: Bool) -> [String] {
    let rows = result.lateStarts.causes
    if rows.isEmpty { return [] }
    var table = TextTable([.left, .right, .right, .right])
    table.heading(["longest part", "late", "never", "waited for an edge miss"])
    for row in rows {
      let misses = row.startedWithEdgeMiss + row.notStartedWithEdgeMiss
      table.add([
        TextCell(label(row.part)), TextCell(Figures.count(row.started)),
        TextCell(Figures.count(row.notStarted)),
        TextCell(Figures.share(misses, of: row.total)),
      ])
    }
    return table.lines(color: color)
  }

  // MARK: Two runs

  /// A metric of two runs: paired by replication when the seeds are the same.
  struct Move {
    var metric: String
    var unit: String
    var before: Double
    var now: Double
    var difference: Estimate?
    /// The difference over its standard error.
    var size: Double
  }

  static func moves(_ result: RunRecord, _ before: RunRecord) -> [Move] {
    result.metrics.compactMap { now in
      guard let other = before.metric(now.name.text),
        let a = other.estimate.value, let b = now.estimate.value, a != b,
        !now.estimate.isLowerBound, !other.estimate.isLowerBound
      else { return nil }
      let (new, old) = (now.estimate.values, other.estimate.values)
      let pairs = zip(old, new).compactMap { left, right in
        left.flatMap { left in right.map { (left, $0) } }
      }
      let isPaired = result.seed == before.seed
      let difference: Estimate? =
        isPaired
        ? try? Estimates.pairedDifference(
          candidate: pairs.map(\.1), baseline: pairs.map(\.0)
        ).difference
        : try? Estimates.independentDifference(
          candidate: new.compactMap { $0 }, baseline: old.compactMap { $0 })
      let error = difference?.standardError ?? 0
      return Move(
        metric: now.name.text, unit: now.estimate.unit, before: a, now: b, difference: difference,
        size: error > 0 ? abs(difference?.value ?? 0) / error : .infinity)
    }.sorted { $0.size != $1.size ? $0.size > $1.size : $0.metric < $1.metric }
  }

  private static func moved(
    _ result: RunRecord, _ before: RunRecord, color: Bool
  ) -> [String] {
    let moves = moves(result, before)
    if moves.isEmpty { return ["  none"] }
    var table = TextTable([.left, .right, .right, .right])
    table.heading(["metric", "before", "now", "difference ± half of 95 %"])
    for move in moves.prefix(12) {
      let unit = MetricReference.Unit(word: move.unit)
      table.add([
        TextCell(name(move.metric)), TextCell(text(move.before, unit)),
        TextCell(text(move.now, unit)),
        TextCell(
          Figures.difference(
            move.difference?.value ?? move.now - move.before,
            half: move.difference?.interval.halfWidth ?? 0, unit: unit)),
      ])
    }
    return table.lines(color: color)
      + [
        result.seed == before.seed
          ? "  paired by replication (common random numbers)"
          : "  different seeds: not paired, so small differences do not show"
      ]
  }
}
