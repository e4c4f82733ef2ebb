import Scenario
import Studies

/// Miss-ratio curves as a picture of characters and as CSV.
public enum ReplayCurveText {
  private static let height = 20
  private static let marks = Array("abcdefghijklmnopqrstuvwxyz")

  /// The curves over the capacity, with the misses that no cache avoids as a line of dashes.
  static func picture(_ result: ReplayResult) -> [String] {
    let summary = result.summary
    let capacities = result.curves.first?.points.map(\.capacity) ?? []
    let width = capacities.count * 2
    var cells = [[Character]](
      repeating: [Character](repeating: " ", count: width), count: height + 1)
    let floor = row(summary.compulsoryMissRatio)
    cells[floor] = [Character](repeating: "-", count: width)
    for (index, curve) in result.curves.enumerated().reversed() {
      let mark = marks[min(index, marks.count - 1)]
      for (column, point) in curve.points.enumerated() {
        cells[row(point.missRatio)][column * 2] = mark
      }
    }
    var lines = ["miss ratio by capacity"]
    for (index, line) in cells.enumerated() {
      let share = Double(height - index) / Double(height)
      let label = index % 5 == 0 ? AlignedText.fixed(share * 100, decimals: 0) + " %" : ""
      let pad = String(repeating: " ", count: max(0, 6 - label.count))
      var text = pad + label + " |" + String(line)
      while text.last == " " { text.removeLast() }
      if index == floor {
        text += " compulsory \(ReplayReport.percent(summary.compulsoryMissRatio))"
      }
      lines.append(text)
    }
    lines.append(String(repeating: " ", count: 7) + "+" + String(repeating: "-", count: width))
    lines.append(axis(capacities, width: width, unitSizes: result.plan.unitSizes))
    return lines + legend(result)
  }

  private static func row(_ ratio: Double) -> Int {
    height - Int((min(max(ratio, 0), 1) * Double(height)).rounded())
  }

  /// Capacities under their columns, as many as have room.
  private static func axis(_ capacities: [Int64], width: Int, unitSizes: Bool) -> String {
    var text = String(repeating: " ", count: 8)
    for (index, capacity) in capacities.enumerated() where index % 10 == 0 {
      let column = 8 + index * 2
      if index > 0 && text.count >= column { text += "  " }
      text += String(repeating: " ", count: max(0, column - text.count))
      text += unitSizes ? capacity.description : ReplayReport.size(capacity)
    }
    return text
  }

  private static func legend(_ result: ReplayResult) -> [String] {
    var lines: [String] = []
    for (index, curve) in result.curves.enumerated() {
      let how =
        switch curve.method {
        case .exact: "exact, from one pass"
        case .firstSizes: "one pass, every object at its first size"
        case .replayed: "exact, replayed at every capacity"
        case .sampled: "estimated from a sample"
        case .shards: "estimated in one pass (SHARDS)"
        }
      lines.append("  \(marks[min(index, marks.count - 1)])  \(curve.policy): \(how)")
    }
    if let sample = result.curveSample { lines.append("sample: " + ReplayReport.words(sample)) }
    return lines
  }

  /// A row `policy,method,capacity,miss_ratio,byte_miss_ratio` for each point, under their names.
  public static func csv(_ curves: [ReplayCurve]) -> String {
    var text = "policy,method,capacity,miss_ratio,byte_miss_ratio\n"
    for curve in curves {
      for point in curve.points {
        text += "\(curve.policy),\(curve.method.rawValue),\(point.capacity),"
        text += "\(PlainNumber.text(point.missRatio)),\(PlainNumber.text(point.byteMissRatio))\n"
      }
    }
    return text
  }
}
