import Scenario
import Studies

/// The answer of `firstframe replay cache` for people.
public enum ReplayReport {
  /// What was asked for, a row for each cache, and the curves as a picture of characters.
  public static func text(_ result: ReplayResult) -> String {
    var lines = head(result) + [""] + table(result)
    if let sample = result.sample {
      lines += ["", "estimates from a sample: " + words(sample)]
    }
    if result.plan.tiers != nil {
      lines += ["", "edge: all edges together; the shield's requests are the edges' misses"]
    }
    if !result.curves.isEmpty { lines += [""] + ReplayCurveText.picture(result) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ result: ReplayResult) -> [String] {
    let summary = result.summary
    let unit = result.plan.unitSizes ? "" : ", \(size(summary.bytes))"
    let set = result.plan.unitSizes ? "" : ", working set \(size(summary.workingSet))"
    var lines = ["\(summary.requests) requests\(unit); \(summary.objects) objects\(set)"]
    var ceiling = "at most \(percent(1 - summary.compulsoryMissRatio)) of the requests"
    if !result.plan.unitSizes {
      ceiling += " and \(percent(1 - summary.compulsoryByteMissRatio)) of the bytes"
    }
    lines.append("\(ceiling) can be hits, whatever the policy: every object misses once")
    if summary.resized > 0 && !result.plan.unitSizes {
      lines.append(
        "\(summary.resized) objects change their size; a cache keeps the one it stored")
    }
    return lines
  }

  private static func table(_ result: ReplayResult) -> [String] {
    let hasTiers = result.plan.tiers != nil
    var rows = [
      ["policy", "capacity", "tier", "", "requests", "misses", "miss", "byte miss", "2nd half"]
        + ["objects"]
    ]
    for row in result.rows {
      let counts = row.counts
      // The shield sees only some of each half.
      let second = counts.requests - counts.requests / 2
      let secondRatio = second > 0 ? Double(counts.missesSecondHalf) / Double(second) : 0
      rows.append([
        row.policy, row.capacityText, row.tier,
        result.plan.unitSizes ? "\(row.capacity)" : size(row.capacity), "\(counts.requests)",
        "\(counts.misses)", percent(counts.missRatio), percent(counts.byteMissRatio),
        row.tier == "shield" ? "-" : percent(secondRatio), "\(counts.objectsAtEnd)",
      ])
    }
    if !hasTiers { rows = rows.map { Array($0[..<2] + $0[3...]) } }
    return AlignedText.lines(rows, left: hasTiers ? 3 : 2)
  }

  /// A sample and what is known about its error.
  static func words(_ sample: ReplayResult.Sample) -> String {
    let size =
      "\(percent(sample.objectShare)) of the objects, \(sample.requests) requests, capacities "
      + "scaled alike"
    guard let error = sample.lruError, let byteError = sample.lruByteError else {
      return size + "; the error is not known"
    }
    return size + "\nits LRU differs from that of all requests by up to \(fixed(error)) miss ratio"
      + " and \(fixed(byteError)) byte miss ratio; the error of other policies is not known"
  }

  static func percent(_ ratio: Double) -> String {
    AlignedText.fixed(ratio * 100, decimals: 2) + " %"
  }

  private static func fixed(_ value: Double) -> String { AlignedText.fixed(value, decimals: 4) }

  /// Bytes with three figures or so.
  static func size(_ bytes: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1_000 && unit < units.count - 1 {
      value /= 1_000
      unit += 1
    }
    return AlignedText.fixed(value, decimals: unit == 0 ? 0 : value < 100 ? 2 : 1) + " "
      + units[unit]
  }
}
