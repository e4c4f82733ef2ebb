import Scenario
import Studies

/// The sums of two results in two columns: caches, bytes, late starts, cohorts, counters, cost.
///
/// A result keeps these as sums over its replications, so they have no intervals; they are shown
/// per view, as shares or as means, so that runs of different lengths can be read beside each
/// other.
struct RunSums {
  /// How a row is written.
  enum Form { case perThousand, bytesPerView, share, milliseconds, money }

  /// One number of both.
  struct Row {
    var name: String
    var baseline: Double?
    var candidate: Double?
    var form: Form
  }

  /// A section of the page.
  struct Section {
    var id: String
    var title: String
    var caption: String
    var rows: [Row]

    func write(to body: inout Markup) {
      var table = HTMLTable(
        caption + "; sums have no intervals",
        [.text("What"), .number("A"), .number("B"), .number("Difference"), .number("Change")])
      for row in rows {
        table.add([
          .text(row.name), .text(RunSums.text(row.baseline, row.form)),
          .text(RunSums.text(row.candidate, row.form)), .text(RunSums.difference(row)),
          .text(RunSums.change(row)),
        ])
      }
      table.write(to: &body)
    }
  }

  private let a: RunRecord
  private let b: RunRecord

  init(_ a: RunRecord, _ b: RunRecord) {
    self.a = a
    self.b = b
  }

  /// Those that have a row.
  var sections: [Section] {
    [
      Section(
        id: "late", title: "Late and missing first frames",
        caption: "For 1,000 views, by the part that took longest", rows: late),
      Section(
        id: "caches", title: "Caches and origin",
        caption: "Requests for 1,000 views, bytes a view, and hit ratios over all classes",
        rows: caches + origin),
      Section(
        id: "bytes", title: "Media bytes", caption: "Bytes a view, and what became of them",
        rows: bytes),
      Section(
        id: "cohorts", title: "Cohorts", caption: "Views by network and device", rows: cohorts),
      Section(
        id: "counters", title: "Players and prefetch", caption: "For 1,000 views", rows: counters),
      Section(id: "cost", title: "A month", caption: "In the currency of the prices", rows: cost),
    ].filter { !$0.rows.isEmpty }
  }

  // MARK: Rows

  private func row(_ name: String, _ form: Form, _ value: (RunRecord) -> Double?) -> Row {
    Row(name: name, baseline: value(a), candidate: value(b), form: form)
  }

  private static func per(_ part: Int64, _ whole: Int64, times: Double = 1) -> Double? {
    whole > 0 ? Double(part) / Double(whole) * times : nil
  }

  private static func perThousand(_ count: Int64, _ record: RunRecord) -> Double? {
    per(count, record.views, times: 1000)
  }

  private var late: [Row] {
    let names = RunRecord.ordered(a.lateStarts.byPart + b.lateStarts.byPart) { $0.part }
    let all = [
      row("started late", .perThousand) { Self.perThousand($0.lateStarts.started, $0) },
      row("left before a first frame", .perThousand) {
        Self.perThousand($0.lateStarts.notStarted, $0)
      },
    ].filter { $0.baseline != nil || $0.candidate != nil }
    return all
      + names.map { name in
        row("longest: \(name)", .perThousand) { record in
          let count = record.lateStarts.byPart.first { $0.part == name }?.total ?? 0
          return Self.perThousand(count, record)
        }
      }.filter { ($0.baseline ?? 0) > 0 || ($0.candidate ?? 0) > 0 }
  }

  private var caches: [Row] {
    RunRecord.ordered((a.tiers + b.tiers).filter { $0.requests > 0 }) { $0.tier }.flatMap { tier in
      func rows(_ record: RunRecord) -> [RunRecord.Tier] {
        record.tiers.filter { $0.tier == tier }
      }
      func hits(_ record: RunRecord, _ count: KeyPath<RunRecord.Tier, Int64>) -> Double? {
        let rows = rows(record)
        func sum(_ outcomes: [String]) -> Int64 {
          rows.filter { outcomes.contains($0.outcome) }.reduce(0) { $0 + $1[keyPath: count] }
        }
        let all = rows.reduce(0) { $0 + $1[keyPath: count] }
        return Self.per(sum(["hit", "stale_hit"]), all - sum(["error"]))
      }
      return [
        row("\(tier): requests", .perThousand) {
          Self.perThousand(rows($0).reduce(0) { $0 + $1.requests }, $0)
        },
        row("\(tier): bytes", .bytesPerView) {
          Self.per(rows($0).reduce(0) { $0 + $1.bytes }, $0.views)
        },
        row("\(tier): hits of requests", .share) { hits($0, \.requests) },
        row("\(tier): hits of bytes", .share) { hits($0, \.bytes) },
      ]
    }
  }

