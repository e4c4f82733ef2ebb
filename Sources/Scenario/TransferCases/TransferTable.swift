import Models

/// Results of transfer cases for reading.
public enum TransferTable {
  /// A line for each flow. With replications the times are medians.
  public static func text(_ results: [TransferCaseResult]) -> String {
    var rows = [
      [
        "case", "tier", "flow", "start ms", "connect ms", "secure ms", "first byte ms",
        "duration ms",
      ]
    ]
    for result in results {
      for flow in result.replications[0].timings.indices {
        let timings = result.replications.map { $0.timings[flow] }
        rows.append([
          result.id, result.tier.word, "\(flow)", median(timings.map(\.start)),
          median(timings.map(\.connect)), median(timings.compactMap(\.secure)),
          median(timings.map(\.firstByte)), median(timings.map(\.duration)),
        ])
      }
    }
    let most = results.map(\.replications.count).max() ?? 1
    var lines = AlignedText.lines(rows, left: 2)
    if most > 1 { lines.append("medians of up to \(most) replications") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The median in milliseconds (the mean of the middle two); `never`, and `-` without values.
  private static func median(_ values: [Int64]) -> String {
    if values.isEmpty { return "-" }
    let sorted = values.sorted()
    let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    guard let first = TransferTime.milliseconds(low), let last = TransferTime.milliseconds(high)
    else { return "never" }
    return AlignedText.fixed((first + last) / 2, decimals: 3)
  }
}
