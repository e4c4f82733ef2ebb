import Scenario
import Studies

extension ReportWriter {
  // MARK: The app

  /// What the app did beyond loading and playing; nothing where none of that is set.
  func client() -> [String] {
    var table = TextTable([.left, .left, .left])
    var count = 0
    for name in FeedMetrics.standard(.client) {
      guard let metric = result.metric(name), metric.value != nil else { continue }
      count += 1
      table.add([
        TextCell(metric.reference.clientWords ?? name), TextCell(metric.shortTextWithUnit),
        TextCell("n = \(Figures.count(metric.samples)) \(metric.reference.sampleNoun)", .faint),
      ])
    }
    if count == 0 { return [] }
    return table.lines(color: color) + clientCounts()
  }

  private func clientCounts() -> [String] {
    let sums = result.measures.clientSide
    let left = result.measures.swipes.reduce(0) { $0 + $1.leftAtGate }
    var parts = [
      (sums.pauses, "pauses"), (sums.kills, "processes killed"),
      (left, "viewers left at the gate"), (sums.segmentErrors, "segments failed"),
      (sums.retryTaps, "taps on \"tap to retry\""), (sums.itemsGivenUp, "items given up"),
      (sums.offlineCuts, "times offline"), (sums.loops, "loops"), (sums.drafts, "drafts left"),
      (sums.draftsRestored, "drafts found again"),
    ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
    if sums.poolSessions > 0 {
      let mean = Double(sums.poolMemory) / Double(sums.poolSessions)
      parts.append("players' memory \(Figures.bytes(Int64(mean))) at the most, mean of sessions")
    }
    return parts.isEmpty ? [] : wrapped(parts.joined(separator: ", "), indent: "  ")
  }
}

extension MetricReference {
  /// A metric of the app in words; nil for another one.
  var clientWords: String? { MetricReference.clientWords(metric, stat: stat) }

  /// The same of a metric and a stat by their names.
  static func clientWords(_ metric: String, stat: String) -> String? {
    guard let row = FeedMetrics.named(metric), row.presence == .client else { return nil }
    return ["ratio", "mean"].contains(stat) ? row.words : "\(row.words), \(stat)"
  }
}
