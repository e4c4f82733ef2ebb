/// Requests and bytes of some rows of a tier, by outcome.
struct TierTally {
  private var counts: [String: (requests: Int64, bytes: Int64)] = [:]

  init(_ rows: [RunRecord.Tier]) {
    for row in rows {
      counts[row.outcome, default: (0, 0)].requests += row.requests
      counts[row.outcome, default: (0, 0)].bytes += row.bytes
    }
  }

  func requests(_ outcome: String) -> Int64 { counts[outcome]?.requests ?? 0 }

  var requests: Int64 { counts.values.reduce(0) { $0 + $1.requests } }
  var bytes: Int64 { counts.values.reduce(0) { $0 + $1.bytes } }

  var hitText: String { ratio(\.requests) }
  var hitBytesText: String { ratio(\.bytes) }

  /// (hit + stale_hit) / (all - error), contract.md section 1.
  private func ratio(_ count: ((requests: Int64, bytes: Int64)) -> Int64) -> String {
    func sum(_ outcomes: [String]) -> Int64 {
      outcomes.reduce(0) { $0 + (counts[$1].map(count) ?? 0) }
    }
    let all = counts.values.reduce(0) { $0 + count($1) }
    return Figures.share(sum(["hit", "stale_hit"]), of: all - sum(["error"]))
  }

  /// The outcomes in the order of contract.md section 1, then those that it does not name.
  static func outcomes(_ rows: [RunRecord.Tier]) -> [String] {
    let known = ["hit", "stale_hit", "revalidated", "collapsed", "miss", "bypass", "error"]
    let used = RunRecord.ordered(rows.filter { $0.requests > 0 }) { $0.outcome }
    return known.filter { used.contains($0) } + used.filter { !known.contains($0) }
  }
}
