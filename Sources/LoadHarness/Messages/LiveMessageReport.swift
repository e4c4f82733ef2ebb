import Foundation
import Statistics

extension LiveMessageOutcome {
  /// Whether every video that was owed arrived once, every view was shown, both by when the
  /// protocol promised, and no screen said what was not true.
  public var isSound: Bool {
    falseViews == 0 && offeredTwice == 0 && failures == 0 && videos > 0 && unexplained == 0
      && undelivered == 0 && unseenViews == 0
  }

  /// What is to be said beside the figures, in words.
  public var findings: [String] {
    var lines: [String] = []
    func say(_ count: Int, _ one: String, _ many: String) {
      if count > 0 { lines.append("\(count) " + (count == 1 ? one : many)) }
    }
    say(
      replaced, "video was never delivered: a later one of its pair took its place",
      "videos were never delivered: later ones of their pairs took their place")
    say(
      deliveredAtOpening,
      "video came only when its recipient opened the app again: no push came, the poll was not due",
      "videos came only when their recipients opened the app again: no push came, the poll was not "
        + "due")
    say(
      viewsSeenAtOpening,
      "view was seen only when the sender opened the app again: no push came, the poll was not due",
      "views were seen only when the senders opened the app again: no push came, the poll was not "
        + "due")
    say(
      unexplained, "time news were late although nothing was lost",
      "times news were late although nothing was lost")
    say(undelivered, "video did not arrive", "videos did not arrive")
    say(unseenViews, "view was never shown", "views were never shown")
    return lines
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
        sorted[OrderStatistics.rank(p, of: n) - 1] * 1000
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
    var replaced: Int
    var deliveredAtOpening: Int
    var viewsSeenAtOpening: Int
    var falseViews: Int
    var offeredTwice: Int
    var failures: Int
    var unexplained: Int
    var undelivered: Int
    var unseenViews: Int
    var drainSeconds: Double
    var requests: Int
    var polls: Int
    var pushes: Int
    var lostPushes: Int
  }

  private var document: Document {
    Document(
      videos: videos, delivery: Figures(deliveries), downloadSeen: Figures(downloadLags),
      viewSeen: Figures(viewLags), replaced: replaced, deliveredAtOpening: deliveredAtOpening,
      viewsSeenAtOpening: viewsSeenAtOpening, falseViews: falseViews, offeredTwice: offeredTwice,
      failures: failures, unexplained: unexplained, undelivered: undelivered,
      unseenViews: unseenViews, drainSeconds: drained, requests: counts.requests,
      polls: counts.polls, pushes: counts.pushes,
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
      "\(falseViews) false views, \(offeredTwice) offered twice, \(failures) failed; all was over "
        + String(format: "%.1f s after the last video", drained))
    lines += findings
    return lines.joined(separator: "\n")
  }
}
