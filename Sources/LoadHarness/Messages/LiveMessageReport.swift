import Foundation

extension LiveMessageOutcome {
  /// Whether every video arrived once and no screen said what was not true.
  public var isSound: Bool {
    falseViews == 0 && offeredTwice == 0 && failures == 0 && videos > 0
      && deliveries.count == videos
  }

  /// Mean, median, 95th and 99th percentile in milliseconds, and how many.
  private struct Figures: Encodable {
    var n: Int
    var mean: Double?
    var p50: Double?
    var p95: Double?
    var p99: Double?

    init(_ seconds: [Double]) {
      let sorted = seconds.sorted()
      n = sorted.count
      guard n > 0 else { return }
      func quantile(_ p: Double) -> Double {
        sorted[min(n - 1, max(0, Int((p * Double(n)).rounded(.up)) - 1))] * 1000
      }
      mean = sorted.reduce(0, +) / Double(n) * 1000
      (p50, p95, p99) = (quantile(0.5), quantile(0.95), quantile(0.99))
    }
  }

  private struct Document: Encodable {
    var videos: Int
    var delivery: Figures
    var downloadSeen: Figures
    var viewSeen: Figures
    var falseViews: Int
    var offeredTwice: Int
    var failures: Int
    var requests: Int
    var polls: Int
    var pushes: Int
    var lostPushes: Int
  }

  private var document: Document {
    Document(
      videos: videos, delivery: Figures(deliveries), downloadSeen: Figures(downloadLags),
      viewSeen: Figures(viewLags), falseViews: falseViews, offeredTwice: offeredTwice,
      failures: failures, requests: counts.requests, polls: counts.polls, pushes: counts.pushes,
      lostPushes: counts.lostPushes)
  }

  /// The figures as JSON, times in milliseconds.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  /// The figures as a table.
  public func table() -> String {
    func cell(_ value: Double?) -> String {
      let text = value.map { String(format: "%.1f", $0) } ?? "–"
      return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
    let document = document
    var lines = ["ms                                mean       p50       p95       p99         n"]
    let rows = [
      ("sent to delivered", document.delivery), ("delivered to seen so", document.downloadSeen),
      ("viewed to seen so", document.viewSeen),
    ]
    for (name, row) in rows {
      let title = name + String(repeating: " ", count: 28 - name.count)
      lines.append(
        title + [row.mean, row.p50, row.p95, row.p99].map { cell($0) }.joined()
          + String(repeating: " ", count: max(1, 10 - "\(row.n)".count)) + "\(row.n)")
    }
    lines.append(
      "\(videos) videos, \(counts.requests) requests, \(counts.polls) of them polls, "
        + "\(counts.pushes) pushes, \(counts.lostPushes) of them dropped on purpose")
    lines.append(
      "\(falseViews) false views, \(offeredTwice) offered twice, \(failures) failed")
    return lines.joined(separator: "\n")
  }
}