  private var origin: [Row] {
    RunRecord.originCounts.rows.filter { !$0.name.hasPrefix("largest") }.map { count in
      row(
        "origin: \(count.summary)", count.name == "bytes" ? .bytesPerView : .perThousand
      ) { record in
        count.name == "bytes"
          ? Self.per(record.origin[count.name], record.views)
          : Self.perThousand(record.origin[count.name], record)
      }
    }.filter { ($0.baseline ?? 0) > 0 || ($0.candidate ?? 0) > 0 }
  }

  private var bytes: [Row] {
    func sum(_ record: RunRecord) -> RunRecord.Bytes { RunRecord.Bytes(sumOf: record.bytes) }
    if sum(a).delivered == 0 && sum(b).delivered == 0 { return [] }
    func share(_ name: String, _ part: KeyPath<RunRecord.Bytes, Int64>) -> Row {
      row(name, .share) { Self.per(sum($0)[keyPath: part], sum($0).delivered) }
    }
    return [
      row("delivered", .bytesPerView) { Self.per(sum($0).delivered, $0.views) },
      share("rendered, of the delivered", \.rendered), share("wasted", \.wasted),
      share("still buffered", \.stillBuffered), share("prefetched", \.prefetched),
      row("wasted, of the prefetched", .share) {
        Self.per(sum($0).prefetchedWasted, sum($0).prefetched)
      },
    ]
  }

  private var cohorts: [Row] {
    func name(_ cohort: RunRecord.Cohort) -> String { "\(cohort.network), \(cohort.device)" }
    return RunRecord.ordered((a.cohorts + b.cohorts).filter { $0.views > 0 }, by: name)
      .flatMap { each in
        func found(_ record: RunRecord) -> RunRecord.Cohort? {
          record.cohorts.first { name($0) == each && $0.views > 0 }
        }
        return [
          row("\(each): of all views", .share) { record in
            found(record).flatMap { Self.per($0.views, record.views) }
          },
          row("\(each): mean time to first frame", .milliseconds) { record in
            found(record).flatMap { Self.per($0.startupNanoseconds, $0.started, times: 1e-6) }
          },
          row("\(each): left without a first frame", .share) { record in
            found(record).flatMap { Self.per($0.notStarted, $0.views) }
          },
          row("\(each): stalls", .perThousand) { record in
            found(record).flatMap { Self.per($0.stalls, $0.views, times: 1000) }
          },
        ]
      }
  }

  private var counters: [Row] {
    RunRecord.counterCounts.rows.filter { !$0.name.hasPrefix("peak") }.map { count in
      let isBytes = count.name.hasSuffix("Bytes")
      return row(count.summary, isBytes ? .bytesPerView : .perThousand) { record in
        isBytes
          ? Self.per(record.counters[count.name], record.views)
          : Self.perThousand(record.counters[count.name], record)
      }
    }.filter { ($0.baseline ?? 0) > 0 || ($0.candidate ?? 0) > 0 }
  }

  private var cost: [Row] {
    if a.cost == nil && b.cost == nil { return [] }
    let currency = a.cost?.currency ?? ""
    // Amounts of two currencies have no difference.
    if let own = a.cost, let other = b.cost, own.currency != other.currency { return [] }
    let parts: [(String, @Sendable (RunRecord.Cost) -> Double)] = [
      ("a month, \(currency)", { $0.month }), ("for a million views", { $0.perMillionViews }),
      ("transfer to viewers", { $0.transfer }), ("requests of viewers", { $0.requests }),
      ("shield crossings", { $0.shield }), ("requests to the origin", { $0.originRequests }),
      ("transfer from the origin", { $0.originTransfer }), ("storage", { $0.storage }),
    ]
    return parts.map { name, part in row(name, .money) { $0.cost.map(part) } }
  }

  // MARK: Words

  private static func text(_ value: Double?, _ form: Form) -> String {
    guard let value else { return "–" }
    switch form {
    case .bytesPerView: return Figures.bytes(Int64(value.rounded()))
    case .share: return Figures.percent(value)
    case .milliseconds: return number(value) + " ms"
    case .perThousand, .money: return number(value)
    }
  }

  private static func number(_ value: Double) -> String {
    Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 2))
  }

  private static func difference(_ row: Row) -> String {
    guard let a = row.baseline, let b = row.candidate else { return "–" }
    let change = b - a
    let sign = change > 0 ? "+" : ""
    switch row.form {
    case .share: return Figures.signed(change * 100, decimals: 2) + " points"
    case .bytesPerView:
      let size = Figures.bytes(Int64(abs(change).rounded()))
      return (change < 0 ? "-" : sign) + size
    case .milliseconds, .perThousand, .money: return sign + text(change, row.form)
    }
  }

  private static func change(_ row: Row) -> String {
    guard row.form != .share, let a = row.baseline, let b = row.candidate, a != 0 else {
      return "–"
    }
    return ComparisonReport.signedPercent(b / a - 1)
  }
}
